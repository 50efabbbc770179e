/*
** The document for authors of drivers (svc_driver_schema). The document contains every order that the catalog can give and
** every question that it can ask. The suite driver_kinds (test/program.c) checks that every line from and to a driver matches
** it.
*/
#include "schema.h"

/* The row of an order or question in the document; `by`: the member that has its name. */
static const svc_node *schema_row(const t_schema *d, const char *list, const char *by, const char *name, const char *resource)
{
  const svc_node *row = svc_node_get(d->root, list)->first;
  while (row && !(svc_str_is(svc_node_str(row, by), name) && svc_str_is(svc_node_str(row, "resource"), resource))) row = row->next;
  return row;
}

static void schema_has_order(const t_schema *d, const svc_noun *noun, const char *action)
{
  const svc_node *row;
  if (!action || svc_noun_ext_of(noun)->notice) return;
  row = schema_row(d, "orders", "action", action, noun->name);
  if (!row) munit_errorf("%s: the document has no order %s", noun->name, action);
  munit_assert_size(svc_node_str(row, "description").n, >, 0);
  munit_assert_not_null(t_schema_at(d, svc_node_get(row, "desired")));
}

/* Checks that every reference resolves. Returns the number of references. */
static size_t schema_references(const t_schema *d, const svc_node *at)
{
  const svc_node *one;
  size_t n = 0;
  if (at->type == SVC_J_OBJECT && svc_node_get(at, "$ref")) n += t_schema_at(d, at) != NULL;
  for (one = svc_node_first(at); one; one = one->next) n += schema_references(d, one);
  return n;
}

TEST(driver_schema, rows)
{
  t_service t;
  t_schema d;
  svc_response r;
  size_t i, questions = 0;
  t_open(&t, NULL);
  t_schema_open_driver(&d, t.s);
  for (i = 0; i < t.s->noun_count; i++) {
    const svc_noun *noun = t.s->nouns[i].noun;
    const svc_transition *step = noun->lifecycle ? noun->lifecycle->transitions : NULL;
    const svc_question_row *const *q = noun->questions;
    schema_has_order(&d, noun, noun->order_put);
    schema_has_order(&d, noun, noun->order_gone);
    for (; step && step->from; step++) schema_has_order(&d, noun, step->order);
    for (; q && *q; q++, questions++) munit_assert_not_null(schema_row(&d, "questions", "what", (*q)->what, (*q)->resource));
  }
  munit_assert_size(questions, >, 20);
  munit_assert_size(schema_references(&d, d.root), >, 300);
  munit_assert_int(svc_driver_schema(NULL, &r), ==, SVC_INVALID);
  munit_assert_int(svc_driver_schema(t.s, NULL), ==, SVC_INVALID);
  t_schema_close(&d);
  t_close(&t);
}

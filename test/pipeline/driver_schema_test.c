/*
** The document for authors of drivers (svc_driver_schema): it has every order that the catalog can give and every question that it can ask; and
** every order and question that a driver gets fits what the document says of it.
*/
#include "driver.h"
#include "schema.h"
#include "world.h"

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
  if (!action || svc_noun_rarely(noun)->notice) return;
  row = schema_row(d, "orders", "action", action, noun->name);
  if (!row) munit_errorf("%s: the document has no order %s", noun->name, action);
  munit_assert_size(svc_node_str(row, "description").n, >, 0);
  munit_assert_not_null(t_schema_at(d, svc_node_get(row, "desired")));
}

/* Every reference leads somewhere; how many there are. */
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

/* ---- what a driver gets */

typedef struct schema_crew {
  t_schema document;
  bool open;
  int orders, asks, unfit;
} schema_crew;

static void schema_fits_text(schema_crew *crew, const svc_node *schema, const char *text, const char *name, const char *resource)
{
  const svc_node *value = svc_json_parse(&crew->document.arena, svc_str_c(text));
  munit_assert_not_null(value);
  if (t_schema_fits(&crew->document, schema, value)) return;
  crew->unfit++;
  printf("%s (%s): %s in %s\n", name, resource, crew->document.why, text);
}

static int schema_perform(void *context, svc *s, const svc_order *order)
{
  schema_crew *crew = context;
  const svc_node *row;
  if (!crew->open) t_schema_open_driver(&crew->document, s), crew->open = true;
  row = schema_row(&crew->document, "orders", "action", order->action, order->resource);
  if (!row) munit_errorf("%s of %s is not in the document", order->action, order->resource);
  schema_fits_text(crew, svc_node_get(row, "desired"), order->desired, order->action, order->resource);
  crew->orders++;
  return svc_order_done(s, order->id, SVC_OK, strncmp(order->action, "cluster.create", 14) == 0 ? "{\"hosts\":[\"h1.example:27017\",\"h2.example:27017\"]}" : NULL);
}

/* Of those that are called the same and are about the same, the parameters of one fit. */
static int schema_ask(void *context, svc *s, const svc_question *q, svc_reply *reply)
{
  schema_crew *crew = context;
  const svc_node *row, *value;
  bool fits = false;
  (void)reply;
  if (!crew->open) t_schema_open_driver(&crew->document, s), crew->open = true;
  value = svc_json_parse(&crew->document.arena, svc_str_c(q->parameters));
  munit_assert_not_null(value);
  for (row = svc_node_get(crew->document.root, "questions")->first; row && !fits; row = row->next)
    fits = svc_str_is(svc_node_str(row, "what"), q->what) && svc_str_is(svc_node_str(row, "resource"), q->resource) &&
           t_schema_fits(&crew->document, svc_node_get(row, "parameters"), value);
  if (!fits) printf("%s (%s): %s in %s\n", q->what, q->resource, crew->document.why, q->parameters);
  crew->unfit += !fits;
  crew->asks++;
  return SVC_NOT_FOUND;
}

static bool schema_calls(const t_world *w, const svc_plan *plan)
{
  return !(plan->route->flags & SVC_ABSOLUTE) && !t_world_elsewhere(plan) && !t_ended(&w->t, plan);
}

/* Every operation once: a driver that knows nothing makes none of them fail. */
TEST(driver_schema, spoken)
{
  static schema_crew crew;
  static t_world w;
  const svc_driver driver = { schema_perform, schema_ask, &crew };
  size_t i;
  memset(&crew, 0, sizeof crew);
  t_world_open_with(&w, &driver);
  for (i = 0; i < w.t.s->plan_count; i++) {
    const svc_plan *plan = &w.t.s->plans[i];
    if (!schema_calls(&w, plan) || !t_world_ready(&w, plan)) continue;
    if (t_send(&w.t, t_method(plan), w.path, w.has_body ? w.body : NULL) >= 500) t_complain(plan, "%.300s", w.t.response.body);
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  }
  t_advance(&w.t, 2 * 86400);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(crew.unfit, ==, 0); /* what it was is printed */
  munit_assert_int(crew.orders, >, 60);
  munit_assert_int(crew.asks, >, 15);
  t_schema_close(&crew.document);
  t_world_close(&w);
  t_complaints_end();
}

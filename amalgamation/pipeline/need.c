/*
** Fields that are required under a condition: the rows of svc_need.
**
** check.c refuses bodies by these rows, and openapi_schema.c writes the same rows into the schemas of requests. So a client that follows
** the document is never refused because of a missing field.
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE bool svc_object_needs(const svc_object *object)
{
  while (object && !svc_object_ext_of(object)->needs) object = object->base;
  return object != NULL;
}

SVC_PRIVATE bool svc_need_term(svc_str *where, svc_str *field, svc_str *values)
{
  if (where->n == 0) return false;
  *values = svc_str_cut(where, ' ');
  *field = svc_str_cut(values, '=');
  return true;
}

/* Whether the body has one of these values. */
static bool need_has_one(svc_call *c, const svc_node *value, svc_str values)
{
  while (values.n)
    if (svc_value_is(c->s, value->text, svc_arena_copy(c->arena, svc_str_cut(&values, '|')).p)) return true;
  return false;
}

SVC_PRIVATE bool svc_need_holds(svc_call *c, const svc_need *need, const svc_node *body)
{
  svc_str rest = svc_str_c(need->where), field, values;
  bool all = true;
  while (all && svc_need_term(&rest, &field, &values)) {
    const svc_node *value = svc_node_find(body, field);
    all = value && (values.n == 0 || need_has_one(c, value, values));
  }
  return all != need->unless;
}

SVC_PRIVATE svc_str svc_need_why(svc_call *c, const svc_need *need)
{
  svc_str rest = svc_str_c(need->where), field, values;
  svc_buf b = svc_buf_new(c->arena, 96);
  const char *before = need->unless ? ", unless " : " where ";
  svc_buf_text(&b, "is required");
  while (svc_need_term(&rest, &field, &values)) {
    svc_buf_text(&b, before);
    svc_buf_str(&b, svc_shown_field(c->s, field));
    svc_buf_text(&b, values.n ? " is " : " is set");
    while (values.n) {
      svc_buf_str(&b, svc_shown_value(c->s, c->arena, svc_arena_copy(c->arena, svc_str_cut(&values, '|')).p));
      if (values.n) svc_buf_text(&b, " or ");
    }
    before = " and ";
  }
  return svc_buf_done(&b);
}

/*
** What several nouns do with the driver: ask it about an entity, and make an answer of what it says.
**
** The rule: what a driver says is held against a table, or is lines of a log; what is neither is no answer, and 503. A driver that does not
** know has said nothing: that is an empty object or list.
*/
#include "catalog/catalog.h"

SVC_PRIVATE bool svc_question_about(svc_call *c, const char *what, const char *resource, const svc_entity *e, svc_str name,
                                    svc_str parameters)
{
  c->question->what = what;
  c->question->resource = resource;
  c->question->resource_id = svc_id_str(c->arena, &e->id).p;
  c->question->group_id = svc_id_is_zero(&c->scope.group) ? "" : svc_id_str(c->arena, &c->scope.group).p;
  c->question->org_id = svc_id_str(c->arena, &c->scope.org).p;
  c->question->name = svc_arena_copy(c->arena, name).p;
  c->question->parameters = svc_arena_copy(c->arena, parameters).p;
  return !c->arena->failed || svc_no_memory(c);
}

/* ------------------------------------------------------------------------------------------------------------------ logs */

SVC_PRIVATE bool svc_log_range(svc_call *c, int64_t seconds, int64_t *from, int64_t *until)
{
  const svc_query_value *start = svc_query_get(c, "startDate"), *end = svc_query_get(c, "endDate");
  *until = end ? end->number : c->now / 1000;
  *from = start ? start->number : *until - seconds;
  return *from <= *until ? true : svc_fail(c, SVC_E_START_DATE_AFTER_END_DATE, "ii", from, until);
}

SVC_PRIVATE bool svc_log_told(svc_call *c, const svc_reply *reply)
{
  svc_str bytes = svc_gzip(c->arena, (svc_str){ reply->length ? reply->bytes : "", reply->length });
  return bytes.n ? svc_answer_bytes(c, bytes) : svc_no_memory(c);
}

/* ------------------------------------------------------------------------------------------------------------------ JSON */

SVC_PRIVATE svc_node *svc_told_json(svc_call *c, const svc_reply *reply)
{
  svc_str text = { reply->bytes, reply->length };
  svc_json_fault fault;
  svc_node *out;
  bool sound;
  if (text.n == 0) text = SVC_S("{}");
  sound = svc_json_gate(c->arena, text, c->s->config.max_depth, &fault);
  out = sound ? svc_json_parse_gated(c->arena, text) : NULL;
  if (out) return out;
  if (c->arena->failed) (void)svc_no_memory(c);
  else (void)svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  return NULL;
}

SVC_PRIVATE svc_node *svc_told_array(svc_call *c, const svc_reply *reply)
{
  svc_node *said = reply->length ? svc_told_json(c, reply) : svc_node_array(c->arena, NULL);
  if (said && said->type == SVC_J_ARRAY) return said;
  if (said) (void)svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  else if (c->error.code == SVC_E_NONE) (void)svc_no_memory(c);
  return NULL;
}

SVC_PRIVATE svc_node *svc_told_list(svc_call *c, const svc_object *object, const svc_reply *reply)
{
  const svc_node *said = svc_told_array(c, reply);
  svc_node *list = said ? svc_check_array(c, object, said) : NULL;
  if (!said || (list && !c->error.violations && !c->error.code)) return list;
  svc_log(c->s, SVC_LOG_WARNING, "what the driver lists is no list of %s", object->name);
  c->error.code = SVC_E_NONE;
  c->error.violations = c->error.violations_last = NULL;
  c->error.violation_count = 0;
  if (c->arena->failed) (void)svc_no_memory(c);
  else (void)svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  return NULL;
}

SVC_PRIVATE bool svc_told_next(svc_call *c, void *state, svc_item *out)
{
  const svc_node **at = state, *one = *at;
  if (!one) return false;
  *at = one->next;
  if (out) svc_item_node(c, out, SVC_S(""), one);
  return true;
}

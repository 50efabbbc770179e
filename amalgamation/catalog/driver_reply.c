/*
** Questions to the driver that several nouns share: asks it about an entity, and makes an answer from the reply.
**
** The rule: each question has a row (svc_question_row), which its noun lists. A reply is checked against the row like the
** body of a request. An invalid reply gives 503, and the log names the invalid member. A driver that has no data sends an
** empty reply, which is taken as an empty object or list.
*/
#include "catalog/catalog.h"

static bool driver_reply_listed(const svc_noun *noun, const svc_question_row *row)
{
  const svc_question_row *const *one = noun->questions;
  while (one && *one && *one != row) one++;
  return one && *one;
}

SVC_PRIVATE bool svc_question_about(svc_call *c, const svc_question_row *row, const svc_entity *e, svc_str name, svc_str parameters)
{
  if (SVC_NEVER(!driver_reply_listed(c->plan->noun->noun, row))) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  c->question->what = row->what;
  c->question->resource = row->resource;
  c->question->resource_id = svc_id_str(c->arena, &e->id).p;
  c->question->group_id = svc_id_is_zero(&c->scope.group) ? "" : svc_id_str(c->arena, &c->scope.group).p;
  c->question->org_id = svc_id_str(c->arena, &c->scope.org).p;
  c->question->name = svc_arena_copy(c->arena, name).p;
  c->question->parameters = svc_arena_copy(c->arena, parameters).p;
  return !c->arena->failed || svc_no_memory(c);
}

SVC_PRIVATE void svc_range_narrow(const svc_call *c, const svc_id *cluster, int64_t *from, int64_t *until)
{
  const int64_t made = svc_id_second(cluster) * 1000;
  if (*until > c->now) *until = c->now;
  if (*from < made) *from = made;
  if (*from > *until) *from = *until;
}

/* ------------------------------------------------------------------------------------------------------------------ logs */

SVC_PRIVATE bool svc_log_range(svc_call *c, int64_t seconds, int64_t *from, int64_t *until)
{
  const svc_query_value *start = svc_query_get(c, "startDate"), *end = svc_query_get(c, "endDate");
  *until = end ? end->number : c->now / 1000;
  *from = start ? start->number : *until - seconds;
  return *from <= *until ? true : svc_fail(c, SVC_E_START_DATE_AFTER_END_DATE, "ii", from, until);
}

SVC_PRIVATE bool svc_log_on_reply(svc_call *c, const svc_reply *reply)
{
  svc_str bytes = svc_gzip(c->arena, (svc_str){ reply->length ? reply->bytes : "", reply->length });
  return bytes.n ? svc_answer_bytes(c, bytes) : svc_no_memory(c);
}

/* --------------------------------------------------------------------------------------------------------------- replies */

static const svc_field driver_reply_figure_fields[] = { F_BOOL("simulated"), F_LONG("value", .flags = SVC_MIN) };
SVC_PRIVATE const svc_object svc_driver_reply_figure = { .name = "Figure", .fields = SVC_ROWS(driver_reply_figure_fields) };

SVC_PRIVATE svc_node *svc_driver_reply_refused(svc_call *c, const svc_question_row *row, const char *why)
{
  if (c->arena->failed) return (void)svc_no_memory(c), NULL;
  svc_log(c->s, SVC_LOG_WARNING, "driver.reply_refused", "the driver's reply to %s (%s) is invalid: %s", row->what, row->resource, why);
  (void)svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  return NULL;
}

/* Logs the first invalid member of the reply. The answer does not mention it: the caller of the API did nothing wrong. */
static svc_node *driver_reply_unfit(svc_call *c, const svc_question_row *row)
{
  svc_str why = c->error.violations ? svc_violation_text(c, c->error.violations) : SVC_S("it does not have the shape that docs/driver.md describes");
  c->error.code = SVC_E_NONE;
  c->error.violations = c->error.violations_last = NULL;
  c->error.violation_count = 0;
  return svc_driver_reply_refused(c, row, svc_arena_copy(c->arena, why).p);
}

static bool driver_reply_names(const svc_node *said)
{
  const svc_node *one = said->first;
  while (one && one->type == SVC_J_STRING && one->text.n) one = one->next;
  return !one;
}

static svc_node *driver_reply_checked(svc_call *c, const svc_question_row *row, svc_node *said)
{
  svc_node *out = said;
  if (row->form == SVC_REPLY_NAMES) return driver_reply_names(said) ? said : svc_driver_reply_refused(c, row, "each name must be a string that is not empty");
  if (row->reply) out = row->form == SVC_REPLY_LIST ? svc_check_array(c, row->reply, said) : svc_check(c, row->reply, said, NULL, SVC_CHECK_CREATE);
  return out && !c->error.violations && !c->error.code ? out : driver_reply_unfit(c, row);
}

SVC_PRIVATE svc_node *svc_driver_reply(svc_call *c, const svc_question_row *row, const svc_reply *reply)
{
  int wanted = row->form == SVC_REPLY_OBJECT ? SVC_J_OBJECT : SVC_J_ARRAY;
  svc_str text = { reply->bytes, reply->length };
  svc_json_fault fault;
  svc_node *said;
  if (text.n == 0) text = wanted == SVC_J_OBJECT ? SVC_S("{}") : SVC_S("[]");
  if (!svc_json_gate(c->arena, text, c->s->config.max_depth, &fault)) return svc_driver_reply_refused(c, row, "it is not JSON");
  said = svc_json_parse_gated(c->arena, text);
  if (!said) return svc_driver_reply_refused(c, row, "it is not JSON");
  if ((int)said->type != wanted) return svc_driver_reply_refused(c, row, wanted == SVC_J_OBJECT ? "it must be a JSON object" : "it must be a JSON array");
  return driver_reply_checked(c, row, said);
}

SVC_PRIVATE bool svc_driver_reply_next(svc_call *c, void *state, svc_item *out)
{
  const svc_node **at = state, *one = *at;
  if (!one) return false;
  *at = one->next;
  if (out) svc_item_node(c, out, SVC_S(""), one);
  return true;
}

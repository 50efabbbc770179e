/*
** Limit of a federated database instance: maximum bytes that its queries may process: a single query, or all of a day, a
** week or a month. There are four names. A limit exists from its first setting until it is deleted; then the limit of the
** project applies, which is also the maximum for its value.
**
** The driver reports the usage. The simulator runs no queries, and reports 0.
*/
#include "catalog/catalog.h"

#define DATA_FEDERATION_LIMIT_OF "dataFederation." /* prefix of the same names among the project's limits */

static const char *const data_federation_limit_names[] = {
  "bytesProcessed.daily", "bytesProcessed.monthly", "bytesProcessed.query", "bytesProcessed.weekly", NULL
};
static const char *const data_federation_limit_policies[] = { "BLOCK", "BLOCK_AND_KILL", NULL };

static const svc_field data_federation_limit_fields[] = {
  F_LONG("currentUsage", .flags = SVC_READ_ONLY),
  F_LONG("defaultLimit", .flags = SVC_READ_ONLY),
  F_DATE("lastModifiedDate", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_CHANGED),
  F_LONG("maximumLimit", .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_REQUIRED | SVC_READ_ONLY),
  F_ENUM("overrunPolicy", data_federation_limit_policies),
  F_STR("tenantName", .flags = SVC_READ_ONLY),
  F_LONG("value", .flags = SVC_REQUIRED | SVC_MIN, .min = 0)
};
static const svc_object data_federation_limit_object = { .name = "DataFederationTenantQueryLimit", .fields = SVC_ROWS(data_federation_limit_fields) };

static bool data_federation_limit_list(svc_call *c);
static bool data_federation_limit_read(svc_call *c);
static bool data_federation_limit_on_reply(svc_call *c, const svc_reply *reply);
static bool data_federation_limit_all_on_reply(svc_call *c, const svc_reply *reply);
static bool data_federation_limit_set(svc_call *c);

#define DATA_FEDERATION_LIMIT \
  "/groups/{groupId}/dataFederation/{tenantName}/limits", SVC_SET_DATA_FEDERATION, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route data_federation_limit_routes[] = {
  R_GET(DATA_FEDERATION_LIMIT, "", .flags = SVC_BARE, .op = "listDataFederationLimits", .run = data_federation_limit_list,
        .on_reply = data_federation_limit_all_on_reply),
  R_GET(DATA_FEDERATION_LIMIT, "/{limitName}", .flags = SVC_ITEM, .op = "getDataFederationLimit", .run = data_federation_limit_read, .on_reply = data_federation_limit_on_reply),
  R_PATCH(DATA_FEDERATION_LIMIT, "/{limitName}", .op = "setDataFederationLimit", .run = data_federation_limit_set,
          .example = "{\"value\":1000000000,\"overrunPolicy\":\"BLOCK\"}", .whole = true),
  R_DELETE(DATA_FEDERATION_LIMIT, "/{limitName}", .status = 204, .op = "deleteDataFederationLimit", .run = svc_verb_delete)
};

/* ---------------------------------------------------------------------------------------------------------------- usage */

static const char *const data_federation_limit_metrics[] = { "bytesProcessed", NULL };
static const svc_field data_federation_limit_asked_fields[] = { F_ENUM("metric", data_federation_limit_metrics, .flags = SVC_REQUIRED) };
static const svc_object data_federation_limit_asked = { .name = "AskedUsage", .fields = SVC_ROWS(data_federation_limit_asked_fields) };
static const svc_field data_federation_limit_said_fields[] = { { .name = "values", .type = SVC_MAP, .item = SVC_INT64 } };
static const svc_object data_federation_limit_said = {
  .name = "Usage", .fields = SVC_ROWS(data_federation_limit_said_fields), .base = &svc_driver_reply_figure
};
static const svc_question_row data_federation_limit_question = {
  "measure", "data federation",
  "The bytes that queries have read, by the name of the limit: `values` is {\"bytesProcessed.daily\":1}. An omitted limit counts "
  "as unused.",
  &data_federation_limit_asked, &data_federation_limit_said, SVC_REPLY_OBJECT
};

/* Asks for all limits in one question. */
static bool data_federation_limit_ask(svc_call *c)
{
  const svc_entity *e = svc_path_entity(c, "data federation");
  if (!svc_json_is(e->body, "state", "ACTIVE")) return true;
  return svc_question_about(c, &data_federation_limit_question, e, e->unique, SVC_S("{\"metric\":\"bytesProcessed\"}"));
}

static bool data_federation_limit_list(svc_call *c)
{
  return svc_verb_list(c) && data_federation_limit_ask(c);
}

static bool data_federation_limit_read(svc_call *c)
{
  if (!svc_verb_read(c)) return false;
  return svc_answer_copied(c) && data_federation_limit_ask(c);
}

static void data_federation_limit_used(svc_call *c, const svc_node *said, svc_node *limit)
{
  const svc_node *used = svc_node_find(svc_node_get(said, "values"), svc_node_str(limit, "name"));
  int64_t bytes = 0;
  if (used && used->type == SVC_J_NUMBER) svc_json_number_i64(used->text, &bytes);
  svc_node_set_i64(c->arena, limit, "currentUsage", bytes > 0 ? bytes : 0);
}

/* A measured value has no ETag. If the reply has no usage, as from the simulator, the answer stays as it is. */
static bool data_federation_limit_on_reply(svc_call *c, const svc_reply *reply)
{
  const svc_node *said = svc_driver_reply(c, &data_federation_limit_question, reply);
  svc_node *body;
  if (said && !svc_node_get(said, "values")) return true;
  body = said ? svc_answer_parsed(c) : NULL;
  if (!body) return svc_failed(c);
  svc_answer_untagged(c);
  data_federation_limit_used(c, said, body);
  return svc_answer_body(c, body);
}

/* The same for all limits of a list. */
static bool data_federation_limit_all_on_reply(svc_call *c, const svc_reply *reply)
{
  const svc_node *said = svc_driver_reply(c, &data_federation_limit_question, reply);
  svc_node *body, *list, *one;
  if (said && !svc_node_get(said, "values")) return true;
  body = said ? svc_answer_parsed(c) : NULL;
  if (!body) return svc_failed(c);
  svc_answer_untagged(c);
  list = body->type == SVC_J_ARRAY ? body : svc_node_get(body, "content"); /* in an envelope */
  for (one = svc_node_first(list); one; one = one->next) data_federation_limit_used(c, said, one);
  return svc_answer_list(c, body);
}

/* --------------------------------------------------------------------------------------------------------------- setting */

/* The project's limit of the same name; -1: the build has no project limits. */
static int64_t data_federation_limit_highest(svc_call *c, const svc_node *body)
{
  const svc_noun_info *quota = c->s->seats[SVC_SEAT_QUOTA];
  svc_id group = c->scope.group;
  svc_str limit = svc_node_str(body, "name"), name = svc_arena_print(c->arena, DATA_FEDERATION_LIMIT_OF SVC_FMT, SVC_ARG(limit));
  return quota && name.n ? svc_noun_ext_of(quota->noun)->quotas->limit(c, &group, name.p) : -1;
}

static bool data_federation_limit_prepare(svc_call *c, svc_change *change)
{
  int64_t highest = data_federation_limit_highest(c, change->body);
  if (highest >= 0 && svc_node_i64(change->body, "value", 0) > highest)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("value"), "must be at most %lld, the limit of the project", (long long)highest);
  return svc_check_done(c);
}

static svc_node *data_federation_limit_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  int64_t highest = body ? data_federation_limit_highest(c, body) : -1;
  if (!body || c->error.code) return NULL;
  if (highest >= 0) svc_node_set_i64(c->arena, body, "defaultLimit", highest);
  if (highest >= 0) svc_node_set_i64(c->arena, body, "maximumLimit", highest);
  if (c->request.method == SVC_GET && !svc_node_get(body, "currentUsage")) svc_node_set_i64(c->arena, body, "currentUsage", 0);
  return body;
}

/* Creates a limit. The body may repeat the name and the tenantName, but not change them. */
static bool data_federation_limit_make(svc_call *c, const svc_entity *tenant, svc_str name)
{
  svc_node *begin = svc_node_object(c->arena, NULL);
  svc_change change;
  svc_entity e;
  if (!begin) return svc_no_memory(c);
  if (c->request.if_match.n) return svc_fail(c, SVC_E_PRECONDITION_FAILED, ""); /* there is no state that could match */
  svc_node_set_str(c->arena, begin, "name", name);
  svc_node_set_str(c->arena, begin, "tenantName", tenant->unique);
  memset(&change, 0, sizeof change);
  change.noun = c->plan->noun;
  change.input = c->body;
  change.event = c->plan->noun->noun->event_created;
  change.body = svc_check(c, &data_federation_limit_object, c->body, begin, SVC_CHECK_REPLACE);
  return svc_check_done(c) && svc_insert(c, &change, &e) && svc_answer_entity(c, &e);
}

static bool data_federation_limit_set(svc_call *c)
{
  svc_str name = svc_path_param(c, "limitName"), group = svc_id_str(c->arena, &c->scope.group);
  const svc_entity *tenant;
  svc_named found;
  int rc;
  if (!svc_resolve(c, c->plan->hop_count - 1)) return false;
  if (!svc_value_in(c->s, name, data_federation_limit_names)) return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path);
  tenant = svc_path_entity(c, "data federation");
  if (svc_json_is(tenant->body, "state", "DELETED"))
    return svc_fail(c, SVC_E_DATA_FEDERATION_TENANT_NOT_FOUND_FOR_NAME, "SS", &tenant->unique, &group);
  rc = svc_named_get(c->txn, c->plan->noun->noun->kind, &tenant->id, name, &found);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  return rc == SVC_OK ? svc_verb_update(c) : data_federation_limit_make(c, tenant, name);
}

static const svc_field data_federation_limit_fact_fields[] = { F_LONG("currentUsage", .flags = SVC_MIN) };
static const svc_object data_federation_limit_facts = { .name = "LimitFacts", .fields = SVC_ROWS(data_federation_limit_fact_fields) };
static const svc_order_row data_federation_limit_orders[] = {
  { "federation_limit.put", "Enforce the limit on how much data queries process.", NULL, &data_federation_limit_facts, 0 },
  { "federation_limit.delete", "Stop enforcing the limit.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

static bool data_federation_limit_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  (void)change, (void)action;
  svc_node_set_i64(c->arena, facts, "currentUsage", 0);
  return true;
}

SVC_PRIVATE const svc_noun svc_noun_data_federation_limit = {
  .name = "data federation limit",
  .rel = "limit",
  .kind = "dflm",
  .parent = "data federation",
  .param = "limitName",
  .flags = SVC_EVENT_PARENT,
  .object = &data_federation_limit_object,
  .key = "name",
  .unique = "name",
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .err_exists = SVC_E_RESOURCE_NOT_FOUND, /* cannot happen: an existing limit is changed */
  .event_created = "DATA_FEDERATION_QUERY_LIMIT_CONFIGURED",
  .event_updated = "DATA_FEDERATION_QUERY_LIMIT_CONFIGURED",
  .event_deleted = "DATA_FEDERATION_QUERY_LIMIT_DELETED",
  .order_put = "federation_limit.put",
  .order_gone = "federation_limit.delete",
  .orders = data_federation_limit_orders,
  .questions = SVC_ASKS(&data_federation_limit_question),
  .routes = SVC_ROUTES(data_federation_limit_routes),
  .prepare = data_federation_limit_prepare,
  .view = data_federation_limit_view,
  .facts = svc_facts_into,
  .simulate = data_federation_limit_simulate,
};

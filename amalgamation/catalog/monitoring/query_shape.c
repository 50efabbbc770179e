/*
** query shape: queries that differ only by their values, identified by a hash. A shape can be rejected: then the servers
** of the cluster refuse its queries, until it is unrejected.
**
**   PATCH {"status":"REJECTED"} --> REJECTED --> PATCH {"status":"UNREJECTED"}: the record is deleted
**
** Only rejected shapes are stored, at most a thousand per cluster. A shape can be rejected before any such query has run.
** When a shape is rejected, the driver supplies its command, namespace and text, if a query of the shape ran within a
** day; without a reply the shape is rejected all the same. A shape that is not rejected is shown if the driver reports
** such a query within a day.
*/
#include "catalog/monitoring/advisor_parts.h"

enum { QUERY_SHAPE_MOST = 1000 };

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const query_shape_commands[] = { "FIND", "DISTINCT", "AGGREGATE", NULL };
static const char *const query_shape_states[] = { "REJECTED", "UNREJECTED", NULL };
static const char *const query_shape_listed[] = { "REJECTED", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field query_shape_fields[] = {
  F_ENUM("command", query_shape_commands, .flags = SVC_READ_ONLY),
  F_STR("namespace", .flags = SVC_READ_ONLY),
  F_STR("queryShape", .flags = SVC_READ_ONLY),
  F_STR("queryShapeHash", .flags = SVC_READ_ONLY),
  F_ENUM("status", query_shape_states, .flags = SVC_REQUIRED)
};
static const svc_object query_shape_object = { .name = "QueryShapeResponse", .fields = SVC_ROWS(query_shape_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool query_shape_read(svc_call *c);
static bool query_shape_on_reply(svc_call *c, const svc_reply *reply);
static bool query_shape_look(svc_call *c);
static bool query_shape_set(svc_call *c);

/* Only rejected shapes are stored, and no other value is allowed: the list is the same with and without the parameter. */
static const svc_param query_shape_params[] = { { .name = "status", .values = query_shape_listed, .flags = SVC_PARAM_MOOT }, { .name = NULL } };

#define QUERY_SHAPE \
  "/groups/{groupId}/clusters/{clusterName}/queryShapes", SVC_SET_QUERY_SHAPES, (20250312), SVC_R_GROUP_READ_ONLY, \
    SVC_R_GROUP_DATA_ACCESS_ADMIN

static const svc_route query_shape_routes[] = {
  R_GET(QUERY_SHAPE, "", .flags = SVC_PAGED, .params = query_shape_params, .op = "listClusterQueryShapes", .run = svc_verb_list),
  R_GET(QUERY_SHAPE, "/{queryShapeHash}", .flags = SVC_ITEM, .op = "getClusterQueryShape", .run = query_shape_read, .on_reply = query_shape_on_reply),
  R_PATCH(QUERY_SHAPE, "/{queryShapeHash}", .op = "updateClusterQueryShape", .run = query_shape_set, .example = "{\"status\":\"REJECTED\"}",
        .ext = SVC_ROUTE_EXT(.prework = query_shape_look, .asks = true), .whole = true)
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static svc_str query_shape_spell(svc_call *c, svc_str key)
{
  return svc_query_shape_capitals(c, key);
}

/* ---- queries that the driver reports */

/* The newest query of the shape, as a body that is not rejected. NULL: none, or out of memory. */
static svc_node *query_shape_seen(svc_call *c, const svc_rans *ran, svc_str hash)
{
  const svc_ran *last = svc_query_shape_newest(ran, hash);
  svc_node *out = last ? svc_node_object(c->arena, NULL) : NULL;
  const char *const *command = query_shape_commands;
  svc_str text;
  if (!out) return NULL;
  while (*command && !svc_str_is_nocase(last->op, *command)) command++;
  if (*command) svc_node_set_text(c->arena, out, "command", *command);
  if (last->namespace.n <= 512) svc_node_set_str(c->arena, out, "namespace", last->namespace);
  text = svc_query_shape_of(c, last);
  if (text.n <= QUERY_SHAPE_TEXT) svc_node_set_str(c->arena, out, "queryShape", text);
  svc_node_set_str(c->arena, out, "queryShapeHash", hash);
  svc_node_set_text(c->arena, out, "status", "UNREJECTED");
  return out;
}

/* Asks the driver before the transaction of a change, and stores the shape in c->prework; empty: no such query, or no reply. */
static bool query_shape_look(svc_call *c)
{
  svc_question question;
  svc_reply reply;
  svc_node *seen;
  svc_rans ran;
  svc_str hash;
  svc_buf b = svc_buf_new(c->arena, 512);
  bool good;
  memset(&question, 0, sizeof question);
  if (!svc_query_shape_hash(c, &hash) || !svc_begin_read(c)) return false;
  c->question = &question;
  good = svc_resolve(c, c->plan->hop_count - 1) && svc_advisor_question(c, &svc_question_query_stats);
  good = svc_read_good(c) && good;
  c->question = NULL;
  svc_end_read(c);
  if (!good) return false;
  if (!question.what) return true;
  if (!svc_ask(c, &question, &reply) || !svc_advisor_reply(c, &svc_question_query_stats, &reply, &ran)) {
    c->error.code = SVC_E_NONE;
    return !c->arena->failed || svc_no_memory(c);
  }
  seen = query_shape_seen(c, &ran, hash);
  if (seen) svc_node_write(&b, seen);
  if (seen) c->prework = svc_buf_done(&b);
  return !c->arena->failed || svc_no_memory(c);
}

/* ---- reading */

/* Answers with a copy of a stored shape, because the transaction ends before the answer is written. Asks the driver about
** other shapes. */
static bool query_shape_read(svc_call *c)
{
  svc_entity e;
  svc_str hash;
  int rc;
  if (!svc_query_shape_hash(c, &hash) || !svc_resolve(c, c->plan->hop_count - 1)) return false;
  rc = svc_entity_named(c->txn, QUERY_SHAPE_KIND, NULL, &svc_path_entity(c, "cluster")->id, hash, &e);
  if (rc == SVC_NOT_FOUND) return svc_advisor_ask(c, &svc_question_query_stats);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (!svc_answer_entity(c, &e)) return false;
  svc_answer_key(c, hash);
  return svc_answer_copied(c);
}

static bool query_shape_answer(svc_call *c, svc_str hash, svc_node *body)
{
  if (!svc_answer_node(c, body)) return false;
  svc_answer_key(c, hash);
  return true;
}

static bool query_shape_on_reply(svc_call *c, const svc_reply *reply)
{
  svc_node *seen;
  svc_rans ran;
  svc_str hash;
  if (!svc_query_shape_hash(c, &hash) || !svc_advisor_reply(c, &svc_question_query_stats, reply, &ran)) return false;
  seen = query_shape_seen(c, &ran, hash);
  if (c->arena->failed) return svc_no_memory(c);
  return seen ? query_shape_answer(c, hash, seen) : svc_not_found(c, c->plan->noun, c->plan->hop_count - 1, hash);
}

/* ---- changing */

/* Checks the body: only the status can be set. */
static svc_node *query_shape_check(svc_call *c, const svc_node *before)
{
  if (c->body->type == SVC_J_OBJECT && !svc_node_get(c->body, "status"))
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, SVC_S("status"), "is required");
  return svc_check(c, &query_shape_object, c->body, before, SVC_CHECK_UPDATE);
}

static bool query_shape_rejects(const svc_node *body)
{
  return svc_node_is(body, "status", "REJECTED");
}

/* Changes a rejected shape: the shape stays rejected, or is deleted. */
static bool query_shape_change(svc_call *c, svc_str hash)
{
  svc_change change;
  if (!svc_change_begin(c, &change)) return false;
  change.body = query_shape_check(c, change.before);
  if (!svc_check_done(c)) return false;
  if (query_shape_rejects(change.body)) return svc_change_store(c, &change);
  return svc_erase(c, c->plan->noun, &change.entity) && query_shape_answer(c, hash, change.body);
}

/* Changes a shape that is not rejected. Its body before the change has the fields that the driver reported. */
static bool query_shape_make(svc_call *c, svc_str hash)
{
  svc_node *before = c->prework.n ? svc_json_parse(c->arena, c->prework) : svc_node_object(c->arena, NULL);
  svc_change change;
  svc_node *body;
  svc_entity e;
  if (!before) return svc_no_memory(c);
  svc_node_set_str(c->arena, before, "queryShapeHash", hash);
  svc_node_set_text(c->arena, before, "status", "UNREJECTED");
  if (!svc_if_match_view(c, before)) return false;
  body = query_shape_check(c, before);
  if (!svc_check_done(c)) return false;
  if (!query_shape_rejects(body)) {
    if (!c->prework.n) return svc_not_found(c, c->plan->noun, c->plan->hop_count - 1, hash);
    return query_shape_answer(c, hash, body);
  }
  return svc_change_new(c, c->plan->noun, body, &change) && svc_insert(c, &change, &e) && svc_answer_entity(c, &e);
}

static bool query_shape_set(svc_call *c)
{
  svc_named found;
  svc_str hash;
  int rc;
  if (!svc_query_shape_hash(c, &hash) || !svc_resolve(c, c->plan->hop_count - 1)) return false;
  rc = svc_named_get(c->txn, QUERY_SHAPE_KIND, &svc_path_entity(c, "cluster")->id, hash, &found);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  return rc == SVC_OK ? query_shape_change(c, hash) : query_shape_make(c, hash);
}

static const svc_order_row query_shape_orders[] = {
  { "query_shape.reject", "Refuse queries of this shape.", NULL, NULL, 0 },
  { "query_shape.unreject", "Stop refusing queries of this shape.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_query_shape = {
  .name = "query shape",
  .rel = "queryShape",
  .kind = QUERY_SHAPE_KIND,
  .parent = "cluster",
  .param = "queryShapeHash",
  .flags = SVC_EVENT_PARENT,
  .object = &query_shape_object,
  .key = "queryShapeHash",
  .unique = "queryShapeHash",
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .err_exists = SVC_E_RESOURCE_NOT_FOUND, /* never: an existing shape is changed */
  .most = QUERY_SHAPE_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .event_created = "QUERY_SHAPE_BLOCKED",
  .event_deleted = "QUERY_SHAPE_UNBLOCKED",
  .order_put = "query_shape.reject",
  .order_gone = "query_shape.unreject",
  .orders = query_shape_orders,
  .questions = SVC_ASKS(&svc_question_query_stats),
  .routes = SVC_ROUTES(query_shape_routes),
  .ext = SVC_NOUN_EXT(.spell = query_shape_spell)
};

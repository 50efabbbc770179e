/*
** Stream peering: another network requests a peering connection with a network of stream processors. No operation of this API
** makes such a request: requests arrive at the provider, and the driver lists them. The store has only the decisions on them.
**
**   (listed) --> REQUEST_ACCEPT --> ACCEPT_REQUESTED --> ACTIVE
**      |             |  UPDATE_FAILED: reported by the driver; a new decision is possible
**      +------> REQUEST_REJECT --> REJECT_REQUESTED --> removed
**      +------> REQUEST_DELETE --> DELETE_REQUESTED --> removed
**
** The rule: a decision is possible only on a request that the driver lists at that time. To accept it, the caller must name
** the requester.
*/
#include "catalog/catalog.h"
#include "catalog/stream/stream_parts.h"
#include "catalog/policy/policy_language.h"

enum { STREAM_PEERING_MOST = 100 };

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const stream_peering_statuses[] = {
  "NONE", "SCAN_FAILED", "UPDATE_FAILED", "REQUEST_ACCEPT", "ACCEPT_REQUESTED", "REQUEST_REJECT", "REJECT_REQUESTED",
  "REQUEST_DELETE", "DELETE_REQUESTED", "ACTIVE", NULL
};

/* ----------------------------------------------------------------------------------------------------------- fields */

/* The fields as the driver lists them. Their lengths are limited, so that every listed peering can be stored. */
#define STREAM_PEERING_TEXT(n) F_STR(n, .max = 512)
static const svc_field stream_peering_fields[] = {
  F_HEX24("_id", .flags = SVC_REQUIRED),
  STREAM_PEERING_TEXT("accepterAccountId"),
  STREAM_PEERING_TEXT("accepterCidr"),
  STREAM_PEERING_TEXT("accepterVpcId"),
  STREAM_PEERING_TEXT("cloudStatus"),
  F_DATE("expirationTime"),
  F_HEX24("groupId"),
  F_ENUM("localStatus", stream_peering_statuses, .preset = "\"NONE\""),
  STREAM_PEERING_TEXT("name"),
  STREAM_PEERING_TEXT("requesterAccountId"),
  STREAM_PEERING_TEXT("requesterCidr"),
  STREAM_PEERING_TEXT("requesterVpcId"),
  STREAM_PEERING_TEXT("statusMessage")
};
static const svc_object stream_peering_object = { .name = "VPCPeeringConnection", .fields = SVC_ROWS(stream_peering_fields) };
static const svc_field stream_peering_challenge_fields[] = {
  F_STR("requesterAccountId", .flags = SVC_REQUIRED, .min = 1, .max = 512),
  F_STR("requesterVpcId", .flags = SVC_REQUIRED, .min = 1, .max = 512)
};
static const svc_object stream_peering_challenge = {
  .name = "VPCPeeringActionChallenge", .fields = SVC_ROWS(stream_peering_challenge_fields)
};

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool stream_peering_ask(svc_call *c);
static bool stream_peering_on_reply(svc_call *c, const svc_reply *reply);
static bool stream_peering_on_reply_active(svc_call *c, const svc_reply *reply);
static bool stream_peering_look(svc_call *c);
static bool stream_peering_accept(svc_call *c);
static bool stream_peering_reject(svc_call *c);
static bool stream_peering_remove(svc_call *c);

static const svc_param stream_peering_params[] = {
  { .name = "requesterAccountId", .type = SVC_STRING, .flags = SVC_PARAM_REQUIRED }, { .name = NULL }
};

#define STREAM_PEERING_DECIDERS (SVC_R_ORG_STREAM_PROCESSING_ADMIN | SVC_R_GROUP_STREAM_PROCESSING_OWNER)
#define STREAM_PEERING_BASE \
  "/groups/{groupId}/streams/vpcPeeringConnections", SVC_SET_STREAMS, (20230201), SVC_R_GROUP_READ_ONLY, STREAM_PEERING_DECIDERS
static const svc_route_ext stream_peering_looks = { .prework = stream_peering_look, .asks = true };
#define STREAM_PEERING_DECIDES .status = 202, .ext = &stream_peering_looks

static const svc_route stream_peering_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/streams/activeVpcPeeringConnections", .set = SVC_SET_STREAMS,
    .versions = { 20241113 }, .roles = SVC_R_GROUP_READ_ONLY, .flags = SVC_PAGED, .op = "listActivePeeringConnections", .run = stream_peering_ask,
    .on_reply = stream_peering_on_reply_active },
  R_GET(STREAM_PEERING_BASE, "", .flags = SVC_PAGED, .params = stream_peering_params, .op = "listVpcPeeringConnections", .run = stream_peering_ask,
        .on_reply = stream_peering_on_reply),
  R_DELETE(STREAM_PEERING_BASE, "/{id}", STREAM_PEERING_DECIDES, .flags = SVC_EMPTY_OBJECT, .op = "deleteVpcPeeringConnection", .run = stream_peering_remove),
  R_POST(STREAM_PEERING_BASE, "/{id}:accept", STREAM_PEERING_DECIDES, .flags = SVC_EMPTY_OBJECT, .body = &stream_peering_challenge,
         .op = "acceptVpcPeeringConnection", .run = stream_peering_accept,
         .example = "{\"requesterAccountId\":\"123456789012\",\"requesterVpcId\":\"vpc-0123456789abcdef0\"}"),
  R_POST(STREAM_PEERING_BASE, "/{id}:reject", STREAM_PEERING_DECIDES, .flags = SVC_NO_BODY | SVC_EMPTY_OBJECT,
         .op = "rejectVpcPeeringConnection", .run = stream_peering_reject)
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition stream_peering_transitions[] = {
  { "REQUEST_ACCEPT", "ACCEPT_REQUESTED", 5, NULL, NULL },
  { "ACCEPT_REQUESTED", "ACTIVE", 20, NULL, "peering.accept" },
  { "REQUEST_REJECT", "REJECT_REQUESTED", 5, NULL, NULL },
  { "REJECT_REQUESTED", NULL, 20, NULL, "peering.reject" },
  { "REQUEST_DELETE", "DELETE_REQUESTED", 5, NULL, NULL },
  { "DELETE_REQUESTED", NULL, 20, NULL, "peering.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle stream_peering_lifecycle = {
  .field = "localStatus", .created = "NONE", .failed = "UPDATE_FAILED", .reason = "statusMessage",
  .transitions = stream_peering_transitions
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* ---- what the driver lists */

#define STREAM_PEERING_LIST "{\"of\":\"vpcPeeringConnections\"}"

static const char *const stream_peering_lists[] = { "vpcPeeringConnections", NULL };
static const svc_field stream_peering_asked_fields[] = { F_ENUM("of", stream_peering_lists, .flags = SVC_REQUIRED) };
static const svc_object stream_peering_asked = { .name = "AskedPeerings", .fields = SVC_ROWS(stream_peering_asked_fields) };
static const svc_question_row stream_peering_question = {
  "list", "project", "The VPC peering connections that others have requested with the project's stream workspaces.", &stream_peering_asked,
  &stream_peering_object, SVC_REPLY_LIST
};

static bool stream_peering_ask(svc_call *c)
{
  const svc_entity *group = svc_path_entity(c, "project");
  return svc_question_about(c, &stream_peering_question, group, group->unique, SVC_S(STREAM_PEERING_LIST));
}

/* Shows the decision on a listed peering, until the decision is removed. */
static bool stream_peering_overlay(svc_call *c, svc_node *one)
{
  const svc_noun *noun = c->plan->noun->noun;
  svc_entity e;
  svc_str status;
  svc_id id;
  int rc;
  if (!svc_id_parse(svc_node_str(one, "_id"), &id)) return true;
  svc_node_set_id(c->arena, one, "groupId", &c->scope.group);
  rc = svc_entity_get(c->txn, noun->kind, &c->scope.group, &id, &e);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  status = svc_entity_text(c, noun, &e, "localStatus");
  svc_node_set_str(c->arena, one, "localStatus", svc_arena_copy(c->arena, status));
  status = svc_entity_text(c, noun, &e, "statusMessage");
  if (status.n) svc_node_set_str(c->arena, one, "statusMessage", svc_arena_copy(c->arena, status));
  return true;
}

static bool stream_peering_show(svc_call *c, const svc_reply *reply, bool active)
{
  const svc_query_value *from = svc_query_get(c, "requesterAccountId");
  svc_node *list = svc_driver_reply(c, &stream_peering_question, reply), *shown, *one, *next;
  const svc_node *first;
  shown = list ? svc_node_array(c->arena, NULL) : NULL;
  if (!shown) return svc_failed(c);
  if (!svc_begin_read(c)) return false;
  for (one = list->first; one; one = next) {
    next = one->next;
    one->next = NULL;
    if (!stream_peering_overlay(c, one)) return false;
    if ((from && !svc_node_eq(one, "requesterAccountId", from->text)) ||
        (active && !svc_stream_is(one, "localStatus", "ACTIVE")))
      continue;
    svc_node_append(shown, one);
  }
  first = shown->first;
  return svc_list_items(c, svc_driver_reply_next, &first, (int64_t)svc_node_count(shown));
}

static bool stream_peering_on_reply(svc_call *c, const svc_reply *reply)
{
  return stream_peering_show(c, reply, false);
}

static bool stream_peering_on_reply_active(svc_call *c, const svc_reply *reply)
{
  return stream_peering_show(c, reply, true);
}

/* ---- what is decided */

/* Before the transaction: asks the driver for the peering in the path and writes it to c->prework. Empty: the driver does not list it. */
static bool stream_peering_look(svc_call *c)
{
  svc_question question;
  svc_reply reply;
  const svc_node *list, *one;
  svc_buf b;
  memset(&question, 0, sizeof question);
  question.what = stream_peering_question.what;
  question.resource = stream_peering_question.resource;
  question.resource_id = question.group_id = question.name = svc_arena_copy(c->arena, svc_path_param(c, "groupId")).p;
  question.org_id = "";
  question.parameters = STREAM_PEERING_LIST;
  if (!svc_ask(c, &question, &reply)) return false;
  list = svc_driver_reply(c, &stream_peering_question, &reply);
  if (!list) return false;
  one = list->first;
  while (one && !svc_node_eq(one, "_id", svc_path_param(c, "id"))) one = one->next;
  if (!one) return true;
  b = svc_buf_new(c->arena, 1024);
  svc_node_write(&b, one);
  c->prework = svc_buf_done(&b);
  return !b.failed || svc_no_memory(c);
}

static bool stream_peering_none(svc_call *c)
{
  svc_str id = svc_path_param(c, "id"), group = svc_id_str(c->arena, &c->scope.group);
  return svc_fail(c, SVC_E_PEER_NOT_FOUND, "SS", &id, &group);
}

/* Stores a decision on the peering, and replaces an earlier one. */
static bool stream_peering_put(svc_call *c, svc_node *body, const svc_id *id, const char *state, const char *event)
{
  const svc_noun_info *noun = c->plan->noun;
  svc_change change;
  svc_entity old, e;
  int rc = svc_entity_get(c->txn, noun->noun->kind, &c->scope.group, id, &old);
  if (rc == SVC_OK ? !svc_change_of(c, noun, &old, &change) : rc != SVC_NOT_FOUND) return rc == SVC_OK ? false : svc_store_failed(c, rc);
  if (rc != SVC_OK) {
    memset(&change, 0, sizeof change);
    change.noun = noun;
    change.parent = c->scope.group;
    change.id = *id;
    change.body = body;
    svc_node_set_id(c->arena, body, "groupId", &c->scope.group);
  }
  svc_node_set_text(c->arena, change.body, "localStatus", state);
  change.state = state;
  change.event = event;
  return (rc == SVC_OK ? svc_change_keep(c, &change, &e) : svc_insert(c, &change, &e)) && svc_answer_nothing(c);
}

/* Returns the peering with its decision, otherwise as the driver lists it. Returns NULL if it is not listed, or on failure; the request
** is then refused. */
static svc_node *stream_peering_now(svc_call *c, svc_id *id)
{
  svc_node *body = c->prework.n ? svc_json_parse(c->arena, c->prework) : NULL;
  if (!svc_resolve_all(c)) return NULL;
  if (!body || !svc_id_parse(svc_node_str(body, "_id"), id)) {
    if (c->arena->failed) (void)svc_no_memory(c);
    else stream_peering_none(c);
    return NULL;
  }
  return stream_peering_overlay(c, body) ? body : NULL;
}

/* Returns true if its status allows this decision. */
static bool stream_peering_may(svc_call *c, const svc_node *body, bool remove)
{
  static const char *const open[] = { "NONE", "SCAN_FAILED", "UPDATE_FAILED", NULL };
  svc_str id = svc_node_str(body, "_id"), status = svc_node_str(body, "localStatus");
  if (svc_value_in(c->s, status, open) || (remove && svc_str_is(status, "ACTIVE"))) return true;
  return svc_fail(c, SVC_E_PEER_INVALID_STATE, "S", &id);
}

/* The body must name the requester, so that a wrong id admits no other network. */
static bool stream_peering_accept(svc_call *c)
{
  static const char *const fields[] = { "requesterAccountId", "requesterVpcId" };
  svc_id id;
  svc_node *body = stream_peering_now(c, &id);
  size_t i;
  if (!body) return false;
  for (i = 0; i < 2; i++)
    if (!svc_node_eq(body, fields[i], svc_node_str(c->checked, fields[i])))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_str_c(fields[i]), "differs from the network that requested the peering");
  if (!svc_check_done(c) || !stream_peering_may(c, body, false)) return false;
  return stream_peering_put(c, body, &id, "REQUEST_ACCEPT", "PEER_CREATED");
}

static bool stream_peering_reject(svc_call *c)
{
  svc_id id;
  svc_node *body = stream_peering_now(c, &id);
  return body && stream_peering_may(c, body, false) && stream_peering_put(c, body, &id, "REQUEST_REJECT", "PEER_DELETED");
}

static bool stream_peering_remove(svc_call *c)
{
  svc_id id;
  svc_node *body = stream_peering_now(c, &id);
  return body && stream_peering_may(c, body, true) && stream_peering_put(c, body, &id, "REQUEST_DELETE", "PEER_DELETED");
}

/* ------------------------------------------------------------------------------------------------------------- noun */

/* Accepting a request counts as peering, at AWS, the only provider that has it. Rejecting or deleting needs no permission of policies. */
static svc_node *stream_peering_governed(svc_call *c, const svc_change *change, int *what)
{
  bool gone = svc_stream_is(change->body, "localStatus", "REQUEST_REJECT") || svc_stream_is(change->body, "localStatus", "REQUEST_DELETE");
  *what = gone ? 0 : SVC_POLICY_PEERING;
  return svc_policy_of_provider(c, SVC_S("AWS"));
}

static const svc_order_row stream_peering_orders[] = {
  { "peering.accept", "Accept the peering of networks.", NULL, NULL, 0 },
  { "peering.reject", "Reject the peering of networks.", NULL, NULL, 0 },
  { "peering.delete", "End the peering of networks.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_stream_peering = {
  .name = "stream peering",
  .rel = "streamPeering",
  .kind = "stvp",
  .parent = "project",
  .object = &stream_peering_object,
  .err_not_found = SVC_E_PEER_NOT_FOUND,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_STREAMS_RESOURCE,
  .most = STREAM_PEERING_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &stream_peering_lifecycle,
  .event_field = "resourceId",
  .ext = SVC_NOUN_EXT(.governed = stream_peering_governed),
  .orders = stream_peering_orders,
  .questions = SVC_ASKS(&stream_peering_question),
  .routes = SVC_ROUTES(stream_peering_routes),
};

/*
** Peering connection: joins the network of a container with a network of the customer.
**
**                     AWS                  AZURE              GCP
**   POST --> INITIATING   INITIATING           ADDING_PEER        ADDING_PEER
**        --> PENDING      PENDING_ACCEPTANCE                      WAITING_FOR_USER     the customer's side must accept it
**        --> FINALIZING   FINALIZING
**        --> AVAILABLE    AVAILABLE            AVAILABLE          AVAILABLE            clusters are reached through it
**   DELETE -> DELETING    TERMINATING          DELETING           DELETING             then removed: 404
**             FAILED      FAILED               FAILED             FAILED               an order failed; a PATCH starts again
**   DELETION_FAILED       FAILED               DELETION_FAILED    FAILED
**
** The first column is stored. The names of the state field and of the reason field also differ by provider. A change of the
** target network starts again from INITIATING; a change of the routes alone goes back to FINALIZING.
*/
#include "catalog/catalog.h"
#include "catalog/policy/policy_language.h"
#include "catalog/endpoint_parts.h"
#include "catalog/network/network_parts.h"

enum { PEER_MOST = 50 }; /* maximum per project */

static const svc_network_word peer_words[] = {
  { "INITIATING", { "INITIATING", "ADDING_PEER", "ADDING_PEER" } },
  { "PENDING", { "PENDING_ACCEPTANCE", NULL, "WAITING_FOR_USER" } },
  { "FINALIZING", { "FINALIZING", NULL, NULL } },
  { "AVAILABLE", { "AVAILABLE", "AVAILABLE", "AVAILABLE" } },
  { "FAILED", { "FAILED", "FAILED", "FAILED" } },
  { "DELETION_FAILED", { "FAILED", "DELETION_FAILED", "FAILED" } },
  { "DELETING", { "TERMINATING", "DELETING", "DELETING" } },
  { NULL, { NULL, NULL, NULL } }
};

/* Differences by provider, in the order of svc_values_clouds. */
static const struct peer_cloud {
  const char *status, *reason;                          /* fields that show the state and the reason */
  const char *network;                                  /* field with the customer's network */
  const char *target[5];                                /* all fields that identify the target */
  const char *created, *updated, *active, *deleted;     /* event types */
} peer_clouds[] = {
  { "statusName", "errorStateName", "vpcId", { "accepterRegionName", "awsAccountId", "vpcId", NULL },
    "PEER_CREATED", "PEER_UPDATED", "PEER_UPDATED", "PEER_DELETED" },
  { "status", "errorState", "vnetName", { "azureDirectoryId", "azureSubscriptionId", "resourceGroupName", "vnetName", NULL },
    "AZURE_PEER_CREATED", "AZURE_PEER_UPDATED", "AZURE_PEER_ACTIVE", "AZURE_PEER_DELETED" },
  { "status", "errorMessage", "networkName", { "gcpProjectId", "networkName", NULL },
    "GCP_PEER_CREATED", "GCP_PEER_UPDATED", "GCP_PEER_ACTIVE", "GCP_PEER_DELETED" },
};

static const char *const peer_states[] = {
  "INITIATING", "PENDING", "FINALIZING", "AVAILABLE", "FAILED", "DELETION_FAILED", "DELETING", NULL
};
static const char *const peer_aws_states[] = {
  "INITIATING", "PENDING_ACCEPTANCE", "FAILED", "FINALIZING", "AVAILABLE", "TERMINATING", NULL
};
static const char *const peer_azure_states[] = { "ADDING_PEER", "AVAILABLE", "FAILED", "DELETION_FAILED", "DELETING", NULL };
static const char *const peer_gcp_states[] = { "ADDING_PEER", "WAITING_FOR_USER", "AVAILABLE", "FAILED", "DELETING", NULL };
static const char *const peer_aws_reasons[] = { "REJECTED", "EXPIRED", "INVALID_ARGUMENT", NULL };

/* ------------------------------------------------------------------------------------------------------------- fields */

static const svc_field peer_fields[] = {
  F_HEX24("containerId", .flags = SVC_REQUIRED | SVC_FIXED),
  F_ID()
};
static const svc_object peer_base = { .name = "PeeringConnection", .fields = SVC_ROWS(peer_fields) };

static const svc_field peer_aws_fields[] = {
  F_STR("accepterRegionName", .flags = SVC_REQUIRED, .max = 64),
  F_STR("awsAccountId", .flags = SVC_REQUIRED, .pattern = "^[0-9]{12}$"),
  F_STR("connectionId", .flags = SVC_READ_ONLY),
  F_ENUM("errorStateName", peer_aws_reasons, .flags = SVC_READ_ONLY),
  F_ENUM("providerName", svc_values_clouds, .flags = SVC_FIXED, .preset = "\"AWS\""),
  F_STR("routeTableCidrBlock", .flags = SVC_REQUIRED, .max = 18),
  F_ENUM("statusName", peer_aws_states, .flags = SVC_READ_ONLY),
  F_STR("vpcId", .flags = SVC_REQUIRED, .pattern = "^vpc-[0-9a-f]{17}$")
};
static const svc_object peer_aws = { .name = "AwsNetworkPeeringConnectionSettings", .fields = SVC_ROWS(peer_aws_fields), .base = &peer_base };

static const svc_field peer_azure_fields[] = {
  F_STR("azureDirectoryId", .format = SVC_FORMAT_UUID, .flags = SVC_REQUIRED),
  F_STR("azureSubscriptionId", .format = SVC_FORMAT_UUID, .flags = SVC_REQUIRED),
  F_STR("errorState", .flags = SVC_READ_ONLY),
  F_ENUM("providerName", svc_values_clouds, .flags = SVC_FIXED),
  F_STR("resourceGroupName", .flags = SVC_REQUIRED, .pattern = "^([-\\w._()])+$", .max = 90),
  F_ENUM("status", peer_azure_states, .flags = SVC_READ_ONLY),
  F_STR("vnetName", .flags = SVC_REQUIRED, .pattern = "^([-\\w._()])+$", .max = 64)
};
static const svc_object peer_azure = {
  .name = "AzureNetworkPeeringConnectionSettings", .fields = SVC_ROWS(peer_azure_fields), .base = &peer_base
};

static const svc_field peer_gcp_fields[] = {
  F_STR("errorMessage", .flags = SVC_READ_ONLY),
  F_STR("gcpProjectId", .flags = SVC_REQUIRED, .pattern = "^[a-z][0-9a-z-]{4,28}[0-9a-z]{1}"),
  F_STR("networkName", .flags = SVC_REQUIRED, .pattern = "^[a-z]([-a-z0-9]{0,62}[a-z0-9]{0,1})?$"),
  F_ENUM("providerName", svc_values_clouds, .flags = SVC_FIXED),
  F_ENUM("status", peer_gcp_states, .flags = SVC_READ_ONLY)
};
static const svc_object peer_gcp = { .name = "GCPNetworkPeeringConnectionSettings", .fields = SVC_ROWS(peer_gcp_fields), .base = &peer_base };

static const svc_variant peer_variants[] = { { "AWS", &peer_aws }, { "AZURE", &peer_azure }, { "GCP", &peer_gcp }, { NULL, NULL } };
static const svc_object peer_shown = { /* also the shape of request bodies */
  .name = "BaseNetworkPeeringConnectionSettings", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("providerName", "AWS", peer_variants))
};

/* The stored body has the same fields, except for these. */
static const svc_field peer_stored_fields[] = {
  F_STR("connectionId", .flags = SVC_READ_ONLY),
  F_STR("errorState", .flags = SVC_READ_ONLY),
  F_ENUM("providerName", svc_values_clouds, .flags = SVC_FIXED),
  F_ENUM("status", peer_states, .flags = SVC_READ_ONLY)
};
static const svc_object peer_object = { .name = "PeeringConnectionRecord", .fields = SVC_ROWS(peer_stored_fields), .base = &peer_base };

/* ------------------------------------------------------------------------------------------------------------- routes */

static bool peer_keep(svc_call *c, const svc_entity *e);
static bool peer_delete(svc_call *c);

static const svc_param peer_params[] = {
  { .name = "providerName", .type = SVC_STRING, .values = svc_values_clouds }, { .name = NULL }
};

#define PEER \
  "/groups/{groupId}/peers", SVC_SET_NETWORK, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_NETWORK_ACCESS_MANAGER
#define PEER_SHAPE .body = &peer_shown, .answer = &peer_shown

static const svc_route peer_routes[] = {
  R_GET(PEER, "", .flags = SVC_PAGED, .params = peer_params, .answer = &peer_shown, .op = "listGroupPeers", .run = svc_verb_list,
        .ext = SVC_ROUTE_EXT(.keep = peer_keep)),
  R_POST(PEER, "", .status = 202, PEER_SHAPE, .op = "createGroupPeer", .run = svc_verb_create,
         .example = "{\"containerId\":\"5f0000000000000000000001\",\"accepterRegionName\":\"us-east-1\",\"awsAccountId\":"
                    "\"123456789012\",\"routeTableCidrBlock\":\"192.168.0.0/24\",\"vpcId\":\"vpc-0123456789abcdef0\"}"),
  R_GET(PEER, "/{peerId}", .answer = &peer_shown, .op = "getGroupPeer", .run = svc_verb_read),
  R_PATCH(PEER, "/{peerId}", PEER_SHAPE, .op = "updateGroupPeer", .run = svc_verb_update, .example = "{\"routeTableCidrBlock\":\"192.168.4.0/24\"}"),
  R_DELETE(PEER, "/{peerId}", .status = 202, .flags = SVC_EMPTY_OBJECT, .op = "deleteGroupPeer", .run = peer_delete)
};

/* ---------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition peer_transitions[] = {
  { "INITIATING", "PENDING", 10, NULL, "peering.create" },
  { "PENDING", "FINALIZING", 10, NULL, "peering.accept" },
  { "FINALIZING", "AVAILABLE", 10, NULL, "peering.finalize" },
  { "DELETING", NULL, 10, NULL, "peering.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle peer_lifecycle = {
  .field = "status", .created = "INITIATING", .deleted = "DELETING", .failed = "FAILED", .reason = "errorState",
  .transitions = peer_transitions
};

static const svc_guard peer_guards[] = {
  { "status", "DELETING", SVC_GUARD_CHANGE | SVC_GUARD_DELETE, SVC_E_PEER_ALREADY_REQUESTED_DELETION }, { NULL, NULL, 0, 0 }
};

static const svc_ref peer_refs[] = {
  { "containerId", "network container", SVC_E_CLOUD_PROVIDER_CONTAINER_NOT_FOUND, SVC_E_CONTAINERS_IN_USE }, { NULL, NULL, 0, 0 }
};

/* -------------------------------------------------------------------------------------------------------------- hooks */

static const struct peer_cloud *peer_cloud_of(const svc_node *body)
{
  return &peer_clouds[svc_cloud_number(svc_node_str(body, "providerName"))];
}

/* Lists the peering connections of the provider in the query; default: AWS. */
static bool peer_keep(svc_call *c, const svc_entity *e)
{
  const svc_query_value *given = svc_query_get(c, "providerName");
  return svc_str_eq(svc_network_text(c, e, "providerName"), given ? given->text : SVC_S("AWS"));
}

/* The target as one text, stored in `extra`: no two connections have the same target. */
static svc_str peer_target(svc_call *c, const svc_node *body)
{
  const char *const *field = peer_cloud_of(body)->target;
  svc_buf b = svc_buf_new(c->arena, 128);
  svc_buf_str(&b, svc_node_str(body, "containerId"));
  for (; *field; field++) {
    svc_buf_char(&b, '/');
    svc_buf_str(&b, svc_node_str(body, *field));
  }
  return svc_buf_done(&b);
}

/* ---- rules */

static bool peer_container(svc_call *c, const svc_change *change, svc_entity *out)
{
  svc_str id = svc_node_str(change->body, "containerId");
  int rc = svc_entity_get_text_id(c->txn, CONTAINER_KIND, &change->parent, id, out);
  if (rc == SVC_NOT_FOUND)
    return svc_fail_about(c, SVC_E_CLOUD_PROVIDER_CONTAINER_NOT_FOUND, id, svc_id_str(c->arena, &change->parent));
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (svc_node_eq(change->body, "providerName", svc_network_text(c, out, "providerName"))) return true;
  svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("containerId"), "is a container of a provider other than providerName");
  return svc_check_done(c);
}

static bool peer_alone(svc_call *c, const svc_change *change)
{
  svc_str network = svc_node_str(change->body, peer_cloud_of(change->body)->network);
  svc_scan scan;
  svc_entity e;
  svc_below_begin(&scan, c->txn, PEER_KIND, &change->parent);
  while (svc_below_next(&scan, PEER_KIND, &e))
    if (!svc_id_eq(&e.id, &change->id) && svc_str_eq(e.extra, change->extra))
      return svc_fail_about(c, SVC_E_PEER_ALREADY_EXISTS, network, svc_id_str(c->arena, &change->parent));
  return svc_txn_good(c);
}

static bool peer_rules(svc_call *c, const svc_change *change)
{
  bool aws = svc_node_is(change->body, "providerName", "AWS");
  svc_entity container;
  if (aws && !svc_network_region(SVC_S("AWS"), svc_node_str(change->body, "accepterRegionName")))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("accepterRegionName"), "is not a region of this provider");
  if (!svc_check_done(c) || !peer_container(c, change, &container) || !peer_alone(c, change)) return false;
  return !aws || svc_block_apart(c, change, &container);
}

/* Keeps the stored fields that are shown under other names, or not at all. */
static void peer_keep_record(svc_call *c, svc_change *change)
{
  static const char *const kept[] = { "connectionId", "errorState", "status" };
  size_t i;
  for (i = 0; i < sizeof kept / sizeof kept[0]; i++) {
    const svc_node *was = svc_node_get(change->before, kept[i]);
    if (was && !svc_node_get(change->body, kept[i])) svc_node_put(c->arena, change->body, svc_node_copy(c->arena, was));
  }
}

static bool peer_prepare(svc_call *c, svc_change *change)
{
  const struct peer_cloud *cloud = peer_cloud_of(change->body);
  svc_str status;
  if (change->before) peer_keep_record(c, change);
  if (c->arena->failed) return svc_no_memory(c);
  if (change->before && svc_node_same(change->before, change->body)) return true;
  change->event = change->before ? cloud->updated : cloud->created;
  change->extra = peer_target(c, change->body);
  if (!change->before) return peer_rules(c, change);
  status = svc_node_str(change->before, "status");
  if (svc_str_is(status, "PENDING") || svc_str_is(status, "FINALIZING"))
    return svc_fail_about(c, SVC_E_PEER_INVALID_STATE, change->entity.key, SVC_S(""));
  change->state = svc_str_is(status, "AVAILABLE") && svc_str_eq(change->extra, change->entity.extra) ? "FINALIZING" : "INITIATING";
  svc_node_drop(change->body, "errorState");
  return peer_rules(c, change);
}

/* The container is now in use. A connection that starts again no longer leads to clusters. */
static bool peer_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  svc_entity container;
  (void)e;
  return peer_container(c, change, &container) && svc_network_provision(c, &container, true) && svc_network_changed(c, NULL);
}

/* ---- states */

static bool peer_fell_due(svc_call *c, svc_change *change, int tag)
{
  const struct peer_cloud *cloud = peer_cloud_of(change->body);
  int number = (int)(cloud - peer_clouds);
  bool was_going = svc_node_is(change->before, "status", "DELETING");
  if (tag != SVC_DUE_STATE) return true;
  if (svc_node_is(change->body, "status", "FAILED")) { /* of an order: all failures share an event type */
    if (was_going) svc_node_set_text(c->arena, change->body, "status", "DELETION_FAILED");
    if (!svc_event_about(c, change->noun, &change->entity, cloud->updated, false)) return false;
  }
  svc_network_pass(c, change, peer_words, number);
  if (svc_node_is(change->body, "status", "AVAILABLE")) change->event = cloud->active;
  return svc_network_moves(c, change);
}

static bool peer_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  (void)action;
  if (peer_cloud_of(change->body) == peer_clouds) svc_node_set_str(c->arena, facts, "connectionId", svc_endpoint_name(c, "pcx-", &change->id));
  return true;
}

/* The order includes the container, so that the driver knows which addresses the customer's side is to reach. */
static svc_node *peer_desired(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *part;
  svc_entity container;
  if (svc_entity_get_text_id(c->txn, CONTAINER_KIND, &e->parent, svc_node_str(body, "containerId"), &container) != SVC_OK) return body;
  part = svc_entity_body(c, &container);
  if (!part) return NULL;
  part->name = SVC_S("container");
  svc_node_put(c->arena, body, part);
  return body;
}

/* The request to delete and the end of the deletion have an event each. */
static bool peer_delete(svc_call *c)
{
  const svc_entity *e = svc_network_delete(c) ? svc_path_entity(c, "peering connection") : NULL;
  svc_node *body = e ? svc_entity_body(c, e) : NULL;
  return body && svc_event_about(c, c->plan->noun, e, peer_cloud_of(body)->updated, false);
}

static bool peer_gone(svc_call *c, const svc_entity *e)
{
  const svc_node *body = svc_entity_body(c, e);
  svc_entity container;
  if (!body || !svc_event_about(c, svc_noun_by_kind(c->s, PEER_KIND), e, peer_cloud_of(body)->deleted, true)) return false;
  if (!svc_network_changed(c, NULL)) return false;
  if (svc_entity_get_text_id(c->txn, CONTAINER_KIND, &e->parent, svc_node_str(body, "containerId"), &container) != SVC_OK) return svc_txn_good(c);
  return svc_network_user(c, &container).n || svc_network_provision(c, &container, false);
}

/* ---- how it is shown */

static svc_str peer_reason(int cloud, svc_str reason)
{
  const char *const *known = peer_aws_reasons;
  if (cloud > 0) return reason;
  while (known[1] && !svc_str_is(reason, *known)) known++;
  return svc_str_c(*known); /* the last reason stands for unknown ones */
}

static svc_node *peer_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  const struct peer_cloud *cloud = peer_cloud_of(body);
  int number = (int)(cloud - peer_clouds);
  svc_str status = svc_node_str(body, "status"), reason = svc_node_str(body, "errorState");
  if (!body) return NULL;
  svc_node_drop(body, "status");
  svc_node_drop(body, "errorState");
  svc_node_set_text(c->arena, body, cloud->status, svc_network_shown(peer_words, number, status));
  if (reason.n) svc_node_set_str(c->arena, body, cloud->reason, peer_reason(number, reason));
  return body;
}

static svc_node *peer_governed(svc_call *c, const svc_change *change, int *what)
{
  *what = SVC_POLICY_PEERING;
  return svc_policy_of_provider(c, svc_node_str(change->body, "providerName"));
}

static const svc_field peer_fact_fields[] = { F_STR("connectionId", .min = 1, .max = 255) };
static const svc_field peer_ordered_fields[] = { /* the provider's fields, in addition to the stored ones */
  F_STR("accepterRegionName"), F_STR("awsAccountId"), F_STR("azureDirectoryId"), F_STR("azureSubscriptionId"), F_ANY("container"),
  F_STR("gcpProjectId"), F_STR("networkName"), F_STR("resourceGroupName"), F_STR("routeTableCidrBlock"), F_STR("vnetName"), F_STR("vpcId")
};
static const svc_object peer_ordered = { .name = "OrderedPeering", .fields = SVC_ROWS(peer_ordered_fields), .base = &peer_object };
static const svc_object peer_facts_object = { .name = "PeeringFacts", .fields = SVC_ROWS(peer_fact_fields) };
static const svc_order_row peer_orders[] = {
  { "peering.create",
    "Request a peering of the customer's network with `container`. Facts: the provider's name for the connection.",
    &peer_ordered, &peer_facts_object, 0 },
  { "peering.accept", "Wait until the customer has accepted the peering.", &peer_ordered, &peer_facts_object, 0 },
  { "peering.finalize", "Set up the routes of the peering.", &peer_ordered, &peer_facts_object, 0 },
  { "peering.delete", "End the peering.", &peer_ordered, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_peer = {
  .name = "peering connection",
  .rel = "peer",
  .kind = PEER_KIND,
  .parent = "project",
  .param = "peerId",
  .flags = SVC_TEXT_BESIDE,
  .object = &peer_object,
  .err_not_found = SVC_E_PEER_NOT_FOUND,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_PEERING_CONNECTIONS,
  .most = PEER_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &peer_lifecycle,
  .guards = peer_guards,
  .refs = peer_refs,
  .event_created = "PEER_CREATED", /* other providers have their own: peer_clouds */
  .event_updated = "PEER_UPDATED",
  .event_field = "resourceId",
  .orders = peer_orders,
  .routes = SVC_ROUTES(peer_routes),
  .prepare = peer_prepare,
  .stored = peer_stored,
  .fell_due = peer_fell_due,
  .gone = peer_gone,
  .ext = SVC_NOUN_EXT(.governed = peer_governed),
  .view = peer_view,
  .desired = peer_desired,
  .simulate = peer_simulate,
  .facts = svc_facts_into
};

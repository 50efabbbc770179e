/*
** Private endpoint: the customer's side of a private endpoint service, that is, an interface (AWS), an endpoint (AZURE) or a
** group of endpoints (GCP) in a network of the customer. The customer creates it at the provider and registers it here; the
** service accepts it.
**
**                            AWS                  AZURE         GCP
**   POST --> INITIATING      PENDING_ACCEPTANCE   INITIATING    INITIATING
**        --> VERIFIED        PENDING                            VERIFIED
**        --> AVAILABLE       AVAILABLE            AVAILABLE     AVAILABLE    clusters are reached through it
**            FAILED          REJECTED             FAILED        FAILED
**   DELETE > DELETING        DELETING             DELETING      DELETING     then removed: 404
**
** The first column is stored; AWS shows it as connectionStatus. Paths contain the name that the provider gave it. An endpoint
** can be registered as soon as its service exists; clusters show it when both are AVAILABLE.
*/
#include "catalog/catalog.h"
#include "catalog/policy/policy_language.h"
#include "catalog/endpoint_parts.h"
#include "catalog/network/network_parts.h"

enum { PRIVATE_ENDPOINT_GROUP = 50, PRIVATE_ENDPOINT_LONGEST = 256 };

/* Project limit on private endpoints, and thereby on those that clusters show. */
#define PRIVATE_ENDPOINT_QUOTA "svc.project.deployment.privateServiceConnectionsPerRegionGroup"

static const svc_network_word private_endpoint_words[] = {
  { "INITIATING", { "PENDING_ACCEPTANCE", "INITIATING", "INITIATING" } },
  { "VERIFIED", { "PENDING", NULL, "VERIFIED" } },
  { "AVAILABLE", { "AVAILABLE", "AVAILABLE", "AVAILABLE" } },
  { "FAILED", { "REJECTED", "FAILED", "FAILED" } },
  { "DELETING", { "DELETING", "DELETING", "DELETING" } },
  { NULL, { NULL, NULL, NULL } }
};

/* Field that identifies the endpoint, in the order of svc_values_clouds: in requests, and in answers. */
static const char *const private_endpoint_sent[] = { "id", "id", "endpointGroupName" };
static const char *const private_endpoint_named[] = { "interfaceEndpointId", "privateEndpointResourceId", "endpointGroupName" };

static const char *const private_endpoint_states[] = { "INITIATING", "VERIFIED", "AVAILABLE", "FAILED", "DELETING", NULL };
static const char *const private_endpoint_aws_states[] = {
  "NONE", "PENDING_ACCEPTANCE", "PENDING", "AVAILABLE", "REJECTED", "DELETING", NULL
};
static const char *const private_endpoint_azure_states[] = { "INITIATING", "AVAILABLE", "FAILED", "DELETING", NULL };
static const char *const private_endpoint_gcp_states[] = {
  "INITIATING", "VERIFIED", "AVAILABLE", "FAILED", "DELETING", "DELETED", NULL
};

/* ----------------------------------------------------------------------------------------------- fields that are shown */

static const svc_field private_endpoint_shown_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds, .flags = SVC_READ_ONLY),
  F_BOOL("deleteRequested", .flags = SVC_READ_ONLY),
  F_STR("errorMessage", .flags = SVC_READ_ONLY)
};
static const svc_object private_endpoint_base = { .name = "PrivateLinkEndpointBase", .fields = SVC_ROWS(private_endpoint_shown_fields) };

static const svc_field private_endpoint_aws_fields[] = {
  F_ENUM("connectionStatus", private_endpoint_aws_states, .flags = SVC_READ_ONLY),
  F_STR("interfaceEndpointId", .flags = SVC_READ_ONLY)
};
static const svc_object private_endpoint_aws = {
  .name = "AWSInterfaceEndpoint", .fields = SVC_ROWS(private_endpoint_aws_fields), .base = &private_endpoint_base
};

static const svc_field private_endpoint_azure_fields[] = {
  F_STR("privateEndpointConnectionName", .flags = SVC_READ_ONLY),
  F_STR("privateEndpointIPAddress", .flags = SVC_READ_ONLY),
  F_STR("privateEndpointResourceId", .flags = SVC_READ_ONLY),
  F_ENUM("status", private_endpoint_azure_states, .flags = SVC_READ_ONLY)
};
static const svc_object private_endpoint_azure = {
  .name = "AzurePrivateEndpoint", .fields = SVC_ROWS(private_endpoint_azure_fields), .base = &private_endpoint_base
};

static const svc_field private_endpoint_rule_fields[] = {
  F_STR("endpointName", .flags = SVC_READ_ONLY),
  F_STR("ipAddress", .flags = SVC_READ_ONLY),
  F_ENUM("status", private_endpoint_gcp_states, .flags = SVC_READ_ONLY)
};
static const svc_object private_endpoint_rule = { .name = "GCPForwardingRule", .fields = SVC_ROWS(private_endpoint_rule_fields) };

static const svc_field private_endpoint_gcp_fields[] = {
  F_STR("endpointGroupName", .flags = SVC_READ_ONLY),
  F_LIST("endpoints", &private_endpoint_rule, .flags = SVC_READ_ONLY),
  F_STR("gcpProjectId", .flags = SVC_READ_ONLY),
  F_ENUM("status", private_endpoint_gcp_states, .flags = SVC_READ_ONLY)
};
static const svc_object private_endpoint_gcp = {
  .name = "GCPEndpointGroup", .fields = SVC_ROWS(private_endpoint_gcp_fields), .base = &private_endpoint_base
};

static const svc_variant private_endpoint_variants[] = {
  { "AWS", &private_endpoint_aws }, { "AZURE", &private_endpoint_azure }, { "GCP", &private_endpoint_gcp }, { NULL, NULL }
};
static const svc_object private_endpoint_shown = {
  .name = "PrivateLinkEndpoint", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("cloudProvider", "AWS", private_endpoint_variants))
};

/* Stored fields, in addition to the provider's. */
static const svc_field private_endpoint_stored_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds, .flags = SVC_READ_ONLY),
  F_STR("errorMessage", .flags = SVC_READ_ONLY),
  F_ENUM("status", private_endpoint_states, .flags = SVC_READ_ONLY)
};
static const svc_object private_endpoint_object = { .name = "PrivateLinkEndpointRecord", .fields = SVC_ROWS(private_endpoint_stored_fields) };

/* ------------------------------------------------------------------------------------------------- fields that are sent */

static const svc_field private_endpoint_new_aws_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds),
  F_STR("id", .flags = SVC_REQUIRED, .pattern = "^vpce-[0-9a-f]{17}$")
};
static const svc_object private_endpoint_new_aws = { .name = "CreateAWSEndpointRequest", .fields = SVC_ROWS(private_endpoint_new_aws_fields) };

static const svc_field private_endpoint_new_azure_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds),
  F_STR("id", .flags = SVC_REQUIRED, .max = PRIVATE_ENDPOINT_LONGEST,
        .pattern = "^/subscriptions/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/resource[gG]roups/[-\\w._()]+"
                   "/providers/Microsoft\\.Network/privateEndpoints/[-\\w._()]+$"),
  F_STR("privateEndpointIPAddress", .flags = SVC_REQUIRED, .format = SVC_FORMAT_IP, .max = 64)
};
static const svc_object private_endpoint_new_azure = {
  .name = "CreateAzureEndpointRequest", .fields = SVC_ROWS(private_endpoint_new_azure_fields)
};

static const svc_field private_endpoint_new_rule_fields[] = {
  F_STR("endpointName", .flags = SVC_REQUIRED, .min = 1, .max = 63),
  F_STR("ipAddress", .flags = SVC_REQUIRED, .format = SVC_FORMAT_IP, .max = 64)
};
static const svc_object private_endpoint_new_rule = {
  .name = "CreateGCPForwardingRuleRequest", .fields = SVC_ROWS(private_endpoint_new_rule_fields)
};

static const svc_field private_endpoint_new_gcp_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds),
  F_STR("endpointGroupName", .flags = SVC_REQUIRED, .pattern = "^[-\\w.]+$", .max = 63),
  F_LIST("endpoints", &private_endpoint_new_rule, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = PRIVATE_ENDPOINT_GROUP),
  F_STR("gcpProjectId", .flags = SVC_REQUIRED, .pattern = "^[a-z][0-9a-z-]{4,28}[0-9a-z]$")
};
static const svc_object private_endpoint_new_gcp = {
  .name = "CreateGCPEndpointGroupRequest", .fields = SVC_ROWS(private_endpoint_new_gcp_fields)
};

/* In the order of svc_values_clouds. The path determines the body's variant, so the body need not name it. */
static const svc_object *const private_endpoint_new_of[] = {
  &private_endpoint_new_aws, &private_endpoint_new_azure, &private_endpoint_new_gcp
};
static const svc_field private_endpoint_new_fields[] = { /* the fields of all variants */
  F_ENUM("cloudProvider", svc_values_clouds),
  F_STR("endpointGroupName", .max = 63),
  F_LIST("endpoints", &private_endpoint_new_rule, .max_items = PRIVATE_ENDPOINT_GROUP),
  F_STR("gcpProjectId", .max = 63),
  F_STR("id", .max = PRIVATE_ENDPOINT_LONGEST),
  F_STR("privateEndpointIPAddress", .max = 64)
};
static const svc_object private_endpoint_new = { .name = "CreateEndpointRequest", .fields = SVC_ROWS(private_endpoint_new_fields) };

/* ------------------------------------------------------------------------------------------------------------- routes */

static bool private_endpoint_create(svc_call *c);

#define PRIVATE_ENDPOINT \
  "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}/endpoint", SVC_SET_PRIVATE_ENDPOINTS, \
      (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER
static const svc_route_ext private_endpoint_ext = { .in_path = "cloudProvider" };
#define PRIVATE_ENDPOINT_SHOWN .answer = &private_endpoint_shown, .ext = &private_endpoint_ext

static const svc_route private_endpoint_routes[] = {
  R_POST(PRIVATE_ENDPOINT, "", .status = 202, .body = &private_endpoint_new, PRIVATE_ENDPOINT_SHOWN, .op = "createPrivateEndpoint", .run = private_endpoint_create,
         .example = "{\"cloudProvider\":\"AWS\",\"id\":\"vpce-0123456789abcdef0\"}"),
  R_GET(PRIVATE_ENDPOINT, "/{endpointId}", PRIVATE_ENDPOINT_SHOWN, .op = "getPrivateEndpoint", .run = svc_verb_read),
  R_DELETE(PRIVATE_ENDPOINT, "/{endpointId}", .status = 204, .op = "deletePrivateEndpoint", .run = svc_network_delete,
           .ext = &private_endpoint_ext)
};

/* ---------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition private_endpoint_transitions[] = {
  { "INITIATING", "VERIFIED", 10, NULL, "endpoint.create" },
  { "VERIFIED", "AVAILABLE", 10, "INTERFACE_ENDPOINT_PATCHED", "endpoint.connect" },
  { "DELETING", NULL, 10, "INTERFACE_ENDPOINT_DELETED", "endpoint.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle private_endpoint_lifecycle = {
  .field = "status", .created = "INITIATING", .deleted = "DELETING", .failed = "FAILED", .reason = "errorMessage",
  .event_failed = "INTERFACE_ENDPOINT_PATCHED", .transitions = private_endpoint_transitions
};

/* A delete of an endpoint that is being deleted answers 404. */
static const svc_guard private_endpoint_guards[] = {
  { "status", "DELETING", SVC_GUARD_DELETE, SVC_E_PRIVATELINK_NOT_FOUND }, { NULL, NULL, 0, 0 }
};

/* -------------------------------------------------------------------------------------------------------------- hooks */

static int private_endpoint_cloud(const svc_node *body)
{
  return svc_cloud_number(svc_node_str(body, "cloudProvider"));
}

/* Checks that the service in the path belongs to the provider in the path, and is not in deletion. */
static bool private_endpoint_service(svc_call *c, svc_str provider, svc_entity *out)
{
  const svc_entity *service = svc_path_entity(c, "endpoint service");
  bool stays = !svc_str_is(svc_network_text(c, service, "status"), "DELETING");
  *out = *service;
  if (stays && svc_str_eq(svc_network_text(c, service, "cloudProvider"), provider)) return true;
  return svc_fail_about(c, SVC_E_PRIVATE_ENDPOINT_SERVICE_NOT_FOUND, service->key, svc_id_str(c->arena, &c->scope.group));
}

/* An endpoint leads to one service only: refuses it if any service of the project has it already. */
static bool private_endpoint_alone(svc_call *c, svc_str id)
{
  svc_named found;
  svc_scan scan;
  svc_entity e;
  svc_below_begin(&scan, c->txn, ENDPOINT_SERVICE_KIND, &c->scope.group);
  while (svc_below_next(&scan, ENDPOINT_SERVICE_KIND, &e))
    if (svc_named_get(c->txn, PRIVATE_ENDPOINT_KIND, &e.id, id, &found) == SVC_OK)
      return svc_fail_about(c, SVC_E_PRIVATE_ENDPOINT_ALREADY_EXISTS, id, e.key);
  return svc_txn_good(c);
}

static bool private_endpoint_create(svc_call *c)
{
  svc_str provider = svc_path_param(c, "cloudProvider"), id;
  int cloud = svc_cloud_number(provider);
  svc_change change;
  svc_entity e;
  if (!svc_resolve_all(c) || !private_endpoint_service(c, provider, &e)) return false;
  memset(&change, 0, sizeof change);
  change.noun = c->plan->noun;
  change.input = c->body;
  change.event = c->plan->noun->noun->event_created;
  change.body = svc_check(c, private_endpoint_new_of[cloud], c->body, NULL, SVC_CHECK_CREATE);
  if (svc_node_get(c->body, "cloudProvider") && !svc_node_eq(c->body, "cloudProvider", provider))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("cloudProvider"), "must be the provider of the path");
  if (!svc_check_done(c)) return false;
  svc_node_set_str(c->arena, change.body, "cloudProvider", provider);
  id = svc_node_str(change.body, private_endpoint_sent[cloud]);
  svc_node_drop(change.body, private_endpoint_sent[cloud]);
  svc_node_set_str(c->arena, change.body, private_endpoint_named[cloud], id);
  change.key = id;
  return private_endpoint_alone(c, id) && svc_insert(c, &change, &e) && svc_answer_entity(c, &e);
}

/* Adds the endpoint to the list of its service, or removes it. */
static bool private_endpoint_list(svc_call *c, const svc_entity *e, bool there)
{
  svc_entity service;
  svc_node *body;
  int rc = svc_entity_get(c->txn, ENDPOINT_SERVICE_KIND, &e->scope.group, &e->parent, &service);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  body = svc_entity_body(c, &service);
  if (!body) return false;
  svc_endpoint_list(c, body, e->unique, there);
  return c->arena->failed ? svc_no_memory(c) : svc_rewrite(c, &service, body);
}

static bool private_endpoint_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  return change->before || private_endpoint_list(c, e, true);
}

static bool private_endpoint_gone(svc_call *c, const svc_entity *e)
{
  return private_endpoint_list(c, e, false) && svc_network_changed(c, NULL);
}

static bool private_endpoint_fell_due(svc_call *c, svc_change *change, int tag)
{
  int cloud = private_endpoint_cloud(change->body);
  if (tag != SVC_DUE_STATE) return true;
  svc_network_pass(c, change, private_endpoint_words, cloud);
  return svc_network_moves(c, change);
}

static bool private_endpoint_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  (void)action;
  svc_node_set_str(c->arena, facts, "privateEndpointConnectionName", svc_endpoint_name(c, "pe-", &change->id));
  return true;
}

/* Only Azure has a name for the connection. */
static bool private_endpoint_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  return private_endpoint_cloud(change->body) != 1 || svc_facts_into(c, change, facts);
}

/* Each endpoint of a group shows the state of the group. */
static svc_node *private_endpoint_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *rules, *rule;
  int cloud = private_endpoint_cloud(body);
  svc_str status = svc_node_str(body, "status"), shown;
  if (!body) return NULL;
  shown = svc_str_c(svc_network_shown(private_endpoint_words, cloud, status));
  svc_node_drop(body, "status");
  svc_node_set_str(c->arena, body, cloud ? "status" : "connectionStatus", shown);
  svc_node_set_bool(c->arena, body, "deleteRequested", svc_str_is(status, "DELETING"));
  rules = svc_node_get(body, "endpoints");
  for (rule = svc_node_first(rules); rule; rule = rule->next) svc_node_set_str(c->arena, rule, "status", shown);
  return body;
}

/* Costs by the hour from its registration, because the provider charges from then on too. */
static size_t private_endpoint_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  svc_str cloud = svc_node_str(body, "cloudProvider");
  if (SVC_NEVER(most == 0)) return 0;
  out[0] = (svc_meter){ svc_arena_print(c->arena, "PRIVATE_ENDPOINT_" SVC_FMT, SVC_ARG(cloud)), 1000 };
  return 1;
}

static const svc_field private_endpoint_ordered_fields[] = { /* the provider's fields, in addition to the stored ones */
  F_STR("endpointGroupName"), F_LIST("endpoints", &private_endpoint_rule), F_STR("gcpProjectId"), F_STR("interfaceEndpointId"),
  F_STR("privateEndpointConnectionName"), F_STR("privateEndpointIPAddress"), F_STR("privateEndpointResourceId")
};
static const svc_object private_endpoint_ordered = {
  .name = "OrderedEndpoint", .fields = SVC_ROWS(private_endpoint_ordered_fields), .base = &private_endpoint_object
};
static const svc_order_row private_endpoint_orders[] = {
  { "endpoint.create", "Check that the endpoint of the customer exists.", &private_endpoint_ordered, &svc_endpoint_own_facts, 0 },
  { "endpoint.connect", "Connect the endpoint of the customer with its service.", &private_endpoint_ordered, &svc_endpoint_own_facts, 0 },
  { "endpoint.delete", "Disconnect the endpoint.", &private_endpoint_ordered, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_private_endpoint = {
  .name = "private endpoint",
  .rel = "endpoint",
  .kind = PRIVATE_ENDPOINT_KIND,
  .parent = "endpoint service",
  .param = "endpointId",
  .object = &private_endpoint_object,
  .key = "cloudProvider", /* or the provider's name for it: change.key identifies the endpoint */
  .unique = "cloudProvider",
  .err_not_found = SVC_E_PRIVATELINK_NOT_FOUND,
  .err_exists = SVC_E_PRIVATE_ENDPOINT_ALREADY_EXISTS,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &private_endpoint_lifecycle,
  .guards = private_endpoint_guards,
  .event_created = "INTERFACE_ENDPOINT_CREATED",
  .event_deleted = "INTERFACE_ENDPOINT_PATCHED", /* the request to delete; the end of the deletion has the event DELETED */
  .event_field = "resourceId",
  .ext = SVC_NOUN_EXT(.governed = svc_policy_endpoint, .quota = PRIVATE_ENDPOINT_QUOTA, .meters = private_endpoint_meters),
  .orders = private_endpoint_orders,
  .routes = SVC_ROUTES(private_endpoint_routes),
  .stored = private_endpoint_stored,
  .gone = private_endpoint_gone,
  .fell_due = private_endpoint_fell_due,
  .view = private_endpoint_view,
  .simulate = private_endpoint_simulate,
  .facts = private_endpoint_facts
};

/*
** Private endpoint of encryption at rest: a connection from one region to the customer's keys at the provider, outside of the
** public network. There is at most one for each provider and region.
**
**   POST --> INITIATING --> PENDING_ACCEPTANCE --> ACTIVE --> DELETING <-- DELETE     then removed: 404
**                ^    +----------+--> FAILED
**                +-- PENDING_RECREATION <-- a failed order, if the driver reports this state
**
** An endpoint can be created only while the provider is enabled and requires private networking. While the provider requires
** private networking, the endpoint of a region with a cluster that its keys encrypt cannot be deleted.
*/
#include "catalog/security/encryption.h"
#include "catalog/endpoint_parts.h"
#include "catalog/values.h"
#include "catalog/policy/policy_language.h"

static const char *const encryption_at_rest_endpoint_clouds[] = { "AWS", "AZURE", NULL };
static const char *const encryption_at_rest_endpoint_regions[] = {
  SVC_REGIONS_OF_AWS, SVC_REGIONS_OF_AZURE, "US_EAST_2", "US_WEST_2", "US_WEST_3", NULL
};

static const svc_field encryption_at_rest_endpoint_fields[] = {
  F_ENUM("cloudProvider", encryption_at_rest_endpoint_clouds, .flags = SVC_READ_ONLY),
  F_ENUM("regionName", encryption_at_rest_endpoint_regions, .flags = SVC_REQUIRED | SVC_FIXED)
};
static const svc_object encryption_at_rest_endpoint_object = {
  .name = "EARPrivateEndpoint", .base = &svc_endpoint_own, .fields = SVC_ROWS(encryption_at_rest_endpoint_fields)
};

#define ENCRYPTION_AT_REST_ENDPOINT \
  "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints", SVC_SET_ENCRYPTION_AT_REST, (20230101), SVC_R_GROUP_OWNER, \
      SVC_R_GROUP_OWNER

static const svc_route_ext encryption_at_rest_endpoint_ext = { .in_path = "cloudProvider" };
static const svc_route encryption_at_rest_endpoint_routes[] = {
  R_GET(ENCRYPTION_AT_REST_ENDPOINT, "", .flags = SVC_PAGED, .op = "listRestPrivateEndpoints", .run = svc_verb_list,
        .ext = &encryption_at_rest_endpoint_ext),
  R_POST(ENCRYPTION_AT_REST_ENDPOINT, "", .status = 202, .op = "createRestPrivateEndpoint", .run = svc_verb_create,
         .example = "{\"regionName\":\"US_EAST_1\"}", .ext = &encryption_at_rest_endpoint_ext),
  R_GET(ENCRYPTION_AT_REST_ENDPOINT, "/{endpointId}", .op = "getRestPrivateEndpoint", .run = svc_verb_read,
        .ext = &encryption_at_rest_endpoint_ext),
  R_DELETE(ENCRYPTION_AT_REST_ENDPOINT, "/{endpointId}", .status = 204, .op = "requestPrivateEndpointDeletion", .run = svc_verb_delete,
           .ext = &encryption_at_rest_endpoint_ext)
};

static const svc_transition encryption_at_rest_endpoint_transitions[] = {
  { "INITIATING", "PENDING_ACCEPTANCE", 25, NULL, "encryption_endpoint.create" },
  { "PENDING_ACCEPTANCE", "ACTIVE", 25, NULL, "encryption_endpoint.accept" },
  { "PENDING_RECREATION", "INITIATING", 25, NULL, NULL },
  { "DELETING", NULL, 10, "ENCRYPTION_AT_REST_PRIVATE_ENDPOINT_DELETED", "encryption_endpoint.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle encryption_at_rest_endpoint_lifecycle = {
  .field = "status", .created = "INITIATING", .deleted = "DELETING", .failed = "FAILED", .reason = "errorMessage",
  .transitions = encryption_at_rest_endpoint_transitions
};

/* A delete of an endpoint that is being deleted answers 404. */
static const svc_guard encryption_at_rest_endpoint_guards[] = {
  { "status", "DELETING", SVC_GUARD_DELETE, SVC_E_PRIVATELINK_NOT_FOUND }, { NULL, NULL, 0, 0 }
};

static bool encryption_at_rest_endpoint_prepare(svc_call *c, svc_change *change)
{
  svc_str provider = svc_node_str(change->body, "cloudProvider"), group = svc_id_str(c->arena, &c->scope.group);
  bool aws = svc_str_is(provider, "AWS");
  if (SVC_NEVER(change->before)) return true; /* there is no update operation */
  if (!svc_value_in(c->s, svc_node_str(change->body, "regionName"), aws ? svc_values_aws_regions : svc_values_azure_regions))
    svc_violate(c, SVC_E_INVALID_ENUM_VALUE, SVC_S("regionName"), "is not a region of " SVC_FMT, SVC_ARG(provider));
  if (!svc_check_done(c)) return false;
  if (!svc_encryption_by(c, provider) || !svc_encryption_private(c, provider))
    return svc_fail(c, SVC_E_ENCRYPTION_AT_REST_NOT_PRIVATE, "SS", &provider, &group);
  return svc_txn_good(c);
}

static bool encryption_at_rest_endpoint_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  const char *prefix = svc_node_is(change->body, "cloudProvider", "AWS") ? "vpce-" : "svc-endpoint-";
  (void)action;
  svc_node_set_str(c->arena, facts, "privateEndpointConnectionName", svc_endpoint_name(c, prefix, &change->id));
  return true;
}

/* An endpoint that the driver has lost is created again: the endpoint fails into this state, and a due step leads out of it. */
static bool encryption_at_rest_endpoint_fell_due(svc_call *c, svc_change *change, int tag)
{
  svc_str state = svc_node_str(change->body, "status");
  if (tag == SVC_DUE_STATE && svc_str_is(state, "PENDING_RECREATION"))
    svc_change_due(change, SVC_DUE_STATE, svc_transition_due(c->s, change->noun->noun, state, c->now));
  return true;
}

static bool encryption_at_rest_endpoint_removing(svc_call *c, const svc_entity *e)
{
  const svc_node *body = svc_entity_body(c, e);
  svc_str provider = svc_node_str(body, "cloudProvider"), region = svc_node_str(body, "regionName");
  svc_entity cluster;
  if (!body) return false;
  if (svc_encryption_private(c, provider) && svc_encryption_cluster(c, provider, region, &cluster))
    return svc_fail(c, SVC_E_ENCRYPTION_AT_REST_ENDPOINT_IN_USE, "SS", &region, &cluster.unique);
  return !c->error.code && svc_txn_good(c);
}

static const svc_order_row encryption_at_rest_endpoint_orders[] = {
  { "encryption_endpoint.create",
    "Request a private endpoint to the key management of the provider in the region.",
    NULL, &svc_endpoint_own_facts, 0 },
  { "encryption_endpoint.accept",
    "Wait until the owner of the keys has accepted the endpoint and it can be used.", NULL, &svc_endpoint_own_facts, 0 },
  { "encryption_endpoint.delete", "Remove the private endpoint.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_encryption_at_rest_endpoint = {
  .name = "encryption at rest endpoint",
  .rel = "encryptionAtRestPrivateEndpoint",
  .kind = ENCRYPTION_ENDPOINT_KIND,
  .parent = "project",
  .param = "endpointId",
  .object = &encryption_at_rest_endpoint_object,
  .unique = "cloudProvider/regionName",
  .err_not_found = SVC_E_PRIVATELINK_NOT_FOUND,
  .err_exists = SVC_E_PRIVATELINK_ENDPOINT_SERVICE_ALREADY_EXISTS_FOR_REGION,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_PRIVATE_ENDPOINT_SERVICES,
  .lifecycle = &encryption_at_rest_endpoint_lifecycle,
  .guards = encryption_at_rest_endpoint_guards,
  .event_created = "ENCRYPTION_AT_REST_PRIVATE_ENDPOINT_CREATED",
  .event_deleted = "ENCRYPTION_AT_REST_CONFIGURATION_UPDATED", /* the request to delete; the end of the deletion has the event DELETED */
  .event_field = "resourceId",
  .flags = SVC_EVENT_KEY,
  .ext = SVC_NOUN_EXT(.governed = svc_policy_endpoint),
  .orders = encryption_at_rest_endpoint_orders,
  .routes = SVC_ROUTES(encryption_at_rest_endpoint_routes),
  .prepare = encryption_at_rest_endpoint_prepare,
  .removing = encryption_at_rest_endpoint_removing,
  .fell_due = encryption_at_rest_endpoint_fell_due,
  .simulate = encryption_at_rest_endpoint_simulate,
  .facts = svc_facts_into,
};

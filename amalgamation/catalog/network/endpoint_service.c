/*
** Private endpoint service: the service's side of private endpoints, in one region of a provider. The customer's endpoints
** (private_endpoint.c) lead to it, and through it to the clusters of the project in that region.
**
**   POST --> INITIATING --> AVAILABLE --> DELETING <-- DELETE     then removed: 404
**                 +-------> FAILED
**
** There is one for each provider and region. The service uses the network container of its region, and creates a missing one.
** A delete is refused while the service has endpoints.
**
** Unusual: the paths of create and change do not name the provider; all other paths do.
*/
#include "catalog/catalog.h"
#include "catalog/policy/policy_language.h"
#include "catalog/endpoint_parts.h"
#include "catalog/network/network_parts.h"

enum { ENDPOINT_SERVICE_REMOTE = 35, ENDPOINT_SERVICE_LISTED = 100, ENDPOINT_SERVICE_ATTACHMENTS = 50 };

static const char *const endpoint_service_states[] = { "INITIATING", "AVAILABLE", "WAITING_FOR_USER", "FAILED", "DELETING", NULL };

/* ------------------------------------------------------------------------------------------------------------- fields */

static const svc_field endpoint_service_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds, .flags = SVC_READ_ONLY),
  F_STR("errorMessage", .flags = SVC_READ_ONLY),
  F_ID(),
  F_STR("regionName", .flags = SVC_READ_ONLY),
  F_ENUM("status", endpoint_service_states, .flags = SVC_READ_ONLY)
};
static const svc_object endpoint_service_base = { .name = "EndpointServiceBase", .fields = SVC_ROWS(endpoint_service_fields) };

#define ENDPOINT_SERVICE_LIST(name) F_STRS(name, .flags = SVC_READ_ONLY, .max_items = ENDPOINT_SERVICE_LISTED, .preset = "[]")

static const svc_field endpoint_service_aws_fields[] = {
  F_STR("endpointServiceName", .flags = SVC_READ_ONLY),
  ENDPOINT_SERVICE_LIST("interfaceEndpoints"),
  F_STRS("supportedRemoteRegions", .flags = SVC_NULLABLE | SVC_UNIQUE_ITEMS, .max_items = ENDPOINT_SERVICE_REMOTE,
         .min = 0, .max = 64)
};
static const svc_object endpoint_service_aws = {
  .name = "AWSPrivateLinkConnection", .fields = SVC_ROWS(endpoint_service_aws_fields), .base = &endpoint_service_base
};

static const svc_field endpoint_service_azure_fields[] = {
  ENDPOINT_SERVICE_LIST("privateEndpoints"),
  F_STR("privateLinkServiceName", .flags = SVC_READ_ONLY),
  F_STR("privateLinkServiceResourceId", .flags = SVC_READ_ONLY)
};
static const svc_object endpoint_service_azure = {
  .name = "AzurePrivateLinkConnection", .fields = SVC_ROWS(endpoint_service_azure_fields), .base = &endpoint_service_base
};

static const svc_field endpoint_service_gcp_fields[] = {
  ENDPOINT_SERVICE_LIST("endpointGroupNames"),
  F_BOOL("portMappingEnabled", .flags = SVC_READ_ONLY),
  F_STRS("serviceAttachmentNames", .flags = SVC_READ_ONLY, .max_items = ENDPOINT_SERVICE_ATTACHMENTS)
};
static const svc_object endpoint_service_gcp = {
  .name = "GCPEndpointService", .fields = SVC_ROWS(endpoint_service_gcp_fields), .base = &endpoint_service_base
};

static const svc_variant endpoint_service_variants[] = {
  { "AWS", &endpoint_service_aws }, { "AZURE", &endpoint_service_azure }, { "GCP", &endpoint_service_gcp }, { NULL, NULL }
};
static const svc_object endpoint_service_object = {
  .name = "EndpointService", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("cloudProvider", "AWS", endpoint_service_variants))
};

static const svc_field endpoint_service_new_fields[] = {
  F_BOOL("portMappingEnabled", .preset = "false"),
  F_ENUM("providerName", svc_values_clouds, .flags = SVC_REQUIRED),
  F_STR("region", .flags = SVC_REQUIRED, .min = 1, .max = 64),
  F_STRS("supportedRemoteRegions", .flags = SVC_NULLABLE | SVC_UNIQUE_ITEMS, .max_items = ENDPOINT_SERVICE_REMOTE,
         .min = 0, .max = 64)
};
static const svc_object endpoint_service_new = { .name = "CloudProviderEndpointServiceRequest", .fields = SVC_ROWS(endpoint_service_new_fields) };

/* ------------------------------------------------------------------------------------------------------------- routes */

static bool endpoint_service_linked(svc_call *c);
static bool endpoint_service_create(svc_call *c);
static bool endpoint_service_is_complete(svc_call *c);

#define ENDPOINT_SERVICE_AT(path) \
  "/groups/{groupId}/privateEndpoint/" path "endpointService", SVC_SET_PRIVATE_ENDPOINTS, (20230101), SVC_R_GROUP_READ_ONLY, \
      SVC_R_GROUP_OWNER
#define ENDPOINT_SERVICE_ANY ENDPOINT_SERVICE_AT("")
#define ENDPOINT_SERVICE ENDPOINT_SERVICE_AT("{cloudProvider}/")

static const svc_route_ext endpoint_service_ext = { .in_path = "cloudProvider" };
static const svc_route endpoint_service_routes[] = {
  R_POST(ENDPOINT_SERVICE_ANY, "", .status = 201, .body = &endpoint_service_new,
         .op = "createPrivateEndpointService", .run = endpoint_service_create,
         .example = "{\"providerName\":\"AWS\",\"region\":\"US_EAST_1\"}", .ext = SVC_ROUTE_EXT(.prework = endpoint_service_linked)),
  R_PATCH(ENDPOINT_SERVICE_ANY, "/{endpointServiceId}", .op = "updatePrivateEndpointService", .gate = endpoint_service_is_complete, .run = svc_verb_update,
          .example = "{\"cloudProvider\":\"AWS\",\"supportedRemoteRegions\":[\"EU_WEST_1\"]}"),
  R_GET(ENDPOINT_SERVICE, "", .flags = SVC_BARE, .op = "listPrivateEndpointService", .run = svc_verb_list, .ext = &endpoint_service_ext),
  R_GET(ENDPOINT_SERVICE, "/{endpointServiceId}", .op = "getPrivateEndpointService", .run = svc_verb_read, .ext = &endpoint_service_ext),
  R_DELETE(ENDPOINT_SERVICE, "/{endpointServiceId}", .status = 202, .flags = SVC_EMPTY_OBJECT, .op = "deletePrivateEndpointService", .run = svc_network_delete,
           .ext = &endpoint_service_ext)
};

/* ---------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition endpoint_service_transitions[] = {
  { "INITIATING", "AVAILABLE", 25, NULL, "endpoint_service.create" },
  { "DELETING", NULL, 10, "ENDPOINT_SERVICE_DELETED", "endpoint_service.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle endpoint_service_lifecycle = {
  .field = "status", .created = "INITIATING", .deleted = "DELETING", .failed = "FAILED", .reason = "errorMessage",
  .event_failed = "INTERFACE_ENDPOINT_PATCHED", .transitions = endpoint_service_transitions
};

/* A change or delete of a service that is being deleted answers 404. */
static const svc_guard endpoint_service_guards[] = {
  { "status", "DELETING", SVC_GUARD_CHANGE | SVC_GUARD_DELETE, SVC_E_PRIVATE_ENDPOINT_SERVICE_NOT_FOUND }, { NULL, NULL, 0, 0 }
};

/* -------------------------------------------------------------------------------------------------------------- hooks */

enum { ENDPOINT_SERVICE_PLACE = 1 }; /* index of the provider in a path, after the project */

/* Puts the provider into the parsed path: the path of this request does not contain it, but links are built from it. Runs before
** anything else, so that a replayed request has the same links. */
static void endpoint_service_link(svc_call *c, svc_str provider)
{
  /* a constant, so it outlives the transaction */
  c->route.raw[ENDPOINT_SERVICE_PLACE] = svc_str_c(svc_values_clouds[svc_cloud_number(provider)]);
}

static bool endpoint_service_linked(svc_call *c)
{
  endpoint_service_link(c, svc_node_str(c->checked, "providerName"));
  return true;
}

/* Writes the remote regions in their only spelling. Refuses unknown regions and the service's own region. */
static void endpoint_service_remote(svc_call *c, svc_node *body)
{
  svc_node *list = svc_node_get(body, "supportedRemoteRegions"), *item;
  size_t i = 0;
  for (item = svc_node_first(list); item; item = item->next, i++) {
    const char *region = svc_network_region(SVC_S("AWS"), item->text);
    svc_str at = svc_arena_print(c->arena, "supportedRemoteRegions[%zu]", i);
    if (!region) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "is not a region of this provider");
    else if (svc_node_is(body, "regionName", region)) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, at, "must differ from regionName");
    else item->text = svc_str_c(region);
  }
}

static bool endpoint_service_rules(svc_call *c, svc_node *body)
{
  svc_str provider = svc_node_str(c->checked, "providerName");
  const char *region = svc_network_region(provider, svc_node_str(c->checked, "region"));
  const svc_node *remote = svc_node_get(c->checked, "supportedRemoteRegions");
  bool mapped = svc_node_bool(c->checked, "portMappingEnabled", false), gcp = svc_str_is(provider, "GCP");
  if (!region) svc_violate(c, SVC_E_INVALID_REGION, SVC_S("region"), "is not a region of this provider");
  if (mapped && !gcp) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("portMappingEnabled"), "is allowed for GCP only");
  if (svc_node_first(remote) && !svc_str_is(provider, "AWS"))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("supportedRemoteRegions"), "is allowed for AWS only");
  svc_node_set_str(c->arena, body, "cloudProvider", provider);
  svc_node_set_text(c->arena, body, "regionName", region);
  if (gcp) svc_node_set_bool(c->arena, body, "portMappingEnabled", mapped);
  else if (svc_str_is(provider, "AWS") && remote) svc_node_put(c->arena, body, svc_node_copy(c->arena, remote));
  return svc_check_done(c);
}

static bool endpoint_service_create(svc_call *c)
{
  svc_change change;
  svc_entity e;
  if (!svc_resolve_all(c)) return false;
  if (!svc_change_new(c, c->plan->noun, NULL, &change)) return false;
  if (!endpoint_service_rules(c, change.body)) return false;
  svc_endpoint_list(c, change.body, SVC_S(""), false);
  return svc_insert(c, &change, &e) && svc_answer_entity(c, &e);
}

static bool endpoint_service_is_complete(svc_call *c)
{
  if (!svc_resolve_all(c)) return false;
  if (!svc_node_get(c->body, "cloudProvider")) {
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, SVC_S("cloudProvider"), "is required");
    return svc_check_done(c);
  }
  endpoint_service_link(c, svc_network_text(c, svc_path_entity(c, "endpoint service"), "cloudProvider"));
  return true;
}

static bool endpoint_service_prepare(svc_call *c, svc_change *change)
{
  endpoint_service_remote(c, change->body);
  return svc_check_done(c);
}

/* Simulates the names that the provider gives the service when it becomes available. */
static bool endpoint_service_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  svc_str hex = svc_id_str(c->arena, &change->id), provider = svc_node_str(change->body, "cloudProvider");
  svc_node *list = svc_node_array(c->arena, "serviceAttachmentNames"), *name;
  (void)action;
  if (svc_str_is(provider, "AWS")) {
    svc_node_set_str(c->arena, facts, "endpointServiceName", svc_endpoint_name(c, "com.amazonaws.vpce.vpce-svc-", &change->id));
  } else if (svc_str_is(provider, "AZURE")) {
    svc_node_set_str(c->arena, facts, "privateLinkServiceName", svc_arena_print(c->arena, "pls_" SVC_FMT, SVC_ARG(hex)));
    svc_node_set_str(c->arena, facts, "privateLinkServiceResourceId",
                     svc_arena_print(c->arena, "/subscriptions/" SVC_FMT "/resourceGroups/rg_" SVC_FMT
                                     "/providers/Microsoft.Network/privateLinkServices/pls_" SVC_FMT,
                                     SVC_ARG(hex), SVC_ARG(hex), SVC_ARG(hex)));
  } else {
    name = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""),
                        svc_arena_print(c->arena, "projects/p-" SVC_FMT "/serviceAttachments/sa-0", SVC_ARG(hex)));
    if (!list || !name) return svc_no_memory(c);
    svc_node_append(list, name);
    svc_node_put(c->arena, facts, list);
  }
  return true;
}

/* Copies the facts. Each provider has field names of its own. */
static bool endpoint_service_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  static const char *const names[3][3] = {
    { "endpointServiceName", NULL }, { "privateLinkServiceName", "privateLinkServiceResourceId", NULL }, { "serviceAttachmentNames", NULL }
  };
  const char *const *name = names[svc_cloud_number(svc_node_str(change->body, "cloudProvider"))];
  for (; *name; name++) {
    svc_node *copy = svc_node_get(facts, *name) ? svc_node_copy(c->arena, svc_node_get(facts, *name)) : NULL;
    if (copy) svc_node_put(c->arena, change->body, copy);
  }
  return !c->arena->failed || svc_no_memory(c);
}

static bool endpoint_service_fell_due(svc_call *c, svc_change *change, int tag)
{
  return tag != SVC_DUE_STATE || svc_network_moves(c, change);
}

static svc_place_of endpoint_service_place(svc_call *c, const svc_entity *e)
{
  return (svc_place_of){ svc_network_text(c, e, "cloudProvider"), svc_network_text(c, e, "regionName") };
}

static bool endpoint_service_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  svc_place_of place = endpoint_service_place(c, e);
  return change->before || svc_network_hold(c, &place);
}

static bool endpoint_service_removing(svc_call *c, const svc_entity *e)
{
  svc_str id = e->key;
  svc_entity below;
  if (!svc_below_first(c->txn, PRIVATE_ENDPOINT_KIND, &e->id, &below)) return svc_txn_good(c);
  return svc_fail_as(c, svc_arena_print(c->arena, "The private endpoint service " SVC_FMT " still has the endpoint " SVC_FMT
                                        ". Delete its endpoints first.", SVC_ARG(id), SVC_ARG(below.unique)),
                     SVC_E_CANNOT_DELETE_PRIVATELINK_WITH_ENDPOINTS, "S", &id);
}

static bool endpoint_service_gone(svc_call *c, const svc_entity *e)
{
  svc_place_of place = endpoint_service_place(c, e);
  return svc_network_changed(c, NULL) && svc_network_release(c, &place);
}

static const svc_field endpoint_service_fact_fields[] = {
  F_STR("endpointServiceName", .min = 1, .max = 255),
  F_STR("privateLinkServiceName", .min = 1, .max = 255),
  F_STR("privateLinkServiceResourceId", .min = 1, .max = 255),
  F_STRS("serviceAttachmentNames", .min = 1, .max = 255, .max_items = ENDPOINT_SERVICE_ATTACHMENTS)
};
static const svc_object endpoint_service_facts_object = { .name = "EndpointServiceFacts", .fields = SVC_ROWS(endpoint_service_fact_fields) };
static const svc_order_row endpoint_service_orders[] = {
  { "endpoint_service.create",
    "Create the service to which private endpoints of the customer connect. Facts: the provider's names for it.",
    NULL, &endpoint_service_facts_object, 0 },
  { "endpoint_service.delete", "Remove the service.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_endpoint_service = {
  .name = "endpoint service",
  .rel = "endpointService",
  .kind = ENDPOINT_SERVICE_KIND,
  .parent = "project",
  .param = "endpointServiceId",
  .object = &endpoint_service_object,
  .unique = "cloudProvider/regionName",
  .err_not_found = SVC_E_PRIVATE_ENDPOINT_SERVICE_NOT_FOUND,
  .err_exists = SVC_E_PRIVATELINK_ENDPOINT_SERVICE_ALREADY_EXISTS_FOR_REGION,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_PRIVATE_ENDPOINT_SERVICES,
  .lifecycle = &endpoint_service_lifecycle,
  .guards = endpoint_service_guards,
  .event_created = "ENDPOINT_SERVICE_CREATED",
  .event_updated = "INTERFACE_ENDPOINT_PATCHED", /* a change has no event type of its own */
  .event_deleted = "INTERFACE_ENDPOINT_PATCHED", /* the request to delete; the end of the deletion has the event DELETED */
  .event_field = "resourceId",
  .flags = SVC_EVENT_KEY,
  .ext = SVC_NOUN_EXT(.governed = svc_policy_endpoint),
  .orders = endpoint_service_orders,
  .routes = SVC_ROUTES(endpoint_service_routes),
  .prepare = endpoint_service_prepare,
  .stored = endpoint_service_stored,
  .fell_due = endpoint_service_fell_due,
  .removing = endpoint_service_removing,
  .gone = endpoint_service_gone,
  .simulate = endpoint_service_simulate,
  .facts = endpoint_service_facts
};

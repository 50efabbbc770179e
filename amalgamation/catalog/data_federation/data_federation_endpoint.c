/*
** Private endpoint of data federation: an interface in a customer's network that leads to the federated instances of a
** project. The customer creates the endpoint at the provider and registers its id here.
**
**   POST --> PENDING --> OK --> DELETING <-- DELETE     then it is deleted: 404
**                +-----> FAILED
**
** A POST answers with the list. A POST of a registered endpoint only changes its comment.
*/
#include "catalog/data_federation/data_federation_parts.h"
#include "catalog/policy/policy_language.h"

static const char *const data_federation_endpoint_providers[] = { "AWS", "AZURE", NULL };
static const char *const data_federation_endpoint_states[] = { "PENDING", "OK", "FAILED", "DELETING", NULL };
static const char *const data_federation_endpoint_types[] = { "DATA_LAKE", NULL };

static const svc_field data_federation_endpoint_fields[] = {
  F_STR("azureLinkId", .flags = SVC_FIXED, .max = 1024),
  F_STR("comment", .max = 1024),
  F_STR("customerEndpointDNSName", .flags = SVC_FIXED, .max = 255),
  F_STR("customerEndpointIPAddress", .flags = SVC_FIXED, .format = SVC_FORMAT_IP),
  F_STR("endpointId", .flags = SVC_REQUIRED | SVC_FIXED, .min = 1, .max = 512),
  F_STR("errorMessage", .flags = SVC_READ_ONLY),
  F_ENUM("provider", data_federation_endpoint_providers, .flags = SVC_FIXED, .preset = "\"AWS\""),
  F_STR("region", .flags = SVC_FIXED, .max = 64),
  F_ENUM("status", data_federation_endpoint_states, .flags = SVC_READ_ONLY),
  F_ENUM("type", data_federation_endpoint_types, .flags = SVC_FIXED, .preset = "\"DATA_LAKE\"")
};
/* AWS: the region and the customer's address are given together, or not at all. AZURE: both are required. */
static const svc_need data_federation_endpoint_needs[] = {
  { .fields = "customerEndpointDNSName", .where = "provider=AWS region" },
  { .fields = "customerEndpointIPAddress", .where = "provider=AZURE" },
  { .fields = "region", .where = "provider=AWS customerEndpointDNSName" },
  { .fields = "region", .where = "provider=AZURE customerEndpointIPAddress" },
  { .fields = NULL }
};
static const svc_object data_federation_endpoint_object = {
  .name = "PrivateNetworkEndpointIdEntry", .fields = SVC_ROWS(data_federation_endpoint_fields), .ext = SVC_OBJECT_EXT(.needs = data_federation_endpoint_needs)
};

static bool data_federation_endpoint_add(svc_call *c);

#define DATA_FEDERATION_ENDPOINT \
  "/groups/{groupId}/privateNetworkSettings/endpointIds", SVC_SET_DATA_FEDERATION, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route data_federation_endpoint_routes[] = {
  R_GET(DATA_FEDERATION_ENDPOINT, "", .flags = SVC_PAGED, .op = "listPrivateEndpointIds", .run = svc_verb_list),
  R_POST(DATA_FEDERATION_ENDPOINT, "", .status = 201, .flags = SVC_PAGED, .op = "createPrivateEndpointId", .run = data_federation_endpoint_add,
         .example = "{\"endpointId\":\"vpce-0123456789abcdef0\",\"comment\":\"for reports\"}"),
  R_GET(DATA_FEDERATION_ENDPOINT, "/{endpointId}", .op = "getPrivateEndpointId", .run = svc_verb_read),
  R_DELETE(DATA_FEDERATION_ENDPOINT, "/{endpointId}", .status = 204, .op = "deletePrivateEndpointId", .run = svc_verb_delete)
};

static const svc_transition data_federation_endpoint_transitions[] = {
  { "PENDING", "OK", 20, NULL, "federation_endpoint.create" },
  { "DELETING", NULL, 10, "INTERFACE_ENDPOINT_DELETED", "federation_endpoint.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle data_federation_endpoint_lifecycle = {
  .field = "status", .created = "PENDING", .deleted = "DELETING", .failed = "FAILED", .reason = "errorMessage",
  .transitions = data_federation_endpoint_transitions
};

/* A change or delete during deletion answers 404. */
static const svc_guard data_federation_endpoint_guards[] = {
  { "status", "DELETING", SVC_GUARD_CHANGE | SVC_GUARD_DELETE, SVC_E_PRIVATELINK_NOT_FOUND }, { NULL, NULL, 0, 0 }
};

/* The pattern of each provider's endpoint ids, and the field with the customer's address. */
static const struct {
  const char *provider, *id, *address;
} data_federation_endpoint_ways[] = {
  { "AWS", "^vpce-[0-9a-f]{17}$", "customerEndpointDNSName" },
  { "AZURE", "^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\\.Network/privateEndpoints/[^/]+$", "customerEndpointIPAddress" },
};

static void data_federation_endpoint_rules(svc_call *c, const svc_node *body)
{
  int way = svc_node_is(body, "provider", "AZURE");
  const char *other = data_federation_endpoint_ways[!way].address;
  if (!svc_pattern_match(data_federation_endpoint_ways[way].id, svc_node_str(body, "endpointId")))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("endpointId"), "must match %s", data_federation_endpoint_ways[way].id);
  if (svc_node_get(body, other)) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_str_c(other), "is not allowed for this provider");
  if (!way && svc_node_get(body, "azureLinkId")) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("azureLinkId"), "is not allowed for this provider");
}

/* A registered endpoint: all members except the comment must be unchanged. */
static bool data_federation_endpoint_again(svc_call *c, const svc_entity *old)
{
  const svc_node *member;
  svc_change change;
  svc_entity e;
  if (!svc_change_of(c, c->plan->noun, old, &change)) return false;
  if (!svc_guarded(c, change.noun, old, change.before, SVC_GUARD_CHANGE)) return false;
  for (member = c->checked->first; member; member = member->next) {
    const svc_node *was = svc_node_find(change.before, member->name);
    if (svc_str_is(member->name, "comment")) svc_node_set_str(c->arena, change.body, "comment", member->text);
    else if (!was || !svc_node_same(was, member))
      return svc_fail_about(c, SVC_E_PRIVATE_ENDPOINT_ALREADY_EXISTS, old->unique, svc_id_str(c->arena, &old->parent));
  }
  change.event = c->plan->noun->noun->event_updated;
  return svc_change_keep(c, &change, &e);
}

static bool data_federation_endpoint_add(svc_call *c)
{
  const svc_noun *noun = c->plan->noun->noun;
  svc_entities all = { .noun = c->plan->noun };
  svc_change change;
  svc_entity e;
  int rc;
  if (!svc_resolve_all(c)) return false;
  all.parent = c->scope.group;
  data_federation_endpoint_rules(c, c->checked);
  if (!svc_check_done(c)) return false;
  rc = svc_entity_named(c->txn, noun->kind, NULL, &all.parent, svc_node_str(c->checked, "endpointId"), &e);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  if (rc == SVC_OK) return data_federation_endpoint_again(c, &e) && svc_list_entities(c, &all);
  if (!svc_change_new(c, c->plan->noun, c->checked, &change)) return false;
  return svc_insert(c, &change, &e) && svc_list_entities(c, &all);
}

static const svc_order_row data_federation_endpoint_orders[] = {
  { "federation_endpoint.create",
    "Allow the private endpoint of the customer to reach the federated databases of the project.", NULL, NULL, 0 },
  { "federation_endpoint.delete", "Stop allowing the private endpoint.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_data_federation_endpoint = {
  .name = "data federation endpoint",
  .rel = "privateNetworkEndpoint",
  .kind = FEDERATION_ENDPOINT_KIND,
  .parent = "project",
  .param = "endpointId",
  .object = &data_federation_endpoint_object,
  .key = "endpointId",
  .unique = "endpointId",
  .err_not_found = SVC_E_PRIVATELINK_NOT_FOUND,
  .err_exists = SVC_E_PRIVATE_ENDPOINT_ALREADY_EXISTS,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_PRIVATE_ENDPOINT_SERVICES,
  .most = FEDERATION_ENDPOINT_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &data_federation_endpoint_lifecycle,
  .guards = data_federation_endpoint_guards,
  .event_created = "INTERFACE_ENDPOINT_CREATED",
  .event_updated = "INTERFACE_ENDPOINT_PATCHED",
  .event_deleted = "INTERFACE_ENDPOINT_PATCHED", /* the request; DELETED follows when the endpoint is deleted */
  .event_field = "resourceId",
  .ext = SVC_NOUN_EXT(.governed = svc_policy_endpoint),
  .orders = data_federation_endpoint_orders,
  .routes = SVC_ROUTES(data_federation_endpoint_routes),
};

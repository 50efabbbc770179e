/*
** Regional mode of a project's private endpoints. On: each region of a cluster has its own connection strings, which lead
** through the endpoints of that region. Off: all regions share a connection string.
**
** The mode can be turned on at any time, but not off while a cluster is reached by endpoints in several regions: the
** connection strings of all but one region would be lost.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_base.h"
#include "catalog/network/network_parts.h"
#include "catalog/policy/policy_language.h"

static const svc_field regional_mode_fields[] = {
  F_BOOL("enabled", .flags = SVC_REQUIRED, .preset = "false")
};
static const svc_object regional_mode_object = { .name = "ProjectSettingItemView", .fields = SVC_ROWS(regional_mode_fields) };

#define REGIONAL_MODE \
  "/groups/{groupId}/privateEndpoint/regionalMode", SVC_SET_PRIVATE_ENDPOINTS, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route regional_mode_routes[] = {
  R_GET(REGIONAL_MODE, "", .op = "getRegionalEndpointMode", .run = svc_verb_read),
  R_PATCH(REGIONAL_MODE, "", .status = 202, .op = "toggleRegionalEndpointMode", .run = svc_verb_update)
};

static const svc_field_event regional_mode_events[] = {
  { "enabled", "REGIONALIZED_PRIVATE_ENDPOINT_MODE_ENABLED", "true" },
  { "enabled", "REGIONALIZED_PRIVATE_ENDPOINT_MODE_DISABLED", "false" },
  { NULL, NULL, NULL }
};

/* Returns true if a provider has several entries, that is, several regions, in a cluster's list of private endpoints. */
static bool regional_mode_shared(const svc_node *listed)
{
  const svc_node *one, *other;
  for (one = svc_node_first(listed); one; one = one->next)
    for (other = one->next; other; other = other->next)
      if (svc_node_eq(svc_node_first(svc_node_get(one, "endpoints")), "providerName", svc_node_str(svc_node_first(svc_node_get(other, "endpoints")), "providerName")))
        return true;
  return false;
}

static bool regional_mode_prepare(svc_call *c, svc_change *change)
{
  svc_scan scan;
  svc_entity e;
  if (svc_node_bool(change->body, "enabled", false) || !svc_node_bool(change->before, "enabled", false)) return true;
  svc_below_begin(&scan, c->txn, CLUSTER_KIND, &c->scope.group);
  while (svc_below_next(&scan, CLUSTER_KIND, &e)) {
    const svc_node *body = svc_entity_body(c, &e);
    if (!body) return false;
    if (regional_mode_shared(svc_node_get(svc_node_get(body, "connectionStrings"), "privateEndpoint")))
      return svc_fail_about(c, SVC_E_CANNOT_DISABLE_REGIONALIZED_PRIVATE_ENDPOINTS, e.unique, SVC_S(""));
  }
  return svc_txn_good(c);
}

SVC_PRIVATE const svc_noun svc_noun_regional_mode = {
  .name = "regional mode",
  .kind = "rgmd",
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &regional_mode_object,
  .event_updated = "REGIONALIZED_PRIVATE_ENDPOINT_MODE_ENABLED",
  .ext = SVC_NOUN_EXT(.governed = svc_policy_endpoint_switch, .field_events = regional_mode_events),
  .routes = SVC_ROUTES(regional_mode_routes),
  .prepare = regional_mode_prepare,
  .stored = svc_network_stored
};

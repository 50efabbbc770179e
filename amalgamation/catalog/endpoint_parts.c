/*
** Functions and tables that private endpoints of clusters, backups and encryption at rest share. These endpoints differ in
** their target. Their naming at the provider is the same: the driver reports the name, or the simulation makes one up.
*/
#include "catalog/catalog.h"
#include "catalog/endpoint_parts.h"

enum { ENDPOINT_PARTS_DIGITS = 17, ENDPOINT_PARTS_LONGEST = 255 };

SVC_PRIVATE int svc_cloud_number(svc_str provider)
{
  int i = 0;
  while (i < 2 && !svc_str_is(provider, svc_values_clouds[i])) i++;
  return i;
}

/* Uses the last digits of the id, because the first ones are the time. */
SVC_PRIVATE svc_str svc_endpoint_name(svc_call *c, const char *prefix, const svc_id *id)
{
  char hex[24];
  svc_id_hex(id, hex);
  return svc_arena_print(c->arena, "%s%.17s", prefix, hex + sizeof hex - ENDPOINT_PARTS_DIGITS);
}

SVC_PRIVATE void svc_endpoint_list(svc_call *c, svc_node *service, svc_str id, bool there)
{
  static const char *const fields[] = { "interfaceEndpoints", "privateEndpoints", "endpointGroupNames" };
  const char *field = fields[svc_cloud_number(svc_node_str(service, "cloudProvider"))];
  svc_node *list = svc_node_array(c->arena, field), *copy;
  const svc_node *old = svc_node_get(service, field), *item;
  for (item = list ? svc_node_first(old) : NULL; item; item = item->next) {
    copy = svc_str_eq(item->text, id) ? NULL : svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), item->text);
    if (copy) svc_node_append(list, copy);
  }
  copy = there && list ? svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), id) : NULL;
  if (copy) svc_node_append(list, copy);
  if (list) svc_node_put(c->arena, service, list);
}

/* --------------------------------------------------------------------------------------------------- the service's own */

static const char *const endpoint_parts_states[] = {
  "INITIATING", "PENDING_ACCEPTANCE", "ACTIVE", "FAILED", "PENDING_RECREATION", "DELETING", NULL
};

static const svc_field endpoint_parts_own_fields[] = {
  F_STR("errorMessage", .flags = SVC_READ_ONLY),
  F_ID(),
  F_STR("privateEndpointConnectionName", .flags = SVC_READ_ONLY),
  F_ENUM("status", endpoint_parts_states, .flags = SVC_READ_ONLY)
};
SVC_PRIVATE const svc_object svc_endpoint_own = { .name = "ServicePrivateEndpoint", .fields = SVC_ROWS(endpoint_parts_own_fields) };

static const svc_field endpoint_parts_fact_fields[] = { F_STR("privateEndpointConnectionName", .min = 1, .max = ENDPOINT_PARTS_LONGEST) };
SVC_PRIVATE const svc_object svc_endpoint_own_facts = { .name = "ServicePrivateEndpointFacts", .fields = SVC_ROWS(endpoint_parts_fact_fields) };

/*
** What private endpoints of the service's own have in common, whatever they lead to.
*/
#include "catalog/network/service_endpoint.h"

static const char *const service_endpoint_states[] = {
  "INITIATING", "PENDING_ACCEPTANCE", "ACTIVE", "FAILED", "PENDING_RECREATION", "DELETING", NULL
};

static const svc_field service_endpoint_fields[] = {
  F_STR("errorMessage", .flags = SVC_READ_ONLY),
  F_ID(),
  F_STR("privateEndpointConnectionName", .flags = SVC_READ_ONLY),
  F_ENUM("status", service_endpoint_states, .flags = SVC_READ_ONLY),
  F_END
};
SVC_PRIVATE const svc_object svc_service_endpoint = { .name = "ServicePrivateEndpoint", .fields = service_endpoint_fields };

SVC_PRIVATE void svc_service_endpoint_name(svc_call *c, svc_change *change, const char *begin)
{
  char id[24];
  svc_id_hex(&change->id, id);
  if (!c->s->config.driver)
    svc_node_set_str(c->arena, change->body, "privateEndpointConnectionName",
                     svc_arena_print(c->arena, "%s%.17s", begin, id + sizeof id - 17));
}

SVC_PRIVATE bool svc_service_endpoint_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  svc_str name = svc_node_str(facts, "privateEndpointConnectionName");
  if (name.n && name.n <= 255) svc_node_set_str(c->arena, change->body, "privateEndpointConnectionName", name);
  return true;
}

/*
** The addresses of the control plane, for firewalls, from the host's configuration: by direction, provider and region. The
** operation needs no credentials, so its rate limit is per address.
*/
#include "catalog/catalog.h"

/* A map from regions to address ranges. */
#define CONTROL_PLANE_ADDRESS_REGIONS(n) { .name = n, .type = SVC_MAP, .item = SVC_ANY, .flags = SVC_READ_ONLY }

static const svc_field control_plane_address_clouds[] = {
  CONTROL_PLANE_ADDRESS_REGIONS("aws"),
  CONTROL_PLANE_ADDRESS_REGIONS("azure"),
  CONTROL_PLANE_ADDRESS_REGIONS("gcp")
};
static const svc_object control_plane_address_one_way = { .name = "ControlPlaneDirection", .fields = SVC_ROWS(control_plane_address_clouds) };

static const svc_field control_plane_address_ways_fields[] = {
  F_OBJ("inbound", &control_plane_address_one_way, .flags = SVC_READ_ONLY),
  F_OBJ("outbound", &control_plane_address_one_way, .flags = SVC_READ_ONLY)
};
static const svc_object control_plane_address_ways = { .name = "ControlPlaneWays", .fields = SVC_ROWS(control_plane_address_ways_fields) };

/* Named gateways of a larger service; this service has none. */
static const svc_field control_plane_address_gateway_fields[] = {
  F_OBJ("ips", &control_plane_address_ways, .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_READ_ONLY)
};
static const svc_object control_plane_address_gateway = { .name = "ControlPlaneGateway",
                                                          .fields = SVC_ROWS(control_plane_address_gateway_fields) };

static const svc_field control_plane_address_fields[] = {
  F_LIST("gateways", &control_plane_address_gateway, .flags = SVC_READ_ONLY, .max_items = 25)
};
static const svc_object control_plane_address_object = { .name = "ControlPlaneIPAddresses", .base = &control_plane_address_ways,
                                                         .fields = SVC_ROWS(control_plane_address_fields) };

static bool control_plane_address_read(svc_call *c);

static const svc_route control_plane_address_routes[] = {
  { .method = SVC_GET, .path = "/unauth/controlPlaneIPAddresses", .set = SVC_SET_CONTROL_PLANE, .versions = { 20231115 },
    .flags = SVC_NO_AUTH, .answer = &control_plane_address_object, .op = "listControlPlaneAddresses", .run = control_plane_address_read }
};

/* Returns the member of an object; creates it if missing. */
static svc_node *control_plane_address_member(svc_call *c, svc_node *object, const char *name, int type)
{
  svc_node *member = svc_node_get(object, name);
  if (member) return member;
  member = svc_node_new(c->arena, type, svc_str_c(name), SVC_S(""));
  if (member) svc_node_put(c->arena, object, member);
  return member;
}

static svc_node *control_plane_address_direction(svc_call *c, svc_node *body, const char *name, int outbound)
{
  static const char *const providers[] = { "aws", "azure", "gcp" };
  svc_node *direction = control_plane_address_member(c, body, name, SVC_J_OBJECT), *provider, *region, *cidr;
  size_t i;
  for (i = 0; direction && i < 3; i++)
    if (!control_plane_address_member(c, direction, providers[i], SVC_J_OBJECT)) return NULL;
  for (i = 0; direction && i < c->s->config.control_address_count; i++) {
    const svc_control_address *a = &c->s->config.control_addresses[i];
    if (!a->outbound != !outbound) continue;
    provider = svc_node_get(direction, a->provider); /* svc_open() refuses other providers */
    region = SVC_ALWAYS(provider) ? control_plane_address_member(c, provider, a->region, SVC_J_ARRAY) : NULL;
    cidr = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), svc_str_c(a->cidr));
    if (!region || !cidr) return NULL;
    svc_node_append(region, cidr);
  }
  return direction;
}

static bool control_plane_address_read(svc_call *c)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  if (!body || !control_plane_address_member(c, body, "gateways", SVC_J_ARRAY) ||
      !control_plane_address_direction(c, body, "inbound", 0) ||
      !control_plane_address_direction(c, body, "outbound", 1))
    return svc_no_memory(c);
  return svc_answer_node(c, body);
}

SVC_PRIVATE const svc_noun svc_noun_control_plane_address = {
  .name = "control-plane address",
  .flags = SVC_VIRTUAL,
  .routes = SVC_ROUTES(control_plane_address_routes),
};

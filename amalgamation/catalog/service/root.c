/*
** The root: the service's name and version, the caller, and the links from which everything can be reached. Two more
** operations have paths of their own, where tools expect them: the OpenAPI document, and the caller's address.
*/
#include "catalog/catalog.h"

static const svc_field root_role_fields[] = {
  F_STR("groupId", .flags = SVC_READ_ONLY),
  F_STR("orgId", .flags = SVC_READ_ONLY),
  F_STR("roleName", .flags = SVC_READ_ONLY)
};
static const svc_object root_role_object = { .name = "HeldRole", .fields = SVC_ROWS(root_role_fields) };

/* An entry of the caller's access list. */
static const svc_field root_entry_fields[] = {
  F_STR("cidrBlock", .flags = SVC_READ_ONLY),
  F_STR("ipAddress", .flags = SVC_READ_ONLY)
};
static const svc_object root_entry_object = { .name = "CallerAccessEntry", .fields = SVC_ROWS(root_entry_fields) };

static const svc_field root_caller_fields[] = {
  F_LIST("accessList", &root_entry_object, .flags = SVC_READ_ONLY),
  F_STR("id", .flags = SVC_READ_ONLY),
  F_STR("publicKey", .flags = SVC_READ_ONLY),
  F_LIST("roles", &root_role_object, .flags = SVC_READ_ONLY)
};
static const svc_object root_caller_object = { .name = "Caller", .fields = SVC_ROWS(root_caller_fields) };

static const char *const root_names[] = { "Db Svc", NULL };

static const svc_field root_fields[] = {
  F_OBJ("apiKey", &root_caller_object, .flags = SVC_READ_ONLY),
  F_ENUM("appName", root_names, .flags = SVC_READ_ONLY),
  F_STR("build", .flags = SVC_READ_ONLY),
  F_BOOL("throttling", .flags = SVC_READ_ONLY)
};
static const svc_object root_object = { .name = "Root", .fields = SVC_ROWS(root_fields) };

static const svc_field root_address_fields[] = { F_STR("currentIpv4Address", .flags = SVC_READ_ONLY) };
static const svc_object root_address_object = { .name = "CallerAddress", .fields = SVC_ROWS(root_address_fields) };

static bool root_read(svc_call *c);
static bool root_describe(svc_call *c);
static bool root_address(svc_call *c);

static const svc_route root_routes[] = {
  { .method = SVC_GET, .path = "", .set = SVC_SET_ROOT, .versions = { 20230101 },
    .answer = &root_object, .op = "getSystemStatus", .run = root_read },
  /* its caller may have no credentials yet, so its bucket belongs to an address */
  { .method = SVC_GET, .path = "/openapi.json", .flags = SVC_ABSOLUTE | SVC_NO_AUTH, .set = SVC_SET_CONTROL_PLANE, .op = "getOpenApi",
    .run = root_describe, .ext = SVC_ROUTE_EXT(.media = "application/json") },
  /* client tools call it before they add an entry to an access list */
  { .method = SVC_GET, .path = "/api/private/ipinfo", .flags = SVC_ABSOLUTE | SVC_NO_AUTH | SVC_NO_LINKS, .set = SVC_SET_CONTROL_PLANE,
    .op = "getIpInfo", .answer = &root_address_object, .run = root_address }
};

static svc_node *root_grants(svc_call *c)
{
  svc_node *roles = svc_node_array(c->arena, "roles");
  svc_held h;
  for (svc_held_begin(c, &h); roles && svc_held_next(c, &h);) {
    int role = svc_role_by_name(h.role);
    svc_node *item = svc_node_object(c->arena, NULL);
    if (role < 0 || !item) continue;
    if (!h.everywhere)
      svc_node_set_id(c->arena, item, svc_role_level(role) == SVC_SCOPE_GROUP ? "groupId" : "orgId", &h.on);
    svc_node_set_text(c->arena, item, "roleName", svc_role_name(role));
    svc_node_append(roles, item);
  }
  return roles;
}

static bool root_read(svc_call *c)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  svc_node *key = svc_node_object(c->arena, "apiKey");
  svc_node *list = svc_access_shown(c, "accessList"), *roles = root_grants(c);
  if (!body || !key || !list || !roles) return svc_no_memory(c);
  svc_node_put(c->arena, key, list);
  svc_node_set_str(c->arena, key, "id", c->who.user_id);
  svc_node_set_str(c->arena, key, "publicKey", c->who.username);
  svc_node_put(c->arena, key, roles);
  svc_node_put(c->arena, body, key);
  svc_node_set_text(c->arena, body, "appName", root_names[0]);
  svc_node_set_text(c->arena, body, "build", SVC_VERSION);
  svc_node_set_bool(c->arena, body, "throttling", c->s->limiter != NULL);
  return svc_answer_node(c, body);
}

static bool root_describe(svc_call *c)
{
  uint64_t revision;
  svc_str document = svc_openapi_kept(c->s, c->arena, &revision);
  if (!document.p) return svc_no_memory(c);
  svc_answer_document(c, document, revision);
  return true;
}

/* An IPv6 address is shown in the same field. */
static bool root_address(svc_call *c)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  if (!body) return svc_no_memory(c);
  svc_node_set_str(c->arena, body, "currentIpv4Address", c->request.peer);
  return svc_answer_node(c, body);
}

SVC_PRIVATE const svc_noun svc_noun_root = {
  .name = "root",
  .flags = SVC_VIRTUAL,
  .routes = SVC_ROUTES(root_routes),
};

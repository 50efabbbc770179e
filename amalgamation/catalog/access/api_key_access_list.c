/*
** The access list of an API key: the addresses and ranges from which it may be used, and how often each entry admitted it.
**
** The rule: a key may change its own list, but cannot lock out the address of the request (access_entries.c).
*/
#include "catalog/catalog.h"
#include "catalog/objects.h"

static const svc_field api_key_access_list_fields[] = {
  F_STR("cidrBlock", .flags = SVC_NULLABLE),
  F_INT("count", .flags = SVC_READ_ONLY, .preset = "0"),
  F_CREATED("created"),
  F_STR("ipAddress", .flags = SVC_NULLABLE),
  F_DATE("lastUsed", .flags = SVC_READ_ONLY),
  F_STR("lastUsedAddress", .flags = SVC_READ_ONLY)
};
static const svc_object api_key_access_list_object = {
  .name = "ApiKeyAccessListEntry", .fields = SVC_ROWS(api_key_access_list_fields), .ext = SVC_OBJECT_EXT(.needs = svc_needs_access_entry)
};

/* The table names no role for changes: a key may change its own list, and an owner any list (api_key_access_list_may). */
#define API_KEY_ACCESS_LIST \
  "/orgs/{orgId}/apiKeys/{apiUserId}/accessList", SVC_SET_ORGANIZATION_API_KEYS, (20230101), SVC_R_ORG_MEMBER, 0

static bool api_key_access_list_may(svc_call *c);

static const svc_route api_key_access_list_routes[] = {
  R_GET(API_KEY_ACCESS_LIST, "", .flags = SVC_PAGED, .op = "listOrgAccessEntries", .run = svc_verb_list),
  R_POST(API_KEY_ACCESS_LIST, "", .status = 201, .flags = SVC_PAGED | SVC_BODY_ARRAY, .op = "createOrgAccessEntry", .gate = api_key_access_list_may, .run = svc_access_add,
         .example = "[{\"ipAddress\":\"192.0.2.1\"},{\"cidrBlock\":\"198.51.100.0/24\"}]"),
  R_GET(API_KEY_ACCESS_LIST, "/{ipAddress}", .op = "getOrgAccessEntry", .run = svc_verb_read),
  R_DELETE(API_KEY_ACCESS_LIST, "/{ipAddress}", .status = 204, .op = "deleteAccessEntry", .gate = api_key_access_list_may, .run = svc_verb_delete)
};

static bool api_key_access_list_may(svc_call *c)
{
  svc_id org;
  if (!svc_resolve(c, 2)) return false;
  org = c->scope.org;
  if (c->who.kind == SVC_WHO_KEY && svc_id_eq(&c->who.id, &svc_path_entity(c, "API key")->id)) return true;
  return svc_roles_on(c, NULL, &org) & SVC_R_ORG_OWNER ? true : svc_lacks_role(c, SVC_R_ORG_OWNER);
}

static void api_key_access_list_used(svc_call *c, svc_node *body, const svc_use *use)
{
  svc_node_set_i64(c->arena, body, "count", svc_node_i64(body, "count", 0) + use->count);
  svc_node_set_date(c->arena, body, "lastUsed", use->last);
  svc_node_set_text(c->arena, body, "lastUsedAddress", use->address);
}

static const svc_access_ops api_key_access_list_access = { .used = api_key_access_list_used };

SVC_PRIVATE const svc_noun svc_noun_api_key_access_list = {
  .name = "API key access list entry",
  .rel = "accessListEntry",
  .kind = "akal",
  .parent = "API key",
  .param = "ipAddress",
  .flags = SVC_EVENT_PARENT,
  .object = &api_key_access_list_object,
  .key = "ipAddress",
  .unique = "ipAddress",
  .err_not_found = SVC_E_ACCESS_LIST_NOT_FOUND,
  .err_exists = SVC_E_ADDRESS_ALREADY_IN_ACCESS_LIST,
  .most = 200,
  .err_quota = SVC_E_NETWORK_PERMISSIONS_LIMIT_EXCEEDED,
  .event_created = "API_KEY_ACCESS_LIST_ENTRY_ADDED",
  .event_deleted = "API_KEY_ACCESS_LIST_ENTRY_DELETED",
  .event_field = "whitelistEntry",
  .routes = SVC_ROUTES(api_key_access_list_routes),
  .removing = svc_access_removing,
  .ext = SVC_NOUN_EXT(.spell = svc_access_spell, .access = &api_key_access_list_access)
};

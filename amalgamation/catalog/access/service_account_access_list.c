/*
** The access list of a service account: the addresses and ranges from which its tokens may be used, and how often each
** entry admitted one. The list restricts the use of tokens, but not their issue.
*/
#include "catalog/access/account_parts.h"
#include "catalog/objects.h"

static const svc_field service_account_access_list_fields[] = {
  F_STR("cidrBlock", .flags = SVC_NULLABLE),
  F_CREATED("createdAt"),
  F_STR("ipAddress", .flags = SVC_NULLABLE),
  F_STR("lastUsedAddress", .flags = SVC_READ_ONLY),
  F_DATE("lastUsedAt", .flags = SVC_READ_ONLY),
  F_INT("requestCount", .flags = SVC_READ_ONLY, .preset = "0")
};
static const svc_object service_account_access_list_object = { .name = "ServiceAccountAccessListEntry",
                                                               .fields = SVC_ROWS(service_account_access_list_fields),
                                                               .ext = SVC_OBJECT_EXT(.needs = svc_needs_access_entry) };

#define SERVICE_ACCOUNT_ORG_LIST \
  "/orgs/{orgId}/serviceAccounts/{clientId}/accessList", SVC_SET_ORGANIZATION_SERVICE_ACCOUNTS, (20240805), \
    SVC_R_ORG_READ_ONLY, SVC_R_ORG_OWNER
#define SERVICE_ACCOUNT_GROUP_LIST \
  "/groups/{groupId}/serviceAccounts/{clientId}/accessList", SVC_SET_PROJECT_SERVICE_ACCOUNTS, (20240805), \
    SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_ACCESS_MANAGER
#define SERVICE_ACCOUNT_LIST_EXAMPLE "[{\"ipAddress\":\"192.0.2.1\"},{\"cidrBlock\":\"198.51.100.0/24\"}]"

static bool service_account_access_list_managed(svc_call *c);

static const svc_route service_account_access_list_routes[] = {
  R_GET(SERVICE_ACCOUNT_ORG_LIST, "", .flags = SVC_PAGED, .op = "listOrgAccessList", .run = svc_verb_list),
  R_POST(SERVICE_ACCOUNT_ORG_LIST, "", .status = 201, .flags = SVC_PAGED | SVC_BODY_ARRAY, .op = "createOrgAccessList", .run = svc_access_add,
         .example = SERVICE_ACCOUNT_LIST_EXAMPLE),
  R_DELETE(SERVICE_ACCOUNT_ORG_LIST, "/{ipAddress}", .status = 204, .op = "deleteOrgAccessEntry", .run = svc_verb_delete),
  R_GET(SERVICE_ACCOUNT_GROUP_LIST, "", .flags = SVC_PAGED, .op = "listAccessList", .gate = svc_account_seen, .run = svc_verb_list),
  R_POST(SERVICE_ACCOUNT_GROUP_LIST, "", .status = 201, .flags = SVC_PAGED | SVC_BODY_ARRAY, .op = "createAccessList", .gate = service_account_access_list_managed, .run = svc_access_add,
         .example = SERVICE_ACCOUNT_LIST_EXAMPLE),
  R_DELETE(SERVICE_ACCOUNT_GROUP_LIST, "/{ipAddress}", .status = 204, .op = "deleteGroupAccessEntry", .gate = service_account_access_list_managed, .run = svc_verb_delete)
};

static bool service_account_access_list_managed(svc_call *c)
{
  return svc_account_seen(c) && svc_may_shut_out(c, svc_path_entity(c, "service account"));
}

static void service_account_access_list_used(svc_call *c, svc_node *body, const svc_use *use)
{
  svc_node_set_text(c->arena, body, "lastUsedAddress", use->address);
  svc_node_set_date(c->arena, body, "lastUsedAt", use->last);
  svc_node_set_i64(c->arena, body, "requestCount", svc_node_i64(body, "requestCount", 0) + use->count);
}

static const svc_access_ops service_account_access_list_access = { .used = service_account_access_list_used };

SVC_PRIVATE const svc_noun svc_noun_service_account_access_list = {
  .name = "service account access list entry",
  .rel = "accessListEntry",
  .kind = "saal",
  .parent = "service account",
  .param = "ipAddress",
  .flags = SVC_EVENT_PARENT,
  .object = &service_account_access_list_object,
  .key = "ipAddress",
  .unique = "ipAddress",
  .err_not_found = SVC_E_ACCESS_LIST_NOT_FOUND,
  .err_exists = SVC_E_ADDRESS_ALREADY_IN_ACCESS_LIST,
  .most = 200,
  .err_quota = SVC_E_NETWORK_PERMISSIONS_LIMIT_EXCEEDED,
  .event_created = "SERVICE_ACCOUNT_ACCESS_LIST_ENTRY_ADDED",
  .event_deleted = "SERVICE_ACCOUNT_ACCESS_LIST_ENTRY_DELETED",
  .event_field = "whitelistEntry",
  .routes = SVC_ROUTES(service_account_access_list_routes),
  .removing = svc_access_removing,
  .ext = SVC_NOUN_EXT(.spell = svc_access_spell, .access = &service_account_access_list_access)
};

/*
** Service account: the recommended way to authenticate. A client gets an access token for its client id and secret
** (access_token.c). An account belongs to an organization and holds roles there and in its projects. Below a project, only
** accounts with roles there are visible, with their roles there.
**
** Its secrets are a noun of their own (service_account_secret.c); account_secrets.c stores them in front of its roles.
*/
#include "catalog/access/account_parts.h"
#include "catalog/objects.h"

#define SERVICE_ACCOUNT_TEXT "^[\\p{L}\\p{N}\\-_.,' ]*$"

static const svc_field service_account_common_fields[] = {
  F_STR("clientId", .flags = SVC_READ_ONLY),
  F_CREATED("createdAt"),
  F_STR("description", .flags = SVC_REQUIRED, .pattern = SERVICE_ACCOUNT_TEXT, .min = 1, .max = 250),
  F_STR("name", .flags = SVC_REQUIRED, .pattern = SERVICE_ACCOUNT_TEXT, .min = 1, .max = 64),
  F_LIST("secrets", &svc_object_account_secret, .flags = SVC_READ_ONLY)
};
static const svc_object service_account_common = { .name = "ServiceAccountCommon", .fields = SVC_ROWS(service_account_common_fields) };

/* Below a project, `roles` has project roles; below the organization, organization roles. */
static const svc_field service_account_fields[] = { F_STRS("roles", .flags = SVC_REQUIRED | SVC_NOT_EMPTY) };
static const svc_object service_account_object = { .name = "GroupServiceAccount", .base = &service_account_common,
                                                   .fields = SVC_ROWS(service_account_fields) };
static const svc_field service_account_org_fields[] = {
  F_STRS("roles", .values = svc_values_org_roles, .flags = SVC_REQUIRED | SVC_NOT_EMPTY)
};
static const svc_object service_account_org_object = { .name = "OrgServiceAccount", .base = &service_account_common,
                                                       .fields = SVC_ROWS(service_account_org_fields) };

/* Requests that create an account also ask for its first secret. */
static const svc_field service_account_hours_fields[] = { SVC_ACCOUNT_HOURS };
static const svc_object service_account_org_new = { .name = "OrgServiceAccountRequest", .base = &service_account_org_object,
                                                    .fields = SVC_ROWS(service_account_hours_fields) };
static const svc_object service_account_group_new = { .name = "GroupServiceAccountRequest", .base = &service_account_object,
                                                      .fields = SVC_ROWS(service_account_hours_fields) };

static const svc_field service_account_group_fields[] = {
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_STRS("roles", .flags = SVC_READ_ONLY)
};
static const svc_object service_account_group_object = { .name = "ServiceAccountGroup", .fields = SVC_ROWS(service_account_group_fields) };

/* The service creates no accounts of its own: the list is the same with or without system-managed accounts. */
static const svc_param service_account_list_params[] = { { .name = "includeSystemManaged", .type = SVC_BOOLEAN, .flags = SVC_PARAM_MOOT }, { .name = NULL } };

static bool service_account_create(svc_call *c);
static svc_node *service_account_view(svc_call *c, const svc_entity *e);
static bool service_account_update(svc_call *c);
static bool service_account_invite(svc_call *c);
static bool service_account_withdraw(svc_call *c);
static bool service_account_groups(svc_call *c);

#define SERVICE_ACCOUNT_ORG \
  "/orgs/{orgId}/serviceAccounts", SVC_SET_ORGANIZATION_SERVICE_ACCOUNTS, (20240805), SVC_R_ORG_READ_ONLY, SVC_R_ORG_OWNER
#define SERVICE_ACCOUNT_GROUP \
  "/groups/{groupId}/serviceAccounts", SVC_SET_PROJECT_SERVICE_ACCOUNTS, (20240805), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER
static const svc_route_ext service_account_seen = { .view = service_account_view };
static const svc_route_ext service_account_assigned = { .view = service_account_view, .keep = svc_keep_assigned };

static const svc_route service_account_routes[] = {
  R_GET(SERVICE_ACCOUNT_ORG, "", .answer = &service_account_org_object, .flags = SVC_PAGED, .params = service_account_list_params, .op = "listOrgServiceAccounts", .run = svc_verb_list),
  R_POST(SERVICE_ACCOUNT_ORG, "", .status = 201, .body = &service_account_org_new, .answer = &service_account_org_object, .op = "createOrgServiceAccount", .run = service_account_create,
         .example = "{\"name\":\"deployer\",\"description\":\"deploys\",\"roles\":[\"ORG_MEMBER\"],"
                    "\"secretExpiresAfterHours\":720}"),
  R_GET(SERVICE_ACCOUNT_ORG, "/{clientId}", .answer = &service_account_org_object, .op = "getOrgServiceAccount", .run = svc_verb_read),
  R_PATCH(SERVICE_ACCOUNT_ORG, "/{clientId}", .body = &service_account_org_object, .answer = &service_account_org_object, .op = "updateOrgServiceAccount", .run = service_account_update),
  R_DELETE(SERVICE_ACCOUNT_ORG, "/{clientId}", .status = 204, .op = "deleteOrgServiceAccount", .run = svc_verb_delete),
  R_GET(SERVICE_ACCOUNT_ORG, "/{clientId}/groups", .flags = SVC_PAGED, .answer = &service_account_group_object,
        .op = "getServiceAccountGroups", .run = service_account_groups),
  R_GET(SERVICE_ACCOUNT_GROUP, "", .flags = SVC_PAGED, .params = service_account_list_params,
        .ext = &service_account_seen, .op = "listGroupServiceAccounts", .run = svc_list_assigned),
  R_POST(SERVICE_ACCOUNT_GROUP, "", .ext = &service_account_seen, .body = &service_account_group_new, .status = 201, .op = "createGroupServiceAccount", .run = service_account_create,
         .example = "{\"name\":\"builder\",\"description\":\"builds\",\"roles\":[\"GROUP_READ_ONLY\"],"
                    "\"secretExpiresAfterHours\":720}"),
  R_GET(SERVICE_ACCOUNT_GROUP, "/{clientId}", .ext = &service_account_assigned, .op = "getGroupServiceAccount", .run = svc_verb_read),
  R_PATCH(SERVICE_ACCOUNT_GROUP, "/{clientId}", .ext = &service_account_assigned, .op = "updateGroupServiceAccount", .run = service_account_update),
  R_DELETE(SERVICE_ACCOUNT_GROUP, "/{clientId}", .status = 204, .ext = &service_account_assigned,
           .op = "deleteGroupServiceAccount", .run = service_account_withdraw),
  R_FOR(SVC_R_ORG_OWNER, SERVICE_ACCOUNT_GROUP, SVC_POST, "/{clientId}:invite", .ext = &service_account_seen,
        .body = &svc_object_roles, .op = "inviteGroupServiceAccount", .run = service_account_invite, .example = "{\"roles\":[\"GROUP_OWNER\"]}")
};

/* --------------------------------------------------------------------------------------------------------------- scope */

/* An account as seen from a project: with its roles there. */
static svc_node *service_account_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *roles = svc_names_array(c, svc_names_here(c, e), "roles");
  if (!body || !roles) return NULL;
  svc_node_put(c->arena, body, roles);
  return body;
}

/* Changes only the roles in the path's scope. The record may stay unchanged, so the event is written here. */
static bool service_account_assign(svc_call *c, svc_change *change, svc_str names, const char *event)
{
  svc_str verifier, lines, before = svc_names_here(c, &change->entity);
  svc_entity e;
  if (!svc_credential_unpack(change->entity.extra, &verifier, &lines)) return svc_store_failed(c, SVC_CORRUPT);
  change->event = NULL;
  if (!svc_account_store(c, change, verifier, svc_lines_same(before, names) ? before : names, &e)) return false;
  return svc_lines_same(before, names) || svc_event_about(c, change->noun, &e, event, false);
}

/* ---------------------------------------------------------------------------------------------------------- operations */

/* Creates an account with a first secret and these roles on its organization. *answer: its body with the secret. */
static bool service_account_make(svc_call *c, const svc_id *org, const svc_node *request, svc_str assignments, svc_entity *e,
                                 svc_node **answer)
{
  svc_change change;
  svc_node *record, *secrets, *roles;
  svc_str secret = svc_account_secret_text(c), verifiers = svc_credential_pack(c->arena, SVC_S(""), assignments);
  svc_str org_text = svc_id_str(c->arena, org);
  svc_id secret_id;
  memset(&change, 0, sizeof change);
  change.noun = c->s->seats[SVC_SEAT_ACCOUNT];
  change.parent = *org;
  change.event = c->s->seats[SVC_SEAT_ACCOUNT]->noun->event_created;
  change.body = svc_node_object(c->arena, NULL);
  secret_id = svc_new_id(c->txn);
  record = secret.n ? svc_account_secret_record(c, &secret_id, svc_node_i64(request, "secretExpiresAfterHours", SVC_ACCOUNT_LEAST_HOURS), secret,
                                                &verifiers) : NULL;
  secrets = svc_node_array(c->arena, "secrets");
  roles = svc_names_array(c, svc_assignments_names(c, assignments, org_text), "roles");
  if (c->error.code) return false;
  if (!record || !secrets || !roles || !change.body) return svc_no_memory(c);
  svc_node_append(secrets, record);
  change.id = svc_new_id(c->txn);
  svc_node_set_str(c->arena, change.body, "clientId",
                   svc_arena_print(c->arena, "%s%s", svc_value_text(c->s, c->arena, "svc_sa_id_").p,
                                   svc_id_str(c->arena, &change.id).p));
  svc_node_set_from(c->arena, change.body, "description", request, "description");
  svc_node_set_from(c->arena, change.body, "name", request, "name");
  svc_node_put(c->arena, change.body, roles);
  svc_node_put(c->arena, change.body, secrets);
  change.extra = verifiers;
  if (!svc_insert(c, &change, e)) return false;
  *answer = svc_node_copy(c->arena, change.body);
  record = svc_account_secret_show(c, record, secret);
  secrets = svc_node_array(c->arena, "secrets");
  if (!*answer || !record || !secrets) return svc_no_memory(c);
  svc_node_append(secrets, record);
  svc_node_put(c->arena, *answer, secrets);
  return true;
}

static bool service_account_create(svc_call *c)
{
  const svc_node *roles = svc_node_get(c->checked, "roles");
  svc_node *answer = NULL, *shown;
  svc_entity e;
  svc_str on, names, lines = SVC_S("");
  svc_id org;
  int level;
  if (!svc_resolve_all(c)) return false;
  org = c->scope.org;
  on = svc_call_scope(c, &level);
  if (!svc_roles_check(c, roles, level, "roles")) return false;
  names = svc_names_from(c, roles);
  if (level == SVC_SCOPE_ORGANIZATION) lines = svc_assignments_set(c, lines, on, names);
  if (!service_account_make(c, &org, c->body, lines, &e, &answer)) return false;
  if ((level == SVC_SCOPE_GROUP && !svc_names_put(c, &e, names)) || !svc_answer_entity(c, &e)) return false;
  svc_answer_keep(c); /* a retry gets the account as seen from here, without the secret */
  shown = svc_names_array(c, names, "roles");
  if (shown) svc_node_put(c->arena, answer, shown);
  return svc_answer_body(c, answer);
}

static bool service_account_differs(const svc_change *change, const char *field)
{
  return !svc_node_eq(change->before, field, svc_node_str(change->body, field));
}

/* The body without members that leave something unchanged. */
static svc_node *service_account_input(svc_call *c, svc_str names)
{
  static const char *const texts[] = { "description", "name" };
  svc_node *input = svc_node_copy(c->arena, c->body);
  const svc_node *roles = svc_node_get(input, "roles");
  size_t i;
  for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    const svc_node *text = svc_node_get(input, texts[i]);
    if (text && text->type == SVC_J_NULL) svc_node_drop(input, texts[i]); /* null: unchanged */
  }
  if (roles && roles->type == SVC_J_ARRAY && !roles->first && names.n == 0)
    svc_node_drop(input, "roles"); /* no roles, as a GET shows an account that has only roles on projects */
  return input;
}

/* A change of both details and roles writes two events. */
static bool service_account_update(svc_call *c)
{
  svc_str verifier, names, before;
  const svc_node *roles;
  svc_node *input;
  svc_change change;
  svc_entity e;
  bool details;
  int level;
  if (!svc_account_target(c, &change, &verifier, &names)) return false;
  before = names;
  input = service_account_input(c, names);
  if (!input) return svc_no_memory(c);
  roles = svc_node_get(input, "roles");
  svc_call_scope(c, &level);
  change.body = svc_check(c, c->plan->route->body ? c->plan->route->body : &service_account_object, input, change.before, SVC_CHECK_UPDATE);
  if (!svc_check_done(c) || (roles && !svc_roles_check(c, roles, level, "roles"))) return false;
  if (roles) names = svc_names_from(c, roles);
  details = service_account_differs(&change, "name") || service_account_differs(&change, "description");
  if ((details && !svc_may_manage(c, &change.entity)) || !svc_may_grant(c, before, names)) return false;
  if (!details) return service_account_assign(c, &change, names, "SERVICE_ACCOUNT_ROLES_CHANGED");
  change.event = "SERVICE_ACCOUNT_DETAILS_CHANGED";
  if (!svc_account_store(c, &change, verifier, names, &e)) return false;
  return svc_lines_same(before, names) || svc_event_about(c, change.noun, &e, "SERVICE_ACCOUNT_ROLES_CHANGED", false);
}

static bool service_account_invite(svc_call *c)
{
  const svc_node *roles = svc_node_get(c->checked, "roles");
  svc_change change;
  if (!svc_change_begin(c, &change) || !svc_roles_check(c, roles, SVC_SCOPE_GROUP, "roles")) return false;
  return service_account_assign(c, &change, svc_names_from(c, roles), "SERVICE_ACCOUNT_ADDED_TO_GROUP");
}

static bool service_account_withdraw(svc_call *c)
{
  svc_change change;
  if (!svc_change_begin(c, &change)) return false;
  if (svc_holds_only_here(c, &change.entity) && !svc_credential_removing(c, &change.entity)) return false;
  return service_account_assign(c, &change, SVC_S(""), "SERVICE_ACCOUNT_REMOVED_FROM_GROUP") && svc_answer_nothing(c);
}

/* --------------------------------------------------------------------------------------------------------------- lists */

/* Item source: its projects. */
static bool service_account_next_group(svc_call *c, void *state, svc_item *out)
{
  svc_node *body, *roles;
  svc_holding one;
  if (!svc_holdings_next(state, &one)) {
    svc_txn_good(c);
    return false;
  }
  if (!out) return true;
  body = svc_node_object(c->arena, NULL);
  roles = svc_names_array(c, one.roles, "roles");
  if (!body || !roles) return svc_no_memory(c);
  svc_node_set_id(c->arena, body, "groupId", &one.group);
  svc_node_put(c->arena, body, roles);
  svc_item_node(c, out, SVC_S(""), body);
  return true;
}

static bool service_account_groups(svc_call *c)
{
  const svc_entity *e;
  svc_scan scan;
  if (!svc_resolve_all(c)) return false;
  e = svc_path_entity(c, "service account");
  svc_holdings_begin(&scan, c->txn, &e->id, &e->parent);
  return svc_list_items(c, service_account_next_group, &scan, (int64_t)svc_count(c->txn, e->kind, &e->id));
}

/* Removes the verifier of a deleted secret. */
static bool service_account_prepare(svc_call *c, svc_change *change)
{
  return !change->before || svc_account_forget(c, svc_node_get(change->body, "secrets"), &change->extra);
}

static const svc_credential_ops service_account_credential = { .make = service_account_make, .opens = svc_account_opens, .lasts = svc_account_lasts };

static const svc_field_error service_account_errors[] = {
  { "roles[]", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_ROLE_FOR_ORG },
  { NULL, 0, 0 }
};

static const svc_event_member service_account_event_members[] = { { "clientId", "clientId", NULL }, { NULL, NULL, NULL } };

SVC_PRIVATE const svc_noun svc_noun_service_account = {
  .name = "service account",
  .rel = "serviceAccount",
  .kind = "sacc",
  .parent = "organization",
  .param = "clientId",
  .seat = SVC_SEAT_ACCOUNT,
  .object = &service_account_object,
  .key = "clientId",
  .unique = "clientId",
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .err_exists = SVC_E_INVALID_ATTRIBUTE,
  .most = 200,
  .err_quota = SVC_E_MAX_API_KEYS_PER_ORG_EXCEEDED,
  .event_created = "SERVICE_ACCOUNT_CREATED",
  .event_deleted = "SERVICE_ACCOUNT_DELETED",
  .event_field = "resourceId",
  .ext = SVC_NOUN_EXT(.event_members = service_account_event_members, .credential = &service_account_credential),
  .field_errors = service_account_errors,
  .routes = SVC_ROUTES(service_account_routes),
  .prepare = service_account_prepare,
  .removing = svc_credential_removing,
  .gone = svc_holder_gone
};

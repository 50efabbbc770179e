/*
** API key: a pair of a public and a private key, the older way to authenticate (HTTP Digest). A key belongs to an
** organization and holds roles there and in its projects. Below a project, only the keys with a role there are visible,
** and only their roles there, unless the caller sees all projects of the organization.
**
** Only the answer to its creation shows the private key. The store has a verifier for Digest, next to the roles on the
** organization, where authentication reads both without parsing.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"

#define API_KEY_PUBLIC 8
#define API_KEY_PRIVATE 36
#define API_KEY_TRIES 16 /* attempts to find an unused public key; so many collisions are no accident, and other writers are waiting */

/* Roles are sent as names, and shown as objects with roleName; both forms are accepted. */
#define API_KEY_FIELDS(...) \
  F_STR("desc", .flags = SVC_REQUIRED, .min = 1, .max = 250), F_ID(), F_STR("privateKey", .flags = SVC_READ_ONLY), \
  F_STR("publicKey", .flags = SVC_READ_ONLY), { .name = "roles", .type = SVC_ARRAY, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, __VA_ARGS__ }
static const svc_field api_key_fields[] = { API_KEY_FIELDS(.item = SVC_NAME, .values = svc_values_org_roles) };
static const svc_object api_key_object = { .name = "ApiKeyRequest", .fields = SVC_ROWS(api_key_fields) };
/* The same below a project, with project roles. */
static const svc_field api_key_group_fields[] = { API_KEY_FIELDS(.item = SVC_ANY) };
static const svc_object api_key_group_object = { .name = "GroupApiKeyRequest", .fields = SVC_ROWS(api_key_group_fields) };

/* The shown form. */
static const svc_field api_key_role_fields[] = {
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_HEX24("orgId", .flags = SVC_READ_ONLY),
  F_STR("roleName", .flags = SVC_READ_ONLY)
};
static const svc_object api_key_role = { .name = "ApiKeyRole", .fields = SVC_ROWS(api_key_role_fields) };
static const svc_field api_key_shown_fields[] = {
  F_STR("desc", .flags = SVC_READ_ONLY),
  F_ID(),
  F_STR("privateKey", .flags = SVC_READ_ONLY),
  F_STR("publicKey", .flags = SVC_READ_ONLY),
  F_LIST("roles", &api_key_role, .flags = SVC_READ_ONLY)
};
static const svc_object api_key_shown = { .name = "ApiKey", .fields = SVC_ROWS(api_key_shown_fields) };
#define API_KEY_SHOWN .answer = &api_key_shown

static const svc_field api_key_assign_fields[] = {
  F_STRS("roles", .flags = SVC_REQUIRED | SVC_NOT_EMPTY),
  F_HEX24("userId", .flags = SVC_READ_ONLY)
};
static const svc_object api_key_assign_object = { .name = "ApiKeyAssignment", .fields = SVC_ROWS(api_key_assign_fields) };

static bool api_key_create(svc_call *c);
static bool api_key_update(svc_call *c);
static bool api_key_assign(svc_call *c);
static bool api_key_withdraw(svc_call *c);

#define API_KEY_ORG "/orgs/{orgId}/apiKeys", SVC_SET_ORGANIZATION_API_KEYS, (20230101), SVC_R_ORG_MEMBER, SVC_R_ORG_OWNER
#define API_KEY_GROUP \
  "/groups/{groupId}/apiKeys", SVC_SET_PROJECT_API_KEYS, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_ACCESS_MANAGER

/* Clients send these parameters along; the answer is a single key without pages. */
static const svc_param api_key_paging[] = {
  { .name = "includeCount", .type = SVC_BOOLEAN, .flags = SVC_PARAM_MOOT },
  { .name = "itemsPerPage", .type = SVC_INT32, .min = 1, .max = 500, .flags = SVC_PARAM_MOOT },
  { .name = "pageNum", .type = SVC_INT32, .min = 1, .max = INT32_MAX, .flags = SVC_PARAM_MOOT },
  { .name = NULL }
};

static const svc_route api_key_routes[] = {
  R_GET(API_KEY_ORG, "", API_KEY_SHOWN, .flags = SVC_PAGED, .op = "listOrgApiKeys", .run = svc_verb_list),
  R_POST(API_KEY_ORG, "", API_KEY_SHOWN, .status = 201, .op = "createOrgApiKey", .run = api_key_create,
         .example = "{\"desc\":\"for the nightly job\",\"roles\":[\"ORG_READ_ONLY\"]}"),
  R_GET(API_KEY_ORG, "/{apiUserId}", API_KEY_SHOWN, .op = "getOrgApiKey", .run = svc_verb_read),
  R_PATCH(API_KEY_ORG, "/{apiUserId}", API_KEY_SHOWN, .op = "updateOrgApiKey", .run = api_key_update),
  R_DELETE(API_KEY_ORG, "/{apiUserId}", .status = 204, .op = "deleteOrgApiKey", .run = svc_verb_delete),
  R_GET(API_KEY_GROUP, "", API_KEY_SHOWN, .flags = SVC_PAGED, .op = "listGroupApiKeys", .run = svc_list_assigned),
  R_POST(API_KEY_GROUP, "", API_KEY_SHOWN, .body = &api_key_group_object, .status = 201, .op = "createGroupApiKey", .run = api_key_create,
         .example = "{\"desc\":\"for one project\",\"roles\":[\"GROUP_READ_ONLY\"]}"),
  R_FOR(SVC_R_GROUP_OWNER, API_KEY_GROUP, SVC_POST, "/{apiUserId}", .status = 204, .flags = SVC_BODY_ARRAY,
        .body = &api_key_assign_object, .op = "addGroupApiKey", .run = api_key_assign, .example = "[{\"roles\":[\"GROUP_READ_ONLY\"]}]"),
  R_PATCH(API_KEY_GROUP, "/{apiUserId}", API_KEY_SHOWN, .body = &api_key_group_object, .params = api_key_paging, .op = "updateApiKeyRoles", .run = api_key_update,
          .ext = SVC_ROUTE_EXT(.keep = svc_keep_assigned)),
  R_DELETE(API_KEY_GROUP, "/{apiUserId}", .status = 204, .op = "removeGroupApiKey", .run = api_key_withdraw,
           .ext = SVC_ROUTE_EXT(.keep = svc_keep_assigned))
};

/* The operation that changes the roles determines their event. */
static const svc_field_event api_key_events[] = {
  { "desc", "API_KEY_DESCRIPTION_CHANGED", NULL },
  { NULL, NULL, NULL }
};

/* --------------------------------------------------------------------------------------------------------------- roles */

/* The resource of an element in the shown form; "": the element is only a name, and means the path's scope. */
static svc_str api_key_shown_on(const svc_node *item)
{
  svc_str group = svc_node_str(item, "groupId");
  return group.n ? group : svc_node_str(item, "orgId");
}

/* Whether the key has this role outside of the path's scope. */
static bool api_key_holds(svc_call *c, const svc_entity *e, svc_str on, svc_str role)
{
  svc_id group;
  if (svc_assignments_have(svc_assignments_of(e), role, on)) return true;
  return svc_id_parse(on, &group) && svc_lines_have(svc_holding_get(c->txn, &e->id, &e->parent, &group), role);
}

/*
** The names of the roles in the path's scope after a change; e NULL: of a new key. Elements in the shown form may name
** other scopes, but only with roles that the key has there already. The key keeps its roles there, whether listed or not.
*/
static bool api_key_names(svc_call *c, const svc_entity *e, const svc_node *roles, svc_str *out)
{
  int level;
  svc_str on = svc_call_scope(c, &level);
  svc_node *own = svc_node_array(c->arena, "roles");
  const svc_node *item;
  if (!own) return svc_no_memory(c);
  for (item = roles->first; item; item = item->next) {
    svc_str where = item->type == SVC_J_OBJECT ? api_key_shown_on(item) : SVC_S(""), name = svc_node_str(item, "roleName");
    if (where.n == 0 || svc_str_eq(where, on)) {
      svc_node *copy = svc_node_copy(c->arena, item);
      if (!copy) return svc_no_memory(c);
      svc_node_append(own, copy);
    } else if (name.n == 0 || !e || !api_key_holds(c, e, where, name))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("roles"), "cannot set roles outside of the path's own scope");
  }
  if (!svc_check_done(c) || !svc_roles_check(c, own, level, "roles")) return false;
  *out = svc_names_from(c, own);
  return true;
}

/* The roles in their shown form. */
static svc_node *api_key_roles(svc_call *c, const svc_entity *e)
{
  svc_node *list = svc_node_array(c->arena, "roles");
  svc_id group = c->scope.group;
  bool below = !svc_id_is_zero(&group);
  svc_holding one;
  svc_scan scan;
  if (!list) return NULL;
  if (below && !(svc_roles_on(c, NULL, &e->parent) & SVC_R_GROUP_READ_ONLY))
    return svc_names_objects(c, list, svc_names_here(c, e), "groupId", &group) ? list : NULL;
  if (!svc_names_objects(c, list, svc_assignments_names(c, svc_assignments_of(e), svc_id_str(c->arena, &e->parent)), "orgId",
                         &e->parent))
    return NULL;
  svc_holdings_begin(&scan, c->txn, &e->id, &e->parent);
  while (svc_holdings_next(&scan, &one))
    if (!svc_names_objects(c, list, one.roles, "groupId", &one.group)) return NULL;
  return svc_txn_good(c) ? list : NULL;
}

static svc_node *api_key_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *roles = body ? api_key_roles(c, e) : NULL;
  if (!roles) return NULL;
  svc_node_put(c->arena, body, roles);
  return body;
}

/* ------------------------------------------------------------------------------------------------------------- secrets */

static bool api_key_make_public(svc_call *c, char out[API_KEY_PUBLIC + 1])
{
  unsigned char random[API_KEY_PUBLIC];
  svc_id scope, id;
  int i, tries;
  for (tries = 0; tries < API_KEY_TRIES; tries++) {
    if (!svc_secret_bytes(c, random, sizeof random)) return false;
    for (i = 0; i < API_KEY_PUBLIC; i++) out[i] = (char)('a' + random[i] % 26);
    out[API_KEY_PUBLIC] = 0;
    if (svc_find_anywhere(c->txn, c->s->seats[SVC_SEAT_KEY]->noun, svc_str_c(out), &scope, &id) != SVC_OK) return true;
  }
  return svc_store_failed(c, SVC_RANDOM);
}

/* A UUID of version 4: 122 random bits. Key and bytes are in the arena, which is wiped. NULL: out of memory, or no random bytes. */
static char *api_key_make_private(svc_call *c)
{
  unsigned char *r = svc_arena_alloc(c->arena, 16);
  char *key = svc_arena_alloc(c->arena, API_KEY_PRIVATE + 1);
  if (!r || !key) {
    (void)svc_no_memory(c);
    return NULL;
  }
  if (!svc_secret_bytes(c, r, 16)) return NULL;
  r[6] = (unsigned char)((r[6] & 0x0F) | 0x40);
  r[8] = (unsigned char)((r[8] & 0x3F) | 0x80);
  snprintf(key, API_KEY_PRIVATE + 1, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", r[0], r[1],
           r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12], r[13], r[14], r[15]);
  return key;
}

/* ---------------------------------------------------------------------------------------------------------- operations */

/* Creates a key with these roles on its organization. *answer: its body with the private key. */
static bool api_key_make(svc_call *c, const svc_id *org, const svc_node *request, svc_str assignments, svc_entity *e,
                         svc_node **answer)
{
  char public_key[API_KEY_PUBLIC + 1], *private_key;
  unsigned char verifier[48];
  svc_change change;
  memset(&change, 0, sizeof change);
  change.noun = c->s->seats[SVC_SEAT_KEY];
  change.parent = *org;
  change.event = c->s->seats[SVC_SEAT_KEY]->noun->event_created;
  change.body = svc_node_object(c->arena, NULL);
  if (!change.body) return svc_no_memory(c);
  if (!api_key_make_public(c, public_key)) return false;
  private_key = api_key_make_private(c);
  if (!private_key) return false;
  if (!svc_digest_verifier(c, svc_str_c(public_key), svc_str_c(private_key), verifier)) return false;
  svc_node_set_from(c->arena, change.body, "desc", request, "desc");
  svc_node_set_text(c->arena, change.body, "publicKey", public_key);
  svc_node_set_str(c->arena, change.body, "privateKey", svc_arena_print(c->arena, "********-****-****-%s", private_key + 24));
  change.extra = svc_credential_pack(c->arena, (svc_str){ (const char *)verifier, sizeof verifier }, assignments);
  if (!svc_insert(c, &change, e)) return false;
  *answer = api_key_view(c, e);
  if (!*answer) return svc_failed(c);
  svc_node_set_text(c->arena, *answer, "privateKey", private_key);
  return true;
}

/* For operations that take a key as proof. */
static bool api_key_opens(svc_call *c, const svc_entity *e, svc_str private_key, svc_id *which, int64_t *until)
{
  unsigned char verifier[48];
  svc_str bytes, assignments;
  if (!svc_digest_verifier(c, e->unique, private_key, verifier)) return false;
  *which = e->id;
  *until = 0;
  return svc_credential_unpack(e->extra, &bytes, &assignments) && bytes.n == sizeof verifier &&
         svc_same_bytes(bytes.p, verifier, sizeof verifier);
}

static bool api_key_create(svc_call *c)
{
  svc_node *answer, *roles;
  svc_entity e;
  svc_str names, lines = SVC_S(""), on;
  svc_id org;
  int level;
  if (!svc_resolve_all(c)) return false;
  org = c->scope.org;
  on = svc_call_scope(c, &level);
  if (!api_key_names(c, NULL, svc_node_get(c->checked, "roles"), &names) || !svc_may_grant(c, SVC_S(""), names)) return false;
  if (level == SVC_SCOPE_ORGANIZATION) lines = svc_assignments_set(c, lines, on, names);
  if (!api_key_make(c, &org, c->checked, lines, &e, &answer)) return false;
  if (level == SVC_SCOPE_GROUP && !svc_names_put(c, &e, names)) return false;
  roles = api_key_roles(c, &e);
  if (!roles) return svc_failed(c);
  svc_node_put(c->arena, answer, roles);
  if (!svc_answer_entity(c, &e)) return false;
  svc_answer_keep(c);
  return svc_answer_body(c, answer);
}

/* Replaces the roles in the path's scope, and stores all other changes. */
static bool api_key_store(svc_call *c, svc_change *change, svc_str names, const char *event, bool shows)
{
  const svc_entity *key = &change->entity;
  svc_str before = svc_names_here(c, key), verifier, lines;
  bool changed = !svc_lines_same(before, names); /* the same roles in another order are no change */
  svc_entity e;
  int level;
  svc_str on = svc_call_scope(c, &level);
  if (!svc_credential_unpack(key->extra, &verifier, &lines)) return svc_store_failed(c, SVC_CORRUPT);
  if (!svc_may_grant(c, before, names)) return false;
  if (changed && level == SVC_SCOPE_GROUP && !svc_names_put(c, key, names)) return false;
  if (changed && level == SVC_SCOPE_ORGANIZATION)
    change->extra = svc_credential_pack(c->arena, verifier, svc_assignments_set(c, lines, on, names));
  svc_node_drop(change->body, "roles");
  change->event = NULL; /* the event of the roles is written below, and the description has its own */
  if (!svc_change_keep(c, change, &e)) return false;
  if (changed && !svc_event_about(c, change->noun, &e, event, false)) return false;
  return shows ? svc_answer_entity(c, &e) : svc_answer_nothing(c);
}

static bool api_key_update(svc_call *c)
{
  svc_change change;
  svc_node *input = svc_node_copy(c->arena, c->body);
  const svc_node *roles, *shown;
  svc_str names;
  if (!input) return svc_no_memory(c);
  if (!svc_change_begin(c, &change)) return false;
  shown = api_key_view(c, &change.entity);
  if (!shown) return svc_failed(c);
  roles = svc_node_get(input, "roles");
  if (roles && roles->type == SVC_J_ARRAY && !roles->first && !svc_node_first(svc_node_get(shown, "roles")))
    svc_node_drop(input, "roles"); /* no roles, as a GET shows a key whose projects with roles were deleted */
  change.body = svc_check(c, &api_key_object, input, shown, SVC_CHECK_UPDATE);
  if (!svc_check_done(c)) return false;
  roles = svc_node_get(input, "roles");
  names = svc_names_here(c, &change.entity);
  if (roles && !api_key_names(c, &change.entity, roles, &names)) return false;
  if (!svc_node_eq(shown, "desc", svc_node_str(change.body, "desc")) && !svc_may_manage(c, &change.entity))
    return false;
  return api_key_store(c, &change, names, "API_KEY_ROLES_CHANGED", true);
}

static bool api_key_assign(svc_call *c)
{
  svc_change change;
  const svc_node *item;
  svc_str names;
  if (!svc_change_begin(c, &change)) return false;
  names = svc_names_here(c, &change.entity);
  for (item = c->checked->first; item; item = item->next) {
    const svc_node *roles = svc_node_get(item, "roles");
    if (!svc_roles_check(c, roles, SVC_SCOPE_GROUP, "roles")) return false;
    names = svc_lines_plus(c, names, svc_names_from(c, roles));
  }
  return api_key_store(c, &change, names, "API_KEY_ADDED_TO_GROUP", false);
}

static bool api_key_withdraw(svc_call *c)
{
  svc_change change;
  if (!svc_change_begin(c, &change)) return false;
  if (svc_holds_only_here(c, &change.entity) && !svc_credential_removing(c, &change.entity)) return false;
  return api_key_store(c, &change, SVC_S(""), "API_KEY_REMOVED_FROM_GROUP", false);
}

static const svc_credential_ops api_key_credential = { .make = api_key_make, .opens = api_key_opens };

static const svc_field_error api_key_errors[] = {
  { "desc", SVC_FIELD_FAULT_VALUE | SVC_FIELD_FAULT_MISSING, SVC_E_API_KEY_REQUIRES_DESCRIPTION },
  { "roles", SVC_FIELD_FAULT_MISSING, SVC_E_MISSING_API_KEY_ROLES },
  { NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_api_key = {
  .name = "API key",
  .rel = "apiKey",
  .kind = "akey",
  .parent = "organization",
  .param = "apiUserId",
  .seat = SVC_SEAT_KEY,
  .object = &api_key_object,
  .unique = "publicKey",
  .err_not_found = SVC_E_API_KEY_NOT_FOUND,
  .err_exists = SVC_E_INVALID_ATTRIBUTE,
  .event_created = "API_KEY_CREATED",
  .event_deleted = "API_KEY_DELETED",
  .event_field = "targetPublicKey",
  .field_errors = api_key_errors,
  .routes = SVC_ROUTES(api_key_routes),
  .removing = svc_credential_removing,
  .gone = svc_holder_gone,
  .view = api_key_view,
  .ext = SVC_NOUN_EXT(.field_events = api_key_events, .credential = &api_key_credential)
};

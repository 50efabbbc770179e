/*
** Project ("group" in paths): owns clusters and their users. A project belongs to an organization, in which its name is
** unique. The operation :migrate moves it to another organization if that organization's policies allow what is in it.
**
** A project cannot be deleted while something in it runs outside of this service, and the error code names it: clusters,
** peering connections, private endpoints of any kind, federated instances, streams, a backup compliance policy (their
** `err_in_use`). Backups are deleted with their cluster. An active backup can therefore only leave resources that exist for
** backups alone: a private endpoint for backups.
*/
#include "catalog/catalog.h"
#include "catalog/objects.h"
#include "catalog/policy/policy_language.h"

static const char *const project_regions[] = { "COMMERCIAL_FEDRAMP_REGIONS_ONLY", "GOV_REGIONS_ONLY", NULL };

static const svc_field project_fields[] = {
  F_LONG("clusterCount", .flags = SVC_READ_ONLY, .preset = "0"),
  F_CREATED("created"),
  F_ID(),
  F_STR("name", .flags = SVC_REQUIRED, SVC_NAMED),
  F_HEX24("orgId", .flags = SVC_REQUIRED | SVC_FIXED),
  F_ENUM("regionUsageRestrictions", project_regions, .flags = SVC_FIXED), /* shown if the create set it: other projects have no
                                                                             restriction */
  F_LIST("tags", &svc_object_tag, .max_items = 50, .preset = "[]"),
  F_BOOL("withDefaultAlertsSettings", .preset = "true")
};
static const svc_object project_object = { .name = "Group", .fields = SVC_ROWS(project_fields) };

static const svc_field project_migrate_fields[] = {
  F_HEX24("destinationOrgId", .flags = SVC_REQUIRED),
  F_STR("destinationOrgPrivateApiKey", .flags = SVC_WRITE_ONLY),
  F_STR("destinationOrgPublicApiKey", .min = 8, .max = 8)
};
static const svc_object project_migrate_object = { .name = "GroupMigrationRequest", .fields = SVC_ROWS(project_migrate_fields) };

static const svc_param project_list_params[] = { { .name = "name" }, { .name = NULL } };
static const svc_filter project_filters[] = { { "name", SVC_PREFIX, "name" }, { NULL, 0, NULL } };
static const svc_param project_create_params[] = { { .name = "projectOwnerId", .format = SVC_FORMAT_ID }, { .name = NULL } };

static bool project_migrate(svc_call *c);

#define PROJECT_LIST "/groups", SVC_SET_PROJECT_LIST, (20230101), 0, 0
#define PROJECT_ONE "/groups/{groupId}", SVC_SET_PROJECTS, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route project_routes[] = {
  R_GET(PROJECT_LIST, "", .flags = SVC_PAGED | SVC_VISIBLE_ONLY, .op = "listGroups", .run = svc_verb_list),
  R_POST(PROJECT_LIST, "", .status = 201, .params = project_create_params, .op = "createGroup", .run = svc_verb_create,
         .example = "{\"name\":\"shop\",\"orgId\":\"5f0000000000000000000001\"}"),
  R_GET(PROJECT_LIST, "/byName/{groupName}", .op = "getGroupByName", .run = svc_verb_read,
        .ext = SVC_ROUTE_EXT(.by = "name")), /* GROUP_NOT_FOUND, as for an id: client tools treat this code as absent */
  R_GET(PROJECT_ONE, "", .op = "getGroup", .run = svc_verb_read),
  R_PATCH(PROJECT_ONE, "", .op = "updateGroup", .run = svc_verb_update),
  R_DELETE(PROJECT_ONE, "", .status = 202, .flags = SVC_EMPTY_OBJECT, .op = "deleteGroup", .run = svc_verb_delete),
  { .method = SVC_POST, .path = "/groups/{groupId}:migrate", .set = SVC_SET_PROJECTS, .versions = { 20240530 },
    .roles = SVC_R_ORG_OWNER, .body = &project_migrate_object, .op = "migrateGroup", .run = project_migrate,
    .example = "{\"destinationOrgId\":\"" SVC_EXAMPLE_ORG "\"}" },
  { .method = SVC_GET, .path = "/orgs/{orgId}/groups", .set = SVC_SET_ORGANIZATIONS, .versions = { 20230101 },
    .roles = SVC_R_ORG_MEMBER, .flags = SVC_PAGED | SVC_VISIBLE_ONLY, .params = project_list_params, .op = "getOrgGroups", .run = svc_verb_list,
    .ext = SVC_ROUTE_EXT(.filters = project_filters) }
};

static const svc_field_event project_events[] = {
  { "name", "GROUP_NAME_CHANGED", NULL },
  { "tags", "GROUP_TAGS_MODIFIED", NULL },
  { "withDefaultAlertsSettings", "GROUP_DEFAULT_ALERTS_SETTINGS_CHANGED", NULL },
  { "orgId", "GROUP_MOVED", NULL },
  { NULL, NULL, NULL }
};

/* Finds the organization that a body names. Refuses unless the caller can see it and has one of these roles on it. */
static bool project_organization(svc_call *c, svc_str text, uint64_t roles, svc_entity *out)
{
  int rc = c->s->org ? svc_get_noun_text_id(c->txn, c->s->org, text, out) : SVC_NOT_FOUND;
  if (rc == SVC_OK && !svc_entity_visible(c, c->s->org, out)) rc = SVC_NOT_FOUND;
  if (rc == SVC_NOT_FOUND) return svc_fail(c, SVC_E_ORG_NOT_FOUND, "S", &text);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  return svc_may_there(c, NULL, &out->id, roles);
}

/* The query may name the first owner, who must be an active member of the organization. */
static bool project_owner_known(svc_call *c, const svc_id *org)
{
  const svc_query_value *wanted = svc_query_get(c, "projectOwnerId");
  svc_str org_text = svc_id_str(c->arena, org);
  svc_member m;
  svc_id user;
  if (!wanted || !svc_id_parse(wanted->text, &user) || !c->s->seats[SVC_SEAT_USER]) return true;
  if (!svc_member_get(c, org, &user, &m)) return false;
  return svc_str_is(m.status, "ACTIVE") ? true : svc_fail(c, SVC_E_USER_NOT_IN_ORG, "SS", &wanted->text, &org_text);
}

/* Refuses if the organization has reached its limit of projects. */
static bool project_within_limit(svc_call *c, const svc_id *org)
{
  int64_t limit = (int64_t)c->s->config.max_projects;
  svc_str id = svc_id_str(c->arena, org);
  if ((int64_t)svc_count(c->txn, c->s->group->noun->kind, org) < limit) return svc_txn_good(c);
  return svc_txn_good(c) && svc_fail(c, SVC_E_MAX_GROUPS_PER_ORG_EXCEEDED, "iS", &limit, &id);
}

static bool project_prepare(svc_call *c, svc_change *change)
{
  svc_str id = svc_node_str(change->body, "orgId");
  svc_entity org;
  if (change->before) /* only :migrate changes orgId: the project moves there */
    return svc_id_parse(id, &change->parent) ? true : svc_store_failed(c, c->txn->error = SVC_CORRUPT);
  if (!project_organization(c, id, SVC_R_ORG_OWNER | SVC_R_ORG_GROUP_CREATOR, &org)) return false;
  change->parent = org.id;
  return project_within_limit(c, &org.id) && project_owner_known(c, &org.id) && svc_alert_defaults(c, change, &org);
}

/* The first owner is the person that the query names, otherwise the caller. */
static bool project_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  const svc_query_value *wanted = svc_query_get(c, "projectOwnerId");
  svc_id user = c->who.id;
  bool owns;
  if (change->before) return true;
  if (wanted && !svc_id_parse(wanted->text, &user)) return true;
  if (!wanted && c->who.kind != SVC_WHO_USER) return svc_credential_owns(c, &e->parent, &e->id);
  return !c->s->seats[SVC_SEAT_USER] || svc_member_own(c, &e->parent, &e->id, &user, &owns);
}

/* Removes all roles on the project, without events of their own: the project's event covers them. */
static bool project_gone(svc_call *c, const svc_entity *e)
{
  svc_holdings_drop_on(c->txn, &e->id, &e->parent);
  return svc_txn_good(c);
}

static bool project_key_opens(svc_call *c, svc_str public_key, svc_str private_key, const svc_id *org)
{
  const svc_noun *noun = c->s->seats[SVC_SEAT_KEY]->noun;
  svc_str bytes, grants;
  svc_id scope, id;
  svc_entity key;
  int64_t until;
  bool anywhere;
  return svc_find_anywhere(c->txn, noun, public_key, &scope, &id) == SVC_OK && svc_id_eq(&scope, org) &&
         svc_entity_get(c->txn, noun->kind, &scope, &id, &key) == SVC_OK &&
         svc_noun_ext_of(noun)->credential->opens(c, &key, private_key, &id, &until) && svc_credential_unpack(key.extra, &bytes, &grants) &&
         svc_assignments_have(grants, SVC_S("ORG_OWNER"), svc_id_str(c->arena, org)) &&
         svc_access_allowed(c, c->s->seats[SVC_SEAT_KEY], &key, &anywhere); /* the key's access list applies here too */
}

/* Finds the destination of a move: the caller must own that organization, or send an API key that owns it. */
static bool project_destination(svc_call *c, svc_id *to)
{
  svc_str text = svc_node_str(c->checked, "destinationOrgId"), public_key, private_key;
  svc_entity org;
  public_key = svc_node_str(c->checked, "destinationOrgPublicApiKey");
  private_key = svc_node_str(c->body, "destinationOrgPrivateApiKey");
  if (public_key.n == 0 && private_key.n == 0) {
    if (!project_organization(c, text, SVC_R_ORG_OWNER, &org)) return false;
    *to = org.id;
    return true;
  }
  if (!c->s->seats[SVC_SEAT_KEY]) return svc_fail(c, SVC_E_FEATURE_UNSUPPORTED, "s", "destinationOrgPublicApiKey");
  if (svc_id_parse(text, to) && project_key_opens(c, public_key, private_key, to)) return true;
  return c->error.code ? false : svc_fail(c, SVC_E_ORG_NOT_FOUND, "S", &text);
}

static bool project_migrate(svc_call *c)
{
  static const svc_id none;
  svc_change change;
  svc_scope left;
  svc_str id;
  svc_id to;
  if (!svc_change_begin(c, &change) || !project_destination(c, &to)) return false;
  left = (svc_scope){ none, change.entity.parent };
  if (!svc_id_eq(&to, &left.org) && (!project_within_limit(c, &to) || !svc_policies_admit(c, &to) || !svc_refs_may_move(c, &change.entity))) return false;
  id = svc_id_str(c->arena, &change.entity.id);
  svc_node_set_id(c->arena, change.body, "orgId", &to);
  if (!svc_change_store(c, &change) || svc_id_eq(&to, &left.org)) return c->error.code == SVC_E_NONE;
  svc_holdings_drop_on(c->txn, &change.entity.id, &left.org); /* roles on the project belong to members of the organization that it
                                                                 leaves */
  return svc_scope_move(c, &change.entity.id, &to) && svc_event_write(c, "GROUP_MOVED_FROM_ORG", &left, "groupId", id);
}

static const svc_field_error project_errors[] = {
  { "name", SVC_FIELD_FAULT_VALUE | SVC_FIELD_FAULT_LONG, SVC_E_INVALID_GROUP_NAME },
  { "orgId", SVC_FIELD_FAULT_MISSING, SVC_E_API_KEY_CREATED_GROUPS_MUST_HAVE_ORG },
  { NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_project = {
  .name = "project",
  .rel = "group",
  .kind = "proj",
  .parent = "organization",
  .param = "groupId",
  .seat = SVC_SEAT_GROUP,
  .flags = SVC_GLOBAL,
  .object = &project_object,
  .unique = "name",
  .err_not_found = SVC_E_GROUP_NOT_FOUND,
  .err_exists = SVC_E_GROUP_ALREADY_EXISTS,
  .err_in_use = SVC_E_ORG_NOT_EMPTY,
  .event_created = "GROUP_CREATED",
  .event_deleted = "GROUP_DELETED",
  .field_errors = project_errors,
  .routes = SVC_ROUTES(project_routes),
  .prepare = project_prepare,
  .stored = project_stored,
  .gone = project_gone,
  .ext = SVC_NOUN_EXT(.err_malformed = SVC_E_INVALID_GROUP_ID, .field_events = project_events)
};

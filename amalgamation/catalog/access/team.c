/*
** Team: people of an organization who share roles on its projects. Its name is unique in the organization. Its members are
** stored with the people (organization_user.c); its roles on projects are in the index of store/holding.c, where
** authentication finds them. Below a project, only teams with roles there are visible, and a team shows its roles there.
**
** A team with roles on a project cannot be deleted. Deleting a team also removes its members from it.
*/
#include "catalog/catalog.h"

static const svc_field team_fields[] = {
  F_ID(),
  F_STR("name", .flags = SVC_REQUIRED, .min = 1, .max = 64),
  { .name = "usernames", .type = SVC_ARRAY, .item = SVC_STRING, .format = SVC_FORMAT_EMAIL,
    .flags = SVC_REQUIRED | SVC_WRITE_ONLY | SVC_UNIQUE_ITEMS }
};
static const svc_object team_object = { .name = "Team", .fields = SVC_ROWS(team_fields) };

/* The answer to a create; afterwards, members are read from a path of their own. */
static const svc_field team_created_fields[] = {
  F_HEX24("id", .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_READ_ONLY),
  F_STRS("usernames", .format = SVC_FORMAT_EMAIL, .flags = SVC_READ_ONLY)
};
static const svc_object team_created_object = { .name = "TeamCreated", .fields = SVC_ROWS(team_created_fields) };

static const svc_field team_update_fields[] = {
  F_ID(),
  F_STR("name", .flags = SVC_REQUIRED, .min = 1, .max = 64)
};
static const svc_object team_update_object = { .name = "TeamUpdate", .fields = SVC_ROWS(team_update_fields) };

static const svc_field team_role_fields[] = {
  F_STRS("roleNames", .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS, .max_items = 100),
  F_HEX24("teamId", .flags = SVC_REQUIRED)
};
static const svc_object team_role_object = { .name = "TeamRole", .fields = SVC_ROWS(team_role_fields) };
static const svc_field team_change_fields[] = {
  F_STRS("roleNames", .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS, .max_items = 100),
  F_HEX24("teamId", .flags = SVC_READ_ONLY) /* the team of the path */
};
static const svc_object team_change_object = { .name = "TeamRoleUpdate", .fields = SVC_ROWS(team_change_fields) };

static bool team_create(svc_call *c);
static bool team_assign(svc_call *c);
static svc_node *team_view(svc_call *c, const svc_entity *e);
static bool team_is_assigned(svc_call *c, const svc_entity *e);
static bool team_update_group(svc_call *c);
static bool team_withdraw(svc_call *c);

#define TEAM_ORG "/orgs/{orgId}/teams", SVC_SET_ORGANIZATION_TEAMS, (20230101), SVC_R_ORG_MEMBER, SVC_R_ORG_OWNER
#define TEAM_GROUP \
  "/groups/{groupId}/teams", SVC_SET_PROJECT_TEAMS, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_ACCESS_MANAGER
static const svc_route_ext team_viewed = { .view = team_view };
#define TEAM_ROLES .answer = &team_role_object, .ext = &team_viewed
static const svc_route_ext team_assigned = { .view = team_view, .keep = team_is_assigned };
#define TEAM_IN_GROUP .answer = &team_role_object, .ext = &team_assigned

static const svc_route team_routes[] = {
  R_GET(TEAM_ORG, "", .flags = SVC_PAGED, .op = "listOrgTeams", .run = svc_verb_list),
  R_POST(TEAM_ORG, "", .status = 201, .answer = &team_created_object, .op = "createOrgTeam", .run = team_create,
         .example = "{\"name\":\"on call\",\"usernames\":[\"ada@example.com\"]}"),
  R_GET(TEAM_ORG, "/byName/{teamName}", .op = "getTeamByName", .run = svc_verb_read,
        .ext = SVC_ROUTE_EXT(.by = "name"), .err_not_found = SVC_E_TEAM_NAME_NOT_FOUND),
  R_GET(TEAM_ORG, "/{teamId}", .op = "getOrgTeam", .run = svc_verb_read),
  R_PATCH(TEAM_ORG, "/{teamId}", .body = &team_update_object, .op = "renameOrgTeam", .run = svc_verb_update),
  R_DELETE(TEAM_ORG, "/{teamId}", .status = 204, .op = "deleteOrgTeam", .run = svc_verb_delete),
  R_GET(TEAM_GROUP, "", .flags = SVC_PAGED, TEAM_ROLES, .op = "listGroupTeams", .run = svc_list_assigned),
  R_POST(TEAM_GROUP, "", TEAM_ROLES, .flags = SVC_PAGED | SVC_BODY_ARRAY, .body = &team_role_object,
         .op = "addGroupTeams", .run = team_assign,
         .example = "[{\"teamId\":\"5f0000000000000000000001\",\"roleNames\":[\"GROUP_READ_ONLY\"]}]"),
  R_GET(TEAM_GROUP, "/{teamId}", TEAM_IN_GROUP, .op = "getGroupTeam", .run = svc_verb_read),
  R_PATCH(TEAM_GROUP, "/{teamId}", .flags = SVC_PAGED, .body = &team_change_object, TEAM_IN_GROUP,
          .op = "updateGroupTeam", .run = team_update_group, .example = "{\"roleNames\":[\"GROUP_CLUSTER_MANAGER\"]}"),
  R_DELETE(TEAM_GROUP, "/{teamId}", .status = 204, TEAM_IN_GROUP, .op = "removeGroupTeam", .run = team_withdraw)
};

/* ------------------------------------------------------------------------------------------------------------- its people */

/* A member of the organization, by name. */
static bool team_person(svc_call *c, const svc_id *org, svc_str name, svc_member *m)
{
  if (!svc_member_named(c, org, name, m)) return false;
  return m->there ? true : svc_fail(c, SVC_E_USERNAME_NOT_FOUND, "S", &name);
}

static bool team_create(svc_call *c)
{
  const svc_node *names = svc_node_get(c->body, "usernames"), *item;
  svc_id org;
  svc_str assignment, name = svc_node_str(c->checked, "name");
  int64_t most = SVC_TEAM_MOST;
  svc_node *answer;
  svc_member m;
  if (!svc_resolve_all(c)) return false;
  org = c->scope.org;
  if (!names->first) return svc_fail(c, SVC_E_CANNOT_CREATE_EMPTY_TEAM, "");
  if (svc_node_count(names) > SVC_TEAM_MOST) return svc_fail(c, SVC_E_MAX_USERS_PER_TEAM_EXCEEDED, "iS", &most, &name);
  for (item = names->first; item; item = item->next)
    if (!team_person(c, &org, item->text, &m)) return false;
  if (!svc_verb_create(c)) return false;
  assignment = svc_team_assignment(c, &org, svc_answered_key(c));
  answer = svc_answer_parsed(c);
  for (item = names->first; item; item = item->next)
    if (!team_person(c, &org, item->text, &m) ||
        !svc_member_put(c, &m, m.status, svc_lines_plus(c, m.assignments, assignment), NULL))
      return false;
  if (!answer) return svc_no_memory(c);
  svc_node_put(c->arena, answer, svc_node_copy(c->arena, names));
  return svc_answer_body(c, answer);
}

/* ------------------------------------------------------------------------------------------------------------- projects */

static bool team_removing(svc_call *c, const svc_entity *e)
{
  svc_str id = svc_id_str(c->arena, &e->id);
  if (svc_count(c->txn, e->kind, &e->id)) return svc_fail(c, SVC_E_CANNOT_DELETE_TEAM_ASSIGNED_TO_PROJECT, "S", &id);
  return svc_team_forget(c, &e->parent, &e->id);
}

/* A team as seen from a project: its roles there. */
static svc_node *team_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  svc_node *names = svc_names_array(c, svc_names_here(c, e), "roleNames");
  if (!body || !names) return NULL;
  svc_node_append(body, names);
  svc_node_set_str(c->arena, body, "teamId", e->key);
  return body;
}

/* A team of the organization without roles on the project has its own error. */
static bool team_is_assigned(svc_call *c, const svc_entity *e)
{
  svc_str group = svc_id_str(c->arena, &c->scope.group);
  return svc_keep_assigned(c, e) || svc_fail(c, SVC_E_TEAM_NOT_IN_GROUP, "SS", &e->key, &group);
}

/* The answer to a change is the whole list. */
static bool team_answer_list(svc_call *c)
{
  svc_answer_none(c);
  return svc_list_assigned(c);
}

static bool team_store(svc_call *c, const svc_entity *e, svc_str names, const char *event)
{
  svc_str before = svc_names_here(c, e);
  if (!svc_may_grant(c, before, names)) return false;
  if (svc_lines_same(before, names)) return true;
  return svc_names_put(c, e, names) && svc_event_about(c, c->plan->noun, e, event, false);
}

static bool team_roles_check(svc_call *c, const svc_node *roles)
{
  if (!svc_node_first(roles)) return svc_fail(c, SVC_E_NO_ROLES_IN_ASSIGNMENT, "");
  return svc_roles_check(c, roles, SVC_SCOPE_GROUP, "roleNames");
}

static bool team_update_group(svc_call *c)
{
  svc_change change;
  const svc_node *roles, *checked, *before;
  if (!svc_change_begin(c, &change)) return false;
  before = team_view(c, &change.entity);
  if (!before) return svc_no_memory(c);
  checked = svc_check(c, &team_change_object, c->body, before, SVC_CHECK_UPDATE);
  if (!svc_check_done(c)) return false;
  roles = svc_node_get(checked, "roleNames");
  if (!team_roles_check(c, roles)) return false;
  return team_store(c, &change.entity, svc_names_from(c, roles), "TEAM_ROLES_MODIFIED") && team_answer_list(c);
}

static bool team_withdraw(svc_call *c)
{
  svc_change change;
  if (!svc_change_begin(c, &change)) return false;
  return team_store(c, &change.entity, SVC_S(""), "TEAM_REMOVED_FROM_GROUP") && svc_answer_nothing(c);
}

/* Adds a team of the body to the project. Called for all teams first without write, then with write. */
static bool team_assign_one(svc_call *c, const svc_node *item, bool write)
{
  const svc_id *org = &c->scope.org;
  svc_str text = svc_node_str(item, "teamId"), org_text = svc_id_str(c->arena, org), names;
  svc_str group = svc_id_str(c->arena, &c->scope.group);
  const svc_node *roles = svc_node_get(item, "roleNames");
  svc_entity e;
  if (!team_roles_check(c, roles)) return false;
  if (svc_entity_get_text_id(c->txn, c->plan->noun->noun->kind, org, text, &e) != SVC_OK)
    return svc_fail(c, SVC_E_TEAM_NOT_IN_ORG, "SS", &text, &org_text);
  if (svc_names_here(c, &e).n) return svc_fail(c, SVC_E_TEAM_EXISTS_IN_GROUP, "SS", &text, &group);
  names = svc_names_from(c, roles);
  return write ? team_store(c, &e, names, "TEAM_ADDED_TO_GROUP") : svc_may_grant(c, SVC_S(""), names);
}

/* Whether the same team is in an earlier element: the team would be in the project already. */
static bool team_stands_before(const svc_node *first, const svc_node *item)
{
  for (; first != item; first = first->next)
    if (svc_node_eq(first, "teamId", svc_node_str(item, "teamId"))) return true;
  return false;
}

static bool team_assign(svc_call *c)
{
  const svc_node *first = c->checked->first, *item;
  svc_str group;
  if (!svc_resolve_all(c)) return false;
  group = svc_id_str(c->arena, &c->scope.group);
  for (item = first; item; item = item->next) {
    svc_str id = svc_node_str(item, "teamId");
    if (!team_assign_one(c, item, false)) return false;
    if (team_stands_before(first, item)) return svc_fail(c, SVC_E_TEAM_EXISTS_IN_GROUP, "SS", &id, &group);
  }
  for (item = first; item; item = item->next)
    if (!team_assign_one(c, item, true)) return false;
  return team_answer_list(c);
}

static const svc_field_error team_errors[] = {
  { "name", SVC_FIELD_FAULT_VALUE | SVC_FIELD_FAULT_LONG, SVC_E_INVALID_TEAM_NAME },
  { "usernames[]", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_EMAIL_ADDRESS },
  { NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_team = {
  .name = "team",
  .kind = "team",
  .parent = "organization",
  .param = "teamId",
  .seat = SVC_SEAT_TEAM,
  .flags = SVC_EVENT_KEY,
  .object = &team_object,
  .unique = "name",
  .err_not_found = SVC_E_TEAM_NOT_FOUND,
  .err_exists = SVC_E_TEAM_NAME_NOT_AVAILABLE,
  .most = 100,
  .err_quota = SVC_E_MAX_TEAMS_PER_ORG_EXCEEDED,
  .event_created = "TEAM_CREATED",
  .event_updated = "TEAM_NAME_CHANGED",
  .event_deleted = "TEAM_DELETED",
  .event_field = "teamId",
  .field_errors = team_errors,
  .routes = SVC_ROUTES(team_routes),
  .removing = team_removing,
  .gone = svc_holder_gone,
};

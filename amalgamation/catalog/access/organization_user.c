/*
** User of an organization: a person as a member, or as somebody who is invited to become one. The person itself is in
** user.c. A user has roles on the organization and on its projects, and is in teams, which have roles of their own
** (team.c). Below a project, only users with roles there are visible, with their roles there; below a team, only its
** members.
**
**   POST of a person who is registered ----> ACTIVE
**   POST of anybody else ----> PENDING ----> INVITATION_EXPIRED, after 30 days
**                                 '--------> ACTIVE, when the person registers, or an owner adds it by another POST
**
** Lists and views are in membership_list.c, the operations on members of teams in membership_team.c. Writes are in
** catalog/member_writing.c, which invitations and teams share.
*/
#include "catalog/access/membership_parts.h"
#include "catalog/objects.h"

static const char *const organization_user_states[] = { "ACTIVE", "INVITATION_EXPIRED", "INVITATION_REJECTED", "PENDING",
                                                        NULL };

static const svc_field organization_user_group_fields[] = {
  F_HEX24("groupId", .flags = SVC_REQUIRED),
  F_STRS("groupRoles", .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS, .max_items = 100)
};
static const svc_object organization_user_group_object = { .name = "GroupRoleAssignment",
                                                           .fields = SVC_ROWS(organization_user_group_fields) };

static const svc_field organization_user_roles_fields[] = {
  F_LIST("groupRoleAssignments", &organization_user_group_object, .max_items = 500),
  F_STRS("orgRoles", .values = svc_values_org_roles, .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS | SVC_NOT_EMPTY, .max_items = 100)
};
static const svc_object organization_user_roles_object = { .name = "OrgUserRoles", .fields = SVC_ROWS(organization_user_roles_fields) };

/* Details of the person: the rows before its roles. */
#define ORGANIZATION_USER_PERSON \
  F_STR("country", .flags = SVC_READ_ONLY), \
  F_DATE("createdAt", .flags = SVC_READ_ONLY), \
  F_STR("firstName", .flags = SVC_READ_ONLY), \
  F_ID(), \
  F_DATE("invitationCreatedAt", .flags = SVC_READ_ONLY), \
  F_DATE("invitationExpiresAt", .flags = SVC_READ_ONLY), \
  F_STR("inviterUsername", .flags = SVC_READ_ONLY), \
  F_DATE("lastAuth", .flags = SVC_READ_ONLY), \
  F_STR("lastName", .flags = SVC_READ_ONLY), \
  F_STR("mobileNumber", .flags = SVC_READ_ONLY), \
  F_ENUM("orgMembershipStatus", organization_user_states, .flags = SVC_READ_ONLY)

static const svc_field organization_user_fields[] = {
  ORGANIZATION_USER_PERSON,
  F_OBJ("roles", &organization_user_roles_object),
  F_TEAM_IDS(),
  F_STR("username", .flags = SVC_READ_ONLY)
};
static const svc_object organization_user_object = { .name = "OrgUser", .fields = SVC_ROWS(organization_user_fields) };

/* The same, seen from a project. */
static const svc_field organization_user_in_group_fields[] = {
  ORGANIZATION_USER_PERSON,
  F_STRS("roles", .flags = SVC_READ_ONLY),
  F_STR("username", .flags = SVC_READ_ONLY)
};
static const svc_object organization_user_in_group_object = { .name = "GroupUser", .fields = SVC_ROWS(organization_user_in_group_fields) };

static const svc_field organization_user_add_fields[] = {
  F_OBJ("roles", &organization_user_roles_object, .flags = SVC_REQUIRED),
  F_TEAM_IDS(),
  F_STR("username", .flags = SVC_REQUIRED, .format = SVC_FORMAT_EMAIL)
};
static const svc_object organization_user_add_object = { .name = "OrgUserRequest", .fields = SVC_ROWS(organization_user_add_fields) };

static const svc_field organization_user_org_role_fields[] = { F_ENUM("orgRole", svc_values_org_roles, .flags = SVC_REQUIRED) };
static const svc_object organization_user_org_role = { .name = "OrgRole", .fields = SVC_ROWS(organization_user_org_role_fields) };

static const svc_field organization_user_org_roles_fields[] = {
  F_STRS("orgRoles", .values = svc_values_org_roles, .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS, .max_items = 100)
};
static const svc_object organization_user_org_roles = { .name = "OrgRoles", .fields = SVC_ROWS(organization_user_org_roles_fields) };

static const svc_field organization_user_group_role_fields[] = { F_STR("groupRole", .flags = SVC_REQUIRED) };
static const svc_object organization_user_group_role = { .name = "GroupRole", .fields = SVC_ROWS(organization_user_group_role_fields) };

static const svc_field organization_user_group_roles_fields[] = {
  F_STRS("groupRoles", .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS, .max_items = 100)
};
static const svc_object organization_user_group_roles = { .name = "GroupRoles",
                                                          .fields = SVC_ROWS(organization_user_group_roles_fields) };

static const svc_field organization_user_id_fields[] = { F_HEX24("id", .flags = SVC_REQUIRED) };
static const svc_object organization_user_id_object = { .name = "UserOfTeam", .fields = SVC_ROWS(organization_user_id_fields) };

#define ORGANIZATION_USER_STATES \
  { .name = "orgMembershipStatus", .values = organization_user_states }, \
  { .name = "orgMembershipStatuses", .values = organization_user_states, .flags = SVC_PARAM_REPEATS, .max_repeats = 4 }
#define ORGANIZATION_USER_NAME { .name = "username", .format = SVC_FORMAT_EMAIL }

static const svc_param organization_user_org_params[] = {
  ORGANIZATION_USER_STATES,
  ORGANIZATION_USER_NAME,
  { .name = NULL }
};
static const svc_param organization_user_team_params[] = {
  ORGANIZATION_USER_STATES,
  { .name = "userId", .format = SVC_FORMAT_ID },
  ORGANIZATION_USER_NAME,
  { .name = NULL }
};
static const svc_param organization_user_project_params[] = {
  { .name = "flattenTeams", .type = SVC_BOOLEAN },
  { .name = "includeOrgUsers", .type = SVC_BOOLEAN },
  ORGANIZATION_USER_STATES,
  ORGANIZATION_USER_NAME,
  { .name = NULL }
};
static const svc_param organization_user_read_params[] = {
  { .name = "orgMembershipStatuses", .values = organization_user_states, .flags = SVC_PARAM_REPEATS, .max_repeats = 4 },
  { .name = NULL }
};

static bool organization_user_list(svc_call *c);
static bool organization_user_read(svc_call *c);
static bool organization_user_create(svc_call *c);
static bool organization_user_update(svc_call *c);
static bool organization_user_remove(svc_call *c);
static bool organization_user_set_roles(svc_call *c);
static bool organization_user_add_role(svc_call *c);
static bool organization_user_remove_role(svc_call *c);

#define ORGANIZATION_USER_ORG(m, p, ...) \
  { .method = m, .path = "/orgs/{orgId}/users" p, .set = SVC_SET_ORGANIZATION_USERS, __VA_ARGS__ }
#define ORGANIZATION_USER_GROUP(m, p, ...) \
  { .method = m, .path = "/groups/{groupId}/users" p, .set = SVC_SET_PROJECT_USERS, \
    .err_not_found = SVC_E_NOT_IN_GROUP, __VA_ARGS__ }
#define ORGANIZATION_USER_GROUP_OLD(m, p, ...) \
  { .method = m, .path = "/groups/{groupId}/users" p, .set = SVC_SET_PROJECT_USERS, .versions = { 20230101 }, \
    .err_not_found = SVC_E_NOT_IN_GROUP, ORGANIZATION_USER_ENDS, __VA_ARGS__ }
#define ORGANIZATION_USER_SEEN .answer = &organization_user_in_group_object
#define ORGANIZATION_USER_TEAM(m, p, ...) \
  { .method = m, .path = "/orgs/{orgId}/teams/{teamId}" p, .set = SVC_SET_ORGANIZATION_TEAMS, __VA_ARGS__ }
#define ORGANIZATION_USER_NEW .versions = { 20250219 }
#define ORGANIZATION_USER_LIST .versions = { 20230101, 20250219 }, .older = svc_membership_older
#define ORGANIZATION_USER_BOTH .versions = { 20230101, 20250219 }, .older = svc_older_20230101
#define ORGANIZATION_USER_ENDS .deprecated = 20250219, .sunset = 20270701
#define ORGANIZATION_USER_OLD .versions = { 20230101 }, ORGANIZATION_USER_ENDS

static const svc_route organization_user_routes[] = {
  ORGANIZATION_USER_ORG(SVC_GET, "", ORGANIZATION_USER_LIST, .roles = SVC_R_ORG_MEMBER, .flags = SVC_PAGED | SVC_INSPECTS,
                        .params = organization_user_org_params, .op = "listOrgUsers", .run = organization_user_list),
  ORGANIZATION_USER_ORG(SVC_POST, "", ORGANIZATION_USER_NEW, .roles = SVC_R_ORG_OWNER, .status = 201,
                        .body = &organization_user_add_object, .op = "createOrgUser", .run = organization_user_create,
                        .example = "{\"username\":\"new@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}"),
  ORGANIZATION_USER_ORG(SVC_GET, "/{userId}", ORGANIZATION_USER_NEW, .roles = SVC_R_ORG_MEMBER, .flags = SVC_ITEM,
                        .params = organization_user_read_params, .op = "getOrgUser", .run = organization_user_read),
  ORGANIZATION_USER_ORG(SVC_PATCH, "/{userId}", ORGANIZATION_USER_NEW, .roles = SVC_R_ORG_OWNER,
                        .op = "updateOrgUser", .run = organization_user_update, .example = "{\"roles\":{\"orgRoles\":[\"ORG_READ_ONLY\"]}}"),
  ORGANIZATION_USER_ORG(SVC_DELETE, "/{userId}", ORGANIZATION_USER_BOTH, .roles = SVC_R_ORG_OWNER, .status = 204,
                        .op = "removeOrgUser", .run = organization_user_remove),
  ORGANIZATION_USER_ORG(SVC_PUT, "/{userId}/roles", ORGANIZATION_USER_OLD, .roles = SVC_R_ORG_OWNER,
                        .body = &organization_user_org_roles, .answer = &organization_user_org_roles,
                        .op = "updateOrgUserRoles", .run = organization_user_set_roles, .example = "{\"orgRoles\":[\"ORG_READ_ONLY\"]}"),
  ORGANIZATION_USER_ORG(SVC_POST, "/{userId}:addRole", ORGANIZATION_USER_NEW, .roles = SVC_R_ORG_OWNER,
                        .body = &organization_user_org_role, .op = "addOrgRole", .run = organization_user_add_role,
                        .example = "{\"orgRole\":\"ORG_READ_ONLY\"}"),
  ORGANIZATION_USER_ORG(SVC_POST, "/{userId}:removeRole", ORGANIZATION_USER_NEW, .roles = SVC_R_ORG_OWNER,
                        .body = &organization_user_org_role, .op = "removeOrgRole", .run = organization_user_remove_role,
                        .example = "{\"orgRole\":\"ORG_READ_ONLY\"}"),
  ORGANIZATION_USER_GROUP(SVC_GET, "", ORGANIZATION_USER_LIST, .roles = SVC_R_GROUP_READ_ONLY, .flags = SVC_PAGED | SVC_INSPECTS,
                          .params = organization_user_project_params, ORGANIZATION_USER_SEEN, .op = "listGroupUsers", .run = organization_user_list),
  ORGANIZATION_USER_GROUP(SVC_POST, "", ORGANIZATION_USER_NEW, .roles = SVC_R_GROUP_ACCESS_MANAGER, .status = 201,
                          .body = &svc_object_user_roles, ORGANIZATION_USER_SEEN, .op = "addGroupUsers", .run = organization_user_create,
                          .example = "{\"username\":\"newer@example.com\",\"roles\":[\"GROUP_READ_ONLY\"]}"),
  ORGANIZATION_USER_GROUP(SVC_GET, "/{userId}", ORGANIZATION_USER_NEW, .roles = SVC_R_GROUP_READ_ONLY, .flags = SVC_ITEM,
                          .params = organization_user_read_params, ORGANIZATION_USER_SEEN, .op = "getGroupUser", .run = organization_user_read),
  ORGANIZATION_USER_GROUP(SVC_DELETE, "/{userId}", ORGANIZATION_USER_BOTH, .roles = SVC_R_GROUP_ACCESS_MANAGER, .status = 204,
                          .op = "removeGroupUser", .run = organization_user_remove),
  ORGANIZATION_USER_GROUP_OLD(SVC_PUT, "/{userId}/roles", .roles = SVC_R_GROUP_OWNER,
                          .body = &organization_user_group_roles, .answer = &organization_user_group_roles,
                          .op = "updateGroupUserRoles", .run = organization_user_set_roles, .example = "{\"groupRoles\":[\"GROUP_CLUSTER_MANAGER\"]}"),
  ORGANIZATION_USER_GROUP(SVC_POST, "/{userId}:addRole", ORGANIZATION_USER_NEW, .roles = SVC_R_GROUP_ACCESS_MANAGER,
                          .body = &organization_user_group_role, ORGANIZATION_USER_SEEN, .op = "addGroupUserRole", .run = organization_user_add_role,
                          .example = "{\"groupRole\":\"GROUP_CLUSTER_MANAGER\"}"),
  ORGANIZATION_USER_GROUP(SVC_POST, "/{userId}:removeRole", ORGANIZATION_USER_NEW, .roles = SVC_R_GROUP_ACCESS_MANAGER,
                          .body = &organization_user_group_role, ORGANIZATION_USER_SEEN, .op = "removeGroupUserRole", .run = organization_user_remove_role,
                          .example = "{\"groupRole\":\"GROUP_CLUSTER_MANAGER\"}"),
  ORGANIZATION_USER_TEAM(SVC_GET, "/users", ORGANIZATION_USER_LIST, .roles = SVC_R_ORG_MEMBER, .flags = SVC_PAGED | SVC_INSPECTS,
                         .params = organization_user_team_params, .op = "listTeamUsers", .run = organization_user_list),
  ORGANIZATION_USER_TEAM(SVC_POST, "/users", ORGANIZATION_USER_OLD, .roles = SVC_R_ORG_OWNER,
                         .flags = SVC_PAGED | SVC_BODY_ARRAY, .body = &organization_user_id_object, .answer = &svc_object_user,
                         .op = "addTeamUsers", .run = svc_membership_join_all, .example = "[{\"id\":\"" SVC_EXAMPLE_USER "\"}]"),
  ORGANIZATION_USER_TEAM(SVC_DELETE, "/users/{userId}", ORGANIZATION_USER_OLD, .roles = SVC_R_ORG_OWNER, .status = 204,
                         .op = "removeUserFromTeam", .run = svc_membership_leave),
  ORGANIZATION_USER_TEAM(SVC_POST, ":addUser", ORGANIZATION_USER_NEW, .roles = SVC_R_ORG_OWNER,
                         .body = &organization_user_id_object, .op = "addOrgTeamUser", .run = svc_membership_join,
                         .example = "{\"id\":\"" SVC_EXAMPLE_USER "\"}"),
  ORGANIZATION_USER_TEAM(SVC_POST, ":removeUser", ORGANIZATION_USER_NEW, .roles = SVC_R_ORG_OWNER,
                         .body = &organization_user_id_object, .op = "removeOrgTeamUser", .run = svc_membership_leave,
                         .example = "{\"id\":\"" SVC_EXAMPLE_USER "\"}")
};

static const svc_transition organization_user_transitions[] = {
  { .from = "PENDING", .to = "INVITATION_EXPIRED" }, /* the invitation sets the due date */
  { .from = NULL }
};
static const svc_lifecycle organization_user_lifecycle = { .field = "orgMembershipStatus", .created = "PENDING",
                                                           .transitions = organization_user_transitions };

static bool organization_user_list(svc_call *c)
{
  svc_membership at;
  return svc_membership_of(c, &at) && svc_membership_list(c, &at, false);
}

/* ---------------------------------------------------------------------------------------------------------- operations */

/* The member of the path. Below a project, the member must have roles of its own there; any: roles by a team or by the organization
** also count. */
static bool organization_user_target(svc_call *c, svc_membership *at, svc_member *m, bool any)
{
  const svc_entity *e;
  if (!svc_membership_of(c, at)) return false;
  e = &c->route.chain[c->plan->hop_count - 1];
  if (!svc_member_get(c, &at->org, &e->id, m)) return false;
  if (m->there && (!at->in_group || svc_keep_assigned(c, &m->entity)))
    return c->request.method == SVC_GET || svc_if_match_view(c, svc_membership_view(c, at, &m->entity, false));
  if (m->there && any && (svc_membership_by_teams(c, at, &m->entity).n || svc_member_reaches(m->assignments))) return true;
  return svc_not_found(c, c->plan->noun, 1, svc_path_param(c, "userId"));
}

static bool organization_user_read(svc_call *c)
{
  svc_membership at;
  svc_member m;
  if (!organization_user_target(c, &at, &m, true)) return false;
  if (!svc_membership_wanted(c, m.status)) return svc_not_found(c, c->plan->noun, 1, svc_path_param(c, "userId"));
  return svc_membership_answer(c, &at, &m.entity);
}

/* Roles and teams from a body. *groups: its roles on projects, if *any. */
static bool organization_user_lines(svc_call *c, const svc_id *org, const svc_node *request, svc_str *assignments,
                                    svc_group_change *groups, bool *any)
{
  const svc_node *roles = svc_node_get(request, "roles"), *teams = svc_node_get(request, "teamIds");
  const svc_node *list = svc_node_get(roles, "groupRoleAssignments");
  *any = list != NULL;
  if (SVC_ALWAYS(roles) && !svc_assign_org(c, org, svc_node_get(roles, "orgRoles"), "roles.orgRoles", assignments)) return false;
  if (list && !svc_assign_groups(c, org, list, "groupRoles", groups)) return false;
  return !teams || svc_assign_teams(c, org, teams, assignments);
}

static bool organization_user_create(svc_call *c)
{
  svc_membership at;
  svc_str assignments = SVC_S("");
  svc_group_change groups;
  svc_member m;
  bool any;
  if (!svc_membership_of(c, &at)) return false;
  if (at.in_group) {
    if (!svc_member_join(c, &at.group, &at.org, c->checked, false, &m)) return false;
  } else {
    if (!organization_user_lines(c, &at.org, c->checked, &assignments, &groups, &any)) return false;
    if (!svc_member_add(c, &at.org, svc_node_str(c->checked, "username"), assignments, any ? &groups : NULL, false, &m))
      return false;
  }
  return svc_membership_answer(c, &at, &m.entity);
}

static bool organization_user_update(svc_call *c)
{
  svc_membership at;
  svc_member m;
  svc_str assignments;
  svc_group_change groups;
  const svc_node *checked, *before;
  bool any;
  if (!organization_user_target(c, &at, &m, false)) return false;
  before = svc_member_view(c, &m.entity);
  checked = before ? svc_check(c, &organization_user_object, c->body, before, SVC_CHECK_UPDATE) : NULL;
  if (!svc_check_done(c)) return false;
  assignments = m.assignments;
  if (!organization_user_lines(c, &at.org, checked, &assignments, &groups, &any) ||
      !svc_member_put(c, &m, m.status, assignments, SVC_ALWAYS(any) ? &groups : NULL)) /* always, because the checked body includes the
                                                                                          present ones */
    return false;
  return svc_membership_answer(c, &at, &m.entity);
}

/* Replaces the roles in the path's scope. */
static bool organization_user_put(svc_call *c, const svc_membership *at, svc_member *m, svc_str names)
{
  svc_group_change one;
  if (!at->in_group) return svc_member_put(c, m, m->status, svc_assignments_set(c, m->assignments, at->on, names), NULL);
  if (!svc_may_grant(c, svc_names_here(c, &m->entity), names) || !svc_assign_group(c, &at->group, names, &one)) return false;
  return svc_member_put(c, m, m->status, m->assignments, &one);
}

static bool organization_user_remove(svc_call *c)
{
  svc_membership at;
  svc_member m;
  if (!organization_user_target(c, &at, &m, false)) return false;
  return (at.in_group ? organization_user_put(c, &at, &m, SVC_S("")) : svc_member_remove(c, &m)) && svc_answer_nothing(c);
}

/* Stores the roles in the path's scope, of which at least one must be left. */
static bool organization_user_store_roles(svc_call *c, const svc_membership *at, svc_member *m, svc_str names)
{
  if (names.n == 0) return svc_fail(c, SVC_E_CANNOT_REMOVE_ALL_USER_ROLES, "S", &m->entity.key);
  return organization_user_put(c, at, m, names) && svc_membership_answer(c, at, &m->entity);
}

static bool organization_user_set_roles(svc_call *c)
{
  svc_membership at;
  svc_member m;
  const char *field;
  const svc_node *names;
  svc_node *answer, *shown;
  if (!organization_user_target(c, &at, &m, false)) return false;
  field = at.in_group ? "groupRoles" : "orgRoles";
  svc_check(c, c->plan->route->body, c->body, NULL, SVC_CHECK_REPLACE);
  if (!svc_check_done(c)) return false;
  names = svc_node_get(c->body, field);
  if (!svc_roles_check(c, names, at.in_group ? SVC_SCOPE_GROUP : SVC_SCOPE_ORGANIZATION, field)) return false;
  if (!organization_user_store_roles(c, &at, &m, svc_names_from(c, names))) return false;
  answer = svc_node_object(c->arena, NULL);
  shown = svc_names_array(c, svc_names_here(c, &m.entity), field);
  if (!answer || !shown) return svc_no_memory(c);
  svc_node_append(answer, shown);
  return svc_answer_body(c, answer);
}

/* The role in the body, as a list of one. */
static const svc_node *organization_user_one_role(svc_call *c, const svc_membership *at)
{
  const char *field = at->in_group ? "groupRole" : "orgRole";
  svc_node *list = svc_node_array(c->arena, NULL);
  svc_node *item = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), svc_node_str(c->checked, field));
  if (!list || !item) return NULL;
  svc_node_append(list, item);
  return svc_roles_check(c, list, at->in_group ? SVC_SCOPE_GROUP : SVC_SCOPE_ORGANIZATION, field) ? list : NULL;
}

static bool organization_user_change_role(svc_call *c, bool add)
{
  svc_membership at;
  svc_member m;
  const svc_node *list;
  svc_str had, one;
  if (!organization_user_target(c, &at, &m, false)) return false;
  list = organization_user_one_role(c, &at);
  if (!list) return svc_failed(c);
  had = svc_names_here(c, &m.entity);
  one = svc_names_from(c, list);
  return organization_user_store_roles(c, &at, &m, add ? svc_lines_plus(c, had, one) : svc_lines_minus(c, had, one));
}

static bool organization_user_add_role(svc_call *c)
{
  return organization_user_change_role(c, true);
}

static bool organization_user_remove_role(svc_call *c)
{
  return organization_user_change_role(c, false);
}

/* The only due step is the expiry of an invitation. */
static bool organization_user_fell_due(svc_call *c, svc_change *change, int tag)
{
  (void)tag;
  return svc_member_expired(c, &change->entity);
}

static const svc_field_error organization_user_errors[] = {
  { "orgRole", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_ROLE_FOR_ORG },
  { "orgRoles[]", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_ROLE_FOR_ORG },
  { "roles.orgRoles[]", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_ROLE_FOR_ORG },
  { "username", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_EMAIL_ADDRESS },
  { NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_organization_user = {
  .name = "organization user",
  .rel = "orgUser",
  .kind = "ousr",
  .parent = "organization",
  .param = "userId",
  .seat = SVC_SEAT_MEMBER,
  .object = &organization_user_object,
  .err_not_found = SVC_E_USER_NOT_IN_ORG,
  .lifecycle = &organization_user_lifecycle,
  .field_errors = organization_user_errors,
  .routes = SVC_ROUTES(organization_user_routes),
  .fell_due = organization_user_fell_due,
  .gone = svc_member_gone
};

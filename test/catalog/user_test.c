/*
** Users: registered, added to organizations and projects, with roles that are given and removed. Requests that a user
** sends test what the user may do; the service finds the user's roles itself.
**
** Tests also: organization_user
*/
#include "needs.h"
#include "support.h"

T_NEEDS(user) = {
  /* undoes addRole, with the same example */
  T_FIRST(SVC_POST, "/orgs/{orgId}/users/{userId}:removeRole", SVC_POST, "/orgs/{orgId}/users/{userId}:addRole", NULL),
  T_FIRST(SVC_POST, "/groups/{groupId}/users/{userId}:removeRole", SVC_POST, "/groups/{groupId}/users/{userId}:addRole", NULL),
  T_SAMPLE("userName", "nobody@example.com"),
  T_NEEDS_END
};

static const char *user_owner(t_service *t, const char *name, const char *org)
{
  char roles[128];
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]", org);
  return t_user(t, name, roles);
}

/* Returns true if there is an event of this type about this name. */
static bool user_event(t_service *t, const char *scope, const char *id, const char *type, const char *name)
{
  char path[64];
  size_t i, n;
  munit_assert_int(t_sendf(t, "GET", NULL, "/%s/%s/events", scope, id), ==, 200);
  n = t_count(t, "results");
  for (i = 0; i < n; i++) {
    snprintf(path, sizeof path, "results[%zu].eventTypeName", i);
    if (strcmp(t_str(t, path), type) != 0) continue;
    snprintf(path, sizeof path, "results[%zu].targetUsername", i);
    if (strcmp(t_str(t, path), name) == 0) return true;
  }
  return false;
}

TEST_SERVICE(user, register)
{
  const char *org, *group, *id;
  char roles[256];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  snprintf(roles, sizeof roles, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_OWNER\"}]", group);
  id = t_user(t, "Ada@Example.com", roles);
  munit_assert_string_equal(t_str(t, "username"), "ada@example.com");
  munit_assert_string_equal(t_str(t, "emailAddress"), "ada@example.com");
  munit_assert_string_equal(t_str(t, "createdAt"), "2025-06-01T00:00:00Z");
  munit_assert_null(strstr(t->response.body, "password"));
  munit_assert_null(strstr(t->response.body, "correct horse"));
  munit_assert_size(t_count(t, "roles"), ==, 2); /* a role on a project makes the user a member of its organization */
  munit_assert_string_not_equal(t_get_header(t, "Deprecation"), "");
  munit_assert_true(user_event(t, "orgs", org, "JOINED_ORG", "ada@example.com"));
  munit_assert_true(user_event(t, "groups", group, "JOINED_GROUP", "ada@example.com"));

  munit_assert_int(t_sendf(t, "GET", NULL, "/users/%s", id), ==, 200);
  munit_assert_string_equal(t_str(t, "firstName"), "Ada");
  munit_assert_string_not_equal(t_link(t, "byName"), "");
  munit_assert_int(t_sendf(t, "GET", NULL, "/users/byName/ADA%%40example.com"), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), id);
  munit_assert_int(t_sendf(t, "GET", NULL, "/users/byName/nobody@example.com"), ==, 404);
  munit_assert_string_equal(t_error(t), "USERNAME_NOT_FOUND");

  /* refused: a name in use, a short password, a role without its project or organization, an unknown role */
  munit_assert_int(t_send(t, "POST", "/users", "{\"username\":\"ada@EXAMPLE.com\",\"password\":\"correct horse\",\"firstName\":\"A\","
                          "\"lastName\":\"B\",\"country\":\"GB\",\"mobileNumber\":\"2125550123\",\"roles\":[]}"), ==, 409);
  munit_assert_string_equal(t_error(t), "USER_ALREADY_EXISTS");
  munit_assert_int(t_send(t, "POST", "/users", "{\"username\":\"eve\",\"password\":\"short\",\"firstName\":\"A\","
                          "\"lastName\":\"B\",\"country\":\"gb\",\"mobileNumber\":\"2125550123\",\"roles\":[]}"), ==, 400);
  munit_assert_true(t_violation(t, "username") && t_violation(t, "password") && t_violation(t, "country"));
  munit_assert_int(t_send(t, "POST", "/users", "{\"username\":\"eve@x.com\",\"password\":\"longenough\",\"firstName\":\"A\","
                          "\"lastName\":\"B\",\"country\":\"GB\",\"mobileNumber\":\"2125550123\",\"roles\":[{\"roleName\":\"ORG_OWNER\"}]}"), ==, 400);
  munit_assert_string_equal(t_error(t), "ROLE_NEEDS_ORG_ID");
  munit_assert_int(t_send(t, "POST", "/users", "{\"username\":\"eve@x.com\",\"password\":\"longenough\",\"firstName\":\"A\","
                          "\"lastName\":\"B\",\"country\":\"GB\",\"mobileNumber\":\"2125550123\",\"roles\":[{\"roleName\":\"KING\"}]}"), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_ROLE");
}

TEST_SERVICE(user, own_roles)
{
  const char *org, *other, *group, *ada, *bob;
  char body[512];
  org = t_organization(t, "Acme");
  other = t_organization(t, "Other");
  group = t_project(t, org, "alpha");
  ada = user_owner(t, "ada@example.com", org);
  bob = t_user(t, "bob@example.com", "[]");

  t_as(t, ada);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", org), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", other), ==, 401);
  munit_assert_int(t_sendf(t, "GET", NULL, "/users/%s", ada), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, "/users/%s", bob), ==, 404); /* no common organization */
  munit_assert_string_equal(t_error(t), "USER_NOT_FOUND");
  t_as(t, bob);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", org), ==, 401);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", group), ==, 401);
  munit_assert_int(t_sendf(t, "GET", NULL, "/users/%s", bob), ==, 200); /* the user itself */
  munit_assert_int(t_sendf(t, "GET", NULL, "/users/%s", ada), ==, 404);
  snprintf(body, sizeof body, "{\"username\":\"eve@x.com\",\"password\":\"longenough\",\"firstName\":\"A\",\"lastName\":\"B\","
           "\"country\":\"GB\",\"mobileNumber\":\"2125550123\",\"roles\":[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]}", org);
  munit_assert_int(t_send(t, "POST", "/users", body), ==, 404); /* the answer does not show what exists */

  /* ada adds bob as a member, then as a project's owner */
  t_as(t, ada);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"bob@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users", org),
                   ==, 201);
  munit_assert_string_equal(t_str(t, "orgMembershipStatus"), "ACTIVE");
  munit_assert_string_equal(t_str(t, "id"), bob);
  munit_assert_string_equal(t_str(t, "firstName"), "Ada");
  munit_assert_string_equal(t_str(t, "roles.orgRoles[0]"), "ORG_MEMBER");
  munit_assert_int(t_sendf(t, "GET", NULL, "/users/%s", bob), ==, 200);
  t_as(t, bob);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", org), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", group), ==, 403);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"x@x.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users", org), ==, 403);
  munit_assert_int(t_send(t, "POST", "/users", body), ==, 403);
  t_as(t, ada);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"bob@example.com\",\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/users", group), ==, 201);
  munit_assert_string_equal(t_str(t, "roles[0]"), "GROUP_READ_ONLY");
  t_as(t, bob);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", group), ==, 200);
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"beta\"}", "/groups/%s", group), ==, 403);
  t_as(t, ada);
  munit_assert_int(t_sendf(t, "POST", "{\"groupRole\":\"GROUP_OWNER\"}", "/groups/%s/users/%s:addRole", group, bob), ==, 200);
  munit_assert_size(t_count(t, "roles"), ==, 2);
  t_as(t, bob);
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"beta\"}", "/groups/%s", group), ==, 200);

  /* removal from the organization is also removal from its projects */
  t_as(t, ada);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s/users/%s", org, bob), ==, 204);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, bob), ==, 404);
  munit_assert_string_equal(t_error(t), "USER_NOT_IN_ORG");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/users/%s", group, bob), ==, 404);
  munit_assert_string_equal(t_error(t), "NOT_IN_GROUP");
  munit_assert_true(user_event(t, "orgs", org, "REMOVED_FROM_ORG", "bob@example.com"));
  munit_assert_true(user_event(t, "groups", group, "REMOVED_FROM_GROUP", "bob@example.com"));
  t_as(t, bob);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", group), ==, 401);
  munit_assert_int(t_sendf(t, "GET", NULL, "/users/%s", bob), ==, 200);
  munit_assert_size(t_count(t, "roles"), ==, 0);
}

TEST_SERVICE(user, roles)
{
  const char *org, *group, *ada, *bob;
  char body[512];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  ada = user_owner(t, "ada@example.com", org);
  bob = t_user(t, "bob@example.com", "[]");

  /* roles of the wrong level */
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"bob@example.com\",\"roles\":{\"orgRoles\":[\"GROUP_OWNER\"]}}", "/orgs/%s/users", org), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_ROLE_FOR_ORG");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"bob@example.com\",\"roles\":[\"ORG_OWNER\"]}", "/groups/%s/users", group), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_ROLE_FOR_GROUP");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"bob@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"],\"groupRoleAssignments\":"
                           "[{\"groupId\":\"5f00000000000000000000aa\",\"groupRoles\":[\"GROUP_OWNER\"]}]}}", "/orgs/%s/users", org), ==, 404);
  munit_assert_string_equal(t_error(t), "GROUP_NOT_FOUND");

  snprintf(body, sizeof body, "{\"username\":\"bob@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"],\"groupRoleAssignments\":"
           "[{\"groupId\":\"%s\",\"groupRoles\":[\"GROUP_OWNER\"]}]}}", group);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/users", org), ==, 201);
  munit_assert_string_equal(t_str(t, "roles.groupRoleAssignments[0].groupRoles[0]"), "GROUP_OWNER");
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/users", org), ==, 409);
  munit_assert_string_equal(t_error(t), "USER_ALREADY_EXISTS");

  /* a change of one part does not affect the others */
  munit_assert_int(t_sendf(t, "PATCH", "{\"roles\":{\"orgRoles\":[\"ORG_READ_ONLY\"]}}", "/orgs/%s/users/%s", org, bob), ==, 200);
  munit_assert_string_equal(t_str(t, "roles.orgRoles[0]"), "ORG_READ_ONLY");
  munit_assert_size(t_count(t, "roles.groupRoleAssignments"), ==, 1);
  munit_assert_true(user_event(t, "orgs", org, "USER_ROLES_CHANGED_AUDIT", "bob@example.com"));
  {
    static const struct { const char *body; int status; } nothings[] = {
      { "{}", 200 }, { "{\"roles\":{}}", 200 }, { "{\"roles\":null}", 400 }, { "{\"roles\":{\"groupRoleAssignments\":null}}", 400 },
    };
    size_t i;
    for (i = 0; i < sizeof nothings / sizeof nothings[0]; i++) {
      int status = t_sendf(t, "PATCH", nothings[i].body, "/orgs/%s/users/%s", org, bob);
      if (status != nothings[i].status) munit_errorf("%s: %d %s", nothings[i].body, status, t->response.body);
    }
    munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, bob), ==, 200);
    munit_assert_string_equal(t_str(t, "roles.orgRoles[0]"), "ORG_READ_ONLY");
    munit_assert_size(t_count(t, "roles.groupRoleAssignments"), ==, 1);
  }
  munit_assert_int(t_sendf(t, "PATCH", "{\"username\":\"x@x.com\"}", "/orgs/%s/users/%s", org, bob), ==, 400);
  munit_assert_int(t_sendf(t, "POST", "{\"orgRole\":\"ORG_MEMBER\"}", "/orgs/%s/users/%s:addRole", org, bob), ==, 200);
  munit_assert_size(t_count(t, "roles.orgRoles"), ==, 2);
  munit_assert_int(t_sendf(t, "POST", "{\"orgRole\":\"ORG_READ_ONLY\"}", "/orgs/%s/users/%s:removeRole", org, bob), ==, 200);
  munit_assert_size(t_count(t, "roles.orgRoles"), ==, 1);
  munit_assert_int(t_sendf(t, "POST", "{\"orgRole\":\"ORG_MEMBER\"}", "/orgs/%s/users/%s:removeRole", org, bob), ==, 403);
  munit_assert_string_equal(t_error(t), "CANNOT_REMOVE_ALL_USER_ROLES");
  munit_assert_int(t_sendf(t, "POST", "{\"orgRole\":\"GROUP_OWNER\"}", "/orgs/%s/users/%s:addRole", org, bob), ==, 400);
  munit_assert_int(t_sendf(t, "PUT", "{\"orgRoles\":[\"ORG_MEMBER\",\"ORG_BILLING_ADMIN\"]}", "/orgs/%s/users/%s/roles", org, bob), ==, 200);
  munit_assert_size(t_count(t, "orgRoles"), ==, 2);
  munit_assert_int(t_sendf(t, "PUT", "{\"groupRoles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/users/%s/roles", group, bob), ==, 200);
  munit_assert_string_equal(t_str(t, "groupRoles[0]"), "GROUP_READ_ONLY");
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/users/%s", group, bob), ==, 204);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/users/%s", group, bob), ==, 404);

  /* the last owner cannot be removed; either of two can */
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s/users/%s", org, ada), ==, 403);
  munit_assert_string_equal(t_error(t), "CANNOT_DEMOTE_LAST_ORG_OWNER");
  munit_assert_int(t_sendf(t, "PUT", "{\"orgRoles\":[\"ORG_MEMBER\"]}", "/orgs/%s/users/%s/roles", org, ada), ==, 403);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"new@example.com\",\"roles\":{\"orgRoles\":[\"ORG_OWNER\"]}}", "/orgs/%s/users", org), ==, 201);
  /* an invited user does not count as an owner yet */
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s/users/%s", org, ada), ==, 403);
  munit_assert_int(t_sendf(t, "POST", "{\"orgRole\":\"ORG_OWNER\"}", "/orgs/%s/users/%s:addRole", org, bob), ==, 200);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s/users/%s", org, ada), ==, 204);
}

TEST_SERVICE(user, lists)
{
  const char *org, *group, *gone, *bob;
  char body[512];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  gone = t_project(t, org, "omega");
  user_owner(t, "ada@example.com", org);
  bob = t_user(t, "bob@example.com", "[]");
  snprintf(body, sizeof body, "{\"username\":\"bob@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"],\"groupRoleAssignments\":"
           "[{\"groupId\":\"%s\",\"groupRoles\":[\"GROUP_OWNER\"]},{\"groupId\":\"%s\",\"groupRoles\":[\"GROUP_OWNER\"]}]}}", group, gone);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/users", org), ==, 201);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"new@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users", org), ==, 201);

  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users", org), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 3);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users?orgMembershipStatus=PENDING", org), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users?orgMembershipStatuses=PENDING&orgMembershipStatuses=ACTIVE", org), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 3);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users?username=Bob@example.com", org), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].id"), bob);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/users", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].roles[0]"), "GROUP_OWNER");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/users?includeOrgUsers=true", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 2); /* the owner, too */
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s?orgMembershipStatuses=PENDING", org, bob), ==, 404);

  /* a deleted project is not shown any more */
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s", gone), ==, 202);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, bob), ==, 200);
  munit_assert_size(t_count(t, "roles.groupRoleAssignments"), ==, 1);
  munit_assert_string_not_equal(t_link(t, "user"), "");
  munit_assert_int(t_sendf(t, "GET", NULL, "/users/%s", bob), ==, 200);
  munit_assert_size(t_count(t, "roles"), ==, 2);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s", group), ==, 202);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s", org), ==, 204);
  munit_assert_int(t_sendf(t, "GET", NULL, "/users/%s", bob), ==, 200);
  munit_assert_size(t_count(t, "roles"), ==, 0);
}

/* The creator of an organization or project owns it. A project that moves to another organization loses its users. */
TEST_SERVICE(user, makes)
{
  const char *org, *other, *group, *ada, *bob;
  char body[512];
  ada = t_user(t, "ada@example.com", "[]");
  bob = t_user(t, "bob@example.com", "[]");
  t_as(t, ada);
  org = t_organization(t, "Acme");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, ada), ==, 200);
  munit_assert_string_equal(t_str(t, "roles.orgRoles[0]"), "ORG_OWNER");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"bob@example.com\",\"roles\":{\"orgRoles\":[\"ORG_GROUP_CREATOR\"]}}", "/orgs/%s/users", org), ==, 201);
  other = t_organization(t, "Other");
  t_as(t, bob);
  group = t_project(t, org, "alpha");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/users/%s", group, bob), ==, 200);
  munit_assert_string_equal(t_str(t, "roles[0]"), "GROUP_OWNER");
  snprintf(body, sizeof body, "{\"name\":\"beta\",\"orgId\":\"%s\"}", org);
  munit_assert_int(t_sendf(t, "POST", body, "/groups?projectOwnerId=%s", "5f00000000000000000000aa"), ==, 404);
  munit_assert_string_equal(t_error(t), "USER_NOT_IN_ORG");
  munit_assert_int(t_sendf(t, "POST", body, "/groups?projectOwnerId=%s", ada), ==, 201);
  munit_assert_int(t_send(t, "POST", "/orgs", "{\"name\":\"New\",\"orgOwnerId\":\"5f00000000000000000000aa\"}"), ==, 404);
  t_as(t, ada);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"nobody@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users", org), ==, 201);
  snprintf(body, sizeof body, "{\"name\":\"New\",\"orgOwnerId\":\"%s\"}", t_keep(t, t_str(t, "id")));
  munit_assert_int(t_send(t, "POST", "/orgs", body), ==, 404); /* an invited user who has not registered cannot be an owner */
  munit_assert_string_equal(t_error(t), "USER_NOT_FOUND");

  t_as(t, ada);
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", other);
  munit_assert_int(t_sendf(t, "POST", body, "/groups/%s:migrate", group), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/users", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 0);
  t_as(t, bob);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", group), ==, 401);
}

/* A registration with several roles in one organization keeps all roles of the invitation to it. */
TEST_SERVICE(user, invited)
{
  const char *org, *group, *ada;
  char roles[256];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"ada@example.com\",\"roles\":[\"ORG_OWNER\"]}", "/orgs/%s/invites", org), ==, 201);
  snprintf(roles, sizeof roles, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_OWNER\"},{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]",
           group, org);
  ada = t_user(t, "ada@example.com", roles);
  munit_assert_size(t_count(t, "roles"), ==, 3);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, ada), ==, 200);
  munit_assert_string_equal(t_str(t, "roles.orgRoles[0]"), "ORG_OWNER");
  munit_assert_string_equal(t_str(t, "roles.orgRoles[1]"), "ORG_MEMBER");
  munit_assert_size(t_count(t, "roles.groupRoleAssignments"), ==, 1);
}

/* An access manager of a project assigns its roles, but cannot make anybody its owner, neither themselves nor a key or team. */
TEST_SERVICE(user, manager)
{
  const char *org, *group, *ada, *bob, *team, *key, *account;
  char roles[256], body[256];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  snprintf(roles, sizeof roles, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_ACCESS_MANAGER\"}]", group);
  ada = t_user(t, "ada@example.com", roles);
  snprintf(roles, sizeof roles, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_OWNER\"}]", group);
  bob = t_user(t, "bob@example.com", roles);
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"blue\",\"usernames\":[\"ada@example.com\"]}", "/orgs/%s/teams", org), ==, 201);
  team = t_keep(t, t_str(t, "id"));
  munit_assert_int(t_sendf(t, "POST", "{\"desc\":\"old\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/apiKeys", group), ==, 201);
  key = t_keep(t, t_str(t, "id"));

  t_as(t, ada);
  munit_assert_int(t_sendf(t, "POST", "{\"groupRole\":\"GROUP_OWNER\"}", "/groups/%s/users/%s:addRole", group, ada), ==, 403);
  munit_assert_string_equal(t_error(t), "ACCESS_FORBIDDEN");
  munit_assert_not_null(strstr(t_str(t, "detail"), "GROUP_OWNER"));
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"new@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/users", group), ==, 403);
  snprintf(body, sizeof body, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_OWNER\"]}]", team);
  munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/teams", group), ==, 403);
  munit_assert_int(t_sendf(t, "POST", "{\"desc\":\"x\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/apiKeys", group), ==, 403);

  /* all other roles are allowed, and keeping an owner's role; but removing an owner is refused, too */
  munit_assert_int(t_sendf(t, "POST", "{\"groupRole\":\"GROUP_CLUSTER_MANAGER\"}", "/groups/%s/users/%s:addRole", group, ada), ==, 200);
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"new@example.com\",\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/users", group), ==, 201);
  snprintf(body, sizeof body, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_READ_ONLY\"]}]", team);
  munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/teams", group), ==, 200);
  snprintf(body, sizeof body, "{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_OWNER\"]}", team);
  munit_assert_int(t_sendf(t, "PATCH", body, "/groups/%s/teams/%s", group, team), ==, 403);
  munit_assert_int(t_sendf(t, "PATCH", "{\"desc\":\"new\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/apiKeys/%s", group, key), ==, 200);
  munit_assert_int(t_sendf(t, "PATCH", "{\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/apiKeys/%s", group, key), ==, 403);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/apiKeys/%s", group, key), ==, 403);
  munit_assert_int(t_sendf(t, "POST", "{\"groupRole\":\"GROUP_READ_ONLY\"}", "/groups/%s/users/%s:addRole", group, bob), ==, 200);
  munit_assert_int(t_sendf(t, "POST", "{\"groupRole\":\"GROUP_OWNER\"}", "/groups/%s/users/%s:removeRole", group, bob), ==, 403);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/users/%s", group, bob), ==, 403);
  t_as(t, NULL);
  munit_assert_int(t_sendf(t, "PATCH", "{\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/apiKeys/%s", group, key), ==, 200);
  munit_assert_int(t_sendf(t, "POST", "{\"groupRole\":\"GROUP_OWNER\"}", "/groups/%s/users/%s:removeRole", group, bob), ==, 200);
  t_as(t, ada);
  munit_assert_int(t_sendf(t, "PATCH", "{\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/apiKeys/%s", group, key), ==, 403);
  munit_assert_int(t_sendf(t, "POST", "{\"groupRole\":\"GROUP_OWNER\"}", "/groups/%s/users/%s:addRole", group, bob), ==, 403);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/apiKeys/%s", group, key), ==, 204); /* the key is no longer an owner */
  t_as(t, NULL);
  munit_assert_int(t_sendf(t, "POST", "{\"groupRole\":\"GROUP_OWNER\"}", "/groups/%s/users/%s:addRole", group, bob), ==, 200);
  t_as(t, bob);
  munit_assert_int(t_sendf(t, "POST", "{\"groupRole\":\"GROUP_OWNER\"}", "/groups/%s/users/%s:addRole", group, ada), ==, 200);

  /* an owner of a project gets no secret of an account that also has a role on the organization */
  t_as(t, NULL);
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"root\",\"description\":\"all\",\"roles\":[\"ORG_OWNER\"],"
                           "\"secretExpiresAfterHours\":8}", "/orgs/%s/serviceAccounts", org), ==, 201);
  account = t_keep(t, t_str(t, "clientId"));
  munit_assert_int(t_sendf(t, "POST", "{\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/serviceAccounts/%s:invite", group, account), ==, 200);
  t_as(t, bob);
  munit_assert_int(t_sendf(t, "POST", "{\"secretExpiresAfterHours\":8}", "/groups/%s/serviceAccounts/%s/secrets", group, account), ==, 403);
  munit_assert_string_equal(t_error(t), "ACCESS_FORBIDDEN");
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"own\",\"description\":\"of it\",\"roles\":[\"GROUP_OWNER\"],"
                           "\"secretExpiresAfterHours\":8}", "/groups/%s/serviceAccounts", group), ==, 201);
  account = t_keep(t, t_str(t, "clientId"));
  munit_assert_int(t_sendf(t, "POST", "{\"secretExpiresAfterHours\":8}", "/groups/%s/serviceAccounts/%s/secrets", group, account), ==, 201);
}

/* A user's body depends on its projects: the ETag covers what is shown, and If-Match compares with the same. */
TEST_SERVICE(user, tags)
{
  const char *org, *group, *ada;
  char roles[256], tag[64], path[128];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  snprintf(roles, sizeof roles, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_OWNER\"}]", group);
  ada = t_user(t, "ada@example.com", roles);
  snprintf(path, sizeof path, "/orgs/%s/users/%s", org, ada);
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  snprintf(tag, sizeof tag, "%s", t_get_header(t, "ETag"));
  t_header(t, "If-None-Match", tag);
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 304);
  t_headers_clear(t);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s", group), ==, 202);
  t_header(t, "If-None-Match", tag);
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  munit_assert_size(t_count(t, "roles.groupRoleAssignments"), ==, 0);
  t_headers_clear(t);
  t_header(t, "If-Match", tag);
  munit_assert_int(t_send(t, "PATCH", path, "{\"roles\":{\"orgRoles\":[\"ORG_READ_ONLY\"]}}"), ==, 412);
  munit_assert_int(t_send(t, "DELETE", path, NULL), ==, 412);
  t_headers_clear(t);
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  snprintf(tag, sizeof tag, "%s", t_get_header(t, "ETag"));
  t_header(t, "If-Match", tag);
  munit_assert_int(t_send(t, "PATCH", path, "{\"roles\":{\"orgRoles\":[\"ORG_READ_ONLY\"]}}"), ==, 200);
  snprintf(tag, sizeof tag, "%s", t_get_header(t, "ETag"));
  t_headers_clear(t);
  t_header(t, "If-Match", tag); /* the ETag of the answer to a change */
  munit_assert_int(t_send(t, "DELETE", path, NULL), ==, 204);
}

/* ---------------------------------------------------------------------------------------------------------- memory */

typedef struct user_memory {
  size_t asked; /* bytes of all blocks since it was set to 0 */
} user_memory;

static void *user_measure(void *context, void *p, size_t size)
{
  if (size == 0) {
    free(p);
    return NULL;
  }
  ((user_memory *)context)->asked += size;
  return realloc(p, size);
}

/* A change of a user with many roles takes memory proportional to the roles, not to their square. */
TEST(user, many_roles)
{
  static const char *const roles[] = { "GROUP_READ_ONLY", "GROUP_CLUSTER_MANAGER", "GROUP_CLUSTER_CREATOR", "GROUP_INDEX_MANAGER" };
  enum { PROJECTS = 100, ROLES = sizeof roles / sizeof roles[0] };
  user_memory memory = { 0 };
  svc_config config;
  t_service t;
  svc_buf b;
  const char *org, *ada;
  char name[16];
  int i, j;
  memset(&config, 0, sizeof config);
  config.limiter_off = 1;
  config.allocator.resize = user_measure;
  config.allocator.context = &memory;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  ada = user_owner(&t, "ada@example.com", org);
  b = svc_buf_new(&t.s->memory, 65536);
  svc_buf_text(&b, "{\"roles\":{\"groupRoleAssignments\":[");
  for (i = 0; i < PROJECTS; i++) {
    snprintf(name, sizeof name, "p%d", i);
    svc_buf_text(&b, i ? ",{\"groupId\":\"" : "{\"groupId\":\"");
    svc_buf_text(&b, t_project(&t, org, name));
    for (j = 0; j < ROLES; j++) {
      svc_buf_text(&b, j ? "\",\"" : "\",\"groupRoles\":[\"");
      svc_buf_text(&b, roles[j]);
    }
    svc_buf_text(&b, "\"]}");
  }
  svc_buf_text(&b, "]}}");
  memory.asked = 0;
  munit_assert_int(t_sendf(&t, "PATCH", svc_buf_done(&b).p, "/orgs/%s/users/%s", org, ada), ==, 200);
  munit_assert_size(t_count(&t, "roles.groupRoleAssignments"), ==, PROJECTS);
  munit_assert_size(memory.asked, <, 100 * b.n); /* the body has some 14 kilobytes */
  t_close(&t);
}

/* -------------------------------------------------------------------------------------------------------- no memory */

static void *user_resize(void *context, void *p, size_t size)
{
  int *left = context;
  if (size == 0) {
    free(p);
    return NULL;
  }
  if (*left == 0) return NULL;
  if (*left > 0) --*left;
  return realloc(p, size);
}

/* Every allocation of a request fails in turn: 503, and nothing is changed, until the request succeeds. */
static void user_starve(t_service *t, int *left, int status, const char *method, const char *body, const char *format, ...)
  SVC_PRINTF(6, 7);
static void user_starve(t_service *t, int *left, int status, const char *method, const char *body, const char *format, ...)
{
  svc_header type = { "Content-Type", "application/json", 0, 0 };
  svc_response response;
  svc_request request;
  char path[512] = "/api/svc/v2";
  va_list args;
  int n = 0;
  va_start(args, format);
  vsnprintf(path + 11, sizeof path - 11, format, args);
  va_end(args);
  memset(&request, 0, sizeof request);
  request.method = method;
  request.target = path;
  request.headers = &type;
  request.header_count = 1;
  request.body = body;
  request.body_length = body ? strlen(body) : 0;
  request.caller = &t->caller;
  for (;;) {
    *left = n++;
    svc_handle_request(t->s, &request, &response);
    *left = -1;
    if (response.status != 503) break;
    svc_response_free(&response);
    munit_assert_int(n, <, 3000);
  }
  svc_response_free(&t->response);
  t->response = response; /* the last answer, as if sent by t_send */
  t->body = response.body_length ? svc_json_parse(&t->arena, (svc_str){ response.body, response.body_length }) : NULL;
  if (response.status != status) munit_errorf("%s %s after %d: %d %s", method, path, n - 1, response.status, t_error(t));
}

TEST(user, no_memory)
{
  t_service t;
  svc_config config;
  const char *org, *group, *ada, *team, *id;
  char body[1024];
  int left = -1;
  memset(&config, 0, sizeof config);
  config.allocator.resize = user_resize;
  config.allocator.context = &left;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  user_starve(&t, &left, 201, "POST", "{\"username\":\"ada@example.com\",\"roles\":[\"ORG_OWNER\"]}", "/orgs/%s/invites", org);
  snprintf(body, sizeof body, "{\"username\":\"ada@example.com\",\"password\":\"correct horse\",\"firstName\":\"Ada\",\"lastName\":\"Byron\","
           "\"country\":\"GB\",\"mobileNumber\":\"2125550123\",\"roles\":[{\"groupId\":\"%s\",\"roleName\":\"GROUP_OWNER\"}]}", group);
  user_starve(&t, &left, 201, "POST", body, "/users");
  ada = t_keep(&t, t_str(&t, "id"));
  munit_assert_size(t_count(&t, "roles"), ==, 3);
  user_starve(&t, &left, 201, "POST", "{\"name\":\"blue\",\"usernames\":[\"ada@example.com\"]}", "/orgs/%s/teams", org);
  team = t_keep(&t, t_str(&t, "id"));
  snprintf(body, sizeof body, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_OWNER\"]}]", team);
  user_starve(&t, &left, 200, "POST", body, "/groups/%s/teams", group);
  snprintf(body, sizeof body, "{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_READ_ONLY\"]}", team);
  user_starve(&t, &left, 200, "PATCH", body, "/groups/%s/teams/%s", group, team);
  user_starve(&t, &left, 200, "GET", NULL, "/groups/%s/users?flattenTeams=true&includeOrgUsers=true", group);
  user_starve(&t, &left, 200, "GET", NULL, "/groups/%s/teams", group);
  user_starve(&t, &left, 200, "GET", NULL, "/groups/%s/teams/%s", group, team);
  user_starve(&t, &left, 200, "GET", NULL, "/orgs/%s/teams/byName/blue", org);
  user_starve(&t, &left, 200, "GET", NULL, "/users/%s", ada);
  user_starve(&t, &left, 200, "GET", NULL, "/users/byName/ada@example.com");
  user_starve(&t, &left, 200, "GET", NULL, "/orgs/%s/users?username=ada@example.com", org);
  munit_assert_size(t_count(&t, "results"), ==, 1);
  user_starve(&t, &left, 200, "PATCH", "{\"roles\":{\"orgRoles\":[\"ORG_OWNER\",\"ORG_MEMBER\"]},\"teamIds\":[]}", "/orgs/%s/users/%s", org, ada);
  user_starve(&t, &left, 200, "POST", "{\"groupRole\":\"GROUP_READ_ONLY\"}", "/groups/%s/users/%s:addRole", group, ada);
  user_starve(&t, &left, 200, "PUT", "{\"groupRoles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/users/%s/roles", group, ada);
  snprintf(body, sizeof body, "{\"id\":\"%s\"}", ada);
  user_starve(&t, &left, 200, "POST", body, "/orgs/%s/teams/%s:addUser", org, team);
  user_starve(&t, &left, 200, "GET", NULL, "/orgs/%s/teams/%s/users", org, team);
  munit_assert_size(t_count(&t, "results"), ==, 1);
  user_starve(&t, &left, 204, "DELETE", NULL, "/groups/%s/teams/%s", group, team);
  user_starve(&t, &left, 204, "DELETE", NULL, "/orgs/%s/teams/%s", org, team);
  user_starve(&t, &left, 200, "POST", "{\"username\":\"new@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/access", group);
  munit_assert_not_null(strstr(t_link(&t, "self"), org));
  id = t_keep(&t, t_str(&t, "id"));
  user_starve(&t, &left, 200, "PATCH", "{\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/invites/%s", group, id);
  user_starve(&t, &left, 200, "GET", NULL, "/groups/%s/invites", group);
  munit_assert_size(t_count(&t, ""), ==, 1);
  user_starve(&t, &left, 200, "GET", NULL, "/orgs/%s/invites", org);
  munit_assert_size(t_count(&t, ""), ==, 1);
  user_starve(&t, &left, 204, "DELETE", NULL, "/groups/%s/invites/%s", group, id);
  user_starve(&t, &left, 204, "DELETE", NULL, "/orgs/%s/invites/%s", org, id);
  user_starve(&t, &left, 403, "DELETE", NULL, "/orgs/%s/users/%s", org, ada);
  t_close(&t);
}

/* Registers a user with roles in several organizations at once. In one of them the user is invited; an invitation to another has
** expired. */
TEST(user, several)
{
  static const svc_config config = { .limiter_off = 1 };
  const char *a, *b, *c, *d, *group, *more;
  char roles[1024];
  t_service t;
  t_open(&t, &config);
  a = t_organization(&t, "A");
  b = t_organization(&t, "B");
  c = t_organization(&t, "C");
  d = t_organization(&t, "D");
  group = t_project(&t, c, "alpha");
  more = t_project(&t, d, "beta");
  munit_assert_int(t_sendf(&t, "POST", "{\"username\":\"zed@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/users", more), ==, 201);
  t_advance(&t, 40 * 86400); /* the first invitation has expired */
  munit_assert_int(t_sendf(&t, "POST", "{\"username\":\"zed@example.com\",\"roles\":{\"orgRoles\":[\"ORG_READ_ONLY\"]}}", "/orgs/%s/users", b), ==, 201);
  munit_assert_string_equal(t_str(&t, "orgMembershipStatus"), "PENDING");
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"},{\"groupId\":\"%s\",\"roleName\":\"GROUP_READ_ONLY\"},"
           "{\"orgId\":\"%s\",\"roleName\":\"ORG_READ_ONLY\"},{\"groupId\":\"%s\",\"roleName\":\"GROUP_DATA_ACCESS_READ_ONLY\"},"
           "{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", a, group, a, group, d);
  t_user(&t, "zed@example.com", roles);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/users?username=zed@example.com", a), ==, 200);
  munit_assert_string_equal(t_str(&t, "results[0].orgMembershipStatus"), "ACTIVE");
  munit_assert_size(t_count(&t, "results[0].roles.orgRoles"), ==, 2);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/users?username=zed@example.com", b), ==, 200);
  /* the registering caller owns that organization, too */
  munit_assert_string_equal(t_str(&t, "results[0].orgMembershipStatus"), "ACTIVE");
  munit_assert_string_equal(t_str(&t, "results[0].roles.orgRoles[0]"), "ORG_READ_ONLY");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/users", group), ==, 200);
  munit_assert_size(t_count(&t, "results[0].roles"), ==, 2);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/users", more), ==, 200);
  munit_assert_size(t_count(&t, "results"), ==, 0); /* an expired invitation has no effect */
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/users?username=zed@example.com", d), ==, 200);
  munit_assert_string_equal(t_str(&t, "results[0].orgMembershipStatus"), "ACTIVE");
  store_whole(t.s);
  t_close(&t);
}

/* Roles of a new user: each must be on something that exists, that the caller sees, and that the caller owns. */
TEST(user, roles_refused)
{
  static const svc_config config = { .limiter_off = 1 };
  static const char nobody[] = "0123456789abcdef01234567";
  const char *org, *group, *other, *hidden, *me;
  char body[512], roles[256];
  t_service t;
  size_t i;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  other = t_organization(&t, "Other");
  hidden = t_project(&t, other, "beta");
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"},{\"groupId\":\"%s\",\"roleName\":\"GROUP_OWNER\"}]", org, group);
  me = t_user(&t, "me@example.com", roles);
  {
    const struct {
      const char *role, *field, *on;
      bool mine; /* the request is by a user who owns only the project */
      int status;
      const char *code;
    } rows[] = {
      { "GROUP_READ_ONLY", "orgId", org, false, 400, "ROLE_NEEDS_GROUP_ID" },
      { "ORG_MEMBER", "groupId", group, false, 400, "ROLE_NEEDS_ORG_ID" },
      { "GROUP_READ_ONLY", "groupId", nobody, false, 404, "GROUP_NOT_FOUND" },
      { "ORG_MEMBER", "orgId", nobody, false, 404, "ORG_NOT_FOUND" },
      { "GROUP_READ_ONLY", "groupId", hidden, true, 404, "GROUP_NOT_FOUND" },
      { "ORG_MEMBER", "orgId", other, true, 404, "ORG_NOT_FOUND" },
      { "ORG_MEMBER", "orgId", org, true, 403, "" },
      { "GROUP_READ_ONLY", "groupId", group, true, 201, "" },
    };
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
      snprintf(body, sizeof body, "{\"username\":\"new@example.com\",\"password\":\"correct horse\",\"firstName\":\"A\",\"lastName\":\"B\",\"country\":\"GB\","
               "\"mobileNumber\":\"2125550123\",\"roles\":[{\"%s\":\"%s\",\"roleName\":\"%s\"}]}", rows[i].field, rows[i].on, rows[i].role);
      t_as(&t, rows[i].mine ? me : NULL);
      if (t_send(&t, "POST", "/users", body) != rows[i].status) munit_errorf("%s: %s", body, t.response.body);
      if (rows[i].code[0]) munit_assert_string_equal(t_error(&t), rows[i].code);
    }
  }
  t_close(&t);
}

/* Users of a project by their own role, by a team, by a role on the organization, or only invited; and all queries for them. */
TEST(user, ways)
{
  static const svc_config config = { .limiter_off = 1 };
  static const struct {
    const char *query, *names; /* the first letters, in any order */
  } rows[] = {
    { "/groups/%s/users", "ad" },
    { "/groups/%s/users?flattenTeams=false&includeOrgUsers=false", "ad" },
    { "/groups/%s/users?flattenTeams=true", "abd" },
    { "/groups/%s/users?includeOrgUsers=true", "acd" },
    { "/groups/%s/users?flattenTeams=true&includeOrgUsers=true", "abcd" },
    { "/groups/%s/users?flattenTeams=true&includeOrgUsers=true&orgMembershipStatus=ACTIVE", "abc" },
    { "/groups/%s/users?orgMembershipStatus=PENDING", "d" },
    { "/groups/%s/users?orgMembershipStatus=ACTIVE", "a" },
    { "/groups/%s/users?orgMembershipStatuses=ACTIVE&orgMembershipStatuses=PENDING", "ad" },
    { "/groups/%s/users?username=ann@example.com", "a" },
    { "/groups/%s/users?username=bob@example.com", "" },
    { "/groups/%s/users?username=bob@example.com&flattenTeams=true", "b" },
    { "/groups/%s/users?username=cyd@example.com", "" },
    { "/groups/%s/users?username=cyd@example.com&flattenTeams=true", "" },
    { "/groups/%s/users?username=cyd@example.com&includeOrgUsers=true", "c" },
    { "/groups/%s/users?username=dan@example.com&orgMembershipStatus=ACTIVE", "" },
    { "/groups/%s/users?username=eve@example.com&flattenTeams=true&includeOrgUsers=true", "" },
    { "/groups/%s/users?username=nobody@example.com", "" },
    { "/orgs/%s/users", "abcde" },
    { "/orgs/%s/users?orgMembershipStatus=PENDING", "d" },
    { "/orgs/%s/users?orgMembershipStatus=ACTIVE", "abce" },
    { "/orgs/%s/users?orgMembershipStatuses=PENDING&orgMembershipStatus=ACTIVE", "" },
    { "/orgs/%s/users?orgMembershipStatuses=PENDING", "d" },
    { "/orgs/%s/users?username=bob@example.com&orgMembershipStatus=PENDING", "" },
    { "/teams/%s/users", "b" },
    { "/teams/%s/users?orgMembershipStatus=PENDING", "" },
    { "/teams/%s/users?username=bob@example.com", "b" },
    { "/teams/%s/users?username=ann@example.com", "" },
  };
  const char *org, *group, *empty, *team, *bob, *cyd;
  t_service t;
  char roles[256], path[256], place[64], letters[16];
  size_t i, k;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  empty = t_project(&t, org, "beta");
  snprintf(roles, sizeof roles, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_READ_ONLY\"},{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", group, org);
  t_user(&t, "ann@example.com", roles);
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", org);
  bob = t_user(&t, "bob@example.com", roles);
  t_user(&t, "eve@example.com", roles);
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]", org);
  cyd = t_user(&t, "cyd@example.com", roles);
  munit_assert_int(t_sendf(&t, "POST", "{\"username\":\"dan@example.com\",\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/users", group), ==, 201);
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"team\",\"usernames\":[\"bob@example.com\"]}", "/orgs/%s/teams", org), ==, 201);
  team = t_keep(&t, t_str(&t, "id"));
  snprintf(roles, sizeof roles, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_READ_ONLY\"]}]", team);
  munit_assert_int(t_sendf(&t, "POST", roles, "/groups/%s/teams", group), ==, 200);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const char *query = rows[i].query;
    bool in_team = strncmp(query, "/teams", 6) == 0;
    if (in_team) snprintf(path, sizeof path, "/orgs/%s/teams/%s%s", org, team, query + 9);
    else snprintf(path, sizeof path, query, query[1] == 'g' ? group : org);
    if (t_send(&t, "GET", path, NULL) != 200) munit_errorf("%s: %s", path, t.response.body);
    munit_assert_size(t_count(&t, "results"), ==, strlen(rows[i].names));
    letters[0] = 0;
    for (k = 0; k < strlen(rows[i].names); k++) {
      snprintf(place, sizeof place, "results[%zu].username", k);
      letters[k] = t_str(&t, place)[0], letters[k + 1] = 0;
      if (!strchr(rows[i].names, letters[k])) munit_errorf("%s: %s, not %s", query, letters, rows[i].names);
    }
  }
  /* a single user is found by any of these ways */
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/users/%s", group, bob), ==, 200);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/users/%s", empty, bob), ==, 404);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/users/%s", empty, cyd), ==, 200); /* by the role on the organization */
  /* the last owner of the organization keeps that role */
  munit_assert_int(t_sendf(&t, "PATCH", "{\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users/%s", org, cyd), ==, 403);
  munit_assert_string_equal(t_error(&t), "CANNOT_DEMOTE_LAST_ORG_OWNER");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"roles\":{\"orgRoles\":[\"ORG_OWNER\"]}}", "/orgs/%s/users/%s", org, bob), ==, 200);
  /* now there is another owner */
  munit_assert_int(t_sendf(&t, "PATCH", "{\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users/%s", org, cyd), ==, 200);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"roles\":{\"orgRoles\":[\"ORG_OWNER\"]}}", "/orgs/%s/users/%s", org, cyd), ==, 200);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users/%s", org, bob), ==, 200);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s/users/%s", group, bob), ==, 404); /* no roles of their own on the project */
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/users?flattenTeams=true&includeOrgUsers=true", empty), ==, 200);
  munit_assert_size(t_count(&t, "results"), ==, 1); /* the user with access to all projects */
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/users?flattenTeams=true", empty), ==, 200);
  munit_assert_size(t_count(&t, "results"), ==, 0);
  t_close(&t);
}

/* A user in a project through many teams is listed once. */
TEST(user, many_teams)
{
  enum { PEOPLE = 9, TEAMS = 8 }; /* more memberships than users: 72 */
  static const svc_config config = { .limiter_off = 1 };
  const char *org, *group;
  char body[1024], roles[256], name[64], seen[PEOPLE] = { 0 };
  t_service t;
  int i, n;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", org);
  for (i = 0; i < PEOPLE; i++) {
    snprintf(name, sizeof name, "p%d@example.com", i);
    t_user(&t, name, roles);
  }
  for (i = 0; i < TEAMS; i++) {
    int at = snprintf(body, sizeof body, "{\"name\":\"t%d\",\"usernames\":[", i);
    for (n = 0; n < PEOPLE; n++) at += snprintf(body + at, sizeof body - (size_t)at, "%s\"p%d@example.com\"", n ? "," : "", n);
    snprintf(body + at, sizeof body - (size_t)at, "]}");
    munit_assert_int(t_sendf(&t, "POST", body, "/orgs/%s/teams", org), ==, 201);
    snprintf(roles, sizeof roles, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_READ_ONLY\"]}]", t_keep(&t, t_str(&t, "id")));
    munit_assert_int(t_sendf(&t, "POST", roles, "/groups/%s/teams", group), ==, 200);
  }
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/users?flattenTeams=true", group), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, PEOPLE);
  for (i = 0; i < PEOPLE; i++) {
    snprintf(name, sizeof name, "results[%d].username", i);
    n = t_str(&t, name)[1] - '0';
    munit_assert_true(n >= 0 && n < PEOPLE && !seen[n]++);
  }
  t_close(&t);
}

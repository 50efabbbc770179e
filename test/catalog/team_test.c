/*
** Teams: unique names in an organization, their members, and roles on projects that the members have through a team.
**
** Tests also: organization_user
*/
#include "needs.h"
#include "support.h"

T_NEEDS(team) = {
  /* undoes addUser, with the same example */
  T_FIRST(SVC_POST, "/orgs/{orgId}/teams/{teamId}:removeUser", SVC_POST, "/orgs/{orgId}/teams/{teamId}:addUser", NULL),
  T_NEEDS_END
};

/* Creates a registered member of the organization. Returns its id. */
static const char *team_member(t_service *t, const char *org, const char *name)
{
  char roles[128];
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", org);
  return t_user(t, name, roles);
}

static const char *team_make(t_service *t, const char *org, const char *name, const char *user)
{
  char body[256];
  snprintf(body, sizeof body, "{\"name\":\"%s\",\"usernames\":[\"%s\"]}", name, user);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/teams", org), ==, 201);
  return t_keep(t, t_str(t, "id"));
}

static const char *team_newest(t_service *t, const char *scope, const char *id)
{
  munit_assert_int(t_sendf(t, "GET", NULL, "/%s/%s/events", scope, id), ==, 200);
  return t_str(t, "results[0].eventTypeName");
}

TEST_SERVICE(team, life)
{
  const char *org, *other, *ada, *team, *far;
  org = t_organization(t, "Acme");
  other = t_organization(t, "Other");
  ada = team_member(t, org, "ada@example.com");
  team_member(t, other, "far@example.com");
  team = team_make(t, org, "blue", "Ada@example.com");
  munit_assert_string_equal(t_str(t, "usernames[0]"), "Ada@example.com");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events?eventType=TEAM_CREATED", org), ==, 200);
  munit_assert_string_equal(t_str(t, "results[0].teamId"), team);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events?eventType=JOINED_TEAM", org), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);

  /* names are unique within an organization */
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"blue\",\"usernames\":[\"ada@example.com\"]}", "/orgs/%s/teams", org), ==, 409);
  munit_assert_string_equal(t_error(t), "TEAM_NAME_NOT_AVAILABLE");
  far = team_make(t, other, "blue", "far@example.com");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/teams/byName/blue", org), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), team);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/teams/byName/blue", other), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), far);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/teams/byName/red", org), ==, 404);
  munit_assert_string_equal(t_error(t), "TEAM_NAME_NOT_FOUND");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/teams/%s", org, far), ==, 404);
  munit_assert_string_equal(t_error(t), "TEAM_NOT_FOUND");
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"red\",\"usernames\":[]}", "/orgs/%s/teams", org), ==, 400);
  munit_assert_string_equal(t_error(t), "CANNOT_CREATE_EMPTY_TEAM");
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"red\",\"usernames\":[\"far@example.com\"]}", "/orgs/%s/teams", org), ==, 404);
  munit_assert_string_equal(t_error(t), "USERNAME_NOT_FOUND");

  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"navy\"}", "/orgs/%s/teams/%s", org, team), ==, 200);
  munit_assert_string_equal(t_str(t, "name"), "navy");
  munit_assert_string_equal(team_newest(t, "orgs", org), "TEAM_NAME_CHANGED");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/teams/%s", org, team), ==, 200);
  munit_assert_string_not_equal(t_link(t, "byName"), "");
  munit_assert_null(t_node(t, "usernames"));

  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, ada), ==, 200);
  munit_assert_string_equal(t_str(t, "teamIds[0]"), team);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s/teams/%s", org, team), ==, 204);
  munit_assert_string_equal(team_newest(t, "orgs", org), "TEAM_DELETED");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/users/%s", org, ada), ==, 200);
  munit_assert_size(t_count(t, "teamIds"), ==, 0);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/teams", org), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 0);
}

TEST_SERVICE(team, people)
{
  const char *org, *ada, *bob, *team;
  char body[512];
  org = t_organization(t, "Acme");
  ada = team_member(t, org, "ada@example.com");
  bob = team_member(t, org, "bob@example.com");
  team = team_make(t, org, "blue", "ada@example.com");
  snprintf(body, sizeof body, "{\"id\":\"%s\"}", bob);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/teams/%s:addUser", org, team), ==, 200);
  munit_assert_string_equal(t_str(t, "username"), "bob@example.com");
  munit_assert_string_equal(t_str(t, "teamIds[0]"), team);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/teams/%s:addUser", org, team), ==, 409);
  munit_assert_string_equal(t_error(t), "USER_ALREADY_IN_TEAM");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/teams/%s/users", org, team), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 2);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/teams/%s/users?userId=%s", org, team, ada), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/teams/%s:removeUser", org, team), ==, 200);
  munit_assert_size(t_count(t, "teamIds"), ==, 0);
  munit_assert_string_equal(team_newest(t, "orgs", org), "REMOVED_FROM_TEAM");
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/teams/%s:removeUser", org, team), ==, 404);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/teams/5f00000000000000000000aa:addUser", org), ==, 404);
  munit_assert_string_equal(t_error(t), "TEAM_NOT_FOUND");
  munit_assert_int(t_sendf(t, "POST", "{\"id\":\"5f00000000000000000000aa\"}", "/orgs/%s/teams/%s:addUser", org, team), ==, 404);
  munit_assert_string_equal(t_error(t), "USER_NOT_IN_ORG");

  /* the older operations */
  snprintf(body, sizeof body, "[{\"id\":\"%s\"}]", bob);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/teams/%s/users", org, team), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 2);
  munit_assert_string_equal(t_str(t, "results[1].emailAddress"), "bob@example.com"); /* users, not members */
  munit_assert_string_equal(t_str(t, "results[1].roles[0].roleName"), "ORG_MEMBER");
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s/teams/%s/users/%s", org, team, bob), ==, 204);
  /* a change of the user's own resource also adds the user to a team */
  snprintf(body, sizeof body, "{\"teamIds\":[\"%s\"]}", team);
  munit_assert_int(t_sendf(t, "PATCH", body, "/orgs/%s/users/%s", org, bob), ==, 200);
  munit_assert_string_equal(t_str(t, "teamIds[0]"), team);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s/users/%s", org, bob), ==, 204);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/teams/%s/users", org, team), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
}

TEST_SERVICE(team, projects)
{
  const char *org, *group, *gone, *ada, *team;
  char body[512];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  gone = t_project(t, org, "omega");
  ada = team_member(t, org, "ada@example.com");
  team = team_make(t, org, "blue", "ada@example.com");
  t_as(t, ada);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/users", group), ==, 403);
  t_as(t, NULL);
  snprintf(body, sizeof body, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_READ_ONLY\"]}]", team);
  munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/teams", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].teamId"), team);
  munit_assert_string_equal(t_str(t, "results[0].roleNames[0]"), "GROUP_READ_ONLY");
  munit_assert_string_equal(team_newest(t, "groups", group), "TEAM_ADDED_TO_GROUP");
  munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/teams", group), ==, 409);
  munit_assert_string_equal(t_error(t), "TEAM_EXISTS_IN_GROUP");
  {
    const char *green = team_make(t, org, "green", "ada@example.com"), *red = team_make(t, org, "red", "ada@example.com");
    snprintf(body, sizeof body, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_READ_ONLY\"]},{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_OWNER\"]}]", green, green);
    munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/teams", group), ==, 409); /* twice in one request */
    munit_assert_string_equal(t_error(t), "TEAM_EXISTS_IN_GROUP");
    snprintf(body, sizeof body, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_READ_ONLY\"]},{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_READ_ONLY\"]}]", green, red);
    munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/teams", group), ==, 200);
    munit_assert_int64(t_int(t, "totalCount"), ==, 3);
    munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/teams?pageNum=2&itemsPerPage=2", group), ==, 200);
    munit_assert_int64(t_int(t, "totalCount"), ==, 3);
    munit_assert_size(t_count(t, "results"), ==, 1);
    munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/teams/%s", group, green), ==, 204);
    munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/teams/%s", group, red), ==, 204);
  }

  /* the members have the roles of the team */
  t_as(t, ada);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/users", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 0);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/users?flattenTeams=true", group), ==, 200);
  munit_assert_string_equal(t_str(t, "results[0].username"), "ada@example.com");
  munit_assert_string_equal(t_str(t, "results[0].roles[0]"), "GROUP_READ_ONLY");
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"beta\"}", "/groups/%s", group), ==, 403);
  t_as(t, NULL);
  snprintf(body, sizeof body, "{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_OWNER\"]}", team);
  munit_assert_int(t_sendf(t, "PATCH", body, "/groups/%s/teams/%s", group, team), ==, 200);
  munit_assert_string_equal(t_str(t, "results[0].roleNames[0]"), "GROUP_OWNER");
  munit_assert_string_equal(team_newest(t, "groups", group), "TEAM_ROLES_MODIFIED");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/teams/%s", group, team), ==, 200);
  munit_assert_string_equal(t_str(t, "roleNames[0]"), "GROUP_OWNER");
  t_as(t, ada);
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"beta\"}", "/groups/%s", group), ==, 200);
  t_as(t, NULL); /* the path names the team; omitted fields stay */
  munit_assert_int(t_sendf(t, "PATCH", "{\"roleNames\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/teams/%s", group, team), ==, 200);
  munit_assert_string_equal(t_str(t, "results[0].roleNames[0]"), "GROUP_READ_ONLY");
  munit_assert_int(t_sendf(t, "PATCH", "{\"teamId\":\"\",\"roleNames\":[\"GROUP_OWNER\"]}", "/groups/%s/teams/%s", group, team), ==, 200);
  munit_assert_int(t_sendf(t, "PATCH", "{}", "/groups/%s/teams/%s", group, team), ==, 200);
  munit_assert_string_equal(t_str(t, "results[0].roleNames[0]"), "GROUP_OWNER");
  t_as(t, NULL);

  /* refused */
  snprintf(body, sizeof body, "{\"teamId\":\"%s\",\"roleNames\":[]}", team);
  munit_assert_int(t_sendf(t, "PATCH", body, "/groups/%s/teams/%s", group, team), ==, 403);
  munit_assert_string_equal(t_error(t), "NO_ROLES_IN_ASSIGNMENT");
  snprintf(body, sizeof body, "{\"teamId\":\"%s\",\"roleNames\":[\"ORG_OWNER\"]}", team);
  munit_assert_int(t_sendf(t, "PATCH", body, "/groups/%s/teams/%s", group, team), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_ROLE_FOR_GROUP");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/teams/%s", gone, team), ==, 404);
  munit_assert_string_equal(t_error(t), "TEAM_NOT_IN_GROUP");
  munit_assert_int(t_sendf(t, "POST", "[{\"teamId\":\"5f00000000000000000000aa\",\"roleNames\":[\"GROUP_OWNER\"]}]", "/groups/%s/teams", group), ==, 404);
  munit_assert_string_equal(t_error(t), "TEAM_NOT_IN_ORG");
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s/teams/%s", org, team), ==, 404);
  munit_assert_string_equal(t_error(t), "CANNOT_DELETE_TEAM_ASSIGNED_TO_PROJECT");

  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/teams/%s", group, team), ==, 204);
  t_as(t, ada);
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"gamma\"}", "/groups/%s", group), ==, 403);
  t_as(t, NULL);
  /* a deleted project does not prevent the delete of a team */
  snprintf(body, sizeof body, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_OWNER\"]}]", team);
  munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/teams", gone), ==, 200);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s", gone), ==, 202);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s/teams/%s", org, team), ==, 204);
}

TEST(team, limits)
{
  t_service t;
  svc_limit_override wide[2];
  svc_config config;
  const char *org, *team, *fits = NULL;
  char body[512];
  svc_buf names;
  int i;
  memset(&config, 0, sizeof config);
  memset(wide, 0, sizeof wide);
  wide[0].endpoint_set_id = "organizationUsers_organization";
  wide[0].capacity = wide[0].refill_rate = 5000;
  config.limits = wide;
  config.limit_count = 1;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  team_member(&t, org, "ada@example.com");
  team = team_make(&t, org, "t0", "ada@example.com");
  for (i = 1; i < 100; i++) {
    snprintf(body, sizeof body, "t%d", i);
    team_make(&t, org, body, "ada@example.com");
  }
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"more\",\"usernames\":[\"ada@example.com\"]}", "/orgs/%s/teams", org), ==, 400);
  munit_assert_string_equal(t_error(&t), "MAX_TEAMS_PER_ORG_EXCEEDED");
  for (i = 1; i <= 250; i++) {
    snprintf(body, sizeof body, "{\"username\":\"u%d@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]},\"teamIds\":[\"%s\"]}", i, team);
    munit_assert_int(t_sendf(&t, "POST", body, "/orgs/%s/users", org), ==, i < 250 ? 201 : 400);
  }
  munit_assert_string_equal(t_error(&t), "MAX_USERS_PER_TEAM_EXCEEDED");

  /* the same maximum for a new team: 250 members are accepted */
  munit_assert_int(t_sendf(&t, "POST", "{\"username\":\"u250@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users", org), ==, 201);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s/teams/%s", org, team), ==, 204);
  names = svc_buf_new(&t.s->memory, 8192);
  svc_buf_text(&names, "{\"name\":\"all\",\"usernames\":[\"ada@example.com\"");
  for (i = 1; i <= 250; i++) {
    snprintf(body, sizeof body, ",\"u%d@example.com\"", i);
    svc_buf_text(&names, body);
    if (i == 249) fits = svc_arena_print(&t.s->memory, SVC_FMT "]}", (int)names.n, names.p).p;
  }
  svc_buf_text(&names, "]}");
  munit_assert_int(t_sendf(&t, "POST", svc_buf_done(&names).p, "/orgs/%s/teams", org), ==, 400);
  munit_assert_string_equal(t_error(&t), "MAX_USERS_PER_TEAM_EXCEEDED");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/teams/byName/all", org), ==, 404);
  munit_assert_int(t_sendf(&t, "POST", fits, "/orgs/%s/teams", org), ==, 201);
  t_close(&t);
}

/* Only owners of a project can add, change or remove a team that owns it. */
TEST_SERVICE(team, owners)
{
  const char *org, *group, *team, *manager;
  char body[256];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  snprintf(body, sizeof body, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_ACCESS_MANAGER\"}]", group);
  manager = t_user(t, "manager@example.com", body);
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"blue\",\"usernames\":[\"manager@example.com\"]}", "/orgs/%s/teams", org), ==, 201);
  team = t_keep(t, t_str(t, "id"));
  t_user(t, "other@example.com", "[]");
  munit_assert_int(t_sendf(t, "POST", "{\"username\":\"other@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users", org), ==, 201);
  snprintf(body, sizeof body, "[{\"id\":\"%s\"}]", t_str(t, "id"));
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/teams/%s/users", org, team), ==, 200);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s/teams/%s/users/%s", org, team, manager), ==, 204);
  snprintf(body, sizeof body, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_OWNER\"]}]", team);
  munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/teams", group), ==, 200);
  t_as(t, manager);
  snprintf(body, sizeof body, "{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_READ_ONLY\"]}", team);
  munit_assert_int(t_sendf(t, "PATCH", body, "/groups/%s/teams/%s", group, team), ==, 403);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/teams/%s", group, team), ==, 403);
  t_as(t, NULL);
  munit_assert_int(t_sendf(t, "PATCH", body, "/groups/%s/teams/%s", group, team), ==, 200);
  t_as(t, manager);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/teams/%s", group, team), ==, 204);
}

/*
** Every operation with every role: a caller with one of the roles of the public catalog, or a role that includes one of them,
** passes the permission stage. A caller with another role gets 403. A caller with a role on another organization only gets 401.
**
** The test has its own list of included roles, written from the description of the roles, so that an error in the
** library's table shows.
*/
#include "support.h"

#include "catalog/operations_own.h"

static bool roles_is_group(const char *role)
{
  return strncmp(role, "GROUP_", 6) == 0;
}

/* Returns true if the role `held` includes `wanted`. */
static bool roles_includes(const char *held, const char *wanted)
{
  static const char *const rows[][2] = {
    { "ORG_BILLING_ADMIN", "ORG_BILLING_READ_ONLY" },
    { "ORG_READ_ONLY", "GROUP_READ_ONLY" },
    { "ORG_STREAM_PROCESSING_ADMIN", "GROUP_READ_ONLY" },
    { "ORG_STREAM_PROCESSING_ADMIN", "GROUP_STREAM_PROCESSING_MANAGER" },
    { "GROUP_STREAM_PROCESSING_OWNER", "GROUP_STREAM_PROCESSING_MANAGER" },
    { "GROUP_DATA_ACCESS_ADMIN", "GROUP_DATA_ACCESS_READ_WRITE" },
    { "GROUP_DATA_ACCESS_ADMIN", "GROUP_DATA_ACCESS_READ_ONLY" },
    { "GROUP_DATA_ACCESS_READ_WRITE", "GROUP_DATA_ACCESS_READ_ONLY" },
    { "GROUP_BACKUP_MANAGER", "GROUP_BACKUP_CREATOR" },
    { "GROUP_BACKUP_MANAGER", "GROUP_BACKUP_RECOVERY_OPERATOR" },
    { "GROUP_BACKUP_MANAGER", "GROUP_BACKUP_EXPORT_OPERATOR" },
  };
  size_t i;
  if (strcmp(held, wanted) == 0 || strcmp(held, "ORG_OWNER") == 0) return true;
  if (!roles_is_group(held) && strcmp(wanted, "ORG_MEMBER") == 0) return true;
  if (roles_is_group(held) && strcmp(wanted, "GROUP_READ_ONLY") == 0) return true;
  if (strcmp(held, "GROUP_OWNER") == 0 && roles_is_group(wanted)) return true;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (strcmp(rows[i][0], held) == 0 && strcmp(rows[i][1], wanted) == 0) return true;
  return false;
}

static bool roles_suffice(const char *held, const char *wanted)
{
  svc_str rest = svc_str_c(wanted);
  char name[64];
  if (rest.n == 0) return true;
  while (rest.n) {
    svc_str word = svc_str_cut(&rest, ' ');
    snprintf(name, sizeof name, SVC_FMT, SVC_ARG(word));
    if (roles_includes(held, name)) return true;
  }
  return false;
}

/* Writes the path with the ids of existing resources, and with made-up ids for the rest. */
static void roles_path(const char *pattern, const char *org, const char *group, const char *federation, char *out)
{
  for (; *pattern; pattern++) {
    const char *end, *value = "5f00000000000000000000aa";
    if (*pattern != '{') {
      *out++ = *pattern;
      continue;
    }
    end = strchr(pattern, '}');
    if (strncmp(pattern, "{orgId}", 7) == 0) value = org;
    if (strncmp(pattern, "{groupId}", 9) == 0) value = group;
    if (strncmp(pattern, "{federationSettingsId}", 22) == 0) value = federation;
    out += sprintf(out, "%s", value);
    pattern = end;
  }
  *out = 0;
}

static const operations_row *roles_operation(const svc_route *r)
{
  static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
  return operations_find(methods[r->method], r->path);
}

TEST(roles, all)
{
  t_service t;
  const char *org, *group, *other, *federation;
  char path[512];
  size_t i, checked = 0;
  int role;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  org = t_organization(&t, "One");
  group = t_project(&t, org, "one");
  other = t_organization(&t, "Other");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/federationSettings", org), ==, 200);
  federation = t_keep(&t, t_str(&t, "id"));
  t_header(&t, "If-Match", "\"none of them\""); /* requests that pass may change nothing */
  t_header(&t, "Content-Type", "text/plain");
  for (i = 0; i < t.s->plan_count; i++) {
    const svc_plan *plan = &t.s->plans[i];
    const operations_row *o = roles_operation(plan->route);
    bool scoped;
    if (plan->route->flags & (SVC_ABSOLUTE | SVC_NO_AUTH) || t_ended(&t, plan)) continue;
    munit_assert_not_null(o);
    if (o->roles[0] == 0) continue; /* any authenticated caller: the noun's own suite tests the answer */
    scoped = strstr(o->path, "{groupId}") || strstr(o->path, "{orgId}") || strstr(o->path, "{federationSettingsId}");
    roles_path(o->path, org, group, federation, path);
    for (role = 0; role < SVC_ROLE_COUNT; role++) {
      const char *name = svc_role_name(role);
      bool project = strstr(o->path, "{groupId}") != NULL;
      int status;
      if (roles_is_group(name) && !project && scoped) continue; /* a role on a project does not count for its organization */
      t.grants[0].role = name;
      t.grants[0].on = roles_is_group(name) ? group : org;
      status = t_send(&t, o->method, path, strcmp(o->method, "GET") == 0 || strcmp(o->method, "DELETE") == 0 ? NULL : "x");
      if (roles_suffice(name, o->roles) == (status == 403))
        munit_errorf("%s %s with %s: %d %s", o->method, o->path, name, status, t_error(&t));
      if (status == 403) {
        munit_assert_string_equal(t_error(&t), "ACCESS_FORBIDDEN");
        munit_assert_not_null(strstr(t_str(&t, "detail"), "role"));
      }
      checked++;
      if (!scoped) continue;
      t.grants[0].on = other; /* the same role elsewhere does not count */
      status = t_send(&t, o->method, path, strcmp(o->method, "GET") == 0 || strcmp(o->method, "DELETE") == 0 ? NULL : "x");
      munit_assert_int(status, ==, 401);
    }
  }
  printf("roles: %zu pairs of operation and role\n", checked);
  munit_assert_size(checked, >, 1000);
  t_close(&t);
}

/* Returns the names of all roles on projects, as a JSON array. */
static const char *roles_of_groups(void)
{
  static char text[2048];
  char *to = text;
  int role;
  for (role = 0; role < SVC_ROLE_COUNT; role++)
    if (svc_role_level(role) == SVC_SCOPE_GROUP)
      to += sprintf(to, "%s\"%s\"", to == text ? "[" : ",", svc_role_name(role));
  sprintf(to, "]");
  return text;
}

/* A caller has more than 1000 roles on projects, and another on the organization, which comes last: all of them count. */
TEST(roles, many)
{
  enum { PROJECTS = 40 };
  t_service t;
  const char *org, *user, *groups[PROJECTS];
  char body[4096], name[16];
  int i;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  org = t_organization(&t, "One");
  snprintf(body, sizeof body, "[{\"roleName\":\"ORG_MEMBER\",\"orgId\":\"%s\"}]", org);
  user = t_user(&t, "many@example.com", body);
  for (i = 0; i < PROJECTS; i++) {
    snprintf(name, sizeof name, "p%d", i);
    groups[i] = t_project(&t, org, name);
    snprintf(body, sizeof body, "{\"username\":\"many@example.com\",\"roles\":%s}", roles_of_groups());
    munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/users", groups[i]), ==, 201);
  }
  t_project(&t, org, "elsewhere");
  t_as(&t, user);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", groups[PROJECTS - 1]), ==, 200);
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, PROJECTS);
  munit_assert_int(t_send(&t, "GET", "", NULL), ==, 200);
  munit_assert_size(t_count(&t, "apiKey.roles"), >, 1000);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"name\":\"Two\"}", "/orgs/%s", org), ==, 403);
  t_as(&t, NULL);
  munit_assert_int(t_sendf(&t, "POST", "{\"orgRole\":\"ORG_OWNER\"}", "/orgs/%s/users/%s:addRole", org, user), ==, 200);
  t_as(&t, user);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"name\":\"Two\"}", "/orgs/%s", org), ==, 200);
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, PROJECTS + 1);
  t_close(&t);
}

/* A caller is in many teams. Each team has a role on a project of its own. All these roles count. */
TEST(roles, many_teams)
{
  enum { TEAMS = 90 };
  t_service t;
  const char *org, *other, *user, *group = "", *team = "";
  char body[512], name[16];
  int i;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  org = t_organization(&t, "One");
  other = t_organization(&t, "Other");
  snprintf(body, sizeof body, "[{\"roleName\":\"ORG_MEMBER\",\"orgId\":\"%s\"}]", org);
  user = t_user(&t, "many@example.com", body);
  for (i = 0; i < TEAMS; i++) {
    snprintf(name, sizeof name, "t%d", i);
    snprintf(body, sizeof body, "{\"name\":\"%s\",\"usernames\":[\"many@example.com\"]}", name);
    munit_assert_int(t_sendf(&t, "POST", body, "/orgs/%s/teams", org), ==, 201);
    team = t_keep(&t, t_str(&t, "id"));
    group = t_project(&t, org, name);
    snprintf(body, sizeof body, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_CLUSTER_MANAGER\"]}]", team);
    munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/teams", group), ==, 200);
  }
  t_project(&t, org, "elsewhere");
  t_as(&t, user);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", group), ==, 403);
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, TEAMS);
  munit_assert_int(t_send(&t, "GET", "/eventTypes", NULL), ==, 200);
  t_as(&t, NULL); /* a team belongs to its organization: its roles on a project end when the project moves */
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", other);
  munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s:migrate", group), ==, 200);
  t_as(&t, user);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 401);
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, TEAMS - 1);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  t_close(&t);
}

/* A caller with roles only on projects sees the organization of these projects, and no other. */
TEST_SERVICE(roles, project_only)
{
  const char *org, *group, *user;
  char body[256];
  org = t_organization(t, "One");
  t_organization(t, "Other");
  group = t_project(t, org, "one");
  t->grants[0].role = "GROUP_READ_ONLY"; /* as granted by the host */
  t->grants[0].on = group;
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  t->grants[0].role = "ORG_OWNER";
  t->grants[0].on = NULL;
  snprintf(body, sizeof body, "[{\"roleName\":\"GROUP_READ_ONLY\",\"groupId\":\"%s\"}]", group);
  user = t_user(t, "one@example.com", body);
  t_as(t, user);
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].id"), org);
}

/* A role that the host grants everywhere shows in a list only items that the caller could read one by one. */
TEST_SERVICE(roles, everywhere)
{
  static const struct {
    const char *role;
    int status, seen;
  } rows[] = { { "ORG_MEMBER", 403, 0 }, { "ORG_GROUP_CREATOR", 403, 0 }, { "ORG_READ_ONLY", 200, 2 }, { "GROUP_READ_ONLY", 200, 2 } };
  const char *org, *group;
  size_t i;
  org = t_organization(t, "One");
  group = t_project(t, org, "one");
  t_project(t, org, "two");
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    t->grants[0].role = rows[i].role;
    munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", group), ==, rows[i].status);
    munit_assert_int(t_send(t, "GET", "/groups", NULL), ==, 200);
    munit_assert_int64(t_int(t, "totalCount"), ==, rows[i].seen);
    munit_assert_int(t_send(t, "GET", "/clusters", NULL), ==, 200);
    munit_assert_int64(t_int(t, "totalCount"), ==, rows[i].seen);
    munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
    munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  }
}

/* Grants of the host. Grants of an unknown role, and grants on an unknown organization or project, count for nothing. */
TEST_SERVICE(roles, vouched)
{
  static const char *const nobody = "5f0000000000000000000000";
  const char *org, *other, *group, *elsewhere;
  org = t_organization(t, "One");
  other = t_organization(t, "Other");
  group = t_project(t, org, "one");
  elsewhere = t_project(t, other, "else");
  t->grants[0] = (svc_grant){ "NO_SUCH_ROLE", group };
  t->grants[1] = (svc_grant){ "GROUP_OWNER", nobody };
  t->grants[2] = (svc_grant){ "NO_SUCH_ROLE", NULL };
  t->grants[3] = (svc_grant){ "ORG_MEMBER", nobody };
  t->caller.grant_count = 4;
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", org), ==, 401);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", group), ==, 401);
  munit_assert_int(t_send(t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 0);
  t->grants[4] = (svc_grant){ "GROUP_READ_ONLY", group };
  t->grants[5] = (svc_grant){ "GROUP_CLUSTER_MANAGER", group };
  t->caller.grant_count = 6;
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", org), ==, 403); /* the caller has a role in it, but not the required one */
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", other), ==, 401);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", group), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", elsewhere), ==, 401);
  munit_assert_int(t_send(t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "results[0].id"), org);
  t->grants[6] = (svc_grant){ "ORG_OWNER", org }; /* a whole organization, and a single project */
  t->grants[7] = (svc_grant){ "GROUP_OWNER", elsewhere };
  t->caller.grant_count = 8;
  munit_assert_int(t_send(t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 2);
  munit_assert_int(t_send(t, "GET", "/groups?pageNum=2&itemsPerPage=1", NULL), ==, 200);
  munit_assert_size(t_count(t, "results"), ==, 1);
}

/* Pages over several organizations, one of them empty, and single projects: each item appears once, in the same order. */
TEST(roles, pages)
{
  static const struct {
    const char *org;
    int projects;
    bool whole; /* false: each of its projects by itself */
  } orgs[] = { { "A", 3, true }, { "B", 0, true }, { "C", 4, false }, { "D", 2, true } };
  char ids[16][32], name[32];
  svc_grant grants[8];
  size_t i, held = 0;
  t_service t;
  int n, per, page;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  for (i = 0; i < sizeof orgs / sizeof orgs[0]; i++) {
    const char *org = t_organization(&t, orgs[i].org), *group;
    if (orgs[i].whole) grants[held++] = (svc_grant){ "ORG_OWNER", org };
    for (n = 0; n < orgs[i].projects; n++) {
      snprintf(name, sizeof name, "%s%d", orgs[i].org, n);
      group = t_project(&t, org, name);
      if (!orgs[i].whole) grants[held++] = (svc_grant){ "GROUP_OWNER", group };
    }
  }
  memcpy(t.grants, grants, sizeof grants);
  t.caller.grant_count = held;
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 9);
  for (n = 0; n < 9; n++) {
    snprintf(name, sizeof name, "results[%d].id", n);
    snprintf(ids[n], sizeof ids[n], "%s", t_str(&t, name));
  }
  for (per = 1; per < 11; per++)
    for (page = 1; page < 12; page++) {
      int first = (page - 1) * per, there = first >= 9 ? 0 : 9 - first < per ? 9 - first : per;
      munit_assert_int(t_sendf(&t, "GET", NULL, "/groups?itemsPerPage=%d&pageNum=%d&includeCount=%s", per, page, page % 2 ? "true" : "false"), ==, 200);
      munit_assert_size(t_count(&t, "results"), ==, (size_t)there);
      for (n = 0; n < there; n++) {
        snprintf(name, sizeof name, "results[%d].id", n);
        munit_assert_string_equal(t_str(&t, name), ids[first + n]);
      }
    }
  t_close(&t);
}

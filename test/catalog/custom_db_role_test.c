/*
** Custom database roles: nested fields, uniqueness, inheritance without cycles, and the project's quota.
*/
#include "needs.h"
#include "support.h"

T_NEEDS(custom_db_role) = {
  T_TARGET("custom database role", "/groups/{groupId}/customDBRoles/roles", NULL, NULL, "roleName", "/groups/%G/customDBRoles/roles/%V"),
  T_REFERENCE("custom database role", "inheritedRoles[].role", SVC_POST, "/groups/{groupId}/customDBRoles/roles",
              "{\"roleName\":\"ref\",\"inheritedRoles\":[{\"db\":\"admin\",\"role\":\"%V\"}]}", 0, NULL),
  T_NEEDS_END
};

#define ROLES "/groups/%s/customDBRoles/roles"

static const char *group;

static void role_open(t_service *t)
{
  t_open(t, NULL);
  group = t_project(t, t_organization(t, "Acme"), "alpha");
}

static int role_make(t_service *t, const char *name, const char *inherited)
{
  static char body[20480];
  snprintf(body, sizeof body, "{\"roleName\":\"%s\",\"inheritedRoles\":[%s]}", name, inherited);
  return t_sendf(t, "POST", body, ROLES, group);
}

TEST(custom_db_role, life)
{
  t_service t;
  role_open(&t);
  munit_assert_int(t_sendf(&t, "POST", "{\"roleName\":\"reader\",\"actions\":[{\"action\":\"FIND\",\"resources\":[{\"cluster\":false,"
                           "\"collection\":\"orders\",\"db\":\"shop\"}]}]}", ROLES, group), ==, 202);
  munit_assert_string_equal(t_str(&t, "actions[0].resources[0].db"), "shop");
  munit_assert_int(role_make(&t, "reader", ""), ==, 409);
  munit_assert_string_equal(t_error(&t), "CUSTOM_ROLE_NAME_ALREADY_EXISTS");
  munit_assert_int(t_sendf(&t, "POST", "{\"roleName\":\"a b\",\"actions\":[{\"action\":\"FLY\",\"resources\":[{\"cluster\":1}]}],\"x\":1}",
                           ROLES, group), ==, 400);
  munit_assert_true(t_violation(&t, "roleName"));
  munit_assert_true(t_violation(&t, "actions[0].action"));
  munit_assert_true(t_violation(&t, "actions[0].resources[0].cluster"));
  munit_assert_true(t_violation(&t, "x"));
  munit_assert_int(t_sendf(&t, "GET", NULL, ROLES, group), ==, 200);
  munit_assert_int(t.body->type, ==, SVC_J_ARRAY);
  munit_assert_size(svc_node_count(t.body), ==, 1);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"actions\":[]}", ROLES "/reader", group), ==, 200);
  munit_assert_size(t_count(&t, "actions"), ==, 0);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"roleName\":\"writer\"}", ROLES "/reader", group), ==, 400);
  munit_assert_string_equal(t_error(&t), "ATTRIBUTE_READ_ONLY");
  munit_assert_int(t_sendf(&t, "DELETE", NULL, ROLES "/reader", group), ==, 204);
  munit_assert_int(t_sendf(&t, "GET", NULL, ROLES "/reader", group), ==, 404);
  munit_assert_string_equal(t_error(&t), "CUSTOM_ROLE_NOT_FOUND");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events?eventType=DB_ROLE_ADDED&eventType=DB_ROLE_DELETED", group), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 2);
  t_close(&t);
}

/* A resource is the cluster alone, or a database and a collection, whose names may be empty. */
TEST(custom_db_role, resources)
{
  static const struct {
    const char *resource, *wrong; /* NULL: accepted */
  } rows[] = {
    { "{\"cluster\":true}", NULL },
    { "{\"cluster\":true,\"db\":\"\",\"collection\":\"\"}", NULL },
    { "{\"db\":\"shop\",\"collection\":\"\"}", NULL },
    { "{\"cluster\":false,\"db\":\"\",\"collection\":\"\"}", NULL },
    { "{\"cluster\":true,\"db\":\"shop\"}", "actions[0].resources[0].db" },
    { "{\"cluster\":true,\"collection\":\"orders\"}", "actions[0].resources[0].collection" },
    { "{\"cluster\":false}", "actions[0].resources[0].db" },
    { "{\"db\":\"shop\"}", "actions[0].resources[0].collection" },
    { "{}", "actions[0].resources[0].collection" },
  };
  char body[256];
  t_service t;
  size_t i;
  role_open(&t);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    snprintf(body, sizeof body, "{\"roleName\":\"r%zu\",\"actions\":[{\"action\":\"FIND\",\"resources\":[%s]}]}", i, rows[i].resource);
    munit_assert_int(t_sendf(&t, "POST", body, ROLES, group), ==, rows[i].wrong ? 400 : 202);
    if (rows[i].wrong) munit_assert_true(t_violation(&t, rows[i].wrong));
    else munit_assert_size(t_count(&t, "actions[0].resources"), ==, 1);
  }
  t_close(&t);
}

TEST(custom_db_role, circles)
{
  t_service t;
  role_open(&t);
  munit_assert_int(role_make(&t, "a", "{\"db\":\"admin\",\"role\":\"readAnyDatabase\"}"), ==, 202);
  munit_assert_int(role_make(&t, "b", "{\"db\":\"admin\",\"role\":\"a\"}"), ==, 202);
  munit_assert_int(role_make(&t, "c", "{\"db\":\"admin\",\"role\":\"b\"}"), ==, 202);
  munit_assert_int(role_make(&t, "d", "{\"db\":\"admin\",\"role\":\"d\"}"), ==, 400);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"inheritedRoles\":[{\"db\":\"admin\",\"role\":\"c\"}]}", ROLES "/a", group), ==, 400);
  munit_assert_string_equal(t_error(&t), "INVALID_CUSTOM_ROLE_CIRCULAR_DEPENDENCY");
  munit_assert_int(t_sendf(&t, "DELETE", NULL, ROLES "/a", group), ==, 409);
  munit_assert_string_equal(t_error(&t), "CUSTOM_ROLE_IN_USE_BY_ROLES");
  munit_assert_int(t_sendf(&t, "DELETE", NULL, ROLES "/c", group), ==, 204);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":2}", "/groups/%s/limits/svc.project.security.databaseAccess.customRoles", group),
                   ==, 200);
  munit_assert_int(role_make(&t, "e", ""), ==, 403);
  munit_assert_string_equal(t_error(&t), "CUSTOM_ROLES_LIMIT_EXCEEDED");
  t_close(&t);
}

/* Sends a role with one action on `resources` collections, whose names have `length` characters. `name` NULL: changes the role r0.
** Returns the status. */
static int role_of_size(t_service *t, const char *method, const char *name, int resources, int length)
{
  char *body = malloc((size_t)resources * (size_t)(length + 64) + 256), *end = body;
  int i, status;
  munit_assert_not_null(body);
  end += sprintf(end, "{%s%s%s\"actions\":[{\"action\":\"FIND\",\"resources\":[", name ? "\"roleName\":\"" : "", name ? name : "",
                 name ? "\"," : "");
  for (i = 0; i < resources; i++)
    end += sprintf(end, "%s{\"cluster\":false,\"collection\":\"%0*d\",\"db\":\"\"}", i ? "," : "", length, i);
  sprintf(end, "]}]}");
  status = t_sendf(t, method, body, name ? ROLES : ROLES "/r0", group);
  free(body);
  return status;
}

/* The size of a role is limited, and so is the list of all roles. */
TEST(custom_db_role, bounds)
{
  char body[16384], *end = body, name[32], long_name[300];
  t_service t;
  size_t whole;
  int i;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  munit_assert_int(role_of_size(&t, "POST", "r0", 500, 3), ==, 202);
  munit_assert_int(role_of_size(&t, "POST", "no", 501, 3), ==, 400);
  munit_assert_true(t_violation(&t, "actions[0].resources"));
  munit_assert_int(role_of_size(&t, "POST", "no", 1, 256), ==, 400);
  munit_assert_true(t_violation(&t, "actions[0].resources[0].collection"));
  munit_assert_int(role_of_size(&t, "POST", "no", 150, 200), ==, 400); /* each part is within its bounds, but the sum is not */
  munit_assert_true(t_violation(&t, "actions"));
  munit_assert_int(role_of_size(&t, "PATCH", NULL, 150, 200), ==, 400);
  munit_assert_true(t_violation(&t, "actions"));
  munit_assert_int(t_sendf(&t, "GET", NULL, ROLES "/r0", group), ==, 200);
  munit_assert_size(t_count(&t, "actions[0].resources"), ==, 500);
  end += sprintf(end, "{\"roleName\":\"no\",\"actions\":[");
  for (i = 0; i < 101; i++) end += sprintf(end, "%s{\"action\":\"FIND\",\"resources\":[]}", i ? "," : "");
  sprintf(end, "]}");
  munit_assert_int(t_sendf(&t, "POST", body, ROLES, group), ==, 400);
  munit_assert_true(t_violation(&t, "actions"));
  memset(long_name, 'x', sizeof long_name);
  long_name[129] = 0;
  snprintf(body, sizeof body, "{\"db\":\"admin\",\"role\":\"%s\"}", long_name);
  munit_assert_int(role_make(&t, "no", body), ==, 400);
  munit_assert_true(t_violation(&t, "inheritedRoles[0].role"));

  munit_assert_int(t_sendf(&t, "DELETE", NULL, ROLES "/r0", group), ==, 204);
  for (i = 0; i < 100; i++) { /* the maximum per project, each of maximum size: the list is less than 4 MiB */
    snprintf(name, sizeof name, "r%d", i);
    munit_assert_int(role_of_size(&t, "POST", name, 130, 202), ==, 202);
  }
  munit_assert_int(role_of_size(&t, "POST", "no", 1, 1), ==, 403);
  munit_assert_int(t_sendf(&t, "GET", NULL, ROLES, group), ==, 200);
  whole = t.response.body_length;
  munit_assert_size(whole, >, 3000000);
  munit_assert_size(whole, <, (size_t)4 << 20);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":1400}", "/groups/%s/limits/svc.project.security.databaseAccess.customRoles", group),
                   ==, 200);
  for (; i < 140; i++) { /* a project with a higher limit gets its roles in pages */
    snprintf(name, sizeof name, "r%d", i);
    munit_assert_int(role_of_size(&t, "POST", name, 130, 202), ==, 202);
  }
  munit_assert_int(t_sendf(&t, "GET", NULL, ROLES, group), ==, 400);
  munit_assert_string_equal(t_error(&t), "INVALID_QUERY_PARAMETER");
  munit_assert_string_equal(t_param(&t, 0), "itemsPerPage");
  munit_assert_int(t_sendf(&t, "GET", NULL, ROLES "?pageNum=2", group), ==, 200);
  munit_assert_size(svc_node_count(t.body), ==, 40);
  t_close(&t);
}

/* The costs of a change of inherited roles depend on the roles that it names, not on the sizes or number of roles. */
TEST(custom_db_role, cost)
{
  char body[8192], *end, name[32];
  t_reads small, all;
  t_service t;
  int i;
  t_open(&t, &(svc_config){ .limiter_off = 1, .store = t_counting_port() });
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  for (i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "r%d", i);
    munit_assert_int(role_of_size(&t, "POST", name, i ? 130 : 1, 202), ==, 202);
  }
  t_reads_taken();
  munit_assert_int(t_sendf(&t, "PATCH", "{\"inheritedRoles\":[{\"db\":\"admin\",\"role\":\"r1\"}]}", ROLES "/r0", group), ==, 200);
  small = t_reads_taken();
  end = body + sprintf(body, "{\"inheritedRoles\":[");
  for (i = 1; i < 100; i++) end += sprintf(end, "%s{\"db\":\"admin\",\"role\":\"r%d\"}", i > 1 ? "," : "", i);
  sprintf(end, "]}");
  munit_assert_int(t_sendf(&t, "PATCH", body, ROLES "/r0", group), ==, 200);
  all = t_reads_taken();
  munit_assert_long(all.gets, ==, small.gets);
  munit_assert_long(all.rows, ==, small.rows);
  munit_assert_long(all.bytes, <, 2 * small.bytes + 1000); /* no other role is read */
  munit_assert_long(all.writes, <=, small.writes + 99);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, ROLES "/r5", group), ==, 409);
  munit_assert_long(t_reads_taken().rows, <, 10);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, ROLES "/r0", group), ==, 204);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, ROLES "/r5", group), ==, 204);
  all = t_reads_taken();
  munit_assert_long(all.rows + all.gets, <, 60);
  t_close(&t);
}

/* A hundred roles that inherit two roles each are no cycle, however many paths lead from one to another. */
TEST(custom_db_role, wide)
{
  char body[8192], *end = body, name[32];
  t_service t;
  int i;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":400}", "/groups/%s/limits/svc.project.security.databaseAccess.customRoles", group),
                   ==, 200);
  munit_assert_int(role_make(&t, "g0", ""), ==, 202);
  munit_assert_int(role_make(&t, "g1", "{\"db\":\"admin\",\"role\":\"g0\"}"), ==, 202);
  end += sprintf(end, "{\"roleName\":\"child\",\"inheritedRoles\":[");
  for (i = 0; i < 100; i++) {
    char two[128];
    snprintf(name, sizeof name, "p%d", i);
    snprintf(two, sizeof two, "{\"db\":\"admin\",\"role\":\"%s%d\"},{\"db\":\"admin\",\"role\":\"g%d\"}", i > 1 ? "p" : "g", i > 1 ? i - 2 : 0,
             i > 1 ? i % 2 : 1);
    munit_assert_int(role_make(&t, name, two), ==, 202);
    end += sprintf(end, "%s{\"db\":\"admin\",\"role\":\"p%d\"}", i ? "," : "", i);
  }
  sprintf(end, "]}");
  munit_assert_int(t_sendf(&t, "POST", body, ROLES, group), ==, 202);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"inheritedRoles\":[{\"db\":\"admin\",\"role\":\"child\"}]}", ROLES "/g0", group), ==, 400);
  munit_assert_string_equal(t_error(&t), "INVALID_CUSTOM_ROLE_CIRCULAR_DEPENDENCY");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"inheritedRoles\":[{\"db\":\"admin\",\"role\":\"p99\"}]}", ROLES "/p1", group), ==, 400);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"inheritedRoles\":[{\"db\":\"admin\",\"role\":\"p98\"}]}", ROLES "/p1", group), ==, 200);
  t_close(&t);
}

/* An inherited name without a role refers to that role as soon as it exists: then it can close a cycle, and protects the role from
** deletion. */
TEST(custom_db_role, later)
{
  t_service t;
  role_open(&t);
  munit_assert_int(role_make(&t, "a", "{\"db\":\"admin\",\"role\":\"b\"}"), ==, 202);
  munit_assert_int(role_make(&t, "b", "{\"db\":\"admin\",\"role\":\"a\"}"), ==, 400);
  munit_assert_string_equal(t_error(&t), "INVALID_CUSTOM_ROLE_CIRCULAR_DEPENDENCY");
  munit_assert_int(role_make(&t, "b", ""), ==, 202);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, ROLES "/b", group), ==, 409);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"inheritedRoles\":[]}", ROLES "/a", group), ==, 200);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, ROLES "/b", group), ==, 204);
  store_whole(t.s);
  t_close(&t);
}

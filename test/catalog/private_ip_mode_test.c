/*
** Private IP mode: a switch of each project, which the older base path serves as well.
*/
#include "support.h"

#define MODE "/groups/%s/privateIpMode"
#define OLD "/api/svc/v1.0"

static int64_t events(t_service *t, const char *group)
{
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=PRIVATE_IP_MODE_UPDATED", group), ==, 200);
  return t_int(t, "totalCount");
}

TEST_SERVICE(private_ip_mode, switch)
{
  const char *group;
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  munit_assert_int(t_sendf(t, "GET", NULL, MODE, group), ==, 200);
  munit_assert_size(svc_node_count(t->body), ==, 2);
  munit_assert_string_equal(t_str(t, "enabled"), "false");
  munit_assert_string_not_equal(t_get_header(t, "RateLimit-Limit"), "");
  munit_assert_int(t_sendf(t, "PATCH", "{\"enabled\":true}", MODE, group), ==, 200);
  munit_assert_string_equal(t_str(t, "enabled"), "true");
  munit_assert_int(t_sendf(t, "PATCH", "{\"enabled\":true}", MODE, group), ==, 200);
  munit_assert_int64(events(t, group), ==, 1);
  munit_assert_int(t_sendf(t, "GET", NULL, MODE, group), ==, 200);
  munit_assert_string_equal(t_str(t, "enabled"), "true");
  munit_assert_int(t_sendf(t, "PATCH", "{\"enabled\":\"no\",\"x\":1}", MODE, group), ==, 400);
  munit_assert_true(t_violation(t, "enabled"));
  munit_assert_true(t_violation(t, "x"));
  munit_assert_int(t_sendf(t, "PATCH", "{\"enabled\":null}", MODE, group), ==, 400);
  munit_assert_int(t_sendf(t, "DELETE", NULL, MODE, group), ==, 405);
  munit_assert_int(t_sendf(t, "GET", NULL, MODE, "5f5f5f5f5f5f5f5f5f5f5f5f"), ==, 404);
  munit_assert_string_equal(t_error(t), "GROUP_NOT_FOUND");
  t->grants[0].role = "GROUP_READ_ONLY";
  munit_assert_int(t_sendf(t, "GET", NULL, MODE, group), ==, 200);
  munit_assert_int(t_sendf(t, "PATCH", "{\"enabled\":false}", MODE, group), ==, 403);
  munit_assert_int(t_sendf(t, "PATCH", "{\"enabled\":false}", OLD MODE, group), ==, 403);
}

TEST_SERVICE(private_ip_mode, old_path)
{
  const char *group;
  char text[512];
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  munit_assert_int(t_sendf(t, "PATCH", "{\"enabled\":true}", OLD MODE, group), ==, 200);
  munit_assert_string_equal(t_str(t, "enabled"), "true");
  munit_assert_string_equal(t_get_header(t, "RateLimit-Limit"), "");
  munit_assert_string_equal(t_get_header(t, "RateLimit-Remaining"), "");
  munit_assert_string_equal(t_get_header(t, "Content-Type"), "application/json");
  munit_assert_string_not_equal(t_get_header(t, "ETag"), "");
  snprintf(text, sizeof text, "%s", t->response.body);
  munit_assert_int(t_sendf(t, "GET", NULL, MODE, group), ==, 200); /* the same switch in the same shape */
  munit_assert_string_equal(t->response.body, text);
  munit_assert_int(t_sendf(t, "PATCH", "{\"enabled\":true}", MODE, group), ==, 200);
  munit_assert_string_equal(t->response.body, text);
  munit_assert_int64(events(t, group), ==, 1);

  munit_assert_int(t_sendf(t, "GET", NULL, OLD MODE, group), ==, 405);
  munit_assert_string_equal(t_error(t), "METHOD_NOT_ALLOWED");
  munit_assert_string_equal(t_param(t, 0), "GET");
  munit_assert_string_equal(t_get_header(t, "Allow"), "PATCH");
  munit_assert_string_equal(t_get_header(t, "RateLimit-Limit"), "");
  munit_assert_int(t_sendf(t, "PATCH", "{\"enabled\":1}", OLD MODE, group), ==, 400);
  munit_assert_true(t_violation(t, "enabled"));
  munit_assert_int(t_sendf(t, "GET", NULL, OLD "/groups/%s", group), ==, 404); /* no other route is there */
  munit_assert_string_equal(t_error(t), "RESOURCE_NOT_FOUND");
}

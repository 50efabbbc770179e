/*
** The maintenance window: its defaults, changes, deferrals, and setting it back.
*/
#include "support.h"

#define WINDOW "/groups/%s/maintenanceWindow"

TEST_SERVICE(maintenance_window, life)
{
  const char *group;
  group = t_project(t, t_organization(t, "Acme"), "alpha");

  munit_assert_int(t_sendf(t, "GET", NULL, WINDOW, group), ==, 200);
  munit_assert_int64(t_int(t, "dayOfWeek"), ==, 7);
  munit_assert_string_equal(t_str(t, "timeZoneId"), "Etc/UTC");
  munit_assert_string_not_equal(t_get_header(t, "ETag"), "");

  munit_assert_int(t_sendf(t, "PATCH", "{\"dayOfWeek\":8,\"hourOfDay\":24,\"protectedHours\":{\"startHourOfDay\":-1}}",
                           WINDOW, group), ==, 400);
  munit_assert_true(t_violation(t, "dayOfWeek"));
  munit_assert_true(t_violation(t, "hourOfDay"));
  munit_assert_true(t_violation(t, "protectedHours.startHourOfDay"));

  munit_assert_int(t_sendf(t, "PATCH", "{\"dayOfWeek\":3,\"protectedHours\":{\"startHourOfDay\":9}}", WINDOW, group), ==, 200);
  munit_assert_int(t_sendf(t, "PATCH", "{\"protectedHours\":{\"endHourOfDay\":17}}", WINDOW, group), ==, 200);
  munit_assert_int64(t_int(t, "dayOfWeek"), ==, 3);
  munit_assert_int64(t_int(t, "protectedHours.startHourOfDay"), ==, 9);
  munit_assert_int64(t_int(t, "protectedHours.endHourOfDay"), ==, 17);

  munit_assert_int(t_sendf(t, "POST", NULL, WINDOW "/autoDefer", group), ==, 200);
  munit_assert_string_equal(t_str(t, "autoDeferOnceEnabled"), "true");
  munit_assert_int(t_sendf(t, "POST", NULL, WINDOW "/autoDefer", group), ==, 200);
  munit_assert_string_equal(t_str(t, "autoDeferOnceEnabled"), "false");

  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=SVC_MAINTENANCE_WINDOW_MODIFIED", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 4);

  munit_assert_int(t_sendf(t, "DELETE", NULL, WINDOW, group), ==, 204);
  munit_assert_int(t_sendf(t, "GET", NULL, WINDOW, group), ==, 200);
  munit_assert_int64(t_int(t, "dayOfWeek"), ==, 7);
  munit_assert_null(t_node(t, "protectedHours"));
}

TEST_SERVICE(maintenance_window, deferrals)
{
  const char *group;
  int i;
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  munit_assert_int(t_sendf(t, "POST", NULL, WINDOW "/defer", group), ==, 400);
  munit_assert_string_equal(t_error(t), "MAINTENANCE_NOT_SCHEDULED");
  for (i = 1; i <= 3; i++) {
    munit_assert_int(t_sendf(t, "PATCH", "{\"startASAP\":true}", WINDOW, group), ==, 200);
    munit_assert_int(t_sendf(t, "POST", NULL, WINDOW "/defer", group), ==, i < 3 ? 200 : 400);
    if (i < 3) munit_assert_int64(t_int(t, "numberOfDeferrals"), ==, i);
  }
  munit_assert_string_equal(t_error(t), "NUM_MAINTENANCE_DEFERRALS_EXCEEDED");
  munit_assert_string_equal(t_param(t, 0), "2");
  munit_assert_int(t_sendf(t, "PATCH", "{\"dayOfWeek\":2}", WINDOW, group), ==, 200); /* a new window counts anew */
  munit_assert_int64(t_int(t, "numberOfDeferrals"), ==, 0);
  munit_assert_int(t_sendf(t, "POST", "{\"why\":1}", WINDOW "/defer", group), ==, 400);
  munit_assert_int(t_sendf(t, "GET", NULL, WINDOW, "5f5f5f5f5f5f5f5f5f5f5f5f"), ==, 404);
}

/* What a GET gave can be sent back, and changes nothing: not the deferrals, and so not how many are left. */
TEST_SERVICE(maintenance_window, sent_back)
{
  const char *group, *tag, *body;
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  munit_assert_int(t_sendf(t, "PATCH", "{\"dayOfWeek\":2,\"startASAP\":true}", WINDOW, group), ==, 200);
  munit_assert_int(t_sendf(t, "POST", NULL, WINDOW "/defer", group), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, WINDOW, group), ==, 200);
  tag = t_keep(t, t_get_header(t, "ETag"));
  body = t_keep(t, t->response.body);
  munit_assert_int(t_sendf(t, "PATCH", body, WINDOW, group), ==, 200);
  munit_assert_int64(t_int(t, "numberOfDeferrals"), ==, 1);
  munit_assert_string_equal(t_get_header(t, "ETag"), tag);
  munit_assert_int(t_sendf(t, "PATCH", "{\"hourOfDay\":3}", WINDOW, group), ==, 200);
  munit_assert_int64(t_int(t, "numberOfDeferrals"), ==, 0);
}

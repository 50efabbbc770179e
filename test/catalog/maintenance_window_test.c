/*
** The maintenance window: its defaults, changes, deferrals, and its reset.
*/
#include "needs.h"
#include "support.h"
#include "mechanism/probe.h"

T_NEEDS(maintenance_window) = {
  /* only scheduled maintenance can be deferred */
  T_FIRST(SVC_POST, "/groups/{groupId}/maintenanceWindow/defer", SVC_PATCH, "/groups/{groupId}/maintenanceWindow",
          "{\"dayOfWeek\":1,\"startASAP\":true}"),
  T_NEEDS_END
};

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
  munit_assert_int(t_sendf(t, "PATCH", "{\"dayOfWeek\":2}", WINDOW, group), ==, 200); /* a new window resets the count */
  munit_assert_int64(t_int(t, "numberOfDeferrals"), ==, 0);
  munit_assert_int(t_sendf(t, "POST", "{\"why\":1}", WINDOW "/defer", group), ==, 400);
  munit_assert_int(t_sendf(t, "GET", NULL, WINDOW, "5f5f5f5f5f5f5f5f5f5f5f5f"), ==, 404);
}

/* The body of a GET can be sent back, and changes nothing: neither the number of deferrals nor the ETag. */
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

/* --------------------------------------------------------------------------------------------------------- in progress */

static int window_events(t_service *t, const char *group, const char *type)
{
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=%s", group, type), ==, 200);
  return (int)t_int(t, "totalCount");
}

static const char *window_state(t_service *t, const char *group)
{
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/Main", group), ==, 200);
  return t_str(t, "stateName");
}

#define DAY 86400

/* 2025-06-01 is a Sunday; the window is Tuesday at three. The first Tuesday at least a week away is the 10th. */
TEST_SERVICE(maintenance_window, runs)
{
  const char *group = t_project(t, t_organization(t, "Acme"), "alpha");
  munit_assert_int(t_sendf(t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", group), ==, 201);
  munit_assert_int(t_sendf(t, "PATCH", "{\"dayOfWeek\":3,\"hourOfDay\":3}", WINDOW, group), ==, 200);
  t_advance(t, 2 * DAY + 3 * 3600 - 1);
  munit_assert_int(window_events(t, group, "PROJECT_SCHEDULED_MAINTENANCE"), ==, 0);
  t_advance(t, 1);
  munit_assert_int(window_events(t, group, "PROJECT_SCHEDULED_MAINTENANCE"), ==, 1);
  t_advance(t, 4 * DAY);
  munit_assert_int(window_events(t, group, "MAINTENANCE_IN_ADVANCED"), ==, 1);
  t_advance(t, 3 * DAY - 1);
  munit_assert_string_equal(window_state(t, group), "IDLE");
  t_advance(t, 1);
  munit_assert_string_equal(window_state(t, group), "UPDATING");
  munit_assert_int(window_events(t, group, "MAINTENANCE_STARTED"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].created"), "2025-06-10T03:00:00Z");
  munit_assert_int(t_sendf(t, "POST", NULL, WINDOW "/defer", group), ==, 400); /* maintenance is in progress */
  t_advance(t, 120);
  munit_assert_string_equal(window_state(t, group), "IDLE");
  munit_assert_int(window_events(t, group, "MAINTENANCE_COMPLETED"), ==, 1);
  munit_assert_int(window_events(t, group, "PRIMARY_ELECTED"), ==, 1);
  t_advance(t, 28 * DAY);
  munit_assert_int(window_events(t, group, "MAINTENANCE_STARTED"), ==, 2);
  munit_assert_string_equal(t_str(t, "results[0].created"), "2025-07-08T03:00:00Z");
  munit_assert_int(t_sendf(t, "DELETE", NULL, WINDOW, group), ==, 204);
  t_advance(t, 60 * DAY);
  munit_assert_int(window_events(t, group, "MAINTENANCE_STARTED"), ==, 2); /* no window is set */
}

TEST_SERVICE(maintenance_window, as_soon_as_possible)
{
  const char *group = t_project(t, t_organization(t, "Acme"), "alpha");
  munit_assert_int(t_sendf(t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", group), ==, 201);
  t_advance(t, 60);
  munit_assert_int(t_sendf(t, "PATCH", "{\"dayOfWeek\":3,\"startASAP\":true}", WINDOW, group), ==, 200);
  t_advance(t, 1);
  munit_assert_string_equal(window_state(t, group), "UPDATING");
  t_advance(t, 120);
  munit_assert_string_equal(window_state(t, group), "IDLE");
  munit_assert_int(window_events(t, group, "MAINTENANCE_COMPLETED"), ==, 1);
  munit_assert_int(t_sendf(t, "GET", NULL, WINDOW, group), ==, 200);
  munit_assert_string_equal(t_str(t, "startASAP"), "false");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters/Main", group), ==, 200);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/clusters/Main", group), ==, 202);
  t_advance(t, 60);
  munit_assert_int(t_sendf(t, "PATCH", "{\"startASAP\":true}", WINDOW, group), ==, 200);
  t_advance(t, 1);
  munit_assert_int(window_events(t, group, "MAINTENANCE_NO_LONGER_NEEDED"), ==, 1);
}

/* Maintenance is deferred once automatically, and by request, and never starts in protected hours. */
TEST_SERVICE(maintenance_window, put_off)
{
  const char *group = t_project(t, t_organization(t, "Acme"), "alpha");
  munit_assert_int(t_sendf(t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", group), ==, 201);
  munit_assert_int(t_sendf(t, "PATCH", "{\"dayOfWeek\":3,\"hourOfDay\":3,\"autoDeferOnceEnabled\":true,\"protectedHours\":{\"startHourOfDay\":22,"
                           "\"endHourOfDay\":5}}", WINDOW, group), ==, 200);
  t_advance(t, 9 * DAY + 5 * 3600);
  munit_assert_int(window_events(t, group, "MAINTENANCE_AUTO_DEFERRED"), ==, 1);
  munit_assert_int(window_events(t, group, "MAINTENANCE_STARTED"), ==, 0);
  munit_assert_int(t_sendf(t, "POST", NULL, WINDOW "/defer", group), ==, 200);
  munit_assert_int64(t_int(t, "numberOfDeferrals"), ==, 2);
  munit_assert_int(window_events(t, group, "SVC_MAINTENANCE_DEFERRED"), ==, 1);
  t_advance(t, 14 * DAY);
  munit_assert_int(window_events(t, group, "MAINTENANCE_STARTED"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].created"), "2025-06-24T05:00:00Z");
}

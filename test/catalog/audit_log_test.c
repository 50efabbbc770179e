/*
** The audit log of a project: its filter is checked against the operators that servers accept. Also the switch of
** custom DNS.
**
** Tests also: custom_dns
*/
#include "support.h"

TEST_SERVICE(audit_log, filter)
{
  static const char *const bad[] = {
    "", "{", "[]", "7", "{\\\"a\\\":1}}", "{\\\"$where\\\":\\\"x\\\"}", "{\\\"$and\\\":[{\\\"a\\\":{\\\"$near\\\":1}}]}",
    "{\\\"a\\\":{\\\"a\\\":{\\\"a\\\":{\\\"a\\\":{\\\"a\\\":{\\\"a\\\":{\\\"a\\\":{\\\"a\\\":{\\\"a\\\":{\\\"a\\\":{\\\"a\\\":{\\\"a\\\":{\\\"a\\\":{\\\"a\\\":{"
    "\\\"a\\\":{\\\"a\\\":{\\\"a\\\":1}}}}}}}}}}}}}}}}}",
  };
  char body[1024];
  const char *group;
  size_t i;
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/auditLog", group), ==, 200);
  munit_assert_string_equal(t_str(t, "auditFilter"), "{}");
  munit_assert_string_equal(t_str(t, "configurationType"), "NONE");
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    snprintf(body, sizeof body, "{\"enabled\":true,\"auditFilter\":\"%s\"}", bad[i]);
    if (t_sendf(t, "PATCH", body, "/groups/%s/auditLog", group) != 400) munit_errorf("taken: %s", bad[i]);
    munit_assert_true(t_violation(t, "auditFilter"));
  }
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/auditLog", group), ==, 200);
  munit_assert_string_equal(t_str(t, "enabled"), "false");
  munit_assert_int(t_sendf(t, "PATCH", "{\"enabled\":true,\"auditFilter\":\"{\\\"atype\\\":\\\"authenticate\\\",\\\"$or\\\":[{\\\"users\\\":[]},"
                           "{\\\"result\\\":{\\\"$ne\\\":0}}]}\"}", "/groups/%s/auditLog", group), ==, 202);
  munit_assert_string_equal(t_str(t, "configurationType"), "FILTER_JSON");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=AUDIT_LOG_CONFIGURATION_UPDATED", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_int(t_sendf(t, "PATCH", "{\"enabled\":true}", "/groups/%s/providerCustomDNS", group), ==, 202);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/providerCustomDNS", group), ==, 200);
  munit_assert_string_equal(t_str(t, "enabled"), "true");
}

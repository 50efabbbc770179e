/*
** The limits of a project: a fixed list, each changed and reset by its name.
*/
#include "support.h"

#define LIMITS "/groups/%s/limits"
#define CLUSTERS LIMITS "/svc.project.deployment.clusters"

static const char *limit_open(t_service *t)
{
  t_open(t, NULL);
  return t_project(t, t_organization(t, "Acme"), "alpha");
}

static int64_t events(t_service *t, const char *group)
{
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=PROJECT_LIMIT_UPDATED", group), ==, 200);
  return t_int(t, "totalCount");
}

TEST(project_limit, list)
{
  static const struct { const char *name; int64_t preset, highest, value; bool uncounted; } rows[] = {
    { "svc.project.security.databaseAccess.users", 100, 900, 100, false },
    { "svc.project.deployment.clusters", 25, 90, 25, false },
    { "svc.project.deployment.serverlessMTMs", 100, 100, 100, false },
    { "svc.project.security.databaseAccess.customRoles", 100, 1400, 100, false },
    { "svc.project.security.networkAccess.entries", 200, 220, 200, false },
    { "svc.project.security.networkAccess.crossRegionEntries", 40, 220, 40, false },
    { "svc.project.deployment.nodesPerPrivateLinkRegion", 50, 90, 50, false },
    { "svc.project.deployment.privateServiceConnectionsPerRegionGroup", 50, 100, 6, true },
    { "svc.project.deployment.privateServiceConnectionsSubnetMask", 27, 27, 27, true },
    { "svc.project.deployment.salesSoldM0s", 100, 100, 100, false },
  };
  t_service t;
  const char *group;
  char path[48];
  int i;
  group = limit_open(&t);
  munit_assert_int(t_sendf(&t, "GET", NULL, LIMITS, group), ==, 200);
  munit_assert_int(t.body->type, ==, SVC_J_ARRAY);
  munit_assert_size(svc_node_count(t.body), ==, sizeof rows / sizeof rows[0]);
  for (i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++) {
    snprintf(path, sizeof path, "[%d].name", i);
    munit_assert_string_equal(t_str(&t, path), rows[i].name);
    snprintf(path, sizeof path, "[%d].defaultLimit", i);
    munit_assert_int64(t_int(&t, path), ==, rows[i].preset);
    snprintf(path, sizeof path, "[%d].value", i);
    munit_assert_int64(t_int(&t, path), ==, rows[i].value);
    snprintf(path, sizeof path, "[%d].maximumLimit", i);
    munit_assert_int64(t_int(&t, path), ==, rows[i].highest);
    snprintf(path, sizeof path, "[%d].currentUsage", i);
    munit_assert_int64(t_int(&t, path), ==, rows[i].uncounted ? INT64_MIN : 0);
  }
  for (i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++) {
    munit_assert_int(t_sendf(&t, "GET", NULL, LIMITS "/%s", group, rows[i].name), ==, 200);
    munit_assert_string_equal(t_str(&t, "name"), rows[i].name);
    munit_assert_int64(t_int(&t, "value"), ==, rows[i].value);
  }
  munit_assert_int(t_sendf(&t, "POST", "{\"roleName\":\"r\",\"actions\":[]}", "/groups/%s/customDBRoles/roles", group), ==, 202);
  munit_assert_int(t_sendf(&t, "GET", NULL, LIMITS "/svc.project.security.databaseAccess.customRoles", group), ==, 200);
  munit_assert_int64(t_int(&t, "currentUsage"), ==, 1);
  munit_assert_int(t_sendf(&t, "GET", NULL, LIMITS, "5f5f5f5f5f5f5f5f5f5f5f5f"), ==, 404);
  munit_assert_string_equal(t_error(&t), "GROUP_NOT_FOUND");
  t_close(&t);
}

/* Limits of data federation can be read by name. The list has them once they are set. */
TEST(project_limit, data_federation)
{
  static const struct { const char *name; int64_t preset, highest; } rows[] = {
    { "daily", 109951162777600, 1099511627776000 }, { "monthly", 1099511627776000, 8796093022208000 },
    { "query", 10995116277760, 109951162777600 }, { "weekly", 549755813888000, 5497558138880000 },
  };
  t_service t;
  const char *group;
  size_t i;
  group = limit_open(&t);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    munit_assert_int(t_sendf(&t, "GET", NULL, LIMITS "/dataFederation.bytesProcessed.%s", group, rows[i].name), ==, 200);
    munit_assert_int64(t_int(&t, "value"), ==, rows[i].preset);
    munit_assert_int64(t_int(&t, "defaultLimit"), ==, rows[i].preset);
    munit_assert_int64(t_int(&t, "maximumLimit"), ==, rows[i].highest);
    munit_assert_int64(t_int(&t, "currentUsage"), ==, 0);
  }
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":7}", LIMITS "/dataFederation.bytesProcessed.query", group), ==, 200);
  munit_assert_int(t_sendf(&t, "GET", NULL, LIMITS, group), ==, 200);
  munit_assert_size(svc_node_count(t.body), ==, 11);
  munit_assert_string_equal(t_str(&t, "[10].name"), "dataFederation.bytesProcessed.query");
  munit_assert_int64(t_int(&t, "[10].value"), ==, 7);
  munit_assert_int(t_sendf(&t, "GET", NULL, LIMITS "?itemsPerPage=2&pageNum=6", group), ==, 200);
  munit_assert_size(svc_node_count(t.body), ==, 1);
  t_close(&t);
}

TEST(project_limit, change)
{
  t_service t;
  const char *group, *other;
  group = limit_open(&t);
  other = t_project(&t, t_organization(&t, "Beta"), "alpha");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":25}", CLUSTERS, group), ==, 200); /* the default */
  munit_assert_int(t_sendf(&t, "PATCH", "{}", CLUSTERS, group), ==, 200);
  munit_assert_int64(t_int(&t, "value"), ==, 25);
  munit_assert_int64(events(&t, group), ==, 0);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":7}", CLUSTERS, group), ==, 200);
  munit_assert_int64(t_int(&t, "value"), ==, 7);
  munit_assert_int64(t_int(&t, "defaultLimit"), ==, 25);
  munit_assert_int64(events(&t, group), ==, 1);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":7}", CLUSTERS, group), ==, 200);
  munit_assert_int64(events(&t, group), ==, 1);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":9}", CLUSTERS, group), ==, 200); /* changed again */
  munit_assert_int64(events(&t, group), ==, 2);
  munit_assert_int(t_sendf(&t, "GET", NULL, LIMITS, group), ==, 200);
  munit_assert_int64(t_int(&t, "[1].value"), ==, 9);
  munit_assert_int64(t_int(&t, "[0].value"), ==, 100);
  munit_assert_int(t_sendf(&t, "GET", NULL, CLUSTERS, other), ==, 200);
  munit_assert_int64(t_int(&t, "value"), ==, 25);

  munit_assert_int(t_sendf(&t, "DELETE", NULL, CLUSTERS, group), ==, 204);
  munit_assert_int(t_sendf(&t, "GET", NULL, CLUSTERS, group), ==, 200);
  munit_assert_int64(t_int(&t, "value"), ==, 25);
  munit_assert_int64(events(&t, group), ==, 3);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, CLUSTERS, group), ==, 204); /* nothing to reset */
  munit_assert_int64(events(&t, group), ==, 3);
  t.grants[0].role = "GROUP_READ_ONLY";
  munit_assert_int(t_sendf(&t, "GET", NULL, CLUSTERS, group), ==, 200);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":1}", CLUSTERS, group), ==, 403);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, CLUSTERS, group), ==, 403);
  t_close(&t);
}

TEST(project_limit, bounds)
{
  t_service t;
  const char *group;
  group = limit_open(&t);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":91}", CLUSTERS, group), ==, 400);
  munit_assert_string_equal(t_error(&t), "INVALID_ATTRIBUTE");
  munit_assert_true(t_violation(&t, "value"));
  munit_assert_string_equal(t_str(&t, "badRequestDetail.fields[0].description"), "must be at most 90");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":-1}", CLUSTERS, group), ==, 400);
  munit_assert_string_equal(t_str(&t, "badRequestDetail.fields[0].description"), "must be at least 0");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":\"7\",\"x\":1}", CLUSTERS, group), ==, 400);
  munit_assert_true(t_violation(&t, "value"));
  munit_assert_true(t_violation(&t, "x"));
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":7,\"maximumLimit\":1000}", CLUSTERS, group), ==, 400);
  munit_assert_string_equal(t_error(&t), "ATTRIBUTE_READ_ONLY");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":90}", CLUSTERS, group), ==, 200);
  munit_assert_int64(t_int(&t, "value"), ==, 90);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":0}", CLUSTERS, group), ==, 200);
  munit_assert_int64(t_int(&t, "value"), ==, 0);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":8796093022208001}", LIMITS "/dataFederation.bytesProcessed.monthly", group), ==, 400);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":8796093022208000}", LIMITS "/dataFederation.bytesProcessed.monthly", group), ==, 200);
  munit_assert_int64(t_int(&t, "value"), ==, 8796093022208000);
  munit_assert_int64(events(&t, group), ==, 3);

  munit_assert_int(t_sendf(&t, "GET", NULL, LIMITS "/svc.project.nothing", group), ==, 404);
  munit_assert_string_equal(t_error(&t), "RESOURCE_NOT_FOUND");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":1}", LIMITS "/svc.project.nothing", group), ==, 404);
  munit_assert_string_equal(t_error(&t), "RESOURCE_NOT_FOUND");
  munit_assert_int(t_sendf(&t, "DELETE", NULL, LIMITS "/svc.project.nothing", group), ==, 404);
  munit_assert_string_equal(t_error(&t), "RESOURCE_NOT_FOUND");
  t_close(&t);
}

TEST(project_limit, if_match)
{
  t_service t;
  const char *group;
  char first[64], changed[64], second[64];
  group = limit_open(&t);
  munit_assert_int(t_sendf(&t, "GET", NULL, CLUSTERS, group), ==, 200);
  snprintf(first, sizeof first, "%s", t_get_header(&t, "ETag"));
  munit_assert_string_not_equal(first, "");
  t_header(&t, "If-Match", first);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":7}", CLUSTERS, group), ==, 200);
  snprintf(changed, sizeof changed, "%s", t_get_header(&t, "ETag"));
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":8}", CLUSTERS, group), ==, 412);
  munit_assert_string_equal(t_error(&t), "PRECONDITION_FAILED");
  munit_assert_int(t_sendf(&t, "DELETE", NULL, CLUSTERS, group), ==, 412);
  t_headers_clear(&t);
  munit_assert_int(t_sendf(&t, "GET", NULL, CLUSTERS, group), ==, 200);
  munit_assert_int64(t_int(&t, "value"), ==, 7);
  snprintf(second, sizeof second, "%s", t_get_header(&t, "ETag"));
  munit_assert_string_not_equal(first, second);
  munit_assert_string_equal(changed, second); /* the answer of the change has the ETag that a GET has */
  t_header(&t, "If-Match", second);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, CLUSTERS, group), ==, 204);
  t_headers_clear(&t);
  munit_assert_int(t_sendf(&t, "GET", NULL, CLUSTERS, group), ==, 200);
  munit_assert_string_equal(t_get_header(&t, "ETag"), first);
  t_close(&t);
}

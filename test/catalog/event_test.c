/*
** Events: each change writes exactly one, with the user, the address and the resource. Logs are read newest first, in
** pages and through filters. Also links to the activity feed, and the list of types.
**
** Tests also: event_type
*/
#include "needs.h"
#include "support.h"

#include "catalog/event_type_list.h"

T_NEEDS(event) = {
  /* event.c puts the values of all parameters into the link */
  T_UNSEEN("/activityFeed", "clusterName"),
  T_UNSEEN("/activityFeed", "eventType"),
  T_NEEDS_END
};

/* The public reference has 710 types of events for projects and 298 for organizations, and event_type_list.h two more for
** projects. Recordings of the public service show four more (such as ADD_HOST_AUDIT). The totals guard against an edit that loses
** or doubles a type: no other list of the reference's types is available for a comparison. */
enum { EVENT_PUBLIC_GROUP = 710, EVENT_PUBLIC_ORG = 298, EVENT_OURS = 2, EVENT_RECORDED = 4 };

#define EVENT_ABSENT "5f5f5f5f5f5f5f5f5f5f5f5f"
#define EVENT_CLUSTER(name) \
  "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":" \
  "{\"instanceSize\":\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"

static int64_t event_total(t_service *t, const char *level, const char *id, const char *query)
{
  munit_assert_int(t_sendf(t, "GET", NULL, "/%s/%s/events%s", level, id, query), ==, 200);
  munit_assert_int64((int64_t)t_count(t, "results"), ==, t_int(t, "totalCount"));
  return t_int(t, "totalCount");
}

/* Checks the number of events in a log, and all members of the newest one. */
static void event_newest(t_service *t, const char *level, const char *id, int64_t total, const char *type)
{
  munit_assert_int64(event_total(t, level, id, ""), ==, total);
  munit_assert_string_equal(t_str(t, "results[0].eventTypeName"), type);
  munit_assert_string_equal(t_str(t, "results[0].userId"), "5f0000000000000000000001");
  munit_assert_string_equal(t_str(t, "results[0].username"), "owner@example.com");
  munit_assert_string_equal(t_str(t, "results[0].remoteAddress"), "192.0.2.7");
  munit_assert_string_equal(t_str(t, "results[0].isGlobalAdmin"), "false");
  munit_assert_size(strlen(t_str(t, "results[0].id")), ==, 24);
  munit_assert_null(t_node(t, "results[0].apiKeyId"));
  munit_assert_null(t_node(t, "results[0].publicKey"));
  munit_assert_null(t_node(t, "results[0].delegatePrincipal"));
}

TEST_SERVICE(event, one_for_each_change)
{
  const char *org, *group;
  org = t_organization(t, "Acme");
  event_newest(t, "orgs", org, 1, "ORG_CREATED");
  munit_assert_string_equal(t_str(t, "results[0].orgId"), org);
  munit_assert_null(t_node(t, "results[0].groupId"));

  group = t_project(t, org, "alpha");
  event_newest(t, "groups", group, 1, "GROUP_CREATED");
  munit_assert_string_equal(t_str(t, "results[0].groupId"), group);
  munit_assert_string_equal(t_str(t, "results[0].orgId"), org);
  munit_assert_string_equal(t_str(t, "results[0].created"), "2025-06-01T00:00:00Z");
  munit_assert_int64(event_total(t, "orgs", org, ""), ==, 1); /* the project's log has the event, not the organization's */

  t_advance(t, 90);
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"beta\"}", "/groups/%s", group), ==, 200);
  event_newest(t, "groups", group, 2, "GROUP_NAME_CHANGED");
  munit_assert_string_equal(t_str(t, "results[0].created"), "2025-06-01T00:01:30Z");
  munit_assert_int(t_sendf(t, "PATCH", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}", "/groups/%s", group), ==, 200);
  event_newest(t, "groups", group, 3, "GROUP_TAGS_MODIFIED");
  munit_assert_int(t_sendf(t, "PATCH", "{\"isDataExplorerEnabled\":false}", "/groups/%s/settings", group), ==, 200);
  event_newest(t, "groups", group, 4, "DATA_EXPLORER_DISABLED");
  munit_assert_int(t_sendf(t, "PATCH", "{\"isDataExplorerEnabled\":true}", "/groups/%s/settings", group), ==, 200);
  event_newest(t, "groups", group, 5, "DATA_EXPLORER_ENABLED");
  munit_assert_int(t_sendf(t, "PATCH", "{\"isSchemaAdvisorEnabled\":false}", "/groups/%s/settings", group), ==, 200);
  event_newest(t, "groups", group, 6, "GROUP_SETTINGS_UPDATED");

  munit_assert_int(t_sendf(t, "POST", EVENT_CLUSTER("C"), "/groups/%s/clusters", group), ==, 201);
  event_newest(t, "groups", group, 7, "CLUSTER_CREATED");
  munit_assert_string_equal(t_str(t, "results[0].clusterName"), "C");
  munit_assert_string_equal(t_str(t, "results[0].groupId"), group);

  /* refused requests and reads write no event */
  munit_assert_int(t_sendf(t, "POST", EVENT_CLUSTER("C"), "/groups/%s/clusters", group), ==, 409);
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":7}", "/groups/%s", group), ==, 400);
  munit_assert_int(t_sendf(t, "PATCH", "{\"nothing\":true}", "/groups/%s/settings", group), ==, 400);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", group), ==, 200);
  munit_assert_int64(event_total(t, "groups", group, ""), ==, 7);

  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"Apex\"}", "/orgs/%s", org), ==, 200);
  event_newest(t, "orgs", org, 2, "ORG_RENAMED");
  munit_assert_int(t_sendf(t, "PATCH", "{\"multiFactorAuthRequired\":true}", "/orgs/%s/settings", org), ==, 200);
  event_newest(t, "orgs", org, 3, "ORG_TWO_FACTOR_AUTH_REQUIRED");
  munit_assert_int64(event_total(t, "groups", group, ""), ==, 7);

  /* the event of a deleted project is in its organization's log */
  group = t_project(t, org, "gone");
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s", group), ==, 202);
  event_newest(t, "orgs", org, 4, "GROUP_DELETED");
  munit_assert_string_equal(t_str(t, "results[0].groupId"), group);
  munit_assert_string_equal(t_str(t, "results[0].orgId"), org);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events", group), ==, 404);
}

/* Returns a project with the events GROUP_CREATED at 00:00:00 and GROUP_NAME_CHANGED at 00:01:00, 00:02:00, ... */
static const char *event_renames(t_service *t, const char *org, int n)
{
  const char *group = t_project(t, org, "alpha");
  char body[64];
  int i;
  for (i = 1; i <= n; i++) {
    t_advance(t, 60);
    snprintf(body, sizeof body, "{\"name\":\"alpha%d\"}", i);
    munit_assert_int(t_sendf(t, "PATCH", body, "/groups/%s", group), ==, 200);
  }
  return group;
}

TEST_SERVICE(event, pages)
{
  static const char *const dates[] = { "2025-06-01T00:04:00Z", "2025-06-01T00:03:00Z", "2025-06-01T00:02:00Z",
                                       "2025-06-01T00:01:00Z", "2025-06-01T00:00:00Z" };
  const char *group;
  char path[64];
  int page, i, n = 0;
  group = event_renames(t, t_organization(t, "Acme"), 4);
  for (page = 1; page <= 3; page++) {
    munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?itemsPerPage=2&pageNum=%d", group, page), ==, 200);
    munit_assert_int64(t_int(t, "totalCount"), ==, 5);
    munit_assert_size(t_count(t, "results"), ==, page < 3 ? 2 : 1);
    for (i = 0; i < (page < 3 ? 2 : 1); i++) {
      snprintf(path, sizeof path, "results[%d].created", i);
      munit_assert_string_equal(t_str(t, path), dates[n++]);
    }
    munit_assert_int(*t_link(t, "next") != 0, ==, page < 3);
    munit_assert_int(*t_link(t, "previous") != 0, ==, page > 1);
  }
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?itemsPerPage=2&pageNum=4", group), ==, 200);
  munit_assert_size(t_count(t, "results"), ==, 0);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?includeCount=false", group), ==, 200);
  munit_assert_null(t_node(t, "totalCount"));
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?itemsPerPage=2&eventType=GROUP_NAME_CHANGED&pageNum=2", group), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 4);
  munit_assert_size(t_count(t, "results"), ==, 2);
  munit_assert_string_equal(t_str(t, "results[0].created"), dates[2]);
  munit_assert_string_equal(t_str(t, "results[1].created"), dates[3]);
}

TEST_SERVICE(event, filters)
{
  const char *org, *group;
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"beta\"}", "/groups/%s", group), ==, 200);
  munit_assert_int(t_sendf(t, "POST", EVENT_CLUSTER("C"), "/groups/%s/clusters", group), ==, 201);
  munit_assert_int(t_sendf(t, "POST", EVENT_CLUSTER("D"), "/groups/%s/clusters", group), ==, 201);
  munit_assert_int64(event_total(t, "groups", group, ""), ==, 4);

  munit_assert_int64(event_total(t, "groups", group, "?eventType=CLUSTER_CREATED"), ==, 2);
  munit_assert_int64(event_total(t, "groups", group, "?eventType=CLUSTER_CREATED&eventType=GROUP_CREATED"), ==, 3);
  munit_assert_string_equal(t_str(t, "results[0].clusterName"), "D");
  munit_assert_string_equal(t_str(t, "results[1].clusterName"), "C");
  munit_assert_string_equal(t_str(t, "results[2].eventTypeName"), "GROUP_CREATED");
  munit_assert_int64(event_total(t, "groups", group, "?eventType=GROUP_MOVED"), ==, 0);
  munit_assert_int64(event_total(t, "groups", group, "?excludedEventType=CLUSTER_CREATED"), ==, 2);
  munit_assert_string_equal(t_str(t, "results[0].eventTypeName"), "GROUP_NAME_CHANGED");
  munit_assert_string_equal(t_str(t, "results[1].eventTypeName"), "GROUP_CREATED");
  munit_assert_int64(event_total(t, "groups", group, "?excludedEventType=CLUSTER_CREATED&excludedEventType=GROUP_CREATED"), ==, 1);
  munit_assert_int64(event_total(t, "groups", group, "?eventType=GROUP_CREATED&excludedEventType=GROUP_CREATED"), ==, 0);
  munit_assert_int64(event_total(t, "groups", group, "?clusterNames=C"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].clusterName"), "C");
  munit_assert_int64(event_total(t, "groups", group, "?clusterNames=C&clusterNames=D"), ==, 2);
  munit_assert_int64(event_total(t, "groups", group, "?clusterNames=E"), ==, 0);
  munit_assert_int64(event_total(t, "groups", group, "?clusterNames=C&eventType=GROUP_CREATED"), ==, 0);

  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=NO_SUCH_TYPE", group), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_QUERY_PARAMETER");
  munit_assert_string_equal(t_param(t, 0), "eventType");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?excludedEventType=NO_SUCH_TYPE", group), ==, 400);
  munit_assert_string_equal(t_param(t, 0), "excludedEventType");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=ORG_CREATED", group), ==, 400); /* a type of the other log */
  munit_assert_string_equal(t_error(t), "INVALID_QUERY_PARAMETER");

  munit_assert_int64(event_total(t, "groups", group, "?eventType=AUTO_INDEXING_ENABLED"), ==, 0); /* no operation writes this type */

  munit_assert_int64(event_total(t, "orgs", org, "?eventType=ORG_CREATED"), ==, 1);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events?eventType=CLUSTER_CREATED", org), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_QUERY_PARAMETER");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events?excludedEventType=ORG_CREATED", org), ==, 400);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events?clusterNames=C", org), ==, 400);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?clusterNames=C&clusterNames=-D", group), ==, 400);
  munit_assert_string_equal(t_param(t, 0), "clusterNames");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events", EVENT_ABSENT), ==, 404);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events", EVENT_ABSENT), ==, 404);
}

TEST_SERVICE(event, between_dates)
{
  static const struct {
    const char *query;
    int64_t total;
  } rows[] = {
    { "?minDate=2025-06-01T00:00:00Z", 5 },
    { "?minDate=2025-06-01T00:02:00Z", 3 }, /* inclusive */
    { "?minDate=2025-06-01T00:02:01Z", 2 },
    { "?maxDate=2025-06-01T00:02:00Z", 3 },
    { "?maxDate=2025-06-01T00:01:59Z", 2 },
    { "?minDate=2025-06-01T00:01:00Z&maxDate=2025-06-01T00:03:00Z", 3 },
    { "?minDate=2025-06-01T00:02:00Z&maxDate=2025-06-01T00:02:00Z", 1 },
    { "?minDate=2025-06-01T00:02:00&maxDate=2025-06-01T00:02:00", 1 }, /* without a time zone: UTC */
    { "?minDate=2025-06-01T02:02:00%2B02:00&maxDate=2025-05-31T19:02:00-05:00", 1 },
    { "?minDate=2025-06-01T00:04:01Z", 0 },
    { "?maxDate=2025-05-31T23:59:59Z", 0 },
    { "?minDate=2025-06-01T00:00:00Z&eventType=GROUP_NAME_CHANGED&maxDate=2025-06-01T00:01:00Z", 1 },
  };
  const char *org, *group;
  size_t i;
  org = t_organization(t, "Acme");
  group = event_renames(t, org, 4);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    munit_logf(MUNIT_LOG_DEBUG, "%s", rows[i].query);
    munit_assert_int64(event_total(t, "groups", group, rows[i].query), ==, rows[i].total);
  }
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?minDate=2025-06-02T00:00:00Z&maxDate=2025-06-01T00:00:00Z", group), ==, 400);
  munit_assert_string_equal(t_error(t), "START_DATE_AFTER_END_DATE");
  munit_assert_string_equal(t_param(t, 0), "2025-06-02T00:00:00Z");
  munit_assert_string_equal(t_param(t, 1), "2025-06-01T00:00:00Z");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events?minDate=2025-06-02T00:00:00Z&maxDate=2025-06-01T00:00:00Z", org), ==, 400);
  munit_assert_string_equal(t_error(t), "START_DATE_AFTER_END_DATE");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?minDate=yesterday", group), ==, 400);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?maxDate=2025-02-30T00:00:00Z", group), ==, 400);
  munit_assert_int64(event_total(t, "orgs", org, "?minDate=2025-06-01T00:00:00Z&maxDate=2025-06-01T00:00:00"), ==, 1);

  /* dates are shown to the second: the shown date of an event finds it */
  t->now += 700;
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"last\"}", "/groups/%s", group), ==, 200);
  munit_assert_int64(event_total(t, "groups", group, "?minDate=2025-06-01T00:04:00Z&maxDate=2025-06-01T00:04:00Z"), ==, 2);
  munit_assert_string_equal(t_str(t, "results[0].created"), "2025-06-01T00:04:00Z");
}

TEST_SERVICE(event, single)
{
  const char *org, *group, *other;
  char id[32], org_event[32];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  other = t_project(t, org, "other");
  munit_assert_int64(event_total(t, "groups", group, ""), ==, 1);
  munit_assert_null(t_node(t, "results[0].raw"));
  snprintf(id, sizeof id, "%s", t_str(t, "results[0].id"));
  munit_assert_int64(event_total(t, "groups", group, "?includeRaw=true"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].raw.id"), id);
  munit_assert_string_equal(t_str(t, "results[0].raw.eventTypeName"), "GROUP_CREATED");
  munit_assert_null(t_node(t, "results[0].raw.raw"));
  munit_assert_int64(event_total(t, "groups", group, "?includeRaw=true&eventType=GROUP_NAME_CHANGED"), ==, 0);
  munit_assert_int64(event_total(t, "groups", group, "?includeRaw=false"), ==, 1);
  munit_assert_null(t_node(t, "results[0].raw"));

  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events/%s", group, id), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), id);
  munit_assert_string_equal(t_str(t, "eventTypeName"), "GROUP_CREATED");
  munit_assert_string_equal(t_str(t, "groupId"), group);
  munit_assert_null(t_node(t, "raw"));
  munit_assert_not_null(strstr(t_link(t, "self"), id));
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events/%s?includeRaw=true", group, id), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), id);
  munit_assert_string_equal(t_str(t, "raw.id"), id);
  munit_assert_string_equal(t_str(t, "raw.username"), "owner@example.com");

  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events/%s", group, EVENT_ABSENT), ==, 404);
  munit_assert_string_equal(t_error(t), "EVENT_NOT_FOUND");
  munit_assert_string_equal(t_param(t, 0), EVENT_ABSENT);
  munit_assert_string_equal(t_param(t, 1), group);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events/%s?includeRaw=true", group, EVENT_ABSENT), ==, 404);
  munit_assert_string_equal(t_error(t), "EVENT_NOT_FOUND");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events/%s", other, id), ==, 404); /* an event of another project */
  munit_assert_string_equal(t_error(t), "EVENT_NOT_FOUND");

  munit_assert_int64(event_total(t, "orgs", org, "?includeRaw=true"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].raw.eventTypeName"), "ORG_CREATED");
  snprintf(org_event, sizeof org_event, "%s", t_str(t, "results[0].id"));
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events/%s", org, org_event), ==, 200);
  munit_assert_string_equal(t_str(t, "eventTypeName"), "ORG_CREATED");
  munit_assert_string_equal(t_str(t, "orgId"), org);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events/%s?includeRaw=true", org, org_event), ==, 200);
  munit_assert_string_equal(t_str(t, "raw.id"), org_event);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events/%s", org, EVENT_ABSENT), ==, 404);
  munit_assert_string_equal(t_error(t), "ORG_EVENT_NOT_FOUND");
  munit_assert_string_equal(t_param(t, 0), EVENT_ABSENT);
  munit_assert_string_equal(t_param(t, 1), org);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events/%s", org, id), ==, 404); /* the id of a project's event */
  munit_assert_string_equal(t_error(t), "ORG_EVENT_NOT_FOUND");
}

TEST_SERVICE(event, feed_links)
{
  const char *org, *group, *link;
  char expected[512], target[512];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/activityFeed", group), ==, 200);
  snprintf(expected, sizeof expected, "/api/svc/v2/groups/%s/events", group);
  link = strstr(t_str(t, "link"), "/api/");
  munit_assert_not_null(link);
  munit_assert_string_equal(link, expected);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/activityFeed?clusterName=C&eventType=CLUSTER_CREATED&"
                           "eventType=GROUP_CREATED&minDate=2025-06-01T02:00:00%%2B02:00", group), ==, 200);
  snprintf(expected, sizeof expected, "/api/svc/v2/groups/%s/events?clusterNames=C&eventType=CLUSTER_CREATED&"
           "eventType=GROUP_CREATED&minDate=2025-06-01T02%%3A00%%3A00%%2B02%%3A00", group);
  link = strstr(t_str(t, "link"), "/api/");
  munit_assert_not_null(link);
  munit_assert_string_equal(link, expected);
  snprintf(target, sizeof target, "%s", link);
  munit_assert_int(t_send(t, "GET", target, NULL), ==, 200); /* and the link works */
  munit_assert_int64(t_int(t, "totalCount"), ==, 0);

  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/activityFeed?eventType=ORG_CREATED&maxDate=2025-06-01T00:00:00Z", org), ==, 200);
  snprintf(expected, sizeof expected, "/api/svc/v2/orgs/%s/events?eventType=ORG_CREATED&maxDate=2025-06-01T00%%3A00%%3A00Z", org);
  link = strstr(t_str(t, "link"), "/api/");
  munit_assert_not_null(link);
  munit_assert_string_equal(link, expected);
  snprintf(target, sizeof target, "%s", link);
  munit_assert_int(t_send(t, "GET", target, NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);

  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/activityFeed?eventType=NO_SUCH_TYPE", group), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_QUERY_PARAMETER");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/activityFeed?eventType=CLUSTER_CREATED", org), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_QUERY_PARAMETER");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/activityFeed?clusterName=C", org), ==, 400);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/activityFeed?minDate=2025-06-02T00:00:00Z&maxDate=2025-06-01T00:00:00Z", group), ==, 400);
  munit_assert_string_equal(t_error(t), "START_DATE_AFTER_END_DATE");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/activityFeed", EVENT_ABSENT), ==, 404);
}

TEST_SERVICE(event, types)
{
#define EVENT_ROW(prefix, rest, where, alertable, description) { #prefix #rest, description, where, alertable },
  static const struct {
    const char *name, *description;
    int where;
    bool alertable;
  } rows[] = { SVC_EVENT_TYPE_LIST(EVENT_ROW) };
#undef EVENT_ROW
#define EVENT_OWN(...) + 1
  const int count = (int)(sizeof rows / sizeof rows[0]), own = 0 SVC_NOUN_EVENT_LIST(EVENT_OWN);
#undef EVENT_OWN
  char path[64];
  int page, i, n = 0, alertable = 0, in_groups = 0, in_orgs = 0, stale = 0;
  t_organization(t, "Acme");
  for (page = 1; n < count; page++) {
    munit_assert_int(t_sendf(t, "GET", NULL, "/eventTypes?itemsPerPage=50&pageNum=%d", page), ==, 200);
    munit_assert_int64(t_int(t, "totalCount"), ==, count);
    munit_assert_int((int)t_count(t, "results"), ==, count - n < 50 ? count - n : 50);
    for (i = 0; i < 50 && n < count; i++, n++) {
      snprintf(path, sizeof path, "results[%d].eventType", i);
      munit_assert_string_equal(t_str(t, path), rows[n].name);
      snprintf(path, sizeof path, "results[%d].description", i);
      if (*rows[n].description) munit_assert_string_equal(t_str(t, path), rows[n].description);
      else munit_assert_size(strlen(t_str(t, path)), ==, strlen(rows[n].name) + 1); /* the words of the name, and a full stop */
      snprintf(path, sizeof path, "results[%d].alertable", i);
      munit_assert_string_equal(t_str(t, path), rows[n].alertable ? "true" : "false");
      alertable += rows[n].alertable;
      in_groups += rows[n].where & SVC_EVENT_GROUP ? 1 : 0;
      in_orgs += rows[n].where & SVC_EVENT_ORG ? 1 : 0;
      if (strcmp(rows[n].name, "HOST_SSL_CERTIFICATE_STALE") == 0) stale = n + 1;
    }
    munit_assert_int(*t_link(t, "next") != 0, ==, n < count);
  }
  munit_assert_int(alertable, >, 0);
  munit_assert_int(alertable, <, count);
  munit_assert_int(in_groups - own, ==, EVENT_PUBLIC_GROUP + EVENT_OURS + EVENT_RECORDED);
  munit_assert_int(in_orgs, ==, EVENT_PUBLIC_ORG);
  munit_assert_int(t_sendf(t, "GET", NULL, "/eventTypes?itemsPerPage=1&pageNum=%d", stale), ==, 200);
  munit_assert_string_equal(t_str(t, "results[0].description"), "Host SSL certificate stale.");
  munit_assert_int(t_send(t, "GET", "/eventTypes", NULL), ==, 200);
  munit_assert_size(t_count(t, "results"), ==, 100);
  munit_assert_int(t_send(t, "GET", "/eventTypes?itemsPerPage=501", NULL), ==, 400);
  munit_assert_int(t_send(t, "GET", "/eventTypes?alertable=true", NULL), ==, 400);
}

/* ---------------------------------------------------------------------------------------------------------- long feeds */

static const char *const long_types[] = { "CLUSTER_CREATED", "CLUSTER_READY", "CLUSTER_DELETED", "DB_ROLE_ADDED", "DB_ROLE_UPDATED" };
static const char *const long_clusters[] = { "", "a", "b", "c", "d-1", "q\"x" };

/* A job that writes events of a project, some with past times. */
typedef struct long_job {
  svc_job job; /* first: jobs are cast to this struct */
  svc *s;
  svc_scope scope;
  int n;
  int64_t late; /* milliseconds by which some events are late; 0: none is late */
  int type, cluster; /* < 0: any */
} long_job;

static bool long_work(svc_job *job, svc_txn *txn)
{
  long_job *l = (long_job *)job;
  svc_arena arena;
  svc_call c;
  int i;
  svc_service_call(&c, l->s, &arena, txn, job->now);
  for (i = 0; i < l->n; i++) {
    int type = l->type < 0 ? munit_rand_int_range(0, 3) : l->type;
    c.now = l->late && munit_rand_int_range(0, 9) == 0 ? job->now - (int64_t)munit_rand_int_range(0, (int)l->late) : job->now;
    munit_assert_true(svc_event_write(&c, long_types[type], &l->scope, "clusterName",
                                      svc_str_c(long_clusters[l->cluster < 0 ? munit_rand_int_range(0, 3) : l->cluster])));
  }
  svc_blocks_free(arena.blocks);
  return true;
}

static void long_write(t_service *t, const char *org, const char *group, int n, int64_t late, int type, int cluster)
{
  long_job l;
  memset(&l, 0, sizeof l);
  l.job.work = long_work;
  l.s = t->s;
  l.n = 20;
  l.late = late;
  l.type = type;
  l.cluster = cluster;
  munit_assert_true(svc_id_parse(svc_str_c(org), &l.scope.org) && svc_id_parse(svc_str_c(group), &l.scope.group));
  for (; n > 0; n -= l.n) {
    t->now += munit_rand_int_range(0, 5000);
    l.job.now = t->now;
    munit_assert_int(svc_commit_run(&t->s->commit, &l.job), ==, SVC_OK);
  }
}

/* Writes one event with a time `late` milliseconds in the past. Returns false if the event was refused. */
static bool long_late_work(svc_job *job, svc_txn *txn)
{
  long_job *l = (long_job *)job;
  svc_arena arena;
  svc_call c;
  bool good;
  svc_service_call(&c, l->s, &arena, txn, job->now);
  c.now = job->now - l->late;
  good = svc_event_write(&c, long_types[0], &l->scope, "clusterName", SVC_S("a"));
  svc_blocks_free(arena.blocks);
  return good;
}

static int long_write_late(t_service *t, const char *org, const char *group, int64_t late)
{
  long_job l;
  int rc;
  memset(&l, 0, sizeof l);
  l.job.work = long_late_work;
  l.job.now = t->now;
  l.s = t->s;
  l.late = late;
  munit_assert_true(svc_id_parse(svc_str_c(org), &l.scope.org) && svc_id_parse(svc_str_c(group), &l.scope.group));
  rc = svc_commit_run(&t->s->commit, &l.job);
  return rc == SVC_OK && l.job.refused ? SVC_CORRUPT : rc;
}

/* Damages or repairs tallies. there: stores the value in place of the first tally, or with `longer` under a longer key next to it.
** Not there: restores the first tally, or with `longer` removes the added one. */
static void long_tally(t_service *t, svc_str value, bool longer, bool there)
{
  static unsigned char first[64], was[4096];
  static size_t first_n, was_n;
  const svc_store_port *port = t->s->commit.port;
  svc_scan scan;
  svc_key prefix;
  svc_str key, old;
  svc_txn *txn;
  munit_assert_int(port->write_begin(t->s->commit.store, &txn), ==, SVC_OK);
  if (there) {
    svc_key_begin(&prefix, 't');
    svc_scan_below(&scan, txn, &prefix, false);
    munit_assert_true(svc_scan_next(&scan, &key, &old));
    munit_assert_size(old.n, <, sizeof was);
    memcpy(first, key.p, first_n = key.n);
    memcpy(was, old.p, was_n = old.n);
    if (longer) first[first_n++] = 1;
    munit_assert_int(port->put(txn, (svc_str){ (char *)first, first_n }, value), ==, SVC_OK);
  } else if (longer) {
    munit_assert_int(port->remove(txn, (svc_str){ (char *)first, first_n }), ==, SVC_OK);
  } else {
    munit_assert_int(port->put(txn, (svc_str){ (char *)first, first_n }, (svc_str){ (char *)was, was_n }), ==, SVC_OK);
  }
  munit_assert_int(port->commit(txn), ==, SVC_OK);
}

/* Damages the places of the values in an event: of the last event, or of the one that an earlier call returned in *which. */
static void long_misplace(t_service *t, const char *group, svc_id *which, size_t cut, uint32_t at)
{
  const svc_store_port *port = t->s->commit.port;
  svc_place places[2] = { { at, 5 }, { 2, 0 } };
  svc_arena arena;
  svc_scan scan;
  svc_entity e, last;
  svc_id parent;
  svc_txn *txn;
  svc_arena_init(&arena, NULL);
  munit_assert_true(svc_id_parse(svc_str_c(group), &parent));
  munit_assert_int(port->write_begin(t->s->commit.store, &txn), ==, SVC_OK);
  svc_below_begin(&scan, txn, "evnt", &parent);
  memset(&last, 0, sizeof last);
  while (svc_below_next(&scan, "evnt", &e))
    if (svc_id_is_zero(which) || svc_id_eq(which, &e.id)) last = e;
  *which = last.id;
  last.extra = (svc_str){ (const char *)places, sizeof places - cut };
  munit_assert_int(svc_record_put(txn, &arena, &last), ==, SVC_OK);
  munit_assert_int(port->commit(txn), ==, SVC_OK);
  svc_blocks_free(arena.blocks);
}

/* Damaged tallies: a list that needs them is refused, and so is an event that would be added to one. */
TEST(event, long_damaged)
{
  static const uint32_t fields[] = { 300, 0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0 };
  const svc_str too_many = { (const char *)fields, sizeof fields };
  const svc_config config = { .limiter_off = 1 };
  const char *org, *group;
  t_service t;
  int rc, i;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  long_write(&t, org, group, 1200, 0, 0, 5);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events?eventType=CLUSTER_CREATED&itemsPerPage=2", group), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1200);
  munit_assert_string_equal(t_str(&t, "results[0].clusterName"), "q\"x");
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
  munit_assert_int(long_write_late(&t, org, group, 3600000), ==, SVC_OK);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);

  long_tally(&t, SVC_S("0123456789"), false, true);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events?clusterNames=a", group), ==, 503);
  munit_assert_int(long_write_late(&t, org, group, 3600000), ==, SVC_CORRUPT);
  long_tally(&t, SVC_S(""), false, false);
  long_tally(&t, SVC_S(""), true, true);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events?clusterNames=a", group), ==, 503);
  long_tally(&t, SVC_S(""), true, false);
  long_tally(&t, too_many, false, true);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_CORRUPT);
  munit_assert_int(long_write_late(&t, org, group, 3600000), ==, SVC_CORRUPT);
  long_tally(&t, SVC_S(""), false, false);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events?clusterNames=a", group), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);

  /* an event with wrong places of its values: the write that would complete its block is refused */
  for (i = 0; i < 3; i++) {
    svc_id which = { { 0 } };
    long_misplace(&t, group, &which, i == 0 ? 1 : i == 1 ? 9 : 0, i == 2 ? 1000000 : 2);
    for (rc = SVC_OK; rc == SVC_OK;) rc = long_write_late(&t, org, group, -2000);
    munit_assert_int(rc, ==, SVC_CORRUPT);
    long_misplace(&t, group, &which, 0, 2);
  }
  t_close(&t);
}

/* An event in the test's own model. */
typedef struct long_event {
  char id[25], type[32], cluster[16];
  int64_t created;
} long_event;

static size_t long_all(t_service *t, const char *group, long_event *out, size_t most)
{
  svc_scan scan;
  svc_entity e;
  svc_id parent;
  svc_txn *txn;
  size_t n = 0;
  munit_assert_int(t->s->commit.port->read_begin(t->s->commit.store, &txn), ==, SVC_OK);
  munit_assert_true(svc_id_parse(svc_str_c(group), &parent));
  svc_below_begin(&scan, txn, "evnt", &parent);
  while (svc_below_next(&scan, "evnt", &e)) {
    svc_str type = svc_json_member(e.body, SVC_S("eventTypeName")), cluster = svc_json_member(e.body, SVC_S("clusterName"));
    svc_str created = svc_json_member(e.body, SVC_S("created"));
    munit_assert_size(n, <, most);
    snprintf(out[n].id, 25, SVC_FMT, SVC_ARG(e.key));
    snprintf(out[n].type, 32, "%.*s", (int)type.n - 2, type.p + 1);
    snprintf(out[n].cluster, 16, "%.*s", cluster.n ? (int)cluster.n - 2 : 0, cluster.n ? cluster.p + 1 : "");
    munit_assert_true(svc_date_parse((svc_str){ created.p + 1, created.n - 2 }, &out[n].created));
    n++;
  }
  t->s->commit.port->read_end(txn);
  return n;
}

/* A random filter: bits for types, excluded types and clusters. Dates of 0: no limit. */
typedef struct long_filter {
  unsigned types, excluded, clusters;
  int64_t low, high;
} long_filter;

static bool long_passes(const long_filter *f, const long_event *e)
{
  bool type = !f->types, cluster = !f->clusters;
  int i;
  for (i = 0; i < 5; i++) {
    if (f->types >> i & 1 && strcmp(e->type, long_types[i]) == 0) type = true;
    if (f->excluded >> i & 1 && strcmp(e->type, long_types[i]) == 0) return false;
    if (f->clusters >> i & 1 && strcmp(e->cluster, long_clusters[i]) == 0) cluster = true;
  }
  return type && cluster && (!f->low || e->created >= f->low) && (!f->high || e->created <= f->high);
}

static int long_query(const long_filter *f, char *out, size_t size)
{
  char low[21], high[21];
  int n = 0, i;
  out[0] = 0;
  for (i = 0; i < 5; i++) {
    if (f->types >> i & 1) n += snprintf(out + n, size - (size_t)n, "&eventType=%s", long_types[i]);
    if (f->excluded >> i & 1) n += snprintf(out + n, size - (size_t)n, "&excludedEventType=%s", long_types[i]);
    if (f->clusters >> i & 1) n += snprintf(out + n, size - (size_t)n, "&clusterNames=%s", long_clusters[i]);
  }
  svc_date_text(f->low, low);
  svc_date_text(f->high, high);
  if (f->low) n += snprintf(out + n, size - (size_t)n, "&minDate=%s", low);
  if (f->high) n += snprintf(out + n, size - (size_t)n, "&maxDate=%s", high);
  return n;
}

static void long_compare(t_service *t, const char *group, const long_event *all, size_t n, const long_filter *f, int page, int per_page)
{
  char query[1024], at[48];
  size_t i, seen = 0, shown = 0;
  const size_t from = (size_t)(page - 1) * (size_t)per_page;
  long_query(f, query, sizeof query);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?pageNum=%d&itemsPerPage=%d%s", group, page, per_page, query), ==, 200);
  for (i = n; i-- > 0;) {
    if (!long_passes(f, &all[i])) continue;
    if (seen >= from && shown < (size_t)per_page) {
      snprintf(at, sizeof at, "results[%zu].id", shown++);
      munit_assert_string_equal(t_str(t, at), all[i].id);
    }
    seen++;
  }
  munit_assert_int64(t_int(t, "totalCount"), ==, (int64_t)seen);
  munit_assert_size(t_count(t, "results"), ==, shown);
  munit_assert_int(*t_link(t, "next") != 0, ==, seen > from + shown && shown > 0);
}

/* Every query on a log of many blocks, with late events in between, has the same result as a check of each event. */
TEST(event, long_feed)
{
  enum { MOST = 6000 };
  static long_event all[MOST];
  const char *org, *group;
  t_service t;
  size_t n;
  int i, round;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  for (round = 0; round < 4; round++) {
    long_write(&t, org, group, 900, 0, -1, -1);
    long_write(&t, org, group, 20, 0, 4, 4); /* a type and a cluster that only a few blocks have */
    long_write(&t, org, group, 300, 2000000, -1, -1);
    n = long_all(&t, group, all, MOST);
    for (i = 0; i < 60; i++) {
      long_filter f = { 0, 0, 0, 0, 0 };
      if (munit_rand_int_range(0, 1)) f.types = (unsigned)munit_rand_int_range(0, 31);
      if (munit_rand_int_range(0, 2) == 0) f.excluded = 1u << munit_rand_int_range(0, 4);
      if (munit_rand_int_range(0, 2) == 0) f.clusters = (unsigned)munit_rand_int_range(0, 15) << 1;
      if (munit_rand_int_range(0, 2) == 0) f.low = all[munit_rand_int_range(0, (int)n - 1)].created;
      if (munit_rand_int_range(0, 2) == 0) f.high = all[munit_rand_int_range(0, (int)n - 1)].created;
      if (f.low && f.high && f.low > f.high) f.high = 0;
      long_compare(&t, group, all, n, &f, munit_rand_int_range(1, i % 2 ? 3 : 40), munit_rand_int_range(1, 120));
    }
    store_whole(t.s);
  }
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", group), ==, 202);
  for (i = 0; i < 4; i++) {
    t.now += 10;
    svc_tick(t.s);
  }
  munit_assert_size(store_whole(t.s), ==, 0);
  t_close(&t);
}

/* Sends one query on the log. Returns the number of records that it reads. total < 0: the answer has no count. */
static long long_cost(t_service *t, const char *group, const char *query, int64_t total)
{
  t_reads r;
  t_reads_taken();
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?%s", group, query), ==, 200);
  r = t_reads_taken();
  if (total >= 0) munit_assert_int64(t_int(t, "totalCount"), ==, total);
  return r.gets + r.rows + r.passed;
}

/* A query reads at most one record for each 256 events of the log, and 1200 more, also in a log four times as long. */
TEST(event, long_costs)
{
  static const int sizes[] = { 6000, 24000 };
  char query[128], early[21], late[21];
  int k;
  for (k = 0; k < 2; k++) {
    const int n = sizes[k];
    const long blocks = n / 256 + 1200; /* some events are not tallied yet, and the blocks of the page are read */
    const char *org, *group;
    t_service t;
    t_open(&t, &(svc_config){ .limiter_off = 1, .store = t_counting_port() });
    org = t_organization(&t, "Acme");
    group = t_project(&t, org, "alpha");
    t_advance(&t, 86400);
    svc_date_text(t.now - 3600000, early);
    long_write(&t, org, group, 20, 0, 4, 4);
    long_write(&t, org, group, n, 0, 0, 1);
    t_advance(&t, 86400);
    svc_date_text(t.now, late);
    munit_assert_long(long_cost(&t, group, "eventType=CLUSTER_DELETED", 0), <, blocks);
    munit_assert_long(long_cost(&t, group, "eventType=CLUSTER_DELETED&includeCount=false", -1), <, blocks);
    munit_assert_long(long_cost(&t, group, "eventType=DB_ROLE_UPDATED", 20), <, blocks);
    munit_assert_long(long_cost(&t, group, "excludedEventType=DB_ROLE_UPDATED", n + 1), <, blocks);
    munit_assert_long(long_cost(&t, group, "clusterNames=nobody", 0), <, blocks);
    munit_assert_long(long_cost(&t, group, "clusterNames=a&eventType=CLUSTER_CREATED&pageNum=20", n), <, blocks);
    munit_assert_long(long_cost(&t, group, "clusterNames=a&eventType=DB_ROLE_UPDATED", 0), <, blocks);
    snprintf(query, sizeof query, "pageNum=%d", n / 100);
    munit_assert_long(long_cost(&t, group, query, n + 21), <, blocks);
    snprintf(query, sizeof query, "maxDate=%s", early); /* the scan of a date range starts at its first event */
    munit_assert_long(long_cost(&t, group, query, 1), <, 40);
    snprintf(query, sizeof query, "minDate=%s", late);
    munit_assert_long(long_cost(&t, group, query, 0), <, 40);
    snprintf(query, sizeof query, "minDate=%s&includeCount=false", early);
    munit_assert_long(long_cost(&t, group, query, -1), <, 400);
    snprintf(query, sizeof query, "minDate=%s", early);
    munit_assert_long(long_cost(&t, group, query, n + 20), <, blocks);
    t_close(&t);
  }
}

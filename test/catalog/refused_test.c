/*
** Requests that the service refuses although each single field is valid: rules between fields and between resources,
** and limits.
*/

#include "mechanism/probe.h"

static const svc_config quiet = { .limiter_off = 1, .provision_ms = SVC_PROVISION_NOW };

static void refused_close(t_place *w)
{
  store_whole(w->t.s);
  t_close(&w->t);
}

static void refused_good(t_place *w, const char *method, const char *path, const char *body, int status)
{
  int got = t_sendf(&w->t, method, body, "/groups/%s%s", w->group, path);
  if (got != status) munit_errorf("%s %s: %d %s", method, path, got, w->t.response.body);
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
}

/* Checks that the request is refused with this code. field: the field that the error names; NULL: none. */
static void refused_bad(t_place *w, const char *method, const char *path, const char *body, int status, const char *code, const char *field)
{
  refused_good(w, method, path, body, status);
  if (strcmp(t_error(&w->t), code) != 0 || (field && !t_violation(&w->t, field)))
    munit_errorf("%s %s: %s", method, path, w->t.response.body);
}

/* ------------------------------------------------------------------------------------------------------------- clusters */

#define SHARED_AS(name, size, more) \
  "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\"" more ",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"TENANT\"," \
  "\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"" size "\"}}]}]}"
#define SIZE_AT "replicationSpecs[0].regionConfigs[0].electableSpecs.instanceSize"
#define REGION(name, priority, size, count) \
  "{\"providerName\":\"AWS\",\"regionName\":\"" name "\",\"priority\":" priority ",\"electableSpecs\":{\"instanceSize\":\"" size "\"," \
  "\"nodeCount\":" count "}}"
#define CLUSTER(name, type, regions, more) \
  "{\"name\":\"" name "\",\"clusterType\":\"" type "\"" more ",\"replicationSpecs\":[{\"regionConfigs\":[" regions "]}]}"

TEST(refused, free)
{
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  refused_bad(&w, "POST", "/clusters", SHARED_AS("Free", "M0", ",\"dbMajorVersion\":\"8.0\""), 400, "TENANT_ATTRIBUTE_READ_ONLY", "dbMajorVersion");
  refused_bad(&w, "POST", "/clusters", SHARED_AS("Free", "M2", ""), 400, "INVALID_ATTRIBUTE", SIZE_AT);
  refused_good(&w, "POST", "/clusters", SHARED_AS("Free", "M0", ""), 201);
  refused_bad(&w, "POST", "/clusters", SHARED_AS("More", "M0", ""), 400, "CANNOT_CREATE_FREE_CLUSTER_VIA_PUBLIC_API", NULL);
  munit_assert_string_equal(t_param(&w.t, 0), w.group);
  refused_bad(&w, "PATCH", "/clusters/Free", PROBE_RESIZE("M10"), 400, "TENANT_CLUSTER_UPDATE_UNSUPPORTED", NULL);
  refused_good(&w, "POST", "/clusters/tenantUpgrade", "{\"name\":\"Free\",\"providerSettings\":{\"instanceSizeName\":\"M10\","
               "\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}", 200); /* the operation for that change */
  refused_good(&w, "POST", "/clusters", SHARED_AS("More", "M0", ""), 201);
  refused_close(&w);
}

TEST(refused, names)
{
#define LONG "abcdefghijklmnopqrstuvw" /* 23 characters */
  static const char flex[] = "{\"name\":\"" LONG "-flex\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}";
  static const char other[] = "{\"name\":\"z" LONG "\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}";
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  refused_good(&w, "POST", "/clusters", PROBE_CLUSTER(LONG, "M10"), 201);
  refused_bad(&w, "POST", "/clusters", PROBE_CLUSTER(LONG, "M10"), 409, "DUPLICATE_CLUSTER_NAME", NULL);
  refused_bad(&w, "POST", "/clusters", PROBE_CLUSTER(LONG "-two", "M10"), 400, "DUPLICATE_CLUSTER_NAME_PREFIX", NULL);
  munit_assert_string_equal(t_param(&w.t, 0), LONG "-two");
  munit_assert_string_equal(t_param(&w.t, 1), w.group);
  refused_bad(&w, "POST", "/flexClusters", flex, 400, "DUPLICATE_CLUSTER_NAME_PREFIX", NULL);
  refused_good(&w, "POST", "/flexClusters", other, 201);
  refused_bad(&w, "POST", "/clusters", PROBE_CLUSTER("z" LONG "-two", "M10"), 400, "DUPLICATE_CLUSTER_NAME_PREFIX", NULL);
  refused_good(&w, "POST", "/clusters", PROBE_CLUSTER("abcdefghijklmnopqrstuv", "M10"), 201); /* only 22 equal characters */
  w.group = t_project(&w.t, w.org, "beta"); /* the rule applies within a project */
  refused_good(&w, "POST", "/clusters", PROBE_CLUSTER(LONG "-two", "M10"), 201);
  refused_close(&w);
}

TEST(refused, sizes)
{
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  refused_bad(&w, "POST", "/clusters", CLUSTER("C", "REPLICASET", REGION("US_EAST_1", "7", "M30", "2") "," REGION("US_WEST_2", "6", "M40", "1"), ""),
              400, "INVALID_CLUSTER_CONFIGURATION", "replicationSpecs[0].regionConfigs[1].electableSpecs.instanceSize");
  refused_good(&w, "POST", "/clusters", CLUSTER("C", "REPLICASET", REGION("US_EAST_1", "7", "M20", "3"), ""), 201);
  refused_good(&w, "PATCH", "/clusters/C", PROBE_RESIZE("M30"), 200);
  refused_good(&w, "PATCH", "/clusters/C", "{\"clusterType\":\"SHARDED\"}", 200);
  refused_good(&w, "PATCH", "/clusters/C", PROBE_RESIZE("M20"), 200); /* small shards are allowed */
  refused_close(&w);
}

TEST(refused, backup)
{
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  refused_bad(&w, "POST", "/clusters", CLUSTER("C", "REPLICASET", REGION("US_EAST_1", "7", "M10", "3"), ",\"pitEnabled\":true"), 400,
              "INVALID_CLUSTER_CONFIGURATION", "pitEnabled");
  refused_good(&w, "POST", "/clusters", CLUSTER("C", "REPLICASET", REGION("US_EAST_1", "7", "M10", "3"), ",\"pitEnabled\":true,\"backupEnabled\":true"), 201);
  refused_bad(&w, "PATCH", "/clusters/C", "{\"backupEnabled\":false}", 400, "INVALID_CLUSTER_CONFIGURATION", "pitEnabled");
  refused_good(&w, "PATCH", "/clusters/C", "{\"backupEnabled\":false,\"pitEnabled\":false}", 200);
  refused_close(&w);
}

TEST(refused, oplog)
{
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  refused_good(&w, "POST", "/clusters", PROBE_CLUSTER("C", "M10"), 201);
  /* the disk has 10 GB */
  refused_bad(&w, "PATCH", "/clusters/C/processArgs", "{\"oplogSizeMB\":10240}", 400, "INVALID_ATTRIBUTE", "oplogSizeMB");
  refused_good(&w, "PATCH", "/clusters/C/processArgs", "{\"oplogSizeMB\":2048}", 200);
  refused_close(&w);
}

/* Nothing can be created on a paused cluster. */
TEST(refused, paused)
{
  static const char archive[] = "{\"collName\":\"a\",\"dbName\":\"b\",\"criteria\":{\"type\":\"DATE\",\"dateField\":\"d\",\"expireAfterDays\":5}}";
  static const char index[] = "{\"collectionName\":\"movies\",\"database\":\"sample_mflix\",\"name\":\"default\",\"definition\":{\"mappings\":{\"dynamic\":true}}}";
  static const char older[] = "{\"collectionName\":\"movies\",\"database\":\"sample_mflix\",\"name\":\"older\",\"mappings\":{\"dynamic\":true}}";
  t_place w;
  int i;
  t_place_open(&w, &quiet, "alpha", NULL);
  refused_good(&w, "POST", "/clusters", CLUSTER("C", "REPLICASET", REGION("US_EAST_1", "7", "M10", "3"), ",\"backupEnabled\":true"), 201);
  refused_good(&w, "POST", "/sampleDatasetLoad/C", NULL, 201);
  for (i = 0; i < 2; i++) {
    int status = i ? 201 : 409;
    refused_good(&w, "PATCH", "/clusters/C", i ? "{\"paused\":false}" : "{\"paused\":true}", 200);
    refused_good(&w, "POST", "/clusters/C/backup/snapshots", "{}", i ? 202 : status);
    munit_assert_string_equal(t_error(&w.t), i ? "" : "CANNOT_UPDATE_PAUSED_CLUSTER");
    refused_good(&w, "POST", "/clusters/C/search/indexes", index, status);
    munit_assert_string_equal(t_error(&w.t), i ? "" : "CANNOT_UPDATE_PAUSED_CLUSTER");
    refused_good(&w, "POST", "/clusters/C/fts/indexes", older, status);
    munit_assert_string_equal(t_error(&w.t), i ? "" : "CANNOT_UPDATE_PAUSED_CLUSTER");
    refused_good(&w, "POST", "/clusters/C/onlineArchives", archive, i ? 202 : status);
    munit_assert_string_equal(t_error(&w.t), i ? "" : "CANNOT_UPDATE_PAUSED_CLUSTER");
  }
  refused_close(&w);
}

/* In the simulation, the collections that the service knows exist. With a driver, only the driver knows them. */
TEST(refused, collection)
{
#define INDEX(db, name) "{\"collectionName\":\"" name "\",\"database\":\"" db "\",\"name\":\"i\",\"definition\":{\"mappings\":{\"dynamic\":true}}}"
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  refused_good(&w, "POST", "/clusters", PROBE_CLUSTER("C", "M10"), 201);
  refused_bad(&w, "POST", "/clusters/C/search/indexes", INDEX("sample_mflix", "movies"), 400, "SEARCH_COLLECTION_NOT_FOUND", NULL);
  munit_assert_string_equal(t_param(&w.t, 0), "sample_mflix.movies");
  munit_assert_string_equal(t_param(&w.t, 1), "C");
  refused_good(&w, "POST", "/sampleDatasetLoad/C", NULL, 201);
  refused_good(&w, "POST", "/clusters/C/search/indexes", INDEX("sample_mflix", "movies"), 201);
  refused_bad(&w, "POST", "/clusters/C/search/indexes", INDEX("sample_mflix", "films"), 400, "SEARCH_COLLECTION_NOT_FOUND", NULL);
  refused_close(&w);
}

/* ---------------------------------------------------------------------------------------------------------------- others */

/* Duplicate tag keys are refused on clusters, flex clusters and projects. */
TEST(refused, tags)
{
#define TWICE "\"tags\":[{\"key\":\"a\",\"value\":\"1\"},{\"key\":\"b\",\"value\":\"1\"},{\"key\":\"a\",\"value\":\"2\"}]"
  t_place w;
  char body[512];
  t_place_open(&w, &quiet, "alpha", NULL);
  refused_bad(&w, "POST", "/clusters", CLUSTER("C", "REPLICASET", REGION("US_EAST_1", "7", "M10", "3"), "," TWICE), 400, "INVALID_ATTRIBUTE", "tags[2].key");
  refused_bad(&w, "PATCH", "", "{" TWICE "}", 400, "INVALID_ATTRIBUTE", "tags[2].key");
  refused_bad(&w, "POST", "/flexClusters", "{\"name\":\"F\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}," TWICE "}",
              400, "INVALID_ATTRIBUTE", "tags[2].key");
  snprintf(body, sizeof body, "{\"name\":\"p\",\"orgId\":\"%s\"," TWICE "}", w.org);
  munit_assert_int(t_send(&w.t, "POST", "/groups", body), ==, 400);
  munit_assert_true(t_violation(&w.t, "tags[2].key"));
  refused_good(&w, "PATCH", "", "{\"tags\":[{\"key\":\"a\",\"value\":\"1\"},{\"key\":\"b\",\"value\":\"1\"}]}", 200);
  refused_close(&w);
}

TEST(refused, user)
{
#define USER(date) "{\"username\":\"u\",\"password\":\"a long enough one\",\"databaseName\":\"admin\",\"deleteAfterDate\":\"" date "\"," \
  "\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"x\"}]}"
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL); /* it is 2025-06-01: dates are at most a week away */
  refused_bad(&w, "POST", "/databaseUsers", USER("2025-06-08T00:00:01Z"), 400, "INVALID_ATTRIBUTE", "deleteAfterDate");
  refused_good(&w, "POST", "/databaseUsers", USER("2025-06-08T00:00:00Z"), 201);
  refused_bad(&w, "POST", "/accessList", "[{\"ipAddress\":\"192.0.2.1\",\"deleteAfterDate\":\"2025-06-08T00:00:01Z\"}]", 400, "INVALID_ATTRIBUTE", "deleteAfterDate");
  refused_good(&w, "POST", "/accessList", "[{\"ipAddress\":\"192.0.2.1\",\"deleteAfterDate\":\"2025-06-08T00:00:00Z\"}]", 201);
  refused_bad(&w, "PATCH", "/databaseUsers/admin/u", "{\"deleteAfterDate\":\"2025-09-01T00:00:00Z\"}", 400, "INVALID_ATTRIBUTE", "deleteAfterDate");
  refused_close(&w);
}

TEST(refused, projects)
{
  static const svc_config few = { .limiter_off = 1, .max_projects = 2 };
  const char *org, *other, *group;
  t_service t;
  svc *s;
  char body[256];
  t_open(&t, &few);
  org = t_organization(&t, "Acme");
  t_project(&t, org, "a");
  t_project(&t, org, "b");
  snprintf(body, sizeof body, "{\"name\":\"c\",\"orgId\":\"%s\"}", org);
  munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 400);
  munit_assert_string_equal(t_error(&t), "MAX_GROUPS_PER_ORG_EXCEEDED");
  munit_assert_string_equal(t_param(&t, 0), "2");
  munit_assert_string_equal(t_param(&t, 1), org);
  other = t_organization(&t, "Other");
  group = t_project(&t, other, "c");
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", org);
  munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s:migrate", group), ==, 400);
  munit_assert_string_equal(t_error(&t), "MAX_GROUPS_PER_ORG_EXCEEDED");
  t_close(&t);
  munit_assert_int(svc_open(&s, NULL), ==, SVC_OK);
  munit_assert_size(s->config.max_projects, ==, 250);
  svc_close(s);
}

/* -------------------------------------------------------------------------------------------------------------- settings */

TEST(refused, settings)
{
  static const struct {
    const char *path, *setting;
  } rows[] = {
    { "/clusters/C/performanceAdvisor/suggestedIndexes", "isPerformanceAdvisorEnabled" },
    { "/clusters/C/performanceAdvisor/dropIndexSuggestions", "isPerformanceAdvisorEnabled" },
    { "/processes/%P/performanceAdvisor/suggestedIndexes", "isPerformanceAdvisorEnabled" },
    { "/processes/%P/performanceAdvisor/slowQueryLogs", "isPerformanceAdvisorEnabled" },
    { "/processes/%P/performanceAdvisor/namespaces", "isPerformanceAdvisorEnabled" },
    { "/clusters/C/performanceAdvisor/schemaAdvice", "isSchemaAdvisorEnabled" },
    { "/processes/%P/databases/local/measurements?granularity=PT1H&period=P1D", "isCollectDatabaseSpecificsStatisticsEnabled" },
    { "/processes/%P/a/b/collStats/measurements", "isCollectDatabaseSpecificsStatisticsEnabled" },
  };
  t_place w;
  char process[128], path[256], body[128];
  const char *mark;
  size_t i;
  t_place_open(&w, &quiet, "alpha", NULL);
  refused_good(&w, "POST", "/clusters", PROBE_CLUSTER("C", "M10"), 201);
  refused_good(&w, "GET", "/processes", NULL, 200);
  snprintf(process, sizeof process, "%s", t_str(&w.t, "results[0].id"));
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    mark = strstr(rows[i].path, "%P");
    snprintf(path, sizeof path, "%.*s%s%s", mark ? (int)(mark - rows[i].path) : 0, rows[i].path, mark ? process : "", mark ? mark + 2 : rows[i].path);
    refused_good(&w, "GET", path, NULL, 200);
    snprintf(body, sizeof body, "{\"%s\":false}", rows[i].setting);
    refused_good(&w, "PATCH", "/settings", body, 200);
    refused_bad(&w, "GET", path, NULL, 403, "UNSUPPORTED_FOR_CURRENT_CONFIG", NULL);
    munit_assert_string_equal(t_param(&w.t, 0), rows[i].setting);
    snprintf(body, sizeof body, "{\"%s\":true}", rows[i].setting);
    refused_good(&w, "PATCH", "/settings", body, 200);
    refused_good(&w, "GET", path, NULL, 200);
  }
  refused_close(&w);
}

TEST(refused, storage)
{
#define DISK(size, disk) "{\"name\":\"" size "-" disk "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":" \
  "\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"" size "\",\"diskSizeGB\":" disk "}}]}]}"
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  refused_bad(&w, "POST", "/clusters", DISK("M30", "1024"), 400, "CLUSTER_DISK_SIZE_INVALID", NULL);
  refused_good(&w, "PATCH", "/settings", "{\"isExtendedStorageSizesEnabled\":true}", 200);
  refused_good(&w, "POST", "/clusters", DISK("M30", "1024"), 201);
  refused_bad(&w, "POST", "/clusters", DISK("M30", "1025"), 400, "CLUSTER_DISK_SIZE_INVALID", NULL);
  refused_bad(&w, "POST", "/clusters", DISK("M10", "129"), 400, "CLUSTER_DISK_SIZE_INVALID", NULL);
  refused_close(&w);
}

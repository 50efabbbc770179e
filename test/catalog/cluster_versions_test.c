/*
** Clusters in older dated versions: 2023-02-01, by zones, with one disk size; 2023-01-01, the legacy shape; and
** changes with 2024-08-05 in the fields of the version before it.
** Tests also: cluster
*/
#include "support.h"

#define MEDIA(day) "application/vnd.svc." day "+json"
#define LEGACY MEDIA("2023-01-01")
#define ZONES MEDIA("2023-02-01")
#define NEWEST MEDIA("2024-10-23")

static const svc_config versions_config = { .limiter_off = 1, .provision_ms = SVC_PROVISION_NOW };

#define REGION(provider, region, priority, size) \
  "{\"providerName\":\"" provider "\",\"regionName\":\"" region "\",\"priority\":" priority ",\"electableSpecs\":{\"instanceSize\":\"" size "\",\"nodeCount\":3}}"
#define SPEC(zone, shards, size) \
  "{\"zoneName\":\"" zone "\",\"numShards\":" shards ",\"regionConfigs\":[" REGION("AWS", "US_EAST_1", "7", size) "]}"
#define SHARDED(name, more) "{\"name\":\"" name "\",\"clusterType\":\"SHARDED\"" more "}"

/* Sends a request with this version about the cluster `name`; "" or a query: about the list. Then advances the clock by an hour. */
static int versions_send(t_place *w, const char *accept, const char *method, const char *name, const char *body)
{
  int status;
  t_headers_clear(&w->t);
  t_header(&w->t, "Accept", accept);
  status = t_sendf(&w->t, method, body, "/groups/%s/clusters%s%s", w->group, *name && *name != '?' ? "/" : "", name);
  t_headers_clear(&w->t);
  t_advance(&w->t, 3600);
  return status;
}

static void versions_expect(t_place *w, const char *accept, const char *method, const char *name, const char *body, int status)
{
  int got = versions_send(w, accept, method, name, body);
  if (got != status) munit_errorf("%s %s %s: %d, not %d: %s", accept, method, name, got, status, w->t.response.body);
}

static const char *versions_id(t_place *w, int spec)
{
  char path[64];
  snprintf(path, sizeof path, "replicationSpecs[%d].id", spec);
  return t_keep(&w->t, t_str(&w->t, path));
}

TEST(cluster_versions, zones)
{
  t_place w;
  const char *first, *second;
  char body[512];
  t_place_open(&w, &versions_config, "alpha", NULL);
  versions_expect(&w, ZONES, "POST", "", SHARDED("A", ",\"diskSizeGB\":40,\"replicationSpecs\":[" SPEC("East", "2", "M30") "]"), 201);
  munit_assert_string_equal(t_str(&w.t, "diskSizeGB"), "40");
  munit_assert_size(t_count(&w.t, "replicationSpecs"), ==, 1);
  munit_assert_int64(t_int(&w.t, "replicationSpecs[0].numShards"), ==, 2);
  munit_assert_null(t_node(&w.t, "replicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB"));
  munit_assert_null(t_node(&w.t, "redactClientLogData"));
  munit_assert_null(t_node(&w.t, "featureCompatibilityVersion"));
  versions_expect(&w, NEWEST, "GET", "A", NULL, 200);
  munit_assert_size(t_count(&w.t, "replicationSpecs"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "replicationSpecs[1].regionConfigs[0].electableSpecs.diskSizeGB"), "40");
  munit_assert_null(t_node(&w.t, "diskSizeGB"));
  first = versions_id(&w, 0);
  second = versions_id(&w, 1);
  versions_expect(&w, ZONES, "GET", "A", NULL, 200);
  munit_assert_string_equal(versions_id(&w, 0), first);
  /* a change of only the disks applies to every shard */
  versions_expect(&w, ZONES, "PATCH", "A", "{\"diskSizeGB\":60}", 200);
  munit_assert_string_equal(t_str(&w.t, "diskSizeGB"), "60");
  versions_expect(&w, NEWEST, "GET", "A", NULL, 200);
  munit_assert_string_equal(t_str(&w.t, "replicationSpecs[1].regionConfigs[0].electableSpecs.diskSizeGB"), "60");
  munit_assert_string_equal(versions_id(&w, 1), second);
  /* a further shard: existing shards stay, with their disks */
  snprintf(body, sizeof body, "{\"replicationSpecs\":[{\"id\":\"%s\",\"numShards\":3,\"regionConfigs\":[" REGION("AWS", "US_EAST_1", "7", "M40") "]}]}", first);
  versions_expect(&w, ZONES, "PATCH", "A", body, 200);
  munit_assert_int64(t_int(&w.t, "replicationSpecs[0].numShards"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "replicationSpecs[0].zoneName"), "East");
  versions_expect(&w, NEWEST, "GET", "A", NULL, 200);
  munit_assert_size(t_count(&w.t, "replicationSpecs"), ==, 3);
  munit_assert_string_equal(versions_id(&w, 0), first);
  munit_assert_string_equal(versions_id(&w, 1), second);
  munit_assert_string_equal(t_str(&w.t, "replicationSpecs[2].regionConfigs[0].electableSpecs.instanceSize"), "M40");
  munit_assert_string_equal(t_str(&w.t, "replicationSpecs[2].regionConfigs[0].electableSpecs.diskSizeGB"), "60");
  /* without numShards the number stays */
  snprintf(body, sizeof body, "{\"replicationSpecs\":[{\"id\":\"%s\",\"regionConfigs\":[" REGION("AWS", "US_EAST_1", "7", "M50") "]}]}", first);
  versions_expect(&w, ZONES, "PATCH", "A", body, 200);
  munit_assert_int64(t_int(&w.t, "replicationSpecs[0].numShards"), ==, 3);
  t_close(&w.t);
}

TEST(cluster_versions, several_zones)
{
  t_place w;
  const char *last;
  t_place_open(&w, &versions_config, "alpha", NULL);
  versions_expect(&w, ZONES, "POST", "", "{\"name\":\"G\",\"clusterType\":\"GEOSHARDED\",\"replicationSpecs\":[" SPEC("East", "2", "M30") "," SPEC("West", "1", "M30") "]}", 201);
  munit_assert_size(t_count(&w.t, "replicationSpecs"), ==, 2);
  versions_expect(&w, NEWEST, "GET", "G", NULL, 200);
  munit_assert_size(t_count(&w.t, "replicationSpecs"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "replicationSpecs[2].zoneName"), "West");
  last = versions_id(&w, 2);
  /* the first zone gets another shard; the last zone keeps its id */
  versions_expect(&w, ZONES, "PATCH", "G", "{\"replicationSpecs\":[" SPEC("East", "3", "M30") "," SPEC("West", "1", "M30") "]}", 200);
  munit_assert_string_equal(versions_id(&w, 1), last);
  versions_expect(&w, NEWEST, "GET", "G", NULL, 200);
  munit_assert_size(t_count(&w.t, "replicationSpecs"), ==, 4);
  munit_assert_string_equal(versions_id(&w, 3), last);
  t_close(&w.t);
}

/* Zones of different sizes are asymmetric, like shards of one zone. Different disk speeds are not asymmetric: the first shard's speed is
** shown. */
TEST(cluster_versions, asymmetric_zones)
{
  static const char *const zones[] = { "M30", "M40" };
  static const char *const speeds[] = { "3000", "3100" };
  char body[1200];
  t_place w;
  int i;
  t_place_open(&w, &versions_config, "alpha", NULL);
  for (i = 0; i < 2; i++) {
    snprintf(body, sizeof body, "{\"name\":\"Z%d\",\"clusterType\":\"GEOSHARDED\",\"replicationSpecs\":[{\"zoneName\":\"East\",\"regionConfigs\":[" REGION("AWS", "US_EAST_1", "7", "M30")
             "]},{\"zoneName\":\"West\",\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_WEST_2\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"%s\",\"nodeCount\":3}}]}]}", i, zones[i]);
    versions_expect(&w, NEWEST, "POST", "", body, 201);
    snprintf(body, sizeof body, "Z%d", i);
    versions_expect(&w, ZONES, "GET", body, NULL, i == 0 ? 200 : 400);
  }
  munit_assert_string_equal(t_error(&w.t), "ASYMMETRIC_SHARD_UNSUPPORTED");
  snprintf(body, sizeof body, "{\"name\":\"S\",\"clusterType\":\"SHARDED\",\"replicationSpecs\":[");
  for (i = 0; i < 2; i++)
    snprintf(body + strlen(body), sizeof body - strlen(body), "%s{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{"
             "\"instanceSize\":\"M30\",\"nodeCount\":3,\"ebsVolumeType\":\"PROVISIONED\",\"diskSizeGB\":100,\"diskIOPS\":%s}}]}", i ? "," : "", speeds[i]);
  snprintf(body + strlen(body), sizeof body - strlen(body), "]}");
  versions_expect(&w, NEWEST, "POST", "", body, 201);
  versions_expect(&w, ZONES, "GET", "S", NULL, 200);
  munit_assert_size(t_count(&w.t, "replicationSpecs"), ==, 1);
  munit_assert_int64(t_int(&w.t, "replicationSpecs[0].numShards"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "replicationSpecs[0].regionConfigs[0].electableSpecs.diskIOPS"), "3000");
  t_close(&w.t);
}

/* Shards that differ can be neither shown nor changed in versions before 2024-08-05. */
TEST(cluster_versions, asymmetric)
{
  t_place w;
  t_place_open(&w, &versions_config, "alpha", NULL);
  versions_expect(&w, NEWEST, "POST", "", SHARDED("A", ",\"replicationSpecs\":[{\"regionConfigs\":[" REGION("AWS", "US_EAST_1", "7", "M30") "]},"
                                              "{\"regionConfigs\":[" REGION("AWS", "US_EAST_1", "7", "M40") "]}]"), 201);
  versions_expect(&w, ZONES, "GET", "A", NULL, 400);
  munit_assert_string_equal(t_error(&w.t), "ASYMMETRIC_SHARD_UNSUPPORTED");
  munit_assert_size(t_count(&w.t, "parameters"), ==, 0);
  versions_expect(&w, LEGACY, "GET", "A", NULL, 400);
  munit_assert_string_equal(t_error(&w.t), "ASYMMETRIC_SHARD_UNSUPPORTED");
  versions_expect(&w, ZONES, "PATCH", "A", "{\"tags\":[]}", 400);
  munit_assert_string_equal(t_error(&w.t), "ASYMMETRIC_SHARD_UNSUPPORTED");
  versions_expect(&w, ZONES, "POST", "", SHARDED("B", ",\"replicationSpecs\":[" SPEC("East", "1", "M30") "]"), 201);
  versions_expect(&w, ZONES, "GET", "", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].name"), "B");
  munit_assert_int64(t_int(&w.t, "results[0].replicationSpecs[0].numShards"), ==, 1);
  versions_expect(&w, LEGACY, "GET", "?includeDeletedWithRetainedBackups=true", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  versions_expect(&w, ZONES, "DELETE", "A", NULL, 202); /* the answer to a DELETE shows no shards */
  versions_expect(&w, NEWEST, "GET", "", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  t_close(&w.t);
}

TEST(cluster_versions, refused)
{
  static const struct { const char *body, *field; } rows[] = {
    { SHARDED("C", ",\"replicationSpecs\":[" SPEC("East", "0", "M30") "]"), "replicationSpecs[0].numShards" },
    { SHARDED("C", ",\"redactClientLogData\":true,\"replicationSpecs\":[" SPEC("East", "1", "M30") "]"), "redactClientLogData" },
    { SHARDED("C", ",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,"
                   "\"electableSpecs\":{\"diskSizeGB\":40,\"instanceSize\":\"M30\"}}]}]"), "replicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB" },
    { SHARDED("C", ",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,"
                   "\"electableSpecs\":{\"nodeCount\":3}}]}]"), "replicationSpecs[0].regionConfigs[0].electableSpecs.instanceSize" },
    { SHARDED("C", ",\"diskSizeGB\":0,\"replicationSpecs\":[" SPEC("East", "1", "M30") "]"), "replicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB" },
    { SHARDED("C", ",\"replicationSpecs\":[" SPEC("East", "100000000", "M30") "]"), "replicationSpecs" },
    { SHARDED("C", ",\"replicationSpecs\":[7]"), "replicationSpecs[0]" },
    { SHARDED("C", ""), "replicationSpecs" },
  };
  t_place w;
  size_t i;
  t_place_open(&w, &versions_config, "alpha", NULL);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    versions_expect(&w, ZONES, "POST", "", rows[i].body, 400);
    if (!t_violation(&w.t, rows[i].field)) munit_errorf("%s: %s", rows[i].field, w.t.response.body);
  }
  versions_expect(&w, MEDIA("2024-10-23"), "POST", "", SHARDED("C", ",\"replicationSpecs\":[" SPEC("East", "1", "M30") "]"), 400);
  munit_assert_true(t_violation(&w.t, "replicationSpecs[0].numShards"));
  t_close(&w.t);
}

/* A change with 2024-08-05 may use the fields of 2023-02-01. */
TEST(cluster_versions, either)
{
  t_place w;
  char body[512];
  t_place_open(&w, &versions_config, "alpha", NULL);
  versions_expect(&w, MEDIA("2024-08-05"), "POST", "", SHARDED("A", ",\"replicationSpecs\":[{\"regionConfigs\":[" REGION("AWS", "US_EAST_1", "7", "M30") "]}]"), 201);
  snprintf(body, sizeof body, "{\"diskSizeGB\":55,\"replicationSpecs\":[{\"id\":\"%s\",\"numShards\":2,\"regionConfigs\":["
           REGION("AWS", "US_EAST_1", "7", "M30") "]}]}", versions_id(&w, 0));
  versions_expect(&w, MEDIA("2024-08-05"), "PATCH", "A", body, 200);
  munit_assert_size(t_count(&w.t, "replicationSpecs"), ==, 2); /* the answer has the newest shape */
  munit_assert_string_equal(t_str(&w.t, "replicationSpecs[1].regionConfigs[0].electableSpecs.diskSizeGB"), "55");
  versions_expect(&w, NEWEST, "PATCH", "A", body, 400);
  versions_expect(&w, MEDIA("2024-08-05"), "PATCH", "A", "{\"diskSizeGB\":65}", 200);
  munit_assert_string_equal(t_str(&w.t, "replicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB"), "65");
  versions_expect(&w, MEDIA("2024-08-05"), "PATCH", "A", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}", 200);
  versions_expect(&w, MEDIA("2024-08-05"), "PATCH", "A", "{\"diskSizeGB\":55,\"replicationSpecs\":7}", 400);
  munit_assert_true(t_violation(&w.t, "replicationSpecs"));
  versions_expect(&w, MEDIA("2024-08-05"), "PATCH", "A", "{\"replicationSpecs\":[7," SPEC("Zone 1", "1", "M30") "]}", 400);
  munit_assert_true(t_violation(&w.t, "replicationSpecs[0]"));
  versions_expect(&w, MEDIA("2024-08-05"), "PATCH", "A", "{\"replicationSpecs\":[" SPEC("Zone 1", "-1", "M30") "," SPEC("Zone 1", "\"a\"", "M30") "]}", 400);
  munit_assert_true(t_violation(&w.t, "replicationSpecs[0].numShards"));
  munit_assert_true(t_violation(&w.t, "replicationSpecs[1].numShards"));
  versions_expect(&w, MEDIA("2024-08-05"), "PATCH", "A", "{\"diskSizeGB\":\"a\"}", 400);
  t_close(&w.t);
}

#define SETTINGS(size, more) "\"providerSettings\":{\"providerName\":\"AWS\",\"instanceSizeName\":\"" size "\",\"regionName\":\"US_EAST_1\"" more "}"

TEST(cluster_versions, legacy)
{
  t_place w;
  const char *shown;
  t_place_open(&w, &versions_config, "alpha", NULL);
  versions_expect(&w, LEGACY, "POST", "", "{\"name\":\"L\",\"diskSizeGB\":40,\"providerBackupEnabled\":true," SETTINGS("M30", ",\"diskIOPS\":3000") "}", 201);
  munit_assert_string_equal(t_str(&w.t, "clusterType"), "REPLICASET");
  munit_assert_string_equal(t_str(&w.t, "diskSizeGB"), "40");
  munit_assert_int64(t_int(&w.t, "numShards"), ==, 1);
  munit_assert_int64(t_int(&w.t, "replicationFactor"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "providerSettings.instanceSizeName"), "M30");
  munit_assert_string_equal(t_str(&w.t, "providerSettings.regionName"), "US_EAST_1");
  munit_assert_int64(t_int(&w.t, "replicationSpec.US_EAST_1.electableNodes"), ==, 3);
  munit_assert_int64(t_int(&w.t, "replicationSpecs[0].regionsConfig.US_EAST_1.priority"), ==, 7);
  munit_assert_string_equal(t_str(&w.t, "providerBackupEnabled"), "true");
  versions_expect(&w, NEWEST, "GET", "L", NULL, 200);
  munit_assert_string_equal(t_str(&w.t, "replicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB"), "40");
  munit_assert_string_equal(t_str(&w.t, "backupEnabled"), "true");
  /* omitted fields stay */
  versions_expect(&w, LEGACY, "PATCH", "L", "{\"providerSettings\":{\"providerName\":\"AWS\",\"instanceSizeName\":\"M40\"}}", 200);
  munit_assert_string_equal(t_str(&w.t, "providerSettings.instanceSizeName"), "M40");
  munit_assert_string_equal(t_str(&w.t, "diskSizeGB"), "40");
  versions_expect(&w, LEGACY, "PATCH", "L", "{\"diskSizeGB\":80}", 200);
  munit_assert_string_equal(t_str(&w.t, "providerSettings.instanceSizeName"), "M40");
  munit_assert_string_equal(t_str(&w.t, "diskSizeGB"), "80");
  versions_expect(&w, LEGACY, "PATCH", "L", "{\"replicationFactor\":5}", 200);
  munit_assert_int64(t_int(&w.t, "replicationFactor"), ==, 5);
  munit_assert_string_equal(t_str(&w.t, "diskSizeGB"), "80");
  versions_expect(&w, LEGACY, "PATCH", "L", "{\"replicationSpecs\":[{\"numShards\":1,\"regionsConfig\":{\"US_EAST_1\":{\"electableNodes\":2,\"priority\":7},"
                                   "\"US_WEST_2\":{\"electableNodes\":1,\"priority\":6,\"readOnlyNodes\":1}}}]}", 200);
  munit_assert_int64(t_int(&w.t, "replicationSpecs[0].regionsConfig.US_WEST_2.readOnlyNodes"), ==, 1);
  munit_assert_int64(t_int(&w.t, "replicationFactor"), ==, 3);
  /* the shown body can be sent back, and a change of tags keeps the hardware */
  versions_expect(&w, LEGACY, "GET", "L", NULL, 200);
  shown = t_keep(&w.t, w.t.response.body);
  versions_expect(&w, LEGACY, "PATCH", "L", shown, 200);
  versions_expect(&w, LEGACY, "GET", "L", NULL, 200);
  munit_assert_string_equal(w.t.response.body, shown);
  versions_expect(&w, LEGACY, "PATCH", "L", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}", 200);
  munit_assert_int64(t_int(&w.t, "replicationSpecs[0].regionsConfig.US_EAST_1.electableNodes"), ==, 2);
  t_close(&w.t);
}

TEST(cluster_versions, legacy_shards)
{
  t_place w;
  t_place_open(&w, &versions_config, "alpha", NULL);
  versions_expect(&w, LEGACY, "POST", "", "{\"name\":\"S\",\"clusterType\":\"SHARDED\",\"numShards\":2," SETTINGS("M30", "") "}", 201);
  munit_assert_int64(t_int(&w.t, "numShards"), ==, 2);
  munit_assert_int64(t_int(&w.t, "replicationSpecs[0].numShards"), ==, 2);
  versions_expect(&w, LEGACY, "PATCH", "S", "{\"numShards\":3}", 200);
  munit_assert_int64(t_int(&w.t, "numShards"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "providerSettings.instanceSizeName"), "M30");
  versions_expect(&w, NEWEST, "GET", "S", NULL, 200);
  munit_assert_size(t_count(&w.t, "replicationSpecs"), ==, 3);
  /* two places have the settings of autoscaling */
  versions_expect(&w, LEGACY, "PATCH", "S", "{\"autoScaling\":{\"compute\":{\"enabled\":true,\"scaleDownEnabled\":true},\"diskGBEnabled\":true},"
                                   SETTINGS("M30", ",\"autoScaling\":{\"compute\":{\"maxInstanceSize\":\"M50\",\"minInstanceSize\":\"M30\"}}") "}", 200);
  munit_assert_string_equal(t_str(&w.t, "autoScaling.compute.enabled"), "true");
  munit_assert_string_equal(t_str(&w.t, "autoScaling.diskGBEnabled"), "true");
  munit_assert_string_equal(t_str(&w.t, "providerSettings.autoScaling.compute.maxInstanceSize"), "M50");
  t_close(&w.t);
}

TEST(cluster_versions, legacy_refused)
{
  t_place w;
  t_place_open(&w, &versions_config, "alpha", NULL);
  versions_expect(&w, LEGACY, "POST", "", "{\"name\":\"L\"}", 400);
  munit_assert_true(t_violation(&w.t, "providerSettings"));
  versions_expect(&w, LEGACY, "POST", "", "{\"name\":\"L\",\"numShards\":2," SETTINGS("M30", "") "}", 400);
  versions_expect(&w, LEGACY, "POST", "", "{\"name\":\"L\"," SETTINGS("M30", ",\"encryptEBSVolume\":false") "}", 400);
  versions_expect(&w, LEGACY, "POST", "", "{\"name\":\"L\"," SETTINGS("M9000", "") "}", 400);
  munit_assert_true(t_violation(&w.t, "providerSettings.instanceSizeName"));
  /* a cluster at several providers */
  versions_expect(&w, NEWEST, "POST", "", "{\"name\":\"M\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[" REGION("AWS", "US_EAST_1", "7", "M30")
                                 ",{\"providerName\":\"GCP\",\"regionName\":\"EASTERN_US\",\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":2}}]}]}", 201);
  versions_expect(&w, LEGACY, "GET", "M", NULL, 400);
  munit_assert_string_equal(t_error(&w.t), "ASYMMETRIC_SHARD_UNSUPPORTED");
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "several providers"));
  versions_expect(&w, LEGACY, "GET", "", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  versions_expect(&w, ZONES, "GET", "M", NULL, 200);
  munit_assert_size(t_count(&w.t, "replicationSpecs[0].regionConfigs"), ==, 2);
  t_close(&w.t);
}

/* A shared tier in the two older shapes. */
TEST(cluster_versions, tenant)
{
  t_place w;
  t_place_open(&w, &versions_config, "alpha", NULL);
  versions_expect(&w, LEGACY, "POST", "", "{\"name\":\"T\",\"providerSettings\":{\"providerName\":\"TENANT\",\"backingProviderName\":\"AWS\","
                                 "\"instanceSizeName\":\"M0\",\"regionName\":\"US_EAST_1\"}}", 201);
  munit_assert_string_equal(t_str(&w.t, "providerSettings.backingProviderName"), "AWS");
  versions_expect(&w, ZONES, "GET", "T", NULL, 200);
  munit_assert_string_equal(t_str(&w.t, "replicationSpecs[0].regionConfigs[0].electableSpecs.instanceSize"), "M0");
  munit_assert_int64(t_int(&w.t, "replicationSpecs[0].numShards"), ==, 1);
  versions_expect(&w, ZONES, "PATCH", "T", t_keep(&w.t, w.t.response.body), 200);
  versions_expect(&w, LEGACY, "PATCH", "T", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}", 200);
  t_close(&w.t);
}

/* A deleted cluster with remaining snapshots is listed in the shape of the requested version. */
TEST(cluster_versions, deleted)
{
  static const char *const versions[] = { LEGACY, ZONES };
  t_place w;
  size_t i;
  t_place_open(&w, &versions_config, "alpha", NULL);
  versions_expect(&w, ZONES, "POST", "", SHARDED("D", ",\"backupEnabled\":true,\"replicationSpecs\":[" SPEC("East", "1", "M30") "]"), 201);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"description\":\"a\",\"retentionInDays\":5}", "/groups/%s/clusters/D/backup/snapshots", w.group), ==, 202);
  t_advance(&w.t, 3600);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  versions_expect(&w, ZONES, "DELETE", "D?retainBackups=true", NULL, 202);
  for (i = 0; i < 2; i++) {
    versions_expect(&w, versions[i], "GET", "?includeDeletedWithRetainedBackups=true", NULL, 200);
    munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
    munit_assert_string_equal(t_str(&w.t, "results[0].name"), "D");
    munit_assert_int64(t_int(&w.t, "results[0].replicationSpecs[0].numShards"), ==, 1);
  }
  t_close(&w.t);
}

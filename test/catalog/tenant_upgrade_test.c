/*
** Upgrades of clusters on shared tiers, with requests and answers in the older shape of a cluster.
**
** Tests also: cluster, flex_cluster
*/
#include "needs.h"
#include "support.h"

#define NEED_UPGRADE "/groups/{groupId}/clusters/tenantUpgrade"
#define NEED_SHARED(name) "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":" \
  "\"TENANT\",\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M0\"}}]}]}"

T_NEEDS(tenant_upgrade) = {
  /* the cluster of the example is on a shared tier, and IDLE */
  T_FIRST(SVC_POST, NEED_UPGRADE, SVC_POST, "/groups/{groupId}/clusters", NEED_SHARED("Shared")),
  T_FIRST(SVC_POST, NEED_UPGRADE "ToServerless", SVC_POST, "/groups/{groupId}/clusters", NEED_SHARED("Free")),
  T_LATER(SVC_POST, NEED_UPGRADE "ToServerless"),
  T_NEEDS_END
};

#define SHARED(size) "{\"name\":\"S\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"TENANT\"," \
                     "\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"" size "\"}}]}]}"
#define TO(rest) "{\"name\":\"S\"," rest "}"
#define AWS(rest) "\"providerSettings\":{\"providerName\":\"AWS\",\"instanceSizeName\":\"M30\",\"regionName\":\"EU_WEST_1\"" rest "}"

static void upgrade_open(t_place *w, const char *body)
{
  const svc_config config = { .limiter_off = 1 };
  t_place_open(w, &config, "P1", body);
  t_advance(&w->t, 10);
}

static int upgrade_send(t_place *w, const char *body)
{
  return t_sendf(&w->t, "POST", body, "/groups/%s/clusters/tenantUpgrade", w->group);
}

static const char *upgrade_get(t_place *w, const char *field)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters/S", w->group), ==, 200);
  return t_str(&w->t, field);
}

#define R(n, rest) "replicationSpecs[0].regionConfigs[" #n "]." rest

TEST(tenant_upgrade, simple)
{
  t_place w;
  upgrade_open(&w, SHARED("M0"));
  if (upgrade_send(&w, TO(AWS(",\"volumeType\":\"STANDARD\",\"autoScaling\":{\"compute\":{\"maxInstanceSize\":\"M60\",\"minInstanceSize\":\"M10\"}}")
                          ",\"diskSizeGB\":40,\"replicationFactor\":5,\"providerBackupEnabled\":true,\"tags\":[{\"key\":\"a\",\"value\":\"b\"}],"
                          "\"autoScaling\":{\"compute\":{\"enabled\":true,\"scaleDownEnabled\":true},\"diskGBEnabled\":true}")) != 200)
    munit_error(w.t.response.body);
  munit_assert_string_equal(t_str(&w.t, "name"), "S"); /* the answer has the older shape, too */
  munit_assert_string_equal(t_str(&w.t, "stateName"), "UPDATING");
  munit_assert_string_equal(t_str(&w.t, "providerSettings.providerName"), "TENANT"); /* and still the shared tier */
  munit_assert_string_equal(t_str(&w.t, "providerSettings.instanceSizeName"), "M0");
  munit_assert_string_equal(t_str(&w.t, "providerSettings.effectiveInstanceSizeName"), "M0");
  munit_assert_string_equal(t_str(&w.t, "numShards"), "1");
  munit_assert_string_equal(t_str(&w.t, "replicationFactor"), "3");
  munit_assert_string_equal(t_str(&w.t, "autoScaling.diskGBEnabled"), "false");
  munit_assert_string_equal(t_str(&w.t, "providerBackupEnabled"), "false");
  munit_assert_null(strstr(t_str(&w.t, "dbURI"), "/?"));
  munit_assert_not_null(strstr(t_str(&w.t, "srvAddress"), "db+srv://"));
  munit_assert_not_null(strstr(t_link(&w.t, "self"), "/clusters/S"));
  munit_assert_string_equal(upgrade_get(&w, R(0, "providerName")), "AWS");
  munit_assert_string_equal(upgrade_get(&w, R(0, "electableSpecs.nodeCount")), "5");
  munit_assert_string_equal(upgrade_get(&w, R(0, "electableSpecs.diskSizeGB")), "40");
  munit_assert_string_equal(upgrade_get(&w, R(0, "autoScaling.compute.maxInstanceSize")), "M60");
  munit_assert_string_equal(upgrade_get(&w, R(0, "autoScaling.diskGB.enabled")), "true");
  munit_assert_string_equal(upgrade_get(&w, "backupEnabled"), "true");
  munit_assert_string_equal(upgrade_get(&w, "tags[0].value"), "b");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?clusterNames=S&itemsPerPage=1", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].eventTypeName"), "CLUSTER_UPDATE_STARTED");
  t_advance(&w.t, 5);
  munit_assert_string_equal(upgrade_get(&w, "stateName"), "IDLE");
  munit_assert_int(upgrade_send(&w, TO(AWS(""))), ==, 400); /* no longer on a shared tier */
  munit_assert_true(t_violation(&w.t, "name"));
  t_close(&w.t);
}

/* Several regions and shards, in both of the older shapes; and a larger shared tier. */
TEST(tenant_upgrade, shapes)
{
  t_place w;
  upgrade_open(&w, SHARED("M0"));
  if (upgrade_send(&w, TO(AWS("") ",\"clusterType\":\"SHARDED\",\"replicationSpecs\":[{\"numShards\":2,\"zoneName\":\"Z\",\"regionsConfig\":{"
                          "\"EU_WEST_1\":{\"electableNodes\":2,\"priority\":7},\"US_EAST_1\":{\"electableNodes\":1,\"priority\":6,\"readOnlyNodes\":1}}}]")) != 200)
    munit_error(w.t.response.body);
  munit_assert_string_equal(upgrade_get(&w, "replicationSpecs[1].zoneName"), "Z");
  munit_assert_string_equal(upgrade_get(&w, "replicationSpecs[1].regionConfigs[1].readOnlySpecs.nodeCount"), "1");
  t_close(&w.t);
  upgrade_open(&w, SHARED("M0"));
  if (upgrade_send(&w, TO("\"providerSettings\":{\"providerName\":\"GCP\",\"instanceSizeName\":\"M10\"},\"replicationSpec\":{\"WESTERN_US\":"
                          "{\"electableNodes\":3,\"priority\":7,\"analyticsNodes\":1}}")) != 200)
    munit_error(w.t.response.body);
  munit_assert_string_equal(upgrade_get(&w, R(0, "regionName")), "WESTERN_US");
  munit_assert_string_equal(upgrade_get(&w, R(0, "analyticsSpecs.instanceSize")), "M10");
  t_close(&w.t);
  upgrade_open(&w, SHARED("M0"));
  munit_assert_int(upgrade_send(&w, TO("\"providerSettings\":{\"providerName\":\"TENANT\",\"backingProviderName\":\"AWS\",\"instanceSizeName\":\"M5\","
                                       "\"regionName\":\"US_EAST_1\"}")), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "providerSettings.backingProviderName"), "AWS");
  munit_assert_string_equal(upgrade_get(&w, R(0, "electableSpecs.instanceSize")), "M5");
  munit_assert_string_equal(upgrade_get(&w, R(0, "electableSpecs.diskSizeGB")), "5");
  /* a smaller tier has a smaller disk */
  munit_assert_int(t_sendf(&w.t, "PATCH", SHARED("M0"), "/groups/%s/clusters/S", w.group), ==, 500);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_DECREASE_DISK_SIZE");
  t_close(&w.t);
}

/* Shards of one region, autoscaling in the settings alone, and fields given twice. */
TEST(tenant_upgrade, ways)
{
  static const struct {
    const char *body, *field, *value;
  } rows[] = {
    { TO(AWS("") ",\"clusterType\":\"SHARDED\",\"numShards\":2,\"replicationSpecs\":[]"), "replicationSpecs[1].regionConfigs[0].regionName", "EU_WEST_1" },
    { TO(AWS("") ",\"replicationSpecs\":[{\"numShards\":1,\"regionsConfig\":{\"US_EAST_1\":{\"electableNodes\":3,\"priority\":7}}}]"), R(0, "regionName"), "US_EAST_1" },
    { TO("\"providerSettings\":{\"providerName\":\"AWS\",\"instanceSizeName\":\"M30\"},\"replicationSpecs\":[{\"numShards\":1,\"regionsConfig\":{"
         /* a region only in replicationSpecs */
         "\"US_WEST_2\":{\"electableNodes\":3,\"priority\":7}}}]"), R(0, "regionName"), "US_WEST_2" },
    { TO(AWS(",\"autoScaling\":{\"compute\":{\"maxInstanceSize\":\"M60\",\"minInstanceSize\":\"M10\"}}")), R(0, "autoScaling.compute.maxInstanceSize"), "M60" },
    { TO(AWS("") ",\"autoScaling\":{\"diskGBEnabled\":false}"), R(0, "autoScaling.diskGB.enabled"), "false" },
    { TO(AWS("") ",\"backupEnabled\":false,\"providerBackupEnabled\":true"), "backupEnabled", "false" },
    { TO("\"providerSettings\":{\"providerName\":\"AZURE\",\"instanceSizeName\":\"M10\",\"regionName\":\"US_EAST_2\"}"), R(0, "electableSpecs.nodeCount"), "3" },
  };
  t_place w;
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    upgrade_open(&w, SHARED("M0"));
    if (upgrade_send(&w, rows[i].body) != 200) munit_errorf("%s: %s", rows[i].body, w.t.response.body);
    munit_assert_string_equal(upgrade_get(&w, rows[i].field), rows[i].value);
    t_close(&w.t);
  }
}

/* The daily backups of a shared tier end with the upgrade. The cluster's zone gets the default name. */
TEST(tenant_upgrade, left_behind)
{
  t_place w;
  upgrade_open(&w, "{\"name\":\"S\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"zoneName\":\"Mine\",\"regionConfigs\":[{\"providerName\":"
                   "\"TENANT\",\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M5\"}}]}]}");
  munit_assert_string_equal(upgrade_get(&w, "backupEnabled"), "true");
  if (upgrade_send(&w, TO(AWS(""))) != 200) munit_error(w.t.response.body);
  munit_assert_string_equal(t_str(&w.t, "backupEnabled"), "false"); /* the older shape shows the backups of a shared tier in its settings */
  munit_assert_string_equal(t_str(&w.t, "providerBackupEnabled"), "false");
  munit_assert_string_equal(t_str(&w.t, "providerSettings.tenantBackupEnabled"), "true");
  munit_assert_int((int)strlen(t_str(&w.t, "providerSettings.nextBackupDate")), ==, 20);
  munit_assert_string_equal(t_str(&w.t, "diskSizeGB"), "5");
  munit_assert_string_equal(t_str(&w.t, "replicationSpecs[0].zoneName"), "Mine");
  munit_assert_string_equal(t_str(&w.t, "autoScaling.compute.predictiveEnabled"), "false");
  munit_assert_string_equal(upgrade_get(&w, "backupEnabled"), "false");
  munit_assert_string_equal(upgrade_get(&w, "replicationSpecs[0].zoneName"), "Zone 1");
  t_close(&w.t);
  upgrade_open(&w, SHARED("M0"));
  munit_assert_int(upgrade_send(&w, TO(AWS(""))), ==, 200);
  munit_assert_null(t_node(&w.t, "providerSettings.tenantBackupEnabled")); /* a free tier has no backups */
  munit_assert_null(t_node(&w.t, "providerSettings.nextBackupDate"));
  munit_assert_string_equal(t_str(&w.t, "diskSizeGB"), "0.5");
  t_close(&w.t);
}

#define FLEX(settings, rest) TO("\"providerSettings\":{\"providerName\":\"FLEX\"" settings "}" rest)

/* A shared tier of any size is upgraded to a flex cluster: the answer shows the old shape, and the name belongs to the flex
** cluster at once. */
TEST(tenant_upgrade, flex)
{
  static const char *const sizes[] = { SHARED("M0"), SHARED("M5"), SHARED("M5") };
  static const char *const bodies[] = {
    FLEX(",\"instanceSizeName\":\"FLEX\",\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"", ""),
    FLEX("", ",\"clusterType\":\"REPLICASET\",\"terminationProtectionEnabled\":true"),
    FLEX(",\"instanceSizeName\":\"FLEX\",\"regionName\":\"US_EAST_1\"", ",\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]")
  };
  t_place w;
  char id[25];
  size_t i;
  for (i = 0; i < 3; i++) {
    upgrade_open(&w, sizes[i]);
    snprintf(id, sizeof id, "%s", upgrade_get(&w, "id"));
    if (upgrade_send(&w, bodies[i]) != 200) munit_error(w.t.response.body);
    munit_assert_string_equal(t_str(&w.t, "id"), id);
    munit_assert_string_equal(t_str(&w.t, "stateName"), "UPDATING");
    munit_assert_string_equal(t_str(&w.t, "providerSettings.providerName"), "TENANT");
    munit_assert_not_null(strstr(t_link(&w.t, "self"), "/flexClusters/S"));
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/flexClusters/S", w.group), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "id"), id);
    munit_assert_string_equal(t_str(&w.t, "stateName"), "CREATING");
    munit_assert_string_equal(t_str(&w.t, "providerSettings.regionName"), "US_EAST_1");
    munit_assert_string_equal(t_str(&w.t, "providerSettings.backingProviderName"), "AWS");
    munit_assert_string_equal(t_str(&w.t, "terminationProtectionEnabled"), i == 1 ? "true" : "false");
    if (i == 2) munit_assert_string_equal(t_str(&w.t, "tags[0].value"), "b");
    t_advance(&w.t, 10);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/flexClusters/S", w.group), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "stateName"), "IDLE");
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/S", w.group), ==, 400);
    munit_assert_string_equal(t_error(&w.t), "CANNOT_USE_FLEX_CLUSTER_IN_CLUSTER_API");
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?clusterNames=S&itemsPerPage=5", w.group), ==, 200);
    munit_assert_not_null(strstr(w.t.response.body, "CLUSTER_UPDATE_STARTED"));
    t_close(&w.t);
  }
}

TEST(tenant_upgrade, flex_refused)
{
  static const struct {
    const char *body, *code, *field;
  } rows[] = {
    { FLEX("", ",\"diskSizeGB\":10"), "INVALID_ATTRIBUTE", "diskSizeGB" },
    { FLEX("", ",\"numShards\":1"), "INVALID_ATTRIBUTE", "numShards" },
    { FLEX("", ",\"clusterType\":\"SHARDED\""), "INVALID_ATTRIBUTE", "clusterType" },
    { FLEX("", ",\"providerBackupEnabled\":true"), "INVALID_ATTRIBUTE", "providerBackupEnabled" },
    { FLEX(",\"instanceSizeName\":\"M10\"", ""), "INVALID_ENUM_VALUE", "providerSettings.instanceSizeName" },
    { FLEX(",\"regionName\":\"NOWHERE\"", ""), "INVALID_ENUM_VALUE", "providerSettings.regionName" },
    /* the provider has no region of that name */
    { FLEX(",\"backingProviderName\":\"GCP\"", ""), "INVALID_REGION", "providerSettings.regionName" },
  };
  t_place w;
  size_t i;
  upgrade_open(&w, SHARED("M0"));
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (upgrade_send(&w, rows[i].body) != 400 || strcmp(t_error(&w.t), rows[i].code) != 0 || !t_violation(&w.t, rows[i].field))
      munit_errorf("%s: %d %s", rows[i].body, w.t.response.status, w.t.response.body);
    munit_assert_string_equal(upgrade_get(&w, "stateName"), "IDLE"); /* unchanged */
  }
  munit_assert_int(upgrade_send(&w, TO(AWS(""))), ==, 200);
  munit_assert_int(upgrade_send(&w, FLEX("", "")), ==, 400); /* no longer on a shared tier */
  munit_assert_true(t_violation(&w.t, "name"));
  t_close(&w.t);
}

/* A cluster in deletion cannot be upgraded. */
TEST(tenant_upgrade, gone)
{
  t_place w;
  upgrade_open(&w, SHARED("M0"));
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/S", w.group), ==, 202);
  munit_assert_int(upgrade_send(&w, TO(AWS(""))), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_ALREADY_REQUESTED_DELETION");
  t_close(&w.t);
}

TEST(tenant_upgrade, refused)
{
  static const struct {
    const char *body, *code, *field;
  } rows[] = {
    { "{" AWS("") "}", "MISSING_ATTRIBUTE", "name" },
    { TO("\"diskSizeGB\":10"), "MISSING_ATTRIBUTE", "providerSettings" },
    { TO("\"providerSettings\":{\"providerName\":\"AWS\",\"regionName\":\"EU_WEST_1\"}"), "MISSING_ATTRIBUTE", "providerSettings.instanceSizeName" },
    { TO("\"providerSettings\":{\"providerName\":\"AWS\",\"instanceSizeName\":\"M10\"}"), "MISSING_ATTRIBUTE", "providerSettings.regionName" },
    { TO(AWS("") ",\"numShards\":2"), "CLUSTER_NUM_SHARDS_INVALID", "numShards" },
    { TO(AWS("") ",\"clusterType\":\"REPLICASET\",\"numShards\":2"), "CLUSTER_NUM_SHARDS_INVALID", "numShards" },
    { TO("\"providerSettings\":{\"providerName\":\"AWS\",\"instanceSizeName\":\"M10\"},\"replicationSpecs\":[]"), "MISSING_ATTRIBUTE", "providerSettings.regionName" },
    { TO(AWS("") ",\"deleteAfterCreationHours\":2"), "INVALID_ATTRIBUTE", "deleteAfterCreationHours" },
    { TO(AWS("") ",\"dbVersion\":\"8.0.1\""), "INVALID_ATTRIBUTE", "dbVersion" },
    { TO(AWS(",\"encryptEBSVolume\":false")), "INVALID_ATTRIBUTE", "providerSettings.encryptEBSVolume" },
    { TO("\"providerSettings\":{\"providerName\":\"AZURE\",\"instanceSizeName\":\"M10\",\"regionName\":\"US_EAST\",\"diskTypeName\":\"P4\"}"),
      "INVALID_ATTRIBUTE", "providerSettings.diskTypeName" },
    { TO(AWS("") ",\"replicationFactor\":4"), "INVALID_ENUM_VALUE", "replicationFactor" },
    { TO(AWS("") ",\"diskSizeGB\":4000"), "CLUSTER_DISK_SIZE_INVALID", R(0, "electableSpecs.diskSizeGB") },
    { TO(AWS("") ",\"diskSizeGB\":5"), "CLUSTER_DISK_SIZE_INVALID", R(0, "electableSpecs.diskSizeGB") },
  };
  t_place w;
  size_t i;
  upgrade_open(&w, SHARED("M0"));
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (upgrade_send(&w, rows[i].body) != 400 || strcmp(t_error(&w.t), rows[i].code) != 0 || !t_violation(&w.t, rows[i].field))
      munit_errorf("%s: %d %s", rows[i].body, w.t.response.status, w.t.response.body);
  munit_assert_int(upgrade_send(&w, "{\"name\":\"None\"," AWS("") "}"), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_NOT_FOUND");
  munit_assert_string_equal(upgrade_get(&w, "stateName"), "IDLE");
  munit_assert_string_equal(upgrade_get(&w, R(0, "providerName")), "TENANT");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/tenantUpgrade", w.group), ==, 404); /* read as a cluster's name */
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_NOT_FOUND");
  t_close(&w.t);
}

#define SERVERLESS(name, rest) "{\"name\":\"" name "\",\"providerSettings\":{\"backingProviderName\":\"AWS\"," \
                               "\"providerName\":\"SERVERLESS\",\"regionName\":\"US_EAST_1\"}" rest "}"

static int serverless_send(t_place *w, const char *body)
{
  return t_sendf(&w->t, "POST", body, "/groups/%s/clusters/tenantUpgradeToServerless", w->group);
}

/* The free cluster becomes a flex cluster of the same name and id, shown in the older shape. The operation's sunset is only announced. */
TEST(tenant_upgrade, serverless)
{
  t_place w;
  char id[25];
  upgrade_open(&w, SHARED("M0"));
  snprintf(id, sizeof id, "%s", upgrade_get(&w, "id"));
  if (serverless_send(&w, SERVERLESS("S", ",\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]")) != 200) munit_error(w.t.response.body);
  munit_assert_string_equal(t_get_header(&w.t, "Sunset"), "Wed, 05 Feb 2025 00:00:00 GMT");
  munit_assert_string_equal(t_str(&w.t, "id"), id);
  munit_assert_string_equal(t_str(&w.t, "providerSettings.providerName"), "SERVERLESS");
  munit_assert_string_equal(t_str(&w.t, "providerSettings.effectiveProviderName"), "FLEX");
  munit_assert_string_equal(t_str(&w.t, "serverlessBackupOptions.serverlessContinuousBackupEnabled"), "false");
  munit_assert_string_equal(t_str(&w.t, "tags[0].key"), "a");
  munit_assert_not_null(strstr(t_str(&w.t, "connectionStrings.standardSrv"), "db+srv://"));
  t_advance(&w.t, 10);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/flexClusters/S", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "id"), id);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "IDLE");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  t_close(&w.t);
}

TEST(tenant_upgrade, serverless_refused)
{
  static const struct {
    const char *body, *error;
    int status;
  } rows[] = {
    { SERVERLESS("Nosuch", ""), "CLUSTER_NOT_FOUND", 404 },
    { "{\"name\":\"S\"}", "MISSING_ATTRIBUTE", 400 },
    { SERVERLESS("S", ",\"nosuchField\":1"), "INVALID_ATTRIBUTE", 400 },
    { SERVERLESS("S", ",\"serverlessBackupOptions\":{\"serverlessContinuousBackupEnabled\":true}"), "INVALID_ATTRIBUTE", 400 },
    { "{\"name\":\"S\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"NOWHERE\"}}", "INVALID_REGION", 400 },
    { SERVERLESS("D", ""), "INVALID_ATTRIBUTE", 400 }
  };
  t_place w;
  size_t i;
  upgrade_open(&w, SHARED("M0"));
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"D\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{"
                           "\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\","
                           "\"nodeCount\":3}}]}]}", "/groups/%s/clusters", w.group), ==, 201);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (serverless_send(&w, rows[i].body) != rows[i].status || strcmp(t_error(&w.t), rows[i].error) != 0)
      munit_errorf("%zu: %s", i, w.t.response.body);
    munit_assert_string_equal(upgrade_get(&w, "stateName"), "IDLE"); /* unchanged */
  }
  t_close(&w.t);
}

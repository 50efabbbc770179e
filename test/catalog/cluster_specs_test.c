/*
** The rules of replication specs that concern several fields. A request that breaks a rule is refused, and nothing is changed. Nearly all
** of these errors have status 400 and name a field.
*/
#include "damaged.h"

static const char *const specs_regions[] = { "US_WEST_1", "US_WEST_2", "EU_WEST_1", "EU_WEST_2", "EU_WEST_3", "SA_EAST_1", NULL };

static void specs_open(t_place *w)
{
  const svc_config config = { .limiter_off = 1 };
  t_place_open(w, &config, "P1", NULL);
}

static int specs_make(t_place *w, const char *type, const char *specs)
{
  static char body[65536];
  munit_assert_int(snprintf(body, sizeof body, "{\"name\":\"C\",\"clusterType\":\"%s\",\"replicationSpecs\":[%s]}", type, specs), <,
                   (int)sizeof body);
  return t_sendf(&w->t, "POST", body, "/groups/%s/clusters", w->group);
}

static int specs_patch(t_place *w, const char *body)
{
  return t_sendf(&w->t, "PATCH", body, "/groups/%s/clusters/C", w->group);
}

/* Deletes the cluster, so that its name is free again. */
static void specs_gone(t_place *w)
{
  munit_assert_int(t_sendf(&w->t, "DELETE", NULL, "/groups/%s/clusters/C", w->group), ==, 202);
  t_advance(&w->t, 3600);
}

#define REGIONS(list) "{\"regionConfigs\":[" list "]}"
#define IN(provider, region, rest) "{\"providerName\":\"" provider "\",\"regionName\":\"" region "\"" rest "}"
#define AWS(region, rest) IN("AWS", region, rest)
#define NODES(size, rest) ",\"electableSpecs\":{\"instanceSize\":\"" size "\"" rest "}"
#define COUNT(n) ",\"nodeCount\":" #n
#define PRIORITY(n) ",\"priority\":" #n
#define COMPUTE(rest) ",\"autoScaling\":{\"compute\":{\"enabled\":true" rest "}}"
#define LEAST(size) ",\"minInstanceSize\":\"" size "\""
#define MOST(size) ",\"maxInstanceSize\":\"" size "\""
#define DISK(size) ",\"diskSizeGB\":" size
#define SHARE(size, rest) "{\"providerName\":\"TENANT\",\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"" NODES(size, rest) "}"
#define R(n) "replicationSpecs[0].regionConfigs[" #n "]"

static const struct {
  const char *specs, *code, *field;
} specs_bad[] = {
  /* electable nodes: 3, 5 or 7 in all */
  { REGIONS(AWS("US_EAST_1", NODES("M10", COUNT(1)))), "REPLICATION_SPECS_INVALID", "replicationSpecs[0].regionConfigs" },
  { REGIONS(AWS("US_EAST_1", NODES("M10", COUNT(4)))), "REPLICATION_SPECS_INVALID", "replicationSpecs[0].regionConfigs" },
  { REGIONS(AWS("US_EAST_1", NODES("M10", COUNT(3))) "," AWS("US_WEST_1", NODES("M10", COUNT(3)))), "REPLICATION_SPECS_INVALID",
    "replicationSpecs[0].regionConfigs" },
  { REGIONS(AWS("US_EAST_1", NODES("M10", COUNT(2))) "," AWS("US_EAST_2", NODES("M10", COUNT(1))) "," AWS("US_WEST_1", NODES("M10", COUNT(1))) ","
            AWS("US_WEST_2", NODES("M10", COUNT(1))) "," AWS("EU_WEST_1", NODES("M10", COUNT(1))) "," AWS("EU_WEST_2", NODES("M10", COUNT(1))) ","
            AWS("EU_WEST_3", NODES("M10", COUNT(1))) "," AWS("SA_EAST_1", NODES("M10", COUNT(1)))), /* only seven priorities exist */
    "REPLICATION_SPECS_INVALID", "replicationSpecs[0].regionConfigs" },
  /* priorities: from 7 downwards, each once; 0 exactly for regions without electable nodes */
  { REGIONS(AWS("US_EAST_1", PRIORITY(6) NODES("M10", ""))), "REPLICATION_SPECS_INVALID", R(0) ".priority" },
  { REGIONS(AWS("US_EAST_1", PRIORITY(0) NODES("M10", ""))), "REPLICATION_SPECS_INVALID", R(0) ".priority" },
  { REGIONS(AWS("US_EAST_1", PRIORITY(7) NODES("M10", COUNT(2))) "," AWS("US_WEST_1", PRIORITY(7) NODES("M10", COUNT(1)))),
    "REPLICATION_SPECS_INVALID", R(1) ".priority" },
  { REGIONS(AWS("US_EAST_1", PRIORITY(7) NODES("M10", COUNT(2))) "," AWS("US_WEST_1", PRIORITY(5) NODES("M10", COUNT(1)))),
    "REPLICATION_SPECS_INVALID", R(1) ".priority" },
  { REGIONS(AWS("US_EAST_1", NODES("M10", "")) ","
            AWS("US_WEST_1", PRIORITY(6) ",\"readOnlySpecs\":{\"nodeCount\":1,\"instanceSize\":\"M10\"}")),
    "REPLICATION_SPECS_INVALID", R(1) ".priority" },
  /* each region once */
  { REGIONS(AWS("US_EAST_1", NODES("M10", COUNT(2))) "," AWS("US_EAST_1", NODES("M10", COUNT(1)))), "REPLICATION_SPECS_INVALID",
    R(1) ".regionName" },
  /* autoscaling */
  { REGIONS(AWS("US_EAST_1", NODES("M30", "") COMPUTE(MOST("M20")))), "INVALID_CLUSTER_CONFIGURATION",
    R(0) ".autoScaling.compute.maxInstanceSize" },
  { REGIONS(AWS("US_EAST_1", NODES("M30", "") COMPUTE(MOST("R40")))), "INVALID_CLUSTER_CONFIGURATION",
    R(0) ".autoScaling.compute.maxInstanceSize" },
  { REGIONS(AWS("US_EAST_1", NODES("M30", "") COMPUTE(MOST("M90")))), "INVALID_ENUM_VALUE", R(0) ".autoScaling.compute.maxInstanceSize" },
  { REGIONS(AWS("US_EAST_1", NODES("M30", "") COMPUTE(LEAST("M40") MOST("M60")))), "INVALID_CLUSTER_CONFIGURATION",
    R(0) ".autoScaling.compute.minInstanceSize" },
  { REGIONS(AWS("US_EAST_1", NODES("M30", "") ",\"autoScaling\":{\"compute\":{\"minInstanceSize\":\"M60\",\"maxInstanceSize\":\"M40\"}}")),
    "INVALID_CLUSTER_CONFIGURATION", R(0) ".autoScaling.compute.minInstanceSize" },
  { REGIONS(AWS("US_EAST_1", NODES("M30", "") COMPUTE(MOST("M60") ",\"scaleDownEnabled\":true"))), "MISSING_ATTRIBUTE",
    R(0) ".autoScaling.compute.minInstanceSize" },
  { REGIONS(AWS("US_EAST_1", NODES("M30", "") ",\"analyticsSpecs\":{\"nodeCount\":1,\"instanceSize\":\"M50\"},"
                             "\"analyticsAutoScaling\":{\"compute\":{\"enabled\":true,\"maxInstanceSize\":\"M40\"}}")),
    "INVALID_CLUSTER_CONFIGURATION", R(0) ".analyticsAutoScaling.compute.maxInstanceSize" },
  { REGIONS(IN("AZURE", "US_EAST", NODES("M30", "") COMPUTE(MOST("M300")))), "INVALID_ENUM_VALUE", R(0) ".autoScaling.compute.maxInstanceSize" },
  { REGIONS(IN("GCP", "WESTERN_US", NODES("M30", "") COMPUTE(LEAST("M10") MOST("M700")))), "INVALID_ENUM_VALUE", R(0) ".autoScaling.compute.maxInstanceSize" },
  /* disks, by the size of the instance */
  { REGIONS(AWS("US_EAST_1", NODES("M10", DISK("128.1")))), "CLUSTER_DISK_SIZE_INVALID", R(0) ".electableSpecs.diskSizeGB" },
  { REGIONS(AWS("US_EAST_1", NODES("M10", DISK("9")))), "CLUSTER_DISK_SIZE_INVALID", R(0) ".electableSpecs.diskSizeGB" },
  { REGIONS(IN("AZURE", "US_EAST", NODES("M30", DISK("513")))), "CLUSTER_DISK_SIZE_INVALID", R(0) ".electableSpecs.diskSizeGB" },
  { REGIONS(IN("GCP", "WESTERN_US", NODES("M400", DISK("4097")))), "CLUSTER_DISK_SIZE_INVALID", R(0) ".electableSpecs.diskSizeGB" },
  { REGIONS(AWS("US_EAST_1", NODES("M50", DISK("200")) ",\"readOnlySpecs\":{\"nodeCount\":1,\"instanceSize\":\"M10\"}")),
    "CLUSTER_DISK_SIZE_INVALID", R(0) ".readOnlySpecs.diskSizeGB" },
  { REGIONS("{\"providerName\":\"TENANT\",\"backingProviderName\":\"AZURE\",\"regionName\":\"US_EAST_1\"" NODES("M0", "") "}"), "INVALID_ENUM_VALUE", R(0) ".regionName" },
  { REGIONS("{\"providerName\":\"TENANT\",\"backingProviderName\":\"GCP\",\"regionName\":\"US_EAST_1\"" NODES("M0", "") "}"), "INVALID_ENUM_VALUE", R(0) ".regionName" },
  { REGIONS(SHARE("M0", "") "," AWS("US_WEST_1", NODES("M10", COUNT(1)))), "INVALID_CLUSTER_CONFIGURATION", "replicationSpecs" },
  { REGIONS(SHARE("M0", "")) "," REGIONS(SHARE("M0", "")), "INVALID_CLUSTER_CONFIGURATION", "replicationSpecs" },
  { REGIONS(IN("AZURE", "US_EAST", NODES("M300", ""))), "INVALID_ENUM_VALUE", R(0) ".electableSpecs.instanceSize" },
  { REGIONS(IN("GCP", "WESTERN_US", NODES("M700", ""))), "INVALID_ENUM_VALUE", R(0) ".electableSpecs.instanceSize" },
  { REGIONS(AWS("US_EAST_1", NODES("R40", "") COMPUTE(LEAST("M40") MOST("R60")))), "INVALID_CLUSTER_CONFIGURATION", R(0) ".autoScaling.compute.minInstanceSize" },
  { REGIONS(SHARE("M0", DISK("5"))), "CLUSTER_DISK_SIZE_INVALID", R(0) ".electableSpecs.diskSizeGB" },
};

TEST(cluster_specs, refused)
{
  t_place w;
  size_t i;
  specs_open(&w);
  for (i = 0; i < sizeof specs_bad / sizeof specs_bad[0]; i++) {
    int status = specs_make(&w, "REPLICASET", specs_bad[i].specs);
    if (status != 400 || strcmp(t_error(&w.t), specs_bad[i].code) != 0 || !t_violation(&w.t, specs_bad[i].field))
      munit_errorf("%s: %d %s", specs_bad[i].specs, status, w.t.response.body);
  }
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  t_close(&w.t);
}

static const char *const specs_good[] = {
  REGIONS(AWS("US_EAST_1", NODES("M10", COUNT(5) DISK("128")))),
  REGIONS(AWS("US_EAST_1", PRIORITY(6) NODES("M10", COUNT(2))) "," IN("GCP", "WESTERN_US", PRIORITY(7) NODES("M10", COUNT(3))) ","
          IN("AZURE", "US_EAST_2", PRIORITY(5) NODES("M10", COUNT(2)))), /* priorities in any order */
  /* two providers have a region of this name */
  REGIONS(AWS("US_EAST_2", NODES("M10", COUNT(2))) "," IN("AZURE", "US_EAST_2", NODES("M10", COUNT(1)))),
  REGIONS(AWS("US_EAST_1", NODES("M30", "") COMPUTE(LEAST("M10") MOST("M60") ",\"scaleDownEnabled\":true"))),
  REGIONS(AWS("US_EAST_1", NODES("R40", DISK("1024")) COMPUTE(LEAST("R40") MOST("R40")))),
  REGIONS(AWS("US_EAST_1", NODES("M30", "") ",\"autoScaling\":{\"compute\":{\"minInstanceSize\":\"M40\"}}")), /* autoscaling is off */
  REGIONS(IN("AZURE", "US_EAST", NODES("M30", "") COMPUTE(LEAST("M10") MOST("M60")))),
  REGIONS(IN("GCP", "WESTERN_US", NODES("M30", "") COMPUTE(LEAST("M10") MOST("M250")))),
  REGIONS(SHARE("M5", DISK("5"))),
};

TEST(cluster_specs, taken)
{
  t_place w;
  size_t i;
  specs_open(&w);
  for (i = 0; i < sizeof specs_good / sizeof specs_good[0]; i++) {
    if (specs_make(&w, "REPLICASET", specs_good[i]) != 201) munit_errorf("%s: %s", specs_good[i], w.t.response.body);
    specs_gone(&w);
  }
  munit_assert_int(specs_make(&w, "REPLICASET", REGIONS(AWS("US_EAST_1", NODES("M10", COUNT(2))) ","
                                                        AWS("US_WEST_1", ",\"readOnlySpecs\":{\"nodeCount\":1,\"instanceSize\":\"M10\"}") ","
                                                        AWS("US_WEST_2", NODES("M10", COUNT(1))))), ==, 201);
  munit_assert_int64(t_int(&w.t, R(0) ".priority"), ==, 7);
  munit_assert_int64(t_int(&w.t, R(1) ".priority"), ==, 6); /* regions are sorted by priority */
  munit_assert_int64(t_int(&w.t, R(2) ".priority"), ==, 0); /* no electable nodes: no priority */
  specs_gone(&w);
  munit_assert_int(specs_make(&w, "REPLICASET", REGIONS(SHARE("M0", ""))), ==, 201);
  munit_assert_string_equal(t_str(&w.t, R(0) ".electableSpecs.diskSizeGB"), "0.5");
  t_close(&w.t);
}

/* A replica set has one shard, and a sharded cluster at most 50. The size of its body is limited. */
TEST(cluster_specs, shards)
{
  static char specs[65536], one[2048];
  t_place w;
  size_t n = 0;
  int i;
  specs_open(&w);
  munit_assert_int(specs_make(&w, "REPLICASET", REGIONS(AWS("US_EAST_1", NODES("M30", ""))) "," REGIONS(AWS("US_EAST_1", NODES("M30", "")))), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "REPLICATION_SPECS_INVALID");
  munit_assert_true(t_violation(&w.t, "replicationSpecs"));
  for (i = 0; i < 51; i++)
    n += (size_t)snprintf(specs + n, sizeof specs - n, "%s%s", i ? "," : "", REGIONS(AWS("US_EAST_1", NODES("M30", ""))));
  munit_assert_int(specs_make(&w, "SHARDED", specs), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_NUM_SHARDS_INVALID");
  munit_assert_true(t_violation(&w.t, "replicationSpecs"));
  specs[n - strlen("," REGIONS(AWS("US_EAST_1", NODES("M30", ""))))] = 0;
  munit_assert_int(specs_make(&w, "SHARDED", specs), ==, 201);
  munit_assert_size(w.t.response.body_length, <, 131072);
  specs_gone(&w);

  snprintf(one, sizeof one, "{\"regionConfigs\":[%s", AWS("US_EAST_1", NODES("M30", "")));
  for (i = 0; specs_regions[i]; i++)
    snprintf(one + strlen(one), sizeof one - strlen(one), ",{\"providerName\":\"AWS\",\"regionName\":\"%s\",\"readOnlySpecs\":"
             "{\"nodeCount\":1,\"instanceSize\":\"M30\"}}", specs_regions[i]);
  snprintf(one + strlen(one), sizeof one - strlen(one), "]}");
  for (i = 0, n = 0; i < 30; i++) n += (size_t)snprintf(specs + n, sizeof specs - n, "%s%s", i ? "," : "", one);
  munit_assert_int(specs_make(&w, "SHARDED", specs), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_CLUSTER_CONFIGURATION");
  munit_assert_true(t_violation(&w.t, "replicationSpecs"));
  t_close(&w.t);
}

#define SPECS(list) "\"replicationSpecs\":[" list "]"
#define PLAIN REGIONS(AWS("US_EAST_1", NODES("M30", "")))

/* Allowed and forbidden changes of a cluster. */
TEST(cluster_specs, changes)
{
  static const struct {
    const char *body, *code, *field;
  } rows[] = {
    { "{\"clusterType\":\"SHARDED\"}", "INVALID_CLUSTER_CONFIGURATION", "clusterType" },
    { "{\"clusterType\":\"REPLICASET\"," SPECS(PLAIN "," PLAIN) "}", "SHARDED_CLUSTER_CANT_BECOME_REPLICA_SET", NULL },
    { "{" SPECS(REGIONS(SHARE("M0", ""))) "}", "INVALID_CLUSTER_CONFIGURATION", "replicationSpecs" },
    { "{\"globalClusterSelfManagedSharding\":true}", "ATTRIBUTE_READ_ONLY", "globalClusterSelfManagedSharding" },
  };
  t_place w;
  char before[64];
  size_t i;
  specs_open(&w);
  munit_assert_int(specs_make(&w, "REPLICASET", PLAIN), ==, 201);
  t_advance(&w.t, 60);
  munit_assert_int(specs_patch(&w, "{\"globalClusterSelfManagedSharding\":true}"), ==, 400); /* only for GEOSHARDED clusters */
  munit_assert_true(t_violation(&w.t, "globalClusterSelfManagedSharding"));
  munit_assert_int(specs_patch(&w, "{\"clusterType\":\"SHARDED\"}"), ==, 200);
  munit_assert_int(specs_patch(&w, "{\"clusterType\":\"GEOSHARDED\"}"), ==, 200);
  t_advance(&w.t, 60);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/C", w.group), ==, 200);
  snprintf(before, sizeof before, "%s", t_get_header(&w.t, "ETag"));
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int status = specs_patch(&w, rows[i].body);
    if (status != 400 || strcmp(t_error(&w.t), rows[i].code) != 0 || (rows[i].field && !t_violation(&w.t, rows[i].field)))
      munit_errorf("%s: %d %s", rows[i].body, status, w.t.response.body);
  }
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/C", w.group), ==, 200);
  munit_assert_string_equal(t_get_header(&w.t, "ETag"), before);
  t_close(&w.t);
}

/* A smaller instance size cannot keep the disks of a larger one, even if the body does not mention disks. Disks cannot be made smaller. */
TEST(cluster_specs, smaller)
{
  t_place w;
  specs_open(&w);
  munit_assert_int(specs_make(&w, "REPLICASET", REGIONS(AWS("US_EAST_1", NODES("M40", DISK("600"))
                                                            ",\"readOnlySpecs\":{\"nodeCount\":1}"))), ==, 201);
  t_advance(&w.t, 60);
  munit_assert_int(specs_patch(&w, "{" SPECS(REGIONS(AWS("US_EAST_1", NODES("M30", "")))) "}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_DISK_SIZE_INVALID");
  munit_assert_true(t_violation(&w.t, R(0) ".electableSpecs.diskSizeGB"));
  munit_assert_int(specs_patch(&w, "{" SPECS(REGIONS(AWS("US_EAST_1", NODES("M40", "")
                                                         ",\"readOnlySpecs\":{\"nodeCount\":1,\"instanceSize\":\"M30\"}"))) "}"), ==, 400);
  munit_assert_true(t_violation(&w.t, R(0) ".readOnlySpecs.diskSizeGB"));
  munit_assert_int(specs_patch(&w, "{" SPECS(REGIONS(AWS("US_EAST_1", NODES("M50", "")))) "}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, R(0) ".electableSpecs.diskSizeGB"), "600");
  specs_gone(&w);
  munit_assert_int(specs_make(&w, "REPLICASET", REGIONS(AWS("US_EAST_1", NODES("M40", DISK("600")) ",\"analyticsSpecs\":{\"nodeCount\":1}"))), ==, 201);
  t_advance(&w.t, 60);
  munit_assert_int(specs_patch(&w, "{" SPECS(REGIONS(AWS("US_EAST_1", NODES("M40", "") ",\"analyticsSpecs\":{\"nodeCount\":1,\"diskSizeGB\":500}"))) "}"), ==, 500);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_DECREASE_DISK_SIZE");
  t_close(&w.t);
}

/* A shared tier has fixed values of these fields. */
TEST(cluster_specs, tenant)
{
  static const char *const members[][2] = {
    { "advancedConfiguration", "{\"minimumEnabledTlsProtocol\":\"TLS1_3\"}" }, { "backupEnabled", "true" },
    { "biConnector", "{\"enabled\":true}" }, { "encryptionAtRestProvider", "\"AWS\"" }, { "pitEnabled", "true" },
    { "redactClientLogData", "true" },
  };
  t_place w;
  char body[1024];
  size_t i;
  specs_open(&w);
  for (i = 0; i < sizeof members / sizeof members[0]; i++) {
    snprintf(body, sizeof body, "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"%s\":%s," SPECS(REGIONS(SHARE("M0", ""))) "}",
             members[i][0], members[i][1]);
    munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/clusters", w.group), ==, 400);
    munit_assert_string_equal(t_error(&w.t), "TENANT_ATTRIBUTE_READ_ONLY");
    munit_assert_true(t_violation(&w.t, members[i][0]));
  }
  munit_assert_int(specs_make(&w, "REPLICASET", REGIONS(SHARE("M0", ""))), ==, 201);
  t_advance(&w.t, 60);
  munit_assert_int(specs_patch(&w, "{\"backupEnabled\":true,\"pitEnabled\":true}"), ==, 400); /* the answer has both errors */
  munit_assert_string_equal(t_error(&w.t), "TENANT_ATTRIBUTE_READ_ONLY");
  munit_assert_true(t_violation(&w.t, "backupEnabled"));
  munit_assert_true(t_violation(&w.t, "pitEnabled"));
  munit_assert_int(specs_patch(&w, "{\"terminationProtectionEnabled\":true,\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}"), ==, 200);
  munit_assert_int(specs_patch(&w, "{\"backupEnabled\":true," SPECS(PLAIN) "}"), ==, 400); /* only tenantUpgrade leaves the shared tier */
  munit_assert_string_equal(t_error(&w.t), "TENANT_CLUSTER_UPDATE_UNSUPPORTED");
  t_close(&w.t);
}

/* Damaged records that lack members of every cluster: requests still get an answer. */
TEST(cluster_specs, damaged)
{
  const char *id;
  t_place w;
  specs_open(&w);
  munit_assert_int(specs_make(&w, "REPLICASET", REGIONS(SHARE("M0", ""))), ==, 201);
  id = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 60);
  damaged_body(&w.t, "cluster", w.group, id, "\"biConnector\":", "\"was\":");
  munit_assert_int(specs_patch(&w, "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}"), ==, 200); /* a missing value counts as not set */
  munit_assert_string_equal(t_str(&w.t, "tags[0].value"), "b");
  damaged_body(&w.t, "cluster", w.group, id, "\"backingProviderName\":", "\"was\":");
  munit_assert_int(specs_patch(&w, "{\"clusterType\":\"SHARDED\"}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_CLUSTER_CONFIGURATION");
  munit_assert_true(t_violation(&w.t, "replicationSpecs"));
  specs_gone(&w);
  munit_assert_int(specs_make(&w, "REPLICASET", REGIONS(AWS("US_EAST_1", NODES("M10", "") ",\"readOnlySpecs\":{\"nodeCount\":1}"))), ==, 201);
  id = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 60);
  damaged_body(&w.t, "cluster", w.group, id, "\"priority\":7", "\"priority\":77"); /* only seven priorities are valid */
  munit_assert_int(specs_patch(&w, "{\"clusterType\":\"SHARDED\"}"), ==, 400);
  munit_assert_true(t_violation(&w.t, R(0) ".priority"));
  damaged_body(&w.t, "cluster", w.group, id, "\"priority\":77", "\"priority\":-7");
  munit_assert_int(specs_patch(&w, "{\"clusterType\":\"SHARDED\"}"), ==, 400);
  munit_assert_true(t_violation(&w.t, R(0) ".priority"));
  damaged_body(&w.t, "cluster", w.group, id, "\"priority\":-7", "\"priority\":7");
  damaged_body(&w.t, "cluster", w.group, id, "\"nodeCount\":3", "\"nodeCount\":9000000000000000000");
  damaged_body(&w.t, "cluster", w.group, id, "\"nodeCount\":1", "\"nodeCount\":9000000000000000000");
  munit_assert_int(specs_patch(&w, "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}"), ==, 200); /* the number is not used in sums */
  munit_assert_int(t_send(&w.t, "GET", "/clusters", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "results[0].clusters[0].nodeCount"), ==, 0);
  damaged_body(&w.t, "cluster", w.group, id, "\"nodeCount\":9000000000000000000", "\"nodeCount\":-9");
  munit_assert_int(specs_patch(&w, "{\"tags\":[{\"key\":\"a\",\"value\":\"c\"}]}"), ==, 200);
  munit_assert_int(t_send(&w.t, "GET", "/clusters", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "results[0].clusters[0].nodeCount"), ==, 0);
  munit_assert_int(specs_patch(&w, "{\"clusterType\":\"SHARDED\"}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "replicationSpecs[0].regionConfigs"));
  t_close(&w.t);
}

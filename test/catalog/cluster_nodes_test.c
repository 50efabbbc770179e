/*
** Nodes and disks that a cluster shows by default, and the order of its regions.
** Tests also: cluster
*/
#include "support.h"

static const svc_config quiet = { .limiter_off = 1 };

#define NODES(size, more) "{\"instanceSize\":\"" size "\"" more "}"
#define REGION(provider, region, more) "{\"providerName\":\"" provider "\",\"regionName\":\"" region "\"," more "}"
#define CLUSTER(regions) "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[" regions "]}]}"
#define ELECTABLE(size, more) "\"electableSpecs\":" NODES(size, more)

typedef struct nodes_row {
  const char *path, *value; /* below the first regionConfigs */
} nodes_row;

static void nodes_make(t_place *w, const char *body)
{
  t_place_open(w, &quiet, "alpha", NULL);
  if (t_sendf(&w->t, "POST", body, "/groups/%s/clusters", w->group) != 201) munit_error(w->t.response.body);
}

static void nodes_are(t_place *w, const nodes_row *rows)
{
  char path[160];
  for (; rows->path; rows++) {
    snprintf(path, sizeof path, "replicationSpecs[0].regionConfigs%s", rows->path);
    if (strcmp(t_str(&w->t, path), rows->value) != 0) munit_errorf("%s is %s, not %s", path, t_str(&w->t, path), rows->value);
  }
}

TEST(cluster_nodes, unasked)
{
  static const nodes_row rows[] = {
    { "[0].electableSpecs.diskIOPS", "3000" }, { "[0].electableSpecs.diskSizeGB", "10" }, { "[0].readOnlySpecs.nodeCount", "0" },
    { "[0].readOnlySpecs.instanceSize", "M10" }, { "[0].readOnlySpecs.diskSizeGB", "10" }, { "[0].readOnlySpecs.diskIOPS", "3000" },
    { "[0].readOnlySpecs.ebsVolumeType", "STANDARD" }, { "[0].analyticsSpecs.nodeCount", "0" }, { "[0].analyticsSpecs.instanceSize", "M10" },
    { "[0].effectiveElectableSpecs.nodeCount", "3" }, { "[0].effectiveAnalyticsSpecs.nodeCount", "0" },
    { "[0].autoScaling.compute.enabled", "false" }, { "[0].autoScaling.compute.scaleDownEnabled", "false" },
    { "[0].autoScaling.compute.predictiveEnabled", "false" }, { "[0].autoScaling.diskGB.enabled", "false" }, { "[0].analyticsAutoScaling", "" },
    { NULL, NULL }
  };
  t_place w;
  nodes_make(&w, CLUSTER(REGION("AWS", "US_EAST_1", ELECTABLE("M10", ""))));
  nodes_are(&w, rows);
  t_close(&w.t);
}

/* Disk sizes and their speed, by instance size, volume and provider. */
TEST(cluster_nodes, disks)
{
  static const struct {
    const char *body;
    nodes_row rows[4];
  } cases[] = {
    { CLUSTER(REGION("AWS", "US_EAST_1", ELECTABLE("M20", ""))), { { "[0].electableSpecs.diskSizeGB", "10" }, { NULL, NULL } } },
    { CLUSTER(REGION("AWS", "US_EAST_1", ELECTABLE("M30", ",\"ebsVolumeType\":\"PROVISIONED\""))),
      { { "[0].electableSpecs.diskSizeGB", "40" }, { "[0].electableSpecs.diskIOPS", "1000" }, { "[0].readOnlySpecs.diskIOPS", "1000" }, { NULL, NULL } } },
    { CLUSTER(REGION("AWS", "US_EAST_1", ELECTABLE("M30", ",\"ebsVolumeType\":\"PROVISIONED\",\"diskIOPS\":2000"))),
      { { "[0].electableSpecs.diskIOPS", "2000" }, { "[0].analyticsSpecs.diskIOPS", "2000" }, { NULL, NULL } } },
    { CLUSTER(REGION("AWS", "US_EAST_1", ELECTABLE("M40_NVME", ""))),
      { { "[0].electableSpecs.diskSizeGB", "380" }, { "[0].electableSpecs.diskIOPS", "135125" }, { "[0].electableSpecs.ebsVolumeType", "PROVISIONED" }, { NULL, NULL } } },
    { CLUSTER(REGION("AZURE", "US_EAST_2", ELECTABLE("M10", ""))),
      { { "[0].electableSpecs.diskSizeGB", "8" }, { "[0].electableSpecs.diskIOPS", "3500" }, { "[0].electableSpecs.diskThroughput", "125" }, { NULL, NULL } } },
    { CLUSTER(REGION("AWS", "US_EAST_1", ELECTABLE("M10", ",\"nodeCount\":2")) "," REGION("AZURE", "US_EAST_2", ELECTABLE("M10", ",\"nodeCount\":1"))),
      { { "[0].electableSpecs.diskSizeGB", "8" }, { "[1].electableSpecs.diskSizeGB", "8" }, { "[1].electableSpecs.diskIOPS", "3500" }, { NULL, NULL } } },
    { CLUSTER(REGION("GCP", "CENTRAL_US", ELECTABLE("M10", ""))), { { "[0].electableSpecs.diskIOPS", "" }, { "[0].readOnlySpecs.instanceSize", "M10" }, { NULL, NULL } } },
  };
  t_place w;
  size_t i;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    nodes_make(&w, cases[i].body);
    nodes_are(&w, cases[i].rows);
    t_close(&w.t);
  }
}

/* A size that is set in one region holds for that kind of nodes in all regions. Regions are sorted by priority, then by name,
** descending. */
TEST(cluster_nodes, regions)
{
  static const nodes_row rows[] = {
    { "[0].regionName", "US_EAST_1" }, { "[1].regionName", "US_WEST_1" }, { "[1].electableSpecs.nodeCount", "0" }, { "[1].priority", "0" },
    { "[2].regionName", "EU_WEST_1" }, { "[2].analyticsSpecs.nodeCount", "1" }, { "[0].analyticsSpecs.instanceSize", "M20" },
    { "[0].analyticsSpecs.nodeCount", "0" }, { "[1].electableSpecs.instanceSize", "M10" }, { NULL, NULL }
  };
  t_place w;
  nodes_make(&w, CLUSTER(REGION("AWS", "EU_WEST_1", "\"analyticsSpecs\":" NODES("M20", ",\"nodeCount\":1")) ","
                         REGION("AWS", "US_WEST_1", "\"readOnlySpecs\":" NODES("M10", ",\"nodeCount\":1")) ","
                         REGION("AWS", "US_EAST_1", ELECTABLE("M10", ""))));
  nodes_are(&w, rows);
  t_close(&w.t);
}

/* The shown body can be sent back, with its regions in any order: a region is identified by its name. */
TEST(cluster_nodes, sent_back)
{
  t_place w;
  svc_node *body, *regions;
  svc_buf b;
  nodes_make(&w, CLUSTER(REGION("AWS", "US_EAST_1", ELECTABLE("M10", ",\"nodeCount\":2")) "," REGION("AWS", "US_WEST_1", ELECTABLE("M10", ",\"nodeCount\":1"))));
  body = svc_node_copy(&w.t.arena, w.t.body);
  svc_node_drop(body, "links");
  regions = svc_node_get(svc_node_first(svc_node_get(body, "replicationSpecs")), "regionConfigs");
  regions->first->next->next = regions->first;
  regions->first = regions->first->next;
  regions->last = regions->first->next;
  regions->last->next = NULL;
  b = svc_buf_new(&w.t.arena, 4096);
  svc_node_write(&b, body);
  t_advance(&w.t, 60);
  body = NULL;
  if (t_sendf(&w.t, "PATCH", t_keep(&w.t, svc_buf_done(&b).p), "/groups/%s/clusters/C", w.group) != 400) munit_error(w.t.response.body);
  munit_assert_true(t_violation(&w.t, "stateName")); /* the state was CREATING; the regions are accepted */
  munit_assert_size(t_count(&w.t, "badRequestDetail.fields"), ==, 1);
  t_close(&w.t);
}

/* A shared tier has no nodes of its own to count, even if clients send a number. */
TEST(cluster_nodes, tenant)
{
  static const nodes_row rows[] = { { "[0].electableSpecs.nodeCount", "" }, { "[0].readOnlySpecs", "" }, { "[0].autoScaling", "" }, { NULL, NULL } };
  t_place w;
  nodes_make(&w, CLUSTER(REGION("TENANT", "US_EAST_1", "\"backingProviderName\":\"AWS\"," ELECTABLE("M5", ",\"nodeCount\":3"))));
  nodes_are(&w, rows);
  munit_assert_string_equal(t_str(&w.t, "backupEnabled"), "true");
  munit_assert_null(t_node(&w.t, "connectionStrings.privateEndpoint"));
  t_close(&w.t);
}

#define CONFIG(type, rest) "{\"name\":\"C\",\"clusterType\":\"" type "\"" rest ",\"replicationSpecs\":[{\"zoneName\":\"Z\",\"regionConfigs\":[" \
                           REGION("AWS", "US_EAST_1", ELECTABLE("M30", "")) "]}]}"

/* The place of the config servers, by type, version and mode. */
TEST(cluster_nodes, config_servers)
{
  static const struct {
    const char *body, *type;
  } rows[] = {
    { CONFIG("SHARDED", ""), "EMBEDDED" },
    { CONFIG("SHARDED", ",\"configServerManagementMode\":\"SVC_MANAGED\",\"dbMajorVersion\":\"8.0\""), "EMBEDDED" },
    { CONFIG("SHARDED", ",\"dbMajorVersion\":\"7.0\""), "DEDICATED" },
    { CONFIG("SHARDED", ",\"configServerManagementMode\":\"FIXED_TO_DEDICATED\""), "DEDICATED" },
    { CONFIG("GEOSHARDED", ""), "DEDICATED" },
    { CONFIG("REPLICASET", ""), "" }
  };
  t_place w;
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    nodes_make(&w, rows[i].body);
    munit_assert_string_equal(t_str(&w.t, "configServerType"), rows[i].type);
    t_close(&w.t);
  }
}

/* The list privateEndpoint is shown, empty, as soon as there is a connection string, and for sharded clusters from the start. The older
** list awsPrivateLinkSrv is shown if all regions are AWS regions. */
TEST(cluster_nodes, strings)
{
  static const struct {
    const char *type, *regions;
    bool at_once, by_id;
  } rows[] = {
    { "REPLICASET", REGION("AWS", "US_EAST_1", ELECTABLE("M10", "")), false, true },
    { "REPLICASET", REGION("AZURE", "US_EAST_2", ELECTABLE("M10", "")), false, false },
    { "SHARDED", REGION("AWS", "US_EAST_1", ELECTABLE("M30", "")), true, true }
  };
  char body[600];
  t_place w;
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    snprintf(body, sizeof body, "{\"name\":\"C\",\"clusterType\":\"%s\",\"replicationSpecs\":[{\"regionConfigs\":[%s]}]}", rows[i].type, rows[i].regions);
    nodes_make(&w, body);
    munit_assert_null(t_node(&w.t, "connectionStrings.standard"));
    munit_assert_null(t_node(&w.t, "connectionStrings.standardSrv"));
    munit_assert_not_null(t_node(&w.t, "connectionStrings"));
    munit_assert_true((t_node(&w.t, "connectionStrings.privateEndpoint") != NULL) == rows[i].at_once);
    munit_assert_true((t_node(&w.t, "connectionStrings.awsPrivateLinkSrv") != NULL) == (rows[i].at_once && rows[i].by_id));
    t_advance(&w.t, 10);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/C", w.group), ==, 200);
    munit_assert_string_not_equal(t_str(&w.t, "connectionStrings.standard"), "");
    munit_assert_not_null(t_node(&w.t, "connectionStrings.privateEndpoint"));
    munit_assert_size(t_count(&w.t, "connectionStrings.privateEndpoint"), ==, 0);
    munit_assert_true((t_node(&w.t, "connectionStrings.awsPrivateLinkSrv") != NULL) == rows[i].by_id);
    t_close(&w.t);
  }
}

/* While the hosts change, the connection strings name the previous ones. */
TEST(cluster_nodes, strings_while_updating)
{
  char before[2000];
  t_place w;
  nodes_make(&w, "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":["
                 REGION("AWS", "US_EAST_1", ELECTABLE("M10", "")) "]}]}");
  t_advance(&w.t, 10);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/C", w.group), ==, 200);
  snprintf(before, sizeof before, "%s", t_str(&w.t, "connectionStrings.standard"));
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,"
                                          "\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":5}}]}]}", "/groups/%s/clusters/C", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "UPDATING");
  munit_assert_string_equal(t_str(&w.t, "connectionStrings.standard"), before);
  t_advance(&w.t, 10);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/C", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "IDLE");
  munit_assert_not_null(strstr(t_str(&w.t, "connectionStrings.standard"), "-00-04."));
  munit_assert_null(strstr(before, "-00-04."));
  t_close(&w.t);
}

/* A cluster in deletion shows neither backups nor tags. */
TEST(cluster_nodes, deleting)
{
  t_place w;
  nodes_make(&w, "{\"name\":\"C\",\"clusterType\":\"SHARDED\",\"backupEnabled\":true,\"tags\":[{\"key\":\"a\",\"value\":\"b\"}],\"replicationSpecs\":[{\"regionConfigs\":["
             REGION("AWS", "US_EAST_1", ELECTABLE("M10", "")) "]}]}");
  munit_assert_string_equal(t_str(&w.t, "configServerType"), "EMBEDDED");
  t_advance(&w.t, 60);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/C", w.group), ==, 202);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/C", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "DELETING");
  munit_assert_string_equal(t_str(&w.t, "backupEnabled"), "false");
  munit_assert_size(t_count(&w.t, "tags"), ==, 0);
  t_close(&w.t);
}

/*
** Process arguments, the settings of a cluster's database processes: their defaults, the update of the cluster after a change,
** the TLS settings that they share with the cluster, and refused changes.
*/
#include "damaged.h"
#include "driver.h"
#include "needs.h"

#define NEED_ARGS "/groups/{groupId}/clusters/{clusterName}/processArgs"

T_NEEDS(process_args) = {
  T_BODY(SVC_PATCH, NEED_ARGS, "{\"noTableScan\":true}"),
  T_BODY(SVC_PATCH, NEED_ARGS, "{\"noTableScan\":false}"),
  T_NEEDS_END
};


#define ONE "/groups/%s/clusters/C"
#define ARGS ONE "/processArgs"
#define BODY "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"advancedConfiguration\":{\"minimumEnabledTlsProtocol\":\"TLS1_3\"}," \
             "\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\"}}]}]}"

static void args_open(t_place *w, const svc_config *config)
{
  t_place_open(w, config, "P1", BODY);
  t_advance(&w->t, 10);
}

static const char *args_cluster(t_place *w, const char *field)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, ONE, w->group), ==, 200);
  return t_str(&w->t, field);
}

static int args_patch(t_place *w, const char *body)
{
  return t_sendf(&w->t, "PATCH", body, ARGS, w->group);
}

TEST(process_args, defaults)
{
  static const char *const shown[][2] = {
    { "javascriptEnabled", "true" }, { "minimumEnabledTlsProtocol", "TLS1_3" }, { "noTableScan", "false" }, { "queryStatsLogVerbosity", "1" },
    { "tlsCipherConfigMode", "DEFAULT" }
  };
  static const char *const unset[] = { /* without a value they are left out */
    "changeStreamOptionsPreAndPostImagesExpireAfterSeconds", "chunkMigrationConcurrency", "defaultMaxTimeMS", "defaultWriteConcern",
    "oplogMinRetentionHours", "oplogSizeMB", "sampleRefreshIntervalBIConnector", "sampleSizeBIConnector", "transactionLifetimeLimitSeconds",
  };
  t_place w;
  size_t i;
  args_open(&w, NULL);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, ARGS, w.group), ==, 200);
  for (i = 0; i < sizeof shown / sizeof shown[0]; i++) munit_assert_string_equal(t_str(&w.t, shown[i][0]), shown[i][1]);
  for (i = 0; i < sizeof unset / sizeof unset[0]; i++) munit_assert_null(t_node(&w.t, unset[i]));
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/D/processArgs", w.group), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_NOT_FOUND");
  t_close(&w.t);
}

/* A change of the arguments updates the cluster. */
TEST(process_args, change)
{
  t_place w;
  args_open(&w, NULL);
  munit_assert_int(args_patch(&w, "{\"oplogSizeMB\":2000,\"noTableScan\":true}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "oplogSizeMB"), "2000");
  munit_assert_string_equal(args_cluster(&w, "stateName"), "UPDATING");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?clusterNames=C&itemsPerPage=1", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].eventTypeName"), "CLUSTER_PROCESS_ARGS_UPDATE_SUBMITTED");
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "C");
  t_advance(&w.t, 5);
  munit_assert_string_equal(args_cluster(&w, "stateName"), "IDLE");
  munit_assert_int(args_patch(&w, "{\"oplogSizeMB\":null}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "oplogSizeMB"), "");
  munit_assert_string_equal(t_str(&w.t, "noTableScan"), "true");
  munit_assert_int(args_patch(&w, "{\"transactionLifetimeLimitSeconds\":0}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "transactionLifetimeLimitSeconds"));
  t_close(&w.t);
}

/* The process arguments and the cluster's advancedConfiguration show the same TLS settings. Either operation changes both. */
TEST(process_args, tls)
{
  t_place w;
  args_open(&w, NULL);
  /* a change to the default value is stored, too */
  munit_assert_int(args_patch(&w, "{\"minimumEnabledTlsProtocol\":\"TLS1_2\",\"noTableScan\":true}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "minimumEnabledTlsProtocol"), "TLS1_2");
  munit_assert_string_equal(args_cluster(&w, "advancedConfiguration.minimumEnabledTlsProtocol"), "TLS1_2");
  munit_assert_string_equal(args_cluster(&w, "stateName"), "UPDATING");
  t_advance(&w.t, 5);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"advancedConfiguration\":{\"tlsCipherConfigMode\":\"CUSTOM\"}}", ONE, w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, ARGS, w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "tlsCipherConfigMode"), "CUSTOM");
  t_advance(&w.t, 5);
  munit_assert_int(args_patch(&w, "{\"tlsCipherConfigMode\":\"DEFAULT\"}"), ==, 200); /* a TLS setting alone */
  munit_assert_string_equal(t_str(&w.t, "tlsCipherConfigMode"), "DEFAULT");
  munit_assert_string_equal(args_cluster(&w, "advancedConfiguration.tlsCipherConfigMode"), "DEFAULT");
  munit_assert_string_equal(args_cluster(&w, "stateName"), "UPDATING");
  munit_assert_int(args_patch(&w, "{\"minimumEnabledTlsProtocol\":\"SSL\"}"), ==, 400);
  t_close(&w.t);
}

TEST(process_args, refused)
{
  t_place w;
  args_open(&w, NULL);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"paused\":true}", ONE, w.group), ==, 200);
  munit_assert_int(args_patch(&w, "{\"noTableScan\":true}"), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_UPDATE_PAUSED_CLUSTER");
  t_advance(&w.t, 5);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"paused\":false}", ONE, w.group), ==, 200);
  t_advance(&w.t, 5);
  munit_assert_int(t_sendf(&w.t, "POST", NULL, ONE "/restartPrimaries", w.group), ==, 200);
  munit_assert_int(args_patch(&w, "{\"noTableScan\":true}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_RESTART_IN_PROGRESS");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, ONE, w.group), ==, 202);
  munit_assert_int(args_patch(&w, "{\"noTableScan\":true}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_ALREADY_REQUESTED_DELETION");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, ARGS, w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "noTableScan"), "false");
  t_close(&w.t);
}

/* The orders for a cluster contain its process arguments, also while the cluster is being created. */
TEST(process_args, driver)
{
  t_driver d;
  const svc_config config = { .driver = t_driver_init(&d) };
  t_place w;
  args_open(&w, &config);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_null(strstr(t_driver_order(&d, "cluster.")->desired, "processArgs"));
  munit_assert_int(args_patch(&w, "{\"oplogSizeMB\":2000}"), ==, 200);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_not_null(strstr(t_driver_order(&d, "cluster.")->desired, "\"processArgs\":{"));
  munit_assert_not_null(strstr(t_driver_order(&d, "cluster.")->desired, "\"oplogSizeMB\":2000"));
  munit_assert_not_null(strstr(t_driver_order(&d, "cluster.")->desired, "\"stateName\":\"CREATING\""));
  t_close(&w.t);
}

/* On a damaged cluster without advancedConfiguration, changes of TLS are dropped, and all others are stored. */
TEST(process_args, damaged)
{
  t_place w;
  args_open(&w, NULL);
  damaged_body(&w.t, "cluster", w.group, t_keep(&w.t, args_cluster(&w, "id")), "\"advancedConfiguration\":", "\"was\":");
  munit_assert_int(args_patch(&w, "{\"noTableScan\":true,\"minimumEnabledTlsProtocol\":\"TLS1_2\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "noTableScan"), "true");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, ARGS, w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "noTableScan"), "true");
  t_close(&w.t);
}

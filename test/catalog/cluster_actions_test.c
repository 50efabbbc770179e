/*
** Actions on clusters other than changes of fields: pins and grants that expire by the clock, and restarts. Also the data size and the
** scaling mode of a cluster.
**
** Tests also: cluster, cluster_summary
*/
#include "damaged.h"
#include "driver.h"

#define ONE "/groups/%s/clusters/C"
#define BODY(type) \
  "{\"name\":\"C\",\"clusterType\":\"" type "\",\"dbMajorVersion\":\"6.0\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
  "\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M30\"}}]}]}"
#define DAY 86400

static int actions_do(t_place *w, const char *action, const char *body)
{
  return t_sendf(&w->t, "POST", body, ONE "%s", w->group, action);
}

static const char *actions_get(t_place *w, const char *field)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, ONE, w->group), ==, 200);
  return t_str(&w->t, field);
}

/* Returns the type of the newest event of the cluster. */
static const char *actions_event(t_place *w)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?clusterNames=C&itemsPerPage=1", w->group), ==, 200);
  return t_str(&w->t, "results[0].eventTypeName");
}

static void actions_refused(t_place *w, int status, const char *code, const char *param)
{
  munit_assert_int(w->t.response.status, ==, status);
  munit_assert_string_equal(t_error(&w->t), code);
  munit_assert_string_equal(t_param(&w->t, 0), param);
}

#define PINNED "featureCompatibilityVersionExpirationDate"
#define PIN ":pinFeatureCompatibilityVersion"
#define UNPIN ":unpinFeatureCompatibilityVersion"

TEST(cluster_actions, pin)
{
  t_place w;
  t_place_open(&w, NULL, "P1", BODY("REPLICASET"));
  t_advance(&w.t, 10);
  munit_assert_int(actions_do(&w, PIN, "{\"expirationDate\":\"2025-06-11T00:00:00Z\"}"), ==, 204);
  munit_assert_string_equal(actions_event(&w), "CLUSTER_FCV_FIXED");
  munit_assert_string_equal(actions_get(&w, PINNED), "2025-06-11T00:00:00Z");
  munit_assert_string_equal(actions_get(&w, "stateName"), "IDLE");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"dbMajorVersion\":\"7.0\"}", ONE, w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "featureCompatibilityVersion"), "6.0"); /* unchanged */
  /* version 8.0 does not support the features of 6.0 */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"dbMajorVersion\":\"8.0\"}", ONE, w.group), ==, 400);
  actions_refused(&w, 400, "DB_VERSION_INVALID", "8.0");

  munit_assert_int(actions_do(&w, PIN, NULL), ==, 204); /* a new date: 28 days from now */
  munit_assert_string_equal(actions_event(&w), "CLUSTER_FCV_EXPIRATION_DATE_UPDATED");
  munit_assert_string_equal(actions_get(&w, PINNED), "2025-06-29T00:00:10Z");
  t_advance(&w.t, 28 * DAY - 1);
  munit_assert_string_equal(actions_get(&w, "featureCompatibilityVersion"), "6.0");
  t_advance(&w.t, 1);
  munit_assert_string_equal(actions_get(&w, "featureCompatibilityVersion"), "7.0");
  munit_assert_string_equal(actions_get(&w, PINNED), "");
  munit_assert_string_equal(actions_event(&w), "CLUSTER_FCV_UNFIXED");

  munit_assert_int(actions_do(&w, PIN, "{}"), ==, 204);
  munit_assert_int(actions_do(&w, UNPIN, NULL), ==, 204);
  munit_assert_string_equal(actions_event(&w), "CLUSTER_FCV_UNFIXED");
  munit_assert_string_equal(actions_get(&w, PINNED), "");
  munit_assert_int(actions_do(&w, UNPIN, NULL), ==, 204); /* no pin is left to remove */
  t_advance(&w.t, 60 * DAY);
  munit_assert_string_equal(actions_get(&w, "featureCompatibilityVersion"), "7.0");
  t_close(&w.t);
}

TEST(cluster_actions, pin_refused)
{
  t_place w;
  t_place_open(&w, NULL, "P1", BODY("REPLICASET"));
  t_advance(&w.t, 10);
  actions_do(&w, PIN, "{\"expirationDate\":\"2025-06-01T00:00:10Z\"}"); /* now */
  actions_refused(&w, 400, "EXPIRATION_DATE_IN_PAST", "expirationDate");
  actions_do(&w, PIN, "{\"expirationDate\":\"2025-06-29T00:00:11Z\"}");
  actions_refused(&w, 400, "INVALID_ATTRIBUTE", "expirationDate");
  munit_assert_true(t_violation(&w.t, "expirationDate"));
  munit_assert_string_equal(actions_get(&w, PINNED), "");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, ONE, w.group), ==, 202);
  actions_do(&w, PIN, NULL);
  actions_refused(&w, 400, "CLUSTER_ALREADY_REQUESTED_DELETION", "C");
  t_close(&w.t);
}

#define GRANT ":grantVendorEmployeeAccess"
#define REVOKE ":revokeVendorEmployeeAccess"
#define LOGS(until) "{\"expirationTime\":\"" until "\",\"grantType\":\"CLUSTER_DATABASE_LOGS\"}"

TEST(cluster_actions, grant)
{
  t_place w;
  t_place_open(&w, NULL, "P1", BODY("REPLICASET"));
  t_advance(&w.t, 10);
  actions_do(&w, GRANT, LOGS("2025-06-01T00:00:00Z"));
  actions_refused(&w, 400, "EXPIRATION_DATE_IN_PAST", "expirationTime");
  munit_assert_int(actions_do(&w, GRANT, LOGS("2025-06-02T00:00:00Z")), ==, 204);
  munit_assert_string_equal(actions_event(&w), "EMPLOYEE_ACCESS_GRANTED");
  munit_assert_string_equal(actions_get(&w, "vendorEmployeeAccessGrant.grantType"), "CLUSTER_DATABASE_LOGS");
  munit_assert_string_equal(actions_get(&w, "vendorEmployeeAccessGrant.expirationTime"), "2025-06-02T00:00:00Z");
  munit_assert_string_equal(actions_get(&w, "stateName"), "IDLE");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"backupEnabled\":true}", ONE, w.group), ==, 200); /* the grant survives other changes */
  t_advance(&w.t, DAY - 11);
  munit_assert_string_equal(actions_get(&w, "vendorEmployeeAccessGrant.grantType"), "CLUSTER_DATABASE_LOGS");
  t_advance(&w.t, 1);
  munit_assert_string_equal(actions_get(&w, "vendorEmployeeAccessGrant.grantType"), "");
  munit_assert_string_equal(actions_event(&w), "EMPLOYEE_ACCESS_REVOKED");
  munit_assert_int(actions_do(&w, GRANT, LOGS("2025-07-02T00:00:00Z")), ==, 204);
  munit_assert_int(actions_do(&w, REVOKE, NULL), ==, 204);
  munit_assert_string_equal(actions_event(&w), "EMPLOYEE_ACCESS_REVOKED");
  munit_assert_string_equal(actions_get(&w, "vendorEmployeeAccessGrant.grantType"), "");
  munit_assert_int(actions_do(&w, REVOKE, NULL), ==, 204);
  t_close(&w.t);
}

/* Pause, pin and grant together: each ends at its own time. */
TEST(cluster_actions, all_dues)
{
  t_place w;
  t_place_open(&w, NULL, "P1", BODY("REPLICASET"));
  t_advance(&w.t, 10);
  munit_assert_int(actions_do(&w, PIN, "{\"expirationDate\":\"2025-06-20T00:00:00Z\"}"), ==, 204);
  munit_assert_int(actions_do(&w, GRANT, LOGS("2025-06-10T00:00:00Z")), ==, 204);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"paused\":true}", ONE, w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "REPAIRING");
  t_advance(&w.t, 10 * DAY);
  munit_assert_string_equal(actions_get(&w, "vendorEmployeeAccessGrant.grantType"), "");
  munit_assert_string_not_equal(actions_get(&w, PINNED), "");
  t_advance(&w.t, 10 * DAY);
  munit_assert_string_equal(actions_get(&w, PINNED), "");
  munit_assert_string_equal(actions_get(&w, "paused"), "true");
  t_advance(&w.t, 11 * DAY);
  munit_assert_string_equal(actions_get(&w, "paused"), "false");
  t_close(&w.t);
}

/* Returns the id of the primary. */
static const char *actions_primary(t_place *w)
{
  char path[48];
  int i;
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/processes", w->group), ==, 200);
  for (i = 0; i < (int)t_int(&w->t, "totalCount"); i++) {
    snprintf(path, sizeof path, "results[%d].typeName", i);
    if (strcmp(t_str(&w->t, path), "REPLICA_PRIMARY") != 0) continue;
    snprintf(path, sizeof path, "results[%d].id", i);
    return t_keep(&w->t, t_str(&w->t, path));
  }
  return "";
}

/* After a restart another member is primary. An event reports the election. */
TEST(cluster_actions, restart_elects)
{
  const char *first, *second, *third;
  t_place w;
  t_place_open(&w, NULL, "P1", BODY("REPLICASET"));
  t_advance(&w.t, 10);
  first = actions_primary(&w);
  munit_assert_int(actions_do(&w, "/restartPrimaries", NULL), ==, 200);
  t_advance(&w.t, 10);
  second = actions_primary(&w);
  munit_assert_string_not_equal(second, "");
  munit_assert_string_not_equal(first, second);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=PRIMARY_ELECTED", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_int(actions_do(&w, "/restartPrimaries", NULL), ==, 200);
  t_advance(&w.t, 10);
  third = actions_primary(&w);
  munit_assert_string_not_equal(second, third);
  t_close(&w.t);
}

TEST(cluster_actions, restart)
{
  t_place w;
  t_place_open(&w, NULL, "P1", BODY("REPLICASET"));
  munit_assert_int(actions_do(&w, "/restartPrimaries", NULL), ==, 200); /* has no effect during the creation */
  munit_assert_string_equal(actions_get(&w, "stateName"), "CREATING");
  t_advance(&w.t, 10);
  munit_assert_int(actions_do(&w, "/restartPrimaries", NULL), ==, 200);
  munit_assert_string_equal(w.t.response.body, "{}");
  munit_assert_string_equal(actions_get(&w, "stateName"), "UPDATING");
  munit_assert_string_equal(actions_event(&w), "CLUSTER_UPDATE_STARTED");
  actions_do(&w, "/restartPrimaries", NULL);
  actions_refused(&w, 400, "CLUSTER_RESTART_IN_PROGRESS", "C");
  t_sendf(&w.t, "PATCH", "{\"backupEnabled\":true}", ONE, w.group);
  actions_refused(&w, 400, "CLUSTER_RESTART_IN_PROGRESS", "C");
  t_sendf(&w.t, "PATCH", "{\"paused\":true}", ONE, w.group);
  actions_refused(&w, 400, "CLUSTER_RESTART_IN_PROGRESS", "C");
  /* tags can change during a restart */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}", ONE, w.group), ==, 200);
  actions_do(&w, "/restartPrimaries", NULL);
  actions_refused(&w, 400, "CLUSTER_RESTART_IN_PROGRESS", "C");
  munit_assert_int(t_send(&w.t, "GET", "/clusters", NULL), ==, 200); /* the summary of the cluster is still readable */
  munit_assert_string_equal(t_str(&w.t, "results[0].clusters[0].name"), "C");
  t_advance(&w.t, 5);
  munit_assert_string_equal(actions_get(&w, "stateName"), "IDLE");
  munit_assert_string_equal(actions_event(&w), "CLUSTER_UPDATE_COMPLETED");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"backupEnabled\":true}", ONE, w.group), ==, 200);
  munit_assert_int(actions_do(&w, "/restartPrimaries", NULL), ==, 200); /* together with another change */
  t_advance(&w.t, 5);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"paused\":true}", ONE, w.group), ==, 200);
  t_advance(&w.t, 5);
  actions_do(&w, "/restartPrimaries", NULL);
  actions_refused(&w, 409, "CANNOT_UPDATE_PAUSED_CLUSTER", "C");
  t_close(&w.t);
}

/* Finishes the order, which has the mark of a restart exactly if `restart` is true. Then the cluster is IDLE. */
static void actions_done(t_place *w, t_driver *d, const char *action, bool restart)
{
  t_driver_finish(d, w->t.s, action, SVC_OK, NULL);
  munit_assert_true((strstr(t_driver_order(d, action)->desired, "\"restartPrimaries\":true") != NULL) == restart);
  munit_assert_string_equal(actions_get(w, "stateName"), "IDLE");
}

TEST(cluster_actions, driver)
{
  t_driver d;
  const svc_config config = { .driver = t_driver_init(&d) };
  t_place w;
  t_place_open(&w, &config, "P1", BODY("REPLICASET"));
  actions_done(&w, &d, "cluster.create", false);
  munit_assert_int(actions_do(&w, "/restartPrimaries", NULL), ==, 200);
  munit_assert_string_equal(actions_get(&w, "restartPrimaries"), ""); /* the mark is no field of the API */
  actions_done(&w, &d, "cluster.update", true);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"backupEnabled\":true}", ONE, w.group), ==, 200);
  actions_done(&w, &d, "cluster.update", false);
  t_close(&w.t);
}

/* A restart that failed in the driver is no longer in progress. */
TEST(cluster_actions, restart_failed)
{
  t_driver d;
  const svc_config config = { .driver = t_driver_init(&d) };
  t_place w;
  t_place_open(&w, &config, "P1", BODY("REPLICASET"));
  actions_done(&w, &d, "cluster.create", false);
  munit_assert_int(actions_do(&w, "/restartPrimaries", NULL), ==, 200);
  t_driver_finish(&d, w.t.s, "cluster.update", SVC_IO, NULL);
  munit_assert_string_equal(actions_get(&w, "stateName"), "REPAIRING");
  munit_assert_int(actions_do(&w, "/restartPrimaries", NULL), ==, 200);
  actions_done(&w, &d, "cluster.update", true);
  t_close(&w.t);
}

/* A damaged record with the mark of a restart on an idle cluster: no restart is in progress. */
TEST(cluster_actions, restart_damaged)
{
  t_place w;
  t_place_open(&w, NULL, "P1", BODY("REPLICASET"));
  t_advance(&w.t, 10);
  munit_assert_int(actions_do(&w, "/restartPrimaries", NULL), ==, 200);
  damaged_body(&w.t, "cluster", w.group, NULL, "\"stateName\":\"UPDATING\"", "\"stateName\":\"IDLE\"");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"backupEnabled\":true}", ONE, w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "backupEnabled"), "true");
  t_close(&w.t);
}

/* The data size of a cluster is the last one that the driver reported, also after a change whose report has no size. */
TEST(cluster_actions, size)
{
  t_driver d;
  const svc_config config = { .driver = t_driver_init(&d) };
  t_place w;
  int i;
  t_place_open(&w, &config, "P1", BODY("REPLICASET"));
  for (i = 0; i < 2; i++) {
    munit_assert_int(t_send(&w.t, "GET", "/clusters", NULL), ==, 200);
    munit_assert_int64(t_int(&w.t, "results[0].clusters[0].dataSizeBytes"), ==, i ? 7654321 : 0);
    t_driver_finish(&d, w.t.s, i ? "cluster.update" : "cluster.create", SVC_OK, i ? NULL : "{\"dataSizeBytes\":7654321}");
    munit_assert_int(t_send(&w.t, "GET", "/clusters", NULL), ==, 200);
    munit_assert_int64(t_int(&w.t, "results[0].clusters[0].dataSizeBytes"), ==, 7654321);
    munit_assert_int(t_sendf(&w.t, "PATCH", "{\"backupEnabled\":true}", ONE, w.group), ==, 200);
  }
  t_close(&w.t);
}

TEST(cluster_actions, scaling_mode)
{
  t_place w;
  t_place_open(&w, NULL, "P1", BODY("REPLICASET"));
  munit_assert_int(t_sendf(&w.t, "GET", NULL, ONE "/autoScalingConfiguration", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "autoScalingMode"), "CLUSTER_WIDE_SCALING");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"clusterType\":\"SHARDED\"}", ONE, w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, ONE "/autoScalingConfiguration", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "autoScalingMode"), "INDEPENDENT_SHARD_SCALING");
  t_close(&w.t);
}

/* Shared tiers have none of these actions, but accept the sample data. */
TEST(cluster_actions, tenant)
{
  static const char body[] = "{\"name\":\"T\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":"
                             "\"TENANT\",\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M0\"}}]}]}";
  static const char *const calls[][3] = {
    { "POST", PIN, NULL },
    { "POST", "/restartPrimaries", NULL },
    { "PATCH", "/processArgs", "{\"noTableScan\":true}" },
    { "POST", "/index", "{\"db\":\"a\",\"collection\":\"b\",\"keys\":[{\"c\":\"1\"}]}" },
    { "POST", "/outageSimulation", "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}" },
    { "POST", "/globalWrites/customZoneMapping", "{\"customZoneMappings\":[{\"location\":\"CA\",\"zone\":\"Zone 1\"}]}" },
  };
  t_place w;
  size_t i;
  t_place_open(&w, NULL, "P1", BODY("REPLICASET"));
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/clusters", w.group), ==, 201);
  for (i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    t_sendf(&w.t, calls[i][0], calls[i][2], "/groups/%s/clusters/T%s", w.group, calls[i][1]);
    actions_refused(&w, 400, "TENANT_CLUSTER_UPDATE_UNSUPPORTED", "T");
  }
  munit_assert_int(t_sendf(&w.t, "POST", NULL, "/groups/%s/sampleDatasetLoad/T", w.group), ==, 201);
  t_close(&w.t);
}

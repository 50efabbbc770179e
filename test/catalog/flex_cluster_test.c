/*
** Flex clusters, their snapshots and restore jobs, and the upgrade to a dedicated cluster: through requests, with a
** clock that the test moves.
**
** Tests also: cluster, flex_restore_job, flex_snapshot
*/
#include "damaged.h"
#include "driver.h"
#include "needs.h"

#define NEED_FLEX "/groups/{groupId}/flexClusters"

T_NEEDS(flex_cluster) = {
  /* the body names the cluster, which must be IDLE */
  T_FIRST(SVC_POST, NEED_FLEX ":tenantUpgrade", SVC_POST, NEED_FLEX, NULL),
  T_LATER(SVC_POST, NEED_FLEX ":tenantUpgrade"),
  T_SAMPLE("name", "nobody"),
  T_TARGET("flex cluster", NEED_FLEX, NULL, NULL, "name", "/groups/%G/flexClusters/%V"),
  T_BODY(SVC_POST, NEED_FLEX, "{\"name\":\"Other\",\"providerSettings\":{\"backingProviderName\":\"GCP\",\"regionName\":\"CENTRAL_US\"}}"),
  T_BODY(SVC_PATCH, NEED_FLEX "/{name}", "{\"terminationProtectionEnabled\":true}"),
  T_BODY(SVC_PATCH, NEED_FLEX "/{name}", "{\"terminationProtectionEnabled\":false}"),
  T_BODY(SVC_PATCH, NEED_FLEX "/{name}", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}"),
  T_NEEDS_END
};

#define HOUR 3600
#define DAY (24 * HOUR)
#define FLEX(name) "{\"name\":\"" name "\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}"
#define SPECS(provider, size) \
  "\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":{\"instanceSize\":\"" size "\"}," \
  "\"providerName\":" provider ",\"regionName\":\"US_EAST_1\"}]}]"
#define CLUSTER(name) "{\"name\":\"" name "\"," SPECS("\"AWS\"", "M10") "}"

static int flex(t_place *w, const char *method, const char *tail, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/flexClusters%s", w->group, tail);
}

static int clusters(t_place *w, const char *method, const char *tail, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/clusters%s", w->group, tail);
}

static void make(t_place *w)
{
  munit_assert_int(flex(w, "POST", "", FLEX("F")), ==, 201);
}

static void expect(t_place *w, int status, int wanted, const char *code)
{
  if (status != wanted) munit_errorf("%d, not %d: %s", status, wanted, w->t.response.body);
  munit_assert_string_equal(t_error(&w->t), code);
}

static const char *state(t_place *w)
{
  munit_assert_int(flex(w, "GET", "/F", NULL), ==, 200);
  return t_str(&w->t, "stateName");
}

/* Returns true if there is an event of this type about cluster F. */
static bool told(t_place *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?clusterNames=F&eventType=%s", w->group, type), ==, 200);
  return t_int(&w->t, "totalCount") > 0;
}

TEST(flex_cluster, states)
{
  t_place w;
  t_place_open(&w, NULL, "P1", NULL);
  make(&w);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "CREATING");
  munit_assert_string_equal(t_str(&w.t, "providerSettings.providerName"), "FLEX");
  munit_assert_int64(t_int(&w.t, "providerSettings.diskSizeGB"), ==, 5);
  munit_assert_string_equal(t_str(&w.t, "backupSettings.enabled"), "true");
  munit_assert_string_equal(t_str(&w.t, "versionReleaseSystem"), "LTS");
  munit_assert_not_null(t_node(&w.t, "connectionStrings"));
  munit_assert_null(t_node(&w.t, "connectionStrings")->first); /* the cluster has no hosts yet */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "clusterCount"), ==, 1);
  t_advance(&w.t, 10);
  munit_assert_string_equal(state(&w), "IDLE");
  munit_assert_not_null(strstr(t_str(&w.t, "connectionStrings.standardSrv"), "+srv://"));
  munit_assert_not_null(strstr(t_str(&w.t, "connectionStrings.standard"), "-shard-00-02."));
  munit_assert_true(told(&w, "CLUSTER_CREATED") && told(&w, "CLUSTER_READY"));

  munit_assert_int(flex(&w, "PATCH", "/F", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}],\"terminationProtectionEnabled\":true}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "IDLE");
  munit_assert_true(told(&w, "CLUSTER_TAGS_MODIFIED") && told(&w, "CLUSTER_UPDATE_SUBMITTED"));
  expect(&w, flex(&w, "DELETE", "/F", NULL), 400, "CANNOT_TERMINATE_CLUSTER_WHEN_TERMINATION_PROTECTION_ENABLED");
  munit_assert_int(flex(&w, "PATCH", "/F", "{\"terminationProtectionEnabled\":false}"), ==, 200);

  expect(&w, t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), 409, "CANNOT_CLOSE_GROUP_ACTIVE_CLUSTERS");
  munit_assert_int(flex(&w, "DELETE", "/F", NULL), ==, 204);
  munit_assert_string_equal(state(&w), "DELETING");
  expect(&w, flex(&w, "DELETE", "/F", NULL), 400, "CLUSTER_ALREADY_REQUESTED_DELETION");
  expect(&w, flex(&w, "PATCH", "/F", "{\"tags\":[]}"), 400, "CLUSTER_ALREADY_REQUESTED_DELETION");
  t_advance(&w.t, 10);
  expect(&w, flex(&w, "GET", "/F", NULL), 404, "CLUSTER_NOT_FOUND");
  munit_assert_true(told(&w, "CLUSTER_DELETE_SUBMITTED") && told(&w, "CLUSTER_DELETED"));
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "clusterCount"), ==, 0);
  t_close(&w.t);
}

TEST(flex_cluster, refused)
{
  static const struct {
    const char *body, *code;
  } bad[] = {
    { "{\"name\":\"-x\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}", "CLUSTER_NAME_INVALID" },
    { "{\"name\":\"F\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"EUROPE_WEST\"}}", "INVALID_REGION" },
    { "{\"name\":\"F\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"NOWHERE\"}}", "INVALID_REGION" },
    { "{\"name\":\"F\",\"providerSettings\":{\"backingProviderName\":\"TENANT\",\"regionName\":\"US_EAST_1\"}}", "INVALID_PROVIDER" },
    { "{\"name\":\"F\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"diskSizeGB\":7}}",
      "ATTRIBUTE_READ_ONLY" },
    { "{\"name\":\"F\"}", "MISSING_ATTRIBUTE" },
  };
  t_place w;
  size_t i;
  t_place_open(&w, NULL, "P1", NULL);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    expect(&w, flex(&w, "POST", "", bad[i].body), 400, bad[i].code);
    munit_assert_int(flex(&w, "GET", "", NULL), ==, 200);
    munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  }
  make(&w);
  expect(&w, flex(&w, "PATCH", "/F", "{\"name\":\"G\"}"), 400, "CLUSTER_CANNOT_CHANGE_NAME");
  expect(&w, flex(&w, "PATCH", "/F", "{\"providerSettings\":{\"regionName\":\"EU_WEST_1\"}}"), 400, "ATTRIBUTE_READ_ONLY");
  munit_assert_true(t_violation(&w.t, "providerSettings.regionName"));
  munit_assert_int(flex(&w, "PATCH", "/F", "{\"providerSettings\":{\"regionName\":\"US_EAST_1\"}}"), ==, 200);
  t_close(&w.t);
}

/* Both kinds of clusters share one name space and one limit. The API of each kind refuses clusters of the other. */
TEST(flex_cluster, names)
{
  t_place w;
  t_place_open(&w, NULL, "P1", NULL);
  make(&w);
  munit_assert_int(clusters(&w, "POST", "", CLUSTER("C")), ==, 201);
  expect(&w, flex(&w, "POST", "", FLEX("C")), 409, "DUPLICATE_CLUSTER_NAME");
  expect(&w, clusters(&w, "POST", "", CLUSTER("F")), 409, "DUPLICATE_CLUSTER_NAME");
  expect(&w, flex(&w, "GET", "/C", NULL), 400, "CANNOT_USE_NON_FLEX_CLUSTER_IN_FLEX_API");
  munit_assert_string_equal(t_param(&w.t, 0), "C");
  expect(&w, clusters(&w, "GET", "/F", NULL), 400, "CANNOT_USE_FLEX_CLUSTER_IN_CLUSTER_API");
  expect(&w, flex(&w, "GET", "/nobody", NULL), 404, "CLUSTER_NOT_FOUND");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "clusterCount"), ==, 2);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/limits/svc.project.deployment.clusters", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "currentUsage"), ==, 2);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"value\":2}", "/groups/%s/limits/svc.project.deployment.clusters", w.group), ==, 200);
  expect(&w, flex(&w, "POST", "", FLEX("G")), 403, "CLUSTERS_LIMIT_EXCEEDED");
  expect(&w, clusters(&w, "POST", "", CLUSTER("G")), 403, "CLUSTERS_LIMIT_EXCEEDED");
  t_close(&w.t);
}

/* ---------------------------------------------------------------------------------------------------------------- upgrade */

/* Returns the running costs of resources of this kind: "FLEX_AWS 1000". */
static const char *costs(t_place *w, const char *kind)
{
  static char text[128];
  svc_commit *k = &w->t.s->commit;
  svc_ledger_line line;
  svc_scan scan;
  svc_txn *txn;
  svc_id org;
  text[0] = 0;
  munit_assert_true(svc_id_parse(svc_str_c(w->org), &org));
  munit_assert_int(k->port->read_begin(k->store, &txn), ==, SVC_OK);
  for (svc_ledger_begin(&scan, txn, &org, 0); svc_ledger_next(&scan, &line);)
    if (memcmp(line.kind, kind, 4) == 0 && line.until == 0)
      snprintf(text, sizeof text, SVC_FMT " %d", SVC_ARG(line.meter.sku), (int)line.meter.quantity);
  k->port->read_end(txn);
  return text;
}

/* A flex cluster in deletion cannot be upgraded. */
TEST(flex_cluster, upgrade_gone)
{
  t_place w;
  t_place_open(&w, NULL, "P1", NULL);
  make(&w);
  t_advance(&w.t, 10);
  munit_assert_int(flex(&w, "DELETE", "/F", NULL), ==, 204);
  expect(&w, flex(&w, "POST", ":tenantUpgrade", CLUSTER("F")), 400, "CLUSTER_ALREADY_REQUESTED_DELETION");
  t_close(&w.t);
}

/* A resource that names a flex cluster names the upgraded cluster afterwards. */
TEST(flex_cluster, upgrade_named)
{
  t_place w;
  t_place_open(&w, NULL, "P1", NULL);
  make(&w);
  t_advance(&w.t, 10);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"Fed\",\"storage\":{\"stores\":[{\"name\":\"a\",\"provider\":\"svc\",\"clusterName\":\"F\"}]}}",
                           "/groups/%s/dataFederation", w.group), <, 300);
  expect(&w, flex(&w, "DELETE", "/F", NULL), 409, "CLUSTER_IN_USE_BY_FEDERATED_DATABASES");
  munit_assert_int(flex(&w, "POST", ":tenantUpgrade", CLUSTER("F")), ==, 200);
  store_whole(w.t.s);
  t_advance(&w.t, 1000);
  expect(&w, clusters(&w, "DELETE", "/F", NULL), 409, "CLUSTER_IN_USE_BY_FEDERATED_DATABASES");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/dataFederation/Fed", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "storage.stores[0].clusterName"), "F");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/dataFederation/Fed", w.group), ==, 202);
  t_advance(&w.t, 1000);
  munit_assert_int(clusters(&w, "DELETE", "/F", NULL), ==, 202);
  t_advance(&w.t, 1000);
  store_whole(w.t.s);
  t_close(&w.t);
}

TEST(flex_cluster, upgrade)
{
  t_place w;
  const char *id, *srv;
  t_place_open(&w, NULL, "P1", NULL);
  expect(&w, flex(&w, "POST", ":tenantUpgrade", CLUSTER("F")), 404, "CLUSTER_NOT_FOUND");
  munit_assert_int(clusters(&w, "POST", "", CLUSTER("C")), ==, 201);
  expect(&w, flex(&w, "POST", ":tenantUpgrade", CLUSTER("C")), 400, "CANNOT_USE_NON_FLEX_CLUSTER_IN_FLEX_API");
  make(&w);
  expect(&w, flex(&w, "POST", ":tenantUpgrade", CLUSTER("F")), 400, "TENANT_CLUSTER_UPDATE_UNSUPPORTED");
  t_advance(&w.t, 10);
  munit_assert_int(flex(&w, "PATCH", "/F", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}"), ==, 200);
  id = t_keep(&w.t, t_str(&w.t, "id"));
  srv = t_keep(&w.t, t_str(&w.t, "connectionStrings.standardSrv"));
  expect(&w, flex(&w, "POST", ":tenantUpgrade", "{\"name\":\"F\"," SPECS("\"TENANT\",\"backingProviderName\":\"AWS\"", "M0") "}"), 400,
         "INVALID_CLUSTER_CONFIGURATION");
  munit_assert_true(t_violation(&w.t, "replicationSpecs"));
  munit_assert_string_equal(state(&w), "IDLE");
  munit_assert_string_equal(costs(&w, "flex"), "FLEX_AWS 1000");

  munit_assert_int(flex(&w, "POST", ":tenantUpgrade", CLUSTER("F")), ==, 200);
  munit_assert_string_equal(costs(&w, "flex"), "");
  munit_assert_string_equal(costs(&w, "clus"), "INSTANCE_AWS_M10 3000");
  munit_assert_string_equal(t_str(&w.t, "stateName"), "UPDATING");
  munit_assert_string_equal(t_str(&w.t, "providerSettings.providerName"), "FLEX");
  expect(&w, flex(&w, "GET", "/F", NULL), 400, "CANNOT_USE_NON_FLEX_CLUSTER_IN_FLEX_API");
  munit_assert_int(clusters(&w, "GET", "/F", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "UPDATING");
  munit_assert_string_equal(t_str(&w.t, "id"), id);
  munit_assert_string_equal(t_str(&w.t, "connectionStrings.standardSrv"), srv);
  munit_assert_string_equal(t_str(&w.t, "tags[0].key"), "a");
  t_advance(&w.t, 10);
  munit_assert_int(clusters(&w, "GET", "/F", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "IDLE");
  munit_assert_true(told(&w, "FLEX_UPGRADE_STARTED") && told(&w, "CLUSTER_UPDATE_COMPLETED"));
  munit_assert_false(told(&w, "CLUSTER_DELETED"));
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "clusterCount"), ==, 2);
  t_close(&w.t);
}

/* -------------------------------------------------------------------------------------------------------------- snapshots */

static const char *snapshot(t_place *w, int which, const char *field)
{
  char path[64];
  munit_assert_int(flex(w, "GET", "/F/backup/snapshots", NULL), ==, 200);
  snprintf(path, sizeof path, "results[%d].%s", which, field);
  return t_keep(&w->t, t_str(&w->t, path));
}

TEST(flex_cluster, snapshots)
{
  svc_config config = { .provision_ms = 100000 };
  t_place w;
  const char *id, *path;
  int day;
  t_place_open(&w, &config, "P1", NULL);
  make(&w);
  munit_assert_int(flex(&w, "GET", "/F/backup/snapshots", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 0);
  t_advance(&w.t, DAY);
  munit_assert_string_equal(snapshot(&w, 0, "status"), "PENDING");
  munit_assert_string_equal(snapshot(&w, 0, "startTime"), "");
  id = snapshot(&w, 0, "id");
  path = t_keep(&w.t, svc_arena_print(&w.t.arena, "/F/backup/snapshots/%s", id).p);
  munit_assert_int(flex(&w, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "id"), id);
  munit_assert_string_equal(t_str(&w.t, "status"), "PENDING");
  t_advance(&w.t, 5);
  munit_assert_string_equal(snapshot(&w, 0, "status"), "QUEUED");
  t_advance(&w.t, 5);
  munit_assert_string_equal(snapshot(&w, 0, "status"), "RUNNING");
  munit_assert_string_equal(snapshot(&w, 0, "startTime"), "2025-06-02T00:00:10Z");
  t_advance(&w.t, 40);
  munit_assert_string_equal(snapshot(&w, 0, "status"), "COMPLETED");
  munit_assert_string_equal(snapshot(&w, 0, "scheduledTime"), "2025-06-02T00:00:00Z");
  munit_assert_string_equal(snapshot(&w, 0, "finishTime"), "2025-06-02T00:00:50Z");
  munit_assert_string_equal(snapshot(&w, 0, "expiration"), "2025-06-10T00:00:00Z");
  munit_assert_true(told(&w, "TENANT_SNAPSHOT_STARTED_AUDIT") && told(&w, "TENANT_SNAPSHOT_COMPLETED_AUDIT"));
  for (day = 2; day <= 8; day++) {
    t_advance(&w.t, DAY);
    munit_assert_int(flex(&w, "GET", "/F/backup/snapshots", NULL), ==, 200);
    munit_assert_size(t_count(&w.t, "results"), ==, (size_t)day);
  }
  t_advance(&w.t, DAY);
  munit_assert_int(flex(&w, "GET", "/F/backup/snapshots", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 8);
  munit_assert_string_equal(snapshot(&w, 0, "scheduledTime"), "2025-06-10T00:00:00Z");
  expect(&w, flex(&w, "GET", path, NULL), 404, "SNAPSHOT_NOT_FOUND");
  munit_assert_true(told(&w, "TENANT_SNAPSHOT_DELETED_AUDIT"));
  t_close(&w.t);
}

/* After a year without requests there are as many snapshots as usual, without a year's work to take them. */
TEST(flex_cluster, snapshots_late)
{
  svc_config config = { .store = t_counting_port() };
  t_place w;
  t_place_open(&w, &config, "P1", NULL);
  make(&w);
  t_advance(&w.t, 2 * DAY);
  munit_assert_int(flex(&w, "GET", "/F", NULL), ==, 200);
  t_reads_taken();
  t_advance(&w.t, 365 * DAY);
  munit_assert_int(flex(&w, "GET", "/F/backup/snapshots", NULL), ==, 200);
  munit_assert_long(t_reads_taken().writes, <, 1500);
  munit_assert_size(t_count(&w.t, "results"), ==, 8);
  munit_assert_string_equal(t_str(&w.t, "results[0].scheduledTime"), "2026-06-03T00:00:00Z");
  munit_assert_string_equal(t_str(&w.t, "results[7].scheduledTime"), "2026-05-27T00:00:00Z");
  t_close(&w.t);
}

/* --------------------------------------------------------------------------------------------------------------- restores */

static int restore(t_place *w, const char *snapshot_id, const char *target, const char *project)
{
  char body[256];
  snprintf(body, sizeof body, "{\"snapshotId\":\"%s\",\"targetDeploymentItemName\":\"%s\"%s%s%s}", snapshot_id, target,
           project ? ",\"targetProjectId\":\"" : "", project ? project : "", project ? "\"" : "");
  return flex(w, "POST", "/F/backup/restoreJobs", body);
}

static int job(t_place *w, const char *id)
{
  return t_sendf(&w->t, "GET", NULL, "/groups/%s/flexClusters/F/backup/restoreJobs/%s", w->group, id);
}

static void expect_job(t_place *w, const char *id, const char *status)
{
  munit_assert_int(job(w, id), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "status"), status);
}

TEST(flex_cluster, restores)
{
  svc_config config = { .provision_ms = 100000 };
  t_place w;
  const char *id, *snap, *other;
  t_place_open(&w, &config, "P1", NULL);
  other = t_project(&w.t, w.org, "P2");
  make(&w);
  munit_assert_int(t_sendf(&w.t, "POST", FLEX("G"), "/groups/%s/flexClusters", other), ==, 201);
  t_advance(&w.t, DAY);
  snap = snapshot(&w, 0, "id");
  expect(&w, restore(&w, snap, "F", NULL), 400, "INVALID_ATTRIBUTE");
  munit_assert_true(t_violation(&w.t, "snapshotId"));
  t_advance(&w.t, 100);
  expect(&w, restore(&w, "5f0000000000000000000001", "F", NULL), 404, "SNAPSHOT_NOT_FOUND");
  expect(&w, restore(&w, snap, "nobody", NULL), 404, "CLUSTER_NOT_FOUND");
  expect(&w, restore(&w, snap, "G", NULL), 404, "CLUSTER_NOT_FOUND");
  expect(&w, restore(&w, snap, "G", "5f0000000000000000000001"), 404, "GROUP_NOT_FOUND");
  munit_assert_int(flex(&w, "GET", "/F/backup/restoreJobs", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);

  munit_assert_int(restore(&w, snap, "G", other), ==, 202);
  munit_assert_string_equal(t_str(&w.t, "status"), "PENDING");
  munit_assert_string_equal(t_str(&w.t, "deliveryType"), "RESTORE");
  munit_assert_string_equal(t_str(&w.t, "instanceName"), "F");
  munit_assert_string_equal(t_str(&w.t, "projectId"), w.group);
  munit_assert_string_equal(t_str(&w.t, "targetProjectId"), other);
  munit_assert_string_equal(t_str(&w.t, "snapshotFinishedDate"), "2025-06-02T00:00:50Z");
  id = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_true(told(&w, "TENANT_RESTORE_REQUESTED_AUDIT"));
  t_advance(&w.t, 5);
  expect_job(&w, id, "QUEUED");
  t_advance(&w.t, 5);
  expect_job(&w, id, "RUNNING");
  munit_assert_string_equal(t_str(&w.t, "restoreFinishedDate"), "");
  t_advance(&w.t, 60);
  expect_job(&w, id, "COMPLETED");
  munit_assert_string_equal(t_str(&w.t, "restoreFinishedDate"), "2025-06-02T00:02:50Z");
  munit_assert_string_equal(t_str(&w.t, "snapshotUrl"), "");
  munit_assert_true(told(&w, "TENANT_RESTORE_COMPLETED_AUDIT"));

  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/flexClusters/G", other), ==, 204);
  expect(&w, restore(&w, snap, "G", other), 400, "CLUSTER_ALREADY_REQUESTED_DELETION");
  t_advance(&w.t, 31 * DAY);
  expect(&w, job(&w, id), 404, "RESTORE_JOB_NOT_FOUND");
  t_close(&w.t);
}

/* A role on the project of the path is not enough for the target's project. */
TEST(flex_cluster, restore_elsewhere)
{
  t_place w;
  const char *snap, *other;
  t_place_open(&w, NULL, "P1", NULL);
  other = t_project(&w.t, w.org, "P2");
  make(&w);
  munit_assert_int(t_sendf(&w.t, "POST", FLEX("G"), "/groups/%s/flexClusters", other), ==, 201);
  t_advance(&w.t, DAY + 100);
  snap = snapshot(&w, 0, "id");
  w.t.grants[0] = (svc_grant){ "GROUP_BACKUP_RECOVERY_OPERATOR", w.group };
  w.t.caller.grant_count = 1;
  expect(&w, restore(&w, snap, "G", other), 404, "GROUP_NOT_FOUND");
  w.t.grants[1] = (svc_grant){ "GROUP_READ_ONLY", other };
  w.t.caller.grant_count = 2;
  munit_assert_int(restore(&w, snap, "G", other), ==, 403);
  w.t.grants[1] = (svc_grant){ "GROUP_BACKUP_RECOVERY_OPERATOR", other };
  munit_assert_int(restore(&w, snap, "G", other), ==, 202);
  t_close(&w.t);
}

/* ------------------------------------------------------------------------------------------------------------------- data */

/* Returns true if an alert for more data than the threshold is open. */
static bool holds(t_place *w)
{
  t_advance(&w->t, 180);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/alerts?status=OPEN", w->group), ==, 200);
  return t_count(&w->t, "results") > 0;
}

static int collections(t_place *w)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters/F/PRIMARY/collStats/namespaces", w->group), ==, 200);
  return (int)t_count(&w->t, "rankedNamespaces");
}

/* The sample data is loaded, is part of the snapshots, is restored from them, and survives an upgrade. The data never exceeds its
** maximum. */
TEST(flex_cluster, data)
{
  static const char over[] = "{\"enabled\":true,\"eventTypeName\":\"OUTSIDE_FLEX_METRIC_THRESHOLD\",\"metricThreshold\":{\"metricName\":\"%s\","
                             "\"operator\":\"GREATER_THAN\",\"threshold\":%s},\"notifications\":[{\"typeName\":\"GROUP\",\"delayMin\":0}]}";
  static const char *const limits[][2] = { { "FLEX_DATA_SIZE_TOTAL", "100000000" }, { "FLEX_DATA_SIZE_TOTAL", "5000000000" },
                                           { "FLEX_NETWORK_NUM_REQUESTS", "500" } };
  const char *empty, *full;
  char body[512];
  t_place w;
  size_t i;
  t_place_open(&w, NULL, "P1", NULL);
  make(&w);
  for (i = 0; i < 3; i++) {
    snprintf(body, sizeof body, over, limits[i][0], limits[i][1]);
    munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/alertConfigs", w.group), ==, 201);
  }
  t_advance(&w.t, DAY + HOUR);
  empty = snapshot(&w, 0, "id");
  munit_assert_false(holds(&w));
  munit_assert_int(t_sendf(&w.t, "POST", NULL, "/groups/%s/sampleDatasetLoad/F", w.group), ==, 201);
  munit_assert_true(holds(&w));
  munit_assert_size(t_count(&w.t, "results"), ==, 1); /* below the other thresholds */
  munit_assert_string_equal(t_str(&w.t, "results[0].metricName"), "FLEX_DATA_SIZE_TOTAL");
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "F");
  t_advance(&w.t, DAY);
  full = snapshot(&w, 0, "id");
  munit_assert_int(restore(&w, empty, "F", NULL), ==, 202);
  munit_assert_false(holds(&w));
  munit_assert_int(restore(&w, full, "F", NULL), ==, 202);
  munit_assert_true(holds(&w));
  t_advance(&w.t, 40 * DAY); /* the record of the load is deleted, the data is not */
  munit_assert_true(holds(&w));
  munit_assert_size(t_count(&w.t, "results"), ==, 1);
  munit_assert_int(flex(&w, "POST", ":tenantUpgrade", CLUSTER("F")), ==, 200);
  t_advance(&w.t, HOUR);
  munit_assert_int(collections(&w), >, 10);
  munit_assert_int(flex(&w, "POST", "", FLEX("G")), ==, 201);
  munit_assert_int(flex(&w, "DELETE", "/G", NULL), ==, 204);
  expect(&w, t_sendf(&w.t, "POST", NULL, "/groups/%s/sampleDatasetLoad/G", w.group), 400, "CLUSTER_ALREADY_REQUESTED_DELETION");
  t_close(&w.t);
}

TEST(flex_cluster, downloads)
{
  t_place w;
  const char *id, *body;
  char text[64];
  t_place_open(&w, NULL, "P1", NULL);
  make(&w);
  t_advance(&w.t, DAY);
  snprintf(text, sizeof text, "{\"snapshotId\":\"%s\"}", snapshot(&w, 0, "id"));
  body = t_keep(&w.t, text);
  expect(&w, flex(&w, "POST", "/F/backup/download", body), 409, "CANNOT_DOWNLOAD_INCOMPLETE_SNAPSHOT");
  t_advance(&w.t, 10);
  expect(&w, flex(&w, "POST", "/F/backup/download", "{\"snapshotId\":\"5f0000000000000000000001\"}"), 404, "SNAPSHOT_NOT_FOUND");
  munit_assert_int(flex(&w, "POST", "/F/backup/download", body), ==, 202);
  munit_assert_string_equal(t_str(&w.t, "deliveryType"), "DOWNLOAD");
  munit_assert_string_equal(t_str(&w.t, "snapshotUrl"), "");
  id = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_true(told(&w, "TENANT_SNAPSHOT_DOWNLOAD_REQUESTED_AUDIT"));
  t_advance(&w.t, 10);
  expect_job(&w, id, "COMPLETED");
  munit_assert_not_null(strstr(t_str(&w.t, "snapshotUrl"), id));
  munit_assert_string_equal(t_str(&w.t, "targetDeploymentItemName"), "");
  munit_assert_string_not_equal(t_str(&w.t, "expirationDate"), "");
  t_close(&w.t);
}

/* ----------------------------------------------------------------------------------------------------------------- driver */

TEST(flex_cluster, driver)
{
  t_driver d;
  svc_config config = { .driver = t_driver_init(&d) };
  t_place w;
  const char *snap, *id;
  char body[64];
  t_driver_does(&d, "snapshot.delete", NULL); /* no resource waits for this order */
  t_place_open(&w, &config, "P1", NULL);
  make(&w);
  munit_assert_string_equal(t_str(&w.t, "connectionStrings.standard"), "");
  t_driver_finish(&d, w.t.s, "flex.create", SVC_OK, "{\"hosts\":[\"a.example.net:27017\"],\"srvHost\":\"f.example.net\"}");
  munit_assert_string_equal(state(&w), "IDLE");
  munit_assert_not_null(strstr(t_str(&w.t, "connectionStrings.standard"), "a.example.net:27017"));
  t_advance(&w.t, DAY);
  t_advance(&w.t, HOUR);
  munit_assert_string_equal(snapshot(&w, 0, "status"), "RUNNING");
  t_driver_finish(&d, w.t.s, "snapshot.take", SVC_OK, NULL);
  munit_assert_string_equal(snapshot(&w, 0, "status"), "COMPLETED");
  snap = snapshot(&w, 0, "id");
  snprintf(body, sizeof body, "{\"snapshotId\":\"%s\"}", snap);
  munit_assert_int(flex(&w, "POST", "/F/backup/download", body), ==, 202);
  id = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, HOUR);
  expect_job(&w, id, "RUNNING");
  t_driver_finish(&d, w.t.s, "restore.run", SVC_OK, "{\"url\":\"https://files.example.net/1\"}");
  expect_job(&w, id, "COMPLETED");
  munit_assert_string_equal(t_str(&w.t, "snapshotUrl"), "https://files.example.net/1");
  munit_assert_int(restore(&w, snap, "F", NULL), ==, 202);
  id = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, HOUR);
  expect_job(&w, id, "RUNNING");
  t_driver_finish(&d, w.t.s, "restore.run", SVC_IO, "{\"reason\":\"no\"}");
  expect_job(&w, id, "FAILED");
  munit_assert_true(told(&w, "TENANT_RESTORE_FAILED"));
  munit_assert_int(flex(&w, "POST", ":tenantUpgrade", CLUSTER("F")), ==, 200);
  id = t_keep(&w.t, t_str(&w.t, "id"));
  t_driver_finish(&d, w.t.s, "cluster.update", SVC_OK, "{\"hosts\":[\"b.example.net:27017\"]}");
  munit_assert_string_equal(t_driver_order(&d, "cluster.update")->resource_id, id);
  munit_assert_string_equal(t_driver_order(&d, "snapshot.delete")->resource_id, snap); /* the snapshots are deleted */
  munit_assert_int(clusters(&w, "GET", "/F", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "IDLE");
  munit_assert_not_null(strstr(t_str(&w.t, "connectionStrings.standard"), "b.example.net:27017"));
  t_close(&w.t);
}

/* If another flex cluster of the project has the same random characters in its host names, a new cluster gets others. */
TEST(flex_cluster, hosts)
{
  char srv[3][128], id[6];
  t_place w;
  int i;
  for (i = 0; i < 3; i++) { /* all random values are the same each time */
    t_place_open(&w, NULL, "P1", NULL);
    make(&w);
    if (i == 2) damaged_extra(&w.t, "flex cluster", w.group, NULL, (svc_str){ id, sizeof id });
    munit_assert_int(flex(&w, "POST", "", FLEX("G")), ==, 201);
    t_advance(&w.t, 10);
    munit_assert_int(flex(&w, "GET", "/G", NULL), ==, 200);
    snprintf(srv[i], sizeof srv[i], "%s", t_str(&w.t, "connectionStrings.standardSrv"));
    munit_assert_int(strncmp(srv[i], "db+srv://", 9), ==, 0);
    memcpy(id, srv[i] + 9, sizeof id);
    t_close(&w.t);
  }
  munit_assert_string_equal(srv[0], srv[1]);
  munit_assert_string_not_equal(srv[1], srv[2]);
  munit_assert_string_equal(srv[1] + 9 + sizeof id, srv[2] + 9 + sizeof id); /* only these characters differ */
}

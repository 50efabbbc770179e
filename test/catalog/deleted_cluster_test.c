/*
** Deleted clusters with remaining snapshots: DELETE with retainBackups.
*/
#include "catalog/backup_world.h"

#include <stdlib.h>

#define SNAPSHOTS "%C/backup/snapshots"
#define ONE SNAPSHOTS "/%S"
#define LIST "/groups/%G/clusters"
#define ALL LIST "?includeDeletedWithRetainedBackups=true"
#define INTO(name) \
  "{\"deliveryType\":\"automated\",\"snapshotId\":\"%S\",\"targetClusterName\":\"" name "\",\"targetGroupId\":\"%G\"}"

/* Opens a world where C had a snapshot and is deleted. */
static void deleted_open(b_world *w, const char *cluster, const char *query)
{
  char path[64];
  b_open_cluster(w, NULL, cluster);
  b_snapshot(w);
  snprintf(path, sizeof path, "%%C%s", query);
  b_good(w, "DELETE", path, NULL, 202);
  t_advance(&w->t, 10);
  b_good(w, "GET", "%C", NULL, 404);
  b_is(w, "errorCode", "CLUSTER_NOT_FOUND");
}

/* Returns the number of clusters in a list. */
static int64_t deleted_count(b_world *w, const char *path)
{
  b_good(w, "GET", path, NULL, 200);
  munit_assert_int64(t_int(&w->t, "totalCount"), ==, (int64_t)t_count(&w->t, "results"));
  return t_int(&w->t, "totalCount");
}

/* Snapshots stay only on request. */
TEST(deleted_cluster, asked)
{
  static const struct {
    const char *body, *query;
    bool kept;
  } rows[] = {
    { "", "", false },
    { "", "?retainBackups=false", false },
    { "", "?retainBackups=true", true },
    { ",\"retainBackups\":true", "", true },
    { ",\"retainBackups\":true", "?retainBackups=false", false },
  };
  char cluster[1024];
  b_world w;
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    snprintf(cluster, sizeof cluster, "{\"name\":\"C\",\"backupEnabled\":true%s,\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[" B_SPEC "]}",
             rows[i].body);
    deleted_open(&w, cluster, rows[i].query);
    munit_assert_int(b_send(&w, "GET", SNAPSHOTS, NULL), ==, rows[i].kept ? 200 : 404);
    munit_assert_int64(deleted_count(&w, LIST), ==, 0);
    munit_assert_int64(deleted_count(&w, ALL), ==, rows[i].kept);
    store_whole(w.t.s);
    b_close(&w);
  }
}

TEST(deleted_cluster, shown)
{
  b_world w;
  deleted_open(&w, NULL, "?retainBackups=true");
  munit_assert_int64(deleted_count(&w, SNAPSHOTS), ==, 1);
  b_is(&w, "results[0].id", w.snapshot);
  b_is(&w, "results[0].status", "completed");
  b_good(&w, "GET", ONE, NULL, 200);
  b_good(&w, "GET", "%C/snapshots/%S", NULL, 200); /* the older view */
  b_is(&w, "clusterName", "C");
  b_good(&w, "PATCH", ONE, "{\"retentionUnit\":\"WEEKS\",\"retentionValue\":3}", 200);
  munit_assert_int64(deleted_count(&w, ALL), ==, 1);
  b_is(&w, "results[0].name", "C");
  b_is(&w, "results[0].stateName", "DELETED");
  b_is(&w, "results[0].backupEnabled", "false");
  b_is(&w, "results[0].connectionStrings.standard", "");
  munit_assert_int(t_send_raw(&w.t, "GET", t_keep(&w.t, strstr(t_str(&w.t, "results[0].links[0].href"), "/api/")), NULL, 0), ==, 200);
  munit_assert_int64(deleted_count(&w, "/groups/%G/clusters?includeDeletedWithRetainedBackups=false"), ==, 0);
  b_bad(&w, "POST", SNAPSHOTS, "{}", 404, "CLUSTER_NOT_FOUND"); /* a deleted cluster takes no new snapshots */
  b_bad(&w, "GET", "%C/backup/schedule", NULL, 404, "CLUSTER_NOT_FOUND");
  b_bad(&w, "PATCH", "%C", "{\"paused\":true}", 404, "CLUSTER_NOT_FOUND");
  b_good(&w, "GET", "/groups/%G", NULL, 200);
  b_is(&w, "clusterCount", "0");
  b_close(&w);
}

/* A snapshot of a deleted cluster can be restored into another cluster, and downloaded. */
TEST(deleted_cluster, restored)
{
  b_world w;
  deleted_open(&w, NULL, "?retainBackups=true");
  b_good(&w, "POST", LIST, B_CLUSTER("D", ""), 201);
  t_advance(&w.t, 10);
  b_good(&w, "POST", "%C/backup/restoreJobs", INTO("D"), 202);
  w.other = t_keep(&w.t, t_str(&w.t, "id"));
  b_bad(&w, "PATCH", "/groups/%G/clusters/D", "{\"backupEnabled\":true}", 400, "CLUSTER_RESTORE_IN_PROGRESS_CANNOT_UPDATE");
  t_advance(&w.t, 10);
  b_good(&w, "GET", "%C/backup/restoreJobs/%J", NULL, 200);
  b_is(&w, "failed", "false");
  munit_assert_string_not_equal(t_str(&w.t, "finishedAt"), "");
  b_good(&w, "POST", "%C/backup/restoreJobs", "{\"deliveryType\":\"download\",\"snapshotId\":\"%S\"}", 202);
  munit_assert_int64(deleted_count(&w, "%C/backup/restoreJobs"), ==, 2);
  munit_assert_int64(b_events(&w, "CPS_RESTORE_SUCCESSFUL"), ==, 1);
  /* the oplog for points in time is deleted */
  b_bad(&w, "POST", "%C/backup/restoreJobs",
        "{\"deliveryType\":\"pointInTime\",\"pointInTimeUTCSeconds\":1748736025,\"targetClusterName\":\"D\"}", 404, "BACKUP_CONFIG_NOT_FOUND");
  store_whole(w.t.s);
  b_close(&w);
}

TEST(deleted_cluster, shards)
{
  b_world w;
  deleted_open(&w, B_SHARDED("C"), "?retainBackups=true");
  b_good(&w, "GET", SNAPSHOTS "/shardedClusters", NULL, 200);
  munit_assert_size(t_count(&w.t, "results[0].members"), ==, 2);
  b_good(&w, "GET", SNAPSHOTS "/shardedCluster/%S", NULL, 200);
  b_good(&w, "DELETE", SNAPSHOTS "/shardedCluster/%S", NULL, 204);
  b_bad(&w, "GET", SNAPSHOTS, NULL, 404, "CLUSTER_NOT_FOUND");
  b_close(&w);
}

/* A snapshot in progress is deleted with the cluster. */
TEST(deleted_cluster, incomplete)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "POST", SNAPSHOTS, "{}", 202);
  b_good(&w, "DELETE", "%C?retainBackups=true", NULL, 202);
  w.t.now += 2600;
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  b_good(&w, "GET", SNAPSHOTS, NULL, 404);
  munit_assert_int64(deleted_count(&w, ALL), ==, 0);
  store_whole(w.t.s);
  b_close(&w);
}

/* The deleted cluster's record disappears with its last snapshot, when that expires or is deleted. */
TEST(deleted_cluster, ends)
{
  b_world w;
  const char *first;
  b_open_cluster(&w, NULL, NULL);
  b_snapshot(&w);
  first = w.snapshot;
  b_good(&w, "POST", SNAPSHOTS, "{\"retentionInDays\":20}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 10);
  b_good(&w, "DELETE", "%C?retainBackups=true", NULL, 202);
  t_advance(&w.t, 10);
  munit_assert_int64(deleted_count(&w, SNAPSHOTS), ==, 2);
  t_advance(&w.t, 8 * 86400);
  munit_assert_int64(deleted_count(&w, SNAPSHOTS), ==, 1);
  b_is(&w, "results[0].id", w.snapshot);
  munit_assert_string_not_equal(first, w.snapshot);
  t_advance(&w.t, 13 * 86400);
  b_bad(&w, "GET", SNAPSHOTS, NULL, 404, "CLUSTER_NOT_FOUND");
  munit_assert_int64(deleted_count(&w, ALL), ==, 0);
  store_whole(w.t.s);
  b_close(&w);

  deleted_open(&w, NULL, "?retainBackups=true");
  b_good(&w, "POST", "%C/backup/restoreJobs", "{\"deliveryType\":\"download\",\"snapshotId\":\"%S\"}", 202);
  b_good(&w, "DELETE", ONE, NULL, 204);
  b_bad(&w, "GET", SNAPSHOTS, NULL, 404, "CLUSTER_NOT_FOUND");
  munit_assert_int64(deleted_count(&w, ALL), ==, 0);
  store_whole(w.t.s);
  b_close(&w);
}

/* The snapshots and the deleted cluster's record are deleted with the project. */
TEST(deleted_cluster, project)
{
  b_world w;
  deleted_open(&w, NULL, "?retainBackups=true");
  b_good(&w, "DELETE", "/groups/%G", NULL, 202);
  munit_assert_size(store_whole(w.t.s), ==, 0);
  b_close(&w);
}

/* A new cluster can have the name of a deleted cluster. When the new cluster is deleted, too, the name refers to the newer of the two. */
TEST(deleted_cluster, namesake)
{
  const char *first;
  b_world w;
  deleted_open(&w, NULL, "?retainBackups=true");
  first = w.snapshot;
  b_good(&w, "POST", LIST, B_CLUSTER("C", B_BACKED), 201);
  t_advance(&w.t, 10);
  munit_assert_int64(deleted_count(&w, ALL), ==, 2);
  munit_assert_int64(deleted_count(&w, SNAPSHOTS), ==, 0);
  b_good(&w, "GET", ONE, NULL, 404);
  b_snapshot(&w);
  b_good(&w, "DELETE", "%C?retainBackups=true", NULL, 202);
  t_advance(&w.t, 10);
  munit_assert_int64(deleted_count(&w, ALL), ==, 2);
  munit_assert_int64(deleted_count(&w, SNAPSHOTS), ==, 1);
  b_is(&w, "results[0].id", w.snapshot);
  b_good(&w, "DELETE", ONE, NULL, 204);
  munit_assert_int64(deleted_count(&w, ALL), ==, 1); /* the older cluster stays until its snapshot expires */
  munit_assert_string_not_equal(first, w.snapshot);
  store_whole(w.t.s);
  t_advance(&w.t, 8 * 86400);
  munit_assert_int64(deleted_count(&w, ALL), ==, 0);
  store_whole(w.t.s);
  b_close(&w);
}

/* Under a compliance policy that keeps snapshots, a cluster can be deleted if its snapshots stay. */
TEST(deleted_cluster, compliance)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_snapshot(&w);
  b_good(&w, "PUT", "/groups/%G/backupCompliancePolicy",
         "{\"authorizedEmail\":\"ada@example.com\",\"authorizedUserFirstName\":\"Ada\",\"authorizedUserLastName\":\"Byron\"}", 200);
  t_advance(&w.t, 10);
  b_bad(&w, "DELETE", "%C", NULL, 400, "CANNOT_DELETE_SNAPSHOT_WITH_BACKUP_COMPLIANCE_POLICY");
  b_good(&w, "DELETE", "%C?retainBackups=true", NULL, 202);
  t_advance(&w.t, 10);
  munit_assert_int64(deleted_count(&w, SNAPSHOTS), ==, 1);
  b_close(&w);
}

/* Returns the costs of backups on the pending invoice. */
static double deleted_billed(b_world *w)
{
  char path[64];
  double sum = 0;
  size_t i;
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/orgs/%s/invoices/pending", w->org), ==, 200);
  for (i = 0; i < t_count(&w->t, "results[0].lineItems"); i++) {
    snprintf(path, sizeof path, "results[0].lineItems[%zu].sku", i);
    if (!strstr(t_str(&w->t, path), "BACKUP")) continue;
    snprintf(path, sizeof path, "results[0].lineItems[%zu].clusterName", i);
    munit_assert_string_equal(t_str(&w->t, path), "C");
    snprintf(path, sizeof path, "results[0].lineItems[%zu].quantity", i);
    sum += strtod(t_str(&w->t, path), NULL);
  }
  return sum;
}

/* Remaining snapshots cost money, on the invoice under the name of the cluster. */
TEST(deleted_cluster, money)
{
  double before;
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "POST", "/groups/%G/sampleDatasetLoad/C", NULL, 201); /* empty snapshots cost nothing */
  t_advance(&w.t, 60);
  b_snapshot(&w);
  b_good(&w, "DELETE", "%C?retainBackups=true", NULL, 202);
  t_advance(&w.t, 10);
  b_good(&w, "PATCH", ONE, "{\"retentionUnit\":\"MONTHS\",\"retentionValue\":3}", 200);
  t_advance(&w.t, 86400);
  before = deleted_billed(&w);
  munit_assert_double(before, >, 0);
  t_advance(&w.t, 26 * 86400);
  munit_assert_double(deleted_billed(&w), >, before);
  b_close(&w);
}

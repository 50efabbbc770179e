/*
** Snapshots: on demand, in their states, with the data of their cluster; the view of sharded clusters' snapshots;
** their retention, their costs, and the orders to a driver.
**
** Tests also: snapshot_of_shards
*/
#include "catalog/backup_world.h"
#include "damaged.h"
#include "driver.h"

#define SNAPSHOTS "%C/backup/snapshots"
#define ONE SNAPSHOTS "/%S"

/* --------------------------------------------------------------------------------------------------------------- states */

TEST(snapshot, on_demand)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "POST", SNAPSHOTS, "{\"description\":\"mine\",\"retentionInDays\":3}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  b_is(&w, "status", "queued");
  b_is(&w, "snapshotType", "onDemand");
  b_is(&w, "description", "mine");
  b_is(&w, "createdAt", "2025-06-01T00:00:10Z");
  b_is(&w, "expiresAt", "2025-06-04T00:00:10Z");
  b_is(&w, "cloudProvider", "AWS");
  b_is(&w, "dbdVersion", "8.0.9");
  b_is(&w, "type", "replicaSet");
  b_is(&w, "storageSizeBytes", "0");
  b_is(&w, "frequencyType", "");
  b_is(&w, "retentionInDays", "");
  munit_assert_size(strlen(t_str(&w.t, "replicaSetName")), ==, 14);
  b_bad(&w, "POST", SNAPSHOTS, "{}", 400, "UNFINISHED_ON_DEMAND_SNAPSHOT");
  munit_assert_string_equal(t_param(&w.t, 0), "C");
  b_bad(&w, "DELETE", ONE, NULL, 400, "CANNOT_DELETE_IN_PROGRESS_SNAPSHOT");
  munit_assert_string_equal(t_param(&w.t, 0), w.snapshot);
  w.t.now += 500;
  b_good(&w, "GET", ONE, NULL, 200);
  b_is(&w, "status", "inProgress");
  b_bad(&w, "POST", SNAPSHOTS, "{}", 400, "UNFINISHED_ON_DEMAND_SNAPSHOT");
  b_bad(&w, "DELETE", ONE, NULL, 400, "CANNOT_DELETE_IN_PROGRESS_SNAPSHOT");
  w.t.now += 2500;
  b_good(&w, "GET", ONE, NULL, 200);
  b_is(&w, "status", "completed");
  munit_assert_int64(t_int(&w.t, "storageSizeBytes"), >=, (int64_t)300 << 20); /* even without data in the cluster */
  b_good(&w, "POST", SNAPSHOTS, "{}", 202);
  b_is(&w, "expiresAt", "2025-06-08T00:00:13Z");
  munit_assert_int64(b_events(&w, "CPS_ON_DEMAND_SNAPSHOT_REQUESTED"), ==, 2);
  munit_assert_int64(b_events(&w, "CPS_SNAPSHOT_STARTED"), ==, 1);
  munit_assert_int64(b_events(&w, "CPS_SNAPSHOT_SUCCESSFUL"), ==, 1);
  b_good(&w, "GET", "/groups/%G/events?eventType=CPS_SNAPSHOT_SUCCESSFUL&clusterNames=C", NULL, 200);
  b_is(&w, "results[0].clusterName", "C");
  b_is(&w, "results[0].resourceId", w.snapshot);
  b_close(&w);
}

TEST(snapshot, expiry)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "DELETE", "%C/backup/schedule", NULL, 200);
  b_good(&w, "POST", SNAPSHOTS, "{\"retentionInDays\":1}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 86399);
  b_good(&w, "GET", ONE, NULL, 200);
  t_advance(&w.t, 1);
  b_good(&w, "GET", ONE, NULL, 404);
  munit_assert_string_equal(t_error(&w.t), "SNAPSHOT_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 1), "C");
  munit_assert_int64(b_events(&w, "CPS_SNAPSHOT_DELETED_AUDIT"), ==, 1);
  store_whole(w.t.s);
  b_close(&w);
}

/* Only clusters with backups have snapshots. */
TEST(snapshot, disabled)
{
  b_world w;
  b_open_cluster(&w, NULL, B_CLUSTER("C", ""));
  b_bad(&w, "POST", SNAPSHOTS, "{}", 404, "BACKUP_CONFIG_NOT_FOUND");
  b_bad_field(&w, "POST", SNAPSHOTS, "{\"retentionInDays\":0}", "retentionInDays");
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  b_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------ retention */

TEST(snapshot, retention)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_snapshot(&w);
  b_good(&w, "PATCH", ONE, "{\"retentionUnit\":\"MONTHS\",\"retentionValue\":1}", 200);
  b_is(&w, "expiresAt", "2025-07-01T00:00:10Z");
  b_is(&w, "retentionUnit", "");
  munit_assert_int64(b_events(&w, "CPS_SNAPSHOT_RETENTION_MODIFIED_AUDIT"), ==, 1);
  b_bad_field(&w, "PATCH", ONE, "{\"retentionUnit\":\"WEEKS\"}", "retentionValue");
  b_bad_field(&w, "PATCH", ONE, "{\"retentionValue\":3}", "retentionUnit");
  b_bad_field(&w, "PATCH", ONE, "{\"retentionUnit\":\"weeks\",\"retentionValue\":3}", "retentionUnit");
  b_bad_field(&w, "PATCH", ONE, "{\"description\":\"another\"}", "description");
  t_advance(&w.t, 3 * 86400);
  b_bad(&w, "PATCH", ONE, "{\"retentionUnit\":\"DAYS\",\"retentionValue\":2}", 400,
        "BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID");
  b_bad(&w, "PATCH", ONE, "{\"retentionUnit\":\"YEARS\",\"retentionValue\":11}", 400,
        "BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID");
  b_good(&w, "PATCH", ONE, "{\"retentionUnit\":\"DAYS\",\"retentionValue\":4}", 200);
  t_advance(&w.t, 86400);
  b_good(&w, "GET", ONE, NULL, 404);
  b_close(&w);
}

/* An on-demand snapshot without a retention has the retention of the schedule's item "ondemand". */
TEST(snapshot, retention_of_schedule)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", "%C/backup/schedule", B_POLICY(B_ITEM("ondemand", 1, "weeks", 2)), 200);
  b_good(&w, "POST", SNAPSHOTS, "{}", 202);
  b_is(&w, "expiresAt", "2025-06-15T00:00:10Z");
  t_advance(&w.t, 86400); /* such an item takes no snapshots by itself */
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  b_close(&w);
}

/* ---------------------------------------------------------------------------------------------------------------- lists */

TEST(snapshot, list)
{
  b_world w;
  t_reads few, many;
  svc_config config = { .limiter_off = 1, .store = t_counting_port() };
  b_open_cluster(&w, &config, NULL);
  b_good(&w, "PATCH", "%C/backup/schedule", B_POLICY(B_ITEM("hourly", 1, "days", 80)), 200);
  t_advance(&w.t, 86400);
  b_good(&w, "GET", SNAPSHOTS "?itemsPerPage=5", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 24);
  b_is(&w, "results[0].createdAt", "2025-06-02T00:00:00Z"); /* the newest first */
  t_reads_taken();
  b_good(&w, "GET", SNAPSHOTS "?itemsPerPage=5", NULL, 200);
  few = t_reads_taken();
  b_good(&w, "GET", SNAPSHOTS "?pointInTimeUtcSeconds=1748751000", NULL, 200); /* 2025-06-01T04:10 */
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 4);
  b_is(&w, "results[0].createdAt", "2025-06-01T04:00:00Z");
  b_good(&w, "GET", SNAPSHOTS "?oplogTs=1748751000&oplogInc=1", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 4);
  b_bad(&w, "GET", SNAPSHOTS "?oplogTs=1748751000", NULL, 400, "MISSING_QUERY_PARAMETER");
  munit_assert_string_equal(t_param(&w.t, 0), "oplogInc");
  b_bad(&w, "GET", SNAPSHOTS "?oplogInc=1", NULL, 400, "MISSING_QUERY_PARAMETER");
  b_bad(&w, "GET", SNAPSHOTS "?oplogTs=1748751000&oplogInc=1&pointInTimeUtcSeconds=1748751000", NULL, 400,
        "MUTUALLY_EXCLUSIVE_QUERY_PARAMETERS");
  b_bad(&w, "GET", SNAPSHOTS "?oplogInc=1&pointInTimeUtcSeconds=1748751000", NULL, 400, "MUTUALLY_EXCLUSIVE_QUERY_PARAMETERS");
  t_advance(&w.t, 60 * 86400);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  t_reads_taken();
  b_good(&w, "GET", SNAPSHOTS "?itemsPerPage=5", NULL, 200);
  many = t_reads_taken();
  munit_assert_int64(t_int(&w.t, "totalCount"), >, 1000);
  munit_assert_long(many.rows + many.gets, <=, few.rows + few.gets); /* a page costs the same among a thousand as among 24 */
  b_close(&w);
}

/* At the maximum no on-demand snapshot is accepted. The schedule continues when there is room again. */
TEST(snapshot, most)
{
  b_world w;
  int i;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", "%C/backup/schedule", B_POLICY(B_ITEM("hourly", 1, "days", 80)), 200);
  t_advance(&w.t, 80 * 86400 + 100);
  for (i = 0; i < 2500 - 80 * 24; i++) {
    b_good(&w, "POST", SNAPSHOTS, "{\"retentionInDays\":30}", 202);
    w.t.now += 3000;
  }
  b_good(&w, "GET", SNAPSHOTS "?itemsPerPage=1", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2500);
  b_bad(&w, "POST", SNAPSHOTS, "{}", 403, "BACKUP_LIMIT_EXCEEDED");
  munit_assert_string_equal(t_param(&w.t, 0), "2500");
  t_advance(&w.t, 90 * 86400);
  b_good(&w, "GET", SNAPSHOTS "?itemsPerPage=1", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 80 * 24);
  b_close(&w);
}

/* --------------------------------------------------------------------------------------------------------------- shards */

TEST(snapshot, shards)
{
  b_world w;
  b_open_cluster(&w, NULL, B_SHARDED("C"));
  b_snapshot(&w);
  b_good(&w, "GET", ONE, NULL, 200);
  b_is(&w, "type", "shardedCluster");
  b_is(&w, "replicaSetName", "");
  b_is(&w, "members", "");
  b_good(&w, "GET", SNAPSHOTS "/shardedCluster/%S", NULL, 200);
  b_is(&w, "id", w.snapshot);
  b_is(&w, "configServerType", "EMBEDDED");
  munit_assert_size(t_count(&w.t, "members"), ==, 2);
  munit_assert_size(t_count(&w.t, "snapshotIds"), ==, 2);
  b_is(&w, "members[0].cloudProvider", "AWS");
  munit_assert_string_equal(t_str(&w.t, "members[1].id"), t_str(&w.t, "snapshotIds[1]"));
  munit_assert_not_null(strstr(t_str(&w.t, "members[1].replicaSetName"), "-shard-1"));
  munit_assert_not_null(strstr(t_link(&w.t, "self"), "/backup/snapshots/shardedCluster/"));
  b_good(&w, "GET", SNAPSHOTS "/shardedClusters", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_size(t_count(&w.t, "results[0].members"), ==, 2);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  b_good(&w, "PATCH", ONE, "{\"retentionUnit\":\"WEEKS\",\"retentionValue\":3}", 200);
  b_good(&w, "GET", SNAPSHOTS "/shardedCluster/%S", NULL, 200);
  b_is(&w, "expiresAt", "2025-06-22T00:00:10Z");
  munit_assert_size(t_count(&w.t, "members"), ==, 2);
  b_good(&w, "DELETE", SNAPSHOTS "/shardedCluster/%S", NULL, 204);
  b_good(&w, "GET", ONE, NULL, 404);
  b_good(&w, "POST", SNAPSHOTS, "{}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  b_bad(&w, "DELETE", SNAPSHOTS "/shardedCluster/%S", NULL, 400, "CANNOT_DELETE_IN_PROGRESS_SNAPSHOT");
  b_close(&w);
}

/* An unsharded cluster has no snapshots of shards. After it was sharded, the list has the snapshots taken since. */
TEST(snapshot, becomes_sharded)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_snapshot(&w);
  b_good(&w, "GET", SNAPSHOTS "/shardedClusters", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  b_bad(&w, "GET", SNAPSHOTS "/shardedCluster/%S", NULL, 404, "SNAPSHOT_NOT_FOUND");
  b_bad(&w, "DELETE", SNAPSHOTS "/shardedCluster/%S", NULL, 404, "SNAPSHOT_NOT_FOUND");
  b_good(&w, "PATCH", "%C", "{\"clusterType\":\"SHARDED\"}", 200);
  t_advance(&w.t, 10);
  b_good(&w, "GET", SNAPSHOTS "/shardedClusters", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  b_snapshot(&w);
  b_good(&w, "GET", SNAPSHOTS "/shardedClusters", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  b_is(&w, "results[0].id", w.snapshot);
  b_good(&w, "GET", SNAPSHOTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  b_close(&w);
}

/* --------------------------------------------------------------------------------------------------------------- driver */

/* The driver reports when a snapshot is taken, and its size, or a failure. */
TEST(snapshot, driver)
{
  t_driver d;
  svc_config config = { .limiter_off = 1, .driver = t_driver_init(&d) };
  b_world w;
  t_driver_does(&d, "cluster.", NULL);
  b_open(&w, &config);
  b_good(&w, "POST", "/groups/%G/clusters", B_SHARDED("C"), 201);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  b_good(&w, "POST", SNAPSHOTS, "{}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 1);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_not_null(strstr(t_driver_order(&d, "snapshot.take")->desired, w.snapshot));
  munit_assert_not_null(strstr(t_driver_order(&d, "snapshot.take")->desired, "\"members\":[{"));
  t_advance(&w.t, 3600);
  b_good(&w, "GET", ONE, NULL, 200);
  b_is(&w, "status", "inProgress"); /* no state changes without the driver */
  t_driver_finish(&d, w.t.s, "snapshot.take", SVC_OK, "{\"storageSizeBytes\":123456789}");
  b_good(&w, "GET", ONE, NULL, 200);
  b_is(&w, "status", "completed");
  b_is(&w, "storageSizeBytes", "123456789");
  b_good(&w, "POST", SNAPSHOTS, "{}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 1);
  t_driver_finish(&d, w.t.s, "snapshot.take", SVC_IO, "{\"reason\":\"no disk\"}");
  b_good(&w, "GET", ONE, NULL, 200);
  b_is(&w, "status", "failed");
  munit_assert_int64(b_events(&w, "CPS_SNAPSHOT_FAILED"), ==, 1);
  b_good(&w, "POST", SNAPSHOTS, "{}", 202); /* a failed snapshot is not in progress */
  b_good(&w, "DELETE", ONE, NULL, 204);
  b_close(&w);
}

/* The driver gets an order for every deleted snapshot: deleted by request, expired, or deleted with its cluster. */
TEST(snapshot, forgotten)
{
  t_driver d;
  svc_config config = { .limiter_off = 1, .driver = t_driver_init(&d) };
  const t_order *order;
  b_world w;
  int i;
  t_driver_does(&d, "", NULL);
  b_open(&w, &config);
  b_good(&w, "POST", "/groups/%G/clusters", B_SHARDED("C"), 201);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  for (i = 0; i < 3; i++) {
    b_good(&w, "POST", SNAPSHOTS, "{\"retentionInDays\":1}", 202);
    w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
    t_advance(&w.t, 1);
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
    b_good(&w, "GET", ONE, NULL, 200);
    b_is(&w, "status", "completed");
    munit_assert_string_not_equal(t_driver_order(&d, "snapshot.delete")->resource_id, w.snapshot);
    if (i == 0) b_good(&w, "DELETE", ONE, NULL, 204);
    if (i == 1) t_advance(&w.t, 86400);
    if (i == 2) b_good(&w, "DELETE", "%C", NULL, 202);
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
    order = t_driver_order(&d, "snapshot.delete");
    munit_assert_string_equal(order->resource_id, w.snapshot);
    munit_assert_not_null(strstr(order->desired, w.snapshot));
    munit_assert_string_equal(order->group_id, t_driver_order(&d, "snapshot.take")->group_id); /* also after the delete of its cluster */
    munit_assert_string_equal(order->org_id, t_driver_order(&d, "snapshot.take")->org_id);
    munit_assert_string_equal(order->name, w.snapshot); /* a snapshot's name is its id */
  }
  b_good(&w, "GET", "%C", NULL, 404);
  b_close(&w);
}

/* ---------------------------------------------------------------------------------------------------------------- money */

/* Returns the number of ledger lines about backups. *running: the quantity of those in progress. */
static int ledger(b_world *w, int64_t *running)
{
  svc_ledger_line line;
  svc_scan scan;
  svc_txn *txn;
  svc_id org;
  int n = 0;
  *running = 0;
  munit_assert_true(svc_id_parse(svc_str_c(w->org), &org));
  munit_assert_int(w->t.s->commit.port->read_begin(w->t.s->commit.store, &txn), ==, SVC_OK);
  svc_ledger_begin(&scan, txn, &org, 0);
  while (svc_ledger_next(&scan, &line)) {
    if (!svc_str_is(line.meter.sku, "BACKUP_STORAGE_AWS")) continue;
    n++;
    if (line.until == 0) *running += line.meter.quantity;
  }
  w->t.s->commit.port->read_end(txn);
  return n;
}

TEST(snapshot, money)
{
  int64_t running, size;
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "DELETE", "%C/backup/schedule", NULL, 200);
  b_good(&w, "POST", SNAPSHOTS, "{}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_int(ledger(&w, &running), ==, 0); /* no costs before the snapshot is completed */
  t_advance(&w.t, 10);
  b_good(&w, "GET", ONE, NULL, 200);
  size = t_int(&w.t, "storageSizeBytes");
  munit_assert_int(ledger(&w, &running), ==, 1);
  munit_assert_int64(running, ==, size / 1000000); /* thousandths of gigabytes */
  b_good(&w, "DELETE", ONE, NULL, 204);
  munit_assert_int(ledger(&w, &running), ==, 1);
  munit_assert_int64(running, ==, 0);
  b_close(&w);
}

/* A cluster created before November 2020 has a replica set with the cluster's own name. A damaged cluster without extra data has a
** replica set with the default name. */
TEST(snapshot, replica_set_names)
{
  static const svc_config quiet = { .limiter_off = 1 };
  const char *id;
  b_world w;
  memset(&w, 0, sizeof w);
  w.snapshot = w.other = w.role = "";
  t_open(&w.t, &quiet);
  w.t.now = svc_day_ms(20200601);
  w.org = t_organization(&w.t, "Acme");
  w.group = t_project(&w.t, w.org, "alpha");
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("C", B_BACKED), 201);
  id = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 10);
  b_snapshot(&w);
  b_good(&w, "GET", ONE, NULL, 200);
  b_is(&w, "replicaSetName", "C-shard-0");
  damaged_extra(&w.t, "cluster", w.group, id, SVC_S(""));
  b_snapshot(&w);
  b_good(&w, "GET", ONE, NULL, 200);
  b_is(&w, "replicaSetName", "shards-shard-0");
  b_good(&w, "GET", "/clusters", NULL, 200); /* a damaged cluster is not in the list of all clusters */
  munit_assert_size(t_count(&w.t, "results[0].clusters"), ==, 0);
  b_close(&w);
}

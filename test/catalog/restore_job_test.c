/*
** Restore jobs: into a cluster, also of another project; as downloads; to a point in time; the operations that they
** block meanwhile; and their older view.
**
** Tests also: legacy_restore_job
*/
#include "catalog/backup_world.h"
#include "damaged.h"
#include "driver.h"
#include "needs.h"

T_NEEDS(restore_job) = {
  T_CANCELS("/groups/{groupId}/clusters/{clusterName}/backup/restoreJobs/{restoreJobId}"),
  T_NEEDS_END
};

#define JOBS "%C/backup/restoreJobs"
#define JOB JOBS "/%J"
#define INTO(name) \
  "{\"deliveryType\":\"automated\",\"snapshotId\":\"%S\",\"targetClusterName\":\"" name "\",\"targetGroupId\":\"%G\"}"
#define FILES "{\"deliveryType\":\"download\",\"snapshotId\":\"%S\"}"

static void begin(b_world *w, const char *body)
{
  b_good(w, "POST", JOBS, body, 202);
  w->other = t_keep(&w->t, t_str(&w->t, "id"));
}

/* -------------------------------------------------------------------------------------------------------------- automated */

TEST(restore_job, automated)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("D", ""), 201);
  t_advance(&w.t, 10);
  b_snapshot(&w);
  begin(&w, INTO("D"));
  b_is(&w, "cancelled", "false");
  b_is(&w, "expired", "false");
  b_is(&w, "failed", "false");
  b_is(&w, "finishedAt", "");
  b_is(&w, "state", "");
  b_is(&w, "timestamp", "2025-06-01T00:00:20Z");
  b_is(&w, "targetGroupId", w.group);
  b_is(&w, "targetDeploymentItemName", "D");
  munit_assert_size(t_count(&w.t, "deliveryUrl"), ==, 0);
  munit_assert_not_null(strstr(w.t.response.body, "\"deliveryUrl\":[],\"desiredTimestamp\":{}"));
  /* only changes without work on the hosts are accepted meanwhile */
  b_bad(&w, "PATCH", "/groups/%G/clusters/D", "{\"paused\":true}", 400, "CLUSTER_RESTORE_IN_PROGRESS_CANNOT_UPDATE");
  munit_assert_string_equal(t_param(&w.t, 0), "D");
  b_bad(&w, "PATCH", "/groups/%G/clusters/D", "{\"backupEnabled\":true}", 400, "CLUSTER_RESTORE_IN_PROGRESS_CANNOT_UPDATE");
  b_good(&w, "PATCH", "/groups/%G/clusters/D", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}", 200);
  b_good(&w, "PATCH", "%C", "{\"pitEnabled\":true}", 200);
  b_bad(&w, "POST", JOBS, INTO("D"), 409, "CLUSTER_RESTORE_IN_PROGRESS");
  b_bad(&w, "DELETE", JOB, NULL, 400, "CANNOT_CANCEL_AUTOMATED_RESTORE");
  munit_assert_string_equal(t_param(&w.t, 0), w.other);
  t_advance(&w.t, 5);
  b_good(&w, "GET", JOB, NULL, 200);
  b_is(&w, "finishedAt", "2025-06-01T00:00:35Z");
  b_is(&w, "failed", "false");
  b_is(&w, "deliveryUrl", "");
  b_good(&w, "PATCH", "/groups/%G/clusters/D", "{\"backupEnabled\":true}", 200);
  t_advance(&w.t, 10);
  b_good(&w, "POST", JOBS, INTO("D"), 202);
  b_good(&w, "GET", JOBS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_int64(b_events(&w, "CPS_RESTORE_REQUESTED_AUDIT"), ==, 2);
  munit_assert_int64(b_events(&w, "CPS_RESTORE_SUCCESSFUL"), ==, 1);
  store_whole(w.t.s);
  b_close(&w);
}

/* The target cluster is deleted before the restore completes. */
TEST(restore_job, target_gone)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("D", ""), 201);
  t_advance(&w.t, 10);
  b_snapshot(&w);
  begin(&w, INTO("D"));
  b_good(&w, "DELETE", "/groups/%G/clusters/D", NULL, 202);
  t_advance(&w.t, 5);
  b_good(&w, "GET", JOB, NULL, 200);
  b_is(&w, "failed", "true");
  munit_assert_int64(b_events(&w, "CPS_RESTORE_FAILED"), ==, 1);
  munit_assert_int64(b_events(&w, "CPS_RESTORE_SUCCESSFUL"), ==, 0);
  store_whole(w.t.s);
  b_close(&w);
}

TEST(restore_job, rules)
{
  const char *id;
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "POST", "/groups/%G/clusters", B_SHARDED("S"), 201);
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("D", ""), 201);
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("Old", ",\"dbMajorVersion\":\"7.0\""), 201);
  t_advance(&w.t, 10);
  b_snapshot(&w);
  b_bad_field(&w, "POST", JOBS, "{}", "deliveryType");
  b_bad_field(&w, "POST", JOBS, "{\"deliveryType\":\"automated\",\"snapshotId\":\"%S\"}", "targetClusterName");
  b_bad_field(&w, "POST", JOBS, "{\"deliveryType\":\"automated\",\"targetClusterName\":\"D\"}", "snapshotId");
  b_bad_field(&w, "POST", JOBS, "{\"deliveryType\":\"download\"}", "snapshotId");
  b_bad_field(&w, "POST", JOBS, "{\"deliveryType\":\"download\",\"snapshotId\":\"%S\",\"targetClusterName\":\"D\"}",
              "targetClusterName");
  b_bad_field(&w, "POST", JOBS,
              "{\"deliveryType\":\"download\",\"snapshotId\":\"%S\",\"oplogTs\":1748751000,\"oplogInc\":1}", "oplogTs");
  b_bad_field(&w, "POST", JOBS, "{\"deliveryType\":\"pointInTime\",\"targetClusterName\":\"D\"}", "pointInTimeUTCSeconds");
  b_bad_field(&w, "POST", JOBS, "{\"deliveryType\":\"pointInTime\",\"targetClusterName\":\"D\",\"oplogTs\":1748751000}",
              "oplogInc");
  b_bad_field(&w, "POST", JOBS, "{\"deliveryType\":\"pointInTime\",\"snapshotId\":\"%S\",\"targetClusterName\":\"D\","
                                "\"pointInTimeUTCSeconds\":1748736015}", "snapshotId");
  b_bad(&w, "POST", JOBS,
        "{\"deliveryType\":\"pointInTime\",\"targetClusterName\":\"D\",\"pointInTimeUTCSeconds\":1748736015,"
                          "\"oplogTs\":1748736015,\"oplogInc\":1}", 409, "BACKUP_CONFLICTING_OPTIONS");
  b_bad(&w, "POST", JOBS, INTO("Nobody"), 404, "CLUSTER_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 0), "Nobody");
  b_bad_field(&w, "POST", JOBS, INTO("S"), "targetClusterName");   /* another number of shards */
  b_bad_field(&w, "POST", JOBS, INTO("Old"), "targetClusterName"); /* an older database version */
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("Older", B_BACKED ",\"dbMajorVersion\":\"7.0\""), 201);
  t_advance(&w.t, 10);
  id = t_keep(&w.t, w.snapshot);
  b_good(&w, "POST", "/groups/%G/clusters/Older/backup/snapshots", "{}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 10);
  b_good(&w, "POST", "/groups/%G/clusters/Older/backup/restoreJobs", INTO("D"), 202); /* into a newer version */
  t_advance(&w.t, 10);
  w.snapshot = id;
  b_good(&w, "PATCH", "/groups/%G/clusters/D", "{\"paused\":true}", 200);
  b_bad(&w, "POST", JOBS, INTO("D"), 400, "CLUSTER_PAUSED_CANNOT_RESTORE");
  b_good(&w, "DELETE", "/groups/%G/clusters/Old", NULL, 202);
  b_bad(&w, "POST", JOBS, INTO("Old"), 400, "CLUSTER_ALREADY_REQUESTED_DELETION");
  /* another cluster's snapshot, and one that is not completed */
  b_bad(&w, "POST", "/groups/%G/clusters/S/backup/restoreJobs", FILES, 404, "SNAPSHOT_NOT_FOUND");
  b_good(&w, "POST", "%C/backup/snapshots", "{}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  b_bad(&w, "POST", JOBS, FILES, 409, "CANNOT_DOWNLOAD_INCOMPLETE_SNAPSHOT");
  b_bad(&w, "POST", JOBS, INTO("C"), 409, "CANNOT_DOWNLOAD_INCOMPLETE_SNAPSHOT");
  w.other = "5f0000000000000000000001";
  b_bad(&w, "GET", JOB, NULL, 404, "RESTORE_JOB_NOT_FOUND");
  b_close(&w);
}

/* A restore into another project needs the same role there. */
TEST(restore_job, elsewhere)
{
  static const char body[] =
    "{\"deliveryType\":\"automated\",\"snapshotId\":\"%S\",\"targetClusterName\":\"E\",\"targetGroupId\":\"%J\"}";
  const char *other, *mine;
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  mine = w.group;
  other = t_project(&w.t, w.org, "beta");
  w.group = other;
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("E", ""), 201);
  w.group = mine;
  t_advance(&w.t, 10);
  b_snapshot(&w);
  w.other = other;
  w.t.grants[0] = (svc_grant){ "GROUP_BACKUP_RECOVERY_OPERATOR", mine };
  b_bad(&w, "POST", JOBS, body, 401, "USER_UNAUTHORIZED");
  w.t.grants[1] = (svc_grant){ "GROUP_BACKUP_CREATOR", other };
  w.t.caller.grant_count = 2;
  b_bad(&w, "POST", JOBS, body, 403, "ACCESS_FORBIDDEN");
  w.t.grants[1] = (svc_grant){ "GROUP_BACKUP_RECOVERY_OPERATOR", other };
  b_good(&w, "POST", JOBS, body, 202);
  b_is(&w, "targetGroupId", other);
  w.t.grants[0] = (svc_grant){ "ORG_OWNER", NULL };
  w.t.caller.grant_count = 1;
  w.group = other;
  b_bad(&w, "PATCH", "/groups/%G/clusters/E", "{\"backupEnabled\":true}", 400, "CLUSTER_RESTORE_IN_PROGRESS_CANNOT_UPDATE");
  t_advance(&w.t, 5);
  b_good(&w, "PATCH", "/groups/%G/clusters/E", "{\"backupEnabled\":true}", 200); /* its schedule belongs to its own project */
  t_advance(&w.t, 86400);
  b_good(&w, "GET", "/groups/%G/clusters/E/backup/snapshots", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 4);
  w.group = mine;
  w.other = "5f0000000000000000000001";
  b_bad(&w, "POST", JOBS, body, 404, "GROUP_NOT_FOUND");
  store_whole(w.t.s);
  b_close(&w);
}

/* A sharded cluster is restored only into one with the same number of shards. */
TEST(restore_job, shards)
{
  b_world w;
  b_open_cluster(&w, NULL, B_SHARDED("C"));
  b_snapshot(&w);
  b_good(&w, "POST", "/groups/%G/clusters", "{\"name\":\"three\",\"clusterType\":\"SHARDED\",\"replicationSpecs\":[" B_SPEC "," B_SPEC "," B_SPEC "]}", 201);
  b_good(&w, "POST", "/groups/%G/clusters", "{\"name\":\"two\",\"clusterType\":\"SHARDED\",\"replicationSpecs\":[" B_SPEC "," B_SPEC "]}", 201);
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("none", ""), 201);
  t_advance(&w.t, 10);
  b_bad_field(&w, "POST", JOBS, INTO("three"), "targetClusterName");
  b_bad_field(&w, "POST", JOBS, INTO("none"), "targetClusterName");
  b_good(&w, "POST", JOBS, INTO("two"), 202);
  b_close(&w);
}

/* --------------------------------------------------------------------------------------------------------------- download */

TEST(restore_job, download)
{
  b_world w;
  int i;
  b_open_cluster(&w, NULL, B_SHARDED("C"));
  b_snapshot(&w);
  begin(&w, FILES);
  b_is(&w, "deliveryUrl", "");
  t_advance(&w.t, 5);
  b_good(&w, "GET", JOB, NULL, 200);
  b_is(&w, "finishedAt", "2025-06-01T00:00:25Z");
  b_is(&w, "expiresAt", "2025-06-08T00:00:25Z");
  munit_assert_size(t_count(&w.t, "deliveryUrl"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "components[1].downloadUrl"), t_str(&w.t, "deliveryUrl[1]"));
  munit_assert_not_null(strstr(t_str(&w.t, "components[1].replicaSetName"), "-shard-1"));
  for (i = 0; i < 4; i++) b_good(&w, "POST", JOBS, FILES, 202);
  b_bad(&w, "POST", JOBS, FILES, 400, "TOO_MANY_SNAPSHOT_DOWNLOADS");
  b_good(&w, "DELETE", JOB, NULL, 204);
  b_good(&w, "GET", JOB, NULL, 200);
  b_is(&w, "cancelled", "true");
  b_is(&w, "deliveryUrl", "");
  b_good(&w, "DELETE", JOB, NULL, 204); /* again: nothing happens */
  b_good(&w, "POST", JOBS, FILES, 202); /* the limit allows another one */
  w.other = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 7 * 86400 - 60);
  b_good(&w, "GET", JOB, NULL, 200);
  b_is(&w, "expired", "false");
  t_advance(&w.t, 65);
  b_good(&w, "GET", JOB, NULL, 200);
  b_is(&w, "expired", "true");
  b_is(&w, "deliveryUrl", "");
  t_advance(&w.t, 90 * 86400); /* finished jobs are deleted later, too */
  b_good(&w, "GET", JOBS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  store_whole(w.t.s);
  b_close(&w);
}

/* ---------------------------------------------------------------------------------------------------------- point in time */

TEST(restore_job, point_in_time)
{
#define POINT(second) "{\"deliveryType\":\"pointInTime\",\"targetClusterName\":\"D\",\"pointInTimeUTCSeconds\":" #second "}"
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("D", ""), 201);
  t_advance(&w.t, 10);
  b_snapshot(&w); /* at 00:00:20 */
  b_bad_field(&w, "POST", JOBS, POINT(1748736022), "deliveryType"); /* without continuous backups */
  b_good(&w, "PATCH", "%C", "{\"pitEnabled\":true}", 200);
  t_advance(&w.t, 60);
  b_bad_field(&w, "POST", JOBS, POINT(1748736019), "pointInTimeUTCSeconds"); /* before the first snapshot */
  b_bad_field(&w, "POST", JOBS, POINT(1748739999), "pointInTimeUTCSeconds"); /* in the future */
  begin(&w, POINT(1748736022));
  b_is(&w, "desiredTimestamp.date", "2025-06-01T00:00:22Z");
  b_is(&w, "desiredTimestamp.increment", "1");
  munit_assert_null(t_node(&w.t, "desiredTimestamp.time"));
  b_is(&w, "snapshotId", "");
  t_advance(&w.t, 10);
  b_good(&w, "POST", JOBS,
         "{\"deliveryType\":\"pointInTime\",\"targetClusterName\":\"D\",\"oplogTs\":1748736022,\"oplogInc\":7}", 202);
  b_is(&w, "desiredTimestamp.increment", "7");
  b_good(&w, "PATCH", "%C/backup/schedule", "{\"restoreWindowDays\":2}", 200);
  t_advance(&w.t, 2 * 86400);
  b_bad_field(&w, "POST", JOBS, POINT(1748736022), "pointInTimeUTCSeconds"); /* before the window */
  begin(&w, POINT(1748790000));
  t_advance(&w.t, 10);
  b_good(&w, "GET", "%C", NULL, 200); /* a damaged window counts as the default */
  w.other = t_keep(&w.t, t_str(&w.t, "id"));
  damaged_body(&w.t, "backup schedule", w.other, "", "\"restoreWindowDays\":2", "\"restoreWindowDays\":9000000000000000000");
  b_good(&w, "POST", JOBS, POINT(1748790000), 202);
  t_advance(&w.t, 10);
  b_good(&w, "GET", "%C/snapshotSchedule", NULL, 200);
  b_is(&w, "pointInTimeWindowHours", "0");
  damaged_body(&w.t, "backup schedule", w.other, "", "\"restoreWindowDays\":9000000000000000000", "\"restoreWindowDays\":0");
  t_advance(&w.t, 6 * 86400);
  b_bad_field(&w, "POST", JOBS, POINT(1748790000), "pointInTimeUTCSeconds"); /* before the default window */
  b_good(&w, "PATCH", "%C", "{\"pitEnabled\":false,\"backupEnabled\":false}", 200);
  t_advance(&w.t, 10);
  b_bad(&w, "POST", JOBS, POINT(1749100000), 404, "BACKUP_CONFIG_NOT_FOUND");
  b_close(&w);
}

/* ----------------------------------------------------------------------------------------------------------------- driver */

/* A driver reports the places of the files, or a failure: then the cluster accepts changes again. */
TEST(restore_job, driver)
{
  t_driver d;
  b_world w;
  t_driver_init(&d);
  t_driver_does(&d, "cluster.", NULL);
  t_driver_does(&d, "snapshot.take", NULL);
  b_open_driven(&w, &d.port);
  b_good(&w, "POST", "%C/backup/snapshots", "{}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 1);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  begin(&w, FILES);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_null(strstr(t_driver_order(&d, "restore.run")->desired, "\"state\""));
  t_driver_finish(&d, w.t.s, "restore.run", SVC_OK, "{\"deliveryUrl\":[\"https://files.example.com/a\"]}");
  b_good(&w, "GET", JOB, NULL, 200);
  b_is(&w, "deliveryUrl[0]", "https://files.example.com/a");
  begin(&w, INTO("C"));
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  b_bad(&w, "PATCH", "%C", "{\"paused\":true}", 400, "CLUSTER_RESTORE_IN_PROGRESS_CANNOT_UPDATE");
  t_driver_finish(&d, w.t.s, "restore.run", SVC_IO, NULL);
  b_good(&w, "GET", JOB, NULL, 200);
  b_is(&w, "failed", "true");
  munit_assert_int64(b_events(&w, "CPS_RESTORE_FAILED"), ==, 1);
  b_good(&w, "PATCH", "%C", "{\"pitEnabled\":true}", 200);
  begin(&w, FILES);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  t_driver_finish(&d, w.t.s, "restore.run", SVC_IO, NULL);
  b_good(&w, "GET", JOB, NULL, 200);
  b_is(&w, "failed", "true");
  munit_assert_string_not_equal(t_str(&w.t, "finishedAt"), "");
  b_is(&w, "expiresAt", ""); /* a failed download has no link */
  t_advance(&w.t, 8 * 86400);
  b_good(&w, "GET", JOB, NULL, 200);
  b_is(&w, "expired", "false");
  b_close(&w);
}

/* A restore that fails does not change the target's data. A restore that succeeds replaces them with the data of the source. */
TEST(restore_job, failed_data)
{
  b_world w;
  int fails;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("D", ""), 201);
  t_advance(&w.t, 10);
  b_good(&w, "POST", "/groups/%G/sampleDatasetLoad/C", NULL, 201);
  t_advance(&w.t, 100);
  b_snapshot(&w);
  for (fails = 1; fails >= 0; fails--) {
    if (fails)
      munit_assert_int(svc_fault_add_json(w.t.s, "{\"order\":\"restore.run\",\"outcome\":\"fail\",\"count\":1}", NULL), ==, SVC_OK);
    begin(&w, INTO("D"));
    t_advance(&w.t, 100);
    b_good(&w, "GET", JOB, NULL, 200);
    b_is(&w, "failed", fails ? "true" : "false");
    t_advance(&w.t, 3600);
    b_good(&w, "GET", "/groups/%G/clusters/D/PRIMARY/collStats/namespaces", NULL, 200);
    munit_assert_int(strstr(w.t.response.body, "sample_") == NULL, ==, fails);
  }
  b_close(&w);
}

/* Facts are refused if `deliveryUrl` is not a list of strings, or if the list or a string is too long. */
TEST(restore_job, facts)
{
  static char many[8192], longest[4096];
  const struct {
    const char *facts;
    size_t urls;
  } rows[] = {
    { NULL, 0 }, { "{}", 0 }, { "{\"deliveryUrl\":[]}", 0 }, { "{\"deliveryUrl\":[\"https://files.example.com/a\"]}", 1 },
  };
  const char *const refused[] = {
    "{\"deliveryUrl\":\"https://files.example.com/a\"}", "{\"deliveryUrl\":[1,{},\"https://files.example.com/a\",null]}", many, longest
  };
  t_driver d;
  b_world w;
  size_t i, k;
  snprintf(many, sizeof many, "{\"deliveryUrl\":[\"https://files.example.com/0\"");
  for (i = 1; i < 70; i++) snprintf(many + strlen(many), sizeof many - strlen(many), ",\"https://files.example.com/%zu\"", i);
  strcat(many, "]}");
  snprintf(longest, sizeof longest, "{\"deliveryUrl\":[\"%02100d\",\"https://files.example.com/a\"]}", 0);
  t_driver_init(&d);
  t_driver_does(&d, "cluster.", NULL);
  t_driver_does(&d, "snapshot.take", NULL);
  b_open_driven(&w, &d.port);
  b_good(&w, "POST", "%C/backup/snapshots", "{}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 1);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    begin(&w, FILES);
    for (k = 0; k < sizeof refused / sizeof refused[0]; k++) t_driver_refused(&d, w.t.s, "restore.run", refused[k]);
    t_driver_finish(&d, w.t.s, "restore.run", SVC_OK, rows[i].facts);
    b_good(&w, "GET", JOB, NULL, 200);
    munit_assert_size(t_count(&w.t, "deliveryUrl"), ==, rows[i].urls);
    b_good(&w, "DELETE", JOB, NULL, 204);
  }
  begin(&w, INTO("C")); /* a restore into a cluster has no files */
  t_driver_finish(&d, w.t.s, "restore.run", SVC_OK, rows[3].facts);
  b_good(&w, "GET", JOB, NULL, 200);
  munit_assert_null(t_node(&w.t, "deliveryUrl[0]"));
  b_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------------ legacy */

TEST(restore_job, legacy)
{
#define LEGACY "%C/restoreJobs"
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("D", ""), 201);
  t_advance(&w.t, 10);
  b_snapshot(&w);
  b_good(&w, "POST", LEGACY, "{\"delivery\":{\"methodName\":\"HTTP\"},\"snapshotId\":\"%S\"}", 202);
  munit_assert_size(t_count(&w.t, "results"), ==, 1);
  b_is(&w, "results[0].statusName", "IN_PROGRESS");
  b_is(&w, "results[0].delivery.methodName", "HTTP");
  b_is(&w, "results[0].created", "2025-06-01T00:00:30Z");
  munit_assert_string_equal(t_str(&w.t, "results[0].batchId"), t_str(&w.t, "results[0].id"));
  w.other = t_keep(&w.t, t_str(&w.t, "results[0].id"));
  b_good(&w, "GET", JOB, NULL, 200); /* the same job */
  b_is(&w, "deliveryType", "download");
  t_advance(&w.t, 5);
  b_good(&w, "GET", LEGACY "/%J", NULL, 200);
  b_is(&w, "statusName", "FINISHED");
  b_is(&w, "delivery.statusName", "READY");
  b_is(&w, "timestamp.date", "2025-06-01T00:00:20Z");
  munit_assert_not_null(strstr(t_str(&w.t, "delivery.url"), "https://"));
  b_good(&w, "POST", LEGACY,
         "{\"delivery\":{\"methodName\":\"AUTOMATED_RESTORE\",\"targetClusterName\":\"D\",\"targetGroupId\":\"%G\"},"
                             "\"snapshotId\":\"%S\"}", 202);
  b_is(&w, "results[0].delivery.targetClusterName", "D");
  b_bad(&w, "PATCH", "/groups/%G/clusters/D", "{\"backupEnabled\":true}", 400, "CLUSTER_RESTORE_IN_PROGRESS_CANNOT_UPDATE");
  b_good(&w, "GET", LEGACY, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  b_good(&w, "GET", LEGACY "?batchId=%J", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  b_is(&w, "results[0].id", w.other);
  b_good(&w, "DELETE", JOB, NULL, 204);
  b_good(&w, "GET", LEGACY "/%J", NULL, 200);
  b_is(&w, "statusName", "KILLED");
  b_bad_field(&w, "POST", LEGACY, "{\"delivery\":{\"methodName\":\"SCP\"},\"snapshotId\":\"%S\"}", "delivery.methodName");
  b_bad_field(&w, "POST", LEGACY, "{\"snapshotId\":\"%S\"}", "delivery");
  b_bad_field(&w, "POST", LEGACY, "{\"delivery\":{\"methodName\":\"HTTP\"}}", "snapshotId");
  b_good(&w, "PATCH", "%C", "{\"pitEnabled\":true}", 200);
  t_advance(&w.t, 60);
  b_good(&w, "POST", LEGACY, "{\"delivery\":{\"methodName\":\"AUTOMATED_RESTORE\",\"targetClusterName\":\"D\"},"
                             "\"pointInTimeUTCMillis\":1748736022000}", 202);
  b_is(&w, "results[0].timestamp.date", "2025-06-01T00:00:22Z");
  w.other = "5f0000000000000000000001";
  b_bad(&w, "GET", LEGACY "/%J", NULL, 404, "RESTORE_JOB_NOT_FOUND");
  b_good(&w, "GET", LEGACY "?batchId=%J", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  b_close(&w);
}

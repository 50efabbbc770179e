/*
** The older views of backups: snapshots, their schedule, checkpoints. Both APIs show and change the same records.
**
** Tests also: checkpoint, legacy_restore_job, legacy_snapshot, legacy_snapshot_schedule
*/
#include "catalog/backup_world.h"
#include "needs.h"

#define NEED_SNAPSHOT "/groups/{groupId}/clusters/{clusterName}/snapshots/{snapshotId}"

T_NEEDS(legacy_backup) = {
  T_SAME("checkpointId", "snapshotId"), /* a checkpoint is a view of a snapshot */
  T_BODY(SVC_PATCH, NEED_SNAPSHOT, "{\"doNotDelete\":true}"),
  T_BODY(SVC_PATCH, NEED_SNAPSHOT, "{\"doNotDelete\":false}"),
  T_NEEDS_END
};

#define LEGACY "%C/snapshots"
#define SCHEDULE "%C/snapshotSchedule"

TEST(legacy_backup, snapshots)
{
  b_world w;
  b_open_cluster(&w, NULL, B_SHARDED("C"));
  b_snapshot(&w);
  b_good(&w, "GET", LEGACY "/%S", NULL, 200);
  b_is(&w, "id", w.snapshot);
  b_is(&w, "clusterName", "C");
  b_is(&w, "groupId", w.group);
  b_is(&w, "complete", "true");
  b_is(&w, "created.date", "2025-06-01T00:00:10Z");
  b_is(&w, "created.increment", "1");
  b_is(&w, "expires", "2025-06-08T00:00:10Z");
  b_is(&w, "doNotDelete", "false");
  munit_assert_size(t_count(&w.t, "parts"), ==, 2);
  b_is(&w, "parts[1].typeName", "REPLICA_SET");
  munit_assert_not_null(strstr(t_link(&w.t, "self"), "/clusters/C/snapshots/"));
  b_good(&w, "POST", "%C/backup/snapshots", "{}", 202);
  b_good(&w, "GET", LEGACY, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1); /* only completed snapshots */
  b_good(&w, "GET", LEGACY "?completed=false", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  b_is(&w, "results[0].complete", "false");
  b_good(&w, "GET", LEGACY "?completed=all", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  b_bad(&w, "GET", LEGACY "?completed=maybe", NULL, 400, "INVALID_QUERY_PARAMETER");
  b_close(&w);
}

TEST(legacy_backup, keep)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "DELETE", "%C/backup/schedule", NULL, 200);
  b_snapshot(&w);
  b_good(&w, "PATCH", LEGACY "/%S", "{\"expires\":\"2025-06-03T00:00:00Z\"}", 200);
  b_good(&w, "GET", "%C/backup/snapshots/%S", NULL, 200);
  b_is(&w, "expiresAt", "2025-06-03T00:00:00Z");
  b_bad_field(&w, "PATCH", LEGACY "/%S", "{\"expires\":\"2025-05-03T00:00:00Z\"}", "expires");
  b_bad(&w, "PATCH", LEGACY "/%S", "{\"doNotDelete\":true,\"expires\":\"2025-07-03T00:00:00Z\"}", 409,
        "BACKUP_CONFLICTING_OPTIONS");
  b_bad_field(&w, "PATCH", LEGACY "/%S", "{\"clusterName\":\"other\"}", "clusterName");
  b_good(&w, "PATCH", LEGACY "/%S", "{\"complete\":false}", 200); /* the zero value of a read-only field is ignored */
  b_good(&w, "PATCH", LEGACY "/%S", "{\"doNotDelete\":true}", 200);
  b_is(&w, "doNotDelete", "true");
  b_is(&w, "expires", "");
  munit_assert_int64(b_events(&w, "CPS_SNAPSHOT_RETENTION_MODIFIED_AUDIT"), ==, 2);
  t_advance(&w.t, 400 * 86400);
  b_good(&w, "GET", LEGACY "/%S", NULL, 200);
  b_good(&w, "PATCH", LEGACY "/%S", "{\"expires\":\"2027-07-03T00:00:00Z\"}", 200); /* a date: no longer without expiry */
  b_is(&w, "doNotDelete", "false");
  b_is(&w, "expires", "2027-07-03T00:00:00Z");
  /* the stored date is no change */
  b_good(&w, "PATCH", LEGACY "/%S", "{\"doNotDelete\":true,\"expires\":\"2027-07-03T00:00:00Z\"}", 200);
  b_is(&w, "doNotDelete", "true");
  b_is(&w, "expires", "");
  b_good(&w, "PATCH", LEGACY "/%S", "{\"doNotDelete\":false}", 200);
  munit_assert_int(strncmp(t_str(&w.t, "expires"), "2026-07-13", 10), ==, 0); /* a week from now */
  b_good(&w, "DELETE", LEGACY "/%S", NULL, 204);
  b_bad(&w, "GET", LEGACY "/%S", NULL, 404, "SNAPSHOT_NOT_FOUND");
  b_close(&w);
}

TEST(legacy_backup, checkpoints)
{
  b_world w;
  b_open_cluster(&w, NULL, B_SHARDED("C"));
  b_snapshot(&w);
  b_good(&w, "GET", "%C/backupCheckpoints", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  b_is(&w, "results[0].restorable", "true");
  b_good(&w, "GET", "%C/backupCheckpoints/%S", NULL, 200);
  b_is(&w, "timestamp", "2025-06-01T00:00:10Z");
  munit_assert_size(t_count(&w.t, "parts"), ==, 2);
  b_is(&w, "parts[1].tokenTimestamp.increment", "1");
  b_is(&w, "parts[1].shardName", "shard-1");
  /* a restore from a checkpoint is a restore from its snapshot */
  b_good(&w, "POST", "%C/restoreJobs", "{\"checkpointId\":\"%S\",\"delivery\":{\"methodName\":\"HTTP\"}}", 202);
  b_is(&w, "results[0].snapshotId", w.snapshot);
  b_good(&w, "GET", "%C/restoreJobs", NULL, 200);
  munit_assert_size(t_count(&w.t, "results"), >, 0);
  b_good(&w, "GET", "%C/restoreJobs?pageNum=2", NULL, 200); /* past the last page */
  munit_assert_size(t_count(&w.t, "results"), ==, 0);
  w.other = "5f0000000000000000000001";
  b_bad(&w, "GET", "%C/backupCheckpoints/%J", NULL, 404, "CHECKPOINT_NOT_FOUND");
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("One", B_BACKED), 201);
  b_good(&w, "GET", "/groups/%G/clusters/One/backupCheckpoints", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  b_close(&w);
}

TEST(legacy_backup, schedule)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "GET", SCHEDULE, NULL, 200);
  b_is(&w, "groupId", w.group);
  b_is(&w, "snapshotIntervalHours", "6");
  b_is(&w, "snapshotRetentionDays", "5"); /* 7, which this field cannot express */
  b_is(&w, "dailySnapshotRetentionDays", "7");
  b_is(&w, "weeklySnapshotRetentionWeeks", "4");
  b_is(&w, "monthlySnapshotRetentionMonths", "12");
  b_is(&w, "pointInTimeWindowHours", "0");
  b_is(&w, "clusterCheckpointIntervalMin", "15");
  b_good(&w, "PATCH", SCHEDULE,
         "{\"snapshotIntervalHours\":12,\"dailySnapshotRetentionDays\":15,\"clusterCheckpointIntervalMin\":30,"
                                "\"pointInTimeWindowHours\":48}", 200);
  b_is(&w, "snapshotIntervalHours", "12");
  b_is(&w, "clusterCheckpointIntervalMin", "30");
  b_is(&w, "pointInTimeWindowHours", "48");
  b_good(&w, "GET", "%C/backup/schedule", NULL, 200);
  b_is(&w, "policies[0].policyItems[0].frequencyInterval", "12");
  b_is(&w, "policies[0].policyItems[0].retentionValue", "7"); /* unchanged */
  b_is(&w, "policies[0].policyItems[1].retentionValue", "15");
  b_is(&w, "restoreWindowDays", "2");
  b_is(&w, "nextSnapshot", "2025-06-01T12:00:00Z");
  b_good(&w, "PATCH", SCHEDULE,
         "{\"snapshotIntervalHours\":24,\"monthlySnapshotRetentionMonths\":0,\"weeklySnapshotRetentionWeeks\":0}", 200);
  b_good(&w, "GET", "%C/backup/schedule", NULL, 200);
  munit_assert_size(t_count(&w.t, "policies[0].policyItems"), ==, 2); /* daily and yearly */
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"snapshotRetentionDays\":3}", "snapshotRetentionDays"); /* of hourly snapshots, which are off */
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"snapshotIntervalHours\":24,\"snapshotRetentionDays\":3}", "snapshotRetentionDays");
  b_good(&w, "GET", SCHEDULE, NULL, 200);
  b_is(&w, "snapshotIntervalHours", "24");
  b_good(&w, "PATCH", SCHEDULE, t_keep(&w.t, w.t.response.body), 200); /* the body of a GET changes nothing */
  b_is(&w, "snapshotIntervalHours", "24");
  b_good(&w, "PATCH", SCHEDULE, "{\"snapshotIntervalHours\":8,\"snapshotRetentionDays\":3}", 200);
  b_good(&w, "GET", "%C/backup/schedule", NULL, 200);
  b_is(&w, "policies[0].policyItems[2].frequencyInterval", "8");
  b_is(&w, "policies[0].policyItems[2].retentionValue", "3");
  munit_assert_size(strlen(t_str(&w.t, "policies[0].policyItems[2].id")), ==, 24);
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"snapshotIntervalHours\":7}", "snapshotIntervalHours");
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"dailySnapshotRetentionDays\":8}", "dailySnapshotRetentionDays");
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"pointInTimeWindowHours\":25}", "pointInTimeWindowHours");
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"clusterId\":\"5f0000000000000000000001\"}", "clusterId");
  b_good(&w, "PATCH", SCHEDULE, "{\"pointInTimeWindowHours\":0}", 200);
  b_is(&w, "pointInTimeWindowHours", "0");
  b_good(&w, "GET", "%C/backup/schedule", NULL, 200);
  munit_assert_null(t_node(&w.t, "restoreWindowDays"));
  /* daily snapshots are kept 15 days */
  b_bad_field(&w, "PATCH", SCHEDULE, "{\"weeklySnapshotRetentionWeeks\":1}", "weeklySnapshotRetentionWeeks");
  b_good(&w, "DELETE", "%C/backup/schedule", NULL, 200); /* the next change creates a schedule */
  b_good(&w, "PATCH", SCHEDULE, "{\"dailySnapshotRetentionDays\":3}", 200);
  b_good(&w, "GET", "%C/backup/schedule", NULL, 200);
  munit_assert_size(t_count(&w.t, "policies"), ==, 1);
  munit_assert_size(t_count(&w.t, "policies[0].policyItems"), ==, 1);
  b_is(&w, "policies[0].policyItems[0].frequencyType", "daily");
  b_is(&w, "policies[0].policyItems[0].retentionValue", "3");
  b_good(&w, "PATCH", "%C/backup/schedule", "{\"policies\":[]}", 200);
  b_good(&w, "PATCH", SCHEDULE, "{\"weeklySnapshotRetentionWeeks\":3}", 200);
  b_good(&w, "GET", "%C/backup/schedule", NULL, 200);
  munit_assert_size(t_count(&w.t, "policies"), ==, 1);
  b_is(&w, "policies[0].policyItems[0].frequencyType", "weekly");
  b_good(&w, "PATCH", "%C", "{\"backupEnabled\":false}", 200);
  b_bad(&w, "GET", SCHEDULE, NULL, 404, "BACKUP_CONFIG_NOT_FOUND");
  b_close(&w);
}

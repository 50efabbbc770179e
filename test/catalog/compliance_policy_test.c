/*
** Backup compliance policies: their states, and the operations that they forbid. Also private endpoints of backups.
**
** Tests also: backup_endpoint
*/
#include "catalog/backup_world.h"

#define POLICY "/groups/%G/backupCompliancePolicy"
#define WHO \
  "\"authorizedEmail\":\"ada@example.com\",\"authorizedUserFirstName\":\"Ada\",\"authorizedUserLastName\":\"Lovelace\""
#define DAILY(days) "{" WHO ",\"scheduledPolicyItems\":[" B_ITEM("daily", 1, "days", days) "]}"
#define NOT_MET "BACKUP_POLICIES_NOT_MEETING_BACKUP_COMPLIANCE_POLICY_REQUIREMENTS"

TEST(compliance_policy, states)
{
  b_world w;
  b_open(&w, NULL);
  b_bad(&w, "GET", POLICY, NULL, 404, "BACKUP_CONFIG_NOT_FOUND");
  b_bad(&w, "DELETE", POLICY, NULL, 404, "BACKUP_CONFIG_NOT_FOUND");
  b_good(&w, "PUT", POLICY, DAILY(3), 200);
  b_is(&w, "state", "ENABLING");
  b_is(&w, "projectId", w.group);
  b_is(&w, "pitEnabled", "false");
  b_is(&w, "updatedDate", "2025-06-01T00:00:00Z");
  t_advance(&w.t, 3);
  b_good(&w, "GET", POLICY, NULL, 200);
  b_is(&w, "state", "ACTIVE");
  b_good(&w, "PUT", POLICY, DAILY(4), 200);
  b_is(&w, "state", "UPDATING");
  b_is(&w, "updatedDate", "2025-06-01T00:00:03Z");
  t_advance(&w.t, 3);
  b_good(&w, "GET", POLICY, NULL, 200);
  b_is(&w, "state", "ACTIVE");
  b_is(&w, "scheduledPolicyItems[0].retentionValue", "4");
  b_good(&w, "DELETE", "/groups/%G", NULL, 409);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_CLOSE_GROUP_ACTIVE_BACKUP_COMPLIANCE_POLICY");
  b_good(&w, "DELETE", POLICY, NULL, 204);
  b_good(&w, "GET", POLICY, NULL, 200);
  b_is(&w, "state", "DISABLING");
  t_advance(&w.t, 3);
  b_good(&w, "GET", POLICY, NULL, 404);
  munit_assert_int64(b_events(&w, "CPS_DATA_PROTECTION_ENABLED"), ==, 1);
  munit_assert_int64(b_events(&w, "CPS_DATA_PROTECTION_UPDATED"), ==, 1);
  munit_assert_int64(b_events(&w, "CPS_DATA_PROTECTION_DISABLED"), ==, 1);
  b_good(&w, "DELETE", "/groups/%G", NULL, 202);
  b_close(&w);
}

TEST(compliance_policy, rules)
{
  b_world w;
  b_open(&w, NULL);
  b_bad_field(&w, "PUT", POLICY, "{}", "authorizedEmail");
  b_bad_field(&w, "PUT", POLICY, "{\"authorizedEmail\":\"ada\"}", "authorizedEmail");
  b_bad_field(&w, "PUT", POLICY, "{" WHO ",\"scheduledPolicyItems\":[" B_ITEM("hourly", 5, "days", 3) "]}",
              "scheduledPolicyItems[0].frequencyInterval");
  b_bad_field(&w, "PUT", POLICY,
              "{" WHO ",\"scheduledPolicyItems\":[" B_ITEM("daily", 1, "days", 9) "," B_ITEM("weekly", 1, "days", 8) "]}",
              "scheduledPolicyItems[1].retentionValue");
  b_bad_field(&w, "PUT", POLICY,
              "{" WHO ",\"restoreWindowDays\":9,\"scheduledPolicyItems\":[" B_ITEM("daily", 1, "days", 8) "]}",
              "restoreWindowDays");
  b_bad_field(&w, "PUT", POLICY, "{" WHO ",\"onDemandPolicyItem\":" B_ITEM("daily", 1, "days", 8) "}",
              "onDemandPolicyItem.frequencyType");
  b_bad_field(&w, "PUT", POLICY, "{" WHO ",\"projectId\":\"5f0000000000000000000001\"}", "projectId");
  b_close(&w);
}

/* Snapshots cannot be deleted by any operation, nor can their retention be reduced below the policy. */
TEST(compliance_policy, snapshots)
{
  b_world w;
  b_open_cluster(&w, NULL, B_SHARDED("C"));
  b_good(&w, "PUT", POLICY, "{" WHO ",\"onDemandPolicyItem\":" B_ITEM("ondemand", 0, "days", 5) "}", 200);
  b_bad(&w, "POST", "%C/backup/snapshots", "{\"retentionInDays\":4}", 400, NOT_MET);
  munit_assert_string_equal(t_param(&w.t, 0), "C");
  b_good(&w, "PATCH", "%C/backup/schedule", B_POLICY(B_ITEM("ondemand", 1, "days", 2)), 200);
  b_snapshot(&w);
  b_good(&w, "GET", "%C/backup/snapshots/%S", NULL, 200);
  b_is(&w, "expiresAt", "2025-06-06T00:00:10Z"); /* the schedule's retention is shorter */
  b_bad(&w, "DELETE", "%C/backup/snapshots/%S", NULL, 400, "CANNOT_DELETE_SNAPSHOT_WITH_BACKUP_COMPLIANCE_POLICY");
  munit_assert_string_equal(t_param(&w.t, 0), w.snapshot);
  b_bad(&w, "DELETE", "%C/backup/snapshots/shardedCluster/%S", NULL, 400,
        "CANNOT_DELETE_SNAPSHOT_WITH_BACKUP_COMPLIANCE_POLICY");
  b_bad(&w, "DELETE", "%C/snapshots/%S", NULL, 400, "CANNOT_DELETE_SNAPSHOT_WITH_BACKUP_COMPLIANCE_POLICY");
  /* the snapshots would be deleted with the cluster */
  b_bad(&w, "DELETE", "%C", NULL, 400, "CANNOT_DELETE_SNAPSHOT_WITH_BACKUP_COMPLIANCE_POLICY");
  b_bad(&w, "PATCH", "%C/backup/snapshots/%S", "{\"retentionUnit\":\"DAYS\",\"retentionValue\":4}", 400, NOT_MET);
  b_bad(&w, "PATCH", "%C/snapshots/%S", "{\"expires\":\"2025-06-03T00:00:00Z\"}", 400, NOT_MET);
  b_good(&w, "PATCH", "%C/backup/snapshots/%S", "{\"retentionUnit\":\"DAYS\",\"retentionValue\":6}", 200);
  t_advance(&w.t, 6 * 86400); /* the snapshot still expires at its time */
  b_good(&w, "GET", "%C/backup/snapshots/%S", NULL, 404);
  b_good(&w, "DELETE", POLICY, NULL, 204);
  b_snapshot(&w);
  b_good(&w, "DELETE", "%C/backup/snapshots/%S", NULL, 204);
  b_good(&w, "DELETE", "%C", NULL, 202);
  b_close(&w);
}

/* A snapshot that never expires gets no date, neither by a change of the snapshot nor by one of the schedule. */
TEST(compliance_policy, kept_for_good)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  t_advance(&w.t, 86400); /* the schedule takes a snapshot */
  b_good(&w, "GET", "%C/backup/snapshots", NULL, 200);
  b_is(&w, "results[0].snapshotType", "scheduled");
  w.snapshot = t_keep(&w.t, t_str(&w.t, "results[0].id"));
  b_good(&w, "PATCH", "%C/snapshots/%S", "{\"doNotDelete\":true}", 200);
  b_good(&w, "PUT", POLICY, "{" WHO "}", 200);
  t_advance(&w.t, 10);
  b_bad(&w, "PATCH", "%C/snapshots/%S", "{\"doNotDelete\":false}", 400, NOT_MET);
  b_bad(&w, "PATCH", "%C/snapshots/%S", "{\"expires\":\"2035-06-03T00:00:00Z\"}", 400, NOT_MET);
  b_bad(&w, "PATCH", "%C/backup/snapshots/%S", "{\"retentionUnit\":\"YEARS\",\"retentionValue\":5}", 400, NOT_MET);
  b_good(&w, "PATCH", "%C/backup/schedule", "{\"updateSnapshots\":true}", 200);
  t_advance(&w.t, 10);
  b_good(&w, "GET", "%C/snapshots/%S", NULL, 200);
  b_is(&w, "doNotDelete", "true");
  b_close(&w);
}

/* A schedule without any policy falls short of the compliance policy, too, and gets a policy. */
TEST(compliance_policy, no_policies)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", "%C/backup/schedule", "{\"policies\":[]}", 200);
  b_bad(&w, "PUT", POLICY "?overwriteBackupPolicies=false", DAILY(9), 400, NOT_MET);
  b_good(&w, "PUT", POLICY, DAILY(9), 200);
  b_good(&w, "GET", "%C/backup/schedule", NULL, 200);
  munit_assert_size(t_count(&w.t, "policies"), ==, 1);
  munit_assert_size(strlen(t_str(&w.t, "policies[0].id")), ==, 24);
  munit_assert_size(t_count(&w.t, "policies[0].policyItems"), ==, 1);
  b_is(&w, "policies[0].policyItems[0].frequencyType", "daily");
  b_is(&w, "policies[0].policyItems[0].retentionValue", "9");
  munit_assert_size(strlen(t_str(&w.t, "policies[0].policyItems[0].id")), ==, 24);
  munit_assert_string_not_equal(t_str(&w.t, "nextSnapshot"), "");
  b_close(&w);
}

/* The snapshots of C and their dates of expiry, to compare with later ones. */
typedef struct kept_list {
  size_t count;
  char ids[128][32], dates[128][32];
} kept_list;

static void kept_take(b_world *w, kept_list *list)
{
  char path[64];
  size_t i;
  b_good(w, "GET", "%C/backup/snapshots?itemsPerPage=500", NULL, 200);
  list->count = t_count(&w->t, "results");
  munit_assert_size(list->count, <=, 128);
  for (i = 0; i < list->count; i++) {
    snprintf(path, sizeof path, "results[%zu].id", i);
    snprintf(list->ids[i], sizeof list->ids[i], "%s", t_str(&w->t, path));
    snprintf(path, sizeof path, "results[%zu].expiresAt", i);
    snprintf(list->dates[i], sizeof list->dates[i], "%s", t_str(&w->t, path));
    munit_assert_size(strlen(list->dates[i]), ==, 20);
  }
}

/* Checks that each of these snapshots still exists, and expires no earlier. */
static void kept_still(b_world *w, const kept_list *before)
{
  static kept_list now;
  size_t i, k;
  kept_take(w, &now);
  for (i = 0; i < before->count; i++) {
    for (k = 0; k < now.count && strcmp(now.ids[k], before->ids[i]) != 0;) k++;
    if (k == now.count) munit_errorf("snapshot %s was deleted", before->ids[i]);
    else munit_assert_int(strcmp(now.dates[k], before->dates[i]), >=, 0);
  }
}

/* Schedules cannot fall short of the policy, and clusters keep their backups. */
TEST(compliance_policy, schedules)
{
  static kept_list kept;
  b_world w;
  int i;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("Plain", ""), 201);
  b_good(&w, "PATCH", "%C/backup/schedule", B_POLICY(B_ITEM("daily", 1, "days", 3) "," B_ITEM("weekly", 6, "weeks", 1)), 200);
  b_bad(&w, "PUT", POLICY "?overwriteBackupPolicies=false", DAILY(9), 400, NOT_MET);
  munit_assert_string_equal(t_param(&w.t, 0), "C");
  b_good(&w, "PUT", POLICY "?overwriteBackupPolicies=false", DAILY(2), 200);
  b_good(&w, "PUT", POLICY,
         "{" WHO ",\"pitEnabled\":true,\"restoreWindowDays\":2,\"scheduledPolicyItems\":[" B_ITEM("hourly", 6, "days", 2) ","
         B_ITEM("daily", 1, "days", 9) "]}", 200);
  b_good(&w, "GET", "%C/backup/schedule", NULL, 200); /* the policy raised this item, and less frequent items follow */
  b_is(&w, "policies[0].policyItems[0].retentionValue", "9");
  b_is(&w, "policies[0].policyItems[1].retentionUnit", "days");
  b_is(&w, "policies[0].policyItems[1].retentionValue", "9");
  b_is(&w, "policies[0].policyItems[2].frequencyType", "hourly");
  munit_assert_size(strlen(t_str(&w.t, "policies[0].policyItems[2].id")), ==, 24);
  b_is(&w, "restoreWindowDays", "2");
  b_bad(&w, "PATCH", "%C/backup/schedule", B_POLICY(B_ITEM("hourly", 6, "days", 2) "," B_ITEM("daily", 1, "days", 8)), 400,
        NOT_MET);
  b_bad(&w, "PATCH", "%C/backup/schedule", B_POLICY(B_ITEM("hourly", 8, "days", 2) "," B_ITEM("daily", 1, "days", 9)), 400,
        NOT_MET);
  b_bad(&w, "PATCH", "%C/backup/schedule", "{\"restoreWindowDays\":1}", 400, NOT_MET);
  b_bad(&w, "PATCH", "%C/snapshotSchedule", "{\"dailySnapshotRetentionDays\":6}", 400, NOT_MET);
  b_bad(&w, "DELETE", "%C/backup/schedule", NULL, 400, NOT_MET);
  b_good(&w, "PATCH", "%C/backup/schedule", B_POLICY(B_ITEM("hourly", 4, "days", 2) "," B_ITEM("daily", 1, "days", 10)), 200);
  b_bad(&w, "PATCH", "%C", "{\"backupEnabled\":false}", 400, NOT_MET);
  b_good(&w, "PATCH", "%C", "{\"pitEnabled\":true}", 200);
  t_advance(&w.t, 10);
  b_bad(&w, "PATCH", "%C", "{\"pitEnabled\":false}", 400, NOT_MET);
  b_bad(&w, "POST", "/groups/%G/clusters", B_CLUSTER("New", ""), 400, NOT_MET);
  b_bad(&w, "POST", "/groups/%G/clusters", B_CLUSTER("New", B_BACKED), 400, NOT_MET);
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("New", B_BACKED ",\"pitEnabled\":true"), 201);
  b_good(&w, "GET", "/groups/%G/clusters/New/backup/schedule", NULL, 200); /* the default schedule meets the policy, too */
  b_is(&w, "policies[0].policyItems[1].retentionValue", "9");
  /* the cluster had no backups before the policy */
  b_good(&w, "PATCH", "/groups/%G/clusters/Plain", "{\"diskWarmingMode\":\"VISIBLE_EARLIER\"}", 200);
  /* changes of the schedule do not shorten the retention of its snapshots */
  t_advance(&w.t, 5 * 86400);
  kept_take(&w, &kept);
  munit_assert_size(kept.count, >, 10);
  b_good(&w, "PATCH", "%C/backup/schedule", "{\"updateSnapshots\":true,\"deleteSnapshots\":true}", 200);
  for (i = 0; i < 4; i++) {
    t_advance(&w.t, 1);
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  }
  kept_still(&w, &kept);
  store_whole(w.t.s);
  b_close(&w);
}

/* A schedule that falls short of the policy is raised to it, in frequency and retention. Higher values stay. */
TEST(compliance_policy, raised)
{
  static kept_list kept;
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PATCH", "%C/backup/schedule", B_POLICY(B_ITEM("hourly", 12, "days", 4) "," B_ITEM("daily", 1, "days", 30) "," B_ITEM("weekly", 6, "weeks", 6)
         "," B_ITEM("ondemand", 1, "days", 1)), 200);
  b_good(&w, "PUT", POLICY, "{" WHO ",\"scheduledPolicyItems\":[" B_ITEM("hourly", 6, "days", 3) "," B_ITEM("monthly", 1, "months", 2) "]}", 200);
  b_good(&w, "GET", "%C/backup/schedule", NULL, 200);
  b_is(&w, "policies[0].policyItems[0].frequencyInterval", "6");
  b_is(&w, "policies[0].policyItems[0].retentionValue", "4"); /* longer than required */
  b_is(&w, "policies[0].policyItems[1].retentionValue", "30");
  b_is(&w, "policies[0].policyItems[3].retentionValue", "1"); /* on demand: not required */
  b_is(&w, "policies[0].policyItems[4].frequencyType", "monthly");
  b_bad(&w, "PATCH", "%C/backup/schedule", B_POLICY(B_ITEM("hourly", 6, "days", 3)), 400, NOT_MET);
  b_good(&w, "POST", "%C/backup/snapshots", "{}", 202); /* on-demand snapshots have no requirement */
  t_advance(&w.t, 10);
  b_good(&w, "PUT", POLICY, "{" WHO ",\"scheduledPolicyItems\":[" B_ITEM("hourly", 6, "days", 3) "," B_ITEM("monthly", 1, "months", 2)
         "],\"onDemandPolicyItem\":" B_ITEM("ondemand", 0, "days", 5) "}", 200);
  b_good(&w, "POST", "%C/backup/snapshots", "{\"retentionInDays\":9}", 202); /* more than required */
  b_is(&w, "expiresAt", "2025-06-10T00:00:20Z");
  /* snapshots of a shortened item keep their dates, and snapshots that no item covers any more are not deleted */
  t_advance(&w.t, 2 * 86400);
  b_good(&w, "GET", "%C/backup/schedule", NULL, 200);
  w.other = t_keep(&w.t, t_str(&w.t, "policies[0].policyItems[0].id"));
  kept_take(&w, &kept);
  munit_assert_size(kept.count, >, 6);
  b_good(&w, "PATCH", "%C/backup/schedule",
         "{\"deleteSnapshots\":true,\"updateSnapshots\":true,\"policies\":[{\"policyItems\":[{\"id\":\"%J\",\"frequencyType\":\"hourly\","
         "\"frequencyInterval\":6,\"retentionUnit\":\"days\",\"retentionValue\":3}," B_ITEM("monthly", 1, "months", 2) "]}]}", 200);
  t_advance(&w.t, 1);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  kept_still(&w, &kept);
  store_whole(w.t.s);
  b_close(&w);
}

TEST(compliance_policy, copies_and_keys)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  b_good(&w, "PUT", POLICY, "{" WHO ",\"copyProtectionEnabled\":true,\"encryptionAtRestEnabled\":true}", 200);
  b_bad(&w, "PATCH", "%C/backup/schedule", "{\"deleteCopySnapshots\":true}", 400, NOT_MET);
  b_bad(&w, "PATCH", "%C/backup/schedule", "{\"deleteCopiedBackups\":[{\"regionName\":\"EU_WEST_1\"}]}", 400, NOT_MET);
  b_bad(&w, "POST", "/groups/%G/clusters", B_CLUSTER("New", B_BACKED), 400, NOT_MET);
  b_good(&w, "PATCH", "/groups/%G/encryptionAtRest", B_KEYS, 200);
  b_good(&w, "POST", "/groups/%G/clusters", B_CLUSTER("New", B_BACKED ",\"encryptionAtRestProvider\":\"AWS\""), 201);
  b_bad(&w, "PATCH", "/groups/%G/clusters/New", "{\"encryptionAtRestProvider\":\"NONE\"}", 400, NOT_MET);
  b_good(&w, "PATCH", "%C", "{\"diskWarmingMode\":\"VISIBLE_EARLIER\"}", 200);
  b_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------- endpoints */

TEST(compliance_policy, endpoints)
{
#define ENDPOINTS "/groups/%G/backup/AWS/privateEndpoints"
  b_world w;
  b_open(&w, NULL);
  b_good(&w, "POST", ENDPOINTS, "{\"regionName\":\"US_EAST_1\"}", 202);
  w.other = t_keep(&w.t, t_str(&w.t, "id"));
  b_is(&w, "status", "INITIATING");
  b_is(&w, "cloudProvider", "AWS");
  b_is(&w, "vpcRegionName", "US_EAST_1");
  b_bad(&w, "POST", ENDPOINTS, "{\"regionName\":\"US_EAST_1\"}", 409,
        "PRIVATELINK_ENDPOINT_SERVICE_ALREADY_EXISTS_FOR_REGION");
  b_bad_field(&w, "POST", ENDPOINTS, "{\"regionName\":\"CENTRAL_US\"}", "regionName");
  b_bad_field(&w, "POST", ENDPOINTS, "{}", "regionName");
  b_good(&w, "POST", ENDPOINTS, "{\"regionName\":\"EU_WEST_1\",\"vpcRegionName\":\"EU_WEST_2\"}", 202);
  t_advance(&w.t, 5);
  b_good(&w, "GET", ENDPOINTS "/%J", NULL, 200);
  b_is(&w, "status", "ACTIVE");
  /* an ACTIVE endpoint has a connection name */
  munit_assert_int(strncmp(t_str(&w.t, "privateEndpointConnectionName"), "vpce-", 5), ==, 0);
  b_good(&w, "GET", ENDPOINTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_int(b_send(&w, "GET", "/groups/%G/backup/GCP/privateEndpoints", NULL), >=, 400); /* GCP has no endpoints */
  b_bad_field(&w, "POST", ENDPOINTS, "{\"regionName\":\"AP_SOUTH_2\"}", "regionName"); /* the region has clusters, but no endpoints */
  b_bad_field(&w, "POST", ENDPOINTS, "{\"regionName\":\"EU_WEST_1\",\"vpcRegionName\":\"MEL\"}", "vpcRegionName");
  b_good(&w, "DELETE", ENDPOINTS "/%J", NULL, 204);
  b_bad(&w, "DELETE", ENDPOINTS "/%J", NULL, 404, "PRIVATE_ENDPOINT_SERVICE_NOT_FOUND");
  b_good(&w, "GET", ENDPOINTS "/%J", NULL, 200);
  b_is(&w, "status", "DELETING");
  t_advance(&w.t, 1);
  b_bad(&w, "GET", ENDPOINTS "/%J", NULL, 404, "PRIVATE_ENDPOINT_SERVICE_NOT_FOUND");
  b_good(&w, "POST", ENDPOINTS, "{\"regionName\":\"US_EAST_1\"}", 202);
  b_close(&w);
}

/* A requirement of the policy can be raised, but never lowered or removed. */
TEST(compliance_policy, only_stronger)
{
#define FLAGS(pit, copies, keys) "\"pitEnabled\":" pit ",\"copyProtectionEnabled\":" copies ",\"encryptionAtRestEnabled\":" keys
#define SET FLAGS("true", "true", "true")
#define STRONG(flags, window, more) "{" WHO "," flags ",\"restoreWindowDays\":" window ",\"scheduledPolicyItems\":[" more "]"
#define ON_DEMAND(days) ",\"onDemandPolicyItem\":" B_ITEM("ondemand", 0, "days", days) "}"
  static const struct {
    const char *body, *field;
  } weaker[] = {
    { STRONG(SET, "2", B_ITEM("hourly", 6, "days", 2)) ON_DEMAND(5), "scheduledPolicyItems" },
    { STRONG(SET, "2", B_ITEM("hourly", 8, "days", 2) "," B_ITEM("daily", 1, "days", 9)) ON_DEMAND(5), "scheduledPolicyItems" },
    { STRONG(SET, "2", B_ITEM("hourly", 6, "days", 2) "," B_ITEM("daily", 1, "days", 8)) ON_DEMAND(5), "scheduledPolicyItems" },
    { STRONG(SET, "1", B_ITEM("hourly", 6, "days", 2) "," B_ITEM("daily", 1, "days", 9)) ON_DEMAND(5), "restoreWindowDays" },
    { STRONG(FLAGS("false", "true", "true"), "2", B_ITEM("hourly", 6, "days", 2) "," B_ITEM("daily", 1, "days", 9)) ON_DEMAND(5), "pitEnabled" },
    { STRONG(FLAGS("true", "false", "true"), "2", B_ITEM("hourly", 6, "days", 2) "," B_ITEM("daily", 1, "days", 9)) ON_DEMAND(5),
      "copyProtectionEnabled" },
    { STRONG(FLAGS("true", "true", "false"), "2", B_ITEM("hourly", 6, "days", 2) "," B_ITEM("daily", 1, "days", 9)) ON_DEMAND(5),
      "encryptionAtRestEnabled" },
    { STRONG(SET, "2", B_ITEM("hourly", 6, "days", 2) "," B_ITEM("daily", 1, "days", 9)) ON_DEMAND(4), "onDemandPolicyItem" },
    { STRONG(SET, "2", B_ITEM("hourly", 6, "days", 2) "," B_ITEM("daily", 1, "days", 9)) "}", "onDemandPolicyItem" },
  };
  b_world w;
  size_t i;
  b_open(&w, NULL);
  b_good(&w, "PUT", POLICY, STRONG(SET, "2", B_ITEM("hourly", 6, "days", 2) "," B_ITEM("daily", 1, "days", 9)) ON_DEMAND(5), 200);
  for (i = 0; i < sizeof weaker / sizeof weaker[0]; i++) b_bad_field(&w, "PUT", POLICY, weaker[i].body, weaker[i].field);
  b_good(&w, "GET", POLICY, NULL, 200);
  b_is(&w, "restoreWindowDays", "2");
  b_good(&w, "PUT", POLICY, STRONG(SET, "3", B_ITEM("hourly", 4, "days", 3) "," B_ITEM("daily", 1, "weeks", 2)) ON_DEMAND(6), 200);
  b_close(&w);
}

/* A policy stays while it protects a snapshot. */
TEST(compliance_policy, stays)
{
  b_world w;
  b_open_cluster(&w, NULL, B_SHARDED("C"));
  b_good(&w, "PUT", POLICY, "{" WHO ",\"onDemandPolicyItem\":" B_ITEM("ondemand", 0, "days", 5) "}", 200);
  b_is(&w, "deletable", "true");
  b_good(&w, "PATCH", "%C/backup/schedule", B_POLICY(B_ITEM("ondemand", 1, "days", 2)), 200);
  b_snapshot(&w);
  b_good(&w, "GET", POLICY, NULL, 200);
  b_is(&w, "deletable", "false");
  b_bad(&w, "DELETE", POLICY, NULL, 409, "CANNOT_DELETE_BACKUP_COMPLIANCE_POLICY_WITH_SNAPSHOTS");
  munit_assert_string_equal(t_param(&w.t, 0), w.group);
  t_advance(&w.t, 6 * 86400);
  b_good(&w, "GET", POLICY, NULL, 200);
  b_is(&w, "deletable", "true");
  b_good(&w, "DELETE", POLICY, NULL, 204);
  b_close(&w);
}

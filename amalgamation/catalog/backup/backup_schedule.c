/*
** The backup schedule of a cluster: its policies define when snapshots are taken and how long they are kept. The schedule
** is visible and active while the cluster's backupEnabled is true; otherwise no snapshots are taken.
**
** The schedule runs: each next snapshot is a due date. Its due step takes the snapshot and calculates the next date
** (backup_clock.c). If the clock jumped, snapshots that would have expired by now are not taken. So a jump of a year only
** costs as many snapshots as are kept of it. A driver cannot take snapshots of the past, so it takes at most the last
** missed one of each frequency, now. A paused cluster gets no snapshots.
**
** Policies apply to future snapshots. The same request may ask to apply them to existing snapshots, too; that work is done
** later (backup_apply.c).
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"

static const char *const backup_schedule_item_types[] = {
  "daily", "hourly", "weekly", "monthly", "yearly", "ondemand", NULL
};
static const char *const backup_schedule_frequencies[] = {
  "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY", "ON_DEMAND", NULL
};
static const char *const backup_schedule_exported[] = { "monthly", "yearly", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field backup_schedule_copy_on_demand_fields[] = {
  F_ENUM("frequencyType", backup_schedule_item_types, .flags = SVC_REQUIRED),
  F_ID()
};
static const svc_object backup_schedule_copy_on_demand = {
  .name = "DiskBackupOnDemandCopyPolicyItem", .fields = SVC_ROWS(backup_schedule_copy_on_demand_fields)
};
static const svc_field backup_schedule_copy_timed_fields[] = {
  F_ENUM("retentionUnit", svc_values_retention_units),
  F_INT("retentionValue", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 3660)
};
static const svc_object backup_schedule_copy_timed = {
  .name = "DiskBackupTimeBasedCopyPolicyItem",
  .fields = SVC_ROWS(backup_schedule_copy_timed_fields),
  .base = &backup_schedule_copy_on_demand
};
static const svc_variant backup_schedule_copy_item_variants[] = {
  { "daily", &backup_schedule_copy_timed },
  { "hourly", &backup_schedule_copy_timed },
  { "monthly", &backup_schedule_copy_timed },
  { "ondemand", &backup_schedule_copy_on_demand },
  { "weekly", &backup_schedule_copy_timed },
  { "yearly", &backup_schedule_copy_timed },
  { NULL, NULL }
};
static const svc_object backup_schedule_copy_item = {
  .name = "DiskBackupCopyPolicyItem", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("frequencyType", NULL, backup_schedule_copy_item_variants))
};

static const svc_field backup_schedule_copy_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds, .flags = SVC_REQUIRED),
  F_LIST("copyPolicyItems", &backup_schedule_copy_item, .max_items = 6),
  F_STRS("frequencies", .values = backup_schedule_frequencies, .flags = SVC_UNIQUE_ITEMS, .max_items = 6),
  F_INT("lastNumberOfSnapshots", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 500),
  F_STR("regionName", .flags = SVC_REQUIRED, .max = 64),
  F_BOOL("shouldCopyOplogs", .preset = "false")
};
static const svc_object backup_schedule_copy_common = { .name = "DiskBackupCopyCommon", .fields = SVC_ROWS(backup_schedule_copy_fields) };
static const svc_field backup_schedule_copy_zone_fields[] = { F_HEX24("zoneId", .flags = SVC_REQUIRED) };
static const svc_object backup_schedule_copy = {
  .name = "DiskBackupCopySetting", .fields = SVC_ROWS(backup_schedule_copy_zone_fields), .base = &backup_schedule_copy_common
};
static const svc_field backup_schedule_copy_spec_fields[] = { F_HEX24(BACKUP_SPEC_ID) };
static const svc_object backup_schedule_copy_old = {
  .name = "DiskBackupCopySetting20230101", .fields = SVC_ROWS(backup_schedule_copy_spec_fields), .base = &backup_schedule_copy_common
};

static const svc_field backup_schedule_copied_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds, .flags = SVC_WRITE_ONLY),
  F_STR("regionName", .flags = SVC_WRITE_ONLY, .max = 64),
  F_HEX24("zoneId", .flags = SVC_WRITE_ONLY)
};
static const svc_object backup_schedule_copied = { .name = "DeleteCopiedBackups", .fields = SVC_ROWS(backup_schedule_copied_fields) };
static const svc_field backup_schedule_copied_old_fields[] = { F_HEX24(BACKUP_SPEC_ID, .flags = SVC_WRITE_ONLY) };
static const svc_object backup_schedule_copied_old = {
  .name = "DeleteCopiedBackups20230101", .fields = SVC_ROWS(backup_schedule_copied_old_fields), .base = &backup_schedule_copied
};

static const svc_field backup_schedule_export_fields[] = {
  F_HEX24("exportBucketId"),
  F_ENUM("frequencyType", backup_schedule_exported)
};
static const svc_object backup_schedule_export = { .name = "AutoExportPolicy", .fields = SVC_ROWS(backup_schedule_export_fields) };

static const svc_field backup_schedule_extra_fields[] = {
  F_ENUM("frequencyType", backup_schedule_frequencies, .flags = SVC_REQUIRED),
  F_INT("retentionDays", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 0, .max = 366)
};
static const svc_object backup_schedule_extra = { .name = "ExtraRetentionSetting", .fields = SVC_ROWS(backup_schedule_extra_fields) };

static const svc_field backup_schedule_item_fields[] = {
  F_INT("frequencyInterval", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 1, .max = 40, .values = svc_values_snapshot_intervals + 1),
  F_ENUM("frequencyType", backup_schedule_item_types, .flags = SVC_REQUIRED),
  F_ID(),
  F_ENUM("retentionUnit", svc_values_retention_units, .flags = SVC_REQUIRED),
  F_INT("retentionValue", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 1, .max = 3660)
};
static const svc_object backup_schedule_item = { .name = "DiskBackupApiPolicyItem", .fields = SVC_ROWS(backup_schedule_item_fields) };

static const svc_field backup_schedule_policy_fields[] = {
  F_ID(),
  F_LIST("policyItems", &backup_schedule_item, .flags = SVC_REQUIRED, .max_items = SVC_BACKUP_ITEMS)
};
static const svc_object backup_schedule_policy = {
  .name = "AdvancedDiskBackupSnapshotSchedulePolicy", .fields = SVC_ROWS(backup_schedule_policy_fields)
};

static const svc_field backup_schedule_common_fields[] = {
  F_BOOL("autoExportEnabled", .preset = "false"),
  F_HEX24("clusterId", .flags = SVC_READ_ONLY),
  F_STR("clusterName", .flags = SVC_READ_ONLY),
  F_BOOL("copyPolicyItemsEnabled", .preset = "false"),
  F_BOOL("deleteCopySnapshots", .flags = SVC_WRITE_ONLY),
  F_BOOL("deleteSnapshots", .flags = SVC_WRITE_ONLY),
  F_OBJ("export", &backup_schedule_export, .flags = SVC_NULLABLE),
  F_LIST("extraRetentionSettings", &backup_schedule_extra, .max_items = 6, .preset = "[]"),
  F_DATE("nextSnapshot", .flags = SVC_READ_ONLY),
  F_LIST("policies", &backup_schedule_policy, .flags = SVC_REQUIRED, .max_items = 1, .preset = "[]"),
  F_INT("referenceHourOfDay", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 23),
  F_INT("referenceMinuteOfHour", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 59),
  F_INT("restoreWindowDays", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 366),
  F_BOOL("updateCopySnapshots", .flags = SVC_WRITE_ONLY),
  F_BOOL("updateSnapshots", .flags = SVC_WRITE_ONLY),
  F_BOOL("useOrgAndGroupNamesInExportPrefix", .preset = "false")
};
static const svc_object backup_schedule_common = { .name = "DiskBackupScheduleCommon", .fields = SVC_ROWS(backup_schedule_common_fields) };

#define BACKUP_SCHEDULE_COPIES(copy, copied) \
  F_LIST("copySettings", copy, .max_items = 20, .preset = "[]"), F_LIST("deleteCopiedBackups", copied, .flags = SVC_WRITE_ONLY, .max_items = 20)
static const svc_field backup_schedule_fields[] = {
  F_BOOL("autoCopySettingsEnabled", .preset = "false"), BACKUP_SCHEDULE_COPIES(&backup_schedule_copy, &backup_schedule_copied)
};
static const svc_object backup_schedule_object = {
  .name = "DiskBackupSnapshotSchedule", .fields = SVC_ROWS(backup_schedule_fields), .base = &backup_schedule_common
};
static const svc_field backup_schedule_old_fields[] = { BACKUP_SCHEDULE_COPIES(&backup_schedule_copy_old, &backup_schedule_copied_old) };
static const svc_object backup_schedule_old = {
  .name = "DiskBackupSnapshotSchedule20230101", .fields = SVC_ROWS(backup_schedule_old_fields), .base = &backup_schedule_common
};

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool backup_schedule_there(svc_call *c);
static bool backup_schedule_clear(svc_call *c);

#define BACKUP_SCHEDULE \
  "/groups/{groupId}/clusters/{clusterName}/backup/schedule", SVC_SET_BACKUP, (20230101, 20240805), SVC_R_GROUP_READ_ONLY, \
    SVC_R_GROUP_BACKUP_MANAGER

static const svc_older backup_schedule_older[] = {
  { .date = 20230101, .sunset = 20270701, .body = &backup_schedule_old, .answer = &backup_schedule_old, .upgrade = svc_backup_zones_upgrade,
    .downgrade = svc_backup_zones_downgrade },
  { .date = 0 }
};

static const svc_route backup_schedule_routes[] = {
  R_GET(BACKUP_SCHEDULE, "", .older = backup_schedule_older, .op = "getBackupSchedule", .gate = backup_schedule_there, .run = svc_verb_read),
  R_PATCH(BACKUP_SCHEDULE, "", .older = backup_schedule_older, .op = "updateBackupSchedule", .gate = backup_schedule_there, .run = svc_verb_update),
  R_DELETE(BACKUP_SCHEDULE, "", .older = backup_schedule_older, .op = "deleteClusterBackupSchedule", .run = backup_schedule_clear)
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static bool backup_schedule_there(svc_call *c)
{
  return svc_resolve_all(c) && svc_backup_enabled(c, svc_path_entity(c, "cluster"));
}

/* Removes all items of the policy. Existing snapshots remain until they expire. */
static bool backup_schedule_clear(svc_call *c)
{
  svc_node *policies, *none;
  svc_change change;
  if (!backup_schedule_there(c) || !svc_change_begin(c, &change)) return false;
  policies = svc_node_get(change.body, "policies");
  none = svc_node_array(c->arena, "policyItems");
  if (svc_node_first(policies) && none) svc_node_put(c->arena, policies->first, none);
  return svc_compliance_met(c, change.body, svc_path_entity(c, "cluster")->unique) && svc_change_store(c, &change);
}

static void backup_schedule_set_next(svc_call *c, svc_change *change, int64_t when)
{
  svc_change_due(change, SVC_DUE_RUN, when);
  svc_node_drop(change->body, "nextSnapshot");
  if (!when) return;
  svc_node_set_date(c->arena, change->body, "nextSnapshot", when);
}

/* The default reference time is the minute at which backups began. */
static void backup_schedule_reference(svc_call *c, svc_node *body)
{
  int64_t minute = (c->now / 60000 % (24 * 60) + 24 * 60) % (24 * 60);
  if (!svc_node_get(body, "referenceHourOfDay")) svc_node_set_i64(c->arena, body, "referenceHourOfDay", minute / 60);
  if (!svc_node_get(body, "referenceMinuteOfHour")) svc_node_set_i64(c->arena, body, "referenceMinuteOfHour", minute % 60);
}

static svc_node *backup_schedule_items(const svc_node *body)
{
  const svc_node *policies = svc_node_get(body, "policies");
  return svc_node_get(svc_node_first(policies), "policyItems");
}

/* An item that replaces another one gets its id. But an item of another frequency is a different item, and gets a new id, because
** the old item's snapshots are not its own. */
static void backup_schedule_renew_ids(svc_call *c, const svc_change *change)
{
  const svc_node *old = backup_schedule_items(change->before), *items = backup_schedule_items(change->body);
  svc_node *item;
  for (item = svc_node_first(items); item && old; item = item->next) {
    const svc_node *was = svc_element_named(old, svc_node_str(item, "id"));
    svc_id id;
    if (!was || svc_node_eq(was, "frequencyType", svc_node_str(item, "frequencyType"))) continue;
    id = svc_new_id(c->txn);
    svc_node_set_id(c->arena, item, "id", &id);
  }
}

/* Writes a note of the work that the request asks for on existing snapshots. False: out of memory. */
static bool backup_schedule_apply_later(svc_call *c, svc_change *change)
{
  static const char *const asked[] = { "updateSnapshots", "deleteSnapshots", "updateCopySnapshots", "deleteCopySnapshots" };
  svc_node *notes = svc_backup_notes(c, change->extra),
           *apply = svc_node_object(c->arena, "apply");
  const svc_node *copied = svc_node_get(change->input, "deleteCopiedBackups");
  size_t i;
  if (!notes || !apply) return false;
  for (i = 0; i < sizeof asked / sizeof asked[0]; i++)
    if (svc_node_bool(change->input, asked[i], false)) svc_node_set_bool(c->arena, apply, asked[i], true);
  if (svc_node_first(copied)) svc_node_put(c->arena, apply, svc_node_copy(c->arena, copied));
  if (!apply->first) return true;
  svc_node_put(c->arena, notes, apply);
  change->extra = svc_backup_notes_text(c, notes);
  svc_change_due(change, SVC_BACKUP_DUE_APPLY, c->now);
  return true;
}

/* Refuses to delete copies that a compliance policy protects. */
static bool backup_schedule_copies_free(svc_call *c, const svc_change *change, const svc_entity *cluster)
{
  const svc_node *policy;
  if (!svc_node_bool(change->input, "deleteCopySnapshots", false) && !svc_node_get(change->input, "deleteCopiedBackups"))
    return true;
  policy = svc_compliance(c);
  if (!svc_node_bool(policy, "copyProtectionEnabled", false)) return c->error.code == SVC_E_NONE;
  return svc_fail(c, SVC_E_BACKUP_POLICIES_NOT_MEETING_BACKUP_COMPLIANCE_POLICY_REQUIREMENTS, "S", &cluster->unique);
}

static bool backup_schedule_prepare(svc_call *c, svc_change *change)
{
  svc_backup_plan plan;
  svc_entity cluster;
  if (!svc_backup_cluster(c, &change->parent, &cluster)) return false;
  svc_node_set_id(c->arena, change->body, "clusterId", &cluster.id);
  svc_node_set_str(c->arena, change->body, "clusterName", cluster.unique);
  backup_schedule_reference(c, change->body);
  backup_schedule_renew_ids(c, change);
  if (change->input && /* without a request, backups of the cluster are turned on or off: a valid schedule remains valid */
      (!svc_backup_policy_check(c, change->body, &cluster) || !svc_compliance_met(c, change->body, cluster.unique) ||
       !backup_schedule_copies_free(c, change, &cluster)))
    return false;
  svc_backup_plan_of(change->body, &plan);
  backup_schedule_set_next(c, change,
                           svc_json_is(cluster.body, "backupEnabled", "true") ? svc_backup_next_kept(&plan, c->now, c->now) : 0);
  return backup_schedule_apply_later(c, change) || svc_no_memory(c);
}

/* ---- a snapshot is due */

/* Ids of the items that ask for a snapshot now. *rarest, *expiry: of the item that keeps it longest. */
static svc_node *backup_schedule_asking(svc_call *c, const svc_backup_plan *plan, int *rarest, int64_t *expiry)
{
  svc_node *ids = svc_node_array(c->arena, "policyItems"), *id;
  size_t i;
  *expiry = 0;
  for (i = 0; i < plan->count && ids; i++) {
    const svc_backup_item *item = &plan->items[i];
    int64_t until = svc_backup_expiry(item->keep, c->now);
    if (svc_backup_next(item, plan->reference, c->now - 1) != c->now) continue;
    id = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), item->id);
    if (!id) return NULL;
    svc_node_append(ids, id);
    if (until < *expiry || (until == *expiry && item->frequency < *rarest)) continue;
    *expiry = until;
    *rarest = item->frequency;
  }
  return ids;
}

static bool backup_schedule_can_take(svc_call *c, const svc_entity *cluster)
{
  svc_str state = svc_json_word(cluster->body, "stateName");
  return svc_json_is(cluster->body, "backupEnabled", "true") && !svc_json_is(cluster->body, "paused", "true") && !svc_str_is(state, "CREATING") &&
         !svc_str_is(state, "DELETING") && svc_count(c->txn, SNAPSHOT_KIND, &cluster->id) < SVC_BACKUP_SNAPSHOTS;
}

/* Whether a snapshot of the same or a lower frequency is due by now, too. */
static bool backup_schedule_is_late(const svc_call *c, const svc_backup_plan *plan, int rarest)
{
  int64_t when;
  size_t i;
  for (i = 0; i < plan->count; i++) {
    if (plan->items[i].frequency < rarest) continue;
    when = svc_backup_next(&plan->items[i], plan->reference, c->now);
    if (when && when <= c->txn->ids->now) return true;
  }
  return false;
}

/* Takes the snapshot at `when`: its due time, or now, if the driver cannot take one of the past. */
static bool backup_schedule_take(svc_call *c, const svc_entity *cluster, svc_node *items, int rarest, int64_t expiry, int64_t when)
{
  int64_t due = c->now;
  bool good;
  c->now = when;
  expiry += when - due;
  good = svc_snapshot_start(c, cluster, items, rarest, expiry - expiry % 1000);
  c->now = due;
  return good;
}

static bool backup_schedule_run(svc_call *c, svc_change *change)
{
  int64_t now = c->txn->ids->now, when = svc_order_time(c, svc_noun_by_kind(c->s, SNAPSHOT_KIND)), expiry;
  bool wanted;
  svc_backup_plan plan;
  svc_entity cluster;
  svc_node *items;
  int rarest = 0;
  if (!svc_backup_cluster(c, &change->parent, &cluster)) return false;
  svc_backup_plan_of(change->body, &plan);
  items = backup_schedule_asking(c, &plan, &rarest, &expiry);
  if (!items) return svc_no_memory(c);
  wanted = expiry > now && backup_schedule_can_take(c, &cluster) &&
           !(when > c->now && backup_schedule_is_late(c, &plan, rarest));
  if (wanted && !backup_schedule_take(c, &cluster, items, rarest, expiry, when)) return false;
  backup_schedule_set_next(c, change,
                           svc_json_is(cluster.body, "backupEnabled", "true") ? svc_backup_next_kept(&plan, c->now, now) : 0);
  return true;
}

static bool backup_schedule_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag == SVC_DUE_RUN) return backup_schedule_run(c, change);
  return tag != SVC_BACKUP_DUE_APPLY || svc_backup_apply(c, change);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

static const svc_ref backup_schedule_refs[] = {
  { "export.exportBucketId", "export bucket", SVC_E_EXPORT_BUCKET_NOT_FOUND, SVC_E_EXPORT_BUCKET_IN_USE },
  { NULL, NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_backup_schedule = {
  .name = "backup schedule",
  .kind = BACKUP_SCHEDULE_KIND,
  .parent = "cluster",
  .flags = SVC_SINGLETON | SVC_EVENT_PARENT | SVC_TEXT_BESIDE,
  .object = &backup_schedule_object,
  .refs = backup_schedule_refs,
  .event_field = "resourceId",
  .event_updated = "CPS_SNAPSHOT_SCHEDULE_UPDATED_AUDIT",
  .routes = SVC_ROUTES(backup_schedule_routes),
  .prepare = backup_schedule_prepare,
  .fell_due = backup_schedule_fell_due
};

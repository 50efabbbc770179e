/*
** Legacy snapshot schedule: the older view of a cluster's backup schedule (backup_schedule.c). Only the interval of
** checkpoints, which the newer view does not have, is stored separately: as a note next to the schedule's JSON.
**
** The older view has one item per frequency and only certain values of retention. A value of the schedule that it cannot
** express is shown as the next smaller possible one, and stays unchanged until the field that shows it is changed. 0 means
** no retention.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"

enum { LEGACY_SNAPSHOT_SCHEDULE_DAY = 24 }; /* snapshotIntervalHours of a schedule without hourly snapshots */

/* The allowed values of fields, ascending. */
static const char *const legacy_snapshot_schedule_minutes[] = { "15", "30", "60", NULL };
static const char *const legacy_snapshot_schedule_days[] = { "0", "3", "4", "5", "6", "7", "15", "30", "60", "90", "120", "180", "360", NULL };
static const char *const legacy_snapshot_schedule_months[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "18", "24", "36", NULL };
static const char *const legacy_snapshot_schedule_hours[] = { "6", "8", "12", "24", NULL };
static const char *const legacy_snapshot_schedule_few_days[] = { "2", "3", "4", "5", NULL };
static const char *const legacy_snapshot_schedule_weeks[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "12", "16", "20", "24", "52", NULL };

static const svc_field legacy_snapshot_schedule_fields[] = {
  F_INT("clusterCheckpointIntervalMin", .flags = SVC_REQUIRED, .values = legacy_snapshot_schedule_minutes),
  F_HEX24("clusterId", .flags = SVC_REQUIRED | SVC_READ_ONLY),
  F_INT("dailySnapshotRetentionDays", .flags = SVC_REQUIRED, .values = legacy_snapshot_schedule_days),
  F_HEX24("groupId", .flags = SVC_REQUIRED | SVC_READ_ONLY),
  F_INT("monthlySnapshotRetentionMonths", .flags = SVC_REQUIRED, .values = legacy_snapshot_schedule_months),
  F_INT("pointInTimeWindowHours", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 0, .max = 366 * 24),
  F_INT("snapshotIntervalHours", .flags = SVC_REQUIRED, .values = legacy_snapshot_schedule_hours),
  F_INT("snapshotRetentionDays", .flags = SVC_REQUIRED, .values = legacy_snapshot_schedule_few_days),
  F_INT("weeklySnapshotRetentionWeeks", .flags = SVC_REQUIRED, .values = legacy_snapshot_schedule_weeks)
};
static const svc_object legacy_snapshot_schedule_object = {
  .name = "SnapshotSchedule", .fields = SVC_ROWS(legacy_snapshot_schedule_fields)
};

/* The item that a field describes: its frequency and unit. */
typedef struct legacy_snapshot_schedule_row {
  const char *field;
  int frequency, unit; /* unit < 0: not a retention */
  const char *const *values;
} legacy_snapshot_schedule_row;
static const legacy_snapshot_schedule_row legacy_snapshot_schedule_rows[] = {
  { "clusterCheckpointIntervalMin", 0, -1, legacy_snapshot_schedule_minutes },
  { "dailySnapshotRetentionDays", SVC_BACKUP_DAILY, 0, legacy_snapshot_schedule_days },
  { "monthlySnapshotRetentionMonths", SVC_BACKUP_MONTHLY, 2, legacy_snapshot_schedule_months },
  { "snapshotIntervalHours", SVC_BACKUP_HOURLY, -1, legacy_snapshot_schedule_hours },
  { "snapshotRetentionDays", SVC_BACKUP_HOURLY, 0, legacy_snapshot_schedule_few_days },
  { "weeklySnapshotRetentionWeeks", SVC_BACKUP_WEEKLY, 1, legacy_snapshot_schedule_weeks },
};
#define LEGACY_SNAPSHOT_SCHEDULE_ROWS (sizeof legacy_snapshot_schedule_rows / sizeof legacy_snapshot_schedule_rows[0])

static bool legacy_snapshot_schedule_read(svc_call *c);
static bool legacy_snapshot_schedule_change(svc_call *c);

#define LEGACY_SNAPSHOT_SCHEDULE \
  "/groups/{groupId}/clusters/{clusterName}/snapshotSchedule", SVC_SET_LEGACY_SNAPSHOTS, (20230101), SVC_R_GROUP_READ_ONLY, \
    SVC_R_GROUP_OWNER

static const svc_route legacy_snapshot_schedule_routes[] = {
  R_GET(LEGACY_SNAPSHOT_SCHEDULE, "", .flags = SVC_ITEM, .op = "getClusterSnapshotSchedule", .run = legacy_snapshot_schedule_read),
  R_PATCH(LEGACY_SNAPSHOT_SCHEDULE, "", .op = "updateClusterSnapshotSchedule", .run = legacy_snapshot_schedule_change, .example = "{\"snapshotIntervalHours\":12}")
};

/* --------------------------------------------------------------------------------------------------------------- views */

/* The greatest of the values that does not exceed `value`; otherwise the least. */
static int64_t legacy_snapshot_schedule_nearest(const char *const *values, int64_t value)
{
  int64_t nearest = INT64_MIN, one;
  for (; *values; values++)
    if (svc_str_i64(svc_str_c(*values), &one) && (nearest == INT64_MIN || one <= value)) nearest = one;
  return nearest;
}

static const svc_backup_item *legacy_snapshot_schedule_item(const svc_backup_plan *plan, int frequency)
{
  size_t i;
  for (i = 0; i < plan->count; i++)
    if (plan->items[i].frequency == frequency) return &plan->items[i];
  return NULL;
}

static int64_t legacy_snapshot_schedule_value(const legacy_snapshot_schedule_row *row, const svc_backup_plan *plan,
                                              int64_t minutes)
{
  static const int64_t days[] = { 1, 7, 28, 365 };
  const svc_backup_item *item = legacy_snapshot_schedule_item(plan, row->frequency);
  int64_t value;
  if (strcmp(row->field, "clusterCheckpointIntervalMin") == 0) return minutes;
  if (row->unit < 0) return legacy_snapshot_schedule_nearest(row->values, item ? item->interval : LEGACY_SNAPSHOT_SCHEDULE_DAY);
  if (!item) return legacy_snapshot_schedule_nearest(row->values, 0);
  value = item->keep.unit == row->unit ? item->keep.value : svc_backup_days(item->keep, true) / days[row->unit];
  return legacy_snapshot_schedule_nearest(row->values, value);
}

static svc_node *legacy_snapshot_schedule_view(svc_call *c, const svc_entity *cluster, const svc_entity *record)
{
  svc_node *out = svc_node_object(c->arena, NULL), *body = svc_entity_body(c, record);
  const svc_node *notes = body ? svc_backup_notes(c, record->extra) : NULL;
  int64_t minutes = 15;
  svc_backup_plan plan;
  size_t i;
  if (!out || !notes) return NULL;
  svc_str_i64(svc_node_str(notes, "checkpointMinutes"), &minutes);
  svc_backup_plan_of(body, &plan);
  svc_node_set_id(c->arena, out, "clusterId", &cluster->id);
  svc_node_set_id(c->arena, out, "groupId", &cluster->parent);
  svc_node_set_i64(c->arena, out, "pointInTimeWindowHours", svc_node_i64_within(body, "restoreWindowDays", 0, 0, 366) * 24);
  for (i = 0; i < LEGACY_SNAPSHOT_SCHEDULE_ROWS; i++)
    svc_node_set_i64(c->arena, out, legacy_snapshot_schedule_rows[i].field,
                     legacy_snapshot_schedule_value(&legacy_snapshot_schedule_rows[i], &plan, minutes));
  return out;
}

static bool legacy_snapshot_schedule_target(svc_call *c, svc_entity *record, svc_node **view)
{
  const svc_entity *cluster;
  int rc;
  if (!svc_resolve_all(c)) return false;
  cluster = svc_path_entity(c, "cluster");
  if (!svc_backup_enabled(c, cluster)) return false;
  rc = svc_backup_record(c, &cluster->id, record);
  if (rc == SVC_NOT_FOUND) return svc_backup_absent(c, cluster);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  *view = legacy_snapshot_schedule_view(c, cluster, record);
  return svc_if_match_view(c, *view);
}

static bool legacy_snapshot_schedule_read(svc_call *c)
{
  svc_entity record;
  svc_node *view;
  return legacy_snapshot_schedule_target(c, &record, &view) && svc_answer_node(c, view);
}

/* ------------------------------------------------------------------------------------------------------------- changes */

static svc_node *legacy_snapshot_schedule_find(const svc_node *items, int frequency)
{
  svc_node *item;
  for (item = items->first; item; item = item->next)
    if (svc_backup_frequency(svc_node_str(item, "frequencyType")) == frequency) return item;
  return NULL;
}

static void legacy_snapshot_schedule_remove(svc_node *items, const svc_node *item)
{
  svc_node *all = items->first, *next;
  items->first = items->last = NULL;
  for (; all; all = next) {
    next = all->next;
    all->next = NULL;
    if (all != item) svc_node_append(items, all);
  }
}

/* Default intervals: weekly items on Saturday, monthly ones on the last day of the month. */
static svc_node *legacy_snapshot_schedule_new(svc_call *c, svc_node *items, int frequency)
{
  static const int64_t intervals[] = { 6, 1, 6, 40, 12 };
  svc_node *item = svc_node_object(c->arena, NULL);
  if (!item) return NULL;
  svc_node_set_i64(c->arena, item, "frequencyInterval", intervals[frequency]);
  svc_node_set_text(c->arena, item, "frequencyType", svc_values_snapshot_frequencies[frequency]);
  svc_node_set_text(c->arena, item, "retentionUnit", "days");
  svc_node_set_i64(c->arena, item, "retentionValue", 2);
  svc_node_append(items, item);
  return item;
}

static bool legacy_snapshot_schedule_set(svc_call *c, svc_node *items, const legacy_snapshot_schedule_row *row, int64_t value)
{
  svc_node *item = legacy_snapshot_schedule_find(items, row->frequency);
  bool none = row->unit < 0 ? value == LEGACY_SNAPSHOT_SCHEDULE_DAY : value == 0;
  if (none) legacy_snapshot_schedule_remove(items, item);
  if (none) return true;
  if (!item) item = legacy_snapshot_schedule_new(c, items, row->frequency);
  if (!item) return false;
  if (row->unit < 0) {
    svc_node_set_i64(c->arena, item, "frequencyInterval", value);
    return true;
  }
  svc_node_set_text(c->arena, item, "retentionUnit", svc_values_retention_units[row->unit]);
  svc_node_set_i64(c->arena, item, "retentionValue", value);
  return true;
}

/* An interval of 24 hours means that there is no hourly item, so nothing can have its retention. */
static bool legacy_snapshot_schedule_known(svc_call *c, const svc_node *view, const svc_node *body)
{
  bool other = svc_node_i64(body, "snapshotRetentionDays", 0) != svc_node_i64(view, "snapshotRetentionDays", 0);
  if (other && svc_node_i64(body, "snapshotIntervalHours", 0) == LEGACY_SNAPSHOT_SCHEDULE_DAY)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("snapshotRetentionDays"),
                "cannot be changed if snapshotIntervalHours is 24: dailySnapshotRetentionDays is the retention of these snapshots");
  if (svc_node_i64(body, "pointInTimeWindowHours", 0) % 24)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("pointInTimeWindowHours"), "must be whole days: a multiple of 24");
  return svc_check_done(c);
}

/* The field of this resource that shows a field of an item; item NULL: the restore window. */
static const char *legacy_snapshot_schedule_named(const svc_backup_item *item, const char *field)
{
  size_t i;
  bool interval = strcmp(field, "frequencyInterval") == 0;
  for (i = 1; item && i < LEGACY_SNAPSHOT_SCHEDULE_ROWS; i++) {
    const legacy_snapshot_schedule_row *row = &legacy_snapshot_schedule_rows[i];
    if (row->frequency == item->frequency && (row->unit < 0) == interval) return row->field;
  }
  return item ? field : "pointInTimeWindowHours";
}

/* Writes the values that differ from the shown ones into the schedule. */
static bool legacy_snapshot_schedule_write(svc_call *c, const svc_node *view, const svc_node *body, svc_change *change)
{
  svc_node *items = svc_backup_policy_items(c, change->body), *notes = svc_backup_notes(c, change->entity.extra);
  int64_t window = svc_node_i64(body, "pointInTimeWindowHours", 0);
  size_t i;
  if (!items || !notes) return svc_no_memory(c);
  for (i = 0; i < LEGACY_SNAPSHOT_SCHEDULE_ROWS; i++) {
    const legacy_snapshot_schedule_row *row = &legacy_snapshot_schedule_rows[i];
    int64_t value = svc_node_i64(body, row->field, 0);
    if (value == svc_node_i64(view, row->field, -1)) continue;
    if (i == 0) {
      svc_node_set_str(c->arena, notes, "checkpointMinutes", svc_arena_print(c->arena, "%d", (int)value));
      change->extra = svc_backup_notes_text(c, notes);
    } else if (!legacy_snapshot_schedule_set(c, items, row, value)) {
      return svc_no_memory(c);
    }
  }
  if (window == svc_node_i64(view, "pointInTimeWindowHours", -1)) return true;
  svc_node_drop(change->body, "restoreWindowDays");
  if (window) svc_node_set_i64(c->arena, change->body, "restoreWindowDays", window / 24);
  return true;
}

static bool legacy_snapshot_schedule_change(svc_call *c)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, BACKUP_SCHEDULE_KIND);
  svc_entity record, e;
  svc_node *view, *body;
  svc_change change;
  if (!legacy_snapshot_schedule_target(c, &record, &view)) return false;
  body = svc_check(c, &legacy_snapshot_schedule_object, c->body, view, SVC_CHECK_UPDATE);
  if (!svc_check_done(c) || !legacy_snapshot_schedule_known(c, view, body) || !svc_change_of(c, noun, &record, &change))
    return false;
  if (!legacy_snapshot_schedule_write(c, view, body, &change)) return false;
  if (!svc_backup_items_check(c, change.body, legacy_snapshot_schedule_named)) return false;
  change.input = c->body;
  change.event = noun->noun->event_updated;
  return svc_change_keep(c, &change, &e) &&
         svc_answer_node(c, legacy_snapshot_schedule_view(c, svc_path_entity(c, "cluster"), &e));
}

SVC_PRIVATE const svc_noun svc_noun_legacy_snapshot_schedule = {
  .name = "legacy snapshot schedule",
  .parent = "cluster",
  .flags = SVC_VIRTUAL | SVC_SINGLETON,
  .object = &legacy_snapshot_schedule_object,
  .routes = SVC_ROUTES(legacy_snapshot_schedule_routes)
};

/*
** Copies of snapshots in other regions.
**
** A completed snapshot is copied to the regions that its cluster's schedule names for its frequency; copyRegions lists
** them. A copy is deleted with its snapshot, or earlier: when the retention of its copy policy ends, or when only the last
** snapshots keep copies. The expiry of each copy is stored next to the snapshot's JSON, like its shards:
**
**   { "copies": { "EU_WEST_1": "2025-07-01T00:00:00Z" }, "members": [...], ... }
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/backup/snapshot_parts.h"

/* Whether this copy setting applies to snapshots of this frequency. *keep: retention of the copy; unit < 0: the snapshot's. */
static bool snapshot_copies_speaks(const svc_node *setting, int frequency, svc_retention *keep)
{
  const svc_node *items = svc_node_get(setting, "copyPolicyItems"), *names = svc_node_get(setting, "frequencies"), *one;
  svc_backup_item item;
  keep->unit = -1;
  for (one = svc_node_first(items); one; one = one->next) {
    if (svc_backup_frequency(svc_node_str(one, "frequencyType")) != frequency) continue;
    if (svc_backup_item_of(one, &item) && svc_node_get(one, "retentionValue")) *keep = item.keep;
    return true;
  }
  for (one = svc_node_first(names); one; one = one->next)
    if (svc_backup_frequency(one->text) == frequency) return true;
  return !items && !names;
}

static int snapshot_copies_frequency(const svc_node *snapshot)
{
  int frequency = svc_backup_frequency(svc_node_str(snapshot, "frequencyType"));
  return frequency < 0 ? SVC_BACKUP_ON_DEMAND : frequency;
}

/* The copy settings of the schedule; NULL: none, or the store failed. Most schedules have none, and are not parsed. */
static const svc_node *snapshot_copies_settings(svc_call *c, const svc_id *cluster)
{
  svc_entity schedule;
  const svc_node *body, *settings;
  int rc = svc_backup_record(c, cluster, &schedule);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) (void)svc_store_failed(c, rc);
  if (rc != SVC_OK || svc_json_member(schedule.body, SVC_S("copySettings")).n <= 2) return NULL;
  body = svc_entity_body(c, &schedule);
  settings = svc_node_get(body, "copySettings");
  return svc_node_first(settings) ? settings : NULL;
}

/* ------------------------------------------------------------------------------------------------------- where and when */

/* The notes of a snapshot. *copies: the object of its copies in them. */
static svc_node *snapshot_copies_notes(svc_call *c, svc_str extra, svc_node **copies)
{
  svc_node *notes = svc_backup_notes(c, extra);
  if (!notes) return NULL;
  *copies = svc_node_get(notes, "copies");
  if (*copies) return notes;
  *copies = svc_node_object(c->arena, "copies");
  if (*copies) svc_node_put(c->arena, notes, *copies);
  return *copies ? notes : ((void)svc_no_memory(c), NULL);
}

/* Records that a copy expires after its own retention, or with its snapshot (an empty date). */
static void snapshot_copies_until(svc_call *c, const svc_change *change, svc_node *copies, svc_str region, svc_retention keep)
{
  const char *name = svc_arena_copy(c->arena, region).p;
  int64_t taken = c->now;
  char date[21] = "";
  svc_date_parse(svc_node_str(change->body, "createdAt"), &taken);
  if (keep.unit >= 0) svc_date_text(svc_backup_expiry(keep, taken), date);
  svc_node_set_text(c->arena, copies, name, date);
}

/* Copies the notes to the shown copyRegions, and sets the due date of the first copy to expire. */
static bool snapshot_copies_show(svc_call *c, svc_change *change, svc_node *notes, svc_node *copies)
{
  svc_node *regions = svc_node_array(c->arena, "copyRegions"), *one, *name;
  int64_t first = 0, when;
  if (!regions) return svc_no_memory(c);
  for (one = copies->first; one; one = one->next) {
    name = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), one->name);
    if (!name) return svc_no_memory(c);
    svc_node_append(regions, name);
    if (svc_date_parse(one->text, &when) && (!first || when < first)) first = when;
  }
  svc_node_put(c->arena, change->body, regions);
  if (!copies->first) svc_node_drop(notes, "copies");
  change->extra = svc_backup_notes_text(c, notes);
  svc_change_due(change, SNAPSHOT_DUE_COPIES, first);
  return true;
}

/* ------------------------------------------------------------------------------------------------------------- to copy */

/* A region may keep copies of the last snapshots only: drops the copy that exceeds this number. */
static bool snapshot_copies_trim(svc_call *c, const svc_change *change, svc_str region, int64_t most)
{
  svc_node *only = svc_node_array(c->arena, NULL);
  svc_node *name = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), region);
  svc_str quoted = svc_arena_print(c->arena, "\"" SVC_FMT "\"", SVC_ARG(region));
  int64_t found = 1; /* this one */
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  svc_entity e;
  if (!only || !name) return svc_no_memory(c);
  svc_node_append(only, name);
  svc_key_entity(&prefix, SNAPSHOT_KIND, &change->parent, NULL);
  svc_scan_below(&scan, c->txn, &prefix, true);
  svc_key_entity(&scan.to, SNAPSHOT_KIND, &change->parent, &change->id);
  e.kind = SNAPSHOT_KIND;
  while (svc_scan_next(&scan, &key, &value)) {
    svc_str regions;
    if (!svc_entity_decode(key, value, &e)) return svc_store_failed(c, svc_note(c->txn, SVC_CORRUPT));
    regions = svc_json_member(e.body, SVC_S("copyRegions"));
    if (regions.n <= 2 || !strstr(svc_arena_copy(c->arena, regions).p, quoted.p)) continue;
    if (++found > most) return svc_snapshot_copies(c, &e, only, true);
  }
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_snapshot_copy(svc_call *c, svc_change *change)
{
  const svc_node *setting = snapshot_copies_settings(c, &change->parent);
  int frequency = snapshot_copies_frequency(change->body);
  svc_node *copies, *notes;
  svc_retention keep;
  if (!setting) return c->error.code == SVC_E_NONE;
  notes = snapshot_copies_notes(c, change->extra, &copies);
  for (setting = notes ? setting->first : NULL; setting; setting = setting->next) {
    svc_str region = svc_node_str(setting, "regionName");
    int64_t last = svc_node_i64(setting, "lastNumberOfSnapshots", 0);
    if (!snapshot_copies_speaks(setting, frequency, &keep)) continue;
    snapshot_copies_until(c, change, copies, region, keep);
    if (last && !snapshot_copies_trim(c, change, region, last)) return false;
  }
  if (!notes || !copies->first) return notes != NULL;
  return snapshot_copies_show(c, change, notes, copies) &&
         svc_event_about(c, change->noun, &change->entity, "CPS_COPY_SNAPSHOT_SUCCESSFUL", false);
}

/* For the driver, which makes the copies. */
SVC_PRIVATE svc_node *svc_snapshot_copy_regions(svc_call *c, const svc_id *cluster, const svc_node *snapshot)
{
  svc_node *regions = svc_node_array(c->arena, "copyRegions"), *name;
  const svc_node *setting = regions ? snapshot_copies_settings(c, cluster) : NULL;
  svc_retention keep;
  for (setting = svc_node_first(setting); setting; setting = setting->next) {
    if (!snapshot_copies_speaks(setting, snapshot_copies_frequency(snapshot), &keep)) continue;
    name = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), svc_node_str(setting, "regionName"));
    if (!name) return NULL;
    svc_node_append(regions, name);
  }
  return regions;
}

/* -------------------------------------------------------------------------------------------------------- copies that go */

SVC_PRIVATE bool svc_snapshot_copies_over(svc_call *c, svc_change *change)
{
  svc_node *copies, *notes = snapshot_copies_notes(c, change->extra, &copies), *one, *next;
  int64_t when;
  if (!notes) return false;
  for (one = copies->first; one; one = next) {
    next = one->next;
    if (svc_date_parse(one->text, &when) && when <= c->now) svc_node_drop(copies, svc_arena_copy(c->arena, one->name).p);
  }
  return snapshot_copies_show(c, change, notes, copies);
}

static bool snapshot_copies_named(const svc_node *regions, svc_str name)
{
  const svc_node *one;
  for (one = svc_node_first(regions); one; one = one->next)
    if (svc_str_eq(one->text, name)) return true;
  return false;
}

/* Recomputes the expiry by the present retention of each region in the schedule. */
static void snapshot_copies_renew(svc_call *c, const svc_change *change, svc_node *copies, const svc_node *settings)
{
  const svc_node *setting;
  svc_retention keep;
  for (setting = svc_node_first(settings); setting; setting = setting->next)
    if (svc_node_find(copies, svc_node_str(setting, "regionName")) &&
        snapshot_copies_speaks(setting, snapshot_copies_frequency(change->body), &keep))
      snapshot_copies_until(c, change, copies, svc_node_str(setting, "regionName"), keep);
}

SVC_PRIVATE bool svc_snapshot_copies(svc_call *c, const svc_entity *snapshot, const svc_node *regions, bool others)
{
  svc_node *copies, *notes, *one, *next;
  svc_change change;
  svc_entity e;
  if (svc_json_member(snapshot->body, SVC_S("copyRegions")).n <= 2) return true;
  if (!svc_change_of(c, svc_noun_by_kind(c->s, SNAPSHOT_KIND), snapshot, &change)) return false;
  notes = snapshot_copies_notes(c, snapshot->extra, &copies);
  if (!notes) return false;
  for (one = regions ? copies->first : NULL; one; one = next) {
    next = one->next;
    if (snapshot_copies_named(regions, one->name) == others) svc_node_drop(copies, svc_arena_copy(c->arena, one->name).p);
  }
  if (!regions) snapshot_copies_renew(c, &change, copies, snapshot_copies_settings(c, &snapshot->parent));
  if (c->error.code || !snapshot_copies_show(c, &change, notes, copies)) return false;
  if (!change.extra.n) change.extra = SVC_S("{}");
  return svc_change_keep(c, &change, &e);
}

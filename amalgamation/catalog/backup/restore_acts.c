/*
** Functions that restores of all kinds share: the target cluster, the moment to restore, and the limit on downloads.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/cluster/cluster_base.h"

#define RESTORE_ACTS_DOWNLOADS 5 /* maximum of one snapshot at a time */
#define RESTORE_ACTS_WINDOW 7    /* days, if the schedule defines no window */

/* --------------------------------------------------------------------------------------------------------------- target */

/* The project of the path, or another one in which the caller has a role that the operation requires. */
static bool restore_acts_group(svc_call *c, svc_str group, svc_id *out)
{
  svc_entity project;
  *out = c->scope.group;
  if (group.n == 0 || svc_str_eq(group, svc_id_str(c->arena, out))) return true;
  if (!c->s->group || svc_get_noun_text_id(c->txn, c->s->group, group, &project) != SVC_OK)
    return svc_txn_good(c) && svc_fail(c, SVC_E_GROUP_NOT_FOUND, "S", &group);
  *out = project.id;
  if (!svc_entity_visible(c, c->s->group, &project)) return svc_no_part(c, c->s->group, group);
  return svc_may_there(c, &project.id, &project.parent, c->plan->route->roles);
}

SVC_PRIVATE bool svc_restore_target(svc_call *c, svc_str group, svc_str name, svc_entity *out)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "cluster");
  svc_str state, parent;
  svc_id id;
  if (!noun || !restore_acts_group(c, group, &id)) return false;
  parent = svc_id_str(c->arena, &id);
  if (svc_entity_named(c->txn, noun->noun->kind, svc_noun_ext_of(noun->noun)->names, &id, name, out) != SVC_OK)
    return svc_txn_good(c) && svc_fail(c, SVC_E_CLUSTER_NOT_FOUND, "SS", &name, &parent);
  state = svc_json_word(out->body, "stateName");
  if (svc_json_is(out->body, "paused", "true")) return svc_fail(c, SVC_E_CLUSTER_PAUSED_CANNOT_RESTORE, "S", &name);
  if (svc_str_is(state, "DELETING")) return svc_fail(c, SVC_E_CLUSTER_ALREADY_REQUESTED_DELETION, "SS", &name, &parent);
  if (svc_cluster_imports(c, out)) return svc_fail(c, SVC_E_CANNOT_MODIFY_CLUSTER_WITH_RUNNING_LIVE_IMPORT, "S", &name);
  if (svc_backup_restoring(c, &out->id)) return svc_fail(c, SVC_E_CLUSTER_RESTORE_IN_PROGRESS, "S", &name);
  return c->error.code == SVC_E_NONE;
}

SVC_PRIVATE bool svc_restore_claim(svc_call *c, const svc_entity *target, const svc_id *source, const svc_id *job)
{
  svc_str text = svc_arena_print(c->arena, "%s %s", svc_id_str(c->arena, source).p, svc_id_str(c->arena, job).p);
  return svc_backup_note(c, target, "restore", text);
}

/* ------------------------------------------------------------------------------------------------------------ downloads */

static bool restore_acts_lives(svc_call *c, const svc_id *cluster, svc_str job)
{
  svc_entity e;
  svc_str state;
  if (svc_entity_get_text_id(c->txn, RESTORE_JOB_KIND, cluster, job, &e) != SVC_OK) return false;
  state = svc_json_word(e.body, "state");
  return svc_str_is(state, "RUNNING") || svc_str_is(state, "FINISHED");
}

/* The snapshot has a list of its downloads, stored next to its JSON. Downloads that expired, failed, or were cancelled or deleted do not
** count, and are removed from the list when the next one is added. */
SVC_PRIVATE bool svc_restore_download(svc_call *c, const svc_entity *snapshot, const svc_id *job)
{
  svc_node *notes = svc_backup_notes(c, snapshot->extra);
  svc_buf b = svc_buf_new(c->arena, 160);
  svc_str rest = svc_node_str(notes, "downloads"), one;
  int n = 0;
  if (!notes) return false;
  while (rest.n) {
    one = svc_str_cut(&rest, ' ');
    if (!restore_acts_lives(c, &snapshot->parent, one)) continue;
    svc_buf_str(&b, one);
    svc_buf_char(&b, ' ');
    n++;
  }
  if (n >= RESTORE_ACTS_DOWNLOADS) return svc_fail(c, SVC_E_TOO_MANY_SNAPSHOT_DOWNLOADS, "S", &snapshot->key);
  svc_buf_str(&b, svc_id_str(c->arena, job));
  svc_node_set_str(c->arena, notes, "downloads", svc_buf_done(&b));
  return svc_backup_put_extra(c, snapshot, svc_backup_notes_text(c, notes));
}

/* -------------------------------------------------------------------------------------------------------- a point in time */

/* Whether there is a completed snapshot before this moment. Ids begin with the second of their creation, so the scan finds the last
** one at once. */
static bool restore_acts_has_base(svc_call *c, const svc_id *cluster, int64_t second)
{
  svc_key prefix;
  svc_scan scan;
  svc_str key, value;
  svc_entity e;
  svc_key_entity(&prefix, SNAPSHOT_KIND, cluster, NULL);
  svc_scan_below(&scan, c->txn, &prefix, true);
  scan.to = prefix;
  svc_key_number(&scan.to, (uint64_t)(second + 1), 4);
  e.kind = SNAPSHOT_KIND;
  while (svc_scan_next(&scan, &key, &value))
    if (svc_entity_decode(key, value, &e) && svc_json_is(e.body, "status", "completed")) return true;
  return false;
}

SVC_PRIVATE bool svc_restore_reaches(svc_call *c, const svc_entity *cluster, int64_t second)
{
  const char *field = "pointInTimeUTCSeconds";
  int64_t days = RESTORE_ACTS_WINDOW, now = c->now / 1000;
  svc_entity record;
  if (!svc_backup_enabled(c, cluster)) return false;
  if (!svc_json_is(cluster->body, "pitEnabled", "true"))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("deliveryType"),
                "needs continuous backups: the cluster's pitEnabled is false");
  if (svc_backup_record(c, &cluster->id, &record) == SVC_OK)
    svc_json_number_i64(svc_json_member(record.body, SVC_S("restoreWindowDays")), &days);
  if (days < 1 || days > 366) days = RESTORE_ACTS_WINDOW; /* the stored value is damaged */
  if (second > now) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_str_c(field), "is in the future");
  else if (second < now - days * 86400)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_str_c(field), "is before the restore window of %lld days",
                (long long)days);
  else if (!restore_acts_has_base(c, &cluster->id, second))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_str_c(field), "is before the first snapshot that could restore it");
  return svc_check_done(c) && svc_txn_good(c);
}

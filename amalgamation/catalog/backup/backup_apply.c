/*
** Applies the policies of a backup schedule to existing snapshots.
**
** A request that changes the schedule asks for it: updateSnapshots, deleteSnapshots, updateCopySnapshots,
** deleteCopySnapshots, deleteCopiedBackups. The note "apply" of the schedule stores the request and its progress. The work
** is split into steps of BACKUP_APPLY_STEP snapshots. Each step has its own due date, so no step blocks other writers for
** long.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"

#define BACKUP_APPLY_STEP 64  /* snapshots per step */
#define BACKUP_APPLY_PAUSE 10 /* milliseconds between two steps */

typedef struct backup_apply_work {
  const svc_node *asked; /* the note */
  svc_backup_plan plan;
  svc_node *regions; /* target regions of copies */
  bool kept_for_good; /* a compliance policy forbids deletes */
} backup_apply_work;

/* The date until which the remaining policy items keep a snapshot; 0: no such item remains. */
static int64_t backup_apply_kept(const backup_apply_work *work, const svc_node *snapshot)
{
  const svc_node *ids = svc_node_get(snapshot, "policyItems"), *id;
  int64_t taken = 0, until = 0, expiry;
  size_t i;
  svc_date_parse(svc_node_str(snapshot, "createdAt"), &taken);
  for (id = svc_node_first(ids); id; id = id->next)
    for (i = 0; i < work->plan.count; i++) {
      if (!svc_str_eq(id->text, work->plan.items[i].id)) continue;
      expiry = svc_backup_expiry(work->plan.items[i].keep, taken);
      if (expiry > until) until = expiry;
    }
  return until;
}

static bool backup_apply_one(svc_call *c, const backup_apply_work *work, const svc_entity *e)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, SNAPSHOT_KIND);
  const svc_node *body = svc_entity_body(c, e), *copied = svc_node_get(work->asked, "deleteCopiedBackups");
  int64_t until, was = svc_due_get(e, SVC_DUE_EXPIRY);
  bool scheduled;
  svc_entity now;
  if (!body) return false;
  scheduled = svc_node_is(body, "snapshotType", "scheduled");
  until = scheduled ? backup_apply_kept(work, body) : 0;
  if (scheduled && !until && svc_node_get(work->asked, "deleteSnapshots") && !work->kept_for_good)
    return svc_erase(c, noun, e);
  if (until && svc_node_get(work->asked, "updateSnapshots") && (!work->kept_for_good || !svc_backup_shorter(until, was)) &&
      !svc_snapshot_keep_until(c, e, until))
    return false;
  if (svc_entity_get(c->txn, SNAPSHOT_KIND, &e->parent, &e->id, &now) != SVC_OK) return svc_txn_good(c);
  if (svc_node_get(work->asked, "updateCopySnapshots") && !svc_snapshot_copies(c, &now, NULL, false)) return false;
  if (svc_node_get(work->asked, "deleteCopySnapshots") && !svc_snapshot_copies(c, &now, work->regions, false)) return false;
  return !copied || svc_snapshot_copies(c, &now, copied, true);
}

/* Names of the regions in an array of objects. */
static svc_node *backup_apply_regions(svc_call *c, const svc_node *list)
{
  svc_node *out = svc_node_array(c->arena, NULL), *name;
  for (list = list && out ? list->first : NULL; list; list = list->next) {
    name = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), svc_node_str(list, "regionName"));
    if (!name) return NULL;
    svc_node_append(out, name);
  }
  return out;
}

static bool backup_apply_begin_work(svc_call *c, const svc_change *change, svc_node *apply, backup_apply_work *work)
{
  svc_node *copied = svc_node_get(apply, "deleteCopiedBackups");
  work->asked = apply;
  svc_backup_plan_of(change->body, &work->plan);
  work->regions = backup_apply_regions(c, svc_node_get(change->body, "copySettings"));
  if (svc_node_first(copied) && copied->first->type == SVC_J_OBJECT) { /* objects, as they were sent: from here on, names */
    svc_node *names = backup_apply_regions(c, copied);
    if (names) names->name = copied->name;
    if (names) svc_node_put(c->arena, apply, names);
  }
  work->kept_for_good = svc_compliance(c) != NULL;
  return work->regions && !c->error.code;
}

/* Does the next step. The note keeps the remaining work. */
SVC_PRIVATE bool svc_backup_apply(svc_call *c, svc_change *change)
{
  svc_node *notes = svc_backup_notes(c, change->extra), *apply = svc_node_get(notes, "apply");
  backup_apply_work work;
  svc_id after = { { 0 } };
  svc_scan scan;
  svc_entity e;
  int n = 0;
  if (!notes || !apply) return notes != NULL;
  if (!backup_apply_begin_work(c, change, apply, &work)) return svc_failed(c);
  if (svc_id_parse(svc_node_str(apply, "after"), &after)) after = svc_id_after(&after, 1);
  svc_below_begin(&scan, c->txn, SNAPSHOT_KIND, &change->parent);
  svc_key_entity(&scan.from, SNAPSHOT_KIND, &change->parent, &after);
  for (; n < BACKUP_APPLY_STEP && svc_below_next(&scan, SNAPSHOT_KIND, &e); n++) {
    after = e.id;
    if (!backup_apply_one(c, &work, &e)) return false;
  }
  if (n < BACKUP_APPLY_STEP) svc_node_drop(notes, "apply");
  else svc_node_set_id(c->arena, apply, "after", &after);
  if (n == BACKUP_APPLY_STEP) svc_change_due(change, SVC_BACKUP_DUE_APPLY, c->now + BACKUP_APPLY_PAUSE);
  change->extra = svc_backup_notes_text(c, notes);
  return svc_txn_good(c);
}

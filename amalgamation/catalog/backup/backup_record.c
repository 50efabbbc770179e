/*
** A cluster as its backups see it, and the notes of its backups.
**
** Each cluster with backups has exactly one schedule record. The record has notes next to its body, a JSON object:
**
**   apply      the work that a change of the policies still has to do on existing snapshots (backup_apply.c)
**   checkpointMinutes   a value that only the older view of the schedule has
**   onDemand   the last snapshot on demand
**   restore    the job that restores this cluster: the cluster that the job belongs to, and the job
**
** The rule: a note on a resource only points to it and never states its condition, because a failed job does not update notes.
** Code that reads a note looks up the resource, and ignores the note if the resource is finished or deleted.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/cluster/cluster_base.h"

/* The policy of a new cluster. */
#define BACKUP_RECORD_ITEM(type, interval, unit, value) \
  "{\"frequencyInterval\":" #interval ",\"frequencyType\":\"" type "\",\"retentionUnit\":\"" unit "\"," \
  "\"retentionValue\":" #value "}"
static const char backup_record_policies[] =
  "[{\"policyItems\":[" BACKUP_RECORD_ITEM("hourly", 6, "days", 7) "," BACKUP_RECORD_ITEM("daily", 1, "days", 7) ","
  BACKUP_RECORD_ITEM("weekly", 6, "weeks", 4) "," BACKUP_RECORD_ITEM("monthly", 40, "months", 12) ","
  BACKUP_RECORD_ITEM("yearly", 12, "years", 1) "]}]";

/* -------------------------------------------------------------------------------------------------------------- clusters */

static bool backup_record_cluster(svc_call *c, const svc_id *id, bool gone, svc_entity *out)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "cluster");
  svc_str text = svc_id_str(c->arena, id);
  int rc = noun ? svc_entity_get(c->txn, noun->noun->kind, &c->scope.group, id, out) : SVC_NOT_FOUND;
  if (rc == SVC_NOT_FOUND && gone) rc = svc_entity_get(c->txn, DELETED_CLUSTER_KIND, &c->scope.group, id, out);
  if (rc == SVC_OK) return true;
  return rc == SVC_NOT_FOUND ? svc_fail_about(c, SVC_E_CLUSTER_NOT_FOUND, text, svc_id_str(c->arena, &c->scope.group))
                             : svc_store_failed(c, rc);
}

SVC_PRIVATE bool svc_backup_cluster(svc_call *c, const svc_id *id, svc_entity *out)
{
  return backup_record_cluster(c, id, false, out);
}

SVC_PRIVATE bool svc_backup_source(svc_call *c, const svc_id *id, svc_entity *out)
{
  return backup_record_cluster(c, id, true, out);
}

SVC_PRIVATE bool svc_backup_absent(svc_call *c, const svc_entity *cluster)
{
  svc_str id = svc_id_str(c->arena, &cluster->id), group = svc_id_str(c->arena, &cluster->parent);
  return svc_fail_as(c, svc_arena_print(c->arena, "No backup configuration exists for cluster " SVC_FMT " in group " SVC_FMT ".", SVC_ARG(id), SVC_ARG(group)),
                     SVC_E_BACKUP_CONFIG_NOT_FOUND, "SS", &id, &group);
}

SVC_PRIVATE bool svc_backup_enabled(svc_call *c, const svc_entity *cluster)
{
  return svc_json_is(cluster->body, "backupEnabled", "true") || svc_backup_absent(c, cluster);
}

/* Matches its connection strings: hosts and replica sets of a cluster have the same prefix. */
SVC_PRIVATE svc_str svc_replica_set_name(svc_call *c, const svc_entity *cluster, size_t shard)
{
  svc_cluster_kept kept = svc_cluster_kept_of(cluster);
  svc_str stem = kept.legacy ? cluster->unique : kept.id[0] ? (svc_str){ kept.id, CLUSTER_ID } : SVC_S("shards");
  return svc_arena_print(c->arena, SVC_FMT "-shard-%u", SVC_ARG(stem), (unsigned)shard);
}

/* ----------------------------------------------------------------------------------------------------------------- notes */

SVC_PRIVATE int svc_backup_record(svc_call *c, const svc_id *cluster, svc_entity *out)
{
  static const svc_id none;
  return svc_entity_get(c->txn, BACKUP_SCHEDULE_KIND, cluster, &none, out);
}

SVC_PRIVATE svc_node *svc_backup_notes(svc_call *c, svc_str extra)
{
  svc_node *notes = svc_json_parse(c->arena, extra.n ? extra : SVC_S("{}"));
  if (!notes) (void)svc_no_memory(c);
  return notes;
}

SVC_PRIVATE svc_str svc_backup_notes_text(svc_call *c, const svc_node *notes)
{
  svc_buf b = svc_buf_new(c->arena, 128);
  if (!notes->first) return SVC_S("");
  svc_node_write(&b, notes);
  return svc_buf_done(&b);
}

/* Creates the schedule of a cluster that has had no backups; policies NULL: without policies. */
static bool backup_record_begin(svc_call *c, const svc_noun_info *noun, const svc_id *cluster, svc_node *policies,
                                svc_entity *out)
{
  const svc_node *policy;
  svc_change change;
  memset(&change, 0, sizeof change);
  change.noun = noun;
  change.parent = *cluster;
  change.body = svc_presets(c->s, c->arena, noun->noun->object);
  if (!change.body) return svc_no_memory(c);
  if (policies) svc_node_put(c->arena, change.body, policies);
  policy = policies ? svc_compliance(c) : NULL;
  if (c->error.code || (policy && !svc_compliance_raise(c, policy, change.body))) return false;
  return svc_insert(c, &change, out);
}

SVC_PRIVATE bool svc_backup_put_extra(svc_call *c, const svc_entity *stored, svc_str extra)
{
  svc_entity e = *stored;
  e.extra = extra;
  return svc_entity_store(c, &e, stored);
}

/* Writes in the scope of the cluster, whose project may differ from that of the path. */
SVC_PRIVATE bool svc_backup_note(svc_call *c, const svc_entity *cluster, const char *name, svc_str text)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "backup schedule");
  const svc_scope outer = c->scope;
  svc_entity record;
  svc_node *notes;
  bool good = true;
  int rc = svc_backup_record(c, &cluster->id, &record);
  if (!noun) return true;
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  svc_scope_enter(c, cluster);
  if (rc == SVC_NOT_FOUND) good = backup_record_begin(c, noun, &cluster->id, NULL, &record);
  c->scope = outer;
  notes = good ? svc_backup_notes(c, record.extra) : NULL;
  if (!notes) return false;
  svc_node_set_str(c->arena, notes, name, text);
  return svc_backup_put_extra(c, &record, svc_backup_notes_text(c, notes));
}

SVC_PRIVATE bool svc_backup_note_get(svc_call *c, const svc_id *cluster, const char *name, svc_str *out)
{
  svc_entity e;
  const svc_node *notes;
  int rc = svc_backup_record(c, cluster, &e);
  *out = SVC_S("");
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  if (e.extra.n == 0) return true;
  notes = svc_backup_notes(c, e.extra);
  if (!notes) return false;
  *out = svc_node_str(notes, name);
  return true;
}

/* ----------------------------------------------------------------------------------------------- what clusters go through */

/* Starts backups, for the first time or again. */
static bool backup_record_enable(svc_call *c, const svc_noun_info *noun, const svc_id *cluster)
{
  svc_node *policies = svc_json_parse(c->arena, svc_str_c(backup_record_policies));
  svc_change change;
  svc_entity e;
  int rc = svc_backup_record(c, cluster, &e);
  const svc_node *held;
  if (!policies) return svc_no_memory(c);
  policies->name = SVC_S("policies");
  if (rc == SVC_NOT_FOUND) return backup_record_begin(c, noun, cluster, policies, &e);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (!svc_change_of(c, noun, &e, &change)) return false;
  held = svc_node_get(change.body, "policies");
  if (!svc_node_first(held)) svc_node_put(c->arena, change.body, policies); /* the record existed only for a note */
  return svc_change_keep(c, &change, &e);
}

/* The snapshots remain until they expire. */
static bool backup_record_disable(svc_call *c, const svc_noun_info *noun, const svc_id *cluster)
{
  svc_change change;
  svc_entity e;
  int rc = svc_backup_record(c, cluster, &e);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  return svc_change_of(c, noun, &e, &change) && svc_change_keep(c, &change, &e);
}

SVC_PRIVATE bool svc_backup_follows(svc_call *c, const svc_change *change, const svc_entity *cluster)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "backup schedule");
  bool was = svc_node_bool(change->before, "backupEnabled", false), is = svc_node_bool(change->body, "backupEnabled", false);
  if (!noun || was == is) return true;
  return is ? backup_record_enable(c, noun, &cluster->id) : backup_record_disable(c, noun, &cluster->id);
}

SVC_PRIVATE bool svc_backup_restoring(svc_call *c, const svc_id *cluster)
{
  svc_str note, source;
  svc_id from;
  svc_entity job;
  if (!svc_backup_note_get(c, cluster, "restore", &note) || note.n == 0) return false;
  source = svc_str_cut(&note, ' ');
  return svc_id_parse(source, &from) && svc_entity_get_text_id(c->txn, RESTORE_JOB_KIND, &from, note, &job) == SVC_OK &&
         svc_json_is(job.body, "state", "RUNNING");
}

SVC_PRIVATE bool svc_backup_allows(svc_call *c, const svc_change *change)
{
  static const char *const fields[] = { "backupEnabled", "pitEnabled" };
  const svc_node *policy = svc_compliance(c);
  svc_str name = svc_node_str(change->body, "name");
  bool good = true;
  size_t i;
  if (!policy) return c->error.code == SVC_E_NONE;
  for (i = 0; i < 2; i++) /* a cluster that was without it before the policy may stay without it */
    if ((i == 0 || svc_node_bool(policy, "pitEnabled", false)) && svc_node_bool(change->before, fields[i], !change->before) &&
        !svc_node_bool(change->body, fields[i], false))
      good = false;
  if (svc_node_bool(policy, "encryptionAtRestEnabled", false) &&
      svc_node_is(change->body, "encryptionAtRestProvider", "NONE") &&
      !svc_node_is(change->before, "encryptionAtRestProvider", "NONE"))
    good = false;
  return good || svc_fail(c, SVC_E_BACKUP_POLICIES_NOT_MEETING_BACKUP_COMPLIANCE_POLICY_REQUIREMENTS, "S", &name);
}

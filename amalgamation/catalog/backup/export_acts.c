/*
** Connects exports with their buckets: while a job runs, its bucket has a line for it, stored next to the bucket's JSON:
**
**   cluster (24 hex digits), a space, job (24 hex digits), a newline
**
** Like all notes of backups, a line only points to a job. The line of a finished or deleted job is ignored, and removed
** when the next line is written.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"

static bool export_acts_under_way(svc_call *c, svc_str line)
{
  svc_str cluster = svc_str_cut(&line, ' '), state;
  svc_id parent;
  svc_entity job;
  if (!svc_id_parse(cluster, &parent) || svc_entity_get_text_id(c->txn, EXPORT_JOB_KIND, &parent, line, &job) != SVC_OK) return false;
  state = svc_json_word(job.body, "state");
  return svc_str_is(state, "Queued") || svc_str_is(state, "InProgress");
}

SVC_PRIVATE bool svc_export_uses(svc_call *c, const svc_entity *bucket)
{
  svc_str rest = bucket->extra;
  while (rest.n)
    if (export_acts_under_way(c, svc_str_cut(&rest, '\n'))) return true;
  return false;
}

SVC_PRIVATE bool svc_export_claim(svc_call *c, const svc_entity *job, svc_str bucket)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "export bucket");
  svc_buf b = svc_buf_new(c->arena, 128);
  svc_str rest, line;
  svc_entity e;
  if (!noun || svc_entity_get_text_id(c->txn, noun->noun->kind, &job->scope.group, bucket, &e) != SVC_OK) return svc_txn_good(c);
  for (rest = e.extra; rest.n;) {
    line = svc_str_cut(&rest, '\n');
    if (!export_acts_under_way(c, line)) continue;
    svc_buf_str(&b, line);
    svc_buf_char(&b, '\n');
  }
  svc_buf_str(&b, svc_id_str(c->arena, &job->parent));
  svc_buf_char(&b, ' ');
  svc_buf_str(&b, svc_id_str(c->arena, &job->id));
  svc_buf_char(&b, '\n');
  return b.failed ? svc_no_memory(c) : svc_backup_put_extra(c, &e, svc_buf_done(&b));
}

/* If the export cannot begin, an event reports it; the snapshot is not affected. */
SVC_PRIVATE bool svc_export_begin(svc_call *c, const svc_entity *cluster, svc_str snapshot, svc_str bucket)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, EXPORT_JOB_KIND);
  svc_change change;
  svc_entity e;
  if (!noun) return true;
  if (svc_count(c->txn, EXPORT_JOB_KIND, &cluster->id) >= SVC_BACKUP_JOBS)
    return svc_event_write(c, "CPS_AUTO_EXPORT_FAILED", &c->scope, "clusterName", cluster->unique);
  memset(&change, 0, sizeof change);
  change.noun = noun;
  change.parent = cluster->id;
  change.body = svc_node_object(c->arena, NULL);
  if (!change.body) return svc_no_memory(c);
  svc_node_set_str(c->arena, change.body, "exportBucketId", bucket);
  svc_node_set_str(c->arena, change.body, "snapshotId", snapshot);
  return svc_insert(c, &change, &e);
}

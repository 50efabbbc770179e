/*
** Functions on snapshots for other files: look one up, take one, change its retention, list snapshots of shards. The
** schedule, the restores and the older views need them, so this is a separate file.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"

SVC_PRIVATE bool svc_snapshot_get(svc_call *c, const svc_entity *cluster, svc_str id, svc_entity *out)
{
  svc_id wanted;
  int rc = svc_id_parse(id, &wanted) ? svc_entity_get(c->txn, SNAPSHOT_KIND, &cluster->id, &wanted, out) : SVC_NOT_FOUND;
  if (rc == SVC_NOT_FOUND) return svc_fail(c, SVC_E_SNAPSHOT_NOT_FOUND, "SS", &id, &cluster->unique);
  return svc_status_good(c, rc);
}

SVC_PRIVATE bool svc_snapshot_of_path(svc_call *c, svc_entity *out)
{
  return svc_resolve_all(c) && svc_snapshot_get(c, svc_path_entity(c, "cluster"), svc_path_param(c, "snapshotId"), out);
}

SVC_PRIVATE bool svc_snapshot_start(svc_call *c, const svc_entity *cluster, svc_node *items, int frequency, int64_t expiry)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, SNAPSHOT_KIND);
  svc_change change;
  svc_entity e;
  if (!noun) return true;
  memset(&change, 0, sizeof change);
  change.noun = noun;
  change.parent = cluster->id;
  change.state = "inProgress";
  change.event = "CPS_SNAPSHOT_STARTED";
  change.body = svc_node_object(c->arena, NULL);
  if (!change.body) return svc_no_memory(c);
  svc_node_set_text(c->arena, change.body, "frequencyType", svc_values_snapshot_frequencies[frequency]);
  svc_node_set_text(c->arena, change.body, "snapshotType", "scheduled");
  svc_node_put(c->arena, change.body, items);
  svc_node_set_date(c->arena, change.body, "expiresAt", expiry);
  svc_change_due(&change, SVC_DUE_EXPIRY, expiry);
  return svc_insert(c, &change, &e);
}

SVC_PRIVATE bool svc_snapshot_keep_until(svc_call *c, const svc_entity *snapshot, int64_t when)
{
  svc_change change;
  svc_entity e;
  if (svc_due_get(snapshot, SVC_DUE_EXPIRY) == when) return true;
  if (!svc_change_of(c, svc_noun_by_kind(c->s, SNAPSHOT_KIND), snapshot, &change)) return false;
  svc_node_set_date(c->arena, change.body, "expiresAt", when);
  svc_change_due(&change, SVC_DUE_EXPIRY, when);
  change.event = change.noun->noun->event_updated;
  return svc_change_keep(c, &change, &e);
}

SVC_PRIVATE bool svc_snapshot_removing(svc_call *c, const svc_entity *e)
{
  svc_str id = svc_id_str(c->arena, &e->id);
  if (!svc_compliance(c)) return c->error.code == SVC_E_NONE;
  return svc_fail(c, SVC_E_CANNOT_DELETE_SNAPSHOT_WITH_BACKUP_COMPLIANCE_POLICY, "S", &id);
}

SVC_PRIVATE bool svc_backup_retains(svc_call *c, const svc_entity *cluster)
{
  const svc_query_value *asked = svc_query_get(c, "retainBackups");
  return asked ? asked->number != 0 : svc_json_is(cluster->body, "retainBackups", "true");
}

SVC_PRIVATE bool svc_backup_removing(svc_call *c, const svc_entity *cluster)
{
  svc_entity e;
  if (svc_backup_retains(c, cluster)) return true;
  return svc_below_first(c->txn, SNAPSHOT_KIND, &cluster->id, &e) ? svc_snapshot_removing(c, &e) : svc_txn_good(c);
}

/* ------------------------------------------------------------------------------------------------- of sharded clusters */

SVC_PRIVATE svc_node *svc_snapshot_shards(svc_call *c, const svc_entity *snapshot)
{
  return svc_backup_notes(c, snapshot->extra);
}

static bool snapshot_acts_sharded(svc_call *c, const svc_entity *e, void *context)
{
  (void)c, (void)context;
  return svc_json_is(e->body, "type", "shardedCluster");
}

SVC_PRIVATE bool svc_snapshot_is_sharded(const svc_entity *e)
{
  return snapshot_acts_sharded(NULL, e, NULL);
}

static bool snapshot_acts_none(svc_call *c, void *state, svc_item *out)
{
  (void)c, (void)state, (void)out;
  return false;
}

/* A replica set may become a sharded cluster, but never the reverse. If the oldest snapshot is one of shards, all are; if the
** cluster has no shards, none is. Only a cluster that became sharded in between needs a check of each snapshot. */
SVC_PRIVATE bool svc_snapshot_list_sharded(svc_call *c, svc_node *(*view)(svc_call *c, const svc_entity *e, void *context))
{
  const svc_entity *cluster;
  svc_entities which;
  svc_entity oldest;
  if (!svc_resolve_all(c)) return false;
  cluster = svc_path_entity(c, "cluster");
  memset(&which, 0, sizeof which);
  which.noun = svc_noun_by_kind(c->s, SNAPSHOT_KIND);
  which.parent = cluster->id;
  which.view = view;
  if (SVC_NEVER(!which.noun) || svc_json_is(cluster->body, "clusterType", "REPLICASET"))
    return svc_list_items(c, snapshot_acts_none, NULL, 0);
  if (svc_below_first(c->txn, SNAPSHOT_KIND, &cluster->id, &oldest) && !svc_snapshot_is_sharded(&oldest)) which.keep = snapshot_acts_sharded;
  return svc_txn_good(c) && svc_list_entities(c, &which);
}

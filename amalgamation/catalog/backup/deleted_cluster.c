/*
** Deleted cluster: stands in for a deleted cluster whose completed snapshots are retained (DELETE ...?retainBackups=true).
**
** The stand-in has the id, the name and the body of the cluster, and becomes the parent of the snapshots. Snapshots are
** listed and restored under the cluster's name, as long as no other cluster has that name. The stand-in has no operations.
** The list of clusters includes it on request (includeDeletedWithRetainedBackups). It is deleted with its last snapshot,
** or with its project.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/cluster/cluster_base.h"

/* No process runs any more: there is nothing to connect to, and no snapshots are taken. */
static bool deleted_cluster_prepare(svc_call *c, svc_change *change)
{
  if (change->before) return true;
  svc_node_set_text(c->arena, change->body, "stateName", "DELETED");
  svc_node_set_bool(c->arena, change->body, "backupEnabled", false);
  svc_node_set_bool(c->arena, change->body, "pitEnabled", false);
  svc_node_drop(change->body, "connectionStrings");
  return true;
}

/* Only completed snapshots are retained, and only on request. */
static bool deleted_cluster_keeps(const svc_entity *e, const svc_entity *cluster)
{
  return svc_json_is(cluster->body, "retainBackups", "true") && svc_json_is(e->body, "status", "completed");
}

static const svc_remains_ops deleted_cluster_remains = { .of = "cluster", .below = "snapshot", .stays = deleted_cluster_keeps };

SVC_PRIVATE const svc_noun svc_noun_deleted_cluster = {
  .name = "deleted cluster",
  .kind = DELETED_CLUSTER_KIND,
  .parent = "project",
  .flags = SVC_TEXT_BESIDE,
  .object = &svc_cluster_object,
  .key = "name",
  .unique = "name",
  .err_not_found = SVC_E_CLUSTER_NOT_FOUND,
  .err_exists = SVC_E_DUPLICATE_CLUSTER_NAME,
  .event_field = "clusterName",
  .prepare = deleted_cluster_prepare,
  .ext = SVC_NOUN_EXT(.remains = &deleted_cluster_remains),
  .needs = "snapshot"
};

/*
** Deleted cluster: a cluster that is gone, whose completed snapshots were to be kept (DELETE ...?retainBackups=true).
**
** It has the id, the name and the body of the cluster, and takes its place above the snapshots: these are listed and restored under
** the name of the gone cluster, while no other cluster has that name. It has no operations of its own. The list of clusters
** shows it when asked for (includeDeletedWithRetainedBackups). It goes with its last snapshot, or with its project.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/cluster/cluster_base.h"

/* No process runs any more: nothing can be connected to, and no snapshot is taken. */
static bool deleted_cluster_prepare(svc_call *c, svc_change *change)
{
  if (change->before) return true;
  svc_node_set_text(c->arena, change->body, "stateName", "DELETED");
  svc_node_set_bool(c->arena, change->body, "backupEnabled", false);
  svc_node_set_bool(c->arena, change->body, "pitEnabled", false);
  svc_node_drop(change->body, "connectionStrings");
  return true;
}

/* Only a completed snapshot can outlive its cluster, where that was asked for. */
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

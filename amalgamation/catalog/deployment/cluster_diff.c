/*
** Members of events about changed clusters, in addition to the changed fields: whether the cluster is a replica set or a
** sharded cluster, and its shards.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/deployment/cluster_parts.h"

#define CLUSTER_DIFF_SHARDS 16 /* maximum of shards in one event */
#define CLUSTER_DIFF_SET "REPLICA_SET"

static svc_node *cluster_diff_shard(svc_call *c, const svc_entity *e, const svc_node *spec, size_t shard, svc_str status)
{
  svc_node *out = svc_node_object(c->arena, NULL);
  if (!out) return NULL;
  svc_node_set_from(c->arena, out, "id", spec, "id");
  svc_node_set_str(c->arena, out, "name", svc_replica_set_name(c, e, shard));
  svc_node_put(c->arena, out, svc_node_array(c->arena, "params"));
  svc_node_set_str(c->arena, out, "status", status);
  svc_node_set_text(c->arena, out, "type", CLUSTER_DIFF_SET);
  return out;
}

static bool cluster_diff_shows(svc_call *c, const svc_entity *e, const svc_node *body, svc_node *out)
{
  const svc_node *spec = svc_node_first(svc_node_get(body, "replicationSpecs"));
  svc_node *shards = svc_node_array(c->arena, "shards"), *one;
  size_t i;
  if (svc_node_is(body, "clusterType", "REPLICASET")) return true;
  if (!shards) return svc_no_memory(c);
  for (i = 0; spec && i < CLUSTER_DIFF_SHARDS; spec = spec->next, i++) {
    if (!(one = cluster_diff_shard(c, e, spec, i, svc_node_str(out, "status")))) return svc_no_memory(c);
    svc_node_append(shards, one);
  }
  svc_node_set_bool(c->arena, out, "hasConfigShard", svc_node_is(body, "configServerType", "EMBEDDED"));
  svc_node_put(c->arena, out, shards);
  svc_node_set_text(c->arena, out, "type", "SHARDED_CLUSTER");
  return true;
}

SVC_PRIVATE const svc_diff svc_cluster_diff = { .called = CLUSTER_DIFF_SET, .shows = cluster_diff_shows };

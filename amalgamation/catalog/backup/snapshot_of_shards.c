/*
** Snapshot of a sharded cluster: the view of a snapshot (snapshot.c) that shows its members, one per shard. The view has
** no record of its own. A cluster without shards has none.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"

static const char *const snapshot_of_shards_config[] = { "EMBEDDED", "DEDICATED", NULL };
static const char *const snapshot_of_shards_states[] = { "queued", "inProgress", "completed", "failed", NULL };
static const char *const snapshot_of_shards_origins[] = { "onDemand", "scheduled", "fallback", NULL };
static const char *const snapshot_of_shards_types[] = { "replicaSet", "shardedCluster", NULL };

static const svc_field snapshot_of_shards_member_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds, .flags = SVC_REQUIRED | SVC_READ_ONLY),
  F_HEX24("id", .flags = SVC_REQUIRED | SVC_READ_ONLY),
  F_STR("replicaSetName", .flags = SVC_REQUIRED | SVC_READ_ONLY)
};
static const svc_object snapshot_of_shards_member = {
  .name = "DiskBackupShardedClusterSnapshotMember", .fields = SVC_ROWS(snapshot_of_shards_member_fields)
};
static const svc_field snapshot_of_shards_fields[] = {
  F_ENUM("configServerType", snapshot_of_shards_config, .flags = SVC_READ_ONLY),
  F_DATE("createdAt", .flags = SVC_READ_ONLY),
  F_STR("dbdVersion", .flags = SVC_READ_ONLY),
  F_STR("description", .flags = SVC_READ_ONLY),
  F_DATE("expiresAt", .flags = SVC_READ_ONLY),
  F_ENUM("frequencyType", svc_values_snapshot_frequencies, .flags = SVC_READ_ONLY),
  F_HEX24("id", .flags = SVC_READ_ONLY),
  F_STR("masterKeyUUID", .format = SVC_FORMAT_UUID, .flags = SVC_READ_ONLY),
  F_LIST("members", &snapshot_of_shards_member, .flags = SVC_READ_ONLY),
  F_STRS("policyItems", .format = SVC_FORMAT_ID, .flags = SVC_READ_ONLY),
  F_STRS("snapshotIds", .format = SVC_FORMAT_ID, .flags = SVC_READ_ONLY),
  F_ENUM("snapshotType", snapshot_of_shards_origins, .flags = SVC_READ_ONLY),
  F_ENUM("status", snapshot_of_shards_states, .flags = SVC_READ_ONLY),
  F_LONG("storageSizeBytes", .flags = SVC_READ_ONLY),
  F_ENUM("type", snapshot_of_shards_types, .flags = SVC_READ_ONLY)
};
static const svc_object snapshot_of_shards_object = {
  .name = "DiskBackupShardedClusterSnapshot", .fields = SVC_ROWS(snapshot_of_shards_fields)
};

static bool snapshot_of_shards_list(svc_call *c);
static bool snapshot_of_shards_read(svc_call *c);
static bool snapshot_of_shards_delete(svc_call *c);

#define SNAPSHOT_OF_SHARDS \
  "/groups/{groupId}/clusters/{clusterName}/backup/snapshots/shardedCluster", SVC_SET_BACKUP, (20230101), \
    SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_BACKUP_MANAGER

static const svc_route snapshot_of_shards_routes[] = {
  R_GET(SNAPSHOT_OF_SHARDS, "s", .flags = SVC_PAGED | SVC_NEWEST_FIRST, .op = "listBackupShardedClusters", .run = snapshot_of_shards_list),
  R_GET(SNAPSHOT_OF_SHARDS, "/{snapshotId}", .flags = SVC_ITEM, .op = "getBackupShardedCluster", .run = snapshot_of_shards_read),
  R_DELETE(SNAPSHOT_OF_SHARDS, "/{snapshotId}", .status = 204, .op = "deleteBackupShardedCluster", .run = snapshot_of_shards_delete)
};

static svc_node *snapshot_of_shards_view(svc_call *c, const svc_entity *e, void *context)
{
  static const char *const others[] = { "cloudProvider", "copyRegions", "replicaSetName" };
  svc_node *body = svc_entity_body(c, e), *notes = body ? svc_snapshot_shards(c, e) : NULL;
  svc_node *ids = svc_node_array(c->arena, "snapshotIds"),
           *members = svc_node_get(notes, "members"), *one;
  size_t i;
  (void)context;
  if (!notes || !ids || !members) return NULL;
  for (i = 0; i < sizeof others / sizeof others[0]; i++) svc_node_drop(body, others[i]);
  for (one = members->first; one; one = one->next) {
    svc_node *id = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), svc_node_str(one, "id"));
    if (!id) return NULL;
    svc_node_append(ids, id);
  }
  svc_node_put(c->arena, body, ids);
  svc_node_put(c->arena, body, svc_node_copy(c->arena, members));
  svc_node_set_from(c->arena, body, "configServerType", notes, "configServerType");
  return body;
}

static bool snapshot_of_shards_list(svc_call *c)
{
  return svc_snapshot_list_sharded(c, snapshot_of_shards_view);
}

static bool snapshot_of_shards_target(svc_call *c, svc_entity *out)
{
  svc_str id = svc_path_param(c, "snapshotId");
  if (!svc_snapshot_of_path(c, out)) return false;
  if (!svc_snapshot_is_sharded(out))
    return svc_fail(c, SVC_E_SNAPSHOT_NOT_FOUND, "SS", &id, &svc_path_entity(c, "cluster")->unique);
  return true;
}

static bool snapshot_of_shards_read(svc_call *c)
{
  svc_entity e;
  return snapshot_of_shards_target(c, &e) && svc_answer_node(c, snapshot_of_shards_view(c, &e, NULL));
}

static bool snapshot_of_shards_delete(svc_call *c)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, SNAPSHOT_KIND);
  svc_entity e;
  return snapshot_of_shards_target(c, &e) && svc_if_match_view(c, snapshot_of_shards_view(c, &e, NULL)) &&
         svc_may_erase(c, noun, &e) && svc_erase(c, noun, &e) && svc_answer_nothing(c);
}

SVC_PRIVATE const svc_noun svc_noun_snapshot_of_shards = {
  .name = "snapshot of shards",
  .rel = "shardedClusterSnapshot",
  .parent = "cluster",
  .param = "snapshotId",
  .flags = SVC_VIRTUAL | SVC_BY_TABLE | SVC_OUTLIVES,
  .object = &snapshot_of_shards_object,
  .err_not_found = SVC_E_SNAPSHOT_NOT_FOUND,
  .routes = SVC_ROUTES(snapshot_of_shards_routes),
  .needs = "snapshot"
};

/*
** Checkpoint: the older view of a moment to which all shards of a cluster can be restored. Each snapshot of a sharded
** cluster is shown as a checkpoint with the same id. Clusters without shards have none, because a single replica set needs
** none.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"

static const char *const checkpoint_part_types[] = { "REPLICA_SET", "CONFIG_SERVER", "CONFIG_SERVER_REPLICA_SET", NULL };

static const svc_field checkpoint_part_fields[] = {
  F_STR("replicaSetName", .flags = SVC_READ_ONLY),
  F_STR("shardName", .flags = SVC_READ_ONLY),
  F_BOOL("tokenDiscovered", .flags = SVC_READ_ONLY),
  F_OBJ("tokenTimestamp", &svc_object_db_time, .flags = SVC_READ_ONLY),
  F_ENUM("typeName", checkpoint_part_types, .flags = SVC_READ_ONLY)
};
static const svc_object checkpoint_part = { .name = "CheckpointPart", .fields = SVC_ROWS(checkpoint_part_fields) };

static const svc_field checkpoint_fields[] = {
  F_HEX24("clusterId", .flags = SVC_READ_ONLY),
  F_DATE("completed", .flags = SVC_READ_ONLY),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_HEX24("id", .flags = SVC_READ_ONLY),
  F_LIST("parts", &checkpoint_part, .flags = SVC_READ_ONLY),
  F_BOOL("restorable", .flags = SVC_READ_ONLY),
  F_DATE("started", .flags = SVC_READ_ONLY),
  F_DATE("timestamp", .flags = SVC_READ_ONLY)
};
static const svc_object checkpoint_object = { .name = "Checkpoint", .fields = SVC_ROWS(checkpoint_fields) };

static bool checkpoint_list(svc_call *c);
static bool checkpoint_read(svc_call *c);

#define CHECKPOINT \
  "/groups/{groupId}/clusters/{clusterName}/backupCheckpoints", SVC_SET_LEGACY_SNAPSHOTS, (20230101), SVC_R_GROUP_READ_ONLY, 0

static const svc_route checkpoint_routes[] = {
  R_GET(CHECKPOINT, "", .flags = SVC_PAGED | SVC_NEWEST_FIRST, .op = "listClusterBackupCheckpoints", .run = checkpoint_list),
  R_GET(CHECKPOINT, "/{checkpointId}", .flags = SVC_ITEM, .op = "getClusterBackupCheckpoint", .run = checkpoint_read)
};

static svc_node *checkpoint_part_of(svc_call *c, const svc_node *member, svc_str taken, size_t shard)
{
  svc_node *part = svc_node_object(c->arena, NULL);
  svc_node *token = svc_node_object(c->arena, "tokenTimestamp");
  if (!part || !token) return NULL;
  svc_node_set_str(c->arena, token, "date", taken);
  svc_node_set_i64(c->arena, token, "increment", 1);
  svc_node_put(c->arena, part, token);
  svc_node_set_from(c->arena, part, "replicaSetName", member, "replicaSetName");
  svc_node_set_str(c->arena, part, "shardName", svc_arena_print(c->arena, "shard-%u", (unsigned)shard));
  svc_node_set_bool(c->arena, part, "tokenDiscovered", true);
  svc_node_set_text(c->arena, part, "typeName", "REPLICA_SET");
  return part;
}

static svc_node *checkpoint_view(svc_call *c, const svc_entity *e, void *context)
{
  svc_node *out = svc_node_object(c->arena, NULL), *part;
  svc_node *parts = svc_node_array(c->arena, "parts"), *notes = svc_snapshot_shards(c, e);
  svc_node *member = svc_node_get(notes, "members");
  svc_str taken = svc_json_word(e->body, "createdAt");
  bool done = svc_json_is(e->body, "status", "completed");
  size_t shard = 0;
  (void)context;
  if (!out || !parts || !notes) return NULL;
  for (member = svc_node_first(member); member; member = member->next) {
    if (!(part = checkpoint_part_of(c, member, taken, shard++))) return NULL;
    svc_node_append(parts, part);
  }
  svc_node_set_id(c->arena, out, "clusterId", &e->parent);
  if (done) svc_node_set_str(c->arena, out, "completed", taken);
  svc_node_set_id(c->arena, out, "groupId", &e->scope.group);
  svc_node_set_str(c->arena, out, "id", e->key);
  svc_node_put(c->arena, out, parts);
  svc_node_set_bool(c->arena, out, "restorable", done);
  svc_node_set_str(c->arena, out, "started", taken);
  svc_node_set_str(c->arena, out, "timestamp", taken);
  return out;
}

static bool checkpoint_list(svc_call *c)
{
  return svc_snapshot_list_sharded(c, checkpoint_view);
}

static bool checkpoint_read(svc_call *c)
{
  svc_str text = svc_path_param(c, "checkpointId");
  const svc_entity *cluster;
  svc_entity e;
  svc_id id;
  if (!svc_resolve_all(c)) return false;
  cluster = svc_path_entity(c, "cluster");
  if (!svc_id_parse(text, &id) || svc_entity_get(c->txn, SNAPSHOT_KIND, &cluster->id, &id, &e) != SVC_OK ||
      !svc_snapshot_is_sharded(&e))
    return svc_txn_good(c) && svc_fail(c, SVC_E_CHECKPOINT_NOT_FOUND, "SS", &text, &cluster->unique);
  return svc_answer_node(c, checkpoint_view(c, &e, NULL));
}

SVC_PRIVATE const svc_noun svc_noun_checkpoint = {
  .name = "checkpoint",
  .parent = "cluster",
  .param = "checkpointId",
  .flags = SVC_VIRTUAL | SVC_BY_TABLE,
  .object = &checkpoint_object,
  .err_not_found = SVC_E_CHECKPOINT_NOT_FOUND,
  .routes = SVC_ROUTES(checkpoint_routes),
  .needs = "snapshot"
};

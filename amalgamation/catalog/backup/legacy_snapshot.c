/*
** Legacy snapshot: the older view of a snapshot (snapshot.c) with the same id, and without a record of its own.
**
** Only its retention can be changed: by `expires`, or by doNotDelete, which removes the expiry. Setting doNotDelete back
** to false without a date keeps the snapshot for another week.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"

#define LEGACY_SNAPSHOT_DAYS 7

static const char *const legacy_snapshot_compression[] = { "NONE", "GZIP", NULL };
static const char *const legacy_snapshot_part_types[] = {
  "REPLICA_SET", "CONFIG_SERVER", "CONFIG_SERVER_REPLICA_SET", "CONFIG_SHARD_REPLICA_SET", NULL
};
static const char *const legacy_snapshot_completed[] = { "all", "true", "false", NULL };

static const svc_field legacy_snapshot_part_fields[] = {
  F_HEX24("clusterId", .flags = SVC_READ_ONLY),
  F_DATE("completedTime", .flags = SVC_READ_ONLY),
  F_ENUM("compressionSetting", legacy_snapshot_compression, .flags = SVC_READ_ONLY),
  F_LONG("dataSizeBytes", .flags = SVC_READ_ONLY),
  F_STR("dbdVersion", .flags = SVC_READ_ONLY),
  F_BOOL("encryptionEnabled", .flags = SVC_READ_ONLY),
  F_STR("fcv", .flags = SVC_READ_ONLY),
  F_LONG("fileSizeBytes", .flags = SVC_READ_ONLY),
  F_STR("machineId", .flags = SVC_READ_ONLY),
  F_STR("masterKeyUUID", .format = SVC_FORMAT_UUID, .flags = SVC_READ_ONLY),
  F_STR("replicaSetName", .flags = SVC_READ_ONLY),
  F_STR("replicaState", .flags = SVC_READ_ONLY),
  F_LONG("storageSizeBytes", .flags = SVC_READ_ONLY),
  F_ENUM("typeName", legacy_snapshot_part_types, .flags = SVC_READ_ONLY)
};
static const svc_object legacy_snapshot_part = { .name = "BackupSnapshotPart", .fields = SVC_ROWS(legacy_snapshot_part_fields) };

static const svc_field legacy_snapshot_fields[] = {
  F_HEX24("clusterId", .flags = SVC_READ_ONLY),
  F_STR("clusterName", .flags = SVC_READ_ONLY),
  F_BOOL("complete", .flags = SVC_READ_ONLY),
  F_OBJ("created", &svc_object_db_time, .flags = SVC_READ_ONLY),
  F_BOOL("doNotDelete"),
  F_DATE("expires"),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_HEX24("id", .flags = SVC_READ_ONLY),
  F_BOOL("incremental", .flags = SVC_READ_ONLY),
  F_OBJ("lastOplogAppliedTimestamp", &svc_object_db_time, .flags = SVC_READ_ONLY),
  F_LIST("parts", &legacy_snapshot_part, .flags = SVC_READ_ONLY)
};
static const svc_object legacy_snapshot_object = { .name = "BackupSnapshot", .fields = SVC_ROWS(legacy_snapshot_fields) };

static bool legacy_snapshot_list(svc_call *c);
static bool legacy_snapshot_read(svc_call *c);
static bool legacy_snapshot_change(svc_call *c);
static bool legacy_snapshot_delete(svc_call *c);

static const svc_param legacy_snapshot_params[] = {
  { .name = "completed", .values = legacy_snapshot_completed }, { .name = NULL }
};

#define LEGACY_SNAPSHOT \
  "/groups/{groupId}/clusters/{clusterName}/snapshots", SVC_SET_LEGACY_SNAPSHOTS, (20230101), SVC_R_GROUP_READ_ONLY, \
      SVC_R_GROUP_OWNER

static const svc_route legacy_snapshot_routes[] = {
  R_GET(LEGACY_SNAPSHOT, "", .flags = SVC_PAGED | SVC_NEWEST_FIRST, .params = legacy_snapshot_params,
        .op = "listClusterSnapshots", .run = legacy_snapshot_list),
  R_GET(LEGACY_SNAPSHOT, "/{snapshotId}", .flags = SVC_ITEM, .op = "getClusterSnapshot", .run = legacy_snapshot_read),
  R_PATCH(LEGACY_SNAPSHOT, "/{snapshotId}", .op = "updateClusterSnapshot", .run = legacy_snapshot_change,
          .example = "{\"expires\":\"2025-12-24T00:00:00Z\"}"),
  R_DELETE(LEGACY_SNAPSHOT, "/{snapshotId}", .status = 204, .op = "deleteClusterSnapshot", .run = legacy_snapshot_delete)
};

/* --------------------------------------------------------------------------------------------------------------- views */

static void legacy_snapshot_time(svc_call *c, svc_node *out, const char *name, svc_str date)
{
  svc_node *time = svc_node_object(c->arena, name);
  if (!time) return; /* the arena has noted the failure */
  svc_node_set_str(c->arena, time, "date", date);
  svc_node_set_i64(c->arena, time, "increment", 1);
  svc_node_put(c->arena, out, time);
}

static svc_node *legacy_snapshot_part_of(svc_call *c, const svc_entity *e, svc_str replica_set, int64_t size)
{
  svc_node *part = svc_node_object(c->arena, NULL);
  if (!part) return NULL;
  svc_node_set_id(c->arena, part, "clusterId", &e->parent);
  if (svc_json_is(e->body, "status", "completed"))
    svc_node_set_str(c->arena, part, "completedTime", svc_json_word(e->body, "createdAt"));
  svc_node_set_text(c->arena, part, "compressionSetting", "NONE");
  svc_node_set_i64(c->arena, part, "dataSizeBytes", size);
  svc_node_set_str(c->arena, part, "dbdVersion", svc_json_word(e->body, "dbdVersion"));
  svc_node_set_bool(c->arena, part, "encryptionEnabled", false);
  svc_node_set_i64(c->arena, part, "fileSizeBytes", size);
  svc_node_set_str(c->arena, part, "replicaSetName", replica_set);
  svc_node_set_text(c->arena, part, "replicaState", "SECONDARY");
  svc_node_set_i64(c->arena, part, "storageSizeBytes", size);
  svc_node_set_text(c->arena, part, "typeName", "REPLICA_SET");
  return part;
}

/* Lists one part per shard, each with its share of the size, or a single part for the only replica set. */
static svc_node *legacy_snapshot_parts(svc_call *c, const svc_entity *e)
{
  svc_node *parts = svc_node_array(c->arena, "parts"), *notes = svc_snapshot_shards(c, e), *part;
  const svc_node *members = svc_node_get(notes, "members"), *one;
  int64_t size = 0, count = members ? (int64_t)svc_node_count(members) : 1;
  if (!parts || !notes) return NULL;
  svc_json_number_i64(svc_json_member(e->body, SVC_S("storageSizeBytes")), &size);
  for (one = svc_node_first(members); one; one = one->next) {
    if (!(part = legacy_snapshot_part_of(c, e, svc_node_str(one, "replicaSetName"), size / count))) return NULL;
    svc_node_append(parts, part);
  }
  if (members) return parts;
  part = legacy_snapshot_part_of(c, e, svc_json_word(e->body, "replicaSetName"), size);
  if (part) svc_node_append(parts, part);
  return part ? parts : NULL;
}

static svc_node *legacy_snapshot_view(svc_call *c, const svc_entity *e, void *context)
{
  svc_node *out = svc_node_object(c->arena, NULL), *parts = legacy_snapshot_parts(c, e);
  svc_str taken = svc_json_word(e->body, "createdAt"), expires = svc_json_word(e->body, "expiresAt");
  (void)context;
  if (!out || !parts) return NULL;
  svc_node_set_id(c->arena, out, "clusterId", &e->parent);
  svc_node_set_str(c->arena, out, "clusterName", svc_path_entity(c, "cluster")->unique);
  svc_node_set_bool(c->arena, out, "complete", svc_json_is(e->body, "status", "completed"));
  legacy_snapshot_time(c, out, "created", taken);
  svc_node_set_bool(c->arena, out, "doNotDelete", expires.n == 0);
  if (expires.n) svc_node_set_str(c->arena, out, "expires", expires);
  svc_node_set_id(c->arena, out, "groupId", &e->scope.group);
  svc_node_set_str(c->arena, out, "id", e->key);
  svc_node_set_bool(c->arena, out, "incremental", false);
  legacy_snapshot_time(c, out, "lastOplogAppliedTimestamp", taken);
  svc_node_put(c->arena, out, parts);
  return out;
}

static bool legacy_snapshot_keep(svc_call *c, const svc_entity *e, void *context)
{
  (void)c;
  return svc_json_is(e->body, "status", "completed") == *(const bool *)context;
}

static bool legacy_snapshot_list(svc_call *c)
{
  const svc_query_value *asked = svc_query_get(c, "completed");
  bool completed = !asked || !svc_str_is(asked->text, "false");
  svc_entities which;
  if (!svc_resolve_all(c)) return false;
  memset(&which, 0, sizeof which);
  which.noun = svc_noun_by_kind(c->s, SNAPSHOT_KIND);
  which.parent = svc_path_entity(c, "cluster")->id;
  which.view = legacy_snapshot_view;
  which.keep = asked && svc_str_is(asked->text, "all") ? NULL : legacy_snapshot_keep;
  which.context = &completed;
  return svc_list_entities(c, &which);
}

/* ---------------------------------------------------------------------------------------------------------- operations */

static bool legacy_snapshot_target(svc_call *c, svc_entity *out)
{
  return svc_snapshot_of_path(c, out) && svc_if_match_view(c, legacy_snapshot_view(c, out, NULL));
}

static bool legacy_snapshot_read(svc_call *c)
{
  svc_entity e;
  return legacy_snapshot_target(c, &e) && svc_answer_node(c, legacy_snapshot_view(c, &e, NULL));
}

/* *until: the new expiry; 0: never. False: refused. */
static bool legacy_snapshot_until(svc_call *c, const svc_node *before, const svc_node *body, int64_t was, int64_t *until)
{
  bool for_good = svc_node_bool(body, "doNotDelete", false), dated = svc_node_get(c->body, "expires") != NULL;
  int64_t date = was;
  if (dated) svc_date_parse(svc_node_str(body, "expires"), &date);
  if (!for_good && !date) date = c->now + LEGACY_SNAPSHOT_DAYS * SVC_DAY_MS;
  if (for_good && !svc_node_bool(before, "doNotDelete", false) && dated && date != was)
    return svc_fail(c, SVC_E_BACKUP_CONFLICTING_OPTIONS, "ss", "doNotDelete", "expires");
  *until = for_good && !(dated && date != was) ? 0 : date;
  if (*until && *until != was && *until <= c->now)
    svc_violate(c, SVC_E_BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID, SVC_S("expires"), "must be later than now");
  return svc_check_done(c);
}

static bool legacy_snapshot_change(svc_call *c)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, SNAPSHOT_KIND);
  const svc_node *before, *body;
  int64_t was, until = 0;
  svc_change change;
  svc_entity e;
  if (!legacy_snapshot_target(c, &e) || !(before = legacy_snapshot_view(c, &e, NULL)))
    return svc_failed(c);
  body = svc_check(c, &legacy_snapshot_object, c->body, before, SVC_CHECK_UPDATE);
  was = svc_due_get(&e, SVC_DUE_EXPIRY);
  if (!svc_check_done(c) || !legacy_snapshot_until(c, before, body, was, &until)) return false;
  if (svc_backup_shorter(until, was) && svc_compliance(c))
    return svc_fail(c, SVC_E_BACKUP_POLICIES_NOT_MEETING_BACKUP_COMPLIANCE_POLICY_REQUIREMENTS, "S",
                    &svc_path_entity(c, "cluster")->unique);
  if (c->error.code || !svc_change_of(c, noun, &e, &change)) return false;
  svc_node_drop(change.body, "expiresAt");
  if (until) svc_node_set_date(c->arena, change.body, "expiresAt", until);
  svc_change_due(&change, SVC_DUE_EXPIRY, until);
  change.event = noun->noun->event_updated;
  return svc_change_keep(c, &change, &e) && svc_answer_node(c, legacy_snapshot_view(c, &e, NULL));
}

static bool legacy_snapshot_delete(svc_call *c)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, SNAPSHOT_KIND);
  svc_entity e;
  return legacy_snapshot_target(c, &e) && svc_may_erase(c, noun, &e) && svc_erase(c, noun, &e) && svc_answer_nothing(c);
}

SVC_PRIVATE const svc_noun svc_noun_legacy_snapshot = {
  .name = "legacy snapshot",
  .rel = "legacySnapshot",
  .parent = "cluster",
  .param = "snapshotId",
  .flags = SVC_VIRTUAL | SVC_BY_TABLE | SVC_OUTLIVES,
  .object = &legacy_snapshot_object,
  .err_not_found = SVC_E_SNAPSHOT_NOT_FOUND,
  .routes = SVC_ROUTES(legacy_snapshot_routes),
  .needs = "snapshot"
};

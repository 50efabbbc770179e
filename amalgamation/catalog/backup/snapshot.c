/*
** Snapshot: all data of a cluster at one moment, taken on demand or by the cluster's schedule, and kept until it expires.
**
**   POST --> queued --> inProgress --> completed --> (expired, or deleted: 404)
**   schedule ------------>  |
**                           +--------> failed
**
** Deleting a cluster deletes its snapshots. With retainBackups, its completed snapshots remain until they expire, below
** the resource that stands in for the cluster (deleted_cluster.c).
**
** A snapshot of a sharded cluster has a member for each shard. The members are stored next to its JSON, because the snapshot
** itself does not show them: other views of it do (snapshot_of_shards.c, and the older views legacy_snapshot.c and
** checkpoint.c).
**
** A cluster has at most one unfinished snapshot on demand; the schedule's record notes the last one. An unfinished
** snapshot cannot be deleted. In a project with a compliance policy, no snapshot can be deleted.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/backup/snapshot_parts.h"

#define SNAPSHOT_DAYS 7 /* default retention of a snapshot on demand */

static const char *const snapshot_states[] = { "queued", "inProgress", "completed", "failed", NULL };
static const char *const snapshot_origins[] = { "onDemand", "scheduled", "fallback", NULL };
static const char *const snapshot_types[] = { "replicaSet", "shardedCluster", NULL };
static const char *const snapshot_units[] = { "DAYS", "WEEKS", "MONTHS", "YEARS", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field snapshot_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds, .flags = SVC_READ_ONLY),
  F_STRS("copyRegions", .flags = SVC_READ_ONLY),
  F_CREATED("createdAt"),
  F_STR("dbdVersion", .flags = SVC_READ_ONLY),
  F_STR("description", .flags = SVC_READ_ONLY),
  F_DATE("expiresAt", .flags = SVC_READ_ONLY),
  F_ENUM("frequencyType", svc_values_snapshot_frequencies, .flags = SVC_READ_ONLY),
  F_ID(),
  F_STR("masterKeyUUID", .format = SVC_FORMAT_UUID, .flags = SVC_READ_ONLY),
  F_STRS("policyItems", .format = SVC_FORMAT_ID, .flags = SVC_READ_ONLY),
  F_STR("replicaSetName", .flags = SVC_READ_ONLY),
  F_ENUM("snapshotType", snapshot_origins, .flags = SVC_READ_ONLY),
  F_ENUM("status", snapshot_states, .flags = SVC_READ_ONLY),
  F_LONG("storageSizeBytes", .flags = SVC_READ_ONLY),
  F_ENUM("type", snapshot_types, .flags = SVC_READ_ONLY)
};
static const svc_object snapshot_object = { .name = "DiskBackupReplicaSet", .fields = SVC_ROWS(snapshot_fields) };

static const svc_field snapshot_request_fields[] = {
  F_STR("description", .max = 500),
  F_INT("retentionInDays", .flags = SVC_WRITE_ONLY | SVC_MIN | SVC_MAX, .min = 1, .max = 3660)
};
static const svc_object snapshot_request = { .name = "DiskBackupOnDemandSnapshotRequest", .fields = SVC_ROWS(snapshot_request_fields) };

/* Fields of a PATCH: both or neither. A PATCH may also send back everything that a GET has shown. */
static const svc_field snapshot_retention_fields[] = {
  F_ENUM("retentionUnit", snapshot_units, .flags = SVC_WRITE_ONLY),
  F_INT("retentionValue", .flags = SVC_WRITE_ONLY | SVC_MIN | SVC_MAX, .min = 1, .max = 3660)
};
static const svc_object snapshot_retention = {
  .name = "BackupSnapshotRetention", .fields = SVC_ROWS(snapshot_retention_fields), .base = &snapshot_object
};

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool snapshot_list(svc_call *c);

static const svc_param snapshot_params[] = {
  { .name = "oplogInc", .type = SVC_INT64, .min = 1, .max = INT32_MAX },
  { .name = "oplogTs", .type = SVC_INT64, .min = 0, .max = UINT32_MAX },
  { .name = "pointInTimeUtcSeconds", .type = SVC_INT64, .min = 0, .max = UINT32_MAX },
  { .name = NULL }
};

#define SNAPSHOT \
  "/groups/{groupId}/clusters/{clusterName}/backup/snapshots", SVC_SET_BACKUP, (20230101), SVC_R_GROUP_READ_ONLY, \
    SVC_R_GROUP_BACKUP_MANAGER

static const svc_route snapshot_routes[] = {
  R_GET(SNAPSHOT, "", .flags = SVC_PAGED | SVC_NEWEST_FIRST, .params = snapshot_params, .op = "listBackupSnapshots", .run = snapshot_list),
  R_FOR(SVC_R_GROUP_BACKUP_CREATOR, SNAPSHOT, SVC_POST, "", .status = 202, .body = &snapshot_request, .op = "takeSnapshots", .run = svc_verb_create,
        .example = "{\"description\":\"before the migration\",\"retentionInDays\":5}"),
  R_GET(SNAPSHOT, "/{snapshotId}", .op = "getClusterBackupSnapshot", .run = svc_verb_read),
  R_PATCH(SNAPSHOT, "/{snapshotId}", .body = &snapshot_retention, .op = "updateBackupSnapshot", .run = svc_verb_update,
          .example = "{\"retentionUnit\":\"WEEKS\",\"retentionValue\":3}"),
  R_DELETE(SNAPSHOT, "/{snapshotId}", .status = 204, .op = "deleteClusterBackupSnapshot", .run = svc_verb_delete)
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition snapshot_transitions[] = {
  { "queued", "inProgress", 5, "CPS_SNAPSHOT_STARTED", NULL },
  { "inProgress", "completed", 25, "CPS_SNAPSHOT_SUCCESSFUL", "snapshot.take" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle snapshot_lifecycle = {
  .field = "status", .created = "queued", .failed = "failed", .event_failed = "CPS_SNAPSHOT_FAILED",
  .transitions = snapshot_transitions
};

static const svc_guard snapshot_guards[] = {
  { "status", "queued", SVC_GUARD_DELETE, SVC_E_CANNOT_DELETE_IN_PROGRESS_SNAPSHOT },
  { "status", "inProgress", SVC_GUARD_DELETE, SVC_E_CANNOT_DELETE_IN_PROGRESS_SNAPSHOT },
  { "paused", "true", SVC_GUARD_CREATE, SVC_E_CANNOT_UPDATE_PAUSED_CLUSTER }, /* a field of its cluster */
  { NULL, NULL, 0, 0 }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* ---- lists */

/* Whether the snapshot was completed and taken before this moment, as the base of a restore to it. */
static bool snapshot_before(svc_call *c, const svc_entity *e, void *context)
{
  const int64_t *second = context;
  int64_t taken;
  (void)c;
  return svc_json_is(e->body, "status", "completed") && svc_date_parse(svc_json_word(e->body, "createdAt"), &taken) &&
         taken <= *second * 1000;
}

static bool snapshot_list(svc_call *c)
{
  const svc_query_value *point = svc_query_get(c, "pointInTimeUtcSeconds"), *ts = svc_query_get(c, "oplogTs");
  const svc_query_value *inc = svc_query_get(c, "oplogInc");
  svc_entities which;
  int64_t second = point ? point->number : ts ? ts->number : 0;
  if (point && (ts || inc))
    return svc_fail(c, SVC_E_MUTUALLY_EXCLUSIVE_QUERY_PARAMETERS, "ss", "pointInTimeUtcSeconds", "oplogTs");
  if (!ts != !inc) return svc_fail(c, SVC_E_MISSING_QUERY_PARAMETER, "s", ts ? "oplogInc" : "oplogTs");
  if (!svc_resolve_all(c)) return false;
  memset(&which, 0, sizeof which);
  which.noun = c->plan->noun;
  which.parent = svc_path_entity(c, "cluster")->id;
  which.keep = point || ts ? snapshot_before : NULL;
  which.context = &second;
  return svc_list_entities(c, &which);
}

/* ---- taking one */

/* A member for a shard: a snapshot of its own that is only visible inside this one. */
static svc_node *snapshot_member(svc_call *c, const svc_entity *cluster, const svc_node *spec, size_t shard)
{
  svc_node *member = svc_node_object(c->arena, NULL);
  svc_id id = svc_new_id_at(c->txn, c->now);
  if (!member) return NULL;
  svc_node_set_from(c->arena, member, "cloudProvider", svc_node_first(svc_node_get(spec, "regionConfigs")), "providerName");
  svc_node_set_id(c->arena, member, "id", &id);
  svc_node_set_str(c->arena, member, "replicaSetName", svc_replica_set_name(c, cluster, shard));
  return member;
}

static bool snapshot_members(svc_call *c, svc_change *change, const svc_entity *cluster, const svc_node *body)
{
  svc_node *notes = svc_backup_notes(c, SVC_S("")),
           *members = svc_node_array(c->arena, "members");
  const svc_node *spec;
  size_t shard = 0;
  if (!notes || !members) return svc_no_memory(c);
  for (spec = svc_node_first(svc_node_get(body, "replicationSpecs")); spec; spec = spec->next) {
    svc_node *member = snapshot_member(c, cluster, spec, shard++);
    if (!member) return svc_no_memory(c);
    svc_node_append(members, member);
  }
  svc_node_put(c->arena, notes, members);
  svc_node_set_from(c->arena, notes, "configServerType", body, "configServerType");
  change->extra = svc_backup_notes_text(c, notes);
  return true;
}

/* Copies the details of the cluster into the snapshot. */
static bool snapshot_describe(svc_call *c, svc_change *change, const svc_entity *cluster)
{
  const svc_node *body = svc_entity_body(c, cluster), *config;
  bool single;
  if (!body) return false;
  single = svc_node_is(body, "clusterType", "REPLICASET");
  config = svc_node_first(svc_node_get(svc_node_first(svc_node_get(body, "replicationSpecs")), "regionConfigs"));
  svc_node_set_str(c->arena, change->body, "cloudProvider", svc_node_str(config, "providerName")); /* shared tiers have no backups */
  svc_node_set_from(c->arena, change->body, "dbdVersion", body, "dbVersion");
  svc_node_set_i64(c->arena, change->body, "storageSizeBytes", 0);
  svc_node_set_str(c->arena, change->body, "type", single ? SVC_S("replicaSet") : SVC_S("shardedCluster"));
  svc_node_put(c->arena, change->body, svc_node_array(c->arena, "copyRegions"));
  if (!single) return snapshot_members(c, change, cluster, body);
  svc_node_set_str(c->arena, change->body, "replicaSetName", svc_replica_set_name(c, cluster, 0));
  return true;
}

/* The expiry of a snapshot on demand: as requested, otherwise as in the schedule, otherwise by default; never less than the
** compliance policy requires. */
static bool snapshot_retention_asked(svc_call *c, const svc_change *change, const svc_entity *cluster, int64_t *until)
{
  const svc_node *policy = svc_compliance(c), *schedule;
  svc_retention keep = { 0, svc_node_i64(change->input, "retentionInDays", SNAPSHOT_DAYS), 0 };
  bool said = svc_node_get(change->input, "retentionInDays") != NULL;
  svc_backup_plan plan = { .count = 0 };
  svc_backup_item least;
  svc_entity record;
  size_t i;
  if (c->error.code) return false;
  if (!said && svc_backup_record(c, &cluster->id, &record) == SVC_OK) {
    if (!(schedule = svc_entity_body(c, &record))) return false;
    svc_backup_plan_of(schedule, &plan);
  }
  for (i = 0; i < plan.count; i++)
    if (plan.items[i].frequency == SVC_BACKUP_ON_DEMAND) keep = plan.items[i].keep;
  *until = svc_backup_expiry(keep, c->now);
  if (!svc_node_get(policy, "onDemandPolicyItem") || !svc_backup_item_of(svc_node_get(policy, "onDemandPolicyItem"), &least))
    return true;
  if (*until >= svc_backup_expiry(least.keep, c->now)) return true;
  *until = svc_backup_expiry(least.keep, c->now);
  return !said || svc_fail(c, SVC_E_BACKUP_POLICIES_NOT_MEETING_BACKUP_COMPLIANCE_POLICY_REQUIREMENTS, "S", &cluster->unique);
}

/* Whether the previous snapshot on demand is finished. */
static bool snapshot_may_begin(svc_call *c, const svc_entity *cluster)
{
  svc_str last, state;
  svc_entity e;
  svc_id id;
  if (!svc_backup_enabled(c, cluster) || !svc_backup_note_get(c, &cluster->id, "onDemand", &last)) return false;
  if (!svc_id_parse(last, &id) || svc_entity_get(c->txn, SNAPSHOT_KIND, &cluster->id, &id, &e) != SVC_OK)
    return svc_txn_good(c);
  state = svc_json_word(e.body, "status");
  if (!svc_str_is(state, "queued") && !svc_str_is(state, "inProgress")) return true;
  return svc_fail(c, SVC_E_UNFINISHED_ON_DEMAND_SNAPSHOT, "S", &cluster->unique);
}

static bool snapshot_on_demand(svc_call *c, svc_change *change, const svc_entity *cluster)
{
  int64_t until;
  if (!snapshot_may_begin(c, cluster) || !snapshot_retention_asked(c, change, cluster, &until)) return false;
  until -= until % 1000; /* whole seconds, as shown */
  svc_node_set_text(c->arena, change->body, "snapshotType", "onDemand");
  svc_node_set_date(c->arena, change->body, "expiresAt", until);
  svc_change_due(change, SVC_DUE_EXPIRY, until);
  return svc_backup_note(c, cluster, "onDemand", svc_id_str(c->arena, &change->id));
}

/* ---- changes */

static bool snapshot_retention_new(svc_call *c, svc_change *change)
{
  svc_backup_item item;
  int64_t taken = c->now, until, was = svc_due_get(&change->entity, SVC_DUE_EXPIRY);
  bool unit = svc_node_get(change->input, "retentionUnit") != NULL,
       value = svc_node_get(change->input, "retentionValue") != NULL;
  if (!unit && !value) return true;
  if (!unit || !value)
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, unit ? SVC_S("retentionValue") : SVC_S("retentionUnit"),
                "is required together with the other field");
  if (!svc_check_done(c)) return false;
  svc_backup_item_of(change->input, &item);
  svc_date_parse(svc_node_str(change->body, "createdAt"), &taken);
  until = svc_backup_expiry(item.keep, taken);
  if (until <= c->now || svc_backup_days(item.keep, false) > 3660)
    return svc_fail(c, SVC_E_BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID, "s", "retentionValue");
  if (svc_backup_shorter(until, was) && svc_compliance(c))
    return svc_fail(c, SVC_E_BACKUP_POLICIES_NOT_MEETING_BACKUP_COMPLIANCE_POLICY_REQUIREMENTS, "S",
                    &svc_path_entity(c, "cluster")->unique);
  if (c->error.code) return false;
  svc_node_set_date(c->arena, change->body, "expiresAt", until);
  svc_change_due(change, SVC_DUE_EXPIRY, until);
  return true;
}

/* A request for a snapshot requires a way to pay, although the snapshot is metered only when it is completed. */
static bool snapshot_is_paid(svc_call *c, const svc_change *change)
{
  bool asked = c->plan && c->plan->noun == change->noun;
  return svc_meter_pays(c, &c->scope.org, asked ? SVC_E_CANNOT_START_BACKUP_NO_BILLING_INFO : SVC_E_NONE);
}

static bool snapshot_prepare(svc_call *c, svc_change *change)
{
  svc_entity cluster;
  if (change->before) return snapshot_retention_new(c, change);
  return svc_backup_cluster(c, &change->parent, &cluster) &&
         (svc_node_get(change->body, "snapshotType") || snapshot_on_demand(c, change, &cluster)) &&
         snapshot_describe(c, change, &cluster) && snapshot_is_paid(c, change);
}

/* ---- completed */

/* Exports to the schedule's bucket, if the schedule exports snapshots of this frequency. */
static bool snapshot_export(svc_call *c, const svc_change *change)
{
  const svc_node *schedule, *export;
  svc_entity record, cluster;
  if (svc_backup_record(c, &change->parent, &record) != SVC_OK || !svc_json_is(record.body, "autoExportEnabled", "true"))
    return svc_txn_good(c);
  schedule = svc_entity_body(c, &record);
  if (!schedule) return false;
  export = svc_node_get(schedule, "export");
  if (!svc_node_eq(export, "frequencyType", svc_node_str(change->body, "frequencyType"))) return true;
  return svc_backup_cluster(c, &change->parent, &cluster) &&
         svc_export_begin(c, &cluster, svc_id_str(c->arena, &change->id), svc_node_str(export, "exportBucketId"));
}

static bool snapshot_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag == SNAPSHOT_DUE_COPIES) return svc_snapshot_copies_over(c, change);
  if (tag != SVC_DUE_STATE || !svc_node_is(change->body, "status", "completed")) return true;
  return svc_snapshot_copy(c, change) && snapshot_export(c, change);
}

static bool snapshot_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  (void)action;
  svc_node_set_i64(c->arena, facts, "storageSizeBytes", svc_snapshot_simulated_size(c, &change->parent));
  return true;
}

/* The snapshot with its shards, and the regions that shall have copies of it. */
static svc_node *snapshot_desired(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e), *notes = body ? svc_backup_notes(c, e->extra) : NULL, *regions;
  regions = notes ? svc_snapshot_copy_regions(c, &e->parent, body) : NULL;
  if (!regions) return NULL;
  svc_node_put(c->arena, body, regions);
  if (svc_node_get(notes, "members")) svc_node_put(c->arena, body, svc_node_copy(c->arena, svc_node_get(notes, "members")));
  return body;
}

/* Its size in thousandths of gigabytes, counted once per region that stores it. */
static size_t snapshot_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  svc_str cloud = svc_node_str(body, "cloudProvider");
  int64_t size = svc_node_i64(body, "storageSizeBytes", 0),
          places = 1 + (int64_t)svc_node_count(svc_node_get(body, "copyRegions"));
  if (!svc_node_is(body, "status", "completed") || size <= 0 || SVC_NEVER(most == 0)) return 0;
  out[0].sku = svc_arena_print(c->arena, "BACKUP_STORAGE_" SVC_FMT, SVC_ARG(cloud));
  out[0].quantity = size / 1000000 * places;
  return 1;
}

/* ---- events */

static const svc_event_member snapshot_event_members[] = {
  { "clusterId", NULL, NULL },
  { "frequencyType", "frequencyType", NULL },
  { "snapshotScheduledCreationDate", "createdAt", NULL },
  { NULL, NULL, NULL }
};

static const svc_field snapshot_fact_fields[] = { F_LONG("storageSizeBytes", .flags = SVC_MIN) };
static const svc_object snapshot_facts_object = { .name = "SnapshotFacts", .fields = SVC_ROWS(snapshot_fact_fields) };
static const svc_field snapshot_ordered_member_fields[] = { F_ENUM("cloudProvider", svc_values_clouds), F_HEX24("id"), F_STR("replicaSetName") };
static const svc_object snapshot_ordered_member = { .name = "OrderedSnapshotMember", .fields = SVC_ROWS(snapshot_ordered_member_fields) };
static const svc_field snapshot_ordered_fields[] = { F_LIST("members", &snapshot_ordered_member) };
static const svc_object snapshot_ordered = { .name = "OrderedSnapshot", .fields = SVC_ROWS(snapshot_ordered_fields), .base = &snapshot_object };
static const svc_order_row snapshot_orders[] = {
  { "snapshot.take",
    "Take a snapshot of the cluster, and keep it until the order `snapshot.delete`.", &snapshot_ordered, &snapshot_facts_object, 0 },
  { "snapshot.delete", "Remove the snapshot and its copies.", &snapshot_ordered, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_snapshot = {
  .name = "snapshot",
  .kind = SNAPSHOT_KIND,
  .parent = "cluster",
  .param = "snapshotId",
  .flags = SVC_EXPIRES | SVC_EVENT_PARENT | SVC_TEXT_BESIDE | SVC_OUTLIVES,
  .object = &snapshot_object,
  .err_not_found = SVC_E_SNAPSHOT_NOT_FOUND,
  .most = SVC_BACKUP_SNAPSHOTS,
  .err_quota = SVC_E_BACKUP_LIMIT_EXCEEDED,
  .lifecycle = &snapshot_lifecycle,
  .guards = snapshot_guards,
  .event_created = "CPS_ON_DEMAND_SNAPSHOT_REQUESTED",
  .event_updated = "CPS_SNAPSHOT_RETENTION_MODIFIED_AUDIT",
  .event_deleted = "CPS_SNAPSHOT_DELETED_AUDIT",
  .event_field = "resourceId",
  .ext = SVC_NOUN_EXT(.event_members = snapshot_event_members, .meters = snapshot_meters),
  .order_gone = "snapshot.delete", /* after every kind of delete: by a request, by expiry, or with its cluster */
  .orders = snapshot_orders,
  .routes = SVC_ROUTES(snapshot_routes),
  .prepare = snapshot_prepare,
  .fell_due = snapshot_fell_due,
  .removing = svc_snapshot_removing,
  .desired = snapshot_desired,
  .simulate = snapshot_simulate,
  .facts = svc_facts_into
};

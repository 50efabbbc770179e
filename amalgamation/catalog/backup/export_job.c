/*
** Export job: writes a completed snapshot into an export bucket, on demand or by the cluster's schedule.
**
**   POST --> Queued --> InProgress --> Successful
**                           +--------> Failed
**
** A job is deleted SVC_BACKUP_JOB_DAYS after its creation.
*/
#include "catalog/catalog.h"
#include "catalog/objects.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/cluster/cluster_history.h"
#include "catalog/cluster/sample_data.h"

static const char *const export_job_states[] = { "Cancelled", "Failed", "InProgress", "Queued", "Successful", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field export_job_member_fields[] = {
  F_HEX24("exportId", .flags = SVC_READ_ONLY),
  F_STR("replicaSetName", .flags = SVC_READ_ONLY)
};
static const svc_object export_job_member = { .name = "DiskBackupExportMember", .fields = SVC_ROWS(export_job_member_fields) };

static const svc_field export_job_status_fields[] = {
  F_INT("exportedCollections", .flags = SVC_READ_ONLY),
  F_INT("totalCollections", .flags = SVC_READ_ONLY)
};
static const svc_object export_job_status = { .name = "ExportStatus", .fields = SVC_ROWS(export_job_status_fields) };

static const svc_field export_job_reason_fields[] = {
  F_STR("errorCode", .flags = SVC_READ_ONLY),
  F_STR("message", .flags = SVC_READ_ONLY)
};
static const svc_object export_job_reason = { .name = "StateReason", .fields = SVC_ROWS(export_job_reason_fields) };

static const svc_field export_job_fields[] = {
  F_LIST("components", &export_job_member, .flags = SVC_READ_ONLY),
  F_CREATED("createdAt"),
  F_LIST("customData", &svc_object_label, .max_items = 10),
  F_HEX24("exportBucketId", .flags = SVC_REQUIRED),
  F_OBJ("exportStatus", &export_job_status, .flags = SVC_READ_ONLY),
  F_DATE("finishedAt", .flags = SVC_READ_ONLY),
  F_ID(),
  F_STR("prefix", .flags = SVC_READ_ONLY),
  F_HEX24("snapshotId", .flags = SVC_REQUIRED),
  F_ENUM("state", export_job_states, .flags = SVC_READ_ONLY),
  F_OBJ("stateReason", &export_job_reason, .flags = SVC_READ_ONLY)
};
static const svc_object export_job_object = { .name = "DiskBackupExportJob", .fields = SVC_ROWS(export_job_fields) };

static const svc_field export_job_request_fields[] = {
  F_LIST("customData", &svc_object_label, .max_items = 10),
  F_HEX24("exportBucketId", .flags = SVC_REQUIRED),
  F_HEX24("snapshotId", .flags = SVC_REQUIRED)
};
static const svc_object export_job_request = { .name = "DiskBackupExportJobRequest", .fields = SVC_ROWS(export_job_request_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

#define EXPORT_JOB \
  "/groups/{groupId}/clusters/{clusterName}/backup/exports", SVC_SET_BACKUP, (20230101), SVC_R_GROUP_BACKUP_MANAGER, \
    SVC_R_GROUP_BACKUP_EXPORT_OPERATOR

static const svc_route export_job_routes[] = {
  R_GET(EXPORT_JOB, "", .flags = SVC_PAGED | SVC_NEWEST_FIRST, .op = "listBackupExports", .run = svc_verb_list),
  R_POST(EXPORT_JOB, "", .status = 202, .body = &export_job_request, .op = "createBackupExport", .run = svc_verb_create,
         .example = "{\"customData\":[{\"key\":\"why\",\"value\":\"audit\"}],\"exportBucketId\":\"5f0000000000000000000001\","
                    "\"snapshotId\":\"5f0000000000000000000002\"}"),
  R_GET(EXPORT_JOB, "/{exportId}", .op = "getBackupExport", .run = svc_verb_read)
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition export_job_transitions[] = {
  { "Queued", "InProgress", 5, NULL, NULL },
  { "InProgress", "Successful", 50, "CPS_EXPORT_SUCCESSFUL", "export.run" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle export_job_lifecycle = {
  .field = "state", .created = "Queued", .failed = "Failed", .event_failed = "CPS_EXPORT_FAILED",
  .transitions = export_job_transitions
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* The path in the bucket: made of names if the schedule says so, otherwise of ids. */
static svc_str export_job_prefix(svc_call *c, const svc_entity *cluster, const svc_entity *snapshot)
{
  svc_entity record, project, org;
  svc_str taken = svc_json_word(snapshot->body, "createdAt");
  bool named = svc_backup_record(c, &cluster->id, &record) == SVC_OK &&
               svc_json_is(record.body, "useOrgAndGroupNamesInExportPrefix", "true") &&
               c->s->group && c->s->org && svc_get_noun(c->txn, c->s->group, &cluster->scope.group, &project) == SVC_OK &&
               svc_get_noun(c->txn, c->s->org, &cluster->scope.org, &org) == SVC_OK;
  svc_str org_part = named ? org.unique : svc_id_str(c->arena, &cluster->scope.org);
  svc_str group_part = named ? project.unique : svc_id_str(c->arena, &cluster->scope.group);
  return svc_arena_print(c->arena, "/exported_snapshots/" SVC_FMT "/" SVC_FMT "/" SVC_FMT "/%.16s/%lld", SVC_ARG(org_part),
                         SVC_ARG(group_part), SVC_ARG(cluster->unique), taken.n >= 16 ? taken.p : "",
                         (long long)(c->now / 1000));
}

static bool export_job_components(svc_call *c, svc_change *change, const svc_entity *snapshot)
{
  svc_node *list = svc_node_array(c->arena, "components"),
           *notes = svc_snapshot_shards(c, snapshot);
  const svc_node *member = svc_node_get(notes, "members");
  if (!list || !notes) return svc_no_memory(c);
  for (member = svc_node_first(member); member; member = member->next) {
    svc_node *part = svc_node_object(c->arena, NULL);
    svc_id id = svc_new_id(c->txn);
    if (!part) return svc_no_memory(c);
    svc_node_set_id(c->arena, part, "exportId", &id);
    svc_node_set_from(c->arena, part, "replicaSetName", member, "replicaSetName");
    svc_node_append(list, part);
  }
  svc_node_put(c->arena, change->body, list);
  return true;
}

static void export_job_count(svc_call *c, svc_node *body, int64_t done, int64_t total)
{
  svc_node *status = svc_node_object(c->arena, "exportStatus");
  if (!status) return; /* the arena has noted the failure */
  svc_node_set_i64(c->arena, status, "exportedCollections", done);
  svc_node_set_i64(c->arena, status, "totalCollections", total);
  svc_node_put(c->arena, body, status);
}

/* Number of collections of the cluster: a simulation. */
static int64_t export_job_simulated(svc_call *c, const svc_change *change)
{
  int64_t count = 0;
  if (!svc_history_had_sample(c, &change->parent, c->now)) return 0;
  while (svc_sample_at((size_t)count)) count++;
  return count;
}

static bool export_job_prepare(svc_call *c, svc_change *change)
{
  svc_str id = svc_node_str(change->body, "snapshotId");
  svc_entity cluster, snapshot;
  if (SVC_NEVER(change->before)) return true; /* no route changes one */
  if (!svc_backup_source(c, &change->parent, &cluster) || !svc_snapshot_get(c, &cluster, id, &snapshot)) return false;
  /* the schedule exports a snapshot just before its completion is stored */
  if (change->input && !svc_json_is(snapshot.body, "status", "completed"))
    return svc_fail(c, SVC_E_CANNOT_DOWNLOAD_INCOMPLETE_SNAPSHOT, "S", &id);
  svc_node_set_str(c->arena, change->body, "prefix", export_job_prefix(c, &cluster, &snapshot));
  export_job_count(c, change->body, 0, 0);
  svc_change_due(change, SVC_DUE_EXPIRY, c->now + SVC_BACKUP_JOB_DAYS * SVC_DAY_MS);
  return export_job_components(c, change, &snapshot);
}

static bool export_job_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  return SVC_NEVER(change->before) || svc_export_claim(c, e, svc_node_str(change->body, "exportBucketId"));
}

static bool export_job_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag != SVC_DUE_STATE || !svc_node_is(change->body, "state", "Successful")) return true;
  svc_node_set_date(c->arena, change->body, "finishedAt", c->now);
  return true;
}

static bool export_job_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  int64_t total = svc_node_i64(facts, "totalCollections", -1), done = svc_node_i64(facts, "exportedCollections", total);
  if (total >= 0 && done <= total) export_job_count(c, change->body, done, total);
  return true;
}

static bool export_job_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  (void)action;
  svc_node_set_i64(c->arena, facts, "totalCollections", export_job_simulated(c, change));
  return true;
}

/* ------------------------------------------------------------------------------------------------------------- noun */

static const svc_ref export_job_refs[] = {
  { "exportBucketId", "export bucket", SVC_E_EXPORT_BUCKET_NOT_FOUND, 0 },
  { NULL, NULL, 0, 0 }
};

static const svc_field export_job_fact_fields[] = {
  F_INT("exportedCollections", .flags = SVC_MIN), F_INT("totalCollections", .flags = SVC_MIN)
};
static const svc_object export_job_facts_object = { .name = "ExportFacts", .fields = SVC_ROWS(export_job_fact_fields) };
static const svc_order_row export_job_orders[] = {
  { "export.run",
    "Copy the snapshot into the bucket, below `prefix`. Facts: the number of collections, and of those that were copied.",
    NULL, &export_job_facts_object, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_export_job = {
  .name = "export job",
  .rel = "export",
  .kind = EXPORT_JOB_KIND,
  .parent = "cluster",
  .param = "exportId",
  .flags = SVC_EXPIRES | SVC_EVENT_PARENT | SVC_OUTLIVES,
  .object = &export_job_object,
  .err_not_found = SVC_E_BACKUP_JOB_NOT_FOUND,
  .most = SVC_BACKUP_JOBS,
  .err_quota = SVC_E_BACKUP_LIMIT_EXCEEDED,
  .lifecycle = &export_job_lifecycle,
  .refs = export_job_refs,
  .event_created = "CPS_SNAPSHOT_IN_PROGRESS_AUDIT", /* the closest event type */
  .event_field = "resourceId",
  .orders = export_job_orders,
  .routes = SVC_ROUTES(export_job_routes),
  .prepare = export_job_prepare,
  .stored = export_job_stored,
  .fell_due = export_job_fell_due,
  .simulate = export_job_simulate,
  .facts = export_job_facts,
  .needs = "snapshot"
};

/*
** flex restore job: restores a snapshot of a flex cluster into the same or another flex cluster, or prepares the snapshot
** for download.
**
**   PENDING --> QUEUED --> RUNNING --> COMPLETED, or FAILED     expires after 30 days: 404
**
** A download is a job without a target; its file is available for four hours. A job documents a finished restore, and
** stays when its target is deleted. A target in another project requires the same role there.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/flex_parts.h"

enum {
  FLEX_RESTORE_JOB_DAYS = 30,          /* until a job expires */
  FLEX_RESTORE_JOB_DOWNLOAD_HOURS = 4, /* until a download expires */
  FLEX_RESTORE_JOB_MOST = 200
};

static const char *const flex_restore_job_deliveries[] = { "RESTORE", "DOWNLOAD", NULL };
static const char *const flex_restore_job_states[] = { "PENDING", "QUEUED", "RUNNING", "FAILED", "COMPLETED", NULL };

static const svc_field flex_restore_job_base_fields[] = {
  F_ENUM("deliveryType", flex_restore_job_deliveries, .flags = SVC_READ_ONLY),
  F_DATE("expirationDate", .flags = SVC_READ_ONLY),
  F_ID(),
  F_STR("instanceName", .flags = SVC_READ_ONLY),
  F_HEX24("projectId", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_GROUP_ID),
  F_DATE("restoreFinishedDate", .flags = SVC_READ_ONLY),
  F_CREATED("restoreScheduledDate"),
  F_DATE("snapshotFinishedDate", .flags = SVC_READ_ONLY),
  F_HEX24("snapshotId", .flags = SVC_REQUIRED | SVC_FIXED),
  F_STR("snapshotUrl", .flags = SVC_READ_ONLY),
  F_ENUM("status", flex_restore_job_states, .flags = SVC_READ_ONLY)
};
static const svc_object flex_restore_job_base = { .name = "FlexBackupJob", .fields = SVC_ROWS(flex_restore_job_base_fields) };

/* The fields as they are shown: a download has no target. */
static const svc_field flex_restore_job_fields[] = {
  F_STR("targetDeploymentItemName", .flags = SVC_READ_ONLY),
  F_HEX24("targetProjectId", .flags = SVC_READ_ONLY)
};
static const svc_object flex_restore_job_object = {
  .name = "FlexBackupRestoreJob", .fields = SVC_ROWS(flex_restore_job_fields), .base = &flex_restore_job_base
};

/* The requests of a restore and of a download. */
static const svc_field flex_restore_job_create_fields[] = {
  F_STR("targetDeploymentItemName", .flags = SVC_REQUIRED, .pattern = "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$"),
  F_HEX24("targetProjectId")
};
static const svc_object flex_restore_job_create = {
  .name = "FlexBackupRestoreJobCreate", .fields = SVC_ROWS(flex_restore_job_create_fields), .base = &flex_restore_job_base
};
static const svc_field flex_restore_job_download_fields[] = { F_HEX24("snapshotId", .flags = SVC_REQUIRED) };
static const svc_object flex_restore_job_download = {
  .name = "FlexBackupSnapshotDownloadCreate", .fields = SVC_ROWS(flex_restore_job_download_fields)
};

#define FLEX_RESTORE_JOB \
  "/groups/{groupId}/flexClusters/{name}/backup", SVC_SET_FLEX_RESTORE_JOBS, (20241113), SVC_R_GROUP_READ_ONLY, \
    SVC_R_GROUP_BACKUP_RECOVERY_OPERATOR

static const svc_route flex_restore_job_routes[] = {
  R_GET(FLEX_RESTORE_JOB, "/restoreJobs", .flags = SVC_PAGED | SVC_NEWEST_FIRST, .op = "listFlexRestoreJobs", .run = svc_verb_list),
  R_POST(FLEX_RESTORE_JOB, "/restoreJobs", .status = 202, .body = &flex_restore_job_create, .op = "createFlexRestoreJob", .run = svc_verb_create,
         .example = "{\"snapshotId\":\"5f0000000000000000000001\",\"targetDeploymentItemName\":\"Flexible\"}"),
  R_GET(FLEX_RESTORE_JOB, "/restoreJobs/{restoreJobId}", .op = "getFlexRestoreJob", .run = svc_verb_read),
  { .method = SVC_POST, .path = "/groups/{groupId}/flexClusters/{name}/backup/download", .set = SVC_SET_FLEX_SNAPSHOTS,
    .versions = { 20241113 }, .roles = SVC_R_GROUP_BACKUP_EXPORT_OPERATOR, .status = 202, .body = &flex_restore_job_download,
    .op = "downloadFlexBackup", .run = svc_verb_create, .example = "{\"snapshotId\":\"5f0000000000000000000001\"}" }
};

static const svc_transition flex_restore_job_transitions[] = {
  { "PENDING", "QUEUED", 5, NULL, NULL },
  { "QUEUED", "RUNNING", 5, NULL, NULL },
  { "RUNNING", "COMPLETED", 60, NULL, "restore.run" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle flex_restore_job_lifecycle = {
  .field = "status", .created = "PENDING", .failed = "FAILED", .event_failed = "TENANT_RESTORE_FAILED",
  .transitions = flex_restore_job_transitions
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static bool flex_restore_job_snapshot(svc_call *c, svc_change *change, bool download)
{
  const svc_entity *flex = svc_parent_of_call(c);
  svc_str text = svc_node_str(change->body, "snapshotId");
  const svc_node *body;
  svc_entity e;
  int rc = svc_entity_get_text_id(c->txn, FLEX_SNAPSHOT_KIND, &flex->id, text, &e);
  if (rc == SVC_NOT_FOUND) return svc_fail(c, SVC_E_SNAPSHOT_NOT_FOUND, "SS", &text, &flex->unique);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  body = svc_entity_body(c, &e);
  if (!body) return false;
  if (svc_cluster_is(body, "status", "COMPLETED")) {
    svc_node_set_from(c->arena, change->body, "snapshotFinishedDate", body, "finishTime");
    change->extra = e.extra;
    return true;
  }
  if (download) return svc_fail(c, SVC_E_CANNOT_DOWNLOAD_INCOMPLETE_SNAPSHOT, "S", &text);
  svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("snapshotId"), "belongs to a snapshot that is not complete");
  return svc_check_done(c);
}

/* Checks that the caller may restore into that project. A caller without a role there gets the same error as for a project
** that does not exist. */
static bool flex_restore_job_project(svc_call *c, svc_str text, svc_id *group)
{
  svc_entity e;
  int rc;
  if (!svc_id_parse(text, group)) return svc_fail(c, SVC_E_GROUP_NOT_FOUND, "S", &text);
  if (svc_id_eq(group, &c->scope.group)) return true;
  rc = svc_get_noun(c->txn, c->s->group, group, &e);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  if (rc != SVC_OK || !svc_roles_on(c, group, &e.scope.org)) return svc_fail(c, SVC_E_GROUP_NOT_FOUND, "S", &text);
  return svc_may_there(c, group, &e.scope.org, SVC_R_GROUP_BACKUP_RECOVERY_OPERATOR);
}

static bool flex_restore_job_target(svc_call *c, svc_change *change)
{
  svc_str project = svc_node_str(change->body, "targetProjectId");
  const svc_node *body;
  svc_entity target;
  svc_id group;
  if (project.n == 0) {
    project = svc_id_str(c->arena, &c->scope.group);
    svc_node_set_str(c->arena, change->body, "targetProjectId", project);
  }
  if (!flex_restore_job_project(c, project, &group)) return false;
  if (!svc_flex_find(c, &group, svc_node_str(change->body, "targetDeploymentItemName"), &target)) return false;
  body = svc_entity_body(c, &target);
  return body && svc_guarded(c, svc_noun_by_kind(c->s, FLEX_KIND), &target, body, SVC_GUARD_CHANGE);
}

static bool flex_restore_job_prepare(svc_call *c, svc_change *change)
{
  bool download = !svc_node_get(change->body, "targetDeploymentItemName");
  svc_node_set_str(c->arena, change->body, "deliveryType", download ? SVC_S("DOWNLOAD") : SVC_S("RESTORE"));
  svc_node_set_str(c->arena, change->body, "instanceName", svc_parent_of_call(c)->unique);
  svc_change_due(change, SVC_DUE_EXPIRY, c->now + FLEX_RESTORE_JOB_DAYS * SVC_DAY_MS);
  if (download) change->event = "TENANT_SNAPSHOT_DOWNLOAD_REQUESTED_AUDIT";
  return flex_restore_job_snapshot(c, change, download) && (download || flex_restore_job_target(c, change));
}

/* Gives the target the data of the snapshot, if the target still exists. */
static bool flex_restore_job_arrives(svc_call *c, const svc_change *change)
{
  svc_entity target;
  svc_id group;
  int rc = svc_id_parse(svc_node_str(change->body, "targetProjectId"), &group) ? SVC_OK : SVC_NOT_FOUND;
  if (rc == SVC_OK) rc = svc_entity_named(c->txn, FLEX_KIND, FLEX_NAMES, &group, svc_node_str(change->body, "targetDeploymentItemName"), &target);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND || svc_store_failed(c, rc);
  return svc_flex_put_data(c, &target, change->entity.extra.n > 0);
}

static bool flex_restore_job_fell_due(svc_call *c, svc_change *change, int tag)
{
  bool download = svc_cluster_is(change->body, "deliveryType", "DOWNLOAD");
  if (tag != SVC_DUE_STATE || !svc_cluster_is(change->body, "status", "COMPLETED")) return true;
  svc_node_set_date(c->arena, change->body, "restoreFinishedDate", c->now);
  if (!download) change->event = "TENANT_RESTORE_COMPLETED_AUDIT";
  return download || flex_restore_job_arrives(c, change);
}

static bool flex_restore_job_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  svc_str url = svc_node_str(facts, "url");
  if (!svc_cluster_is(change->body, "deliveryType", "DOWNLOAD") || !url.n) return true;
  svc_node_set_str(c->arena, change->body, "snapshotUrl", url);
  svc_node_set_date(c->arena, change->body, "expirationDate", c->now + FLEX_RESTORE_JOB_DOWNLOAD_HOURS * (SVC_DAY_MS / 24));
  return true;
}

/* The URL of a simulated download; no server answers there. */
static bool flex_restore_job_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  (void)action;
  if (svc_cluster_is(change->body, "deliveryType", "DOWNLOAD"))
    svc_node_set_str(c->arena, facts, "url", svc_arena_print(c->arena, "https://downloads.%s/%s.tgz", c->s->config.db_domain,
                                                             svc_id_str(c->arena, &change->entity.id).p));
  return true;
}

static const svc_field flex_restore_job_fact_fields[] = { F_STR("url", .min = 1, .max = 2048) };
static const svc_object flex_restore_job_facts_object = { .name = "FlexRestoreFacts", .fields = SVC_ROWS(flex_restore_job_fact_fields) };
static const svc_order_row flex_restore_job_orders[] = {
  { "restore.run",
    "Restore the snapshot into the target flex cluster. For a download, prepare the file. Facts: its `url`.",
    NULL, &flex_restore_job_facts_object, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_flex_restore_job = {
  .name = "flex restore job",
  .rel = "flexRestoreJob",
  .kind = "frst",
  .parent = "flex cluster",
  .param = "restoreJobId",
  .flags = SVC_EXPIRES | SVC_EVENT_PARENT,
  .object = &flex_restore_job_object,
  .err_not_found = SVC_E_RESTORE_JOB_NOT_FOUND,
  .most = FLEX_RESTORE_JOB_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .lifecycle = &flex_restore_job_lifecycle,
  .event_created = "TENANT_RESTORE_REQUESTED_AUDIT",
  .orders = flex_restore_job_orders,
  .routes = SVC_ROUTES(flex_restore_job_routes),
  .prepare = flex_restore_job_prepare,
  .fell_due = flex_restore_job_fell_due,
  .simulate = flex_restore_job_simulate,
  .facts = flex_restore_job_facts,
};

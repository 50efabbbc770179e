/*
** Restore job: restores a snapshot, or a point in time between snapshots, into a cluster (automated, pointInTime), which
** may be in another project, or offers it as files for download (download).
**
**   POST --> RUNNING --> FINISHED --> EXPIRED     a download, whose URL is valid for some days
**               |            |
**               +--> FAILED  +--> CANCELLED       DELETE of a download, also while it is RUNNING
**
** The state is not shown, only the flags and dates that follow from it; the older view of a job (legacy_restore_job.c) shows
** it. While a job is RUNNING, its target cluster cannot be changed (backup_record.c). A job is deleted SVC_BACKUP_JOB_DAYS
** after its creation.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"

#define RESTORE_JOB_LINK_DAYS 7 /* days for which a download URL is valid */

enum { RESTORE_JOB_DUE_LINK = SVC_DUE_OWN }; /* expiry of the download URL */

static const char *const restore_job_types[] = { "automated", "download", "pointInTime", NULL };
static const char *const restore_job_states[] = { "RUNNING", "FINISHED", "EXPIRED", "FAILED", "CANCELLED", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field restore_job_private_fields[] = {
  F_STR("deliveryUrl", .flags = SVC_READ_ONLY),
  F_STR("endpointId", .flags = SVC_READ_ONLY)
};
static const svc_object restore_job_private = { .name = "PrivateDownloadDeliveryUrl", .fields = SVC_ROWS(restore_job_private_fields) };

static const svc_field restore_job_member_fields[] = {
  F_STR("downloadUrl", .flags = SVC_READ_ONLY),
  F_LIST("privateDownloadDeliveryUrls", &restore_job_private, .flags = SVC_READ_ONLY),
  F_STR("replicaSetName", .flags = SVC_READ_ONLY)
};
static const svc_object restore_job_member = { .name = "DiskBackupRestoreMember", .fields = SVC_ROWS(restore_job_member_fields) };

/* The restored moment; of a snapshot it is an empty object. */
static const svc_field restore_job_moment_fields[] = {
  F_DATE("date", .flags = SVC_READ_ONLY),
  F_INT("increment", .flags = SVC_READ_ONLY)
};
static const svc_object restore_job_moment_object = { .name = "RestoreMoment", .fields = SVC_ROWS(restore_job_moment_fields) };

#define RESTORE_JOB_SECOND SVC_MIN, .min = 1199145600 /* 2008: there are no older backups */

static const svc_field restore_job_fields[] = {
  F_BOOL("cancelled", .flags = SVC_READ_ONLY),
  F_LIST("components", &restore_job_member, .flags = SVC_READ_ONLY),
  F_ENUM("deliveryType", restore_job_types, .flags = SVC_REQUIRED),
  F_STRS("deliveryUrl", .flags = SVC_READ_ONLY),
  F_OBJ("desiredTimestamp", &restore_job_moment_object, .flags = SVC_READ_ONLY),
  F_BOOL("expired", .flags = SVC_READ_ONLY),
  F_DATE("expiresAt", .flags = SVC_READ_ONLY),
  F_BOOL("failed", .flags = SVC_READ_ONLY),
  F_DATE("finishedAt", .flags = SVC_READ_ONLY),
  F_ID(),
  F_INT("oplogInc", .flags = SVC_MIN, .min = 1),
  F_INT("oplogTs", .flags = RESTORE_JOB_SECOND),
  F_INT("pointInTimeUTCSeconds", .flags = RESTORE_JOB_SECOND),
  F_LIST("privateDownloadDeliveryUrls", &restore_job_private, .flags = SVC_READ_ONLY),
  F_HEX24("snapshotId"),
  F_STR("targetClusterName", .pattern = "^[a-zA-Z0-9][a-zA-Z0-9-]*$", .max = 64),
  F_STR("targetDeploymentItemName", .flags = SVC_READ_ONLY),
  F_HEX24("targetGroupId"),
  F_DATE("timestamp", .flags = SVC_READ_ONLY)
};
/* Checked by restore_job_fields_good(), which also checks the older requests of legacy_restore_job.c. */
static const svc_need restore_job_needs[] = {
  { .fields = "snapshotId", .where = "deliveryType=automated|download", .by_hook = true },
  { .fields = "targetClusterName", .where = "deliveryType=automated|pointInTime", .by_hook = true },
  { .fields = "pointInTimeUTCSeconds|oplogTs", .where = "deliveryType=pointInTime", .by_hook = true },
  { .fields = "oplogInc", .where = "deliveryType=pointInTime oplogTs", .by_hook = true },
  { .fields = NULL }
};
static const svc_object restore_job_object = {
  .name = "DiskBackupSnapshotRestoreJob", .fields = SVC_ROWS(restore_job_fields), .ext = SVC_OBJECT_EXT(.needs = restore_job_needs)
};

/* The stored form. */
static const svc_field restore_job_stored_fields[] = {
  F_CREATED("created"),
  F_ENUM("state", restore_job_states, .flags = SVC_READ_ONLY)
};
static const svc_object restore_job_stored = {
  .name = "RestoreJobRecord", .fields = SVC_ROWS(restore_job_stored_fields), .base = &restore_job_object
};

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool restore_job_cancel(svc_call *c);

#define RESTORE_JOB \
  "/groups/{groupId}/clusters/{clusterName}/backup/restoreJobs", SVC_SET_BACKUP, (20230101), SVC_R_GROUP_BACKUP_MANAGER, \
    SVC_R_GROUP_BACKUP_EXPORT_OPERATOR | SVC_R_GROUP_BACKUP_RECOVERY_OPERATOR
#define RESTORE_JOB_SHOWN .answer = &restore_job_object

static const svc_route restore_job_routes[] = {
  R_GET(RESTORE_JOB, "", RESTORE_JOB_SHOWN, .flags = SVC_PAGED | SVC_NEWEST_FIRST, .op = "listBackupRestoreJobs", .run = svc_verb_list),
  R_POST(RESTORE_JOB, "", RESTORE_JOB_SHOWN, .status = 202, .body = &restore_job_object, .op = "createBackupRestoreJob", .run = svc_verb_create,
         .example = "{\"deliveryType\":\"download\",\"snapshotId\":\"5f0000000000000000000001\"}"),
  R_GET(RESTORE_JOB, "/{restoreJobId}", RESTORE_JOB_SHOWN, .op = "getBackupRestoreJob", .run = svc_verb_read),
  R_DELETE(RESTORE_JOB, "/{restoreJobId}", RESTORE_JOB_SHOWN, .status = 204, .op = "cancelBackupRestoreJob", .run = restore_job_cancel)
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition restore_job_transitions[] = {
  { "RUNNING", "FINISHED", 50, "CPS_RESTORE_SUCCESSFUL", "restore.run" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle restore_job_lifecycle = {
  .field = "state", .created = "RUNNING", .failed = "FAILED", .event_failed = "CPS_RESTORE_FAILED",
  .transitions = restore_job_transitions
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* The desired state for a driver: flags instead of the state. */
static svc_node *restore_job_desired(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  if (!body) return NULL;
  svc_node_set_bool(c->arena, body, "cancelled", svc_node_is(body, "state", "CANCELLED"));
  svc_node_set_bool(c->arena, body, "expired", svc_node_is(body, "state", "EXPIRED"));
  svc_node_set_bool(c->arena, body, "failed", svc_node_is(body, "state", "FAILED"));
  svc_node_drop(body, "state");
  svc_node_drop(body, "created");
  return body;
}

/* Adds the members that are always shown, even if the job does not have them. */
static svc_node *restore_job_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = restore_job_desired(c, e);
  if (!body) return NULL;
  if (!svc_node_get(body, "deliveryUrl")) svc_node_put(c->arena, body, svc_node_array(c->arena, "deliveryUrl"));
  if (!svc_node_get(body, "desiredTimestamp")) svc_node_put(c->arena, body, svc_node_object(c->arena, "desiredTimestamp"));
  if (svc_node_get(body, "targetClusterName")) svc_node_set_from(c->arena, body, "targetDeploymentItemName", body, "targetClusterName");
  return c->arena->failed ? NULL : body;
}

/* ---- what a request may ask for */

static void restore_job_need(svc_call *c, const svc_node *body, const char *field, bool wanted)
{
  bool given = svc_node_get(body, field) != NULL;
  if (wanted && !given) svc_violate(c, SVC_E_MISSING_ATTRIBUTE, svc_str_c(field), "is required for this deliveryType");
  if (!wanted && given) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_str_c(field), "cannot be used with this deliveryType");
}

/* Checks which fields are used together. */
static bool restore_job_fields_good(svc_call *c, const svc_node *body)
{
  bool download = svc_node_is(body, "deliveryType", "download"),
       point = svc_node_is(body, "deliveryType", "pointInTime");
  bool second = svc_node_get(body, "pointInTimeUTCSeconds") != NULL, ts = svc_node_get(body, "oplogTs") != NULL;
  if (second && ts) return svc_fail(c, SVC_E_BACKUP_CONFLICTING_OPTIONS, "ss", "pointInTimeUTCSeconds", "oplogTs");
  restore_job_need(c, body, "snapshotId", !point);
  if (!download) restore_job_need(c, body, "targetClusterName", true);
  else restore_job_need(c, body, "targetClusterName", false), restore_job_need(c, body, "targetGroupId", false);
  restore_job_need(c, body, "pointInTimeUTCSeconds", point && !ts);
  if (!point) restore_job_need(c, body, "oplogTs", false);
  restore_job_need(c, body, "oplogInc", point && ts);
  return svc_check_done(c);
}

/* A snapshot of a sharded cluster needs a target with as many shards. A snapshot of a replica set needs a replica set. */
static bool restore_job_fits(svc_call *c, const svc_entity *snapshot, const svc_entity *target)
{
  const svc_node *body = svc_entity_body(c, target), *notes = svc_snapshot_shards(c, snapshot), *members;
  bool single;
  size_t shards;
  if (!body || !notes) return false;
  single = svc_node_is(body, "clusterType", "REPLICASET");
  shards = svc_node_count(svc_node_get(body, "replicationSpecs"));
  members = svc_node_get(notes, "members");
  if (single == (members != NULL))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("targetClusterName"), "must be a %s, like the source of the snapshot",
                members ? "sharded cluster" : "replica set");
  else if (members && svc_node_count(members) != shards)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("targetClusterName"), "must have %u shards, like the snapshot",
                (unsigned)svc_node_count(members));
  if (svc_str_order(svc_node_str(body, "dbMajorVersion"), svc_json_word(snapshot->body, "dbdVersion")) < 0 &&
      !svc_str_starts(svc_json_word(snapshot->body, "dbdVersion"),
                      svc_arena_copy(c->arena, svc_node_str(body, "dbMajorVersion")).p))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("targetClusterName"), "runs an older database version than the snapshot");
  return svc_check_done(c);
}

static void restore_job_moment(svc_call *c, svc_node *body, int64_t second)
{
  svc_node *time = svc_node_object(c->arena, "desiredTimestamp");
  if (!time) return; /* the arena has noted the failure */
  svc_node_set_date(c->arena, time, "date", second * 1000);
  svc_node_set_i64(c->arena, time, "increment", svc_node_i64(body, "oplogInc", 1));
  svc_node_put(c->arena, body, time);
}

static bool restore_job_from_snapshot(svc_call *c, svc_change *change, const svc_entity *cluster, svc_entity *snapshot)
{
  svc_str id = svc_node_str(change->body, "snapshotId");
  if (!svc_snapshot_get(c, cluster, id, snapshot)) return false;
  if (!svc_json_is(snapshot->body, "status", "completed"))
    return svc_fail(c, SVC_E_CANNOT_DOWNLOAD_INCOMPLETE_SNAPSHOT, "S", &id);
  svc_node_set_str(c->arena, change->body, "timestamp", svc_json_word(snapshot->body, "createdAt"));
  return true;
}

static bool restore_job_to_cluster(svc_call *c, svc_change *change, const svc_entity *cluster, const svc_entity *snapshot)
{
  svc_node *body = change->body;
  svc_entity target;
  if (!svc_restore_target(c, svc_node_str(body, "targetGroupId"), svc_node_str(body, "targetClusterName"), &target))
    return false;
  svc_node_set_id(c->arena, body, "targetGroupId", &target.parent);
  return (!snapshot || restore_job_fits(c, snapshot, &target)) && svc_restore_claim(c, &target, &cluster->id, &change->id);
}

static bool restore_job_prepare(svc_call *c, svc_change *change)
{
  const svc_node *body = change->body;
  int64_t second = svc_node_i64(body, "pointInTimeUTCSeconds", svc_node_i64(body, "oplogTs", 0));
  svc_entity cluster, snapshot;
  if (change->before) return true;
  if (!restore_job_fields_good(c, body) || !svc_backup_source(c, &change->parent, &cluster)) return false;
  svc_change_due(change, SVC_DUE_EXPIRY, c->now + SVC_BACKUP_JOB_DAYS * SVC_DAY_MS);
  if (svc_node_is(body, "deliveryType", "pointInTime")) {
    if (!svc_restore_reaches(c, &cluster, second)) return false;
    restore_job_moment(c, change->body, second);
    return restore_job_to_cluster(c, change, &cluster, NULL);
  }
  if (!restore_job_from_snapshot(c, change, &cluster, &snapshot)) return false;
  return svc_node_is(body, "deliveryType", "download") ? svc_restore_download(c, &snapshot, &change->id)
                                                           : restore_job_to_cluster(c, change, &cluster, &snapshot);
}

/* ---- its end */

/* The URL of a file: a simulation; no server answers there. */
static svc_node *restore_job_url(svc_call *c, const svc_change *change, svc_str part)
{
  return svc_node_new(c->arena, SVC_J_STRING, SVC_S(""),
                      svc_arena_print(c->arena, "https://restores.%s/%s/" SVC_FMT ".tar.gz", c->s->config.db_domain,
                                      svc_id_str(c->arena, &change->id).p, SVC_ARG(part)));
}

static bool restore_job_add_file(svc_call *c, const svc_change *change, svc_str name, svc_node *urls, svc_node *parts)
{
  svc_node *url = restore_job_url(c, change, name), *part = svc_node_object(c->arena, NULL);
  if (!url || !part) return svc_no_memory(c);
  svc_node_append(urls, url);
  svc_node_set_str(c->arena, part, "downloadUrl", url->text);
  svc_node_set_str(c->arena, part, "replicaSetName", name);
  svc_node_append(parts, part);
  return true;
}

/* The simulation has one file per shard. */
static bool restore_job_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  svc_node *urls = svc_node_array(c->arena, "deliveryUrl");
  svc_node *parts = svc_node_array(c->arena, "components");
  const svc_node *notes, *member;
  svc_entity snapshot;
  (void)action;
  if (!urls || !parts) return svc_no_memory(c);
  if (!svc_node_is(change->body, "deliveryType", "download")) return svc_restore_simulate(c, change, facts);
  if (svc_entity_get_text_id(c->txn, SNAPSHOT_KIND, &change->parent, svc_node_str(change->body, "snapshotId"), &snapshot) != SVC_OK)
    return svc_txn_good(c);
  if (!(notes = svc_snapshot_shards(c, &snapshot))) return false;
  member = svc_node_get(notes, "members");
  if (!member && !restore_job_add_file(c, change, svc_json_word(snapshot.body, "replicaSetName"), urls, parts)) return false;
  for (member = svc_node_first(member); member; member = member->next)
    if (!restore_job_add_file(c, change, svc_node_str(member, "replicaSetName"), urls, parts)) return false;
  svc_node_put(c->arena, facts, urls);
  svc_node_put(c->arena, facts, parts);
  return true;
}

/* The state has ended: a job that a driver or a test has failed brings nothing. */
static bool restore_job_finish(svc_call *c, svc_change *change)
{
  int64_t until = c->now - c->now % 1000 + RESTORE_JOB_LINK_DAYS * SVC_DAY_MS;
  svc_entity target;
  svc_node_set_date(c->arena, change->body, "finishedAt", c->now);
  if (!svc_node_is(change->body, "state", "FINISHED")) return true;
  if (!svc_node_is(change->body, "deliveryType", "download")) {
    if (svc_restore_there(c, change, &target)) return svc_restore_brings(c, change, &target);
    svc_node_set_text(c->arena, change->body, "state", "FAILED");
    change->event = "CPS_RESTORE_FAILED";
    return svc_txn_good(c);
  }
  svc_node_set_date(c->arena, change->body, "expiresAt", until);
  svc_change_due(change, RESTORE_JOB_DUE_LINK, until);
  return true;
}

static bool restore_job_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag == SVC_DUE_STATE) return restore_job_finish(c, change);
  if (tag != RESTORE_JOB_DUE_LINK || !svc_node_is(change->body, "state", "FINISHED")) return true;
  svc_node_set_text(c->arena, change->body, "state", "EXPIRED");
  svc_node_drop(change->body, "deliveryUrl");
  svc_node_drop(change->body, "components");
  return true;
}

/* The URLs of the files, or the amount of data that the target now has. */
static bool restore_job_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  return svc_node_is(change->body, "deliveryType", "download") ? svc_facts_into(c, change, facts) : svc_restore_facts(c, change, facts);
}

/* ---- cancelling */

static bool restore_job_cancel(svc_call *c)
{
  svc_change change;
  svc_entity e;
  if (!svc_change_begin(c, &change)) return false;
  if (!svc_node_is(change.body, "deliveryType", "download"))
    return svc_fail(c, SVC_E_CANNOT_CANCEL_AUTOMATED_RESTORE, "S", &change.entity.key);
  if (!svc_node_is(change.body, "state", "RUNNING") && !svc_node_is(change.body, "state", "FINISHED"))
    return svc_answer_nothing(c); /* nothing left to cancel */
  svc_node_drop(change.body, "deliveryUrl");
  svc_node_drop(change.body, "components");
  svc_node_drop(change.body, "expiresAt");
  svc_change_due(&change, RESTORE_JOB_DUE_LINK, 0);
  change.state = "CANCELLED";
  change.event = "CPS_COLLECTION_RESTORE_CANCELED";
  return svc_change_keep(c, &change, &e) && svc_answer_nothing(c);
}

static const svc_field restore_job_component_facts[] = { F_STR("downloadUrl", .max = 2048), F_STR("replicaSetName", .max = 128) };
static const svc_object restore_job_component_fact = { .name = "RestoreComponentFacts", .fields = SVC_ROWS(restore_job_component_facts) };
static const svc_field restore_job_fact_fields[] = {
  F_LIST("components", &restore_job_component_fact, .max_items = 64), F_LONG("dataSizeBytes", .flags = SVC_MIN), F_STRS("deliveryUrl", .max = 2048, .max_items = 64)
};
static const svc_object restore_job_facts_object = { .name = "RestoreFacts", .fields = SVC_ROWS(restore_job_fact_fields) };
static const svc_order_row restore_job_orders[] = {
  { "restore.run",
    "Restore the snapshot, or the point in time, into the target cluster. For a download, prepare its files and report their "
    "URLs. `dataSizeBytes`: the size of the target's data afterwards.",
    NULL, &restore_job_facts_object, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_restore_job = {
  .name = "restore job",
  .rel = "restoreJob",
  .kind = RESTORE_JOB_KIND,
  .parent = "cluster",
  .param = "restoreJobId",
  .flags = SVC_EXPIRES | SVC_EVENT_PARENT | SVC_OUTLIVES,
  .object = &restore_job_stored,
  .err_not_found = SVC_E_RESTORE_JOB_NOT_FOUND,
  .most = SVC_BACKUP_JOBS,
  .err_quota = SVC_E_BACKUP_LIMIT_EXCEEDED,
  .lifecycle = &restore_job_lifecycle,
  .event_created = "CPS_RESTORE_REQUESTED_AUDIT",
  .event_field = "resourceId",
  .orders = restore_job_orders,
  .routes = SVC_ROUTES(restore_job_routes),
  .prepare = restore_job_prepare,
  .fell_due = restore_job_fell_due,
  .view = restore_job_view,
  .desired = restore_job_desired,
  .simulate = restore_job_simulate,
  .facts = restore_job_facts,
  .needs = "snapshot"
};

/*
** Legacy restore job: the older view of a restore job (restore_job.c) with the same id, and the older request for one.
** Legacy jobs have no record of their own. Each request makes one job, even for a sharded cluster, so a batch is one job
** and has its id. The answer is still a list.
**
** The delivery method HTTP is a download, and AUTOMATED_RESTORE restores into a cluster; the others are not supported.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"

static const char *const legacy_restore_job_methods[] = {
  "CLIENT_PIT_HTTP", "QUERY", "AUTOMATED_RESTORE", "HTTP", "THIRD_PARTY_COPY", "CLIENT_PIT_SCP", "SCP", NULL
};
static const char *const legacy_restore_job_deliveries[] = {
  "NOT_STARTED", "IN_PROGRESS", "READY", "FAILED", "INTERRUPTED", "EXPIRED", "MAX_DOWNLOADS_EXCEEDED", "PENDING", NULL
};
static const char *const legacy_restore_job_hashes[] = { "SHA1", NULL };
static const char *const legacy_restore_job_states[] = { "IN_PROGRESS", "BROKEN", "KILLED", "FINISHED", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field legacy_restore_job_delivery_fields[] = {
  F_STR("authHeader", .flags = SVC_READ_ONLY),
  F_STR("authValue", .flags = SVC_READ_ONLY),
  F_INT("expirationHours", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 168),
  F_DATE("expires", .flags = SVC_READ_ONLY),
  F_INT("maxDownloads", .flags = SVC_MIN, .min = 1),
  F_ENUM("methodName", legacy_restore_job_methods, .flags = SVC_REQUIRED),
  F_ENUM("statusName", legacy_restore_job_deliveries, .flags = SVC_READ_ONLY),
  F_HEX24("targetClusterId"),
  F_STR("targetClusterName", .pattern = "^[a-zA-Z0-9][a-zA-Z0-9-]*$", .max = 64),
  F_HEX24("targetGroupId"),
  F_STR("url", .flags = SVC_READ_ONLY),
  F_STR("urlV2", .flags = SVC_READ_ONLY)
};
static const svc_object legacy_restore_job_delivery = {
  .name = "BackupRestoreJobDelivery", .fields = SVC_ROWS(legacy_restore_job_delivery_fields)
};

static const svc_field legacy_restore_job_hash_fields[] = {
  F_STR("fileName", .flags = SVC_READ_ONLY),
  F_STR("hash", .flags = SVC_READ_ONLY),
  F_ENUM("typeName", legacy_restore_job_hashes, .flags = SVC_READ_ONLY)
};
static const svc_object legacy_restore_job_hash = { .name = "RestoreJobFileHash", .fields = SVC_ROWS(legacy_restore_job_hash_fields) };

static const svc_field legacy_restore_job_fields[] = {
  F_HEX24("batchId", .flags = SVC_READ_ONLY),
  F_HEX24("checkpointId", .flags = SVC_WRITE_ONLY),
  F_HEX24("clusterId", .flags = SVC_READ_ONLY),
  F_STR("clusterName", .flags = SVC_READ_ONLY),
  F_DATE("created", .flags = SVC_READ_ONLY),
  F_OBJ("delivery", &legacy_restore_job_delivery, .flags = SVC_REQUIRED),
  F_STR("deploymentJobId", .flags = SVC_READ_ONLY),
  F_BOOL("encryptionEnabled", .flags = SVC_READ_ONLY),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_LIST("hashes", &legacy_restore_job_hash, .flags = SVC_READ_ONLY),
  F_HEX24("id", .flags = SVC_READ_ONLY),
  F_STR("masterKeyUUID", .format = SVC_FORMAT_UUID, .flags = SVC_READ_ONLY),
  F_INT("oplogInc", .flags = SVC_WRITE_ONLY | SVC_MIN, .min = 1),
  F_DATE("oplogTs", .flags = SVC_WRITE_ONLY),
  F_LONG("pointInTimeUTCMillis", .flags = SVC_WRITE_ONLY | SVC_MIN, .format = SVC_FORMAT_MILLIS),
  F_HEX24("snapshotId"),
  F_ENUM("statusName", legacy_restore_job_states, .flags = SVC_READ_ONLY),
  F_OBJ("timestamp", &svc_object_db_time, .flags = SVC_READ_ONLY)
};
static const svc_need legacy_restore_job_needs[] = {
  { .fields = "snapshotId|checkpointId|oplogTs|pointInTimeUTCMillis", .by_hook = true }, { .fields = NULL }
};
static const svc_object legacy_restore_job_object = {
  .name = "BackupRestoreJob", .fields = SVC_ROWS(legacy_restore_job_fields), .ext = SVC_OBJECT_EXT(.needs = legacy_restore_job_needs)
};

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool legacy_restore_job_list(svc_call *c);
static bool legacy_restore_job_create(svc_call *c);
static bool legacy_restore_job_read(svc_call *c);

static const svc_param legacy_restore_job_params[] = { { .name = "batchId", .format = SVC_FORMAT_ID }, { .name = NULL } };

#define LEGACY_RESTORE_JOB \
  "/groups/{groupId}/clusters/{clusterName}/restoreJobs", SVC_SET_BACKUP, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route legacy_restore_job_routes[] = {
  R_GET(LEGACY_RESTORE_JOB, "", .flags = SVC_PAGED | SVC_NEWEST_FIRST, .params = legacy_restore_job_params,
        .op = "listClusterRestoreJobs", .run = legacy_restore_job_list),
  R_POST(LEGACY_RESTORE_JOB, "", .flags = SVC_PAGED, .status = 202, .op = "createClusterRestoreJob", .run = legacy_restore_job_create,
         .example = "{\"delivery\":{\"methodName\":\"HTTP\"},\"snapshotId\":\"5f0000000000000000000001\"}"),
  R_GET(LEGACY_RESTORE_JOB, "/{jobId}", .flags = SVC_ITEM, .op = "getClusterRestoreJob", .run = legacy_restore_job_read)
};

/* ------------------------------------------------------------------------------------------------------------ views */

static svc_str legacy_restore_job_state(svc_str state)
{
  return svc_str_is(state, "RUNNING")     ? SVC_S("IN_PROGRESS")
         : svc_str_is(state, "FAILED")    ? SVC_S("BROKEN")
         : svc_str_is(state, "CANCELLED") ? SVC_S("KILLED")
                                          : SVC_S("FINISHED");
}

static svc_str legacy_restore_job_delivered(svc_str state)
{
  return svc_str_is(state, "FINISHED")    ? SVC_S("READY")
         : svc_str_is(state, "CANCELLED") ? SVC_S("INTERRUPTED")
         : svc_str_is(state, "RUNNING")   ? SVC_S("IN_PROGRESS")
                                          : state;
}

static svc_node *legacy_restore_job_delivery_of(svc_call *c, const svc_node *job)
{
  svc_node *out = svc_node_object(c->arena, "delivery");
  const svc_node *urls = svc_node_get(job, "deliveryUrl");
  bool download = svc_node_is(job, "deliveryType", "download");
  svc_str expires = svc_node_str(job, "expiresAt");
  if (!out) return NULL;
  svc_node_set_str(c->arena, out, "methodName", download ? SVC_S("HTTP") : SVC_S("AUTOMATED_RESTORE"));
  svc_node_set_str(c->arena, out, "statusName", legacy_restore_job_delivered(svc_node_str(job, "state")));
  if (expires.n) svc_node_set_str(c->arena, out, "expires", expires);
  if (svc_node_first(urls)) {
    svc_node_set_str(c->arena, out, "url", urls->first->text);
    svc_node_set_str(c->arena, out, "urlV2", urls->first->text);
  }
  if (!download) {
    svc_node_set_from(c->arena, out, "targetClusterName", job, "targetClusterName");
    svc_node_set_from(c->arena, out, "targetGroupId", job, "targetGroupId");
  }
  return out;
}

static svc_node *legacy_restore_job_moment(svc_call *c, const svc_node *job)
{
  const svc_node *desired = svc_node_get(job, "desiredTimestamp");
  svc_node *out = desired ? svc_node_copy(c->arena, desired) : svc_node_object(c->arena, NULL);
  if (!out) return NULL;
  out->name = SVC_S("timestamp");
  if (desired) return out;
  svc_node_set_from(c->arena, out, "date", job, "timestamp");
  svc_node_set_i64(c->arena, out, "increment", 1);
  return out;
}

static svc_node *legacy_restore_job_view(svc_call *c, const svc_entity *e, void *context)
{
  svc_node *out = svc_node_object(c->arena, NULL), *job = svc_entity_body(c, e);
  svc_node *delivery = job ? legacy_restore_job_delivery_of(c, job) : NULL,
           *moment = job ? legacy_restore_job_moment(c, job) : NULL;
  (void)context;
  if (!out || !delivery || !moment) return NULL;
  svc_node_set_str(c->arena, out, "batchId", e->key);
  svc_node_set_id(c->arena, out, "clusterId", &e->parent);
  svc_node_set_str(c->arena, out, "clusterName", svc_path_entity(c, "cluster")->unique);
  svc_node_set_from(c->arena, out, "created", job, "created");
  svc_node_put(c->arena, out, delivery);
  svc_node_set_bool(c->arena, out, "encryptionEnabled", false);
  svc_node_set_id(c->arena, out, "groupId", &e->scope.group);
  svc_node_put(c->arena, out, svc_node_array(c->arena, "hashes"));
  svc_node_set_str(c->arena, out, "id", e->key);
  if (svc_node_get(job, "snapshotId")) svc_node_set_from(c->arena, out, "snapshotId", job, "snapshotId");
  svc_node_set_str(c->arena, out, "statusName", legacy_restore_job_state(svc_node_str(job, "state")));
  svc_node_put(c->arena, out, moment);
  return out;
}

static bool legacy_restore_job_get(svc_call *c, svc_str text, svc_entity *out, bool *there)
{
  svc_id id;
  *there = svc_id_parse(text, &id) &&
           svc_entity_get(c->txn, RESTORE_JOB_KIND, &svc_path_entity(c, "cluster")->id, &id, out) == SVC_OK;
  return svc_txn_good(c);
}

/* An item source of one item, or of none. */
static bool legacy_restore_job_one(svc_call *c, void *state, svc_item *out)
{
  svc_entity *job = state;
  svc_node *body;
  if (!job->kind) return false;
  body = out ? legacy_restore_job_view(c, job, NULL) : NULL;
  if (out && !body) return svc_failed(c);
  if (out) svc_item_node(c, out, job->key, body);
  job->kind = NULL;
  return true;
}

static bool legacy_restore_job_list(svc_call *c)
{
  const svc_query_value *batch = svc_query_get(c, "batchId");
  svc_entities which;
  svc_entity job;
  bool there;
  if (!svc_resolve_all(c)) return false;
  if (batch) {
    if (!legacy_restore_job_get(c, batch->text, &job, &there)) return false;
    if (!there) job.kind = NULL;
    return svc_list_items(c, legacy_restore_job_one, &job, there);
  }
  memset(&which, 0, sizeof which);
  which.noun = svc_noun_by_kind(c->s, RESTORE_JOB_KIND);
  which.parent = svc_path_entity(c, "cluster")->id;
  which.view = legacy_restore_job_view;
  return svc_list_entities(c, &which);
}

static bool legacy_restore_job_read(svc_call *c)
{
  svc_str id = svc_path_param(c, "jobId");
  svc_entity job;
  bool there;
  if (!svc_resolve_all(c) || !legacy_restore_job_get(c, id, &job, &there)) return false;
  if (!there) return svc_fail(c, SVC_E_RESTORE_JOB_NOT_FOUND, "SS", &id, &svc_path_entity(c, "cluster")->unique);
  return svc_answer_node(c, legacy_restore_job_view(c, &job, NULL));
}

/* ----------------------------------------------------------------------------------------------------------- asking */

/* The requested moment, in seconds; 0: none. */
static int64_t legacy_restore_job_second(const svc_node *sent)
{
  int64_t ms = svc_node_i64(sent, "pointInTimeUTCMillis", 0);
  if (svc_node_get(sent, "oplogTs")) svc_date_parse(svc_node_str(sent, "oplogTs"), &ms);
  return ms / 1000;
}

/* Converts the request to that of restore_job.c. False: refused. */
static bool legacy_restore_job_body(svc_call *c, svc_node *out)
{
  const svc_node *sent = c->body, *delivery = svc_node_get(sent, "delivery");
  svc_str method = svc_node_str(delivery, "methodName"), snapshot = svc_node_str(sent, "snapshotId");
  bool http = svc_str_is(method, "HTTP");
  int64_t second = legacy_restore_job_second(sent);
  if (!http && !svc_str_is(method, "AUTOMATED_RESTORE"))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("delivery.methodName"),
                "must be HTTP or AUTOMATED_RESTORE");
  if (!svc_check_done(c)) return false;
  if (!snapshot.n) snapshot = svc_node_str(sent, "checkpointId"); /* a checkpoint has the id of its snapshot */
  svc_node_set_str(c->arena, out, "deliveryType",
                   second ? SVC_S("pointInTime") : http ? SVC_S("download") : SVC_S("automated"));
  if (snapshot.n) svc_node_set_str(c->arena, out, "snapshotId", snapshot);
  if (second && !svc_node_get(sent, "oplogTs")) svc_node_set_i64(c->arena, out, "pointInTimeUTCSeconds", second);
  if (second && svc_node_get(sent, "oplogTs")) {
    svc_node_set_i64(c->arena, out, "oplogTs", second);
    svc_node_set_i64(c->arena, out, "oplogInc", svc_node_i64(sent, "oplogInc", 1));
  }
  if (svc_node_get(delivery, "targetClusterName"))
    svc_node_set_from(c->arena, out, "targetClusterName", delivery, "targetClusterName");
  if (svc_node_get(delivery, "targetGroupId"))
    svc_node_set_from(c->arena, out, "targetGroupId", delivery, "targetGroupId");
  return true;
}

static bool legacy_restore_job_create(svc_call *c)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, RESTORE_JOB_KIND);
  svc_change change;
  svc_entity job;
  if (!svc_resolve_all(c)) return false;
  memset(&change, 0, sizeof change);
  change.noun = noun;
  change.parent = svc_path_entity(c, "cluster")->id;
  change.input = c->body;
  change.body = svc_node_object(c->arena, NULL);
  if (!change.body) return svc_no_memory(c);
  change.event = noun->noun->event_created;
  return legacy_restore_job_body(c, change.body) && svc_insert(c, &change, &job) &&
         svc_list_items(c, legacy_restore_job_one, &job, 1);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_legacy_restore_job = {
  .name = "legacy restore job",
  .rel = "legacyRestoreJob",
  .parent = "cluster",
  .param = "jobId",
  .flags = SVC_VIRTUAL | SVC_BY_TABLE | SVC_OUTLIVES,
  .object = &legacy_restore_job_object,
  .err_not_found = SVC_E_RESTORE_JOB_NOT_FOUND,
  .routes = SVC_ROUTES(legacy_restore_job_routes),
  .needs = "restore job"
};

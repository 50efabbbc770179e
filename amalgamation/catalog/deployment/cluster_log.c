/*
** Downloads of the logs of cluster hosts, as gzip. Nothing is stored: the driver answers the question "logs"; the
** simulator writes lines that follow from the model (monitoring/simulated_log.c). A host is a node of one of the
** project's clusters.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_base.h"

#define CLUSTER_LOG_SECONDS 86400 /* default length of the range, in seconds */

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const cluster_log_names[] = { "db", "dbs", "db-audit-log", "dbs-audit-log", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field cluster_log_fields[] = { F_ENUM("logName", cluster_log_names, .flags = SVC_READ_ONLY) };
static const svc_object cluster_log_object = { .name = "ClusterLog", .fields = SVC_ROWS(cluster_log_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool cluster_log_ask(svc_call *c);

static const svc_param cluster_log_params[] = { SVC_LOG_PARAM("endDate"), SVC_LOG_PARAM("startDate"), { .name = NULL } };

static const svc_route cluster_log_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/clusters/{hostName}/logs/{logName}.gz", .set = SVC_SET_CLUSTER_LOGS,
    .versions = { 20230101, 20230201 }, .older = svc_older_20230101, .params = cluster_log_params,
    .roles = SVC_R_GROUP_CLUSTER_LOG_VIEWER | SVC_R_GROUP_DATA_ACCESS_ADMIN | SVC_R_GROUP_DATA_ACCESS_READ_ONLY |
             SVC_R_GROUP_DATA_ACCESS_READ_WRITE | SVC_R_GROUP_STREAM_PROCESSING_OWNER, .op = "downloadClusterLog", .run = cluster_log_ask, .on_reply = svc_log_on_reply,
    .ext = SVC_ROUTE_EXT(.media = "gzip", .file = "hostName", .in_path = "logName", .linked_from = "process", .linked_by = SVC_BY_HOST) }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static const svc_field cluster_log_asked_fields[] = {
  F_LONG("from", .flags = SVC_REQUIRED),
  F_STR("host", .flags = SVC_REQUIRED),
  F_ENUM("log", cluster_log_names, .flags = SVC_REQUIRED),
  F_LONG("until", .flags = SVC_REQUIRED)
};
static const svc_object cluster_log_asked = { .name = "AskedClusterLog", .fields = SVC_ROWS(cluster_log_asked_fields) };
static const svc_question_row cluster_log_question = {
  "logs", "cluster",
  "The lines of a log of `host` from `from` until `until`, in seconds. `log` is the name of the log.", &cluster_log_asked, NULL,
  SVC_REPLY_LINES
};

static bool cluster_log_ask(svc_call *c)
{
  svc_str host = svc_path_param(c, "hostName");
  int64_t from, until;
  svc_processes of;
  svc_process process;
  svc_buf b;
  if (!svc_log_range(c, CLUSTER_LOG_SECONDS, &from, &until) || !svc_process_find(c, host, &of, &process)) return false;
  b = svc_buf_new(c->arena, 256);
  svc_buf_text(&b, "{\"from\":");
  svc_buf_i64(&b, from);
  svc_buf_text(&b, ",\"host\":");
  svc_json_escape(&b, host);
  svc_buf_text(&b, ",\"log\":");
  svc_json_escape(&b, svc_path_param(c, "logName"));
  svc_buf_text(&b, ",\"until\":");
  svc_buf_i64(&b, until);
  svc_buf_char(&b, '}');
  if (b.failed) return svc_no_memory(c);
  return svc_question_about(c, &cluster_log_question, &of.cluster, of.cluster.unique, svc_buf_done(&b));
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_cluster_log = {
  .name = "cluster log",
  .parent = "cluster",
  .flags = SVC_VIRTUAL,
  .object = &cluster_log_object,
  .questions = SVC_ASKS(&cluster_log_question),
  .routes = SVC_ROUTES(cluster_log_routes)
};

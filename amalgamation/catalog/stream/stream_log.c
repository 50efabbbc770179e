/*
** Logs of a stream workspace, downloaded as gzip: actions on the workspace, and the work of its processors. Nothing is stored.
** A question goes to the driver ("logs"); the simulator returns lines that say they are simulated.
*/
#include "catalog/catalog.h"
#include "catalog/stream/stream_parts.h"

#define STREAM_LOG_SECONDS 86400 /* default range: one day */

static const svc_object stream_log_object = { .name = "StreamLog" };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool stream_log_audit(svc_call *c);
static bool stream_log_operational(svc_call *c);

static const svc_param stream_log_params[] = {
  SVC_LOG_PARAM("endDate"), { .name = "spName", .type = SVC_STRING }, SVC_LOG_PARAM("startDate"), { .name = NULL }
};

static const svc_route stream_log_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/streams/{tenantName}/auditLogs", .set = SVC_SET_STREAMS,
    .versions = { 20230201 }, .roles = STREAM_READERS, .params = stream_log_params, .op = "downloadAuditLogs", .run = stream_log_audit,
    .on_reply = svc_log_on_reply, .ext = SVC_ROUTE_EXT(.media = "gzip", .file = "tenantName") },
  { .method = SVC_GET, .path = "/groups/{groupId}/streams/{tenantName}:downloadOperationalLogs", .set = SVC_SET_STREAMS,
    .versions = { 20250312 }, .roles = STREAM_READERS, .params = stream_log_params,
    .op = "downloadOperationalLogs", .run = stream_log_operational, .on_reply = svc_log_on_reply,
    .ext = SVC_ROUTE_EXT(.media = "gzip", .file = "tenantName") }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* Reads the processor in the query, which must exist. */
static bool stream_log_processor(svc_call *c, const svc_entity *workspace, svc_str *name)
{
  const svc_query_value *given = svc_query_get(c, "spName");
  svc_entity e;
  int rc;
  *name = given ? given->text : SVC_S("");
  if (!given) return true;
  rc = svc_entity_named(c->txn, STREAM_PROCESSOR_KIND, NULL, &workspace->id, *name, &e);
  if (rc == SVC_NOT_FOUND) return svc_fail(c, SVC_E_STREAM_PROCESSOR_NOT_FOUND, "SS", name, &workspace->unique);
  return svc_status_good(c, rc);
}

static const char *const stream_log_names[] = { "audit", "operational", NULL };
static const svc_field stream_log_asked_fields[] = {
  F_LONG("from", .flags = SVC_REQUIRED),
  F_ENUM("log", stream_log_names, .flags = SVC_REQUIRED),
  F_STR("processor", .flags = SVC_REQUIRED),
  F_LONG("until", .flags = SVC_REQUIRED)
};
static const svc_object stream_log_asked = { .name = "AskedStreamLog", .fields = SVC_ROWS(stream_log_asked_fields) };
static const svc_question_row stream_log_question = {
  "logs", STREAM_WORKSPACE, "The log lines of the workspace from `from` until `until`, in seconds, of one `processor`; empty: of all.",
  &stream_log_asked, NULL, SVC_REPLY_LINES
};

static bool stream_log_ask(svc_call *c, const char *log)
{
  const svc_entity *workspace;
  int64_t from, until;
  svc_str name;
  svc_buf b;
  if (!svc_resolve_all(c) || !svc_log_range(c, STREAM_LOG_SECONDS, &from, &until)) return false;
  workspace = svc_path_entity(c, STREAM_WORKSPACE);
  if (!stream_log_processor(c, workspace, &name)) return false;
  b = svc_buf_new(c->arena, 256);
  svc_buf_text(&b, "{\"from\":");
  svc_buf_i64(&b, from);
  svc_buf_text(&b, ",\"log\":\"");
  svc_buf_text(&b, log);
  svc_buf_text(&b, "\",\"processor\":");
  svc_json_escape(&b, name);
  svc_buf_text(&b, ",\"until\":");
  svc_buf_i64(&b, until);
  svc_buf_char(&b, '}');
  return svc_question_about(c, &stream_log_question, workspace, workspace->unique, svc_buf_done(&b));
}

static bool stream_log_audit(svc_call *c)
{
  return stream_log_ask(c, "audit");
}

static bool stream_log_operational(svc_call *c)
{
  return stream_log_ask(c, "operational");
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_stream_log = {
  .name = "stream log",
  .rel = "streamLog",
  .parent = STREAM_WORKSPACE,
  .flags = SVC_VIRTUAL,
  .object = &stream_log_object,
  .questions = SVC_ASKS(&stream_log_question),
  .routes = SVC_ROUTES(stream_log_routes),
};

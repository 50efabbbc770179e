/*
** Push-based log export of a project, to one bucket at AWS, with a role that the customer has authorized. The service
** tests the bucket before it writes to it. Without a configuration, the export is shown as UNCONFIGURED.
*/
#include "catalog/security/cloud_role.h"

static const char *const log_export_states[] = {
  "UNCONFIGURED", "INITIATING", "BUCKET_VERIFIED", "BUCKET_VERIFICATION_FAILED", "ASSUME_ROLE_FAILED", "ACTIVE", NULL
};

#define LOG_EXPORT_ASKED(flags_) \
  F_STR("bucketName", .flags = flags_, .min = 3, .max = 63, .pattern = "^[a-z0-9][a-z0-9.-]*$")
#define LOG_EXPORT_ROLE(flags_) F_HEX24("iamRoleId", .flags = flags_)
#define LOG_EXPORT_PATH(flags_) F_STR("prefixPath", .flags = flags_, .max = 255)

static const svc_field log_export_fields[] = {
  LOG_EXPORT_ASKED(0), F_DATE("createDate", .flags = SVC_READ_ONLY), LOG_EXPORT_ROLE(0), LOG_EXPORT_PATH(0),
  F_ENUM("state", log_export_states, .flags = SVC_READ_ONLY, .preset = "\"UNCONFIGURED\"")
};
static const svc_object log_export_object = { .name = "PushBasedLogExportProject", .fields = SVC_ROWS(log_export_fields) };

static const svc_field log_export_asked_fields[] = {
  LOG_EXPORT_ASKED(SVC_REQUIRED), LOG_EXPORT_ROLE(SVC_REQUIRED), LOG_EXPORT_PATH(SVC_REQUIRED)
};
static const svc_object log_export_asked = { .name = "CreatePushBasedLogExportProjectRequest", .fields = SVC_ROWS(log_export_asked_fields) };

/* The driver reports the kind of failure by the state that it names. */
static const svc_transition log_export_transitions[] = {
  { "INITIATING", "BUCKET_VERIFIED", 10, NULL, "logexport.verify" },
  { "BUCKET_VERIFIED", "ACTIVE", 10, "PUSH_BASED_LOG_EXPORT_RESUMED", "logexport.start" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle log_export_lifecycle = {
  .field = "state", .created = "INITIATING", .updated = "INITIATING", .failed = "BUCKET_VERIFICATION_FAILED",
  .event_failed = "PUSH_BASED_LOG_EXPORT_STOPPED", .transitions = log_export_transitions
};

static bool log_export_create(svc_call *c);

#define LOG_EXPORT "/groups/{groupId}/pushBasedLogExport", SVC_SET_LOG_EXPORT, (20230101), SVC_R_GROUP_OWNER, SVC_R_GROUP_OWNER

static const svc_route log_export_routes[] = {
  R_GET(LOG_EXPORT, "", .op = "getLogExport", .run = svc_verb_read),
  R_POST(LOG_EXPORT, "", .status = 202, .body = &log_export_asked, .op = "createLogExport", .run = log_export_create,
         .example = "{\"bucketName\":\"acme-logs\",\"iamRoleId\":\"5f0000000000000000000000\",\"prefixPath\":\"logs\"}"),
  R_PATCH(LOG_EXPORT, "", .op = "updateLogExport", .run = svc_verb_update),
  R_DELETE(LOG_EXPORT, "", .status = 200, .flags = SVC_EMPTY_OBJECT, .op = "deleteLogExport", .run = svc_verb_delete)
};

static const svc_ref log_export_refs[] = { SVC_CLOUD_ROLE("iamRoleId"), { NULL, NULL, 0, 0 } };

static bool log_export_create(svc_call *c)
{
  svc_change change;
  svc_str group;
  if (!svc_change_begin(c, &change)) return false;
  group = svc_id_str(c->arena, &c->scope.group);
  if (change.stored) return svc_fail(c, SVC_E_LOG_EXPORT_ALREADY_CONFIGURED, "S", &group);
  change.body = svc_check(c, &log_export_object, c->checked, change.before, SVC_CHECK_UPDATE);
  change.event = c->plan->noun->noun->event_created;
  return svc_check_done(c) && svc_change_store(c, &change);
}

/* A PATCH requires an existing configuration. */
static bool log_export_prepare(svc_call *c, svc_change *change)
{
  svc_str group = svc_id_str(c->arena, &c->scope.group);
  if (!change->stored && c->request.method == SVC_PATCH) return svc_fail(c, SVC_E_LOG_EXPORT_NOT_CONFIGURED, "S", &group);
  if (!change->stored) {
    svc_node_set_date(c->arena, change->body, "createDate", c->now);
  }
  return svc_cloud_role(c, svc_node_str(change->body, "iamRoleId"), SVC_S("AWS"));
}

static const svc_order_row log_export_orders[] = {
  { "logexport.verify", "Check whether the bucket is writable.", NULL, NULL, 0 },
  { "logexport.start", "Write logs into the bucket.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_log_export = {
  .name = "log export",
  .rel = "pushBasedLogExport",
  .kind = "lgex",
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &log_export_object,
  .lifecycle = &log_export_lifecycle,
  .refs = log_export_refs,
  .event_created = "PUSH_BASED_LOG_EXPORT_ENABLED",
  .event_updated = "PUSH_BASED_LOG_EXPORT_CONFIGURATION_UPDATED",
  .event_deleted = "PUSH_BASED_LOG_EXPORT_DISABLED",
  .orders = log_export_orders,
  .routes = SVC_ROUTES(log_export_routes),
  .prepare = log_export_prepare,
};

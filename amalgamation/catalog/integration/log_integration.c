/*
** Log integrations: the destinations of the logs of a project's clusters: a bucket at a cloud provider, or a logging
** service. Each kind has its own fields. The service writes to a bucket with a role that the customer has authorized
** (security/cloud_role.h). Keys, tokens and the values of headers are sealed.
*/
#include "catalog/security/cloud_role.h"

#define LOG_INTEGRATION_MOST 50

static const char *const log_integration_logs[] = { "DBD", "DBS", "DBD_AUDIT", "DBS_AUDIT", NULL };
static const char *const log_integration_types[] = { "AZURE_LOG_EXPORT", "DATADOG_LOG_EXPORT", "GCS_LOG_EXPORT", "OTEL_LOG_EXPORT",
                                                     "S3_LOG_EXPORT", "SPLUNK_LOG_EXPORT", NULL };
static const char *const log_integration_regions[] = { "US1", "US3", "US5", "EU", "AP1", "AP2", "US1_FED", NULL };

#define LOG_INTEGRATION_LOGS() \
  F_STRS("logTypes", .values = log_integration_logs, .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS | SVC_NOT_EMPTY, .max_items = 10)
#define LOG_INTEGRATION_TYPE() F_ENUM("type", log_integration_types, .flags = SVC_REQUIRED | SVC_FIXED)
#define LOG_INTEGRATION_TEXT(name) F_STR(name, .flags = SVC_REQUIRED, .min = 1, .max = 255)
#define LOG_INTEGRATION_PATH() F_STR("prefixPath", .max = 255)
#define LOG_INTEGRATION_URL(name) F_STR(name, .flags = SVC_REQUIRED, .format = SVC_FORMAT_URI, .max = 1024)
#define LOG_INTEGRATION_SECRET(name, ...) F_STR(name, .min = 1, .max = 1024, .flags = SVC_REQUIRED | SVC_SEALED | __VA_ARGS__)

static const svc_field log_integration_azure_fields[] = {
  F_ID(), LOG_INTEGRATION_LOGS(), LOG_INTEGRATION_PATH(), F_HEX24("roleId", .flags = SVC_REQUIRED),
  LOG_INTEGRATION_TEXT("storageAccountName"), LOG_INTEGRATION_TEXT("storageContainerName"), LOG_INTEGRATION_TYPE()
};
static const svc_object log_integration_azure = { .name = "AzureLogIntegration", .fields = SVC_ROWS(log_integration_azure_fields) };

static const svc_field log_integration_datadog_fields[] = {
  LOG_INTEGRATION_SECRET("apiKey", 0), F_ID(), LOG_INTEGRATION_LOGS(),
  F_ENUM("region", log_integration_regions, .flags = SVC_REQUIRED), LOG_INTEGRATION_TYPE()
};
static const svc_object log_integration_datadog = { .name = "DatadogLogIntegration", .fields = SVC_ROWS(log_integration_datadog_fields) };

static const svc_field log_integration_gcs_fields[] = {
  LOG_INTEGRATION_TEXT("bucketName"), F_ID(), LOG_INTEGRATION_LOGS(), LOG_INTEGRATION_PATH(),
  F_HEX24("roleId", .flags = SVC_REQUIRED), LOG_INTEGRATION_TYPE()
};
static const svc_object log_integration_gcs = { .name = "GcsLogIntegration", .fields = SVC_ROWS(log_integration_gcs_fields) };

static const svc_field log_integration_header_fields[] = {
  LOG_INTEGRATION_TEXT("name"), LOG_INTEGRATION_SECRET("value", SVC_WRITE_ONLY)
};
static const svc_object log_integration_header = { .name = "Header", .fields = SVC_ROWS(log_integration_header_fields) };

static const svc_field log_integration_otel_fields[] = {
  F_ID(), LOG_INTEGRATION_LOGS(), LOG_INTEGRATION_URL("otelEndpoint"),
  F_LIST("otelSuppliedHeaders", &log_integration_header, .flags = SVC_NOT_EMPTY, .max_items = 10), LOG_INTEGRATION_TYPE()
};
static const char *const log_integration_otel_at[] = { "otelEndpoint", NULL };
static const svc_object log_integration_otel = { .name = "OtelLogIntegration", .fields = SVC_ROWS(log_integration_otel_fields),
                                                 .ext = SVC_OBJECT_EXT(.secrets_go_to = log_integration_otel_at) };

static const svc_field log_integration_s3_fields[] = {
  LOG_INTEGRATION_TEXT("bucketName"), F_HEX24("iamRoleId", .flags = SVC_REQUIRED), F_ID(),
  F_STR("kmsKey", .flags = SVC_NULLABLE, .max = 2048), LOG_INTEGRATION_LOGS(), LOG_INTEGRATION_PATH(), LOG_INTEGRATION_TYPE(),
  F_BOOL("useLegacyPathStructure", .flags = SVC_NULLABLE)
};
static const svc_object log_integration_s3 = { .name = "S3LogIntegration", .fields = SVC_ROWS(log_integration_s3_fields) };

static const svc_field log_integration_splunk_fields[] = {
  LOG_INTEGRATION_SECRET("hecToken", 0), LOG_INTEGRATION_URL("hecUrl"), F_ID(), LOG_INTEGRATION_LOGS(), LOG_INTEGRATION_TYPE()
};
static const char *const log_integration_splunk_at[] = { "hecUrl", NULL };
static const svc_object log_integration_splunk = { .name = "SplunkLogIntegration", .fields = SVC_ROWS(log_integration_splunk_fields),
                                                   .ext = SVC_OBJECT_EXT(.secrets_go_to = log_integration_splunk_at) };

static const svc_variant log_integration_variants[] = {
  { "AZURE_LOG_EXPORT", &log_integration_azure }, { "DATADOG_LOG_EXPORT", &log_integration_datadog },
  { "GCS_LOG_EXPORT", &log_integration_gcs },     { "OTEL_LOG_EXPORT", &log_integration_otel },
  { "S3_LOG_EXPORT", &log_integration_s3 },       { "SPLUNK_LOG_EXPORT", &log_integration_splunk },
  { NULL, NULL }
};
static const svc_object log_integration_object = {
  .name = "LogIntegration", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("type", NULL, log_integration_variants))
};

#define LOG_INTEGRATION "/groups/{groupId}/logIntegrations", SVC_SET_LOG_EXPORT, (20250312), SVC_R_GROUP_OWNER, SVC_R_GROUP_OWNER

static const svc_param log_integration_params[] = {
  { .name = "integrationType", .type = SVC_STRING, .values = log_integration_types }, { .name = NULL }
};
static const svc_filter log_integration_filters[] = { { "integrationType", SVC_EQUALS, "type" }, { NULL, 0, NULL } };

static const svc_route log_integration_routes[] = {
  R_GET(LOG_INTEGRATION, "", .flags = SVC_PAGED, .params = log_integration_params, .op = "listGroupLogIntegrations", .run = svc_verb_list,
        .ext = SVC_ROUTE_EXT(.filters = log_integration_filters)),
  R_POST(LOG_INTEGRATION, "", .status = 201, .op = "createGroupLogIntegration", .run = svc_verb_create,
         .example = "{\"type\":\"S3_LOG_EXPORT\",\"bucketName\":\"acme-logs\",\"iamRoleId\":\"5f0000000000000000000000\","
                    "\"logTypes\":[\"DBD\"],\"prefixPath\":\"logs\"}"),
  R_GET(LOG_INTEGRATION, "/{id}", .op = "getGroupLogIntegration", .run = svc_verb_read),
  R_PUT(LOG_INTEGRATION, "/{id}", .op = "updateGroupLogIntegration", .run = svc_verb_replace),
  R_DELETE(LOG_INTEGRATION, "/{id}", .status = 204, .op = "deleteGroupLogIntegration", .run = svc_verb_delete)
};

static const svc_ref log_integration_refs[] = { SVC_CLOUD_ROLE("iamRoleId"), SVC_CLOUD_ROLE("roleId"), { NULL, NULL, 0, 0 } };

/* The role must belong to the cloud of the bucket. */
static bool log_integration_prepare(svc_call *c, svc_change *change)
{
  svc_str type = svc_node_str(change->body, "type");
  if (svc_str_is(type, "S3_LOG_EXPORT")) return svc_cloud_role(c, svc_node_str(change->body, "iamRoleId"), SVC_S("AWS"));
  return svc_cloud_role(c, svc_node_str(change->body, "roleId"), svc_str_is(type, "AZURE_LOG_EXPORT") ? SVC_S("AZURE") : SVC_S("GCP"));
}

static const svc_order_row log_integration_orders[] = {
  { "logs.put", "Send logs to the destination.", NULL, NULL, 0 },
  { "logs.delete", "Stop sending logs to the destination.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_log_integration = {
  .name = "log integration",
  .rel = "logIntegration",
  .kind = "logi",
  .parent = "project",
  .param = "id",
  .object = &log_integration_object,
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .refs = log_integration_refs,
  .most = LOG_INTEGRATION_MOST,
  .err_quota = SVC_E_TOO_MANY_RESOURCES,
  .event_created = "PUSH_BASED_LOG_EXPORT_ENABLED",
  .event_updated = "PUSH_BASED_LOG_EXPORT_CONFIGURATION_UPDATED",
  .event_deleted = "PUSH_BASED_LOG_EXPORT_DISABLED",
  .event_field = "resourceId",
  .order_put = "logs.put",
  .order_gone = "logs.delete",
  .orders = log_integration_orders,
  .routes = SVC_ROUTES(log_integration_routes),
  .prepare = log_integration_prepare,
};

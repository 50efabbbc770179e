/*
** Exports of logs: integrations of every kind, and the push-based export with its states.
**
** Tests also: log_export
*/
#include "catalog/backup_world.h"
#include "driver.h"
#include "needs.h"

T_NEEDS(log_integration) = {
  /* the export always exists, but is not configured */
  T_FIRST(SVC_PATCH, "/groups/{groupId}/pushBasedLogExport", SVC_POST, "/groups/{groupId}/pushBasedLogExport", NULL),
  T_REFERENCE("log export", "iamRoleId", SVC_POST, "/groups/{groupId}/pushBasedLogExport", NULL, 0, NULL),
  T_REFERENCE("log integration", "iamRoleId", SVC_POST, "/groups/{groupId}/logIntegrations", NULL, 0, NULL),
  T_REFERENCE("log integration", "roleId", SVC_POST, "/groups/{groupId}/logIntegrations",
              "{\"type\":\"GCS_LOG_EXPORT\",\"bucketName\":\"acme\",\"roleId\":\"%V\",\"logTypes\":[\"DBS\"]}", T_ROLE_GCP, NULL),
  T_NEEDS_END
};

#define LOGS "/groups/%G/logIntegrations"
#define EXPORT "/groups/%G/pushBasedLogExport"
#define S3 "{\"type\":\"S3_LOG_EXPORT\",\"bucketName\":\"acme\",\"iamRoleId\":\"%R\",\"logTypes\":[\"DBD\",\"DBD_AUDIT\"]}"
#define BUCKET "{\"bucketName\":\"acme-logs\",\"iamRoleId\":\"%R\",\"prefixPath\":\"p\"}"

/* Each kind of integration, the provider of its role, its secret, and one required field. */
static const struct {
  const char *body, *provider, *secret, *needed, *without;
} kinds[] = {
  { S3, "AWS", NULL, "iamRoleId", "{\"type\":\"S3_LOG_EXPORT\",\"bucketName\":\"acme\",\"logTypes\":[\"DBD\"]}" },
  { "{\"type\":\"GCS_LOG_EXPORT\",\"bucketName\":\"acme\",\"roleId\":\"%R\",\"logTypes\":[\"DBS\"]}", "GCP", NULL, "bucketName",
    "{\"type\":\"GCS_LOG_EXPORT\",\"roleId\":\"%R\",\"logTypes\":[\"DBS\"]}" },
  { "{\"type\":\"AZURE_LOG_EXPORT\",\"storageAccountName\":\"a\",\"storageContainerName\":\"c\",\"roleId\":\"%R\",\"logTypes\":[\"DBS\"]}", "AZURE",
    NULL, "storageContainerName", "{\"type\":\"AZURE_LOG_EXPORT\",\"storageAccountName\":\"a\",\"roleId\":\"%R\",\"logTypes\":[\"DBS\"]}" },
  { "{\"type\":\"DATADOG_LOG_EXPORT\",\"apiKey\":\"datadog-key-of-some-length\",\"region\":\"EU\",\"logTypes\":[\"DBD\"]}", NULL, "apiKey", "region",
    "{\"type\":\"DATADOG_LOG_EXPORT\",\"apiKey\":\"datadog-key-of-some-length\",\"logTypes\":[\"DBD\"]}" },
  { "{\"type\":\"SPLUNK_LOG_EXPORT\",\"hecToken\":\"splunk-token-of-some-length\",\"hecUrl\":\"https://splunk.example.com\",\"logTypes\":[\"DBD\"]}", NULL,
    "hecToken", "hecUrl", "{\"type\":\"SPLUNK_LOG_EXPORT\",\"hecToken\":\"splunk-token-of-some-length\",\"logTypes\":[\"DBD\"]}" },
  { "{\"type\":\"OTEL_LOG_EXPORT\",\"otelEndpoint\":\"https://otel.example.com\",\"otelSuppliedHeaders\":[{\"name\":\"A\",\"value\":\"otel-value-of-some-length\"}],"
    "\"logTypes\":[\"DBD\"]}", NULL, NULL, "otelSuppliedHeaders[0].value",
    "{\"type\":\"OTEL_LOG_EXPORT\",\"otelEndpoint\":\"https://otel.example.com\",\"otelSuppliedHeaders\":[{\"name\":\"A\"}],\"logTypes\":[\"DBD\"]}" },
};

TEST(log_integration, kinds)
{
  b_world w;
  size_t i;
  b_open(&w, NULL);
  for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (kinds[i].provider) {
      b_role(&w, strcmp(kinds[i].provider, "AWS") == 0 ? "AZURE" : "AWS"); /* a role at another provider */
      b_bad(&w, "POST", LOGS, kinds[i].body, 400, "CANNOT_ASSUME_ROLE");
      b_role(&w, kinds[i].provider);
    }
    b_bad_field(&w, "POST", LOGS, kinds[i].without, kinds[i].needed);
    b_good(&w, "POST", LOGS, kinds[i].body, 201);
    munit_assert_null(strstr(w.t.response.body, "of-some-length"));
    if (kinds[i].secret) b_is(&w, kinds[i].secret, "****ngth");
    munit_assert_null(t_node(&w.t, "otelSuppliedHeaders[0].value"));
  }
  b_good(&w, "GET", LOGS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, (int64_t)i);
  b_good(&w, "GET", LOGS "?integrationType=SPLUNK_LOG_EXPORT", NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  b_bad(&w, "GET", LOGS "?integrationType=NONE", NULL, 400, "INVALID_QUERY_PARAMETER");
  b_bad_field(&w, "POST", LOGS, "{\"type\":\"SPLUNK_LOG_EXPORT\",\"hecToken\":\"t\",\"hecUrl\":\"no url\",\"logTypes\":[\"DBD\"]}", "hecUrl");
  b_bad_field(&w, "POST", LOGS, "{\"type\":\"SPLUNK_LOG_EXPORT\",\"hecToken\":\"t\",\"hecUrl\":\"https://a.example\",\"logTypes\":[]}", "logTypes");
  b_bad_field(&w, "POST", LOGS, "{\"type\":\"SPLUNK_LOG_EXPORT\",\"hecToken\":\"t\",\"hecUrl\":\"https://a.example\",\"logTypes\":[\"DBD\",\"DBD\"]}",
              "logTypes[1]");
  b_close(&w);
}

TEST(log_integration, replace)
{
  b_world w;
  b_open(&w, NULL);
  b_role(&w, "AWS");
  b_good(&w, "POST", LOGS, S3, 201);
  w.other = t_keep(&w.t, t_str(&w.t, "id"));
  b_good(&w, "GET", "/groups/%G/cloudProviderAccess/%R", NULL, 200);
  munit_assert_string_equal(t_str(&w.t, "featureUsages[0].featureType"), "SVC_LOG_INTEGRATION");
  b_bad(&w, "DELETE", "/groups/%G/cloudProviderAccess/AWS/%R", NULL, 409, "CLOUD_PROVIDER_ACCESS_ROLE_IN_USE");
  b_good(&w, "PUT", LOGS "/%J", "{\"type\":\"S3_LOG_EXPORT\",\"bucketName\":\"other\",\"iamRoleId\":\"%R\",\"logTypes\":[\"DBS\"]}", 200);
  b_is(&w, "bucketName", "other");
  b_good(&w, "GET", LOGS "/%J", NULL, 200);
  b_is(&w, "bucketName", "other");
  b_bad_field(&w, "PUT", LOGS "/%J", "{\"type\":\"GCS_LOG_EXPORT\",\"bucketName\":\"other\",\"roleId\":\"%R\",\"logTypes\":[\"DBS\"]}", "type");
  b_good(&w, "DELETE", LOGS "/%J", NULL, 204);
  b_good(&w, "DELETE", "/groups/%G/cloudProviderAccess/AWS/%R", NULL, 204);
  b_bad(&w, "GET", LOGS "/%J", NULL, 404, "RESOURCE_NOT_FOUND");
  b_close(&w);
}

TEST(log_integration, export)
{
  b_world w;
  b_open(&w, NULL);
  b_good(&w, "GET", EXPORT, NULL, 200);
  b_is(&w, "state", "UNCONFIGURED");
  b_bad(&w, "PATCH", EXPORT, "{\"prefixPath\":\"q\"}", 404, "LOG_EXPORT_NOT_CONFIGURED");
  w.role = "0123456789abcdef01234567";
  b_bad(&w, "POST", EXPORT, BUCKET, 400, "CANNOT_ASSUME_ROLE");
  b_role(&w, "AZURE");
  b_bad(&w, "POST", EXPORT, BUCKET, 400, "CANNOT_ASSUME_ROLE");
  b_role(&w, "AWS");
  b_bad_field(&w, "POST", EXPORT, "{\"bucketName\":\"acme-logs\",\"iamRoleId\":\"%R\"}", "prefixPath");
  b_bad_field(&w, "POST", EXPORT, "{\"bucketName\":\"Upper\",\"iamRoleId\":\"%R\",\"prefixPath\":\"p\"}", "bucketName");
  b_good(&w, "POST", EXPORT, BUCKET, 202);
  b_is(&w, "state", "INITIATING");
  b_bad(&w, "POST", EXPORT, BUCKET, 409, "LOG_EXPORT_ALREADY_CONFIGURED");
  munit_assert_string_equal(t_param(&w.t, 0), w.group);
  t_advance(&w.t, 1);
  b_good(&w, "GET", EXPORT, NULL, 200);
  b_is(&w, "state", "BUCKET_VERIFIED");
  t_advance(&w.t, 1);
  b_good(&w, "GET", EXPORT, NULL, 200);
  b_is(&w, "state", "ACTIVE");
  b_bad(&w, "DELETE", "/groups/%G/cloudProviderAccess/AWS/%R", NULL, 409, "CLOUD_PROVIDER_ACCESS_ROLE_IN_USE");
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "log export"));
  b_good(&w, "PATCH", EXPORT, "{\"prefixPath\":\"q\"}", 200); /* a change starts a new verification */
  b_is(&w, "state", "INITIATING");
  b_good(&w, "DELETE", EXPORT, NULL, 200);
  munit_assert_string_equal(w.t.response.body, "{}");
  b_good(&w, "GET", EXPORT, NULL, 200);
  b_is(&w, "state", "UNCONFIGURED");
  munit_assert_null(t_node(&w.t, "bucketName"));
  t_advance(&w.t, 100);
  b_good(&w, "GET", EXPORT, NULL, 200);
  b_is(&w, "state", "UNCONFIGURED");
  b_good(&w, "POST", EXPORT, BUCKET, 202);
  b_good(&w, "DELETE", EXPORT, NULL, 200);
  b_good(&w, "DELETE", "/groups/%G/cloudProviderAccess/AWS/%R", NULL, 204);
  b_close(&w);
}

/* ----------------------------------------------------------------------------------------------------------- the driver */

/* The driver reports a failed verification. The facts may name the state of the failure. */
TEST(log_integration, refused)
{
  static const struct {
    const char *facts, *state;
  } rows[] = {
    { "{\"reason\":\"no bucket\"}", "BUCKET_VERIFICATION_FAILED" },
    { "{\"reason\":\"no role\",\"state\":\"ASSUME_ROLE_FAILED\"}", "ASSUME_ROLE_FAILED" },
    { "{\"state\":\"NONSENSE\"}", "BUCKET_VERIFICATION_FAILED" },
  };
  t_driver d;
  svc_config config = { .limiter_off = 1, .driver = t_driver_init(&d) };
  b_world w;
  size_t i;
  b_open(&w, &config);
  b_role(&w, "AWS");
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    b_good(&w, "POST", EXPORT, BUCKET, 202);
    t_driver_finish(&d, w.t.s, "logexport.verify", SVC_IO, rows[i].facts);
    b_good(&w, "GET", EXPORT, NULL, 200);
    b_is(&w, "state", rows[i].state);
    b_good(&w, "DELETE", EXPORT, NULL, 200);
  }
  b_close(&w);
}

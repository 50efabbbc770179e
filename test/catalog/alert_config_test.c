/*
** Alert configurations: what may be said for which type of event, whom they tell, and that nothing of their secrets is shown.
*/
#include "support.h"

static const svc_config quiet = { .limiter_off = 1 };

typedef struct config_world {
  t_service t;
  const char *org, *group;
} config_world;

static void config_open(config_world *w)
{
  t_open(&w->t, &quiet);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "alpha");
}

static int config_send(config_world *w, const char *method, const char *id, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/alertConfigs%s%s", w->group, id[0] ? "/" : "", id);
}

static int config_post(config_world *w, const char *type, const char *more, const char *notification)
{
  char body[4096];
  snprintf(body, sizeof body, "{\"eventTypeName\":\"%s\",\"enabled\":true%s%s,\"notifications\":[%s]}", type, more[0] ? "," : "", more,
           notification);
  return config_send(w, "POST", "", body);
}

#define MAIL "{\"typeName\":\"EMAIL\",\"emailAddress\":\"a@example.com\"}"
#define MATCH(field, how, value) "\"matchers\":[{\"fieldName\":\"" field "\",\"operator\":\"" how "\",\"value\":\"" value "\"}]"
#define OVER(name, units) \
  "\"metricThreshold\":{\"metricName\":\"" name "\",\"operator\":\"GREATER_THAN\",\"threshold\":5,\"units\":\"" units "\"}"
#define MORE(how, units) "\"threshold\":{\"operator\":\"" how "\",\"threshold\":5,\"units\":\"" units "\"}"

/* What is refused, by which code, and for which attribute; "" : it is taken. */
static const struct {
  const char *type, *more, *error, *param;
} rules[] = {
  { "HOST_DOWN", "", "", "" },
  { "NO_SUCH_TYPE", "", "INVALID_EVENT_TYPE_FOR_ALERT", "NO_SUCH_TYPE" },
  { "GROUP_CREATED", "", "INVALID_EVENT_TYPE_FOR_ALERT", "GROUP_CREATED" }, /* an event, but not one to be alerted on */
  { "HOST_DOWN", MORE("GREATER_THAN", "RAW"), "THRESHOLD_PRESENT", "HOST_DOWN" },
  { "HOST_DOWN", OVER("CONNECTIONS", "RAW"), "THRESHOLD_PRESENT", "HOST_DOWN" },
  { "OUTSIDE_METRIC_THRESHOLD", "", "MISSING_THRESHOLD", "OUTSIDE_METRIC_THRESHOLD" },
  { "OUTSIDE_METRIC_THRESHOLD", MORE("GREATER_THAN", "RAW"), "THRESHOLD_PRESENT", "OUTSIDE_METRIC_THRESHOLD" },
  { "OUTSIDE_METRIC_THRESHOLD", OVER("CONNECTIONS", "RAW"), "", "" },
  { "OUTSIDE_METRIC_THRESHOLD", OVER("CONNECTIONS", "BYTES"), "INVALID_ENUM_VALUE", "metricThreshold.units" },
  { "OUTSIDE_METRIC_THRESHOLD", OVER("CACHE_USAGE_USED", "GIGABYTES"), "", "" },
  { "OUTSIDE_METRIC_THRESHOLD", OVER("OPLOG_MASTER_TIME", "SECONDS"), "", "" },
  { "OUTSIDE_METRIC_THRESHOLD", OVER("SEARCH_MAX_NUMBER_OF_LUCENE_DOCS", "BILLION"), "", "" },
  { "OUTSIDE_METRIC_THRESHOLD", OVER("CONNECTION", "RAW"), "INVALID_ENUM_VALUE", "metricThreshold.metricName" },
  { "OUTSIDE_METRIC_THRESHOLD", OVER("FLEX_CONNECTIONS", "RAW"), "INVALID_ENUM_VALUE", "metricThreshold.metricName" },
  { "OUTSIDE_FLEX_METRIC_THRESHOLD", OVER("FLEX_CONNECTIONS", "RAW"), "", "" },
  { "OUTSIDE_SERVERLESS_METRIC_THRESHOLD", OVER("SERVERLESS_TOTAL_READ_UNITS", "MILLION_RPU"), "", "" },
  { "OUTSIDE_REALM_METRIC_THRESHOLD", OVER("REALM_GQL_COMPUTE_MS", "MILLISECONDS"), "", "" },
  { "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", OVER("STREAM_PROCESSOR_KAFKA_LAG", "RAW"), "", "" },
  { "PENDING_INVOICE_OVER_THRESHOLD", MORE("GREATER_THAN", "RAW"), "", "" },
  { "PENDING_INVOICE_OVER_THRESHOLD", "", "MISSING_THRESHOLD", "PENDING_INVOICE_OVER_THRESHOLD" },
  { "PENDING_INVOICE_OVER_THRESHOLD", MORE("LESS_THAN", "RAW"), "INVALID_ENUM_VALUE", "threshold.operator" },
  { "CPS_OPLOG_BEHIND", MORE("GREATER_THAN", "HOURS"), "", "" },
  { "CPS_OPLOG_BEHIND", MORE("GREATER_THAN", "BYTES"), "INVALID_ENUM_VALUE", "threshold.units" },
  { "AWS_ENCRYPTION_KEY_NEEDS_ROTATION", MORE("GREATER_THAN", "DAYS"), "", "" },
  { "AWS_ENCRYPTION_KEY_INVALID", "", "", "" },
  { "SVC_X509_USER_AUTHENTICATION_CUSTOMER_CA_EXPIRATION_CHECK", MORE("LESS_THAN", "DAYS"), "", "" },
  { "SVC_X509_USER_AUTHENTICATION_CUSTOMER_CA_EXPIRATION_CHECK", MORE("GREATER_THAN", "DAYS"), "INVALID_ENUM_VALUE", "threshold.operator" },
  { "TOO_MANY_ELECTIONS", MORE(">", "count"), "", "" },
  { "TOO_MANY_ELECTIONS", "", "MISSING_THRESHOLD", "TOO_MANY_ELECTIONS" },
  { "TOO_MANY_ELECTIONS", MORE(">", "RPU"), "", "" },
  { "TOO_MANY_ELECTIONS", MORE(">", "HOURS"), "INVALID_ENUM_VALUE", "threshold.units" },
  { "TOO_MANY_ELECTIONS", MORE(">", "BYTES"), "INVALID_ENUM_VALUE", "threshold.units" },
  { "TOO_MANY_ELECTIONS", "\"threshold\":{\"operator\":\">\",\"threshold\":5,\"metricName\":\"CONNECTIONS\"}", "INVALID_ATTRIBUTE",
    "threshold.metricName" },
  { "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD",
    "\"threshold\":{\"metricName\":\"STREAM_PROCESSOR_KAFKA_LAG\",\"mode\":\"AVERAGE\",\"operator\":\"GREATER_THAN\",\"threshold\":5}", "", "" },
  { "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", "\"threshold\":{\"metricName\":\"CONNECTIONS\",\"operator\":\"GREATER_THAN\",\"threshold\":5}",
    "INVALID_ENUM_VALUE", "threshold.metricName" },
  { "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", OVER("STREAM_PROCESSOR_KAFKA_LAG", "RAW") "," MORE("GREATER_THAN", "RAW"), "THRESHOLD_PRESENT",
    "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD" },
  { "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", "", "MISSING_THRESHOLD", "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD" },
  { "NO_PRIMARY", "", "", "" },
  { "NO_PRIMARY", MORE(">", "count"), "", "" }, /* it may be left out, or be there */
  { "NO_PRIMARY", MORE(">", "BYTES"), "INVALID_ENUM_VALUE", "threshold.units" },
  { "HOST_DOWN", MATCH("HOSTNAME", "EQUALS", "a"), "", "" },
  { "HOST_DOWN", MATCH("CLUSTER_NAME", "EQUALS", "a"), "INVALID_ENUM_VALUE", "matchers[0].fieldName" },
  { "HOST_DOWN", MATCH("TYPE_NAME", "EQUALS", "FIRST"), "INVALID_ENUM_VALUE", "matchers[0].value" },
  { "NO_PRIMARY", MATCH("SHARD_NAME", "REGEX", "^a.+b$"), "", "" },
  { "NO_PRIMARY", MATCH("SHARD_NAME", "REGEX", "a(b"), "INVALID_ATTRIBUTE", "matchers[0].value" },
  { "NO_PRIMARY", MATCH("SHARD_NAME", "LIKE", "a"), "INVALID_ENUM_VALUE", "matchers[0].operator" },
  { "STREAM_PROCESSOR_STATE_IS_FAILED", MATCH("PROCESSOR_NAME", "ENDS_WITH", "a"), "", "" },
  { "DISK_AUTO_SCALE_INITIATED",
    "\"matchers\":[{\"fieldName\":\"CLUSTER_NAME\",\"operator\":\"EQUALS\",\"value\":\"a\"},{\"fieldName\":\"CLUSTER_NAME\",\"operator\":"
    "\"EQUALS\",\"value\":\"b\"}]", "INVALID_ATTRIBUTE", "matchers" },
  { "DISK_AUTO_SCALE_INITIATED", MATCH("CLUSTER_NAME", "EQUALS", "a"), "", "" },
  { "HOST_DOWN", "\"severityOverride\":\"LOUD\"", "INVALID_ENUM_VALUE", "severityOverride" },
};

TEST(alert_config, rules)
{
  config_world w;
  size_t i;
  config_open(&w);
  for (i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    int status = config_post(&w, rules[i].type, rules[i].more, MAIL);
    if (status != (rules[i].error[0] ? 400 : 201)) munit_errorf("%s %s: %s", rules[i].type, rules[i].more, w.t.response.body);
    if (!rules[i].error[0]) continue;
    munit_assert_string_equal(t_error(&w.t), rules[i].error);
    munit_assert_string_equal(t_param(&w.t, 0), rules[i].param);
  }
  munit_assert_int(config_post(&w, "OUTSIDE_METRIC_THRESHOLD",
                               "\"metricThreshold\":{\"metricName\":\"OPLOG_MASTER_TIME\",\"operator\":\"LESS_THAN\",\"threshold\":0.5}", MAIL), ==, 201);
  munit_assert_string_equal(t_str(&w.t, "metricThreshold.units"), "HOURS"); /* where none is said */
  munit_assert_int(config_send(&w, "POST", "", "{\"eventTypeName\":\"HOST_DOWN\"}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MISSING_NOTIFICATIONS");
  munit_assert_int(config_send(&w, "POST", "", "{\"eventTypeName\":\"HOST_DOWN\",\"notifications\":[]}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MISSING_NOTIFICATIONS");
  munit_assert_int(config_send(&w, "GET", "5f0000000000000000000001", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "ALERT_CONFIG_NOT_FOUND");
  t_close(&w.t);
}

/* Each kind of notification: what makes one, and its secret; or the error, and its parameter. */
static const struct {
  const char *body, *secret, *error, *param;
} kinds[] = {
  { "{\"typeName\":\"DATADOG\",\"datadogApiKey\":\"secret-datadog-key-123\"}", "datadogApiKey", "", "" },
  { "{\"typeName\":\"GROUP\",\"emailEnabled\":true,\"roles\":[\"GROUP_OWNER\"]}", "", "", "" },
  { "{\"typeName\":\"HIP_CHAT\",\"notificationToken\":\"secret-hip-chat-123\",\"roomName\":\"r\"}", "notificationToken", "", "" },
  { "{\"typeName\":\"MICROSOFT_TEAMS\",\"microsoftTeamsWebhookUrl\":\"https://teams.example.com/secret-1\"}", "microsoftTeamsWebhookUrl", "", "" },
  { "{\"typeName\":\"OPS_GENIE\",\"opsGenieApiKey\":\"secret-ops-genie-123\",\"opsGenieRegion\":\"EU\"}", "opsGenieApiKey", "", "" },
  { "{\"typeName\":\"ORG\",\"emailEnabled\":true,\"roles\":[\"ORG_OWNER\"]}", "", "", "" },
  { "{\"typeName\":\"PAGER_DUTY\",\"serviceKey\":\"secret-pager-duty-123\"}", "serviceKey", "", "" },
  { "{\"typeName\":\"SLACK\",\"apiToken\":\"secret-slack-token-123\",\"channelName\":\"c\"}", "apiToken", "", "" },
  { "{\"typeName\":\"SMS\",\"mobileNumber\":\"+49 30 1234567\"}", "", "", "" },
  { "{\"typeName\":\"VICTOR_OPS\",\"victorOpsApiKey\":\"secret-victor-ops-123\"}", "victorOpsApiKey", "", "" },
  { "{\"typeName\":\"WEBHOOK\",\"webhookUrl\":\"https://hook.example.com/secret-path\",\"webhookSecret\":\"secret-webhook-123\"}", "webhookUrl", "", "" },
  { "{\"typeName\":\"PIGEON\"}", "", "INVALID_ENUM_VALUE", "notifications[0].typeName" },
  { "{\"typeName\":\"EMAIL\"}", "", "MISSING_ATTRIBUTE", "notifications[0].emailAddress" },
  { "{\"typeName\":\"EMAIL\",\"emailAddress\":\"a@example.com\",\"delayMin\":-1}", "", "ATTRIBUTE_NEGATIVE", "notifications[0].delayMin" },
  { "{\"typeName\":\"EMAIL\",\"emailAddress\":\"a@example.com\",\"intervalMin\":4}", "", "INVALID_ATTRIBUTE", "notifications[0].intervalMin" },
  { "{\"typeName\":\"GROUP\",\"roles\":[\"ORG_OWNER\"]}", "", "INVALID_ROLE_FOR_GROUP", "notifications[0].roles[0]" },
  { "{\"typeName\":\"SLACK\",\"channelName\":\"c\"}", "", "MISSING_ATTRIBUTE", "notifications[0].apiToken" },
  { "{\"typeName\":\"DATADOG\",\"integrationId\":\"5f0000000000000000000001\"}", "", "INTEGRATION_NOT_CONFIGURED", "5f0000000000000000000001" },
  { "{\"typeName\":\"TEAM\",\"teamId\":\"5f0000000000000000000001\"}", "", "TEAM_NOT_FOUND", "5f0000000000000000000001" },
  { "{\"typeName\":\"USER\",\"username\":\"nobody@example.com\"}", "", "USERNAME_NOT_FOUND", "nobody@example.com" },
};

TEST(alert_config, notifications)
{
  static char shown[4096];
  config_world w;
  size_t i;
  char at[64];
  config_open(&w);
  for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    int status = config_post(&w, "HOST_DOWN", "", kinds[i].body);
    if (!kinds[i].error[0]) {
      if (status != 201) munit_errorf("%s: %s", kinds[i].body, w.t.response.body);
      munit_assert_null(strstr(w.t.response.body, "secret-"));
      munit_assert_size(strlen(t_str(&w.t, "notifications[0].notifierId")), ==, 24);
      if (!kinds[i].secret[0]) continue;
      snprintf(at, sizeof at, "notifications[0].%s", kinds[i].secret);
      munit_assert_memory_equal(4, t_str(&w.t, at), "****");
      snprintf(shown, sizeof shown, "%s", w.t.response.body); /* what was shown may be sent back: nothing changes */
      munit_assert_int(config_send(&w, "PUT", t_keep(&w.t, t_str(&w.t, "id")), shown), ==, 200);
      munit_assert_string_equal(w.t.response.body, shown);
    } else {
      munit_assert_int(status, ==, strstr(kinds[i].error, "NOT_") ? 404 : 400);
      munit_assert_string_equal(t_error(&w.t), kinds[i].error);
      munit_assert_string_equal(t_param(&w.t, 0), kinds[i].param);
    }
  }
  t_close(&w.t);
}

/* By the project's integration of the same kind, by a team's name, and never larger than is good. */
TEST(alert_config, named)
{
  static char body[40000];
  config_world w;
  const char *id;
  size_t n;
  int i;
  config_open(&w);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"type\":\"DATADOG\",\"apiKey\":\"datadog-key-of-the-project\"}", "/groups/%s/integrations/DATADOG", w.group), ==, 201);
  id = t_keep(&w.t, t_str(&w.t, "results[0].id"));
  snprintf(body, sizeof body, "{\"typeName\":\"DATADOG\",\"integrationId\":\"%s\"}", id);
  munit_assert_int(config_post(&w, "HOST_DOWN", "", body), ==, 201);
  munit_assert_string_equal(t_str(&w.t, "notifications[0].integrationId"), id);
  munit_assert_int(config_post(&w, "HOST_DOWN", "", "{\"typeName\":\"DATADOG\"}"), ==, 201); /* that one anyway */
  t_user(&w.t, "ada@example.com", "[]");
  munit_assert_int(t_sendf(&w.t, "POST", "{\"username\":\"ada@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users", w.org), ==, 201);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"ops\",\"usernames\":[\"ada@example.com\"]}", "/orgs/%s/teams", w.org), ==, 201);
  snprintf(body, sizeof body, "{\"typeName\":\"TEAM\",\"teamId\":\"%s\",\"emailEnabled\":true}", t_str(&w.t, "id"));
  munit_assert_int(config_post(&w, "HOST_DOWN", "", body), ==, 201);
  munit_assert_string_equal(t_str(&w.t, "notifications[0].teamName"), "ops");
  n = (size_t)snprintf(body, sizeof body, "{\"eventTypeName\":\"HOST_DOWN\",\"notifications\":[");
  for (i = 0; i < 4; i++)
    n += (size_t)snprintf(body + n, sizeof body - n, "%s{\"typeName\":\"WEBHOOK\",\"webhookUrl\":\"https://a.example.com\",\"webhookBodyTemplate\":\"%08000d\"}",
                          i ? "," : "", i);
  snprintf(body + n, sizeof body - n, "]}");
  munit_assert_int(config_send(&w, "POST", "", body), ==, 400);
  munit_assert_string_equal(t_param(&w.t, 0), "notifications");
  t_close(&w.t);
}

TEST(alert_config, changes)
{
  config_world w;
  const char *id, *notifier;
  config_open(&w);
  munit_assert_int(config_post(&w, "HOST_DOWN", "", "{\"typeName\":\"SLACK\",\"apiToken\":\"secret-slack-token-1234\",\"channelName\":\"c\"}," MAIL), ==, 201);
  id = t_keep(&w.t, t_str(&w.t, "id"));
  notifier = t_keep(&w.t, t_str(&w.t, "notifications[0].notifierId"));
  /* PATCH takes `enabled` alone, and what was served */
  munit_assert_int(config_send(&w, "PATCH", id, "{\"enabled\":false}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "enabled"), "false");
  munit_assert_string_equal(t_str(&w.t, "notifications[0].apiToken"), "****1234");
  munit_assert_int(config_send(&w, "PATCH", id, "{\"enabled\":1}"), ==, 400);
  munit_assert_int(config_send(&w, "PATCH", id, "{\"severityOverride\":\"INFO\"}"), ==, 400);
  munit_assert_int(config_send(&w, "PATCH", id, "{\"eventTypeName\":\"NO_PRIMARY\"}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "ATTRIBUTE_READ_ONLY");
  munit_assert_int(config_send(&w, "PATCH", id, "[]"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_JSON");
  munit_assert_int(config_send(&w, "PATCH", id, "{\"enabled\":true,\"links\":[{\"href\":\"http://example.com\",\"rel\":\"self\"}]}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "ATTRIBUTE_READ_ONLY");
  munit_assert_int(config_send(&w, "PATCH", id, "{\"enabled\":true,\"colour\":\"red\"}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_ATTRIBUTE");
  munit_assert_int(config_send(&w, "GET", id, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "enabled"), "false");
  munit_assert_int(config_send(&w, "PATCH", id, t_keep(&w.t, w.t.response.body)), ==, 200);
  /* PUT replaces; a secret that is sent as it was shown stays, by its place, and so does the id of the notification */
  munit_assert_int(config_send(&w, "PUT", id, "{\"eventTypeName\":\"NO_PRIMARY\",\"notifications\":[{\"typeName\":\"SLACK\",\"apiToken\":"
                                              "\"****1234\",\"channelName\":\"d\"}]}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "notifications[0].apiToken"), "****1234");
  munit_assert_string_equal(t_str(&w.t, "notifications[0].notifierId"), notifier);
  munit_assert_size(t_count(&w.t, "notifications"), ==, 1);
  munit_assert_int(config_send(&w, "PUT", id, "{\"eventTypeName\":\"NO_PRIMARY\",\"notifications\":[{\"typeName\":\"SLACK\",\"apiToken\":"
                                              "\"****9999\",\"channelName\":\"d\"}]}"), ==, 400);
  munit_assert_int(config_send(&w, "DELETE", id, NULL), ==, 204);
  munit_assert_int(config_send(&w, "GET", id, NULL), ==, 404);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=ALERT_CONFIG_CHANGED_AUDIT", w.group), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "results[0].alertConfigId"), id);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=ALERT_CONFIG_DELETED_AUDIT", w.group), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 1);
  t_close(&w.t);
}

TEST(alert_config, most)
{
  config_world w;
  int i, before;
  config_open(&w);
  munit_assert_int(config_send(&w, "GET", "", NULL), ==, 200);
  before = (int)t_int(&w.t, "totalCount");
  for (i = before; i < 500; i++) munit_assert_int(config_post(&w, "HOST_DOWN", "", MAIL), ==, 201);
  munit_assert_int(config_post(&w, "HOST_DOWN", "", MAIL), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MAX_ALERT_CONFIGS_PER_GROUP_EXCEEDED");
  t_close(&w.t);
}

/* A new project has some, each as if it had been sent; unless it or its organization wants none. */
TEST(alert_config, defaults)
{
  static char shown[16][2048];
  const char *ids[16], *org;
  config_world w;
  int i, count;
  char project[128];
  config_open(&w);
  snprintf(project, sizeof project, "{\"name\":\"gamma\",\"orgId\":\"%s\"}", w.org);
  munit_assert_int(t_send(&w.t, "POST", "/groups", project), ==, 201);
  w.group = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_int(config_send(&w, "GET", "", NULL), ==, 200);
  count = (int)t_int(&w.t, "totalCount");
  munit_assert_int(count, ==, 8);
  for (i = 0; i < count; i++) {
    char at[32];
    snprintf(at, sizeof at, "results[%d].id", i);
    ids[i] = t_keep(&w.t, t_str(&w.t, at));
  }
  for (i = 0; i < count; i++) {
    munit_assert_int(config_send(&w, "GET", ids[i], NULL), ==, 200);
    snprintf(shown[i], sizeof shown[i], "%s", w.t.response.body);
    munit_assert_string_equal(t_str(&w.t, "enabled"), "true");
    munit_assert_int(config_send(&w, "PUT", ids[i], shown[i]), ==, 200);
    munit_assert_string_equal(w.t.response.body, shown[i]); /* nothing in it is other than what POST takes */
  }
  store_whole(w.t.s);
  munit_assert_int(config_send(&w, "DELETE", ids[0], NULL), ==, 204);
  munit_assert_int(t_send(&w.t, "POST", "/orgs", "{\"name\":\"Quiet\",\"skipDefaultAlertsSettings\":true}"), ==, 201);
  org = t_keep(&w.t, t_str(&w.t, "organization.id"));
  snprintf(project, sizeof project, "{\"name\":\"beta\",\"orgId\":\"%s\"}", org);
  munit_assert_int(t_send(&w.t, "POST", "/groups", project), ==, 201);
  w.group = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_int(config_send(&w, "GET", "", NULL), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 0);
  t_close(&w.t);
}

TEST(alert_config, field_names)
{
  t_service t;
  t_open(&t, &quiet);
  munit_assert_int(t_send(&t, "GET", "/alertConfigs/matchers/fieldNames", NULL), ==, 200);
  munit_assert_size(svc_node_count(t.body), ==, 13);
  munit_assert_string_equal(t_str(&t, "[0]"), "APPLICATION_ID");
  munit_assert_int(t_send(&t, "GET", "/alertConfigs/matchers/fieldNames?pageNum=2&itemsPerPage=5", NULL), ==, 200);
  munit_assert_size(svc_node_count(t.body), ==, 5);
  t_close(&t);
}

/* Built without teams, people and integrations: whom it names is not looked for, and what it lacks it lacks. */
TEST(alert_config, left_out)
{
  static const char *const without[] = { "team", "user", "organization user", "integration", NULL };
  config_world w;
  t_without(without);
  config_open(&w);
  munit_assert_int(config_post(&w, "HOST_DOWN", "", "{\"typeName\":\"TEAM\",\"teamId\":\"32b6e34b3d91647abb20e7b8\"}"), ==, 201);
  munit_assert_int(config_post(&w, "HOST_DOWN", "", "{\"typeName\":\"USER\",\"username\":\"a@example.com\"}"), ==, 201);
  munit_assert_int(config_post(&w, "HOST_DOWN", "", "{\"typeName\":\"SLACK\",\"channelName\":\"c\"}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MISSING_ATTRIBUTE");
  munit_assert_int(config_post(&w, "HOST_DOWN", "", "{\"typeName\":\"SLACK\",\"channelName\":\"c\",\"apiToken\":\"secret-slack-token-1234\"}"), ==, 201);
  t_close(&w.t);
  t_without(NULL);
}

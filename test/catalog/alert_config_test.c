/*
** Alert configurations: the fields allowed for each type of event, the notifications, and their secrets, which are
** never shown.
**
** Tests also: alert_matcher_field
*/
#include "mechanism/probe.h"

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

/* For each configuration: the error code and its first parameter, or "" if it is accepted. */
static const struct {
  const char *type, *more, *error, *param;
} rules[] = {
  { "HOST_DOWN", "", "", "" },
  { "NO_SUCH_TYPE", "", "INVALID_EVENT_TYPE_FOR_ALERT", "NO_SUCH_TYPE" },
  { "GROUP_CREATED", "", "INVALID_EVENT_TYPE_FOR_ALERT", "GROUP_CREATED" }, /* an event, but not one for alerts */
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
  { "NO_PRIMARY", MORE(">", "count"), "", "" }, /* the threshold is optional */
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
  munit_assert_string_equal(t_str(&w.t, "metricThreshold.units"), "HOURS"); /* the default */
  munit_assert_int(config_send(&w, "POST", "", "{\"eventTypeName\":\"HOST_DOWN\"}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MISSING_NOTIFICATIONS");
  munit_assert_int(config_send(&w, "POST", "", "{\"eventTypeName\":\"HOST_DOWN\",\"notifications\":[]}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MISSING_NOTIFICATIONS");
  munit_assert_int(config_send(&w, "GET", "5f0000000000000000000001", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "ALERT_CONFIG_NOT_FOUND");
  t_close(&w.t);
}

/* Kinds of notifications: a body that creates one, and the name of its secret; or the error and its parameter. */
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
      snprintf(shown, sizeof shown, "%s", w.t.response.body); /* a body can be sent back as it was shown: nothing changes */
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

/* Notifications name the project's integration of the same kind, or a team. Notifications that are too large in total are refused. */
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
  /* the default is the integration of the same kind */
  munit_assert_int(config_post(&w, "HOST_DOWN", "", "{\"typeName\":\"DATADOG\"}"), ==, 201);
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
  /* PATCH accepts only `enabled`, and a body as it was served */
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
  /* PUT replaces the configuration. A secret sent back as it was shown is kept, by its place, and so is the notification's id. */
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

/* A new project has default configurations, unless the project or its organization opts out. Each of them can be sent back. */
TEST(alert_config, defaults)
{
  static char shown[16][2048];
  const char *ids[16], *org;
  config_world w;
  int i, count;
  char project[128];
  config_open(&w);
  munit_assert_int(config_send(&w, "GET", "", NULL), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 0); /* this project was created with withDefaultAlertsSettings false */
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
    munit_assert_string_equal(w.t.response.body, shown[i]); /* PUT accepts every field, and changes none */
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

/* -------------------------------------------------------------------------------------------------------------- defaults */

#define DEFAULTS 8
#define OFF "{\"enabled\":false}"

/* Creates a project with the defaults. All later requests are about it. */
static void config_default_project(config_world *w, const char *name)
{
  char body[128];
  snprintf(body, sizeof body, "{\"name\":\"%s\",\"orgId\":\"%s\"}", name, w->org);
  munit_assert_int(t_send(&w->t, "POST", "/groups", body), ==, 201);
  w->group = t_keep(&w->t, t_str(&w->t, "id"));
}

/* The defaults as they are served, one by one and as a list, to compare with later answers. */
typedef struct config_served {
  char group[32], ids[DEFAULTS][32], bodies[DEFAULTS][2048], tags[DEFAULTS][32], list[16384], project[32];
} config_served;

static void config_take(config_world *w, config_served *s)
{
  char at[32];
  int i;
  snprintf(s->group, sizeof s->group, "%s", w->group);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s", w->group), ==, 200);
  snprintf(s->project, sizeof s->project, "%s", t_get_header(&w->t, "ETag"));
  munit_assert_int(config_send(w, "GET", "", NULL), ==, 200);
  munit_assert_size(t_count(&w->t, "results"), ==, DEFAULTS);
  munit_assert_size(w->t.response.body_length, <, sizeof s->list);
  snprintf(s->list, sizeof s->list, "%s", w->t.response.body);
  for (i = 0; i < DEFAULTS; i++) {
    snprintf(at, sizeof at, "results[%d].id", i);
    snprintf(s->ids[i], sizeof s->ids[i], "%s", t_str(&w->t, at));
  }
  for (i = 0; i < DEFAULTS; i++) {
    munit_assert_int(config_send(w, "GET", s->ids[i], NULL), ==, 200);
    munit_assert_size(w->t.response.body_length, <, sizeof s->bodies[i]);
    snprintf(s->bodies[i], sizeof s->bodies[i], "%s", w->t.response.body);
    snprintf(s->tags[i], sizeof s->tags[i], "%s", t_get_header(&w->t, "ETag"));
  }
}

/* Checks that all but `changed` are served unchanged, and so is the project. changed < 0: checks the list, too. */
static void config_same(config_world *w, const config_served *s, int changed)
{
  int i;
  for (i = 0; i < DEFAULTS; i++) {
    if (i == changed) continue;
    munit_assert_int(config_send(w, "GET", s->ids[i], NULL), ==, 200);
    munit_assert_string_equal(w->t.response.body, s->bodies[i]);
    munit_assert_string_equal(t_get_header(&w->t, "ETag"), s->tags[i]);
  }
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s", w->group), ==, 200);
  munit_assert_string_equal(t_get_header(&w->t, "ETag"), s->project);
  if (changed >= 0) return;
  munit_assert_int(config_send(w, "GET", "", NULL), ==, 200);
  munit_assert_string_equal(w->t.response.body, s->list);
}

static size_t config_stored(const config_world *w)
{
  return probe_records(w->t.s, "eacfg");
}

/* A project that has changed no default stores none, even after reads. Ids that are no default of the project are not found. */
TEST(alert_config, served_from_table)
{
  static config_served one, two;
  config_world w;
  int i;
  config_open(&w);
  config_default_project(&w, "beta");
  config_take(&w, &two);
  t_advance(&w.t, 3600);
  config_default_project(&w, "gamma");
  config_take(&w, &one);
  for (i = 0; i < DEFAULTS; i++) {
    munit_assert_memory_equal(8, one.ids[i], w.group); /* the first 8 digits, the second of creation, are those of the project */
    munit_assert_string_not_equal(one.ids[i], two.ids[i]);
    munit_assert_int(strcmp(one.ids[i], i ? one.ids[i - 1] : w.group), >, 0);
    munit_assert_int(config_send(&w, "GET", two.ids[i], NULL), ==, 404);
    munit_assert_string_equal(t_error(&w.t), "ALERT_CONFIG_NOT_FOUND");
    t_header(&w.t, "If-None-Match", one.tags[i]);
    munit_assert_int(config_send(&w, "GET", one.ids[i], NULL), ==, 304);
    t_headers_clear(&w.t);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alertConfigs/%s/alerts", w.group, one.ids[i]), ==, 200);
    munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 0);
    munit_assert_int(config_send(&w, "GET", one.ids[i], NULL), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "created"), "2025-06-01T01:00:00Z");
    munit_assert_int(config_send(&w, "GET", t_keep(&w.t, t_str(&w.t, "notifications[0].notifierId")), NULL), ==, 404);
  }
  munit_assert_int(config_send(&w, "GET", "nothing", NULL), ==, 404);
  munit_assert_int(config_send(&w, "GET", w.group, NULL), ==, 404);
  t_advance(&w.t, 86400);
  config_same(&w, &one, -1);
  munit_assert_size(config_stored(&w), ==, 0);
  store_whole(w.t.s);
  t_close(&w.t);
}

/* Pages and query parameters work on the table as on a stored list. */
TEST(alert_config, table_pages)
{
  static const char *const queries[] = { "?itemsPerPage=3", "?itemsPerPage=3&pageNum=2", "?itemsPerPage=3&pageNum=3", "?itemsPerPage=4&pageNum=2",
                                         "?itemsPerPage=3&pageNum=4", "?includeCount=false", "?itemsPerPage=5&envelope=true", "?pretty=true",
                                         "?pageNum=2", "?itemsPerPage=1&includeCount=false&pageNum=8", "" };
  static char table[sizeof queries / sizeof queries[0]][16384];
  static config_served s;
  config_world w;
  size_t i;
  config_open(&w);
  config_default_project(&w, "beta");
  config_take(&w, &s);
  for (i = 0; i < sizeof queries / sizeof queries[0]; i++) {
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alertConfigs%s", w.group, queries[i]), ==, 200);
    munit_assert_size(w.t.response.body_length, <, sizeof table[i]);
    snprintf(table[i], sizeof table[i], "%s", w.t.response.body);
  }
  /* a configuration is created and deleted: from here on all are stored */
  munit_assert_int(config_post(&w, "HOST_DOWN", "", MAIL), ==, 201);
  munit_assert_int(config_send(&w, "DELETE", t_keep(&w.t, t_str(&w.t, "id")), NULL), ==, 204);
  munit_assert_size(config_stored(&w), ==, DEFAULTS);
  for (i = 0; i < sizeof queries / sizeof queries[0]; i++) {
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alertConfigs%s", w.group, queries[i]), ==, 200);
    munit_assert_string_equal(w.t.response.body, table[i]);
  }
  config_same(&w, &s, -1);
  t_close(&w.t);
}

/* Each kind of change stores all defaults. The others, and the project, are served as before. */
TEST(alert_config, written_down)
{
  static const struct {
    const char *name, *method, *body;
    int of, status;
    size_t stored;
    const char *events;
  } ways[] = {
    { "post", "POST", "{\"eventTypeName\":\"HOST_DOWN\",\"enabled\":true,\"notifications\":[" MAIL "]}", -1, 201, DEFAULTS + 1,
      "GROUP_CREATED ALERT_CONFIG_ADDED_AUDIT" },
    { "put", "PUT", "{\"eventTypeName\":\"HOST_DOWN\",\"enabled\":true,\"notifications\":[" MAIL "]}", 0, 200, DEFAULTS,
      "GROUP_CREATED ALERT_CONFIG_CHANGED_AUDIT" },
    { "patch", "PATCH", OFF, 4, 200, DEFAULTS, "GROUP_CREATED ALERT_CONFIG_CHANGED_AUDIT" },
    { "delete", "DELETE", NULL, 7, 204, DEFAULTS - 1, "GROUP_CREATED ALERT_CONFIG_DELETED_AUDIT" },
  };
  static config_served s;
  config_world w;
  char feed[64];
  size_t i, before = 0;
  config_open(&w);
  for (i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    config_default_project(&w, ways[i].name);
    config_take(&w, &s);
    if (ways[i].of >= 0) t_header(&w.t, "If-Match", s.tags[ways[i].of]);
    munit_assert_int(config_send(&w, ways[i].method, ways[i].of < 0 ? "" : s.ids[ways[i].of], ways[i].body), ==, ways[i].status);
    t_headers_clear(&w.t);
    munit_assert_size(config_stored(&w) - before, ==, ways[i].stored);
    config_same(&w, &s, ways[i].of < 0 ? DEFAULTS : ways[i].of);
    munit_assert_int(config_send(&w, "GET", "", NULL), ==, 200);
    munit_assert_size((size_t)t_int(&w.t, "totalCount"), ==, ways[i].stored);
    munit_assert_string_equal(t_str(&w.t, "results[1].id"), s.ids[1]); /* an added configuration comes after the defaults */
    snprintf(feed, sizeof feed, "/groups/%s", w.group);
    munit_assert_string_equal(probe_feed(&w.t, feed), ways[i].events);
    before = config_stored(&w);
  }
  munit_assert_int(config_send(&w, "GET", s.ids[7], NULL), ==, 404);
  munit_assert_int(config_send(&w, "DELETE", s.ids[7], NULL), ==, 404);
  store_whole(w.t.s);
  t_close(&w.t);
}

/* A refused request, or one that changes nothing, stores no defaults. */
TEST(alert_config, not_written_down)
{
  static config_served s;
  config_world w;
  config_open(&w);
  config_default_project(&w, "beta");
  config_take(&w, &s);
  munit_assert_int(config_send(&w, "PUT", s.ids[1], s.bodies[1]), ==, 200);
  munit_assert_string_equal(w.t.response.body, s.bodies[1]);
  munit_assert_int(config_send(&w, "PATCH", s.ids[1], "{\"enabled\":true}"), ==, 200);
  munit_assert_string_equal(w.t.response.body, s.bodies[1]);
  munit_assert_int(config_send(&w, "PUT", s.ids[1], "{\"eventTypeName\":\"HOST_DOWN\"}"), ==, 400);
  munit_assert_int(config_send(&w, "PATCH", s.ids[1], "{\"enabled\":1}"), ==, 400);
  munit_assert_int(config_post(&w, "NO_SUCH_TYPE", "", MAIL), ==, 400);
  munit_assert_int(config_post(&w, "HOST_DOWN", "", "{\"typeName\":\"TEAM\",\"teamId\":\"5f0000000000000000000001\"}"), ==, 404);
  munit_assert_int(config_send(&w, "PATCH", "5f0000000000000000000001", OFF), ==, 404);
  munit_assert_int(config_send(&w, "DELETE", "5f0000000000000000000001", NULL), ==, 404);
  t_header(&w.t, "If-Match", s.tags[2]);
  munit_assert_int(config_send(&w, "DELETE", s.ids[1], NULL), ==, 412);
  munit_assert_int(config_send(&w, "PATCH", s.ids[1], OFF), ==, 412);
  t_headers_clear(&w.t);
  munit_assert_size(config_stored(&w), ==, 0);
  config_same(&w, &s, -1);
  t_close(&w.t);
}

/* Another handle serves the same defaults. Deleted defaults stay deleted: a project without the mark has only its stored configurations. */
TEST(alert_config, reopened)
{
  static config_served s;
  svc_config config = quiet;
  char folder[128], kept[32];
  config_world w;
  int i;
  store_folder(folder);
  config.path = folder;
  t_open(&w.t, &config);
  w.org = t_organization(&w.t, "Acme");
  config_default_project(&w, "beta");
  config_take(&w, &s);
  snprintf(kept, sizeof kept, "%s", w.group);
  t_reopen(&w.t, &config);
  w.group = kept;
  t_advance(&w.t, 100);
  config_same(&w, &s, -1);
  for (i = 0; i < DEFAULTS; i++) {
    munit_assert_int(config_send(&w, "DELETE", s.ids[i], NULL), ==, 204);
    munit_assert_int(config_send(&w, "GET", s.ids[i], NULL), ==, 404);
    munit_assert_int(config_send(&w, "GET", "", NULL), ==, 200);
    munit_assert_int((int)t_int(&w.t, "totalCount"), ==, DEFAULTS - 1 - i);
  }
  t_reopen(&w.t, &config);
  munit_assert_int(config_send(&w, "GET", "", NULL), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 0);
  munit_assert_int(config_send(&w, "GET", s.ids[0], NULL), ==, 404);
  munit_assert_int(config_post(&w, "HOST_DOWN", "", MAIL), ==, 201);
  munit_assert_size(config_stored(&w), ==, 1);
  munit_assert_int(config_send(&w, "GET", "", NULL), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 1);
  store_whole(w.t.s);
  t_close(&w.t);
  store_remove(folder);
}

/* The project moves to another organization, changes, or is deleted before its defaults are stored. */
TEST(alert_config, default_moved)
{
  static config_served s;
  char body[64];
  const char *other;
  config_world w;
  config_open(&w);
  config_default_project(&w, "beta");
  other = t_organization(&w.t, "Beta");
  config_take(&w, &s);
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", other);
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s:migrate", w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"name\":\"gamma\",\"withDefaultAlertsSettings\":false}", "/groups/%s", w.group), ==, 200);
  munit_assert_int(config_send(&w, "GET", "", NULL), ==, 200);
  munit_assert_string_equal(w.t.response.body, s.list);
  munit_assert_size(config_stored(&w), ==, 0);
  config_take(&w, &s); /* the project has another ETag now */
  munit_assert_int(config_send(&w, "PATCH", s.ids[3], OFF), ==, 200);
  munit_assert_size(probe_all_in(w.t.s, "acfg", w.group, other), ==, DEFAULTS);
  config_same(&w, &s, 3);
  store_whole(w.t.s);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202);
  munit_assert_size(config_stored(&w), ==, 0);
  config_default_project(&w, "delta");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202);
  munit_assert_int(config_send(&w, "GET", "", NULL), ==, 404);
  store_whole(w.t.s);
  t_close(&w.t);
}

/* Each allocation fails in turn: reads are complete or refused. A write stores nothing, or everything if only an allocation for
** the answer fails. */
TEST(alert_config, default_starved)
{
  static config_served s;
  static const struct {
    const char *method, *body;
    bool one;
    size_t writes;
  } asks[] = { { "GET", NULL, false, 0 }, { "GET", NULL, true, 0 }, { "PATCH", OFF, true, DEFAULTS }, { "DELETE", NULL, true, DEFAULTS - 1 },
               { "POST", "{\"eventTypeName\":\"HOST_DOWN\",\"enabled\":true,\"notifications\":[" MAIL "]}", false, DEFAULTS + 1 } };
  svc_header json = { "Content-Type", "application/json", 0, 0 };
  config_world w;
  size_t i;
  long n;
  config_open(&w);
  for (i = 0; i < sizeof asks / sizeof asks[0]; i++) {
    const char *body = asks[i].body;
    size_t before = config_stored(&w);
    bool done = false;
    char target[128], name[16];
    svc_request request = { .method = asks[i].method, .target = target, .headers = &json, .header_count = body ? 1 : 0, .body = body,
                            .body_length = body ? strlen(body) : 0, .caller = &w.t.caller };
    snprintf(name, sizeof name, "starved%zu", i);
    config_default_project(&w, name);
    config_take(&w, &s);
    snprintf(target, sizeof target, "/api/svc/v2/groups/%s/alertConfigs%s%s", w.group, asks[i].one ? "/" : "", asks[i].one ? s.ids[5] : "");
    for (n = 1; !done && config_stored(&w) == before; n++) {
      svc_response response;
      int rc;
      munit_assert_long(n, <, 10000);
      if (n > 1) config_same(&w, &s, -1);
      t_arena_fail(n);
      rc = svc_handle_request(w.t.s, &request, &response);
      t_arena_fail(0);
      done = t_memory_sufficed(rc, &response);
      if (done && asks[i].method[0] == 'G') munit_assert_string_equal(response.body, asks[i].one ? s.bodies[5] : s.list);
      svc_response_free(&response);
    }
    munit_assert_long(n, >, 5);
    munit_assert_size(config_stored(&w) - before, ==, asks[i].writes);
    config_same(&w, &s, asks[i].writes == 0 ? -1 : asks[i].one ? 5 : DEFAULTS);
    store_whole(w.t.s);
  }
  t_close(&w.t);
}

/* A random source that always returns zeros: a configuration added in the second of the project's creation still comes after the
** defaults. */
static int config_no_chance(void *context, void *buffer, size_t size)
{
  (void)context;
  memset(buffer, 0, size);
  return 0;
}

TEST(alert_config, default_order)
{
  static config_served s;
  svc_config config = quiet;
  config_world w;
  config.random = config_no_chance;
  t_open(&w.t, &config);
  w.org = t_organization(&w.t, "Acme");
  config_default_project(&w, "beta");
  config_take(&w, &s);
  munit_assert_int(config_post(&w, "HOST_DOWN", "", MAIL), ==, 201);
  munit_assert_int(strcmp(t_str(&w.t, "id"), s.ids[7]), >, 0);
  munit_assert_size(config_stored(&w), ==, DEFAULTS + 1);
  config_same(&w, &s, DEFAULTS);
  munit_assert_int(config_send(&w, "GET", "", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].id"), s.ids[0]);
  store_whole(w.t.s);
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

/* Built without teams, users and integrations: configurations may name teams and users unchecked, and a notification needs a
** token of its own. */
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

/*
** Third-party integrations: at most one of each kind, each with its own fields. Their secrets are never shown.
*/
#include "needs.h"
#include "support.h"

T_NEEDS(integration) = {
  T_SAMPLE("integrationType", "SLACK"),
  T_NEEDS_END
};

static const svc_config quiet = { .limiter_off = 1 };

static int integration_send(t_place *w, const char *method, const char *type, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/integrations%s%s", w->group, type[0] ? "/" : "", type);
}

/* Each kind of integration: a body that creates one, its secrets, and one required field. */
static const struct {
  const char *type, *body, *secrets[4], *needed;
} kinds[] = {
  { "DATADOG", "{\"type\":\"DATADOG\",\"apiKey\":\"datadog-secret-of-some-length\",\"region\":\"US3\"}", { "apiKey" }, "apiKey" },
  { "MICROSOFT_TEAMS", "{\"type\":\"MICROSOFT_TEAMS\",\"microsoftTeamsWebhookUrl\":\"https://teams.example.com/secret/0123456789\"}",
    { "microsoftTeamsWebhookUrl" }, "microsoftTeamsWebhookUrl" },
  { "NEW_RELIC", "{\"type\":\"NEW_RELIC\",\"accountId\":\"0123456789012345678901234567890123456789\","
                 "\"licenseKey\":\"abcdefabcdabcdefabcdabcdefabcdabcdefabcd\",\"readToken\":\"read-secret-token-12\",\"writeToken\":\"write-secret-token-12\"}",
    { "licenseKey", "readToken", "writeToken" }, "licenseKey" },
  { "OPS_GENIE", "{\"type\":\"OPS_GENIE\",\"apiKey\":\"ops-genie-secret-key-123\"}", { "apiKey" }, "apiKey" },
  { "PAGER_DUTY", "{\"type\":\"PAGER_DUTY\",\"serviceKey\":\"pager-duty-secret-key-123\"}", { "serviceKey" }, "serviceKey" },
  { "PROMETHEUS", "{\"type\":\"PROMETHEUS\",\"enabled\":true,\"serviceDiscovery\":\"file\",\"username\":\"joe\",\"password\":\"prometheus-secret-pw\"}",
    { "password" }, "username" },
  { "SLACK", "{\"type\":\"SLACK\",\"apiToken\":\"slack-secret-token-1234\",\"channelName\":\"ops\",\"teamName\":\"t\"}", { "apiToken" }, "channelName" },
  { "VICTOR_OPS", "{\"type\":\"VICTOR_OPS\",\"apiKey\":\"victor-ops-secret-key-12\",\"routingKey\":\"r\"}", { "apiKey" }, "apiKey" },
  { "WEBHOOK", "{\"type\":\"WEBHOOK\",\"url\":\"https://hook.example.com/secret-path-123\",\"secret\":\"webhook-secret-of-length\"}",
    { "url", "secret" }, "url" },
};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* Returns a body without one of its members. */
static const char *integration_without(t_service *t, const char *body, const char *member)
{
  static char text[1024];
  svc_node *node = svc_node_copy(&t->arena, svc_json_parse(&t->arena, svc_str_c(body)));
  svc_buf b = svc_buf_new(&t->arena, 256);
  munit_assert_not_null(node);
  svc_node_drop(node, member);
  svc_node_write(&b, node);
  snprintf(text, sizeof text, "%s", svc_buf_done(&b).p);
  return text;
}

TEST(integration, kinds)
{
  t_place w;
  size_t i, k;
  t_place_open(&w, &quiet, "alpha", NULL);
  for (i = 0; i < KINDS; i++) {
    munit_assert_int(integration_send(&w, "POST", kinds[i].type, integration_without(&w.t, kinds[i].body, kinds[i].needed)), ==, 400);
    munit_assert_string_equal(t_param(&w.t, 0), kinds[i].needed);
    munit_assert_int(integration_send(&w, "GET", kinds[i].type, NULL), ==, 404);
    munit_assert_string_equal(t_error(&w.t), "INTEGRATION_NOT_CONFIGURED");
    munit_assert_int(integration_send(&w, "POST", kinds[i].type, kinds[i].body), ==, 201); /* with the required field */
    munit_assert_int((int)t_int(&w.t, "totalCount"), ==, (int)i + 1);
    munit_assert_null(strstr(w.t.response.body, "secret-"));
    munit_assert_int(integration_send(&w, "POST", kinds[i].type, kinds[i].body), ==, 409);
    munit_assert_string_equal(t_error(&w.t), "INTEGRATION_ALREADY_CONFIGURED");
    munit_assert_int(integration_send(&w, "GET", kinds[i].type, NULL), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "type"), kinds[i].type);
    munit_assert_size(strlen(t_str(&w.t, "id")), ==, 24);
    for (k = 0; k < 4 && kinds[i].secrets[k]; k++) {
      const char *shown = t_str(&w.t, kinds[i].secrets[k]);
      if (strcmp(kinds[i].secrets[k], "password") == 0) munit_assert_null(t_node(&w.t, "password"));
      else munit_assert_memory_equal(4, shown, "****");
    }
  }
  munit_assert_int(integration_send(&w, "GET", "", NULL), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, (int)KINDS);
  t_close(&w.t);
}

TEST(integration, paths)
{
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(integration_send(&w, "POST", "SLACK", kinds[0].body), ==, 400); /* the path has another type */
  munit_assert_string_equal(t_param(&w.t, 0), "type");
  munit_assert_int(integration_send(&w, "POST", "HIP_CHAT", "{\"type\":\"HIP_CHAT\"}"), ==, 400);
  munit_assert_int(integration_send(&w, "POST", "SLACK", "{\"channelName\":\"c\"}"), ==, 400);
  munit_assert_string_equal(t_param(&w.t, 0), "type");
  munit_assert_int(integration_send(&w, "GET", "HIP_CHAT", NULL), ==, 404);
  munit_assert_int(integration_send(&w, "PUT", "DATADOG", kinds[0].body), ==, 404);
  munit_assert_int(integration_send(&w, "DELETE", "DATADOG", NULL), ==, 404);
  munit_assert_int(integration_send(&w, "POST", "WEBHOOK", "{\"type\":\"WEBHOOK\",\"url\":\"not a url\"}"), ==, 400);
  munit_assert_string_equal(t_param(&w.t, 0), "url");
  munit_assert_null(strstr(w.t.response.body, "not a url")); /* the URL may contain a token */
  munit_assert_int(integration_send(&w, "GET", "", NULL), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 0);
  t_close(&w.t);
}

/* A change of the endpoint needs the key itself: a masked key is refused, so that no stored key is sent to another endpoint. */
TEST(integration, custom_endpoint)
{
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(integration_send(&w, "POST", "DATADOG", kinds[0].body), ==, 201);
  munit_assert_null(strstr(w.t.response.body, "customEndpoint")); /* without a value it is left out */
  munit_assert_int(integration_send(&w, "PUT", "DATADOG", "{\"type\":\"DATADOG\",\"apiKey\":\"****ngth\",\"customEndpoint\":\"https://other.example\"}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "apiKey"));
  munit_assert_int(integration_send(&w, "PUT", "DATADOG", "{\"type\":\"DATADOG\",\"apiKey\":\"another-key-of-length-9876\","
                                    "\"customEndpoint\":\"https://other.example\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].customEndpoint"), "https://other.example");
  munit_assert_int(integration_send(&w, "PUT", "DATADOG", "{\"type\":\"DATADOG\",\"apiKey\":\"****9876\",\"customEndpoint\":\"nowhere\"}"), ==, 400);
  t_close(&w.t);
}

TEST(integration, replace)
{
  t_place w;
  const char *id;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(integration_send(&w, "POST", "DATADOG", kinds[0].body), ==, 201);
  id = t_keep(&w.t, t_str(&w.t, "results[0].id"));
  munit_assert_int(integration_send(&w, "PUT", "DATADOG", "{\"type\":\"DATADOG\",\"apiKey\":\"****ngth\",\"sendDatabaseMetrics\":true}"), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].apiKey"), "****ngth");
  munit_assert_string_equal(t_str(&w.t, "results[0].id"), id);
  munit_assert_string_equal(t_str(&w.t, "results[0].sendDatabaseMetrics"), "true");
  munit_assert_null(t_node(&w.t, "results[0].region")); /* omitted fields are removed */
  munit_assert_int(integration_send(&w, "PUT", "DATADOG", "{\"type\":\"DATADOG\",\"apiKey\":\"another-key-of-length-9876\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].apiKey"), "****9876");
  munit_assert_int(integration_send(&w, "PUT", "DATADOG", "{\"type\":\"DATADOG\",\"apiKey\":\"****ngth\"}"), ==, 400);
  munit_assert_string_equal(t_param(&w.t, 0), "apiKey");
  munit_assert_int(integration_send(&w, "PUT", "DATADOG", "{\"type\":\"DATADOG\"}"), ==, 400);
  munit_assert_int(integration_send(&w, "PUT", "DATADOG", kinds[6].body), ==, 400); /* the type cannot change */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=INTEGRATION_CONFIGURED", w.group), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 3);
  munit_assert_int(integration_send(&w, "DELETE", "DATADOG", NULL), ==, 204);
  munit_assert_int(integration_send(&w, "GET", "DATADOG", NULL), ==, 404);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=INTEGRATION_REMOVED", w.group), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 1);
  t_close(&w.t);
}

/*
** Organizations: their life cycle, the credentials created with an organization, and their settings.
**
** Tests also: organization_settings
*/
#include "needs.h"
#include "support.h"

T_NEEDS(organization) = {
  T_FIRST(SVC_DELETE, "/orgs/{orgId}", SVC_DELETE, "/groups/{groupId}", NULL), /* an organization with projects cannot be deleted */
  T_NEEDS_END
};

#define KEY "\"apiKey\":{\"desc\":\"first key\",\"roles\":[\"ORG_OWNER\"]}"
#define ACCOUNT "\"serviceAccount\":{\"name\":\"deployer\",\"description\":\"deploys\",\"roles\":[\"ORG_MEMBER\"]," \
                "\"secretExpiresAfterHours\":8}"
#define SETTINGS "/orgs/%s/settings"

static int64_t events(t_service *t, const char *org, const char *type)
{
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events?eventType=%s", org, type), ==, 200);
  return t_int(t, "totalCount");
}

TEST_SERVICE(organization, life)
{
  const char *acme, *beta;
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 0);
  acme = t_organization(t, "Acme");
  munit_assert_size(t_count(t, "organization"), ==, 4); /* the links are outside, in the wrapper */
  munit_assert_string_equal(t_str(t, "organization.name"), "Acme");
  munit_assert_string_equal(t_str(t, "organization.isDeleted"), "false");
  munit_assert_string_equal(t_str(t, "organization.skipDefaultAlertsSettings"), "false");
  munit_assert_string_equal(t_str(t, "skipDefaultAlertsSettings"), "false");
  munit_assert_null(t_node(t, "apiKey"));
  munit_assert_null(t_node(t, "serviceAccount"));
  munit_assert_null(t_node(t, "orgOwnerId"));
  beta = t_organization(t, "Beta");
  munit_assert_string_not_equal(acme, beta);
  munit_assert_string_equal(t_organization(t, "Acme") ? t_str(t, "organization.name") : "", "Acme"); /* names need not be unique */

  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", acme), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), acme);
  munit_assert_string_equal(t_str(t, "name"), "Acme");
  munit_assert_string_equal(t_str(t, "isDeleted"), "false");
  munit_assert_string_not_equal(t_get_header(t, "ETag"), "");
  munit_assert_string_not_equal(t_link(t, "groups"), "");
  munit_assert_int(t_send(t, "GET", "/orgs/5f5f5f5f5f5f5f5f5f5f5f5f", NULL), ==, 404);
  munit_assert_string_equal(t_error(t), "ORG_NOT_FOUND");
  munit_assert_string_equal(t_param(t, 0), "5f5f5f5f5f5f5f5f5f5f5f5f");

  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"Apex\"}", "/orgs/%s", acme), ==, 200);
  munit_assert_string_equal(t_str(t, "name"), "Apex");
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"Apex\"}", "/orgs/%s", acme), ==, 200); /* changes nothing */
  munit_assert_int64(events(t, acme, "ORG_CREATED"), ==, 1);
  munit_assert_int64(events(t, acme, "ORG_RENAMED"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].orgId"), acme);
  munit_assert_null(t_node(t, "results[0].groupId"));
  munit_assert_int64(events(t, beta, "ORG_RENAMED"), ==, 0);
  munit_assert_int(t_sendf(t, "PATCH", "{\"isDeleted\":true}", "/orgs/%s", acme), ==, 400);
  munit_assert_string_equal(t_error(t), "ATTRIBUTE_READ_ONLY");

  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s", acme), ==, 204);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", acme), ==, 404);
  munit_assert_int(t_sendf(t, "GET", NULL, SETTINGS, acme), ==, 404);
  munit_assert_string_equal(t_error(t), "ORG_NOT_FOUND");
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s", acme), ==, 404);
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 2);
}

TEST_SERVICE(organization, not_empty)
{
  const char *org, *group;
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s", org), ==, 409);
  munit_assert_string_equal(t_error(t), "ORG_NOT_EMPTY");
  munit_assert_string_equal(t_param(t, 0), org);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", org), ==, 200);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s", group), ==, 202);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s", org), ==, 204);
}

TEST_SERVICE(organization, filter)
{
  const char *acme, *other;
  acme = t_organization(t, "Acme");
  t_organization(t, "Acme-Two");
  other = t_organization(t, "Beta");
  munit_assert_int(t_send(t, "GET", "/orgs?name=Beta", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_size(t_count(t, "results"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].id"), other);
  munit_assert_int(t_send(t, "GET", "/orgs?name=acme", NULL), ==, 200); /* a prefix, case-insensitive */
  munit_assert_int64(t_int(t, "totalCount"), ==, 2);
  munit_assert_string_equal(t_str(t, "results[0].id"), acme);
  munit_assert_string_equal(t_str(t, "results[1].name"), "Acme-Two");
  munit_assert_int(t_send(t, "GET", "/orgs?name=cme", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 0);
  munit_assert_int(t_send(t, "GET", "/orgs?name=nobody", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 0);

  t->grants[0].on = other; /* a list has only organizations that its caller may see */
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].id"), other);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", acme), ==, 401);
  t->grants[0].role = "ORG_MEMBER";
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s", other), ==, 200);
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"Mine\"}", "/orgs/%s", other), ==, 403);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s", other), ==, 403);
}

TEST_SERVICE(organization, refused)
{
  munit_assert_int(t_send(t, "POST", "/orgs", "{}"), ==, 400);
  munit_assert_true(t_violation(t, "name"));
  munit_assert_int(t_send(t, "POST", "/orgs", "{\"name\":\" ab\",\"x\":1,\"apiKey\":{\"roles\":[\"GROUP_OWNER\"]},"
                          "\"serviceAccount\":{\"secretExpiresAfterHours\":7,\"roles\":[],\"name\":\"!\"}}"), ==, 400);
  munit_assert_true(t_violation(t, "name"));
  munit_assert_true(t_violation(t, "x"));
  munit_assert_true(t_violation(t, "apiKey.desc"));
  munit_assert_true(t_violation(t, "apiKey.roles[0]"));
  munit_assert_true(t_violation(t, "serviceAccount.secretExpiresAfterHours"));
  munit_assert_true(t_violation(t, "serviceAccount.roles"));
  munit_assert_true(t_violation(t, "serviceAccount.name"));
  munit_assert_true(t_violation(t, "serviceAccount.description"));
  munit_assert_int(t_send(t, "POST", "/orgs", "{\"name\":\"12345678901234567890123456789012345678901234567890123456789012345\"}"),
                   ==, 400);
  munit_assert_true(t_violation(t, "name"));
  munit_assert_int(t_send(t, "POST", "/orgs", "{\"name\":\"q\",\"federationSettingsId\":\"5f0000000000000000000001\"}"), ==, 404);
  munit_assert_string_equal(t_error(t), "FEDERATION_SETTINGS_NOT_FOUND");
  munit_assert_string_equal(t_param(t, 0), "5f0000000000000000000001");
  munit_assert_int(t_send(t, "POST", "/orgs", "{\"name\":\"q\",\"orgOwnerId\":\"5f0000000000000000000009\"}"), ==, 404);
  munit_assert_string_equal(t_error(t), "USER_NOT_FOUND");
  munit_assert_string_equal(t_param(t, 0), "5f0000000000000000000009");
  munit_assert_int(t_send(t, "GET", "/orgs", NULL), ==, 200); /* the refused requests created nothing */
  munit_assert_int64(t_int(t, "totalCount"), ==, 0);
}

TEST_SERVICE(organization, credentials)
{
  char org[32], key[32], client[64], secret[96];
  munit_assert_int(t_send(t, "POST", "/orgs", "{\"name\":\"Acme\"," KEY "," ACCOUNT "}"), ==, 201);
  snprintf(org, sizeof org, "%s", t_str(t, "organization.id"));
  snprintf(key, sizeof key, "%s", t_str(t, "apiKey.id"));
  munit_assert_string_equal(t_str(t, "apiKey.desc"), "first key");
  munit_assert_size(strlen(t_str(t, "apiKey.publicKey")), ==, 8);
  munit_assert_size(strlen(t_str(t, "apiKey.privateKey")), ==, 36);
  munit_assert_null(strchr(t_str(t, "apiKey.privateKey"), '*'));
  munit_assert_size(t_count(t, "apiKey.roles"), ==, 1);
  munit_assert_string_equal(t_str(t, "apiKey.roles[0].roleName"), "ORG_OWNER");
  munit_assert_string_equal(t_str(t, "apiKey.roles[0].orgId"), org);
  snprintf(client, sizeof client, "%s", t_str(t, "serviceAccount.clientId"));
  snprintf(secret, sizeof secret, "%s", t_str(t, "serviceAccount.secrets[0].secret"));
  munit_assert_int(strncmp(client, "svc_sa_id_", 10), ==, 0);
  munit_assert_int(strncmp(secret, "svc_sa_sk_", 10), ==, 0);
  munit_assert_string_equal(t_str(t, "serviceAccount.secrets[0].expiresAt"), "2025-06-01T08:00:00Z");
  munit_assert_string_equal(t_str(t, "serviceAccount.roles[0]"), "ORG_MEMBER");

  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/apiKeys/%s", org, key), ==, 200); /* key and account exist, without secrets */
  munit_assert_int(strncmp(t_str(t, "privateKey"), "********-****-****-", 19), ==, 0);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/serviceAccounts/%s", org, client), ==, 200);
  munit_assert_null(t_node(t, "secrets[0].secret"));
  munit_assert_null(strstr(t->response.body, secret));
  munit_assert_string_not_equal(t_str(t, "secrets[0].maskedSecretValue"), "");
  munit_assert_int64(events(t, org, "API_KEY_CREATED"), ==, 1);
  munit_assert_int64(events(t, org, "ORG_CREATED"), ==, 1);
}

static void replay(const char *body, bool key, bool account)
{
  t_service t;
  char org[32], private_key[64], secret[96];
  t_open(&t, NULL);
  t_header(&t, "Idempotency-Key", "once");
  munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 201);
  snprintf(org, sizeof org, "%s", t_str(&t, "organization.id"));
  snprintf(private_key, sizeof private_key, "%s", t_str(&t, "apiKey.privateKey"));
  snprintf(secret, sizeof secret, "%s", t_str(&t, "serviceAccount.secrets[0].secret"));
  munit_assert_size(strlen(private_key), ==, key ? 36 : 0);
  munit_assert_true((secret[0] != 0) == account);

  munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 201);
  munit_assert_string_equal(t_str(&t, "organization.id"), org);
  munit_assert_string_not_equal(t_link(&t, "self"), "");
  if (key) {
    munit_assert_null(strstr(t.response.body, private_key));
    munit_assert_int(strncmp(t_str(&t, "apiKey.privateKey"), "********-****-****-", 19), ==, 0);
    munit_assert_string_equal(t_str(&t, "apiKey.privateKey") + 19, private_key + 24);
  }
  if (account) {
    munit_assert_null(strstr(t.response.body, secret));
    munit_assert_null(t_node(&t, "serviceAccount.secrets[0].secret"));
    munit_assert_int(strncmp(t_str(&t, "serviceAccount.secrets[0].maskedSecretValue"), "svc_sa_sk_****", 14), ==, 0);
    munit_assert_string_equal(t_str(&t, "serviceAccount.secrets[0].maskedSecretValue") + 14, secret + strlen(secret) - 4);
  }
  t_headers_clear(&t);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  t_close(&t);
}

TEST(organization, replay)
{
  replay("{\"name\":\"Acme\"}", false, false);
  replay("{\"name\":\"Acme\"," ACCOUNT "}", false, true);
}

/* The stored body has shorter values before the links than the first answer: the replayed links must still be in their places. */
TEST(organization, replay_key)
{
  replay("{\"name\":\"Acme\"," KEY "}", true, false);
  replay("{\"name\":\"Acme\"," KEY "," ACCOUNT "}", true, true);
}

/* -------------------------------------------------------------------------------------------------------- settings */

static const char *settings_open(t_service *t)
{
  svc_config config;
  memset(&config, 0, sizeof config);
  config.limiter_off = 1; /* ten requests per minute are too few for a test */
  t_open(t, &config);
  return t_organization(t, "Acme");
}

/* An organization that a page of this service makes requires access lists, whoever signs the request; the page's own credentials of it
** may be used from where the page is. */
TEST(organization, made_in_a_page)
{
  t_service t;
  const char *org, *id, *client, *secret, *made;
  int page, status;
  org = settings_open(&t);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"apiAccessListRequired\":false}", SETTINGS, org), ==, 200);
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"a\",\"description\":\"a\",\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":8}",
                           "/orgs/%s/serviceAccounts", org), ==, 201);
  client = t_keep(&t, t_str(&t, "clientId"));
  secret = t_keep(&t, t_str(&t, "secrets[0].secret"));
  for (page = 0; page < 2; page++) {
    munit_assert_int(t_as_account(&t, client, secret), ==, 200);
    t_header(&t, "Sec-Fetch-Site", page ? "same-origin" : "none");
    status = t_send(&t, "POST", "/orgs", page ? "{\"name\":\"Page\"," KEY "," ACCOUNT "}" : "{\"name\":\"Program\"," KEY "," ACCOUNT "}");
    if (status != 201) munit_error(t.response.body);
    id = t_keep(&t, t_str(&t, "organization.id"));
    made = t_keep(&t, t_str(&t, "serviceAccount.clientId"));
    t_headers_clear(&t);
    t_as_host(&t);
    munit_assert_int(t_sendf(&t, "GET", NULL, SETTINGS, id), ==, 200);
    munit_assert_string_equal(t_str(&t, "apiAccessListRequired"), page ? "true" : "false");
    munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/serviceAccounts/%s/accessList", id, made), ==, 200);
    munit_assert_int64(t_int(&t, "totalCount"), ==, page);
  }
  t_close(&t);
}

TEST(organization, settings_merge)
{
  t_service t;
  const char *org;
  org = settings_open(&t);
  munit_assert_int(t_sendf(&t, "GET", NULL, SETTINGS, org), ==, 200);
  munit_assert_string_equal(t_str(&t, "apiAccessListRequired"), "true"); /* a person created the organization */
  munit_assert_string_equal(t_str(&t, "genAIFeaturesEnabled"), "true");
  munit_assert_int64(t_int(&t, "maxServiceAccountSecretValidityInHours"), ==, 8760);
  munit_assert_string_equal(t_str(&t, "multiFactorAuthRequired"), "false");
  munit_assert_string_equal(t_str(&t, "restrictEmployeeAccess"), "false");
  munit_assert_string_equal(t_str(&t, "streamsCrossGroupEnabled"), "false");
  munit_assert_null(t_node(&t, "customSessionTimeouts"));
  munit_assert_null(t_node(&t, "operationsContact"));
  munit_assert_null(t_node(&t, "securityContact"));

  munit_assert_int(t_sendf(&t, "PATCH", "{\"operationsContact\":\"ops@example.com\",\"securityContact\":\"sec@example.com\","
                           "\"customSessionTimeouts\":{\"idleSessionTimeoutInSeconds\":600}}", SETTINGS, org), ==, 200);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"customSessionTimeouts\":{\"absoluteSessionTimeoutInSeconds\":3600},"
                           "\"genAIFeaturesEnabled\":false}", SETTINGS, org), ==, 200);
  munit_assert_int(t_sendf(&t, "GET", NULL, SETTINGS, org), ==, 200);
  munit_assert_int64(t_int(&t, "customSessionTimeouts.idleSessionTimeoutInSeconds"), ==, 600);
  munit_assert_int64(t_int(&t, "customSessionTimeouts.absoluteSessionTimeoutInSeconds"), ==, 3600);
  munit_assert_string_equal(t_str(&t, "genAIFeaturesEnabled"), "false");
  munit_assert_string_equal(t_str(&t, "operationsContact"), "ops@example.com");

  munit_assert_int(t_sendf(&t, "PATCH", "{\"operationsContact\":null}", SETTINGS, org), ==, 200);
  munit_assert_null(t_node(&t, "operationsContact"));
  munit_assert_string_equal(t_str(&t, "securityContact"), "sec@example.com");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"securityContact\":null}", SETTINGS, org), ==, 200);
  munit_assert_null(t_node(&t, "securityContact"));
  t_close(&t);
}

TEST(organization, settings_bounds)
{
  t_service t;
  const char *org;
  org = settings_open(&t);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"maxServiceAccountSecretValidityInHours\":7,\"securityContact\":\"nobody\",\"x\":1,"
                           "\"operationsContact\":\"@\",\"multiFactorAuthRequired\":\"yes\",\"apiAccessListRequired\":null,"
                           "\"customSessionTimeouts\":{\"absoluteSessionTimeoutInSeconds\":0,\"idleSessionTimeoutInSeconds\":0}}",
                           SETTINGS, org), ==, 400);
  munit_assert_true(t_violation(&t, "maxServiceAccountSecretValidityInHours"));
  munit_assert_true(t_violation(&t, "securityContact"));
  munit_assert_true(t_violation(&t, "operationsContact"));
  munit_assert_true(t_violation(&t, "multiFactorAuthRequired"));
  munit_assert_true(t_violation(&t, "apiAccessListRequired"));
  munit_assert_true(t_violation(&t, "x"));
  munit_assert_true(t_violation(&t, "customSessionTimeouts.absoluteSessionTimeoutInSeconds"));
  munit_assert_true(t_violation(&t, "customSessionTimeouts.idleSessionTimeoutInSeconds"));
  munit_assert_size(t_count(&t, "badRequestDetail.fields"), ==, 8);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"maxServiceAccountSecretValidityInHours\":8761}", SETTINGS, org), ==, 400);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"maxServiceAccountSecretValidityInHours\":8}", SETTINGS, org), ==, 200);
  munit_assert_int64(t_int(&t, "maxServiceAccountSecretValidityInHours"), ==, 8);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"maxServiceAccountSecretValidityInHours\":8760}", SETTINGS, org), ==, 200);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"customSessionTimeouts\":{\"absoluteSessionTimeoutInSeconds\":1}}", SETTINGS, org), ==, 200);
  t.grants[0].role = "ORG_MEMBER";
  munit_assert_int(t_sendf(&t, "GET", NULL, SETTINGS, org), ==, 200);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"genAIFeaturesEnabled\":false}", SETTINGS, org), ==, 403);
  t_close(&t);
}

TEST(organization, settings_events)
{
  static const struct { const char *body, *event; int64_t count; } steps[] = {
    { "{\"apiAccessListRequired\":false}", "ORG_PUBLIC_API_ACCESS_LIST_NOT_REQUIRED", 1 }, /* required from the start */
    { "{\"apiAccessListRequired\":true}", "ORG_PUBLIC_API_ACCESS_LIST_REQUIRED", 1 },
    { "{\"multiFactorAuthRequired\":true}", "ORG_TWO_FACTOR_AUTH_REQUIRED", 1 },
    { "{\"multiFactorAuthRequired\":false}", "ORG_TWO_FACTOR_AUTH_OPTIONAL", 1 },
    { "{\"restrictEmployeeAccess\":true}", "ORG_EMPLOYEE_ACCESS_RESTRICTED", 1 },
    { "{\"restrictEmployeeAccess\":false}", "ORG_EMPLOYEE_ACCESS_UNRESTRICTED", 1 },
    { "{\"customSessionTimeouts\":{\"idleSessionTimeoutInSeconds\":60}}", "CUSTOM_SESSION_TIMEOUT_MODIFIED", 1 },
    { "{\"maxServiceAccountSecretValidityInHours\":24}", "ORG_SERVICE_ACCOUNT_MAX_SECRET_VALIDITY_EDITED", 1 },
    { "{\"operationsContact\":\"ops@example.com\"}", "OPERATIONS_CONTACT_MODIFIED", 1 },
    { "{\"operationsContact\":null}", "OPERATIONS_CONTACT_MODIFIED", 2 },
    { "{\"securityContact\":\"sec@example.com\"}", "SECURITY_CONTACT_MODIFIED", 1 },
    { "{\"genAIFeaturesEnabled\":false}", "ORG_SETTINGS_UPDATED", 1 },
    { "{\"streamsCrossGroupEnabled\":true}", "ORG_SETTINGS_UPDATED", 2 },
  };
  t_service t;
  const char *org;
  size_t i;
  org = settings_open(&t);
  for (i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    munit_assert_int(t_sendf(&t, "PATCH", steps[i].body, SETTINGS, org), ==, 200);
    munit_assert_int(t_sendf(&t, "PATCH", steps[i].body, SETTINGS, org), ==, 200); /* again: nothing changes */
    munit_assert_int64(events(&t, org, steps[i].event), ==, steps[i].count);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/events", org), ==, 200); /* and no other event */
    munit_assert_int64(t_int(&t, "totalCount"), ==, (int64_t)i + 2);
    munit_assert_string_equal(t_str(&t, "results[0].eventTypeName"), steps[i].event);
  }
  munit_assert_int(t_sendf(&t, "PATCH", "{\"apiAccessListRequired\":false,\"genAIFeaturesEnabled\":true}", SETTINGS, org), ==, 200);
  munit_assert_int64(events(&t, org, "ORG_PUBLIC_API_ACCESS_LIST_NOT_REQUIRED"), ==, 2); /* an event for each setting */
  munit_assert_int64(events(&t, org, "ORG_SETTINGS_UPDATED"), ==, 3);
  t_close(&t);
}

/* A credential reaches only its own organization. To create another organization, the request must name its owner, or ask for a
** credential of the new organization. */
TEST(organization, by_credential)
{
  enum { MOST = 100 };
  static const char with_key[] = "{\"name\":\"More\",\"apiKey\":{\"desc\":\"k\",\"roles\":[\"ORG_OWNER\"]}}";
  t_service t;
  const char *org, *id, *user, *last = "";
  char body[128];
  int i;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  org = t_organization(&t, "Acme");
  snprintf(body, sizeof body, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", org);
  user = t_user(&t, "ada@example.com", body);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"apiAccessListRequired\":false}", "/orgs/%s/settings", org), ==, 200);
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"a\",\"description\":\"a\",\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":8}",
                           "/orgs/%s/serviceAccounts", org), ==, 201);
  id = t_keep(&t, t_str(&t, "clientId"));
  munit_assert_int(t_as_account(&t, id, t_keep(&t, t_str(&t, "secrets[0].secret"))), ==, 200);
  t_header(&t, "Content-Type", "application/json");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"Lost\"}"), ==, 403);
  munit_assert_string_equal(t_error(&t), "API_KEY_CANNOT_CREATE_ORG");
  munit_assert_not_null(strstr(t_str(&t, "detail"), "apiKey"));
  munit_assert_not_null(strstr(t_str(&t, "detail"), "orgOwnerId"));
  munit_assert_int(t_send(&t, "POST", "/orgs", with_key), ==, 201);
  munit_assert_size(strlen(t_str(&t, "apiKey.privateKey")), ==, 36);
  munit_assert_string_equal(t_str(&t, "apiKey.roles[0].roleName"), "ORG_OWNER");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"More\",\"serviceAccount\":{\"name\":\"a\",\"description\":\"a\",\"roles\":"
                          "[\"ORG_OWNER\"],\"secretExpiresAfterHours\":8}}"), ==, 201);
  munit_assert_string_not_equal(t_str(&t, "serviceAccount.secrets[0].secret"), "");
  snprintf(body, sizeof body, "{\"name\":\"More\",\"orgOwnerId\":\"%s\"}", user);
  munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 201);
  for (i = 3; i < MOST; i++) {
    munit_assert_int(t_send(&t, "POST", "/orgs", with_key), ==, 201);
    last = t_keep(&t, t_str(&t, "organization.id"));
  }
  munit_assert_int(t_send(&t, "POST", "/orgs", with_key), ==, 400);
  munit_assert_string_equal(t_error(&t), "MAX_ORGS_PER_USER_EXCEEDED");
  t_as_host(&t); /* a delete makes room for one more */
  t_organization(&t, "Others"); /* the host decides how many organizations its users create */
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s", last), ==, 204);
  munit_assert_int(t_sendf(&t, "POST", "{\"secretExpiresAfterHours\":8}", "/orgs/%s/serviceAccounts/%s/secrets", org, id), ==, 201);
  munit_assert_int(t_as_account(&t, id, t_keep(&t, t_str(&t, "secret"))), ==, 200);
  t_header(&t, "Content-Type", "application/json");
  munit_assert_int(t_send(&t, "POST", "/orgs", with_key), ==, 201);
  munit_assert_int(t_send(&t, "POST", "/orgs", with_key), ==, 400);
  t_as_host(&t);
  store_whole(t.s);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s", org), ==, 204); /* the creator is deleted, the created organizations stay */
  store_whole(t.s);
  t_close(&t);
}

/* Creates a service account of this organization. The account sends all later requests. */
static void organization_account(t_service *t, const char *org, const char *role)
{
  char body[256];
  const char *id;
  t_as_host(t);
  munit_assert_int(t_sendf(t, "PATCH", "{\"apiAccessListRequired\":false}", "/orgs/%s/settings", org), ==, 200);
  snprintf(body, sizeof body, "{\"name\":\"a\",\"description\":\"a\",\"roles\":[\"%s\"],\"secretExpiresAfterHours\":8}", role);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/serviceAccounts", org), ==, 201);
  id = t_keep(t, t_str(t, "clientId"));
  munit_assert_int(t_as_account(t, id, t_keep(t, t_str(t, "secrets[0].secret"))), ==, 200);
  t_header(t, "Content-Type", "application/json");
}

/* Only members of the caller's own organization can become owners. The error does not show whether another user exists. */
TEST(organization, owner_strange)
{
  t_service t;
  const char *org, *other, *mine, *stranger;
  char body[160], said[512];
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  org = t_organization(&t, "Acme");
  other = t_organization(&t, "Other");
  snprintf(body, sizeof body, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", org);
  mine = t_user(&t, "ada@example.com", body);
  snprintf(body, sizeof body, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]", other);
  stranger = t_user(&t, "bob@example.com", body);
  organization_account(&t, org, "ORG_OWNER");
  snprintf(body, sizeof body, "{\"name\":\"New\",\"orgOwnerId\":\"%s\"}", stranger);
  munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 404);
  snprintf(said, sizeof said, "%s", t_str(&t, "detail"));
  memset(strstr(said, stranger), '0', 24);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/users/%s", stranger), ==, 404);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"New\",\"orgOwnerId\":\"000000000000000000000000\"}"), ==, 404);
  munit_assert_string_equal(t_str(&t, "detail"), said);
  snprintf(body, sizeof body, "{\"name\":\"New\",\"orgOwnerId\":\"%s\"}", mine);
  munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 201);
  t_as_host(&t);
  t_as(&t, mine); /* a user may name itself */
  munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 201);
  snprintf(body, sizeof body, "{\"name\":\"New\",\"orgOwnerId\":\"%s\"}", stranger);
  munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 404);
  t_as_host(&t);
  munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 201);
  store_whole(t.s);
  t_close(&t);
}

/* Organizations that create one another form a family with one limit. Only owners may create them. */
TEST(organization, family)
{
  enum { MOST = 100 };
  static const char with_account[] = "{\"name\":\"More\",\"serviceAccount\":{\"name\":\"a\",\"description\":\"a\",\"roles\":[\"ORG_OWNER\"],"
                                     "\"secretExpiresAfterHours\":8}}";
  t_service t;
  const char *org, *child = NULL, *id, *first = NULL;
  int i;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  org = t_organization(&t, "Acme");
  organization_account(&t, org, "ORG_READ_ONLY");
  munit_assert_int(t_send(&t, "POST", "/orgs", with_account), ==, 403);
  munit_assert_string_not_equal(t_error(&t), "API_KEY_CANNOT_CREATE_ORG");
  organization_account(&t, org, "ORG_OWNER");
  for (i = 0; i < MOST; i++) { /* the first account creates an organization, whose account creates the next 25, and so on */
    munit_assert_int(t_send(&t, "POST", "/orgs", with_account), ==, 201);
    child = t_keep(&t, t_str(&t, "organization.id"));
    if (i == 0) first = child;
    if (i % 25) continue; /* the other organizations create none */
    organization_account(&t, child, "ORG_OWNER");
  }
  munit_assert_int(t_send(&t, "POST", "/orgs", with_account), ==, 400);
  munit_assert_string_equal(t_error(&t), "MAX_ORGS_PER_USER_EXCEEDED");
  t_as_host(&t); /* deleting the first of the family does not reset the limit */
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s", org), ==, 204);
  store_whole(t.s);
  organization_account(&t, first, "ORG_OWNER");
  munit_assert_int(t_send(&t, "POST", "/orgs", with_account), ==, 400);
  t_as_host(&t); /* a delete makes room for one more */
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s", child), ==, 204);
  organization_account(&t, first, "ORG_OWNER");
  munit_assert_int(t_send(&t, "POST", "/orgs", with_account), ==, 201);
  munit_assert_int(t_send(&t, "POST", "/orgs", with_account), ==, 400);
  t_as_host(&t);
  id = t_organization(&t, "Elsewhere"); /* another family is not affected */
  organization_account(&t, id, "ORG_OWNER");
  munit_assert_int(t_send(&t, "POST", "/orgs", with_account), ==, 201);
  t_as_host(&t);
  store_whole(t.s);
  t_close(&t);
}

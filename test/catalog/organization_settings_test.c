/*
** The effects of an organization's settings on other operations.
*/
#include "support.h"

static const svc_config quiet = { .limiter_off = 1 };

static void settings_set(t_place *w, const char *body, int status)
{
  if (t_sendf(&w->t, "PATCH", body, "/orgs/%s/settings", w->org) != status) munit_errorf("%s: %d %s", body, w->t.response.status, w->t.response.body);
}

/* Checks that the request is refused with this code and changes nothing. */
static void settings_refuse(t_place *w, const char *method, const char *path, const char *body, const char *code)
{
  uint64_t print;
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  print = store_print(w->t.s);
  if (t_send(&w->t, method, path, body) != 403) munit_errorf("%s %s: %d %s", method, path, w->t.response.status, w->t.response.body);
  munit_assert_string_equal(t_error(&w->t), code);
  munit_assert_uint64(store_print(w->t.s), ==, print);
}

static const char *settings_path(t_place *w, const char *front, const char *id, const char *behind)
{
  char path[256];
  snprintf(path, sizeof path, "%s%s%s", front, id, behind);
  return t_keep(&w->t, path);
}

/* ---------------------------------------------------------------------------------------------------------- second factors */

#define NO_FACTOR "MULTI_FACTOR_AUTH_REQUIRED"

TEST(organization_settings, factors)
{
  t_place w;
  const char *other, *own, *groups, *moved;
  char body[128];
  t_place_open(&w, &quiet, "alpha", NULL);
  other = t_organization(&w.t, "Other");
  moved = t_project(&w.t, other, "moved");
  own = settings_path(&w, "/orgs/", w.org, "/settings");
  groups = settings_path(&w, "/groups/", w.group, "");
  w.t.caller.second_factor = 0;
  settings_set(&w, "{\"securityContact\":\"a@example.com\"}", 200); /* not required yet */
  /* a caller without a second factor would lose access */
  settings_refuse(&w, "PATCH", own, "{\"multiFactorAuthRequired\":true}", NO_FACTOR);
  munit_assert_string_equal(t_param(&w.t, 0), w.org);
  w.t.caller.second_factor = 1;
  settings_set(&w, "{\"multiFactorAuthRequired\":true,\"apiAccessListRequired\":true}", 200);
  munit_assert_int(t_send(&w.t, "GET", groups, NULL), ==, 200);

  w.t.caller.second_factor = 0;
  settings_refuse(&w, "GET", groups, NULL, NO_FACTOR);
  settings_refuse(&w, "PATCH", groups, "{\"name\":\"beta\"}", NO_FACTOR);
  settings_refuse(&w, "GET", settings_path(&w, "/orgs/", w.org, ""), NULL, NO_FACTOR);
  settings_refuse(&w, "PATCH", own, "{\"multiFactorAuthRequired\":false}", NO_FACTOR); /* ending the requirement needs it, too */
  snprintf(body, sizeof body, "{\"name\":\"new\",\"orgId\":\"%s\"}", w.org);
  settings_refuse(&w, "POST", "/groups", body, NO_FACTOR);
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", w.org);
  settings_refuse(&w, "POST", settings_path(&w, "/groups/", moved, ":migrate"), body, NO_FACTOR);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s", moved), ==, 200); /* another organization does not require it */
  munit_assert_int(t_send(&w.t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);

  w.t.caller.user_id = "000000000000000000000000"; /* the host itself is no person */
  munit_assert_int(t_send(&w.t, "GET", groups, NULL), ==, 200);
  w.t.caller.user_id = "5f0000000000000000000001";
  w.t.caller.second_factor = 1;
  settings_set(&w, "{\"multiFactorAuthRequired\":false}", 200);
  w.t.caller.second_factor = 0;
  munit_assert_int(t_send(&w.t, "GET", groups, NULL), ==, 200);
  t_close(&w.t);
}

/* A body may name an organization or project that the path does not name. The settings of that organization apply, too. */
TEST(organization_settings, factors_of_others)
{
  static const char cluster[] = "{\"name\":\"Main\",\"clusterType\":\"REPLICASET\",\"backupEnabled\":true,\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":"
                                "\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}";
  t_place w;
  const char *free_of_it, *clusters, *snapshot;
  char body[512];
  t_place_open(&w, &quiet, "alpha", cluster);
  free_of_it = t_project(&w.t, t_organization(&w.t, "Other"), "beta");
  clusters = settings_path(&w, "/groups/", free_of_it, "/clusters");
  munit_assert_int(t_send(&w.t, "POST", clusters, cluster), ==, 201);
  t_advance(&w.t, 60);
  munit_assert_int(t_sendf(&w.t, "POST", "{}", "%s/Main/backup/snapshots", clusters), ==, 202);
  snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 60);
  settings_set(&w, "{\"multiFactorAuthRequired\":true}", 200);
  w.t.caller.second_factor = 0;

  snprintf(body, sizeof body, "{\"deliveryType\":\"automated\",\"snapshotId\":\"%s\",\"targetGroupId\":\"%s\",\"targetClusterName\":\"Main\"}", snapshot, w.group);
  settings_refuse(&w, "POST", settings_path(&w, clusters, "/Main", "/backup/restoreJobs"), body, NO_FACTOR);
  snprintf(body, sizeof body, "{\"username\":\"eve@x.com\",\"password\":\"longenough\",\"firstName\":\"A\",\"lastName\":\"B\",\"country\":\"GB\","
           "\"mobileNumber\":\"2125550123\",\"roles\":[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]}", w.org);
  settings_refuse(&w, "POST", "/users", body, NO_FACTOR);
  snprintf(body, sizeof body, "{\"username\":\"eve@x.com\",\"password\":\"longenough\",\"firstName\":\"A\",\"lastName\":\"B\",\"country\":\"GB\","
           "\"mobileNumber\":\"2125550123\",\"roles\":[{\"groupId\":\"%s\",\"roleName\":\"GROUP_OWNER\"}]}", w.group);
  settings_refuse(&w, "POST", "/users", body, NO_FACTOR);
  w.t.caller.second_factor = 1;
  munit_assert_int(t_send(&w.t, "POST", "/users", body), ==, 201);
  t_close(&w.t);
}

/* Credentials are for machines, and need no second factor. */
TEST(organization_settings, factors_of_credentials)
{
  t_place w;
  const char *id, *secret;
  t_place_open(&w, &quiet, "alpha", NULL);
  settings_set(&w, "{\"multiFactorAuthRequired\":true,\"apiAccessListRequired\":false}", 200);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"a\",\"description\":\"a\",\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":8}",
                           "/orgs/%s/serviceAccounts", w.org), ==, 201);
  id = t_keep(&w.t, t_str(&w.t, "clientId"));
  secret = t_keep(&w.t, t_str(&w.t, "secrets[0].secret"));
  munit_assert_int(t_as_account(&w.t, id, secret), ==, 200);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s", w.group), ==, 200);
  settings_set(&w, "{\"multiFactorAuthRequired\":false}", 200);
  settings_set(&w, "{\"multiFactorAuthRequired\":true}", 200);
  t_as_host(&w.t);
  t_close(&w.t);
}

/* ------------------------------------------------------------------------------------------------------------ other settings */

TEST(organization_settings, employees)
{
  static const char grant[] = "{\"expirationTime\":\"2025-06-08T00:00:00Z\",\"grantType\":\"CLUSTER_DATABASE_LOGS\"}";
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"Main\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":"
                           "\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}",
                           "/groups/%s/clusters", w.group), ==, 201);
  t_advance(&w.t, 60);
  settings_set(&w, "{\"restrictEmployeeAccess\":true}", 200);
  settings_refuse(&w, "POST", settings_path(&w, "/groups/", w.group, "/clusters/Main:grantVendorEmployeeAccess"), grant, "EMPLOYEE_ACCESS_RESTRICTED");
  settings_set(&w, "{\"restrictEmployeeAccess\":false}", 200);
  munit_assert_int(t_sendf(&w.t, "POST", grant, "/groups/%s/clusters/Main:grantVendorEmployeeAccess", w.group), ==, 204);
  settings_set(&w, "{\"restrictEmployeeAccess\":true}", 200); /* an existing grant can be revoked */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/Main", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "vendorEmployeeAccessGrant.grantType"), "CLUSTER_DATABASE_LOGS");
  munit_assert_int(t_sendf(&w.t, "POST", NULL, "/groups/%s/clusters/Main:revokeVendorEmployeeAccess", w.group), ==, 204);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/Main", w.group), ==, 200);
  munit_assert_null(t_node(&w.t, "vendorEmployeeAccessGrant"));
  t_close(&w.t);
}

TEST(organization_settings, generative)
{
  static const char *const names[] = { "isClusterAiAssistantEnabled", "isDataExplorerGenAIFeaturesEnabled",
                                       "isDataExplorerGenAISampleDocumentPassingEnabled" };
  t_place w;
  const char *path;
  char body[128], all[1024];
  size_t i;
  t_place_open(&w, &quiet, "alpha", NULL);
  path = settings_path(&w, "/groups/", w.group, "/settings");
  settings_set(&w, "{\"genAIFeaturesEnabled\":false}", 200); /* also if the project's settings were never changed */
  settings_refuse(&w, "PATCH", path, "{\"isClusterAiAssistantEnabled\":true}", "GEN_AI_FEATURES_DISABLED");
  settings_set(&w, "{\"genAIFeaturesEnabled\":true}", 200);
  munit_assert_int(t_send(&w.t, "PATCH", path, "{\"isDataExplorerGenAISampleDocumentPassingEnabled\":true}"), ==, 200);
  settings_set(&w, "{\"genAIFeaturesEnabled\":false}", 200);
  for (i = 0; i < 3; i++) {
    munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 200);
    munit_assert_string_equal(t_str(&w.t, names[i]), "false");
    snprintf(body, sizeof body, "{\"%s\":true}", names[i]);
    settings_refuse(&w, "PATCH", path, body, "GEN_AI_FEATURES_DISABLED");
    munit_assert_string_equal(t_param(&w.t, 0), names[i]);
    munit_assert_string_equal(t_param(&w.t, 1), w.org);
  }
  munit_assert_int(t_send(&w.t, "PATCH", path, "{\"isSchemaAdvisorEnabled\":false}"), ==, 200); /* other settings are not affected */
  munit_assert_string_equal(t_str(&w.t, names[0]), "false");
  munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 200);
  snprintf(all, sizeof all, "%s", w.t.response.body);
  munit_assert_int(t_send(&w.t, "PATCH", path, all), ==, 200); /* the shown body can be sent back */
  settings_set(&w, "{\"genAIFeaturesEnabled\":true}", 200);
  munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 200); /* the stored values are unchanged */
  for (i = 0; i < 3; i++) munit_assert_string_equal(t_str(&w.t, names[i]), "true");
  munit_assert_string_equal(t_str(&w.t, "isSchemaAdvisorEnabled"), "false");
  t_close(&w.t);
}

/* The maximum validity holds for the first secret and for further secrets of service accounts, in organizations and in projects. Existing
** secrets keep their expiry. */
TEST(organization_settings, secrets)
{
  static const char account[] = "{\"name\":\"a\",\"description\":\"a\",\"roles\":[\"%s\"],\"secretExpiresAfterHours\":%d}";
  static const struct {
    const char *of, *role;
  } places[] = { { "orgs", "ORG_MEMBER" }, { "groups", "GROUP_READ_ONLY" } };
  t_place w;
  size_t i;
  t_place_open(&w, &quiet, "alpha", NULL);
  for (i = 0; i < 2; i++) {
    const char *in = i ? w.group : w.org, *client, *until;
    char body[256];
    settings_set(&w, "{\"maxServiceAccountSecretValidityInHours\":8760}", 200);
    snprintf(body, sizeof body, account, places[i].role, 100);
    munit_assert_int(t_sendf(&w.t, "POST", body, "/%s/%s/serviceAccounts", places[i].of, in), ==, 201);
    client = t_keep(&w.t, t_str(&w.t, "clientId"));
    until = t_keep(&w.t, t_str(&w.t, "secrets[0].expiresAt"));
    settings_set(&w, "{\"maxServiceAccountSecretValidityInHours\":24}", 200);
    munit_assert_int(t_sendf(&w.t, "POST", body, "/%s/%s/serviceAccounts", places[i].of, in), ==, 400);
    munit_assert_true(t_violation(&w.t, "secretExpiresAfterHours"));
    munit_assert_int(t_sendf(&w.t, "POST", "{\"secretExpiresAfterHours\":25}", "/%s/%s/serviceAccounts/%s/secrets", places[i].of, in, client), ==, 400);
    munit_assert_true(t_violation(&w.t, "secretExpiresAfterHours"));
    munit_assert_int(t_sendf(&w.t, "POST", "{\"secretExpiresAfterHours\":24}", "/%s/%s/serviceAccounts/%s/secrets", places[i].of, in, client), ==, 201);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/%s/%s/serviceAccounts/%s", places[i].of, in, client), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "secrets[0].expiresAt"), until);
  }
  t_close(&w.t);
}

TEST(organization_settings, sessions)
{
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  settings_set(&w, "{\"customSessionTimeouts\":{\"absoluteSessionTimeoutInSeconds\":600,\"idleSessionTimeoutInSeconds\":601}}", 400);
  munit_assert_true(t_violation(&w.t, "customSessionTimeouts.idleSessionTimeoutInSeconds"));
  settings_set(&w, "{\"customSessionTimeouts\":{\"absoluteSessionTimeoutInSeconds\":600,\"idleSessionTimeoutInSeconds\":600}}", 200);
  settings_set(&w, "{\"customSessionTimeouts\":{\"idleSessionTimeoutInSeconds\":60}}", 200);
  t_close(&w.t);
}

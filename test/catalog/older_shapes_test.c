/*
** Older shapes of nouns that differ from the newest in a field or two. Clusters are tested in cluster_versions_test.c,
** rules for all versions in every_version_test.c.
**
** Tests also: alert, backup_schedule, compliance_policy, export_bucket, identity_provider, live_migration, live_migration_validation, organization_user, process_args
*/
#include "world.h"

#define FIRST "application/vnd.svc.2023-01-01+json"
#define LAST "application/vnd.svc.2099-01-01+json"

/* Opens a world with a ready request of this operation. */
static const svc_plan *shapes_open(t_world *w, const char *op)
{
  size_t i;
  t_world_open(w);
  for (i = 0; i < w->t.s->plan_count; i++)
    if (w->t.s->plans[i].route->op && strcmp(w->t.s->plans[i].route->op, op) == 0) {
      if (!t_world_ready(w, &w->t.s->plans[i])) munit_errorf("%s is not ready: %s", op, w->why);
      return &w->t.s->plans[i];
    }
  munit_errorf("there is no operation %s", op);
  return NULL;
}

static void shapes_send(t_world *w, const char *accept, const char *method, const char *path, const char *body, int status)
{
  int got;
  t_headers_clear(&w->t);
  t_header(&w->t, "Accept", accept);
  got = t_send(&w->t, method, path, body);
  t_headers_clear(&w->t);
  if (got != status) munit_errorf("%s %s: %d, not %d: %s", method, path, got, status, w->t.response.body);
}

static void shapes_has_not(const t_world *w, const char *field)
{
  if (t_node(&w->t, field)) munit_errorf("%s is shown: %s", field, w->t.response.body);
}

TEST(older_shapes, process_args)
{
  static t_world w;
  shapes_open(&w, "updateProcessArgs");
  shapes_send(&w, FIRST, "PATCH", w.path, "{\"defaultReadConcern\":\"available\",\"failIndexKeyTooLong\":false,\"noTableScan\":true}", 200);
  munit_assert_string_equal(t_str(&w.t, "defaultReadConcern"), "available");
  munit_assert_string_equal(t_str(&w.t, "noTableScan"), "true");
  shapes_send(&w, LAST, "GET", w.path, NULL, 200);
  shapes_has_not(&w, "defaultReadConcern");
  munit_assert_string_equal(t_str(&w.t, "noTableScan"), "true");
  shapes_send(&w, FIRST, "GET", w.path, NULL, 200);
  shapes_has_not(&w, "defaultReadConcern"); /* without a value they are left out */
  shapes_has_not(&w, "failIndexKeyTooLong");
  shapes_send(&w, FIRST, "PATCH", w.path, "{\"defaultReadConcern\":\"local\"}", 400);
  munit_assert_true(t_violation(&w.t, "defaultReadConcern"));
  shapes_send(&w, LAST, "PATCH", w.path, "{\"defaultReadConcern\":\"available\"}", 400);
  t_world_close(&w);
}

/* Copy settings name a replication spec of the cluster instead of its zone. */
TEST(older_shapes, backup_schedule)
{
  static t_world w;
  char cluster[512], body[512], spec[32], zone[32];
  shapes_open(&w, "updateBackupSchedule");
  snprintf(cluster, sizeof cluster, "%.*s", (int)(strstr(w.path, "/backup") - w.path), w.path);
  shapes_send(&w, LAST, "GET", cluster, NULL, 200);
  snprintf(spec, sizeof spec, "%s", t_str(&w.t, "replicationSpecs[0].id"));
  snprintf(zone, sizeof zone, "%s", t_str(&w.t, "replicationSpecs[0].zoneId"));
  snprintf(body, sizeof body, "{\"copySettings\":[{\"cloudProvider\":\"AWS\",\"frequencies\":[\"DAILY\"],\"regionName\":\"EU_WEST_1\",\"replicationSpecId\":\"%s\"}]}", spec);
  shapes_send(&w, FIRST, "PATCH", w.path, body, 200);
  munit_assert_string_equal(t_str(&w.t, "copySettings[0].replicationSpecId"), spec);
  shapes_has_not(&w, "copySettings[0].zoneId");
  shapes_has_not(&w, "autoCopySettingsEnabled");
  shapes_send(&w, LAST, "GET", w.path, NULL, 200);
  munit_assert_string_equal(t_str(&w.t, "copySettings[0].zoneId"), zone);
  shapes_has_not(&w, "copySettings[0].replicationSpecId");
  /* deleted copies are named the same way */
  snprintf(body, sizeof body, "{\"copySettings\":[],\"deleteCopiedBackups\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"EU_WEST_1\",\"replicationSpecId\":\"%s\"}]}", spec);
  shapes_send(&w, FIRST, "PATCH", w.path, body, 200);
  munit_assert_size(t_count(&w.t, "copySettings"), ==, 0);
  shapes_send(&w, FIRST, "PATCH", w.path, "{\"copySettings\":[{\"cloudProvider\":\"AWS\",\"frequencies\":[\"DAILY\"],\"regionName\":\"EU_WEST_1\","
                                          "\"replicationSpecId\":\"0123456789abcdef01234567\"}]}", 400);
  munit_assert_true(t_violation(&w.t, "copySettings[0].replicationSpecId"));
  shapes_send(&w, FIRST, "PATCH", w.path, "{\"autoCopySettingsEnabled\":true}", 400);
  t_world_close(&w);
}

/* The names of the authorized person are optional. */
TEST(older_shapes, compliance_policy)
{
  static t_world w;
  const char *nameless = "{\"authorizedEmail\":\"ada@example.com\",\"scheduledPolicyItems\":[{\"frequencyInterval\":1,\"frequencyType\":\"daily\","
                         "\"retentionUnit\":\"days\",\"retentionValue\":9}]}";
  shapes_open(&w, "updateCompliancePolicy");
  shapes_send(&w, LAST, "PUT", w.path, nameless, 400);
  munit_assert_true(t_violation(&w.t, "authorizedUserFirstName"));
  shapes_send(&w, FIRST, "PUT", w.path, nameless, 200);
  munit_assert_string_equal(t_str(&w.t, "authorizedUserLastName"), "ada@example.com");
  shapes_send(&w, LAST, "PUT", w.path, "{\"authorizedEmail\":\"ada@example.com\",\"authorizedUserFirstName\":\"Ada\",\"authorizedUserLastName\":\"Lovelace\","
              "\"scheduledPolicyItems\":[{\"frequencyInterval\":1,\"frequencyType\":\"daily\",\"retentionUnit\":\"days\",\"retentionValue\":9}]}", 200);
  shapes_send(&w, FIRST, "PUT", w.path, nameless, 200); /* stored names stay */
  munit_assert_string_equal(t_str(&w.t, "authorizedUserLastName"), "Lovelace");
  t_world_close(&w);
}

/* The older version shows and creates only buckets at AWS. */
TEST(older_shapes, export_bucket)
{
  static t_world w;
  char body[512], role[32], at[1100];
  shapes_open(&w, "createExportBucket");
  shapes_send(&w, FIRST, "POST", w.path, w.body, 201);
  munit_assert_string_equal(t_str(&w.t, "cloudProvider"), "AWS");
  munit_assert_int(t_sendf(&w.t, "POST", "{\"providerName\":\"AZURE\",\"svcAzureAppId\":\"9f2deb0d-be22-4524-a403-df531868bac0\",\"servicePrincipalId\":"
                                         "\"22f1d2a6-d0e9-482a-83a4-b8dd7dddc2c1\",\"tenantId\":\"91402384-d71e-22f5-22dd-759e272cdc1c\"}",
                           "/groups/%s/cloudProviderAccess", w.group), ==, 201);
  t_advance(&w.t, 10);
  snprintf(role, sizeof role, "%s", t_str(&w.t, "_id"));
  snprintf(body, sizeof body, "{\"bucketName\":\"acme-two\",\"cloudProvider\":\"AZURE\",\"roleId\":\"%s\",\"serviceUrl\":\"https://acme.blob.core.windows.net\"}", role);
  shapes_send(&w, FIRST, "POST", w.path, body, 400);
  munit_assert_true(t_violation(&w.t, "roleId"));
  shapes_send(&w, LAST, "POST", w.path, body, 201);
  snprintf(at, sizeof at, "%s/%s", w.path, t_str(&w.t, "_id"));
  shapes_send(&w, LAST, "GET", w.path, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  shapes_send(&w, FIRST, "GET", w.path, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  shapes_send(&w, LAST, "GET", at, NULL, 200);
  shapes_send(&w, FIRST, "GET", at, NULL, 404);
  munit_assert_string_equal(t_error(&w.t), "EXPORT_BUCKET_NOT_FOUND");
  t_world_close(&w);
}

/* The fields of OIDC are neither shown nor accepted. A handle that enforces sunsets answers 410. */
TEST(older_shapes, identity_provider)
{
  static t_world w;
  char at[1100], list[512];
  t_service strict;
  shapes_open(&w, "updateIdentityProvider");
  snprintf(list, sizeof list, "%.*s", (int)(strrchr(w.path, '/') - w.path), w.path);
  shapes_send(&w, LAST, "POST", list, "{\"displayName\":\"O\",\"issuerUri\":\"https://idp.example.com/o\",\"audience\":\"a\",\"authorizationType\":\"USER\",\"clientId\":\"c\"}", 201);
  snprintf(at, sizeof at, "%s/%s", list, t_str(&w.t, "id"));
  shapes_send(&w, FIRST, "GET", at, NULL, 200);
  munit_assert_string_equal(t_str(&w.t, "protocol"), "OIDC");
  munit_assert_string_equal(t_get_header(&w.t, "Sunset"), "Wed, 01 Jan 2025 00:00:00 GMT");
  shapes_has_not(&w, "audience");
  shapes_has_not(&w, "userClaim");
  shapes_send(&w, FIRST, "PATCH", at, "{\"audience\":\"b\"}", 400);
  munit_assert_true(t_violation(&w.t, "audience"));
  shapes_send(&w, FIRST, "PATCH", at, "{\"displayName\":\"P\"}", 200);
  munit_assert_string_equal(t_str(&w.t, "displayName"), "P");
  shapes_send(&w, LAST, "GET", at, NULL, 200);
  munit_assert_string_equal(t_str(&w.t, "audience"), "a");
  t_world_close(&w);
  t_open(&strict, &(const svc_config){ .limiter_off = 1, .enforce_sunset = 1 });
  t_header(&strict, "Accept", FIRST);
  munit_assert_int(t_send(&strict, "GET", "/federationSettings/5f0000000000000000000001/identityProviders/5f0000000000000000000002", NULL), ==, 410);
  munit_assert_string_equal(t_error(&strict), "VERSION_GONE");
  t_close(&strict);
}

/* The body of the older version is the alert itself. */
TEST(older_shapes, alert)
{
  static t_world w;
  static char body[16384];
  shapes_open(&w, "acknowledgeAlert");
  shapes_send(&w, FIRST, "GET", w.path, NULL, 200);
  snprintf(body, sizeof body, "{\"acknowledgedUntil\":\"2037-01-01T00:00:00Z\",%s", w.t.response.body + 1);
  shapes_send(&w, FIRST, "PATCH", w.path, body, 200);
  munit_assert_string_equal(t_str(&w.t, "acknowledgedUntil"), "2037-01-01T00:00:00Z");
  shapes_send(&w, FIRST, "PATCH", w.path, "{\"unacknowledgeAlert\":true}", 400);
  munit_assert_true(t_violation(&w.t, "unacknowledgeAlert"));
  shapes_send(&w, FIRST, "PATCH", w.path, "{\"status\":\"CANCELLED\"}", 400);
  munit_assert_string_equal(t_error(&w.t), "ATTRIBUTE_READ_ONLY");
  shapes_send(&w, LAST, "PATCH", w.path, "{\"unacknowledgeAlert\":true}", 200);
  shapes_has_not(&w, "acknowledgedUntil");
  t_world_close(&w);
}

TEST(older_shapes, live_migration)
{
  static const char *const ops[] = { "createGroupLiveMigration", "validateLiveMigrations" };
  static t_world w;
  static char body[sizeof w.body + 128];
  const svc_plan *plan;
  size_t i;
  for (i = 0; i < 2; i++) {
    plan = shapes_open(&w, ops[i]);
    shapes_send(&w, FIRST, "POST", w.path, w.body, 400);
    munit_assert_true(t_violation(&w.t, "dropEnabled"));
    snprintf(body, sizeof body, "{\"dropEnabled\":true,%s", w.body + 1);
    shapes_send(&w, LAST, "POST", w.path, body, 400);
    munit_assert_true(t_violation(&w.t, "dropEnabled"));
    shapes_send(&w, FIRST, "POST", w.path, body, t_success(plan));
    snprintf(body, sizeof body, "{\"dropDestinationData\":true,\"dropEnabled\":true,%s", w.body + 1);
    shapes_send(&w, FIRST, "POST", w.path, body, 400);
    munit_assert_true(t_violation(&w.t, "dropDestinationData"));
    t_world_close(&w);
  }
}

/* Returns the user of this name in the last list. */
static const svc_node *shapes_user(const t_world *w, const char *name)
{
  const svc_node *user = svc_node_first(t_node(&w->t, "results"));
  while (user && !svc_node_is(user, "username", name)) user = user->next;
  return user;
}

static bool shapes_has_role(const svc_node *user, const char *scope, const char *on, const char *role)
{
  const svc_node *one = svc_node_first(svc_node_get(user, "roles"));
  for (; one; one = one->next)
    if (svc_node_is(one, scope, on) && svc_node_is(one, "roleName", role)) return true;
  return false;
}

/* Users of the older version have an e-mail address, and all roles in one array. Invited people are not listed. */
TEST(older_shapes, users)
{
  static t_world w;
  char path[128], team[512];
  const svc_node *ada;
  shapes_open(&w, "listTeamUsers");
  snprintf(team, sizeof team, "%s", w.path);
  snprintf(path, sizeof path, "/orgs/%s/users", w.org);
  shapes_send(&w, LAST, "POST", path, "{\"username\":\"new@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", 201);
  shapes_send(&w, LAST, "GET", path, NULL, 200);
  munit_assert_not_null(shapes_user(&w, "new@example.com"));
  munit_assert_not_null(shapes_user(&w, "ada@example.com"));
  shapes_send(&w, FIRST, "GET", path, NULL, 200);
  munit_assert_null(shapes_user(&w, "new@example.com"));
  ada = shapes_user(&w, "ada@example.com");
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, (int64_t)t_count(&w.t, "results"));
  munit_assert_true(svc_node_is(ada, "emailAddress", "ada@example.com"));
  munit_assert_null(svc_node_get(ada, "orgMembershipStatus"));
  munit_assert_null(svc_node_get(ada, "inviterUsername"));
  munit_assert_size(svc_node_count(svc_node_get(ada, "roles")), >, 0);
  munit_assert_true(shapes_has_role(ada, "orgId", w.org, "ORG_MEMBER") || shapes_has_role(ada, "orgId", w.org, "ORG_OWNER"));
  snprintf(path, sizeof path, "/groups/%s/users", w.group);
  shapes_send(&w, LAST, "POST", path, "{\"username\":\"ada@example.com\",\"roles\":[\"GROUP_READ_ONLY\"]}", 201);
  shapes_send(&w, FIRST, "GET", path, NULL, 200);
  munit_assert_true(shapes_has_role(shapes_user(&w, "ada@example.com"), "groupId", w.group, "GROUP_READ_ONLY"));
  shapes_send(&w, LAST, "GET", path, NULL, 200);
  munit_assert_size(t_count(&w.t, "results"), >, 0);
  shapes_send(&w, FIRST, "GET", team, NULL, 200);
  t_world_close(&w);
}

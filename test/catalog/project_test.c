/*
** Projects: created in an organization, found by id and by name, changed, moved, deleted.
*/
#include "support.h"

#define CLUSTER "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":{" \
                "\"instanceSize\":\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"

static int64_t group_events(t_service *t, const char *group, const char *type)
{
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?eventType=%s", group, type), ==, 200);
  return t_int(t, "totalCount");
}

static int64_t org_events(t_service *t, const char *org, const char *type)
{
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events?eventType=%s", org, type), ==, 200);
  return t_int(t, "totalCount");
}

static int64_t project_count(t_service *t, const char *org)
{
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/groups", org), ==, 200);
  munit_assert_size(t_count(t, "results"), ==, (size_t)t_int(t, "totalCount"));
  return t_int(t, "totalCount");
}

static int project_make(t_service *t, const char *org, const char *name)
{
  char body[256];
  snprintf(body, sizeof body, "{\"name\":\"%s\",\"orgId\":\"%s\"}", name, org);
  return t_send(t, "POST", "/groups", body);
}

/* Creates a project with only the required fields. */
static const char *project_usual(t_service *t, const char *org, const char *name)
{
  char body[128];
  snprintf(body, sizeof body, "{\"name\":\"%s\",\"orgId\":\"%s\"}", name, org);
  munit_assert_int(t_send(t, "POST", "/groups", body), ==, 201);
  return t_keep(t, t_str(t, "id"));
}

TEST_SERVICE(project, life)
{
  const char *org, *id;
  org = t_organization(t, "Acme");
  id = project_usual(t, org, "alpha");
  munit_assert_string_equal(t_get_header(t, "Location"), t_link(t, "self"));
  munit_assert_not_null(strstr(t_get_header(t, "Location"), id));
  munit_assert_string_equal(t_str(t, "name"), "alpha");
  munit_assert_string_equal(t_str(t, "created"), "2025-06-01T00:00:00Z");
  munit_assert_int64(t_int(t, "clusterCount"), ==, 0);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", id), ==, 200);
  munit_assert_size(svc_node_count(t->body), ==, 8);
  munit_assert_string_equal(t_str(t, "id"), id);
  munit_assert_string_equal(t_str(t, "orgId"), org);
  munit_assert_null(t_node(t, "regionUsageRestrictions")); /* not set at the creation */
  munit_assert_int(t_node(t, "tags")->type, ==, SVC_J_ARRAY);
  munit_assert_size(t_count(t, "tags"), ==, 0);
  munit_assert_string_equal(t_str(t, "withDefaultAlertsSettings"), "true");
  munit_assert_string_not_equal(t_link(t, "limits"), "");
  munit_assert_string_not_equal(t_get_header(t, "ETag"), "");
  munit_assert_int64(group_events(t, id, "GROUP_CREATED"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].orgId"), org);
  munit_assert_string_equal(t_str(t, "results[0].groupId"), id);
  munit_assert_int(t_send(t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].id"), id);
  munit_assert_int(t_send(t, "GET", "/groups/5f5f5f5f5f5f5f5f5f5f5f5f", NULL), ==, 404);
  munit_assert_string_equal(t_error(t), "GROUP_NOT_FOUND");
  munit_assert_string_equal(t_param(t, 0), "5f5f5f5f5f5f5f5f5f5f5f5f");

  munit_assert_int(t_send(t, "POST", "/groups", "{\"name\":\"a/b\",\"clusterCount\":1,\"regionUsageRestrictions\":\"MOON\"}"), ==, 400);
  munit_assert_true(t_violation(t, "name"));
  munit_assert_true(t_violation(t, "orgId"));
  munit_assert_true(t_violation(t, "clusterCount"));
  munit_assert_true(t_violation(t, "regionUsageRestrictions"));
  munit_assert_int(project_make(t, "5f5f5f5f5f5f5f5f5f5f5f5f", "beta"), ==, 404);
  munit_assert_string_equal(t_error(t), "ORG_NOT_FOUND");
  t->grants[0].role = "ORG_READ_ONLY";
  munit_assert_int(project_make(t, org, "beta"), ==, 403);
  t->grants[0].role = "ORG_GROUP_CREATOR";
  munit_assert_int(project_make(t, org, "beta"), ==, 201);
}

TEST_SERVICE(project, tags)
{
  const char *id;
  char body[4096], item[64], text[258];
  int i, count;
  id = t_project(t, t_organization(t, "Acme"), "alpha");
  for (count = 50; count <= 51; count++) {
    snprintf(body, sizeof body, "{\"tags\":[");
    for (i = 0; i < count; i++) {
      snprintf(item, sizeof item, "%s{\"key\":\"k%d\",\"value\":\"v%d\"}", i ? "," : "", i, i);
      strcat(body, item);
    }
    strcat(body, "]}");
    munit_assert_int(t_sendf(t, "PATCH", body, "/groups/%s", id), ==, count == 50 ? 200 : 400);
    if (count == 50) munit_assert_string_equal(t_str(t, "tags[49].key"), "k49");
  }
  munit_assert_true(t_violation(t, "tags"));
  memset(text, 'x', sizeof text);
  for (i = 255; i <= 256; i++) {
    text[i] = 0;
    snprintf(body, sizeof body, "{\"tags\":[{\"key\":\"%s\",\"value\":\"%s\"}]}", text, text);
    munit_assert_int(t_sendf(t, "PATCH", body, "/groups/%s", id), ==, i == 255 ? 200 : 400);
    text[i] = 'x';
  }
  munit_assert_true(t_violation(t, "tags[0].key"));
  munit_assert_true(t_violation(t, "tags[0].value"));
  munit_assert_int(t_sendf(t, "PATCH", "{\"tags\":[{\"key\":\"\",\"value\":\"b\"},{\"x\":1}]}", "/groups/%s", id), ==, 400);
  munit_assert_true(t_violation(t, "tags[0].key"));
  munit_assert_true(t_violation(t, "tags[1].key"));
  munit_assert_true(t_violation(t, "tags[1].value"));
  munit_assert_true(t_violation(t, "tags[1].x"));
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", id), ==, 200);
  munit_assert_size(t_count(t, "tags"), ==, 1);
  munit_assert_int(t_sendf(t, "PATCH", "{\"tags\":[]}", "/groups/%s", id), ==, 200);
  munit_assert_size(t_count(t, "tags"), ==, 0);
}

TEST_SERVICE(project, names)
{
  const char *acme, *beta, *id, *other;
  acme = t_organization(t, "Acme");
  beta = t_organization(t, "Beta");
  id = t_project(t, acme, "alpha");
  munit_assert_int(t_send(t, "GET", "/groups/byName/alpha", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), id);
  other = t_project(t, acme, "Caf\xc3\xa9(1),:&@+'");
  munit_assert_int(t_send(t, "GET", "/groups/byName/Caf%C3%A9(1)%2C%3A%26%40%2B%27", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), other);
  munit_assert_string_equal(t_str(t, "name"), "Caf\xc3\xa9(1),:&@+'");
  munit_assert_int(t_send(t, "GET", "/groups/byName/Caf%C3%A9(1),:&@+'", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), other);
  munit_assert_int(t_send(t, "GET", "/groups/byName/%61lpha", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), id);
  munit_assert_int(t_send(t, "GET", "/groups/byName/omega", NULL), ==, 404);
  munit_assert_string_equal(t_error(t), "GROUP_NOT_FOUND");
  munit_assert_string_equal(t_param(t, 0), "omega");

  munit_assert_int(project_make(t, acme, "alpha"), ==, 409);
  munit_assert_string_equal(t_error(t), "GROUP_ALREADY_EXISTS");
  munit_assert_string_equal(t_param(t, 0), "alpha");
  munit_assert_string_equal(t_param(t, 1), acme);
  munit_assert_int(project_make(t, beta, "alpha"), ==, 201); /* names are unique per organization */
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"alpha\"}", "/groups/%s", other), ==, 409);
  munit_assert_string_equal(t_error(t), "GROUP_ALREADY_EXISTS");
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"alpha\"}", "/groups/%s", id), ==, 200); /* its own name */
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"gamma\"}", "/groups/%s", id), ==, 200);
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"alpha\"}", "/groups/%s", other), ==, 200); /* free now */
  munit_assert_int(t_send(t, "GET", "/groups/byName/gamma", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), id);
  munit_assert_int64(project_count(t, acme), ==, 2);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/groups?name=gamma", acme), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].id"), id);

  t->grants[0].on = beta; /* a caller without a role on the project does not find it */
  munit_assert_int(t_send(t, "GET", "/groups/byName/gamma", NULL), ==, 404);
  munit_assert_string_equal(t_error(t), "GROUP_NOT_FOUND");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", id), ==, 401);
  munit_assert_int(t_send(t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
}

TEST_SERVICE(project, change)
{
  static const struct { const char *body, *event; } steps[] = {
    { "{\"name\":\"beta\"}", "GROUP_NAME_CHANGED" },
    { "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}", "GROUP_TAGS_MODIFIED" },
    { "{\"withDefaultAlertsSettings\":false}", "GROUP_DEFAULT_ALERTS_SETTINGS_CHANGED" },
  };
  const char *org, *id;
  char body[64];
  size_t i;
  org = t_organization(t, "Acme");
  id = project_usual(t, org, "alpha");
  for (i = 0; i < 3; i++) {
    munit_assert_int(t_sendf(t, "PATCH", steps[i].body, "/groups/%s", id), ==, 200);
    munit_assert_int(t_sendf(t, "PATCH", steps[i].body, "/groups/%s", id), ==, 200); /* again: nothing changes */
    munit_assert_int64(group_events(t, id, steps[i].event), ==, 1);
    munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events", id), ==, 200);
    munit_assert_int64(t_int(t, "totalCount"), ==, (int64_t)i + 2);
  }
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"g\",\"tags\":[],\"withDefaultAlertsSettings\":true}", "/groups/%s", id), ==, 200);
  for (i = 0; i < 3; i++) munit_assert_int64(group_events(t, id, steps[i].event), ==, 2);

  munit_assert_int(t_sendf(t, "PATCH", "{\"orgId\":\"5f0000000000000000000001\"}", "/groups/%s", id), ==, 400);
  munit_assert_string_equal(t_error(t), "ATTRIBUTE_READ_ONLY");
  munit_assert_string_equal(t_param(t, 0), "orgId");
  snprintf(body, sizeof body, "{\"orgId\":\"%s\"}", org);
  munit_assert_int(t_sendf(t, "PATCH", body, "/groups/%s", id), ==, 200); /* the unchanged value is accepted */
  munit_assert_int(t_sendf(t, "PATCH", "{\"regionUsageRestrictions\":\"GOV_REGIONS_ONLY\"}", "/groups/%s", id), ==, 400);
  munit_assert_string_equal(t_error(t), "ATTRIBUTE_READ_ONLY");
  munit_assert_int(t_sendf(t, "PATCH", "{\"clusterCount\":3}", "/groups/%s", id), ==, 400);
  munit_assert_string_equal(t_error(t), "ATTRIBUTE_READ_ONLY");
  t->grants[0].role = "GROUP_READ_ONLY";
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"h\"}", "/groups/%s", id), ==, 403);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s", id), ==, 403);
}

TEST_SERVICE(project, delete)
{
  const char *org, *id;
  org = t_organization(t, "Acme");
  id = t_project(t, org, "alpha");
  munit_assert_int(t_sendf(t, "PATCH", "{\"isSchemaAdvisorEnabled\":false}", "/groups/%s/settings", id), ==, 200);
  munit_assert_int(t_sendf(t, "PATCH", "{\"value\":7}", "/groups/%s/limits/svc.project.deployment.clusters", id), ==, 200);
  munit_assert_int(t_sendf(t, "POST", CLUSTER, "/groups/%s/clusters", id), ==, 201);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", id), ==, 200);
  munit_assert_int64(t_int(t, "clusterCount"), ==, 1);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s", id), ==, 409);
  munit_assert_string_equal(t_error(t), "CANNOT_CLOSE_GROUP_ACTIVE_CLUSTERS");
  munit_assert_string_equal(t_param(t, 0), id);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/clusters/C", id), ==, 202);
  t_advance(t, 60);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", id), ==, 200);
  munit_assert_int64(t_int(t, "clusterCount"), ==, 0);

  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s", id), ==, 202);
  munit_assert_string_equal(t->response.body, "{}");
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s", id), ==, 404);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", id), ==, 404);
  munit_assert_int(t_send(t, "GET", "/groups/byName/alpha", NULL), ==, 404);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/settings", id), ==, 404);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/limits", id), ==, 404);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events", id), ==, 404);
  munit_assert_string_equal(t_error(t), "GROUP_NOT_FOUND");
  munit_assert_int64(project_count(t, org), ==, 0);
  munit_assert_int64(org_events(t, org, "GROUP_DELETED"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].groupId"), id);
  munit_assert_string_equal(t_str(t, "results[0].created"), "2025-06-01T00:01:00Z");

  id = t_project(t, org, "alpha"); /* a new project has new settings */
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/settings", id), ==, 200);
  munit_assert_string_equal(t_str(t, "isSchemaAdvisorEnabled"), "true");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/limits/svc.project.deployment.clusters", id), ==, 200);
  munit_assert_int64(t_int(t, "value"), ==, 25);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events", id), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);
}

/* ------------------------------------------------------------------------------------------------------- migration */

static int migrate(t_service *t, const char *id, const char *to, const char *public_key, const char *private_key)
{
  char body[256];
  int n = snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"", to);
  if (public_key) n += snprintf(body + n, sizeof body - (size_t)n, ",\"destinationOrgPublicApiKey\":\"%s\"", public_key);
  if (private_key) n += snprintf(body + n, sizeof body - (size_t)n, ",\"destinationOrgPrivateApiKey\":\"%s\"", private_key);
  snprintf(body + n, sizeof body - (size_t)n, "}");
  return t_sendf(t, "POST", body, "/groups/%s:migrate", id);
}

TEST_SERVICE(project, migrate)
{
  const char *acme, *beta, *id, *taken;
  acme = t_organization(t, "Acme");
  beta = t_organization(t, "Beta");
  id = t_project(t, acme, "alpha");
  taken = t_project(t, beta, "taken");
  munit_assert_int(migrate(t, id, acme, NULL, NULL), ==, 200); /* the same organization: nothing happens */
  munit_assert_int64(group_events(t, id, "GROUP_MOVED"), ==, 0);
  munit_assert_int64(org_events(t, acme, "GROUP_MOVED_FROM_ORG"), ==, 0);

  munit_assert_int(migrate(t, id, beta, NULL, NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), id);
  munit_assert_string_equal(t_str(t, "orgId"), beta);
  munit_assert_string_equal(t_str(t, "name"), "alpha");
  munit_assert_int64(project_count(t, acme), ==, 0);
  munit_assert_int64(project_count(t, beta), ==, 2);
  munit_assert_int64(group_events(t, id, "GROUP_MOVED"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].orgId"), beta);
  munit_assert_int64(org_events(t, acme, "GROUP_MOVED_FROM_ORG"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].groupId"), id);
  munit_assert_string_equal(t_str(t, "results[0].orgId"), acme);
  munit_assert_int64(org_events(t, beta, "GROUP_MOVED_FROM_ORG"), ==, 0);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", id), ==, 200);
  munit_assert_string_equal(t_str(t, "orgId"), beta);
  munit_assert_int(t_send(t, "GET", "/groups/byName/alpha", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), id);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s", beta), ==, 409);
  munit_assert_int(project_make(t, beta, "alpha"), ==, 409); /* the name is used there now */

  munit_assert_int(project_make(t, acme, "taken"), ==, 201);
  munit_assert_int(migrate(t, taken, acme, NULL, NULL), ==, 409);
  munit_assert_string_equal(t_error(t), "GROUP_ALREADY_EXISTS");
  munit_assert_int64(project_count(t, acme), ==, 1);
  munit_assert_int64(project_count(t, beta), ==, 2);
  munit_assert_int64(org_events(t, beta, "GROUP_MOVED_FROM_ORG"), ==, 0);
  munit_assert_int64(group_events(t, taken, "GROUP_MOVED"), ==, 0);

  munit_assert_int(migrate(t, id, "5f5f5f5f5f5f5f5f5f5f5f5f", NULL, NULL), ==, 404);
  munit_assert_string_equal(t_error(t), "ORG_NOT_FOUND");
  munit_assert_int(t_sendf(t, "POST", "{}", "/groups/%s:migrate", id), ==, 400);
  munit_assert_true(t_violation(t, "destinationOrgId"));
  munit_assert_int(migrate(t, id, acme, "short", NULL), ==, 400);
  munit_assert_true(t_violation(t, "destinationOrgPublicApiKey"));
  t->grants[0].role = "GROUP_OWNER";
  munit_assert_int(migrate(t, id, acme, NULL, NULL), ==, 403);
}

static void key_make(t_service *t, const char *org, const char *role, char public_key[16], char private_key[48])
{
  char body[128];
  snprintf(body, sizeof body, "{\"desc\":\"for moving\",\"roles\":[\"%s\"]}", role);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/apiKeys", org), ==, 201);
  snprintf(public_key, 16, "%s", t_str(t, "publicKey"));
  snprintf(private_key, 48, "%s", t_str(t, "privateKey"));
}

TEST_SERVICE(project, migrate_by_key)
{
  const char *acme, *beta, *id;
  char public_key[16], private_key[48], weak[16], weak_private[48], elsewhere[16], elsewhere_private[48];
  char entry[128];
  acme = t_organization(t, "Acme");
  beta = t_organization(t, "Beta");
  id = t_project(t, acme, "alpha");
  key_make(t, beta, "ORG_OWNER", public_key, private_key);
  key_make(t, beta, "ORG_READ_ONLY", weak, weak_private);
  key_make(t, acme, "ORG_OWNER", elsewhere, elsewhere_private);
  t->grants[0].on = acme; /* the caller has no role on the other organization */
  munit_assert_int(migrate(t, id, beta, NULL, NULL), ==, 404);
  munit_assert_string_equal(t_error(t), "ORG_NOT_FOUND");
  munit_assert_string_equal(t_param(t, 0), beta);
  munit_assert_int(migrate(t, id, beta, public_key, "00000000-0000-4000-8000-000000000000"), ==, 404);
  munit_assert_string_equal(t_error(t), "ORG_NOT_FOUND");
  munit_assert_int(migrate(t, id, beta, public_key, NULL), ==, 404);
  munit_assert_int(migrate(t, id, beta, public_key, weak_private), ==, 404);
  munit_assert_int(migrate(t, id, beta, "aaaaaaaa", private_key), ==, 404);
  munit_assert_int(migrate(t, id, beta, weak, weak_private), ==, 404);           /* a key without the required role */
  munit_assert_int(migrate(t, id, beta, elsewhere, elsewhere_private), ==, 404); /* a key of another organization */
  munit_assert_int64(project_count(t, acme), ==, 1);

  t->grants[0].on = beta; /* the key's access list applies here, too */
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/apiKeys", beta), ==, 200);
  snprintf(entry, sizeof entry, "/orgs/%s/apiKeys/%s/accessList", beta, t_str(t, "results[0].id"));
  munit_assert_string_equal(t_str(t, "results[0].publicKey"), public_key);
  munit_assert_int(t_send(t, "POST", entry, "[{\"ipAddress\":\"192.0.2.99\"}]"), ==, 201);
  t->grants[0].on = acme;
  munit_assert_int(migrate(t, id, beta, public_key, private_key), ==, 403);
  munit_assert_string_equal(t_error(t), "IP_ADDRESS_NOT_ON_ACCESS_LIST");
  munit_assert_string_equal(t_param(t, 0), "192.0.2.7");
  munit_assert_int(migrate(t, id, beta, public_key, "00000000-0000-4000-8000-000000000000"), ==, 404);
  t->grants[0].on = beta;
  munit_assert_int(t_sendf(t, "DELETE", NULL, "%s/192.0.2.99", entry), ==, 204);
  munit_assert_int(t_sendf(t, "PATCH", "{\"apiAccessListRequired\":true}", "/orgs/%s/settings", beta), ==, 200);
  t->grants[0].on = acme;
  munit_assert_int(migrate(t, id, beta, public_key, private_key), ==, 403);
  munit_assert_string_equal(t_error(t), "ORG_REQUIRES_ACCESS_LIST");
  munit_assert_int64(project_count(t, acme), ==, 1);
  t->grants[0].on = beta;
  munit_assert_int(t_send(t, "POST", entry, "[{\"ipAddress\":\"192.0.2.7\"}]"), ==, 201);
  t->grants[0].on = acme;

  munit_assert_int(migrate(t, id, beta, public_key, private_key), ==, 200);
  munit_assert_string_equal(t_str(t, "orgId"), beta);
  munit_assert_null(t_node(t, "destinationOrgPrivateApiKey"));
  munit_assert_null(strstr(t->response.body, private_key));
  munit_assert_int64(project_count(t, acme), ==, 0);
  munit_assert_int64(org_events(t, acme, "GROUP_MOVED_FROM_ORG"), ==, 1);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", id), ==, 401); /* the project belongs to the other organization now */
  t->grants[0].on = beta;
  munit_assert_int64(project_count(t, beta), ==, 1);
  munit_assert_int64(group_events(t, id, "GROUP_MOVED"), ==, 1);
}

/* Bodies that clients may send back: links as they were served, and read-only fields with the value that they have or will get. */
#include "support.h"

/* Returns the last answer's body with one member replaced, in memory of the service. */
static const char *with(t_service *t, const char *name, const char *json)
{
  svc_buf b = svc_buf_new(&t->arena, 512);
  svc_node *body = svc_node_copy(&t->arena, t->body), *value = svc_json_parse(&t->arena, svc_str_c(json));
  value->name = svc_str_c(name);
  svc_node_put(&t->arena, body, value);
  svc_node_write(&b, body);
  return t_keep(t, svc_buf_done(&b).p);
}

static void refused(t_service *t, const char *method, const char *path, const char *body, const char *field)
{
  if (t_send(t, method, path, body) != 400) munit_errorf("%s %s: %s", method, path, t->response.body);
  munit_assert_string_equal(t_error(t), "ATTRIBUTE_READ_ONLY");
  munit_assert_string_equal(t_param(t, 0), field);
  munit_assert_true(t_violation(t, field));
}

TEST_SERVICE(sent_back, links)
{
  const char *org, *group, *whole, *item, *renamed;
  char path[64], list[96];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  snprintf(path, sizeof path, "/groups/%s", group);
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  whole = with(t, "name", "\"alpha\"");
  renamed = with(t, "name", "\"beta\"");
  munit_assert_not_null(strstr(whole, "\"links\":[{"));
  munit_assert_int(t_send(t, "PATCH", path, whole), ==, 200);
  munit_assert_int(t_send(t, "PATCH", path, renamed), ==, 200);
  munit_assert_int(t_send(t, "PATCH", path, renamed), ==, 200); /* again, with the links that were served for the old name */

  snprintf(list, sizeof list, "/orgs/%s/groups", org); /* as an item of a list the resource has fewer links */
  munit_assert_int(t_send(t, "GET", list, NULL), ==, 200);
  munit_assert_size(t_count(t, "results[0].links"), ==, 1);
  item = t_keep(t, t->response.body);
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  {
    const char *from = strstr(strstr(item, "\"results\""), "\"links\":") + 8;
    char links[512];
    snprintf(links, sizeof links, "%.*s", (int)(strchr(from, ']') + 1 - from), from);
    if (t_send(t, "PATCH", path, with(t, "links", links)) != 200) munit_errorf("%s: %s", links, t->response.body);
  }
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  refused(t, "PATCH", path, with(t, "links", "[]"), "links");
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  refused(t, "PATCH", path, with(t, "links", "[{\"href\":\"http://elsewhere\",\"rel\":\"self\"}]"), "links");
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  refused(t, "PATCH", path, with(t, "links", "7"), "links");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s", t_project(t, org, "other")), ==, 200);
  {
    svc_buf b = svc_buf_new(&t->arena, 512);
    const char *others;
    svc_node_write(&b, svc_node_get(t->body, "links"));
    others = t_keep(t, svc_buf_done(&b).p);
    munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
    refused(t, "PATCH", path, with(t, "links", others), "links");
  }
  refused(t, "POST", "/orgs", "{\"name\":\"x\",\"links\":[]}", "links"); /* nothing was served for a new resource */
}

/* Clients may send read-only fields with the value of the path, the stored value, or a zero value. Other values are refused. */
TEST_SERVICE(sent_back, by_itself)
{
  const char *org, *group;
  char path[96], body[512];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  snprintf(path, sizeof path, "/groups/%s/clusters", group);
#define CLUSTER "\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":{\"instanceSize\":\"M10\"}," \
                "\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"
  snprintf(body, sizeof body, "{\"name\":\"a\",\"groupId\":\"%s\"," CLUSTER, group);
  munit_assert_int(t_send(t, "POST", path, body), ==, 201);
  munit_assert_string_equal(t_str(t, "groupId"), group);
  snprintf(body, sizeof body, "{\"name\":\"b\",\"groupId\":\"%s\"," CLUSTER, org);
  refused(t, "POST", path, body, "groupId");
  snprintf(body, sizeof body, "{\"name\":\"b\",\"groupId\":\"\"," CLUSTER); /* a zero value is ignored */
  munit_assert_int(t_send(t, "POST", path, body), ==, 201);
  munit_assert_string_equal(t_str(t, "groupId"), group);
  snprintf(body, sizeof body, "{\"name\":\"b\",\"orgId\":\"%s\",\"clusterCount\":0}", org);
  munit_assert_int(t_send(t, "POST", "/groups", body), ==, 201);
  snprintf(body, sizeof body, "{\"name\":\"c\",\"orgId\":\"%s\",\"clusterCount\":3}", org);
  refused(t, "POST", "/groups", body, "clusterCount");
  t_advance(t, 10);
  snprintf(path, sizeof path, "/groups/%s/clusters/a", group); /* an empty object is ignored if all its fields are read-only */
  munit_assert_int(t_send(t, "PATCH", path, "{\"connectionStrings\":{}}"), ==, 200);
  munit_assert_string_not_equal(t_str(t, "connectionStrings.standard"), "");
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  snprintf(body, sizeof body, "{\"connectionStrings\":{\"standard\":\"%s\"}}", t_str(t, "connectionStrings.standard"));
  munit_assert_int(t_send(t, "PATCH", path, body), ==, 200); /* a field of the object, unchanged */
  snprintf(path, sizeof path, "/groups/%s", group); /* the same time in another notation; then another time, and invalid ones */
  munit_assert_int(t_send(t, "PATCH", path, "{\"created\":\"2025-06-01T02:00:00.000+02:00\"}"), ==, 200);
  refused(t, "PATCH", path, "{\"created\":\"2025-06-01T02:00:00Z\"}", "created");
  refused(t, "PATCH", path, "{\"created\":\"soon\"}", "created");
  refused(t, "PATCH", path, "{\"created\":1748736000}", "created");
}

/* Errors with a specific code, and their texts. */
TEST_SERVICE(sent_back, own_codes)
{
  static const struct {
    const char *method, *path, *body, *code, *param;
  } rows[] = {
    { "POST", "/orgs", "{\"name\":\"a \"}", "INVALID_ORG_NAME", "a " },
    { "POST", "/orgs", "{\"name\":\"!\"}", "INVALID_ORG_NAME", "!" },
    { "POST", "/groups", "{\"name\":\" a\",\"orgId\":\"%O\"}", "INVALID_GROUP_NAME", " a" },
    { "POST", "/groups", "{\"name\":\"a\"}", "API_KEY_CREATED_GROUPS_MUST_HAVE_ORG", NULL },
    { "POST", "/groups/%G/clusters", "{\"name\":\"a_b\"," CLUSTER, "CLUSTER_NAME_INVALID", "a_b" },
    { "PATCH", "/groups/%G/clusters/c", "{\"name\":\"d\"}", "CLUSTER_CANNOT_CHANGE_NAME", "c" },
    { "POST", "/orgs/%O/apiKeys", "{\"roles\":[\"ORG_OWNER\"]}", "API_KEY_REQUIRES_DESCRIPTION", NULL },
    { "POST", "/orgs/%O/apiKeys", "{\"desc\":\"\",\"roles\":[\"ORG_OWNER\"]}", "API_KEY_REQUIRES_DESCRIPTION", NULL },
    { "POST", "/orgs/%O/apiKeys", "{\"desc\":\"d\"}", "MISSING_API_KEY_ROLES", NULL },
    { "POST", "/groups/%G/apiKeys", "{\"desc\":\"d\",\"roles\":[]}", "MISSING_API_KEY_ROLES", NULL },
    { "POST", "/orgs/%O/teams", "{\"name\":\"\",\"usernames\":[\"a@example.com\"]}", "INVALID_TEAM_NAME", "" },
    { "POST", "/orgs/%O/invites", "{\"username\":\"me\",\"roles\":[\"ORG_OWNER\"]}", "INVALID_EMAIL_ADDRESS", "me" },
    { "POST", "/groups/%G/customDBRoles/roles", "{\"roleName\":\"a b\",\"actions\":[]}", "CUSTOM_ROLE_INVALID_NAME", "a b" },
    { "PATCH", "/groups/%G/maintenanceWindow", "{\"dayOfWeek\":8}", "INVALID_MAINTENANCE_WINDOW_DAY_OF_WEEK", "8" },
    { "PATCH", "/groups/%G/limits/svc.project.deployment.clusters", "{\"value\":-1}", "ATTRIBUTE_NEGATIVE", "value" },
    { "PATCH", "/groups/%G", "{\"name\":true}", "INVALID_JSON_ATTRIBUTE", "name" },
  };
  const char *org, *group;
  char path[160], body[640];
  size_t i;
  org = t_organization(t, "Acme Works Ltd"); /* spaces inside a name are allowed */
  group = t_project(t, org, "a b");
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"c\"," CLUSTER, "/groups/%s/clusters", group), ==, 201);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const char *hole = strstr(rows[i].path, "%"), *in = strstr(rows[i].body, "%O");
    if (hole) snprintf(path, sizeof path, "%.*s%s%s", (int)(hole - rows[i].path), rows[i].path, hole[1] == 'O' ? org : group, hole + 2);
    else snprintf(path, sizeof path, "%s", rows[i].path);
    if (in) snprintf(body, sizeof body, "%.*s%s%s", (int)(in - rows[i].body), rows[i].body, org, in + 2);
    else snprintf(body, sizeof body, "%s", rows[i].body);
    munit_assert_int(t_send(t, rows[i].method, path, body), ==, 400);
    munit_assert_string_equal(t_error(t), rows[i].code);
    if (rows[i].param) munit_assert_string_equal(t_param(t, 0), rows[i].param);
    munit_assert_size(t_count(t, "badRequestDetail.fields"), >=, 1);
    munit_assert_not_null(strstr(t_str(t, "detail"), t_str(t, "badRequestDetail.fields[0].description")));
  }
  munit_assert_int(t_send(t, "GET", "/groups/xyz", NULL), ==, 404); /* not a valid id */
  munit_assert_string_equal(t_error(t), "INVALID_GROUP_ID");
  munit_assert_int(t_send(t, "GET", "/orgs/xyz/groups", NULL), ==, 404);
  munit_assert_string_equal(t_error(t), "INVALID_ORG_ID");
}

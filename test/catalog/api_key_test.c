/*
** API keys: created in an organization or a project, visible from both, with roles given as names or objects; and
** their access lists.
**
** Tests also: api_key_access_list
*/
#include "needs.h"
#include "support.h"

T_NEEDS(api_key) = {
  T_SAMPLE("ipAddress", "192.0.2.77"),
  T_NEEDS_END
};

#define API_KEY_ABSENT "5f5f5f5f5f5f5f5f5f5f5f5f"

typedef struct api_key_world {
  t_service t;
  const char *org, *group, *other; /* two projects of the organization */
  char id[32], public_key[16];     /* of the key created last */
} api_key_world;

static void api_key_open(api_key_world *w)
{
  memset(w, 0, sizeof *w);
  t_open(&w->t, NULL);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "alpha");
  w->other = t_project(&w->t, w->org, "beta");
}

static void api_key_make_one(api_key_world *w, const char *level, const char *scope, const char *body)
{
  munit_assert_int(t_sendf(&w->t, "POST", body, "/%s/%s/apiKeys", level, scope), ==, 201);
  snprintf(w->id, sizeof w->id, "%s", t_str(&w->t, "id"));
  snprintf(w->public_key, sizeof w->public_key, "%s", t_str(&w->t, "publicKey"));
}

/* Checks the role at index i of the answer. */
static void api_key_role(api_key_world *w, int i, const char *member, const char *on, const char *role)
{
  char path[64];
  snprintf(path, sizeof path, "roles[%d]", i);
  munit_assert_size(t_count(&w->t, path), ==, 2);
  snprintf(path, sizeof path, "roles[%d].%s", i, member);
  munit_assert_string_equal(t_str(&w->t, path), on);
  snprintf(path, sizeof path, "roles[%d].roleName", i);
  munit_assert_string_equal(t_str(&w->t, path), role);
}

static int64_t api_key_events(api_key_world *w, const char *level, const char *scope, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/%s/%s/events?eventType=%s", level, scope, type), ==, 200);
  return t_int(&w->t, "totalCount");
}

static int64_t api_key_total(api_key_world *w, const char *level, const char *scope)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/%s/%s/apiKeys", level, scope), ==, 200);
  munit_assert_int64((int64_t)t_count(&w->t, "results"), ==, t_int(&w->t, "totalCount"));
  return t_int(&w->t, "totalCount");
}

TEST(api_key, life)
{
  api_key_world w;
  char secret[64], masked[64];
  api_key_open(&w);
  api_key_make_one(&w, "orgs", w.org, "{\"desc\":\"nightly\",\"roles\":[\"ORG_READ_ONLY\",\"ORG_MEMBER\",\"ORG_MEMBER\"]}");
  munit_assert_string_equal(t_str(&w.t, "desc"), "nightly");
  munit_assert_size(strlen(w.id), ==, 24);
  munit_assert_true(svc_pattern_match("^[a-z]{8}$", svc_str_c(w.public_key)));
  snprintf(secret, sizeof secret, "%s", t_str(&w.t, "privateKey"));
  munit_assert_true(svc_pattern_match("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", svc_str_c(secret)));
  munit_assert_size(t_count(&w.t, "roles"), ==, 2); /* a name twice is one role */
  api_key_role(&w, 0, "orgId", w.org, "ORG_READ_ONLY");
  api_key_role(&w, 1, "orgId", w.org, "ORG_MEMBER");

  snprintf(masked, sizeof masked, "********-****-****-%s", secret + 24);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/apiKeys/%s", w.org, w.id), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "privateKey"), masked);
  munit_assert_string_equal(t_str(&w.t, "publicKey"), w.public_key);
  munit_assert_null(strstr(w.t.response.body, secret));
  api_key_role(&w, 0, "orgId", w.org, "ORG_READ_ONLY");
  munit_assert_int64(api_key_total(&w, "orgs", w.org), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].privateKey"), masked);
  munit_assert_string_equal(t_str(&w.t, "results[0].id"), w.id);

  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"desc\":\"weekly\"}", "/orgs/%s/apiKeys/%s", w.org, w.id), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "desc"), "weekly");
  munit_assert_string_equal(t_str(&w.t, "privateKey"), masked);
  munit_assert_size(t_count(&w.t, "roles"), ==, 2);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_DESCRIPTION_CHANGED"), ==, 1);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_ROLES_CHANGED"), ==, 0);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"roles\":[\"ORG_MEMBER\",\"ORG_READ_ONLY\"]}", "/orgs/%s/apiKeys/%s", w.org, w.id), ==, 200);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_ROLES_CHANGED"), ==, 0); /* another order makes no difference */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"roles\":[\"ORG_GROUP_CREATOR\"]}", "/orgs/%s/apiKeys/%s", w.org, w.id), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "desc"), "weekly");
  munit_assert_size(t_count(&w.t, "roles"), ==, 1);
  api_key_role(&w, 0, "orgId", w.org, "ORG_GROUP_CREATOR");
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_ROLES_CHANGED"), ==, 1);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_CREATED"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].targetPublicKey"), w.public_key);
  munit_assert_string_equal(t_str(&w.t, "results[0].orgId"), w.org);
  munit_assert_string_equal(t_str(&w.t, "results[0].username"), "owner@example.com");

  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.1\"}]", "/orgs/%s/apiKeys/%s/accessList", w.org, w.id), ==, 201);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/apiKeys/%s", w.org, w.id), ==, 204);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_DELETED"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].targetPublicKey"), w.public_key);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/apiKeys/%s", w.org, w.id), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "API_KEY_NOT_FOUND");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/apiKeys/%s/accessList", w.org, w.id), ==, 404); /* deleted with the key */
  munit_assert_string_equal(t_error(&w.t), "API_KEY_NOT_FOUND");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/apiKeys/%s/accessList/192.0.2.1", w.org, w.id), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "API_KEY_NOT_FOUND");
  munit_assert_int64(api_key_total(&w, "orgs", w.org), ==, 0);
  t_close(&w.t);
}

TEST(api_key, refused)
{
  static const struct {
    const char *level, *body, *error, *field;
  } rows[] = {
    { "orgs", "{\"desc\":\"a\",\"roles\":[\"GROUP_OWNER\"]}", "INVALID_ROLE_FOR_ORG", "roles[0]" },
    { "orgs", "{\"desc\":\"a\",\"roles\":[\"ORG_OWNER\",\"NO_SUCH_ROLE\"]}", "INVALID_ROLE_FOR_ORG", "roles[1]" },
    { "orgs", "{\"desc\":\"a\",\"roles\":[7]}", "INVALID_ROLE_FOR_ORG", "roles[0]" },
    { "orgs", "{\"desc\":\"a\",\"roles\":[{}]}", "INVALID_ROLE_FOR_ORG", "roles[0]" },
    { "orgs", "{\"desc\":\"a\",\"roles\":[{\"roleName\":\"NO_SUCH_ROLE\"}]}", "INVALID_ROLE_FOR_ORG", "roles[0]" },
    { "groups", "{\"desc\":\"a\",\"roles\":[\"ORG_OWNER\"]}", "INVALID_ROLE_FOR_GROUP", "roles[0]" },
    { "groups", "{\"desc\":\"a\",\"roles\":[\"group_owner\"]}", "INVALID_ROLE_FOR_GROUP", "roles[0]" },
    { "orgs", "{\"desc\":\"a\",\"roles\":[{\"orgId\":\"" API_KEY_ABSENT "\",\"roleName\":\"ORG_OWNER\"}]}", "INVALID_ATTRIBUTE", "roles" },
    { "orgs", "{\"roles\":[\"ORG_OWNER\"]}", "API_KEY_REQUIRES_DESCRIPTION", "desc" },
    { "orgs", "{\"desc\":\"a\"}", "MISSING_API_KEY_ROLES", "roles" },
  };
  api_key_world w;
  char body[256];
  size_t i;
  api_key_open(&w);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    munit_logf(MUNIT_LOG_DEBUG, "%s", rows[i].body);
    munit_assert_int(t_sendf(&w.t, "POST", rows[i].body, "/%s/%s/apiKeys", rows[i].level,
                             rows[i].level[0] == 'o' ? w.org : w.group), ==, 400);
    munit_assert_string_equal(t_error(&w.t), rows[i].error);
    munit_assert_true(t_violation(&w.t, rows[i].field));
  }
  munit_assert_int(t_sendf(&w.t, "POST", "{\"desc\":\"a\",\"roles\":[]}", "/orgs/%s/apiKeys", w.org), ==, 400);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"desc\":\"\",\"roles\":[\"ORG_OWNER\"]}", "/orgs/%s/apiKeys", w.org), ==, 400);
  munit_assert_true(t_violation(&w.t, "desc"));
  munit_assert_int64(api_key_total(&w, "orgs", w.org), ==, 0);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_CREATED"), ==, 0);

  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/apiKeys/%s", w.org, API_KEY_ABSENT), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "API_KEY_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 0), API_KEY_ABSENT);
  munit_assert_string_equal(t_param(&w.t, 1), w.org);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"desc\":\"a\"}", "/orgs/%s/apiKeys/%s", w.org, API_KEY_ABSENT), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "API_KEY_NOT_FOUND");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/apiKeys/%s", w.org, API_KEY_ABSENT), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "API_KEY_NOT_FOUND");
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"roles\":[\"GROUP_OWNER\"]}]", "/groups/%s/apiKeys/%s", w.group, API_KEY_ABSENT), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "API_KEY_NOT_FOUND");

  /* role objects are checked like names: an unknown role, a role of the other level, several lines in a name */
  api_key_make_one(&w, "orgs", w.org, "{\"desc\":\"a\",\"roles\":[\"ORG_MEMBER\"]}");
  for (i = 0; i < 3; i++) {
    static const char *const names[] = { "NO_SUCH_ROLE", "GROUP_OWNER", "ORG_OWNER x\\nORG_OWNER" };
    snprintf(body, sizeof body, "{\"roles\":[{\"orgId\":\"%s\",\"roleName\":\"%s\"}]}", w.org, names[i]);
    munit_assert_int(t_sendf(&w.t, "PATCH", body, "/orgs/%s/apiKeys/%s", w.org, w.id), ==, 400);
    munit_assert_string_equal(t_error(&w.t), "INVALID_ROLE_FOR_ORG");
  }
  snprintf(body, sizeof body, "{\"roles\":[{\"groupId\":\"%s\",\"roleName\":\"GROUP_OWNER\"}]}", w.group);
  munit_assert_int(t_sendf(&w.t, "PATCH", body, "/orgs/%s/apiKeys/%s", w.org, w.id), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_ATTRIBUTE");
  snprintf(body, sizeof body, "{\"roles\":[\"ORG_MEMBER\",{\"groupId\":\"%s\"}]}", w.group); /* the object has no roleName */
  munit_assert_int(t_sendf(&w.t, "PATCH", body, "/orgs/%s/apiKeys/%s", w.org, w.id), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_ATTRIBUTE");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/apiKeys/%s", w.org, w.id), ==, 200);
  munit_assert_size(t_count(&w.t, "roles"), ==, 1);
  api_key_role(&w, 0, "orgId", w.org, "ORG_MEMBER");
  t_close(&w.t);
}

TEST(api_key, in_projects)
{
  api_key_world w;
  char body[512], first[32], kept[2048];
  api_key_open(&w);
  api_key_make_one(&w, "orgs", w.org, "{\"desc\":\"org\",\"roles\":[\"ORG_MEMBER\"]}");
  strcpy(first, w.id);
  api_key_make_one(&w, "groups", w.group, "{\"desc\":\"project\",\"roles\":[\"GROUP_READ_ONLY\"]}");
  munit_assert_size(t_count(&w.t, "roles"), ==, 1);
  api_key_role(&w, 0, "groupId", w.group, "GROUP_READ_ONLY");
  munit_assert_size(strlen(t_str(&w.t, "privateKey")), ==, 36);
  munit_assert_null(strchr(t_str(&w.t, "privateKey"), '*'));
  munit_assert_int64(api_key_events(&w, "groups", w.group, "API_KEY_CREATED"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].targetPublicKey"), w.public_key);
  munit_assert_string_equal(t_str(&w.t, "results[0].groupId"), w.group);

  munit_assert_int64(api_key_total(&w, "orgs", w.org), ==, 2);
  munit_assert_int64(api_key_total(&w, "groups", w.other), ==, 0);
  munit_assert_int64(api_key_total(&w, "groups", w.group), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].id"), w.id);
  munit_assert_string_equal(t_str(&w.t, "results[0].roles[0].groupId"), w.group);

  /* the project cannot change or remove a key that has no role on it */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"desc\":\"x\"}", "/groups/%s/apiKeys/%s", w.group, first), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "API_KEY_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 0), first);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/apiKeys/%s", w.group, first), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "API_KEY_NOT_FOUND");

  munit_assert_int(t_sendf(&w.t, "POST", "[{\"roles\":[\"ORG_OWNER\"]}]", "/groups/%s/apiKeys/%s", w.group, first), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_ROLE_FOR_GROUP");
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"roles\":[]}]", "/groups/%s/apiKeys/%s", w.group, first), ==, 400);
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"roles\":[\"GROUP_OWNER\"]},{\"roles\":[\"GROUP_READ_ONLY\"]}]",
                           "/groups/%s/apiKeys/%s", w.group, first), ==, 204);
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"roles\":[\"GROUP_OWNER\"]}]", "/groups/%s/apiKeys/%s", w.other, first), ==, 204);
  munit_assert_int64(api_key_events(&w, "groups", w.group, "API_KEY_ADDED_TO_GROUP"), ==, 1);
  munit_assert_int64(api_key_events(&w, "groups", w.other, "API_KEY_ADDED_TO_GROUP"), ==, 1);
  munit_assert_int64(api_key_events(&w, "groups", w.group, "API_KEY_ROLES_CHANGED"), ==, 0);
  munit_assert_int64(api_key_total(&w, "groups", w.group), ==, 2);
  munit_assert_int64(api_key_total(&w, "groups", w.other), ==, 1);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/apiKeys/%s", w.org, first), ==, 200);
  munit_assert_size(t_count(&w.t, "roles"), ==, 4);
  api_key_role(&w, 0, "orgId", w.org, "ORG_MEMBER");
  api_key_role(&w, 1, "groupId", w.group, "GROUP_OWNER");
  api_key_role(&w, 2, "groupId", w.group, "GROUP_READ_ONLY");
  api_key_role(&w, 3, "groupId", w.other, "GROUP_OWNER");

  /* the body of a GET can be sent back, from both levels */
  snprintf(kept, sizeof kept, "%s", w.t.response.body);
  munit_assert_int(t_sendf(&w.t, "PATCH", kept, "/orgs/%s/apiKeys/%s", w.org, first), ==, 200);
  munit_assert_size(t_count(&w.t, "roles"), ==, 4);
  munit_assert_int(t_sendf(&w.t, "PATCH", kept, "/groups/%s/apiKeys/%s", w.group, first), ==, 200);
  munit_assert_string_equal(w.t.response.body, kept);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_ROLES_CHANGED"), ==, 0);
  munit_assert_int64(api_key_events(&w, "groups", w.group, "API_KEY_ROLES_CHANGED"), ==, 0);

  /* names change the roles of the path's scope, the others stay */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"roles\":[\"ORG_READ_ONLY\"]}", "/orgs/%s/apiKeys/%s", w.org, first), ==, 200);
  munit_assert_size(t_count(&w.t, "roles"), ==, 4);
  api_key_role(&w, 0, "orgId", w.org, "ORG_READ_ONLY"); /* the organization's role first, then projects by their ids */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"roles\":[\"GROUP_CLUSTER_MANAGER\"]}", "/groups/%s/apiKeys/%s", w.group, first), ==, 200);
  munit_assert_size(t_count(&w.t, "roles"), ==, 3);
  api_key_role(&w, 0, "orgId", w.org, "ORG_READ_ONLY");
  api_key_role(&w, 1, "groupId", w.group, "GROUP_CLUSTER_MANAGER");
  api_key_role(&w, 2, "groupId", w.other, "GROUP_OWNER");
  /* so do objects, even if they leave out other roles */
  snprintf(body, sizeof body, "{\"roles\":[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]}", w.org);
  munit_assert_int(t_sendf(&w.t, "PATCH", body, "/orgs/%s/apiKeys/%s", w.org, first), ==, 200);
  munit_assert_size(t_count(&w.t, "roles"), ==, 3);
  api_key_role(&w, 0, "orgId", w.org, "ORG_MEMBER");
  api_key_role(&w, 1, "groupId", w.group, "GROUP_CLUSTER_MANAGER");
  api_key_role(&w, 2, "groupId", w.other, "GROUP_OWNER");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"roles\":[\"ORG_OWNER\"]}", "/groups/%s/apiKeys/%s", w.group, first), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_ROLE_FOR_GROUP");

  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/apiKeys/%s", w.group, first), ==, 204);
  munit_assert_int64(api_key_events(&w, "groups", w.group, "API_KEY_REMOVED_FROM_GROUP"), ==, 1);
  munit_assert_int64(api_key_total(&w, "groups", w.group), ==, 1);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/apiKeys/%s", w.group, first), ==, 404);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/apiKeys/%s", w.org, first), ==, 200);
  munit_assert_size(t_count(&w.t, "roles"), ==, 2);
  api_key_role(&w, 0, "orgId", w.org, "ORG_MEMBER");
  api_key_role(&w, 1, "groupId", w.other, "GROUP_OWNER");
  t_close(&w.t);
}

/* A key shows no role on a project that is deleted or belongs to another organization. Its ETag changes then. */
TEST(api_key, lost_projects)
{
  api_key_world w;
  char both[32], etag[64], bystander[32], untouched[64], body[64];
  const char *second;
  api_key_open(&w);
  second = t_organization(&w.t, "Beta");
  api_key_make_one(&w, "orgs", w.org, "{\"desc\":\"c\",\"roles\":[\"ORG_MEMBER\"]}");
  snprintf(bystander, sizeof bystander, "%s", w.id);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/apiKeys/%s", w.org, bystander), ==, 200);
  snprintf(untouched, sizeof untouched, "%s", t_get_header(&w.t, "ETag"));
  api_key_make_one(&w, "groups", w.group, "{\"desc\":\"b\",\"roles\":[\"GROUP_OWNER\",\"GROUP_CLUSTER_MANAGER\"]}");
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"roles\":[\"GROUP_READ_ONLY\"]}]", "/groups/%s/apiKeys/%s", w.other, w.id), ==, 204);
  snprintf(both, sizeof both, "%s", w.id);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/apiKeys/%s", w.org, both), ==, 200);
  munit_assert_size(t_count(&w.t, "roles"), ==, 3);
  snprintf(etag, sizeof etag, "%s", t_get_header(&w.t, "ETag"));

  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202);
  munit_assert_string_equal(w.t.response.body, "{}");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/apiKeys/%s", w.org, both), ==, 200);
  munit_assert_size(t_count(&w.t, "roles"), ==, 1);
  api_key_role(&w, 0, "groupId", w.other, "GROUP_READ_ONLY");
  munit_assert_string_equal(t_str(&w.t, "desc"), "b");
  munit_assert_string_not_equal(t_get_header(&w.t, "ETag"), etag);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/apiKeys/%s", w.org, bystander), ==, 200);
  munit_assert_string_equal(t_get_header(&w.t, "ETag"), untouched);
  munit_assert_int64(api_key_total(&w, "groups", w.other), ==, 1);

  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", second);
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s:migrate", w.other), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "id"), w.other); /* the answer is the project */
  munit_assert_string_equal(t_str(&w.t, "orgId"), second);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/apiKeys/%s", w.org, both), ==, 200);
  munit_assert_size(t_count(&w.t, "roles"), ==, 0);
  munit_assert_int64(api_key_total(&w, "groups", w.other), ==, 0);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_ROLES_CHANGED"), ==, 0);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_REMOVED_FROM_GROUP"), ==, 0);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "GROUP_DELETED"), ==, 1);

  /* the shown body can be sent back, and the key can get roles again */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"desc\":\"d\",\"roles\":[]}", "/orgs/%s/apiKeys/%s", w.org, both), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "desc"), "d");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"roles\":[\"ORG_MEMBER\"]}", "/orgs/%s/apiKeys/%s", w.org, both), ==, 200);
  api_key_role(&w, 0, "orgId", w.org, "ORG_MEMBER");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"roles\":[]}", "/orgs/%s/apiKeys/%s", w.org, both), ==, 400);
  t_close(&w.t);
}

#define API_KEY_LIST "/orgs/%s/apiKeys/%s/accessList"

TEST(api_key, access_list)
{
  api_key_world w;
  api_key_open(&w);
  api_key_make_one(&w, "orgs", w.org, "{\"desc\":\"a\",\"roles\":[\"ORG_MEMBER\"]}");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, API_KEY_LIST, w.org, w.id), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.1\"},{\"cidrBlock\":\"198.51.100.77/24\"},"
                           "{\"ipAddress\":\"2001:DB8:0:0::0001\"},{\"cidrBlock\":\"2001:db8:ffff::1/48\"}]", API_KEY_LIST, w.org, w.id), ==, 201);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 4);
  munit_assert_string_equal(t_str(&w.t, "results[0].ipAddress"), "192.0.2.1");
  munit_assert_string_equal(t_str(&w.t, "results[0].cidrBlock"), "192.0.2.1/32");
  munit_assert_string_equal(t_str(&w.t, "results[0].created"), "2025-06-01T00:00:00Z");
  munit_assert_int64(t_int(&w.t, "results[0].count"), ==, 0);
  munit_assert_null(t_node(&w.t, "results[0].lastUsed"));
  munit_assert_null(t_node(&w.t, "results[1].ipAddress"));
  munit_assert_string_equal(t_str(&w.t, "results[1].cidrBlock"), "198.51.100.0/24");
  munit_assert_string_equal(t_str(&w.t, "results[2].ipAddress"), "2001:db8::1");
  munit_assert_string_equal(t_str(&w.t, "results[2].cidrBlock"), "2001:db8::1/128");
  munit_assert_string_equal(t_str(&w.t, "results[3].cidrBlock"), "2001:db8:ffff::/48");
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_ACCESS_LIST_ENTRY_ADDED"), ==, 4);
  munit_assert_string_equal(t_str(&w.t, "results[0].whitelistEntry"), "2001:db8:ffff::/48");
  munit_assert_string_equal(t_str(&w.t, "results[3].whitelistEntry"), "192.0.2.1");
  /* the key that owns the list */
  munit_assert_true(svc_pattern_match("^[a-z]{8}$", svc_str_c(t_str(&w.t, "results[0].targetPublicKey"))));

  /* an entry that exists is not added again, in any spelling, and writes no event */
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"cidrBlock\":\"192.0.2.1/32\"},{\"ipAddress\":\"::ffff:192.0.2.1\"},"
                           "{\"cidrBlock\":\"198.51.100.0/24\"},{\"ipAddress\":\"2001:db8::1\"},{\"ipAddress\":\"203.0.113.9\"},"
                           "{\"ipAddress\":\"203.0.113.9\"}]", API_KEY_LIST, w.org, w.id), ==, 201);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 5);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_ACCESS_LIST_ENTRY_ADDED"), ==, 5);

  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.9\"},{}]", API_KEY_LIST, w.org, w.id), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MISSING_ONE_OF_ATTRIBUTES");
  munit_assert_true(t_violation(&w.t, "[1]"));
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.9\",\"cidrBlock\":\"192.0.2.0/24\"}]", API_KEY_LIST, w.org, w.id), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MISSING_ONE_OF_ATTRIBUTES");
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.256\"}]", API_KEY_LIST, w.org, w.id), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_IP_ADDRESS_OR_CIDR_NOTATION");
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"cidrBlock\":\"192.0.2.0/33\"}]", API_KEY_LIST, w.org, w.id), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_IP_ADDRESS_OR_CIDR_NOTATION");
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"cidrBlock\":\"192.0.2.0/-0\"}]", API_KEY_LIST, w.org, w.id), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_IP_ADDRESS_OR_CIDR_NOTATION"); /* not read as /0, which would admit every address */
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.1.\"}]", API_KEY_LIST, w.org, w.id), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_IP_ADDRESS_OR_CIDR_NOTATION");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, API_KEY_LIST, w.org, w.id), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 5);

  munit_assert_int(t_sendf(&w.t, "GET", NULL, API_KEY_LIST "/192.0.2.1", w.org, w.id), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "ipAddress"), "192.0.2.1");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, API_KEY_LIST "/192.0.2.1%%2F32", w.org, w.id), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "ipAddress"), "192.0.2.1");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, API_KEY_LIST "/198.51.100.0%%2F24", w.org, w.id), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "cidrBlock"), "198.51.100.0/24");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, API_KEY_LIST "/198.51.100.200%%2f24", w.org, w.id), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "cidrBlock"), "198.51.100.0/24");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, API_KEY_LIST "/2001%%3A0DB8%%3A%%3A1", w.org, w.id), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "ipAddress"), "2001:db8::1");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, API_KEY_LIST "/198.51.100.0", w.org, w.id), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "ACCESS_LIST_NOT_FOUND");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, API_KEY_LIST "/nonsense", w.org, w.id), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "ACCESS_LIST_NOT_FOUND");

  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, API_KEY_LIST "/198.51.100.0%%2F24", w.org, w.id), ==, 204);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_ACCESS_LIST_ENTRY_DELETED"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].whitelistEntry"), "198.51.100.0/24");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, API_KEY_LIST "/2001:DB8:0:0:0:0:0:1", w.org, w.id), ==, 204);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_ACCESS_LIST_ENTRY_DELETED"), ==, 2);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, API_KEY_LIST "/198.51.100.0%%2F24", w.org, w.id), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "ACCESS_LIST_NOT_FOUND");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, API_KEY_LIST, w.org, w.id), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  t_close(&w.t);
}

TEST(api_key, access_list_limit)
{
  api_key_world w;
  char body[8192];
  size_t n = 0;
  int i;
  api_key_open(&w);
  api_key_make_one(&w, "orgs", w.org, "{\"desc\":\"a\",\"roles\":[\"ORG_MEMBER\"]}");
  for (i = 0; i < 200; i++) n += (size_t)snprintf(body + n, sizeof body - n, "%c{\"ipAddress\":\"192.0.2.%d\"}", i ? ',' : '[', i);
  snprintf(body + n, sizeof body - n, "]");
  munit_assert_int(t_sendf(&w.t, "POST", body, API_KEY_LIST, w.org, w.id), ==, 201);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 100); /* the first page */
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.200\"}]", API_KEY_LIST, w.org, w.id), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "NETWORK_PERMISSIONS_LIMIT_EXCEEDED");
  munit_assert_string_equal(t_param(&w.t, 0), "200");
  munit_assert_string_equal(t_param(&w.t, 1), w.id);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, API_KEY_LIST "/192.0.2.0", w.org, w.id), ==, 204);
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.200\"},{\"ipAddress\":\"192.0.2.201\"}]", API_KEY_LIST, w.org, w.id), ==, 403);
  /* entries that exist already, or occur twice in the body, do not count */
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.1\"},{\"ipAddress\":\"192.0.2.200\"},{\"cidrBlock\":\"192.0.2.200/32\"},"
                           "{\"ipAddress\":\"192.0.2.2\"}]", API_KEY_LIST, w.org, w.id), ==, 201);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 200);
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.200\"},{\"ipAddress\":\"192.0.2.1\"}]", API_KEY_LIST, w.org, w.id), ==, 201);
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.1\"},{\"ipAddress\":\"192.0.2.201\"}]", API_KEY_LIST, w.org, w.id), ==, 403);
  /* the invalid entry is reported before the limit */
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.201\"},{}]", API_KEY_LIST, w.org, w.id), ==, 400);
  munit_assert_int64(api_key_events(&w, "orgs", w.org, "API_KEY_ACCESS_LIST_ENTRY_ADDED"), ==, 201);
  t_close(&w.t);
}

/* A random source that always returns the same: creating a second key fails, and does not hang. */
static int api_key_no_chance(void *context, void *buffer, size_t size)
{
  (void)context;
  memset(buffer, 7, size);
  return 0;
}

TEST(api_key, same_random)
{
  t_service t;
  const char *org;
  t_open(&t, &(svc_config){ .random = api_key_no_chance });
  org = t_organization(&t, "Acme");
  munit_assert_int(t_sendf(&t, "POST", "{\"desc\":\"a\",\"roles\":[\"ORG_MEMBER\"]}", "/orgs/%s/apiKeys", org), ==, 201);
  munit_assert_int(t_sendf(&t, "POST", "{\"desc\":\"b\",\"roles\":[\"ORG_MEMBER\"]}", "/orgs/%s/apiKeys", org), ==, 503);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/apiKeys", org), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  t_close(&t);
}

/* An access manager of a project manages the roles that keys have there. The roles of keys that own the project, and the descriptions
** of keys with roles elsewhere, are out of reach. */
TEST(api_key, managers)
{
  api_key_world w;
  const char *root, *own, *manager, *reader, *owner;
  char body[256];
  api_key_open(&w);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"desc\":\"root\",\"roles\":[\"ORG_OWNER\"]}", "/orgs/%s/apiKeys", w.org) / 100, ==, 2);
  root = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"roles\":[\"GROUP_READ_ONLY\"]}]", "/groups/%s/apiKeys/%s", w.group, root), ==, 204);
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"roles\":[\"GROUP_OWNER\"]}]", "/groups/%s/apiKeys/%s", w.other, root), ==, 204);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"desc\":\"own\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/apiKeys", w.group) / 100, ==, 2);
  own = t_keep(&w.t, t_str(&w.t, "id"));
  snprintf(body, sizeof body, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_ACCESS_MANAGER\"}]", w.group);
  manager = t_user(&w.t, "manager@example.com", body);
  snprintf(body, sizeof body, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_READ_ONLY\"}]", w.group);
  reader = t_user(&w.t, "reader@example.com", body);
  snprintf(body, sizeof body, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]", w.org);
  owner = t_user(&w.t, "owner@example.com", body);

  t_as(&w.t, manager);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"desc\":\"mine\"}", "/groups/%s/apiKeys/%s", w.group, root), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "ACCESS_FORBIDDEN");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"desc\":\"root\",\"roles\":[\"GROUP_CLUSTER_MANAGER\"]}", "/groups/%s/apiKeys/%s", w.group, root), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"desc\":\"ours\"}", "/groups/%s/apiKeys/%s", w.group, own), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/apiKeys/%s", w.group, own), ==, 403);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/apiKeys/%s", w.group, own), ==, 403);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/apiKeys/%s", w.group, root), ==, 204);
  t_as(&w.t, NULL);
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"roles\":[\"GROUP_READ_ONLY\"]}]", "/groups/%s/apiKeys/%s", w.group, root), ==, 204);

  /* a caller who may read only this project sees no roles on other projects or the organization */
  t_as(&w.t, reader);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/apiKeys", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].id"), root);
  munit_assert_size(t_count(&w.t, "results[0].roles"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].roles[0].groupId"), w.group);
  munit_assert_null(strstr(w.t.response.body, w.other));
  munit_assert_null(strstr(w.t.response.body, "ORG_OWNER"));
  t_as(&w.t, owner);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/apiKeys", w.group), ==, 200);
  munit_assert_size(t_count(&w.t, "results[0].roles"), ==, 3);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"desc\":\"renamed\"}", "/groups/%s/apiKeys/%s", w.group, root), ==, 200);
  munit_assert_size(t_count(&w.t, "roles"), ==, 3);
  t_close(&w.t);
}

/* Adding a key to a project costs the same however many projects the key has. */
TEST(api_key, cost)
{
  svc_config config = { .limiter_off = 1, .store = t_counting_port() };
  t_reads few = { 0 }, many = { 0 };
  const char *org, *key, *group;
  t_service t;
  char name[16];
  int i;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  munit_assert_int(t_sendf(&t, "POST", "{\"desc\":\"k\",\"roles\":[\"ORG_MEMBER\"]}", "/orgs/%s/apiKeys", org) / 100, ==, 2);
  key = t_keep(&t, t_str(&t, "id"));
  for (i = 0; i < 64; i++) {
    snprintf(name, sizeof name, "p%d", i);
    group = t_project(&t, org, name);
    t_reads_taken();
    munit_assert_int(t_sendf(&t, "POST", "[{\"roles\":[\"GROUP_READ_ONLY\"]}]", "/groups/%s/apiKeys/%s", group, key), ==, 204);
    many = t_reads_taken();
    if (i == 3) few = many;
  }
  munit_assert_long(many.gets + many.rows, <=, few.gets + few.rows + 2);
  t_close(&t);
}

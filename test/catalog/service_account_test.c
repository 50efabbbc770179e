/*
** Service accounts: created in an organization or a project, visible from both, invited and removed; their secrets and
** access lists.
**
** Tests also: service_account_access_list, service_account_secret
*/
#include "support.h"

#define SERVICE_ACCOUNT_ABSENT "svc_sa_id_5f5f5f5f5f5f5f5f5f5f5f5f"
#define SERVICE_ACCOUNT_BODY(role) \
  "{\"name\":\"deployer\",\"description\":\"deploys\",\"roles\":[\"" role "\"],\"secretExpiresAfterHours\":8}"

typedef struct service_account_world {
  t_service t;
  const char *org, *group, *other; /* two projects of the organization */
  char id[64];                     /* of the account created last */
} service_account_world;

static void service_account_open(service_account_world *w)
{
  memset(w, 0, sizeof *w);
  t_open(&w->t, NULL);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "alpha");
  w->other = t_project(&w->t, w->org, "beta");
}

static void service_account_make_one(service_account_world *w, const char *level, const char *scope, const char *body)
{
  munit_assert_int(t_sendf(&w->t, "POST", body, "/%s/%s/serviceAccounts", level, scope), ==, 201);
  snprintf(w->id, sizeof w->id, "%s", t_str(&w->t, "clientId"));
}

/* Sends a request about the account created last. `rest` follows its id in the path. */
static int service_account_call(service_account_world *w, const char *method, const char *scope, const char *rest, const char *body)
{
  return t_sendf(&w->t, method, body, "/%s/%s/serviceAccounts/%s%s", scope == w->org ? "orgs" : "groups", scope, w->id, rest);
}

static int64_t service_account_total(service_account_world *w, const char *scope)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/%s/%s/serviceAccounts", scope == w->org ? "orgs" : "groups", scope), ==, 200);
  munit_assert_int64((int64_t)t_count(&w->t, "results"), ==, t_int(&w->t, "totalCount"));
  return t_int(&w->t, "totalCount");
}

/* Returns the number of events of this type. The newest must be about the account created last. */
static int64_t service_account_events(service_account_world *w, const char *scope, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/%s/%s/events?eventType=%s", scope == w->org ? "orgs" : "groups", scope, type), ==, 200);
  if (t_count(&w->t, "results")) munit_assert_string_equal(t_str(&w->t, "results[0].resourceId"), w->id);
  return t_int(&w->t, "totalCount");
}

/* Checks that the account has exactly this role in this scope. */
static void service_account_role(service_account_world *w, const char *scope, const char *role)
{
  munit_assert_int(service_account_call(w, "GET", scope, "", NULL), ==, 200);
  munit_assert_size(t_count(&w->t, "roles"), ==, *role ? 1 : 0);
  munit_assert_string_equal(t_str(&w->t, "roles[0]"), role);
}

TEST(service_account, life)
{
  service_account_world w;
  char secret[128], masked[64], kept[2048];
  service_account_open(&w);
  service_account_make_one(&w, "orgs", w.org, SERVICE_ACCOUNT_BODY("ORG_MEMBER"));
  munit_assert_true(svc_pattern_match("^svc_sa_id_[a-f0-9]{24}$", svc_str_c(w.id)));
  munit_assert_string_equal(t_str(&w.t, "name"), "deployer");
  munit_assert_string_equal(t_str(&w.t, "description"), "deploys");
  munit_assert_string_equal(t_str(&w.t, "createdAt"), "2025-06-01T00:00:00Z");
  munit_assert_size(t_count(&w.t, "roles"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "roles[0]"), "ORG_MEMBER");
  munit_assert_null(t_node(&w.t, "secretExpiresAfterHours"));
  munit_assert_size(t_count(&w.t, "secrets"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "secrets[0].createdAt"), "2025-06-01T00:00:00Z");
  munit_assert_string_equal(t_str(&w.t, "secrets[0].expiresAt"), "2025-06-01T08:00:00Z");
  munit_assert_null(t_node(&w.t, "secrets[0].maskedSecretValue"));
  snprintf(secret, sizeof secret, "%s", t_str(&w.t, "secrets[0].secret"));
  munit_assert_true(svc_pattern_match("^svc_sa_sk_[A-Za-z0-9_+/-]{40}$", svc_str_c(secret)));
  snprintf(masked, sizeof masked, "svc_sa_sk_****%s", secret + strlen(secret) - 4);
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_CREATED"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].orgId"), w.org);

  service_account_role(&w, w.org, "ORG_MEMBER");
  munit_assert_string_equal(t_str(&w.t, "secrets[0].maskedSecretValue"), masked);
  munit_assert_null(t_node(&w.t, "secrets[0].secret"));
  munit_assert_null(strstr(w.t.response.body, secret));
  munit_assert_int64(service_account_total(&w, w.org), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].clientId"), w.id);
  munit_assert_null(strstr(w.t.response.body, secret));
  munit_assert_int64(service_account_total(&w, w.group), ==, 0);

  /* the body of a GET can be sent back, and changes nothing */
  service_account_role(&w, w.org, "ORG_MEMBER");
  snprintf(kept, sizeof kept, "%s", w.t.response.body);
  munit_assert_int(service_account_call(&w, "PATCH", w.org, "", kept), ==, 200);
  munit_assert_string_equal(w.t.response.body, kept);
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_DETAILS_CHANGED"), ==, 0);
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_ROLES_CHANGED"), ==, 0);

  munit_assert_int(service_account_call(&w, "PATCH", w.org, "", "{\"name\":\"builder\",\"description\":\"builds\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "name"), "builder");
  munit_assert_string_equal(t_str(&w.t, "description"), "builds");
  munit_assert_int(service_account_call(&w, "PATCH", w.org, "", "{\"name\":null,\"description\":null}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "name"), "builder"); /* null: unchanged */
  munit_assert_string_equal(t_str(&w.t, "description"), "builds");
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_DETAILS_CHANGED"), ==, 1);
  munit_assert_int(service_account_call(&w, "PATCH", w.org, "", "{\"roles\":[\"ORG_READ_ONLY\"]}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "roles[0]"), "ORG_READ_ONLY");
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_ROLES_CHANGED"), ==, 1);
  munit_assert_int(service_account_call(&w, "PATCH", w.org, "", "{\"name\":\"both\",\"roles\":[\"ORG_MEMBER\"]}"), ==, 200);
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_DETAILS_CHANGED"), ==, 2);
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_ROLES_CHANGED"), ==, 2);
  munit_assert_int(service_account_call(&w, "PATCH", w.org, "", "{\"roles\":[\"GROUP_OWNER\"]}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_ROLE_FOR_ORG");
  munit_assert_int(service_account_call(&w, "PATCH", w.org, "", "{\"roles\":[]}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "roles"));
  munit_assert_int(service_account_call(&w, "PATCH", w.org, "", "{\"secretExpiresAfterHours\":9}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_ATTRIBUTE");
  service_account_role(&w, w.org, "ORG_MEMBER");

  munit_assert_int(service_account_call(&w, "DELETE", w.org, "", NULL), ==, 204);
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_DELETED"), ==, 1);
  munit_assert_int(service_account_call(&w, "GET", w.org, "", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "RESOURCE_NOT_FOUND");
  munit_assert_int(service_account_call(&w, "DELETE", w.org, "", NULL), ==, 404);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/serviceAccounts/" SERVICE_ACCOUNT_ABSENT, w.org), ==, 404);
  munit_assert_int64(service_account_total(&w, w.org), ==, 0);
  t_close(&w.t);
}

TEST(service_account, refused)
{
  static const struct {
    const char *level, *body, *error, *field;
  } rows[] = {
    { "orgs", SERVICE_ACCOUNT_BODY("GROUP_OWNER"), "INVALID_ROLE_FOR_ORG", "roles[0]" },
    { "groups", SERVICE_ACCOUNT_BODY("ORG_OWNER"), "INVALID_ROLE_FOR_GROUP", "roles[0]" },
    { "orgs", "{\"name\":\"a\",\"description\":\"b\",\"roles\":[\"ORG_OWNER\"]}", "MISSING_ATTRIBUTE", "secretExpiresAfterHours" },
    { "orgs", "{\"description\":\"b\",\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":8}", "MISSING_ATTRIBUTE", "name" },
    { "orgs", "{\"name\":\"a\",\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":8}", "MISSING_ATTRIBUTE", "description" },
    { "orgs", "{\"name\":\"a\",\"description\":\"b\",\"secretExpiresAfterHours\":8}", "MISSING_ATTRIBUTE", "roles" },
    { "orgs", "{\"name\":\"a<\",\"description\":\"b\",\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":8}", NULL, "name" },
    { "orgs", "{\"name\":\"a\",\"description\":\"b\",\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":7}", NULL, "secretExpiresAfterHours" },
    { "orgs", "{\"name\":\"a\",\"description\":\"b\",\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":8761}", NULL, "secretExpiresAfterHours" },
  };
  service_account_world w;
  size_t i;
  service_account_open(&w);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    munit_assert_int(t_sendf(&w.t, "POST", rows[i].body, "/%s/%s/serviceAccounts", rows[i].level,
                             rows[i].level[0] == 'o' ? w.org : w.group), ==, 400);
    if (rows[i].error) munit_assert_string_equal(t_error(&w.t), rows[i].error);
    munit_assert_true(t_violation(&w.t, rows[i].field));
  }
  munit_assert_int64(service_account_total(&w, w.org), ==, 0);
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_CREATED"), ==, 0);
  t_close(&w.t);
}

TEST(service_account, in_projects)
{
  service_account_world w;
  char kept[2048];
  service_account_open(&w);
  service_account_make_one(&w, "groups", w.group, SERVICE_ACCOUNT_BODY("GROUP_OWNER"));
  munit_assert_size(t_count(&w.t, "roles"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "roles[0]"), "GROUP_OWNER");
  munit_assert_size(strlen(t_str(&w.t, "secrets[0].secret")), ==, 50);
  munit_assert_int64(service_account_events(&w, w.group, "SERVICE_ACCOUNT_CREATED"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].groupId"), w.group);
  service_account_role(&w, w.group, "GROUP_OWNER");
  service_account_role(&w, w.org, "");
  snprintf(kept, sizeof kept, "%s", w.t.response.body);
  munit_assert_int(service_account_call(&w, "PATCH", w.org, "", kept), ==, 200); /* also without a role on the organization */
  munit_assert_string_equal(w.t.response.body, kept);
  service_account_role(&w, w.group, "GROUP_OWNER");
  munit_assert_int(service_account_call(&w, "GET", w.other, "", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "RESOURCE_NOT_FOUND");

  service_account_make_one(&w, "orgs", w.org, SERVICE_ACCOUNT_BODY("ORG_MEMBER"));
  munit_assert_int(service_account_call(&w, "GET", w.group, "", NULL), ==, 404);
  munit_assert_int(service_account_call(&w, "PATCH", w.group, "", "{\"name\":\"x\"}"), ==, 404);
  munit_assert_int(service_account_call(&w, "DELETE", w.group, "", NULL), ==, 404);
  munit_assert_int(service_account_call(&w, "POST", w.group, "/secrets", "{\"secretExpiresAfterHours\":8}"), ==, 404);
  munit_assert_int(service_account_call(&w, "GET", w.group, "/accessList", NULL), ==, 404);
  munit_assert_int(service_account_call(&w, "POST", w.group, "/accessList", "[{\"ipAddress\":\"192.0.2.1\"}]"), ==, 404);
  munit_assert_int(service_account_call(&w, "DELETE", w.group, "/accessList/192.0.2.1", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "RESOURCE_NOT_FOUND");

  munit_assert_int(service_account_call(&w, "POST", w.group, ":invite", "{\"roles\":[\"ORG_OWNER\"]}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_ROLE_FOR_GROUP");
  munit_assert_int(service_account_call(&w, "POST", w.group, ":invite", "{\"roles\":[]}"), ==, 400);
  munit_assert_int(service_account_call(&w, "POST", w.group, ":invite", "{\"roles\":[\"GROUP_READ_ONLY\"]}"), ==, 200);
  munit_assert_size(t_count(&w.t, "roles"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "roles[0]"), "GROUP_READ_ONLY");
  munit_assert_int64(service_account_events(&w, w.group, "SERVICE_ACCOUNT_ADDED_TO_GROUP"), ==, 1);
  munit_assert_int(service_account_call(&w, "POST", w.other, ":invite", "{\"roles\":[\"GROUP_OWNER\",\"GROUP_READ_ONLY\"]}"), ==, 200);
  munit_assert_int64(service_account_events(&w, w.other, "SERVICE_ACCOUNT_ADDED_TO_GROUP"), ==, 1);
  service_account_role(&w, w.org, "ORG_MEMBER");
  service_account_role(&w, w.group, "GROUP_READ_ONLY");
  munit_assert_int64(service_account_total(&w, w.org), ==, 2);
  munit_assert_int64(service_account_total(&w, w.other), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].clientId"), w.id);
  munit_assert_size(t_count(&w.t, "results[0].roles"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "results[0].roles[0]"), "GROUP_OWNER");
  munit_assert_int64(service_account_total(&w, w.group), ==, 2);

  munit_assert_int(service_account_call(&w, "GET", w.org, "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "results[0].groupId"), w.group);
  munit_assert_size(t_count(&w.t, "results[0].roles"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].roles[0]"), "GROUP_READ_ONLY");
  munit_assert_string_equal(t_str(&w.t, "results[1].groupId"), w.other);
  munit_assert_size(t_count(&w.t, "results[1].roles"), ==, 2);
  munit_assert_int(service_account_call(&w, "GET", w.org, "/groups?itemsPerPage=1&pageNum=2", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].groupId"), w.other);

  /* a change in one scope does not affect the others; the body of a GET can be sent back */
  service_account_role(&w, w.group, "GROUP_READ_ONLY");
  snprintf(kept, sizeof kept, "%s", w.t.response.body);
  munit_assert_int(service_account_call(&w, "PATCH", w.group, "", kept), ==, 200);
  munit_assert_int64(service_account_events(&w, w.group, "SERVICE_ACCOUNT_ROLES_CHANGED"), ==, 0);
  munit_assert_int(service_account_call(&w, "PATCH", w.group, "", "{\"roles\":[\"GROUP_CLUSTER_MANAGER\"]}"), ==, 200);
  munit_assert_size(t_count(&w.t, "roles"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "roles[0]"), "GROUP_CLUSTER_MANAGER");
  munit_assert_int64(service_account_events(&w, w.group, "SERVICE_ACCOUNT_ROLES_CHANGED"), ==, 1);
  munit_assert_int(service_account_call(&w, "PATCH", w.group, "", "{\"name\":\"renamed\",\"roles\":[\"GROUP_OWNER\"]}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "name"), "renamed");
  munit_assert_int64(service_account_events(&w, w.group, "SERVICE_ACCOUNT_ROLES_CHANGED"), ==, 2);
  munit_assert_int64(service_account_events(&w, w.group, "SERVICE_ACCOUNT_DETAILS_CHANGED"), ==, 1);
  service_account_role(&w, w.org, "ORG_MEMBER");
  munit_assert_string_equal(t_str(&w.t, "name"), "renamed");

  munit_assert_int(service_account_call(&w, "DELETE", w.group, "", NULL), ==, 204);
  munit_assert_int64(service_account_events(&w, w.group, "SERVICE_ACCOUNT_REMOVED_FROM_GROUP"), ==, 1);
  munit_assert_int(service_account_call(&w, "GET", w.group, "", NULL), ==, 404);
  service_account_role(&w, w.org, "ORG_MEMBER");
  munit_assert_int(service_account_call(&w, "GET", w.org, "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].groupId"), w.other);
  munit_assert_int64(service_account_total(&w, w.group), ==, 1);
  t_close(&w.t);
}

TEST(service_account, secrets)
{
  service_account_world w;
  char first[32], second[64], path[64], masked[64];
  service_account_open(&w);
  service_account_make_one(&w, "orgs", w.org, SERVICE_ACCOUNT_BODY("ORG_MEMBER"));
  snprintf(first, sizeof first, "%s", t_str(&w.t, "secrets[0].id"));
  munit_assert_int(service_account_call(&w, "POST", w.org, "/secrets", "{\"secretExpiresAfterHours\":7}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "secretExpiresAfterHours"));
  munit_assert_int(service_account_call(&w, "POST", w.org, "/secrets", "{\"secretExpiresAfterHours\":8761}"), ==, 400);
  munit_assert_int(service_account_call(&w, "POST", w.org, "/secrets", "{}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MISSING_ATTRIBUTE");
  t_advance(&w.t, 60);
  munit_assert_int(service_account_call(&w, "POST", w.org, "/secrets", "{\"secretExpiresAfterHours\":8760}"), ==, 201);
  munit_assert_string_equal(t_str(&w.t, "createdAt"), "2025-06-01T00:01:00Z");
  munit_assert_string_equal(t_str(&w.t, "expiresAt"), "2026-06-01T00:01:00Z");
  munit_assert_size(strlen(t_str(&w.t, "secret")), ==, 50);
  snprintf(masked, sizeof masked, "svc_sa_sk_****%s", t_str(&w.t, "secret") + 46);
  snprintf(second, sizeof second, "%s", t_str(&w.t, "id"));
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_SECRET_ADDED"), ==, 1);
  munit_assert_int(service_account_call(&w, "GET", w.org, "", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "secrets"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "secrets[0].id"), first);
  munit_assert_string_equal(t_str(&w.t, "secrets[1].id"), second);
  munit_assert_string_equal(t_str(&w.t, "secrets[1].maskedSecretValue"), masked);
  munit_assert_null(t_node(&w.t, "secrets[1].secret"));

  munit_assert_int(service_account_call(&w, "POST", w.org, "/secrets", "{\"secretExpiresAfterHours\":8}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_REQUEST");
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_SECRET_ADDED"), ==, 1);
  snprintf(path, sizeof path, "/secrets/%s", first);
  munit_assert_int(service_account_call(&w, "DELETE", w.group, path, NULL), ==, 404); /* not an account of that project */
  munit_assert_int(service_account_call(&w, "DELETE", w.org, path, NULL), ==, 204);
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_SECRET_DELETED"), ==, 1);
  munit_assert_int(service_account_call(&w, "DELETE", w.org, path, NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "RESOURCE_NOT_FOUND");
  munit_assert_int(service_account_call(&w, "GET", w.org, "", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "secrets"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "secrets[0].id"), second);

  /* the organization may set a lower maximum, which also holds for secrets created below a project */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"maxServiceAccountSecretValidityInHours\":24}", "/orgs/%s/settings", w.org), ==, 200);
  munit_assert_int(service_account_call(&w, "POST", w.group, ":invite", "{\"roles\":[\"GROUP_OWNER\"]}"), ==, 200);
  munit_assert_int(service_account_call(&w, "POST", w.group, "/secrets", "{\"secretExpiresAfterHours\":25}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_ATTRIBUTE");
  munit_assert_true(t_violation(&w.t, "secretExpiresAfterHours"));
  munit_assert_int(service_account_call(&w, "POST", w.group, "/secrets", "{\"secretExpiresAfterHours\":24}"), ==, 201);
  munit_assert_string_equal(t_str(&w.t, "expiresAt"), "2025-06-02T00:01:00Z");
  snprintf(path, sizeof path, "/secrets/%s", t_str(&w.t, "id"));
  munit_assert_int64(service_account_events(&w, w.group, "SERVICE_ACCOUNT_SECRET_ADDED"), ==, 1);
  munit_assert_int(service_account_call(&w, "DELETE", w.group, path, NULL), ==, 204);
  munit_assert_int64(service_account_events(&w, w.group, "SERVICE_ACCOUNT_SECRET_DELETED"), ==, 1);
  service_account_role(&w, w.group, "GROUP_OWNER");
  service_account_role(&w, w.org, "ORG_MEMBER");
  t_close(&w.t);
}

TEST(service_account, limit)
{
  service_account_world w;
  int i;
  service_account_open(&w);
  for (i = 0; i < 200; i++) {
    service_account_make_one(&w, i % 2 ? "orgs" : "groups", i % 2 ? w.org : w.group,
                             i % 2 ? SERVICE_ACCOUNT_BODY("ORG_MEMBER") : SERVICE_ACCOUNT_BODY("GROUP_OWNER"));
    t_advance(&w.t, 60); /* avoids the rate limit */
  }
  munit_assert_int(t_sendf(&w.t, "POST", SERVICE_ACCOUNT_BODY("ORG_MEMBER"), "/orgs/%s/serviceAccounts", w.org), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MAX_API_KEYS_PER_ORG_EXCEEDED");
  munit_assert_string_equal(t_param(&w.t, 0), "200");
  munit_assert_string_equal(t_param(&w.t, 1), w.org);
  munit_assert_int(t_sendf(&w.t, "POST", SERVICE_ACCOUNT_BODY("GROUP_OWNER"), "/groups/%s/serviceAccounts", w.group), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MAX_API_KEYS_PER_ORG_EXCEEDED");
  munit_assert_int64(service_account_total(&w, w.group), ==, 100);
  munit_assert_int(service_account_call(&w, "DELETE", w.org, "", NULL), ==, 204);
  service_account_make_one(&w, "orgs", w.org, SERVICE_ACCOUNT_BODY("ORG_MEMBER"));
  t_close(&w.t);
}

TEST(service_account, access_list)
{
  service_account_world w;
  service_account_open(&w);
  service_account_make_one(&w, "orgs", w.org, SERVICE_ACCOUNT_BODY("ORG_MEMBER"));
  munit_assert_int(service_account_call(&w, "POST", w.group, ":invite", "{\"roles\":[\"GROUP_OWNER\"]}"), ==, 200);
  munit_assert_int(service_account_call(&w, "POST", w.org, "/accessList",
                                        "[{\"ipAddress\":\"192.0.2.1\"},{\"cidrBlock\":\"198.51.100.9/24\"}]"), ==, 201);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "results[0].ipAddress"), "192.0.2.1");
  munit_assert_string_equal(t_str(&w.t, "results[0].cidrBlock"), "192.0.2.1/32");
  munit_assert_string_equal(t_str(&w.t, "results[0].createdAt"), "2025-06-01T00:00:00Z");
  munit_assert_int64(t_int(&w.t, "results[0].requestCount"), ==, 0);
  munit_assert_null(t_node(&w.t, "results[1].ipAddress"));
  munit_assert_string_equal(t_str(&w.t, "results[1].cidrBlock"), "198.51.100.0/24");
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_ACCESS_LIST_ENTRY_ADDED"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "results[0].whitelistEntry"), "198.51.100.0/24");

  munit_assert_int(service_account_call(&w, "POST", w.group, "/accessList",
                                        "[{\"ipAddress\":\"2001:DB8:0::1\"},{\"ipAddress\":\"192.0.2.1\"}]"), ==, 201);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3); /* the same list, visible from both levels */
  munit_assert_int64(service_account_events(&w, w.group, "SERVICE_ACCOUNT_ACCESS_LIST_ENTRY_ADDED"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].whitelistEntry"), "2001:db8::1");
  munit_assert_int(service_account_call(&w, "GET", w.org, "/accessList", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  munit_assert_int(service_account_call(&w, "POST", w.group, "/accessList", "[{}]"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "MISSING_ONE_OF_ATTRIBUTES");
  munit_assert_int(service_account_call(&w, "POST", w.org, "/accessList", "[{\"ipAddress\":\"here\"}]"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_IP_ADDRESS_OR_CIDR_NOTATION");
  /* a block is no address, and an address is no block */
  munit_assert_int(service_account_call(&w, "POST", w.org, "/accessList",
                                        "[{\"ipAddress\":\"192.0.2.0/24\"},{\"cidrBlock\":\"192.0.2.9\"}]"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_IP_ADDRESS_OR_CIDR_NOTATION");
  munit_assert_true(t_violation(&w.t, "[0].ipAddress") && t_violation(&w.t, "[1].cidrBlock"));

  munit_assert_int(service_account_call(&w, "DELETE", w.group, "/accessList/198.51.100.44%2F24", NULL), ==, 204);
  munit_assert_int64(service_account_events(&w, w.group, "SERVICE_ACCOUNT_ACCESS_LIST_ENTRY_DELETED"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].whitelistEntry"), "198.51.100.0/24");
  munit_assert_int(service_account_call(&w, "DELETE", w.org, "/accessList/2001:db8:0:0:0:0:0:1", NULL), ==, 204);
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_ACCESS_LIST_ENTRY_DELETED"), ==, 1);
  munit_assert_int(service_account_call(&w, "DELETE", w.org, "/accessList/2001:db8::1", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "ACCESS_LIST_NOT_FOUND");
  munit_assert_int(service_account_call(&w, "GET", w.group, "/accessList", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].ipAddress"), "192.0.2.1");
  munit_assert_int(service_account_call(&w, "DELETE", w.org, "", NULL), ==, 204);
  munit_assert_int(service_account_call(&w, "GET", w.org, "/accessList", NULL), ==, 404);
  t_close(&w.t);
}

/* An account lists only projects that still exist. */
TEST(service_account, lost_project)
{
  service_account_world w;
  service_account_open(&w);
  service_account_make_one(&w, "orgs", w.org, SERVICE_ACCOUNT_BODY("ORG_MEMBER"));
  munit_assert_int(service_account_call(&w, "POST", w.group, ":invite", "{\"roles\":[\"GROUP_OWNER\"]}"), ==, 200);
  munit_assert_int(service_account_call(&w, "POST", w.other, ":invite", "{\"roles\":[\"GROUP_READ_ONLY\"]}"), ==, 200);
  munit_assert_int(service_account_call(&w, "GET", w.org, "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202);
  munit_assert_int(service_account_call(&w, "GET", w.org, "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].groupId"), w.other);
  service_account_role(&w, w.org, "ORG_MEMBER");
  munit_assert_size(t_count(&w.t, "secrets"), ==, 1);
  service_account_role(&w, w.other, "GROUP_READ_ONLY");
  munit_assert_int64(service_account_events(&w, w.org, "SERVICE_ACCOUNT_ROLES_CHANGED"), ==, 0);
  t_close(&w.t);
}

/* A caller who owns only one project of an account cannot change the secrets and access list of the whole account. */
TEST(service_account, may_do_more)
{
  static const char entry[] = "[{\"ipAddress\":\"203.0.113.1\"}]";
  service_account_world w;
  char secret[64];
  service_account_open(&w);
  service_account_make_one(&w, "orgs", w.org, SERVICE_ACCOUNT_BODY("ORG_OWNER"));
  snprintf(secret, sizeof secret, "/secrets/%s", t_str(&w.t, "secrets[0].id"));
  munit_assert_int(service_account_call(&w, "POST", w.group, ":invite", "{\"roles\":[\"GROUP_READ_ONLY\"]}"), ==, 200);
  munit_assert_int(service_account_call(&w, "POST", w.org, "/accessList", "[{\"ipAddress\":\"192.0.2.1\"}]"), ==, 201);
  w.t.grants[0].role = "GROUP_OWNER";
  w.t.grants[0].on = w.group;
  munit_assert_int(service_account_call(&w, "POST", w.group, "/secrets", "{\"secretExpiresAfterHours\":8}"), ==, 403);
  munit_assert_int(service_account_call(&w, "DELETE", w.group, secret, NULL), ==, 403);
  munit_assert_int(service_account_call(&w, "POST", w.group, "/accessList", entry), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "ACCESS_FORBIDDEN");
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "ORG_OWNER"));
  munit_assert_int(service_account_call(&w, "DELETE", w.group, "/accessList/192.0.2.1", NULL), ==, 403);
  munit_assert_int(service_account_call(&w, "GET", w.group, "/accessList", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);

  service_account_make_one(&w, "groups", w.group, SERVICE_ACCOUNT_BODY("GROUP_OWNER")); /* an account of only this project */
  snprintf(secret, sizeof secret, "/secrets/%s", t_str(&w.t, "secrets[0].id"));
  munit_assert_int(service_account_call(&w, "POST", w.group, "/accessList", entry), ==, 201);
  munit_assert_int(service_account_call(&w, "DELETE", w.group, "/accessList/203.0.113.1", NULL), ==, 204);
  munit_assert_int(service_account_call(&w, "POST", w.group, "/secrets", "{\"secretExpiresAfterHours\":8}"), ==, 201);
  munit_assert_string_equal(t_get_header(&w.t, "Cache-Control"), "no-store");
  munit_assert_int(service_account_call(&w, "DELETE", w.group, secret, NULL), ==, 204);
  munit_assert_string_equal(t_get_header(&w.t, "Cache-Control"), "");
  t_close(&w.t);
}

typedef struct service_account_twice {
  svc_job job; /* first: jobs are cast to this struct */
  svc_call *c;
  int runs;
} service_account_twice;

static bool service_account_run(svc_job *job, svc_txn *txn)
{
  service_account_twice *work = (service_account_twice *)job;
  svc_buf before = svc_buf_new(work->c->arena, 64), after = svc_buf_new(work->c->arena, 64);
  bool good;
  svc_node_write(&before, work->c->body);
  good = svc_behave_in(work->c, txn);
  svc_node_write(&after, work->c->body);
  munit_assert_string_equal(svc_buf_done(&after).p, svc_buf_done(&before).p);
  if (++work->runs == 1) txn->error = SVC_NO_ROOM; /* request a repetition */
  return good;
}

/* A repeated write starts with the original body. */
TEST(service_account, again)
{
  static const char body[] = "{\"name\":\"renamed\",\"roles\":[]}";
  const svc_header json = { "Content-Type", "application/json", 0, 0 };
  service_account_world w;
  service_account_twice work;
  svc_request request;
  svc_arena arena;
  svc_call c;
  char target[160];
  service_account_open(&w);
  service_account_make_one(&w, "groups", w.group, SERVICE_ACCOUNT_BODY("GROUP_OWNER"));
  snprintf(target, sizeof target, "/api/svc/v2/orgs/%s/serviceAccounts/%s", w.org, w.id);
  request = (svc_request){ .method = "PATCH", .target = target, .headers = &json, .header_count = 1, .body = body,
                           .body_length = sizeof body - 1, .caller = &w.t.caller };
  memset(&c, 0, sizeof c);
  svc_arena_init(&arena, NULL);
  c.s = w.t.s;
  c.request.raw = &request;
  c.arena = &arena;
  c.now = w.t.now;
  munit_assert_true(svc_stage_request(&c) && svc_stage_route(&c) && svc_stage_caller(&c) && svc_stage_permission(&c) &&
                    svc_stage_query(&c) && svc_stage_body(&c));
  svc_end_read(&c);
  memset(&work, 0, sizeof work);
  work.job.work = service_account_run;
  work.job.now = w.t.now;
  work.c = &c;
  munit_assert_int(svc_commit_run(&w.t.s->commit, &work.job), ==, SVC_OK);
  munit_assert_int(work.runs, ==, 2);
  svc_blocks_free(arena.blocks);
  service_account_role(&w, w.org, "");
  munit_assert_string_equal(t_str(&w.t, "name"), "renamed");
  t_close(&w.t);
}

static bool service_account_late(svc_job *job, svc_txn *txn)
{
  return svc_behave_in(((service_account_twice *)job)->c, txn);
}

/* An account is deleted after its authentication, before its request is done: the request succeeds, and the new project has no owner. */
TEST(service_account, meanwhile)
{
  char body[128];
  service_account_world w;
  service_account_twice work;
  svc_header headers[2];
  svc_request request;
  svc_arena arena;
  svc_call c;
  service_account_open(&w);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"apiAccessListRequired\":false}", "/orgs/%s/settings", w.org), ==, 200);
  service_account_make_one(&w, "orgs", w.org, SERVICE_ACCOUNT_BODY("ORG_GROUP_CREATOR"));
  munit_assert_int(t_as_account(&w.t, w.id, t_keep(&w.t, t_str(&w.t, "secrets[0].secret"))), ==, 200);
  headers[0] = w.t.headers[0];
  headers[1] = (svc_header){ "Content-Type", "application/json", 0, 0 };
  snprintf(body, sizeof body, "{\"name\":\"orphan\",\"orgId\":\"%s\"}", w.org);
  request = (svc_request){ .method = "POST", .target = "/api/svc/v2/groups", .headers = headers, .header_count = 2, .body = body,
                           .body_length = strlen(body) };
  memset(&c, 0, sizeof c);
  svc_arena_init(&arena, NULL);
  c.s = w.t.s;
  c.request.raw = &request;
  c.arena = &arena;
  c.now = w.t.now;
  munit_assert_true(svc_stage_request(&c) && svc_stage_route(&c) && svc_stage_caller(&c) && svc_stage_permission(&c) &&
                    svc_stage_query(&c) && svc_stage_body(&c));
  svc_end_read(&c);
  t_as_host(&w.t);
  munit_assert_int(service_account_call(&w, "DELETE", w.org, "", NULL), ==, 204);
  memset(&work, 0, sizeof work);
  work.job.work = service_account_late;
  work.job.now = w.t.now;
  work.c = &c;
  munit_assert_int(svc_commit_run(&w.t.s->commit, &work.job), ==, SVC_OK);
  svc_blocks_free(arena.blocks);
  munit_assert_int(t_send(&w.t, "GET", "/groups/byName/orphan", NULL), ==, 200);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/serviceAccounts", t_keep(&w.t, t_str(&w.t, "id"))), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_OK);
  t_close(&w.t);
}

/* With an Idempotency-Key, the second answer is the first one without the secret, including the roles on the project. */
TEST(service_account, sent_again)
{
  service_account_world w;
  char first[64];
  int i;
  service_account_open(&w);
  t_header(&w.t, "Idempotency-Key", "once");
  for (i = 0; i < 2; i++) {
    service_account_make_one(&w, "groups", w.group, SERVICE_ACCOUNT_BODY("GROUP_OWNER"));
    munit_assert_size(t_count(&w.t, "roles"), ==, 1);
    munit_assert_string_equal(t_str(&w.t, "roles[0]"), "GROUP_OWNER");
    munit_assert_int(strlen(t_str(&w.t, "secrets[0].secret")) > 0, ==, i == 0);
    if (i) munit_assert_string_equal(w.id, first);
    strcpy(first, w.id);
  }
  munit_assert_true(svc_str_starts(svc_str_c(t_str(&w.t, "secrets[0].maskedSecretValue")), "svc_sa_sk_****"));
  t_close(&w.t);
}

/* A project's owner decides on an account's roles there. The name belongs to the whole account. */
TEST_SERVICE(service_account, managers)
{
  const char *org, *group, *root, *own, *lead;
  char body[256];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"root\",\"description\":\"all\",\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":8}",
                           "/orgs/%s/serviceAccounts", org), ==, 201);
  root = t_keep(t, t_str(t, "clientId"));
  munit_assert_int(t_sendf(t, "POST", "{\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/serviceAccounts/%s:invite", group, root), ==, 200);
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"own\",\"description\":\"here\",\"roles\":[\"GROUP_READ_ONLY\"],\"secretExpiresAfterHours\":8}",
                           "/groups/%s/serviceAccounts", group), ==, 201);
  own = t_keep(t, t_str(t, "clientId"));
  snprintf(body, sizeof body, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_OWNER\"}]", group);
  lead = t_user(t, "lead@example.com", body);
  t_as(t, lead);
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"mine\"}", "/groups/%s/serviceAccounts/%s", group, root), ==, 403);
  munit_assert_int(t_sendf(t, "PATCH", "{\"description\":\"mine\"}", "/groups/%s/serviceAccounts/%s", group, root), ==, 403);
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"root\",\"roles\":[\"GROUP_CLUSTER_MANAGER\"]}", "/groups/%s/serviceAccounts/%s", group, root), ==, 200);
  munit_assert_string_equal(t_str(t, "roles[0]"), "GROUP_CLUSTER_MANAGER");
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":\"ours\"}", "/groups/%s/serviceAccounts/%s", group, own), ==, 200);
  munit_assert_string_equal(t_str(t, "name"), "ours");
  t_as(t, NULL);
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/serviceAccounts/%s", org, root), ==, 200);
  munit_assert_string_equal(t_str(t, "name"), "root");
  munit_assert_string_equal(t_str(t, "roles[0]"), "ORG_OWNER");
}

/* An access manager who is no owner of a project cannot change the access list of a service account that owns it. */
TEST_SERVICE(service_account, shut_out)
{
  static const char entry[] = "[{\"ipAddress\":\"192.0.2.1\"}]";
  const char *org, *group, *owner, *reader, *manager, *lead;
  char body[256];
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"o\",\"description\":\"o\",\"roles\":[\"GROUP_OWNER\"],\"secretExpiresAfterHours\":8}",
                           "/groups/%s/serviceAccounts", group), ==, 201);
  owner = t_keep(t, t_str(t, "clientId"));
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"r\",\"description\":\"r\",\"roles\":[\"GROUP_READ_ONLY\"],\"secretExpiresAfterHours\":8}",
                           "/groups/%s/serviceAccounts", group), ==, 201);
  reader = t_keep(t, t_str(t, "clientId"));
  snprintf(body, sizeof body, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_ACCESS_MANAGER\"}]", group);
  manager = t_user(t, "manager@example.com", body);
  snprintf(body, sizeof body, "[{\"groupId\":\"%s\",\"roleName\":\"GROUP_OWNER\"}]", group);
  lead = t_user(t, "lead@example.com", body);
  t_as(t, manager);
  munit_assert_int(t_sendf(t, "POST", entry, "/groups/%s/serviceAccounts/%s/accessList", group, owner), ==, 403);
  munit_assert_int(t_sendf(t, "POST", entry, "/groups/%s/serviceAccounts/%s/accessList", group, reader), ==, 201);
  t_as(t, lead);
  munit_assert_int(t_sendf(t, "POST", entry, "/groups/%s/serviceAccounts/%s/accessList", group, owner), ==, 201);
  t_as(t, manager);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/serviceAccounts/%s/accessList/192.0.2.1", group, owner), ==, 403);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/serviceAccounts/%s/accessList/192.0.2.1", group, reader), ==, 204);
  t_as(t, lead);
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/groups/%s/serviceAccounts/%s/accessList/192.0.2.1", group, owner), ==, 204);
}

/* An account cannot remove itself from the only place where it has a role, nor delete its last secret. */
TEST(service_account, itself)
{
  char secret[64];
  const char *value;
  service_account_world w;
  service_account_open(&w);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"apiAccessListRequired\":false}", "/orgs/%s/settings", w.org), ==, 200);
  service_account_make_one(&w, "groups", w.group, SERVICE_ACCOUNT_BODY("GROUP_OWNER"));
  snprintf(secret, sizeof secret, "/secrets/%s", t_str(&w.t, "secrets[0].id"));
  value = t_keep(&w.t, t_str(&w.t, "secrets[0].secret"));
  munit_assert_int(t_as_account(&w.t, w.id, value), ==, 200);
  munit_assert_int(service_account_call(&w, "DELETE", w.group, "", NULL), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_REMOVE_CALLING_CREDENTIAL");
  munit_assert_int(service_account_call(&w, "DELETE", w.group, secret, NULL), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_REMOVE_CALLING_CREDENTIAL");
  t_header(&w.t, "Content-Type", "application/json");
  /* allowed with another secret */
  munit_assert_int(service_account_call(&w, "POST", w.group, "/secrets", "{\"secretExpiresAfterHours\":8}"), ==, 201);
  munit_assert_int(service_account_call(&w, "DELETE", w.group, secret, NULL), ==, 204);
  t_as_host(&w.t);
  munit_assert_int(service_account_call(&w, "GET", w.group, "", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "secrets"), ==, 1);
  snprintf(secret, sizeof secret, "/secrets/%s", t_str(&w.t, "secrets[0].id"));
  munit_assert_int(service_account_call(&w, "DELETE", w.group, secret, NULL), ==, 204); /* others may delete it */
  munit_assert_int(service_account_call(&w, "GET", w.group, "", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "secrets"), ==, 0);
  t_close(&w.t);
}

/* An access token ends when the secret that issued it is deleted or expires, and with no other secret. */
TEST(service_account, tokens)
{
  t_service t;
  const char *org, *id, *first, *second, *first_id, *by_first, *by_second;
  char path[64];
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  org = t_organization(&t, "Acme");
  snprintf(path, sizeof path, "/orgs/%s", org);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"apiAccessListRequired\":false}", "/orgs/%s/settings", org), ==, 200);
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"a\",\"description\":\"a\",\"roles\":[\"ORG_MEMBER\"],\"secretExpiresAfterHours\":8}",
                           "/orgs/%s/serviceAccounts", org), ==, 201);
  id = t_keep(&t, t_str(&t, "clientId"));
  first = t_keep(&t, t_str(&t, "secrets[0].secret"));
  first_id = t_keep(&t, t_str(&t, "secrets[0].id"));
  munit_assert_int(t_sendf(&t, "POST", "{\"secretExpiresAfterHours\":8}", "/orgs/%s/serviceAccounts/%s/secrets", org, id), ==, 201);
  second = t_keep(&t, t_str(&t, "secret"));

  munit_assert_int(t_as_account(&t, id, first), ==, 200);
  munit_assert_int64(t_int(&t, "expires_in"), ==, 3600);
  by_first = t_keep(&t, t.headers[0].value);
  munit_assert_int(t_as_account(&t, id, second), ==, 200);
  by_second = t_keep(&t, t.headers[0].value);
  t_headers_clear(&t);
  t_header(&t, "Authorization", by_first);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
  t_as_host(&t);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s/serviceAccounts/%s/secrets/%s", org, id, first_id), ==, 204);
  store_whole(t.s);
  t.anonymous = true;
  t_header(&t, "Authorization", by_first);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 401);
  t_headers_clear(&t);
  t_header(&t, "Authorization", by_second);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);

  t_advance(&t, 8 * 3600 - 600); /* the secret expires in ten minutes */
  munit_assert_int(t_as_account(&t, id, second), ==, 200);
  munit_assert_int64(t_int(&t, "expires_in"), ==, 600);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
  t_advance(&t, 599);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
  t_advance(&t, 1);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 401);
  t_close(&t);
}

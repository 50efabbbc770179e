/*
** Builds without some nouns (-DSVC_OMIT): everything else still works.
**
** The suite leaves out nouns that others look up by name, kind or seat, several independent ones at a time. Then it
** calls every remaining operation once. The answer has the same status as in a full build, unless the resource, or another
** resource that the request needs, is missing. No operation ever fails.
*/
#include "world.h"

enum { LEFT_OUT_PLANS = 1024 };

/* The status of each operation in the full build, by operationId. */
static struct {
  const char *op;
  int status;
} left_out_whole[LEFT_OUT_PLANS];
static size_t left_out_count;

static int left_out_before(const char *op)
{
  size_t i;
  for (i = 0; i < left_out_count; i++)
    if (strcmp(left_out_whole[i].op, op) == 0) return left_out_whole[i].status;
  return 0;
}

static bool left_out_calls(const t_world *w, const svc_plan *plan, bool deletes)
{
  if (plan->route->flags & SVC_ABSOLUTE || t_world_elsewhere(plan) || t_ended(&w->t, plan)) return false;
  if (deletes != (plan->route->method == SVC_DELETE)) return false;
  return !deletes || (plan->noun != w->t.s->org && plan->noun != w->t.s->group);
}

static bool left_out_excused(const t_service *t)
{
  return t->response.status == 404 || strcmp(t_error(t), "FEATURE_UNSUPPORTED") == 0 || (!t->s->group && strstr(t_param(t, 0), "groupId"));
}

/* Calls every DELETE, or every other operation, once. `names` NULL: the full build, whose statuses are kept. */
static void left_out_all(t_world *w, const char *const *names, bool deletes)
{
  size_t i;
  for (i = 0; i < w->t.s->plan_count; i++) {
    const svc_plan *plan = &w->t.s->plans[i];
    int status;
    if (!left_out_calls(w, plan, deletes) || !t_world_ready(w, plan)) continue;
    status = t_world_send(w, plan);
    if (!names) {
      left_out_whole[left_out_count].op = plan->route->op;
      left_out_whole[left_out_count++].status = status;
    } else if (status != t_success(plan) && left_out_before(plan->route->op) == t_success(plan) && !left_out_excused(&w->t)) {
      t_complain(plan, "without %s and others: %d %.300s", names[0], status, w->t.response.body);
    }
  }
}

static void left_out_found(void *context, const char *text)
{
  (void)context;
  munit_log(MUNIT_LOG_WARNING, text);
}

static void left_out_world(const char *const *names)
{
  static t_world w;
  t_without(names);
  t_world_open(&w);
  left_out_all(&w, names, false);
  t_advance(&w.t, 36 * 3600); /* due steps and other timed changes */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  left_out_all(&w, names, true);
  t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  store_whole(w.t.s);
  if (svc_check_store(w.t.s, left_out_found, NULL) != SVC_OK) munit_errorf("without %s and others the store is damaged", names ? names[0] : "nothing");
  t_world_close(&w);
  t_without(NULL);
}

static const char *const left_out_groups[][16] = {
  { "cluster" },
  { "snapshot", "alert round", "flex cluster", "database user", "federation settings", "API key", "stream connection", "network access entry" },
  { "backup schedule", "alert wave", "user security", "connected organization", "network container", "service account", "stream processor",
    "search index" },
  { "restore job", "alert notice", "encryption at rest", "integration", "team", "peering connection", "custom database role",
    "outage simulation" },
  { "export bucket", "alert", "database user certificate", "maintenance window", "invoice", "flex snapshot", "endpoint service",
    "sample dataset load", "project limit" },
  { "export job", "alert configuration", "backup compliance policy", "certificate authority", "cluster transfer", "pinned namespaces",
    "global writes", "organization settings", "resource policy", "access token", "stream workspace", "private endpoint" },
  { "event", "cloud provider access" },
  { "user" },
  { "organization user" },
  { "project" },
};

TEST(left_out, each)
{
  size_t i;
  left_out_world(NULL);
  munit_assert_size(left_out_count, >, 300);
  for (i = 0; i < sizeof left_out_groups / sizeof left_out_groups[0]; i++) left_out_world(left_out_groups[i]);
  t_complaints_end();
}

/* Every name in the lists is the name of a noun. */
TEST(left_out, named)
{
  const char *const *name;
  size_t i, k, count;
  const svc_noun *const *nouns = svc_catalog_all(&count);
  for (i = 0; i < sizeof left_out_groups / sizeof left_out_groups[0]; i++)
    for (name = left_out_groups[i]; *name; name++) {
      for (k = 0; k < count && strcmp(nouns[k]->name, *name) != 0;) k++;
      if (k == count) munit_errorf("there is no noun %s", *name);
    }
}

/* Fields and limits that come from a missing noun are empty and unlimited. */
TEST(left_out, seen)
{
  static const char *const without[] = { "team", "project limit", NULL };
  static const char spec[] = "{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M30\"}}]}";
  char body[1024];
  const char *org, *group;
  t_service t;
  t_without(without);
  t_open(&t, NULL);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "P1");
  snprintf(body, sizeof body, "{\"clusterDescription\":{\"name\":\"D\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[%s]},\"editing\":false}", spec);
  munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/clusterConfigurations:validate", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "valid"), "true");
  munit_assert_int(t_sendf(&t, "POST", "{\"username\":\"bob@example.com\",\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/users", group), ==, 201);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/users?flattenTeams=true&orgMembershipStatus=PENDING", group), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&t, "results[0].username"), "bob@example.com");
  t_close(&t);
  t_without(NULL);
}

static int left_out_bootstrap(t_service *t, const char *const *names, svc_credentials *keys)
{
  t_without(names);
  t_open(t, NULL);
  return svc_bootstrap(t->s, keys);
}

/* The first credentials need only the nouns that they consist of. */
TEST(left_out, credentials)
{
  static const char *const settings[] = { "organization settings", NULL }, *const keys[] = { "API key", NULL },
                    *const lists[] = { "API key access list entry", NULL };
  svc_credentials first, more;
  t_service t;
  munit_assert_int(left_out_bootstrap(&t, settings, &first), ==, SVC_OK);
  munit_assert_size(strlen(first.client_secret), >, 20);
  munit_assert_int(svc_new_credentials(t.s, NULL, &more), ==, SVC_OK);
  munit_assert_string_equal(more.org_id, first.org_id);
  munit_assert_string_not_equal(more.public_key, first.public_key);
  t_close(&t);
  munit_assert_int(left_out_bootstrap(&t, keys, &first), ==, SVC_INVALID);
  munit_assert_string_equal(first.org_id, "");
  t_close(&t);
  munit_assert_int(left_out_bootstrap(&t, lists, &first), ==, SVC_OK); /* no access list is required */
  munit_assert_int(t_sendf(&t, "PATCH", "{\"apiAccessListRequired\":true}", "/orgs/%s/settings", first.org_id), ==, 200);
  munit_assert_int(svc_new_credentials(t.s, first.org_id, &more), ==, SVC_INVALID); /* a key that could never be used */
  munit_assert_not_null(strstr(t.log, "/accessList answers RESOURCE_NOT_FOUND"));
  t_close(&t);
  t_without(NULL);
}

static int left_out_waits(svc *s, const char *target)
{
  svc_request request = { .method = "GET", .target = target };
  return svc_may_wait(s, &request);
}

/* If no operation asks the driver, only reads of the OpenAPI document wait, and without the document no reads. In a shared store all reads
** may wait. */
TEST(left_out, asking)
{
  static const char *names[256];
  size_t i, n, count, own;
  const svc_noun *const *nouns = svc_catalog_all(&count);
  t_service t;
  for (own = 0; own < 2; own++) {
    for (i = n = 0; i < count; i++) {
      const svc_route *r = nouns[i]->routes;
      size_t left = nouns[i]->route_count;
      while (left && !r->on_reply && !(own && r->flags & SVC_ABSOLUTE)) left--, r++;
      if (left) names[n++] = nouns[i]->name;
    }
    munit_assert_size(n, >, 1);
    names[n] = NULL;
    t_without(names);
    t_open(&t, NULL);
    munit_assert_int(left_out_waits(t.s, "/openapi.json"), ==, !own || t_port()->shared);
    munit_assert_int(left_out_waits(t.s, "/api/svc/v2/orgs"), ==, t_port()->shared);
    munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
    t_close(&t);
  }
  t_without(NULL);
}

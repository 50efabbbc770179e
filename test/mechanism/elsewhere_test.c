/*
** Permissions on paths without organization and project. A pact belongs to several organizations, like a federation: a role on
** any one of them counts. Bells may be rung by anybody who has the role anywhere.
*/
#include "mechanism/probe.h"

static const svc_config quiet = { .limiter_off = 1 };

static const svc_field pact_fields[] = { F_ID(), F_STR("motto"), F_STRS("orgIds", .flags = SVC_REQUIRED) };
static const svc_object pact_object = { .name = "Pact", .fields = SVC_ROWS(pact_fields) };

static size_t pact_organizations(svc_call *c, const svc_entity *e, svc_id *out, size_t most)
{
  const svc_node *body = svc_entity_body(c, e), *org = body ? svc_node_get(body, "orgIds") : NULL;
  size_t n = 0;
  for (org = org ? org->first : NULL; org && n < most; org = org->next)
    if (svc_id_parse(org->text, &out[n])) n++;
  return n;
}

#define PACT(m, p, who, ...) { .method = m, .path = "/pacts" p, .set = SVC_SET_EVENT_TYPES, PROBE_VERSIONS, .roles = who, __VA_ARGS__ }
static const svc_route pact_routes[] = {
  PACT(SVC_POST, "", 0, .status = 201, .run = svc_verb_create),
  PACT(SVC_GET, "/{pactId}", SVC_R_ORG_MEMBER, .run = svc_verb_read),
  PACT(SVC_PATCH, "/{pactId}", SVC_R_ORG_OWNER, .run = svc_verb_update),
  PACT(SVC_DELETE, "/{pactId}", SVC_R_ORG_OWNER, .status = 204, .run = svc_verb_delete)
};
static const svc_alliance_ops pact_alliance = { .organizations = pact_organizations };
static const svc_noun pact_noun = {
  .name = "pact", .kind = "pact", .param = "pactId", .flags = SVC_GLOBAL, .object = &pact_object,
  .err_not_found = SVC_E_PEER_NOT_FOUND, .event_updated = "FEDERATION_SETTINGS_UPDATED", .routes = SVC_ROUTES(pact_routes),
  .ext = SVC_NOUN_EXT(.alliance = &pact_alliance)
};

/* A clause is below a pact. Roles on the organizations of the pact apply to its clauses. */
static const svc_field clause_fields[] = { F_ID(), F_STR("name", .flags = SVC_REQUIRED) };
static const svc_object clause_object = { .name = "Clause", .fields = SVC_ROWS(clause_fields) };
static const svc_route clause_routes[] = {
  PACT(SVC_GET, "/{pactId}/clauses", SVC_R_ORG_MEMBER, .flags = SVC_PAGED, .run = svc_verb_list),
  PACT(SVC_POST, "/{pactId}/clauses", SVC_R_ORG_OWNER, .status = 201, .run = svc_verb_create),
  PACT(SVC_GET, "/{pactId}/clauses/{clauseId}", SVC_R_ORG_MEMBER, .run = svc_verb_read),
  PACT(SVC_DELETE, "/{pactId}/clauses/{clauseId}", SVC_R_ORG_OWNER, .status = 204, .run = svc_verb_delete)
};
static const svc_noun clause_noun = {
  .name = "clause", .kind = "clau", .parent = "pact", .param = "clauseId", .object = &clause_object, .routes = SVC_ROUTES(clause_routes)
};

/* A seal belongs to a pact and one of its organizations, whose id is its key. */
static const svc_field seal_fields[] = { F_STR("colour"), F_HEX24("orgId", .flags = SVC_REQUIRED) };
static const svc_object seal_object = { .name = "Seal", .fields = SVC_ROWS(seal_fields) };
#define SEAL(m, p, ...) { .method = m, .path = "/pacts/{pactId}/seals" p, .set = SVC_SET_FEDERATION_ORGANIZATION, PROBE_VERSIONS, \
                          .roles = SVC_R_ORG_MEMBER, __VA_ARGS__ }
static const svc_route seal_routes[] = {
  SEAL(SVC_POST, "", .status = 201, .run = svc_verb_create), SEAL(SVC_GET, "/{orgId}", .run = svc_verb_read)
};
static const svc_noun seal_noun = {
  .name = "seal", .kind = "seal", .parent = "pact", .param = "orgId", .object = &seal_object, .key = "orgId", .unique = "orgId",
  .err_not_found = SVC_E_ORG_NOT_FOUND, .err_exists = SVC_E_PEER_ALREADY_EXISTS, .routes = SVC_ROUTES(seal_routes)
};

static bool bell_rings(svc_call *c)
{
  return svc_answer_nothing(c);
}
static const svc_object bell_object = { .name = "Bell" };
static const svc_route bell_routes[] = {
  { .method = SVC_POST, .path = "/bells:ring", .set = SVC_SET_EVENT_TYPES, PROBE_VERSIONS, .roles = SVC_R_ORG_GROUP_CREATOR,
    .flags = SVC_ANYWHERE | SVC_NO_BODY, .status = 204, .run = bell_rings },
  { .method = SVC_POST, .path = "/bells:mute", .set = SVC_SET_EVENT_TYPES, PROBE_VERSIONS, .roles = SVC_R_ORG_MEMBER,
    .flags = SVC_NO_BODY, .status = 204, .run = bell_rings }, /* the route has neither a scope nor SVC_ANYWHERE */
  { .method = SVC_POST, .path = "/bells:hear", .set = SVC_SET_EVENT_TYPES, PROBE_VERSIONS, .flags = SVC_NO_BODY, .status = 204,
    .run = bell_rings } /* for every known caller */
};
static const svc_noun bell_noun = { .name = "bell", .flags = SVC_VIRTUAL, .object = &bell_object, .routes = SVC_ROUTES(bell_routes) };

static const svc_noun *const probes[] = { &pact_noun, &clause_noun, &seal_noun, &bell_noun, NULL };

/* -------------------------------------------------------------------------------------------------------------- tests */

typedef struct elsewhere_world {
  t_service t;
  const char *first, *second, *stranger; /* two organizations of the pact, and a foreign one */
  const char *pact;
} elsewhere_world;

static void elsewhere_open(elsewhere_world *w)
{
  char body[128];
  t_probes(probes);
  t_open(&w->t, &quiet);
  w->first = t_organization(&w->t, "First");
  w->second = t_organization(&w->t, "Second");
  w->stranger = t_organization(&w->t, "Third");
  snprintf(body, sizeof body, "{\"motto\":\"we\",\"orgIds\":[\"%s\",\"%s\"]}", w->first, w->second);
  munit_assert_int(t_send(&w->t, "POST", "/pacts", body), ==, 201);
  w->pact = t_keep(&w->t, t_str(&w->t, "id"));
}

static void elsewhere_close(elsewhere_world *w)
{
  t_close(&w->t);
  t_probes(NULL);
}

/* Later requests come from a caller with only this role. */
static void elsewhere_as(elsewhere_world *w, const char *role, const char *on)
{
  w->t.grants[0].role = role;
  w->t.grants[0].on = on;
}

static int elsewhere_at(elsewhere_world *w, const char *method, const char *below, const char *body)
{
  return t_sendf(&w->t, method, body, "/pacts/%s%s", w->pact, below);
}

TEST(elsewhere, members)
{
  elsewhere_world w;
  const char *project;
  elsewhere_open(&w);
  project = t_project(&w.t, w.first, "alpha");

  elsewhere_as(&w, "ORG_OWNER", w.second); /* an organization of the pact, but not the first */
  munit_assert_int(elsewhere_at(&w, "GET", "", NULL), ==, 200);
  munit_assert_int(elsewhere_at(&w, "PATCH", "", "{\"motto\":\"us\"}"), ==, 200);
  munit_assert_int(elsewhere_at(&w, "POST", "/clauses", "{\"name\":\"c\"}"), ==, 201);
  munit_assert_int(elsewhere_at(&w, "GET", "/clauses", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);

  elsewhere_as(&w, "ORG_READ_ONLY", w.first); /* a member without the required role */
  munit_assert_int(elsewhere_at(&w, "GET", "", NULL), ==, 200);
  munit_assert_int(elsewhere_at(&w, "PATCH", "", "{\"motto\":\"them\"}"), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "ACCESS_FORBIDDEN");
  munit_assert_int(elsewhere_at(&w, "POST", "/clauses", "{\"name\":\"d\"}"), ==, 403);
  munit_assert_int(elsewhere_at(&w, "DELETE", "", NULL), ==, 403);

  elsewhere_as(&w, "ORG_OWNER", w.stranger); /* owner of a foreign organization */
  munit_assert_int(elsewhere_at(&w, "GET", "", NULL), ==, 401);
  munit_assert_string_equal(t_error(&w.t), "USER_UNAUTHORIZED");
  munit_assert_int(elsewhere_at(&w, "PATCH", "", "{\"motto\":\"them\"}"), ==, 401);
  munit_assert_int(elsewhere_at(&w, "DELETE", "", NULL), ==, 401);
  munit_assert_int(elsewhere_at(&w, "GET", "/clauses", NULL), ==, 401);
  munit_assert_int(elsewhere_at(&w, "POST", "/clauses", "{\"name\":\"d\"}"), ==, 401);
  munit_assert_int(t_send(&w.t, "GET", "/pacts/5f5f5f5f5f5f5f5f5f5f5f5f", NULL), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "PEER_NOT_FOUND");

  elsewhere_as(&w, "GROUP_OWNER", project); /* a role on a project is no role on its organization */
  munit_assert_int(elsewhere_at(&w, "GET", "", NULL), ==, 401);
  w.t.caller.grant_count = 0;
  munit_assert_int(elsewhere_at(&w, "GET", "", NULL), ==, 401);
  w.t.caller.grant_count = 1;
  elsewhere_as(&w, "ORG_OWNER", NULL);
  munit_assert_int(elsewhere_at(&w, "GET", "", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "motto"), "us");
  munit_assert_int(elsewhere_at(&w, "DELETE", "", NULL), ==, 204);
  munit_assert_size(probe_records(w.t.s, "eclau"), ==, 0);
  munit_assert_int(elsewhere_at(&w, "GET", "", NULL), ==, 404);
  elsewhere_close(&w);
}

/* The rules also hold for users, whose roles the service reads from the store. */
TEST(elsewhere, people)
{
  elsewhere_world w;
  char roles[128];
  const char *member, *stranger;
  elsewhere_open(&w);
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_READ_ONLY\"}]", w.second);
  member = t_user(&w.t, "in@example.com", roles);
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]", w.stranger);
  stranger = t_user(&w.t, "out@example.com", roles);
  t_as(&w.t, member);
  munit_assert_int(elsewhere_at(&w, "GET", "", NULL), ==, 200);
  munit_assert_int(elsewhere_at(&w, "PATCH", "", "{\"motto\":\"x\"}"), ==, 403);
  munit_assert_int(t_send(&w.t, "POST", "/bells:ring", NULL), ==, 403);
  t_as(&w.t, stranger);
  munit_assert_int(elsewhere_at(&w, "GET", "", NULL), ==, 401);
  munit_assert_int(t_send(&w.t, "POST", "/bells:ring", NULL), ==, 204); /* the caller has the role somewhere */
  t_as(&w.t, NULL);
  elsewhere_close(&w);
}

TEST(elsewhere, anywhere)
{
  elsewhere_world w;
  const char *project;
  elsewhere_open(&w);
  project = t_project(&w.t, w.first, "alpha");
  elsewhere_as(&w, "ORG_GROUP_CREATOR", w.stranger);
  munit_assert_int(t_send(&w.t, "POST", "/bells:ring", NULL), ==, 204);
  elsewhere_as(&w, "ORG_OWNER", w.stranger); /* this role includes the required one */
  munit_assert_int(t_send(&w.t, "POST", "/bells:ring", NULL), ==, 204);
  elsewhere_as(&w, "ORG_READ_ONLY", w.stranger);
  munit_assert_int(t_send(&w.t, "POST", "/bells:ring", NULL), ==, 403);
  elsewhere_as(&w, "GROUP_OWNER", project);
  munit_assert_int(t_send(&w.t, "POST", "/bells:ring", NULL), ==, 403);
  munit_assert_int(t_send(&w.t, "POST", "/bells:hear", NULL), ==, 204);
  elsewhere_as(&w, "ORG_OWNER", NULL); /* refused even for an owner of everything, because the route has no scope */
  munit_assert_int(t_send(&w.t, "POST", "/bells:mute", NULL), ==, 403);
  munit_assert_string_equal(t_error(&w.t), "ACCESS_FORBIDDEN");
  w.t.anonymous = true;
  munit_assert_int(t_send(&w.t, "POST", "/bells:ring", NULL), ==, 401);
  munit_assert_int(t_send(&w.t, "POST", "/bells:hear", NULL), ==, 401);
  munit_assert_int(elsewhere_at(&w, "GET", "", NULL), ==, 401);
  elsewhere_close(&w);
}

/* A caller without a role on the pact uses only its own bucket. */
TEST(elsewhere, buckets)
{
  char path[80], body[128], set[80];
  const svc_limit_override few = { set, 3, 3, 60 };
  const svc_config config = { .limits = &few, .limit_count = 1 };
  elsewhere_world w;
  int i;
  svc_set_id(SVC_SET_FEDERATION_ORGANIZATION, set, sizeof set);
  t_probes(probes);
  t_open(&w.t, &config);
  w.first = t_organization(&w.t, "First");
  w.stranger = t_organization(&w.t, "Other");
  snprintf(body, sizeof body, "{\"orgIds\":[\"%s\"]}", w.first);
  munit_assert_int(t_send(&w.t, "POST", "/pacts", body), ==, 201);
  w.pact = t_keep(&w.t, t_str(&w.t, "id"));
  snprintf(body, sizeof body, "{\"orgId\":\"%s\"}", w.first);
  munit_assert_int(elsewhere_at(&w, "POST", "/seals", body), ==, 201);
  snprintf(path, sizeof path, "/seals/%s", w.first);
  elsewhere_as(&w, "ORG_OWNER", w.stranger);
  w.t.caller.user_id = "5f0000000000000000000002";
  for (i = 0; i < 3; i++) munit_assert_int(elsewhere_at(&w, "GET", path, NULL), ==, 401);
  munit_assert_int(elsewhere_at(&w, "GET", path, NULL), ==, 429);
  elsewhere_as(&w, "ORG_OWNER", w.first);
  w.t.caller.user_id = "5f0000000000000000000003";
  munit_assert_int(elsewhere_at(&w, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_get_header(&w.t, "RateLimit-Remaining"), "2"); /* the organization's bucket has lost no token so far */
  munit_assert_int(elsewhere_at(&w, "GET", path, NULL), ==, 200);
  w.t.caller.user_id = "5f0000000000000000000004"; /* the bucket belongs to the organization, not to the caller */
  munit_assert_int(elsewhere_at(&w, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_get_header(&w.t, "RateLimit-Remaining"), "0");
  munit_assert_int(elsewhere_at(&w, "GET", path, NULL), ==, 429);

  /* an organization that is not in the pact: its bucket loses no token either */
  snprintf(path, sizeof path, "/seals/%s", w.stranger);
  w.t.caller.user_id = "5f0000000000000000000005";
  for (i = 0; i < 3; i++) munit_assert_int(elsewhere_at(&w, "GET", path, NULL), ==, 404);
  munit_assert_int(elsewhere_at(&w, "GET", path, NULL), ==, 429);
  elsewhere_as(&w, "ORG_OWNER", w.stranger);
  w.t.caller.user_id = "5f0000000000000000000006";
  snprintf(body, sizeof body, "{\"orgIds\":[\"%s\"]}", w.stranger);
  munit_assert_int(t_send(&w.t, "POST", "/pacts", body), ==, 201);
  w.pact = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_int(elsewhere_at(&w, "GET", path, NULL), ==, 404);
  munit_assert_string_equal(t_get_header(&w.t, "RateLimit-Remaining"), "2");
  elsewhere_close(&w);
}

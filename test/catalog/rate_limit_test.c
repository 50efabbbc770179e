/*
** GET /rateLimits: the table of endpoint sets as clients see it, compared with the catalog's own list of operations.
*/
#include "needs.h"
#include "support.h"

#include "catalog/operations_own.h"

T_NEEDS(rate_limit) = {
  T_UNSEEN("/rateLimits", "endpointPath"), /* rate_limit.c reads it in a loop */
  T_NEEDS_END
};

#define BASE "/api/svc/v2"
#define PAGE 10 /* sets per page */

/* Returns the number of endpoint sets of the catalog's operations. Name and scope identify a set. */
static int sets_of_catalog(void)
{
  size_t i, j;
  int sets = 0;
  for (i = 0; i < OPERATIONS_COUNT; i++) {
    const operations_row *op = &operations_list[i];
    for (j = 0; strcmp(operations_list[j].set, op->set) != 0 || strcmp(operations_list[j].scope, op->scope) != 0;) j++;
    sets += i == j;
  }
  return sets;
}

static const svc_node *row_named(const t_service *t, const char *name, const char *scope)
{
  const svc_node *row, *found = NULL;
  for (row = t_node(t, "results")->first; row; row = row->next) {
    if (!svc_str_is(svc_node_str(row, "endpointSetName"), name) || !svc_str_is(svc_node_str(row, "scope"), scope)) continue;
    munit_assert_null(found); /* only once */
    found = row;
  }
  return found;
}

static int64_t value_of(const svc_node *row, const char *name)
{
  const svc_node *o = svc_node_get(row, name);
  munit_assert_not_null(o);
  munit_assert_null(svc_node_get(o, "defaultValue"));
  munit_assert_size(svc_node_count(o), ==, 1);
  return svc_node_i64(o, "value", INT64_MIN);
}

TEST_SERVICE(rate_limit, table)
{
  const svc_node *row, *other;
  size_t i, n = 0;
  munit_assert_int(t_send(t, "GET", "/rateLimits", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, sets_of_catalog());
  munit_assert_int((int)t_count(t, "results"), ==, sets_of_catalog());
  for (i = 0; i < OPERATIONS_COUNT; i++) { /* every operation's bucket is listed as in the catalog */
    const operations_row *op = &operations_list[i];
    row = row_named(t, op->set, op->scope);
    if (!row) munit_errorf("no set \"%s\" of scope %s", op->set, op->scope);
    munit_assert_int64(value_of(row, "capacity"), ==, op->capacity);
    munit_assert_int64(value_of(row, "refillRate"), ==, op->refill);
    munit_assert_int64(value_of(row, "refillDurationSeconds"), ==, 60);
  }
  for (row = t_node(t, "results")->first; row; row = row->next, n++) { /* and nothing else is */
    svc_str id = svc_node_str(row, "endpointSetId"), name = svc_node_str(row, "endpointSetName");
    for (i = 0; i < OPERATIONS_COUNT && !svc_str_is(name, operations_list[i].set); i++) continue;
    if (i == OPERATIONS_COUNT) munit_errorf("a set that no operation has: " SVC_FMT, SVC_ARG(name));
    munit_assert_true(svc_pattern_match("^[a-z][A-Za-z0-9]*_(group|organization|user|ip)$", id));
    for (other = row->next; other; other = other->next) munit_assert_false(svc_str_eq(id, svc_node_str(other, "endpointSetId")));
    munit_assert_size(svc_node_count(row), ==, 8);
  }
  munit_assert_int((int)n, ==, sets_of_catalog());
}

static bool listed(const svc_node *row, const char *method, const char *path)
{
  const svc_node *e;
  svc_str wanted = svc_str_c(path), base = SVC_S(BASE);
  for (e = svc_node_get(row, "endpoints")->first; e; e = e->next) {
    svc_str p = svc_node_str(e, "path");
    munit_assert_true(svc_str_starts(p, BASE));
    p = (svc_str){ p.p + base.n, p.n - base.n };
    if (svc_str_eq(p, wanted) && svc_str_is(svc_node_str(e, "method"), method)) return true;
  }
  return false;
}

/* Every route is listed, under its set in the catalog. Operations without a route are not listed. */
TEST_SERVICE(rate_limit, endpoints)
{
  static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
  const svc_node *row;
  size_t i, j, routes = 0, found = 0, absolute = 0;
  munit_assert_int(t_send(t, "GET", "/rateLimits", NULL), ==, 200);
  for (row = t_node(t, "results")->first; row; row = row->next) found += svc_node_count(svc_node_get(row, "endpoints"));
  for (j = 0; j < t->s->plan_count; j++) absolute += (t->s->plans[j].route->flags & SVC_ABSOLUTE) != 0; /* in no set */
  munit_assert_size(found + absolute, ==, t->s->plan_count);
  for (i = 0; i < OPERATIONS_COUNT; i++) {
    const operations_row *op = &operations_list[i];
    bool served = false;
    for (j = 0; j < t->s->plan_count && !served; j++)
      served = strcmp(t->s->plans[j].route->path, op->path) == 0 && strcmp(methods[t->s->plans[j].route->method], op->method) == 0;
    routes += served;
    for (row = t_node(t, "results")->first; row; row = row->next)
      if (listed(row, op->method, op->path) != (served && svc_str_is(svc_node_str(row, "endpointSetName"), op->set)))
        munit_errorf("%s %s is listed in the wrong set", op->method, op->path);
  }
  /* every route is in the catalog or in operations_own.h */
  munit_assert_size(routes + absolute + OPERATIONS_OWN_COUNT, ==, t->s->plan_count);
}

TEST(rate_limit, pages)
{
  t_service t;
  const int sets = sets_of_catalog(), pages = (sets + PAGE - 1) / PAGE;
  char first[80] = "";
  int page, seen = 0;
  t_open(&t, NULL);
  for (page = 1; page <= pages; page++) {
    int i, count;
    munit_assert_int(t_sendf(&t, "GET", NULL, "/rateLimits?itemsPerPage=%d&pageNum=%d", PAGE, page), ==, 200);
    munit_assert_int64(t_int(&t, "totalCount"), ==, sets);
    count = (int)t_count(&t, "results");
    munit_assert_int(count, ==, page < pages ? PAGE : sets - PAGE * (pages - 1));
    munit_assert_int(*t_link(&t, "next") != 0, ==, page < pages);
    munit_assert_int(*t_link(&t, "previous") != 0, ==, page > 1);
    for (i = 0; i < count; i++, seen++) { /* in the order of the table, each once, none missing */
      char id[80], path[40];
      svc_set_id(seen, id, sizeof id);
      snprintf(path, sizeof path, "results[%d].endpointSetId", i);
      munit_assert_string_equal(t_str(&t, path), id);
    }
    if (page == 1) strcpy(first, t_str(&t, "results[0].endpointSetId"));
  }
  munit_assert_int(seen, ==, sets);
  munit_assert_string_equal(first, "customDNS_group");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/rateLimits?itemsPerPage=%d&pageNum=%d", PAGE, pages + 1), ==, 200);
  munit_assert_size(t_count(&t, "results"), ==, 0);
  munit_assert_int64(t_int(&t, "totalCount"), ==, sets);
  munit_assert_int(t_send(&t, "GET", "/rateLimits?includeCount=false&itemsPerPage=2", NULL), ==, 200);
  munit_assert_null(t_node(&t, "totalCount"));
  munit_assert_size(t_count(&t, "results"), ==, 2);
  munit_assert_int(t_send(&t, "GET", "/rateLimits?itemsPerPage=0", NULL), ==, 400);
  t_close(&t);
}

TEST(rate_limit, links)
{
  t_service t;
  const int sets_count = sets_of_catalog();
  int i, count;
  t_open(&t, &(svc_config){ .base_url = "https://api.example.com/" });
  munit_assert_int(t_send(&t, "GET", "/rateLimits", NULL), ==, 200);
  munit_assert_string_equal(t_link(&t, "self"),
                            "https://api.example.com/api/svc/v2/rateLimits?includeCount=true&pageNum=1&itemsPerPage=100");
  for (i = 0; i < sets_count; i++) {
    char path[48], id[80], href[200];
    snprintf(path, sizeof path, "results[%d].links", i);
    munit_assert_size(t_count(&t, path), ==, 1);
    svc_set_id(i, id, sizeof id);
    snprintf(path, sizeof path, "results[%d].links[0].href", i);
    snprintf(href, sizeof href, "https://api.example.com/api/svc/v2/rateLimits/%s", id);
    munit_assert_string_equal(t_str(&t, path), href);
    snprintf(path, sizeof path, "results[%d].links[0].rel", i);
    munit_assert_string_equal(t_str(&t, path), "self");
  }
  for (i = 0; i < sets_count; i++) { /* each link works */
    const svc_set_row *sets = svc_set_table(&count);
    char id[80], href[200];
    svc_set_id(i, id, sizeof id);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/rateLimits/%s", id), ==, 200);
    munit_assert_string_equal(t_str(&t, "endpointSetId"), id);
    munit_assert_string_equal(t_str(&t, "endpointSetName"), sets[i].name);
    munit_assert_int64(t_int(&t, "capacity.value"), ==, sets[i].capacity);
    munit_assert_int64(t_int(&t, "refillRate.value"), ==, sets[i].refill_rate);
    munit_assert_int64(t_int(&t, "refillDurationSeconds.value"), ==, sets[i].refill_seconds);
    snprintf(href, sizeof href, "https://api.example.com/api/svc/v2/rateLimits/%s", id);
    munit_assert_string_equal(t_link(&t, "self"), href);
  }
  t_close(&t);
}

TEST_SERVICE(rate_limit, one)
{
  static const char *const missing[] = { "clusters", "clusters_user", "Clusters_group", "clusters_group%20", "_group", "0",
                                         "clusters_groups", "%2e%2e" };
  size_t i;
  munit_assert_int(t_send(t, "GET", "/rateLimits/clusters_group", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "endpointSetName"), "Clusters");
  munit_assert_string_equal(t_str(t, "scope"), "GROUP");
  munit_assert_int64(t_int(t, "capacity.value"), ==, 10000);
  munit_assert_int64(t_int(t, "refillRate.value"), ==, 5000);
  munit_assert_int(t_send(t, "GET", "/rateLimits/controlPlaneIPAddresses_ip", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "scope"), "IP");
  munit_assert_size(t_count(t, "endpoints"), ==, 1);
  munit_assert_string_equal(t_str(t, "endpoints[0].method"), "GET");
  munit_assert_string_equal(t_str(t, "endpoints[0].path"), "/api/svc/v2/unauth/controlPlaneIPAddresses");
  munit_assert_int(t_send(t, "GET", "/rateLimits/organizationSettings_organization", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "scope"), "ORGANIZATION");
  munit_assert_int(t_send(t, "GET", "/rateLimits/rateLimits_user", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "scope"), "USER");
  munit_assert_size(t_count(t, "endpoints"), ==, 2);
  for (i = 0; i < sizeof missing / sizeof missing[0]; i++) {
    munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits/%s", missing[i]), ==, 404);
    munit_assert_string_equal(t_error(t), "RESOURCE_NOT_FOUND");
  }
  munit_assert_int(t_send(t, "GET", "/rateLimits/clusters_group%00", NULL), ==, 400);
  munit_assert_int(t_send(t, "GET", "/rateLimits/nope_user", NULL), ==, 404);
  munit_assert_string_equal(t_param(t, 0), "/api/svc/v2/rateLimits/nope_user");
  munit_assert_string_equal(t_str(t, "detail"), "Cannot find resource /api/svc/v2/rateLimits/nope_user.");
  munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits/rateLimits_user?userId=%s", t->caller.user_id), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits/clusters_group?userId=%s", t->caller.user_id), ==, 404); /* another scope */
  munit_assert_int(t_send(t, "GET", "/rateLimits/rateLimits_user?userId=5f0000000000000000000009", NULL), ==, 403);
  munit_assert_int(t_send(t, "GET", "/rateLimits/rateLimits_user?name=Clusters", NULL), ==, 400); /* only for the list */
  munit_assert_int(t_send(t, "POST", "/rateLimits", "{}"), ==, 405);
  munit_assert_int(t_send(t, "DELETE", "/rateLimits/rateLimits_user", NULL), ==, 405);
  t_header(t, "Accept", "application/vnd.svc.2025-03-12+json");
  munit_assert_int(t_send(t, "GET", "/rateLimits/rateLimits_user", NULL), ==, 200);
  t_header(t, "Accept", "application/vnd.svc.2025-03-11+json");
  munit_assert_int(t_send(t, "GET", "/rateLimits/rateLimits_user", NULL), ==, 406);
  munit_assert_int(t_send(t, "GET", "/rateLimits", NULL), ==, 406);
  t_headers_clear(t);
  t->anonymous = true;
  munit_assert_int(t_send(t, "GET", "/rateLimits", NULL), ==, 401);
}

/* Checks that the list has only sets of one scope, and all of them. */
static void only_scope(t_service *t, const char *scope)
{
  const svc_node *row;
  int count;
  const svc_set_row *sets = svc_set_table(&count);
  int64_t n = 0;
  size_t i;
  for (row = t_node(t, "results")->first; row; row = row->next, n++)
    munit_assert_true(svc_str_is(svc_node_str(row, "scope"), scope));
  munit_assert_int64(t_int(t, "totalCount"), ==, n);
  for (i = 0; i < SVC_SET_COUNT; i++)
    n -= strcmp(scope, (const char *[]){ "IP", "GROUP", "ORGANIZATION", "USER" }[sets[i].scope]) == 0;
  munit_assert_int64(n, ==, 0);
}

static void refused(t_service *t, int status, const char *error)
{
  munit_assert_int(t->response.status, ==, status);
  munit_assert_string_equal(t_error(t), error);
}

TEST_SERVICE(rate_limit, scopes)
{
  static const char *const names[] = { "groupId", "orgId", "userId", "ipAddress" };
  char org[25], group[25], other[25];
  const char *values[4];
  int i, j;
  strcpy(org, t_organization(t, "Acme"));
  strcpy(other, t_organization(t, "Other"));
  strcpy(group, t_project(t, org, "alpha"));
  munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?groupId=%s", group), ==, 200);
  only_scope(t, "GROUP");
  munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?orgId=%s", org), ==, 200);
  only_scope(t, "ORGANIZATION");
  munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?userId=%s", t->caller.user_id), ==, 200);
  only_scope(t, "USER");
  munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?ipAddress=%s", t->peer), ==, 200);
  only_scope(t, "IP");
  munit_assert_int64(t_int(t, "totalCount"), ==, 1);

  values[0] = group, values[1] = org, values[2] = t->caller.user_id, values[3] = t->peer;
  for (i = 0; i < 4; i++)
    for (j = 0; j < 4; j++) { /* two scopes at once, in either order: the sets of both */
      int64_t one;
      if (i == j) continue;
      munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?%s=%s", names[i], values[i]), ==, 200);
      one = t_int(t, "totalCount");
      munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?%s=%s", names[j], values[j]), ==, 200);
      one += t_int(t, "totalCount");
      munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?%s=%s&%s=%s", names[i], values[i], names[j], values[j]), ==, 200);
      munit_assert_int64(t_int(t, "totalCount"), ==, one);
    }

  t_send(t, "GET", "/rateLimits?userId=5f0000000000000000000009", NULL);
  refused(t, 403, "ACCESS_FORBIDDEN");
  t_send(t, "GET", "/rateLimits?ipAddress=192.0.2.8", NULL);
  refused(t, 403, "ACCESS_FORBIDDEN");
  t_send(t, "GET", "/rateLimits?ipAddress=nowhere", NULL);
  refused(t, 400, "INVALID_QUERY_PARAMETER");
  t_send(t, "GET", "/rateLimits?groupId=5f00000000000000000000aa", NULL);
  refused(t, 404, "GROUP_NOT_FOUND");
  t_send(t, "GET", "/rateLimits?orgId=5f00000000000000000000aa", NULL);
  refused(t, 404, "ORG_NOT_FOUND");
  t_sendf(t, "GET", NULL, "/rateLimits?orgId=%s", group);
  refused(t, 404, "ORG_NOT_FOUND");
  t_send(t, "GET", "/rateLimits?groupId=xyz", NULL);
  refused(t, 400, "INVALID_QUERY_PARAMETER");
  t_sendf(t, "GET", NULL, "/rateLimits?groupId=%s&groupId=%s", group, group);
  refused(t, 400, "INVALID_QUERY_PARAMETER");

  t->grants[0].role = "ORG_MEMBER"; /* the role sees both, but may not read their limits */
  t->grants[0].on = org;
  t_sendf(t, "GET", NULL, "/rateLimits?groupId=%s", group);
  refused(t, 403, "ACCESS_FORBIDDEN");
  t_sendf(t, "GET", NULL, "/rateLimits?orgId=%s", org);
  refused(t, 403, "ACCESS_FORBIDDEN");
  t_sendf(t, "GET", NULL, "/rateLimits?orgId=%s", other);
  refused(t, 404, "ORG_NOT_FOUND");
  t->grants[0].role = "ORG_READ_ONLY";
  munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?orgId=%s", org), ==, 200);
  munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?groupId=%s", group), ==, 200);
  t->grants[0].role = "GROUP_READ_ONLY";
  t->grants[0].on = group;
  munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?groupId=%s", group), ==, 200);
  t_sendf(t, "GET", NULL, "/rateLimits?orgId=%s", org); /* the organization is visible through its project, but not its limits */
  refused(t, 403, "ACCESS_FORBIDDEN");
  t_sendf(t, "GET", NULL, "/rateLimits?orgId=%s", other);
  refused(t, 404, "ORG_NOT_FOUND");
  t->grants[0].on = "5f00000000000000000000aa";
  t_sendf(t, "GET", NULL, "/rateLimits?groupId=%s", group);
  refused(t, 404, "GROUP_NOT_FOUND");
  t->caller.grant_count = 0; /* a caller without roles sees the whole table, and their own limits */
  munit_assert_int(t_send(t, "GET", "/rateLimits", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, sets_of_catalog());
  munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?userId=%s", t->caller.user_id), ==, 200);
}

static void found(t_service *t, const char *query, const char *ids)
{
  char all[1024] = "";
  const svc_node *row;
  size_t n = 0;
  munit_assert_int(t_sendf(t, "GET", NULL, "/rateLimits?%s", query), ==, 200);
  for (row = t_node(t, "results")->first; row; row = row->next) {
    svc_str id = svc_node_str(row, "endpointSetId");
    n += (size_t)snprintf(all + n, sizeof all - n, "%s" SVC_FMT, n ? " " : "", SVC_ARG(id));
  }
  munit_assert_string_equal(all, ids);
  munit_assert_int64(t_int(t, "totalCount"), ==, (int64_t)t_count(t, "results"));
}

TEST_SERVICE(rate_limit, filters)
{
  char query[256];
  found(t, "name=Clusters", "clusters_group");
  found(t, "name=clusters", "");
  found(t, "name=Cluster", "");
  found(t, "name=", "");
  found(t, "name=Rate%20limits", "rateLimits_user");
  found(t, "name=Rate+limits&name=Clusters&name=Nothing&name=Clusters", "clusters_group rateLimits_user");
  found(t, "endpointPath=/rateLimits", "rateLimits_user");
  found(t, "endpointPath=/api/svc/v2/rateLimits", "rateLimits_user");
  found(t, "endpointPath=%2Fapi%2Fsvc%2Fv2%2FrateLimits%2F%7BendpointSetId%7D", "rateLimits_user");
  found(t, "endpointPath=/groups/%7BgroupId%7D/clusters", "clusters_group");
  found(t, "endpointPath=/groups/%7Bid%7D/clusters", "");
  found(t, "endpointPath=/groups/5f00000000000000000000aa/clusters", "");
  found(t, "endpointPath=/nothing", "");
  found(t, "endpointPath=groups", "");
  found(t, "endpointPath=/api/svc/v1.0/groups", "");
  found(t, "endpointPath=", "rootResource_user");
  found(t, "endpointPath=/api/svc/v2", "rootResource_user");
  found(t, "endpointPath=/groups&endpointPath=/orgs&endpointPath=/groups/%7BgroupId%7D&endpointPath=/no",
        "organizationListAndCreation_user projectsProjectInvitationsProjectLimitsAndSettings_group projectListAndCreation_user");
  found(t, "endpointPath=/groups&name=Clusters", "");
  found(t, "endpointPath=/groups/%7BgroupId%7D/clusters&name=Clusters&name=Backup", "clusters_group");
  snprintf(query, sizeof query, "userId=%s&name=Clusters&name=Rate%%20limits", t->caller.user_id);
  found(t, query, "rateLimits_user");
  snprintf(query, sizeof query, "name=Rate%%20limits&ipAddress=%s", t->peer);
  found(t, query, "");
  munit_assert_int(t_send(t, "GET", "/rateLimits?name=Rate%20limits&name=Clusters&itemsPerPage=1&pageNum=2&envelope=true", NULL),
                   ==, 200); /* filters and pages together */
  munit_assert_int64(t_int(t, "totalCount"), ==, 2);
  munit_assert_int64(t_int(t, "status"), ==, 200);
  munit_assert_size(t_count(t, "results"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].endpointSetId"), "rateLimits_user");
  munit_assert_string_equal(t_link(t, "previous"), "http://localhost:8080/api/svc/v2/rateLimits?includeCount=true&itemsPerPage=1"
                                                    "&pageNum=1&name=Rate%20limits&name=Clusters&envelope=true");
  munit_assert_int(t_send(t, "GET", "/rateLimits?scope=USER", NULL), ==, 400);
  munit_assert_int(t_send(t, "GET", "/rateLimits?name=a%ff", NULL), ==, 400);
}

TEST(rate_limit, overrides)
{
  static const svc_limit_override limits[] = {
    { "clusters_group", 5, 0, 0 }, { "rateLimits_user", 0, 7, 10 }, { "users_user", 2500, 2000, 60 } /* the same as the default */
  };
  svc_config config;
  t_service t;
  const svc_node *row;
  int with = 0;
  memset(&config, 0, sizeof config);
  config.limits = limits;
  config.limit_count = 3;
  t_open(&t, &config);
  munit_assert_int(t_send(&t, "GET", "/rateLimits/clusters_group", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "capacity.value"), ==, 5);
  munit_assert_int64(t_int(&t, "capacity.defaultValue"), ==, 10000);
  munit_assert_int64(t_int(&t, "refillRate.value"), ==, 5000);
  munit_assert_null(t_node(&t, "refillRate.defaultValue"));
  munit_assert_null(t_node(&t, "refillDurationSeconds.defaultValue"));
  munit_assert_int(t_send(&t, "GET", "/rateLimits/rateLimits_user", NULL), ==, 200);
  munit_assert_null(t_node(&t, "capacity.defaultValue"));
  munit_assert_int64(t_int(&t, "refillRate.value"), ==, 7);
  munit_assert_int64(t_int(&t, "refillRate.defaultValue"), ==, 100);
  munit_assert_int64(t_int(&t, "refillDurationSeconds.value"), ==, 10);
  munit_assert_int64(t_int(&t, "refillDurationSeconds.defaultValue"), ==, 60);
  munit_assert_string_equal(t_get_header(&t, "RateLimit-Limit"), "300");
  munit_assert_int(t_send(&t, "GET", "/rateLimits", NULL), ==, 200);
  for (row = t_node(&t, "results")->first; row; row = row->next)
    with += svc_node_get(svc_node_get(row, "capacity"), "defaultValue") || svc_node_get(svc_node_get(row, "refillRate"), "defaultValue") ||
            svc_node_get(svc_node_get(row, "refillDurationSeconds"), "defaultValue");
  munit_assert_int(with, ==, 2);
  t_close(&t);
  t_open(&t, &(svc_config){ .limiter_off = 1, .vendor = "acme" }); /* the table exists without the limiter, too; paths have the vendor
                                                                      word */
  munit_assert_int(t_send(&t, "GET", "/api/acme/v2/rateLimits/rootResource_user", NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "endpoints[0].path"), "/api/acme/v2");
  t_close(&t);
}

/* Writes a set's id to buffers of every size: as much as fits, and the full length as the result. */
TEST(rate_limit, ids)
{
  char whole[64], part[64];
  int count, i;
  size_t n, size;
  svc_set_table(&count);
  for (i = 0; i < count; i++) {
    n = svc_set_id(i, whole, sizeof whole);
    munit_assert_size(strlen(whole), ==, n);
    munit_assert_true(svc_pattern_match("^[a-z][a-zA-Z0-9]*_(ip|group|organization|user)$", svc_str_c(whole)));
    munit_assert_size(svc_set_id(i, NULL, 0), ==, n);
    for (size = 1; size <= n + 1; size++) {
      munit_assert_size(svc_set_id(i, part, size), ==, n);
      munit_assert_size(strlen(part), ==, size - 1);
      munit_assert_memory_equal(size - 1, part, whole);
    }
  }
}

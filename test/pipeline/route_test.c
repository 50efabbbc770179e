/*
** Routing from path and method to operation.
**
** The router runs alone, over every path of the public catalog (in this build or not), and through the service, over the paths
** that this build has.
*/
#include "support.h"

#include "catalog/operations_list.h"

#define BASE "/api/svc/v2"

static const char *const method_names[SVC_METHOD_COUNT] = { "GET", "POST", "PUT", "PATCH", "DELETE" };

static int method_number(const char *name)
{
  int i;
  for (i = 0; i < SVC_METHOD_COUNT; i++)
    if (strcmp(method_names[i], name) == 0) return i;
  munit_errorf("no method %s", name);
  return -1;
}

/* ------------------------------------------------------------------------------------------ the router, all by itself */

typedef struct bench {
  svc s;
  svc_route *routes;
  svc_arena arena; /* freed with every call */
  svc_call c;
  svc_request request;
} bench;

static void bench_params(svc_plan *plan)
{
  const char *p = plan->route->path;
  while ((p = strchr(p, '{')) != NULL) {
    const char *end = strchr(p, '}');
    munit_assert_uint(plan->param_count, <, SVC_MAX_PARAMS);
    plan->params[plan->param_count++] = (svc_str){ p + 1, (size_t)(end - p - 1) };
    p = end;
  }
}

static void bench_open(bench *b)
{
  size_t i;
  memset(b, 0, sizeof *b);
  svc_arena_init(&b->s.memory, NULL);
  svc_arena_init(&b->arena, NULL);
  b->s.base_path = SVC_S(BASE);
  b->s.base_path_v1 = SVC_S("/api/svc/v1.0");
  b->s.config.max_target = 8192;
  b->s.config.max_header_bytes = 16384;
  b->s.plan_count = OPERATIONS_COUNT;
  b->s.plans = svc_arena_zero(&b->s.memory, OPERATIONS_COUNT * sizeof *b->s.plans);
  b->routes = svc_arena_zero(&b->s.memory, OPERATIONS_COUNT * sizeof *b->routes);
  for (i = 0; i < OPERATIONS_COUNT; i++) {
    b->routes[i].method = (unsigned char)method_number(operations_list[i].method);
    b->routes[i].path = operations_list[i].path;
    b->s.plans[i].route = &b->routes[i];
    b->s.plans[i].path = b->routes[i].path;
    bench_params(&b->s.plans[i]);
  }
  munit_assert_int(svc_router_open(&b->s), ==, SVC_OK);
}

static void bench_close(bench *b)
{
  svc_blocks_free(b->arena.blocks);
  svc_blocks_free(b->s.memory.blocks);
}

/* Runs the first two stages for one path. Returns the status of the error; 0: an operation was found. */
static int bench_route(bench *b, const char *method, const char *path)
{
  char target[16384];
  snprintf(target, sizeof target, "%s%s", BASE, path);
  svc_blocks_free(b->arena.blocks);
  svc_arena_init(&b->arena, NULL);
  memset(&b->request, 0, sizeof b->request);
  memset(&b->c, 0, sizeof b->c);
  b->request.method = method;
  b->request.target = svc_arena_copy(&b->arena, svc_str_c(target)).p;
  b->c.s = &b->s;
  b->c.request.raw = &b->request;
  b->c.arena = &b->arena;
  if (svc_stage_request(&b->c) && svc_stage_route(&b->c)) {
    munit_assert_int(b->c.error.code, ==, SVC_E_NONE);
    munit_assert_not_null(b->c.plan);
    return 0;
  }
  munit_assert_int(b->c.error.code, !=, SVC_E_NONE);
  return svc_error_status(b->c.error.code);
}

static void assert_str(svc_str got, const char *wanted)
{
  if (!svc_str_is(got, wanted)) munit_errorf("got \"%.*s\", not \"%s\"", SVC_ARG(got), wanted);
}

/* Checks that the path leads to this operation, with these values of its parameters. */
static void assert_goes(bench *b, const char *method, const char *path, const char *to, const char *p0, const char *p1,
                        const char *p2)
{
  const char *wanted[3];
  unsigned i;
  int status = bench_route(b, method, path);
  wanted[0] = p0, wanted[1] = p1, wanted[2] = p2;
  if (status) munit_errorf("%s %s: %d %s", method, path, status, svc_error_name(b->c.error.code));
  munit_assert_string_equal(b->c.plan->route->path, to);
  munit_assert_int(b->c.plan->route->method, ==, method_number(strcmp(method, "HEAD") == 0 ? "GET" : method));
  for (i = 0; i < 3 && wanted[i]; i++) assert_str(b->c.route.params[i], wanted[i]);
  munit_assert_uint(b->c.plan->param_count, >=, i);
}

/* Writes the operation's path with a value for each parameter: `raw` and the parameter's number. */
static void sample_path(const char *path, const char *raw, char *out, size_t size)
{
  size_t n = 0;
  unsigned param = 0;
  for (; *path && n + 64 < size; path++) {
    if (*path == '{') {
      n += (size_t)snprintf(out + n, size - n, "%s%u", raw, param++);
      path = strchr(path, '}');
    } else {
      out[n++] = *path;
    }
  }
  out[n] = 0;
}

/* Removes the names of all parameters: two paths with the same shape are one node in the tree. */
static void shape_of(const char *path, char *out)
{
  for (; *path; path++) {
    *out++ = *path;
    if (*path == '{') path = strchr(path, '}') - 1;
  }
  *out = 0;
}

TEST(route, every_operation)
{
  static const struct {
    const char *raw, *decoded;
  } values[] = { { "v", "v" },
                 { "a%2Fb%3Ac-", "a/b:c-" },
                 { "%C3%A9%20+%25", "\xC3\xA9 +%" },
                 { "host.example:27017", "host.example:27017" },
                 { "2001:db8::", "2001:db8::" },
                 { "with.gz.inside", "with.gz.inside" },
                 { "%76%7E%2e%5F%2d", "v~._-" },
                 { "%31%39a", "19a" } };
  bench b;
  char path[1024], value[64];
  size_t i, v, distinct = 0;
  unsigned p;
  bench_open(&b);
  for (i = 0; i < OPERATIONS_COUNT; i++) {
    const operations_row *row = &operations_list[i];
    if (i == 0 || strcmp(row->path, operations_list[i - 1].path) != 0) distinct++;
    for (v = 0; v < sizeof values / sizeof values[0]; v++) {
      int status;
      sample_path(row->path, values[v].raw, path, sizeof path);
      status = bench_route(&b, row->method, path);
      if (status) munit_errorf("%s %s as %s: %d", row->method, row->path, path, status);
      if (b.c.plan != &b.s.plans[i]) munit_errorf("%s went to %s, not %s", path, b.c.plan->route->path, row->path);
      for (p = 0; p < b.c.plan->param_count; p++) {
        snprintf(value, sizeof value, "%s%u", values[v].decoded, p);
        assert_str(b.c.route.params[p], value);
      }
    }
  }
  munit_assert_size(distinct, ==, OPERATIONS_PATHS);
  bench_close(&b);
}

/* Returns true if every path of the shape `narrow` also matches `wide`. A parameter matches any literal, but no other suffix. */
static bool takes_in(const char *wide, const char *narrow)
{
  while (*wide && *narrow) {
    size_t w = strcspn(wide + 1, "/") + 1, n = strcspn(narrow + 1, "/") + 1;
    bool same = w == n && memcmp(wide, narrow, n) == 0;
    bool parameter = w == 3 && memcmp(wide, "/{}", 3) == 0 && narrow[1] != '{';
    if (!same && !parameter) return false;
    wide += w;
    narrow += n;
  }
  return !*wide && !*narrow;
}

TEST(route, allowed_methods)
{
  bench b;
  char path[1024], shape[256], other[256];
  size_t i, j;
  int m;
  bench_open(&b);
  for (i = 0; i < OPERATIONS_COUNT; i++) {
    unsigned own = 0, allowed = 0;
    shape_of(operations_list[i].path, shape);
    for (j = 0; j < OPERATIONS_COUNT; j++) {
      unsigned bit = 1u << method_number(operations_list[j].method);
      shape_of(operations_list[j].path, other);
      if (takes_in(other, shape)) allowed |= bit;
      if (strcmp(shape, other) != 0) continue;
      if (own & bit) munit_errorf("two operations at %s", shape); /* the list itself would be ambiguous */
      own |= bit;
    }
    sample_path(operations_list[i].path, "v", path, sizeof path);
    for (m = 0; m < SVC_METHOD_COUNT; m++) {
      int status = bench_route(&b, method_names[m], path);
      if (status) munit_assert_uint(b.c.route.allowed, ==, allowed); /* the methods are listed only for 405 */
      munit_assert_int(status, ==, allowed >> m & 1 ? 0 : 405);
    }
    munit_assert_int(bench_route(&b, "HEAD", path), ==, allowed & 1 ? 0 : 405);
    munit_assert_int(bench_route(&b, "BREW", path), ==, 405);
    munit_assert_int(bench_route(&b, "get", path), ==, 405); /* methods are case sensitive */
  }
  bench_close(&b);
}

TEST(route, literal_first)
{
  bench b;
  bench_open(&b);
  assert_goes(&b, "GET", "/groups/g/clusters/provider/regions", "/groups/{groupId}/clusters/provider/regions", "g", NULL,
              NULL);
  assert_goes(&b, "GET", "/groups/g/clusters/provider", "/groups/{groupId}/clusters/{clusterName}", "g", "provider", NULL);
  assert_goes(&b, "PATCH", "/groups/g/clusters/provider", "/groups/{groupId}/clusters/{clusterName}", "g", "provider",
              NULL);
  assert_goes(&b, "GET", "/groups/g/clusters/provider/status", "/groups/{groupId}/clusters/{clusterName}/status", "g",
              "provider", NULL);
  assert_goes(&b, "GET", "/groups/byName/alpha", "/groups/byName/{groupName}", "alpha", NULL, NULL);
  assert_goes(&b, "GET", "/groups/byName", "/groups/{groupId}", "byName", NULL, NULL);
  assert_goes(&b, "GET", "/groups/byName/clusters", "/groups/byName/{groupName}", "clusters", NULL, NULL);
  assert_goes(&b, "GET", "/groups/byName/clusters/c", "/groups/{groupId}/clusters/{clusterName}", "byName", "c", NULL);
  assert_goes(&b, "GET", "/users/byName/joe", "/users/byName/{userName}", "joe", NULL, NULL);
  assert_goes(&b, "GET", "/users/byName", "/users/{userId}", "byName", NULL, NULL);
  assert_goes(&b, "GET", "/orgs/o/teams/byName/t", "/orgs/{orgId}/teams/byName/{teamName}", "o", "t", NULL);
  assert_goes(&b, "GET", "/orgs/o/invoices/pending", "/orgs/{orgId}/invoices/pending", "o", NULL, NULL);
  assert_goes(&b, "GET", "/orgs/o/invoices/pending/csv", "/orgs/{orgId}/invoices/{invoiceId}/csv", "o", "pending", NULL);
  assert_goes(&b, "GET", "/orgs/o/invoices/pendin", "/orgs/{orgId}/invoices/{invoiceId}", "o", "pendin", NULL);
  assert_goes(&b, "GET", "/orgs/o/invoices/Pending", "/orgs/{orgId}/invoices/{invoiceId}", "o", "Pending", NULL);
  assert_goes(&b, "GET", "/groups/g/containers/all", "/groups/{groupId}/containers/all", "g", NULL, NULL);
  assert_goes(&b, "GET", "/groups/g/containers/alls", "/groups/{groupId}/containers/{containerId}", "g", "alls", NULL);
  /* two parameters with different names in the same place: each operation has its own */
  assert_goes(&b, "POST", "/groups/g/sampleDatasetLoad/x", "/groups/{groupId}/sampleDatasetLoad/{name}", "g", "x", NULL);
  assert_goes(&b, "GET", "/groups/g/sampleDatasetLoad/x", "/groups/{groupId}/sampleDatasetLoad/{sampleDatasetId}", "g",
              "x", NULL);
  bench_close(&b);
}

TEST(route, suffixes)
{
  bench b;
  bench_open(&b);
  /* after a literal */
  assert_goes(&b, "POST", "/groups/g/streams:withSampleConnections", "/groups/{groupId}/streams:withSampleConnections", "g",
              NULL, NULL);
  assert_goes(&b, "POST", "/groups/g/flexClusters:tenantUpgrade", "/groups/{groupId}/flexClusters:tenantUpgrade", "g", NULL,
              NULL);
  assert_goes(&b, "GET", "/orgs/o/invoices/i/lineItems:search", "/orgs/{orgId}/invoices/{invoiceId}/lineItems:search", "o",
              "i", NULL);
  /* after a parameter */
  assert_goes(&b, "POST", "/groups/g:migrate", "/groups/{groupId}:migrate", "g", NULL, NULL);
  assert_goes(&b, "POST", "/orgs/o/teams/t:addUser", "/orgs/{orgId}/teams/{teamId}:addUser", "o", "t", NULL);
  assert_goes(&b, "POST", "/orgs/o/teams/t:removeUser", "/orgs/{orgId}/teams/{teamId}:removeUser", "o", "t", NULL);
  assert_goes(&b, "POST", "/groups/g/streams/t/processor/p:start",
              "/groups/{groupId}/streams/{tenantName}/processor/{processorName}:start", "g", "t", "p");
  assert_goes(&b, "POST", "/groups/g/streams/t/processor/p:startWith",
              "/groups/{groupId}/streams/{tenantName}/processor/{processorName}:startWith", "g", "t", "p");
  /* only at the end, and only one suffix */
  assert_goes(&b, "POST", "/groups/g/streams/t/processor/a:start:stop",
              "/groups/{groupId}/streams/{tenantName}/processor/{processorName}:stop", "g", "t", "a:start");
  assert_goes(&b, "GET", "/groups/g/streams/t/processor/p:started",
              "/groups/{groupId}/streams/{tenantName}/processor/{processorName}", "g", "t", "p:started");
  /* an encoded colon is part of the name, and a suffix without a name is a name */
  assert_goes(&b, "GET", "/groups/g/streams/t/processor/p%3Astart",
              "/groups/{groupId}/streams/{tenantName}/processor/{processorName}", "g", "t", "p:start");
  assert_goes(&b, "GET", "/groups/g/streams/t/processor/:start",
              "/groups/{groupId}/streams/{tenantName}/processor/{processorName}", "g", "t", ":start");
  munit_assert_int(bench_route(&b, "POST", "/groups/g/streams/t/processor/:start"), ==, 405);
  munit_assert_int(bench_route(&b, "POST", "/groups/:migrate"), ==, 405); /* "/groups/{groupId}" with this id has other methods */
  munit_assert_int(bench_route(&b, "GET", "/groups/g/streams:other"), ==, 404);
  /* .gz */
  assert_goes(&b, "GET", "/groups/g/clusters/h.example/logs/db.gz", "/groups/{groupId}/clusters/{hostName}/logs/{logName}.gz",
              "g", "h.example", "db");
  assert_goes(&b, "GET", "/groups/g/clusters/h/logs/db.gz.gz", "/groups/{groupId}/clusters/{hostName}/logs/{logName}.gz", "g",
              "h", "db.gz");
  munit_assert_int(bench_route(&b, "GET", "/groups/g/clusters/h/logs/db"), ==, 404);
  munit_assert_int(bench_route(&b, "GET", "/groups/g/clusters/h/logs/db.GZ"), ==, 404);
  munit_assert_int(bench_route(&b, "GET", "/groups/g/clusters/h/logs/.gz"), ==, 404);
  assert_goes(&b, "GET", "/groups/g/clusters/h/logs/db%2Egz", "/groups/{groupId}/clusters/{hostName}/logs/{logName}.gz", "g",
              "h", "db"); /* a dot may be encoded or not */
  assert_goes(&b, "GET", "/groups/g/clusters/c/onlineArchives/queryLogs.gz",
              "/groups/{groupId}/clusters/{clusterName}/onlineArchives/queryLogs.gz", "g", "c", NULL);
  assert_goes(&b, "GET", "/groups/g/clusters/c/onlineArchives/queryLogs",
              "/groups/{groupId}/clusters/{clusterName}/onlineArchives/{archiveId}", "g", "c", "queryLogs");
  assert_goes(&b, "GET", "/groups/g/dataFederation/t/queryLogs.gz", "/groups/{groupId}/dataFederation/{tenantName}/queryLogs.gz",
              "g", "t", NULL);
  bench_close(&b);
}

TEST(route, encoding)
{
  static const char *const bad[] = { "/groups/%", "/groups/a%", "/groups/%4", "/groups/%zz", "/groups/%4g", "/groups/%%41",
                                     "/groups/a%00b", "/groups/%00", "/groups/%ff", "/groups/%C3", "/groups/%C3%28",
                                     "/groups/%C0%AF", "/groups/%ED%A0%80", "/groups/%F4%90%80%80", "/groups/g%80",
                                     "/groups/g/clusters/c%0", "/groups/%E2%82/clusters/c" };
  bench b;
  size_t i;
  bench_open(&b);
  assert_goes(&b, "GET", "/%67roups", "/groups", NULL, NULL, NULL);
  assert_goes(&b, "GET", "/%67%72%6F%75%70%73/g/%63lusters", "/groups/{groupId}/clusters", "g", NULL, NULL);
  assert_goes(&b, "GET", "/groups/%67", "/groups/{groupId}", "g", NULL, NULL);
  assert_goes(&b, "GET", "/groups/a%2Fb", "/groups/{groupId}", "a/b", NULL, NULL);
  assert_goes(&b, "GET", "/groups/a%2fclusters", "/groups/{groupId}", "a/clusters", NULL, NULL);
  assert_goes(&b, "GET", "/groups/a%3Amigrate", "/groups/{groupId}", "a:migrate", NULL, NULL);
  assert_goes(&b, "GET", "/groups/a%252Fb", "/groups/{groupId}", "a%2Fb", NULL, NULL); /* decoded once */
  assert_goes(&b, "GET", "/groups/a+b", "/groups/{groupId}", "a+b", NULL, NULL);       /* a plus stays a plus in a path */
  assert_goes(&b, "GET", "/groups/%E2%82%AC", "/groups/{groupId}", "\xE2\x82\xAC", NULL, NULL);
  assert_goes(&b, "GET", "/groups/%F0%9F%98%80", "/groups/{groupId}", "\xF0\x9F\x98\x80", NULL, NULL);
  assert_goes(&b, "GET", "/groups/..", "/groups/{groupId}", "..", NULL, NULL); /* dot segments have no meaning: paths are no files */
  assert_goes(&b, "GET", "/groups/%22%5C", "/groups/{groupId}", "\"\\", NULL, NULL);
  assert_goes(&b, "GET", "/groups/g/processes/db-0.example:27017", "/groups/{groupId}/processes/{processId}", "g",
              "db-0.example:27017", NULL);
  assert_goes(&b, "GET", "/groups/g/processes/db-0.example%3A27017", "/groups/{groupId}/processes/{processId}", "g",
              "db-0.example:27017", NULL);
  assert_goes(&b, "GET", "/groups/g/accessList/2001:db8::1", "/groups/{groupId}/accessList/{entryValue}", "g", "2001:db8::1",
              NULL);
  assert_goes(&b, "GET", "/groups/g/accessList/10.0.0.0%2F8/status", "/groups/{groupId}/accessList/{entryValue}/status", "g",
              "10.0.0.0/8", NULL);
  assert_goes(&b, "GET", "/orgs/o/apiKeys/k/accessList/::1", "/orgs/{orgId}/apiKeys/{apiUserId}/accessList/{ipAddress}", "o",
              "k", "::1");
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    int status = bench_route(&b, "GET", bad[i]);
    if (status != 400) munit_errorf("%s: %d", bad[i], status);
    munit_assert_int(b.c.error.code, ==, SVC_E_INVALID_REQUEST);
  }
  /* bad encoding outside of parameters is just an unknown path */
  munit_assert_int(bench_route(&b, "GET", "/groups%zz"), ==, 404);
  munit_assert_int(bench_route(&b, "GET", "/groups/g/clusters%00"), ==, 404);
  bench_close(&b);
}

/* A parameter's raw value is safe in links, whatever bytes the client sent unencoded. */
TEST(route, raw_is_safe)
{
  bench b;
  bench_open(&b);
  assert_goes(&b, "GET", "/groups/a\"b\\c%20/clusters", "/groups/{groupId}/clusters", "a\"b\\c ", NULL, NULL);
  assert_str(b.c.route.raw[0], "a%22b%5Cc%20");
  assert_goes(&b, "GET", "/groups/%61%2Fb/clusters", "/groups/{groupId}/clusters", "a/b", NULL, NULL);
  assert_str(b.c.route.raw[0], "a%2Fb");
  bench_close(&b);
}

/* The same bytes are refused at every position of a target. A NUL ends the target in this test. */
TEST(route, bytes_of_a_target)
{
  bench b;
  char path[32];
  int at, byte;
  bench_open(&b);
  for (at = 1; at < 20; at++)
    for (byte = 1; byte < 256; byte++) {
      int status;
      memset(path, 'a', sizeof path);
      path[0] = '/';
      path[20] = 0;
      path[at] = (char)byte;
      status = bench_route(&b, "GET", path);
      if (byte == '%') continue; /* no valid code follows it */
      if ((status == 400) != (byte < 0x21 || byte > 0x7E)) munit_errorf("byte %d at %d: %d", byte, at, status);
    }
  bench_close(&b);
}

TEST(route, odd_paths)
{
  static const char *const missing[] = { "//", "/groups//clusters", "//groups", "/groups/g//",
                                         "/groups/g/clusters//", "/groups/g/clusters/c//status", "/Groups", "/groupsx", "/group",
                                         "/nothing", "/groups/g/nothing", "/groups/g/clusters/c/status/more", "/.", "/%2F",
                                         "/groups%2Fg", "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16",
                                         "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", "x", "-groups" };
  bench b;
  char longest[9000];
  size_t i, n;
  bench_open(&b);
  for (i = 0; i < sizeof missing / sizeof missing[0]; i++) {
    int status = bench_route(&b, "GET", missing[i]);
    if (status != 404) munit_errorf("%s: %d", missing[i], status);
    munit_assert_int(b.c.error.code, ==, SVC_E_RESOURCE_NOT_FOUND);
    munit_assert_ptr_null(b.c.plan);
  }
  assert_goes(&b, "GET", "", "", NULL, NULL, NULL);
  /* thousands of segments, and a very long one */
  for (n = 0; n < 8000; n++) longest[n] = n % 2 ? 'a' : '/';
  longest[n] = 0;
  munit_assert_int(bench_route(&b, "GET", longest), ==, 404);
  memset(longest, '/', 8000);
  munit_assert_int(bench_route(&b, "GET", longest), ==, 404);
  memset(longest, 'a', 8000);
  memcpy(longest, "/groups/", 8);
  munit_assert_int(bench_route(&b, "GET", longest), ==, 0);
  munit_assert_size(b.c.route.params[0].n, ==, 8000 - 8);
  /* 8192 bytes fit, 8193 do not */
  memset(longest, 'a', sizeof longest);
  memcpy(longest, "/groups/", 8);
  longest[8192 - strlen(BASE)] = 0;
  munit_assert_int(bench_route(&b, "GET", longest), ==, 0);
  longest[8192 - strlen(BASE)] = 'a';
  longest[8193 - strlen(BASE)] = 0;
  munit_assert_int(bench_route(&b, "GET", longest), ==, 414);
  bench_close(&b);
}

/* ---------------------------------------------------------------------------------------------------- through the service */

typedef struct world {
  t_service t;
  const char *org, *group, *group_event, *org_event;
} world;

static void world_open(world *w)
{
  static const svc_config config = { .limiter_off = 1, .provision_ms = SVC_PROVISION_NOW };
  t_open(&w->t, &config);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "alpha");
  munit_assert_int(
    t_sendf(&w->t, "POST",
            "{\"name\":\"Cluster0\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{"
            "\"electableSpecs\":{\"instanceSize\":\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}",
            "/groups/%s/clusters", w->group),
    ==, 201);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events", w->group), ==, 200);
  w->group_event = svc_arena_copy(&w->t.s->memory, svc_str_c(t_str(&w->t, "results[0].id"))).p;
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/orgs/%s/events", w->org), ==, 200);
  w->org_event = svc_arena_copy(&w->t.s->memory, svc_str_c(t_str(&w->t, "results[0].id"))).p;
}

/* Writes the route's path with the ids of this world. Parameters of unknown nouns get an id that does not exist. */
static void world_path(const world *w, const char *path, char *out, size_t size)
{
  bool org = strncmp(path, "/orgs", 5) == 0;
  size_t n = 0;
  for (; *path && n + 128 < size; path++) {
    const char *end, *value = "0123456789abcdef01234567";
    if (*path != '{') {
      out[n++] = *path;
      continue;
    }
    end = strchr(path, '}');
    if (strncmp(path, "{orgId}", 7) == 0) value = w->org;
    else if (strncmp(path, "{groupId}", 9) == 0) value = w->group;
    else if (strncmp(path, "{groupName}", 11) == 0) value = "alpha";
    else if (strncmp(path, "{clusterName}", 13) == 0) value = "Cluster0";
    else if (strncmp(path, "{eventId}", 9) == 0) value = org ? w->org_event : w->group_event;
    else if (strncmp(path, "{limitName}", 11) == 0) value = "svc.project.deployment.clusters";
    else if (strncmp(path, "{endpointSetId}", 15) == 0) value = "clusters_group";
    n += (size_t)snprintf(out + n, size - n, "%s", value);
    path = end;
  }
  out[n] = 0;
}

TEST_SERVICE(route, not_found)
{
  static const struct {
    const char *target, *detail;
  } rows[] = {
    { "/api/svc/v2/nothing", "Cannot find resource /api/svc/v2/nothing." },
    { "/api/svc/v2/nothing?pretty=false", "Cannot find resource /api/svc/v2/nothing." },
    { "/api/svc/v2/groups//", "Cannot find resource /api/svc/v2/groups//." },
    { "/api/svc/v2//groups", "Cannot find resource /api/svc/v2//groups." },
    { "/api/svc/v2groups", "Cannot find resource /api/svc/v2groups; the paths of this service begin with /api/svc/v2." },
    { "/api/svc/v3", "Cannot find resource /api/svc/v3; the paths of this service begin with /api/svc/v2." },
    { "/api/svc/v1.0", "Cannot find resource /api/svc/v1.0." },
    { "/api/svc/v1.0/groups", "Cannot find resource /api/svc/v1.0/groups." },
    { "/api/other/v2", "Cannot find resource /api/other/v2; the paths of this service begin with /api/svc/v2." },
    { "/", "Cannot find resource /; paths begin with /api/svc/v2." },
    { "/api/svc/v2/a%22b", "Cannot find resource /api/svc/v2/a%22b." },
    { "/api/svc/v2/a\"b\\c", "Cannot find resource /api/svc/v2/a\"b\\c." },
    { "/api/svc/v2/{0}", "Cannot find resource /api/svc/v2/{0}." },
  };
  size_t i;
  char path[64];
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    munit_assert_int(t_send_raw(t, "GET", rows[i].target, NULL, 0), ==, 404);
    munit_assert_string_equal(t_error(t), "RESOURCE_NOT_FOUND");
    munit_assert_string_equal(t_str(t, "detail"), rows[i].detail);
    munit_assert_string_equal(t_str(t, "reason"), "Not Found");
    munit_assert_size(t_count(t, "parameters"), ==, 1);
    snprintf(path, sizeof path, "%.*s", (int)strcspn(rows[i].target, "?"), rows[i].target);
    munit_assert_string_equal(t_param(t, 0), path);
    munit_assert_string_equal(t_get_header(t, "Content-Type"), "application/json");
    munit_assert_string_equal(t_get_header(t, "Allow"), "");
    munit_assert_string_equal(t_get_header(t, "RateLimit-Limit"), ""); /* no operation, so no bucket */
  }
  munit_assert_int(t_send_raw(t, "GET", "/api/svc/v2/nothing", NULL, 0), ==, 404);
  munit_assert_string_equal(t->response.body,
                            "{\"detail\":\"Cannot find resource /api/svc/v2/nothing.\",\"error\":404,\"errorCode\":"
                            "\"RESOURCE_NOT_FOUND\",\"parameters\":[\"/api/svc/v2/nothing\"],\"reason\":\"Not Found\"}");
  /* an unknown path is 404 even without credentials: the set of paths is no secret */
  t->anonymous = true;
  munit_assert_int(t_send_raw(t, "GET", "/api/svc/v2/nothing", NULL, 0), ==, 404);
}

TEST_SERVICE(route, bad_targets)
{
  static const char *const bad[] = { "", "*", "api/svc/v2", "http://localhost/api/svc/v2", "/api/svc/v2/gro ups",
                                     "/api/svc/v2/\x01", "/api/svc/v2/\x7f", "/api/svc/v2/\xC3\xA9", "/api/svc/v2?a=\xC3\xA9",
                                     "/api/svc/v2\t", "/api/svc/v2/groups/%zz", "/api/svc/v2/groups/%00" };
  char *target;
  size_t i;
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    munit_assert_int(t_send_raw(t, "GET", bad[i], NULL, 0), ==, 400);
    munit_assert_string_equal(t_error(t), "INVALID_REQUEST");
    munit_assert_size(t_count(t, "parameters"), ==, 1);
  }
  target = munit_malloc(9000);
  memset(target, 'a', 8999);
  target[8999] = 0;
  target[0] = '/';
  munit_assert_int(t_send_raw(t, "GET", target, NULL, 0), ==, 414);
  munit_assert_string_equal(t_error(t), "URI_TOO_LONG");
  munit_assert_int64(t_int(t, "parameters[0]"), ==, 8192);
  munit_assert_string_equal(t_str(t, "reason"), "URI Too Long");
  free(target);
}

/* The target ends at its length, not at a NUL. */
TEST_SERVICE(route, target_length)
{
  svc_request request;
  svc_response response;
  memset(&request, 0, sizeof request);
  request.method = "GET";
  request.target = "/api/svc/v2/groupsXYZ";
  request.target_length = strlen("/api/svc/v2/groups");
  request.caller = &t->caller;
  munit_assert_int(svc_handle_request(t->s, &request, &response), ==, SVC_OK);
  munit_assert_int(response.status, ==, 200);
  svc_response_free(&response);
}

TEST(route, method_not_allowed)
{
  static const struct {
    const char *method, *path, *allow;
  } rows[] = {
    { "DELETE", "", "GET, HEAD" },
    { "POST", "", "GET, HEAD" },
    { "BREW", "", "GET, HEAD" },
    { "OPTIONS", "", "GET, HEAD" },
    { "get", "", "GET, HEAD" },
    { "PUT", "/groups", "GET, HEAD, POST" },
    { "PUT", "/groups/{groupId}", "GET, HEAD, PATCH, DELETE" },
    { "BREW", "/groups/{groupId}", "GET, HEAD, PATCH, DELETE" },
    { "GET", "/groups/{groupId}:migrate", "POST" },
    { "HEAD", "/groups/{groupId}:migrate", "POST" },
    { "POST", "/groups/{groupId}/settings", "GET, HEAD, PATCH" },
    { "PATCH", "/eventTypes", "GET, HEAD" },
  };
  world w;
  char path[256], wanted[1024];
  size_t i;
  world_open(&w);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    world_path(&w, rows[i].path, path, sizeof path);
    munit_assert_int(t_send(&w.t, rows[i].method, path, NULL), ==, 405);
    munit_assert_string_equal(t_get_header(&w.t, "Allow"), rows[i].allow);
    munit_assert_string_equal(t_get_header(&w.t, "X-Error-Code"), "METHOD_NOT_ALLOWED");
    if (strcmp(rows[i].method, "HEAD") == 0) continue;
    snprintf(wanted, sizeof wanted,
             "{\"detail\":\"The method %s is not supported by " BASE "%s, which supports %s.\",\"error\":405,\"errorCode\":"
             "\"METHOD_NOT_ALLOWED\",\"parameters\":[\"%s\",\"" BASE "%s\"],\"reason\":\"Method Not Allowed\"}",
             rows[i].method, path, rows[i].allow, rows[i].method, path);
    munit_assert_string_equal(w.t.response.body, wanted);
  }
  t_close(&w.t);
}

/* The older base path serves only routes that are marked for it, without versions. */
TEST(route, older_base_path)
{
  world w;
  world_open(&w);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"enabled\":true}", "/api/svc/v1.0/groups/%s/privateIpMode", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "enabled"), "true");
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), "application/json");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/api/svc/v1.0/groups/%s/privateIpMode", w.group), ==, 405);
  munit_assert_string_equal(t_get_header(&w.t, "Allow"), "PATCH");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/api/svc/v1.0/groups/%s", w.group), ==, 404);
  t_header(&w.t, "Accept", "application/vnd.svc.1999-01-01+json"); /* the Accept header is ignored there */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"enabled\":false}", "/api/svc/v1.0/groups/%s/privateIpMode", w.group), ==, 200);
  t_headers_clear(&w.t);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/privateIpMode", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "enabled"), "false");
  t_close(&w.t);
}

/* HEAD returns the headers of GET without the body: on every route, in every formatting, for success and failure. */
TEST(route, head)
{
  static const char *const queries[] = { "", "?pretty=true", "?envelope=true", "?nosuch=1" };
  world w;
  char path[512];
  size_t i, q, j, found = 0;
  world_open(&w);
  for (i = 0; i < w.t.s->plan_count; i++) {
    const svc_route *r = w.t.s->plans[i].route;
    if (r->method != SVC_GET) continue;
    for (q = 0; q < 4; q++) {
      svc_response get;
      int status;
      world_path(&w, r->path, path, sizeof path);
      strcat(path, queries[q]);
      status = t_send(&w.t, "GET", path, NULL);
      if (q < 3 && status == 200) found++;
      if (q == 3) munit_assert_int(status, >=, 400);
      get = w.t.response;
      memset(&w.t.response, 0, sizeof w.t.response);
      munit_assert_int(t_send(&w.t, "HEAD", path, NULL), ==, status);
      munit_assert_size(w.t.response.body_length, ==, 0);
      munit_assert_string_equal(w.t.response.body, "");
      munit_assert_size(w.t.response.header_count, ==, get.header_count);
      for (j = 0; j < get.header_count; j++) {
        munit_assert_string_equal(w.t.response.headers[j].name, get.headers[j].name);
        munit_assert_string_equal(w.t.response.headers[j].value, get.headers[j].value);
        munit_assert_size(w.t.response.headers[j].name_length, ==, strlen(get.headers[j].name));
        munit_assert_size(w.t.response.headers[j].value_length, ==, strlen(get.headers[j].value));
      }
      munit_assert_string_not_equal(t_get_header(&w.t, "Content-Type"), "");
      munit_assert_size((size_t)strtol(t_get_header(&w.t, "Content-Length"), NULL, 10), ==, get.body_length);
      if (status == 200 && !(r->flags & (SVC_PAGED | SVC_BARE)) && !svc_route_ext_of(r)->media) /* a single resource has an ETag */
        munit_assert_string_not_equal(t_get_header(&w.t, "ETag"), "");
      svc_response_free(&get);
    }
  }
  munit_assert_size(found, >=, 3 * 20); /* at least twenty routes, in three formattings each */
  t_close(&w.t);
}

/* The error of an unknown path says what is wrong with it, as far as that can be guessed. */
TEST(route, suggestions)
{
  static const struct {
    const char *target, *why;
  } rows[] = {
    { "/api/svc/v2/group", "; did you mean groups?" },
    { "/api/svc/v2/groups/5f0000000000000000000001/cluster", "; did you mean clusters?" },
    { "/api/svc/v2/groups/5f0000000000000000000001/clusters/a/backup/snapshot", "; did you mean snapshots?" },
    { "/api/svc/v2/groups/5f0000000000000000000001/clusters/a/backups/snapshots", "; did you mean backup?" },
    { "/groups", "; paths begin with /api/svc/v2" },
    { "/api/atlas/v2/groups", "; the paths of this service begin with /api/svc/v2" },
    { "/api/svc/v3/groups", "; the paths of this service begin with /api/svc/v2" },
    { "/_svc/clock", "; test control is off" },
    { "/openapi.jsn", "; did you mean openapi.json?" },
  };
  t_service t;
  size_t i;
  t_open(&t, NULL);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    munit_assert_int(t_send_raw(&t, "GET", rows[i].target, NULL, 0), ==, 404);
    if (!strstr(t_str(&t, "detail"), rows[i].why)) munit_errorf("%s: %s", rows[i].target, t_str(&t, "detail"));
  }
  t_close(&t);
}

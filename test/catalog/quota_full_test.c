/*
** An owner fills every quota. Afterwards no request and no round of alerts takes so long that another tenant would
** notice.
**
** The measure is work, not time: the processor time of the thread, in GETs of a project at that moment. So the limit is the same
** under a sanitizer, in an emulator and on a machine that does other things: whatever makes a request slower makes a GET slower, too. On
** PostgreSQL a request may wait for the server once for each such GET; the waits themselves are limited.
*/
#include "postgres.h"
#include "world.h"

#include <time.h>

#define QUOTA_GETS 10000 /* 50 ms where a GET takes 5 microseconds */
#define QUOTA_WAITS 6000 /* for PostgreSQL, of one request or round: the first round after the configurations has 5,314 */

enum { QUOTA_PROJECTS = 12, QUOTA_CLUSTERS = 25, QUOTA_ENTRIES = 199, QUOTA_CONFIGS = 500, QUOTA_USERS = 100 };

typedef struct quota_world {
  t_world w;
  const char *groups[QUOTA_PROJECTS];
  double get_ms; /* processor time of a GET of a project; 0: not measured yet */
  char text[65536];
} quota_world;

typedef struct quota_start {
  double ms; /* processor time of the thread */
  unsigned long waits;
} quota_start;

static quota_start quota_now(void)
{
  t_postgres_trips trips = t_postgres_counted();
  quota_start now;
  struct timespec t;
  munit_assert_int(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t), ==, 0);
  now.ms = (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1000000;
  now.waits = trips.flushes + trips.syncs;
  return now;
}

/* Returns the processor time of a GET of a project, in milliseconds; on PostgreSQL it waits once. Leaves the last answer as it is. */
static double quota_get_ms(quota_world *q)
{
  enum { GETS = 100 };
  double since = quota_now().ms;
  char target[128];
  svc_request request;
  svc_response response;
  int i;
  memset(&request, 0, sizeof request);
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s", q->w.group);
  request.method = "GET";
  request.target = target;
  request.peer = q->w.t.peer;
  request.caller = &q->w.t.caller;
  for (i = 0; i < GETS; i++) {
    munit_assert_int(svc_handle_request(q->w.t.s, &request, &response), ==, SVC_OK);
    munit_assert_int(response.status, ==, 200);
    svc_response_free(&response);
  }
  return (quota_now().ms - since) / GETS;
}

static void quota_took(quota_world *q, quota_start since, const char *what, const char *where)
{
  quota_start now = quota_now();
  const unsigned long waits = now.waits - since.waits;
  const double ms = now.ms - since.ms;
  double unit, most;
  if (waits > QUOTA_WAITS) munit_errorf("%s %s waits %lu times", what, where, waits);
  unit = q->get_ms ? q->get_ms : (q->get_ms = quota_get_ms(q));
  if (getenv("QUOTA_SHOW") && ms > unit * QUOTA_GETS / 5) fprintf(stderr, "%7.0f GETs, %lu waits  %s %s\n", ms / unit, waits, what, where);
  if (ms <= unit * QUOTA_GETS) return;
  unit = quota_get_ms(q); /* the machine may be slower now than it was */
  most = unit * (QUOTA_GETS + (double)waits);
  if (unit > q->get_ms) q->get_ms = unit;
  if (ms > most) munit_errorf("%s %s takes as long as %.0f GETs of a project, and may take %d", what, where, ms / unit, QUOTA_GETS);
}

/* Sends a request and measures its time. */
static int quota_send(quota_world *q, const char *method, const char *path, const char *body)
{
  quota_start since = quota_now();
  int status = t_send(&q->w.t, method, path, body);
  quota_took(q, since, method, path);
  return status;
}

static void quota_make(quota_world *q, const char *path, const char *body)
{
  int status = quota_send(q, "POST", path, body);
  if (status / 100 != 2) munit_errorf("%s: %d %s", path, status, q->w.t.response.body);
}

/* ------------------------------------------------------------------------------------------------------------------ full */

/* Creates 250 policies of 2.8 KB that all have to be evaluated when an entry is added to an access list. */
static void quota_policies(quota_world *q)
{
  static const char part[] = "context.project.ipAccessList.isEmpty()";
  char path[128], policy[4096];
  size_t n;
  int i, k;
  snprintf(path, sizeof path, "/orgs/%s/resourcePolicies", q->w.org);
  n = (size_t)snprintf(policy, sizeof policy, "forbid (principal, action == ResourcePolicy::Action::\\\"project.ipAccessList.modify\\\", resource) when { ");
  for (k = 0; k < 64; k++) n += (size_t)snprintf(policy + n, sizeof policy - n, "%s%s", k ? " && " : "", part);
  snprintf(policy + n, sizeof policy - n, " };");
  for (i = 0; i < 50; i++) {
    n = (size_t)snprintf(q->text, sizeof q->text, "{\"name\":\"p%d\",\"policies\":[", i);
    for (k = 0; k < 5; k++) n += (size_t)snprintf(q->text + n, sizeof q->text - n, "%s{\"body\":\"%s\"}", k ? "," : "", policy);
    snprintf(q->text + n, sizeof q->text - n, "]}");
    quota_make(q, path, q->text);
  }
  munit_assert_int(t_send(&q->w.t, "POST", path, q->text), ==, 403); /* the maximum is reached */
}

static void quota_entries(quota_world *q)
{
  char path[128];
  size_t n;
  int i, k;
  for (i = 0; i < QUOTA_PROJECTS; i++) {
    snprintf(path, sizeof path, "/groups/%s/accessList", q->groups[i]);
    n = (size_t)snprintf(q->text, sizeof q->text, "[");
    for (k = 0; k < QUOTA_ENTRIES; k++) n += (size_t)snprintf(q->text + n, sizeof q->text - n, "%s{\"ipAddress\":\"10.0.0.%d\"}", k ? "," : "", k);
    snprintf(q->text + n, sizeof q->text - n, "]");
    quota_make(q, path, q->text);
    quota_make(q, path, "[{\"ipAddress\":\"10.1.0.1\"}]");
  }
}

/* Creates clusters of three nodes. */
static void quota_clusters(quota_world *q)
{
  char path[128], body[512];
  int i;
  snprintf(path, sizeof path, "/groups/%s/clusters", q->w.group);
  for (i = 0; i < QUOTA_CLUSTERS; i++) {
    snprintf(body, sizeof body, "{\"name\":\"c%d\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
             "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}", i);
    quota_make(q, path, body);
  }
}

/* Creates configurations with the maximum number of regular expressions. All expressions match, and at most three configurations
** share one, so a compiled expression is hardly ever used twice. */
static void quota_configs(quota_world *q)
{
  char path[128];
  size_t n;
  int i, k;
  snprintf(path, sizeof path, "/groups/%s/alertConfigs", q->w.group);
  for (i = 0; i < QUOTA_CONFIGS; i++) {
    n = (size_t)snprintf(q->text, sizeof q->text, "{\"enabled\":true,\"eventTypeName\":\"OUTSIDE_METRIC_THRESHOLD\",\"notifications\":[{\"typeName\":\"GROUP\"}],"
                         "\"metricThreshold\":{\"metricName\":\"CONNECTIONS\",\"operator\":\"GREATER_THAN\",\"threshold\":1e9,\"units\":\"RAW\",\"mode\":\"AVERAGE\"},"
                         "\"matchers\":[");
    for (k = 0; k < 25; k++)
      n += (size_t)snprintf(q->text + n, sizeof q->text - n, "%s{\"fieldName\":\"HOSTNAME\",\"operator\":\"REGEX\",\"value\":\"([a-y]*[.-9]*)*[%c-%c%c]?\"}",
                            k ? "," : "", 'A' + i % 20, 'a' + k, '0' + i / 50);
    snprintf(q->text + n, sizeof q->text - n, "]}");
    if (quota_send(q, "POST", path, q->text) == 400) break; /* the default configurations of a new project count, too */
    if (q->w.t.response.status != 201) munit_errorf("%d: %s", i, q->w.t.response.body);
  }
  munit_assert_int(i, >, 400);
}

static void quota_others(quota_world *q)
{
  static const struct {
    const char *path, *body;
    int count;
    bool of_org;
  } rows[] = {
    { "databaseUsers", "{\"databaseName\":\"admin\",\"username\":\"u%d\",\"password\":\"long enough 1234\",\"roles\":[{\"databaseName\":\"admin\",\"roleName\":\"readAnyDatabase\"}]}",
      QUOTA_USERS, false },
    { "customDBRoles/roles", "{\"roleName\":\"r%d\",\"actions\":[{\"action\":\"FIND\",\"resources\":[{\"db\":\"d\",\"collection\":\"c\"}]}]}", 100, false },
    { "apiKeys", "{\"desc\":\"k%d\",\"roles\":[\"ORG_MEMBER\"]}", 100, true },
    { "serviceAccounts", "{\"name\":\"s%d\",\"description\":\"one\",\"roles\":[\"ORG_MEMBER\"],\"secretExpiresAfterHours\":8}", 100, true },
  };
  char path[128], body[512];
  size_t i;
  int k;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    snprintf(path, sizeof path, "/%s/%s/%s", rows[i].of_org ? "orgs" : "groups", rows[i].of_org ? q->w.org : q->w.group, rows[i].path);
    for (k = 0; k < rows[i].count; k++) {
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
      snprintf(body, sizeof body, rows[i].body, k);
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
      quota_make(q, path, body);
    }
  }
}

static void quota_projects(quota_world *q)
{
  char name[32];
  int i;
  q->groups[0] = q->w.group;
  for (i = 1; i < QUOTA_PROJECTS; i++) {
    snprintf(name, sizeof name, "full %d", i);
    q->groups[i] = t_project(&q->w.t, q->w.org, name);
  }
}

/* ----------------------------------------------------------------------------------------------------------- measurements */

/* Measures five rounds of alerts, one minute apart. */
static void quota_rounds(quota_world *q)
{
  quota_start since;
  int i;
  for (i = 0; i < 5; i++) {
    q->w.t.now += 60000;
    since = quota_now();
    munit_assert_int(svc_tick(q->w.t.s), ==, SVC_OK);
    quota_took(q, since, "a round of alerts, after", i ? "another minute" : "one minute");
  }
}

/* Sends every GET as the owner. */
static void quota_reads(quota_world *q)
{
  svc *s = q->w.t.s;
  size_t i;
  quota_start since;
  for (i = 0; i < s->plan_count; i++) {
    const svc_plan *plan = &s->plans[i];
    if (plan->route->method != SVC_GET || !t_world_path(&q->w, plan, q->w.path, sizeof q->w.path)) continue;
    if (plan->route->flags & SVC_ABSOLUTE) t_send(&q->w.t, "GET", q->w.path, NULL); /* built once, on the first request */
    since = quota_now();
    t_send(&q->w.t, "GET", q->w.path, NULL);
    quota_took(q, since, "GET", q->w.path);
  }
}

/* A list that is too long for one request is completed by several short ones. */
static void quota_inspects(quota_world *q)
{
  char path[128];
  int tries = 0;
  snprintf(path, sizeof path, "/orgs/%s/nonCompliantResources", q->w.org);
  while (quota_send(q, "GET", path, NULL) == 503 && tries++ < 100) munit_assert_string_equal(t_str(&q->w.t, "errorCode"), "INSPECTION_UNFINISHED");
  munit_assert_int(q->w.t.response.status, ==, 200);
  munit_assert_size(t_count(&q->w.t, ""), ==, 0);
}

TEST(quota_full, full)
{
  quota_world *q = munit_calloc(1, sizeof *q);
  char path[128];
  t_world_open(&q->w);
  quota_projects(q);
  quota_others(q);
  quota_clusters(q);
  t_advance(&q->w.t, 30);
  quota_policies(q);
  quota_entries(q);
  quota_inspects(q);
  quota_configs(q);
  quota_rounds(q);
  quota_reads(q);
  snprintf(path, sizeof path, "/groups/%s/accessList/10.1.0.1", q->w.group);
  munit_assert_int(quota_send(q, "DELETE", path, NULL), ==, 204);
  snprintf(path, sizeof path, "/groups/%s/accessList", q->w.group);
  quota_make(q, path, "[{\"ipAddress\":\"10.1.0.1\"}]");
  t_world_close(&q->w);
  free(q);
}

/* ---------------------------------------------------------------------------------------------------------------- refused */

/* A pattern, or all patterns of a configuration together, that would take too long is refused. The error has the maximum number of
** steps. */
TEST(quota_full, patterns)
{
  static const char front[] = "{\"enabled\":true,\"eventTypeName\":\"HOST_DOWN\",\"notifications\":[{\"typeName\":\"GROUP\"}],\"matchers\":[";
  quota_world *q = munit_calloc(1, sizeof *q);
  char path[128];
  size_t n;
  int i;
  t_world_open(&q->w);
  snprintf(path, sizeof path, "/groups/%s/alertConfigs", q->w.group);
  snprintf(q->text, sizeof q->text, "%s{\"fieldName\":\"HOSTNAME\",\"operator\":\"REGEX\",\"value\":\"([acegikmoqsuwy024.-]*[bdfhjlnprtvxz13579:]*){80}\"}]}", front);
  munit_assert_int(t_send(&q->w.t, "POST", path, q->text), ==, 400);
  if (!strstr(q->w.t.response.body, "at most 128")) munit_error(q->w.t.response.body);
  n = (size_t)snprintf(q->text, sizeof q->text, "%s", front);
  for (i = 0; i < 25; i++)
    n += (size_t)snprintf(q->text + n, sizeof q->text - n, "%s{\"fieldName\":\"HOSTNAME\",\"operator\":\"REGEX\",\"value\":\"[a-z]{20}\"}", i ? "," : "");
  snprintf(q->text + n, sizeof q->text - n, "]}");
  munit_assert_int(t_send(&q->w.t, "POST", path, q->text), ==, 400);
  if (!strstr(q->w.t.response.body, "at most 512")) munit_error(q->w.t.response.body);
  snprintf(q->text, sizeof q->text, "%s{\"fieldName\":\"HOSTNAME\",\"operator\":\"REGEX\",\"value\":\"^(prod|staging)-[a-z0-9]{3,20}-shard-[0-9]+$\"}]}", front);
  munit_assert_int(t_send(&q->w.t, "POST", path, q->text), ==, 201);
  t_world_close(&q->w);
  free(q);
}

/* The steps of all policies with large sets are limited together per organization: a policy that exceeds the limit is refused. */
TEST(quota_full, steps)
{
  quota_world *q = munit_calloc(1, sizeof *q);
  char path[128];
  size_t n;
  int i, k, status = 0;
  t_world_open(&q->w);
  snprintf(path, sizeof path, "/orgs/%s/resourcePolicies", q->w.org);
  for (i = 0; i < 50 && status != 400; i++) {
    n = (size_t)snprintf(q->text, sizeof q->text, "{\"name\":\"p%d\",\"policies\":[{\"body\":\"forbid (principal, action == ResourcePolicy::Action::"
                         "\\\"project.ipAccessList.modify\\\", resource) when { [", i);
    for (k = 0; k < 150; k++) n += (size_t)snprintf(q->text + n, sizeof q->text - n, "%sip(\\\"10.9.0.%d\\\")", k ? "," : "", k);
    snprintf(q->text + n, sizeof q->text - n, "].containsAll(context.project.ipAccessList) && false };\"}]}");
    status = t_send(&q->w.t, "POST", path, q->text);
    if (status != 201 && status != 400) munit_error(q->w.t.response.body);
  }
  munit_assert_int(status, ==, 400);
  if (!strstr(q->w.t.response.body, "at most 400000")) munit_error(q->w.t.response.body);
  munit_assert_int(i, >, 10);
  munit_assert_int(t_sendf(&q->w.t, "POST", "[{\"ipAddress\":\"192.0.2.1\"}]", "/groups/%s/accessList", q->w.group), ==, 201);
  t_world_close(&q->w);
  free(q);
}

/*
** Alerts: each opens once per configuration and target, is acknowledged, loses the acknowledgement, and closes, as the
** clock says.
**
** In the simulation a host is down only during an outage. The suite needs such events at any time. A drill writes
** them: a noun of this test, whose creation writes HOST_DOWN and whose deletion writes HOST_UP.
**
** Tests also: alert_config, alert_notice, alert_wave
*/
#include "damaged.h"
#include "needs.h"
#include "support.h"
#include "catalog/alert_world.h"

#define NEED_ALERT "/groups/{groupId}/alerts/{alertId}"
#define NEED_CONFIGS "/groups/{groupId}/alertConfigs"
#define NEED_WATCH \
  "{\"enabled\":true,\"eventTypeName\":\"OUTSIDE_METRIC_THRESHOLD\",\"metricThreshold\":{\"metricName\":\"CONNECTIONS\"," \
  "\"operator\":\"GREATER_THAN\",\"threshold\":-1},\"notifications\":[{\"typeName\":\"GROUP\",\"emailEnabled\":true}]}"

T_NEEDS(alert) = {
  /* an alert needs a configuration that watches something that lasts */
  T_FIRST(SVC_GET, NEED_ALERT, SVC_POST, NEED_CONFIGS, NEED_WATCH),
  T_FIRST(SVC_GET, NEED_ALERT, SVC_POST, "/groups/{groupId}/clusters", NULL),
  T_FIRST(SVC_GET, NEED_ALERT "/alertConfigs", SVC_POST, NEED_CONFIGS, NEED_WATCH),
  T_FIRST(SVC_GET, NEED_ALERT "/alertConfigs", SVC_POST, "/groups/{groupId}/clusters", NULL),
  T_FIRST(SVC_PATCH, NEED_ALERT, SVC_POST, NEED_CONFIGS, NEED_WATCH),
  T_FIRST(SVC_PATCH, NEED_ALERT, SVC_POST, "/groups/{groupId}/clusters", NULL),
  T_NEEDS_END
};

static const svc_field drill_fields[] = { F_ID(), F_STR("name", .flags = SVC_REQUIRED) };
static const svc_object drill_object = { .name = "Drill", .fields = SVC_ROWS(drill_fields) };
static const svc_route drill_routes[] = {
  { .method = SVC_POST, .path = "/groups/{groupId}/drills", .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, .status = 201,
    .roles = SVC_R_GROUP_OWNER, .run = svc_verb_create },
  { .method = SVC_DELETE, .path = "/groups/{groupId}/drills/{drillId}", .set = SVC_SET_CLUSTERS, PROBE_VERSIONS, .status = 204,
    .roles = SVC_R_GROUP_OWNER, .run = svc_verb_delete }
};
static const svc_noun drill_noun = { .name = "drill", .kind = "dril", .parent = "project", .param = "drillId", .object = &drill_object,
                                     .flags = SVC_SHARED_NAME, .unique = "name", .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
                                     .event_created = "HOST_DOWN", .event_deleted = "HOST_UP", .event_field = "hostname", .routes = SVC_ROUTES(drill_routes) };
static const svc_noun *const drills[] = { &drill_noun, NULL };

/* Returns a copy of an id that outlives the handle. */
static const char *alert_keep(const char *text)
{
  static char kept[1024][32];
  static size_t n;
  snprintf(kept[n % 1024], sizeof kept[0], "%.31s", text);
  return kept[n++ % 1024];
}

typedef struct alert_world {
  t_service t;
  const char *group, *other;
  char folder[128];
  svc_config config;
} alert_world;

static const char *alert_keep_project(t_service *t, const char *org, const char *name)
{
  return alert_keep(t_project(t, org, name));
}

static void alert_open(alert_world *w, bool on_disk)
{
  const char *org;
  memset(&w->config, 0, sizeof w->config);
  w->config.limiter_off = 1;
  w->folder[0] = 0;
  if (on_disk) store_folder(w->folder), w->config.path = w->folder;
  t_probes(drills);
  t_open(&w->t, &w->config);
  org = t_organization(&w->t, "Acme");
  w->group = alert_keep_project(&w->t, org, "alpha");
  w->other = alert_keep_project(&w->t, org, "beta");
}

static void alert_close(alert_world *w)
{
  t_close(&w->t);
  t_probes(NULL);
  if (w->folder[0]) store_remove(w->folder);
}

/* Creates a configuration. Returns its id. */
static const char *alert_watch(alert_world *w, const char *type, const char *more, int delay)
{
  char body[1024];
  snprintf(body, sizeof body, "{\"enabled\":true,\"eventTypeName\":\"%s\"%s,\"notifications\":[{\"typeName\":\"GROUP\",\"delayMin\":%d,"
           "\"intervalMin\":5}]}", type, more, delay);
  if (t_sendf(&w->t, "POST", body, "/groups/%s/alertConfigs", w->group) != 201) munit_errorf("%s: %s", body, w->t.response.body);
  return alert_keep(t_str(&w->t, "id"));
}

static const char *alert_drill(alert_world *w, const char *host)
{
  char body[128];
  snprintf(body, sizeof body, "{\"name\":\"%s\"}", host);
  munit_assert_int(t_sendf(&w->t, "POST", body, "/groups/%s/drills", w->group), ==, 201);
  return alert_keep(t_str(&w->t, "id"));
}

static void alert_drills(alert_world *w, int count) /* of the hosts h0, h1, and so on */
{
  char host[16];
  int i;
  for (i = 0; i < count; i++) {
    snprintf(host, sizeof host, "h%d", i);
    alert_drill(w, host);
  }
}

static void alert_drilled(alert_world *w, const char *drill)
{
  munit_assert_int(t_sendf(&w->t, "DELETE", NULL, "/groups/%s/drills/%s", w->group, drill), ==, 204);
}

/* Returns the number of alerts with this status, "" for all. The answer is the list. */
static int alert_count(alert_world *w, const char *status)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/alerts%s%s", w->group, status[0] ? "?status=" : "", status), ==, 200);
  return (int)t_int(&w->t, "totalCount");
}

TEST(alert, once)
{
  alert_world w;
  const char *config, *first, *second, *alert;
  alert_open(&w, false);
  config = alert_watch(&w, "HOST_DOWN", "", 0);
  first = alert_drill(&w, "a");
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  alert = alert_keep(t_str(&w.t, "results[0].id"));
  munit_assert_string_equal(t_str(&w.t, "results[0].alertConfigId"), config);
  munit_assert_string_equal(t_str(&w.t, "results[0].eventTypeName"), "HOST_DOWN");
  munit_assert_string_equal(t_str(&w.t, "results[0].created"), "2025-06-01T00:00:00Z");
  second = alert_drill(&w, "a"); /* the same event again: no second alert */
  munit_assert_int(alert_count(&w, ""), ==, 1);
  alert_drill(&w, "b"); /* another target has its own alert */
  munit_assert_int(alert_count(&w, "OPEN"), ==, 2);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alertConfigs/%s/alerts", w.group, config), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 2);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alerts/%s/alertConfigs", w.group, alert), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].id"), config);
  t_advance(&w.t, 60);
  alert_drilled(&w, second);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "status"), "CLOSED");
  munit_assert_string_equal(t_str(&w.t, "resolved"), "2025-06-01T00:01:00Z");
  alert_drilled(&w, first); /* the alert is closed already */
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  alert_drill(&w, "a"); /* a new alert opens */
  munit_assert_int(alert_count(&w, "OPEN"), ==, 2);
  munit_assert_int(alert_count(&w, ""), ==, 3);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alertConfigs/%s/alerts", w.group, config), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 2); /* the open ones */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alerts", w.other), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 0);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alerts/%s", w.other, alert), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "ALERT_NOT_FOUND");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alerts/%s/alertConfigs", w.other, alert), ==, 404);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alertConfigs/%s/alerts", w.other, config), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "ALERT_CONFIG_NOT_FOUND");
  store_whole(w.t.s);
  alert_close(&w);
}

/* An alert is TRACKING, OPEN, acknowledged, no longer acknowledged, CLOSED, deleted. Another handle continues where one stopped. */
TEST(alert, clock)
{
  alert_world w;
  const char *drill, *alert;
  alert_open(&w, true);
  alert_watch(&w, "HOST_DOWN", "", 10);
  drill = alert_drill(&w, "a");
  munit_assert_int(alert_count(&w, "TRACKING"), ==, 1);
  alert = alert_keep(t_str(&w.t, "results[0].id"));
  t_reopen(&w.t, &w.config);
  t_advance(&w.t, 599);
  munit_assert_int(alert_count(&w, "TRACKING"), ==, 1);
  t_advance(&w.t, 1);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].updated"), "2025-06-01T00:10:00Z");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"acknowledgementComment\":\"why\"}", "/groups/%s/alerts/%s", w.group, alert), ==, 400);
  munit_assert_string_equal(t_param(&w.t, 0), "acknowledgedUntil");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"acknowledgedUntil\":\"2025-06-01T01:00:00Z\",\"acknowledgementComment\":\"known\"}",
                           "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "acknowledgementComment"), "known");
  munit_assert_string_not_equal(t_str(&w.t, "acknowledgingUsername"), "");
  t_reopen(&w.t, &w.config);
  t_advance(&w.t, 3000);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  munit_assert_null(t_node(&w.t, "acknowledgedUntil"));
  munit_assert_null(t_node(&w.t, "acknowledgingUsername"));
  munit_assert_string_equal(t_str(&w.t, "status"), "OPEN");
  /* null and unacknowledgeAlert withdraw the acknowledgement; a past date without an acknowledgement changes nothing */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"acknowledgedUntil\":\"2025-07-01T01:00:00Z\"}", "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"acknowledgedUntil\":null}", "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  munit_assert_null(t_node(&w.t, "acknowledgedUntil"));
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"acknowledgedUntil\":\"2025-07-01T01:00:00Z\"}", "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"unacknowledgeAlert\":true}", "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  munit_assert_null(t_node(&w.t, "acknowledgedUntil"));
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"acknowledgedUntil\":\"2025-05-01T01:00:00Z\"}", "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"status\":\"CLOSED\"}", "/groups/%s/alerts/%s", w.group, alert), ==, 400);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=ALERT_ACKNOWLEDGED_AUDIT", w.group), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "results[0].alertId"), alert);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=ALERT_UNACKNOWLEDGED_AUDIT", w.group), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 3);
  alert_drilled(&w, drill);
  munit_assert_int(alert_count(&w, "CLOSED"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"acknowledgedUntil\":\"2025-07-01T01:00:00Z\"}", "/groups/%s/alerts/%s", w.group, alert), ==, 400);
  t_reopen(&w.t, &w.config);
  t_advance(&w.t, 90 * 86400 - 1);
  munit_assert_int(alert_count(&w, ""), ==, 1);
  t_advance(&w.t, 1);
  munit_assert_int(alert_count(&w, ""), ==, 0);
  /* an alert that ends while it is tracked was never open */
  drill = alert_drill(&w, "b");
  alert_drilled(&w, drill);
  munit_assert_int(alert_count(&w, "CLOSED"), ==, 1);
  t_advance(&w.t, 3600);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 0);
  alert_close(&w);
}

/* The alerts of a configuration close when it is disabled, changed to another event, or deleted. A disabled configuration opens none. */
TEST(alert, cancelled)
{
  alert_world w;
  const char *config;
  alert_open(&w, false);
  config = alert_watch(&w, "HOST_DOWN", "", 0);
  alert_drill(&w, "a");
  alert_drill(&w, "b");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"enabled\":false}", "/groups/%s/alertConfigs/%s", w.group, config), ==, 200);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 0);
  munit_assert_string_equal((alert_count(&w, ""), t_str(&w.t, "results[0].status")), "CANCELLED");
  alert_drill(&w, "c");
  munit_assert_int(alert_count(&w, ""), ==, 2);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"enabled\":true}", "/groups/%s/alertConfigs/%s", w.group, config), ==, 200);
  alert_drill(&w, "c");
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "PUT", "{\"enabled\":true,\"eventTypeName\":\"NO_PRIMARY\",\"notifications\":[{\"typeName\":\"GROUP\"}]}",
                           "/groups/%s/alertConfigs/%s", w.group, config), ==, 200);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 0);
  config = alert_watch(&w, "HOST_DOWN", "", 0);
  alert_drill(&w, "d");
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/alertConfigs/%s", w.group, config), ==, 204);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 0);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alerts/%s/alertConfigs", w.group, (alert_count(&w, ""), alert_keep(t_str(&w.t, "results[3].id")))), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 0); /* the configuration is deleted */
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202);
  store_whole(w.t.s);
  alert_close(&w);
}

/* An alert of an event without an opposite closes at once. */
TEST(alert, informs)
{
  alert_world w;
  alert_open(&w, false);
  alert_watch(&w, "NETWORK_PERMISSION_ENTRY_ADDED", "", 5);
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"10.0.0.1\"}]", "/groups/%s/accessList", w.group), ==, 201);
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"10.0.0.2\"}]", "/groups/%s/accessList", w.group), ==, 201);
  munit_assert_int(alert_count(&w, "CLOSED"), ==, 2);
  munit_assert_int(alert_count(&w, ""), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "results[0].resolved"), t_str(&w.t, "results[0].created"));
  alert_close(&w);
}

static const struct {
  const char *field, *how, *value;
  bool fits; /* with the host "db-07.example" */
} matchers[] = {
  { "HOSTNAME", "EQUALS", "db-07.example", true },     { "HOSTNAME", "EQUALS", "db-07", false },
  { "HOSTNAME", "NOT_EQUALS", "db-07.example", false }, { "HOSTNAME", "NOT_EQUALS", "x", true },
  { "HOSTNAME", "CONTAINS", "-07.", true },            { "HOSTNAME", "CONTAINS", "08", false },
  { "HOSTNAME", "NOT_CONTAINS", "08", true },          { "HOSTNAME", "NOT_CONTAINS", "07", false },
  { "HOSTNAME", "STARTS_WITH", "db-", true },          { "HOSTNAME", "STARTS_WITH", "07", false },
  { "HOSTNAME", "ENDS_WITH", ".example", true },       { "HOSTNAME", "ENDS_WITH", "db", false },
  { "HOSTNAME", "REGEX", "[0-9]{2}", true },           { "HOSTNAME", "REGEX", "^[0-9]{2}", false },
  { "HOSTNAME", "REGEX", "^db-(06|07)", true },        { "HOSTNAME", "REGEX", "exam$", false },
  { "REPLICA_SET_NAME", "EQUALS", "a", false },        { "REPLICA_SET_NAME", "NOT_EQUALS", "a", true },
  { "REPLICA_SET_NAME", "REGEX", ".*", false }, /* the event has no replica set */
  { "HOSTNAME", "REGEX", "ample$", true },             { "HOSTNAME", "REGEX", "^db-07.example$", true },
  { "HOSTNAME", "REGEX", "example\\\\$", false },      { "HOSTNAME", "REGEX", "^", true },
  { "HOSTNAME", "STARTS_WITH", "db-07.example.com", false }, { "HOSTNAME", "ENDS_WITH", "a.db-07.example", false },
  { "HOSTNAME", "CONTAINS", "db-07.example.com", false }, { "HOSTNAME_AND_PORT", "STARTS_WITH", "db-07.example:", true },
  { "PORT", "NOT_CONTAINS", "x", true },
  { "SVC_NODE_TYPE", "EQUALS", "x", false },           { "SVC_NODE_TYPE", "NOT_EQUALS", "x", true }, /* the event has no such field */
};

TEST(alert, matched)
{
  alert_world w;
  char more[256];
  size_t i;
  alert_open(&w, false);
  for (i = 0; i < sizeof matchers / sizeof matchers[0]; i++) {
    const char *config, *drill;
    snprintf(more, sizeof more, ",\"matchers\":[{\"fieldName\":\"%s\",\"operator\":\"%s\",\"value\":\"%s\"}]", matchers[i].field, matchers[i].how,
             matchers[i].value);
    config = alert_watch(&w, "HOST_DOWN", more, 0);
    drill = alert_drill(&w, "db-07.example");
    if (alert_count(&w, "OPEN") != matchers[i].fits) munit_errorf("%s: %d", more, alert_count(&w, "OPEN"));
    alert_drilled(&w, drill);
    munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/alertConfigs/%s", w.group, config), ==, 204);
  }
  alert_close(&w);
}

/* At the maximum, closed alerts are replaced by new ones. */
TEST(alert, most)
{
  alert_world w;
  char host[16];
  int i;
  alert_open(&w, false);
  alert_watch(&w, "HOST_DOWN", "", 0);
  for (i = 0; i < 520; i++) { /* the first 100 stay open */
    const char *drill;
    snprintf(host, sizeof host, "h%d", i);
    drill = alert_drill(&w, host);
    if (i >= 100) alert_drilled(&w, drill);
  }
  munit_assert_int(alert_count(&w, ""), ==, 500);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 100);
  alert_drill(&w, "last");
  munit_assert_int(alert_count(&w, ""), ==, 500);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 101);
  store_whole(w.t.s);
  alert_close(&w);
}

/* Creates ten thousand configurations of the same type in other projects, as POST would create them. */
static bool alert_crowd_work(svc_job *job, svc_txn *txn)
{
  svc_arena arena;
  svc_entity e;
  unsigned i;
  (void)job;
  svc_arena_init(&arena, NULL);
  for (i = 0; i < 10000; i++) {
    memset(&e, 0, sizeof e);
    e.kind = "acfg";
    e.parent = t_id(1000000 + i / 500);
    e.id = t_id(2000000 + i);
    e.scope.group = e.parent;
    e.key = svc_id_str(&arena, &e.id);
    e.unique = svc_arena_print(&arena, "%s/true/HOST_DOWN/%s", svc_id_str(&arena, &e.parent).p, e.key.p);
    e.body = SVC_S("{}");
    e.links_at = 1;
    munit_assert_int(svc_entity_insert(txn, &arena, &e), ==, SVC_OK);
  }
  svc_blocks_free(arena.blocks);
  return true;
}

static t_reads alert_cost(alert_world *w, const char *host)
{
  t_reads reads;
  alert_drilled(w, alert_drill(w, "warm"));
  t_reads_taken();
  alert_drill(w, host);
  reads = t_reads_taken();
  munit_assert_long(reads.gets, >, 0);
  return reads;
}

TEST(alert, crowd)
{
  alert_world w;
  svc_job job;
  t_reads few, many;
  const char *org;
  memset(&w.config, 0, sizeof w.config);
  w.config.limiter_off = 1;
  w.config.store = t_counting_port();
  w.folder[0] = 0;
  t_probes(drills);
  t_open(&w.t, &w.config);
  org = t_organization(&w.t, "Acme");
  w.group = alert_keep_project(&w.t, org, "alpha");
  alert_watch(&w, "HOST_DOWN", "", 0);
  few = alert_cost(&w, "a");
  memset(&job, 0, sizeof job);
  job.work = alert_crowd_work;
  job.now = w.t.now;
  munit_assert_int(svc_commit_run(&w.t.s->commit, &job), ==, SVC_OK);
  many = alert_cost(&w, "b");
  munit_assert_long(many.gets, ==, few.gets);
  munit_assert_long(many.rows, ==, few.rows);
  munit_assert_long(many.writes, ==, few.writes);
  alert_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------------ waves */

/* Creates this many more configurations of the same type. */
static void alert_watch_many(alert_world *w, int count)
{
  while (count-- > 0) alert_watch(w, "HOST_DOWN", "", 0);
}

/* An event writes the same number of records however many configurations watch it: further alerts open in their own transactions. */
TEST(alert, waves)
{
  alert_world w;
  t_reads few, many;
  const char *org, *drill;
  memset(&w.config, 0, sizeof w.config);
  w.config.limiter_off = 1;
  w.config.store = t_counting_port();
  w.folder[0] = 0;
  t_probes(drills);
  t_open(&w.t, &w.config);
  org = t_organization(&w.t, "Acme");
  w.group = alert_keep_project(&w.t, org, "alpha");
  alert_watch_many(&w, 48);
  t_reads_taken();
  drill = alert_drill(&w, "a");
  few = t_reads_taken();
  munit_assert_size(probe_records(w.t.s, "eawav"), ==, 1);
  munit_assert_size(probe_records(w.t.s, "ealrt"), <, 48);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 48); /* the due steps complete before the answer */
  munit_assert_size(probe_records(w.t.s, "eawav"), ==, 0);
  alert_drilled(&w, drill);
  munit_assert_size(probe_records(w.t.s, "eawav"), ==, 1); /* alerts also close in waves */
  munit_assert_int(alert_count(&w, "OPEN"), ==, 0);
  munit_assert_int(alert_count(&w, "CLOSED"), ==, 48);
  alert_watch_many(&w, 144);
  t_reads_taken();
  drill = alert_drill(&w, "b");
  many = t_reads_taken();
  munit_assert_long(many.writes, ==, few.writes);
  munit_assert_long(many.gets, <=, few.gets + 2);
  munit_assert_long(many.rows, <=, few.rows + 2);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 192);
  alert_drilled(&w, drill);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 0);
  store_whole(w.t.s);
  alert_close(&w);
}

typedef struct alert_twice {
  svc_job job; /* first: jobs are cast to this struct */
  svc *s;
  svc_id group, org;
} alert_twice;

/* Writes an event with a host name and a port. */
static bool alert_ports_work(svc_job *job, svc_txn *txn)
{
  const svc_event_part where[] = { { "hostname", SVC_S("a"), false }, { "port", SVC_S("27018"), true } };
  alert_twice *twice = (alert_twice *)job;
  svc_scope scope = { twice->group, twice->org };
  svc_arena arena;
  svc_call c;
  bool good;
  svc_service_call(&c, twice->s, &arena, txn, job->now);
  good = svc_event_with(&c, "HOST_DOWN", &scope, where, 2);
  svc_blocks_free(arena.blocks);
  return good;
}

/* Writes events of two hosts in one transaction, before the wave of the first continues. The last event counts, also after a restart. */
static bool alert_twice_work(svc_job *job, svc_txn *txn)
{
  alert_twice *twice = (alert_twice *)job;
  svc_scope scope = { twice->group, twice->org };
  svc_arena arena;
  svc_call c;
  bool good;
  svc_service_call(&c, twice->s, &arena, txn, job->now);
  good = svc_event_write(&c, "HOST_DOWN", &scope, "hostname", SVC_S("a")) &&
         svc_event_write(&c, "HOST_UP", &scope, "hostname", SVC_S("a")) && svc_event_write(&c, "HOST_DOWN", &scope, "hostname", SVC_S("b"));
  svc_blocks_free(arena.blocks);
  return good;
}

/* Ends a configuration with more open alerts than one step handles. */
TEST(alert, waves_cancel)
{
  alert_world w;
  const char *config;
  alert_open(&w, false);
  config = alert_watch(&w, "HOST_DOWN", "", 0);
  alert_drills(&w, 70);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"enabled\":false}", "/groups/%s/alertConfigs/%s", w.group, config), ==, 200);
  munit_assert_size(probe_records(w.t.s, "eawav"), ==, 1);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 0);
  munit_assert_int(alert_count(&w, ""), ==, 70);
  munit_assert_size(probe_records(w.t.s, "eawav"), ==, 0);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"enabled\":true}", "/groups/%s/alertConfigs/%s", w.group, config), ==, 200);
  alert_drills(&w, 40);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202); /* the project's alerts are deleted with it */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_size(probe_records(w.t.s, "eawav"), ==, 0);
  munit_assert_size(probe_records(w.t.s, "ealrt"), ==, 0);
  store_whole(w.t.s);
  alert_close(&w);
}

/* Exactly as many alerts as one step handles: nothing is left for later. */
TEST(alert, waves_whole)
{
  alert_world w;
  const char *config;
  alert_open(&w, false);
  config = alert_watch(&w, "HOST_DOWN", "", 0);
  alert_drills(&w, 32);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 32);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"enabled\":false}", "/groups/%s/alertConfigs/%s", w.group, config), ==, 200);
  munit_assert_size(probe_records(w.t.s, "eawav"), ==, 0);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 0);
  munit_assert_int(alert_count(&w, ""), ==, 32);
  munit_assert_string_equal(t_str(&w.t, "results[31].status"), "CANCELLED");
  alert_close(&w);
}

/* Of several notifications, the one with the shortest delay decides when the alert is open. */
TEST(alert, delays)
{
  alert_world w;
  alert_open(&w, false);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"enabled\":true,\"eventTypeName\":\"HOST_DOWN\",\"notifications\":[{\"typeName\":\"GROUP\",\"delayMin\":10},"
                           "{\"typeName\":\"GROUP\",\"delayMin\":5},{\"typeName\":\"GROUP\",\"delayMin\":7}]}", "/groups/%s/alertConfigs", w.group), ==, 201);
  alert_drill(&w, "a");
  t_advance(&w.t, 299);
  munit_assert_int(alert_count(&w, "TRACKING"), ==, 1);
  t_advance(&w.t, 1);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  alert_close(&w);
}

/* Built without waves: all alerts open and close at once. */
TEST(alert, waves_left_out)
{
  static const char *const without[] = { "alert wave", NULL };
  alert_world w;
  const char *config, *drill;
  t_without(without);
  alert_open(&w, false);
  alert_watch_many(&w, 70);
  drill = alert_drill(&w, "a");
  munit_assert_size(probe_records(w.t.s, "ealrt"), ==, 70);
  munit_assert_size(probe_records(w.t.s, "eawav"), ==, 0);
  alert_drilled(&w, drill);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 0);
  munit_assert_int(alert_count(&w, "CLOSED"), ==, 70);
  w.group = w.other; /* a project with 40 alerts of one configuration */
  config = alert_watch(&w, "HOST_DOWN", "", 0);
  alert_drills(&w, 40);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/alertConfigs/%s", w.group, config), ==, 204);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 0);
  munit_assert_int(alert_count(&w, ""), ==, 40);
  munit_assert_string_equal(t_str(&w.t, "results[0].status"), "CANCELLED");
  store_whole(w.t.s);
  alert_close(&w);
  t_without(NULL);
}

static void alert_run(alert_world *w, bool (*work)(svc_job *job, svc_txn *txn))
{
  alert_twice twice;
  memset(&twice, 0, sizeof twice);
  twice.job.work = work;
  twice.job.now = w->t.now;
  twice.s = w->t.s;
  munit_assert_true(svc_id_parse(svc_str_c(w->group), &twice.group));
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s", w->group), ==, 200);
  munit_assert_true(svc_id_parse(svc_str_c(t_str(&w->t, "orgId")), &twice.org));
  munit_assert_int(svc_commit_run(&w->t.s->commit, &twice.job), ==, SVC_OK);
}

TEST(alert, ports)
{
  alert_world w;
  alert_open(&w, false);
  alert_watch(&w, "HOST_DOWN", ",\"matchers\":[{\"fieldName\":\"HOSTNAME_AND_PORT\",\"operator\":\"EQUALS\",\"value\":\"a:27018\"}]", 0);
  alert_watch(&w, "HOST_DOWN", ",\"matchers\":[{\"fieldName\":\"PORT\",\"operator\":\"EQUALS\",\"value\":\"27017\"}]", 0);
  alert_run(&w, alert_ports_work);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].hostnameAndPort"), "a:27018");
  alert_close(&w);
}

TEST(alert, waves_in_order)
{
  alert_world w;
  alert_open(&w, true);
  alert_watch_many(&w, 40);
  alert_run(&w, alert_twice_work);
  munit_assert_size(probe_records(w.t.s, "eawav"), ==, 3);
  t_reopen(&w.t, &w.config);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 40);
  munit_assert_string_equal(t_str(&w.t, "results[0].hostnameAndPort"), "b:");
  munit_assert_int(alert_count(&w, "CLOSED"), ==, 40);
  munit_assert_size(probe_records(w.t.s, "eawav"), ==, 0);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202);
  store_whole(w.t.s);
  alert_close(&w);
}

/* ---------------------------------------------------------------------------------------------------------------- metrics */

#define ALERT_OVER(at) \
  ",\"metricThreshold\":{\"metricName\":\"CONNECTIONS\",\"operator\":\"GREATER_THAN\",\"threshold\":" at "},\"matchers\":[{\"fieldName\":" \
  "\"TYPE_NAME\",\"operator\":\"EQUALS\",\"value\":\"PRIMARY\"}]"

static size_t alert_rounds_due(svc *s)
{
  probe_walk walk;
  size_t n = 0;
  for (probe_walk_begin(&walk, s, "d"); probe_walk_next(&walk);) n += memcmp(walk.key.p + 9, "arnd", 4) == 0;
  return n;
}

TEST(alert, metrics)
{
  alert_world w;
  const char *config, *host, *alert;
  alert_open(&w, true);
  munit_assert_int(t_sendf(&w.t, "POST", PROBE_CLUSTER("Cluster0", "M10"), "/groups/%s/clusters", w.group), ==, 201);
  t_advance(&w.t, 3600);
  munit_assert_size(probe_records(w.t.s, "earnd"), ==, 0); /* nothing is measured without a configuration */
  config = alert_watch(&w, "OUTSIDE_METRIC_THRESHOLD", ALERT_OVER("-1"), 5);
  munit_assert_size(alert_rounds_due(w.t.s), ==, 1);
  t_advance(&w.t, 59);
  munit_assert_int(alert_count(&w, ""), ==, 0);
  t_advance(&w.t, 1);
  munit_assert_int(alert_count(&w, "TRACKING"), ==, 1); /* only the primary of the three nodes */
  alert = alert_keep(t_str(&w.t, "results[0].id"));
  host = t_keep(&w.t, t_str(&w.t, "results[0].hostnameAndPort"));
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "Cluster0");
  munit_assert_size(strlen(t_str(&w.t, "results[0].clusterId")), ==, 24);
  munit_assert_true(strncmp(t_str(&w.t, "results[0].userAlias"), "cluster0-shard-00-", 18) == 0);
  munit_assert_string_equal(t_str(&w.t, "results[0].metricName"), "CONNECTIONS");
  munit_assert_string_equal(t_str(&w.t, "results[0].currentValue.units"), "RAW");
  munit_assert_string_not_equal(t_str(&w.t, "results[0].replicaSetName"), "");
  /* the value equals the measurement of the process */
  {
    double shown, measured;
    munit_assert_true(svc_json_number_double(svc_str_c(t_str(&w.t, "results[0].currentValue.number")), &shown));
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/processes/%s/measurements?granularity=PT1M&period=PT1M&m=CONNECTIONS", w.group, host), ==, 200);
    munit_assert_true(svc_json_number_double(svc_str_c(t_str(&w.t, "measurements[0].dataPoints[1].value")), &measured));
    munit_assert_double_equal(shown, measured, 9);
  }
  t_reopen(&w.t, &w.config);
  t_advance(&w.t, 240);
  munit_assert_int(alert_count(&w, "TRACKING"), ==, 1);
  t_advance(&w.t, 60);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].id"), alert);
  /* an event is written, with its target; the event itself opens no alert */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=OUTSIDE_METRIC_THRESHOLD", w.group), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].alertId"), alert);
  munit_assert_string_equal(t_str(&w.t, "results[0].alertConfigId"), config);
  munit_assert_string_equal(t_str(&w.t, "results[0].clusterName"), "Cluster0");
  munit_assert_string_equal(t_str(&w.t, "results[0].metricName"), "CONNECTIONS");
  munit_assert_string_equal(t_str(&w.t, "results[0].currentValue.units"), "RAW");
  munit_assert_int((int)t_int(&w.t, "results[0].port"), ==, 27017);
  munit_assert_string_equal(t_str(&w.t, "results[0].created"), "2025-06-01T01:06:00Z");
  munit_assert_int(alert_count(&w, ""), ==, 1);
  /* a long time without requests: one round */
  t_advance(&w.t, 30 * 86400);
  t_reads_taken();
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "PUT", "{\"enabled\":true,\"eventTypeName\":\"OUTSIDE_METRIC_THRESHOLD\",\"metricThreshold\":{\"metricName\":"
                           "\"CONNECTIONS\",\"operator\":\"GREATER_THAN\",\"threshold\":1000000},\"notifications\":[{\"typeName\":\"GROUP\"}]}",
                           "/groups/%s/alertConfigs/%s", w.group, config), ==, 200);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1); /* until the next round */
  t_advance(&w.t, 60);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 0);
  munit_assert_int(alert_count(&w, "CLOSED"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=INSIDE_METRIC_THRESHOLD", w.group), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].alertId"), alert);
  alert_watch(&w, "OUTSIDE_METRIC_THRESHOLD", ALERT_OVER("-1"), 0);
  t_advance(&w.t, 60);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/Cluster0", w.group), ==, 202);
  t_advance(&w.t, 600);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 0); /* the cluster is deleted */
  t_advance(&w.t, 600);
  alert_count(&w, "");
  munit_assert_size(alert_rounds_due(w.t.s), ==, 0); /* no due step is scheduled */
  munit_assert_int(t_sendf(&w.t, "POST", PROBE_CLUSTER("Cluster1", "M10"), "/groups/%s/clusters", w.group), ==, 201);
  t_advance(&w.t, 600);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1); /* the rounds continue */
  store_whole(w.t.s);
  alert_close(&w);
}

/* --------------------------------------------------------------------------------------------------------------- delivery */

typedef struct alert_said {
  int says, n;
  svc_notification last; /* its strings are no longer valid; the copies are in the next members */
  char id[32], kind[32], alert[32], status[32], target[512], text[1024], secrets[512];
  int secrets_rc;
} alert_said;

static int alert_notify(void *context, svc *s, const svc_notification *n)
{
  alert_said *said = context;
  size_t room = sizeof said->secrets;
  said->n++;
  said->last = *n;
  snprintf(said->id, sizeof said->id, "%s", n->id);
  snprintf(said->kind, sizeof said->kind, "%s", n->kind);
  snprintf(said->alert, sizeof said->alert, "%s", n->alert_id);
  snprintf(said->status, sizeof said->status, "%s", n->status);
  snprintf(said->target, sizeof said->target, "%s", n->target);
  snprintf(said->text, sizeof said->text, "%s", n->alert);
  munit_assert_size(strlen(n->alert), ==, n->alert_length);
  munit_assert_size(strlen(n->target), ==, n->target_length);
  said->secrets[0] = 0;
  said->secrets_rc = svc_order_secrets(s, n->id, said->secrets, &room);
  return said->says;
}

static void alert_open_telling(alert_world *w, alert_said *said)
{
  memset(said, 0, sizeof *said);
  alert_open(w, true);
  w->config.notify = alert_notify;
  w->config.notify_context = said;
  t_reopen(&w->t, &w->config);
}

/* Checks that this many more notifications arrive after this many seconds. */
static void alert_told(alert_world *w, alert_said *said, int seconds, int more)
{
  int before = said->n;
  t_advance(&w->t, seconds);
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  munit_assert_int(said->n - before, ==, more);
}

#define ALERT_TWO \
  "{\"enabled\":true,\"eventTypeName\":\"HOST_DOWN\",\"notifications\":[{\"typeName\":\"SLACK\",\"apiToken\":\"secret-slack-token\"," \
  "\"channelName\":\"c\",\"delayMin\":2,\"intervalMin\":10},{\"typeName\":\"EMAIL\",\"emailAddress\":\"a@example.com\",\"delayMin\":5}]}"

TEST(alert, delivery)
{
  static alert_said said;
  alert_world w;
  const char *drill, *alert;
  alert_open_telling(&w, &said);
  munit_assert_int(t_sendf(&w.t, "POST", ALERT_TWO, "/groups/%s/alertConfigs", w.group), ==, 201);
  drill = alert_drill(&w, "a");
  alert_told(&w, &said, 119, 0);
  alert_told(&w, &said, 1, 1);
  munit_assert_string_equal(said.kind, "SLACK");
  munit_assert_string_equal(said.status, "OPEN");
  munit_assert_int(said.last.attempt, ==, 1);
  munit_assert_int(said.secrets_rc, ==, SVC_OK);
  munit_assert_string_equal(said.secrets, "{\"apiToken\":\"secret-slack-token\"}");
  munit_assert_null(strstr(said.target, "secret-"));
  munit_assert_not_null(strstr(said.text, "\"eventTypeName\":\"HOST_DOWN\""));
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  alert = alert_keep(t_str(&w.t, "results[0].id"));
  munit_assert_string_equal(said.alert, alert);
  munit_assert_string_equal(t_str(&w.t, "results[0].lastNotified"), "2025-06-01T00:02:00Z");
  alert_told(&w, &said, 180, 1); /* after five minutes: the other notification, once */
  munit_assert_string_equal(said.kind, "EMAIL");
  munit_assert_string_equal(said.secrets, "{}");
  alert_told(&w, &said, 420, 1); /* after twelve minutes: the first one again */
  munit_assert_string_equal(said.kind, "SLACK");
  alert_told(&w, &said, 7 * 86400, 1); /* a week later: once, not a thousand times */
  /* an acknowledged alert sends no notification until the acknowledgement ends */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"acknowledgedUntil\":\"2025-06-09T00:00:00Z\"}", "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  alert_told(&w, &said, 3600, 0);
  t_reopen(&w.t, &w.config);
  alert_told(&w, &said, 86400, 1);
  /* if the acknowledgement ends earlier, the notification that waited for its end follows, and then each interval */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"acknowledgedUntil\":\"2037-01-01T00:00:00Z\"}", "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  alert_told(&w, &said, 3600, 0);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"acknowledgedUntil\":\"2036-01-01T00:00:00Z\"}", "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  alert_told(&w, &said, 3600, 0);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"unacknowledgeAlert\":true}", "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  alert_told(&w, &said, 0, 1);
  alert_told(&w, &said, 600, 1);
  /* busy: the same notification comes again after a growing wait, also to another handle */
  said.says = SVC_BUSY;
  alert_told(&w, &said, 600, 1);
  munit_assert_int(said.last.attempt, ==, 1);
  alert_told(&w, &said, 1, 1);
  munit_assert_int(said.last.attempt, ==, 2);
  alert_told(&w, &said, 1, 0);
  t_reopen(&w.t, &w.config);
  said.says = SVC_OK;
  {
    const char *id = alert_keep(said.id);
    alert_told(&w, &said, 1, 1);
    munit_assert_string_equal(said.id, id);
    munit_assert_int(said.last.attempt, ==, 3);
  }
  alert_told(&w, &said, 1, 0);
  munit_assert_size(probe_records(w.t.s, "eanot"), ==, 0);
  /* refused: the notification is logged and deleted */
  said.says = SVC_IO;
  alert_told(&w, &said, 600, 1);
  munit_assert_not_null(strstr(w.t.log, "has failed"));
  alert_told(&w, &said, 60, 0);
  munit_assert_size(probe_records(w.t.s, "eanot"), ==, 0);
  munit_assert_size(probe_records(w.t.s, "o"), ==, 0);
  /* closed: both receivers are notified, once */
  said.says = SVC_OK;
  alert_drilled(&w, drill);
  alert_told(&w, &said, 0, 2);
  munit_assert_string_equal(said.status, "CLOSED");
  alert_told(&w, &said, 86400, 0);
  /* no notification for an alert that ended before its delay passed */
  alert_drilled(&w, alert_drill(&w, "b"));
  alert_told(&w, &said, 86400, 0);
  store_whole(w.t.s);
  alert_close(&w);
}

/* The receivers of a waiting notification are those of the configuration at the time of sending: possibly fewer or none, with the
** secrets stored then. */
TEST(alert, told_later)
{
  static alert_said said;
  alert_world w;
  const char *config, *drill;
  alert_open_telling(&w, &said);
  munit_assert_int(t_sendf(&w.t, "POST", ALERT_TWO, "/groups/%s/alertConfigs", w.group), ==, 201);
  config = alert_keep(t_str(&w.t, "id"));
  drill = alert_drill(&w, "a");
  alert_told(&w, &said, 120, 1);
  munit_assert_int(t_sendf(&w.t, "PUT", "{\"enabled\":true,\"eventTypeName\":\"HOST_DOWN\",\"notifications\":[{\"typeName\":\"EMAIL\","
                           "\"emailAddress\":\"b@example.com\",\"delayMin\":0,\"intervalMin\":10}]}", "/groups/%s/alertConfigs/%s", w.group, config), ==, 200);
  alert_told(&w, &said, 180, 0); /* the second notification was removed */
  alert_told(&w, &said, 420, 1); /* the first one was replaced */
  munit_assert_string_equal(said.kind, "EMAIL");
  munit_assert_not_null(strstr(said.target, "b@example.com"));
  w.config.notify = NULL; /* for a while the host has no notify function */
  t_reopen(&w.t, &w.config);
  alert_told(&w, &said, 3600, 0);
  w.config.notify = alert_notify;
  t_reopen(&w.t, &w.config);
  alert_told(&w, &said, 3600, 0); /* missed notifications are not sent later */
  alert_drilled(&w, drill);
  /* with the secret of the project's integration, if the notification has none of its own */
  munit_assert_int(t_sendf(&w.t, "POST", "{\"type\":\"PAGER_DUTY\",\"serviceKey\":\"0123456789abcdef0123456789abcdef\",\"region\":\"US\"}",
                           "/groups/%s/integrations/PAGER_DUTY", w.group), ==, 201);
  munit_assert_int(t_sendf(&w.t, "PUT", "{\"enabled\":true,\"eventTypeName\":\"HOST_DOWN\",\"notifications\":[{\"typeName\":\"PAGER_DUTY\","
                           "\"delayMin\":0}]}", "/groups/%s/alertConfigs/%s", w.group, config), ==, 200);
  drill = alert_drill(&w, "b");
  alert_told(&w, &said, 0, 1);
  munit_assert_string_equal(said.kind, "PAGER_DUTY");
  munit_assert_not_null(strstr(said.secrets, "0123456789abcdef0123456789abcdef"));
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/alertConfigs/%s", w.group, config), ==, 204);
  alert_told(&w, &said, 3600, 0);
  alert_drilled(&w, drill);
  alert_told(&w, &said, 3600, 0); /* the alert was cancelled: no notification */
  store_whole(w.t.s);
  alert_close(&w);
}

/* Users who left the organization and deleted teams get no more notifications, neither new ones nor waiting ones. */
TEST(alert, left)
{
  static alert_said said;
  alert_world w;
  const char *org, *user, *team;
  char body[512];
  alert_open_telling(&w, &said);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s", w.group), ==, 200);
  org = alert_keep(t_str(&w.t, "orgId"));
  snprintf(body, sizeof body, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", org);
  user = t_user(&w.t, "leaver@example.com", body);
  t_user(&w.t, "stays@example.com", body);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"Watch\",\"usernames\":[\"stays@example.com\"]}", "/orgs/%s/teams", org), ==, 201);
  team = alert_keep(t_str(&w.t, "id"));
  snprintf(body, sizeof body, "{\"enabled\":true,\"eventTypeName\":\"HOST_DOWN\",\"notifications\":[{\"typeName\":\"USER\",\"username\":"
           "\"leaver@example.com\",\"emailEnabled\":true,\"delayMin\":0,\"intervalMin\":10},{\"typeName\":\"TEAM\",\"teamId\":\"%s\","
           "\"emailEnabled\":true,\"delayMin\":0,\"intervalMin\":10}]}", team);
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/alertConfigs", w.group), ==, 201);
  alert_drill(&w, "a");
  alert_told(&w, &said, 0, 2);
  said.says = SVC_BUSY;
  alert_told(&w, &said, 600, 2); /* both wait for a retry */
  said.says = SVC_OK;
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/users/%s", org, user), ==, 204);
  alert_told(&w, &said, 60, 1); /* the team's */
  munit_assert_string_equal(said.kind, "TEAM");
  alert_told(&w, &said, 600, 1);
  munit_assert_string_equal(said.kind, "TEAM");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/teams/%s", org, team), ==, 204);
  alert_told(&w, &said, 3600, 0);
  munit_assert_size(probe_records(w.t.s, "eanot"), ==, 0);
  store_whole(w.t.s);
  alert_close(&w);
}

/* A momentary event is notified once, after its delay. Without a notify function no notice is stored; waiting ones are deleted. */
TEST(alert, undelivered)
{
  static alert_said said;
  alert_world w;
  alert_open_telling(&w, &said);
  alert_watch(&w, "NETWORK_PERMISSION_ENTRY_ADDED", "", 5);
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"10.0.0.1\"}]", "/groups/%s/accessList", w.group), ==, 201);
  alert_told(&w, &said, 299, 0);
  alert_told(&w, &said, 1, 1);
  munit_assert_string_equal(said.status, "CLOSED");
  alert_told(&w, &said, 86400, 0);
  said.says = SVC_BUSY;
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"10.0.0.2\"}]", "/groups/%s/accessList", w.group), ==, 201);
  alert_told(&w, &said, 300, 1);
  munit_assert_size(probe_records(w.t.s, "eanot"), ==, 1);
  t_advance(&w.t, 2 * 86400);
  munit_assert_int(alert_count(&w, ""), ==, 2);
  munit_assert_size(probe_records(w.t.s, "eanot"), ==, 0); /* kept for one day at most */
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"10.0.0.3\"}]", "/groups/%s/accessList", w.group), ==, 201);
  alert_told(&w, &said, 300, 1);
  w.config.notify = NULL;
  t_reopen(&w.t, &w.config);
  munit_assert_size(probe_records(w.t.s, "o"), ==, 0);
  t_advance(&w.t, 60);
  munit_assert_int(alert_count(&w, ""), ==, 3);
  munit_assert_size(probe_records(w.t.s, "eanot"), ==, 0);
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"10.0.0.4\"}]", "/groups/%s/accessList", w.group), ==, 201);
  t_advance(&w.t, 3600);
  munit_assert_int(alert_count(&w, ""), ==, 4);
  munit_assert_null(t_node(&w.t, "results[3].lastNotified"));
  store_whole(w.t.s);
  alert_close(&w);
}

/* A project moves to another organization with its alerts. The alerts and later notifications show the new organization. */
TEST(alert, moved)
{
  static alert_said said;
  alert_world w;
  const char *other, *alert, *drill;
  char body[64], shown[48];
  alert_open_telling(&w, &said);
  alert_watch(&w, "HOST_DOWN", "", 0);
  drill = alert_drill(&w, "a");
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  alert = alert_keep(t_str(&w.t, "results[0].id"));
  said.says = SVC_BUSY; /* a notice waits */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_size(probe_records(w.t.s, "eanot"), ==, 1);
  other = alert_keep(t_organization(&w.t, "Beta"));
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", other);
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s:migrate", w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "orgId"), other);
  said.says = SVC_OK;
  alert_told(&w, &said, 60, 1);
  snprintf(shown, sizeof shown, "\"orgId\":\"%s\"", other);
  munit_assert_not_null(strstr(said.text, shown));
  alert_drilled(&w, drill);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alerts/%s", w.group, alert), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "orgId"), other);
  munit_assert_string_equal(t_str(&w.t, "status"), "CLOSED");
  alert_drill(&w, "b");
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].orgId"), other); /* the configuration's organization, which moved as well */
  store_whole(w.t.s);
  alert_close(&w);
}

/* Creates a project with unchanged defaults. All later requests are about it. Returns the id of the configuration that watches
** HOST_DOWN. */
static const char *alert_default_project(alert_world *w, const char *org)
{
  char body[128];
  snprintf(body, sizeof body, "{\"name\":\"defaults\",\"orgId\":\"%s\"}", org);
  munit_assert_int(t_send(&w->t, "POST", "/groups", body), ==, 201);
  w->group = alert_keep(t_str(&w->t, "id"));
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/alertConfigs", w->group), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "results[1].eventTypeName"), "HOST_DOWN");
  return alert_keep(t_str(&w->t, "results[1].id"));
}

/* Checks that the alert and its configuration refer to each other. */
static void alert_leads(alert_world *w, const char *alert, const char *config)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/alerts/%s", w->group, alert), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "alertConfigId"), config);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/alerts/%s/alertConfigs", w->group, alert), ==, 200);
  munit_assert_int((int)t_int(&w->t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w->t, "results[0].id"), config);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/alertConfigs/%s/alerts", w->group, config), ==, 200);
  munit_assert_int((int)t_int(&w->t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w->t, "results[0].id"), alert);
}

/* A default configuration opens an alert and notifies, from the table and when stored, also after the project moved to another
** organization. */
TEST(alert, by_default)
{
  static alert_said said;
  alert_world w;
  const char *org, *other, *config, *first, *drill, *alert;
  char body[64], list[2048];
  alert_open_telling(&w, &said);
  org = alert_keep(t_organization(&w.t, "Gamma"));
  other = alert_keep(t_organization(&w.t, "Beta"));
  config = alert_default_project(&w, org);
  first = alert_keep(t_str(&w.t, "results[0].id"));
  drill = alert_drill(&w, "a");
  munit_assert_int(alert_count(&w, "TRACKING"), ==, 1);
  alert = alert_keep(t_str(&w.t, "results[0].id"));
  alert_leads(&w, alert, config);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alerts/%s/alertConfigs", w.group, alert), ==, 200);
  snprintf(list, sizeof list, "%s", w.t.response.body);
  alert_told(&w, &said, 15 * 60 - 1, 0);
  alert_told(&w, &said, 1, 1);
  munit_assert_string_equal(said.kind, "GROUP");
  munit_assert_string_equal(said.alert, alert);
  munit_assert_string_equal(said.secrets, "{}");
  munit_assert_int(said.secrets_rc, ==, SVC_OK);
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", other);
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s:migrate", w.group), ==, 200);
  alert_told(&w, &said, 3600, 1);
  munit_assert_size(probe_records(w.t.s, "eacfg"), ==, 0);
  /* another default is changed: the watching one is stored from here on */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"enabled\":false}", "/groups/%s/alertConfigs/%s", w.group, first), ==, 200);
  munit_assert_size(probe_all_in(w.t.s, "acfg", w.group, other), ==, 8);
  alert_leads(&w, alert, config);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/alerts/%s/alertConfigs", w.group, alert), ==, 200);
  munit_assert_string_equal(w.t.response.body, list);
  alert_told(&w, &said, 3600, 1);
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  alert_drilled(&w, drill);
  munit_assert_int(alert_count(&w, "CLOSED"), ==, 1);
  alert_drill(&w, "b");
  munit_assert_int(alert_count(&w, "TRACKING"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].orgId"), other);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/alertConfigs/%s", w.group, config), ==, 204);
  munit_assert_int(alert_count(&w, "TRACKING"), ==, 0);
  store_whole(w.t.s);
  alert_close(&w);
}

/* A change that stores the defaults also closes the alert of the configuration that it disables or deletes. */
TEST(alert, default_ends)
{
  static const char *const bodies[] = { "{\"enabled\":false}", NULL };
  alert_world w;
  size_t i;
  for (i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    const char *config, *drill;
    alert_open(&w, false);
    config = alert_default_project(&w, t_organization(&w.t, "Gamma"));
    drill = alert_drill(&w, "a");
    munit_assert_int(alert_count(&w, "TRACKING"), ==, 1);
    alert_drilled(&w, drill);
    munit_assert_int(alert_count(&w, "CLOSED"), ==, 1); /* closed by the event, with the configuration from the table */
    alert_drill(&w, "a");
    munit_assert_int(alert_count(&w, "TRACKING"), ==, 1);
    munit_assert_size(probe_records(w.t.s, "eacfg"), ==, 0);
    munit_assert_int(t_sendf(&w.t, bodies[i] ? "PATCH" : "DELETE", bodies[i], "/groups/%s/alertConfigs/%s", w.group, config), ==, bodies[i] ? 200 : 204);
    munit_assert_int(alert_count(&w, "TRACKING"), ==, 0);
    alert_drill(&w, "b");
    munit_assert_int(alert_count(&w, ""), ==, 2); /* no configuration watches any more */
    store_whole(w.t.s);
    alert_close(&w);
  }
}

/* A notice whose record has lost its organization is still sent. */
TEST(alert, told_damaged)
{
  static alert_said said;
  alert_world w;
  alert_open_telling(&w, &said);
  alert_watch(&w, "HOST_DOWN", "", 5);
  alert_drill(&w, "a");
  munit_assert_int(alert_count(&w, "TRACKING"), ==, 1);
  damaged_body(&w.t, "alert", w.group, NULL, "\"orgId\":", "\"ogrId\":");
  alert_told(&w, &said, 300, 1);
  munit_assert_null(strstr(said.text, "\"orgId\""));
  munit_assert_not_null(strstr(said.text, "\"eventTypeName\":\"HOST_DOWN\""));
  munit_assert_string_equal(said.status, "OPEN");
  alert_close(&w);
}

/* ----------------------------------------------------------------------------------------------------------------- driver */

static void alert_measure(alert_world *w, t_driver *d, const char *value)
{
  char facts[256];
  snprintf(facts, sizeof facts, "{\"figures\":[{\"host\":\"h1.example:27017\",\"metricName\":\"CONNECTIONS\",\"value\":%s}]}", value);
  t_driver_finish(d, w->t.s, "metrics.measure", SVC_OK, facts);
}

TEST(alert, driven)
{
  static t_driver d;
  alert_world w;
  alert_open(&w, true);
  w.config.driver = alert_driver(&d);
  t_reopen(&w.t, &w.config);
  alert_watch(&w, "OUTSIDE_METRIC_THRESHOLD", ALERT_OVER("100"), 0);
  munit_assert_int(t_sendf(&w.t, "POST", PROBE_CLUSTER("Cluster0", "M10"), "/groups/%s/clusters", w.group), ==, 201);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  t_advance(&w.t, 60);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(t_driver_count(&d, "metrics.measure"), ==, 1);
  munit_assert_string_equal(t_driver_order(&d, "metrics.measure")->desired, "{\"figures\":[{\"host\":\"h1.example:27017\",\"metricName\":\"CONNECTIONS\",\"units\":\"SCALAR\"}]}");
  t_advance(&w.t, 60); /* a measurement is in progress: no other order */
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(t_driver_count(&d, "metrics.measure"), ==, 1);
  alert_measure(&w, &d, "100.5");
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].currentValue.number"), "100.5");
  t_advance(&w.t, 60);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(t_driver_count(&d, "metrics.measure"), ==, 2);
  alert_measure(&w, &d, "null"); /* the driver does not know: nothing changes */
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  t_advance(&w.t, 60);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  alert_measure(&w, &d, "100");
  munit_assert_int(alert_count(&w, "OPEN"), ==, 0);
  alert_close(&w);
}

/* Removing an acknowledgement that does not exist changes nothing and writes no event, also with other fields in the body. */
TEST(alert, unacknowledged)
{
  static const char *const bodies[] = { "{\"acknowledgedUntil\":null}", "{\"unacknowledgeAlert\":true}", "{\"acknowledgedUntil\":\"2025-05-01T00:00:00Z\"}",
                                        "{\"acknowledgedUntil\":null,\"acknowledgementComment\":\"never mind\"}" };
  alert_world w;
  const char *alert;
  size_t i;
  alert_open(&w, false);
  alert_watch(&w, "HOST_DOWN", "", 0);
  alert_drill(&w, "a");
  munit_assert_int(alert_count(&w, "OPEN"), ==, 1);
  alert = alert_keep(t_str(&w.t, "results[0].id"));
  for (i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    munit_assert_int(t_sendf(&w.t, "PATCH", bodies[i], "/groups/%s/alerts/%s", w.group, alert), ==, 200);
    munit_assert_null(t_node(&w.t, "acknowledgementComment"));
    munit_assert_null(t_node(&w.t, "acknowledgedUntil"));
  }
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?eventType=ALERT_UNACKNOWLEDGED_AUDIT", w.group), ==, 200);
  munit_assert_int((int)t_int(&w.t, "totalCount"), ==, 0);
  alert_close(&w);
}

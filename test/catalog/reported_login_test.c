/*
** Measurements and logins that a driver reports: series, alerts and the access history show them, and rings limit
** their number.
** Tests also: reported_measurement
*/
#include "driver.h"
#include "damaged.h"
#include "mechanism/probe.h"
#include "catalog/cluster/metric_list.h"

#define REPORTED_HOSTS "{\"hosts\":[\"a.example:1\",\"b.example:2\"],\"ssl\":false}"
#define MEASURED(host, value, more) "{\"host\":\"" host "\",\"metric\":\"CONNECTIONS\",\"value\":" value more "}"
#define TRIED(user, host, address, success, more) \
  "{\"user\":\"" user "\",\"host\":\"" host "\",\"address\":\"" address "\",\"success\":" success more "}"

/* The driver creates clusters, answers no questions, and never finishes an order to measure. */
typedef struct reported_world {
  t_place p;
  t_driver d;
  char id[25], other[25], stranger[25]; /* the cluster, another project, and a cluster of the same name in it */
} reported_world;

static void reported_open_on(reported_world *w, const svc_store_port *store)
{
  svc_config config = { .limiter_off = 1, .driver = t_driver_init(&w->d), .store = store };
  t_driver_does(&w->d, "", NULL);
  t_driver_does(&w->d, "cluster.", REPORTED_HOSTS);
  t_place_open(&w->p, &config, "alpha", PROBE_CLUSTER("Main", "M10"));
  munit_assert_int(t_sendf(&w->p.t, "GET", NULL, "/groups/%s/clusters/Main", w->p.group), ==, 200);
  snprintf(w->id, sizeof w->id, "%s", t_str(&w->p.t, "id"));
  snprintf(w->other, sizeof w->other, "%s", t_project(&w->p.t, w->p.org, "beta"));
  munit_assert_int(t_sendf(&w->p.t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", w->other), ==, 201);
  snprintf(w->stranger, sizeof w->stranger, "%s", t_str(&w->p.t, "id"));
  munit_assert_int(svc_tick(w->p.t.s), ==, SVC_OK);
}

static void reported_open(reported_world *w)
{
  reported_open_on(w, NULL);
}

static void reported_tell(reported_world *w, const char *facts)
{
  if (svc_report(w->p.t.s, "cluster", w->id, facts) != SVC_OK) munit_errorf("%s: %s", facts, w->p.t.log);
}

/* Returns the values of the series of connections in the last `period`, each followed by a space. */
static const char *reported_series(reported_world *w, const char *group, const char *process, const char *granularity, const char *period)
{
  static char text[4096];
  char path[64];
  size_t i, n = 0;
  munit_assert_int(t_sendf(&w->p.t, "GET", NULL, "/groups/%s/processes/%s/measurements?m=CONNECTIONS&granularity=%s&period=%s", group, process, granularity,
                           period), ==, 200);
  text[0] = 0;
  for (i = 0; i < t_count(&w->p.t, "measurements[0].dataPoints"); i++) {
    const char *value;
    snprintf(path, sizeof path, "measurements[0].dataPoints[%zu].value", i);
    value = t_str(&w->p.t, path);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s ", value[0] ? value : "null");
  }
  return text;
}

TEST(reported_login, series)
{
  static reported_world w;
  reported_open(&w);
  t_advance(&w.p.t, 3600);
  munit_assert_string_equal(reported_series(&w, w.p.group, "a.example:1", "PT1M", "PT3M"), "null null null null ");
  reported_tell(&w, "{\"measurements\":[" MEASURED("a.example:1", "3", ",\"at\":\"2025-06-01T00:57:30Z\"") "," MEASURED("a.example:1", "4.5", "") ","
                    MEASURED("b.example", "7", "") "]}");
  munit_assert_string_equal(reported_series(&w, w.p.group, "a.example:1", "PT1M", "PT3M"), "3 null null 4.5 ");
  munit_assert_string_equal(reported_series(&w, w.p.group, "b.example:2", "PT1M", "PT3M"), "null null null 7 ");
  munit_assert_string_equal(reported_series(&w, w.p.group, "a.example:1", "PT5M", "PT10M"), "null 3 4.5 ");
  t_advance(&w.p.t, 20);
  reported_tell(&w, "{\"measurements\":[" MEASURED("a.example:1", "5", "") "]}"); /* in the same minute: the later value counts */
  munit_assert_string_equal(reported_series(&w, w.p.group, "a.example:1", "PT1M", "PT1M"), "5 ");
  /* a time in the future counts as now, since clocks differ */
  reported_tell(&w, "{\"measurements\":[" MEASURED("a.example:1", "6", ",\"at\":\"2199-01-01T00:00:00Z\"") "]}");
  munit_assert_string_equal(reported_series(&w, w.p.group, "a.example:1", "PT1M", "PT1M"), "6 ");
  /* a cluster of the same name in another project */
  munit_assert_string_equal(reported_series(&w, w.other, "a.example:1", "PT1M", "PT1M"), "null ");

  t_driver_answers(&w.d, "series", "{\"series\":{\"CONNECTIONS\":[1]}}"); /* the driver's own answer has priority */
  munit_assert_string_equal(reported_series(&w, w.p.group, "a.example:1", "PT1M", "PT1M"), "1 ");
  t_driver_answers(&w.d, "series", "{}");
  damaged_body(&w.p.t, "reported measurement", w.id, NULL, "\"values\":[", "\"salues\":[");
  munit_assert_int(t_sendf(&w.p.t, "GET", NULL, "/groups/%s/processes/a.example:1/measurements?granularity=PT1M&period=PT1M", w.p.group), ==, 200);
  t_close(&w.p.t);
}

static int reported_alerts(reported_world *w, const char *group)
{
  t_advance(&w->p.t, 60);
  munit_assert_int(svc_tick(w->p.t.s), ==, SVC_OK);
  munit_assert_int(t_sendf(&w->p.t, "GET", NULL, "/groups/%s/alerts?status=OPEN", group), ==, 200);
  return (int)t_int(&w->p.t, "totalCount");
}

/* An alert from reports alone: the driver accepts the order to measure, and never finishes it. */
TEST(reported_login, alert)
{
  static const char watch[] = "{\"enabled\":true,\"eventTypeName\":\"OUTSIDE_METRIC_THRESHOLD\",\"metricThreshold\":{\"metricName\":\"CONNECTIONS\","
                              "\"operator\":\"GREATER_THAN\",\"threshold\":100},\"notifications\":[{\"typeName\":\"GROUP\",\"delayMin\":0,\"intervalMin\":5}]}";
  static reported_world w;
  reported_open(&w);
  munit_assert_int(t_sendf(&w.p.t, "POST", watch, "/groups/%s/alertConfigs", w.p.group), ==, 201);
  munit_assert_int(t_sendf(&w.p.t, "POST", watch, "/groups/%s/alertConfigs", w.other), ==, 201);
  munit_assert_int(reported_alerts(&w, w.p.group), ==, 0);
  reported_tell(&w, "{\"measurements\":[" MEASURED("a.example:1", "100.5", "") "," MEASURED("b.example:2", "99", "") "]}");
  munit_assert_int(reported_alerts(&w, w.p.group), ==, 1);
  munit_assert_string_equal(t_str(&w.p.t, "results[0].hostnameAndPort"), "a.example:1");
  munit_assert_string_equal(t_str(&w.p.t, "results[0].currentValue.number"), "100.5");
  munit_assert_int(reported_alerts(&w, w.other), ==, 0);
  reported_tell(&w, "{\"measurements\":[" MEASURED("a.example:1", "100", "") "]}");
  munit_assert_int(reported_alerts(&w, w.p.group), ==, 0);
  /* an older value changes nothing */
  reported_tell(&w, "{\"measurements\":[" MEASURED("a.example:1", "500", ",\"at\":\"2025-06-01T00:00:00Z\"") "]}");
  munit_assert_int(reported_alerts(&w, w.p.group), ==, 0);
  store_whole(w.p.t.s);
  t_close(&w.p.t);
}

/* A value older than an hour does not count as the present state. */
TEST(reported_login, alert_stale)
{
  static reported_world w;
  reported_open(&w);
  reported_tell(&w, "{\"measurements\":[" MEASURED("a.example:1", "500", "") "]}");
  t_advance(&w.p.t, 3600);
  munit_assert_int(t_sendf(&w.p.t, "POST", "{\"enabled\":true,\"eventTypeName\":\"OUTSIDE_METRIC_THRESHOLD\",\"metricThreshold\":{\"metricName\":\"CONNECTIONS\","
                           "\"operator\":\"GREATER_THAN\",\"threshold\":100},\"notifications\":[{\"typeName\":\"GROUP\",\"delayMin\":0,\"intervalMin\":5}]}",
                           "/groups/%s/alertConfigs", w.p.group), ==, 201);
  munit_assert_int(reported_alerts(&w, w.p.group), ==, 0);
  t_close(&w.p.t);
}

static size_t reported_history(reported_world *w, const char *group, const char *rest)
{
  munit_assert_int(t_sendf(&w->p.t, "GET", NULL, "/groups/%s/dbAccessHistory/%s", group, rest), ==, 200);
  return t_count(&w->p.t, "accessLogs");
}

TEST(reported_login, history)
{
  static reported_world w;
  reported_open(&w);
  t_advance(&w.p.t, 3600);
  munit_assert_size(reported_history(&w, w.p.group, "clusters/Main"), ==, 0);
  reported_tell(&w, "{\"logins\":[" TRIED("joe", "a.example:1", "192.0.2.7", "true", "") "," TRIED("ann", "b.example:2", "2001:DB8::1", "false",
                    ",\"reason\":\"wrong password\",\"at\":\"2025-06-01T00:30:00Z\"") "]}");
  munit_assert_size(reported_history(&w, w.p.group, "clusters/Main"), ==, 2);
  munit_assert_string_equal(t_str(&w.p.t, "accessLogs[0].username"), "joe"); /* newest first */
  munit_assert_string_equal(t_str(&w.p.t, "accessLogs[0].timestamp"), "2025-06-01T01:00:00Z");
  munit_assert_string_equal(t_str(&w.p.t, "accessLogs[0].authResult"), "true");
  munit_assert_string_equal(t_str(&w.p.t, "accessLogs[0].hostname"), "a.example");
  munit_assert_string_equal(t_str(&w.p.t, "accessLogs[0].groupId"), w.p.group);
  munit_assert_string_equal(t_str(&w.p.t, "accessLogs[1].failureReason"), "wrong password");
  munit_assert_string_equal(t_str(&w.p.t, "accessLogs[1].ipAddress"), "2001:db8::1");
  munit_assert_size(reported_history(&w, w.p.group, "clusters/Main?authResult=false"), ==, 1);
  munit_assert_size(reported_history(&w, w.p.group, "clusters/Main?nLogs=1"), ==, 1);
  munit_assert_size(reported_history(&w, w.p.group, "clusters/Main?ipAddress=192.0.2.7"), ==, 1);
  munit_assert_size(reported_history(&w, w.p.group, "clusters/Main?start=1748739000000"), ==, 1); /* 00:50 */
  munit_assert_size(reported_history(&w, w.p.group, "clusters/Main?end=1748739000000"), ==, 1);
  munit_assert_size(reported_history(&w, w.p.group, "processes/b.example"), ==, 1);
  munit_assert_string_equal(t_str(&w.p.t, "accessLogs[0].username"), "ann");
  munit_assert_size(reported_history(&w, w.other, "clusters/Main"), ==, 0); /* the other project has no logins */
  munit_assert_size(reported_history(&w, w.other, "processes/b.example"), ==, 0);

  t_driver_answers(&w.d, "accessHistory", "[]"); /* the driver's answer: no logins */
  munit_assert_size(reported_history(&w, w.p.group, "clusters/Main"), ==, 0);
  w.d.port.ask = NULL; /* the driver answers no questions again */
  munit_assert_size(reported_history(&w, w.p.group, "clusters/Main"), ==, 2);
  store_whole(w.p.t.s);
  t_close(&w.p.t);
}

/* An invalid report is refused as a whole, and the log names the member. */
TEST(reported_login, refused)
{
  static const struct {
    const char *facts, *names;
  } bad[] = {
    { "{\"measurements\":[" MEASURED("a.example:1", "1", "") "," MEASURED("c.example:3", "1", "") "]}", "measurements[1].host" },
    { "{\"measurements\":[{\"host\":\"a.example:1\",\"metric\":\"LUCK\",\"value\":1}]}", "measurements[0].metric" },
    { "{\"measurements\":[" MEASURED("a.example:1", "\"1\"", "") "]}", "measurements[0].value" },
    { "{\"measurements\":[" MEASURED("a.example:1", "1e999", "") "]}", "measurements[0].value" },
    { "{\"measurements\":[" MEASURED("a.example:1", "0.00000000000000000000000000000000000001", "") "]}", "measurements[0].value" },
    { "{\"measurements\":[" MEASURED("a.example:1", "1", ",\"at\":\"soon\"") "]}", "measurements[0].at" },
    { "{\"measurements\":[" MEASURED("a.example:1", "1", ",\"at\":\"2025-05-29T23:59:59Z\"") "]}", "measurements[0].at" },
    { "{\"measurements\":[" MEASURED("a.example:1", "1", ",\"unit\":\"BYTES\"") "]}", "measurements[0].unit" },
    { "{\"measurements\":[{\"host\":\"a.example:1\",\"value\":1}]}", "measurements[0].metric" },
    { "{\"measurements\":[" MEASURED("a.example:1", "1", "") "],\"logins\":[" TRIED("joe", "c.example", "192.0.2.7", "true", "") "]}", "logins[0].host" },
    { "{\"logins\":[" TRIED("joe", "a.example", "192.0.2", "true", "") "]}", "logins[0].address" },
    { "{\"logins\":[" TRIED("", "a.example", "192.0.2.7", "true", "") "]}", "logins[0].user" },
    { "{\"logins\":[" TRIED("joe", "a.example", "192.0.2.7", "1", "") "]}", "logins[0].success" },
    { "{\"logins\":[" TRIED("joe", "a.example", "192.0.2.7", "true", ",\"at\":\"2025-05-24T23:59:59Z\"") "]}", "logins[0].at" },
  };
  static reported_world w;
  uint64_t print;
  size_t i;
  reported_open(&w);
  print = store_print(w.p.t.s);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    w.p.t.log[0] = 0;
    if (svc_report(w.p.t.s, "cluster", w.id, bad[i].facts) != SVC_INVALID) munit_errorf("%s is taken", bad[i].facts);
    if (!strstr(w.p.t.log, bad[i].names)) munit_errorf("%s: the log does not name %s: %s", bad[i].facts, bad[i].names, w.p.t.log);
  }
  munit_assert_uint64(store_print(w.p.t.s), ==, print);
  t_close(&w.p.t);
}

/* Reports this many measurements of one metric, spread over this many minutes of an hour. */
static void reported_many(reported_world *w, int count, int minutes)
{
  static char facts[262144];
  size_t n = (size_t)snprintf(facts, sizeof facts, "{\"measurements\":[");
  int i;
  for (i = 0; i < count; i++)
    n += (size_t)snprintf(facts + n, sizeof facts - n, "%s{\"host\":\"a.example:1\",\"metric\":\"CONNECTIONS\",\"value\":%d,\"at\":\"2025-06-01T00:%02d:00Z\"}",
                          i ? "," : "", i, i % minutes);
  snprintf(facts + n, sizeof facts - n, "]}");
  if (count > 1000) munit_assert_int(svc_report(w->p.t.s, "cluster", w->id, facts), ==, SVC_INVALID);
  else reported_tell(w, facts);
}

TEST(reported_login, bounded)
{
  static reported_world w;
  size_t entities, dates;
  int i;
  reported_open(&w);
  t_advance(&w.p.t, 3600);
  entities = probe_records(w.p.t.s, "e");
  dates = probe_records(w.p.t.s, "d");
  reported_many(&w, 1000, 60);
  munit_assert_size(probe_records(w.p.t.s, "e"), ==, entities + 1); /* a record per hour */
  munit_assert_size(probe_records(w.p.t.s, "d"), ==, dates + 1); /* with a due date for its deletion */
  reported_many(&w, 1000, 60);
  munit_assert_size(probe_records(w.p.t.s, "e"), ==, entities + 1);
  munit_assert_size(probe_records(w.p.t.s, "d"), ==, dates + 1);
  reported_many(&w, 1001, 60);
  for (i = 0; i < 5; i++) { /* one more record each day; old records are deleted */
    t_advance(&w.p.t, 86400);
    reported_tell(&w, "{\"measurements\":[" MEASURED("a.example:1", "1", "") "]}");
    munit_assert_int(svc_tick(w.p.t.s), ==, SVC_OK);
    munit_assert_size(probe_records(w.p.t.s, "erpms"), <=, 4);
  }
  t_advance(&w.p.t, 8 * 86400);
  munit_assert_int(svc_tick(w.p.t.s), ==, SVC_OK);
  munit_assert_size(probe_records(w.p.t.s, "erpms"), ==, 0);
  t_close(&w.p.t);
}

/* Returns the store accesses of one measurement and one login. */
static t_reads reported_cost(reported_world *w)
{
  (void)t_reads_taken();
  reported_tell(w, "{\"measurements\":[" MEASURED("a.example:1", "1", "") "],\"logins\":[" TRIED("joe", "a.example", "192.0.2.7", "true", "") "]}");
  return t_reads_taken();
}

/* A report costs no more store accesses with a thousand records than with one. */
TEST(reported_login, cost)
{
  static const char *const metrics[] = { SVC_METRICS_PROCESS(SVC_METRIC_NAME) };
  static char facts[262144];
  static reported_world w;
  t_reads few, many;
  size_t n = 0, i;
  reported_open_on(&w, t_counting_port());
  t_advance(&w.p.t, 86400);
  (void)reported_cost(&w);
  few = reported_cost(&w);
  for (i = 0; i < 1000; i++)
    n += (size_t)snprintf(facts + n, sizeof facts - n, "%s{\"host\":\"b.example:2\",\"metric\":\"%s\",\"value\":1,\"at\":\"2025-06-01T%02zu:00:00Z\"}",
                          i ? "," : "{\"measurements\":[", metrics[i / 20], i % 20);
  snprintf(facts + n, sizeof facts - n, "]}");
  reported_tell(&w, facts);
  munit_assert_size(probe_records(w.p.t.s, "erpms"), ==, 1001);
  many = reported_cost(&w);
  munit_assert_long(many.gets, <=, few.gets);
  munit_assert_long(many.rows, <=, few.rows);
  munit_assert_long(many.writes, <=, few.writes);
  t_close(&w.p.t);
}

/* When a ring is full, the next element replaces the oldest. */
TEST(reported_login, ring)
{
  static char facts[262144];
  static reported_world w;
  size_t n;
  int round, i;
  reported_open(&w);
  for (round = 0; round < 6; round++) {
    t_advance(&w.p.t, 60);
    n = (size_t)snprintf(facts, sizeof facts, "{\"logins\":[");
    for (i = 0; i < 1000; i++)
      n += (size_t)snprintf(facts + n, sizeof facts - n, "%s" "{\"user\":\"u%d\",\"host\":\"a.example\",\"address\":\"192.0.2.7\",\"success\":false}", i ? "," : "", round);
    snprintf(facts + n, sizeof facts - n, "]}");
    reported_tell(&w, facts);
  }
  munit_assert_size(probe_records(w.p.t.s, "erplg"), ==, 5000);
  munit_assert_size(reported_history(&w, w.p.group, "clusters/Main"), ==, 5000);
  munit_assert_string_equal(t_str(&w.p.t, "accessLogs[0].username"), "u5");
  munit_assert_string_equal(t_str(&w.p.t, "accessLogs[4999].username"), "u1");
  store_whole(w.p.t.s);
  /* all are deleted with their cluster */
  munit_assert_int(t_sendf(&w.p.t, "DELETE", NULL, "/groups/%s/clusters/Main", w.p.group), ==, 202);
  for (i = 0; i < 60; i++) {
    t_advance(&w.p.t, 60);
    munit_assert_int(svc_tick(w.p.t.s), ==, SVC_OK);
  }
  munit_assert_size(probe_records(w.p.t.s, "erplg"), ==, 0);
  store_whole(w.p.t.s);
  t_close(&w.p.t);
}

/* Every allocation fails in turn: a report is stored as a whole or not at all, and no answer is incomplete. */
TEST(reported_login, starved)
{
  static const char *const paths[] = { "processes/a.example:1/measurements?granularity=PT1M&period=PT2M&m=CONNECTIONS", "dbAccessHistory/clusters/Main" };
  static reported_world w;
  char target[256];
  size_t i;
  long n;
  int rc = SVC_NOMEM;
  reported_open(&w);
  for (n = 1; rc != SVC_OK; n++) {
    uint64_t print = store_print(w.p.t.s);
    t_arena_fail(n);
    rc = svc_report(w.p.t.s, "cluster", w.id, "{\"logins\":[" TRIED("joe", "a.example", "192.0.2.7", "true", "") "],\"measurements\":["
                    MEASURED("a.example:1", "1", "") "]}");
    t_arena_fail(0);
    if (rc != SVC_OK) munit_assert_int(rc, ==, SVC_NOMEM);
    if (rc != SVC_OK) munit_assert_uint64(store_print(w.p.t.s), ==, print);
  }
  munit_assert_long(n, >, 50);
  for (i = 0; i < 2; i++) {
    svc_request request = { .method = "GET", .target = target, .caller = &w.p.t.caller };
    bool done = false;
    snprintf(target, sizeof target, "/api/svc/v2/groups/%s/%s", w.p.group, paths[i]);
    for (n = 1; !done; n++) {
      svc_response response;
      t_arena_fail(n);
      rc = svc_handle_request(w.p.t.s, &request, &response);
      t_arena_fail(0);
      done = t_memory_sufficed(rc, &response);
      if (done && !strstr(response.body, i ? "\"username\":\"joe\"" : "\"value\":1}")) munit_errorf("%ld: %s", n, response.body);
      svc_response_free(&response);
    }
    munit_assert_long(n, >, 10);
  }
  store_whole(w.p.t.s);
  t_close(&w.p.t);
}

/* In a build without these nouns, reports are still checked. */
TEST(reported_login, left_out)
{
  static const char *const names[] = { "reported login", "reported measurement", NULL };
  static reported_world w;
  t_without(names);
  reported_open(&w);
  reported_tell(&w, "{\"logins\":[" TRIED("joe", "a.example", "192.0.2.7", "true", "") "],\"measurements\":[" MEASURED("a.example:1", "1", "") "]}");
  munit_assert_size(reported_history(&w, w.p.group, "clusters/Main"), ==, 0);
  munit_assert_string_equal(reported_series(&w, w.p.group, "a.example:1", "PT1M", "PT1M"), "null null ");
  munit_assert_int(svc_report(w.p.t.s, "cluster", w.id, "{\"logins\":[" TRIED("joe", "c.example", "192.0.2.7", "true", "") "]}"), ==, SVC_INVALID);
  t_close(&w.p.t);
  t_without(NULL);
}

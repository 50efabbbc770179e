/*
** Faults of hosts: a host goes down at a given time and comes up again. All consequences have that time.
*/
#include "control/control.h"
#include "support.h"

#define BODY \
  "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
  "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}"

static const svc_config hosts_config = { .seed = 7, .manual_clock = T_START, .limiter_off = 1, .journal = 100 };

static int hosts_fault(t_place *w, const char *rule)
{
  int id = 0;
  if (svc_fault_add_json(w->t.s, rule, &id) != SVC_OK) munit_errorf("%s: %s", rule, w->t.log);
  return id;
}

static void hosts_open(t_place *w)
{
  t_place_open(w, &hosts_config, "P1", BODY);
  munit_assert_int(svc_clock_advance(w->t.s, 60000), ==, SVC_OK);
}

static int hosts_events(t_place *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?eventType=%s", w->group, type), ==, 200);
  return (int)t_count(&w->t, "results");
}

/* Returns the id of the primary; "": no primary. */
static const char *hosts_primary(t_place *w)
{
  char path[48];
  int i;
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/processes", w->group), ==, 200);
  for (i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "results[%d].typeName", i);
    if (strcmp(t_str(&w->t, path), "REPLICA_PRIMARY") != 0) continue;
    snprintf(path, sizeof path, "results[%d].id", i);
    return t_keep(&w->t, t_str(&w->t, path));
  }
  return "";
}

TEST(fault_hosts, falls)
{
  const char *first, *second;
  char rule[400];
  int round;
  t_place w;
  for (round = 0; round < 2; round++) {
    hosts_open(&w);
    first = hosts_primary(&w);
    if (round) snprintf(rule, sizeof rule, "{\"host\":\"%s\",\"inSeconds\":600,\"forSeconds\":60}", first);
    else snprintf(rule, sizeof rule, "{\"host\":{\"cluster\":\"C\",\"index\":0,\"project\":\"%s\"},\"down\":\"2025-06-01T00:11:00Z\","
                  "\"forSeconds\":60}", w.group);
    hosts_fault(&w, rule);
    munit_assert_int(svc_clock_advance(w.t.s, 599000), ==, SVC_OK);
    munit_assert_string_equal(hosts_primary(&w), first);
    munit_assert_int(hosts_events(&w, "HOST_DOWN"), ==, 0);
    munit_assert_int(svc_clock_advance(w.t.s, 1000), ==, SVC_OK);
    munit_assert_int(hosts_events(&w, "HOST_DOWN"), ==, 1);
    munit_assert_string_equal(t_str(&w.t, "results[0].created"), "2025-06-01T00:11:00Z");
    munit_assert_int(hosts_events(&w, "PRIMARY_ELECTED"), ==, 1);
    second = hosts_primary(&w);
    munit_assert_string_not_equal(second, first);
    munit_assert_size(svc_failure_list(w.t.s, (svc_failure[SVC_FAILURES]){ { 0 } }), ==, 1);
    munit_assert_int(svc_clock_advance(w.t.s, 3600000), ==, SVC_OK);
    munit_assert_int(hosts_events(&w, "HOST_UP"), ==, 1);
    munit_assert_string_equal(t_str(&w.t, "results[0].created"), "2025-06-01T00:12:00Z"); /* although the clock moved further */
    munit_assert_size(svc_failure_list(w.t.s, (svc_failure[SVC_FAILURES]){ { 0 } }), ==, 0);
    t_close(&w.t);
  }
}

/* Without forSeconds the host stays down until the rule is removed. A rule for a host that does not exist changes nothing. */
TEST(fault_hosts, removed)
{
  svc_failure rules[SVC_FAILURES];
  t_place w;
  int id;
  hosts_open(&w);
  hosts_fault(&w, "{\"host\":\"nowhere.example.net:27017\",\"inSeconds\":5}");
  hosts_fault(&w, "{\"host\":{\"cluster\":\"C\",\"index\":7},\"inSeconds\":5}");
  hosts_fault(&w, "{\"host\":{\"cluster\":\"D\",\"index\":0},\"inSeconds\":5}");
  id = hosts_fault(&w, "{\"host\":{\"cluster\":\"C\",\"index\":2},\"inSeconds\":10}");
  munit_assert_int(svc_clock_advance(w.t.s, 86400000), ==, SVC_OK);
  munit_assert_int(hosts_events(&w, "HOST_DOWN"), ==, 1);
  munit_assert_int(hosts_events(&w, "HOST_UP"), ==, 0);
  munit_assert_size(svc_failure_list(w.t.s, rules), ==, 4);
  munit_assert_int(rules[3].phase, ==, SVC_HOST_DOWN);
  munit_assert_int(svc_fault_remove(w.t.s, id), ==, SVC_OK);
  munit_assert_int(hosts_events(&w, "HOST_UP"), ==, 1);
  munit_assert_int(svc_fault_remove(w.t.s, 0), ==, SVC_OK);
  munit_assert_int(hosts_events(&w, "HOST_UP"), ==, 1);
  munit_assert_uint(atomic_load(&w.t.s->watch), ==, SVC_WATCH_JOURNAL);
  t_close(&w.t);
}

/* A fault repeats up to `count` times, or at times that a chance and a seed choose: the same times in every run. */
TEST(fault_hosts, again)
{
  char seen[2][2048];
  svc_response journal;
  t_place w;
  int round, n;
  hosts_open(&w);
  hosts_fault(&w, "{\"host\":{\"cluster\":\"C\",\"index\":1},\"inSeconds\":600,\"forSeconds\":60,\"everySeconds\":600,\"count\":3}");
  munit_assert_int(svc_clock_advance(w.t.s, 86400000), ==, SVC_OK);
  munit_assert_int(hosts_events(&w, "HOST_DOWN"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "results[0].created"), "2025-06-01T00:31:00Z");
  munit_assert_int(hosts_events(&w, "HOST_UP"), ==, 3);
  t_close(&w.t);
  for (round = 0; round < 2; round++) {
    hosts_open(&w);
    hosts_fault(&w, "{\"host\":{\"cluster\":\"C\",\"index\":1},\"inSeconds\":60,\"forSeconds\":6,\"everySeconds\":60,\"chance\":0.3,\"seed\":9}");
    munit_assert_int(svc_clock_advance(w.t.s, 3000000), ==, SVC_OK);
    n = hosts_events(&w, "HOST_DOWN");
    munit_assert_int(n, >, 5);
    munit_assert_int(n, <, 30);
    snprintf(seen[round], sizeof seen[round], "%d %s", n, t_str(&w.t, "results[0].created"));
    munit_assert_int(svc_journal_read(w.t.s, 0, &journal), ==, SVC_OK);
    munit_assert_not_null(strstr(journal.body, "\"fault\":1,\"down\":"));
    svc_response_free(&journal);
    t_close(&w.t);
  }
  munit_assert_string_equal(seen[0], seen[1]);
}

/* Restoring a snapshot sets the clock back, and the host goes down again. */
TEST(fault_hosts, restored)
{
  svc_snapshot *before;
  t_place w;
  hosts_open(&w);
  munit_assert_int(svc_snapshot_take(w.t.s, &before), ==, SVC_OK);
  hosts_fault(&w, "{\"host\":{\"cluster\":\"C\",\"index\":1},\"inSeconds\":60}");
  munit_assert_int(svc_clock_advance(w.t.s, 100000), ==, SVC_OK);
  munit_assert_int(hosts_events(&w, "HOST_DOWN"), ==, 1);
  munit_assert_int(svc_snapshot_restore(w.t.s, before), ==, SVC_OK);
  munit_assert_int(hosts_events(&w, "HOST_DOWN"), ==, 0);
  munit_assert_int(svc_clock_advance(w.t.s, 100000), ==, SVC_OK);
  munit_assert_int(hosts_events(&w, "HOST_DOWN"), ==, 1);
  svc_snapshot_free(before);
  t_close(&w.t);
}

/* Without a manual clock the next request shows the failure; svc_tick() applies it as well. */
TEST(fault_hosts, clock)
{
  svc_config config = { .limiter_off = 1 };
  t_place w;
  t_place_open(&w, &config, "P1", BODY);
  t_advance(&w.t, 60);
  hosts_fault(&w, "{\"host\":{\"cluster\":\"C\",\"index\":1},\"inSeconds\":60,\"forSeconds\":60}");
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int(svc_is_due(w.t.s), ==, 0);
  t_advance(&w.t, 90);
  munit_assert_int(svc_is_due(w.t.s), ==, 1);
  munit_assert_int(hosts_events(&w, "HOST_DOWN"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].created"), "2025-06-01T00:02:00Z");
  t_advance(&w.t, 90);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_int64(svc_fault_hosts_next(w.t.s), ==, INT64_MAX);
  munit_assert_int(hosts_events(&w, "HOST_UP"), ==, 1);
  t_close(&w.t);
}

TEST_SERVICE(fault_hosts, refuses)
{
  static const char *const bad[][2] = {
    { "{\"host\":\"a:1\"}", "inSeconds" }, { "{\"host\":\"a:1\",\"inSeconds\":1,\"down\":\"2030-01-01T00:00:00Z\"}", "inSeconds" },
    { "{\"host\":\"\",\"inSeconds\":1}", "host" }, { "{\"host\":7,\"inSeconds\":1}", "host" },
    { "{\"host\":{\"cluster\":\"C\"},\"inSeconds\":1}", "index" }, { "{\"host\":{\"index\":1},\"inSeconds\":1}", "cluster" },
    { "{\"host\":{\"cluster\":\"C\",\"index\":-1},\"inSeconds\":1}", "index" }, { "{\"host\":{\"cluster\":\"C\",\"index\":1,\"project\":\"x\"},\"inSeconds\":1}", "project" },
    { "{\"host\":\"a:1\",\"down\":\"2020-01-01T00:00:00Z\"}", "down" }, { "{\"host\":\"a:1\",\"down\":\"yesterday\"}", "down" },
    { "{\"host\":\"a:1\",\"inSeconds\":-1}", "inSeconds" }, { "{\"host\":\"a:1\",\"inSeconds\":1,\"forSeconds\":0}", "forSeconds" },
    { "{\"host\":\"a:1\",\"inSeconds\":1,\"everySeconds\":5}", "everySeconds" },
    { "{\"host\":\"a:1\",\"inSeconds\":1,\"everySeconds\":5,\"forSeconds\":5}", "everySeconds" },
    { "{\"host\":\"a:1\",\"inSeconds\":1,\"count\":2}", "count" }, { "{\"host\":\"a:1\",\"inSeconds\":1,\"outcome\":\"fail\"}", "outcome" },
  };
  t_faults_refused(t, bad, sizeof bad / sizeof bad[0]);
}

/*
** Faults of orders and states: a test makes them fail, stall, run slowly or complete partly, with the simulator and with a
** driver.
*/
#include "control/control.h"
#include "driver.h"
#include "support.h"

#define BODY(name) \
  "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
  "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}"

static int steps_fault(t_place *w, const char *rule)
{
  int id = 0;
  if (svc_fault_add_json(w->t.s, rule, &id) != SVC_OK) munit_errorf("%s: %s", rule, w->t.log);
  munit_assert_int(id, >, 0);
  return id;
}

static const char *steps_state(t_place *w, const char *name)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters/%s", w->group, name), ==, 200);
  return t_str(&w->t, "stateName");
}

static void steps_make(t_place *w, const char *body)
{
  if (t_sendf(&w->t, "POST", body, "/groups/%s/clusters", w->group) != 201) munit_error(w->t.response.body);
}

static int steps_events(t_place *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?eventType=%s", w->group, type), ==, 200);
  return (int)t_count(&w->t, "results");
}

/* Returns how often each rule has applied, in their order: "1 0". */
static const char *steps_struck(t_place *w)
{
  svc_failure rules[SVC_FAILURES];
  char text[64] = "";
  size_t i, n = svc_failure_list(w->t.s, rules), at = 0;
  for (i = 0; i < n && at < sizeof text; i++) at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", i ? " " : "", (int)rules[i].struck);
  return t_keep(&w->t, text);
}

TEST(fault_steps, fails)
{
  t_place w;
  t_place_open(&w, NULL, "P1", NULL);
  steps_fault(&w, "{\"order\":\"cluster.create\",\"outcome\":\"fail\",\"reason\":\"no capacity\",\"count\":1}");
  steps_make(&w, BODY("A"));
  steps_make(&w, BODY("B"));
  munit_assert_string_equal(steps_struck(&w), "0");
  t_advance(&w.t, 10);
  munit_assert_string_equal(steps_state(&w, "A"), "REPAIRING"); /* the state of a cluster whose creation failed */
  munit_assert_not_null(strstr(w.t.log, "no capacity"));
  munit_assert_string_equal(steps_state(&w, "B"), "IDLE");
  munit_assert_string_equal(steps_struck(&w), ""); /* used up: the rule is deleted */
  munit_assert_int(steps_events(&w, "DEPLOYMENT_FAILURE"), ==, 1);
  munit_assert_int(steps_events(&w, "CLUSTER_READY"), ==, 1);
  t_close(&w.t);
}

TEST(fault_steps, slow)
{
  t_place w;
  t_place_open(&w, NULL, "P1", NULL);
  steps_fault(&w, "{\"order\":\"cluster.*\",\"outcome\":\"slow\",\"seconds\":30}");
  steps_make(&w, BODY("A"));
  t_advance(&w.t, 39);
  munit_assert_string_equal(steps_state(&w, "A"), "CREATING");
  t_advance(&w.t, 1);
  munit_assert_string_equal(steps_state(&w, "A"), "IDLE");
  munit_assert_string_equal(steps_struck(&w), "1");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}", "/groups/%s/clusters/A", w.group), ==, 200);
  t_advance(&w.t, 34);
  munit_assert_string_equal(steps_state(&w, "A"), "UPDATING");
  t_advance(&w.t, 1);
  munit_assert_string_equal(steps_state(&w, "A"), "IDLE");
  munit_assert_string_equal(steps_struck(&w), "2");
  t_close(&w.t);
}

/* A stalled order or state does not end before its rule is removed. */
TEST(fault_steps, stalls)
{
  t_place w;
  int id, round;
  t_place_open(&w, NULL, "P1", NULL);
  for (round = 0; round < 2; round++) {
    id = steps_fault(&w, round ? "{\"state\":{\"noun\":\"cluster\",\"value\":\"CREATING\",\"name\":\"D\"}}"
                               : "{\"order\":\"cluster.create\",\"outcome\":\"stall\",\"count\":1}");
    steps_make(&w, round ? BODY("D") : BODY("A"));
    steps_make(&w, round ? BODY("E") : BODY("B"));
    t_advance(&w.t, 86400);
    munit_assert_string_equal(steps_state(&w, round ? "D" : "A"), "CREATING");
    munit_assert_string_equal(steps_state(&w, round ? "E" : "B"), "IDLE");
    munit_assert_string_equal(steps_struck(&w), "1"); /* even a used-up rule stays while something waits for it */
    munit_assert_int(svc_fault_remove(w.t.s, id), ==, SVC_OK);
    munit_assert_int(svc_fault_remove(w.t.s, id), ==, SVC_INVALID);
    munit_assert_string_equal(steps_state(&w, round ? "D" : "A"), "IDLE");
    munit_assert_uint(atomic_load(&w.t.s->watch), ==, 0);
  }
  t_close(&w.t);
}

/* The first half of the facts is applied, and then the order fails. */
TEST(fault_steps, partly)
{
  t_driver d;
  svc_config config = { .driver = t_driver_init(&d) };
  t_place w;
  t_place_open(&w, &config, "P1", NULL);
  steps_fault(&w, "{\"order\":\"cluster.create\",\"outcome\":\"partial\",\"reason\":\"half\",\"count\":1}");
  steps_make(&w, BODY("A"));
  svc_tick(w.t.s);
  t_driver_finish(&d, w.t.s, "cluster.create", SVC_OK, "{\"hosts\":[\"a.example.net:1\",\"b.example.net:2\",\"c.example.net:3\"]}");
  munit_assert_string_equal(steps_state(&w, "A"), "REPAIRING");
  munit_assert_not_null(strstr(t_str(&w.t, "connectionStrings.standard"), "a.example.net:1,b.example.net:2/"));
  munit_assert_int(steps_events(&w, "DEPLOYMENT_FAILURE"), ==, 1);
  t_close(&w.t);
  t_place_open(&w, NULL, "P1", NULL); /* with the simulator */
  steps_fault(&w, "{\"order\":\"cluster.create\",\"outcome\":\"partial\",\"count\":1}");
  steps_make(&w, BODY("A"));
  t_advance(&w.t, 10);
  munit_assert_string_equal(steps_state(&w, "A"), "REPAIRING");
  munit_assert_string_equal(steps_struck(&w), "");
  t_close(&w.t);
}

/* A failing order never reaches the driver, a slow order reaches the driver later, and a stalled order only after the rule is removed. */
TEST(fault_steps, driver)
{
  t_driver d;
  svc_config config = { .driver = t_driver_init(&d) };
  t_place w;
  int id;
  t_driver_takes(&d, "cluster.create");
  t_place_open(&w, &config, "P1", NULL);
  steps_fault(&w, "{\"order\":\"cluster.create\",\"outcome\":\"fail\",\"reason\":\"no\",\"count\":1}");
  steps_make(&w, BODY("A"));
  svc_tick(w.t.s);
  munit_assert_int(t_driver_count(&d, "cluster.create"), ==, 0);
  munit_assert_string_equal(steps_state(&w, "A"), "REPAIRING");
  steps_fault(&w, "{\"order\":\"cluster.create\",\"outcome\":\"slow\",\"seconds\":5,\"count\":1}");
  steps_make(&w, BODY("B"));
  svc_tick(w.t.s);
  t_advance(&w.t, 4);
  svc_tick(w.t.s);
  munit_assert_int(t_driver_count(&d, "cluster.create"), ==, 0);
  t_advance(&w.t, 1);
  svc_tick(w.t.s);
  munit_assert_int(t_driver_count(&d, "cluster.create"), ==, 1);
  id = steps_fault(&w, "{\"state\":{\"noun\":\"cluster\",\"value\":\"CREATING\",\"name\":\"C\"}}");
  steps_make(&w, BODY("C"));
  svc_tick(w.t.s);
  t_advance(&w.t, 86400);
  svc_tick(w.t.s);
  munit_assert_int(t_driver_count(&d, "cluster.create"), ==, 1);
  munit_assert_int(svc_fault_remove(w.t.s, id), ==, SVC_OK);
  svc_tick(w.t.s);
  munit_assert_int(t_driver_count(&d, "cluster.create"), ==, 2);
  t_close(&w.t);
}

/* The answer to a change still shows the old state; the new state begins later, and with a driver its order, too. */
TEST(fault_steps, later)
{
  t_driver d;
  svc_config with = { .driver = t_driver_init(&d) };
  t_place w;
  int round;
  for (round = 0; round < 2; round++) {
    t_driver_takes(&d, "cluster.update");
    t_driver_does(&d, "cluster.create", "{\"hosts\":[\"a.example.net:1\"]}");
    t_place_open(&w, round ? &with : NULL, "P1", BODY("A"));
    svc_tick(w.t.s);
    t_advance(&w.t, 60);
    munit_assert_string_equal(steps_state(&w, "A"), "IDLE");
    steps_fault(&w, "{\"later\":{\"noun\":\"cluster\",\"seconds\":3},\"count\":1}");
    munit_assert_int(t_sendf(&w.t, "PATCH", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}", "/groups/%s/clusters/A", w.group), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "stateName"), "IDLE");
    munit_assert_string_equal(steps_struck(&w), "");
    munit_assert_int(svc_fault_remove(w.t.s, 0), ==, SVC_OK); /* the change begins whether or not its rule still exists */
    t_advance(&w.t, 2);
    munit_assert_string_equal(steps_state(&w, "A"), "IDLE");
    t_advance(&w.t, 1);
    munit_assert_string_equal(steps_state(&w, "A"), "UPDATING");
    svc_tick(w.t.s);
    if (round) munit_assert_int(t_driver_count(&d, "cluster.update"), ==, 1);
    if (round) t_driver_finish(&d, w.t.s, "cluster.update", SVC_OK, NULL);
    t_advance(&w.t, 5);
    munit_assert_string_equal(steps_state(&w, "A"), "IDLE");
    munit_assert_int(t_sendf(&w.t, "PATCH", "{\"tags\":[]}", "/groups/%s/clusters/A", w.group), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "stateName"), "UPDATING");
    t_close(&w.t);
  }
}

/* The same rule with the same seed applies to the same orders, independent of their ids. */
TEST(fault_steps, chances)
{
  unsigned seen[2] = { 0, 0 };
  int round, i;
  for (round = 0; round < 2; round++) {
    svc_config config = { .seed = (uint64_t)round + 7, .manual_clock = T_START, .limiter_off = 1, .journal = 100 };
    char body[512], name[8];
    svc_response journal;
    t_place w;
    t_place_open(&w, &config, "P1", NULL);
    steps_fault(&w, "{\"order\":\"cluster.create\",\"outcome\":\"fail\",\"chance\":0.5,\"seed\":42}");
    for (i = 0; i < 12; i++) {
      snprintf(body, sizeof body, "%s%d%s", "{\"name\":\"N", i, BODY("") + strlen("{\"name\":\""));
      steps_make(&w, body);
      munit_assert_int(svc_clock_advance(w.t.s, 10000), ==, SVC_OK);
      snprintf(name, sizeof name, "N%d", i);
      seen[round] |= (unsigned)(strcmp(steps_state(&w, name), "IDLE") != 0) << i;
    }
    munit_assert_int(svc_journal_read(w.t.s, 0, &journal), ==, SVC_OK);
    munit_assert_not_null(strstr(journal.body, "\"fault\":1,\"order\":\"cluster.create\",\"outcome\":\"fail\""));
    svc_response_free(&journal);
    t_close(&w.t);
  }
  munit_assert_uint(seen[0], ==, seen[1]);
  munit_assert_uint(seen[0], !=, 0);
  munit_assert_uint(seen[0], !=, 0xFFF);
}

/* Restoring a snapshot restores the store and keeps the rules, so a rule may apply again to the same order. */
TEST(fault_steps, restored)
{
  svc_config config = { .seed = 7, .manual_clock = T_START };
  svc_snapshot *before;
  t_place w;
  t_place_open(&w, &config, "P1", BODY("A"));
  munit_assert_int(svc_snapshot_take(w.t.s, &before), ==, SVC_OK);
  steps_fault(&w, "{\"order\":\"cluster.create\",\"outcome\":\"fail\",\"count\":2}");
  munit_assert_int(svc_clock_advance(w.t.s, 10000), ==, SVC_OK);
  munit_assert_string_equal(steps_state(&w, "A"), "REPAIRING");
  munit_assert_int(svc_snapshot_restore(w.t.s, before), ==, SVC_OK);
  munit_assert_string_equal(steps_state(&w, "A"), "CREATING");
  munit_assert_int(svc_clock_advance(w.t.s, 10000), ==, SVC_OK);
  munit_assert_string_equal(steps_state(&w, "A"), "REPAIRING");
  munit_assert_int(svc_snapshot_restore(w.t.s, before), ==, SVC_OK);
  munit_assert_int(svc_clock_advance(w.t.s, 10000), ==, SVC_OK);
  munit_assert_string_equal(steps_state(&w, "A"), "IDLE"); /* the rule is used up */
  svc_snapshot_free(before);
  t_close(&w.t);
}

TEST_SERVICE(fault_steps, refuses)
{
  static const char *const bad[][2] = {
    { "{\"order\":\"cluster.paint\",\"outcome\":\"fail\"}", "order: " }, { "{\"order\":\"nothing*\",\"outcome\":\"fail\"}", "order: " },
    { "{\"order\":\"cluster.create\"}", "outcome" }, { "{\"order\":\"cluster.create\",\"outcome\":\"explode\"}", "outcome" },
    { "{\"order\":\"cluster.create\",\"outcome\":\"slow\"}", "seconds is required" },
    { "{\"order\":\"cluster.create\",\"outcome\":\"fail\",\"seconds\":3}", "seconds is only" },
    { "{\"order\":\"cluster.create\",\"outcome\":\"slow\",\"seconds\":0}", "seconds" },
    { "{\"order\":\"cluster.create\",\"outcome\":\"fail\",\"chance\":0}", "chance" },
    { "{\"order\":\"cluster.create\",\"outcome\":\"fail\",\"chance\":1.5}", "chance" },
    { "{\"order\":\"cluster.create\",\"outcome\":\"fail\",\"count\":-1}", "count" },
    { "{\"order\":\"cluster.create\",\"outcome\":\"fail\",\"status\":503}", "status" },
    { "{\"order\":7,\"outcome\":\"fail\"}", "order" },
    { "{\"state\":{\"noun\":\"cluster\",\"value\":\"SINGING\"}}", "state.value" }, { "{\"state\":{\"noun\":\"cluster\",\"value\":\"IDLE\"}}", "state.value" },
    { "{\"state\":{\"noun\":\"team\",\"value\":\"IDLE\"}}", "state.noun" }, { "{\"state\":{\"value\":\"IDLE\"}}", "noun" },
    { "{\"later\":{\"noun\":\"cluster\"}}", "seconds" }, { "{\"later\":{\"noun\":\"team\",\"seconds\":1}}", "later.noun" },
    { "{\"state\":\"IDLE\"}", "state" }, { "[]", "svc_fault: " }, { "{", "malformed" }, { "", "malformed" },
  };
  svc_response list;
  size_t i;
  t_faults_refused(t, bad, sizeof bad / sizeof bad[0]);
  munit_assert_int(svc_fault_add_json(t->s, NULL, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_fault_add_json(NULL, "{}", NULL), ==, SVC_INVALID);
  munit_assert_int(svc_fault_list_json(t->s, NULL), ==, SVC_INVALID);
  munit_assert_uint(atomic_load(&t->s->watch), ==, 0);
  for (i = 0; i < SVC_FAILURES; i++)
    munit_assert_int(svc_fault_add_json(t->s, "{\"order\":\"cluster.*\",\"outcome\":\"fail\",\"seed\":3}", NULL), ==, SVC_OK);
  munit_assert_int(svc_fault_add_json(t->s, "{\"order\":\"cluster.*\",\"outcome\":\"fail\"}", NULL), ==, SVC_FULL);
  munit_assert_int(svc_fault_add_json(t->s, "{\"status\":503,\"operation\":\"listOrgs\"}", NULL), ==, SVC_OK);
  munit_assert_int(svc_fault_list_json(t->s, &list), ==, SVC_OK);
  munit_assert_not_null(strstr(list.body, "\"status\":503"));
  munit_assert_not_null(strstr(list.body, "{\"chance\":1.000000,\"count\":0,\"id\":64,\"order\":\"cluster.*\",\"outcome\":\"fail\",\"reason\":"
                                          "\"a fault of test control\",\"seed\":3,\"struck\":0}"));
  svc_response_free(&list);
  munit_assert_int(svc_fault_remove(t->s, 0), ==, SVC_OK);
  munit_assert_uint(atomic_load(&t->s->watch), ==, 0);
}

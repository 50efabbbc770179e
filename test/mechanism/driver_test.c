/*
** The driver: orders that are reported as done at once, later, never, twice, as failed, or after a crash; and questions. The
** orders are those of the catalog's cluster.
*/
#include "mechanism/probe.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLUSTER "/groups/%s/clusters/Main"

/* ------------------------------------------------------------------------------------------------------ a driver to watch */

typedef struct driver_seen {
  char id[32], action[32], resource_id[32], group_id[32], org_id[32], parent_id[32], name[32], traceparent[64], desired[4096];
  int attempt;
} driver_seen;

typedef struct driver_log {
  int answer;        /* the return value of perform() */
  int finish;        /* perform() calls svc_order_done(): 1 done, 2 failed */
  const char *facts; /* facts of that call */
  void (*during)(struct driver_log *log, svc *s, const svc_order *order); /* called by perform(); NULL: no function */
  void *context;
  driver_seen seen[128];
  atomic_int count;
} driver_log;

static int driver_perform(void *context, svc *s, const svc_order *order)
{
  driver_log *log = context;
  int n = atomic_fetch_add(&log->count, 1);
  driver_seen *to = &log->seen[n];
  munit_assert_int(n, <, 128);
  munit_assert_string_equal(order->resource, "cluster");
  munit_assert_size(order->desired_length, ==, strlen(order->desired));
  snprintf(to->id, sizeof to->id, "%s", order->id);
  snprintf(to->action, sizeof to->action, "%s", order->action);
  snprintf(to->resource_id, sizeof to->resource_id, "%s", order->resource_id);
  snprintf(to->group_id, sizeof to->group_id, "%s", order->group_id);
  snprintf(to->org_id, sizeof to->org_id, "%s", order->org_id);
  snprintf(to->parent_id, sizeof to->parent_id, "%s", order->parent_id);
  snprintf(to->name, sizeof to->name, "%s", order->name);
  snprintf(to->desired, sizeof to->desired, "%s", order->desired);
  snprintf(to->traceparent, sizeof to->traceparent, "%s", order->traceparent);
  to->attempt = order->attempt;
  if (log->during) log->during(log, s, order);
  if (log->finish) munit_assert_int(svc_order_done(s, order->id, log->finish == 1 ? SVC_OK : SVC_IO, log->facts), ==, SVC_OK);
  return log->answer;
}

typedef struct driver_world {
  t_service t;
  driver_log log;
  svc_driver driver;
  const char *org, *group;
  char feed[40];
} driver_world;

static svc_config driver_config(driver_world *w)
{
  svc_config config;
  memset(&config, 0, sizeof config);
  config.limiter_off = 1;
  config.driver = &w->driver;
  return config;
}

/* Opens a service in a folder, or in memory (NULL). Returns its configuration. */
static svc_config driver_open_in(driver_world *w, const char *path)
{
  svc_config config;
  memset(&w->log, 0, sizeof w->log);
  w->driver = (svc_driver){ driver_perform, NULL, &w->log };
  config = driver_config(w);
  config.path = path;
  t_open(&w->t, &config);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "alpha");
  snprintf(w->feed, sizeof w->feed, "/groups/%s", w->group);
  return config;
}

static void driver_open(driver_world *w)
{
  driver_open_in(w, NULL);
}

static void driver_create(driver_world *w)
{
  munit_assert_int(t_sendf(&w->t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", w->group), ==, 201);
  munit_assert_string_equal(t_str(&w->t, "stateName"), "CREATING");
}

static void driver_tick(driver_world *w, int orders)
{
  int before = atomic_load(&w->log.count);
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  munit_assert_int(atomic_load(&w->log.count) - before, ==, orders);
}

static const driver_seen *driver_last(const driver_world *w)
{
  return &w->log.seen[atomic_load(&w->log.count) - 1];
}

static void driver_state(driver_world *w, const char *state)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, CLUSTER, w->group), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "stateName"), state);
}

/* Checks the number of orders in the store, each with its index record by id. */
static void driver_orders(driver_world *w, size_t all, size_t waiting)
{
  munit_assert_size(probe_records(w->t.s, "o"), ==, all);
  munit_assert_size(probe_records(w->t.s, "q"), ==, all);
  munit_assert_size(probe_records(w->t.s, "w"), ==, waiting);
}

/* Creates a cluster whose order is done. */
static void driver_idle(driver_world *w)
{
  driver_create(w);
  driver_tick(w, 1);
  munit_assert_int(svc_order_done(w->t.s, driver_last(w)->id, SVC_OK, NULL), ==, SVC_OK);
  driver_state(w, "IDLE");
}

/* ---------------------------------------------------------------------------------------------------------------- orders */

TEST(driver, later)
{
  const driver_seen *order;
  const char *before;
  driver_world w;
  char id[32];
  driver_open(&w);
  driver_create(&w);
  munit_assert_int(atomic_load(&w.log.count), ==, 0); /* a request hands out no order, ... */
  strcpy(id, t_str(&w.t, "id"));
  t_advance(&w.t, 86400);
  driver_state(&w, "CREATING"); /* ... neither at once nor a day later, and the clock does not change the state */
  munit_assert_int(atomic_load(&w.log.count), ==, 0);
  driver_orders(&w, 1, 1);
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));

  driver_tick(&w, 1);
  order = driver_last(&w);
  munit_assert_string_equal(order->action, "cluster.create");
  munit_assert_string_equal(order->resource_id, id);
  munit_assert_string_equal(order->group_id, w.group);
  munit_assert_string_equal(order->parent_id, w.group);
  munit_assert_string_equal(order->org_id, w.org);
  munit_assert_string_equal(order->name, "Main");
  munit_assert_not_null(strstr(order->desired, "\"instanceSize\":\"M10\""));
  munit_assert_int(order->attempt, ==, 1);
  munit_assert_size(strlen(order->id), ==, 24);
  driver_orders(&w, 1, 0);
  driver_tick(&w, 0); /* a taken order is not handed out again */
  t_advance(&w.t, 3600);
  driver_tick(&w, 0);
  driver_state(&w, "CREATING");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER "/status", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "changeStatus"), "PENDING");

  munit_assert_int(svc_order_done(w.t.s, order->id, SVC_OK, NULL), ==, SVC_OK);
  driver_state(&w, "IDLE");
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CLUSTER_READY");
  driver_orders(&w, 0, 0);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER "/status", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "changeStatus"), "APPLIED");
  /* only the first report of an order counts */
  munit_assert_int(svc_order_done(w.t.s, order->id, SVC_OK, "{\"srvHost\":\"late\"}"), ==, SVC_OK);
  munit_assert_int(svc_order_done(w.t.s, order->id, SVC_IO, "{\"reason\":\"late\"}"), ==, SVC_OK);
  driver_state(&w, "IDLE");
  munit_assert_null(strstr(t_str(&w.t, "connectionStrings.standardSrv"), "late"));
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CLUSTER_READY");
  driver_tick(&w, 0);
  t_close(&w.t);
}

TEST(driver, at_once)
{
  driver_world w;
  driver_open(&w);
  w.log.finish = 1;
  driver_create(&w);
  driver_tick(&w, 1);
  driver_state(&w, "IDLE");
  driver_orders(&w, 0, 0);
  munit_assert_int(t_sendf(&w.t, "PATCH", PROBE_RESIZE("M20"), CLUSTER, w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "UPDATING");
  driver_tick(&w, 1);
  munit_assert_string_equal(driver_last(&w)->action, "cluster.update");
  munit_assert_not_null(strstr(driver_last(&w)->desired, "M20"));
  driver_state(&w, "IDLE");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, CLUSTER, w.group), ==, 202);
  driver_tick(&w, 1);
  munit_assert_string_equal(driver_last(&w)->action, "cluster.delete");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER, w.group), ==, 404);
  driver_orders(&w, 0, 0);
  w.log.finish = 2; /* fails at once */
  w.log.facts = "{\"reason\":\"no room\"}";
  driver_create(&w);
  driver_tick(&w, 1);
  driver_state(&w, "REPAIRING");
  driver_orders(&w, 0, 0);
  t_close(&w.t);
}

typedef struct driver_call {
  svc *s;
  const char *id;
  int rc;
} driver_call;

static void *driver_done_thread(void *context)
{
  driver_call *call = context;
  call->rc = svc_order_done(call->s, call->id, SVC_OK, "{}");
  return NULL;
}

TEST(driver, other_thread)
{
  driver_world w;
  driver_call calls[4];
  pthread_t threads[4];
  const char *before;
  int i;
  driver_open(&w);
  driver_create(&w);
  driver_tick(&w, 1);
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  for (i = 0; i < 4; i++) { /* all at the same time: only a single one counts */
    calls[i] = (driver_call){ w.t.s, driver_last(&w)->id, -1 };
    munit_assert_int(pthread_create(&threads[i], NULL, driver_done_thread, &calls[i]), ==, 0);
  }
  for (i = 0; i < 4; i++) munit_assert_int(pthread_join(threads[i], NULL), ==, 0);
  for (i = 0; i < 4; i++) munit_assert_int(calls[i].rc, ==, SVC_OK);
  driver_state(&w, "IDLE");
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CLUSTER_READY");
  t_close(&w.t);
}

TEST(driver, never)
{
  driver_world w;
  int i;
  driver_open(&w);
  driver_create(&w);
  driver_tick(&w, 1);
  for (i = 0; i < 12; i++) {
    t_advance(&w.t, 30 * 86400);
    driver_tick(&w, 0);
    driver_state(&w, "CREATING");
    driver_orders(&w, 1, 0);
  }
  t_close(&w.t);
}

/* A pause passes a state that is also the failed one. Only an order leads out of that state. */
TEST(driver, pause)
{
  driver_world w;
  driver_open(&w);
  driver_create(&w);
  driver_tick(&w, 1);
  munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_OK, NULL), ==, SVC_OK);
  driver_state(&w, "IDLE");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"paused\":true}", CLUSTER, w.group), ==, 200);
  driver_state(&w, "REPAIRING");
  driver_tick(&w, 1);
  munit_assert_string_equal(driver_last(&w)->action, "cluster.update");
  munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_OK, NULL), ==, SVC_OK);
  driver_state(&w, "IDLE");
  driver_orders(&w, 0, 0);
  t_close(&w.t);
}

TEST(driver, failure)
{
  const char *before;
  driver_world w;
  driver_open(&w);
  driver_create(&w);
  driver_tick(&w, 1);
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_IO, "{\"reason\":\"no disks\",\"hosts\":[\"half:1\"]}"), ==, SVC_OK);
  driver_state(&w, "REPAIRING");
  munit_assert_null(strstr(t_str(&w.t, "connectionStrings.standard"), "half")); /* never changed in part */
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "DEPLOYMENT_FAILURE");
  munit_assert_not_null(strstr(w.t.log, "Main"));
  munit_assert_not_null(strstr(w.t.log, "no disks"));
  driver_orders(&w, 0, 0);
  driver_tick(&w, 0); /* a failed order is not repeated */

  munit_assert_int(t_sendf(&w.t, "PATCH", PROBE_RESIZE("M20"), CLUSTER, w.group), ==, 200); /* but a change causes a new one */
  munit_assert_string_equal(t_str(&w.t, "stateName"), "UPDATING");
  driver_tick(&w, 1);
  munit_assert_string_equal(driver_last(&w)->action, "cluster.update");
  munit_assert_int(driver_last(&w)->attempt, ==, 1);
  munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_OK, NULL), ==, SVC_OK);
  driver_state(&w, "IDLE");

  w.log.answer = SVC_IO; /* the driver does not accept the order */
  w.t.log[0] = 0;
  munit_assert_int(t_sendf(&w.t, "PATCH", PROBE_RESIZE("M30"), CLUSTER, w.group), ==, 200);
  driver_tick(&w, 1);
  driver_state(&w, "REPAIRING");
  munit_assert_not_null(strstr(w.t.log, "refused"));
  driver_orders(&w, 0, 0);
  w.log.answer = SVC_OK;
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, CLUSTER, w.group), ==, 202); /* after a failed delete the cluster still exists */
  driver_tick(&w, 1);
  munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_INVALID, NULL), ==, SVC_OK);
  driver_state(&w, "REPAIRING");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, CLUSTER, w.group), ==, 202);
  driver_tick(&w, 1);
  munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_OK, NULL), ==, SVC_OK);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER, w.group), ==, 404);
  t_close(&w.t);
}

TEST(driver, busy)
{
  int64_t waited, before = 0;
  driver_world w;
  char id[32];
  int i;
  driver_open(&w);
  w.log.answer = SVC_BUSY;
  driver_create(&w);
  driver_tick(&w, 1);
  strcpy(id, driver_last(&w)->id);
  for (i = 2; i <= 12; i++) {
    driver_tick(&w, 0); /* not at once, ... */
    for (waited = 0; atomic_load(&w.log.count) < i; waited += 500) {
      w.t.now += 500;
      munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
      munit_assert_int64(waited, <, 1000000);
    }
    munit_assert_int64(waited, >=, before); /* ... but after a pause that grows to at most five minutes */
    if (before < 256000) munit_assert_int64(waited, >, before);
    before = waited;
    munit_assert_string_equal(driver_last(&w)->id, id);
    munit_assert_int(driver_last(&w)->attempt, ==, i);
  }
  munit_assert_int64(before, ==, 300000);
  driver_state(&w, "CREATING");
  driver_orders(&w, 1, 1);
  w.log.answer = SVC_OK;
  t_advance(&w.t, 300);
  driver_tick(&w, 1);
  munit_assert_int(svc_order_done(w.t.s, id, SVC_OK, NULL), ==, SVC_OK);
  driver_state(&w, "IDLE");
  driver_orders(&w, 0, 0);
  t_close(&w.t);
}

TEST(driver, replaced)
{
  driver_world w;
  char older[32];
  driver_open(&w);
  driver_idle(&w);
  munit_assert_int(t_sendf(&w.t, "PATCH", PROBE_RESIZE("M20"), CLUSTER, w.group), ==, 200);
  driver_tick(&w, 1);
  strcpy(older, driver_last(&w)->id);
  munit_assert_int(t_sendf(&w.t, "PATCH", PROBE_RESIZE("M30"), CLUSTER, w.group), ==, 200);
  driver_orders(&w, 1, 1);
  munit_assert_int(svc_order_done(w.t.s, older, SVC_OK, "{\"srvHost\":\"old\"}"), ==, SVC_OK);
  driver_state(&w, "UPDATING"); /* this order was replaced */
  munit_assert_null(strstr(t_str(&w.t, "connectionStrings.standardSrv"), "old"));
  munit_assert_int(svc_order_done(w.t.s, older, SVC_IO, NULL), ==, SVC_OK);
  driver_state(&w, "UPDATING");
  driver_tick(&w, 1);
  munit_assert_string_not_equal(driver_last(&w)->id, older);
  munit_assert_not_null(strstr(driver_last(&w)->desired, "M30"));
  munit_assert_int(driver_last(&w)->attempt, ==, 1);
  munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_OK, NULL), ==, SVC_OK);
  driver_state(&w, "IDLE");

  munit_assert_int(t_sendf(&w.t, "POST", PROBE_CLUSTER("Other", "M10"), "/groups/%s/clusters", w.group), ==, 201);
  driver_tick(&w, 1); /* a change replaces this order by an order that creates the cluster with the change */
  strcpy(older, driver_last(&w)->id);
  munit_assert_int(t_sendf(&w.t, "PATCH", PROBE_RESIZE("M40"), "/groups/%s/clusters/Other", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "CREATING");
  driver_tick(&w, 1);
  munit_assert_string_equal(driver_last(&w)->action, "cluster.create");
  munit_assert_string_not_equal(driver_last(&w)->id, older);
  munit_assert_not_null(strstr(driver_last(&w)->desired, "M40"));
  munit_assert_int(t_sendf(&w.t, "PATCH", "{}", "/groups/%s/clusters/Other", w.group), ==, 200); /* no change, so no order */
  driver_tick(&w, 0);
  t_close(&w.t);
}

TEST(driver, deleted)
{
  const char *before;
  driver_world w;
  char create[32];
  driver_open(&w);
  driver_create(&w);
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, CLUSTER, w.group), ==, 202); /* while its order waits */
  driver_orders(&w, 1, 1);
  driver_tick(&w, 1);
  munit_assert_string_equal(driver_last(&w)->action, "cluster.delete");
  driver_state(&w, "DELETING");
  munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_OK, "{\"hosts\":[]}"), ==, SVC_OK);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER, w.group), ==, 404);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "CLUSTER_DELETE_SUBMITTED CLUSTER_DELETED");
  driver_orders(&w, 0, 0);

  driver_create(&w); /* while the driver has the order */
  driver_tick(&w, 1);
  strcpy(create, driver_last(&w)->id);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, CLUSTER, w.group), ==, 202);
  munit_assert_int(svc_order_done(w.t.s, create, SVC_OK, NULL), ==, SVC_OK);
  driver_state(&w, "DELETING");
  driver_tick(&w, 1);
  munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_OK, NULL), ==, SVC_OK);
  driver_orders(&w, 0, 0);
  t_close(&w.t);
}

TEST(driver, facts)
{
  static const char *const bad[] = { "{", "[]", "7", "\"x\"", "null", "nonsense", "{\"a\":1,\"a\":2}", "{\"a\":1} x", "{\"a\":\"\xff\"}" };
  driver_world w;
  char id[32], *large;
  size_t i;
  driver_open(&w);
  driver_create(&w);
  driver_tick(&w, 1);
  strcpy(id, driver_last(&w)->id);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    if (svc_order_done(w.t.s, id, SVC_OK, bad[i]) != SVC_INVALID) munit_errorf("%s was taken", bad[i]);
    driver_state(&w, "CREATING");
  }
  large = malloc((size_t)3 << 20);
  memset(large, ' ', (size_t)3 << 20);
  memcpy(large, "{\"a\":\"", 6);
  strcpy(large + ((size_t)3 << 20) - 3, "\"}");
  munit_assert_int(svc_order_done(w.t.s, id, SVC_OK, large), ==, SVC_INVALID);
  free(large);
  munit_assert_int(svc_order_done(w.t.s, "no id at all", SVC_OK, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_order_done(w.t.s, "", SVC_OK, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_order_done(w.t.s, NULL, SVC_OK, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_order_done(NULL, id, SVC_OK, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_order_done(w.t.s, "5f5f5f5f5f5f5f5f5f5f5f5f", SVC_OK, "{\"srvHost\":\"x\"}"), ==, SVC_OK); /* an unknown order */
  driver_state(&w, "CREATING");
  driver_orders(&w, 1, 0);

  /* facts are checked like bodies: a refusal changes nothing, and the log names the member */
  munit_assert_int(svc_order_done(w.t.s, id, SVC_OK, "{\"hosts\":[\"a.example:27017\"],\"other\":{\"x\":[1]}}"), ==, SVC_INVALID);
  munit_assert_not_null(strstr(w.t.log, "other"));
  munit_assert_int(svc_order_done(w.t.s, id, SVC_OK, "{\"hosts\":\"none\",\"srvHost\":7}"), ==, SVC_INVALID);
  munit_assert_not_null(strstr(w.t.log, "hosts"));
  munit_assert_int(svc_order_done(w.t.s, id, SVC_OK, "{\"hosts\":[1,{\"a\":2},\"c.example:1\",null,\"\"]}"), ==, SVC_INVALID);
  driver_state(&w, "CREATING");
  driver_orders(&w, 1, 0);
  munit_assert_int(svc_order_done(w.t.s, id, SVC_OK, " \n{\"hosts\":[\"a.example:27017\",\"b.example:27018\"],\"srvHost\":\"main.example\"}\n"),
                   ==, SVC_OK);
  driver_state(&w, "IDLE");
  munit_assert_not_null(strstr(t_str(&w.t, "connectionStrings.standard"), "db://a.example:27017,b.example:27018/"));
  munit_assert_string_equal(t_str(&w.t, "connectionStrings.standardSrv"), "db+srv://main.example");
  munit_assert_int(t_sendf(&w.t, "PATCH", PROBE_RESIZE("M20"), CLUSTER, w.group), ==, 200); /* facts stay until the driver ... */
  munit_assert_not_null(strstr(t_str(&w.t, "connectionStrings.standard"), "a.example")); /* ... reports other ones */
  driver_tick(&w, 1);
  munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_OK, NULL), ==, SVC_OK);
  driver_state(&w, "IDLE");
  munit_assert_not_null(strstr(t_str(&w.t, "connectionStrings.standard"), "a.example"));
  munit_assert_int(t_sendf(&w.t, "PATCH", PROBE_RESIZE("M30"), CLUSTER, w.group), ==, 200);
  driver_tick(&w, 1);
  munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_OK, "{\"hosts\":[\"c.example:1\"],\"ssl\":false,\"scheme\":\"other\",\"version\":\"15.3\"}"),
                   ==, SVC_OK);
  driver_state(&w, "IDLE");
  munit_assert_not_null(strstr(t_str(&w.t, "connectionStrings.standard"), "other://c.example:1/?ssl=false"));
  munit_assert_string_equal(t_str(&w.t, "dbVersion"), "15.3"); /* only the driver knows the version of its engine */
  t_close(&w.t);
}

/* perform() is called outside of any transaction, so it may use the service like any caller. */
static void driver_uses_service(driver_log *log, svc *s, const svc_order *order)
{
  driver_world *w = log->context;
  char target[128], body[96];
  svc_caller caller = w->t.caller;
  svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request get = { .method = "GET", .target = target, .caller = &caller };
  svc_request post = { .method = "POST", .target = "/api/svc/v2/groups", .headers = &json, .header_count = 1, .body = body, .caller = &caller };
  svc_response response;
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/clusters/%s", order->group_id, order->name);
  munit_assert_int(svc_handle_request(s, &get, &response), ==, SVC_OK);
  munit_assert_int(response.status, ==, 200);
  munit_assert_not_null(strstr(response.body, "CREATING"));
  svc_response_free(&response);
  post.body_length = (size_t)snprintf(body, sizeof body, "{\"name\":\"made-by-driver\",\"orgId\":\"%s\"}", order->org_id);
  munit_assert_int(svc_handle_request(s, &post, &response), ==, SVC_OK);
  munit_assert_int(response.status, ==, 201);
  svc_response_free(&response);
}

TEST(driver, calls_back)
{
  driver_world w;
  driver_open(&w);
  w.log.during = driver_uses_service;
  w.log.context = &w;
  w.log.finish = 1;
  driver_create(&w);
  driver_tick(&w, 1);
  driver_state(&w, "IDLE");
  munit_assert_int(t_send(&w.t, "GET", "/groups/byName/made-by-driver", NULL), ==, 200);
  t_close(&w.t);
}

/* Two threads tick at the same time: no order is handed out twice. */
static void driver_slow(driver_log *log, svc *s, const svc_order *order)
{
  (void)log, (void)s, (void)order;
  usleep(500);
}

static void *driver_tick_thread(void *context)
{
  driver_world *w = context;
  int i;
  for (i = 0; i < 200; i++) munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  return NULL;
}

TEST(driver, two_ticks)
{
  enum { CLUSTERS = 70 }; /* more than are read at once */
  static driver_world w;
  pthread_t threads[2];
  char body[512];
  int i, j;
  driver_open(&w);
  w.log.during = driver_slow;
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"value\":90}", "/groups/%s/limits/svc.project.deployment.clusters", w.group), ==, 200);
  for (i = 0; i < CLUSTERS; i++) {
    snprintf(body, sizeof body, "{\"name\":\"c%d\",%s", i, PROBE_CLUSTER("x", "M10") + strlen("{\"name\":\"x\","));
    munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/clusters", w.group), ==, 201);
  }
  for (i = 0; i < 2; i++) munit_assert_int(pthread_create(&threads[i], NULL, driver_tick_thread, &w), ==, 0);
  for (i = 0; i < 2; i++) munit_assert_int(pthread_join(threads[i], NULL), ==, 0);
  munit_assert_int(atomic_load(&w.log.count), ==, CLUSTERS);
  for (i = 0; i < CLUSTERS; i++) {
    munit_assert_int(w.log.seen[i].attempt, ==, 1);
    for (j = 0; j < i; j++) munit_assert_string_not_equal(w.log.seen[i].id, w.log.seen[j].id);
  }
  driver_orders(&w, CLUSTERS, 0);
  t_close(&w.t);
}

/* -------------------------------------------------------------------------------------------------------------- a crash */

static void driver_folder(char out[64])
{
  strcpy(out, "/tmp/svcapi-driver-XXXXXX");
  munit_assert_not_null(mkdtemp(out));
}

static void driver_remove(const char *path)
{
  static const char *const files[] = { "data.mdb", "lock.mdb", "svcapi.lock", "svcapi.reserve", "postgres" };
  char name[128];
  size_t i;
  for (i = 0; i < sizeof files / sizeof files[0]; i++) {
    snprintf(name, sizeof name, "%s/%s", path, files[i]);
    unlink(name);
  }
  munit_assert_int(rmdir(path), ==, 0);
}

static void driver_stuck(driver_log *log, svc *s, const svc_order *order)
{
  (void)s, (void)order;
  munit_assert_int((int)write(*(int *)log->context, "p", 1), ==, 1);
  for (;;) pause();
}

/* A process that creates a cluster and is killed: after the driver has taken the order, or inside perform(). */
static void driver_killed_process(const char *path, bool during, int fd)
{
  static driver_world w;
  svc_config config;
  memset(&w.log, 0, sizeof w.log);
  w.driver = (svc_driver){ driver_perform, NULL, &w.log };
  config = driver_config(&w);
  config.path = path;
  t_open(&w.t, &config);
  w.group = t_project(&w.t, t_organization(&w.t, "Acme"), "alpha");
  driver_create(&w);
  if (during) {
    w.log.during = driver_stuck;
    w.log.context = &fd;
  }
  svc_tick(w.t.s);
  munit_assert_int((int)write(fd, driver_last(&w)->id, 24), ==, 24);
  for (;;) pause();
}

TEST(driver, killed)
{
  static driver_world w;
  char path[64], id[32];
  svc_config config;
  int fds[2], round, status;
  bool taken;
  pid_t pid;
  SKIP_IF(getenv("SVC_TEST_QEMU") || t_port() == t_memory_port()); /* an in-memory store ends with its process */
  for (round = 0; round < 2; round++) {
    driver_folder(path);
    munit_assert_int(pipe(fds), ==, 0);
    pid = fork();
    munit_assert_int(pid, >=, 0);
    if (pid == 0) {
      driver_killed_process(path, round == 1, fds[1]);
      _exit(1);
    }
    memset(id, 0, sizeof id);
    munit_assert_int((int)read(fds[0], id, round == 0 ? 24 : 1), ==, round == 0 ? 24 : 1);
    munit_assert_int(kill(pid, SIGKILL), ==, 0);
    munit_assert_int(waitpid(pid, &status, 0), ==, pid);
    close(fds[0]);
    close(fds[1]);

    memset(&w.log, 0, sizeof w.log);
    w.driver = (svc_driver){ driver_perform, NULL, &w.log };
    config = driver_config(&w);
    config.path = path;
    t_open(&w.t, &config);
    if (t_port()->shared) { /* the killed handle may still be alive, until its lease ends */
      driver_tick(&w, 0);
      t_advance(&w.t, 61);
      t_reopen(&w.t, &config);
    }
    driver_orders(&w, 1, 1); /* queued again */
    driver_tick(&w, 1);
    if (round == 0) munit_assert_string_equal(driver_last(&w)->id, id);
    taken = round == 0 || t_port()->shared; /* with a shared store an order is recorded as taken before it is handed out */
    munit_assert_int(driver_last(&w)->attempt, ==, taken ? 2 : 1);
    munit_assert_string_equal(driver_last(&w)->action, "cluster.create");
    strcpy(id, driver_last(&w)->id);
    driver_tick(&w, 0);
    t_reopen(&w.t, &config); /* closing the handle regularly has the same effect: no one is left to report the outcome */
    driver_tick(&w, 1);
    munit_assert_string_equal(driver_last(&w)->id, id);
    munit_assert_int(driver_last(&w)->attempt, ==, taken ? 3 : 2);
    munit_assert_int(svc_order_done(w.t.s, id, SVC_OK, NULL), ==, SVC_OK);
    munit_assert_int(t_send(&w.t, "GET", "/groups/byName/alpha", NULL), ==, 200);
    w.group = t_keep(&w.t, t_str(&w.t, "id"));
    driver_state(&w, "IDLE");
    driver_orders(&w, 0, 0);
    t_close(&w.t);
    driver_remove(path);
  }
}

#define TRACE "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
#define OTHER_TRACE "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"

/* The trace of the request travels with its order, also if the driver is busy or another handle hands it out. An invalid traceparent
** is ignored, and an order without a request has none. */
TEST(driver, traced)
{
  static const char *const bad[] = { "", TRACE "-x", "ff" TRACE, "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01" };
  static driver_world w;
  char path[64], group[32];
  svc_config config;
  size_t i;
  driver_folder(path);
  config = driver_open_in(&w, path);
  strcpy(group, w.group);
  w.group = group;
  w.log.answer = SVC_BUSY;
  t_header(&w.t, "TraceParent", TRACE);
  driver_create(&w);
  t_headers_clear(&w.t);
  driver_tick(&w, 1);
  munit_assert_string_equal(driver_last(&w)->traceparent, TRACE);
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_OK);
  w.log.answer = SVC_OK;
  t_advance(&w.t, 2);
  driver_tick(&w, 1);
  munit_assert_string_equal(driver_last(&w)->traceparent, TRACE);
  munit_assert_int(driver_last(&w)->attempt, ==, 2);
  t_reopen(&w.t, &config); /* taken, but not done when the handle was closed */
  driver_tick(&w, 1);
  munit_assert_string_equal(driver_last(&w)->traceparent, TRACE);
  munit_assert_not_null(strstr(driver_last(&w)->desired, "\"instanceSize\":\"M10\""));
  munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_OK, NULL), ==, SVC_OK);

  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) { /* ignored: the request is served */
    t_header(&w.t, "traceparent", bad[i]);
    munit_assert_int(t_sendf(&w.t, "PATCH", i % 2 ? PROBE_RESIZE("M10") : PROBE_RESIZE("M20"), CLUSTER, w.group), ==, 200);
    t_headers_clear(&w.t);
    driver_tick(&w, 1);
    munit_assert_string_equal(driver_last(&w)->traceparent, "");
    munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_OK, NULL), ==, SVC_OK);
  }
  t_header(&w.t, "traceparent", TRACE);
  t_header(&w.t, "traceparent", TRACE); /* two headers count as none */
  munit_assert_int(t_sendf(&w.t, "PATCH", PROBE_RESIZE("M20"), CLUSTER, w.group), ==, 200);
  t_headers_clear(&w.t);
  t_header(&w.t, "traceparent", "cc" OTHER_TRACE "-more"); /* not version 00, and no dash after the 55 characters */
  munit_assert_int(t_sendf(&w.t, "PATCH", PROBE_RESIZE("M30"), CLUSTER, w.group), ==, 200);
  driver_tick(&w, 1);
  munit_assert_string_equal(driver_last(&w)->traceparent, "");
  t_headers_clear(&w.t);
  t_header(&w.t, "traceparent", OTHER_TRACE); /* a newer order replaces the older one, with its trace */
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, CLUSTER, w.group), ==, 202);
  t_headers_clear(&w.t);
  driver_tick(&w, 1);
  munit_assert_string_equal(driver_last(&w)->action, "cluster.delete");
  munit_assert_string_equal(driver_last(&w)->traceparent, OTHER_TRACE);
  t_close(&w.t);
  driver_remove(path);
}

/* Numbers of orders, for metrics: as of the last tick, without a read of the store. */
TEST(driver, figures)
{
  driver_world w;
  svc_config config;
  svc_statistics now;
  memset(&w.log, 0, sizeof w.log);
  w.driver = (svc_driver){ driver_perform, NULL, &w.log };
  config = driver_config(&w);
  config.metrics = 1;
  t_open(&w.t, &config);
  w.group = t_project(&w.t, t_organization(&w.t, "Acme"), "alpha");
  driver_tick(&w, 0);
  munit_assert_int(svc_stats(w.t.s, &now), ==, SVC_OK);
  munit_assert_uint64(now.orders + now.orders_waiting + (uint64_t)now.oldest_order_ms + now.order_retries, ==, 0);
  driver_create(&w);
  w.log.answer = SVC_BUSY;
  t_advance(&w.t, 10); /* a remote store is read every five seconds */
  driver_tick(&w, 1);
  munit_assert_int(svc_stats(w.t.s, &now), ==, SVC_OK);
  munit_assert_uint64(now.orders, ==, 1);
  munit_assert_uint64(now.orders_waiting, ==, 1);
  munit_assert_int64(now.oldest_order_ms, >=, 10000);
  munit_assert_int64(now.oldest_order_ms, <, 11000);
  w.log.answer = SVC_OK;
  t_advance(&w.t, 50);
  driver_tick(&w, 1);
  munit_assert_int(svc_stats(w.t.s, &now), ==, SVC_OK);
  munit_assert_uint64(now.orders, ==, 1); /* taken, but not done */
  munit_assert_uint64(now.orders_waiting, ==, 0);
  munit_assert_int64(now.oldest_order_ms, >=, 60000);
  munit_assert_uint64(now.order_retries, ==, 1);
  munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_OK, NULL), ==, SVC_OK);
  t_advance(&w.t, 10);
  driver_tick(&w, 0);
  munit_assert_int(svc_stats(w.t.s, &now), ==, SVC_OK);
  munit_assert_uint64(now.orders, ==, 0);
  munit_assert_int64(now.oldest_order_ms, ==, 0);
  t_close(&w.t);
}

/* A store with orders is opened without a driver: the simulator then carries them out by the clock. And the reverse. */
TEST(driver, gone)
{
  static driver_world w;
  char path[64], group[32];
  svc_config config, plain = { .limiter_off = 1 }, visit = { .limiter_off = 1, .keep_orders = 1 };
  driver_folder(path);
  memset(&w.log, 0, sizeof w.log);
  w.driver = (svc_driver){ driver_perform, NULL, &w.log };
  config = driver_config(&w);
  config.path = plain.path = visit.path = path;
  t_open(&w.t, &config);
  strcpy(group, t_project(&w.t, t_organization(&w.t, "Acme"), "alpha"));
  w.group = group;
  driver_create(&w);
  driver_tick(&w, 1);
  munit_assert_int(t_sendf(&w.t, "POST", PROBE_CLUSTER("Waiting", "M10"), "/groups/%s/clusters", w.group), ==, 201);
  driver_orders(&w, 2, 1);
  t_reopen(&w.t, &visit); /* a tool leaves the orders to the driver */
  driver_orders(&w, 2, 1);
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_OK);
  t_advance(&w.t, 3600);
  t_reopen(&w.t, &plain);
  driver_orders(&w, 0, 0);
  driver_state(&w, "CREATING"); /* the simulated step begins now */
  t_advance(&w.t, 9);
  driver_state(&w, "CREATING");
  t_advance(&w.t, 1);
  driver_state(&w, "IDLE");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/Waiting", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "IDLE");

  munit_assert_int(t_sendf(&w.t, "PATCH", PROBE_RESIZE("M20"), CLUSTER, w.group), ==, 200);
  t_reopen(&w.t, &config); /* the simulator completes the step that it has begun */
  driver_state(&w, "UPDATING");
  t_advance(&w.t, 5);
  driver_tick(&w, 0);
  driver_state(&w, "IDLE");
  t_close(&w.t);
  driver_remove(path);
}

/* Orders of nouns that this build leaves out are kept for the build that wrote them, or deleted, and never handed out. */
TEST(driver, left_out)
{
  static const char *const without[] = { "cluster", NULL };
  static driver_world w;
  char path[64], id[32], secrets[64];
  svc_config config, visit, plain = { .limiter_off = 1 };
  size_t n = sizeof secrets;
  driver_folder(path);
  visit = config = driver_open_in(&w, path);
  visit.keep_orders = 1;
  plain.path = path;
  driver_create(&w);
  driver_tick(&w, 1);
  strcpy(id, driver_last(&w)->id);
  munit_assert_int(t_sendf(&w.t, "POST", PROBE_CLUSTER("Waiting", "M10"), "/groups/%s/clusters", w.group), ==, 201);
  t_without(without);
  t_reopen(&w.t, &visit);
  driver_orders(&w, 2, 1);
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_OK);
  driver_tick(&w, 0);
  driver_orders(&w, 2, 1);
  munit_assert_int(svc_order_secrets(w.t.s, id, secrets, &n), ==, SVC_INVALID);
  munit_assert_int(svc_order_done(w.t.s, id, SVC_OK, NULL), ==, SVC_OK);
  driver_orders(&w, 1, 1);
  t_reopen(&w.t, &plain); /* no other build can write to this store, so the orders would never be done */
  driver_orders(&w, 0, 0);
  t_close(&w.t);
  t_without(NULL);
  driver_remove(path);
}

/* Sets the value of this key, or without a key that of the first record of a class. value NULL: removes the record. */
static void driver_damage(svc *s, const char *prefix, svc_str key, const svc_str *value)
{
  const svc_store_port *port = s->commit.port;
  svc_str first, record;
  svc_scan scan;
  svc_key at = { .n = strlen(prefix) };
  svc_txn *txn;
  memcpy(at.b, prefix, at.n);
  munit_assert_int(port->write_begin(s->commit.store, &txn), ==, SVC_OK);
  svc_scan_below(&scan, txn, &at, false);
  if (key.n == 0) munit_assert_true(svc_scan_next(&scan, &first, &record));
  else first = key;
  munit_assert_int(value ? port->put(txn, first, *value) : port->remove(txn, first), ==, SVC_OK);
  munit_assert_int(port->commit(txn), ==, SVC_OK);
}

/* Records of the queue without an order are skipped. A damaged order, or a taken order in the queue, makes the store corrupt: the check
** says so, and a handle that would hand out orders does not open. */
TEST(driver, damaged)
{
  static const svc_str nothing = SVC_S(""), cut = SVC_S("0123456789"), endless = SVC_S("012345678901" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0" "\377\377" "x");
  static driver_world w;
  svc_config config;
  char path[64], order[4096];
  svc_str kept = { order, 0 };
  probe_walk walk;
  svc_key key;
  svc *s;
  size_t i;
  driver_folder(path);
  config = driver_open_in(&w, path);
  driver_create(&w);
  driver_damage(w.t.s, "w", SVC_S("w"), &nothing);
  driver_damage(w.t.s, "w", SVC_S("w\1\1\1\1\1\1\1\1\1\1"), &nothing);
  driver_tick(&w, 1);
  driver_damage(w.t.s, "w", SVC_S("w"), NULL);
  driver_damage(w.t.s, "w", SVC_S("w\1\1\1\1\1\1\1\1\1\1"), NULL);
  for (probe_walk_begin(&walk, w.t.s, "o"); probe_walk_next(&walk);) {
    munit_assert_size(walk.value.n, <, sizeof order);
    memcpy(order, walk.value.p, kept.n = walk.value.n);
  }
  /* a record of the queue for an order that is taken */
  svc_key_begin(&key, 'w');
  svc_key_time(&key, w.t.now);
  svc_key_add(&key, order, 12);
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_OK);
  driver_damage(w.t.s, "w", svc_key_str(&key), &nothing);
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_CORRUPT);
  driver_damage(w.t.s, "w", svc_key_str(&key), NULL);
  for (i = 0; i < 2; i++) {
    driver_damage(w.t.s, "o", SVC_S(""), i ? &endless : &cut);
    munit_assert_int(svc_order_done(w.t.s, driver_last(&w)->id, SVC_OK, NULL), ==, SVC_CORRUPT);
    munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_CORRUPT);
    svc_close(w.t.s);
    w.t.s = NULL;
    config.store = t_port();
    munit_assert_int(svc_open(&s, &config), ==, SVC_CORRUPT);
    munit_assert_null(s);
    config.store = NULL;
    config.keep_orders = 1;
    t_reopen(&w.t, &config);
    config.keep_orders = 0;
    driver_damage(w.t.s, "o", SVC_S(""), &kept);
  }
  driver_damage(w.t.s, "o", SVC_S("oclus"), &kept);
  svc_close(w.t.s);
  w.t.s = NULL;
  config.store = t_port();
  munit_assert_int(svc_open(&s, &config), ==, SVC_CORRUPT);
  config.store = NULL;
  config.keep_orders = 1;
  t_reopen(&w.t, &config);
  config.keep_orders = 0;
  driver_damage(w.t.s, "o", SVC_S("oclus"), NULL);
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_OK);
  t_close(&w.t);
  driver_remove(path);
}

/* In a shared store: live handles with orders of their own, more handles than can be told apart, and damaged records of handles. */
TEST(driver, sessions)
{
  static driver_world w;
  svc_config config;
  char path[64];
  int64_t until = T_START + 3600000;
  const svc_str soon = { (const char *)&until, sizeof until }, odd = SVC_S("odd");
  svc_key key;
  unsigned i;
  SKIP_IF(!t_port()->shared);
  driver_folder(path);
  config = driver_open_in(&w, path);
  driver_create(&w);
  for (i = 0; i < 300; i++) {
    svc_key_meta(&key, "session");
    svc_key_number(&key, 2 * i + 1000001, 8);
    driver_damage(w.t.s, "m", svc_key_str(&key), i % 100 == 7 ? &odd : &soon);
  }
  driver_damage(w.t.s, "m", SVC_S("msessio"), &odd);
  driver_damage(w.t.s, "m", SVC_S("msessionshort"), &odd);
  config.driver = NULL;
  t_reopen(&w.t, &config); /* this handle has no driver, but others have */
  driver_orders(&w, 1, 1);
  config.driver = &w.driver;
  t_reopen(&w.t, &config);
  driver_tick(&w, 1);
  driver_orders(&w, 1, 0);
  t_close(&w.t);
  w.t.now = -600000; /* a clock that was never set */
  t_reopen(&w.t, &config);
  driver_orders(&w, 1, 0); /* the handle with the order may still be alive */
  t_close(&w.t);
  driver_remove(path);
}

/* ------------------------------------------------------------------------------------------------------------- questions */

static const svc_field load_fields[] = { F_BOOL("simulated"), F_INT("value") };
static const svc_object load_object = { .name = "Load", .fields = SVC_ROWS(load_fields) };

static bool load_run(svc_call *c)
{
  const svc_entity *e;
  svc_str cpu = SVC_S("{\"metric\":\"CPU\"}");
  munit_assert_not_null(c->txn);
  if (!svc_resolve_all(c)) return false;
  e = svc_path_entity(c, "cluster");
  if (svc_query_get(c, "quick")) { /* with ?quick no question is needed */
    svc_node *body = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
    svc_node_set_i64(c->arena, body, "value", -1);
    return svc_answer_node(c, body);
  }
  c->question->what = svc_query_get(c, "odd") ? "odd" : "measure";
  c->question->resource = "cluster";
  c->question->resource_id = svc_id_str(c->arena, &e->id).p;
  c->question->group_id = svc_id_str(c->arena, &c->scope.group).p;
  c->question->org_id = svc_id_str(c->arena, &c->scope.org).p;
  c->question->name = svc_arena_copy(c->arena, e->unique).p;
  c->question->parameters = svc_arena_copy(c->arena, cpu).p;
  return true;
}
static bool load_on_reply(svc_call *c, const svc_reply *reply)
{
  const svc_entity *e = svc_path_entity(c, "cluster");
  munit_assert_null(c->txn);
  munit_assert_true(svc_str_is(e->unique, "Main")); /* the names in the path are still known, but no record is */
  munit_assert_size(e->body.n, ==, 0);
  return svc_answer_node(c, svc_json_parse(c->arena, (svc_str){ reply->bytes, reply->length }));
}
static const svc_param load_params[] = {
  { .name = "odd", .type = SVC_BOOLEAN }, { .name = "quick", .type = SVC_BOOLEAN }, { .name = NULL }
};
static const svc_route load_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/clusters/{clusterName}/load", .set = SVC_SET_CLUSTERS, PROBE_VERSIONS,
    .roles = SVC_R_GROUP_READ_ONLY, .params = load_params, .answer = &load_object, .run = load_run, .on_reply = load_on_reply }
};
static const svc_field load_asked_fields[] = { F_STR("metric") };
static const svc_object load_asked = { .name = "AskedLoad", .fields = SVC_ROWS(load_asked_fields) };
static const svc_question_row load_question = { "measure", "cluster", "How much there is to do.", &load_asked, NULL, SVC_REPLY_OBJECT };
static const svc_noun load_noun = {
  .questions = SVC_ASKS(&load_question),
  .name = "load", .parent = "cluster", .flags = SVC_VIRTUAL, .object = &load_object, .routes = SVC_ROUTES(load_routes)
};
static const svc_noun *const loads[] = { &load_noun, NULL };

typedef struct driver_asked {
  driver_world *w;
  int count, answer;
  size_t bytes; /* size of the answer; 0: a number */
} driver_asked;

static int driver_ask(void *context, svc *s, const svc_question *q, svc_reply *r)
{
  driver_asked *asked = context;
  svc_caller caller = asked->w->t.caller;
  svc_request request = { .method = "POST", .target = "/api/svc/v2/groups", .caller = &caller };
  svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_response response;
  char body[96];
  size_t i;
  asked->count++;
  munit_assert_string_equal(q->what, "measure");
  munit_assert_string_equal(q->name, "Main");
  munit_assert_string_equal(q->group_id, asked->w->group);
  munit_assert_string_equal(q->org_id, asked->w->org);
  munit_assert_string_equal(q->parameters, "{\"metric\":\"CPU\"}");
  munit_assert_int64(q->now, ==, asked->w->t.now);
  munit_assert_size(q->most, >, 1000);
  request.headers = &json; /* outside of any transaction: even a write works */
  request.header_count = 1;
  request.body = body;
  request.body_length = (size_t)snprintf(body, sizeof body, "{\"name\":\"asked-%d\",\"orgId\":\"%s\"}", asked->count, q->org_id);
  munit_assert_int(svc_handle_request(s, &request, &response), ==, SVC_OK);
  munit_assert_int(response.status, ==, 201);
  svc_response_free(&response);
  if (asked->answer != SVC_OK) return asked->answer;
  if (!asked->bytes) {
    munit_assert_int(svc_reply_add(r, "{\"value\"", 8), ==, SVC_OK);
    munit_assert_int(svc_reply_add(r, "", 0), ==, SVC_OK);
    return svc_reply_add(r, ":17}", 4);
  }
  for (i = 0; i < asked->bytes; i += 1 << 20) { /* too much, in pieces */
    static char piece[1 << 20];
    size_t before = r->length;
    int rc = svc_reply_add(r, piece, sizeof piece);
    if (rc == SVC_OK) continue;
    munit_assert_int(rc, ==, SVC_FULL);
    munit_assert_size(r->length, ==, before);
    munit_assert_size(r->length + sizeof piece, >, q->most);
    return rc;
  }
  munit_assert_size(r->length, <=, q->most);
  return SVC_OK;
}

static int driver_may_wait(driver_world *w, const char *method, const char *path)
{
  char target[160];
  svc_request request = { .method = method, .target = target };
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s%s", w->group, path);
  return svc_may_wait(w->t.s, &request);
}

TEST(driver, questions)
{
  driver_asked asked = { 0 };
  driver_world w;
  t_probes(loads);
  driver_open(&w);
  driver_idle(&w);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER "/load", w.group), ==, 503); /* a driver without ask() */
  t_close(&w.t);

  driver_open(&w);
  driver_idle(&w);
  w.driver.ask = driver_ask;
  w.driver.context = &asked;
  asked.w = &w;
  munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER "/load", w.group), ==, 200);
  munit_assert_int64(t_int(&w.t, "value"), ==, 17);
  munit_assert_string_not_equal(t_link(&w.t, "self"), "");
  munit_assert_int(t_sendf(&w.t, "HEAD", NULL, CLUSTER "/load", w.group), ==, 200);
  munit_assert_int(asked.count, ==, 2);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER "/load?quick=true", w.group), ==, 200); /* answered without a question */
  munit_assert_int64(t_int(&w.t, "value"), ==, -1);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/None/load", w.group), ==, 404);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER "/load?slow=true", w.group), ==, 400);
  w.t.anonymous = true;
  munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER "/load", w.group), ==, 401);
  w.t.anonymous = false;
  munit_assert_int(asked.count, ==, 2); /* none of these requests reached the driver */

  asked.answer = SVC_BUSY;
  w.t.log[0] = 0;
  munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER "/load", w.group), ==, 503);
  munit_assert_string_equal(t_error(&w.t), "SERVICE_UNAVAILABLE");
  munit_assert_not_null(strstr(w.t.log, "measure"));
  asked.answer = SVC_OK;
  asked.bytes = (size_t)1 << 30;
  munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER "/load", w.group), ==, 503); /* too large */
  asked.bytes = 0;
  munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER "/load", w.group), ==, 200);

  munit_assert_int(driver_may_wait(&w, "GET", "/clusters/Main/load"), ==, 1);
  munit_assert_int(driver_may_wait(&w, "HEAD", "/clusters/Main/load"), ==, 1);
  munit_assert_int(driver_may_wait(&w, "GET", "/clusters/Main"), ==, t_port()->shared); /* a remote store may wait */
  munit_assert_int(driver_may_wait(&w, "GET", "/clusters/Main/load/more"), ==, t_port()->shared);
  munit_assert_int(driver_may_wait(&w, "GET", "/clusters/%zz"), ==, t_port()->shared); /* not a valid path */
  munit_assert_int(driver_may_wait(&w, "POST", "/clusters"), ==, 1);
  munit_assert_int(svc_may_wait(w.t.s, NULL), ==, 0);
  munit_assert_int(svc_may_wait(NULL, NULL), ==, 0);
  munit_assert_int(svc_reply_add(NULL, "x", 1), ==, SVC_INVALID);
  t_close(&w.t);
  t_probes(NULL);
}

/* Without a driver values are simulated: the same in every run, and marked as simulated. */
TEST(driver, simulated)
{
  const svc_config quiet = { .limiter_off = 1 };
  int64_t values[2][4];
  driver_world w;
  int run, i;
  t_probes(loads);
  for (run = 0; run < 2; run++) {
    t_open(&w.t, &quiet);
    w.group = t_project(&w.t, t_organization(&w.t, "Acme"), "alpha");
    munit_assert_int(t_sendf(&w.t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", w.group), ==, 201);
    munit_assert_int(driver_may_wait(&w, "GET", "/clusters/Main/load"), ==, 1); /* the function cannot know that no driver will be asked */
    for (i = 0; i < 4; i++) {
      munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER "/load", w.group), ==, 200);
      munit_assert_string_equal(t_str(&w.t, "simulated"), "true");
      values[run][i] = t_int(&w.t, "value");
      munit_assert_int64(values[run][i], >=, 0);
      munit_assert_int64(values[run][i], <=, 1000);
      t_advance(&w.t, i == 0 ? 1 : 3600);
    }
    munit_assert_int64(values[run][0], ==, values[run][1]); /* the same within a minute */
    munit_assert_true(values[run][1] != values[run][2] || values[run][2] != values[run][3]);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, CLUSTER "/load?odd=true", w.group), ==, 503); /* the simulator does not know the question */
    t_close(&w.t);
  }
  munit_assert_memory_equal(sizeof values[0], values[0], values[1]);
  t_probes(NULL);
}

/* --------------------------------------------------------------------------------------------------------------- reports */

#define THREE "{\"hosts\":[\"a.example:1\",\"b.example:2\",\"c.example:3\"],\"replicaSet\":\"rs\",\"ssl\":false}"

static void driver_three(driver_world *w, char id[25])
{
  driver_open(w);
  driver_create(w);
  snprintf(id, 25, "%s", t_str(&w->t, "id"));
  driver_tick(w, 1);
  munit_assert_int(svc_order_done(w->t.s, driver_last(w)->id, SVC_OK, THREE), ==, SVC_OK);
}

/* Returns the current type of a process. */
static const char *driver_type(driver_world *w, const char *process)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/processes/%s", w->group, process), ==, 200);
  return t_str(&w->t, "typeName");
}

/* Hosts go down and up, and become primary; each change is reported once, with its events. */
TEST(driver, report)
{
  const char *before;
  char id[25], both[64];
  driver_world w;
  driver_three(&w, id);
  munit_assert_string_equal(driver_type(&w, "a.example:1"), "REPLICA_PRIMARY");
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  munit_assert_int(svc_report(w.t.s, "cluster", id, "{\"processes\":[{\"host\":\"a.example:1\",\"up\":false}]}"), ==, SVC_OK);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "HOST_DOWN PRIMARY_ELECTED");
  munit_assert_string_equal(driver_type(&w, "a.example:1"), "REPLICA_SECONDARY");
  munit_assert_string_equal(driver_type(&w, "b.example:2"), "REPLICA_PRIMARY");
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  /* already known */
  munit_assert_int(svc_report(w.t.s, "cluster", id, "{\"processes\":[{\"host\":\"a.example:1\",\"up\":false}]}"), ==, SVC_OK);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "");
  snprintf(both, sizeof both, "%s/%s", w.group, id); /* the path is found without a search */
  munit_assert_int(svc_report(w.t.s, "cluster", both, "{\"processes\":[{\"host\":\"b.example:2\",\"up\":false}]}"), ==, SVC_OK);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "HOST_DOWN NO_PRIMARY");
  munit_assert_string_equal(driver_type(&w, "c.example:3"), "REPLICA_SECONDARY");
  before = t_keep(&w.t, probe_feed(&w.t, w.feed));
  snprintf(both, sizeof both, "%s/Main", w.group);
  munit_assert_int(svc_report(w.t.s, "cluster", both, "{\"processes\":[{\"host\":\"a.example:1\",\"up\":true},{\"host\":\"c.example:3\",\"primary\":true}]}"),
                   ==, SVC_OK);
  munit_assert_string_equal(probe_feed_since(&w.t, w.feed, before), "HOST_UP PRIMARY_ELECTED ONE_PRIMARY");
  munit_assert_string_equal(driver_type(&w, "c.example:3"), "REPLICA_PRIMARY");
  t_close(&w.t);
}

/* Reports change the address and the version of a cluster, and those of its hosts. */
TEST(driver, report_moved)
{
  driver_world w;
  char id[25];
  driver_three(&w, id);
  driver_state(&w, "IDLE");
  munit_assert_string_equal(t_str(&w.t, "connectionStrings.standard"),
                            "db://a.example:1,b.example:2,c.example:3/?ssl=false&authSource=admin&replicaSet=rs");
  munit_assert_int(svc_report(w.t.s, "cluster", id, "{\"processes\":[{\"host\":\"b.example:2\",\"movedTo\":\"b.example:9\"}],\"version\":\"16.1\"}"), ==, SVC_OK);
  driver_state(&w, "IDLE");
  munit_assert_string_equal(t_str(&w.t, "connectionStrings.standard"),
                            "db://a.example:1,b.example:9,c.example:3/?ssl=false&authSource=admin&replicaSet=rs");
  munit_assert_string_equal(t_str(&w.t, "dbVersion"), "16.1");
  munit_assert_int(svc_report(w.t.s, "cluster", id, "{\"processes\":[{\"host\":\"a.example:1\",\"version\":\"16.2\"}]}"), ==, SVC_OK);
  (void)driver_type(&w, "a.example:1");
  munit_assert_string_equal(t_str(&w.t, "version"), "16.2");
  (void)driver_type(&w, "b.example:9");
  munit_assert_string_equal(t_str(&w.t, "version"), "16.1");
  t_close(&w.t);
}

/* Invalid reports change nothing. */
TEST(driver, report_refused)
{
  static const struct {
    const char *resource, *facts;
  } bad[] = {
    { "cluster", "" }, { "cluster", "[]" }, { "cluster", "{" }, { "cluster", "{\"other\":1}" }, { "cluster", "{\"processes\":[{\"up\":true}]}" },
    { "cluster", "{\"ssl\":\"yes\"}" }, { "cluster", "{\"scheme\":\"a b\"}" }, { "project", "{}" }, { "nothing", "{}" }, { "database user", "{}" },
  };
  driver_world w;
  uint64_t print;
  char id[25];
  size_t i;
  driver_three(&w, id);
  driver_state(&w, "IDLE");
  print = store_print(w.t.s);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
    if (svc_report(w.t.s, bad[i].resource, id, bad[i].facts) != SVC_INVALID) munit_errorf("%s: %s", bad[i].resource, bad[i].facts);
  munit_assert_int(svc_report(w.t.s, "cluster", id, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_report(w.t.s, "cluster", NULL, "{}"), ==, SVC_INVALID);
  munit_assert_int(svc_report(w.t.s, NULL, id, "{}"), ==, SVC_INVALID);
  munit_assert_int(svc_report(NULL, "cluster", id, "{}"), ==, SVC_INVALID);
  munit_assert_int(svc_report(w.t.s, "cluster", "5f5f5f5f5f5f5f5f5f5f5f5f", "{}"), ==, SVC_NOT_FOUND);
  munit_assert_int(svc_report(w.t.s, "cluster", "no id", "{}"), ==, SVC_NOT_FOUND);
  munit_assert_int(svc_report(w.t.s, "cluster", "a/b/c", "{}"), ==, SVC_NOT_FOUND);
  munit_assert_uint64(store_print(w.t.s), ==, print);
  t_close(&w.t);
}

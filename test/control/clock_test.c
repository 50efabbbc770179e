/*
** The manual clock stands still, or runs at a given rate. The host moves it, only forwards. After a move all steps that became due
** have run, in the order of their times.
*/
#include "control/control.h"
#include "support.h"

#include <pthread.h>
#include <unistd.h>

#define HOUR INT64_C(3600000)
#define DAY (24 * HOUR)
#define CLUSTER(more) \
  "{\"name\":\"C\",\"clusterType\":\"REPLICASET\"" more ",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
  "\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\"}}]}]}"

static const char *clock_cluster(t_service *t, const char *body)
{
  const char *group = t_project(t, t_organization(t, "Acme"), "P1");
  munit_assert_int(t_sendf(t, "POST", body, "/groups/%s/clusters", group), ==, 201);
  return group;
}

TEST(clock, moves)
{
  svc_config config = { .manual_clock = T_START };
  const char *group;
  t_service t;
  t_open(&t, &config);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START);
  group = clock_cluster(&t, CLUSTER(""));
  munit_assert_int64(svc_clock_now(t.s), ==, T_START); /* only the host moves the clock */
  munit_assert_int(svc_clock_advance(t.s, 9999), ==, SVC_OK);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/C", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "stateName"), "CREATING");
  munit_assert_int(svc_clock_set(t.s, T_START + 10000), ==, SVC_OK);
  munit_assert_int(svc_is_due(t.s), ==, 0); /* the step has run without any request */
  munit_assert_int64(svc_commit_next(&t.s->commit), >, svc_clock_now(t.s));
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/C", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "stateName"), "IDLE");
  munit_assert_int(svc_clock_advance(t.s, 0), ==, SVC_OK);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 10000);
  munit_assert_int64(svc_provisioned(t.s, 0, 0), ==, 1); /* even the first moment has a provisioning time */
  t_close(&t);
}

TEST(clock, refuses)
{
  svc_config config = { .manual_clock = T_START };
  t_service t;
  svc *s;
  t_open(&t, &config);
  munit_assert_int(svc_clock_set(t.s, T_START - 1), ==, SVC_INVALID);
  munit_assert_int(svc_clock_advance(t.s, -1), ==, SVC_INVALID);
  munit_assert_int(svc_clock_advance(t.s, INT64_MAX), ==, SVC_INVALID);
  munit_assert_int(svc_clock_set(t.s, SVC_CLOCK_LAST + 1), ==, SVC_INVALID);
  munit_assert_int(svc_clock_set(NULL, T_START), ==, SVC_INVALID);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START);
  munit_assert_int64(svc_clock_now(NULL), ==, 0);
  config.clock = t.s->config.clock; /* a clock of the host and a manual clock */
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  t_close(&t);
  config = (svc_config){ .manual_clock = -1 };
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  config.manual_clock = SVC_CLOCK_LAST + 1;
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  t_open(&t, NULL); /* the host's own clock */
  munit_assert_int(svc_clock_set(t.s, T_START + 1), ==, SVC_INVALID);
  munit_assert_int(svc_clock_advance(t.s, 1), ==, SVC_INVALID);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START);
  t_close(&t);
}

/* A schedule creates snapshots, each at its own time. */
TEST(clock, chain)
{
  svc_config config = { .manual_clock = T_START };
  const char *group, *at;
  char before[32] = "9";
  t_service t;
  size_t i, n;
  t_open(&t, &config);
  group = clock_cluster(&t, CLUSTER(",\"backupEnabled\":true"));
  munit_assert_int(svc_clock_advance(t.s, 3 * DAY), ==, SVC_OK);
  munit_assert_int(svc_is_due(t.s), ==, 0);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/C/backup/snapshots?itemsPerPage=500", group), ==, 200);
  n = t_count(&t, "results");
  munit_assert_size(n, >, 5);
  for (i = 0; i < n; i++) { /* newest first, and no two at the same time */
    char path[64];
    snprintf(path, sizeof path, "results[%zu].createdAt", i);
    at = t_str(&t, path);
    munit_assert_int(strcmp(at, before), <, 0);
    snprintf(before, sizeof before, "%s", at);
  }
  t_close(&t);
}

/* -------------------------------------------------------------------------------------------------------- with a driver */

typedef struct clock_driver {
  int64_t at[64];
  int count, busy;
} clock_driver;

static int clock_perform(void *context, svc *s, const svc_order *order)
{
  clock_driver *d = context;
  munit_assert_int(d->count, <, 64);
  d->at[d->count++] = svc_clock_now(s);
  if (d->busy-- > 0) return SVC_BUSY;
  munit_assert_int(svc_clock_advance(s, 1), ==, SVC_BUSY); /* the clock is busy, because its move has called this driver */
  return svc_order_done(s, order->id, SVC_OK, NULL);
}

/* A busy driver gets the order again at the times in between, not only at the end of the move. */
TEST(clock, orders)
{
  clock_driver d = { .busy = 4 };
  svc_driver driver = { clock_perform, NULL, &d };
  svc_config config = { .manual_clock = T_START, .driver = &driver };
  const char *group;
  t_service t;
  int i;
  t_open(&t, &config);
  group = clock_cluster(&t, CLUSTER(""));
  munit_assert_int(svc_clock_advance(t.s, DAY), ==, SVC_OK);
  munit_assert_int(d.count, >=, 5);
  munit_assert_int64(d.at[0], ==, T_START);
  for (i = 1; i < 5; i++) munit_assert_int64(d.at[i], >, d.at[i - 1]);
  munit_assert_int64(d.at[4], <, T_START + HOUR);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + DAY);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/C", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "stateName"), "IDLE");
  t_close(&t);
}

static int clock_notify(void *context, svc *s, const svc_notification *n)
{
  clock_driver *d = context;
  (void)n;
  munit_assert_int(d->count, <, 64);
  d->at[d->count++] = svc_clock_now(s);
  return d->busy-- > 0 ? SVC_BUSY : SVC_OK;
}

/* A busy host without a driver gets its notifications again at the times in between, too. Uses of access lists are written on the way. */
TEST(clock, notices)
{
  clock_driver d = { .busy = 2 };
  svc_config config = { .manual_clock = T_START, .notify = clock_notify, .notify_context = &d };
  svc_credentials keys;
  const char *group;
  t_service t;
  int i;
  t_open(&t, &config);
  munit_assert_int(svc_bootstrap(t.s, &keys), ==, SVC_OK);
  group = t_project(&t, t_organization(&t, "Acme"), "P1");
  munit_assert_int(t_sendf(&t, "POST", "{\"enabled\":true,\"eventTypeName\":\"NETWORK_PERMISSION_ENTRY_ADDED\",\"notifications\":[{"
                           "\"typeName\":\"EMAIL\",\"emailAddress\":\"a@example.com\",\"delayMin\":5}]}", "/groups/%s/alertConfigs", group), ==, 201);
  munit_assert_int(t_sendf(&t, "POST", "[{\"ipAddress\":\"10.0.0.1\"}]", "/groups/%s/accessList", group), ==, 201);
  munit_assert_int(svc_clock_advance(t.s, DAY), ==, SVC_OK);
  munit_assert_int(d.count, ==, 3);
  munit_assert_int64(d.at[0], ==, T_START + 5 * 60000);
  for (i = 1; i < 3; i++) munit_assert_int64(d.at[i], >, d.at[i - 1]);
  munit_assert_int64(d.at[2], <, T_START + HOUR);
  munit_assert_int(t_sendf(&t, "POST", "[{\"ipAddress\":\"198.51.100.9\"}]", "/orgs/%s/serviceAccounts/%s/accessList", keys.org_id, keys.client_id), ==, 201);
  munit_assert_int(t_as_account(&t, keys.client_id, keys.client_secret), ==, 200);
  t.peer = "198.51.100.9";
  for (i = 0; i < 3; i++) munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int(svc_clock_advance(t.s, HOUR), ==, SVC_OK);
  t_as_host(&t);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/serviceAccounts/%s/accessList", keys.org_id, keys.client_id), ==, 200);
  munit_assert_int64(t_int(&t, "results[0].requestCount"), ==, 3);
  t_close(&t);
}

/* -------------------------------------------------------------------------------------------------------------- bounds */

/* svc_apply_due_some() runs the given number of steps, and at most one batch more. */
TEST(clock, bounded)
{
  svc_config config = { .manual_clock = T_START, .limiter_off = 1 };
  int64_t left = 1;
  t_service t;
  char key[32], body[128];
  int i;
  t_open(&t, &config);
  for (i = 0; i < 300; i++) { /* each idempotency key is deleted after a day */
    snprintf(key, sizeof key, "key-%d-of-some-length", i);
    snprintf(body, sizeof body, "{\"name\":\"o%d\"}", i);
    t_header(&t, "Idempotency-Key", key);
    munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 201);
    t_headers_clear(&t);
  }
  svc_clock_put(t.s, T_START + 2 * DAY);
  munit_assert_int(svc_apply_due_some(t.s, T_START + 2 * DAY, &left), ==, SVC_OK);
  munit_assert_int64(left, ==, 0);
  munit_assert_int(svc_is_due(t.s), ==, 1);
  munit_assert_int(svc_clock_advance(t.s, 0), ==, SVC_OK); /* the next move runs the other steps */
  munit_assert_int(svc_is_due(t.s), ==, 0);
  t_close(&t);
}

/* ------------------------------------------------------------------------------------------------------------- threads */

typedef struct clock_worker {
  svc *s;
  const char *org;
  int number;
} clock_worker;

static void *clock_work(void *argument)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller me = { "5f0000000000000000000001", "me@example.com", &owner, 1, 1 };
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  const clock_worker *w = argument;
  int i;
  for (i = 0; i < 20; i++) {
    char body[128];
    svc_request request = { .method = "POST", .target = "/api/svc/v2/groups", .headers = &json, .header_count = 1, .caller = &me };
    svc_response response;
    request.body = body;
    request.body_length = (size_t)snprintf(body, sizeof body, "{\"name\":\"p%d-%d\",\"orgId\":\"%s\"}", w->number, i, w->org);
    munit_assert_int(svc_handle_request(w->s, &request, &response), ==, SVC_OK);
    munit_assert_int(response.status, ==, 201);
    svc_response_free(&response);
  }
  return NULL;
}

TEST(clock, threads)
{
  svc_config config = { .manual_clock = T_START, .limiter_off = 1 };
  pthread_t threads[4];
  clock_worker work[4];
  t_service t;
  int i;
  t_open(&t, &config);
  for (i = 0; i < 4; i++) {
    work[i] = (clock_worker){ t.s, i ? work[0].org : t_organization(&t, "Acme"), i };
    munit_assert_int(pthread_create(&threads[i], NULL, clock_work, &work[i]), ==, 0);
  }
  for (i = 0; i < 50; i++) munit_assert_int(svc_clock_advance(t.s, HOUR), ==, SVC_OK);
  for (i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 50 * HOUR);
  munit_assert_size(store_whole(t.s), ==, 80);
  t_close(&t);
}

/* Another thread restores a snapshot while the clock moves: the move returns SVC_BUSY, and the clock has the time of the snapshot. */
typedef struct clock_back {
  svc_snapshot *kept;
  svc *s;
  bool done;
} clock_back;

static void *clock_restore(void *argument)
{
  clock_back *b = argument;
  munit_assert_int(svc_snapshot_restore(b->s, b->kept), ==, SVC_OK);
  return NULL;
}

static int clock_perform_back(void *context, svc *s, const svc_order *order)
{
  clock_back *b = context;
  pthread_t thread;
  (void)order;
  if (b->done || !b->kept || svc_clock_now(s) < T_START + 5000) return SVC_BUSY;
  b->done = true;
  munit_assert_int(pthread_create(&thread, NULL, clock_restore, b), ==, 0);
  pthread_join(thread, NULL);
  return SVC_BUSY;
}

TEST(clock, set_back)
{
  clock_back b = { 0 };
  svc_driver driver = { clock_perform_back, NULL, &b };
  svc_config config = { .manual_clock = T_START, .driver = &driver };
  const char *group;
  t_service t;
  t_open(&t, &config);
  b.s = t.s;
  group = clock_cluster(&t, CLUSTER(""));
  munit_assert_int(t_sendf(&t, "POST", "[{\"ipAddress\":\"10.0.0.1\",\"deleteAfterDate\":\"2025-06-01T00:00:02Z\"}]", "/groups/%s/accessList", group), ==, 201);
  munit_assert_int(svc_snapshot_take(t.s, &b.kept), ==, SVC_OK);
  alarm(60);
  munit_assert_int(svc_clock_advance(t.s, HOUR), ==, SVC_BUSY);
  munit_assert_true(b.done);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START);
  munit_assert_int(svc_clock_advance(t.s, HOUR), ==, SVC_OK);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/accessList/10.0.0.1", group), ==, 404);
  svc_snapshot_free(b.kept);
  t_close(&t);
}

/* -------------------------------------------------------------------------------------------------------- a running clock */

static int64_t clock_real; /* nanoseconds of the machine's clock, as the tests set it */

static int64_t clock_machine(void *context)
{
  (void)context;
  return clock_real;
}

#define MS INT64_C(1000000)

TEST(clock, runs)
{
  svc_config config = { .manual_clock = T_START, .clock_rate = 100, .monotonic = clock_machine };
  const char *group;
  svc_snapshot *kept;
  t_service t;
  clock_real = 77 * MS;
  t_open(&t, &config);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START);
  clock_real += 10 * MS;
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 1000);
  clock_real += MS / 2; /* fractions of a millisecond count */
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 1050);
  clock_real -= 5 * MS; /* if the machine's clock goes back, ours does not go back before its start */
  munit_assert_int64(svc_clock_now(t.s), >=, T_START);
  clock_real += 5 * MS;
  group = clock_cluster(&t, CLUSTER(""));
  clock_real += 99 * MS;
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/C", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "stateName"), "CREATING");
  clock_real += 2 * MS;
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/C", group), ==, 200); /* no call moved the clock */
  munit_assert_string_equal(t_str(&t, "stateName"), "IDLE");
  munit_assert_int(svc_snapshot_take(t.s, &kept), ==, SVC_OK);
  munit_assert_int(svc_clock_set(t.s, T_START), ==, SVC_INVALID);
  munit_assert_int(svc_clock_advance(t.s, HOUR), ==, SVC_OK);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 11150 + HOUR);
  clock_real += MS; /* the clock keeps running */
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 11250 + HOUR);
  munit_assert_int(svc_clock_rate(t.s, 0), ==, SVC_OK);
  clock_real += 1000 * MS;
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 11250 + HOUR);
  munit_assert_int(svc_snapshot_restore(t.s, kept), ==, SVC_OK); /* the clock has its old time, and is still stopped */
  clock_real += 1000 * MS;
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 11150);
  munit_assert_int(svc_clock_rate(t.s, 1000000), ==, SVC_OK);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 11150);
  clock_real += 1;
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 11151);
  munit_assert_int(svc_snapshot_restore(t.s, kept), ==, SVC_OK); /* the clock runs on from there */
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 11150);
  clock_real += MS;
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 11150 + 1000000);
  clock_real = INT64_MAX; /* up to the end of time, and no further */
  munit_assert_int64(svc_clock_now(t.s), ==, SVC_CLOCK_LAST);
  svc_snapshot_free(kept);
  t_close(&t);
}

/* Without svc_config.monotonic the machine's clock drives the running clock. */
TEST(clock, runs_by_itself)
{
  svc_config config = { .manual_clock = T_START, .clock_rate = 1000000 };
  int64_t before, now, i;
  t_service t;
  t_open(&t, &config);
  before = svc_clock_now(t.s);
  for (i = 0; i < 1000; i++) {
    now = svc_clock_now(t.s);
    munit_assert_int64(now, >=, before);
    before = now;
  }
  munit_assert_int64(now, >, T_START); /* a microsecond counts as a second */
  t_close(&t);
}

TEST(clock, runs_refuses)
{
  svc_config config = { .manual_clock = T_START, .clock_rate = 1000001 };
  t_service t;
  svc *s;
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  config.clock_rate = -1;
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  config = (svc_config){ .clock_rate = 1 }; /* no start time */
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  config = (svc_config){ .manual_clock = T_START };
  t_open(&t, &config);
  munit_assert_int(svc_clock_rate(t.s, -1), ==, SVC_INVALID);
  munit_assert_int(svc_clock_rate(t.s, 1000001), ==, SVC_INVALID);
  munit_assert_int(svc_clock_rate(NULL, 1), ==, SVC_INVALID);
  munit_assert_int(svc_clock_next(NULL), ==, SVC_INVALID);
  t_close(&t);
  t_open(&t, NULL); /* the host's own clock */
  munit_assert_int(svc_clock_rate(t.s, 1), ==, SVC_INVALID);
  munit_assert_int(svc_clock_next(t.s), ==, SVC_INVALID);
  t_close(&t);
}

/* --------------------------------------------------------------------------------------------------------- the next step */

TEST(clock, next)
{
  svc_config config = { .manual_clock = T_START };
  const char *group;
  int64_t at, steps;
  t_service t;
  t_open(&t, &config);
  munit_assert_int(svc_clock_next(t.s), ==, SVC_NOT_FOUND);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START);
  group = clock_cluster(&t, CLUSTER(""));
  munit_assert_int(t_sendf(&t, "POST", "[{\"ipAddress\":\"10.0.0.1\",\"deleteAfterDate\":\"2025-06-01T00:00:02Z\"}]", "/groups/%s/accessList", group), ==, 201);
  munit_assert_int(svc_upcoming_next(t.s, T_START, &at), ==, SVC_OK);
  munit_assert_int64(at, ==, T_START + 1000); /* the simulator's order for that access list entry */
  munit_assert_int(svc_clock_jump(t.s, &steps), ==, SVC_OK);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 1000);
  munit_assert_int64(steps, ==, 1);
  munit_assert_int(svc_clock_jump(t.s, &steps), ==, SVC_OK);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 2000);
  munit_assert_int64(steps, ==, 1);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/accessList/10.0.0.1", group), ==, 404);
  munit_assert_int(svc_clock_next(t.s), ==, SVC_OK);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 10000);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/C", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "stateName"), "IDLE");
  munit_assert_int(svc_upcoming_next(t.s, svc_clock_now(t.s), &at), ==, SVC_OK);
  munit_assert_int(svc_fault_add_json(t.s, "{\"host\":{\"cluster\":\"C\",\"index\":0},\"inSeconds\":1,\"forSeconds\":2}", NULL), ==, SVC_OK);
  munit_assert_int64(at, >, T_START + 13000); /* otherwise the host would not be the next step */
  munit_assert_int(svc_clock_jump(t.s, &steps), ==, SVC_OK);
  munit_assert_int64(svc_clock_now(t.s), ==, T_START + 11000);
  munit_assert_int64(steps, >=, 1);
  munit_assert_int(svc_clock_next(t.s), ==, SVC_OK);
  munit_assert_int64(svc_clock_now(t.s), <=, T_START + 13000);
  t_close(&t);
}

/* An order that waits for the driver counts as due, too. */
TEST(clock, next_order)
{
  clock_driver d = { .busy = 2 };
  svc_driver driver = { clock_perform, NULL, &d };
  svc_config config = { .manual_clock = T_START, .driver = &driver };
  svc_response due;
  t_service t;
  t_open(&t, &config);
  (void)clock_cluster(&t, CLUSTER(""));
  munit_assert_int(svc_tick(t.s), ==, SVC_OK);
  munit_assert_int(d.count, ==, 1);
  munit_assert_int(svc_due_read(t.s, 0, &due), ==, SVC_OK);
  munit_assert_not_null(strstr(due.body, "\"action\":\"cluster.create\""));
  munit_assert_not_null(strstr(due.body, "\"what\":\"order\""));
  svc_response_free(&due);
  munit_assert_int(svc_clock_next(t.s), ==, SVC_OK);
  munit_assert_int(d.count, ==, 2);
  munit_assert_int64(d.at[1], ==, svc_clock_now(t.s));
  munit_assert_int64(d.at[1], >, d.at[0]);
  t_close(&t);
}

TEST(clock, due)
{
  svc_config config = { .manual_clock = T_START };
  const char *group;
  svc_response due;
  t_service t;
  t_open(&t, &config);
  munit_assert_int(svc_due_read(t.s, 0, &due), ==, SVC_OK);
  munit_assert_string_equal(due.body, "[]");
  svc_response_free(&due);
  munit_assert_int(svc_due_read(t.s, 1001, &due), ==, SVC_INVALID);
  munit_assert_int(svc_due_read(NULL, 1, &due), ==, SVC_INVALID);
  munit_assert_int(svc_due_read(t.s, 1, NULL), ==, SVC_INVALID);
  group = clock_cluster(&t, CLUSTER(""));
  munit_assert_int(t_sendf(&t, "POST", "[{\"ipAddress\":\"10.0.0.1\",\"deleteAfterDate\":\"2025-06-01T00:00:02Z\"}]", "/groups/%s/accessList", group), ==, 201);
  munit_assert_int(svc_fault_add_json(t.s, "{\"host\":{\"cluster\":\"C\",\"index\":0},\"inSeconds\":5,\"forSeconds\":2}", NULL), ==, SVC_OK);
  munit_assert_int(svc_due_read(t.s, 2, &due), ==, SVC_OK);
  munit_assert_not_null(strstr(due.body, "\"what\":\"order\"},{"));
  munit_assert_not_null(strstr(due.body, "\"time\":\"2025-06-01T00:00:02Z\",\"timeMs\":1748736002000,\"what\":\"expiry\"}]"));
  svc_response_free(&due);
  munit_assert_int(svc_due_read(t.s, 0, &due), ==, SVC_OK);
  munit_assert_not_null(strstr(due.body, "{\"name\":\"C\",\"noun\":\"host\",\"time\":\"2025-06-01T00:00:05Z\",\"timeMs\":1748736005000,\"what\":\"hostDown\"},{"));
  munit_assert_not_null(strstr(due.body, "\"name\":\"C\",\"noun\":\"cluster\",\"state\":\"CREATING\",\"time\":\"2025-06-01T00:00:10Z\""));
  svc_response_free(&due);
  t_close(&t);
}

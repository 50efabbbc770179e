/*
** Whether a handle reports that it can serve: the store, the limiter, and the clock, which is compared with that of the store.
** The store is LMDB behind a port whose answers the test controls.
*/
#include "control/control.h"
#include "faults.h"
#include "support.h"

#include <lmdb.h>
#include <time.h>

static struct {
  svc_store_port port;
  atomic_int fails;       /* the code that read_begin and ping return */
  atomic_llong skew;      /* milliseconds that the store's clock is ahead of the system's */
  atomic_int asked;
} fake;

static int fake_read(svc_store *store, svc_txn **out)
{
  int rc = atomic_load(&fake.fails);
  *out = NULL;
  return rc ? rc : svc_lmdb_port()->read_begin(store, out);
}

static int fake_ping(svc_txn *txn, int64_t *out)
{
  struct timespec t;
  (void)txn;
  atomic_fetch_add(&fake.asked, 1);
  clock_gettime(CLOCK_REALTIME, &t);
  *out = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 + atomic_load(&fake.skew);
  return atomic_load(&fake.fails);
}

static bool fake_why(svc_store *store, int status, char *text, size_t size)
{
  (void)store;
  if (status != SVC_IO) return false;
  snprintf(text, size, "server closed the connection unexpectedly");
  return true;
}

static int fake_open(svc **out, t_service *log, bool manual)
{
  svc_config config = { .log = t_log, .log_context = log, .limiter_off = 1, .metrics = 1 };
  fake.port = *svc_lmdb_port();
  fake.port.read_begin = fake_read;
  fake.port.ping = fake_ping;
  fake.port.why = fake_why;
  config.store = &fake.port;
  if (manual) config.manual_clock = T_START;
  log->log[0] = '\0';
  return svc_open(out, &config);
}

static int get(svc *s, const char *path, const char *has)
{
  svc_request request = { .method = "GET", .target = path };
  svc_response r;
  int status;
  munit_assert_int(svc_control_request(s, NULL, &request, &r), ==, SVC_OK);
  status = r.status;
  if (has && (!r.body || !strstr(r.body, has))) munit_errorf("%s has no %s: %s", path, has, r.body ? r.body : "");
  svc_response_free(&r);
  return status;
}

static int request(svc *s)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller host = { "000000000000000000000001", "test", &owner, 1, 1 };
  svc_request request = { .method = "GET", .target = "/api/svc/v2/orgs", .caller = &host };
  svc_response r;
  int status;
  munit_assert_int(svc_handle_request(s, &request, &r), ==, SVC_OK);
  status = r.status;
  svc_response_free(&r);
  return status;
}

static void fake_reset(void)
{
  atomic_store(&fake.fails, SVC_OK);
  atomic_store(&fake.skew, 0);
  atomic_store(&fake.asked, 0);
}

/* The handle is ready while the store answers, and live in any case. */
TEST(health, store)
{
  static const char *const ready[] = { "/_svc/health", "/_svc/health/ready" };
  static t_service log;
  svc_response text;
  svc *s;
  int i;
  fake_reset();
  munit_assert_int(fake_open(&s, &log, true), ==, SVC_OK); /* with a manual clock nothing is cached: every request asks the store */
  for (i = 0; i < 2; i++) {
    munit_assert_int(get(s, ready[i], "\"ready\":true,\"status\":\"ok\""), ==, 200);
    atomic_store(&fake.fails, SVC_IO);
    munit_assert_int(get(s, ready[i], "\"store\":\"unavailable\",\"threads\":\"ok\"},\"ready\":false,\"status\":\"unavailable\""), ==, 503);
    munit_assert_int(get(s, ready[i], "\"limiter\":\"ok\""), ==, 503);
    munit_assert_int(get(s, "/_svc/health/live", "\"live\":true,\"status\":\"ok\""), ==, 200);
    munit_assert_int(svc_metrics_text(s, NULL, &text), ==, SVC_OK); /* metrics do not need the store either */
    munit_assert_not_null(strstr(text.body, "svc_store_up 0\n"));
    munit_assert_not_null(strstr(text.body, "svc_store_bytes "));
    svc_response_free(&text);
    munit_assert_int(request(s), ==, 503);
    munit_assert_not_null(strstr(log.log, "store: server closed the connection unexpectedly"));
    atomic_store(&fake.fails, SVC_OK);
  }
  munit_assert_int(get(s, "/_svc/health", "\"store\":\"ok\""), ==, 200);
  munit_assert_int(svc_may_wait(s, &(svc_request){ .method = "GET", .target = "/_svc/health/live" }), ==, 0);
  munit_assert_int(svc_may_wait(s, &(svc_request){ .method = "GET", .target = "/_svc/metrics?x" }), ==, 0);
  svc_close(s);
}

/* The store is asked at most once per second, however many requests ask for the health. */
TEST(health, once)
{
  static t_service log;
  svc *s;
  int i;
  fake_reset();
  munit_assert_int(fake_open(&s, &log, false), ==, SVC_OK);
  for (i = 0; i < 50; i++) munit_assert_int(get(s, "/_svc/health", NULL), ==, 200);
  munit_assert_int(atomic_load(&fake.asked), <=, 10); /* leaves time for a very slow machine */
  svc_close(s);
}

/* A difference of 10 seconds between the clocks causes a warning, and 4 seconds cause none. With a difference of two hours svc_open()
** fails, unless the clock is manual. */
TEST(health, clock)
{
  static t_service log;
  svc *s = NULL;
  fake_reset();
  munit_assert_int(fake_open(&s, &log, false), ==, SVC_OK);
  munit_assert_string_equal(log.log, "");
  svc_close(s);
  atomic_store(&fake.skew, 4000);
  munit_assert_int(fake_open(&s, &log, false), ==, SVC_OK);
  munit_assert_null(strstr(log.log, "clock"));
  svc_close(s);
  atomic_store(&fake.skew, 10000);
  munit_assert_int(fake_open(&s, &log, false), ==, SVC_OK);
  munit_assert_not_null(strstr(log.log, "s behind that of the database: set it"));
  munit_assert_int(request(s), ==, 200);
  munit_assert_int(get(s, "/_svc/health", "\"clock\":\"ok\""), ==, 200);
  svc_close(s);
  atomic_store(&fake.skew, -7200000);
  munit_assert_int(fake_open(&s, &log, false), ==, SVC_CLOCK);
  munit_assert_null(s);
  munit_assert_not_null(strstr(log.log, "ahead of that of the database: requests get 503"));
  munit_assert_int(fake_open(&s, &log, true), ==, SVC_OK); /* a manual clock may differ */
  munit_assert_int(request(s), ==, 200);
  svc_close(s);
}

static void later(svc *s)
{
  svc_mutex_lock(&s->health.lock);
  s->health.checked -= 40000; /* as if 40 seconds had passed */
  svc_mutex_unlock(&s->health.lock);
}

/* The clock is set while the handle is open. The handle refuses requests until the clocks agree again. */
TEST(health, clock_moves)
{
  static t_service log;
  svc *s = NULL;
  fake_reset();
  munit_assert_int(fake_open(&s, &log, false), ==, SVC_OK);
  atomic_store(&fake.skew, -5184000000); /* this machine is sixty days ahead */
  munit_assert_int(svc_tick(s), ==, SVC_OK); /* the last check of the clock is still valid */
  later(s);
  munit_assert_int(svc_tick(s), ==, SVC_CLOCK); /* no due step runs */
  munit_assert_int(request(s), ==, 503);
  munit_assert_int(get(s, "/_svc/health", "\"clock\":\"wrong\""), ==, 503);
  munit_assert_int(get(s, "/_svc/health/live", NULL), ==, 200);
  atomic_store(&fake.skew, 0);
  later(s);
  munit_assert_int(svc_tick(s), ==, SVC_OK);
  munit_assert_not_null(strstr(log.log, "agrees with the database's clock again"));
  munit_assert_int(request(s), ==, 200);
  munit_assert_int(get(s, "/_svc/health", NULL), ==, 200);
  svc_close(s);
}

/* The log has the error text of LMDB, or that of the system. */
TEST(health, lmdb_says)
{
  t_service t;
  SKIP_IF(!T_ON_LMDB);
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  t_fault(T_CALL_LMDB, 1, MDB_READERS_FULL, true);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 503);
  t_fault_end();
  if (!strstr(t.log, "store: LMDB: MDB_READERS_FULL")) munit_errorf("%s", t.log);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  t_fault(T_CALL_LMDB, 1, EIO, true);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 503);
  t_fault_end();
  if (!strstr(t.log, "store: LMDB: Input/output error")) munit_errorf("%s", t.log);
  t_close(&t);
}

static int64_t health_time(void *context)
{
  return *(int64_t *)context;
}

/* A clock that jumps back is logged once per jump. Small steps are corrections; they add up until they are a jump. */
TEST(health, clock_back)
{
  static const struct {
    int64_t by;
    bool says;
  } steps[] = { { 1000, false }, { -900, false }, { -3000, false }, { 60000, false }, { -3600000, true }, { 0, false }, { 1000, false },
                { -3000, false }, { -3000, true }, { -INT64_C(2000000000000), true }, { 5, false }, { INT64_C(4000000000000), false } };
  int64_t now = T_START;
  svc_config config = { .store = t_port(), .limiter_off = 1, .clock = health_time, .clock_context = &now, .log = t_log };
  t_service log = { .log = "" };
  svc_response response;
  size_t i;
  svc *s;
  config.log_context = &log;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_int(svc_tick(s), ==, SVC_OK);
  for (i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    now += steps[i].by;
    log.log[0] = '\0';
    if (i % 2) munit_assert_int(svc_tick(s), ==, SVC_OK);
    t_ask_as_owner(s, "GET", "/api/svc/v2/orgs", NULL, &response);
    svc_response_free(&response);
    if ((strstr(log.log, "the clock has gone back by ") != NULL) != steps[i].says) munit_errorf("step %zu: %s", i, log.log);
    log.log[0] = '\0';
    munit_assert_int(svc_tick(s), ==, SVC_OK);
    munit_assert_null(strstr(log.log, "gone back"));
  }
  svc_close(s);
}

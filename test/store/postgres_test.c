/*
** What is PostgreSQL's own among stores (ports/postgres.c): several handles on one, connections that are lost, commits of which
** nobody knows. What it has in common with others is in port_test.c. Skipped where there is no server; ./build.sh starts one.
*/
#include "support.h"

#include <pthread.h>
#include <unistd.h>

enum { HANDLES = 2 };

/* One store and its handles, each with one transaction. */
typedef struct site {
  const svc_store_port *port;
  char path[128];
  svc_store *stores[HANDLES];
  svc_txn *txn[HANDLES];
} site;

static void site_open(site *s)
{
  svc_config config;
  char why[256] = "";
  int i;
  memset(s, 0, sizeof *s);
  s->port = t_postgres_port();
  store_folder(s->path);
  memset(&config, 0, sizeof config);
  config.path = s->path;
  for (i = 0; i < HANDLES; i++)
    if (s->port->open(&s->stores[i], &config, why, sizeof why) != SVC_OK) munit_errorf("open: %s", why);
}

static void site_close(site *s)
{
  int i;
  for (i = 0; i < HANDLES; i++) s->port->close(s->stores[i]);
  store_remove(s->path);
}

static void site_write(site *s, int i)
{
  munit_assert_int(s->port->write_begin(s->stores[i], &s->txn[i]), ==, SVC_OK);
}

static void site_read(site *s, int i)
{
  munit_assert_int(s->port->read_begin(s->stores[i], &s->txn[i]), ==, SVC_OK);
}

static int64_t site_count(site *s, int i, svc_str key)
{
  int64_t count = -77;
  munit_assert_int(s->port->count(s->txn[i], key, &count), ==, SVC_OK);
  return count;
}

/* Every connection of the store is ended by the server. */
static void site_cut(site *s)
{
  t_postgres_do(s->path, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = current_schema()");
}

#define SKIP_WITHOUT if (!t_postgres_port()) return MUNIT_SKIP

/* --------------------------------------------------------------------------------------------------------------- counts */

/* A scan gives counts as records, less those that are 0, in their place among others; and a range that is removed has them. */
static MunitResult postgres_counts_in_scans(const MunitParameter params[], void *data)
{
  const svc_range all = { SVC_S("\1"), SVC_S("\377"), false, 0 }, back = { SVC_S("\1"), SVC_S("\377"), true, 1 };
  svc_row rows[8];
  site s;
  size_t n;
  int64_t count;
  (void)params, (void)data;
  SKIP_WITHOUT;
  site_open(&s);
  site_write(&s, 0);
  munit_assert_int(s.port->put(s.txn[0], SVC_S("b"), SVC_S("before")), ==, SVC_OK);
  munit_assert_int(s.port->put(s.txn[0], SVC_S("d"), SVC_S("behind")), ==, SVC_OK);
  munit_assert_int(s.port->count_add(s.txn[0], SVC_S("c1"), 5), ==, SVC_OK);
  munit_assert_int(s.port->count_add(s.txn[0], SVC_S("c2"), 1), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  site_write(&s, 1); /* another part, or the same: it is the sum that counts */
  munit_assert_int(s.port->count_add(s.txn[1], SVC_S("c1"), -2), ==, SVC_OK);
  munit_assert_int(s.port->count_add(s.txn[1], SVC_S("c2"), -1), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[1]), ==, SVC_OK);
  site_write(&s, 0);
  munit_assert_int(s.port->scan(s.txn[0], &all, rows, 8, &n), ==, SVC_OK);
  munit_assert_size(n, ==, 3);
  munit_assert_true(svc_str_is(rows[0].key, "b") && svc_str_is(rows[1].key, "c1") && svc_str_is(rows[2].key, "d"));
  munit_assert_size(rows[1].value.n, ==, sizeof count);
  memcpy(&count, rows[1].value.p, sizeof count);
  munit_assert_int64(count, ==, 3);
  munit_assert_int(s.port->scan(s.txn[0], &back, rows, 1, &n), ==, SVC_OK);
  munit_assert_true(n == 1 && svc_str_is(rows[0].key, "c1"));
  munit_assert_int(s.port->remove_range(s.txn[0], SVC_S("c"), SVC_S("d")), ==, SVC_OK);
  munit_assert_int64(site_count(&s, 0, SVC_S("c1")), ==, 0);
  munit_assert_int(s.port->scan(s.txn[0], &all, rows, 8, &n), ==, SVC_OK);
  munit_assert_size(n, ==, 2);
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  site_close(&s);
  return MUNIT_OK;
}

/* Two who add to one count at the same time are not in each other's way, unless they chose the same part of 64. */
static MunitResult postgres_counts_together(const MunitParameter params[], void *data)
{
  int tries, good = 0, i;
  site s;
  (void)params, (void)data;
  SKIP_WITHOUT;
  for (tries = 0; tries < 5 && !good; tries++) {
    int rc;
    site_open(&s);
    for (i = 0; i < HANDLES; i++) site_write(&s, i);
    for (i = 0; i < HANDLES; i++) munit_assert_int(s.port->count_add(s.txn[i], SVC_S("c"), 10 + i), ==, SVC_OK);
    munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
    rc = s.port->commit(s.txn[1]);
    munit_assert_true(rc == SVC_OK || rc == SVC_RETRY);
    good = rc == SVC_OK;
    site_read(&s, 0);
    munit_assert_int64(site_count(&s, 0, SVC_S("c")), ==, good ? 21 : 10);
    s.port->read_end(s.txn[0]);
    site_close(&s);
  }
  munit_assert_true(good);
  return MUNIT_OK;
}

/* ------------------------------------------------------------------------------------------------------- several handles */

/* Of two that read what the other writes one comes first; the other is told to do it again, and then goes by what that wrote. */
static MunitResult postgres_conflict(const MunitParameter params[], void *data)
{
  site s;
  svc_str value;
  int i;
  (void)params, (void)data;
  SKIP_WITHOUT;
  site_open(&s);
  site_write(&s, 0);
  munit_assert_int(s.port->put(s.txn[0], SVC_S("k"), SVC_S("none")), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  for (i = 0; i < HANDLES; i++) site_write(&s, i);
  for (i = 0; i < HANDLES; i++) munit_assert_int(s.port->get(s.txn[i], SVC_S("k"), &value), ==, SVC_OK);
  munit_assert_int(s.port->put(s.txn[0], SVC_S("k"), SVC_S("first")), ==, SVC_OK);
  munit_assert_int(s.port->put(s.txn[1], SVC_S("k"), SVC_S("second")), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[1]), ==, SVC_RETRY);
  site_write(&s, 1);
  munit_assert_int(s.port->get(s.txn[1], SVC_S("k"), &value), ==, SVC_OK);
  munit_assert_true(svc_str_is(value, "first"));
  munit_assert_int(s.port->put(s.txn[1], SVC_S("k"), SVC_S("second")), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[1]), ==, SVC_OK);
  site_close(&s);
  return MUNIT_OK;
}

/* Numbers are nobody else's; and a state is another one as soon as anybody has committed something, and only then. */
static MunitResult postgres_numbers_and_states(const MunitParameter params[], void *data)
{
  enum { TIMES = 150 };
  static uint64_t numbers[HANDLES * TIMES];
  uint64_t states[HANDLES], last;
  site s;
  int i, j, n = 0;
  (void)params, (void)data;
  SKIP_WITHOUT;
  site_open(&s);
  for (i = 0; i < HANDLES * TIMES; i++) {
    site_write(&s, i % HANDLES);
    numbers[n] = s.port->number(s.txn[i % HANDLES]);
    for (j = 0; j < n; j++) munit_assert_uint64(numbers[j], !=, numbers[n]);
    n++;
    s.port->abort(s.txn[i % HANDLES]);
  }
  for (last = 0, i = 0; i < 4; i++) {
    for (j = 0; j < HANDLES; j++) {
      site_read(&s, j);
      states[j] = s.port->state(s.txn[j]);
      s.port->read_end(s.txn[j]);
    }
    munit_assert_uint64(states[0], ==, states[1]);
    munit_assert_uint64(states[0], !=, last);
    last = states[0];
    site_write(&s, i % HANDLES);
    munit_assert_int(s.port->put(s.txn[i % HANDLES], SVC_S("k"), SVC_S("v")), ==, SVC_OK);
    munit_assert_int(s.port->commit(s.txn[i % HANDLES]), ==, SVC_OK);
  }
  site_close(&s);
  return MUNIT_OK;
}

/* ------------------------------------------------------------------------------------------------------ lost connections */

/* One that was idle is made again, and nobody sees anything of it; work that was not committed is to be done again. */
static MunitResult postgres_lost(const MunitParameter params[], void *data)
{
  site s;
  svc_str value;
  int rc;
  (void)params, (void)data;
  SKIP_WITHOUT;
  site_open(&s);
  site_write(&s, 0);
  munit_assert_int(s.port->put(s.txn[0], SVC_S("k"), SVC_S("one")), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  site_read(&s, 0);
  munit_assert_int(s.port->get(s.txn[0], SVC_S("k"), &value), ==, SVC_OK);
  s.port->read_end(s.txn[0]);
  site_cut(&s);
  site_read(&s, 0);
  munit_assert_int(s.port->get(s.txn[0], SVC_S("k"), &value), ==, SVC_OK);
  site_cut(&s); /* in the midst of it: what was given stays */
  munit_assert_int(s.port->get(s.txn[0], SVC_S("k"), &value), ==, SVC_IO);
  munit_assert_true(svc_str_is(value, "one"));
  s.port->read_end(s.txn[0]);
  site_write(&s, 0);
  munit_assert_int(s.port->put(s.txn[0], SVC_S("k"), SVC_S("two")), ==, SVC_OK);
  munit_assert_int(s.port->get(s.txn[0], SVC_S("k"), &value), ==, SVC_OK);
  site_cut(&s);
  rc = s.port->get(s.txn[0], SVC_S("k"), &value);
  munit_assert_int(rc, ==, SVC_RETRY);
  s.port->abort(s.txn[0]);
  site_write(&s, 0);
  munit_assert_int(s.port->get(s.txn[0], SVC_S("k"), &value), ==, SVC_OK);
  munit_assert_true(svc_str_is(value, "one"));
  munit_assert_int(s.port->put(s.txn[0], SVC_S("k"), SVC_S("two")), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  site_close(&s);
  return MUNIT_OK;
}

/* The commit takes a second from here on: time enough to lose the connection. */
static const char slow_commit[] =
  "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(1); RETURN NULL; END$$;"
  "CREATE CONSTRAINT TRIGGER slow AFTER INSERT OR UPDATE ON svc_record DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()";

static void *cut_soon(void *context)
{
  usleep(300000);
  site_cut(context);
  return NULL;
}

/* A commit of which nobody knows: 503, and when it may be tried again. By its Idempotency-Key that makes no second one. */
static MunitResult postgres_unknown_commit(const MunitParameter params[], void *data)
{
  static const char body[] = "{\"name\":\"Acme\"}";
  pthread_t thread;
  t_service t;
  site s;
  (void)params, (void)data;
  SKIP_WITHOUT;
  site_open(&s);
  t_open(&t, &(svc_config){ .limiter_off = 1, .path = s.path, .store = s.port });
  t_postgres_do(s.path, slow_commit);
  t_header(&t, "Idempotency-Key", "once");
  munit_assert_int(pthread_create(&thread, NULL, cut_soon, &s), ==, 0);
  munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 503);
  munit_assert_string_equal(t_get_header(&t, "Retry-After"), "1");
  munit_assert_int(pthread_join(thread, NULL), ==, 0);
  t_postgres_do(s.path, "DROP TRIGGER slow ON svc_record");
  munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 201);
  munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 201);
  t_headers_clear(&t);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  t_close(&t);
  site_close(&s);
  return MUNIT_OK;
}

static MunitTest tests[] = {
  { "/counts_in_scans", postgres_counts_in_scans, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/counts_together", postgres_counts_together, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/conflict", postgres_conflict, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/numbers_and_states", postgres_numbers_and_states, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/lost", postgres_lost, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/unknown_commit", postgres_unknown_commit, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
const MunitSuite svc_suite_postgres = { "postgres", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };

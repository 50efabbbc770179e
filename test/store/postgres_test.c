/*
** Behavior that only PostgreSQL has (ports/postgres.c): several handles on one store, lost connections, and commits with an
** unknown result. port_test.c tests what all engines have in common. Skipped without a server; ./build.sh starts one.
*/
#include "support.h"
#include "postgres.h"
#include "relay.h"
#include "mechanism/probe.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { HANDLES = 2 };

/* A store and its handles, each with a transaction. */
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
  for (i = 0; i < HANDLES; i++)
    if (s->stores[i]) s->port->close(s->stores[i]);
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

/* Makes the server end every connection of the store. */
static void site_cut(site *s)
{
  t_postgres_do(s->path, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = current_schema()");
}

/* Returns how often a reader that has not ended yet has waited for the server. Through a pooler its transaction has a BEGIN, and waits
** like a writer's. */
static unsigned long trips_waited(t_postgres_trips before, t_postgres_trips after)
{
  const unsigned long syncs = after.syncs - before.syncs;
  if (!getenv("SVC_TEST_POOLER")) munit_assert_ulong(syncs, <=, 1); /* for the end of the previous one */
  return after.flushes - before.flushes + (getenv("SVC_TEST_POOLER") ? syncs : 0);
}

#define SKIP_WITHOUT SKIP_IF(!t_postgres_port())

/* --------------------------------------------------------------------------------------------------------------- counts */

/* A scan returns counts as records, except those that are 0, in their place among the others. Removing a range removes them. */
TEST(postgres, counts_in_scans)
{
  const svc_range all = { SVC_S("\1"), SVC_S("\377"), false, 0 }, back = { SVC_S("\1"), SVC_S("\377"), true, 1 };
  svc_row rows[8];
  site s;
  size_t n;
  int64_t count;
  SKIP_WITHOUT;
  site_open(&s);
  site_write(&s, 0);
  munit_assert_int(s.port->put(s.txn[0], SVC_S("b"), SVC_S("before")), ==, SVC_OK);
  munit_assert_int(s.port->put(s.txn[0], SVC_S("d"), SVC_S("behind")), ==, SVC_OK);
  munit_assert_int(s.port->count_add(s.txn[0], SVC_S("c1"), 5), ==, SVC_OK);
  munit_assert_int(s.port->count_add(s.txn[0], SVC_S("c2"), 1), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  site_write(&s, 1); /* in another of the parts or in the same: the sum counts */
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
}

/* Two transactions that add to one count at the same time do not conflict, unless they chose the same one of 64 parts. */
TEST(postgres, counts_together)
{
  int tries, good = 0, i;
  site s;
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
}

/* A batch remembers what it has read and added, however many jobs it has: nothing is asked a second time, nor after an addition. */
TEST(postgres, batch_remembers)
{
  enum { KEYS = 600 };
  char key[16];
  svc_str value;
  site s;
  int i, round;
  t_postgres_trips before;
  SKIP_WITHOUT;
  site_open(&s);
  site_write(&s, 0);
  munit_assert_int(s.port->count_add(s.txn[0], SVC_S("c"), 2), ==, SVC_OK);
  munit_assert_int(s.port->put(s.txn[0], SVC_S("k0007"), SVC_S("seven")), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  site_write(&s, 0);
  munit_assert_int64(site_count(&s, 0, SVC_S("c")), ==, 2);
  for (i = 0; i < KEYS; i++) {
    snprintf(key, sizeof key, "k%04d", i);
    munit_assert_int(s.port->get(s.txn[0], svc_str_c(key), &value), ==, i == 7 ? SVC_OK : SVC_NOT_FOUND);
  }
  before = t_postgres_counted();
  for (round = 0; round < 2; round++) {
    for (i = 0; i < KEYS; i++) {
      snprintf(key, sizeof key, "k%04d", i);
      munit_assert_int(s.port->get(s.txn[0], svc_str_c(key), &value), ==, i == 7 ? SVC_OK : SVC_NOT_FOUND);
      if (i == 7) munit_assert_true(svc_str_is(value, "seven"));
    }
    munit_assert_int(s.port->count_add(s.txn[0], SVC_S("c"), 5), ==, SVC_OK);
    munit_assert_int64(site_count(&s, 0, SVC_S("c")), ==, 7 + 5 * round);
  }
  munit_assert_ulong(trips_waited(before, t_postgres_counted()), ==, 0);
  munit_assert_int(s.port->put(s.txn[0], SVC_S("k0008"), SVC_S("eight")), ==, SVC_OK); /* what was written is read again */
  munit_assert_int(s.port->get(s.txn[0], SVC_S("k0008"), &value), ==, SVC_OK);
  munit_assert_true(svc_str_is(value, "eight"));
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  site_read(&s, 1);
  munit_assert_int64(site_count(&s, 1, SVC_S("c")), ==, 12);
  s.port->read_end(s.txn[1]);
  site_close(&s);
}

/* A server that takes no writes, such as a hot standby, is not used, also when connections are made again: it would serve old states. The
** handle is not ready meanwhile, and comes back by itself. */
TEST(postgres, standby)
{
  static const svc_request health = { .method = "GET", .target = "/_svc/health" };
  svc_response response;
  t_service t;
  site s;
  int round, i;
  SKIP_WITHOUT;
  site_open(&s);
  t_open(&t, &(svc_config){ .limiter_off = 1, .path = s.path, .store = s.port });
  t_organization(&t, "Acme");
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  for (round = 0; round < 2; round++) {
    t_postgres_standby(!round);
    site_cut(&s);
    for (i = 0; i < 300 && t_send(&t, "GET", "/orgs", NULL) != (round ? 200 : 503); i++) t_pause_ms(20);
    munit_assert_int(t.response.status, ==, round ? 200 : 503);
    munit_assert_int(svc_control_request(t.s, NULL, &health, &response), ==, SVC_OK);
    for (i = 0; i < 300 && response.status != (round ? 200 : 503); i++) { /* the health is up to a second old */
      svc_response_free(&response);
      t_pause_ms(20);
      munit_assert_int(svc_control_request(t.s, NULL, &health, &response), ==, SVC_OK);
    }
    munit_assert_int(response.status, ==, round ? 200 : 503);
    svc_response_free(&response);
  }
  t_close(&t);
  site_close(&s);
}

/* ------------------------------------------------------------------------------------------------------- several handles */

/* Each of two transactions reads what the other writes. One commits, the other has to be repeated, and then sees the first one's change. */
TEST(postgres, conflict)
{
  site s;
  svc_str value;
  int i;
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
}

/* A record that was put as new but exists was written by another handle first. The next try treats no record as new. */
TEST(postgres, fresh)
{
  site s;
  svc_str value;
  int i;
  SKIP_WITHOUT;
  site_open(&s);
  for (i = 0; i < HANDLES; i++) {
    site_write(&s, i);
    s.txn[i]->fresh = true;
    munit_assert_int(s.port->put(s.txn[i], SVC_S("k"), i ? SVC_S("second") : SVC_S("first")), ==, SVC_OK);
    s.txn[i]->fresh = false;
    munit_assert_int(s.port->put(s.txn[i], SVC_S("other"), SVC_S("")), ==, SVC_OK);
    munit_assert_int(s.port->commit(s.txn[i]), ==, i ? SVC_RETRY : SVC_OK);
  }
  site_write(&s, 1);
  munit_assert_int(s.port->get(s.txn[1], SVC_S("k"), &value), ==, SVC_OK);
  munit_assert_true(svc_str_is(value, "first"));
  s.txn[1]->fresh = s.txn[1]->again = true;
  munit_assert_int(s.port->put(s.txn[1], SVC_S("k"), SVC_S("second")), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[1]), ==, SVC_OK);
  site_read(&s, 0);
  munit_assert_int(s.port->get(s.txn[0], SVC_S("k"), &value), ==, SVC_OK);
  munit_assert_true(svc_str_is(value, "second"));
  s.port->read_end(s.txn[0]);
  site_close(&s);
}

/* Transaction numbers are unique over all handles. */
TEST(postgres, numbers)
{
  enum { TIMES = 150 };
  static uint64_t numbers[HANDLES * TIMES];
  site s;
  int i, j, n = 0;
  SKIP_WITHOUT;
  site_open(&s);
  for (i = 0; i < HANDLES * TIMES; i++) {
    site_write(&s, i % HANDLES);
    numbers[n] = s.port->number(s.txn[i % HANDLES]);
    for (j = 0; j < n; j++) munit_assert_uint64(numbers[j], !=, numbers[n]);
    n++;
    s.port->abort(s.txn[i % HANDLES]);
  }
  site_close(&s);
}

/* ---------------------------------------------------------------------------------------------------------- round trips */

static svc_str trips_key(char out[40], const char *prefix, int i)
{
  return (svc_str){ out, (size_t)snprintf(out, 40, "%s%05d", prefix, i) };
}

static void trips_is(site *s, int i, const char *key, const char *value)
{
  svc_str found = { NULL, 0 };
  int rc = s->port->get(s->txn[i], svc_str_c(key), &found);
  munit_assert_int(rc, ==, value ? SVC_OK : SVC_NOT_FOUND);
  if (!value) return;
  munit_assert_size(found.n, ==, strlen(value));
  munit_assert_memory_equal(found.n, found.p, value);
}

/* Many records, some of them twice, and more counts than are buffered: a writer reads what it has written. */
TEST(postgres, gathered)
{
  enum { MANY = 500, COUNTS = 80 };
  char key[40], value[40], huge[600];
  site s;
  svc_str found;
  int i;
  SKIP_WITHOUT;
  site_open(&s);
  memset(huge, 'x', sizeof huge);
  site_write(&s, 0);
  for (i = 0; i < MANY; i++) {
    munit_assert_int(s.port->put(s.txn[0], trips_key(key, "k", i % 300), trips_key(value, "v", i)), ==, SVC_OK);
    munit_assert_int(s.port->count_add(s.txn[0], trips_key(key, "c", i % COUNTS), i), ==, SVC_OK);
  }
  trips_is(&s, 0, "k00199", "v00499");
  trips_is(&s, 0, "k00200", "v00200");
  munit_assert_int(s.port->put(s.txn[0], SVC_S("k00199"), SVC_S("newer")), ==, SVC_OK);
  trips_is(&s, 0, "k00199", "newer");
  munit_assert_int(s.port->remove(s.txn[0], SVC_S("k00199")), ==, SVC_OK);
  trips_is(&s, 0, "k00199", NULL);
  trips_is(&s, 0, "k00198", "v00498");
  munit_assert_int(s.port->remove_range(s.txn[0], SVC_S("k00190"), SVC_S("k00199")), ==, SVC_OK);
  trips_is(&s, 0, "k00198", NULL);
  munit_assert_int64(site_count(&s, 0, SVC_S("c00003")), ==, 3 + 83 + 163 + 243 + 323 + 403 + 483);
  munit_assert_int(s.port->count_add(s.txn[0], SVC_S("c00003"), -10), ==, SVC_OK);
  munit_assert_int64(site_count(&s, 0, SVC_S("c00003")), ==, 3 + 83 + 163 + 243 + 323 + 403 + 473);
  munit_assert_int(s.port->put(s.txn[0], (svc_str){ huge, SVC_KEY_MOST }, SVC_S("long")), ==, SVC_OK);
  munit_assert_int(s.port->get(s.txn[0], (svc_str){ huge, SVC_KEY_MOST }, &found), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  site_read(&s, 1);
  trips_is(&s, 1, "k00200", "v00200");
  trips_is(&s, 1, "k00198", NULL);
  munit_assert_int64(site_count(&s, 1, SVC_S("c00079")), ==, 79 + 159 + 239 + 319 + 399 + 479);
  s.port->read_end(s.txn[1]);
  site_close(&s);
}

static void trips_fill(site *s, int n)
{
  char key[40], value[40];
  int i;
  site_write(s, 0);
  for (i = 0; i < n; i++) munit_assert_int(s->port->put(s->txn[0], trips_key(key, "k", i), trips_key(value, "v", i)), ==, SVC_OK);
  munit_assert_int(s->port->count_add(s->txn[0], SVC_S("c1"), 7), ==, SVC_OK);
  munit_assert_int(s->port->commit(s->txn[0]), ==, SVC_OK);
}

/* Expected records come with the first read, whether that record exists or not, and none is read twice. */
TEST(postgres, expected)
{
  const svc_str keys[] = { SVC_S("k00001"), SVC_S("none"), SVC_S("c1"), SVC_S("c2"), SVC_S("k00002") };
  t_postgres_trips before, after;
  site s;
  int i;
  SKIP_WITHOUT;
  site_open(&s);
  trips_fill(&s, 5);
  for (i = 0; i < 2; i++) {
    site_read(&s, i);
    before = t_postgres_counted();
    s.port->expect(s.txn[i], keys, sizeof keys / sizeof keys[0], 0);
    trips_is(&s, i, "k00002", "v00002");
    trips_is(&s, i, "none", NULL);
    trips_is(&s, i, "k00001", "v00001");
    munit_assert_int64(site_count(&s, i, SVC_S("c1")), ==, 7);
    munit_assert_int64(site_count(&s, i, SVC_S("c2")), ==, 0);
    after = t_postgres_counted();
    munit_assert_ulong(trips_waited(before, after), ==, 1);
    trips_is(&s, i, "k00003", "v00003"); /* another record, which was not expected */
    munit_assert_ulong(trips_waited(before, t_postgres_counted()), ==, 2);
    s.port->read_end(s.txn[i]);
  }
  site_close(&s);
}

static void trips_walk(site *s, bool backwards, uint64_t rows, unsigned long most)
{
  enum { ALL = 100, BATCH = 32 };
  t_postgres_trips before = t_postgres_counted();
  svc_key edge;
  svc_row batch[BATCH];
  size_t n = BATCH, i, seen = 0;
  char key[40];
  site_read(s, 0);
  s->port->expect(s->txn[0], NULL, 0, rows);
  edge.n = 0;
  while (n == BATCH) {
    svc_range range = { SVC_S("k"), SVC_S("l"), backwards, 0 };
    if (edge.n) *(backwards ? &range.to : &range.from) = svc_key_str(&edge);
    munit_assert_int(s->port->scan(s->txn[0], &range, batch, BATCH, &n), ==, SVC_OK);
    for (i = 0; i < n; i++, seen++) {
      svc_str expected = trips_key(key, "k", backwards ? ALL - 1 - (int)seen : (int)seen);
      munit_assert_true(svc_str_eq(batch[i].key, expected));
    }
    if (n) memcpy(edge.b, batch[n - 1].key.p, edge.n = batch[n - 1].key.n);
    if (n && !backwards) edge.b[edge.n++] = 0;
  }
  munit_assert_size(seen, ==, ALL);
  munit_assert_ulong(trips_waited(before, t_postgres_counted()), <=, most);
  s->port->read_end(s->txn[0]);
}

/* Expected rows come at once. Too small an expectation, or none, returns the same rows. */
TEST(postgres, rows)
{
  site s;
  int i;
  SKIP_WITHOUT;
  site_open(&s);
  trips_fill(&s, 100);
  for (i = 0; i < 2; i++) {
    trips_walk(&s, i != 0, 0, 4);
    trips_walk(&s, i != 0, 50, 4);
    trips_walk(&s, i != 0, 101, 1);
    trips_walk(&s, i != 0, 500, 1);
  }
  site_close(&s);
}

static void draft_begin(site *s, int i)
{
  munit_assert_int(s->port->draft_begin(s->stores[i], &s->txn[i]), ==, SVC_OK);
  munit_assert_true(s->txn[i]->draft && !s->txn[i]->writing);
}

static void draft_put(site *s, int i, const char *key, const char *value)
{
  munit_assert_int(s->port->put(s->txn[i], svc_str_c(key), svc_str_c(value)), ==, SVC_OK);
}

static void draft_set(site *s, int i, const char *key, const char *value)
{
  site_write(s, i);
  draft_put(s, i, key, value);
  munit_assert_int(s->port->commit(s->txn[i]), ==, SVC_OK);
}

static void draft_sees(site *s, int i, const char *key, const char *value)
{
  svc_str found;
  munit_assert_int(s->port->get(s->txn[i], svc_str_c(key), &found), ==, SVC_OK);
  munit_assert_true(svc_str_is(found, value));
}

/* A job of handle 0 that has seen the state of its transaction, and waits. */
typedef struct late_job {
  svc_job job; /* first member: cast back from svc_job */
  svc_commit *commit;
  atomic_int step; /* 1: started; 2: may continue */
  char saw[16];
} late_job;

static bool late_look(svc_job *job, svc_txn *txn)
{
  late_job *late = (late_job *)job;
  svc_str value;
  if (txn->port->get(txn, SVC_S("k"), &value) == SVC_OK) snprintf(late->saw, sizeof late->saw, SVC_FMT, SVC_ARG(value));
  atomic_store(&late->step, 1);
  while (atomic_load(&late->step) != 2) usleep(1000);
  return false;
}

static void *late_resize(void *context, void *p, size_t size)
{
  (void)context;
  if (size) return realloc(p, size);
  free(p);
  return NULL;
}

static void *late_run(void *context)
{
  late_job *late = context;
  munit_assert_int(svc_commit_run(late->commit, &late->job), ==, SVC_OK);
  return NULL;
}

static bool late_waits(svc_commit *k)
{
  bool waits;
  svc_mutex_lock(&k->lock);
  waits = k->first != NULL;
  svc_mutex_unlock(&k->lock);
  return waits;
}

/* Two jobs of handle 0, with or without drafts. After the first one has read "k", handle 1 stores "new" there, and then the second
** job comes. */
static void late_two(late_job jobs[2], bool drafts)
{
  pthread_t threads[2];
  svc_commit k;
  site s;
  int i;
  site_open(&s);
  memset(&k, 0, sizeof k);
  munit_assert_int(svc_commit_open(&k, s.port, s.stores[0], &(svc_allocator){ late_resize, NULL }), ==, SVC_OK);
  munit_assert_true(svc_commit_idle(&k));
  draft_set(&s, 1, "k", "old");
  for (i = 0; i < 2; i++) {
    memset(&jobs[i], 0, sizeof jobs[i]);
    jobs[i].job.work = late_look;
    jobs[i].commit = &k;
    if (!drafts) continue;
    draft_begin(&s, 0);
    draft_sees(&s, 0, "k", "old");
    jobs[i].job.draft = s.txn[0];
  }
  munit_assert_int(pthread_create(&threads[0], NULL, late_run, &jobs[0]), ==, 0);
  while (atomic_load(&jobs[0].step) != 1) usleep(1000);
  munit_assert_false(svc_commit_idle(&k));
  draft_set(&s, 1, "k", "new");
  munit_assert_int(pthread_create(&threads[1], NULL, late_run, &jobs[1]), ==, 0);
  while (!late_waits(&k)) usleep(1000);
  atomic_store(&jobs[0].step, 2);
  while (atomic_load(&jobs[1].step) != 1) usleep(1000);
  atomic_store(&jobs[1].step, 2);
  for (i = 0; i < 2; i++) munit_assert_int(pthread_join(threads[i], NULL), ==, 0);
  munit_assert_true(!jobs[0].job.draft && !jobs[1].job.draft);
  svc_commit_close(&k);
  s.stores[0] = NULL;
  site_close(&s);
}

/* A job that arrives during a transaction must not read a state from before another handle's commit, of which it may already know.
** If it brings a draft, the draft is ended, and the job reads the newer state. */
TEST(postgres, nothing_gone_by)
{
  static late_job jobs[2];
  int drafts;
  SKIP_WITHOUT;
  for (drafts = 0; drafts < 2; drafts++) {
    late_two(jobs, drafts);
    munit_assert_string_equal(jobs[0].saw, "old");
    munit_assert_string_equal(jobs[1].saw, "new");
  }
}

/* ---------------------------------------------------------------------------------------------------------------- drafts */

/* A draft becomes a writer that relies on what it has read; or it ends, and nothing has changed. The test makes more drafts than there
** are connections. */
TEST(postgres, draft)
{
  const svc_range all = { SVC_S("k"), SVC_S("l"), false, 0 };
  char value[16] = "0";
  t_postgres_trips before;
  svc_row rows[2];
  size_t n;
  site s;
  int i;
  SKIP_WITHOUT;
  site_open(&s);
  draft_set(&s, 0, "k", value);
  for (i = 1; i < 60; i++) {
    draft_begin(&s, 0);
    draft_sees(&s, 0, "k", value);
    munit_assert_int64(site_count(&s, 0, SVC_S("c")), ==, (i + 1) / 3);
    if (i % 3 == 0) { /* the caller lacked the role */
      s.port->read_end(s.txn[0]);
      continue;
    }
    s.port->expect(s.txn[0], NULL, 0, 2);
    munit_assert_int(s.port->scan(s.txn[0], &all, rows, 1, &n), ==, SVC_OK);
    munit_assert_true(s.port->draft_write(s.txn[0]));
    munit_assert_true(s.txn[0]->writing && !s.txn[0]->draft);
    before = t_postgres_counted();
    draft_sees(&s, 0, "k", value); /* already read */
    munit_assert_ulong(t_postgres_counted().syncs, ==, before.syncs);
    munit_assert_int(s.port->count_add(s.txn[0], SVC_S("c"), 1), ==, SVC_OK);
    if (i % 3 == 2) { /* aborted in the end */
      draft_put(&s, 0, "k", "lost");
      draft_sees(&s, 0, "k", "lost");
      s.port->abort(s.txn[0]);
      continue;
    }
    snprintf(value, sizeof value, "%d", i);
    draft_put(&s, 0, "k", value);
    draft_put(&s, 0, "k1", value);
    munit_assert_int(s.port->scan(s.txn[0], &all, rows, 2, &n), ==, SVC_OK); /* including what it has written itself */
    munit_assert_true(n == 2 && svc_str_is(rows[0].value, value) && svc_str_is(rows[1].value, value));
    munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  }
  site_read(&s, 1);
  draft_sees(&s, 1, "k", value);
  munit_assert_int64(site_count(&s, 1, SVC_S("c")), ==, 20);
  s.port->read_end(s.txn[1]);
  site_close(&s);
}

/* Another handle changed what the draft has read: the work has to be repeated. The next draft belongs to another request, and is not
** affected. */
TEST(postgres, draft_late)
{
  site s;
  SKIP_WITHOUT;
  site_open(&s);
  draft_set(&s, 0, "k", "none");
  draft_begin(&s, 0);
  draft_sees(&s, 0, "k", "none");
  draft_set(&s, 1, "k", "first");
  draft_sees(&s, 0, "k", "none");
  munit_assert_true(s.port->draft_write(s.txn[0]));
  draft_put(&s, 0, "k", "second");
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_RETRY);
  draft_begin(&s, 0);
  draft_sees(&s, 0, "k", "first");
  munit_assert_true(s.port->draft_write(s.txn[0]));
  s.port->abort(s.txn[0]);
  draft_set(&s, 0, "k", "second");
  draft_begin(&s, 0);
  draft_sees(&s, 0, "k", "second");
  munit_assert_true(s.port->draft_write(s.txn[0]));
  s.port->abort(s.txn[0]);
  site_close(&s);
}

/* The draft reads a change between two committed writers, and the server reports a conflict. A request that may not write anyway
** continues as a reader instead of being refused. The three cases: keys that are cached, keys that are not, and a range. */
TEST(postgres, draft_withdrawn)
{
  static const char longer[] = "w0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789";
  const svc_range range = { SVC_S("w"), SVC_S("x"), false, 0 };
  svc_txn *draft;
  svc_row row;
  size_t n;
  site s;
  int i;
  SKIP_WITHOUT;
  site_open(&s);
  for (i = 0; i < 3; i++) {
    const char *key = i == 1 ? longer : "w";
    draft_set(&s, 0, "other", "other");
    draft_set(&s, 0, key, "old");
    draft_set(&s, 0, "a", "old");
    draft_begin(&s, 0);
    draft = s.txn[0];
    draft_sees(&s, 0, "other", "other");
    site_write(&s, 1); /* this writer reads what the next one writes, ... */
    draft_sees(&s, 1, "a", "old");
    draft_set(&s, 0, "a", "new");
    draft_put(&s, 1, key, "new"); /* ... and writes what the draft will read */
    munit_assert_int(s.port->commit(s.txn[1]), ==, SVC_OK);
    s.txn[0] = draft;
    if (i == 2) {
      munit_assert_int(s.port->scan(draft, &range, &row, 1, &n), ==, SVC_OK);
      munit_assert_true(n == 1 && svc_str_is(row.value, "new"));
    } else {
      draft_sees(&s, 0, key, "new");
    }
    munit_assert_false(draft->draft);
    munit_assert_false(s.port->draft_write(draft));
    draft_sees(&s, 0, "other", "other");
    s.port->read_end(draft);
    site_write(&s, 0);
    munit_assert_int(s.port->remove_range(s.txn[0], SVC_S("w"), SVC_S("x")), ==, SVC_OK);
    munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  }
  site_close(&s);
}

/* ------------------------------------------------------------------------------------------------------ lost connections */

/* A lost idle connection is replaced, and no request notices. Uncommitted work has to be repeated. */
TEST(postgres, lost)
{
  site s;
  svc_str value, other;
  uint64_t made;
  int rc;
  SKIP_WITHOUT;
  site_open(&s);
  site_write(&s, 0);
  munit_assert_int(s.port->put(s.txn[0], SVC_S("k"), SVC_S("one")), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  site_read(&s, 0);
  munit_assert_int(s.port->get(s.txn[0], SVC_S("k"), &value), ==, SVC_OK);
  s.port->read_end(s.txn[0]);
  made = s.port->connects(s.stores[0]);
  munit_assert_uint64(made, >=, 2); /* a connection to write, and one to read */
  site_cut(&s);
  site_read(&s, 0);
  munit_assert_int(s.port->get(s.txn[0], SVC_S("k"), &value), ==, SVC_OK);
  munit_assert_uint64(s.port->connects(s.stores[0]), ==, made + 1);
  site_cut(&s); /* during a transaction: values that were read stay, and are not read again */
  munit_assert_int(s.port->get(s.txn[0], SVC_S("other"), &other), ==, SVC_IO);
  munit_assert_true(svc_str_is(value, "one"));
  s.port->read_end(s.txn[0]);
  site_write(&s, 0);
  munit_assert_int(s.port->put(s.txn[0], SVC_S("k"), SVC_S("two")), ==, SVC_OK);
  munit_assert_int(s.port->get(s.txn[0], SVC_S("k"), &value), ==, SVC_OK);
  site_cut(&s);
  rc = s.port->get(s.txn[0], SVC_S("other"), &other);
  munit_assert_int(rc, ==, SVC_RETRY);
  s.port->abort(s.txn[0]);
  site_write(&s, 0);
  munit_assert_int(s.port->get(s.txn[0], SVC_S("k"), &value), ==, SVC_OK);
  munit_assert_true(svc_str_is(value, "one"));
  munit_assert_int(s.port->put(s.txn[0], SVC_S("k"), SVC_S("two")), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  site_close(&s);
}

/* From here on a commit takes a second: enough time to lose the connection. */
static const char slow_commit[] =
  "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(1); RETURN NULL; END$$;"
  "CREATE CONSTRAINT TRIGGER slow AFTER INSERT OR UPDATE ON svc_record DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()";

static void *cut_soon(void *context)
{
  usleep(300000);
  site_cut(context);
  return NULL;
}

/* A commit with an unknown result: 503 with Retry-After. A retry with the same Idempotency-Key creates no second resource. */
TEST(postgres, unknown_commit)
{
  static const char body[] = "{\"name\":\"Acme\"}";
  pthread_t thread;
  t_service t;
  site s;
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
}

/* ------------------------------------------------------------------------------------------------------------- deadlines */

/* Sends a signal to every process of the server that serves this store. */
static void site_signal(site *s, int number)
{
  char pids[512] = "", folder[300], *p;
  FILE *f;
  snprintf(folder, sizeof folder, "%s/pids", s->path);
  t_postgres_ask(s->path, "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE application_name = current_schema()", pids, sizeof pids);
  if (number == SIGSTOP) { /* the list is needed again: a stopped process may be missing in it when it has to continue */
    f = fopen(folder, "w");
    munit_assert_not_null(f);
    fputs(pids, f);
    fclose(f);
  } else {
    f = fopen(folder, "r");
    munit_assert_not_null(f);
    if (!fgets(pids, sizeof pids, f)) pids[0] = '\0';
    fclose(f);
  }
  for (p = pids; *p; p += strcspn(p, " "), p += *p == ' ') kill((pid_t)atoi(p), number);
}

typedef struct stopped {
  site *s;
  atomic_bool answered; /* the requests that met the stopped server have been answered */
  bool late;            /* they were not within a minute */
} stopped;

/* Lets the server go on when the requests are answered, or after a minute in case none gives up. */
static void *goes_on(void *context)
{
  stopped *w = context;
  int turns;
  for (turns = 0; turns < 600 && !atomic_load(&w->answered); turns++) usleep(100000);
  w->late = !atomic_load(&w->answered);
  site_signal(w->s, SIGCONT);
  return NULL;
}

/* Server processes that no longer answer: no request waits longer than the deadline, and the next one is served. */
TEST(postgres, deadline)
{
  t_service t;
  site s;
  stopped w = { .s = &s };
  pthread_t thread;
  int i;
  SKIP_WITHOUT;
  setenv("SVC_TEST_POSTGRES_TIMEOUT", "1000", 1);
  site_open(&s);
  t_open(&t, &(svc_config){ .limiter_off = 1, .path = s.path, .store = s.port });
  t_organization(&t, "Acme");
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  site_signal(&s, SIGSTOP);
  munit_assert_int(pthread_create(&thread, NULL, goes_on, &w), ==, 0);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 503);
  munit_assert_not_null(strstr(t.log, "PostgreSQL: no answer within 1000 ms"));
  munit_assert_null(strstr(t.log, "files of the store"));
  for (i = 0; i < 8 && t_send(&t, "POST", "/orgs", "{\"name\":\"Next\"}") != 201; i++) munit_assert_int(t.response.status, ==, 503);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 2);
  atomic_store(&w.answered, true); /* all of that while the old server processes hang */
  pthread_join(thread, NULL);
  munit_assert_false(w.late);
  t_close(&t);
  site_close(&s);
}

/* The URI sets the timeout: a number from 100 to 600000 milliseconds. */
TEST(postgres, timeouts)
{
  static const char *const wrong[] = { "", "0", "99", "600001", "x", "5s", "-1", "5000000000000" };
  svc_config config = { 0 };
  svc_store *store;
  char why[256];
  size_t i;
  site s;
  SKIP_WITHOUT;
  site_open(&s);
  config.path = s.path;
  for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    setenv("SVC_TEST_POSTGRES_TIMEOUT", wrong[i], 1);
    munit_assert_int(s.port->open(&store, &config, why, sizeof why), ==, SVC_INVALID);
    munit_assert_not_null(strstr(why, "timeout is a number of milliseconds"));
  }
  setenv("SVC_TEST_POSTGRES_TIMEOUT", "700&connect_timeout=3", 1); /* options of libpq may follow */
  munit_assert_int(s.port->open(&store, &config, why, sizeof why), ==, SVC_OK);
  s.port->close(store);
  unsetenv("SVC_TEST_POSTGRES_TIMEOUT");
  site_close(&s);
}

/* The URI sets the number of reading connections, from 1 to 256. A further reader waits, and gets SVC_BUSY if no connection is returned
** in time. */
TEST(postgres, reader_count)
{
  static const char *const wrong[] = { "", "0", "257", "x", "-1", "5000000000000" };
  svc_config config = { 0 };
  svc_txn *first, *second, *third;
  svc_store *store;
  char why[256], options[64];
  size_t i;
  site s;
  SKIP_WITHOUT;
  site_open(&s);
  config.path = s.path;
  for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    snprintf(options, sizeof options, "700&readers=%s", wrong[i]);
    setenv("SVC_TEST_POSTGRES_TIMEOUT", options, 1);
    munit_assert_int(s.port->open(&store, &config, why, sizeof why), ==, SVC_INVALID);
    munit_assert_not_null(strstr(why, "readers is a number of connections"));
  }
  setenv("SVC_TEST_POSTGRES_TIMEOUT", "700&readers=2", 1);
  munit_assert_int(s.port->open(&store, &config, why, sizeof why), ==, SVC_OK);
  munit_assert_int(s.port->read_begin(store, &first), ==, SVC_OK);
  munit_assert_int(s.port->read_begin(store, &second), ==, SVC_OK);
  munit_assert_int(s.port->read_begin(store, &third), ==, SVC_BUSY);
  s.port->read_end(first);
  munit_assert_int(s.port->read_begin(store, &third), ==, SVC_OK);
  s.port->read_end(second);
  s.port->read_end(third);
  s.port->close(store);
  unsetenv("SVC_TEST_POSTGRES_TIMEOUT");
  site_close(&s);
}

static void pooler_wrong(site *s, const char *option, const char *said)
{
  svc_config config = { .path = s->path };
  svc_store *store;
  char why[256], options[160];
  snprintf(options, sizeof options, "700&%s", option);
  setenv("SVC_TEST_POSTGRES_TIMEOUT", options, 1);
  munit_assert_int(s->port->open(&store, &config, why, sizeof why), ==, SVC_INVALID);
  if (!strstr(why, said)) munit_errorf("%s: %s", option, why);
}

/* A reader has one snapshot, and a writer is serializable, with either way to keep connections. */
static void pooler_isolates(site *s, const char *how)
{
  svc_config config = { .path = s->path };
  svc_txn *reader, *writer;
  svc_store *store;
  svc_str value;
  char why[256], options[160];
  snprintf(options, sizeof options, "5000&pooler=%s", how);
  setenv("SVC_TEST_POSTGRES_TIMEOUT", options, 1);
  munit_assert_int(s->port->open(&store, &config, why, sizeof why), ==, SVC_OK);
  munit_assert_int(s->port->write_begin(store, &writer), ==, SVC_OK);
  munit_assert_int(s->port->put(writer, SVC_S("a"), SVC_S("one")), ==, SVC_OK);
  munit_assert_int(s->port->put(writer, SVC_S("b"), SVC_S("one")), ==, SVC_OK);
  munit_assert_int(s->port->commit(writer), ==, SVC_OK);
  munit_assert_int(s->port->read_begin(store, &reader), ==, SVC_OK);
  munit_assert_int(s->port->get(reader, SVC_S("a"), &value), ==, SVC_OK);
  site_write(s, 0);
  munit_assert_int(s->port->put(s->txn[0], SVC_S("b"), SVC_S("two")), ==, SVC_OK);
  munit_assert_int(s->port->commit(s->txn[0]), ==, SVC_OK);
  munit_assert_int(s->port->get(reader, SVC_S("b"), &value), ==, SVC_OK);
  munit_assert_true(svc_str_is(value, "one"));
  s->port->read_end(reader);
  munit_assert_int(s->port->write_begin(store, &writer), ==, SVC_OK);
  munit_assert_int(s->port->get(writer, SVC_S("b"), &value), ==, SVC_OK);
  munit_assert_true(svc_str_is(value, "two"));
  site_write(s, 0); /* each reads what the other writes */
  munit_assert_int(s->port->get(s->txn[0], SVC_S("a"), &value), ==, SVC_OK);
  munit_assert_int(s->port->put(s->txn[0], SVC_S("b"), SVC_S("three")), ==, SVC_OK);
  munit_assert_int(s->port->commit(s->txn[0]), ==, SVC_OK);
  munit_assert_int(s->port->put(writer, SVC_S("a"), SVC_S("three")), ==, SVC_OK);
  munit_assert_int(s->port->commit(writer), ==, SVC_RETRY); /* no serial order explains both */
  s->port->close(store);
}

/* ?pooler=: behind PgBouncer in transaction mode a session keeps no state; the same works on the server itself. */
TEST(postgres, pooler)
{
  site s;
  SKIP_WITHOUT;
  site_open(&s);
  pooler_wrong(&s, "pooler=", "pooler is auto, session or transaction");
  pooler_wrong(&s, "pooler=transactions", "pooler is auto, session or transaction");
  pooler_wrong(&s, "schema=", "schema is the name of a schema");
  pooler_wrong(&s, "schema=a%20b", "schema is the name of a schema");
  pooler_isolates(&s, "transaction");
  pooler_isolates(&s, "auto");
  if (!getenv("SVC_TEST_POOLER")) pooler_isolates(&s, "session");
  unsetenv("SVC_TEST_POSTGRES_TIMEOUT");
  site_close(&s);
}

/* A conflict that repeats too often: the log has the server's text. */
TEST(postgres, conflict_said)
{
  t_service t;
  site s;
  SKIP_WITHOUT;
  site_open(&s);
  t_open(&t, &(svc_config){ .limiter_off = 1, .path = s.path, .store = s.port });
  t_postgres_do(s.path, "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'; END$$;"
                "CREATE TRIGGER refuse BEFORE INSERT ON svc_record FOR EACH ROW EXECUTE FUNCTION refuse()");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"Acme\"}"), ==, 503);
  munit_assert_not_null(strstr(t.log, "store: PostgreSQL: could not serialize access (SQLSTATE 40001)"));
  munit_assert_null(strstr(t.log, "another process"));
  t_close(&t);
  site_close(&s);
}

/* ----------------------------------------------------------------------------------------------- others in the same database */

/* Functions, operators and casts that someone else has planted in the schema are never run: only those of pg_catalog are. */
TEST(postgres, planted)
{
  static const char plants[] =
    "CREATE FUNCTION nextval(text) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'planted'; END$$;"
    "CREATE FUNCTION setval(text, bigint) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'planted'; END$$;"
    "CREATE FUNCTION pg_total_relation_size(text) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'planted'; END$$;"
    "CREATE FUNCTION differs(numeric, integer) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'planted'; END$$;"
    "CREATE OPERATOR <> (LEFTARG = numeric, RIGHTARG = integer, FUNCTION = differs);"
    "CREATE FUNCTION sum(bigint) RETURNS numeric LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'planted'; END$$";
  const svc_range all = { SVC_S("\1"), SVC_S("\377"), false, 0 };
  svc_row rows[8];
  uint64_t taken, room;
  svc_store *late;
  svc_config config = { 0 };
  char why[256] = "";
  size_t n;
  site s;
  SKIP_WITHOUT;
  site_open(&s);
  t_postgres_do(s.path, plants);
  config.path = s.path;
  if (s.port->open(&late, &config, why, sizeof why) != SVC_OK) munit_errorf("open: %s", why); /* this handle prepares its statements now */
  s.port->close(s.stores[0]);
  s.stores[0] = late;
  site_write(&s, 0);
  munit_assert_uint64(s.port->number(s.txn[0]), >, 0);
  munit_assert_int(s.port->put(s.txn[0], SVC_S("k"), SVC_S("v")), ==, SVC_OK);
  munit_assert_int(s.port->count_add(s.txn[0], SVC_S("c"), 7), ==, SVC_OK);
  munit_assert_int(s.port->numbers_from(s.txn[0], 1000), ==, SVC_OK);
  munit_assert_int(s.port->commit(s.txn[0]), ==, SVC_OK);
  site_read(&s, 0);
  munit_assert_int(s.port->scan(s.txn[0], &all, rows, 8, &n), ==, SVC_OK);
  munit_assert_size(n, ==, 2);
  munit_assert_int(s.port->size(s.txn[0], &taken, &room), ==, SVC_OK);
  s.port->read_end(s.txn[0]);
  site_close(&s);
}

/* Tables that another user has created, and owns, are refused: the owner of a table can make it run any code. */
TEST(postgres, strangers)
{
  char schema[64], sql[1024], uri[1024], why[512] = "";
  const char *server = getenv("SVC_TEST_POSTGRES");
  svc_config config = { 0 };
  svc_store *store;
  site s;
  int rc;
  SKIP_WITHOUT;
  site_open(&s);
  t_postgres_ask(s.path, "SELECT current_schema()", schema, sizeof schema);
  snprintf(sql, sizeof sql, "CREATE ROLE %s_us LOGIN; CREATE ROLE %s_them; GRANT ALL ON SCHEMA %s TO %s_us; "
           "GRANT ALL ON ALL TABLES IN SCHEMA %s TO %s_us; GRANT ALL ON ALL SEQUENCES IN SCHEMA %s TO %s_us", schema, schema, schema, schema, schema, schema, schema, schema);
  t_postgres_do(s.path, sql);
  snprintf(uri, sizeof uri, "postgresql:///postgres?user=%s_us&options=-csearch_path%%3D%s&host=%s", schema, schema, server);
  config.path = uri;
  rc = t_postgres_bare()->open(&store, &config, why, sizeof why); /* the tables belong to the superuser */
  if (rc != SVC_OK) munit_errorf("open: %s", why);
  t_postgres_bare()->close(store);
  snprintf(sql, sizeof sql, "ALTER TABLE svc_record OWNER TO %s_them", schema);
  t_postgres_do(s.path, sql);
  munit_assert_int(t_postgres_bare()->open(&store, &config, why, sizeof why), ==, SVC_IO);
  if (!strstr(why, "svc_record is owned by") || !strstr(why, "_them")) munit_errorf("%s", why);
  snprintf(sql, sizeof sql, "GRANT %s_them TO %s_us", schema, schema); /* now this user is a member of that role */
  t_postgres_do(s.path, sql);
  munit_assert_int(t_postgres_bare()->open(&store, &config, why, sizeof why), ==, SVC_OK);
  t_postgres_bare()->close(store);
  snprintf(sql, sizeof sql, "ALTER TABLE svc_record OWNER TO svc; DROP OWNED BY %s_us; DROP ROLE %s_us; DROP ROLE %s_them", schema, schema, schema);
  t_postgres_do(s.path, sql);
  site_close(&s);
}

/* Opens the store while the comment of its tables has this number. */
static int site_numbered(site *s, const char *number, char why[256])
{
  svc_config config = { .path = s->path };
  svc_store *store = NULL;
  char sql[128];
  int rc;
  snprintf(sql, sizeof sql, "COMMENT ON TABLE svc_record IS 'svcapi schema %s'", number);
  t_postgres_do(s->path, sql);
  why[0] = '\0';
  rc = s->port->open(&store, &config, why, 256);
  if (rc == SVC_OK) s->port->close(store);
  return rc;
}

/* Tables with another major number or a lower minor number are refused. Only a lower minor number can be upgraded, and the error says how:
** the port itself changes no existing tables. */
TEST(postgres, numbers_of_tables)
{
  char why[256];
  site s;
  SKIP_WITHOUT;
  site_open(&s);
  munit_assert_int(site_numbered(&s, "1.7", why), ==, SVC_OK);
  munit_assert_int(site_numbered(&s, "2.0", why), ==, SVC_IO);
  munit_assert_string_equal(why, "cannot open the store: its schema is 2.0, and this version needs 1.0 or a later 1.x");
  munit_assert_int(site_numbered(&s, "1.-1", why), ==, SVC_IO); /* 1.0 is the lowest number so far */
  munit_assert_string_equal(why, "cannot open the store: its schema is 1.-1, and this version needs 1.0 or a later 1.x: to upgrade it, run the "
                                 "SQL that svcd schema --print shows");
  munit_assert_int(site_numbered(&s, "1.0", why), ==, SVC_OK);
  site_close(&s);
}

/* ----------------------------------------------------------------------------------------------------------- a full disk */

/* Makes PostgreSQL report a full disk for the new rows that the condition `which` selects, as if a page had room for the others. */
static void site_fill(site *s, const char *which)
{
  char sql[512];
  snprintf(sql, sizeof sql, "CREATE OR REPLACE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS "
           "$$BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END$$;"
           "CREATE OR REPLACE TRIGGER fill BEFORE INSERT ON svc_record FOR EACH ROW WHEN (%s) EXECUTE FUNCTION fill()", which);
  t_postgres_do(s->path, sql);
}

/* A write without room is refused, a request that needs none works, and everything works when there is room again. */
TEST(postgres, full)
{
  char org[25], group[25], body[128];
  t_service t;
  site s;
  SKIP_WITHOUT;
  site_open(&s);
  t_open(&t, &(svc_config){ .limiter_off = 1, .path = s.path, .store = s.port });
  strcpy(org, t_organization(&t, "Acme"));
  strcpy(group, t_project(&t, org, "alpha"));
  snprintf(body, sizeof body, "{\"name\":\"beta\",\"orgId\":\"%s\"}", org);
  site_fill(&s, "true");
  munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 507);
  munit_assert_string_equal(t_error(&t), "INSUFFICIENT_STORAGE");
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", group), ==, 507); /* its event has no room */
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
  site_fill(&s, "substr(new.k, 1, 5) = 'eproj'::bytea");
  munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 507);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", group), ==, 202);
  munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 507);
  t_postgres_do(s.path, "DROP TRIGGER fill ON svc_record");
  munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 201);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
  t_close(&t);
  site_close(&s);
}

/* In a batch with a write that has no room, work that frees space is committed without that write. */
typedef struct full_job {
  svc_job job; /* first member: cast back from svc_job */
  pthread_t thread;
  svc_commit *commit;
  atomic_int *begun; /* number of jobs that have started */
} full_job;

static bool full_put(svc_job *job, svc_txn *txn)
{
  atomic_int *begun = ((full_job *)job)->begun;
  svc_key key;
  atomic_fetch_add(begun, 1);
  while (atomic_load(begun) < 2) usleep(1000); /* the other job is queued behind this one by then */
  usleep(100000);
  svc_key_meta(&key, "large");
  svc_put(txn, &key, SVC_S("x"));
  return txn->error == SVC_OK;
}

static bool full_remove(svc_job *job, svc_txn *txn)
{
  svc_key key;
  (void)job;
  svc_key_meta(&key, "old");
  return svc_remove(txn, &key) == SVC_OK;
}

static void *full_run(void *context)
{
  full_job *j = context;
  if (j->job.frees) {
    while (atomic_load(j->begun) < 1) usleep(1000);
    atomic_fetch_add(j->begun, 1);
  }
  svc_commit_run(j->commit, &j->job);
  return NULL;
}

TEST(postgres, full_batch)
{
  full_job jobs[2];
  atomic_int begun;
  svc_txn *txn;
  svc_str value;
  t_service t;
  site s;
  int i;
  SKIP_WITHOUT;
  site_open(&s);
  t_open(&t, &(svc_config){ .limiter_off = 1, .path = s.path, .store = s.port });
  t_postgres_do(s.path, "INSERT INTO svc_record (k, v) VALUES ('mold', 'x')");
  site_fill(&s, "new.k = 'mlarge'::bytea");
  atomic_init(&begun, 0);
  memset(jobs, 0, sizeof jobs);
  for (i = 0; i < 2; i++) {
    jobs[i].job.work = i ? full_remove : full_put;
    jobs[i].job.frees = i;
    jobs[i].job.now = t.now;
    jobs[i].commit = &t.s->commit;
    jobs[i].begun = &begun;
    munit_assert_int(pthread_create(&jobs[i].thread, NULL, full_run, &jobs[i]), ==, 0);
  }
  for (i = 0; i < 2; i++) munit_assert_int(pthread_join(jobs[i].thread, NULL), ==, 0);
  munit_assert_int(jobs[0].job.status, ==, SVC_FULL);
  munit_assert_int(jobs[1].job.status, ==, SVC_OK);
  site_read(&s, 1);
  txn = s.txn[1];
  munit_assert_int(s.port->get(txn, SVC_S("mold"), &value), ==, SVC_NOT_FOUND);
  munit_assert_int(s.port->get(txn, SVC_S("mlarge"), &value), ==, SVC_NOT_FOUND);
  s.port->read_end(txn);
  t_close(&t);
  site_close(&s);
}

/* ------------------------------------------------------------------------------------------------- services that share one */

enum { CLUSTERS = 8 };

/* The orders that the drivers of both handles got. */
typedef struct pair_log {
  pthread_mutex_t lock;
  char ids[64][25];
  int n;
} pair_log;

typedef struct pair {
  char path[128];
  t_service t[HANDLES];
  svc_config config; /* of both handles */
  svc_driver driver;
  pair_log log;
  char group[32];
} pair;

static int pair_perform(void *context, svc *s, const svc_order *order)
{
  pair_log *log = context;
  (void)s;
  pthread_mutex_lock(&log->lock);
  munit_assert_int(log->n, <, 64);
  strcpy(log->ids[log->n++], order->id);
  pthread_mutex_unlock(&log->lock);
  return SVC_OK;
}

static void pair_open(pair *p, bool driver)
{
  int i;
  memset(p, 0, sizeof *p);
  pthread_mutex_init(&p->log.lock, NULL);
  p->driver = (svc_driver){ pair_perform, NULL, &p->log };
  store_folder(p->path);
  p->config.limiter_off = 1;
  p->config.store = t_postgres_port();
  p->config.path = p->path;
  p->config.driver = driver ? &p->driver : NULL;
  for (i = 0; i < HANDLES; i++) {
    t_open(&p->t[i], &p->config);
    p->t[i].random ^= (uint64_t)(i + 1) << 32; /* two machines have different random numbers, ... */
    t_reopen(&p->t[i], &p->config); /* ... from the start */
  }
  strcpy(p->group, t_project(&p->t[0], t_organization(&p->t[0], "Acme"), "alpha"));
}

static void pair_close(pair *p)
{
  int i;
  for (i = 0; i < HANDLES; i++) t_close(&p->t[i]);
  pthread_mutex_destroy(&p->log.lock);
  store_remove(p->path);
}

static void pair_clusters(pair *p)
{
  static const char *const bodies[CLUSTERS] = { PROBE_CLUSTER("c0", "M10"), PROBE_CLUSTER("c1", "M10"), PROBE_CLUSTER("c2", "M10"),
                                                PROBE_CLUSTER("c3", "M10"), PROBE_CLUSTER("c4", "M10"), PROBE_CLUSTER("c5", "M10"),
                                                PROBE_CLUSTER("c6", "M10"), PROBE_CLUSTER("c7", "M10") };
  int i;
  for (i = 0; i < CLUSTERS; i++)
    munit_assert_int(t_sendf(&p->t[i % HANDLES], "POST", bodies[i], "/groups/%s/clusters", p->group), ==, 201);
}

static void *pair_tick(void *context)
{
  t_service *t = context;
  munit_assert_int(svc_tick(t->s), ==, SVC_OK);
  return NULL;
}

static void pair_tick_both(pair *p)
{
  pthread_t threads[HANDLES];
  int i;
  for (i = 0; i < HANDLES; i++) munit_assert_int(pthread_create(&threads[i], NULL, pair_tick, &p->t[i]), ==, 0);
  for (i = 0; i < HANDLES; i++) munit_assert_int(pthread_join(threads[i], NULL), ==, 0);
}

/* Each order is given out by one handle, and by the other one after the first has not renewed its lease in time. */
TEST(postgres, orders)
{
  static pair p;
  int i, j;
  SKIP_WITHOUT;
  pair_open(&p, true);
  pair_clusters(&p);
  pair_tick_both(&p);
  pair_tick_both(&p);
  munit_assert_int(p.log.n, ==, CLUSTERS);
  for (i = 0; i < CLUSTERS; i++)
    for (j = 0; j < i; j++) munit_assert_string_not_equal(p.log.ids[i], p.log.ids[j]);
  for (i = 0; i < CLUSTERS - 1; i++) /* the outcome may be reported to either handle */
    munit_assert_int(svc_order_done(p.t[i % HANDLES].s, p.log.ids[i], SVC_OK, NULL), ==, SVC_OK);
  for (i = 0; i < 5; i++) { /* a handle that renews its lease keeps its orders */
    t_advance(&p.t[0], 30);
    t_advance(&p.t[1], 30);
    munit_assert_int(svc_tick(p.t[0].s), ==, SVC_OK);
    munit_assert_int(svc_tick(p.t[1].s), ==, SVC_OK);
  }
  munit_assert_int(p.log.n, ==, CLUSTERS);
  for (i = 0; i < HANDLES && p.log.n == CLUSTERS; i++) { /* the handle with the order renews its lease no more */
    t_advance(&p.t[0], 70);
    t_advance(&p.t[1], 70);
    munit_assert_int(svc_tick(p.t[i].s), ==, SVC_OK);
  }
  munit_assert_int(p.log.n, ==, CLUSTERS + 1);
  munit_assert_string_equal(p.log.ids[CLUSTERS], p.log.ids[CLUSTERS - 1]);
  munit_assert_int(svc_check_store(p.t[0].s, NULL, NULL), ==, SVC_OK);
  pair_close(&p);
}

typedef struct pair_notices {
  int says, n;
} pair_notices;

static int pair_notify(void *context, svc *s, const svc_notification *notification)
{
  pair_notices *notices = context;
  (void)s;
  munit_assert_string_equal(notification->kind, "EMAIL");
  notices->n++;
  return notices->says;
}

static void pair_tick_later(pair *p, int handle, int seconds)
{
  int i;
  for (i = 0; i < HANDLES; i++) t_advance(&p->t[i], seconds);
  munit_assert_int(svc_tick(p->t[handle].s), ==, SVC_OK);
}

/* One handle sends notifications, and the other one has a driver: each hands out its own orders, and leaves those of the other handle in
** the queue. */
TEST(postgres, unlike_handles)
{
  static const char rule[] = "{\"enabled\":true,\"eventTypeName\":\"NETWORK_PERMISSION_ENTRY_ADDED\",\"notifications\":[{\"typeName\":\"EMAIL\","
                             "\"emailAddress\":\"a@example.com\",\"delayMin\":0}]}";
  static pair p;
  pair_notices notices = { SVC_BUSY, 0 };
  svc_config config;
  SKIP_WITHOUT;
  pair_open(&p, true);
  config = p.config;
  config.driver = NULL;
  config.notify = pair_notify;
  config.notify_context = &notices;
  t_reopen(&p.t[0], &config);
  munit_assert_int(t_sendf(&p.t[0], "POST", rule, "/groups/%s/alertConfigs", p.group), ==, 201);
  munit_assert_int(t_sendf(&p.t[0], "POST", "[{\"ipAddress\":\"10.0.0.1\"}]", "/groups/%s/accessList", p.group), ==, 201);
  munit_assert_int(t_sendf(&p.t[1], "POST", PROBE_CLUSTER("c0", "M10"), "/groups/%s/clusters", p.group), ==, 201);
  pair_tick_later(&p, 0, 1); /* the host is busy, and the notice stays queued */
  munit_assert_int(notices.n, ==, 1);
  munit_assert_int(p.log.n, ==, 0);
  pair_tick_later(&p, 1, 5);
  munit_assert_int(p.log.n, ==, 1); /* the cluster */
  munit_assert_int(notices.n, ==, 1);
  pair_tick_later(&p, 0, 1);
  munit_assert_int(notices.n, ==, 2);
  munit_assert_size(probe_records(p.t[0].s, "eanot"), ==, 1);
  pair_tick_later(&p, 1, 2 * 86400); /* a notice is kept for a day; this handle deletes it, and the order with it */
  munit_assert_size(probe_records(p.t[1].s, "eanot"), ==, 0);
  munit_assert_size(probe_records(p.t[1].s, "oanot"), ==, 0);
  munit_assert_int(svc_check_store(p.t[0].s, NULL, NULL), ==, SVC_OK);
  pair_close(&p);
}

/* A due step happens once, on whichever handle, and writes one event. */
TEST(postgres, due)
{
  static pair p;
  int i;
  SKIP_WITHOUT;
  pair_open(&p, false);
  pair_clusters(&p);
  for (i = 0; i < HANDLES; i++) t_advance(&p.t[i], 60);
  pair_tick_both(&p);
  for (i = 0; i < HANDLES; i++) {
    munit_assert_int(t_sendf(&p.t[i], "GET", NULL, "/groups/%s/events?eventType=CLUSTER_READY", p.group), ==, 200);
    munit_assert_int64(t_int(&p.t[i], "totalCount"), ==, CLUSTERS);
  }
  munit_assert_int(svc_check_store(p.t[1].s, NULL, NULL), ==, SVC_OK);
  pair_close(&p);
}

typedef struct pair_writer {
  t_service *t;
  const char *org;
  int number, made;
  char ids[40][25];
} pair_writer;

static void *pair_write(void *context)
{
  pair_writer *w = context;
  char body[128];
  int i;
  for (i = 0; i < 40; i++) {
    snprintf(body, sizeof body, "{\"name\":\"p%d-%d\",\"orgId\":\"%s\",\"withDefaultAlertsSettings\":false}", w->number, i, w->org);
    while (t_send(w->t, "POST", "/groups", body) == 503) continue; /* Retry-After asks for a retry */
    munit_assert_int(w->t->response.status, ==, 201);
    strcpy(w->ids[i], t_str(w->t, "id"));
  }
  return NULL;
}

/* Both handles write at the same time: nothing is lost, ids are unique, counts are right, and each sees the other's changes. */
TEST(postgres, writers)
{
  static pair p;
  static pair_writer w[HANDLES];
  pthread_t threads[HANDLES];
  char org[32];
  int i, j;
  SKIP_WITHOUT;
  pair_open(&p, false);
  munit_assert_int(t_sendf(&p.t[0], "GET", NULL, "/groups/%s", p.group), ==, 200);
  strcpy(org, t_str(&p.t[0], "orgId"));
  for (i = 0; i < HANDLES; i++) {
    w[i] = (pair_writer){ .t = &p.t[i], .org = org, .number = i };
    munit_assert_int(pthread_create(&threads[i], NULL, pair_write, &w[i]), ==, 0);
  }
  for (i = 0; i < HANDLES; i++) munit_assert_int(pthread_join(threads[i], NULL), ==, 0);
  for (i = 0; i < 40; i++)
    for (j = 0; j < 40; j++) munit_assert_string_not_equal(w[0].ids[i], w[1].ids[j]);
  for (i = 0; i < HANDLES; i++) {
    munit_assert_int(t_sendf(&p.t[i], "GET", NULL, "/orgs/%s/groups?itemsPerPage=1", org), ==, 200);
    munit_assert_int64(t_int(&p.t[i], "totalCount"), ==, 81);
    munit_assert_int(t_sendf(&p.t[i], "GET", NULL, "/groups/%s", w[1 - i].ids[7]), ==, 200);
  }
  munit_assert_int(svc_check_store(p.t[0].s, NULL, NULL), ==, SVC_OK);
  pair_close(&p);
}

static void pair_md5(char out[33], const char *format, ...)
{
  unsigned char hash[16];
  char text[512];
  va_list args;
  int i, n;
  va_start(args, format);
  n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  svc_md5((svc_str){ text, (size_t)n }, hash);
  for (i = 0; i < 16; i++) snprintf(out + 2 * i, 3, "%02x", hash[i]);
}

/* A nonce that one handle issued is accepted by the other. A made-up nonce is accepted by neither. */
TEST(postgres, digest)
{
  static const char target[] = "/api/svc/v2/orgs";
  static pair p;
  char first[33], second[33], response[33], nonce[33], header[512];
  svc_credentials keys;
  int i;
  SKIP_WITHOUT;
  pair_open(&p, false);
  munit_assert_int(svc_new_credentials(p.t[0].s, NULL, &keys), ==, SVC_OK);
  for (i = 0; i < HANDLES; i++) {
    p.t[i].anonymous = true;
    p.t[i].peer = "127.0.0.1"; /* on the access list of the credentials */
  }
  munit_assert_int(t_send(&p.t[0], "GET", target, NULL), ==, 401);
  munit_assert_not_null(strstr(t_get_header(&p.t[0], "WWW-Authenticate"), "nonce=\""));
  snprintf(nonce, sizeof nonce, "%.32s", strstr(t_get_header(&p.t[0], "WWW-Authenticate"), "nonce=\"") + 7);
  for (i = 0; i < 2; i++) {
    pair_md5(first, "%s:svc:%s", keys.public_key, keys.private_key);
    pair_md5(second, "GET:%s", target);
    pair_md5(response, "%s:%s:00000001:abc:auth:%s", first, nonce, second);
    snprintf(header, sizeof header, "Digest username=\"%s\", realm=\"svc\", nonce=\"%s\", uri=\"%s\", qop=auth, nc=00000001, "
             "cnonce=\"abc\", response=\"%s\", algorithm=MD5", keys.public_key, nonce, target, response);
    t_header(&p.t[1], "Authorization", header);
    munit_assert_int(t_send(&p.t[1], "GET", target, NULL), ==, i == 0 ? 200 : 401);
    nonce[20] = nonce[20] == 'A' ? 'B' : 'A';
  }
  pair_close(&p);
}

/* Round trips of a request with a known bearer token, while others write. A GET waits once, a list twice, and a create of a project
** twice (both times as a possible writer). Creating a role in it takes four more (existing roles, a late event, waiting alerts).
** Each takes one more if there is an access list. */
TEST(postgres, round_trips)
{
  static pair p;
  t_postgres_trips before, after;
  svc_credentials keys;
  char body[256];
  int i;
  SKIP_WITHOUT;
  pair_open(&p, false);
  munit_assert_int(svc_new_credentials(p.t[0].s, NULL, &keys), ==, SVC_OK);
  p.t[1].peer = "127.0.0.1";
  munit_assert_int(t_as_account(&p.t[1], keys.client_id, keys.client_secret), ==, 200);
  munit_assert_int(t_sendf(&p.t[1], "GET", NULL, "/groups/%s", keys.group_id), ==, 200); /* the token is new to this handle */
  for (i = 0; i < 3; i++) {
    snprintf(body, sizeof body, "{\"name\":\"p%d\",\"orgId\":\"%s\"}", i, keys.org_id);
    before = t_postgres_counted();
    munit_assert_int(t_sendf(&p.t[1], "POST", body, "/groups"), ==, 201);
    after = t_postgres_counted();
    munit_assert_ulong(after.flushes - before.flushes, ==, 0);
    munit_assert_ulong(after.syncs - before.syncs, <=, 1 + 2);
    snprintf(body, sizeof body, "{\"name\":\"q%d\",\"orgId\":\"%s\"}", i, keys.org_id);
    munit_assert_int(t_sendf(&p.t[0], "POST", body, "/groups"), ==, 201); /* another handle writes */
    before = t_postgres_counted();
    munit_assert_int(t_sendf(&p.t[1], "GET", NULL, "/groups/%s", keys.group_id), ==, 200);
    after = t_postgres_counted();
    munit_assert_ulong(after.flushes - before.flushes + after.syncs - before.syncs, <=, 2 + 1);
    before = t_postgres_counted();
    munit_assert_int(t_sendf(&p.t[1], "GET", NULL, "/orgs/%s/groups", keys.org_id), ==, 200);
    munit_assert_ulong(trips_waited(before, t_postgres_counted()), <=, 3 + (getenv("SVC_TEST_POOLER") != NULL));
    snprintf(body, sizeof body, "{\"roleName\":\"r%d\",\"actions\":[{\"action\":\"FIND\",\"resources\":[{\"db\":\"shop\",\"collection\":\"orders\"}]}]}", i);
    before = t_postgres_counted();
    munit_assert_int(t_sendf(&p.t[1], "POST", body, "/groups/%s/customDBRoles/roles", keys.group_id), <, 300);
    after = t_postgres_counted();
    munit_assert_ulong(after.flushes - before.flushes, ==, 0);
    munit_assert_ulong(after.syncs - before.syncs, <=, 1 + 6);
  }
  pair_close(&p);
}

/* A token that this handle knows is refused at once after another handle has deleted the token's service account. */
TEST(postgres, revoked)
{
  static pair p;
  svc_credentials keys;
  SKIP_WITHOUT;
  pair_open(&p, false);
  munit_assert_int(svc_new_credentials(p.t[0].s, NULL, &keys), ==, SVC_OK);
  p.t[1].peer = "127.0.0.1";
  munit_assert_int(t_as_account(&p.t[1], keys.client_id, keys.client_secret), ==, 200);
  munit_assert_int(t_sendf(&p.t[1], "GET", NULL, "/groups/%s", keys.group_id), ==, 200);
  munit_assert_int(t_sendf(&p.t[1], "GET", NULL, "/groups/%s", keys.group_id), ==, 200);
  munit_assert_int(t_sendf(&p.t[0], "DELETE", NULL, "/orgs/%s/serviceAccounts/%s", keys.org_id, keys.client_id), ==, 204);
  munit_assert_int(t_sendf(&p.t[1], "GET", NULL, "/groups/%s", keys.group_id), ==, 401);
  pair_close(&p);
}

/* ------------------------------------------------------------------------------------------------- connections that break */

typedef struct broken {
  relay relay;
  t_service t;
  long count, tried, refused;
} broken;

/* Creates one organization while the connection breaks after this many bytes. Returns false if the request had fewer bytes. */
static bool broken_one(broken *b, int direction, int way, long bytes)
{
  char body[64], key[64];
  int status, tries = 0;
  bool hit;
  snprintf(body, sizeof body, "{\"name\":\"org %ld\"}", b->count);
  snprintf(key, sizeof key, "key-%ld", b->count++);
  t_header(&b->t, "Idempotency-Key", key);
  relay_arm(&b->relay, direction, way, bytes);
  status = t_send(&b->t, "POST", "/orgs", body);
  hit = relay_disarm(&b->relay);
  if (status != 201 && (status != 503 || !hit)) munit_errorf("%ld bytes, direction %d, way %d: %d", bytes, direction, way, status);
  b->tried += hit;
  b->refused += status != 201;
  for (status = 503; status == 503 && tries < 10; tries++) status = t_send(&b->t, "POST", "/orgs", body); /* as Retry-After asks */
  munit_assert_int(status, ==, 201);
  t_headers_clear(&b->t);
  status = t_send(&b->t, "GET", "/orgs?itemsPerPage=1", NULL);
  if (status == 503 && hit) status = t_send(&b->t, "GET", "/orgs?itemsPerPage=1", NULL); /* a reading connection broke */
  munit_assert_int(status, ==, 200);
  munit_assert_int64(t_int(&b->t, "totalCount"), ==, b->count); /* exists once, whatever the answer was */
  return hit;
}

/* Breaks the connection after every number of bytes of a write, in steps (finer with SVC_TEST_ALL): the request is answered, or gets
** 503, and then all works. */
TEST(postgres, broken)
{
  const bool all = getenv("SVC_TEST_ALL") != NULL;
  const char *way_to = getenv("SVC_TEST_POOLER") ? "SVC_TEST_POOLER" : "SVC_TEST_POSTGRES";
  char folder[128], server[256];
  static broken b;
  long bytes;
  int direction, way;
  SKIP_WITHOUT;
  snprintf(server, sizeof server, "%s", getenv(way_to));
  relay_start(&b.relay, server, ".s.PGSQL.5432"); /* the name that libpq looks for in a folder */
  munit_assert_int(setenv(way_to, b.relay.folder, 1), ==, 0);
  store_folder(folder);
  t_open(&b.t, &(svc_config){ .limiter_off = 1, .path = folder, .store = t_postgres_port() });
  for (way = 0; way < RELAY_WAYS; way++)
    for (direction = 0; direction < 2; direction++)
      for (bytes = 0; broken_one(&b, direction, way, bytes); bytes += 1 + bytes / (all ? 50 : 3)) continue;
  munit_assert_int(svc_check_store(b.t.s, NULL, NULL), ==, SVC_OK);
  t_close(&b.t);
  fprintf(stderr, "PostgreSQL: %ld connections broken or held up, %ld writes refused and sent again\n", b.tried, b.refused);
  munit_assert_long(b.tried, >, 20);
  munit_assert_int(setenv(way_to, server, 1), ==, 0);
  relay_stop(&b.relay);
  store_remove(folder);
}

/*
** The store on PostgreSQL while calls fail: every call to libpq, malloc and poll in turn, once or from there on; and every
** error that the server can return. The rules: the port returns a code and never crashes. An acknowledged write is stored, a
** write that has to be repeated is not, and none is stored in part. Afterwards the same handle works again. Skipped without a
** server.
*/
#include "faults.h"
#include "support.h"

#include <pthread.h>
#include <unistd.h>

#define FAULTS_LONG 300 /* bytes of a key that is too long for a transaction to cache */

typedef struct faulty {
  const svc_store_port *port;
  char path[128], copy[160];
  svc_store *store;
  long round; /* number of the current write */
} faulty;

static svc_str faulty_key(char *space, const char *prefix, long n, size_t length)
{
  size_t at = (size_t)sprintf(space, "%s%06ld", prefix, n);
  while (at < length) space[at++] = 'x';
  return (svc_str){ space, at };
}

static int faulty_open(faulty *f)
{
  svc_config config = { .path = f->path, .durability = SVC_NO_SYNC };
  char why[256] = "";
  int rc = f->port->open(&f->store, &config, why, sizeof why);
  if (rc != SVC_OK && rc != SVC_NOMEM && !why[0]) munit_error("it does not open, and no word says why");
  return rc;
}

/* ---------------------------------------------------------------------------------------------------------------- steps */

/* Calls every function of a reader. */
static int faulty_read(faulty *f)
{
  static const svc_range whole = { SVC_S("r"), SVC_S("s"), false, 0 }, back = { SVC_S("r"), SVC_S("s"), true, 0 }, all = { SVC_S("\1"), SVC_S("\377"), false, 0 };
  char space[64][FAULTS_LONG + 16];
  svc_str keys[64], values[64], expected[2];
  svc_row rows[8];
  svc_range next;
  svc_txn *txn;
  int64_t count;
  uint64_t taken, room;
  size_t n = 0, i;
  int rc = f->port->read_begin(f->store, &txn), last;
  if (rc != SVC_OK) return rc;
  for (i = 0; i < 40; i++) keys[i] = faulty_key(space[i], i % 2 ? "r" : "none", (long)i, 0);
  keys[40] = faulty_key(space[40], "r", 1, FAULTS_LONG);
  expected[0] = faulty_key(space[41], "c", 1, 0);
  expected[1] = keys[1];
  f->port->expect(txn, expected, 2, 6);
  last = f->port->scan(txn, &whole, rows, 2, &n);
  for (i = 0; last == SVC_OK && n == 2 && i < 4; i++) { /* continues after the last row: some rows are already cached */
    char from[FAULTS_LONG + 32];
    memcpy(from, rows[1].key.p, rows[1].key.n);
    from[rows[1].key.n] = 0;
    next = whole;
    next.from = (svc_str){ from, rows[1].key.n + 1 };
    last = f->port->scan(txn, &next, rows, 2, &n);
  }
  if (rc == SVC_OK) rc = last;
  f->port->expect(txn, NULL, 0, 6);
  last = f->port->scan(txn, &back, rows, 2, &n);
  if (last == SVC_OK) last = f->port->scan(txn, &all, rows, 8, &n);
  if (rc == SVC_OK) rc = last;
  last = f->port->get_many(txn, keys, 8, values);
  if (last == SVC_OK) last = f->port->get_many(txn, keys, 41, values);
  if (last == SVC_OK) last = f->port->get(txn, keys[40], &values[40]);
  if (last != SVC_NOT_FOUND && rc == SVC_OK) rc = last;
  last = f->port->count(txn, expected[0], &count);
  if (last == SVC_OK) last = f->port->count(txn, faulty_key(space[42], "c", 1, FAULTS_LONG), &count);
  if (last == SVC_OK) last = f->port->size(txn, &taken, &room);
  if (rc == SVC_OK) rc = last;
  f->port->forget(txn);
  f->port->read_end(txn);
  return rc;
}

/* Calls every function of a writer, between a first and a last mark. */
static int faulty_write_in(faulty *f, svc_txn *txn)
{
  static char large[300 << 10];
  char space[FAULTS_LONG + 32];
  const svc_store_port *port = f->port;
  svc_str value;
  svc_row rows[4];
  int64_t count;
  size_t n;
  long i;
  int rc;
  port->number(txn);
  rc = txn->error;
  if (rc == SVC_OK) rc = port->put(txn, faulty_key(space, "mark-a", f->round, 0), SVC_S("1"));
  for (i = 0; i < 70 && rc == SVC_OK; i++) rc = port->put(txn, faulty_key(space, "r", i, i % 7 ? 0 : FAULTS_LONG), SVC_S("v"));
  if (rc == SVC_OK) rc = port->put(txn, SVC_S("large"), (svc_str){ large, sizeof large });
  if (rc == SVC_OK) rc = port->put(txn, SVC_S("large"), SVC_S("small"));
  if (rc == SVC_OK) rc = port->get(txn, SVC_S("large"), &value);
  for (i = 0; i < 30 && rc == SVC_OK; i++) rc = port->count_add(txn, faulty_key(space, "c", i, 0), 1);
  if (rc == SVC_OK) rc = port->count_add(txn, faulty_key(space, "c", 1, FAULTS_LONG), 1);
  if (rc == SVC_OK) rc = port->count_add(txn, faulty_key(space, "c", 2, FAULTS_LONG), 0);
  if (rc == SVC_OK) rc = port->count(txn, faulty_key(space, "c", 3, 0), &count);
  if (rc == SVC_OK) rc = port->count(txn, faulty_key(space, "c", 1, FAULTS_LONG), &count);
  if (rc == SVC_OK) rc = port->remove(txn, faulty_key(space, "r", 3, 0));
  if (rc == SVC_OK) rc = port->remove_range(txn, SVC_S("cx"), SVC_S("d"));
  if (rc == SVC_OK) rc = port->remove_range(txn, SVC_S("x"), SVC_S("y"));
  if (rc == SVC_OK) rc = port->scan(txn, &(svc_range){ SVC_S("r"), SVC_S("s"), false, 1 }, rows, 4, &n);
  if (rc == SVC_OK) rc = port->put(txn, faulty_key(space, "mark-z", f->round, 0), SVC_S("1"));
  if (rc == SVC_OK) return port->commit(txn);
  port->abort(txn);
  return rc;
}

static int faulty_write(faulty *f)
{
  svc_txn *txn;
  int rc = f->port->write_begin(f->store, &txn);
  return rc == SVC_OK ? faulty_write_in(f, txn) : rc;
}

/* Writes with a draft, which has only read so far. If the draft cannot become a writer, the work is done in the usual way. */
static int faulty_draft(faulty *f)
{
  svc_txn *txn;
  svc_str value;
  int64_t count;
  int rc = f->port->draft_begin(f->store, &txn);
  if (rc != SVC_OK) return rc;
  rc = f->port->get(txn, SVC_S("large"), &value);
  if (rc == SVC_OK) rc = f->port->count(txn, SVC_S("c"), &count);
  if (rc == SVC_OK && f->port->draft_write(txn)) return faulty_write_in(f, txn);
  f->port->read_end(txn);
  return rc == SVC_OK ? faulty_write(f) : rc;
}

/* A draft that reads a change between two writers of other handles (postgres_test.c explains it). */
static int faulty_withdrawn(faulty *f)
{
  static const svc_str keys[] = { SVC_S("seen"), SVC_S("between-a"), SVC_S("between-b") };
  svc_config config = { .path = f->path, .durability = SVC_NO_SYNC };
  const svc_store_port *port = f->port;
  svc_txn *txn, *others[2];
  svc_store *stores[2];
  char why[256];
  svc_str value;
  int rc, i, k;
  t_fault_spare(true);
  for (i = 0; i < 2; i++) {
    munit_assert_int(port->open(&stores[i], &config, why, sizeof why), ==, SVC_OK);
    munit_assert_int(port->write_begin(stores[i], &others[i]), ==, SVC_OK);
    if (i == 0) { /* the keys exist, so that a look-up of a neighboring key does not conflict */
      for (k = 0; k < 3; k++) munit_assert_int(port->put(others[0], keys[k], SVC_S("v")), ==, SVC_OK);
      munit_assert_int(port->commit(others[0]), ==, SVC_OK);
      munit_assert_int(port->write_begin(stores[0], &others[0]), ==, SVC_OK);
    }
  }
  t_fault_spare(false);
  rc = port->draft_begin(f->store, &txn);
  if (rc == SVC_OK && port->get(txn, keys[0], &value) == SVC_OK) {
    t_fault_spare(true);
    munit_assert_int(port->get(others[0], keys[1], &value), ==, SVC_OK);
    munit_assert_int(port->put(others[1], keys[1], SVC_S("v")), ==, SVC_OK);
    munit_assert_int(port->commit(others[1]), ==, SVC_OK);
    munit_assert_int(port->put(others[0], keys[2], SVC_S("v")), ==, SVC_OK);
    munit_assert_int(port->commit(others[0]), ==, SVC_OK);
    t_fault_spare(false);
    rc = port->get(txn, keys[2], &value);
    if (rc == SVC_OK) munit_assert_false(txn->draft || port->draft_write(txn));
  } else {
    t_fault_spare(true);
    for (i = 0; i < 2; i++) port->abort(others[i]);
    t_fault_spare(false);
    if (rc == SVC_OK) rc = SVC_IO;
  }
  if (txn) port->read_end(txn);
  t_fault_spare(true);
  for (i = 0; i < 2; i++) port->close(stores[i]);
  t_fault_spare(false);
  return rc;
}

/* Commits a writer that has only read. */
static int faulty_look(faulty *f)
{
  svc_txn *txn;
  svc_str value;
  int rc = f->port->write_begin(f->store, &txn);
  if (rc != SVC_OK) return rc;
  rc = f->port->get(txn, SVC_S("large"), &value);
  if (rc == SVC_NOT_FOUND) rc = SVC_OK;
  if (rc == SVC_OK) return f->port->commit(txn);
  f->port->abort(txn);
  return rc;
}

static int faulty_reopen(faulty *f)
{
  f->port->close(f->store);
  f->store = NULL;
  return faulty_open(f);
}

static int faulty_copy(faulty *f)
{
  char path[200];
  snprintf(path, sizeof path, "@%s", f->copy);
  return f->port->copy(f->store, path);
}

static const struct {
  const char *name;
  int (*run)(faulty *);
} faulty_steps[] = { { "open", faulty_reopen }, { "read", faulty_read }, { "write", faulty_write }, { "look", faulty_look }, { "copy", faulty_copy },
                    { "written by a draft", faulty_draft }, { "withdrawn", faulty_withdrawn } };
#define FAULTY_STEPS (sizeof faulty_steps / sizeof faulty_steps[0])

/* ----------------------------------------------------------------------------------------------------------- afterwards */

static bool faulty_there(svc_txn *txn, const char *prefix, long round)
{
  char space[64];
  svc_str value;
  int rc = txn->port->get(txn, faulty_key(space, prefix, round, 0), &value);
  munit_assert_true(rc == SVC_OK || rc == SVC_NOT_FOUND);
  return rc == SVC_OK;
}

static void faulty_goes_on(faulty *f, int rc, const char *what)
{
  svc_txn *txn;
  bool a, z;
  int again;
  if (!f->store && faulty_open(f) != SVC_OK) munit_errorf("%s: it does not open any more", what);
  again = f->port->read_begin(f->store, &txn);
  if (again != SVC_OK) munit_errorf("%s: no reader begins: %d", what, again);
  a = faulty_there(txn, "mark-a", f->round);
  z = faulty_there(txn, "mark-z", f->round);
  f->port->read_end(txn);
  if (a != z) munit_errorf("%s: the half of a write is there", what);
  if (rc == SVC_OK && (strstr(what, "write") || strstr(what, "written")) && !a) munit_errorf("%s: it was acknowledged, and is not there", what);
  if (rc == SVC_RETRY && a) munit_errorf("%s: it is to be tried again, and is there", what);
  f->round++;
  if (access(f->copy, F_OK) == 0) store_remove(f->copy);
}

static void faulty_begin(faulty *f)
{
  memset(f, 0, sizeof *f);
  f->port = t_postgres_port();
  store_folder(f->path);
  snprintf(f->copy, sizeof f->copy, "%s-copy", f->path);
  munit_assert_int(faulty_open(f), ==, SVC_OK);
  munit_assert_int(faulty_write(f), ==, SVC_OK);
  f->round++;
}

static void faulty_end(faulty *f)
{
  f->port->close(f->store);
  store_remove(f->path);
}

TEST(postgres_faults, all)
{
  static const struct { enum t_call call; int error; } kinds[] = { { T_CALL_SERVER, EIO }, { T_CALL_MEMORY, ENOMEM }, { T_CALL_WAIT, EINTR }, { T_CALL_LOCKS, ENOMEM } };
  unsigned long tried = 0, refused = 0;
  faulty f;
  size_t step, k;
  int for_good;
  long at;
  SKIP_IF(!t_postgres_port());
  faulty_begin(&f);
  for (step = 0; step < FAULTY_STEPS; step++)
    for (k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
      for (for_good = 0; for_good < 2; for_good++) {
        /* Only the wait that never ends needs a deadline, much shorter than the time after which a handle stops connecting
        ** (POSTGRES_OUTAGE). Everything else has as long as a busy machine may take. */
        setenv("SVC_TEST_POSTGRES_TIMEOUT", kinds[k].call == T_CALL_WAIT && for_good ? "500" : "30000", 1);
        munit_assert_int(faulty_reopen(&f), ==, SVC_OK);
        for (at = 1; at < 400; at += faulty_steps[step].run == faulty_copy ? 1 + at / 3 : 1 + at / 24) {
          char what[64];
          long hits;
          int rc;
          if (kinds[k].call == T_CALL_WAIT && for_good && at > 2) break; /* a wait that is always interrupted lasts until the deadline */
          snprintf(what, sizeof what, "%s, call %ld of kind %d", faulty_steps[step].name, at, (int)kinds[k].call);
          t_fault(kinds[k].call, at, kinds[k].error, for_good);
          rc = faulty_steps[step].run(&f);
          hits = t_fault_end();
          if (rc == SVC_CORRUPT || rc == SVC_NOT_FOUND) munit_errorf("%s: %d", what, rc);
          if (!hits && rc != SVC_OK) munit_errorf("%s: nothing failed, and it did not succeed: %d", what, rc);
          tried += hits > 0;
          refused += rc != SVC_OK;
          faulty_goes_on(&f, rc, what);
          if (!hits) break;
        }
      }
  fprintf(stderr, "PostgreSQL: %lu faults, %lu refused\n", tried, refused);
  munit_assert_ulong(refused, >, 50);
  faulty_end(&f);
}

/* Only adds to counts, which need memory that a fresh handle does not have yet. */
static int faulty_adds(faulty *f)
{
  char space[64];
  svc_txn *txn;
  int rc = f->port->write_begin(f->store, &txn);
  if (rc != SVC_OK) return rc;
  rc = f->port->count_add(txn, faulty_key(space, "c", 7, 0), 1);
  if (rc == SVC_OK) return f->port->commit(txn);
  f->port->abort(txn);
  return rc;
}

/* Calls fail in turn with a fresh handle, which gets its connections and memory meanwhile. */
TEST(postgres_faults, fresh)
{
  static const struct { enum t_call call; int error; } kinds[] = { { T_CALL_SERVER, EIO }, { T_CALL_MEMORY, ENOMEM } };
  static const struct { const char *name; int (*run)(faulty *); } steps[] = { { "read", faulty_read }, { "write", faulty_write }, { "add", faulty_adds } };
  unsigned long refused = 0;
  faulty f;
  size_t step, k;
  long at;
  SKIP_IF(!t_postgres_port());
  faulty_begin(&f);
  for (step = 0; step < sizeof steps / sizeof steps[0]; step++)
    for (k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
      for (at = 1; at < 400; at += 1 + at / 48) {
        char what[64];
        long hits;
        int rc;
        munit_assert_int(faulty_reopen(&f), ==, SVC_OK);
        snprintf(what, sizeof what, "%s of a fresh handle, call %ld of kind %d", steps[step].name, at, (int)kinds[k].call);
        t_fault(kinds[k].call, at, kinds[k].error, false);
        rc = steps[step].run(&f);
        hits = t_fault_end();
        if (rc == SVC_CORRUPT || rc == SVC_NOT_FOUND || (!hits && rc != SVC_OK)) munit_errorf("%s: %d", what, rc);
        refused += rc != SVC_OK;
        if (steps[step].run == faulty_adds) munit_assert_int(rc == SVC_OK || faulty_adds(&f) == SVC_OK, ==, 1);
        else faulty_goes_on(&f, rc, what);
        if (!hits) break;
      }
  munit_assert_ulong(refused, >, 50);
  faulty_end(&f);
}

/* The first of two reading connections is lost: the next reader uses the other one, and a third one connects again. */
TEST(postgres_faults, other_reader)
{
  svc_txn *txns[3];
  svc_str value;
  faulty f;
  int i;
  SKIP_IF(!t_postgres_port());
  faulty_begin(&f);
  for (i = 0; i < 2; i++) munit_assert_int(f.port->read_begin(f.store, &txns[i]), ==, SVC_OK);
  for (i = 0; i < 2; i++) munit_assert_int(f.port->get(txns[i], SVC_S("large"), &value), ==, SVC_OK);
  t_fault(T_CALL_SERVER, 1, EIO, true);
  munit_assert_int(f.port->get(txns[0], SVC_S("other"), &value), ==, SVC_IO);
  t_fault_end();
  for (i = 0; i < 2; i++) f.port->read_end(txns[i]);
  t_fault(T_CALL_SERVER, 1000, EIO, false); /* no call fails, but calls are counted */
  for (i = 0; i < 3; i++) {
    munit_assert_int(f.port->read_begin(f.store, &txns[i]), ==, SVC_OK);
    munit_assert_int(f.port->get(txns[i], SVC_S("large"), &value), ==, SVC_OK);
    munit_assert_true(svc_str_is(value, "small"));
  }
  munit_assert_long(t_fault_end(), ==, 0);
  for (i = 0; i < 3; i++) f.port->read_end(txns[i]);
  faulty_end(&f);
}

/* More keys than a transaction can cache, expected and then read in turn: each has its value, in a reader and in a writer. */
TEST(postgres_faults, many_keys)
{
  enum { KEYS = 120 };
  static char spaces[KEYS][64];
  svc_str keys[KEYS], value;
  svc_txn *txn;
  faulty f;
  int writes, round;
  long i;
  SKIP_IF(!t_postgres_port());
  faulty_begin(&f);
  for (i = 0; i < KEYS; i++) keys[i] = faulty_key(spaces[i], "r", i, 0);
  for (writes = 0; writes < 2; writes++) {
    munit_assert_int(writes ? f.port->write_begin(f.store, &txn) : f.port->read_begin(f.store, &txn), ==, SVC_OK);
    f.port->expect(txn, keys, KEYS, 0);
    for (round = 0; round < 2; round++)
      for (i = 0; i < KEYS; i++) {
        int rc = f.port->get(txn, keys[i], &value);
        munit_assert_int(rc, ==, i < 70 && i % 7 && i != 3 ? SVC_OK : SVC_NOT_FOUND);
        if (rc == SVC_OK) munit_assert_true(svc_str_is(value, "v"));
      }
    if (writes) munit_assert_int(f.port->commit(txn), ==, SVC_OK);
    else f.port->read_end(txn);
  }
  faulty_end(&f);
}

/* Tables with narrower integer columns, made by someone else, are read correctly. */
TEST(postgres_faults, narrow)
{
  char space[64];
  int64_t count = 0;
  svc_row rows[1];
  svc_txn *txn;
  size_t n;
  faulty f;
  SKIP_IF(!t_postgres_port());
  faulty_begin(&f);
  f.port->close(f.store);
  t_postgres_do(f.path, "ALTER TABLE svc_count ALTER n TYPE integer");
  munit_assert_int(faulty_open(&f), ==, SVC_OK);
  munit_assert_int(f.port->read_begin(f.store, &txn), ==, SVC_OK);
  munit_assert_int(f.port->count(txn, faulty_key(space, "c", 3, 0), &count), ==, SVC_OK);
  munit_assert_int64(count, ==, 1);
  munit_assert_int(f.port->scan(txn, &(svc_range){ SVC_S("c000003"), SVC_S("c000004"), false, 0 }, rows, 1, &n), ==, SVC_OK);
  munit_assert_size(n, ==, 1);
  munit_assert_size(rows[0].value.n, ==, sizeof count);
  f.port->read_end(txn);
  faulty_end(&f);
}

/* Another writer commits first again and again: the pause before the next try is bounded. */
TEST(postgres_faults, spoiled)
{
  faulty f;
  int i;
  SKIP_IF(!t_postgres_port());
  faulty_begin(&f);
  t_postgres_do(f.path, "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END$$;"
                "CREATE TRIGGER refuse BEFORE INSERT ON svc_record FOR EACH ROW EXECUTE FUNCTION refuse()");
  for (i = 0; i < 23; i++) munit_assert_int(faulty_write(&f), ==, SVC_RETRY);
  t_postgres_do(f.path, "DROP TRIGGER refuse ON svc_record");
  munit_assert_int(faulty_write(&f), ==, SVC_OK);
  faulty_end(&f);
}

/* Each SQLSTATE of the server leads to one code of the port. */
TEST(postgres_faults, states)
{
  static const struct { const char *state; int code; } states[] = { { "40001", SVC_RETRY }, { "40P01", SVC_RETRY }, { "55P03", SVC_RETRY }, { "53100", SVC_NO_ROOM },
    { "53200", SVC_BUSY }, { "57014", SVC_BUSY }, { "23505", SVC_RETRY }, { "23502", SVC_IO }, { "XX000", SVC_IO }, { "08000", SVC_RETRY }, { "57P01", SVC_RETRY } };
  faulty f;
  size_t i;
  SKIP_IF(!t_postgres_port());
  faulty_begin(&f);
  for (i = 0; i < sizeof states / sizeof states[0]; i++) {
    char sql[512], what[64];
    int rc;
    snprintf(sql, sizeof sql, "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '%s'; END$$;"
             "CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON svc_record FOR EACH ROW EXECUTE FUNCTION refuse()", states[i].state);
    t_postgres_do(f.path, sql);
    rc = faulty_write(&f);
    t_postgres_do(f.path, "DROP TRIGGER refuse ON svc_record");
    if (rc != states[i].code) munit_errorf("%s is %d, not %d", states[i].state, rc, states[i].code);
    snprintf(what, sizeof what, "write, %s", states[i].state);
    faulty_goes_on(&f, rc, what);
    f.port->room(f.store, SVC_ROOM_DONE);
  }
  faulty_end(&f);
}

/* All reading connections are in use: a further reader waits, and then gets "busy". A returned connection goes to the next reader. */
static void *faulty_reader(void *argument)
{
  faulty *f = argument;
  svc_txn *txn;
  munit_assert_int(f->port->read_begin(f->store, &txn), ==, SVC_OK);
  f->port->read_end(txn);
  return NULL;
}

TEST(postgres_faults, readers)
{
  svc_txn *txns[64], *one;
  pthread_t thread;
  faulty f;
  size_t n;
  SKIP_IF(!t_postgres_port());
  faulty_begin(&f);
  for (n = 0; n < 64 && f.port->read_begin(f.store, &txns[n]) == SVC_OK;) n++;
  munit_assert_size(n, ==, 16);
  munit_assert_int(f.port->read_begin(f.store, &one), ==, SVC_BUSY);
  munit_assert_int(pthread_create(&thread, NULL, faulty_reader, &f), ==, 0);
  usleep(100000);
  f.port->read_end(txns[--n]);
  pthread_join(thread, NULL);
  while (n) f.port->read_end(txns[--n]);
  faulty_end(&f);
}

/* --------------------------------------------------------------------------------------------------------- beside LMDB */

typedef struct pair {
  const svc_store_port *ports[2];
  char paths[2][128];
  svc_store *stores[2];
  svc_txn *txn[2];
} pair;

static void pair_open(pair *p)
{
  char why[256];
  int i;
  memset(p, 0, sizeof *p);
  p->ports[0] = svc_lmdb_port();
  p->ports[1] = t_postgres_port();
  for (i = 0; i < 2; i++) {
    svc_config config = { .durability = SVC_NO_SYNC };
    store_folder(p->paths[i]);
    config.path = p->paths[i];
    munit_assert_int(p->ports[i]->open(&p->stores[i], &config, why, sizeof why), ==, SVC_OK);
  }
}

static void pair_close(pair *p)
{
  int i;
  for (i = 0; i < 2; i++) {
    p->ports[i]->close(p->stores[i]);
    store_remove(p->paths[i]);
  }
}

static void pair_scan(pair *p, const svc_range *range, size_t most, uint64_t expected)
{
  svc_row rows[2][16];
  size_t n[2], i;
  int k;
  for (k = 0; k < 2; k++) {
    if (p->ports[k]->expect) p->ports[k]->expect(p->txn[k], &(svc_str){ "", 0 }, 1, expected);
    munit_assert_int(p->ports[k]->scan(p->txn[k], range, rows[k], most, &n[k]), ==, SVC_OK);
  }
  munit_assert_size(n[0], ==, n[1]);
  for (i = 0; i < n[0]; i++) munit_assert_true(svc_str_eq(rows[0][i].key, rows[1][i].key) && svc_str_eq(rows[0][i].value, rows[1][i].value));
}

/* Ranges with every edge, in both directions, after any earlier reads: the same rows as LMDB. */
TEST(postgres_faults, ranges)
{
  static const svc_str edges[] = { { "\1", 1 }, { "b", 1 }, { "c", 1 }, { "c000002", 7 }, { "c000002x", 8 }, { "d", 1 }, { "r", 1 }, { "r000003", 7 }, { "r000003\0", 8 }, { "\377", 1 } };
  static const uint64_t expected[] = { 0, 3, 40, UINT64_C(1) << 40 };
  const size_t count = sizeof edges / sizeof edges[0];
  char space[64];
  size_t from, to, e;
  int64_t counts[2];
  pair p;
  int k, i;
  SKIP_IF(!t_postgres_port());
  pair_open(&p);
  for (k = 0; k < 2; k++) {
    munit_assert_int(p.ports[k]->write_begin(p.stores[k], &p.txn[k]), ==, SVC_OK);
    for (i = 0; i < 12; i++) {
      munit_assert_int(p.ports[k]->put(p.txn[k], faulty_key(space, "r", i, 0), SVC_S("v")), ==, SVC_OK);
      munit_assert_int(p.ports[k]->count_add(p.txn[k], faulty_key(space, "c", i % 5, 0), i), ==, SVC_OK);
    }
    munit_assert_int(p.ports[k]->put(p.txn[k], SVC_S("empty"), SVC_S("")), ==, SVC_OK);
    munit_assert_int(p.ports[k]->commit(p.txn[k]), ==, SVC_OK);
  }
  for (k = 0; k < 2; k++) munit_assert_int(p.ports[k]->read_begin(p.stores[k], &p.txn[k]), ==, SVC_OK);
  for (e = 0; e < sizeof expected / sizeof expected[0]; e++)
    for (from = 0; from < count; from++)
      for (to = 0; to < count; to++)
        for (i = 0; i < 2; i++) {
          pair_scan(&p, &(svc_range){ edges[from], edges[to], i, 0 }, 2, expected[e]);
          pair_scan(&p, &(svc_range){ edges[from], edges[to], i, 0 }, 2, 0); /* from the beginning again */
          pair_scan(&p, &(svc_range){ edges[from], edges[to], i, e }, 16, 0);
        }
  pair_scan(&p, &(svc_range){ edges[0], edges[count - 1], false, SIZE_MAX }, 16, 0);
  for (k = 0; k < 2; k++) {
    static char large[2000];
    counts[k] = -1;
    munit_assert_int(p.ports[k]->count(p.txn[k], faulty_key(space, "c", 1, 0), &counts[k]), ==, SVC_OK);
    memset(large, 'c', sizeof large);
    if (k) munit_assert_int(p.ports[k]->count(p.txn[k], (svc_str){ large, sizeof large }, &counts[0]), ==, SVC_OK);
  }
  munit_assert_int64(counts[1], ==, 1 + 6 + 11);
  munit_assert_int64(counts[0], ==, 0); /* no count has a name this long */
  for (k = 0; k < 2; k++) p.ports[k]->read_end(p.txn[k]);
  pair_close(&p);
}

/* Opening a store fails without a URI, with a URI without a server, and without memory. */
TEST(postgres_faults, opened)
{
  svc_store *store;
  faulty f;
  char why[256] = "";
  t_memory memory;
  svc_config config = { .path = NULL };
  SKIP_IF(!t_postgres_port());
  memset(&f, 0, sizeof f);
  f.port = t_postgres_port();
  store_folder(f.path);
  config.path = f.path;
  config.allocator.resize = t_memory_resize;
  config.allocator.context = &memory;
  memset(&memory, 0, sizeof memory);
  config.path = NULL;
  munit_assert_int(t_postgres_bare()->open(&store, &config, why, sizeof why), ==, SVC_INVALID);
  munit_assert_string_equal(why, "a store on PostgreSQL needs the URI of its database");
  config.path = "postgresql:///none?host=%2Fnowhere";
  munit_assert_int(t_postgres_bare()->open(&store, &config, why, sizeof why), ==, SVC_IO);
  munit_assert_not_null(strstr(why, "cannot open the store: "));
  munit_assert_long(memory.live, ==, 0);
  config.path = f.path;
  memory.calls = 0;
  for (memory.fail_at = 1; f.port->open(&store, &config, why, sizeof why) == SVC_NOMEM; memory.fail_at++) memory.calls = 0;
  munit_assert_long(memory.fail_at, ==, 4); /* the store, its URI, its readers */
  f.port->close(store);
  munit_assert_long(memory.live, ==, 0);
  f.port->close(NULL);
  store_remove(f.path);
}

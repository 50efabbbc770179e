/*
** Creates in process, each durable when it is answered, compared with LMDB alone that puts the same records and commits.
**
** The records of a create are observed, not listed here: in a small store with a stopped clock the program compares the records
** before and after each of several creates. LMDB alone then does the same in a copy of the measured store: the same number of
** puts and removals, with keys and values of the same lengths, new ascending ids and new names, and a commit. Each measurement
** has its own store, so that none is slowed down by data of another in the same tree.
*/
#define _GNU_SOURCE /* memmem */
#include "bench.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITES_TURNS 32
#define WRITES_WATCHED 64 /* observed creates, which may write different records */
#define WRITES_IDS 64
#define WRITES_KEY 511 /* LMDB's longest key */

/* -------------------------------------------------------------------------------------------------------------- watching */

typedef struct writes_record {
  MDB_val key, value;
} writes_record;

typedef struct writes_dump {
  writes_record *records;
  size_t n, room;
} writes_dump;

/* The changes of one create to the store. */
typedef struct writes_trace {
  writes_dump put, removed;
  unsigned char ids[WRITES_IDS][12]; /* ids that are new */
  size_t id_count;
  long number; /* number in the project's name */
} writes_trace;

static writes_trace writes_traces[WRITES_WATCHED];

/*
** Ids begin with the second of their creation. While creates are observed, the clock is stopped at a second in which nothing else
** was created, so new ids can be recognized by it.
*/
#define WRITES_SECOND 0x71000000u
static int64_t writes_time = (int64_t)(WRITES_SECOND - 1000000u) * 1000;

static int64_t writes_clock(void *context)
{
  (void)context;
  return writes_time;
}

static MDB_val writes_copy(const MDB_val *v)
{
  MDB_val copy = { v->mv_size, malloc(v->mv_size + 1) };
  if (!copy.mv_data) bench_die("no memory");
  memcpy(copy.mv_data, v->mv_data, v->mv_size);
  return copy;
}

static void writes_add(writes_dump *d, const MDB_val *key, const MDB_val *value)
{
  if (d->n == d->room) {
    d->room = d->room ? 2 * d->room : 64;
    d->records = realloc(d->records, d->room * sizeof *d->records);
    if (!d->records) bench_die("no memory");
  }
  d->records[d->n].key = writes_copy(key);
  d->records[d->n++].value = writes_copy(value);
}

static void writes_dump_free(writes_dump *d)
{
  size_t i;
  for (i = 0; i < d->n; i++) {
    free(d->records[i].key.mv_data);
    free(d->records[i].value.mv_data);
  }
  free(d->records);
  memset(d, 0, sizeof *d);
}

/* Reads all records from a copy, because the store itself is open. */
static void writes_look(svc *s, const char *path, writes_dump *out)
{
  bench_raw raw;
  MDB_txn *txn;
  MDB_cursor *cursor;
  MDB_val key, value;
  memset(out, 0, sizeof *out);
  bench_remove_store(path);
  if (svc_backup(s, path) != SVC_OK) bench_die("svc_backup failed");
  bench_raw_open(&raw, path, MDB_NOSYNC);
  if (mdb_txn_begin(raw.env, NULL, MDB_RDONLY, &txn) || mdb_cursor_open(txn, raw.dbi, &cursor)) bench_die("raw LMDB: no reader");
  while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) writes_add(out, &key, &value);
  mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
  bench_raw_close(&raw);
  bench_remove_store(path);
}

static int writes_compare(const MDB_val *a, const MDB_val *b)
{
  size_t n = a->mv_size < b->mv_size ? a->mv_size : b->mv_size;
  int rc = memcmp(a->mv_data, b->mv_data, n);
  return rc ? rc : a->mv_size < b->mv_size ? -1 : a->mv_size > b->mv_size;
}

static bool writes_holds(const writes_dump *d, const MDB_val *key)
{
  size_t i;
  for (i = 0; i < d->n; i++)
    if (writes_compare(&d->records[i].key, key) == 0) return true;
  return false;
}

/* Compares two dumps, both sorted by key. `noise` has the records that change in every copy. */
static void writes_differ(const writes_dump *before, const writes_dump *after, const writes_dump *noise, writes_trace *out)
{
  size_t i = 0, k = 0;
  while (i < before->n || k < after->n) {
    const writes_record *old = i < before->n ? &before->records[i] : NULL, *new = k < after->n ? &after->records[k] : NULL;
    int order = !old ? 1 : !new ? -1 : writes_compare(&old->key, &new->key);
    if (order < 0) writes_add(&out->removed, &old->key, &old->value);
    else if ((order > 0 || writes_compare(&old->value, &new->value) != 0) && !(noise && writes_holds(noise, &new->key)))
      writes_add(&out->put, &new->key, &new->value);
    i += order <= 0;
    k += order >= 0;
  }
}

static unsigned char *writes_next_id(const MDB_val *key, size_t from)
{
  static const unsigned char second[4] = { WRITES_SECOND >> 24, WRITES_SECOND >> 16 & 255, WRITES_SECOND >> 8 & 255,
                                           WRITES_SECOND & 255 };
  unsigned char *p = (unsigned char *)key->mv_data, *found;
  if (from + 12 > key->mv_size) return NULL;
  found = memmem(p + from, key->mv_size - from, second, sizeof second);
  return found && found + 12 <= p + key->mv_size ? found : NULL;
}

static size_t writes_id_number(writes_trace *t, const unsigned char *id)
{
  size_t i;
  for (i = 0; i < t->id_count; i++)
    if (memcmp(t->ids[i], id, 12) == 0) return i;
  if (i == WRITES_IDS) bench_die("a create makes more new ids than was thought");
  memcpy(t->ids[t->id_count++], id, 12);
  return i;
}

static void writes_note_ids(writes_trace *t, const writes_dump *records)
{
  size_t i;
  unsigned char *p;
  for (i = 0; i < records->n; i++) {
    const MDB_val *key = &records->records[i].key;
    for (p = writes_next_id(key, 0); p; p = writes_next_id(key, (size_t)(p - (unsigned char *)key->mv_data) + 12))
      writes_id_number(t, p);
  }
}

static void writes_watch(const bench_store *beside)
{
  char path[BENCH_PATH], copy[BENCH_PATH];
  bench_options options = { path, SVC_NO_SYNC, NULL, writes_clock, false, 0 };
  writes_dump before, after;
  writes_trace noise;
  bench_store b;
  unsigned state = 1;
  svc *s;
  int i;
  bench_path(beside, "watched", path);
  bench_path(beside, "copy", copy);
  bench_remove_store(path);
  s = bench_open(&options);
  bench_fill(s, &b, 200, 4, 0);
  writes_time = (int64_t)(WRITES_SECOND - 60u) * 1000; /* so that the token belongs to another second */
  bench_token(s, &b);
  bench_do(s, &b, BENCH_CREATE, &state);
  writes_time = (int64_t)WRITES_SECOND * 1000;
  memset(&noise, 0, sizeof noise);
  writes_look(s, copy, &before);
  writes_look(s, copy, &after);
  writes_differ(&before, &after, NULL, &noise);
  for (i = 0; i < WRITES_WATCHED; i++) {
    writes_trace *t = &writes_traces[i];
    writes_dump_free(&before);
    before = after;
    t->number = atomic_load(&b.created);
    bench_do(s, &b, BENCH_CREATE, &state);
    writes_look(s, copy, &after);
    writes_differ(&before, &after, &noise.put, t);
    writes_note_ids(t, &t->put);
    writes_note_ids(t, &t->removed);
    if (t->put.n == 0) bench_die("a create was watched that writes nothing");
  }
  writes_dump_free(&before);
  writes_dump_free(&after);
  writes_dump_free(&noise.put);
  writes_dump_free(&noise.removed);
  svc_close(s);
  bench_free(&b);
  bench_remove_store(path);
}

/* -------------------------------------------------------------------------------------------------------------- raw LMDB */

typedef struct writes_raw {
  bench_raw raw;
  long number;   /* number of creates */
  uint64_t last; /* tail of the latest id */
  unsigned state;
} writes_raw;

static uint64_t writes_id_tail(writes_raw *w)
{
  w->last += 1 + bench_random(&w->state) * 256u; /* like the library: up by a random step */
  return w->last;
}

/* Changes the name in a key to that of a later create. A deferred index entry has the name of an earlier create. */
static void writes_renumber(const writes_trace *t, long number, unsigned char *key, size_t n)
{
  char digits[16];
  unsigned char *at = memmem(key, n, "create-", 7);
  long before;
  if (!at || at + 16 > key + n) return;
  memcpy(digits, at + 7, 9);
  digits[9] = 0;
  before = strtol(digits, NULL, 10);
  snprintf(digits, sizeof digits, "%09ld", (before + number - t->number + 1000000000) % 1000000000);
  memcpy(at + 7, digits, 9);
}

/* Writes the key of a record with the ids and the name of another create. */
static void writes_rename(writes_trace *t, const MDB_val *key, const uint64_t *tails, long number, unsigned char *out)
{
  unsigned char *p, *at;
  int i;
  memcpy(out, key->mv_data, key->mv_size);
  for (p = writes_next_id(key, 0); p; p = writes_next_id(key, (size_t)(p - (unsigned char *)key->mv_data) + 12)) {
    uint64_t tail = tails[writes_id_number(t, p)];
    at = out + (p - (unsigned char *)key->mv_data) + 4;
    for (i = 7; i >= 0; i--, tail >>= 8) at[i] = (unsigned char)tail;
  }
  writes_renumber(t, number, out, key->mv_size);
}

static void writes_replay(writes_raw *w)
{
  writes_trace *t = &writes_traces[w->number % WRITES_WATCHED];
  uint64_t tails[WRITES_IDS];
  unsigned char bytes[WRITES_KEY];
  MDB_txn *txn;
  size_t i;
  w->number++;
  for (i = 0; i < t->id_count; i++) tails[i] = writes_id_tail(w);
  if (mdb_txn_begin(w->raw.env, NULL, 0, &txn)) bench_die("raw LMDB: no transaction");
  for (i = 0; i < t->removed.n; i++) {
    MDB_val key = { t->removed.records[i].key.mv_size, bytes };
    int rc;
    writes_rename(t, &t->removed.records[i].key, tails, w->number, bytes);
    rc = mdb_del(txn, w->raw.dbi, &key, NULL);
    if (rc && rc != MDB_NOTFOUND) bench_die("raw LMDB: del failed");
  }
  for (i = 0; i < t->put.n; i++) {
    MDB_val key = { t->put.records[i].key.mv_size, bytes };
    writes_rename(t, &t->put.records[i].key, tails, w->number, bytes);
    if (mdb_put(txn, w->raw.dbi, &key, &t->put.records[i].value, 0)) bench_die("raw LMDB: put failed");
  }
  if (mdb_txn_commit(txn)) bench_die("raw LMDB: commit failed");
}

static double writes_raw_turn(writes_raw *w)
{
  double start = bench_now(), took;
  long n = 0;
  do {
    writes_replay(w);
    n++;
  } while ((took = bench_now() - start) < bench_seconds);
  return took / (double)n;
}

/* ----------------------------------------------------------------------------------------------------------- the library */

typedef struct writes_creator {
  svc *s;
  bench_store *b;
  double until;
  long done;
} writes_creator;

static void *writes_thread(void *argument)
{
  writes_creator *c = argument;
  unsigned state = 1;
  while (bench_now() < c->until) {
    bench_do(c->s, c->b, BENCH_CREATE, &state);
    c->done++;
  }
  return NULL;
}

static double writes_ours(svc *s, bench_store *b, int threads)
{
  pthread_t id[BENCH_THREADS];
  writes_creator work[BENCH_THREADS];
  double start = bench_now();
  long n = 0;
  int i;
  for (i = 0; i < threads; i++) {
    work[i] = (writes_creator){ s, b, start + bench_seconds, 0 };
    if (pthread_create(&id[i], NULL, writes_thread, &work[i]) != 0) bench_die("no thread");
  }
  for (i = 0; i < threads; i++) {
    pthread_join(id[i], NULL);
    n += work[i].done;
  }
  return (bench_now() - start) / (double)n;
}

/* Averages for one create. */
static void writes_count(double *puts, double *bytes)
{
  size_t i, k;
  *puts = *bytes = 0;
  for (i = 0; i < WRITES_WATCHED; i++)
    for (k = 0; k < writes_traces[i].put.n; k++) {
      const writes_record *r = &writes_traces[i].put.records[k];
      *puts += 1.0 / WRITES_WATCHED;
      *bytes += (double)(r->key.mv_size + r->value.mv_size) / WRITES_WATCHED;
    }
}

/* ------------------------------------------------------------------------------------------------------------- measures */

enum { WRITES_ONE, WRITES_MANY, WRITES_RAW, WRITES_STORES };

/* The measurements at one size. */
typedef struct writes_side {
  bench_store *b;
  char path[WRITES_STORES][BENCH_PATH];
  svc *s[2];
  writes_raw w;
  bench_turns turns[WRITES_STORES];
} writes_side;

static void writes_open(writes_side *side, bench_store *b)
{
  static const char *const names[WRITES_STORES] = { "one", "many", "raw" };
  int i;
  memset(side, 0, sizeof *side);
  side->b = b;
  side->w.state = 1;
  for (i = 0; i < WRITES_STORES; i++) {
    bench_options options = { side->path[i], SVC_DURABLE, NULL, NULL, false, 0 };
    bench_path(b, names[i], side->path[i]);
    bench_copy_store(b, side->path[i]);
    if (i == WRITES_RAW) bench_raw_open(&side->w.raw, side->path[i], 0);
    else side->s[i] = bench_open(&options);
  }
}

static void writes_turn(writes_side *side)
{
  bench_turn(&side->turns[WRITES_RAW], writes_raw_turn(&side->w));
  bench_turn(&side->turns[WRITES_ONE], writes_ours(side->s[WRITES_ONE], side->b, 1));
  bench_turn(&side->turns[WRITES_MANY], writes_ours(side->s[WRITES_MANY], side->b, BENCH_THREADS));
}

static void writes_report(int size, const writes_side *side)
{
  const bench_turns *one = &side->turns[WRITES_ONE], *many = &side->turns[WRITES_MANY], *raw = &side->turns[WRITES_RAW];
  double puts, bytes;
  bench_figure(size, "create, 1 thread / LMDB and the same records", "per s", 1 / bench_best(one), 1 / bench_best(raw),
               bench_ratio(raw, one) * 100, BENCH_AT_LEAST(85, "%"));
  bench_figure(size, "create, 16 threads / 1 thread", "per s", 1 / bench_best(many), 1 / bench_best(one),
               bench_ratio(one, many), BENCH_AT_LEAST(4, "times"));
  if (size > 0) return;
  writes_count(&puts, &bytes);
  bench_figure(size, "  records of a create", "", puts, 0, 0, BENCH_NONE);
  bench_figure(size, "  bytes of these", "", bytes, 0, 0, BENCH_NONE);
}

void bench_writes(bench_store *b)
{
  static writes_side sides[BENCH_SIZES];
  int i, k;
  writes_watch(b);
  for (i = 0; i < BENCH_SIZES; i++) writes_open(&sides[i], &b[i]);
  for (i = 0; i < WRITES_TURNS; i++) /* alternates the sizes over the whole time, so that a bad moment of the disk affects both */
    for (k = 0; k < BENCH_SIZES; k++) writes_turn(&sides[k]);
  for (i = 0; i < BENCH_SIZES; i++) {
    writes_report(i, &sides[i]);
    bench_raw_close(&sides[i].w.raw);
    for (k = WRITES_ONE; k <= WRITES_MANY; k++) svc_close(sides[i].s[k]);
    for (k = 0; k < WRITES_STORES; k++) bench_remove_store(sides[i].path[k]);
  }
}

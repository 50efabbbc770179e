/*
** GET and lists in process, compared with the time of LMDB alone for the same records in a copy of the same store.
**
** A GET is compared with mdb_get of its record, in a transaction that stays open. A list is compared with a scan that copies as many
** adjacent records, from the first record of the page on. The table also shows the time to get and copy exactly the records of the page,
** one by one.
*/
#define _GNU_SOURCE
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READS_TURNS 32
#define READS_OPENINGS 15

/* ------------------------------------------------------------------------------------------------------------- raw LMDB */

typedef struct reads_page {
  bench_keys keys; /* keys of the records; a page shows the first `count` of them */
  int count;
  char *copy;
} reads_page;

static double reads_raw_get(bench_raw *r, const bench_keys *keys)
{
  MDB_txn *txn;
  unsigned state = 1;
  double start = bench_now(), took;
  long n = 0;
  volatile char sink = 0;
  if (mdb_txn_begin(r->env, NULL, MDB_RDONLY, &txn)) bench_die("raw LMDB: no reader");
  do {
    int i;
    for (i = 0; i < 1000; i++) {
      MDB_val key = keys->keys[bench_random(&state) % (unsigned)keys->n], value;
      if (mdb_get(txn, r->dbi, &key, &value)) bench_die("raw LMDB: get failed");
      sink += *(char *)value.mv_data;
    }
    n += 1000;
  } while ((took = bench_now() - start) < bench_seconds);
  (void)sink;
  mdb_txn_abort(txn);
  return took / (double)n;
}

static void reads_scan(MDB_cursor *cursor, const reads_page *page)
{
  MDB_val key = page->keys.keys[0], value;
  char *to = page->copy;
  int i;
  if (mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)) bench_die("raw LMDB: empty");
  for (i = 0; i < page->count; i++) {
    memcpy(to, value.mv_data, value.mv_size);
    to += value.mv_size;
    mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
  }
}

static void reads_each(MDB_txn *txn, MDB_dbi dbi, const reads_page *page)
{
  char *to = page->copy;
  int i;
  for (i = 0; i < page->count; i++) {
    MDB_val key = page->keys.keys[i], value;
    if (mdb_get(txn, dbi, &key, &value)) bench_die("raw LMDB: get failed");
    memcpy(to, value.mv_data, value.mv_size);
    to += value.mv_size;
  }
}

static double reads_raw_list(bench_raw *r, const reads_page *page, bool each)
{
  MDB_txn *txn;
  MDB_cursor *cursor;
  double start = bench_now(), took;
  long n = 0;
  if (mdb_txn_begin(r->env, NULL, MDB_RDONLY, &txn) || mdb_cursor_open(txn, r->dbi, &cursor)) bench_die("raw LMDB: no cursor");
  do {
    mdb_txn_reset(txn);
    mdb_txn_renew(txn);
    mdb_cursor_renew(txn, cursor);
    if (each) reads_each(txn, r->dbi, page);
    else reads_scan(cursor, page);
    n++;
  } while ((took = bench_now() - start) < bench_seconds);
  mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
  return took / (double)n;
}

static void reads_find(bench_raw *r, const char *name, const char *id, const char *mark, size_t least, int count, reads_page *page)
{
  char text[64];
  snprintf(text, sizeof text, "\"%s\":\"%s\"", name, id);
  bench_raw_find(r, text, mark, &page->keys);
  if (page->keys.n < least) {
    fprintf(stderr, "bench: %zu records of the store with %s and %s, not %zu: has their form changed?\n", page->keys.n, text, mark, least);
    exit(1);
  }
  page->count = count;
  page->copy = malloc(BENCH_PAGE * 16384);
  if (!page->copy) bench_die("no memory");
}

static void reads_page_free(reads_page *page)
{
  bench_keys_free(&page->keys);
  free(page->copy);
}

/* ---------------------------------------------------------------------------------------------------------- the library */

#define READS_TOKENS 512
#define READS_TOKENS_EACH 8 /* an account may request 10 per minute */

typedef struct reads_tokens {
  char bearer[READS_TOKENS][sizeof ((bench_store *)0)->bearer];
} reads_tokens;

static void reads_tokens_take(svc *s, bench_store *b, reads_tokens *tokens)
{
  int i;
  for (i = 0; i < READS_TOKENS; i++) {
    if (i % READS_TOKENS_EACH == 0) bench_account(s, b);
    bench_token(s, b);
    memcpy(tokens->bearer[i], b->bearer, sizeof b->bearer);
  }
}

static double reads_ours(svc *s, bench_store *b, bench_op op)
{
  int batch = op == BENCH_GET ? 1000 : 1, i;
  unsigned state = 1;
  double start = bench_now(), took;
  long n = 0;
  do {
    for (i = 0; i < batch; i++) bench_do(s, b, op, &state);
    n += batch;
  } while ((took = bench_now() - start) < bench_seconds);
  return took / (double)n;
}

/*
** Measures a GET whose token is not in the cache of known callers. The library keeps a few recent callers, together with the
** state of the store that they were read from. With this many tokens in turn, each has left the cache when it comes again.
*/
static double reads_unseen(svc *s, bench_store *b, const reads_tokens *tokens)
{
  unsigned state = 1;
  double start = bench_now(), took;
  long n = 0;
  do {
    int i;
    for (i = 0; i < READS_TOKENS; i++) {
      memcpy(b->bearer, tokens->bearer[i], sizeof b->bearer);
      bench_do(s, b, BENCH_GET, &state);
    }
    n += READS_TOKENS;
  } while ((took = bench_now() - start) < bench_seconds);
  memcpy(b->bearer, tokens->bearer[0], sizeof b->bearer);
  return took / (double)n;
}

/* Measures a GET whose caller the host supplies, without a token. */
static double reads_vouched(svc *s, const bench_store *b)
{
  unsigned state = 1;
  double start = bench_now(), took;
  long n = 0;
  do {
    int i;
    for (i = 0; i < 1000; i++) {
      char target[64] = BENCH_API "groups/";
      svc_response r;
      memcpy(target + sizeof BENCH_API + 6, b->own[bench_random(&state) % (unsigned)b->own_count], 25);
      if (bench_ask(s, "GET", target, NULL, &r) != 200) bench_die("GET failed");
      svc_response_free(&r);
    }
    n += 1000;
  } while ((took = bench_now() - start) < bench_seconds);
  return took / (double)n;
}

/* ------------------------------------------------------------------------------------------------------------- measures */

static const struct {
  bench_op op;
  int page;
  const char *name, *each, *growth;
} reads_lists[] = {
  { BENCH_ORG_LIST, 0, "100 projects of an organization", "  beside its records got one by one", "  100,000 / 10,000" },
  { BENCH_LIST, 0, "100 projects of all organizations", NULL, "  100,000 / 10,000 of all" },
  { BENCH_CLUSTERS, 1, "90 clusters", NULL, "  100,000 / 10,000 of clusters" },
};
#define READS_LISTS (sizeof reads_lists / sizeof reads_lists[0])

/* The measurements at one size. */
typedef struct reads_side {
  svc *s;
  bench_store *b;
  bench_raw raw;
  char copy[BENCH_PATH];
  reads_page page[2]; /* of projects and of clusters */
  reads_tokens tokens;
  bench_turns opening, get, unseen, vouched, raw_get, list[READS_LISTS], scan[2], each;
} reads_side;

/* Opens the store several times; the last handle stays open. */
static svc *reads_open_store(const char *path, bench_turns *took)
{
  bench_options options = { path, SVC_DURABLE, NULL, NULL, false, 0 };
  svc *s = bench_open(&options); /* creates the store if it is new */
  int i;
  sync(); /* otherwise opening waits for earlier writes */
  for (i = 0; i < READS_OPENINGS; i++) {
    double began;
    svc_close(s);
    began = bench_now();
    s = bench_open(&options);
    bench_turn(took, bench_now() - began);
  }
  return s;
}

/* Opens a store without projects: the cost of the catalog, independent of the data. */
static void reads_open_empty(const bench_store *b)
{
  bench_turns took = { { 0 }, 0 };
  char path[BENCH_PATH];
  bench_path(b, "empty", path);
  bench_remove_store(path);
  svc_close(reads_open_store(path, &took));
  bench_remove_store(path);
  bench_figure(0, "svc_open of an empty store", "ms", bench_median(&took) * 1e3, 0, 0, BENCH_AT_MOST(3, "ms"));
}

static void reads_open(reads_side *r, bench_store *b)
{
  memset(r, 0, sizeof *r);
  r->b = b;
  bench_path(b, "raw", r->copy);
  bench_copy_store(b, r->copy);
  bench_raw_open(&r->raw, r->copy, MDB_NOSYNC);
  reads_find(&r->raw, "orgId", b->org[0], "the platform team of the whole company", (size_t)b->own_count, BENCH_PAGE, &r->page[0]);
  reads_find(&r->raw, "groupId", b->clustered, "\"clusterType\"", BENCH_IN_PROJECT, BENCH_IN_PROJECT, &r->page[1]);
  r->s = reads_open_store(b->path, &r->opening);
  reads_tokens_take(r->s, b, &r->tokens);
}

static void reads_turn(reads_side *r)
{
  size_t k;
  bench_turn(&r->raw_get, reads_raw_get(&r->raw, &r->page[0].keys));
  bench_turn(&r->get, reads_ours(r->s, r->b, BENCH_GET));
  bench_turn(&r->unseen, reads_unseen(r->s, r->b, &r->tokens));
  bench_turn(&r->vouched, reads_vouched(r->s, r->b));
  for (k = 0; k < 2; k++) bench_turn(&r->scan[k], reads_raw_list(&r->raw, &r->page[k], false));
  bench_turn(&r->each, reads_raw_list(&r->raw, &r->page[0], true));
  for (k = 0; k < READS_LISTS; k++) bench_turn(&r->list[k], reads_ours(r->s, r->b, reads_lists[k].op));
}

static void reads_show(int size, const char *name, const char *unit, double scale, const bench_turns *ours,
                       const bench_turns *raw, bench_target target)
{
  bench_figure(size, name, unit, bench_best(ours) * scale, bench_best(raw) * scale, bench_best(ours) / bench_best(raw), target);
}

static void reads_report(const reads_side *sides)
{
  size_t k;
  int i;
  for (i = 0; i < BENCH_SIZES; i++)
    bench_figure(i, "svc_open; up to 64 MB all pages are looked at", "ms", bench_median(&sides[i].opening) * 1e3, 0, 0, BENCH_NONE);
  for (i = 0; i < BENCH_SIZES; i++)
    reads_show(i, "GET of a project", "ns", 1e9, &sides[i].get, &sides[i].raw_get, BENCH_AT_MOST(8, "times"));
  for (i = 0; i < BENCH_SIZES; i++)
    reads_show(i, "  by a token not seen since the last write", "ns", 1e9, &sides[i].unseen, &sides[i].raw_get, BENCH_NONE);
  for (i = 0; i < BENCH_SIZES; i++)
    reads_show(i, "  by a vouched caller, without a token", "ns", 1e9, &sides[i].vouched, &sides[i].raw_get, BENCH_NONE);
  for (k = 0; k < READS_LISTS; k++) {
    const bench_turns *ours[BENCH_SIZES];
    for (i = 0; i < BENCH_SIZES; i++) {
      ours[i] = &sides[i].list[k];
      reads_show(i, reads_lists[k].name, "us", 1e6, ours[i], &sides[i].scan[reads_lists[k].page], BENCH_AT_MOST(2.5, "times"));
      if (reads_lists[k].each) reads_show(i, reads_lists[k].each, "us", 1e6, ours[i], &sides[i].each, BENCH_NONE);
    }
    bench_growth(reads_lists[k].growth, bench_best(ours[BENCH_SIZES - 1]) / bench_best(ours[0]), BENCH_AT_MOST(1.3, "times"));
  }
}

void bench_reads(bench_store *b)
{
  static reads_side sides[BENCH_SIZES];
  int i, k;
  reads_open_empty(&b[0]);
  for (i = 0; i < BENCH_SIZES; i++) reads_open(&sides[i], &b[i]);
  for (i = 0; i < READS_TURNS; i++)
    for (k = 0; k < BENCH_SIZES; k++) reads_turn(&sides[k]);
  reads_report(sides);
  for (i = 0; i < BENCH_SIZES; i++) {
    svc_close(sides[i].s);
    bench_raw_close(&sides[i].raw);
    for (k = 0; k < 2; k++) reads_page_free(&sides[i].page[k]);
    bench_remove_store(sides[i].copy);
  }
}

/*
** The contract of the store port (ports/store_port.h), which every engine has to keep. Each test runs once per engine. A new
** engine is one more name in port_of(), and in each TEST_EACH().
*/
#include "support.h"

#include <pthread.h>

/* ---------------------------------------------------------------------------------------------------------------- tools */

/* A store of the tested engine, and one transaction. */
typedef struct shop {
  const svc_store_port *port;
  svc_store *store;
  svc_txn *txn;
} shop;

static shop shop_at(const svc_store_port *port, const svc_config *config)
{
  shop s = { port, NULL, NULL };
  char why[256] = "";
  if (port->open(&s.store, config, why, sizeof why) != SVC_OK) munit_errorf("open: %s", why);
  return s;
}

/* Returns the engine of this name; NULL: not available. ./build.sh starts a PostgreSQL if it is asked to. */
static const svc_store_port *port_of(const char *engine)
{
  if (strcmp(engine, "memory") == 0) return t_memory_port();
  return strcmp(engine, "lmdb") == 0 ? svc_lmdb_port() : t_postgres_port();
}

static shop shop_open(const char *engine)
{
  svc_config config;
  memset(&config, 0, sizeof config);
  return shop_at(port_of(engine), &config);
}

static void shop_write(shop *s)
{
  munit_assert_int(s->port->write_begin(s->store, &s->txn), ==, SVC_OK);
  munit_assert_true(s->txn->port == s->port && s->txn->writing && !s->txn->dirty && s->txn->error == SVC_OK);
}

static void shop_read(shop *s)
{
  munit_assert_int(s->port->read_begin(s->store, &s->txn), ==, SVC_OK);
  munit_assert_true(s->txn->port == s->port && !s->txn->writing && !s->txn->dirty && s->txn->error == SVC_OK);
}

static void shop_commit(shop *s)
{
  munit_assert_int(s->port->commit(s->txn), ==, SVC_OK);
  s->txn = NULL;
}

static void shop_close(shop *s)
{
  s->port->close(s->store);
  s->store = NULL;
}

static void put(shop *s, svc_str key, svc_str value)
{
  munit_assert_int(s->port->put(s->txn, key, value), ==, SVC_OK);
}

/* Checks the value of a key; NULL p: there is none. */
static void expect(shop *s, svc_str key, svc_str value)
{
  svc_str found = { NULL, 0 };
  munit_assert_int(s->port->get(s->txn, key, &found), ==, value.p ? SVC_OK : SVC_NOT_FOUND);
  if (!value.p) return;
  munit_assert_not_null(found.p);
  munit_assert_true(svc_str_eq(found, value));
}

static const svc_str nothing = { NULL, 0 };

static svc_str text_of(svc_arena *a, const char *front, unsigned n)
{
  return svc_arena_print(a, "%s%05u", front, n);
}

/* Returns a value whose length depends on n alone, sometimes longer than a page of most engines. */
static svc_str value_of(svc_arena *a, unsigned n)
{
  size_t size = n % 97 == 0 ? 9000 : n % 7 == 0 ? 700 : n % 3 * 20, i;
  char *p = svc_arena_alloc(a, size + 1);
  for (i = 0; i < size; i++) p[i] = (char)('a' + (n + i) % 26);
  return (svc_str){ p, size };
}

static int64_t count_of(shop *s, svc_str key)
{
  int64_t count = -77;
  munit_assert_int(s->port->count(s->txn, key, &count), ==, SVC_OK);
  return count;
}

/* -------------------------------------------------------------------------------------------------------------- records */

TEST_EACH(port, records, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  static char longest[SVC_KEY_MOST], large[300000];
  const svc_str odd[] = { SVC_S("a"), SVC_S("a\0"), SVC_S("a\0\0"), SVC_S("a\0b"), SVC_S("a\xFF"), SVC_S("\xFE\xFF\xFF"),
                          SVC_S("\1"), { longest, SVC_KEY_MOST }, { longest, SVC_KEY_MOST - 1 } };
  shop s = shop_open(engine);
  size_t i, j;
  memset(longest, 0xFE, sizeof longest);
  memset(large, 'x', sizeof large);
  shop_write(&s);
  for (i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    expect(&s, odd[i], nothing);
    put(&s, odd[i], SVC_S("first"));
    put(&s, odd[i], odd[i]);
    for (j = 0; j <= i; j++) expect(&s, odd[j], odd[j]); /* no two are the same */
  }
  put(&s, SVC_S("empty"), SVC_S(""));
  put(&s, SVC_S("large"), (svc_str){ large, sizeof large });
  expect(&s, SVC_S("empty"), SVC_S(""));
  munit_assert_int(s.port->remove(s.txn, SVC_S("never")), ==, SVC_OK);
  put(&s, SVC_S("gone"), SVC_S("x"));
  munit_assert_int(s.port->remove(s.txn, SVC_S("gone")), ==, SVC_OK);
  munit_assert_int(s.port->remove(s.txn, SVC_S("gone")), ==, SVC_OK);
  expect(&s, SVC_S("gone"), nothing);
  shop_commit(&s);
  for (i = 0; i < 2; i++) { /* first in a reader, then in the next writer */
    if (i) shop_write(&s);
    else shop_read(&s);
    for (j = 0; j < sizeof odd / sizeof odd[0]; j++) expect(&s, odd[j], odd[j]);
    expect(&s, SVC_S("empty"), SVC_S(""));
    expect(&s, SVC_S("large"), (svc_str){ large, sizeof large });
    expect(&s, SVC_S("gone"), nothing);
    if (!i) s.port->read_end(s.txn);
  }
  put(&s, SVC_S("large"), SVC_S("small"));
  put(&s, SVC_S("empty"), SVC_S("full"));
  s.port->abort(s.txn);
  shop_read(&s); /* aborted changes were never stored */
  expect(&s, SVC_S("empty"), SVC_S(""));
  expect(&s, SVC_S("large"), (svc_str){ large, sizeof large });
  s.port->read_end(s.txn);
  shop_close(&s);
}

/* A reader sees the state at its start, whatever is committed later. A writer also sees its own changes. */
TEST_EACH(port, states, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  shop s = shop_open(engine), before, after;
  const svc_range all = { SVC_S("k"), SVC_S("l"), false, 0 };
  svc_row rows[8];
  svc_str kept;
  size_t n;
  before = after = s;
  shop_write(&s);
  put(&s, SVC_S("k1"), SVC_S("one"));
  put(&s, SVC_S("k2"), SVC_S("two"));
  munit_assert_int(s.port->count_add(s.txn, SVC_S("c"), 2), ==, SVC_OK);
  shop_read(&before);
  expect(&before, SVC_S("k1"), nothing); /* not committed yet */
  munit_assert_int64(count_of(&before, SVC_S("c")), ==, 0);
  before.port->read_end(before.txn);
  shop_commit(&s);
  shop_read(&before);
  munit_assert_int(s.port->get(before.txn, SVC_S("k1"), &kept), ==, SVC_OK);
  shop_write(&s);
  put(&s, SVC_S("k1"), SVC_S("another"));
  munit_assert_int(s.port->remove(s.txn, SVC_S("k2")), ==, SVC_OK);
  put(&s, SVC_S("k3"), SVC_S("three"));
  munit_assert_int(s.port->count_add(s.txn, SVC_S("c"), 5), ==, SVC_OK);
  expect(&s, SVC_S("k1"), SVC_S("another"));
  expect(&s, SVC_S("k2"), nothing);
  munit_assert_int64(count_of(&s, SVC_S("c")), ==, 7);
  shop_commit(&s);
  shop_read(&after);
  expect(&before, SVC_S("k1"), SVC_S("one"));
  expect(&before, SVC_S("k2"), SVC_S("two"));
  expect(&before, SVC_S("k3"), nothing);
  munit_assert_true(svc_str_is(kept, "one"));
  munit_assert_int64(count_of(&before, SVC_S("c")), ==, 2);
  munit_assert_int(s.port->scan(before.txn, &all, rows, 8, &n), ==, SVC_OK);
  munit_assert_true(n == 2 && svc_str_is(rows[0].value, "one") && svc_str_is(rows[1].key, "k2"));
  expect(&after, SVC_S("k1"), SVC_S("another"));
  expect(&after, SVC_S("k2"), nothing);
  munit_assert_int64(count_of(&after, SVC_S("c")), ==, 7);
  munit_assert_int(s.port->scan(after.txn, &all, rows, 8, &n), ==, SVC_OK);
  munit_assert_true(n == 2 && svc_str_is(rows[0].value, "another") && svc_str_is(rows[1].key, "k3"));
  after.port->read_end(after.txn);
  before.port->read_end(before.txn);
  shop_close(&s);
}

/* -------------------------------------------------------------------------------------------------- what is given stays */

enum { GIVEN = 120 };

typedef struct given {
  svc_str got[GIVEN], many[GIVEN];
  svc_row rows[2][GIVEN]; /* forwards and backwards */
} given;

static void given_take(shop *s, svc_arena *a, given *g)
{
  svc_str keys[GIVEN];
  size_t n, i;
  for (i = 0; i < GIVEN; i++) {
    keys[i] = text_of(a, "k", (unsigned)i);
    munit_assert_int(s->port->get(s->txn, keys[i], &g->got[i]), ==, SVC_OK);
  }
  munit_assert_int(s->port->get_many(s->txn, keys, GIVEN, g->many), ==, SVC_OK);
  for (i = 0; i < 2; i++) {
    const svc_range range = { SVC_S("k"), SVC_S("l"), i != 0, 0 };
    munit_assert_int(s->port->scan(s->txn, &range, g->rows[i], GIVEN, &n), ==, SVC_OK);
    munit_assert_size(n, ==, GIVEN);
  }
}

static void given_check(svc_arena *a, const given *g)
{
  size_t i;
  for (i = 0; i < GIVEN; i++) {
    const svc_str key = text_of(a, "k", (unsigned)i), value = value_of(a, (unsigned)i);
    const svc_row *back = &g->rows[1][GIVEN - 1 - i];
    munit_assert_true(svc_str_eq(g->got[i], value) && svc_str_eq(g->many[i], value));
    munit_assert_true(svc_str_eq(g->rows[0][i].key, key) && svc_str_eq(g->rows[0][i].value, value));
    munit_assert_true(svc_str_eq(back->key, key) && svc_str_eq(back->value, value));
  }
}

/* Keys and values stay valid until the transaction ends, whatever it writes. The test covers every way in which memory can move. */
TEST_EACH(port, given_stays, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  static given fresh, stored;
  shop s = shop_open(engine);
  svc_arena a;
  unsigned i;
  svc_arena_init(&a, NULL);
  shop_write(&s);
  for (i = 0; i < GIVEN; i++) put(&s, text_of(&a, "k", i), value_of(&a, i));
  given_take(&s, &a, &fresh); /* written by this transaction */
  put(&s, SVC_S("k00003"), SVC_S("changed and changed back"));
  put(&s, SVC_S("k00003"), value_of(&a, 3));
  given_check(&a, &fresh);
  shop_commit(&s);

  shop_write(&s);
  given_take(&s, &a, &stored); /* committed before */
  for (i = 0; i < GIVEN; i += 4) put(&s, text_of(&a, "k", i), text_of(&a, "other", i)); /* longer, shorter, and of the same length */
  for (i = 1; i < GIVEN; i += 4) munit_assert_int(s.port->remove(s.txn, text_of(&a, "k", i)), ==, SVC_OK);
  given_check(&a, &stored);
  for (i = 0; i < 3000; i++) put(&s, text_of(&a, i % 2 ? "k" : "a", 1000 + i), value_of(&a, i)); /* pages split */
  given_check(&a, &stored);
  for (i = 0; i < 300; i++) munit_assert_int(s.port->count_add(s.txn, text_of(&a, "k00050", i), 1), ==, SVC_OK);
  given_check(&a, &stored);
  munit_assert_int(s.port->remove_range(s.txn, SVC_S("k00020"), SVC_S("k00090")), ==, SVC_OK);
  given_check(&a, &stored);
  munit_assert_int(s.port->remove_range(s.txn, SVC_S("\1"), SVC_S("\xFF")), ==, SVC_OK);
  put(&s, SVC_S("k"), SVC_S("the only one"));
  given_check(&a, &stored);
  for (i = 0; i < GIVEN; i++) { /* a returned value may be put again */
    put(&s, stored.rows[0][i].key, stored.rows[0][i].value);
    put(&s, stored.rows[1][i].key, stored.rows[1][i].value);
  }
  munit_assert_int(s.port->remove(s.txn, SVC_S("k")), ==, SVC_OK);
  given_take(&s, &a, &fresh);
  given_check(&a, &fresh);
  given_check(&a, &stored);
  shop_commit(&s);
  shop_read(&s); /* a reader's memory stays valid, too; a reader cannot write */
  given_take(&s, &a, &stored);
  {
    shop w = s;
    shop_write(&w);
    munit_assert_int(w.port->remove_range(w.txn, SVC_S("\1"), SVC_S("\xFF")), ==, SVC_OK);
    for (i = 0; i < 500; i++) put(&w, text_of(&a, "k", i), SVC_S("of a later time"));
    shop_commit(&w);
  }
  given_check(&a, &stored);
  s.port->read_end(s.txn);
  shop_close(&s);
  svc_blocks_free(a.blocks);
}

TEST_EACH(port, get_many, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  enum { MOST = 300 };
  static svc_str keys[MOST], values[MOST];
  shop s = shop_open(engine);
  svc_arena a;
  unsigned i, round;
  svc_arena_init(&a, NULL);
  shop_write(&s);
  for (i = 0; i < MOST; i += 3) put(&s, text_of(&a, "k", i), value_of(&a, i));
  put(&s, SVC_S("empty"), SVC_S(""));
  for (round = 0; round < 3; round++) {
    values[0] = SVC_S("untouched");
    munit_assert_int(s.port->get_many(s.txn, keys, 0, values), ==, SVC_OK);
    munit_assert_true(svc_str_is(values[0], "untouched"));
    for (i = 0; i < MOST; i++) { /* in no order, and some keys twice */
      unsigned n = i * 7 % 200;
      keys[i] = i % 50 == 49 ? SVC_S("empty") : text_of(&a, "k", n);
      values[i] = SVC_S("?");
    }
    munit_assert_int(s.port->get_many(s.txn, keys, MOST, values), ==, SVC_OK);
    for (i = 0; i < MOST; i++) {
      unsigned n = i * 7 % 200;
      if (i % 50 == 49) munit_assert_true(values[i].p && values[i].n == 0); /* an empty value is not a missing one */
      else if (n % 3 == 0) munit_assert_true(svc_str_eq(values[i], value_of(&a, n)));
      else munit_assert_null(values[i].p);
    }
    munit_assert_int(s.port->get_many(s.txn, keys + 1, 1, values), ==, SVC_OK); /* only missing keys */
    munit_assert_null(values[0].p);
    if (round == 0) shop_commit(&s);
    if (round == 0) shop_read(&s);
    else if (round == 1) s.port->read_end(s.txn), shop_write(&s);
  }
  s.port->abort(s.txn);
  shop_close(&s);
  svc_blocks_free(a.blocks);
}

/* --------------------------------------------------------------------------------------------------------------- ranges */

/* The model for a store: a sorted array of keys. */
enum { MODEL = 400, MODEL_KEY = 12 };

typedef struct model {
  svc_str keys[MODEL];
  bool there[MODEL];
  size_t n;
} model;

static int by_key(const void *a, const void *b)
{
  return svc_str_order(*(const svc_str *)a, *(const svc_str *)b);
}

/* munit's function cannot choose from a range of one. */
static size_t any_of(size_t least, size_t most)
{
  return least == most ? least : (size_t)munit_rand_int_range((int)least, (int)most);
}

/* Keys of few letters, including 0 and 0xFF: many have a common prefix, and ends of prefixes are keys. */
static void model_fill(model *m, svc_arena *a)
{
  static const unsigned char letters[] = { 0x00, 0x01, 'a', 0xFE, 0xFF };
  size_t i, n = 0;
  for (i = 0; i < MODEL; i++) {
    char text[MODEL_KEY];
    size_t length = any_of(1, MODEL_KEY), j;
    for (j = 0; j < length; j++) text[j] = (char)letters[any_of(j == 0, j == 0 ? 3 : 4)];
    m->keys[i] = svc_arena_copy(a, (svc_str){ text, length });
  }
  qsort(m->keys, MODEL, sizeof m->keys[0], by_key);
  for (i = 0; i < MODEL; i++)
    if (n == 0 || !svc_str_eq(m->keys[i], m->keys[n - 1])) m->keys[n++] = m->keys[i];
  m->n = n;
  memset(m->there, 0, sizeof m->there);
}

static bool in_range(svc_str key, const svc_range *range)
{
  return svc_str_order(key, range->from) >= 0 && svc_str_order(key, range->to) < 0;
}

static void model_scan(shop *s, const model *m, const svc_range *range, size_t most)
{
  static svc_row rows[MODEL];
  size_t expected[MODEL], count = 0, n = 99, i, passed = 0;
  for (i = 0; i < m->n; i++) {
    size_t at = range->backwards ? m->n - 1 - i : i;
    if (!m->there[at] || !in_range(m->keys[at], range) || passed++ < range->skip || count == most) continue;
    expected[count++] = at;
  }
  munit_assert_int(s->port->scan(s->txn, range, rows, most, &n), ==, SVC_OK);
  munit_assert_size(n, ==, count);
  for (i = 0; i < n; i++)
    munit_assert_true(svc_str_eq(rows[i].key, m->keys[expected[i]]) && svc_str_eq(rows[i].value, m->keys[expected[i]]));
}

/* A range from one key to another, or of all keys with a prefix. */
static svc_range model_range(const model *m, svc_key *end)
{
  svc_range range;
  svc_str from = m->keys[any_of(0, m->n - 1)], to = m->keys[any_of(0, m->n - 1)];
  svc_key prefix;
  if (any_of(0, 3) == 0) from.n = any_of(1, from.n);
  memset(&range, 0, sizeof range);
  range.from = from;
  range.to = to;
  if (any_of(0, 1)) {
    svc_key_begin(&prefix, from.p[0]);
    svc_key_add(&prefix, from.p + 1, from.n - 1);
    svc_key_behind(end, &prefix);
    range.to = svc_key_str(end);
  }
  return range;
}

static void model_scans(shop *s, const model *m, int times)
{
  const svc_range all = { SVC_S("\1"), SVC_S("\xFF"), false, 0 };
  svc_key end;
  while (times--) {
    svc_range range = model_range(m, &end);
    size_t most = any_of(1, times % 3 ? 6 : MODEL);
    range.backwards = any_of(0, 1) != 0;
    range.skip = any_of(0, 1) ? 0 : any_of(0, times % 3 ? 5 : MODEL);
    model_scan(s, m, &range, most);
  }
  model_scan(s, m, &all, MODEL);
}

/* Random ranges, forwards and backwards, with rows skipped and with a limit: the same result as from the model. */
TEST_EACH(port, scan, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  static model m;
  shop s = shop_open(engine);
  svc_arena a;
  size_t i;
  int round;
  svc_arena_init(&a, NULL);
  model_fill(&m, &a);
  shop_write(&s);
  model_scans(&s, &m, 50); /* an empty store */
  for (round = 0; round < 8; round++) {
    for (i = 0; i < m.n; i++) {
      m.there[i] = any_of(0, 3) != 0;
      if (m.there[i]) put(&s, m.keys[i], m.keys[i]);
      else munit_assert_int(s.port->remove(s.txn, m.keys[i]), ==, SVC_OK);
      if (i % 40 == 0) model_scans(&s, &m, 5); /* between two writes */
    }
    model_scans(&s, &m, 500); /* in the transaction that wrote the records */
    shop_commit(&s);
    shop_read(&s);
    model_scans(&s, &m, 500);
    s.port->read_end(s.txn);
    shop_write(&s);
    model_scans(&s, &m, 500); /* in another writer */
  }
  s.port->abort(s.txn);
  shop_close(&s);
  svc_blocks_free(a.blocks);
}

/* Individual edges of ranges. */
TEST_EACH(port, scan_edges, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  static const svc_str keys[] = { { "a", 1 }, { "b", 1 }, { "b\xFF", 2 }, { "b\xFF\xFF", 3 }, { "c", 1 }, { "y", 1 } };
  static const struct {
    const char *from, *to, *found; /* the numbers of the keys found, in order: one digit for each key */
  } cases[] = {
    { "a", "z", "012345" }, { "a", "y", "01234" }, { "a", "a", "" }, { "a", "b", "0" }, { "b", "c", "123" },
    { "b\xFF", "c", "23" }, { "b\xFF\xFF", "c", "3" }, { "b\xFF\xFF\xFF", "c", "" }, { "b", "b\xFF", "1" },
    { "b\x01", "b\xFF\xFF", "2" }, { "c", "b", "" }, { "z", "a", "" }, { "y", "z", "5" }, { "ya", "z", "" },
    { "\x01", "a", "" }, { "\x01", "\xFF", "012345" }, { "d", "x", "" }, { "aa", "b\xFF\xFF\xFF", "123" }
  };
  shop s = shop_open(engine);
  size_t i, j, n, length;
  int way;
  shop_write(&s);
  for (i = 0; i < 6; i++) put(&s, keys[5 - i], SVC_S(""));
  for (way = 0; way < 4; way++) {
    if (way == 2) shop_commit(&s), shop_read(&s);
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      svc_range range = { svc_str_c(cases[i].from), svc_str_c(cases[i].to), way & 1, 0 };
      svc_row rows[8];
      length = strlen(cases[i].found);
      for (range.skip = 0; range.skip <= length + 1; range.skip++) {
        const size_t left = range.skip < length ? length - range.skip : 0;
        munit_assert_int(s.port->scan(s.txn, &range, rows, 8, &n), ==, SVC_OK);
        munit_assert_size(n, ==, left);
        for (j = 0; j < n; j++) {
          size_t at = way & 1 ? left - 1 - j : j + range.skip;
          munit_assert_true(svc_str_eq(rows[j].key, keys[cases[i].found[at] - '0']));
        }
        if (left == 0) continue;
        munit_assert_int(s.port->scan(s.txn, &range, rows, left, &n), ==, SVC_OK); /* a limit of exactly the rows that exist */
        munit_assert_size(n, ==, left);
      }
    }
  }
  s.port->read_end(s.txn);
  shop_close(&s);
}

/* Removes the records in a range, and no others: as in the model. */
TEST_EACH(port, remove_range, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  static model m;
  shop s = shop_open(engine);
  svc_arena a;
  svc_key end;
  size_t i;
  int round;
  svc_arena_init(&a, NULL);
  model_fill(&m, &a);
  shop_write(&s);
  munit_assert_int(s.port->remove_range(s.txn, SVC_S("a"), SVC_S("b")), ==, SVC_OK); /* an empty store */
  for (round = 0; round < 60; round++) {
    svc_range range = model_range(&m, &end);
    for (i = 0; i < m.n; i++) {
      if (!m.there[i] && round % 2 == 0) put(&s, m.keys[i], m.keys[i]);
      m.there[i] |= round % 2 == 0;
    }
    if (round % 20 == 19) range.from = SVC_S("\1"), range.to = SVC_S("\xFF"); /* everything */
    munit_assert_int(s.port->remove_range(s.txn, range.from, range.to), ==, SVC_OK);
    for (i = 0; i < m.n; i++) m.there[i] &= !in_range(m.keys[i], &range);
    model_scans(&s, &m, 20);
    if (round % 5 != 4) continue;
    shop_commit(&s);
    shop_read(&s);
    model_scans(&s, &m, 20);
    s.port->read_end(s.txn);
    shop_write(&s);
  }
  s.port->abort(s.txn);
  shop_close(&s);
  svc_blocks_free(a.blocks);
}

/* Checks that a range of keys with prefix "k" has exactly these records. */
static void rows_are(shop *s, svc_arena *a, unsigned from, unsigned to, size_t expected)
{
  static svc_row rows[6000];
  const svc_range range = { text_of(a, "k", from), text_of(a, "k", to), false, 0 };
  size_t n, i;
  munit_assert_int(s->port->scan(s->txn, &range, rows, 6000, &n), ==, SVC_OK);
  munit_assert_size(n, ==, expected);
  for (i = 0; i < n; i++) {
    munit_assert_true(svc_str_eq(rows[i].key, text_of(a, "k", from + (unsigned)i)));
    munit_assert_true(svc_str_eq(rows[i].value, value_of(a, from + (unsigned)i)));
  }
}

/* Enough records for many pages, so that the tree becomes lower. */
TEST_EACH(port, remove_many, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  enum { ROWS = 5000 };
  static const struct {
    unsigned from, to;
  } cases[] = { { 0, ROWS }, { 0, 2500 }, { 2500, ROWS }, { 1, ROWS - 1 }, { 1234, 4321 }, { 777, 778 }, { 2000, 2000 },
                { ROWS, 9999 } };
  shop s = shop_open(engine);
  svc_arena a;
  unsigned i, k;
  for (k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const unsigned from = cases[k].from, to = cases[k].to;
    svc_arena_init(&a, NULL);
    shop_write(&s);
    for (i = 0; i < ROWS; i++) put(&s, text_of(&a, "k", i), value_of(&a, i));
    for (i = 0; i < 50; i++) put(&s, text_of(&a, i % 2 ? "j" : "l", i), value_of(&a, i)); /* records around them */
    if (k % 2) shop_commit(&s), shop_write(&s);
    munit_assert_int(s.port->remove_range(s.txn, text_of(&a, "k", from), text_of(&a, "k", to)), ==, SVC_OK);
    for (i = 0; i < 2; i++) {
      rows_are(&s, &a, 0, from, from < ROWS ? from : ROWS);
      rows_are(&s, &a, from, to, 0);
      rows_are(&s, &a, to, 99999, to < ROWS ? ROWS - to : 0);
      if (i == 0) shop_commit(&s), shop_read(&s);
    }
    for (i = 0; i < 50; i++) expect(&s, text_of(&a, i % 2 ? "j" : "l", i), value_of(&a, i));
    s.port->read_end(s.txn);
    svc_blocks_free(a.blocks);
  }
  shop_close(&s);
}

/* --------------------------------------------------------------------------------------------------------------- counts */

TEST_EACH(port, counts, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  const svc_str keys[] = { SVC_S("c"), SVC_S("c1"), SVC_S("c\0"), SVC_S("c\xFF"), SVC_S("d") };
  enum { KEYS = sizeof keys / sizeof keys[0] };
  int64_t expected[KEYS] = { 0 }, committed[KEYS] = { 0 };
  shop s = shop_open(engine);
  int round, i;
  shop_write(&s);
  munit_assert_int(s.port->count_add(s.txn, keys[0], 0), ==, SVC_OK); /* a count starts at 0, and adding 0 changes nothing */
  munit_assert_int64(count_of(&s, keys[0]), ==, 0);
  for (round = 0; round < 400; round++) {
    static const int64_t deltas[] = { 1, -1, 0, 1, 5, -3, 100000, INT64_C(1) << 40, -(INT64_C(1) << 40) };
    int64_t delta = deltas[any_of(0, 8)];
    i = (int)any_of(0, KEYS - 1);
    if (round % 10 == 9) delta = -expected[i]; /* back to zero */
    if (expected[i] + delta < 0) delta = 1;
    munit_assert_int(s.port->count_add(s.txn, keys[i], delta), ==, SVC_OK);
    expected[i] += delta;
    for (i = 0; i < KEYS; i++) munit_assert_int64(count_of(&s, keys[i]), ==, expected[i]);
    if (round % 20 == 7) {
      s.port->abort(s.txn);
      memcpy(expected, committed, sizeof expected);
    } else if (round % 20 == 17) {
      shop_commit(&s);
      memcpy(committed, expected, sizeof expected);
    } else {
      continue;
    }
    shop_read(&s);
    for (i = 0; i < KEYS; i++) munit_assert_int64(count_of(&s, keys[i]), ==, committed[i]);
    s.port->read_end(s.txn);
    shop_write(&s);
  }
  s.port->abort(s.txn);
  shop_close(&s);
}

/* --------------------------------------------------------------------------------------------------------------- memory */

typedef struct purse {
  int left;      /* so many more allocations succeed; < 0: all */
  int given, out; /* given: in total; out: not yet freed */
} purse;

static void *purse_resize(void *context, void *p, size_t size)
{
  purse *m = context;
  if (size == 0) {
    m->out -= p != NULL;
    free(p);
    return NULL;
  }
  if (m->left == 0) return NULL;
  if (m->left > 0) m->left--;
  m->given++;
  m->out += p == NULL;
  return realloc(p, size);
}

/* Calls every function once. Returns the first error. */
static int do_all(shop *s, svc_arena *a)
{
  const svc_range all = { SVC_S("k"), SVC_S("l"), true, 3 };
  const svc_str keys[3] = { SVC_S("k00001"), SVC_S("none"), SVC_S("k00097") };
  static svc_row rows[100];
  svc_str value, values[3];
  int64_t count;
  size_t n;
  int rc = s->port->get(s->txn, SVC_S("k00000"), &value);
  if (rc == SVC_OK) rc = s->port->get_many(s->txn, keys, 3, values);
  if (rc == SVC_OK) rc = s->port->put(s->txn, SVC_S("k1"), value_of(a, 97));
  if (rc == SVC_OK) rc = s->port->scan(s->txn, &all, rows, 100, &n);
  if (rc == SVC_OK) rc = s->port->count_add(s->txn, SVC_S("c"), 1);
  if (rc == SVC_OK) rc = s->port->count(s->txn, SVC_S("c"), &count);
  if (rc == SVC_OK) rc = s->port->remove(s->txn, SVC_S("k00005"));
  if (rc == SVC_OK) rc = s->port->remove_range(s->txn, SVC_S("k00050"), SVC_S("k00060"));
  return rc;
}

/* Wherever memory runs out, the call returns that error, the transaction can be aborted, the state is unchanged, and nothing leaks. */
TEST_EACH(port, no_memory, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  purse m = { -1, 0, 0 };
  svc_config config;
  svc_arena a;
  shop s;
  unsigned i;
  int limit, rc = SVC_NOMEM, out;
  svc_arena_init(&a, NULL);
  memset(&config, 0, sizeof config);
  config.allocator.resize = purse_resize;
  config.allocator.context = &m;
  s = shop_at(strcmp(engine, "memory") == 0 ? svc_memory_port() : port_of(engine), &config);
  shop_write(&s);
  for (i = 0; i < 100; i++) put(&s, text_of(&a, "k", i), value_of(&a, i));
  shop_commit(&s);
  out = m.out;
  for (limit = 0; rc == SVC_NOMEM; limit++) {
    munit_assert_int(limit, <, 1000);
    m.left = limit;
    rc = s.port->write_begin(s.store, &s.txn);
    if (rc == SVC_OK) {
      rc = do_all(&s, &a);
      s.port->abort(s.txn);
    }
    m.left = -1;
    munit_assert_true(rc == SVC_OK || rc == SVC_NOMEM);
    munit_assert_int(m.out, ==, out);
    shop_read(&s);
    rows_are(&s, &a, 0, 99999, 100);
    munit_assert_int64(count_of(&s, SVC_S("c")), ==, 0);
    s.port->read_end(s.txn);
  }
  shop_write(&s);
  munit_assert_int(do_all(&s, &a), ==, SVC_OK);
  shop_commit(&s);
  if (strcmp(engine, "memory") != 0) munit_assert_int(m.out, ==, out); /* the in-memory store has its records there */
  shop_close(&s);
  munit_assert_int(m.out, ==, 0);
  munit_assert_int(m.out, ==, 0);
  svc_blocks_free(a.blocks);
}

/* ----------------------------------------------------------------------------------------------------------------- room */

/* Writes one record of this size in a transaction of its own. Returns the port's code. */
static int put_large(shop *s, svc_str key, size_t size)
{
  static char large[1 << 20];
  int rc = s->port->write_begin(s->store, &s->txn);
  if (rc == SVC_OK) {
    rc = s->port->put(s->txn, key, (svc_str){ large, size });
    if (rc == SVC_OK) return s->port->commit(s->txn);
    s->port->abort(s->txn);
  }
  return rc;
}

/* Writes the record, and makes room when the port asks for it. */
static int put_with_room(shop *s, svc_str key, size_t size)
{
  int rc = SVC_NO_ROOM, i;
  for (i = 0; i < 100 && rc == SVC_NO_ROOM; i++) {
    rc = put_large(s, key, size);
    if (rc == SVC_NO_ROOM && s->port->room(s->store, SVC_ROOM_MORE) != SVC_OK) return SVC_FULL;
  }
  munit_assert_int(i, <, 100); /* room cannot be promised for ever */
  return rc;
}

/* Writes as many records as fit; *rc: why no more do. */
static unsigned put_many(shop *s, svc_arena *a, const char *front, unsigned most, int *rc)
{
  unsigned n = 0;
  while (n < most && (*rc = put_with_room(s, text_of(a, front, n), 10000)) == SVC_OK) n++;
  return n;
}

/* Removes a record, beyond the limit if necessary. */
static void remove_with_room(shop *s, svc_str key)
{
  int rc;
  do {
    shop_write(s);
    rc = s->port->remove(s->txn, key);
    if (rc == SVC_OK) rc = s->port->commit(s->txn);
    else s->port->abort(s->txn);
    if (rc == SVC_NO_ROOM) munit_assert_int(s->port->room(s->store, SVC_ROOM_TO_FREE), ==, SVC_OK);
  } while (rc == SVC_NO_ROOM);
  munit_assert_int(rc, ==, SVC_OK);
}

/* Checks n records: all exist, or every second one. */
static void room_check(shop *s, svc_arena *a, unsigned n, bool halved)
{
  svc_str value;
  unsigned i;
  shop_read(s);
  for (i = 0; i < n; i++) {
    const bool gone = halved && i % 2 == 0;
    munit_assert_int(s->port->get(s->txn, text_of(a, "k", i), &value), ==, gone ? SVC_NOT_FOUND : SVC_OK);
    if (!gone) munit_assert_size(value.n, ==, 10000);
  }
  expect(s, SVC_S("no"), nothing);
  s->port->read_end(s->txn);
}

/* A store grows up to its limit, gets further room to free space, and is then within its limit again. */
TEST_EACH(port, room, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  enum { ENDLESS = 500 };
  svc_config config;
  svc_arena a;
  shop s;
  char path[128];
  unsigned i, n, again;
  int rc;
  svc_arena_init(&a, NULL);
  store_folder(path);
  memset(&config, 0, sizeof config);
  config.path = path;
  config.map_size = 1 << 16;
  config.map_limit = 1 << 20;
  config.durability = SVC_NO_SYNC;
  s = shop_at(port_of(engine), &config);
  n = put_many(&s, &a, "k", ENDLESS, &rc);
  room_check(&s, &a, n, false);
  if (n == ENDLESS) { /* an engine without a limit always reports room */
    for (i = SVC_ROOM_MORE; i <= SVC_ROOM_DONE; i++) munit_assert_int(s.port->room(s.store, (int)i), ==, SVC_OK);
  } else {
    munit_assert_int(rc, ==, SVC_FULL);
    munit_assert_uint(n, >, 20);
    munit_assert_uint(n, <, 110);
    munit_assert_int(put_with_room(&s, SVC_S("no"), 10000), ==, SVC_FULL); /* the error repeats */
    room_check(&s, &a, n, false);
    munit_assert_int(s.port->room(s.store, SVC_ROOM_TO_FREE), ==, SVC_OK);
    for (i = 0; i < n; i += 2) remove_with_room(&s, text_of(&a, "k", i));
    munit_assert_int(s.port->room(s.store, SVC_ROOM_DONE), ==, SVC_OK);
    again = put_many(&s, &a, "r", ENDLESS, &rc);
    munit_assert_int(rc, ==, SVC_FULL);
    munit_assert_uint(again, >, n / 4); /* freed space is used again, and not more than that */
    munit_assert_uint(again, <=, n / 2 + 5);
    room_check(&s, &a, n, true);
  }
  shop_close(&s);
  store_remove(path);
  svc_blocks_free(a.blocks);
}

typedef struct room_reader {
  shop s;
  pthread_t thread;
  atomic_int *stop;
  atomic_int reads;
} room_reader;

static void *room_read(void *context)
{
  room_reader *r = context;
  while (!atomic_load(r->stop)) {
    shop_read(&r->s);
    expect(&r->s, SVC_S("first"), SVC_S("value"));
    r->s.port->read_end(r->s.txn);
    atomic_fetch_add(&r->reads, 1);
  }
  return NULL;
}

/* The store grows while others read. */
TEST_EACH(port, room_and_readers, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  enum { READERS = 3 };
  room_reader r[READERS];
  svc_config config;
  svc_arena a;
  shop s;
  atomic_int stop;
  unsigned i;
  atomic_init(&stop, 0);
  svc_arena_init(&a, NULL);
  memset(&config, 0, sizeof config);
  config.map_size = 1 << 16;
  s = shop_at(port_of(engine), &config);
  shop_write(&s);
  put(&s, SVC_S("first"), SVC_S("value"));
  shop_commit(&s);
  memset(r, 0, sizeof r);
  for (i = 0; i < READERS; i++) {
    r[i].s = s;
    r[i].stop = &stop;
    munit_assert_int(pthread_create(&r[i].thread, NULL, room_read, &r[i]), ==, 0);
  }
  for (i = 0; i < 400; i++) munit_assert_int(put_with_room(&s, text_of(&a, "k", i), 10000), ==, SVC_OK);
  for (i = 0; i < READERS; i++)
    while (!atomic_load(&r[i].reads)) sched_yield(); /* on a busy machine all records may be written before a thread has started */
  atomic_store(&stop, 1);
  for (i = 0; i < READERS; i++) {
    munit_assert_int(pthread_join(r[i].thread, NULL), ==, 0);
  }
  shop_close(&s);
  svc_blocks_free(a.blocks);
}

/* -------------------------------------------------------------------------------------------------------- numbers, copies */

/* Returns the number of a committed transaction, which is greater than that of the previous one. */
static uint64_t next_number(shop *s, uint64_t last)
{
  uint64_t number;
  shop_write(s);
  number = s->port->number(s->txn);
  munit_assert_uint64(number, >, last);
  munit_assert_uint64(number, <, UINT64_C(1) << 44);
  put(s, SVC_S("n"), SVC_S("something"));
  munit_assert_uint64(s->port->number(s->txn), ==, number); /* the number does not change */
  shop_commit(s);
  return number;
}

static void shop_copy(shop *s, const char *path)
{
  shop_write(s);
  munit_assert_int(s->port->copy_begin(s->txn), ==, SVC_OK);
  shop_commit(s);
  munit_assert_int(s->port->copy(s->store, path), ==, SVC_OK);
}

TEST_EACH(port, numbers, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  char path[128], copy[160];
  svc_config config, other;
  shop s, c;
  uint64_t last = 0, of_copy;
  int i, round;
  store_folder(path);
  memset(&config, 0, sizeof config);
  config.path = path;
  config.durability = SVC_NO_SYNC;
  other = config;
  other.path = copy;
  s = shop_at(port_of(engine), &config);
  for (round = 0; round < 6; round++) {
    for (i = 0; i < 30; i++) {
      if (i % 7 == 3) { /* aborted transactions and readers use no number */
        shop_write(&s);
        munit_assert_uint64(s.port->number(s.txn), >, last);
        put(&s, SVC_S("n"), SVC_S("aborted"));
        s.port->abort(s.txn);
        shop_read(&s);
        s.port->read_end(s.txn);
      }
      last = next_number(&s, last);
    }
    if (round % 2) { /* open the store again */
      shop_close(&s);
      s = shop_at(port_of(engine), &config);
      last = next_number(&s, last);
      continue;
    }
    snprintf(copy, sizeof copy, "%s/copy%d", path, round);
    shop_copy(&s, copy);
    for (i = 0; i < 30; i++) last = next_number(&s, last); /* the store continues */
    c = shop_at(port_of(engine), &other);
    of_copy = next_number(&c, last); /* numbers of the copy never repeat a number of the store */
    for (i = 0; i < 5; i++) of_copy = next_number(&c, of_copy);
    shop_close(&c);
    c = shop_at(port_of(engine), &other);
    of_copy = next_number(&c, of_copy);
    shop_close(&c);
  }
  shop_close(&s);
  store_remove(path);
}

/* A copy is a normal store with one consistent state; so is a copy of a copy. */
TEST_EACH(port, copy, engine, "lmdb", "memory", "postgres")
{
  SKIP_IF(!port_of(engine));
  enum { ROWS = 3000 };
  char path[128], copy[3][160];
  svc_config config;
  svc_arena a;
  shop s;
  unsigned i, round;
  uint64_t last = 0;
  svc_arena_init(&a, NULL);
  store_folder(path);
  memset(&config, 0, sizeof config);
  s = shop_at(port_of(engine), &config); /* a copy of a private store */
  shop_write(&s);
  for (i = 0; i < ROWS; i++) put(&s, text_of(&a, "k", i), value_of(&a, i));
  munit_assert_int(s.port->count_add(s.txn, SVC_S("c"), 42), ==, SVC_OK);
  shop_commit(&s);
  for (round = 0; round < 3; round++) {
    snprintf(copy[round], sizeof copy[round], "%s/%u", path, round);
    shop_copy(&s, copy[round]);
    shop_write(&s); /* later changes are not in the copy */
    put(&s, SVC_S("k00001"), SVC_S("later"));
    munit_assert_int(s.port->remove(s.txn, SVC_S("k00002")), ==, SVC_OK);
    munit_assert_int(s.port->count_add(s.txn, SVC_S("c"), 1), ==, SVC_OK);
    last = s.port->number(s.txn);
    shop_commit(&s);
    munit_assert_int(s.port->copy(s.store, copy[round]), ==, SVC_EXISTS);
    shop_close(&s);
    config.path = copy[round];
    s = shop_at(port_of(engine), &config);
    shop_read(&s);
    rows_are(&s, &a, 0, 99999, ROWS);
    munit_assert_int64(count_of(&s, SVC_S("c")), ==, 42);
    s.port->read_end(s.txn);
    last = next_number(&s, last);
  }
  shop_close(&s);
  store_remove(path);
  svc_blocks_free(a.blocks);
}

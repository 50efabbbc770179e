/*
** Entities in a transaction: records, index entries, counts, and where the links of a body belong.
*/
#include "support.h"

static svc_entity entity_n(unsigned n, const char *unique)
{
  svc_entity e;
  memset(&e, 0, sizeof e);
  e.kind = "test";
  e.id = t_id(n);
  e.revision = n;
  e.key = svc_str_c(unique);
  e.unique = svc_str_c(unique);
  e.body = SVC_S("{\"a\":1,\"z\":2}");
  e.links_at = 7;
  e.extra = SVC_S("");
  return e;
}

/* How many records of a class there are: its counts, or the others. */
static unsigned box_records(t_store *b, char letter, bool counts)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  unsigned n = 0;
  prefix.n = 1;
  prefix.b[0] = (unsigned char)letter;
  munit_assert_true(svc_scan_begin(&scan, b->txn, &prefix, false));
  while (svc_scan_next(&scan, &key, &value)) n += (key.n == 18 && (unsigned char)key.p[17] == SVC_KEY_END) == counts;
  svc_scan_end(&scan);
  return n;
}

/* How many of the owned ones have no index entries yet. */
static unsigned box_late(t_store *b)
{
  svc_list_end last;
  svc_list_last(b->txn, 'e', "test", &b->root, &last);
  return last.late;
}

/* Owned and unique: whether they are indexed or will be. */
static void box_expect(t_store *b, unsigned counts, unsigned due, unsigned entities, unsigned owned, unsigned uniques)
{
  munit_assert_uint(box_records(b, 'e', true) + box_records(b, 'o', true), <=, counts); /* only of lists that shrank */
  munit_assert_uint(box_records(b, 'd', false), ==, due);
  munit_assert_uint(box_records(b, 'e', false), ==, entities);
  munit_assert_uint(box_records(b, 'o', false) + box_late(b), ==, owned);
  munit_assert_uint(box_records(b, 'u', false) + box_late(b), ==, uniques);
}

/* -------------------------------------------------------------------------------------------------------------- records */

static MunitResult entity_round(const MunitParameter params[], void *data)
{
  t_store b;
  svc_entity e, got;
  svc_id parent = t_id(500);
  (void)params, (void)data;
  t_store_open(&b);
  e = entity_n(1, "Cluster0");
  e.parent = parent;
  e.owner = t_id(600);
  e.revision = UINT64_MAX - 1;
  e.due = INT64_MAX;
  e.key = SVC_S("admin/joe%20x");
  e.extra = (svc_str){ "\0\1\2", 3 };
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  memset(&got, 0xEE, sizeof got);
  munit_assert_int(svc_entity_get(b.txn, "test", &parent, &e.id, &got), ==, SVC_OK);
  munit_assert_string_equal(got.kind, "test");
  munit_assert_true(svc_id_eq(&got.parent, &parent) && svc_id_eq(&got.id, &e.id) && svc_id_eq(&got.owner, &e.owner));
  munit_assert_true(got.revision == UINT64_MAX - 1 && got.due == INT64_MAX && !got.shared);
  munit_assert_true(svc_str_is(got.key, "admin/joe%20x") && svc_str_is(got.unique, "Cluster0"));
  munit_assert_true(svc_str_is(got.body, "{\"a\":1,\"z\":2}") && got.links_at == 7);
  munit_assert_true(svc_str_eq(got.extra, e.extra));
  munit_assert_int(svc_entity_get(b.txn, "test", &b.root, &e.id, &got), ==, SVC_NOT_FOUND); /* another parent */
  munit_assert_int(svc_entity_get(b.txn, "tess", &parent, &e.id, &got), ==, SVC_NOT_FOUND); /* another kind */
  munit_assert_int(b.txn->error, ==, SVC_OK);

  e = entity_n(2, "");
  e.body = SVC_S("{}"); /* nothing but a body */
  e.links_at = 1;
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  munit_assert_int(svc_entity_get(b.txn, "test", &b.root, &e.id, &got), ==, SVC_OK);
  munit_assert_true(got.key.n == 0 && got.unique.n == 0 && got.extra.n == 0 && got.due == 0 && svc_id_is_zero(&got.owner));
  munit_assert_true(svc_str_is(got.body, "{}") && got.links_at == 1);

  e = entity_n(3, "same");
  e.shared = true; /* a name, not a unique value */
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  munit_assert_int(svc_entity_get(b.txn, "test", &b.root, &e.id, &got), ==, SVC_OK);
  munit_assert_true(got.shared && svc_str_is(got.unique, "same"));
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &b.root, SVC_S("same"), &got), ==, SVC_NOT_FOUND);
  box_expect(&b, 3, 1, 3, 1, 1);
  t_store_close(&b);
  return MUNIT_OK;
}

/* The short way to a list's item sees the same, and refuses the same. */
static void same_at_a_glance(svc_str record, bool good, const svc_entity *e)
{
  svc_str key, body;
  size_t links_at;
  munit_assert_int(svc_entity_glance(record, &key, &body, &links_at), ==, good);
  if (!good) return;
  munit_assert_true(key.p == e->key.p && key.n == e->key.n && body.p == e->body.p && body.n == e->body.n);
  munit_assert_size(links_at, ==, e->links_at);
}

/* A record cut anywhere before its extra is refused; nothing outside of it is ever read (the copies are exact). */
static MunitResult entity_truncated(const MunitParameter params[], void *data)
{
  t_store b;
  svc_entity e, got;
  svc_key key;
  svc_str record;
  size_t n;
  (void)params, (void)data;
  t_store_open(&b);
  e = entity_n(1, "name");
  e.extra = SVC_S("extra");
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  svc_key_entity(&key, "test", &b.root, &e.id);
  munit_assert_int(svc_get(b.txn, &key, &record), ==, SVC_OK);
  munit_assert_size(record.n, ==, 48 + 4 + 4 + e.body.n + 5);
  for (n = 0; n <= record.n; n++) {
    char *copy = malloc(n + !n);
    bool good;
    memcpy(copy, record.p, n);
    memset(&got, 0, sizeof got);
    good = svc_entity_decode(svc_key_str(&key), (svc_str){ copy, n }, &got);
    munit_assert_int(good, ==, n >= record.n - 5);
    same_at_a_glance((svc_str){ copy, n }, good, &got);
    if (good) munit_assert_size(got.extra.n, ==, n - (record.n - 5));
    free(copy);
  }
  munit_assert_false(svc_entity_decode((svc_str){ (const char *)key.b, key.n - 1 }, record, &got));
  munit_assert_false(svc_entity_decode((svc_str){ (const char *)key.b, 17 }, record, &got));
  memset(&got, 7, sizeof got);
  munit_assert_true(svc_entity_decode((svc_str){ NULL, 0 }, record, &got)); /* without a key the ids stay as they are */
  munit_assert_int(got.id.b[0], ==, 7);
  munit_assert_int(got.parent.b[11], ==, 7);
  t_store_close(&b);
  return MUNIT_OK;
}

static bool inside(svc_str part, svc_str whole)
{
  return part.p >= whole.p && part.n <= whole.n && part.p + part.n <= whole.p + whole.n;
}

static MunitResult entity_garbage(const MunitParameter params[], void *data)
{
  t_store b;
  svc_entity e, got;
  svc_key key;
  svc_str record;
  char *copy;
  size_t n, i, decoded = 0;
  (void)params, (void)data;
  t_store_open(&b);
  e = entity_n(1, "name");
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  svc_key_entity(&key, "test", &b.root, &e.id);
  munit_assert_int(svc_get(b.txn, &key, &record), ==, SVC_OK);
  n = record.n;
  copy = malloc(n);
#define WITH(at, bytes) (memcpy(copy, record.p, n), memcpy(copy + (at), bytes, sizeof bytes - 1), \
                         svc_entity_decode(svc_key_str(&key), (svc_str){ copy, n }, &got))
  munit_assert_true(WITH(0, "\1"));
  munit_assert_false(WITH(0, "\0"));          /* format */
  munit_assert_false(WITH(0, "\2"));
  munit_assert_false(WITH(2, "\xFF\xFF"));    /* length of key */
  munit_assert_false(WITH(4, "\xFF\xFF"));    /* length of unique */
  munit_assert_false(WITH(2, "\xFF\xFF\xFF\xFF"));
  munit_assert_false(WITH(8, "\xFF\xFF\xFF\xFF")); /* length of body */
  munit_assert_false(WITH(8, "\x10\0\0\0"));
  munit_assert_false(WITH(12, "\xFF\xFF\xFF\xFF")); /* links_at */
  munit_assert_false(WITH(12, "\x0E\0\0\0")); /* one behind the body */
#undef WITH
  for (i = 0; i < 100000; i++) { /* noise on a good record: refused, or a record whose parts lie within it */
    int j, times = munit_rand_int_range(1, 6);
    bool good;
    memcpy(copy, record.p, n);
    for (j = 0; j < times; j++) copy[munit_rand_int_range(0, 20)] = (char)munit_rand_int_range(0, 40);
    good = svc_entity_decode(svc_key_str(&key), (svc_str){ copy, n }, &got);
    same_at_a_glance((svc_str){ copy, n }, good, &got);
    if (!good) continue;
    decoded++;
    munit_assert_true(inside(got.key, (svc_str){ copy, n }) && inside(got.unique, (svc_str){ copy, n }));
    munit_assert_true(inside(got.body, (svc_str){ copy, n }) && inside(got.extra, (svc_str){ copy, n }));
    munit_assert_size(got.links_at, <=, got.body.n);
  }
  munit_assert_size(decoded, >, 100); /* both ends are tried */
  munit_assert_size(decoded, <, 99900);
  free(copy);
  t_store_close(&b);
  return MUNIT_OK;
}

/* What is in the store and cannot be right is an error of the transaction, not "not found". */
static MunitResult entity_corrupt(const MunitParameter params[], void *data)
{
  t_store b;
  svc_entity e, got;
  svc_key key;
  (void)params, (void)data;
  t_store_open(&b);
  e = entity_n(1, "name");
  svc_key_entity(&key, "test", &b.root, &e.id);
  svc_put(b.txn, &key, SVC_S("garbage"));
  munit_assert_int(svc_entity_get(b.txn, "test", &b.root, &e.id, &got), ==, SVC_CORRUPT);
  munit_assert_int(b.txn->error, ==, SVC_CORRUPT);
  b.txn->error = SVC_OK;
  svc_put(b.txn, &key, SVC_S(""));
  munit_assert_int(svc_entity_get(b.txn, "test", &b.root, &e.id, &got), ==, SVC_CORRUPT);
  b.txn->error = SVC_OK;
  svc_key_unique(&key, "test", SVC_S("short"), &b.root); /* an entry that is no id */
  svc_put(b.txn, &key, SVC_S("12345678901"));
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &b.root, SVC_S("short"), &got), ==, SVC_CORRUPT);
  munit_assert_int(b.txn->error, ==, SVC_CORRUPT);
  b.txn->error = SVC_OK;
  svc_key_unique(&key, "test", SVC_S("gone"), &b.root); /* an entry of nobody */
  svc_put(b.txn, &key, SVC_S("123456789012"));
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &b.root, SVC_S("gone"), &got), ==, SVC_CORRUPT);
  b.txn->error = SVC_OK;
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &b.root, SVC_S("none"), &got), ==, SVC_NOT_FOUND);
  munit_assert_int(b.txn->error, ==, SVC_OK);
  t_store_close(&b);
  return MUNIT_OK;
}

static MunitResult entity_too_long(const MunitParameter params[], void *data)
{
  static char text[70000];
  t_store b;
  svc_entity e, got;
  (void)params, (void)data;
  memset(text, 'n', sizeof text);
  t_store_open(&b);
  e = entity_n(1, "");
  e.unique = (svc_str){ text, 65535 }; /* what a length of 16 bits holds */
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &b.root, e.unique, &got), ==, SVC_OK);
  munit_assert_true(svc_str_eq(got.unique, e.unique));
  e = entity_n(2, "");
  e.unique = (svc_str){ text, 65536 };
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_INVALID);
  munit_assert_int(b.txn->error, ==, SVC_INVALID);
  b.txn->error = SVC_OK;
  e = entity_n(3, "");
  e.key = (svc_str){ text, 65536 };
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_INVALID);
  t_store_close(&b);
  return MUNIT_OK;
}

/* ---------------------------------------------------------------------------------------------------- counts and indices */

static MunitResult entity_counts(const MunitParameter params[], void *data)
{
  t_store b;
  svc_id parent = t_id(500);
  svc_entity e[5];
  unsigned i;
  (void)params, (void)data;
  t_store_open(&b);
  munit_assert_uint64(svc_entity_count(b.txn, "test", &parent), ==, 0);
  for (i = 0; i < 5; i++) {
    char *name = svc_arena_alloc(&b.arena, 8);
    snprintf(name, 8, "n%u", i);
    e[i] = entity_n(i + 1, name);
    if (i < 3) e[i].parent = parent;
    munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e[i]), ==, SVC_OK);
  }
  munit_assert_uint64(svc_entity_count(b.txn, "test", &parent), ==, 3);
  munit_assert_uint64(svc_entity_count(b.txn, "test", &b.root), ==, 2);
  munit_assert_uint64(svc_entity_count(b.txn, "tesu", &parent), ==, 0);
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e[0], &e[0]), ==, SVC_OK); /* counts nothing */
  munit_assert_uint64(svc_entity_count(b.txn, "test", &parent), ==, 3);
  box_expect(&b, 2, 0, 5, 0, 5);
  for (i = 0; i < 5; i++) {
    munit_assert_int(svc_entity_remove(b.txn, &b.arena, &e[i]), ==, SVC_OK);
    if (i < 3) munit_assert_uint64(svc_entity_count(b.txn, "test", &parent), ==, 2 - i);
  }
  box_expect(&b, 0, 0, 0, 0, 0); /* no count of zero stays behind */
  t_store_close(&b);
  return MUNIT_OK;
}

/* Random inserts, moves and removals, in and out of order, against plain counting. */
static MunitResult entity_counts_random(const MunitParameter params[], void *data)
{
  enum { MOST = 60, OWNERS = 3 };
  t_store b;
  svc_entity e[MOST];
  svc_id owners[OWNERS + 1];
  bool there[MOST];
  int owner_of[MOST], i, round;
  (void)params, (void)data;
  t_store_open(&b);
  memset(there, 0, sizeof there);
  memset(owners, 0, sizeof owners); /* the last is nobody */
  for (i = 0; i < OWNERS; i++) owners[i] = t_id(1000u + (unsigned)i);
  for (round = 0; round < 6000; round++) {
    int n = munit_rand_int_range(0, MOST - 1), to = munit_rand_int_range(0, OWNERS), total = 0, owned[OWNERS + 1] = { 0 };
    if (round % 1000 > 900) to = OWNERS; /* now and then nearly all go */
    if (!there[n]) {
      if (round % 1000 > 900) continue;
      e[n] = entity_n((unsigned)n + 1, "");
      e[n].owner = owners[to];
      munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e[n]), ==, SVC_OK);
      there[n] = true;
      owner_of[n] = to;
    } else if (round % 3 == 0 && round % 1000 <= 900) {
      svc_entity old, changed;
      svc_id id = t_id((unsigned)n + 1);
      munit_assert_int(svc_entity_get(b.txn, "test", &b.root, &id, &old), ==, SVC_OK);
      old.body = SVC_S("{}");
      old.links_at = 1;
      old.key = old.unique = old.extra = SVC_S("");
      changed = old;
      changed.owner = owners[to];
      munit_assert_int(svc_entity_update(b.txn, &b.arena, &changed, &old), ==, SVC_OK);
      owner_of[n] = to;
    } else {
      svc_entity old;
      svc_id id = t_id((unsigned)n + 1);
      munit_assert_int(svc_entity_get(b.txn, "test", &b.root, &id, &old), ==, SVC_OK);
      munit_assert_int(svc_entity_remove(b.txn, &b.arena, &old), ==, SVC_OK);
      there[n] = false;
    }
    for (i = 0; i < MOST; i++) {
      total += there[i];
      if (there[i]) owned[owner_of[i]]++;
    }
    if (svc_entity_count(b.txn, "test", &b.root) != (uint64_t)total)
      munit_errorf("round %d: %d are there, %d are counted", round, total, (int)svc_entity_count(b.txn, "test", &b.root));
    for (i = 0; i < OWNERS; i++) munit_assert_uint64(svc_owned_count(b.txn, "test", &owners[i]), ==, (uint64_t)owned[i]);
  }
  for (i = 0; i < MOST; i++) {
    svc_id id = t_id((unsigned)i + 1);
    svc_entity old;
    if (!there[i]) continue;
    munit_assert_int(svc_entity_get(b.txn, "test", &b.root, &id, &old), ==, SVC_OK);
    munit_assert_int(svc_entity_remove(b.txn, &b.arena, &old), ==, SVC_OK);
  }
  munit_assert_uint64(svc_entity_count(b.txn, "test", &b.root), ==, 0);
  for (i = 0; i < OWNERS; i++) munit_assert_uint64(svc_owned_count(b.txn, "test", &owners[i]), ==, 0);
  munit_assert_int(b.txn->error, ==, SVC_OK);
  t_store_close(&b);
  return MUNIT_OK;
}

/* Owned entities: below the root, listed and counted under their owner, unique in it. */
static MunitResult entity_owners(const MunitParameter params[], void *data)
{
  t_store b;
  svc_id one = t_id(700), two = t_id(701);
  svc_entity e[4], got;
  svc_finder finder;
  svc_id owner, id;
  unsigned i, n = 0;
  (void)params, (void)data;
  t_store_open(&b);
  for (i = 0; i < 4; i++) { /* inserted last id first */
    e[3 - i] = entity_n(4 - i, i % 2 ? "same" : i ? "b" : "a");
    e[3 - i].owner = i < 2 ? one : two;
    munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e[3 - i]), ==, SVC_OK);
  }
  box_expect(&b, 3, 0, 4, 4, 4);
  munit_assert_uint64(svc_entity_count(b.txn, "test", &b.root), ==, 4);
  munit_assert_uint64(svc_owned_count(b.txn, "test", &one), ==, 2);
  munit_assert_uint64(svc_owned_count(b.txn, "test", &two), ==, 2);
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &one, SVC_S("same"), &got), ==, SVC_OK);
  munit_assert_true(svc_id_eq(&got.id, &e[2].id) && svc_id_eq(&got.owner, &one));
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &two, SVC_S("same"), &got), ==, SVC_OK);
  munit_assert_true(svc_id_eq(&got.id, &e[0].id) && svc_id_eq(&got.owner, &two));
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &b.root, SVC_S("same"), &got), ==, SVC_NOT_FOUND);
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &two, SVC_S("a"), &got), ==, SVC_NOT_FOUND);
  munit_assert_true(svc_owned_begin(&finder, b.txn, "test", &two)); /* in the order of ids */
  while (svc_finder_next(&finder, &owner, &id)) {
    munit_assert_true(svc_id_eq(&owner, &two) && svc_id_eq(&id, &e[n].id));
    n++;
  }
  svc_finder_end(&finder);
  munit_assert_uint(n, ==, 2);
  for (i = 0; i < 4; i++) munit_assert_int(svc_entity_remove(b.txn, &b.arena, &e[i]), ==, SVC_OK);
  box_expect(&b, 0, 0, 0, 0, 0);
  t_store_close(&b);
  return MUNIT_OK;
}

static MunitResult entity_moves(const MunitParameter params[], void *data)
{
  t_store b;
  svc_id one = t_id(700), two = t_id(701);
  svc_entity old, e, got;
  (void)params, (void)data;
  t_store_open(&b);
  old = entity_n(1, "before");
  old.owner = one;
  old.due = 5000;
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &old), ==, SVC_OK);
  e = old; /* another name */
  e.unique = SVC_S("after");
  e.body = SVC_S("{}");
  e.links_at = 1;
  e.revision = 9;
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
  box_expect(&b, 2, 1, 1, 1, 1);
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &one, SVC_S("before"), &got), ==, SVC_NOT_FOUND);
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &one, SVC_S("after"), &got), ==, SVC_OK);
  munit_assert_true(got.revision == 9 && svc_str_is(got.body, "{}") && got.due == 5000);
  old = e; /* another owner */
  e.owner = two;
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
  box_expect(&b, 2, 1, 1, 1, 1);
  munit_assert_uint64(svc_owned_count(b.txn, "test", &one), ==, 0);
  munit_assert_uint64(svc_owned_count(b.txn, "test", &two), ==, 1);
  munit_assert_uint64(svc_entity_count(b.txn, "test", &b.root), ==, 1);
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &one, SVC_S("after"), &got), ==, SVC_NOT_FOUND);
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &two, SVC_S("after"), &got), ==, SVC_OK);
  munit_assert_true(svc_id_eq(&got.owner, &two));
  old = e; /* both, and the time */
  e.owner = one;
  e.unique = SVC_S("back");
  e.due = 7000;
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
  box_expect(&b, 2, 1, 1, 1, 1);
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &one, SVC_S("back"), &got), ==, SVC_OK);
  munit_assert_int64(got.due, ==, 7000);
  old = e; /* no name, no time any more */
  e.unique = SVC_S("");
  e.due = 0;
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
  box_expect(&b, 2, 0, 1, 1, 0);
  munit_assert_int(svc_entity_remove(b.txn, &b.arena, &e), ==, SVC_OK);
  box_expect(&b, 0, 0, 0, 0, 0);
  t_store_close(&b);
  return MUNIT_OK;
}

/* From no owner to one and back: the root's count is not the owner's. */
static MunitResult entity_adopted(const MunitParameter params[], void *data)
{
  t_store b;
  svc_id one = t_id(700);
  svc_entity old, e, other, got;
  (void)params, (void)data;
  t_store_open(&b);
  other = entity_n(2, "other");
  old = entity_n(1, "name");
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &other), ==, SVC_OK);
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &old), ==, SVC_OK);
  e = old;
  e.owner = one;
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
  box_expect(&b, 2, 0, 2, 1, 2);
  munit_assert_uint64(svc_entity_count(b.txn, "test", &b.root), ==, 2);
  munit_assert_uint64(svc_owned_count(b.txn, "test", &one), ==, 1);
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &one, SVC_S("name"), &got), ==, SVC_OK);
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &old, &e), ==, SVC_OK);
  box_expect(&b, 1, 0, 2, 0, 2);
  munit_assert_uint64(svc_entity_count(b.txn, "test", &b.root), ==, 2);
  munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &b.root, SVC_S("name"), &got), ==, SVC_OK);
  t_store_close(&b);
  return MUNIT_OK;
}

/* Names that are very long, or hold what separates the parts of keys. */
static MunitResult entity_odd_names(const MunitParameter params[], void *data)
{
  static char text[2000];
  t_store b;
  svc_entity e[8], got;
  const svc_str names[8] = { { text, 2000 }, { text, 1999 }, { text, 401 }, { text, 400 }, SVC_S("a"), SVC_S("a\0"),
                             SVC_S("a\0\0\0\0\0\0\0\0\0\0\0\0\0"), SVC_S("\0") };
  unsigned i, j;
  (void)params, (void)data;
  memset(text, 'x', sizeof text);
  t_store_open(&b);
  for (i = 0; i < 8; i++) {
    e[i] = entity_n(i + 1, "");
    e[i].unique = names[i];
    munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e[i]), ==, SVC_OK);
  }
  box_expect(&b, 1, 0, 8, 0, 8);
  for (i = 0; i < 8; i++) {
    for (j = i; j < 8; j++) {
      munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &b.root, names[j], &got), ==, SVC_OK);
      munit_assert_true(svc_id_eq(&got.id, &e[j].id) && svc_str_eq(got.unique, names[j]));
    }
    munit_assert_int(svc_entity_remove(b.txn, &b.arena, &e[i]), ==, SVC_OK);
    munit_assert_int(svc_entity_find(b.txn, "test", &b.root, &b.root, names[i], &got), ==, SVC_NOT_FOUND);
  }
  box_expect(&b, 0, 0, 0, 0, 0);
  t_store_close(&b);
  return MUNIT_OK;
}

/* ----------------------------------------------------------------------------------------------------------- links_at */

static MunitResult entity_links_at(const MunitParameter params[], void *data)
{
  static const char *const bodies[] = { /* ~ is where the links belong */
    "{~}",
    "{\"a\":1~}",
    "{~\"z\":1}",
    "{\"a\":1,~\"z\":1}",
    "{\"a\":1,\"b\":2,\"link\":3,~\"linkt\":4,\"z\":5}",
    "{\"link\":1,~\"linksx\":1}",
    "{\"linkr\":1~}",
    "{\"\":1,~\"links0\":2}",
    "{\"A\":1,\"Links\":2,~\"m\":3}",
    "{\"a\":{},~\"z\":{}}",
    "{\"a\":[],~\"z\":[]}",
    "{\"a\":{\"m\":1,\"z\":2},~\"n\":{\"a\":1}}",
    "{\"a\":[1,2,3],\"b\":[[1,2],[3,4]],~\"n\":[1,2]}",
    "{\"a\":[{\"x\":[1,{\"y\":2}]},{\"z\":3}]~}",
    "{\"a\":\"\",~\"m\":\"\"}",
    "{\"a\":\"x,y\",~\"m\":\",\"}",
    "{\"a\":\"{\",\"b\":\"[\",\"c\":\"}\",\"d\":\"]\",~\"m\":\"}\"}",
    "{\"a\":\"say \\\"hi, there\\\"\",~\"m\":1}",
    "{\"a\":\"ends in \\\\\",\"b\":\"\\\\\\\"\",~\"m\":1}",
    "{\"a\":\"\\\",\\\"links\\\":[\"~}",
    "{\"a\":\"\\\\\"~}",
    "{\"a\\\",{\":1,\"b\":2,~\"m,\\\"\":3}",
    "{\"a\":null,\"b\":true,\"c\":-1.5e3,~\"m\":false}",
    "{\"\xC3\xA9\":1}", /* behind all of ASCII: see below */
  };
  size_t i;
  (void)params, (void)data;
  for (i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    char text[256];
    const char *mark = strchr(bodies[i], '~');
    size_t at = mark ? (size_t)(mark - bodies[i]) : 1;
    svc_arena arena;
    svc_node *node;
    svc_str written;
    size_t found;
    snprintf(text, sizeof text, "%.*s%s", (int)at, bodies[i], mark ? mark + 1 : bodies[i] + at);
    svc_arena_init(&arena, NULL);
    if (strstr(text, "{\"\"")) { /* the parser refuses an empty key, the walk need not */
      node = svc_node_new(&arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
      svc_node_append(node, svc_node_new(&arena, SVC_J_NUMBER, SVC_S(""), SVC_S("1")));
      svc_node_append(node, svc_node_new(&arena, SVC_J_NUMBER, SVC_S("links0"), SVC_S("2")));
    } else {
      node = svc_json_parse(&arena, svc_str_c(text));
    }
    munit_assert_not_null(node);
    munit_assert_true(svc_body_write(&arena, node, &written, &found));
    munit_assert_string_equal(written.p, text);
    if (found != at) munit_errorf("links belong at %zu of %s, not at %zu", at, text, found);
    svc_blocks_free(arena.blocks);
  }
  return MUNIT_OK;
}

static MunitTest tests[] = {
  { "/round", entity_round, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/truncated", entity_truncated, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/garbage", entity_garbage, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/corrupt", entity_corrupt, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/too_long", entity_too_long, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/counts", entity_counts, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/counts_random", entity_counts_random, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/owners", entity_owners, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/moves", entity_moves, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/adopted", entity_adopted, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/odd_names", entity_odd_names, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/links_at", entity_links_at, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
const MunitSuite svc_suite_entity = { "entity", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };

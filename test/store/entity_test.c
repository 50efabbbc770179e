/*
** Entities in a transaction: records, index records, counts, and the position of the links in a body.
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

/* Returns the number of records of a class. */
static unsigned box_records(t_store *b, char letter)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  unsigned n = 0;
  svc_key_begin(&prefix, letter);
  svc_scan_below(&scan, b->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) n++;
  munit_assert_int(b->txn->error, ==, SVC_OK);
  return n;
}

static void box_expect(t_store *b, unsigned counts, unsigned due, unsigned entities, unsigned by_id, unsigned uniques)
{
  munit_assert_uint(box_records(b, 'c'), ==, counts); /* a count of zero has no record */
  munit_assert_uint(box_records(b, 'd'), ==, due);
  munit_assert_uint(box_records(b, 'e'), ==, entities);
  munit_assert_uint(box_records(b, 'g'), ==, by_id);
  munit_assert_uint(box_records(b, 'u'), ==, uniques);
}

static int box_named(t_store *b, const svc_id *parent, svc_str unique, svc_entity *out)
{
  return svc_entity_named(b->txn, "test", NULL, parent, unique, out);
}

/* -------------------------------------------------------------------------------------------------------------- records */

static bool same_dues(const svc_entity *a, const svc_entity *b)
{
  unsigned i;
  if (a->due_count != b->due_count) return false;
  for (i = 0; i < a->due_count; i++)
    if (a->dues[i].when != b->dues[i].when || a->dues[i].tag != b->dues[i].tag) return false;
  return true;
}

static bool same_entity(const svc_entity *a, const svc_entity *b)
{
  return memcmp(a->kind, b->kind, SVC_KIND_SIZE) == 0 && memcmp(a->names, b->names, SVC_KIND_SIZE) == 0 &&
         svc_id_eq(&a->parent, &b->parent) && svc_id_eq(&a->id, &b->id) && svc_id_eq(&a->scope.group, &b->scope.group) &&
         svc_id_eq(&a->scope.org, &b->scope.org) && a->flags == b->flags && a->revision == b->revision && same_dues(a, b) &&
         svc_str_eq(a->key, b->key) && svc_str_eq(a->unique, b->unique) && svc_str_eq(a->body, b->body) &&
         a->links_at == b->links_at && svc_str_eq(a->extra, b->extra);
}

TEST(entity, round)
{
  t_store b;
  svc_entity e, got;
  svc_id parent = t_id(500);
  t_store_open(&b);
  e = entity_n(1, "Cluster0");
  e.parent = parent;
  e.scope.group = t_id(600);
  e.scope.org = t_id(601);
  memcpy(e.names, "both", SVC_KIND_SIZE);
  e.flags = SVC_ENTITY_BY_ID;
  e.revision = UINT64_MAX - 1;
  svc_due_set(&e, SVC_DUE_RUN, INT64_MAX);
  svc_due_set(&e, SVC_DUE_STATE, 1);
  svc_due_set(&e, 255, -5);
  e.key = SVC_S("admin/joe%20x");
  e.extra = (svc_str){ "\0\1\2", 3 };
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  memset(&got, 0xEE, sizeof got);
  munit_assert_int(svc_entity_get(b.txn, "test", &parent, &e.id, &got), ==, SVC_OK);
  munit_assert_string_equal(got.kind, "test");
  munit_assert_true(same_entity(&got, &e));
  munit_assert_int(svc_entity_get(b.txn, "test", &b.root, &e.id, &got), ==, SVC_NOT_FOUND); /* another parent */
  munit_assert_int(svc_entity_get(b.txn, "tess", &parent, &e.id, &got), ==, SVC_NOT_FOUND); /* another kind */
  munit_assert_int(b.txn->error, ==, SVC_OK);

  e = entity_n(2, "");
  e.body = SVC_S("{}"); /* only a body */
  e.links_at = 1;
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  memset(&got, 0xEE, sizeof got);
  munit_assert_int(svc_entity_get(b.txn, "test", &b.root, &e.id, &got), ==, SVC_OK);
  munit_assert_true(same_entity(&got, &e));
  munit_assert_true(got.key.n == 0 && got.unique.n == 0 && got.extra.n == 0 && got.due_count == 0 && got.flags == 0);
  munit_assert_true(svc_id_is_zero(&got.scope.group) && svc_id_is_zero(&got.scope.org));

  e = entity_n(3, "same");
  e.flags = SVC_ENTITY_SHARED_NAME; /* a shared name, which need not be unique */
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  munit_assert_int(svc_entity_get(b.txn, "test", &b.root, &e.id, &got), ==, SVC_OK);
  munit_assert_true(same_entity(&got, &e));
  munit_assert_int(box_named(&b, &b.root, SVC_S("same"), &got), ==, SVC_NOT_FOUND);
  box_expect(&b, 3, 3, 3, 1, 1);
  t_store_close(&b);
}

/* Writes random values into every member of a record, and reads them back. */
TEST(entity, round_random)
{
  static char text[3000];
  t_store b;
  unsigned i, j;
  t_store_open(&b);
  for (i = 0; i < 2000; i++) {
    svc_entity e = entity_n(i + 1, ""), got;
    munit_rand_memory(sizeof e.parent.b, e.parent.b);
    munit_rand_memory(sizeof e.scope, (uint8_t *)&e.scope);
    if (i % 3) munit_rand_memory(SVC_KIND_SIZE, (uint8_t *)e.names);
    munit_rand_memory(sizeof e.revision, (uint8_t *)&e.revision);
    munit_rand_memory(64, (uint8_t *)text);
    e.flags = (unsigned char)munit_rand_int_range(0, 3);
    e.key = (svc_str){ text, (size_t)munit_rand_int_range(0, 300) };
    e.unique = (svc_str){ text + 1, (size_t)munit_rand_int_range(0, 500) };
    e.body = (svc_str){ text + 2, (size_t)munit_rand_int_range(0, 2000) };
    e.links_at = e.body.n ? (size_t)munit_rand_int_range(0, (int)e.body.n) : 0;
    e.extra = (svc_str){ text + 3, (size_t)munit_rand_int_range(0, 200) };
    for (j = i % (SVC_DUES + 1); j > 0; j--) {
      int64_t when;
      munit_rand_memory(sizeof when, (uint8_t *)&when);
      svc_due_set(&e, (int)(j * 40), when ? when : 1);
    }
    munit_assert_uint(e.due_count, ==, i % (SVC_DUES + 1));
    munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
    memset(&got, 0xEE, sizeof got);
    munit_assert_int(svc_entity_get(b.txn, "test", &e.parent, &e.id, &got), ==, SVC_OK);
    munit_assert_true(same_entity(&got, &e));
    munit_assert_int(svc_entity_remove(b.txn, &got), ==, SVC_OK);
  }
  box_expect(&b, 0, 0, 0, 0, 0);
  t_store_close(&b);
}

/* The short decoder for items of a list returns the same, and refuses the same, as the complete one. */
static void same_at_a_glance(svc_str record, bool good, const svc_entity *e)
{
  svc_str key, body;
  size_t links_at;
  munit_assert_int(svc_entity_glance(record, &key, &body, &links_at), ==, good);
  if (!good) return;
  munit_assert_true(key.p == e->key.p && key.n == e->key.n && body.p == e->body.p && body.n == e->body.n);
  munit_assert_size(links_at, ==, e->links_at);
}

/* A record that is cut anywhere before its extra is refused. No read goes out of bounds: the copies have the exact size. */
TEST(entity, truncated)
{
  t_store b;
  svc_entity e, got;
  svc_key key;
  svc_str record;
  size_t n, dues;
  char names[SVC_DUES + 1][8]; /* each entity has a different name */
  t_store_open(&b);
  for (dues = 0; dues <= SVC_DUES; dues++) {
    snprintf(names[dues], sizeof names[dues], "uniqu%u", (unsigned)dues % 10);
    e = entity_n((unsigned)dues + 1, "name");
    e.extra = SVC_S("extra");
    e.unique = (svc_str){ names[dues], 6 };
    for (n = 0; n < dues; n++) svc_due_set(&e, (int)n, (int64_t)n + 1000);
    munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
    svc_key_entity(&key, "test", &b.root, &e.id);
    munit_assert_int(svc_get(b.txn, &key, &record), ==, SVC_OK);
    munit_assert_size(record.n, ==, 52 + 9 * dues + 4 + 6 + e.body.n + 5);
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
      munit_assert_int(svc_put(b.txn, &key, (svc_str){ record.p, n }), ==, SVC_OK); /* the same for a record in the store */
      munit_assert_int(svc_entity_get(b.txn, "test", &b.root, &e.id, &got), ==, good ? SVC_OK : SVC_CORRUPT);
      munit_assert_int(b.txn->error, ==, good ? SVC_OK : SVC_CORRUPT);
      b.txn->error = SVC_OK;
    }
    munit_assert_false(svc_entity_decode((svc_str){ (const char *)key.b, key.n - 1 }, record, &got));
    munit_assert_false(svc_entity_decode((svc_str){ (const char *)key.b, 17 }, record, &got));
    memset(&got, 7, sizeof got);
    munit_assert_true(svc_entity_decode((svc_str){ NULL, 0 }, record, &got)); /* without a key the ids do not change */
    munit_assert_int(got.id.b[0], ==, 7);
    munit_assert_int(got.parent.b[11], ==, 7);
  }
  t_store_close(&b);
}

static bool inside(svc_str part, svc_str whole)
{
  return part.p >= whole.p && part.n <= whole.n && part.p + part.n <= whole.p + whole.n;
}

TEST(entity, garbage)
{
  t_store b;
  svc_entity e, got;
  svc_key key;
  svc_str record;
  char *copy;
  size_t n, i, decoded = 0;
  t_store_open(&b);
  e = entity_n(1, "name");
  e.extra = SVC_S("some more, so that there is room for invalid dues");
  svc_due_set(&e, SVC_DUE_STATE, 1000);
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  svc_key_entity(&key, "test", &b.root, &e.id);
  munit_assert_int(svc_get(b.txn, &key, &record), ==, SVC_OK);
  n = record.n;
  copy = malloc(n);
#define WITH(at, bytes) (memcpy(copy, record.p, n), memcpy(copy + (at), bytes, sizeof bytes - 1), \
                         svc_entity_decode(svc_key_str(&key), (svc_str){ copy, n }, &got))
  munit_assert_true(WITH(0, "\2"));
  munit_assert_false(WITH(0, "\0"));          /* format */
  munit_assert_false(WITH(0, "\1"));
  munit_assert_false(WITH(0, "\3"));
  munit_assert_false(WITH(2, "\xFF\xFF"));    /* length of the key */
  munit_assert_false(WITH(4, "\xFF\xFF"));    /* length of the unique value */
  munit_assert_false(WITH(2, "\xFF\xFF\xFF\xFF"));
  munit_assert_false(WITH(6, "\x05"));        /* more dues than the record has */
  munit_assert_false(WITH(6, "\xFF"));
  munit_assert_false(WITH(8, "\xFF\xFF\xFF\xFF")); /* length of the body */
  munit_assert_false(WITH(8, "\x60\0\0\0"));
  munit_assert_false(WITH(12, "\xFF\xFF\xFF\xFF")); /* links_at */
  munit_assert_false(WITH(12, "\x0E\0\0\0")); /* a byte beyond the body */
#undef WITH
  for (i = 0; i < 100000; i++) { /* random changes of a valid record, which is refused, or whose parts lie within it */
    int j, times = munit_rand_int_range(1, 6);
    bool good;
    memcpy(copy, record.p, n);
    for (j = 0; j < times; j++) copy[munit_rand_int_range(0, 20)] = (char)munit_rand_int_range(0, 40);
    good = svc_entity_decode(svc_key_str(&key), (svc_str){ copy, n }, &got);
    same_at_a_glance((svc_str){ copy, n }, good, &got);
    if (!good) continue;
    decoded++;
    munit_assert_uint(got.due_count, <=, SVC_DUES);
    munit_assert_true(inside(got.key, (svc_str){ copy, n }) && inside(got.unique, (svc_str){ copy, n }));
    munit_assert_true(inside(got.body, (svc_str){ copy, n }) && inside(got.extra, (svc_str){ copy, n }));
    munit_assert_size(got.links_at, <=, got.body.n);
  }
  munit_assert_size(decoded, >, 100); /* both results occur */
  munit_assert_size(decoded, <, 99900);
  free(copy);
  t_store_close(&b);
}

/* A list uses the short decoder, which must refuse every record that the complete one refuses. */
TEST(entity, glance)
{
  t_store b;
  svc_entity e, got;
  svc_key key;
  svc_str record, shown, body;
  size_t links_at;
  char *copy;
  int dues;
  t_store_open(&b);
  e = entity_n(1, "name");
  e.extra = svc_arena_print(&b.arena, "%3000s", "");
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  svc_key_entity(&key, "test", &b.root, &e.id);
  munit_assert_int(svc_get(b.txn, &key, &record), ==, SVC_OK);
  copy = malloc(record.n);
  memcpy(copy, record.p, record.n);
  for (dues = 0; dues < 256; dues++) {
    copy[6] = (char)dues;
    munit_assert_int(svc_entity_decode(svc_key_str(&key), (svc_str){ copy, record.n }, &got), ==, dues <= SVC_DUES);
    munit_assert_int(svc_entity_glance((svc_str){ copy, record.n }, &shown, &body, &links_at), ==, dues <= SVC_DUES);
  }
  free(copy);
  t_store_close(&b);
}

/* A record that cannot be right is an error of the transaction, not "not found". */
TEST(entity, corrupt)
{
  t_store b;
  svc_entity e, got;
  svc_key key;
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
  svc_key_unique(&key, "test", SVC_S("short"), &b.root); /* an index record with too few bytes for kind and id */
  svc_put(b.txn, &key, SVC_S("test12345678901"));
  munit_assert_int(box_named(&b, &b.root, SVC_S("short"), &got), ==, SVC_CORRUPT);
  munit_assert_int(b.txn->error, ==, SVC_CORRUPT);
  b.txn->error = SVC_OK;
  svc_key_unique(&key, "test", SVC_S("gone"), &b.root); /* an index record of a missing entity */
  svc_put(b.txn, &key, SVC_S("test123456789012"));
  munit_assert_int(box_named(&b, &b.root, SVC_S("gone"), &got), ==, SVC_CORRUPT);
  b.txn->error = SVC_OK;
  svc_key_by_id(&key, "test", &e.id); /* an index record with too few bytes for a parent, and one of a missing entity */
  svc_put(b.txn, &key, SVC_S("12345678901"));
  munit_assert_int(svc_entity_by_id(b.txn, "test", &e.id, &got), ==, SVC_CORRUPT);
  munit_assert_int(b.txn->error, ==, SVC_CORRUPT);
  b.txn->error = SVC_OK;
  svc_put(b.txn, &key, SVC_S("123456789012"));
  munit_assert_int(svc_entity_by_id(b.txn, "test", &e.id, &got), ==, SVC_CORRUPT);
  munit_assert_int(b.txn->error, ==, SVC_CORRUPT);
  b.txn->error = SVC_OK;
  svc_key_count(&key, "test", &b.root); /* a malformed count, in a store that has counts as records */
  if (T_ON_LMDB) {
    svc_put(b.txn, &key, SVC_S("1234"));
    munit_assert_uint64(svc_count(b.txn, "test", &b.root), ==, 0);
    munit_assert_int(b.txn->error, ==, SVC_CORRUPT);
    b.txn->error = SVC_OK;
  }
  munit_assert_int(box_named(&b, &b.root, SVC_S("none"), &got), ==, SVC_NOT_FOUND);
  munit_assert_int(b.txn->error, ==, SVC_OK);
  t_store_close(&b);
}

TEST(entity, too_long)
{
  static char text[70000];
  t_store b;
  svc_entity e, got;
  memset(text, 'n', sizeof text);
  t_store_open(&b);
  e = entity_n(1, "");
  e.unique = (svc_str){ text, 65535 }; /* the maximum of a 16-bit length */
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  munit_assert_int(box_named(&b, &b.root, e.unique, &got), ==, SVC_OK);
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
}

/* ---------------------------------------------------------------------------------------------------- counts and indices */

TEST(entity, counts)
{
  t_store b;
  svc_id parent = t_id(500);
  svc_entity e[5];
  unsigned i;
  t_store_open(&b);
  munit_assert_uint64(svc_count(b.txn, "test", &parent), ==, 0);
  for (i = 0; i < 5; i++) {
    e[i] = entity_n(i + 1, svc_arena_print(&b.arena, "n%u", i).p);
    if (i < 3) e[i].parent = parent;
    munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e[i]), ==, SVC_OK);
  }
  munit_assert_uint64(svc_count(b.txn, "test", &parent), ==, 3);
  munit_assert_uint64(svc_count(b.txn, "test", &b.root), ==, 2);
  munit_assert_uint64(svc_count(b.txn, "tesu", &parent), ==, 0);
  munit_assert_uint64(svc_count(b.txn, "test", NULL), ==, 0); /* a total exists only for entities that can be found by id alone */
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e[0], &e[0]), ==, SVC_OK); /* an update changes no count */
  munit_assert_uint64(svc_count(b.txn, "test", &parent), ==, 3);
  box_expect(&b, 2, 0, 5, 0, 5);
  for (i = 0; i < 5; i++) {
    munit_assert_int(svc_entity_remove(b.txn, &e[i]), ==, SVC_OK);
    if (i < 3) munit_assert_uint64(svc_count(b.txn, "test", &parent), ==, 2 - i);
  }
  box_expect(&b, 0, 0, 0, 0, 0); /* a count of zero leaves no record */

  e[0] = entity_n(1, "one"); /* a singleton below its parent, without an id, is not counted */
  memset(&e[0].id, 0, sizeof e[0].id);
  e[0].parent = parent;
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e[0]), ==, SVC_OK);
  munit_assert_uint64(svc_count(b.txn, "test", &parent), ==, 0);
  box_expect(&b, 0, 0, 1, 0, 1);
  munit_assert_int(svc_entity_remove(b.txn, &e[0]), ==, SVC_OK);
  box_expect(&b, 0, 0, 0, 0, 0);
  t_store_close(&b);
}

/* Random inserts, moves and deletes, in any order, compared with plain counting. */
TEST(entity, counts_random)
{
  enum { MOST = 60, PARENTS = 3 };
  t_store b;
  svc_id parents[PARENTS + 1];
  bool there[MOST];
  int parent_of[MOST], i, round;
  t_store_open(&b);
  memset(there, 0, sizeof there);
  memset(parents, 0, sizeof parents); /* the last is the root */
  for (i = 0; i < PARENTS; i++) parents[i] = t_id(1000u + (unsigned)i);
  for (round = 0; round < 6000; round++) {
    int n = munit_rand_int_range(0, MOST - 1), to = munit_rand_int_range(0, PARENTS), total = 0, below[PARENTS + 1] = { 0 };
    const bool leaving = round % 1000 > 900; /* from time to time nearly all are deleted */
    const svc_id id = t_id((unsigned)n + 1);
    svc_entity old, e;
    if (there[n]) munit_assert_int(svc_entity_by_id(b.txn, "test", &id, &old), ==, SVC_OK);
    if (!there[n]) {
      if (leaving) continue;
      munit_assert_int(svc_entity_by_id(b.txn, "test", &id, &old), ==, SVC_NOT_FOUND);
      e = entity_n((unsigned)n + 1, "");
      e.parent = parents[to];
      e.flags = SVC_ENTITY_BY_ID;
      munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
    } else if (round % 3 == 0 && !leaving) {
      munit_assert_true(svc_id_eq(&old.parent, &parents[parent_of[n]]));
      e = old;
      e.parent = parents[to];
      munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
    } else {
      munit_assert_int(svc_entity_remove(b.txn, &old), ==, SVC_OK);
      to = -1;
    }
    there[n] = to >= 0;
    parent_of[n] = to;
    for (i = 0; i < MOST; i++) {
      total += there[i];
      if (there[i]) below[parent_of[i]]++;
    }
    munit_assert_uint64(svc_count(b.txn, "test", NULL), ==, (uint64_t)total);
    for (i = 0; i <= PARENTS; i++) munit_assert_uint64(svc_count(b.txn, "test", &parents[i]), ==, (uint64_t)below[i]);
  }
  for (i = 0; i < MOST; i++) {
    svc_id id = t_id((unsigned)i + 1);
    svc_entity old;
    if (!there[i]) continue;
    munit_assert_int(svc_entity_by_id(b.txn, "test", &id, &old), ==, SVC_OK);
    munit_assert_int(svc_entity_remove(b.txn, &old), ==, SVC_OK);
  }
  box_expect(&b, 0, 0, 0, 0, 0);
  t_store_close(&b);
}

/* Entities below two parents: listed, counted and unique under each one, in the order of ids. */
TEST(entity, parents)
{
  t_store b;
  svc_id one = t_id(700), two = t_id(701);
  svc_entity e[4], got;
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  unsigned i, n = 0;
  t_store_open(&b);
  for (i = 0; i < 4; i++) { /* inserted in reverse order of ids */
    e[3 - i] = entity_n(4 - i, i % 2 ? "same" : i ? "b" : "a");
    e[3 - i].parent = i < 2 ? one : two;
    munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e[3 - i]), ==, SVC_OK);
  }
  box_expect(&b, 2, 0, 4, 0, 4);
  munit_assert_uint64(svc_count(b.txn, "test", &b.root), ==, 0);
  munit_assert_uint64(svc_count(b.txn, "test", &one), ==, 2);
  munit_assert_uint64(svc_count(b.txn, "test", &two), ==, 2);
  munit_assert_int(box_named(&b, &one, SVC_S("same"), &got), ==, SVC_OK);
  munit_assert_true(svc_id_eq(&got.id, &e[2].id) && svc_id_eq(&got.parent, &one));
  munit_assert_int(box_named(&b, &two, SVC_S("same"), &got), ==, SVC_OK);
  munit_assert_true(svc_id_eq(&got.id, &e[0].id) && svc_id_eq(&got.parent, &two));
  munit_assert_int(box_named(&b, &b.root, SVC_S("same"), &got), ==, SVC_NOT_FOUND);
  munit_assert_int(box_named(&b, &two, SVC_S("a"), &got), ==, SVC_NOT_FOUND);
  munit_assert_int(svc_entity_by_id(b.txn, "test", &e[0].id, &got), ==, SVC_NOT_FOUND); /* there is no index record by id */
  svc_key_entity(&prefix, "test", &two, NULL);
  svc_scan_below(&scan, b.txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    munit_assert_true(svc_entity_decode(key, value, &got));
    munit_assert_true(svc_id_eq(&got.parent, &two) && svc_id_eq(&got.id, &e[n].id));
    n++;
  }
  munit_assert_uint(n, ==, 2);
  for (i = 0; i < 4; i++) munit_assert_int(svc_entity_remove(b.txn, &e[i]), ==, SVC_OK);
  box_expect(&b, 0, 0, 0, 0, 0);
  t_store_close(&b);
}

/* Names, parents and dates change, one by one and together: the index records follow, and no old one is left. */
TEST(entity, moves)
{
  t_store b;
  svc_id one = t_id(700), two = t_id(701);
  svc_entity old, e, got;
  svc_due_entry due;
  t_store_open(&b);
  old = entity_n(1, "before");
  old.parent = one;
  old.flags = SVC_ENTITY_BY_ID;
  svc_due_set(&old, SVC_DUE_STATE, 5000);
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &old), ==, SVC_OK);
  box_expect(&b, 2, 1, 1, 1, 1);
  e = old; /* another name */
  e.unique = SVC_S("after");
  e.body = SVC_S("{}");
  e.links_at = 1;
  e.revision = 9;
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
  box_expect(&b, 2, 1, 1, 1, 1);
  munit_assert_int(box_named(&b, &one, SVC_S("before"), &got), ==, SVC_NOT_FOUND);
  munit_assert_int(box_named(&b, &one, SVC_S("after"), &got), ==, SVC_OK);
  munit_assert_true(got.revision == 9 && svc_str_is(got.body, "{}") && svc_due_get(&got, SVC_DUE_STATE) == 5000);
  old = e; /* another parent */
  e.parent = two;
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
  box_expect(&b, 2, 1, 1, 1, 1);
  munit_assert_uint64(svc_count(b.txn, "test", &one), ==, 0);
  munit_assert_uint64(svc_count(b.txn, "test", &two), ==, 1);
  munit_assert_uint64(svc_count(b.txn, "test", NULL), ==, 1);
  munit_assert_int(svc_entity_get(b.txn, "test", &one, &e.id, &got), ==, SVC_NOT_FOUND);
  munit_assert_int(box_named(&b, &one, SVC_S("after"), &got), ==, SVC_NOT_FOUND);
  munit_assert_int(box_named(&b, &two, SVC_S("after"), &got), ==, SVC_OK);
  munit_assert_true(svc_id_eq(&got.parent, &two));
  munit_assert_int(svc_entity_by_id(b.txn, "test", &e.id, &got), ==, SVC_OK);
  munit_assert_true(same_entity(&got, &e));
  munit_assert_true(svc_due_first(b.txn, &due) && svc_id_eq(&due.parent, &two) && due.when == 5000);
  old = e; /* both, and the date */
  e.parent = one;
  e.unique = SVC_S("back");
  svc_due_set(&e, SVC_DUE_STATE, 7000);
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
  box_expect(&b, 2, 1, 1, 1, 1);
  munit_assert_int(box_named(&b, &one, SVC_S("back"), &got), ==, SVC_OK);
  munit_assert_int64(svc_due_get(&got, SVC_DUE_STATE), ==, 7000);
  munit_assert_true(svc_due_first(b.txn, &due) && svc_id_eq(&due.parent, &one) && due.when == 7000);
  old = e; /* the name and the date are removed */
  e.unique = SVC_S("");
  svc_due_set(&e, SVC_DUE_STATE, 0);
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
  box_expect(&b, 2, 0, 1, 1, 0);
  munit_assert_int(svc_entity_remove(b.txn, &e), ==, SVC_OK);
  box_expect(&b, 0, 0, 0, 0, 0);
  t_store_close(&b);
}

/*
** The catalog of a later build may share a noun's names, move them to another name space, or add an index by id. An update of
** an entity stores that, and its index records follow.
*/
TEST(entity, other_entries)
{
  t_store b;
  svc_entity old, e, got;
  svc_named other;
  t_store_open(&b);
  old = entity_n(1, "name");
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &old), ==, SVC_OK);
  e = old;
  e.flags = SVC_ENTITY_SHARED_NAME;
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
  box_expect(&b, 1, 0, 1, 0, 0);
  munit_assert_int(box_named(&b, &b.root, SVC_S("name"), &got), ==, SVC_NOT_FOUND);
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &old, &e), ==, SVC_OK); /* back to the first form */
  box_expect(&b, 1, 0, 1, 0, 1);
  e = old;
  memcpy(e.names, "both", SVC_KIND_SIZE);
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
  box_expect(&b, 1, 0, 1, 0, 1);
  munit_assert_int(svc_named_get(b.txn, "both", &b.root, SVC_S("name"), &other), ==, SVC_OK);
  munit_assert_int(svc_named_get(b.txn, "test", &b.root, SVC_S("name"), &other), ==, SVC_NOT_FOUND);
  old = e;
  e.flags = SVC_ENTITY_BY_ID;
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
  munit_assert_uint64(svc_count(b.txn, "test", NULL), ==, 1);
  munit_assert_int(svc_entity_by_id(b.txn, "test", &e.id, &got), ==, SVC_OK);
  munit_assert_int(svc_entity_remove(b.txn, &e), ==, SVC_OK);
  box_expect(&b, 0, 0, 0, 0, 0);
  t_store_close(&b);
}

/* An entity moves from the root to a parent and back: the root's count is separate from the parent's. */
TEST(entity, adopted)
{
  t_store b;
  svc_id one = t_id(700);
  svc_entity old, e, other, got;
  t_store_open(&b);
  other = entity_n(2, "other");
  old = entity_n(1, "name");
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &other), ==, SVC_OK);
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &old), ==, SVC_OK);
  e = old;
  e.parent = one;
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &e, &old), ==, SVC_OK);
  box_expect(&b, 2, 0, 2, 0, 2);
  munit_assert_uint64(svc_count(b.txn, "test", &b.root), ==, 1);
  munit_assert_uint64(svc_count(b.txn, "test", &one), ==, 1);
  munit_assert_int(box_named(&b, &one, SVC_S("name"), &got), ==, SVC_OK);
  munit_assert_int(box_named(&b, &b.root, SVC_S("name"), &got), ==, SVC_NOT_FOUND);
  munit_assert_int(svc_entity_update(b.txn, &b.arena, &old, &e), ==, SVC_OK);
  box_expect(&b, 1, 0, 2, 0, 2);
  munit_assert_uint64(svc_count(b.txn, "test", &b.root), ==, 2);
  munit_assert_int(box_named(&b, &b.root, SVC_S("name"), &got), ==, SVC_OK);
  t_store_close(&b);
}

/* Deletes all entities below a parent at once, and no others. */
TEST(entity, remove_all)
{
  enum { EACH = 1500 };
  static const char *const kinds[] = { "test", "tesu" };
  t_store b;
  svc_id parents[3];
  svc_entity e;
  unsigned i, j;
  t_store_open(&b);
  memset(&parents[0], 0, sizeof parents[0]);
  parents[1] = t_id(9000);
  memset(&parents[2], 0xFF, sizeof parents[2]); /* the largest possible id */
  munit_assert_int(svc_entity_remove_all(b.txn, "test", &parents[1]), ==, SVC_OK); /* without entities */
  for (i = 0; i < 6 * EACH; i++) {
    e = entity_n(i / 6 + 1, "");
    e.kind = kinds[i % 2];
    e.parent = parents[i % 3];
    munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  }
  for (i = 0; i < 6; i++) {
    munit_assert_int(svc_entity_remove_all(b.txn, kinds[i % 2], &parents[i % 3]), ==, SVC_OK);
    munit_assert_uint(box_records(&b, 'e'), ==, (5 - i) * EACH);
    munit_assert_uint(box_records(&b, 'c'), ==, 5 - i);
    for (j = 0; j < 6; j++) munit_assert_uint64(svc_count(b.txn, kinds[j % 2], &parents[j % 3]), ==, j <= i ? 0 : EACH);
  }
  e = entity_n(1, ""); /* counts start at zero again */
  munit_assert_int(svc_entity_insert(b.txn, &b.arena, &e), ==, SVC_OK);
  munit_assert_uint64(svc_count(b.txn, "test", &b.root), ==, 1);
  b.txn->error = SVC_IO; /* after an error nothing is deleted */
  munit_assert_int(svc_entity_remove_all(b.txn, "test", &b.root), ==, SVC_IO);
  b.txn->error = SVC_OK;
  box_expect(&b, 1, 0, 1, 0, 0);
  t_store_close(&b);
}

/* Names that are very long, or contain bytes that separate the parts of keys. */
TEST(entity, odd_names)
{
  static char text[2000];
  t_store b;
  svc_entity e[8], got;
  const svc_str names[8] = { { text, 2000 }, { text, 1999 }, { text, 401 }, { text, 400 }, SVC_S("a"), SVC_S("a\0"),
                             SVC_S("a\0\0\0\0\0\0\0\0\0\0\0\0\0"), SVC_S("\0") };
  unsigned i, j;
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
      munit_assert_int(box_named(&b, &b.root, names[j], &got), ==, SVC_OK);
      munit_assert_true(svc_id_eq(&got.id, &e[j].id) && svc_str_eq(got.unique, names[j]));
    }
    munit_assert_int(svc_entity_remove(b.txn, &e[i]), ==, SVC_OK);
    munit_assert_int(box_named(&b, &b.root, names[i], &got), ==, SVC_NOT_FOUND);
  }
  box_expect(&b, 0, 0, 0, 0, 0);
  t_store_close(&b);
}

/* ----------------------------------------------------------------------------------------------------------- links_at */

TEST(entity, links_at)
{
  static const char *const bodies[] = { /* ~ marks where the links belong */
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
    "{\"\xC3\xA9\":1}", /* a name after all of ASCII: the links belong at 1 */
  };
  size_t i;
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
    if (strstr(text, "{\"\"")) { /* the parser refuses an empty name, but the function that finds the position accepts one */
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
}

/* A count in a damaged store must not be used as a size: a product with it could overflow to a small number. */
TEST(entity, count_room)
{
  t_store b;
  t_store_open(&b);
  svc_count_add(b.txn, "test", &b.root, 3);
  munit_assert_size(svc_count_room(b.txn, "test", &b.root, 12), ==, 3);
  munit_assert_int(b.txn->error, ==, SVC_OK);
  svc_count_add(b.txn, "test", &b.root, ((int64_t)1 << 62) - 4); /* the count plus one, times 12, overflows to 0 */
  munit_assert_size(svc_count_room(b.txn, "test", &b.root, 12), ==, 0);
  munit_assert_int(b.txn->error, ==, SVC_CORRUPT);
  t_store_close(&b);
}

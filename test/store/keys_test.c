/*
** Keys and ids: their order, the ranges of prefixes, and that all keys are distinct.
*/
#include "support.h"

static svc_id id_of(unsigned char fill)
{
  svc_id id;
  memset(id.b, fill, sizeof id.b);
  return id;
}

static int key_order(const svc_key *a, const svc_key *b)
{
  size_t n = a->n < b->n ? a->n : b->n;
  int order = memcmp(a->b, b->b, n);
  return order ? order : a->n < b->n ? -1 : a->n > b->n;
}

/* ----------------------------------------------------------------------------------------------------------------- keys */

static svc_due_entry due_of(int64_t when, const char *kind, const svc_id *parent, const svc_id *id, unsigned char tag)
{
  svc_due_entry due;
  due.when = when;
  memcpy(due.kind, kind, SVC_KIND_SIZE);
  due.parent = *parent;
  due.id = *id;
  due.tag = tag;
  return due;
}

TEST(keys, layout)
{
  const svc_id a = id_of(0xA1), b = id_of(0xB2);
  const svc_due_entry due = due_of(0x0102030405060708, "clus", &a, &b, 9);
  const unsigned char hash[16] = "0123456789abcdef";
  svc_key k;

  svc_key_count(&k, "proj", &a);
  munit_assert_size(k.n, ==, 17);
  munit_assert_memory_equal(5, k.b, "cproj");
  munit_assert_memory_equal(12, k.b + 5, a.b);
  svc_key_count(&k, "proj", NULL);
  munit_assert_size(k.n, ==, 5);

  svc_key_due(&k, &due);
  munit_assert_size(k.n, ==, 38);
  munit_assert_uint8(k.b[0], ==, 'd');
  munit_assert_memory_equal(11, k.b + 2, "\2\3\4\5\6\7\10clus");
  munit_assert_memory_equal(12, k.b + 13, a.b);
  munit_assert_memory_equal(12, k.b + 25, b.b);
  munit_assert_uint8(k.b[37], ==, 9);

  svc_key_entity(&k, "clus", &a, &b);
  munit_assert_size(k.n, ==, 29);
  munit_assert_memory_equal(5, k.b, "eclus");
  munit_assert_memory_equal(12, k.b + 5, a.b);
  munit_assert_memory_equal(12, k.b + 17, b.b);
  svc_key_entity(&k, "clus", &a, NULL);
  munit_assert_size(k.n, ==, 17);
  svc_key_entity(&k, "clus", NULL, NULL);
  munit_assert_size(k.n, ==, 5);

  svc_key_by_id(&k, "proj", &b);
  munit_assert_size(k.n, ==, 17);
  munit_assert_memory_equal(5, k.b, "gproj");
  munit_assert_memory_equal(12, k.b + 5, b.b);

  svc_key_unique(&k, "proj", SVC_S("alpha"), &a);
  munit_assert_size(k.n, ==, 23);
  munit_assert_memory_equal(11, k.b, "uprojalpha\0");
  munit_assert_memory_equal(12, k.b + 11, a.b);
  svc_key_unique(&k, "proj", SVC_S("alpha"), NULL);
  munit_assert_size(k.n, ==, 11);

  svc_key_meta(&k, "schema");
  munit_assert_size(k.n, ==, 7);
  munit_assert_memory_equal(7, k.b, "mschema");
  svc_key_retry(&k, hash);
  munit_assert_size(k.n, ==, 17);
  munit_assert_memory_equal(17, k.b, "i0123456789abcdef");
  munit_assert_true(svc_key_str(&k).p == (const char *)k.b && svc_key_str(&k).n == 17);

  svc_key_begin(&k, 'w');
  svc_key_number(&k, 0x0102030405060708, 8);
  svc_key_number(&k, 0x0A0B0C, 2); /* the low bytes */
  svc_key_id(&k, NULL);
  svc_key_add(&k, "xyz", 3);
  munit_assert_size(k.n, ==, 14);
  munit_assert_memory_equal(14, k.b, "w\1\2\3\4\5\6\7\10\x0B\x0Cxyz");
}

/* The range of a prefix ends at the first key that is greater than all keys with the prefix. */
TEST(keys, behind)
{
  static const struct {
    const char *prefix, *end;
  } cases[] = { { "a", "b" }, { "ab", "ac" }, { "a\xFF", "b" }, { "a\xFF\xFF\xFF", "b" }, { "a\xFEz", "a\xFE{" },
                { "a\xFE\xFF", "a\xFF" }, { "\xFE", "\xFF" }, { "\xFE\xFF", "\xFF" } };
  svc_key prefix, end, other;
  size_t i, j;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    prefix.n = strlen(cases[i].prefix);
    memcpy(prefix.b, cases[i].prefix, prefix.n);
    svc_key_behind(&end, &prefix);
    munit_assert_size(end.n, ==, strlen(cases[i].end));
    munit_assert_memory_equal(end.n, end.b, cases[i].end);
    other = prefix; /* the prefix with any bytes after it sorts before the end */
    for (j = 0; j < 20; j++) {
      munit_assert_int(key_order(&other, &end), <, 0);
      svc_key_number(&other, 0xFF, 1);
    }
  }
  memset(prefix.b, 0xFF, SVC_KEY_MOST); /* the maximum length */
  prefix.b[0] = 'e';
  prefix.n = SVC_KEY_MOST;
  svc_key_behind(&end, &prefix);
  munit_assert_true(end.n == 1 && end.b[0] == 'f');
}

/* Keys of entities sort in the order of creation, keys of due dates in the order of time. */
TEST(keys, rise)
{
  static const int64_t times[] = { INT64_MIN, -T_START, -256, -255, -1, 0, 1, 255, 256, 65535, 65536, 0xFFFFFFFF, 0x100000000,
                                   T_START, INT64_MAX };
  static const int64_t steps[] = { 0, 1, 999, 1000, -5000, 60000, -1, 3600000 };
  const svc_id parent = id_of(7), zero = id_of(0), top = id_of(0xFF);
  svc_id last = zero;
  svc_key before, k;
  svc_due_entry due;
  unsigned char random[8];
  int64_t now = T_START;
  size_t i;
  svc_key_entity(&before, "proj", &parent, NULL);
  for (i = 0; i < 5000; i++) {
    now += steps[i % (sizeof steps / sizeof steps[0])];
    munit_rand_memory(sizeof random, random);
    last = svc_id_next(&last, now, random);
    svc_key_entity(&k, "proj", &parent, &last);
    munit_assert_int(key_order(&before, &k), <, 0);
    before = k;
  }
  svc_key_begin(&before, 'd');
  for (i = 0; i < sizeof times / sizeof times[0]; i++) {
    due = due_of(times[i], "aaaa", &zero, &zero, 0);
    svc_key_due(&k, &due);
    munit_assert_int(key_order(&before, &k), <, 0);
    due = due_of(times[i], "zzzz", &top, &top, 255); /* the time decides, whatever bytes follow */
    svc_key_due(&before, &due);
    munit_assert_int(key_order(&k, &before), <, 0);
  }
}

/* Values that could be confused with each other have distinct keys, also in scopes that look like parts of values. */
TEST(keys, unique)
{
  static const char s12[] = "\0\0\0\0\0\0\0\0\0\0\0\0";
  const svc_str values[] = { SVC_S(""), SVC_S("\0"), SVC_S("\0\0"), SVC_S("a"), SVC_S("a\0"), SVC_S("a\0\0"), SVC_S("\0a"),
                             SVC_S("a\0b"), SVC_S("ab"), SVC_S("\xFF"), SVC_S("\xFF\xFF"), { s12, 12 },
                             SVC_S("a\0\0\0\0\0\0\0\0\0\0\0\0\0"), SVC_S("a\0\1\1\1\1\1\1\1\1\1\1\1\1") };
  const svc_id scopes[] = { id_of(0), id_of(1), id_of('a'), id_of(0xFF) };
  enum { VALUES = sizeof values / sizeof values[0], SCOPES = 4 };
  static svc_key keys[VALUES * SCOPES];
  size_t i, j;
  for (i = 0; i < VALUES * SCOPES; i++) svc_key_unique(&keys[i], "kind", values[i / SCOPES], &scopes[i % SCOPES]);
  for (i = 0; i < VALUES * SCOPES; i++)
    for (j = 0; j < i; j++) munit_assert_int(key_order(&keys[i], &keys[j]), !=, 0);
  for (i = 0; i < VALUES; i++) { /* without the scope: a prefix of the value's keys; keys with 12 more bytes are only its own */
    svc_key prefix;
    svc_key_unique(&prefix, "kind", values[i], NULL);
    for (j = 0; j < VALUES * SCOPES; j++) {
      bool found = keys[j].n == prefix.n + 12 && memcmp(keys[j].b, prefix.b, prefix.n) == 0;
      munit_assert_int(found, ==, j / SCOPES == i);
    }
  }
}

TEST(keys, long_values)
{
  static char text[70000];
  const svc_id scope = id_of(3);
  unsigned char hash[32];
  svc_key a, b;
  size_t n;
  memset(text, 'x', sizeof text);
  svc_key_unique(&a, "kind", (svc_str){ text, 400 }, &scope); /* the longest value that is part of the key */
  munit_assert_size(a.n, ==, 1 + 4 + 400 + 1 + 12);
  munit_assert_memory_equal(400, a.b + 5, text);
  for (n = 401; n <= sizeof text; n = n * 3 + 1) {
    svc_key_unique(&a, "kind", (svc_str){ text, n }, &scope);
    munit_assert_size(a.n, ==, 1 + 4 + 32 + 1 + 12);
    svc_sha256((svc_str){ text, n }, hash);
    munit_assert_memory_equal(32, a.b + 5, hash);
    text[n - 1] = 'y'; /* differs only in the last byte */
    svc_key_unique(&b, "kind", (svc_str){ text, n }, &scope);
    munit_assert_int(key_order(&a, &b), !=, 0);
    text[n - 1] = 'x';
    svc_key_unique(&b, "kind", (svc_str){ text, n - 1 }, &scope);
    munit_assert_int(key_order(&a, &b), !=, 0);
  }
}

/* ---------------------------------------------------------------------------------------------------------------- scans */

typedef struct keys_store {
  svc_store *store;
  svc_txn *txn;
} keys_store;

static keys_store keys_open(const char *const *names)
{
  const svc_store_port *port = svc_lmdb_port();
  keys_store k;
  svc_config config;
  char why[256] = "";
  memset(&config, 0, sizeof config);
  if (port->open(&k.store, &config, why, sizeof why) != SVC_OK) munit_errorf("open: %s", why);
  munit_assert_int(port->write_begin(k.store, &k.txn), ==, SVC_OK);
  for (; *names; names++) {
    svc_key key;
    key.n = strlen(*names);
    memcpy(key.b, *names, key.n);
    munit_assert_int(svc_put(k.txn, &key, svc_str_c(*names)), ==, SVC_OK);
  }
  return k;
}

/* Returns the keys that a scan finds, each followed by a space. */
static const char *keys_found(svc_txn *txn, const char *prefix, bool backwards)
{
  static char out[512];
  svc_scan scan;
  svc_key key;
  svc_str found, value;
  size_t n = 0;
  key.n = strlen(prefix);
  memcpy(key.b, prefix, key.n);
  svc_scan_below(&scan, txn, &key, backwards);
  while (svc_scan_next(&scan, &found, &value)) {
    munit_assert_true(svc_str_eq(found, value));
    n += (size_t)snprintf(out + n, sizeof out - n, SVC_FMT " ", SVC_ARG(found));
  }
  out[n] = 0;
  munit_assert_false(svc_scan_next(&scan, &found, &value)); /* no further row */
  munit_assert_int(txn->error, ==, SVC_OK);
  return out;
}

static void keys_check_scans(svc_txn *txn)
{
  munit_assert_string_equal(keys_found(txn, "a", false), "a ");
  munit_assert_string_equal(keys_found(txn, "a", true), "a ");     /* the first key of the store */
  munit_assert_string_equal(keys_found(txn, "b", false), "b b1 b2 b2x b\xFE\xFEz b\xFF b\xFF\xFF ");
  munit_assert_string_equal(keys_found(txn, "b", true), "b\xFF\xFF b\xFF b\xFE\xFEz b2x b2 b1 b ");
  munit_assert_string_equal(keys_found(txn, "b2", false), "b2 b2x ");
  munit_assert_string_equal(keys_found(txn, "b2", true), "b2x b2 ");
  munit_assert_string_equal(keys_found(txn, "b\xFE", false), "b\xFE\xFEz ");
  munit_assert_string_equal(keys_found(txn, "b\xFE", true), "b\xFE\xFEz ");
  munit_assert_string_equal(keys_found(txn, "b\xFE\xFE", true), "b\xFE\xFEz ");
  munit_assert_string_equal(keys_found(txn, "b\xFF", false), "b\xFF b\xFF\xFF ");
  munit_assert_string_equal(keys_found(txn, "b\xFF", true), "b\xFF\xFF b\xFF ");
  munit_assert_string_equal(keys_found(txn, "b\xFF\xFF", true), "b\xFF\xFF ");
  munit_assert_string_equal(keys_found(txn, "y", false), "y1 y2 ");
  munit_assert_string_equal(keys_found(txn, "y", true), "y2 y1 "); /* the last key of the store */
  munit_assert_string_equal(keys_found(txn, "y2", true), "y2 ");
  /* empty ranges: before the first key, between two keys, after the last */
  munit_assert_string_equal(keys_found(txn, "A", false), "");
  munit_assert_string_equal(keys_found(txn, "A", true), "");
  munit_assert_string_equal(keys_found(txn, "b3", false), "");
  munit_assert_string_equal(keys_found(txn, "b3", true), "");
  munit_assert_string_equal(keys_found(txn, "b\xFF\xFF\xFF", false), "");
  munit_assert_string_equal(keys_found(txn, "b\xFF\xFF\xFF", true), "");
  munit_assert_string_equal(keys_found(txn, "m", false), "");
  munit_assert_string_equal(keys_found(txn, "m", true), "");
  munit_assert_string_equal(keys_found(txn, "z", false), "");
  munit_assert_string_equal(keys_found(txn, "z", true), "");
  munit_assert_string_equal(keys_found(txn, "\xFE", false), "");
  munit_assert_string_equal(keys_found(txn, "\xFE", true), "");
}

TEST(keys, scans)
{
  static const char *const names[] = { "y2", "b2", "a", "b\xFE\xFEz", "b1", "y1", "b2x", "c", "b\xFF", "b", "b\xFF\xFF", NULL };
  keys_store k = keys_open(names);
  const svc_store_port *port = svc_lmdb_port();
  svc_scan outer, inner;
  svc_key b, y;
  svc_str key, value;
  int i, found = 0;
  keys_check_scans(k.txn); /* in the transaction that wrote them */
  munit_assert_int(port->commit(k.txn), ==, SVC_OK);
  for (i = 0; i < 3; i++) { /* a reader reuses its cursor in the next transaction */
    munit_assert_int(port->read_begin(k.store, &k.txn), ==, SVC_OK);
    keys_check_scans(k.txn);
    port->read_end(k.txn);
  }
  munit_assert_int(port->read_begin(k.store, &k.txn), ==, SVC_OK); /* a scan inside a scan */
  svc_key_begin(&b, 'b');
  svc_key_begin(&y, 'y');
  svc_scan_below(&outer, k.txn, &b, false);
  svc_scan_expect(&outer, 2); /* so that the outer scan reads a further batch after the inner scans */
  while (svc_scan_next(&outer, &key, &value)) {
    munit_assert_char(key.p[0], ==, 'b');
    svc_scan_below(&inner, k.txn, &y, true);
    svc_scan_expect(&inner, 1);
    while (svc_scan_next(&inner, &key, &value)) {
      munit_assert_char(key.p[0], ==, 'y');
      found++;
    }
  }
  munit_assert_int(found, ==, 14);
  port->read_end(k.txn);
  port->close(k.store);
}

TEST(keys, scan_empty)
{
  static const char *const none[] = { NULL };
  keys_store k = keys_open(none);
  const svc_store_port *port = svc_lmdb_port();
  munit_assert_string_equal(keys_found(k.txn, "a", false), "");
  munit_assert_string_equal(keys_found(k.txn, "a", true), "");
  port->abort(k.txn);
  munit_assert_int(port->read_begin(k.store, &k.txn), ==, SVC_OK);
  munit_assert_string_equal(keys_found(k.txn, "a", false), "");
  munit_assert_string_equal(keys_found(k.txn, "a", true), "");
  port->read_end(k.txn);
  port->close(k.store);
}

static void number_key(svc_key *key, unsigned n)
{
  svc_key_begin(key, 'k');
  svc_key_number(key, n, 2);
}

/* Rows are read in batches, which must not be visible in the result: with any expected number, rows skipped, or an edge that cuts
** the range. */
static void check_batches(svc_txn *txn, unsigned rows)
{
  static const unsigned some[] = { 0, 1, 2, 31, 32, 33, 63, 64, 65, 200 };
  enum { SOME = sizeof some / sizeof some[0] };
  unsigned i, j, way, n;
  for (i = 0; i < SOME; i++)
    for (j = 0; j < SOME; j++)
      for (way = 0; way < 4; way++) {
        const bool backwards = way & 1;
        const unsigned cut = way & 2 ? 7 : 0, left = rows > cut + some[j] ? rows - cut - some[j] : 0;
        svc_scan scan;
        svc_key key;
        svc_str found, value;
        svc_key_begin(&key, 'k');
        svc_scan_below(&scan, txn, &key, backwards);
        if (cut && backwards) number_key(&scan.to, rows > cut ? rows - cut : 0); /* leaves out the last rows */
        else if (cut) number_key(&scan.from, cut);
        scan.skip = some[j];
        svc_scan_expect(&scan, some[i]);
        for (n = 0; svc_scan_next(&scan, &found, &value); n++) {
          number_key(&key, backwards ? rows - 1 - cut - some[j] - n : cut + some[j] + n);
          munit_assert_true(svc_str_eq(found, svc_key_str(&key)) && svc_str_eq(value, svc_key_str(&key)));
        }
        munit_assert_uint(n, ==, left);
      }
  munit_assert_int(txn->error, ==, SVC_OK);
}

TEST(keys, batches)
{
  static const char *const around[] = { "j", "l", NULL };
  static const unsigned counts[] = { 0, 1, 31, 32, 33, 64, 65, 200 };
  keys_store k = keys_open(around);
  const svc_store_port *port = svc_lmdb_port();
  unsigned i, n = 0;
  svc_key key;
  for (i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    for (; n < counts[i]; n++) {
      number_key(&key, n);
      munit_assert_int(svc_put(k.txn, &key, svc_key_str(&key)), ==, SVC_OK);
    }
    check_batches(k.txn, n);
    munit_assert_int(port->commit(k.txn), ==, SVC_OK);
    munit_assert_int(port->read_begin(k.store, &k.txn), ==, SVC_OK);
    check_batches(k.txn, n);
    port->read_end(k.txn);
    munit_assert_int(port->write_begin(k.store, &k.txn), ==, SVC_OK);
  }
  port->abort(k.txn);
  port->close(k.store);
}

/* Keys of the maximum length: after a batch that ends with such a key, the next batch continues with its successor. */
TEST(keys, longest)
{
  static const char *const none[] = { NULL };
  keys_store k = keys_open(none);
  svc_scan scan;
  svc_key key, prefix;
  svc_str found, value;
  unsigned i, way;
  memset(key.b, 0xFF, sizeof key.b);
  key.b[0] = 'x';
  key.n = SVC_KEY_MOST;
  for (i = 0; i < 100; i++) {
    key.b[SVC_KEY_MOST - 1] = (unsigned char)(156 + i);
    munit_assert_int(svc_put(k.txn, &key, SVC_S("")), ==, SVC_OK);
  }
  for (way = 0; way < 4; way++) {
    prefix = key;
    prefix.n = way & 2 ? SVC_KEY_MOST - 1 : 1;
    svc_scan_below(&scan, k.txn, &prefix, way & 1);
    svc_scan_expect(&scan, 1);
    for (i = 0; svc_scan_next(&scan, &found, &value); i++) {
      munit_assert_size(found.n, ==, SVC_KEY_MOST);
      munit_assert_int((unsigned char)found.p[SVC_KEY_MOST - 1], ==, way & 1 ? 255 - (int)i : 156 + (int)i);
    }
    munit_assert_uint(i, ==, 100);
  }
  munit_assert_int(svc_remove_below(k.txn, &prefix), ==, SVC_OK);
  munit_assert_string_equal(keys_found(k.txn, "x", false), "");
  svc_lmdb_port()->abort(k.txn);
  svc_lmdb_port()->close(k.store);
}

/* The first error stays, and later puts do nothing. "Not found" is no error. A read transaction cannot write. */
TEST(keys, errors)
{
  static const char *const names[] = { "a", NULL };
  const svc_id zero = id_of(0);
  keys_store k = keys_open(names);
  const svc_store_port *port = svc_lmdb_port();
  svc_key key, longest, a;
  svc_str value;
  svc_key_begin(&key, 'b');
  svc_key_begin(&a, 'a');
  k.txn->dirty = false;
  munit_assert_int(svc_get(k.txn, &key, &value), ==, SVC_NOT_FOUND);
  munit_assert_uint64(svc_count(k.txn, "kind", &zero), ==, 0);
  munit_assert_int(k.txn->error, ==, SVC_OK);
  munit_assert_false(k.txn->dirty);
  munit_assert_int(svc_remove(k.txn, &key), ==, SVC_OK); /* removing a missing key succeeds */
  munit_assert_true(k.txn->dirty);
  k.txn->dirty = false;
  munit_assert_int(svc_remove_below(k.txn, &key), ==, SVC_OK);
  munit_assert_true(k.txn->dirty);
  k.txn->dirty = false;
  svc_count_add(k.txn, "kind", &zero, 3);
  munit_assert_true(k.txn->dirty);
  munit_assert_uint64(svc_count(k.txn, "kind", &zero), ==, 3);
  memset(longest.b, 'x', sizeof longest.b);
  longest.n = SVC_KEY_MOST;
  munit_assert_int(svc_put(k.txn, &longest, SVC_S("as long as a key can be")), ==, SVC_OK);
  munit_assert_int(svc_get(k.txn, &longest, &value), ==, SVC_OK);
  munit_assert_true(svc_str_is(value, "as long as a key can be"));
  key.n = 0; /* a name whose hash failed */
  munit_assert_int(svc_put(k.txn, &key, SVC_S("")), ==, SVC_NOMEM);
  munit_assert_int(k.txn->error, ==, SVC_NOMEM);
  key.n = 1;
  munit_assert_int(svc_put(k.txn, &key, SVC_S("")), ==, SVC_NOMEM);
  munit_assert_int(svc_remove(k.txn, &a), ==, SVC_NOMEM);
  munit_assert_int(svc_remove_below(k.txn, &a), ==, SVC_NOMEM);
  svc_count_add(k.txn, "kind", &zero, 1);
  munit_assert_uint64(svc_count(k.txn, "kind", &zero), ==, 3);
  munit_assert_int(port->get(k.txn, svc_key_str(&key), &value), ==, SVC_NOT_FOUND);
  munit_assert_int(port->get(k.txn, svc_key_str(&a), &value), ==, SVC_OK);
  munit_assert_int(svc_note(k.txn, SVC_IO), ==, SVC_IO);
  munit_assert_int(k.txn->error, ==, SVC_NOMEM);
  port->abort(k.txn);
  munit_assert_int(port->read_begin(k.store, &k.txn), ==, SVC_OK);
  munit_assert_int(svc_get(k.txn, &longest, &value), ==, SVC_NOT_FOUND); /* aborted */
  munit_assert_int(svc_put(k.txn, &key, SVC_S("")), ==, SVC_IO);
  port->read_end(k.txn);
  port->close(k.store);
}

/* ------------------------------------------------------------------------------------------------------------------ ids */

static svc_id id_text(const char *hex)
{
  svc_id id;
  munit_assert_true(svc_id_parse(svc_str_c(hex), &id));
  return id;
}

static void id_check(const svc_id *id, const char *hex)
{
  char text[25] = "";
  svc_id_hex(id, text);
  munit_assert_string_equal(text, hex);
}

TEST(keys, ids_text)
{
  static const char *const bad[] = { "", "683b98002c126e1682a898b", "683b98002c126e1682a898b70", "683B98002c126e1682a898b7",
                                     "683b98002c126e1682a898bg", "683b98002c126e1682a898b ", " 83b98002c126e1682a898b7",
                                     "0x3b98002c126e1682a898b7", "683b98002c126e1682a898-7", "683b98002c126e1682a898b\xB7",
                                     "\xB6" "83b98002c126e1682a898b7" };
  svc_id id = id_text("00ff0123456789abcdef8000"), same = id, zero = id_of(0);
  size_t i;
  munit_assert_memory_equal(12, id.b, "\x00\xff\x01\x23\x45\x67\x89\xab\xcd\xef\x80\x00");
  id_check(&id, "00ff0123456789abcdef8000");
  munit_assert_true(svc_id_eq(&id, &same));
  same.b[11] = 1;
  munit_assert_false(svc_id_eq(&id, &same));
  munit_assert_true(svc_id_is_zero(&zero));
  munit_assert_false(svc_id_is_zero(&id));
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) munit_assert_false(svc_id_parse(svc_str_c(bad[i]), &id));
  munit_assert_false(svc_id_parse((svc_str){ "683b98002c126e1682a898b\0", 24 }, &id));
}

TEST(keys, ids_steps)
{
  static const unsigned char zero[8], ones[8] = { 255, 255, 255, 255, 255, 255, 255, 255 };
  static const unsigned char two[8] = { 0, 0, 0, 9, 0, 0, 0, 2 }; /* within a second the last four bytes rise */
  svc_id last = id_of(0), id;
  id = svc_id_next(&last, T_START, ones); /* a new second: random, with room above */
  id_check(&id, "683b98003fffffffffffffff");
  last = id;
  id = svc_id_next(&last, T_START + 999, zero); /* the same second: greater by at least one */
  id_check(&id, "683b98004000000000000000");
  id = svc_id_next(&last, T_START, two);
  id_check(&id, "683b98004000000000000002");
  id = svc_id_next(&last, T_START, ones);
  id_check(&id, "683b980040000000ffffffff");
  id = svc_id_next(&last, T_START - 86400000, zero); /* the clock stepped back: the last second stays */
  id_check(&id, "683b98004000000000000000");
  id = svc_id_next(&last, -1, zero);
  id_check(&id, "683b98004000000000000000");
  id = svc_id_next(&last, INT64_MIN, zero);
  id_check(&id, "683b98004000000000000000");
  id = svc_id_next(&last, T_START + 1000, zero);
  id_check(&id, "683b98010000000000000000");
  last = id_of(0); /* a clock that is at 1970 */
  id = svc_id_next(&last, 0, zero);
  id_check(&id, "000000000000000000000001");
  last = id_text("683b9800ffffffffffffffff"); /* the second has no ids left: the next one begins */
  id = svc_id_next(&last, T_START, zero);
  id_check(&id, "683b98010000000000000000");
  last = id_text("683b9800fffffffffffffffe");
  id = svc_id_next(&last, T_START, ones);
  id_check(&id, "683b980100000000fffffffe");
  last = id_text("683b9800fffffffffffffffe");
  id = svc_id_next(&last, T_START, zero);
  id_check(&id, "683b9800ffffffffffffffff");
}

TEST(keys, ids_million)
{
  svc_id last = id_of(0), id;
  uint64_t state = 88172645463325252u;
  unsigned char random[8];
  int64_t now = T_START;
  int i;
  for (i = 0; i < 1000000; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    memcpy(random, &state, 8);
    if (i % 1000 == 0) now += i % 3000 == 0 ? -2500 : 1700; /* back and forth, but rising on average */
    id = svc_id_next(&last, now, random);
    if (memcmp(id.b, last.b, 12) <= 0) munit_errorf("id %d is not greater than the one before it", i);
    last = id;
  }
}

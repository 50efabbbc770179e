/*
** The in-memory store compared with a model, an array of the values of all keys. Random operations run while readers and
** snapshots hold older states. The host's memory is counted: all of it is freed.
*/
#include "support.h"

#define KEYS 600
#define HOLDS 4

typedef struct memory_model {
  int value[KEYS]; /* 0: the key does not exist */
} memory_model;

typedef struct memory_shop {
  const svc_store_port *port;
  svc_store *store;
  t_memory memory;
  memory_model now;
} memory_shop;

static svc_str memory_text(char out[64], int i)
{
  return (svc_str){ out, (size_t)snprintf(out, 64, "%.*s%03d", i % 7, "prefix", i) }; /* of several lengths, many with one prefix */
}

/* Values of several sizes, which begin with the number. */
static svc_str memory_value_of(char out[256], int value)
{
  memset(out, 'v', 256);
  memcpy(out, &value, sizeof value);
  return (svc_str){ out, sizeof value + (size_t)(value % 200) };
}

static int memory_compare_keys(const void *a, const void *b)
{
  char x[64], y[64];
  return svc_str_order(memory_text(x, *(const int *)a), memory_text(y, *(const int *)b));
}

/* Checks that all records of a transaction, forwards and backwards, are those of the model. */
static void memory_same(const svc_store_port *port, svc_txn *txn, const memory_model *m)
{
  static svc_row rows[KEYS + 1];
  int order[KEYS], i, k;
  char key[64], value[256];
  size_t n, at;
  for (i = 0; i < KEYS; i++) order[i] = i;
  qsort(order, KEYS, sizeof order[0], memory_compare_keys);
  for (k = 0; k < 2; k++) {
    const svc_range all = { SVC_S("\1"), SVC_S("\377"), k == 1, 0 };
    munit_assert_int(port->scan(txn, &all, rows, KEYS + 1, &n), ==, SVC_OK);
    for (i = 0, at = 0; i < KEYS; i++) {
      const int which = order[k ? KEYS - 1 - i : i];
      if (!m->value[which]) continue;
      munit_assert_size(at, <, n);
      munit_assert_true(svc_str_eq(rows[at].key, memory_text(key, which)));
      munit_assert_true(svc_str_eq(rows[at++].value, memory_value_of(value, m->value[which])));
    }
    munit_assert_size(at, ==, n);
  }
  for (i = 0; i < 20; i++) {
    const int which = munit_rand_int_range(0, KEYS - 1);
    svc_str found;
    munit_assert_int(port->get(txn, memory_text(key, which), &found), ==, m->value[which] ? SVC_OK : SVC_NOT_FOUND);
  }
}

static void memory_remove_between(memory_shop *s, svc_txn *txn, memory_model *m)
{
  char from[64], to[64], key[64];
  const svc_str a = memory_text(from, munit_rand_int_range(0, KEYS - 1)), b = memory_text(to, munit_rand_int_range(0, KEYS - 1));
  int i;
  munit_assert_int(s->port->remove_range(txn, a, b), ==, SVC_OK);
  for (i = 0; i < KEYS; i++) {
    const svc_str k = memory_text(key, i);
    if (svc_str_order(k, a) >= 0 && svc_str_order(k, b) < 0) m->value[i] = 0;
  }
}

/* Random operations in one transaction, which is committed or aborted. */
static void memory_change(memory_shop *s)
{
  memory_model m = s->now;
  char key[64], value[256];
  svc_txn *txn;
  int i, most = munit_rand_int_range(0, 60);
  munit_assert_int(s->port->write_begin(s->store, &txn), ==, SVC_OK);
  for (i = 0; i < most; i++) {
    const int which = munit_rand_int_range(0, KEYS - 1), what = munit_rand_int_range(0, 99);
    if (what < 55) {
      m.value[which] = munit_rand_int_range(1, 100000);
      munit_assert_int(s->port->put(txn, memory_text(key, which), memory_value_of(value, m.value[which])), ==, SVC_OK);
    } else if (what < 97) {
      m.value[which] = 0;
      munit_assert_int(s->port->remove(txn, memory_text(key, which)), ==, SVC_OK);
    } else {
      memory_remove_between(s, txn, &m);
    }
  }
  memory_same(s->port, txn, &m);
  if (munit_rand_int_range(0, 3) == 0) {
    s->port->abort(txn);
    return;
  }
  munit_assert_int(s->port->commit(txn), ==, SVC_OK);
  s->now = m;
}

TEST(memory, model)
{
  memory_shop s = { .port = svc_memory_port() };
  struct {
    svc_txn *reader;
    void *held;
    memory_model reads, holds;
  } kept[HOLDS];
  svc_config config = { .allocator = { t_memory_resize, &s.memory } };
  uint64_t bytes, records;
  svc_txn *txn;
  int round, i;
  memset(kept, 0, sizeof kept);
  munit_assert_int(s.port->open(&s.store, &config, NULL, 0), ==, SVC_OK);
  for (round = 0; round < 600; round++) {
    i = round % HOLDS;
    if (kept[i].reader) {
      memory_same(s.port, kept[i].reader, &kept[i].reads);
      s.port->read_end(kept[i].reader);
    }
    munit_assert_int(s.port->read_begin(s.store, &kept[i].reader), ==, SVC_OK);
    kept[i].reads = s.now;
    memory_change(&s);
    if (round % 7 == 0) { /* a new snapshot replaces the previous one */
      if (kept[i].held) s.port->let_go(kept[i].held);
      munit_assert_int(s.port->write_begin(s.store, &txn), ==, SVC_OK);
      munit_assert_int(s.port->hold(txn, &kept[i].held, &bytes, &records), ==, SVC_OK);
      munit_assert_int(s.port->commit(txn), ==, SVC_OK);
      kept[i].holds = s.now;
    } else if (round % 11 == 0 && kept[i].held) {
      munit_assert_int(s.port->write_begin(s.store, &txn), ==, SVC_OK);
      munit_assert_int(s.port->bring_back(txn, kept[i].held), ==, SVC_OK);
      memory_same(s.port, txn, &kept[i].holds);
      munit_assert_int(s.port->commit(txn), ==, SVC_OK);
      s.now = kept[i].holds;
    }
  }
  for (i = 0; i < HOLDS; i++) s.port->read_end(kept[i].reader);
  s.port->close(s.store);
  for (i = 0; i < HOLDS; i++) { /* snapshots outlive the store */
    if (!kept[i].held) continue;
    munit_assert_int(s.port->held_begin(kept[i].held, &txn), ==, SVC_OK);
    memory_same(s.port, txn, &kept[i].holds);
    s.port->read_end(txn);
    s.port->let_go(kept[i].held);
  }
  munit_assert_long(s.memory.live, ==, 0);
}

/* A path is refused: nobody must believe that the data is stored there. */
TEST(memory, no_path)
{
  svc_config config = { .path = "somewhere", .store = svc_memory_port() };
  char why[128] = "";
  svc_store *store;
  svc *s;
  munit_assert_int(svc_memory_port()->open(&store, &config, why, sizeof why), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "svc_config.path must be NULL"));
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  config.path = NULL;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_int(svc_backup(s, "build"), ==, SVC_INVALID);
  svc_close(s);
}

/* JSON selects the store by its name, because bindings of other languages have no pointer to a port. */
TEST(memory, by_name)
{
  char why[128];
  svc *s;
  munit_assert_int(svc_open_json(&s, "{\"store\":\"memory\"}", why, sizeof why), ==, SVC_OK);
  munit_assert_ptr_equal(s->commit.port, svc_memory_port());
  svc_close(s);
  munit_assert_int(svc_open_json(&s, "{\"store\":\"lmdb\"}", why, sizeof why), ==, SVC_OK);
  munit_assert_ptr_equal(s->commit.port, svc_lmdb_store());
  svc_close(s);
  munit_assert_int(svc_open_json(&s, "{\"store\":\"paper\"}", why, sizeof why), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "lmdb or memory"));
  munit_assert_int(svc_open_json(&s, "{\"store\":1}", why, sizeof why), ==, SVC_INVALID);
}

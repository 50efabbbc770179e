/*
** Copies of a store (ports/store_copy.c): complete, in batches, verified; and copies that are cut off or differ. From LMDB to
** LMDB, and with a server also from and to PostgreSQL.
*/
#include "support.h"
#include "ports/store_copy.h"

#include <pthread.h>

enum { KINDS = 2 }; /* LMDB and PostgreSQL */

typedef struct move {
  char from_path[128], to_path[128];
  svc_config from, to;
  svc_copy_report report;
} move;

static const svc_store_port *port_of(int kind)
{
  return kind ? t_postgres_port() : svc_lmdb_port();
}

static void move_open(move *m, int from, int to)
{
  memset(m, 0, sizeof *m);
  store_folder(m->from_path);
  store_folder(m->to_path);
  m->from.path = m->from_path;
  m->from.store = port_of(from);
  m->to.path = m->to_path;
  m->to.store = port_of(to);
}

static void move_close(move *m)
{
  store_remove(m->from_path);
  store_remove(m->to_path);
}

static int move_copy(move *m)
{
  return svc_copy_store(&m->from, &m->to, &m->report);
}

/* Fills a store with typical records. Returns the id of one of its projects. */
static void furnish(const svc_config *config, char group[25])
{
  t_service t;
  char name[32];
  int i;
  t_open(&t, config);
  strcpy(group, t_project(&t, t_organization(&t, "Acme"), "alpha"));
  for (i = 0; i < 20; i++) {
    snprintf(name, sizeof name, "o%d", i);
    t_organization(&t, name);
  }
  t_close(&t);
}

/* Writes a raw record, such as that of a handle that gives out orders, which a copy has as well. */
static void put_raw(const svc_config *config, svc_str key, svc_str value)
{
  svc_store *store;
  svc_txn *txn;
  char why[256];
  munit_assert_int(config->store->open(&store, config, why, sizeof why), ==, SVC_OK);
  munit_assert_int(config->store->write_begin(store, &txn), ==, SVC_OK);
  munit_assert_int(config->store->put(txn, key, value), ==, SVC_OK);
  munit_assert_int(config->store->commit(txn), ==, SVC_OK);
  config->store->close(store);
}

/* Returns the code of opening a handle on the store. The log has the reason for an error. */
static int opens(const svc_config *config, t_service *t)
{
  svc_config k = *config;
  svc *s;
  int rc;
  memset(t, 0, sizeof *t);
  k.log = t_log;
  k.log_context = t;
  rc = svc_open(&s, &k);
  if (rc == SVC_OK) svc_close(s);
  return rc;
}

/* ------------------------------------------------------------------------------------------------------ ports with faults */

/* A port that is LMDB with these faults; used by one test at a time. */
static struct {
  int commits;           /* so far */
  int fails_at, rc;      /* the commit with this number fails with rc; 0: none */
  bool flips;            /* reads return other bytes than were written */
  size_t rows;           /* the maximum of rows that one scan returned */
  int large;             /* scans that returned more than 4 MB */
} fault;

static int fault_commit(svc_txn *txn)
{
  if (++fault.commits != fault.fails_at) return svc_lmdb_port()->commit(txn);
  svc_lmdb_port()->abort(txn);
  return fault.rc;
}

static int fault_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  static char other[4096];
  size_t i, bytes = 0;
  int rc = svc_lmdb_port()->scan(txn, range, rows, most, n);
  for (i = 0; rc == SVC_OK && i < *n; i++) bytes += rows[i].key.n + rows[i].value.n;
  if (*n > fault.rows) fault.rows = *n;
  fault.large += bytes > (size_t)4 << 20;
  for (i = 0; fault.flips && !txn->writing && i < *n; i++) {
    if (rows[i].key.p[0] != 'e' || rows[i].value.n > sizeof other) continue;
    memcpy(other, rows[i].value.p, rows[i].value.n);
    other[rows[i].value.n - 1] ^= 1;
    rows[i].value.p = other;
    break;
  }
  return rc;
}

static const svc_store_port *fault_port(void)
{
  static svc_store_port port;
  port = *svc_lmdb_port();
  port.commit = fault_commit;
  port.scan = fault_scan;
  memset(&fault, 0, sizeof fault);
  return &port;
}

/* ------------------------------------------------------------------------------------------------------------- good ones */

static uint64_t next_number(const svc_config *config)
{
  svc_store *store;
  svc_txn *txn;
  uint64_t number;
  char why[256];
  munit_assert_int(config->store->open(&store, config, why, sizeof why), ==, SVC_OK);
  munit_assert_int(config->store->write_begin(store, &txn), ==, SVC_OK);
  number = config->store->number(txn);
  config->store->abort(txn);
  config->store->close(store);
  return number;
}

static void moved(int from, int to)
{
  char group[25], etag[64];
  uint64_t number;
  t_service t;
  move m;
  move_open(&m, from, to);
  furnish(&m.from, group);
  put_raw(&m.from, SVC_S("msession12345678"), SVC_S("\1\2\3\4\5\6\7\0"));
  number = next_number(&m.from);
  if (move_copy(&m) != SVC_OK) munit_errorf("from %d to %d: %s", from, to, m.report.why);
  munit_assert_uint64(m.report.from.records, >, 40);
  munit_assert_uint64(m.report.from.counts, >, 2);
  munit_assert_uint64(m.report.from.records, ==, m.report.to.records);
  munit_assert_uint64(m.report.from.counts, ==, m.report.to.counts);
  munit_assert_uint64(m.report.from.bytes, ==, m.report.to.bytes);
  munit_assert_size(strlen(m.report.to.sha256), ==, 64);
  munit_assert_string_equal(m.report.from.sha256, m.report.to.sha256);
  munit_assert_uint64(next_number(&m.to), >, number);
  munit_assert_int(svc_compare_stores(&m.from, &m.to, &m.report), ==, SVC_OK);
  m.to.keep_orders = 1; /* a read-only tool changes nothing */
  munit_assert_int(opens(&m.to, &t), ==, SVC_OK);
  munit_assert_int(svc_compare_stores(&m.from, &m.to, &m.report), ==, SVC_OK);
  m.to.keep_orders = 0;
  t_open(&t, &m.to);
  store_whole(t.s);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
  strcpy(etag, t_get_header(&t, "ETag"));
  munit_assert_int(t_sendf(&t, "PATCH", "{\"name\":\"beta\"}", "/groups/%s", group), ==, 200);
  munit_assert_string_not_equal(t_get_header(&t, "ETag"), etag);
  munit_assert_int(t_send(&t, "GET", "/orgs?itemsPerPage=1", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 21);
  t_close(&t);
  munit_assert_int(svc_compare_stores(&m.from, &m.to, &m.report), ==, SVC_CORRUPT);
  munit_assert_string_not_equal(m.report.from.sha256, m.report.to.sha256);
  munit_assert_not_null(strstr(m.report.why, "differ"));
  move_close(&m);
}

TEST(copy, moves)
{
  int i, kinds = t_postgres_port() ? KINDS : 1;
  for (i = 0; i < kinds * kinds; i++) moved(i / kinds, i % kinds);
}

/* Enough records for many batches, and large ones: no scan returns more rows than a batch holds. After two scans that are too large,
** in each of the two ranges and each of the three passes, batches are small enough. */
TEST(copy, pieces)
{
  enum { SMALL = 5000, LARGE = 1200, SIZE = 50000 };
  static char large[SIZE];
  svc_store *store;
  svc_txn *txn;
  char why[256], key[16];
  move m;
  int i;
  move_open(&m, 0, 0);
  m.from.map_size = (size_t)256 << 20;
  munit_assert_int(m.from.store->open(&store, &m.from, why, sizeof why), ==, SVC_OK);
  munit_assert_int(m.from.store->write_begin(store, &txn), ==, SVC_OK);
  for (i = 0; i < SMALL + LARGE; i++) {
    snprintf(key, sizeof key, "%c%05d", i % 2 ? 'b' : 'e', i);
    memset(large, 'a' + i % 26, sizeof large);
    munit_assert_int(m.from.store->put(txn, svc_str_c(key), (svc_str){ large, i < SMALL ? 10 : SIZE }), ==, SVC_OK);
    key[0] = 'c';
    munit_assert_int(m.from.store->count_add(txn, svc_str_c(key), i + 1), ==, SVC_OK);
  }
  munit_assert_int(m.from.store->commit(txn), ==, SVC_OK);
  m.from.store->close(store);
  m.from.store = m.to.store = fault_port();
  munit_assert_int(move_copy(&m), ==, SVC_OK);
  munit_assert_uint64(m.report.to.records, ==, SMALL + LARGE);
  munit_assert_uint64(m.report.to.counts, ==, SMALL + LARGE);
  munit_assert_size(fault.rows, ==, 256);
  munit_assert_int(fault.commits, >=, 2 + (SMALL + LARGE) * 2 / 256);
  munit_assert_int(fault.large, <=, 2 * 2 * 3);
  move_close(&m);
}

/* Records that grow as fast as batches shrink, until a single record exceeds a batch. Then records are copied one by one. */
TEST(copy, single)
{
  enum { BATCH = (4 << 20) + 4096, RECORDS = 256 + 128 + 64 + 32 + 16 + 8 + 4 + 2 + 1 + 2 };
  static char large[BATCH];
  svc_store *store;
  svc_txn *txn;
  char why[256], key[16];
  int i, rows = 256, left = 256;
  move m;
  move_open(&m, 0, 0);
  m.from.map_size = (size_t)256 << 20;
  munit_assert_int(m.from.store->open(&store, &m.from, why, sizeof why), ==, SVC_OK);
  munit_assert_int(m.from.store->write_begin(store, &txn), ==, SVC_OK);
  for (i = 0; i < RECORDS; i++) {
    snprintf(key, sizeof key, "e%05d", i);
    memset(large, 'a' + i % 26, sizeof large);
    munit_assert_int(m.from.store->put(txn, svc_str_c(key), (svc_str){ large, BATCH / (size_t)rows }), ==, SVC_OK);
    if (--left == 0) left = rows = rows > 1 ? rows / 2 : 1;
  }
  munit_assert_int(m.from.store->commit(txn), ==, SVC_OK);
  m.from.store->close(store);
  m.from.store = m.to.store = fault_port();
  munit_assert_int(move_copy(&m), ==, SVC_OK);
  munit_assert_uint64(m.report.to.records, ==, RECORDS);
  munit_assert_string_equal(m.report.from.sha256, m.report.to.sha256);
  munit_assert_int(fault.large, ==, 3 * (9 + 2)); /* a pass to write, and one to read each side */
  move_close(&m);
}

/* A malformed count makes a copy fail, and is compared byte for byte. */
TEST(copy, no_count)
{
  const svc_str key = SVC_S("cclus");
  char group[25];
  move m;
  move_open(&m, 0, 0);
  furnish(&m.from, group);
  munit_assert_int(move_copy(&m), ==, SVC_OK);
  put_raw(&m.from, key, SVC_S("few"));
  munit_assert_int(svc_compare_stores(&m.from, &m.to, &m.report), ==, SVC_CORRUPT);
  put_raw(&m.to, key, SVC_S("few"));
  munit_assert_int(svc_compare_stores(&m.from, &m.to, &m.report), ==, SVC_OK);
  put_raw(&m.to, key, SVC_S("all"));
  munit_assert_int(svc_compare_stores(&m.from, &m.to, &m.report), ==, SVC_CORRUPT);
  store_remove(m.to_path);
  munit_assert_int(move_copy(&m), ==, SVC_CORRUPT);
  move_close(&m);
}

/* If another writer commits first, or the store has no room for a moment, the batch is repeated, and counts are still right. */
TEST(copy, again)
{
  char group[25];
  t_service t;
  move m;
  int i;
  for (i = 1; i <= 3; i++) {
    move_open(&m, 0, 0);
    furnish(&m.from, group);
    m.to.store = fault_port();
    fault.fails_at = i;
    fault.rc = i == 2 ? SVC_NO_ROOM : SVC_RETRY;
    munit_assert_int(move_copy(&m), ==, SVC_OK);
    munit_assert_int(fault.commits, >=, 4);
    t_open(&t, &m.to);
    store_whole(t.s);
    t_close(&t);
    move_close(&m);
  }
}

/* ---------------------------------------------------------------------------------------------------------------- refused */

static void target_stays(int kind)
{
  char group[25];
  uint64_t print;
  t_service t;
  move m;
  move_open(&m, 0, kind);
  furnish(&m.from, group);
  t_open(&t, &m.to);
  t_organization(&t, "Other");
  t_reopen(&t, &m.to); /* values that the handle caches are now in the store */
  print = store_print(t.s);
  t_close(&t);
  munit_assert_int(move_copy(&m), ==, SVC_EXISTS);
  munit_assert_string_equal(m.report.to.sha256, "");
  t_open(&t, &m.to);
  munit_assert_uint64(store_print(t.s), ==, print);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  t_close(&t);
  move_close(&m);
}

TEST(copy, refused)
{
  char group[25];
  t_service t;
  move m;
  target_stays(0);
  if (t_postgres_port()) target_stays(1);
  move_open(&m, 0, 0);
  munit_assert_int(move_copy(&m), ==, SVC_CORRUPT); /* there is no store */
  munit_assert_not_null(strstr(m.report.why, "no store"));
  furnish(&m.from, group);
  t_open(&t, &m.from);
  munit_assert_int(move_copy(&m), ==, SVC_BUSY);
  munit_assert_not_null(strstr(m.report.why, "in use"));
  t_close(&t);
  munit_assert_int(move_copy(&m), ==, SVC_OK);
  move_close(&m);
}

static void is_unfinished(const move *m)
{
  t_service t;
  move again = *m;
  munit_assert_int(opens(&m->to, &t), ==, SVC_UNFINISHED);
  munit_assert_string_equal(t.log, "the store cannot be used: the store is an incomplete copy: remove it and repeat the copy\n");
  munit_assert_int(move_copy(&again), ==, SVC_EXISTS);
  again.from = m->to;
  again.to = m->from;
  munit_assert_int(svc_compare_stores(&again.from, &again.to, &again.report), ==, SVC_UNFINISHED);
}

/* A copy that is cut off at any commit after its first is no valid store, even if all records are there. */
TEST(copy, cut)
{
  char group[25];
  bool cut = true;
  move m;
  int i;
  for (i = 2; cut; i++) {
    move_open(&m, 0, 0);
    furnish(&m.from, group);
    m.to.store = fault_port();
    fault.fails_at = i;
    fault.rc = i == 3 ? SVC_FULL : SVC_IO;
    cut = move_copy(&m) != SVC_OK;
    munit_assert_int(fault.commits, ==, cut ? i : i - 1);
    m.to.store = svc_lmdb_port();
    if (cut) is_unfinished(&m);
    move_close(&m);
  }
  munit_assert_int(i, >, 5);
}

/* A single bit reads back differently. */
TEST(copy, differs)
{
  char group[25];
  move m;
  move_open(&m, 0, 0);
  furnish(&m.from, group);
  m.to.store = fault_port();
  fault.flips = true;
  munit_assert_int(move_copy(&m), ==, SVC_CORRUPT);
  munit_assert_not_null(strstr(m.report.why, "differ, for the first time in row "));
  munit_assert_uint64(m.report.from.records, ==, m.report.to.records);
  munit_assert_size(strlen(m.report.from.sha256), ==, 64);
  munit_assert_size(strlen(m.report.to.sha256), ==, 64);
  munit_assert_string_not_equal(m.report.from.sha256, m.report.to.sha256);
  m.to.store = svc_lmdb_port();
  is_unfinished(&m);
  move_close(&m);
}

/* A backup of a store on PostgreSQL is an LMDB store in a folder. Another handle has the store open meanwhile. */
TEST(copy, backup)
{
  const svc_store_port *port = t_postgres_port();
  char group[25];
  t_service t;
  move m;
  SKIP_IF(!port);
  move_open(&m, 1, 0);
  furnish(&m.from, group);
  t_open(&t, &m.from);
  munit_assert_int(t_postgres_backup(t.s, m.to_path), ==, SVC_OK);
  munit_assert_int(svc_compare_stores(&m.from, &m.to, &m.report), ==, SVC_OK);
  munit_assert_int(t_postgres_backup(t.s, m.to_path), ==, SVC_EXISTS);
  t_organization(&t, "Later");
  munit_assert_int(svc_compare_stores(&m.from, &m.to, &m.report), ==, SVC_CORRUPT);
  t_close(&t);
  t_open(&t, &m.to);
  store_whole(t.s);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
  t_close(&t);
  move_close(&m);
}

typedef struct busy {
  svc *s;
  atomic_bool ends;
  int made;
} busy;

static void *busy_write(void *context)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller me = { "5f0000000000000000000001", "me@example.com", &owner, 1, 0 };
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  busy *b = context;
  char body[64];
  while (!atomic_load(&b->ends)) {
    svc_request request = { .method = "POST", .target = "/api/svc/v2/orgs", .headers = &json, .header_count = 1, .body = body, .caller = &me };
    svc_response response;
    request.body_length = (size_t)snprintf(body, sizeof body, "{\"name\":\"b%d\"}", b->made);
    munit_assert_int(svc_handle_request(b->s, &request, &response), ==, SVC_OK);
    munit_assert_int(response.status, ==, 201);
    svc_response_free(&response);
    b->made++;
  }
  return NULL;
}

/* The same handle writes meanwhile: the backup has one complete state, and blocks no one. */
TEST(copy, backup_busy)
{
  char group[25];
  pthread_t thread;
  t_service t, copy;
  busy b;
  move m;
  int i;
  SKIP_IF(!t_postgres_port());
  move_open(&m, 1, 0);
  m.from.limiter_off = 1;
  furnish(&m.from, group);
  t_open(&t, &m.from);
  memset(&b, 0, sizeof b);
  b.s = t.s;
  munit_assert_int(pthread_create(&thread, NULL, busy_write, &b), ==, 0);
  for (i = 0; i < 5; i++) {
    store_remove(m.to_path);
    munit_assert_int(t_postgres_backup(t.s, m.to_path), ==, SVC_OK);
    t_open(&copy, &m.to);
    munit_assert_int(svc_check_store(copy.s, NULL, NULL), ==, SVC_OK);
    t_close(&copy);
  }
  atomic_store(&b.ends, true);
  munit_assert_int(pthread_join(thread, NULL), ==, 0);
  munit_assert_int(b.made, >, 5);
  munit_assert_int(t_send(&t, "GET", "/orgs?itemsPerPage=1", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 21 + b.made);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
  t_close(&t);
  move_close(&m);
}

/* --------------------------------------------------------------------------------------------------- every call in turn */

/* Ports that are LMDB except that the n-th call fails, counted over source and target. */
static struct {
  long left;
  int rc;
  bool for_good;
} nth;

static bool nth_fails(void)
{
  if (nth.left > 0) nth.left--;
  else if (!nth.for_good) return false;
  return nth.left == 0 && (nth.for_good || nth.left-- == 0);
}

#define NTH(name, parameters, arguments) \
  static int nth_##name parameters \
  { \
    return nth_fails() ? nth.rc : svc_lmdb_port()->name arguments; \
  }
NTH(read_begin, (svc_store *store, svc_txn **out), (store, out))
NTH(write_begin, (svc_store *store, svc_txn **out), (store, out))
NTH(get, (svc_txn *txn, svc_str key, svc_str *value), (txn, key, value))
NTH(scan, (svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n), (txn, range, rows, most, n))
NTH(put, (svc_txn *txn, svc_str key, svc_str value), (txn, key, value))
NTH(remove, (svc_txn *txn, svc_str key), (txn, key))
NTH(count_add, (svc_txn *txn, svc_str key, int64_t delta), (txn, key, delta))
NTH(numbers_from, (svc_txn *txn, uint64_t least), (txn, least))
NTH(room, (svc_store *store, int what), (store, what))

static int nth_open(svc_store **out, const svc_config *config, char *why, size_t why_size)
{
  *out = NULL;
  return nth_fails() ? nth.rc : svc_lmdb_port()->open(out, config, why, why_size);
}

static int nth_commit(svc_txn *txn)
{
  if (!nth_fails()) return svc_lmdb_port()->commit(txn);
  svc_lmdb_port()->abort(txn);
  return nth.rc;
}

static const svc_store_port *nth_port(void)
{
  static svc_store_port port;
  port = *svc_lmdb_port();
  port.open = nth_open;
  port.read_begin = nth_read_begin;
  port.write_begin = nth_write_begin;
  port.commit = nth_commit;
  port.get = nth_get;
  port.scan = nth_scan;
  port.put = nth_put;
  port.remove = nth_remove;
  port.count_add = nth_count_add;
  port.numbers_from = nth_numbers_from;
  port.room = nth_room;
  return &port;
}

/* Any call may fail: a copy that succeeds is complete, and a copy that fails says why. A failed copy with the same records as the
** source can be opened. */
TEST(copy, every_call)
{
  static const int codes[] = { SVC_IO, SVC_RETRY, SVC_NO_ROOM, SVC_NOMEM };
  char group[25];
  t_service t;
  svc_copy_report report;
  move m;
  size_t e;
  int for_good;
  long at, refused = 0;
  SKIP_IF(!T_ON_LMDB);
  move_open(&m, 0, 0);
  furnish(&m.from, group);
  m.from.store = m.to.store = nth_port();
  m.to.map_size = 65536;
  for (for_good = 0; for_good < 2; for_good++)
    for (e = 0; e < sizeof codes / sizeof codes[0]; e++)
      for (at = 1; at < 5000; at += 1 + at / 8) {
        int rc;
        store_remove(m.to_path);
        nth.rc = codes[e], nth.for_good = for_good, nth.left = at;
        rc = move_copy(&m);
        if (nth.left > 0) break;
        nth.for_good = false, nth.left = -1;
        refused += rc != SVC_OK;
        if (rc != SVC_OK) munit_assert_true(m.report.why[0] != 0);
        m.to.store = svc_lmdb_port();
        if (rc == SVC_OK) munit_assert_int(svc_compare_stores(&m.from, &m.to, &report), ==, SVC_OK);
        /* only removing the unfinished mark failed, or the mark is already removed */
        else if (svc_compare_stores(&m.from, &m.to, &report) == SVC_OK) munit_assert_int(opens(&m.to, &t), ==, SVC_OK);
        m.to.store = m.from.store;
      }
  munit_assert_long(refused, >, 20);
  for (at = 1; at < 5000; at += 1 + at / 8) { /* two equal stores are never reported as different */
    int rc;
    nth.rc = SVC_IO, nth.for_good = false, nth.left = -1;
    store_remove(m.to_path);
    munit_assert_int(move_copy(&m), ==, SVC_OK);
    nth.left = at;
    rc = svc_compare_stores(&m.from, &m.to, &report);
    if (nth.left > 0) break;
    munit_assert_int(rc, !=, SVC_CORRUPT);
    nth.left = -1;
  }
  nth.left = -1;
  move_close(&m);
}

/*
** Snapshots of the whole store. A restore is exact to the last byte, and happens in one commit or not at all. Afterwards the same
** requests get the same answers again.
*/
#include "control/control.h"
#include "support.h"

#include <pthread.h>

#define HOUR INT64_C(3600000)
#define CLUSTER \
  "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
  "\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\"}}]}]}"

typedef struct whole_world {
  t_service t;
  const char *org, *group;
  svc_snapshot *taken;
  uint64_t print;
} whole_world;

static void whole_open(whole_world *w, const svc_config *config)
{
  t_open(&w->t, config);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "P1");
  munit_assert_int(t_sendf(&w->t, "POST", CLUSTER, "/groups/%s/clusters", w->group), ==, 201);
  munit_assert_int(svc_snapshot_take(w->t.s, &w->taken), ==, SVC_OK);
  w->print = store_print(w->t.s);
}

static void whole_close(whole_world *w)
{
  svc_snapshot_free(w->taken);
  t_close(&w->t);
}

static void whole_back(whole_world *w)
{
  munit_assert_int(svc_snapshot_restore(w->t.s, w->taken), ==, SVC_OK);
  munit_assert_true(store_print(w->t.s) == w->print);
}

/* Creates projects, deletes a cluster and a project, and moves the clock. */
static void whole_change(whole_world *w)
{
  int i;
  munit_assert_int(svc_clock_advance(w->t.s, HOUR), ==, SVC_OK);
  for (i = 0; i < 30; i++) {
    char name[32];
    snprintf(name, sizeof name, "project %d", i);
    t_project(&w->t, w->org, name);
  }
  munit_assert_int(t_sendf(&w->t, "DELETE", NULL, "/groups/%s/clusters/C", w->group), ==, 202);
  munit_assert_int(svc_clock_advance(w->t.s, HOUR), ==, SVC_OK);
  munit_assert_int(t_sendf(&w->t, "DELETE", NULL, "/groups/%s", w->group), ==, 202);
  munit_assert_true(store_print(w->t.s) != w->print);
}

TEST(whole, there_and_back)
{
  svc_config config = { .manual_clock = T_START, .seed = 7 };
  whole_world w;
  char first[32] = "", nonce[256] = "";
  int i;
  whole_open(&w, &config);
  whole_back(&w); /* restores the present state */
  for (i = 0; i < 3; i++) {
    munit_assert_int64(svc_clock_now(w.t.s), ==, T_START);
    munit_assert_int(t_send(&w.t, "POST", "/orgs", "{\"name\":\"Other\"}"), ==, 201);
    if (i == 0) snprintf(first, sizeof first, "%s", t_str(&w.t, "organization.id"));
    munit_assert_string_equal(t_str(&w.t, "organization.id"), first); /* the seed is restored as well */
    w.t.anonymous = true;
    munit_assert_int(t_send(&w.t, "GET", "/orgs", NULL), ==, 401);
    if (i == 0) snprintf(nonce, sizeof nonce, "%s", t_get_header(&w.t, "WWW-Authenticate"));
    munit_assert_string_equal(t_get_header(&w.t, "WWW-Authenticate"), nonce); /* the state of nonces is restored, too */
    w.t.anonymous = false;
    whole_change(&w);
    whole_back(&w);
    munit_assert_size(store_whole(w.t.s), ==, 1);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/C", w.group), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "stateName"), "CREATING"); /* the clock is restored, too */
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/groups", w.org), ==, 200);
    munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  }
  munit_assert_int(svc_clock_advance(w.t.s, 10000), ==, SVC_OK); /* the service continues from the restored time */
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/C", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "IDLE");
  whole_close(&w);
}

/* A request that read the clock before a restore set the clock back applies no step too early. */
TEST(whole, late)
{
  svc_config config = { .manual_clock = T_START };
  whole_world w;
  whole_open(&w, &config);
  munit_assert_int(svc_clock_advance(w.t.s, HOUR), ==, SVC_OK);
  whole_back(&w);
  munit_assert_int(svc_apply_due(w.t.s, T_START + HOUR), ==, SVC_OK); /* as a request that waited in the meantime does */
  munit_assert_true(store_print(w.t.s) == w.print);
  whole_close(&w);
}

TEST(whole, buckets)
{
  svc_config config = { .manual_clock = T_START };
  whole_world w;
  int i;
  char left[16];
  whole_open(&w, &config);
  for (i = 0; i < 2; i++) {
    munit_assert_int(t_send(&w.t, "GET", "/orgs", NULL), ==, 200);
    if (i == 0) snprintf(left, sizeof left, "%s", t_get_header(&w.t, "RateLimit-Remaining"));
    munit_assert_string_equal(t_get_header(&w.t, "RateLimit-Remaining"), left);
    munit_assert_int(t_send(&w.t, "GET", "/orgs", NULL), ==, 200);
    munit_assert_string_not_equal(t_get_header(&w.t, "RateLimit-Remaining"), left);
    whole_back(&w);
  }
  whole_close(&w);
}

/* With the host's clock and random source only the store is restored. */
TEST(whole, hosts_own)
{
  svc_config config = { .limiter_off = 1 };
  whole_world w;
  whole_open(&w, &config);
  t_project(&w.t, w.org, "P2");
  whole_back(&w);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/groups", w.org), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  t_project(&w.t, w.org, "P2");
  munit_assert_size(store_whole(w.t.s), ==, 2);
  whole_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------- refusals */

TEST(whole, refuses)
{
  svc_config config = { .manual_clock = T_START, .max_snapshot = 500 };
  svc_snapshot *none = (svc_snapshot *)(void *)&config;
  whole_world w;
  t_service other;
  t_open(&other, &config);
  t_organization(&other, "Acme");
  munit_assert_int(svc_snapshot_take(other.s, &none), ==, SVC_FULL);
  munit_assert_null(none);
  munit_assert_int(t_send(&other, "GET", "/orgs", NULL), ==, 200);
  config.max_snapshot = 0;
  whole_open(&w, &config);
  munit_assert_int(svc_snapshot_restore(other.s, w.taken), ==, SVC_INVALID); /* a snapshot of another handle */
  munit_assert_int(svc_snapshot_restore(w.t.s, NULL), ==, SVC_INVALID);
  munit_assert_int(svc_snapshot_take(NULL, &none), ==, SVC_INVALID);
  munit_assert_int(svc_snapshot_take(w.t.s, NULL), ==, SVC_INVALID);
  svc_snapshot_free(NULL);
  t_close(&other);
  t_close(&w.t);
  svc_snapshot_free(w.taken); /* after its handle was closed */
}

/* Snapshots may grow up to max_snapshot. */
TEST(whole, grows)
{
  svc_config config = { .manual_clock = T_START, .max_snapshot = 150000, .limiter_off = 1 };
  svc_snapshot *taken = NULL;
  uint64_t print = 0;
  const char *org;
  char name[32];
  t_service t;
  int i, rc = SVC_OK;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  for (i = 0; rc == SVC_OK; i++) {
    svc_snapshot *more;
    munit_assert_int(i, <, 100);
    rc = svc_snapshot_take(t.s, &more);
    if (rc != SVC_OK) break;
    svc_snapshot_free(taken);
    taken = more;
    print = store_print(t.s);
    snprintf(name, sizeof name, "P%d", i);
    munit_assert_int(t_large_project(&t, org, name), ==, 201);
  }
  munit_assert_int(rc, ==, SVC_FULL);
  munit_assert_int(i, >, 5);
  munit_assert_true(store_print(t.s) != print);
  munit_assert_int(svc_snapshot_restore(t.s, taken), ==, SVC_OK);
  munit_assert_true(store_print(t.s) == print);
  svc_snapshot_free(taken);
  t_close(&t);
  config.max_snapshot = 20; /* less than one record */
  t_open(&t, &config);
  t_organization(&t, "Acme");
  munit_assert_int(svc_snapshot_take(t.s, &taken), ==, SVC_FULL);
  t_close(&t);
}

TEST(whole, no_memory)
{
  t_memory memory = { 0 };
  svc_config config = { .manual_clock = T_START, .allocator = { t_memory_resize, &memory } };
  svc_snapshot *again;
  whole_world w;
  long n, live;
  int rc = SVC_NOMEM;
  whole_open(&w, &config);
  for (n = 1; rc == SVC_NOMEM; n++) {
    munit_assert_long(n, <, 1000);
    live = memory.live;
    memory.calls = 0;
    memory.fail_at = n;
    rc = svc_snapshot_take(w.t.s, &again);
    memory.fail_at = 0;
    if (rc != SVC_OK) munit_assert_long(memory.live, ==, live);
  }
  munit_assert_int(rc, ==, SVC_OK);
  munit_assert_long(n, >, 3);
  svc_snapshot_free(again);
  whole_back(&w);
  whole_close(&w);
  munit_assert_long(memory.live, ==, 0);
}

/* A store whose n-th put fails, or whose commit fails: then nothing of the snapshot is restored. */
static svc_store_port whole_port;
static long whole_puts, whole_fail_at;
static bool whole_fail_commit;

static int whole_commit(svc_txn *txn)
{
  if (!whole_fail_commit) return svc_lmdb_port()->commit(txn);
  svc_lmdb_port()->abort(txn);
  return SVC_IO;
}

static int whole_put(svc_txn *txn, svc_str key, svc_str value)
{
  if (++whole_puts == whole_fail_at) return SVC_IO;
  return svc_lmdb_port()->put(txn, key, value);
}

static int whole_write_begin(svc_store *store, svc_txn **out)
{
  int rc = svc_lmdb_port()->write_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &whole_port;
  return rc;
}

TEST(whole, or_nothing)
{
  svc_config config = { .manual_clock = T_START, .store = &whole_port };
  whole_world w;
  uint64_t changed;
  int64_t now;
  whole_port = *svc_lmdb_port();
  whole_port.put = whole_put;
  whole_port.write_begin = whole_write_begin;
  whole_port.commit = whole_commit;
  whole_open(&w, &config);
  whole_change(&w);
  changed = store_print(w.t.s);
  now = svc_clock_now(w.t.s);
  whole_fail_commit = true;
  munit_assert_int(svc_snapshot_restore(w.t.s, w.taken), ==, SVC_IO);
  munit_assert_true(store_print(w.t.s) == changed);
  munit_assert_int64(svc_clock_now(w.t.s), ==, now);
  whole_fail_commit = false;
  for (whole_fail_at = 1; whole_fail_at < 1000; whole_fail_at += 7) {
    whole_puts = 0;
    if (svc_snapshot_restore(w.t.s, w.taken) == SVC_OK) break;
    munit_assert_true(store_print(w.t.s) == changed);
    munit_assert_int64(svc_clock_now(w.t.s), ==, now);
  }
  munit_assert_long(whole_fail_at, >, 20);
  munit_assert_long(whole_fail_at, <, 1000);
  munit_assert_true(store_print(w.t.s) == w.print);
  whole_fail_at = 0;
  whole_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------- threads */

typedef struct whole_worker {
  svc *s;
  const char *org;
  int number;
  atomic_bool *stop;
} whole_worker;

static void *whole_work(void *argument)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller me = { "5f0000000000000000000001", "me@example.com", &owner, 1, 1 };
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  const whole_worker *w = argument;
  int i;
  for (i = 0; !atomic_load(w->stop); i++) {
    char body[128];
    svc_request request = { .method = "POST", .target = "/api/svc/v2/groups", .headers = &json, .header_count = 1, .caller = &me };
    svc_response response;
    request.body = body;
    request.body_length = (size_t)snprintf(body, sizeof body, "{\"name\":\"p%d-%d\",\"orgId\":\"%s\"}", w->number, i, w->org);
    munit_assert_int(svc_handle_request(w->s, &request, &response), ==, SVC_OK);
    munit_assert_true(response.status == 201 || response.status == 409 || response.status == 403); /* created, exists, too many */
    svc_response_free(&response);
    svc_tick(w->s);
  }
  return NULL;
}

TEST(whole, threads)
{
  svc_config config = { .manual_clock = T_START, .limiter_off = 1 };
  pthread_t threads[4];
  whole_worker work[4];
  atomic_bool stop;
  whole_world w;
  int i;
  whole_open(&w, &config);
  atomic_init(&stop, false);
  for (i = 0; i < 4; i++) {
    work[i] = (whole_worker){ w.t.s, w.org, i, &stop };
    munit_assert_int(pthread_create(&threads[i], NULL, whole_work, &work[i]), ==, 0);
  }
  for (i = 0; i < 40; i++) {
    int rc = svc_clock_advance(w.t.s, HOUR);
    munit_assert_true(rc == SVC_OK || rc == SVC_BUSY);
    munit_assert_int(svc_snapshot_restore(w.t.s, w.taken), ==, SVC_OK);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/C", w.group), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "stateName"), "CREATING"); /* even if another thread ticks meanwhile */
  }
  atomic_store(&stop, true);
  for (i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  store_whole(w.t.s);
  whole_back(&w);
  whole_close(&w);
}

static int whole_spoiled; /* how many of the next commits fail because another writer came first */

static int whole_commit_again(svc_txn *txn)
{
  if (whole_spoiled == 0) return svc_lmdb_port()->commit(txn);
  whole_spoiled--;
  svc_lmdb_port()->abort(txn);
  return SVC_RETRY;
}

/* The restore is retried, and the clock is set back once. If every retry fails, the clock keeps its time. */
TEST(whole, again)
{
  svc_config config = { .manual_clock = T_START, .store = &whole_port };
  whole_world w;
  int64_t now;
  whole_port = *svc_lmdb_port();
  whole_port.write_begin = whole_write_begin;
  whole_port.commit = whole_commit_again;
  whole_open(&w, &config);
  whole_change(&w);
  now = svc_clock_now(w.t.s);
  whole_spoiled = 1000;
  munit_assert_int(svc_snapshot_restore(w.t.s, w.taken), ==, SVC_BUSY);
  munit_assert_int64(svc_clock_now(w.t.s), ==, now);
  whole_spoiled = 3;
  whole_back(&w);
  munit_assert_int64(svc_clock_now(w.t.s), ==, T_START);
  munit_assert_int(whole_spoiled, ==, 0);
  whole_close(&w);
}

/* ------------------------------------------------------------------------------------------------------------------ files */

static int whole_load(svc *s, const svc_response *file, size_t n, svc_snapshot **out)
{
  return svc_snapshot_load(s, file->body, n, out);
}

/* Loading the file gives another handle the state of the first handle. */
TEST(whole, file)
{
  svc_config config = { .manual_clock = T_START, .seed = 7 };
  svc_snapshot *loaded;
  svc_response file;
  whole_world w;
  t_service other;
  whole_open(&w, &config);
  munit_assert_int(svc_snapshot_save(w.taken, &file), ==, SVC_OK);
  t_open(&other, &config);
  munit_assert_int(svc_clock_advance(other.s, HOUR), ==, SVC_OK);
  munit_assert_int(whole_load(other.s, &file, file.body_length, &loaded), ==, SVC_OK);
  munit_assert_int(svc_snapshot_restore(other.s, loaded), ==, SVC_OK);
  munit_assert_int(svc_snapshot_restore(w.t.s, loaded), ==, SVC_INVALID); /* the snapshot belongs to the other handle */
  munit_assert_int64(svc_clock_now(other.s), ==, T_START);
  munit_assert_size(store_whole(other.s), ==, 1);
  munit_assert_int(t_sendf(&other, "GET", NULL, "/groups/%s/clusters/C", w.group), ==, 200);
  munit_assert_string_equal(t_str(&other, "stateName"), "CREATING");
  munit_assert_int(svc_clock_advance(other.s, 10000), ==, SVC_OK);
  munit_assert_int(t_sendf(&other, "GET", NULL, "/groups/%s/clusters/C", w.group), ==, 200);
  munit_assert_string_equal(t_str(&other, "stateName"), "IDLE");
  svc_snapshot_free(loaded);
  svc_response_free(&file);
  t_close(&other);
  whole_close(&w);
}

static void whole_found(void *context, const char *text)
{
  munit_assert_char(text[0], !=, '\0');
  ++*(int *)context;
}

/* Loads an altered file with a valid checksum. Either the load refuses the file, or a restore succeeds or changes nothing. Afterwards the check
** of the store runs to its end, and the first snapshot can be restored. Returns the number of problems in the store; -1: refused. */
static int whole_altered(whole_world *w, const char *bytes, size_t n)
{
  svc_snapshot *loaded = NULL;
  int problems = 0, rc = svc_snapshot_load(w->t.s, bytes, n, &loaded);
  munit_assert_int(loaded != NULL, ==, rc == SVC_OK);
  if (rc == SVC_OK) {
    rc = svc_snapshot_restore(w->t.s, loaded);
    if (rc != SVC_OK) munit_assert_true(store_print(w->t.s) == w->print);
    munit_assert_int(svc_check_store(w->t.s, whole_found, &problems), ==, problems ? SVC_CORRUPT : SVC_OK);
    whole_back(w);
    svc_snapshot_free(loaded);
  }
  if (rc != SVC_OK && rc != SVC_CORRUPT && rc != SVC_INVALID) munit_errorf("%s", svc_strerror(rc));
  return rc == SVC_OK ? problems : -1;
}

/* Files that are truncated, altered, too large, of another store format or of another vendor are refused. */
TEST(whole, file_refused)
{
  svc_config config = { .manual_clock = T_START }, vendor = { .manual_clock = T_START, .vendor = "acme" },
    small = { .manual_clock = T_START, .max_snapshot = 1000 };
  svc_snapshot *loaded = NULL;
  svc_response file;
  whole_world w;
  t_service other;
  char *bytes;
  size_t i;
  whole_open(&w, &config);
  munit_assert_int(svc_snapshot_save(w.taken, &file), ==, SVC_OK);
  for (i = 0; i < file.body_length; i += 1 + file.body_length / 97) {
    munit_assert_int(whole_load(w.t.s, &file, i, &loaded), ==, SVC_CORRUPT);
    munit_assert_null(loaded);
  }
  bytes = malloc(file.body_length);
  for (i = 0; i < file.body_length; i += 1 + file.body_length / 97) {
    memcpy(bytes, file.body, file.body_length);
    bytes[i] ^= 1;
    munit_assert_int(svc_snapshot_load(w.t.s, bytes, file.body_length, &loaded), ==, SVC_CORRUPT);
  }
  memcpy(bytes, file.body, file.body_length);
  bytes[8]++; /* the version of the store format */
  w.t.log[0] = '\0';
  svc_sha256((svc_str){ bytes, file.body_length - 32 }, (unsigned char *)bytes + file.body_length - 32);
  munit_assert_int(svc_snapshot_load(w.t.s, bytes, file.body_length, &loaded), ==, SVC_INVALID);
  munit_assert_not_null(strstr(w.t.log, "another store format"));
  free(bytes);
  t_open(&other, &vendor);
  munit_assert_int(whole_load(other.s, &file, file.body_length, &loaded), ==, SVC_INVALID);
  munit_assert_not_null(strstr(other.log, "another vendor word"));
  t_close(&other);
  t_open(&other, &small);
  munit_assert_int(whole_load(other.s, &file, file.body_length, &loaded), ==, SVC_FULL);
  t_close(&other);
  svc_response_free(&file);
  munit_assert_int(svc_snapshot_save(NULL, &file), ==, SVC_INVALID);
  munit_assert_int(svc_snapshot_load(w.t.s, NULL, 0, &loaded), ==, SVC_INVALID);
  whole_close(&w);
}

/* Gives the bytes a valid checksum, and expects that they are refused as those of a machine of the other byte order. */
static void whole_foreign(whole_world *w, char *bytes, size_t n)
{
  svc_snapshot *loaded = NULL;
  svc_response answer;
  char *log = w->t.log;
  static const char token[] = "a-token-of-32-characters-or-more";
  static const svc_header headers[] = { { "Content-Type", "application/octet-stream", 0, 0 },
                                        { "Authorization", "Bearer a-token-of-32-characters-or-more", 0, 0 },
                                        { "Host", "127.0.0.1:8080", 0, 0 } };
  svc_request request = { .method = "PUT", .target = "/_svc/snapshots/foreign", .peer = "127.0.0.1", .headers = headers,
                          .header_count = 3, .body = bytes, .body_length = n };
  svc_sha256((svc_str){ bytes, n - 32 }, (unsigned char *)bytes + n - 32);
  log[0] = '\0';
  munit_assert_int(svc_snapshot_load(w->t.s, bytes, n, &loaded), ==, SVC_INVALID);
  munit_assert_null(loaded);
  munit_assert_not_null(strstr(log, "-endian machine, and this machine is "));
  munit_assert_not_null(strstr(log, "svcd export and svcd import"));
  munit_assert_int(svc_control_request(w->t.s, token, &request, &answer), ==, SVC_OK);
  munit_assert_int(answer.status, ==, 400);
  munit_assert_not_null(strstr(answer.body, "-endian machine, and this machine is "));
  svc_response_free(&answer);
  whole_back(w);
}

/* Records have numbers in the byte order of their machine. The magic names the order. In files of version 1.0.0, whose magic did not,
** the record of the store's format tells. */
TEST(whole, file_byte_order)
{
  static const char schema[] = "\7\0\0\0\4\0\0\0mschema";
  svc_config config = { .manual_clock = T_START };
  svc_snapshot *loaded = NULL;
  svc_response file;
  whole_world w;
  const uint16_t one = 1;
  bool little = *(const char *)&one == 1;
  char *bytes, *at;
  whole_open(&w, &config);
  munit_assert_int(svc_snapshot_save(w.taken, &file), ==, SVC_OK);
  munit_assert_memory_equal(8, file.body, little ? "svcsnap1" : "svcsnapB");
  bytes = munit_malloc(file.body_length);
  memcpy(bytes, file.body, file.body_length);
  memcpy(bytes, little ? "svcsnapB" : "svcsnap1", 8);
  at = memmem(bytes, file.body_length, schema, sizeof schema - 1);
  munit_assert_not_null(at);
  if (little) whole_foreign(&w, bytes, file.body_length); /* with "svcsnap1" the record decides */
  memcpy(bytes, "svcsnap1", 8);
  at += sizeof schema - 1;
  memcpy(at, little ? "\0\0\0\5" : "\5\0\0\0", 4);
  whole_foreign(&w, bytes, file.body_length);
  memcpy(bytes, file.body, file.body_length);
  memcpy(bytes, "svcsnap1", 8); /* as version 1.0.0 wrote it here */
  svc_sha256((svc_str){ bytes, file.body_length - 32 }, (unsigned char *)bytes + file.body_length - 32);
  munit_assert_int(svc_snapshot_load(w.t.s, bytes, file.body_length, &loaded), ==, SVC_OK);
  svc_snapshot_free(loaded);
  free(bytes);
  svc_response_free(&file);
  whole_close(&w);
}

#define WHOLE_STORED ((size_t)1 << 20)

/* Files that test/check/foreign.c wrote on s390x, and with version 1.0.0 on s390x and x86-64. */
TEST(whole, file_stored)
{
  static const struct {
    const char *name;
    bool little;
  } files[] = { { "snapshot-big-endian", false }, { "snapshot-big-endian-1.0.0", false }, { "snapshot-little-endian-1.0.0", true } };
  svc_config config = { .manual_clock = T_START };
  const uint16_t one = 1;
  const bool little = *(const char *)&one == 1;
  char command[128], *bytes = munit_malloc(WHOLE_STORED);
  svc_snapshot *loaded;
  whole_world w;
  size_t i, n;
  FILE *f;
  whole_open(&w, &config);
  for (i = 0; i < sizeof files / sizeof files[0]; i++) {
    snprintf(command, sizeof command, "gzip -dc test/formats/%s.gz", files[i].name);
    f = popen(command, "r");
    munit_assert_not_null(f);
    n = fread(bytes, 1, WHOLE_STORED, f);
    munit_assert_int(pclose(f), ==, 0);
    munit_assert_size(n, >, 1000);
    if (files[i].little != little) {
      whole_foreign(&w, bytes, n);
      continue;
    }
    munit_assert_int(svc_snapshot_load(w.t.s, bytes, n, &loaded), ==, SVC_OK);
    munit_assert_int(svc_snapshot_restore(w.t.s, loaded), ==, SVC_OK);
    store_whole(w.t.s);
    svc_snapshot_free(loaded);
    whole_back(&w);
  }
  free(bytes);
  whole_close(&w);
}

/* An altered file with a valid checksum is refused, or gives a store that can be checked and replaced again. */
TEST(whole, file_altered)
{
  svc_config config = { .manual_clock = T_START };
  int problems, seen[3] = { 0 }; /* files that are refused, with problems, and without */
  svc_response file;
  whole_world w;
  char *bytes;
  size_t i;
  whole_open(&w, &config);
  munit_assert_int(svc_snapshot_save(w.taken, &file), ==, SVC_OK);
  bytes = munit_malloc(file.body_length);
  for (i = 8; i + 32 < file.body_length; i += 1 + file.body_length / 997) {
    memcpy(bytes, file.body, file.body_length);
    bytes[i] = (char)(bytes[i] ^ 0x80);
    svc_sha256((svc_str){ bytes, file.body_length - 32 }, (unsigned char *)bytes + file.body_length - 32);
    problems = whole_altered(&w, bytes, file.body_length);
    seen[problems < 0 ? 0 : problems ? 1 : 2]++;
  }
  for (i = 0; i < 3; i++) munit_assert_int(seen[i], >, 10);
  free(bytes);
  svc_response_free(&file);
  whole_close(&w);
}

/* Secrets that this handle cannot decrypt are refused. Without sealed secrets another key does not matter. */
TEST(whole, file_sealed)
{
  static const unsigned char key[32] = "another key that seals secrets.";
  static const char hook[] = "{\"type\":\"WEBHOOK\",\"url\":\"https://example.com/hook\",\"secret\":\"a secret of some length\"}";
  svc_config config = { .manual_clock = T_START }, second = { .manual_clock = T_START, .secret_key = key };
  svc_snapshot *loaded = NULL, *sealed;
  svc_response file;
  whole_world w;
  t_service other;
  whole_open(&w, &config);
  t_open(&other, &second);
  munit_assert_int(svc_snapshot_save(w.taken, &file), ==, SVC_OK);
  munit_assert_int(whole_load(other.s, &file, file.body_length, &loaded), ==, SVC_OK);
  munit_assert_int(svc_snapshot_restore(other.s, loaded), ==, SVC_OK);
  munit_assert_int(t_sendf(&other, "POST", hook, "/groups/%s/integrations/WEBHOOK", w.group), ==, 201);
  svc_snapshot_free(loaded);
  svc_response_free(&file);
  munit_assert_int(svc_snapshot_take(other.s, &sealed), ==, SVC_OK);
  munit_assert_int(svc_snapshot_save(sealed, &file), ==, SVC_OK);
  munit_assert_int(whole_load(w.t.s, &file, file.body_length, &loaded), ==, SVC_INVALID);
  munit_assert_not_null(strstr(w.t.log, "sealed by another secret key"));
  munit_assert_int(whole_load(other.s, &file, file.body_length, &loaded), ==, SVC_OK);
  svc_snapshot_free(loaded);
  svc_snapshot_free(sealed);
  svc_response_free(&file);
  t_close(&other);
  whole_close(&w);
}

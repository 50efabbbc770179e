/*
** Failure injection: every operation fails once at every place.
**
** Suites check the behavior of the service. With SVC_TEST_FAIL set, each of their requests runs many times before the real run,
** and each time one call fails: an allocation of its arena, malloc, the random source, a hash, or a call of the store. The same
** holds for work outside of requests: due steps, orders to the driver, opening or checking a store. So all code that a suite
** covers is also tested with failures, without separate tests.
**
** A failure belongs to a place: the calls that lead to it, identified by their return addresses. An attempt runs until it reaches
** a place that has not failed yet. The new place fails, and is remembered in a file that all processes of a run share (named by
** SVC_TEST_FAIL). An attempt that reaches no new place is the last one. So the cost depends on the number of places, not on the
** number of requests.
**
** The rule: an attempt changes nothing. The port in front of the store aborts each commit and reports that the disk failed. The
** state of a handle outside its store (buckets, nonces, ids, due times) is restored. Each attempt must show:
**
**   - the status of a failure, 500, 503 or 507, or success where the failing call is not needed; __wrap_svc_takes_part() has such a case;
**   - a complete answer;
**   - no commit of a transaction in which a call failed, because half a change must not be stored;
**   - no crash, and under ASan no leak.
**
** Not covered: processes with several threads, stores and allocators that a test counts or makes fail itself, and the tests in
** the list below.
*/
#define _GNU_SOURCE
#include "fail.h"

#include "catalog/policy/policy_language.h"
#include "control/control.h"
#include "faults.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAIL_ROOM ((size_t)1 << 20) /* places; a power of two */
#define FAIL_DEPTH 40               /* calls that identify a place */
#define FAIL_MOST 20000             /* attempts at one piece of work */
#define FAIL_WORKS ((size_t)1 << 16) /* distinct pieces of work; a power of two */

/* Tests that cannot be repeated, because of what they measure. `test` NULL: the whole suite. */
static const struct {
  const char *suite, *test, *why;
} fail_list[] = {
  { "io", NULL, "it lets calls to the system fail itself, and counts them" },
  { "damage", NULL, "its time is bounded, and its stores are damaged already" },
  { "corpus", "/record", "it counts the steps of a request" },
  { "user", "/many_roles", "it counts memory" },
  { "stream_processor", "/megabyte", "it measures time" },
  { "quota_full", NULL, "it measures time" },
  { "catalog", "/reachable", "it follows thousands of links, and many answers are long: minutes, for places that others reach" },
  { "online_archive", "/logs", "it counts what the driver is asked" },
  { "stats", "/slow", "it reads a log line that comes once a minute" },
  { "openapi", "/described", "its function counts how often it is called" },
  { "driver", "/questions", "its driver makes requests of its own while it is asked" },
  { "cascade", NULL, "its hooks count how often they are called, and assert what they find" },
  { "element", "/create", "its hooks count how often they are called" },
  { "element", "/delete", "its hooks count how often they are called" },
  { "ledger", NULL, "its hooks assert what they find" },
};

bool t_fail_off_for(const char *suite, const char *test)
{
  size_t i;
  for (i = 0; i < sizeof fail_list / sizeof fail_list[0]; i++)
    if (strcmp(fail_list[i].suite, suite) == 0 && (!fail_list[i].test || strcmp(fail_list[i].test, test) == 0)) return true;
  return false;
}

static const char *const fail_words[T_FAILS] = { "nothing", "memory", "malloc", "random", "crypto", "io", "full", "again", "gone", "cut" };

static struct {
  _Atomic(uint64_t) *places; /* hashes of the places that have failed; NULL: failures are off */
  struct fail_tried {        /* for each piece of work */
    atomic_uint seen, idle;  /* how often it ran; how many runs in a row found no new place */
  } *works;
  int said;                  /* file for complaints */
  bool off;
  bool trying;               /* an attempt is running */
  enum t_fail hit;           /* the failure of this attempt; T_FAIL_NONE: none yet */
  bool hit_in_txn, forgiven; /* the failure was in the open transaction; success is correct in spite of it */
  bool paused;               /* a function of the host is running */
  bool no_room;              /* SVC_NO_ROOM was returned although there is room */
  bool keep;                 /* commits are kept */
  const char *limit;         /* the stack frame of the function that makes the attempts */
  uintptr_t trail[FAIL_DEPTH];
  size_t depth;
  long attempts, complaints;
  uint64_t random;
  const svc_store_port *real; /* the store port that `port` wraps */
  svc_store_port port;
} fail;

extern const char __executable_start, etext;

void t_fail_begin(void)
{
  const char *name = getenv("SVC_TEST_FAIL");
  const size_t size = FAIL_ROOM * sizeof *fail.places + FAIL_WORKS * sizeof *fail.works;
  char said[512];
  void *p;
  int fd;
  if (!name) return;
  fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  snprintf(said, sizeof said, "%s.said", name);
  fail.said = open(said, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0 || fail.said < 0 || ftruncate(fd, (off_t)size) != 0) munit_errorf("cannot write %s", name);
  p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED) munit_errorf("cannot map %s", name);
  fail.places = p;
  fail.works = (struct fail_tried *)(fail.places + FAIL_ROOM);
  close(fd);
}

void *t_fail_off(const MunitParameter params[], void *data)
{
  (void)params;
  fail.off = true;
  return data;
}

/* --------------------------------------------------------------------------------------------------------------- places */

/* Returns false if the place was known. */
static bool fail_remember(uint64_t place)
{
  size_t i = (size_t)place & (FAIL_ROOM - 1), tries;
  for (tries = 0; tries < FAIL_ROOM; tries++, i = (i + 1) & (FAIL_ROOM - 1)) {
    uint64_t there = 0;
    if (atomic_compare_exchange_strong(&fail.places[i], &there, place)) return true;
    if (there == place) return false;
  }
  return false;
}

/* Hashes the return addresses from here up to the function that makes the attempts, along the chain of frames. Code compiled
   without frame pointers breaks the chain, and may lead to any address on the stack: the walk ends there. */
__attribute__((no_sanitize("address")))
static uint64_t fail_place(enum t_fail what, const char *frame)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)what;
  fail.depth = 0;
  while (frame < fail.limit && fail.depth < FAIL_DEPTH) {
    const char *next;
    uintptr_t back;
    memcpy(&next, frame, sizeof next);
    memcpy(&back, frame + sizeof next, sizeof back);
    if (back < (uintptr_t)&__executable_start || back >= (uintptr_t)&etext) break;
    back -= (uintptr_t)&__executable_start;
    fail.trail[fail.depth++] = back;
    hash = (hash ^ back) * UINT64_C(0x100000001b3);
    hash ^= hash >> 29;
    if (next <= frame || (uintptr_t)next % sizeof(void *)) break;
    frame = next;
  }
  return hash ? hash : 1;
}

bool t_fails(enum t_fail what)
{
  if (!fail.trying || fail.hit || fail.paused || !fail_remember(fail_place(what, __builtin_frame_address(0)))) return false;
  fail.hit = what;
  return fail.hit_in_txn = true;
}

/* Returns true if a call failed in a way that the result must show. Retried work gives the normal result. A damaged or missing
   record is not always noticed: there the code only must not crash. */
static bool fail_must_tell(void)
{
  return fail.hit && fail.hit < T_FAIL_AGAIN && !fail.forgiven;
}

/* Prints the place of the failure, for addr2line: the outermost call last. */
static void fail_complain(const char *work, const char *format, ...) SVC_PRINTF(2, 3);
static void fail_complain(const char *work, const char *format, ...)
{
  char text[4096];
  size_t n, i;
  va_list args;
  n = (size_t)snprintf(text, sizeof text, "%s, %s failed: ", work, fail_words[fail.hit]);
  va_start(args, format);
  n += (size_t)vsnprintf(text + n, sizeof text - n, format, args);
  va_end(args);
  if (n > 2000) n = 2000;
  n += (size_t)snprintf(text + n, sizeof text - n, " @");
  for (i = 0; i < fail.depth; i++) n += (size_t)snprintf(text + n, sizeof text - n, " %#lx", (unsigned long)fail.trail[i]);
  text[n++] = '\n';
  if (write(fail.said, text, n) < 0) abort();
  fail.complaints++;
}

/* ----------------------------------------------------------------------------------------------------------- the store */

static const char *fail_work; /* name of the work being tried, for complaints */

/* Returns SVC_OK if the call is to proceed normally. SVC_NO_ROOM is temporary: the store reports it and then grows. SVC_FULL
   is permanent. */
static int fail_store(bool writes)
{
  if (t_fails(T_FAIL_IO)) return SVC_IO;
  if (writes && t_fails(T_FAIL_FULL)) return SVC_FULL;
  return writes && (fail.no_room = t_fails(T_FAIL_AGAIN)) ? SVC_NO_ROOM : SVC_OK;
}

static int fail_get(svc_txn *txn, svc_str key, svc_str *value)
{
  int rc = fail_store(false);
  if (rc == SVC_OK) rc = fail.real->get(txn, key, value);
  if (rc == SVC_OK && t_fails(T_FAIL_GONE)) return SVC_NOT_FOUND;
  if (rc == SVC_OK && t_fails(T_FAIL_CUT)) value->n /= 2;
  return rc;
}

static int fail_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values)
{
  int rc = fail_store(false);
  if (rc == SVC_OK) rc = fail.real->get_many(txn, keys, n, values);
  if (rc == SVC_OK && n && values[0].p && t_fails(T_FAIL_GONE)) values[0] = (svc_str){ NULL, 0 };
  if (rc == SVC_OK && n && values[0].p && t_fails(T_FAIL_CUT)) values[0].n /= 2;
  return rc;
}

static int fail_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  int rc = fail_store(false);
  *n = 0;
  if (rc == SVC_OK) rc = fail.real->scan(txn, range, rows, most, n);
  if (rc == SVC_OK && *n && t_fails(T_FAIL_GONE)) *n = 0;
  if (rc == SVC_OK && *n && t_fails(T_FAIL_CUT)) rows[0].value.n /= 2;
  return rc;
}

static int fail_count(svc_txn *txn, svc_str key, int64_t *out)
{
  int rc = fail_store(false);
  if (rc == SVC_OK) rc = fail.real->count(txn, key, out);
  if (rc == SVC_OK && *out && t_fails(T_FAIL_GONE)) *out = 0;
  return rc;
}

static int fail_put(svc_txn *txn, svc_str key, svc_str value)
{
  int rc = fail_store(true);
  return rc != SVC_OK ? rc : fail.real->put(txn, key, value);
}

static int fail_remove(svc_txn *txn, svc_str key)
{
  int rc = fail_store(true);
  return rc != SVC_OK ? rc : fail.real->remove(txn, key);
}

static int fail_remove_range(svc_txn *txn, svc_str from, svc_str to)
{
  int rc = fail_store(true);
  return rc != SVC_OK ? rc : fail.real->remove_range(txn, from, to);
}

static int fail_count_add(svc_txn *txn, svc_str key, int64_t delta)
{
  int rc = fail_store(true);
  return rc != SVC_OK ? rc : fail.real->count_add(txn, key, delta);
}

static int fail_numbers_from(svc_txn *txn, uint64_t least)
{
  int rc = fail_store(true);
  return rc != SVC_OK ? rc : fail.real->numbers_from(txn, least);
}

static int fail_copy_begin(svc_txn *txn)
{
  int rc = fail_store(true);
  return rc != SVC_OK ? rc : fail.real->copy_begin(txn);
}

/* Only statistics need the size of the store, and they may lack the size. */
static int fail_size(svc_txn *txn, uint64_t *taken, uint64_t *room)
{
  int rc = fail_store(false);
  if (rc != SVC_OK) fail.forgiven = true;
  return rc != SVC_OK ? rc : fail.real->size(txn, taken, room);
}

static int fail_open(svc_store **out, const svc_config *config, char *why, size_t why_size)
{
  int rc = fail_store(true);
  return rc != SVC_OK ? rc : fail.real->open(out, config, why, why_size);
}

static int fail_room(svc_store *store, int what)
{
  bool ours = fail.no_room;
  fail.no_room = false;
  if (t_fails(T_FAIL_IO)) return SVC_IO;
  return ours || what == SVC_ROOM_DONE ? SVC_OK : fail.keep ? fail.real->room(store, what) : SVC_FULL;
}

/* LMDB's own functions call through svc_txn.port, so the transaction must point to this port. */
static int fail_read_begin(svc_store *store, svc_txn **out)
{
  int rc = fail_store(false);
  if (rc == SVC_OK) rc = fail.real->read_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &fail.port;
  return rc;
}

static int fail_write_begin(svc_store *store, svc_txn **out)
{
  int rc = fail_store(true);
  if (rc == SVC_OK) rc = fail.real->write_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &fail.port;
  fail.hit_in_txn = false;
  return rc;
}

static int fail_draft_begin(svc_store *store, svc_txn **out)
{
  int rc = fail_store(false);
  if (rc == SVC_OK) rc = fail.real->draft_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &fail.port;
  return rc;
}

static bool fail_draft_write(svc_txn *txn)
{
  fail.hit_in_txn = false;
  return !t_fails(T_FAIL_AGAIN) && fail.real->draft_write(txn);
}

/* Aborts, unless commits are to be kept. */
static int fail_commit(svc_txn *txn)
{
  int rc;
  if (fail.hit_in_txn && fail_must_tell()) fail_complain(fail_work, "and what was done with it is committed");
  rc = t_fails(T_FAIL_AGAIN) ? SVC_RETRY : fail_store(true);
  if (rc == SVC_OK && fail.keep) return fail.real->commit(txn);
  fail.real->abort(txn);
  return rc != SVC_OK ? rc : SVC_IO;
}

static void fail_before(const svc_store_port *real)
{
  fail.real = real;
  fail.port = *real;
  fail.port.open = fail_open;
  fail.port.read_begin = fail_read_begin;
  fail.port.write_begin = fail_write_begin;
  if (real->draft_begin) fail.port.draft_begin = fail_draft_begin;
  if (real->draft_write) fail.port.draft_write = fail_draft_write;
  fail.port.commit = fail_commit;
  if (real->size) fail.port.size = fail_size;
  fail.port.get = fail_get;
  fail.port.get_many = fail_get_many;
  fail.port.scan = fail_scan;
  fail.port.put = fail_put;
  fail.port.remove = fail_remove;
  fail.port.remove_range = fail_remove_range;
  fail.port.count = fail_count;
  fail.port.count_add = fail_count_add;
  fail.port.room = fail_room;
  fail.port.copy_begin = fail_copy_begin;
  fail.port.numbers_from = fail_numbers_from;
}

/* ------------------------------------------------------------------------------------------------------------- the host */

static int fail_random(void *context, void *buffer, size_t size)
{
  unsigned char *to = buffer;
  (void)context;
  if (t_fails(T_FAIL_RANDOM)) return -1;
  while (size--) *to++ = (unsigned char)(svc_seed_next(&fail.random) >> 24);
  return 0;
}

static void fail_log(void *context, int level, const char *text)
{
  (void)context, (void)level, (void)text;
}

static int fail_notify(void *context, svc *s, const svc_notification *notification)
{
  (void)context, (void)s, (void)notification;
  return SVC_OK;
}

/* Orders go to no driver. Questions go to the driver, because the work needs their answers: each is asked once, and its answer reused. */
static struct {
  const svc_driver *real;
  svc_driver driver;
  struct {
    char *question, *bytes;
    size_t length;
    int rc;
  } answers[16];
  size_t count;
  int turn;
} fail_driver;

static int fail_perform(void *context, svc *s, const svc_order *order)
{
  static const int says[] = { SVC_OK, SVC_BUSY, SVC_IO };
  (void)context, (void)s, (void)order;
  return says[fail_driver.turn++ % 3];
}

static void fail_question(char *out, size_t size, const svc_question *q)
{
  snprintf(out, size, "%s\n%s\n%s\n%s\n%s\n%s\n%s", q->what, q->resource ? q->resource : "", q->resource_id ? q->resource_id : "",
           q->group_id ? q->group_id : "", q->org_id ? q->org_id : "", q->name ? q->name : "", q->parameters ? q->parameters : "");
}

static int fail_ask(void *context, svc *s, const svc_question *question, svc_reply *reply)
{
  static char text[65536];
  size_t i;
  (void)context;
  fail_question(text, sizeof text, question);
  for (i = 0; i < fail_driver.count; i++)
    if (strcmp(fail_driver.answers[i].question, text) == 0) break;
  if (i == sizeof fail_driver.answers / sizeof fail_driver.answers[0]) return SVC_BUSY;
  if (i == fail_driver.count) {
    fail.paused = true;
    fail_driver.answers[i].rc = fail_driver.real->ask(fail_driver.real->context, s, question, reply);
    fail_driver.answers[i].question = strdup(text);
    fail_driver.answers[i].length = reply->length;
    fail_driver.answers[i].bytes = malloc(reply->length + 1);
    if (reply->length) memcpy(fail_driver.answers[i].bytes, reply->bytes, reply->length);
    fail_driver.count++;
    fail.paused = false;
    return fail_driver.answers[i].rc;
  }
  if (svc_reply_add(reply, fail_driver.answers[i].bytes, fail_driver.answers[i].length) != SVC_OK) return SVC_NOMEM;
  return fail_driver.answers[i].rc;
}

static const svc_driver *fail_driver_before(const svc_driver *real)
{
  if (!real) return NULL;
  fail_driver.real = real;
  fail_driver.driver = *real;
  fail_driver.driver.perform = fail_perform;
  if (real->ask) fail_driver.driver.ask = fail_ask;
  return &fail_driver.driver;
}

static void fail_driver_end(void)
{
  while (fail_driver.count) {
    free(fail_driver.answers[--fail_driver.count].question);
    free(fail_driver.answers[fail_driver.count].bytes);
  }
}

/* ----------------------------------------------------------------------------------------------------------- a handle */

/* The state of a handle outside its store. */
typedef struct fail_kept {
  svc_config config;
  const svc_store_port *port;
  svc_ids ids;
  unsigned last_batch, due_second;
  int64_t due, next, session_due;
  unsigned watch, sign_ins_said;
  unsigned long sign_ins_failed, order_retries;
  svc_counters *counters;
  void *limiter, *digest;
  struct {
    int64_t now, rate, since;
    uint64_t random, chance;
    svc_fault faults[SVC_FAULTS];
    const svc_plan *of[SVC_FAULTS];
    size_t fault_count;
    int last_id;
  } control;
  svc_failure failures[SVC_FAILURES];
  size_t failure_count;
} fail_kept;

#define FAIL_CONTROL(to, from) /* the state of test control that is not kept under a name */ \
  ((to)->now = (from)->now, (to)->rate = (from)->rate, (to)->since = (from)->since, (to)->random = (from)->random, (to)->chance = (from)->chance, \
   memcpy((to)->faults, (from)->faults, sizeof (to)->faults), memcpy((to)->of, (from)->of, sizeof (to)->of), \
   (to)->fault_count = (from)->fault_count, (to)->last_id = (from)->last_id)

static void fail_keep_failures(const svc_failures *from, fail_kept *k)
{
  k->failure_count = from ? from->count : 0;
  if (from) memcpy(k->failures, from->rules, sizeof k->failures);
}

/* An attempt may have been the first to add a rule. */
static void fail_restore_failures(svc_failures *to, const fail_kept *k)
{
  if (!to) return;
  to->count = k->failure_count;
  if (to->count) memcpy(to->rules, k->failures, sizeof to->rules);
}

static void fail_keep(svc *s, fail_kept *k)
{
  k->config = s->config;
  k->port = s->commit.port;
  k->ids = s->commit.ids;
  k->last_batch = s->commit.last_batch;
  k->due_second = atomic_load(&s->commit.due_second);
  k->due = s->commit.due;
  k->next = s->commit.next;
  k->session_due = s->session_due;
  k->watch = atomic_load(&s->watch);
  k->sign_ins_said = atomic_load(&s->sign_ins_said);
  k->sign_ins_failed = atomic_load(&s->sign_ins_failed);
  k->order_retries = atomic_load(&s->orders.retries);
  k->counters = s->counters;
  FAIL_CONTROL(&k->control, s->control);
  fail_keep_failures(s->control->failures, k);
  k->limiter = s->limiter ? malloc(svc_limiter_size(s->limiter)) : NULL;
  k->digest = s->digest ? malloc(svc_digest_size()) : NULL;
  if (k->limiter) svc_limiter_save(s->limiter, k->limiter);
  if (k->digest) svc_digest_save(s->digest, k->digest);
}

/* Restores the state, but with the host functions of this file. */
static void fail_prepare(svc *s, const fail_kept *k)
{
  s->commit.ids = k->ids;
  s->commit.last_batch = k->last_batch;
  s->commit.due = k->due;
  s->commit.next = k->next;
  s->session_due = k->session_due;
  atomic_store(&s->commit.due_second, k->due_second);
  atomic_store(&s->sign_ins_said, k->sign_ins_said);
  atomic_store(&s->sign_ins_failed, k->sign_ins_failed);
  atomic_store(&s->orders.retries, k->order_retries);
  if (k->limiter) svc_limiter_restore(s->limiter, k->limiter);
  if (k->digest) svc_digest_restore(s->digest, k->digest);
  FAIL_CONTROL(s->control, &k->control);
  fail_restore_failures(s->control->failures, k);
  atomic_store(&s->watch, 0);
  s->counters = NULL;
  s->commit.port = &fail.port;
  s->commit.ids.random = fail_random;
  s->commit.ids.random_context = NULL;
  s->config.log = fail_log;
  s->config.log_event = NULL;
  if (k->config.notify) s->config.notify = fail_notify;
  if (k->config.driver) s->config.driver = &fail_driver.driver;
  fail.random = 7;
  fail_driver.turn = (int)fail.attempts;
}

static void fail_put_back(svc *s, fail_kept *k)
{
  fail_prepare(s, k);
  s->commit.ids = k->ids;
  s->commit.port = k->port;
  s->counters = k->counters;
  s->config = k->config;
  atomic_store(&s->watch, k->watch);
  free(k->limiter);
  free(k->digest);
}

/* -------------------------------------------------------------------------------------------------------- the attempts */

/* A piece of work that can run any number of times, and checks its own result. */
typedef struct fail_piece {
  const char *name;
  void (*run)(struct fail_piece *p);
  svc *s; /* NULL: the work creates its own handle */
  bool asked; /* the name identifies the work: a request. Due steps and finished orders differ from test to test */
} fail_piece;

static bool fail_alone(void)
{
  struct stat st;
  return stat("/proc/self/task", &st) == 0 && st.st_nlink == 3; /* one thread */
}

/* Returns true if the test makes its store, limiter or memory fail itself, or counts their calls. */
static bool fail_has_own(const svc *s)
{
  svc_arena plain;
  svc_arena_init(&plain, NULL);
  if (s->commit.port != t_port() || s->limits) return true;
  if (s->allocator.resize == t_memory_resize) return ((const t_memory *)s->allocator.context)->fail_at != 0;
  return s->allocator.resize != plain.allocator.resize;
}

/* Returns true if this work is to be tried with failures. */
static bool fail_may(const svc *s)
{
  return fail.places && !fail.off && !fail.trying && !fail.paused && !t_arena_failing() && !t_fault_set() && (!s || !fail_has_own(s)) && fail_alone();
}

static void __attribute__((noinline)) fail_try(fail_piece *p, const fail_kept *kept)
{
  fail.limit = __builtin_frame_address(0);
  fail.hit = T_FAIL_NONE;
  fail.hit_in_txn = fail.forgiven = false;
  fail.depth = 0;
  fail.attempts++;
  if (p->s) fail_prepare(p->s, kept);
  p->run(p);
}

/* Finds the entry for this work; ids and digits in its name are ignored. Work that is not a request is distinct per test process. */
static struct fail_tried *fail_tried_of(const fail_piece *p)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (p->asked ? 0 : (uint64_t)getpid());
  const char *name;
  for (name = p->name; *name; name++) {
    size_t hex = strspn(name, "0123456789abcdef");
    bool id = hex >= 24, digit = *name >= '0' && *name <= '9';
    if (id) name += hex - 1;
    hash = (hash ^ (unsigned char)(id || digit ? '0' : *name)) * UINT64_C(0x100000001b3);
  }
  return &fail.works[(hash ^ hash >> 32) & (FAIL_WORKS - 1)];
}

/* Returns true if another attempt is worthwhile. The longer no new place was found, the fewer attempts. */
static bool fail_worth(struct fail_tried *tried)
{
  unsigned seen = atomic_fetch_add(&tried->seen, 1), idle = atomic_load(&tried->idle);
  return idle < 4 || seen % (idle < 12 ? 4 : 32) == 0;
}

static void fail_all(fail_piece *p)
{
  struct fail_tried *tried = fail_tried_of(p);
  fail_kept kept;
  long n = 0, complaints = fail.complaints;
  if (!fail_worth(tried)) return;
  fail_work = p->name;
  if (p->s) {
    fail_before(p->s->commit.port);
    fail_driver_before(p->s->config.driver);
    fail_keep(p->s, &kept);
  }
  fail.trying = true;
  do fail_try(p, &kept);
  while (fail.hit && ++n < FAIL_MOST);
  fail.trying = false;
  fail.hit = T_FAIL_NONE;
  if (n) atomic_store(&tried->idle, 0);
  else atomic_fetch_add(&tried->idle, 1);
  if (n == FAIL_MOST) fail_complain(p->name, "there is no end to it");
  if (p->s) fail_put_back(p->s, &kept);
  fail_driver_end();
  if (fail.complaints > complaints && !getenv("SVC_TEST_FAIL_ON"))
    munit_errorf("%s: %ld complaints, see the file that SVC_TEST_FAIL names, with .said behind it", p->name, fail.complaints - complaints);
}

/* ------------------------------------------------------------------------------------------------------------ requests */

typedef struct fail_request {
  fail_piece piece; /* must be first: pointers are cast back */
  const svc_request *request;
  char name[256];
} fail_request;

int __real_svc_handle_request(svc *s, const svc_request *request, svc_response *response);

static bool fail_is_json(const svc_response *r)
{
  const char *type = svc_response_header(r, "Content-Type");
  return type && strstr(type, "json") && r->body_length;
}

/* Success is right if the failure only keeps the driver, or the simulation, from being asked: the change of a query shape then leaves out
** the text of the query. */
static bool fail_leaves_out(const fail_piece *p)
{
  return strncmp(p->name, "PATCH ", 6) == 0 && strstr(p->name, "/queryShapes/");
}

static void fail_look(fail_piece *p, int rc, const svc_response *r)
{
  svc_json_fault fault = { 0, "" };
  svc_arena arena;
  bool bad = rc == SVC_NOMEM || (rc == SVC_OK && (r->status == 500 || r->status == 503 || r->status == 507));
  if (rc != SVC_OK && rc != SVC_NOMEM && (rc != SVC_INVALID || fail.hit)) fail_complain(p->name, "the result is %d", rc);
  if (!bad && fail_must_tell() && !fail_leaves_out(p)) fail_complain(p->name, "it is answered with %d: %.200s", r->status, r->body ? r->body : "");
  fail.paused = true;
  svc_arena_init(&arena, NULL);
  if (fail.hit != T_FAIL_CUT && fail_is_json(r) && !svc_json_gate(&arena, (svc_str){ r->body, r->body_length }, 64, &fault))
    fail_complain(p->name, "%d, and no JSON: %s at %zu of %.200s", r->status, fault.what, fault.at, r->body);
  svc_blocks_free(arena.blocks);
  fail.paused = false;
}

static void fail_request_run(fail_piece *p)
{
  fail_request *f = (fail_request *)p;
  svc_response response;
  int rc = __real_svc_handle_request(p->s, f->request, &response);
  fail_look(p, rc, &response);
  svc_response_free(&response);
}

int __real_svc_apply_due(svc *s, int64_t now);
int __wrap_svc_apply_due(svc *s, int64_t now);

void t_fail_request(svc *s, const svc_request *request)
{
  fail_request f = { { f.name, fail_request_run, s, true }, request, "" };
  if (!s || !request || !request->method || !request->target || !fail_may(s)) return;
  if (svc_commit_due(&s->commit, svc_now(s))) __wrap_svc_apply_due(s, svc_now(s));
  snprintf(f.name, sizeof f.name, "%s %s", request->method, request->target);
  fail_all(&f.piece);
}

/* ------------------------------------------------------------------------------------------------------- work outside of requests */

/* The use of access lists is counted in memory, so attempts leave it out. */
void __real_svc_access_use_note(svc *s, const svc_noun_info *list, const svc_id *parent, const svc_id *id, int64_t now, svc_str address);
void __wrap_svc_access_use_note(svc *s, const svc_noun_info *list, const svc_id *parent, const svc_id *id, int64_t now, svc_str address);
void __wrap_svc_access_use_note(svc *s, const svc_noun_info *list, const svc_id *parent, const svc_id *id, int64_t now, svc_str address)
{
  if (!fail.trying) __real_svc_access_use_note(s, list, parent, id, now, address);
}

/* The share of an organization in background work is counted in memory, too: attempts do not use it up. */
int64_t __real_svc_work_begin(svc *s, const svc_id *org, int64_t now, int64_t steps);
int64_t __wrap_svc_work_begin(svc *s, const svc_id *org, int64_t now, int64_t steps);
int64_t __wrap_svc_work_begin(svc *s, const svc_id *org, int64_t now, int64_t steps)
{
  return fail.trying ? 0 : __real_svc_work_begin(s, org, now, steps);
}

void __real_svc_work_end(svc *s, const svc_id *org, int64_t now, int64_t expected, int64_t taken);
void __wrap_svc_work_end(svc *s, const svc_id *org, int64_t now, int64_t expected, int64_t taken);
void __wrap_svc_work_end(svc *s, const svc_id *org, int64_t now, int64_t expected, int64_t taken)
{
  if (!fail.trying) __real_svc_work_end(s, org, now, expected, taken);
}

/* The cache of known callers stores records of callers. Faked records must not get into it. */
void __real_svc_known_keep(svc_call *c, svc_str token, const svc_id *token_id, int64_t expiry);
void __wrap_svc_known_keep(svc_call *c, svc_str token, const svc_id *token_id, int64_t expiry);
void __wrap_svc_known_keep(svc_call *c, svc_str token, const svc_id *token_id, int64_t expiry)
{
  if (fail.hit < T_FAIL_GONE) __real_svc_known_keep(c, token, token_id, expiry);
}

static svc *fail_flushes; /* the service that is writing its counts of uses */

void __real_svc_access_uses_flush(svc *s, int64_t now);
void __wrap_svc_access_uses_flush(svc *s, int64_t now);
void __wrap_svc_access_uses_flush(svc *s, int64_t now)
{
  if (fail.trying) return;
  fail_flushes = s;
  __real_svc_access_uses_flush(s, now);
  fail_flushes = NULL;
}

/* The counts are taken from memory before they are written, so only the commit job itself can be repeated. */
typedef struct fail_job {
  fail_piece piece;
  svc_commit *k;
  svc_job *job;
} fail_job;

int __real_svc_commit_run(svc_commit *k, svc_job *job);
int __wrap_svc_commit_run(svc_commit *k, svc_job *job);

static void fail_job_run(fail_piece *p)
{
  fail_job *f = (fail_job *)p;
  int rc = __real_svc_commit_run(f->k, f->job);
  if (rc == SVC_OK && fail_must_tell()) fail_complain(p->name, "it is said to be good");
}

int __wrap_svc_commit_run(svc_commit *k, svc_job *job)
{
  fail_job f = { { "uses of access lists", fail_job_run, fail_flushes, false }, k, job };
  if (fail_flushes && fail_may(fail_flushes)) fail_all(&f.piece);
  return __real_svc_commit_run(k, job);
}

/* The limiter asks whether the caller takes part. A failing store is reported by later calls, or does not fail again; success
   is correct then. */
bool __real_svc_takes_part(svc_call *c, unsigned hops, uint64_t *roles);
bool __wrap_svc_takes_part(svc_call *c, unsigned hops, uint64_t *roles);
bool __wrap_svc_takes_part(svc_call *c, unsigned hops, uint64_t *roles)
{
  bool before = fail.hit, part = __real_svc_takes_part(c, hops, roles);
  if (fail.hit && !before) fail.forgiven = true;
  return part;
}

/* The next due time is looked up after the work, in the transaction of the work, which has the ids. A refused request stays refused even
   if that lookup fails. */
bool __real_svc_due_first(svc_txn *txn, svc_due_entry *out);
bool __wrap_svc_due_first(svc_txn *txn, svc_due_entry *out);
bool __wrap_svc_due_first(svc_txn *txn, svc_due_entry *out)
{
  bool before = fail.hit, found = __real_svc_due_first(txn, out);
  if (fail.hit && !before && txn->ids) fail.forgiven = true;
  return found;
}

/* A handle keeps parsed policies and the OpenAPI document. If memory runs out while the handle makes them for that, it makes them again,
** without keeping them. */
static bool fail_is_memory(void)
{
  return fail.hit == T_FAIL_MEMORY || fail.hit == T_FAIL_MALLOC;
}

static bool fail_kept_again; /* the latest item has parsed policies, and no call had failed before it was begun */

svc_kept_item *__real_svc_kept_new(svc *s, const char *kind, const svc_id *of, uint64_t version);
svc_kept_item *__wrap_svc_kept_new(svc *s, const char *kind, const svc_id *of, uint64_t version);
svc_kept_item *__wrap_svc_kept_new(svc *s, const char *kind, const svc_id *of, uint64_t version)
{
  fail_kept_again = !fail.hit && memcmp(kind, SVC_POLICY_KIND, SVC_KIND_SIZE) == 0;
  return __real_svc_kept_new(s, kind, of, version);
}

void __real_svc_kept_leave(svc *s, svc_kept_item *item);
void __wrap_svc_kept_leave(svc *s, svc_kept_item *item);
void __wrap_svc_kept_leave(svc *s, svc_kept_item *item)
{
  if (fail_is_memory() && fail_kept_again && (!item || !item->listed)) fail.forgiven = true;
  __real_svc_kept_leave(s, item);
}

/* A faked record must not get into what a handle keeps. */
void __real_svc_kept_put(svc *s, svc_kept_item *item);
void __wrap_svc_kept_put(svc *s, svc_kept_item *item);
void __wrap_svc_kept_put(svc *s, svc_kept_item *item)
{
  if (fail.hit < T_FAIL_GONE) __real_svc_kept_put(s, item);
}

/* Statistics say 0 for a size that is unknown. */
bool __real_svc_health_size(svc *s, uint64_t *taken, uint64_t *room);
bool __wrap_svc_health_size(svc *s, uint64_t *taken, uint64_t *room);
bool __wrap_svc_health_size(svc *s, uint64_t *taken, uint64_t *room)
{
  bool before = fail.hit, sized = __real_svc_health_size(s, taken, room);
  if (fail.hit && !before) fail.forgiven = true;
  return sized;
}

typedef struct fail_due {
  fail_piece piece;
  int64_t now;
} fail_due;

static void fail_due_run(fail_piece *p)
{
  int rc = __real_svc_apply_due(p->s, ((fail_due *)p)->now);
  if (rc == SVC_OK && fail_must_tell()) fail_complain(p->name, "it is said to be good");
}

int __wrap_svc_apply_due(svc *s, int64_t now)
{
  fail_due f = { { "due steps", fail_due_run, s, false }, now };
  if (fail_may(s)) fail_all(&f.piece);
  return __real_svc_apply_due(s, now);
}

static void fail_said(fail_piece *p, int rc)
{
  if (rc == SVC_OK && fail_must_tell()) fail_complain(p->name, "it is said to be good");
}

/* Wraps functions that return an error code: FAIL_WRAP(name, title, members that hold the arguments, parameters, assignments
   of these to the members, arguments, arguments taken from the members, cleanup). */
#define FAIL_LIST(...) __VA_ARGS__
#define FAIL_WRAP(name, title, members, parameters, initial, arguments, again, after) \
  typedef struct { \
    fail_piece piece; \
    members \
  } fail_##name; \
  int __real_svc_##name parameters; \
  int __wrap_svc_##name parameters; \
  static void fail_##name##_run(fail_piece *p) \
  { \
    fail_##name *f = (fail_##name *)p; \
    int rc = __real_svc_##name again; \
    fail_said(p, rc); \
    after; \
  } \
  int __wrap_svc_##name parameters \
  { \
    fail_##name f; \
    memset(&f, 0, sizeof f); \
    f.piece = (fail_piece){ title, fail_##name##_run, s, false }; \
    initial; \
    if (s && fail_may(s)) fail_all(&f.piece); \
    return __real_svc_##name arguments; \
  }

FAIL_WRAP(orders_hand_out, "orders", int64_t now;, (svc *s, int64_t now), f.now = now, (s, now), (p->s, f->now), (void)0)
FAIL_WRAP(apply_due_some, "some of what is due", FAIL_LIST(int64_t now, left, run;), (svc *s, int64_t now, int64_t *left),
          FAIL_LIST(f.now = now, f.left = *left), (s, now, left), (p->s, f->now, (f->run = f->left, &f->run)), (void)0)
FAIL_WRAP(order_done, "an order is done", FAIL_LIST(const char *id, *facts; int result;), (svc *s, const char *id, int result, const char *facts),
          FAIL_LIST(f.id = id, f.result = result, f.facts = facts), (s, id, result, facts), (p->s, f->id, f->result, f->facts), (void)0)
FAIL_WRAP(order_secrets, "secrets of an order", FAIL_LIST(const char *id; char out[16384]; size_t length;),
          (svc *s, const char *id, char *out, size_t *length), f.id = id, (s, id, out, length),
          (p->s, f->id, f->out, (f->length = sizeof f->out, &f->length)), (void)0)
FAIL_WRAP(bootstrap, "bootstrap", svc_credentials out;, (svc *s, svc_credentials *out), (void)0, (s, out), (p->s, &f->out), (void)0)
FAIL_WRAP(new_credentials, "new credentials", FAIL_LIST(const char *org; svc_credentials out;), (svc *s, const char *org, svc_credentials *out),
          f.org = org, (s, org, out), (p->s, f->org, &f->out), (void)0)
FAIL_WRAP(driver_schema, "the document for drivers", svc_response out;, (svc *s, svc_response *out), (void)0, (s, out), (p->s, &f->out), svc_response_free(&f->out))
FAIL_WRAP(openapi, "the OpenAPI document", svc_response out;, (svc *s, svc_response *out), (void)0, (s, out), (p->s, &f->out), svc_response_free(&f->out))
FAIL_WRAP(journal_read, "the journal", FAIL_LIST(size_t limit; svc_response out;), (svc *s, size_t limit, svc_response *out), f.limit = limit,
          (s, limit, out), (p->s, f->limit, &f->out), svc_response_free(&f->out))
FAIL_WRAP(metrics_text, "metrics", FAIL_LIST(const char *more; svc_response out;), (svc *s, const char *more, svc_response *out), f.more = more,
          (s, more, out), (p->s, f->more, &f->out), svc_response_free(&f->out))
FAIL_WRAP(stats_as, "statistics", svc_statistics out;, (svc *s, svc_statistics *out, size_t size), (void)0, (s, out, size),
          (p->s, &f->out, sizeof f->out), (void)0)
FAIL_WRAP(backup, "a backup", const char *path;, (svc *s, const char *path), f.path = path, (s, path), (p->s, f->path), (void)0)
FAIL_WRAP(snapshot_take, "a snapshot", svc_snapshot *out;, (svc *s, svc_snapshot **out), (void)0, (s, out), (p->s, &f->out),
          FAIL_LIST(svc_snapshot_free(f->out), f->out = NULL))
FAIL_WRAP(snapshot_restore, "a snapshot that is restored", const svc_snapshot *from;, (svc *s, const svc_snapshot *from), f.from = from, (s, from),
          (p->s, f->from), (void)0)
FAIL_WRAP(clock_set, "the clock", int64_t to;, (svc *s, int64_t to), f.to = to, (s, to), (p->s, f->to), (void)0)
FAIL_WRAP(clock_advance, "the clock goes on", int64_t by;, (svc *s, int64_t by), f.by = by, (s, by), (p->s, f->by), (void)0)
/* A request reports failures by its status. */
FAIL_WRAP(call_text, "a request as text", FAIL_LIST(const char *method, *target, *headers, *origin; const void *body; size_t n; svc_result *out;),
          (svc *s, const char *method, const char *target, const char *headers, const void *body, size_t n, const char *origin, svc_result **out),
          FAIL_LIST(f.method = method, f.target = target, f.headers = headers, f.origin = origin, f.body = body, f.n = n),
          (s, method, target, headers, body, n, origin, out),
          ((fail.forgiven = true, p->s), f->method, f->target, f->headers, f->body, f->n, f->origin, &f->out),
          FAIL_LIST(svc_result_free(f->out), f->out = NULL))
FAIL_WRAP(bootstrap_json, "bootstrap as JSON", svc_result *out;, (svc *s, svc_result **out), (void)0, (s, out), (p->s, &f->out),
          FAIL_LIST(svc_result_free(f->out), f->out = NULL))

/* A check reports a finding, or that it could not read. */
static void fail_found(void *context, const char *text)
{
  (void)text;
  ++*(long *)context;
}

typedef struct fail_check {
  fail_piece piece;
  long found;
} fail_check;

int __real_svc_check_store(svc *s, void (*found)(void *context, const char *text), void *context);
int __wrap_svc_check_store(svc *s, void (*found)(void *context, const char *text), void *context);

static void fail_check_run(fail_piece *p)
{
  fail_check *f = (fail_check *)p;
  int rc = __real_svc_check_store(p->s, fail_found, &f->found);
  fail_said(p, rc);
}

int __wrap_svc_check_store(svc *s, void (*found)(void *context, const char *text), void *context)
{
  fail_check f = { { "a check of the store", fail_check_run, s, false }, 0 };
  if (s && fail_may(s)) fail_all(&f.piece);
  return __real_svc_check_store(s, found, context);
}

/* Test control over HTTP, except for stored snapshots and the journal: changes to those cannot be undone. */
typedef struct fail_control {
  fail_piece piece;
  const char *token;
  const svc_request *request;
  char name[256];
} fail_control;

int __real_svc_control_request(svc *s, const char *token, const svc_request *request, svc_response *response);
int __wrap_svc_control_request(svc *s, const char *token, const svc_request *request, svc_response *response);

static void fail_control_run(fail_piece *p)
{
  fail_control *f = (fail_control *)p;
  svc_response response;
  int rc = __real_svc_control_request(p->s, f->token, f->request, &response);
  /* After the clock has moved, the answer says so. The answer lacks the time of the next due step if the store cannot be read. */
  if (rc == SVC_OK && response.status == 200 && strstr(f->name, "POST /_svc/clock") && !strstr(response.body, "\"nextDueMs\"")) fail.forgiven = true;
  fail_look(p, rc, &response);
  svc_response_free(&response);
}

static bool fail_control_may(const svc_request *r)
{
  return r && r->method && r->target && strncmp(r->target, "/_svc/", 6) == 0 && !strstr(r->target, "reset") &&
         (strcmp(r->method, "GET") == 0 || (!strstr(r->target, "snapshots") && !strstr(r->target, "journal")));
}

int __wrap_svc_control_request(svc *s, const char *token, const svc_request *request, svc_response *response)
{
  fail_control f = { { f.name, fail_control_run, s, true }, token, request, "" };
  if (s && fail_control_may(request) && fail_may(s)) {
    snprintf(f.name, sizeof f.name, "%s %s", request->method, request->target);
    fail_all(&f.piece);
  }
  return __real_svc_control_request(s, token, request, response);
}

/* -------------------------------------------------------------------------------------------------------------- opening */

/* Opening without a path creates a new store each time, and its commits are kept. A store in a folder is opened as it is, and stays
** unchanged. */
typedef struct fail_opening {
  fail_piece piece;
  svc_config config;
  int version;
  size_t size;
} fail_opening;

int __real_svc_open_as(svc **out, const svc_config *config, int version_number, size_t config_size);
int __wrap_svc_open_as(svc **out, const svc_config *config, int version_number, size_t config_size);

static void fail_open_run(fail_piece *p)
{
  fail_opening *f = (fail_opening *)p;
  svc *s = NULL;
  int rc;
  fail.random = 7;
  rc = __real_svc_open_as(&s, &f->config, f->version, f->size);
  if (fail.hit == T_FAIL_MALLOC) fail.forgiven = true; /* LMDB keeps some pages after a commit, if it has the memory */
  fail_said(p, rc);
  svc_close(s);
}

static bool fail_open_may(const svc_config *k)
{
  char file[512];
  struct stat st;
  if (!k || k->allocator.resize || k->limiter || (k->store && k->store != t_port()) || !fail_may(NULL)) return false;
  if (!k->path) return true;
  return snprintf(file, sizeof file, "%s/data.mdb", k->path) < (int)sizeof file && stat(file, &st) == 0;
}

int __wrap_svc_open_as(svc **out, const svc_config *config, int version_number, size_t config_size)
{
  fail_opening f;
  memset(&f, 0, sizeof f);
  f.piece = (fail_piece){ "svc_open", fail_open_run, NULL, true };
  f.version = version_number;
  f.size = config_size;
  if (out && config_size == sizeof *config && fail_open_may(config)) {
    f.config = *config;
    f.config.store = &fail.port;
    f.config.log = fail_log;
    if (!f.config.seed) f.config.random = fail_random;
    if (config->path) f.piece.name = "svc_open of a folder";
    fail_before(t_port());
    fail.keep = !config->path;
    fail_all(&f.piece);
    fail.keep = false;
  }
  return __real_svc_open_as(out, config, version_number, config_size);
}

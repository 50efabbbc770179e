/*
** Files that a bad disk has changed: svcapi returns an error or an answer, and the process never crashes.
**
** A store with every type of record is made once. Copies of it are then damaged, each from a number that seeds all its random
** choices, and used: opened, read, written to, checked, copied. A child process does that, and first notes the number. If it
** crashes or leaks memory, the test shows the number, and another child continues with the next.
**
**   SVC_TEST_DAMAGE=60          seconds for each of the two kinds of damage (./build.sh test-damage)
**   SVC_TEST_DAMAGE_ONE=1234    only the copy of this number, in this process: for a debugger
*/
#include "world.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DAMAGE_SECONDS 4
#define DAMAGE_HANGS 60 /* seconds for one copy, after which it counts as hanging */
#define DAMAGE_LOST 7   /* exit code: memory leaked */
#define DAMAGE_PATHS 512
#define DAMAGE_KINDS 12

typedef struct damage_store {
  char *bytes; /* contents of data.mdb */
  size_t size, page;
  char paths[DAMAGE_PATHS][544]; /* GETs that succeed with the intact store */
  size_t path_count;
  char group[32], org[32];
} damage_store;

/* Shared by both processes. */
typedef struct damage_shared {
  uint64_t number;                        /* of the current copy */
  uint64_t copies, refused, found, whole; /* could not be opened; opened, and the check found faults; opened without faults */
  uint64_t answers, failed;               /* answers with 2xx, and with 5xx */
} damage_shared;

typedef struct damage_try {
  const damage_store *store;
  damage_shared *shared;
  char folder[128];
  uint64_t random;
  int64_t now;
  t_memory memory;
  svc *s;
} damage_try;

static uint64_t damage_random(damage_try *t)
{
  t->random ^= t->random << 13;
  t->random ^= t->random >> 7;
  t->random ^= t->random << 17;
  return t->random >> 11;
}

static size_t damage_below(damage_try *t, size_t n)
{
  return n ? (size_t)(damage_random(t) % n) : 0;
}

/* ------------------------------------------------------------------------------------------------------------ the store */

static void damage_make_all(t_world *w)
{
  char name[64];
  size_t i;
  for (i = 0; i < w->t.s->plan_count; i++) {
    const svc_plan *plan = &w->t.s->plans[i];
    if (plan->route->method == SVC_POST && plan->route->run == svc_verb_create && !t_ended(&w->t, plan) && t_world_ready(w, plan)) t_world_send(w, plan);
  }
  for (i = 0; i < 300; i++) { /* enough for tallies of the log, several levels of branches, and free pages */
    snprintf(name, sizeof name, "{\"name\":\"Name %d\"}", (int)i);
    munit_assert_int(t_sendf(&w->t, "PATCH", name, "/groups/%s", w->group), ==, 200);
  }
  for (i = 0; i < 4; i++) { /* values on separate pages */
    snprintf(name, sizeof name, "large %d", (int)i);
    munit_assert_int(t_large_project(&w->t, w->org, name), ==, 201);
  }
  t_header(&w->t, "Idempotency-Key", "once");
  munit_assert_int(t_sendf(&w->t, "POST", "{\"desc\":\"a key\",\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/apiKeys", w->group), ==, 201);
  t_headers_clear(&w->t);
}

static void damage_paths(t_world *w, damage_store *d)
{
  char path[512];
  size_t i;
  for (i = 0; i < w->t.s->plan_count && d->path_count < DAMAGE_PATHS; i++) {
    const svc_plan *plan = &w->t.s->plans[i];
    if (plan->route->method != SVC_GET || plan->route->flags & SVC_ABSOLUTE || t_world_elsewhere(plan) || t_ended(&w->t, plan)) continue;
    if (!t_world_path(w, plan, path, sizeof path) || t_send(&w->t, "GET", path, NULL) != 200) continue;
    snprintf(d->paths[d->path_count++], sizeof d->paths[0], "/api/svc/v2%s", path);
  }
}

static void damage_read(damage_store *d, const char *folder)
{
  char name[256];
  struct stat st;
  int fd;
  uint32_t page;
  snprintf(name, sizeof name, "%s/data.mdb", folder);
  fd = open(name, O_RDONLY);
  munit_assert_int(fd, >=, 0);
  munit_assert_int(fstat(fd, &st), ==, 0);
  d->size = (size_t)st.st_size;
  free(d->bytes);
  d->bytes = munit_malloc(d->size);
  munit_assert_size((size_t)read(fd, d->bytes, d->size), ==, d->size);
  close(fd);
  memcpy(&page, d->bytes + 2 * sizeof(size_t) + 2 * 8 + sizeof(size_t), sizeof page); /* the page size: the pad of LMDB's first tree */
  d->page = page;
  munit_assert_size(d->page, >=, 512);
  munit_assert_size(d->size % d->page, ==, 0);
}

static void damage_store_make(damage_store *d)
{
  static t_world w;
  char folder[128];
  memset(d, 0, sizeof *d);
  store_folder(folder);
  t_world_open_in(&w, folder);
  damage_make_all(&w);
  damage_paths(&w, d);
  munit_assert_size(d->path_count, >, 150);
  snprintf(d->group, sizeof d->group, "%s", w.group);
  snprintf(d->org, sizeof d->org, "%s", w.org);
  munit_assert_int(svc_check_store(w.t.s, NULL, NULL), ==, SVC_OK);
  t_world_close(&w);
  damage_read(d, folder);
  store_remove(folder);
}

static void damage_store_free(damage_store *d)
{
  free(d->bytes);
}

/* -------------------------------------------------------------------------------------------------------------- a damage */

static void damage_bits(damage_try *t, char *bytes, size_t from, size_t n, size_t most)
{
  size_t i, count = 1 + damage_below(t, most);
  for (i = 0; i < count; i++) bytes[from + damage_below(t, n)] ^= (char)(1 << damage_below(t, 8));
}

/* Writes an edge value at a position where a number of this size may be. */
static void damage_number(damage_try *t, char *bytes, size_t size)
{
  static const uint64_t edges[] = { 0, 1, 2, 7, 15, 16, 17, 511, 512, 4095, 4096, 4097, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX };
  uint64_t v = edges[damage_below(t, sizeof edges / sizeof edges[0])];
  size_t width = (size_t)2 << damage_below(t, 3), at = damage_below(t, size / width) * width;
  if (damage_below(t, 3) == 0) v = damage_below(t, size / t->store->page + 2);
  memcpy(bytes + at, &v, width);
}

/* Copies one page over another or swaps two, with or without the right page number. */
static void damage_pages(damage_try *t, char *bytes, size_t pages, bool both)
{
  size_t page = t->store->page, a = 2 + damage_below(t, pages - 2), b = 2 + damage_below(t, pages - 2);
  char *kept = munit_malloc(page);
  memcpy(kept, bytes + a * page, page);
  memcpy(bytes + a * page, bytes + b * page, page);
  if (both) memcpy(bytes + b * page, kept, page);
  if (damage_below(t, 2)) {
    memcpy(bytes + a * page, &a, sizeof a);
    if (both) memcpy(bytes + b * page, &b, sizeof b);
  }
  free(kept);
}

static void damage_block(damage_try *t, char *bytes, size_t size)
{
  size_t n = (size_t)512 << damage_below(t, 5), at = damage_below(t, size / 512) * 512;
  memset(bytes + at, damage_below(t, 2) ? 0 : 0xff, n < size - at ? n : size - at);
}

/* Changes the bytes. Returns their new number. */
static size_t damage_file(damage_try *t, char *bytes, size_t size)
{
  size_t page = t->store->page, pages = size / page, at = damage_below(t, pages) * page, meta = damage_below(t, 2) * page, i, n;
  switch (damage_below(t, DAMAGE_KINDS)) {
  case 0: damage_bits(t, bytes, 0, size, 1); break;
  case 1: damage_bits(t, bytes, 0, size, 64); break;
  case 2: damage_bits(t, bytes, at, 64, 2); break; /* the header of a page, and its first offsets */
  case 3: damage_bits(t, bytes, meta, 168, 1); break;
  case 4: damage_number(t, bytes + meta, 168); break;
  case 5: damage_number(t, bytes + at, 128); break;
  case 6: for (i = 0, n = 1 + damage_below(t, 8); i < n; i++) damage_number(t, bytes + damage_below(t, pages) * page, page); break;
  case 7: return damage_below(t, 2) ? damage_below(t, pages) * page : damage_below(t, size);
  case 8: damage_block(t, bytes, size); break;
  case 9: damage_pages(t, bytes, pages, true); break;
  case 10: damage_pages(t, bytes, pages, false); break;
  default: for (i = 0; i < 16; i++) damage_bits(t, bytes, 2 * page + damage_below(t, pages - 2) * page, 32, 1); break;
  }
  return size;
}

static void damage_write(damage_try *t, const char *bytes, size_t size)
{
  char name[256];
  int fd;
  snprintf(name, sizeof name, "%s/data.mdb", t->folder);
  fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  munit_assert_int(fd, >=, 0);
  munit_assert_size((size_t)write(fd, bytes, size), ==, size);
  close(fd);
}

static void damage_in_file(damage_try *t)
{
  char *bytes = munit_malloc(t->store->size);
  size_t size;
  memcpy(bytes, t->store->bytes, t->store->size);
  size = damage_file(t, bytes, t->store->size);
  damage_write(t, bytes, size);
  free(bytes);
}

/* Changes the value of a random record: truncates or extends it, flips bits, or writes numbers. */
static void damage_value(damage_try *t, svc_txn *txn)
{
  static const char letters[] = "eeeeeebcdghilmoqrtuw";
  char from[2] = { letters[damage_below(t, sizeof letters - 1)], 0 }, to[2] = { (char)(from[0] + 1), 0 }, *bytes;
  svc_range range = { { from, 1 }, { to, 1 }, false, damage_below(t, 300) };
  svc_row row;
  size_t n = 0, size;
  munit_assert_int(txn->port->scan(txn, &range, &row, 1, &n), ==, SVC_OK);
  range.skip = 0;
  if (!n) munit_assert_int(txn->port->scan(txn, &range, &row, 1, &n), ==, SVC_OK);
  if (!n) return;
  size = row.value.n;
  bytes = munit_calloc(1, size + 64);
  if (size) memcpy(bytes, row.value.p, size);
  switch (damage_below(t, 4)) {
  case 0: size = damage_below(t, size + 1); break;
  case 1: size += 1 + damage_below(t, 63); break;
  case 2: if (size > 8) damage_number(t, bytes, size < 96 ? size : 96); break;
  default: if (size) damage_bits(t, bytes, 0, damage_below(t, 2) ? size : size < 64 ? size : 64, 16); break;
  }
  munit_assert_int(txn->port->put(txn, row.key, (svc_str){ bytes, size }), ==, SVC_OK);
  free(bytes);
}

static void damage_in_values(damage_try *t)
{
  const svc_store_port *port = svc_lmdb_port();
  svc_config config = { .path = t->folder, .durability = SVC_NO_SYNC };
  char why[256];
  svc_store *store;
  svc_txn *txn;
  size_t i, n = 1 + damage_below(t, 32);
  damage_write(t, t->store->bytes, t->store->size);
  munit_assert_int(port->open(&store, &config, why, sizeof why), ==, SVC_OK);
  munit_assert_int(port->write_begin(store, &txn), ==, SVC_OK);
  for (i = 0; i < n; i++) damage_value(t, txn);
  munit_assert_int(port->commit(txn), ==, SVC_OK);
  port->close(store);
}

/* ------------------------------------------------------------------------------------------------------------- using it */

static int64_t damage_clock(void *context)
{
  return ((damage_try *)context)->now;
}

static int damage_open(damage_try *t)
{
  svc_config config = { .limiter_off = 1, .provision_ms = 60000, .path = t->folder, .durability = SVC_NO_SYNC, .clock = damage_clock };
  config.clock_context = t;
  config.allocator.resize = t_memory_resize;
  config.allocator.context = &t->memory;
  config.secret_key = "a key of thirty-two bytes, no more";
  return svc_open(&t->s, &config);
}

static void damage_ask(damage_try *t, const char *method, const char *target, const char *body)
{
  svc_response response;
  t_ask_as_owner(t->s, method, target, body, &response);
  t->shared->answers += response.status / 100 == 2;
  t->shared->failed += response.status / 100 == 5;
  svc_response_free(&response);
}

static void damage_change(damage_try *t)
{
  char path[256], body[128];
  damage_ask(t, "POST", "/api/svc/v2/orgs", "{\"name\":\"After\"}");
  snprintf(body, sizeof body, "{\"name\":\"after\",\"orgId\":\"%s\"}", t->store->org);
  damage_ask(t, "POST", "/api/svc/v2/groups", body);
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s", t->store->group);
  damage_ask(t, "PATCH", path, "{\"name\":\"other\"}");
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/apiKeys", t->store->group);
  damage_ask(t, "POST", path, "{\"desc\":\"a key\",\"roles\":[\"GROUP_READ_ONLY\"]}");
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/clusters/cluster0", t->store->group);
  damage_ask(t, "DELETE", path, NULL);
  t->now += 86400 * 1000;
  svc_tick(t->s);
  snprintf(path, sizeof path, "/api/svc/v2/orgs/%s", t->store->org);
  damage_ask(t, "DELETE", path, NULL);
  t->now += (int64_t)40 * 86400 * 1000;
  svc_tick(t->s);
}

static void damage_copy(damage_try *t)
{
  char to[160], name[200];
  svc_config config = { .path = to };
  svc_store *copy;
  char why[256];
  snprintf(to, sizeof to, "%s/copy", t->folder);
  if (svc_backup(t->s, to) == SVC_OK && svc_lmdb_port()->open(&copy, &config, why, sizeof why) == SVC_OK) svc_lmdb_port()->close(copy);
  snprintf(name, sizeof name, "%s/data.mdb", to);
  unlink(name);
}

/* Uses a copy in every way. */
static void damage_use(damage_try *t)
{
  size_t i;
  int rc;
  t->shared->copies++;
  if (damage_open(t) != SVC_OK) {
    t->shared->refused++;
    return;
  }
  rc = svc_check_store(t->s, NULL, NULL);
  t->shared->found += rc != SVC_OK;
  t->shared->whole += rc == SVC_OK;
  for (i = 0; i < 40; i++) damage_ask(t, "GET", t->store->paths[damage_below(t, t->store->path_count)], NULL);
  damage_change(t);
  for (i = 0; i < 10; i++) damage_ask(t, "GET", t->store->paths[damage_below(t, t->store->path_count)], NULL);
  if (damage_below(t, 4) == 0) svc_check_store(t->s, NULL, NULL);
  if (damage_below(t, 8) == 0) damage_copy(t);
  svc_close(t->s);
}

/* ---------------------------------------------------------------------------------------------------------- copy by copy */

static void damage_one(damage_try *t, uint64_t number, void (*damage)(damage_try *))
{
  t->shared->number = number;
  t->random = (number + 1) * 0x9E3779B97F4A7C15u;
  damage_random(t);
  t->now = T_START + 3600 * 1000;
  memset(&t->memory, 0, sizeof t->memory);
  alarm(DAMAGE_HANGS);
  damage(t);
  damage_use(t);
  alarm(0);
  if (t->memory.live) _exit(DAMAGE_LOST);
}

/* A folder in memory if there is one, because thousands of copies are written. */
static void damage_folder(char out[128])
{
  snprintf(out, 128, "/dev/shm/svcapi-damage-XXXXXX");
  if (!mkdtemp(out)) store_folder(out);
}

static int damage_child(damage_try *t, uint64_t from, time_t until, void (*damage)(damage_try *))
{
  int status;
  pid_t child = fork();
  munit_assert_int(child, >=, 0);
  if (child == 0) {
    for (; time(NULL) < until; from++) damage_one(t, from, damage);
    _exit(0);
  }
  munit_assert_int(waitpid(child, &status, 0), ==, child);
  return status;
}

static void damage_run(const char *what, void (*damage)(damage_try *))
{
  static damage_store store;
  static damage_try t;
  const char *seconds = getenv("SVC_TEST_DAMAGE"), *one = getenv("SVC_TEST_DAMAGE_ONE");
  time_t until;
  uint64_t from = 1;
  int ended = 0;
  damage_store_make(&store);
  t.store = &store;
  t.shared = mmap(NULL, sizeof *t.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  munit_assert_ptr_not_equal(t.shared, MAP_FAILED);
  damage_folder(t.folder);
  until = time(NULL) + (seconds ? atoi(seconds) : DAMAGE_SECONDS);
  while (!one && time(NULL) < until && ended < 5) {
    int status = damage_child(&t, from, until, damage);
    if (status == 0) break;
    fprintf(stderr, "%s: the copy of number %llu ended the process that used it: %s %d\n", what, (unsigned long long)t.shared->number,
            WIFSIGNALED(status) ? "signal" : "status", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    from = t.shared->number + 1;
    ended++;
  }
  if (one) damage_one(&t, strtoull(one, NULL, 10), damage);
  fprintf(stderr, "%s: %llu copies of %zu bytes: %llu not opened, %llu opened and found damaged, %llu in which nothing was found; %llu answers, %llu of 5xx; %d processes ended\n",
          what, (unsigned long long)t.shared->copies, store.size, (unsigned long long)t.shared->refused, (unsigned long long)t.shared->found,
          (unsigned long long)t.shared->whole, (unsigned long long)t.shared->answers, (unsigned long long)t.shared->failed, ended);
  munit_assert_int(ended, ==, 0);
  if (!one) munit_assert_uint64(t.shared->copies, >, 2);
  munmap(t.shared, sizeof *t.shared);
  store_remove(t.folder);
  damage_store_free(&store);
}

/* ------------------------------------------------------------------------------------------------------- what is said of it */

static char damage_said[512];

static void damage_log(void *context, int level, const char *text)
{
  (void)context, (void)level;
  snprintf(damage_said, sizeof damage_said, "%s", text);
}

static void damage_line(void *context, const char *text)
{
  ++*(int *)context;
  snprintf(damage_said, sizeof damage_said, "%s", text);
}

static void damage_put(const char *folder, size_t at, const void *bytes, size_t n)
{
  char name[256];
  int fd;
  snprintf(name, sizeof name, "%s/data.mdb", folder);
  fd = open(name, O_WRONLY);
  munit_assert_int(fd, >=, 0);
  munit_assert_size((size_t)pwrite(fd, bytes, n, (off_t)at), ==, n);
  close(fd);
}

static void damage_refused(const char *folder, const char *words)
{
  svc_config config = { .path = folder, .log = damage_log };
  svc *s;
  damage_said[0] = 0;
  munit_assert_int(svc_open(&s, &config), ==, SVC_CORRUPT);
  if (!strstr(damage_said, words) || !strstr(damage_said, folder)) munit_errorf("not \"%s\": %s", words, damage_said);
}

enum { WORD = sizeof(size_t), HEAD = WORD + 8, META_TREE = HEAD + 8 + 2 * WORD, TREE = 8 + 5 * WORD };

/* Returns the root page of the records, according to the valid meta page. */
static size_t damage_root(const damage_store *d)
{
  size_t txns[2], root;
  int i;
  for (i = 0; i < 2; i++) memcpy(&txns[i], d->bytes + (size_t)i * d->page + META_TREE + 2 * TREE + WORD, WORD);
  memcpy(&root, d->bytes + (txns[1] > txns[0]) * d->page + META_TREE + 2 * TREE - WORD, WORD);
  munit_assert_size(root, <, d->size / d->page);
  return root;
}

/* The log names the damaged page. The file is not changed, and a repaired one can be opened. */
TEST(damage, named)
{
  static damage_store d;
  static damage_try t;
  char words[64], one;
  const uint32_t none = 0;
  const uint16_t low = 3, lower = 0x7ff0;
  size_t root, i;
  SKIP_IF(!T_ON_LMDB);
  damage_store_make(&d);
  t.store = &d;
  store_folder(t.folder);
  root = damage_root(&d);
  for (i = 0; i < 8; i++) {
    damage_write(&t, d.bytes, d.size);
    snprintf(words, sizeof words, "page %zu ", i < 3 ? 0 : root);
    switch (i) {
    case 0: damage_put(t.folder, META_TREE, &none, sizeof none); break; /* the page size: LMDB divides by it */
    case 1: damage_put(t.folder, META_TREE + 2, &low, sizeof low); break;
    case 2: damage_write(&t, d.bytes, 0); break; /* LMDB would create a new store */
    case 3: damage_put(t.folder, root * d.page, &none, sizeof none); break;
    case 4: damage_put(t.folder, root * d.page + WORD + 2, &low, sizeof low); break; /* the flags of the page */
    case 5: damage_put(t.folder, root * d.page + WORD + 4, &lower, sizeof lower); break;
    case 6: damage_put(t.folder, root * d.page + HEAD, &lower, sizeof lower); break;
    default: damage_put(t.folder, root * d.page + HEAD, &low, sizeof low); break;
    }
    damage_refused(t.folder, words);
  }
  damage_write(&t, d.bytes, d.size - d.page * (d.size / d.page - root)); /* cut off before the root */
  snprintf(words, sizeof words, "page %zu is not in the file", root);
  damage_refused(t.folder, words);
  damage_write(&t, d.bytes, d.size);
  t.now = T_START + 3600 * 1000;
  t.shared = &(damage_shared){ 0 };
  munit_assert_int(damage_open(&t), ==, SVC_OK);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
  svc_close(t.s);
  munit_assert_int(damage_open(&t), ==, SVC_OK); /* damage that occurs while the store is open is found by a check */
  one = 0x7f;
  damage_read(&d, t.folder);
  root = damage_root(&d);
  damage_put(t.folder, root * d.page + WORD + 5, &one, 1);
  i = 0;
  munit_assert_int(svc_check_store(t.s, damage_line, &i), ==, SVC_CORRUPT);
  munit_assert_int((int)i, ==, 1);
  snprintf(words, sizeof words, "page %zu has bounds that cannot be", root);
  munit_assert_string_equal(damage_said, words);
  damage_put(t.folder, root * d.page + WORD + 5, d.bytes + root * d.page + WORD + 5, 1);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_OK);
  svc_close(t.s);
  store_remove(t.folder);
}

/* ---------------------------------------------------------------------------------------------------------- what is not damaged */

/* Writes one of a few thousand keys, of any length, with a value of none, one or many pages. */
static void good_write(damage_try *t, svc_txn *txn, unsigned keys)
{
  static char bytes[60000];
  char key[SVC_KEY_MOST], to[16];
  unsigned id = (unsigned)damage_below(t, keys);
  size_t length = 9 + id * 31 % (id % 10 ? 40 : 500), size = damage_below(t, 10) ? damage_below(t, 2500) : damage_below(t, sizeof bytes);
  svc_str k = { key, length };
  int rc;
  memset(key, 'k', sizeof key);
  snprintf(key, 9, "%08u", id % 100000000);
  key[8] = 'k';
  snprintf(to, sizeof to, "%08u", id + (unsigned)damage_below(t, 60));
  switch (damage_below(t, 8)) {
  case 0: rc = txn->port->remove_range(txn, (svc_str){ key, 8 }, (svc_str){ to, 8 }); break;
  case 1:
  case 2: rc = txn->port->remove(txn, k); break;
  default: rc = txn->port->put(txn, k, (svc_str){ bytes, size }); break;
  }
  munit_assert_true(rc == SVC_OK || rc == SVC_NO_ROOM);
}

/* A store that LMDB itself wrote, with long readers and aborted work, is never reported as damaged. */
TEST(damage, none)
{
  const svc_store_port *port = svc_lmdb_port();
  const char *seconds = getenv("SVC_TEST_DAMAGE");
  static damage_try t;
  svc_config config = { .path = t.folder, .durability = SVC_NO_SYNC, .map_size = (size_t)1 << 30 };
  char why[256] = "";
  svc_store *store;
  svc_txn *txn, *reader = NULL;
  time_t until = time(NULL) + (seconds ? atoi(seconds) : 2);
  unsigned keys = 1000, n;
  size_t i, count;
  SKIP_IF(!T_ON_LMDB);
  damage_folder(t.folder);
  t.random = 88172645463325252u;
  munit_assert_int(port->open(&store, &config, why, sizeof why), ==, SVC_OK);
  for (n = 1; time(NULL) < until; n++) {
    if (n % 100 == 0) keys = 50 + (unsigned)damage_below(&t, 10000);
    count = 1 + damage_below(&t, damage_below(&t, 20) ? 40 : 1000);
    munit_assert_int(port->write_begin(store, &txn), ==, SVC_OK);
    for (i = 0; i < count; i++) good_write(&t, txn, keys);
    if (damage_below(&t, 15) == 0) port->abort(txn);
    else munit_assert_int(port->commit(txn), ==, SVC_OK);
    if (damage_below(&t, 7) == 0 && reader) port->read_end(reader), reader = NULL;
    else if (!reader) munit_assert_int(port->read_begin(store, &reader), ==, SVC_OK);
    if (n % 4 == 0 && port->check(store, why, sizeof why) != SVC_OK) munit_errorf("after %u commits: %s", n, why);
  }
  if (reader) port->read_end(reader);
  port->close(store);
  munit_assert_int(port->open(&store, &config, why, sizeof why), ==, SVC_OK);
  port->close(store);
  store_remove(t.folder);
}

TEST(damage, file)
{
  SKIP_IF(!T_ON_LMDB);
  damage_run("pages", damage_in_file);
}

TEST(damage, values)
{
  SKIP_IF(!T_ON_LMDB);
  damage_run("values", damage_in_values);
}

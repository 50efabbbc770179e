/*
** What a request costs, against raw LMDB in the same process and the same run.
**
** Figures of one machine are only good as ratios, so every figure of the library stands beside the least that the store
** itself could do: a get of the same value, a scan and copy of the same bytes, a put and commit of the same record.
**
**   bench [--seconds N] [--dir DIR]     all of it, as a table and into build/bench.json; N: of one turn
**   bench loop get|bearer|list|create N        N requests and nothing else, for callgrind
*/
#define _GNU_SOURCE
#include "svcapi.h"

#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ENTITIES 10000
#define PAGE 100
#define THREADS 16

/*
** Measures are taken in turns, many short ones: what else goes on on the machine comes and goes. A figure is the best of
** its turns, because other work only ever adds, and so is a ratio of two that only compute. Of two that wait for the disk
** the ratio is the median of the ratios of neighbours in time: disks have good and bad moments, of their own.
*/
#define TURNS 60
static double seconds_each = 0.06; /* of one turn */

typedef struct measure {
  double turns[TURNS];
} measure;

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double best(const measure *m)
{
  double x = m->turns[0];
  int i;
  for (i = 1; i < TURNS; i++)
    if (m->turns[i] < x) x = m->turns[i];
  return x;
}

static double median(double *x)
{
  qsort(x, TURNS, sizeof *x, compare);
  return (x[(TURNS - 1) / 2] + x[TURNS / 2]) / 2;
}

static double ratio(const measure *a, const measure *b)
{
  double x[TURNS];
  int i;
  for (i = 0; i < TURNS; i++) x[i] = a->turns[i] / b->turns[i];
  return median(x);
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
  fprintf(stderr, "bench: %s\n", what);
  exit(1);
}

/* ------------------------------------------------------------------------------------------------------- allocator */

/* Counts calls and bytes; the size of a block stands before it. */
typedef struct counter {
  atomic_long calls, bytes, peak;
} counter;

static void *counted(void *context, void *p, size_t size)
{
  counter *c = context;
  size_t *block = p ? (size_t *)p - 2 : NULL;
  long before = block ? (long)block[0] : 0, total, peak;
  if (size == 0) {
    atomic_fetch_sub(&c->bytes, before);
    free(block);
    return NULL;
  }
  atomic_fetch_add(&c->calls, 1);
  block = realloc(block, size + 2 * sizeof *block);
  if (!block) return NULL;
  block[0] = size;
  total = atomic_fetch_add(&c->bytes, (long)size - before) + (long)size - before;
  peak = atomic_load(&c->peak);
  while (total > peak && !atomic_compare_exchange_weak(&c->peak, &peak, total)) continue;
  return block + 2;
}

/* --------------------------------------------------------------------------------------------------------- service */

static const svc_grant everything = { "ORG_OWNER", NULL };
static const svc_caller owner = { "5f0000000000000000000001", "owner@example.com", &everything, 1 };
static char ids[ENTITIES][25];
static char org_id[25];

static int call(svc *s, const char *method, const char *target, const char *body, svc_response *out)
{
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request r;
  memset(&r, 0, sizeof r);
  r.method = method;
  r.target = target;
  if (body) {
    r.headers = &json;
    r.header_count = 1;
    r.body = body;
    r.body_length = strlen(body);
  }
  r.caller = &owner;
  if (svc_handle_request(s, &r, out) != SVC_OK) die("svc_handle_request failed");
  return out->status;
}

/* The value of "id" in a body, which is compact JSON. */
static void take_id(const svc_response *r, char out[25])
{
  const char *p = strstr(r->body, "\"id\":\"");
  if (!p) die("an answer without id");
  memcpy(out, p + 6, 24);
  out[24] = 0;
}

static void project_body(char *out, size_t size, const char *name, int n)
{
  /* tags that bring the stored body to about 600 bytes */
  snprintf(out, size,
           "{\"name\":\"%s-%d\",\"orgId\":\"%s\",\"tags\":[{\"key\":\"environment\",\"value\":\"production, the one that "
           "matters\"},{\"key\":\"owner\",\"value\":\"the platform team of the whole company\"},{\"key\":\"cost-centre\","
           "\"value\":\"4711-0815-2342-1701-0042\"},{\"key\":\"description\",\"value\":\"a project like many others, with a "
           "text of ordinary length\"},{\"key\":\"region\",\"value\":\"europe, and a little of the rest of the world too\"}]}",
           name, n, org_id);
}

static svc *open_service(const char *path, int durability, counter *count)
{
  svc_config config;
  svc_response r;
  svc *s;
  memset(&config, 0, sizeof config);
  config.path = path;
  config.durability = durability;
  config.map_size = (size_t)256 << 20;
  if (count) {
    config.allocator.resize = counted;
    config.allocator.context = count;
  }
  /* limits stay on, but high enough not to be met */
  static const svc_limit_override limits[] = {
    { "projectListAndCreation_user", 2000000000, 0, 0 },
    { "projectsProjectInvitationsProjectLimitsAndSettings_group", 2000000000, 0, 0 },
  };
  config.limits = limits;
  config.limit_count = 2;
  if (svc_open(&s, &config) != SVC_OK) die("svc_open failed");
  if (call(s, "POST", "/api/svc/v2/orgs", "{\"name\":\"bench\"}", &r) != 201) die("no organization");
  take_id(&r, org_id);
  svc_response_free(&r);
  return s;
}

static void fill(svc *s, int count)
{
  char body[1024];
  int i;
  for (i = 0; i < count; i++) {
    svc_response r;
    project_body(body, sizeof body, "project", i);
    if (call(s, "POST", "/api/svc/v2/groups", body, &r) != 201) die("no project");
    take_id(&r, ids[i]);
    svc_response_free(&r);
  }
}

static unsigned next_random(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void one_get(svc *s, unsigned *state)
{
  char target[64] = "/api/svc/v2/groups/";
  svc_response r;
  memcpy(target + 19, ids[next_random(state) % ENTITIES], 25);
  if (call(s, "GET", target, NULL, &r) != 200) die("GET failed");
  svc_response_free(&r);
}

/* ------------------------------------------------------------------------------------------------------ bearer tokens */

static char bearer[256];

static void take(const char *from, const char *name, char *out, size_t size)
{
  const char *p = strstr(from, name);
  if (!p) die("an answer without what was asked for");
  p += strlen(name);
  snprintf(out, size, "%.*s", (int)strcspn(p, "\""), p);
}

static void base64(const char *in, char *out)
{
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t n = strlen(in), i;
  for (i = 0; i < n; i += 3) {
    unsigned long v = (unsigned long)(unsigned char)in[i] << 16 | (i + 1 < n ? (unsigned long)(unsigned char)in[i + 1] << 8 : 0) |
                      (i + 2 < n ? (unsigned char)in[i + 2] : 0);
    *out++ = alphabet[v >> 18 & 63];
    *out++ = alphabet[v >> 12 & 63];
    *out++ = i + 1 < n ? alphabet[v >> 6 & 63] : '=';
    *out++ = i + 2 < n ? alphabet[v & 63] : '=';
  }
  *out = 0;
}

/* A service account that owns the organization, and a token of it. */
static void get_token(svc *s)
{
  char target[128], id[64], secret[128], both[256], basic[512] = "Basic ";
  svc_header headers[2] = { { "Authorization", basic, 0, 0 }, { "Content-Type", "application/x-www-form-urlencoded", 0, 0 } };
  svc_request request;
  svc_response r;
  snprintf(target, sizeof target, "/api/svc/v2/orgs/%s/settings", org_id); /* made by a person, it asks for access lists */
  if (call(s, "PATCH", target, "{\"apiAccessListRequired\":false}", &r) != 200) die("no settings");
  svc_response_free(&r);
  snprintf(target, sizeof target, "/api/svc/v2/orgs/%s/serviceAccounts", org_id);
  if (call(s, "POST", target, "{\"name\":\"bench\",\"description\":\"bench\",\"roles\":[\"ORG_OWNER\"],"
           "\"secretExpiresAfterHours\":8}", &r) != 201) die("no service account");
  take(r.body, "\"clientId\":\"", id, sizeof id);
  take(r.body, "\"secret\":\"", secret, sizeof secret);
  svc_response_free(&r);
  snprintf(both, sizeof both, "%s:%s", id, secret);
  base64(both, basic + 6);
  memset(&request, 0, sizeof request);
  request.method = "POST";
  request.target = "/api/oauth/token";
  request.headers = headers;
  request.header_count = 2;
  request.body = "grant_type=client_credentials";
  request.body_length = strlen(request.body);
  if (svc_handle_request(s, &request, &r) != SVC_OK || r.status != 200) die("no token");
  strcpy(bearer, "Bearer ");
  take(r.body, "\"access_token\":\"", bearer + 7, sizeof bearer - 7);
  svc_response_free(&r);
}

static void one_bearer_get(svc *s, unsigned *state)
{
  char target[64] = "/api/svc/v2/groups/";
  svc_header header = { "Authorization", bearer, 0, 0 };
  svc_request request;
  svc_response r;
  memset(&request, 0, sizeof request);
  memcpy(target + 19, ids[next_random(state) % ENTITIES], 25);
  request.method = "GET";
  request.target = target;
  request.headers = &header;
  request.header_count = 1;
  if (svc_handle_request(s, &request, &r) != SVC_OK || r.status != 200) die("GET with a token failed");
  svc_response_free(&r);
}

static double measure_bearer(svc *s)
{
  unsigned state = 1;
  double start = now(), took;
  long n = 0;
  do {
    int i;
    for (i = 0; i < 1000; i++) one_bearer_get(s, &state);
    n += 1000;
  } while ((took = now() - start) < seconds_each);
  return took / (double)n;
}

static void one_list(svc *s)
{
  svc_response r;
  if (call(s, "GET", "/api/svc/v2/groups?itemsPerPage=100", NULL, &r) != 200) die("list failed");
  svc_response_free(&r);
}

static atomic_int create_number;

static void one_create(svc *s, const char *name)
{
  char body[1024];
  svc_response r;
  project_body(body, sizeof body, name, atomic_fetch_add(&create_number, 1));
  if (call(s, "POST", "/api/svc/v2/groups", body, &r) != 201) die("create failed");
  svc_response_free(&r);
}

/* -------------------------------------------------------------------------------------------------------- raw LMDB */

#define KEY_SIZE 29
#define VALUE_SIZE 681 /* a record of the store with a body of 597 bytes */

typedef struct raw {
  MDB_env *env;
  MDB_dbi dbi;
  unsigned char keys[ENTITIES][KEY_SIZE];
} raw;

static void raw_key(unsigned char *key, const char *id)
{
  memset(key, 'k', KEY_SIZE);
  memcpy(key + 5, id, 24);
}

static void raw_open(raw *r, const char *path, unsigned flags)
{
  mkdir(path, 0700);
  if (mdb_env_create(&r->env) || mdb_env_set_mapsize(r->env, (size_t)256 << 20) ||
      mdb_env_open(r->env, path, flags | MDB_NOTLS | MDB_NORDAHEAD, 0600))
    die("raw LMDB cannot be opened");
}

static void raw_fill(raw *r)
{
  static char value[VALUE_SIZE];
  MDB_txn *txn;
  int i;
  memset(value, 'v', sizeof value);
  if (mdb_txn_begin(r->env, NULL, 0, &txn) || mdb_dbi_open(txn, NULL, 0, &r->dbi)) die("raw LMDB: no transaction");
  for (i = 0; i < ENTITIES; i++) {
    MDB_val k = { KEY_SIZE, r->keys[i] }, v = { VALUE_SIZE, value };
    raw_key(r->keys[i], ids[i]);
    if (mdb_put(txn, r->dbi, &k, &v, 0)) die("raw LMDB: put failed");
  }
  if (mdb_txn_commit(txn)) die("raw LMDB: commit failed");
}

static double raw_get(raw *r, int each)
{
  MDB_txn *txn;
  unsigned state = 1;
  double start = now(), took;
  long n = 0;
  volatile char sink = 0;
  if (mdb_txn_begin(r->env, NULL, MDB_RDONLY, &txn)) die("raw LMDB: no reader");
  do {
    int i;
    for (i = 0; i < 1000; i++) {
      MDB_val k = { KEY_SIZE, r->keys[next_random(&state) % ENTITIES] }, v;
      if (each) {
        mdb_txn_reset(txn);
        mdb_txn_renew(txn);
      }
      if (mdb_get(txn, r->dbi, &k, &v)) die("raw LMDB: get failed");
      sink += *(char *)v.mv_data;
    }
    n += 1000;
  } while ((took = now() - start) < seconds_each);
  (void)sink;
  mdb_txn_abort(txn);
  return took / (double)n;
}

static double raw_list(raw *r)
{
  MDB_txn *txn;
  MDB_cursor *cursor;
  double start = now(), took;
  long n = 0;
  static char page[PAGE * VALUE_SIZE];
  if (mdb_txn_begin(r->env, NULL, MDB_RDONLY, &txn) || mdb_cursor_open(txn, r->dbi, &cursor)) die("raw LMDB: no cursor");
  do {
    MDB_val k, v;
    char *to = page;
    int i;
    mdb_txn_reset(txn);
    mdb_txn_renew(txn);
    mdb_cursor_renew(txn, cursor);
    if (mdb_cursor_get(cursor, &k, &v, MDB_FIRST)) die("raw LMDB: empty");
    for (i = 0; i < PAGE; i++) {
      memcpy(to, v.mv_data, v.mv_size);
      to += v.mv_size;
      mdb_cursor_get(cursor, &k, &v, MDB_NEXT);
    }
    n++;
  } while ((took = now() - start) < seconds_each);
  mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
  return took / (double)n;
}

/* The records that a new project is: itself, its event, its place in the list of its owner, its name. */
static const struct {
  char class_letter;
  size_t value;
  int by_name;
} raw_records[] = { { 'e', VALUE_SIZE, 0 }, { 'v', 400, 0 }, { 'o', 4, 0 }, { 'u', 12, 1 } };

static double raw_create(raw *r, size_t records)
{
  static char value[VALUE_SIZE];
  static long number;
  double start = now(), took;
  long n = 0;
  do {
    MDB_txn *txn;
    size_t i;
    if (mdb_txn_begin(r->env, NULL, 0, &txn) || mdb_dbi_open(txn, NULL, 0, &r->dbi)) die("raw LMDB: no transaction");
    for (i = 0; i < records; i++) {
      char id[25];
      unsigned char key[KEY_SIZE];
      MDB_val k = { KEY_SIZE, key }, v = { raw_records[i].value, value };
      snprintf(id, sizeof id, raw_records[i].by_name ? "%-24ld" : "%024ld", number);
      raw_key(key, id);
      key[0] = (unsigned char)raw_records[i].class_letter;
      if (mdb_put(txn, r->dbi, &k, &v, 0)) die("raw LMDB: put failed");
    }
    if (mdb_txn_commit(txn)) die("raw LMDB: commit failed");
    number++;
    n++;
  } while ((took = now() - start) < seconds_each);
  return took / (double)n;
}

/* --------------------------------------------------------------------------------------------------------- measures */

static double measure_get(svc *s)
{
  unsigned state = 1;
  double start = now(), took;
  long n = 0;
  do {
    int i;
    for (i = 0; i < 1000; i++) one_get(s, &state);
    n += 1000;
  } while ((took = now() - start) < seconds_each);
  return took / (double)n;
}

static double measure_list(svc *s)
{
  double start = now(), took;
  long n = 0;
  do {
    int i;
    for (i = 0; i < 20; i++) one_list(s);
    n += 20;
  } while ((took = now() - start) < seconds_each);
  return took / (double)n;
}

typedef struct creator {
  svc *s;
  double until;
  long done;
} creator;

/* All count on with one number: many threads make the same names as one does, so that only their number differs. */
static void *create_thread(void *argument)
{
  creator *c = argument;
  while (now() < c->until) {
    one_create(c->s, "project");
    c->done++;
  }
  return NULL;
}

static double measure_create(svc *s, int threads)
{
  pthread_t id[THREADS];
  creator work[THREADS];
  double start = now();
  long n = 0;
  int i;
  for (i = 0; i < threads; i++) {
    work[i] = (creator){ s, start + seconds_each, 0 };
    pthread_create(&id[i], NULL, create_thread, &work[i]);
  }
  for (i = 0; i < threads; i++) {
    pthread_join(id[i], NULL);
    n += work[i].done;
  }
  return (now() - start) / (double)n;
}

static double allocations(svc *s, counter *count, int what)
{
  unsigned state = 7;
  long before = atomic_load(&count->calls);
  int i;
  for (i = 0; i < 100; i++) {
    if (what == 0) one_get(s, &state);
    else if (what == 1) one_list(s);
    else one_create(s, "count");
  }
  return (double)(atomic_load(&count->calls) - before) / 100;
}

/* Instructions of one request: callgrind over N and 2N requests, and the difference. 0: there is no valgrind. */
static double instructions(const char *program, const char *what, int n)
{
  double total[2] = { 0, 0 };
  int i;
  for (i = 0; i < 2; i++) {
    char command[1024], line[512];
    FILE *f;
    snprintf(command, sizeof command,
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null '%s' loop %s %d 2>&1 >/dev/null", program, what,
             n * (i + 1));
    f = popen(command, "r");
    if (!f) return 0;
    while (fgets(line, sizeof line, f)) {
      char *p = strstr(line, "Collected : ");
      if (p) total[i] = strtod(p + 12, NULL);
    }
    pclose(f);
    if (total[i] == 0) return 0;
  }
  return (total[1] - total[0]) / n;
}

/* ------------------------------------------------------------------------------------------------------------- report */

static FILE *json;

static void row(const char *name, double value, const char *unit, const char *target, int good)
{
  printf("%-52s %12.2f %-12s %-26s %s\n", name, value, unit, target, *target ? good ? "ok" : "MISSED" : "");
  if (json) fprintf(json, ",\n  {\"name\": \"%s\", \"value\": %.4f, \"unit\": \"%s\", \"target\": \"%s\"}", name, value, unit, target);
}

static void remove_folder(const char *path)
{
  static const char *const files[] = { "data.mdb", "lock.mdb", "svcapi.lock" };
  char name[600];
  size_t i;
  for (i = 0; i < sizeof files / sizeof files[0]; i++) {
    if ((size_t)snprintf(name, sizeof name, "%s/%s", path, files[i]) < sizeof name) unlink(name);
  }
  rmdir(path);
}

static int loop(const char *what, int n)
{
  svc *s = open_service(NULL, SVC_DURABLE, NULL);
  unsigned state = 1;
  int i;
  fill(s, strcmp(what, "create") == 0 ? 1 : 200);
  if (strcmp(what, "bearer") == 0) get_token(s);
  for (i = 200; i < ENTITIES; i++) memcpy(ids[i], ids[i % 200], sizeof ids[i]);
  for (i = 0; i < n; i++) {
    if (strcmp(what, "get") == 0) one_get(s, &state);
    else if (strcmp(what, "bearer") == 0) one_bearer_get(s, &state);
    else if (strcmp(what, "list") == 0) one_list(s);
    else one_create(s, "loop");
  }
  svc_close(s);
  return 0;
}

/* In a service of its own: to count costs time. */
static void bench_memory(void)
{
  counter count;
  double x;
  svc *s;
  memset(&count, 0, sizeof count);
  s = open_service(NULL, SVC_DURABLE, &count);
  fill(s, ENTITIES);
  x = allocations(s, &count, 0);
  row("allocations of a GET", x, "calls", "<= 2", x <= 2);
  row("allocations of a list", allocations(s, &count, 1), "calls", "", 1);
  row("allocations of a create", allocations(s, &count, 2), "calls", "", 1);
  row("peak heap (store of 10,000 open, LMDB's not counted)", (double)atomic_load(&count.peak) / 1024, "KiB", "", 1);
  svc_close(s);
}

static void bench_reads(const char *dir)
{
  static measure get, token, reused, each, list, scan;
  char path[512];
  raw *r = calloc(1, sizeof *r);
  double x;
  svc *s;
  int i;
  if (!r) die("no memory");
  snprintf(path, sizeof path, "%s/raw", dir);
  s = open_service(NULL, SVC_DURABLE, NULL);
  fill(s, ENTITIES);
  get_token(s);
  raw_open(r, path, MDB_NOSYNC);
  raw_fill(r);
  for (i = 0; i < TURNS; i++) {
    reused.turns[i] = raw_get(r, 0);
    each.turns[i] = raw_get(r, 1);
    get.turns[i] = measure_get(s);
    token.turns[i] = measure_bearer(s);
    scan.turns[i] = raw_list(r);
    list.turns[i] = measure_list(s);
  }
  row("raw mdb_get, transaction reused", best(&reused) * 1e9, "ns", "", 1);
  row("raw mdb_get, transaction each", best(&each) * 1e9, "ns", "", 1);
  row("GET of one of 10,000 (600 bytes)", best(&get) * 1e9, "ns", "", 1);
  x = best(&get) / best(&reused);
  row("GET / raw mdb_get, reused", x, "times", "<= 6", x <= 6);
  x = best(&get) / best(&each);
  row("GET / raw mdb_get, each", x, "times", "<= 6", x <= 6);
  x = best(&token) - best(&get);
  row("what a bearer token adds to a GET", x * 1e9, "ns", "<= 3000", x <= 3e-6);
  row("raw scan and copy of 100", best(&scan) * 1e9, "ns", "", 1);
  row("list page of 100", best(&list) * 1e9, "ns", "", 1);
  x = best(&list) / best(&scan);
  row("list / raw scan and copy", x, "times", "<= 2", x <= 2);
  svc_close(s);
  mdb_env_close(r->env);
  free(r);
  remove_folder(path);
}

/* Each measure has a store of its own, so that none is slowed by what another has put into the same tree. */
static void bench_writes(const char *dir)
{
  enum { ONE, MANY, RAW, FOUR, STORES };
  static const char *const names[STORES] = { "one", "many", "raw", "four" };
  static measure put, four, one, many;
  char path[STORES][512], org[2][25];
  raw *r = calloc(1, sizeof *r), *f = calloc(1, sizeof *f);
  double x;
  svc *s[2];
  int i;
  if (!r || !f) die("no memory");
  for (i = 0; i < STORES; i++) snprintf(path[i], sizeof path[i], "%s/%s", dir, names[i]);
  for (i = ONE; i <= MANY; i++) {
    s[i] = open_service(path[i], SVC_DURABLE, NULL);
    memcpy(org[i], org_id, sizeof org[i]);
  }
  raw_open(r, path[RAW], 0);
  raw_open(f, path[FOUR], 0);
  for (i = 0; i < TURNS; i++) {
    four.turns[i] = raw_create(f, sizeof raw_records / sizeof raw_records[0]);
    put.turns[i] = raw_create(r, 1);
    memcpy(org_id, org[ONE], sizeof org_id);
    one.turns[i] = measure_create(s[ONE], 1);
    memcpy(org_id, org[MANY], sizeof org_id);
    many.turns[i] = measure_create(s[MANY], THREADS);
  }
  row("raw put and commit, durable", 1 / best(&put), "per second", "", 1);
  row("raw put of all records of a project and commit", 1 / best(&four), "per second", "", 1);
  row("create, durable, 1 thread", 1 / best(&one), "per second", "", 1);
  row("create, durable, 16 threads", 1 / best(&many), "per second", "", 1);
  x = ratio(&put, &one);
  row("1 thread / raw put and commit", x * 100, "%", ">= 70", x >= 0.7);
  row("1 thread / raw put of all its records and commit", ratio(&four, &one) * 100, "%", "", 1);
  x = ratio(&one, &many);
  row("16 threads / 1 thread", x, "times", ">= 4", x >= 4);
  for (i = ONE; i <= MANY; i++) svc_close(s[i]);
  mdb_env_close(r->env);
  mdb_env_close(f->env);
  free(r);
  free(f);
  for (i = 0; i < STORES; i++) remove_folder(path[i]);
}

int main(int argc, char **argv)
{
  const char *dir = "build/bench", *size = getenv("SVC_SIZE_OS");
  double x;
  int i;
  if (argc == 4 && strcmp(argv[1], "loop") == 0) return loop(argv[2], atoi(argv[3]));
  for (i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--seconds") == 0) seconds_each = strtod(argv[i + 1], NULL);
    else if (strcmp(argv[i], "--dir") == 0) dir = argv[i + 1];
    else break;
  }
  if (i != argc) {
    fprintf(stderr, "usage: bench [--seconds N] [--dir DIR]\n");
    return 2;
  }
  mkdir(dir, 0700);
  json = fopen("build/bench.json", "w");
  if (json) fprintf(json, "[\n  {\"name\": \"version\", \"value\": \"%s\"}", svc_version());
  bench_reads(dir);
  bench_memory();
  bench_writes(dir);
  if ((x = instructions(argv[0], "get", 2000)) > 0) {
    row("instructions of a GET", x, "", "", 1);
    row("instructions of a list page of 100", instructions(argv[0], "list", 200), "", "", 1);
    row("instructions of a create", instructions(argv[0], "create", 500), "", "", 1);
  }
  if (size) row("svcapi.c at -Os, stripped", strtod(size, NULL) / 1024, "KiB", "", 1);
  if (json) {
    fprintf(json, "\n]\n");
    fclose(json);
  }
  return 0;
}

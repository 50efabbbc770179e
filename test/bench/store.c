/*
** The measured service, and requests as its users send them.
**
** A store has 20 organizations with equal numbers of projects. The projects are created in turn, so those of one organization are
** spread over the whole store. For every thousand projects, one project of the first organization has 90 clusters. All measured
** requests use the bearer token of a service account that owns the first organization. Only filling the store uses a caller supplied
** by the host. The limiter is on, with limits that are never reached.
*/
#define _GNU_SOURCE
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------------------ allocator */

/* Counts calls and bytes; the size of a block is stored before it. */
static void *store_counted(void *context, void *p, size_t size)
{
  bench_counter *c = context;
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

/* -------------------------------------------------------------------------------------------------------------- filling */

#define STORE_SETS 100

/* Returns every endpoint set, as the service itself lists them. */
static size_t store_sets(svc_limit_override *all, char ids[STORE_SETS][96])
{
  static const char word[] = "\"endpointSetId\":\"";
  svc_config config;
  svc_response r;
  const char *p;
  size_t n = 0;
  svc *s;
  memset(&config, 0, sizeof config);
  config.map_size = (size_t)16 << 20;
  if (svc_open(&s, &config) != SVC_OK || bench_ask(s, "GET", BENCH_API "rateLimits?itemsPerPage=500", NULL, &r) != 200) bench_die("no limits");
  for (p = r.body; (p = strstr(p, word)) != NULL && n < STORE_SETS; n++) {
    p += sizeof word - 1;
    snprintf(ids[n], sizeof ids[n], "%.*s", (int)strcspn(p, "\""), p);
    all[n] = (svc_limit_override){ ids[n], 2000000000, 0, 0 };
  }
  svc_response_free(&r);
  svc_close(s);
  return n;
}

svc *bench_open(const bench_options *options)
{
  return bench_open_on(options, NULL);
}

svc *bench_open_on(const bench_options *options, const svc_store_port *store)
{
  static const svc_limit_override limits[] = {
    { "projectListAndCreation_user", 2000000000, 0, 0 },
    { "projectsProjectInvitationsProjectLimitsAndSettings_group", 2000000000, 0, 0 },
    { "organizationsAndOrganizationInvitations_organization", 2000000000, 0, 0 },
    { "clusters_group", 2000000000, 0, 0 },
  };
  svc_limit_override all[STORE_SETS];
  char ids[STORE_SETS][96];
  svc_config config;
  svc *s;
  memset(&config, 0, sizeof config);
  config.path = options->path;
  config.store = store;
  config.durability = options->durability;
  config.map_size = options->path ? BENCH_MAP : (size_t)256 << 20;
  config.clock = options->clock;
  config.journal = options->journal;
  config.provision_ms = SVC_PROVISION_NOW;
  config.max_projects = 1000000000; /* creates continue for the whole measurement */
  config.limits = limits;
  config.limit_count = sizeof limits / sizeof limits[0];
  if (options->all_limits) {
    config.limits = all;
    config.limit_count = store_sets(all, ids);
  }
  if (options->counter) {
    config.allocator.resize = store_counted;
    config.allocator.context = options->counter;
  }
  if (svc_open(&s, &config) != SVC_OK) bench_die("svc_open failed");
  return s;
}

int bench_ask(svc *s, const char *method, const char *target, const char *body, svc_response *out)
{
  static const svc_grant everything = { "ORG_OWNER", NULL };
  static const svc_caller owner = { "5f0000000000000000000001", "owner@example.com", &everything, 1, 0 };
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
  if (svc_handle_request(s, &r, out) != SVC_OK) bench_die("svc_handle_request failed");
  return out->status;
}

static void store_make(svc *s, const char *method, const char *target, const char *body, int status, svc_response *out)
{
  if (bench_ask(s, method, target, body, out) == status) return;
  fprintf(stderr, "bench: %s %s: %d %s\n", method, target, out->status, out->body);
  exit(1);
}

/* Copies the text between `name` and the next quote; bodies are compact JSON. */
static void store_take(const svc_response *r, const char *name, char *out, size_t size)
{
  const char *p = strstr(r->body, name);
  if (!p) bench_die("an answer lacks what was asked for");
  p += strlen(name);
  snprintf(out, size, "%.*s", (int)strcspn(p, "\""), p);
}

static void store_base64(const char *in, char *out)
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

/* Turns off the requirement of access lists for accounts, which an organization has if a person created it. */
static void store_no_access_lists(svc *s, const char *org)
{
  char target[128];
  svc_response r;
  snprintf(target, sizeof target, BENCH_API "orgs/%s/settings", org);
  store_make(s, "PATCH", target, "{\"apiAccessListRequired\":false}", 200, &r);
  svc_response_free(&r);
}

void bench_account(svc *s, bench_store *b)
{
  char target[128], id[64], secret[128], both[256];
  svc_response r;
  snprintf(target, sizeof target, BENCH_API "orgs/%s/serviceAccounts", b->org[0]);
  store_make(s, "POST", target, "{\"name\":\"bench\",\"description\":\"bench\",\"roles\":[\"ORG_OWNER\"],"
             "\"secretExpiresAfterHours\":8760}", 201, &r);
  store_take(&r, "\"clientId\":\"", id, sizeof id);
  store_take(&r, "\"secret\":\"", secret, sizeof secret);
  svc_response_free(&r);
  snprintf(both, sizeof both, "%s:%s", id, secret);
  strcpy(b->basic, "Basic ");
  store_base64(both, b->basic + 6);
}

void bench_token(svc *s, bench_store *b)
{
  svc_header headers[2] = { { "Authorization", b->basic, 0, 0 }, { "Content-Type", "application/x-www-form-urlencoded", 0, 0 } };
  svc_request request;
  svc_response r;
  memset(&request, 0, sizeof request);
  request.method = "POST";
  request.target = "/api/oauth/token";
  request.headers = headers;
  request.header_count = 2;
  request.body = "grant_type=client_credentials";
  request.body_length = strlen(request.body);
  if (svc_handle_request(s, &request, &r) != SVC_OK || r.status != 200) bench_die("no token");
  strcpy(b->bearer, "Bearer ");
  store_take(&r, "\"access_token\":\"", b->bearer + 7, sizeof b->bearer - 7);
  svc_response_free(&r);
}

/* Tags make the stored JSON about 600 bytes long. */
static size_t store_project_body(const char *org, const char *name, char *out, size_t size)
{
  return (size_t)snprintf(out, size,
           "{\"name\":\"%s\",\"orgId\":\"%s\",\"tags\":[{\"key\":\"environment\",\"value\":\"production, the one that "
           "matters\"},{\"key\":\"owner\",\"value\":\"the platform team of the whole company\"},{\"key\":\"cost-centre\","
           "\"value\":\"4711-0815-2342-1701-0042\"},{\"key\":\"description\",\"value\":\"a project like many others, with a "
           "text of ordinary length\"},{\"key\":\"region\",\"value\":\"europe, and a little of the rest of the world too\"}]}",
           name, org);
}

static void store_clusters(svc *s, const char *project)
{
  char target[160], body[512];
  svc_response r;
  int i;
  snprintf(target, sizeof target, BENCH_API "groups/%s/limits/svc.project.deployment.clusters", project);
  store_make(s, "PATCH", target, "{\"value\":" BENCH_TEXT(BENCH_IN_PROJECT) "}", 200, &r);
  svc_response_free(&r);
  snprintf(target, sizeof target, BENCH_API "groups/%s/clusters", project);
  for (i = 0; i < BENCH_IN_PROJECT; i++) {
    snprintf(body, sizeof body,
             "{\"name\":\"cluster-%d\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{"
             "\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{"
             "\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}", i);
    store_make(s, "POST", target, body, 201, &r);
    svc_response_free(&r);
  }
}

void bench_fill(svc *s, bench_store *b, int size, int orgs, int clusters)
{
  char body[1024], name[64];
  svc_response r;
  int i;
  b->size = size;
  b->own_count = 0;
  atomic_init(&b->created, 0);
  b->own = calloc((size_t)(size / orgs + 1), sizeof *b->own);
  if (!b->own) bench_die("no memory");
  for (i = 0; i < orgs; i++) {
    snprintf(body, sizeof body, "{\"name\":\"organization-%d\"}", i);
    store_make(s, "POST", BENCH_API "orgs", body, 201, &r);
    store_take(&r, "\"id\":\"", b->org[i], sizeof b->org[i]);
    svc_response_free(&r);
  }
  store_no_access_lists(s, b->org[0]);
  bench_account(s, b);
  for (i = 0; i < size; i++) {
    char id[25];
    snprintf(name, sizeof name, "project-%d", i);
    store_project_body(b->org[i % orgs], name, body, sizeof body);
    store_make(s, "POST", BENCH_API "groups", body, 201, &r);
    store_take(&r, "\"id\":\"", id, sizeof id);
    svc_response_free(&r);
    if (i % orgs == 0) memcpy(b->own[b->own_count++], id, sizeof id);
  }
  for (i = 0; i < clusters; i++) store_clusters(s, b->own[i * (b->own_count / clusters)]);
  memcpy(b->clustered, b->own[0], sizeof b->clustered);
}

void bench_free(bench_store *b)
{
  free(b->own);
  b->own = NULL;
}

/* ------------------------------------------------------------------------------------------------------------- requests */

const char *const bench_op_names[BENCH_OPS] = { "get", "orglist", "list", "clusters", "create" };

void bench_target_of(const bench_store *b, bench_op op, int which, char *out, size_t size)
{
  switch (op) {
  case BENCH_GET: snprintf(out, size, BENCH_API "groups/%s", b->own[which]); break;
  case BENCH_ORG_LIST: snprintf(out, size, BENCH_API "orgs/%s/groups?itemsPerPage=100", b->org[0]); break;
  case BENCH_LIST: snprintf(out, size, BENCH_API "groups?itemsPerPage=100"); break;
  case BENCH_CLUSTERS: snprintf(out, size, BENCH_API "groups/%s/clusters?itemsPerPage=100", b->clustered); break;
  case BENCH_SETTINGS: snprintf(out, size, BENCH_API "groups/%s/settings", b->own[which]); break;
  case BENCH_CRAWL:
  case BENCH_CRAWL_ALL: snprintf(out, size, "%s", b->crawl[which]); break;
  default: snprintf(out, size, BENCH_API "groups"); break;
  }
}

size_t bench_create_body(const bench_store *b, long number, char *out, size_t size)
{
  char name[40];
  snprintf(name, sizeof name, BENCH_NAME, number);
  return store_project_body(b->org[0], name, out, size);
}

void bench_request(svc *s, bench_store *b, bench_op op, unsigned *state, svc_response *out)
{
  char target[128], body[1024];
  svc_header headers[2] = { { "Authorization", b->bearer, 0, 0 }, { "Content-Type", "application/json", 0, 0 } };
  svc_request request;
  memset(&request, 0, sizeof request);
  request.method = op == BENCH_CREATE ? "POST" : "GET";
  request.target = target;
  request.headers = headers;
  request.header_count = 1;
  if (op == BENCH_GET) { /* without printf, which would take a tenth of the measured time */
    memcpy(target, BENCH_API "groups/", sizeof BENCH_API + 6);
    memcpy(target + sizeof BENCH_API + 6, b->own[bench_random(state) % (unsigned)b->own_count], 25);
  } else {
    bench_target_of(b, op, 0, target, sizeof target);
  }
  if (op == BENCH_CREATE) {
    request.header_count = 2;
    request.body = body;
    request.body_length = bench_create_body(b, atomic_fetch_add(&b->created, 1), body, sizeof body);
  }
  if (svc_handle_request(s, &request, out) == SVC_OK && out->status == (op == BENCH_CREATE ? 201 : 200)) return;
  fprintf(stderr, "bench: %s %s: %d %s\n", request.method, target, out->status, out->body);
  exit(1);
}

void bench_do(svc *s, bench_store *b, bench_op op, unsigned *state)
{
  svc_response r;
  bench_request(s, b, op, state, &r);
  svc_response_free(&r);
}

/* --------------------------------------------------------------------------------------------------------------- files */

void bench_path(const bench_store *b, const char *word, char out[BENCH_PATH])
{
  snprintf(out, BENCH_PATH, "%s-%s", b->path, word);
}

void bench_copy_store(const bench_store *b, const char *to)
{
  static char block[1 << 20];
  char name[BENCH_PATH + 16];
  ssize_t n;
  int in, out;
  bench_remove_store(to);
  mkdir(to, 0700);
  snprintf(name, sizeof name, "%s/data.mdb", b->path);
  in = open(name, O_RDONLY | O_CLOEXEC);
  snprintf(name, sizeof name, "%s/data.mdb", to);
  out = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (in < 0 || out < 0) bench_die("a store cannot be copied");
  while ((n = read(in, block, sizeof block)) > 0)
    if (write(out, block, (size_t)n) != n) bench_die("a store cannot be copied: is the disk full?");
  if (n < 0 || fsync(out) != 0) bench_die("a store cannot be copied"); /* now, not during a measurement */
  close(in);
  close(out);
}

void bench_remove_store(const char *path)
{
  static const char *const files[] = { "data.mdb", "lock.mdb", "svcapi.lock", "svcapi.reserve", "tls.crt", "tls.key" };
  char name[BENCH_PATH + 16];
  size_t i;
  for (i = 0; i < sizeof files / sizeof files[0]; i++)
    if ((size_t)snprintf(name, sizeof name, "%s/%s", path, files[i]) < sizeof name) unlink(name);
  rmdir(path);
}

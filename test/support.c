/*
** The tests' service: see support.h.
*/
#define _GNU_SOURCE /* clock_gettime, nanosleep */
#include "support.h"

#include "fail.h"

#include <time.h>

static int64_t t_clock(void *context)
{
  return ((t_service *)context)->now;
}

/* xorshift: gives the same bytes in each run */
static int t_random(void *context, void *buffer, size_t size)
{
  t_service *t = context;
  unsigned char *to = buffer;
  while (size--) {
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    *to++ = (unsigned char)(t->random >> 24);
  }
  return 0;
}

void t_log(void *context, int level, const char *text)
{
  t_service *t = context;
  size_t n = strlen(t->log);
  (void)level;
  snprintf(t->log + n, sizeof t->log - n, "%s\n", text);
}

static void t_forget(t_service *t)
{
  svc_response_free(&t->response);
  svc_blocks_free(t->arena.blocks);
  svc_arena_init(&t->arena, NULL);
  t->body = NULL;
}

/* LMDB that behaves as if others wrote to it, too: tests the code for shared stores without another process. */
static svc_store_port shared;

static int shared_read_begin(svc_store *store, svc_txn **out)
{
  int rc = svc_lmdb_port()->read_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &shared;
  return rc;
}

static int shared_write_begin(svc_store *store, svc_txn **out)
{
  int rc = svc_lmdb_port()->write_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &shared;
  return rc;
}

/* A draft never becomes a writer, as if another writer always came first. */
static int shared_draft_begin(svc_store *store, svc_txn **out)
{
  int rc = shared_read_begin(store, out);
  if (rc == SVC_OK) (*out)->draft = true;
  return rc;
}

static bool shared_draft_write(svc_txn *txn)
{
  munit_assert_true(txn->draft && !txn->writing);
  return false;
}

/* The hint about reads ahead needs no action here, because the reads follow anyway. */
static void shared_expect(svc_txn *txn, const svc_str *keys, size_t n, uint64_t rows)
{
  size_t i;
  munit_assert_true(txn->port->shared);
  munit_assert_true(n > 0 || rows > 0);
  for (i = 0; i < n; i++) munit_assert_size(keys[i].n, <=, SVC_KEY_MOST);
}

static const svc_store_port *shared_port(void)
{
  if (shared.open) return &shared;
  shared = *svc_lmdb_port();
  shared.read_begin = shared_read_begin;
  shared.write_begin = shared_write_begin;
  shared.draft_begin = shared_draft_begin;
  shared.draft_write = shared_draft_write;
  shared.expect = shared_expect;
  shared.shared = true;
  return &shared;
}

const svc_store_port *t_port(void)
{
  const char *name = getenv("SVC_TEST_STORE");
  bool as_shared = name && strcmp(name, "shared") == 0, postgres = name && strcmp(name, "postgres") == 0;
  const bool memory = name && strcmp(name, "memory") == 0;
  const svc_store_port *port = postgres ? t_postgres_port() : as_shared ? shared_port() : memory ? t_memory_port() : svc_lmdb_port();
  if (!port) munit_error("SVC_TEST_STORE names a store that these tests were built without: ./build.sh does both");
  return port;
}

void t_reopen(t_service *t, const svc_config *changes)
{
  svc_config config;
  int rc;
  if (t->s) svc_close(t->s);
  memset(&config, 0, sizeof config);
  if (changes) config = *changes;
  if (!config.clock && !config.manual_clock) {
    config.clock = t_clock;
    config.clock_context = t;
  }
  if (!config.random && !config.seed) {
    config.random = t_random;
    config.random_context = t;
  }
  if (!config.secret_key && !t->no_key) config.secret_key = "a key of thirty-two bytes, no more";
  if (!config.store) config.store = t_port();
  if (!config.max_projects) config.max_projects = 1000000; /* some tests create many projects */
  config.log = t_log;
  config.log_context = t;
  rc = svc_open(&t->s, &config);
  if (rc != SVC_OK) munit_errorf("svc_open: %s: %s", svc_strerror(rc), t->log);
}

void t_open(t_service *t, const svc_config *changes)
{
  memset(t, 0, sizeof *t);
  t->now = T_START;
  t->random = 0x9E3779B97F4A7C15u;
  t->grants[0].role = "ORG_OWNER";
  t_as(t, NULL);
  t->peer = "192.0.2.7";
  svc_arena_init(&t->arena, NULL);
  t_reopen(t, changes);
}

void t_close(t_service *t)
{
  t_forget(t);
  svc_close(t->s);
  t->s = NULL;
}

/* Returns true for JSON. Logs and bills are not JSON; errors always are. */
static bool t_is_json(const t_service *t)
{
  svc_str type = svc_str_c(t_get_header(t, "Content-Type")), media = svc_str_trim(svc_str_cut(&type, ';'));
  return svc_str_is(media, "application/json") || (media.n > 5 && memcmp(media.p + media.n - 5, "+json", 5) == 0);
}

/* Checks that an error has as many parameters as its code has in error_list.h. */
static void t_check_parameters(const t_service *t)
{
  const char *name = t_error(t);
  int code = svc_code_shown(t->s, name);
  if (!code) munit_errorf("no error is called %s", name);
  if (t_count(t, "parameters") != svc_error_params(code)) munit_errorf("not %u parameters: %s", svc_error_params(code), t->response.body);
}

/* Checks the rules that hold for every answer. */
static void t_check(t_service *t, const char *method)
{
  const svc_response *r = &t->response;
  svc_json_fault fault = { 0, "" };
  svc_str text = { r->body, r->body_length };
  const svc_node *member;
  munit_assert_int(r->status, >=, 200);
  munit_assert_not_null(r->body);
  if (strcmp(method, "HEAD") == 0 || r->status == 204 || r->status == 304) {
    munit_assert_size(r->body_length, ==, 0);
    return;
  }
  munit_assert_int((int)strtol(t_get_header(t, "Content-Length"), NULL, 10), ==, (int)r->body_length);
  if (text.n == 0) return;
  munit_assert_string_not_equal(t_get_header(t, "Content-Type"), "");
  if (r->status < 400 && !t_is_json(t)) return;
  if (!svc_json_gate(&t->arena, text, 64, &fault))
    munit_errorf("the answer is not JSON: %s at %zu of %.*s", fault.what, fault.at, (int)text.n, text.p);
  t->body = svc_json_parse(&t->arena, text);
  munit_assert_not_null(t->body);
  if (t->body->type != SVC_J_OBJECT) return;
  if (r->status >= 400 && !svc_node_get(t->body, "content") && !svc_node_get(t->body, "error_description")) {
    munit_assert_int((int)svc_node_i64(t->body, "error", 0), ==, r->status);
    munit_assert_not_null(svc_node_get(t->body, "errorCode"));
    munit_assert_not_null(svc_node_get(t->body, "detail"));
    munit_assert_not_null(svc_node_get(t->body, "reason"));
    t_check_parameters(t);
    if (r->status != 401) munit_assert_string_equal(t_get_header(t, "X-Error-Code"), t_error(t));
  }
  for (member = t->body->first; member && member->next; member = member->next) /* the first member in the text is the first in order, too */
    if (text.n > 2 && text.p[1] == '"') {
      const char *first = memchr(text.p + 2, '"', text.n - 2);
      munit_assert_true(svc_str_eq(t->body->first->name, (svc_str){ text.p + 2, (size_t)(first - text.p - 2) }));
      break;
    }
}

uint64_t t_state_in(svc *s, svc_txn *txn)
{
  return txn->port->state ? txn->port->state(txn) : 1 + atomic_load(&s->commit.commits);
}

uint64_t t_state(const t_service *t)
{
  const svc_commit *k = &t->s->commit;
  svc_txn *txn;
  uint64_t state;
  if (svc_is_due(t->s) || k->port->read_begin(k->store, &txn) != SVC_OK) return 0;
  state = t_state_in(t->s, txn);
  k->port->read_end(txn);
  return state;
}

/* Checks that a refused bad request has changed nothing. */
static void support_unchanged(const t_service *t, const char *method, const char *target, uint64_t before)
{
  if (before && t->response.status == 400 && t_state(t) != before)
    munit_errorf("%s %s: refused, and something was stored: %s", method, target, t->response.body);
}

/* Appends the request and its exact answer to the file that SVC_TEST_ANSWERS names, if it is set. Two builds with equal
   answers write equal files: one.sh. */
static void support_record(const t_service *t, const svc_request *request)
{
  const char *name = getenv("SVC_TEST_ANSWERS");
  FILE *f = name ? fopen(name, "a") : NULL;
  size_t i;
  if (name && !f) munit_errorf("%s cannot be written", name);
  if (!f) return;
  fprintf(f, "%s %s\n", request->method, request->target);
  if (request->body_length) fwrite(request->body, 1, request->body_length, f);
  fprintf(f, "\n%d\n", t->response.status);
  for (i = 0; i < t->response.header_count; i++) fprintf(f, "%s: %s\n", t->response.headers[i].name, t->response.headers[i].value);
  if (t->response.body_length) fwrite(t->response.body, 1, t->response.body_length, f);
  fprintf(f, "\n\n");
  fclose(f);
}

int t_send_raw(t_service *t, const char *method, const char *target, const char *body, size_t body_length)
{
  svc_header headers[10];
  svc_request request;
  uint64_t before;
  size_t n;
  bool typed = false;
  int rc;
  t_forget(t);
  memset(&request, 0, sizeof request);
  memset(headers, 0, sizeof headers);
  for (n = 0; n < t->header_count; n++) {
    headers[n] = t->headers[n];
    if (svc_str_is_nocase(svc_str_c(headers[n].name), "content-type")) typed = true;
  }
  if (body && !typed) {
    headers[n].name = "Content-Type";
    headers[n++].value = "application/json";
  }
  request.method = method;
  request.target = target;
  request.headers = headers;
  request.header_count = n;
  request.body = body;
  request.body_length = body_length;
  request.peer = t->peer;
  request.caller = t->anonymous ? NULL : &t->caller;
  before = t_state(t);
  rc = (t->handle ? t->handle : svc_handle_request)(t->s, &request, &t->response);
  munit_assert_int(rc, ==, SVC_OK);
  support_record(t, &request);
  support_unchanged(t, method, target, before);
  t_check(t, method);
  if (t->sent) t->sent(t->sent_context, method, target, body);
  if (t->settle) t->settle(t->settle_context);
  return t->response.status;
}

int t_send(t_service *t, const char *method, const char *path, const char *body)
{
  char target[16384];
  const char *base = strncmp(path, "/api/", 5) == 0 ? "" : "/api/svc/v2";
  munit_assert_int(snprintf(target, sizeof target, "%s%s", base, path), <, (int)sizeof target);
  return t_send_raw(t, method, target, body, body ? strlen(body) : 0);
}

int t_sendf(t_service *t, const char *method, const char *body, const char *path_format, ...)
{
  char path[8192];
  va_list args;
  va_start(args, path_format);
  vsnprintf(path, sizeof path, path_format, args);
  va_end(args);
  return t_send(t, method, path, body);
}

void t_header(t_service *t, const char *name, const char *value)
{
  size_t i;
  for (i = 0; i < t->header_count && strcmp(t->headers[i].name, name) != 0; i++) continue;
  munit_assert_size(i, <, 8);
  memset(&t->headers[i], 0, sizeof t->headers[i]);
  t->headers[i].name = name;
  t->headers[i].value = value;
  if (i == t->header_count) t->header_count++;
}

void t_headers_clear(t_service *t)
{
  t->header_count = 0;
}

void t_faults_refused(t_service *t, const char *const (*bad)[2], size_t count)
{
  size_t i;
  for (i = 0; i < count; i++) {
    t->log[0] = '\0';
    munit_assert_int(svc_fault_add_json(t->s, bad[i][0], NULL), ==, SVC_INVALID);
    if (!strstr(t->log, "svc_fault: ") || !strstr(t->log, bad[i][1])) munit_errorf("%s: %s", bad[i][0], t->log);
  }
  munit_assert_uint(atomic_load(&t->s->watch), ==, 0);
}

double t_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void t_pause_ms(int ms)
{
  struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
  nanosleep(&t, NULL);
}

void t_advance(t_service *t, int64_t seconds)
{
  int64_t to = t->now + seconds * 1000, due, order;
  while (t->settle && t->now < to) {
    due = svc_commit_next(&t->s->commit);
    munit_assert_int(svc_orders_next(t->s, t->now, &order), ==, SVC_OK);
    if (order < due) due = order;
    if (due <= t->now) due = t->now + 1000; /* the next step may become due as soon as this one has ended */
    t->now = due < to ? due : to;
    t->settle(t->settle_context);
  }
  t->now = to;
}

const char *t_get_header(const t_service *t, const char *name)
{
  const char *value = svc_response_header(&t->response, name);
  return value ? value : "";
}

const svc_node *t_node(const t_service *t, const char *path)
{
  const svc_node *node = t->body;
  while (node && *path) {
    size_t n;
    if (*path == '[') {
      long index = strtol(path + 1, NULL, 10);
      node = node->type == SVC_J_ARRAY ? node->first : NULL;
      while (node && index-- > 0) node = node->next;
      path = strchr(path, ']') + 1;
      continue;
    }
    if (*path == '.') path++;
    n = strcspn(path, ".[");
    node = svc_node_find(node, (svc_str){ path, n });
    path += n;
  }
  return node;
}

const char *t_str(const t_service *t, const char *path)
{
  const svc_node *node = t_node(t, path);
  svc_arena *arena = (svc_arena *)(uintptr_t)&t->arena; /* the text needs a NUL, and lives as long as the answer */
  if (!node || node->type == SVC_J_OBJECT || node->type == SVC_J_ARRAY) return "";
  return svc_arena_copy(arena, node->text).p;
}

int64_t t_int(const t_service *t, const char *path)
{
  const svc_node *node = t_node(t, path);
  int64_t value;
  return node && node->type == SVC_J_NUMBER && svc_json_number_i64(node->text, &value) ? value : INT64_MIN;
}

size_t t_count(const t_service *t, const char *path)
{
  const svc_node *node = t_node(t, path);
  return node ? svc_node_count(node) : 0;
}

const char *t_error(const t_service *t)
{
  return t_str(t, "errorCode");
}

const char *t_param(const t_service *t, int index)
{
  char path[32];
  snprintf(path, sizeof path, "parameters[%d]", index);
  return t_str(t, path);
}

bool t_violation(const t_service *t, const char *field)
{
  const svc_node *list = t_node(t, "badRequestDetail.fields"), *item;
  for (item = list ? list->first : NULL; item; item = item->next)
    if (svc_str_is(svc_node_str(item, "field"), field)) return true;
  return false;
}

svc_str t_unzipped(t_service *t)
{
  const unsigned char *p = (const unsigned char *)t->response.body, *end = p + t->response.body_length;
  svc_buf b = svc_buf_new(&t->arena, 1024);
  size_t length;
  bool last = false;
  munit_assert_int(t->response.status, ==, 200);
  munit_assert_size(t->response.body_length, >=, 23);
  munit_assert_int(p[0], ==, 0x1f);
  munit_assert_int(p[1], ==, 0x8b);
  for (p += 10; !last; p += 5 + length) {
    munit_assert_int64(end - p, >=, 5 + 8);
    munit_assert_int(p[0] & 6, ==, 0); /* the type of the block: stored */
    last = p[0] & 1;
    length = p[1] | (size_t)p[2] << 8;
    munit_assert_size(length, ==, ~(p[3] | (size_t)p[4] << 8) & 0xffff);
    munit_assert_size((size_t)(end - p), >=, length + 5 + 8);
    svc_buf_add(&b, (const char *)p + 5, length);
  }
  munit_assert_int64(end - p, ==, 8); /* the CRC, and the length of the content */
  munit_assert_size(b.n, ==, p[4] | (size_t)p[5] << 8 | (size_t)p[6] << 16 | (size_t)p[7] << 24);
  return svc_buf_done(&b);
}

const char *t_link(const t_service *t, const char *rel)
{
  const svc_node *list = t_node(t, "links"), *item;
  svc_arena *arena = (svc_arena *)(uintptr_t)&t->arena;
  size_t n = strlen(rel);
  for (item = list ? list->first : NULL; item; item = item->next) {
    svc_str name = svc_node_str(item, "rel");
    if (name.n >= n && memcmp(name.p + name.n - n, rel, n) == 0 && (name.n == n || name.p[name.n - n - 1] == '/'))
      return svc_arena_copy(arena, svc_node_str(item, "href")).p;
  }
  return "";
}

/* Copies a text into the handle's own memory, which t_close() frees. */
const char *t_keep(t_service *t, const char *text)
{
  return svc_arena_copy(&t->s->memory, svc_str_c(text)).p;
}

const char *t_organization(t_service *t, const char *name)
{
  char body[256];
  snprintf(body, sizeof body, "{\"name\":\"%s\"}", name);
  munit_assert_int(t_send(t, "POST", "/orgs", body), ==, 201);
  return t_keep(t, t_str(t, "organization.id"));
}

const char *t_project(t_service *t, const char *org_id, const char *name)
{
  char body[256];
  snprintf(body, sizeof body, "{\"name\":\"%s\",\"orgId\":\"%s\",\"withDefaultAlertsSettings\":false}", name, org_id);
  munit_assert_int(t_send(t, "POST", "/groups", body), ==, 201);
  return t_keep(t, t_str(t, "id"));
}

void t_place_open(t_place *w, const svc_config *changes, const char *project, const char *cluster)
{
  t_open(&w->t, changes);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, project);
  if (cluster) munit_assert_int(t_sendf(&w->t, "POST", cluster, "/groups/%s/clusters", w->group), ==, 201);
}

int t_large_project(t_service *t, const char *org, const char *name)
{
  static const char filler[] = "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"
                               "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890";
  char body[20000];
  int n = snprintf(body, sizeof body, "{\"name\":\"%s\",\"orgId\":\"%s\",\"tags\":[", name, org), i;
  for (i = 0; i < 50; i++)
    n += snprintf(body + n, sizeof body - (size_t)n, "%s{\"key\":\"key%d\",\"value\":\"%s%s\"}", i ? "," : "", i, filler, "....");
  snprintf(body + n, sizeof body - (size_t)n, "]}");
  return t_send(t, "POST", "/groups", body);
}

void t_collection(t_service *t, const char *group, const char *cluster, const char *database, const char *collection)
{
  char body[512];
  snprintf(body, sizeof body, "{\"dbName\":\"%s\",\"collName\":\"%s\",\"criteria\":{\"type\":\"DATE\",\"dateField\":\"d\",\"expireAfterDays\":5}}",
           database, collection);
  if (t_sendf(t, "POST", body, "/groups/%s/clusters/%s/onlineArchives", group, cluster) != 202) munit_error(t->response.body);
}

const char *t_user(t_service *t, const char *name, const char *roles)
{
  char body[1024];
  snprintf(body, sizeof body, "{\"username\":\"%s\",\"password\":\"correct horse\",\"firstName\":\"Ada\",\"lastName\":\"Byron\","
           "\"country\":\"GB\",\"mobileNumber\":\"2125550123\",\"roles\":%s}", name, roles);
  munit_assert_int(t_send(t, "POST", "/users", body), ==, 201);
  return t_keep(t, t_str(t, "id"));
}

void t_as(t_service *t, const char *user_id)
{
  t->caller.user_id = user_id ? user_id : "5f0000000000000000000001";
  t->caller.username = user_id ? NULL : "owner@example.com";
  t->caller.grants = user_id ? NULL : t->grants;
  t->caller.grant_count = user_id ? 0 : 1;
  t->caller.second_factor = 1;
}

void t_as_host(t_service *t)
{
  t_headers_clear(t);
  t->anonymous = false;
  t_as(t, NULL);
}

static void t_base64(const char *text, char *out)
{
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t n = strlen(text), i;
  for (i = 0; i < n; i += 3) {
    unsigned long v = (unsigned long)(unsigned char)text[i] << 16;
    if (i + 1 < n) v |= (unsigned long)(unsigned char)text[i + 1] << 8;
    if (i + 2 < n) v |= (unsigned char)text[i + 2];
    *out++ = alphabet[v >> 18 & 63];
    *out++ = alphabet[v >> 12 & 63];
    *out++ = i + 1 < n ? alphabet[v >> 6 & 63] : '=';
    *out++ = i + 2 < n ? alphabet[v & 63] : '=';
  }
  *out = 0;
}

int t_as_account(t_service *t, const char *client_id, const char *secret)
{
  static const char form[] = "grant_type=client_credentials";
  char plain[256], value[400] = "Basic ";
  int status;
  snprintf(plain, sizeof plain, "%s:%s", client_id, secret);
  t_base64(plain, value + 6);
  t_headers_clear(t);
  t->anonymous = true;
  t_header(t, "Authorization", t_keep(t, value));
  t_header(t, "Content-Type", "application/x-www-form-urlencoded");
  status = t_send_raw(t, "POST", "/api/oauth/token", form, sizeof form - 1);
  snprintf(value, sizeof value, "Bearer %s", t_str(t, "access_token"));
  t_headers_clear(t);
  t_header(t, "Authorization", t_keep(t, value));
  return status;
}

/* --------------------------------------------------------------------------------------------------------- probe nouns */

static const svc_noun *const *t_extra;
static const char *const *t_missing;

void t_probes(const svc_noun *const *nouns)
{
  t_extra = nouns;
}

void t_without(const char *const *names)
{
  t_missing = names;
}

static bool t_left_out(const svc_noun *noun)
{
  const char *const *name = t_missing;
  while (name && *name && strcmp(*name, noun->name) != 0) name++;
  return name && *name;
}

/* A test may handle events with a noun of its own; the catalog's alerts are left out then. */
static bool t_unheard(const svc_noun *noun)
{
  const svc_noun *const *extra = t_extra;
  while (extra && *extra && (*extra)->seat != SVC_SEAT_ALERTS) extra++;
  return extra && *extra && noun->seat == SVC_SEAT_ALERTS;
}

/* Overrides the registry's weak function: the catalog without the nouns that a test leaves out, plus those that it adds. */
const svc_noun *const *svc_catalog(size_t *count)
{
  static const svc_noun *all[256];
  const svc_noun *const *nouns = svc_catalog_all(count), *const *extra = t_extra;
  size_t i, n = 0;
  if (!extra && !t_missing) return nouns;
  munit_assert_size(*count + 16, <, sizeof all / sizeof all[0]);
  for (i = 0; i < *count; i++)
    if (!t_unheard(nouns[i]) && !t_left_out(nouns[i])) all[n++] = nouns[i];
  for (; extra && *extra; extra++) all[n++] = *extra;
  *count = n;
  return all;
}

/* -------------------------------------------------------------------------------------------------------------- no memory */

void *t_memory_resize(void *context, void *p, size_t size)
{
  t_memory *m = context;
  void *more;
  if (size == 0) {
    if (p) m->live--;
    free(p);
    return NULL;
  }
  m->calls++;
  if (m->fail_at && (m->calls == m->fail_at || (m->for_good && m->calls > m->fail_at))) return NULL;
  more = realloc(p, size);
  if (more && !p) m->live++;
  return more;
}

/* The linker puts these before the library's own functions (build.sh). A test that makes some fail has only one thread. */
static long t_arena_calls, t_arena_fail_at;
void *__real_svc_arena_alloc(svc_arena *a, size_t size);
void *__real_svc_arena_zero(svc_arena *a, size_t size);
svc_str __real_svc_arena_copy(svc_arena *a, svc_str text);
void *__wrap_svc_arena_alloc(svc_arena *a, size_t size);
void *__wrap_svc_arena_zero(svc_arena *a, size_t size);
svc_str __wrap_svc_arena_copy(svc_arena *a, svc_str text);
svc_str __wrap_svc_arena_print(svc_arena *a, const char *format, ...) SVC_PRINTF(2, 3);

long t_arena_fail(long n)
{
  long calls = t_arena_calls;
  t_arena_calls = 0;
  t_arena_fail_at = n;
  return calls;
}

bool t_arena_failing(void)
{
  return t_arena_fail_at != 0;
}

static bool t_arena_fails(svc_arena *a)
{
  if (!t_fails(T_FAIL_MEMORY) && (t_arena_fail_at == 0 || ++t_arena_calls != t_arena_fail_at)) return false;
  return a->failed = true;
}

void *__wrap_svc_arena_alloc(svc_arena *a, size_t size)
{
  return t_arena_fails(a) ? NULL : __real_svc_arena_alloc(a, size);
}

void *__wrap_svc_arena_zero(svc_arena *a, size_t size)
{
  return t_arena_fails(a) ? NULL : __real_svc_arena_zero(a, size);
}

svc_str __wrap_svc_arena_copy(svc_arena *a, svc_str text)
{
  return t_arena_fails(a) ? SVC_S("") : __real_svc_arena_copy(a, text);
}

svc_str __wrap_svc_arena_print(svc_arena *a, const char *format, ...)
{
  char small[256], *p;
  va_list args;
  int n;
  va_start(args, format);
  n = vsnprintf(small, sizeof small, format, args);
  va_end(args);
  munit_assert_int(n, >=, 0);
  p = __wrap_svc_arena_alloc(a, (size_t)n + 1);
  if (!p) return SVC_S("");
  va_start(args, format);
  vsnprintf(p, (size_t)n + 1, format, args);
  va_end(args);
  return (svc_str){ p, (size_t)n };
}

int t_handle_within(t_service *t, t_memory *m, const svc_request *request, size_t room, svc_response *response, svc_arena *arena)
{
  svc_call c;
  svc_allocator plain = { NULL, NULL };
  char *block;
  size_t have;
  svc_arena_init(arena, &plain);
  svc_arena_reserve(arena, T_MOST_ROOM);
  have = (size_t)(arena->end - arena->next);
  munit_assert_size(have, >=, room);
  block = svc_arena_alloc(arena, (have - room) & ~(size_t)7);
  munit_assert_not_null(block);
  arena->allocator.resize = t_memory_resize; /* always fails from here on */
  arena->allocator.context = m;
  m->calls = 0;
  m->fail_at = 1;
  m->for_good = true;
  memset(&c, 0, sizeof c);
  memset(response, 0, sizeof *response);
  c.s = t->s;
  c.request.raw = request;
  c.arena = arena;
  c.now = t->now;
  (void)(svc_stage_request(&c) && svc_stage_route(&c) && svc_stage_caller(&c) && svc_stage_version(&c) && svc_stage_limiter(&c) &&
         svc_stage_permission(&c) && svc_stage_query(&c) && svc_stage_body(&c) && svc_stage_behave(&c));
  svc_stage_respond(&c, response);
  svc_end_read(&c);
  m->fail_at = 0;
  m->for_good = false;
  return arena->failed ? SVC_NOMEM : SVC_OK;
}

bool t_memory_sufficed(int rc, const svc_response *r)
{
  if (rc != SVC_NOMEM && r->status != 503) {
    munit_assert_int(rc, ==, SVC_OK);
    return true;
  }
  munit_assert_int(r->status, ==, 503);
  munit_assert_not_null(strstr(r->body, "\"errorCode\":\"SERVICE_UNAVAILABLE\""));
  munit_assert_size(strlen(r->body), ==, r->body_length);
  munit_assert_string_equal(svc_response_header(r, "X-Error-Code"), "SERVICE_UNAVAILABLE");
  munit_assert_string_equal(svc_response_header(r, "Content-Type"), "application/json");
  munit_assert_string_equal(svc_response_header(r, "Retry-After"), "1");
  return false;
}

/* ------------------------------------------------------------------------------------------------------ without a service */

void t_store_open(t_store *t)
{
  svc_config config;
  char why[256] = "";
  memset(t, 0, sizeof *t);
  memset(&config, 0, sizeof config);
  svc_arena_init(&t->arena, NULL);
  if (t_port()->open(&t->store, &config, why, sizeof why) != SVC_OK) munit_errorf("open: %s", why);
  munit_assert_int(t_port()->write_begin(t->store, &t->txn), ==, SVC_OK);
}

void t_store_close(t_store *t)
{
  t_port()->abort(t->txn);
  t_port()->close(t->store);
  svc_blocks_free(t->arena.blocks);
}

svc_id t_id(unsigned n)
{
  svc_id id = { { 0x68, 0, 0, 0, 0, 0, 0, 0, 0, 0, (unsigned char)(n >> 8), (unsigned char)n } };
  return id;
}

/* ------------------------------------------------------------------------------------------------------ counting reads */

static t_reads reads;

static int counting_get(svc_txn *txn, svc_str key, svc_str *value)
{
  int rc = t_port()->get(txn, key, value);
  reads.gets++;
  if (rc == SVC_OK) reads.bytes += (long)value->n;
  return rc;
}

static int counting_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values)
{
  int rc = t_port()->get_many(txn, keys, n, values);
  size_t i;
  reads.gets += (long)n;
  for (i = 0; rc == SVC_OK && i < n; i++) reads.bytes += (long)values[i].n;
  return rc;
}

static int counting_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  int rc = t_port()->scan(txn, range, rows, most, n);
  size_t i;
  reads.scans++;
  reads.rows += (long)*n;
  reads.passed += (long)range->skip;
  for (i = 0; rc == SVC_OK && i < *n; i++) reads.bytes += (long)(rows[i].key.n + rows[i].value.n);
  return rc;
}

static int counting_put(svc_txn *txn, svc_str key, svc_str value)
{
  reads.writes++;
  return t_port()->put(txn, key, value);
}

static int counting_remove(svc_txn *txn, svc_str key)
{
  reads.writes++;
  return t_port()->remove(txn, key);
}

static int counting_remove_range(svc_txn *txn, svc_str from, svc_str to)
{
  reads.writes++;
  return t_port()->remove_range(txn, from, to);
}

/* LMDB's own functions call through svc_txn.port, so the transaction must point to this port. */
static int counting_read_begin(svc_store *store, svc_txn **out)
{
  int rc = t_port()->read_begin(store, out);
  if (rc == SVC_OK) (*out)->port = t_counting_port();
  return rc;
}

static int counting_draft_begin(svc_store *store, svc_txn **out)
{
  int rc = t_port()->draft_begin(store, out);
  if (rc == SVC_OK) (*out)->port = t_counting_port();
  return rc;
}

static long reads_mark; /* value of reads.rows when the last write transaction began */

static void reads_span(void)
{
  if (reads.rows - reads_mark > reads.most) reads.most = reads.rows - reads_mark;
  reads_mark = reads.rows;
}

static int counting_write_begin(svc_store *store, svc_txn **out)
{
  int rc = t_port()->write_begin(store, out);
  reads_span();
  if (rc == SVC_OK) (*out)->port = t_counting_port();
  return rc;
}

const svc_store_port *t_counting_port(void)
{
  static svc_store_port port;
  if (port.open) return &port;
  port = *t_port();
  port.get = counting_get;
  port.get_many = counting_get_many;
  port.scan = counting_scan;
  port.put = counting_put;
  port.remove = counting_remove;
  port.remove_range = counting_remove_range;
  port.read_begin = counting_read_begin;
  port.write_begin = counting_write_begin;
  if (port.draft_begin) port.draft_begin = counting_draft_begin;
  return &port;
}

t_reads t_reads_taken(void)
{
  t_reads out;
  reads_span();
  out = reads;
  memset(&reads, 0, sizeof reads);
  reads_mark = 0;
  return out;
}

bool t_ended(const t_service *t, const svc_plan *plan)
{
  return svc_has_ended(t->s, plan, t->now);
}

void t_ask_as_owner(svc *s, const char *method, const char *target, const char *body, svc_response *out)
{
  static const svc_grant grant = { "ORG_OWNER", NULL };
  static const svc_caller caller = { "5f0000000000000000000001", "owner@example.com", &grant, 1, 1 };
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request request = { .method = method, .target = target, .headers = &json, .header_count = body ? 1 : 0, .body = body,
                          .body_length = body ? strlen(body) : 0, .peer = "192.0.2.7", .caller = &caller };
  svc_handle_request(s, &request, out);
}

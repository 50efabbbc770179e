/*
** The functions for other languages: they take text where svcapi.h has structs, so that bindings need no struct definitions.
**
** The rules: a member that no table below lists, or that has another type, is refused by name; nothing is ignored. Text is
** strict: JSON passes the same gate as bodies, which lets no NUL into a string; each line of headers is one valid header, or the
** request is refused.
*/
#include "control/control.h"

#define FLAT_DEPTH 8
#define FLAT_KEY 32 /* bytes of svc_config.secret_key */

enum { FLAT_STR, FLAT_FLAG, FLAT_INT, FLAT_I64, FLAT_U64, FLAT_SIZE, FLAT_KEY_HEX, FLAT_STORE, FLAT_LIST, FLAT_OBJECT };

typedef struct flat_object flat_object;
typedef struct flat_row {
  const char *name;
  unsigned char kind;
  unsigned short to, count_to; /* offset in the struct; for a list also the offset of its count */
  const flat_object *of;       /* the type of a list's elements, or of an object: stored as a pointer */
} flat_row;

struct flat_object {
  const flat_row *rows;
  size_t count, size;
};

typedef struct flat_reader {
  svc_arena *arena;
  char *why;
  size_t why_size;
} flat_reader;

struct svc_result {
  svc_response response;
  svc_allocator allocator;
  svc_str headers; /* response headers as text; p NULL: not written yet */
  svc_str made; /* the result of a call other than a request; wiped when freed */
};

/* --------------------------------------------------------------------------------------------------------------- tables */

#define FLAT(type, kind, member) { #member, kind, offsetof(type, member), 0, NULL }
#define FLAT_MANY(type, member, many, of) { #member, FLAT_LIST, offsetof(type, member), offsetof(type, many), of }
#define FLAT_ONE(type, member, of) { #member, FLAT_OBJECT, offsetof(type, member), 0, of }
#define FLAT_ROWS(rows, type) { rows, sizeof rows / sizeof rows[0], sizeof(type) }

static const flat_row flat_limit_rows[] = {
  FLAT(svc_limit_override, FLAT_STR, endpoint_set_id), FLAT(svc_limit_override, FLAT_I64, capacity),
  FLAT(svc_limit_override, FLAT_I64, refill_rate), FLAT(svc_limit_override, FLAT_I64, refill_seconds)
};
static const flat_object flat_limit = FLAT_ROWS(flat_limit_rows, svc_limit_override);

static const flat_row flat_address_rows[] = {
  FLAT(svc_control_address, FLAT_STR, provider), FLAT(svc_control_address, FLAT_STR, region),
  FLAT(svc_control_address, FLAT_STR, cidr), FLAT(svc_control_address, FLAT_FLAG, outbound)
};
static const flat_object flat_address = FLAT_ROWS(flat_address_rows, svc_control_address);

static const flat_row flat_config_rows[] = {
  FLAT(svc_config, FLAT_STR, path), FLAT(svc_config, FLAT_SIZE, map_size), FLAT(svc_config, FLAT_SIZE, map_limit),
  FLAT(svc_config, FLAT_INT, durability), FLAT(svc_config, FLAT_I64, disk_reserve), FLAT(svc_config, FLAT_STR, base_url), FLAT(svc_config, FLAT_STR, vendor),
  FLAT(svc_config, FLAT_FLAG, digest_sha256), FLAT(svc_config, FLAT_FLAG, strict_accept), FLAT(svc_config, FLAT_FLAG, enforce_sunset),
  FLAT(svc_config, FLAT_SIZE, max_body), FLAT(svc_config, FLAT_SIZE, max_depth),
  FLAT(svc_config, FLAT_SIZE, max_header_bytes), FLAT(svc_config, FLAT_SIZE, max_target),
  FLAT(svc_config, FLAT_SIZE, max_page), FLAT(svc_config, FLAT_SIZE, max_projects), FLAT(svc_config, FLAT_SIZE, max_questions), FLAT(svc_config, FLAT_FLAG, limiter_off),
  FLAT_MANY(svc_config, limits, limit_count, &flat_limit), FLAT(svc_config, FLAT_SIZE, limiter_buckets),
  FLAT(svc_config, FLAT_STR, db_scheme), FLAT(svc_config, FLAT_STR, db_domain),
  FLAT_MANY(svc_config, control_addresses, control_address_count, &flat_address),
  FLAT(svc_config, FLAT_I64, provision_ms), FLAT(svc_config, FLAT_FLAG, conceal),
  FLAT(svc_config, FLAT_KEY_HEX, secret_key), FLAT(svc_config, FLAT_FLAG, no_card),
  FLAT(svc_config, FLAT_I64, manual_clock), FLAT(svc_config, FLAT_U64, seed), FLAT(svc_config, FLAT_SIZE, journal),
  FLAT(svc_config, FLAT_SIZE, max_snapshot), FLAT(svc_config, FLAT_FLAG, metrics), FLAT(svc_config, FLAT_STR, dialect),
  FLAT(svc_config, FLAT_FLAG, seal_passwords), FLAT(svc_config, FLAT_KEY_HEX, secret_key_next),
  FLAT(svc_config, FLAT_FLAG, dialect_change), FLAT(svc_config, FLAT_FLAG, control_anywhere), FLAT(svc_config, FLAT_STR, control_hosts),
  FLAT(svc_config, FLAT_I64, clock_rate), FLAT(svc_config, FLAT_STORE, store)
};
static const flat_object flat_config = FLAT_ROWS(flat_config_rows, svc_config);

static const flat_row flat_grant_rows[] = { FLAT(svc_grant, FLAT_STR, role), FLAT(svc_grant, FLAT_STR, on) };
static const flat_object flat_grant = FLAT_ROWS(flat_grant_rows, svc_grant);

static const flat_row flat_caller_rows[] = {
  FLAT(svc_caller, FLAT_STR, user_id), FLAT(svc_caller, FLAT_STR, username),
  FLAT_MANY(svc_caller, grants, grant_count, &flat_grant), FLAT(svc_caller, FLAT_FLAG, second_factor)
};
static const flat_object flat_caller = FLAT_ROWS(flat_caller_rows, svc_caller);

static const flat_row flat_origin_rows[] = {
  FLAT(svc_request, FLAT_STR, peer), FLAT(svc_request, FLAT_FLAG, tls), FLAT_ONE(svc_request, caller, &flat_caller)
};
static const flat_object flat_origin = FLAT_ROWS(flat_origin_rows, svc_request);

/* ------------------------------------------------------------------------------------------------------ JSON to structs */

static int flat_wrong(flat_reader *r, svc_str name, const char *what)
{
  if (r->arena->failed) return SVC_NOMEM;
  if (r->why_size) snprintf(r->why, r->why_size, "%.64s %s", svc_arena_copy(r->arena, name).p, what);
  return SVC_INVALID;
}

static int flat_number(flat_reader *r, const flat_row *row, const svc_node *node, char *to)
{
  const bool sign = row->kind == FLAT_INT || row->kind == FLAT_I64;
  int64_t v;
  if (node->type != SVC_J_NUMBER || !svc_json_number_i64(node->text, &v)) return flat_wrong(r, node->name, "must be a whole number");
  if ((!sign && v < 0) || (row->kind == FLAT_INT && (v < INT_MIN || v > INT_MAX)) || (row->kind == FLAT_SIZE && (uint64_t)v > SIZE_MAX))
    return flat_wrong(r, node->name, "is out of range");
  if (row->kind == FLAT_INT) *(int *)(void *)to = (int)v;
  else if (row->kind == FLAT_I64) *(int64_t *)(void *)to = v;
  else if (row->kind == FLAT_U64) *(uint64_t *)(void *)to = (uint64_t)v;
  else *(size_t *)(void *)to = (size_t)v;
  return SVC_OK;
}

static int flat_text(flat_reader *r, const flat_row *row, const svc_node *node, char *to)
{
  unsigned char *key = row->kind == FLAT_KEY_HEX ? svc_arena_alloc(r->arena, FLAT_KEY) : NULL;
  size_t i;
  if (node->type != SVC_J_STRING) return flat_wrong(r, node->name, "must be a string");
  if (row->kind == FLAT_STR) {
    *(const char **)(void *)to = svc_arena_copy(r->arena, node->text).p;
    return SVC_OK;
  }
  if (!svc_pattern_match("^[0-9a-fA-F]{64}$", node->text)) return flat_wrong(r, node->name, "must be 64 hex digits");
  for (i = 0; key && i < FLAT_KEY; i++) {
    const char pair[] = { node->text.p[2 * i], node->text.p[2 * i + 1], '\0' };
    key[i] = (unsigned char)strtoul(pair, NULL, 16);
  }
  *(const void **)(void *)to = key;
  return SVC_OK;
}

/* A store port by its name. */
static int flat_store(flat_reader *r, const svc_node *node, char *to)
{
  const svc_store_port *port = NULL;
  if (node->type != SVC_J_STRING) return flat_wrong(r, node->name, "must be a string");
  if (svc_str_is(node->text, "lmdb")) port = svc_lmdb_store();
#ifdef SVC_MEMORY_STORE
  if (svc_str_is(node->text, "memory")) port = svc_memory_port();
#endif
  if (!port) return flat_wrong(r, node->name, "must be the name of a store that this library was built with: lmdb or memory");
  *(const svc_store_port **)(void *)to = port;
  return SVC_OK;
}

static int flat_read(flat_reader *r, const flat_object *o, const svc_node *node, char *to);

/* Members behind a pointer: the elements of a list, or an object. */
static int flat_behind(flat_reader *r, const flat_row *row, const svc_node *node, char *to)
{
  const bool many = row->kind == FLAT_LIST;
  size_t count = many ? svc_node_count(node) : 1;
  const svc_node *one;
  char *own, *at;
  int rc = SVC_OK;
  if (node->type != (many ? SVC_J_ARRAY : SVC_J_OBJECT)) return flat_wrong(r, node->name, many ? "must be an array" : "must be an object");
  at = own = svc_arena_zero(r->arena, (count + 1) * row->of->size);
  if (!own) return SVC_NOMEM;
  if (!many) rc = flat_read(r, row->of, node, own);
  for (one = many ? node->first : NULL; one && rc == SVC_OK; one = one->next, at += row->of->size) {
    if (one->type != SVC_J_OBJECT) return flat_wrong(r, node->name, "must be an array of objects");
    rc = flat_read(r, row->of, one, at);
  }
  *(void **)(void *)(to + row->to) = own;
  if (many) *(size_t *)(void *)(to + row->count_to) = count;
  return rc;
}

static int flat_read(flat_reader *r, const flat_object *o, const svc_node *node, char *to)
{
  const svc_node *m;
  int rc = SVC_OK;
  for (m = node->first; m && rc == SVC_OK; m = m->next) {
    const flat_row *row = NULL;
    size_t i;
    for (i = 0; i < o->count && !row; i++)
      if (svc_str_is(m->name, o->rows[i].name)) row = &o->rows[i];
    if (!row) return flat_wrong(r, m->name, "is not a member, or cannot be set in JSON");
    if (m->type == SVC_J_NULL) continue; /* the default */
    if (row->kind == FLAT_LIST || row->kind == FLAT_OBJECT) rc = flat_behind(r, row, m, to);
    else if (row->kind == FLAT_STORE) rc = flat_store(r, m, to + row->to);
    else if (row->kind == FLAT_STR || row->kind == FLAT_KEY_HEX) rc = flat_text(r, row, m, to + row->to);
    else if (row->kind != FLAT_FLAG) rc = flat_number(r, row, m, to + row->to);
    else if (m->type != SVC_J_BOOL) rc = flat_wrong(r, m->name, "must be true or false");
    else *(int *)(void *)(to + row->to) = svc_str_is(m->text, "true");
  }
  return rc;
}

/* Reads JSON text (NULL: none) into a zeroed struct. */
static int flat_take(flat_reader *r, const flat_object *o, const char *json, void *to)
{
  svc_str text = svc_str_c(json);
  svc_json_fault fault;
  svc_node *node;
  int rc;
  if (!json) return SVC_OK;
  if (!svc_json_gate(r->arena, text, FLAT_DEPTH, &fault)) {
    if (r->why_size && !r->arena->failed) snprintf(r->why, r->why_size, "the JSON is malformed at byte %zu: %s", fault.at, fault.what);
    return r->arena->failed ? SVC_NOMEM : SVC_INVALID;
  }
  node = svc_json_parse_gated(r->arena, text);
  if (!node) return SVC_NOMEM;
  rc = node->type == SVC_J_OBJECT ? flat_read(r, o, node, to) : flat_wrong(r, SVC_S("the JSON"), "must be an object");
  return r->arena->failed ? SVC_NOMEM : rc;
}

/* -------------------------------------------------------------------------------------------------------------- opening */

/* svc_config.log during svc_open(): keeps the line that says what is wrong. */
static void flat_log(void *context, int level, const char *text)
{
  flat_reader *r = context;
  if (SVC_ALWAYS(level == SVC_LOG_ERROR) && r->why_size) snprintf(r->why, r->why_size, "%s", text);
}

int svc_open_json(svc **out, const char *config_json, char *why, size_t why_size)
{
  svc_arena arena;
  flat_reader r = { &arena, why, why ? why_size : 0 };
  svc_config config;
  int rc;
  if (!out) return SVC_INVALID;
  *out = NULL;
  if (r.why_size) why[0] = '\0';
  memset(&config, 0, sizeof config);
  svc_arena_init(&arena, NULL);
  rc = flat_take(&r, &flat_config, config_json, &config);
  config.log = flat_log;
  config.log_context = &r;
  if (rc == SVC_OK) rc = svc_open_as(out, &config, SVC_VERSION_NUMBER, sizeof config);
  if (rc == SVC_OK) (*out)->config.log = NULL; /* used by this call only */
  if (config.secret_key) svc_wipe((void *)(uintptr_t)config.secret_key, FLAT_KEY);
  if (config.secret_key_next) svc_wipe((void *)(uintptr_t)config.secret_key_next, FLAT_KEY);
  svc_blocks_free(arena.blocks);
  if (rc != SVC_OK && r.why_size && !why[0]) snprintf(why, why_size, "%s", svc_strerror(rc));
  return rc;
}

/* ------------------------------------------------------------------------------------------------------------- requests */

static bool flat_is_token(svc_str name)
{
  return name.n && name.n < 256 && svc_pattern_match("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", name);
}

/* No character that ends a line, and no invisible one. */
static bool flat_is_value(svc_str value)
{
  size_t i;
  for (i = 0; i < value.n; i++)
    if (((unsigned char)value.p[i] < ' ' && value.p[i] != '\t') || value.p[i] == 0x7F) return false;
  return true;
}

/* "Name: value" lines that end in LF or CR LF; the last line may end with the text. */
static int flat_headers(svc_arena *a, const char *text, svc_request *request)
{
  svc_str rest = svc_str_c(text);
  svc_header *h;
  size_t i, lines = 1;
  for (i = 0; i < rest.n; i++) lines += rest.p[i] == '\n';
  h = svc_arena_zero(a, lines * sizeof *h);
  if (!h) return SVC_NOMEM;
  request->headers = h;
  while (rest.n) {
    svc_str line = svc_str_cut(&rest, '\n'), name;
    if (line.n && line.p[line.n - 1] == '\r') line.n--;
    if (line.n == 0 || !memchr(line.p, ':', line.n)) return SVC_INVALID;
    name = svc_str_cut(&line, ':');
    if (!flat_is_token(name) || !flat_is_value(line)) return SVC_INVALID;
    line = svc_str_trim(line);
    h->name = name.p;
    h->name_length = name.n;
    h->value = line.n ? line.p : ""; /* a length of 0 would mean "up to the NUL" */
    h++->value_length = line.n;
    request->header_count++;
  }
  return SVC_OK;
}

/* A result without a response; NULL: out of memory. */
static svc_result *flat_result(svc *s)
{
  svc_result *r = s->allocator.resize(s->allocator.context, NULL, sizeof *r);
  if (!r) return NULL;
  memset(r, 0, sizeof *r);
  r->allocator = s->allocator;
  return r;
}

int svc_call_text(svc *s, const char *method, const char *target, const char *headers, const void *body, size_t body_length,
                  const char *origin_json, svc_result **out)
{
  char why[160] = "a header line has no name or no colon";
  svc_arena arena;
  flat_reader r = { &arena, why, sizeof why };
  svc_request request;
  int rc;
  if (out) *out = NULL;
  if (!SVC_USABLE(s) || !out || !method || !target || (body_length && !body)) return SVC_INVALID;
  memset(&request, 0, sizeof request);
  svc_arena_init(&arena, &s->allocator);
  rc = flat_headers(&arena, headers, &request);
  if (rc == SVC_OK) rc = flat_take(&r, &flat_origin, origin_json, &request);
  request.method = method;
  request.target = target;
  request.body = body;
  request.body_length = body_length;
  if (rc == SVC_OK && !(*out = flat_result(s))) rc = SVC_NOMEM;
  if (rc == SVC_OK) svc_handle_request(s, &request, &(*out)->response); /* out of memory gives 503 */
  else if (rc == SVC_INVALID) svc_log(s, SVC_LOG_ERROR, "call.invalid", "svc_call_text: %s", why);
  svc_blocks_free(arena.blocks);
  return rc;
}

int svc_result_status(const svc_result *r)
{
  return r ? r->response.status : 0;
}

const char *svc_result_header(const svc_result *r, const char *name)
{
  return r ? svc_response_header(&r->response, name) : NULL;
}

/* The header lines are written on the first call, into memory that is freed with the response. */
const char *svc_result_headers(svc_result *r)
{
  svc_arena a;
  svc_buf b;
  size_t i;
  if (!r || r->headers.p) return r ? r->headers.p : "";
  svc_arena_init(&a, &r->allocator);
  a.blocks = r->response.memory;
  b = svc_buf_new(&a, 512);
  for (i = 0; i < r->response.header_count; i++) {
    const svc_header *h = &r->response.headers[i];
    svc_buf_str(&b, svc_str_n(h->name, h->name_length));
    svc_buf_text(&b, ": ");
    svc_buf_str(&b, svc_str_n(h->value, h->value_length));
    svc_buf_char(&b, '\n');
  }
  r->headers = svc_buf_done(&b);
  r->response.memory = a.blocks;
  if (a.failed) r->headers = (svc_str){ NULL, 0 };
  return r->headers.p;
}

int svc_result_drop(const svc_result *r)
{
  return r ? r->response.drop : 0;
}

int svc_result_delay_ms(const svc_result *r)
{
  return r ? r->response.delay_ms : 0;
}

const char *svc_result_operation(const svc_result *r)
{
  return r && r->response.operation ? r->response.operation : "";
}

const char *svc_result_body(const svc_result *r, size_t *length)
{
  if (length) *length = r ? r->response.body_length : 0;
  return r ? r->response.body : ""; /* body is never NULL */
}

void svc_result_free(svc_result *r)
{
  if (!r) return;
  if (r->made.n) svc_wipe((void *)(uintptr_t)r->made.p, r->made.n);
  svc_response_free(&r->response);
  r->allocator.resize(r->allocator.context, r, 0);
}

/* --------------------------------------------------------------------------------------------------------- test control */

#ifndef SVC_OMIT_TEST_CONTROL
int svc_control_text(svc *s, const char *method, const char *target, const void *body, size_t body_length, svc_result **out)
{
  static const svc_header json = { "Content-Type", "application/json", 12, 16 };
  static const svc_header bytes = { "Content-Type", "application/octet-stream", 12, 24 }; /* the PUT of a snapshot requires this type */
  svc_request request;
  if (out) *out = NULL;
  if (!SVC_USABLE(s) || !out || !method || !target || (body_length && !body)) return SVC_INVALID;
  memset(&request, 0, sizeof request);
  request.method = method;
  request.target = target;
  request.headers = strcmp(method, "PUT") == 0 ? &bytes : &json;
  request.header_count = body_length > 0;
  request.body = body;
  request.body_length = body_length;
  if (!svc_control_is_path(&request)) return SVC_INVALID;
  *out = flat_result(s);
  if (!*out) return SVC_NOMEM;
  svc_control_answer(s, NULL, &request, &(*out)->response); /* out of memory gives 503 */
  return SVC_OK;
}
#endif

/* ---------------------------------------------------------------------------------------------------------- credentials */

int svc_bootstrap_json(svc *s, svc_result **out)
{
  svc_credentials c;
  svc_arena arena;
  svc_result *r;
  int rc;
  if (out) *out = NULL;
  if (!SVC_USABLE(s) || !out) return SVC_INVALID;
  r = flat_result(s);
  if (!r) return SVC_NOMEM;
  svc_arena_init(&arena, &s->allocator);
  svc_arena_reserve(&arena, 2 * sizeof c); /* before anything is created that could not be shown */
  rc = arena.failed ? SVC_NOMEM : svc_bootstrap(s, &c);
  if (rc == SVC_OK)
    r->made = svc_arena_print(&arena, "{\"orgId\":\"%s\",\"groupId\":\"%s\",\"publicKey\":\"%s\",\"privateKey\":\"%s\","
                              "\"clientId\":\"%s\",\"clientSecret\":\"%s\"}", c.org_id, c.group_id, c.public_key, c.private_key,
                              c.client_id, c.client_secret);
  svc_wipe(&c, sizeof c);
  r->response.status = 200;
  r->response.body = r->made.p;
  r->response.body_length = r->made.n;
  r->response.memory = arena.blocks;
  if (rc == SVC_OK) *out = r;
  else svc_result_free(r);
  return rc;
}

/*
** The public functions: a handle is opened, requests go their way through the steps, the handle is closed.
**
** svc_handle_request() is the map of the whole library: read it top to bottom and follow the step that interests you.
*/
#include "pipeline/pipeline.h"
#include "control/control.h"

#include <time.h>

#define API_LONGEST_URL 1024
#define API_LONGEST_WORD 16 /* a client id goes into svc_credentials with it */
#define API_LONGEST_PROVISION (INT64_C(36525) * 86400 * 1000)

/* What is only there with test control, and what there is without. */
#ifdef SVC_OMIT_TEST_CONTROL
#define API_CONTROL(with, without) (without)
#else
#define API_CONTROL(with, without) (with)
#endif

/* -------------------------------------------------------------------------------------------------------------- opening */

static int64_t api_system_clock(void *context)
{
  struct timespec t;
  (void)context;
  if (clock_gettime(CLOCK_REALTIME, &t) != 0) return 0;
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

SVC_PRIVATE void svc_log(const svc *s, int level, const char *format, ...)
{
  char text[512];
  va_list args;
  if (!s->config.log) return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  s->config.log(s->config.log_context, level, text);
}

/* A clock that is out of its mind must not make sums overflow; dates end long before this. */
SVC_PRIVATE int64_t svc_now(const svc *s)
{
  const int64_t latest = INT64_MAX / 4;
  int64_t now = s->config.clock(s->config.clock_context);
  return now > latest ? latest : now < -latest ? -latest : now;
}

static size_t api_default(size_t value, size_t otherwise)
{
  return value ? value : otherwise;
}

static int api_invalid(const svc *s, const char *member, const char *why)
{
  svc_log(s, SVC_LOG_ERROR, "svc_config.%s %s", member, why);
  return SVC_INVALID;
}

/* The vendor word stands in paths and media types. */
static bool api_is_word(svc_str text)
{
  return text.n <= 64 && svc_pattern_match("^[a-z][a-z0-9-]*$", text);
}

static int api_addresses(svc *s)
{
  static const char *const providers[] = { "aws", "azure", "gcp" };
  size_t i, n = s->config.control_address_count;
  svc_control_address *own = svc_arena_zero(&s->memory, n * sizeof *own + 1);
  if (!own) return SVC_NOMEM;
  for (i = 0; i < n; i++) {
    const svc_control_address *a = &s->config.control_addresses[i];
    svc_str provider = svc_str_c(a->provider), region = svc_str_c(a->region), cidr = svc_str_c(a->cidr);
    if (!svc_str_is(provider, providers[0]) && !svc_str_is(provider, providers[1]) && !svc_str_is(provider, providers[2]))
      return api_invalid(s, "control_addresses", "has a provider that is not aws, azure or gcp");
    if (region.n == 0 || !svc_utf8_valid(region)) return api_invalid(s, "control_addresses", "has one without region");
    if (!svc_format_check(SVC_FORMAT_IP_OR_CIDR, cidr)) return api_invalid(s, "control_addresses", "has a bad address");
    own[i].provider = svc_arena_copy(&s->memory, provider).p;
    own[i].region = svc_arena_copy(&s->memory, region).p;
    own[i].cidr = svc_arena_copy(&s->memory, cidr).p;
    own[i].outbound = a->outbound;
  }
  s->config.control_addresses = own;
  return s->memory.failed ? SVC_NOMEM : SVC_OK;
}

static int api_configure(svc *s)
{
  svc_config *k = &s->config;
  svc_str url = svc_str_c(k->base_url ? k->base_url : "http://localhost:8080");
  svc_str scheme = svc_str_c(k->db_scheme ? k->db_scheme : "db"), domain = svc_str_c(k->db_domain ? k->db_domain : "db.local");
  while (url.n && url.p[url.n - 1] == '/') url.n--;
  s->base_url = svc_arena_copy(&s->memory, url);
  if (k->vendor) s->vendor = svc_arena_copy(&s->memory, svc_str_c(k->vendor)); /* else the store says: api_vendor() */
  if (s->memory.failed) return SVC_NOMEM; /* what could not be copied is not to be judged */
  if (!svc_format_check(SVC_FORMAT_URI, s->base_url)) return api_invalid(s, "base_url", "is not a URL");
  /* it goes into JSON as it is, and paths are put behind it */
  if (strpbrk(s->base_url.p, "\"\\?#")) return api_invalid(s, "base_url", "may not hold any of \" \\ ? #");
  if (s->base_url.n > API_LONGEST_URL) return api_invalid(s, "base_url", "is longer than 1024 bytes");
  if (k->vendor && (!api_is_word(s->vendor) || s->vendor.n > API_LONGEST_WORD))
    return api_invalid(s, "vendor", "must be a word of at most 16 lower-case letters, digits and hyphens");
  if (!api_is_word(scheme)) return api_invalid(s, "db_scheme", "must be a word of lower-case letters, digits and hyphens");
  if (!svc_pattern_match("^[a-zA-Z0-9][a-zA-Z0-9.-]{0,200}$", domain)) return api_invalid(s, "db_domain", "is not a domain");
  k->base_url = s->base_url.p;
  k->db_scheme = svc_arena_copy(&s->memory, scheme).p;
  k->db_domain = svc_arena_copy(&s->memory, domain).p;
  k->max_body = api_default(k->max_body, (size_t)1 << 20);
  k->max_depth = api_default(k->max_depth, 32);
  k->max_header_bytes = api_default(k->max_header_bytes, 16 << 10);
  k->max_target = api_default(k->max_target, 8 << 10);
  k->max_page = api_default(k->max_page, 500);
  k->max_projects = api_default(k->max_projects, 250);
  if (k->max_depth > 512) return api_invalid(s, "max_depth", "is more than 512");
  if (k->max_page > 100000) return api_invalid(s, "max_page", "is more than 100000");
  if (k->limit_count && !k->limits) return api_invalid(s, "limits", "are missing");
  if (k->control_address_count && !k->control_addresses) return api_invalid(s, "control_addresses", "are missing");
  if (k->durability < SVC_DURABLE || k->durability > SVC_NO_SYNC) return api_invalid(s, "durability", "is unknown");
  if (k->provision_ms < SVC_PROVISION_NOW || k->provision_ms > API_LONGEST_PROVISION)
    return api_invalid(s, "provision_ms", "is negative, or more than a hundred years");
  if (k->driver && !k->driver->perform) return api_invalid(s, "driver", "has no function perform");
  s->own_clock = !k->clock;
  if (!k->clock) k->clock = api_system_clock;
  if (k->secret_key) memcpy(s->secret_key, k->secret_key, sizeof s->secret_key);
  return s->memory.failed ? SVC_NOMEM : api_addresses(s);
}

static int api_random(svc *s)
{
  svc_ids *ids = &s->commit.ids;
  char why[256] = "";
  if (s->config.random) {
    ids->random = s->config.random;
    ids->random_context = s->config.random_context;
    return SVC_OK;
  }
  s->drbg = svc_drbg_new(why, sizeof why);
  ids->random = svc_drbg_fill;
  ids->random_context = s->drbg;
  if (s->drbg) return SVC_OK;
  svc_log(s, SVC_LOG_ERROR, "%s", why);
  return SVC_RANDOM;
}

static int api_invalid_limit(const svc *s, const char *id, const char *why)
{
  svc_log(s, SVC_LOG_ERROR, "svc_config.limits: %.100s %s", id, why);
  return SVC_INVALID;
}

static int api_limit(svc *s, const svc_limit_override *o)
{
  char id[80];
  int i;
  for (i = 0; i < s->set_count; i++) {
    svc_set_row *set = &s->sets[i];
    svc_set_id(i, id, sizeof id);
    if (!o->endpoint_set_id || strcmp(id, o->endpoint_set_id) != 0) continue;
    if (o->capacity < 0 || o->capacity > INT32_MAX || o->refill_rate < 0 || o->refill_rate > INT32_MAX ||
        o->refill_seconds < 0 || o->refill_seconds > INT32_MAX)
      return api_invalid_limit(s, id, "has a value out of range");
    if (o->capacity) set->capacity = o->capacity;
    if (o->refill_rate) set->refill_rate = o->refill_rate;
    if (o->refill_seconds) set->refill_seconds = o->refill_seconds;
    return SVC_OK;
  }
  return api_invalid_limit(s, o->endpoint_set_id ? o->endpoint_set_id : "NULL", "is not the id of an endpoint set");
}

static int api_limiter(svc *s)
{
  static const svc_set_row tokens = { "Access tokens", SVC_SCOPE_IP, 10, 10, 60 };
  const svc_set_row *table = svc_set_table(&s->set_count);
  uint64_t seed;
  size_t i;
  int rc = SVC_OK;
  s->sets = svc_arena_alloc(&s->memory, ((size_t)s->set_count + 1) * sizeof *s->sets);
  if (!s->sets) return SVC_NOMEM;
  memcpy(s->sets, table, (size_t)s->set_count * sizeof *s->sets);
  s->sets[s->set_count] = tokens;
  for (i = 0; i < s->config.limit_count && rc == SVC_OK; i++) rc = api_limit(s, &s->config.limits[i]);
  s->config.limits = NULL;
  if (rc != SVC_OK || s->config.limiter_off) return rc;
  if (s->commit.ids.random(s->commit.ids.random_context, &seed, sizeof seed) != 0) return SVC_RANDOM;
  return svc_limiter_open(&s->limiter, &s->allocator, s->config.limiter_buckets, seed, s->sets);
}

static int api_store(svc *s)
{
  const svc_store_port *port = s->config.store ? s->config.store : svc_lmdb_port();
  svc_store *store;
  char why[256] = "";
  int rc;
  /* cppcheck-suppress incorrectLogicOperator ; without -DSVC_SHARED_STORE the macro says no to every port */
  if (port->shared && !SVC_IS_SHARED(port)) return api_invalid(s, "store", "needs -DSVC_SHARED_STORE");
  rc = port->open(&store, &s->config, why, sizeof why);
  if (rc != SVC_OK) {
    svc_log(s, SVC_LOG_ERROR, "%s", why[0] ? why : svc_strerror(rc));
    return rc;
  }
  rc = svc_commit_open(&s->commit, port, store, &s->allocator);
  if (rc == SVC_OK) return svc_health_open(s);
  if (!port->why || !port->why(store, rc, why, sizeof why)) snprintf(why, sizeof why, "%s", svc_strerror(rc));
  svc_log(s, SVC_LOG_ERROR, "the store cannot be used: %s", why);
  port->close(store);
  return rc;
}

/*
** The vendor word is part of ids and of the hashes of API keys, so it stays the same for the life of a store. The first handle
** writes it down; a later one that names none takes it from there. Stores of version 0.2 and before have not written it down.
*/
static int api_vendor(svc *s)
{
  svc_str given = s->vendor, kept;
  int rc = svc_mark(s, "vendor-word", SVC_S(""), given.n ? given : SVC_S("svc"), true, &s->memory, &kept);
  if (rc == SVC_OK && kept.n && (!api_is_word(kept) || kept.n > API_LONGEST_WORD)) rc = SVC_CORRUPT;
  if (rc == SVC_IO || rc == SVC_FULL || rc == SVC_CORRUPT) svc_log(s, SVC_LOG_ERROR, "the store cannot be used: %s", svc_strerror(rc));
  if (rc != SVC_OK) return rc;
  if (kept.n && given.n && !svc_str_eq(kept, given)) {
    svc_log(s, SVC_LOG_ERROR, "the vendor word of this store is " SVC_FMT ", not " SVC_FMT " (svc_config.vendor, --vendor): it cannot be "
            "changed; leave it out, and the store's own is used", SVC_ARG(kept), SVC_ARG(given));
    return SVC_INVALID;
  }
  s->vendor = kept.n ? kept : given.n ? given : SVC_S("svc");
  s->config.vendor = s->vendor.p;
  s->base_path = svc_arena_print(&s->memory, "/api/%s/v2", s->vendor.p);
  s->base_path_v1 = svc_arena_print(&s->memory, "/api/%s/v1.0", s->vendor.p);
  s->media_prefix = svc_arena_print(&s->memory, "application/vnd.%s.", s->vendor.p);
  return s->memory.failed ? SVC_NOMEM : SVC_OK;
}

/* What is read and written of the store when it has been opened. */
static int api_begin(svc *s)
{
  char text[SVC_STORE_TEXT];
  int rc = svc_seal_start(s);
  if (rc == SVC_OK) rc = svc_digest_share(s);
  if (rc == SVC_OK) rc = svc_orders_open(s);
  if (rc == SVC_OK) rc = API_CONTROL(svc_control_opened(s), SVC_OK);
  if (rc == SVC_IO || rc == SVC_FULL || rc == SVC_CORRUPT)
    svc_log(s, SVC_LOG_ERROR, "the store cannot be used: %s", svc_store_text(s, rc, text));
  return rc;
}

/* What is limited together with other handles. */
static int api_limits(svc *s)
{
  const svc_limiter_port *port = s->config.limiter;
#ifdef SVC_SHARED_STORE
  char why[256] = "";
  int rc = port ? port->open(&s->limits, &s->config, why, sizeof why) : SVC_OK;
  if (rc != SVC_OK) svc_log(s, SVC_LOG_ERROR, "%s", why[0] ? why : svc_strerror(rc));
  s->config.limiter_path = NULL; /* the host's string */
  return rc;
#else
  return port ? api_invalid(s, "limiter", "needs -DSVC_SHARED_STORE") : SVC_OK;
#endif
}

/* Versions between which structs other than svc_config may differ: the major ones, and while that is 0 the minor ones. */
static int api_series(int version_number)
{
  return version_number >= 1000000 ? version_number / 1000000 * 1000 : version_number / 1000;
}

/*
** The configuration of a program that may have been compiled for another version than this. What it does not have is zero
** here, and so the default; what we do not have must be zero there, or it would ask for something in vain.
*/
static int api_take_config(svc *s, const svc_config *config, int version_number, size_t size)
{
  const unsigned char *theirs = (const unsigned char *)config;
  size_t i;
  if (config) memcpy(&s->config, config, size < sizeof *config ? size : sizeof *config);
  if (api_series(version_number) != api_series(SVC_VERSION_NUMBER)) {
    svc_log(s, SVC_LOG_ERROR, "the program was compiled for svcapi %d.%d.%d, this is " SVC_VERSION,
            version_number / 1000000, version_number / 1000 % 1000, version_number % 1000);
    return SVC_INVALID;
  }
  for (i = sizeof *config; config && i < size; i++)
    if (theirs[i]) {
      svc_log(s, SVC_LOG_ERROR, "svc_config has a member set, at byte %zu, that svcapi " SVC_VERSION " does not know", i);
      return SVC_INVALID;
    }
  return SVC_OK;
}

static int api_control(svc *s)
{
  atomic_init(&s->watch, 0);
#ifdef SVC_OMIT_TEST_CONTROL
  if (s->config.manual_clock || s->config.seed || s->config.journal)
    return api_invalid(s, "manual_clock, seed and journal", "are left out of this build (SVC_OMIT_TEST_CONTROL)");
#endif
  return API_CONTROL(svc_control_open(s), SVC_OK);
}

int svc_open_as(svc **out, const svc_config *config, int version_number, size_t config_size)
{
  svc_arena first; /* a handle is the first thing in its own arena */
  svc *s;
  int rc;
  if (!out) return SVC_INVALID;
  *out = NULL;
  if (config_size < offsetof(svc_config, log_context)) return SVC_INVALID; /* no version ever had less */
  svc_arena_init(&first, config ? &config->allocator : NULL);
  s = svc_arena_zero(&first, sizeof *s);
  if (!s) return SVC_NOMEM;
  s->memory = first;
  s->allocator = first.allocator;
  rc = api_take_config(s, config, version_number, config_size);
  if (rc == SVC_OK) rc = api_control(s);
  if (rc == SVC_OK) rc = api_configure(s);
  if (rc == SVC_OK) rc = api_random(s);
  if (rc == SVC_OK) rc = api_limiter(s);
  if (rc == SVC_OK) rc = svc_digest_open(s);
  if (rc == SVC_OK) rc = svc_access_uses_open(s);
  if (rc == SVC_OK) rc = svc_known_open(s);
  if (rc == SVC_OK) rc = svc_kept_open(s);
  if (rc == SVC_OK) rc = svc_work_open(s);
  if (rc == SVC_OK) rc = api_store(s);
  if (rc == SVC_OK) rc = api_vendor(s);
  if (rc == SVC_OK) rc = svc_plan_open(s);
  if (rc == SVC_OK) rc = svc_router_open(s);
  if (rc == SVC_OK) rc = svc_links_open(s);
  if (rc == SVC_OK) rc = svc_counters_open(s);
  if (rc == SVC_OK) rc = api_limits(s);
  if (rc == SVC_OK) rc = api_begin(s);
  if (rc == SVC_RANDOM && (s->config.random || s->drbg)) /* else it has been told why there is none */
    svc_log(s, SVC_LOG_ERROR, "%s gives no random bytes", s->config.random ? "svc_config.random" : "mbedTLS");
  if (rc != SVC_OK) {
    svc_close(s);
    return rc;
  }
  s->config.path = NULL; /* the host's string; nobody needs it from here on */
  *out = s;
  return SVC_OK;
}

int (svc_open)(svc **out, const svc_config *config)
{
  return svc_open_as(out, config, SVC_VERSION_NUMBER, sizeof(svc_config));
}

void svc_close(svc *s)
{
  if (!s) return;
  svc_orders_close(s);
  svc_access_uses_close(s);
  svc_digest_close(s);
  svc_known_close(s);
  svc_kept_close(s);
  svc_work_close(s);
  svc_commit_close(&s->commit);
  svc_health_close(s);
  API_CONTROL(svc_control_close(s), (void)0); /* the clock is in there */
  svc_limiter_close(s->limiter);
  if (SVC_HAS_LIMITS(s)) s->config.limiter->close(s->limits);
  svc_drbg_free(s->drbg);
  svc_wipe(s->secret_key, sizeof s->secret_key);
  svc_blocks_free(s->memory.blocks); /* the handle is in there */
}

const char *svc_vendor(const svc *s)
{
  return s->vendor.p;
}

/* ------------------------------------------------------------------------------------------------------------- requests */

static void api_no_memory(svc_response *response)
{
  static const char body[] = "{\"detail\":\"The service is out of memory. Please try again later.\",\"error\":503,"
                             "\"errorCode\":\"SERVICE_UNAVAILABLE\",\"parameters\":[],\"reason\":\"Service Unavailable\"}";
  static const svc_header headers[] = {
    { "Content-Type", "application/json", 12, 16 },
    { "X-Error-Code", "SERVICE_UNAVAILABLE", 12, 19 },
    { "Retry-After", "1", 11, 1 },
  };
  response->status = 503;
  response->headers = headers;
  response->header_count = sizeof headers / sizeof headers[0];
  response->body = body;
  response->body_length = sizeof body - 1;
}

/* Does test control look at requests? */
static bool api_watched(const svc *s, unsigned what)
{
  return (atomic_load_explicit(&s->watch, memory_order_relaxed) & what) != 0;
}

/* Whether the process lives, and what it counts, is answered without the store: also when all threads wait for that. */
static bool api_is_probe(const svc_request *request)
{
  svc_str rest = svc_str_n(request->target, request->target_length), path = svc_str_cut(&rest, '?');
  return svc_str_is(path, "/_svc/health/live") || svc_str_is(path, "/_svc/metrics");
}

/* False: by this clock nothing may be done, neither what is asked for nor what is due. */
static bool api_may_serve(svc_call *c)
{
  return atomic_load_explicit(&c->s->health.off, memory_order_relaxed) ? svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "") : true;
}

static void api_apply_due(svc *s, int64_t now)
{
  if (atomic_load_explicit(&s->health.off, memory_order_relaxed)) return;
  if (svc_commit_due(&s->commit, now)) svc_apply_due(s, now);
  if (svc_access_uses_due(s, now)) svc_access_uses_flush(s, now);
}

int svc_handle_request(svc *s, const svc_request *request, svc_response *response)
{
  svc_arena arena;
  svc_call c;
  int64_t began;
  if (response) memset(response, 0, sizeof *response);
  if (!s || !request || !response || !request->method || !request->target) return SVC_INVALID;
  if ((request->header_count && !request->headers) || (request->body_length && !request->body)) return SVC_INVALID;
  svc_arena_init(&arena, &s->allocator);
  memset(&c, 0, sizeof c);
  c.s = s;
  c.request.raw = request;
  c.arena = &arena;
  c.now = svc_now(s);
  began = s->counters ? svc_counters_begin(s) : 0;
  if (!api_is_probe(request)) api_apply_due(s, c.now);

  (void)(api_may_serve(&c) &&        /* the clock is right */
         svc_stage_request(&c) &&    /* the request line and headers */
         svc_stage_route(&c) &&      /* path and method to operation */
         svc_stage_caller(&c) &&     /* who sends it */
         (!api_watched(s, SVC_WATCH_FAULTS) || API_CONTROL(svc_stage_fault(&c), true)) && /* a test has it fail */
         svc_stage_limiter(&c) &&    /* one token of its bucket */
         svc_stage_version(&c) &&    /* which dated version of the operation */
         svc_stage_permission(&c) && /* what the caller's roles allow */
         svc_stage_query(&c) &&      /* the parameters */
         svc_stage_body(&c) &&       /* strict JSON, checked against its fields */
         svc_stage_behave(&c));      /* what the operation does, in its transaction */
  svc_read_good(&c);
  if (!c.error.code && !c.answer.status) (void)svc_no_memory(&c); /* nothing came of it, and nobody said why: 503 */
  svc_stage_respond(&c, response);   /* the answer, or the error that a step has set */
  response->drop = c.drop != 0;
  response->delay_ms = c.delay_ms;
  response->operation = c.plan ? c.plan->route->op : NULL;
  if (c.who.known && !request->caller) response->caller = c.who.username.p;
  if (api_watched(s, SVC_WATCH_JOURNAL) && !arena.failed) API_CONTROL(svc_journal_note(&c, response), (void)0);

  if (c.error.code) svc_sign_in_note(&c);
  svc_end_read(&c);
  response->memory = arena.blocks;
  if (s->counters) svc_counters_note(&c, arena.failed ? 503 : response->status, began);
  if (!arena.failed) return SVC_OK;
  svc_response_free(response);
  api_no_memory(response);
  return SVC_NOMEM;
}

void svc_response_free(svc_response *response)
{
  if (!response) return;
  svc_blocks_free(response->memory);
  memset(response, 0, sizeof *response);
}

const char *svc_response_header(const svc_response *response, const char *name)
{
  size_t i;
  for (i = 0; response && name && i < response->header_count; i++)
    if (svc_str_is_nocase(svc_str_c(response->headers[i].name), name)) return response->headers[i].value;
  return NULL;
}

/* ------------------------------------------------------------------------------------------------------------ bootstrap */

/*
** Credentials are all there or none is: what is made goes its usual way, but in one transaction. Limits and versions are no
** matter here: the host asks for it, whatever it has configured for others.
*/
typedef struct api_first {
  svc_job job; /* first: it is cast back */
  svc *s;
  const char *org_id; /* of svc_new_credentials(): as it was asked for; NULL: the first */
  svc_credentials *out;
  svc_arena *arena; /* of the requests; what is answered is in there */
  int status;       /* why it was refused */
} api_first;

/* One request of the host's own; without a body it is a GET. NULL: refused, or txn->error is set. */
static svc_node *api_ask(api_first *first, svc_txn *txn, svc_str target, svc_str body)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller host = { "000000000000000000000000", "bootstrap", &owner, 1, 0 };
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request request = { .method = body.n ? "POST" : "GET", .target = target.p, .headers = &json,
                          .header_count = body.n ? 1 : 0, .body = body.p, .body_length = body.n, .caller = &host };
  svc_response response = { 0 };
  svc_node *answer = NULL;
  svc_call c;
  memset(&c, 0, sizeof c);
  c.s = first->s;
  c.request.raw = &request;
  c.arena = first->arena;
  c.now = first->job.now;
  c.txn = txn;
  if (svc_stage_request(&c) && svc_stage_route(&c) && svc_stage_caller(&c) && svc_stage_permission(&c) &&
      svc_stage_query(&c) && svc_stage_body(&c) && svc_behave_in(&c, txn)) {
    svc_stage_respond(&c, &response);
    answer = svc_json_parse(first->arena, svc_arena_copy(first->arena, (svc_str){ response.body, response.body_length }));
  } else if (txn->error == SVC_OK && !first->arena->failed) {
    svc_log(first->s, SVC_LOG_ERROR, "credentials: %s answers %s", target.p, svc_error_name(c.error.code));
    first->status = SVC_INVALID;
  }
  if (first->arena->failed && txn->error == SVC_OK) txn->error = SVC_NOMEM;
  return txn->error == SVC_OK ? answer : NULL;
}

static void api_take(char *out, size_t size, svc_str value)
{
  snprintf(out, size, SVC_FMT, SVC_ARG(value));
}

/* The id of the first of a list; "" if it is empty. */
static void api_take_first(char *out, size_t size, const svc_node *list)
{
  api_take(out, size, svc_node_str(svc_node_first(svc_node_get(list, "results")), "id"));
}

/* Where the organization asks for access lists, a credential without one opens nothing: it can be used from here. */
static bool api_first_access(api_first *first, svc_txn *txn, const char *whose, svc_str id)
{
  const char *base = first->s->base_path.p, *org = first->out->org_id;
  const svc_node *settings;
  if (!first->s->seats[SVC_SEAT_POLICY]) return true; /* a build without settings */
  settings = api_ask(first, txn, svc_arena_print(first->arena, "%s/orgs/%s/settings", base, org), SVC_S(""));
  if (!settings) return false;
  if (!svc_node_bool(settings, "apiAccessListRequired", false)) return true;
  return api_ask(first, txn,
                 svc_arena_print(first->arena, "%s/orgs/%s/%s/" SVC_FMT "/accessList", base, org, whose, SVC_ARG(id)),
                 SVC_S("[{\"ipAddress\":\"127.0.0.1\"},{\"ipAddress\":\"::1\"}]")) != NULL;
}

/* An API key and a service account that own out->org_id. */
static bool api_first_credentials(api_first *first, svc_txn *txn)
{
  svc_credentials *out = first->out;
  svc_arena *arena = first->arena;
  const char *base = first->s->base_path.p;
  svc_node *answer = api_ask(first, txn, svc_arena_print(arena, "%s/orgs/%s/apiKeys", base, out->org_id),
                             SVC_S("{\"desc\":\"bootstrap\",\"roles\":[\"ORG_OWNER\"]}"));
  if (!answer) return false;
  api_take(out->public_key, sizeof out->public_key, svc_node_str(answer, "publicKey"));
  api_take(out->private_key, sizeof out->private_key, svc_node_str(answer, "privateKey"));
  if (!api_first_access(first, txn, "apiKeys", svc_node_str(answer, "id"))) return false;
  answer = api_ask(first, txn, svc_arena_print(arena, "%s/orgs/%s/serviceAccounts", base, out->org_id),
                   SVC_S("{\"name\":\"bootstrap\",\"description\":\"owner of the first organization\","
                         "\"roles\":[\"ORG_OWNER\"],\"secretExpiresAfterHours\":8760}"));
  if (!answer) return false;
  api_take(out->client_id, sizeof out->client_id, svc_node_str(answer, "clientId"));
  api_take(out->client_secret, sizeof out->client_secret, svc_node_str(svc_node_first(svc_node_get(answer, "secrets")), "secret"));
  return api_first_access(first, txn, "serviceAccounts", svc_node_str(answer, "clientId"));
}

static bool api_first_work(svc_job *job, svc_txn *txn)
{
  static const svc_id root;
  api_first *first = (api_first *)job;
  svc_credentials *out = first->out;
  const char *base = first->s->base_path.p;
  svc_node *answer;
  if (svc_count(txn, first->s->org->noun->kind, &root)) {
    first->status = SVC_BUSY;
    return false;
  }
  answer = api_ask(first, txn, svc_arena_print(first->arena, "%s/orgs", base), SVC_S("{\"name\":\"First\"}"));
  if (!answer) return false;
  api_take(out->org_id, sizeof out->org_id, svc_node_str(svc_node_get(answer, "organization"), "id"));
  answer = api_ask(first, txn, svc_arena_print(first->arena, "%s/groups", base),
                   svc_arena_print(first->arena, "{\"name\":\"First\",\"orgId\":\"%s\"}", out->org_id));
  if (!answer) return false;
  api_take(out->group_id, sizeof out->group_id, svc_node_str(answer, "id"));
  return api_first_credentials(first, txn);
}

static bool api_again_work(svc_job *job, svc_txn *txn)
{
  api_first *first = (api_first *)job;
  svc_credentials *out = first->out;
  const char *base = first->s->base_path.p;
  svc_node *answer;
  if (first->org_id) {
    api_take(out->org_id, sizeof out->org_id, svc_str_c(first->org_id));
  } else {
    answer = api_ask(first, txn, svc_arena_print(first->arena, "%s/orgs?itemsPerPage=1", base), SVC_S(""));
    if (!answer) return false;
    api_take_first(out->org_id, sizeof out->org_id, answer);
  }
  if (!out->org_id[0]) {
    svc_log(first->s, SVC_LOG_ERROR, "credentials: the store has no organization yet");
    first->status = SVC_INVALID;
    return false;
  }
  answer = api_ask(first, txn, svc_arena_print(first->arena, "%s/orgs/%s/groups?itemsPerPage=1", base, out->org_id),
                   SVC_S(""));
  if (!answer) return false;
  api_take_first(out->group_id, sizeof out->group_id, answer);
  return api_first_credentials(first, txn);
}

static int api_credentials(svc *s, bool (*work)(svc_job *job, svc_txn *txn), const char *org_id, svc_credentials *out)
{
  svc_arena arena;
  api_first first;
  int rc;
  if (!s->org || !s->group || !s->seats[SVC_SEAT_KEY] || !s->seats[SVC_SEAT_ACCOUNT])
    return SVC_INVALID; /* a build without them has nothing to make */
  svc_arena_init(&arena, &s->allocator);
  memset(&first, 0, sizeof first);
  first.job.work = work;
  first.job.now = svc_now(s);
  first.s = s;
  first.org_id = org_id;
  first.out = out;
  first.arena = &arena;
  first.status = SVC_NOMEM; /* unless it is refused for another reason */
  rc = svc_commit_run(&s->commit, &first.job);
  if (rc == SVC_OK && first.job.refused) rc = first.status;
  svc_blocks_free(arena.blocks);
  if (rc != SVC_OK) memset(out, 0, sizeof *out);
  return rc;
}

int svc_bootstrap(svc *s, svc_credentials *out)
{
  if (!s || !out) return SVC_INVALID;
  memset(out, 0, sizeof *out);
  return api_credentials(s, api_first_work, NULL, out);
}

int svc_new_credentials(svc *s, const char *org_id, svc_credentials *out)
{
  svc_id id;
  if (!s || !out) return SVC_INVALID;
  memset(out, 0, sizeof *out);
  if (org_id && !svc_id_parse(svc_str_c(org_id), &id)) return SVC_INVALID;
  return api_credentials(s, api_again_work, org_id, out);
}

/* --------------------------------------------------------------------------------------------------------------- others */

int svc_tick(svc *s)
{
  int64_t now;
  int rc;
  if (!s) return SVC_INVALID;
  rc = svc_health_tick(s);
  if (rc != SVC_OK) return rc;
  now = svc_now(s);
  if (svc_access_uses_due(s, now)) svc_access_uses_flush(s, now);
  rc = svc_apply_due(s, now);
  return rc == SVC_OK ? svc_orders_hand_out(s, now) : rc;
}

int svc_is_due(svc *s)
{
  int64_t now = s ? svc_now(s) : 0;
  return s && (svc_commit_due(&s->commit, now) || svc_access_uses_due(s, now));
}

/* Does its operation ask the driver, inspect much, or answer with something as long as the OpenAPI document? */
static bool api_asks(svc *s, const svc_request *request)
{
  svc_arena arena;
  svc_call c;
  bool asks;
  if (!s->asks) return false;
  svc_service_call(&c, s, &arena, NULL, 0);
  c.request.raw = request;
  asks = svc_stage_request(&c) && svc_stage_route(&c) && (c.plan->route->told || c.plan->route->flags & SVC_ABSOLUTE || c.plan->route->inspects);
  svc_blocks_free(arena.blocks);
  return asks;
}

int svc_may_wait(svc *s, const svc_request *request)
{
  svc_str method = svc_str_c(request ? request->method : NULL);
  if (!s || !request || !request->target || method.n == 0) return 0;
  if (!svc_str_is(method, "GET") && !svc_str_is(method, "HEAD")) return 1;
  if (api_is_probe(request)) return 0;
  if (SVC_IS_SHARED(s->commit.port) || SVC_HAS_LIMITS(s)) return 1; /* what is shared with others is elsewhere: reads wait for it */
  return svc_is_due(s) || api_asks(s, request);
}

int svc_openapi(svc *s, svc_response *out)
{
  static const svc_header type = { "Content-Type", "application/json", 12, 16 };
  uint64_t revision;
  svc_arena arena;
  svc_str text;
  if (!s || !out) return SVC_INVALID;
  memset(out, 0, sizeof *out);
  svc_arena_init(&arena, &s->allocator);
  text = svc_openapi_kept(s, &revision);
  text = text.p ? svc_arena_copy(&arena, text) : svc_openapi_document(s, &arena);
  return svc_respond_text(&arena, text, &type, out);
}

int svc_backup(svc *s, const char *path)
{
  int rc;
  if (!s || !path || !*path) return SVC_INVALID;
  rc = svc_commit_copy(&s->commit, path, svc_now(s));
  if (rc != SVC_OK) svc_log(s, SVC_LOG_ERROR, "cannot write a copy of the store into %.300s: %s", path, svc_strerror(rc));
  return rc;
}

int svc_backup_of(const char *path, const char *to)
{
  return path && *path && to && *to ? svc_lmdb_copy_of(path, to) : SVC_INVALID;
}

#ifdef SVC_SHARED_STORE
const svc_store_port *svc_lmdb_store(void)
{
  return svc_lmdb_port();
}
#endif

const char *svc_version(void)
{
  return SVC_VERSION;
}

const char *svc_strerror(int code)
{
  switch (code) {
  case SVC_OK: return "no error";
  case SVC_NOMEM: return "out of memory";
  case SVC_INVALID: return "an argument or a member of the configuration is invalid";
  case SVC_IO: return "the store cannot be read or written";
  case SVC_FULL: return "the disk is full, or the store may not grow any further";
  case SVC_BUSY: return "the store is in use by another process or handle";
  case SVC_NEWER: return "the store was written by a newer version of this library";
  case SVC_CORRUPT: return "the store is damaged, or is not a store of this library";
  case SVC_RANDOM: return "the source of random bytes failed";
  case SVC_EXISTS: return "the folder holds a store already";
  case SVC_UNFINISHED: return "the store is a copy that was not finished: remove it, and copy again";
  case SVC_CLOCK: return "the clock of this machine differs from that of the database by more than a minute";
  case SVC_OLDER: return "the store was written by an older version of this library, whose format is not read any more";
  default: return "unknown error";
  }
}

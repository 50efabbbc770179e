/*
** Opening and closing a handle: svc_open() checks the configuration, opens the store and resolves the tables; svc_close() undoes it.
**
** The rule: a handle is open as a whole or not at all. Each step returns a status; the first one that fails closes what was opened before
** it, and the log says why.
*/
#include "control/control.h"

#include <time.h>

#define OPEN_LONGEST_URL 1024
#define OPEN_LONGEST_WORD 16 /* svc_credentials has to hold a client id with this word */
#define OPEN_LARGEST_RESERVE (INT64_C(1) << 30)
#define OPEN_LONGEST_PROVISION (INT64_C(36525) * 86400 * 1000)

static int64_t open_system_clock(void *context)
{
  struct timespec t;
  (void)context;
  if (clock_gettime(CLOCK_REALTIME, &t) != 0) return 0;
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static size_t open_default(size_t value, size_t otherwise)
{
  return value ? value : otherwise;
}

static int open_invalid(const svc *s, const char *member, const char *why)
{
  svc_log(s, SVC_LOG_ERROR, "config.invalid", "svc_config.%s %s", member, why);
  return SVC_INVALID;
}

/* The vendor word appears in paths and media types. */
static bool open_is_word(svc_str text)
{
  return text.n <= 64 && svc_pattern_match("^[a-z][a-z0-9-]*$", text);
}

static int open_addresses(svc *s)
{
  static const char *const providers[] = { "aws", "azure", "gcp" };
  size_t i, n = s->config.control_address_count;
  svc_control_address *own = svc_arena_zero(&s->memory, n * sizeof *own + 1);
  if (!own) return SVC_NOMEM;
  for (i = 0; i < n; i++) {
    const svc_control_address *a = &s->config.control_addresses[i];
    svc_str provider = svc_str_c(a->provider), region = svc_str_c(a->region), cidr = svc_str_c(a->cidr);
    if (!svc_str_is(provider, providers[0]) && !svc_str_is(provider, providers[1]) && !svc_str_is(provider, providers[2]))
      return open_invalid(s, "control_addresses", "has a provider that is not aws, azure or gcp");
    if (region.n == 0 || !svc_utf8_valid(region)) return open_invalid(s, "control_addresses", "has one without region");
    if (!svc_format_check(SVC_FORMAT_IP_OR_CIDR, cidr)) return open_invalid(s, "control_addresses", "has a bad address");
    own[i].provider = svc_arena_copy(&s->memory, provider).p;
    own[i].region = svc_arena_copy(&s->memory, region).p;
    own[i].cidr = svc_arena_copy(&s->memory, cidr).p;
    own[i].outbound = a->outbound;
  }
  s->config.control_addresses = own;
  return s->memory.failed ? SVC_NOMEM : SVC_OK;
}

/* Bounds, and members that need others; the defaults are filled in. */
static int open_check(const svc *s)
{
  const svc_config *k = &s->config;
  if (k->max_depth > 512) return open_invalid(s, "max_depth", "is more than 512");
  if (k->max_page > 100000) return open_invalid(s, "max_page", "is more than 100000");
  if (k->max_questions > 1024) return open_invalid(s, "max_questions", "is more than 1024");
  if (k->limit_count && !k->limits) return open_invalid(s, "limits", "are missing");
  if (k->control_address_count && !k->control_addresses) return open_invalid(s, "control_addresses", "are missing");
  if (k->durability < SVC_DURABLE || k->durability > SVC_NO_SYNC) return open_invalid(s, "durability", "is unknown");
  if (k->provision_ms < SVC_PROVISION_NOW || k->provision_ms > OPEN_LONGEST_PROVISION)
    return open_invalid(s, "provision_ms", "is negative, or more than a hundred years");
  if (k->seal_passwords && !k->secret_key) return open_invalid(s, "seal_passwords", "needs svc_config.secret_key");
  if (k->secret_key_next && !k->secret_key) return open_invalid(s, "secret_key_next", "needs svc_config.secret_key");
  if (k->disk_reserve < SVC_NO_RESERVE || k->disk_reserve > OPEN_LARGEST_RESERVE)
    return open_invalid(s, "disk_reserve", "is negative, or more than 1 GiB");
  if (k->driver && !k->driver->perform) return open_invalid(s, "driver", "has no function perform");
  return SVC_OK;
}

static int open_configure(svc *s)
{
  int rc;
  svc_config *k = &s->config;
  svc_str url = svc_str_c(k->base_url ? k->base_url : "http://localhost:8080");
  svc_str scheme = svc_str_c(k->db_scheme ? k->db_scheme : "db"), domain = svc_str_c(k->db_domain ? k->db_domain : "db.local");
  while (url.n && url.p[url.n - 1] == '/') url.n--;
  s->base_url = svc_arena_copy(&s->memory, url);
  if (k->vendor) s->vendor = svc_arena_copy(&s->memory, svc_str_c(k->vendor)); /* otherwise the store decides: open_vendor() */
  if (s->memory.failed) return SVC_NOMEM; /* a copy that failed must not be validated */
  if (!svc_format_check(SVC_FORMAT_URI, s->base_url)) return open_invalid(s, "base_url", "is not a URL");
  /* written into JSON unescaped, and followed by paths */
  if (strpbrk(s->base_url.p, "\"\\?#")) return open_invalid(s, "base_url", "may not hold any of \" \\ ? #");
  if (s->base_url.n > OPEN_LONGEST_URL) return open_invalid(s, "base_url", "is longer than 1024 bytes");
  if (k->vendor && (!open_is_word(s->vendor) || s->vendor.n > OPEN_LONGEST_WORD))
    return open_invalid(s, "vendor", "must be a word of at most 16 lower-case letters, digits and hyphens");
  if (!open_is_word(scheme)) return open_invalid(s, "db_scheme", "must be a word of lower-case letters, digits and hyphens");
  if (!svc_pattern_match("^[a-zA-Z0-9][a-zA-Z0-9.-]{0,200}$", domain)) return open_invalid(s, "db_domain", "is not a domain");
  k->base_url = s->base_url.p;
  k->db_scheme = svc_arena_copy(&s->memory, scheme).p;
  k->db_domain = svc_arena_copy(&s->memory, domain).p;
  k->max_body = open_default(k->max_body, (size_t)1 << 20);
  k->max_depth = open_default(k->max_depth, 32);
  k->max_header_bytes = open_default(k->max_header_bytes, 16 << 10);
  k->max_target = open_default(k->max_target, 8 << 10);
  k->max_page = open_default(k->max_page, 500);
  k->max_projects = open_default(k->max_projects, 250);
  k->max_questions = open_default(k->max_questions, 32);
  rc = open_check(s);
  if (rc != SVC_OK) return rc;
  s->own_clock = !k->clock;
  if (!k->clock) k->clock = open_system_clock;
  return s->memory.failed ? SVC_NOMEM : open_addresses(s);
}

static int open_random(svc *s)
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
  svc_log(s, SVC_LOG_ERROR, "random.failed", "%s", why);
  return SVC_RANDOM;
}

static int open_invalid_limit(const svc *s, const char *id, const char *why)
{
  svc_log(s, SVC_LOG_ERROR, "config.invalid", "svc_config.limits: %.100s %s", id, why);
  return SVC_INVALID;
}

static int open_unknown_limit(const svc *s, const char *wanted)
{
  char id[80], best[80] = "", why[200];
  svc_near guess = svc_near_begin(svc_str_c(wanted ? wanted : ""));
  int i;
  for (i = 0; i < s->set_count; i++) {
    svc_set_id(i, id, sizeof id);
    guess.best = NULL;
    svc_near_try(&guess, id);
    if (guess.best) snprintf(best, sizeof best, "%s", id);
  }
  snprintf(why, sizeof why, "is not the id of an endpoint set%s%s%s", best[0] ? "; did you mean " : "", best, best[0] ? "?" : "");
  return open_invalid_limit(s, wanted ? wanted : "NULL", why);
}

static int open_limit(svc *s, const svc_limit_override *o)
{
  char id[80];
  int i;
  for (i = 0; i < s->set_count; i++) {
    svc_set_row *set = &s->sets[i];
    svc_set_id(i, id, sizeof id);
    if (!o->endpoint_set_id || strcmp(id, o->endpoint_set_id) != 0) continue;
    if (o->capacity < 0 || o->capacity > INT32_MAX || o->refill_rate < 0 || o->refill_rate > INT32_MAX ||
        o->refill_seconds < 0 || o->refill_seconds > INT32_MAX)
      return open_invalid_limit(s, id, "has a value out of range");
    if (o->capacity) set->capacity = o->capacity;
    if (o->refill_rate) set->refill_rate = o->refill_rate;
    if (o->refill_seconds) set->refill_seconds = o->refill_seconds;
    return SVC_OK;
  }
  return open_unknown_limit(s, o->endpoint_set_id);
}

static int open_limiter(svc *s)
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
  for (i = 0; i < s->config.limit_count && rc == SVC_OK; i++) rc = open_limit(s, &s->config.limits[i]);
  s->config.limits = NULL;
  if (rc != SVC_OK || s->config.limiter_off) return rc;
  if (s->commit.ids.random(s->commit.ids.random_context, &seed, sizeof seed) != 0) return SVC_RANDOM;
  return svc_limiter_open(&s->limiter, &s->allocator, s->config.limiter_buckets, seed, s->sets);
}

static int open_store(svc *s)
{
  const svc_store_port *port = s->config.store ? s->config.store : svc_default_port();
  svc_store *store;
  char why[512] = "";
  int rc;
  if (!port) return open_invalid(s, "store", "must be set: this build has no LMDB");
  /* cppcheck-suppress incorrectLogicOperator ; without -DSVC_SHARED_STORE the macro says no to every port */
  if (port->shared && !SVC_IS_SHARED(port)) return open_invalid(s, "store", "needs -DSVC_SHARED_STORE");
  rc = port->open(&store, &s->config, why, sizeof why);
  if (rc != SVC_OK) {
    svc_log(s, SVC_LOG_ERROR, "store.failed", "%s", why[0] ? why : svc_strerror(rc));
    return rc;
  }
  rc = svc_commit_open(&s->commit, port, store, &s->allocator);
  if (rc == SVC_OK) return svc_health_open(s);
  if (!port->why || !port->why(store, rc, why, sizeof why)) snprintf(why, sizeof why, "%s", svc_strerror(rc));
  svc_log(s, SVC_LOG_ERROR, "store.failed", "the store cannot be used: %s", why);
  port->close(store);
  return rc;
}

/*
** The vendor word is part of client ids and of the hashes of API keys, so it is fixed for the life of a store. The first handle stores it;
** a later handle without a configured word reads it from there. Stores of version 0.2 and before do not contain it.
*/
static int open_vendor(svc *s)
{
  svc_str given = s->vendor, kept;
  int rc = svc_mark(s, "vendor-word", SVC_S(""), given.n ? given : SVC_S("svc"), true, &s->memory, &kept);
  if (rc == SVC_OK && kept.n && (!open_is_word(kept) || kept.n > OPEN_LONGEST_WORD)) rc = SVC_CORRUPT;
  if (rc == SVC_IO || rc == SVC_FULL || rc == SVC_CORRUPT) svc_log(s, SVC_LOG_ERROR, "store.failed", "the store cannot be used: %s", svc_strerror(rc));
  if (rc != SVC_OK) return rc;
  if (kept.n && given.n && !svc_str_eq(kept, given)) {
    svc_log(s, SVC_LOG_ERROR, "config.invalid", "the vendor word of this store is " SVC_FMT ", not " SVC_FMT " (svc_config.vendor, --vendor): it cannot be "
            "changed; leave it out to use the store's word", SVC_ARG(kept), SVC_ARG(given));
    return SVC_INVALID;
  }
  s->vendor = kept.n ? kept : given.n ? given : SVC_S("svc");
  s->config.vendor = s->vendor.p;
  s->base_path = svc_arena_print(&s->memory, "/api/%s/v2", s->vendor.p);
  s->base_path_v1 = svc_arena_print(&s->memory, "/api/%s/v1.0", s->vendor.p);
  s->media_prefix = svc_arena_print(&s->memory, "application/vnd.%s.", s->vendor.p);
  return s->memory.failed ? SVC_NOMEM : SVC_OK;
}

/* Reads and initializes an opened store. */
static int open_begin(svc *s)
{
  char text[SVC_STORE_TEXT];
  int rc = svc_seal_start(s);
  if (rc == SVC_OK) rc = svc_digest_share(s);
  if (rc == SVC_OK) rc = svc_orders_open(s);
  if (rc == SVC_OK) rc = SVC_CONTROL(svc_control_opened(s), SVC_OK);
  if (rc == SVC_IO || rc == SVC_FULL || rc == SVC_CORRUPT)
    svc_log(s, SVC_LOG_ERROR, "store.failed", "the store cannot be used: %s", svc_store_text(s, rc, text));
  return rc;
}

/* Opens limits that are shared with other handles. */
static int open_limits(svc *s)
{
  const svc_limiter_port *port = s->config.limiter;
#ifdef SVC_SHARED_STORE
  char why[256] = "";
  int rc = port ? port->open(&s->limits, &s->config, why, sizeof why) : SVC_OK;
  if (rc != SVC_OK) svc_log(s, SVC_LOG_ERROR, "limiter.failed", "%s", why[0] ? why : svc_strerror(rc));
  s->config.limiter_path = NULL; /* the host's string, no longer needed */
  return rc;
#else
  return port ? open_invalid(s, "limiter", "needs -DSVC_SHARED_STORE") : SVC_OK;
#endif
}

/* Versions of one major number have the same structs, except for svc_config, which grows at its end. */
static int open_major(int version_number)
{
  return version_number / 1000000;
}

/*
** The program may have been compiled for another version. Members that its svc_config lacks are zero here: the default. Members that this
** library lacks must be zero there: otherwise the program would set an option without effect.
*/
static int open_take_config(svc *s, const svc_config *config, int version_number, size_t size)
{
  const unsigned char *theirs = (const unsigned char *)config;
  size_t i;
  if (config) memcpy(&s->config, config, size < sizeof *config ? size : sizeof *config);
  if (open_major(version_number) != open_major(SVC_VERSION_NUMBER)) {
    svc_log(s, SVC_LOG_ERROR, "config.invalid", "the program was compiled for svcapi %d.%d.%d: recompile it for " SVC_VERSION,
            version_number / 1000000, version_number / 1000 % 1000, version_number % 1000);
    return SVC_INVALID;
  }
  for (i = sizeof *config; config && i < size; i++)
    if (theirs[i]) {
      svc_log(s, SVC_LOG_ERROR, "config.invalid", "svc_config has a member set, at byte %zu, that svcapi " SVC_VERSION " does not know", i);
      return SVC_INVALID;
    }
  return SVC_OK;
}

static int open_control(svc *s)
{
  atomic_init(&s->watch, 0);
#ifdef SVC_OMIT_TEST_CONTROL
  if (s->config.manual_clock || s->config.seed || s->config.journal || s->config.control_anywhere)
    return open_invalid(s, "manual_clock, seed, journal and control_anywhere", "are left out of this build (SVC_OMIT_TEST_CONTROL)");
#endif
  return SVC_CONTROL(svc_control_open(s), SVC_OK);
}

int svc_open_as(svc **out, const svc_config *config, int version_number, size_t config_size)
{
  svc_arena first; /* a handle is the first allocation of its own arena */
  svc *s;
  int rc;
  if (!out) return SVC_INVALID;
  *out = NULL;
  if (config_size < offsetof(svc_config, log_context)) return SVC_INVALID; /* smaller than in any version */
  svc_arena_init(&first, config ? &config->allocator : NULL);
  s = svc_arena_zero(&first, sizeof *s);
  if (!s) return SVC_NOMEM;
  s->memory = first;
  s->allocator = first.allocator;
  svc_fork_begin(&s->fork);
  rc = open_take_config(s, config, version_number, config_size);
  if (rc == SVC_OK) rc = open_control(s);
  if (rc == SVC_OK) rc = svc_dialect_open(s);
  if (rc == SVC_OK) rc = open_configure(s);
  if (rc == SVC_OK) rc = open_random(s);
  if (rc == SVC_OK) rc = open_limiter(s);
  if (rc == SVC_OK) rc = svc_digest_open(s);
  if (rc == SVC_OK) rc = svc_access_uses_open(s);
  if (rc == SVC_OK) rc = svc_known_open(s);
  if (rc == SVC_OK) rc = svc_kept_open(s);
  if (rc == SVC_OK) rc = svc_work_open(s);
  if (rc == SVC_OK) rc = svc_questions_open(s);
  if (rc == SVC_OK) rc = open_store(s);
  if (rc == SVC_OK) rc = open_vendor(s);
  if (rc == SVC_OK) rc = svc_dialect_check(s);
  if (rc == SVC_OK) rc = svc_dialect_agree(s);
  if (rc == SVC_OK) rc = svc_plan_open(s);
  if (rc == SVC_OK) rc = svc_router_open(s);
  if (rc == SVC_OK) rc = svc_links_open(s);
  if (rc == SVC_OK) rc = svc_counters_open(s);
  if (rc == SVC_OK) rc = open_limits(s);
  if (rc == SVC_OK) rc = open_begin(s);
  if (rc == SVC_RANDOM && (s->config.random || s->drbg)) /* otherwise the reason has been logged */
    svc_log(s, SVC_LOG_ERROR, "random.failed", "%s returned no random bytes", s->config.random ? "svc_config.random" : "mbedTLS");
  if (rc != SVC_OK) {
    svc_close(s);
    return rc;
  }
  s->config.path = NULL; /* the host's string, no longer needed */
  *out = s;
  return SVC_OK;
}

int (svc_open)(svc **out, const svc_config *config)
{
  return svc_open_as(out, config, SVC_VERSION_NUMBER, sizeof(svc_config));
}

/* In a child of fork() the store stays its parent's: nothing is written there, and no lock of it is released. Only memory and file
** descriptors of this process are freed, and no lock is taken, because a thread of the parent may have held it. */
void svc_close(svc *s)
{
  const bool ours = SVC_USABLE(s);
  if (!s) return;
  if (!ours) svc_commit_abandon(&s->commit); /* from here on there is no store */
  svc_orders_close(s);
  svc_access_uses_close(s);
  svc_digest_close(s);
  svc_known_close(s);
  svc_kept_close(s);
  svc_work_close(s);
  svc_questions_close(s);
  svc_commit_close(&s->commit);
  svc_health_close(s);
  SVC_CONTROL(svc_control_close(s), (void)0); /* owns the clock */
  svc_limiter_close(s->limiter);
  if (ours && SVC_HAS_LIMITS(s)) s->config.limiter->close(s->limits); /* its connections are the parent's as well */
  svc_fork_end(&s->fork);
  svc_drbg_free(s->drbg);
  svc_wipe(&s->secret_keys, sizeof s->secret_keys);
  svc_blocks_free(s->memory.blocks); /* frees the handle, too */
}

const char *svc_vendor(const svc *s)
{
  return s->vendor.p;
}

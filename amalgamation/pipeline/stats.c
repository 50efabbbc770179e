/*
** Counters of a handle: svc_stats() and, as text for Prometheus, svc_metrics_text(); and failed sign-ins, in the log.
**
** Counting is optional (svc_config.metrics): a request then adds to three or four words, relaxed, without a lock;
** otherwise it reads one pointer. Numbers that are read while others add are each right, but not of one moment.
**
** The rule: no label contains text from a client. Operations, endpoint sets, statuses and bounds come from the tables, so
** the text has a bounded size whatever the requests are. Durations are known only if the host
** gives a clock for them (svc_config.monotonic): the library has none.
**
** Counters have the width of a machine word, so that every machine can add to them atomically; on 32 bits they wrap around after
** 2^32, which readers take for a restart.
*/
#include "pipeline/pipeline.h"

#define STATS_SHOWN 12        /* maximum characters of a credential in a log */
#define STATS_LINES 5         /* about one topic, per second */

static const unsigned short stats_codes[] = { 200, 201, 202, 204, 304, 400, 401, 402, 403, 404, 405, 406, 409, 410, 412,
                                              413, 414, 415, 429, 431, 500, 503, 507, 0 /* any other */ };
static const uint32_t stats_bounds[] = { 10, 50, 100, 500, 1000, 5000, 10000, 50000, 100000, 500000, 1000000, 5000000, 10000000,
                                         30000000, 60000000 }; /* microseconds */

enum {
  STATS_CODES = sizeof stats_codes / sizeof stats_codes[0],
  STATS_BOUNDS = sizeof stats_bounds / sizeof stats_bounds[0],
  STATS_TIMES = STATS_BOUNDS + 2 /* slower ones; and the sum of microseconds */
};

struct svc_counters {
  atomic_ulong *codes; /* [plan][code]; the last plan counts requests without one */
  atomic_ulong *times; /* [plan][time]; NULL: no clock */
  atomic_ulong *sets;  /* [set][taken or refused] */
};

SVC_PRIVATE int svc_counters_open(svc *s)
{
  const size_t plans = s->plan_count + 1, sets = (size_t)s->set_count + 1;
  svc_counters *k;
  s->slow_ns = s->config.monotonic && s->config.slow_ms > 0 ? s->config.slow_ms * 1000000 : 0;
  s->timed = s->config.monotonic && (s->config.metrics || s->slow_ns);
  if (!s->config.metrics) return SVC_OK;
  k = svc_arena_zero(&s->memory, sizeof *k);
  if (!k) return SVC_NOMEM;
  k->codes = svc_arena_zero(&s->memory, plans * STATS_CODES * sizeof *k->codes);
  k->sets = svc_arena_zero(&s->memory, sets * 2 * sizeof *k->sets);
  if (s->config.monotonic) k->times = svc_arena_zero(&s->memory, plans * STATS_TIMES * sizeof *k->times);
  s->counters = k;
  return s->memory.failed ? SVC_NOMEM : SVC_OK;
}

/* ------------------------------------------------------------------------------------------------------------- counting */

static void stats_add(atomic_ulong *to, unsigned long n)
{
  atomic_fetch_add_explicit(to, n, memory_order_relaxed);
}

static unsigned long stats_get(atomic_ulong *from)
{
  return atomic_load_explicit(from, memory_order_relaxed);
}

SVC_PRIVATE void svc_counters_note(const svc_call *c, int status, int64_t took)
{
  const svc *s = c->s;
  svc_counters *k = s->counters;
  size_t plan = c->plan ? (size_t)(c->plan - s->plans) : s->plan_count, i = 0;
  if (c->route.limited || c->route.tokens.taken) {
    int set = SVC_TAKES_FORM(c->plan->route) ? s->set_count : c->plan->route->set;
    stats_add(&k->sets[2 * set + c->route.tokens.taken], 1);
  }
  while (stats_codes[i] && stats_codes[i] != status) i++;
  stats_add(&k->codes[plan * STATS_CODES + i], 1);
  if (k->times) {
    atomic_ulong *row = &k->times[plan * STATS_TIMES];
    took = took < 0 ? 0 : took / 1000; /* negative: a broken clock */
    for (i = 0; i < STATS_BOUNDS && took > (int64_t)stats_bounds[i]; i++) {}
    stats_add(&row[i], 1);
    stats_add(&row[STATS_TIMES - 1], (unsigned long)took);
  }
}

/* ---------------------------------------------------------------------------------------------------- sign-ins that fail */

/* Shortens a name, which may be a secret in the wrong place. Replaces characters that could break a log. */
static void stats_shorten(svc_str name, char out[STATS_SHOWN + 4])
{
  size_t all = name.n / 2 < STATS_SHOWN ? name.n / 2 : STATS_SHOWN, i;
  for (i = 0; i < all; i++) {
    char ch = name.p[i];
    bool plain = (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_' || ch == '-';
    out[i] = plain ? ch : '?';
  }
  memcpy(out + all, name.n ? "..." : "", name.n ? 4 : 1);
}

/* The public key in a Digest header. */
static svc_str stats_digest_name(svc_str header)
{
  static const char word[] = "username=\"";
  svc_str rest = header;
  while (rest.n > sizeof word && memcmp(rest.p, word, sizeof word - 1) != 0) rest.p++, rest.n--;
  if (rest.n <= sizeof word) return SVC_S("");
  rest = (svc_str){ rest.p + sizeof word - 1, rest.n - (sizeof word - 1) };
  return svc_str_cut(&rest, '"');
}

/* One word holds the second and the count of lines in it. */
SVC_PRIVATE bool svc_may_say(const svc *s, atomic_uint *said, int64_t now, const char *what)
{
  const unsigned second = (unsigned)((uint64_t)now / 1000 & 0xFFFFFF);
  unsigned was = atomic_load(said), next, count, left;
  if (!svc_logs(s)) return false;
  do {
    count = was & 0xFF;
    left = was >> 8 != second && count > STATS_LINES ? count - STATS_LINES : 0;
    next = was >> 8 != second ? second << 8 | 1 : count < 0xFF ? was + 1 : was;
  } while (!atomic_compare_exchange_weak(said, &was, next));
  if (left) svc_log(s, SVC_LOG_WARNING, "log.left_out", "%s: %u or more further lines in one second were left out", what, left);
  return (next & 0xFF) <= STATS_LINES;
}

/* A request with invalid credentials. A request that is asked for credentials, or for a newer nonce, has not failed. */
static bool stats_sign_in_failed(const svc_call *c)
{
  static const char stale[] = "stale=true";
  svc_str challenge = c->error.challenge;
  int status = svc_error_status(c->error.code);
  if (c->who.known || !c->request.authorization.n || (status != 401 && status != 403)) return false;
  return challenge.n < sizeof stale || memcmp(challenge.p + challenge.n - (sizeof stale - 1), stale, sizeof stale - 1) != 0;
}

SVC_PRIVATE void svc_sign_in_note(svc_call *c)
{
  svc_str header = c->request.authorization, rest = header, scheme = svc_str_cut(&rest, ' '), name = SVC_S(""), secret;
  const char *kind = "bearer token";
  char shown[STATS_SHOWN + 4];
  if (!stats_sign_in_failed(c)) return;
  stats_add(&c->s->sign_ins_failed, 1);
  if (!svc_may_say(c->s, &c->s->sign_ins_said, c->now, "sign-in failed")) return;
  if (svc_str_is_nocase(scheme, "digest")) {
    kind = "public key";
    name = stats_digest_name(header);
  } else if (svc_str_is_nocase(scheme, "basic")) {
    kind = "client";
    svc_basic_credentials(c, &name, &secret);
  } else if (!svc_str_is_nocase(scheme, "bearer")) {
    kind = "an unknown scheme";
  }
  stats_shorten(name, shown);
  svc_log(c->s, SVC_LOG_WARNING, "sign_in.failed", "sign-in failed: %s%s%s from %.46s: %s", kind, shown[0] ? " " : "", shown, c->request.peer.p,
          svc_error_name(c->error.code));
}

/* -------------------------------------------------------------------------------------------------------------- reading */

static void stats_requests(const svc *s, svc_statistics *out)
{
  svc_counters *k = s->counters;
  size_t i;
  for (i = 0; i < (s->plan_count + 1) * STATS_CODES; i++) {
    unsigned long n = stats_get(&k->codes[i]);
    unsigned code = stats_codes[i % STATS_CODES];
    out->requests += n;
    out->answers[code / 100] += n;
  }
  for (i = 0; i <= (size_t)s->set_count; i++) out->limited += stats_get(&k->sets[2 * i]);
}

static void stats_orders(svc *s, svc_statistics *out, int64_t now)
{
  int64_t oldest = (int64_t)stats_get(&s->orders.oldest) * 1000;
  out->orders = stats_get(&s->orders.all);
  out->orders_waiting = stats_get(&s->orders.waiting);
  out->oldest_order_ms = oldest && oldest < now ? now - oldest : 0;
  out->order_retries = stats_get(&s->orders.retries);
}

int svc_stats_as(svc *s, svc_statistics *out, size_t size)
{
  svc_statistics all;
  int64_t now, next;
  if (!SVC_USABLE(s) || !out || size < offsetof(svc_statistics, answers)) return SVC_INVALID;
  memset(&all, 0, sizeof all);
  memset(out, 0, size); /* members of a newer caller stay zero */
  if (s->counters) stats_requests(s, &all);
  all.sign_ins_failed = stats_get(&s->sign_ins_failed);
  all.commits = stats_get(&s->commit.commits);
  all.writes = stats_get(&s->commit.writes);
  now = svc_now(s);
  next = svc_commit_next(&s->commit);
  all.late_ms = next < now ? now - next : 0;
  stats_orders(s, &all, now);
  all.questions = svc_questions_taken(s, &all.questions_refused);
  if (!svc_health_size(s, &all.store_bytes, &all.map_bytes)) all.store_bytes = all.map_bytes = 0;
  memcpy(out, &all, size < sizeof all ? size : sizeof all);
  return SVC_OK;
}

int (svc_stats)(svc *s, svc_statistics *out)
{
  return svc_stats_as(s, out, sizeof *out);
}

/* ------------------------------------------------------------------------------------------- the text, as Prometheus has it */

static void stats_head(svc_buf *b, const char *name, const char *type, const char *help)
{
  const char *const parts[] = { "# HELP svc_", name, " ", help, "\n# TYPE svc_", name, " ", type, "\n" };
  size_t i;
  for (i = 0; i < sizeof parts / sizeof parts[0]; i++) svc_buf_text(b, parts[i]);
}

/* A sample; labels include the braces, or are "". */
static void stats_line(svc_buf *b, const char *name, const char *labels, uint64_t value)
{
  char line[256];
  snprintf(line, sizeof line, "svc_%s%s %llu\n", name, labels, (unsigned long long)value);
  svc_buf_text(b, line);
}

static void stats_one(svc_buf *b, const char *name, const char *type, const char *help, uint64_t value)
{
  stats_head(b, name, type, help);
  stats_line(b, name, "", value);
}

static void stats_seconds(svc_buf *b, const char *name, const char *help, int64_t ms)
{
  char line[96];
  stats_head(b, name, "gauge", help);
  snprintf(line, sizeof line, "svc_%s %llu.%03u\n", name, (unsigned long long)ms / 1000, (unsigned)(ms % 1000));
  svc_buf_text(b, line);
}

static const char *stats_operation(const svc *s, size_t plan)
{
  return plan == s->plan_count ? "none" : s->plans[plan].route->op ? s->plans[plan].route->op : "other";
}

static void stats_by_code(svc_buf *b, const svc *s)
{
  char labels[160];
  size_t plan, i;
  stats_head(b, "requests_total", "counter", "Answered requests, by operation and HTTP status.");
  for (plan = 0; plan <= s->plan_count; plan++)
    for (i = 0; i < STATS_CODES; i++) {
      unsigned long n = stats_get(&s->counters->codes[plan * STATS_CODES + i]);
      if (!n) continue;
      snprintf(labels, sizeof labels, "{operation=\"%.100s\",code=\"%u\"}", stats_operation(s, plan), (unsigned)stats_codes[i]);
      stats_line(b, "requests_total", labels, n);
    }
}

static void stats_by_time(svc_buf *b, const svc *s)
{
  char labels[160], line[256];
  size_t plan, i;
  stats_head(b, "request_seconds", "histogram", "Seconds that the library took to answer, by operation.");
  for (plan = 0; plan <= s->plan_count; plan++) {
    const char *operation = stats_operation(s, plan);
    atomic_ulong *row = &s->counters->times[plan * STATS_TIMES];
    unsigned long micros = stats_get(&row[STATS_TIMES - 1]), n = 0, counts[STATS_BOUNDS + 1];
    for (i = 0; i <= STATS_BOUNDS; i++) n += counts[i] = stats_get(&row[i]);
    if (!n) continue;
    for (i = 0, n = 0; i <= STATS_BOUNDS; i++) {
      char bound[24] = "+Inf";
      if (i < STATS_BOUNDS) snprintf(bound, sizeof bound, "%u.%06u", stats_bounds[i] / 1000000, stats_bounds[i] % 1000000);
      n += counts[i];
      snprintf(labels, sizeof labels, "{operation=\"%.100s\",le=\"%s\"}", operation, bound);
      stats_line(b, "request_seconds_bucket", labels, n);
    }
    snprintf(labels, sizeof labels, "{operation=\"%.100s\"}", operation);
    snprintf(line, sizeof line, "svc_request_seconds_sum%s %lu.%06lu\n", labels, micros / 1000000, micros % 1000000);
    svc_buf_text(b, line);
    stats_line(b, "request_seconds_count", labels, n);
  }
}

static void stats_by_set(svc_buf *b, const svc *s)
{
  static const char *const outcomes[] = { "refused", "taken" };
  char labels[160], id[80];
  int i;
  stats_head(b, "limiter_total", "counter", "Decisions of the rate limiter, by endpoint set: taken (a token) or refused (429).");
  for (i = 0; i < 2 * (s->set_count + 1); i++) {
    unsigned long n = stats_get(&s->counters->sets[i]);
    if (!n) continue;
    if (i / 2 < s->set_count) svc_set_id(i / 2, id, sizeof id);
    else snprintf(id, sizeof id, "access_tokens");
    snprintf(labels, sizeof labels, "{set=\"%s\",outcome=\"%s\"}", id, outcomes[i % 2]);
    stats_line(b, "limiter_total", labels, n);
  }
}

/* Requests to the shared limiter, and how often it did not answer. */
static void stats_by_reason(svc_buf *b, const svc *s)
{
  static const char *const reasons[SVC_LIMITS_REASONS] = {
    [SVC_LIMITS_TIMEOUT] = "timeout", [SVC_LIMITS_CONNECTION] = "connection", [SVC_LIMITS_ERROR] = "error",
    [SVC_LIMITS_BUSY] = "busy", [SVC_LIMITS_PAUSED] = "breaker"
  };
  svc_limits_state state = { 0 };
  char labels[64];
  int i;
  if (!SVC_HAS_LIMITS(s) || !s->config.limiter->state) return;
  s->config.limiter->state(s->limits, &state);
  stats_head(b, "limiter_fallbacks_total", "counter", "Questions that Redis did not answer, by reason: this instance limited by itself, or refused.");
  for (i = 0; i < SVC_LIMITS_REASONS; i++) {
    snprintf(labels, sizeof labels, "{reason=\"%s\"}", reasons[i]);
    stats_line(b, "limiter_fallbacks_total", labels, state.unanswered[i]);
  }
  stats_one(b, "limiter_connects_total", "counter", "Connections to Redis since the start, including the first ones.", state.connects);
  stats_one(b, "limiter_up", "gauge", "1 if Redis is used; 0 while it fails.", state.available);
}

int svc_metrics_text(svc *s, const char *more, svc_response *out)
{
  static const svc_header type = { "Content-Type", "text/plain; version=0.0.4; charset=utf-8", 12, 40 };
  svc_statistics all;
  svc_arena arena;
  svc_buf b;
  int rc;
  if (out) memset(out, 0, sizeof *out);
  if (!SVC_USABLE(s) || !out || !s->counters) return SVC_INVALID;
  rc = svc_stats_as(s, &all, sizeof all);
  if (rc != SVC_OK) return rc;
  svc_arena_init(&arena, &s->allocator);
  b = svc_buf_new(&arena, 8192);
  stats_by_code(&b, s);
  if (s->counters->times) stats_by_time(&b, s);
  stats_by_set(&b, s);
  stats_by_reason(&b, s);
  stats_one(&b, "sign_ins_failed_total", "counter", "Requests with wrong credentials.", all.sign_ins_failed);
  stats_one(&b, "commits_total", "counter", "Commits of the store.", all.commits);
  stats_one(&b, "writes_total", "counter", "Writes made durable by these commits; several writes share a commit.", all.writes);
  stats_one(&b, "conflicts_total", "counter", "Transactions that were retried because another instance had committed first.",
            stats_get(&s->commit.conflicts));
  stats_one(&b, "store_up", "gauge", "1 if the store answered its last request, else 0.", atomic_load(&s->health.store) == SVC_OK);
  if (all.store_bytes) stats_one(&b, "store_bytes", "gauge", "Size of the store on the disk, in bytes.", all.store_bytes);
  if (all.map_bytes) stats_one(&b, "store_map_bytes", "gauge", "Size of the memory map of the store, in bytes; the map doubles when the store reaches it.", all.map_bytes);
  if (s->commit.port->connects)
    stats_one(&b, "store_connects_total", "counter", "Connections to PostgreSQL since the start, including the first ones.", s->commit.port->connects(s->commit.store));
  stats_seconds(&b, "late_seconds", "Seconds since the oldest due step should have happened; 0 if none is late.", all.late_ms);
  stats_one(&b, "orders", "gauge", "Orders that the driver has not finished; 1000 means 1000 or more.", all.orders);
  stats_one(&b, "orders_waiting", "gauge", "Orders that have not been handed to the driver yet; 1000 means 1000 or more.", all.orders_waiting);
  stats_seconds(&b, "orders_oldest_seconds", "Age of the oldest order that the driver has not finished, in seconds.", all.oldest_order_ms);
  stats_one(&b, "order_retries_total", "counter", "Orders that were handed to the driver again.", all.order_retries);
  stats_one(&b, "questions", "gauge", "Questions that the driver has not answered yet.", all.questions);
  stats_one(&b, "questions_refused_total", "counter", "Requests with a question that the driver was not asked, answered with 503.", all.questions_refused);
  if (more) svc_buf_text(&b, more);
  return svc_respond_text(&arena, svc_buf_done(&b), &type, out);
}

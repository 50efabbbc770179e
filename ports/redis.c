/*
** The limiter port on Redis, by hiredis. All handles on the same Redis share buckets and counts of nonces. Redis is a single server, the
** master that sentinels name, or a cluster.
**
**   svc:VENDOR:b:SET:INSTANCE   "TOKENS SINCE"     a bucket with missing tokens; a full one has no key
**   svc:VENDOR:n:NONCE          "HIGHEST WINDOW"   the highest count; and a character for it and each of the 63 below it, 1 if it was used
**
** An instance is part of its key unchanged, because keys can be any bytes. A long instance is shortened to its beginning and a hash of all
** of it. Each request is one script about one key. Both scripts are small, and their numbers are below 2^53, where Lua's numbers are
** exact. A key lives until its bucket would be full by every clock that is less than REDIS_SLACK behind; later,
** results are the same with and without the key.
**
** If a key has another content, its bucket counts as full, or its nonce as used. A nonce without a key counts as used, too, if it was
** issued before Redis was started, because Redis may have lost it. After a failover the new node may lack the last changes of the previous
** one, so a nonce that was issued before this handle found the new node counts as used. The client then gets a new nonce.
**
** This file has the requests, and opening and closing. Its parts are in ports/redis/: limits.h (types), script.h (Lua), uri.h, tls.h,
** wire.h (commands and answers), dial.h (one connection), sentinel.h, cluster.h, breaker.h (when a request may use which connection). The
** parts are headers so that a program compiles only this file and every function stays static.
**
** The rule: no thread waits for long. If no answer comes in time, the handle limits locally or refuses
** (svc_config.limiter_closed), and a nonce is not accepted.
*/
#include "redis/breaker.h"
#include "redis/uri.h"

/* ------------------------------------------------------------------------------------------------------------- questions */

/* Runs a script by its hash, or by its text if the server does not know the hash. A server that is importing the key always gets the text,
** because ASKING is valid for one command only. a: the key and the arguments, after three unused places. */
static redisReply *redis_run(redis_try *t, int script, redis_args *a, bool asking, int64_t until)
{
  redis_args ask = { 0 };
  redisReply *reply;
  redis_text(&ask, "ASKING");
  if (asking && !redis_begin(t, &ask, until, NULL)) return NULL;
  a->values[0] = "EVALSHA", a->lengths[0] = 7;
  a->values[1] = t->conn->sha[script], a->lengths[1] = REDIS_SHA;
  a->values[2] = "1", a->lengths[2] = 1;
  reply = asking ? NULL : redis_exchange(t, a, until);
  if (!asking && (!reply || !redis_is_error(reply, "NOSCRIPT"))) return reply;
  if (reply) freeReplyObject(reply);
  a->values[0] = "EVAL", a->lengths[0] = 4;
  a->values[1] = redis_scripts[script], a->lengths[1] = strlen(redis_scripts[script]);
  return redis_exchange(t, a, until);
}

/* Reads the n numbers that a script returns, each from 0 up to its bound. Any other answer is a failure, and closes the connection, unless
** it is an error that Redis reports. READONLY, the error of a former master, closes the connection, too. */
static void redis_numbers(redis_try *t, const redisReply *reply, const long long *most, long long *out, size_t n)
{
  size_t i;
  bool good = reply->type == REDIS_REPLY_ARRAY && reply->elements == n;
  for (i = 0; i < n && good; i++) {
    good = reply->element[i]->type == REDIS_REPLY_INTEGER;
    out[i] = reply->element[i]->integer;
  }
  if (n == 1 && reply->type == REDIS_REPLY_INTEGER) {
    good = true;
    out[0] = reply->integer;
  }
  for (i = 0; i < n && good; i++) good = out[i] >= 0 && out[i] <= most[i];
  if (good) return;
  redis_fail(t, SVC_LIMITS_ERROR, reply->type == REDIS_REPLY_ERROR ? reply->str : "gives another answer than was asked for");
  if (reply->type != REDIS_REPLY_ERROR || redis_is_error(reply, "READONLY")) redis_lose(t->conn); /* no longer a master */
}

/* Sends a request, and follows up to REDIS_HOPS redirections of a cluster. Returns the answer, or NULL with the failure in t. */
static redisReply *redis_question(svc_limits *l, redis_try *t, int script, redis_args *a)
{
  int64_t until = 0;
  redisReply *reply = NULL;
  bool asking = false, there = redis_ready(l, t);
  int hops;
  for (hops = 0; there; hops++) {
    if (!hops) until = redis_clock() + (int64_t)l->timeout * 1000;
    reply = redis_run(t, script, a, asking, until);
    if (!reply || hops == REDIS_HOPS || !redis_sends_away(l, t, reply, &asking)) return reply;
    freeReplyObject(reply);
    there = redis_turn(l, t);
  }
  return NULL;
}

static int redis_ask(svc_limits *l, int script, redis_args *a, const long long *most, long long *out, size_t n)
{
  redis_try t = { 0 };
  redisReply *reply;
  t.slot = l->kind == REDIS_CLUSTER ? redis_slot(a->values[3], a->lengths[3]) : 0;
  if (!redis_enter(l, &t)) return SVC_BUSY;
  reply = redis_question(l, &t, script, a);
  if (reply) {
    redis_numbers(&t, reply, most, out, n);
    freeReplyObject(reply);
  }
  redis_leave(l, &t);
  return t.why[0] ? SVC_IO : SVC_OK;
}

/* Writes a key and returns its length. A name that is too long is shortened, and a hash of all of it is appended.
** Two names with the same result share a bucket. */
static size_t redis_key(const svc_limits *l, const char *class, svc_str set, svc_str name, char key[REDIS_KEY])
{
  int n = snprintf(key, REDIS_KEY, "svc:%s:%s:%.*s%s", l->vendor, class, (int)(set.n < 100 ? set.n : 100), set.p, set.n ? ":" : "");
  size_t kept = name.n < REDIS_INSTANCE ? name.n : REDIS_INSTANCE, i;
  uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
  if (kept) memcpy(key + n, name.p, kept);
  if (kept == name.n) return (size_t)n + kept;
  for (i = 0; i < name.n; i++) hash = (hash ^ (unsigned char)name.p[i]) * 0x100000001b3u;
  return (size_t)n + kept + (size_t)snprintf(key + n + kept, 24, ":%016llx", (unsigned long long)hash);
}

static int redis_take(svc_limits *l, const svc_bucket *b, int64_t now, svc_tokens *out)
{
  const long long most[3] = { 1, b->capacity, b->refill_seconds * 1000 };
  redis_args a = { .n = 3 };
  char key[REDIS_KEY];
  long long said[3];
  int rc;
  now = now > REDIS_LATEST ? REDIS_LATEST : now < -REDIS_LATEST ? -REDIS_LATEST : now;
  redis_bytes(&a, key, redis_key(l, "b", b->set, b->instance, key));
  redis_integer(&a, b->capacity);
  redis_integer(&a, b->refill_rate);
  redis_integer(&a, b->refill_seconds * 1000);
  redis_integer(&a, now);
  redis_integer(&a, REDIS_SLACK);
  redis_integer(&a, b->look);
  redis_integer(&a, b->bounded ? b->most : -1);
  rc = redis_ask(l, REDIS_TAKE, &a, most, said, 3);
  if (rc != SVC_OK) return rc;
  out->taken = said[0] != 0;
  out->remaining = said[1];
  out->wait_seconds = out->taken ? 0 : said[2] <= 1000 ? 1 : (said[2] + 999) / 1000;
  return SVC_OK;
}

/* Whether a nonce was issued before this handle found the present node. A single server has no failover. */
static bool redis_was_before(svc_limits *l, int64_t age_ms)
{
  int64_t known;
  pthread_mutex_lock(&l->lock);
  known = redis_clock() - l->moved;
  pthread_mutex_unlock(&l->lock);
  return l->kind != REDIS_ONE && age_ms > known / 1000;
}

static int redis_count(svc_limits *l, svc_str nonce, uint32_t count, int64_t age_ms, int64_t lives_ms, bool *fresh)
{
  const long long most = 1;
  redis_args a = { .n = 3 };
  char key[REDIS_KEY];
  long long said;
  int rc;
  redis_bytes(&a, key, redis_key(l, "n", (svc_str){ "", 0 }, nonce, key));
  redis_integer(&a, count);
  redis_integer(&a, lives_ms);
  redis_integer(&a, age_ms);
  rc = redis_ask(l, REDIS_COUNT, &a, &most, &said, 1);
  *fresh = rc == SVC_OK && said == 1 && !redis_was_before(l, age_ms);
  return rc;
}

static void redis_state(svc_limits *l, svc_limits_state *out)
{
  unsigned i;
  out->available = true;
  pthread_mutex_lock(&l->lock);
  for (i = 0; i < l->node_count; i++) out->available &= !l->nodes[i].slots || !l->nodes[i].broken;
  memcpy(out->unanswered, l->unanswered, sizeof out->unanswered);
  out->connects = l->connects;
  pthread_mutex_unlock(&l->lock);
}

/* ----------------------------------------------------------------------------------------------------------- open, close */

static void redis_close(svc_limits *l)
{
  svc_allocator allocator;
  int i;
  if (!l) return;
  allocator = l->allocator;
  for (i = 0; i < REDIS_CONNECTIONS; i++) redis_lose(&l->conns[i]);
  pthread_cond_destroy(&l->free);
  pthread_mutex_destroy(&l->lock);
  redis_trust_close(l);
  explicit_bzero(l->password, sizeof l->password);
  explicit_bzero(l->sentinel_password, sizeof l->sentinel_password);
  allocator.resize(allocator.context, l, 0);
}

static void *redis_resize(void *context, void *p, size_t size)
{
  (void)context;
  if (size) return realloc(p, size);
  free(p);
  return NULL;
}

/* Creates the lock and the condition, whose waits use the monotonic clock. */
static bool redis_locks(svc_limits *l)
{
  pthread_condattr_t monotonic;
  bool good = false;
  if (pthread_condattr_init(&monotonic) != 0) return false;
  if (pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 && pthread_cond_init(&l->free, &monotonic) == 0) {
    good = pthread_mutex_init(&l->lock, NULL) == 0;
    if (!good) pthread_cond_destroy(&l->free);
  }
  pthread_condattr_destroy(&monotonic);
  return good;
}

static svc_limits *redis_limits(const svc_config *config)
{
  static const svc_allocator usual = { redis_resize, NULL };
  svc_allocator allocator = config->allocator.resize ? config->allocator : usual;
  svc_limits *l = allocator.resize(allocator.context, NULL, sizeof *l);
  if (!l) return NULL;
  memset(l, 0, sizeof *l);
  l->allocator = allocator;
  l->log = config->log;
  l->log_event = config->log_event;
  l->log_context = config->log_context;
  l->closed = config->limiter_closed != 0;
  snprintf(l->vendor, sizeof l->vendor, "%s", config->vendor ? config->vendor : "svc");
  if (redis_locks(l)) return l;
  allocator.resize(allocator.context, l, 0);
  return NULL;
}

/* Reads the URI, and prepares TLS and the first node. Returns an error text, or NULL. */
static const char *redis_prepare(svc_limits *l, const char *uri)
{
  const char *wrong = uri ? redis_uri(l, uri) : "it is missing";
  if (!wrong && l->secure) wrong = redis_trust_open(l);
  l->conn_most = l->kind == REDIS_CLUSTER ? REDIS_CONNECTIONS : REDIS_CONNECTIONS_ONE;
  l->node_count = 1;
  l->nodes[0].place = l->seeds[0];
  l->nodes[0].slots = REDIS_SLOTS;
  l->moved = redis_clock();
  return wrong;
}

/* Opens the limiter. A server that does not answer is not an error: the breaker retries later. A server that refuses access is an error. */
static int redis_open(svc_limits **out, const svc_config *config, char *why, size_t why_size)
{
  svc_limits *l;
  redis_try t = { 0 };
  const char *wrong;
  *out = NULL;
  l = redis_limits(config);
  if (!l) return SVC_NOMEM;
  wrong = redis_prepare(l, config->limiter_path);
  if (!wrong && redis_enter(l, &t)) {
    redis_connect(l, &t);
    if (t.refused) snprintf(why, why_size, "limiter: Redis refuses: %s", t.why);
    else redis_leave(l, &t);
  }
  if (wrong) snprintf(why, why_size, "svc_config.limiter_path: %s", wrong);
  if (!wrong && !t.refused) *out = l;
  else redis_close(l);
  return *out ? SVC_OK : SVC_INVALID;
}

int svc_redis_answers(const svc_config *config, char *why, size_t why_size)
{
  svc_config quiet = *config;
  svc_limits_state state;
  svc_limits *l;
  int rc;
  if (why_size) why[0] = '\0';
  quiet.log = NULL;
  quiet.log_event = NULL;
  rc = redis_open(&l, &quiet, why, why_size);
  if (rc != SVC_OK) return rc;
  redis_state(l, &state);
  redis_close(l);
  return state.available ? SVC_OK : SVC_BUSY;
}

const svc_limiter_port *svc_redis_port(void)
{
  static const svc_limiter_port port = {
    .open = redis_open, .close = redis_close, .take = redis_take, .count = redis_count, .state = redis_state
  };
  return &port;
}

/*
** Whether a handle can serve: does the store answer, does the limiter answer, and is the clock right?
**
** A store inside this process always answers. A server gets one small query, every HEALTH_EVERY from svc_tick() and whenever the
** health is asked for, but at most once in HEALTH_KEPT: frequent health checks cost the server nothing.
**
** The reply has the server's clock. Instances on one store use their own clocks, and a wrong clock of one harms all: the instance expires
** tokens, closes invoices of future months and applies due steps too early. So a handle whose clock is off by more than
** HEALTH_REFUSE serves nothing and says why; above HEALTH_WARN it logs a warning. A handle with a clock of the host
** is not judged, because such a clock may show any time.
*/
#include "pipeline/pipeline.h"

#define HEALTH_EVERY 30000 /* milliseconds, as in the following lines */
#define HEALTH_KEPT 1000
#define HEALTH_WARN 5000
#define HEALTH_REFUSE 60000
#define HEALTH_SAY 600000 /* between two warnings */

SVC_PRIVATE const char *svc_store_text(const svc *s, int status, char text[SVC_STORE_TEXT])
{
  const svc_commit *k = &s->commit;
  if (k->store && k->port->why && k->port->why(k->store, status, text, SVC_STORE_TEXT)) return text;
  if (status == SVC_BUSY && SVC_IS_SHARED(k->port)) return "serialization conflict: others have changed the same again and again";
  return svc_strerror(status);
}

/* ---------------------------------------------------------------------------------------------------------------- clock */

/* Compares the store's clock with ours; `before` and `behind`: our clock around the query. */
static void health_judge(svc *s, int64_t before, int64_t behind, int64_t theirs)
{
  svc_health *h = &s->health;
  int64_t skew = before + (behind - before) / 2 - theirs, by = skew < 0 ? -skew : skew, slack = (behind - before) / 2;
  const bool off = by - slack > HEALTH_REFUSE;
  bool says;
  svc_mutex_lock(&h->lock);
  h->skew = skew;
  says = by - slack > HEALTH_WARN && (off != atomic_load(&h->off) || !h->warned || behind - h->warned > HEALTH_SAY || behind < h->warned);
  if (says) h->warned = behind;
  svc_mutex_unlock(&h->lock);
  if (says)
    svc_log(s, off ? SVC_LOG_ERROR : SVC_LOG_WARNING, "clock.wrong", "the clock of this machine is %lld.%03lld s %s that of the database%s",
            (long long)(by / 1000), (long long)(by % 1000), skew < 0 ? "behind" : "ahead of",
            off ? ": requests get 503 until the clock is right; set it, for example by NTP" : ": set it, for example by NTP");
  if (!off && atomic_load(&h->off)) svc_log(s, SVC_LOG_WARNING, "clock.right", "the clock of this machine agrees with the database's clock again");
  atomic_store(&h->off, off);
}

/* ---------------------------------------------------------------------------------------------------------------- store */

/* A query to the store, in its own transaction. */
static int health_ask(svc *s)
{
  svc_commit *k = &s->commit;
  svc_health *h = &s->health;
  uint64_t taken = 0, room = 0;
  int64_t before, behind, theirs = 0;
  svc_txn *txn;
  bool sized;
  int rc = k->port->read_begin(k->store, &txn);
  if (rc != SVC_OK) return rc;
  before = svc_now(s);
  if (k->port->ping) rc = k->port->ping(txn, &theirs);
  behind = svc_now(s);
  sized = rc == SVC_OK && k->port->size && k->port->size(txn, &taken, &room) == SVC_OK;
  k->port->read_end(txn);
  if (sized) {
    svc_mutex_lock(&h->lock);
    h->sized = true;
    h->store_bytes = taken;
    h->map_bytes = room;
    svc_mutex_unlock(&h->lock);
  }
  if (rc == SVC_OK && k->port->ping && s->own_clock) health_judge(s, before, behind, theirs);
  return rc;
}

/* The store's status, unless it was checked less than `kept` milliseconds ago or another thread checks just now. A clock of the host may
** stand still: then the age of a check is unknown. */
static int health_check(svc *s, int64_t kept)
{
  svc_health *h = &s->health;
  const int64_t now = svc_now(s);
  char text[SVC_STORE_TEXT];
  int rc, was;
  svc_mutex_lock(&h->lock);
  rc = was = atomic_load(&h->store);
  if (h->checking || (s->own_clock && h->checked && now >= h->checked && now - h->checked < kept)) {
    svc_mutex_unlock(&h->lock);
    return rc;
  }
  h->checking = true;
  svc_mutex_unlock(&h->lock);
  rc = health_ask(s);
  svc_mutex_lock(&h->lock);
  h->checking = false;
  atomic_store(&h->store, rc);
  h->checked = svc_now(s);
  svc_mutex_unlock(&h->lock);
  if (rc != SVC_OK && rc != was) svc_log(s, SVC_LOG_ERROR, "store.failed", "store: %s", svc_store_text(s, rc, text));
  return rc;
}

SVC_PRIVATE int svc_health_open(svc *s)
{
  svc_health *h = &s->health;
  char text[SVC_STORE_TEXT];
  int rc;
  atomic_init(&h->busy, false);
  atomic_init(&h->off, false);
  atomic_init(&h->store, SVC_OK);
  if (!svc_mutex_init(&h->lock)) return SVC_NOMEM;
  h->ready = true;
  if (!s->commit.port->ping) return SVC_OK;
  rc = health_ask(s);
  h->checked = svc_now(s);
  if (rc != SVC_OK) svc_log(s, SVC_LOG_ERROR, "store.failed", "the store cannot be used: %s", svc_store_text(s, rc, text));
  return rc == SVC_OK && atomic_load(&h->off) ? SVC_CLOCK : rc;
}

SVC_PRIVATE void svc_health_close(svc *s)
{
  if (s->health.ready) svc_mutex_destroy(&s->health.lock);
  s->health.ready = false;
}

SVC_PRIVATE int svc_health_tick(svc *s)
{
  svc_health *h = &s->health;
  if (!s->commit.port->ping || !s->own_clock) return SVC_OK;
  /* a failure is in the log and in every request that needs the store: a tick reports the clock alone */
  (void)health_check(s, atomic_load(&h->off) || atomic_load(&h->store) != SVC_OK ? HEALTH_KEPT : HEALTH_EVERY);
  return atomic_load(&h->off) ? SVC_CLOCK : SVC_OK;
}

SVC_PRIVATE int svc_health_store(svc *s)
{
  return health_check(s, s->commit.port->ping ? HEALTH_KEPT : 0);
}

SVC_PRIVATE bool svc_health_limiter(const svc *s)
{
  svc_limits_state state = { .available = true };
  if (SVC_HAS_LIMITS(s) && s->config.limiter->state) s->config.limiter->state(s->limits, &state);
  return state.available;
}

SVC_PRIVATE bool svc_health_limiter_now(svc *s)
{
  const svc_bucket probe = { .set = SVC_S("health"), .instance = SVC_S("probe"), .capacity = 1, .refill_rate = 1, .refill_seconds = 1, .look = true };
  svc_tokens tokens;
  int rc = SVC_HAS_LIMITS(s) ? s->config.limiter->take(s->limits, &probe, svc_now(s), &tokens) : SVC_OK;
  if (rc != SVC_OK && !s->config.limiter->state) return false;
  return svc_health_limiter(s);
}

SVC_PRIVATE bool svc_health_size(svc *s, uint64_t *taken, uint64_t *room)
{
  svc_health *h = &s->health;
  bool sized;
  if (!s->commit.port->ping) (void)health_ask(s); /* the store is inside this process */
  svc_mutex_lock(&h->lock);
  sized = h->sized && s->commit.port->size;
  *taken = h->store_bytes;
  *room = h->map_bytes;
  svc_mutex_unlock(&h->lock);
  return sized;
}

SVC_PRIVATE bool svc_is_probe(const svc_request *request)
{
  svc_str rest = svc_str_n(request->target, request->target_length), path = svc_str_cut(&rest, '?');
  return svc_str_is(path, "/_svc/health/live") || svc_str_is(path, "/_svc/metrics");
}

/*
** The limiter: every request takes one token from its bucket.
**
** A bucket belongs to an endpoint set and one instance of the set's scope: a project, an organization, a user, an
** address. It starts full and gets refill_rate tokens after every whole refill_seconds, never more than its capacity.
**
** A full bucket needs no memory: another one may take its place. There is a fixed number of places: rows of LIMITER_WAYS, chosen by a hash
** with a secret seed. Each row is protected by one of LIMITER_LOCKS locks; there is no global lock.
**
** In a full row, the bucket nearest to full gives way. If several are equally full, the owner with the most buckets in the row
** loses one. The owner of a bucket is the first caller to take a token: a credential's organization, a person, a
** network.
**
** The rule: nobody gains tokens by using other buckets. A new bucket that displaces one of the same owner takes over its
** level. Per endpoint set, a caller has one bucket for all ids of projects and organizations on which it has no role.
**
** The caller passes the time. If time steps back, the interval starts again: nobody gains a token or waits longer than one interval.
**
** Handles that limit together (svc_config.limiter) use the port's bucket, with the same names and numbers. If the port does not answer, a
** request uses the local bucket, at the level that the port reported last; or is refused, as configured. When the
** port answers again, the handle reports the local level. So without the port, N handles together grant at most N times the capacity of
** one bucket. The reason: the handle that heard from the port last knows the level, and each other one has at most a full bucket.
*/
#include "pipeline/pipeline.h"

#define LIMITER_WAYS 8
#define LIMITER_LOCKS 64
#define LIMITER_DEFAULT 4096
#define LIMITER_SHARES (INT64_C(1) << 20) /* parts of a full bucket, to compare buckets of any capacity */
#define LIMITER_LATEST (INT64_MAX / 4) /* bound for an absurd clock: differences must not overflow */

typedef struct limiter_bucket {
  uint64_t key;    /* 0: free */
  int64_t since;   /* start of the current interval */
  int32_t tokens;
  uint16_t set : 15;
  uint16_t alone : 1; /* tokens were granted here since svc_config.limiter last answered for this bucket */
  uint16_t owner; /* a hash */
} limiter_bucket;
_Static_assert(sizeof(limiter_bucket) == 24, "svcapi.h says how large a bucket is");

struct svc_limiter {
  svc_allocator allocator;
  const svc_set_row *sets;
  uint64_t seed;
  size_t rows; /* a power of two */
  svc_mutex locks[LIMITER_LOCKS];
  limiter_bucket buckets[];
};

static uint64_t limiter_mix(uint64_t h)
{
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

static uint64_t limiter_hash(uint64_t seed, int set, svc_str text)
{
  uint64_t h = limiter_mix(seed ^ (uint64_t)set), word;
  size_t i;
  for (i = 0; i < text.n; i += 8) {
    word = 0;
    memcpy(&word, text.p + i, text.n - i < 8 ? text.n - i : 8);
    h = limiter_mix(h ^ word) + seed;
  }
  h = limiter_mix(h ^ text.n);
  return h ? h : 1;
}

SVC_PRIVATE int svc_limiter_open(svc_limiter **out, const svc_allocator *allocator, size_t buckets, uint64_t seed,
                                 const svc_set_row *sets)
{
  svc_limiter *l;
  size_t rows = 1, size;
  int i;
  if (buckets == 0) buckets = LIMITER_DEFAULT;
  if (buckets > (size_t)1 << 24) buckets = (size_t)1 << 24;
  while (rows * LIMITER_WAYS < buckets) rows *= 2;
  size = sizeof *l + rows * LIMITER_WAYS * sizeof l->buckets[0];
  l = allocator->resize(allocator->context, NULL, size);
  *out = l;
  if (!l) return SVC_NOMEM;
  memset(l, 0, size);
  l->allocator = *allocator;
  l->sets = sets;
  l->seed = seed;
  l->rows = rows;
  for (i = 0; i < LIMITER_LOCKS; i++) {
    if (svc_mutex_init(&l->locks[i])) continue;
    while (i-- > 0) svc_mutex_destroy(&l->locks[i]);
    allocator->resize(allocator->context, l, 0);
    *out = NULL;
    return SVC_NOMEM;
  }
  return SVC_OK;
}

SVC_PRIVATE void svc_limiter_close(svc_limiter *l)
{
  svc_allocator allocator;
  int i;
  if (!l) return;
  for (i = 0; i < LIMITER_LOCKS; i++) svc_mutex_destroy(&l->locks[i]);
  allocator = l->allocator;
  allocator.resize(allocator.context, l, 0);
}

static void limiter_refill(limiter_bucket *b, const svc_set_row *set, int64_t now)
{
  int64_t interval = set->refill_seconds * 1000, passed, missing = set->capacity - b->tokens;
  if (now < b->since) b->since = now;
  passed = (now - b->since) / interval;
  if (passed == 0) return;
  b->since += passed * interval;
  if (passed >= (missing + set->refill_rate - 1) / set->refill_rate) b->tokens = (int32_t)set->capacity;
  else b->tokens += (int32_t)(passed * set->refill_rate);
}

/* Returns the missing tokens of a bucket, in LIMITER_SHARES of its capacity; 0: the place is free. */
static int64_t limiter_missing(svc_limiter *l, limiter_bucket *b, int64_t now)
{
  const svc_set_row *set = &l->sets[b->set];
  int64_t missing;
  if (!b->key) return 0;
  limiter_refill(b, set, now);
  missing = (set->capacity - b->tokens) * LIMITER_SHARES / set->capacity;
  return missing == 0 && b->tokens < set->capacity ? 1 : missing; /* very little is missing, but the place is not free */
}

/* Returns the number of buckets in a row that belong to this owner, including the new one. */
static int limiter_owned(const limiter_bucket *row, uint16_t owner, uint16_t comes)
{
  int i, n = owner == comes;
  for (i = 0; i < LIMITER_WAYS; i++) n += row[i].owner == owner;
  return n;
}

/* Returns the place for a new bucket: a free one, or that of the bucket nearest to full. *missing: its missing tokens, as by
** limiter_missing(). */
static limiter_bucket *limiter_yields(svc_limiter *l, limiter_bucket *row, uint16_t comes, int64_t now, int64_t *missing)
{
  limiter_bucket *best = row;
  int i, best_owned = 0;
  *missing = INT64_MAX;
  for (i = 0; i < LIMITER_WAYS; i++) {
    int64_t share = limiter_missing(l, &row[i], now);
    int owned = share <= *missing ? limiter_owned(row, row[i].owner, comes) : 0;
    if (share > *missing || (share == *missing && owned <= best_owned)) continue;
    *missing = share;
    best_owned = owned;
    best = &row[i];
  }
  return best;
}

/* Returns the bucket of this key in its row, and creates it if missing. */
static limiter_bucket *limiter_place(svc_limiter *l, limiter_bucket *row, uint64_t key, int set_index, svc_str whose, int64_t now)
{
  const svc_set_row *set = &l->sets[set_index];
  limiter_bucket *b;
  int64_t missing;
  uint16_t owner;
  int i;
  for (i = 0; i < LIMITER_WAYS; i++)
    if (row[i].key == key) return &row[i];
  owner = (uint16_t)limiter_hash(l->seed, 0, whose);
  b = limiter_yields(l, row, owner, now, &missing);
  if (!b->key || b->owner != owner) {
    missing = 0;
    b->since = now;
  }
  b->key = key;
  b->set = (unsigned)set_index & 0x7FFF;
  b->alone = 0;
  b->owner = owner;
  b->tokens = (int32_t)(set->capacity - missing * set->capacity / LIMITER_SHARES);
  return b;
}

static int64_t limiter_time(int64_t now)
{
  return now > LIMITER_LATEST ? LIMITER_LATEST : now < -LIMITER_LATEST ? -LIMITER_LATEST : now;
}

/* Seconds until the next refill. */
static int64_t limiter_seconds(const limiter_bucket *b, const svc_set_row *set, int64_t now)
{
  int64_t wait = b->since + set->refill_seconds * 1000 - now;
  return wait <= 1000 ? 1 : (wait + 999) / 1000;
}

/* A request for a token. */
typedef struct limiter_want {
  int set;
  svc_str instance, owner;
  int64_t now;
} limiter_want;

/* Finds the row of a bucket and locks it. */
static size_t limiter_lock(svc_limiter *l, const limiter_want *w, uint64_t *key)
{
  size_t row;
  *key = limiter_hash(l->seed, w->set, w->instance);
  row = (size_t)(*key >> 20) & (l->rows - 1);
  svc_mutex_lock(&l->locks[row % LIMITER_LOCKS]);
  return row;
}

/* Sets the level to report to svc_config.limiter, if this handle granted tokens of the bucket while the port did not answer. */
static void limiter_bound(svc_limiter *l, const limiter_want *w, svc_bucket *out)
{
  const int64_t now = limiter_time(w->now);
  uint64_t key;
  size_t row = limiter_lock(l, w, &key), i;
  for (i = 0; i < LIMITER_WAYS; i++) {
    limiter_bucket *b = &l->buckets[row * LIMITER_WAYS + i];
    if (b->key != key || !b->alone) continue;
    limiter_refill(b, &l->sets[w->set], now);
    out->bounded = true;
    out->most = b->tokens;
  }
  svc_mutex_unlock(&l->locks[row % LIMITER_LOCKS]);
}

/* Stores the level that svc_config.limiter has reported, for requests that it does not answer. */
static void limiter_learn(svc_limiter *l, const limiter_want *w, const svc_tokens *said)
{
  const svc_set_row *set = &l->sets[w->set];
  const int64_t now = limiter_time(w->now);
  uint64_t key;
  size_t row = limiter_lock(l, w, &key);
  limiter_bucket *b = limiter_place(l, &l->buckets[row * LIMITER_WAYS], key, w->set, w->owner, now);
  limiter_refill(b, set, now);
  if (b->tokens == set->capacity) b->since = now;
  b->tokens = (int32_t)(said->remaining < set->capacity ? said->remaining : set->capacity);
  if (!said->taken) b->since = now + said->wait_seconds * 1000 - set->refill_seconds * 1000;
  b->alone = 0;
  svc_mutex_unlock(&l->locks[row % LIMITER_LOCKS]);
}

static svc_tokens limiter_take(svc_limiter *l, int set_index, svc_str instance, svc_str owner, int64_t now, bool alone)
{
  const svc_set_row *set = &l->sets[set_index];
  uint64_t key = limiter_hash(l->seed, set_index, instance);
  size_t row = (size_t)(key >> 20) & (l->rows - 1);
  svc_mutex *lock = &l->locks[row % LIMITER_LOCKS];
  svc_tokens out = { true, 0, 0 };
  limiter_bucket *b;
  now = limiter_time(now);
  svc_mutex_lock(lock);
  b = limiter_place(l, &l->buckets[row * LIMITER_WAYS], key, set_index, owner, now);
  limiter_refill(b, set, now);
  if (b->tokens == set->capacity) b->since = now; /* it was full: the first token starts the interval */
  if (b->tokens > 0) {
    b->tokens--;
  } else {
    out.taken = false;
    out.wait_seconds = limiter_seconds(b, set, now);
  }
  out.remaining = b->tokens;
  if (alone) b->alone = 1;
  svc_mutex_unlock(lock);
  return out;
}

SVC_PRIVATE svc_tokens svc_limiter_take(svc_limiter *l, int set_index, svc_str instance, svc_str owner, int64_t now)
{
  return limiter_take(l, set_index, instance, owner, now, false);
}

/* Seconds until there is a token; 0: there is one. Takes no token, and no place for an unused bucket. */
static int64_t limiter_wait(svc_limiter *l, int set_index, svc_str instance, int64_t now)
{
  const svc_set_row *set = &l->sets[set_index];
  uint64_t key = limiter_hash(l->seed, set_index, instance);
  size_t row = (size_t)(key >> 20) & (l->rows - 1), i;
  svc_mutex *lock = &l->locks[row % LIMITER_LOCKS];
  int64_t wait = 0;
  now = limiter_time(now);
  svc_mutex_lock(lock);
  for (i = 0; i < LIMITER_WAYS; i++) {
    limiter_bucket *b = &l->buckets[row * LIMITER_WAYS + i];
    if (b->key != key) continue;
    limiter_refill(b, set, now);
    if (b->tokens <= 0) wait = limiter_seconds(b, set, now);
  }
  svc_mutex_unlock(lock);
  return wait;
}

SVC_PRIVATE size_t svc_limiter_size(const svc_limiter *l)
{
  return l->rows * LIMITER_WAYS * sizeof l->buckets[0];
}

/* Copies all buckets row by row: each row is consistent, but not all rows together. */
static void limiter_copy(svc_limiter *l, limiter_bucket *to, const limiter_bucket *from)
{
  size_t row;
  for (row = 0; row < l->rows; row++) {
    svc_mutex *lock = &l->locks[row % LIMITER_LOCKS];
    svc_mutex_lock(lock);
    memcpy(to + row * LIMITER_WAYS, from + row * LIMITER_WAYS, LIMITER_WAYS * sizeof *to);
    svc_mutex_unlock(lock);
  }
}

SVC_PRIVATE void svc_limiter_save(svc_limiter *l, void *out)
{
  limiter_copy(l, out, l->buckets);
}

SVC_PRIVATE void svc_limiter_restore(svc_limiter *l, const void *saved)
{
  limiter_copy(l, l->buckets, saved);
}

/* -------------------------------------------------------------------------------------------------------------- requests */

/* Returns the network of the peer, in binary: all of an IPv4 address, or the first 8 bytes of an IPv6 address,
** because the owner of one IPv6 address has many. */
static svc_str limiter_network(svc_call *c)
{
  static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF };
  svc_address a;
  if (!svc_address_parse(c->request.peer, &a)) return c->request.peer;
  return svc_arena_copy(c->arena, (svc_str){ (const char *)a.b, memcmp(a.b, mapped, sizeof mapped) == 0 ? 16 : 8 });
}

/* Returns the owner of a bucket: the organization of the credential, else the known user, else the network. */
static svc_str limiter_owner(svc_call *c)
{
  if (!svc_id_is_zero(&c->who.org)) return (svc_str){ (const char *)c->who.org.b, sizeof c->who.org.b };
  return c->who.known ? c->who.user_id : limiter_network(c);
}

/* Whether the caller has a role on the organization or project of the path. */
static bool limiter_is_part(svc_call *c)
{
  uint64_t roles;
  bool part = svc_takes_part(c, 1, &roles);
  c->error.code = SVC_E_NONE; /* permission.c reports a missing one */
  return part;
}

/* Whether a resource that can belong to several organizations belongs to the organization of the path. If not,
** that organization's bucket is not used. */
static bool limiter_is_among(svc_call *c)
{
  const svc_hop *first = &c->plan->hops[0];
  svc_id orgs[SVC_ALLIES], id;
  size_t n, i = 0;
  if (!svc_noun_ext_of(first->noun->noun)->alliance || c->plan->scope_param == (int)first->param) return true;
  if (!svc_id_parse(c->route.params[c->plan->scope_param], &id)) return false;
  n = svc_noun_ext_of(first->noun->noun)->alliance->organizations(c, &c->route.chain[0], orgs, SVC_ALLIES);
  c->error.code = SVC_E_NONE;
  while (i < n && !svc_id_eq(&orgs[i], &id)) i++;
  return i < n;
}

/*
** Callers without a role use one bucket of their own for all such ids. They cannot exhaust the buckets of others, made-up ids take no more
** places, and the answer does not reveal whether an id exists.
*/
static svc_str limiter_instance(svc_call *c, int scope)
{
  if (scope == SVC_SCOPE_IP) return limiter_network(c);
  if (c->plan->scope_param < 0) return c->who.user_id;
  if (limiter_is_part(c) && limiter_is_among(c)) return c->route.params[c->plan->scope_param];
  return svc_arena_print(c->arena, " " SVC_FMT, SVC_ARG(c->who.user_id));
}

/* Takes a token from the shared bucket, or only looks. The set is named by its id, because indexes may differ between versions. Returns
** false if the port does not answer. */
static bool limiter_together(svc_call *c, const limiter_want *w, bool look, svc_tokens *out)
{
  const svc_set_row *set = &c->s->sets[w->set];
  svc_bucket b = { .set = SVC_S("accessTokens"), .instance = w->instance, .capacity = set->capacity,
                   .refill_rate = set->refill_rate, .refill_seconds = set->refill_seconds, .look = look };
  char id[80];
  int64_t since;
  int rc;
  if (w->set < c->s->set_count) {
    svc_set_id(w->set, id, sizeof id);
    b.set = svc_str_c(id);
  }
  limiter_bound(c->s->limiter, w, &b);
  since = svc_wait_begin(c);
  rc = c->s->config.limiter->take(c->s->limits, &b, c->now, out);
  svc_wait_end(c, SVC_WAIT_LIMITER, since);
  if (rc != SVC_OK) return false;
  /* a look does not store the reported local level at the port, so it must be reported again; and a full bucket needs no place */
  if (look && (b.bounded || out->remaining == set->capacity)) return true;
  limiter_learn(c->s->limiter, w, out);
  return true;
}

/* Whether the caller is the host itself. Each process has its own host, so it shares no limits, and is answered even if the port is down.
** With shared limits the host has separate local buckets, because the others have levels of the port. */
static bool limiter_is_host(const svc_call *c)
{
  return c->request.raw->caller && svc_id_is_zero(&c->who.id);
}

/* Takes a token of a request. Returns false, with an error, if the port does not answer and svc_config.limiter_closed is set. */
static bool limiter_draw(svc_call *c, int set_index, svc_str instance, svc_str owner)
{
  const limiter_want w = { set_index, instance, owner, c->now };
  const bool together = SVC_HAS_LIMITS(c->s) && !limiter_is_host(c);
  if (SVC_HAS_LIMITS(c->s) && !together) instance = svc_arena_print(c->arena, " host " SVC_FMT, SVC_ARG(instance));
  if (together && limiter_together(c, &w, false, &c->route.tokens)) return true;
  if (together && c->s->config.limiter_closed) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  c->route.tokens = limiter_take(c->s->limiter, set_index, instance, owner, c->now, together);
  return true;
}

#define LIMITER_NAME 128 /* bytes of a name that count: no credential has a longer one, and shared buckets are stored by name */

/* Returns the name of the bucket of guesses at one name from one network. The limiter does not check whether the credential exists: known
** and unknown names allow the same number of tries, and no name affects another. kind: the kind of names. */
static svc_str limiter_guess(svc_call *c, const char *kind, svc_str name, svc_str *network)
{
  svc_buf b = svc_buf_new(c->arena, 96);
  if (name.n > LIMITER_NAME) name.n = LIMITER_NAME;
  *network = limiter_network(c);
  svc_buf_str(&b, *network);
  svc_buf_text(&b, kind);
  svc_buf_str(&b, name);
  return svc_buf_done(&b);
}

#define LIMITER_CLIENT "\nclient\n"
#define LIMITER_KEY "\nkey\n"

/* The token endpoint: a limit of tries per minute for each client id from each network. */
static bool limiter_tokens(svc_call *c)
{
  const svc_set_row *set = &c->s->sets[c->s->set_count];
  svc_str user = SVC_S(""), password, network, instance;
  int64_t minutes = 1;
  svc_basic_credentials(c, &user, &password);
  instance = limiter_guess(c, LIMITER_CLIENT, user, &network);
  if (!limiter_draw(c, c->s->set_count, instance, network)) return false;
  if (c->route.tokens.taken) return true;
  c->route.limited = true;
  return svc_fail(c, SVC_E_RATE_LIMITED, "Sii", &c->request.path, &set->capacity, &minutes);
}

/* HTTP Digest: allows as many wrong answers per minute as the token endpoint allows tries. Takes no token: svc_guessed_wrong() does.
** Handles with shared limits count together. */
SVC_PRIVATE bool svc_may_guess(svc_call *c, svc_str name)
{
  const int64_t minutes = 1;
  svc_str network, instance = limiter_guess(c, LIMITER_KEY, name, &network);
  const limiter_want w = { c->s->set_count, instance, network, c->now };
  svc_tokens tokens = { true, 0, 0 };
  int64_t wait;
  if (!c->s->limiter) return true;
  if (SVC_HAS_LIMITS(c->s) && limiter_together(c, &w, true, &tokens)) {
    wait = tokens.taken ? 0 : tokens.wait_seconds;
  } else {
    if (SVC_HAS_LIMITS(c->s) && c->s->config.limiter_closed) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
    wait = limiter_wait(c->s->limiter, c->s->set_count, instance, c->now);
  }
  if (!wait) return true;
  (void)svc_fail(c, SVC_E_RATE_LIMITED, "Sii", &c->request.path, &c->s->sets[c->s->set_count].capacity, &minutes);
  c->error.retry_after = wait;
  return false;
}

SVC_PRIVATE void svc_guessed_wrong(svc_call *c, svc_str name)
{
  svc_str network, instance = limiter_guess(c, LIMITER_KEY, name, &network);
  const limiter_want w = { c->s->set_count, instance, network, c->now };
  svc_tokens tokens;
  if (!c->s->limiter || (SVC_HAS_LIMITS(c->s) && limiter_together(c, &w, false, &tokens))) return;
  limiter_take(c->s->limiter, w.set, instance, network, c->now, SVC_HAS_LIMITS(c->s));
}

SVC_PRIVATE bool svc_stage_limiter(svc_call *c)
{
  int set_index = c->plan->route->set;
  const svc_set_row *set = &c->s->sets[set_index];
  svc_str path = c->request.path;
  if (!c->s->limiter || c->request.v1) return true;
  if (SVC_TAKES_FORM(c->plan->route)) return limiter_tokens(c);
  if (!limiter_draw(c, set_index, limiter_instance(c, set->scope), limiter_owner(c))) return false;
  c->route.limited = true;
  if (c->route.tokens.taken) return true;
  path.p++, path.n--; /* this error shows the path without its first slash */
  return svc_fail(c, SVC_E_RATE_LIMITED_TOKEN_BUCKET, "Siiii", &path, &c->route.tokens.wait_seconds, &set->capacity,
                  &set->refill_rate, &set->refill_seconds);
}

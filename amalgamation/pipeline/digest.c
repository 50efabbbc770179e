/*
** HTTP Digest (RFC 7616, qop=auth), for API keys: the private key never crosses the network.
**
** A nonce is a time with a keyed hash over it. The server need not remember the nonces it gave out, and recognizes a
** forged one at once. A nonce lives DIGEST_SECONDS. The server remembers only the used counts of nonces that came with the
** right secret: a window of 64 counts for each nonce that a key has in use.
**
** There is a fixed number of slots for these, in rows; a keyed hash assigns a row to each key. In a full row, the largest user
** gives up a slot: the organization with most slots, of its keys the one with most, of that the oldest. So a key that takes a
** nonce for every request, or an organization that does so with many keys, only displaces itself; alone, it may use all slots.
** When a slot is given up, older nonces of the same key are no longer accepted. Its clients are told, with stale=true, to take
** a new one; a replay never succeeds.
**
** Wrong answers, per key and network, are slowed down as at the token endpoint (limiter.c). A caller with a nonce in use that was
** answered correctly is exempt: an attacker who guesses on the same network does not lock that caller out.
**
** Handles that share a store share the secret, which is in the store, so that a nonce of one is valid for all. Each handle
** knows only its own used counts: an attacker who can read a request on its way may replay it to another handle while its nonce lives.
** Handles that also share a limiter prevent that: the limiter knows the counts used at any of them. A handle still checks its
** own counts, so that a limiter that has lost its memory does not allow a replay at the same handle. A caller that is refused
** because a count was used elsewhere is told to take a new nonce: two handles may have given out the same one at the same moment.
**
** The rule: a nonce that is valid for all handles is refused while the limiter does not answer, because its uses are unknown.
** The client then gets, with stale=true, a nonce that is valid for this handle alone: it is sealed with a secret that no other
** handle has. So clients can still sign in, and a replay succeeds nowhere, neither during the outage nor afterwards.
*/
#include "pipeline/pipeline.h"

#define DIGEST_SECONDS 60
#define DIGEST_ROWS 16
#define DIGEST_WAYS 48
#define DIGEST_NONCE 32 /* characters: 24 bytes in base64 */

typedef struct digest_slot {
  uint64_t stamp;  /* the first eight bytes of the nonce, which are unique; 0: free */
  uint64_t window; /* bit n: count highest-n was seen */
  uint64_t floor;     /* no nonce of this key up to this stamp is accepted unless it has a slot */
  uint64_t org_floor; /* the same for all keys of this organization */
  uint32_t highest;
  uint32_t key, org; /* hashes of the owners */
} digest_slot;

typedef struct digest_row {
  uint64_t floor; /* for all keys */
  digest_slot slots[DIGEST_WAYS];
} digest_row;

struct svc_digest {
  svc_mutex lock;
  unsigned char secret[32];
  unsigned char own[32]; /* secret of nonces that only this handle accepts */
  uint64_t last; /* stamp of the latest nonce */
  digest_row rows[DIGEST_ROWS];
};

/* A use of a nonce. */
typedef struct digest_use {
  uint64_t stamp, oldest; /* oldest: stamp of a nonce that has just expired */
  uint32_t count;
  uint32_t key, org;
  unsigned row;
  bool own; /* a nonce that only this handle accepts */
} digest_use;

SVC_PRIVATE int svc_digest_open(svc *s)
{
  svc_digest *d = s->allocator.resize(s->allocator.context, NULL, sizeof *d);
  const svc_ids *ids = &s->commit.ids;
  if (!d) return SVC_NOMEM;
  memset(d, 0, sizeof *d);
  if (ids->random(ids->random_context, d->secret, sizeof d->secret) != 0 ||
      !svc_hmac_sha256((svc_str){ (const char *)d->secret, sizeof d->secret }, SVC_S("this handle alone"), d->own) ||
      !svc_mutex_init(&d->lock)) {
    s->allocator.resize(s->allocator.context, d, 0);
    return SVC_RANDOM;
  }
  s->digest = d;
  return SVC_OK;
}

typedef struct digest_job {
  svc_job job; /* must be first: the struct is cast back */
  svc_digest *digest;
  bool looks; /* svc_config.keep_orders: a tool that inspects the store, and writes no secret */
} digest_job;

/* The secret of the store; the first handle stores its own. */
static bool digest_share(svc_job *job, svc_txn *txn)
{
  svc_digest *d = ((digest_job *)job)->digest;
  svc_key key;
  svc_str kept;
  int rc;
  svc_key_meta(&key, "digest");
  rc = svc_get(txn, &key, &kept);
  if (rc == SVC_NOT_FOUND && ((digest_job *)job)->looks) return true;
  if (rc == SVC_NOT_FOUND) return svc_put(txn, &key, (svc_str){ (const char *)d->secret, sizeof d->secret }) == SVC_OK;
  if (rc == SVC_OK && kept.n != sizeof d->secret) rc = svc_note(txn, SVC_CORRUPT);
  if (rc == SVC_OK) memcpy(d->secret, kept.p, sizeof d->secret);
  return rc == SVC_OK;
}

SVC_PRIVATE int svc_digest_share(svc *s)
{
  digest_job work;
  if (!SVC_IS_SHARED(s->commit.port)) return SVC_OK;
  memset(&work, 0, sizeof work); /* at time 0: due steps are not processed yet */
  work.job.work = digest_share;
  work.digest = s->digest;
  work.looks = s->config.keep_orders != 0;
  return svc_commit_run(&s->commit, &work.job);
}

SVC_PRIVATE void svc_digest_close(svc *s)
{
  if (!s->digest) return;
  svc_mutex_destroy(&s->digest->lock);
  memset(s->digest, 0, sizeof *s->digest);
  s->allocator.resize(s->allocator.context, s->digest, 0);
  s->digest = NULL;
}

/* The state of nonces; the secret stays, so that nonces of clients remain valid. */
typedef struct digest_saved {
  uint64_t last;
  digest_row rows[DIGEST_ROWS];
} digest_saved;

SVC_PRIVATE size_t svc_digest_size(void)
{
  return sizeof(digest_saved);
}

SVC_PRIVATE void svc_digest_save(svc_digest *d, void *out)
{
  digest_saved *saved = out;
  svc_mutex_lock(&d->lock);
  saved->last = d->last;
  memcpy(saved->rows, d->rows, sizeof saved->rows);
  svc_mutex_unlock(&d->lock);
}

SVC_PRIVATE void svc_digest_restore(svc_digest *d, const void *from)
{
  const digest_saved *saved = from;
  svc_mutex_lock(&d->lock);
  d->last = saved->last;
  memcpy(d->rows, saved->rows, sizeof d->rows);
  svc_mutex_unlock(&d->lock);
}

/* -------------------------------------------------------------------------------------------------------------- nonces */

/* False: out of memory. */
static bool digest_seal(svc_call *c, uint64_t stamp, bool own, unsigned char nonce[24])
{
  const svc_digest *d = c->s->digest;
  const unsigned char *secret = own ? d->own : d->secret;
  unsigned char hash[32];
  int i;
  for (i = 0; i < 8; i++) nonce[i] = (unsigned char)(stamp >> (56 - 8 * i));
  if (!svc_hmac_sha256((svc_str){ (const char *)secret, sizeof d->secret }, (svc_str){ (const char *)nonce, 8 }, hash)) {
    c->arena->failed = true;
    return false;
  }
  memcpy(nonce + 8, hash, 16);
  return true;
}

/* A stamp is the time in units of 1/4096 ms: one millisecond has room for many. */
static svc_str digest_new_nonce(svc_call *c, bool own)
{
  svc_digest *d = c->s->digest;
  unsigned char nonce[24];
  uint64_t stamp = (uint64_t)(c->now > 0 ? c->now : 0) << 12;
  svc_mutex_lock(&d->lock);
  if (stamp <= d->last) stamp = d->last + 1;
  d->last = stamp;
  svc_mutex_unlock(&d->lock);
  if (!digest_seal(c, stamp, own, nonce)) return SVC_S("");
  return svc_base64(c->arena, (svc_str){ (const char *)nonce, sizeof nonce });
}

/* The stamp of a nonce from this handle, or from another one if it is valid for all; 0: forged. */
static uint64_t digest_open_nonce(svc_call *c, svc_str text, bool *own)
{
  unsigned char again[24];
  svc_str bytes;
  uint64_t stamp = 0;
  char plain[DIGEST_NONCE];
  int i;
  if (text.n != DIGEST_NONCE) return 0;
  for (i = 0; i < DIGEST_NONCE; i++) plain[i] = text.p[i] == '-' ? '+' : text.p[i] == '_' ? '/' : text.p[i];
  if (!svc_base64_decode(c->arena, (svc_str){ plain, DIGEST_NONCE }, &bytes) || bytes.n != 24) return 0;
  for (i = 0; i < 8; i++) stamp = stamp << 8 | (unsigned char)bytes.p[i];
  *own = false;
  if (digest_seal(c, stamp, false, again) && svc_same_bytes(again, bytes.p, sizeof again)) return stamp;
  *own = SVC_HAS_LIMITS(c->s) && digest_seal(c, stamp, true, again) && svc_same_bytes(again, bytes.p, sizeof again);
  return *own ? stamp : 0;
}

/* Slots of the row that belong to the organization and key of `of`, including the one about to be taken. */
static void digest_shares(const digest_row *row, const digest_slot *of, const digest_use *use, unsigned *org, unsigned *key)
{
  unsigned i;
  *org = of->org == use->org;
  *key = of->key == use->key;
  for (i = 0; i < DIGEST_WAYS; i++) {
    *org += row->slots[i].org == of->org;
    *key += row->slots[i].key == of->key;
  }
}

/* The slot to give up in a full row: an expired one, else one of the largest user. */
static digest_slot *digest_greediest(digest_row *row, const digest_use *use)
{
  digest_slot *best = &row->slots[0], *slot;
  unsigned best_org = 0, best_key = 0, org, key;
  for (slot = row->slots; slot < row->slots + DIGEST_WAYS; slot++)
    if (slot->stamp < best->stamp) best = slot;
  if (best->stamp < use->oldest) return best;
  for (slot = row->slots; slot < row->slots + DIGEST_WAYS; slot++) {
    digest_shares(row, slot, use, &org, &key);
    if (org < best_org || (org == best_org && (key < best_key || (key == best_key && slot->stamp > best->stamp)))) continue;
    best = slot;
    best_org = org;
    best_key = key;
  }
  return best;
}

static void digest_raise(uint64_t *floor, uint64_t to)
{
  if (*floor < to) *floor = to;
}

/* The floor of a slot moves to another slot of its key or organization. An expired slot counts, too: the clock may be set back. */
static void digest_give_up(digest_row *row, digest_slot *slot)
{
  digest_slot *other, *same = NULL, *akin = NULL;
  digest_raise(&slot->floor, slot->stamp);
  for (other = row->slots; other < row->slots + DIGEST_WAYS; other++) {
    if (other == slot) continue; /* the row is full: no slot is free */
    if (other->key == slot->key) same = other;
    if (other->org == slot->org) akin = other;
  }
  if (same) digest_raise(&same->floor, slot->floor);
  else if (akin) digest_raise(&akin->org_floor, slot->floor);
  else digest_raise(&row->floor, slot->floor);
  if (akin) digest_raise(&akin->org_floor, slot->org_floor);
  else digest_raise(&row->floor, slot->org_floor);
  memset(slot, 0, sizeof *slot);
}

/* The slot of a nonce. NULL: its used counts are no longer known. */
static digest_slot *digest_find(digest_row *row, const digest_use *use)
{
  digest_slot *slot, *empty = NULL;
  uint64_t floor = row->floor;
  for (slot = row->slots; slot < row->slots + DIGEST_WAYS; slot++) {
    if (slot->key == use->key && slot->stamp == use->stamp) return slot;
    if (!slot->stamp) empty = slot;
    else if (slot->key == use->key) digest_raise(&floor, slot->floor);
    if (slot->org == use->org) digest_raise(&floor, slot->org_floor);
  }
  if (use->stamp <= floor) return NULL;
  if (!empty) {
    empty = digest_greediest(row, use);
    digest_give_up(row, empty);
  }
  empty->stamp = use->stamp;
  empty->key = use->key;
  empty->org = use->org;
  return empty;
}

/* Notes a count of a nonce. False: used before, or no longer known. */
static bool digest_count(svc_digest *d, const digest_use *use, bool *stale)
{
  digest_slot *slot;
  uint32_t count = use->count;
  bool good = false;
  svc_mutex_lock(&d->lock);
  slot = digest_find(&d->rows[use->row], use);
  *stale = !slot;
  if (slot && count > slot->highest) {
    uint32_t by = count - slot->highest;
    slot->window = by >= 64 ? 1 : slot->window << by | 1;
    slot->highest = count;
    good = true;
  } else if (slot && slot->highest - count < 64 && !(slot->window >> (slot->highest - count) & 1)) {
    slot->window |= (uint64_t)1 << (slot->highest - count);
    good = true;
  }
  svc_mutex_unlock(&d->lock);
  return good;
}

/* Milliseconds for which the shared limiter remembers a nonce after its last use: clocks of other handles may be a minute behind. */
#define DIGEST_LIVES (2 * DIGEST_SECONDS * 1000)

/* 401 with a new nonce; own: one that only this handle accepts. Returns false. */
static bool digest_challenge(svc_call *c, bool stale, bool own)
{
  (void)svc_fail_as(c, stale ? SVC_S("The nonce of the Digest credentials is no longer accepted. Sign in again with that of the new challenge.")
                             : SVC_S("The Digest credentials are wrong: the public key, the private key, the realm or the URI does not match, or they were sent before."),
                    SVC_E_USER_UNAUTHORIZED, "");
  c->error.challenge = svc_arena_print(c->arena, "Digest realm=\"" SVC_FMT "\", domain=\"\", nonce=\"%s"
                                 "\", algorithm=%s, qop=\"auth\", stale=%s", SVC_ARG(c->s->vendor),
                                 digest_new_nonce(c, own).p, c->s->config.digest_sha256 ? "SHA-256" : "MD5",
                                 stale ? "true" : "false");
  return false;
}

SVC_PRIVATE bool svc_digest_challenge(svc_call *c, bool stale)
{
  return digest_challenge(c, stale, !svc_health_limiter(c->s)); /* a nonce that can be counted, or one for this handle alone */
}

/* Notes a count of a nonce at the shared limiter. True: no handle has used it. False: the error is set. */
static bool digest_count_together(svc_call *c, const digest_use *use, const svc_entity *key)
{
  svc_str id = svc_id_str(c->arena, &key->id);
  svc_str nonce = svc_arena_print(c->arena, "%016llx:" SVC_FMT, (unsigned long long)use->stamp, SVC_ARG(id));
  bool fresh = false;
  int64_t made = (int64_t)(use->stamp >> 12), age = c->now > made ? c->now - made : 0;
  int64_t since = svc_wait_begin(c);
  bool told = c->s->config.limiter->count(c->s->limits, nonce, use->count, age, DIGEST_LIVES, &fresh) == SVC_OK;
  svc_wait_end(c, SVC_WAIT_LIMITER, since);
  if (told) return fresh ? true : svc_digest_challenge(c, true);
  if (c->s->config.limiter_closed) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  return digest_challenge(c, true, true);
}

/* A caller with this nonce in use has proved to know the secret: guesses of others do not lock it out. */
static bool digest_is_in_use(svc_digest *d, const digest_use *use)
{
  const digest_slot *slot = d->rows[use->row].slots, *end = slot + DIGEST_WAYS;
  svc_mutex_lock(&d->lock);
  while (slot < end && !(use->stamp && slot->stamp == use->stamp && slot->key == use->key)) slot++;
  svc_mutex_unlock(&d->lock);
  return slot < end;
}

/* Sets the owner of a use, as keyed hashes of the API key and its organization, and its row. */
static void digest_whose(const svc_digest *d, const svc_entity *key, digest_use *use)
{
  uint64_t secret[2], hash;
  memcpy(secret, d->secret, sizeof secret);
  hash = svc_sip(secret, (svc_str){ (const char *)key->id.b, sizeof key->id.b });
  use->key = (uint32_t)(hash >> 32);
  use->row = (unsigned)(hash % DIGEST_ROWS);
  use->org = (uint32_t)svc_sip(secret, (svc_str){ (const char *)key->parent.b, sizeof key->parent.b });
}

/* -------------------------------------------------------------------------------------------------------------- header */

typedef struct digest_fields {
  svc_str username, realm, nonce, uri, qop, nc, cnonce, response, algorithm;
} digest_fields;

/* name=value or name="value", with commas between. */
static bool digest_parse(svc_str text, digest_fields *out)
{
  const struct {
    const char *name;
    svc_str *to;
  } known[] = { { "username", &out->username }, { "realm", &out->realm }, { "nonce", &out->nonce }, { "uri", &out->uri },
                { "qop", &out->qop }, { "nc", &out->nc }, { "cnonce", &out->cnonce }, { "response", &out->response },
                { "algorithm", &out->algorithm } };
  memset(out, 0, sizeof *out);
  for (;;) {
    svc_str name, value;
    size_t i, n;
    text = svc_str_trim(text);
    while (text.n && text.p[0] == ',') text = svc_str_trim((svc_str){ text.p + 1, text.n - 1 });
    if (text.n == 0) return true;
    if (!memchr(text.p, '=', text.n)) return false;
    name = svc_str_trim(svc_str_cut(&text, '='));
    text = svc_str_trim(text);
    if (text.n && text.p[0] == '"') {
      for (n = 1; n < text.n && text.p[n] != '"'; n++)
        if (text.p[n] == '\\') return false; /* our own values need no escapes */
      if (n == text.n) return false;
      value = (svc_str){ text.p + 1, n - 1 };
      text = (svc_str){ text.p + n + 1, text.n - n - 1 };
    } else {
      for (n = 0; n < text.n && text.p[n] != ','; n++) continue;
      value = svc_str_trim((svc_str){ text.p, n });
      text = (svc_str){ text.p + n, text.n - n };
    }
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
      if (!svc_str_is_nocase(name, known[i].name)) continue;
      if (known[i].to->n) return false; /* duplicate */
      *known[i].to = value;
    }
  }
}

static bool digest_hex_count(svc_str text, uint32_t *out)
{
  size_t i;
  *out = 0;
  if (text.n != 8) return false;
  for (i = 0; i < 8; i++) {
    char ch = text.p[i];
    int digit = ch >= '0' && ch <= '9'   ? ch - '0'
                : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10
                : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10
                                         : -1;
    if (digit < 0) return false;
    *out = *out << 4 | (uint32_t)digit;
  }
  return *out > 0;
}

static svc_str digest_hash(svc_call *c, svc_str text)
{
  static const char hex[] = "0123456789abcdef";
  unsigned char bytes[32];
  size_t n = c->s->config.digest_sha256 ? 32 : 16, i;
  char *out = svc_arena_alloc(c->arena, 2 * n + 1);
  if (!out || !(n == 32 ? svc_sha256(text, bytes) : svc_md5(text, bytes))) return c->arena->failed = true, SVC_S("");
  for (i = 0; i < n; i++) {
    out[2 * i] = hex[bytes[i] >> 4];
    out[2 * i + 1] = hex[bytes[i] & 15];
  }
  out[2 * n] = 0;
  return (svc_str){ out, 2 * n };
}

static svc_str digest_hex(svc_call *c, const unsigned char *bytes, size_t n)
{
  svc_buf b = svc_buf_new(c->arena, 2 * n + 1);
  static const char hex[] = "0123456789abcdef";
  size_t i;
  for (i = 0; i < n; i++) {
    svc_buf_char(&b, hex[bytes[i] >> 4]);
    svc_buf_char(&b, hex[bytes[i] & 15]);
  }
  return svc_buf_done(&b);
}

/* The response that a client with the right password sends. */
static svc_str digest_expected(svc_call *c, const digest_fields *f, const unsigned char verifier[48])
{
  bool sha = c->s->config.digest_sha256 != 0;
  svc_str first = digest_hex(c, sha ? verifier + 16 : verifier, sha ? 32 : 16);
  svc_str second = digest_hash(c, svc_arena_print(c->arena, "%s:" SVC_FMT, c->request.raw->method, SVC_ARG(f->uri)));
  return digest_hash(c, svc_arena_print(c->arena, SVC_FMT ":" SVC_FMT ":" SVC_FMT ":" SVC_FMT ":auth:" SVC_FMT, SVC_ARG(first),
                                        SVC_ARG(f->nonce), SVC_ARG(f->nc), SVC_ARG(f->cnonce), SVC_ARG(second)));
}

/* The key that the header names, with its verifier. An unknown key is checked against an empty one, at the cost of the same reads and
** hashes. */
static bool digest_key(svc_call *c, svc_str public_key, svc_entity *out, unsigned char verifier[48])
{
  svc_str bytes, grants;
  memset(verifier, 0, 48);
  if (!svc_credential_find(c, c->s->seats[SVC_SEAT_KEY], public_key, out)) return false;
  if (!svc_credential_unpack(out->extra, &bytes, &grants) || bytes.n != 48) return false;
  memcpy(verifier, bytes.p, 48);
  return true;
}

SVC_PRIVATE bool svc_digest_caller(svc_call *c)
{
  bool anywhere;
  svc_str header = c->request.authorization, target = svc_str_n(c->request.raw->target, c->request.raw->target_length),
          expected;
  unsigned char verifier[48];
  digest_fields f;
  svc_entity key;
  digest_use use = { .oldest = (uint64_t)(c->now > DIGEST_SECONDS * 1000 ? c->now - DIGEST_SECONDS * 1000 : 0) << 12 };
  bool known, right, in_use, stale = false;
  svc_str_cut(&header, ' ');
  if (!digest_parse(header, &f) || !svc_str_is_nocase(f.qop, "auth") || !digest_hex_count(f.nc, &use.count) ||
      !svc_str_eq(f.realm, c->s->vendor) || !svc_str_eq(f.uri, target) || f.cnonce.n == 0)
    return svc_digest_challenge(c, false);
  if (f.algorithm.n && !svc_str_is_nocase(f.algorithm, c->s->config.digest_sha256 ? "SHA-256" : "MD5"))
    return svc_digest_challenge(c, false);
  if (!svc_begin_read(c)) return false;
  known = digest_key(c, f.username, &key, verifier);
  if (!svc_txn_good(c)) return false;
  expected = digest_expected(c, &f, verifier);
  right = expected.n && expected.n == f.response.n && svc_same_bytes(expected.p, f.response.p, expected.n);
  use.stamp = digest_open_nonce(c, f.nonce, &use.own);
  if (c->arena->failed) return svc_no_memory(c); /* out of memory: the guess was neither right nor wrong */
  digest_whose(c->s->digest, &key, &use);
  in_use = digest_is_in_use(c->s->digest, &use);
  if (!(known && in_use) && !svc_may_guess(c, f.username)) return false;
  if (!known || !right) svc_guessed_wrong(c, f.username);
  if (!known || !right || use.stamp == 0) return svc_digest_challenge(c, known && right);
  if (use.stamp < use.oldest) return svc_digest_challenge(c, true);
  if (SVC_HAS_LIMITS(c->s) && !use.own && !digest_count_together(c, &use, &key)) return false;
  if (!digest_count(c->s->digest, &use, &stale)) return svc_digest_challenge(c, stale);

  c->who.kind = SVC_WHO_KEY;
  c->who.known = true;
  c->who.id = key.id;
  c->who.org = key.parent;
  c->who.user_id = svc_id_str(c->arena, &key.id);
  c->who.username = svc_arena_copy(c->arena, key.unique);
  return svc_who_takes(c, svc_assignments_of(&key)) && svc_access_allowed(c, c->s->seats[SVC_SEAT_KEY], &key, &anywhere);
}

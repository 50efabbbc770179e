/*
** Idempotency-Key: a POST that is sent again gets its first answer, and creates nothing. Other methods need no key: If-Match prevents
** a second change. Of two equal requests at once, the second one runs after the first, or again after a conflict, and finds its record.
**
** The key belongs to its caller and path. Its record is written in the transaction of the first answer,
** so neither ever exists without the other. The record holds a hash of the request and the answer before formatting, and expires after
** 24 hours, through the due index. Only success is kept: a refused request may be tried again. Nothing is kept of a request that wrote
** nothing: repeating it does no harm. The same key with another query or body gets 409.
**
** The answers kept for an organization have at most RETRY_BYTES together. Beyond that the oldest go first, before their 24 hours: a retry
** comes within seconds or minutes, and an organization that writes so much affects only its own old keys. An index (keys.c, "j") has them
** by organization and age, and a counter has their bytes. Records of version 0.2.0 and before are in neither; they expire after 24 hours.
**
**   hash of the request(32) i64 expiry, u64 revision, u32 links_at, u32 status, u32 length of body, own, parent, unique,
**   u32 flags, u32 spare; then body, own, parent, unique; with RETRY_OWNED the id of the organization(12)
*/
#include "pipeline/pipeline.h"

#define RETRY_KIND "-try"
#define RETRY_MS (24 * 3600 * (int64_t)1000)
#define RETRY_LONGEST_KEY 255
#define RETRY_BYTES ((uint64_t)4 << 20) /* per organization */
#define RETRY_INDEX_KEY (1 + 12 + 8 + 16)

enum retry_flags { RETRY_WHOLE = 1, RETRY_BODILESS = 2, RETRY_LINKED = 4, RETRY_SECRET = 8, RETRY_OWNED = 16 };

typedef struct retry_header {
  unsigned char request[32];
  int64_t expiry;
  uint64_t revision;
  uint32_t links_at, status, lengths[4], flags, spare;
} retry_header;

/* Routes without authentication have no keys, even if the host vouches for a caller. */
static bool retry_applies(const svc_call *c)
{
  return c->request.method == SVC_POST && c->request.retry_key.n && c->who.known && !(c->plan->route->flags & SVC_NO_AUTH);
}

static void retry_key_of(svc_call *c, svc_key *key)
{
  unsigned char hash[32];
  svc_str text = svc_arena_print(c->arena, SVC_FMT "\n" SVC_FMT "\n" SVC_FMT, SVC_ARG(c->who.user_id),
                                 SVC_ARG(c->request.path), SVC_ARG(c->request.retry_key));
  svc_text_hash(c->arena, text, hash);
  svc_key_retry(key, hash);
}

static void retry_request_hash(svc_call *c, unsigned char out[32])
{
  svc_buf b = svc_buf_new(c->arena, c->request.path.n + c->request.raw->body_length + 1);
  size_t i;
  svc_buf_str(&b, c->request.path);
  svc_buf_char(&b, '\n');
  for (i = 0; i < c->query.count; i++) { /* the format of the answer does not matter */
    svc_buf_text(&b, c->query.values[i].param->name);
    svc_buf_char(&b, '=');
    svc_percent_encode(&b, c->query.values[i].text);
    svc_buf_char(&b, '\n');
  }
  svc_buf_char(&b, '\n');
  svc_buf_add(&b, c->request.raw->body, c->request.raw->body_length);
  svc_text_hash(c->arena, svc_buf_done(&b), out);
}

static bool retry_replay(svc_call *c, svc_str record, const retry_header *h)
{
  const char *p = record.p + sizeof *h;
  svc_answer *a = &c->answer;
  svc_str *to[4] = { &a->body, &a->own, &a->parent, &a->unique };
  size_t rest = record.n - sizeof *h, i;
  if (!svc_resolve_all(c)) return false;
  for (i = 0; i < 4; i++) {
    if (h->lengths[i] > rest) return svc_store_failed(c, c->txn->error = SVC_CORRUPT);
    *to[i] = (svc_str){ p, h->lengths[i] };
    p += h->lengths[i];
    rest -= h->lengths[i];
  }
  a->status = (int)h->status;
  a->revision = h->revision;
  a->links_at = h->links_at;
  a->whole = (h->flags & RETRY_WHOLE) != 0;
  a->secret = (h->flags & RETRY_SECRET) != 0; /* the secret is gone, but the headers are those of the first answer */
  if (h->flags & RETRY_BODILESS) a->body.p = NULL;
  a->links = h->flags & RETRY_LINKED ? svc_links_to_item(c->plan) : NULL; /* a POST has no links of its own */
  return true;
}

SVC_PRIVATE bool svc_retry_before(svc_call *c, bool *answered)
{
  unsigned char request[32];
  retry_header h;
  svc_str record;
  svc_key key;
  int rc;
  if (!retry_applies(c)) return true;
  if (c->request.retry_key.n > RETRY_LONGEST_KEY)
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "Idempotency-Key has more than 255 characters");
  retry_key_of(c, &key);
  rc = svc_get(c->txn, &key, &record);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  if (record.n < sizeof h) return svc_store_failed(c, c->txn->error = SVC_CORRUPT);
  memcpy(&h, record.p, sizeof h);
  if (h.expiry <= c->now) return true;
  retry_request_hash(c, request);
  if (memcmp(request, h.request, sizeof request) != 0)
    return svc_fail(c, SVC_E_IDEMPOTENCY_KEY_REUSED, "S", &c->request.retry_key);
  *answered = true;
  return retry_replay(c, record, &h);
}

/* Uses the hash as the two ids of a due entry. */
static void retry_due_key(const svc_key *key, int64_t when, svc_key *out)
{
  svc_due_entry due;
  memset(&due, 0, sizeof due);
  due.when = when;
  memcpy(due.kind, RETRY_KIND, SVC_KIND_SIZE);
  memcpy(due.parent.b, key->b + 1, 12);
  memcpy(due.id.b, key->b + 13, 4);
  svc_key_due(out, &due);
}

/* -------------------------------------------------------------------------------------------------------- of an organization */

static void retry_index_key(svc_key *out, const svc_id *org, int64_t expiry, const unsigned char hash[16])
{
  svc_key_begin(out, 'j');
  svc_key_id(out, org);
  svc_key_time(out, expiry);
  svc_key_add(out, hash, 16);
}

/* The expiry and owner of a record. False: unreadable. */
static bool retry_owner(svc_str record, retry_header *h, svc_id *org)
{
  if (record.n < sizeof *h) return false;
  memcpy(h, record.p, sizeof *h);
  if (!(h->flags & RETRY_OWNED)) return true;
  if (record.n < sizeof *h + sizeof org->b) return false;
  memcpy(org->b, record.p + record.n - sizeof org->b, sizeof org->b);
  return true;
}

/* Removes the record and its index entries. */
static void retry_remove(svc_txn *txn, const svc_key *key, svc_str record)
{
  retry_header h;
  svc_key other;
  svc_id org;
  int64_t bytes = (int64_t)record.n;
  if (retry_owner(record, &h, &org)) {
    retry_due_key(key, h.expiry, &other);
    svc_remove(txn, &other);
    if (h.flags & RETRY_OWNED) {
      retry_index_key(&other, &org, h.expiry, key->b + 1);
      svc_remove(txn, &other);
      svc_count_add(txn, RETRY_KIND, &org, -bytes);
    }
  }
  svc_remove(txn, key);
}

/* Removes the oldest until there is room for so many bytes. */
static bool retry_make_room(svc_call *c, const svc_id *org, uint64_t bytes)
{
  uint64_t used = svc_count(c->txn, RETRY_KIND, org);
  svc_str index, value, record;
  svc_key prefix, key;
  svc_scan scan;
  svc_key_begin(&prefix, 'j');
  svc_key_id(&prefix, org);
  while (used && used + bytes > RETRY_BYTES) {
    svc_scan_below(&scan, c->txn, &prefix, false);
    svc_scan_expect(&scan, 1);
    if (!svc_scan_next(&scan, &index, &value) || index.n != RETRY_INDEX_KEY) break;
    svc_key_retry(&key, (const unsigned char *)index.p + RETRY_INDEX_KEY - 16);
    if (svc_get(c->txn, &key, &record) != SVC_OK) break;
    used -= record.n < used ? record.n : used;
    retry_remove(c->txn, &key, record);
  }
  return svc_txn_good(c);
}

/* ------------------------------------------------------------------------------------------------------------------ keeping */

static void retry_header_of(svc_call *c, retry_header *h)
{
  const svc_answer *a = &c->answer;
  memset(h, 0, sizeof *h);
  retry_request_hash(c, h->request);
  h->expiry = c->now + RETRY_MS;
  h->revision = a->revision;
  h->links_at = (uint32_t)(a->kept.p ? a->kept_links_at : a->links_at);
  h->status = (uint32_t)a->status;
  h->flags = (a->whole ? RETRY_WHOLE : 0u) | (a->body.p ? 0u : RETRY_BODILESS) | (a->links ? RETRY_LINKED : 0u) |
             (a->secret ? RETRY_SECRET : 0u) | RETRY_OWNED;
}

/* The owner of the answer: the caller's organization, else that of the path. A person who creates an organization has none; those are
** counted together. */
static const svc_id *retry_org(const svc_call *c)
{
  return svc_id_is_zero(&c->who.org) ? &c->scope.org : &c->who.org;
}

SVC_PRIVATE bool svc_retry_after(svc_call *c, bool wrote)
{
  const svc_answer *a = &c->answer;
  const svc_id *org = retry_org(c);
  svc_str parts[4] = { a->kept.p ? a->kept : a->body, a->own, a->parent, a->unique }, old;
  retry_header h;
  svc_key key, other;
  svc_buf b;
  int i;
  if (!retry_applies(c) || !wrote) return true;
  retry_header_of(c, &h);
  b = svc_buf_new(c->arena, sizeof h + a->body.n + 128);
  for (i = 0; i < 4; i++) h.lengths[i] = (uint32_t)parts[i].n;
  svc_buf_add(&b, (const char *)&h, sizeof h);
  for (i = 0; i < 4; i++) svc_buf_str(&b, parts[i]);
  svc_buf_add(&b, (const char *)org->b, sizeof org->b);
  if (b.failed) return svc_no_memory(c);
  retry_key_of(c, &key);
  if (svc_get(c->txn, &key, &old) == SVC_OK) retry_remove(c->txn, &key, old); /* expired, but not removed yet */
  if (!retry_make_room(c, org, b.n)) return false;
  svc_put(c->txn, &key, (svc_str){ b.p, b.n });
  retry_due_key(&key, h.expiry, &other);
  svc_put(c->txn, &other, SVC_S(""));
  retry_index_key(&other, org, h.expiry, key.b + 1);
  svc_put(c->txn, &other, SVC_S(""));
  svc_count_add(c->txn, RETRY_KIND, org, (int64_t)b.n);
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_retry_expire(svc_txn *txn, const svc_due_entry *due)
{
  unsigned char hash[16];
  svc_str record;
  svc_key key;
  if (memcmp(due->kind, RETRY_KIND, SVC_KIND_SIZE) != 0) return false;
  memcpy(hash, due->parent.b, 12);
  memcpy(hash + 12, due->id.b, 4);
  svc_key_retry(&key, hash);
  if (svc_get(txn, &key, &record) == SVC_OK) retry_remove(txn, &key, record);
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- are they whole? */

SVC_PRIVATE void svc_retry_verify(svc_verify *v, svc_str key, svc_str value)
{
  svc_id none = { { 0 } }, org;
  size_t length = 0, i; /* of a record that can be read */
  retry_header h;
  svc_key own, due, index;
  if (key.n == 1 + 16 && retry_owner(value, &h, &org)) {
    length = sizeof h;
    for (i = 0; i < 4; i++) length += h.lengths[i];
    if (h.flags & RETRY_OWNED) length += sizeof org.b;
  }
  if (length == 0 || length != value.n) {
    svc_found(v, RETRY_KIND, &none, "an answer kept for a retry cannot be read");
    return;
  }
  svc_key_retry(&own, (const unsigned char *)key.p + 1);
  retry_due_key(&own, h.expiry, &due);
  if (!svc_verify_there(v, &due)) svc_found(v, RETRY_KIND, &none, "an answer kept for a retry has no due step that deletes it");
  if (!(h.flags & RETRY_OWNED)) return;
  retry_index_key(&index, &org, h.expiry, own.b + 1);
  if (!svc_verify_there(v, &index)) svc_found(v, RETRY_KIND, &org, "an answer kept for a retry is missing in the index of its organization");
  svc_verify_counts(v, RETRY_KIND, &org, (int64_t)value.n);
}

SVC_PRIVATE void svc_retry_verify_index(svc_verify *v, svc_str key, svc_str value)
{
  svc_id none = { { 0 } }, org;
  svc_key own, index;
  svc_str record;
  retry_header h;
  (void)value;
  if (key.n == RETRY_INDEX_KEY) {
    svc_key_retry(&own, (const unsigned char *)key.p + RETRY_INDEX_KEY - 16);
    if (svc_get(v->c->txn, &own, &record) == SVC_OK && retry_owner(record, &h, &org) && h.flags & RETRY_OWNED) {
      retry_index_key(&index, &org, h.expiry, own.b + 1);
      if (svc_str_eq(svc_key_str(&index), key)) return;
    }
  }
  svc_found(v, RETRY_KIND, &none, "the index of answers kept for retries names an answer that does not exist");
}

SVC_PRIVATE bool svc_retry_verify_due(svc_verify *v, const svc_due_entry *due)
{
  unsigned char hash[16];
  retry_header h;
  svc_str record;
  svc_key key;
  if (memcmp(due->kind, RETRY_KIND, SVC_KIND_SIZE) != 0) return false;
  memcpy(hash, due->parent.b, 12);
  memcpy(hash + 12, due->id.b, 4);
  svc_key_retry(&key, hash);
  if (svc_get(v->c->txn, &key, &record) == SVC_OK && record.n >= sizeof h) {
    memcpy(&h, record.p, sizeof h);
    if (h.expiry == due->when) return true;
  }
  svc_found(v, RETRY_KIND, &due->id, "a due step deletes an answer that does not exist or expires later");
  return true;
}

/*
** Stored credentials, and their roles.
**
** The rule: a secret is never stored, only data that verifies it: a salted HMAC for secrets that callers send, the two
** hashes that Digest needs for keys that they do not send. Comparisons take constant time. Access tokens are 32 random bytes, found by
** their SHA-256 (caller.c).
**
** A noun packs both into `extra`, so that a request is authenticated without parsing anything:
**
**   u16 length of verifier, verifier (the noun's own), then the role assignments (drawn in who.h)
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE svc_str svc_credential_pack(svc_arena *a, svc_str verifier, svc_str assignments)
{
  svc_buf b = svc_buf_new(a, 2 + verifier.n + assignments.n + 1);
  uint16_t n = (uint16_t)verifier.n;
  svc_buf_add(&b, (const char *)&n, sizeof n);
  svc_buf_str(&b, verifier);
  svc_buf_str(&b, assignments);
  return svc_buf_done(&b);
}

SVC_PRIVATE bool svc_credential_unpack(svc_str extra, svc_str *verifier, svc_str *assignments)
{
  uint16_t n;
  if (extra.n < sizeof n) return false;
  memcpy(&n, extra.p, sizeof n);
  if (extra.n - sizeof n < n) return false;
  *verifier = (svc_str){ extra.p + sizeof n, n };
  *assignments = (svc_str){ extra.p + sizeof n + n, extra.n - sizeof n - n };
  return true;
}

SVC_PRIVATE svc_str svc_assignments_of(const svc_entity *e)
{
  svc_str verifier, assignments;
  return svc_credential_unpack(e->extra, &verifier, &assignments) ? assignments : SVC_S("");
}

SVC_PRIVATE void svc_assignment_write(svc_buf *b, svc_str role, svc_str on)
{
  svc_buf_str(b, role);
  svc_buf_char(b, ' ');
  svc_buf_str(b, on);
  svc_buf_char(b, '\n');
}

SVC_PRIVATE bool svc_assignments_next(svc_str *rest, svc_str *role, svc_str *on)
{
  if (rest->n == 0) return false;
  *on = svc_str_cut(rest, '\n');
  *role = svc_str_cut(on, ' ');
  return true;
}

SVC_PRIVATE bool svc_assignments_have(svc_str assignments, svc_str role, svc_str on)
{
  svc_str r, o;
  while (svc_assignments_next(&assignments, &r, &o))
    if (svc_str_eq(r, role) && svc_str_eq(o, on)) return true;
  return false;
}

SVC_PRIVATE const svc_noun_info *svc_who_noun(const svc_call *c)
{
  return c->who.kind == SVC_WHO_KEY       ? c->s->seats[SVC_SEAT_KEY]
         : c->who.kind == SVC_WHO_ACCOUNT ? c->s->seats[SVC_SEAT_ACCOUNT]
                                          : NULL;
}

SVC_PRIVATE bool svc_who_takes(svc_call *c, svc_str assignments)
{
  c->who.assignments = svc_arena_copy(c->arena, assignments); /* later transactions of the request use them */
  return !c->arena->failed || svc_no_memory(c);
}

SVC_PRIVATE int svc_find_anywhere(svc_txn *txn, const svc_noun *noun, svc_str unique, svc_id *scope, svc_id *id)
{
  svc_named found;
  svc_scan scan;
  svc_named_begin(&scan, txn, svc_names_of(noun), unique);
  if (!svc_named_next(&scan, &found)) return txn->error ? txn->error : SVC_NOT_FOUND;
  *scope = found.scope;
  *id = found.id;
  return SVC_OK;
}

/* Timing must not reveal whether a credential exists. For an unknown name, the same reads are made for ids that nothing has: on PostgreSQL
** each is a round trip. */
SVC_PRIVATE bool svc_credential_find(svc_call *c, const svc_noun_info *noun, svc_str name, svc_entity *out)
{
  svc_id org, id;
  bool named, there, lives;
  memset(out, 0, sizeof *out);
  memset(&org, 0, sizeof org);
  memset(&id, 0, sizeof id);
  if (!noun) return false;
  named = svc_find_anywhere(c->txn, noun->noun, name, &org, &id) == SVC_OK;
  there = svc_entity_get(c->txn, noun->noun->kind, &org, &id, out) == SVC_OK;
  if (!there) memset(out, 0, sizeof *out);
  lives = svc_credential_lives(c, out);
  return named && there && lives;
}

/* ------------------------------------------------------------------------------------------------------------- secrets */

SVC_PRIVATE bool svc_secret_bytes(svc_call *c, unsigned char *out, size_t n)
{
  const svc_ids *ids = &c->s->commit.ids;
  if (ids->random(ids->random_context, out, n) == 0) return true;
  if (c->txn) svc_note(c->txn, SVC_RANDOM);
  return svc_store_failed(c, SVC_RANDOM);
}

/* The bytes are in the arena like the text, because a request that creates a secret wipes its arena, and no request wipes its stack. */
SVC_PRIVATE svc_str svc_secret_text(svc_call *c, size_t n)
{
  unsigned char *bytes = svc_arena_alloc(c->arena, n);
  svc_str text = SVC_S("");
  if (bytes && !svc_secret_bytes(c, bytes, n)) return text;
  if (bytes) text = svc_base64(c->arena, (svc_str){ (const char *)bytes, n });
  if (text.n == 0) (void)svc_no_memory(c);
  return text;
}

SVC_PRIVATE bool svc_secret_hash(svc_call *c, svc_str secret, unsigned char out[48])
{
  if (!svc_secret_bytes(c, out, 16)) return false;
  return svc_hmac_sha256((svc_str){ (const char *)out, 16 }, secret, out + 16) || svc_no_memory(c);
}

SVC_PRIVATE bool svc_secret_same(svc_call *c, svc_str secret, const unsigned char hash[48])
{
  unsigned char again[32];
  if (svc_hmac_sha256((svc_str){ (const char *)hash, 16 }, secret, again)) return svc_same_bytes(again, hash + 16, 32);
  c->arena->failed = true; /* not a statement about the secret */
  return false;
}

/* A failed hash counts as out of memory. */
SVC_PRIVATE bool svc_text_hash(svc_arena *a, svc_str text, unsigned char out[32])
{
  if (svc_sha256(text, out)) return true;
  memset(out, 0, 32);
  a->failed = true;
  return false;
}

/* MD5 and SHA-256 of user, realm and password: all that Digest needs. */
SVC_PRIVATE bool svc_digest_verifier(svc_call *c, svc_str public_key, svc_str private_key, unsigned char out[48])
{
  svc_buf b = svc_buf_new(c->arena, public_key.n + c->s->vendor.n + private_key.n + 3); /* in the arena, which is wiped */
  svc_str text;
  svc_buf_str(&b, public_key);
  svc_buf_char(&b, ':');
  svc_buf_str(&b, c->s->vendor);
  svc_buf_char(&b, ':');
  svc_buf_str(&b, private_key);
  text = svc_buf_done(&b);
  return (svc_sha256(text, out + 16) && svc_md5(text, out)) || svc_no_memory(c);
}

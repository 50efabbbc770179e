/*
** The layout of keys: one ordered space of bytes, told apart by the first letter.
**
**   d due(8) kind(4) parent(12) id(12)      something happens to this entity at that time: empty
**   e kind(4) parent(12) id(12)             an entity (record.c draws it)
**   e kind(4) parent(12) 0xFF               how many were removed (count.c says how that makes a count): i64
**   i hash(16)                              an Idempotency-Key and the first answer to it (pipeline/retry.c)
**   m name                                  the store's own: "schema", "ids"
**   o kind(4) owner(12) id(12)              an owned entity, listed under its owner: u32 ordinal
**   o kind(4) owner(12) 0xFF                as above, for the list of the owner
**   u kind(4) value 0 scope(12)             a unique value: id(12) of the entity that has it
**
** Numbers in keys are big-endian, so that their order is the order of keys; ids rise in time, so a scan of "e" gives
** the entities of a parent in the order of their creation. An entity without parent has twelve zero bytes there. In "u"
** the value stands before the scope: a value can also be looked up without knowing the scope. A value that would make
** the key too long is replaced by its SHA-256.
**
** Owned entities come into "o" and "u" late: the newest have no entries there yet (index.c).
**
** No id begins with 0xFF: a scan of a list ends at the record of what was removed from it.
*/
#include "internal.h"

#define KEYS_LONGEST_VALUE 400

SVC_PRIVATE svc_str svc_key_str(const svc_key *k)
{
  return (svc_str){ (const char *)k->b, k->n };
}

static void keys_add(svc_key *k, const void *p, size_t n)
{
  memcpy(k->b + k->n, p, n);
  k->n += n;
}

static void keys_begin(svc_key *k, char class_letter, const char *kind)
{
  k->b[0] = (unsigned char)class_letter;
  k->n = 1;
  if (kind) keys_add(k, kind, SVC_KIND_SIZE);
}

static void keys_id(svc_key *k, const svc_id *id)
{
  if (id) keys_add(k, id->b, sizeof id->b);
}

SVC_PRIVATE void svc_key_count(svc_key *k, char list, const char *kind, const svc_id *parent)
{
  keys_begin(k, list, kind);
  keys_id(k, parent);
  k->b[k->n++] = SVC_KEY_END;
}

SVC_PRIVATE void svc_key_due(svc_key *k, int64_t when, const char *kind, const svc_id *parent, const svc_id *id)
{
  int shift;
  keys_begin(k, 'd', NULL);
  if (!kind) return;
  for (shift = 56; shift >= 0; shift -= 8) k->b[k->n++] = (unsigned char)((uint64_t)when >> shift);
  keys_add(k, kind, SVC_KIND_SIZE);
  keys_id(k, parent);
  keys_id(k, id);
}

SVC_PRIVATE void svc_key_entity(svc_key *k, const char *kind, const svc_id *parent, const svc_id *id)
{
  keys_begin(k, 'e', kind);
  keys_id(k, parent);
  keys_id(k, id);
}

SVC_PRIVATE void svc_key_owned(svc_key *k, const char *kind, const svc_id *owner, const svc_id *id)
{
  keys_begin(k, 'o', kind);
  keys_id(k, owner);
  keys_id(k, id);
}

SVC_PRIVATE void svc_key_unique(svc_key *k, const char *kind, svc_str value, const svc_id *scope)
{
  keys_begin(k, 'u', kind);
  if (value.n > KEYS_LONGEST_VALUE) {
    unsigned char hash[32];
    svc_sha256(value, hash);
    keys_add(k, hash, sizeof hash);
  } else {
    keys_add(k, value.p, value.n);
  }
  k->b[k->n++] = 0;
  keys_id(k, scope);
}

SVC_PRIVATE void svc_key_meta(svc_key *k, const char *name)
{
  keys_begin(k, 'm', NULL);
  keys_add(k, name, strlen(name));
}

SVC_PRIVATE void svc_key_retry(svc_key *k, const unsigned char hash[16])
{
  keys_begin(k, 'i', NULL);
  keys_add(k, hash, 16);
}

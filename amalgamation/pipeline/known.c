/*
** Tokens that were used recently, so that the same token is not looked up again and again.
**
** Identifying the caller of a token takes a hash and five lookups. Clients send the same token many times, so the result is
** kept for a moment, with the state of the store in which it was true.
**
** The rule: an entry is valid only in exactly that state of the store. Every commit makes it void, whether it revokes the
** token, changes a role or does something unrelated; so the cache never answers differently than the store. A token is kept
** as a keyed hash.
**
** For a shared store, which is reached over a network, entries are not answers. There an entry remembers the places of a
** token's records, so that one query fetches them all, whatever was written meanwhile.
*/
#include "pipeline/pipeline.h"

#define KNOWN_SLOTS 64
#define KNOWN_NAME 48
#define KNOWN_ASSIGNMENTS 256 /* longer assignments are looked up each time */

typedef struct known_slot {
  uint64_t token[2]; /* its hash, of 128 bits */
  uint64_t state;    /* state of the store; 0: the slot is free */
  int64_t expiry;
  svc_id id, org;
  svc_id token_id;
  size_t name_length, assignments_length;
  char name[KNOWN_NAME], assignments[KNOWN_ASSIGNMENTS];
} known_slot;

struct svc_known {
  svc_mutex lock;
  uint64_t keys[2];
  known_slot slots[KNOWN_SLOTS];
};

SVC_PRIVATE int svc_known_open(svc *s)
{
  const svc_ids *ids = &s->commit.ids;
  svc_known *k = svc_arena_zero(&s->memory, sizeof *k);
  if (!k) return SVC_NOMEM;
  if (ids->random(ids->random_context, k->keys, sizeof k->keys) != 0) return SVC_RANDOM;
  if (!svc_mutex_init(&k->lock)) return SVC_NOMEM;
  s->known = k;
  return SVC_OK;
}

SVC_PRIVATE void svc_known_close(svc *s)
{
  if (s->known) svc_mutex_destroy(&s->known->lock);
}

/* The slot of a token, and its hashes. NULL: the store cannot tell its states apart. */
static known_slot *known_slot_of(svc_call *c, svc_str token, uint64_t hash[2], uint64_t *state)
{
  svc_known *k = c->s->known;
  *state = SVC_IS_SHARED(c->s->commit.port) ? 1 : c->txn->port->state ? c->txn->port->state(c->txn) : 0;
  if (!*state) return NULL;
  svc_sip_128(k->keys, token, hash);
  return &k->slots[hash[0] % KNOWN_SLOTS];
}

SVC_PRIVATE bool svc_known_token(svc_call *c, svc_str token)
{
  svc_known *k = c->s->known;
  known_slot copy, *slot;
  uint64_t hash[2], state;
  bool found;
  if (SVC_IS_SHARED(c->txn->port)) return false;
  slot = known_slot_of(c, token, hash, &state);
  if (!slot) return false;
  svc_mutex_lock(&k->lock);
  found = slot->state == state && slot->token[0] == hash[0] && slot->token[1] == hash[1] && slot->expiry > c->now;
  if (found) {
    memcpy(&copy, slot, offsetof(known_slot, assignments));
    memcpy(copy.assignments, slot->assignments, slot->assignments_length);
  }
  svc_mutex_unlock(&k->lock);
  if (!found) return false;
  c->who.id = copy.id;
  c->who.org = copy.org;
  c->who.username = svc_arena_copy(c->arena, (svc_str){ copy.name, copy.name_length });
  return svc_who_takes(c, (svc_str){ copy.assignments, copy.assignments_length });
}

SVC_PRIVATE bool svc_known_place(svc_call *c, svc_str token, svc_token_place *out)
{
  svc_known *k = c->s->known;
  uint64_t hash[2], state;
  known_slot *slot = known_slot_of(c, token, hash, &state);
  bool found;
  if (SVC_NEVER(!slot)) return false; /* a shared store always has one */
  svc_mutex_lock(&k->lock);
  found = slot->state && slot->token[0] == hash[0] && slot->token[1] == hash[1];
  if (found) *out = (svc_token_place){ slot->org, slot->id, slot->token_id };
  svc_mutex_unlock(&k->lock);
  return found;
}

SVC_PRIVATE void svc_known_keep(svc_call *c, svc_str token, const svc_id *token_id, int64_t expiry)
{
  svc_known *k = c->s->known;
  svc_str name = c->who.username, assignments = c->who.assignments;
  known_slot *slot;
  uint64_t hash[2], state;
  if (name.n > KNOWN_NAME || assignments.n > KNOWN_ASSIGNMENTS) return;
  slot = known_slot_of(c, token, hash, &state);
  if (!slot) return;
  svc_mutex_lock(&k->lock);
  slot->token[0] = hash[0];
  slot->token[1] = hash[1];
  slot->state = state;
  slot->expiry = expiry;
  slot->id = c->who.id;
  slot->org = c->who.org;
  slot->token_id = *token_id;
  memcpy(slot->name, name.p, slot->name_length = name.n);
  memcpy(slot->assignments, assignments.p, slot->assignments_length = assignments.n);
  svc_mutex_unlock(&k->lock);
}

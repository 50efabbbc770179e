/*
** Tokens that were seen lately, so that the same one is not looked up again and again.
**
** To know who sends a token takes a hash of it and five look-ups. Clients send the same one many times, so what these gave
** is kept for a moment: beside it the state of the store in which it was true.
**
** The rule: an entry counts only in the very state of the store it was made in. Whatever is committed, be it that the token
** is revoked, that its account loses a role, or something else altogether, makes it void; so nothing is ever answered from
** here that the store would not say. A token is kept as a keyed hash.
**
** In a store that others write to as well, and that is asked over a network, nothing is answered from here. There an entry says
** where the records of a token stood, so that they are asked for all at once, whatever has been written meanwhile.
*/
#include "pipeline/pipeline.h"

#define KNOWN_SLOTS 64
#define KNOWN_NAME 48
#define KNOWN_ASSIGNMENTS 256 /* who holds more is looked up each time */

typedef struct known_slot {
  uint64_t token[2]; /* its hash, of 128 bits */
  uint64_t state;    /* of the store; 0: the slot is free */
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

/* The slot of a token, and its hashes. NULL: the store cannot tell one state from another. */
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
  if (SVC_NEVER(!slot)) return false; /* of a store that others write to there is one */
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

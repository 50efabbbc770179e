/*
** Announces the records that a request will read, as far as they are known beforehand: on a store where each read is a round trip
** (svc_store_port.expect), one round trip then fetches them all.
**
** The rule: the announcement is a guess. A wrong or missing guess costs a key or a round trip, and changes no answer.
*/
#include "pipeline/pipeline.h"

#define EXPECT_MOST (8 + SVC_EXPECT_WRITE)

typedef struct expect_keys {
  svc_key keys[EXPECT_MOST];
  size_t n;
} expect_keys;

/* The entity that the first id of the path names below this organization. False: the path has no id. */
static bool expect_path(const svc_call *c, const svc_id *org, svc_id *id, svc_key *entity)
{
  static const svc_id root;
  const svc_hop *hop = c->plan->hops;
  const svc_noun *noun;
  if (!c->plan->hop_count || hop->by_unique || hop->param_count != 1) return false;
  noun = hop->noun->noun;
  if (!noun->kind || !(noun->flags & SVC_GLOBAL) || noun->key || !svc_id_parse(c->route.params[hop->param], id)) return false;
  svc_key_entity(entity, noun->kind, hop->noun->parent ? org : &root, id);
  return true;
}

/* The records that a write will read if it is allowed and valid: its turn in the queue reads them again. */
static size_t expect_draft(const svc_call *c, const svc_id *org, svc_key *keys)
{
  svc_call guess = *c;
  guess.who.org = *org;
  return svc_stage_version(&guess) && svc_stage_body(&guess) ? svc_expect_write(&guess, keys) : 0;
}

/* The caller; the first entity of the path, and the counter of a list below that. */
SVC_PRIVATE void svc_expect_caller(svc_call *c, svc_str name, const svc_token_place *place)
{
  static const svc_id none;
  const svc_noun_info *const *seats = c->s->seats, *list = svc_access_list_of(c->s, seats[SVC_SEAT_ACCOUNT]);
  svc_str texts[EXPECT_MOST];
  expect_keys k;
  svc_id id;
  size_t i;
  k.n = 0;
  svc_key_unique(&k.keys[k.n++], svc_names_of(seats[SVC_SEAT_TOKEN]->noun), name, &place->account);
  svc_key_entity(&k.keys[k.n++], seats[SVC_SEAT_TOKEN]->noun->kind, &place->account, &place->id);
  svc_key_entity(&k.keys[k.n++], seats[SVC_SEAT_ACCOUNT]->noun->kind, &place->org, &place->account);
  if (c->s->org) svc_key_entity(&k.keys[k.n++], c->s->org->noun->kind, &none, &place->org);
  if (list) svc_key_count(&k.keys[k.n++], list->noun->kind, &place->account);
  if (seats[SVC_SEAT_POLICY]) svc_key_entity(&k.keys[k.n++], seats[SVC_SEAT_POLICY]->noun->kind, &place->org, &none);
  if (expect_path(c, &place->org, &id, &k.keys[k.n])) {
    k.n++;
    if (c->plan->hop_count == 1 && c->plan->noun && c->plan->noun->noun->kind && !c->plan->own)
      svc_key_count(&k.keys[k.n++], c->plan->noun->noun->kind, &id);
  }
  if (c->txn->draft) k.n += expect_draft(c, &place->org, &k.keys[k.n]);
  for (i = 0; i < k.n; i++) texts[i] = svc_key_str(&k.keys[i]);
  c->txn->port->expect(c->txn, texts, k.n, 0);
}

/* The limit and the counter of a new resource's kind (svc_config.max_projects limits projects), and the index entry of its name. */
static size_t expect_new(svc_call *c, const svc_id *parent, svc_key *keys)
{
  const svc_noun_info *limits = c->s->seats[SVC_SEAT_QUOTA];
  const svc_noun *noun = c->plan->noun->noun;
  const char *quota = svc_noun_ext_of(noun)->quota;
  svc_change change;
  svc_entity e;
  size_t n = 0;
  memset(&change, 0, sizeof change);
  memset(&e, 0, sizeof e);
  change.noun = c->plan->noun;
  change.body = (svc_node *)(uintptr_t)c->checked; /* read only */
  e.kind = noun->kind;
  e.parent = *parent;
  svc_change_keys(c, &change, &e);
  if (e.unique.n && !(e.flags & SVC_ENTITY_SHARED_NAME)) svc_key_unique(&keys[n++], svc_entity_names(&e), e.unique, parent);
  if (quota && limits) svc_key_unique(&keys[n++], svc_names_of(limits->noun), svc_str_c(quota), parent);
  if (quota || noun->most || c->plan->noun == c->s->group) svc_key_count(&keys[n++], noun->kind, parent);
  return n;
}

/* The parent: the path's entity, or the caller's organization; and for a create right below that, the records that it checks. */
SVC_PRIVATE size_t svc_expect_write(svc_call *c, svc_key keys[SVC_EXPECT_WRITE])
{
  static const svc_id none;
  svc_id parent = c->who.org;
  size_t n = 0;
  if (expect_path(c, &c->who.org, &parent, &keys[n])) n++;
  else if (c->s->org && !svc_id_is_zero(&parent)) svc_key_entity(&keys[n++], c->s->org->noun->kind, &none, &parent);
  if (!c->plan->noun || !c->plan->noun->noun->kind || c->plan->own || c->plan->hop_count > 1 || !c->checked || c->checked->type != SVC_J_OBJECT) return n;
  return n + expect_new(c, &parent, keys + n);
}

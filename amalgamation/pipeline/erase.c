/*
** What goes: an entity, and all that is below it.
**
** The rule: whatever is erased, alone or in a cascade, by a request or by itself, passes erase_gone(): what it named is
** free again, its order is taken back, its line in the ledger ends, its event is written, its noun hears of it. Only the
** events of what goes are not told one by one.
*/
#include "pipeline/pipeline.h"

/* -------------------------------------------------------------------------------------------------------- what holds it */

SVC_PRIVATE bool svc_guarded(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *body, int what)
{
  const svc_guard *guard;
  for (guard = noun->noun->guards; guard && guard->field; guard++) {
    const svc_node *value = svc_node_get(body, guard->field);
    if (!(guard->what & what) || !value || !svc_str_is(value->text, guard->value)) continue;
    return svc_fail_about(c, guard->error, e->unique.n ? e->unique : e->key, svc_id_str(c->arena, &e->parent));
  }
  return true;
}

/* What is below may keep its parent from being deleted. */
static bool erase_unused(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  const svc *s = c->s;
  size_t i;
  for (i = 0; i < s->noun_count; i++) {
    const svc_noun *below = s->nouns[i].noun;
    if (s->nouns[i].parent != noun || !below->err_in_use) continue;
    if (svc_count(c->txn, below->kind, &e->id))
      return svc_fail_about(c, below->err_in_use, svc_id_str(c->arena, &e->id), svc_id_str(c->arena, &e->parent));
  }
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_may_erase(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  const svc_node *body = noun->noun->guards ? svc_entity_body(c, e) : NULL;
  if (noun->noun->guards && (!body || !svc_guarded(c, noun, e, body, SVC_GUARD_DELETE))) return false;
  return (!noun->noun->removing || noun->noun->removing(c, e)) && svc_refs_free(c, noun, e) && erase_unused(c, noun, e);
}

/* -------------------------------------------------------------------------------------------------------------- erasing */

static bool erase_gone(svc_call *c, const svc_noun_info *noun, const svc_entity *e, bool with_feed)
{
  const svc_noun *n = noun->noun;
  const svc_node *body = n->refs ? svc_entity_body(c, e) : NULL;
  if (n->refs && !body) return false;
  if (!svc_change_along(c, noun, e, body, NULL) || !svc_refs_drop(c, noun, e) || !svc_order_drop(c, e)) return false;
  if (!with_feed && !svc_event_about(c, noun, e, svc_event_of_gone(n), true)) return false;
  return !n->gone || n->gone(c, e);
}

/* The tree of nouns is a few levels deep, and so is this recursion. with_feed: the log that would tell of it goes as well. */
static bool erase_tree(svc_call *c, const svc_noun_info *noun, const svc_entity *e, bool with_feed)
{
  svc *s = c->s;
  const svc_noun_info *feed = s->seats[SVC_SEAT_FEED];
  bool scope = noun == s->group || noun == s->org;
  size_t i;
  for (i = 0; i < s->noun_count && (noun->is_parent || scope); i++) {
    const svc_noun_info *below = &s->nouns[i];
    svc_scan scan;
    svc_entity child;
    if (!svc_scope_holds(s, noun, below)) continue;
    svc_below_begin(&scan, c->txn, below->noun->kind, &e->id);
    while (svc_below_next(&scan, below->noun->kind, &child)) {
      if (svc_entity_get(c->txn, child.kind, &child.parent, &child.id, &child) != SVC_OK) continue; /* gone with another */
      if (!erase_tree(c, below, &child, with_feed || scope)) return false;
    }
  }
  if (c->txn->error || svc_entity_remove(c->txn, e) != SVC_OK) return svc_store_failed(c, c->txn->error);
  if (!erase_gone(c, noun, e, with_feed)) return false;
  if (scope && feed) svc_entity_remove_all(c->txn, feed->noun->kind, &e->id); /* last: a gone hook may have written there */
  return svc_txn_good(c);
}

/* What is above it shows how many are left; in a cascade that goes as well. */
SVC_PRIVATE bool svc_erase(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  return erase_tree(c, noun, e, false) && svc_recount(c, noun, e);
}

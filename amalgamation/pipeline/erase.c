/*
** Deletes: an entity with its descendants.
**
** The rule: everything that is erased here, singly or in a cascade, by a request or by itself, passes erase_gone(). That function frees its
** references, withdraws its order, ends its line in the ledger, writes its event and calls the hook of its noun. When a project
** or organization is deleted, its log goes too: its own events are removed without these steps, and what is deleted below it writes none.
**
** Two files of the catalog remove records without this file, by svc_entity_remove(), and take the necessary steps themselves:
** member_writing.c memberships and persons, and project_limit.c the record of a changed limit.
**
** A transaction erases at most ERASE_STEP entities, so that other writers need not wait for a large cascade. If more is left,
** the entity itself is gone at once, with its name and all of the above, and its descendants cannot be reached any more. Its
** record is set aside (class x in store/keys.c) with a due date; each due step erases the next part, until nothing is left.
** A request or tick does one part, because the next one is due ERASE_PAUSE later.
** The store holds all of that, so the cascade continues after a crash.
*/
#include "pipeline/meddle.h"

#define ERASE_STEP 256  /* maximum entities per transaction */
#define ERASE_EVENTS 16 /* events that count as one entity */
#define ERASE_PAUSE 10  /* milliseconds between two steps, for other writers */

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

/* Descendants may prevent the delete of their parent. */
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
  if (!svc_change_along(c, noun, e, body, NULL) || !svc_refs_drop(c, noun, e, with_feed) || !svc_order_gone(c, noun, e)) return false;
  if (!with_feed && !svc_event_about(c, noun, e, svc_event_of_gone(n), true)) return false;
  return !n->gone || n->gone(c, e);
}

static bool erase_tree(svc_call *c, const svc_noun_info *noun, const svc_entity *e, bool with_feed, int *left);

static bool erase_is_scope(const svc *s, const svc_noun_info *noun)
{
  return noun == s->group || noun == s->org;
}

/* Whether a child stays when its parent alone is deleted. The delete of a project or organization erases everything below it. */
static bool erase_stays(const svc_noun_info *noun, const svc_entity *e, const svc_noun_info *below, const svc_entity *child)
{
  return noun->stand_in && below == noun->survivor && svc_noun_ext_of(noun->stand_in->noun)->remains->stays(child, e);
}

/* Erases descendants, up to *left; *left 0 afterwards: there may be more. */
static bool erase_below(svc_call *c, const svc_noun_info *noun, const svc_entity *e, bool with_feed, int *left)
{
  svc *s = c->s;
  bool scope = erase_is_scope(s, noun);
  size_t i;
  for (i = 0; i < s->noun_count && *left > 0 && (noun->is_parent || scope); i++) {
    const svc_noun_info *below = &s->nouns[i];
    svc_scan scan;
    svc_entity child;
    if (!svc_scope_holds(s, noun, below)) continue;
    svc_below_begin(&scan, c->txn, below->noun->kind, &e->id);
    while (*left > 0 && svc_below_next(&scan, below->noun->kind, &child)) {
      if (svc_entity_get(c->txn, child.kind, &child.parent, &child.id, &child) != SVC_OK) continue; /* erased with another one */
      if (!with_feed && !scope && erase_stays(noun, e, below, &child)) continue;
      if (!erase_tree(c, below, &child, with_feed || scope, left)) return false;
    }
  }
  return svc_txn_good(c);
}

/* The same for the log of a project or organization. */
static bool erase_feed(svc_call *c, const svc_noun_info *noun, const svc_entity *e, int *left)
{
  const svc_noun_info *feed = c->s->seats[SVC_SEAT_FEED];
  uint64_t count, most = (uint64_t)*left * ERASE_EVENTS;
  if (*left <= 0 || !feed || !erase_is_scope(c->s, noun)) return true;
  count = svc_count(c->txn, feed->noun->kind, &e->id);
  svc_tally_forget(c->txn, feed->noun, &e->id);
  if (count > most) {
    svc_entity_remove_some(c->txn, feed->noun->kind, &e->id, most);
    *left = 0;
  } else {
    svc_entity_remove_all(c->txn, feed->noun->kind, &e->id);
    *left -= (int)(count / ERASE_EVENTS);
  }
  return svc_txn_good(c);
}

static bool erase_one(svc_call *c, const svc_noun_info *noun, const svc_entity *e, bool with_feed)
{
  svc_lag_note(c, NULL, e);
  if (!svc_status_good(c, svc_entity_remove(c->txn, e))) return false;
  return erase_gone(c, noun, e, with_feed);
}

/* The recursion is as deep as the tree of nouns, a few levels. with_feed: the log that would contain the events is erased as well. */
static bool erase_tree(svc_call *c, const svc_noun_info *noun, const svc_entity *e, bool with_feed, int *left)
{
  int all = ERASE_STEP;
  if (!erase_below(c, noun, e, with_feed, left) || !erase_feed(c, noun, e, left)) return false;
  if (*left <= 0) return true; /* its turn comes when all descendants are erased */
  --*left;
  return erase_one(c, noun, e, with_feed) && erase_feed(c, noun, e, &all); /* a gone hook may have written to the log */
}

/* ------------------------------------------------------------------------------------------------------------- stand-ins */

/* Whether an entity below `e` outlives it. */
static bool erase_survives(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  const svc_noun_info *below = noun->survivor;
  svc_entity child;
  svc_scan scan;
  if (!below) return false;
  svc_below_begin(&scan, c->txn, below->noun->kind, &e->id);
  while (svc_below_next(&scan, below->noun->kind, &child))
    if (erase_stays(noun, e, below, &child)) return true;
  return false;
}

/* An older entity with the same name is renamed: a dot and its id are appended. */
static bool erase_give_way(svc_call *c, const svc_noun_info *noun, const svc_id *parent, svc_str name)
{
  svc_entity old, e;
  int rc = svc_entity_named(c->txn, noun->noun->kind, svc_noun_ext_of(noun->noun)->names, parent, name, &old);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  e = old;
  e.unique = svc_arena_print(c->arena, SVC_FMT ".%s", SVC_ARG(name), svc_id_str(c->arena, &old.id).p);
  e.key = svc_arena_print(c->arena, SVC_FMT ".%s", SVC_ARG(old.key), svc_id_str(c->arena, &old.id).p);
  return svc_entity_store(c, &e, &old);
}

/* Descendants stay: a stand-in with its id and body takes its place. */
static bool erase_replace(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  svc_change change;
  svc_entity out;
  if (!noun->stand_in || !erase_survives(c, noun, e)) return svc_txn_good(c);
  memset(&change, 0, sizeof change);
  change.noun = noun->stand_in;
  change.id = e->id;
  change.parent = e->parent;
  change.extra = svc_arena_copy(c->arena, e->extra);
  change.body = svc_entity_body(c, e);
  return change.body && erase_give_way(c, noun->stand_in, &e->parent, e->unique) && svc_insert(c, &change, &out);
}

/* The last surviving child is erased: so is the stand-in of its parent. */
static bool erase_unneeded(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  const svc_noun_info *up = noun->parent ? noun->parent->stand_in : NULL;
  svc_entity above, other;
  int rc;
  if (!up || noun->parent->survivor != noun) return true;
  rc = svc_entity_get(c->txn, up->noun->kind, up->parent == c->s->org ? &e->scope.org : &e->scope.group, &e->parent, &above);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  return svc_below_first(c->txn, noun->noun->kind, &e->parent, &other) || (svc_txn_good(c) && svc_erase(c, up, &above));
}

/* ----------------------------------------------------------------------------------------------------------------- steps */

static void erase_rest_key(svc_key *key, const char *kind, const svc_id *parent, const svc_id *id)
{
  svc_key_entity(key, kind, parent, id);
  key->b[0] = 'x';
}

static bool erase_later(svc_call *c, const svc_entity *e)
{
  svc_due_entry due = { .when = c->txn->ids->now + ERASE_PAUSE, .parent = e->parent, .id = e->id, .tag = SVC_DUE_ERASE };
  svc_key key;
  memcpy(due.kind, e->kind, SVC_KIND_SIZE);
  svc_key_due(&key, &due);
  svc_put(c->txn, &key, SVC_S(""));
  return svc_txn_good(c);
}

/* Updates the count in the parent; in a cascade the parent is erased as well. */
SVC_PRIVATE bool svc_erase(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  int left = ERASE_STEP;
  svc_key key, rest;
  svc_str record;
  svc_key_entity(&key, e->kind, &e->parent, &e->id);
  erase_rest_key(&rest, e->kind, &e->parent, &e->id);
  if (svc_get(c->txn, &key, &record) != SVC_OK) record = SVC_S("");
  if (!erase_below(c, noun, e, false, &left) || !erase_one(c, noun, e, false) || !erase_feed(c, noun, e, &left)) return false;
  if (left <= 0) svc_put(c->txn, &rest, record);
  return (left > 0 || erase_later(c, e)) && svc_recount(c, noun, e) && erase_replace(c, noun, e) && erase_unneeded(c, noun, e);
}

SVC_PRIVATE bool svc_erase_due(svc_call *c, const svc_due_entry *due, bool *mine)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, due->kind);
  int left = ERASE_STEP;
  svc_str record;
  svc_entity e;
  svc_key key;
  bool good;
  *mine = due->tag == SVC_DUE_ERASE;
  if (!*mine || !noun) return true;
  erase_rest_key(&key, due->kind, &due->parent, &due->id);
  if (svc_get(c->txn, &key, &record) != SVC_OK) return true;
  e.kind = noun->noun->kind;
  if (!svc_entity_decode(svc_key_str(&key), record, &e)) return svc_store_failed(c, svc_note(c->txn, SVC_CORRUPT));
  svc_scope_enter(c, &e);
  c->erasing = &e;
  good = erase_below(c, noun, &e, false, &left) && erase_feed(c, noun, &e, &left);
  c->erasing = NULL;
  if (!good) return false;
  if (left <= 0) return erase_later(c, &e);
  svc_remove(c->txn, &key);
  return svc_txn_good(c);
}

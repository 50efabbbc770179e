/*
** Entities that name others: a database user its roles, a peering its container.
**
** What is named must be there when it is named, and may not go while it is. So that nobody has to look through all that
** could name it, every naming has an entry under what is named (store/keys.c draws it); it is written and removed with the
** entity that names, and all of them go with what is named, which in a cascade may go first.
**
** The rule: who names something finds what belongs to the same project, or to its organization, and nothing else.
*/
#include "pipeline/pipeline.h"

/* One reference of one entity, about to be looked at. */
typedef struct refs_visit {
  svc_call *c;
  const svc_noun_info *noun; /* that is named */
  const svc_ref *ref;
  svc_scope scope;        /* from where it is named */
  const svc_entity *from; /* that names it; NULL: it is only looked whether it is there */
  bool put;               /* the entry is put, else it is removed */
} refs_visit;

/* An id leads anywhere: it must lead to the same project, or at least, of projects themselves, the same organization. */
static bool refs_reaches(const svc *s, const svc_noun_info *noun, const svc_scope *scope, const svc_entity *e)
{
  svc_scope of = e->scope;
  if (svc_id_is_zero(&scope->org) && svc_id_is_zero(&scope->group)) return true; /* what belongs nowhere may name everything */
  if (noun == s->group) memset(&of.group, 0, sizeof of.group);
  return svc_scope_covers(scope, &of);
}

/* The entity that a value names: by its id, or by its unique value below the project. */
static int refs_find(svc_call *c, const svc_noun_info *noun, const svc_scope *scope, svc_str value, svc_entity *out)
{
  const svc_noun *n = noun->noun;
  svc_id id, parent = noun->parent == c->s->org ? scope->org : scope->group;
  int rc;
  if (n->key || (noun->fixed_name && !svc_id_parse(value, &id)))
    return svc_entity_named(c->txn, n->kind, n->names, &parent, n->spell ? n->spell(c, value) : value, out);
  if (!svc_id_parse(value, &id)) return SVC_NOT_FOUND;
  if (!noun->by_id && !(n->flags & SVC_GLOBAL)) return svc_entity_get(c->txn, n->kind, &parent, &id, out);
  rc = svc_get_noun(c->txn, noun, &id, out);
  return rc == SVC_OK && !refs_reaches(c->s, noun, scope, out) ? SVC_NOT_FOUND : rc;
}

static bool refs_is_there(void *context, const svc_node *value)
{
  refs_visit *v = context;
  svc_entity e;
  int rc;
  if (value->type != SVC_J_STRING || value->text.n == 0) return true;
  rc = refs_find(v->c, v->noun, &v->scope, value->text, &e);
  if (rc == SVC_OK) return true;
  if (rc != SVC_NOT_FOUND) return svc_store_failed(v->c, rc);
  if (!v->ref->err_missing) return true;
  return svc_fail_about(v->c, v->ref->err_missing, value->text, svc_id_str(v->c->arena, &v->scope.group));
}

SVC_PRIVATE bool svc_refs_check(svc_call *c, const svc_change *change)
{
  const svc_ref *ref;
  for (ref = change->noun->noun->refs; ref && ref->field; ref++) {
    refs_visit v = { c, svc_noun_named(c->s, ref->noun), ref, c->scope, NULL, false };
    if (v.noun && !svc_each_value(change->body, ref->field, refs_is_there, &v)) return false;
  }
  return true;
}

static void refs_key(svc_key *key, const char *kind, const svc_id *id)
{
  svc_key_begin(key, 'r');
  svc_key_add(key, kind, SVC_KIND_SIZE);
  svc_key_id(key, id);
}

static bool refs_entry(void *context, const svc_node *value)
{
  refs_visit *v = context;
  svc_entity e;
  svc_key key;
  if (value->type != SVC_J_STRING || refs_find(v->c, v->noun, &v->scope, value->text, &e) != SVC_OK) return svc_txn_good(v->c);
  if (svc_id_eq(&e.id, &v->from->id)) return true; /* it may name itself, and go */
  refs_key(&key, v->noun->noun->kind, &e.id);
  svc_key_add(&key, v->from->kind, SVC_KIND_SIZE);
  svc_key_id(&key, &v->from->parent);
  svc_key_id(&key, &v->from->id);
  if (v->put) svc_put(v->c->txn, &key, SVC_S(""));
  else svc_remove(v->c->txn, &key);
  return svc_txn_good(v->c);
}

/* All entries of an entity: first those it had go, then those it has are put, so that what is in both stays. */
SVC_PRIVATE bool svc_refs_write(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *before,
                                const svc_node *body)
{
  const svc_ref *ref;
  int put;
  for (put = 0; put < 2; put++)
    for (ref = noun->noun->refs; ref && ref->field; ref++) {
      refs_visit v = { c, svc_noun_named(c->s, ref->noun), ref, e->scope, e, put != 0 };
      if (v.noun && ref->err_locked && !svc_each_value(put ? body : before, ref->field, refs_entry, &v)) return false;
    }
  return true;
}

/* The error that the noun of who names it has for this. */
static int refs_error(svc_call *c, const svc_noun_info *noun, svc_str key)
{
  const svc_noun_info *from;
  const svc_ref *ref;
  if (key.n != 1 + SVC_KIND_SIZE + 12 + SVC_KIND_SIZE + 24) return SVC_E_NONE;
  from = svc_noun_by_kind(c->s, key.p + 1 + SVC_KIND_SIZE + 12);
  for (ref = from ? from->noun->refs : NULL; ref && ref->field; ref++)
    if (svc_noun_named(c->s, ref->noun) == noun && ref->err_locked) return ref->err_locked;
  return SVC_E_NONE;
}

SVC_PRIVATE bool svc_refs_free(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  int error;
  if (!noun->is_target) return true;
  refs_key(&prefix, e->kind, &e->id);
  svc_scan_below(&scan, c->txn, &prefix, false);
  svc_scan_expect(&scan, 1);
  while (svc_scan_next(&scan, &key, &value)) {
    error = refs_error(c, noun, key);
    if (error) return svc_fail_about(c, error, e->unique.n ? e->unique : e->key, svc_id_str(c->arena, &e->parent));
  }
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_refs_drop(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  svc_key prefix;
  if (!noun->is_target) return true;
  refs_key(&prefix, e->kind, &e->id);
  svc_remove_below(c->txn, &prefix);
  return svc_txn_good(c);
}

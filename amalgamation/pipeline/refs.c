/*
** Entities that name others: a database user its roles, a peering its container.
**
** What is named must be there when it is named, and may not go while it is. So that nobody has to look through all that
** could name it, every naming has an entry under what is named (store/keys.c draws it); it is written and removed with the
** entity that names, and all of them go with what is named, which in a cascade may go first. What is named by its unique
** value has its entries under a hash of that and of its parent: where it need not be there, it has them all the same, and
** they count when it comes.
**
** The rule: who names something finds what belongs to the same project, or to its organization, and nothing else; unless a
** field of its own says which project it is in ("name@groupId"), which its noun allows or does not.
*/
#include "pipeline/pipeline.h"

/* One reference of one entity, about to be looked at. */
typedef struct refs_visit {
  svc_call *c;
  const svc_noun_info *noun; /* that is named */
  const svc_ref *ref;
  svc_scope scope;        /* from where it is named */
  const svc_entity *from; /* that names it; NULL: it is only looked whether it is there */
  svc_id own;             /* what stands for the name of that one */
  bool put;               /* the entry is put, else it is removed */
} refs_visit;

/* An id leads anywhere: it must lead to the same project, or at least, of projects themselves, the same organization. */
static bool refs_reaches(const svc *s, const svc_noun_info *noun, const svc_scope *scope, const svc_entity *e)
{
  svc_scope of = e->scope;
  if (noun == s->group) memset(&of.group, 0, sizeof of.group);
  return svc_scope_covers(scope, &of);
}

/* By its unique value, or else by its id? */
static bool refs_by_name(const svc_noun_info *noun, svc_str value)
{
  svc_id id;
  return noun->noun->key || (noun->fixed_name && !svc_id_parse(value, &id));
}

/* Below which project or organization it is named. */
static const svc_id *refs_parent(const svc *s, const svc_noun_info *noun, const svc_scope *scope)
{
  return noun->parent == s->org ? &scope->org : &scope->group;
}

static svc_str refs_spelled(svc_call *c, const svc_noun_info *noun, svc_str value)
{
  return noun->also->spell ? noun->also->spell(c, value) : value;
}

/* What stands for a name in keys. */
static svc_id refs_name(svc_call *c, const svc_id *parent, svc_str unique)
{
  svc_buf b = svc_buf_new(c->arena, sizeof parent->b + unique.n);
  unsigned char hash[32];
  svc_id id;
  svc_buf_add(&b, (const char *)parent->b, sizeof parent->b);
  svc_buf_str(&b, unique);
  svc_text_hash(c->arena, svc_buf_done(&b), hash);
  memcpy(id.b, hash, sizeof id.b);
  return id;
}

/* The same of an entity; of what is named by its id alone, that. */
static svc_id refs_name_of(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  return (noun->noun->key || noun->fixed_name) && e->unique.n ? refs_name(c, &e->parent, e->unique) : e->id;
}

/* The entity that a value names: by its id, or by its unique value below the project. */
static int refs_find(svc_call *c, const svc_noun_info *noun, const svc_scope *scope, svc_str value, svc_entity *out)
{
  const svc_noun *n = noun->noun;
  const svc_id *parent = refs_parent(c->s, noun, scope);
  svc_id id;
  int rc;
  if (refs_by_name(noun, value)) return svc_entity_named(c->txn, n->kind, SVC_ALSO_OF(n)->names, parent, refs_spelled(c, noun, value), out);
  if (!svc_id_parse(value, &id)) return SVC_NOT_FOUND;
  if (!noun->by_id) return svc_entity_get(c->txn, n->kind, parent, &id, out);
  rc = svc_get_noun(c->txn, noun, &id, out);
  return rc == SVC_OK && !refs_reaches(c->s, noun, scope, out) ? SVC_NOT_FOUND : rc;
}

/* From where it is named: what stands behind the @ says it, else it is where who names it is. */
static svc_scope refs_scope(const svc_ref *ref, svc_scope scope, const svc_node *body)
{
  const char *at = strchr(ref->field, '@');
  svc_id group;
  if (at && svc_id_parse(svc_node_str(body, at + 1), &group)) scope.group = group;
  return scope;
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
  return svc_fail_about(v->c, v->ref->err_missing, value->text, svc_id_str(v->c->arena, &v->scope.group));
}

SVC_PRIVATE bool svc_refs_check(svc_call *c, const svc_change *change)
{
  const svc_ref *ref;
  for (ref = change->noun->noun->refs; ref && ref->field; ref++) {
    refs_visit v = { c, svc_noun_named(c->s, ref->noun), ref, refs_scope(ref, c->scope, change->body), NULL, { { 0 } }, false };
    if (v.noun && ref->err_missing && !svc_each_value(change->body, ref->field, refs_is_there, &v)) return false;
  }
  return true;
}

static void refs_key(svc_key *key, const char *kind, const svc_id *id)
{
  svc_key_begin(key, 'r');
  svc_key_add(key, kind, SVC_KIND_SIZE);
  svc_key_id(key, id);
}

/* What stands in keys for what a value names. False: it names nothing. */
static bool refs_target(refs_visit *v, svc_str value, svc_id *out)
{
  bool named = refs_by_name(v->noun, value), anyway = named && !(v->ref && v->ref->err_missing);
  svc_entity e = { .kind = NULL };
  if (value.n == 0 || (!anyway && refs_find(v->c, v->noun, &v->scope, value, &e) != SVC_OK)) return false;
  if (named) {
    *out = refs_name(v->c, refs_parent(v->c->s, v->noun, &v->scope), refs_spelled(v->c, v->noun, value));
    return true;
  }
  *out = e.id;
  return true;
}

static bool refs_entry(void *context, const svc_node *value)
{
  refs_visit *v = context;
  svc_id target;
  svc_key key;
  if (value->type != SVC_J_STRING || !refs_target(v, value->text, &target)) return svc_txn_good(v->c);
  if (svc_id_eq(&target, &v->from->id) || svc_id_eq(&target, &v->own)) return true; /* it may name itself, and go */
  refs_key(&key, v->noun->noun->kind, &target);
  svc_key_add(&key, v->from->kind, SVC_KIND_SIZE);
  svc_key_id(&key, &v->from->parent);
  svc_key_id(&key, &v->from->id);
  if (v->put) svc_put(v->c->txn, &key, (svc_str){ (const char *)v->own.b, sizeof v->own.b });
  else svc_remove(v->c->txn, &key);
  return svc_txn_good(v->c);
}

/* All entries of an entity: first those it had go, then those it has are put, so that what is in both stays. */
SVC_PRIVATE bool svc_refs_write(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *before,
                                const svc_node *body)
{
  const svc_ref *ref = noun->noun->refs;
  svc_id own;
  int put;
  if (!ref) return true;
  own = refs_name_of(c, noun, e);
  for (put = 0; put < 2; put++)
    for (ref = noun->noun->refs; ref->field; ref++) {
      const svc_node *of = put ? body : before;
      refs_visit v = { c, svc_noun_named(c->s, ref->noun), ref, refs_scope(ref, e->scope, of), e, own, put != 0 };
      if (v.noun && ref->err_locked && !svc_each_value(of, ref->field, refs_entry, &v)) return false;
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

/* Refused, and it is told who is in the way, unless that is another project's. */
static bool refs_refuse(svc_call *c, int error, const svc_entity *e, svc_str key)
{
  const char *at = key.p + 1 + SVC_KIND_SIZE + 12;
  const svc_noun_info *from = svc_noun_by_kind(c->s, at); /* the error is its */
  svc_entity user;
  svc_id parent, id;
  memcpy(parent.b, at + SVC_KIND_SIZE, 12);
  memcpy(id.b, at + SVC_KIND_SIZE + 12, 12);
  (void)svc_fail_about(c, error, e->unique.n ? e->unique : e->key, svc_id_str(c->arena, &e->parent));
  if (svc_entity_get(c->txn, from->noun->kind, &parent, &id, &user) == SVC_OK &&
      (svc_id_is_zero(&e->scope.group) || svc_id_eq(&e->scope.group, &user.scope.group))) {
    svc_str name = user.unique.n > 1 ? user.unique : user.key;
    c->error.also = svc_arena_print(c->arena, " It is used by the %s%s" SVC_FMT ".", from->noun->name, name.n ? " " : "", SVC_ARG(name));
  }
  return false;
}

/* Who names what stands under this. False: refused. */
static bool refs_unnamed(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_id *under)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  int error;
  refs_key(&prefix, e->kind, under);
  svc_scan_below(&scan, c->txn, &prefix, false);
  svc_scan_expect(&scan, 1);
  while (svc_scan_next(&scan, &key, &value)) {
    error = refs_error(c, noun, key);
    if (error) return refs_refuse(c, error, e, key);
  }
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_refs_free(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  svc_id name;
  if (!noun->is_target) return true;
  name = refs_name_of(c, noun, e);
  return refs_unnamed(c, noun, e, &e->id) && (svc_id_eq(&name, &e->id) || refs_unnamed(c, noun, e, &name));
}

static bool refs_has(svc_call *c, const svc_entity *e, const svc_id *under, const char *kind)
{
  svc_key prefix;
  svc_scan scan;
  svc_str key, value;
  refs_key(&prefix, e->kind, under);
  svc_key_add(&prefix, kind, SVC_KIND_SIZE);
  svc_scan_below(&scan, c->txn, &prefix, false);
  svc_scan_expect(&scan, 1);
  return svc_scan_next(&scan, &key, &value);
}

SVC_PRIVATE bool svc_refs_named_by(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const char *by)
{
  const svc_noun_info *from = svc_noun_named(c->s, by);
  svc_id name;
  if (!noun->is_target || !from) return false;
  name = refs_name_of(c, noun, e);
  return refs_has(c, e, &e->id, from->noun->kind) || (!svc_id_eq(&name, &e->id) && refs_has(c, e, &name, from->noun->kind));
}

SVC_PRIVATE bool svc_refs_users(svc_call *c, const svc_entity *e, void (*user)(void *context, const svc_noun_info *from), void *context)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  refs_key(&prefix, e->kind, &e->id);
  svc_scan_below(&scan, c->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    const svc_noun_info *from = key.n == prefix.n + SVC_KIND_SIZE + 24 ? svc_noun_by_kind(c->s, key.p + prefix.n) : NULL;
    if (from) user(context, from);
  }
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_refs_drop(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  svc_key prefix;
  svc_id name;
  if (!noun->is_target) return true;
  name = refs_name_of(c, noun, e);
  refs_key(&prefix, e->kind, &e->id);
  svc_remove_below(c->txn, &prefix);
  refs_key(&prefix, e->kind, &name);
  svc_remove_below(c->txn, &prefix);
  return svc_txn_good(c);
}

/* -------------------------------------------------------------------------------------------------------------- circles */

/* Entities of one noun, each once: in the order in which they were met, and in a table to find them by. */
typedef struct refs_met {
  svc_call *c;
  svc_id *ids, *names;
  size_t n, room;
  uint32_t *table; /* place in ids, from 1; 0: free. Twice as many as there is room for */
} refs_met;

static uint32_t *refs_place(const refs_met *met, const svc_id *id)
{
  uint64_t hash;
  size_t at;
  memcpy(&hash, id->b + 4, sizeof hash);
  for (at = (size_t)(hash * 0x9E3779B97F4A7C15u >> 20) & (2 * met->room - 1);; at = (at + 1) & (2 * met->room - 1))
    if (!met->table[at] || svc_id_eq(&met->ids[met->table[at] - 1], id)) return &met->table[at];
}

static bool refs_grow(refs_met *met)
{
  refs_met more = { met->c, NULL, NULL, met->n, met->room ? 2 * met->room : 64, NULL };
  size_t i;
  more.ids = svc_arena_alloc(met->c->arena, more.room * sizeof *more.ids);
  more.names = svc_arena_alloc(met->c->arena, more.room * sizeof *more.names);
  more.table = svc_arena_zero(met->c->arena, 2 * more.room * sizeof *more.table);
  if (!more.ids || !more.names || !more.table) return svc_no_memory(met->c);
  for (i = 0; i < met->n; i++) {
    more.ids[i] = met->ids[i];
    more.names[i] = met->names[i];
    *refs_place(&more, &more.ids[i]) = (uint32_t)i + 1;
  }
  *met = more;
  return true;
}

static bool refs_meet(refs_met *met, const svc_id *id, const svc_id *name)
{
  uint32_t *place;
  if (met->n == met->room && !refs_grow(met)) return false;
  place = refs_place(met, id);
  if (*place) return true;
  met->ids[met->n] = *id;
  met->names[met->n] = *name;
  *place = (uint32_t)++met->n;
  return true;
}

/* Those of the same noun that name what stands under this. */
static bool refs_meet_namers(refs_met *met, const char *kind, const svc_id *under)
{
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  svc_id id, name;
  refs_key(&prefix, kind, under);
  svc_scan_below(&scan, met->c->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    const char *from = key.p + prefix.n;
    if (key.n != prefix.n + SVC_KIND_SIZE + 24 || value.n != sizeof name.b || memcmp(from, kind, SVC_KIND_SIZE) != 0) continue;
    memcpy(id.b, from + SVC_KIND_SIZE + 12, sizeof id.b);
    memcpy(name.b, value.p, sizeof name.b);
    if (!refs_meet(met, &id, &name)) return false;
  }
  return svc_txn_good(met->c);
}

typedef struct refs_wanted {
  refs_visit visit;
  const refs_met *met;
  bool found;
} refs_wanted;

static bool refs_is_met(void *context, const svc_node *value)
{
  refs_wanted *w = context;
  svc_id target;
  size_t i;
  if (value->type != SVC_J_STRING || !refs_target(&w->visit, value->text, &target)) return svc_txn_good(w->visit.c);
  for (i = 0; i < w->met->n && !w->found; i++)
    w->found = svc_id_eq(&target, &w->met->ids[i]) || svc_id_eq(&target, &w->met->names[i]);
  return true;
}

/*
** Backwards, from who is changed to who names it, and so on: these are few where something is inherited from, and none where
** it is new, while what it names may be all there are. No record is read.
*/
SVC_PRIVATE bool svc_refs_circle(svc_call *c, const svc_change *change, const char *field, bool *circle)
{
  const svc_noun_info *noun = change->noun;
  const char *kind = noun->noun->kind;
  refs_wanted wanted = { { c, noun, NULL, c->scope, NULL, { { 0 } }, false }, NULL, false };
  refs_met met = { c, NULL, NULL, 0, 0, NULL };
  svc_entity self = { .id = change->id, .parent = change->parent, .unique = svc_node_str(change->body, noun->noun->unique) };
  svc_id name = refs_name_of(c, noun, &self);
  size_t i;
  if (!refs_meet(&met, &self.id, &name)) return false;
  for (i = 0; i < met.n; i++) {
    const svc_id id = met.ids[i], other = met.names[i]; /* the table may move */
    if (!refs_meet_namers(&met, kind, &other)) return false;
    if (!svc_id_eq(&id, &other) && !refs_meet_namers(&met, kind, &id)) return false;
  }
  wanted.met = &met;
  if (!svc_each_value(change->body, field, refs_is_met, &wanted)) return false;
  *circle = wanted.found;
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- are they whole? */

typedef struct refs_looked {
  refs_visit visit;
  svc_verify *verify;
  const svc_entity *e;
  svc_str wanted; /* NULL p: every entry has to be there; else it is looked for this one */
  bool found;
} refs_looked;

static bool refs_look(void *context, const svc_node *value)
{
  refs_looked *l = context;
  refs_visit *v = &l->visit;
  svc_entity e;
  svc_id target;
  svc_key key;
  if (value->type != SVC_J_STRING || value->text.n == 0 || !v->ref->err_locked) return true; /* what may go while it is named may be gone */
  if (!l->wanted.p && v->ref->err_missing && refs_find(v->c, v->noun, &v->scope, value->text, &e) != SVC_OK)
    svc_found(l->verify, l->e->kind, &l->e->id, "what its %s names is not there", v->ref->field);
  if (!refs_target(v, value->text, &target)) return true;
  if (svc_id_eq(&target, &l->e->id) || svc_id_eq(&target, &v->own)) return true;
  refs_key(&key, v->noun->noun->kind, &target);
  svc_key_add(&key, l->e->kind, SVC_KIND_SIZE);
  svc_key_id(&key, &l->e->parent);
  svc_key_id(&key, &l->e->id);
  if (l->wanted.p) l->found |= svc_str_eq(svc_key_str(&key), l->wanted);
  else if (!svc_verify_there(l->verify, &key))
    svc_found(l->verify, l->e->kind, &l->e->id, "what its %s names does not know that it is named", v->ref->field);
  return true;
}

static bool refs_look_all(svc_verify *v, const svc_noun_info *noun, const svc_entity *e, const svc_node *body, svc_str wanted)
{
  svc_call *c = v->c;
  svc_id own = refs_name_of(c, noun, e);
  const svc_ref *ref;
  bool found = false;
  for (ref = noun->noun->refs; ref && ref->field && !found; ref++) {
    const svc_noun_info *to = svc_noun_named(c->s, ref->noun);
    refs_looked l = { { c, to, ref, refs_scope(ref, e->scope, body), e, own, false }, v, e, wanted, false };
    if (to) svc_each_value(body, ref->field, refs_look, &l);
    found = l.found;
  }
  return found;
}

SVC_PRIVATE void svc_refs_verify(svc_verify *v, const svc_noun_info *noun, const svc_entity *e, const svc_node *body)
{
  if (noun->noun->refs) refs_look_all(v, noun, e, body, (svc_str){ NULL, 0 });
}

SVC_PRIVATE void svc_refs_verify_entry(svc_verify *v, svc_str key, svc_str value)
{
  const char *from = key.p + 1 + SVC_KIND_SIZE + 12;
  const svc_noun_info *noun;
  const svc_node *body;
  svc_id parent, id = { { 0 } };
  svc_entity e;
  if (key.n != 1 + SVC_KIND_SIZE + 12 + SVC_KIND_SIZE + 24 || value.n != sizeof id.b) {
    svc_found(v, "    ", &id, "an entry of who names whom cannot be read");
    return;
  }
  memcpy(parent.b, from + SVC_KIND_SIZE, 12);
  memcpy(id.b, from + SVC_KIND_SIZE + 12, 12);
  noun = svc_noun_by_kind(v->c->s, from);
  if (!noun || !svc_noun_by_kind(v->c->s, key.p + 1)) return; /* this build leaves one of them out */
  if (!svc_verify_get(v, noun->noun->kind, &parent, &id, &e)) {
    svc_found(v, from, &id, "it is said to name another, and is not there");
    return;
  }
  body = svc_entity_body(v->c, &e);
  if (body && !refs_look_all(v, noun, &e, body, key)) svc_found(v, from, &id, "it is said to name another, and does not");
}

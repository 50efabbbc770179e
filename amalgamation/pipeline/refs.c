/*
** References between resources: a database user to its roles, a peering to its container. table.h states the rules (svc_ref).
**
** Every reference that locks its target has an entry under the target (store/keys.c draws it), so that a delete need not search
** all resources that could refer to it. The entry is written and removed with the referring entity; all entries of a target are
** removed with it. A target that is referred to by unique value has its entries under a hash of that value and of its parent, whether it
** exists or not.
**
** The scope of a reference: a resource can refer to others of the same project or its organization only; unless one of its own
** fields names the project ("name@groupId"), which its noun has to permit.
*/
#include "pipeline/pipeline.h"

#define REFS_STATES 8 /* maximum number of states between a DELETE and the end */

/* A reference of one entity, being visited. */
typedef struct refs_visit {
  svc_call *c;
  const svc_noun_info *noun; /* the target's noun */
  const svc_ref *ref;
  svc_scope scope;        /* the scope of the reference */
  const svc_entity *from; /* the referring entity; NULL: only checks whether the target exists */
  svc_id own;             /* the hash of its own name */
  bool put;               /* adds the entry; otherwise removes it */
} refs_visit;

/* An id could lead anywhere: it must lead to the same project or, for projects themselves, to the same organization. */
static bool refs_reaches(const svc *s, const svc_noun_info *noun, const svc_scope *scope, const svc_entity *e)
{
  svc_scope of = e->scope;
  if (noun == s->group) memset(&of.group, 0, sizeof of.group);
  return svc_scope_covers(scope, &of);
}

/* Whether the value is a unique value; otherwise it is an id. */
static bool refs_by_name(const svc_noun_info *noun, svc_str value)
{
  svc_id id;
  return noun->noun->key || (noun->fixed_name && !svc_id_parse(value, &id));
}

/* The project or organization below which the target is. */
static const svc_id *refs_parent(const svc *s, const svc_noun_info *noun, const svc_scope *scope)
{
  return noun->parent == s->org ? &scope->org : &scope->group;
}

static svc_str refs_spelled(svc_call *c, const svc_noun_info *noun, svc_str value)
{
  return svc_noun_ext_of(noun->noun)->spell ? svc_noun_ext_of(noun->noun)->spell(c, value) : value;
}

/* The hash of a name, for keys. */
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

/* The same for an entity; for one that is referred to by id alone, its id. */
static svc_id refs_name_of(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  return (noun->noun->key || noun->fixed_name) && e->unique.n ? refs_name(c, &e->parent, e->unique) : e->id;
}

/* The entity that a value refers to: by id, or by unique value below its project or organization. */
static int refs_find(svc_call *c, const svc_noun_info *noun, const svc_scope *scope, svc_str value, svc_entity *out)
{
  const svc_noun *n = noun->noun;
  const svc_id *parent = refs_parent(c->s, noun, scope);
  svc_id id;
  int rc;
  if (refs_by_name(noun, value)) return svc_entity_named(c->txn, n->kind, svc_noun_ext_of(n)->names, parent, refs_spelled(c, noun, value), out);
  if (!svc_id_parse(value, &id)) return SVC_NOT_FOUND;
  if (!noun->by_id) return svc_entity_get(c->txn, n->kind, parent, &id, out);
  rc = svc_get_noun(c->txn, noun, &id, out);
  return rc == SVC_OK && !refs_reaches(c->s, noun, scope, out) ? SVC_NOT_FOUND : rc;
}

/* The scope of a reference: the field behind the @, otherwise that of the referring entity. */
static svc_scope refs_scope(const svc_ref *ref, svc_scope scope, const svc_node *body)
{
  const char *at = strchr(ref->field, '@');
  svc_id group;
  if (at && svc_id_parse(svc_node_str(body, at + 1), &group)) scope.group = group;
  return scope;
}

/* ------------------------------------------------------------------------------------------------------ new references */

/* Whether the target is being deleted: in the state after a DELETE, or in a later one that leads to the end. */
static bool refs_is_going(const svc_noun *noun, const svc_entity *e)
{
  const svc_lifecycle *life = noun->lifecycle;
  const char *at = life ? life->deleted : NULL;
  svc_str state = at ? svc_json_word(e->body, life->field) : SVC_S("");
  bool met = false;
  int steps;
  for (steps = 0; at && steps < REFS_STATES; steps++) {
    const svc_transition *t = svc_transition_from(noun, svc_str_c(at));
    met = met || svc_str_is(state, at);
    if (!t || !t->to) return met && t;
    at = t->to;
  }
  return false;
}

/* Alternatives: this row has the same field as the one before it. */
static bool refs_same_field(const svc_ref *first, const svc_ref *ref)
{
  return ref->field && strcmp(ref->field, first->field) == 0;
}

static int refs_err_missing(const svc_ref *first)
{
  const svc_ref *ref = first;
  while (refs_same_field(first, ref) && !ref->err_missing) ref++;
  return refs_same_field(first, ref) ? ref->err_missing : SVC_E_NONE;
}

/* The place of a value in the body, "stores[1].clusterName". False: not below this node. */
static bool refs_place_of(svc_buf *out, const svc_node *body, const char *field, const svc_node *value)
{
  const svc_path_step step = svc_path_first(field);
  const svc_node *node = body->type == SVC_J_OBJECT ? svc_node_find(body, step.name) : NULL;
  bool each = node && step.member.p && node->type == SVC_J_ARRAY;
  size_t begin = out->n;
  int64_t i = 0;
  for (node = each ? node->first : node; node; node = each ? node->next : NULL, i++) {
    out->n = begin;
    if (begin) svc_buf_char(out, '.');
    svc_buf_str(out, step.name);
    if (each) {
      svc_buf_char(out, '[');
      svc_buf_i64(out, i);
      svc_buf_char(out, ']');
    }
    if (*step.rest ? refs_place_of(out, node, step.rest, value) : node == value) return true;
  }
  return false;
}

/* A value that the change does not add: the same field had it before. */
typedef struct refs_kept {
  svc_str value;
  bool found;
} refs_kept;

static bool refs_is_kept(void *context, const svc_node *value)
{
  refs_kept *kept = context;
  kept->found = kept->found || (value->type == SVC_J_STRING && svc_str_eq(value->text, kept->value));
  return true;
}

typedef struct refs_named {
  svc_call *c;
  const svc_change *change;
  const svc_ref *first; /* the first row of this field */
  svc_scope scope;
  bool same_scope; /* unchanged by this change */
} refs_named;

/* Refuses a value whose target is missing or being deleted (going: its noun). True: the rows of the field define no error for that. */
static bool refs_missing(refs_named *n, const svc_node *value, const svc_noun_info *going, const char *label)
{
  svc_call *c = n->c;
  int error = refs_err_missing(n->first);
  svc_buf at;
  if (!error && going) error = going->noun->err_not_found;
  if (!error) return true;
  if (error != SVC_E_INVALID_ATTRIBUTE) {
    (void)svc_fail_about(c, error, value->text, svc_id_str(c->arena, &n->scope.group));
    if (going) c->error.also = svc_arena_print(c->arena, " The %s is being deleted.", going->noun->name);
    return false;
  }
  at = svc_buf_new(c->arena, 64);
  if (!refs_place_of(&at, n->change->body, n->first->field, value)) return svc_no_memory(c);
  svc_violate(c, error, svc_buf_done(&at), going ? "names a %s that is being deleted" : "names no %s of the project", label);
  return svc_check_done(c);
}

static bool refs_is_there(void *context, const svc_node *value)
{
  refs_named *n = context;
  const svc_noun_info *going = NULL, *noun;
  refs_kept kept = { value->text, false };
  const char *label = NULL;
  const svc_ref *ref;
  svc_entity e;
  if (value->type != SVC_J_STRING || value->text.n == 0) return true;
  if (n->same_scope) svc_each_value(n->change->before, n->first->field, refs_is_kept, &kept);
  for (ref = n->first; refs_same_field(n->first, ref) && !kept.found; ref++) {
    int rc;
    if ((noun = svc_noun_named(n->c->s, ref->noun)) == NULL) continue;
    /* every existing target is good */
    if (!refs_err_missing(n->first) && !(noun->noun->lifecycle && noun->noun->lifecycle->deleted)) continue;
    if (!label) label = noun->noun->name;
    rc = refs_find(n->c, noun, &n->scope, value->text, &e);
    if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(n->c, rc);
    if (rc == SVC_OK && !refs_is_going(noun->noun, &e)) return true;
    if (rc == SVC_OK) going = noun, label = noun->noun->name;
  }
  return !label || refs_missing(n, value, going, label);
}

SVC_PRIVATE bool svc_refs_check(svc_call *c, const svc_change *change)
{
  const svc_ref *first = change->noun->noun->refs, *ref;
  for (; first && first->field; first = ref) {
    const char *at = strchr(first->field, '@');
    refs_named n = { c, change, first, refs_scope(first, c->scope, change->body), false };
    n.same_scope = change->before && (!at || !svc_change_differs(change, at + 1));
    if (!svc_each_value(change->body, first->field, refs_is_there, &n)) return false;
    for (ref = first; refs_same_field(first, ref);) ref++;
  }
  return true;
}

/* -------------------------------------------------------------------------------------------------------------- entries */

static void refs_key(svc_key *key, const char *kind, const svc_id *id)
{
  svc_key_begin(key, 'r');
  svc_key_add(key, kind, SVC_KIND_SIZE);
  svc_key_id(key, id);
}

/* The id in keys for the target of a value. False: no target. */
static bool refs_target(refs_visit *v, svc_str value, svc_id *out)
{
  svc_entity e = { .kind = NULL };
  if (value.n == 0) return false;
  if (refs_by_name(v->noun, value)) {
    *out = refs_name(v->c, refs_parent(v->c->s, v->noun, &v->scope), refs_spelled(v->c, v->noun, value));
    return true;
  }
  if (refs_find(v->c, v->noun, &v->scope, value, &e) != SVC_OK) return false;
  *out = e.id;
  return true;
}

/* Adds or removes the entry of one value (refs_visit.put). */
static bool refs_entry(void *context, const svc_node *value)
{
  refs_visit *v = context;
  svc_id target;
  svc_key key;
  if (value->type != SVC_J_STRING || !refs_target(v, value->text, &target)) return svc_txn_good(v->c);
  if (svc_id_eq(&target, &v->from->id) || svc_id_eq(&target, &v->own)) return true; /* a reference to itself does not lock */
  refs_key(&key, v->noun->noun->kind, &target);
  svc_key_add(&key, v->from->kind, SVC_KIND_SIZE);
  svc_key_id(&key, &v->from->parent);
  svc_key_id(&key, &v->from->id);
  if (v->put) svc_put(v->c->txn, &key, (svc_str){ (const char *)v->own.b, sizeof v->own.b });
  else svc_remove(v->c->txn, &key);
  return svc_txn_good(v->c);
}

/* Rewrites all entries of an entity: removes the old ones, then adds the new ones, so that common ones stay. */
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

/* The error that the referring noun defines for this. */
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

/* Refuses, and names the referring resource, unless that belongs to another project. */
static bool refs_refuse(svc_call *c, int error, const svc_entity *e, svc_str key)
{
  const char *at = key.p + 1 + SVC_KIND_SIZE + 12;
  const svc_noun_info *from = svc_noun_by_kind(c->s, at); /* the error comes from its row */
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

/* Checks that no entry exists under this id. False: refused. */
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

/* -------------------------------------------------------------------------------------------------- the target is deleted */

/* The referring entity of an entry. False: it does not exist. */
static bool refs_user(svc_call *c, svc_str key, const svc_noun_info **from, svc_entity *out)
{
  const char *at = key.p + 1 + SVC_KIND_SIZE + 12;
  svc_id parent, id;
  if (key.n != 1 + SVC_KIND_SIZE + 12 + SVC_KIND_SIZE + 24) return false;
  *from = svc_noun_by_kind(c->s, at);
  memcpy(parent.b, at + SVC_KIND_SIZE, 12);
  memcpy(id.b, at + SVC_KIND_SIZE + 12, 12);
  return *from && svc_entity_get(c->txn, (*from)->noun->kind, &parent, &id, out) == SVC_OK;
}

/* Whether a value refers to the deleted entity, which can no longer be found. */
static bool refs_was(refs_visit *v, const svc_entity *gone, const svc_id *name, const svc_node *value)
{
  svc_id id;
  if (value->type != SVC_J_STRING || value->text.n == 0) return false;
  if (!refs_by_name(v->noun, value->text)) return svc_id_parse(value->text, &id) && svc_id_eq(&id, &gone->id);
  id = refs_name(v->c, refs_parent(v->c->s, v->noun, &v->scope), refs_spelled(v->c, v->noun, value->text));
  return svc_id_eq(&id, name);
}

/* Removes the reference: the array element that contains it, else the field. True: the caller must remove the node itself. */
static bool refs_cut(refs_visit *v, const svc_entity *gone, const svc_id *name, svc_node *body, const char *field)
{
  const svc_path_step step = svc_path_first(field);
  svc_node *node = body->type == SVC_J_OBJECT ? svc_node_find(body, step.name) : NULL, *last = NULL, **at;
  if (!node || (node->type != SVC_J_ARRAY && !svc_path_enters(&step, node))) return false;
  if (!step.member.p || node->type != SVC_J_ARRAY)
    return *step.rest ? refs_cut(v, gone, name, node, step.rest) : refs_was(v, gone, name, node);
  for (at = &node->first; *at;) {
    bool cut = svc_path_enters(&step, *at) &&
               (*step.rest ? refs_cut(v, gone, name, *at, step.rest) : refs_was(v, gone, name, *at));
    if (cut) *at = (*at)->next;
    else last = *at, at = &last->next;
  }
  node->last = last;
  return false;
}

/* The same from the top: without an array around it, the field is removed by its own path. */
static void refs_cut_from(refs_visit *v, const svc_entity *gone, const svc_id *name, svc_node *body)
{
  svc_node *holder = body;
  const char *path = v->ref->field;
  svc_path_step step = svc_path_first(path);
  if (!refs_cut(v, gone, name, body, path)) return;
  while (*step.rest && (holder = svc_node_find(holder, step.name)) != NULL) step = svc_path_first(step.rest);
  if (SVC_ALWAYS(holder)) svc_node_drop(holder, svc_arena_copy(v->c->arena, step.name).p);
}

/* Removes the references of one entry's entity to the deleted one, and logs that. */
static bool refs_forget(svc_call *c, const svc_noun_info *noun, const svc_entity *gone, const svc_id *name, svc_str key)
{
  const svc_noun_info *from;
  svc_node *before, *body;
  const svc_ref *ref;
  svc_entity user;
  if (!refs_user(c, key, &from, &user)) return svc_txn_good(c);
  before = svc_entity_body(c, &user);
  body = before ? svc_node_copy(c->arena, before) : NULL;
  if (!body) return svc_failed(c);
  for (ref = from->noun->refs; ref && ref->field; ref++) {
    refs_visit v = { c, noun, ref, refs_scope(ref, user.scope, before), &user, { { 0 } }, false };
    if (svc_noun_named(c->s, ref->noun) == noun && ref->err_locked) refs_cut_from(&v, gone, name, body);
  }
  svc_log(c->s, SVC_LOG_WARNING, "reference.removed", "the %s %s was deleted: a reference to it was removed from a %s", noun->noun->name,
          svc_id_str(c->arena, &gone->id).p, from->noun->name);
  return svc_rewrite(c, &user, body) && svc_refs_write(c, from, &user, before, body);
}

static bool refs_drop_below(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_id *under, bool in_cascade)
{
  const svc_id name = refs_name_of(c, noun, e);
  const svc_noun_info *from;
  svc_str key, value;
  svc_entity user;
  svc_key prefix, entry;
  svc_scan scan;
  refs_key(&prefix, e->kind, under);
  for (;;) {
    svc_scan_below(&scan, c->txn, &prefix, false);
    svc_scan_expect(&scan, 1);
    if (!svc_scan_next(&scan, &key, &value) || key.n > sizeof entry.b) return svc_txn_good(c);
    memcpy(entry.b, key.p, key.n);
    entry.n = key.n;
    if (in_cascade && (!refs_user(c, svc_key_str(&entry), &from, &user) || svc_id_eq(&user.scope.group, &e->scope.group))) {
      svc_remove(c->txn, &entry); /* the referring entity is deleted as well */
      if (!svc_txn_good(c)) return false;
      continue;
    }
    if (!refs_forget(c, noun, e, &name, svc_key_str(&entry))) return false;
    svc_remove(c->txn, &entry);
    if (!svc_txn_good(c)) return false;
  }
}

SVC_PRIVATE bool svc_refs_drop(svc_call *c, const svc_noun_info *noun, const svc_entity *e, bool in_cascade)
{
  svc_id name;
  if (!noun->is_target || c->passes_on) return true;
  name = refs_name_of(c, noun, e);
  return refs_drop_below(c, noun, e, &e->id, in_cascade) &&
         (svc_id_eq(&name, &e->id) || refs_drop_below(c, noun, e, &name, in_cascade));
}

/* ------------------------------------------------------------------------------------------------- the project would move */

static svc_str refs_label(const svc_entity *e)
{
  return e->unique.n > 1 ? e->unique : e->key;
}

/* One of the two would move and the other not. Another project is named only to callers who can see it. */
static bool refs_crosses(svc_call *c, const svc_noun_info *from, const svc_entity *user, const svc_noun_info *to, svc_str target,
                         const svc_scope *stays)
{
  bool in_org = svc_id_is_zero(&stays->group);
  svc_str group = svc_id_str(c->arena, &c->scope.group), other = svc_id_str(c->arena, in_org ? &stays->org : &stays->group), label = refs_label(user);
  svc_entity project;
  bool seen = in_org || (svc_get_noun(c->txn, c->s->group, &stays->group, &project) == SVC_OK && svc_entity_visible(c, c->s->group, &project));
  if (c->error.code || !svc_txn_good(c)) return false;
  (void)svc_fail(c, SVC_E_CANNOT_MOVE_GROUP_WITH_REFERENCES, "S", &group);
  if (seen)
    c->error.also = svc_arena_print(c->arena, " The %s " SVC_FMT " names the %s " SVC_FMT ", and one of them stays in %s " SVC_FMT ".",
                                    from->noun->name, SVC_ARG(label), to->noun->name, SVC_ARG(target),
                                    (in_org ? c->s->org : c->s->group)->noun->name, SVC_ARG(other));
  return false;
}

typedef struct refs_leaving {
  refs_visit visit;
  const svc_noun_info *from;
} refs_leaving;

/* A value that refers to a resource outside of the project. */
static bool refs_leaves(void *context, const svc_node *value)
{
  refs_leaving *l = context;
  refs_visit *v = &l->visit;
  svc_entity e;
  int rc;
  if (value->type != SVC_J_STRING || value->text.n == 0) return true;
  rc = refs_find(v->c, v->noun, &v->scope, value->text, &e);
  if (rc == SVC_NOT_FOUND) return true;
  if (rc != SVC_OK) return svc_store_failed(v->c, rc);
  return svc_id_eq(&e.scope.group, &v->from->scope.group) || refs_crosses(v->c, l->from, v->from, v->noun, value->text, &e.scope);
}

static bool refs_none_leaves(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  const svc_node *body = noun->noun->refs ? svc_entity_body(c, e) : NULL;
  const svc_ref *ref;
  if (noun->noun->refs && !body) return false;
  for (ref = noun->noun->refs; ref && ref->field; ref++) {
    refs_leaving l = { { c, svc_noun_named(c->s, ref->noun), ref, refs_scope(ref, e->scope, body), e, { { 0 } }, false }, noun };
    if (l.visit.noun && ref->err_locked && !svc_each_value(body, ref->field, refs_leaves, &l)) return false;
  }
  return true;
}

/* Entries under this id: their entities must belong to the same project. */
static bool refs_none_enters(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_id *under)
{
  const svc_noun_info *from;
  svc_key prefix;
  svc_scan scan;
  svc_str key, value;
  svc_entity user;
  refs_key(&prefix, e->kind, under);
  svc_scan_below(&scan, c->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value))
    if (refs_user(c, key, &from, &user) && !svc_id_eq(&user.scope.group, &e->scope.group))
      return refs_crosses(c, from, &user, noun, refs_label(e), &user.scope);
  return svc_txn_good(c);
}

/* Checks everything below a parent; moves nothing. False: refused. */
static bool refs_move_below(svc_call *c, const svc_noun_info *noun, const svc_id *parent)
{
  svc *s = c->s;
  svc_entity e;
  svc_scan scan;
  size_t i;
  for (i = 0; i < s->noun_count; i++) {
    const svc_noun_info *below = &s->nouns[i];
    if (!svc_scope_holds(s, noun, below) || (!below->is_target && !below->noun->refs && !below->is_parent)) continue;
    svc_below_begin(&scan, c->txn, below->noun->kind, parent);
    while (svc_below_next(&scan, below->noun->kind, &e)) {
      svc_id name = refs_name_of(c, below, &e);
      if (!refs_none_leaves(c, below, &e)) return false;
      if (below->is_target && (!refs_none_enters(c, below, &e, &e.id) || !refs_none_enters(c, below, &e, &name))) return false;
      if (below->is_parent && !refs_move_below(c, below, &e.id)) return false;
    }
    if (!svc_txn_good(c)) return false;
  }
  return true;
}

SVC_PRIVATE bool svc_refs_may_move(svc_call *c, const svc_entity *group)
{
  return refs_move_below(c, c->s->group, &group->id);
}

/* -------------------------------------------------------------------------------------------------------------- circles */

/* A set of entities of one noun: in the order in which they were found, and in a hash table. */
typedef struct refs_met {
  svc_call *c;
  svc_id *ids, *names;
  size_t n, room;
  uint32_t *table; /* index in ids, from 1; 0: free. Twice as many as there is room for ids */
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

/* The entities of the same noun that refer to this id. */
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
** Walks backwards, from the changed entity to those that refer to it, and so on. Those entities are few for a resource that others inherit
** from, and none for a new one, while its own references may lead to all there are. No record is read.
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
  svc_str wanted; /* p NULL: every entry must exist; otherwise searches for this one */
  bool found;
  bool first; /* in the first row of this field */
} refs_looked;

/* Whether one of the nouns of this field has the target. */
static bool refs_any_there(const refs_visit *v, svc_str value)
{
  const svc_noun_info *noun;
  const svc_ref *ref;
  svc_entity e;
  for (ref = v->ref; refs_same_field(v->ref, ref); ref++)
    if ((noun = svc_noun_named(v->c->s, ref->noun)) == NULL || refs_find(v->c, noun, &v->scope, value, &e) == SVC_OK)
      return true; /* a noun that is not in this build may have it */
  return false;
}

static bool refs_look(void *context, const svc_node *value)
{
  refs_looked *l = context;
  refs_visit *v = &l->visit;
  svc_id target;
  svc_key key;
  if (value->type != SVC_J_STRING || value->text.n == 0 || !v->ref->err_locked) return true; /* a target without lock may be deleted */
  if (!l->wanted.p && l->first && refs_err_missing(v->ref) && !refs_any_there(v, value->text))
    svc_found(l->verify, l->e->kind, &l->e->id, "its field %s names a resource that does not exist", v->ref->field);
  if (!refs_target(v, value->text, &target)) return true;
  if (svc_id_eq(&target, &l->e->id) || svc_id_eq(&target, &v->own)) return true;
  refs_key(&key, v->noun->noun->kind, &target);
  svc_key_add(&key, l->e->kind, SVC_KIND_SIZE);
  svc_key_id(&key, &l->e->parent);
  svc_key_id(&key, &l->e->id);
  if (l->wanted.p) l->found |= svc_str_eq(svc_key_str(&key), l->wanted);
  else if (!svc_verify_there(l->verify, &key))
    svc_found(l->verify, l->e->kind, &l->e->id, "its field %s names a resource without the reference entry for it", v->ref->field);
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
    refs_looked l = { { c, to, ref, refs_scope(ref, e->scope, body), e, own, false }, v, e, wanted, false,
                      ref == noun->noun->refs || !refs_same_field(ref - 1, ref) };
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
    svc_found(v, "    ", &id, "a reference entry cannot be read");
    return;
  }
  memcpy(parent.b, from + SVC_KIND_SIZE, 12);
  memcpy(id.b, from + SVC_KIND_SIZE + 12, 12);
  noun = svc_noun_by_kind(v->c->s, from);
  if (!noun || !svc_noun_by_kind(v->c->s, key.p + 1)) return; /* one of the nouns is not in this build */
  if (!svc_verify_get(v, noun->noun->kind, &parent, &id, &e)) {
    svc_found(v, from, &id, "a reference entry names it, but it does not exist");
    return;
  }
  body = svc_entity_body(v->c, &e);
  if (body && !refs_look_all(v, noun, &e, body, key)) svc_found(v, from, &id, "a reference entry exists for it, but its body names no such resource");
}

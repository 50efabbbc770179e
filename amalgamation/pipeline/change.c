/*
** Creates and changes.
**
** The rule: all checks come first, then all writes; only a ring first deletes its oldest entity (change_room). One transaction writes the
** entity, its index entries, its references, its parent's counts, its order to the driver, its line in the ledger and its event. The
** tables define the differences between nouns, and hooks the rest: this file names no noun.
*/
#include "pipeline/meddle.h"

/* ------------------------------------------------------------------------------------------------------------- targets */

#define CHANGE_SOLE "-" /* the unique value of an only child (SVC_SOLE) */

/* The only one of its parent. A PUT creates it if it does not exist. */
static bool change_sole(svc_call *c, svc_entity *out, bool *stored)
{
  const svc_noun_info *noun = c->plan->noun;
  const svc_entity *parent = svc_parent_of_call(c);
  int rc = svc_entity_named(c->txn, noun->noun->kind, svc_noun_ext_of(noun->noun)->names, &parent->id, SVC_S(CHANGE_SOLE), out);
  *stored = rc == SVC_OK;
  if (rc == SVC_OK) return true;
  if (rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  if (c->request.method != SVC_PUT) return svc_not_found(c, noun, c->plan->hop_count, parent->key);
  memset(out, 0, sizeof *out);
  out->kind = noun->noun->kind;
  out->parent = parent->id;
  out->scope = c->scope;
  out->body = SVC_S("{}");
  out->links_at = 1;
  return true;
}

/* The singleton of the parent: as stored, or its defaults. */
static bool change_singleton(svc_call *c, svc_entity *out, bool *stored)
{
  static const svc_id none;
  const svc_noun_info *noun = c->plan->noun;
  const svc_entity *parent = svc_parent_of_call(c);
  int rc = svc_entity_get(c->txn, noun->noun->kind, SVC_ALWAYS(parent) ? &parent->id : &none, &none, out);
  *stored = rc == SVC_OK;
  if (rc == SVC_OK) return true;
  if (rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  memset(out, 0, sizeof *out);
  out->kind = noun->noun->kind;
  out->parent = SVC_ALWAYS(parent) ? parent->id : none;
  out->scope = c->scope;
  out->body = noun->preset;
  out->links_at = noun->preset_links_at;
  out->revision = svc_body_revision(noun->preset);
  return true;
}

/* The resource exists, but is not visible from this path. */
static bool change_unseen(svc_call *c)
{
  unsigned hop = c->plan->hop_count - 1;
  if (c->error.code) return false;
  return svc_not_found(c, c->plan->noun, hop, c->route.params[c->plan->hops[hop].param]);
}

SVC_PRIVATE bool svc_target(svc_call *c, svc_entity *out, bool *stored)
{
  *stored = true;
  if (!svc_resolve_all(c)) return false;
  if (c->plan->noun->noun->flags & SVC_SINGLETON) return change_singleton(c, out, stored);
  if (c->plan->noun->noun->flags & SVC_SOLE) return change_sole(c, out, stored);
  *out = c->route.chain[c->plan->hop_count - 1];
  if (!svc_entity_in_path(c, out)) return change_unseen(c);
  if (!svc_route_ext_of(c->plan->route)->keep || svc_route_ext_of(c->plan->route)->keep(c, out)) return true;
  return change_unseen(c);
}

/* ------------------------------------------------------------------------------------------- what the service fills in */

static void change_date(svc_call *c, svc_node *body, const svc_field *f)
{
  svc_node_set_date(c->arena, body, f->name, c->now);
}

/* Sets the time of the last change; called only if something changed. */
static void change_touch(svc_call *c, const svc_change *change)
{
  const svc_field *f;
  svc_fields fields;
  svc_fields_begin(&fields, svc_object_of(change->noun->noun->object, change->body));
  while ((f = svc_fields_next(&fields)) != NULL)
    if (f->fill == SVC_AUTO_CHANGED) change_date(c, change->body, f);
}

static void change_fill_one(svc_call *c, const svc_change *change, const svc_field *f, svc_node *body, bool top)
{
  svc_id id;
  switch (f->fill) {
  case SVC_AUTO_ID: id = top ? change->id : svc_new_id(c->txn); break;
  case SVC_AUTO_GROUP_ID: id = c->scope.group; break;
  case SVC_AUTO_ORG_ID: id = c->scope.org; break;
  default: change_date(c, body, f); return;
  }
  if (!svc_id_is_zero(&id)) svc_node_set_id(c->arena, body, f->name, &id);
}

/* Fields that the service fills in: in the entity, in its objects, and in elements of its arrays. */
static void change_fill(svc_call *c, const svc_change *change, const svc_object *object, svc_node *body, bool top)
{
  const svc_field *f;
  svc_fields fields;
  svc_fields_begin(&fields, svc_object_of(object, body));
  while ((f = svc_fields_next(&fields)) != NULL) {
    bool nested = f->type != SVC_MAP && svc_field_object(f);
    svc_node *value, *item;
    if (f->fill == SVC_AUTO_NONE && !nested) continue;
    value = svc_node_get(body, f->name);
    if (nested && value && f->type == SVC_OBJECT) change_fill(c, change, svc_field_object(f), value, false);
    if (nested && value && f->type == SVC_ARRAY)
      for (item = value->first; item; item = item->next) change_fill(c, change, svc_field_object(f), item, false);
    if (f->fill != SVC_AUTO_NONE && !value) change_fill_one(c, change, f, body, top);
  }
}

/* ---------------------------------------------------------------------------------------------------------------- keys */

/* The values of several fields, "a/b", in the form of a path. */
static svc_str change_joined(svc_call *c, const svc_node *body, const char *fields)
{
  svc_str rest = svc_str_c(fields);
  svc_buf b = svc_buf_new(c->arena, 64);
  while (rest.n) {
    const svc_node *value = svc_node_find(body, svc_str_cut(&rest, '/'));
    if (b.n) svc_buf_char(&b, '/');
    if (value) svc_percent_encode(&b, value->text);
  }
  return svc_buf_done(&b);
}

/* Sets the key, percent-encoded as in a path, and the unique value, by which paths are looked up. */
SVC_PRIVATE void svc_change_keys(svc_call *c, const svc_change *change, svc_entity *e)
{
  const svc_noun *noun = change->noun->noun;
  const char *unique = noun->unique;
  svc_buf b;
  if (noun->flags & SVC_SINGLETON) return;
  if (svc_noun_ext_of(noun)->names) memcpy(e->names, svc_noun_ext_of(noun)->names, SVC_KIND_SIZE);
  e->flags = (noun->flags & SVC_SHARED_NAME ? SVC_ENTITY_SHARED_NAME : 0) |
             (change->noun->by_id ? SVC_ENTITY_BY_ID : 0) |
             (svc_noun_ext_of(noun)->quota && !svc_id_is_zero(&e->scope.group) && !svc_id_eq(&e->parent, &e->scope.group) ? SVC_ENTITY_BY_GROUP : 0);
  if (noun->key && strchr(noun->key, '/')) unique = noun->key; /* a key of several parts is unique as a whole */
  e->unique = !unique               ? SVC_S("")
              : strchr(unique, '/') ? change_joined(c, change->body, unique)
                                    : svc_node_str(change->body, unique);
  if (change->key.n) e->unique = change->key;
  if (noun->flags & SVC_SOLE) e->unique = SVC_S(CHANGE_SOLE);
  if (noun->key && !change->key.n) {
    e->key = change_joined(c, change->body, noun->key);
  } else if (change->key.n) {
    b = svc_buf_new(c->arena, change->key.n * 3 + 1);
    svc_percent_encode(&b, change->key);
    e->key = svc_buf_done(&b);
  } else {
    e->key = svc_id_str(c->arena, &e->id);
  }
}

/* Refuses "." and ".." in these fields, "a/b", unless they were stored before. */
static void change_segment(svc_call *c, const svc_change *change, const char *fields)
{
  svc_str rest = svc_str_c(fields);
  while (rest.n) {
    const svc_str name = svc_str_cut(&rest, '/'), text = svc_node_str(change->body, svc_arena_copy(c->arena, name).p);
    const svc_node *old = change->before ? svc_node_find(change->before, name) : NULL;
    if ((svc_str_is(text, ".") || svc_str_is(text, "..")) && !(old && svc_str_eq(old->text, text)))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, name, "must not be " SVC_FMT ", because no address can contain it", SVC_ARG(text));
  }
}

/* Checks the fields that become a segment of a path: the key, and the fields of routes that name the resource by another value. Browsers,
** proxies and clients resolve the segments "." and ".." before they send a path, so a request for such a resource would reach another. */
static bool change_segments(svc_call *c, const svc_change *change)
{
  const svc_noun *noun = change->noun->noun;
  size_t i;
  if (!c->plan) return true;
  if (noun->key) change_segment(c, change, noun->key);
  for (i = 0; i < noun->route_count; i++)
    if (svc_route_ext_of(&noun->routes[i])->by) change_segment(c, change, svc_route_ext_of(&noun->routes[i])->by);
  return svc_check_done(c);
}

/* Whether no other entity has the unique value below this parent; otherwise the noun's error. */
static bool change_free_name(svc_call *c, const svc_change *change, const svc_entity *e)
{
  svc_named other;
  int rc;
  if (e->flags & SVC_ENTITY_SHARED_NAME || e->unique.n == 0) return true;
  rc = svc_named_get(c->txn, svc_entity_names(e), &e->parent, e->unique, &other);
  if (rc == SVC_NOT_FOUND) return true;
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (change->noun->noun->flags & SVC_SOLE && c->plan) return svc_fail_about(c, change->noun->noun->err_exists,
                                                                              svc_parent_of_call(c)->key, SVC_S(""));
  return svc_fail_about(c, change->noun->noun->err_exists, e->unique, svc_id_str(c->arena, &e->parent));
}

/* ------------------------------------------------------------------------------------------------------- states and dues */

SVC_PRIVATE void svc_change_due(svc_change *change, int tag, int64_t when)
{
  unsigned i = 0;
  while (i < change->due_count && change->dues[i].tag != tag) i++;
  if (i == SVC_DUES) return;
  if (i == change->due_count) change->due_count++;
  change->dues[i].tag = (unsigned char)tag;
  change->dues[i].when = when;
}

/* Enters the new state of the change, and sets the time at which it ends. */
static void change_state(svc_call *c, const svc_change *change, svc_entity *e)
{
  const svc_noun *noun = change->noun->noun;
  int64_t later = noun->lifecycle && change->state ? svc_state_later(c, change, e) : 0;
  unsigned i;
  if (later) svc_due_set(e, SVC_DUE_STATE, later);
  if (noun->lifecycle && change->state && !later) {
    svc_node_set_text(c->arena, change->body, noun->lifecycle->field, change->state);
    svc_due_set(e, SVC_DUE_STATE, svc_transition_due(c->s, noun, svc_str_c(change->state), c->now));
  }
  if (change->due) svc_due_set(e, SVC_DUE_STATE, change->due < 0 ? 0 : change->due);
  for (i = 0; i < change->due_count; i++) svc_due_set(e, change->dues[i].tag, change->dues[i].when);
  if (noun->order_put && !svc_order_has_taker(c->s, noun)) {
    const svc_order_row *row = svc_order_row_of(noun, noun->order_put);
    if (row && row->percent) svc_due_set(e, SVC_DUE_ORDER, svc_provisioned(c->s, row->percent, c->now));
  }
}

/* A noun without states takes the simulator's facts at once. */
static bool change_simulate(svc_call *c, svc_change *change)
{
  const svc_noun *noun = change->noun->noun;
  return !noun->order_put || noun->lifecycle || svc_facts_take(c, change, noun->order_put, NULL);
}

SVC_PRIVATE bool svc_change_write(svc_call *c, const svc_change *change, svc_entity *e)
{
  e->extra = change->extra;
  if (change->noun->seals) return svc_seal_body(c, change, e);
  return svc_body_write(c->arena, change->body, &e->body, &e->links_at) || svc_no_memory(c);
}

/* -------------------------------------------------------------------------------------------------------------- events */

SVC_PRIVATE bool svc_change_differs(const svc_change *change, const char *field)
{
  return !svc_node_same(svc_node_get(change->before, field), svc_node_get(change->body, field));
}

static svc_str change_text(const svc_node *body, const char *field)
{
  const svc_node *member = svc_node_get(body, field);
  return member ? member->text : SVC_S("");
}

static bool change_event(svc_call *c, const svc_change *change, const svc_entity *e, const char *type)
{
  const svc_difference d = { change->noun, e, change->before ? SVC_DIFF_CHANGED : SVC_DIFF_NEW, change->before, change->body };
  return svc_event_put_diff(c, type, &d);
}

/* Writes the events of changed fields that have their own; *others: fields without their own event changed, too. */
static bool change_field_events(svc_call *c, const svc_change *change, const svc_entity *e, bool *others)
{
  const svc_noun *noun = change->noun->noun;
  const svc_field_event *row;
  const svc_field *f;
  svc_fields fields;
  svc_fields_begin(&fields, svc_object_of(noun->object, change->body));
  while ((f = svc_fields_next(&fields)) != NULL) {
    bool own = false;
    if (!svc_change_differs(change, f->name)) continue;
    for (row = svc_noun_ext_of(noun)->field_events; row && row->field; row++) {
      if (strcmp(row->field, f->name) != 0) continue;
      own = true;
      if (row->value && !svc_str_is(change_text(change->body, f->name), row->value)) continue;
      if (!change_event(c, change, e, row->event)) return false;
    }
    if (!own && !(f->flags & SVC_READ_ONLY)) *others = true;
  }
  return true;
}

static bool change_events(svc_call *c, const svc_change *change, const svc_entity *e)
{
  bool others = !change->before || !svc_noun_ext_of(change->noun->noun)->field_events || change->unseen;
  if (!others && !change_field_events(c, change, e, &others)) return false;
  return !others || change_event(c, change, e, change->event);
}

/* ------------------------------------------------------------------------------------------------------------- inserting */

SVC_PRIVATE bool svc_quota_exceeded(svc_call *c, const svc_noun *noun, int64_t limit, const svc_id *parent)
{
  svc_str key = svc_id_str(c->arena, parent);
  return svc_fail(c, noun->err_quota, "iS", &limit, &key);
}

SVC_PRIVATE int64_t svc_quota_used(svc_call *c, const char *quota, const svc_id *group)
{
  int64_t used = 0;
  size_t i;
  for (i = 0; i < c->s->noun_count; i++) {
    const svc_noun *noun = c->s->nouns[i].noun;
    if (svc_noun_ext_of(noun)->quota && strcmp(svc_noun_ext_of(noun)->quota, quota) == 0) used += (int64_t)svc_count(c->txn, noun->kind, group);
  }
  return used;
}

/* The limit may come from the noun or from the project. */
SVC_PRIVATE bool svc_within_quota(svc_call *c, const svc_noun *noun, const svc_id *parent, size_t more)
{
  const svc_noun_info *quota = c->s->seats[SVC_SEAT_QUOTA];
  bool shared = svc_noun_ext_of(noun)->quota && quota && !svc_id_is_zero(&c->scope.group);
  int64_t limit = noun->most ? noun->most : -1, used;
  if (shared) {
    parent = &c->scope.group; /* counts all of the project, whatever their parent */
    limit = svc_noun_ext_of(quota->noun)->quotas->limit(c, parent, svc_noun_ext_of(noun)->quota);
  }
  if (c->error.code) return false;
  if (limit < 0) return true;
  used = shared ? svc_quota_used(c, svc_noun_ext_of(noun)->quota, parent) : (int64_t)svc_count(c->txn, noun->kind, parent);
  return used + (int64_t)more <= limit ? svc_txn_good(c) : svc_quota_exceeded(c, noun, limit, parent);
}

/* Updates the parent's field that counts these. */
SVC_PRIVATE bool svc_recount(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  svc_entity old;
  svc_node *body;
  if (!svc_noun_ext_of(noun->noun)->counted_in || !noun->parent) return true;
  if (svc_entity_above(c, noun, e, &old) != SVC_OK) return svc_txn_good(c);
  body = svc_entity_body(c, &old);
  if (!body) return false;
  svc_count_below(c, noun->parent, &old.id, body);
  return svc_rewrite(c, &old, body);
}

/* The number for a counting field, which several nouns may share. */
static int64_t change_counted(svc_call *c, const svc_noun_info *noun, const svc_id *id, const char *field)
{
  int64_t count = 0;
  size_t i;
  for (i = 0; i < c->s->noun_count; i++) {
    const svc_noun_info *below = &c->s->nouns[i];
    if (below->parent == noun && svc_noun_ext_of(below->noun)->counted_in && strcmp(svc_noun_ext_of(below->noun)->counted_in, field) == 0)
      count += (int64_t)svc_count(c->txn, below->noun->kind, id);
  }
  return count;
}

SVC_PRIVATE void svc_count_below(svc_call *c, const svc_noun_info *noun, const svc_id *id, svc_node *body)
{
  size_t i;
  for (i = 0; i < c->s->noun_count && noun->is_parent; i++) {
    const svc_noun_info *below = &c->s->nouns[i];
    if (below->parent != noun || !svc_noun_ext_of(below->noun)->counted_in) continue;
    svc_node_set_i64(c->arena, body, svc_noun_ext_of(below->noun)->counted_in, change_counted(c, noun, id, svc_noun_ext_of(below->noun)->counted_in));
  }
}

/* Related records of every change, whatever its cause; `body` NULL: deleted. */
SVC_PRIVATE bool svc_change_along(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *before,
                                  const svc_node *body)
{
  return svc_refs_write(c, noun, e, before, body) && svc_meter_note(c, noun, e, body);
}

SVC_PRIVATE bool svc_change_prepare(svc_call *c, svc_change *change)
{
  const svc_noun *noun = change->noun->noun;
  const svc_noun_info *governor = c->s->seats[SVC_SEAT_GOVERNOR];
  if (noun->prepare && !noun->prepare(c, change)) return false;
  return !svc_noun_ext_of(noun)->governed || !governor || !c->plan || svc_noun_ext_of(governor->noun)->governor->allows(c, change);
}

/* Checks the limit; a ring deletes the oldest first (ids rise in time). */
static bool change_room(svc_call *c, const svc_change *change)
{
  const svc_noun *noun = change->noun->noun;
  svc_entity oldest;
  if (!(noun->flags & SVC_RING)) return svc_within_quota(c, noun, &change->parent, 1);
  if (svc_count(c->txn, noun->kind, &change->parent) < noun->most) return svc_txn_good(c);
  return svc_below_first(c->txn, noun->kind, &change->parent, &oldest) ? svc_erase(c, change->noun, &oldest) : svc_txn_good(c);
}

/* Inserts the new entity. c->scope is then the scope of the entity, unless the scope of the call covers it. */
static bool change_insert(svc_call *c, svc_change *change, svc_entity *out)
{
  const svc_noun *noun = change->noun->noun;
  memset(out, 0, sizeof *out);
  out->kind = noun->kind;
  if (!change_segments(c, change) || !change_room(c, change)) return false;
  if (svc_id_is_zero(&change->id) && !(noun->flags & SVC_SINGLETON)) change->id = svc_new_id_at(c->txn, c->now);
  out->id = change->id;
  if (noun->lifecycle && !change->state) change->state = noun->lifecycle->created;
  change_fill(c, change, noun->object, change->body, true);
  if (!svc_change_prepare(c, change) || !change_simulate(c, change)) return false;
  out->id = change->id;
  out->parent = change->parent;
  if (!svc_scope_of_new(c, change->noun, out, &out->scope)) return false;
  change_state(c, change, out);
  change_touch(c, change);
  svc_change_keys(c, change, out);
  if (!svc_refs_check(c, change) || !change_free_name(c, change, out) ||
      !svc_meter_affords(c, change->noun, &out->scope.org, NULL, change->body) || !svc_change_write(c, change, out))
    return false;
  out->revision = svc_new_revision(c->txn);
  if (!svc_entity_store(c, out, NULL)) return false;
  return svc_change_along(c, change->noun, out, NULL, change->body) && svc_recount(c, change->noun, out) &&
         svc_order_put(c, change->noun, out) && change_events(c, change, out) &&
         (!noun->stored || noun->stored(c, change, out));
}

/* Refuses a create by a request if a guard forbids it in the parent's present state. */
static bool change_guarded(svc_call *c, const svc_change *change, const svc_scope *scope)
{
  const svc_guard *guard = change->noun->noun->guards;
  svc_entity e = { .scope = *scope, .parent = change->parent }, above;
  int rc;
  while (guard && guard->field && !(guard->what & SVC_GUARD_CREATE)) guard++;
  if (!c->plan || !guard || !guard->field) return true;
  rc = svc_entity_above(c, change->noun, &e, &above);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  for (; guard->field; guard++)
    if (guard->what & SVC_GUARD_CREATE &&
        svc_str_is(svc_entity_text(c, change->noun->parent->noun, &above, guard->field), guard->value))
      return svc_fail_about(c, guard->error, above.unique.n ? above.unique : above.key, svc_id_str(c->arena, &above.parent));
  return true;
}

SVC_PRIVATE bool svc_insert(svc_call *c, svc_change *change, svc_entity *out)
{
  const svc_entity *above = c->plan ? svc_parent_of_call(c) : NULL;
  const svc_scope outer = c->scope;
  svc_entity e;
  bool good;
  if (svc_id_is_zero(&change->parent) && above) change->parent = svc_parent_in(c, change->noun, above);
  memset(&e, 0, sizeof e);
  e.parent = change->parent;
  good = svc_scope_of_new(c, change->noun, &e, &e.scope) && change_guarded(c, change, &e.scope) && change_insert(c, change, out);
  c->scope = outer;
  return good;
}

/* -------------------------------------------------------------------------------------------------------------- changing */

SVC_PRIVATE bool svc_rewrite(svc_call *c, const svc_entity *stored, const svc_node *body)
{
  svc_entity e = *stored;
  if (!svc_body_write(c->arena, body, &e.body, &e.links_at)) return svc_no_memory(c);
  e.revision = svc_new_revision(c->txn);
  return svc_entity_store(c, &e, stored);
}

static bool change_store_entity(svc_call *c, svc_change *change, svc_entity *out)
{
  const svc_noun *noun = change->noun->noun;
  const svc_entity *old = &change->entity;
  bool ordered;
  change->id = old->id;
  change->parent = old->parent;
  if (!change_segments(c, change)) return false;
  change_fill(c, change, noun->object, change->body, true);
  if (!svc_change_prepare(c, change) || !change_simulate(c, change)) return false;
  *out = *old;
  if (change->noun->seals && !svc_seal_settle(c, change)) return false;
  change->unseen = svc_node_same(change->body, change->before);
  if (change->unseen && svc_str_eq(change->extra, old->extra))
    return true; /* nothing changed: no write, no event */
  out->parent = change->parent;
  change_state(c, change, out);
  change_touch(c, change);
  svc_change_keys(c, change, out);
  if (!svc_refs_check(c, change)) return false;
  if ((!svc_str_eq(out->unique, old->unique) || !svc_id_eq(&out->parent, &old->parent)) && !change_free_name(c, change, out))
    return false;
  if (!svc_meter_affords(c, change->noun, &out->scope.org, change->before, change->body) || !svc_change_write(c, change, out))
    return false;
  if (change->noun == c->s->group) out->scope.org = out->parent;
  out->revision = svc_new_revision(c->txn);
  if (!svc_entity_store(c, out, old)) return false;
  /* a pending order must follow the present body */
  ordered = change->state || noun->order_put || (!change->unseen && svc_order_waits(c, out));
  return svc_change_along(c, change->noun, out, change->before, change->body) &&
         (!ordered || svc_order_put(c, change->noun, out)) && change_events(c, change, out) &&
         (!noun->stored || noun->stored(c, change, out));
}

/* Whether the input has write-only fields, which hooks may act on. */
static bool change_sent_more(const svc_change *change)
{
  const svc_node *one = svc_node_first(change->input);
  for (; one; one = one->next) {
    const svc_field *f = svc_field_named(change->noun->noun->object, one->name);
    if (f && f->flags & SVC_WRITE_ONLY) return true;
  }
  return false;
}

/* The first change of a singleton stores it. */
static bool change_store_singleton(svc_call *c, svc_change *change, svc_entity *out)
{
  *out = change->entity;
  if (change->before && svc_node_same(change->body, change->before) && !change_sent_more(change)) return svc_change_write(c, change, out);
  return svc_insert(c, change, out);
}

/* Fills in before, body and extra from change->entity; in the bodies, sealed secrets follow their masks (seal.c). */
static bool change_of(svc_call *c, svc_change *change)
{
  svc_node *before = svc_entity_body(c, &change->entity);
  if (!before || (change->noun->seals && !svc_seal_join(c, change->noun, &change->entity, before))) return false;
  change->before = before;
  change->extra = change->entity.extra;
  change->body = svc_node_copy(c->arena, change->before);
  return change->body ? true : svc_no_memory(c);
}

SVC_PRIVATE bool svc_change_new(svc_call *c, const svc_noun_info *noun, const svc_node *body, svc_change *change)
{
  memset(change, 0, sizeof *change);
  change->noun = noun;
  change->input = c->body;
  change->event = noun->noun->event_created;
  change->body = body ? svc_node_copy(c->arena, body) : svc_node_object(c->arena, NULL);
  return change->body ? true : svc_no_memory(c);
}

SVC_PRIVATE bool svc_change_begin(svc_call *c, svc_change *change)
{
  const svc_noun *noun = c->plan->noun->noun;
  memset(change, 0, sizeof *change);
  change->noun = c->plan->noun;
  if (!svc_target(c, &change->entity, &change->stored)) return false;
  if (!change->stored && noun->flags & SVC_SOLE) { /* a PUT creates it */
    change->input = c->body;
    change->event = noun->event_created;
    if (c->request.if_match.n == 0) return true;
    return svc_fail(c, SVC_E_PRECONDITION_FAILED, ""); /* no revision can match */
  }
  if (!svc_if_match_entity(c, &change->entity)) return false;
  change->input = c->body;
  change->event = noun->event_updated;
  change->state = noun->lifecycle ? noun->lifecycle->updated : NULL;
  return change_of(c, change) && svc_guarded(c, change->noun, &change->entity, change->before, SVC_GUARD_CHANGE);
}

/* For a noun with a view: members that repeat the view stand for the stored values. */
SVC_PRIVATE const svc_node *svc_change_input(svc_call *c, const svc_change *change)
{
  svc_node *view, *input, *member;
  if ((!c->plan->noun->noun->view && !svc_route_ext_of(c->plan->route)->view) || c->body->type != SVC_J_OBJECT || !change->before) return c->body;
  view = svc_entity_view(c, &change->entity);
  input = view ? svc_node_object(c->arena, NULL) : NULL;
  for (member = input ? c->body->first : NULL; member; member = member->next) {
    const svc_node *shown = svc_node_find(view, member->name), *stored = svc_node_find(change->before, member->name);
    bool same = shown && svc_node_same(shown, member);
    if (!same || stored) svc_node_append(input, svc_node_copy(c->arena, same ? stored : member));
  }
  return input;
}

SVC_PRIVATE bool svc_change_of(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, svc_change *change)
{
  memset(change, 0, sizeof *change);
  change->noun = noun;
  change->entity = *stored;
  change->stored = true;
  return change_of(c, change);
}

SVC_PRIVATE bool svc_change_keep(svc_call *c, svc_change *change, svc_entity *out)
{
  return change->stored ? change_store_entity(c, change, out) : change_store_singleton(c, change, out);
}

SVC_PRIVATE bool svc_change_store(svc_call *c, svc_change *change)
{
  svc_entity e;
  return svc_change_keep(c, change, &e) && svc_answer_entity(c, &e);
}

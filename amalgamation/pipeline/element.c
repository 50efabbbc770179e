/*
** Elements: resources that are not stored by themselves, but are elements of an array in their parent. Paths name them by id.
**
** The rule: only the parent is stored. Creating, changing or removing an element changes the parent, with the parent's hooks,
** revision and order to the driver; the event is the element's own. A parent may be an element itself: then the entity is
** the next one above it.
*/
#include "pipeline/pipeline.h"

/* ------------------------------------------------------------------------------------------------------------- finding */

SVC_PRIVATE svc_node *svc_element_named(const svc_node *list, svc_str id)
{
  svc_node *item = list ? list->first : NULL;
  while (item && !svc_node_eq(item, "id", id)) item = item->next;
  return item;
}

/* The first hop of the path that is an element; the hop before it is the entity. */
static unsigned element_first(const svc_call *c)
{
  unsigned i = 0;
  while (i < c->plan->hop_count && !svc_noun_ext_of(c->plan->hops[i].noun->noun)->element_of) i++;
  return i;
}

/* The node with the array of the route's noun: the body of the entity, or an element in it. */
static svc_node *element_holder(const svc_call *c, svc_node *body)
{
  unsigned i = element_first(c), parents = c->plan->hop_count - (c->plan->own ? 1 : 0);
  for (; i < parents && SVC_ALWAYS(body); i++) /* the path was resolved with the same body */
    body = svc_element_named(svc_node_get(body, svc_noun_ext_of(c->plan->hops[i].noun->noun)->element_of),
                             c->route.params[c->plan->hops[i].param]);
  return body;
}

static svc_node *element_array(const svc_call *c, svc_node *body)
{
  return svc_node_get(element_holder(c, body), svc_noun_ext_of(c->plan->noun->noun)->element_of);
}

/* Presents an element like an entity. */
SVC_PRIVATE bool svc_element_entity(svc_call *c, const svc_entity *whole, const svc_node *item, svc_entity *out)
{
  svc_str id = svc_node_str(item, "id");
  *out = *whole;
  out->key = id;
  out->unique = out->extra = SVC_S("");
  return svc_body_write(c->arena, item, &out->body, &out->links_at) || svc_no_memory(c);
}

/* -------------------------------------------------------------------------------------------------------------- listing */

typedef struct element_source {
  const svc_entities *which;
  const svc_entity *whole;
  const svc_node *next;
} element_source;

static bool element_next(svc_call *c, void *state, svc_item *out)
{
  element_source *from = state;
  svc_entity e;
  while (from->next) {
    const svc_node *item = from->next;
    from->next = item->next;
    if (!svc_element_entity(c, from->whole, item, &e)) return false;
    if (svc_entities_pass(c, from->which, &e)) return !out || svc_entities_item(c, from->which, &e, out);
    if (c->error.code) return false;
  }
  return false;
}

SVC_PRIVATE bool svc_list_elements(svc_call *c, const svc_entities *which)
{
  const svc_entity *whole = &c->route.chain[element_first(c) - 1];
  svc_node *body = svc_entity_body(c, whole), *list = body ? element_array(c, body) : NULL;
  element_source from = { which, whole, list ? list->first : NULL };
  return body && svc_list_items(c, element_next, &from, -1);
}

/* ------------------------------------------------------------------------------------------------------------- changing */

/* A change of one element, and the resulting change of its entity. */
typedef struct element_change {
  svc_change whole, own;
  svc_node *holder, *list; /* in whole.body; list NULL: no such array yet */
} element_change;

/* The path must be resolved. For a create, own.entity is zero. */
static bool element_begin(svc_call *c, element_change *e)
{
  unsigned first = element_first(c);
  const svc_noun_info *noun = c->plan->hops[first - 1].noun;
  const svc_lifecycle *life = noun->noun->lifecycle;
  if (!svc_change_of(c, noun, &c->route.chain[first - 1], &e->whole)) return false;
  if (!svc_guarded(c, noun, &e->whole.entity, e->whole.before, SVC_GUARD_CHANGE)) return false;
  e->whole.input = c->body;
  e->own.whole = &e->whole;
  e->whole.state = life ? life->updated : NULL;
  e->holder = element_holder(c, e->whole.body);
  e->list = svc_node_get(e->holder, svc_noun_ext_of(c->plan->noun->noun)->element_of);
  return true;
}

/* The element of the path, if it has a revision that the caller has seen. */
static bool element_target(svc_call *c, element_change *e, int guard)
{
  svc_node *item;
  memset(e, 0, sizeof *e);
  e->own.noun = c->plan->noun;
  if (!svc_target(c, &e->own.entity, &e->own.stored)) return false;
  if (!svc_if_match_entity(c, &e->own.entity)) return false;
  if (!element_begin(c, e)) return false;
  item = svc_element_named(e->list, e->own.entity.key);
  e->own.before = SVC_ALWAYS(item) ? svc_node_copy(c->arena, item) : NULL; /* svc_target() has found it there */
  return e->own.before ? svc_guarded(c, e->own.noun, &e->own.entity, e->own.before, guard) : svc_no_memory(c);
}

/* Whether the array has room for so many, by its own row and by the noun's. */
static bool element_fits(svc_call *c, const element_change *e, size_t count)
{
  const svc_noun_info *noun = c->plan->noun;
  svc_str name = svc_str_c(svc_noun_ext_of(noun->noun)->element_of);
  const svc_field *f = svc_field_named(svc_object_of(noun->parent->noun->object, e->holder), name);
  int64_t most = noun->noun->most;
  if (most && (int64_t)count > most) return svc_quota_exceeded(c, noun->noun, most, &e->whole.entity.id);
  if (SVC_ALWAYS(f) && f->max_items && count > f->max_items)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, name, "must have at most %u elements", f->max_items);
  if (SVC_ALWAYS(f) && count == 0 && f->flags & SVC_NOT_EMPTY) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, name, "must have at least 1 elements");
  return svc_check_done(c);
}

/* Whether no other element has the same unique value. */
static bool element_is_only(svc_call *c, const element_change *e, const svc_node *item)
{
  const svc_noun *noun = c->plan->noun->noun;
  svc_str value = noun->unique ? svc_node_str(item, noun->unique) : SVC_S("");
  const svc_node *other;
  for (other = value.n && e->list ? e->list->first : NULL; other; other = other->next)
    if (!svc_node_eq(other, "id", svc_node_str(item, "id")) &&
        svc_node_eq(other, noun->unique, value))
      return svc_fail_about(c, noun->err_exists, value, e->whole.entity.key);
  return true;
}

/* Stores the entity; *out: the stored element; event: the element's own. */
static bool element_store(svc_call *c, element_change *e, svc_str id, const char *event, svc_entity *out)
{
  svc_entity whole;
  svc_node *item;
  if (!svc_change_keep(c, &e->whole, &whole)) return false;
  item = svc_element_named(element_array(c, e->whole.body), id);
  if (item && !svc_element_entity(c, &whole, item, out)) return false;
  if (!item) *out = e->own.entity;
  return e->whole.unseen || svc_event_about(c, c->plan->noun, out, event, !item);
}

/* Creates the array if it is missing. */
static bool element_append(svc_call *c, element_change *e, svc_node *item)
{
  if (!e->list) {
    e->list = svc_node_array(c->arena, svc_noun_ext_of(c->plan->noun->noun)->element_of);
    svc_node_put(c->arena, e->holder, e->list);
  }
  svc_node_append(e->list, item);
  return c->arena->failed ? svc_no_memory(c) : true;
}

SVC_PRIVATE bool svc_element_create(svc_call *c)
{
  const svc_noun *noun = c->plan->noun->noun;
  element_change e;
  svc_entity out;
  svc_str id;
  memset(&e, 0, sizeof e);
  e.own.noun = c->plan->noun;
  e.own.input = c->body;
  if (!svc_resolve_all(c) || !element_begin(c, &e)) return false;
  e.own.body = svc_node_copy(c->arena, c->checked);
  e.own.id = svc_new_id_at(c->txn, c->now);
  id = svc_id_str(c->arena, &e.own.id);
  if (!e.own.body) return svc_no_memory(c);
  svc_node_set_str(c->arena, e.own.body, "id", id);
  if (noun->prepare && !noun->prepare(c, &e.own)) return false;
  return element_fits(c, &e, svc_node_count(e.list) + 1) && element_is_only(c, &e, e.own.body) &&
         element_append(c, &e, e.own.body) && element_store(c, &e, id, noun->event_created, &out) &&
         svc_answer_entity(c, &out);
}

SVC_PRIVATE bool svc_element_change(svc_call *c, int mode)
{
  const svc_noun *noun = c->plan->noun->noun;
  const svc_node *input;
  element_change e;
  svc_entity out;
  svc_node *item;
  if (!element_target(c, &e, SVC_GUARD_CHANGE)) return false;
  input = svc_change_input(c, &e.own);
  if (!input) return svc_failed(c);
  e.own.input = c->body;
  e.own.body = svc_check(c, c->plan->route->body ? c->plan->route->body : noun->object, input, e.own.before, mode);
  if (!svc_check_done(c) || (noun->prepare && !noun->prepare(c, &e.own)) || !element_is_only(c, &e, e.own.body)) return false;
  item = svc_element_named(e.list, e.own.entity.key);
  if (SVC_NEVER(!item)) return svc_store_failed(c, SVC_CORRUPT); /* element_target() has found it there */
  item->first = e.own.body->first; /* keeps its position */
  item->last = e.own.body->last;
  return element_store(c, &e, e.own.entity.key, noun->event_updated, &out) && svc_answer_entity(c, &out);
}

SVC_PRIVATE bool svc_element_delete(svc_call *c)
{
  const svc_noun *noun = c->plan->noun->noun;
  svc_node *item, *before = NULL;
  element_change e;
  svc_entity out;
  if (!element_target(c, &e, SVC_GUARD_DELETE) || (noun->removing && !noun->removing(c, &e.own.entity))) return false;
  if (!element_fits(c, &e, svc_node_count(e.list) - 1)) return false;
  for (item = e.list->first; !svc_node_eq(item, "id", e.own.entity.key); item = item->next) before = item;
  if (before) before->next = item->next;
  else e.list->first = item->next;
  if (e.list->last == item) e.list->last = before;
  return element_store(c, &e, e.own.entity.key, noun->event_deleted, &out) && (!noun->gone || noun->gone(c, &out)) &&
         svc_answer_nothing(c);
}

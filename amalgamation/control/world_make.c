/*
** Resources of a world: each is found by its identity, or created.
**
** The name of a member stands for a route: a path below the path of its object. The rules, as in svcapi.h:
**
**   - An array is a collection: each element is a POST, or a PUT or PATCH if items are named by their path.
**   - An object is a single resource: a PATCH or PUT, or a POST if that creates it; or the beginning of longer paths.
**   - In an element, names of fields of the body come first; with a member "body" all others are paths.
**
** Identity: the unique fields of the noun, if the element has them; otherwise, outside of "then", all values of the element that an
** existing resource shows. An existing resource is left unchanged, but its nested members are processed.
*/
#include "control/world_parts.h"

#define WORLD_PAGE 500

/* An element of a collection, being processed. */
typedef struct world_make_item {
  const svc_world_place *place;
  svc_str collection; /* the member's name */
  svc_str list;       /* its path */
  const svc_plan *maker, *lister;
  const svc_node *element;
  svc_node *body, *random;
} world_make_item;

/* ------------------------------------------------------------------------------------------------------------- comparing */

static bool world_make_scalar(const svc_node *n)
{
  return n->type != SVC_J_OBJECT && n->type != SVC_J_ARRAY;
}

/* The number of values of `given` that are shown unchanged; negative: one differs. Values that are not shown, or in another shape, do not
** count. */
static int world_make_compare(const svc_node *shown, const svc_node *given)
{
  const svc_node *m, *other;
  int same = 0, n;
  if (world_make_scalar(given)) {
    if (!world_make_scalar(shown)) return 0;
    return svc_node_same(shown, given) ? 1 : -1;
  }
  if (shown->type != given->type) return 0;
  if (given->type == SVC_J_ARRAY && shown->first && given->first && shown->first->type != given->first->type) return 0;
  if (given->type == SVC_J_ARRAY && svc_node_count(shown) != svc_node_count(given)) return -1;
  other = shown->first;
  for (m = given->first; m; m = m->next) {
    if (given->type == SVC_J_OBJECT) other = svc_node_find(shown, m->name);
    n = other ? world_make_compare(other, m) : 0;
    if (n < 0) return -1;
    same += n;
    if (given->type == SVC_J_ARRAY) other = other->next;
  }
  return same;
}

/* If nothing of `given` is shown, the values are unknown: the result is false. */
SVC_PRIVATE bool svc_world_contains(const svc_node *shown, const svc_node *given)
{
  return world_make_compare(shown, given) >= (given->first ? 1 : 0);
}

/* --------------------------------------------------------------------------------------------------------------- finding */

static bool world_make_is(const svc_noun *noun, bool named, const svc_node *shown, const svc_node *given)
{
  svc_str rest = svc_str_c(noun->unique);
  if (!named) return world_make_compare(shown, given) > 0;
  while (rest.n) {
    svc_str field = svc_str_cut(&rest, '/');
    const svc_node *a = svc_node_find(shown, field), *b = svc_node_find(given, field);
    if (!a || !b || !svc_node_same(a, b)) return false;
  }
  return true;
}

static bool world_make_is_named(const svc_noun *noun, const svc_node *body)
{
  svc_str rest = svc_str_c(noun->unique);
  if (!rest.n) return false;
  while (rest.n)
    if (!svc_node_find(body, svc_str_cut(&rest, '/'))) return false;
  return true;
}

/* Page by page through the list. */
static bool world_make_search(svc_world *w, const world_make_item *m, bool named, svc_node **found)
{
  const svc_noun *noun = m->maker->noun->noun;
  const bool bare = m->lister->route->flags & SVC_BARE;
  svc_world_answer a;
  size_t page = 1, n;
  do {
    svc_str path = bare ? m->list : svc_arena_print(w->arena, SVC_FMT "?itemsPerPage=%d&pageNum=%zu", SVC_ARG(m->list), WORLD_PAGE, page++);
    const svc_node *item;
    if (!svc_world_ask(w, SVC_GET, path, NULL, &a)) return false;
    if (a.status != 200 || !a.body) return true; /* without a list nothing is known */
    item = svc_node_first(a.body->type == SVC_J_ARRAY ? a.body : svc_node_get(a.body, "results"));
    for (n = 0; item; item = item->next, n++)
      if (item->type == SVC_J_OBJECT && world_make_is(noun, named, item, m->body)) {
        *found = svc_node_copy(w->arena, item);
        return *found ? true : svc_world_failed(w, SVC_NOMEM);
      }
  } while (n == WORLD_PAGE && !bare);
  return true;
}

/* Finds the resource of an element. *found NULL: it does not exist. *path: its path; n 0: no path leads to it. */
static bool world_make_find(svc_world *w, const world_make_item *m, svc_node **found, svc_str *path)
{
  const svc_noun *noun = m->maker->noun->noun;
  const bool named = world_make_is_named(noun, m->body);
  svc_str key = noun->key ? svc_world_key(w->arena, noun->key, m->body) : SVC_S("");
  svc_world_answer a;
  *found = NULL;
  *path = svc_world_item_path(w, m->maker, m->list, key, m->body);
  if (path->n && svc_world_plan(w->s, SVC_GET, *path)) {
    if (!svc_world_ask(w, SVC_GET, *path, NULL, &a)) return false;
    if (a.status == 200) *found = a.body;
    if (a.status == 200 || named || !noun->unique) return true;
  }
  if (!m->lister || (!named && w->in_steps)) return true;
  if (!world_make_search(w, m, named, found)) return false;
  if (*found) *path = svc_world_item_path(w, m->maker, m->list, svc_world_key(w->arena, noun->key ? noun->key : "id", *found), *found);
  return true;
}

/* ---------------------------------------------------------------------------------------------------------------- making */

/* Some operations answer with the new resource in a member that is named like its noun. */
static svc_node *world_make_shown(const svc_noun *noun, svc_node *answer)
{
  svc_node *inside = svc_node_get(answer, noun->name);
  return inside && inside->type == SVC_J_OBJECT ? inside : answer;
}

/* The object of the report for the secrets of this resource: its name is that of the resource, or its path if another resource has the same
** name. Resources that no path leads to are numbered. The object's text is the path, by which a later secret of the resource finds it. */
static svc_node *world_make_entry(svc_world *w, const svc_world_thing *t)
{
  const svc_str path = t->path.n ? t->path : t->collection;
  svc_str name = svc_world_called(t);
  svc_node *entry;
  size_t n = svc_node_count(w->secrets);
  bool named = name.n > 0;
  if (!w->secrets) w->secrets = svc_node_object(w->arena, NULL);
  if (!named) name = path;
  while ((entry = svc_node_find(w->secrets, name)) != NULL) {
    if (t->path.n && svc_str_eq(entry->text, t->path)) return entry;
    name = named ? path : svc_arena_print(w->arena, SVC_FMT "-%zu", SVC_ARG(path), ++n);
    named = false;
    if (!name.n) return NULL;
  }
  entry = svc_node_new(w->arena, SVC_J_OBJECT, name, t->path);
  svc_node_put(w->arena, w->secrets, entry);
  return entry;
}

static void world_make_shows(svc_world *w, svc_node *entry, const svc_node *from)
{
  const svc_node *m;
  for (m = from->first; m; m = m->next)
    if (!svc_str_is(m->name, "links")) svc_node_put(w->arena, entry, svc_node_copy(w->arena, m));
}

SVC_PRIVATE void svc_world_secret(svc_world *w, const svc_world_thing *t, const svc_world_answer *a, const svc_node *random)
{
  const svc_node *shown = a->secret ? a->body : NULL;
  svc_node *entry = shown || random ? world_make_entry(w, t) : NULL;
  if (entry && shown) world_make_shows(w, entry, shown);
  if (entry && random) world_make_shows(w, entry, random);
}

/* For a route that takes an array: a body with one element. */
static const svc_node *world_make_wrapped(svc_world *w, const svc_plan *plan, svc_node *body)
{
  svc_node *array;
  if (!(plan->route->flags & SVC_BODY_ARRAY)) return body;
  array = svc_node_array(w->arena, NULL);
  svc_node_append(array, body);
  return array;
}

/* Values of the collection's path that the body must repeat: the owner of a project. */
static void world_make_parents(svc_world *w, const world_make_item *m)
{
  const svc_object *object = svc_object_of(svc_world_object(m->maker), m->body);
  svc_str route = svc_str_c(m->lister ? m->lister->route->path : ""), path = m->list;
  if (!object || !m->lister || m->maker->param_count) return;
  while (route.n && path.n) {
    svc_str segment = svc_str_cut(&route, '/'), value = svc_str_cut(&path, '/'), name;
    if (segment.n < 3 || segment.p[0] != '{') continue;
    name = (svc_str){ segment.p + 1, segment.n - 2 };
    if (svc_field_named(object, name) && !svc_node_find(m->body, name))
      svc_node_append(m->body, svc_node_new(w->arena, SVC_J_STRING, name, value));
  }
}

static bool world_make_new(svc_world *w, const svc_world_at *at, const world_make_item *m, svc_world_thing *t)
{
  const svc_noun *noun = m->maker->noun->noun;
  const svc_str path = m->maker->param_count || !m->lister ? m->list : svc_str_c(m->maker->route->path);
  svc_world_answer a;
  svc_str key;
  if (!svc_world_ask(w, SVC_POST, path, world_make_wrapped(w, m->maker, m->body), &a) || !svc_world_answered(w, at, &a)) return false;
  t->shown = a.body ? world_make_shown(noun, a.body) : NULL;
  key = a.key.n ? a.key : svc_world_key(w->arena, noun->key ? noun->key : "id", t->shown);
  if (!key.n && noun->key) key = svc_world_key(w->arena, noun->key, m->body);
  t->path = svc_world_item_path(w, m->maker, path, key, t->shown);
  w->made++;
  svc_world_secret(w, t, &a, m->random);
  return true;
}

/* Items that are named by a path, and not created by a POST on their collection. */
static bool world_make_set(svc_world *w, const svc_world_at *at, const world_make_item *m, svc_world_thing *t)
{
  const svc_noun *noun = m->lister->noun->noun;
  const char *fields = noun->key ? noun->key : noun->unique ? noun->unique : "id";
  svc_str key = svc_world_key(w->arena, fields, m->body);
  const svc_plan *plan;
  svc_world_answer a;
  int method;
  if (!key.n) return svc_world_refused(w, at, "\"%s\" is missing: the path of the thing is made of it", fields);
  t->path = svc_arena_print(w->arena, SVC_FMT "/" SVC_FMT, SVC_ARG(m->list), SVC_ARG(key));
  if (!svc_world_ask(w, SVC_GET, t->path, NULL, &a)) return false;
  t->shown = a.body;
  if (a.status == 200 && a.body && svc_world_contains(a.body, m->body)) return w->kept++, true;
  if (w->only_find) return true;
  method = a.status == 200 && svc_world_item_writer(w->s, m->lister, SVC_PUT) ? SVC_PUT : SVC_PATCH;
  if ((a.status != 200 || !svc_world_item_writer(w->s, m->lister, method)) && svc_world_item_writer(w->s, m->lister, SVC_POST))
    method = SVC_POST;
  plan = svc_world_item_writer(w->s, m->lister, method);
  if (!plan) return svc_world_refused(w, at, "no operation of the API makes or changes this");
  if (!svc_world_ask(w, method, t->path, world_make_wrapped(w, plan, m->body), &a) || !svc_world_answered(w, at, &a)) return false;
  if (a.body) t->shown = a.body;
  w->changed++;
  svc_world_secret(w, t, &a, m->random);
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- elements */

/* Whether this member of an element is a path below the element, rather than a field of its body. */
static bool world_make_is_path(const svc_world *w, const svc_plan *item, const svc_object *object, const svc_node *m)
{
  svc_str path;
  if (m->name.n && (m->name.p[0] == ':' || memchr(m->name.p, '/', m->name.n))) return true;
  if ((object && svc_field_named(object, m->name)) || !item || (m->type != SVC_J_OBJECT && m->type != SVC_J_ARRAY)) return false;
  path = svc_arena_print(w->arena, "%s/" SVC_FMT, item->route->path, SVC_ARG(m->name)); /* parameters stand for themselves */
  return svc_world_leads(w->s, path, true);
}

/* The body of an element: its members that are not paths, or its member "body". */
static svc_node *world_make_body(svc_world *w, const svc_world_at *at, world_make_item *m, const svc_plan *plan)
{
  const svc_object *object = svc_world_object(plan);
  svc_node *own = svc_node_get(m->element, "body"), *body, *copy;
  const svc_node *member;
  object = object ? svc_object_of(object, m->element) : NULL;
  if (own && own->type == SVC_J_OBJECT && !(object && svc_field_named(object, SVC_S("body")))) {
    svc_world_at here = svc_world_member(at, own);
    return svc_world_body(w, &here, own, &m->random);
  }
  body = svc_node_object(w->arena, NULL);
  for (member = m->element->first; member && body; member = member->next) {
    svc_world_at here = svc_world_member(at, member);
    if (svc_str_is(member->name, "as") || world_make_is_path(w, plan->item, object, member)) continue;
    copy = svc_world_body(w, &here, member, &m->random);
    if (!copy) return NULL;
    copy->name = member->name;
    svc_node_append(body, copy);
  }
  if (!body) svc_world_failed(w, SVC_NOMEM);
  return body;
}

/* The nested resources of an element: its members that are not part of its body. */
static bool world_make_nested(svc_world *w, const svc_world_at *at, const world_make_item *m, const svc_plan *plan,
                              const svc_world_thing *t)
{
  const svc_object *object = svc_world_object(plan);
  const svc_world_place place = { t->path, t };
  const bool apart = svc_node_get(m->element, "body") != NULL;
  const svc_node **members;
  size_t count, i;
  object = object ? svc_object_of(object, m->element) : NULL;
  members = svc_world_order(w, m->element, &count);
  for (i = 0; members && i < count; i++) {
    const svc_node *member = members[i];
    svc_world_at here = svc_world_member(at, member);
    if (svc_str_is(member->name, "as") || (apart && svc_str_is(member->name, "body"))) continue;
    if (!apart && !world_make_is_path(w, plan->item, object, member)) continue;
    if (!t->path.n) return svc_world_refused(w, &here, "no path of the API leads to the thing that this is nested in");
    if (!svc_world_child(w, &here, &place, member)) return false;
  }
  return members != NULL;
}

static svc_str world_make_name(svc_world *w, const svc_noun *noun, const svc_node *body, const svc_node *shown)
{
  static const char *const usual[] = { "name", "username", "desc", "description" };
  svc_str name = svc_node_str(body, noun->unique ? noun->unique : "name");
  size_t i;
  for (i = 0; i < sizeof usual / sizeof usual[0] && !name.n; i++) name = svc_node_str(body, usual[i]);
  if (!name.n) name = svc_node_str(shown, noun->key && !strchr(noun->key, '/') ? noun->key : "id");
  return svc_arena_copy(w->arena, name);
}

static bool world_make_element(svc_world *w, const svc_world_at *at, world_make_item *m)
{
  const svc_plan *plan = m->maker ? m->maker : m->lister;
  svc_world_thing t = { .above = m->place->thing, .collection = m->collection }, *added;
  svc_node *as = svc_node_get(m->element, "as"), *found = NULL;
  if (m->element->type != SVC_J_OBJECT) return svc_world_refused(w, at, "this must be an object");
  if (as && (as->type != SVC_J_STRING || !as->text.n)) return svc_world_refused(w, at, "\"as\" must be a name");
  m->random = NULL;
  m->body = world_make_body(w, at, m, plan);
  if (!m->body) return false;
  if (as) t.as = svc_world_turned(w, as->text);
  t.name = world_make_name(w, plan->noun->noun, m->body, NULL);
  if (!m->maker) {
    if (!world_make_set(w, at, m, &t)) return false;
  } else {
    world_make_parents(w, m);
    if (!world_make_find(w, m, &found, &t.path)) return false;
    t.shown = found;
    if (found) w->kept++;
    else if (w->only_find) return true;
    else if (!world_make_new(w, at, m, &t)) return false;
  }
  if (!t.name.n) t.name = world_make_name(w, plan->noun->noun, m->body, t.shown);
  added = svc_world_add(w, &t);
  return added ? world_make_nested(w, at, m, plan, added) : svc_world_failed(w, SVC_NOMEM);
}

/* --------------------------------------------------------------------------------------------------------------- members */

static bool world_make_list(svc_world *w, const svc_world_at *at, const svc_world_place *place, const svc_node *member, svc_str path)
{
  world_make_item m = { .place = place, .collection = member->name, .list = path };
  const svc_node *element;
  size_t i = 0;
  m.lister = svc_world_plan(w->s, SVC_GET, path);
  if (m.lister && !(m.lister->route->flags & (SVC_PAGED | SVC_BARE))) m.lister = NULL;
  m.maker = svc_world_plan(w->s, SVC_POST, path);
  if (!m.maker) m.maker = svc_world_root_maker(w->s, m.lister);
  if (!m.maker && !svc_world_item_writer(w->s, m.lister, SVC_PATCH) && !svc_world_item_writer(w->s, m.lister, SVC_POST))
    return svc_world_refused(w, at, "no operation of the API makes such things: there is no POST " SVC_FMT, SVC_ARG(path));
  for (element = member->first; element; element = element->next, i++) {
    svc_world_at here = svc_world_element(at, i);
    m.element = element;
    if (!world_make_element(w, &here, &m)) return false;
  }
  return true;
}

/* The method that sets a single resource, by its routes and by whether it exists (`there`). Negative: none. */
static int world_make_method(const svc *s, svc_str path, bool there)
{
  static const int change[] = { SVC_PATCH, SVC_PUT, SVC_POST }, make[] = { SVC_POST, SVC_PUT, SVC_PATCH };
  size_t i;
  for (i = 0; i < 3; i++) {
    int method = there ? change[i] : make[i];
    if (svc_world_plan(s, method, path)) return method;
  }
  return -1;
}

static bool world_make_one(svc_world *w, const svc_world_at *at, const svc_world_place *place, const svc_node *member, svc_str path)
{
  const svc_plan *reader = svc_world_plan(w->s, SVC_GET, path), *plan;
  world_make_item m = { .place = place, .collection = member->name, .list = path, .element = member };
  svc_world_thing t = { .above = place->thing, .collection = member->name, .path = path }, *added;
  svc_world_answer a = { 0 };
  bool there;
  int method;
  if (reader && !svc_world_ask(w, SVC_GET, path, NULL, &a)) return false;
  there = a.status == 200 && a.body && !(reader->noun->noun->flags & SVC_SOLE && !a.body->first);
  t.shown = a.body;
  method = world_make_method(w->s, path, there);
  plan = svc_world_plan(w->s, method, path);
  m.body = world_make_body(w, at, &m, plan);
  if (!m.body) return false;
  if (there && svc_world_contains(a.body, m.body)) {
    w->kept++;
  } else if (!w->only_find) {
    const svc_node *body = plan->route->flags & SVC_NO_BODY ? NULL : world_make_wrapped(w, plan, m.body);
    if (!svc_world_ask(w, method, path, body, &a) || !svc_world_answered(w, at, &a)) return false;
    if (a.body) t.shown = a.body;
    if (there || !reader) w->changed++;
    else w->made++;
    svc_world_secret(w, &t, &a, m.random);
  }
  added = svc_world_add(w, &t);
  return added ? world_make_nested(w, at, &m, plan, added) : svc_world_failed(w, SVC_NOMEM);
}

/* Whether items are listed and created at this path, and nothing changes the list as a whole. */
static bool world_make_is_collection(const svc *s, svc_str path)
{
  const svc_plan *list = svc_world_plan(s, SVC_GET, path);
  return list && list->route->flags & (SVC_PAGED | SVC_BARE) && svc_world_plan(s, SVC_POST, path) && !svc_world_plan(s, SVC_PATCH, path) &&
         !svc_world_plan(s, SVC_PUT, path);
}

SVC_PRIVATE bool svc_world_child(svc_world *w, const svc_world_at *at, const svc_world_place *place, const svc_node *member)
{
  static const char *const none[] = { NULL };
  svc_str path = svc_world_below(w, place->path, svc_world_turned(w, member->name));
  const svc_world_place below = { path, place->thing };
  if (w->arena->failed) return svc_world_failed(w, SVC_NOMEM);
  if (member->type == SVC_J_ARRAY) return world_make_list(w, at, place, member, path);
  if (member->type != SVC_J_OBJECT)
    return svc_world_refused(w, at, "this must be an array or an object: it is a path of the API, " SVC_FMT, SVC_ARG(path));
  if (world_make_is_collection(w->s, path))
    return svc_world_refused(w, at, "this must be an array: " SVC_FMT " is a collection", SVC_ARG(path));
  if (world_make_method(w->s, path, true) >= 0) return world_make_one(w, at, place, member, path);
  if (svc_world_leads(w->s, path, false)) return svc_world_children(w, at, &below, member, none);
  return svc_world_refused(w, at, "the API has no path " SVC_FMT, SVC_ARG(path));
}

SVC_PRIVATE bool svc_world_children(svc_world *w, const svc_world_at *at, const svc_world_place *place, const svc_node *object,
                                    const char *const *but)
{
  size_t count, i, k;
  const svc_node **members = svc_world_order(w, object, &count);
  for (k = 0; members && k < count; k++) {
    svc_world_at here = svc_world_member(at, members[k]);
    for (i = 0; but[i] && !svc_str_is(members[k]->name, but[i]);) i++;
    if (!but[i] && !svc_world_child(w, &here, place, members[k])) return false;
  }
  return members != NULL;
}

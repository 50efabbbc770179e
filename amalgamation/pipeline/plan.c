/*
** The catalog, resolved for an open handle: every noun with its parent, every route with the entities of its path.
**
** The tables refer to each other by name, so that no noun's file needs a symbol of another; names are resolved here, once,
** at open. A noun that was left out of the build does not exist. The routes that need it are left out as well: those below it, and
** those of nouns that name it in `needs`. A reference to it is not checked.
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE const char *svc_names_of(const svc_noun *noun)
{
  const char *names = svc_noun_ext_of(noun)->names;
  return names ? names : noun->kind;
}

SVC_PRIVATE const svc_noun_info *svc_noun_named(const svc *s, const char *name)
{
  size_t i;
  for (i = 0; name && i < s->noun_count; i++)
    if (strcmp(s->nouns[i].noun->name, name) == 0) return &s->nouns[i];
  return NULL;
}

SVC_PRIVATE const svc_noun_info *svc_noun_by_kind(const svc *s, const char *kind)
{
  size_t i;
  for (i = 0; i < s->noun_count; i++)
    if (s->nouns[i].noun->kind && memcmp(s->nouns[i].noun->kind, kind, SVC_KIND_SIZE) == 0) return &s->nouns[i];
  return NULL;
}

static bool plan_presets(svc *s, svc_noun_info *info)
{
  svc_node *body = svc_presets(s, &s->memory, info->noun->object);
  return body && svc_body_write(&s->memory, body, &info->preset, &info->preset_links_at);
}

/* An invalid table is a bug of the build: the row is logged, and svc_open() fails. */
static int plan_bad(const svc *s, const char *noun, const char *row, const char *why)
{
  svc_log(s, SVC_LOG_ERROR, "catalog.invalid", "catalog: %s: %s %s", noun, row, why);
  return SVC_INVALID;
}

/* Nouns that the pipeline depends on are found by seat, not by name. */
static int plan_seat(svc *s, const svc_noun_info *info)
{
  const svc_noun_info **seat = &s->seats[info->noun->seat];
  if (info->noun->seat == SVC_SEAT_NONE) return SVC_OK;
  if (*seat) return plan_bad(s, info->noun->name, (*seat)->noun->name, "has the same seat as another noun");
  *seat = info;
  return SVC_OK;
}

static const svc_noun_info *plan_scope_of(const svc *s, const svc_noun_info *info)
{
  const svc_noun_info *up = info->parent;
  while (up && up != s->group && up != s->org) up = up->parent;
  return up;
}

static void plan_mark(svc *s, svc_noun_info *info)
{
  const svc_ref *ref;
  size_t i;
  for (ref = info->noun->refs; ref && ref->field; ref++)
    for (i = 0; i < s->noun_count; i++)
      if (strcmp(s->nouns[i].noun->name, ref->noun) == 0) s->nouns[i].is_target = true;
  for (i = 0; i < s->noun_count; i++)
    if (&s->nouns[i] == info->parent) s->nouns[i].is_parent = true;
  for (i = 0; i < s->noun_count && svc_noun_ext_of(info->noun)->remains; i++)
    if (strcmp(s->nouns[i].noun->name, svc_noun_ext_of(info->noun)->remains->of) == 0) {
      info->stands_for = &s->nouns[i];
      info->is_parent = true;
      s->nouns[i].stand_in = info;
      s->nouns[i].survivor = svc_noun_named(s, svc_noun_ext_of(info->noun)->remains->below);
    }
  info->scope = plan_scope_of(s, info);
}

/* An entity right below a project or organization needs no index by id: everything below it knows both. */
static bool plan_by_id(const svc *s, const svc_noun_info *info)
{
  if (!info->parent || info->noun->flags & SVC_SINGLETON) return false;
  return info->noun->flags & SVC_GLOBAL ||
         ((info->is_parent || info->is_target) && info->parent != s->group && info->parent != s->org);
}

/* Whether all of these fields, "a/b", never change. */
static bool plan_fixed(const svc_noun *noun, const char *fields)
{
  const svc_object *object = svc_object_of(noun->object, NULL);
  svc_str rest = svc_str_c(fields);
  while (rest.n) {
    const svc_field *f = svc_field_named(object, svc_str_cut(&rest, '/'));
    if (f && !(f->flags & (SVC_FIXED | SVC_READ_ONLY))) return false;
  }
  return fields != NULL;
}

#define PLAN_DEPTH 8 /* depth up to which objects are visited: an object may contain itself */

/* Whether the bounds of a number apply: one without its flag would look like a check, and be none. */
static bool plan_is_bounded(const svc_field *f)
{
  const int type = f->type == SVC_ARRAY || f->type == SVC_MAP ? f->item : f->type;
  if (type != SVC_INT32 && type != SVC_INT64 && type != SVC_NUMBER) return true;
  return (!f->min || f->flags & SVC_MIN) && (!f->max || f->flags & SVC_MAX);
}

/* Why a row of a field is wrong; NULL: it is right. */
static const char *plan_field_wrong(const svc_field *f)
{
  if (!plan_is_bounded(f)) return "has a bound that does not apply: set SVC_MIN or SVC_MAX, too";
  if (f->preset && strcmp(f->preset, "null") == 0) return "has null as its default: leave .preset out, so that answers leave the field out";
  return NULL;
}

/* Checks that no object has too many levels of base objects, and that the rows of its fields make sense. */
static int plan_levels(const svc *s, const svc_noun *noun, const svc_object *object, int depth)
{
  const svc_object *base;
  const svc_variant *v = SVC_VARIANTS_OF(object);
  unsigned i;
  int n = 0, rc = SVC_OK;
  for (base = object; base; base = base->base) n++;
  if (n > SVC_FIELD_LEVELS) return plan_bad(s, noun->name, object->name, "is based on too many objects");
  if (depth == PLAN_DEPTH) return SVC_OK;
  for (base = object; base && !v; base = base->base)
    for (i = 0; i < base->count && rc == SVC_OK; i++)
      if (plan_field_wrong(&base->fields[i])) rc = plan_bad(s, noun->name, base->fields[i].name, plan_field_wrong(&base->fields[i]));
      else if (svc_field_object(&base->fields[i])) rc = plan_levels(s, noun, svc_field_object(&base->fields[i]), depth + 1);
  for (; v && v->value && rc == SVC_OK; v++) rc = plan_levels(s, noun, v->object, depth + 1);
  return rc;
}

/* Whether it has a sealed field. */
static bool plan_seals(const svc_object *object, int depth)
{
  const svc_variant *v = object ? SVC_VARIANTS_OF(object) : NULL;
  unsigned i;
  bool found = false;
  if (depth == PLAN_DEPTH) return false;
  for (; object && !v && !found; object = object->base)
    for (i = 0; i < object->count && !found; i++) {
      const svc_field *f = &object->fields[i];
      found = f->flags & SVC_SEALED || (svc_field_object(f) && plan_seals(svc_field_object(f), depth + 1));
    }
  for (; v && v->value && !found; v++) found = plan_seals(v->object, depth + 1);
  return found;
}

static bool plan_is_array(const svc_noun *noun, const char *field)
{
  const svc_object *object = svc_object_of(noun->object, NULL);
  const svc_field *f = svc_field_named(object, svc_str_c(field));
  return !object || (f && f->type == SVC_ARRAY && f->item == SVC_OBJECT);
}

SVC_PRIVATE const svc_plan *svc_plan_named(const svc *s, const char *op)
{
  size_t i;
  for (i = 0; i < s->plan_count; i++)
    if (strcmp(s->plans[i].route->op, op) == 0) return &s->plans[i]; /* every route has an operationId: catalog_test.c */
  return NULL;
}

/* Whether the members fit into an event, and each field exists. */
static bool plan_event_members(const svc_noun *noun)
{
  const svc_event_member *row = svc_noun_ext_of(noun)->event_members;
  size_t n = 0;
  for (; row && row->name; row++, n++)
    if (row->field && !svc_field_named(noun->object, svc_str_c(row->field))) return false;
  return n <= SVC_EVENT_MEMBERS;
}

/* An order that a column names needs a row, because docs/driver.md describes it. Orders of notices go to no driver. */
static int plan_order(const svc *s, const svc_noun *noun, const char *action)
{
  const svc_order_row *row = svc_order_row_of(noun, action);
  int rc = SVC_OK;
  if (!action || svc_noun_ext_of(noun)->notice) return SVC_OK;
  if (!row || !row->says) return plan_bad(s, noun->name, action, "is an order that `orders` does not describe");
  if (row->desired) rc = plan_levels(s, noun, row->desired, 0);
  return rc == SVC_OK && row->facts ? plan_levels(s, noun, row->facts, 0) : rc;
}

static int plan_orders(const svc *s, const svc_noun *noun)
{
  const svc_transition *t = noun->lifecycle ? noun->lifecycle->transitions : NULL;
  int rc = plan_order(s, noun, noun->order_put);
  if (rc == SVC_OK) rc = plan_order(s, noun, noun->order_gone);
  for (; t && t->from && rc == SVC_OK; t++) rc = plan_order(s, noun, t->order);
  return rc == SVC_OK && noun->reports ? plan_levels(s, noun, noun->reports, 0) : rc;
}

/* A noun whose routes ask the driver must list the questions: docs/driver.md is generated from them. */
static int plan_questions(const svc *s, const svc_noun *noun)
{
  const svc_question_row *const *row = noun->questions;
  int rc = SVC_OK;
  size_t i;
  for (i = 0; i < noun->route_count && !row; i++)
    if (noun->routes[i].on_reply) return plan_bad(s, noun->name, noun->routes[i].path, "asks the driver, and `questions` lists nothing");
  for (; row && *row && rc == SVC_OK; row++) {
    if (!(*row)->says) return plan_bad(s, noun->name, (*row)->what, "is a question that no row describes");
    rc = plan_levels(s, noun, (*row)->parameters, 0);
    if (rc == SVC_OK && (*row)->reply) rc = plan_levels(s, noun, (*row)->reply, 0);
  }
  return rc;
}

/* Checks that no other part makes before it relies on them. */
static int plan_check_noun(const svc *s, const svc_noun_info *info)
{
  const svc_noun *noun = info->noun;
  const svc_ref *ref;
  int rc = noun->object ? plan_levels(s, noun, noun->object, 0) : SVC_OK;
  if (rc == SVC_OK) rc = plan_orders(s, noun);
  if (rc == SVC_OK) rc = plan_questions(s, noun);
  if (rc != SVC_OK) return rc;
  for (ref = noun->refs; ref && ref->field; ref++) {
    const svc_noun_info *target = svc_noun_named(s, ref->noun);
    if (target && target->noun->key && !plan_fixed(target->noun, target->noun->key))
      return plan_bad(s, noun->name, ref->field, "names a noun whose name can change");
  }
  if (svc_noun_ext_of(noun)->element_of && info->parent && !plan_is_array(info->parent->noun, svc_noun_ext_of(noun)->element_of))
    return plan_bad(s, noun->name, svc_noun_ext_of(noun)->element_of, "is not an array of objects in its parent");
  if (svc_noun_ext_of(noun)->element_of && info->parent && info->parent->noun->flags & SVC_SINGLETON)
    return plan_bad(s, noun->name, svc_noun_ext_of(noun)->element_of, "belongs to a singleton, which has no id in a path");
  if (svc_noun_ext_of(noun)->element_of && info->parent && info->parent->seals)
    return plan_bad(s, noun->name, svc_noun_ext_of(noun)->element_of, "belongs to a noun with secrets, which elements cannot store");
  if (info->stands_for && info->stands_for->parent != info->parent)
    return plan_bad(s, noun->name, svc_noun_ext_of(noun)->remains->of, "must be below the same noun as the noun that remains");
  if (svc_noun_ext_of(noun)->meters && noun->flags & SVC_SINGLETON)
    return plan_bad(s, noun->name, "meters", "need a noun with ids, and a singleton has none");
  if (noun->seat == SVC_SEAT_BILLS && !svc_noun_ext_of(noun)->bills) return plan_bad(s, noun->name, "bills", "is required in the noun that makes bills");
  if (noun->flags & SVC_SOLE && (!noun->err_exists || !noun->err_not_found))
    return plan_bad(s, noun->name, "SVC_SOLE", "needs an error for a second one and an error for none");
  if (svc_noun_ext_of(noun)->feed && (noun->seat != SVC_SEAT_FEED || svc_tally_fields(noun) > SVC_TALLIES))
    return plan_bad(s, noun->name, "tallies", "must belong to the feed, and not exceed its maximum");
  if (!plan_event_members(noun)) return plan_bad(s, noun->name, "event_members", "are too many, or one of them is not a field");
  if (svc_noun_ext_of(noun)->quota && s->seats[SVC_SEAT_QUOTA] && svc_noun_ext_of(s->seats[SVC_SEAT_QUOTA]->noun)->quotas->limit(NULL, NULL, svc_noun_ext_of(noun)->quota) < 0)
    return plan_bad(s, noun->name, svc_noun_ext_of(noun)->quota, "is not a known limit");
  return SVC_OK;
}

static int plan_nouns(svc *s)
{
  const svc_noun *const *nouns = svc_catalog(&s->noun_count);
  size_t i;
  int rc = SVC_OK;
  s->nouns = svc_arena_zero(&s->memory, s->noun_count * sizeof *s->nouns + 1);
  if (!s->nouns) return SVC_NOMEM;
  for (i = 0; i < s->noun_count && rc == SVC_OK; i++) {
    s->nouns[i].noun = nouns[i];
    rc = plan_seat(s, &s->nouns[i]);
  }
  s->group = s->seats[SVC_SEAT_GROUP];
  s->org = s->seats[SVC_SEAT_ORG];
  for (i = 0; i < s->noun_count && rc == SVC_OK; i++) {
    svc_noun_info *info = &s->nouns[i];
    info->parent = svc_noun_named(s, info->noun->parent);
    if (info->noun->flags & SVC_SINGLETON && !plan_presets(s, info)) rc = SVC_NOMEM;
  }
  for (i = 0; i < s->noun_count && rc == SVC_OK; i++) plan_mark(s, &s->nouns[i]);
  for (i = 0; i < s->noun_count && rc == SVC_OK; i++) {
    s->nouns[i].by_id = plan_by_id(s, &s->nouns[i]);
    s->nouns[i].fixed_name = plan_fixed(nouns[i], nouns[i]->unique);
    s->nouns[i].seals = plan_seals(nouns[i]->object, 0);
  }
  for (i = 0; i < s->noun_count && rc == SVC_OK; i++) rc = plan_check_noun(s, &s->nouns[i]);
  return rc;
}

/* Number of parts between slashes. */
static unsigned plan_parts(const char *fields)
{
  unsigned n = 1;
  for (; *fields; fields++) n += *fields == '/';
  return n;
}

/* The names between braces, in order. */
static int plan_params(const svc *s, svc_plan *plan)
{
  const char *p = plan->route->path;
  while ((p = strchr(p, '{')) != NULL) {
    const char *end = strchr(p, '}');
    if (!end || plan->param_count == SVC_MAX_PARAMS)
      return plan_bad(s, plan->noun->noun->name, plan->route->path, end ? "has too many parameters" : "has a brace too much");
    plan->params[plan->param_count++] = (svc_str){ p + 1, (size_t)(end - p - 1) };
    p = end;
  }
  return SVC_OK;
}

/* The number of parameters, from this one on, that name an entity of the noun; 0: they do not. */
static unsigned plan_matches(const svc_plan *plan, unsigned at, const svc_noun *noun)
{
  svc_str rest = svc_str_c(noun->param);
  unsigned n = 0;
  if (!noun->param) return 0;
  while (rest.n) {
    svc_str name = svc_str_cut(&rest, '/');
    if (at + n >= plan->param_count || !svc_str_eq(plan->params[at + n], name)) return 0;
    n++;
  }
  return n;
}

static int plan_hop(const svc *s, svc_plan *plan, const svc_noun_info *noun, unsigned param, unsigned count, bool by_unique)
{
  svc_hop *hop = &plan->hops[plan->hop_count];
  if (plan->hop_count == SVC_MAX_CHAIN)
    return plan_bad(s, plan->noun->noun->name, plan->route->path, "names too many entities");
  plan->hop_count++;
  hop->noun = noun;
  hop->param = param;
  hop->param_count = count;
  hop->by_unique = by_unique;
  plan->own = noun == plan->noun;
  return SVC_OK;
}

/* The project or organization whose bucket pays. Its id may also be the key of another noun. */
static int plan_scope_param(const svc *s, const svc_plan *plan)
{
  int scope = s->sets[plan->route->set].scope;
  const svc_noun_info *noun = scope == SVC_SCOPE_GROUP ? s->group : scope == SVC_SCOPE_ORGANIZATION ? s->org : NULL;
  unsigned i;
  for (i = 0; noun && i < plan->param_count; i++)
    if (svc_str_is(plan->params[i], noun->noun->param)) return (int)i;
  return -1;
}

/* The noun that the parameter at this index names: the route's own noun, an ancestor of it, or in any path the organization or project.
** Returns the number of parameters that name it; 0: none of these nouns. */
static unsigned plan_find(const svc *s, const svc_plan *plan, unsigned at, const svc_noun_info **out)
{
  const svc_noun_info *scopes[2] = { s->org, s->group }, *noun;
  unsigned n, i;
  for (noun = plan->noun; noun; noun = noun->parent)
    if ((n = plan_matches(plan, at, noun->noun)) != 0) return *out = noun, n;
  for (i = 0; i < 2; i++)
    if (scopes[i] && (n = plan_matches(plan, at, scopes[i]->noun)) != 0) return *out = scopes[i], n;
  return 0;
}

static int plan_hops(const svc *s, svc_plan *plan)
{
  unsigned at = 0, parts = svc_route_ext_of(plan->route)->by ? plan_parts(svc_route_ext_of(plan->route)->by) : 0;
  int rc = SVC_OK;
  while (at < plan->param_count && rc == SVC_OK) {
    const svc_noun_info *noun = NULL;
    unsigned n = plan_find(s, plan, at, &noun);
    if (n == 0 && parts && at + parts == plan->param_count) return plan_hop(s, plan, plan->noun, at, parts, true);
    if (n) rc = plan_hop(s, plan, noun, at, n, false);
    at += n ? n : 1;
  }
  return rc;
}

static bool plan_same_parents(const svc_plan *a, const svc_plan *item)
{
  unsigned parents = a->hop_count - (a->own ? 1 : 0), i;
  if (item->hop_count - (item->own ? 1 : 0) != parents) return false;
  for (i = 0; i < parents; i++)
    if (a->hops[i].noun != item->hops[i].noun) return false;
  return true;
}

static size_t plan_common(const char *a, const char *b)
{
  size_t n = 0;
  while (a[n] && a[n] == b[n]) n++;
  return n;
}

/* The route that reads one entity of this noun, through the same parents if possible; of several, the most similar one. */
static const svc_plan *plan_item_of(const svc_plan *plan, const svc_noun_info *noun)
{
  const svc_plan *found = NULL;
  size_t i, best = 0;
  for (i = 0; noun && i < noun->plan_count; i++) {
    const svc_plan *p = &noun->plans[i];
    size_t fit;
    if (p->route->method != SVC_GET || svc_route_ext_of(p->route)->by) continue;
    if (p->route->run != svc_verb_read && !(p->route->flags & SVC_ITEM)) continue;
    if (!p->own && !(p->noun->noun->flags & (SVC_SINGLETON | SVC_SOLE))) continue;
    fit = noun != plan->noun || plan_same_parents(plan, p) ? 1 + plan_common(plan->route->path, p->route->path) : 0;
    if (!found || fit > best) found = p, best = fit;
  }
  return found;
}

/* An element without its own read is read with the resource that contains it. */
static const svc_plan *plan_item(const svc_plan *plan)
{
  const svc_plan *found = plan_item_of(plan, plan->noun);
  return !found && svc_noun_ext_of(plan->noun->noun)->element_of ? plan_item_of(plan, plan->noun->parent) : found;
}

/* The parent shows a resource that a POST makes and no route reads. */
static const svc_plan *plan_above(const svc_plan *plan)
{
  const svc_route *r = plan->route;
  if (plan->item || r->method != SVC_POST || r->flags & SVC_NO_LINKS) return NULL;
  return plan_item_of(plan, plan->noun->parent);
}

/* Whether the build has everything that the route needs: ancestors and `needs` of its noun, and the project or organization of its path. */
static bool plan_served(const svc *s, const svc_noun_info *noun, const svc_route *r)
{
  if (noun->noun->needs && !svc_noun_named(s, noun->noun->needs)) return false;
  for (; noun; noun = noun->parent)
    if (noun->noun->parent && !noun->parent) return false;
  return (s->group || !strstr(r->path, "{groupId}")) && (s->org || !strstr(r->path, "{orgId}"));
}

/* The field in the path. */
static int plan_in_path(const svc *s, svc_plan *plan)
{
  const char *name = svc_route_ext_of(plan->route)->in_path;
  unsigned i;
  plan->in_path = -1;
  if (!name) return SVC_OK;
  plan->in_path_field = svc_field_named(svc_object_of(plan->noun->noun->object, NULL), svc_str_c(name));
  for (i = 0; i < plan->param_count; i++)
    if (svc_str_is(plan->params[i], name)) plan->in_path = (int)i;
  if (plan->in_path >= 0 && plan->in_path_field) return SVC_OK;
  return plan_bad(s, plan->noun->noun->name, name, "is not both a field and a parameter of the path");
}

/* Older versions must be among the route's versions, before the newest. */
static int plan_older(const svc *s, const svc_noun *noun, const svc_route *r)
{
  const svc_older *v;
  unsigned i;
  int rc = SVC_OK;
  for (v = r->older; v && v->date && rc == SVC_OK; v++) {
    for (i = 0; svc_route_version(r, i) && svc_route_version(r, i) != v->date;) i++;
    if (!svc_route_version(r, i) || v->date == svc_route_newest(r)) rc = plan_bad(s, noun->name, r->path, "has a row for a version that the route does not list");
    if (rc == SVC_OK && v->body) rc = plan_levels(s, noun, v->body, 0);
  }
  return rc;
}

static int plan_route(svc *s, svc_plan *plan, const svc_noun_info *noun, const svc_route *r)
{
  int rc;
  plan->route = r;
  plan->noun = noun;
  plan->path = svc_shown_path(s, r);
  if (s->memory.failed) return SVC_NOMEM;
  if (plan_parts(r->path) > SVC_MAX_SEGMENTS + 1) return plan_bad(s, noun->noun->name, r->path, "has too many segments");
  rc = plan_params(s, plan);
  if (rc == SVC_OK) rc = plan_hops(s, plan);
  if (rc == SVC_OK && r->body) rc = plan_levels(s, noun->noun, r->body, 0);
  if (rc == SVC_OK) rc = plan_older(s, noun->noun, r);
  if (rc == SVC_OK) rc = plan_in_path(s, plan);
  if (rc == SVC_OK && svc_route_ext_of(plan->route)->value && !svc_field_named(svc_object_of(noun->noun->object, NULL), svc_str_c(svc_route_ext_of(plan->route)->value)))
    rc = plan_bad(s, noun->noun->name, svc_route_ext_of(plan->route)->value, "must be a field, because the route answers with it");
  if (rc == SVC_OK && r->body && !noun->seals && plan_seals(r->body, 0))
    rc = plan_bad(s, noun->noun->name, r->path, "accepts secrets that its noun would store in clear");
  plan->scope_param = plan_scope_param(s, plan);
  s->asks_first |= svc_route_ext_of(r)->asks;
  return rc;
}

SVC_PRIVATE int svc_plan_open(svc *s)
{
  size_t i, k, n = 0;
  int rc = plan_nouns(s);
  if (rc != SVC_OK) return rc;
  for (i = 0; i < s->noun_count; i++)
    for (k = 0; k < s->nouns[i].noun->route_count; k++) s->plan_count += plan_served(s, &s->nouns[i], &s->nouns[i].noun->routes[k]);
  s->plans = svc_arena_zero(&s->memory, s->plan_count * sizeof *s->plans + 1);
  if (!s->plans) return SVC_NOMEM;
  for (i = 0; i < s->noun_count; i++) {
    s->nouns[i].plans = &s->plans[n];
    for (k = 0; k < s->nouns[i].noun->route_count; k++) {
      const svc_route *r = &s->nouns[i].noun->routes[k];
      if (!plan_served(s, &s->nouns[i], r)) continue;
      rc = plan_route(s, &s->plans[n++], &s->nouns[i], r);
      if (rc != SVC_OK) return rc;
      s->nouns[i].plan_count++;
    }
  }
  for (i = 0; i < s->plan_count; i++) {
    svc_plan *plan = &s->plans[i];
    plan->item = plan_item(plan);
    plan->above = plan_above(plan);
    plan->renamed = svc_dialect_touches(s, plan);
    plan->item_by_org = plan->item && plan->hop_count && plan->item->hop_count && plan->hops[0].noun == s->group &&
                        plan->item->hops[0].noun == s->org;
  }
  return SVC_OK;
}

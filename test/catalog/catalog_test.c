/*
** The tables, compared with the public catalog, and checked for consistency.
**
** The first half has its own list of all operations and fails when a route differs from it in name, set, limits,
** versions, roles or status. The second half finds errors in tables that a compiler cannot see: rows out of order,
** names that lead nowhere, presets that their own field would refuse.
**
** The suite every_plan_test.c tests the behavior of every route when it is called.
*/
#include "world.h"

#include "catalog/operations_own.h"

static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };

static void catalog_check_versions(const svc_route *r, const char *versions)
{
  svc_str rest = svc_str_c(versions);
  unsigned i;
  for (i = 0; svc_route_version(r, i); i++) {
    int64_t expected = 0;
    svc_str word = svc_str_cut(&rest, ' ');
    svc_str_i64(word, &expected);
    if ((int64_t)svc_route_version(r, i) != expected)
      munit_errorf("%s %s: version %u, the catalog says %.*s", methods[r->method], r->path, svc_route_version(r, i), SVC_ARG(word));
  }
  if (rest.n || i == 0) munit_errorf("%s %s: versions are missing: %s", methods[r->method], r->path, versions);
}

static void catalog_check_roles(const svc_route *r, const char *roles)
{
  svc_str rest = svc_str_c(roles);
  uint64_t expected = 0;
  while (rest.n) {
    svc_str word = svc_str_cut(&rest, ' ');
    int role = svc_role_by_name(word);
    munit_assert_int(role, >=, 0);
    expected |= (uint64_t)1 << role;
  }
  if (r->roles != expected)
    munit_errorf("%s %s: roles %llx, the catalog says %s", methods[r->method], r->path, (unsigned long long)r->roles, roles);
}

TEST_SERVICE(catalog, operations)
{
  static const char *const scopes[] = { [SVC_SCOPE_IP] = "IP", [SVC_SCOPE_GROUP] = "GROUP",
                                        [SVC_SCOPE_ORGANIZATION] = "ORGANIZATION", [SVC_SCOPE_USER] = "USER" };
  size_t i, j, stand = 0;
  for (i = 0; i < t->s->plan_count; i++) {
    const svc_route *r = t->s->plans[i].route;
    const svc_set_row *set = &t->s->sets[r->set];
    const operations_row *o = operations_find(methods[r->method], r->path);
    if (r->flags & SVC_ABSOLUTE) continue; /* the catalog has only routes below the base path */
    if (!o) munit_errorf("%s %s is neither in the catalog nor in operations_own.h", methods[r->method], r->path);
    stand += !operations_is_own(o);
    if (strcmp(set->name, o->set) != 0) munit_errorf("%s %s: set %s, not %s", o->method, o->path, set->name, o->set);
    munit_assert_string_equal(scopes[set->scope], o->scope);
    munit_assert_int64(set->capacity, ==, o->capacity);
    munit_assert_int64(set->refill_rate, ==, o->refill);
    munit_assert_int64(set->refill_seconds, ==, 60);
    if ((r->status ? r->status : 200) != o->status)
      munit_errorf("%s %s: status %d, not %d", o->method, o->path, r->status, o->status);
    catalog_check_versions(r, o->versions);
    catalog_check_roles(r, o->roles);
    for (j = 0; j < i; j++)
      if (t->s->plans[j].route->method == r->method && strcmp(t->s->plans[j].route->path, r->path) == 0)
        munit_errorf("%s %s stands twice", o->method, o->path);
  }
  printf("catalog: %zu of %zu operations\n", stand, (size_t)OPERATIONS_COUNT);
}

/* t_sample() has a value for every path parameter, for tests that call routes with made-up values. */
TEST_SERVICE(catalog, parameters)
{
  const svc_plan *plan;
  unsigned i;
  for (plan = t->s->plans; plan < t->s->plans + t->s->plan_count; plan++)
    for (i = 0; i < plan->param_count; i++)
      if (!t_sample(plan->params[i])) munit_errorf("%s: t_sample() does not know " SVC_FMT, plan->route->path, SVC_ARG(plan->params[i]));
  munit_assert_null(t_sample(SVC_S("anything")));
}

/* ------------------------------------------------------------------------------------------------------- self-checks */

static void catalog_check_object(t_service *t, const svc_object *object, int depth)
{
  const svc_field *f;
  const svc_variant *v;
  svc_fields fields;
  const char *last = "";
  unsigned i;
  munit_assert_int(depth, <, 12);
  munit_assert_not_null(object->name);
  for (v = SVC_VARIANTS_OF(object); v && v->value; v++) catalog_check_object(t, v->object, depth + 1);
  if (svc_object_ext_of(object)->choice) munit_assert_not_null(svc_object_ext_of(object)->choice->variants);
  svc_fields_begin(&fields, object);
  for (i = 0; i < object->count; i++) {
    f = &object->fields[i];
    if (strcmp(last, f->name) >= 0) munit_errorf("%s: %s stands behind %s", object->name, f->name, last);
    last = f->name;
  }
  last = "";
  while ((f = svc_fields_next(&fields)) != NULL) {
    int type = f->type == SVC_ARRAY || f->type == SVC_MAP ? f->item : f->type;
    if (strcmp(last, f->name) >= 0) munit_errorf("%s: %s stands in it and in its base", object->name, f->name);
    last = f->name;
    if (strcmp(f->name, "links") == 0) munit_errorf("%s: links are the pipeline's", object->name);
    if (type == SVC_OBJECT && !svc_field_object(f)) munit_errorf("%s.%s: an object of what?", object->name, f->name);
    if (svc_field_pattern(f) && type != SVC_STRING) munit_errorf("%s.%s: only strings have patterns", object->name, f->name);
    if (svc_field_pattern(f) && svc_pattern_steps(svc_field_pattern(f)) == 0) munit_errorf("%s.%s: an invalid pattern", object->name, f->name);
    if (f->format && type != (f->format >= SVC_FORMAT_MILLIS ? SVC_INT64 : SVC_STRING))
      munit_errorf("%s.%s: a format of another type", object->name, f->name);
    if ((f->format == SVC_FORMAT_MILLIS && !(f->flags & SVC_MIN)) || (f->format == SVC_FORMAT_FIGURE && (~f->flags & (SVC_MIN | SVC_MAX))))
      munit_errorf("%s.%s: a format whose bounds do not hold", object->name, f->name);
    if (f->values && type != SVC_STRING && type != SVC_INT32 && type != SVC_NAME)
      munit_errorf("%s.%s: only strings, integers of 32 bits and names have values", object->name, f->name);
    if (type == SVC_NAME && !f->values) munit_errorf("%s.%s: a name of what?", object->name, f->name);
    if (f->flags & SVC_OPEN && type == SVC_STRING && !f->values) munit_errorf("%s.%s: SVC_OPEN is for strings with .values", object->name, f->name);
    if (f->flags & (SVC_MIN | SVC_MAX) && type != SVC_INT32 && type != SVC_INT64 && type != SVC_NUMBER)
      munit_errorf("%s.%s: SVC_MIN and SVC_MAX are for numbers", object->name, f->name);
    if ((f->min && type != SVC_STRING && !(f->flags & SVC_MIN)) || (f->max && type != SVC_STRING && !(f->flags & SVC_MAX)))
      munit_errorf("%s.%s: a bound that does not hold", object->name, f->name);
    if ((f->flags & SVC_NOT_EMPTY || f->max_items) && f->type != SVC_ARRAY) munit_errorf("%s.%s: only arrays have a number of elements", object->name, f->name);
    if (svc_field_object(f) && type != SVC_OBJECT && f->type != SVC_ANY)
      munit_errorf("%s.%s: only objects are of an object, and what a hook checks as one", object->name, f->name);
    if (type == SVC_OBJECT) catalog_check_object(t, svc_field_object(f), depth + 1);
    if (f->preset) {
      svc_json_fault fault;
      svc_arena arena;
      svc_call c;
      svc_node *body;
      svc_field alone[1] = { *f };
      svc_object only = { .name = "preset", .fields = SVC_ROWS(alone) };
      memset(&c, 0, sizeof c);
      svc_arena_init(&arena, NULL);
      c.s = t->s;
      c.arena = &arena;
      alone[0].flags &= (unsigned short)~(SVC_READ_ONLY | SVC_FIXED);
      if (!svc_json_gate(&arena, svc_str_c(f->preset), 32, &fault))
        munit_errorf("%s.%s: preset %s is not JSON", object->name, f->name, f->preset);
      body = svc_node_new(&arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
      svc_node_append(body, svc_json_parse(&arena, svc_str_c(f->preset)));
      body->first->name = svc_str_c(f->name);
      if (!svc_check(&c, &only, body, NULL, SVC_CHECK_CREATE))
        munit_errorf("%s.%s: its own check refuses the preset %s", object->name, f->name, f->preset);
      svc_blocks_free(arena.blocks);
    }
  }
}

static void catalog_check_event(const svc_noun *noun, const char *event)
{
  svc_event_type type;
  memset(&type, 0, sizeof type);
  if (!event) return;
  while (svc_event_type_next(&type))
    if (strcmp(type.name, event) == 0) return;
  munit_errorf("%s: event %s is unknown", noun->name, event);
}

/* Returns the field of an object by its path (svc_path_step). For a union: of any variant. Conditions also name fields this way. */
static const svc_field *catalog_field(const svc_object *object, const char *name)
{
  const svc_path_step step = svc_path_first(name);
  const svc_field *f = svc_field_named(object, step.name);
  const svc_variant *v;
  for (v = SVC_VARIANTS_OF(object); v && v->value && !f; v++)
    if ((f = catalog_field(v->object, name)) != NULL) return f;
  if (!f || (*step.rest == 0 && !step.value.n)) return f;
  if (!svc_field_object(f) || (f->type == SVC_ARRAY && !step.member.p) || (f->type != SVC_ARRAY && step.member.p && !step.value.n)) return NULL;
  if (step.value.n && !svc_field_named(svc_object_of(svc_field_object(f), NULL), step.member)) return NULL;
  return *step.rest ? catalog_field(svc_field_object(f), step.rest) : f;
}

/* Checks the name of one field, or of several with slashes between. */
static void catalog_check_fields(const svc_noun *noun, const svc_object *object, const char *what, const char *fields)
{
  svc_str rest = svc_str_c(fields);
  char name[128];
  if (fields && !object) munit_errorf("%s: %s of no object", noun->name, what);
  while (rest.n) {
    svc_str one = svc_str_cut(&rest, '/');
    snprintf(name, sizeof name, SVC_FMT, SVC_ARG(one));
    if (!catalog_field(object, name)) munit_errorf("%s: %s: %s has no field %s", noun->name, what, object->name, name);
  }
}

/* svc_fail_about() gives two parameters: the key, and the key of the parent. */
static void catalog_check_code(const svc_noun *noun, const char *what, int code, unsigned least)
{
  if (code && (svc_error_params(code) > 2 || svc_error_params(code) < least))
    munit_errorf("%s: %s: %s has %u parameters", noun->name, what, svc_error_name(code), svc_error_params(code));
}

static bool catalog_in(const char *const *values, const char *value)
{
  for (; *values; values++)
    if (strcmp(*values, value) == 0) return true;
  return false;
}

static void catalog_check_state(const svc_noun *noun, const svc_field *field, const char *state)
{
  if (state && !catalog_in(field->values, state)) munit_errorf("%s: %s has no value %s", noun->name, field->name, state);
}

static void catalog_check_lifecycle(const svc_noun *noun)
{
  const svc_lifecycle *life = noun->lifecycle;
  const svc_field *state = catalog_field(noun->object, life->field);
  const svc_transition *step, *other;
  if (!state || !state->values) munit_errorf("%s: %s is no field with values", noun->name, life->field);
  munit_assert_not_null(life->created);
  catalog_check_state(noun, state, life->created);
  catalog_check_state(noun, state, life->updated);
  catalog_check_state(noun, state, life->deleted);
  catalog_check_state(noun, state, life->failed);
  catalog_check_event(noun, life->event_failed);
  catalog_check_fields(noun, noun->object, "reason", life->reason);
  if (life->deleted) munit_assert_not_null(svc_transition_from(noun, svc_str_c(life->deleted)));
  for (step = life->transitions; step->from; step++) {
    catalog_check_state(noun, state, step->from);
    catalog_check_state(noun, state, step->to);
    catalog_check_event(noun, step->event);
    for (other = step + 1; other->from; other++)
      if (strcmp(other->from, step->from) == 0) munit_errorf("%s: two ways out of %s", noun->name, step->from);
  }
}

/* Nouns that are already named but do not exist yet: rows that name them are not checked until then. */
static const char *const catalog_to_come[] = { NULL };

/* Checks the names of other nouns in a noun's tables. */
static void catalog_check_names(const svc_noun *noun, const svc *s)
{
  const svc_noun_info *feed = s->seats[SVC_SEAT_FEED];
  const svc_ref *ref;
  const svc_guard *guard;
  const svc_noun_info *above;
  for (ref = noun->refs; ref && ref->field; ref++) {
    char field[128], *at;
    snprintf(field, sizeof field, "%s", ref->field);
    at = strchr(field, '@');
    if (at) *at = '/'; /* the project is in the second field */
    catalog_check_fields(noun, noun->object, "refs", field);
    if (!svc_noun_named(s, ref->noun) == !catalog_in(catalog_to_come, ref->noun))
      munit_errorf("%s: refs: %s noun is called %s", noun->name, svc_noun_named(s, ref->noun) ? "now a" : "no", ref->noun);
    catalog_check_code(noun, "err_missing", ref->err_missing, 0);
    catalog_check_code(noun, "err_locked", ref->err_locked, 0);
  }
  for (guard = noun->guards; guard && guard->field; guard++) {
    if (strpbrk(guard->field, ".[")) munit_errorf("%s: guards: %s is no field of its own", noun->name, guard->field);
    above = guard->what & SVC_GUARD_CREATE ? svc_noun_named(s, noun->parent) : NULL; /* a field of the parent */
    if (guard->what & SVC_GUARD_CREATE && (!above || guard->what != SVC_GUARD_CREATE)) munit_errorf("%s: guards: %s", noun->name, guard->field);
    catalog_check_fields(noun, above ? above->noun->object : noun->object, "guards", guard->field);
    catalog_check_code(noun, "guards", guard->error, 0);
    munit_assert_int(guard->error, !=, 0);
    munit_assert_int(guard->what, !=, 0);
  }
  if (svc_noun_ext_of(noun)->remains) {
    const svc_noun_info *of = svc_noun_named(s, svc_noun_ext_of(noun)->remains->of), *below = svc_noun_named(s, svc_noun_ext_of(noun)->remains->below);
    if (!of || !below || below->parent != of) munit_errorf("%s: remains: no noun %s is below %s", noun->name, svc_noun_ext_of(noun)->remains->below, svc_noun_ext_of(noun)->remains->of);
    if (!(below->noun->flags & SVC_OUTLIVES)) munit_errorf("%s outlives without SVC_OUTLIVES", below->noun->name);
  }
  if (noun->event_field && feed) catalog_check_fields(noun, feed->noun->object, "event_field", noun->event_field);
}

static void catalog_check_element(const svc_noun_info *info)
{
  const svc_noun *noun = info->noun;
  const svc_field *array = info->parent ? catalog_field(info->parent->noun->object, svc_noun_ext_of(noun)->element_of) : NULL;
  if (!array || array->type != SVC_ARRAY || array->item != SVC_OBJECT)
    munit_errorf("%s: %s is no array of objects of its parent", noun->name, svc_noun_ext_of(noun)->element_of);
  if (!catalog_field(array->object, "id")) munit_errorf("%s: the elements of %s have no id", noun->name, svc_noun_ext_of(noun)->element_of);
}

static void catalog_check_noun(t_service *t, const svc_noun_info *info)
{
  const svc_noun *noun = info->noun;
  const svc_field_event *fe;
  size_t i;
  for (i = 0; i < t->s->noun_count && &t->s->nouns[i] != info; i++) {
    munit_assert_string_not_equal(t->s->nouns[i].noun->name, noun->name);
    if (noun->kind && t->s->nouns[i].noun->kind) munit_assert_memory_not_equal(4, t->s->nouns[i].noun->kind, noun->kind);
  }
  if (noun->parent && !info->parent) munit_errorf("%s: parent %s does not exist", noun->name, noun->parent);
  if (!(noun->flags & SVC_VIRTUAL)) {
    munit_assert_not_null(noun->kind);
    munit_assert_size(strlen(noun->kind), ==, SVC_KIND_SIZE);
    munit_assert_not_null(noun->object);
  }
  if (noun->unique && !(noun->flags & (SVC_SHARED_NAME | SVC_BY_TABLE)) && !noun->err_exists)
    munit_errorf("%s: unique, but without an error for it", noun->name);
  catalog_check_fields(noun, noun->object, "unique", noun->unique);
  catalog_check_fields(noun, noun->object, "key", noun->key);
  if (svc_noun_ext_of(noun)->counted_in) catalog_check_fields(noun, info->parent->noun->object, "counted_in", svc_noun_ext_of(noun)->counted_in);
  if (svc_noun_ext_of(noun)->element_of) catalog_check_element(info);
  if (noun->flags & SVC_RING) munit_assert_int(noun->most, !=, 0);
  else if (svc_noun_ext_of(noun)->quota || noun->most) munit_assert_int(noun->err_quota, !=, 0);
  catalog_check_code(noun, "err_not_found", noun->err_not_found, 0);
  catalog_check_code(noun, "err_exists", noun->err_exists, 0);
  catalog_check_code(noun, "err_other", svc_noun_ext_of(noun)->err_other, 0);
  catalog_check_code(noun, "err_in_use", noun->err_in_use, 0);
  catalog_check_code(noun, "err_quota", noun->err_quota, 2);
  catalog_check_names(noun, t->s);
  if (noun->object) catalog_check_object(t, noun->object, 0);
  if (noun->lifecycle) catalog_check_lifecycle(noun);
  catalog_check_event(noun, noun->event_created);
  catalog_check_event(noun, noun->event_updated);
  catalog_check_event(noun, noun->event_deleted);
  for (fe = svc_noun_ext_of(noun)->field_events; fe && fe->field; fe++) {
    catalog_check_event(noun, fe->event);
    catalog_check_fields(noun, noun->object, "field_events", fe->field);
  }
  if (noun->route_count) munit_assert_not_null(noun->routes);
}

static const svc_param *catalog_param(const svc_param *p, const char *name)
{
  for (; p && p->name; p++)
    if (strcmp(p->name, name) == 0) return p;
  return NULL;
}

/* Checks that a route with roles says on what: on the organization or project at the start of its path, on those that own the
** named resource, or on any. Otherwise every caller would be refused. */
static void catalog_check_permission(const svc *s, const svc_plan *plan)
{
  const svc_hop *first = plan->hop_count ? &plan->hops[0] : NULL;
  bool scoped = first && (first->noun == s->org || first->noun == s->group);
  bool hooked = first && svc_noun_ext_of(first->noun->noun)->alliance;
  if (!plan->route->roles || plan->route->flags & SVC_NO_AUTH || scoped || hooked) return;
  if (!(plan->route->flags & SVC_ANYWHERE)) munit_errorf("%s %s asks for roles on nothing", t_method(plan), plan->route->path);
}

static void catalog_check_route(t_service *t, const svc_plan *plan)
{
  const svc_route *r = plan->route;
  const svc_noun *noun = plan->noun->noun;
  const svc_param *q;
  const svc_filter *f;
  munit_assert_not_null(r->run);
  munit_assert_int(r->set, <, SVC_SET_COUNT);
  if (r->body) catalog_check_object(t, r->body, 0);
  if (r->answer) catalog_check_object(t, r->answer, 0);
  for (q = r->params; q && q->name; q++)
    if (q[1].name && strcmp(q->name, q[1].name) >= 0) munit_errorf("%s: parameter %s is out of order", r->path, q->name);
  for (f = svc_route_ext_of(r)->filters; f && f->param; f++) {
    q = catalog_param(r->params, f->param);
    if (!q) munit_errorf("%s: it filters by %s, and has no such parameter", r->path, f->param);
    if ((f->compare == SVC_MIN_DATE || f->compare == SVC_MAX_DATE) != (q->type == SVC_DATE))
      munit_errorf("%s: %s is not compared as its type asks for", r->path, f->param);
    catalog_check_fields(noun, noun->object, "filters", f->field);
  }
  catalog_check_fields(noun, noun->object, "by", svc_route_ext_of(r)->by);
  catalog_check_code(noun, "err_not_found", r->err_not_found, 0);
  if (svc_route_ext_of(r)->linked_from && !svc_noun_named(t->s, svc_route_ext_of(r)->linked_from)) munit_errorf("%s: linked_from: no noun is called %s", r->path, svc_route_ext_of(r)->linked_from);
  if (svc_route_ext_of(r)->linked_from && svc_route_ext_of(r)->in_path && !plan->in_path_field->values) munit_errorf("%s: linked_from: %s has no values to link to", r->path, svc_route_ext_of(r)->in_path);
  if (svc_route_ext_of(r)->file && !strstr(r->path, svc_route_ext_of(r)->file)) munit_errorf("%s: file: the path has no parameter %s", r->path, svc_route_ext_of(r)->file);
  catalog_check_permission(t->s, plan);
}

TEST_SERVICE(catalog, tables)
{
  size_t i;
  munit_assert_not_null(t->s->group);
  munit_assert_not_null(t->s->org);
  munit_assert_not_null(t->s->seats[SVC_SEAT_FEED]);
  for (i = 0; i < t->s->noun_count; i++) catalog_check_noun(t, &t->s->nouns[i]);
  for (i = 0; i < t->s->plan_count; i++) catalog_check_route(t, &t->s->plans[i]);
}

/* ------------------------------------------------------------------------------------------------ rows in the nouns' tests */

static const svc_plan *catalog_plan(const svc *s, int method, const char *path)
{
  const svc_plan *plan;
  for (plan = s->plans; plan < s->plans + s->plan_count; plan++)
    if (plan->route->method == method && strcmp(plan->route->path, path) == 0) return plan;
  return NULL;
}

/* Returns true if a route whose path contains this text has such a parameter in its path or query. NULL: any path. */
static bool catalog_has_param(const svc *s, const char *path, const char *name)
{
  const svc_plan *plan;
  unsigned i;
  for (plan = s->plans; plan < s->plans + s->plan_count; plan++) {
    if (path && !strstr(plan->route->path, path)) continue;
    if (catalog_param(plan->route->params, name)) return true;
    for (i = 0; i < plan->param_count; i++)
      if (svc_str_is(plan->params[i], name)) return true;
  }
  return false;
}

static bool catalog_any_plan(const svc *s, const char *path)
{
  int method;
  for (method = 0; method < SVC_METHOD_COUNT; method++)
    if (catalog_plan(s, method, path)) return true;
  return false;
}

/* Checks that the route and the fields of a row (needs.h) exist: rows must follow a renamed route. */
static void catalog_check_need(const svc *s, const t_need *need)
{
  const char *param = need->kind == T_NEED_SAME ? need->value : need->param; /* the name itself may be a field of an example */
  bool route = need->path && !need->param;
  if (route && !catalog_any_plan(s, need->path)) munit_errorf("a row of needs is about %s: no route has this path", need->path);
  if (need->method && !catalog_plan(s, need->method, need->path)) munit_errorf("a row of needs is about a method that %s has not", need->path);
  if (need->first && !catalog_any_plan(s, need->first)) munit_errorf("a row of needs names %s: no route has this path", need->first);
  if (need->noun && !svc_noun_named(s, need->noun)) munit_errorf("a row of needs is about a noun %s, which is not there", need->noun);
  if (param && !catalog_has_param(s, need->path, param))
    munit_errorf("a row of needs is about a parameter %s of %s, which is not there", param, need->path ? need->path : "any path");
}

TEST_SERVICE(catalog, needs)
{
  int kind;
  for (kind = T_NEED_END + 1; kind <= T_NEED_REFERENCE; kind++) {
    t_needs at = { 0, 0 };
    const t_need *need = t_needs_next(&at, kind);
    if (!need) munit_errorf("no row is of the kind %d: remove it from needs.h", kind);
    for (; need; need = t_needs_next(&at, kind)) catalog_check_need(t->s, need);
  }
}

/* ------------------------------------------------------------------------------------------------------------ links */

typedef struct catalog_walk {
  char **seen;
  size_t count, room;
} catalog_walk;

static bool catalog_note(catalog_walk *w, const char *href)
{
  size_t i;
  for (i = 0; i < w->count; i++)
    if (strcmp(w->seen[i], href) == 0) return false;
  if (w->count == w->room) {
    w->room = w->room ? w->room * 2 : 64;
    w->seen = realloc(w->seen, w->room * sizeof *w->seen);
  }
  w->seen[w->count++] = strdup(href);
  return true;
}

static void catalog_follow(catalog_walk *w, const svc_node *node)
{
  const svc_node *child;
  for (child = node->first; child; child = child->next) {
    if (child->type == SVC_J_STRING && svc_str_is(child->name, "href")) {
      char *href = strndup(child->text.p, child->text.n);
      munit_assert_int(strncmp(href, "http://localhost:8080/api/svc/v2", 32), ==, 0);
      catalog_note(w, href + 21);
      free(href);
    }
    catalog_follow(w, child);
  }
}

static void catalog_walk_end(catalog_walk *w)
{
  size_t i;
  for (i = 0; i < w->count; i++) free(w->seen[i]);
  free(w->seen);
}

/* Returns the route of a path. */
static const svc_plan *catalog_route(svc *s, const char *target)
{
  svc_call c;
  svc_request request;
  svc_arena arena;
  memset(&c, 0, sizeof c);
  memset(&request, 0, sizeof request);
  svc_arena_init(&arena, NULL);
  request.method = "GET";
  request.target = target;
  c.s = s;
  c.request.raw = &request;
  c.arena = &arena;
  if (!svc_stage_request(&c) || !svc_stage_route(&c)) munit_errorf("the link %s leads nowhere", target);
  svc_blocks_free(arena.blocks);
  return c.plan;
}

/* Follows one link unchanged. Resources that do not exist yet (a policy, a schedule) may answer 404; nothing else may be wrong. */
static const svc_plan *catalog_visit(t_world *w, catalog_walk *walk, const char *link)
{
  const svc_plan *plan = catalog_route(w->t.s, link);
  int status = t_send(&w->t, "GET", link, NULL);
  if (status == 404) return plan;
  if (status != 200) t_complain(plan, "the link %s answers %d %s", link, status, t_error(&w->t));
  if (status != 200 || svc_route_ext_of(plan->route)->media) return plan; /* such a body has no links */
  munit_assert_not_null(w->t.body);
  if (w->t.body->type == SVC_J_OBJECT) munit_assert_string_not_equal(t_link(&w->t, "self"), "");
  catalog_follow(walk, w->t.body);
  return plan;
}

/* The GETs without a link to them. */
static const struct {
  const char *op, *why;
} catalog_unlinked[] = {
  { "listVpcPeeringConnections", "only the caller knows a value of its required parameter, the account of the other side" },
};

static bool catalog_may_be_unlinked(const svc_plan *plan)
{
  size_t i;
  if (plan->route->flags & SVC_ABSOLUTE) return true; /* outside of the API */
  for (i = 0; i < sizeof catalog_unlinked / sizeof catalog_unlinked[0]; i++)
    if (strcmp(plan->route->op, catalog_unlinked[i].op) == 0) return true;
  return false;
}

/* Every other GET is reached from the root by following links of GETs, in a world that has one of everything. */
TEST(catalog, reachable)
{
  static t_world w;
  catalog_walk walk = { NULL, 0, 0 };
  size_t i, left_out = 0;
  bool *reached;
  t_world_open(&w);
  reached = calloc(w.t.s->plan_count, sizeof *reached);
  for (i = 0; i < w.t.s->plan_count; i++)
    if (w.t.s->plans[i].route->method == SVC_GET && !t_world_ready(&w, &w.t.s->plans[i])) munit_error(w.why);
  t_advance(&w.t, 3600);
  catalog_note(&walk, "/api/svc/v2");
  for (i = 0; i < walk.count; i++) {
    reached[catalog_visit(&w, &walk, walk.seen[i]) - w.t.s->plans] = true;
    munit_assert_size(walk.count, <, 10000);
  }
  for (i = 0; i < w.t.s->plan_count; i++) {
    const svc_plan *plan = &w.t.s->plans[i];
    if (plan->route->method != SVC_GET) continue;
    if (!reached[i] && !catalog_may_be_unlinked(plan)) t_complain(plan, "no link leads to it");
    if (reached[i] && catalog_may_be_unlinked(plan)) t_complain(plan, "a link leads to it, though it is among the exceptions");
    left_out += !reached[i] && !(plan->route->flags & SVC_ABSOLUTE);
  }
  t_complaints_end();
  munit_assert_size(left_out, ==, sizeof catalog_unlinked / sizeof catalog_unlinked[0]); /* each exception exists */
  catalog_walk_end(&walk);
  free(reached);
  t_world_close(&w);
}

/* Every operation has the operationId of the reference, and no other. */
TEST_SERVICE(catalog, names)
{
  size_t i, j;
  munit_assert_size(t->s->plan_count, ==, OPERATIONS_COUNT + OPERATIONS_OWN_COUNT + OPERATIONS_BESIDE_COUNT);
  for (i = 0; i < t->s->plan_count; i++) {
    const svc_route *r = t->s->plans[i].route;
    const char *name = operations_name(methods[r->method], r->path);
    if (!r->op) munit_errorf("%s has no name", r->path);
    for (j = 0; j < i; j++) munit_assert_string_not_equal(r->op, t->s->plans[j].route->op);
    if (!name) munit_errorf("%s is not in the list of operations", r->path);
    munit_assert_string_equal(r->op, name);
  }
}

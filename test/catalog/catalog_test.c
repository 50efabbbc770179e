/*
** The tables against the public catalog, and against themselves.
**
** The first half knows all 447 operations from a list of its own and fails when a route differs from it in set, limits,
** versions, roles or status. The second half looks for what a compiler cannot see in tables: rows out of order, names
** that lead nowhere, presets that their own field would refuse.
*/
#include "support.h"

#include "catalog/operations_list.h"

#define OPERATION_COUNT (sizeof operations_list / sizeof operations_list[0])

static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };

static const operations_row *catalog_find(const char *method, const char *path)
{
  size_t i;
  for (i = 0; i < OPERATION_COUNT; i++)
    if (strcmp(operations_list[i].method, method) == 0 && strcmp(operations_list[i].path, path) == 0)
      return &operations_list[i];
  return NULL;
}

static void catalog_check_versions(const svc_route *r, const char *versions)
{
  svc_str rest = svc_str_c(versions);
  unsigned i;
  for (i = 0; i < 4 && r->versions[i]; i++) {
    int64_t expected = 0;
    svc_str word = svc_str_cut(&rest, ' ');
    svc_str_i64(word, &expected);
    if ((int64_t)r->versions[i] != expected)
      munit_errorf("%s %s: version %u, the catalog says %.*s", methods[r->method], r->path, r->versions[i], SVC_ARG(word));
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

static MunitResult catalog_operations(const MunitParameter params[], void *data)
{
  static const char *const scopes[] = { [SVC_SCOPE_IP] = "IP", [SVC_SCOPE_GROUP] = "GROUP",
                                        [SVC_SCOPE_ORGANIZATION] = "ORGANIZATION", [SVC_SCOPE_USER] = "USER" };
  t_service t;
  size_t i, j, stand = 0;
  (void)params, (void)data;
  munit_assert_size(OPERATION_COUNT, ==, 447);
  t_open(&t, NULL);
  for (i = 0; i < t.s->plan_count; i++) {
    const svc_route *r = t.s->plans[i].route;
    const svc_set_row *set = &t.s->sets[r->set];
    const operations_row *o = catalog_find(methods[r->method], r->path);
    if (r->flags & SVC_ABSOLUTE) continue; /* the catalog knows only what is below the base path */
    stand++;
    if (!o) munit_errorf("%s %s is not in the catalog", methods[r->method], r->path);
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
      if (t.s->plans[j].route->method == r->method && strcmp(t.s->plans[j].route->path, r->path) == 0)
        munit_errorf("%s %s stands twice", o->method, o->path);
  }
  printf("catalog: %zu of %zu operations\n", stand, (size_t)OPERATION_COUNT);
  t_close(&t);
  return MUNIT_OK;
}

/* ------------------------------------------------------------------------------------------------------- self-checks */

static void catalog_check_object(t_service *t, const svc_object *object, int depth)
{
  const svc_field *f;
  const svc_variant *v;
  svc_fields fields;
  const char *last = "";
  munit_assert_int(depth, <, 12);
  munit_assert_not_null(object->name);
  for (v = object->variants; v && v->value; v++) catalog_check_object(t, v->object, depth + 1);
  if (object->variant_by) munit_assert_not_null(object->variants);
  svc_fields_begin(&fields, object);
  for (f = object->fields; f->name; f++) {
    if (strcmp(last, f->name) >= 0) munit_errorf("%s: %s stands behind %s", object->name, f->name, last);
    last = f->name;
  }
  last = "";
  while ((f = svc_fields_next(&fields)) != NULL) {
    int type = f->type == SVC_ARRAY || f->type == SVC_MAP ? f->item : f->type;
    if (strcmp(last, f->name) >= 0) munit_errorf("%s: %s stands in it and in its base", object->name, f->name);
    last = f->name;
    if (strcmp(f->name, "links") == 0) munit_errorf("%s: links are the pipeline's", object->name);
    if (type == SVC_OBJECT && !f->object) munit_errorf("%s.%s: an object of what?", object->name, f->name);
    if ((f->values || f->pattern || f->format) && type != SVC_STRING)
      munit_errorf("%s.%s: only strings have values, patterns and formats", object->name, f->name);
    if (f->flags & (SVC_MIN | SVC_MAX) && type != SVC_INT32 && type != SVC_INT64 && type != SVC_NUMBER)
      munit_errorf("%s.%s: SVC_MIN and SVC_MAX are for numbers", object->name, f->name);
    if (f->object && type == SVC_OBJECT) catalog_check_object(t, f->object, depth + 1);
    if (f->preset) {
      svc_json_fault fault;
      svc_arena arena;
      svc_call c;
      svc_node *body;
      svc_field alone[2] = { *f, F_END };
      svc_object only = { .name = "preset", .fields = alone };
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

static const svc_field *catalog_field(const svc_object *object, const char *name)
{
  const svc_field *f;
  svc_fields fields;
  svc_fields_begin(&fields, object);
  while ((f = svc_fields_next(&fields)) != NULL)
    if (strcmp(f->name, name) == 0) return f;
  return NULL;
}

static bool catalog_in(const char *const *values, const char *value)
{
  for (; *values; values++)
    if (strcmp(*values, value) == 0) return true;
  return false;
}

static void catalog_check_lifecycle(const svc_noun *noun)
{
  const svc_lifecycle *life = noun->lifecycle;
  const svc_field *state = catalog_field(noun->object, life->field);
  const svc_transition *step;
  munit_assert_not_null(state);
  munit_assert_not_null(state->values);
  munit_assert_true(catalog_in(state->values, life->created));
  if (life->updated) munit_assert_true(catalog_in(state->values, life->updated));
  if (life->deleted) {
    munit_assert_true(catalog_in(state->values, life->deleted));
    munit_assert_not_null(svc_transition_from(noun, svc_str_c(life->deleted)));
  }
  for (step = life->transitions; step->from; step++) {
    munit_assert_true(catalog_in(state->values, step->from));
    if (step->to) munit_assert_true(catalog_in(state->values, step->to));
    catalog_check_event(noun, step->event);
  }
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
  if (noun->unique) munit_assert_not_null(catalog_field(noun->object, noun->unique));
  if (noun->counted_in) munit_assert_not_null(catalog_field(info->parent->noun->object, noun->counted_in));
  if (noun->quota || noun->most) munit_assert_int(noun->err_quota, !=, 0);
  if (noun->object) catalog_check_object(t, noun->object, 0);
  if (noun->lifecycle) catalog_check_lifecycle(noun);
  catalog_check_event(noun, noun->event_created);
  catalog_check_event(noun, noun->event_updated);
  catalog_check_event(noun, noun->event_deleted);
  for (fe = noun->field_events; fe && fe->field; fe++) {
    catalog_check_event(noun, fe->event);
    munit_assert_not_null(catalog_field(noun->object, fe->field));
  }
  munit_assert_not_null(noun->routes);
}

static MunitResult catalog_tables(const MunitParameter params[], void *data)
{
  t_service t;
  size_t i;
  (void)params, (void)data;
  t_open(&t, NULL);
  munit_assert_not_null(t.s->group);
  munit_assert_not_null(t.s->org);
  munit_assert_not_null(t.s->seats[SVC_SEAT_FEED]);
  for (i = 0; i < t.s->noun_count; i++) catalog_check_noun(&t, &t.s->nouns[i]);
  for (i = 0; i < t.s->plan_count; i++) {
    const svc_plan *p = &t.s->plans[i];
    const svc_param *q;
    munit_assert_not_null(p->route->run);
    munit_assert_int(p->route->set, <, SVC_SET_COUNT);
    if (p->route->body) catalog_check_object(&t, p->route->body, 0);
    for (q = p->route->params; q && q->name; q++)
      if (q[1].name && strcmp(q->name, q[1].name) >= 0) munit_errorf("%s: parameter %s is out of order", p->route->path, q->name);
  }
  t_close(&t);
  return MUNIT_OK;
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

/* What each parameter of a path stands for, as the walk has learnt it. */
typedef struct catalog_values {
  char names[32][32], values[32][64];
  size_t count;
} catalog_values;

static void catalog_learn(catalog_values *v, const char *name, const char *value)
{
  size_t i;
  for (i = 0; i < v->count && strcmp(v->names[i], name) != 0; i++) continue;
  munit_assert_size(i, <, 32);
  if (i == v->count) v->count++;
  snprintf(v->names[i], sizeof v->names[i], "%s", name);
  snprintf(v->values[i], sizeof v->values[i], "%s", value);
}

/* The path with everything filled in that is known; false: something is not. */
static bool catalog_fill(const catalog_values *v, const char *path, char *out, size_t size)
{
  svc_arena arena;
  svc_buf b;
  size_t i;
  bool known = true;
  svc_arena_init(&arena, NULL);
  b = svc_buf_new(&arena, 256);
  while (*path && known) {
    const char *end = *path == '{' ? strchr(path, '}') : NULL;
    if (!end) {
      svc_buf_char(&b, *path++);
      continue;
    }
    for (i = 0; i < v->count; i++)
      if (strlen(v->names[i]) == (size_t)(end - path - 1) && strncmp(v->names[i], path + 1, (size_t)(end - path - 1)) == 0) break;
    known = i < v->count;
    if (known) svc_buf_text(&b, v->values[i]);
    path = end + 1;
  }
  snprintf(out, size, "%s", svc_buf_done(&b).p);
  svc_blocks_free(arena.blocks);
  return known;
}

/* The members of an example that are named as a parameter of a path get the value that is known for it. */
static void catalog_fill_ids(const catalog_values *v, svc_node *node)
{
  size_t i;
  for (i = 0; i < v->count; i++)
    if (node->type == SVC_J_STRING && svc_str_is(node->name, v->names[i])) node->text = svc_str_c(v->values[i]);
  for (node = node->first; node; node = node->next) catalog_fill_ids(v, node);
}

static int catalog_post(t_service *t, const catalog_values *v, const char *path, const char *example)
{
  svc_arena arena;
  svc_node *body;
  svc_buf b;
  int status;
  svc_arena_init(&arena, NULL);
  body = svc_json_parse(&arena, svc_str_c(example));
  b = svc_buf_new(&arena, 1024);
  catalog_fill_ids(v, body);
  svc_node_write(&b, body);
  status = t_send(t, "POST", path, svc_buf_done(&b).p);
  svc_blocks_free(arena.blocks);
  return status;
}

/* One of every noun that has an example: parents first, so what cannot be made yet is tried again. */
static void catalog_samples(t_service *t, const char *org, const char *group)
{
  catalog_values v;
  bool *made = calloc(t->s->plan_count, sizeof *made);
  char path[512];
  size_t i;
  int round;
  memset(&v, 0, sizeof v);
  catalog_learn(&v, "orgId", org);
  catalog_learn(&v, "groupId", group);
  for (round = 0; round < 4; round++)
    for (i = 0; i < t->s->plan_count; i++) {
      const svc_plan *p = &t->s->plans[i];
      const char *self, *last;
      if (made[i] || !p->route->example || !catalog_fill(&v, p->route->path, path, sizeof path)) continue;
      made[i] = true;
      if (catalog_post(t, &v, path, p->route->example) >= 300)
        munit_errorf("the example of POST %s: %d %s", p->route->path, t->response.status, t->response.body);
      self = t_link(t, "self");
      last = strrchr(self, '/');
      if (last && p->noun->noun->param && !p->own && !(p->route->flags & SVC_PAGED)) catalog_learn(&v, p->noun->noun->param, last + 1);
    }
  for (i = 0; i < t->s->plan_count; i++)
    if (t->s->plans[i].route->example && !made[i]) munit_errorf("nothing to put into POST %s", t->s->plans[i].route->path);
  free(made);
}

/* Every GET that stands must be met when all links are followed from the root. */
static MunitResult catalog_reachable(const MunitParameter params[], void *data)
{
  t_service t;
  catalog_walk w = { NULL, 0, 0 };
  const char *org, *group;
  bool *reached;
  size_t i, next;
  (void)params, (void)data;
  t_open(&t, NULL);
  reached = calloc(t.s->plan_count, sizeof *reached);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  catalog_samples(&t, org, group);
  t_advance(&t, 3600);
  catalog_note(&w, "/api/svc/v2");
  for (next = 0; next < w.count; next++) {
    svc_call c;
    svc_request request;
    svc_arena arena;
    int status = t_send(&t, "GET", w.seen[next], NULL);
    if (status != 200) munit_errorf("the link %s answers %d %s", w.seen[next], status, t_error(&t));
    munit_assert_not_null(t.body);
    if (t.body->type == SVC_J_OBJECT) munit_assert_string_not_equal(t_link(&t, "self"), "");
    catalog_follow(&w, t.body);
    memset(&c, 0, sizeof c);
    memset(&request, 0, sizeof request);
    svc_arena_init(&arena, NULL);
    request.method = "GET";
    request.target = w.seen[next];
    c.s = t.s;
    c.request.raw = &request;
    c.arena = &arena;
    munit_assert_true(svc_stage_request(&c) && svc_stage_route(&c));
    reached[c.plan - t.s->plans] = true;
    svc_blocks_free(arena.blocks);
    munit_assert_size(w.count, <, 10000);
  }
  for (i = 0; i < t.s->plan_count; i++)
    if (t.s->plans[i].route->method == SVC_GET && !reached[i])
      munit_errorf("no link leads to GET %s", t.s->plans[i].route->path);
  for (i = 0; i < w.count; i++) free(w.seen[i]);
  free(w.seen);
  free(reached);
  t_close(&t);
  return MUNIT_OK;
}

static MunitTest tests[] = {
  { "/operations", catalog_operations, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/tables", catalog_tables, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/reachable", catalog_reachable, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
const MunitSuite svc_suite_catalog = { "catalog", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };

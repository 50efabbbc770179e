/*
** The OpenAPI document is exactly as strict as the service, for every route of the tables. If the document accepts a body, the
** service reports no missing field in it. If the document refuses a body, so does the service. Every answer matches its schema.
**
** The bodies are those of valid requests (world.h), with each member left out in turn, at every depth.
*/
#include "schema.h"
#include "world.h"

/* ------------------------------------------------------------------------------------------------------------- the tables */

static const svc_object *strict_seen[2048];
static size_t strict_seen_count;

/* Checks that a name in a need of the object is one of its fields. */
static void strict_named(const svc_object *object, svc_str name)
{
  if (!svc_field_named(object, name)) munit_errorf("a need of %s names " SVC_FMT ", which is not one of its fields", object->name, SVC_ARG(name));
}

static void strict_need(const svc_object *object, const svc_need *need)
{
  svc_str rest = svc_str_c(need->fields), name, values;
  bool either = strchr(need->fields, '|') != NULL;
  if (either && !need->by_hook) munit_errorf("%s: one of several fields is looked at by hooks alone", object->name);
  while (rest.n) strict_named(object, svc_str_cut(&rest, either ? '|' : ' '));
  for (rest = svc_str_c(need->where); svc_need_term(&rest, &name, &values);) {
    strict_named(object, name);
    while (values.n) {
      const svc_field *f = svc_field_named(object, name);
      const char *const *known = f->values;
      svc_str value = svc_str_cut(&values, '|');
      while (known && *known && !svc_str_is(value, *known)) known++;
      if (known && !*known) munit_errorf("%s.%s is never " SVC_FMT, object->name, f->name, SVC_ARG(value));
    }
  }
}

static void strict_object(const svc_object *object)
{
  const svc_variant *v;
  const svc_need *need;
  size_t i;
  if (!object) return;
  for (i = 0; i < strict_seen_count; i++)
    if (strict_seen[i] == object) return;
  munit_assert_size(strict_seen_count, <, sizeof strict_seen / sizeof strict_seen[0]);
  strict_seen[strict_seen_count++] = object;
  for (need = svc_object_ext_of(object)->needs; need && need->fields; need++) strict_need(object, need);
  strict_object(object->base);
  for (v = SVC_VARIANTS_OF(object); v && v->value; v++) strict_object(v->object);
  for (i = 0; i < object->count; i++) {
    const svc_field *f = &object->fields[i];
    const char *const *values = f->type == SVC_INT32 ? f->values : NULL;
    int64_t number;
    for (; values && *values; values++)
      if (!svc_str_i64(svc_str_c(*values), &number) || number < INT32_MIN || number > INT32_MAX)
        munit_errorf("%s.%s has the value %s, which is no integer", object->name, f->name, *values);
    strict_object(svc_field_object(f));
  }
}

/* Conditions in the tables refer to existing fields and values. */
TEST_SERVICE(openapi_strict, tables)
{
  size_t i;
  strict_seen_count = 0;
  for (i = 0; i < t->s->plan_count; i++) {
    strict_object(t->s->plans[i].noun->noun->object);
    strict_object(t->s->plans[i].route->body);
    strict_object(t->s->plans[i].route->answer);
  }
}

/* ------------------------------------------------------------------------------------------------------------- answers */

/* Checks that no schema of an answer has a write-only field, and that every array declares its elements. */
static void strict_shown(t_schema *d, const svc_plan *plan, const svc_node *schema, int depth)
{
  const svc_node *child;
  bool array = svc_node_is(schema, "type", "array");
  if (depth > 24) return; /* an object may contain objects of its own type */
  if (svc_node_bool(schema, "writeOnly", false)) t_complain(plan, "the schema of its answer has a write-only field");
  if (array && !svc_node_get(schema, "items")) t_complain(plan, "the schema of its answer has an array of anything");
  for (child = schema->first; child; child = child->next) {
    bool properties = svc_str_is(child->name, "properties");
    const svc_node *inner = properties || child->type == SVC_J_ARRAY ? child->first : child;
    for (; inner; inner = properties || child->type == SVC_J_ARRAY ? inner->next : NULL)
      if (inner->type == SVC_J_OBJECT) strict_shown(d, plan, t_schema_at(d, inner), depth + 1);
  }
}

TEST(openapi_strict, answers)
{
  static t_world w;
  static t_schema d;
  size_t i, count = 1, checked = 0;
  for (i = 0; i < count; i++) {
    const svc_plan *plan;
    const svc_node *schema;
    int status;
    t_world_open(&w);
    count = w.t.s->plan_count;
    plan = &w.t.s->plans[i];
    if (i == 0) t_schema_open(&d, w.t.s);
    if (!(plan->route->flags & SVC_ABSOLUTE) && !t_world_elsewhere(plan) && t_world_ready(&w, plan)) {
      status = t_world_send(&w, plan);
      schema = status < 300 && w.t.body ? t_schema_of_answer(&d, plan, status) : NULL;
      if (status < 300 && w.t.body && !schema) t_complain(plan, "the document has no schema of its answer with %d", status);
      if (schema) strict_shown(&d, plan, t_schema_at(&d, schema), 0);
      if (schema && !t_schema_fits(&d, schema, w.t.body)) t_complain(plan, "its answer: %s: %.300s", d.why, w.t.response.body);
      checked += schema != NULL;
    }
    t_world_close(&w);
  }
  t_schema_close(&d);
  munit_assert_size(checked, >, 300);
  t_complaints_end();
}

/* -------------------------------------------------------------------------------------------------------------- bodies */

/* Rules that no schema can express, with the reason; the field is the end of a path. A row that no operation meets must be removed. */
static struct {
  const char *op, *field;
  bool met;
} strict_beyond[] = {
  /* depends on the type of the store that the source names */
  { "createDataFederation", "path", false },
  /* required unless the project has an integration of the notification's type */
  { "createAlertConfig", "apiToken", false }, { "updateAlertConfig", "apiToken", false },
  /* depends on the provider in the path */
  { "createPrivateEndpoint", "id", false },
  /* required unless replicationSpecs, next to providerSettings, names regions */
  { "upgradeTenantUpgrade", "regionName", false },
  /* a pipeline is any JSON */
  { "createStreamProcessor", "connectionName", false }, { "updateStreamProcessor", "connectionName", false },
  /* a limit that was set before keeps its value: the value is required only the first time */
  { "setDataFederationLimit", "value", false },
};

static bool strict_is_beyond(const svc_plan *plan, const char *field)
{
  size_t i;
  for (i = 0; i < sizeof strict_beyond / sizeof strict_beyond[0]; i++)
    if (strcmp(plan->route->op, strict_beyond[i].op) == 0 && strcmp(field, strict_beyond[i].field) == 0) return strict_beyond[i].met = true;
  return false;
}

/* Leaves out the n-th member, counted at all depths; *at: its name. Returns false if there are fewer members. */
static bool strict_drop(svc_node *node, int *n, char *at, size_t size)
{
  svc_node *child;
  for (child = node->first; child; child = child->next) {
    if (node->type == SVC_J_OBJECT && (*n)-- == 0) {
      svc_str name = child->name;
      snprintf(at, size, SVC_FMT, SVC_ARG(name));
      svc_node_drop(node, at);
      return true;
    }
    if (strict_drop(child, n, at, size)) return true;
  }
  return false;
}

/* Returns true if the answer reports a missing field. In a PATCH only elements of arrays count, because the stored object may have
** the rest. */
static bool strict_says_missing(const t_world *w, bool patch)
{
  const svc_node *fields = t_node(&w->t, "badRequestDetail.fields"), *one;
  const char *code = t_error(&w->t);
  for (one = fields ? fields->first : NULL; one; one = one->next) {
    svc_str said = svc_node_str(one, "description"), field = svc_node_str(one, "field");
    bool missing = said.n >= 11 && memcmp(said.p, "is required", 11) == 0;
    if (missing && (!patch || memchr(field.p, '[', field.n))) return true;
  }
  return !patch && (strncmp(code, "MISSING_", 8) == 0 || strstr(code, "_REQUIRED"));
}

static void strict_body(t_world *w, const svc_plan *plan, t_schema *d, const svc_node *schema, const svc_snapshot *before, const svc_node *body,
                        const char *left_out)
{
  bool fits = t_schema_fits(d, schema, body), patch = plan->route->method == SVC_PATCH && !plan->route->whole;
  svc_buf b = svc_buf_new(&d->arena, 1024);
  int64_t now = w->t.now;
  int status;
  bool wrong;
  svc_node_write(&b, body);
  status = t_send(&w->t, t_method(plan), w->path, svc_buf_done(&b).p);
  wrong = (status < 300 && !fits) || (status == 400 && fits && strict_says_missing(w, patch));
  if (wrong && strict_is_beyond(plan, left_out)) fits = status < 300; /* a known exception */
  if (status < 300 && !fits) t_complain(plan, "is accepted without %s, and the document says %s", left_out, d->why);
  if (status == 400 && fits && strict_says_missing(w, patch)) t_complain(plan, "without %s: %.300s", left_out, w->t.response.body);
  if (status >= 300) return;
  w->t.now = now;
  munit_assert_int(svc_snapshot_restore(w->t.s, before), ==, SVC_OK);
}

static void strict_bodies_of(t_world *w, const svc_plan *plan, t_schema *d)
{
  const svc_node *schema = t_schema_of_body(d, plan);
  svc_snapshot *before;
  svc_node *body;
  char left_out[200];
  int n, left;
  if (!schema) {
    t_complain(plan, "the document has no schema of its body");
    return;
  }
  munit_assert_int(svc_snapshot_take(w->t.s, &before), ==, SVC_OK);
  body = svc_json_parse(&d->arena, svc_str_c(w->body));
  if (!t_schema_fits(d, schema, body)) t_complain(plan, "its body: %s: %.300s", d->why, w->body);
  for (n = 0;; n++) {
    body = svc_json_parse(&d->arena, svc_str_c(w->body));
    left = n;
    if (!strict_drop(body, &left, left_out, sizeof left_out)) break;
    strict_body(w, plan, d, schema, before, body, left_out);
  }
  svc_snapshot_free(before);
}

TEST(openapi_strict, bodies)
{
  static t_world w;
  static t_schema d;
  size_t i, count = 1, checked = 0;
  for (i = 0; i < count; i++) {
    const svc_plan *plan;
    bool takes;
    t_world_open(&w);
    count = w.t.s->plan_count;
    plan = &w.t.s->plans[i];
    if (i == 0) t_schema_open(&d, w.t.s);
    takes = !(plan->route->flags & (SVC_ABSOLUTE | SVC_RAW_BODY)) && !t_world_elsewhere(plan) && !t_ended(&w.t, plan);
    if (takes && t_world_ready(&w, plan) && w.has_body) {
      strict_bodies_of(&w, plan, &d);
      checked++;
    }
    t_world_close(&w);
  }
  t_schema_close(&d);
  munit_assert_size(checked, >, 100);
  for (i = 0; i < sizeof strict_beyond / sizeof strict_beyond[0]; i++)
    if (!strict_beyond[i].met) munit_errorf("%s of %s can be said by its schema by now", strict_beyond[i].field, strict_beyond[i].op);
  t_complaints_end();
}

/*
** Bodies that the tables allow, and many that they refuse. For each route with a body, the suite takes the body of a
** valid request. A field of the table is left out, set to null, or set to a valid or barely invalid value. With
** SVC_TEST_ALL every such change is sent, otherwise a sample. Then the suite makes several such changes at once.
**
** The suite does not know the expected answers. Each answer is a success or a refusal, never a failure. A request that
** is refused with 400 changes nothing. After an accepted request and the hour that follows, the store is consistent, the created
** resource can be read, and the OpenAPI document accepts the same body. A snapshot undoes each request, so that every
** body meets the same world.
*/
#include "schema.h"
#include "world.h"

enum {
  BODY_VALUES = 8,   /* tried values of a list */
  BODY_DEEP = 5,     /* maximum depth of generated objects */
  BODY_MIXED = 24,   /* bodies per route with several changes */
  BODY_SAMPLE = 4    /* only every n-th single change is sent, unless SVC_TEST_ALL is set */
};

/* A search for one of all possible changes to a body. */
typedef struct body_change {
  svc_arena *a;
  const t_world *w;
  long left; /* changes to skip; < 0: the change was found */
} body_change;

static bool body_this(body_change *b)
{
  return b->left-- == 0;
}

/* ---------------------------------------------------------------------------------------------------------------- values */

static svc_node *body_parse(svc_arena *a, const char *text)
{
  svc_node *node = svc_json_parse(a, svc_str_c(text));
  munit_assert_not_null(node);
  return node;
}

static svc_node *body_text(svc_arena *a, svc_str text)
{
  return svc_node_new(a, SVC_J_STRING, SVC_S(""), text);
}

static svc_node *body_number(svc_arena *a, int64_t n)
{
  return svc_node_new(a, SVC_J_NUMBER, SVC_S(""), svc_arena_print(a, "%lld", (long long)n));
}

/* Strings with a meaning: addresses, regions, a date, ids, words of lists, a long text. */
static const char *const body_words[] = {
  "", "a", "ada@example.com", "https://example.com/a", "192.0.2.9", "10.8.0.0/21", "US_EAST_1", "eu-west-1", "2030-01-01T00:00:00Z",
  "arn:aws:iam::123456789012:role/svc", "vpc-0123456789abcdef0", "123456789012", "3d3f0b3e-2b6a-4f0e-8b8a-0c1a2b3c4d5e", "AWS", "M10", "8.0",
  "a.b", "$external", "*", "not a word of it, but one that is long enough for anything that has a least length",
};
#define BODY_WORDS (sizeof body_words / sizeof body_words[0])

static svc_node *body_value(const body_change *b, const svc_field *f, int n, int deep);

static size_t body_list_length(const char *const *values)
{
  size_t n = 0;
  while (values[n]) n++;
  return n;
}

/* Returns the n-th string for a field, or NULL if there are fewer. */
static svc_node *body_string(const body_change *b, const svc_field *f, int n)
{
  const char *const *values = f->values;
  if (values) {
    size_t all = body_list_length(values), step = all / BODY_VALUES + 1;
    if ((size_t)n * step < all) return body_text(b->a, svc_value_text(b->w->t.s, b->a, values[(size_t)n * step]));
    return (size_t)n * step < all + step ? body_text(b->a, SVC_S("NO_SUCH_VALUE")) : NULL;
  }
  if (f->format == SVC_FORMAT_ID) {
    const char *const ids[] = { b->w->group, b->w->org, b->w->user, "0123456789abcdef01234567" };
    return n < 4 ? body_text(b->a, svc_str_c(ids[n])) : NULL;
  }
  return (size_t)n < BODY_WORDS ? body_text(b->a, svc_str_c(body_words[n])) : NULL;
}

static svc_node *body_integer(const body_change *b, const svc_field *f, int n)
{
  int64_t least = f->flags & SVC_MIN ? svc_field_min(f) : 0, most = f->flags & SVC_MAX ? svc_field_max(f) : INT32_MAX;
  const int64_t values[] = { least, least - 1, least + 1, most, most + 1, (least + most) / 2, 3 };
  return n < 7 ? body_number(b->a, values[n]) : NULL;
}

/* Returns an object with its required fields, or with all fields; for a union, the n-th variant. NULL if there are fewer. */
static svc_node *body_object(const body_change *b, const svc_object *object, int n, int deep)
{
  svc_node *out = svc_node_object(b->a, NULL);
  const svc_variant *v;
  svc_fields fields;
  const svc_field *f;
  svc_node *member;
  bool full = n % 2;
  int which = n / 2;
  while (svc_object_ext_of(object)->choice) {
    for (v = svc_object_ext_of(object)->choice->variants; v->value && which > 0; which--) v++;
    if (!v->value) return NULL;
    svc_node_set_text(b->a, out, svc_object_ext_of(object)->choice->by, v->value);
    object = v->object;
  }
  if (which > 0 || deep == 0) return NULL;
  svc_fields_begin(&fields, object);
  while ((f = svc_fields_next(&fields)) != NULL) {
    if (f->flags & SVC_READ_ONLY || !(full || f->flags & SVC_REQUIRED) || svc_node_get(out, f->name)) continue;
    member = body_value(b, f, 0, deep - 1);
    if (!member) continue;
    member->name = svc_str_c(f->name);
    svc_node_put(b->a, out, member);
  }
  return out;
}

/* Returns an array with no element, one element, the same element twice, or another element. */
static svc_node *body_array(const body_change *b, const svc_field *f, int n, int deep)
{
  svc_node *out = svc_node_new(b->a, f->type == SVC_MAP ? SVC_J_OBJECT : SVC_J_ARRAY, SVC_S(""), SVC_S("")), *one;
  svc_field each = *f;
  int copies = n == 2 ? 2 : 1;
  if (n == 0) return out;
  each.type = f->item;
  while (copies-- > 0) {
    one = body_value(b, &each, n < 3 ? 0 : n - 2, deep);
    if (!one) return NULL;
    one->name = f->type == SVC_MAP ? svc_arena_print(b->a, "key%d", copies) : SVC_S("");
    svc_node_append(out, one);
  }
  return out;
}

/* Returns the n-th value for a field, or NULL if there are fewer. */
static svc_node *body_value(const body_change *b, const svc_field *f, int n, int deep)
{
  static const char *const dates[] = { "\"2025-06-02T00:00:00Z\"", "\"2024-01-01T00:00:00Z\"", "\"2035-01-01T00:00:00Z\"", "\"soon\"" };
  static const char *const any[] = { "{}", "[]", "1", "\"a\"", "true", "{\"a\":[{\"b\":null}]}" };
  switch (f->type) {
  case SVC_STRING: return body_string(b, f, n);
  case SVC_INT32:
  case SVC_INT64: return body_integer(b, f, n);
  case SVC_NUMBER: return n == 0 ? body_parse(b->a, "0.5") : body_integer(b, f, n - 1);
  case SVC_BOOLEAN: return n < 2 ? body_parse(b->a, n ? "false" : "true") : NULL;
  case SVC_DATE: return n < 4 ? body_parse(b->a, dates[n]) : NULL;
  case SVC_OBJECT: return deep > 0 ? body_object(b, svc_field_object(f), n, deep) : NULL;
  case SVC_ARRAY:
  case SVC_MAP: return body_array(b, f, n, deep);
  default: return n < 6 ? body_parse(b->a, any[n]) : NULL;
  }
}

/* --------------------------------------------------------------------------------------------------------------- changes */

static void body_put(body_change *b, svc_node *object, const svc_field *f, svc_node *value)
{
  value->name = svc_str_c(f->name);
  svc_node_put(b->a, object, value);
}

static bool body_change_object(body_change *b, const svc_object *object, svc_node *body);

/* Makes one change to a field. Returns true if it was made. */
static bool body_change_field(body_change *b, const svc_field *f, svc_node *body)
{
  svc_node *member = svc_node_get(body, f->name), *value;
  int n;
  if (member && body_this(b)) return svc_node_drop(body, f->name), true;
  if (body_this(b)) return body_put(b, body, f, svc_node_new(b->a, SVC_J_NULL, SVC_S(""), SVC_S("null"))), true;
  for (n = 0; (value = body_value(b, f, n, BODY_DEEP)) != NULL; n++)
    if (body_this(b)) return body_put(b, body, f, value), true;
  if (!member || !svc_field_object(f)) return false;
  if (f->type == SVC_OBJECT) return member->type == SVC_J_OBJECT && body_change_object(b, svc_field_object(f), member);
  for (value = member->first; value; value = value->next)
    if (value->type == SVC_J_OBJECT && body_change_object(b, svc_field_object(f), value)) return true;
  return false;
}

static bool body_change_object(body_change *b, const svc_object *object, svc_node *body)
{
  const svc_object *own = svc_object_of(object, body);
  svc_fields fields;
  const svc_field *f;
  if (svc_object_ext_of(object)->choice) { /* a variant other than the present one */
    const svc_variant *v;
    for (v = svc_object_ext_of(object)->choice->variants; v->value; v++)
      if (body_this(b)) return svc_node_set_text(b->a, body, svc_object_ext_of(object)->choice->by, v->value), true;
  }
  if (!own || svc_object_ext_of(own)->choice) return false;
  svc_fields_begin(&fields, own);
  while ((f = svc_fields_next(&fields)) != NULL)
    if (!(f->flags & SVC_READ_ONLY) && body_change_field(b, f, body)) return true;
  return false;
}

/* Makes the n-th change to this body. Returns false if there are fewer. */
static bool body_changed(svc_arena *a, const t_world *w, const svc_plan *plan, svc_node *body, long n)
{
  const svc_object *object = plan->route->body ? plan->route->body : plan->noun->noun->object;
  body_change b = { a, w, n };
  svc_node *one = plan->route->flags & SVC_BODY_ARRAY ? body->first : body;
  return one && one->type == SVC_J_OBJECT && body_change_object(&b, object, one);
}

/* --------------------------------------------------------------------------------------------------------------- sending */

/* Checks that the created or changed resource can be read, and that an hour later the store is consistent. */
static void body_accepted(t_world *w, const svc_plan *plan, const char *body)
{
  svc_str self = t_self(w->t.body);
  char target[1024];
  if (self.n > w->t.s->base_url.n) {
    snprintf(target, sizeof target, SVC_FMT, SVC_ARG(((svc_str){ self.p + w->t.s->base_url.n, self.n - w->t.s->base_url.n })));
    if (t_send_raw(&w->t, "GET", target, NULL, 0) >= 500) t_complain(plan, "%.300s is accepted, and cannot be read: %.300s", body, w->t.response.body);
  }
  t_advance(&w->t, 3600);
  if (svc_tick(w->t.s) != SVC_OK) t_complain(plan, "%.300s: its due steps fail", body);
  store_whole(w->t.s);
}

static t_schema body_document; /* the same for all worlds */

/* Operations that accept more bodies than the document allows. */
static const char *const body_lenient[] = {
  "setDataFederationLimit", /* the value is required only the first time */
};

static svc_node *body_sent(svc_arena *a, const svc_object *object, const svc_node *body);

/* Copies the content of a member. If `f` is NULL or its values have no table, the content is free-form JSON, in which nulls stay. */
static svc_node *body_sent_inside(svc_arena *a, const svc_field *f, const svc_node *member)
{
  const svc_object *object = f ? svc_field_object(f) : NULL;
  svc_node *out = svc_node_new(a, member->type, member->name, member->text), *item;
  if (f && f->type == SVC_OBJECT) return body_sent(a, object, member);
  for (item = member->first; item; item = item->next)
    svc_node_append(out, object && item->type == SVC_J_OBJECT ? body_sent(a, object, item) : body_sent_inside(a, NULL, item));
  return out;
}

/* Copies a body without nulls that count as absent. The schemas do not allow these nulls: a schema describes requests and answers,
** and no answer has them. The document's description says that they are ignored. Null that clears a field is in its schema, and
** stays. */
static svc_node *body_sent(svc_arena *a, const svc_object *object, const svc_node *body)
{
  const svc_object *own = object && body->type == SVC_J_OBJECT ? svc_object_of(object, body) : NULL;
  svc_node *out = svc_node_new(a, body->type, body->name, body->text), *member;
  for (member = body->first; member; member = member->next) {
    const svc_field *f = body->type != SVC_J_OBJECT ? NULL : own ? svc_field_named(own, member->name) : svc_field_somewhere(object, member->name);
    bool clears = f && (f->flags & (SVC_NULLABLE | SVC_REQUIRED)) == SVC_NULLABLE;
    if (f && member->type == SVC_J_NULL && !clears) continue;
    svc_node_append(out, body->type == SVC_J_ARRAY ? body_sent(a, object, member) : body_sent_inside(a, f, member));
  }
  return out;
}

/* Checks that the OpenAPI document accepts a body that the service has accepted. */
static void body_compare(const svc_plan *plan, const svc_node *body, const char *text)
{
  size_t i;
  for (i = 0; i < sizeof body_lenient / sizeof body_lenient[0]; i++)
    if (strcmp(plan->route->op, body_lenient[i]) == 0) return;
  if (!t_schema_fits(&body_document, t_schema_of_body(&body_document, plan), body))
    t_complain(plan, "%.600s is accepted, and the OpenAPI document says %s", text, body_document.why);
}

static void body_send(t_world *w, const svc_plan *plan, const svc_snapshot *before, svc_arena *a, const svc_node *body)
{
  svc_buf b = svc_buf_new(a, 1024);
  int64_t now = w->t.now;
  const char *text;
  uint64_t state;
  int status;
  svc_node_write(&b, body);
  text = svc_buf_done(&b).p;
  state = t_state(&w->t);
  status = t_send(&w->t, t_method(plan), w->path, text);
  if (status >= 500 && strcmp(t_error(&w->t), "CANNOT_DECREASE_DISK_SIZE") != 0) /* a refusal with the status of the public API */
    t_complain(plan, "%.600s: %.300s", text, w->t.response.body);
  if (status >= 300 && state && t_state(&w->t) != state) t_complain(plan, "%.600s: refused with %d, and something was stored", text, status);
  if (status >= 300) return;
  body_compare(plan, body_sent(a, plan->route->body ? plan->route->body : plan->noun->noun->object, body), text);
  body_accepted(w, plan, text);
  w->t.now = now;
  munit_assert_int(svc_snapshot_restore(w->t.s, before), ==, SVC_OK);
}

/* Sends a route's single changes, or every n-th of them, one by one. Returns the number of all single changes. */
static long body_single(t_world *w, const svc_plan *plan, const svc_snapshot *before)
{
  long n, step = getenv("SVC_TEST_ALL") ? 1 : BODY_SAMPLE;
  for (n = 0;; n++) {
    svc_arena arena;
    svc_node *body;
    bool more;
    svc_arena_init(&arena, NULL);
    body = body_parse(&arena, w->body);
    more = body_changed(&arena, w, plan, body, n);
    if (more && n % step == 0) body_send(w, plan, before, &arena, body);
    svc_blocks_free(arena.blocks);
    if (!more) return n;
  }
}

/* Adds all optional fields to a valid body, with generated values; existing fields stay. */
static void body_fill(svc_arena *a, const t_world *w, const svc_plan *plan, svc_node *body)
{
  const svc_object *object = svc_object_of(plan->route->body ? plan->route->body : plan->noun->noun->object, body);
  body_change b = { a, w, 0 };
  svc_fields fields;
  const svc_field *f;
  if (!object || svc_object_ext_of(object)->choice || body->type != SVC_J_OBJECT) return;
  svc_fields_begin(&fields, object);
  while ((f = svc_fields_next(&fields)) != NULL) {
    svc_node *value = f->flags & SVC_READ_ONLY || svc_node_get(body, f->name) ? NULL : body_value(&b, f, 1, BODY_DEEP);
    if (value) body_put(&b, body, f, value);
  }
}

/* Sends bodies with several changes at once, chosen by a fixed random sequence. */
static void body_mixed(t_world *w, const svc_plan *plan, const svc_snapshot *before, long count)
{
  uint64_t chance = 0x9E3779B97F4A7C15u;
  int tries, times, most = getenv("SVC_TEST_ALL") ? 20 * BODY_MIXED : BODY_MIXED;
  for (tries = 0; tries < most && count > 0; tries++) {
    svc_arena arena;
    svc_node *body;
    svc_arena_init(&arena, NULL);
    body = body_parse(&arena, w->body);
    if (tries % 4 == 3) body_fill(&arena, w, plan, body);
    for (times = 0; times < 2 + tries % 3; times++) {
      chance = chance * 6364136223846793005u + 1442695040888963407u;
      body_changed(&arena, w, plan, body, (long)((chance >> 33) % (uint64_t)count));
    }
    body_send(w, plan, before, &arena, body);
    svc_blocks_free(arena.blocks);
  }
}

static bool body_takes(const t_world *w, const svc_plan *plan)
{
  if (plan->route->method == SVC_GET || plan->route->method == SVC_DELETE) return false;
  if (plan->route->flags & (SVC_ABSOLUTE | SVC_NO_BODY | SVC_RAW_BODY) || t_world_elsewhere(plan)) return false;
  return !t_ended(&w->t, plan) && (plan->route->body || plan->noun->noun->object);
}

TEST(every_body, each)
{
  static t_world w;
  svc_snapshot *before;
  size_t i, count = 1;
  for (i = 0; i < count; i++) {
    const svc_plan *plan;
    t_world_open(&w);
    count = w.t.s->plan_count;
    plan = &w.t.s->plans[i];
    if (i == 0) t_schema_open(&body_document, w.t.s);
    if (body_takes(&w, plan) && t_world_ready(&w, plan) && w.has_body) {
      munit_assert_int(svc_snapshot_take(w.t.s, &before), ==, SVC_OK);
      body_mixed(&w, plan, before, body_single(&w, plan, before));
      svc_snapshot_free(before);
    }
    t_world_close(&w);
  }
  t_schema_close(&body_document);
  t_complaints_end();
}

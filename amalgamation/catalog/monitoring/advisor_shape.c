/*
** Shapes of queries: the fields that a query uses and how it uses them, without values.
**
**   equality   {"a":1}, $eq, $in, $all
**   sort       each field of the sort, with its direction; not fields that an equality fixes
**   range      every other comparison: $gt, $ne, $regex, $exists, $elemMatch, $not
**   other      uses that no index on fields serves: within $or, $nor, $expr, text and places
**
** The parts of $and count like the query itself. Queries on the same namespace that use the same fields in the same way
** have one shape. Sorting groups them, so the cost is that of a sort. Of more than a thousand shapes, those with the most
** wasted time stay: the time spent on documents that were examined but not returned.
*/
#include "catalog/monitoring/advisor_parts.h"

enum { ADVISOR_SHAPE_DEPTH = 8 };

/* --------------------------------------------------------------------------------------------------------------- fields */

static bool advisor_shape_is(svc_str name, const char *const *list)
{
  while (*list && !svc_str_is(name, *list)) list++;
  return *list != NULL;
}

static svc_used_field *advisor_shape_find(svc_used_fields *f, svc_str path)
{
  size_t i;
  for (i = 0; i < f->count; i++)
    if (svc_str_eq(f->at[i].path, path)) return &f->at[i];
  return NULL;
}

/* If a query uses a field twice, the use that an index serves best counts. */
static void advisor_shape_add(svc_used_fields *f, svc_str path, int use)
{
  svc_used_field *there = advisor_shape_find(f, path);
  if (there && use < there->use) there->use = use;
  if (there || f->count == SVC_ADVISOR_KEYS) return;
  f->at[f->count].path = path;
  f->at[f->count].direction = 1;
  f->at[f->count++].use = use;
}

static int advisor_shape_use(const svc_node *value)
{
  static const char *const equal[] = { "$all", "$eq", "$in", NULL };
  static const char *const other[] = { "$geoIntersects", "$geoWithin", "$near", "$nearSphere", "$where", NULL };
  const svc_node *op;
  int use = SVC_USE_OTHER;
  if (value->type != SVC_J_OBJECT || !value->first || !svc_str_starts(value->first->name, "$")) return SVC_USE_EQUAL;
  for (op = value->first; op; op = op->next) {
    int one = advisor_shape_is(op->name, equal) ? SVC_USE_EQUAL : advisor_shape_is(op->name, other) ? SVC_USE_OTHER : SVC_USE_RANGE;
    if (one < use) use = one;
  }
  return use;
}

static void advisor_shape_filter(svc_used_fields *f, const svc_node *filter, bool other, int depth)
{
  const svc_node *member, *part;
  if (!filter || filter->type != SVC_J_OBJECT || depth == ADVISOR_SHAPE_DEPTH) return;
  for (member = filter->first; member; member = member->next) {
    bool all = svc_str_is(member->name, "$and");
    if (!svc_str_starts(member->name, "$")) {
      advisor_shape_add(f, member->name, other ? SVC_USE_OTHER : advisor_shape_use(member));
      continue;
    }
    if (!all) advisor_shape_add(f, member->name, SVC_USE_OTHER);
    for (part = member->type == SVC_J_ARRAY ? member->first : NULL; part; part = part->next)
      advisor_shape_filter(f, part, other || !all, depth + 1);
  }
}

static void advisor_shape_sort(svc_used_fields *f, const svc_node *sort)
{
  const svc_node *one, *member;
  svc_used_field *field;
  int64_t direction;
  for (one = svc_node_first(sort); one; one = one->next) {
    member = one->type == SVC_J_OBJECT ? one->first : NULL;
    if (!member || member->type != SVC_J_NUMBER || !svc_json_number_i64(member->text, &direction) || (direction != 1 && direction != -1)) continue;
    field = advisor_shape_find(f, member->name);
    if (field && (field->use == SVC_USE_EQUAL || field->use == SVC_USE_SORT)) continue;
    /* the field takes its place in the sort */
    if (field) memmove(field, field + 1, (size_t)(f->at + f->count - field - 1) * sizeof *field), f->count--;
    advisor_shape_add(f, member->name, SVC_USE_SORT);
    field = advisor_shape_find(f, member->name);
    if (field) field->direction = (int)direction;
  }
}

static bool advisor_shape_before(const svc_used_field *a, const svc_used_field *b)
{
  if (a->use != b->use) return a->use < b->use;
  return a->use != SVC_USE_SORT && svc_str_order(a->path, b->path) < 0;
}

SVC_PRIVATE void svc_used_fields_of(const svc_node *filter, const svc_node *sort, svc_used_fields *out)
{
  size_t i, j;
  out->count = 0;
  advisor_shape_filter(out, filter, false, 0);
  advisor_shape_sort(out, sort);
  for (i = 1; i < out->count; i++) { /* a short list; fields of the sort stay in their order */
    svc_used_field one = out->at[i];
    for (j = i; j > 0 && advisor_shape_before(&one, &out->at[j - 1]); j--) out->at[j] = out->at[j - 1];
    out->at[j] = one;
  }
}

/* --------------------------------------------------------------------------------------------------------------- shapes */

SVC_PRIVATE svc_str svc_advisor_id(svc_call *c, svc_str text)
{
  static const uint64_t keys[2][2] = { { 0x73686170, 1 }, { 0x73686170, 2 } };
  return svc_arena_print(c->arena, "%016llx%08llx", (unsigned long long)svc_sip(keys[0], text),
                         (unsigned long long)(svc_sip(keys[1], text) >> 32));
}

static svc_str advisor_shape_text(svc_call *c, const svc_ran *r, const svc_used_fields *f)
{
  svc_buf b = svc_buf_new(c->arena, 128);
  size_t i;
  svc_buf_str(&b, r->namespace);
  for (i = 0; i < f->count; i++) {
    svc_buf_char(&b, '\n');
    svc_buf_char(&b, f->at[i].direction < 0 ? 'd' : "esro"[f->at[i].use]);
    svc_buf_str(&b, f->at[i].path);
  }
  return svc_buf_done(&b);
}

static int advisor_shape_together(const void *a, const void *b)
{
  const svc_ran *one = *(const svc_ran *const *)a, *other = *(const svc_ran *const *)b;
  int order = svc_str_order(one->shape, other->shape);
  return order ? order : (one > other) - (one < other); /* pointers are in order of time */
}

static int advisor_shape_worst(const void *a, const void *b)
{
  const svc_shape *one = a, *other = b;
  if (one->wasted != other->wasted) return one->wasted > other->wasted ? -1 : 1;
  return svc_str_order(one->text, other->text);
}

static int64_t advisor_shape_wasted(const svc_ran *r)
{
  int64_t millionths = r->examined > r->returned ? (r->examined - r->returned) * 1000000 / r->examined : 0;
  return r->micros / 1000000 * millionths + r->micros % 1000000 * millionths / 1000000;
}

static void advisor_shape_sum(svc_shape *s)
{
  size_t i;
  for (i = 0; i < s->ran_count; i++) {
    s->count += s->ran[i]->count;
    s->micros += s->ran[i]->micros;
    s->examined += s->ran[i]->examined;
    s->returned += s->ran[i]->returned;
    s->wasted += advisor_shape_wasted(s->ran[i]);
  }
}

SVC_PRIVATE bool svc_shapes_of(svc_call *c, const svc_rans *ran, svc_shapes *out)
{
  const svc_ran **sorted = svc_arena_alloc(c->arena, (ran->count + 1) * sizeof *sorted);
  svc_used_fields fields;
  size_t i;
  memset(out, 0, sizeof *out);
  out->at = svc_arena_zero(c->arena, (ran->count + 1) * sizeof *out->at);
  if (!sorted || !out->at) return svc_no_memory(c);
  for (i = 0; i < ran->count; i++) {
    svc_used_fields_of(svc_node_get(ran->at[i].said, "filter"), svc_node_get(ran->at[i].said, "sort"), &fields);
    ran->at[i].shape = advisor_shape_text(c, &ran->at[i], &fields);
    sorted[i] = &ran->at[i];
    out->micros += ran->at[i].micros;
  }
  if (c->arena->failed) return svc_no_memory(c);
  qsort(sorted, ran->count, sizeof *sorted, advisor_shape_together);
  for (i = 0; i < ran->count; i++) {
    svc_shape *s = out->count ? &out->at[out->count - 1] : NULL;
    if (!s || !svc_str_eq(s->text, sorted[i]->shape)) {
      s = &out->at[out->count++];
      s->text = sorted[i]->shape;
      s->namespace = sorted[i]->namespace;
      s->ran = &sorted[i];
    }
    s->ran_count++;
  }
  for (i = 0; i < out->count; i++) advisor_shape_sum(&out->at[i]);
  qsort(out->at, out->count, sizeof *out->at, advisor_shape_worst);
  if (out->count > SVC_SHAPES_MOST) out->count = SVC_SHAPES_MOST;
  for (i = 0; i < out->count; i++) {
    const svc_node *said = out->at[i].ran[0]->said;
    out->at[i].id = svc_advisor_id(c, out->at[i].text);
    out->at[i].fields = svc_arena_alloc(c->arena, sizeof *out->at[i].fields);
    if (!out->at[i].fields) return svc_no_memory(c);
    svc_used_fields_of(svc_node_get(said, "filter"), svc_node_get(said, "sort"), out->at[i].fields);
  }
  return c->arena->failed ? svc_no_memory(c) : true;
}

/* ------------------------------------------------------------------------------------------------------ without values */

static void advisor_shape_strip(svc_buf *b, const svc_node *node)
{
  static const char *const types[] = { "null", "bool", "number", "string" };
  const svc_node *one;
  if (node->type == SVC_J_OBJECT) {
    svc_buf_char(b, '{');
    for (one = node->first; one; one = one->next) {
      svc_json_escape(b, one->name);
      svc_buf_char(b, ':');
      advisor_shape_strip(b, one);
      if (one->next) svc_buf_char(b, ',');
    }
    svc_buf_char(b, '}');
  } else if (node->type == SVC_J_ARRAY) { /* the number of elements does not belong to the shape */
    svc_buf_char(b, '[');
    if (node->first) advisor_shape_strip(b, node->first);
    svc_buf_char(b, ']');
  } else {
    svc_buf_text(b, "\"?");
    svc_buf_text(b, types[node->type]);
    svc_buf_char(b, '"');
  }
}

SVC_PRIVATE void svc_shape_write(svc_buf *b, const svc_ran *ran)
{
  const svc_node *filter = svc_node_get(ran->said, "filter"), *sort = svc_node_get(ran->said, "sort");
  svc_buf_text(b, "{\"command\":");
  svc_json_escape(b, ran->op);
  if (filter) svc_buf_text(b, ",\"filter\":"), advisor_shape_strip(b, filter);
  if (sort) svc_buf_text(b, ",\"sort\":"), svc_node_write(b, sort);
  svc_buf_char(b, '}');
}

/* -------------------------------------------------------------------------------------------------------------- hashes */

SVC_PRIVATE svc_str svc_query_shape_capitals(svc_call *c, svc_str hash)
{
  svc_str copy = svc_arena_copy(c->arena, hash);
  char *p = (char *)(uintptr_t)copy.p;
  size_t i;
  for (i = 0; i < copy.n; i++)
    if (p[i] >= 'a' && p[i] <= 'f') p[i] = (char)(p[i] - 'a' + 'A');
  return copy;
}

SVC_PRIVATE bool svc_query_shape_hash(svc_call *c, svc_str *out)
{
  *out = svc_query_shape_capitals(c, svc_path_param(c, "queryShapeHash"));
  if (svc_pattern_match("^[A-F0-9]{64}$", *out)) return true;
  if (c->arena->failed) return svc_no_memory(c);
  return svc_fail_as(c, SVC_S("The path parameter queryShapeHash must be 64 hexadecimal digits."), SVC_E_INVALID_PATH_PARAMETER, "s",
                     "queryShapeHash");
}

SVC_PRIVATE const svc_ran *svc_query_shape_newest(const svc_rans *ran, svc_str hash)
{
  size_t i;
  for (i = ran->count; i > 0; i--)
    if (svc_node_eq(ran->at[i - 1].said, "queryShapeHash", hash)) return &ran->at[i - 1];
  return NULL;
}

SVC_PRIVATE svc_str svc_query_shape_of(svc_call *c, const svc_ran *ran)
{
  svc_str said = svc_node_str(ran->said, "queryShape");
  svc_buf b;
  if (said.n) return said;
  b = svc_buf_new(c->arena, 256);
  svc_shape_write(&b, ran);
  return svc_buf_done(&b);
}

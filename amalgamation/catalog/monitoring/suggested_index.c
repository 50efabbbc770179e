/*
** Suggested indexes of a process or a cluster, computed from its slow queries ("slowQueries") and its existing indexes
** ("collections"). Nothing is stored.
**
** The rules:
**   - Queries of one shape (advisor_shape.c) count together. The inefficiency of a shape is the number of documents examined
**     per returned document.
**   - A shape with wasted time suggests an index: the fields with equality, then those of the sort in order and direction,
**     then those with a range. A shape with _id by equality suggests none, because that index finds the document. A shape
**     without such fields suggests none either.
**   - An existing index is not suggested again. An existing index serves a shape by its first keys, regardless of the order of the
**     equality fields, the order of the range fields, and the direction of the whole sort. A hidden, sparse or partial index,
**     or one of another kind, serves no shape.
**   - If one suggestion also serves the shape of another, only the first one stays, for the shapes of both.
**   - The weight of a suggestion is the percentage of the time of all slow queries that was spent on documents which were
**     examined for its shapes but not returned. So count, duration and inefficiency all have an effect. The greatest weight
**     comes first.
*/
#include "catalog/monitoring/advisor_parts.h"

static const svc_field suggested_index_stats_fields[] = {
  F_LONG("ms", .flags = SVC_READ_ONLY),
  F_LONG("nReturned", .flags = SVC_READ_ONLY),
  F_LONG("nScanned", .flags = SVC_READ_ONLY),
  F_LONG("ts", .flags = SVC_READ_ONLY) /* seconds since 1970 */
};
static const svc_object suggested_index_stats = { .name = "PerformanceAdvisorOpStats", .fields = SVC_ROWS(suggested_index_stats_fields) };
static const svc_field suggested_index_operation_fields[] = {
  { .name = "predicates", .type = SVC_ARRAY, .item = SVC_ANY, .flags = SVC_READ_ONLY },
  F_OBJ("stats", &suggested_index_stats, .flags = SVC_READ_ONLY)
};
static const svc_object suggested_index_operation = { .name = "PerformanceAdvisorOperationView", .fields = SVC_ROWS(suggested_index_operation_fields) };
static const svc_field suggested_index_shape_fields[] = {
  F_LONG("avgMs", .flags = SVC_READ_ONLY),
  F_LONG("count", .flags = SVC_READ_ONLY),
  F_HEX24("id", .flags = SVC_READ_ONLY),
  F_LONG("inefficiencyScore", .flags = SVC_READ_ONLY),
  F_STR("namespace", .flags = SVC_READ_ONLY),
  F_LIST("operations", &suggested_index_operation, .flags = SVC_READ_ONLY)
};
static const svc_object suggested_index_shape = { .name = "PerformanceAdvisorShape", .fields = SVC_ROWS(suggested_index_shape_fields) };
static const svc_field suggested_index_one_fields[] = {
  F_NUM("avgObjSize", .flags = SVC_READ_ONLY),
  F_HEX24("id", .flags = SVC_READ_ONLY),
  F_STRS("impact", .flags = SVC_READ_ONLY), /* ids of shapes */
  { .name = "index", .type = SVC_ARRAY, .item = SVC_ANY, .flags = SVC_READ_ONLY }, /* {"a":1} */
  F_STR("namespace", .flags = SVC_READ_ONLY),
  F_NUM("weight", .flags = SVC_READ_ONLY)
};
static const svc_object suggested_index_one = { .name = "PerformanceAdvisorIndex", .fields = SVC_ROWS(suggested_index_one_fields) };
static const svc_field suggested_index_fields[] = {
  F_LIST("shapes", &suggested_index_shape, .flags = SVC_READ_ONLY),
  F_LIST("suggestedIndexes", &suggested_index_one, .flags = SVC_READ_ONLY)
};
static const svc_object suggested_index_object = { .name = "PerformanceAdvisorResponse", .fields = SVC_ROWS(suggested_index_fields) };

static bool suggested_index_ask(svc_call *c);
static bool suggested_index_on_reply(svc_call *c, const svc_reply *reply);

enum { SUGGESTED_INDEX_EXAMPLES = 5 };

/* The parameters of pages, although the answer is not a paged list. */
static const svc_param suggested_index_params[] = {
  SVC_ADVISOR_DURATION,
  { .name = "includeCount", .type = SVC_BOOLEAN, .flags = SVC_PARAM_MOOT }, /* the answer has no count */
  { .name = "itemsPerPage", .type = SVC_INT32, .min = 1, .max = 500 },
  { .name = "nExamples", .type = SVC_INT64, .min = 0, .max = 1000 },
  { .name = "nIndexes", .type = SVC_INT64, .min = 0, .max = SVC_SHAPES_MOST },
  SVC_ADVISOR_NAMESPACES,
  { .name = "pageNum", .type = SVC_INT32, .min = 1, .max = INT32_MAX },
  SVC_ADVISOR_TIME("since"),
  { .name = NULL }
};
static const svc_param suggested_index_cluster_params[] = {
  SVC_ADVISOR_NAMESPACES, SVC_ADVISOR_PROCESSES, SVC_ADVISOR_TIME("since"), SVC_ADVISOR_TIME("until"), { .name = NULL }
};

static const svc_route suggested_index_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/processes/{processId}/performanceAdvisor/suggestedIndexes",
    .set = SVC_SET_PERFORMANCE_ADVISOR, .versions = { 20230101 }, .roles = SVC_R_GROUP_READ_ONLY, .params = suggested_index_params,
    .op = "listSuggestedIndexes", .run = suggested_index_ask, .on_reply = suggested_index_on_reply },
  { .method = SVC_GET, .path = "/groups/{groupId}/clusters/{clusterName}/performanceAdvisor/suggestedIndexes",
    .set = SVC_SET_PERFORMANCE_ADVISOR, .versions = { 20240805 }, .roles = SVC_R_GROUP_READ_ONLY,
    .params = suggested_index_cluster_params, .op = "listClusterSuggestedIndexes", .run = suggested_index_ask, .on_reply = suggested_index_on_reply }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static bool suggested_index_ask(svc_call *c)
{
  return svc_resolve(c, 1) && svc_project_allows(c, "isPerformanceAdvisorEnabled") && svc_advisor_ask(c, &svc_question_slow_queries);
}

/* ---- the rules */

typedef struct suggested_index {
  const svc_shape *shape; /* the shape that suggests the index */
  int64_t wasted;
  svc_str id;
  const svc_reply_collection *collection; /* NULL: unknown */
} suggested_index;

/* The keys of an existing index or of a suggestion. */
typedef struct suggested_index_keys {
  svc_used_field at[SVC_ADVISOR_KEYS];
  size_t count;
} suggested_index_keys;

static bool suggested_index_parse(const svc_reply_index *index, suggested_index_keys *out)
{
  const svc_node *one;
  int64_t direction;
  out->count = 0;
  if (index->hidden || svc_node_get(index->options, "sparse") || svc_node_get(index->options, "partialFilterExpression")) return false;
  /* the reply was checked against this limit */
  for (one = index->keys->first; one && SVC_ALWAYS(out->count < SVC_ADVISOR_KEYS); one = one->next) {
    const svc_node *key = one->type == SVC_J_OBJECT ? one->first : NULL;
    if (!key || key->type != SVC_J_NUMBER || !svc_json_number_i64(key->text, &direction)) return false;
    out->at[out->count].path = key->name;
    out->at[out->count++].direction = direction < 0 ? -1 : 1;
  }
  return true;
}

static size_t suggested_index_length(const svc_used_fields *f)
{
  size_t n = 0;
  while (n < f->count && f->at[n].use != SVC_USE_OTHER) n++;
  return n;
}

static bool suggested_index_among(const svc_used_fields *f, int use, svc_str path)
{
  size_t i;
  for (i = 0; i < f->count; i++)
    if (f->at[i].use == use && svc_str_eq(f->at[i].path, path)) return true;
  return false;
}

/* Whether the first keys serve these fields. Neither list has duplicates, so it suffices that each key is among the fields. */
static bool suggested_index_serves(const suggested_index_keys *keys, const svc_used_fields *f)
{
  size_t n = suggested_index_length(f), i;
  int turned = 0; /* 1: the sort runs like the keys; -1: the other way; the whole sort must agree */
  if (keys->count < n) return false;
  for (i = 0; i < n; i++) {
    const svc_used_field *want = &f->at[i];
    if (want->use != SVC_USE_SORT) {
      if (!suggested_index_among(f, want->use, keys->at[i].path)) return false;
      continue;
    }
    if (!svc_str_eq(want->path, keys->at[i].path)) return false;
    if (!turned) turned = want->direction * keys->at[i].direction;
    if (want->direction * keys->at[i].direction != turned) return false;
  }
  return true;
}

static bool suggested_index_exists(const svc_reply_collection *at, const svc_used_fields *f)
{
  suggested_index_keys keys;
  size_t i;
  for (i = 0; at && i < at->count; i++)
    if (suggested_index_parse(&at->indexes[i], &keys) && suggested_index_serves(&keys, f)) return true;
  return false;
}

static void suggested_index_keys_of(const svc_used_fields *f, suggested_index_keys *out)
{
  out->count = suggested_index_length(f);
  memcpy(out->at, f->at, out->count * sizeof *out->at);
}

static int suggested_index_longest(const void *a, const void *b)
{
  const suggested_index *one = a, *other = b;
  size_t m = suggested_index_length(one->shape->fields), n = suggested_index_length(other->shape->fields);
  if (m != n) return m > n ? -1 : 1;
  return svc_str_order(one->shape->text, other->shape->text);
}

static int suggested_index_weightiest(const void *a, const void *b)
{
  const suggested_index *one = a, *other = b;
  if (one->wasted != other->wasted) return one->wasted > other->wasted ? -1 : 1;
  return svc_str_order(one->shape->text, other->shape->text);
}

/* Merges suggestions. Longer ones come first, so a suggestion that serves another one precedes it. Returns the number that
** stays. */
static size_t suggested_index_join(suggested_index *all, size_t count)
{
  suggested_index_keys keys;
  size_t i, j, n = 0;
  for (i = 0; i < count; i++) {
    for (j = 0; j < n; j++) {
      if (!svc_str_eq(all[j].shape->namespace, all[i].shape->namespace)) continue;
      suggested_index_keys_of(all[j].shape->fields, &keys);
      if (suggested_index_serves(&keys, all[i].shape->fields)) break;
    }
    if (j < n) all[j].wasted += all[i].wasted;
    else all[n++] = all[i];
  }
  return n;
}

/* Computes all suggestions, the greatest weight first. *count: their number. */
static bool suggested_index_find(svc_call *c, const svc_shapes *shapes, const svc_reply_collections *has, suggested_index **out, size_t *count)
{
  suggested_index *all = svc_arena_zero(c->arena, (shapes->count + 1) * sizeof *all);
  size_t i, n = 0;
  if (!all) return svc_no_memory(c);
  for (i = 0; i < shapes->count; i++) {
    const svc_shape *s = &shapes->at[i];
    const svc_reply_collection *at = svc_collection_named(has, s->namespace);
    if (!s->wasted || !suggested_index_length(s->fields) || suggested_index_among(s->fields, SVC_USE_EQUAL, SVC_S("_id"))) continue;
    if (suggested_index_exists(at, s->fields)) continue;
    all[n++] = (suggested_index){ .shape = s, .wasted = s->wasted, .collection = at };
  }
  qsort(all, n, sizeof *all, suggested_index_longest);
  n = suggested_index_join(all, n);
  qsort(all, n, sizeof *all, suggested_index_weightiest);
  *out = all;
  *count = n;
  return true;
}

/* ---- the answer */

static svc_node *suggested_index_new(svc_call *c, int type, const char *name)
{
  svc_node *node = svc_node_new(c->arena, type, svc_str_c(name), SVC_S(""));
  if (!node) (void)svc_no_memory(c);
  return node;
}

static svc_node *suggested_index_example(svc_call *c, const svc_ran *r)
{
  static const char *const parts[][2] = { { "filter", "find" }, { "sort", "sort" } };
  svc_node *out = suggested_index_new(c, SVC_J_OBJECT, ""), *list = suggested_index_new(c, SVC_J_ARRAY, "predicates");
  svc_node *stats = suggested_index_new(c, SVC_J_OBJECT, "stats"), *one, *copy;
  size_t i;
  if (!out || !list || !stats) return NULL;
  for (i = 0; i < 2; i++) {
    const svc_node *part = svc_node_get(r->said, parts[i][0]);
    if (!part) continue;
    one = suggested_index_new(c, SVC_J_OBJECT, "");
    copy = svc_node_copy(c->arena, part);
    if (!one || !copy) return NULL;
    copy->name = svc_str_c(parts[i][1]);
    svc_node_append(one, copy);
    svc_node_append(list, one);
  }
  svc_node_set_i64(c->arena, stats, "ms", r->micros / r->count / 1000);
  svc_node_set_i64(c->arena, stats, "nReturned", r->returned / r->count);
  svc_node_set_i64(c->arena, stats, "nScanned", r->examined / r->count);
  svc_node_set_i64(c->arena, stats, "ts", r->at / 1000);
  svc_node_put(c->arena, out, list);
  svc_node_put(c->arena, out, stats);
  return out;
}

/* Shows a shape with its newest queries as examples. */
static svc_node *suggested_index_show_shape(svc_call *c, const svc_shape *s, size_t examples)
{
  svc_node *out = suggested_index_new(c, SVC_J_OBJECT, ""), *list = suggested_index_new(c, SVC_J_ARRAY, "operations"), *one;
  size_t i;
  if (!out || !list) return NULL;
  svc_node_set_i64(c->arena, out, "avgMs", s->micros / s->count / 1000);
  svc_node_set_i64(c->arena, out, "count", s->count);
  svc_node_set_str(c->arena, out, "id", s->id);
  svc_node_set_i64(c->arena, out, "inefficiencyScore", s->examined / (s->returned ? s->returned : 1));
  svc_node_set_str(c->arena, out, "namespace", s->namespace);
  for (i = s->ran_count; i > 0 && s->ran_count - i < examples; i--) {
    one = suggested_index_example(c, s->ran[i - 1]);
    if (!one) return NULL;
    svc_node_append(list, one);
  }
  svc_node_put(c->arena, out, list);
  return out;
}

static bool suggested_index_append(svc_node *list, svc_node *one)
{
  if (one) svc_node_append(list, one);
  return one != NULL;
}

/* Lists the shapes that the suggestion serves, and marks them: the answer has each shape once, for all suggestions. */
static bool suggested_index_impact(svc_call *c, const suggested_index *s, const svc_shapes *shapes, bool *shown, svc_node *to)
{
  suggested_index_keys keys;
  size_t i;
  suggested_index_keys_of(s->shape->fields, &keys);
  for (i = 0; i < shapes->count; i++) {
    const svc_shape *shape = &shapes->at[i];
    if (!svc_str_eq(shape->namespace, s->shape->namespace) || !shape->wasted || !suggested_index_length(shape->fields)) continue;
    if (!suggested_index_serves(&keys, shape->fields) || suggested_index_among(shape->fields, SVC_USE_EQUAL, SVC_S("_id")) ||
        suggested_index_exists(s->collection, shape->fields))
      continue;
    shown[i] = true;
    if (!svc_node_add_str(c->arena, to, shape->id)) return svc_no_memory(c);
  }
  return true;
}

static svc_node *suggested_index_show(svc_call *c, const suggested_index *s, const svc_shapes *shapes, bool *shown)
{
  svc_node *out = suggested_index_new(c, SVC_J_OBJECT, ""), *impact = suggested_index_new(c, SVC_J_ARRAY, "impact");
  svc_node *index = suggested_index_new(c, SVC_J_ARRAY, "index"), *key;
  const svc_used_fields *f = s->shape->fields;
  svc_buf b = svc_buf_new(c->arena, 128);
  size_t i;
  if (!out || !impact || !index || !suggested_index_impact(c, s, shapes, shown, impact)) return NULL;
  svc_buf_str(&b, s->shape->namespace);
  for (i = 0; i < suggested_index_length(f); i++) {
    key = suggested_index_new(c, SVC_J_OBJECT, "");
    if (!key) return NULL;
    svc_node_append(index, key);
    svc_node_append(key, svc_node_new(c->arena, SVC_J_NUMBER, f->at[i].path, f->at[i].direction < 0 ? SVC_S("-1") : SVC_S("1")));
    svc_buf_text(&b, f->at[i].direction < 0 ? "\n-" : "\n+");
    svc_buf_str(&b, f->at[i].path);
  }
  if (s->collection && svc_node_get(s->collection->said, "averageBytes"))
    svc_node_set_i64(c->arena, out, "avgObjSize", svc_node_i64(s->collection->said, "averageBytes", 0));
  svc_node_set_str(c->arena, out, "id", svc_advisor_id(c, svc_buf_done(&b)));
  svc_node_put(c->arena, out, impact);
  svc_node_put(c->arena, out, index);
  svc_node_set_str(c->arena, out, "namespace", s->shape->namespace);
  svc_advisor_ratio(c, out, "weight", s->wasted * 100, shapes->micros);
  return out;
}

static int64_t suggested_index_given(svc_call *c, const char *param, int64_t otherwise)
{
  const svc_query_value *given = svc_query_get(c, param);
  return given ? given->number : otherwise;
}

static bool suggested_index_answer(svc_call *c, const suggested_index *all, size_t count, const svc_shapes *shapes)
{
  svc_node *body = suggested_index_new(c, SVC_J_OBJECT, ""), *list = suggested_index_new(c, SVC_J_ARRAY, "suggestedIndexes");
  svc_node *shown = suggested_index_new(c, SVC_J_ARRAY, "shapes");
  bool *marks = svc_arena_zero(c->arena, shapes->count + 1);
  int64_t most = suggested_index_given(c, "nIndexes", SVC_SHAPES_MOST), page = suggested_index_given(c, "pageNum", 1);
  int64_t per_page = suggested_index_given(c, "itemsPerPage", svc_query_get(c, "pageNum") ? 100 : SVC_SHAPES_MOST), i;
  size_t examples = (size_t)suggested_index_given(c, "nExamples", SUGGESTED_INDEX_EXAMPLES), j;
  if (!body || !list || !shown || !marks) return svc_no_memory(c);
  if (most > (int64_t)count) most = (int64_t)count;
  for (i = (page - 1) * per_page; i < most && i < page * per_page; i++)
    if (!suggested_index_append(list, suggested_index_show(c, &all[i], shapes, marks))) return svc_no_memory(c);
  for (j = 0; j < shapes->count; j++)
    if (marks[j] && !suggested_index_append(shown, suggested_index_show_shape(c, &shapes->at[j], examples))) return svc_no_memory(c);
  svc_node_put(c->arena, body, shown);
  svc_node_put(c->arena, body, list);
  return c->arena->failed ? svc_no_memory(c) : svc_answer_node(c, body);
}

static bool suggested_index_on_reply(svc_call *c, const svc_reply *reply)
{
  svc_reply_collections has;
  svc_shapes shapes;
  suggested_index *all = NULL;
  svc_reply also;
  svc_rans ran;
  size_t count = 0;
  if (!svc_advisor_reply(c, &svc_question_slow_queries, reply, &ran) || !svc_shapes_of(c, &ran, &shapes)) return false;
  if (!svc_advisor_also(c, &svc_question_collections, &also) || !svc_collections_read(c, &also, &has)) return false;
  return suggested_index_find(c, &shapes, &has, &all, &count) && suggested_index_answer(c, all, count, &shapes);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_suggested_index = {
  .name = "suggested index",
  .rel = "suggestedIndex",
  .parent = "cluster",
  .flags = SVC_VIRTUAL,
  .object = &suggested_index_object,
  .questions = SVC_ASKS(&svc_question_slow_queries, &svc_question_collections),
  .routes = SVC_ROUTES(suggested_index_routes),
};

/*
** Advice on the schema of a cluster, computed from its collections ("collections") and the slow queries of the last day
** ("slowQueries"). Nothing is stored. Triggers of advice for a collection:
**
**   REDUCE_LOOKUP_OPS                        a tenth of its slow queries, or a hundred of them, join another collection
**   AVOID_UNBOUNDED_ARRAY                    an array in a document has more than 10,000 elements
**   REDUCE_DOCUMENT_SIZE                     a document has more than 2 MiB
**   REMOVE_UNNECESSARY_INDEXES               the collection has 20 indexes or more
**   OPTIMIZE_CASE_INSENSITIVE_REGEX_QUERIES  a slow query searches a prefix regardless of case: use a case-insensitive index
**   OPTIMIZE_TEXT_QUERIES                    a slow query searches a text anywhere, regardless of case: use a search index
**
** Trigger for the whole cluster, without a namespace:
**
**   REDUCE_NUMBER_OF_NAMESPACES              the cluster has more than 10,000 collections
*/
#include "catalog/monitoring/advisor_parts.h"

enum {
  SCHEMA_ADVICE_PERCENT = 10,
  SCHEMA_ADVICE_LOOKUPS = 100,
  SCHEMA_ADVICE_ARRAY = 10000,
  SCHEMA_ADVICE_BYTES = 2 * 1024 * 1024,
  SCHEMA_ADVICE_INDEXES = 20,
  SCHEMA_ADVICE_NAMESPACES = 10000,
  SCHEMA_ADVICE_DEPTH = 8
};

/* ------------------------------------------------------------------------------------------------------ value lists */

enum schema_advice_kind { SCHEMA_ADVICE_LOOKUP, SCHEMA_ADVICE_UNBOUNDED, SCHEMA_ADVICE_SIZE, SCHEMA_ADVICE_NUM_INDEXES,
                          SCHEMA_ADVICE_COUNT, SCHEMA_ADVICE_REGEX, SCHEMA_ADVICE_TEXT, SCHEMA_ADVICE_KINDS };
static const char *const schema_advice_kinds[] = {
  "REDUCE_LOOKUP_OPS", "AVOID_UNBOUNDED_ARRAY", "REDUCE_DOCUMENT_SIZE", "REMOVE_UNNECESSARY_INDEXES", "REDUCE_NUMBER_OF_NAMESPACES",
  "OPTIMIZE_CASE_INSENSITIVE_REGEX_QUERIES", "OPTIMIZE_TEXT_QUERIES", NULL
};
static const char *const schema_advice_texts[] = {
  "Reduce $lookup operations: keep together what is read together.",
  "Avoid unbounded arrays: keep what grows without end in documents of its own.",
  "Reduce the size of documents: keep what is seldom read in documents of its own.",
  "Remove unnecessary indexes: each makes every write slower.",
  "Reduce the number of collections.",
  "Use a case-insensitive index in place of a case-insensitive $regex.",
  "Use a search index in place of a case-insensitive $regex that has no fixed beginning.",
};
static const char *const schema_advice_triggers[] = {
  "PERCENT_QUERIES_USE_LOOKUP", "NUMBER_OF_QUERIES_USE_LOOKUP", "DOCS_CONTAIN_UNBOUNDED_ARRAY", "NUMBER_OF_NAMESPACES",
  "DOC_SIZE_TOO_LARGE", "NUM_INDEXES", "QUERIES_CONTAIN_CASE_INSENSITIVE_REGEX", NULL
};

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field schema_advice_trigger_fields[] = {
  F_STR("description", .flags = SVC_READ_ONLY),
  F_ENUM("triggerType", schema_advice_triggers, .flags = SVC_READ_ONLY)
};
static const svc_object schema_advice_trigger = { .name = "SchemaAdvisorTriggerDetails", .fields = SVC_ROWS(schema_advice_trigger_fields) };
static const svc_field schema_advice_namespace_fields[] = {
  F_STR("namespace", .flags = SVC_READ_ONLY),
  F_LIST("triggers", &schema_advice_trigger, .flags = SVC_READ_ONLY)
};
static const svc_object schema_advice_namespace = { .name = "SchemaAdvisorNamespaceTriggers", .fields = SVC_ROWS(schema_advice_namespace_fields) };
static const svc_field schema_advice_item_fields[] = {
  F_LIST("affectedNamespaces", &schema_advice_namespace, .flags = SVC_READ_ONLY),
  F_STR("description", .flags = SVC_READ_ONLY),
  F_ENUM("recommendation", schema_advice_kinds, .flags = SVC_READ_ONLY)
};
static const svc_object schema_advice_item = { .name = "SchemaAdvisorItemRecommendation", .fields = SVC_ROWS(schema_advice_item_fields) };
static const svc_field schema_advice_fields[] = {
  F_LIST("recommendations", &schema_advice_item, .flags = SVC_READ_ONLY)
};
static const svc_object schema_advice_object = { .name = "SchemaAdvisorResponse", .fields = SVC_ROWS(schema_advice_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool schema_advice_ask(svc_call *c);
static bool schema_advice_on_reply(svc_call *c, const svc_reply *reply);

static const svc_route schema_advice_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/clusters/{clusterName}/performanceAdvisor/schemaAdvice",
    .set = SVC_SET_PERFORMANCE_ADVISOR, .versions = { 20240805 }, .roles = SVC_R_GROUP_READ_ONLY, .op = "listSchemaAdvice", .run = schema_advice_ask,
    .on_reply = schema_advice_on_reply }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static bool schema_advice_ask(svc_call *c)
{
  return svc_resolve(c, 1) && svc_project_allows(c, "isSchemaAdvisorEnabled") && svc_advisor_ask(c, &svc_question_slow_queries);
}

/* ---- collecting */

typedef struct schema_advice {
  svc_call *c;
  svc_node *lists[SCHEMA_ADVICE_KINDS]; /* affectedNamespaces per kind; NULL: none */
} schema_advice;

/* Adds a trigger; namespace empty: for the whole cluster. The triggers of a collection must be added one after the other. */
static void schema_advice_add(schema_advice *a, int kind, svc_str namespace, const char *trigger, svc_str text)
{
  svc_arena *arena = a->c->arena;
  svc_node *last, *list, *one = svc_node_object(arena, NULL);
  if (!a->lists[kind]) a->lists[kind] = svc_node_array(arena, "affectedNamespaces");
  if (!a->lists[kind] || !one) return;
  last = a->lists[kind]->last;
  if (!last || !svc_str_eq(svc_node_str(last, "namespace"), namespace)) {
    last = svc_node_object(arena, NULL);
    if (!last) return;
    if (namespace.n) svc_node_set_str(arena, last, "namespace", namespace);
    svc_node_put(arena, last, svc_node_array(arena, "triggers"));
    if (arena->failed) return;
    svc_node_append(a->lists[kind], last);
  }
  list = svc_node_get(last, "triggers");
  svc_node_set_str(arena, one, "description", text);
  svc_node_set_text(arena, one, "triggerType", trigger);
  svc_node_append(list, one);
}

/* ---- collections */

static void schema_advice_collection(schema_advice *a, const svc_reply_collection *at)
{
  int64_t longest = svc_node_i64(at->said, "longestArray", 0), largest = svc_node_i64(at->said, "largestBytes", 0);
  svc_arena *arena = a->c->arena;
  if (longest > SCHEMA_ADVICE_ARRAY)
    schema_advice_add(a, SCHEMA_ADVICE_UNBOUNDED, at->namespace, "DOCS_CONTAIN_UNBOUNDED_ARRAY",
                      svc_arena_print(arena, "An array has %lld elements.", (long long)longest));
  if (largest > SCHEMA_ADVICE_BYTES)
    schema_advice_add(a, SCHEMA_ADVICE_SIZE, at->namespace, "DOC_SIZE_TOO_LARGE",
                      svc_arena_print(arena, "A document has %lld bytes.", (long long)largest));
  if (at->count >= SCHEMA_ADVICE_INDEXES)
    schema_advice_add(a, SCHEMA_ADVICE_NUM_INDEXES, at->namespace, "NUM_INDEXES",
                      svc_arena_print(arena, "There are %zu indexes.", at->count));
}

/* ---- queries */

/* Looks for case-insensitive expressions in a filter; those that begin with ^ set *fixed. */
static void schema_advice_regex(const svc_node *filter, int depth, bool *fixed, bool *anywhere)
{
  const svc_node *regex = svc_node_get(filter, "$regex"), *member;
  svc_str options = svc_node_str(filter, "$options"), text = svc_node_str(filter, "$regex");
  if (regex && regex->type == SVC_J_STRING && options.n && memchr(options.p, 'i', options.n)) {
    if (svc_str_starts(text, "^")) *fixed = true;
    else *anywhere = true;
  }
  if (depth == SCHEMA_ADVICE_DEPTH || !filter) return;
  for (member = filter->first; member; member = member->next)
    if (member->type == SVC_J_OBJECT || member->type == SVC_J_ARRAY) schema_advice_regex(member, depth + 1, fixed, anywhere);
}

typedef struct schema_advice_sum { /* totals of the queries on a collection */
  int64_t count, lookups, fixed, anywhere;
} schema_advice_sum;

static void schema_advice_queries(schema_advice *a, svc_str namespace, const schema_advice_sum *s)
{
  svc_arena *arena = a->c->arena;
  if (s->lookups * 100 >= s->count * SCHEMA_ADVICE_PERCENT) /* count is at least 1 */
    schema_advice_add(a, SCHEMA_ADVICE_LOOKUP, namespace, "PERCENT_QUERIES_USE_LOOKUP",
                      svc_arena_print(arena, "%lld percent of the slow queries use $lookup.", (long long)(s->lookups * 100 / s->count)));
  if (s->lookups >= SCHEMA_ADVICE_LOOKUPS)
    schema_advice_add(a, SCHEMA_ADVICE_LOOKUP, namespace, "NUMBER_OF_QUERIES_USE_LOOKUP",
                      svc_arena_print(arena, "%lld slow queries use $lookup.", (long long)s->lookups));
  if (s->fixed)
    schema_advice_add(a, SCHEMA_ADVICE_REGEX, namespace, "QUERIES_CONTAIN_CASE_INSENSITIVE_REGEX",
                      svc_arena_print(arena, "%lld slow queries have a case-insensitive $regex with a fixed beginning.", (long long)s->fixed));
  if (s->anywhere)
    schema_advice_add(a, SCHEMA_ADVICE_TEXT, namespace, "QUERIES_CONTAIN_CASE_INSENSITIVE_REGEX",
                      svc_arena_print(arena, "%lld slow queries have a case-insensitive $regex.", (long long)s->anywhere));
}

static int schema_advice_by_name(const void *a, const void *b)
{
  const svc_ran *one = a, *other = b;
  int order = svc_str_order(one->namespace, other->namespace);
  return order ? order : (one->number > other->number) - (one->number < other->number);
}

static void schema_advice_of_queries(schema_advice *a, const svc_rans *ran)
{
  schema_advice_sum sum = { 0, 0, 0, 0 };
  size_t i;
  qsort(ran->at, ran->count, sizeof *ran->at, schema_advice_by_name);
  for (i = 0; i < ran->count; i++) {
    const svc_ran *r = &ran->at[i];
    bool fixed = false, anywhere = false;
    schema_advice_regex(svc_node_get(r->said, "filter"), 0, &fixed, &anywhere);
    sum.count += r->count;
    sum.lookups += svc_node_bool(r->said, "lookup", false) ? r->count : 0;
    sum.fixed += fixed ? r->count : 0;
    sum.anywhere += anywhere ? r->count : 0;
    if (i + 1 < ran->count && svc_str_eq(r->namespace, ran->at[i + 1].namespace)) continue;
    schema_advice_queries(a, r->namespace, &sum);
    memset(&sum, 0, sizeof sum);
  }
}

/* ---- the answer */

static bool schema_advice_answer(schema_advice *a)
{
  svc_arena *arena = a->c->arena;
  svc_node *body = svc_node_object(arena, NULL), *one;
  svc_node *list = svc_node_array(arena, "recommendations");
  int kind;
  if (!body || !list) return svc_no_memory(a->c);
  for (kind = 0; kind < SCHEMA_ADVICE_KINDS; kind++) {
    if (!a->lists[kind]) continue;
    one = svc_node_object(arena, NULL);
    if (!one) return svc_no_memory(a->c);
    svc_node_put(arena, one, a->lists[kind]);
    svc_node_set_text(arena, one, "description", schema_advice_texts[kind]);
    svc_node_set_text(arena, one, "recommendation", schema_advice_kinds[kind]);
    svc_node_append(list, one);
  }
  svc_node_put(arena, body, list);
  return arena->failed ? svc_no_memory(a->c) : svc_answer_node(a->c, body);
}

static bool schema_advice_on_reply(svc_call *c, const svc_reply *reply)
{
  schema_advice a = { .c = c };
  svc_reply_collections has;
  svc_reply also;
  svc_rans ran;
  size_t i;
  if (!svc_advisor_reply(c, &svc_question_slow_queries, reply, &ran)) return false;
  if (!svc_advisor_also(c, &svc_question_collections, &also) || !svc_collections_read(c, &also, &has)) return false;
  for (i = 0; i < has.count; i++) schema_advice_collection(&a, &has.at[i]);
  if (has.count > SCHEMA_ADVICE_NAMESPACES)
    schema_advice_add(&a, SCHEMA_ADVICE_COUNT, SVC_S(""), "NUMBER_OF_NAMESPACES",
                      svc_arena_print(c->arena, "There are %zu collections.", has.count));
  schema_advice_of_queries(&a, &ran);
  return schema_advice_answer(&a);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_schema_advice = {
  .name = "schema advice",
  .rel = "schemaAdvice",
  .parent = "cluster",
  .flags = SVC_VIRTUAL,
  .object = &schema_advice_object,
  .questions = SVC_ASKS(&svc_question_slow_queries, &svc_question_collections),
  .routes = SVC_ROUTES(schema_advice_routes),
};

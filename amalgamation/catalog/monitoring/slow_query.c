/*
** Slow queries of a process, as in its log, and their collections. Nothing is stored: the driver answers the question
** "slowQueries".
**
**   namespaces      at most 20, with the longest total time of slow queries first; equal ones by name
**   slowQueryLogs   oldest first; with nLogs, only the newest ones
*/
#include "catalog/monitoring/advisor_parts.h"

enum { SLOW_QUERY_NAMESPACES = 20 };

static const char *const slow_query_types[] = { "collection", NULL };

static const svc_field slow_query_namespace_fields[] = {
  F_STR("namespace", .flags = SVC_READ_ONLY),
  F_ENUM("type", slow_query_types, .flags = SVC_READ_ONLY, .preset = "\"collection\"")
};
static const svc_object slow_query_namespace = { .name = "NamespaceObj", .fields = SVC_ROWS(slow_query_namespace_fields) };
static const svc_field slow_query_namespaces_fields[] = {
  F_LIST("namespaces", &slow_query_namespace, .flags = SVC_READ_ONLY | SVC_UNIQUE_ITEMS)
};
static const svc_object slow_query_namespaces = { .name = "Namespaces", .fields = SVC_ROWS(slow_query_namespaces_fields) };

static const svc_field slow_query_metrics_fields[] = {
  F_LONG("docsExamined", .flags = SVC_READ_ONLY),
  F_NUM("docsExaminedReturnedRatio", .flags = SVC_READ_ONLY),
  F_LONG("docsReturned", .flags = SVC_READ_ONLY),
  F_BOOL("fromUserConnection", .flags = SVC_READ_ONLY),
  F_BOOL("hasAutoEmbedding", .flags = SVC_READ_ONLY),
  F_BOOL("hasIndexCoverage", .flags = SVC_READ_ONLY),
  F_BOOL("hasRerank", .flags = SVC_READ_ONLY),
  F_BOOL("hasSort", .flags = SVC_READ_ONLY),
  F_LONG("keysExamined", .flags = SVC_READ_ONLY),
  F_NUM("keysExaminedReturnedRatio", .flags = SVC_READ_ONLY),
  F_LONG("numYields", .flags = SVC_READ_ONLY),
  F_LONG("operationExecutionTime", .flags = SVC_READ_ONLY),
  F_LONG("responseLength", .flags = SVC_READ_ONLY),
  F_LONG("tokensUsed", .flags = SVC_READ_ONLY | SVC_MIN, .min = 0)
};
static const svc_object slow_query_metrics = { .name = "PerformanceAdvisorSlowQueryMetrics", .fields = SVC_ROWS(slow_query_metrics_fields) };
static const svc_field slow_query_one_fields[] = {
  F_STR("line", .flags = SVC_READ_ONLY),
  F_OBJ("metrics", &slow_query_metrics, .flags = SVC_READ_ONLY),
  F_STR("namespace", .flags = SVC_READ_ONLY),
  F_STR("opType", .flags = SVC_READ_ONLY),
  F_STR("replicaState", .flags = SVC_READ_ONLY)
};
static const svc_object slow_query_one = { .name = "PerformanceAdvisorSlowQuery", .fields = SVC_ROWS(slow_query_one_fields) };
static const svc_field slow_query_fields[] = {
  F_LIST("slowQueries", &slow_query_one, .flags = SVC_READ_ONLY)
};
static const svc_object slow_query_object = { .name = "PerformanceAdvisorSlowQueryList", .fields = SVC_ROWS(slow_query_fields) };

static bool slow_query_ask(svc_call *c);
static bool slow_query_on_reply(svc_call *c, const svc_reply *reply);
static bool slow_query_on_reply_names(svc_call *c, const svc_reply *reply);

static const svc_param slow_query_name_params[] = { SVC_ADVISOR_DURATION, SVC_ADVISOR_TIME("since"), { .name = NULL } };
static const svc_param slow_query_params[] = {
  SVC_ADVISOR_DURATION,
  { .name = "includeMetrics", .type = SVC_BOOLEAN },
  { .name = "includeOpType", .type = SVC_BOOLEAN },
  { .name = "includeReplicaState", .type = SVC_BOOLEAN },
  { .name = "nLogs", .type = SVC_INT64, .min = 0, .max = SVC_ADVISOR_RECORDS },
  SVC_ADVISOR_NAMESPACES,
  SVC_ADVISOR_TIME("since"),
  { .name = NULL }
};

#define SLOW_QUERY \
  "/groups/{groupId}/processes/{processId}/performanceAdvisor", SVC_SET_PERFORMANCE_ADVISOR, (20230101), SVC_R_GROUP_READ_ONLY, 0
#define SLOW_QUERY_READERS \
  (SVC_R_GROUP_DATA_ACCESS_ADMIN | SVC_R_GROUP_DATA_ACCESS_READ_ONLY | SVC_R_GROUP_DATA_ACCESS_READ_WRITE | \
   SVC_R_GROUP_OBSERVABILITY_VIEWER | SVC_R_GROUP_STREAM_PROCESSING_OWNER)

static const svc_route slow_query_routes[] = {
  R_GET(SLOW_QUERY, "/namespaces", .params = slow_query_name_params, .answer = &slow_query_namespaces, .op = "listPerformanceAdvisorNamespaces", .run = slow_query_ask,
        .on_reply = slow_query_on_reply_names),
  R_FOR(SLOW_QUERY_READERS, SLOW_QUERY, SVC_GET, "/slowQueryLogs", .params = slow_query_params, .op = "listSlowQueryLogs", .run = slow_query_ask,
        .on_reply = slow_query_on_reply)
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static bool slow_query_ask(svc_call *c)
{
  return svc_resolve(c, 1) && svc_project_allows(c, "isPerformanceAdvisorEnabled") && svc_advisor_ask(c, &svc_question_slow_queries);
}

/* ---- lines */

static void slow_query_copy(svc_call *c, const svc_ran *r, svc_node *to, const char *name)
{
  const svc_node *said = svc_node_get(r->said, name);
  if (said) svc_node_put(c->arena, to, svc_node_copy(c->arena, said));
}

/* Copies the reported figures, and adds derived ones. */
static svc_node *slow_query_measured(svc_call *c, const svc_ran *r)
{
  static const char *const said[] = { "docsExamined", "docsReturned", "fromUserConnection", "hasIndexCoverage", "hasSort",
                                      "keysExamined", "numYields", "responseLength", NULL };
  svc_node *to = svc_node_object(c->arena, "metrics");
  bool returned = svc_node_get(r->said, "docsReturned") != NULL;
  size_t i;
  if (!to) return NULL;
  for (i = 0; said[i]; i++) slow_query_copy(c, r, to, said[i]);
  svc_node_set_i64(c->arena, to, "operationExecutionTime", r->micros / 1000);
  if (returned && svc_node_get(r->said, "docsExamined")) svc_advisor_ratio(c, to, "docsExaminedReturnedRatio", r->examined, r->returned);
  if (returned && svc_node_get(r->said, "keysExamined")) svc_advisor_ratio(c, to, "keysExaminedReturnedRatio", r->keys, r->returned);
  if (!svc_node_get(to, "hasIndexCoverage")) /* the query examined index keys, but no document */
    svc_node_set_bool(c->arena, to, "hasIndexCoverage", r->keys > 0 && r->examined == 0);
  return to;
}

static bool slow_query_wants(svc_call *c, const char *param)
{
  const svc_query_value *given = svc_query_get(c, param);
  return given && given->number;
}

static bool slow_query_on_reply(svc_call *c, const svc_reply *reply)
{
  const svc_query_value *most = svc_query_get(c, "nLogs");
  bool metrics = slow_query_wants(c, "includeMetrics"), op = slow_query_wants(c, "includeOpType");
  bool state = slow_query_wants(c, "includeReplicaState");
  svc_node *body, *list, *one;
  svc_rans ran;
  size_t i;
  if (!svc_advisor_reply(c, &svc_question_slow_queries, reply, &ran)) return false;
  body = svc_node_object(c->arena, NULL);
  list = svc_node_array(c->arena, "slowQueries");
  if (!body || !list) return svc_no_memory(c);
  i = most && (size_t)most->number < ran.count ? ran.count - (size_t)most->number : 0;
  for (; i < ran.count; i++) {
    one = svc_node_object(c->arena, NULL);
    if (!one) return svc_no_memory(c);
    slow_query_copy(c, &ran.at[i], one, "line");
    if (metrics) svc_node_put(c->arena, one, slow_query_measured(c, &ran.at[i]));
    svc_node_set_str(c->arena, one, "namespace", ran.at[i].namespace);
    if (op) svc_node_set_str(c->arena, one, "opType", ran.at[i].op);
    if (state) slow_query_copy(c, &ran.at[i], one, "replicaState");
    svc_node_append(list, one);
  }
  svc_node_put(c->arena, body, list);
  return c->arena->failed ? svc_no_memory(c) : svc_answer_node(c, body);
}

/* ---- collections */

typedef struct slow_query_sum {
  svc_str namespace;
  int64_t micros;
} slow_query_sum;

static int slow_query_by_name(const void *a, const void *b)
{
  return svc_str_order(((const slow_query_sum *)a)->namespace, ((const slow_query_sum *)b)->namespace);
}

static int slow_query_slowest(const void *a, const void *b)
{
  const slow_query_sum *one = a, *other = b;
  if (one->micros != other->micros) return one->micros > other->micros ? -1 : 1;
  return slow_query_by_name(a, b);
}

/* The total time per collection. */
static size_t slow_query_sums(const svc_rans *ran, slow_query_sum *sums)
{
  size_t i, n = 0;
  for (i = 0; i < ran->count; i++) sums[i] = (slow_query_sum){ ran->at[i].namespace, ran->at[i].micros };
  qsort(sums, ran->count, sizeof *sums, slow_query_by_name);
  for (i = 0; i < ran->count; i++)
    if (n && svc_str_eq(sums[n - 1].namespace, sums[i].namespace)) sums[n - 1].micros += sums[i].micros;
    else sums[n++] = sums[i];
  qsort(sums, n, sizeof *sums, slow_query_slowest);
  return n;
}

static bool slow_query_on_reply_names(svc_call *c, const svc_reply *reply)
{
  slow_query_sum *sums;
  svc_node *body, *list, *one;
  svc_rans ran;
  size_t i, n;
  if (!svc_advisor_reply(c, &svc_question_slow_queries, reply, &ran)) return false;
  sums = svc_arena_alloc(c->arena, (ran.count + 1) * sizeof *sums);
  body = svc_node_object(c->arena, NULL);
  list = svc_node_array(c->arena, "namespaces");
  if (!sums || !body || !list) return svc_no_memory(c);
  n = slow_query_sums(&ran, sums);
  for (i = 0; i < n && i < SLOW_QUERY_NAMESPACES; i++) {
    one = svc_node_object(c->arena, NULL);
    if (!one) return svc_no_memory(c);
    svc_node_set_str(c->arena, one, "namespace", sums[i].namespace);
    svc_node_set_text(c->arena, one, "type", slow_query_types[0]);
    svc_node_append(list, one);
  }
  svc_node_put(c->arena, body, list);
  return c->arena->failed ? svc_no_memory(c) : svc_answer_node(c, body);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_slow_query = {
  .name = "slow query",
  .rel = "slowQuery",
  .flags = SVC_VIRTUAL,
  .object = &slow_query_object,
  .questions = SVC_ASKS(&svc_question_slow_queries),
  .routes = SVC_ROUTES(slow_query_routes),
};

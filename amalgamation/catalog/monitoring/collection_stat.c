/*
** Statistics of collections: the latency of reads, writes and commands, for a cluster as its primary or its secondaries
** see it, or for one process. Also the collections with the highest latency.
**
** Figures and ranks come from the driver or the simulation. Lists contain the collections of the highest rank, then the
** pinned ones (pinned_namespace.c).
*/
#include "catalog/monitoring/process_parts.h"

enum { COLLECTION_STAT_RANKED = 20 };

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const collection_stat_names[] = { SVC_METRICS_COLLECTION(SVC_METRIC_NAME) NULL };
static const unsigned char collection_stat_units[] = { SVC_METRICS_COLLECTION(SVC_METRIC_UNIT) };
static const svc_metrics collection_stat_metrics = { collection_stat_names, collection_stat_units, "metrics", sizeof collection_stat_units,
                                                     "P1D", false };
static const char *const collection_stat_views[] = { "PRIMARY", "SECONDARY", "INDIVIDUAL_PROCESS", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field collection_stat_fields[] = {
  F_STR("clusterId", .flags = SVC_READ_ONLY),
  F_ENUM("clusterView", collection_stat_views, .flags = SVC_READ_ONLY),
  F_STR("collectionName", .flags = SVC_READ_ONLY),
  F_STR("databaseName", .flags = SVC_READ_ONLY),
  F_DATE("end", .flags = SVC_READ_ONLY),
  F_ENUM("granularity", svc_granularities, .flags = SVC_READ_ONLY),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_LIST("measurements", &svc_measurement, .flags = SVC_READ_ONLY),
  F_STR("processId", .flags = SVC_READ_ONLY),
  F_DATE("start", .flags = SVC_READ_ONLY)
};
static const svc_object collection_stat_object = { .name = "CollectionMeasurements", .fields = SVC_ROWS(collection_stat_fields) };
static const svc_field collection_stat_ranked_fields[] = {
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_STR("identifierId", .flags = SVC_READ_ONLY),
  F_STRS("rankedNamespaces", .flags = SVC_READ_ONLY)
};
static const svc_object collection_stat_ranked = { .name = "RankedNamespaces", .fields = SVC_ROWS(collection_stat_ranked_fields) };
static const char *const collection_stat_unit[] = { "MILLISECONDS", NULL };
static const svc_field collection_stat_one_fields[] = {
  F_ENUM("metricName", collection_stat_names, .flags = SVC_READ_ONLY),
  F_ENUM("units", collection_stat_unit, .flags = SVC_READ_ONLY)
};
static const svc_object collection_stat_one = { .name = "CollectionMetric", .fields = SVC_ROWS(collection_stat_one_fields) };
static const svc_field collection_stat_metric_fields[] = {
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_LIST("metrics", &collection_stat_one, .flags = SVC_READ_ONLY)
};
static const svc_object collection_stat_metric = { .name = "CollectionMetrics", .fields = SVC_ROWS(collection_stat_metric_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool collection_stat_list(svc_call *c);
static bool collection_stat_rank(svc_call *c);
static bool collection_stat_ranks_on_reply(svc_call *c, const svc_reply *reply);
static bool collection_stat_ask(svc_call *c);
static bool collection_stat_on_reply(svc_call *c, const svc_reply *reply);

static const svc_param collection_stat_times[] = { SVC_SPAN_END, SVC_SPAN_START, { .name = NULL } };
static const svc_param collection_stat_params[] = {
  SVC_SPAN_END, { .name = "metrics", .type = SVC_STRING, .flags = SVC_PARAM_REPEATS, .values = collection_stat_names }, SVC_SPAN_START,
  { .name = NULL }
};

#define COLLECTION_STAT(path) "/groups/{groupId}" path, SVC_SET_COLLECTION_STATS, (20231115), SVC_R_GROUP_READ_ONLY, 0

static const svc_route collection_stat_routes[] = {
  R_GET(COLLECTION_STAT("/clusters/{clusterName}/{clusterView}"), "/collStats/namespaces", .params = collection_stat_times, .answer = &collection_stat_ranked, .op = "getClusterNamespaces", .run = collection_stat_rank, .on_reply = collection_stat_ranks_on_reply,
        .ext = SVC_ROUTE_EXT(.in_path = "clusterView")),
  R_GET(COLLECTION_STAT("/clusters/{clusterName}/{clusterView}"), "/{databaseName}/{collectionName}/collStats/measurements",
        .params = collection_stat_params, .answer = &collection_stat_object, .op = "listCollStatMeasurements", .run = collection_stat_ask,
        .on_reply = collection_stat_on_reply, .ext = SVC_ROUTE_EXT(.in_path = "clusterView")),
  R_GET(COLLECTION_STAT("/collStats"), "/metrics", .answer = &collection_stat_metric, .op = "listCollStatMetrics", .run = collection_stat_list),
  R_GET(COLLECTION_STAT("/processes/{processId}"), "/collStats/namespaces", .params = collection_stat_times,
        .answer = &collection_stat_ranked, .op = "getProcessNamespaces", .run = collection_stat_rank, .on_reply = collection_stat_ranks_on_reply),
  R_GET(COLLECTION_STAT("/processes/{processId}"), "/{databaseName}/{collectionName}/collStats/measurements",
        .params = collection_stat_params, .answer = &collection_stat_object, .op = "listProcessMeasurements", .run = collection_stat_ask, .on_reply = collection_stat_on_reply)
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static bool collection_stat_list(svc_call *c)
{
  svc_node *body = svc_node_object(c->arena, NULL), *list, *one;
  if (!body) return svc_no_memory(c);
  list = svc_metrics_shown(c, &collection_stat_metrics, "metrics");
  for (one = svc_node_first(list); one; one = one->next) /* a count has no unit */
    if (svc_node_is(one, "units", svc_units[SVC_UNIT_SCALAR])) svc_node_drop(one, "units");
  svc_node_set_id(c->arena, body, "groupId", &c->scope.group);
  if (list) svc_node_put(c->arena, body, list);
  return c->arena->failed ? svc_no_memory(c) : svc_answer_node(c, body);
}

/* Reads the cluster and view, or the process, of the path. Adds the view to `of`, the parameters of the question. */
static bool collection_stat_where(svc_call *c, svc_processes *at, svc_process *p, svc_node *of)
{
  svc_str view = svc_path_param(c, "clusterView");
  svc_entity cluster;
  memset(p, 0, sizeof *p);
  if (view.n == 0) return svc_process_find(c, svc_path_param(c, "processId"), at, p);
  svc_node_set_str(c->arena, of, "view", view);
  return svc_cluster_named(c, svc_path_param(c, "clusterName"), &cluster) && svc_processes_of(c, &cluster, at);
}

/* ---- ranks */

static bool collection_stat_pinned(svc_call *c, const svc_entity *cluster, svc_node *pinned)
{
  const svc_noun_info *noun = svc_noun_named(c->s, PINNED_NAMESPACES);
  const svc_node *body, *one;
  svc_entity e;
  if (!noun || !svc_below_first(c->txn, noun->noun->kind, &cluster->id, &e)) return svc_txn_good(c);
  body = svc_entity_body(c, &e);
  if (!body) return false;
  for (one = svc_node_first(svc_node_get(body, "pinnedNamespaces")); one; one = one->next) svc_node_add_str(c->arena, pinned, one->text);
  return c->arena->failed ? svc_no_memory(c) : true;
}

static const char *const collection_stat_lists[] = { "namespaces", NULL };
static const char *const collection_stat_ranks[] = { "TOTAL_LATENCY", NULL };
static const svc_field collection_stat_asked_fields[] = {
  F_LONG("from", .flags = SVC_REQUIRED), /* seconds since 1970, like `until` */
  F_STR("host", .flags = SVC_REQUIRED),  /* "name:port"; empty: the whole cluster */
  F_STRS("known", .flags = SVC_REQUIRED),
  F_ENUM("list", collection_stat_lists, .flags = SVC_REQUIRED),
  F_STRS("pinned", .flags = SVC_REQUIRED),
  F_ENUM("rank", collection_stat_ranks, .flags = SVC_REQUIRED),
  F_LONG("until", .flags = SVC_REQUIRED),
  F_ENUM("view", collection_stat_views)
};
static const svc_object collection_stat_asked = { .name = "AskedNamespaces", .fields = SVC_ROWS(collection_stat_asked_fields) };
static const svc_question_row collection_stat_ranked_question = {
  "list", "cluster",
  "The collections that took the most time from `from` until `until`, as \"database.collection\", the longest first. `known`: "
  "those that the service knows.", &collection_stat_asked, NULL, SVC_REPLY_NAMES
};

static bool collection_stat_rank(svc_call *c)
{
  svc_node *ask = svc_node_object(c->arena, NULL), *known;
  svc_node *pinned = svc_node_array(c->arena, "pinned");
  svc_processes at;
  svc_process p;
  svc_span span;
  svc_buf b;
  if (!ask || !pinned) return svc_no_memory(c);
  if (!collection_stat_where(c, &at, &p, ask) || !svc_span_of(c, &collection_stat_metrics, &span)) return false;
  if (!svc_namespaces_known(c, &at.cluster, &known) || !collection_stat_pinned(c, &at.cluster, pinned)) return false;
  known->name = SVC_S("known");
  svc_node_set_i64(c->arena, ask, "from", span.from);
  svc_node_set_str(c->arena, ask, "host", p.id);
  svc_node_put(c->arena, ask, known);
  svc_node_set_text(c->arena, ask, "list", "namespaces");
  svc_node_put(c->arena, ask, pinned);
  svc_node_set_text(c->arena, ask, "rank", "TOTAL_LATENCY");
  svc_node_set_i64(c->arena, ask, "until", span.until);
  b = svc_buf_new(c->arena, 1024);
  svc_node_write(&b, ask);
  if (b.failed) return svc_no_memory(c);
  return svc_question_about(c, &collection_stat_ranked_question, &at.cluster, at.cluster.unique, svc_buf_done(&b));
}

/* Appends at most `most` names of one list to another, without duplicates. */
static void collection_stat_take(svc_call *c, svc_node *list, const svc_node *from, size_t most)
{
  const svc_node *one;
  for (one = svc_node_first(from); one && most > 0; one = one->next) {
    if (!svc_node_has_str(list, one->text)) svc_node_add_str(c->arena, list, one->text);
    most--;
  }
}

static bool collection_stat_ranks_on_reply(svc_call *c, const svc_reply *reply)
{
  const svc_node *said = svc_driver_reply(c, &collection_stat_ranked_question, reply), *asked = svc_json_parse(c->arena, svc_str_c(c->question->parameters));
  svc_node *body = svc_node_object(c->arena, NULL);
  svc_node *list = svc_node_array(c->arena, "rankedNamespaces");
  svc_str host = svc_node_str(asked, "host"), values[2];
  const svc_node *one;
  if (!said) return false;
  if (!body || !list || !asked) return svc_no_memory(c);
  collection_stat_take(c, list, said, COLLECTION_STAT_RANKED);
  collection_stat_take(c, list, svc_node_get(asked, "pinned"), COLLECTION_STAT_RANKED);
  svc_node_set_id(c->arena, body, "groupId", &c->scope.group);
  svc_node_set_str(c->arena, body, "identifierId", host.n ? host : svc_str_c(c->question->resource_id));
  svc_node_put(c->arena, body, list);
  for (one = svc_node_first(list); one; one = one->next) {
    values[1] = one->text;
    values[0] = svc_str_cut(&values[1], '.');
    if (!values[0].n || !values[1].n) continue; /* a driver may send names that are not collections */
    svc_answer_link(c, host.n ? "listProcessMeasurements" : "listCollStatMeasurements", values);
  }
  return c->arena->failed ? svc_no_memory(c) : svc_answer_node(c, body);
}

/* ---- figures */

static bool collection_stat_ask(svc_call *c)
{
  svc_node *of = svc_node_object(c->arena, NULL);
  svc_processes at;
  svc_process p;
  if (!of) return svc_no_memory(c);
  svc_node_set_str(c->arena, of, "collection", svc_path_param(c, "collectionName"));
  svc_node_set_str(c->arena, of, "database", svc_path_param(c, "databaseName"));
  return collection_stat_where(c, &at, &p, of) && svc_project_allows(c, "isCollectDatabaseSpecificsStatisticsEnabled") &&
         svc_measure_ask(c, &at, &p, &collection_stat_metrics, of);
}

static bool collection_stat_on_reply(svc_call *c, const svc_reply *reply)
{
  svc_node *body = svc_measure_answer(c, &collection_stat_metrics);
  svc_node *list = body ? svc_measure_read(c, reply, &collection_stat_metrics, "measurements") : NULL;
  svc_str view = svc_path_param(c, "clusterView");
  if (!list) return svc_failed(c);
  if (view.n) svc_node_set_text(c->arena, body, "clusterId", c->question->resource_id);
  if (view.n) svc_node_set_str(c->arena, body, "clusterView", view);
  svc_node_set_str(c->arena, body, "collectionName", svc_path_param(c, "collectionName"));
  svc_node_set_str(c->arena, body, "databaseName", svc_path_param(c, "databaseName"));
  svc_node_put(c->arena, body, list);
  if (!view.n) svc_node_set_str(c->arena, body, "processId", svc_path_param(c, "processId"));
  return svc_answer_node(c, body);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_collection_stat = {
  .name = "collection statistics",
  .rel = "collStats",
  .object = &collection_stat_object,
  .flags = SVC_VIRTUAL,
  .questions = SVC_ASKS(&svc_question_series, &collection_stat_ranked_question),
  .routes = SVC_ROUTES(collection_stat_routes),
};

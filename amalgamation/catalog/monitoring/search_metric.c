/*
** Measurements of search: of the search process next to a process of a cluster, and of the indexes of a collection.
**
** The indexes are those that the service stores. For a collection without indexes the list is empty; a missing index
** answers 404.
*/
#include "catalog/monitoring/process_parts.h"

enum { SEARCH_METRIC_LINKS = 100 }; /* maximum of linked indexes; the list of indexes has all */
enum { SEARCH_METRIC_HARDWARE = 8 }; /* leading metrics of SVC_METRICS_SEARCH that are about the machine; the others are about the
                                        process */

/* ------------------------------------------------------------------------------------------------------ value lists */

SVC_METRICS(SVC_METRICS_SEARCH, search_metric, "metrics");
SVC_METRICS(SVC_METRICS_INDEX, search_metric_index, "metrics");
static const svc_metrics search_metric_hardware = { search_metric_names, search_metric_units, "metrics", SEARCH_METRIC_HARDWARE, NULL, false };
static const svc_metrics search_metric_status = { search_metric_names + SEARCH_METRIC_HARDWARE, search_metric_units + SEARCH_METRIC_HARDWARE,
                                                  "metrics", sizeof search_metric_units - SEARCH_METRIC_HARDWARE, NULL, false };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const char *const search_metric_all[] = { SVC_METRICS_INDEX(SVC_METRIC_NAME) SVC_METRICS_SEARCH(SVC_METRIC_NAME) NULL };
static const svc_field search_metric_one_fields[] = {
  F_ENUM("metricName", search_metric_all, .flags = SVC_READ_ONLY),
  F_ENUM("units", svc_units, .flags = SVC_READ_ONLY)
};
static const svc_object search_metric_one = { .name = "SearchMetric", .fields = SVC_ROWS(search_metric_one_fields) };
static const svc_field search_metric_fields[] = {
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_LIST("hardwareMetrics", &search_metric_one, .flags = SVC_READ_ONLY),
  F_LIST("indexMetrics", &search_metric_one, .flags = SVC_READ_ONLY),
  F_STR("processId", .flags = SVC_READ_ONLY),
  F_LIST("statusMetrics", &search_metric_one, .flags = SVC_READ_ONLY)
};
static const svc_object search_metric_object = { .name = "SearchMetrics", .fields = SVC_ROWS(search_metric_fields) };

static const svc_field search_metric_series_fields[] = {
  F_DATE("end", .flags = SVC_READ_ONLY),
  F_ENUM("granularity", svc_granularities, .flags = SVC_READ_ONLY),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_STR("processId", .flags = SVC_READ_ONLY),
  F_DATE("start", .flags = SVC_READ_ONLY)
};
static const svc_object search_metric_series = { .name = "SearchSeries", .fields = SVC_ROWS(search_metric_series_fields) };
static const svc_field search_metric_process_fields[] = {
  F_LIST("hardwareMeasurements", &svc_measurement, .flags = SVC_READ_ONLY),
  F_LIST("statusMeasurements", &svc_measurement, .flags = SVC_READ_ONLY)
};
static const svc_object search_metric_process = { .name = "SearchMeasurements", .fields = SVC_ROWS(search_metric_process_fields),
                                                  .base = &search_metric_series };
static const svc_field search_metric_index_fields[] = {
  F_STR("collectionName", .flags = SVC_READ_ONLY),
  F_STR("databaseName", .flags = SVC_READ_ONLY),
  F_STRS("indexIds", .flags = SVC_READ_ONLY),
  F_LIST("indexStatsMeasurements", &svc_measurement, .flags = SVC_READ_ONLY)
};
static const svc_object search_metric_index_object = { .name = "SearchIndexMeasurements", .fields = SVC_ROWS(search_metric_index_fields),
                                                       .base = &search_metric_series };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool search_metric_list(svc_call *c);
static bool search_metric_ask(svc_call *c);
static bool search_metric_on_reply(svc_call *c, const svc_reply *reply);
static bool search_metric_index_ask(svc_call *c);
static bool search_metric_index_on_reply(svc_call *c, const svc_reply *reply);

static const svc_param search_metric_params[] = { SVC_MEASURE("metrics", search_metric_names, SVC_PARAM_REQUIRED), { .name = NULL } };
static const svc_param search_metric_index_params[] = { SVC_MEASURE("metrics", search_metric_index_names, SVC_PARAM_REQUIRED), { .name = NULL } };

#define SEARCH_METRIC "/groups/{groupId}/hosts/{processId}/fts/metrics", SVC_SET_PROCESSES, (20230101), SVC_R_GROUP_READ_ONLY, 0

static const svc_route search_metric_routes[] = {
  R_GET(SEARCH_METRIC, "", .answer = &search_metric_object, .op = "listHostFtsMetrics", .run = search_metric_list),
  R_GET(SEARCH_METRIC, "/measurements", .params = search_metric_params, .answer = &search_metric_process, .op = "listMeasurements", .run = search_metric_ask,
        .on_reply = search_metric_on_reply),
  R_GET(SEARCH_METRIC, "/indexes/{databaseName}/{collectionName}/measurements", .params = search_metric_index_params,
        .answer = &search_metric_index_object, .op = "listIndexMeasurements", .run = search_metric_index_ask, .on_reply = search_metric_index_on_reply),
  R_GET(SEARCH_METRIC, "/indexes/{databaseName}/{collectionName}/{indexName}/measurements", .params = search_metric_index_params,
        .answer = &search_metric_index_object, .op = "getIndexMeasurements", .run = search_metric_index_ask, .on_reply = search_metric_index_on_reply)
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* Adds links to the figures of the cluster's indexes. */
static bool search_metric_link(svc_call *c, const svc_entity *cluster)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "search index");
  svc_str values[3];
  size_t left = SEARCH_METRIC_LINKS;
  svc_scan scan;
  svc_entity e;
  if (!noun) return true;
  svc_below_begin(&scan, c->txn, noun->noun->kind, &cluster->id);
  while (left-- > 0 && svc_below_next(&scan, noun->noun->kind, &e)) {
    values[0] = svc_entity_text(c, noun->noun, &e, "database");
    values[1] = svc_entity_text(c, noun->noun, &e, "collectionName");
    values[2] = svc_entity_text(c, noun->noun, &e, "name");
    svc_answer_link(c, "getIndexMeasurements", values);
  }
  return svc_txn_good(c) && !c->arena->failed;
}

static bool search_metric_list(svc_call *c)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  svc_processes of;
  svc_process p;
  if (!body) return svc_no_memory(c);
  if (!svc_process_of_path(c, &of, &p)) return false;
  svc_node_set_id(c->arena, body, "groupId", &c->scope.group);
  svc_node_put(c->arena, body, svc_metrics_shown(c, &search_metric_hardware, "hardwareMetrics"));
  svc_node_put(c->arena, body, svc_metrics_shown(c, &search_metric_index_metrics, "indexMetrics"));
  svc_node_set_str(c->arena, body, "processId", p.id);
  svc_node_put(c->arena, body, svc_metrics_shown(c, &search_metric_status, "statusMetrics"));
  if (!search_metric_link(c, &of.cluster)) return svc_txn_good(c) ? svc_no_memory(c) : false;
  return c->arena->failed ? svc_no_memory(c) : svc_answer_node(c, body);
}

static bool search_metric_ask(svc_call *c)
{
  svc_processes of;
  svc_process p;
  return svc_process_of_path(c, &of, &p) && svc_measure_ask(c, &of, &p, &search_metric_metrics, NULL);
}

static bool search_metric_on_reply(svc_call *c, const svc_reply *reply)
{
  svc_node *body = svc_measure_answer(c, &search_metric_metrics);
  svc_node *hardware = body ? svc_measure_read(c, reply, &search_metric_hardware, "hardwareMeasurements") : NULL;
  svc_node *status = hardware ? svc_measure_read(c, reply, &search_metric_status, "statusMeasurements") : NULL;
  if (!status) return svc_failed(c);
  svc_node_put(c->arena, body, hardware);
  svc_node_set_str(c->arena, body, "processId", svc_path_param(c, "processId"));
  svc_node_put(c->arena, body, status);
  return svc_answer_node(c, body);
}

/* ---- indexes */

/* The ids of the indexes that the path names. */
static svc_node *search_metric_ids(svc_call *c, const svc_entity *cluster)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "search index");
  svc_node *list = svc_node_array(c->arena, "indexIds");
  svc_str wanted = svc_path_param(c, "indexName");
  svc_scan scan;
  svc_entity e;
  if (!list || !noun) return list;
  svc_below_begin(&scan, c->txn, noun->noun->kind, &cluster->id);
  while (svc_below_next(&scan, noun->noun->kind, &e)) {
    if (!svc_str_eq(svc_entity_text(c, noun->noun, &e, "database"), svc_path_param(c, "databaseName"))) continue;
    if (!svc_str_eq(svc_entity_text(c, noun->noun, &e, "collectionName"), svc_path_param(c, "collectionName"))) continue;
    if (wanted.n && !svc_str_eq(svc_entity_text(c, noun->noun, &e, "name"), wanted)) continue;
    if (!svc_node_add_str(c->arena, list, svc_id_str(c->arena, &e.id))) return NULL;
  }
  return list;
}

static bool search_metric_index_ask(svc_call *c)
{
  svc_node *of = svc_node_object(c->arena, NULL), *ids;
  svc_str index = svc_path_param(c, "indexName");
  svc_processes at;
  svc_process p;
  if (!of) return svc_no_memory(c);
  if (!svc_process_of_path(c, &at, &p)) return false;
  ids = search_metric_ids(c, &at.cluster);
  if (!ids || !svc_txn_good(c)) return svc_failed(c);
  if (index.n && !ids->first) return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &index);
  svc_node_set_str(c->arena, of, "collection", svc_path_param(c, "collectionName"));
  svc_node_set_str(c->arena, of, "database", svc_path_param(c, "databaseName"));
  svc_node_put(c->arena, of, ids);
  return svc_measure_ask(c, &at, &p, &search_metric_index_metrics, of);
}

static bool search_metric_index_on_reply(svc_call *c, const svc_reply *reply)
{
  svc_node *body = svc_measure_answer(c, &search_metric_index_metrics), *list;
  const svc_node *asked = svc_json_parse(c->arena, svc_str_c(c->question->parameters)), *ids = svc_node_get(asked, "indexIds");
  if (!body || !ids) return svc_failed(c);
  list = ids->first ? svc_measure_read(c, reply, &search_metric_index_metrics, "indexStatsMeasurements") :
                      svc_node_array(c->arena, "indexStatsMeasurements");
  if (!list) return svc_failed(c);
  svc_node_set_str(c->arena, body, "collectionName", svc_path_param(c, "collectionName"));
  svc_node_set_str(c->arena, body, "databaseName", svc_path_param(c, "databaseName"));
  svc_node_put(c->arena, body, svc_node_copy(c->arena, ids));
  svc_node_put(c->arena, body, list);
  svc_node_set_str(c->arena, body, "processId", svc_path_param(c, "processId"));
  if (svc_path_param(c, "indexName").n) svc_answer_link(c, "listIndexMeasurements", NULL); /* to the whole collection */
  return svc_answer_node(c, body);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_search_metric = {
  .name = "search metric",
  .rel = "searchMetrics",
  .parent = "process",
  .flags = SVC_VIRTUAL,
  .questions = SVC_ASKS(&svc_question_series),
  .routes = SVC_ROUTES(search_metric_routes),
};

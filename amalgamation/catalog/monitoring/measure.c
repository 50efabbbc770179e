/*
** Figures over time: the requested range, the question to the driver, and the answer from its reply.
**
** A range is a period that ends now, or a start and an end, never both. The answer has a limit of figures per metric and
** in total; above it, the caller must request a shorter range, a coarser granularity, or fewer metrics.
*/
#include "catalog/monitoring/process_parts.h"

#define MEASURE_MOST 20000 /* figures per answer */
#define MEASURE_FINE 800   /* figures per metric if the request has no granularity */

SVC_PRIVATE const char *const svc_units[] = { "BYTES", "BYTES_PER_SECOND", "GIGABYTES", "GIGABYTES_PER_HOUR", "MEGABYTES_PER_SECOND",
                                              "MICROSECONDS", "MILLISECONDS", "PERCENT", "SCALAR", "SCALAR_PER_SECOND",
                                              "KILOBYTES", "MEGABYTES", "SECONDS", NULL }; /* no metric here has one of the last three */
SVC_PRIVATE const char *const svc_granularities[] = { "PT1M", "PT5M", "PT30M", "PT1H", "P1D", NULL };
static const int64_t measure_steps[] = { 60, 300, 1800, 3600, 86400 };

/* -------------------------------------------------------------------------------------------------------------- shapes */

static const svc_field measure_point_fields[] = {
  F_DATE("timestamp", .flags = SVC_READ_ONLY),
  F_NUM("value", .flags = SVC_READ_ONLY | SVC_NULLABLE)
};
static const svc_object measure_point = { .name = "MetricDataPoint", .fields = SVC_ROWS(measure_point_fields) };
static const svc_field measure_fields[] = {
  F_LIST("dataPoints", &measure_point, .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_READ_ONLY),
  F_ENUM("units", svc_units, .flags = SVC_READ_ONLY)
};
SVC_PRIVATE const svc_object svc_measurement = { .name = "MetricsMeasurement", .fields = SVC_ROWS(measure_fields) };
/* ---------------------------------------------------------------------------------------------------------------- time */

static bool measure_wanted(const svc_call *c, const svc_metrics *m, const char *name)
{
  return !svc_query_get(c, m->param) || svc_query_has(c, m->param, svc_str_c(name));
}

static int64_t measure_count(const svc_call *c, const svc_metrics *m)
{
  int64_t count = 0;
  size_t i;
  for (i = 0; i < m->count; i++) count += measure_wanted(c, m, m->names[i]);
  return count;
}

/* Reads the range, in milliseconds. */
static bool measure_range(svc_call *c, const char *preset, int64_t *from, int64_t *until)
{
  const svc_query_value *period = svc_query_get(c, "period"), *start = svc_query_get(c, "start"), *end = svc_query_get(c, "end");
  int64_t months, ms;
  if (period && (start || end)) return svc_fail(c, SVC_E_MUTUALLY_EXCLUSIVE_QUERY_PARAMETERS, "ss", "period", start ? "start" : "end");
  if (!start != !end) return svc_fail(c, SVC_E_MISSING_QUERY_PARAMETER, "s", start ? "end" : "start");
  if (start) {
    *from = start->number;
    *until = end->number < c->now ? end->number : c->now; /* there are no figures for the future */
    return start->number <= end->number ? true : svc_fail(c, SVC_E_START_DATE_AFTER_END_DATE, "SS", &start->text, &end->text);
  }
  if (!period && !preset) return svc_fail(c, SVC_E_MISSING_QUERY_PARAMETER, "s", "period");
  if (!svc_duration_parse(period ? period->text : svc_str_c(preset), &months, &ms))
    return svc_fail(c, SVC_E_INVALID_QUERY_PARAMETER, "ss", "period", "it must be an ISO 8601 duration, such as P1DT12H");
  *until = c->now;
  *from = months < 12 * 1000 ? svc_months_on(c->now, -months) - ms : 0;
  if (*from < 0) *from = 0;
  return true;
}

static bool measure_too_many(svc_call *c, const char *param, int64_t points, const char *of, int most)
{
  svc_str why = svc_arena_print(c->arena, "that is %lld points of %s, and at most %d are allowed", (long long)points, of, most);
  return svc_fail(c, SVC_E_INVALID_QUERY_PARAMETER, "sS", param, &why);
}

SVC_PRIVATE bool svc_span_of(svc_call *c, const svc_metrics *metrics, svc_span *out)
{
  const svc_query_value *given = svc_query_get(c, "granularity");
  int64_t from = 0, until = 0, points, all;
  size_t i;
  if (!measure_range(c, metrics->period, &from, &until)) return false;
  for (i = 0; svc_granularities[i + 1]; i++)
    if (given ? svc_str_is(given->text, svc_granularities[i]) : (until - from) / 1000 <= measure_steps[i] * MEASURE_FINE) break;
  out->step = measure_steps[i];
  out->granularity = svc_granularities[i];
  out->from = (from + out->step * 1000 - 1) / (out->step * 1000) * out->step;
  out->until = until / (out->step * 1000) * out->step;
  points = out->until < out->from ? 0 : (out->until - out->from) / out->step + 1;
  if (points > SVC_SPAN_MOST)
    return measure_too_many(c, given ? "granularity" : "period", points, "each metric", SVC_SPAN_MOST);
  all = points * measure_count(c, metrics);
  if (all > MEASURE_MOST) return measure_too_many(c, metrics->param, all, "all metrics", MEASURE_MOST);
  return true;
}

/* ------------------------------------------------------------------------------------------------------------- question */

static const svc_field measure_metric_fields[] = {
  F_STR("name", .flags = SVC_REQUIRED),
  F_ENUM("units", svc_units, .flags = SVC_REQUIRED),
  F_LONG("whole") /* for metrics of a part of a disk: bytes of the disk */
};
static const svc_object measure_metric = { .name = "AskedMetric", .fields = SVC_ROWS(measure_metric_fields) };
static const svc_field measure_asked_fields[] = {
  F_STR("collection"),
  F_STR("database"),
  F_LONG("from", .flags = SVC_REQUIRED), /* seconds since 1970, like `since` and `until` */
  F_STR("host", .flags = SVC_REQUIRED),  /* "name:port"; empty: the whole cluster */
  F_STRS("indexIds"),                    /* ids of search indexes that the metrics are about */
  F_LIST("metrics", &measure_metric, .flags = SVC_REQUIRED),
  F_STR("partition"),
  F_STR("place", .flags = SVC_REQUIRED), /* database and collection in one text, "a.b" */
  F_LONG("since", .flags = SVC_REQUIRED), /* creation of the cluster */
  F_INT("step", .flags = SVC_REQUIRED),  /* seconds */
  F_LONG("until", .flags = SVC_REQUIRED),
  F_STR("view")                          /* of the whole cluster: clusterView of the path, PRIMARY for example */
};
static const svc_object measure_asked = { .name = "AskedSeries", .fields = SVC_ROWS(measure_asked_fields) };
static const svc_field measure_reply_fields[] = {
  F_BOOL("missing"), { .name = "series", .type = SVC_MAP, .item = SVC_ANY }, F_BOOL("simulated")
};
static const svc_object measure_reply = { .name = "SeriesReply", .fields = SVC_ROWS(measure_reply_fields) };
SVC_PRIVATE const svc_question_row svc_question_series = {
  "series", "cluster",
  "The figures of each of `metrics` at `from`, `from` + `step`, ... up to `until`, in seconds. `series` has an array for each "
  "metric, by its name: a number for each step, or null for no figure. An omitted metric has no figures. `missing` true: the "
  "database, disk or collection does not exist (404).",
  &measure_asked, &measure_reply, SVC_REPLY_OBJECT
};

/* Bytes of a node's disk, if the metric is about a part of it; otherwise 0. */
static int64_t measure_whole(const svc_processes *at, const char *name, int unit)
{
  const svc_node *spec = svc_node_first(svc_node_get(at->body, "replicationSpecs"));
  const svc_node *region = svc_node_first(svc_node_get(spec, "regionConfigs"));
  double size = 0;
  const svc_node *disk = svc_node_get(svc_node_get(region, "electableSpecs"), "diskSizeGB");
  if (unit != SVC_UNIT_BYTES || !strstr(name, "DISK_PARTITION_SPACE")) return 0;
  if (!disk || !svc_json_number_double(disk->text, &size)) return 0;
  return (int64_t)size * 1000000000;
}

static svc_node *measure_metrics(svc_call *c, const svc_processes *at, const svc_metrics *m)
{
  svc_node *list = svc_node_array(c->arena, "metrics"), *one;
  size_t i;
  for (i = 0; list && i < m->count; i++) {
    int64_t whole = measure_whole(at, m->names[i], m->units[i]);
    if (!measure_wanted(c, m, m->names[i])) continue;
    one = svc_node_object(c->arena, NULL);
    if (!one) return NULL;
    svc_node_set_text(c->arena, one, "name", m->names[i]);
    svc_node_set_text(c->arena, one, "units", svc_units[m->units[i]]);
    if (whole) svc_node_set_i64(c->arena, one, "whole", whole);
    svc_node_append(list, one);
  }
  return list;
}

SVC_PRIVATE bool svc_measure_ask(svc_call *c, const svc_processes *at, const svc_process *p, const svc_metrics *metrics, const svc_node *of)
{
  svc_node *ask = of ? svc_node_copy(c->arena, of) : svc_node_object(c->arena, NULL);
  svc_node *list = measure_metrics(c, at, metrics);
  svc_str database = svc_node_str(of, "database"), collection = svc_node_str(of, "collection");
  svc_buf b = svc_buf_new(c->arena, 1024);
  svc_span span;
  if (!ask || !list) return svc_no_memory(c);
  if (!svc_span_of(c, metrics, &span)) return false;
  svc_node_set_i64(c->arena, ask, "from", span.from);
  svc_node_set_str(c->arena, ask, "host", p->id);
  svc_node_put(c->arena, ask, list);
  svc_node_set_str(c->arena, ask, "place", svc_arena_print(c->arena, SVC_FMT "%s" SVC_FMT, SVC_ARG(database),
                                                           svc_node_get(of, "collection") ? "." : "", SVC_ARG(collection)));
  svc_node_set_i64(c->arena, ask, "since", svc_id_second(&at->cluster.id));
  svc_node_set_i64(c->arena, ask, "step", span.step);
  svc_node_set_i64(c->arena, ask, "until", span.until);
  svc_node_write(&b, ask);
  if (b.failed) return svc_no_memory(c);
  return svc_question_about(c, &svc_question_series, &at->cluster, at->cluster.unique, svc_buf_done(&b));
}

/* --------------------------------------------------------------------------------------------------------------- answer */

/* Checks that each series is an array of numbers and nulls. */
static bool measure_sound(const svc_node *series)
{
  const svc_node *one, *figure;
  for (one = svc_node_first(series); one; one = one->next) {
    if (one->type != SVC_J_ARRAY) return false;
    for (figure = one->first; figure; figure = figure->next)
      if (figure->type != SVC_J_NUMBER && figure->type != SVC_J_NULL) return false;
  }
  return true;
}

/* Writes a point per step; missing figures at the end are gaps. */
static void measure_points(svc_buf *b, const svc_span *span, const svc_node *told)
{
  const svc_node *one = svc_node_first(told);
  char date[21];
  int64_t at;
  for (at = span->from; at <= span->until; at += span->step) {
    svc_date_text(at * 1000, date);
    svc_buf_text(b, at == span->from ? "{\"timestamp\":\"" : ",{\"timestamp\":\"");
    svc_buf_text(b, date);
    svc_buf_text(b, "\",\"value\":");
    svc_buf_str(b, one && one->type == SVC_J_NUMBER ? one->text : SVC_S("null"));
    svc_buf_char(b, '}');
    if (one) one = one->next;
  }
}

/* Figures from the driver's earlier reports, for a metric that its reply leaves out. NULL: none, or failed. */
static const svc_node *measure_reported(svc_call *c, const svc_span *span, const char *metric)
{
  const svc_reported_span of = { span->from, span->until, span->step };
  svc_str process = svc_json_word(svc_str_c(c->question->parameters), "host");
  svc_id cluster;
  if (!svc_id_parse(svc_str_c(c->question->resource_id), &cluster) || !svc_begin_read(c)) return NULL;
  return svc_reported_series(c, &cluster, process, svc_str_c(metric), &of);
}

SVC_PRIVATE svc_node *svc_measure_read(svc_call *c, const svc_reply *reply, const svc_metrics *metrics, const char *name)
{
  const svc_node *said = svc_driver_reply(c, &svc_question_series, reply), *series = svc_node_get(said, "series");
  svc_buf b = svc_buf_new(c->arena, 4096);
  svc_span span;
  size_t i;
  bool good = svc_span_of(c, metrics, &span);
  if (!said || SVC_NEVER(!good)) return NULL; /* the range was checked when the question was asked */
  if (!measure_sound(series)) return svc_driver_reply_refused(c, &svc_question_series, "each of `series` must be an array of numbers and null");
  if (svc_node_bool(said, "missing", false)) {
    (void)svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path);
    return NULL;
  }
  svc_buf_char(&b, '[');
  for (i = 0; i < metrics->count; i++) {
    const svc_node *told = svc_node_get(series, metrics->names[i]);
    if (!measure_wanted(c, metrics, metrics->names[i])) continue;
    if (!told && metrics->reported) told = measure_reported(c, &span, metrics->names[i]);
    svc_buf_text(&b, b.n > 1 ? ",{\"dataPoints\":[" : "{\"dataPoints\":[");
    measure_points(&b, &span, told);
    svc_buf_text(&b, "],\"name\":\"");
    svc_buf_text(&b, metrics->names[i]);
    svc_buf_text(&b, "\",\"units\":\"");
    svc_buf_text(&b, svc_units[metrics->units[i]]);
    svc_buf_text(&b, "\"}");
  }
  svc_buf_char(&b, ']');
  if (!svc_read_good(c)) return NULL;
  if (b.failed) {
    (void)svc_no_memory(c);
    return NULL;
  }
  return svc_node_new(c->arena, SVC_J_TEXT, svc_str_c(name), svc_buf_done(&b));
}

SVC_PRIVATE svc_node *svc_measure_answer(svc_call *c, const svc_metrics *metrics)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  svc_span span;
  bool good = svc_span_of(c, metrics, &span);
  if (SVC_NEVER(!good)) return NULL; /* as in svc_measure_read() */
  if (!body) (void)svc_no_memory(c);
  if (!body) return NULL;
  svc_node_set_date(c->arena, body, "end", span.until * 1000);
  svc_node_set_text(c->arena, body, "granularity", span.granularity);
  svc_node_set_id(c->arena, body, "groupId", &c->scope.group);
  svc_node_set_date(c->arena, body, "start", span.from * 1000);
  return body;
}

SVC_PRIVATE svc_node *svc_metrics_shown(svc_call *c, const svc_metrics *metrics, const char *name)
{
  svc_node *list = svc_node_array(c->arena, name), *one;
  size_t i;
  for (i = 0; list && i < metrics->count; i++) {
    one = svc_node_object(c->arena, NULL);
    if (!one) return NULL;
    svc_node_set_text(c->arena, one, "metricName", metrics->names[i]);
    svc_node_set_text(c->arena, one, "units", svc_units[metrics->units[i]]);
    svc_node_append(list, one);
  }
  return list;
}

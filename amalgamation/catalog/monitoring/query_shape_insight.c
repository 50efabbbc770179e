/*
** Insight into the queries of a cluster, by shape: how often queries of a shape ran, how long they took, and what they
** examined. Nothing is stored. The driver reports all queries ("queryStats"); a record stands for one query, or several
** of the same shape. The answer has totals per shape, the longest total time first.
**
** `series` selects the figures to show; the default is all. A percentile is the shortest time within which that part of
** all executions ended; the executions of a record count with their mean. The driver's hash identifies a shape. A
** rejected shape (query_shape.c) has details even if no query of it ran.
*/
#include "catalog/monitoring/advisor_parts.h"

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const query_shape_insight_commands[] = { "find", "distinct", "aggregate", NULL };
static const char *const query_shape_insight_series[] = {
  "TOTAL_EXECUTION_TIME", "AVG_EXECUTION_TIME", "EXECUTION_COUNT", "KEYS_EXAMINED", "DOCS_EXAMINED", "DOCS_RETURNED",
  "TOTAL_TIME_TO_RESPONSE", "BYTES_READ", "CPU_TIME", "KEYS_EXAMINED_RETURNED", "DOCS_EXAMINED_RETURNED", "LAST_EXECUTION_TIME",
  "P50_EXECUTION_TIME", "P90_EXECUTION_TIME", "P99_EXECUTION_TIME", NULL
};
static const char *const query_shape_insight_figures[] = { /* the figure of each series */
  "totalWorkingMillis", "avgWorkingMillis", "execCount", "keysExamined", "docsExamined", "docsReturned", "totalTimeToResponseMicros",
  "bytesRead", "cpuTime", "keysExaminedRatio", "docsExaminedRatio", "lastExecMicros", "p50ExecMicros", "p90ExecMicros", "p99ExecMicros"
};

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field query_shape_insight_summary_fields[] = {
  F_NUM("avgWorkingMillis"),
  F_NUM("bytesRead"),
  F_ENUM("command", query_shape_insight_commands),
  F_NUM("cpuTime"), /* milliseconds; absent if the driver does not measure it */
  F_NUM("docsExamined"),
  F_NUM("docsExaminedRatio"),
  F_NUM("docsReturned"),
  F_NUM("execCount"),
  F_NUM("keysExamined"),
  F_NUM("keysExaminedRatio"),
  F_NUM("lastExecMicros"),
  F_STR("namespace"),
  F_NUM("p50ExecMicros"),
  F_NUM("p90ExecMicros"),
  F_NUM("p99ExecMicros"),
  F_STR("queryShape"),
  F_STR("queryShapeHash"),
  F_BOOL("systemQuery"),
  F_NUM("totalTimeToResponseMicros"),
  F_NUM("totalWorkingMillis")
};
static const svc_object query_shape_insight_summary = { .name = "QueryStatsSummary", .fields = SVC_ROWS(query_shape_insight_summary_fields) };
static const svc_field query_shape_insight_list_fields[] = { F_LIST("summaries", &query_shape_insight_summary) };
static const svc_object query_shape_insight_list = { .name = "QueryStatsSummaryListResponse", .fields = SVC_ROWS(query_shape_insight_list_fields) };
static const svc_field query_shape_insight_seen_fields[] = {
  F_STR("applicationName"),
  F_STR("driverName"),
  F_STR("driverVersion"),
  F_LONG("timestamp") /* seconds since 1970 */
};
static const svc_object query_shape_insight_seen = { .name = "QueryShapeSeenMetadata", .fields = SVC_ROWS(query_shape_insight_seen_fields) };
static const svc_field query_shape_insight_fields[] = {
  F_OBJ("firstSeen", &query_shape_insight_seen),
  F_OBJ("lastSeen", &query_shape_insight_seen),
  F_OBJ("queryStats", &query_shape_insight_summary)
};
static const svc_object query_shape_insight_object = { .name = "QueryStatsDetailsResponse", .fields = SVC_ROWS(query_shape_insight_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool query_shape_insight_ask(svc_call *c);
static bool query_shape_insight_on_reply(svc_call *c, const svc_reply *reply);
static bool query_shape_insight_ask_one(svc_call *c);
static bool query_shape_insight_on_reply_one(svc_call *c, const svc_reply *reply);

enum { QUERY_SHAPE_INSIGHT_MOST = 100 };
#define QUERY_SHAPE_INSIGHT_PROCESSES \
  { .name = "processIds", .flags = SVC_PARAM_REPEATS, .max_repeats = 10, .pattern = "^[^:]+(:[0-9]{4,5})?$" }

static const svc_param query_shape_insight_params[] = {
  { .name = "commands", .flags = SVC_PARAM_REPEATS, .max_repeats = 3, .values = query_shape_insight_commands },
  { .name = "nSummaries", .type = SVC_INT64, .min = 1, .max = QUERY_SHAPE_INSIGHT_MOST },
  { .name = "namespaces", .flags = SVC_PARAM_REPEATS, .max_repeats = 10, .pattern = "^[^.]+\\..+$" },
  QUERY_SHAPE_INSIGHT_PROCESSES,
  { .name = "queryShapeHashes", .flags = SVC_PARAM_REPEATS, .max_repeats = 10, .pattern = "^[a-fA-F0-9]{64}$" },
  { .name = "series", .flags = SVC_PARAM_REPEATS, .max_repeats = 15, .values = query_shape_insight_series },
  SVC_ADVISOR_TIME("since"),
  SVC_ADVISOR_TIME("until"),
  { .name = NULL }
};
static const svc_param query_shape_insight_one_params[] = {
  QUERY_SHAPE_INSIGHT_PROCESSES, SVC_ADVISOR_TIME("since"), SVC_ADVISOR_TIME("until"), { .name = NULL }
};

#define QUERY_SHAPE_INSIGHT \
  "/groups/{groupId}/clusters/{clusterName}/queryShapeInsights", SVC_SET_QUERY_SHAPES, (20250312), SVC_R_GROUP_READ_ONLY, 0

static const svc_route query_shape_insight_routes[] = {
  R_GET(QUERY_SHAPE_INSIGHT, "/summaries", .params = query_shape_insight_params, .answer = &query_shape_insight_list,
        .op = "listQueryShapeSummaries", .run = query_shape_insight_ask, .on_reply = query_shape_insight_on_reply),
  R_GET(QUERY_SHAPE_INSIGHT, "/{queryShapeHash}/details", .flags = SVC_ITEM, .params = query_shape_insight_one_params,
        .op = "getQueryShapeDetails", .run = query_shape_insight_ask_one, .on_reply = query_shape_insight_on_reply_one)
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* ---- sums */

typedef struct query_shape_insight {
  svc_str hash;
  svc_ran **ran; /* oldest first */
  size_t ran_count;
  int64_t micros;
} query_shape_insight;

typedef struct query_shape_insights {
  query_shape_insight *at;
  size_t count;
} query_shape_insights;

static svc_str query_shape_insight_hash(const svc_ran *r)
{
  return svc_node_str(r->said, "queryShapeHash");
}

static int query_shape_insight_together(const void *a, const void *b)
{
  const svc_ran *one = *(const svc_ran *const *)a, *other = *(const svc_ran *const *)b;
  int order = svc_str_order(query_shape_insight_hash(one), query_shape_insight_hash(other));
  return order ? order : (one > other) - (one < other); /* pointers are in order of time */
}

static int query_shape_insight_longest(const void *a, const void *b)
{
  const query_shape_insight *one = a, *other = b;
  int order = (one->micros < other->micros) - (one->micros > other->micros);
  return order ? order : svc_str_order(one->hash, other->hash);
}

static bool query_shape_insight_wanted(svc_call *c, const svc_ran *r)
{
  if (!query_shape_insight_hash(r).n || !svc_value_in(c->s, r->op, query_shape_insight_commands)) return false;
  if (svc_query_get(c, "commands") && !svc_query_has(c, "commands", r->op)) return false;
  return !svc_query_get(c, "queryShapeHashes") || svc_query_has(c, "queryShapeHashes", query_shape_insight_hash(r));
}

/* Groups all queries by hash; only: just this hash, empty: all. */
static bool query_shape_insight_sum(svc_call *c, const svc_rans *ran, svc_str only, query_shape_insights *out)
{
  svc_ran **sorted = svc_arena_alloc(c->arena, (ran->count + 1) * sizeof *sorted);
  size_t i, n = 0;
  memset(out, 0, sizeof *out);
  out->at = svc_arena_zero(c->arena, (ran->count + 1) * sizeof *out->at);
  if (!sorted || !out->at) return svc_no_memory(c);
  for (i = 0; i < ran->count; i++)
    if (query_shape_insight_wanted(c, &ran->at[i]) && (!only.n || svc_str_eq(only, query_shape_insight_hash(&ran->at[i]))))
      sorted[n++] = &ran->at[i];
  qsort(sorted, n, sizeof *sorted, query_shape_insight_together);
  for (i = 0; i < n; i++) {
    query_shape_insight *s = out->count ? &out->at[out->count - 1] : NULL;
    if (!s || !svc_str_eq(s->hash, query_shape_insight_hash(sorted[i]))) {
      s = &out->at[out->count++];
      s->hash = query_shape_insight_hash(sorted[i]);
      s->ran = &sorted[i];
    }
    s->ran_count++;
    s->micros += sorted[i]->micros;
  }
  qsort(out->at, out->count, sizeof *out->at, query_shape_insight_longest);
  return true;
}

static int query_shape_insight_quickest(const void *a, const void *b)
{
  const svc_ran *one = *(const svc_ran *const *)a, *other = *(const svc_ran *const *)b;
  int64_t m = one->micros / one->count, n = other->micros / other->count;
  return m < n ? -1 : m > n;
}

/* The time within which `percent` of all executions ended; records are sorted by their mean, shortest first. */
static int64_t query_shape_insight_within(svc_ran *const *ran, size_t n, int64_t count, int percent)
{
  int64_t seen = 0, wanted = count / 100 * percent + (count % 100 * percent + 99) / 100;
  size_t i;
  for (i = 0; i + 1 < n && seen + ran[i]->count < wanted; i++) seen += ran[i]->count;
  return ran[i]->micros / ran[i]->count;
}

/* ---- showing */

static void query_shape_insight_totals(svc_call *c, const query_shape_insight *s, svc_node *to)
{
  int64_t count = 0, examined = 0, returned = 0, keys = 0, bytes = 0, cpu = 0, response = 0;
  bool timed = false;
  size_t i;
  for (i = 0; i < s->ran_count; i++) {
    const svc_ran *r = s->ran[i];
    count += r->count;
    examined += r->examined;
    returned += r->returned;
    keys += r->keys;
    bytes += svc_node_i64(r->said, "bytesRead", 0);
    cpu += svc_node_i64(r->said, "cpuMicros", 0);
    timed |= svc_node_get(r->said, "cpuMicros") != NULL;
    response += svc_node_i64(r->said, "responseMicros", r->micros);
  }
  /* cppcheck-suppress zerodiv ; a shape has at least one record, and each record counts for 1 or more (advisor_reply.c) */
  svc_advisor_ratio(c, to, "avgWorkingMillis", s->micros / count, 1000);
  svc_node_set_i64(c->arena, to, "bytesRead", bytes);
  if (timed) svc_advisor_ratio(c, to, "cpuTime", cpu, 1000);
  svc_node_set_i64(c->arena, to, "docsExamined", examined);
  svc_advisor_ratio(c, to, "docsExaminedRatio", examined, returned);
  svc_node_set_i64(c->arena, to, "docsReturned", returned);
  svc_node_set_i64(c->arena, to, "execCount", count);
  svc_node_set_i64(c->arena, to, "keysExamined", keys);
  svc_advisor_ratio(c, to, "keysExaminedRatio", keys, returned);
  svc_node_set_i64(c->arena, to, "totalTimeToResponseMicros", response);
  svc_advisor_ratio(c, to, "totalWorkingMillis", s->micros, 1000);
}

/* Adds the last duration and the percentiles. Sorts the records by duration: call it after the code that needs them in order of time. */
static void query_shape_insight_times(svc_call *c, query_shape_insight *s, svc_node *to)
{
  static const struct { const char *name; int percent; } rows[] = { { "p50ExecMicros", 50 }, { "p90ExecMicros", 90 }, { "p99ExecMicros", 99 } };
  const svc_ran *last = s->ran[s->ran_count - 1];
  int64_t count = 0;
  size_t i;
  svc_node_set_i64(c->arena, to, "lastExecMicros", last->micros / last->count);
  for (i = 0; i < s->ran_count; i++) count += s->ran[i]->count;
  qsort(s->ran, s->ran_count, sizeof *s->ran, query_shape_insight_quickest);
  for (i = 0; i < 3; i++)
    svc_node_set_i64(c->arena, to, rows[i].name, query_shape_insight_within(s->ran, s->ran_count, count, rows[i].percent));
}

static svc_node *query_shape_insight_show(svc_call *c, query_shape_insight *s)
{
  svc_node *out = svc_node_object(c->arena, "queryStats");
  const svc_ran *last = s->ran[s->ran_count - 1];
  size_t i;
  if (!out) return NULL;
  svc_node_set_str(c->arena, out, "command", last->op);
  svc_node_set_str(c->arena, out, "namespace", last->namespace);
  svc_node_set_str(c->arena, out, "queryShape", svc_query_shape_of(c, last));
  svc_node_set_str(c->arena, out, "queryShapeHash", s->hash);
  svc_node_set_bool(c->arena, out, "systemQuery", svc_node_bool(last->said, "systemQuery", false));
  query_shape_insight_totals(c, s, out);
  query_shape_insight_times(c, s, out);
  for (i = 0; svc_query_get(c, "series") && query_shape_insight_series[i]; i++)
    if (!svc_query_has(c, "series", svc_str_c(query_shape_insight_series[i]))) svc_node_drop(out, query_shape_insight_figures[i]);
  return c->arena->failed ? NULL : out;
}

/* ---- summaries */

/* Checks that lists have no duplicates. */
static bool query_shape_insight_once(svc_call *c)
{
  static const char *const params[] = { "commands", "series", NULL };
  size_t i, j;
  for (i = 0; i < c->query.count; i++)
    for (j = i + 1; j < c->query.count; j++) {
      const svc_query_value *a = &c->query.values[i], *b = &c->query.values[j];
      if (a->param == b->param && svc_str_eq(a->text, b->text) && svc_value_in(c->s, svc_str_c(a->param->name), params))
        return svc_fail(c, SVC_E_INVALID_QUERY_PARAMETER, "ss", a->param->name, "one value appears twice");
    }
  return true;
}

static bool query_shape_insight_ask(svc_call *c)
{
  size_t i;
  for (i = 0; i < c->query.count; i++)
    if (strcmp(c->query.values[i].param->name, "queryShapeHashes") == 0)
      c->query.values[i].text = svc_query_shape_capitals(c, c->query.values[i].text);
  return query_shape_insight_once(c) && svc_advisor_ask(c, &svc_question_query_stats);
}

static bool query_shape_insight_on_reply(svc_call *c, const svc_reply *reply)
{
  const svc_query_value *most = svc_query_get(c, "nSummaries");
  svc_node *body, *list, *one;
  query_shape_insights all;
  svc_entity shape;
  svc_rans ran;
  size_t i, n = most ? (size_t)most->number : QUERY_SHAPE_INSIGHT_MOST;
  if (!svc_advisor_reply(c, &svc_question_query_stats, reply, &ran) || !query_shape_insight_sum(c, &ran, SVC_S(""), &all)) return false;
  body = svc_node_object(c->arena, NULL);
  list = svc_node_array(c->arena, "summaries");
  if (!body || !list) return svc_no_memory(c);
  for (i = 0; i < all.count && i < n; i++) {
    one = query_shape_insight_show(c, &all.at[i]);
    if (!one) return svc_no_memory(c);
    memset(&shape, 0, sizeof shape);
    shape.key = all.at[i].hash;
    svc_answer_linked(c, &shape, one);
    svc_node_append(list, one);
  }
  svc_node_put(c->arena, body, list);
  return c->arena->failed ? svc_no_memory(c) : svc_answer_node(c, body);
}

/* ---- details */

/* Passes the stored record of a rejected shape along, in c->prework. */
static bool query_shape_insight_ask_one(svc_call *c)
{
  svc_entity kept;
  svc_str hash;
  int rc;
  if (!svc_query_shape_hash(c, &hash) || !svc_resolve_all(c)) return false;
  rc = svc_entity_named(c->txn, QUERY_SHAPE_KIND, NULL, &svc_path_entity(c, "cluster")->id, hash, &kept);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  if (rc == SVC_OK) c->prework = svc_arena_copy(c->arena, kept.body);
  return svc_advisor_ask(c, &svc_question_query_stats);
}

static svc_node *query_shape_insight_met(svc_call *c, const svc_ran *r, const char *name)
{
  static const char *const from[][2] = {
    { "applicationName", "appName" }, { "driverName", "driverName" }, { "driverVersion", "driverVersion" }
  };
  svc_node *out = svc_node_object(c->arena, name);
  size_t i;
  if (!out) return NULL;
  for (i = 0; i < 3; i++)
    if (svc_node_get(r->said, from[i][1])) svc_node_set_from(c->arena, out, from[i][0], r->said, from[i][1]);
  svc_node_set_i64(c->arena, out, "timestamp", r->at / 1000);
  return out;
}

/* Details of a rejected shape without queries: the shape, and a count of 0. */
static svc_node *query_shape_insight_kept(svc_call *c)
{
  static const char *const names[] = { "namespace", "queryShape", "queryShapeHash" };
  const svc_node *kept = svc_json_parse(c->arena, c->prework);
  svc_node *out = svc_node_object(c->arena, "queryStats");
  const char *const *command = query_shape_insight_commands;
  size_t i;
  if (!kept || !out) return NULL;
  while (*command && !svc_str_is_nocase(svc_node_str(kept, "command"), *command)) command++;
  if (*command) svc_node_set_text(c->arena, out, "command", *command);
  svc_node_set_i64(c->arena, out, "execCount", 0);
  for (i = 0; i < 3; i++)
    if (svc_node_get(kept, names[i])) svc_node_set_from(c->arena, out, names[i], kept, names[i]);
  return out;
}

static bool query_shape_insight_on_reply_one(svc_call *c, const svc_reply *reply)
{
  svc_node *body;
  query_shape_insights all;
  svc_rans ran;
  svc_str hash;
  if (!svc_query_shape_hash(c, &hash) || !svc_advisor_reply(c, &svc_question_query_stats, reply, &ran)) return false;
  if (!query_shape_insight_sum(c, &ran, hash, &all)) return false;
  if (!all.count && !c->prework.n) return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &hash);
  body = svc_node_object(c->arena, NULL);
  if (!body) return svc_no_memory(c);
  if (all.count) {
    svc_node_put(c->arena, body, query_shape_insight_met(c, all.at[0].ran[0], "firstSeen"));
    svc_node_put(c->arena, body, query_shape_insight_met(c, all.at[0].ran[all.at[0].ran_count - 1], "lastSeen"));
  }
  svc_node_put(c->arena, body, all.count ? query_shape_insight_show(c, &all.at[0]) : query_shape_insight_kept(c));
  return c->arena->failed ? svc_no_memory(c) : svc_answer_node(c, body);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_query_shape_insight = {
  .name = "query shape insight",
  .rel = "queryShapeInsight",
  .parent = "cluster",
  .param = "queryShapeHash",
  .flags = SVC_VIRTUAL | SVC_BY_TABLE,
  .object = &query_shape_insight_object,
  .questions = SVC_ASKS(&svc_question_query_stats),
  .routes = SVC_ROUTES(query_shape_insight_routes),
};

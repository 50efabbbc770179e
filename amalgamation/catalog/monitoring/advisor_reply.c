/*
** Questions of the performance advisor and the driver's replies: records of queries ("slowQueries", "queryStats") and of
** collections with their indexes ("collections"). The rule: the tables below check each record, and an invalid record
** makes the reply invalid (503). Of a valid reply only the requested records count, up to a limit.
*/
#include "catalog/monitoring/advisor_parts.h"

#define ADVISOR_FIGURE(n) F_LONG(n, .flags = SVC_MIN | SVC_MAX, .format = SVC_FORMAT_FIGURE)

static const svc_field advisor_reply_fields[] = {
  F_STR("appName"),
  F_LONG("at", .flags = SVC_REQUIRED | SVC_MIN, .min = 0), /* milliseconds since 1970 */
  ADVISOR_FIGURE("bytesRead"),
  F_LONG("count", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 1000000000), /* number of queries in the record; default 1 */
  ADVISOR_FIGURE("cpuMicros"),
  ADVISOR_FIGURE("docsExamined"),
  ADVISOR_FIGURE("docsReturned"),
  F_STR("driverName"),
  F_STR("driverVersion"),
  F_LONG("durationMicros", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .format = SVC_FORMAT_FIGURE),
  F_ANY("filter"),
  F_BOOL("fromUserConnection"),
  F_BOOL("hasIndexCoverage"),
  F_BOOL("hasSort"), /* sorted in memory */
  F_STR("host"),
  ADVISOR_FIGURE("keysExamined"),
  F_STR("line"), /* line of the server's log */
  F_BOOL("lookup"), /* joins another collection */
  F_STR("namespace", .flags = SVC_REQUIRED, .pattern = "^[^.]+\\..+$"),
  ADVISOR_FIGURE("numYields"),
  F_STR("opType", .flags = SVC_REQUIRED),
  F_STR("queryShape"),
  F_STR("queryShapeHash", .pattern = "^[A-F0-9]{64}$"),
  F_STR("replicaState"),
  ADVISOR_FIGURE("responseLength"),
  ADVISOR_FIGURE("responseMicros"), /* until the first part of the answer; default: the duration */
  F_BOOL("simulated"),
  { .name = "sort", .type = SVC_ARRAY, .item = SVC_ANY, .max_items = SVC_ADVISOR_KEYS }, /* {"a":1}, one object per field */
  F_BOOL("systemQuery")
};
static const svc_object advisor_reply_record = { .name = "QueryRecord", .fields = SVC_ROWS(advisor_reply_fields) };

static const svc_field advisor_reply_index_fields[] = {
  ADVISOR_FIGURE("accesses"),
  F_BOOL("hidden"),
  { .name = "keys", .type = SVC_ARRAY, .item = SVC_ANY, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = SVC_ADVISOR_KEYS },
  F_STR("name", .flags = SVC_REQUIRED),
  F_ANY("options"), /* other options: unique, sparse, expireAfterSeconds, partialFilterExpression, collation */
  F_STRS("shards", .max_items = 1000),
  F_LONG("since", .flags = SVC_MIN, .min = 0), /* milliseconds: start of the count of accesses */
  ADVISOR_FIGURE("sizeBytes")
};
static const svc_object advisor_reply_index = { .name = "IndexRecord", .fields = SVC_ROWS(advisor_reply_index_fields) };
static const svc_field advisor_reply_collection_fields[] = {
  ADVISOR_FIGURE("averageBytes"),
  F_LIST("indexes", &advisor_reply_index, .max_items = SVC_ADVISOR_INDEXES),
  ADVISOR_FIGURE("largestBytes"), /* of a document */
  ADVISOR_FIGURE("longestArray"), /* in elements */
  F_STR("namespace", .flags = SVC_REQUIRED),
  F_BOOL("simulated")
};
static const svc_object advisor_reply_collection = { .name = "CollectionRecord", .fields = SVC_ROWS(advisor_reply_collection_fields) };

/* ------------------------------------------------------------------------------------------------------------ questions */

static const svc_field advisor_reply_asked_fields[] = {
  F_STRS("hosts"),               /* processes, as "name:port"; none: all of the cluster */
  F_STRS("known"),               /* collections that the service knows */
  F_INT("most", .flags = SVC_REQUIRED),
  F_STRS("namespaces"),          /* "database.collection"; none: all */
  F_LONG("since", .flags = SVC_REQUIRED), /* milliseconds since 1970, like `until` */
  F_LONG("until", .flags = SVC_REQUIRED)
};
static const svc_object advisor_reply_asked = { .name = "AskedQueries", .fields = SVC_ROWS(advisor_reply_asked_fields) };

SVC_PRIVATE const svc_question_row svc_question_slow_queries = {
  "slowQueries", "cluster",
  "Single slow queries, at most `most`, that ran on `hosts` (omitted: all) from `since` until `until`, in milliseconds, on "
  "`namespaces` (omitted: all). `line` is the line of the server's log.",
  &advisor_reply_asked, &advisor_reply_record, SVC_REPLY_LIST
};
SVC_PRIVATE const svc_question_row svc_question_query_stats = {
  "queryStats", "cluster",
  "All queries that ran. The parameters are those of slow queries. One record may represent `count` queries of the same shape: "
  "its figures are for all of them.",
  &advisor_reply_asked, &advisor_reply_record, SVC_REPLY_LIST
};
SVC_PRIVATE const svc_question_row svc_question_collections = {
  "collections", "cluster", "The collections of the cluster with their sizes and indexes. The parameters are those of slow queries.",
  &advisor_reply_asked, &advisor_reply_collection, SVC_REPLY_LIST
};

SVC_PRIVATE bool svc_advisor_range(svc_call *c, int64_t *since, int64_t *until)
{
  const svc_query_value *from = svc_query_get(c, "since"), *end = svc_query_get(c, "until"), *length = svc_query_get(c, "duration");
  *until = end ? end->number : from && length ? from->number + length->number : c->now;
  *since = from ? from->number : *until - (length ? length->number : SVC_DAY_MS);
  if (*since > *until) return svc_fail(c, SVC_E_START_DATE_AFTER_END_DATE, "ii", since, until);
  if (*until > c->now) *until = c->now; /* there is no data on the future */
  return true;
}

/* Copies all values of a repeatable parameter into a member with the given name. */
static bool advisor_reply_given(svc_call *c, svc_node *ask, const char *param, const char *name)
{
  svc_node *list = NULL;
  size_t i;
  for (i = 0; i < c->query.count; i++) {
    if (strcmp(c->query.values[i].param->name, param) != 0) continue;
    if (!list) list = svc_node_array(c->arena, name);
    if (!svc_node_add_str(c->arena, list, c->query.values[i].text)) return svc_no_memory(c);
  }
  if (list) svc_node_put(c->arena, ask, list);
  return true;
}

/* Adds the process of the path as a list with its id, which the driver knows. */
static bool advisor_reply_host(svc_call *c, svc_node *ask, svc_str id)
{
  svc_node *list = svc_node_array(c->arena, "hosts");
  if (!svc_node_add_str(c->arena, list, id)) return svc_no_memory(c);
  svc_node_put(c->arena, ask, list);
  return true;
}

/* Checks that the given processes belong to the cluster, and replaces host names by ids. */
static bool advisor_reply_processes(svc_call *c, const svc_processes *of)
{
  size_t i, j;
  for (i = 0; i < c->query.count; i++) {
    svc_query_value *v = &c->query.values[i];
    if (strcmp(v->param->name, "processIds") != 0) continue;
    for (j = 0; j < of->count && !svc_str_eq(v->text, of->at[j].id) && !svc_str_eq(v->text, of->at[j].host);) j++;
    if (j == of->count) return svc_fail(c, SVC_E_INVALID_QUERY_PARAMETER, "ss", "processIds", "it must be a process of the cluster");
    v->text = of->at[j].id;
  }
  return true;
}

/* Reads the process or cluster of the path, and adds the requested processes to the question. *runs: whether any process runs. */
static bool advisor_reply_of(svc_call *c, svc_node *ask, svc_processes *of, bool *runs)
{
  svc_str id = svc_path_param(c, "processId");
  svc_process process;
  size_t i;
  *runs = false;
  if (!svc_resolve(c, c->plan->hop_count - (c->plan->own ? 1 : 0))) return false; /* resolves the parent only: the driver may be the only
                                                                                     one to know the last part of the path */
  if (id.n) {
    if (!svc_process_find(c, id, of, &process)) return false;
    *runs = svc_process_runs(&process);
    return advisor_reply_host(c, ask, process.id);
  }
  if (!svc_processes_of(c, svc_path_entity(c, "cluster"), of)) return false;
  for (i = 0; i < of->count; i++) *runs |= svc_process_runs(&of->at[i]);
  return advisor_reply_processes(c, of) && advisor_reply_given(c, ask, "processIds", "hosts");
}

SVC_PRIVATE bool svc_advisor_question(svc_call *c, const svc_question_row *row)
{
  svc_node *ask = svc_node_object(c->arena, NULL), *known;
  int64_t since, until;
  svc_buf b;
  svc_processes of;
  bool runs;
  if (!ask) return svc_no_memory(c);
  if (!svc_advisor_range(c, &since, &until) || !advisor_reply_of(c, ask, &of, &runs)) return false;
  if (!runs) return true;
  if (!svc_namespaces_known(c, &of.cluster, &known) || !advisor_reply_given(c, ask, "namespaces", "namespaces")) return false;
  svc_range_narrow(c, &of.cluster.id, &since, &until);
  known->name = SVC_S("known");
  svc_node_put(c->arena, ask, known);
  svc_node_set_i64(c->arena, ask, "most", SVC_ADVISOR_RECORDS);
  svc_node_set_i64(c->arena, ask, "since", since);
  svc_node_set_i64(c->arena, ask, "until", until);
  b = svc_buf_new(c->arena, 1024);
  svc_node_write(&b, ask);
  if (b.failed) return svc_no_memory(c);
  return svc_question_about(c, row, &of.cluster, of.cluster.unique, svc_buf_done(&b));
}

SVC_PRIVATE bool svc_advisor_ask(svc_call *c, const svc_question_row *row)
{
  char none[] = "[]";
  svc_reply nothing = { .bytes = none, .length = 2 };
  if (!svc_advisor_question(c, row)) return false;
  return c->question->what ? true : c->plan->route->on_reply(c, &nothing);
}

SVC_PRIVATE bool svc_advisor_also(svc_call *c, const svc_question_row *row, svc_reply *reply)
{
  svc_question also = *c->question;
  char *none = svc_arena_alloc(c->arena, 3);
  if (!none) return svc_no_memory(c);
  memcpy(none, "[]", 3);
  memset(reply, 0, sizeof *reply);
  reply->bytes = none;
  reply->length = 2;
  if (!also.what) return true; /* no process runs */
  also.what = row->what;
  return svc_ask(c, &also, reply);
}

/* -------------------------------------------------------------------------------------------------------------- queries */

static int advisor_reply_order(const void *a, const void *b)
{
  const svc_ran *one = a, *other = b;
  int order = (one->at > other->at) - (one->at < other->at);
  return order ? order : (one->number > other->number) - (one->number < other->number);
}

/* Whether a record was requested. A record without a host belongs to a requested process. */
static bool advisor_reply_wanted(svc_call *c, const svc_ran *r, svc_str process)
{
  if (svc_query_get(c, "namespaces") && !svc_query_has(c, "namespaces", r->namespace)) return false;
  if (!r->host.n) return true;
  if (process.n) return svc_str_eq(r->host, process);
  return !svc_query_get(c, "processIds") || svc_query_has(c, "processIds", r->host);
}

/* The id of the requested process, from the question. */
static svc_str advisor_reply_process(svc_call *c)
{
  const svc_node *ask, *host;
  if (!svc_path_param(c, "processId").n || SVC_NEVER(!c->question) || !c->question->parameters) return SVC_S("");
  ask = svc_json_parse(c->arena, svc_str_c(c->question->parameters));
  host = svc_node_first(svc_node_get(ask, "hosts"));
  return host ? host->text : SVC_S("");
}

SVC_PRIVATE bool svc_advisor_reply(svc_call *c, const svc_question_row *row, const svc_reply *reply, svc_rans *out)
{
  const svc_node *list = svc_driver_reply(c, row, reply), *one;
  svc_str process = advisor_reply_process(c);
  int64_t since, until;
  size_t number = 0;
  bool good = svc_advisor_range(c, &since, &until);
  memset(out, 0, sizeof *out);
  if (!list || SVC_NEVER(!good)) return false; /* the range was checked when the question was asked */
  out->at = svc_arena_alloc(c->arena, (svc_node_count(list) + 1) * sizeof *out->at);
  if (!out->at || c->arena->failed) return svc_no_memory(c);
  for (one = list->first; one; one = one->next, number++) {
    svc_ran *r = &out->at[out->count];
    memset(r, 0, sizeof *r);
    r->said = one;
    r->namespace = svc_node_str(one, "namespace");
    r->host = svc_node_str(one, "host");
    r->op = svc_node_str(one, "opType");
    r->at = svc_node_i64(one, "at", 0);
    r->micros = svc_node_i64(one, "durationMicros", 0);
    r->examined = svc_node_i64(one, "docsExamined", 0);
    r->keys = svc_node_i64(one, "keysExamined", 0);
    r->returned = svc_node_i64(one, "docsReturned", 0);
    r->count = svc_node_i64(one, "count", 1);
    r->number = number;
    out->count += r->at >= since && r->at <= until && advisor_reply_wanted(c, r, process);
  }
  qsort(out->at, out->count, sizeof *out->at, advisor_reply_order);
  if (out->count > SVC_ADVISOR_RECORDS) {
    out->at += out->count - SVC_ADVISOR_RECORDS;
    out->count = SVC_ADVISOR_RECORDS;
  }
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- collections */

static int advisor_reply_by_name(const void *a, const void *b)
{
  return svc_str_order(((const svc_reply_collection *)a)->namespace, ((const svc_reply_collection *)b)->namespace);
}

static bool advisor_reply_indexes(svc_call *c, svc_reply_collection *to)
{
  const svc_node *list = svc_node_get(to->said, "indexes"), *one;
  to->indexes = svc_arena_zero(c->arena, ((list ? svc_node_count(list) : 0) + 1) * sizeof *to->indexes);
  if (!to->indexes) return svc_no_memory(c);
  for (one = svc_node_first(list); one; one = one->next) {
    svc_reply_index *i = &to->indexes[to->count++];
    i->said = one;
    i->name = svc_node_str(one, "name");
    i->keys = svc_node_get(one, "keys");
    i->options = svc_node_get(one, "options");
    i->hidden = svc_node_bool(one, "hidden", false);
  }
  return true;
}

SVC_PRIVATE bool svc_collections_read(svc_call *c, const svc_reply *reply, svc_reply_collections *out)
{
  const svc_node *list = svc_driver_reply(c, &svc_question_collections, reply), *one;
  bool some = svc_query_get(c, "namespaces") != NULL;
  memset(out, 0, sizeof *out);
  if (!list) return false;
  out->at = svc_arena_zero(c->arena, (svc_node_count(list) + 1) * sizeof *out->at);
  if (!out->at) return svc_no_memory(c);
  for (one = list->first; one && out->count < SVC_ADVISOR_RECORDS; one = one->next) {
    svc_reply_collection *to = &out->at[out->count];
    to->said = one;
    to->namespace = svc_node_str(one, "namespace");
    if (some && !svc_query_has(c, "namespaces", to->namespace)) continue;
    if (!advisor_reply_indexes(c, to)) return false;
    out->count++;
  }
  qsort(out->at, out->count, sizeof *out->at, advisor_reply_by_name);
  return true;
}

SVC_PRIVATE const svc_reply_collection *svc_collection_named(const svc_reply_collections *all, svc_str namespace)
{
  svc_reply_collection wanted = { .namespace = namespace };
  return all->count ? bsearch(&wanted, all->at, all->count, sizeof *all->at, advisor_reply_by_name) : NULL;
}

/* -------------------------------------------------------------------------------------------------------------- figures */

SVC_PRIVATE void svc_advisor_ratio(svc_call *c, svc_node *object, const char *name, int64_t above, int64_t below)
{
  int64_t whole, rest;
  svc_str text;
  if (below <= 0) below = 1;
  whole = above / below;
  rest = below < INT64_MAX / 1000 ? above % below * 1000 / below : 0;
  text = rest ? svc_arena_print(c->arena, "%lld.%03d", (long long)whole, (int)rest) : svc_arena_print(c->arena, "%lld", (long long)whole);
  svc_node_put(c->arena, object, svc_node_new(c->arena, SVC_J_NUMBER, svc_str_c(name), text));
}

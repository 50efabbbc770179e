/*
** Records of queries and of collections where the host supplies no driver: part of the simulation (catalog/monitoring/simulated.c).
**
** There are collections that the service knows of, and no others. Each has four kinds of query, and now and then one of them is
** slow: which, when and how slow is made of the resource, the namespace and the time, by integers alone, the same on every
** machine. Each record, and each line of a log, says that it is simulated.
*/
#include "catalog/catalog.h"

enum {
  SIMULATED_QUERIES_SLOTS = 144, /* times at which something may have run: of a day every ten minutes */
  SIMULATED_QUERIES_SLOT = 600   /* seconds */
};

/* What is asked of a collection: how, which filter, of which %u is a number, and which sort. */
static const struct {
  const char *op, *filter, *sort;
} simulated_queries_kinds[] = {
  { "find", "{\"state\":\"S%u\"}", "[{\"since\":-1}]" },
  { "find", "{\"owner\":%u}", NULL },
  { "aggregate", "{\"area\":\"A%u\",\"total\":{\"$gt\":10}}", NULL },
  { "find", "{\"title\":{\"$regex\":\"^t%u\",\"$options\":\"i\"}}", NULL },
};
enum { SIMULATED_QUERIES_KINDS = sizeof simulated_queries_kinds / sizeof simulated_queries_kinds[0] };

typedef struct simulated_queries_asked {
  const svc_question *q;
  const svc_node *parameters;
  svc_buf *b;
  size_t count, most;
  bool stats; /* of all that runs, not only of what is slow */
} simulated_queries_asked;

static uint64_t simulated_queries_number(const simulated_queries_asked *a, svc_str namespace, const char *what, int64_t n)
{
  static const uint64_t key[2] = { 0x73696d, 0x71756572 };
  svc_str text = svc_arena_print(a->b->arena, "%s/" SVC_FMT "/%s/%lld", a->q->resource_id, SVC_ARG(namespace), what, (long long)n);
  return svc_sip(key, text);
}

/* Each namespace of those that are known, and of these of those that are asked about. */
static const svc_node *simulated_queries_next(const simulated_queries_asked *a, const svc_node *one)
{
  const svc_node *wanted = svc_node_get(a->parameters, "namespaces"), *known = svc_node_get(a->parameters, "known"), *w;
  for (one = one ? one->next : svc_node_first(known); one; one = one->next) {
    if (!wanted) return one;
    for (w = wanted->first; w && !svc_str_eq(w->text, one->text);) w = w->next;
    if (w) return one;
  }
  return NULL;
}

static void simulated_queries_pair(svc_buf *b, const char *name, uint64_t value)
{
  svc_buf_text(b, ",\"");
  svc_buf_text(b, name);
  svc_buf_text(b, "\":");
  svc_buf_i64(b, (int64_t)value);
}

/* As a server would log it. */
static svc_str simulated_queries_line(svc_arena *arena, svc_str namespace, int kind, unsigned value, int64_t at, uint64_t ms, uint64_t examined,
                              uint64_t returned)
{
  svc_buf b = svc_buf_new(arena, 512);
  char date[21], filter[96];
  svc_date_text(at, date);
  snprintf(filter, sizeof filter, simulated_queries_kinds[kind].filter, value);
  svc_buf_text(&b, "{\"t\":{\"$date\":\"");
  svc_buf_text(&b, date);
  svc_buf_text(&b, "\"},\"s\":\"I\",\"c\":\"COMMAND\",\"ctx\":\"conn1\",\"msg\":\"Slow query (simulated)\",\"attr\":{\"type\":\"command\",\"ns\":");
  svc_json_escape(&b, namespace);
  svc_buf_text(&b, ",\"command\":{\"");
  svc_buf_text(&b, simulated_queries_kinds[kind].op);
  svc_buf_text(&b, "\":1,\"filter\":");
  svc_buf_text(&b, filter);
  if (simulated_queries_kinds[kind].sort) svc_buf_text(&b, ",\"sort\":"), svc_buf_text(&b, simulated_queries_kinds[kind].sort);
  svc_buf_text(&b, "},\"planSummary\":\"COLLSCAN\",\"keysExamined\":0");
  simulated_queries_pair(&b, "docsExamined", examined);
  simulated_queries_pair(&b, "nreturned", returned);
  simulated_queries_pair(&b, "durationMillis", ms);
  svc_buf_text(&b, "}}");
  return svc_buf_done(&b);
}

/* One record, of a query that ran at this time, or of all of its kind around it. */
static void simulated_queries_record(simulated_queries_asked *a, svc_str namespace, int64_t at, uint64_t n)
{
  int kind = (int)(n % SIMULATED_QUERIES_KINDS);
  uint64_t count = a->stats ? 1 + (n >> 8) % 200 : 1, ms = 100 + (n >> 16) % 900, examined = 1000 + (n >> 24) % 50000;
  uint64_t returned = 1 + (n >> 40) % 50, micros = a->stats ? count * (500 + ms * 20) : ms * 1000, hash;
  const svc_node *hosts = svc_node_get(a->parameters, "hosts");
  unsigned value = (unsigned)(n >> 48) % 100;
  char text[160];
  int i;
  svc_buf_text(a->b, a->count++ ? ",{\"appName\":\"simulated\"" : "{\"appName\":\"simulated\"");
  simulated_queries_pair(a->b, "at", (uint64_t)at);
  simulated_queries_pair(a->b, "bytesRead", count * examined * 100);
  simulated_queries_pair(a->b, "count", count);
  simulated_queries_pair(a->b, "cpuMicros", micros / 2);
  simulated_queries_pair(a->b, "docsExamined", count * examined);
  simulated_queries_pair(a->b, "docsReturned", count * returned);
  svc_buf_text(a->b, ",\"driverName\":\"simulated\",\"driverVersion\":\"1.0.0\"");
  simulated_queries_pair(a->b, "durationMicros", micros);
  snprintf(text, sizeof text, simulated_queries_kinds[kind].filter, value);
  svc_buf_text(a->b, ",\"filter\":");
  svc_buf_text(a->b, text);
  svc_buf_text(a->b, simulated_queries_kinds[kind].sort ? ",\"fromUserConnection\":true,\"hasSort\":true" : ",\"fromUserConnection\":true,\"hasSort\":false");
  if (svc_node_first(hosts)) svc_buf_text(a->b, ",\"host\":"), svc_json_escape(a->b, hosts->first->text);
  svc_buf_text(a->b, ",\"keysExamined\":0");
  if (!a->stats) {
    svc_buf_text(a->b, ",\"line\":");
    svc_json_escape(a->b, simulated_queries_line(a->b->arena, namespace, kind, value, at, ms, examined, returned));
  }
  svc_buf_text(a->b, ",\"namespace\":");
  svc_json_escape(a->b, namespace);
  simulated_queries_pair(a->b, "numYields", examined / 1000);
  svc_buf_text(a->b, ",\"opType\":\"");
  svc_buf_text(a->b, simulated_queries_kinds[kind].op);
  svc_buf_text(a->b, "\",\"queryShapeHash\":\"");
  for (i = 0; i < 4; i++) {
    hash = simulated_queries_number(a, namespace, "shape", kind * 4 + i);
    snprintf(text, sizeof text, "%08X%08X", (unsigned)(hash >> 32), (unsigned)hash);
    svc_buf_text(a->b, text);
  }
  svc_buf_text(a->b, "\",\"replicaState\":\"PRIMARY\"");
  simulated_queries_pair(a->b, "responseLength", returned * 100);
  svc_buf_text(a->b, ",\"simulated\":true");
  if (simulated_queries_kinds[kind].sort) svc_buf_text(a->b, ",\"sort\":"), svc_buf_text(a->b, simulated_queries_kinds[kind].sort);
  svc_buf_char(a->b, '}');
}

/* At each of some times, equally far apart, something may have run in a collection: of what is slow a third does. */
static void simulated_queries_all(simulated_queries_asked *a)
{
  int64_t since = svc_node_i64(a->parameters, "since", 0) / 1000, until = svc_node_i64(a->parameters, "until", 0) / 1000, at, step;
  const svc_node *one;
  if (since >= until) return;
  step = ((until - since - 1) / SIMULATED_QUERIES_SLOTS / SIMULATED_QUERIES_SLOT + 1) * SIMULATED_QUERIES_SLOT;
  for (at = (since + SIMULATED_QUERIES_SLOT - 1) / SIMULATED_QUERIES_SLOT * SIMULATED_QUERIES_SLOT; at <= until; at += step)
    for (one = simulated_queries_next(a, NULL); one && a->count < a->most && !a->b->failed; one = simulated_queries_next(a, one)) {
      uint64_t n = simulated_queries_number(a, one->text, a->stats ? "ran" : "slow", at);
      if (a->stats || (n >> 56) % 3 == 0) simulated_queries_record(a, one->text, at * 1000, n);
    }
}

/* An index; unique to its collection by name. */
static void simulated_queries_index(simulated_queries_asked *a, const char *name, const char *keys, uint64_t accesses, int64_t since, bool first)
{
  svc_buf_text(a->b, first ? "{\"accesses\":" : ",{\"accesses\":");
  svc_buf_i64(a->b, (int64_t)accesses);
  svc_buf_text(a->b, ",\"keys\":");
  svc_buf_text(a->b, keys);
  svc_buf_text(a->b, ",\"name\":\"");
  svc_buf_text(a->b, name);
  svc_buf_char(a->b, '"');
  simulated_queries_pair(a->b, "since", (uint64_t)since);
  simulated_queries_pair(a->b, "sizeBytes", 4096 + accesses % 1000 * 4096);
  svc_buf_char(a->b, '}');
}

/* A collection with the index that each has, and those that about half of them have. */
static void simulated_queries_collection(simulated_queries_asked *a, svc_str namespace, int64_t since)
{
  uint64_t n = simulated_queries_number(a, namespace, "collection", 0);
  svc_buf_text(a->b, a->count++ ? ",{\"averageBytes\":" : "{\"averageBytes\":");
  svc_buf_i64(a->b, (int64_t)(200 + n % 4000));
  svc_buf_text(a->b, ",\"indexes\":[");
  simulated_queries_index(a, "_id_", "[{\"_id\":1}]", 1000 + n % 9000, since, true);
  if (n >> 20 & 1) simulated_queries_index(a, "owner_1", "[{\"owner\":1}]", n >> 30 & 1023, since, false);
  if (n >> 21 & 1) simulated_queries_index(a, "owner_1_total_1", "[{\"owner\":1},{\"total\":1}]", n >> 40 & 1023, since, false);
  if (n >> 22 & 1) simulated_queries_index(a, "former_1", "[{\"former\":1}]", 0, since, false);
  svc_buf_char(a->b, ']');
  simulated_queries_pair(a->b, "largestBytes", (200 + n % 4000) * (2 + (n >> 50) % 1000));
  simulated_queries_pair(a->b, "longestArray", (n >> 32) % 12000);
  svc_buf_text(a->b, ",\"namespace\":");
  svc_json_escape(a->b, namespace);
  svc_buf_text(a->b, ",\"simulated\":true}");
}

static void simulated_queries_collections(simulated_queries_asked *a)
{
  const svc_node *one;
  svc_id id;
  int64_t since = svc_id_parse(svc_str_c(a->q->resource_id), &id) ? svc_id_second(&id) * 1000 : 0;
  for (one = simulated_queries_next(a, NULL); one && a->count < a->most; one = simulated_queries_next(a, one)) simulated_queries_collection(a, one->text, since);
}

SVC_PRIVATE int svc_simulated_queries(const svc_question *q, svc_reply *r)
{
  svc_arena *arena = r->memory;
  svc_buf b = svc_buf_new(arena, 4096);
  simulated_queries_asked a = { .q = q, .b = &b, .parameters = svc_json_parse(arena, svc_str_c(q->parameters)) };
  if (!a.parameters) return arena->failed ? SVC_NOMEM : SVC_INVALID;
  a.most = (size_t)svc_node_i64(a.parameters, "most", 0);
  a.stats = strcmp(q->what, "queryStats") == 0;
  svc_buf_char(&b, '[');
  if (strcmp(q->what, "collections") == 0) simulated_queries_collections(&a);
  else simulated_queries_all(&a);
  svc_buf_char(&b, ']');
  return b.failed || arena->failed ? SVC_NOMEM : svc_reply_add(r, b.p, b.n);
}

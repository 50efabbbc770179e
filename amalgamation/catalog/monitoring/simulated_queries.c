/*
** Records of queries without a driver: part of the simulation (simulated.c).
**
** The queries are on the collections of the model, and use the fields of these. A query that no index serves scans its
** collection, and is slow if the collection is large. Once an index for the query is built, the query is fast.
*/
#include "catalog/monitoring/simulated.h"

enum {
  QUERIES_SLOTS = 144,  /* slots with statistics in a range: for a day, one every ten minutes */
  QUERIES_BACK = 5000   /* slots in which slow queries are looked for: about 35 days */
};

/* Whether the question is about the collection. */
static bool queries_wanted(const svc_simulation *s, const svc_model_collection *k)
{
  const svc_node *wanted = svc_node_get(s->p, "namespaces");
  return !wanted || svc_node_has_str(wanted, k->namespace);
}

/* The primary of a shard at that time, if the question is about it. NULL: the question is not, or there was no primary. */
static const svc_process *queries_host(const svc_simulation *s, uint64_t shard, int64_t at)
{
  const svc_node *hosts = svc_node_get(s->p, "hosts");
  size_t i;
  for (i = 0; i < s->of.count; i++) {
    const svc_process *p = &s->of.at[i];
    svc_model_host host = svc_model_host_of(&s->model, &s->of, p);
    if (p->spec != shard % (uint64_t)s->model.shards || svc_model_role_at(&s->model, &host, at) != SVC_MODEL_PRIMARY) continue;
    return (!hosts || svc_node_has_str(hosts, p->id)) && svc_model_up(&s->model, &host, at) ? p : NULL;
  }
  return NULL;
}

static void queries_filter(svc_buf *b, const svc_sample_query *q, unsigned value)
{
  char text[160];
  snprintf(text, sizeof text, q->filter, value);
  svc_buf_text(b, text);
}

/* Writes 64 digits derived from the collection and the kind of query: the same at any time. */
static void queries_shape(svc_buf *b, const svc_model_collection *k, int kind)
{
  char text[24];
  int i;
  for (i = 0; i < 4; i++) {
    uint64_t n = svc_model_hash(k->seed, 0x73686170u + (uint64_t)(kind * 4 + i));
    snprintf(text, sizeof text, "%08X%08X", (unsigned)(n >> 32), (unsigned)n);
    svc_buf_text(b, text);
  }
}

/* ------------------------------------------------------------------------------------------------------------------ line */

SVC_PRIVATE void svc_simulated_date(svc_buf *b, int64_t at)
{
  char date[21], rest[16];
  svc_date_text(at, date);
  date[19] = '\0'; /* the Z */
  snprintf(rest, sizeof rest, ".%03d+00:00", (int)(at % 1000));
  svc_buf_text(b, date);
  svc_buf_text(b, rest);
}

/* Writes [{"a":1},{"b":-1}] as {"a":1,"b":-1}. */
static void queries_sort(svc_simulation *s, svc_buf *b, const char *sort)
{
  const svc_node *one = svc_node_first(svc_json_parse(s->c.arena, svc_str_c(sort)));
  svc_buf_text(b, ",\"sort\":{");
  for (; one; one = one->next) {
    svc_json_escape(b, one->first->name);
    svc_buf_char(b, ':');
    svc_buf_str(b, one->first->text);
    if (one->next) svc_buf_char(b, ',');
  }
  svc_buf_char(b, '}');
}

static void queries_command(svc_simulation *s, svc_buf *b, const svc_model_collection *k, const svc_model_slow *slow)
{
  const svc_sample_query *q = &k->like->queries[slow->kind];
  svc_str name = { k->namespace.p + k->database.n + 1, k->namespace.n - k->database.n - 1 };
  bool find = strcmp(q->op, "find") == 0;
  svc_buf_text(b, find ? "{\"find\":" : "{\"aggregate\":");
  svc_json_escape(b, name);
  svc_buf_text(b, find ? ",\"filter\":" : ",\"pipeline\":[{\"$match\":");
  queries_filter(b, q, slow->value);
  if (q->sort) queries_sort(s, b, q->sort);
  svc_buf_text(b, find ? ",\"$db\":" : "}],\"cursor\":{},\"$db\":");
  svc_json_escape(b, k->database);
  svc_buf_char(b, '}');
}

SVC_PRIVATE void svc_simulated_slow(svc_simulation *s, svc_buf *b, const svc_model_collection *k, const svc_model_slow *slow)
{
  char text[64];
  svc_buf_text(b, "{\"t\":{\"$date\":\"");
  svc_simulated_date(b, slow->at);
  snprintf(text, sizeof text, "\"},\"s\":\"I\",\"c\":\"COMMAND\",\"id\":51803,\"ctx\":\"conn%u\",", (unsigned)(slow->number >> 20 & 4095) + 1);
  svc_buf_text(b, text);
  svc_buf_text(b, "\"msg\":\"Slow query\",\"attr\":{\"type\":\"command\",\"ns\":");
  svc_json_escape(b, k->namespace);
  svc_buf_text(b, ",\"command\":");
  queries_command(s, b, k, slow);
  svc_buf_text(b, ",\"planSummary\":\"COLLSCAN\"");
  svc_simulated_pair(b, "keysExamined", 0);
  svc_simulated_pair(b, "docsExamined", slow->examined);
  svc_buf_text(b, ",\"cursorExhausted\":true");
  svc_simulated_pair(b, "numYields", slow->examined / 1000);
  svc_simulated_pair(b, "nreturned", slow->returned);
  snprintf(text, sizeof text, ",\"queryHash\":\"%08X\"", (unsigned)svc_model_hash(k->seed, 0x68617368u + (unsigned)slow->kind));
  svc_buf_text(b, text);
  svc_simulated_pair(b, "reslen", slow->returned * k->like->average);
  svc_buf_text(b, ",\"protocol\":\"op_msg\"");
  svc_simulated_pair(b, "durationMillis", slow->micros / 1000);
  svc_buf_text(b, "}}");
}

/* --------------------------------------------------------------------------------------------------------------- records */

/* Writes the common part of a record. Figures are totals of the `count` queries, except numYields and responseLength, which are those of
** one query. */
static void queries_record(svc_simulation *s, const svc_model_collection *k, const svc_process *host, const svc_model_slow *slow, int64_t count,
                           int64_t keys)
{
  const svc_sample_query *q = &k->like->queries[slow->kind];
  svc_buf *b = &s->out;
  svc_buf_text(b, b->n > 1 ? ",{\"appName\":\"application\"" : "{\"appName\":\"application\"");
  svc_simulated_pair(b, "at", slow->at);
  svc_simulated_pair(b, "bytesRead", count * slow->examined * k->like->average);
  svc_simulated_pair(b, "count", count);
  svc_simulated_pair(b, "cpuMicros", count * slow->micros / 2);
  svc_simulated_pair(b, "docsExamined", count * slow->examined);
  svc_simulated_pair(b, "docsReturned", count * slow->returned);
  svc_buf_text(b, ",\"driverName\":\"nodejs\",\"driverVersion\":\"6.8.0\"");
  svc_simulated_pair(b, "durationMicros", count * slow->micros);
  svc_buf_text(b, ",\"filter\":");
  queries_filter(b, q, slow->value);
  svc_buf_text(b, q->sort && !keys ? ",\"fromUserConnection\":true,\"hasSort\":true,\"host\":" : ",\"fromUserConnection\":true,\"hasSort\":false,\"host\":");
  svc_json_escape(b, host->id);
  svc_simulated_pair(b, "keysExamined", count * keys);
  svc_buf_text(b, ",\"namespace\":");
  svc_json_escape(b, k->namespace);
  svc_simulated_pair(b, "numYields", slow->examined / 1000);
  svc_buf_text(b, ",\"opType\":\"");
  svc_buf_text(b, q->op);
  svc_buf_text(b, "\",\"queryShapeHash\":\"");
  queries_shape(b, k, slow->kind);
  svc_buf_text(b, "\",\"replicaState\":\"PRIMARY\"");
  svc_simulated_pair(b, "responseLength", slow->returned * k->like->average);
  svc_buf_text(b, ",\"simulated\":true");
  if (q->sort) svc_buf_text(b, ",\"sort\":"), svc_buf_text(b, q->sort);
}

/* ---- slow queries */

static void queries_slow(svc_simulation *s, const svc_model_collection *k, const svc_model_slow *slow, int64_t *left)
{
  const svc_process *host = queries_host(s, slow->number >> 48, slow->at);
  svc_buf line = svc_buf_new(s->c.arena, 512);
  if (!host) return;
  queries_record(s, k, host, slow, 1, 0);
  svc_simulated_slow(s, &line, k, slow);
  svc_buf_text(&s->out, ",\"line\":");
  svc_json_escape(&s->out, svc_buf_done(&line));
  svc_buf_char(&s->out, '}');
  --*left;
}

static void queries_all_slow(svc_simulation *s, int64_t since, int64_t until)
{
  int64_t left = svc_node_i64(s->p, "most", 0), slot = until / 1000 / SVC_MODEL_SLOT, first = since / 1000 / SVC_MODEL_SLOT;
  svc_model_slow slow;
  size_t i;
  if (first < slot - QUERIES_BACK) first = slot - QUERIES_BACK;
  for (; slot >= first; slot--)
    for (i = 0; i < s->model.count && left > 0 && !s->out.failed; i++) {
      const svc_model_collection *k = &s->model.collections[i];
      if (!queries_wanted(s, k) || !svc_model_slow_at(&s->model, k, slot, &slow) || slow.at < since || slow.at > until) continue;
      queries_slow(s, k, &slow, &left);
    }
}

/* ---- statistics: the queries of one kind in a slot */

static bool queries_stat(svc_simulation *s, const svc_model_collection *k, int64_t slot)
{
  uint64_t n = svc_model_hash(k->seed, (uint64_t)slot ^ 0x72616eu);
  svc_model_slow ran = { .at = slot * SVC_MODEL_SLOT * 1000, .number = n, .value = (unsigned)((n >> 32) % 100) };
  const svc_process *host = queries_host(s, n >> 48, ran.at);
  int64_t count;
  int kinds = 0;
  bool served;
  while (kinds < SVC_SAMPLE_QUERIES && k->like->queries[kinds].op) kinds++;
  if (!kinds || !host || !svc_model_there(k, ran.at) || !svc_model_up(&s->model, NULL, ran.at)) return false;
  ran.kind = (int)(n % (unsigned)kinds);
  served = k->served[ran.kind] <= ran.at;
  ran.returned = 1 + (int64_t)((n >> 40) % 20);
  ran.examined = served ? ran.returned : svc_model_documents(k, k->grows ? svc_model_waves(ran.at) : 0) / s->model.shards;
  ran.micros = 400 + (int64_t)((n >> 8) % 400) + (served ? 0 : ran.examined * 3 / 2);
  count = served ? k->reads * svc_model_wave(ran.at) / 1000000 * SVC_MODEL_SLOT + 1 : 1 + (int64_t)((n >> 16) % 4);
  queries_record(s, k, host, &ran, count, served ? ran.returned : 0);
  svc_buf_char(&s->out, '}');
  return true;
}

static void queries_stats(svc_simulation *s, int64_t since, int64_t until)
{
  int64_t left = svc_node_i64(s->p, "most", 0), first = since / 1000 / SVC_MODEL_SLOT + 1, last = until / 1000 / SVC_MODEL_SLOT, slot;
  int64_t step = (last - first) / QUERIES_SLOTS + 1;
  size_t i;
  for (slot = first; slot <= last; slot += step)
    for (i = 0; i < s->model.count && left > 0 && !s->out.failed; i++)
      if (queries_wanted(s, &s->model.collections[i]) && queries_stat(s, &s->model.collections[i], slot)) left--;
}

SVC_PRIVATE void svc_simulated_queries(svc_simulation *s)
{
  int64_t since = svc_node_i64(s->p, "since", 0), until = svc_node_i64(s->p, "until", 0);
  svc_buf_char(&s->out, '[');
  if (since < until) (strcmp(s->q->what, "queryStats") == 0 ? queries_stats : queries_all_slow)(s, since, until);
  svc_buf_char(&s->out, ']');
}

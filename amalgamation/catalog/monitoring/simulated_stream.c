/*
** Stream processors without a driver: their statistics, and the logs of their workspaces. Part of the simulation
** (simulated.c).
**
** The rule: a processor counts from its last start, with the load of the day (model_load.c). A part of its input becomes
** output. Of the rest, one message in STREAM_DEAD goes to the dead letter queue. The processor lags by STREAM_LAG at the
** peak. Statistics and alerts show the same figures. Logs are about running processors.
*/
#include "catalog/monitoring/simulated.h"
#include "catalog/stream/stream_parts.h"

enum { STREAM_LOG_HOURS = 720 /* range of a log */, STREAM_DEAD = 5000, STREAM_LAG = 2000 /* milliseconds */ };

SVC_PRIVATE int64_t svc_stream_started(const svc_entity *e)
{
  int64_t at = 0;
  svc_str_i64(svc_stream_kept_of(e->extra).started, &at);
  return at > 0 ? at : 0;
}

/* --------------------------------------------------------------------------------------------------------- statistics */

/* Finds a processor by id in all workspaces of the project. */
static bool stream_find(svc_simulation *s, svc_entity *out)
{
  svc_scan scan;
  svc_entity workspace;
  svc_id id;
  if (!svc_id_parse(svc_str_c(s->q->resource_id), &id)) return false;
  svc_below_begin(&scan, s->c.txn, STREAM_WORKSPACE_KIND, &s->c.scope.group);
  while (svc_below_next(&scan, STREAM_WORKSPACE_KIND, &workspace))
    if (svc_entity_get(s->c.txn, STREAM_PROCESSOR_KIND, &workspace.id, &id, out) == SVC_OK) return true;
  return false;
}

SVC_PRIVATE svc_stream_figures svc_stream_figures_at(const char *id, int64_t started, int64_t now)
{
  uint64_t seed = svc_simulated_hash(id, "processor", 0);
  svc_stream_figures f = { .bytes = 150 + (int64_t)(seed >> 16 & 511) };
  int64_t rate = 5 + (int64_t)(seed % 20); /* messages per second at the peak */
  if (!started || now <= started) return f;
  f.in = (svc_model_waves(now) - svc_model_waves(started)) / 1000 * rate;
  f.out = f.in * (int64_t)(60 + (seed >> 8) % 41) / 100;
  f.dead = (f.in - f.out) / STREAM_DEAD;
  f.lag = svc_model_wave(now) * STREAM_LAG / 1000;
  f.behind = svc_model_wave(now) * rate / 1000 * f.lag / 1000;
  return f;
}

SVC_PRIVATE void svc_simulated_processor(svc_simulation *s)
{
  svc_buf *b = &s->out;
  svc_entity e;
  bool found = stream_find(s, &e);
  svc_stream_figures f = svc_stream_figures_at(s->q->resource_id, found ? svc_stream_started(&e) : 0, s->q->now);
  svc_buf_text(b, "{\"dlqMessageCount\":");
  svc_buf_i64(b, f.dead);
  svc_simulated_pair(b, "dlqMessageSize", f.dead * f.bytes);
  svc_simulated_pair(b, "inputMessageCount", f.in);
  svc_simulated_pair(b, "inputMessageSize", f.in * f.bytes);
  svc_buf_text(b, ",\"name\":");
  svc_json_escape(b, svc_str_c(s->q->name));
  svc_simulated_pair(b, "outputMessageCount", f.out);
  svc_simulated_pair(b, "outputMessageSize", f.out * f.bytes);
  svc_buf_text(b, ",\"processorId\":");
  svc_json_escape(b, svc_str_c(s->q->resource_id));
  svc_buf_text(b, ",\"scaleFactor\":1,\"stateSize\":4096,\"status\":\"running\"}");
}

/* --------------------------------------------------------------------------------------------------------------- logs */

static void stream_line(svc_simulation *s, int64_t at, svc_str processor, int id, const char *message)
{
  svc_buf *b = &s->out;
  char text[96];
  svc_buf_text(b, "{\"t\":{\"$date\":\"");
  svc_simulated_date(b, at);
  snprintf(text, sizeof text, "\"},\"s\":\"I\",\"c\":\"STREAMS\",\"id\":%d,\"ctx\":\"streamProcessor\",\"msg\":\"", id);
  svc_buf_text(b, text);
  svc_buf_text(b, message);
  svc_buf_text(b, "\",\"attr\":{\"streamProcessorName\":");
  svc_json_escape(b, processor);
  svc_buf_text(b, "}}\n");
}

static void stream_audit_line(svc_simulation *s, int64_t at, svc_str processor)
{
  svc_buf *b = &s->out;
  svc_buf_text(b, "{\"atype\":\"startStreamProcessor\",\"ts\":{\"$date\":\"");
  svc_simulated_date(b, at);
  svc_buf_text(b, "\"},\"users\":[],\"roles\":[],\"param\":{\"name\":");
  svc_json_escape(b, processor);
  svc_buf_text(b, "},\"result\":0}\n");
}

/* Writes the lines of a processor: its start, and in the operational log a checkpoint every hour. */
static void stream_lines(svc_simulation *s, const svc_entity *e, int64_t from, int64_t until)
{
  int64_t at = svc_stream_started(e), first;
  bool audit = svc_node_is(s->p, "log", "audit");
  if (!at || !svc_json_is(e->body, "state", "STARTED")) return;
  if (at >= from && at <= until && audit) stream_audit_line(s, at, e->unique);
  if (audit) return;
  if (at >= from && at <= until) stream_line(s, at, e->unique, 8365300, "Started stream processor");
  first = from > at ? from : at + 1;
  for (at = (first + 3599999) / 3600000 * 3600000; at <= until; at += 3600000) stream_line(s, at, e->unique, 8365301, "Committed checkpoint");
}

SVC_PRIVATE void svc_simulated_workspace_log(svc_simulation *s)
{
  int64_t from = svc_node_i64(s->p, "from", 0) * 1000, until = svc_node_i64(s->p, "until", 0) * 1000, oldest;
  svc_str only = svc_node_str(s->p, "processor");
  svc_scan scan;
  svc_entity e;
  svc_id id;
  if (until > s->q->now) until = s->q->now;
  oldest = s->q->now - STREAM_LOG_HOURS * INT64_C(3600000);
  if (from < oldest) from = oldest;
  if (!svc_id_parse(svc_str_c(s->q->resource_id), &id)) return;
  svc_below_begin(&scan, s->c.txn, STREAM_PROCESSOR_KIND, &id);
  while (svc_below_next(&scan, STREAM_PROCESSOR_KIND, &e) && !s->out.failed)
    if (!only.n || svc_str_eq(only, e.unique)) stream_lines(s, &e, from, until);
}

/*
** Series of figures where the host supplies no driver: part of the simulation (simulator.c).
**
** A figure is made of what is measured, where, and when, by integers alone: the same on every machine. What names say holds: USED
** and FREE of the same thing make up the whole of it, in bytes as in percent, and MAX_ of something is never less than that.
** Before something was made there are no figures of it, and of the time to come there are none either.
*/
#include "pipeline/pipeline.h"

#define SIMULATOR_NAME 96

/* As much as a metric of this unit shows at the most. */
static int64_t simulator_most(svc_str units)
{
  static const struct { const char *units; int64_t most; } rows[] = {
    { "PERCENT", 100 }, { "SCALAR", 500 }, { "SCALAR_PER_SECOND", 400 }, { "BYTES", 4294967296 }, { "BYTES_PER_SECOND", 20000000 },
    { "GIGABYTES", 8 }, { "GIGABYTES_PER_HOUR", 4 }, { "MEGABYTES_PER_SECOND", 50 }, { "MILLISECONDS", 200 }
  };
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (svc_str_is(units, rows[i].units)) return rows[i].most;
  return 1000;
}

/* The name without this word; false: it has none. */
static bool simulator_without(char *name, const char *word)
{
  char *at = strstr(name, word);
  if (at) memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
  return at != NULL;
}

SVC_PRIVATE int64_t svc_simulated_metric(const char *resource, const char *metric, const char *units, int64_t whole, int64_t at)
{
  int64_t most = whole > 0 ? whole : simulator_most(svc_str_c(units)), share, before;
  char like[SIMULATOR_NAME];
  bool largest, rest;
  snprintf(like, sizeof like, "%s", metric);
  largest = simulator_without(like, "MAX_");
  rest = simulator_without(like, "_FREE") || simulator_without(like, "_AVAILABLE");
  simulator_without(like, "_USED");
  simulator_without(like, "_PERCENT");
  share = svc_simulated(resource, like, at);
  before = svc_simulated(resource, like, at - 60000);
  if (rest) share = 1000 - share;
  if (rest) before = 1000 - before;
  if (largest && before > share) share = before;
  return most <= INT64_MAX / 1000 ? share * most : INT64_MAX;
}

static void simulator_figure(svc_buf *b, int64_t thousandths)
{
  char text[32];
  svc_buf_i64(b, thousandths / 1000);
  if (thousandths % 1000 == 0) return;
  snprintf(text, sizeof text, ".%03d", (int)(thousandths % 1000));
  svc_buf_text(b, text);
}

/* Of what the figures are: another place has others. */
static svc_str simulator_place(svc_arena *a, const svc_question *q, const svc_node *p, svc_str place)
{
  svc_str host = svc_node_str(p, "host"), view = svc_node_str(p, "view");
  return svc_arena_print(a, "%s/" SVC_FMT SVC_FMT "/" SVC_FMT, q->resource_id, SVC_ARG(host), SVC_ARG(view), SVC_ARG(place));
}

static void simulator_one(svc_buf *b, const svc_question *q, const svc_node *p, const svc_node *metric)
{
  int64_t at = svc_node_i64(p, "from", 0), until = svc_node_i64(p, "until", 0), step = svc_node_i64(p, "step", 60);
  int64_t since = svc_node_i64(p, "since", 0), whole = svc_node_i64(metric, "whole", 0);
  svc_str name = svc_arena_copy(b->arena, svc_node_str(metric, "name")), units = svc_arena_copy(b->arena, svc_node_str(metric, "units"));
  svc_str of = simulator_place(b->arena, q, p, svc_node_str(p, "place"));
  bool first = true;
  if (b->arena->failed) b->failed = true;
  svc_json_escape(b, name);
  svc_buf_text(b, ":[");
  for (; at <= until && step > 0 && !b->failed; at += step, first = false) {
    if (!first) svc_buf_char(b, ',');
    if (at < since || at > q->now / 1000) svc_buf_text(b, "null");
    else simulator_figure(b, svc_simulated_metric(of.p, name.p, units.p, whole, at * 1000));
  }
  svc_buf_char(b, ']');
}

SVC_PRIVATE int svc_simulate_series(const svc_question *q, svc_reply *r)
{
  svc_arena *arena = r->memory;
  const svc_node *p = svc_json_parse(arena, svc_str_c(q->parameters)), *metric;
  svc_buf b = svc_buf_new(arena, 4096);
  if (!p) return arena->failed ? SVC_NOMEM : SVC_INVALID;
  metric = svc_node_get(p, "metrics");
  svc_buf_text(&b, "{\"series\":{");
  for (metric = metric ? metric->first : NULL; metric; metric = metric->next) {
    simulator_one(&b, q, p, metric);
    if (metric->next) svc_buf_char(&b, ',');
  }
  svc_buf_text(&b, "},\"simulated\":true}");
  return b.failed ? SVC_NOMEM : svc_reply_add(r, b.p, b.n);
}

/* ---------------------------------------------------------------------------------------------------------------- ranks */

typedef struct simulator_rank {
  svc_str name;
  int64_t figure;
} simulator_rank;

static int simulator_order(const void *a, const void *b)
{
  const simulator_rank *x = a, *y = b;
  return x->figure != y->figure ? (x->figure < y->figure ? 1 : -1) : svc_str_order(x->name, y->name);
}

/* The places that are known, those first of which a series shows the most at the end of the time. */
SVC_PRIVATE int svc_simulate_ranked(const svc_question *q, svc_reply *r)
{
  svc_arena *arena = r->memory;
  const svc_node *p = svc_json_parse(arena, svc_str_c(q->parameters)), *known = svc_node_get(p, "known"), *one;
  svc_str by = svc_arena_copy(arena, svc_node_str(p, "rank"));
  size_t count = known ? svc_node_count(known) : 0, i = 0;
  simulator_rank *ranks = svc_arena_alloc(arena, (count + 1) * sizeof *ranks);
  svc_buf b = svc_buf_new(arena, 1024);
  if (!p || !ranks || arena->failed) return arena->failed ? SVC_NOMEM : SVC_INVALID;
  for (one = known ? known->first : NULL; one; one = one->next, i++) {
    svc_str place = simulator_place(arena, q, p, one->text);
    ranks[i] = (simulator_rank){ one->text, place.n ? svc_simulated_metric(place.p, by.p, "MILLISECONDS", 0, svc_node_i64(p, "until", 0) * 1000) : 0 };
  }
  qsort(ranks, count, sizeof *ranks, simulator_order);
  svc_buf_char(&b, '[');
  for (i = 0; i < count; i++) {
    if (i) svc_buf_char(&b, ',');
    svc_json_escape(&b, ranks[i].name);
  }
  svc_buf_char(&b, ']');
  return b.failed || arena->failed ? SVC_NOMEM : svc_reply_add(r, b.p, b.n);
}

/*
** Series and ranks without a driver: part of the simulation (simulated.c). The figures are those of the model.
**
** The rule: the work depends on the request only. A point is computed once for all metrics. Times in the future are gaps,
** and so are times at which the host was down or its part did not exist.
*/
#include "catalog/monitoring/simulated.h"

/* ---------------------------------------------------------------------------------------------------------------- where */

/* The host that represents a view of the cluster: its first primary, or its first secondary. */
static const svc_process *series_viewed(const svc_simulation *s)
{
  bool secondary = svc_node_is(s->p, "view", "SECONDARY");
  size_t i;
  for (i = 0; i < s->of.count; i++) {
    int role = svc_model_host_of(&s->model, &s->of, &s->of.at[i]).role;
    if (role == (secondary ? SVC_MODEL_SECONDARY : SVC_MODEL_PRIMARY)) return &s->of.at[i];
  }
  return s->of.count ? &s->of.at[0] : NULL;
}

/* Sets the place in the model. False: there is no such process. */
static bool series_where(const svc_simulation *s, svc_model_host *host, svc_model_where *w)
{
  svc_str id = svc_node_str(s->p, "host");
  const svc_process *p = id.n ? svc_simulated_process(s, id) : series_viewed(s);
  const svc_node *ids = svc_node_get(s->p, "indexIds");
  svc_id first;
  if (!p) return false;
  *host = svc_model_host_of(&s->model, &s->of, p);
  *w = (svc_model_where){ .model = &s->model, .host = host, .shards = id.n ? s->model.shards : 1 };
  w->database = svc_node_str(s->p, "database");
  w->collection = svc_node_str(s->p, "collection");
  w->of = ids ? SVC_MODEL_OF_INDEX : w->collection.n ? SVC_MODEL_OF_COLLECTION : w->database.n ? SVC_MODEL_OF_DATABASE : SVC_MODEL_OF_HOST;
  w->indexes = ids ? (int64_t)svc_node_count(ids) : 0;
  if (svc_node_first(ids) && svc_id_parse(svc_node_first(ids)->text, &first)) w->since = svc_id_second(&first) * 1000;
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- figures */

static void series_figure(svc_buf *b, int64_t thousandths)
{
  char text[8];
  if (thousandths == SVC_MODEL_GAP) {
    svc_buf_text(b, "null");
    return;
  }
  svc_buf_i64(b, thousandths / 1000);
  if (thousandths % 1000 == 0) return;
  snprintf(text, sizeof text, ".%03d", (int)(thousandths % 1000));
  svc_buf_text(b, text);
}

typedef struct series_asked {
  int64_t from, until, step; /* seconds */
  size_t points, metrics;
  svc_model_metric *rows;
  bool *known; /* whether the model has such a metric */
  int64_t *figures; /* all metrics of the first point, then of the second, ... */
} series_asked;

static bool series_begin(svc_simulation *s, int of, series_asked *a)
{
  svc_arena *arena = s->c.arena;
  const svc_node *list = svc_node_get(s->p, "metrics"), *one;
  size_t i = 0;
  *a = (series_asked){ svc_node_i64(s->p, "from", 0), svc_node_i64(s->p, "until", -1), svc_node_i64(s->p, "step", 60), 0, 0, NULL, NULL, NULL };
  if (a->step <= 0) a->step = 60;
  a->points = a->until >= a->from ? (size_t)((a->until - a->from) / a->step + 1) : 0;
  a->metrics = list ? svc_node_count(list) : 0;
  a->rows = svc_arena_zero(arena, (a->metrics + 1) * sizeof *a->rows);
  a->known = svc_arena_zero(arena, a->metrics + 1);
  a->figures = svc_arena_alloc(arena, (a->points * a->metrics + 1) * sizeof *a->figures);
  if (!a->rows || !a->known || !a->figures) return false;
  for (one = svc_node_first(list); one; one = one->next, i++) a->known[i] = svc_model_metric_named(of, svc_node_str(one, "name"), &a->rows[i]);
  return true;
}

static void series_compute(const svc_simulation *s, const svc_model_where *w, series_asked *a)
{
  size_t i, k;
  for (i = 0; i < a->points; i++) {
    int64_t at = (a->from + (int64_t)i * a->step) * 1000, *out = a->figures + i * a->metrics;
    if (at <= s->q->now) svc_model_figures_of(w, a->rows, a->metrics, at, a->step * 1000, out);
    for (k = 0; k < a->metrics; k++)
      if (at > s->q->now || !a->known[k]) out[k] = SVC_MODEL_GAP;
  }
}

SVC_PRIVATE void svc_simulated_series(svc_simulation *s)
{
  const svc_node *one = svc_node_first(svc_node_get(s->p, "metrics"));
  svc_buf *b = &s->out;
  svc_model_host host;
  svc_model_where w;
  series_asked a;
  size_t i, k;
  if (!series_where(s, &host, &w)) {
    svc_buf_text(b, svc_node_str(s->p, "host").n ? "{\"missing\":true}" : "{\"series\":{}}"); /* a cluster that is being created has no
                                                                                                 processes yet */
    return;
  }
  if (!series_begin(s, w.of, &a)) return;
  series_compute(s, &w, &a);
  svc_buf_text(b, "{\"series\":{");
  for (k = 0; one; one = one->next, k++) {
    svc_json_escape(b, svc_node_str(one, "name"));
    svc_buf_text(b, ":[");
    for (i = 0; i < a.points && !b->failed; i++) {
      if (i) svc_buf_char(b, ',');
      series_figure(b, a.figures[i * a.metrics + k]);
    }
    svc_buf_text(b, one->next ? "]," : "]");
  }
  svc_buf_text(b, "},\"simulated\":true}");
}

/* ---------------------------------------------------------------------------------------------------------------- ranks */

typedef struct series_rank {
  svc_str name;
  int64_t figure;
} series_rank;

static int series_order(const void *a, const void *b)
{
  const series_rank *x = a, *y = b;
  return x->figure != y->figure ? (x->figure < y->figure ? 1 : -1) : svc_str_order(x->name, y->name);
}

/* Collections that existed at the end of the range, sorted by a metric at that time, the greatest first. */
static size_t series_ranked(svc_simulation *s, const svc_node *known, series_rank *ranks)
{
  svc_str by = svc_node_str(s->p, "rank");
  int64_t until = svc_node_i64(s->p, "until", s->q->now / 1000) * 1000, figure;
  svc_model_host host;
  svc_model_where w;
  size_t n = 0;
  const svc_node *one;
  if (!series_where(s, &host, &w)) return 0;
  w.of = SVC_MODEL_OF_COLLECTION;
  for (one = svc_node_first(known); one; one = one->next) {
    w.collection = one->text;
    w.database = svc_str_cut(&w.collection, '.');
    figure = svc_model_figure(&w, by, until);
    if (figure != SVC_MODEL_GAP) ranks[n++] = (series_rank){ one->text, figure };
  }
  qsort(ranks, n, sizeof *ranks, series_order);
  return n;
}

/* The simulation has exactly the names that the service knows. */
SVC_PRIVATE void svc_simulated_list(svc_simulation *s)
{
  const svc_node *known = svc_node_get(s->p, "known");
  series_rank *ranks;
  size_t count, i;
  if (!svc_node_get(s->p, "rank")) {
    if (known) svc_node_write(&s->out, known);
    else svc_buf_text(&s->out, "[]");
    return;
  }
  ranks = svc_arena_alloc(s->c.arena, ((known ? svc_node_count(known) : 0) + 1) * sizeof *ranks);
  if (!ranks) return;
  count = series_ranked(s, known, ranks);
  svc_buf_char(&s->out, '[');
  for (i = 0; i < count; i++) {
    if (i) svc_buf_char(&s->out, ',');
    svc_json_escape(&s->out, ranks[i].name);
  }
  svc_buf_char(&s->out, ']');
}

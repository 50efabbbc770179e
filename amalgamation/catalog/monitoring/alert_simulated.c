/*
** Figures for alerts without a driver: the figures of the model (model.h), so alerts agree with the series.
**
** The rule: a figure that the model does not have is unknown, and opens no alert: the host is down, or the model has no
** such metric.
*/
#include "catalog/monitoring/alert_parts.h"
#include "catalog/monitoring/model.h"

/* The model of a cluster, computed once per round. NULL: failed. */
static const svc_model *alert_simulated_model(svc_alert_round *r, const svc_processes *of)
{
  struct svc_alert_cluster *cluster = r->clusters;
  svc_model *model;
  while (&cluster->of != of) cluster++; /* always one of the round */
  if (cluster->model) return cluster->model;
  model = svc_arena_alloc(r->c->arena, sizeof *model);
  if (!model || !svc_model_of(r->c, &of->cluster, of->body, model)) return NULL;
  cluster->model = model;
  return model;
}

/* Sets the place in the model. False: failed. */
static bool alert_simulated_where(svc_alert_round *r, const svc_alert_target *t, svc_model_host *host, svc_model_where *w)
{
  *w = (svc_model_where){ .of = SVC_MODEL_OF_HOST, .host = host, .shards = 1 };
  w->model = t->cluster ? alert_simulated_model(r, t->cluster) : t->model;
  if (!w->model) return false;
  if (t->cluster) *host = svc_model_host_of(w->model, t->cluster, t->process);
  else *host = (svc_model_host){ .role = SVC_MODEL_PRIMARY, .tier = *svc_tier_of(SVC_S("FLEX")), .seed = w->model->seed, .members = 3 };
  return true;
}

static bool alert_simulated_figure(svc_alert_round *r, const svc_alert_target *t, svc_str metric, double *out)
{
  svc_model_host host;
  svc_model_where w;
  int64_t value;
  *out = 0;
  if (!alert_simulated_where(r, t, &host, &w)) return false;
  value = svc_model_figure(&w, metric, r->c->now);
  if (value == SVC_MODEL_GAP) return false;
  *out = (double)value / 1000;
  return true;
}

/* The figure of a stream processor, as in its statistics. */
static bool alert_simulated_stream(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  svc_stream_figures f = svc_stream_figures_at(t->place.p, t->started, r->c->now);
  if (svc_str_is(t->met.metric, "STREAM_PROCESSOR_DLQ_MESSAGE_COUNT")) *out = (double)f.dead;
  else if (svc_str_is(t->met.metric, "STREAM_PROCESSOR_OUTPUT_MESSAGE_COUNT")) *out = (double)f.out;
  else if (svc_str_is(t->met.metric, "STREAM_PROCESSOR_KAFKA_LAG")) *out = (double)f.behind;
  else *out = (double)f.lag;
  return true;
}

SVC_PRIVATE bool svc_alert_simulated(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  svc_str metric = t->met.metric;
  *out = 0;
  if (t->place.n) return alert_simulated_stream(r, t, out);
  if (t->process && t->process->down_since) return false;
  if (svc_str_starts(metric, "FLEX_")) metric = (svc_str){ metric.p + 5, metric.n - 5 };
  return alert_simulated_figure(r, t, metric, out);
}

SVC_PRIVATE bool svc_alert_oplog_window(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  return alert_simulated_figure(r, t, SVC_S("OPLOG_MASTER_TIME"), out);
}

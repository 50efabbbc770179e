/*
** What alert configurations ask for is measured, in rounds of a minute.
**
** A project has a round while it has clusters and a configuration of a metric that is on; else it rests, until one of these
** comes. A round asks for every process of every cluster whatever the configurations say of it, so many figures at the most.
** Without a driver they are the simulation's, the same that the series of a process show. With one they are an order,
** "metrics.measure": {"figures":[{"host":..., "metricName":..., "units":...}]}, and its facts are the same with "value"s; while
** that is under way no other round begins. After a time in which nothing was asked of the service there is one round, not all
** that would have been.
*/
#include "catalog/monitoring/alert_parts.h"

#define MEASURING_EVERY 60000 /* milliseconds */
#define MEASURING_MOST 1000   /* figures of a round */
#define MEASURING_CLUSTERS 50 /* of a project that are looked at */

/* Units of thresholds, in those that figures are in: bytes, milliseconds, and numbers as they are. */
static const struct {
  const char *name;
  double factor;
} alert_measuring_units[] = {
  { "BITS", 0.125 }, { "KILOBITS", 128 }, { "MEGABITS", 131072 }, { "GIGABITS", 134217728 }, { "KILOBYTES", 1024 },
  { "MEGABYTES", 1048576 }, { "GIGABYTES", 1073741824 }, { "TERABYTES", 1099511627776 }, { "PETABYTES", 1125899906842624 },
  { "NANOSECONDS", 0.000001 }, { "SECONDS", 1000 }, { "MINUTES", 60000 }, { "HOURS", 3600000 }, { "DAYS", 86400000 },
  { "MILLION_MINUTES", 60000000000 }, { "THOUSAND", 1000 }, { "MILLION", 1000000 }, { "BILLION", 1000000000 }, { NULL, 1 }
};

typedef struct alert_measuring { /* a round */
  svc_call *c;
  svc_id group;
  svc_processes *all; /* by cluster */
  size_t count;
  svc_alert_met *targets; /* their processes that run */
  const svc_processes **of; /* of which cluster each is */
  size_t target_count;
  int left;             /* figures that may yet be asked for */
  svc_node *figures;    /* an order is made of them; NULL: none is */
  const svc_node *told; /* what the driver has measured; NULL: it is simulated */
} alert_measuring;

static double alert_measuring_factor(svc_str units)
{
  size_t i = 0;
  while (alert_measuring_units[i].name && !svc_str_is(units, alert_measuring_units[i].name)) i++;
  return alert_measuring_units[i].factor;
}

/* What a metric is measured in, where processes do not show it under this name. */
static const char *alert_measuring_unit(svc_str metric, svc_str units)
{
  const char *known = svc_process_metric_unit(metric), *name = metric.p;
  if (known) return known;
  if (svc_str_is(units, "RAW"))
    return strstr(name, "PERCENT") || strstr(name, "CPU") || strstr(name, "SPACE_USED") || strstr(name, "RATIO") ? "PERCENT" : "SCALAR";
  return strstr(units.p, "BIT") || strstr(units.p, "BYTE") ? "BYTES" : "MILLISECONDS";
}

/* The host of a figure, as an event would name it. */
static void alert_measuring_meet(const svc_processes *of, const svc_process *p, svc_alert_met *m)
{
  svc_str port = p->id, host = svc_str_cut(&port, ':');
  memset(m, 0, sizeof *m);
  m->values[SVC_ALERT_CLUSTER] = svc_node_str(of->body, "name");
  m->values[SVC_ALERT_HOST] = host;
  m->values[SVC_ALERT_PORT] = port;
  m->values[SVC_ALERT_SET] = p->replica_set;
  m->values[SVC_ALERT_SHARD] = p->shard;
  m->host = m->target = p->id;
  m->type = svc_str_c(p->type);
  while (m->type.n && memchr(m->type.p, '_', m->type.n)) m->type.p++, m->type.n--; /* REPLICA_PRIMARY: PRIMARY */
  m->measured = true;
}

/* The processes that run, of all clusters. */
static bool alert_measuring_processes(alert_measuring *m)
{
  size_t i, k, room = 0;
  for (i = 0; i < m->count; i++) room += m->all[i].count;
  m->targets = svc_arena_alloc(m->c->arena, (room + 1) * sizeof *m->targets);
  m->of = svc_arena_alloc(m->c->arena, (room + 1) * sizeof *m->of);
  if (!m->targets || !m->of) return svc_no_memory(m->c);
  for (i = 0; i < m->count; i++)
    for (k = 0; k < m->all[i].count; k++) {
      if (!svc_process_runs(&m->all[i].at[k])) continue;
      m->of[m->target_count] = &m->all[i];
      alert_measuring_meet(&m->all[i], &m->all[i].at[k], &m->targets[m->target_count++]);
    }
  return svc_txn_good(m->c);
}

static bool alert_measuring_begin(svc_call *c, const svc_id *group, alert_measuring *m)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "cluster");
  svc_scan scan;
  svc_entity cluster;
  memset(m, 0, sizeof *m);
  m->c = c;
  m->group = *group;
  m->left = MEASURING_MOST;
  m->all = svc_arena_alloc(c->arena, MEASURING_CLUSTERS * sizeof *m->all);
  if (!m->all) return svc_no_memory(c);
  if (!noun) return true;
  svc_below_begin(&scan, c->txn, noun->noun->kind, group);
  while (m->count < MEASURING_CLUSTERS && svc_below_next(&scan, noun->noun->kind, &cluster))
    if (!svc_processes_of(c, &cluster, &m->all[m->count++])) return false;
  return alert_measuring_processes(m);
}

/* ----------------------------------------------------------------------------------------------------------------- one */

/* The figure, in the units of its threshold. False: there is none. */
static bool alert_measuring_figure(alert_measuring *m, const svc_processes *of, svc_alert_met *f)
{
  svc_call *c = m->c;
  const svc_node *one, *value;
  double factor = alert_measuring_factor(f->units);
  if (!m->told) {
    svc_str place = svc_arena_print(c->arena, "%s/" SVC_FMT "/", svc_id_str(c->arena, &of->cluster.id).p, SVC_ARG(f->target));
    svc_str metric = svc_arena_copy(c->arena, f->metric), units = svc_arena_copy(c->arena, f->units);
    f->value = (double)svc_simulated_metric(place.p, metric.p, alert_measuring_unit(metric, units), 0, c->now) / 1000 / factor;
    return true;
  }
  for (one = m->told->type == SVC_J_ARRAY ? m->told->first : NULL; one; one = one->next) {
    if (!svc_str_eq(svc_node_str(one, "host"), f->target) || !svc_str_eq(svc_node_str(one, "metricName"), f->metric)) continue;
    value = svc_node_get(one, "value");
    if (!value || value->type != SVC_J_NUMBER || !svc_json_number_double(value->text, &f->value)) return false;
    f->value /= factor;
    return true;
  }
  return false;
}

static bool alert_measuring_ask(alert_measuring *m, const svc_alert_met *f)
{
  svc_arena *a = m->c->arena;
  svc_node *one = svc_node_new(a, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  svc_str metric = svc_arena_copy(a, f->metric), units = svc_arena_copy(a, f->units);
  if (!one) return svc_no_memory(m->c);
  svc_node_set_str(a, one, "host", f->target);
  svc_node_set_str(a, one, "metricName", metric);
  svc_node_set_str(a, one, "units", svc_str_c(alert_measuring_unit(metric, units)));
  svc_node_append(m->figures, one);
  return true;
}

static bool alert_measuring_beyond(const svc_node *threshold, double value)
{
  const svc_node *limit = svc_node_get(threshold, "threshold");
  svc_str how = svc_node_str(threshold, "operator");
  double at = 0;
  if (!limit || !svc_json_number_double(limit->text, &at)) return false;
  return svc_str_is(how, "LESS_THAN") || svc_str_is(how, "<") ? value < at : value > at;
}

/* One configuration: every process that its matchers fit. */
static bool alert_measuring_config(alert_measuring *m, const svc_entity *config)
{
  svc_node *said = svc_entity_body(m->c, config), *threshold = svc_node_get(said, "metricThreshold");
  svc_alert_met *f;
  size_t i;
  if (!said) return false;
  for (i = 0; i < m->target_count; i++) {
    f = &m->targets[i];
    f->metric = svc_node_str(threshold, "metricName");
    f->units = svc_node_str(threshold, "units");
    f->fits = svc_alert_fits(m->c, said, f);
    if (!f->fits || m->left-- <= 0) continue;
    if (m->figures) {
      if (!alert_measuring_ask(m, f)) return false;
    } else if (alert_measuring_figure(m, m->of[i], f) &&
               !svc_alert_measured(m->c, config, said, f, alert_measuring_beyond(threshold, f->value))) {
      return false;
    }
  }
  return m->figures || svc_alert_unmeasured(m->c, config, m->targets, m->target_count);
}

/* All of them. *any: there are some, and clusters. */
static bool alert_measuring_all(alert_measuring *m, bool *any)
{
  static const svc_id none;
  svc_scan scan;
  svc_entity config;
  *any = false;
  svc_alert_watching(m->c, &m->group, SVC_S("OUTSIDE_METRIC_THRESHOLD"), &none, &scan);
  while (svc_alert_next(m->c, &scan, SVC_ALERT_CONFIG_KIND, &m->group, &config)) {
    *any = m->count > 0;
    if (!alert_measuring_config(m, &config)) return false;
  }
  return svc_txn_good(m->c);
}

/* ---------------------------------------------------------------------------------------------------------------- rounds */

SVC_PRIVATE bool svc_alert_round_wake(svc_call *c, const svc_scope *scope)
{
  static const svc_id none;
  const svc_noun_info *noun = svc_noun_named(c->s, SVC_ALERT_ROUND);
  svc_entity e, old;
  svc_scan scan;
  int rc;
  if (!noun || !svc_noun_named(c->s, "cluster")) return true;
  svc_alert_watching(c, &scope->group, SVC_S("OUTSIDE_METRIC_THRESHOLD"), &none, &scan);
  if (!svc_scan_more(&scan)) return svc_txn_good(c);
  rc = svc_entity_get(c->txn, noun->noun->kind, &scope->group, &none, &old);
  if (rc == SVC_OK && svc_due_get(&old, SVC_DUE_RUN)) return true;
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  memset(&e, 0, sizeof e);
  if (rc == SVC_OK) e = old;
  e.kind = noun->noun->kind;
  e.parent = scope->group;
  e.scope = *scope;
  e.body = SVC_S("{}");
  e.links_at = 1;
  svc_due_set(&e, SVC_DUE_RUN, c->now + MEASURING_EVERY);
  rc = rc == SVC_OK ? svc_entity_update(c->txn, c->arena, &e, &old) : svc_entity_insert(c->txn, c->arena, &e);
  return rc == SVC_OK || svc_store_failed(c, c->txn->error);
}

SVC_PRIVATE bool svc_alert_round_fell_due(svc_call *c, svc_change *change, int tag)
{
  alert_measuring m;
  bool any = false;
  if (tag != SVC_DUE_RUN) return true;
  if (c->txn->ids->now > c->now + MEASURING_EVERY) { /* it has long been due: after all else that has been, and now */
    svc_change_due(change, SVC_DUE_RUN, c->txn->ids->now);
    return true;
  }
  if (!alert_measuring_begin(c, &change->entity.parent, &m)) return false;
  if (!c->s->config.driver) {
    if (!alert_measuring_all(&m, &any)) return false;
  } else {
    any = m.count > 0;
    if (any && !svc_order_waits(c, &change->entity) && !svc_order_put(c, change->noun, &change->entity)) return false;
  }
  if (any) svc_change_due(change, SVC_DUE_RUN, c->now + MEASURING_EVERY);
  return true;
}

SVC_PRIVATE svc_node *svc_alert_round_desired(svc_call *c, const svc_entity *e)
{
  svc_node *desired = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  alert_measuring m;
  bool any;
  if (!desired || !alert_measuring_begin(c, &e->parent, &m)) return NULL;
  m.figures = svc_node_new(c->arena, SVC_J_ARRAY, SVC_S("figures"), SVC_S(""));
  if (!m.figures || !alert_measuring_all(&m, &any)) return NULL;
  svc_node_put(c->arena, desired, m.figures);
  return desired;
}

SVC_PRIVATE bool svc_alert_round_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  static const svc_node none = { .type = SVC_J_ARRAY };
  alert_measuring m;
  bool any;
  if (!alert_measuring_begin(c, &change->entity.parent, &m)) return false;
  m.told = svc_node_get(facts, "figures");
  if (!m.told) m.told = &none;
  return alert_measuring_all(&m, &any);
}

/*
** Measures the figures of alert configurations, in rounds.
**
** A project has rounds while enabled configurations watch a condition (alert_conditions.c). The rounds of each minute also
** need a target. Otherwise the rounds stop, until a configuration or a target is added. Figures from the store are computed
** once an hour, all others every minute; no targets are read for conditions that no configuration watches.
**
** A round has limits. It measures at most 1000 figures and takes at most 500000 steps of work. If a limit is reached, the
** next round continues with the next figure. After the last figure the next round starts with the first. So every
** configuration gets its turn. A round opens at most 100 alerts: further ones open when their figure is measured again.
**
** All projects of an organization share its background work (pipeline/work.c). When the share is used up, a round waits
** for the time that is reserved for it, and then runs: the projects take turns, and none is skipped.
**
** A round is an order, "metrics.measure": {"figures":[{"host":..., "metricName":..., "units":...}]}. Its facts are the
** same, with a "value" in each element. No other such round begins while the order is in progress, but hourly rounds do.
** The simulator answers at once with "simulated": then the figures are those of the model. An element
** that is not about a process has clusterName, flexClusterName, replicaSetName or processorName ("workspace/processor")
** instead of host.
**
** Apart from metrics, the driver is asked for UP of a host (0: the host is down). For replica sets these are PRIMARIES,
** HEALTHY_MEMBERS, UNHEALTHY_MEMBERS, ELECTIONS_IN_LAST_HOUR and OPLOG_WINDOW, for clusters with backups OPLOG_BEHIND;
** each only if a configuration watches it. If the driver leaves out a metric of a process, the value that the driver
** reported within the last hour counts (cluster/reported.c). If the driver leaves out UP, or a figure of a replica set other
** than OPLOG_WINDOW, the figure is derived from the states of the processes (process_states.c). Otherwise the figure is
** unknown, and has no effect. After a time without requests there is one round, not one for each missed interval.
*/
#include "catalog/monitoring/alert_parts.h"

#define MEASURING_EVERY 60000     /* milliseconds */
#define MEASURING_HOURLY 3600000
#define MEASURING_MOST 1000       /* limit of figures per round */
#define MEASURING_OPENS 100       /* limit of alerts that a round opens */
#define MEASURING_STEPS 500000    /* steps per round, of about 10 ns: those of regular expressions, and the following */
#define MEASURING_FIGURE 300      /* steps per figure */
#define MEASURING_REPORTED 600    /* steps per lookup of a reported figure */
#define MEASURING_TARGET 100      /* steps per target that is gathered */
#define MEASURING_CONFIG 500      /* steps per configuration that is read, plus one for each of its bytes */
#define MEASURING_RECORD 1000     /* steps that count as one record: see svc_call.spent */
enum { MEASURING_DUE_HOUR = SVC_DUE_OWN };

/* Units of thresholds, as factors to the units of figures: bytes, milliseconds, plain numbers. */
static const struct {
  const char *name;
  double factor;
} alert_measuring_units[] = {
  { "BITS", 0.125 }, { "KILOBITS", 128 }, { "MEGABITS", 131072 }, { "GIGABITS", 134217728 }, { "KILOBYTES", 1024 },
  { "MEGABYTES", 1048576 }, { "GIGABYTES", 1073741824 }, { "TERABYTES", 1099511627776 }, { "PETABYTES", 1125899906842624 },
  { "NANOSECONDS", 0.000001 }, { "SECONDS", 1000 }, { "MINUTES", 60000 }, { "HOURS", 3600000 }, { "DAYS", 86400000 },
  { "MILLION_MINUTES", 60000000000 }, { "THOUSAND", 1000 }, { "MILLION", 1000000 }, { "BILLION", 1000000000 },
  { "bits", 0.125 }, { "Kbits", 128 }, { "Mbits", 131072 }, { "Gbits", 134217728 }, { "KB", 1024 }, { "MB", 1048576 },
  { "GB", 1073741824 }, { "TB", 1099511627776 }, { "PB", 1125899906842624 }, { "nsec", 0.000001 }, { "sec", 1000 }, { "min", 60000 },
  { "hours", 3600000 }, { "days", 86400000 }, { "million minutes", 60000000000 }, { "thousand", 1000 }, { "million", 1000000 },
  { "billion", 1000000000 }, { NULL, 1 }
};

static double alert_measuring_factor(svc_str units)
{
  size_t i = 0;
  while (alert_measuring_units[i].name && !svc_str_is(units, alert_measuring_units[i].name)) i++;
  return alert_measuring_units[i].factor;
}

/* The `extra` of a round: where the current round began, and where the next one begins; first for each minute, then for each
** hour. */
typedef struct alert_measuring_place {
  svc_alert_place at[2], next[2];
  int64_t cost[2];    /* steps of the last round */
  int64_t granted[2]; /* 1: the due step is the time that was reserved */
} alert_measuring_place;

static alert_measuring_place alert_measuring_place_of(const svc_entity *e)
{
  alert_measuring_place place;
  memset(&place, 0, sizeof place);
  if (e->extra.n == sizeof place) memcpy(&place, e->extra.p, sizeof place);
  return place;
}

static void alert_measuring_put(svc_call *c, svc_change *change, const alert_measuring_place *place)
{
  change->extra = change->entity.extra = svc_arena_copy(c->arena, (svc_str){ (const char *)place, sizeof *place });
}

static void alert_measuring_begin(svc_call *c, const svc_entity *e, bool hourly, svc_alert_round *r)
{
  memset(r, 0, sizeof *r);
  r->c = c;
  r->scope = e->scope;
  r->at = alert_measuring_place_of(e).at[hourly];
  r->left = MEASURING_MOST;
  r->opens = MEASURING_OPENS;
  r->patterns.left = MEASURING_STEPS;
}

/* Steps that the round has taken so far. */
static int64_t alert_measuring_taken(const svc_alert_round *r)
{
  int64_t steps = MEASURING_STEPS - r->patterns.left;
  size_t i;
  for (i = 0; i < SVC_ALERT_OF_COUNT; i++) steps += MEASURING_TARGET * (int64_t)r->targets[i].count;
  return steps;
}

/* Whether the next round may begin now. If not, it waits for the time that is reserved for it. */
static bool alert_measuring_may(svc_call *c, svc_change *change, bool hourly, int tag)
{
  alert_measuring_place place = alert_measuring_place_of(&change->entity);
  const svc_id *org = &change->entity.scope.org;
  int64_t when = place.granted[hourly] ? 0 : svc_work_begin(c->s, org, c->now, place.cost[hourly]);
  place.granted[hourly] = when != 0;
  if (!when) place.at[hourly] = place.next[hourly];
  alert_measuring_put(c, change, &place);
  if (!when) return true;
  svc_change_due(change, tag, when);
  if (svc_work_may_say(c->s, org, c->now))
    svc_log(c->s, SVC_LOG_WARNING, "alert.deferred", "organization %s has used up its share of work for alerts; project %s is measured %lld s later",
            svc_id_str(c->arena, org).p, svc_id_str(c->arena, &change->entity.scope.group).p, (long long)((when - c->now + 999) / 1000));
  return false;
}

/* Ends the round: the next one begins where this one stopped, or at the beginning. */
static void alert_measuring_end(svc_call *c, svc_change *change, bool hourly, const svc_alert_round *r)
{
  static const svc_alert_place first;
  alert_measuring_place place = alert_measuring_place_of(&change->entity);
  const svc_id *org = &change->entity.scope.org;
  int64_t taken = alert_measuring_taken(r);
  place.next[hourly] = r->ended ? r->at : first;
  svc_work_end(c->s, org, c->now, place.cost[hourly], taken);
  place.cost[hourly] = taken;
  alert_measuring_put(c, change, &place);
  c->spent += (size_t)(MEASURING_MOST - r->left) + (size_t)(taken / MEASURING_RECORD);
  if (r->patterns.left < 0 && svc_work_may_say(c->s, org, c->now))
    svc_log(c->s, SVC_LOG_WARNING, "alert.unfinished", "organization %s: a round of alerts in project %s has used all its steps; the next round continues there",
            svc_id_str(c->arena, org).p, svc_id_str(c->arena, &change->entity.scope.group).p);
}

/* ----------------------------------------------------------------------------------------------------------------- one */

static svc_str alert_measuring_name(const svc_alert_condition *k, const svc_alert_target *t)
{
  return k->asks ? svc_str_c(k->asks) : t->met.metric;
}

/* Whether the element is this figure of this target. */
static bool alert_measuring_is(const svc_node *one, const svc_alert_condition *k, const svc_alert_target *t)
{
  return svc_node_eq(one, svc_alert_asked_by(k->of), t->met.target) &&
         svc_node_eq(one, "metricName", alert_measuring_name(k, t));
}

/* The driver's figure. Elements mostly come in the requested order, so the search begins after the last one found. */
static bool alert_measuring_from_driver(svc_alert_round *r, const svc_alert_condition *k, const svc_alert_target *t, double *out)
{
  const svc_node *first = r->told->first, *one = r->next ? r->next : first, *begun = one, *value;
  while (one && !alert_measuring_is(one, k, t)) {
    one = one->next ? one->next : first;
    if (one == begun) return false;
  }
  if (!one) return false;
  r->next = one->next;
  value = svc_node_get(one, "value");
  return value && value->type == SVC_J_NUMBER && svc_json_number_double(value->text, out);
}

/* The figure of the driver's last report. */
static bool alert_measuring_reported(svc_alert_round *r, const svc_alert_condition *k, const svc_alert_target *t, double *out)
{
  if (k->of != SVC_ALERT_PROCESSES || k->asks || t->process->down_since) return false;
  r->patterns.left -= MEASURING_REPORTED;
  return svc_reported_latest(r->c, &t->cluster->cluster.id, t->process->id, t->met.metric, out);
}

static bool alert_measuring_ask(svc_alert_round *r, const svc_alert_condition *k, const svc_alert_target *t)
{
  svc_arena *a = r->c->arena;
  svc_node *one = svc_node_object(a, NULL);
  svc_str metric = svc_arena_copy(a, alert_measuring_name(k, t)), units = svc_arena_copy(a, t->met.units);
  if (!one) return svc_no_memory(r->c);
  svc_node_set_str(a, one, svc_alert_asked_by(k->of), t->met.target);
  svc_node_set_str(a, one, "metricName", metric);
  svc_node_set_text(a, one, "units", svc_alert_unit(metric, units));
  svc_node_append(r->figures, one);
  return true;
}

static bool alert_measuring_beyond(const svc_alert_condition *k, const svc_node *threshold, double value)
{
  const svc_node *limit = svc_node_get(threshold, "threshold");
  svc_str how = svc_node_str(threshold, "operator");
  double at = 0;
  if (k->below) return value < k->limit;
  if (!limit || !svc_json_number_double(limit->text, &at)) return false;
  return svc_str_is(how, "LESS_THAN") || svc_str_is(how, "<") ? value < at : value > at;
}

/* Requests the figure of one target for a configuration, or compares it. */
static bool alert_measuring_one(svc_alert_round *r, const svc_alert_condition *k, svc_alert_target *t, const svc_entity *config,
                                const svc_node *said, const svc_node *threshold)
{
  r->left--;
  r->patterns.left -= MEASURING_FIGURE;
  if (r->figures) return alert_measuring_ask(r, k, t);
  if (t->figured != k || (!k->asks && !k->hourly)) { /* with metrics, each configuration may name another one */
    t->figured = k;
    t->known = (r->told && alert_measuring_from_driver(r, k, t, &t->figure)) || ((!r->told || k->stated) && k->figure(r, t, &t->figure)) ||
               alert_measuring_reported(r, k, t, &t->figure);
  }
  if (!t->known) return svc_txn_good(r->c) && r->c->error.code == SVC_E_NONE;
  t->met.value = t->figure / alert_measuring_factor(t->met.units);
  return svc_alert_measured(r->c, config, said, &t->met, alert_measuring_beyond(k, threshold, t->met.value), &r->opens);
}

/* Whether the target fits the matchers. False with r->ended: the budget ran out before the result. The first target of a
** round has all steps of the round. If even these do not suffice, the configuration dates from a time with larger limits: the
** target does not fit, and the next round continues after it. */
static bool alert_measuring_fits(svc_alert_round *r, const svc_node *said, svc_alert_target *t)
{
  if (r->left <= 0 || (r->patterns.left < 0 && r->looked)) r->ended = true;
  t->met.fits = !r->ended && svc_alert_fits(r->c, said, &t->met, &r->patterns);
  if (!r->ended && r->patterns.left < 0 && r->looked && !t->met.fits) r->ended = true;
  r->looked++;
  return t->met.fits;
}

/* Handles one configuration: every target that fits its matchers, beginning where the last round stopped. */
static bool alert_measuring_config(svc_alert_round *r, const svc_alert_condition *k, const svc_alert_targets *all, const svc_entity *config)
{
  svc_node *said = svc_entity_body(r->c, config), *threshold = svc_node_get(said, "metricThreshold");
  size_t first = svc_id_eq(&r->at.config, &config->id) ? r->at.target : 0, i;
  svc_str units;
  if (!said) return false;
  if (!threshold) threshold = svc_node_get(said, "threshold");
  units = k->below ? SVC_S("") : svc_node_str(threshold, "units");
  r->patterns.left -= MEASURING_CONFIG + (int64_t)config->body.n;
  for (i = first; i < all->count; i++) {
    svc_alert_target *t = &all->at[i];
    t->met.metric = svc_node_str(threshold, "metricName");
    t->met.units = units.n ? units : svc_str_c(k->units);
    if (alert_measuring_fits(r, said, t) && !alert_measuring_one(r, k, t, config, said, threshold)) return false;
    if (r->ended) break;
  }
  if (r->ended) r->at.config = config->id, r->at.target = (uint32_t)i;
  else memset(&r->at.config, 0, sizeof r->at.config), r->at.target = 0, r->at.after = config->id;
  for (; i < all->count; i++) all->at[i].met.fits = true; /* alerts of targets that were not reached stay as they are */
  for (i = 0; i < first && i < all->count; i++) all->at[i].met.fits = true;
  return r->figures || svc_alert_unmeasured(r->c, config, all);
}

/* Handles the configurations of a condition that come after the current position. */
static bool alert_measuring_condition(svc_alert_round *r, uint32_t number, const svc_alert_condition *k, const svc_alert_targets *all)
{
  svc_alert_watch watch;
  svc_entity config;
  if (r->ended || number < r->at.condition) return true;
  if (number > r->at.condition) {
    memset(&r->at, 0, sizeof r->at);
    r->at.condition = number;
  }
  svc_alert_watching(r->c, &r->scope.group, svc_value_text(r->c->s, r->c->arena, k->begins), &r->at.after, &watch);
  while (!r->ended && svc_alert_watch_next(r->c, &watch, &config))
    if (!alert_measuring_config(r, k, all, &config)) return false;
  return true;
}

/* Handles all hourly conditions, or all others. *any: another round is needed, because a configuration watches a condition and, unless
** hourly, a target exists or can appear soon. */
static bool alert_measuring_all(svc_alert_round *r, bool hourly, bool *any)
{
  static const svc_id none;
  const svc_alert_condition *k;
  const svc_alert_targets *all;
  svc_alert_watch watch;
  uint32_t i;
  *any = false;
  if (!r->c->s->seats[SVC_SEAT_ALERTS]) return true; /* a build without alerts */
  for (i = 0; (k = svc_alert_condition_at(i)) != NULL; i++) {
    if (k->hourly != hourly) continue;
    svc_alert_watching(r->c, &r->scope.group, svc_value_text(r->c->s, r->c->arena, k->begins), &none, &watch);
    if (!svc_alert_watch_more(&watch)) continue;
    all = svc_alert_targets_of(r, k->of);
    if (!all) return false;
    *any |= hourly || all->any;
    if (!alert_measuring_condition(r, i, k, all)) return false;
  }
  return svc_txn_good(r->c);
}

/* ---------------------------------------------------------------------------------------------------------------- rounds */

/* Whether any configuration watches a condition that is not hourly. */
static bool alert_measuring_watched(svc_call *c, const svc_id *group)
{
  static const svc_id none;
  const svc_alert_condition *k;
  svc_alert_watch watch;
  size_t i;
  for (i = 0; (k = svc_alert_condition_at(i)) != NULL; i++) {
    if (k->hourly) continue;
    svc_alert_watching(c, group, svc_value_text(c->s, c->arena, k->begins), &none, &watch);
    if (svc_alert_watch_more(&watch)) return true;
  }
  return false;
}

SVC_PRIVATE int svc_alert_round_get(svc_call *c, const svc_id *group, svc_entity *out)
{
  static const svc_id none;
  const svc_noun_info *noun = svc_noun_named(c->s, SVC_ALERT_ROUND);
  return noun ? svc_entity_get(c->txn, noun->noun->kind, group, &none, out) : SVC_NOT_FOUND;
}

SVC_PRIVATE bool svc_alert_round_put(svc_call *c, const svc_scope *scope, svc_entity *e, const svc_entity *old)
{
  if (!old) {
    e->kind = svc_noun_named(c->s, SVC_ALERT_ROUND)->noun->kind;
    e->parent = scope->group;
    e->scope = *scope;
  }
  if (!e->body.n) e->body = SVC_S("{}"), e->links_at = 1;
  return svc_entity_store(c, e, old);
}

SVC_PRIVATE bool svc_alert_round_wake(svc_call *c, const svc_scope *scope, bool hourly)
{
  int tag = hourly ? MEASURING_DUE_HOUR : SVC_DUE_RUN, rc;
  svc_entity e, old;
  if (!svc_noun_named(c->s, SVC_ALERT_ROUND)) return true;
  rc = svc_alert_round_get(c, &scope->group, &old);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  memset(&e, 0, sizeof e);
  if (rc == SVC_OK) e = old;
  if (svc_due_get(&e, tag)) return true;
  svc_due_set(&e, tag, c->now + (hourly ? MEASURING_HOURLY : MEASURING_EVERY));
  return svc_alert_round_put(c, scope, &e, rc == SVC_OK ? &old : NULL);
}

/* Wakes only the rounds of each minute: hourly rounds run as long as a configuration watches them. */
SVC_PRIVATE bool svc_alert_round_may_wake(svc_call *c, const svc_scope *scope)
{
  svc_entity e;
  if (svc_alert_round_get(c, &scope->group, &e) == SVC_OK && svc_due_get(&e, SVC_DUE_RUN)) return true;
  return alert_measuring_watched(c, &scope->group) ? svc_alert_round_wake(c, scope, false) : svc_txn_good(c);
}

/* Writes an order if there are figures to request. Otherwise only closes the alerts whose targets have gone or no longer fit. */
static bool alert_measuring_order(svc_call *c, svc_change *change, svc_alert_round *r, bool *any)
{
  r->figures = svc_node_array(c->arena, "figures");
  if (!r->figures) return svc_no_memory(c);
  if (!alert_measuring_all(r, false, any)) return false;
  return r->figures->first ? svc_order_within(c, change) : svc_alert_round_facts(c, change, NULL);
}

SVC_PRIVATE bool svc_alert_round_fell_due(svc_call *c, svc_change *change, int tag)
{
  bool hourly = tag == MEASURING_DUE_HOUR, any = false;
  int64_t every = hourly ? MEASURING_HOURLY : MEASURING_EVERY;
  svc_alert_round r;
  if (tag != SVC_DUE_RUN && !hourly) return true;
  if (c->txn->ids->now > c->now + every) { /* long overdue: runs after all other overdue steps, at the current time */
    svc_change_due(change, tag, c->txn->ids->now);
    return true;
  }
  if (!hourly && svc_order_waits(c, &change->entity)) {
    svc_change_due(change, tag, c->now + every);
    return true;
  }
  if (!alert_measuring_may(c, change, hourly, tag)) return true;
  alert_measuring_begin(c, &change->entity, hourly, &r);
  if (hourly ? !alert_measuring_all(&r, true, &any) : !alert_measuring_order(c, change, &r, &any)) return false;
  alert_measuring_end(c, change, hourly, &r);
  if (any) svc_change_due(change, tag, c->now + every);
  return true;
}

SVC_PRIVATE svc_node *svc_alert_round_desired(svc_call *c, const svc_entity *e)
{
  svc_node *desired = svc_node_object(c->arena, NULL);
  svc_alert_round r;
  bool any;
  if (!desired) return NULL;
  alert_measuring_begin(c, e, false, &r);
  r.figures = svc_node_array(c->arena, "figures");
  if (!r.figures || !alert_measuring_all(&r, false, &any)) return NULL;
  svc_work_end(c->s, &r.scope.org, c->now, 0, alert_measuring_taken(&r));
  svc_node_put(c->arena, desired, r.figures);
  return desired;
}

SVC_PRIVATE bool svc_alert_round_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  (void)change, (void)action;
  svc_node_set_bool(c->arena, facts, "simulated", true);
  return true;
}

SVC_PRIVATE bool svc_alert_round_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  static const svc_node none = { .type = SVC_J_ARRAY };
  svc_alert_round r;
  bool any;
  alert_measuring_begin(c, &change->entity, false, &r);
  r.told = svc_node_get(facts, "figures");
  if (!r.told && !svc_node_bool(facts, "simulated", false)) r.told = &none;
  if (r.told && r.told->first && !svc_alert_host_states(&r)) return false;
  if (!alert_measuring_all(&r, false, &any)) return false;
  svc_work_end(c->s, &r.scope.org, c->now, 0, alert_measuring_taken(&r));
  return true;
}

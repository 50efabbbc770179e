/*
** Opening and closing of alerts.
**
**   event or figure  -> TRACKING -> OPEN -> CLOSED   by the opposite event, or by another figure
**   event            -> CLOSED                       of a type without an opposite: it has happened, and nothing can undo it
**   TRACKING or OPEN -> CANCELLED                    the configuration is turned off, deleted, or watches another type
**
** TRACKING lasts for the shortest delay of the configuration's notifications. The rule: a configuration and a target (a
** cluster, a host, a processor) have at most one TRACKING or OPEN alert. The alert's unique value,
** "configuration/target", ensures this: the alert has it until it is over. Lookups of one alert, or of all of a
** configuration, use the same value. The target of a measured alert begins with "=", so a figure never ends an alert that
** an event has opened. The exceptions are HOST_DOWN and NO_PRIMARY: their events use the same target, so event and figure share one alert
** (alert_events.c).
**
** The code here writes the events of measured alerts, in the same transaction: one when the alert becomes OPEN and, if alert_pairs.c has
** a closing event, one when an OPEN alert is CLOSED. Only the events of the two exceptions come from process_states.c. The events of measured
** alerts contain the id of their alert, so they open no other alerts (alert_events.c).
*/
#include "catalog/monitoring/alert_parts.h"

#define ALERTS_MOST 500                        /* per project; the oldest alert that is over is deleted for a new one */
#define ALERT_KEPT ((int64_t)90 * 86400 * 1000) /* milliseconds until an alert that is over is deleted */
#define ALERT_MINUTE 60000
#define ALERT_ID 24 /* characters of a configuration id */

/* ------------------------------------------------------------------------------------------------------------ what is met */

/* Members of events that matchers and targets use, with their names in matchers and in alerts. */
static const struct alert_acts_member {
  const char *in_event, *field_name, *in_alert;
} alert_acts_members[SVC_ALERT_MEMBERS] = {
  [SVC_ALERT_CLUSTER] = { "clusterName", "CLUSTER_NAME", "clusterName" },
  [SVC_ALERT_HOST] = { "hostname", "HOSTNAME", NULL },
  [SVC_ALERT_INSTANCE] = { "instanceName", "INSTANCE_NAME", "instanceName" },
  [SVC_ALERT_PORT] = { "port", "PORT", NULL },
  [SVC_ALERT_PROCESSOR] = { "processorName", "PROCESSOR_NAME", "processorName" },
  [SVC_ALERT_SET] = { "replicaSetName", "REPLICA_SET_NAME", "replicaSetName" },
  [SVC_ALERT_SHARD] = { "shardName", "SHARD_NAME", NULL },
};
static svc_str alert_acts_member(svc_str body, const char *name)
{
  svc_str value = svc_json_member(body, svc_str_c(name));
  if (value.n > 1 && value.p[0] == '"') value = (svc_str){ value.p + 1, value.n - 2 };
  return value;
}

SVC_PRIVATE void svc_alert_meet(svc_call *c, svc_str body, svc_alert_met *m)
{
  svc_buf b = svc_buf_new(c->arena, 128);
  size_t i;
  memset(m, 0, sizeof *m);
  m->type = SVC_S("");
  m->alias = alert_acts_member(body, "userAlias");
  for (i = 0; i < SVC_ALERT_MEMBERS; i++) {
    m->values[i] = alert_acts_member(body, alert_acts_members[i].in_event);
    if (i) svc_buf_char(&b, '/');
    svc_buf_str(&b, m->values[i]);
  }
  m->target = svc_buf_done(&b);
  m->host = SVC_S("");
  if (m->values[SVC_ALERT_HOST].n)
    m->host = svc_arena_print(c->arena, SVC_FMT ":" SVC_FMT, SVC_ARG(m->values[SVC_ALERT_HOST]), SVC_ARG(m->values[SVC_ALERT_PORT]));
}

static svc_str alert_acts_value(void *context, svc_str field_name)
{
  const svc_alert_met *m = context;
  size_t i;
  if (svc_str_is(field_name, "HOSTNAME_AND_PORT")) return m->host;
  if (svc_str_is(field_name, "TYPE_NAME")) return m->type;
  for (i = 0; i < SVC_ALERT_MEMBERS; i++)
    if (svc_str_is(field_name, alert_acts_members[i].field_name)) return m->values[i];
  return SVC_S("");
}

/* --------------------------------------------------------------------------------------------------------------- finding */

static const svc_noun_info *alert_acts_noun(const svc_call *c)
{
  return c->s->seats[SVC_SEAT_ALERTS];
}

SVC_PRIVATE void svc_alert_scan(svc_call *c, const char *kind, svc_str prefix, svc_scan *scan)
{
  svc_key key;
  svc_key_begin(&key, 'u');
  svc_key_add(&key, kind, SVC_KIND_SIZE);
  svc_key_add(&key, prefix.p, prefix.n < 256 ? prefix.n : 256);
  svc_scan_below(scan, c->txn, &key, false);
  svc_scan_expect(scan, 1);
}

SVC_PRIVATE bool svc_alert_next(svc_call *c, svc_scan *scan, const char *kind, const svc_id *group, svc_entity *out)
{
  svc_str key, value;
  svc_id id;
  while (svc_scan_next(scan, &key, &value)) {
    if (value.n != SVC_KIND_SIZE + sizeof id.b) continue;
    memcpy(id.b, value.p + SVC_KIND_SIZE, sizeof id.b);
    if (svc_entity_get(c->txn, kind, group, &id, out) == SVC_OK) return true;
  }
  return false;
}

static void alert_acts_watching(svc_call *c, const svc_id *group, svc_str type, const svc_id *after, svc_scan *scan)
{
  svc_str id = svc_id_is_zero(after) ? SVC_S("") : svc_id_str(c->arena, after);
  svc_str all = svc_arena_print(c->arena, "%s/true/" SVC_FMT "/", svc_id_str(c->arena, group).p, SVC_ARG(type));
  svc_key key;
  svc_alert_scan(c, SVC_ALERT_CONFIG_KIND, all, scan);
  key = scan->from;
  svc_key_add(&key, id.p, id.n);
  if (id.n) svc_key_behind(&scan->from, &key);
}

SVC_PRIVATE void svc_alert_watching(svc_call *c, const svc_id *group, svc_str type, const svc_id *after, svc_alert_watch *w)
{
  w->group = *group;
  w->in_table = svc_alert_defaults_watch(c, group, type, after, w);
  if (!w->in_table) alert_acts_watching(c, group, type, after, &w->scan);
}

SVC_PRIVATE bool svc_alert_watch_more(svc_alert_watch *w)
{
  return w->in_table ? w->row < SVC_ALERT_DEFAULTS : svc_scan_more(&w->scan);
}

SVC_PRIVATE bool svc_alert_watch_next(svc_call *c, svc_alert_watch *w, svc_entity *out)
{
  return w->in_table ? svc_alert_defaults_next(c, w, out) : svc_alert_next(c, &w->scan, SVC_ALERT_CONFIG_KIND, &w->group, out);
}

static svc_str alert_acts_unique(svc_call *c, const svc_id *config, const svc_alert_met *m)
{
  return svc_arena_print(c->arena, "%s/%s" SVC_FMT, svc_id_str(c->arena, config).p, m->measured ? "=" : "", SVC_ARG(m->target));
}

SVC_PRIVATE int svc_alert_of(svc_call *c, const svc_entity *config, const svc_alert_met *m, svc_entity *out)
{
  return svc_entity_named(c->txn, alert_acts_noun(c)->noun->kind, NULL, &config->parent, alert_acts_unique(c, &config->id, m), out);
}

/* --------------------------------------------------------------------------------------------------------------- writing */

SVC_PRIVATE bool svc_alert_store(svc_call *c, svc_entity *e, const svc_entity *old, const svc_node *body)
{
  if (!svc_body_write(c->arena, body, &e->body, &e->links_at)) return svc_no_memory(c);
  e->revision = svc_new_revision(c->txn);
  return svc_entity_store(c, e, old);
}

/* Writes an event about a measured alert, with the alert's data. */
static bool alert_acts_tell(svc_call *c, const svc_entity *e, const svc_node *body, const char *type)
{
  const svc_node *value = svc_node_get(body, "currentValue");
  svc_buf number = svc_buf_new(c->arena, 64);
  svc_str port = svc_node_str(body, "hostnameAndPort"), host = svc_str_cut(&port, ':');
  if (value) svc_node_write(&number, value);
  {
    const svc_event_part about[] = {
      { "alertConfigId", svc_node_str(body, "alertConfigId"), false }, { "alertId", e->key, false },
      { "clusterName", svc_node_str(body, "clusterName"), false },     { "currentValue", svc_buf_done(&number), true },
      { "hostname", host, false },                                     { "instanceName", svc_node_str(body, "instanceName"), false },
      { "metricName", svc_node_str(body, "metricName"), false },       { "port", port, true },
      { "processorName", svc_node_str(body, "processorName"), false }, { "replicaSetName", svc_node_str(body, "replicaSetName"), false },
      { "userAlias", svc_node_str(body, "userAlias"), false },
    };
    return svc_event_with(c, type, &e->scope, about, sizeof about / sizeof about[0]);
  }
}

/* Writes the event of a measured alert that has become OPEN, or that was CLOSED while it was OPEN; nothing if the type has no such
** event. Also nothing for hosts and primaries: process_states.c writes their events when the state changes. */
static bool alert_acts_report(svc_call *c, const svc_entity *e, const svc_node *body, bool open)
{
  const svc_alert_condition *condition = svc_alert_condition_of(c->s, svc_node_str(body, "eventTypeName"));
  const char *type = !condition || (condition->stated && condition->below) ? NULL : open ? condition->begins : svc_alert_closed_by(condition->begins);
  return !type || alert_acts_tell(c, e, body, type);
}

static bool alert_acts_is_measured(const svc_entity *e)
{
  return e->unique.n > ALERT_ID + 1 && e->unique.p[ALERT_ID + 1] == '=';
}

/* Ends an alert: clears its due steps, and sets its expiry. An alert that is CLOSED may get a due step for its final notifications. */
static void alert_acts_over(svc_call *c, svc_entity *e, svc_node *body, const char *status)
{
  svc_node_set_text(c->arena, body, "status", status);
  svc_node_set_date(c->arena, body, "resolved", c->now);
  svc_node_set_date(c->arena, body, "updated", c->now);
  e->unique = SVC_S("");
  svc_due_set(e, SVC_DUE_STATE, 0);
  svc_due_set(e, SVC_ALERT_DUE_FORGOTTEN, 0);
  svc_due_set(e, SVC_DUE_EXPIRY, c->now + ALERT_KEPT);
  svc_alert_sending_end(c, e, strcmp(status, "CLOSED") == 0);
}

SVC_PRIVATE bool svc_alert_end(svc_call *c, const svc_entity *stored, const char *status)
{
  svc_node *body = svc_entity_body(c, stored);
  svc_entity e = *stored;
  bool says;
  if (!body) return false;
  says = alert_acts_is_measured(stored) && svc_node_is(body, "status", "OPEN") && strcmp(status, "CLOSED") == 0;
  alert_acts_over(c, &e, body, status);
  return svc_alert_store(c, &e, stored, body) && (!says || alert_acts_report(c, &e, body, false));
}

/* If the project has the maximum of alerts, deletes the oldest one that is over. False: failed. *full: there is still no room, because
** none is over. */
static bool alert_acts_make_room(svc_call *c, const svc_id *group, bool *full)
{
  const svc_noun_info *noun = alert_acts_noun(c);
  svc_scan scan;
  svc_entity e;
  *full = svc_count(c->txn, noun->noun->kind, group) >= ALERTS_MOST;
  if (!*full) return svc_txn_good(c);
  svc_below_begin(&scan, c->txn, noun->noun->kind, group);
  while (svc_below_next(&scan, noun->noun->kind, &e)) {
    if (e.unique.n) continue;
    *full = false;
    return svc_erase(c, noun, &e);
  }
  return svc_txn_good(c);
}

/* The shortest delay of the configuration's notifications, in milliseconds. */
static int64_t alert_acts_delay(const svc_node *config)
{
  const svc_node *list = svc_node_get(config, "notifications"), *item;
  int64_t least = 0, delay;
  for (item = svc_node_first(list); item; item = item->next) {
    delay = svc_node_i64(item, "delayMin", 0);
    if (item == list->first || delay < least) least = delay;
  }
  return least * ALERT_MINUTE;
}

/* Sets the id of its cluster or flex cluster, if that still exists. */
static void alert_acts_cluster(svc_call *c, svc_node *body, const svc_id *group, svc_str name)
{
  const svc_noun_info *cluster = svc_noun_named(c->s, "cluster");
  svc_named found;
  if (cluster && svc_named_get(c->txn, svc_noun_ext_of(cluster->noun)->names, group, name, &found) == SVC_OK)
    svc_node_set_id(c->arena, body, "clusterId", &found.id);
}

static svc_node *alert_acts_body(svc_call *c, const svc_entity *e, const svc_entity *config, svc_str type, const svc_alert_met *m)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  size_t i;
  if (!body) return NULL;
  svc_node_set_id(c->arena, body, "alertConfigId", &config->id);
  svc_node_set_date(c->arena, body, "created", c->now);
  svc_node_set_str(c->arena, body, "eventTypeName", type);
  svc_node_set_id(c->arena, body, "groupId", &e->scope.group);
  svc_node_set_str(c->arena, body, "id", e->key);
  svc_node_set_id(c->arena, body, "orgId", &e->scope.org);
  svc_node_set_date(c->arena, body, "updated", c->now);
  if (m->host.n) svc_node_set_str(c->arena, body, "hostnameAndPort", m->host);
  if (m->alias.n) svc_node_set_str(c->arena, body, "userAlias", m->alias);
  if (m->values[SVC_ALERT_CLUSTER].n) alert_acts_cluster(c, body, &e->scope.group, m->values[SVC_ALERT_CLUSTER]);
  for (i = 0; i < SVC_ALERT_MEMBERS; i++)
    if (alert_acts_members[i].in_alert && m->values[i].n) svc_node_set_str(c->arena, body, alert_acts_members[i].in_alert, m->values[i]);
  return body;
}

/* Shows the last figure. */
static void alert_acts_show(svc_call *c, svc_node *body, const svc_alert_met *m)
{
  svc_node *value = svc_node_object(c->arena, "currentValue"), *number;
  if (!value) return;
  number = svc_node_new(c->arena, SVC_J_NUMBER, SVC_S("number"), svc_arena_print(c->arena, "%.15g", m->value));
  if (number) svc_node_put(c->arena, value, number);
  svc_node_set_str(c->arena, value, "units", m->units);
  svc_node_put(c->arena, body, value);
  if (m->metric.n) svc_node_set_str(c->arena, body, "metricName", m->metric);
}

SVC_PRIVATE bool svc_alert_begin(svc_call *c, const svc_entity *config, const svc_node *said, const svc_alert_met *m, bool lasts)
{
  const svc_noun_info *noun = alert_acts_noun(c);
  const svc_scope scope = config->scope;
  int64_t delay = alert_acts_delay(said);
  svc_named there;
  svc_node *body;
  svc_entity e;
  bool full;
  memset(&e, 0, sizeof e);
  e.unique = lasts ? alert_acts_unique(c, &config->id, m) : SVC_S("");
  if (lasts && svc_named_get(c->txn, noun->noun->kind, &scope.group, e.unique, &there) == SVC_OK) return true;
  if (!alert_acts_make_room(c, &scope.group, &full)) return false;
  if (full) {
    svc_log(c->s, SVC_LOG_WARNING, "alert.full", "project %s has reached its limit of open alerts; new alerts are not opened", svc_id_str(c->arena, &scope.group).p);
    return true;
  }
  e.kind = noun->noun->kind;
  e.parent = scope.group;
  e.scope = scope;
  e.id = svc_new_id_at(c->txn, c->now);
  e.key = svc_id_str(c->arena, &e.id);
  body = alert_acts_body(c, &e, config, svc_node_str(said, "eventTypeName"), m);
  if (!body) return svc_no_memory(c);
  svc_node_set_str(c->arena, body, "status", delay ? SVC_S("TRACKING") : SVC_S("OPEN"));
  if (m->measured) alert_acts_show(c, body, m);
  if (lasts && delay) svc_due_set(&e, SVC_DUE_STATE, c->now + delay);
  if (!lasts) alert_acts_over(c, &e, body, "CLOSED");
  svc_alert_sending_begin(c, &e, said);
  return svc_alert_store(c, &e, NULL, body) && (!m->measured || delay || alert_acts_report(c, &e, body, true));
}

/* -------------------------------------------------------------------------------------------------------------- measuring */

SVC_PRIVATE bool svc_alert_fits(svc_call *c, const svc_node *said, svc_alert_met *m, svc_alert_patterns *patterns)
{
  return svc_alert_matchers_fit(c, svc_node_get(said, "matchers"), alert_acts_value, m, patterns);
}

SVC_PRIVATE bool svc_alert_measured(svc_call *c, const svc_entity *config, const svc_node *said, const svc_alert_met *m, bool beyond,
                                    int *opens)
{
  svc_node *body, *before;
  svc_entity e, old;
  int rc = svc_alert_of(c, config, m, &old);
  if (rc == SVC_NOT_FOUND) return !beyond || (*opens)-- <= 0 || svc_alert_begin(c, config, said, m, true);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (!beyond) return svc_alert_end(c, &old, "CLOSED");
  body = svc_entity_body(c, &old);
  before = body ? svc_node_copy(c->arena, body) : NULL;
  if (!before) return svc_no_memory(c);
  alert_acts_show(c, body, m);
  e = old;
  return svc_node_same(body, before) || svc_alert_store(c, &e, &old, body);
}

SVC_PRIVATE bool svc_alert_unmeasured(svc_call *c, const svc_entity *config, const svc_alert_targets *all)
{
  const char *kind = alert_acts_noun(c)->noun->kind;
  svc_str own = svc_arena_print(c->arena, "%s/=", svc_id_str(c->arena, &config->id).p);
  svc_scan scan;
  svc_entity e;
  size_t i;
  svc_alert_scan(c, kind, own, &scan);
  while (svc_alert_next(c, &scan, kind, &config->scope.group, &e)) {
    svc_str target = { e.unique.p + own.n, e.unique.n - own.n };
    for (i = 0; i < all->count && !(all->at[i].met.fits && svc_str_eq(all->at[i].met.target, target));) i++;
    if (i == all->count && !svc_alert_end(c, &e, "CLOSED")) return false;
  }
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_alert_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag == SVC_ALERT_DUE_TOLD) return svc_alert_sending_due(c, change);
  if (tag == SVC_DUE_STATE) {
    svc_node_set_text(c->arena, change->body, "status", "OPEN");
    if (alert_acts_is_measured(&change->entity) && !alert_acts_report(c, &change->entity, change->body, true)) return false;
  }
  if (tag == SVC_ALERT_DUE_FORGOTTEN) {
    svc_alert_forget(change->body);
    change->event = "ALERT_UNACKNOWLEDGED_AUDIT";
  }
  svc_node_set_date(c->arena, change->body, "updated", c->now);
  return true;
}

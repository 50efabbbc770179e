/*
** Effects of events on alerts: each configuration that watches the type of an event opens an alert, or the opposite event
** closes it.
**
** The cost of an event does not depend on the configurations of other projects: the configurations of a project that
** watch a type are neighbors in an index, and only these are read. A limited number is handled at once. The rest becomes
** a wave, a record with an immediate due step. The wave continues with the same number per transaction, and other
** transactions run in between. So no writer waits for hundreds of alerts.
**
** The rule: effects keep the order of the events of a project. While the project has a wave, the next event becomes a
** wave after it: if the alert of a host that is down opens late, the host's recovery closes it later. An event about an
** alert opens and closes no alerts.
**
** Waves count against an organization's share of background work (pipeline/work.c). When the share is used up, a wave
** waits for the time that is reserved for it.
*/
#include "catalog/monitoring/alert_parts.h"

#define ALERT_EVENTS_AT_ONCE 32 /* configurations per event, or alerts per configuration */
#define ALERT_EVENTS_SPENDS 8   /* approximate records that each of them reads and writes: see svc_call.spent */
#define ALERT_EVENTS_STEPS 400000 /* of regular expressions at once: about 4 ms, more than one configuration can take */
#define ALERT_EVENTS_RECORD 1000  /* steps that count as one record */

static bool alert_events_lasts(svc_call *c, svc_str type)
{
  const svc_alert_pair *p = svc_alert_pairs();
  while (p->opens && (p->measured || !svc_value_is(c->s, type, p->opens))) p++;
  return p->opens != NULL;
}

/* ----------------------------------------------------------------------------------------------------------------- waves */

enum alert_events_what { ALERT_EVENTS_OPEN, ALERT_EVENTS_CLOSE, ALERT_EVENTS_CANCEL };
static const char *const alert_events_whats[] = { "OPEN", "CLOSE", "CANCEL" };

typedef struct alert_events_wave { /* a wave */
  int what;       /* enum alert_events_what */
  svc_id group;
  svc_str type;   /* in the spelling of configurations */
  svc_str event;  /* the body of the event */
  svc_id after;   /* continues after this configuration; ALERT_EVENTS_CANCEL: the configuration itself */
  bool more;      /* not finished */
} alert_events_wave;

/* Events and figures of HOST_DOWN and NO_PRIMARY share one alert, whichever comes first. */
static void alert_events_as_measured(svc_call *c, svc_str type, svc_alert_met *m)
{
  const svc_alert_condition *k = svc_alert_condition_of(c->s, type);
  svc_str target = !k ? SVC_S("") : k->of == SVC_ALERT_PROCESSES ? m->host : k->of == SVC_ALERT_SETS ? m->values[SVC_ALERT_SET] : SVC_S("");
  if (!k || !k->stated || !k->below || !target.n || !m->values[SVC_ALERT_CLUSTER].n) return;
  m->target = target;
  m->measured = true;
  m->units = svc_str_c(k->units);
}

/* Handles a limited number of configurations that watch the type: opens an alert if the matchers fit, or closes the alert of this target,
** whatever the matchers are. */
static bool alert_events_pass(svc_call *c, alert_events_wave *h)
{
  bool lasts = alert_events_lasts(c, h->type);
  int64_t begun = c->steps;
  svc_alert_patterns patterns;
  svc_alert_met m;
  svc_alert_watch watch;
  svc_entity config, e;
  int n = 0;
  memset(&patterns, 0, sizeof patterns);
  svc_alert_meet(c, h->event, &m);
  alert_events_as_measured(c, h->type, &m);
  svc_alert_watching(c, &h->group, h->type, &h->after, &watch);
  while (n < ALERT_EVENTS_AT_ONCE && c->steps - begun < ALERT_EVENTS_STEPS && svc_alert_watch_next(c, &watch, &config)) {
    h->after = config.id;
    n++;
    patterns.left = ALERT_EVENTS_STEPS;
    if (h->what == ALERT_EVENTS_CLOSE) {
      if (svc_alert_of(c, &config, &m, &e) == SVC_OK && !svc_alert_end(c, &e, "CLOSED")) return false;
    } else {
      svc_node *said = svc_entity_body(c, &config);
      if (!said) return false;
      if (svc_alert_fits(c, said, &m, &patterns) && !svc_alert_begin(c, &config, said, &m, lasts)) return false;
    }
  }
  h->more = (n == ALERT_EVENTS_AT_ONCE || c->steps - begun >= ALERT_EVENTS_STEPS) && svc_alert_watch_more(&watch);
  c->spent += (size_t)n * ALERT_EVENTS_SPENDS + (size_t)((c->steps - begun) / ALERT_EVENTS_RECORD);
  return svc_txn_good(c);
}

/* Cancels a limited number of open alerts of a configuration. A cancelled alert leaves the scanned range. */
static bool alert_events_cancel(svc_call *c, alert_events_wave *h)
{
  const char *kind = c->s->seats[SVC_SEAT_ALERTS]->noun->kind;
  svc_scan scan;
  svc_entity e;
  int n = 0;
  svc_alert_scan(c, kind, svc_arena_print(c->arena, "%s/", svc_id_str(c->arena, &h->after).p), &scan);
  for (; n < ALERT_EVENTS_AT_ONCE && svc_alert_next(c, &scan, kind, &h->group, &e); n++)
    if (!svc_alert_end(c, &e, "CANCELLED")) return false;
  h->more = n == ALERT_EVENTS_AT_ONCE && svc_scan_more(&scan);
  c->spent += (size_t)n * ALERT_EVENTS_SPENDS;
  return svc_txn_good(c);
}

static bool alert_events_go(svc_call *c, alert_events_wave *h)
{
  return h->what == ALERT_EVENTS_CANCEL ? alert_events_cancel(c, h) : alert_events_pass(c, h);
}

static void alert_events_write(svc_call *c, const alert_events_wave *h, svc_node *body)
{
  if (!svc_id_is_zero(&h->after)) svc_node_set_id(c->arena, body, "after", &h->after);
}

/* Stores the rest as a wave. */
static bool alert_events_later(svc_call *c, const svc_noun_info *noun, const svc_scope *scope, const alert_events_wave *h)
{
  svc_node *body = svc_node_object(c->arena, NULL), *event;
  svc_entity e;
  if (!body) return svc_no_memory(c);
  memset(&e, 0, sizeof e);
  e.kind = noun->noun->kind;
  e.parent = scope->group;
  e.scope = *scope;
  e.id = svc_new_id_at(c->txn, c->now);
  e.key = svc_id_str(c->arena, &e.id);
  e.revision = svc_new_revision(c->txn);
  alert_events_write(c, h, body);
  event = h->event.n ? svc_json_parse(c->arena, h->event) : NULL;
  if (event) event->name = SVC_S("event"), svc_node_put(c->arena, body, event);
  svc_node_set_str(c->arena, body, "type", h->type);
  svc_node_set_text(c->arena, body, "what", alert_events_whats[h->what]);
  svc_due_set(&e, SVC_DUE_RUN, svc_provisioned(c->s, 0, c->now));
  if (!svc_body_write(c->arena, body, &e.body, &e.links_at)) return svc_no_memory(c);
  return svc_entity_store(c, &e, NULL);
}

/* Handles the event now, up to the limit, and stores the rest as a wave. If the project has a wave already, or the transaction has used up
** its steps, the whole event becomes the next wave. */
static bool alert_events_begin(svc_call *c, const svc_scope *scope, alert_events_wave *h)
{
  const svc_noun_info *noun = svc_noun_named(c->s, SVC_ALERT_WAVE);
  h->more = noun && (c->steps >= ALERT_EVENTS_STEPS || svc_count(c->txn, SVC_ALERT_WAVE_KIND, &scope->group) > 0);
  if (!h->more && !alert_events_go(c, h)) return false;
  while (h->more && !noun) /* a build without waves handles all at once */
    if (!alert_events_go(c, h)) return false;
  return !h->more || alert_events_later(c, noun, scope, h);
}

/* Whether it is the wave's turn. If not, the wave waits for the previous wave of the project, or for the time that is
** reserved for it. */
static bool alert_events_may(svc_call *c, svc_change *change)
{
  const svc_entity *e = &change->entity;
  int64_t when = 0;
  svc_entity first;
  if (svc_below_first(c->txn, SVC_ALERT_WAVE_KIND, &e->parent, &first) && !svc_id_eq(&first.id, &e->id)) when = svc_due_get(&first, SVC_DUE_RUN);
  if (when && when < c->now) when = c->now;
  if (!when && !svc_node_bool(change->body, "granted", false)) {
    when = svc_work_begin(c->s, &e->scope.org, c->now, 0);
    if (when) svc_node_set_bool(c->arena, change->body, "granted", true);
    if (when && svc_work_may_say(c->s, &e->scope.org, c->now))
      svc_log(c->s, SVC_LOG_WARNING, "alert.deferred", "organization %s has used up its share of work for alerts; alerts of project %s open %lld s later",
              svc_id_str(c->arena, &e->scope.org).p, svc_id_str(c->arena, &e->parent).p, (long long)((when - c->now + 999) / 1000));
  } else {
    svc_node_drop(change->body, "granted");
  }
  if (when) svc_change_due(change, SVC_DUE_RUN, when);
  return when == 0;
}

SVC_PRIVATE bool svc_alert_wave_fell_due(svc_call *c, svc_change *change, int tag)
{
  svc_str what = svc_node_str(change->body, "what"), event;
  const int64_t begun = c->steps;
  const size_t spent = c->spent;
  alert_events_wave h;
  memset(&h, 0, sizeof h);
  if (tag != SVC_DUE_RUN) return true;
  if (!alert_events_may(c, change)) return svc_txn_good(c);
  while (h.what < ALERT_EVENTS_CANCEL && !svc_str_is(what, alert_events_whats[h.what])) h.what++;
  event = svc_json_member(change->entity.body, SVC_S("event"));
  h.group = change->entity.parent;
  h.type = svc_node_str(change->body, "type");
  h.event = svc_arena_copy(c->arena, event);
  svc_id_parse(svc_node_str(change->body, "after"), &h.after);
  if (!alert_events_go(c, &h)) return false;
  svc_work_end(c->s, &change->entity.scope.org, c->now, 0, c->steps - begun + (int64_t)(c->spent - spent) * ALERT_EVENTS_RECORD / ALERT_EVENTS_SPENDS);
  alert_events_write(c, &h, change->body);
  svc_change_due(change, h.more ? SVC_DUE_RUN : SVC_DUE_EXPIRY, svc_provisioned(c->s, 0, c->now));
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- hearing */

/* In most projects no configuration watches the type: then nothing else is read. */
static bool alert_events_of(svc_call *c, const svc_entity *event, const char *type, int what)
{
  alert_events_wave h;
  svc_alert_watch watch;
  memset(&h, 0, sizeof h);
  h.what = what;
  h.group = event->scope.group;
  h.type = svc_value_text(c->s, c->arena, type);
  h.event = event->body;
  svc_alert_watching(c, &h.group, h.type, &h.after, &watch);
  if (!svc_alert_watch_more(&watch)) return svc_txn_good(c);
  if (svc_json_member(event->body, SVC_S("alertId")).n) return true;
  return alert_events_begin(c, &event->scope, &h);
}

SVC_PRIVATE bool svc_alert_on_event(svc_call *c, const char *type, const svc_entity *event)
{
  const svc_alert_pair *p;
  if (svc_id_is_zero(&event->scope.group)) return true; /* of an organization: no configurations */
  if (strcmp(type, "GROUP_CREATED") == 0 && svc_is_new(c->txn, &event->scope.group)) return true; /* no configuration exists yet */
  if ((strcmp(type, "CLUSTER_CREATED") == 0 || strcmp(type, "STREAM_PROCESSOR_CREATED") == 0) && !svc_alert_round_may_wake(c, &event->scope))
    return false;
  if (strcmp(type, "ENCRYPTION_AT_REST_CONFIGURATION_UPDATED") == 0 && !svc_alert_keys_note(c, &event->scope)) return false;
  for (p = svc_alert_pairs(); p->opens; p++)
    if (!p->measured && strcmp(p->closes, type) == 0 && !alert_events_of(c, event, p->opens, ALERT_EVENTS_CLOSE)) return false;
  return alert_events_of(c, event, type, ALERT_EVENTS_OPEN);
}

SVC_PRIVATE bool svc_alert_cancel(svc_call *c, const svc_entity *config)
{
  const svc_noun_info *alerts = c->s->seats[SVC_SEAT_ALERTS];
  alert_events_wave h;
  svc_entity project;
  memset(&h, 0, sizeof h);
  if (!alerts || svc_noun_ext_of(alerts->noun)->alerts->hears != svc_alert_on_event) return true;
  /* the whole project is being deleted */
  if (c->s->group && svc_get_noun(c->txn, c->s->group, &config->parent, &project) != SVC_OK) return svc_txn_good(c);
  h.what = ALERT_EVENTS_CANCEL;
  h.group = config->parent;
  h.after = config->id;
  h.type = h.event = SVC_S("");
  return alert_events_begin(c, &config->scope, &h);
}

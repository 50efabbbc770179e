/*
** What events bring about: of the configurations that watch one, each opens an alert, or what its opposite has opened is closed.
**
** An event costs the same whatever other projects have configured: the configurations that watch its type in its project are
** neighbours in an index, and only those are read. Of these so many at once; for the rest there is a wave, a record that falls due at
** once, and goes on with as many, in a transaction that others get between: so nobody who writes waits for hundreds of alerts.
**
** The rule: what happens in a project happens in its order. While a wave is there, the next event is a wave behind it: what a host that
** is down opens late, the host that is up again closes later. An event about an alert opens none.
**
** Waves are part of what an organization may spend on work that no request waits for (pipeline/work.c): where that is used up, a wave
** waits for the time that is reserved for it.
*/
#include "catalog/monitoring/alert_parts.h"

#define HEARING_AT_ONCE 32 /* configurations of an event, or alerts of a configuration */
#define HEARING_SPENDS 8   /* records, about, that one of them reads and writes: see svc_call.spent */
#define HEARING_STEPS 400000 /* of regular expressions, at once: some 4 ms. More than one configuration can take */
#define HEARING_RECORD 1000  /* steps that count as one record */

static bool alert_hearing_lasts(svc_call *c, svc_str type)
{
  const svc_alert_pair *p = svc_alert_pairs();
  while (p->opens && (p->measured || !svc_value_is(c->s, type, p->opens))) p++;
  return p->opens != NULL;
}

/* ----------------------------------------------------------------------------------------------------------------- waves */

enum alert_hearing_what { HEARING_OPEN, HEARING_CLOSE, HEARING_CANCEL };
static const char *const alert_hearing_whats[] = { "OPEN", "CLOSE", "CANCEL" };

typedef struct alert_hearing { /* a wave */
  int what;       /* enum alert_hearing_what */
  svc_id group;
  svc_str type;   /* that configurations watch, as they name it */
  svc_str event;  /* its body */
  svc_id after;   /* goes on behind this configuration; of HEARING_CANCEL: the one */
  bool more;      /* it is not through */
} alert_hearing;

/* Of what is measured as well there is one alert, whether the event comes first or the measurement. */
static void alert_hearing_as_measured(svc_call *c, svc_str type, svc_alert_met *m)
{
  const svc_alert_condition *k = svc_alert_condition_of(c->s, type);
  svc_str target = !k ? SVC_S("") : k->of == SVC_ALERT_PROCESSES ? m->host : k->of == SVC_ALERT_SETS ? m->values[SVC_ALERT_SET] : SVC_S("");
  if (!k || !k->stated || !k->below || !target.n || !m->values[SVC_ALERT_CLUSTER].n) return;
  m->target = target;
  m->measured = true;
  m->units = svc_str_c(k->units);
}

/* So many configurations that watch it: those whose matchers fit open an alert, or have theirs closed. */
static bool alert_hearing_pass(svc_call *c, alert_hearing *h)
{
  bool lasts = alert_hearing_lasts(c, h->type);
  int64_t begun = c->steps;
  svc_alert_patterns patterns;
  svc_alert_met m;
  svc_alert_watch watch;
  svc_entity config, e;
  int n = 0;
  memset(&patterns, 0, sizeof patterns);
  svc_alert_meet(c, h->event, &m);
  alert_hearing_as_measured(c, h->type, &m);
  svc_alert_watching(c, &h->group, h->type, &h->after, &watch);
  while (n < HEARING_AT_ONCE && c->steps - begun < HEARING_STEPS && svc_alert_watch_next(c, &watch, &config)) {
    h->after = config.id;
    n++;
    patterns.left = HEARING_STEPS;
    if (h->what == HEARING_CLOSE) {
      if (svc_alert_of(c, &config, &m, &e) == SVC_OK && !svc_alert_end(c, &e, "CLOSED")) return false;
    } else {
      svc_node *said = svc_entity_body(c, &config);
      if (!said) return false;
      if (svc_alert_fits(c, said, &m, &patterns) && !svc_alert_begin(c, &config, said, &m, lasts)) return false;
    }
  }
  h->more = (n == HEARING_AT_ONCE || c->steps - begun >= HEARING_STEPS) && svc_alert_watch_more(&watch);
  c->spent += (size_t)n * HEARING_SPENDS + (size_t)((c->steps - begun) / HEARING_RECORD);
  return svc_txn_good(c);
}

/* So many of those that a configuration has open: each that is over is among them no longer. */
static bool alert_hearing_cancel(svc_call *c, alert_hearing *h)
{
  const char *kind = c->s->seats[SVC_SEAT_ALERTS]->noun->kind;
  svc_scan scan;
  svc_entity e;
  int n = 0;
  svc_alert_scan(c, kind, svc_arena_print(c->arena, "%s/", svc_id_str(c->arena, &h->after).p), &scan);
  for (; n < HEARING_AT_ONCE && svc_alert_next(c, &scan, kind, &h->group, &e); n++)
    if (!svc_alert_end(c, &e, "CANCELLED")) return false;
  h->more = n == HEARING_AT_ONCE && svc_scan_more(&scan);
  c->spent += (size_t)n * HEARING_SPENDS;
  return svc_txn_good(c);
}

static bool alert_hearing_go(svc_call *c, alert_hearing *h)
{
  return h->what == HEARING_CANCEL ? alert_hearing_cancel(c, h) : alert_hearing_pass(c, h);
}

static void alert_hearing_write(svc_call *c, const alert_hearing *h, svc_node *body)
{
  if (!svc_id_is_zero(&h->after)) svc_node_set_id(c->arena, body, "after", &h->after);
}

/* The rest of it, as a record. */
static bool alert_hearing_later(svc_call *c, const svc_noun_info *noun, const svc_scope *scope, const alert_hearing *h)
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
  alert_hearing_write(c, h, body);
  event = h->event.n ? svc_json_parse(c->arena, h->event) : NULL;
  if (event) event->name = SVC_S("event"), svc_node_put(c->arena, body, event);
  svc_node_set_str(c->arena, body, "type", h->type);
  svc_node_set_text(c->arena, body, "what", alert_hearing_whats[h->what]);
  svc_due_set(&e, SVC_DUE_RUN, svc_provisioned(c->s, 0, c->now));
  if (!svc_body_write(c->arena, body, &e.body, &e.links_at)) return svc_no_memory(c);
  return svc_entity_store(c, &e, NULL);
}

/* Now, as far as that goes; behind what waits, if something does. */
static bool alert_hearing_begin(svc_call *c, const svc_scope *scope, alert_hearing *h)
{
  const svc_noun_info *noun = svc_noun_named(c->s, SVC_ALERT_WAVE);
  h->more = noun && (c->steps >= HEARING_STEPS || svc_count(c->txn, SVC_ALERT_WAVE_KIND, &scope->group) > 0);
  if (!h->more && !alert_hearing_go(c, h)) return false;
  while (h->more && !noun) /* built without waves: all at once */
    if (!alert_hearing_go(c, h)) return false;
  return !h->more || alert_hearing_later(c, noun, scope, h);
}

/* Is it this wave's turn? If not, it waits: for the one before it in the project, or for the time that is reserved for it. */
static bool alert_hearing_may(svc_call *c, svc_change *change)
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
  alert_hearing h;
  memset(&h, 0, sizeof h);
  if (tag != SVC_DUE_RUN) return true;
  if (!alert_hearing_may(c, change)) return svc_txn_good(c);
  while (h.what < HEARING_CANCEL && !svc_str_is(what, alert_hearing_whats[h.what])) h.what++;
  event = svc_json_member(change->entity.body, SVC_S("event"));
  h.group = change->entity.parent;
  h.type = svc_node_str(change->body, "type");
  h.event = svc_arena_copy(c->arena, event);
  svc_id_parse(svc_node_str(change->body, "after"), &h.after);
  if (!alert_hearing_go(c, &h)) return false;
  svc_work_end(c->s, &change->entity.scope.org, c->now, 0, c->steps - begun + (int64_t)(c->spent - spent) * HEARING_RECORD / HEARING_SPENDS);
  alert_hearing_write(c, &h, change->body);
  svc_change_due(change, h.more ? SVC_DUE_RUN : SVC_DUE_EXPIRY, svc_provisioned(c->s, 0, c->now));
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- hearing */

/* Nearly always nobody watches: then this is all. */
static bool alert_hearing_of(svc_call *c, const svc_entity *event, const char *type, int what)
{
  alert_hearing h;
  svc_alert_watch watch;
  memset(&h, 0, sizeof h);
  h.what = what;
  h.group = event->scope.group;
  h.type = svc_value_text(c->s, c->arena, type);
  h.event = event->body;
  svc_alert_watching(c, &h.group, h.type, &h.after, &watch);
  if (!svc_alert_watch_more(&watch)) return svc_txn_good(c);
  if (svc_json_member(event->body, SVC_S("alertId")).n) return true;
  return alert_hearing_begin(c, &event->scope, &h);
}

SVC_PRIVATE bool svc_alert_hears(svc_call *c, const char *type, const svc_entity *event)
{
  const svc_alert_pair *p;
  if (svc_id_is_zero(&event->scope.group)) return true; /* of an organization: nobody watches */
  if (strcmp(type, "GROUP_CREATED") == 0 && svc_is_new(c->txn, &event->scope.group)) return true; /* nobody watches yet */
  if ((strcmp(type, "CLUSTER_CREATED") == 0 || strcmp(type, "STREAM_PROCESSOR_CREATED") == 0) && !svc_alert_round_may_wake(c, &event->scope))
    return false;
  if (strcmp(type, "ENCRYPTION_AT_REST_CONFIGURATION_UPDATED") == 0 && !svc_alert_keys_note(c, &event->scope)) return false;
  for (p = svc_alert_pairs(); p->opens; p++)
    if (!p->measured && strcmp(p->closes, type) == 0 && !alert_hearing_of(c, event, p->opens, HEARING_CLOSE)) return false;
  return alert_hearing_of(c, event, type, HEARING_OPEN);
}

SVC_PRIVATE bool svc_alert_cancel(svc_call *c, const svc_entity *config)
{
  const svc_noun_info *alerts = c->s->seats[SVC_SEAT_ALERTS];
  alert_hearing h;
  svc_entity project;
  memset(&h, 0, sizeof h);
  if (!alerts || svc_noun_ext_of(alerts->noun)->alerts->hears != svc_alert_hears) return true;
  if (c->s->group && svc_get_noun(c->txn, c->s->group, &config->parent, &project) != SVC_OK) return svc_txn_good(c); /* all of it goes */
  h.what = HEARING_CANCEL;
  h.group = config->parent;
  h.after = config->id;
  h.type = h.event = SVC_S("");
  return alert_hearing_begin(c, &config->scope, &h);
}

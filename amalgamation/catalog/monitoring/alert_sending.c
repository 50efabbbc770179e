/*
** Recipients and times of the notifications of an alert.
**
** The `extra` of an alert has the next time of each of its configuration's notifications. The first is after the
** notification's delay. With an interval it is repeated while the alert is open and not acknowledged. When the alert is
** closed, recipients that were notified get a final notification, unless the alert is acknowledged. At each of these times
** a due step creates a notice, an order for svc_config.notify (pipeline/order.c): delivered at least once, with increasing
** waits, or dropped after a day. Without svc_config.notify nothing of this is stored.
**
** After a time without requests each notification is sent once, not once for each missed interval. The number of waiting
** notices per project is limited; further ones are dropped, with a line in the log.
*/
#include "catalog/monitoring/alert_parts.h"

#define ALERT_SENDING_MOST 1000 /* waiting notices per project */
#define ALERT_SENDING_MINUTE 60000

typedef struct alert_turn {
  int64_t next; /* milliseconds; 0: none */
  int64_t told; /* 1: was sent before */
} alert_turn;

typedef struct alert_turns {
  alert_turn at[SVC_ALERT_NOTIFICATIONS];
  size_t count;
} alert_turns;

static void alert_sending_read(svc_str extra, alert_turns *t)
{
  t->count = extra.n / sizeof t->at[0];
  if (t->count > SVC_ALERT_NOTIFICATIONS) t->count = SVC_ALERT_NOTIFICATIONS;
  if (t->count) memcpy(t->at, extra.p, t->count * sizeof t->at[0]);
}

/* Writes the `extra` of the alert; *first: the earliest time, 0: none. */
static svc_str alert_sending_write(svc_call *c, const alert_turns *t, int64_t *first)
{
  size_t i;
  *first = 0;
  for (i = 0; i < t->count; i++)
    if (t->at[i].next && (!*first || t->at[i].next < *first)) *first = t->at[i].next;
  return t->count ? svc_arena_copy(c->arena, (svc_str){ (const char *)t->at, t->count * sizeof t->at[0] }) : SVC_S("");
}

SVC_PRIVATE void svc_alert_sending_begin(svc_call *c, svc_entity *alert, const svc_node *said)
{
  const svc_node *list = svc_node_get(said, "notifications"), *item;
  alert_turns t;
  int64_t first;
  t.count = 0;
  if (!c->s->config.notify) return;
  for (item = svc_node_first(list); item && t.count < SVC_ALERT_NOTIFICATIONS; item = item->next)
    t.at[t.count++] = (alert_turn){ c->now + svc_node_i64(item, "delayMin", 0) * ALERT_SENDING_MINUTE, 0 };
  alert->extra = alert_sending_write(c, &t, &first);
  svc_due_set(alert, SVC_ALERT_DUE_TOLD, first);
}

SVC_PRIVATE void svc_alert_sending_end(svc_call *c, svc_entity *alert, bool closed)
{
  alert_turns t;
  int64_t first;
  size_t i;
  alert_sending_read(alert->extra, &t);
  for (i = 0; i < t.count; i++) t.at[i].next = closed && t.at[i].told ? c->now : 0;
  alert->extra = alert_sending_write(c, &t, &first);
  svc_due_set(alert, SVC_ALERT_DUE_TOLD, first);
}

SVC_PRIVATE void svc_alert_sending_resume(svc_call *c, svc_entity *alert, int64_t was, int64_t until)
{
  alert_turns t;
  int64_t first;
  size_t i;
  alert_sending_read(alert->extra, &t);
  for (i = 0; i < t.count; i++)
    if (was && t.at[i].next == was && until < was) t.at[i].next = until;
  alert->extra = alert_sending_write(c, &t, &first);
  svc_due_set(alert, SVC_ALERT_DUE_TOLD, first);
}

/* --------------------------------------------------------------------------------------------------------------- notices */

static bool alert_sending_notice(svc_call *c, const svc_noun_info *noun, const svc_entity *alert, const svc_node *body, const svc_node *to)
{
  svc_node *notice = svc_node_object(c->arena, NULL), *target = svc_node_copy(c->arena, to);
  svc_node *copy = svc_node_copy(c->arena, body);
  svc_entity e;
  if (!notice || !target || !copy) return svc_no_memory(c);
  memset(&e, 0, sizeof e);
  e.kind = noun->noun->kind;
  e.parent = alert->parent;
  e.scope = alert->scope;
  e.id = svc_new_id_at(c->txn, c->now);
  e.key = svc_id_str(c->arena, &e.id);
  copy->name = SVC_S("alert");
  target->name = SVC_S("notification");
  svc_node_put(c->arena, notice, copy);
  svc_node_set_str(c->arena, notice, "id", e.key);
  svc_node_put(c->arena, notice, target);
  svc_node_set_text(c->arena, notice, "state", "WAITING");
  svc_due_set(&e, SVC_DUE_EXPIRY, c->now + SVC_DAY_MS);
  if (!svc_body_write(c->arena, notice, &e.body, &e.links_at)) return svc_no_memory(c);
  e.revision = svc_new_revision(c->txn);
  if (!svc_entity_store(c, &e, NULL)) return false;
  return svc_order_put(c, noun, &e);
}

/* Whether the user or team is still in the organization of the project. True for other recipients. */
static bool alert_sending_stays(svc_call *c, const svc_id *org, svc_str type, svc_str name, svc_str team)
{
  const svc_noun_info *teams = c->s->seats[SVC_SEAT_TEAM];
  svc_member m;
  svc_entity e;
  if (svc_str_is(type, "USER") && c->s->seats[SVC_SEAT_USER])
    return svc_member_named(c, org, name, &m) && svc_str_is(m.status, "ACTIVE");
  return !svc_str_is(type, "TEAM") || !teams || svc_entity_get_text_id(c->txn, teams->noun->kind, org, team, &e) == SVC_OK;
}

/* Reads the configuration of an alert. False: the configuration was deleted, or the store failed. */
static bool alert_sending_config(svc_call *c, const svc_id *group, const svc_node *alert, svc_entity *out)
{
  return svc_alert_config_get(c, group, svc_node_str(alert, "alertConfigId"), out) == SVC_OK;
}

/* The time of the next notification; 0: none follows. */
static int64_t alert_sending_next(const svc_call *c, const svc_change *change, const svc_node *to)
{
  int64_t until, minutes = svc_node_i64(to, "intervalMin", 0);
  if (change->entity.unique.n == 0) return 0; /* the alert is over */
  if (svc_date_parse(svc_node_str(change->body, "acknowledgedUntil"), &until) && until > c->now) return until;
  return minutes ? c->now + minutes * ALERT_SENDING_MINUTE : 0;
}

SVC_PRIVATE bool svc_alert_sending_due(svc_call *c, svc_change *change)
{
  const svc_noun_info *noun = svc_noun_named(c->s, SVC_ALERT_NOTICE);
  const svc_node *list = NULL, *to;
  bool silent = svc_node_get(change->body, "acknowledgedUntil") != NULL;
  svc_entity config;
  alert_turns t;
  int64_t first;
  size_t i;
  if (c->txn->ids->now > c->now) c->now = c->txn->ids->now;
  alert_sending_read(change->entity.extra, &t);
  if (noun && c->s->config.notify && alert_sending_config(c, &change->entity.parent, change->body, &config))
    list = svc_node_get(svc_entity_body(c, &config), "notifications");
  if (!list) t.count = 0;
  for (i = 0, to = svc_node_first(list); i < t.count && to; i++, to = to->next) {
    if (!t.at[i].next || t.at[i].next > c->now) continue;
    t.at[i].next = alert_sending_next(c, change, to);
    if (silent) continue;
    if (!alert_sending_stays(c, &change->entity.scope.org, svc_node_str(to, "typeName"), svc_node_str(to, "username"), svc_node_str(to, "teamId"))) {
      if (c->error.code || !svc_txn_good(c)) return false;
      continue; /* the recipient has left the organization */
    }
    if (svc_count(c->txn, noun->noun->kind, &change->entity.parent) >= ALERT_SENDING_MOST) {
      svc_log(c->s, SVC_LOG_WARNING, "alert.dropped", "too many notifications are queued; none is sent for alert " SVC_FMT, SVC_ARG(change->entity.key));
      continue;
    }
    if (!alert_sending_notice(c, noun, &change->entity, change->body, to)) return false;
    t.at[i].told = 1;
    svc_node_set_date(c->arena, change->body, "lastNotified", c->now);
  }
  if (i < t.count) t.count = i; /* the configuration had more notifications earlier */
  change->extra = alert_sending_write(c, &t, &first);
  svc_change_due(change, SVC_ALERT_DUE_TOLD, first);
  return svc_txn_good(c);
}

SVC_PRIVATE svc_node *svc_alert_notice_desired(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  if (!body) return NULL;
  svc_node_drop(body, "id");
  svc_node_drop(body, "state");
  return body;
}

/* The secrets of the notification; without any, those of the project's integration. */
SVC_PRIVATE svc_node *svc_alert_notice_secrets(svc_call *c, const svc_entity *e)
{
  const svc_node *body = svc_entity_body(c, e), *to = svc_node_get(body, "notification"), *list, *item, *secret;
  svc_node *own = NULL, *all;
  svc_entity config, integration;
  if (to && alert_sending_config(c, &e->parent, svc_node_get(body, "alert"), &config)) {
    list = svc_node_get(svc_entity_body(c, &config), "notifications");
    all = svc_seal_secrets(c->s, c->arena, &config);
    if (!list || !all) return NULL;
    secret = svc_node_get(all, "notifications");
    for (item = list->first, secret = svc_node_first(secret); item && secret; item = item->next, secret = secret->next)
      if (svc_node_eq(item, "notifierId", svc_node_str(to, "notifierId"))) own = svc_node_copy(c->arena, secret);
  }
  if (svc_node_first(own)) return own;
  if (to && svc_alert_integration(c, &e->parent, svc_node_str(to, "typeName"), &integration))
    return svc_seal_secrets(c->s, c->arena, &integration);
  return svc_node_object(c->arena, NULL);
}

/* The text of the alert, with the current organization: the project may have moved since the text was written. */
static svc_str alert_sending_text(svc_arena *a, svc_str alert, const char *org)
{
  svc_str shown = svc_json_word(alert, "orgId");
  svc_buf b = svc_buf_new(a, alert.n + 1);
  size_t at = shown.n ? (size_t)(shown.p - alert.p) : 0;
  svc_buf_add(&b, alert.p, at);
  if (at) svc_buf_text(&b, org);
  svc_buf_add(&b, alert.p + at + shown.n, alert.n - at - shown.n);
  return svc_buf_done(&b);
}

/* Checks the recipient again before a notice is sent, because the notice may have waited for hours. If the store cannot be
** read, the notice is sent later. */
static int alert_sending_still(svc *s, const char *org, svc_str target)
{
  svc_arena arena;
  svc_call c;
  svc_id id;
  bool stays;
  int rc;
  if (!svc_id_parse(svc_str_c(org), &id)) return SVC_OK;
  svc_service_call(&c, s, &arena, NULL, svc_now(s));
  if (s->commit.port->read_begin(s->commit.store, &c.txn) != SVC_OK) return SVC_BUSY;
  stays = alert_sending_stays(&c, &id, svc_json_word(target, "typeName"), svc_json_word(target, "username"), svc_json_word(target, "teamId"));
  rc = c.error.code || c.txn->error || arena.failed ? SVC_BUSY : stays ? SVC_OK : SVC_NOT_FOUND;
  svc_end_read(&c);
  svc_blocks_free(arena.blocks);
  return rc;
}

SVC_PRIVATE int svc_alert_notice_tell(svc *s, const svc_order *order)
{
  const svc_str desired = { order->desired, order->desired_length };
  svc_str alert = svc_json_member(desired, SVC_S("alert")), target = svc_json_member(desired, SVC_S("notification"));
  svc_notification n = { .id = order->id, .group_id = order->group_id, .org_id = order->org_id, .attempt = order->attempt };
  svc_arena arena;
  int said = SVC_BUSY; /* out of memory: try again later */
  svc_arena_init(&arena, &s->allocator);
  n.kind = svc_arena_copy(&arena, svc_json_word(target, "typeName")).p;
  n.alert_id = svc_arena_copy(&arena, svc_json_word(alert, "id")).p;
  n.config_id = svc_arena_copy(&arena, svc_json_word(alert, "alertConfigId")).p;
  n.status = svc_arena_copy(&arena, svc_json_word(alert, "status")).p;
  n.target = svc_arena_copy(&arena, target).p;
  n.target_length = target.n;
  alert = alert_sending_text(&arena, alert, order->org_id);
  n.alert = alert.p;
  n.alert_length = alert.n;
  if (!arena.failed) said = alert_sending_still(s, order->org_id, target);
  if (said == SVC_OK && !arena.failed) said = s->config.notify(s->config.notify_context, s, &n);
  else if (said == SVC_NOT_FOUND) said = SVC_OK; /* the recipient has left: nothing to send */
  svc_blocks_free(arena.blocks);
  return said;
}

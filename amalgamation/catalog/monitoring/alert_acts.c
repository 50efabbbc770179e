/*
** Alerts open, and close.
**
**   event  -> TRACKING -> OPEN -> CLOSED         by the event that is its opposite
**   event  -> CLOSED                             of what has no opposite: it has happened, and nothing can undo it
**   any    -> CANCELLED                          its configuration is turned off, or gone
**
** TRACKING lasts for the shortest delay of the configuration's notifications. The rule: of one configuration and one target
** (a cluster, a host, a processor) there is one alert at the most that is not over. Its unique value says so, "configuration/
** target", which it has while it is not over and loses then: so it is found at once, and so are all that a configuration has.
**
** An event costs the same whatever other projects have configured: the configurations that watch its type in its project are
** neighbours in an index, and only those are read. What is written here writes no events of its own types, so none of it
** leads to another alert.
*/
#include "catalog/monitoring/alert_parts.h"

#define ALERTS_MOST 500                        /* of a project; over ones give way, the oldest first */
#define ALERTS_LOOKED_AT 64                    /* of these, when one is to give way */
#define ALERT_KEPT ((int64_t)90 * 86400 * 1000) /* how long one that is over is kept */
#define ALERT_MINUTE 60000

/* What ends what: of the types of events that have an opposite. */
static const struct alert_acts_pair {
  const char *begins, *ends;
} alert_acts_pairs[] = {
  { "AWS_ENCRYPTION_KEY_INVALID", "AWS_ENCRYPTION_KEY_VALID" },
  { "AZURE_ENCRYPTION_KEY_INVALID", "AZURE_ENCRYPTION_KEY_VALID" },
  { "CLUSTER_BLOCK_WRITE", "CLUSTER_UNBLOCK_WRITE" },
  { "CPS_OPLOG_BEHIND", "CPS_OPLOG_CAUGHT_UP" },
  { "DAILY_BILLING_CHANGE_OVER_THRESHOLD", "DAILY_BILLING_CHANGE_NORMAL" },
  { "DAILY_BILL_OVER_THRESHOLD", "DAILY_BILL_UNDER_THRESHOLD" },
  { "ENCRYPTION_AT_REST_CONFIG_NO_LONGER_VALID", "ENCRYPTION_AT_REST_CONFIG_IS_VALID" },
  { "GCP_ENCRYPTION_KEY_INVALID", "GCP_ENCRYPTION_KEY_VALID" },
  { "HOST_DBT_CRASHING_OOM", "HOST_DBT_RECOVERED_OOM" },
  { "HOST_DOWN", "HOST_UP" },
  { "LOG_STREAMING_EXPORT_FAILED_NONRETRYABLE", "LOG_STREAMING_EXPORT_RECOVERED" },
  { "LOG_STREAMING_EXPORT_FAILED_RETRIES_EXHAUSTED", "LOG_STREAMING_EXPORT_RECOVERED" },
  { "MONTHLY_BILLING_CHANGE_OVER_THRESHOLD", "MONTHLY_BILLING_CHANGE_NORMAL" },
  { "NO_PRIMARY", "ONE_PRIMARY" },
  { "ONLINE_ARCHIVE_INSUFFICIENT_INDEXES_CHECK", "ONLINE_ARCHIVE_INSUFFICIENT_INDEXES_RESOLVED" },
  { "PENDING_INVOICE_OVER_THRESHOLD", "PENDING_INVOICE_UNDER_THRESHOLD" },
  { "STREAM_PROCESSOR_STATE_IS_FAILED", "STREAM_PROCESSOR_STARTED" },
  { "SVC_X509_USER_AUTHENTICATION_CUSTOMER_CA_EXPIRATION_CHECK", "SVC_X509_USER_AUTHENTICATION_CUSTOMER_CA_EXPIRATION_RESOLVED" },
  { "SVC_X509_USER_AUTHENTICATION_CUSTOMER_CRL_EXPIRATION_CHECK", "SVC_X509_USER_AUTHENTICATION_CUSTOMER_CRL_EXPIRATION_RESOLVED" },
  { "SVC_X509_USER_AUTHENTICATION_MANAGED_USER_CERTS_EXPIRATION_CHECK",
    "SVC_X509_USER_AUTHENTICATION_MANAGED_USER_CERTS_EXPIRATION_RESOLVED" },
  { "WEEKLY_BILLING_CHANGE_OVER_THRESHOLD", "WEEKLY_BILLING_CHANGE_NORMAL" },
  { NULL, NULL }
};

/* ------------------------------------------------------------------------------------------------------------ what is met */

/* Members of events by which matchers and targets go, with the names that matchers have for them, and alerts. */
static const struct alert_acts_member {
  const char *in_event, *field_name, *in_alert;
} alert_acts_members[] = {
  { "clusterName", "CLUSTER_NAME", "clusterName" },
  { "hostname", "HOSTNAME", NULL },
  { "instanceName", "INSTANCE_NAME", "instanceName" },
  { "port", "PORT", NULL },
  { "processorName", "PROCESSOR_NAME", "processorName" },
  { "replicaSetName", "REPLICA_SET_NAME", "replicaSetName" },
  { "shardName", "SHARD_NAME", NULL },
};
#define ALERT_MEMBERS (sizeof alert_acts_members / sizeof alert_acts_members[0])

typedef struct alert_acts_met { /* an event, or a figure, as far as it matters */
  svc_str values[ALERT_MEMBERS];
  svc_str host; /* HOST:PORT; empty: it is of none */
  svc_str type; /* of the host: PRIMARY */
  svc_str target;
  const svc_alert_figure *figure; /* that was measured; NULL: it is an event */
} alert_acts_met;

static svc_str alert_acts_member(svc_str body, const char *name)
{
  svc_str value = svc_json_member(body, svc_str_c(name));
  if (value.n > 1 && value.p[0] == '"') value = (svc_str){ value.p + 1, value.n - 2 };
  return value;
}

static void alert_acts_meet(svc_call *c, svc_str body, alert_acts_met *m)
{
  svc_buf b = svc_buf_new(c->arena, 128);
  size_t i;
  memset(m, 0, sizeof *m);
  m->type = SVC_S("");
  for (i = 0; i < ALERT_MEMBERS; i++) {
    m->values[i] = alert_acts_member(body, alert_acts_members[i].in_event);
    if (i) svc_buf_char(&b, '/');
    svc_buf_str(&b, m->values[i]);
  }
  m->target = svc_buf_done(&b);
  m->host = m->values[1].n ? svc_arena_print(c->arena, SVC_FMT ":" SVC_FMT, SVC_ARG(m->values[1]), SVC_ARG(m->values[3])) : SVC_S("");
}

static svc_str alert_acts_value(void *context, svc_str field_name)
{
  const alert_acts_met *m = context;
  size_t i;
  if (svc_str_is(field_name, "HOSTNAME_AND_PORT")) return m->host;
  if (svc_str_is(field_name, "TYPE_NAME")) return m->type;
  for (i = 0; i < ALERT_MEMBERS; i++)
    if (svc_str_is(field_name, alert_acts_members[i].field_name)) return m->values[i];
  return SVC_S("");
}

/* --------------------------------------------------------------------------------------------------------------- finding */

static const svc_noun_info *alert_acts_noun(const svc_call *c)
{
  return c->s->seats[SVC_SEAT_ALERTS];
}

/* All whose unique value begins so. */
static void alert_acts_scan(svc_call *c, const char *kind, svc_str prefix, svc_scan *scan)
{
  svc_key key;
  svc_key_begin(&key, 'u');
  svc_key_add(&key, kind, SVC_KIND_SIZE);
  svc_key_add(&key, prefix.p, prefix.n < 256 ? prefix.n : 256);
  svc_scan_below(scan, c->txn, &key, false);
  svc_scan_expect(scan, 1);
}

static bool alert_acts_next(svc_call *c, svc_scan *scan, const char *kind, const svc_id *group, svc_entity *out)
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

/* The configurations of a project that watch this type, and are on. */
static void alert_acts_watching(svc_call *c, const svc_id *group, const char *type, svc_scan *scan)
{
  svc_str name = svc_value_text(c->s, c->arena, type);
  alert_acts_scan(c, SVC_ALERT_CONFIG_KIND, svc_arena_print(c->arena, "%s/true/" SVC_FMT "/", svc_id_str(c->arena, group).p, SVC_ARG(name)), scan);
}

static svc_str alert_acts_unique(svc_call *c, const svc_id *config, svc_str target)
{
  return svc_arena_print(c->arena, "%s/" SVC_FMT, svc_id_str(c->arena, config).p, SVC_ARG(target));
}

/* --------------------------------------------------------------------------------------------------------------- writing */

SVC_PRIVATE void svc_alert_date(svc_call *c, svc_node *body, const char *name, int64_t when)
{
  char text[21];
  svc_date_text(when, text);
  svc_node_set_str(c->arena, body, name, svc_arena_copy(c->arena, svc_str_c(text)));
}

SVC_PRIVATE bool svc_alert_store(svc_call *c, svc_entity *e, const svc_entity *old, const svc_node *body)
{
  int rc;
  if (!svc_body_write(c->arena, body, &e->body, &e->links_at)) return svc_no_memory(c);
  e->revision = svc_new_revision(c->txn);
  rc = old ? svc_entity_update(c->txn, c->arena, e, old) : svc_entity_insert(c->txn, c->arena, e);
  return rc == SVC_OK || svc_store_failed(c, c->txn->error);
}

/* It is over: nothing comes of it any more, and after a while it goes. */
static void alert_acts_over(svc_call *c, svc_entity *e, svc_node *body, const char *status)
{
  svc_node_set_str(c->arena, body, "status", svc_str_c(status));
  svc_alert_date(c, body, "resolved", c->now);
  svc_alert_date(c, body, "updated", c->now);
  e->unique = SVC_S("");
  svc_due_set(e, SVC_DUE_STATE, 0);
  svc_due_set(e, SVC_ALERT_DUE_FORGOTTEN, 0);
  svc_due_set(e, SVC_DUE_EXPIRY, c->now + ALERT_KEPT);
  svc_alert_telling_end(c, e, strcmp(status, "CLOSED") == 0);
}

static bool alert_acts_end(svc_call *c, const svc_entity *stored, const char *status)
{
  svc_node *body = svc_entity_body(c, stored);
  svc_entity e = *stored;
  if (!body) return false;
  alert_acts_over(c, &e, body, status);
  return svc_alert_store(c, &e, stored, body);
}

/* Where there are as many as there may be, the oldest that is over goes. False: failed; *full: there is none. */
static bool alert_acts_make_room(svc_call *c, const svc_id *group, bool *full)
{
  const svc_noun_info *noun = alert_acts_noun(c);
  int looked = 0;
  svc_scan scan;
  svc_entity e;
  *full = svc_count(c->txn, noun->noun->kind, group) >= ALERTS_MOST;
  if (!*full) return svc_txn_good(c);
  svc_below_begin(&scan, c->txn, noun->noun->kind, group);
  while (looked++ < ALERTS_LOOKED_AT && svc_below_next(&scan, noun->noun->kind, &e)) {
    if (e.unique.n) continue;
    *full = false;
    return svc_erase(c, noun, &e);
  }
  return svc_txn_good(c);
}

/* How long the first of its notifications waits, in milliseconds. */
static int64_t alert_acts_delay(const svc_node *config)
{
  const svc_node *list = svc_node_get(config, "notifications"), *item;
  int64_t least = INT64_MAX, delay;
  for (item = list ? list->first : NULL; item; item = item->next) {
    delay = svc_node_i64(item, "delayMin", 0);
    if (delay < least) least = delay;
  }
  return least == INT64_MAX ? 0 : least * ALERT_MINUTE;
}

static svc_node *alert_acts_body(svc_call *c, const svc_entity *e, const svc_entity *config, svc_str type, const alert_acts_met *m)
{
  svc_node *body = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  size_t i;
  if (!body) return NULL;
  svc_node_set_str(c->arena, body, "alertConfigId", config->key);
  svc_alert_date(c, body, "created", c->now);
  svc_node_set_str(c->arena, body, "eventTypeName", type);
  svc_node_set_str(c->arena, body, "groupId", svc_id_str(c->arena, &e->scope.group));
  svc_node_set_str(c->arena, body, "id", e->key);
  svc_node_set_str(c->arena, body, "orgId", svc_id_str(c->arena, &e->scope.org));
  svc_alert_date(c, body, "updated", c->now);
  if (m->host.n) svc_node_set_str(c->arena, body, "hostnameAndPort", m->host);
  for (i = 0; i < ALERT_MEMBERS; i++)
    if (alert_acts_members[i].in_alert && m->values[i].n) svc_node_set_str(c->arena, body, alert_acts_members[i].in_alert, m->values[i]);
  return body;
}

/* What was measured last. */
static void alert_acts_show(svc_call *c, svc_node *body, const svc_alert_figure *f)
{
  svc_node *value = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S("currentValue"), SVC_S("")), *number;
  if (!value) return;
  number = svc_node_new(c->arena, SVC_J_NUMBER, SVC_S("number"), svc_arena_print(c->arena, "%.17g", f->value));
  if (number) svc_node_put(c->arena, value, number);
  svc_node_set_str(c->arena, value, "units", f->units);
  svc_node_put(c->arena, body, value);
  svc_node_set_str(c->arena, body, "metricName", f->metric);
}

/* One opens, unless there is one. `lasts`: something will end it. */
static bool alert_acts_begin(svc_call *c, const svc_entity *config, const svc_node *said, const alert_acts_met *m, bool lasts)
{
  const svc_noun_info *noun = alert_acts_noun(c);
  const svc_scope scope = config->scope;
  int64_t delay = alert_acts_delay(said);
  svc_named there;
  svc_node *body;
  svc_entity e;
  bool full;
  memset(&e, 0, sizeof e);
  e.unique = lasts ? alert_acts_unique(c, &config->id, m->target) : SVC_S("");
  if (lasts && svc_named_get(c->txn, noun->noun->kind, &scope.group, e.unique, &there) == SVC_OK) return true;
  if (!alert_acts_make_room(c, &scope.group, &full)) return false;
  if (full) {
    svc_log(c->s, SVC_LOG_WARNING, "project %s has as many open alerts as it may have", svc_id_str(c->arena, &scope.group).p);
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
  if (m->figure) alert_acts_show(c, body, m->figure);
  if (lasts && delay) svc_due_set(&e, SVC_DUE_STATE, c->now + delay);
  if (!lasts) alert_acts_over(c, &e, body, "CLOSED");
  svc_alert_telling_begin(c, &e, said);
  return svc_alert_store(c, &e, NULL, body);
}

/* --------------------------------------------------------------------------------------------------------------- hearing */

static bool alert_acts_lasts(const char *type)
{
  const struct alert_acts_pair *p = alert_acts_pairs;
  while (p->begins && strcmp(p->begins, type) != 0) p++;
  return p->begins != NULL;
}

/* Those that watch this type, and whose matchers fit. */
static bool alert_acts_open(svc_call *c, const svc_id *group, const char *type, alert_acts_met *m)
{
  bool lasts = alert_acts_lasts(type);
  svc_scan scan;
  svc_entity config;
  alert_acts_watching(c, group, type, &scan);
  while (alert_acts_next(c, &scan, SVC_ALERT_CONFIG_KIND, group, &config)) {
    svc_node *said = svc_entity_body(c, &config);
    if (!said) return false;
    if (!svc_alert_matchers_fit(c, svc_node_get(said, "matchers"), alert_acts_value, m)) continue;
    if (!alert_acts_begin(c, &config, said, m, lasts)) return false;
  }
  return svc_txn_good(c);
}

/* What such an event had opened for the same target is over. */
static bool alert_acts_close(svc_call *c, const svc_id *group, const char *type, const alert_acts_met *m)
{
  const svc_noun *noun = alert_acts_noun(c)->noun;
  svc_scan scan;
  svc_entity config, e;
  int rc;
  alert_acts_watching(c, group, type, &scan);
  while (alert_acts_next(c, &scan, SVC_ALERT_CONFIG_KIND, group, &config)) {
    rc = svc_entity_named(c->txn, noun->kind, NULL, group, alert_acts_unique(c, &config.id, m->target), &e);
    if (rc == SVC_OK && !alert_acts_end(c, &e, "CLOSED")) return false;
  }
  return svc_txn_good(c);
}

SVC_PRIVATE void svc_alert_watching(svc_call *c, const svc_id *group, const char *type, svc_scan *scan)
{
  alert_acts_watching(c, group, type, scan);
}

SVC_PRIVATE bool svc_alert_watching_next(svc_call *c, svc_scan *scan, const svc_id *group, svc_entity *out)
{
  return alert_acts_next(c, scan, SVC_ALERT_CONFIG_KIND, group, out);
}

/* The host of a figure, as an event would name it. */
static void alert_acts_meet_figure(const svc_alert_figure *f, alert_acts_met *m)
{
  svc_str port = f->process->id, host = svc_str_cut(&port, ':');
  memset(m, 0, sizeof *m);
  m->values[0] = f->cluster;
  m->values[1] = host;
  m->values[3] = port;
  m->values[5] = f->process->replica_set;
  m->values[6] = f->process->shard;
  m->host = m->target = f->process->id;
  m->type = svc_str_c(f->process->type);
  while (m->type.n && memchr(m->type.p, '_', m->type.n)) m->type.p++, m->type.n--; /* REPLICA_PRIMARY: PRIMARY */
  m->figure = f;
}

SVC_PRIVATE bool svc_alert_measures(svc_call *c, const svc_node *said, const svc_alert_figure *f)
{
  alert_acts_met m;
  alert_acts_meet_figure(f, &m);
  return svc_alert_matchers_fit(c, svc_node_get(said, "matchers"), alert_acts_value, &m);
}

SVC_PRIVATE bool svc_alert_measured(svc_call *c, const svc_entity *config, const svc_node *said, const svc_alert_figure *f, bool beyond)
{
  const svc_id *group = &config->scope.group;
  alert_acts_met m;
  svc_node *body, *before;
  svc_entity e, old;
  int rc;
  alert_acts_meet_figure(f, &m);
  rc = svc_entity_named(c->txn, alert_acts_noun(c)->noun->kind, NULL, group, alert_acts_unique(c, &config->id, m.target), &old);
  if (rc == SVC_NOT_FOUND) return !beyond || alert_acts_begin(c, config, said, &m, true);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (!beyond) return alert_acts_end(c, &old, "CLOSED");
  body = svc_entity_body(c, &old);
  before = body ? svc_node_copy(c->arena, body) : NULL;
  if (!before) return svc_no_memory(c);
  alert_acts_show(c, body, f);
  e = old;
  return svc_node_same(body, before) || svc_alert_store(c, &e, &old, body);
}

SVC_PRIVATE bool svc_alert_unmeasured(svc_call *c, const svc_entity *config, const svc_processes *all, size_t count)
{
  const char *kind = alert_acts_noun(c)->noun->kind;
  svc_scan scan;
  svc_entity e;
  size_t i, k;
  alert_acts_scan(c, kind, svc_arena_print(c->arena, "%s/", svc_id_str(c->arena, &config->id).p), &scan);
  while (alert_acts_next(c, &scan, kind, &config->scope.group, &e)) {
    svc_str host = svc_json_word(e.body, "hostnameAndPort");
    bool there = false;
    for (i = 0; i < count && !there; i++)
      for (k = 0; k < all[i].count && !there; k++) there = svc_process_runs(&all[i].at[k]) && svc_str_eq(all[i].at[k].id, host);
    if (!there && !alert_acts_end(c, &e, "CLOSED")) return false;
  }
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_alert_hears(svc_call *c, const char *type, const svc_entity *event)
{
  const svc_id group = event->scope.group;
  const struct alert_acts_pair *p;
  alert_acts_met m;
  if (svc_id_is_zero(&group)) return true; /* of an organization: nobody watches */
  if (strcmp(type, "CLUSTER_CREATED") == 0 && !svc_alert_round_wake(c, &event->scope)) return false;
  alert_acts_meet(c, event->body, &m);
  for (p = alert_acts_pairs; p->begins; p++)
    if (strcmp(p->ends, type) == 0 && !alert_acts_close(c, &group, p->begins, &m)) return false;
  return alert_acts_open(c, &group, type, &m);
}

SVC_PRIVATE bool svc_alert_cancel(svc_call *c, const svc_id *group, const svc_id *config)
{
  const svc_noun_info *noun = alert_acts_noun(c);
  svc_scan scan;
  svc_entity e;
  if (!noun || noun->also->hears != svc_alert_hears) return true;
  alert_acts_scan(c, noun->noun->kind, svc_arena_print(c->arena, "%s/", svc_id_str(c->arena, config).p), &scan);
  while (alert_acts_next(c, &scan, noun->noun->kind, group, &e))
    if (!alert_acts_end(c, &e, "CANCELLED")) return false;
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_alert_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag == SVC_ALERT_DUE_TOLD) return svc_alert_telling_due(c, change);
  if (tag == SVC_DUE_STATE) svc_node_set_str(c->arena, change->body, "status", SVC_S("OPEN"));
  if (tag == SVC_ALERT_DUE_FORGOTTEN) {
    svc_alert_forget(change->body);
    change->event = "ALERT_UNACKNOWLEDGED_AUDIT";
  }
  svc_alert_date(c, change->body, "updated", c->now);
  return true;
}

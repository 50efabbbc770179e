/*
** Conditions: the figures that alerts measure, with one row per type of event.
**
** A driver supplies the figures of processes, replica sets, flex clusters and stream processors (alert_measuring.c).
** Without a driver they come from the model, which the series also show (alert_simulated.c). process_states.c knows for
** every cluster whether a host is down, and whether a replica set has a primary. Bills, snapshots, encryption keys,
** certificates and secrets are computed from the store once an hour (alert_stored.c).
**
** Some types have no figure here, so no figure opens their alerts: metrics of serverless instances and of applications,
** which this catalog does not have; lists of revoked certificates, which do not exist here; CREDIT_CARD_ABOUT_TO_EXPIRE,
** because cards have no date here; VERSION_BEHIND and other properties of hosts that no driver reports. An event of such
** a type still opens an alert (alert_events.c).
*/
#include "catalog/monitoring/alert_parts.h"
#include "catalog/deployment/flex_parts.h"
#include "catalog/monitoring/model.h"
#include "catalog/stream/stream_parts.h"

#define CONDITIONS_CLUSTERS 100 /* maximum per project and kind: more than the highest limit that can be set, 90 (project_limit.c) */
#define CONDITIONS_WEEK 7

static bool alert_conditions_up(svc_alert_round *r, const svc_alert_target *t, double *out);
static bool alert_conditions_primaries(svc_alert_round *r, const svc_alert_target *t, double *out);
static bool alert_conditions_healthy(svc_alert_round *r, const svc_alert_target *t, double *out);
static bool alert_conditions_unhealthy(svc_alert_round *r, const svc_alert_target *t, double *out);
static bool alert_conditions_none(svc_alert_round *r, const svc_alert_target *t, double *out);
static bool alert_conditions_elections(svc_alert_round *r, const svc_alert_target *t, double *out);

#define CONDITION_X509 "SVC_X509_USER_AUTHENTICATION_"
static const svc_alert_condition alert_conditions_rows[] = {
  { "OUTSIDE_METRIC_THRESHOLD", SVC_ALERT_PROCESSES, false, false, 0, NULL, "RAW", svc_alert_simulated, 0, false },
  { "OUTSIDE_FLEX_METRIC_THRESHOLD", SVC_ALERT_FLEX, false, false, 0, NULL, "RAW", svc_alert_simulated, 0, false },
  { "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", SVC_ALERT_PROCESSORS, false, false, 0, NULL, "RAW", svc_alert_simulated, 0, false },
  { "HOST_DOWN", SVC_ALERT_PROCESSES, false, true, 1, "UP", "RAW", alert_conditions_up, 0, true },
  { "NO_PRIMARY", SVC_ALERT_SETS, false, true, 1, "PRIMARIES", "RAW", alert_conditions_primaries, 0, true },
  { "TOO_FEW_HEALTHY_MEMBERS", SVC_ALERT_SETS, false, false, 0, "HEALTHY_MEMBERS", "RAW", alert_conditions_healthy, 0, true },
  { "TOO_MANY_UNHEALTHY_MEMBERS", SVC_ALERT_SETS, false, false, 0, "UNHEALTHY_MEMBERS", "RAW", alert_conditions_unhealthy, 0, true },
  { "TOO_MANY_ELECTIONS", SVC_ALERT_SETS, false, false, 0, "ELECTIONS_IN_LAST_HOUR", "RAW", alert_conditions_elections, 0, true },
  { "REPLICATION_OPLOG_WINDOW_RUNNING_OUT", SVC_ALERT_SETS, false, false, 0, "OPLOG_WINDOW", "HOURS", svc_alert_oplog_window, 0, false },
  { "CPS_OPLOG_BEHIND", SVC_ALERT_BACKUPS, false, false, 0, "OPLOG_BEHIND", "HOURS", alert_conditions_none, 0, false },
  { "CPS_PREV_SNAPSHOT_OLD", SVC_ALERT_BACKUPS, true, false, 0, NULL, "HOURS", svc_alert_snapshot_age, 0, false },
  { "CPS_SNAPSHOT_BEHIND", SVC_ALERT_BACKUPS, true, false, 0, NULL, "HOURS", svc_alert_snapshot_late, 0, false },
  { "PENDING_INVOICE_OVER_THRESHOLD", SVC_ALERT_PROJECT, true, false, 0, NULL, "RAW", svc_alert_bill_month, 0, false },
  { "DAILY_BILL_OVER_THRESHOLD", SVC_ALERT_PROJECT, true, false, 0, NULL, "RAW", svc_alert_bill_day, 0, false },
  { "DAILY_BILLING_CHANGE_OVER_THRESHOLD", SVC_ALERT_PROJECT, true, false, 0, NULL, "RAW", svc_alert_bill_more, 1, false },
  { "WEEKLY_BILLING_CHANGE_OVER_THRESHOLD", SVC_ALERT_PROJECT, true, false, 0, NULL, "RAW", svc_alert_bill_more, 7, false },
  { "MONTHLY_BILLING_CHANGE_OVER_THRESHOLD", SVC_ALERT_PROJECT, true, false, 0, NULL, "RAW", svc_alert_bill_more, 0, false },
  { "AWS_ENCRYPTION_KEY_NEEDS_ROTATION", SVC_ALERT_PROJECT, true, false, 0, NULL, "DAYS", svc_alert_key_age, SVC_ALERT_KEY_AWS, false },
  { "AZURE_ENCRYPTION_KEY_NEEDS_ROTATION", SVC_ALERT_PROJECT, true, false, 0, NULL, "DAYS", svc_alert_key_age, SVC_ALERT_KEY_AZURE, false },
  { "GCP_ENCRYPTION_KEY_NEEDS_ROTATION", SVC_ALERT_PROJECT, true, false, 0, NULL, "DAYS", svc_alert_key_age, SVC_ALERT_KEY_GCP, false },
  { "AWS_ENCRYPTION_KEY_INVALID", SVC_ALERT_PROJECT, true, true, 1, NULL, "RAW", svc_alert_key_valid, SVC_ALERT_KEY_AWS, false },
  { "AZURE_ENCRYPTION_KEY_INVALID", SVC_ALERT_PROJECT, true, true, 1, NULL, "RAW", svc_alert_key_valid, SVC_ALERT_KEY_AZURE, false },
  { "GCP_ENCRYPTION_KEY_INVALID", SVC_ALERT_PROJECT, true, true, 1, NULL, "RAW", svc_alert_key_valid, SVC_ALERT_KEY_GCP, false },
  { "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRING", SVC_ALERT_ACCOUNTS, true, true, CONDITIONS_WEEK, NULL, "DAYS", svc_alert_left_next, 0, false },
  { "GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRED", SVC_ALERT_ACCOUNTS, true, true, 0, NULL, "DAYS", svc_alert_left, 0, false },
  { CONDITION_X509 "CUSTOMER_CA_EXPIRATION_CHECK", SVC_ALERT_AUTHORITIES, true, false, 0, NULL, "DAYS", svc_alert_left, 0, false },
  { CONDITION_X509 "MANAGED_USER_CERTS_EXPIRATION_CHECK", SVC_ALERT_CERTIFICATES, true, false, 0, NULL, "DAYS", svc_alert_left, 0, false },
};
#define CONDITIONS (sizeof alert_conditions_rows / sizeof alert_conditions_rows[0])

SVC_PRIVATE const svc_alert_condition *svc_alert_condition_at(size_t i)
{
  return i < CONDITIONS ? &alert_conditions_rows[i] : NULL;
}

SVC_PRIVATE const svc_alert_condition *svc_alert_condition_of(const svc *s, svc_str type)
{
  size_t i = 0;
  while (i < CONDITIONS && !svc_value_is(s, type, alert_conditions_rows[i].begins)) i++;
  return svc_alert_condition_at(i);
}

/* --------------------------------------------------------------------------------------------------------------- figures */

SVC_PRIVATE const char *svc_alert_unit(svc_str metric, svc_str units)
{
  static const struct {
    const char *part, *unit;
  } rows[] = { { "BIT", "BYTES" }, { "BYTE", "BYTES" }, { "SECOND", "MILLISECONDS" }, { "MINUTE", "MILLISECONDS" }, { "HOUR", "MILLISECONDS" },
               { "DAY", "MILLISECONDS" }, { "", "SCALAR" } }; /* thousands and millions: plain numbers */
  const char *known = svc_process_metric_unit(metric), *name = metric.p;
  size_t i = 0;
  if (known) return known;
  if (svc_str_is(units, "RAW"))
    return strstr(name, "PERCENT") || strstr(name, "CPU") || strstr(name, "SPACE_USED") ? "PERCENT" : "SCALAR";
  while (!strstr(units.p, rows[i].part)) i++;
  return rows[i].unit;
}

/* In the simulation, backups are never behind. */
static bool alert_conditions_none(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  (void)r, (void)t;
  *out = 0;
  return true;
}

/* ---- processes */

static bool alert_conditions_up(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  (void)r;
  *out = !t->process->down_since;
  return true;
}

/* Members of a replica set: all and the electable ones, and how many of each are up. */
typedef struct alert_conditions_set {
  int all, up, electable, electable_up;
} alert_conditions_set;

static alert_conditions_set alert_conditions_members(const svc_alert_target *t)
{
  alert_conditions_set n = { 0, 0, 0, 0 };
  const svc_processes *of = t->cluster;
  size_t i;
  for (i = 0; i < of->count; i++) {
    bool elects, up = !of->at[i].down_since;
    if (!svc_str_eq(of->at[i].replica_set, t->met.target)) continue;
    (void)svc_process_region(of, &of->at[i], &elects);
    n.all++, n.up += up, n.electable += elects, n.electable_up += elects && up;
  }
  return n;
}

static bool alert_conditions_primaries(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  alert_conditions_set n = alert_conditions_members(t);
  (void)r;
  *out = n.electable_up * 2 > n.electable;
  return true;
}

static bool alert_conditions_elections(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  svc_node *states;
  if (!svc_process_states_of(r->c, &t->cluster->cluster.id, &states)) return false;
  *out = svc_process_elections(states, t->met.target, r->c->now - SVC_DAY_MS / 24);
  return true;
}

static bool alert_conditions_healthy(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  (void)r;
  *out = alert_conditions_members(t).up;
  return true;
}

static bool alert_conditions_unhealthy(svc_alert_round *r, const svc_alert_target *t, double *out)
{
  alert_conditions_set n = alert_conditions_members(t);
  (void)r;
  *out = n.all - n.up;
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- targets */

/* Reads the clusters with their processes, once per round. */
static bool alert_conditions_clusters(svc_alert_round *r)
{
  const svc_noun_info *noun = svc_noun_named(r->c->s, "cluster");
  svc_scan scan;
  svc_entity e;
  if (r->clusters) return true;
  r->clusters = svc_arena_zero(r->c->arena, CONDITIONS_CLUSTERS * sizeof *r->clusters);
  if (!r->clusters) return svc_no_memory(r->c);
  if (!noun) return true;
  svc_below_begin(&scan, r->c->txn, noun->noun->kind, &r->scope.group);
  while (r->cluster_count < CONDITIONS_CLUSTERS && svc_below_next(&scan, noun->noun->kind, &e)) {
    struct svc_alert_cluster *cluster = &r->clusters[r->cluster_count++];
    if (!svc_processes_of(r->c, &e, &cluster->of)) return false;
  }
  return svc_txn_good(r->c);
}

/* Adds a target in a cluster; p NULL: the whole cluster. */
static bool alert_conditions_add(svc_alert_round *r, svc_alert_targets *out, const struct svc_alert_cluster *cluster, const svc_process *p)
{
  svc_alert_target *t = svc_alert_target_add(r, out);
  if (!t) return false;
  t->cluster = &cluster->of;
  t->process = p;
  t->met.target = t->met.values[SVC_ALERT_CLUSTER] = svc_node_str(cluster->of.body, "name");
  if (!p) return true;
  t->met.values[SVC_ALERT_SET] = p->replica_set;
  t->met.values[SVC_ALERT_SHARD] = p->shard;
  return true;
}

/* Names the host like an event does. */
static void alert_conditions_host(svc_alert_met *m, const svc_process *p)
{
  svc_str port = p->id, host = svc_str_cut(&port, ':');
  m->values[SVC_ALERT_HOST] = host;
  m->values[SVC_ALERT_PORT] = port;
  m->host = m->target = p->id;
  m->alias = p->alias;
  m->type = svc_str_c(p->type);
  while (memchr(m->type.p, '_', m->type.n)) m->type.p++, m->type.n--; /* REPLICA_PRIMARY: PRIMARY */
}

static bool alert_conditions_processes(svc_alert_round *r, svc_alert_targets *out)
{
  size_t i, k;
  if (!alert_conditions_clusters(r)) return false;
  out->any = r->cluster_count > 0;
  for (i = 0; i < r->cluster_count; i++)
    for (k = 0; k < r->clusters[i].of.count; k++) {
      const svc_process *p = &r->clusters[i].of.at[k];
      if (!svc_process_runs(p)) continue;
      if (!alert_conditions_add(r, out, &r->clusters[i], p)) return false;
      alert_conditions_host(&out->at[out->count - 1].met, p);
    }
  return true;
}

/* A replica set is represented by its first member, which normally is its primary. */
static bool alert_conditions_sets(svc_alert_round *r, svc_alert_targets *out)
{
  size_t i, k;
  if (!alert_conditions_clusters(r)) return false;
  out->any = r->cluster_count > 0;
  for (i = 0; i < r->cluster_count; i++)
    for (k = 0; k < r->clusters[i].of.count; k++) {
      const svc_process *p = &r->clusters[i].of.at[k];
      size_t n = 0;
      if (!svc_process_runs(p) || p->replica_set.n == 0) continue;
      while (n < k && !svc_str_eq(r->clusters[i].of.at[n].replica_set, p->replica_set)) n++;
      if (n < k) continue;
      if (!alert_conditions_add(r, out, &r->clusters[i], p)) return false;
      out->at[out->count - 1].met.target = p->replica_set;
    }
  return true;
}

/* Clusters with backups. */
static bool alert_conditions_backups(svc_alert_round *r, svc_alert_targets *out)
{
  size_t i;
  if (!alert_conditions_clusters(r)) return false;
  out->any = r->cluster_count > 0;
  for (i = 0; i < r->cluster_count; i++) {
    const svc_processes *of = &r->clusters[i].of;
    if (!svc_node_bool(of->body, "backupEnabled", false) || of->count == 0 || !svc_process_runs(&of->at[0])) continue;
    if (!alert_conditions_add(r, out, &r->clusters[i], NULL)) return false;
  }
  return true;
}

static bool alert_conditions_flex(svc_alert_round *r, svc_alert_targets *out)
{
  svc_scan scan;
  svc_entity e;
  svc_below_begin(&scan, r->c->txn, FLEX_KIND, &r->scope.group);
  while (out->count < CONDITIONS_CLUSTERS && svc_below_next(&scan, FLEX_KIND, &e)) {
    svc_model *model;
    svc_alert_target *t;
    out->any = true;
    if (!svc_json_is(e.body, "stateName", "IDLE")) continue;
    t = svc_alert_target_add(r, out);
    if (!t) return false;
    t->met.target = t->met.values[SVC_ALERT_CLUSTER] = svc_arena_copy(r->c->arena, e.unique);
    t->model = model = svc_arena_alloc(r->c->arena, sizeof *model);
    if (!model) return svc_no_memory(r->c);
    if (!svc_model_of(r->c, &e, NULL, model)) return false;
  }
  return svc_txn_good(r->c);
}

/* The running stream processors of a workspace. */
static bool alert_conditions_workspace(svc_alert_round *r, const svc_entity *workspace, svc_alert_targets *out)
{
  svc_arena *a = r->c->arena;
  svc_scan scan;
  svc_entity e;
  svc_below_begin(&scan, r->c->txn, STREAM_PROCESSOR_KIND, &workspace->id);
  while (svc_below_next(&scan, STREAM_PROCESSOR_KIND, &e)) {
    svc_alert_target *t;
    out->any = true;
    if (!svc_json_is(e.body, "state", "STARTED")) continue;
    t = svc_alert_target_add(r, out);
    if (!t) return false;
    t->met.values[SVC_ALERT_INSTANCE] = svc_arena_copy(a, workspace->unique);
    t->met.values[SVC_ALERT_PROCESSOR] = svc_arena_copy(a, e.unique);
    t->met.target = svc_arena_print(a, SVC_FMT "/" SVC_FMT, SVC_ARG(workspace->unique), SVC_ARG(e.unique));
    t->place = svc_id_str(a, &e.id);
    t->started = svc_stream_started(&e);
  }
  return svc_txn_good(r->c);
}

static bool alert_conditions_processors(svc_alert_round *r, svc_alert_targets *out)
{
  svc_scan scan;
  svc_entity e;
  svc_below_begin(&scan, r->c->txn, STREAM_WORKSPACE_KIND, &r->scope.group);
  while (svc_below_next(&scan, STREAM_WORKSPACE_KIND, &e))
    if (!alert_conditions_workspace(r, &e, out)) return false;
  return svc_txn_good(r->c);
}

static bool alert_conditions_project(svc_alert_round *r, svc_alert_targets *out)
{
  svc_alert_target *t = svc_alert_target_add(r, out);
  if (t) t->met.target = SVC_S("project");
  return t != NULL;
}

/* For each kind of target: its function, and its member in an order. */
static const struct {
  bool (*gather)(svc_alert_round *r, svc_alert_targets *out);
  const char *asked_by;
} alert_conditions_of[SVC_ALERT_OF_COUNT] = {
  [SVC_ALERT_PROCESSES] = { alert_conditions_processes, "host" },
  [SVC_ALERT_SETS] = { alert_conditions_sets, "replicaSetName" },
  [SVC_ALERT_BACKUPS] = { alert_conditions_backups, "clusterName" },
  [SVC_ALERT_FLEX] = { alert_conditions_flex, "flexClusterName" },
  [SVC_ALERT_PROCESSORS] = { alert_conditions_processors, "processorName" },
  [SVC_ALERT_PROJECT] = { alert_conditions_project, NULL },
  [SVC_ALERT_ACCOUNTS] = { svc_alert_accounts, NULL },
  [SVC_ALERT_AUTHORITIES] = { svc_alert_authorities, NULL },
  [SVC_ALERT_CERTIFICATES] = { svc_alert_certificates, NULL },
};

SVC_PRIVATE const char *svc_alert_asked_by(int of)
{
  return alert_conditions_of[of].asked_by;
}

SVC_PRIVATE const svc_alert_targets *svc_alert_targets_of(svc_alert_round *r, int of)
{
  svc_alert_targets *out = &r->targets[of];
  if (!out->known && !alert_conditions_of[of].gather(r, out)) return NULL;
  out->known = true;
  return r->c->arena->failed ? (void)svc_no_memory(r->c), NULL : out;
}

/*
** cluster transfer: the data that a cluster sends per destination, in thousandths of a gigabyte per hour. With such rates
** the ledger bills transfer like anything else that runs for a time. A cluster gets the record with its first report;
** only bills show the record.
**
** The rates come from the driver, as "transfer" in the facts of any order for the cluster,
** {"transfer":{"sameRegion":1200,"differentRegion":0,"internet":40}}. The rates hold until the driver reports others. After
** the first report, an order "cluster.measure" with the same facts asks the driver every hour. A paused cluster has no
** record.
**
** In the simulation a cluster without data sends nothing. A cluster into which data was loaded sends what the network of
** its hosts sends in the model (model.h), at an even rate: from midnight, or from the change that caused the order, to
** the next midnight. The three rates together are the total of all hosts. deployment/transfer_parts.c has the functions
** that clusters call.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"
#include "catalog/monitoring/model.h"

static const svc_field cluster_transfer_fields[] = {
  F_STR("clusterName"), F_LONG("day"), F_LONG("differentRegion"), F_LONG("internet"), F_STR("providerName"), F_LONG("sameRegion")
};
static const svc_object cluster_transfer_object = { .name = "ClusterTransfer", .fields = SVC_ROWS(cluster_transfer_fields) };

static const svc_field cluster_transfer_fact_fields[] = { F_OBJ("transfer", &svc_cluster_transfer_facts) };
static const svc_object cluster_transfer_facts_object = { .name = "MeasuredFacts", .fields = SVC_ROWS(cluster_transfer_fact_fields) };
static const svc_order_row cluster_transfer_orders[] = {
  { "cluster.measure",
    "Measure how much data the cluster sends, in thousandths of a gigabyte per hour.", NULL, &cluster_transfer_facts_object, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* --------------------------------------------------------------------------------------------------------------- simulated */

enum { TRANSFER_INTERNET = 10 /* one byte in ten of the data that clients receive */, TRANSFER_CLASSES = 16 };

/* Hosts with the same role, in replica sets of the same size, send the same amount: the amount per host, in thousandths of
** bytes per second. */
typedef struct transfer_class {
  int role;
  bool analytics;
  int64_t members, remote; /* remote: members of its replica set in other regions */
  int64_t all, each;    /* in total; to each other member of its replica set */
} transfer_class;

static int64_t transfer_far(const svc_processes *of, const svc_process *p)
{
  bool elects;
  const svc_node *own = svc_process_region(of, p, &elects);
  int64_t n = 0;
  size_t i;
  for (i = 0; i < of->count; i++) n += svc_str_eq(of->at[i].replica_set, p->replica_set) && svc_process_region(of, &of->at[i], &elects) != own;
  return n;
}

/* The average until the end of the day, sampled in the middle of each hour. */
static void transfer_measure(const svc_model *m, const svc_model_host *h, int64_t now, transfer_class *out)
{
  int64_t left = SVC_DAY_MS - now % SVC_DAY_MS, points = (left + CLUSTER_TRANSFER_HOUR - 1) / CLUSTER_TRANSFER_HOUR, i;
  svc_point point;
  for (i = 0; i < points; i++) {
    svc_model_at(m, h, now + left * (2 * i + 1) / (2 * points), &point);
    out->all += point.q[SVC_Q_NETWORK_OUT];
    if (h->role == SVC_MODEL_PRIMARY) out->each += (point.q[SVC_Q_DOC_INSERTED] + point.q[SVC_Q_DOC_UPDATED]) * SVC_MODEL_ENTRY;
  }
  out->all /= points;
  out->each /= points;
}

static int64_t transfer_rate(int64_t bytes) /* converts thousandths of bytes per second to thousandths of a gigabyte per hour */
{
  return (bytes / 1000 * 3600 + 500000) / 1000000;
}

static bool transfer_same(const transfer_class *a, const transfer_class *b)
{
  return a->role == b->role && a->analytics == b->analytics && a->members == b->members && a->remote == b->remote;
}

static void transfer_sum(svc_call *c, const svc_processes *of, const svc_model *m, svc_node *rates)
{
  transfer_class classes[TRANSFER_CLASSES];
  int64_t all = 0, distant = 0, clients = 0;
  size_t i, k, count = 0;
  for (i = 0; i < of->count; i++) {
    svc_model_host h = svc_model_host_of(m, of, &of->at[i]);
    transfer_class one = { h.role, h.analytics, h.members, h.role == SVC_MODEL_PRIMARY ? transfer_far(of, &of->at[i]) : 0, 0, 0 };
    if (!svc_model_up(m, &h, c->now)) continue;
    for (k = 0; k < count && !transfer_same(&classes[k], &one);) k++;
    if (k == count) transfer_measure(m, &h, c->now, &one);
    if (k == count && count < TRANSFER_CLASSES) classes[count++] = one;
    if (k < count) one = classes[k];
    all += one.all;
    distant += one.each * one.remote;
    clients += one.all - one.each * (one.members - 1);
  }
  clients /= TRANSFER_INTERNET;
  svc_node_set_i64(c->arena, rates, "differentRegion", transfer_rate(distant));
  svc_node_set_i64(c->arena, rates, "internet", transfer_rate(clients));
  svc_node_set_i64(c->arena, rates, "sameRegion", transfer_rate(all - distant - clients));
}

static bool cluster_transfer_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  svc_node *rates;
  svc_processes of;
  svc_entity cluster;
  svc_model model;
  int rc;
  (void)action;
  if (svc_node_i64(change->body, "day", -1) == c->now / SVC_DAY_MS) return true; /* the rate of this day is known */
  rc = svc_entity_get(c->txn, CLUSTER_KIND, &c->scope.group, &change->parent, &cluster);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND || svc_store_failed(c, rc);
  if (!svc_processes_of(c, &cluster, &of) || !svc_model_of(c, &cluster, of.body, &model)) return false;
  rates = svc_node_object(c->arena, "transfer");
  if (!rates) return svc_no_memory(c);
  transfer_sum(c, &of, &model, rates);
  svc_node_put(c->arena, facts, rates);
  return true;
}

/* ------------------------------------------------------------------------------------------------------------------ hooks */

/* Asks the driver again at every full hour. */
static bool cluster_transfer_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag != CLUSTER_TRANSFER_MEASURE) return true;
  svc_change_due(change, CLUSTER_TRANSFER_MEASURE, c->now - c->now % CLUSTER_TRANSFER_HOUR + CLUSTER_TRANSFER_HOUR);
  return svc_order_within(c, change);
}

static bool cluster_transfer_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  const svc_node *rates = svc_node_get(facts, "transfer");
  if (rates) svc_transfer_take(c, change->body, rates);
  if (rates) svc_node_set_i64(c->arena, change->body, "day", c->now / SVC_DAY_MS);
  return true;
}

/* ------------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_cluster_transfer = {
  .name = "cluster transfer",
  .kind = CLUSTER_TRANSFER_KIND,
  .parent = "cluster",
  .object = &cluster_transfer_object,
  .order_put = "cluster.measure",
  .orders = cluster_transfer_orders,
  .fell_due = cluster_transfer_fell_due,
  .simulate = cluster_transfer_simulate,
  .facts = cluster_transfer_facts,
  .ext = SVC_NOUN_EXT(.meters = svc_transfer_meters)
};

/*
** cluster transfer: how much data a cluster sends to whom, in thousandths of a gigabyte an hour: so the ledger knows it as it knows
** whatever runs for a time, and it is billed. There is one of a cluster that sends something. It is seen in bills alone.
**
** It comes from the driver: as "transfer" in the facts of any order for the cluster, {"transfer":{"sameRegion":1200,
** "differentRegion":0,"internet":40}}. It holds until the driver says another one; once it has said one, it is asked each hour, by
** an order "cluster.measure" whose facts are the same. While the cluster is paused there is none.
**
** Simulated: a cluster that has no data sends nothing; one into which sample data was loaded sends a little of it, the same on
** every run. What clusters do with theirs is in transfer_parts.c.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"

static const svc_field cluster_transfer_fields[] = {
  F_STR("clusterName"), F_LONG("differentRegion"), F_LONG("internet"), F_STR("providerName"), F_LONG("sameRegion")
};
static const svc_object cluster_transfer_object = { .name = "ClusterTransfer", .fields = SVC_ROWS(cluster_transfer_fields) };

static const svc_field cluster_transfer_fact_fields[] = { F_OBJ("transfer", &svc_cluster_transfer_facts) };
static const svc_object cluster_transfer_facts_object = { .name = "MeasuredFacts", .fields = SVC_ROWS(cluster_transfer_fact_fields) };
static const svc_order_row cluster_transfer_orders[] = {
  { "cluster.measure", "Say anew how much data the cluster sends, in thousandths of a gigabyte an hour.", NULL, &cluster_transfer_facts_object, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* ------------------------------------------------------------------------------------------------------------------ hooks */

/* Each hour the driver is asked anew. */
static bool cluster_transfer_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag != CLUSTER_TRANSFER_MEASURE) return true;
  svc_change_due(change, CLUSTER_TRANSFER_MEASURE, c->now + CLUSTER_TRANSFER_HOUR);
  return svc_order_within(c, change);
}

static bool cluster_transfer_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  const svc_node *rates = svc_node_get(facts, "transfer");
  if (rates) svc_transfer_take(c, change->body, rates);
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
  .facts = cluster_transfer_facts,
  .rare = SVC_NOUN_RARE(.meters = svc_transfer_meters)
};

/*
** cluster transfer: how much data a cluster sends to whom, in thousandths of a gigabyte an hour: so the ledger knows it as it knows
** whatever runs for a time, and it is billed. There is one of a cluster that sends something. It is seen in bills alone.
**
** It comes from the driver: as "transfer" in the facts of any order for the cluster, {"transfer":{"sameRegion":1200,
** "differentRegion":0,"internet":40}}. It holds until the driver says another one; once it has said one, it is asked each hour, by
** an order "cluster.measure" whose facts are the same. While the cluster is paused there is none.
**
** Simulated: a cluster that has no data sends nothing; one into which sample data was loaded sends a little of it, the same on
** every run.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"

#define CLUSTER_TRANSFER_KIND "ctrf"
#define CLUSTER_TRANSFER_HOUR ((int64_t)3600000)
#define CLUSTER_TRANSFER_MOST ((int64_t)1000000000) /* a thousand terabytes an hour: a driver may say anything */

enum { CLUSTER_TRANSFER_MEASURE = SVC_DUE_OWN };

/* To where, as facts and bodies name it and as SKUs do. */
static const struct {
  const char *field, *sku;
} cluster_transfer_ways[] = { { "differentRegion", "DIFFERENT_REGION" }, { "internet", "INTERNET" }, { "sameRegion", "SAME_REGION" } };
#define CLUSTER_TRANSFER_WAYS (sizeof cluster_transfer_ways / sizeof cluster_transfer_ways[0])

static const svc_field cluster_transfer_fields[] = {
  F_STR("clusterName"), F_LONG("differentRegion"), F_LONG("internet"), F_STR("providerName"), F_LONG("sameRegion"), F_END
};
static const svc_object cluster_transfer_object = { .name = "ClusterTransfer", .fields = cluster_transfer_fields };

static const svc_route cluster_transfer_routes[] = { SVC_ROUTES_END }; /* nobody asks for it */

/* ------------------------------------------------------------------------------------------------------------------ hooks */

static size_t cluster_transfer_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  size_t i, n = 0;
  for (i = 0; i < CLUSTER_TRANSFER_WAYS && n < most; i++) {
    int64_t rate = svc_node_i64(body, cluster_transfer_ways[i].field, 0);
    if (rate <= 0) continue;
    out[n].sku = svc_arena_print(c->arena, "DATA_TRANSFER_" SVC_FMT "_%s", SVC_ARG(svc_node_str(body, "providerName")), cluster_transfer_ways[i].sku);
    out[n++].quantity = rate;
  }
  return n;
}

static void cluster_transfer_take(svc_call *c, svc_node *body, const svc_node *rates)
{
  size_t i;
  for (i = 0; i < CLUSTER_TRANSFER_WAYS; i++) {
    int64_t rate = svc_node_i64(rates, cluster_transfer_ways[i].field, 0);
    svc_node_set_i64(c->arena, body, cluster_transfer_ways[i].field, rate < 0 ? 0 : rate > CLUSTER_TRANSFER_MOST ? CLUSTER_TRANSFER_MOST : rate);
  }
}

/* Each hour the driver is asked anew. */
static bool cluster_transfer_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag != CLUSTER_TRANSFER_MEASURE) return true;
  svc_change_due(change, CLUSTER_TRANSFER_MEASURE, c->now + CLUSTER_TRANSFER_HOUR);
  return svc_order_put(c, change->noun, &change->entity);
}

static bool cluster_transfer_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  const svc_node *rates = svc_node_get(facts, "transfer");
  if (rates && rates->type == SVC_J_OBJECT) cluster_transfer_take(c, change->body, rates);
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- what clusters call */

/* That of the cluster; false: it has none, or the store failed. */
static bool cluster_transfer_of(svc_call *c, const svc_entity *cluster, svc_entity *out)
{
  svc_scan scan;
  svc_below_begin(&scan, c->txn, CLUSTER_TRANSFER_KIND, &cluster->id);
  return svc_below_next(&scan, CLUSTER_TRANSFER_KIND, out);
}

/* The provider of the first region that is one: of a shared tier it is the one behind it. */
static svc_str cluster_transfer_provider(const svc_node *cluster)
{
  const svc_node *specs = svc_node_get(cluster, "replicationSpecs"), *regions = specs && specs->first ? svc_node_get(specs->first, "regionConfigs") : NULL;
  svc_str backing = regions && regions->first ? svc_node_str(regions->first, "backingProviderName") : SVC_S("");
  return backing.n || !regions || !regions->first ? backing : svc_node_str(regions->first, "providerName");
}

SVC_PRIVATE bool svc_transfer_stop(svc_call *c, const svc_entity *cluster)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, CLUSTER_TRANSFER_KIND);
  svc_entity e;
  if (!noun || !cluster_transfer_of(c, cluster, &e)) return svc_txn_good(c);
  return svc_erase(c, noun, &e);
}

SVC_PRIVATE bool svc_transfer_put(svc_call *c, const svc_entity *cluster, const svc_node *body, const svc_node *rates)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, CLUSTER_TRANSFER_KIND);
  svc_change change;
  svc_entity e;
  bool there;
  if (!noun || !rates || rates->type != SVC_J_OBJECT) return true;
  if (svc_node_bool(body, "paused", false)) return svc_transfer_stop(c, cluster);
  there = cluster_transfer_of(c, cluster, &e);
  if (!svc_txn_good(c) || (there ? !svc_change_of(c, noun, &e, &change) : !svc_change_new(c, noun, NULL, &change))) return false;
  change.parent = cluster->id;
  svc_node_set_str(c->arena, change.body, "clusterName", svc_node_str(body, "name"));
  svc_node_set_str(c->arena, change.body, "providerName", cluster_transfer_provider(body));
  cluster_transfer_take(c, change.body, rates);
  if (!there && c->s->config.driver) svc_change_due(&change, CLUSTER_TRANSFER_MEASURE, c->now + CLUSTER_TRANSFER_HOUR);
  return there ? svc_change_keep(c, &change, &e) : svc_insert(c, &change, &e);
}

SVC_PRIVATE bool svc_transfer_simulate(svc_call *c, const svc_entity *cluster, const svc_node *body, int64_t size)
{
  svc_str id = svc_id_str(c->arena, &cluster->id);
  svc_node *rates;
  size_t i;
  if (c->s->config.driver || size <= 0) return true;
  rates = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  if (!rates || !id.n) return svc_no_memory(c);
  for (i = 0; i < CLUSTER_TRANSFER_WAYS; i++)
    svc_node_set_i64(c->arena, rates, cluster_transfer_ways[i].field, 1 + svc_simulated(id.p, cluster_transfer_ways[i].sku, 0) / 10);
  return svc_transfer_put(c, cluster, body, rates);
}

/* ------------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_cluster_transfer = {
  .name = "cluster transfer",
  .kind = CLUSTER_TRANSFER_KIND,
  .parent = "cluster",
  .object = &cluster_transfer_object,
  .order_put = "cluster.measure",
  .routes = cluster_transfer_routes,
  .fell_due = cluster_transfer_fell_due,
  .facts = cluster_transfer_facts,
  .meters = cluster_transfer_meters,
};

/*
** Data transfer of clusters: functions that clusters call, and two that the noun itself calls. That noun is
** monitoring/cluster_transfer.c, which defines the figures. A build may leave the noun out.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"

#define TRANSFER_PARTS_MOST ((int64_t)1000000000) /* limit of 1000 TB per hour: a driver can report any number */

/* The destinations, with their names in facts and bodies and in SKUs. */
static const struct {
  const char *field, *sku;
} transfer_parts_ways[] = { { "differentRegion", "DIFFERENT_REGION" }, { "internet", "INTERNET" }, { "sameRegion", "SAME_REGION" } };
#define TRANSFER_PARTS_WAYS (sizeof transfer_parts_ways / sizeof transfer_parts_ways[0])

SVC_PRIVATE size_t svc_transfer_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  svc_str provider = svc_node_str(body, "providerName");
  size_t i, n = 0;
  for (i = 0; i < TRANSFER_PARTS_WAYS && SVC_ALWAYS(n < most); i++) {
    int64_t rate = svc_node_i64(body, transfer_parts_ways[i].field, 0);
    if (rate <= 0) continue;
    out[n].sku = svc_arena_print(c->arena, "DATA_TRANSFER_" SVC_FMT "_%s", SVC_ARG(provider), transfer_parts_ways[i].sku);
    out[n++].quantity = rate;
  }
  return n;
}

SVC_PRIVATE void svc_transfer_take(svc_call *c, svc_node *body, const svc_node *rates)
{
  size_t i;
  for (i = 0; i < TRANSFER_PARTS_WAYS; i++) {
    int64_t rate = svc_node_i64(rates, transfer_parts_ways[i].field, 0);
    svc_node_set_i64(c->arena, body, transfer_parts_ways[i].field, rate < 0 ? 0 : rate > TRANSFER_PARTS_MOST ? TRANSFER_PARTS_MOST : rate);
  }
}

/* ---------------------------------------------------------------------------------------------------------- what clusters call */

/* The provider of the cluster's first region; on a shared tier the backing provider. */
static svc_str transfer_parts_provider(const svc_node *cluster)
{
  const svc_node *specs = svc_node_get(cluster, "replicationSpecs"), *regions = svc_node_get(svc_node_first(specs), "regionConfigs");
  svc_str backing = svc_node_str(svc_node_first(regions), "backingProviderName");
  return backing.n ? backing : svc_node_str(svc_node_first(regions), "providerName");
}

SVC_PRIVATE bool svc_transfer_stop(svc_call *c, const svc_entity *cluster)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, CLUSTER_TRANSFER_KIND);
  svc_entity e;
  if (!noun || !svc_below_first(c->txn, CLUSTER_TRANSFER_KIND, &cluster->id, &e)) return svc_txn_good(c);
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
  there = svc_below_first(c->txn, CLUSTER_TRANSFER_KIND, &cluster->id, &e);
  if (!svc_txn_good(c) || (there ? !svc_change_of(c, noun, &e, &change) : !svc_change_new(c, noun, NULL, &change))) return false;
  change.parent = cluster->id;
  svc_node_set_from(c->arena, change.body, "clusterName", body, "name");
  svc_node_set_str(c->arena, change.body, "providerName", transfer_parts_provider(body));
  svc_node_drop(change.body, "day");
  if (rates->first) svc_transfer_take(c, change.body, rates);
  if (!there || !rates->first) svc_change_due(&change, CLUSTER_TRANSFER_MEASURE, c->now + (rates->first ? CLUSTER_TRANSFER_HOUR : 0));
  return there ? svc_change_keep(c, &change, &e) : svc_insert(c, &change, &e);
}

/* If the cluster has data, adds an empty object to the facts: the cluster sends data, and the rates are to be measured at once. */
SVC_PRIVATE bool svc_transfer_simulate(svc_call *c, int64_t size, svc_node *facts)
{
  svc_node *rates = svc_node_object(c->arena, "transfer");
  if (!rates) return svc_no_memory(c);
  if (size > 0) svc_node_put(c->arena, facts, rates);
  return true;
}

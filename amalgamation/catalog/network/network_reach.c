/*
** From a project's network to the connection strings of its clusters.
**
** The strings are stored with the cluster, so reads compute nothing. Each change of the network rewrites them in its own
** transaction: a peering connection becomes available or ends, a private endpoint changes, a project's switch changes.
** Clusters have no event for it. An update is one pass over the clusters of the project, whose number is limited.
**
** The rule: the strings follow only from what is stored, so the order of the changes does not matter. An entity about to be
** stored counts with its new status (svc_network_now).
*/
#include "catalog/network/network_parts.h"

static bool network_reach_available(svc_call *c, const svc_network_now *now, const svc_entity *e)
{
  svc_str status = now && svc_id_eq(&now->id, &e->id) ? now->status : svc_network_text(c, e, "status");
  return svc_str_is(status, "AVAILABLE");
}

SVC_PRIVATE bool svc_network_switched(svc_call *c, const char *noun)
{
  static const svc_id none;
  const svc_noun_info *info = svc_noun_named(c->s, noun);
  svc_entity e;
  if (!info || svc_entity_get(c->txn, info->noun->kind, &c->scope.group, &none, &e) != SVC_OK) return false;
  return svc_json_is(e.body, "enabled", "true");
}

/* --------------------------------------------------------------------------------------------------------------- peering */

static bool network_reach_peer(svc_call *c, const svc_entity *peer, const svc_place_of *places, size_t count)
{
  svc_entity container;
  svc_id id;
  size_t i;
  if (!svc_id_parse(svc_network_text(c, peer, "containerId"), &id)) return false;
  if (svc_entity_get(c->txn, CONTAINER_KIND, &c->scope.group, &id, &container) != SVC_OK) return false;
  for (i = 0; i < count; i++)
    if (svc_network_covers(c, &container, &places[i])) return true;
  return false;
}

static bool network_reach_peered(svc_call *c, const svc_network_now *now, const svc_place_of *places, size_t count)
{
  svc_scan scan;
  svc_entity e;
  if (!svc_noun_by_kind(c->s, PEER_KIND)) return false;
  svc_below_begin(&scan, c->txn, PEER_KIND, &c->scope.group);
  while (svc_below_next(&scan, PEER_KIND, &e))
    if (network_reach_available(c, now, &e) && network_reach_peer(c, &e, places, count)) return true;
  return false;
}

/* ------------------------------------------------------------------------------------------------------------- endpoints */

/* Adds the available endpoints of one service. */
static bool network_reach_endpoints_of(svc_call *c, const svc_network_now *now, const svc_entity *service, unsigned slot,
                                       svc_cluster_endpoint *out, size_t *count, size_t most)
{
  svc_str provider = svc_network_text(c, service, "cloudProvider");
  svc_scan scan;
  svc_entity e;
  svc_below_begin(&scan, c->txn, PRIVATE_ENDPOINT_KIND, &service->id);
  while (*count < most && svc_below_next(&scan, PRIVATE_ENDPOINT_KIND, &e)) {
    if (!network_reach_available(c, now, &e)) continue;
    out[*count].number = (int64_t)slot * 3 + svc_cloud_number(provider);
    out[*count].provider = provider;
    out[*count].region = svc_network_text(c, service, "regionName");
    out[(*count)++].id = e.unique;
  }
  return svc_txn_good(c);
}

static bool network_reach_endpoints(svc_call *c, const svc_network_now *now, unsigned slot, const svc_place_of *places, size_t count,
                                    svc_cluster_reach *r)
{
  size_t most = svc_count_room(c->txn, PRIVATE_ENDPOINT_KIND, &c->scope.group, sizeof(svc_cluster_endpoint)), i;
  svc_cluster_endpoint *out = most ? svc_arena_zero(c->arena, most * sizeof *out) : NULL;
  svc_scan scan;
  svc_entity e;
  if (most == 0 || !svc_noun_by_kind(c->s, ENDPOINT_SERVICE_KIND)) return svc_txn_good(c);
  if (!out) return svc_no_memory(c);
  svc_below_begin(&scan, c->txn, ENDPOINT_SERVICE_KIND, &c->scope.group);
  while (svc_below_next(&scan, ENDPOINT_SERVICE_KIND, &e)) {
    svc_place_of at = { svc_network_text(c, &e, "cloudProvider"), svc_network_text(c, &e, "regionName") };
    for (i = 0; i < count; i++)
      if (svc_str_eq(at.provider, places[i].provider) && svc_str_eq(at.region, places[i].region)) break;
    if (i == count || !network_reach_available(c, now, &e)) continue;
    if (!network_reach_endpoints_of(c, now, &e, slot, out, &r->endpoint_count, most)) return false;
  }
  r->endpoints = out;
  return svc_txn_good(c);
}

/* ------------------------------------------------------------------------------------------------------------- all of it */

static bool network_reach_of(svc_call *c, const svc_network_now *now, unsigned slot, svc_cluster_reach *r)
{
  size_t count = 0;
  svc_place_of *places = svc_network_places(c, r->body, &count);
  if (!places) return svc_no_memory(c);
  if (count == 0) return true; /* on a shared tier */
  r->peered = network_reach_peered(c, now, places, count);
  r->custom_dns = svc_network_switched(c, "custom DNS");
  r->private_only = svc_network_switched(c, "private IP mode");
  r->regionalized = svc_network_switched(c, "regional mode");
  return network_reach_endpoints(c, now, slot, places, count, r);
}

/* ------------------------------------------------------------------------------------------------- connection strings */

/* Returns the object connectionStrings of the body; creates it if missing. */
static svc_node *network_reach_object(svc_call *c, svc_node *body)
{
  svc_node *strings = svc_node_get(body, "connectionStrings");
  if (strings) return strings;
  strings = svc_node_object(c->arena, "connectionStrings");
  if (strings) svc_node_put(c->arena, body, strings);
  return strings;
}

static bool network_reach_set(svc_call *c, svc_node *body, const svc_cluster_kept *kept, const svc_network_now *now)
{
  svc_cluster_reach reach = svc_cluster_reach_of(c, body, kept);
  svc_node *strings;
  if (!network_reach_of(c, now, kept->slot, &reach)) return false;
  if (!svc_cluster_connected(body)) return true; /* the cluster has no hosts yet */
  strings = network_reach_object(c, body);
  if (!strings) return svc_no_memory(c);
  svc_cluster_network_strings(c->arena, &reach, strings);
  return c->arena->failed ? svc_no_memory(c) : true;
}

/* A replica set shows an empty object until its hosts have names. A sharded cluster shows at once that no endpoint leads to its routers. */
SVC_PRIVATE bool svc_network_begin(svc_call *c, svc_node *body, const svc_cluster_kept *kept)
{
  svc_cluster_reach reach = svc_cluster_reach_of(c, body, kept);
  svc_node *strings = network_reach_object(c, body);
  if (!strings) return svc_no_memory(c);
  if (!svc_cluster_is(body, "clusterType", "REPLICASET")) svc_cluster_network_strings(c->arena, &reach, strings);
  return c->arena->failed ? svc_no_memory(c) : true;
}

SVC_PRIVATE bool svc_network_facts(svc_call *c, svc_change *change, const svc_cluster_kept *kept, const svc_node *facts)
{
  svc_node *strings = network_reach_object(c, change->body);
  if (!strings) return svc_no_memory(c);
  svc_cluster_driven_strings(c->arena, c->s->config.db_scheme, facts, strings);
  if (c->arena->failed) return svc_no_memory(c);
  if (!svc_node_get(change->body, "replicationSpecs")) return true; /* a flex cluster is reached by its public connection strings only */
  return network_reach_set(c, change->body, kept, NULL);
}

/* Rewrites the connection strings of a stored cluster if they differ now. */
static bool network_reach_again(svc_call *c, const svc_entity *stored, const svc_network_now *now)
{
  svc_cluster_kept kept = svc_cluster_kept_of(stored);
  const svc_node *before = svc_entity_body(c, stored);
  svc_node *body = before ? svc_node_copy(c->arena, before) : NULL;
  if (!body) return svc_failed(c);
  /* the strings are written when the cluster becomes idle */
  if (svc_cluster_is(before, "stateName", "CREATING") || svc_cluster_is(before, "stateName", "UPDATING")) return true;
  if (!network_reach_set(c, body, &kept, now)) return false;
  return svc_node_same(svc_node_get(before, "connectionStrings"), svc_node_get(body, "connectionStrings")) ||
         svc_rewrite(c, stored, body);
}

SVC_PRIVATE bool svc_network_changed(svc_call *c, const svc_network_now *now)
{
  svc_scan scan;
  svc_entity e;
  if (!svc_noun_by_kind(c->s, CLUSTER_KIND)) return true;
  svc_below_begin(&scan, c->txn, CLUSTER_KIND, &c->scope.group);
  while (svc_below_next(&scan, CLUSTER_KIND, &e))
    if (!network_reach_again(c, &e, now)) return false;
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_network_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  (void)change, (void)e;
  return svc_network_changed(c, NULL);
}

SVC_PRIVATE bool svc_network_moves(svc_call *c, const svc_change *change)
{
  svc_network_now now = { change->id, svc_node_str(change->body, "status") };
  return svc_network_changed(c, &now);
}

/* As soon as the deletion begins, connection strings no longer lead through it. */
SVC_PRIVATE bool svc_network_delete(svc_call *c)
{
  return svc_verb_delete(c) && svc_network_changed(c, NULL);
}

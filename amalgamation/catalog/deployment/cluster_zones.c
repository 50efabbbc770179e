/*
** Zones of clusters: several replication specs of one zone are its shards, and have the same zone name and zone id. A
** zone keeps its id while at least one of its shards exists. A zone to which locations are mapped cannot be removed
** (global_writes.c).
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"

SVC_PRIVATE const svc_node *svc_cluster_spec_with(const svc_node *specs, const svc_node *end, const char *field, svc_str value)
{
  const svc_node *spec = svc_node_first(specs);
  for (; spec && spec != end; spec = spec->next)
    if (svc_node_eq(spec, field, value)) return spec;
  return NULL;
}

/* Sets the name and id of the zone of a spec. An existing zone keeps both. */
SVC_PRIVATE bool svc_cluster_zone_of(svc_call *c, const svc_node *specs, const svc_node *old_specs, svc_node *spec)
{
  svc_str zone = svc_node_str(spec, "zoneName");
  const svc_node *other, *same = svc_cluster_spec_with(old_specs, NULL, "id", svc_node_str(spec, "id"));
  svc_id fresh;
  if (!zone.n && same) zone = svc_node_str(same, "zoneName");
  if (!zone.n) zone = SVC_S(CLUSTER_ZONE);
  zone = svc_arena_copy(c->arena, zone);
  for (other = specs->first; other != spec; other = other->next) {
    svc_str name = svc_node_str(other, "zoneName");
    if (!svc_str_eq(name, zone) && svc_str_is_nocase(name, zone.p))
      return svc_fail(c, SVC_E_DUPLICATE_ZONE_NAME, "S", &zone);
  }
  same = svc_cluster_spec_with(specs, spec, "zoneName", zone);
  if (!same) same = svc_cluster_spec_with(old_specs, NULL, "zoneName", zone);
  if (!same) fresh = svc_new_id(c->txn);
  svc_node_set_str(c->arena, spec, "zoneName", zone);
  svc_node_set_str(c->arena, spec, "zoneId", same ? svc_node_str(same, "zoneId") : svc_id_str(c->arena, &fresh));
  return true;
}

/* Whether the cluster maps locations to this zone. A build may leave out the noun of the mapping. */
static bool cluster_zones_mapped(svc_call *c, const svc_entity *cluster, svc_str zone)
{
  static const svc_id none;
  const svc_noun_info *noun = svc_noun_named(c->s, CLUSTER_GLOBAL_WRITES);
  const svc_node *location;
  svc_entity e;
  if (!noun || svc_entity_get(c->txn, noun->noun->kind, &cluster->id, &none, &e) != SVC_OK) return false;
  location = svc_node_get(svc_entity_body(c, &e), "customZoneMapping");
  for (location = svc_node_first(location); location; location = location->next)
    if (svc_str_eq(location->text, zone)) return true;
  return false;
}

/* A change may leave zones out, except zones to which locations are mapped. */
SVC_PRIVATE bool svc_cluster_zones_kept(svc_call *c, const svc_change *change, const svc_node *specs)
{
  const svc_node *old = svc_node_get(change->before, "replicationSpecs"), *spec;
  for (spec = svc_node_first(old); spec; spec = spec->next) {
    svc_str zone = svc_node_str(spec, "zoneId"), name = svc_node_str(spec, "zoneName");
    if (svc_cluster_spec_with(specs, NULL, "zoneId", zone) || !cluster_zones_mapped(c, &change->entity, zone)) continue;
    svc_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, SVC_S("replicationSpecs"),
                "must keep the zone " SVC_FMT ", to which locations are mapped", SVC_ARG(name));
    break;
  }
  return svc_check_done(c);
}

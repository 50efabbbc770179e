/*
** Places of a project, the containers there, and what uses them.
**
** A container is the service's network for a project in a region, at one provider (GCP) for all regions. A cluster or a
** private endpoint service needs one, and creates it if it is missing. While a container is in use it is provisioned: its
** block cannot change, and it cannot be deleted.
**
** The rule: a refusal names the user of the container. The search looks at everything that could use it, which is bounded: the
** clusters, peering connections and private endpoint services of one project.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_base.h"
#include "catalog/network/network_parts.h"

SVC_PRIVATE svc_str svc_network_text(svc_call *c, const svc_entity *e, const char *field)
{
  return svc_entity_text(c, svc_noun_by_kind(c->s, e->kind)->noun, e, field);
}

/* ---------------------------------------------------------------------------------------------------------------- places */

static bool network_use_same(const svc_place_of *a, const svc_place_of *b)
{
  return svc_str_eq(a->provider, b->provider) && svc_str_eq(a->region, b->region);
}

static bool network_use_has(const svc_place_of *places, size_t count, const svc_place_of *place)
{
  size_t i = 0;
  while (i < count && !network_use_same(&places[i], place)) i++;
  return i < count;
}

static svc_place_of network_use_region(const svc_node *region)
{
  return (svc_place_of){ svc_node_str(region, "providerName"), svc_node_str(region, "regionName") };
}

SVC_PRIVATE svc_place_of *svc_network_places(svc_call *c, const svc_node *cluster, size_t *count)
{
  const svc_node *specs = svc_node_get(cluster, "replicationSpecs"), *spec, *region;
  svc_place_of *places;
  size_t most = 0;
  *count = 0;
  for (spec = svc_node_first(specs); spec; spec = spec->next) most += svc_node_count(svc_node_get(spec, "regionConfigs"));
  places = svc_arena_zero(c->arena, (most + 1) * sizeof *places);
  if (!places || svc_cluster_is_tenant(cluster)) return places;
  for (spec = svc_node_first(specs); spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next) {
      places[*count] = network_use_region(region);
      if (!network_use_has(places, *count, &places[*count])) ++*count;
    }
  return places;
}

static bool network_use_spelled(svc_str text, const char *name)
{
  size_t i;
  if (text.n != strlen(name)) return false;
  for (i = 0; i < text.n; i++) {
    char one = text.p[i];
    if (one == '-') one = '_';
    if (one >= 'a' && one <= 'z') one = (char)(one - 'a' + 'A');
    if (one != name[i]) return false;
  }
  return true;
}

SVC_PRIVATE const char *svc_network_region(svc_str provider, svc_str region)
{
  static const char *const *const regions[] = { svc_values_aws_regions, svc_values_azure_regions, svc_values_gcp_regions };
  const char *const *name = regions[svc_cloud_number(provider)];
  while (*name && !network_use_spelled(region, *name)) name++;
  return *name;
}

/* ------------------------------------------------------------------------------------------------------------ containers */

/* A GCP container is for all regions, or for the listed ones. */
SVC_PRIVATE bool svc_network_covers(svc_call *c, const svc_entity *container, const svc_place_of *place)
{
  svc_str provider = svc_network_text(c, container, "providerName"), regions;
  if (!svc_str_eq(provider, place->provider)) return false;
  if (svc_str_is(provider, "AWS")) return svc_str_eq(svc_network_text(c, container, "regionName"), place->region);
  if (svc_str_is(provider, "AZURE")) return svc_str_eq(svc_network_text(c, container, "region"), place->region);
  regions = svc_json_member(container->body, SVC_S("regions"));
  return regions.n <= 2 || strstr(svc_arena_copy(c->arena, regions).p,
                                  svc_arena_print(c->arena, "\"" SVC_FMT "\"", SVC_ARG(place->region)).p);
}

/* Finds the container at a place. Returns SVC_NOT_FOUND if it does not exist. */
static int network_use_find(svc_call *c, const svc_place_of *place, svc_entity *out)
{
  bool anywhere = svc_str_is(place->provider, "GCP");
  svc_scan scan;
  svc_below_begin(&scan, c->txn, CONTAINER_KIND, &c->scope.group);
  while (svc_below_next(&scan, CONTAINER_KIND, out))
    if (anywhere ? svc_str_is(svc_network_text(c, out, "providerName"), "GCP") : svc_network_covers(c, out, place)) return SVC_OK;
  return c->txn->error ? c->txn->error : SVC_NOT_FOUND;
}

static svc_str network_use_by_cluster(svc_call *c, const svc_entity *container)
{
  svc_scan scan;
  svc_entity e;
  svc_below_begin(&scan, c->txn, CLUSTER_KIND, &c->scope.group);
  while (svc_below_next(&scan, CLUSTER_KIND, &e)) {
    const svc_node *body = svc_entity_body(c, &e);
    svc_place_of *places;
    size_t count = 0, i;
    places = body ? svc_network_places(c, body, &count) : NULL;
    for (i = 0; places && i < count; i++)
      if (svc_network_covers(c, container, &places[i])) return svc_arena_print(c->arena, "cluster " SVC_FMT, SVC_ARG(e.unique));
  }
  return SVC_S("");
}

static svc_str network_use_by_peer(svc_call *c, const svc_entity *container)
{
  svc_entity e;
  if (!svc_below_where(c->txn, PEER_KIND, &c->scope.group, "containerId", container->key, &e)) return SVC_S("");
  return svc_arena_print(c->arena, "peering connection " SVC_FMT, SVC_ARG(e.key));
}

static svc_str network_use_by_service(svc_call *c, const svc_entity *container)
{
  svc_scan scan;
  svc_entity e;
  svc_below_begin(&scan, c->txn, ENDPOINT_SERVICE_KIND, &c->scope.group);
  while (svc_below_next(&scan, ENDPOINT_SERVICE_KIND, &e)) {
    svc_place_of place = { svc_network_text(c, &e, "cloudProvider"), svc_network_text(c, &e, "regionName") };
    if (svc_network_covers(c, container, &place))
      return svc_arena_print(c->arena, "private endpoint service " SVC_FMT, SVC_ARG(e.key));
  }
  return SVC_S("");
}

SVC_PRIVATE svc_str svc_network_user(svc_call *c, const svc_entity *container)
{
  svc_str user = network_use_by_peer(c, container);
  if (user.n == 0) user = network_use_by_service(c, container);
  return user.n ? user : network_use_by_cluster(c, container);
}

SVC_PRIVATE bool svc_network_unused(svc_call *c, const svc_entity *container)
{
  svc_str user = svc_network_user(c, container), id = container->key;
  if (user.n == 0) return c->arena->failed ? svc_no_memory(c) : svc_txn_good(c) && !c->error.code;
  return svc_fail_as(c, svc_arena_print(c->arena, "The network container " SVC_FMT " is in use by " SVC_FMT ".", SVC_ARG(id),
                                        SVC_ARG(user)), SVC_E_CONTAINERS_IN_USE, "S", &id);
}

/* ---------------------------------------------------------------------------------------------------------- provisioning */

/* Simulated names of the network at its provider, while it is provisioned. */
static const struct network_use_name {
  const char *provider, *field, *format;
  const char *tail; /* separates eight further digits; NULL: none */
} network_use_names[] = {
  { "AWS", "vpcId", "vpc-%.17s", NULL },         { "AZURE", "azureSubscriptionId", "%.24s", NULL },
  { "AZURE", "vnetName", "vnet_%.24s", "_" },    { "GCP", "gcpProjectId", "p-%.24s", NULL },
  { "GCP", "networkName", "nt-%.24s", "-" },
};

SVC_PRIVATE bool svc_network_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  size_t i;
  char hex[25] = { 0 };
  (void)action;
  svc_id_hex(&change->id, hex);
  for (i = 0; i < sizeof network_use_names / sizeof network_use_names[0] && svc_node_bool(change->body, "provisioned", false); i++) {
    const struct network_use_name *row = &network_use_names[i];
    const char *digits = row->provider[1] == 'W' ? hex + 7 : hex; /* the last 17 digits: the first ones are the time */
    svc_str name;
    if (!svc_node_is(change->body, "providerName", row->provider)) continue;
    name = svc_arena_print(c->arena, row->format, digits);
    if (row->tail) name = svc_arena_print(c->arena, SVC_FMT "%s%.8s", SVC_ARG(name), row->tail, hex + 16);
    svc_node_set_str(c->arena, facts, row->field, name);
  }
  return true;
}

SVC_PRIVATE bool svc_network_provision(svc_call *c, const svc_entity *container, bool provisioned)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, CONTAINER_KIND);
  bool was = svc_json_is(container->body, "provisioned", "true");
  svc_change change;
  size_t i;
  if (was == provisioned) return true;
  if (!svc_change_of(c, noun, container, &change)) return false;
  change.id = container->id;
  svc_node_set_bool(c->arena, change.body, "provisioned", provisioned);
  for (i = 0; i < sizeof network_use_names / sizeof network_use_names[0]; i++) svc_node_drop(change.body, network_use_names[i].field);
  return svc_report_simulated(c, &change) && svc_rewrite(c, container, change.body);
}

/* Creates a container, without an event: the event of the resource that needs it covers this. */
static bool network_use_make(svc_call *c, const svc_place_of *place, svc_entity *out)
{
  svc_change change;
  memset(&change, 0, sizeof change);
  change.noun = svc_noun_by_kind(c->s, CONTAINER_KIND);
  change.parent = c->scope.group;
  change.body = svc_node_object(c->arena, NULL);
  if (!change.body) return svc_no_memory(c);
  svc_node_set_str(c->arena, change.body, "providerName", place->provider);
  if (svc_str_is(place->provider, "AWS")) svc_node_set_str(c->arena, change.body, "regionName", place->region);
  if (svc_str_is(place->provider, "AZURE")) svc_node_set_str(c->arena, change.body, "region", place->region);
  svc_node_set_bool(c->arena, change.body, "provisioned", false);
  return svc_insert(c, &change, out);
}

SVC_PRIVATE bool svc_network_hold(svc_call *c, const svc_place_of *place)
{
  svc_entity container;
  int rc = svc_noun_by_kind(c->s, CONTAINER_KIND) ? network_use_find(c, place, &container) : SVC_OK;
  if (!svc_noun_by_kind(c->s, CONTAINER_KIND)) return true; /* a build without containers */
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  if (rc == SVC_NOT_FOUND && !network_use_make(c, place, &container)) return false;
  return svc_network_provision(c, &container, true);
}

SVC_PRIVATE bool svc_network_release(svc_call *c, const svc_place_of *place)
{
  svc_entity container;
  int rc = svc_noun_by_kind(c->s, CONTAINER_KIND) ? network_use_find(c, place, &container) : SVC_NOT_FOUND;
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  if (svc_network_user(c, &container).n) return true;
  return svc_txn_good(c) && svc_network_provision(c, &container, false);
}

/* -------------------------------------------------------------------------------------------------------------- clusters */

static bool network_use_at_gcp(const svc_node *specs)
{
  const svc_node *spec, *region;
  for (spec = svc_node_first(specs); spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next)
      if (svc_cluster_is(region, "providerName", "GCP")) return true;
  return false;
}

/* Refuses clusters in regions that the project's GCP container excludes. */
SVC_PRIVATE bool svc_network_allows(svc_call *c, const svc_change *change)
{
  const svc_node *specs = svc_node_get(change->body, "replicationSpecs"), *spec, *region;
  size_t i = 0, k;
  svc_entity container;
  svc_place_of place = { SVC_S("GCP"), SVC_S("") };
  bool known = svc_noun_by_kind(c->s, CONTAINER_KIND) && network_use_at_gcp(specs);
  int rc = known ? network_use_find(c, &place, &container) : SVC_NOT_FOUND;
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
  for (spec = svc_node_first(specs); spec; spec = spec->next, i++)
    for (k = 0, region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next, k++) {
      place = network_use_region(region);
      if (!svc_str_is(place.provider, "GCP") || svc_network_covers(c, &container, &place)) continue;
      svc_violate(c, SVC_E_INVALID_REGION,
                  svc_arena_print(c->arena, "replicationSpecs[%zu].regionConfigs[%zu].regionName", i, k),
                  "is not a region of network container " SVC_FMT, SVC_ARG(container.key));
    }
  return svc_check_done(c);
}

SVC_PRIVATE bool svc_network_follows(svc_call *c, const svc_change *change)
{
  size_t count, old_count = 0, i;
  svc_place_of *places = svc_network_places(c, change->body, &count), *old = places;
  if (places && change->before) old = svc_network_places(c, change->before, &old_count);
  if (!places || !old) return svc_no_memory(c);
  for (i = 0; i < count; i++)
    if (!network_use_has(old, old_count, &places[i]) && !svc_network_hold(c, &places[i])) return false;
  for (i = 0; i < old_count; i++)
    if (!network_use_has(places, count, &old[i]) && !svc_network_release(c, &old[i])) return false;
  return true;
}

SVC_PRIVATE bool svc_network_left(svc_call *c, const svc_entity *cluster)
{
  const svc_node *body = svc_entity_body(c, cluster);
  svc_place_of *places;
  size_t count = 0, i;
  if (!body) return false;
  places = svc_network_places(c, body, &count);
  if (!places) return svc_no_memory(c);
  for (i = 0; i < count; i++)
    if (!svc_network_release(c, &places[i])) return false;
  return true;
}

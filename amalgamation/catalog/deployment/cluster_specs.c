/*
** Replication specs of clusters: fills in fields that were left out, and checks the rules that involve several fields.
**
** A spec is a shard. It has 3, 5 or 7 electable nodes, in regions with the priorities 7, 6, 5, ...; a region without
** electable nodes has priority 0. A spec contains no region twice. Bounds of automatic scaling enclose the current size.
** The instance size limits the size of a disk, and a disk never shrinks. A disk size that a change leaves out stays.
**
** The rule: each violation names its field, and the error reports all violations of a body together.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/deployment/cluster_parts.h"

enum {
  CLUSTER_SPECS_FIRST = 7,     /* priority of the preferred region */
  CLUSTER_SPECS_SHARDS = 50,
  CLUSTER_SPECS_DISK_LEAST = 10,
  CLUSTER_SPECS_DISK_AZURE = 8, /* the same minimum if the cluster has a region of AZURE */
  CLUSTER_SPECS_EXTENDED = 30 /* from M30 on, the limit of disks doubles if the project has extended storage sizes enabled */
};

/* ----------------------------------------------------------------------------------------------------------- sizes */

/* Maximum disk in GB, by the number in the instance size: sizes up to this number. The last row is for all greater sizes. */
static const struct cluster_specs_disks {
  int number, most;
} cluster_specs_disks[] = { { 10, 128 }, { 20, 256 }, { 30, 512 }, { 40, 1024 }, { 0, 4096 } };

/* Sizes of shared tiers, each with the disk that belongs to it. */
static const struct cluster_specs_share {
  const char *size, *disk;
} cluster_specs_shares[] = { { "M0", "0.5" }, { "M2", "2" }, { "M5", "5" }, { NULL, NULL } };

static bool cluster_specs_same_class(svc_str a, svc_str b)
{
  return a.p[0] == b.p[0]; /* neither is empty */
}

SVC_PRIVATE const char *const *svc_cluster_sizes_of(const svc_node *region)
{
  if (svc_cluster_is(region, "providerName", "AWS")) return svc_values_aws_sizes;
  if (svc_cluster_is(region, "providerName", "AZURE")) return svc_values_azure_sizes;
  return svc_values_gcp_sizes;
}

/* ------------------------------------------------------------------------------------------------------ violations */

/* The position in the body, for the paths of violations. azure: the cluster has a region of AZURE. */
typedef struct cluster_specs_place {
  size_t spec, region;
  bool azure;
} cluster_specs_place;

static void cluster_specs_violate(svc_call *c, int code, const cluster_specs_place *at, svc_str field, const char *why)
{
  svc_violate(c, code, svc_arena_print(c->arena, "replicationSpecs[%u].regionConfigs[%u]." SVC_FMT, (unsigned)at->spec,
                                       (unsigned)at->region, SVC_ARG(field)), "%s", why);
}

/* --------------------------------------------------------------------------------------------------------- regions */

SVC_PRIVATE double svc_cluster_disk_size(const svc_node *nodes)
{
  const svc_node *size = svc_node_get(nodes, "diskSizeGB");
  double value;
  return size && svc_json_number_double(size->text, &value) ? value : 0;
}

/* The first region with the same name and provider; NULL if there is no such region. */
static const svc_node *cluster_specs_same_region(const svc_node *regions, const svc_node *region)
{
  svc_str provider = svc_node_str(region, "providerName"), name = svc_node_str(region, "regionName");
  const svc_node *other = svc_node_first(regions);
  for (; other; other = other->next)
    if (svc_node_eq(other, "providerName", provider) && svc_node_eq(other, "regionName", name))
      return other;
  return NULL;
}

/* Read-only and analytics nodes have the hardware of the electable nodes by default. Without these, the instance size is
** required. */
static void cluster_specs_follow(svc_call *c, const svc_node *region, const cluster_specs_place *at, const char *field)
{
  const svc_node *nodes = svc_node_get(region, field);
  if (svc_node_i64(nodes, "nodeCount", 0) && !svc_node_get(nodes, "instanceSize") && !svc_node_get(region, "electableSpecs"))
    cluster_specs_violate(c, SVC_E_MISSING_ATTRIBUTE, at, svc_str_c(field), "needs an instanceSize: the region has no electableSpecs");
}

/* Checks a bound of automatic scaling: the bound must be a size of the provider, of the class of the nodes, and must not exclude
** their current size. */
static void cluster_specs_bound(svc_call *c, const svc_node *region, const cluster_specs_place *at, const char *field,
                                const char *bound, svc_str size)
{
  svc_str given = svc_node_str(svc_node_get(svc_node_get(region, field), "compute"), bound), path;
  int sign = strcmp(bound, "minInstanceSize") == 0 ? 1 : -1;
  if (!given.n) return;
  path = svc_arena_print(c->arena, "%s.compute.%s", field, bound);
  if (!svc_value_in(c->s, given, svc_cluster_sizes_of(region)))
    cluster_specs_violate(c, SVC_E_INVALID_ENUM_VALUE, at, path, "is not an instance size of this provider");
  else if (size.n && !cluster_specs_same_class(given, size))
    cluster_specs_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, at, path, "is of another class than the instanceSize of the nodes");
  else if (size.n && sign * svc_cluster_size_number(given) > sign * svc_cluster_size_number(size))
    cluster_specs_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, at, path,
                          sign > 0 ? "is greater than the instanceSize of the nodes" : "is less than the instanceSize of the nodes");
}

static void cluster_specs_scaling(svc_call *c, const svc_node *region, const cluster_specs_place *at, const char *field,
                                  const char *nodes)
{
  const svc_node *compute = svc_node_get(svc_node_get(region, field), "compute");
  svc_str least = svc_node_str(compute, "minInstanceSize"), most = svc_node_str(compute, "maxInstanceSize"), size;
  if (!compute) return;
  size = svc_node_bool(compute, "enabled", false) ? svc_node_str(svc_node_get(region, nodes), "instanceSize") : SVC_S("");
  if (svc_node_bool(compute, "enabled", false) && !most.n)
    cluster_specs_violate(c, SVC_E_COMPUTE_AUTO_SCALING_MAX_INSTANCE_SIZE_REQUIRED, at, svc_str_c(field),
                          "needs a compute.maxInstanceSize when compute scaling is enabled");
  if (svc_node_bool(compute, "scaleDownEnabled", false) && !least.n)
    cluster_specs_violate(c, SVC_E_MISSING_ATTRIBUTE, at, svc_arena_print(c->arena, "%s.compute.minInstanceSize", field),
                          "is required when scaling down is enabled");
  if (least.n && most.n && (!cluster_specs_same_class(least, most) || svc_cluster_size_number(least) > svc_cluster_size_number(most)))
    cluster_specs_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, at, svc_arena_print(c->arena, "%s.compute.minInstanceSize", field),
                          "must be of the class of maxInstanceSize, and not greater");
  cluster_specs_bound(c, region, at, field, "minInstanceSize", size);
  cluster_specs_bound(c, region, at, field, "maxInstanceSize", size);
}

static void cluster_specs_disk(svc_call *c, const svc_node *region, const cluster_specs_place *at, const char *kind)
{
  const svc_node *nodes = svc_node_get(region, kind);
  svc_str size = svc_node_str(nodes, "instanceSize");
  const struct cluster_specs_disks *row = cluster_specs_disks;
  double disk = svc_cluster_disk_size(nodes);
  int least = at->azure ? CLUSTER_SPECS_DISK_AZURE : CLUSTER_SPECS_DISK_LEAST, most;
  if (!size.n || !svc_node_get(nodes, "diskSizeGB")) return;
  while (row->number && row->number < svc_cluster_size_number(size)) row++;
  most = row->most * (svc_cluster_size_number(size) >= CLUSTER_SPECS_EXTENDED && svc_project_setting(c, "isExtendedStorageSizesEnabled") ? 2 : 1);
  if (disk >= least && disk <= most) return;
  cluster_specs_violate(c, SVC_E_CLUSTER_DISK_SIZE_INVALID, at, svc_arena_print(c->arena, "%s.diskSizeGB", kind),
                        svc_arena_print(c->arena, "must be from %d to %d for " SVC_FMT, least, most,
                                        SVC_ARG(size)).p);
}

/* The row of a shared tier, and the size of its disk in *disk. NULL: the size is not a shared tier. */
static const struct cluster_specs_share *cluster_specs_share_of(const svc_node *hardware, double *disk)
{
  const struct cluster_specs_share *share = cluster_specs_shares;
  while (share->size && !svc_cluster_is(hardware, "instanceSize", share->size)) share++;
  return share->size && svc_json_number_double(svc_str_c(share->disk), disk) ? share : NULL;
}

/* Checks and fills in a region of a shared tier: the region must belong to the backing provider, and the disk is that of the
** size. */
static void cluster_specs_tenant(svc_call *c, svc_node *region, const cluster_specs_place *at)
{
  static const char *const *const regions[] = { svc_values_aws_regions, svc_values_azure_regions,
                                                svc_values_gcp_regions };
  svc_node *hardware = svc_node_get(region, "electableSpecs"), *disk;
  double given = svc_cluster_disk_size(hardware), own = 0;
  const struct cluster_specs_share *share = cluster_specs_share_of(hardware, &own);
  size_t i = 0;
  while (svc_values_clouds[i] && !svc_cluster_is(region, "backingProviderName", svc_values_clouds[i])) i++;
  if (svc_values_clouds[i] && !svc_value_in(c->s, svc_node_str(region, "regionName"), regions[i]))
    cluster_specs_violate(c, SVC_E_INVALID_ENUM_VALUE, at, SVC_S("regionName"), "is not a region of the backing provider");
  svc_node_set_from(c->arena, hardware, "effectiveInstanceSize", hardware, "instanceSize");
  if (svc_cluster_is(hardware, "instanceSize", "M2"))
    cluster_specs_violate(c, SVC_E_INVALID_ATTRIBUTE, at, SVC_S("electableSpecs.instanceSize"),
                          "can no longer be M2: use M0, or a flex cluster");
  if (!share) return;
  if (svc_node_get(hardware, "diskSizeGB") && given != own)
    cluster_specs_violate(c, SVC_E_CLUSTER_DISK_SIZE_INVALID, at, SVC_S("electableSpecs.diskSizeGB"),
                          svc_arena_print(c->arena, "must be %s for %s", share->disk, share->size).p);
  disk = svc_node_new(c->arena, SVC_J_NUMBER, SVC_S("diskSizeGB"), svc_str_c(share->disk));
  if (disk) svc_node_put(c->arena, hardware, disk); /* otherwise the arena records the failure */
}

/* Fills in fields that a region leaves out. Default priorities decrease from the first region on. *next: the priority of the
** next region. */
static void cluster_specs_fill_region(svc_call *c, const svc_node *spec, svc_node *region, const cluster_specs_place *at, int64_t *next)
{
  bool votes = svc_cluster_electable(region) > 0;
  if (!svc_node_get(region, "priority")) svc_node_set_i64(c->arena, region, "priority", votes ? *next : 0);
  if (votes && *next > 0) --*next;
  if (svc_cluster_is(region, "providerName", "TENANT")) {
    cluster_specs_tenant(c, region, at);
    return;
  }
  cluster_specs_follow(c, region, at, "readOnlySpecs");
  cluster_specs_follow(c, region, at, "analyticsSpecs");
  svc_cluster_nodes_open(c, spec, region, at->azure);
}

/* Checks the nodes of a region, after all fields were filled in. */
static void cluster_specs_check_region(svc_call *c, const svc_node *region, const cluster_specs_place *at)
{
  if (svc_cluster_is(region, "providerName", "TENANT")) return;
  cluster_specs_disk(c, region, at, "electableSpecs");
  cluster_specs_disk(c, region, at, "readOnlySpecs");
  cluster_specs_disk(c, region, at, "analyticsSpecs");
  cluster_specs_scaling(c, region, at, "autoScaling", "electableSpecs");
  cluster_specs_scaling(c, region, at, "analyticsAutoScaling", "analyticsSpecs");
}

/* ----------------------------------------------------------------------------------------------------------- specs */

/* Regions with electable nodes have priorities from 7 downwards, each once; other regions have 0. No region appears twice. */
static void cluster_specs_priorities(svc_call *c, const svc_node *regions, size_t index)
{
  cluster_specs_place at = { index, 0, false };
  const svc_node *region, *other;
  unsigned taken = 0, voting = 0;
  int64_t priority;
  for (region = svc_node_first(regions); region; region = region->next) voting += svc_cluster_electable(region) > 0;
  for (region = svc_node_first(regions); region; region = region->next, at.region++) {
    priority = svc_node_i64(region, "priority", 0);
    other = cluster_specs_same_region(regions, region);
    if (other != region)
      cluster_specs_violate(c, SVC_E_REPLICATION_SPECS_INVALID, &at, SVC_S("regionName"), "appears twice in this spec");
    if (svc_cluster_electable(region) == 0 && priority)
      cluster_specs_violate(c, SVC_E_REPLICATION_SPECS_INVALID, &at, SVC_S("priority"), "must be 0 in a region without electable nodes");
    if (svc_cluster_electable(region) == 0) continue;
    if (priority < 0 || priority > CLUSTER_SPECS_FIRST) { /* in a damaged record */
      cluster_specs_violate(c, SVC_E_REPLICATION_SPECS_INVALID, &at, SVC_S("priority"), "is not a valid priority");
      continue;
    }
    if (taken >> priority & 1)
      cluster_specs_violate(c, SVC_E_REPLICATION_SPECS_INVALID, &at, SVC_S("priority"), "is already used by another region of the spec");
    else if (priority <= CLUSTER_SPECS_FIRST - (int64_t)voting)
      cluster_specs_violate(c, SVC_E_REPLICATION_SPECS_INVALID, &at, SVC_S("priority"),
                            svc_arena_print(c->arena, "must be at least %d: they go from %d downwards, one for each region with "
                                            "electable nodes", CLUSTER_SPECS_FIRST - (int)voting + 1, CLUSTER_SPECS_FIRST).p);
    taken |= 1u << priority;
  }
}

static void cluster_specs_fill(svc_call *c, svc_node *spec, size_t index, bool azure)
{
  cluster_specs_place at = { index, 0, azure };
  svc_node *region = svc_node_first(svc_node_get(spec, "regionConfigs"));
  int64_t next = CLUSTER_SPECS_FIRST;
  for (; region; region = region->next, at.region++) cluster_specs_fill_region(c, spec, region, &at, &next);
}

/* Any electable node can become the primary, so all electable nodes of a shard have the same size. */
static void cluster_specs_size(svc_call *c, const svc_node *region, const cluster_specs_place *at, svc_str *first)
{
  svc_str size = svc_node_str(svc_node_get(region, "electableSpecs"), "instanceSize"), field = SVC_S("electableSpecs.instanceSize");
  if (svc_cluster_electable(region) == 0 || !size.n || svc_cluster_is(region, "providerName", "TENANT")) return;
  if (!first->n) *first = size;
  else if (!svc_str_eq(*first, size))
    cluster_specs_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, at, field, "must be that of the other electable nodes of the shard");
}

static void cluster_specs_check(svc_call *c, const svc_node *spec, size_t index, bool azure)
{
  cluster_specs_place at = { index, 0, azure };
  const svc_node *regions = svc_node_get(spec, "regionConfigs"), *region;
  svc_str size = SVC_S("");
  int64_t votes = 0;
  for (region = svc_node_first(regions); region; region = region->next, at.region++) {
    cluster_specs_check_region(c, region, &at);
    cluster_specs_size(c, region, &at, &size);
    votes += svc_cluster_electable(region);
  }
  if (votes != 3 && votes != 5 && votes != 7)
    svc_violate(c, SVC_E_REPLICATION_SPECS_INVALID,
                svc_arena_print(c->arena, "replicationSpecs[%u].regionConfigs", (unsigned)index),
                "must have 3, 5 or 7 electable nodes in all, not %lld", (long long)votes);
  else cluster_specs_priorities(c, regions, index);
}

/* ----------------------------------------------------------------------------------- disks, which grow only */

/* Compares the disks of one kind of nodes in one region: stored nodes, new nodes, and the nodes as sent. */
static bool cluster_specs_keep_disk(svc_call *c, const svc_change *change, const svc_node *old, svc_node *nodes,
                                    const svc_node *sent)
{
  double share = 0;
  if (old && nodes && cluster_specs_share_of(nodes, &share)) /* a shared tier has a fixed disk */
    return share >= svc_cluster_disk_size(old) ? true : svc_cluster_fail(c, change, SVC_E_CANNOT_DECREASE_DISK_SIZE);
  if (!old || !nodes || !svc_node_i64(old, "nodeCount", 1) || !svc_node_i64(nodes, "nodeCount", 1)) return true;
  if (!svc_node_get(nodes, "diskSizeGB") && cluster_specs_share_of(old, &share)) return true; /* leaving a shared tier: its disk size does
                                                                                                 not carry over */
  if (svc_cluster_disk_size(nodes) >= svc_cluster_disk_size(old)) return true;
  if (svc_node_get(sent, "diskSizeGB")) return svc_cluster_fail(c, change, SVC_E_CANNOT_DECREASE_DISK_SIZE);
  svc_node_put(c->arena, nodes, svc_node_copy(c->arena, svc_node_get(old, "diskSizeGB"))); /* the change left the size out */
  return true;
}

static const svc_node *cluster_specs_element(const svc_node *array, size_t index)
{
  const svc_node *item = svc_node_first(array);
  while (item && index-- > 0) item = item->next;
  return item;
}

/* Compares the disks of this kind of nodes in all regions of a spec. Specs have the same position in the body and in the input. */
static bool cluster_specs_keep_disks(svc_call *c, const svc_change *change, const svc_node *spec, size_t index, const char *kind)
{
  const svc_node *held = svc_node_get(change->before, "replicationSpecs"), *region;
  const svc_node *old = svc_cluster_spec_with(held, NULL, "id", svc_node_str(spec, "id"));
  const svc_node *sent = cluster_specs_element(svc_node_get(change->input, "replicationSpecs"), index);
  size_t i = 0;
  if (!old || !sent) return true;
  for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next, i++)
    if (!cluster_specs_keep_disk(c, change, svc_node_get(cluster_specs_same_region(svc_node_get(old, "regionConfigs"), region), kind),
                                    svc_node_get(region, kind),
                                    svc_node_get(cluster_specs_element(svc_node_get(sent, "regionConfigs"), i), kind)))
      return false;
  return true;
}

/* ------------------------------------------------------------------------------------------------------------- all */

/* A cluster moves in one direction only: from REPLICASET to SHARDED to GEOSHARDED, and from a shared tier to dedicated machines.
** The number of its shards and zones may shrink. */
static bool cluster_specs_forwards(svc_call *c, const svc_change *change)
{
  static const char *const kinds[] = { "REPLICASET", "SHARDED", "GEOSHARDED" };
  size_t was = 0, is = 0;
  if (!change->before) return true;
  while (was < 2 && !svc_cluster_is(change->before, "clusterType", kinds[was])) was++;
  while (is < 2 && !svc_cluster_is(change->body, "clusterType", kinds[is])) is++;
  if (was > 0 && is == 0) return svc_cluster_fail(c, change, SVC_E_SHARDED_CLUSTER_CANT_BECOME_REPLICA_SET);
  if (is < was)
    svc_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, SVC_S("clusterType"), "cannot be downgraded from %s to %s", kinds[was], kinds[is]);
  if (!svc_cluster_is_tenant(change->body) && svc_cluster_is_tenant(change->before) && c->plan && c->plan->route->run != svc_cluster_run_upgrade)
    return svc_cluster_fail(c, change, SVC_E_TENANT_CLUSTER_UPDATE_UNSUPPORTED); /* tenantUpgrade does that */
  if (svc_cluster_is_tenant(change->body) && !svc_cluster_is_tenant(change->before))
    svc_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, SVC_S("replicationSpecs"), "cannot return to a shared tier");
  return true;
}

static void cluster_specs_kind(svc_call *c, const svc_change *change, const svc_node *specs)
{
  bool single = svc_cluster_is(change->body, "clusterType", "REPLICASET"), tenant = svc_cluster_is_tenant(change->body);
  if (tenant && !(single && svc_node_count(specs) == 1 && svc_node_count(svc_node_get(specs->first, "regionConfigs")) == 1))
    svc_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, SVC_S("replicationSpecs"),
                "must have one region and clusterType REPLICASET if the provider is TENANT");
  if (single && svc_node_count(specs) != 1)
    svc_violate(c, SVC_E_REPLICATION_SPECS_INVALID, SVC_S("replicationSpecs"), "must have one element in a REPLICASET");
  if (svc_node_count(specs) > CLUSTER_SPECS_SHARDS)
    svc_violate(c, SVC_E_CLUSTER_NUM_SHARDS_INVALID, SVC_S("replicationSpecs"), "must have at most %d elements: shards",
                CLUSTER_SPECS_SHARDS);
}

/* Config servers of a SHARDED cluster are embedded in a shard if the service manages them and the database version supports it
** (from 8.0); otherwise, and in a GEOSHARDED cluster, they are dedicated. */
static void cluster_specs_config_server(svc_call *c, svc_node *body)
{
  bool embedded = svc_cluster_is(body, "clusterType", "SHARDED") && svc_value_is(c->s, svc_node_str(body, "configServerManagementMode"), "SVC_MANAGED") &&
                  svc_str_order(svc_node_str(body, "dbMajorVersion"), SVC_S("8.0")) >= 0;
  if (svc_cluster_is(body, "clusterType", "REPLICASET")) return;
  svc_node_set_text(c->arena, body, "configServerType", embedded ? "EMBEDDED" : "DEDICATED");
}

static bool cluster_specs_one(svc_call *c, const svc_change *change, svc_node *specs, svc_node *spec, size_t i)
{
  bool azure = svc_cluster_is_in(specs, "AZURE");
  if (!cluster_specs_keep_disks(c, change, spec, i, "electableSpecs")) return false; /* first, because the other kinds take their disks
                                                                                        from these */
  cluster_specs_fill(c, spec, i, azure);
  if (!cluster_specs_keep_disks(c, change, spec, i, "readOnlySpecs") || !cluster_specs_keep_disks(c, change, spec, i, "analyticsSpecs")) return false;
  cluster_specs_check(c, spec, i, azure);
  if (!svc_cluster_zone_of(c, specs, svc_node_get(change->before, "replicationSpecs"), spec)) return false;
  svc_cluster_nodes_finish(c, spec);
  return true;
}

SVC_PRIVATE bool svc_cluster_specs(svc_call *c, svc_change *change)
{
  svc_node *specs = svc_node_get(change->body, "replicationSpecs"), *spec;
  const svc_node *old = svc_node_get(change->before, "replicationSpecs");
  size_t i = 0;
  if (old && svc_node_same(specs, old) && svc_node_same(svc_node_get(change->body, "clusterType"), svc_node_get(change->before, "clusterType")))
    return true; /* the specs were checked when they were stored */
  if (!cluster_specs_forwards(c, change)) return false;
  cluster_specs_kind(c, change, specs);
  for (spec = svc_node_first(specs); spec; spec = spec->next, i++)
    if (!cluster_specs_one(c, change, specs, spec, i)) return false;
  if (!svc_check_done(c) || !svc_cluster_zones_kept(c, change, specs)) return false;
  svc_cluster_nodes_effective(c, change->body);
  if (!change->before || svc_cluster_is(change->before, "clusterType", "REPLICASET")) cluster_specs_config_server(c, change->body);
  return true;
}

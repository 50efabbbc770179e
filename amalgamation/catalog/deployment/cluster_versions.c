/*
** Clusters of version 2023-02-01, which was before shards had hardware of their own: one element of replicationSpecs for each zone, with its
** number of shards, and one size of disks for the whole cluster.
**
** The rule: a zone is shown by its first shard, whose id it has. A cluster whose shards differ cannot be shown so: it is refused, and lists
** leave it out. Shards of one zone may differ in the speed of their disks alone, and those of all zones have one size. What is sent back as it
** was shown changes nothing; other specs are written out again, one for each shard, and the shards of a zone keep the ids that they have, in
** their order.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/deployment/cluster_parts.h"

enum { CLUSTER_VERSIONS_SHARDS = 101 }; /* that are written out: more than may be, so that the newest shape refuses them */

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field cluster_versions_fields[] = {
  F_DATE("acceptDataRisksAndForceReplicaSetReconfig"),
  F_ENUM("clusterType", svc_values_cluster_types, .flags = SVC_REQUIRED),
  F_STR("dbVersion", .flags = SVC_READ_ONLY),
  F_NUM("diskSizeGB"),
  CLUSTER_WORKLOAD_POLICIES(),
  F_LIST("replicationSpecs", &svc_cluster_spec_by_zone, .flags = SVC_REQUIRED | SVC_NOT_EMPTY, .max_items = 100)
};
SVC_PRIVATE const svc_object svc_cluster_20230201 = {
  .name = "Cluster20230201", .fields = SVC_ROWS(cluster_versions_fields), .base = &svc_cluster_common
};

/* What this version does not have. */
static const char *const cluster_versions_newer[] = {
  "adaptiveCapacity", "effectiveDatabaseEdition", "effectiveReplicationSpecs", "featureCompatibilityVersion", "featureCompatibilityVersionExpirationDate",
  "internalClusterRole", "redactClientLogData", "retainBackups", "useAwsTimeBasedSnapshotCopyForFastInitialSync"
};

/* -------------------------------------------------------------------------------------------------------- downgrade */

static bool cluster_versions_refuse(svc_call *c)
{
  return svc_fail(c, SVC_E_ASYMMETRIC_SHARD_UNSUPPORTED, "");
}

/* The regions of a shard without the speed of their disks. NULL: no memory. */
static svc_node *cluster_versions_compared(svc_call *c, const svc_node *spec)
{
  const svc_node *regions = svc_node_get(spec, "regionConfigs");
  svc_node *copy = regions ? svc_node_copy(c->arena, regions) : NULL, *region, *part;
  for (region = svc_node_first(copy); region; region = region->next)
    for (part = region->first; part; part = part->next)
      if (part->type == SVC_J_OBJECT) svc_node_drop(part, "diskIOPS");
  return copy;
}

static svc_str cluster_versions_size(const svc_node *spec)
{
  return svc_node_str(svc_node_get(svc_node_first(svc_node_get(spec, "regionConfigs")), "electableSpecs"), "instanceSize");
}

/* Does a shard look as the zone does that it belongs to (NULL: it is the first there), and has it the size of all? */
static bool cluster_versions_alike(svc_call *c, const svc_node *zone, const svc_node *spec, svc_str size)
{
  svc_node *a = zone ? cluster_versions_compared(c, zone) : NULL, *b = zone ? cluster_versions_compared(c, spec) : NULL;
  return svc_str_eq(cluster_versions_size(spec), size) && (!zone || (a && b && svc_node_same(a, b)));
}

/* Shards of one zone become one element. */
static bool cluster_versions_fold(svc_call *c, svc_node *shown)
{
  svc_node *list = svc_node_array(c->arena, "replicationSpecs"), *spec, *next, *first;
  svc_str zone, size = cluster_versions_size(svc_node_first(svc_node_get(shown, "replicationSpecs")));
  if (!list) return false;
  for (spec = svc_node_first(svc_node_get(shown, "replicationSpecs")); spec; spec = next) {
    next = spec->next;
    zone = svc_node_str(spec, "zoneId");
    for (first = list->first; first && !(zone.n && svc_node_eq(first, "zoneId", zone));) first = first->next;
    if (!cluster_versions_alike(c, first, spec, size)) return cluster_versions_refuse(c);
    svc_node_set_i64(c->arena, first ? first : spec, "numShards", svc_node_i64(first, "numShards", 0) + 1);
    if (!first) svc_node_append(list, spec);
  }
  svc_node_put(c->arena, shown, list);
  return true;
}

/* The disk of nodes of one kind goes to the root, where all are the same. */
static bool cluster_versions_lift_disk(svc_call *c, svc_node *shown, svc_node *nodes)
{
  const svc_node *disk = svc_node_get(nodes, "diskSizeGB"), *root = svc_node_get(shown, "diskSizeGB");
  if (!disk) return true;
  if (root && !svc_node_same(root, disk)) return cluster_versions_refuse(c);
  svc_node_set_copy(c->arena, shown, "diskSizeGB", nodes, "diskSizeGB");
  svc_node_drop(nodes, "diskSizeGB");
  return true;
}

static bool cluster_versions_lift_disks(svc_call *c, svc_node *shown)
{
  const svc_node *spec = svc_node_first(svc_node_get(shown, "replicationSpecs"));
  svc_node *region;
  size_t i;
  for (; spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next) {
      for (i = 0; svc_values_effective_kinds[i]; i++) svc_node_drop(region, svc_values_effective_kinds[i]);
      for (i = 0; svc_values_node_kinds[i]; i++)
        if (!cluster_versions_lift_disk(c, shown, svc_node_get(region, svc_values_node_kinds[i]))) return false;
    }
  return true;
}

SVC_PRIVATE bool svc_cluster_by_zone(svc_call *c, svc_node *shown)
{
  size_t i;
  for (i = 0; i < sizeof cluster_versions_newer / sizeof cluster_versions_newer[0]; i++) svc_node_drop(shown, cluster_versions_newer[i]);
  return cluster_versions_fold(c, shown) && cluster_versions_lift_disks(c, shown) && !c->arena->failed;
}

/* ---------------------------------------------------------------------------------------------------------- upgrade */

static const svc_node *cluster_versions_disk_of(const svc_node *cluster)
{
  const svc_node *spec = svc_node_first(svc_node_get(cluster, "replicationSpecs"));
  return svc_node_get(svc_node_first(svc_node_get(spec, "regionConfigs")), "electableSpecs");
}

/* All nodes of a spec have the disk that `from` has, unless they say otherwise, or (all) all the same. */
static void cluster_versions_set_disk(svc_call *c, const svc_node *spec, const svc_node *from, bool all)
{
  svc_node *region = svc_node_first(svc_node_get(spec, "regionConfigs")), *nodes;
  size_t i;
  for (; region; region = region->next)
    for (i = 0; svc_values_node_kinds[i]; i++) {
      nodes = svc_node_get(region, svc_values_node_kinds[i]);
      if (nodes && nodes->type == SVC_J_OBJECT && (all || !svc_node_get(nodes, "diskSizeGB"))) svc_node_set_copy(c->arena, nodes, "diskSizeGB", from, "diskSizeGB");
    }
}

/* The shard of a zone before the change; NULL: it has not so many. */
static const svc_node *cluster_versions_shard(const svc_node *before, svc_str zone, int64_t number)
{
  const svc_node *spec = svc_node_first(svc_node_get(before, "replicationSpecs"));
  for (; spec; spec = spec->next)
    if (svc_node_eq(spec, "zoneName", zone) && number-- == 0) return spec;
  return NULL;
}

/* How many shards a zone is to have: as many as were sent, else as many as there are; 0: what was sent is no number of shards. */
static int64_t cluster_versions_count(const svc_node *sent, const svc_node *before, bool there, svc_str zone)
{
  int64_t count = svc_node_i64(sent, "numShards", 0);
  if (svc_node_get(sent, "numShards")) return count > 0 ? count : 0;
  while (there && cluster_versions_shard(before, zone, count)) count++;
  return there ? count : 1;
}

/* One element for each shard of a zone. What is no spec stays as it is: the newest shape refuses it. */
static void cluster_versions_unfold(svc_call *c, svc_node *list, const svc_node *sent, const svc_node *before)
{
  const svc_node *was = svc_cluster_spec_with(svc_node_get(before, "replicationSpecs"), NULL, "id", svc_node_str(sent, "id")), *shard;
  svc_str zone = svc_node_str(svc_node_get(sent, "zoneName") ? sent : was, "zoneName");
  int64_t count = sent->type == SVC_J_OBJECT ? cluster_versions_count(sent, before, was != NULL, zone) : 0, i;
  if (count == 0) svc_node_append(list, svc_node_copy(c->arena, sent));
  for (i = 0; i < count && svc_node_count(list) < CLUSTER_VERSIONS_SHARDS; i++) {
    svc_node *spec = svc_node_copy(c->arena, sent);
    if (!spec) return;
    svc_node_drop(spec, "id");
    svc_node_drop(spec, "numShards");
    svc_node_drop(spec, "zoneId");
    shard = cluster_versions_shard(before, zone, i);
    if (shard) svc_node_set_from(c->arena, spec, "id", shard, "id");
    if (zone.n) svc_node_set_str(c->arena, spec, "zoneName", zone);
    svc_node_append(list, spec);
  }
}

SVC_PRIVATE void svc_cluster_by_shard(svc_call *c, svc_node *body, const svc_node *before)
{
  svc_node *specs = svc_node_get(body, "replicationSpecs"), *list = svc_node_array(c->arena, "replicationSpecs");
  const svc_node *from = svc_node_get(body, "diskSizeGB") ? body : cluster_versions_disk_of(before), *spec;
  if (!specs) specs = svc_node_get(before, "replicationSpecs");
  if (specs && specs->type != SVC_J_ARRAY) return;
  for (spec = list ? svc_node_first(specs) : NULL; spec; spec = spec->next) cluster_versions_unfold(c, list, spec, before);
  for (spec = svc_node_first(list); spec; spec = spec->next) cluster_versions_set_disk(c, spec, from, from == body);
  if (svc_node_first(list)) svc_node_put(c->arena, body, list);
  svc_node_drop(body, "diskSizeGB");
}

static bool cluster_versions_same(const svc_node *body, const svc_node *was, const char *member)
{
  const svc_node *value = svc_node_get(body, member), *old = svc_node_get(was, member);
  return !value || (old && svc_node_same(value, old));
}

SVC_PRIVATE bool svc_cluster_by_zone_upgrade(svc_call *c, svc_node *body, const svc_node *before)
{
  svc_node *was = before ? svc_node_copy(c->arena, before) : NULL;
  if (before && (!was || !svc_cluster_by_zone(c, was))) return false;
  if (was && cluster_versions_same(body, was, "replicationSpecs") && cluster_versions_same(body, was, "diskSizeGB")) {
    svc_node_drop(body, "replicationSpecs");
    svc_node_drop(body, "diskSizeGB");
  } else {
    svc_cluster_by_shard(c, body, before);
  }
  return !c->arena->failed;
}

/* Version 2024-08-05 has the shape of the newest, but a change in the words of 2023-02-01 is understood. */
SVC_PRIVATE bool svc_cluster_either_upgrade(svc_call *c, svc_node *body, const svc_node *before)
{
  const svc_node *spec = svc_node_first(svc_node_get(body, "replicationSpecs"));
  while (spec && !svc_node_get(spec, "numShards")) spec = spec->next;
  if (spec || svc_node_get(body, "diskSizeGB")) svc_cluster_by_shard(c, body, before);
  return !c->arena->failed;
}

/*
** Clusters of version 2023-02-01, in which shards had no hardware of their own: replicationSpecs has one element per
** zone, with its number of shards, and the whole cluster has one disk size.
**
** The rule: the first shard represents its zone, and gives it its id. The version cannot show a cluster whose shards
** differ: the request is refused, and lists leave the cluster out. Shards of one zone may differ only in the speed of
** their disks, and the shards of all zones have one instance size. Specs that are sent back unchanged change nothing.
** Other specs are expanded to one spec per shard; the existing shards of a zone keep their ids, in order.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/deployment/cluster_parts.h"

enum { CLUSTER_VERSIONS_SHARDS = 101 }; /* limit of expanded shards: above the maximum, so that the newest shape reports the error */

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

/* Fields that answers of this version leave out. */
static const char *const cluster_versions_newer[] = {
  "adaptiveCapacity", "effectiveDatabaseEdition", "effectiveReplicationSpecs", "featureCompatibilityVersion", "featureCompatibilityVersionExpirationDate",
  "internalClusterRole", "redactClientLogData", "retainBackups", "useAwsTimeBasedSnapshotCopyForFastInitialSync"
};

/* -------------------------------------------------------------------------------------------------------- downgrade */

static bool cluster_versions_refuse(svc_call *c)
{
  return svc_fail(c, SVC_E_ASYMMETRIC_SHARD_UNSUPPORTED, "");
}

/* A copy of a shard's regions without the speed of their disks, for comparison. NULL: out of memory. */
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

/* Whether a shard equals the first one of its zone (NULL: the shard is the first), and has the instance size of all shards. */
static bool cluster_versions_alike(svc_call *c, const svc_node *zone, const svc_node *spec, svc_str size)
{
  svc_node *a = zone ? cluster_versions_compared(c, zone) : NULL, *b = zone ? cluster_versions_compared(c, spec) : NULL;
  return svc_str_eq(cluster_versions_size(spec), size) && (!zone || (a && b && svc_node_same(a, b)));
}

/* Combines the shards of a zone into one element. */
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

/* Moves the disk size of nodes of one kind to the root; all must be equal. */
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

/* Sets the disk size of `from` on nodes without one, or (all) on all nodes of a spec. */
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

/* The shard of a zone before the change, by number; NULL: the zone had fewer shards. */
static const svc_node *cluster_versions_shard(const svc_node *before, svc_str zone, int64_t number)
{
  const svc_node *spec = svc_node_first(svc_node_get(before, "replicationSpecs"));
  for (; spec; spec = spec->next)
    if (svc_node_eq(spec, "zoneName", zone) && number-- == 0) return spec;
  return NULL;
}

/* The new number of shards of a zone: as sent, or else the current number. Returns 0 if the value sent is not a valid number
** of shards. */
static int64_t cluster_versions_count(const svc_node *sent, const svc_node *before, bool there, svc_str zone)
{
  int64_t count = svc_node_i64(sent, "numShards", 0);
  if (svc_node_get(sent, "numShards")) return count > 0 ? count : 0;
  while (there && cluster_versions_shard(before, zone, count)) count++;
  return there ? count : 1;
}

/* Adds one element per shard of a zone. An invalid element stays as it is, and the newest shape refuses it. */
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

/* Version 2024-08-05 has the newest shape, but also accepts changes in the shape of 2023-02-01. */
SVC_PRIVATE bool svc_cluster_either_upgrade(svc_call *c, svc_node *body, const svc_node *before)
{
  const svc_node *spec = svc_node_first(svc_node_get(body, "replicationSpecs"));
  while (spec && !svc_node_get(spec, "numShards")) spec = spec->next;
  if (spec || svc_node_get(body, "diskSizeGB")) svc_cluster_by_shard(c, body, before);
  return !c->arena->failed;
}

/*
** Clusters of version 2023-01-01, with one provider, one instance size and one disk size, all at the root. Replication
** specs contain only the number of nodes per region. tenant_upgrade.c uses the same shape, and defines it and its
** conversion in both directions.
**
** The rule: the version cannot show a cluster on several providers, or whose shards differ. The request is refused, and
** lists leave the cluster out. A change without hardware fields leaves the hardware alone, even if other nodes of the
** cluster have different hardware than the electable ones.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"

/* Fields that define where a cluster runs, and on which hardware. */
static const char *const cluster_legacy_hardware[] = {
  "autoScaling", "diskSizeGB", "numShards", "providerSettings", "replicationFactor", "replicationSpec", "replicationSpecs"
};
#define CLUSTER_LEGACY_EACH(i) for (i = 0; i < sizeof cluster_legacy_hardware / sizeof cluster_legacy_hardware[0]; i++)

/* -------------------------------------------------------------------------------------------------------- downgrade */

static bool cluster_legacy_one_provider(svc_call *c, const svc_node *shown, const svc_node *first)
{
  const svc_node *spec = svc_node_first(svc_node_get(shown, "replicationSpecs")), *region;
  svc_str name = svc_node_str(shown, "name");
  for (; spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next)
      if (!svc_node_eq(region, "providerName", svc_node_str(first, "providerName")))
        return svc_fail_as(c, svc_arena_print(c->arena, "This version of the operation cannot show cluster " SVC_FMT
                                              ", which is at several providers. Ask for a later version.", SVC_ARG(name)),
                           SVC_E_ASYMMETRIC_SHARD_UNSUPPORTED, "");
  return true;
}

/* Writes the scaling of the first region: the switches at the root, the bounds in the settings. */
static void cluster_legacy_show_scaling(svc_call *c, svc_node *view, svc_node *settings, const svc_node *region)
{
  const svc_node *scaling = svc_node_get(region, "autoScaling"), *compute = svc_node_get(scaling, "compute");
  svc_node *root = svc_node_object(c->arena, "autoScaling"), *part = svc_node_object(c->arena, "compute");
  svc_node *bounds = svc_node_object(c->arena, "autoScaling"), *sizes = svc_node_object(c->arena, "compute");
  if (!root || !part || !bounds || !sizes) return;
  svc_node_set_bool(c->arena, part, "enabled", svc_node_bool(compute, "enabled", false));
  svc_node_set_bool(c->arena, part, "predictiveEnabled", svc_node_bool(compute, "predictiveEnabled", false));
  svc_node_set_bool(c->arena, part, "scaleDownEnabled", svc_node_bool(compute, "scaleDownEnabled", false));
  svc_node_set_copy(c->arena, sizes, "maxInstanceSize", compute, "maxInstanceSize");
  svc_node_set_copy(c->arena, sizes, "minInstanceSize", compute, "minInstanceSize");
  svc_node_put(c->arena, root, part);
  svc_node_set_bool(c->arena, root, "diskGBEnabled", svc_node_bool(svc_node_get(scaling, "diskGB"), "enabled", false));
  svc_node_put(c->arena, bounds, sizes);
  svc_node_put(c->arena, view, root);
  svc_node_put(c->arena, settings, bounds);
}

static void cluster_legacy_show_settings(svc_call *c, svc_node *settings, const svc_node *region)
{
  const svc_node *hardware = svc_node_get(region, "electableSpecs");
  if (svc_node_is(region, "providerName", "TENANT")) svc_node_set_copy(c->arena, settings, "effectiveInstanceSizeName", hardware, "effectiveInstanceSize");
  if (!svc_node_is(region, "providerName", "AWS")) return;
  svc_node_set_copy(c->arena, settings, "diskIOPS", hardware, "diskIOPS");
  svc_node_set_bool(c->arena, settings, "encryptEBSVolume", true);
  svc_node_set_copy(c->arena, settings, "volumeType", hardware, "ebsVolumeType");
}

/* Writes the number of shards; of a cluster with one zone also the number of nodes per shard, and their regions. */
static void cluster_legacy_show_counts(svc_call *c, svc_node *view, const svc_node *shown)
{
  const svc_node *specs = svc_node_get(shown, "replicationSpecs"), *spec, *region;
  int64_t shards = 0, electable = 0;
  for (spec = svc_node_first(specs); spec; spec = spec->next) shards += svc_node_i64(spec, "numShards", 1);
  svc_node_set_i64(c->arena, view, "numShards", shards);
  if (svc_node_count(specs) != 1) return;
  for (region = svc_node_first(svc_node_get(specs->first, "regionConfigs")); region; region = region->next) electable += svc_cluster_electable(region);
  if (electable == 3 || electable == 5 || electable == 7) svc_node_set_i64(c->arena, view, "replicationFactor", electable);
  svc_node_set_copy(c->arena, view, "replicationSpec", svc_node_first(svc_node_get(view, "replicationSpecs")), "regionsConfig");
}

SVC_PRIVATE bool svc_cluster_legacy_downgrade(svc_call *c, svc_node *shown)
{
  const svc_node *region = svc_node_first(svc_node_get(svc_node_first(svc_node_get(shown, "replicationSpecs")), "regionConfigs"));
  svc_node *view, *settings;
  if (!svc_cluster_by_zone(c, shown) || !cluster_legacy_one_provider(c, shown, region)) return false;
  view = svc_cluster_as_legacy(c, shown);
  settings = svc_node_get(view, "providerSettings");
  if (!settings) return false;
  if (!svc_node_is(region, "providerName", "TENANT")) svc_node_set_copy(c->arena, view, "diskSizeGB", shown, "diskSizeGB");
  cluster_legacy_show_scaling(c, view, settings, region);
  cluster_legacy_show_settings(c, settings, region);
  cluster_legacy_show_counts(c, view, shown);
  *shown = *view;
  return !c->arena->failed;
}

/* ---------------------------------------------------------------------------------------------------------- upgrade */

static bool cluster_legacy_differs(const svc_node *body, const svc_node *was, const char *member)
{
  const svc_node *value = svc_node_get(body, member), *old = svc_node_get(was, member);
  return value && (!old || !svc_node_same(value, old));
}

/* Copies settings that were not sent, unless the provider changes. */
static void cluster_legacy_keep_settings(svc_call *c, svc_node *body, const svc_node *was)
{
  svc_node *settings = svc_node_get(body, "providerSettings");
  const svc_node *old = svc_node_get(was, "providerSettings"), *member;
  if (!settings) svc_node_set_copy(c->arena, body, "providerSettings", was, "providerSettings");
  else if (svc_node_eq(old, "providerName", svc_node_str(settings, "providerName")))
    for (member = svc_node_first(old); member; member = member->next)
      if (!svc_node_find(settings, member->name)) svc_node_put(c->arena, settings, svc_node_copy(c->arena, member));
}

/* Copies hardware fields that were not sent. The places of nodes can be sent in three ways: the one that was sent replaces
** the others. */
static void cluster_legacy_keep(svc_call *c, svc_node *body, const svc_node *was)
{
  bool moved = cluster_legacy_differs(body, was, "replicationFactor") ||
               cluster_legacy_differs(svc_node_get(body, "providerSettings"), svc_node_get(was, "providerSettings"), "regionName");
  bool placed = moved || svc_node_get(body, "replicationSpecs") || cluster_legacy_differs(body, was, "replicationSpec") ||
                cluster_legacy_differs(body, was, "numShards");
  size_t i;
  cluster_legacy_keep_settings(c, body, was);
  if (!svc_node_get(body, "clusterType")) svc_node_set_copy(c->arena, body, "clusterType", was, "clusterType");
  CLUSTER_LEGACY_EACH(i) {
    const char *name = cluster_legacy_hardware[i];
    bool place = strcmp(name, "replicationSpecs") == 0 || (moved && strcmp(name, "replicationSpec") == 0);
    if (!svc_node_get(body, name) && !(placed && place)) svc_node_set_copy(c->arena, body, name, was, name);
  }
}

/* Removes fields that were sent back unchanged. Returns true if the request changes the hardware. */
static bool cluster_legacy_drop_same(svc_node *body, const svc_node *was)
{
  bool hardware = false;
  size_t i;
  if (!cluster_legacy_differs(body, was, "dbVersion")) svc_node_drop(body, "dbVersion");
  if (!cluster_legacy_differs(body, was, "providerBackupEnabled")) svc_node_drop(body, "providerBackupEnabled");
  CLUSTER_LEGACY_EACH(i) hardware |= cluster_legacy_differs(body, was, cluster_legacy_hardware[i]);
  if (hardware) return true;
  CLUSTER_LEGACY_EACH(i) svc_node_drop(body, cluster_legacy_hardware[i]);
  return false;
}

/* Converts the body to the newest shape: the fields that were sent, and of a change the specs only if the hardware changes. */
static bool cluster_legacy_write(svc_call *c, svc_node *body, const svc_node *before, bool hardware)
{
  svc_node *input = svc_cluster_from_legacy(c, body);
  if (!input) return false;
  if (!hardware) svc_node_drop(input, "replicationSpecs");
  else if (before) svc_cluster_by_shard(c, input, before);
  if (!before && !svc_node_get(input, "clusterType")) svc_node_set_text(c->arena, input, "clusterType", "REPLICASET");
  *body = *input;
  return !c->arena->failed;
}

SVC_PRIVATE bool svc_cluster_legacy_upgrade(svc_call *c, svc_node *body, const svc_node *before)
{
  svc_node *was = before ? svc_node_copy(c->arena, before) : NULL;
  bool hardware = true;
  if (before && (!was || !svc_cluster_legacy_downgrade(c, was))) return false;
  if (was) hardware = cluster_legacy_drop_same(body, was);
  if (was && hardware) cluster_legacy_keep(c, body, was);
  if (hardware && !svc_cluster_legacy_sound(c, body)) return false;
  return cluster_legacy_write(c, body, before, hardware);
}

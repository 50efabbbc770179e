/*
** The machine of each instance size: memory, vCPUs, connections, disk. All simulated figures are derived from it.
**
** The rule: a size has one row for all providers. Where providers differ (disks, IOPS), the cluster's specification has
** the figure and takes precedence. Generations of a size (_GEN_2) share a row.
*/
#include "catalog/cluster/tier.h"
#include "catalog/values.h"

#define TIER_MB ((int64_t)1048576)
#define TIER_GB ((int64_t)1000000000) /* decimal gigabytes, for disks */
#define TIER(name, mb, vcpus, most, gb, per_second) { name, (mb) * TIER_MB, vcpus, most, (gb) * TIER_GB, per_second, false }
#define TIER_SHARE(name, mb, bytes) { name, (mb) * TIER_MB, 2, 500, bytes, 1000, true }

static const svc_tier tier_rows[] = {
  TIER("M10", 2048, 2, 1500, 10, 3000), /* first: also used for unknown sizes */
  TIER_SHARE("M0", 1024, TIER_GB / 2),
  TIER_SHARE("M2", 1024, 2 * TIER_GB),
  TIER_SHARE("M5", 1536, 5 * TIER_GB),
  TIER_SHARE("FLEX", 1536, 5 * TIER_GB),
  TIER("M20", 4096, 2, 3000, 20, 3000),
  TIER("M30", 8192, 2, 3000, 40, 3000),
  TIER("M40", 16384, 4, 6000, 80, 3000),
  TIER("M50", 32768, 8, 16000, 160, 3000),
  TIER("M60", 65536, 16, 32000, 320, 3000),
  TIER("M80", 131072, 32, 96000, 750, 3000),
  TIER("M90", 196608, 48, 96000, 1000, 3500),
  TIER("M100", 163840, 40, 96000, 1000, 3000),
  TIER("M140", 196608, 48, 96000, 1000, 3000),
  TIER("M200", 262144, 64, 128000, 1500, 4500),
  TIER("M250", 327680, 80, 128000, 1500, 4500),
  TIER("M300", 393216, 96, 128000, 2000, 6000),
  TIER("M400", 524288, 64, 128000, 3000, 9000),
  TIER("M700", 786432, 96, 128000, 4000, 12000),
  TIER("R40", 16384, 2, 3000, 80, 3000),
  TIER("R50", 32768, 4, 6000, 160, 3000),
  TIER("R60", 65536, 8, 16000, 320, 3000),
  TIER("R80", 131072, 16, 32000, 750, 3000),
  TIER("R200", 262144, 32, 128000, 1500, 4500),
  TIER("R300", 393216, 48, 128000, 2000, 6000),
  TIER("R400", 524288, 64, 128000, 3000, 9000),
  TIER("R600", 655360, 80, 128000, 3000, 9000),
  TIER("R700", 786432, 96, 128000, 4000, 12000),
  TIER("M40_NVME", 15616, 2, 6000, 380, 135125),
  TIER("M50_NVME", 31232, 4, 16000, 760, 270250),
  TIER("M60_NVME", 62464, 8, 32000, 1600, 568947),
  TIER("M80_NVME", 124928, 16, 64000, 1600, 568947),
  TIER("M200_NVME", 249856, 32, 128000, 3100, 1102335),
  TIER("M300_NVME", 393216, 48, 128000, 4000, 1102335),
  TIER("M400_NVME", 499712, 64, 128000, 4000, 1422368),
  TIER("M600_NVME", 655360, 80, 128000, 4000, 1422368),
};

SVC_PRIVATE const svc_tier *svc_tier_of(svc_str size)
{
  static const char generation[] = "_GEN_2";
  size_t n = sizeof generation - 1, i;
  if (size.n > n && memcmp(size.p + size.n - n, generation, n) == 0) size.n -= n;
  for (i = 0; i < sizeof tier_rows / sizeof tier_rows[0]; i++)
    if (svc_str_is(size, tier_rows[i].size)) return &tier_rows[i];
  return &tier_rows[0];
}

/* Avoids floating point, so that every architecture computes the same bytes. Three digits of the fraction count. */
SVC_PRIVATE int64_t svc_tier_gigabytes(const svc_node *size)
{
  svc_str rest = size && size->type == SVC_J_NUMBER ? size->text : SVC_S(""), whole = svc_str_cut(&rest, '.');
  int64_t gigabytes = 0, part = TIER_GB / 10, bytes;
  size_t i;
  if (!svc_str_i64(whole, &gigabytes) || gigabytes < 0 || gigabytes > 1000000) return 0;
  bytes = gigabytes * TIER_GB;
  for (i = 0; i < rest.n && i < 3 && rest.p[i] >= '0' && rest.p[i] <= '9'; i++, part /= 10) bytes += (rest.p[i] - '0') * part;
  return bytes;
}

SVC_PRIVATE int64_t svc_tier_count(const svc_node *region, int kind)
{
  if (kind == SVC_NODES_ELECTABLE) return svc_cluster_electable(region);
  return svc_node_i64_within(svc_node_get(region, svc_values_node_kinds[kind]), "nodeCount", 0, 0, 50);
}

SVC_PRIVATE const char *svc_tier_analytics(const svc_node *body)
{
  const svc_node *region = svc_node_first(svc_node_get(svc_node_first(svc_node_get(body, "replicationSpecs")), "regionConfigs"));
  while (region && svc_tier_count(region, SVC_NODES_ANALYTICS) == 0) region = region->next;
  return region ? svc_tier_of(svc_node_str(svc_node_get(region, svc_values_node_kinds[SVC_NODES_ANALYTICS]), "instanceSize"))->size : "";
}

/* Electable nodes come first, region by region, then the others: the same order as in processes.c. */
SVC_PRIVATE const svc_node *svc_tier_region(const svc_node *body, unsigned spec, unsigned node, int *kind)
{
  const svc_node *at = svc_node_first(svc_node_get(body, "replicationSpecs")), *regions, *region;
  int64_t left = node, n;
  int k;
  while (at && spec-- > 0) at = at->next;
  regions = svc_node_get(at, "regionConfigs");
  for (*kind = 0, region = svc_node_first(regions); region; region = region->next) {
    n = svc_tier_count(region, 0);
    if (left < n) return region;
    left -= n;
  }
  for (region = svc_node_first(regions); region; region = region->next)
    for (k = 1; k < 3; k++) {
      *kind = k;
      n = svc_tier_count(region, k);
      if (left < n) return region;
      left -= n;
    }
  return NULL;
}

SVC_PRIVATE svc_tier svc_tier_of_node(const svc_node *body, unsigned spec, unsigned node)
{
  int kind = 0;
  const svc_node *region = svc_tier_region(body, spec, node, &kind);
  const svc_node *nodes = svc_node_get(region, svc_values_node_kinds[kind]);
  svc_tier tier = *svc_tier_of(svc_node_str(nodes, "instanceSize"));
  int64_t disk = svc_tier_gigabytes(svc_node_get(nodes, "diskSizeGB")), iops = svc_node_i64(nodes, "diskIOPS", 0);
  if (disk > 0) tier.disk = disk;
  if (iops > 0) tier.iops = iops;
  return tier;
}

/*
** The context that policies see. For a cluster: its providers, regions, sizes and shape. For a project: its access list, its
** maintenance window, and the provider of a peering connection or private endpoint.
**
** The rule: all of it comes from a body that is stored, or about to be stored. So an inspection finds a resource by the same
** rules that refuse a request.
*/
#include "catalog/policy/policy_language.h"
#include "catalog/values.h"

static svc_node *policy_context_new(svc_call *c, int type, const char *name)
{
  svc_node *node = svc_node_new(c->arena, type, svc_str_c(name), SVC_S(""));
  if (!node) (void)svc_no_memory(c);
  return node;
}

static svc_node *policy_context_within(svc_call *c, const char *of, svc_node **inner)
{
  svc_node *context = policy_context_new(c, SVC_J_OBJECT, "");
  *inner = context ? policy_context_new(c, SVC_J_OBJECT, of) : NULL;
  if (!*inner) return NULL;
  svc_node_put(c->arena, context, *inner);
  return context;
}

/* Adds a text to the set if it is missing. */
static void policy_context_add(svc_call *c, svc_node *set, svc_str text)
{
  if (!svc_node_has_str(set, text)) svc_node_add_str(c->arena, set, text);
}

/* ---------------------------------------------------------------------------------------------------------------- sizes */

typedef struct policy_sizes {
  int64_t least, most, disk; /* -1: unknown */
} policy_sizes;

/* Reads the number in a size such as M30 or R40. */
static void policy_context_size(policy_sizes *sizes, svc_str size)
{
  int64_t n = 0;
  size_t i;
  if (size.n < 2) return;
  for (i = 1; i < size.n && size.p[i] >= '0' && size.p[i] <= '9'; i++) n = n * 10 + (size.p[i] - '0');
  if (sizes->least < 0 || n < sizes->least) sizes->least = n;
  if (n > sizes->most) sizes->most = n;
}

static void policy_context_nodes(policy_sizes *sizes, const svc_node *nodes)
{
  const svc_node *disk = svc_node_get(nodes, "diskSizeGB");
  double size = 0;
  policy_context_size(sizes, svc_node_str(nodes, "instanceSize"));
  if (disk) svc_json_number_double(disk->text, &size);
  if (disk && size > (double)sizes->disk) sizes->disk = (int64_t)size;
}

/* The sizes that autoscaling may reach count as well as the current size. */
static void policy_context_region(svc_call *c, const svc_node *region, policy_sizes *sizes, svc_node *providers, svc_node *regions)
{
  static const char *const scalings[] = { "autoScaling", "analyticsAutoScaling" };
  svc_str provider = svc_node_str(region, "providerName"), backing = svc_node_str(region, "backingProviderName");
  size_t i;
  if (backing.n) provider = backing;
  policy_context_add(c, providers, svc_policy_provider(c->arena, provider));
  policy_context_add(c, regions, svc_policy_region(c->arena, provider, svc_node_str(region, "regionName")));
  for (i = 0; svc_values_node_kinds[i]; i++) policy_context_nodes(sizes, svc_node_get(region, svc_values_node_kinds[i]));
  for (i = 0; i < 2; i++) {
    const svc_node *compute = svc_node_get(svc_node_get(region, scalings[i]), "compute");
    if (!svc_node_bool(compute, "enabled", false)) continue;
    policy_context_size(sizes, svc_node_str(compute, "maxInstanceSize"));
    if (svc_node_bool(compute, "scaleDownEnabled", false)) policy_context_size(sizes, svc_node_str(compute, "minInstanceSize"));
  }
}

/* ------------------------------------------------------------------------------------------------------------- clusters */

static bool policy_context_is_set(const svc_node *body)
{
  return svc_node_is(body, "clusterType", "REPLICASET");
}

static void policy_context_shape(svc_call *c, svc_node *cluster, const svc_node *before, const svc_node *body)
{
  svc_str version = svc_node_str(body, "dbMajorVersion"), tls = svc_node_str(svc_node_get(body, "advancedConfiguration"), "minimumEnabledTlsProtocol");
  int64_t shards = (int64_t)svc_node_count(svc_node_get(body, "replicationSpecs"));
  svc_node_set_str(c->arena, cluster, "clusterType", svc_policy_provider(c->arena, svc_node_str(body, "clusterType")));
  svc_node_set_bool(c->arena, cluster, "isConvertingToSharded", before && policy_context_is_set(before) && !policy_context_is_set(body));
  svc_node_set_i64(c->arena, cluster, "minShardCount", shards);
  svc_node_set_i64(c->arena, cluster, "maxShardCount", shards);
  if (version.n) svc_node_set_str(c->arena, cluster, "dbMajorVersion", version);
  if (tls.n) svc_node_set_str(c->arena, cluster, "minTLSVersion", svc_policy_provider(c->arena, tls));
}

static svc_node *policy_context_cluster(svc_call *c, int64_t clusters, svc_node **cluster)
{
  svc_node *context = policy_context_within(c, "cluster", cluster), *project = context ? policy_context_new(c, SVC_J_OBJECT, "project") : NULL;
  svc_node *providers = project ? policy_context_new(c, SVC_J_ARRAY, "cloudProviders") : NULL;
  svc_node *regions = providers ? policy_context_new(c, SVC_J_ARRAY, "regions") : NULL;
  if (!regions) return NULL;
  svc_node_set_i64(c->arena, project, "clustersInProject", clusters);
  svc_node_put(c->arena, context, project);
  svc_node_put(c->arena, *cluster, providers);
  svc_node_put(c->arena, *cluster, regions);
  return context;
}

SVC_PRIVATE svc_node *svc_policy_of_cluster(svc_call *c, const svc_node *before, const svc_node *body, int64_t clusters)
{
  policy_sizes sizes = { -1, -1, -1 };
  const svc_node *specs = svc_node_get(body, "replicationSpecs"), *spec, *region;
  svc_node *cluster, *context = policy_context_cluster(c, clusters, &cluster);
  if (!context) return NULL;
  for (spec = svc_node_first(specs); spec; spec = spec->next) {
    const svc_node *list = svc_node_get(spec, "regionConfigs");
    for (region = svc_node_first(list); region; region = region->next)
      policy_context_region(c, region, &sizes, svc_node_get(cluster, "cloudProviders"), svc_node_get(cluster, "regions"));
  }
  policy_context_shape(c, cluster, before, body);
  if (sizes.disk >= 0) svc_node_set_i64(c->arena, cluster, "diskSizeGB", sizes.disk);
  if (sizes.least >= 0) svc_node_set_i64(c->arena, cluster, "minGeneralClassInstanceSizeValue", sizes.least);
  if (sizes.most >= 0) svc_node_set_i64(c->arena, cluster, "maxGeneralClassInstanceSizeValue", sizes.most);
  return context;
}

SVC_PRIVATE svc_node *svc_policy_of_flex(svc_call *c, const svc_node *body, int64_t clusters)
{
  const svc_node *settings = svc_node_get(body, "providerSettings");
  svc_str provider = svc_node_str(settings, "backingProviderName"), version = svc_node_str(body, "dbVersion"), major = version;
  policy_sizes sizes = { -1, -1, -1 };
  svc_node *cluster, *context = policy_context_cluster(c, clusters, &cluster);
  if (!context) return NULL;
  policy_context_add(c, svc_node_get(cluster, "cloudProviders"), svc_policy_provider(c->arena, provider));
  policy_context_add(c, svc_node_get(cluster, "regions"), svc_policy_region(c->arena, provider, svc_node_str(settings, "regionName")));
  svc_str_cut(&version, '.');
  svc_str_cut(&version, '.');
  if (version.n) major.n -= version.n + 1; /* 8.0.4: 8.0 */
  if (major.n) svc_node_set_str(c->arena, cluster, "dbMajorVersion", major);
  policy_context_nodes(&sizes, settings);
  if (sizes.disk >= 0) svc_node_set_i64(c->arena, cluster, "diskSizeGB", sizes.disk);
  svc_node_set_text(c->arena, cluster, "minTLSVersion", "tls1_2"); /* flex clusters have no choice */
  svc_node_set_text(c->arena, cluster, "clusterType", "replicaset");
  svc_node_set_bool(c->arena, cluster, "isConvertingToSharded", false);
  svc_node_set_i64(c->arena, cluster, "minShardCount", 1);
  svc_node_set_i64(c->arena, cluster, "maxShardCount", 1);
  return context;
}

SVC_PRIVATE int64_t svc_policy_clusters(svc_call *c, bool one_more)
{
  static const char *const nouns[] = { "cluster", "flex cluster" };
  int64_t n = one_more;
  size_t i;
  for (i = 0; i < 2; i++) {
    const svc_noun_info *noun = svc_noun_named(c->s, nouns[i]);
    if (noun) n += (int64_t)svc_count(c->txn, noun->noun->kind, &c->scope.group);
  }
  return n;
}

/* ------------------------------------------------------------------------------------------------------------- projects */

SVC_PRIVATE svc_node *svc_policy_of_provider(svc_call *c, svc_str provider)
{
  svc_node *project, *context = policy_context_within(c, "project", &project);
  if (context) svc_node_set_str(c->arena, project, "cloudProvider", svc_policy_provider(c->arena, provider));
  return context;
}

SVC_PRIVATE svc_node *svc_policy_of_window(svc_call *c, bool defined)
{
  svc_node *project, *context = policy_context_within(c, "project", &project);
  if (context) svc_node_set_bool(c->arena, project, "hasDefinedMaintenanceWindow", defined);
  return context;
}

SVC_PRIVATE svc_node *svc_policy_of_addresses(svc_call *c, svc_node *addresses)
{
  svc_node *project, *context = policy_context_within(c, "project", &project);
  if (!context) return NULL;
  addresses->name = SVC_S("ipAccessList");
  svc_node_put(c->arena, project, addresses);
  return context;
}

/* Lists the addresses and ranges of the access list in their usual spelling. Security groups are left out. */
SVC_PRIVATE svc_node *svc_policy_addresses(svc_call *c)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "network access entry");
  svc_node *list = policy_context_new(c, SVC_J_ARRAY, "");
  svc_address address;
  svc_scan scan;
  svc_entity e;
  if (!list || !noun) return list;
  svc_below_begin(&scan, c->txn, noun->noun->kind, &c->scope.group);
  while (svc_below_next(&scan, noun->noun->kind, &e))
    if (svc_address_parse(e.unique, &address)) svc_policy_address_add(c, list, svc_address_text(c->arena, &address));
  return list;
}

SVC_PRIVATE void svc_policy_address_add(svc_call *c, svc_node *addresses, svc_str address)
{
  policy_context_add(c, addresses, address);
}

/* ------------------------------------------------------------------------------------------------------------- governed */

SVC_PRIVATE svc_node *svc_policy_endpoint(svc_call *c, const svc_change *change, int *what)
{
  svc_str provider = svc_node_str(change->body, "cloudProvider");
  *what = SVC_POLICY_ENDPOINT;
  return svc_policy_of_provider(c, provider.n ? provider : svc_node_str(change->body, "provider"));
}

/* Policies are not asked when a feature is turned off. */
static svc_node *policy_context_switch(svc_call *c, const svc_change *change, int action, int *what)
{
  svc_node *project;
  *what = svc_node_bool(change->body, "enabled", false) ? action : 0;
  return policy_context_within(c, "project", &project);
}

SVC_PRIVATE svc_node *svc_policy_endpoint_switch(svc_call *c, const svc_change *change, int *what)
{
  return policy_context_switch(c, change, SVC_POLICY_ENDPOINT, what);
}

SVC_PRIVATE svc_node *svc_policy_peering_switch(svc_call *c, const svc_change *change, int *what)
{
  return policy_context_switch(c, change, SVC_POLICY_PEERING, what);
}

/*
** The rules of a cluster that are of more than one of its fields, besides those of its replication specs: database versions,
** what a shared tier cannot have, what only a global cluster has, whose keys it can be encrypted by, and how large all of it
** may be.
*/
#include "catalog/catalog.h"
#include "catalog/db_versions.h"
#include "catalog/deployment/cluster_parts.h"
#include "catalog/security/encryption.h"

enum {
  CLUSTER_RULES_BYTES = 65536, /* of a body: 50 shards fit into it */
  CLUSTER_RULES_FEW = 8        /* so many regions, tags and labels always fit */
};

/* What is the same for all clusters on shared tiers. */
static const char *const cluster_rules_shared[] = { "advancedConfiguration", "backupEnabled", "biConnector",
                                                    "encryptionAtRestProvider", "pitEnabled", "redactClientLogData", NULL };

static int cluster_rules_rank(svc_str major)
{
  size_t i;
  for (i = 0; i < SVC_DB_VERSION_COUNT; i++)
    if (svc_str_is(major, svc_db_versions[i].major)) return (int)i;
  return -1;
}

/* A version must be one of those on offer, and never older than the one it has; one that is no longer on offer may stay.
** Features that are pinned are those of the version before at the oldest. */
static bool cluster_rules_version(svc_call *c, svc_change *change)
{
  svc_str wanted = svc_node_str(change->body, "dbMajorVersion"), held = svc_node_str(change->before, "dbMajorVersion");
  const svc_db_version *v = svc_db_versions;
  svc_str features = svc_node_str(change->body, "featureCompatibilityVersion");
  bool pinned = svc_node_get(change->body, "featureCompatibilityVersionExpirationDate") != NULL;
  int rank;
  if (held.n && svc_str_eq(wanted, held)) return true;
  while (!v->is_default) v++;
  if (!wanted.n) wanted = svc_str_c(v->major);
  rank = cluster_rules_rank(wanted);
  if (rank < 0 || rank < cluster_rules_rank(held) || (pinned && rank > cluster_rules_rank(features) + 1))
    return svc_fail(c, SVC_E_DB_VERSION_INVALID, "S", &wanted);
  v = &svc_db_versions[rank];
  svc_node_set_text(c->arena, change->body, "dbMajorVersion", v->major);
  svc_node_set_text(c->arena, change->body, "dbVersion", v->full);
  if (!pinned)
    svc_node_set_text(c->arena, change->body, "featureCompatibilityVersion", v->major);
  return true;
}

/* ---- shared tiers, global clusters */

static void cluster_rules_tier(svc_call *c, const svc_change *change)
{
  const char *const *name = cluster_rules_shared;
  if (!svc_cluster_is_tenant(change->body)) return;
  for (; *name; name++) {
    const svc_node *value = svc_node_get(change->body, *name);
    const svc_node *usual = svc_preset(c->s, c->arena, svc_field_named(&svc_cluster_object, svc_str_c(*name)));
    if (value && usual && !svc_node_same(value, usual))
      svc_violate(c, SVC_E_TENANT_ATTRIBUTE_READ_ONLY, svc_str_c(*name), "cannot be set on a shared tier");
  }
}

/* Whose keys it is encrypted by, the project has set up. */
static void cluster_rules_keys(svc_call *c, const svc_change *change)
{
  static const char field[] = "encryptionAtRestProvider";
  svc_str is = svc_node_str(change->body, field), was = svc_node_str(change->before, field);
  if (is.n && !svc_str_is(is, "NONE") && !svc_str_eq(is, was) && !svc_encryption_by(c, is))
    svc_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, svc_str_c(field), "must be a provider for which the project has encryption at rest enabled");
}

/* Who shards by himself says so when the cluster becomes a global one. */
static void cluster_rules_global(svc_call *c, const svc_change *change)
{
  static const char field[] = "globalClusterSelfManagedSharding";
  bool is = svc_node_bool(change->body, field, false), was = svc_node_bool(change->before, field, false);
  if (is && !svc_cluster_is(change->body, "clusterType", "GEOSHARDED"))
    svc_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, svc_str_c(field), "is for clusters of type GEOSHARDED");
  if (is != was && svc_cluster_is(change->before, "clusterType", "GEOSHARDED"))
    svc_violate(c, SVC_E_ATTRIBUTE_READ_ONLY, svc_str_c(field), "cannot be changed");
}

/* ---- size */

static size_t cluster_rules_parts(const svc_node *body)
{
  const svc_node *spec = svc_node_first(svc_node_get(body, "replicationSpecs"));
  size_t n = svc_node_count(svc_node_get(body, "tags")) + svc_node_count(svc_node_get(body, "labels"));
  for (; spec; spec = spec->next) n += svc_node_count(svc_node_get(spec, "regionConfigs"));
  return n;
}

/* Whatever it is that makes it large. It is written out for that only where it may be. */
static bool cluster_rules_fits(svc_call *c, const svc_node *body)
{
  size_t links_at;
  svc_str text;
  if (cluster_rules_parts(body) <= CLUSTER_RULES_FEW) return true;
  if (!svc_body_write(c->arena, body, &text, &links_at)) return svc_no_memory(c);
  if (text.n > CLUSTER_RULES_BYTES)
    svc_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, SVC_S("replicationSpecs"),
                "with tags and labels makes the cluster larger than %d bytes", CLUSTER_RULES_BYTES);
  return svc_check_done(c);
}

SVC_PRIVATE bool svc_cluster_rules(svc_call *c, svc_change *change)
{
  if (!change->before && svc_node_bool(change->body, "paused", false))
    return svc_fail(c, SVC_E_CANNOT_CREATE_PAUSED_CLUSTER, "");
  if (!cluster_rules_version(c, change)) return false;
  cluster_rules_tier(c, change);
  cluster_rules_keys(c, change);
  cluster_rules_global(c, change);
  return svc_cluster_specs(c, change) && svc_check_done(c) && cluster_rules_fits(c, change->body);
}

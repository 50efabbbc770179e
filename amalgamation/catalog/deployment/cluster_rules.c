/*
** Rules of a cluster that involve more than one of its fields, except those of its replication specs: database versions,
** limits of shared tiers, fields of global clusters, the provider of encryption keys, and the size of the whole body.
*/
#include "catalog/catalog.h"
#include "catalog/db_versions.h"
#include "catalog/deployment/cluster_parts.h"
#include "catalog/deployment/flex_parts.h"
#include "catalog/security/encryption.h"

enum {
  CLUSTER_RULES_PREFIX = 23,   /* characters in which the names of a project's clusters must differ: aliases of hosts begin with the name */
  CLUSTER_RULES_BYTES = 262144, /* maximum size of a body: 50 shards fit into it */
  CLUSTER_RULES_FEW = 8        /* total of regions, tags and labels up to which a body always fits */
};

/* Fields that must have their default on shared tiers. */
static const char *const cluster_rules_shared[] = { "advancedConfiguration", "backupEnabled", "biConnector",
                                                    "encryptionAtRestProvider", "pitEnabled", "redactClientLogData", NULL };

static int cluster_rules_rank(svc_str major)
{
  size_t i;
  for (i = 0; i < SVC_DB_VERSION_COUNT; i++)
    if (svc_str_is(major, svc_db_versions[i].major)) return (int)i;
  return -1;
}

/* The error lists all offered versions, although a cluster with a newer or a pinned version cannot have all of them. */
static bool cluster_rules_no_version(svc_call *c, svc_str wanted)
{
  const char *majors[SVC_DB_VERSION_COUNT + 1];
  bool once = svc_value_in(c->s, wanted, svc_db_versions_deprecated); /* offered earlier */
  size_t n;
  for (n = 0; n < SVC_DB_VERSION_COUNT; n++) majors[n] = svc_db_versions[n].major;
  majors[n] = NULL;
  return svc_fail_as(c, svc_say(c, SVC_FMT " is %s. dbMajorVersion must be %s, and not lower than that of the cluster.", SVC_ARG(wanted),
                                once ? "a deprecated database version" : "not a database version that can be used here", svc_values_known(c, majors).p),
                     once ? SVC_E_CLUSTER_VERSION_DEPRECATED : SVC_E_DB_VERSION_INVALID, "S", &wanted);
}

/* A new version must be one of the offered ones, and not older than the current one. A version that is no longer offered may
** stay. While the feature compatibility version is pinned, the cluster can be at most one version newer than that. */
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
    return cluster_rules_no_version(c, wanted);
  v = &svc_db_versions[rank];
  svc_node_set_text(c->arena, change->body, "dbMajorVersion", v->major);
  svc_node_set_text(c->arena, change->body, "dbVersion", v->full);
  if (!pinned)
    svc_node_set_text(c->arena, change->body, "featureCompatibilityVersion", v->major);
  return true;
}

/* ---- shared tiers, global clusters */

static bool cluster_rules_free(const svc_node *body)
{
  const svc_node *spec = svc_node_first(svc_node_get(body, "replicationSpecs"));
  const svc_node *region = svc_node_first(svc_node_get(spec, "regionConfigs"));
  return svc_node_is(svc_node_get(region, "electableSpecs"), "instanceSize", "M0");
}

/* Every shared tier except the free one has backups. */
static bool cluster_rules_backed_up(const svc_node *body)
{
  return svc_cluster_is_tenant(body) && !cluster_rules_free(body);
}

static void cluster_rules_tier(svc_call *c, const svc_change *change)
{
  const char *const *name = cluster_rules_shared;
  if (!svc_cluster_is_tenant(change->body)) return;
  if (svc_node_get(change->input, "dbMajorVersion") && svc_change_differs(change, "dbMajorVersion"))
    svc_violate(c, SVC_E_TENANT_ATTRIBUTE_READ_ONLY, SVC_S("dbMajorVersion"), "cannot be set on a shared tier: the service chooses it");
  for (; *name; name++) {
    const svc_node *value = svc_node_get(change->body, *name);
    const svc_node *usual = svc_preset(c->s, c->arena, svc_field_named(&svc_cluster_object, svc_str_c(*name)));
    if (strcmp(*name, "backupEnabled") == 0 && cluster_rules_backed_up(change->body)) continue;
    if (value && usual && !svc_node_same(value, usual))
      svc_violate(c, SVC_E_TENANT_ATTRIBUTE_READ_ONLY, svc_str_c(*name), "cannot be set on a shared tier");
  }
}

/* The project must have encryption at rest enabled for the provider of the cluster's keys. */
static void cluster_rules_keys(svc_call *c, const svc_change *change)
{
  static const char field[] = "encryptionAtRestProvider";
  svc_str is = svc_node_str(change->body, field), was = svc_node_str(change->before, field);
  if (is.n && !svc_str_is(is, "NONE") && !svc_str_eq(is, was) && !svc_encryption_by(c, is))
    svc_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, svc_str_c(field), "must be a provider for which the project has encryption at rest enabled");
}

/* Self-managed sharding is chosen when the cluster becomes a global one, and cannot change later. */
static void cluster_rules_global(svc_call *c, const svc_change *change)
{
  static const char field[] = "globalClusterSelfManagedSharding";
  bool is = svc_node_bool(change->body, field, false), was = svc_node_bool(change->before, field, false);
  if (is && !svc_cluster_is(change->body, "clusterType", "GEOSHARDED"))
    svc_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, svc_str_c(field), "requires a cluster of type GEOSHARDED");
  if (is != was && svc_cluster_is(change->before, "clusterType", "GEOSHARDED"))
    svc_violate(c, SVC_E_ATTRIBUTE_READ_ONLY, svc_str_c(field), "cannot be changed");
}

/* Point-in-time backup requires snapshots. */
static void cluster_rules_backup(svc_call *c, const svc_change *change)
{
  if (svc_node_bool(change->body, "pitEnabled", false) && !svc_node_bool(change->body, "backupEnabled", false) &&
      !svc_cluster_is_tenant(change->body))
    svc_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, SVC_S("pitEnabled"), "must be false if backupEnabled is false");
}

/* ---- rules about other clusters of the project */

/* A project has at most one free cluster. */
static bool cluster_rules_only_free(svc_call *c, const svc_change *change)
{
  svc_str group = svc_id_str(c->arena, &c->scope.group);
  const svc_node *body;
  svc_entity e;
  svc_scan scan;
  if (change->before || !cluster_rules_free(change->body)) return true;
  svc_below_begin(&scan, c->txn, CLUSTER_KIND, &c->scope.group);
  while (svc_below_next(&scan, CLUSTER_KIND, &e)) {
    if (!(body = svc_entity_body(c, &e))) return false;
    if (cluster_rules_free(body)) return svc_fail(c, SVC_E_CANNOT_CREATE_FREE_CLUSTER_VIA_PUBLIC_API, "S", &group);
  }
  return svc_txn_good(c);
}

/* No two clusters or flex clusters of a project have names with the same first 23 characters. */
SVC_PRIVATE bool svc_cluster_name_free(svc_call *c, svc_str name)
{
  static const char *const kinds[] = { CLUSTER_KIND, FLEX_KIND };
  svc_str group = svc_id_str(c->arena, &c->scope.group), prefix;
  svc_entity e;
  svc_scan scan;
  size_t i;
  if (name.n < CLUSTER_RULES_PREFIX) return true;
  prefix = (svc_str){ name.p, CLUSTER_RULES_PREFIX };
  for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    svc_below_begin(&scan, c->txn, kinds[i], &c->scope.group);
    while (svc_below_next(&scan, kinds[i], &e))
      if (e.unique.n >= prefix.n && !svc_str_eq(e.unique, name) && svc_str_eq((svc_str){ e.unique.p, prefix.n }, prefix))
        return svc_fail(c, SVC_E_DUPLICATE_CLUSTER_NAME_PREFIX, "SS", &name, &group);
  }
  return svc_txn_good(c);
}

/* ---- size */

static size_t cluster_rules_parts(const svc_node *body)
{
  const svc_node *spec = svc_node_first(svc_node_get(body, "replicationSpecs"));
  size_t n = svc_node_count(svc_node_get(body, "tags")) + svc_node_count(svc_node_get(body, "labels"));
  for (; spec; spec = spec->next) n += svc_node_count(svc_node_get(spec, "regionConfigs"));
  return n;
}

/* Checks the size of the whole body, as any part can make it large. Writes the body out only if its number of parts makes the
** limit reachable. */
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
  if (cluster_rules_backed_up(change->body)) svc_node_set_bool(c->arena, change->body, "backupEnabled", true);
  cluster_rules_tier(c, change);
  cluster_rules_keys(c, change);
  cluster_rules_global(c, change);
  cluster_rules_backup(c, change);
  if (!change->before && !svc_cluster_name_free(c, svc_node_str(change->body, "name"))) return false;
  return cluster_rules_only_free(c, change) && svc_cluster_specs(c, change) && svc_check_done(c) && cluster_rules_fits(c, change->body);
}

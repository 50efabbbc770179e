/*
** Encryption at rest, for nouns that depend on it or that it depends on. Reads the stored records.
*/
#include "catalog/security/encryption.h"
#include "catalog/cluster/cluster_base.h"

/* Names of the providers in clusters, and the members with their key settings. */
static const char *const encryption_members[][2] = { { "AWS", "awsKms" }, { "AZURE", "azureKeyVault" }, { "GCP", "googleCloudKms" } };

/* Returns the stored settings; empty if never set. */
static svc_str encryption_of(svc_call *c)
{
  static const svc_id none;
  svc_entity e;
  return svc_entity_get(c->txn, ENCRYPTION_KIND, &c->scope.group, &none, &e) == SVC_OK ? e.body : SVC_S("");
}

static bool encryption_says(svc_call *c, svc_str provider, const char *field)
{
  svc_str body = encryption_of(c);
  size_t i;
  for (i = 0; i < sizeof encryption_members / sizeof encryption_members[0] && body.n; i++)
    if (svc_str_is(provider, encryption_members[i][0]))
      return svc_json_is(svc_json_member(body, svc_str_c(encryption_members[i][1])), field, "true");
  return false;
}

SVC_PRIVATE bool svc_encryption_by(svc_call *c, svc_str provider)
{
  return !svc_noun_by_kind(c->s, ENCRYPTION_KIND) || encryption_says(c, provider, "enabled");
}

SVC_PRIVATE bool svc_encryption_private(svc_call *c, svc_str provider)
{
  return encryption_says(c, provider, "requirePrivateNetworking");
}

SVC_PRIVATE bool svc_encryption_of_search(svc_call *c)
{
  svc_str body = encryption_of(c);
  return body.n && svc_json_is(body, "enabledForSearchNodes", "true");
}

static bool encryption_is_in(svc_call *c, const svc_entity *cluster, svc_str provider, svc_str region)
{
  const svc_node *body = svc_entity_body(c, cluster), *specs = svc_node_get(body, "replicationSpecs"), *spec, *one;
  for (spec = svc_node_first(specs); spec; spec = spec->next) {
    const svc_node *regions = svc_node_get(spec, "regionConfigs");
    for (one = svc_node_first(regions); one; one = one->next)
      if (svc_node_eq(one, "providerName", provider) && svc_node_eq(one, "regionName", region)) return true;
  }
  return false;
}

SVC_PRIVATE bool svc_encryption_cluster(svc_call *c, svc_str provider, svc_str region, svc_entity *out)
{
  svc_scan scan;
  svc_below_begin(&scan, c->txn, CLUSTER_KIND, &c->scope.group);
  while (svc_below_next(&scan, CLUSTER_KIND, out)) {
    svc_str by = svc_json_member(out->body, SVC_S("encryptionAtRestProvider"));
    if (by.n != provider.n + 2 || memcmp(by.p + 1, provider.p, provider.n) != 0) continue;
    if (!region.n || encryption_is_in(c, out, provider, region)) return true;
    if (c->error.code) return false;
  }
  return false;
}

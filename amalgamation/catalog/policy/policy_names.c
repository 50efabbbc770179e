/*
** The names in policies: actions, entities, and attributes of the context with their types and the actions that have them.
*/
#include "catalog/policy/policy_reader.h"

static const struct {
  const char *name;
  int bit;
} policy_actions[] = {
  { "cluster.modify", SVC_POLICY_CLUSTER },
  { "cluster.createEdit", SVC_POLICY_CLUSTER }, /* the name in client tools, which write cloud:: */
  { "project.ipAccessList.modify", SVC_POLICY_ACCESS_LIST },
  { "project.maintenanceWindow.modify", SVC_POLICY_MAINTENANCE },
  { "project.vpcPeering.modify", SVC_POLICY_PEERING },
  { "project.privateEndpoint.modify", SVC_POLICY_ENDPOINT },
};

/* Types of entities, and the patterns of their ids. */
static const struct {
  const char *type, *pattern;
} policy_entities[] = {
  { "CloudProvider", "^(aws|azure|gcp)$" },
  { "ClusterType", "^(replicaset|sharded|geosharded)$" },
  { "Organization", "^[0-9a-f]{24}$" },
  { "Project", "^[0-9a-f]{24}$" },
  { "Region", "^(aws|azure|gcp):[a-z0-9-]+$" },
  { "TLSVersion", "^tls1_[0-3]$" },
};

static const struct policy_attribute policy_attributes[] = {
  { "cluster", "cloudProviders", { POLICY_SET, POLICY_ENTITY, "CloudProvider" }, SVC_POLICY_CLUSTER, 3 },
  { "cluster", "clusterType", { POLICY_ENTITY, 0, "ClusterType" }, SVC_POLICY_CLUSTER, 0 },
  { "cluster", "dbMajorVersion", { POLICY_STRING, 0, NULL }, SVC_POLICY_CLUSTER, 0 },
  { "cluster", "diskSizeGB", { POLICY_LONG, 0, NULL }, SVC_POLICY_CLUSTER, 0 },
  { "cluster", "isConvertingToSharded", { POLICY_BOOL, 0, NULL }, SVC_POLICY_CLUSTER, 0 },
  { "cluster", "maxGeneralClassInstanceSizeValue", { POLICY_LONG, 0, NULL }, SVC_POLICY_CLUSTER, 0 },
  { "cluster", "maxShardCount", { POLICY_LONG, 0, NULL }, SVC_POLICY_CLUSTER, 0 },
  { "cluster", "minGeneralClassInstanceSizeValue", { POLICY_LONG, 0, NULL }, SVC_POLICY_CLUSTER, 0 },
  { "cluster", "minShardCount", { POLICY_LONG, 0, NULL }, SVC_POLICY_CLUSTER, 0 },
  { "cluster", "minTLSVersion", { POLICY_ENTITY, 0, "TLSVersion" }, SVC_POLICY_CLUSTER, 0 },
  { "cluster", "regions", { POLICY_SET, POLICY_ENTITY, "Region" }, SVC_POLICY_CLUSTER, 256 },
  { "project", "cloudProvider", { POLICY_ENTITY, 0, "CloudProvider" }, SVC_POLICY_PEERING | SVC_POLICY_ENDPOINT, 0 },
  { "project", "clustersInProject", { POLICY_LONG, 0, NULL }, SVC_POLICY_CLUSTER, 0 },
  { "project", "hasDefinedMaintenanceWindow", { POLICY_BOOL, 0, NULL }, SVC_POLICY_MAINTENANCE, 0 },
  { "project", "ipAccessList", { POLICY_SET, POLICY_IP, NULL }, SVC_POLICY_ACCESS_LIST, 200 },
};

/* Parses ResourcePolicy::Type::"id": returns its type; r->word is the id. Client tools write cloud::, and types with a lowercase
** initial. */
static bool policy_entity_name(policy_reader *r, svc_str *type)
{
  if (!svc_policy_take(r, "cloud") && !svc_policy_want(r, "ResourcePolicy")) return false;
  if (!svc_policy_want(r, "::")) return false;
  *type = r->word;
  if (r->token != POLICY_WORD) return svc_policy_wrong(r, "expected the type of an entity") != NULL;
  svc_policy_next(r);
  if (!svc_policy_want(r, "::")) return false;
  return r->token == POLICY_TEXT || svc_policy_wrong(r, "expected the id of an entity, in quotes") != NULL;
}

static bool policy_type_is(svc_str name, const char *type)
{
  return name.n && (name.p[0] | 0x20) == (type[0] | 0x20) && svc_str_is((svc_str){ name.p + 1, name.n - 1 }, type + 1);
}

SVC_PRIVATE policy_node *svc_policy_entity(policy_reader *r)
{
  size_t from = r->from, i = 0;
  policy_type type = { POLICY_ENTITY, 0, NULL };
  policy_node *node;
  svc_str name;
  if (!policy_entity_name(r, &name)) return NULL;
  while (i < POLICY_COUNT(policy_entities) && !policy_type_is(name, policy_entities[i].type)) i++;
  if (i == POLICY_COUNT(policy_entities)) {
    r->from = from;
    return svc_policy_wrong(r, "there is no such type of entities");
  }
  if (!svc_pattern_match(policy_entities[i].pattern, r->word)) return svc_policy_wrong(r, "there is no entity of this id");
  type.entity = policy_entities[i].type;
  node = svc_policy_new(r, POLICY_CONSTANT, type);
  if (node) node->text = r->word;
  svc_policy_next(r);
  return node;
}

SVC_PRIVATE int svc_policy_action(policy_reader *r)
{
  svc_str type;
  size_t i;
  if (!policy_entity_name(r, &type)) return 0;
  for (i = 0; i < POLICY_COUNT(policy_actions); i++)
    if (svc_str_is(type, "Action") && svc_str_is(r->word, policy_actions[i].name)) {
      svc_policy_next(r);
      return policy_actions[i].bit;
    }
  svc_policy_wrong(r, "there is no such action");
  return 0;
}

SVC_PRIVATE const struct policy_attribute *svc_policy_attribute_named(policy_reader *r, svc_str of)
{
  size_t i;
  for (i = 0; i < POLICY_COUNT(policy_attributes); i++) {
    const struct policy_attribute *found = &policy_attributes[i];
    if (!svc_str_is(of, found->of) || r->token != POLICY_WORD || !svc_str_is(r->word, found->name)) continue;
    if (found->actions & r->actions) return found;
    return svc_policy_wrong(r, "the action has no such attribute");
  }
  return svc_policy_wrong(r, "there is no such attribute");
}

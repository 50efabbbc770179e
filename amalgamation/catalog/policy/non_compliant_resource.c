/*
** What does not comply with the resource policies of its organization, though it is there: it was there before the policy, or a
** driver has brought it about. Found when it is asked for, from what exists, by the words by which a request would be refused.
*/
#include "catalog/policy/policy_language.h"

static const char *const non_compliant_resource_types[] = { "DEPRECATED_PROJECT", "DEPRECATED_CLUSTER", "PROJECT", "CLUSTER", NULL };

static const svc_field non_compliant_resource_one_fields[] = { F_HEX24("policyId", .flags = SVC_READ_ONLY) };
static const svc_object non_compliant_resource_one = { .name = "ApiSvcPolicyMetadataView", .fields = SVC_ROWS(non_compliant_resource_one_fields) };
static const svc_field non_compliant_resource_policy_fields[] = {
  F_LIST("policiesCausingNonCompliance", &non_compliant_resource_one, .flags = SVC_READ_ONLY),
  F_HEX24("resourcePolicyId", .flags = SVC_READ_ONLY), F_STR("resourcePolicyName", .flags = SVC_READ_ONLY)
};
static const svc_object non_compliant_resource_policy = {
  .name = "ApiSvcResourcePolicyMetadataView", .fields = SVC_ROWS(non_compliant_resource_policy_fields)
};
static const svc_field non_compliant_resource_fields[] = {
  F_HEX24("orgId", .flags = SVC_READ_ONLY), F_HEX24("resourceId", .flags = SVC_READ_ONLY), F_STR("resourceName", .flags = SVC_READ_ONLY),
  F_LIST("resourcePoliciesCausingNonCompliance", &non_compliant_resource_policy, .flags = SVC_READ_ONLY),
  F_ENUM("resourceType", non_compliant_resource_types, .flags = SVC_READ_ONLY)
};
static const svc_object non_compliant_resource_object = {
  .name = "ApiSvcNonCompliantResourceView", .fields = SVC_ROWS(non_compliant_resource_fields)
};

static bool non_compliant_resource_list(svc_call *c);

static const svc_route non_compliant_resource_routes[] = {
  { .method = SVC_GET, .path = "/orgs/{orgId}/nonCompliantResources", .set = SVC_SET_RESOURCE_POLICIES, .versions = SVC_VERSIONS(20240805),
    .roles = SVC_R_ORG_MEMBER, .flags = SVC_BARE, .op = "getNonCompliantResources", .run = non_compliant_resource_list }
};

/* ------------------------------------------------------------------------------------------------------------- resources */

typedef struct non_compliant_search {
  svc_policy_rules rules;
  svc_node *found;
  svc_node *project, *clusters; /* what was found of the project that is looked at */
} non_compliant_search;

static svc_node *non_compliant_list_in(svc_call *c, svc_node *object, const char *name)
{
  svc_node *list = svc_node_array(c->arena, name);
  if (list) svc_node_put(c->arena, object, list);
  return list;
}

/* The entry of a resource policy among those of a resource. */
static svc_node *non_compliant_policy(svc_call *c, svc_node *policies, const svc_policy_rule *rule)
{
  svc_node *one = policies->first;
  while (one && !svc_node_eq(one, "resourcePolicyId", rule->policy)) one = one->next;
  if (one) return svc_node_get(one, "policiesCausingNonCompliance");
  one = svc_node_object(c->arena, NULL);
  if (!one) return NULL;
  svc_node_set_str(c->arena, one, "resourcePolicyId", rule->policy);
  svc_node_set_str(c->arena, one, "resourcePolicyName", rule->name);
  svc_node_append(policies, one);
  return non_compliant_list_in(c, one, "policiesCausingNonCompliance");
}

static bool non_compliant_has(const svc_node *list, svc_str id)
{
  const svc_node *one = list->first;
  while (one && !svc_node_eq(one, "policyId", id)) one = one->next;
  return one != NULL;
}

/* Ask all policies; `found` is made by the first that forbids it. */
static bool non_compliant_ask(svc_call *c, const svc_policy_rules *rules, int action, const svc_node *context, svc_node **found)
{
  svc_str group = svc_id_str(c->arena, &c->scope.group), org = svc_id_str(c->arena, &c->scope.org);
  size_t i;
  for (i = 0; i < rules->count; i++) {
    svc_node *one, *list;
    if (!svc_policy_forbids(rules->rules[i].read, action, group, org, context, NULL)) continue;
    if (!*found) *found = svc_node_object(c->arena, NULL);
    list = *found ? svc_node_get(*found, "resourcePoliciesCausingNonCompliance") : NULL;
    if (*found && !list) list = non_compliant_list_in(c, *found, "resourcePoliciesCausingNonCompliance");
    list = list ? non_compliant_policy(c, list, &rules->rules[i]) : NULL;
    if (list && non_compliant_has(list, rules->rules[i].id)) continue; /* by another thing that the project has */
    one = list ? svc_node_object(c->arena, NULL) : NULL;
    if (!one) return svc_no_memory(c);
    svc_node_set_str(c->arena, one, "policyId", rules->rules[i].id);
    svc_node_append(list, one);
  }
  return true;
}

static void non_compliant_name(svc_call *c, svc_node *found, const svc_id *id, svc_str name, const char *type)
{
  svc_node_set_id(c->arena, found, "orgId", &c->scope.org);
  svc_node_set_id(c->arena, found, "resourceId", id);
  svc_node_set_str(c->arena, found, "resourceName", svc_arena_copy(c->arena, name));
  svc_node_set_text(c->arena, found, "resourceType", type);
}

static bool non_compliant_visit(svc_call *c, void *state, int action, const svc_node *context, const svc_entity *of)
{
  non_compliant_search *s = state;
  svc_node *cluster = NULL;
  if (action != SVC_POLICY_CLUSTER) return non_compliant_ask(c, &s->rules, action, context, &s->project);
  if (!non_compliant_ask(c, &s->rules, action, context, &cluster)) return false;
  if (cluster) non_compliant_name(c, cluster, &of->id, of->unique, "CLUSTER");
  if (cluster) svc_node_append(s->clusters, cluster);
  return true;
}

/* The project, then its clusters. */
static bool non_compliant_project(svc_call *c, non_compliant_search *s, const svc_entity *project)
{
  svc_node *one, *next;
  c->scope.group = project->id;
  s->project = NULL;
  s->clusters = svc_node_array(c->arena, NULL);
  if (!s->clusters) return svc_no_memory(c);
  if (!svc_policies_visit(c, non_compliant_visit, s)) return false;
  if (s->project) non_compliant_name(c, s->project, &project->id, project->unique, "PROJECT");
  if (s->project) svc_node_append(s->found, s->project);
  for (one = s->clusters->first; one; one = next) {
    next = one->next;
    one->next = NULL;
    svc_node_append(s->found, one);
  }
  return true;
}

static bool non_compliant_resource_list(svc_call *c)
{
  non_compliant_search s;
  const svc_node *first;
  svc_scan scan;
  svc_entity e;
  memset(&s, 0, sizeof s);
  s.found = svc_node_array(c->arena, NULL);
  if (!s.found) return svc_no_memory(c);
  if (!svc_policies_read(c, &c->scope.org, &s.rules)) return false;
  if (s.rules.count && c->s->group) {
    const char *kind = c->s->group->noun->kind;
    svc_below_begin(&scan, c->txn, kind, &c->scope.org);
    while (svc_below_next(&scan, kind, &e))
      if (!non_compliant_project(c, &s, &e)) return false;
    memset(&c->scope.group, 0, sizeof c->scope.group);
  }
  first = s.found->first;
  return svc_txn_good(c) && svc_list_items(c, svc_told_next, &first, (int64_t)svc_node_count(s.found));
}

SVC_PRIVATE const svc_noun svc_noun_non_compliant_resource = {
  .name = "non-compliant resource",
  .rel = "nonCompliantResources",
  .flags = SVC_VIRTUAL,
  .object = &non_compliant_resource_object,
  .routes = SVC_ROUTES(non_compliant_resource_routes),
};

/*
** What does not comply with the resource policies of its organization, though it is there: it was there before the policy, or a
** driver has brought it about. Found when it is asked for, from what exists, by the words by which a request would be refused.
*/
#include "catalog/policy/policy_language.h"

static const char *const non_compliant_resource_types[] = { "DEPRECATED_PROJECT", "DEPRECATED_CLUSTER", "PROJECT", "CLUSTER", NULL };

static const svc_field non_compliant_resource_one_fields[] = { F_HEX24("policyId", .flags = SVC_READ_ONLY), F_END };
static const svc_object non_compliant_resource_one = { .name = "ApiSvcPolicyMetadataView", .fields = non_compliant_resource_one_fields };
static const svc_field non_compliant_resource_policy_fields[] = {
  F_LIST("policiesCausingNonCompliance", &non_compliant_resource_one, .flags = SVC_READ_ONLY),
  F_HEX24("resourcePolicyId", .flags = SVC_READ_ONLY), F_STR("resourcePolicyName", .flags = SVC_READ_ONLY), F_END
};
static const svc_object non_compliant_resource_policy = {
  .name = "ApiSvcResourcePolicyMetadataView", .fields = non_compliant_resource_policy_fields
};
static const svc_field non_compliant_resource_fields[] = {
  F_HEX24("orgId", .flags = SVC_READ_ONLY), F_HEX24("resourceId", .flags = SVC_READ_ONLY), F_STR("resourceName", .flags = SVC_READ_ONLY),
  F_LIST("resourcePoliciesCausingNonCompliance", &non_compliant_resource_policy, .flags = SVC_READ_ONLY),
  F_ENUM("resourceType", non_compliant_resource_types, .flags = SVC_READ_ONLY), F_END
};
static const svc_object non_compliant_resource_object = {
  .name = "ApiSvcNonCompliantResourceView", .fields = non_compliant_resource_fields
};

static bool non_compliant_resource_list(svc_call *c);

static const svc_route non_compliant_resource_routes[] = {
  { .method = SVC_GET, .path = "/orgs/{orgId}/nonCompliantResources", .set = SVC_SET_RESOURCE_POLICIES, .versions = { 20240805 },
    .roles = SVC_R_ORG_MEMBER, .flags = SVC_BARE, .run = non_compliant_resource_list },
  SVC_ROUTES_END
};

/* ------------------------------------------------------------------------------------------------------------ policies */

/* All of the organization, read once. */
typedef struct non_compliant_rule {
  svc_str policy, policy_name, id;
  const svc_policy *read;
} non_compliant_rule;

typedef struct non_compliant_search {
  svc_call *c;
  non_compliant_rule *rules;
  size_t count, room;
  svc_node *found;
} non_compliant_search;

static bool non_compliant_rules_of(non_compliant_search *s, const svc_entity *e)
{
  svc_call *c = s->c;
  const svc_node *body = svc_entity_body(c, e), *list = svc_node_get(body, "policies"), *one;
  svc_str why;
  if (!body) return false;
  for (one = list ? list->first : NULL; one && s->count < s->room; one = one->next) {
    non_compliant_rule *rule = &s->rules[s->count];
    rule->read = svc_policy_read(c->arena, svc_node_str(one, "body"), &why);
    rule->policy = svc_id_str(c->arena, &e->id);
    rule->policy_name = svc_node_str(body, "name");
    rule->id = svc_node_str(one, "id");
    if (rule->read) s->count++;
  }
  return !c->arena->failed || svc_no_memory(c);
}

static bool non_compliant_rules(non_compliant_search *s)
{
  svc_call *c = s->c;
  svc_scan scan;
  svc_entity e;
  s->room = 5 * (size_t)svc_count(c->txn, SVC_POLICY_KIND, &c->scope.org);
  s->rules = svc_arena_zero(c->arena, (s->room + 1) * sizeof *s->rules);
  if (!s->rules) return svc_no_memory(c);
  svc_below_begin(&scan, c->txn, SVC_POLICY_KIND, &c->scope.org);
  while (svc_below_next(&scan, SVC_POLICY_KIND, &e))
    if (!non_compliant_rules_of(s, &e)) return false;
  return svc_txn_good(c);
}

/* ------------------------------------------------------------------------------------------------------------- resources */

static svc_node *non_compliant_list_in(svc_call *c, svc_node *object, const char *name)
{
  svc_node *list = svc_node_new(c->arena, SVC_J_ARRAY, svc_str_c(name), SVC_S(""));
  if (list) svc_node_put(c->arena, object, list);
  return list;
}

/* The entry of a resource policy among those of a resource: the last one, as they come in their order. */
static svc_node *non_compliant_policy(svc_call *c, svc_node *policies, const non_compliant_rule *rule)
{
  svc_node *one = policies->first;
  while (one && !svc_str_eq(svc_node_str(one, "resourcePolicyId"), rule->policy)) one = one->next;
  if (one) return svc_node_get(one, "policiesCausingNonCompliance");
  one = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  if (!one) return NULL;
  svc_node_set_str(c->arena, one, "resourcePolicyId", rule->policy);
  svc_node_set_str(c->arena, one, "resourcePolicyName", rule->policy_name);
  svc_node_append(policies, one);
  return non_compliant_list_in(c, one, "policiesCausingNonCompliance");
}

/* Ask all policies; `found` is made by the first that forbids it. */
static bool non_compliant_ask(non_compliant_search *s, int action, const svc_node *context, svc_node **found)
{
  svc_call *c = s->c;
  svc_str group = svc_id_str(c->arena, &c->scope.group), org = svc_id_str(c->arena, &c->scope.org);
  size_t i;
  if (!context) return c->error.code ? false : svc_no_memory(c);
  for (i = 0; i < s->count; i++) {
    svc_node *one, *list;
    if (!svc_policy_forbids(c->arena, s->rules[i].read, action, group, org, context)) continue;
    if (!*found) *found = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
    list = *found ? svc_node_get(*found, "resourcePoliciesCausingNonCompliance") : NULL;
    if (*found && !list) list = non_compliant_list_in(c, *found, "resourcePoliciesCausingNonCompliance");
    list = list ? non_compliant_policy(c, list, &s->rules[i]) : NULL;
    one = list ? svc_node_new(c->arena, SVC_J_OBJECT, SVC_S(""), SVC_S("")) : NULL;
    if (!one) return svc_no_memory(c);
    svc_node_set_str(c->arena, one, "policyId", s->rules[i].id);
    svc_node_append(list, one);
  }
  return true;
}

static void non_compliant_add(non_compliant_search *s, svc_node *found, const svc_id *id, svc_str name, const char *type)
{
  svc_call *c = s->c;
  if (!found) return;
  svc_node_set_str(c->arena, found, "orgId", svc_id_str(c->arena, &c->scope.org));
  svc_node_set_str(c->arena, found, "resourceId", svc_id_str(c->arena, id));
  svc_node_set_str(c->arena, found, "resourceName", svc_arena_copy(c->arena, name));
  svc_node_set_str(c->arena, found, "resourceType", svc_str_c(type));
  svc_node_append(s->found, found);
}

static bool non_compliant_clusters(non_compliant_search *s, const char *noun, bool flex)
{
  svc_call *c = s->c;
  const svc_noun_info *info = svc_noun_named(c->s, noun);
  int64_t clusters = svc_policy_clusters(c, false);
  svc_scan scan;
  svc_entity e;
  if (!info) return true;
  svc_below_begin(&scan, c->txn, info->noun->kind, &c->scope.group);
  while (svc_below_next(&scan, info->noun->kind, &e)) {
    const svc_node *body = svc_entity_body(c, &e);
    svc_node *found = NULL;
    if (!body) return false;
    if (!non_compliant_ask(s, SVC_POLICY_CLUSTER, flex ? svc_policy_of_flex(c, body, clusters) : svc_policy_of_cluster(c, body, body, clusters), &found))
      return false;
    non_compliant_add(s, found, &e.id, e.unique, "CLUSTER");
  }
  return svc_txn_good(c);
}

static bool non_compliant_project(non_compliant_search *s, const svc_entity *project)
{
  static const svc_id none;
  svc_call *c = s->c;
  const svc_noun_info *windows = svc_noun_named(c->s, "maintenance window");
  svc_node *found = NULL, *addresses = svc_policy_addresses(c);
  svc_entity window;
  bool defined = windows && svc_entity_get(c->txn, windows->noun->kind, &project->id, &none, &window) == SVC_OK;
  if (!addresses) return c->error.code ? false : svc_no_memory(c);
  if (!non_compliant_ask(s, SVC_POLICY_ACCESS_LIST, svc_policy_of_addresses(c, addresses), &found)) return false;
  if (!non_compliant_ask(s, SVC_POLICY_MAINTENANCE, svc_policy_of_window(c, defined), &found)) return false;
  non_compliant_add(s, found, &project->id, project->unique, "PROJECT");
  return non_compliant_clusters(s, "cluster", false) && non_compliant_clusters(s, "flex cluster", true);
}

static bool non_compliant_resource_list(svc_call *c)
{
  non_compliant_search s = { c, NULL, 0, 0, svc_node_new(c->arena, SVC_J_ARRAY, SVC_S(""), SVC_S("")) };
  const svc_node *first;
  svc_scan scan;
  svc_entity e;
  if (!s.found) return svc_no_memory(c);
  if (!svc_resolve_all(c) || !non_compliant_rules(&s)) return false;
  if (s.count && c->s->group) {
    const char *kind = c->s->group->noun->kind;
    svc_below_begin(&scan, c->txn, kind, &c->scope.org);
    while (svc_below_next(&scan, kind, &e)) {
      c->scope.group = e.id;
      if (!non_compliant_project(&s, &e)) return false;
    }
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
  .routes = non_compliant_resource_routes,
};

/*
** All that policies can be asked of in one project, as it is: whatever is `governed` and lies right below it, its access list, and
** its maintenance window. So what is found not to comply, and what a project may not bring along into another organization, is
** known by the same column as what a request may not do.
*/
#include "catalog/policy/policy_language.h"

static bool policy_project_rules(svc_call *c, svc_policy_rules *out, const svc_entity *e)
{
  const svc_node *body = svc_entity_body(c, e), *list = svc_node_get(body, "policies"), *one;
  svc_str why;
  if (!body) return false;
  for (one = svc_node_first(list); one && out->count < out->room; one = one->next) {
    svc_policy_rule *rule = &out->rules[out->count];
    rule->read = svc_policy_read(c->arena, svc_node_str(one, "body"), &why);
    rule->policy = svc_id_str(c->arena, &e->id);
    rule->name = svc_node_str(body, "name");
    rule->id = svc_node_str(one, "id");
    if (rule->read) out->count++;
  }
  return !c->arena->failed || svc_no_memory(c);
}

SVC_PRIVATE bool svc_policies_read(svc_call *c, const svc_id *org, svc_policy_rules *out)
{
  svc_scan scan;
  svc_entity e;
  memset(out, 0, sizeof *out);
  out->room = SVC_POLICY_BODIES * svc_count_room(c->txn, SVC_POLICY_KIND, org, SVC_POLICY_BODIES * sizeof *out->rules);
  out->rules = svc_arena_zero(c->arena, (out->room + 1) * sizeof *out->rules);
  if (!out->rules) return svc_no_memory(c);
  svc_below_begin(&scan, c->txn, SVC_POLICY_KIND, org);
  while (svc_below_next(&scan, SVC_POLICY_KIND, &e))
    if (!policy_project_rules(c, out, &e)) return false;
  return svc_txn_good(c);
}

/* ------------------------------------------------------------------------------------------------------------- what there is */

static bool policy_project_tell(svc_call *c, svc_policy_visit visit, void *state, int action, const svc_node *context,
                                const svc_entity *of)
{
  if (!context) return svc_failed(c);
  return action == 0 || visit(c, state, action, context, of);
}

/* Those of one noun, each as a change that changes nothing. */
static bool policy_project_noun(svc_call *c, const svc_noun_info *noun, svc_policy_visit visit, void *state)
{
  svc_scan scan;
  svc_entity e;
  svc_below_begin(&scan, c->txn, noun->noun->kind, &c->scope.group);
  while (svc_below_next(&scan, noun->noun->kind, &e)) {
    svc_change as_it_is;
    int action = 0;
    const svc_node *context;
    memset(&as_it_is, 0, sizeof as_it_is);
    as_it_is.noun = noun;
    as_it_is.entity = e;
    as_it_is.stored = true;
    as_it_is.body = svc_entity_body(c, &e);
    as_it_is.before = as_it_is.body;
    if (!as_it_is.body) return false;
    context = noun->noun->governed(c, &as_it_is, &action);
    if (!policy_project_tell(c, visit, state, action, context, &e)) return false;
  }
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_policies_visit(svc_call *c, svc_policy_visit visit, void *state)
{
  static const svc_id none;
  const svc_noun_info *windows = svc_noun_named(c->s, "maintenance window");
  svc_node *addresses = svc_policy_addresses(c);
  svc_entity window;
  size_t i;
  if (!addresses) return svc_failed(c);
  if (!policy_project_tell(c, visit, state, SVC_POLICY_ACCESS_LIST, svc_policy_of_addresses(c, addresses), NULL)) return false;
  if (!windows || svc_entity_get(c->txn, windows->noun->kind, &c->scope.group, &none, &window) == SVC_NOT_FOUND) {
    if (!policy_project_tell(c, visit, state, SVC_POLICY_MAINTENANCE, svc_policy_of_window(c, false), NULL)) return false;
  }
  for (i = 0; i < c->s->noun_count; i++)
    if (c->s->nouns[i].noun->governed && c->s->nouns[i].parent == c->s->group && !policy_project_noun(c, &c->s->nouns[i], visit, state))
      return false;
  return svc_txn_good(c);
}

/* --------------------------------------------------------------------------------------------------------------- moving */

static bool policy_project_refuse(svc_call *c, void *state, int action, const svc_node *context, const svc_entity *of)
{
  const svc_policy_rules *rules = state;
  svc_str group = svc_id_str(c->arena, &c->scope.group), org = svc_id_str(c->arena, &c->scope.org);
  size_t i;
  (void)of;
  for (i = 0; i < rules->count; i++)
    if (svc_policy_forbids(rules->rules[i].read, action, group, org, context, NULL))
      return svc_fail(c, SVC_E_RESOURCE_POLICIES_VIOLATION_NOT_AUTHORIZED, "S", &rules->rules[i].name);
  return true;
}

SVC_PRIVATE bool svc_policies_admit(svc_call *c, const svc_id *org)
{
  const svc_scope outer = c->scope;
  svc_policy_rules rules;
  bool good;
  if (!svc_policies_read(c, org, &rules)) return false;
  if (rules.count == 0) return true;
  c->scope.org = *org;
  good = svc_policies_visit(c, policy_project_refuse, &rules);
  c->scope = outer;
  return good;
}

/*
** Everything in one project that policies can be asked about, in its present state: entities with the column `governed`
** directly below the project, its access list, and its maintenance window. The same column also refuses requests. So it
** decides which resources do not comply, and which projects may move to another organization.
*/
#include "catalog/policy/policy_language.h"

/* ------------------------------------------------------------------------------------------------------------- resources of a project */

static bool policy_project_tell(svc_call *c, svc_policy_visit visit, void *state, int action, const svc_node *context,
                                const svc_entity *of)
{
  if (!context) return svc_failed(c);
  return action == 0 || visit(c, state, action, context, of);
}

/* Asks about an entity, as a change that changes nothing. */
static bool policy_project_entity(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_policy_visit visit, void *state)
{
  svc_change as_it_is;
  int action = 0;
  const svc_node *context;
  memset(&as_it_is, 0, sizeof as_it_is);
  as_it_is.noun = noun;
  as_it_is.entity = *e;
  as_it_is.stored = true;
  as_it_is.body = svc_entity_body(c, e);
  as_it_is.before = as_it_is.body;
  if (!as_it_is.body) return false;
  context = svc_noun_ext_of(noun->noun)->governed(c, &as_it_is, &action);
  return policy_project_tell(c, visit, state, action, context, e);
}

/* Visits the entities of one noun after place->after. */
static bool policy_project_noun(svc_call *c, const svc_noun_info *noun, svc_policy_visit visit, void *state, svc_policy_place *place,
                                const int64_t *budget, bool *through)
{
  svc_scan scan;
  svc_entity e;
  svc_key last;
  svc_below_begin(&scan, c->txn, noun->noun->kind, &c->scope.group);
  if (!svc_id_is_zero(&place->after)) {
    svc_key_entity(&last, noun->noun->kind, &c->scope.group, &place->after);
    svc_key_behind(&scan.from, &last);
  }
  while (svc_below_next(&scan, noun->noun->kind, &e)) {
    if (!policy_project_entity(c, noun, &e, visit, state)) return false;
    place->after = e.id;
    *through = !budget || *budget > 0;
    if (!*through) return true;
  }
  return svc_txn_good(c);
}

static bool policy_project_own(svc_call *c, svc_policy_visit visit, void *state)
{
  static const svc_id none;
  const svc_noun_info *windows = svc_noun_named(c->s, "maintenance window");
  svc_node *addresses = svc_policy_addresses(c);
  svc_entity window;
  if (!addresses) return svc_failed(c);
  if (!policy_project_tell(c, visit, state, SVC_POLICY_ACCESS_LIST, svc_policy_of_addresses(c, addresses), NULL)) return false;
  if (windows && svc_entity_get(c->txn, windows->noun->kind, &c->scope.group, &none, &window) != SVC_NOT_FOUND) return svc_txn_good(c);
  return policy_project_tell(c, visit, state, SVC_POLICY_MAINTENANCE, svc_policy_of_window(c, false), NULL);
}

SVC_PRIVATE bool svc_policies_visit(svc_call *c, svc_policy_visit visit, void *state, svc_policy_place *place, const int64_t *budget, bool *through)
{
  *through = true;
  if (place->noun == 0 && !policy_project_own(c, visit, state)) return false;
  if (place->noun == 0) place->noun = 1;
  for (; *through && place->noun <= c->s->noun_count; place->noun++) {
    const svc_noun_info *noun = &c->s->nouns[place->noun - 1];
    if (!svc_noun_ext_of(noun->noun)->governed || noun->parent != c->s->group) continue;
    if (!policy_project_noun(c, noun, visit, state, place, budget, through)) return false;
    if (!*through) return true;
    memset(&place->after, 0, sizeof place->after);
  }
  return svc_txn_good(c);
}

/* --------------------------------------------------------------------------------------------------------------- moving */

static bool policy_project_refuse(svc_call *c, void *state, int action, const svc_node *context, const svc_entity *of)
{
  const svc_policy_rules *rules = state;
  svc_str group = svc_id_str(c->arena, &c->scope.group), org = svc_id_str(c->arena, &c->scope.org), name;
  size_t i;
  (void)of;
  for (i = 0; i < rules->count; i++) {
    if (!svc_policy_forbids(rules->rules[i].read, action, group, org, context, NULL)) continue;
    name = svc_arena_copy(c->arena, rules->rules[i].name);
    return svc_fail(c, SVC_E_RESOURCE_POLICIES_VIOLATION_NOT_AUTHORIZED, "S", &name);
  }
  return true;
}

SVC_PRIVATE bool svc_policies_admit(svc_call *c, const svc_id *org)
{
  const svc_scope outer = c->scope;
  svc_policy_place all;
  svc_policy_rules rules;
  bool good = true, through;
  if (!svc_policies_read(c, org, &rules)) return false;
  memset(&all, 0, sizeof all);
  c->scope.org = *org;
  if (rules.count) good = svc_policies_visit(c, policy_project_refuse, &rules, &all, NULL, &through);
  c->scope = outer;
  svc_policies_leave(c, &rules);
  return good;
}

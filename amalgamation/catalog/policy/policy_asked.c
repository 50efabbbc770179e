/*
** The policies of an organization, asked about something that is wanted.
**
** There are few of them and they are small (resource_policy.c), so they are read anew each time; where there are none, that is one
** look at a count.
*/
#include "catalog/policy/policy_language.h"

SVC_PRIVATE bool svc_policies_any(svc_call *c)
{
  return svc_count(c->txn, SVC_POLICY_KIND, &c->scope.org) > 0;
}

/* before NULL: it is not about what is left of that. */
static bool policy_asked_one(svc_call *c, const svc_entity *e, int action, const svc_node *before, const svc_node *context)
{
  const svc_node *body = svc_entity_body(c, e), *list = svc_node_get(body, "policies"), *one;
  svc_str group = svc_id_str(c->arena, &c->scope.group), org = svc_id_str(c->arena, &c->scope.org), name, why;
  if (!body) return false;
  for (one = svc_node_first(list); one; one = one->next) {
    const svc_policy *policy = svc_policy_read(c->arena, svc_node_str(one, "body"), &why);
    if (c->arena->failed) return svc_no_memory(c);
    if (!policy || !svc_policy_forbids(policy, action, group, org, context, NULL)) continue;
    if (before && !svc_policy_is_free(policy) && svc_policy_forbids(policy, action, group, org, before, NULL)) continue;
    name = svc_node_str(body, "name");
    return svc_fail(c, SVC_E_RESOURCE_POLICIES_VIOLATION_NOT_AUTHORIZED, "S", &name);
  }
  return true;
}

static bool policy_asked_all(svc_call *c, int action, const svc_node *before, const svc_node *context)
{
  svc_entity e;
  svc_scan scan;
  if (!svc_policies_any(c)) return svc_txn_good(c);
  if (!context) return svc_failed(c);
  svc_below_begin(&scan, c->txn, SVC_POLICY_KIND, &c->scope.org);
  while (svc_below_next(&scan, SVC_POLICY_KIND, &e))
    if (!policy_asked_one(c, &e, action, before, context)) return false;
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_policies_allow(svc_call *c, int action, const svc_node *context)
{
  return policy_asked_all(c, action, NULL, context);
}

SVC_PRIVATE bool svc_policies_allow_left(svc_call *c, int action, const svc_node *before, const svc_node *left)
{
  return before ? policy_asked_all(c, action, before, left) : svc_failed(c);
}

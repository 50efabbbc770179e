/*
** Asks the policies of an organization about a change.
**
** Parsing the texts takes far longer than asking them, so parsed policies are cached (pipeline/kept.c) until one of them
** changes: each request compares a hash of their records. An organization without policies costs one read of a count.
*/
#include "catalog/policy/policy_language.h"

SVC_PRIVATE bool svc_policies_any(svc_call *c)
{
  return svc_count(c->txn, SVC_POLICY_KIND, &c->scope.org) > 0;
}

/* ----------------------------------------------------------------------------------------------------------------- kept */

/* Parses the policies of one resource policy. The texts are copied, because pointers into the store end with the transaction. */
static bool policy_enforce_rules(svc_call *c, svc_policy_rules *out, svc_arena *a, const svc_entity *e)
{
  const svc_node *body = svc_entity_body(c, e), *list = svc_node_get(body, "policies"), *one;
  svc_str policy = svc_id_str(a, &e->id), name = svc_arena_copy(a, svc_node_str(body, "name")), why;
  if (!body) return false;
  for (one = svc_node_first(list); one && out->count < out->room; one = one->next) {
    svc_policy_rule *rule = &out->rules[out->count];
    rule->read = svc_policy_read(a, svc_arena_copy(a, svc_node_str(one, "body")), &why);
    rule->policy = policy;
    rule->name = name;
    rule->id = svc_arena_copy(a, svc_node_str(one, "id"));
    if (rule->read) out->count++;
  }
  return !a->failed;
}

static uint64_t policy_enforce_version(svc_call *c, const svc_id *org)
{
  uint64_t version = 0;
  svc_scan scan;
  svc_entity e;
  svc_below_begin(&scan, c->txn, SVC_POLICY_KIND, org);
  while (svc_below_next(&scan, SVC_POLICY_KIND, &e)) {
    version = svc_kept_hash(c->s, version, (svc_str){ (const char *)e.id.b, sizeof e.id.b });
    version = svc_kept_hash(c->s, version, e.body);
  }
  return version;
}

/* Parses all policies of the organization into this memory. */
static bool policy_enforce_fill(svc_call *c, const svc_id *org, svc_arena *a, svc_policy_rules *out)
{
  svc_scan scan;
  svc_entity e;
  bool good = true;
  out->count = 0;
  out->room = SVC_POLICY_BODIES * svc_count_room(c->txn, SVC_POLICY_KIND, org, SVC_POLICY_BODIES * sizeof *out->rules);
  out->rules = svc_arena_zero(a, (out->room + 1) * sizeof *out->rules);
  if (!out->rules) return false;
  svc_below_begin(&scan, c->txn, SVC_POLICY_KIND, org);
  while (good && svc_below_next(&scan, SVC_POLICY_KIND, &e)) good = policy_enforce_rules(c, out, a, &e);
  return good && c->txn->error == SVC_OK;
}

/* The same into cached memory. Returns false if out of memory or if the store failed. */
static bool policy_enforce_keep(svc_call *c, const svc_id *org, svc_policy_rules *out)
{
  svc_kept_item *item = svc_kept_new(c->s, SVC_POLICY_KIND, org, out->version);
  svc_policy_rules *rules = item ? svc_arena_zero(&item->memory, sizeof *rules) : NULL;
  if (!rules || !policy_enforce_fill(c, org, &item->memory, out)) {
    svc_kept_leave(c->s, item);
    return false;
  }
  *rules = *out;
  item->value = rules;
  out->kept = item;
  svc_kept_put(c->s, item);
  return true;
}

SVC_PRIVATE bool svc_policies_read(svc_call *c, const svc_id *org, svc_policy_rules *out)
{
  svc_kept_item *item;
  uint64_t version;
  memset(out, 0, sizeof *out);
  if (svc_count(c->txn, SVC_POLICY_KIND, org) == 0) return svc_txn_good(c);
  version = policy_enforce_version(c, org);
  if (!svc_txn_good(c)) return false;
  item = svc_kept_get(c->s, SVC_POLICY_KIND, org, version);
  if (item) {
    *out = *(const svc_policy_rules *)item->value;
    out->kept = item;
    return true;
  }
  out->version = version;
  if (policy_enforce_keep(c, org, out) || policy_enforce_fill(c, org, c->arena, out)) return true;
  return c->arena->failed ? svc_no_memory(c) : svc_txn_good(c) && svc_failed(c);
}

SVC_PRIVATE void svc_policies_leave(svc_call *c, svc_policy_rules *rules)
{
  svc_kept_leave(c->s, rules->kept);
  memset(rules, 0, sizeof *rules);
}

/* ---------------------------------------------------------------------------------------------------------------- asked */

/* Asks each policy. before not NULL: `context` is what remains of it after a delete. */
static bool policy_enforce_of(svc_call *c, const svc_policy_rules *rules, int action, const svc_node *before, const svc_node *context)
{
  svc_str group = svc_id_str(c->arena, &c->scope.group), org = svc_id_str(c->arena, &c->scope.org), name;
  size_t i;
  for (i = 0; i < rules->count; i++) {
    const svc_policy *policy = rules->rules[i].read;
    if (!svc_policy_forbids(policy, action, group, org, context, NULL)) continue;
    if (before && !svc_policy_is_free(policy) && svc_policy_forbids(policy, action, group, org, before, NULL)) continue;
    name = svc_arena_copy(c->arena, rules->rules[i].name);
    return svc_fail(c, SVC_E_RESOURCE_POLICIES_VIOLATION_NOT_AUTHORIZED, "S", &name);
  }
  return true;
}

static bool policy_enforce_all(svc_call *c, int action, const svc_node *before, const svc_node *context)
{
  svc_policy_rules rules;
  bool good;
  if (!svc_policies_any(c)) return svc_txn_good(c);
  if (!context) return svc_failed(c);
  if (!svc_policies_read(c, &c->scope.org, &rules)) return false;
  good = policy_enforce_of(c, &rules, action, before, context);
  svc_policies_leave(c, &rules);
  return good && svc_txn_good(c);
}

SVC_PRIVATE bool svc_policies_allow(svc_call *c, int action, const svc_node *context)
{
  return policy_enforce_all(c, action, NULL, context);
}

SVC_PRIVATE bool svc_policies_allow_left(svc_call *c, int action, const svc_node *before, const svc_node *left)
{
  return before ? policy_enforce_all(c, action, before, left) : svc_failed(c);
}

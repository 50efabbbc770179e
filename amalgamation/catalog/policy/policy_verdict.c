/*
** Evaluates a policy: whether it forbids a change.
**
** The rule: one walk over the tree, with at most the number of steps that the parser counted. If the context lacks an
** attribute, the policy does not apply.
*/
#include "catalog/policy/policy_tree.h"

typedef struct policy_query {
  svc_str group, org;
  const svc_node *context;
  bool missing; /* the context lacks an attribute: the policy does not apply */
  size_t steps; /* steps taken: expressions and elements of sets */
} policy_query;

static bool policy_truth(policy_query *q, const policy_node *n);

static const svc_node *policy_found(const policy_query *q, const struct policy_attribute *attribute)
{
  return svc_node_get(svc_node_get(q->context, attribute->of), attribute->name);
}

static const svc_node *policy_attribute_of(policy_query *q, const policy_node *n)
{
  const svc_node *value = policy_found(q, n->attribute);
  if (!value) q->missing = true;
  return value;
}

static int64_t policy_long(policy_query *q, const policy_node *n)
{
  const svc_node *value = n->op == POLICY_ATTRIBUTE ? policy_attribute_of(q, n) : NULL;
  int64_t number = n->number;
  if (value && !svc_json_number_i64(value->text, &number)) q->missing = true;
  return number;
}

static svc_str policy_text(policy_query *q, const policy_node *n)
{
  const svc_node *value = n->op == POLICY_ATTRIBUTE ? policy_attribute_of(q, n) : NULL;
  return value ? value->text : n->text;
}

/* A set has one of two forms: a literal, or an attribute of the context. */
typedef struct policy_items {
  policy_query *q;
  const policy_node *listed;
  const svc_node *found;
} policy_items;

static policy_items policy_set(policy_query *q, const policy_node *n)
{
  policy_items items = { q, NULL, NULL };
  const svc_node *value = n->op == POLICY_ATTRIBUTE ? policy_attribute_of(q, n) : NULL;
  if (n->op == POLICY_LIST) items.listed = n->left;
  if (value) items.found = value->first;
  return items;
}

static bool policy_item(policy_items *items, svc_str *text)
{
  if (items->listed || items->found) items->q->steps++;
  if (items->listed) {
    *text = policy_text(items->q, items->listed);
    items->listed = items->listed->next;
    return true;
  }
  if (!items->found) return false;
  *text = items->found->text;
  items->found = items->found->next;
  return true;
}

static bool policy_has_item(policy_query *q, const policy_node *set, svc_str wanted)
{
  policy_items items = policy_set(q, set);
  svc_str text;
  while (policy_item(&items, &text))
    if (svc_str_eq(text, wanted)) return true;
  return false;
}

/* Returns whether all elements of `some` are in `set`, or any of them (all false). */
static bool policy_has_items(policy_query *q, const policy_node *set, const policy_node *some, bool all)
{
  policy_items items = policy_set(q, some);
  svc_str text;
  while (policy_item(&items, &text))
    if (policy_has_item(q, set, text) != all) return !all;
  return all;
}

static bool policy_is_resource(const policy_query *q, const policy_node *entity)
{
  if (strcmp(entity->type.entity, "Project") == 0) return svc_str_eq(q->group, entity->text);
  return strcmp(entity->type.entity, "Organization") == 0 && svc_str_eq(q->org, entity->text);
}

static bool policy_equal(policy_query *q, const policy_node *a, const policy_node *b)
{
  switch (a->type.kind) {
  case POLICY_BOOL: return policy_truth(q, a) == policy_truth(q, b);
  case POLICY_LONG: return policy_long(q, a) == policy_long(q, b);
  case POLICY_SET: return policy_has_items(q, a, b, true) && policy_has_items(q, b, a, true);
  case POLICY_RESOURCE: return policy_is_resource(q, b);
  default: return svc_str_eq(policy_text(q, a), policy_text(q, b));
  }
}

static bool policy_in_range(policy_query *q, const policy_node *one, const policy_node *range)
{
  svc_address a, b;
  return svc_address_parse(policy_text(q, one), &a) && svc_address_parse(policy_text(q, range), &b) && svc_address_within(&a, &b);
}

/* Evaluates a chain of && or ||: returns `so` as soon as one operand has this value. */
static bool policy_chain(policy_query *q, const policy_node *n, bool so)
{
  int op = n->op;
  for (; n->op == op; n = n->right)
    if (policy_truth(q, n->left) == so) return so;
  return policy_truth(q, n);
}

static bool policy_truth(policy_query *q, const policy_node *n)
{
  const svc_node *value;
  policy_items items;
  svc_str text;
  q->steps++;
  if (q->missing || SVC_NEVER(n->type.kind != POLICY_BOOL)) return false; /* the parser has checked the types */
  switch (n->op) {
  case POLICY_CONSTANT: return n->number != 0;
  case POLICY_ATTRIBUTE: value = policy_attribute_of(q, n); return value && svc_str_is(value->text, "true");
  case POLICY_HAS: return policy_found(q, n->attribute) != NULL;
  case POLICY_NOT: return !policy_truth(q, n->left);
  case POLICY_AND: return policy_chain(q, n, false);
  case POLICY_OR: return policy_chain(q, n, true);
  case POLICY_EQUAL: return policy_equal(q, n->left, n->right);
  case POLICY_LESS: return policy_long(q, n->left) < policy_long(q, n->right);
  case POLICY_LESS_EQUAL: return policy_long(q, n->left) <= policy_long(q, n->right);
  case POLICY_IN: return policy_is_resource(q, n->right);
  case POLICY_CONTAINS: return policy_has_item(q, n->left, policy_text(q, n->right));
  case POLICY_CONTAINS_ALL: return policy_has_items(q, n->left, n->right, true);
  case POLICY_CONTAINS_ANY: return policy_has_items(q, n->left, n->right, false);
  case POLICY_IN_RANGE: return policy_in_range(q, n->left, n->right);
  default: items = policy_set(q, n->left); return !policy_item(&items, &text); /* POLICY_EMPTY: all other boolean operators are above */
  }
}

static bool policy_forbids(policy_query *q, const svc_policy *p, int action)
{
  size_t i;
  if (!p->forbids || !(p->actions & action) || (p->resource && !policy_is_resource(q, p->resource))) return false;
  for (i = 0; i < p->condition_count; i++)
    if (policy_truth(q, p->conditions[i].expr) == p->conditions[i].unless || q->missing) return false;
  return true;
}

SVC_PRIVATE bool svc_policy_forbids(const svc_policy *p, int action, svc_str group, svc_str org, const svc_node *context, size_t *steps)
{
  policy_query q = { group, org, context, false, 0 };
  bool forbids = policy_forbids(&q, p, action);
  if (steps) *steps = q.steps;
  return forbids;
}

SVC_PRIVATE size_t svc_policy_steps(const svc_policy *p)
{
  return p->steps;
}

SVC_PRIVATE bool svc_policy_is_free(const svc_policy *p)
{
  return p->condition_count == 0;
}

/* ----------------------------------------------------------------------------------------------------------------- names */

SVC_PRIVATE svc_str svc_policy_provider(svc_arena *a, svc_str provider)
{
  svc_str out = svc_arena_copy(a, provider);
  size_t i;
  for (i = 0; i < out.n; i++)
    if (out.p[i] >= 'A' && out.p[i] <= 'Z') ((char *)(uintptr_t)out.p)[i] |= 32;
  return out;
}

SVC_PRIVATE svc_str svc_policy_region(svc_arena *a, svc_str provider, svc_str region)
{
  svc_str out = svc_policy_provider(a, svc_arena_print(a, SVC_FMT ":" SVC_FMT, SVC_ARG(provider), SVC_ARG(region)));
  size_t i;
  for (i = 0; i < out.n; i++)
    if (out.p[i] == '_') ((char *)(uintptr_t)out.p)[i] = '-';
  return out;
}

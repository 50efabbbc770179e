/*
** The language of resource policies: the part of Cedar that concerns clusters and projects.
**
**   policy     = ("forbid" | "permit") "(" "principal" "," action "," resource ")" { condition } ";"
**   action     = "action" [ "==" entity | "in" "[" entity { "," entity } "]" ]
**   resource   = "resource" [ ("==" | "in") entity ]
**   condition  = ("when" | "unless") "{" expr "}"
**   expr       = and { "||" and };   and = relation { "&&" relation }
**   relation   = unary [ ("==" | "!=" | "<" | "<=" | ">" | ">=" | "in") unary ] | "context" "." name "has" name
**   unary      = "!" unary | member
**   member     = primary { "." ("contains" | "containsAll" | "containsAny" | "isInRange") "(" expr ")" | "." "isEmpty" "(" ")" }
**   primary    = "true" | "false" | integer | string | entity | "context" "." name "." name | "resource"
**              | "ip" "(" string ")" | "[" [ expr { "," expr } ] "]" | "(" expr ")"
**   entity     = ("ResourcePolicy" | "cloud") "::" type "::" string
**
** Comments begin with //. policy_names.c has the tables of entities, of attributes with their types, and of the actions that
** have them; policy_lexer.c reads tokens.
**
** A policy is checked completely when it is parsed: a type error is refused with its position. So only one thing can go wrong
** later: the context may lack an attribute ("has" tests for it). Then the policy does not apply.
**
** Everything is allowed that no policy forbids. A permit is parsed and checked, but has no effect: a forbid always wins.
**
** The rule: the size of a policy is limited (SVC_POLICY_BODY), and so is its nesting. Asking a policy is one walk over its
** tree. A policy that could take too many steps for comparing sets is refused when it is parsed, because the check delays the
** queued writers.
*/
#include "catalog/policy/policy_reader.h"

enum { POLICY_DEPTH = 24, POLICY_ITEMS = 200, POLICY_STEPS = 40000 }; /* steps: about those of comparing two sets of 200 elements once */

/* ----------------------------------------------------------------------------------------------------------- expressions */

static policy_node *policy_expr(policy_reader *r);

/* Reports an error at this position, before the last token. */
static void *policy_wrong_at(policy_reader *r, size_t from, const char *what)
{
  r->from = from;
  return svc_policy_wrong(r, what);
}

static bool policy_same_type(policy_type a, policy_type b)
{
  if (a.kind != b.kind) return false;
  if (a.kind == POLICY_SET) return !a.item || !b.item || (a.item == b.item && a.entity == b.entity);
  return a.entity == b.entity;
}

static policy_type policy_item_type(policy_type set)
{
  return (policy_type){ set.item, 0, set.entity };
}

/* Returns the maximum number of elements of a set. */
static size_t policy_set_most(const policy_node *set)
{
  const policy_node *one;
  size_t n = 0;
  if (set->op == POLICY_ATTRIBUTE) return set->attribute->most;
  for (one = set->left; one; one = one->next) n++;
  return n;
}

/* Returns the steps for comparing both operands: 0, unless they are sets. */
static size_t policy_steps(int op, const policy_node *left, const policy_node *right)
{
  size_t a = left->type.kind == POLICY_SET ? policy_set_most(left) : 0, b = right->type.kind == POLICY_SET ? policy_set_most(right) : 0;
  switch (op) {
  case POLICY_EQUAL: return a * (b + 1) + b * (a + 1);
  case POLICY_CONTAINS: return a;
  case POLICY_CONTAINS_ALL:
  case POLICY_CONTAINS_ANY: return b * (a + 1);
  default: return 0;
  }
}

static policy_node *policy_binary(policy_reader *r, int op, policy_node *left, policy_node *right)
{
  policy_node *node = left && right ? svc_policy_new(r, op, (policy_type){ POLICY_BOOL, 0, NULL }) : NULL;
  if (!node) return NULL;
  node->left = left;
  node->right = right;
  r->steps += policy_steps(op, left, right);
  return node;
}

static policy_node *policy_not(policy_reader *r, policy_node *of)
{
  policy_node *node = of ? svc_policy_new(r, POLICY_NOT, of->type) : NULL;
  if (node) node->left = of;
  return node;
}

static policy_node *policy_constant(policy_reader *r, int kind, int64_t number, svc_str text)
{
  policy_node *node = svc_policy_new(r, POLICY_CONSTANT, (policy_type){ (unsigned char)kind, 0, NULL });
  if (!node) return NULL;
  node->number = number;
  node->text = text;
  svc_policy_next(r);
  return node;
}

/* A set literal: all elements have one type, and none of them is a set. */
static policy_node *policy_list(policy_reader *r)
{
  policy_node *set = svc_policy_new(r, POLICY_LIST, (policy_type){ POLICY_SET, 0, NULL }), *last = NULL, *one;
  int n = 0;
  if (!set || !svc_policy_want(r, "[")) return NULL;
  if (svc_policy_take(r, "]")) return set;
  do {
    size_t from = r->from;
    one = policy_expr(r);
    if (!one) return NULL;
    if (++n > POLICY_ITEMS) return policy_wrong_at(r, from, "the set has too many elements");
    if (one->type.kind < POLICY_STRING || one->type.kind > POLICY_ENTITY) return policy_wrong_at(r, from, "a set has strings, addresses or entities");
    if (last && !policy_same_type(last->type, one->type)) return policy_wrong_at(r, from, "the elements of a set are of one type");
    if (last) last->next = one;
    else set->left = one;
    last = one;
  } while (svc_policy_take(r, ","));
  set->type.item = last->type.kind;
  set->type.entity = last->type.entity;
  return svc_policy_want(r, "]") ? set : NULL;
}

static policy_node *policy_address(policy_reader *r)
{
  svc_address address;
  policy_node *node;
  svc_policy_next(r);
  if (!svc_policy_want(r, "(")) return NULL;
  if (r->token != POLICY_TEXT || !svc_address_parse(r->word, &address)) return svc_policy_wrong(r, "expected an address, or a range of them, in quotes");
  node = policy_constant(r, POLICY_IP, 0, svc_address_text(r->a, &address));
  return svc_policy_want(r, ")") ? node : NULL;
}

/* context.cluster.regions, context.cluster has diskSizeGB */
static policy_node *policy_context(policy_reader *r)
{
  const struct policy_attribute *attribute;
  policy_node *node;
  svc_str of;
  bool has;
  svc_policy_next(r);
  if (!svc_policy_want(r, ".")) return NULL;
  of = r->word;
  if (!svc_policy_is(r, "cluster") && !svc_policy_is(r, "project")) return svc_policy_wrong(r, "context has cluster and project");
  svc_policy_next(r);
  has = svc_policy_take(r, "has");
  if (!has && !svc_policy_want(r, ".")) return NULL;
  attribute = svc_policy_attribute_named(r, of);
  node = attribute ? svc_policy_new(r, has ? POLICY_HAS : POLICY_ATTRIBUTE, has ? (policy_type){ POLICY_BOOL, 0, NULL } : attribute->type) : NULL;
  if (!node) return NULL;
  node->attribute = attribute;
  svc_policy_next(r);
  return node;
}

static policy_node *policy_primary(policy_reader *r)
{
  policy_node *node;
  if (r->why.n) return NULL;
  if (svc_policy_is(r, "true") || svc_policy_is(r, "false")) return policy_constant(r, POLICY_BOOL, svc_policy_is(r, "true"), SVC_S(""));
  if (r->token == POLICY_NUMBER) return policy_constant(r, POLICY_LONG, r->number, SVC_S(""));
  if (r->token == POLICY_TEXT) return policy_constant(r, POLICY_STRING, 0, r->word);
  if (svc_policy_is(r, "ResourcePolicy") || svc_policy_is(r, "cloud")) return svc_policy_entity(r);
  if (svc_policy_is(r, "context")) return policy_context(r);
  if (svc_policy_is(r, "ip")) return policy_address(r);
  if (svc_policy_is(r, "[")) return policy_list(r);
  if (svc_policy_is(r, "resource")) {
    node = svc_policy_new(r, POLICY_THIS, (policy_type){ POLICY_RESOURCE, 0, NULL });
    svc_policy_next(r);
    return node;
  }
  if (svc_policy_take(r, "(")) {
    node = policy_expr(r);
    return svc_policy_want(r, ")") ? node : NULL;
  }
  return svc_policy_wrong(r, "expected an expression");
}

/* Parses a member function, after its dot. */
static policy_node *policy_method(policy_reader *r, policy_node *on)
{
  static const struct {
    const char *name;
    int op;
  } methods[] = { { "contains", POLICY_CONTAINS }, { "containsAll", POLICY_CONTAINS_ALL }, { "containsAny", POLICY_CONTAINS_ANY },
                  { "isInRange", POLICY_IN_RANGE }, { "isEmpty", POLICY_EMPTY } };
  size_t i = 0, from = r->from;
  policy_node *with = on;
  bool fits;
  int op;
  while (i < POLICY_COUNT(methods) && !svc_policy_is(r, methods[i].name)) i++;
  if (i == POLICY_COUNT(methods)) return svc_policy_wrong(r, "there is no such function");
  op = methods[i].op;
  svc_policy_next(r);
  if (!svc_policy_want(r, "(")) return NULL;
  if (op != POLICY_EMPTY) with = policy_expr(r);
  if (!with || !svc_policy_want(r, ")")) return NULL;
  fits = op == POLICY_IN_RANGE ? on->type.kind == POLICY_IP && with->type.kind == POLICY_IP : on->type.kind == POLICY_SET;
  if (fits && op == POLICY_CONTAINS) fits = on->type.item && policy_same_type(policy_item_type(on->type), with->type);
  if (fits && (op == POLICY_CONTAINS_ALL || op == POLICY_CONTAINS_ANY)) fits = policy_same_type(on->type, with->type);
  if (!fits) return policy_wrong_at(r, from, "the types do not fit");
  return policy_binary(r, op, on, with);
}

static policy_node *policy_member(policy_reader *r)
{
  policy_node *node = policy_primary(r);
  while (node && svc_policy_take(r, ".")) node = policy_method(r, node);
  return node;
}

/* A negation applies to a whole member, including its functions. */
static policy_node *policy_unary(policy_reader *r)
{
  policy_node *node;
  size_t from;
  if (!svc_policy_take(r, "!")) return policy_member(r);
  from = r->from;
  if (++r->depth > POLICY_DEPTH) return svc_policy_wrong(r, "it nests too deep");
  node = policy_unary(r);
  r->depth--;
  if (node && node->type.kind != POLICY_BOOL) return policy_wrong_at(r, from, "only what is true or false can be negated");
  return policy_not(r, node);
}

static policy_node *policy_relation(policy_reader *r)
{
  static const struct {
    const char *sign;
    int op;
    bool swap, negate;
  } signs[] = { { "==", POLICY_EQUAL, false, false }, { "!=", POLICY_EQUAL, false, true }, { "<", POLICY_LESS, false, false },
                { "<=", POLICY_LESS_EQUAL, false, false }, { ">", POLICY_LESS, true, false }, { ">=", POLICY_LESS_EQUAL, true, false },
                { "in", POLICY_IN, false, false } };
  policy_node *left = policy_unary(r), *right, *node;
  size_t i = 0, from;
  bool fits;
  while (left && i < POLICY_COUNT(signs) && !svc_policy_is(r, signs[i].sign)) i++;
  if (!left || i == POLICY_COUNT(signs)) return left;
  from = r->from;
  svc_policy_next(r);
  right = policy_unary(r);
  if (!right) return NULL;
  if (signs[i].op == POLICY_EQUAL) fits = policy_same_type(left->type, right->type) || (left->type.kind == POLICY_RESOURCE && right->type.kind == POLICY_ENTITY);
  else if (signs[i].op == POLICY_IN) fits = left->type.kind == POLICY_RESOURCE && right->type.kind == POLICY_ENTITY;
  else fits = left->type.kind == POLICY_LONG && right->type.kind == POLICY_LONG;
  if (!fits) return policy_wrong_at(r, from, "the types do not fit");
  node = policy_binary(r, signs[i].op, signs[i].swap ? right : left, signs[i].swap ? left : right);
  return signs[i].negate ? policy_not(r, node) : node;
}

/* All operands must be booleans. A chain of any length extends to the right, so that a loop can walk it. */
static policy_node *policy_joined(policy_reader *r, const char *sign, int op, policy_node *(*read)(policy_reader *r))
{
  policy_node *first = read(r), **last = &first;
  while (*last && svc_policy_is(r, sign)) {
    if ((*last)->type.kind != POLICY_BOOL) return svc_policy_wrong(r, "the expression before it is neither true nor false");
    svc_policy_next(r);
    *last = policy_binary(r, op, *last, read(r));
    if (*last && (*last)->right->type.kind != POLICY_BOOL) return svc_policy_wrong(r, "what stands before this is neither true nor false");
    if (*last) last = &(*last)->right;
  }
  return *last ? first : NULL;
}

static policy_node *policy_and(policy_reader *r)
{
  return policy_joined(r, "&&", POLICY_AND, policy_relation);
}

static policy_node *policy_expr(policy_reader *r)
{
  policy_node *node;
  if (++r->depth > POLICY_DEPTH) return svc_policy_wrong(r, "it nests too deep");
  node = policy_joined(r, "||", POLICY_OR, policy_and);
  r->depth--;
  return node;
}

/* ---------------------------------------------------------------------------------------------------------------- policies */

static bool policy_scope(policy_reader *r, svc_policy *p)
{
  if (!svc_policy_want(r, "(") || !svc_policy_want(r, "principal") || !svc_policy_want(r, ",") || !svc_policy_want(r, "action")) return false;
  p->actions = POLICY_ALL;
  if (svc_policy_take(r, "==")) {
    p->actions = svc_policy_action(r);
  } else if (svc_policy_take(r, "in")) {
    p->actions = 0;
    if (!svc_policy_want(r, "[")) return false;
    do p->actions |= svc_policy_action(r);
    while (!r->why.n && svc_policy_take(r, ","));
    if (!svc_policy_want(r, "]")) return false;
  }
  r->actions = p->actions;
  if (!svc_policy_want(r, ",") || !svc_policy_want(r, "resource")) return false;
  if (svc_policy_take(r, "==") || svc_policy_take(r, "in")) p->resource = svc_policy_entity(r);
  return svc_policy_want(r, ")");
}

static bool policy_conditions(policy_reader *r, svc_policy *p)
{
  while (!r->why.n && (svc_policy_is(r, "when") || svc_policy_is(r, "unless"))) {
    size_t from = r->from;
    if (p->condition_count == POLICY_COUNT(p->conditions)) return svc_policy_wrong(r, "it has too many conditions") != NULL;
    p->conditions[p->condition_count].unless = svc_policy_is(r, "unless");
    svc_policy_next(r);
    if (!svc_policy_want(r, "{")) return false;
    p->conditions[p->condition_count].expr = policy_expr(r);
    if (!p->conditions[p->condition_count].expr || !svc_policy_want(r, "}")) return false; /* NULL: a syntax error, or out of memory */
    if (p->conditions[p->condition_count++].expr->type.kind != POLICY_BOOL) return policy_wrong_at(r, from, "the condition is neither true nor false") != NULL;
  }
  return r->why.n == 0;
}

SVC_PRIVATE svc_policy *svc_policy_read(svc_arena *a, svc_str text, svc_str *why)
{
  policy_reader r;
  svc_policy *p = svc_arena_zero(a, sizeof *p);
  memset(&r, 0, sizeof r);
  r.a = a;
  r.text = text;
  *why = SVC_S("");
  if (!p) return NULL;
  if (text.n > SVC_POLICY_BODY) svc_policy_wrong(&r, "it is too long");
  svc_policy_next(&r);
  p->forbids = svc_policy_is(&r, "forbid");
  if (!p->forbids && !svc_policy_is(&r, "permit")) svc_policy_wrong(&r, "expected forbid or permit");
  svc_policy_next(&r);
  if (policy_scope(&r, p) && policy_conditions(&r, p) && svc_policy_want(&r, ";") && r.token != POLICY_END)
    svc_policy_wrong(&r, "there is one policy in a body, and this stands behind its end");
  p->steps = r.steps;
  r.from = 0;
  if (p->steps > POLICY_STEPS) svc_policy_wrong(&r, "it takes too many steps to ask it");
  *why = r.why;
  return r.why.n || a->failed ? NULL : p;
}

/*
** The language of resource policies: the part of Cedar that speaks of clusters and projects.
**
**   policy     = ("forbid" | "permit") "(" "principal" "," action "," resource ")" { condition } ";"
**   action     = "action" [ "==" entity | "in" "[" entity { "," entity } "]" ]
**   resource   = "resource" [ ("==" | "in") entity ]
**   condition  = ("when" | "unless") "{" expr "}"
**   expr       = and { "||" and };   and = relation { "&&" relation }
**   relation   = member [ ("==" | "!=" | "<" | "<=" | ">" | ">=" | "in") member ] | record "has" name
**   member     = primary { "." ("contains" | "containsAll" | "containsAny" | "isInRange") "(" expr ")" | "." "isEmpty" "(" ")" }
**   primary    = "!" primary | "true" | "false" | integer | string | entity | "context" "." name "." name | "resource"
**              | "ip" "(" string ")" | "[" [ expr { "," expr } ] "]" | "(" expr ")"
**   entity     = "ResourcePolicy" "::" type "::" string
**
** Comments begin with //. Names of attributes, their types and the actions that have them stand in a table below, as do entities.
** A policy is checked whole when it is read: what has no type that fits is refused, with its place. So there is little that can
** go wrong when it is asked: only an attribute that is not there ("has" asks for it), and then the policy says nothing.
**
** What no policy forbids is allowed. So a permit is read and checked, and says what holds anyhow: a forbid is stronger.
**
** The rule: a policy is small (SVC_POLICY_BODY), and so is the depth to which it nests; to ask one is one walk over it.
*/
#include "catalog/policy/policy_language.h"

enum { POLICY_DEPTH = 24, POLICY_ITEMS = 200 };

/* ----------------------------------------------------------------------------------------------------------------- words */

static const struct {
  const char *name;
  int bit;
} policy_actions[] = {
  { "cluster.modify", SVC_POLICY_CLUSTER },
  { "project.ipAccessList.modify", SVC_POLICY_ACCESS_LIST },
  { "project.maintenanceWindow.modify", SVC_POLICY_MAINTENANCE },
  { "project.vpcPeering.modify", SVC_POLICY_PEERING },
  { "project.privateEndpoint.modify", SVC_POLICY_ENDPOINT },
};
#define POLICY_ALL 31

/* Entities that may be named, and what their names look like. */
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

enum policy_kind { POLICY_BOOL, POLICY_LONG, POLICY_STRING, POLICY_IP, POLICY_ENTITY, POLICY_SET, POLICY_RESOURCE };

typedef struct policy_type {
  unsigned char kind, item; /* item: of a set */
  const char *entity;       /* its type, or that of a set's elements; NULL: a set that is empty */
} policy_type;

static const struct policy_attribute {
  const char *of, *name;
  policy_type type;
  int actions; /* that have it */
} policy_attributes[] = {
  { "cluster", "cloudProviders", { POLICY_SET, POLICY_ENTITY, "CloudProvider" }, SVC_POLICY_CLUSTER },
  { "cluster", "clusterType", { POLICY_ENTITY, 0, "ClusterType" }, SVC_POLICY_CLUSTER },
  { "cluster", "dbMajorVersion", { POLICY_STRING, 0, NULL }, SVC_POLICY_CLUSTER },
  { "cluster", "diskSizeGB", { POLICY_LONG, 0, NULL }, SVC_POLICY_CLUSTER },
  { "cluster", "isConvertingToSharded", { POLICY_BOOL, 0, NULL }, SVC_POLICY_CLUSTER },
  { "cluster", "maxGeneralClassInstanceSizeValue", { POLICY_LONG, 0, NULL }, SVC_POLICY_CLUSTER },
  { "cluster", "maxShardCount", { POLICY_LONG, 0, NULL }, SVC_POLICY_CLUSTER },
  { "cluster", "minGeneralClassInstanceSizeValue", { POLICY_LONG, 0, NULL }, SVC_POLICY_CLUSTER },
  { "cluster", "minShardCount", { POLICY_LONG, 0, NULL }, SVC_POLICY_CLUSTER },
  { "cluster", "minTLSVersion", { POLICY_ENTITY, 0, "TLSVersion" }, SVC_POLICY_CLUSTER },
  { "cluster", "regions", { POLICY_SET, POLICY_ENTITY, "Region" }, SVC_POLICY_CLUSTER },
  { "project", "cloudProvider", { POLICY_ENTITY, 0, "CloudProvider" }, SVC_POLICY_PEERING | SVC_POLICY_ENDPOINT },
  { "project", "clustersInProject", { POLICY_LONG, 0, NULL }, SVC_POLICY_CLUSTER },
  { "project", "hasDefinedMaintenanceWindow", { POLICY_BOOL, 0, NULL }, SVC_POLICY_MAINTENANCE },
  { "project", "ipAccessList", { POLICY_SET, POLICY_IP, NULL }, SVC_POLICY_ACCESS_LIST },
};
#define POLICY_COUNT(table) (sizeof(table) / sizeof(table)[0])

/* ----------------------------------------------------------------------------------------------------------------- trees */

enum policy_op {
  POLICY_CONSTANT, /* a truth value, a number, a text, an address, an entity */
  POLICY_LIST,     /* a set that is written out */
  POLICY_ATTRIBUTE,
  POLICY_HAS,
  POLICY_THIS, /* resource */
  POLICY_NOT,
  POLICY_AND,
  POLICY_OR,
  POLICY_EQUAL,
  POLICY_LESS,
  POLICY_LESS_EQUAL,
  POLICY_IN,
  POLICY_CONTAINS,
  POLICY_CONTAINS_ALL,
  POLICY_CONTAINS_ANY,
  POLICY_IN_RANGE,
  POLICY_EMPTY
};

typedef struct policy_node {
  unsigned char op;
  policy_type type;
  struct policy_node *left, *right, *next; /* left of a list: its first element; next: in a list */
  svc_str text;    /* of a string, an address, an entity's id */
  int64_t number;
  const struct policy_attribute *attribute;
} policy_node;

struct svc_policy {
  bool forbids;
  int actions;
  const policy_node *resource; /* the entity it must be, or be in; NULL: any */
  struct {
    const policy_node *expr;
    bool unless;
  } conditions[8];
  size_t condition_count;
};

/* --------------------------------------------------------------------------------------------------------------- reading */

enum policy_token { POLICY_END, POLICY_WORD, POLICY_TEXT, POLICY_NUMBER, POLICY_SIGN };

typedef struct policy_reader {
  svc_arena *a;
  svc_str text;
  size_t at, from; /* behind the token, and where it begins */
  int token;
  svc_str word; /* a name, a sign; of a string what stands between its quotes */
  int64_t number;
  int depth, actions;
  svc_str why; /* n 0: all is well */
} policy_reader;

static void *policy_wrong(policy_reader *r, const char *what)
{
  size_t line = 1, column = 1, i;
  if (r->why.n) return NULL;
  for (i = 0; i < r->from; i++) {
    column++;
    if (r->text.p[i] == '\n') line++, column = 1;
  }
  r->why = svc_arena_print(r->a, "line %zu, column %zu: %s", line, column, what);
  return NULL;
}

static char policy_at(const policy_reader *r, size_t ahead)
{
  return r->at + ahead < r->text.n ? r->text.p[r->at + ahead] : 0;
}

static bool policy_is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool policy_is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static void policy_skip(policy_reader *r)
{
  for (;;) {
    char c = policy_at(r, 0);
    if (c == '/' && policy_at(r, 1) == '/')
      while (policy_at(r, 0) && policy_at(r, 0) != '\n') r->at++;
    else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') r->at++;
    else return;
  }
}

/* Without escapes: nothing that is named here needs one. */
static void policy_string(policy_reader *r)
{
  size_t from = ++r->at;
  while (r->at < r->text.n && r->text.p[r->at] != '"' && r->text.p[r->at] != '\\' && r->text.p[r->at] != '\n') r->at++;
  r->token = POLICY_TEXT;
  r->word = (svc_str){ r->text.p + from, r->at - from };
  if (policy_at(r, 0) == '"') r->at++;
  else policy_wrong(r, "the string has no end, or an escape in it");
}

static void policy_number(policy_reader *r)
{
  r->token = POLICY_NUMBER;
  r->number = 0;
  while (policy_is_digit(policy_at(r, 0)) && r->number < INT32_MAX) r->number = r->number * 10 + (r->text.p[r->at++] - '0');
  if (policy_is_digit(policy_at(r, 0))) policy_wrong(r, "the number is too large");
}

static void policy_next(policy_reader *r)
{
  static const char *const signs[] = { "::", "==", "!=", "<=", ">=", "&&", "||" };
  size_t i;
  char c;
  policy_skip(r);
  r->from = r->at;
  c = policy_at(r, 0);
  r->word = SVC_S("");
  r->token = POLICY_END;
  if (r->at >= r->text.n) return;
  if (policy_is_letter(c)) {
    while (policy_is_letter(policy_at(r, 0)) || policy_is_digit(policy_at(r, 0))) r->at++;
    r->token = POLICY_WORD;
    r->word = (svc_str){ r->text.p + r->from, r->at - r->from };
    return;
  }
  if (c == '"') {
    policy_string(r);
    return;
  }
  if (policy_is_digit(c)) {
    policy_number(r);
    return;
  }
  r->token = POLICY_SIGN;
  r->at++;
  for (i = 0; i < POLICY_COUNT(signs); i++)
    if (c == signs[i][0] && policy_at(r, 0) == signs[i][1]) r->at++, i = POLICY_COUNT(signs);
  r->word = (svc_str){ r->text.p + r->from, r->at - r->from };
}

static bool policy_is(const policy_reader *r, const char *word)
{
  return (r->token == POLICY_WORD || r->token == POLICY_SIGN) && svc_str_is(r->word, word);
}

/* Pass over this one, if it stands here. */
static bool policy_take(policy_reader *r, const char *word)
{
  if (r->why.n || !policy_is(r, word)) return false;
  policy_next(r);
  return true;
}

static bool policy_want(policy_reader *r, const char *word)
{
  if (policy_take(r, word)) return true;
  if (!r->why.n) policy_wrong(r, svc_arena_print(r->a, "expected %s", word).p);
  return false;
}

static policy_node *policy_new(policy_reader *r, int op, policy_type type)
{
  policy_node *node = svc_arena_zero(r->a, sizeof *node);
  if (!node) return policy_wrong(r, "there is no memory");
  node->op = (unsigned char)op;
  node->type = type;
  return node;
}

/* -------------------------------------------------------------------------------------------------------------- entities */

/* "ResourcePolicy::Type::"id"": the name of its type, and r->word the id. */
static bool policy_entity_name(policy_reader *r, svc_str *type)
{
  if (!policy_want(r, "ResourcePolicy") || !policy_want(r, "::")) return false;
  *type = r->word;
  if (r->token != POLICY_WORD) return policy_wrong(r, "expected the type of an entity") != NULL;
  policy_next(r);
  if (!policy_want(r, "::")) return false;
  return r->token == POLICY_TEXT || policy_wrong(r, "expected the id of an entity, in quotes") != NULL;
}

static policy_node *policy_entity(policy_reader *r)
{
  size_t from = r->from, i = 0;
  policy_type type = { POLICY_ENTITY, 0, NULL };
  policy_node *node;
  svc_str name;
  if (!policy_entity_name(r, &name)) return NULL;
  while (i < POLICY_COUNT(policy_entities) && !svc_str_is(name, policy_entities[i].type)) i++;
  if (i == POLICY_COUNT(policy_entities)) {
    r->from = from;
    return policy_wrong(r, "there is no such type of entities");
  }
  if (!svc_pattern_match(policy_entities[i].pattern, r->word)) return policy_wrong(r, "there is no entity of this id");
  type.entity = policy_entities[i].type;
  node = policy_new(r, POLICY_CONSTANT, type);
  if (node) node->text = r->word;
  policy_next(r);
  return node;
}

static int policy_action(policy_reader *r)
{
  svc_str type;
  size_t i;
  if (!policy_entity_name(r, &type)) return 0;
  for (i = 0; i < POLICY_COUNT(policy_actions); i++)
    if (svc_str_is(type, "Action") && svc_str_is(r->word, policy_actions[i].name)) {
      policy_next(r);
      return policy_actions[i].bit;
    }
  policy_wrong(r, "there is no such action");
  return 0;
}

/* ----------------------------------------------------------------------------------------------------------- expressions */

static policy_node *policy_expr(policy_reader *r);

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

static policy_node *policy_binary(policy_reader *r, int op, policy_node *left, policy_node *right)
{
  policy_node *node = left && right ? policy_new(r, op, (policy_type){ POLICY_BOOL, 0, NULL }) : NULL;
  if (!node) return NULL;
  node->left = left;
  node->right = right;
  return node;
}

static policy_node *policy_not(policy_reader *r, policy_node *of)
{
  policy_node *node = of ? policy_new(r, POLICY_NOT, of->type) : NULL;
  if (node) node->left = of;
  return node;
}

static policy_node *policy_constant(policy_reader *r, int kind, int64_t number, svc_str text)
{
  policy_node *node = policy_new(r, POLICY_CONSTANT, (policy_type){ (unsigned char)kind, 0, NULL });
  if (!node) return NULL;
  node->number = number;
  node->text = text;
  policy_next(r);
  return node;
}

/* A set that is written out: all elements of one type, and none of them a set. */
static policy_node *policy_list(policy_reader *r)
{
  policy_node *set = policy_new(r, POLICY_LIST, (policy_type){ POLICY_SET, 0, NULL }), *last = NULL, *one;
  int n = 0;
  if (!set || !policy_want(r, "[")) return NULL;
  if (policy_take(r, "]")) return set;
  do {
    size_t from = r->from;
    one = policy_expr(r);
    if (!one) return NULL;
    r->from = r->why.n ? r->from : from;
    if (++n > POLICY_ITEMS) return policy_wrong(r, "the set has too many elements");
    if (one->type.kind < POLICY_STRING || one->type.kind > POLICY_ENTITY) return policy_wrong(r, "a set has strings, addresses or entities");
    if (last && !policy_same_type(last->type, one->type)) return policy_wrong(r, "the elements of a set are of one type");
    if (last) last->next = one;
    else set->left = one;
    last = one;
  } while (policy_take(r, ","));
  set->type.item = last->type.kind;
  set->type.entity = last->type.entity;
  return policy_want(r, "]") ? set : NULL;
}

static policy_node *policy_address(policy_reader *r)
{
  svc_address address;
  policy_node *node;
  policy_next(r);
  if (!policy_want(r, "(")) return NULL;
  if (r->token != POLICY_TEXT || !svc_address_parse(r->word, &address)) return policy_wrong(r, "expected an address, or a range of them, in quotes");
  node = policy_constant(r, POLICY_IP, 0, svc_address_text(r->a, &address));
  return policy_want(r, ")") ? node : NULL;
}

static const struct policy_attribute *policy_attribute_named(policy_reader *r, svc_str of)
{
  size_t i;
  for (i = 0; i < POLICY_COUNT(policy_attributes); i++) {
    const struct policy_attribute *found = &policy_attributes[i];
    if (!svc_str_is(of, found->of) || r->token != POLICY_WORD || !svc_str_is(r->word, found->name)) continue;
    if (found->actions & r->actions) return found;
    return policy_wrong(r, "the action has no such attribute");
  }
  return policy_wrong(r, "there is no such attribute");
}

/* context.cluster.regions, context.cluster has diskSizeGB */
static policy_node *policy_context(policy_reader *r)
{
  const struct policy_attribute *attribute;
  policy_node *node;
  svc_str of;
  bool has;
  policy_next(r);
  if (!policy_want(r, ".")) return NULL;
  of = r->word;
  if (!policy_is(r, "cluster") && !policy_is(r, "project")) return policy_wrong(r, "context has cluster and project");
  policy_next(r);
  has = policy_take(r, "has");
  if (!has && !policy_want(r, ".")) return NULL;
  attribute = policy_attribute_named(r, of);
  node = attribute ? policy_new(r, has ? POLICY_HAS : POLICY_ATTRIBUTE, has ? (policy_type){ POLICY_BOOL, 0, NULL } : attribute->type) : NULL;
  if (!node) return NULL;
  node->attribute = attribute;
  policy_next(r);
  return node;
}

static policy_node *policy_primary(policy_reader *r)
{
  policy_node *node;
  if (r->why.n) return NULL;
  if (policy_take(r, "!")) {
    size_t from = r->from;
    if (++r->depth > POLICY_DEPTH) return policy_wrong(r, "it nests too deep");
    node = policy_primary(r);
    r->depth--;
    if (node && node->type.kind != POLICY_BOOL) {
      r->from = from;
      return policy_wrong(r, "only what is true or false can be negated");
    }
    return policy_not(r, node);
  }
  if (policy_is(r, "true") || policy_is(r, "false")) return policy_constant(r, POLICY_BOOL, policy_is(r, "true"), SVC_S(""));
  if (r->token == POLICY_NUMBER) return policy_constant(r, POLICY_LONG, r->number, SVC_S(""));
  if (r->token == POLICY_TEXT) return policy_constant(r, POLICY_STRING, 0, r->word);
  if (policy_is(r, "ResourcePolicy")) return policy_entity(r);
  if (policy_is(r, "context")) return policy_context(r);
  if (policy_is(r, "ip")) return policy_address(r);
  if (policy_is(r, "[")) return policy_list(r);
  if (policy_is(r, "resource")) {
    node = policy_new(r, POLICY_THIS, (policy_type){ POLICY_RESOURCE, 0, NULL });
    policy_next(r);
    return node;
  }
  if (policy_take(r, "(")) {
    node = policy_expr(r);
    return policy_want(r, ")") ? node : NULL;
  }
  return policy_wrong(r, "expected an expression");
}

/* A member function, behind its point. */
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
  while (i < POLICY_COUNT(methods) && !policy_is(r, methods[i].name)) i++;
  if (i == POLICY_COUNT(methods)) return policy_wrong(r, "there is no such function");
  op = methods[i].op;
  policy_next(r);
  if (!policy_want(r, "(")) return NULL;
  if (op != POLICY_EMPTY) with = policy_expr(r);
  if (!with || !policy_want(r, ")")) return NULL;
  fits = op == POLICY_IN_RANGE ? on->type.kind == POLICY_IP && with->type.kind == POLICY_IP : on->type.kind == POLICY_SET;
  if (fits && op == POLICY_CONTAINS) fits = on->type.item && policy_same_type(policy_item_type(on->type), with->type);
  if (fits && (op == POLICY_CONTAINS_ALL || op == POLICY_CONTAINS_ANY)) fits = policy_same_type(on->type, with->type);
  if (!fits) {
    r->from = from;
    return policy_wrong(r, "the types do not fit");
  }
  return policy_binary(r, op, on, with);
}

static policy_node *policy_member(policy_reader *r)
{
  policy_node *node = policy_primary(r);
  while (node && policy_take(r, ".")) node = policy_method(r, node);
  return node;
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
  policy_node *left = policy_member(r), *right, *node;
  size_t i = 0, from;
  bool fits;
  while (left && i < POLICY_COUNT(signs) && !policy_is(r, signs[i].sign)) i++;
  if (!left || i == POLICY_COUNT(signs)) return left;
  from = r->from;
  policy_next(r);
  right = policy_member(r);
  if (!right) return NULL;
  if (signs[i].op == POLICY_EQUAL) fits = policy_same_type(left->type, right->type) || (left->type.kind == POLICY_RESOURCE && right->type.kind == POLICY_ENTITY);
  else if (signs[i].op == POLICY_IN) fits = left->type.kind == POLICY_RESOURCE && right->type.kind == POLICY_ENTITY;
  else fits = left->type.kind == POLICY_LONG && right->type.kind == POLICY_LONG;
  if (!fits) {
    r->from = from;
    return policy_wrong(r, "the types do not fit");
  }
  node = policy_binary(r, signs[i].op, signs[i].swap ? right : left, signs[i].swap ? left : right);
  return signs[i].negate ? policy_not(r, node) : node;
}

/* All that is joined must be true or false. A chain of any length hangs to the right, so that a loop goes along it. */
static policy_node *policy_joined(policy_reader *r, const char *sign, int op, policy_node *(*read)(policy_reader *r))
{
  policy_node *first = read(r), **last = &first;
  while (*last && policy_is(r, sign)) {
    if ((*last)->type.kind != POLICY_BOOL) return policy_wrong(r, "what stands before it is neither true nor false");
    policy_next(r);
    *last = policy_binary(r, op, *last, read(r));
    if (*last && (*last)->right->type.kind != POLICY_BOOL) return policy_wrong(r, "what stands before this is neither true nor false");
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
  if (++r->depth > POLICY_DEPTH) return policy_wrong(r, "it nests too deep");
  node = policy_joined(r, "||", POLICY_OR, policy_and);
  r->depth--;
  return node;
}

/* ---------------------------------------------------------------------------------------------------------------- policies */

static bool policy_scope(policy_reader *r, svc_policy *p)
{
  if (!policy_want(r, "(") || !policy_want(r, "principal") || !policy_want(r, ",") || !policy_want(r, "action")) return false;
  p->actions = POLICY_ALL;
  if (policy_take(r, "==")) {
    p->actions = policy_action(r);
  } else if (policy_take(r, "in")) {
    p->actions = 0;
    if (!policy_want(r, "[")) return false;
    do p->actions |= policy_action(r);
    while (!r->why.n && policy_take(r, ","));
    if (!policy_want(r, "]")) return false;
  }
  r->actions = p->actions;
  if (!policy_want(r, ",") || !policy_want(r, "resource")) return false;
  if (policy_take(r, "==") || policy_take(r, "in")) p->resource = policy_entity(r);
  return policy_want(r, ")");
}

static bool policy_conditions(policy_reader *r, svc_policy *p)
{
  while (!r->why.n && (policy_is(r, "when") || policy_is(r, "unless"))) {
    size_t from = r->from;
    if (p->condition_count == POLICY_COUNT(p->conditions)) return policy_wrong(r, "it has too many conditions") != NULL;
    p->conditions[p->condition_count].unless = policy_is(r, "unless");
    policy_next(r);
    if (!policy_want(r, "{")) return false;
    p->conditions[p->condition_count].expr = policy_expr(r);
    if (!policy_want(r, "}")) return false;
    r->from = from;
    if (p->conditions[p->condition_count++].expr->type.kind != POLICY_BOOL) return policy_wrong(r, "the condition is neither true nor false") != NULL;
    r->from = r->at;
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
  if (text.n > SVC_POLICY_BODY) policy_wrong(&r, "it is too long");
  policy_next(&r);
  p->forbids = policy_is(&r, "forbid");
  if (!p->forbids && !policy_is(&r, "permit")) policy_wrong(&r, "expected forbid or permit");
  policy_next(&r);
  if (policy_scope(&r, p) && policy_conditions(&r, p) && policy_want(&r, ";") && r.token != POLICY_END)
    policy_wrong(&r, "there is one policy in a body, and this stands behind its end");
  *why = r.why;
  return r.why.n || a->failed ? NULL : p;
}

/* ---------------------------------------------------------------------------------------------------------------- asking */

typedef struct policy_asked {
  svc_arena *a;
  svc_str group, org;
  const svc_node *context;
  bool missing; /* an attribute is not there: the policy says nothing */
} policy_asked;

static bool policy_truth(policy_asked *q, const policy_node *n);

static const svc_node *policy_found(const policy_asked *q, const struct policy_attribute *attribute)
{
  return svc_node_get(svc_node_get(q->context, attribute->of), attribute->name);
}

static const svc_node *policy_attribute_of(policy_asked *q, const policy_node *n)
{
  const svc_node *value = policy_found(q, n->attribute);
  if (!value) q->missing = true;
  return value;
}

static int64_t policy_long(policy_asked *q, const policy_node *n)
{
  const svc_node *value = n->op == POLICY_ATTRIBUTE ? policy_attribute_of(q, n) : NULL;
  int64_t number = n->number;
  if (value && !svc_json_number_i64(value->text, &number)) q->missing = true;
  return number;
}

static svc_str policy_text(policy_asked *q, const policy_node *n)
{
  const svc_node *value = n->op == POLICY_ATTRIBUTE ? policy_attribute_of(q, n) : NULL;
  return value ? value->text : n->text;
}

/* A set is in one of two forms: written out, or in the context. */
typedef struct policy_items {
  policy_asked *q;
  const policy_node *listed;
  const svc_node *found;
} policy_items;

static policy_items policy_set(policy_asked *q, const policy_node *n)
{
  policy_items items = { q, NULL, NULL };
  const svc_node *value = n->op == POLICY_ATTRIBUTE ? policy_attribute_of(q, n) : NULL;
  if (n->op == POLICY_LIST) items.listed = n->left;
  if (value) items.found = value->first;
  return items;
}

static bool policy_item(policy_items *items, svc_str *text)
{
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

static bool policy_has_item(policy_asked *q, const policy_node *set, svc_str wanted)
{
  policy_items items = policy_set(q, set);
  svc_str text;
  while (policy_item(&items, &text))
    if (svc_str_eq(text, wanted)) return true;
  return false;
}

/* Of the elements of `some`: are all in `set`, or is any? */
static bool policy_has_items(policy_asked *q, const policy_node *set, const policy_node *some, bool all)
{
  policy_items items = policy_set(q, some);
  svc_str text;
  while (policy_item(&items, &text))
    if (policy_has_item(q, set, text) != all) return !all;
  return all;
}

static bool policy_is_resource(const policy_asked *q, const policy_node *entity)
{
  if (strcmp(entity->type.entity, "Project") == 0) return svc_str_eq(q->group, entity->text);
  return strcmp(entity->type.entity, "Organization") == 0 && svc_str_eq(q->org, entity->text);
}

static bool policy_equal(policy_asked *q, const policy_node *a, const policy_node *b)
{
  switch (a->type.kind) {
  case POLICY_BOOL: return policy_truth(q, a) == policy_truth(q, b);
  case POLICY_LONG: return policy_long(q, a) == policy_long(q, b);
  case POLICY_SET: return policy_has_items(q, a, b, true) && policy_has_items(q, b, a, true);
  case POLICY_RESOURCE: return policy_is_resource(q, b);
  default: return svc_str_eq(policy_text(q, a), policy_text(q, b));
  }
}

static bool policy_in_range(policy_asked *q, const policy_node *one, const policy_node *range)
{
  svc_address a, b;
  return svc_address_parse(policy_text(q, one), &a) && svc_address_parse(policy_text(q, range), &b) && svc_address_within(&a, &b);
}

/* Is one of the chain so? Then all of it is. */
static bool policy_chain(policy_asked *q, const policy_node *n, bool so)
{
  int op = n->op;
  for (; n->op == op; n = n->right)
    if (policy_truth(q, n->left) == so) return so;
  return policy_truth(q, n);
}

static bool policy_truth(policy_asked *q, const policy_node *n)
{
  const svc_node *value;
  policy_items items;
  svc_str text;
  if (q->missing) return false;
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
  case POLICY_EMPTY: items = policy_set(q, n->left); return !policy_item(&items, &text);
  default: return false;
  }
}

SVC_PRIVATE bool svc_policy_forbids(svc_arena *a, const svc_policy *p, int action, svc_str group, svc_str org, const svc_node *context)
{
  policy_asked q = { a, group, org, context, false };
  size_t i;
  if (!p->forbids || !(p->actions & action) || (p->resource && !policy_is_resource(&q, p->resource))) return false;
  for (i = 0; i < p->condition_count; i++)
    if (policy_truth(&q, p->conditions[i].expr) == p->conditions[i].unless || q.missing) return false;
  return true;
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

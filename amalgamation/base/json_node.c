/*
** A JSON value in memory: a tree of nodes.
**
** Every write builds one, because a change has to be merged, checked and completed before it is stored. A read builds one only for a noun
** with a `view`, an element of an array, an older version, a dialect, or a computed answer. The rules: nodes and
** the texts they point to live as long as their arena and are never freed one by one. The members of an object stay
** sorted by name, also on the wire. Trees are walked with a stack of fixed size, so the depth of a value cannot exhaust
** the thread's stack. Out of memory shows as NULL and is remembered by the arena: functions that take a node accept
** that NULL and change nothing.
*/
#include "base/base.h"

enum { JSON_NODE_DEPTH = 528 }; /* the 512 levels of a body, and a few that are added around it */

/* --------------------------------------------------------------------------------------------------------- building */

SVC_PRIVATE svc_node *svc_node_new(svc_arena *a, int type, svc_str name, svc_str text)
{
  svc_node *node = svc_arena_zero(a, sizeof *node);
  if (!node) return NULL;
  node->type = type;
  node->name = name;
  node->text = text;
  return node;
}

SVC_PRIVATE svc_node *svc_node_object(svc_arena *a, const char *name)
{
  return svc_node_new(a, SVC_J_OBJECT, svc_str_c(name), SVC_S(""));
}

SVC_PRIVATE svc_node *svc_node_array(svc_arena *a, const char *name)
{
  return svc_node_new(a, SVC_J_ARRAY, svc_str_c(name), SVC_S(""));
}

SVC_PRIVATE void svc_node_append(svc_node *parent, svc_node *child)
{
  if (!parent || !child) return;
  child->next = NULL;
  if (parent->last) parent->last->next = child;
  else parent->first = child;
  parent->last = child;
}

SVC_PRIVATE void svc_node_put(svc_arena *a, svc_node *object, svc_node *member)
{
  svc_node *before = NULL, *at;
  int order;
  if (!object || !member) {
    a->failed = true;
    return;
  }
  /* Members mostly arrive in order: each is appended, and a large object is not searched. */
  if (!object->last || svc_str_order(object->last->name, member->name) < 0) {
    svc_node_append(object, member);
    return;
  }
  /* ends before the last member, which sorts behind the new one */
  for (at = object->first; (order = svc_str_order(at->name, member->name)) < 0; at = at->next) before = at;
  member->next = order == 0 ? at->next : at;
  if (before) before->next = member;
  else object->first = member;
  if (!member->next) object->last = member;
}

/* The value is copied, because callers often pass their own buffer; names are constants. */
SVC_PRIVATE void svc_node_set_str(svc_arena *a, svc_node *object, const char *name, svc_str value)
{
  svc_str text = svc_arena_copy(a, value);
  if (text.n != value.n) return;
  svc_node_put(a, object, svc_node_new(a, SVC_J_STRING, svc_str_c(name), text));
}

SVC_PRIVATE void svc_node_set_text(svc_arena *a, svc_node *object, const char *name, const char *value)
{
  svc_node_set_str(a, object, name, svc_str_c(value));
}

SVC_PRIVATE void svc_node_set_from(svc_arena *a, svc_node *object, const char *name, const svc_node *from, const char *member)
{
  svc_node_set_str(a, object, name, svc_node_str(from, member));
}

SVC_PRIVATE void svc_node_set_copy(svc_arena *a, svc_node *object, const char *name, const svc_node *from, const char *member)
{
  const svc_node *value = svc_node_get(from, member);
  svc_node *copy = value ? svc_node_copy(a, value) : NULL;
  if (!copy) return;
  copy->name = svc_str_c(name);
  svc_node_put(a, object, copy);
}

SVC_PRIVATE void svc_node_set_id(svc_arena *a, svc_node *object, const char *name, const svc_id *id)
{
  char text[24];
  svc_id_hex(id, text);
  svc_node_set_str(a, object, name, (svc_str){ text, sizeof text });
}

SVC_PRIVATE void svc_node_set_i64(svc_arena *a, svc_node *object, const char *name, int64_t value)
{
  svc_str text = svc_arena_print(a, "%lld", (long long)value);
  if (text.n == 0) return;
  svc_node_put(a, object, svc_node_new(a, SVC_J_NUMBER, svc_str_c(name), text));
}

SVC_PRIVATE void svc_node_set_date(svc_arena *a, svc_node *object, const char *name, int64_t ms)
{
  char text[21];
  svc_date_text(ms, text);
  svc_node_set_text(a, object, name, text);
}

SVC_PRIVATE void svc_node_set_bool(svc_arena *a, svc_node *object, const char *name, bool value)
{
  svc_node_put(a, object, svc_node_new(a, SVC_J_BOOL, svc_str_c(name), value ? SVC_S("true") : SVC_S("false")));
}

SVC_PRIVATE void svc_node_drop(svc_node *object, const char *name)
{
  svc_node *before = NULL, *at;
  if (!object || object->type != SVC_J_OBJECT) return;
  for (at = object->first; at; before = at, at = at->next) {
    if (!svc_str_is(at->name, name)) continue;
    if (before) before->next = at->next;
    else object->first = at->next;
    if (object->last == at) object->last = before;
    return;
  }
}

/* ---------------------------------------------------------------------------------------------------------- reading */

SVC_PRIVATE svc_node *svc_node_find(const svc_node *object, svc_str name)
{
  svc_node *at;
  if (!object || object->type != SVC_J_OBJECT) return NULL;
  for (at = object->first; at; at = at->next) {
    if (svc_str_eq(at->name, name)) return at;
  }
  return NULL;
}

SVC_PRIVATE svc_node *svc_node_get(const svc_node *object, const char *name)
{
  return svc_node_find(object, svc_str_c(name));
}

SVC_PRIVATE bool svc_node_has_str(const svc_node *array, svc_str text)
{
  const svc_node *one = array ? array->first : NULL;
  while (one && !(one->type == SVC_J_STRING && svc_str_eq(one->text, text))) one = one->next;
  return one != NULL;
}

SVC_PRIVATE bool svc_node_add_str(svc_arena *a, svc_node *array, svc_str text)
{
  svc_node *one = array ? svc_node_new(a, SVC_J_STRING, SVC_S(""), text) : NULL;
  if (one) svc_node_append(array, one);
  return one != NULL;
}

SVC_PRIVATE svc_node *svc_node_first(const svc_node *node)
{
  return node ? node->first : NULL;
}

SVC_PRIVATE size_t svc_node_count(const svc_node *node)
{
  const svc_node *at;
  size_t n = 0;
  if (!node) return 0;
  for (at = node->first; at; at = at->next) n++;
  return n;
}

SVC_PRIVATE svc_str svc_node_str(const svc_node *object, const char *name)
{
  const svc_node *node = svc_node_get(object, name);
  return node && node->type == SVC_J_STRING ? node->text : SVC_S("");
}

SVC_PRIVATE bool svc_node_eq(const svc_node *object, const char *name, svc_str text)
{
  return svc_str_eq(svc_node_str(object, name), text);
}

SVC_PRIVATE bool svc_node_is(const svc_node *object, const char *name, const char *text)
{
  return svc_str_is(svc_node_str(object, name), text);
}

SVC_PRIVATE bool svc_node_bool(const svc_node *object, const char *name, bool otherwise)
{
  const svc_node *node = svc_node_get(object, name);
  return node && node->type == SVC_J_BOOL ? svc_str_is(node->text, "true") : otherwise;
}

SVC_PRIVATE int64_t svc_node_i64(const svc_node *object, const char *name, int64_t otherwise)
{
  const svc_node *node = svc_node_get(object, name);
  int64_t value;
  return node && node->type == SVC_J_NUMBER && svc_json_number_i64(node->text, &value) ? value : otherwise;
}

SVC_PRIVATE int64_t svc_node_i64_within(const svc_node *object, const char *name, int64_t otherwise, int64_t least, int64_t most)
{
  int64_t value = svc_node_i64(object, name, otherwise);
  return value < least || value > most ? otherwise : value;
}

/* ------------------------------------------------------------------------------------------------------ whole trees */

/* Copies a single node with its texts: the copy may outlive the texts of the original. */
static svc_node *json_node_twin(svc_arena *a, const svc_node *node)
{
  svc_str name = svc_arena_copy(a, node->name), text = svc_arena_copy(a, node->text);
  if (name.n != node->name.n || text.n != node->text.n) return NULL;
  return svc_node_new(a, node->type, name, text);
}

SVC_PRIVATE svc_node *svc_node_copy(svc_arena *a, const svc_node *node)
{
  const svc_node *from[JSON_NODE_DEPTH];
  svc_node *to[JSON_NODE_DEPTH], *root = NULL, *twin;
  size_t depth = 0;
  while (node) {
    twin = json_node_twin(a, node);
    if (!twin) return NULL;
    if (depth > 0) svc_node_append(to[depth - 1], twin);
    else root = twin;
    if (node->first) {
      if (depth == JSON_NODE_DEPTH) return NULL;
      from[depth] = node;
      to[depth++] = twin;
      node = node->first;
      continue;
    }
    while (depth > 0 && !node->next) node = from[--depth];
    node = depth > 0 ? node->next : NULL;
  }
  return root;
}

/* Compares numbers by value: exactly if both are integers, else as doubles; as written if they overflow a double. */
static bool json_node_same_number(svc_str a, svc_str b)
{
  int64_t i, j;
  double x, y;
  bool whole = svc_json_number_i64(a, &i);
  if (svc_str_eq(a, b)) return true;
  if (whole != svc_json_number_i64(b, &j)) return false;
  if (whole) return i == j;
  return svc_json_number_double(a, &x) && svc_json_number_double(b, &y) && x == y;
}

/* Compares two nodes without their children. */
static bool json_node_alike(const svc_node *a, const svc_node *b)
{
  if (a->type != b->type) return false;
  if (a->type == SVC_J_NUMBER) return json_node_same_number(a->text, b->text);
  if (a->type == SVC_J_STRING || a->type == SVC_J_BOOL) return svc_str_eq(a->text, b->text);
  return a->type == SVC_J_NULL || svc_node_count(a) == svc_node_count(b);
}

/* The counterpart in `other` of the member or element `node`; `guess` is right when both have the same order. */
static const svc_node *json_node_partner(const svc_node *other, const svc_node *node, const svc_node *guess)
{
  if (other->type != SVC_J_OBJECT) return guess;
  return guess && svc_str_eq(guess->name, node->name) ? guess : svc_node_find(other, node->name);
}

SVC_PRIVATE bool svc_node_same(const svc_node *a, const svc_node *b)
{
  const svc_node *open_a[JSON_NODE_DEPTH], *open_b[JSON_NODE_DEPTH];
  size_t depth = 0;
  if (!a || !b) return a == b;
  for (;;) {
    if (!json_node_alike(a, b)) return false;
    if (a->first) {
      if (depth == JSON_NODE_DEPTH) return false;
      open_a[depth] = a;
      open_b[depth++] = b;
      b = json_node_partner(b, a->first, b->first);
      a = a->first;
    } else {
      while (depth > 0 && !a->next) {
        a = open_a[--depth];
        b = open_b[depth];
      }
      if (depth == 0) return true;
      b = json_node_partner(open_b[depth - 1], a->next, b->next);
      a = a->next;
    }
    if (!b) return false;
  }
}

/* Writes a node without its children: all of a scalar or empty container, the opening bracket of any other. */
static void json_node_write_head(svc_buf *b, const svc_node *node)
{
  switch (node->type) {
  case SVC_J_NULL: svc_buf_add(b, "null", 4); break;
  case SVC_J_STRING: svc_json_escape(b, node->text); break;
  case SVC_J_OBJECT: svc_buf_add(b, "{}", node->first ? 1 : 2); break;
  case SVC_J_ARRAY: svc_buf_add(b, "[]", node->first ? 1 : 2); break;
  default: svc_buf_str(b, node->text);
  }
}

SVC_PRIVATE size_t svc_node_write_for(svc_buf *b, const svc_node *node, svc_str name)
{
  const svc_node *open[JSON_NODE_DEPTH];
  size_t depth = 0, start = b->n, at = 0;
  if (!node) b->failed = true;
  while (node && !b->failed) {
    if (depth == 1 && at == 0 && svc_str_order(node->name, name) >= 0) at = b->n - start;
    if (depth > 0 && open[depth - 1]->type == SVC_J_OBJECT) {
      svc_json_escape(b, node->name);
      svc_buf_char(b, ':');
    }
    json_node_write_head(b, node);
    if (node->first) {
      if (depth == JSON_NODE_DEPTH) {
        b->failed = true;
        break;
      }
      open[depth++] = node;
      node = node->first;
      continue;
    }
    while (depth > 0 && !node->next) {
      node = open[--depth];
      svc_buf_char(b, node->type == SVC_J_OBJECT ? '}' : ']');
    }
    if (depth == 0) break;
    svc_buf_char(b, ',');
    node = node->next;
  }
  return b->failed ? 0 : at ? at : b->n - start - 1;
}

SVC_PRIVATE void svc_node_write(svc_buf *b, const svc_node *node)
{
  svc_node_write_for(b, node, SVC_S(""));
}

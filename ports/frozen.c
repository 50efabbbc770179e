/*
** The port to frozen: its json_walk() reads a text, and this part builds a tree from its reports.
**
** frozen must only get texts that have passed svc_json_gate() or were written by svc_node_write(). frozen
** recurses without a limit, so brackets alone crash the parser; it reads past the end of a text that ends in a backslash;
** it accepts trailing and missing commas, bare keys, hex numbers and broken UTF-8; it reports nothing below an empty key,
** a key that ends in '.', or a path of more than 255 bytes. Only json_walk() is used, because frozen's
** escaping, unescaping and numbers are wrong (json_text.c has ours).
**
** The rule: a tree represents the whole text, or parsing fails. Names and strings without escapes, and numbers, point
** into the text, which has to live as long as the tree. Members are sorted by name, as svc_node_put() keeps them; two
** objects are then compared in one pass, however many members they have.
*/
#include "ports/ports.h"

#include <frozen.h>

enum { FROZEN_DEPTH = 512 };

/* The gate counts a path as frozen does; with a shorter buffer in frozen, values would get lost. */
_Static_assert(JSON_MAX_PATH_LEN > SVC_JSON_MAX_PATH, "frozen is configured with too short a path");

struct frozen_reader {
  svc_arena *arena;
  svc_node *root;
  svc_node *open[FROZEN_DEPTH];
  size_t depth;
  size_t members; /* of all reported objects */
  bool failed;
};

/* From an opening quote to the closing one; at or behind the end of the text: not closed. */
static size_t frozen_string_end(svc_str text, size_t at)
{
  for (at++; at < text.n; at++) {
    at += svc_json_plain(text.p + at, text.n - at, false);
    if (at < text.n && text.p[at] == '"') break;
    at += at < text.n && text.p[at] == '\\';
  }
  return at;
}

/*
** Our own texts do not pass the gate again, so their members are counted here: each has a ':' outside of a string. A text that is too deep
** for frozen then fails to parse, instead of giving a tree with holes, or a crash.
*/
static bool frozen_count(svc_str text, size_t *members)
{
  size_t i, depth = 0;
  *members = 0;
  for (i = 0; i < text.n; i++) {
    char c = text.p[i];
    if (c == '"') {
      i = frozen_string_end(text, i);
      if (i >= text.n) return false;
    } else if (c == ':') {
      ++*members;
    } else if (c == '{' || c == '[') {
      depth++;
    } else if (c == '}' || c == ']') {
      depth--; /* an extra bracket wraps around, which is too deep */
    }
    if (depth > FROZEN_DEPTH) return false;
  }
  return true;
}

static bool frozen_is_sorted(const svc_node *object)
{
  const svc_node *at;
  for (at = object->first; at && at->next; at = at->next) {
    if (svc_str_order(at->name, at->next->name) >= 0) return false;
  }
  return true;
}

/* Merges neighbouring runs of `width` members; returns the number of merges, which tells whether one run is left. */
static size_t frozen_merge(svc_node *object, size_t width)
{
  svc_node *left = object->first, *right, *next;
  size_t merges = 0, n_left, n_right;
  object->first = object->last = NULL;
  while (left) {
    merges++;
    right = left;
    for (n_left = 0; n_left < width && right; n_left++) right = right->next;
    n_right = width;
    while (n_left > 0 || (n_right > 0 && right)) {
      bool from_left = n_left > 0 && (n_right == 0 || !right || svc_str_order(right->name, left->name) >= 0);
      next = from_left ? left : right;
      if (from_left) left = left->next, n_left--;
      else right = right->next, n_right--;
      svc_node_append(object, next);
    }
    left = right;
  }
  return merges;
}

/* Bottom-up merge sort: no recursion, no memory, and no order of keys makes it slow. */
static void frozen_sort(svc_node *object)
{
  size_t width = 1;
  if (frozen_is_sorted(object)) return;
  while (frozen_merge(object, width) > 1) width *= 2;
}

static void frozen_close(struct frozen_reader *r, int type)
{
  if (r->depth == 0 || r->open[r->depth - 1]->type != type) {
    r->failed = true;
    return;
  }
  if (type == SVC_J_OBJECT) frozen_sort(r->open[r->depth - 1]);
  r->depth--;
}

/* Adds a value to its container. frozen's name of an array element is its index, in a temporary buffer. */
static void frozen_add(struct frozen_reader *r, int type, svc_str raw_name, svc_str raw)
{
  svc_node *parent = r->depth > 0 ? r->open[r->depth - 1] : NULL, *node;
  svc_str name = SVC_S(""), text = raw;
  bool good = parent || !r->root;
  if (good && parent && parent->type == SVC_J_OBJECT) {
    r->members++;
    good = raw_name.n > 0 && svc_json_unescape(r->arena, raw_name, &name);
  }
  if (good && type == SVC_J_STRING) good = svc_json_unescape(r->arena, raw, &text);
  node = good ? svc_node_new(r->arena, type, name, text) : NULL;
  if (!node) {
    r->failed = true;
    return;
  }
  if (parent) svc_node_append(parent, node);
  else r->root = node;
  if (type != SVC_J_OBJECT && type != SVC_J_ARRAY) return;
  if (r->depth == FROZEN_DEPTH) r->failed = true;
  else r->open[r->depth++] = node;
}

static void frozen_event(void *data, const char *name, size_t name_n, const char *path, const struct json_token *token)
{
  struct frozen_reader *r = data;
  svc_str key = { name ? name : "", name ? name_n : 0 }, none = SVC_S("");
  svc_str raw = { token->ptr ? token->ptr : "", token->ptr ? (size_t)token->len : 0 };
  (void)path;
  if (r->failed) return; /* json_walk() cannot be stopped */
  switch (token->type) {
  case JSON_TYPE_STRING: frozen_add(r, SVC_J_STRING, key, raw); break;
  case JSON_TYPE_NUMBER: frozen_add(r, SVC_J_NUMBER, key, raw); break;
  case JSON_TYPE_TRUE:
  case JSON_TYPE_FALSE: frozen_add(r, SVC_J_BOOL, key, raw); break;
  case JSON_TYPE_NULL: frozen_add(r, SVC_J_NULL, key, none); break;
  case JSON_TYPE_OBJECT_START: frozen_add(r, SVC_J_OBJECT, key, none); break;
  case JSON_TYPE_ARRAY_START: frozen_add(r, SVC_J_ARRAY, key, none); break;
  case JSON_TYPE_OBJECT_END: frozen_close(r, SVC_J_OBJECT); break;
  case JSON_TYPE_ARRAY_END: frozen_close(r, SVC_J_ARRAY); break;
  default: r->failed = true;
  }
}

static svc_node *frozen_read(svc_arena *a, svc_str text, const size_t *members)
{
  struct frozen_reader r;
  int end;
  if (text.n == 0 || text.n > INT_MAX) return NULL;
  r.arena = a;
  r.root = NULL;
  r.depth = r.members = 0;
  r.failed = false;
  end = json_walk(text.p, (int)text.n, frozen_event, &r);
  if (end < 0 || r.failed || r.depth > 0 || (members && r.members != *members)) return NULL;
  while ((size_t)end < text.n && text.p[end] && strchr(" \t\n\r", text.p[end])) end++;
  return (size_t)end == text.n ? r.root : NULL;
}

SVC_PRIVATE svc_node *svc_json_parse(svc_arena *a, svc_str text)
{
  size_t members;
  return frozen_count(text, &members) ? frozen_read(a, text, &members) : NULL;
}

/* The gate has made sure that nothing gets lost. */
SVC_PRIVATE svc_node *svc_json_parse_gated(svc_arena *a, svc_str text)
{
  return frozen_read(a, text, NULL);
}

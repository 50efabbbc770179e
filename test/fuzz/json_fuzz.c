/*
** JSON: text that the gate accepts is parsed, written, and parsed again with the same result, compact and pretty. Refused text
** has a position and a reason. The text is at the end of its own block, so that a sanitizer detects reads past the end.
*/
#include "fuzz.h"

#define JSON_DEPTH 32

static svc_node *json_read(svc_arena *a, svc_str text, const char *otherwise)
{
  svc_json_fault fault;
  svc_node *node;
  if (!svc_json_gate(a, text, JSON_DEPTH, &fault)) fuzz_die(otherwise);
  node = svc_json_parse_gated(a, text);
  if (!node) fuzz_die("the gate takes it and the parser does not");
  return node;
}

/* Checks that all readers of numbers agree. */
static void json_number(svc_str text)
{
  int64_t whole;
  double value;
  bool is_whole = svc_json_number_i64(text, &whole), is_double = svc_json_number_double(text, &value);
  if (is_whole && !is_double) fuzz_die("a number is an integer, but not a double");
  if (is_whole && (whole > 1LL << 52 || whole < -(1LL << 52))) return; /* a double cannot represent it exactly */
  if (is_whole && value != (double)whole) fuzz_die("a number of two values");
}

/* Checks that a search without parsing finds the parsed members. */
static void json_members(svc_arena *a, const svc_node *object, svc_str compact)
{
  const svc_node *m;
  for (m = object->type == SVC_J_OBJECT ? object->first : NULL; m; m = m->next) {
    svc_buf b = svc_buf_new(a, 64);
    svc_str found;
    if (svc_json_plain(m->name.p, m->name.n, false) != m->name.n) continue; /* only names without escapes */
    svc_node_write(&b, m);
    found = svc_json_member(compact, m->name);
    if (!svc_str_eq(found, svc_buf_done(&b))) fuzz_die("a member that is found is not the one that was parsed");
    if (m->type == SVC_J_NUMBER) json_number(m->text);
    if (svc_node_find(object, m->name) != m) fuzz_die("a member that is not found by its name");
  }
}

int svc_fuzz_json(const uint8_t *data, size_t size)
{
  svc_arena a;
  svc_json_fault fault = { 0, NULL };
  char *own = malloc(size ? size : 1);
  svc_str text = { own, size }, compact, pretty;
  if (!own) fuzz_die("no memory");
  if (size) memcpy(own, data, size);
  svc_arena_init(&a, NULL);
  if (!svc_json_gate(&a, text, JSON_DEPTH, &fault)) {
    if (!fault.what || fault.at > size) fuzz_die("refused without a place and a reason");
  } else {
    svc_node *node = json_read(&a, text, "the gate has changed its mind");
    svc_buf b = svc_buf_new(&a, 64), p = svc_buf_new(&a, 64);
    svc_node_write(&b, node);
    compact = svc_buf_done(&b);
    svc_json_pretty(&p, compact);
    pretty = svc_buf_done(&p);
    if (!svc_node_same(node, json_read(&a, compact, "what was written is no JSON"))) fuzz_die("written, it is something else");
    if (!svc_node_same(node, json_read(&a, pretty, "what was written pretty is no JSON"))) fuzz_die("written pretty, it is something else");
    if (!svc_node_same(node, svc_node_copy(&a, node))) fuzz_die("a copy is something else");
    json_members(&a, node, compact);
  }
  svc_blocks_free(a.blocks);
  free(own);
  return 0;
}

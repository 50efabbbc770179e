/*
** The gate: no JSON text from outside reaches any other part before it has passed here.
**
** The parser that reads a text afterwards (ports/frozen.c) accepts unquoted keys, missing commas, hex numbers and broken UTF-8, has no
** depth limit and loses values whose path is long. The gate is therefore stricter than RFC 8259, and also refuses
** texts that a later reader could understand differently than the sender: a duplicate key, an empty key, a key that ends in '.',
** U+0000 in a string (C code would see the string end there).
**
** The rule: one pass, no recursion, work linear in the bytes of the text whatever they are. Duplicate keys cost no
** more: the keys of an object stand in a PATRICIA tree, whose depth is bounded by the bits of a key, and there is no
** hash that a sender could make collide.
*/
#include "base/base.h"

enum {
  JSON_GATE_MAX_DEPTH = 512, /* the upper limit of svc_config.max_depth */
  JSON_GATE_MAX_NUMBER = 64  /* bytes of a number: more digits than any type holds, few enough for fixed buffers */
};

/* A key, and the branch of the tree that came with it: goes to child[0] or child[1] by one bit of the key. */
struct json_gate_key {
  const char *p; /* unescaped */
  unsigned short n;
  unsigned short bit; /* counted from 1; a child whose bit is not higher is a link back: a leaf */
  struct json_gate_key *child[2];
};

struct json_gate_level {
  struct json_gate_key keys; /* head of the tree: an empty key, bit 0 */
  unsigned index;            /* of the element at hand, in an array */
  unsigned short path;       /* bytes of the path of the container, as frozen builds it */
  bool object;
};

struct json_gate {
  svc_arena *arena;
  const unsigned char *p;
  size_t n, at;
  size_t path; /* bytes of the path of the value at hand */
  size_t depth, max_depth;
  struct json_gate_level *levels;
  svc_json_fault *fault;
};

static bool json_gate_fault(struct json_gate *g, size_t at, const char *what)
{
  g->fault->at = at;
  g->fault->what = what;
  return false;
}
#define json_gate_fault(...) (json_gate_fault(__VA_ARGS__), false) /* so that the compiler sees that it returns false */

/* The current byte violates the grammar; at the end of the text, the error is the unexpected end. */
static bool json_gate_expected(struct json_gate *g, const char *what)
{
  return json_gate_fault(g, g->at, g->at < g->n ? what : "unexpected end");
}

static bool json_gate_is(const struct json_gate *g, unsigned char c)
{
  return g->at < g->n && g->p[g->at] == c;
}

static bool json_gate_is_digit(const struct json_gate *g)
{
  return g->at < g->n && g->p[g->at] >= '0' && g->p[g->at] <= '9';
}

static void json_gate_space(struct json_gate *g)
{
  while (json_gate_is(g, ' ') || json_gate_is(g, '\t') || json_gate_is(g, '\n') || json_gate_is(g, '\r')) g->at++;
}

/* ---------------------------------------------------------------------------------------------------------- strings */

/* A character of more than one byte. The second byte decides about overlong forms, surrogates and the upper end. */
static bool json_gate_utf8(struct json_gate *g)
{
  const unsigned char *p = g->p + g->at;
  size_t left = g->n - g->at, more, i;
  unsigned char low = 0x80, high = 0xBF;
  if (p[0] >= 0xC2 && p[0] <= 0xDF) more = 1;
  else if (p[0] >= 0xE0 && p[0] <= 0xEF) more = 2;
  else if (p[0] >= 0xF0 && p[0] <= 0xF4) more = 3;
  else return json_gate_fault(g, g->at, "invalid UTF-8");
  if (p[0] == 0xE0) low = 0xA0;
  if (p[0] == 0xED) high = 0x9F;
  if (p[0] == 0xF0) low = 0x90;
  if (p[0] == 0xF4) high = 0x8F;
  for (i = 1; i <= more; i++) {
    if (i >= left || p[i] < low || p[i] > high) return json_gate_fault(g, g->at, "invalid UTF-8");
    low = 0x80;
    high = 0xBF;
  }
  g->at += more + 1;
  return true;
}

/* The four hex digits behind \u. */
static bool json_gate_hex4(struct json_gate *g, unsigned *unit)
{
  int i;
  *unit = 0;
  for (i = 0; i < 4; i++, g->at++) {
    unsigned c = g->at < g->n ? g->p[g->at] : 0;
    if (c >= '0' && c <= '9') c -= '0';
    else if (c >= 'a' && c <= 'f') c -= 'a' - 10;
    else if (c >= 'A' && c <= 'F') c -= 'A' - 10;
    else return json_gate_expected(g, "invalid escape");
    *unit = *unit << 4 | c;
  }
  return true;
}

/* \uXXXX; a high surrogate must be followed by the escape of a low one. */
static bool json_gate_unicode(struct json_gate *g, size_t backslash)
{
  unsigned unit;
  g->at++;
  if (!json_gate_hex4(g, &unit)) return false;
  if (unit == 0) return json_gate_fault(g, backslash, "U+0000 in a string");
  if (unit < 0xD800 || unit > 0xDFFF) return true;
  if (unit > 0xDBFF || g->n - g->at < 2 || g->p[g->at] != '\\' || g->p[g->at + 1] != 'u') {
    return json_gate_fault(g, backslash, "lone surrogate");
  }
  g->at += 2;
  if (!json_gate_hex4(g, &unit)) return false;
  if (unit < 0xDC00 || unit > 0xDFFF) return json_gate_fault(g, backslash, "lone surrogate");
  return true;
}

static bool json_gate_escape(struct json_gate *g)
{
  size_t backslash = g->at++;
  if (g->at == g->n) return json_gate_expected(g, "");
  switch (g->p[g->at]) {
  case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't':
    g->at++;
    return true;
  case 'u':
    return json_gate_unicode(g, backslash);
  default:
    return json_gate_fault(g, g->at, "invalid escape");
  }
}

/* From the opening quote to behind the closing one; *raw is what stands between them. */
static bool json_gate_string(struct json_gate *g, svc_str *raw)
{
  size_t from = ++g->at;
  while (g->at < g->n) {
    unsigned char c;
    g->at += svc_json_plain((const char *)g->p + g->at, g->n - g->at, true);
    if (g->at == g->n) break;
    c = g->p[g->at];
    if (c == '"') {
      raw->p = (const char *)g->p + from;
      raw->n = g->at++ - from;
      return true;
    }
    if (c == '\\') {
      if (!json_gate_escape(g)) return false;
    } else if (c >= 0x80) {
      if (!json_gate_utf8(g)) return false;
    } else {
      return json_gate_fault(g, g->at, "control character in a string");
    }
  }
  return json_gate_expected(g, "");
}

/* ------------------------------------------------------------------------------------------------------------- keys */

/* Bit number `bit` of a key, which counts as followed by endless zero bits (no key holds a zero byte). */
static unsigned json_gate_bit(const struct json_gate_key *key, unsigned bit)
{
  unsigned byte = (bit - 1) >> 3;
  return byte < key->n ? (unsigned char)key->p[byte] >> (7 - ((bit - 1) & 7)) & 1u : 0;
}

/* The first bit in which two keys differ; 0: they are the same. */
static unsigned json_gate_differ(const struct json_gate_key *a, const struct json_gate_key *b)
{
  unsigned i, bit = 1, longer = a->n > b->n ? a->n : b->n;
  for (i = 0; i < longer; i++) {
    unsigned x = i < a->n ? (unsigned char)a->p[i] : 0, y = i < b->n ? (unsigned char)b->p[i] : 0;
    if (x == y) continue;
    for (bit = i * 8 + 1, x ^= y; !(x & 0x80); x <<= 1) bit++;
    return bit;
  }
  return 0;
}

/* Adds a key to the tree of its object. False: duplicate. */
static bool json_gate_enter(struct json_gate_key *head, struct json_gate_key *key)
{
  struct json_gate_key *from = head, *to = head->child[0];
  unsigned side;
  while (to->bit > from->bit) {
    from = to;
    to = from->child[json_gate_bit(key, from->bit)];
  }
  key->bit = (unsigned short)json_gate_differ(key, to);
  if (key->bit == 0) return false;
  from = head;
  to = head->child[0];
  while (to->bit > from->bit && to->bit < key->bit) {
    from = to;
    to = from->child[json_gate_bit(key, from->bit)];
  }
  side = json_gate_bit(key, key->bit);
  key->child[side] = key;
  key->child[!side] = to;
  from->child[from == head ? 0 : json_gate_bit(key, from->bit)] = key;
  return true;
}

/* Checks every rule about one key. Keys are compared unescaped ("a" is "\u0061"); frozen's path holds them as written. */
static bool json_gate_check_key(struct json_gate *g, size_t at, svc_str raw)
{
  struct json_gate_level *level = &g->levels[g->depth - 1];
  struct json_gate_key *key;
  svc_str name;
  if (raw.n == 0) return json_gate_fault(g, at, "empty key");
  g->path = level->path + raw.n;
  if (g->path > SVC_JSON_MAX_PATH) return json_gate_fault(g, at, "path too long");
  key = svc_arena_alloc(g->arena, sizeof *key);
  if (!key || !svc_json_unescape(g->arena, raw, &name)) {
    g->arena->failed = true;
    return json_gate_fault(g, at, "out of memory");
  }
  /* an escaped '.' counts as well, because svcapi writes it unescaped */
  if (name.p[name.n - 1] == '.') return json_gate_fault(g, at, "key ends in '.'");
  key->p = name.p;
  key->n = (unsigned short)name.n;
  return json_gate_enter(&level->keys, key) || json_gate_fault(g, at, "duplicate key");
}

/* ------------------------------------------------------------------------------------------------ numbers, literals */

static bool json_gate_digits(struct json_gate *g)
{
  if (!json_gate_is_digit(g)) return json_gate_expected(g, "expected a digit");
  while (json_gate_is_digit(g)) g->at++;
  return true;
}

static bool json_gate_number(struct json_gate *g)
{
  size_t from = g->at;
  if (json_gate_is(g, '-')) g->at++;
  if (json_gate_is(g, '0')) {
    g->at++;
    if (json_gate_is_digit(g)) return json_gate_fault(g, g->at, "digit behind a leading zero");
  } else if (!json_gate_digits(g)) {
    return false;
  }
  if (json_gate_is(g, '.')) {
    g->at++;
    if (!json_gate_digits(g)) return false;
  }
  if (json_gate_is(g, 'e') || json_gate_is(g, 'E')) {
    g->at++;
    if (json_gate_is(g, '+') || json_gate_is(g, '-')) g->at++;
    if (!json_gate_digits(g)) return false;
  }
  return g->at - from <= JSON_GATE_MAX_NUMBER || json_gate_fault(g, from, "number too long");
}

static bool json_gate_literal(struct json_gate *g, const char *word)
{
  for (; *word; word++, g->at++) {
    if (!json_gate_is(g, (unsigned char)*word)) return json_gate_expected(g, "expected a value");
  }
  return true;
}

/* ----------------------------------------------------------------------------------------------- objects and arrays */

/* From the byte behind '{' or ',' to the value of a member. */
static bool json_gate_member(struct json_gate *g)
{
  size_t at;
  svc_str raw;
  json_gate_space(g);
  at = g->at;
  if (!json_gate_is(g, '"')) return json_gate_expected(g, "expected a key");
  if (!json_gate_string(g, &raw) || !json_gate_check_key(g, at, raw)) return false;
  json_gate_space(g);
  if (!json_gate_is(g, ':')) return json_gate_expected(g, "expected ':'");
  g->at++;
  json_gate_space(g);
  return true;
}

/* From the byte behind '[' or ',' to the element; its part of the path is "[index]". */
static bool json_gate_element(struct json_gate *g)
{
  const struct json_gate_level *level = &g->levels[g->depth - 1];
  unsigned index;
  json_gate_space(g);
  g->path = level->path + 3;
  for (index = level->index; index > 9; index /= 10) g->path++;
  return g->path <= SVC_JSON_MAX_PATH || json_gate_fault(g, g->at, "path too long");
}

/* A bracket opens: moves on to the first value in it, or past it (*complete) if it is empty. */
static bool json_gate_open(struct json_gate *g, bool *complete)
{
  bool object = g->p[g->at] == '{';
  struct json_gate_level *level;
  if (g->depth == g->max_depth) return json_gate_fault(g, g->at, "nesting too deep");
  if (object && g->path == SVC_JSON_MAX_PATH) return json_gate_fault(g, g->at, "path too long");
  level = &g->levels[g->depth++];
  memset(level, 0, sizeof *level);
  level->keys.p = "";
  level->keys.child[0] = level->keys.child[1] = &level->keys;
  level->path = (unsigned short)(g->path + object); /* frozen puts the '.' before the first key is read */
  level->object = object;
  g->at++;
  json_gate_space(g);
  *complete = json_gate_is(g, object ? '}' : ']');
  if (*complete) {
    g->at++;
    g->depth--;
    return true;
  }
  return object ? json_gate_member(g) : json_gate_element(g);
}

/* *complete: the value has been read to its end; otherwise a container has been entered, and its first value is next. */
static bool json_gate_value(struct json_gate *g, bool *complete)
{
  svc_str raw;
  *complete = true;
  if (json_gate_is(g, '{') || json_gate_is(g, '[')) return json_gate_open(g, complete);
  if (json_gate_is(g, '"')) return json_gate_string(g, &raw);
  if (json_gate_is(g, 't')) return json_gate_literal(g, "true");
  if (json_gate_is(g, 'f')) return json_gate_literal(g, "false");
  if (json_gate_is(g, 'n')) return json_gate_literal(g, "null");
  if (json_gate_is(g, '-') || json_gate_is_digit(g)) return json_gate_number(g);
  return json_gate_expected(g, "expected a value");
}

/* After a complete value: closes the containers that end here, up to the next value or the end of the outermost one. */
static bool json_gate_after(struct json_gate *g)
{
  for (;;) {
    struct json_gate_level *level;
    json_gate_space(g);
    if (g->depth == 0) return true;
    level = &g->levels[g->depth - 1];
    if (json_gate_is(g, ',')) {
      g->at++;
      level->index++;
      return level->object ? json_gate_member(g) : json_gate_element(g);
    }
    if (!json_gate_is(g, level->object ? '}' : ']')) {
      return json_gate_expected(g, level->object ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    g->at++;
    g->depth--;
  }
}

SVC_PRIVATE bool svc_json_gate(svc_arena *a, svc_str text, size_t max_depth, svc_json_fault *fault)
{
  struct json_gate g = { .arena = a, .p = (const unsigned char *)text.p, .n = text.n, .fault = fault };
  bool complete;
  g.max_depth = max_depth < JSON_GATE_MAX_DEPTH ? max_depth : JSON_GATE_MAX_DEPTH;
  json_gate_space(&g);
  if (g.at == g.n) return json_gate_fault(&g, g.at, "empty document");
  if (g.max_depth > 0) {
    g.levels = svc_arena_alloc(a, g.max_depth * sizeof *g.levels);
    if (!g.levels) {
      a->failed = true;
      return json_gate_fault(&g, g.at, "out of memory");
    }
  }
  do {
    if (!json_gate_value(&g, &complete)) return false;
    if (complete && !json_gate_after(&g)) return false;
  } while (g.depth > 0);
  return g.at == g.n || json_gate_fault(&g, g.at, "trailing bytes");
}

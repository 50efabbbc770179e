/*
** Patterns: the part of regular expressions that the catalog's fields use, always matched against the whole text.
**
** The host's regex library, if it has one, knows neither \d nor \p{L}, follows the locale, and may need exponential
** time or much stack. Most patterns are our own constants, some are written by users, and the texts are hostile. The rule: a pattern is
** compiled into a small program whose alternatives run in parallel, so no text causes backtracking, and the work has a fixed upper bound.
**
**   a . [a-z_] [^a-z]      a character, any but a line end, one of a class, one outside of it; UTF-8 throughout
**   \d \w \s \D \W \S      ASCII digits, ASCII letters, digits and '_', white space; and their opposites
**   \p{L} \p{N}            a letter, a digit; also inside a class. Below U+00A0, exactly the ASCII ones. Above it, every
**                          character counts as a letter unless it is a space, punctuation of U+2000..U+206F, a variation
**                          selector, special or private: tables of Unicode are not worth their size for a check of names
**   \. \- \n               other escapes: the character itself, or the control character
**   (ab|c) (?:ab|c)        groups; * + ? {n} {n,} {n,m} behind any of these
**   ^ $                    at the very start and end, where they change nothing
**
** An invalid pattern matches nothing; the tests check each pattern of the catalog.
*/
#include "base/base.h"

enum {
  PATTERN_STEPS = 512,      /* maximum steps of a program, in which {n} becomes n copies */
  PATTERN_NESTING = 8,      /* depth of nested groups */
  PATTERN_BUDGET = 4000000, /* steps of a run before the text is refused: about 100 ms */
  PATTERN_NONE = 0xFFFF
};

enum pattern_op {
  PATTERN_SET,   /* matches one character against the atom at x, which is y bytes long */
  PATTERN_SPLIT, /* continue at x and at y */
  PATTERN_JUMP,  /* continue at x */
  PATTERN_END    /* the text must end here */
};

struct pattern_step {
  unsigned short op, x, y;
};

struct pattern_program {
  const char *p;
  size_t n;
  unsigned count;
  bool bad;
  struct pattern_step *steps; /* room for PATTERN_STEPS while it is compiled */
};

/* A compiled pattern: its steps, and for each step a bitmap of the ASCII characters that it matches. */
struct svc_pattern {
  struct pattern_program g;
  uint64_t (*ascii)[2];
};

/* ------------------------------------------------------------------------------------------------------- characters */

/* Decodes one code point; *at moves behind it. False: invalid UTF-8. */
static bool pattern_decode(const char *p, size_t n, size_t *at, unsigned long *c)
{
  unsigned char lead = (unsigned char)p[*at];
  size_t more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3, i;
  static const unsigned long least[] = { 0, 0x80, 0x800, 0x10000 };
  if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4 || n - *at <= more) return false;
  *c = more == 0 ? lead : lead & (0x3Fu >> more);
  for (i = 1; i <= more; i++) {
    unsigned char byte = (unsigned char)p[*at + i];
    if ((byte & 0xC0) != 0x80) return false;
    *c = *c << 6 | (byte & 0x3F);
  }
  if (*c < least[more] || *c > 0x10FFFF || (*c >= 0xD800 && *c <= 0xDFFF)) return false;
  *at += more + 1;
  return true;
}

static bool pattern_is_digit(unsigned long c)
{
  return c >= '0' && c <= '9';
}

static bool pattern_is_space(unsigned long c)
{
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

static bool pattern_is_ascii_letter(unsigned long c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool pattern_is_letter(unsigned long c)
{
  if (c < 0xA0) return pattern_is_ascii_letter(c);
  return !pattern_is_space(c) && !(c >= 0x2000 && c <= 0x206F) && !(c >= 0xFE00 && c <= 0xFE0F) &&
         !(c >= 0xFFF0 && c <= 0xFFFF) && !(c >= 0xE000 && c <= 0xF8FF) && c < 0xF0000;
}

/* The escape behind a backslash. True: the escape is a set, and *in says whether c belongs to it. False: a single character, *literal. */
static bool pattern_escape(const char *p, unsigned long c, bool *in, unsigned long *literal)
{
  switch (*p) {
  case 'd': *in = pattern_is_digit(c); return true;
  case 'D': *in = !pattern_is_digit(c); return true;
  case 'w': *in = pattern_is_ascii_letter(c) || pattern_is_digit(c) || c == '_'; return true;
  case 'W': *in = !(pattern_is_ascii_letter(c) || pattern_is_digit(c) || c == '_'); return true;
  case 's': *in = pattern_is_space(c); return true;
  case 'S': *in = !pattern_is_space(c); return true;
  case 'p': *in = p[2] == 'L' ? pattern_is_letter(c) : pattern_is_digit(c); return true;
  case 'n': *literal = '\n'; return false;
  case 'r': *literal = '\r'; return false;
  case 't': *literal = '\t'; return false;
  default: *literal = (unsigned char)*p; return false;
  }
}

/* ---------------------------------------------------------------------------------------------------------- parsing */

/* Returns the position behind the escape at `at`; 0: unknown escape. */
static size_t pattern_skip_escape(const struct pattern_program *g, size_t at, size_t to)
{
  char c;
  if (at + 1 >= to) return 0;
  c = g->p[at + 1];
  if (c == 'p') {
    return to - at >= 5 && (!memcmp(g->p + at, "\\p{L}", 5) || !memcmp(g->p + at, "\\p{N}", 5)) ? at + 5 : 0;
  }
  if ((unsigned char)c >= 0x80) return 0;
  if (pattern_is_ascii_letter((unsigned char)c) || pattern_is_digit((unsigned char)c)) {
    return strchr("dDwWsSnrt", c) ? at + 2 : 0;
  }
  return at + 2;
}

/* Returns the position behind the escape, class or single character at `at`; 0: malformed. */
static size_t pattern_skip_one(const struct pattern_program *g, size_t at, size_t to)
{
  unsigned long c;
  if (g->p[at] == '\\') return pattern_skip_escape(g, at, to);
  if (g->p[at] != '[') return pattern_decode(g->p, to, &at, &c) ? at : 0;
  at++;
  if (at < to && g->p[at] == '^') at++;
  while (at < to && g->p[at] != ']') {
    if (g->p[at] == '\\') at = pattern_skip_escape(g, at, to);
    else if (!pattern_decode(g->p, to, &at, &c)) return 0;
    if (at == 0) return 0;
  }
  return at < to ? at + 1 : 0;
}

/* Returns the position behind the atom at `at`, which may be a group; 0: malformed. */
static size_t pattern_skip(const struct pattern_program *g, size_t at, size_t to)
{
  unsigned open = 0;
  do {
    if (g->p[at] == '(') open++, at++;
    else if (g->p[at] == ')' && open > 0) open--, at++;
    else at = pattern_skip_one(g, at, to);
    if (at == 0) return 0;
  } while (open > 0 && at < to);
  return open == 0 ? at : 0;
}

static size_t pattern_number(const struct pattern_program *g, size_t at, size_t to, unsigned *value)
{
  size_t from = at;
  *value = 0;
  while (at < to && pattern_is_digit((unsigned char)g->p[at]) && *value < PATTERN_STEPS) {
    *value = *value * 10 + (unsigned)(g->p[at++] - '0');
  }
  return at > from ? at : 0;
}

/* Returns the position behind an optional quantifier at `at`; 0: malformed. *most is PATTERN_NONE if unbounded. */
static size_t pattern_quantifier(const struct pattern_program *g, size_t at, size_t to, unsigned *least, unsigned *most)
{
  char c = at < to ? g->p[at] : 0;
  *least = c == '*' || c == '?' ? 0 : 1;
  *most = c == '*' || c == '+' ? PATTERN_NONE : 1;
  if (c == '*' || c == '+' || c == '?') return at + 1;
  if (c != '{') return at;
  at = pattern_number(g, at + 1, to, least);
  if (at == 0 || at >= to) return 0;
  *most = *least;
  if (g->p[at] == ',') {
    at++;
    if (at < to && g->p[at] == '}') *most = PATTERN_NONE;
    else at = pattern_number(g, at, to, most);
  }
  return at > 0 && at < to && g->p[at] == '}' && *least <= *most ? at + 1 : 0;
}

/* -------------------------------------------------------------------------------------------------------- compiling */

static unsigned pattern_emit(struct pattern_program *g, enum pattern_op op, size_t x, size_t y)
{
  if (g->count == PATTERN_STEPS) {
    g->bad = true;
    return 0;
  }
  g->steps[g->count] = (struct pattern_step){ (unsigned short)op, (unsigned short)x, (unsigned short)y };
  return g->count++;
}

static void pattern_alternatives(struct pattern_program *g, size_t at, size_t to, unsigned nesting);

/* Recursion is bounded by PATTERN_NESTING. */
static void pattern_atom(struct pattern_program *g, size_t at, size_t end, unsigned nesting)
{
  if (g->p[at] == '(') {
    at++;
    if (end - at > 2 && g->p[at] == '?' && g->p[at + 1] == ':') at += 2;
    pattern_alternatives(g, at, end - 1, nesting + 1);
  } else if (strchr("*+?{)|^$", g->p[at])) {
    g->bad = true;
  } else {
    pattern_emit(g, PATTERN_SET, at, end - at);
  }
}

/* Emits an atom `least` times, then as an option up to `most` times. */
static void pattern_repeat(struct pattern_program *g, size_t at, size_t end, unsigned nesting, unsigned least,
                           unsigned most)
{
  unsigned i, split, exits = PATTERN_NONE;
  for (i = 0; i < least && !g->bad; i++) pattern_atom(g, at, end, nesting);
  if (most == PATTERN_NONE) {
    split = pattern_emit(g, PATTERN_SPLIT, g->count + 1, 0);
    pattern_atom(g, at, end, nesting);
    pattern_emit(g, PATTERN_JUMP, split, 0);
    g->steps[split].y = (unsigned short)g->count;
    return;
  }
  for (; i < most && !g->bad; i++) { /* y chains the splits until their target is known */
    exits = pattern_emit(g, PATTERN_SPLIT, g->count + 1, exits);
    pattern_atom(g, at, end, nesting);
  }
  while (exits != PATTERN_NONE && !g->bad) {
    split = exits;
    exits = g->steps[split].y;
    g->steps[split].y = (unsigned short)g->count;
  }
}

static void pattern_sequence(struct pattern_program *g, size_t at, size_t to, unsigned nesting)
{
  while (at < to && !g->bad) {
    unsigned least, most;
    /* pattern_bar() has checked it */
    size_t end = pattern_skip(g, at, to), next = SVC_ALWAYS(end) ? pattern_quantifier(g, end, to, &least, &most) : 0;
    if (next == 0) g->bad = true;
    else pattern_repeat(g, at, end, nesting, least, most);
    at = next;
  }
}

/* The '|' that ends the alternative at `at`, or `to`. */
static size_t pattern_bar(struct pattern_program *g, size_t at, size_t to)
{
  while (at < to && g->p[at] != '|') {
    at = pattern_skip(g, at, to);
    if (at > 0) continue;
    g->bad = true;
    return to;
  }
  return at;
}

static void pattern_alternatives(struct pattern_program *g, size_t at, size_t to, unsigned nesting)
{
  unsigned jump, split, exits = PATTERN_NONE;
  size_t bar;
  if (nesting > PATTERN_NESTING) g->bad = true;
  while (!g->bad && (bar = pattern_bar(g, at, to)) < to) {
    split = pattern_emit(g, PATTERN_SPLIT, g->count + 1, 0);
    pattern_sequence(g, at, bar, nesting);
    exits = pattern_emit(g, PATTERN_JUMP, exits, 0);
    g->steps[split].y = (unsigned short)g->count;
    at = bar + 1;
  }
  if (!g->bad) pattern_sequence(g, at, to, nesting);
  while (exits != PATTERN_NONE && !g->bad) {
    jump = exits;
    exits = g->steps[jump].x;
    g->steps[jump].x = (unsigned short)g->count;
  }
}

/* Strips the anchors at both ends: the whole text is matched anyway. */
static void pattern_begin(struct pattern_program *g, struct pattern_step room[PATTERN_STEPS], const char *pattern, size_t *from, size_t *to)
{
  size_t slashes = 0;
  g->steps = room;
  *from = 0;
  *to = strlen(pattern);
  g->p = pattern;
  g->n = *to;
  g->count = 0;
  g->bad = *to >= PATTERN_NONE;
  if (*to > 0 && pattern[0] == '^') ++*from;
  if (*to > *from && pattern[*to - 1] == '$') {
    while (*to - 1 - slashes > *from && pattern[*to - 2 - slashes] == '\\') slashes++;
    if (slashes % 2 == 0) --*to;
  }
}

static bool pattern_compile(struct pattern_program *g, size_t from, size_t to)
{
  if (!g->bad) pattern_alternatives(g, from, to, 0);
  pattern_emit(g, PATTERN_END, 0, 0);
  return !g->bad;
}

/* ---------------------------------------------------------------------------------------------------------- running */

/* The item of a class at *at: a set (*in is set) or a single character. *at moves behind it. */
static bool pattern_item(const struct pattern_program *g, size_t *at, size_t to, unsigned long c, bool *in,
                         unsigned long *literal)
{
  if (g->p[*at] == '\\') {
    size_t from = *at + 1;
    *at = pattern_skip_escape(g, *at, to);
    return pattern_escape(g->p + from, c, in, literal);
  }
  pattern_decode(g->p, to, at, literal);
  return false;
}

/* Whether a class contains c. at: behind the '['; to: the ']'. */
static bool pattern_in_class(const struct pattern_program *g, size_t at, size_t to, unsigned long c)
{
  bool negated = at < to && g->p[at] == '^', in;
  unsigned long low = 0, high = 0;
  if (negated) at++;
  while (at < to) {
    in = false;
    if (!pattern_item(g, &at, to, c, &in, &low)) {
      high = low;
      if (to - at >= 2 && g->p[at] == '-') {
        at++;
        if (pattern_item(g, &at, to, c, &in, &high)) high = low; /* [a-\d] is a mistake; treated as [a\d] */
      }
      in = in || (c >= low && c <= high);
    }
    if (in) return !negated;
  }
  return negated;
}

static bool pattern_in_set(const struct pattern_program *g, const struct pattern_step *s, unsigned long c)
{
  size_t at = s->x, to = at + s->y;
  bool in = false;
  unsigned long literal = 0;
  if (g->p[at] == '[') return pattern_in_class(g, at + 1, to - 1, c);
  if (g->p[at] == '.') return c != '\n' && c != '\r' && c != 0x2028 && c != 0x2029;
  return pattern_item(g, &at, to, c, &in, &literal) ? in : c == literal;
}

/* The set of program steps that the text read so far can have led to. */
struct pattern_run {
  const struct pattern_program *g;
  uint64_t (*ascii)[2]; /* bitmaps of a svc_pattern; NULL: sets are read from the text of the pattern */
  unsigned short places[2][PATTERN_STEPS], stack[PATTERN_STEPS];
  unsigned count[2];
  size_t seen[PATTERN_STEPS]; /* round in which a step was last entered, so that each round enters it once */
  size_t round;
  bool ended; /* the set includes the end of the pattern */
  int64_t budget;
};

/* Whether the step matches this character. Reading a set from its text costs as many steps as the text has bytes. */
static bool pattern_matches(struct pattern_run *r, unsigned short place, unsigned long c)
{
  const struct pattern_step *s = &r->g->steps[place];
  if (!r->ascii) return pattern_in_set(r->g, s, c);
  if (c < 128) return r->ascii[place][c >> 6] >> (c & 63) & 1;
  r->budget -= s->y;
  return pattern_in_set(r->g, s, c);
}

/* Enters a step and every step that it reaches without consuming a character. */
static void pattern_enter(struct pattern_run *r, unsigned which, unsigned short first)
{
  unsigned n = 0, i;
  if (r->seen[first] == r->round) return;
  r->seen[first] = r->round;
  r->stack[n++] = first;
  while (n > 0) {
    unsigned short at = r->stack[--n], next[2];
    const struct pattern_step *s = &r->g->steps[at];
    unsigned ways = s->op == PATTERN_SPLIT ? 2 : s->op == PATTERN_JUMP ? 1 : 0;
    r->budget--;
    if (s->op == PATTERN_SET) r->places[which][r->count[which]++] = at;
    if (s->op == PATTERN_END) r->ended = true;
    next[0] = s->x;
    next[1] = s->y;
    for (i = 0; i < ways; i++) {
      if (r->seen[next[i]] == r->round) continue;
      r->seen[next[i]] = r->round;
      r->stack[n++] = next[i];
    }
  }
}

static bool pattern_go(struct pattern_run *r, svc_str text)
{
  unsigned which = 0, i;
  size_t at = 0;
  unsigned long c;
  r->round = 1;
  pattern_enter(r, which, 0);
  while (at < text.n) {
    if (!pattern_decode(text.p, text.n, &at, &c)) return false;
    r->round++;
    r->ended = false;
    r->count[!which] = 0;
    for (i = 0; i < r->count[which]; i++) {
      unsigned short place = r->places[which][i];
      if (pattern_matches(r, place, c)) pattern_enter(r, !which, (unsigned short)(place + 1));
    }
    r->budget -= r->count[which];
    which = !which;
    if (r->budget < 0 || (r->count[which] == 0 && !r->ended)) return false;
  }
  return r->ended;
}

/* Shortcut for patterns that are one class with a quantifier, as most are. False: this pattern has another form. */
static bool pattern_is_one_class(const struct pattern_program *g, size_t from, size_t to, svc_str text, bool *matches)
{
  size_t end, at = 0, count = 0;
  unsigned least, most;
  unsigned long c;
  if (g->bad || from >= to || g->p[from] != '[') return false;
  end = pattern_skip_one(g, from, to);
  if (end == 0 || pattern_quantifier(g, end, to, &least, &most) != to) return false;
  *matches = true;
  while (at < text.n && *matches) {
    *matches = pattern_decode(text.p, text.n, &at, &c) && pattern_in_class(g, from + 1, end - 1, c);
    count++;
  }
  *matches = *matches && count >= least && (most == PATTERN_NONE || count <= most);
  return true;
}

static bool pattern_run(const struct pattern_program *g, uint64_t (*ascii)[2], svc_str text, int64_t *budget)
{
  struct pattern_run run;
  bool matches;
  run.g = g;
  run.ascii = ascii;
  run.count[0] = run.count[1] = 0;
  memset(run.seen, 0, g->count * sizeof run.seen[0]);
  run.ended = false;
  run.budget = *budget;
  matches = pattern_go(&run, text);
  *budget = run.budget;
  return matches && run.budget >= 0;
}

SVC_PRIVATE bool svc_pattern_match(const char *pattern, svc_str text)
{
  struct pattern_step room[PATTERN_STEPS];
  struct pattern_program program;
  int64_t budget = PATTERN_BUDGET;
  size_t from, to;
  bool matches;
  pattern_begin(&program, room, pattern, &from, &to);
  if (pattern_is_one_class(&program, from, to, text, &matches)) return matches;
  return pattern_compile(&program, from, to) && pattern_run(&program, NULL, text, &budget);
}

SVC_PRIVATE bool svc_pattern_valid(const char *pattern)
{
  struct pattern_step room[PATTERN_STEPS];
  struct pattern_program program;
  size_t from, to;
  bool matches;
  pattern_begin(&program, room, pattern, &from, &to);
  return pattern_is_one_class(&program, from, to, SVC_S(""), &matches) || pattern_compile(&program, from, to);
}

/* ----------------------------------------------------------------------------------------------------- patterns of users */

SVC_PRIVATE size_t svc_pattern_steps(const char *pattern)
{
  struct pattern_step room[PATTERN_STEPS];
  struct pattern_program program;
  size_t from, to;
  pattern_begin(&program, room, pattern, &from, &to);
  return pattern_compile(&program, from, to) ? program.count : 0;
}

SVC_PRIVATE svc_pattern *svc_pattern_compile(svc_arena *a, const char *pattern)
{
  struct pattern_step room[PATTERN_STEPS];
  svc_pattern *out = svc_arena_zero(a, sizeof *out);
  size_t from, to, i;
  unsigned long c;
  if (!out) return NULL;
  pattern_begin(&out->g, room, pattern, &from, &to);
  if (!pattern_compile(&out->g, from, to)) return NULL;
  out->g.steps = svc_arena_alloc(a, out->g.count * sizeof room[0]);
  out->ascii = svc_arena_zero(a, out->g.count * sizeof *out->ascii);
  if (!out->g.steps || !out->ascii) return NULL;
  memcpy(out->g.steps, room, out->g.count * sizeof room[0]);
  for (i = 0; i < out->g.count; i++)
    for (c = 0; c < 128 && room[i].op == PATTERN_SET; c++)
      if (pattern_in_set(&out->g, &room[i], c)) out->ascii[i][c >> 6] |= (uint64_t)1 << (c & 63);
  return out;
}

SVC_PRIVATE bool svc_pattern_run(const svc_pattern *pattern, svc_str text, int64_t *budget)
{
  return pattern_run(&pattern->g, pattern->ascii, text, budget);
}

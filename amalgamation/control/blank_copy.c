/*
** An answer without its secrets and links, copied in one pass over its text.
**
** The journal keeps every answer, and a tree of it costs thirty times what the request itself costs. Answers are our own JSON: compact,
** with sorted members. So their text can be copied in long runs, and only links, secrets and escaped strings interrupt a run.
**
** The rule: the copy equals what svc_blank_tree() writes, byte for byte. Any text that is not surely ours (spaces, escaped or unsorted
** names, long paths, great depth) is refused, and the caller makes the tree.
*/
#include "control/control.h"

#define BLANK_COPY_PATH (SVC_JSON_MAX_PATH - 64) /* the parser refuses longer paths; links add less than the difference */
#define BLANK_COPY_INDEX 12                      /* bytes that an index of an array adds to a path, at most: [2147483647] */

typedef struct blank_copy {
  const svc *s;
  svc_buf *out;
  const char *p, *end; /* the current byte, and the end of the text */
  const char *from;    /* everything before this is copied or left out */
} blank_copy;

static bool blank_copy_is(const blank_copy *c, char byte)
{
  return c->p < c->end && *c->p == byte;
}

/* Copies the run that ends before `to`; the next one begins at `next`. */
static void blank_copy_run(blank_copy *c, const char *to, const char *next)
{
  svc_buf_add(c->out, c->from, (size_t)(to - c->from));
  c->from = next;
}

/* From an opening quote to behind the closing one; *raw is the text between them. */
static bool blank_copy_string(blank_copy *c, svc_str *raw, bool *escaped)
{
  const char *start = ++c->p;
  *escaped = false;
  for (;;) {
    c->p += svc_json_plain(c->p, (size_t)(c->end - c->p), false);
    if (c->end - c->p < 2) return false; /* at least a bracket must follow */
    if (*c->p == '"') break;
    if (*c->p != '\\') return false;
    *escaped = true;
    c->p += 2;
  }
  *raw = (svc_str){ start, (size_t)(c->p - start) };
  c->p++;
  return true;
}

/* A string value. Escapes are rewritten as svc_json_escape() writes them. */
static bool blank_copy_text(blank_copy *c, bool secret)
{
  const char *start = c->p;
  svc_str raw, text;
  bool escaped;
  if (!blank_copy_string(c, &raw, &escaped)) return false;
  if (!secret && !escaped) return true;
  if (!secret && !svc_json_unescape(c->out->arena, raw, &text)) return false;
  blank_copy_run(c, start, c->p);
  svc_json_escape(c->out, secret ? SVC_S(SVC_BLANK) : text);
  return true;
}

static bool blank_copy_word(blank_copy *c, const char *word)
{
  size_t n = strlen(word);
  if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0) return false;
  c->p += n;
  return true;
}

static bool blank_copy_number(blank_copy *c)
{
  const char *start = c->p;
  while (c->p < c->end && *c->p && strchr("0123456789+-.eE", *c->p)) c->p++;
  return c->p > start;
}

static bool blank_copy_value(blank_copy *c, bool secret, size_t path, int depth);

/* Leaves out the member whose name began at `start`, with the comma before it, or else the one behind it. */
static bool blank_copy_drop(blank_copy *c, const char *start, bool first)
{
  c->p = svc_json_behind(c->p, c->end);
  if (c->p == c->end) return false;
  blank_copy_run(c, first ? start : start - 1, c->p + (first && *c->p == ','));
  return true;
}

/* The name of a member and its colon. False: the tree has to handle it. */
static bool blank_copy_name(blank_copy *c, svc_str *name)
{
  svc_str before = *name;
  bool escaped;
  if (!blank_copy_is(c, '"') || !blank_copy_string(c, name, &escaped) || escaped || !blank_copy_is(c, ':')) return false;
  c->p++;
  return name->n && name->p[name->n - 1] != '.' && svc_str_order(before, *name) < 0;
}

static bool blank_copy_object(blank_copy *c, size_t path, int depth)
{
  svc_str name = SVC_S("");
  bool first = true;
  for (c->p++; !blank_copy_is(c, '}'); c->p += blank_copy_is(c, ',')) {
    const char *start = c->p;
    if (!blank_copy_name(c, &name)) return false;
    if (svc_str_is(name, "links")) {
      if (!blank_copy_drop(c, start, first)) return false;
    } else {
      if (!blank_copy_value(c, svc_blank_hides(c->s, name), path + 1 + name.n, depth)) return false;
      first = false;
    }
    if (!blank_copy_is(c, ',') && !blank_copy_is(c, '}')) return false;
    if (blank_copy_is(c, ',') && c->end - c->p > 1 && c->p[1] == '}') return false;
  }
  c->p++;
  return true;
}

static bool blank_copy_array(blank_copy *c, size_t path, int depth)
{
  c->p++;
  if (blank_copy_is(c, ']')) {
    c->p++;
    return true;
  }
  for (;; c->p++) {
    if (!blank_copy_value(c, false, path + BLANK_COPY_INDEX, depth)) return false;
    if (!blank_copy_is(c, ',')) break;
  }
  if (!blank_copy_is(c, ']')) return false;
  c->p++;
  return true;
}

/* `depth` is that of the value; the tree drops everything deeper than SVC_BLANK_DEPTH. */
static bool blank_copy_value(blank_copy *c, bool secret, size_t path, int depth)
{
  if (c->p == c->end || path > BLANK_COPY_PATH || depth >= SVC_BLANK_DEPTH) return false;
  switch (*c->p) {
  case '{': return blank_copy_object(c, path, depth + 1);
  case '[': return blank_copy_array(c, path, depth + 1);
  case '"': return blank_copy_text(c, secret);
  case 't': return blank_copy_word(c, "true");
  case 'f': return blank_copy_word(c, "false");
  case 'n': return blank_copy_word(c, "null");
  default: return blank_copy_number(c);
  }
}

SVC_PRIVATE bool svc_blank_copy(svc_buf *b, const svc *s, svc_str text)
{
  blank_copy c = { s, b, text.p, text.p + text.n, text.p };
  size_t start = b->n;
  bool good = (blank_copy_is(&c, '{') || blank_copy_is(&c, '[')) && blank_copy_value(&c, false, 0, 0) && c.p == c.end;
  if (good) blank_copy_run(&c, c.end, c.end);
  else b->n = start;
  return good;
}

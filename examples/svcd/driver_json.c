/*
** The JSON functions for the lines of a driver program: objects, members, array items, and strings in both directions. Values for the
** service stay text, and the service checks them.
**
** The rule: nothing here trusts the text. Nesting is bounded, because json_skip() is recursive; no read goes past the end.
*/
#define _GNU_SOURCE /* explicit_bzero */
#include "driver_exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_DEPTH = 64, JSON_MORE = 1 << 20 }; /* most levels of nesting; bytes that a buffer may have beyond EXEC_LINE */

/* ----------------------------------------------------------------------------------------------------------------- writing */

/* Grows a buffer, and wipes the old bytes, which may contain secrets; realloc() would leave them in memory. */
static int buf_grow(exec_buf *b, size_t n)
{
  size_t room = b->room ? b->room : 512;
  char *p;
  while (room < n) room *= 2;
  p = n <= EXEC_LINE + JSON_MORE ? malloc(room) : NULL;
  if (!p) return b->failed = 1;
  if (b->n) memcpy(p, b->p, b->n);
  if (b->p) explicit_bzero(b->p, b->n);
  free(b->p);
  b->p = p;
  b->room = room;
  return 0;
}

void exec_buf_add(exec_buf *b, const char *p, size_t n)
{
  if (b->failed || (b->n + n > b->room && buf_grow(b, b->n + n))) return;
  if (n) memcpy(b->p + b->n, p, n);
  b->n += n;
}

void exec_buf_text(exec_buf *b, const char *text)
{
  exec_buf_add(b, text, strlen(text));
}

void exec_buf_member(exec_buf *b, const char *before, const char *value)
{
  char code[8];
  exec_buf_text(b, before);
  exec_buf_text(b, "\"");
  for (; value && *value; value++) {
    if (*value == '"' || *value == '\\') exec_buf_text(b, "\\");
    if ((unsigned char)*value >= 32) {
      exec_buf_add(b, value, 1);
      continue;
    }
    snprintf(code, sizeof code, "\\u%04x", (unsigned)*value);
    exec_buf_text(b, code);
  }
  exec_buf_text(b, "\"");
}

void exec_buf_clear(exec_buf *b)
{
  if (b->p) explicit_bzero(b->p, b->n);
  if (b->room > JSON_MORE) exec_buf_free(b);
  b->n = 0;
  b->failed = 0;
}

void exec_buf_free(exec_buf *b)
{
  if (b->p) explicit_bzero(b->p, b->n);
  free(b->p);
  memset(b, 0, sizeof *b);
}

/* ----------------------------------------------------------------------------------------------------------------- reading */

static const char *json_space(const char *p, const char *end)
{
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) p++;
  return p;
}

static const char *json_skip_string(const char *p, const char *end)
{
  for (p++; p < end && *p != '"'; p++) {
    if ((unsigned char)*p < 32) return NULL;
    if (*p == '\\' && ++p == end) return NULL;
  }
  return p < end ? p + 1 : NULL;
}

/* Skips a number, true, false or null. The service checks the form of numbers. */
static const char *json_skip_word(const char *p, const char *end)
{
  const char *from = p;
  while (p < end && (*p == '-' || *p == '+' || *p == '.' || (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || *p == 'E')) p++;
  if (p == from) return NULL;
  if (*from == '-' || (*from >= '0' && *from <= '9')) return p;
  if (p - from == 4 && (memcmp(from, "true", 4) == 0 || memcmp(from, "null", 4) == 0)) return p;
  return p - from == 5 && memcmp(from, "false", 5) == 0 ? p : NULL;
}

/* Returns the end of the value at p, or NULL if it is invalid. */
static const char *json_skip(const char *p, const char *end, int depth)
{
  char close;
  if (p == end || depth > JSON_DEPTH) return NULL;
  if (*p == '"') return json_skip_string(p, end);
  if (*p != '{' && *p != '[') return json_skip_word(p, end);
  close = *p == '{' ? '}' : ']';
  p = json_space(p + 1, end);
  if (p < end && *p == close) return p + 1;
  for (;;) {
    if (close == '}') {
      if (p == end || *p != '"' || (p = json_skip_string(p, end)) == NULL) return NULL;
      p = json_space(p, end);
      if (p == end || *p != ':') return NULL;
      p = json_space(p + 1, end);
    }
    if ((p = json_skip(p, end, depth + 1)) == NULL) return NULL;
    p = json_space(p, end);
    if (p < end && *p == close) return p + 1;
    if (p == end || *p != ',') return NULL;
    p = json_space(p + 1, end);
  }
}

int exec_json_is_object(exec_text t)
{
  const char *end = t.p + t.n, *p = json_space(t.p, end);
  if (p == end || *p != '{') return 0;
  p = json_skip(p, end, 0);
  return p && json_space(p, end) == end;
}

exec_text exec_json_item(exec_text array, size_t *at)
{
  exec_text none = { NULL, 0 };
  const char *end, *p, *last;
  if (!array.p || *at >= array.n || (*at == 0 && array.p[0] != '[')) return none;
  end = array.p + array.n;
  p = json_space(array.p + *at + 1, end); /* after the bracket or the comma */
  last = json_skip(p, end, 1);
  if (!last) return none;
  *at = (size_t)(json_space(last, end) - array.p);
  return (exec_text){ p, (size_t)(last - p) };
}

exec_text exec_json_get(exec_text object, const char *name)
{
  const char *end, *p, *key, *value;
  size_t n = strlen(name);
  exec_text none = { NULL, 0 };
  if (!object.p) return none;
  end = object.p + object.n;
  p = json_space(object.p, end);
  if (p == end || *p != '{') return none;
  for (;;) {
    key = json_space(p + 1, end); /* after the brace or the comma */
    if (key == end || *key != '"' || (p = json_skip_string(key, end)) == NULL) return none;
    value = json_space(json_space(p, end) + 1, end);
    if ((size_t)(p - key) == n + 2 && memcmp(key + 1, name, n) == 0) {
      p = json_skip(value, end, 1);
      return p ? (exec_text){ value, (size_t)(p - value) } : none;
    }
    if (value >= end || (p = json_skip(value, end, 1)) == NULL) return none;
    p = json_space(p, end);
    if (p == end || *p != ',') return none;
  }
}

int exec_json_is_value(exec_text t)
{
  const char *end = t.p + t.n, *p = t.p ? json_space(t.p, end) : end;
  if (p == end) return 0;
  p = json_skip(p, end, 0);
  return p && json_space(p, end) == end;
}

exec_text exec_json_member(exec_text object, size_t *at, exec_text *name)
{
  exec_text none = { NULL, 0 };
  const char *end, *p, *key;
  if (!object.p || *at >= object.n || (*at == 0 && object.p[0] != '{')) return none;
  end = object.p + object.n;
  key = json_space(object.p + *at + 1, end); /* after the brace or the comma */
  if (key == end || *key != '"' || (p = json_skip_string(key, end)) == NULL) return none;
  *name = (exec_text){ key + 1, (size_t)(p - key) - 2 };
  key = json_space(json_space(p, end) + 1, end);
  p = key < end ? json_skip(key, end, 1) : NULL;
  if (!p) return none;
  *at = (size_t)(json_space(p, end) - object.p);
  return (exec_text){ key, (size_t)(p - key) };
}

/* ----------------------------------------------------------------------------------------------------------------- strings */

static long json_hex(const char *p, const char *end)
{
  long code = 0;
  int i;
  for (i = 0; i < 4; i++, p++) {
    static const char digits[] = "0123456789abcdef";
    const char *digit = p < end ? strchr(digits, *p >= 'A' && *p <= 'F' ? *p + 32 : *p) : NULL;
    if (!digit || !*digit) return -1;
    code = code * 16 + (digit - digits);
  }
  return code;
}

static char *json_utf8(char *to, long code)
{
  if (code < 0x80) {
    *to++ = (char)code;
  } else if (code < 0x800) {
    *to++ = (char)(0xC0 | code >> 6);
    *to++ = (char)(0x80 | (code & 63));
  } else if (code < 0x10000) {
    *to++ = (char)(0xE0 | code >> 12);
    *to++ = (char)(0x80 | (code >> 6 & 63));
    *to++ = (char)(0x80 | (code & 63));
  } else {
    *to++ = (char)(0xF0 | code >> 18);
    *to++ = (char)(0x80 | (code >> 12 & 63));
    *to++ = (char)(0x80 | (code >> 6 & 63));
    *to++ = (char)(0x80 | (code & 63));
  }
  return to;
}

/* Decodes \uXXXX, and both parts of a surrogate pair. *p is at the u before the call, at the last digit after it.
** A single surrogate becomes U+FFFD. */
static char *json_code(char *to, const char **p, const char *end)
{
  long code = json_hex(*p + 1, end), low = -1;
  if (code < 0) return NULL;
  *p += 4;
  if (code >= 0xD800 && code < 0xDC00 && end - *p > 6 && (*p)[1] == '\\' && (*p)[2] == 'u') low = json_hex(*p + 3, end);
  if (low >= 0xDC00 && low < 0xE000) {
    *p += 6;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  return json_utf8(to, code >= 0xD800 && code < 0xE000 ? 0xFFFD : code);
}

char *exec_json_string(exec_text value, size_t *length)
{
  static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  const char *p, *end, *found;
  char *out, *to;
  if (!value.p || value.n < 2 || value.p[0] != '"' || (out = malloc(value.n)) == NULL) return NULL;
  end = value.p + value.n - 1;
  for (to = out, p = value.p + 1; to && p < end; p++) {
    if (*p != '\\') *to++ = *p;
    else if (*++p == 'u') to = json_code(to, &p, end);
    else if ((found = strchr(names, *p)) != NULL && *found) *to++ = meant[found - names];
    else to = NULL;
  }
  if (!to) {
    free(out);
    return NULL;
  }
  *to = '\0';
  if (length) *length = (size_t)(to - out);
  return out;
}

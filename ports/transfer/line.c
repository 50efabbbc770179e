/*
** Text of exports: see line.h.
*/
#include "ports/transfer/line.h"

#include <mbedtls/base64.h>
#include <mbedtls/platform_util.h>
#include <stdarg.h>

void svc_line_free(svc_line *l)
{
  if (l->p) mbedtls_platform_zeroize(l->p, l->room);
  free(l->p);
  memset(l, 0, sizeof *l);
}

void svc_line_fails(svc_line *l, int rc)
{
  if (l->rc == SVC_OK) l->rc = rc;
}

/* realloc() would leave a copy behind that is never wiped. */
static bool line_room(svc_line *l, size_t more)
{
  size_t room = l->room ? l->room : 4096;
  char *p;
  if (l->rc != SVC_OK) return false;
  if (more > SVC_LINE_MOST - l->n) {
    l->rc = SVC_FULL;
    return false;
  }
  if (l->n + more <= l->room) return true;
  while (room < l->n + more) room *= 2;
  p = malloc(room);
  if (!p) {
    l->rc = SVC_NOMEM;
    return false;
  }
  if (l->n) memcpy(p, l->p, l->n);
  if (l->p) mbedtls_platform_zeroize(l->p, l->room);
  free(l->p);
  l->p = p;
  l->room = room;
  return true;
}

void svc_line_add(svc_line *l, const void *p, size_t n)
{
  if (!n || !line_room(l, n)) return;
  memcpy(l->p + l->n, p, n);
  l->n += n;
}

void svc_line_c(svc_line *l, const char *text)
{
  svc_line_add(l, text, strlen(text));
}

void svc_line_print(svc_line *l, const char *format, ...)
{
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  svc_line_c(l, text);
}

void svc_line_hex(svc_line *l, const void *p, size_t n)
{
  static const char digits[] = "0123456789abcdef";
  const unsigned char *b = p;
  size_t i;
  for (i = 0; i < n; i++) {
    const char two[2] = { digits[b[i] >> 4], digits[b[i] & 15] };
    svc_line_add(l, two, 2);
  }
}

void svc_line_base64(svc_line *l, svc_str bytes)
{
  size_t n = (bytes.n + 2) / 3 * 4;
  svc_line_c(l, "\"");
  if (line_room(l, n + 1) && mbedtls_base64_encode((unsigned char *)l->p + l->n, n + 1, &n, (const unsigned char *)bytes.p, bytes.n) == 0) l->n += n;
  svc_line_c(l, "\"");
}

/* The length of the UTF-8 character at p; 0: invalid. */
static size_t line_character(const unsigned char *p, size_t n)
{
  static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
  size_t length = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0, i;
  uint32_t c = p[0] & (0xFFu >> (length + 1));
  if (length < 2 || length > n) return length <= n ? length : 0;
  for (i = 1; i < length; i++) {
    if (p[i] >> 6 != 2) return 0;
    c = c << 6 | (p[i] & 63u);
  }
  return c < least[length] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? 0 : length;
}

bool svc_line_string(svc_line *l, svc_str text)
{
  const unsigned char *p = (const unsigned char *)text.p;
  size_t i, n, begun = l->n;
  svc_line_c(l, "\"");
  for (i = 0; i < text.n; i += n) {
    n = line_character(p + i, text.n - i);
    if (!n) {
      l->n = begun;
      return false;
    }
    if (p[i] < ' ') svc_line_print(l, "\\u%04x", p[i]);
    else if (p[i] == '"' || p[i] == '\\') svc_line_print(l, "\\%c", p[i]);
    else svc_line_add(l, p + i, n);
  }
  svc_line_c(l, "\"");
  return true;
}

/* -------------------------------------------------------------------------------------------------------------- reading */

static bool line_quoted(svc_str *value)
{
  if (value->n < 2 || value->p[0] != '"' || value->p[value->n - 1] != '"') return false;
  *value = (svc_str){ value->p + 1, value->n - 2 };
  return true;
}

static int line_digit(char c)
{
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool svc_line_from_hex(svc_line *l, svc_str value, size_t n)
{
  size_t i;
  if (!line_quoted(&value) || value.n != 2 * n) return false;
  for (i = 0; i < n; i++) {
    int high = line_digit(value.p[2 * i]), low = line_digit(value.p[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    svc_line_add(l, &(char){ (char)(high << 4 | low) }, 1);
  }
  return true;
}

bool svc_line_from_base64(svc_line *l, svc_str value)
{
  size_t n;
  if (!line_quoted(&value)) return false;
  if (!value.n) return true;
  if (!line_room(l, value.n)) return true; /* l has the error */
  if (mbedtls_base64_decode((unsigned char *)l->p + l->n, value.n, &n, (const unsigned char *)value.p, value.n) != 0) return false;
  l->n += n;
  return true;
}

/* Only the escapes that svc_line_string() writes. */
bool svc_line_from_string(svc_line *l, svc_str value)
{
  size_t i;
  if (!line_quoted(&value)) return false;
  for (i = 0; i < value.n; i++) {
    char c = value.p[i];
    if (c == '\\' && ++i == value.n) return false;
    if (c == '\\' && value.p[i] == 'u') {
      if (value.n - i < 5 || line_digit(value.p[i + 3]) < 0 || line_digit(value.p[i + 4]) < 0) return false;
      c = (char)(line_digit(value.p[i + 3]) << 4 | line_digit(value.p[i + 4]));
      i += 4;
    } else if (c == '\\') {
      c = value.p[i];
    }
    svc_line_add(l, &c, 1);
  }
  return true;
}

bool svc_line_integer(svc_str value, int64_t *out)
{
  char text[24], *end;
  if (!value.n || value.n >= sizeof text) return false;
  memcpy(text, value.p, value.n);
  text[value.n] = '\0';
  errno = 0;
  *out = strtoll(text, &end, 10);
  return !errno && !*end;
}

static bool line_four(const char *p)
{
  size_t i;
  for (i = 0; i < 4; i++)
    if (line_digit((char)(p[i] >= 'A' && p[i] <= 'F' ? p[i] + 32 : p[i])) < 0) return false;
  return true;
}

static const char *line_string_end(const char *p, const char *end)
{
  while (p < end && *p != '"') {
    size_t n = line_character((const unsigned char *)p, (size_t)(end - p));
    if (!n || (unsigned char)*p < ' ') return NULL;
    if (*p == '\\') {
      if (end - p < 2 || !memchr("\"\\/bfnrtu", p[1], 9)) return NULL;
      n = p[1] == 'u' ? 6 : 2;
      if ((size_t)(end - p) < n || (n == 6 && !line_four(p + 2))) return NULL;
    }
    p += n;
  }
  return p < end ? p + 1 : NULL;
}

static const char *line_digits(const char *p, const char *end)
{
  const char *begun = p;
  while (p < end && *p >= '0' && *p <= '9') p++;
  return p > begun ? p : NULL;
}

/* A number, true, false or null. */
static const char *line_word_end(const char *p, const char *end)
{
  static const char *const words[] = { "true", "false", "null" };
  size_t i;
  for (i = 0; i < 3; i++)
    if ((size_t)(end - p) >= strlen(words[i]) && memcmp(p, words[i], strlen(words[i])) == 0) return p + strlen(words[i]);
  if (*p == '-') p++;
  p = p + 1 < end && *p == '0' ? p + 1 : line_digits(p, end);
  if (p && p < end && *p == '.') p = line_digits(p + 1, end);
  if (p && p < end && (*p == 'e' || *p == 'E')) {
    p++;
    p = line_digits(p + (p < end && (*p == '+' || *p == '-')), end);
  }
  return p;
}

bool svc_line_member(const char **at, const char *end, int depth, svc_str *name, svc_str *value)
{
  const char *p = *at;
  bool first = p[-1] == '{';
  *at = NULL;
  if (p < end && *p == '}') {
    *at = p + 1;
    return false;
  }
  if (!first && (p >= end || *p++ != ',')) return false;
  if (p >= end || *p != '"') return false;
  name->p = p + 1;
  p = line_string_end(p + 1, end);
  if (!p || p >= end || *p != ':') return false;
  name->n = (size_t)(p - 1 - name->p);
  value->p = p + 1;
  p = svc_line_value(p + 1, end, depth + 1);
  if (!p) return false;
  value->n = (size_t)(p - value->p);
  *at = p;
  return true;
}

const char *svc_line_value(const char *p, const char *end, int depth)
{
  svc_str name, value;
  if (p >= end || depth > SVC_LINE_DEPTH) return NULL;
  if (*p == '"') return line_string_end(p + 1, end);
  if (*p == '{') {
    for (p++; svc_line_member(&p, end, depth, &name, &value);) continue;
    return p;
  }
  if (*p != '[') return line_word_end(p, end);
  if (++p < end && *p == ']') return p + 1;
  while ((p = svc_line_value(p, end, depth + 1)) != NULL && p < end && *p == ',') p++;
  return p && p < end && *p == ']' ? p + 1 : NULL;
}

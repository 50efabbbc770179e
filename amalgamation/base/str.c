/*
** Slices of text. Nothing here allocates or depends on the locale, as the C library's character classes do.
*/
#include "base/base.h"

SVC_PRIVATE svc_str svc_str_c(const char *text)
{
  return text ? (svc_str){ text, strlen(text) } : SVC_S("");
}

SVC_PRIVATE svc_str svc_str_n(const char *text, size_t n)
{
  return n ? (svc_str){ text, n } : svc_str_c(text);
}

SVC_PRIVATE int svc_str_order(svc_str a, svc_str b)
{
  size_t n = a.n < b.n ? a.n : b.n;
  int order = n ? memcmp(a.p, b.p, n) : 0;
  return order ? order : (a.n > b.n) - (a.n < b.n);
}

SVC_PRIVATE bool svc_str_eq(svc_str a, svc_str b)
{
  return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

SVC_PRIVATE bool svc_str_is(svc_str a, const char *text)
{
  return svc_str_eq(a, svc_str_c(text));
}

static int str_lower(int c)
{
  return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

SVC_PRIVATE bool svc_str_is_nocase(svc_str a, const char *text)
{
  size_t i;
  for (i = 0; i < a.n; i++)
    if (!text[i] || (a.p[i] != text[i] && str_lower((unsigned char)a.p[i]) != str_lower((unsigned char)text[i]))) return false;
  return text[i] == 0;
}

SVC_PRIVATE bool svc_str_starts(svc_str a, const char *prefix)
{
  size_t n = strlen(prefix);
  return a.n >= n && memcmp(a.p, prefix, n) == 0;
}

SVC_PRIVATE svc_str svc_str_trim(svc_str a)
{
  while (a.n && (*a.p == ' ' || *a.p == '\t')) a.p++, a.n--;
  while (a.n && (a.p[a.n - 1] == ' ' || a.p[a.n - 1] == '\t')) a.n--;
  return a;
}

SVC_PRIVATE svc_str svc_str_cut(svc_str *rest, char at)
{
  const char *end = rest->n ? memchr(rest->p, at, rest->n) : NULL;
  svc_str head = *rest;
  if (end) {
    head.n = (size_t)(end - rest->p);
    rest->p = end + 1;
    rest->n -= head.n + 1;
  } else {
    if (rest->n) rest->p += rest->n; /* the pointer of an empty slice may be NULL */
    rest->n = 0;
  }
  return head;
}

SVC_PRIVATE bool svc_str_i64(svc_str a, int64_t *out)
{
  bool negative = a.n > 1 && a.p[0] == '-';
  size_t i = negative ? 1 : 0;
  uint64_t value = 0, limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
  if (i == a.n) return false;
  for (; i < a.n; i++) {
    unsigned digit = (unsigned)(unsigned char)a.p[i] - '0';
    if (digit > 9 || value > (limit - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *out = negative ? (int64_t)(0 - value) : (int64_t)value;
  return true;
}

SVC_PRIVATE size_t svc_utf8_length(svc_str a)
{
  size_t n = 0, i;
  for (i = 0; i < a.n; i++) n += ((unsigned char)a.p[i] & 0xC0) != 0x80;
  return n;
}

/* Length of the well-formed sequence at p; 0 if malformed: an overlong form, a surrogate, or a value above 10FFFF. */
static size_t str_utf8_sequence(const unsigned char *p, size_t n)
{
  size_t length, i;
  unsigned char low = 0x80, high = 0xBF;
  if (p[0] < 0x80) return 1;
  if (p[0] < 0xC2 || p[0] > 0xF4) return 0;
  length = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
  if (n < length) return 0;
  if (p[0] == 0xE0) low = 0xA0;
  if (p[0] == 0xED) high = 0x9F;
  if (p[0] == 0xF0) low = 0x90;
  if (p[0] == 0xF4) high = 0x8F;
  if (p[1] < low || p[1] > high) return 0;
  for (i = 2; i < length; i++)
    if ((p[i] & 0xC0) != 0x80) return 0;
  return length;
}

SVC_PRIVATE bool svc_utf8_valid(svc_str a)
{
  size_t i = 0;
  while (i < a.n) {
    size_t step = a.n - i >= 8 && !(svc_load64(a.p + i) & 0x8080808080808080u) ? 8 /* ASCII */ : str_utf8_sequence((const unsigned char *)a.p + i, a.n - i);
    if (step == 0) return false;
    i += step;
  }
  return true;
}

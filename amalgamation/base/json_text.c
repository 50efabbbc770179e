/*
** JSON as text: escaping and unescaping of strings, numbers, and the pretty form.
**
** frozen's own escaping is wrong for 19 ASCII values, its unescaping fails above U+00FF, and its numbers overflow
** silently. The rules: the output is valid JSON whenever the text is valid UTF-8; an integer is exact or refused;
** nothing depends on the locale of the host program.
*/
#include "base/base.h"

#include <float.h>

/* ---------------------------------------------------------------------------------------------------------- strings */

/* The character behind the backslash for a byte that must be escaped: a letter, or 'u' for \u00XX. */
static char json_text_letter(unsigned char c)
{
  switch (c) {
  case '"': return '"';
  case '\\': return '\\';
  case '\b': return 'b';
  case '\f': return 'f';
  case '\n': return 'n';
  case '\r': return 'r';
  case '\t': return 't';
  default: return 'u';
  }
}

static bool json_text_plain(unsigned char c)
{
  return c >= 0x20 && c != '"' && c != '\\';
}

static void json_text_escape_one(svc_buf *b, unsigned char c)
{
  static const char hex[] = "0123456789abcdef";
  char escape[6] = { '\\', json_text_letter(c), '0', '0', hex[c >> 4], hex[c & 15] };
  svc_buf_add(b, escape, escape[1] == 'u' ? 6 : 2);
}

/* Little-endian on every machine: compilers turn it into one load. */
static uint64_t json_text_word(const char *text)
{
  const unsigned char *p = (const unsigned char *)text;
  return p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
         (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/*
** Number of leading bytes that need no escape. Eight at a time: most text is plain, and all text passes through here. With `ascii`, bytes
** of non-ASCII characters end the run as well.
*/
SVC_PRIVATE size_t svc_json_plain(const char *p, size_t n, bool ascii)
{
  const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    uint64_t word = json_text_word(p + i), quote = word ^ ones * '"', slash = word ^ ones * '\\', hit;
    hit = ((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash);
    hit = (ascii ? hit | word : hit) & highs;
    if (hit) return i + (size_t)((((hit & (0 - hit)) - 1) & ones) * ones >> 56) - 1; /* number of bytes before the lowest set bit */
  }
  while (i < n && json_text_plain((unsigned char)p[i]) && !(ascii && (unsigned char)p[i] >= 0x80)) i++;
  return i;
}

SVC_PRIVATE void svc_json_escape(svc_buf *b, svc_str text)
{
  size_t at = 0, run = svc_json_plain(text.p, text.n, false);
  char *to = svc_buf_room(b, run + (run == text.n ? 2 : 1));
  if (!to) return;
  *to = '"';
  if (run) memcpy(to + 1, text.p, run);
  if (run == text.n) {
    to[run + 1] = '"';
    return;
  }
  for (at = run; at < text.n; at += run) {
    json_text_escape_one(b, (unsigned char)text.p[at++]);
    run = svc_json_plain(text.p + at, text.n - at, false);
    svc_buf_add(b, text.p + at, run);
  }
  svc_buf_char(b, '"');
}

static bool json_text_hex4(const char *p, const char *end, unsigned long *unit)
{
  int i;
  if (end - p < 4) return false;
  *unit = 0;
  for (i = 0; i < 4; i++) {
    char c = p[i];
    unsigned digit;
    if (c >= '0' && c <= '9') digit = (unsigned)(c - '0');
    else if (c >= 'a' && c <= 'f') digit = (unsigned)(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F') digit = (unsigned)(c - 'A') + 10;
    else return false;
    *unit = *unit << 4 | digit;
  }
  return true;
}

/* *p points behind "\u" and moves behind the escape, which may be a pair. The result is never longer than the escape. */
static char *json_text_unicode(const char **p, const char *end, char *out)
{
  unsigned long c, low;
  if (!json_text_hex4(*p, end, &c) || c == 0) return NULL;
  *p += 4;
  if (c >= 0xD800 && c <= 0xDFFF) {
    if (c > 0xDBFF || end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u') return NULL;
    if (!json_text_hex4(*p + 2, end, &low) || low < 0xDC00 || low > 0xDFFF) return NULL;
    c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    *p += 6;
  }
  if (c < 0x80) {
    *out++ = (char)c;
    return out;
  }
  if (c < 0x800) {
    *out++ = (char)(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      *out++ = (char)(0xE0 | c >> 12);
    } else {
      *out++ = (char)(0xF0 | c >> 18);
      *out++ = (char)(0x80 | (c >> 12 & 0x3F));
    }
    *out++ = (char)(0x80 | (c >> 6 & 0x3F));
  }
  *out++ = (char)(0x80 | (c & 0x3F));
  return out;
}

/* Decodes one escape; *p points to the byte behind the backslash. NULL: unknown escape. */
static char *json_text_decode(const char **p, const char *end, char *out)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *at;
  char c = **p;
  (*p)++;
  if (c == 'u') return json_text_unicode(p, end, out);
  at = c ? strchr(from, c) : NULL;
  if (!at) return NULL;
  *out++ = to[at - from];
  return out;
}

SVC_PRIVATE bool svc_json_unescape(svc_arena *a, svc_str raw, svc_str *out)
{
  const char *p = raw.p, *end, *backslash = raw.n ? memchr(raw.p, '\\', raw.n) : NULL;
  char *text, *to;
  *out = raw;
  if (!backslash) return true;
  text = to = svc_arena_alloc(a, raw.n + 1);
  if (!text) return false;
  for (end = raw.p + raw.n; backslash; backslash = memchr(p, '\\', (size_t)(end - p))) {
    memcpy(to, p, (size_t)(backslash - p));
    to += backslash - p;
    p = backslash + 1;
    if (p == end) return false;
    to = json_text_decode(&p, end, to);
    if (!to) return false;
  }
  memcpy(to, p, (size_t)(end - p));
  to += end - p;
  *to = '\0';
  out->p = text;
  out->n = (size_t)(to - text);
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- pretty */

static void json_text_line(svc_buf *b, size_t depth)
{
  char *room = svc_buf_room(b, 1 + 2 * depth);
  if (!room) return;
  room[0] = '\n';
  memset(room + 1, ' ', 2 * depth);
}

/* The end of the string, number or literal that starts at `at`. */
static size_t json_text_token(svc_str s, size_t at)
{
  if (s.p[at] != '"') {
    while (at < s.n && !strchr("{}[],: \t\n\r\"", s.p[at])) at++;
    return at;
  }
  for (at++; at < s.n && s.p[at] != '"'; at++) {
    if (s.p[at] == '\\' && at + 1 < s.n) at++;
  }
  return at < s.n ? at + 1 : at;
}

static size_t json_text_skip(svc_str s, size_t at)
{
  while (at < s.n && (s.p[at] == ' ' || s.p[at] == '\t' || s.p[at] == '\n' || s.p[at] == '\r')) at++;
  return at;
}

SVC_PRIVATE void svc_json_pretty(svc_buf *b, svc_str compact)
{
  size_t i = 0, depth = 0, end;
  while ((i = json_text_skip(compact, i)) < compact.n && !b->failed) {
    char c = compact.p[i];
    if (c == '{' || c == '[') {
      end = json_text_skip(compact, i + 1);
      svc_buf_char(b, c);
      if (end < compact.n && compact.p[end] == (c == '{' ? '}' : ']')) {
        svc_buf_char(b, compact.p[end]);
        i = end + 1;
        continue;
      }
      json_text_line(b, ++depth);
    } else if (c == '}' || c == ']') {
      json_text_line(b, depth ? --depth : 0);
      svc_buf_char(b, c);
    } else if (c == ',') {
      svc_buf_char(b, ',');
      json_text_line(b, depth);
    } else if (c == ':') {
      svc_buf_add(b, ": ", 2);
    } else {
      end = json_text_token(compact, i);
      if (end == i) end++; /* not JSON: copied unchanged */
      svc_buf_add(b, compact.p + i, end - i);
      i = end;
      continue;
    }
    i++;
  }
  svc_buf_char(b, '\n');
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

enum {
  JSON_TEXT_EXPONENT = 100000000, /* exponents are capped here: far out of any range, and the sum of two does not overflow */
  JSON_TEXT_DIGITS = 100          /* digits given to strtod; a further digit represents the rest */
};

/* A number as written: its digits, and the power of ten of the last one. */
struct json_text_number {
  const char *p;     /* the digits, with a '.' among them if the number has a fraction */
  size_t whole;      /* digits before the '.' */
  size_t first, end; /* range of the significant digits, without leading and trailing zeros; empty: the number is 0 */
  long exponent;     /* power of ten of the last significant digit */
  bool negative;
};

static char json_text_digit(const struct json_text_number *d, size_t i)
{
  return d->p[i < d->whole ? i : i + 1];
}

static size_t json_text_count(svc_str s, size_t at)
{
  size_t from = at;
  while (at < s.n && s.p[at] >= '0' && s.p[at] <= '9') at++;
  return at - from;
}

/* [e[+-]digits] up to the end of the text. */
static bool json_text_exponent(svc_str s, size_t at, long *exponent)
{
  bool negative;
  size_t i, n;
  *exponent = 0;
  if (at == s.n) return true;
  if (s.p[at] != 'e' && s.p[at] != 'E') return false;
  at++;
  negative = at < s.n && s.p[at] == '-';
  if (at < s.n && (s.p[at] == '-' || s.p[at] == '+')) at++;
  n = json_text_count(s, at);
  if (n == 0 || at + n != s.n) return false;
  for (i = 0; i < n && *exponent < JSON_TEXT_EXPONENT; i++) *exponent = *exponent * 10 + (s.p[at + i] - '0');
  if (*exponent > JSON_TEXT_EXPONENT) *exponent = JSON_TEXT_EXPONENT;
  if (negative) *exponent = -*exponent;
  return true;
}

/* False: not a JSON number, or too long. */
static bool json_text_split(svc_str s, struct json_text_number *d)
{
  size_t at = 0, fraction = 0, total;
  memset(d, 0, sizeof *d);
  if (s.n > JSON_TEXT_EXPONENT) return false;
  if (s.n > 0 && s.p[0] == '-') {
    d->negative = true;
    at++;
  }
  d->p = s.p + at;
  d->whole = json_text_count(s, at);
  if (d->whole == 0 || (d->whole > 1 && d->p[0] == '0')) return false;
  at += d->whole;
  if (at < s.n && s.p[at] == '.') {
    fraction = json_text_count(s, at + 1);
    if (fraction == 0) return false;
    at += 1 + fraction;
  }
  if (!json_text_exponent(s, at, &d->exponent)) return false;
  total = d->whole + fraction;
  d->end = total;
  while (d->end > 0 && json_text_digit(d, d->end - 1) == '0') d->end--;
  while (d->first < d->end && json_text_digit(d, d->first) == '0') d->first++;
  d->exponent += (long)(total - d->end) - (long)fraction;
  return true;
}

/* The digits as an integer; at most 19 digits. */
static uint64_t json_text_mantissa(const struct json_text_number *d)
{
  uint64_t value = 0;
  size_t i;
  for (i = d->first; i < d->end; i++) value = value * 10 + (uint64_t)(json_text_digit(d, i) - '0');
  return value;
}

SVC_PRIVATE bool svc_json_number_i64(svc_str text, int64_t *out)
{
  struct json_text_number d;
  uint64_t value, most;
  long i;
  if (!json_text_split(text, &d)) return false;
  if (d.first == d.end) {
    *out = 0;
    return true;
  }
  if (d.exponent < 0 || d.exponent > 18 || d.end - d.first + (size_t)d.exponent > 19) return false;
  value = json_text_mantissa(&d);
  for (i = 0; i < d.exponent; i++) value *= 10;
  most = (uint64_t)INT64_MAX + d.negative;
  if (value > most) return false;
  if (!d.negative) *out = (int64_t)value;
  else *out = value == most ? INT64_MIN : -(int64_t)value;
  return true;
}

/* Passes digits and exponent to strtod without a '.', which a locale could read differently. */
static double json_text_strtod(const struct json_text_number *d)
{
  char text[JSON_TEXT_DIGITS + 24];
  size_t i, n = 0;
  long exponent = d->exponent;
  for (i = d->first; i < d->end && n < JSON_TEXT_DIGITS; i++) text[n++] = json_text_digit(d, i);
  if (i < d->end) { /* the last digit is not 0: a further digit makes strtod round correctly */
    exponent += (long)(d->end - i) - 1;
    text[n++] = '1';
  }
  snprintf(text + n, sizeof text - n, "e%ld", exponent);
  return strtod(text, NULL);
}

SVC_PRIVATE bool svc_json_number_double(svc_str text, double *out)
{
  static const double power[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
  struct json_text_number d;
  double value = 0;
  uint64_t mantissa;
  if (!json_text_split(text, &d)) return false;
  mantissa = d.end - d.first <= 19 ? json_text_mantissa(&d) : UINT64_MAX;
  /* Both factors are exact, so there is one rounding, and it is correct; unless the machine calculates with more precision than double. */
  if (FLT_EVAL_METHOD == 0 && mantissa <= (uint64_t)1 << 53 && d.exponent >= -22 && d.exponent <= 22) {
    value = d.exponent < 0 ? (double)mantissa / power[-d.exponent] : (double)mantissa * power[d.exponent];
  } else if (d.first < d.end) {
    value = json_text_strtod(&d);
  }
  if (value > DBL_MAX) return false;
  *out = d.negative ? -value : value;
  return true;
}

/* The quote that closes a string; p is its first byte. Returns `end` if the string is not closed. A quote behind an odd number of
** backslashes is escaped. */
static const char *json_text_quote(const char *p, const char *end)
{
  const char *quote, *slash;
  for (; (quote = memchr(p, '"', (size_t)(end - p))) != NULL; p = quote + 1) {
    for (slash = quote; slash > p && slash[-1] == '\\';) slash--;
    if ((quote - slash) % 2 == 0) return quote;
  }
  return end;
}

SVC_PRIVATE const char *svc_json_behind(const char *p, const char *end)
{
  int depth = 0;
  for (; p < end; p++) {
    if (*p == '"') {
      p = json_text_quote(p + 1, end);
      if (p == end) break;
    } else if (*p == '{' || *p == '[') {
      depth++;
    } else if (*p == '}' || *p == ']') {
      if (depth-- == 0) return p;
    } else if (*p == ',' && depth == 0) {
      return p;
    }
  }
  return end;
}

SVC_PRIVATE svc_str svc_json_member(svc_str object, svc_str name)
{
  const char *p = object.p + 1, *end = object.p + object.n, *value;
  if (object.n < 2 || object.p[0] != '{') return SVC_S("");
  for (; p < end && *p == '"'; p = value + 1) {
    const char *key = p + 1, *stop = key;
    while (stop < end && *stop != '"') stop += *stop == '\\' ? 2 : 1;
    if (end - stop < 2) break; /* the record may be damaged */
    value = svc_json_behind(stop + 2, end);
    if ((size_t)(stop - key) == name.n && memcmp(key, name.p, name.n) == 0)
      return (svc_str){ stop + 2, (size_t)(value - stop - 2) };
  }
  return SVC_S("");
}

SVC_PRIVATE svc_str svc_json_word(svc_str object, const char *name)
{
  svc_str raw = svc_json_member(object, svc_str_c(name));
  return raw.n >= 2 && raw.p[0] == '"' ? (svc_str){ raw.p + 1, raw.n - 2 } : SVC_S("");
}

SVC_PRIVATE bool svc_json_is(svc_str object, const char *name, const char *value)
{
  svc_str raw = svc_json_member(object, svc_str_c(name));
  if (raw.n >= 2 && raw.p[0] == '"') raw = (svc_str){ raw.p + 1, raw.n - 2 };
  return svc_str_is(raw, value);
}

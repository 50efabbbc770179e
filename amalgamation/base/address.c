/*
** IP addresses and ranges, for access lists.
**
** The rule: each address has one form. IPv4 is stored as an IPv4-mapped IPv6 address, so that ::ffff:192.0.2.1 (from a
** dual-stack socket) and 192.0.2.1 are the same caller. A range has no bits set behind its prefix.
*/
#include "base/base.h"

static bool address_v4(svc_str text, unsigned char out[4])
{
  int i;
  if (text.n && text.p[text.n - 1] == '.') return false; /* svc_str_cut() does not report a trailing separator */
  for (i = 0; i < 4; i++) {
    svc_str part = svc_str_cut(&text, '.');
    int64_t value;
    if (part.n == 0 || part.n > 3 || (part.n > 1 && part.p[0] == '0') || part.p[0] == '-') return false;
    if (!svc_str_i64(part, &value) || value > 255) return false;
    out[i] = (unsigned char)value;
    if (i < 3 && text.n == 0) return false;
  }
  return text.n == 0;
}

static int address_hex(svc_str part)
{
  int value = 0;
  size_t i;
  if (part.n == 0 || part.n > 4) return -1;
  for (i = 0; i < part.n; i++) {
    char c = part.p[i];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/* Parses the groups on one side of "::", up to eight; the last may be an IPv4 address. Returns the number of bytes, or -1 if malformed. */
static int address_groups(svc_str text, bool last, unsigned char out[16])
{
  int n = 0;
  if (text.n == 0) return 0;
  for (;;) {
    bool more = memchr(text.p, ':', text.n) != NULL;
    svc_str part = svc_str_cut(&text, ':');
    int value;
    if (last && !more && memchr(part.p, '.', part.n)) {
      if (n > 12 || !address_v4(part, out + n)) return -1;
      return n + 4;
    }
    value = address_hex(part);
    if (value < 0 || n > 14) return -1;
    out[n++] = (unsigned char)(value >> 8);
    out[n++] = (unsigned char)value;
    if (!more) return n;
    if (text.n == 0) return -1;
  }
}

static bool address_v6(svc_str text, unsigned char out[16])
{
  unsigned char head[16], tail[16];
  size_t i;
  int heads, tails;
  for (i = 0; i + 1 < text.n; i++)
    if (text.p[i] == ':' && text.p[i + 1] == ':') break;
  if (i + 1 >= text.n) return address_groups(text, true, out) == 16;
  heads = address_groups((svc_str){ text.p, i }, false, head);
  tails = address_groups((svc_str){ text.p + i + 2, text.n - i - 2 }, true, tail);
  if (heads < 0 || tails < 0 || heads + tails > 14) return false;
  memset(out, 0, 16);
  memcpy(out, head, (size_t)heads);
  memcpy(out + 16 - tails, tail, (size_t)tails);
  return true;
}

static const unsigned char address_mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF };

SVC_PRIVATE bool svc_address_parse(svc_str text, svc_address *out)
{
  svc_str rest = text, plain = svc_str_cut(&rest, '/');
  bool range = plain.n < text.n;
  int64_t bits = 128;
  int offset = 0, i;
  memcpy(out->b, address_mapped, sizeof address_mapped);
  if (address_v4(plain, out->b + 12)) offset = 96;
  else if (!address_v6(plain, out->b)) return false;
  if (range) {
    /* svc_str_i64() would accept "-0" */
    if (rest.n == 0 || rest.n > 3 || rest.p[0] == '-' || (rest.n > 1 && rest.p[0] == '0')) return false;
    if (!svc_str_i64(rest, &bits) || bits > 128 - offset) return false;
    bits += offset;
  }
  out->bits = (unsigned char)bits;
  for (i = 0; i < 16; i++) {
    int kept = (int)bits - i * 8;
    if (kept <= 0) out->b[i] = 0;
    else if (kept < 8) out->b[i] &= (unsigned char)(0xFF << (8 - kept));
  }
  return true;
}

/* An IPv6 range contains no IPv4 address, although the mapped form would fit: ::/0 does not open the list to IPv4. */
SVC_PRIVATE bool svc_address_within(const svc_address *one, const svc_address *range)
{
  static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF };
  int whole = range->bits / 8, rest = range->bits % 8;
  if (range->bits < 96 && memcmp(one->b, mapped, sizeof mapped) == 0) return false;
  if (one->bits < range->bits || memcmp(one->b, range->b, (size_t)whole) != 0) return false;
  return rest == 0 || ((one->b[whole] ^ range->b[whole]) & (0xFF << (8 - rest))) == 0;
}

/* The longest run of zero groups, which is written "::". */
static void address_zero_run(const unsigned char *b, int *from, int *length)
{
  int i, run = 0;
  *from = -1;
  *length = 1; /* a single zero group is written out */
  for (i = 0; i <= 8; i++) {
    if (i < 8 && b[2 * i] == 0 && b[2 * i + 1] == 0) {
      run++;
      continue;
    }
    if (run > *length) {
      *length = run;
      *from = i - run;
    }
    run = 0;
  }
}

SVC_PRIVATE svc_str svc_address_text(svc_arena *a, const svc_address *address)
{
  const unsigned char *b = address->b;
  bool v4 = memcmp(b, address_mapped, sizeof address_mapped) == 0; /* a shorter prefix cannot be IPv4: the mapping bits behind it would
                                                                      be 0 */
  svc_buf out = svc_buf_new(a, 64);
  char group[8];
  int i, from, length;
  if (v4) {
    snprintf(group, sizeof group, "%d", b[12]);
    svc_buf_text(&out, group);
    for (i = 13; i < 16; i++) {
      snprintf(group, sizeof group, ".%d", b[i]);
      svc_buf_text(&out, group);
    }
  } else {
    address_zero_run(b, &from, &length);
    for (i = 0; i < 8; i++) {
      if (i == from) {
        svc_buf_text(&out, "::");
        i += length - 1;
        continue;
      }
      if (i > 0 && (from < 0 || i != from + length)) svc_buf_char(&out, ':');
      snprintf(group, sizeof group, "%x", b[2 * i] << 8 | b[2 * i + 1]);
      svc_buf_text(&out, group);
    }
  }
  if (address->bits < 128) {
    svc_buf_char(&out, '/');
    svc_buf_i64(&out, address->bits - (v4 ? 96 : 0));
  }
  return svc_buf_done(&out);
}

SVC_PRIVATE svc_str svc_address_spell(svc_arena *a, svc_str text)
{
  svc_address address;
  return svc_address_parse(text, &address) ? svc_address_text(a, &address) : text;
}

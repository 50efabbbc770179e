/*
** Formats: forms of a string that a pattern cannot express.
**
** An invalid address or date is refused on input and never stored. The rule: a text is checked by its bytes alone, without the host's
** resolver or locale. Spellings that programs read differently are refused: 010.1.1.1, or a zone behind an address. An IPv6 address still
** has several valid spellings; svc_address_spell() (address.c) gives the canonical one.
*/
#include "base/base.h"

static bool format_is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool format_is_hex(char c)
{
  return format_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool format_is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A decimal number of up to three digits without leading zero, not above `most`. */
static bool format_number(svc_str s, unsigned most)
{
  unsigned value = 0;
  size_t i;
  if (s.n == 0 || s.n > 3 || (s.n > 1 && s.p[0] == '0')) return false;
  for (i = 0; i < s.n; i++) {
    if (!format_is_digit(s.p[i])) return false;
    value = value * 10 + (unsigned)(s.p[i] - '0');
  }
  return value <= most;
}

/* -------------------------------------------------------------------------------------------------------- addresses */

static bool format_ipv4(svc_str s)
{
  size_t i, from = 0;
  unsigned parts = 0;
  for (i = 0; i <= s.n; i++) {
    if (i < s.n && s.p[i] != '.') continue;
    if (++parts > 4 || !format_number((svc_str){ s.p + from, i - from }, 255)) return false;
    from = i + 1;
  }
  return parts == 4;
}

/* A run of groups separated by single colons. Returns the number of groups, or -1 if malformed. */
static int format_groups(svc_str s, bool may_end_in_ipv4)
{
  size_t i, from = 0, n;
  int groups = 0;
  if (s.n == 0) return 0;
  for (i = 0; i <= s.n; i++) {
    if (i < s.n && s.p[i] != ':') {
      if (i - from >= 4 && !may_end_in_ipv4) return -1;
      continue;
    }
    n = i - from;
    if (i == s.n && may_end_in_ipv4 && memchr(s.p + from, '.', n)) {
      return format_ipv4((svc_str){ s.p + from, n }) ? groups + 2 : -1;
    }
    if (n == 0 || n > 4) return -1;
    for (; from < i; from++) {
      if (!format_is_hex(s.p[from])) return -1;
    }
    groups++;
    from = i + 1;
  }
  return groups;
}

/* RFC 4291, 2.2: eight groups; or fewer, with "::" once for at least one group of zeros. */
static bool format_ipv6(svc_str s)
{
  size_t gap;
  int before, behind;
  if (s.n < 2 || s.n > 45) return false;
  for (gap = 0; gap + 1 < s.n && !(s.p[gap] == ':' && s.p[gap + 1] == ':'); gap++) continue;
  if (gap + 1 >= s.n) return format_groups(s, true) == 8;
  before = format_groups((svc_str){ s.p, gap }, false);
  behind = format_groups((svc_str){ s.p + gap + 2, s.n - gap - 2 }, true);
  return before >= 0 && behind >= 0 && before + behind <= 7;
}

static bool format_cidr(svc_str s)
{
  const char *slash = s.n ? memchr(s.p, '/', s.n) : NULL;
  svc_str address, prefix;
  if (!slash) return false;
  address = (svc_str){ s.p, (size_t)(slash - s.p) };
  prefix = (svc_str){ slash + 1, s.n - address.n - 1 };
  return (format_ipv4(address) && format_number(prefix, 32)) || (format_ipv6(address) && format_number(prefix, 128));
}

/* ------------------------------------------------------------------------------------------------- email, UUID, URI */

/* Labels of letters, digits and inner '-', at least two of them. Bytes of non-ASCII characters count as letters. */
static bool format_domain(svc_str s)
{
  size_t i, from = 0;
  unsigned labels = 0;
  for (i = 0; i <= s.n; i++) {
    if (i < s.n && s.p[i] != '.') {
      char c = s.p[i];
      if (!format_is_letter(c) && !format_is_digit(c) && c != '-' && (unsigned char)c < 0x80) return false;
      continue;
    }
    if (i == from || i - from > 63 || s.p[from] == '-' || s.p[i - 1] == '-') return false;
    labels++;
    from = i + 1;
  }
  return labels >= 2;
}

/* The dot-atom form of RFC 5322 and no other: no quotes, comments or address literals. */
/* Whether the UTF-8 character at p is one that nobody sees: a control character, or one that changes the direction or joins text. An address
** with such characters can look like another one. */
static bool format_is_hidden(const char *p, size_t n)
{
  static const struct {
    const char *before;
    unsigned char from, to; /* of the last byte */
  } hidden[] = { { "\xC2", 0x80, 0x9F }, { "\xC2", 0xAD, 0xAD }, { "\xD8", 0x9C, 0x9C }, { "\xE2\x80", 0x8B, 0x8F },
                 { "\xE2\x80", 0xA8, 0xAE }, { "\xE2\x81", 0xA0, 0xAF }, { "\xEF\xBB", 0xBF, 0xBF } };
  size_t i, length;
  for (i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
    length = strlen(hidden[i].before);
    if (n > length && memcmp(p, hidden[i].before, length) == 0 && (unsigned char)p[length] >= hidden[i].from &&
        (unsigned char)p[length] <= hidden[i].to) return true;
  }
  return false;
}

static bool format_email(svc_str s)
{
  const char *at = s.n && s.n <= 254 ? memchr(s.p, '@', s.n) : NULL;
  size_t local, i;
  if (!at || !svc_utf8_valid(s)) return false;
  local = (size_t)(at - s.p);
  for (i = 0; i < s.n; i++)
    if ((unsigned char)s.p[i] >= 0x80 && format_is_hidden(s.p + i, s.n - i)) return false;
  if (local == 0 || local > 64 || s.p[0] == '.' || s.p[local - 1] == '.') return false;
  for (i = 0; i < local; i++) {
    char c = s.p[i];
    if (c == '.' && s.p[i + 1] == '.') return false;
    if (format_is_letter(c) || format_is_digit(c) || (unsigned char)c >= 0x80) continue;
    if (c == 0 || !strchr(".!#$%&'*+/=?^_`{|}~-", c)) return false;
  }
  return format_domain((svc_str){ at + 1, s.n - local - 1 });
}

static bool format_uuid(svc_str s)
{
  size_t i;
  if (s.n != 36) return false;
  for (i = 0; i < 36; i++) {
    bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? s.p[i] != '-' : !format_is_hex(s.p[i])) return false;
  }
  return true;
}

/* scheme://host..., with a host that is not empty, and without spaces and control characters. */
static bool format_uri(svc_str s)
{
  size_t i, colon = 0;
  if (s.n == 0 || !format_is_letter(s.p[0]) || !svc_utf8_valid(s)) return false;
  while (colon < s.n && (format_is_letter(s.p[colon]) || format_is_digit(s.p[colon]) || s.p[colon] == '+' ||
                         s.p[colon] == '-' || s.p[colon] == '.')) colon++;
  if (s.n - colon < 4 || memcmp(s.p + colon, "://", 3) != 0) return false;
  if (s.p[colon + 3] == '/' || s.p[colon + 3] == '?' || s.p[colon + 3] == '#') return false;
  for (i = colon; i < s.n; i++) {
    if ((unsigned char)s.p[i] <= 0x20 || s.p[i] == 0x7F) return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------------------ table */

static bool format_any(svc_str s)
{
  (void)s;
  return true;
}

static bool format_id(svc_str s)
{
  svc_id id;
  return svc_id_parse(s, &id);
}

static bool format_ip(svc_str s)
{
  return format_ipv4(s) || format_ipv6(s);
}

static bool format_ip_or_cidr(svc_str s)
{
  return format_ip(s) || format_cidr(s);
}

static bool format_day(svc_str s)
{
  unsigned day;
  return svc_day_parse(s, &day);
}

static bool format_trimmed(svc_str s)
{
  return s.n == 0 || (s.p[0] != ' ' && s.p[s.n - 1] != ' ');
}

static bool format_domain_name(svc_str s)
{
  return s.n <= 253 && svc_pattern_match("^([a-zA-Z0-9_-]{1,63}\\.)+[a-zA-Z0-9-]{2,63}$", s);
}

struct format_row {
  bool (*check)(svc_str s);
  const char *name;
};

/* An unknown format is a mistake in a table: it accepts nothing, so that tests notice the mistake. */
static const struct format_row *format_row_of(int format)
{
  static const struct format_row rows[] = {
    [SVC_FORMAT_NONE] = { format_any, "a string" },
    [SVC_FORMAT_ID] = { format_id, "24 hexadecimal digits" },
    [SVC_FORMAT_IP] = { format_ip, "an IP address" },
    [SVC_FORMAT_CIDR] = { format_cidr, "a CIDR block" },
    [SVC_FORMAT_IP_OR_CIDR] = { format_ip_or_cidr, "an IP address or a CIDR block" },
    [SVC_FORMAT_EMAIL] = { format_email, "an email address" },
    [SVC_FORMAT_UUID] = { format_uuid, "a UUID" },
    [SVC_FORMAT_URI] = { format_uri, "a URI" },
    [SVC_FORMAT_DAY] = { format_day, "a day as YYYY-MM-DD" },
    [SVC_FORMAT_TRIMMED] = { format_trimmed, "without space at either end" },
    [SVC_FORMAT_DOMAIN] = { format_domain_name, "a domain" }
  };
  return format >= 0 && (size_t)format < sizeof rows / sizeof rows[0] ? &rows[format] : NULL;
}

SVC_PRIVATE bool svc_format_check(int format, svc_str text)
{
  const struct format_row *row = format_row_of(format);
  return row && row->check(text);
}

SVC_PRIVATE const char *svc_format_name(int format)
{
  const struct format_row *row = format_row_of(format);
  return row ? row->name : "a known format";
}

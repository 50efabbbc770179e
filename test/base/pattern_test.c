/* Patterns of the catalog and others, with accepted and refused texts; hostile texts; and formats. */
#include "catalog/catalog.h"
#include "pipeline/table.h"
#include "test.h"

#include <time.h>

#define HEX24 "0123456789abcdef01234567"

struct row {
  const char *pattern, *text;
  bool match;
};

static const struct row rows[] = {
  { "^([a-f0-9]{24})$", HEX24, true },
  { "^([a-f0-9]{24})$", HEX24 "8", false },
  { "^([a-f0-9]{24})$", "0123456789abcdef0123456", false },
  { "^([a-f0-9]{24})$", "0123456789ABCDEF01234567", false },
  { "^([a-f0-9]{24})$", "", false },
  { "^[a-zA-Z0-9][a-zA-Z0-9-]*$", "a", true },
  { "^[a-zA-Z0-9][a-zA-Z0-9-]*$", "Cluster-0-", true },
  { "^[a-zA-Z0-9][a-zA-Z0-9-]*$", "-a", false },
  { "^[a-zA-Z0-9][a-zA-Z0-9-]*$", "a_b", false },
  { "^[a-zA-Z0-9][a-zA-Z0-9-]*$", "a\n", false },
  { "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$", "Gr\xC3\xBC\xC3\x9F(1),x:&@+'-_.", true },
  { "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$", "\xE6\x97\xA5\xE6\x9C\xAC", true },
  { "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$", "a b", false },
  { "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$", "a\xC2\xA0", false },
  { "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$", "a\xE2\x80\x8B", false },         /* U+200B */
  { "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$", "a\xE3\x80\x80", false },         /* U+3000 */
  { "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$", "a\xEF\xB8\x8F", false },         /* U+FE0F */
  { "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$", "a\xEF\xBF\xBD", false },         /* U+FFFD */
  { "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$", "a\xEE\x80\x80", false },         /* U+E000 */
  { "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$", "a\xF3\xB0\x80\x80", false },     /* U+F0000 */
  { "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$", "a\xC2\x85", false },             /* U+0085, a control character */
  { "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$", "", false },
  { "^[\\p{L}\\p{N}\\-_.(),:&@+']{1,64}$", "a\xC3", false },
  { "^[\\p{L}\\p{N}\\-_.,' ]*$", "", true },
  { "^[\\p{L}\\p{N}\\-_.,' ]*$", "O'Neil, J. 3", true },
  { "^[\\p{L}\\p{N}\\-_.,' ]*$", "a;b", false },
  { "^vpc-[0-9a-f]{17}$", "vpc-0123456789abcdef0", true },
  { "^vpc-[0-9a-f]{17}$", "vpc-0123456789abcdef", false },
  { "^vpc-[0-9a-f]{17}$", "vpc_0123456789abcdef0", false },
  { "^svc_sa_id_[a-fA-F\\d]{24}$", "svc_sa_id_0123456789abcdefABCDEF01", true },
  { "^svc_sa_id_[a-fA-F\\d]{24}$", "svc_sa_id_0123456789abcdefABCDEF0g", false },
  { "^([-\\w._()])+$", "a-b_c.(d)", true },
  { "^([-\\w._()])+$", "", false },
  { "^([-\\w._()])+$", "a/b", false },
  { "^[a-z][0-9a-z-]{4,28}[0-9a-z]{1}$", "abcd-e", true },
  { "^[a-z][0-9a-z-]{4,28}[0-9a-z]{1}$", "abcde", false },
  { "^[a-z][0-9a-z-]{4,28}[0-9a-z]{1}$", "abcdef-", false },
  { "^[a-z][0-9a-z-]{4,28}[0-9a-z]{1}$", "a23456789012345678901234567890", true },
  { "^[a-z][0-9a-z-]{4,28}[0-9a-z]{1}$", "a234567890123456789012345678901", false },
  { "^db-svc-[0-9a-z]{16}@p-[0-9a-z]{24}.iam.gserviceaccount.com$",
    "db-svc-0123456789abcdef@p-" HEX24 ".iam.gserviceaccount.com", true },
  { "^db-svc-[0-9a-z]{16}@p-[0-9a-z]{24}.iam.gserviceaccount.com$",
    "db-svc-0123456789abcdef@p-" HEX24 ".iam.gserviceaccount.org", false },
  { "[a-z]([-a-z0-9]{0,62}[a-z0-9]{0,1})?", "a", true },
  { "[a-z]([-a-z0-9]{0,62}[a-z0-9]{0,1})?", "a-b-c9", true },
  { "[a-z]([-a-z0-9]{0,62}[a-z0-9]{0,1})?", "9a", false },
  { "[a-z]([-a-z0-9]{0,62}[a-z0-9]{0,1})?", "a.b", false },
  { "[a-z]([-a-z0-9]{0,62}[a-z0-9]{0,1})?", "a123456789012345678901234567890123456789012345678901234567890123", true },
  { "[a-z]([-a-z0-9]{0,62}[a-z0-9]{0,1})?", "a1234567890123456789012345678901234567890123456789012345678901234",
    false },
  { "^([0-9]*/)?sg-([0-9]*)$", "sg-", true },
  { "^([0-9]*/)?sg-([0-9]*)$", "12/sg-34", true },
  { "^([0-9]*/)?sg-([0-9]*)$", "/sg-34", true },
  { "^([0-9]*/)?sg-([0-9]*)$", "12sg-34", false },
  { "[\\d]+\\.[\\d]+\\.[\\d]+", "1.22.333", true },
  { "[\\d]+\\.[\\d]+\\.[\\d]+", "1.22", false },
  { "[\\d]+\\.[\\d]+\\.[\\d]+", "1x22x333", false },
  { "[\\d]+\\.[\\d]+\\.[\\d]+", "v1.2.3", false },
  /* the rest of the pattern language */
  { "", "", true },
  { "", "a", false },
  { "^$", "", true },
  { "a|bc|d*", "", true },
  { "a|bc|d*", "bc", true },
  { "a|bc|d*", "ddd", true },
  { "a|bc|d*", "ad", false },
  { "(a|b)*c", "ababc", true },
  { "((a|b){2},?)+", "ab,ba,aa", true },
  { "((a|b){2},?)+", "ab,b", false },
  { "(?:ab)?c", "abc", true },
  { "(?:ab)?c", "c", true },
  { "(a*)*b", "aaab", true },
  { "(a*)+", "aaa", true },
  { "(|a)b", "b", true },
  { "[^a-c\\s]+", "xyz", true },
  { "[^a-c\\s]+", "xbz", false },
  { "[^a-c\\s]+", "x z", false },
  { "[^\\d]", "\xE2\x82\xAC", true },
  { "[\xC3\xA0-\xC3\xBC]+", "\xC3\xA9\xC3\xAA", true },
  { "[\xC3\xA0-\xC3\xBC]+", "z", false },
  { ".", "\xF0\x9F\x98\x80", true },
  { ".", "\n", false },
  { "..", "\xC3\xA9", false },
  { "a{2,}", "a", false },
  { "a{2,}", "aaaa", true },
  { "a{0}b", "b", true },
  { "\\w\\W\\s\\S\\D", "a- bc", true },
  { "\\p{L}\\p{N}", "x1", true },
  { "\\p{L}\\p{N}", "11", false },
  { "\\\\\\/\\$\\^\\t", "\\/$^\t", true },
  { "[]-]", "-]", false },
  { "[\\]\\-]+", "-]", true },
  { "a\\$", "a$", true },
  { "a\\\\$", "a\\", true },
  /* invalid patterns match nothing */
  { "(a", "a", false }, { "a)", "a", false }, { "[a", "a", false }, { "*a", "a", false }, { "a**", "a", false },
  { "a{", "a", false }, { "a{x}", "a", false }, { "a{2,1}", "aa", false }, { "a{1", "a", false }, { "\\", "\\", false },
  { "\\q", "q", false }, { "\\p{X}", "X", false }, { "a^b", "ab", false }, { "a{600}", "a", false },
  { "(a{100}){100}", "a", false }, { "((((((((((a))))))))))", "a", false }, { "\xFF", "\xFF", false },
};

TEST(pattern, match)
{
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (svc_pattern_match(rows[i].pattern, svc_str_c(rows[i].text)) != rows[i].match) {
      munit_errorf("%s on \"%s\" should be %d", rows[i].pattern, rows[i].text, rows[i].match);
    }
  }
  munit_assert_false(svc_pattern_match("[a-z]*", (svc_str){ "a\0b", 3 }));
  munit_assert_true(svc_pattern_match("a*", (svc_str){ NULL, 0 }));
}

TEST(pattern, length)
{
  char text[400];
  int i;
  memset(text, 'x', sizeof text);
  munit_assert_true(svc_pattern_match("^[\\p{L}]{1,64}$", (svc_str){ text, 64 }));
  munit_assert_false(svc_pattern_match("^[\\p{L}]{1,64}$", (svc_str){ text, 65 }));
  for (i = 0; i < 65; i++) memcpy(text + 2 * i, "\xC3\xA9", 2); /* characters count, not bytes */
  munit_assert_true(svc_pattern_match("^[\\p{L}]{1,64}$", (svc_str){ text, 128 }));
  munit_assert_false(svc_pattern_match("^[\\p{L}]{1,64}$", (svc_str){ text, 130 }));
}

/* Texts and patterns that make backtracking matchers take exponential time. */
TEST(pattern, hostile)
{
  static const char *const patterns[] = { "(a*)*b", "(a|a)*b", "(a|aa)+b", "((a{0,20}){0,4}){0,2}b", "(.*)*(.*)*b" };
  size_t n = 300000, i;
  char *text = malloc(n);
  clock_t start = clock();
  munit_assert_not_null(text);
  memset(text, 'a', n);
  for (i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
    munit_assert_false(svc_pattern_match(patterns[i], (svc_str){ text, n }));
  }
  munit_assert_true(svc_pattern_match("^[\\p{L}\\p{N}\\-_.,' ]*$", (svc_str){ text, n }));
  munit_assert_double((double)(clock() - start) / CLOCKS_PER_SEC, <, 10.0); /* under sanitizers */
  free(text);
}

static const struct {
  int format;
  const char *text;
  bool good;
} formats[] = {
  { SVC_FORMAT_NONE, "anything", true },
  { SVC_FORMAT_ID, HEX24, true },
  { SVC_FORMAT_ID, HEX24 "0", false },
  { SVC_FORMAT_ID, "0123456789abcdef0123456g", false },
  { SVC_FORMAT_IP, "0.0.0.0", true },
  { SVC_FORMAT_IP, "255.255.255.255", true },
  { SVC_FORMAT_IP, "192.168.1.1", true },
  { SVC_FORMAT_IP, "256.1.1.1", false },
  { SVC_FORMAT_IP, "01.1.1.1", false },
  { SVC_FORMAT_IP, "1.1.1", false },
  { SVC_FORMAT_IP, "1.1.1.1.1", false },
  { SVC_FORMAT_IP, "1.1.1.", false },
  { SVC_FORMAT_IP, ".1.1.1", false },
  { SVC_FORMAT_IP, "1.1.1.1 ", false },
  { SVC_FORMAT_IP, "0x1.1.1.1", false },
  { SVC_FORMAT_IP, "1.1.1.1/32", false },
  { SVC_FORMAT_IP, "", false },
  { SVC_FORMAT_IP, "::", true },
  { SVC_FORMAT_IP, "::1", true },
  { SVC_FORMAT_IP, "1::", true },
  { SVC_FORMAT_IP, "2001:db8::8:800:200C:417A", true },
  { SVC_FORMAT_IP, "1:2:3:4:5:6:7:8", true },
  { SVC_FORMAT_IP, "1:2:3:4:5:6:7::", true },
  { SVC_FORMAT_IP, "::2:3:4:5:6:7:8", true },
  { SVC_FORMAT_IP, "1:2:3::4:5:6.7.8.9", true },
  { SVC_FORMAT_IP, "1:2.3.4.5::6:7.8.9.1", false }, /* an IPv4 part must be the last */
  { SVC_FORMAT_IP, "1.2.3.4::", false },
  { SVC_FORMAT_IP, "1:2:3:4::5:6:7:8", false },
  { SVC_FORMAT_IP, "::ffff:10.0.0.1", true },
  { SVC_FORMAT_IP, "1:2:3:4:5:6:10.0.0.1", true },
  { SVC_FORMAT_IP, "1:2:3:4:5:6:7:10.0.0.1", false },
  { SVC_FORMAT_IP, "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", true },
  { SVC_FORMAT_IP, "::10.0.0.256", false },
  { SVC_FORMAT_IP, "10.0.0.1::", false },
  { SVC_FORMAT_IP, "::10.0.0.1:1", false },
  { SVC_FORMAT_IP, "1:2:3:4:5:6:7", false },
  { SVC_FORMAT_IP, "1:2:3:4:5:6:7:8:9", false },
  { SVC_FORMAT_IP, "1::2::3", false },
  { SVC_FORMAT_IP, ":::", false },
  { SVC_FORMAT_IP, ":1:2:3:4:5:6:7", false },
  { SVC_FORMAT_IP, "1:2:3:4:5:6:7:", false },
  { SVC_FORMAT_IP, "12345::", false },
  { SVC_FORMAT_IP, "g::", false },
  { SVC_FORMAT_IP, "fe80::1%eth0", false },
  { SVC_FORMAT_IP, "[::1]", false },
  { SVC_FORMAT_IP, ":", false },
  { SVC_FORMAT_CIDR, "10.0.0.0/8", true },
  { SVC_FORMAT_CIDR, "0.0.0.0/0", true },
  { SVC_FORMAT_CIDR, "10.0.0.0/32", true },
  { SVC_FORMAT_CIDR, "10.0.0.0/33", false },
  { SVC_FORMAT_CIDR, "10.0.0.0/08", false },
  { SVC_FORMAT_CIDR, "10.0.0.0/", false },
  { SVC_FORMAT_CIDR, "10.0.0.0", false },
  { SVC_FORMAT_CIDR, "10.0.0.0/8/8", false },
  { SVC_FORMAT_CIDR, "10.0.0.0/-1", false },
  { SVC_FORMAT_CIDR, "/8", false },
  { SVC_FORMAT_CIDR, "2001:db8::/128", true },
  { SVC_FORMAT_CIDR, "2001:db8::/129", false },
  { SVC_FORMAT_IP_OR_CIDR, "10.0.0.1", true },
  { SVC_FORMAT_IP_OR_CIDR, "10.0.0.0/8", true },
  { SVC_FORMAT_IP_OR_CIDR, "ten", false },
  { SVC_FORMAT_EMAIL, "a@b.co", true },
  { SVC_FORMAT_EMAIL, "first.last+tag@sub.example-1.com", true },
  { SVC_FORMAT_EMAIL, "j\xC3\xBCrgen@m\xC3\xBCnchen.de", true },
  { SVC_FORMAT_EMAIL, "a\xC2\xA0@b.co", true },
  { SVC_FORMAT_EMAIL, "a\xC2\x85@b.co", false },     /* a control character */
  { SVC_FORMAT_EMAIL, "a\xC2\xAD@b.co", false },     /* a soft hyphen */
  { SVC_FORMAT_EMAIL, "\xD8\x9C" "a@b.co", false },  /* Arabic letter mark */
  { SVC_FORMAT_EMAIL, "a\xE2\x80\x8E@b.co", false }, /* left-to-right mark */
  { SVC_FORMAT_EMAIL, "a\xE2\x80\xAE@b.co", false }, /* right-to-left override */
  { SVC_FORMAT_EMAIL, "a\xE2\x81\xA7@b.co", false }, /* right-to-left isolate */
  { SVC_FORMAT_EMAIL, "a\xE2\x80\x94@b.co", true },
  { SVC_FORMAT_EMAIL, "\xEF\xBB\xBF" "a@b.co", false },
  { SVC_FORMAT_EMAIL, "a@b\xE2\x80\xAE.co", false },
  { SVC_FORMAT_EMAIL, "a@localhost", false },
  { SVC_FORMAT_EMAIL, "@b.co", false },
  { SVC_FORMAT_EMAIL, "a@", false },
  { SVC_FORMAT_EMAIL, "a", false },
  { SVC_FORMAT_EMAIL, "a@@b.co", false },
  { SVC_FORMAT_EMAIL, "a@b@c.co", false },
  { SVC_FORMAT_EMAIL, "a b@c.co", false },
  { SVC_FORMAT_EMAIL, ".a@b.co", false },
  { SVC_FORMAT_EMAIL, "a.@b.co", false },
  { SVC_FORMAT_EMAIL, "a..b@c.co", false },
  { SVC_FORMAT_EMAIL, "a@b..co", false },
  { SVC_FORMAT_EMAIL, "a@b.co.", false },
  { SVC_FORMAT_EMAIL, "a@-b.co", false },
  { SVC_FORMAT_EMAIL, "a@b-.co", false },
  { SVC_FORMAT_EMAIL, "a@b_c.co", false },
  { SVC_FORMAT_EMAIL, "<a@b.co>", false },
  { SVC_FORMAT_EMAIL, "a@b.co\n", false },
  { SVC_FORMAT_EMAIL, "a\xFF@b.co", false },
  { SVC_FORMAT_EMAIL, "1234567890123456789012345678901234567890123456789012345678901234@b.co", true },
  { SVC_FORMAT_EMAIL, "12345678901234567890123456789012345678901234567890123456789012345@b.co", false },
  { SVC_FORMAT_UUID, "123e4567-e89b-12d3-a456-426614174000", true },
  { SVC_FORMAT_UUID, "123E4567-E89B-12D3-A456-426614174000", true },
  { SVC_FORMAT_UUID, "123e4567e89b12d3a456426614174000", false },
  { SVC_FORMAT_UUID, "123e4567-e89b-12d3-a456-42661417400g", false },
  { SVC_FORMAT_UUID, "{123e4567-e89b-12d3-a456-426614174000}", false },
  { SVC_FORMAT_URI, "https://example.com/a?b=c#d", true },
  { SVC_FORMAT_URI, "mongodb+srv://x", true },
  { SVC_FORMAT_URI, "https://", false },
  { SVC_FORMAT_URI, "https:///path", false },
  { SVC_FORMAT_URI, "://x", false },
  { SVC_FORMAT_URI, "1http://x", false },
  { SVC_FORMAT_URI, "http:/x", false },
  { SVC_FORMAT_URI, "http://a b", false },
  { SVC_FORMAT_URI, "http://a\tb", false },
  { SVC_FORMAT_URI, "http://a\x7F", false },
  { SVC_FORMAT_URI, "example.com", false },
  { SVC_FORMAT_URI, "", false },
  { SVC_FORMAT_DAY, "2025-03-12", true },
  { SVC_FORMAT_DAY, "2025-02-29", false },
  { SVC_FORMAT_DAY, "2025-03-12T00:00Z", false },
  { SVC_FORMAT_TRIMMED, "a b", true },
  { SVC_FORMAT_TRIMMED, " a", false },
  { SVC_FORMAT_TRIMMED, "a ", false },
  { SVC_FORMAT_TRIMMED + 1, "x", false },
  { -1, "x", false },
};

TEST(pattern, format)
{
  char email[300];
  size_t i;
  for (i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    if (svc_format_check(formats[i].format, svc_str_c(formats[i].text)) != formats[i].good) {
      munit_errorf("\"%s\" is %s: should be %d", formats[i].text, svc_format_name(formats[i].format), formats[i].good);
    }
  }
  for (i = 0; i < sizeof email; i++) email[i] = "abc."[i % 4];
  memcpy(email, "x@", 2);
  memcpy(email + 251, "com", 3);
  munit_assert_true(svc_format_check(SVC_FORMAT_EMAIL, (svc_str){ email, 254 }));
  email[254] = 'm';
  munit_assert_false(svc_format_check(SVC_FORMAT_EMAIL, (svc_str){ email, 255 }));
  memset(email + 2, 'a', 64);
  memcpy(email + 66, ".co", 3);
  munit_assert_false(svc_format_check(SVC_FORMAT_EMAIL, (svc_str){ email, 69 }));
  munit_assert_string_equal(svc_format_name(SVC_FORMAT_ID), "24 hexadecimal digits");
  munit_assert_string_equal(svc_format_name(SVC_FORMAT_IP), "an IP address");
  munit_assert_string_equal(svc_format_name(SVC_FORMAT_CIDR), "a CIDR block");
}

/* More classes, and characters at the limits of classes. */
static const struct row odd[] = {
  { "^\\s$", " ", true }, { "^\\s$", "\t", true }, { "^\\s$", "\r", true }, { "^\\s$", "\x08", false }, { "^\\s$", "\x0E", false },
  { "^\\s$", "\xC2\xA0", true }, { "^\\s$", "\xE1\x9A\x80", true }, { "^\\s$", "\xE2\x80\x80", true }, { "^\\s$", "\xE2\x80\x8A", true },
  { "^\\s$", "\xE2\x80\x8B", false }, { "^\\s$", "\xE2\x80\xA8", true }, { "^\\s$", "\xE2\x80\xA9", true }, { "^\\s$", "\xE2\x80\xAF", true },
  { "^\\s$", "\xE2\x81\x9F", true }, { "^\\s$", "\xE3\x80\x80", true }, { "^\\s$", "\xEF\xBB\xBF", true }, { "^\\s$", "a", false },
  { "^\\S$", "a", true }, { "^\\S$", " ", false }, { "^\\D$", "a", true }, { "^\\D$", "7", false },
  { "^\\W$", "a", false }, { "^\\W$", "7", false }, { "^\\W$", "_", false }, { "^\\W$", "-", true },
  { "^\\n\\r\\t$", "\n\r\t", true }, { "^\\n\\r\\t$", "nrt", false },
  { "^.$", "x", true }, { "^.$", "\n", false }, { "^.$", "\r", false }, { "^.$", "\xE2\x80\xA8", false }, { "^.$", "\xE2\x80\xA9", false },
  { "^[a-\\d]$", "a", true }, { "^[a-\\d]$", "5", true }, { "^[a-\\d]$", "b", false }, { "^[^a]$", "a", false }, { "^[^a]$", "b", true },
  { "^(?:ab|c)+$", "abcab", true }, { "^(?:ab|c)+$", "aba", false }, { "^(a?)$", "a", true }, { "^a{2,}$", "a", false }, { "^a{2,}$", "aaa", true },
  /* invalid UTF-8 matches nothing: a lone byte, overlong, too large, a surrogate, truncated */
  { "^(.|a)*$", "\x80", false }, { "^(.|a)*$", "\xC1\x80", false }, { "^(.|a)*$", "\xF5\x80\x80\x80", false }, { "^(.|a)*$", "\xE2" "AA", false },
  { "^(.|a)*$", "\xE0\x80\x80", false }, { "^(.|a)*$", "\xF4\x90\x80\x80", false }, { "^(.|a)*$", "\xED\xA0\x80", false }, { "^(.|a)*$", "\xE2\x80", false },
  { "^(.|a)*$", "\xEE\x80\x80\xF4\x8F\xBF\xBF", true },
};

TEST(pattern, odd)
{
  static const char *const none[] = {
    "^\\", "^\\p{X}$", "^\\p{L", "^\\1$", "^\\q$", "^\\\xC3\xA9$", "^[a", "^[^", "^[", "^[\\q]$", "^[\xC3]$", "^\xC3$", "^a{$", "^a{x}$", "^a{2", "^a{2,", "^a{2,3", "^a{2,3x}$", "^a|*$", "^a{2,1}$",
    "^a{1,x}$", "^a{1x}$", "^a{99999}$", "^(a", "^a)$", "^*a$", "^(*a)$", "^(?a)$", "^(?:", "^((((((((((((((((((((((a))))))))))))))))))))))$", "^(a{200}){200}$",
    "^(a{1,200}){1,200}$", "^(a*){999}$"
  };
  static char long_one[70000];
  size_t i;
  for (i = 0; i < sizeof odd / sizeof odd[0]; i++)
    if (svc_pattern_match(odd[i].pattern, svc_str_c(odd[i].text)) != odd[i].match) munit_errorf("%zu: %s should be %d", i, odd[i].pattern, odd[i].match);
  for (i = 0; i < sizeof none / sizeof none[0]; i++) {
    if (svc_pattern_valid(none[i])) munit_errorf("%s is taken for a pattern", none[i]);
    munit_assert_false(svc_pattern_match(none[i], svc_str_c("a")));
  }
  munit_assert_true(svc_pattern_valid("^(?:a|b){2,3}[^c\\d]?$"));
  munit_assert_true(svc_pattern_valid("^[a-z]{2,999}$")); /* a single class uses no program, for any repetition */
  munit_assert_true(svc_pattern_match("^[a-z]{2,999}$", SVC_S("ab")));
  munit_assert_false(svc_pattern_valid("^(?:[a-z]){2,999}$"));
  munit_assert_false(svc_pattern_match("^[]$", SVC_S("a"))); /* an empty class */
  munit_assert_true(svc_pattern_match("^[]*$", SVC_S("")));
  memset(long_one, 'a', sizeof long_one - 1);
  munit_assert_false(svc_pattern_valid(long_one));
  long_one[0] = '[';
  munit_assert_false(svc_pattern_match(long_one, SVC_S("a")));
}

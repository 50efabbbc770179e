/* Strings and numbers to and from JSON, where the parser's own functions are wrong. */
#include "catalog/catalog.h"
#include "test.h"

#include <locale.h>

static void same(svc_str got, const char *want)
{
  if (!svc_str_is(got, want)) munit_errorf("got \"" SVC_FMT "\", want \"%s\"", SVC_ARG(got), want);
}

static svc_str escaped(svc_arena *a, svc_str text)
{
  svc_buf b = svc_buf_new(a, 0);
  svc_json_escape(&b, text);
  return svc_buf_done(&b);
}

/* Each ASCII character, between two letters: escaped as expected, valid for the gate, and the same when read back. */
TEST_ARENA(json_text, ascii)
{
  int c;
  for (c = 0; c < 0x80; c++) {
    char plain[3] = { 'x', (char)c, 'y' }, want[16];
    svc_str got = escaped(a, (svc_str){ plain, 3 }), back;
    svc_json_fault fault;
    const char *letters = "\"\\\b\f\n\r\t", *at = c ? strchr(letters, c) : NULL;
    if (at) snprintf(want, sizeof want, "\"x\\%cy\"", "\"\\bfnrt"[at - letters]);
    else if (c < 0x20) snprintf(want, sizeof want, "\"x\\u%04xy\"", (unsigned)c);
    else snprintf(want, sizeof want, "\"x%cy\"", c);
    same(got, want);
    if (c == 0) continue; /* escaped, but the gate refuses it */
    munit_assert_true(svc_json_gate(a, got, 1, &fault));
    munit_assert_true(svc_json_unescape(a, (svc_str){ got.p + 1, got.n - 2 }, &back));
    munit_assert_true(svc_str_eq(back, (svc_str){ plain, 3 }));
  }
}

TEST_ARENA(json_text, escape)
{
  same(escaped(a, SVC_S("")), "\"\"");
  same(escaped(a, (svc_str){ NULL, 0 }), "\"\"");
  same(escaped(a, SVC_S("a/b\x7F\xC3\xA9\xF0\x9F\x98\x80")), "\"a/b\x7F\xC3\xA9\xF0\x9F\x98\x80\"");
  same(escaped(a, SVC_S("\"\"\n")), "\"\\\"\\\"\\n\"");
}

TEST_ARENA(json_text, unescape)
{
  static const struct {
    const char *raw, *text; /* text NULL: refused */
  } rows[] = {
    { "", "" },
    { "plain", "plain" },
    { "\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t" },
    { "\\u0041\\u007f", "A\x7F" },
    { "\\u0080", "\xC2\x80" },
    { "\\u00e9\\u00E9", "\xC3\xA9\xC3\xA9" },
    { "\\u07FF\\u0800", "\xDF\xBF\xE0\xA0\x80" },
    { "\\u20ac", "\xE2\x82\xAC" },
    { "\\ud7ff\\ue000\\uffff", "\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF" },
    { "x\\ud83d\\ude00y", "x\xF0\x9F\x98\x80y" },
    { "\\ud800\\udc00\\udbff\\udfff", "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF" },
    { "\\", NULL }, { "a\\q", NULL }, { "\\u12", NULL }, { "\\u12g4", NULL }, { "\\ud800", NULL },
    { "\\udc00", NULL }, { "\\ud800\\u0041", NULL }, { "\\ud800\\udc0", NULL }, { "\\u0000", NULL },
    { "\\u12/4", NULL }, { "\\u12:4", NULL }, { "\\u12@4", NULL }, { "\\u12G4", NULL }, { "\\u12`4", NULL },
    { "\\ud800abcdef", NULL }, { "\\ud800\\nabcd", NULL }, { "\\ud800\\udc0g", NULL }, { "\\ud800\\ue000", NULL },
  };
  size_t i;
  svc_str out, raw = SVC_S("no escape");
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    bool good = svc_json_unescape(a, svc_str_c(rows[i].raw), &out);
    munit_assert_int(good, ==, rows[i].text != NULL);
    if (good) same(out, rows[i].text);
  }
  munit_assert_true(svc_json_unescape(a, raw, &out));
  munit_assert_ptr_equal(out.p, raw.p);
  munit_assert_false(svc_json_unescape(a, SVC_S("\\\0"), &out));
}

TEST_ARENA(json_text, pretty)
{
  static const struct {
    const char *compact, *pretty;
  } rows[] = {
    { "{}", "{}\n" },
    { "[]", "[]\n" },
    { "1", "1\n" },
    { "\"a\"", "\"a\"\n" },
    { "{\"a\":1}", "{\n  \"a\": 1\n}\n" },
    { "[1,2]", "[\n  1,\n  2\n]\n" },
    { "{\"a\":{},\"b\":[],\"c\":[{}],\"d\":{\"e\":null}}",
      "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": [\n    {}\n  ],\n  \"d\": {\n    \"e\": null\n  }\n}\n" },
    { "[\"{}[],: \\\" \\\\\",-1.5e+3]", "[\n  \"{}[],: \\\" \\\\\",\n  -1.5e+3\n]\n" },
    { " { \"a\" : [ ] , \"b\" : true } \n", "{\n  \"a\": [],\n  \"b\": true\n}\n" },
    { "\t[\r1\n]", "[\n  1\n]\n" },
    { "", "\n" },
  };
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    svc_buf b = svc_buf_new(a, 0), again = svc_buf_new(a, 0);
    svc_str text;
    svc_json_pretty(&b, svc_str_c(rows[i].compact));
    text = svc_buf_done(&b);
    same(text, rows[i].pretty);
    svc_json_pretty(&again, text); /* the pretty form of a pretty text is unchanged */
    same(svc_buf_done(&again), rows[i].pretty);
  }
}

/* Invalid JSON causes neither an endless loop nor reads past the end. */
TEST_ARENA(json_text, pretty_broken)
{
  static const char *const rows[] = { "]", "}}}}", "{", "[", "\"", "\"\\", "{\"a", ",", ":", "[[[" };
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    svc_buf b = svc_buf_new(a, 0);
    size_t n = strlen(rows[i]);
    char *copy = malloc(n);
    munit_assert_not_null(copy);
    memcpy(copy, rows[i], n);
    svc_json_pretty(&b, (svc_str){ copy, n });
    munit_assert_size(svc_buf_done(&b).n, >, 0);
    free(copy);
  }
  {
    svc_buf b = svc_buf_new(a, 0);
    svc_json_pretty(&b, (svc_str){ "\0x\0", 3 });
    munit_assert_size(svc_buf_done(&b).n, ==, 4);
  }
}

TEST(json_text, i64)
{
  static const struct {
    const char *text;
    int64_t value;
  } good[] = {
    { "0", 0 }, { "-0", 0 }, { "0.0", 0 }, { "0e999999999999", 0 }, { "5", 5 }, { "5.0", 5 }, { "5e0", 5 },
    { "-5.000", -5 }, { "10e-1", 1 }, { "1e3", 1000 }, { "1E+3", 1000 }, { "1.5e1", 15 }, { "0.001e3", 1 },
    { "1200e-2", 12 }, { "123456789012345678", INT64_C(123456789012345678) },
    { "9223372036854775807", INT64_MAX }, { "-9223372036854775808", INT64_MIN },
    { "9223372036854775807.000", INT64_MAX }, { "922337203685477580.7e1", INT64_MAX },
    { "-9223372036854775808000e-3", INT64_MIN }, { "9007199254740993", INT64_C(9007199254740993) },
    { "1e18", INT64_C(1000000000000000000) }, { "0.000000000000000000000000000001e30", 1 },
  };
  static const char *const bad[] = {
    "", "-", "1.5", "0.1", "1e-1", "15e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e999999999999",
    "1e-999999999999", "99999999999999999999", "18446744073709551616", "01", "+1", "1.", ".5", "1e", "0x10", "1 ", " 1",
    "abc", "1e5x", "--1", "1.0.0", "NaN",
  };
  size_t i;
  int64_t value;
  for (i = 0; i < sizeof good / sizeof good[0]; i++) {
    value = 42;
    if (!svc_json_number_i64(svc_str_c(good[i].text), &value) || value != good[i].value) {
      munit_errorf("%s: %lld", good[i].text, (long long)value);
    }
  }
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    if (svc_json_number_i64(svc_str_c(bad[i]), &value)) munit_errorf("%s is no integer", bad[i]);
  }
  munit_assert_false(svc_json_number_i64((svc_str){ "1", 100000001 }, &value)); /* too long in any case */
}

static void check_doubles(void)
{
  static const struct {
    const char *text;
    double value;
  } rows[] = {
    { "0", 0 }, { "1", 1 }, { "-1.5", -1.5 }, { "0.1", 0.1 }, { "1e22", 1e22 }, { "1e23", 1e23 },
    { "123456789.987654321", 123456789.987654321 }, { "9007199254740993", 9007199254740992.0 },
    { "9007199254740995", 9007199254740996.0 }, { "1.7976931348623157e308", 1.7976931348623157e308 },
    { "5e-324", 5e-324 }, { "1e-400", 0 }, { "-2.2250738585072011e-308", -2.2250738585072011e-308 },
    { "0.1000000000000000055511151231257827021181583404541015625", 0.1 },
    { "17976931348623157e292", 1.7976931348623157e308 }, { "0e400", 0 }, { "1e-999999999999", 0 },
    { "100000000000000000000000000000000000000000000000000000000000", 1e59 },
  };
  static const char *const bad[] = { "1e309", "-1e309", "1e999999999999", "", "x", "1.", "0x1p3", "1,5", "inf", "nan" };
  size_t i;
  double value;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    bool good = svc_json_number_double(svc_str_c(rows[i].text), &value);
    if (!good || value < rows[i].value || value > rows[i].value) {
      munit_errorf("%s: %.17g", rows[i].text, good ? value : 0);
    }
  }
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    if (svc_json_number_double(svc_str_c(bad[i]), &value)) munit_errorf("%s is no double", bad[i]);
  }
}

TEST(json_text, double)
{
  static const char *const locales[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "pl_PL.UTF-8", "de_DE.utf8", "fa_IR.UTF-8" };
  char text[200] = "0.5";
  double value;
  size_t i;
  check_doubles();
  for (i = 0; i < sizeof locales / sizeof locales[0]; i++) { /* an installed locale changes nothing */
    if (setlocale(LC_ALL, locales[i])) check_doubles();
  }
  setlocale(LC_ALL, "C");
  memset(text + 3, '0', sizeof text - 3); /* halfway between two doubles, except for a digit at the very end */
  memcpy(text, "9007199254740993.", 17);
  text[sizeof text - 1] = '1';
  munit_assert_true(svc_json_number_double((svc_str){ text, sizeof text }, &value));
  munit_assert_double(value, ==, 9007199254740994.0);
}

/* Random numbers: svc_json_number_double() reads a text as exactly as strtod() in the C locale. */
TEST(json_text, double_random)
{
  int i;
  for (i = 0; i < 200000; i++) {
    uint64_t bits = ((uint64_t)munit_rand_uint32() << 32) | munit_rand_uint32();
    double value, back;
    char text[40];
    memcpy(&value, &bits, sizeof value);
    if (!(value - value <= 0)) continue; /* NaN or infinite */
    snprintf(text, sizeof text, i % 2 ? "%.17e" : "%.16e", value);
    munit_assert_true(svc_json_number_double(svc_str_c(text), &back));
    value = strtod(text, NULL);
    munit_assert_memory_equal(sizeof value, &value, &back);
  }
}

/* Every byte at every position of every short text, with a second special byte after it, against the simple definition. */
TEST(json_text, plain)
{
  char text[20];
  int byte;
  size_t n, at, i, want;
  for (n = 0; n <= sizeof text; n++)
    for (at = 0; at <= n; at++)
      for (byte = 0; byte < 512; byte++) {
        bool ascii = byte > 255;
        memset(text, 'a', sizeof text);
        if (at < n) text[at] = (char)byte;
        if (at + 1 < n) text[n - 1] = '"';
        for (want = 0; want < n; want++) {
          unsigned char c = (unsigned char)text[want];
          if (c < 0x20 || c == '"' || c == '\\' || (ascii && c >= 0x80)) break;
        }
        i = svc_json_plain(text, n, ascii);
        if (i != want) munit_errorf("byte %d at %zu of %zu: %zu instead of %zu", byte & 255, at, n, i, want);
      }
}

/* Reads members of valid JSON, and of damaged records. */
TEST(json_text, member)
{
  static const struct {
    const char *object, *name, *member, *word;
  } rows[] = {
    { "{}", "a", "", "" },
    { "{\"a\":1}", "a", "1", "" },
    { "{\"a\":12,\"b\":\"x\"}", "b", "\"x\"", "x" },
    { "{\"a\":12,\"b\":\"x\"}", "a", "12", "" },
    { "{\"a\":\"]}\\\",\",\"b\":[1,{\"c\":2}],\"d\":\"\"}", "b", "[1,{\"c\":2}]", "" },
    { "{\"a\":\"]}\\\",\",\"b\":[1,{\"c\":2}],\"d\":\"\"}", "d", "\"\"", "" },
    { "{\"a\":1}", "b", "", "" },
    { "{\"a\\\"\":1,\"b\":2}", "b", "2", "" },
    { "", "a", "", "" }, { "{", "a", "", "" }, { "[\"a\",1]", "a", "", "" }, { "{1}", "a", "", "" },
    { "{\"a", "a", "", "" }, { "{\"a\"", "a", "", "" }, { "{\"a\\", "a", "", "" }, { "{\"a\":", "a", "", "" },
    { "{\"a\":\"x", "a", "\"x", "" }, { "{\"a\":\"x\\", "a", "\"x\\", "x" }, { "{\"a\":[", "a", "[", "" },
  };
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    size_t n = strlen(rows[i].object);
    char *copy = malloc(n + 1); /* without a byte after the text, so that a sanitizer detects reads past the end */
    munit_assert_not_null(copy);
    memcpy(copy, rows[i].object, n);
    copy = realloc(copy, n ? n : 1);
    munit_assert_not_null(copy);
    same(svc_json_member((svc_str){ copy, n }, svc_str_c(rows[i].name)), rows[i].member);
    if (rows[i].member[0]) same(svc_json_word((svc_str){ copy, n }, rows[i].name), rows[i].word);
    free(copy);
  }
}

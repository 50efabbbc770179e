/* Text: formats of fields, UTF-8, percent encoding; and text without memory. */
#include "catalog/catalog.h"
#include "test.h"

#include <wchar.h>

TEST(text, formats)
{
  static char long_domain[260];
  static const struct {
    int format;
    svc_str text;
    bool good;
  } rows[] = {
    { SVC_FORMAT_EMAIL, SVC_S("ada@example.com"), true },
    { SVC_FORMAT_EMAIL, SVC_S("Ada.L+x@example.com"), true },
    { SVC_FORMAT_EMAIL, SVC_S("a[b@example.com"), false },
    { SVC_FORMAT_EMAIL, SVC_S("a|b@example.com"), true },
    { SVC_FORMAT_EMAIL, SVC_S("a\0b@example.com"), false },
    { SVC_FORMAT_EMAIL, SVC_S("a..b@example.com"), false },
    { SVC_FORMAT_URI, SVC_S("https://example.com/x?y#z"), true },
    { SVC_FORMAT_URI, SVC_S("https:///x"), false },
    { SVC_FORMAT_URI, SVC_S("https://?y"), false },
    { SVC_FORMAT_URI, SVC_S("https://#z"), false },
    { SVC_FORMAT_URI, SVC_S("https://a b"), false },
    { SVC_FORMAT_URI, SVC_S("https://a\x7F"), false },
    { SVC_FORMAT_DOMAIN, SVC_S("db.example.com"), true },
    { SVC_FORMAT_DOMAIN, SVC_S("example"), false },
    { SVC_FORMAT_DOMAIN, { long_domain, sizeof long_domain - 1 }, false },
    { SVC_FORMAT_NONE, SVC_S("anything"), true },
    { -1, SVC_S("anything"), false }, /* an error in a table */
    { 999, SVC_S("anything"), false },
  };
  size_t i;
  for (i = 0; i < sizeof long_domain - 1; i++) long_domain[i] = i % 10 == 9 ? '.' : 'a';
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (svc_format_check(rows[i].format, rows[i].text) != rows[i].good) munit_errorf("row %zu: " SVC_FMT, i, SVC_ARG(rows[i].text));
  munit_assert_string_equal(svc_format_name(SVC_FORMAT_DOMAIN), "a domain");
  munit_assert_string_equal(svc_format_name(999), "a known format");
}

TEST(text, utf8)
{
  static const struct {
    const char *text;
    bool good;
  } rows[] = {
    { "", true }, { "a", true }, { "\xC3\xA9", true }, { "\xE0\xA0\x80", true }, { "\xE2\x82\xAC", true }, { "\xF0\x9F\x98\x80", true },
    { "\x80", false }, { "\xC1\x80", false }, { "\xC3", false }, { "\xC3(", false }, { "\xE0\x9F\x80", false }, { "\xE2\x82(", false },
    { "\xED\xA0\x80", false }, { "\xF0\x8F\x80\x80", false }, { "\xF4\x90\x80\x80", false }, { "\xF5\x80\x80\x80", false },
  };
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (svc_utf8_valid(svc_str_c(rows[i].text)) != rows[i].good) munit_errorf("row %zu", i);
    if (svc_pattern_match("^[^x]*$", svc_str_c(rows[i].text)) != rows[i].good) munit_errorf("row %zu, by a pattern", i);
    if (svc_pattern_match("^([^x]|yy)*$", svc_str_c(rows[i].text)) != rows[i].good) munit_errorf("row %zu, by a program", i);
  }
}

TEST(text, percent)
{
  svc_arena arena;
  svc_buf b;
  svc_arena_init(&arena, NULL);
  b = svc_buf_new(&arena, 0);
  svc_percent_encode(&b, SVC_S("aZ09-._~ /\xC3\xA9"));
  munit_assert_true(svc_str_is(svc_buf_done(&b), "aZ09-._~%20%2F%C3%A9"));
  svc_blocks_free(arena.blocks);
}

/* The program of the tests replaces svc_arena_print() by a function that can be made to fail (support.c). This is the original. */
svc_str __real_svc_arena_print(svc_arena *a, const char *format, ...) SVC_PRINTF(2, 3);

static void *text_nothing(void *context, void *p, size_t size)
{
  (void)context, (void)size;
  free(p);
  return NULL;
}

TEST(text, print)
{
  static const wchar_t no_character[] = { (wchar_t)0xD800, 0 };
  const svc_allocator nothing = { text_nothing, NULL };
  svc_arena arena;
  char long_text[600];
  svc_str got;
  memset(long_text, 'x', sizeof long_text - 1);
  long_text[sizeof long_text - 1] = '\0';
  svc_arena_init(&arena, NULL);
  got = __real_svc_arena_print(&arena, "%d of %s", 7, "nine");
  munit_assert_true(svc_str_is(got, "7 of nine"));
  munit_assert_char(got.p[got.n], ==, '\0');
  got = __real_svc_arena_print(&arena, "<%s>", long_text);
  munit_assert_size(got.n, ==, sizeof long_text + 1);
  munit_assert_memory_equal(sizeof long_text - 1, got.p + 1, long_text);
  munit_assert_char(got.p[got.n], ==, '\0');
  munit_assert_size(__real_svc_arena_print(&arena, "%ls", no_character).n, ==, 0); /* a text that cannot be formatted is empty */
  munit_assert_false(arena.failed);
  svc_blocks_free(arena.blocks);
  svc_arena_init(&arena, &nothing);
  munit_assert_size(__real_svc_arena_print(&arena, "x").n, ==, 0);
  munit_assert_true(arena.failed);
}

/* Lengths that would overflow in an addition are refused. */
TEST(text, too_long)
{
  static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX & ~(size_t)15 };
  svc_arena arena;
  svc_buf b;
  size_t i;
  for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    svc_arena_init(&arena, NULL);
    munit_assert_null(svc_arena_alloc(&arena, sizes[i]));
    munit_assert_true(arena.failed);
    svc_blocks_free(arena.blocks);
  }
  svc_arena_init(&arena, NULL);
  b = svc_buf_new(&arena, 0);
  svc_buf_char(&b, 'x');
  munit_assert_false(svc_buf_grow(&b, SIZE_MAX));
  munit_assert_true(b.failed && arena.failed);
  svc_blocks_free(arena.blocks);
}

/* Base64 for URLs, with - and _ and without padding, and the usual Base64, with + and / and padding. */
TEST(text, base64)
{
  static const struct {
    svc_str bytes;
    const char *text, *padded;
  } rows[] = { { SVC_S(""), "", "" }, { SVC_S("f"), "Zg", "Zg==" }, { SVC_S("fo"), "Zm8", "Zm8=" }, { SVC_S("foo"), "Zm9v", "Zm9v" },
               { SVC_S("\xFB\xEF\xBE\xFF\xFF"), "----__8", "++++//8=" } };
  svc_arena arena;
  size_t i;
  svc_arena_init(&arena, NULL);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    munit_assert_string_equal(svc_base64(&arena, rows[i].bytes).p, rows[i].text);
    munit_assert_string_equal(svc_base64_padded(&arena, rows[i].bytes).p, rows[i].padded);
  }
  munit_assert_false(arena.failed);
  svc_blocks_free(arena.blocks);
}

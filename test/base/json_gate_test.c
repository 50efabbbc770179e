/*
** The gate protects a permissive JSON parser (frozen) from the bytes of requests. Each known defect of that parser is a row here.
** Other rows have texts that the parser refuses, too, so that the gate is never less strict.
*/
#include "catalog/catalog.h"
#include "test.h"

#include <time.h>

struct row {
  const char *text;
  size_t n;
  size_t at;        /* offset of the error */
  const char *what; /* NULL: the text is valid */
};

#define ROW(text, at, what) { text, sizeof text - 1, at, what }
#define GOOD(text) { text, sizeof text - 1, 0, NULL }

/* Invalid texts that the parser accepts completely. */
static const struct row accepted_by_frozen[] = {
  ROW("{a:1}", 1, "expected a key"),
  ROW("{a_9:1}", 1, "expected a key"),
  ROW("[1,]", 3, "expected a value"),
  ROW("{\"a\":1,}", 7, "expected a key"),
  ROW("[1 2]", 3, "expected ',' or ']'"),
  ROW("{\"a\":1 \"b\":2}", 7, "expected ',' or '}'"),
  ROW("[\"a\"\"b\"]", 4, "expected ',' or ']'"),
  ROW("[truefalsenull]", 5, "expected ',' or ']'"),
  ROW("[1-2]", 2, "expected ',' or ']'"),
  ROW("[1true]", 2, "expected ',' or ']'"),
  ROW("[[][]]", 3, "expected ',' or ']'"),
  ROW("01", 1, "digit behind a leading zero"),
  ROW("-01", 2, "digit behind a leading zero"),
  ROW("00", 1, "digit behind a leading zero"),
  ROW("0x1F", 1, "trailing bytes"),
  ROW("[0x1F]", 2, "expected ',' or ']'"),
  ROW("-0x1f", 2, "trailing bytes"),
  ROW("\"\x80\"", 1, "invalid UTF-8"),
  ROW("\"a\xBF\"", 2, "invalid UTF-8"),
  ROW("\"\xC0\x80\"", 1, "invalid UTF-8"),
  ROW("\"\xC1\xBF\"", 1, "invalid UTF-8"),
  ROW("\"\xE0\x9F\xBF\"", 1, "invalid UTF-8"),
  ROW("\"\xED\xA0\x80\"", 1, "invalid UTF-8"),
  ROW("\"\xED\xBF\xBF\"", 1, "invalid UTF-8"),
  ROW("\"\xF0\x8F\xBF\xBF\"", 1, "invalid UTF-8"),
  ROW("\"\xF4\x90\x80\x80\"", 1, "invalid UTF-8"),
  ROW("\"\xF5\x80\x80\x80\"", 1, "invalid UTF-8"),
  ROW("\"\xFE\"", 1, "invalid UTF-8"),
  ROW("\"\xFF\"", 1, "invalid UTF-8"),
  ROW("\"\xC3\"\"", 1, "invalid UTF-8"),
  ROW("\"\xE2\",\"", 1, "invalid UTF-8"),
  ROW("\"\xE2\x82\"", 1, "invalid UTF-8"),
  ROW("\"\xC3\x01\"", 1, "invalid UTF-8"),
  ROW("\"\xF0\x9F\x98\0\"", 1, "invalid UTF-8"),
  ROW("\"\xC3", 1, "invalid UTF-8"),
  ROW("{\"\xFF\":1}", 2, "invalid UTF-8"),
  /* valid JSON that other parsers read differently */
  ROW("{\"a\":1,\"a\":2}", 7, "duplicate key"),
  ROW("\"\\ud800\"", 1, "lone surrogate"),
  ROW("\"\\udc00\"", 1, "lone surrogate"),
  ROW("\"\\ud800\\ud800\"", 1, "lone surrogate"),
  ROW("\"x\\ud83dx\"", 2, "lone surrogate"),
  ROW("\"\\ud83d\\n\"", 1, "lone surrogate"),
  ROW("\"\\ud83d\\u0041\"", 1, "lone surrogate"),
  ROW("\"\\ud83d\\ue000\"", 1, "lone surrogate"),
  ROW("\"a\\u0000\"", 2, "U+0000 in a string"),
  ROW("{\"\\u0000\":1}", 2, "U+0000 in a string"),
  /* values that the parser does not report at all */
  ROW("{\"\":1}", 1, "empty key"),
  ROW("{\"a\":{\"\":1}}", 6, "empty key"),
  ROW("{\"a.\":1}", 1, "key ends in '.'"),
  ROW("{\".\":1}", 1, "key ends in '.'"),
  ROW("{\"a\\u002e\":1}", 1, "key ends in '.'"),
  /* the parser reads past the end */
  ROW("\"\\", 2, "unexpected end"),
  ROW("{\"a\":\"b\\", 8, "unexpected end"),
};

/* Invalid texts of which the parser accepts the beginning. */
static const struct row prefix_by_frozen[] = {
  ROW("{} x", 3, "trailing bytes"),
  ROW("{}{}", 2, "trailing bytes"),
  ROW("1 2", 2, "trailing bytes"),
  ROW("[1]]", 3, "trailing bytes"),
  ROW("{}\0", 2, "trailing bytes"),
  ROW("nullx", 4, "trailing bytes"),
  ROW("truex", 4, "trailing bytes"),
  ROW("{}//comment", 2, "trailing bytes"),
};

/* Invalid texts that the parser refuses, too. */
static const struct row refused_by_frozen[] = {
  ROW("1.", 2, "unexpected end"),
  ROW("[1.]", 3, "expected a digit"),
  ROW(".5", 0, "expected a value"),
  ROW("+1", 0, "expected a value"),
  ROW("1e", 2, "unexpected end"),
  ROW("1e+", 3, "unexpected end"),
  ROW("[1e+]", 4, "expected a digit"),
  ROW("--", 1, "expected a digit"),
  ROW("-", 1, "unexpected end"),
  ROW("NaN", 0, "expected a value"),
  ROW("Infinity", 0, "expected a value"),
  ROW("-Infinity", 1, "expected a digit"),
  ROW("\"\x01\"", 1, "control character in a string"),
  ROW("\"a\tb\"", 2, "control character in a string"),
  ROW("\"a\nb\"", 2, "control character in a string"),
  ROW("\"\0\"", 1, "control character in a string"),
  ROW("\"\\x41\"", 2, "invalid escape"),
  ROW("\"\\'\"", 2, "invalid escape"),
  ROW("\"\\v\"", 2, "invalid escape"),
  ROW("\"\\U0041\"", 2, "invalid escape"),
  ROW("\"\\u004\"", 6, "invalid escape"),
  ROW("\"\\u00g1\"", 5, "invalid escape"),
  ROW("\"\\u00", 5, "unexpected end"),
  ROW("\"\\ud83d\\u00", 11, "unexpected end"),
  ROW("'a'", 0, "expected a value"),
  ROW("[,]", 1, "expected a value"),
  ROW("[,1]", 1, "expected a value"),
  ROW("[1,,2]", 3, "expected a value"),
  ROW("{,}", 1, "expected a key"),
  ROW("\xEF\xBB\xBF{}", 0, "expected a value"),
  ROW("[/*x*/]", 1, "expected a value"),
  ROW("{}\f", 2, "trailing bytes"),
  ROW("[\f1]", 1, "expected a value"),
  ROW("[1\v]", 2, "expected ',' or ']'"),
  ROW("{1:2}", 1, "expected a key"),
  ROW("{\"a\" 1}", 5, "expected ':'"),
  ROW("{\"a\"}", 4, "expected ':'"),
  ROW("{\"a\":}", 5, "expected a value"),
  ROW("{\"a\":,\"b\":1}", 5, "expected a value"),
  ROW("{", 1, "unexpected end"),
  ROW("[", 1, "unexpected end"),
  ROW("{\"a\"", 4, "unexpected end"),
  ROW("{\"a\":", 5, "unexpected end"),
  ROW("{\"a\":1", 6, "unexpected end"),
  ROW("{\"a\":1,", 7, "unexpected end"),
  ROW("[1", 2, "unexpected end"),
  ROW("[1,", 3, "unexpected end"),
  ROW("\"abc", 4, "unexpected end"),
  ROW("[1}", 2, "expected ',' or ']'"),
  ROW("{\"a\":1]", 6, "expected ',' or '}'"),
  ROW("]", 0, "expected a value"),
  ROW("}", 0, "expected a value"),
  ROW("True", 0, "expected a value"),
  ROW("tru", 3, "unexpected end"),
  ROW("trux", 3, "expected a value"),
  ROW("nul", 3, "unexpected end"),
  ROW("fals\0", 4, "expected a value"),
  ROW("", 0, "empty document"),
  ROW(" \r\n\t", 4, "empty document"),
};

static const struct row good[] = {
  GOOD("{}"), GOOD("[]"), GOOD("null"), GOOD("true"), GOOD("false"), GOOD("0"), GOOD("-0"), GOOD("\"\""),
  GOOD(" \t\r\n{ \"a\" : [ 1 , 2.5 , -3e+7 , 0.1E-2 , 1e0 ] , \"b\" : { } } \n"),
  GOOD("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\ud83d\\ude00\\uFFFF\""),
  GOOD("\"\xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xEF\xBF\xBF \xF0\x90\x80\x80 \xF4\x8F\xBF\xBF\""),
  GOOD("\"\x7F\""),
  GOOD("[[],[[]],{\"a\":[{}]}]"),
  GOOD("{\"a\":{\"a\":{\"a\":1}},\"A\":[{\"a\":1},{\"a\":1}]}"), /* the same key in different objects */
  GOOD("{\"a\":1,\"ab\":2,\"abc\":3,\"b\":4,\"aa\":5,\"\\u00e9\":6,\"e\":7}"),
  GOOD("{\"a.b\":1,\".a\":2,\"a[0]\":3,\" \":4}"),
  GOOD("1234567890123456789012345678901234567890123456789012345678901234"),
};

static const struct row keys[] = {
  ROW("{\"a\":1,\"\\u0061\":2}", 7, "duplicate key"),
  ROW("{\"\\u0061\":1,\"a\":2}", 12, "duplicate key"),
  ROW("{\"\xC3\xA9\":1,\"\\u00E9\":2}", 8, "duplicate key"),
  ROW("{\"\\ud83d\\ude00\":1,\"\xF0\x9F\x98\x80\":2}", 18, "duplicate key"),
  ROW("{\"/\":1,\"\\/\":2}", 7, "duplicate key"),
  ROW("{\"a\":1,\"b\":2,\"c\":3,\"b\":{}}", 19, "duplicate key"),
  ROW("[{\"x\":{\"a\":1,\"b\":[{}],\"a\":2}}]", 22, "duplicate key"),
  ROW("12345678901234567890123456789012345678901234567890123456789012345", 0, "number too long"),
  ROW("[1, 0.000000000000000000000000000000000000000000000000000000000000000]", 4, "number too long"),
};

/* Copies the text to the end of a block, so that a sanitizer detects every read past it. */
static bool gate(const char *text, size_t n, size_t max_depth, svc_json_fault *fault)
{
  char *copy = malloc(n + (n == 0));
  svc_arena a;
  bool passed;
  munit_assert_not_null(copy);
  if (n) memcpy(copy, text, n);
  svc_arena_init(&a, NULL);
  fault->at = 999999999;
  fault->what = "not set";
  passed = svc_json_gate(&a, (svc_str){ copy, n }, max_depth, fault);
  munit_assert_false(a.failed);
  svc_blocks_free(a.blocks);
  free(copy);
  return passed;
}

static void check_rows(const struct row *rows, size_t n)
{
  size_t i;
  for (i = 0; i < n; i++) {
    svc_json_fault fault;
    bool passed = gate(rows[i].text, rows[i].n, 32, &fault);
    if (passed != !rows[i].what || (!passed && (strcmp(fault.what, rows[i].what) != 0 || fault.at != rows[i].at))) {
      munit_errorf("row %zu: %s: %s at %zu", i, rows[i].text, passed ? "passed" : fault.what, fault.at);
    }
  }
}

#define CHECK(rows) check_rows(rows, sizeof rows / sizeof rows[0])

TEST(json_gate, accepted_by_frozen)
{
  CHECK(accepted_by_frozen);
}

TEST(json_gate, prefix_by_frozen)
{
  CHECK(prefix_by_frozen);
}

TEST(json_gate, refused_by_frozen)
{
  CHECK(refused_by_frozen);
}

TEST(json_gate, good)
{
  CHECK(good);
}

TEST(json_gate, keys)
{
  CHECK(keys);
}

/* Each beginning of a valid text is refused, and nothing past its end is read. */
TEST(json_gate, cut)
{
  static const char text[] =
    "{\"k\\u00e9y\":[1.5e-3,true,false,null,\"\xF0\x9F\x98\x80\\ud83d\\ude00\"],\"o\":{\"x\":-10}}";
  size_t n;
  svc_json_fault fault;
  for (n = 0; n < sizeof text - 1; n++) {
    munit_assert_false(gate(text, n, 32, &fault));
    munit_assert_size(fault.at, <=, n);
  }
  munit_assert_true(gate(text, n, 32, &fault));
}

static char *brackets(size_t n, bool closed)
{
  char *text = malloc(2 * n + 1);
  munit_assert_not_null(text);
  memset(text, '[', n);
  memset(text + n, ']', n);
  text[closed ? 2 * n : n] = 0;
  return text;
}

TEST(json_gate, depth)
{
  char *text = brackets(600, true), *open = brackets(1000000, false), *objects;
  svc_json_fault fault;
  size_t i;
  munit_assert_true(gate(text + 600 - 32, 64, 32, &fault));
  munit_assert_false(gate(text + 600 - 33, 66, 32, &fault));
  munit_assert_string_equal(fault.what, "nesting too deep");
  munit_assert_size(fault.at, ==, 32);
  munit_assert_true(gate("1", 1, 0, &fault));
  munit_assert_false(gate("[]", 2, 0, &fault));
  /* a million brackets: refused at the limit; without a usable limit the path becomes too long first */
  munit_assert_false(gate(open, 1000000, 32, &fault));
  munit_assert_size(fault.at, ==, 32);
  munit_assert_false(gate(open, 1000000, SIZE_MAX, &fault));
  munit_assert_string_equal(fault.what, "path too long");
  objects = malloc(5 * 200000);
  munit_assert_not_null(objects);
  for (i = 0; i < 200000; i++) memcpy(objects + 5 * i, "{\"a\":", 5);
  munit_assert_false(gate(objects, 5 * 200000, 32, &fault));
  munit_assert_string_equal(fault.what, "nesting too deep");
  munit_assert_size(fault.at, ==, 32 * 5);
  free(objects);
  free(open);
  free(text);
}

/* frozen's path: "." before the keys of an object, the key as written, "[index]" for an element. */
TEST(json_gate, path)
{
  char key[300], text[700];
  svc_json_fault fault;
  memset(key, 'k', sizeof key);
#define PATH_IS(passes, ...)                                                \
  do {                                                                      \
    int n_ = snprintf(text, sizeof text, __VA_ARGS__);                      \
    bool passed_ = gate(text, (size_t)n_, 512, &fault);                     \
    munit_assert_int(passed_, ==, passes);                                  \
    if (!passed_) munit_assert_string_equal(fault.what, "path too long");   \
  } while (0)
  PATH_IS(true, "{\"%.254s\":1}", key);
  PATH_IS(false, "{\"%.255s\":1}", key);
  munit_assert_size(fault.at, ==, 1);
  PATH_IS(true, "{\"%.248s\\u0061\":1}", key);
  PATH_IS(false, "{\"%.249s\\u0061\":1}", key);
  PATH_IS(true, "{\"%.253s\":{}}", key);
  PATH_IS(false, "{\"%.254s\":{}}", key);
  PATH_IS(true, "{\"%.252s\":{\"a\":1}}", key);
  PATH_IS(false, "{\"%.253s\":{\"a\":1}}", key);
  PATH_IS(true, "{\"%.254s\":[]}", key);
  PATH_IS(true, "{\"%.251s\":[1,2,3,4,5,6,7,8,9,10]}", key);
  PATH_IS(false, "{\"%.252s\":[1]}", key);
  PATH_IS(false, "{\"%.251s\":[1,2,3,4,5,6,7,8,9,10,11]}", key);
  PATH_IS(true, "{\"%.200s\":[[[{\"%.44s\":1}]]],\"%.254s\":2}", key, key, key);
  PATH_IS(false, "{\"%.200s\":[[[{\"%.45s\":1}]]]}", key, key);
#undef PATH_IS
}

/* Keys with long common beginnings, ascending, descending or random: none may take long. */
TEST(json_gate, many_keys)
{
  enum { N = 100000 };
  char *text = malloc((size_t)N * 40);
  int kind;
  munit_assert_not_null(text);
  for (kind = 0; kind < 4; kind++) {
    size_t n = 0;
    unsigned i, random = 1;
    clock_t start;
    svc_json_fault fault;
    text[n++] = '{';
    for (i = 0; i < N; i++) {
      random = random * 1664525u + 1013904223u; /* full period: no value repeats */
      n += (size_t)sprintf(text + n, "\"%s%u\":1,", kind == 3 ? "aaaaaaaaaaaaaaaa" : "",
                           kind == 0 ? i : kind == 1 ? N - i : random);
    }
    start = clock();
    text[n - 1] = '}';
    munit_assert_true(gate(text, n, 32, &fault));
    n += (size_t)sprintf(text + n - 1, ",\"%s%u\":1}", kind == 3 ? "aaaaaaaaaaaaaaaa" : "",
                         kind == 0 ? 7 : kind == 1 ? N - 7 : random) - 1;
    munit_assert_false(gate(text, n, 32, &fault));
    munit_assert_string_equal(fault.what, "duplicate key");
    munit_assert_double((double)(clock() - start) / CLOCKS_PER_SEC, <, 2.0); /* both calls, under sanitizers */
  }
  free(text);
}

/* Random keys from small alphabets, compared with a simple check of all pairs. */
TEST(json_gate, random_keys)
{
  unsigned round, random = 7;
  for (round = 0; round < 3000; round++) {
    char names[12][4], text[200];
    size_t n = 0, i, j, count = round % 12 + 1;
    bool twice = false;
    svc_json_fault fault;
    for (i = 0; i < count; i++) {
      size_t length = 1 + (random = random * 1664525u + 1013904223u) / 65536 % 3;
      for (j = 0; j < length; j++) names[i][j] = "abq"[(random = random * 1664525u + 1013904223u) / 65536 % 3];
      names[i][length] = 0;
      for (j = 0; j < i; j++) twice = twice || !strcmp(names[i], names[j]);
      n += (size_t)sprintf(text + n, "%c\"%s\":%u", i ? ',' : '{', names[i], (unsigned)i);
    }
    text[n++] = '}';
    munit_assert_int(gate(text, n, 32, &fault), ==, !twice);
  }
}

struct counting {
  long left; /* allocations before one fails */
};

static void *counting_resize(void *context, void *p, size_t size)
{
  struct counting *c = context;
  if (size == 0) {
    free(p);
    return NULL;
  }
  return c->left-- > 0 ? realloc(p, size) : NULL;
}

/* Makes each allocation fail in turn, with escaped keys: the gate refuses the text and reports missing memory. */
TEST(json_gate, no_memory)
{
  char text[60000];
  size_t n = 0;
  long fail, passed = -1;
  unsigned i;
  text[n++] = '{';
  for (i = 0; i < 1500; i++) n += (size_t)sprintf(text + n, "\"k\\u0061ey%u\":{\"a\":1},", i);
  text[n - 1] = '}';
  for (fail = 0; passed < 0; fail++) {
    struct counting count = { fail };
    svc_allocator allocator = { counting_resize, &count };
    svc_arena a;
    svc_json_fault fault = { 0, NULL };
    svc_arena_init(&a, &allocator);
    if (svc_json_gate(&a, (svc_str){ text, n }, 32, &fault)) {
      passed = fail;
      munit_assert_false(a.failed);
    } else {
      munit_assert_true(a.failed);
      munit_assert_string_equal(fault.what, "out of memory");
    }
    svc_blocks_free(a.blocks);
  }
  munit_assert_long(passed, >, 3);
}

/* JSON trees: built by hand or parsed by frozen through its port; written, compared, copied, and without memory. */
#include "catalog/catalog.h"
#include "test.h"

#include <time.h>

static svc_node *parse(svc_arena *a, const char *text)
{
  svc_json_fault fault = { 0, "" };
  svc_node *node;
  if (!svc_json_gate(a, svc_str_c(text), 512, &fault)) munit_errorf("%s: %s at %zu", text, fault.what, fault.at);
  node = svc_json_parse(a, svc_str_c(text));
  if (!node) munit_errorf("not parsed: %s", text);
  return node;
}

static void written(svc_arena *a, const svc_node *node, const char *want)
{
  svc_buf b = svc_buf_new(a, 0);
  svc_str got;
  svc_node_write(&b, node);
  got = svc_buf_done(&b);
  if (!svc_str_is(got, want)) munit_errorf("got %s, want %s", got.p, want);
}

/* Compact, sorted text is written back unchanged; other text is written in that form. */
TEST_ARENA(json_node, round_trip)
{
  static const char *const rows[][2] = {
    { "null", NULL }, { "true", NULL }, { "false", NULL }, { "0", NULL }, { "-1.50e+3", NULL }, { "\"\"", NULL },
    { "\"x\"", NULL }, { "{}", NULL }, { "[]", NULL }, { "[[],{},[[]],[{}]]", NULL }, { "{\"a\":{},\"b\":[]}", NULL },
    { "[1,\"2\",true,false,null]", NULL },
    { "{\"a\":[{\"b\":[{\"c\":[1,2,{\"d\":null}]}]},3],\"e\":\"f\"}", NULL },
    { "[0,1,2,3,4,5,6,7,8,9,10,[11],{\"12\":12}]", NULL },
    { "{\"a.b\":1,\"a[0]\":2,\"true\":3}", NULL },
    { " { \"b\" : 1 , \"a\" : [ 1 , 2 ] } ", "{\"a\":[1,2],\"b\":1}" },
    { "{\"ab\":1,\"a\":2,\"\xC3\xA9\":3,\"b\":4,\"B\":5}", "{\"B\":5,\"a\":2,\"ab\":1,\"b\":4,\"\xC3\xA9\":3}" },
    { "{\"c\":{\"z\":1,\"y\":2},\"b\":[{\"q\":1,\"p\":2}],\"a\":0}",
      "{\"a\":0,\"b\":[{\"p\":2,\"q\":1}],\"c\":{\"y\":2,\"z\":1}}" },
    { "\"\\u00e9\\ud83d\\ude00\\/\\u001f\"", "\"\xC3\xA9\xF0\x9F\x98\x80/\\u001f\"" },
    { "{\"\\u0061\\n\":\"\\\"\"}", "{\"a\\n\":\"\\\"\"}" },
  };
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const char *want = rows[i][1] ? rows[i][1] : rows[i][0];
    svc_node *node = parse(a, rows[i][0]);
    written(a, node, want);
    written(a, svc_node_copy(a, node), want);
    munit_assert_true(svc_node_same(node, parse(a, want)));
  }
}

/* The longest paths that the gate accepts are parsed completely; beyond these, frozen would lose values. */
TEST_ARENA(json_node, longest_path)
{
  char text[1100];
  size_t n = 0, depth;
  svc_json_fault fault;
  n += (size_t)sprintf(text + n, "{\"%0254d\":[],\"%0249d\":[{\"a\":1}],\"c\":2}", 2, 1);
  munit_assert_size(svc_node_count(parse(a, text)), ==, 3);
  written(a, parse(a, text), text);
  for (depth = 1; depth <= 86; depth++) {
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    text[2 * depth] = 0;
    written(a, parse(a, text), text);
  }
  for (n = 0, depth = 0; depth < 127; depth++) n += (size_t)sprintf(text + n, "{\"a\":");
  n += (size_t)sprintf(text + n, "{}");
  memset(text + n, '}', depth);
  text[n + depth] = 0;
  written(a, parse(a, text), text);
  /* longer paths, without the gate: parsing returns no tree, because frozen would lose values */
  sprintf(text, "{\"%0250d\":[{\"a\":1}]}", 1);
  munit_assert_null(svc_json_parse(a, svc_str_c(text)));
  sprintf(text, "{\"%0254d\":{\"a\":1}}", 1);
  munit_assert_null(svc_json_parse(a, svc_str_c(text)));
  sprintf(text, "{\"%0250d\":{\"ab.x\":1,\"b\":2}}", 1);
  munit_assert_null(svc_json_parse(a, svc_str_c(text)));
  munit_assert_null(svc_json_parse(a, SVC_S("{\"a.\":1}")));
  memset(text, '[', sizeof text); /* great depth causes no crash */
  munit_assert_null(svc_json_parse(a, (svc_str){ text, sizeof text }));
  munit_assert_false(svc_json_gate(a, SVC_S("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
                                            "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["), 512, &fault));
}

TEST_ARENA(json_node, parse_refuses)
{
  static const char *const rows[] = { "", " ", "{", "[1", "{}x", "1 2", "[1]]", "{\"a\":}", "\"abc", "nul", "{}\v" };
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (svc_json_parse(a, svc_str_c(rows[i]))) munit_errorf("parsed: %s", rows[i]);
  }
}

TEST_ARENA(json_node, get)
{
  svc_node *o = parse(a, "{\"s\":\"text\",\"i\":-7,\"f\":1.5,\"b\":true,\"n\":null,"
                         "\"big\":1e30,\"o\":{},\"l\":[1,2,3]}");
  munit_assert_true(svc_str_is(svc_node_str(o, "s"), "text"));
  munit_assert_size(svc_node_str(o, "i").n, ==, 0);
  munit_assert_size(svc_node_str(o, "none").n, ==, 0);
  munit_assert_int64(svc_node_i64(o, "i", 3), ==, -7);
  munit_assert_int64(svc_node_i64(o, "f", 3), ==, 3);
  munit_assert_int64(svc_node_i64(o, "big", 3), ==, 3);
  munit_assert_int64(svc_node_i64(o, "s", 3), ==, 3);
  munit_assert_true(svc_node_bool(o, "b", false));
  munit_assert_true(svc_node_bool(o, "n", true));
  munit_assert_false(svc_node_bool(o, "none", false));
  munit_assert_int(svc_node_get(o, "n")->type, ==, SVC_J_NULL);
  munit_assert_null(svc_node_get(o, "none"));
  munit_assert_null(svc_node_get(svc_node_get(o, "l"), "0"));
  munit_assert_null(svc_node_get(NULL, "a"));
  munit_assert_ptr_equal(svc_node_find(o, SVC_S("o")), svc_node_get(o, "o"));
  munit_assert_size(svc_node_count(o), ==, 8);
  munit_assert_size(svc_node_count(svc_node_get(o, "l")), ==, 3);
  munit_assert_size(svc_node_count(svc_node_get(o, "o")), ==, 0);
  munit_assert_size(svc_node_count(NULL), ==, 0);
}

TEST_ARENA(json_node, put)
{
  svc_node *o = svc_node_new(a, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  char buffer[8] = "value";
  svc_node_set_str(a, o, "m", svc_str_c(buffer));
  memset(buffer, '#', sizeof buffer); /* the value was copied */
  svc_node_set_i64(a, o, "a", INT64_MIN);
  svc_node_set_bool(a, o, "z", true);
  svc_node_set_i64(a, o, "mm", 5);
  written(a, o, "{\"a\":-9223372036854775808,\"m\":\"value\",\"mm\":5,\"z\":true}");
  svc_node_set_bool(a, o, "a", false); /* replaces the first, a middle and the last member */
  svc_node_set_str(a, o, "m", SVC_S(""));
  svc_node_set_i64(a, o, "z", 1);
  written(a, o, "{\"a\":false,\"m\":\"\",\"mm\":5,\"z\":1}");
  svc_node_set_i64(a, o, "zz", 2); /* the end of the list is still correct */
  svc_node_drop(o, "none");
  svc_node_drop(o, "a");
  svc_node_drop(o, "mm");
  svc_node_drop(o, "zz");
  written(a, o, "{\"m\":\"\",\"z\":1}");
  svc_node_set_i64(a, o, "y", 0);
  svc_node_drop(o, "z");
  svc_node_set_i64(a, o, "x", 0);
  written(a, o, "{\"m\":\"\",\"x\":0,\"y\":0}");
  svc_node_drop(o, "m");
  svc_node_drop(o, "x");
  svc_node_drop(o, "y");
  munit_assert_null(o->first);
  munit_assert_null(o->last);
  svc_node_set_bool(a, o, "b", true);
  written(a, o, "{\"b\":true}");
}

TEST_ARENA(json_node, same)
{
  static const struct {
    const char *a, *b;
    bool same;
  } rows[] = {
    { "1", "1.0", true }, { "10e-1", "1", true }, { "0.1", "1e-1", true }, { "0", "-0", true }, { "1", "2", false },
    { "9007199254740993", "9007199254740992", false }, { "1.5", "1", false }, { "1e400", "1e400", true },
    { "1e400", "1e401", false }, { "1", "\"1\"", false }, { "true", "false", false }, { "null", "null", true },
    { "null", "false", false }, { "\"a\"", "\"\\u0061\"", true }, { "\"a\"", "\"b\"", false },
    { "{}", "[]", false }, { "[1,2]", "[1,2]", true }, { "[1,2]", "[2,1]", false }, { "[1]", "[1,1]", false },
    { "{\"a\":1,\"b\":[{\"c\":2,\"d\":3}]}", "{\"b\":[{\"d\":3,\"c\":2.0}],\"a\":1}", true },
    { "{\"a\":1}", "{\"b\":1}", false }, { "{\"a\":1}", "{\"a\":1,\"b\":1}", false },
    { "{\"a\":{\"x\":1},\"b\":1}", "{\"a\":{\"x\":2},\"b\":1}", false }, { "[[1],[2]]", "[[1],[3]]", false },
    { "[[],1]", "[[],2]", false },
  };
  svc_node *x, *y;
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    x = parse(a, rows[i].a);
    y = parse(a, rows[i].b);
    if (svc_node_same(x, y) != rows[i].same || svc_node_same(y, x) != rows[i].same) {
      munit_errorf("%s, %s: should be %d", rows[i].a, rows[i].b, rows[i].same);
    }
    munit_assert_true(svc_node_same(x, x));
  }
  munit_assert_true(svc_node_same(NULL, NULL));
  munit_assert_false(svc_node_same(x, NULL));
  /* also for members that are not sorted, because they were appended */
  x = svc_node_new(a, SVC_J_OBJECT, SVC_S(""), SVC_S(""));
  svc_node_append(x, svc_node_new(a, SVC_J_NUMBER, SVC_S("b"), SVC_S("2")));
  svc_node_append(x, svc_node_new(a, SVC_J_NUMBER, SVC_S("a"), SVC_S("1")));
  munit_assert_true(svc_node_same(x, parse(a, "{\"a\":1,\"b\":2}")));
  munit_assert_false(svc_node_same(x, parse(a, "{\"a\":1,\"c\":2}")));
}

/* 50 000 members in random order are sorted, compared and copied quickly. */
TEST_ARENA(json_node, large)
{
  enum { N = 50000 };
  char *text[2] = { malloc(N * 20), malloc(N * 20) };
  svc_node *node[2], *at;
  unsigned i, k;
  clock_t start;
  for (k = 0; k < 2; k++) {
    size_t n = 0;
    munit_assert_not_null(text[k]);
    for (i = 0; i < N; i++) {
      unsigned value = k ? N - 1 - i : i;
      n += (size_t)sprintf(text[k] + n, "%c\"%u\":%u", i ? ',' : '{', value * 2654435761u, value);
    }
    strcpy(text[k] + n, "}");
  }
  start = clock();
  for (k = 0; k < 2; k++) node[k] = parse(a, text[k]);
  munit_assert_size(svc_node_count(node[0]), ==, N);
  for (at = node[0]->first; at->next; at = at->next) munit_assert_true(strncmp(at->name.p, at->next->name.p, 10) < 0);
  munit_assert_ptr_equal(node[0]->last, at);
  munit_assert_true(svc_node_same(node[0], node[1]));
  munit_assert_true(svc_node_same(node[0], svc_node_copy(a, node[1])));
  munit_assert_double((double)(clock() - start) / CLOCKS_PER_SEC, <, 3.0); /* under sanitizers */
  free(text[0]);
  free(text[1]);
}

/* A tree beyond the depth limit is refused without a crash. */
TEST_ARENA(json_node, too_deep)
{
  svc_node *root = svc_node_new(a, SVC_J_ARRAY, SVC_S(""), SVC_S("")), *at = root;
  svc_buf b = svc_buf_new(a, 0);
  int i;
  for (i = 0; i < 100000; i++) {
    svc_node *child = svc_node_new(a, SVC_J_ARRAY, SVC_S(""), SVC_S(""));
    svc_node_append(at, child);
    at = child;
  }
  svc_node_write(&b, root);
  munit_assert_true(b.failed);
  munit_assert_null(svc_node_copy(a, root));
  munit_assert_false(svc_node_same(root, root));
}

static void *counting_resize(void *context, void *p, size_t size)
{
  long *left = context;
  if (size == 0) {
    free(p);
    return NULL;
  }
  return (*left)-- > 0 ? realloc(p, size) : NULL;
}

/* Makes each allocation fail in turn: no tree and no text, the arena is marked as failed, and nothing crashes. */
TEST(json_node, no_memory)
{
  char text[30000];
  size_t n = 0;
  long fail, passed = -1;
  unsigned i;
  for (i = 0; i < 500; i++) n += (size_t)sprintf(text + n, "%c\"k\\n%u\":[{\"v\":\"\\u00e9\"},1]", i ? ',' : '{', i);
  text[n++] = '}';
  for (fail = 0; passed < 0; fail++) {
    long left = fail;
    svc_allocator allocator = { counting_resize, &left };
    svc_arena a;
    svc_node *node, *copy;
    svc_buf b;
    svc_str out;
    svc_arena_init(&a, &allocator);
    node = svc_json_parse(&a, (svc_str){ text, n });
    copy = node ? svc_node_copy(&a, node) : NULL;
    if (copy) {
      svc_node_set_str(&a, copy, "s", SVC_S("t"));
      svc_node_set_i64(&a, copy, "i", 1);
      svc_node_set_bool(&a, copy, "b", true);
    }
    b = svc_buf_new(&a, 0);
    svc_node_write(&b, copy);
    out = svc_buf_done(&b);
    if (copy && !a.failed) {
      passed = fail;
      munit_assert_size(out.n, >, 10000);
    } else if (!copy) {
      munit_assert_true(a.failed);
      munit_assert_size(out.n, ==, 0);
    }
    svc_blocks_free(a.blocks);
  }
  munit_assert_long(passed, >, 5);
}

/* Missing nodes and nodes of another type are empty. */
TEST_ARENA(json_node, nothing)
{
  svc_node *array = svc_json_parse(a, SVC_S("[1,\"a\",{\"b\":2}]")), *object = svc_json_parse(a, SVC_S("{\"a\":1}"));
  munit_assert_not_null(array);
  munit_assert_not_null(object);
  svc_node_append(NULL, object);
  svc_node_append(array, NULL);
  munit_assert_size(svc_node_count(array), ==, 3);
  svc_node_drop(NULL, "a");
  svc_node_drop(array, "b");
  svc_node_drop(object, "b");
  munit_assert_size(svc_node_count(array), ==, 3);
  munit_assert_size(svc_node_count(object), ==, 1);
  munit_assert_false(svc_node_has_str(NULL, SVC_S("a")));
  munit_assert_true(svc_node_has_str(array, SVC_S("a")));
  munit_assert_false(svc_node_has_str(array, SVC_S("1"))); /* 1 is a number */
  munit_assert_true(svc_node_same(svc_json_parse(a, SVC_S("1e999")), svc_json_parse(a, SVC_S("1e999"))));
  munit_assert_false(svc_node_same(svc_json_parse(a, SVC_S("1e999")), svc_json_parse(a, SVC_S("2e999"))));
  munit_assert_false(svc_node_same(svc_json_parse(a, SVC_S("1.5")), svc_json_parse(a, SVC_S("2e999"))));
  munit_assert_true(svc_node_same(svc_json_parse(a, SVC_S("1.5")), svc_json_parse(a, SVC_S("15e-1"))));
  munit_assert_false(svc_node_same(svc_json_parse(a, SVC_S("1.5")), svc_json_parse(a, SVC_S("2.5"))));
}

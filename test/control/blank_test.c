/*
** The journal's copy of an answer is the same whether it is made in one pass or from a parsed tree.
*/
#include "control/control.h"
#include "world.h"

typedef struct blank_counts {
  int copied, refused;
} blank_counts;

/* Copies one answer both ways. Returns false if the one-pass copy was refused, in which case only the tree applies. */
static bool blank_both(const svc *s, svc_str text, svc_str *out, svc_arena *a)
{
  svc_buf copy = svc_buf_new(a, 64), tree = svc_buf_new(a, 64);
  bool copied, shown;
  svc_buf_text(&copy, "before");
  copied = svc_blank_copy(&copy, s, text);
  shown = svc_blank_tree(&tree, s, text);
  *out = shown ? svc_buf_done(&tree) : SVC_S("");
  if (!copied) {
    munit_assert_size(copy.n, ==, 6); /* nothing of the attempt remains */
    return false;
  }
  munit_assert_true(shown);
  munit_assert_memory_equal(6, svc_buf_done(&copy).p, "before");
  if (!svc_str_is(*out, copy.p + 6)) munit_errorf(SVC_FMT "\nas a tree: " SVC_FMT "\nas a copy: %s", SVC_ARG(text), SVC_ARG(*out), copy.p + 6);
  return true;
}

static void blank_answer(t_world *w, const svc_plan *plan, blank_counts *counts)
{
  const char *type = t_get_header(&w->t, "Content-Type");
  svc_arena arena;
  svc_str out;
  if (!w->t.response.body_length || !strstr(type, "json") || !strchr("{[", w->t.response.body[0])) return;
  svc_arena_init(&arena, NULL);
  if (blank_both(w->t.s, (svc_str){ w->t.response.body, w->t.response.body_length }, &out, &arena)) counts->copied++;
  else counts->refused++;
  if (!out.n) t_complain(plan, "an answer that the journal cannot show: %.300s", w->t.response.body);
  svc_blocks_free(arena.blocks);
}

/* Compares the copies of the route's answer, of its answers with the query parameters "envelope" and "pretty", and of an error. */
static void blank_route(t_world *w, const svc_plan *plan, blank_counts *plain, blank_counts *pretty)
{
  char path[600];
  char mark = strchr(w->path, '?') ? '&' : '?';
  t_world_send(w, plan);
  blank_answer(w, plan, plain);
  snprintf(path, sizeof path, "%s%cnosuch=1", w->path, mark);
  t_send(&w->t, t_method(plan), path, w->has_body ? w->body : NULL);
  blank_answer(w, plan, plain);
  if (plan->route->method != SVC_GET) return;
  snprintf(path, sizeof path, "%s%cenvelope=true", w->path, mark);
  t_send(&w->t, "GET", path, NULL);
  blank_answer(w, plan, plain);
  snprintf(path, sizeof path, "%s%cpretty=true", w->path, mark);
  t_send(&w->t, "GET", path, NULL);
  blank_answer(w, plan, pretty);
}

TEST(blank, every_answer)
{
  static t_world w;
  blank_counts plain = { 0, 0 }, pretty = { 0, 0 };
  size_t i, count = 1;
  for (i = 0; i < count; i++) {
    const svc_plan *plan;
    t_world_open(&w);
    count = w.t.s->plan_count;
    plan = &w.t.s->plans[i];
    if (!(plan->route->flags & SVC_ABSOLUTE) && !t_world_elsewhere(plan) && !t_ended(&w.t, plan) && t_world_ready(&w, plan))
      blank_route(&w, plan, &plain, &pretty);
    t_world_close(&w);
  }
  t_complaints_end();
  munit_assert_int(plain.copied, >, 800);
  munit_assert_int(plain.refused, ==, 0); /* our own answers are copied in one pass */
  munit_assert_int(pretty.refused, >, 100);
}

/* Texts of all kinds: what the journal shows of them, and whether one pass is enough. */
TEST(blank, texts)
{
  static const struct {
    const char *text, *shown;
    bool copied;
  } rows[] = {
    { "{}", "{}", true },
    { "[]", "[]", true },
    { "[{},[],\"a\",1,-2.5e+7,true,false,null]", "[{},[],\"a\",1,-2.5e+7,true,false,null]", true },
    { "{\"links\":[]}", "{}", true },
    { "{\"links\":[{\"href\":\"a\\\"}\",\"rel\":\"\\\\\"}],\"name\":\"n\"}", "{\"name\":\"n\"}", true },
    { "{\"a\":1,\"links\":[],\"name\":\"n\"}", "{\"a\":1,\"name\":\"n\"}", true },
    { "{\"a\":1,\"links\":[]}", "{\"a\":1}", true },
    { "{\"a\":1,\"links\":\"x\"}", "{\"a\":1}", true },
    { "{\"a\":[{\"links\":[],\"x\":{\"links\":{}}}],\"links\":[]}", "{\"a\":[{\"x\":{}}]}", true },
    { "{\"myPassword\":\"x\",\"n\":\"y\"}", "{\"myPassword\":\"***\",\"n\":\"y\"}", true },
    { "{\"PRIVATE_KEY\":\"x\\\\\"}", "{\"PRIVATE_KEY\":\"***\"}", true },
    { "{\"apiKey\":\"\",\"pass\":\"x\",\"tokenCount\":5}", "{\"apiKey\":\"***\",\"pass\":\"x\",\"tokenCount\":5}", true },
    { "{\"secrets\":[{\"id\":\"i\",\"secret\":\"x\"},\"y\"]}", "{\"secrets\":[{\"id\":\"i\",\"secret\":\"***\"},\"y\"]}", true },
    { "{\"text\":\"a\\u00e9\\/\\n\\\"\\\\\"}", "{\"text\":\"a\xC3\xA9/\\n\\\"\\\\\"}", true },
    { "{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}", false },
    { "{\"b\":1,\"links\":[],\"a\":2}", "{\"a\":2,\"b\":1}", false },
    { "{ \"a\":1}", "{\"a\":1}", false },
    { "{\"a\": 1}", "{\"a\":1}", false },
    { "{\"a\":1 }", "{\"a\":1}", false },
    { "{\"a\":1}\n", "{\"a\":1}", false },
    { "[1, 2]", "[1,2]", false },
    { "[1 ]", "[1]", false },
    { "{\"p\\u0061ssword\":\"x\"}", "{\"password\":\"***\"}", false },
    { "{\"a.\":1}", "", false },
    { "{\"\":1}", "", false },
    { "5", "", false },
    { "\"a\"", "", false },
  };
  t_service t;
  svc_arena arena;
  size_t i;
  t_open(&t, NULL);
  svc_arena_init(&arena, NULL);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    svc_str out;
    bool copied = blank_both(t.s, svc_str_c(rows[i].text), &out, &arena);
    if (!svc_str_is(out, rows[i].shown)) munit_errorf("%s: " SVC_FMT, rows[i].text, SVC_ARG(out));
    if (copied != rows[i].copied) munit_errorf("%s: copied: %d", rows[i].text, copied);
  }
  svc_blocks_free(arena.blocks);
  t_close(&t);
}

/* A truncated text is refused, and nothing after its end is read. */
TEST(blank, ends)
{
  static const char text[] = "{\"a\":[1,true,false,null,{\"b\":\"\\\\c\"}],\"links\":[{\"href\":\"\\\"\"}],\"password\":\"p\"}";
  t_service t;
  svc_arena arena;
  size_t n;
  t_open(&t, NULL);
  svc_arena_init(&arena, NULL);
  for (n = 0; n < sizeof text - 1; n++) {
    char *part = malloc(n + 1); /* in a block of its own, so that a sanitizer sees reads past the end */
    svc_buf b = svc_buf_new(&arena, 16);
    memcpy(part, text, n);
    part = realloc(part, n ? n : 1);
    munit_assert_false(svc_blank_copy(&b, t.s, (svc_str){ part, n }));
    munit_assert_size(b.n, ==, 0);
    free(part);
  }
  svc_blocks_free(arena.blocks);
  t_close(&t);
}

/* Depth and length of paths: where the one-pass copy has a limit, the tree is used. */
TEST(blank, depth)
{
  char text[1200];
  svc_arena arena;
  t_service t;
  svc_str out;
  int depth, i;
  t_open(&t, NULL);
  svc_arena_init(&arena, NULL);
  for (depth = 1; depth < 200; depth++) {
    for (i = 0; i < depth; i++) memcpy(text + 5 * i, "{\"a\":", 5);
    text[5 * depth] = '1';
    memset(text + 5 * depth + 1, '}', (size_t)depth);
    munit_assert_int(blank_both(t.s, (svc_str){ text, (size_t)depth * 6 + 1 }, &out, &arena), ==, depth < SVC_BLANK_DEPTH);
  }
  for (depth = 1; depth < 300; depth++) { /* a long name */
    int n = snprintf(text, sizeof text, "{\"");
    memset(text + n, 'x', (size_t)depth);
    snprintf(text + n + depth, sizeof text - (size_t)(n + depth), "\":[{\"links\":[],\"token\":\"t\"}]}");
    blank_both(t.s, svc_str_c(text), &out, &arena);
    if (depth + 10 <= SVC_JSON_MAX_PATH) munit_assert_size(out.n, >, 0); /* ".NAME[0].links" */
    if (depth > SVC_JSON_MAX_PATH) munit_assert_size(out.n, ==, 0);
  }
  svc_blocks_free(arena.blocks);
  t_close(&t);
}

/* A dialect's name for a secret field is hidden like our own name. */
TEST(blank, dialect)
{
  static const char dialect[] = "{\"fields\":{\"password\":\"pw\",\"id\":\"_id\"}}";
  svc_config config = { .dialect = dialect };
  t_service t;
  svc_arena arena;
  svc_str out;
  t_open(&t, &config);
  svc_arena_init(&arena, NULL);
  munit_assert_true(blank_both(t.s, SVC_S("{\"_id\":\"i\",\"links\":[],\"pw\":\"x\"}"), &out, &arena));
  munit_assert_true(svc_str_is(out, "{\"_id\":\"i\",\"pw\":\"***\"}"));
  svc_blocks_free(arena.blocks);
  t_close(&t);
}

/*
** The query: parameters of every request, of every list and of single operations, and errors that name the parameter.
*/
#include "support.h"

static const svc_config quiet = { .limiter_off = 1 };

static void assert_refused(t_service *t, const char *path, const char *name)
{
  int status = t_send(t, "GET", path, NULL);
  if (status != 400) munit_errorf("%s: %d", path, status);
  munit_assert_string_equal(t_error(t), "INVALID_QUERY_PARAMETER");
  munit_assert_size(t_count(t, "parameters"), ==, 2);
  munit_assert_string_equal(t_param(t, 0), name);
  munit_assert_string_not_equal(t_param(t, 1), "");
}

static void assert_why(t_service *t, const char *path, const char *name, const char *why)
{
  char detail[256];
  assert_refused(t, path, name);
  munit_assert_string_equal(t_param(t, 1), why);
  snprintf(detail, sizeof detail, "The query parameter %s is not valid: %s.", name, why);
  munit_assert_string_equal(t_str(t, "detail"), detail);
}

static void assert_taken(t_service *t, const char *path)
{
  int status = t_send(t, "GET", path, NULL);
  if (status != 200) munit_errorf("%s: %d %s", path, status, t->response.body);
}

TEST(query, pages)
{
  static const char *const bad[] = { "0", "-1", "1.5", "1.0", "", "501", "%201", "1%20", "+1", "0x10", "1e2", "one", "99999999999",
                                     "9223372036854775807", "9223372036854775808", "18446744073709551617", "--1", "-", "1,2",
                                     "%D9%A1" };
  t_service t;
  char path[128];
  size_t i;
  t_open(&t, &quiet);
  t_organization(&t, "Acme");
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    snprintf(path, sizeof path, "/orgs?itemsPerPage=%s", bad[i]);
    assert_why(&t, path, "itemsPerPage", "it must be an integer from 1 to 500");
    if (strcmp(bad[i], "501") == 0) continue;
    snprintf(path, sizeof path, "/orgs?pageNum=%s", bad[i]);
    assert_why(&t, path, "pageNum", "it must be an integer from 1 to 2147483647");
  }
  assert_refused(&t, "/orgs?pageNum", "pageNum");
  assert_refused(&t, "/orgs?pageNum=2147483648", "pageNum");
  assert_taken(&t, "/orgs?pageNum=2147483647&itemsPerPage=500");
  munit_assert_size(t_count(&t, "results"), ==, 0);
  assert_taken(&t, "/orgs?pageNum=1&itemsPerPage=1");
  munit_assert_size(t_count(&t, "results"), ==, 1);
  assert_taken(&t, "/orgs?itemsPerPage=500");
  assert_taken(&t, "/orgs?pageNum=0001");
  t_close(&t);
}

TEST(query, max_page)
{
  svc_config small = { .limiter_off = 1, .max_page = 3 }, large = { .limiter_off = 1, .max_page = 1000 };
  t_service t;
  int i;
  char name[16];
  t_open(&t, &small);
  for (i = 0; i < 5; i++) {
    snprintf(name, sizeof name, "o%d", i);
    t_organization(&t, name);
  }
  assert_taken(&t, "/orgs"); /* the default is capped at the maximum */
  munit_assert_size(t_count(&t, "results"), ==, 3);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 5);
  assert_taken(&t, "/orgs?itemsPerPage=3");
  assert_why(&t, "/orgs?itemsPerPage=4", "itemsPerPage", "it must be an integer from 1 to 3");
  t_close(&t);
  t_open(&t, &large);
  assert_taken(&t, "/orgs?itemsPerPage=1000");
  assert_why(&t, "/orgs?itemsPerPage=1001", "itemsPerPage", "it must be an integer from 1 to 1000");
  assert_taken(&t, "/orgs");
  munit_assert_string_equal(t_link(&t, "self"),
                            "http://localhost:8080/api/svc/v2/orgs?includeCount=true&pageNum=1&itemsPerPage=100");
  t_close(&t);
}

TEST(query, booleans)
{
  static const char *const names[] = { "includeCount", "envelope", "pretty" };
  static const char *const bad[] = { "", "TRUE", "True", "1", "0", "yes", "true%20", "%20true", "truefalse", "null" };
  t_service t;
  char path[128];
  size_t i, j;
  t_open(&t, &quiet);
  for (i = 0; i < 3; i++) {
    for (j = 0; j < sizeof bad / sizeof bad[0]; j++) {
      snprintf(path, sizeof path, "/orgs?%s=%s", names[i], bad[j]);
      assert_why(&t, path, names[i], "it must be true or false");
    }
    snprintf(path, sizeof path, "/orgs?%s", names[i]);
    assert_refused(&t, path, names[i]);
    snprintf(path, sizeof path, "/orgs?%s=true", names[i]);
    assert_taken(&t, path);
    snprintf(path, sizeof path, "/orgs?%s=false", names[i]);
    assert_taken(&t, path);
  }
  t_close(&t);
}

TEST(query, unknown)
{
  t_service t;
  char path[256];
  const char *org;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  assert_why(&t, "/orgs?nosuch=1", "nosuch", "this operation has no such parameter");
  assert_refused(&t, "/orgs?PageNum=1", "PageNum");
  assert_refused(&t, "/orgs?pagenum=1", "pagenum");
  assert_refused(&t, "/orgs?=1", "");
  assert_refused(&t, "/orgs?pretty=true&x", "x");
  assert_refused(&t, "/orgs?pretty%20=true", "pretty ");
  assert_refused(&t, "/orgs?a%22b=true", "a\"b");
  assert_refused(&t, "/orgs?%C3%A9=true", "\xC3\xA9");
  assert_refused(&t, "/eventTypes?name=x", "name"); /* a parameter of another operation */
  assert_refused(&t, "/groups?name=x", "name");
  /* parameters of lists are refused elsewhere */
  snprintf(path, sizeof path, "/orgs/%s?pageNum=1", org);
  assert_refused(&t, path, "pageNum");
  snprintf(path, sizeof path, "/orgs/%s?itemsPerPage=1", org);
  assert_refused(&t, path, "itemsPerPage");
  snprintf(path, sizeof path, "/orgs/%s?includeCount=true", org);
  assert_refused(&t, path, "includeCount");
  snprintf(path, sizeof path, "/groups/%s/limits?pageNum=0", t_project(&t, org, "alpha")); /* a plain array has pages, too */
  assert_refused(&t, path, "pageNum");
  assert_refused(&t, "?pageNum=1", "pageNum");
  /* for every method, and before anything is changed */
  munit_assert_int(t_send(&t, "POST", "/orgs?pageNum=1", "{\"name\":\"b\"}"), ==, 400);
  munit_assert_string_equal(t_param(&t, 0), "pageNum");
  munit_assert_int(t_send(&t, "POST", "/orgs?name=b", "{\"name\":\"b\"}"), ==, 400);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s?force=true", org), ==, 400);
  munit_assert_string_equal(t_param(&t, 0), "force");
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  munit_assert_int(t_send(&t, "POST", "/orgs?envelope=true&pretty=true", "{\"name\":\"b\"}"), ==, 201);
  munit_assert_int64(t_int(&t, "status"), ==, 201);
  t_close(&t);
}

TEST(query, repeated)
{
  static const char *const once[] = { "pageNum=1", "itemsPerPage=10", "includeCount=true", "envelope=false", "pretty=true",
                                      "name=A" };
  t_service t;
  char path[4096];
  const char *group;
  size_t i, n;
  t_open(&t, &quiet);
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  for (i = 0; i < sizeof once / sizeof once[0]; i++) {
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(once[i], "="), once[i]);
    snprintf(path, sizeof path, "/orgs?%s&%s", once[i], once[i]);
    assert_why(&t, path, name, "it may be given only once");
  }
  assert_why(&t, "/orgs?pageNum=1&%70ageNum=1", "pageNum", "it may be given only once"); /* in any encoding */
  snprintf(path, sizeof path, "/groups/%s/events?minDate=2025-01-01&minDate=2025-01-01", group);
  assert_refused(&t, path, "minDate");
  snprintf(path, sizeof path, "/groups/%s/events?eventType=GROUP_CREATED&eventType=GROUP_NAME_CHANGED", group);
  assert_taken(&t, path); /* this parameter may be repeated */
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  /* up to 128 values: the maximum in a query */
  n = (size_t)snprintf(path, sizeof path, "/groups/%s/events?x", group) - 1;
  for (i = 0; i < 128; i++) n += (size_t)snprintf(path + n, sizeof path - n, "&eventType=GROUP_CREATED");
  assert_taken(&t, path);
  snprintf(path + n, sizeof path - n, "&eventType=GROUP_CREATED");
  assert_why(&t, path, "eventType", "it is given too often");
  t_close(&t);
}

TEST(query, encoding)
{
  t_service t;
  t_open(&t, &quiet);
  t_organization(&t, "a+b");
  t_organization(&t, "a(b)");
  t_organization(&t, "\xC3\x89t\xC3\xA9");
  /* names and values may be encoded */
  assert_taken(&t, "/orgs?%70%61geNum=%31");
  assert_taken(&t, "/orgs?items%50er%50age=1");
  munit_assert_size(t_count(&t, "results"), ==, 1);
  assert_taken(&t, "/orgs?pretty=%74rue");
  /* a plus is a space, and an encoded plus is a plus */
  assert_taken(&t, "/orgs?name=a%2Bb");
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&t, "results[0].name"), "a+b");
  assert_taken(&t, "/orgs?name=a+b");
  munit_assert_int64(t_int(&t, "totalCount"), ==, 0);
  assert_refused(&t, "/orgs?pretty=+true", "pretty");
  assert_refused(&t, "/orgs?+pretty=true", " pretty");
  assert_taken(&t, "/orgs?name=%C3%89");
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  assert_taken(&t, "/orgs?name=a%28");
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  /* separators: empty pairs are ignored, and a value may contain an equals sign and a question mark */
  assert_taken(&t, "/orgs?");
  assert_taken(&t, "/orgs?&");
  assert_taken(&t, "/orgs?&&pretty=true&&");
  assert_taken(&t, "/orgs?name=a=b");
  munit_assert_int64(t_int(&t, "totalCount"), ==, 0);
  assert_taken(&t, "/orgs?name=a?b");
  assert_refused(&t, "/orgs?pretty=true?", "pretty");
  /* bad encoding: the error names the parameter */
  assert_why(&t, "/orgs?name=%", "name", "it is not properly percent-encoded UTF-8");
  assert_refused(&t, "/orgs?name=%4", "name");
  assert_refused(&t, "/orgs?name=%zz", "name");
  assert_refused(&t, "/orgs?name=a%00", "name");
  assert_refused(&t, "/orgs?name=%ff", "name");
  assert_refused(&t, "/orgs?name=%C3", "name");
  assert_refused(&t, "/orgs?name=%C0%80", "name");
  assert_refused(&t, "/orgs?name=%ED%A0%80", "name");
  assert_why(&t, "/orgs?na%me=x", "na%me", "its name is not properly percent-encoded UTF-8");
  assert_refused(&t, "/orgs?%ff=x", "%ff");
  assert_refused(&t, "/orgs?pretty=true&%00=x", "%00");
  t_close(&t);
}

TEST(query, dates)
{
  static const char *const bad[] = { "", "yesterday", "2025-02-30T00:00:00Z", "2025-02-29", "2025-13-01", "2025-00-01", "2025-01-00",
                                     "2025-06-01T25:00:00Z", "2025-06-01T00:60:00Z", "2025-06-01T00:00:60Z", "2025-06-01T00:00:00X",
                                     "2025-06-01T00:00:00+25:00", "1748736000", "2025-6-1", "2025-06-01 00:00:00", "2025-06-01T",
                                     "2025-06-01T00:00:00Z0", "%202025-06-01", "25-06-01" };
  static const struct {
    const char *min;
    int events; /* how many of the three events are not before `min` */
  } rows[] = {
    { "2025-06-01", 3 },
    { "2025-06-01T00:00:00Z", 3 },
    { "2025-06-01T00:00:00", 3 }, /* without a zone: UTC */
    { "2025-06-01T00:00:00.000Z", 3 },
    { "2025-06-01T00:00:00.001Z", 2 },
    { "2025-06-01T00:00:01", 2 },
    { "2025-06-01T02:00:00%2B02:00", 3 },
    { "2025-06-01T01:00:00%2B01:00", 3 },
    { "2025-06-01T02:30:00+02:00", 2 }, /* the plus was not encoded, and is read as a space */
    { "2025-06-01T02:30+02", 2 },
    { "2025-06-01T00:00:00-01:00", 1 },
    { "2025-06-01T01:00:00Z", 1 },
    { "2025-06-01T00:30:00", 2 },
    { "2025-06-01T00:30:00.5Z", 1 },
    { "2025-06-01T01:00", 1 },
    { "2025-06-02", 0 },
    { "2024-02-29T00:00:00Z", 3 },
  };
  t_service t;
  char path[256];
  const char *group;
  size_t i;
  t_open(&t, &quiet);
  group = t_project(&t, t_organization(&t, "Acme"), "alpha"); /* 00:00:00 */
  t_advance(&t, 1800);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"name\":\"beta\"}", "/groups/%s", group), ==, 200); /* 00:30:00 */
  t_advance(&t, 1800);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"name\":\"gamma\"}", "/groups/%s", group), ==, 200); /* 01:00:00 */
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    snprintf(path, sizeof path, "/groups/%s/events?minDate=%s", group, rows[i].min);
    assert_taken(&t, path);
    if (t_int(&t, "totalCount") != rows[i].events) munit_errorf("%s: %lld", rows[i].min, (long long)t_int(&t, "totalCount"));
  }
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    snprintf(path, sizeof path, "/groups/%s/events?minDate=%s", group, bad[i]);
    for (char *p = path; *p; p++)
      if (*p == ' ') *p = '+';
    assert_why(&t, path, "minDate", "it must be a date and time in ISO 8601");
  }
  snprintf(path, sizeof path, "/groups/%s/events?minDate=2025-06-01T02:30:00+02:00", group);
  assert_taken(&t, path);
  munit_assert_not_null(strstr(t_link(&t, "self"), "&minDate=2025-06-01T02%3A30%3A00%2B02%3A00"));
  snprintf(path, sizeof path, "/groups/%s/events?maxDate=2025-06-01T00:30:00Z", group);
  assert_taken(&t, path);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 2);
  snprintf(path, sizeof path, "/groups/%s/events?maxDate=2025-06-01T00:30:00Z&minDate=2025-06-01T00:30:00Z", group);
  assert_taken(&t, path);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&t, "results[0].created"), "2025-06-01T00:30:00Z");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events?maxDate=2025-06-01&minDate=2025-06-02", group), ==, 400);
  munit_assert_string_equal(t_error(&t), "START_DATE_AFTER_END_DATE");
  munit_assert_string_equal(t_param(&t, 0), "2025-06-02");
  munit_assert_string_equal(t_param(&t, 1), "2025-06-01");
  t_close(&t);
}

/* ------------------------------------------------------------------------ types of parameters, on a route of this suite */

static int step(t_service *t, const svc_route *route, const char *query, svc_call *c, svc_arena *arena)
{
  static svc_plan plan;
  svc_arena_init(arena, NULL);
  memset(c, 0, sizeof *c);
  memset(&plan, 0, sizeof plan);
  plan.route = route;
  c->s = t->s;
  c->arena = arena;
  c->plan = &plan;
  c->request.query = svc_str_c(query);
  return svc_stage_query(c) ? 0 : c->error.code;
}

TEST(query, typed)
{
  static const char *const colours[] = { "RED", "GREEN", NULL };
  static const svc_param own[] = {
    { .name = "int", .type = SVC_INT32 },       { .name = "long", .type = SVC_INT64 },
    { .name = "bound", .type = SVC_INT32, .min = 1, .max = 10 }, { .name = "flag", .type = SVC_BOOLEAN },
    { .name = "colour", .values = colours, .flags = SVC_PARAM_REPEATS, .max_repeats = 2 },
    { .name = "id", .format = SVC_FORMAT_ID },  { .name = "must", .flags = SVC_PARAM_REQUIRED },
    { .name = "word", .pattern = "^[a-z][a-z-]*$", .flags = SVC_PARAM_REPEATS }, { .name = NULL }
  };
  static const svc_route route = { .method = SVC_GET, .params = own };
  static const struct {
    const char *query, *name; /* name NULL: accepted */
  } rows[] = {
    { "must=", NULL },
    { "must=x&int=-2147483648", NULL },
    { "must=x&int=2147483648", "int" },
    { "must=x&int=-2147483649", "int" },
    { "must=x&int=", "int" },
    { "must=x&long=9223372036854775807", NULL },
    { "must=x&long=-9223372036854775808", NULL },
    { "must=x&long=9223372036854775808", "long" },
    { "must=x&bound=0", "bound" },
    { "must=x&bound=11", "bound" },
    { "must=x&bound=10", NULL },
    { "must=x&bound=1", NULL },
    { "must=x&flag=true", NULL },
    { "must=x&flag=1", "flag" },
    { "must=x&colour=RED&colour=GREEN", NULL },
    { "must=x&colour=red", "colour" },
    { "must=x&colour=RED&colour=GREEN&colour=RED", "colour" },
    { "must=x&id=0123456789abcdef01234567", NULL },
    { "must=x&id=0123456789abcdef0123456", "id" },
    { "must=x&word=a-b&word=c", NULL },
    { "must=x&word=a&word=-b", "word" },
    { "must=x&word=", "word" },
    { "must=x&must=y", "must" },
    { "must=x&pageNum=1", "pageNum" }, /* the route is no list */
  };
  t_service t;
  svc_arena arena;
  svc_call c;
  size_t i;
  char quoted[64];
  t_open(&t, &quiet);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int error = step(&t, &route, rows[i].query, &c, &arena);
    if (error != (rows[i].name ? SVC_E_INVALID_QUERY_PARAMETER : SVC_E_NONE)) munit_errorf("%s: %d", rows[i].query, error);
    snprintf(quoted, sizeof quoted, "\"%s\"", rows[i].name ? rows[i].name : "");
    if (rows[i].name) munit_assert_true(svc_str_is(c.error.params[0], quoted));
    svc_blocks_free(arena.blocks);
  }
  munit_assert_int(step(&t, &route, "int=1", &c, &arena), ==, SVC_E_MISSING_QUERY_PARAMETER);
  munit_assert_true(svc_str_is(c.error.params[0], "\"must\""));
  munit_assert_uint(c.error.param_count, ==, 1);
  svc_blocks_free(arena.blocks);
  munit_assert_int(step(&t, &route, "must=a%20b&long=-5&flag=true&colour=GREEN", &c, &arena), ==, SVC_E_NONE);
  munit_assert_true(svc_str_is(svc_query_get(&c, "must")->text, "a b"));
  munit_assert_int64(svc_query_get(&c, "long")->number, ==, -5);
  munit_assert_int64(svc_query_get(&c, "flag")->number, ==, 1);
  munit_assert_true(svc_query_has(&c, "colour", SVC_S("GREEN")));
  munit_assert_false(svc_query_has(&c, "colour", SVC_S("RED")));
  munit_assert_null(svc_query_get(&c, "int"));
  svc_blocks_free(arena.blocks);
  t_close(&t);
}

/*
** Request bodies: how they are read, how they are checked against the field tables, and that the body of a GET can be sent
** back.
**
** The check runs alone, over a table that has every kind of field, and through the service.
*/
#include "support.h"

#include <time.h>

static const svc_config quiet = { .limiter_off = 1, .provision_ms = SVC_PROVISION_NOW };

#define CLUSTER \
  "{\"name\":\"Cluster0\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":{" \
  "\"instanceSize\":\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"

/* ---------------------------------------------------------------------------------------------- media type, size, syntax */

TEST(body, media_type)
{
  static const char *const good[] = { "application/json",
                                      "application/json;charset=utf-8",
                                      "application/json ; charset=UTF-8",
                                      "Application/JSON",
                                      "APPLICATION/JSON; CHARSET=UTF-8",
                                      "application/vnd.svc.2025-03-12+json",
                                      "application/vnd.svc.2023-01-01+json;charset=utf-8",
                                      "application/vnd.svc.2999-12-31+json",
                                      "APPLICATION/VND.SVC.2023-01-01+JSON",
                                      "  application/json  " };
  static const char *const bad[] = { "", "text/plain", "text/json", "application/x-www-form-urlencoded", "application/jsonp",
                                     "application/json+x", "application/*", "*/*", "application/vnd.svc.2025-02-30+json",
                                     "application/vnd.svc.preview+json", "application/vnd.other.2025-03-12+json", "application/vnd.scv.2025-03-12+json",
                                     "application/vnd.svc.2025-03-12+xml", "application/vnd.svc.2025-03-12+yaml", "json", ";application/json",
                                     "application/json, application/json", "multipart/form-data; boundary=application/json" };
  t_service t;
  size_t i;
  t_open(&t, &quiet);
  for (i = 0; i < sizeof good / sizeof good[0]; i++) {
    t_header(&t, "Content-Type", good[i]);
    if (t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}") != 201) munit_errorf("%s: %s", good[i], t.response.body);
  }
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    t_header(&t, "Content-Type", bad[i]);
    if (t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}") != 415) munit_errorf("%s: %s", bad[i], t.response.body);
    munit_assert_string_equal(t_error(&t), "UNSUPPORTED_MEDIA_TYPE");
    munit_assert_size(t_count(&t, "parameters"), ==, 1);
    munit_assert_string_equal(t_param(&t, 0), bad[i]);
    munit_assert_string_equal(t_str(&t, "reason"), "Unsupported Media Type");
  }
  /* bytes that are not UTF-8 do not get into the answer */
  t_header(&t, "Content-Type", "text/\xFF\xC3plain");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 415);
  munit_assert_string_equal(t_param(&t, 0), "text/??plain");
  /* a body that the operation does not use needs no Content-Type */
  t_header(&t, "Content-Type", "text/plain");
  munit_assert_int(t_send(&t, "GET", "/orgs", "hello"), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, sizeof good / sizeof good[0]);
  t_close(&t);
}

TEST(body, no_media_type)
{
  t_service t;
  svc_request request;
  svc_response response;
  t_open(&t, &quiet);
  memset(&request, 0, sizeof request);
  request.method = "POST";
  request.target = "/api/svc/v2/orgs";
  request.caller = &t.caller;
  munit_assert_int(svc_handle_request(t.s, &request, &response), ==, SVC_OK); /* neither body nor type */
  munit_assert_int(response.status, ==, 415);
  svc_response_free(&response);
  request.body = "{\"name\":\"a\"}";
  request.body_length = strlen(request.body);
  munit_assert_int(svc_handle_request(t.s, &request, &response), ==, SVC_OK);
  munit_assert_int(response.status, ==, 415);
  munit_assert_string_equal(svc_response_header(&response, "X-Error-Code"), "UNSUPPORTED_MEDIA_TYPE");
  munit_assert_not_null(strstr(response.body, "\"detail\":\"The request has no Content-Type. ")); /* not: of type "" */
  munit_assert_not_null(strstr(response.body, "\"parameters\":[\"\"]"));
  svc_response_free(&response);
  t_close(&t);
}

/* An operation without a body accepts an empty object, because some clients always send one. */
TEST(body, none_taken)
{
  static const char *const bad[] = { "{\"a\":1}", "[]", "[{}]", "null", "true", "{", "x" };
  const char *group;
  t_service t;
  size_t i;
  t_open(&t, &quiet);
  group = t_project(&t, t_organization(&t, "Acme"), "P1");
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) munit_assert_int(t_sendf(&t, "POST", bad[i], "/groups/%s/managedSlowMs/enable", group), ==, 400);
  munit_assert_int(t_sendf(&t, "POST", "{}", "/groups/%s/managedSlowMs/enable", group), ==, 204);
  munit_assert_int(t_sendf(&t, "POST", NULL, "/groups/%s/managedSlowMs/enable", group), ==, 204);
  t_close(&t);
}

/* A change whose body is not a JSON object is refused, whether or not the resource is shown as it is stored. */
TEST(body, no_object)
{
  static const char *const bad[] = { "[]", "[{\"desc\":\"x\"}]", "7", "\"desc\"", "null", "true" };
  const char *org;
  char path[2][128];
  t_service t;
  size_t i, j;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  munit_assert_int(t_sendf(&t, "POST", "{\"desc\":\"k\",\"roles\":[\"ORG_OWNER\"]}", "/orgs/%s/apiKeys", org), ==, 201);
  snprintf(path[0], sizeof path[0], "/orgs/%s/apiKeys/%s", org, t_str(&t, "id"));
  snprintf(path[1], sizeof path[1], "/orgs/%s", org);
  for (j = 0; j < 2; j++)
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) munit_assert_int(t_send(&t, "PATCH", path[j], bad[i]), ==, 400);
  munit_assert_int(t_send(&t, "GET", path[0], NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "desc"), "k");
  t_close(&t);
}

/* In elements of any type, numbers are equal if their values are, in any notation; a string never equals a number. */
TEST(body, same_elements)
{
  static const struct {
    const char *key;
    int same; /* index of the element that repeats an earlier one; -1: none */
  } rows[] = {
    { "[1,2,\"1\"]", -1 }, { "[1,2,1]", 2 }, { "[10,1e1]", 1 }, { "[1.5,0.5,15e-1]", 2 }, { "[1.5,1.25]", -1 }, { "[{\"a\":1},{\"a\":2}]", -1 },
    { "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]", 1 }, { "[[1],[1]]", 1 }, { "[true,\"true\"]", -1 }, { "[\"a\",\"b\",\"a\"]", 2 }, { "[1e400,1e400]", 1 },
    { "[\"1\",1,\"1\"]", 2 },
  };
  const char *group;
  char body[512], field[96];
  t_service t;
  size_t i;
  int j;
  t_open(&t, &quiet);
  group = t_project(&t, t_organization(&t, "Acme"), "P1");
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    snprintf(body, sizeof body, "{\"sharding\":{\"createSupportingIndexes\":true,\"shardingEntries\":[{\"collection\":\"c\",\"database\":\"d\","
             "\"shardCollection\":{\"key\":%s}}]}}", rows[i].key);
    munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/liveMigrations", group), ==, 400);
    munit_assert_true(t_violation(&t, "source")); /* source is required */
    for (j = 0; j < 3; j++) {
      snprintf(field, sizeof field, "sharding.shardingEntries[0].shardCollection.key[%d]", j);
      if (t_violation(&t, field) != (j == rows[i].same)) munit_errorf("%s: %s", rows[i].key, t.response.body);
    }
  }
  t_close(&t);
}

TEST(body, size)
{
  svc_config small = { .limiter_off = 1, .max_body = 64 };
  t_service t;
  char body[70];
  t_open(&t, &small);
  memset(body, ' ', sizeof body);
  memcpy(body, "{\"name\":\"a\"}", 12);
  munit_assert_int(t_send_raw(&t, "POST", "/api/svc/v2/orgs", body, 64), ==, 201);
  munit_assert_int(t_send_raw(&t, "POST", "/api/svc/v2/orgs", body, 65), ==, 413);
  munit_assert_string_equal(t_error(&t), "REQUEST_TOO_LARGE");
  munit_assert_int64(t_int(&t, "parameters[0]"), ==, 64);
  munit_assert_string_equal(t_str(&t, "detail"), "The body of the request is larger than 64 bytes.");
  munit_assert_string_equal(t_str(&t, "reason"), "Content Too Large");
  /* the size limit also applies where the body is ignored */
  munit_assert_int(t_send_raw(&t, "GET", "/api/svc/v2/orgs", body, 65), ==, 413);
  munit_assert_int(t_send_raw(&t, "GET", "/api/svc/v2/orgs", "{", 1), ==, 200);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  t_close(&t);
}

TEST(body, default_size)
{
  t_service t;
  size_t n = ((size_t)1 << 20) + 1;
  char *body = munit_malloc(n);
  t_open(&t, &quiet);
  memset(body, ' ', n);
  memcpy(body, "{\"name\":\"a\"}", 12);
  munit_assert_int(t_send_raw(&t, "POST", "/api/svc/v2/orgs", body, n - 1), ==, 201);
  munit_assert_int(t_send_raw(&t, "POST", "/api/svc/v2/orgs", body, n), ==, 413);
  munit_assert_int64(t_int(&t, "parameters[0]"), ==, 1048576);
  free(body);
  t_close(&t);
}

TEST(body, malformed)
{
  static const struct {
    const char *body;
    int at;
  } rows[] = {
    { "", 0 },
    { "{", 1 },
    { "{\"name\":\"a\"", 11 },
    { "{\"name\":\"a\"}}", 12 },
    { "{\"name\":\"a\",}", 12 },
    { "{'name':\"a\"}", 1 },
    { "{\"name\":a}", 8 },
    { "{\"name\":\"a\" \"b\":1}", 12 },
    { "  {\"name\":01}", 11 },
    { "{\"name\":\"\x01\"}", 9 },
    { "{\"name\":\"\xff\"}", 9 },
    { "{\"name\":\"\\x\"}", 10 },
    { "{\"name\":\"a\",\"name\":\"b\"}", 12 },
    { "\xEF\xBB\xBF{\"name\":\"a\"}", 0 },
    { "nul", 3 },
  };
  t_service t;
  size_t i;
  t_open(&t, &quiet);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    t_header(&t, "Content-Type", "application/json");
    munit_assert_int(t_send(&t, "POST", "/orgs", rows[i].body), ==, 400);
    munit_assert_string_equal(t_error(&t), "MALFORMED_JSON");
    munit_assert_size(t_count(&t, "parameters"), ==, 2);
    if (t_int(&t, "parameters[0]") != rows[i].at) munit_errorf("%s: %s", rows[i].body, t.response.body);
    munit_assert_string_not_equal(t_param(&t, 1), "");
  }
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":a}"), ==, 400);
  munit_assert_string_equal(t_str(&t, "detail"), "The body is not valid JSON: expected a value at byte 8.");
  /* valid JSON, but no object */
  munit_assert_int(t_send(&t, "POST", "/orgs", "[]"), ==, 400);
  munit_assert_string_equal(t_error(&t), "INVALID_JSON");
  munit_assert_size(t_count(&t, "parameters"), ==, 0);
  munit_assert_int(t_send(&t, "POST", "/orgs", "\"name\""), ==, 400);
  munit_assert_string_equal(t_error(&t), "INVALID_JSON");
  munit_assert_int(t_send(&t, "POST", "/orgs", "null"), ==, 400);
  munit_assert_string_equal(t_error(&t), "INVALID_JSON");
  munit_assert_int(t_sendf(&t, "PATCH", "[]", "/orgs/%s", t_organization(&t, "a")), ==, 400);
  munit_assert_string_equal(t_error(&t), "INVALID_JSON");
  t_close(&t);
}

TEST(body, depth)
{
  svc_config shallow = { .limiter_off = 1, .max_depth = 4 };
  t_service t;
  char body[2000];
  size_t n;
  t_open(&t, &shallow);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"apiKey\":[[[0]]],\"name\":\"a\"}"), ==, 400); /* not too deep, but of the wrong type */
  munit_assert_string_equal(t_error(&t), "INVALID_JSON_ATTRIBUTE");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"apiKey\":[[[[0]]]],\"name\":\"a\"}"), ==, 400);
  munit_assert_string_equal(t_error(&t), "MALFORMED_JSON");
  munit_assert_int64(t_int(&t, "parameters[0]"), ==, 13);
  munit_assert_string_equal(t_param(&t, 1), "nesting too deep");
  t_close(&t);
  t_open(&t, &quiet); /* the default depth is 32 */
  n = (size_t)snprintf(body, sizeof body, "{\"apiKey\":");
  memset(body + n, '[', 31);
  memset(body + n + 31, ']', 31);
  strcpy(body + n + 62, ",\"name\":\"a\"}");
  munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 400);
  munit_assert_string_equal(t_error(&t), "INVALID_JSON_ATTRIBUTE");
  memset(body + n, '[', 32);
  memset(body + n + 32, ']', 32);
  strcpy(body + n + 64, ",\"name\":\"a\"}");
  munit_assert_int(t_send(&t, "POST", "/orgs", body), ==, 400);
  munit_assert_string_equal(t_error(&t), "MALFORMED_JSON");
  munit_assert_int64(t_int(&t, "parameters[0]"), ==, (int64_t)n + 31);
  t_close(&t);
}

/* ---------------------------------------------------------------------------------------------------- the check by itself */

static const char *const colours[] = { "RED", "GREEN", "BLUE", NULL };

static const svc_field inner_fields[] = {
  F_BOOL("flag", .preset = "false"),
  F_INT("level", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 7, .preset = "3"),
  F_STR("must", .flags = SVC_REQUIRED)
};
static const svc_object inner_object = { .name = "Inner", .fields = SVC_ROWS(inner_fields) };

static const svc_field item_fields[] = {
  F_ID(),
  F_OBJ("inner", &inner_object),
  F_INT("rank", .preset = "1")
};
static const svc_object item_object = { .name = "Item", .fields = SVC_ROWS(item_fields) };

static const svc_field circle_fields[] = {
  F_STR("kind"),
  F_NUM("radius", .flags = SVC_REQUIRED | SVC_MIN, .min = 0)
};
static const svc_object circle_object = { .name = "Circle", .fields = SVC_ROWS(circle_fields) };
static const svc_field square_fields[] = {
  F_STR("kind"),
  F_INT("side", .flags = SVC_REQUIRED)
};
static const svc_object square_object = { .name = "Square", .fields = SVC_ROWS(square_fields) };
static const svc_variant shape_variants[] = { { "CIRCLE", &circle_object }, { "SQUARE", &square_object }, { NULL, NULL } };
static const svc_object shape_object = {
  .name = "Shape", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("kind", NULL, shape_variants))
};

static const svc_field base_fields[] = {
  F_STR("aFirst"),
  F_BOOL("numb", .preset = "true"),
  F_STR("zLast", .flags = SVC_REQUIRED | SVC_NULLABLE)
};
static const svc_object base_object = { .name = "Base", .fields = SVC_ROWS(base_fields) };

static const svc_field thing_fields[] = {
  F_ANY("any"),
  F_LONG("big", .flags = SVC_MIN, .min = -5),
  F_ENUM("colour", colours),
  F_STRS("colours", .values = colours, .flags = SVC_UNIQUE_ITEMS | SVC_NOT_EMPTY, .max_items = 2),
  F_STR("day", .format = SVC_FORMAT_DAY),
  F_STR("email", .format = SVC_FORMAT_EMAIL),
  F_STR("fixed", .flags = SVC_FIXED),
  F_ID(),
  F_OBJ("inner", &inner_object),
  { .name = "ints", .type = SVC_ARRAY, .item = SVC_INT32, .flags = SVC_MAX, .min = 0, .max = 9 },
  F_STR("ip", .format = SVC_FORMAT_IP),
  F_LIST("items", &item_object, .flags = SVC_UNIQUE_ITEMS),
  { .name = "map", .type = SVC_MAP, .item = SVC_STRING, .max = 3 },
  { .name = "maps", .type = SVC_MAP, .item = SVC_OBJECT, .object = &inner_object },
  F_STR("name", .flags = SVC_REQUIRED, .min = 1, .max = 5),
  F_STR("nick", .flags = SVC_NULLABLE),
  F_STR("note", .flags = SVC_NULLABLE, .preset = "\"none\""),
  F_NUM("num", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 10),
  F_STR("pattern", .pattern = "^[a-z]+$"),
  F_STR("secret", .flags = SVC_WRITE_ONLY),
  F_OBJ("shape", &shape_object),
  F_INT("small"),
  F_DATE("when"),
  { .name = "whens", .type = SVC_ARRAY, .item = SVC_DATE }
};
static const svc_object thing_object = { .name = "Thing", .fields = SVC_ROWS(thing_fields) };

static const svc_field derived_fields[] = { F_INT("middle", .preset = "5"), F_STR("numbA") };
static const svc_object derived_object = { .name = "Derived", .fields = SVC_ROWS(derived_fields), .base = &base_object };

static svc nowhere = { .vendor = { "svc", 3 } }; /* a handle with the members that a check of values reads */

/* Returns the result of a check as text: the body, or one line per violation: CODE field: description. */
static const char *checked(svc_arena *a, const svc_object *object, const char *input, const char *before, int mode)
{
  svc_json_fault fault;
  svc_buf b = svc_buf_new(a, 256);
  const svc_violation *v;
  svc_str param;
  svc_node *out;
  svc_call c;
  bool good;
  memset(&c, 0, sizeof c);
  c.arena = a;
  c.s = &nowhere;
  munit_assert_true(svc_json_gate(a, svc_str_c(input), 64, &fault));
  out = svc_check(&c, object, svc_json_parse(a, svc_str_c(input)), before ? svc_json_parse(a, svc_str_c(before)) : NULL, mode);
  good = svc_check_done(&c);
  munit_assert_int(good, ==, out != NULL);
  munit_assert_false(a->failed);
  if (good) {
    munit_assert_null(c.error.violations);
    svc_node_write(&b, out);
    return svc_buf_done(&b).p;
  }
  if (!c.error.violations) return svc_error_name(c.error.code);
  munit_assert_int(c.error.code, ==, c.error.violations->code); /* code and parameter are those of the first violation */
  munit_assert_uint(c.error.param_count, ==, 1);
  munit_assert_true(svc_json_unescape(a, (svc_str){ c.error.params[0].p + 1, c.error.params[0].n - 2 }, &param));
  munit_assert_true(svc_str_eq(param, c.error.violations->field));
  for (v = c.error.violations; v; v = v->next) {
    if (b.n) svc_buf_char(&b, '\n');
    svc_buf_text(&b, svc_error_name(v->code));
    svc_buf_char(&b, ' ');
    svc_buf_str(&b, v->field);
    svc_buf_text(&b, ": ");
    svc_buf_str(&b, v->description);
  }
  return svc_buf_done(&b).p;
}

typedef struct check_row {
  const char *input, *wanted;
} check_row;

static void run_rows(const svc_object *object, const check_row *rows, size_t count, const char *before, int mode)
{
  svc_arena a;
  size_t i;
  svc_arena_init(&a, NULL);
  for (i = 0; i < count; i++) {
    const char *got = checked(&a, object, rows[i].input, before, mode);
    if (strcmp(got, rows[i].wanted) != 0) munit_errorf("%s gave\n%s\nnot\n%s", rows[i].input, got, rows[i].wanted);
  }
  svc_blocks_free(a.blocks);
}
#define RUN_ROWS(object, rows, before, mode) run_rows(object, rows, sizeof rows / sizeof rows[0], before, mode)

TEST(body, check_types)
{
#define N "{\"name\":\"n\","
#define R "\"name\":\"n\",\"note\":\"none\""
  static const check_row rows[] = {
    { "{\"name\":\"n\"}", "{" R "}" },
    /* values of the wrong type */
    { N "\"small\":\"1\"}", "INVALID_JSON_ATTRIBUTE small: must be an integer" },
    { N "\"small\":true}", "INVALID_JSON_ATTRIBUTE small: must be an integer" },
    { N "\"big\":{}}", "INVALID_JSON_ATTRIBUTE big: must be an integer" },
    { N "\"num\":\"1\"}", "INVALID_JSON_ATTRIBUTE num: must be a number" },
    { N "\"num\":[]}", "INVALID_JSON_ATTRIBUTE num: must be a number" },
    { "{\"name\":1}", "INVALID_JSON_ATTRIBUTE name: must be a string" },
    { "{\"name\":false}", "INVALID_JSON_ATTRIBUTE name: must be a string" },
    { "{\"name\":{}}", "INVALID_JSON_ATTRIBUTE name: must be a string" },
    { "{\"name\":[\"n\"]}", "INVALID_JSON_ATTRIBUTE name: must be a string" },
    { "{\"name\":null}", "MISSING_ATTRIBUTE name: is required" },
    { N "\"inner\":[]}", "INVALID_JSON_ATTRIBUTE inner: must be an object" },
    { N "\"inner\":\"x\"}", "INVALID_JSON_ATTRIBUTE inner: must be an object" },
    { N "\"ints\":{}}", "INVALID_JSON_ATTRIBUTE ints: must be an array" },
    { N "\"ints\":1}", "INVALID_JSON_ATTRIBUTE ints: must be an array" },
    { N "\"map\":[]}", "INVALID_JSON_ATTRIBUTE map: must be an object" },
    { N "\"when\":1748736000}", "INVALID_JSON_ATTRIBUTE when: must be a date and time in ISO 8601" },
    { N "\"inner\":{\"must\":\"m\",\"flag\":1}}", "INVALID_JSON_ATTRIBUTE inner.flag: must be true or false" },
    { N "\"inner\":{\"must\":\"m\",\"flag\":\"true\"}}", "INVALID_JSON_ATTRIBUTE inner.flag: must be true or false" },
    /* in a create, null means the same as an absent field */
    { N "\"small\":null,\"inner\":null,\"ints\":null,\"map\":null,\"when\":null,\"colour\":null,\"fixed\":null,\"secret\":null}", "{" R "}" },
    { N "\"inner\":{\"must\":null}}", "MISSING_ATTRIBUTE inner.must: is required" },
    { N "\"items\":[null]}", "INVALID_JSON_ATTRIBUTE items[0]: must be an object" },
    /* integers */
    { N "\"small\":2147483647}", "{" R ",\"small\":2147483647}" },
    { N "\"small\":-2147483648}", "{" R ",\"small\":-2147483648}" },
    { N "\"small\":2147483648}", "INVALID_ATTRIBUTE small: must be an integer of 32 bits" },
    { N "\"small\":-2147483649}", "INVALID_ATTRIBUTE small: must be an integer of 32 bits" },
    { N "\"small\":1.5}", "INVALID_ATTRIBUTE small: must be an integer of 32 bits" },
    { N "\"small\":5.0}", "{" R ",\"small\":5}" },
    { N "\"small\":5e0}", "{" R ",\"small\":5}" },
    { N "\"small\":1E2}", "{" R ",\"small\":100}" },
    { N "\"small\":-0}", "{" R ",\"small\":0}" },
    { N "\"big\":9223372036854775807}", "{\"big\":9223372036854775807," R "}" },
    { N "\"big\":9223372036854775808}", "INVALID_ATTRIBUTE big: must be an integer of 64 bits" },
    { N "\"big\":1e400}", "INVALID_ATTRIBUTE big: must be an integer of 64 bits" },
    { N "\"big\":-5}", "{\"big\":-5," R "}" },
    { N "\"big\":-6}", "INVALID_ATTRIBUTE big: must be at least -5" },
    { N "\"ints\":[9,10,1.5]}", "INVALID_ATTRIBUTE ints[1]: must be at most 9\n"
                                 "INVALID_ATTRIBUTE ints[2]: must be an integer of 32 bits" },
    /* numbers */
    { N "\"num\":0}", "{" R ",\"num\":0}" },
    { N "\"num\":2.5}", "{" R ",\"num\":2.5}" },
    { N "\"num\":10}", "{" R ",\"num\":10}" },
    { N "\"num\":10.001}", "INVALID_ATTRIBUTE num: must be at most 10" },
    { N "\"num\":-0.001}", "ATTRIBUTE_NEGATIVE num: must be at least 0" },
    { N "\"num\":1e999}", "INVALID_ATTRIBUTE num: is too large a number" },
    /* strings: length in characters, values, patterns, formats */
    { "{\"name\":\"\"}", "INVALID_ATTRIBUTE name: must have at least 1 characters" },
    { "{\"name\":\"12345\"}", "{\"name\":\"12345\",\"note\":\"none\"}" },
    { "{\"name\":\"123456\"}", "INVALID_ATTRIBUTE name: must have at most 5 characters" },
    { "{\"name\":\"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\"}", "{\"name\":\"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\",\"note\":\"none\"}" },
    { "{\"name\":\"\\u00e9\\ud83d\\ude00\"}", "{\"name\":\"\xC3\xA9\xF0\x9F\x98\x80\",\"note\":\"none\"}" },
    { N "\"colour\":\"GREEN\"}", "{\"colour\":\"GREEN\"," R "}" },
    { N "\"colour\":\"green\"}", "INVALID_ENUM_VALUE colour: must be RED, GREEN or BLUE; did you mean GREEN?" },
    { N "\"colour\":\"\"}", "INVALID_ENUM_VALUE colour: must be RED, GREEN or BLUE" },
    { N "\"pattern\":\"abc\"}", "{" R ",\"pattern\":\"abc\"}" },
    { N "\"pattern\":\"aBc\"}", "INVALID_ATTRIBUTE pattern: must match ^[a-z]+$" },
    { N "\"ip\":\"10.0.0.1\"}", "{\"ip\":\"10.0.0.1\"," R "}" },
    { N "\"ip\":\"10.0.0.256\"}", "INVALID_ATTRIBUTE ip: must be an IP address" },
    { N "\"day\":\"2025-02-30\"}", "INVALID_ATTRIBUTE day: must be a day as YYYY-MM-DD" },
    { N "\"day\":\"2025-02-28\"}", "{\"day\":\"2025-02-28\"," R "}" },
    { N "\"email\":\"nobody\"}", "INVALID_ATTRIBUTE email: must be an email address" },
    /* dates, in UTC and to the second */
    { N "\"when\":\"2025-06-01T12:00:00+02:00\"}", "{" R ",\"when\":\"2025-06-01T10:00:00Z\"}" },
    { N "\"when\":\"2025-06-01T12:00:00.999\"}", "{" R ",\"when\":\"2025-06-01T12:00:00Z\"}" },
    { N "\"when\":\"2025-06-01\"}", "{" R ",\"when\":\"2025-06-01T00:00:00Z\"}" },
    { N "\"when\":\"2025-01-01T00:30:00+01:00\"}", "{" R ",\"when\":\"2024-12-31T23:30:00Z\"}" },
    { N "\"when\":\"2025-02-29T00:00:00Z\"}", "INVALID_DATE_FORMAT when: must be a date and time in ISO 8601" },
    { N "\"when\":\"\"}", "INVALID_DATE_FORMAT when: must be a date and time in ISO 8601" },
    { N "\"whens\":[\"2025-06-01T01:00:00+01:00\",\"x\"]}", "INVALID_DATE_FORMAT whens[1]: must be a date and time in ISO 8601" },
    { N "\"whens\":[\"2025-06-01T01:00:00+01:00\"]}", "{" R ",\"whens\":[\"2025-06-01T00:00:00Z\"]}" },
    /* any JSON, stored as it was sent */
    { N "\"any\":{\"b\":[1,{\"a\":null}],\"a\":1e2}}", "{\"any\":{\"a\":1e2,\"b\":[1,{\"a\":null}]}," R "}" },
    { N "\"any\":[]}", "{\"any\":[]," R "}" },
    { N "\"any\":null}", "{" R "}" },
    /* accepted, but not stored */
    { N "\"secret\":\"s\"}", "{" R "}" },
    { N "\"secret\":1}", "INVALID_JSON_ATTRIBUTE secret: must be a string" },
  };
  RUN_ROWS(&thing_object, rows, NULL, SVC_CHECK_CREATE);
}

TEST(body, check_nested)
{
  static const check_row rows[] = {
    /* objects */
    { N "\"inner\":{\"must\":\"m\"}}", "{\"inner\":{\"flag\":false,\"level\":3,\"must\":\"m\"}," R "}" },
    { N "\"inner\":{}}", "MISSING_ATTRIBUTE inner.must: is required" },
    { N "\"inner\":{\"must\":\"m\",\"level\":8,\"x\":1}}", "INVALID_ATTRIBUTE inner.x: does not exist in this object\n"
                                                            "INVALID_ATTRIBUTE inner.level: must be at most 7" },
    { N "\"inner\":{\"must\":\"m\",\"links\":[]}}", "INVALID_ATTRIBUTE inner.links: does not exist in this object" },
    /* arrays */
    { N "\"colours\":[\"RED\",\"BLUE\"]}", "{\"colours\":[\"RED\",\"BLUE\"]," R "}" },
    { N "\"colours\":[]}", "INVALID_ATTRIBUTE colours: must have at least 1 elements" },
    { N "\"colours\":[\"RED\",\"BLUE\",\"GREEN\"]}", "INVALID_ATTRIBUTE colours: must have at most 2 elements" },
    { N "\"colours\":[\"RED\",\"RED\"]}", "INVALID_ATTRIBUTE colours[1]: appears twice in the array" },
    { N "\"colours\":[\"RED\",\"PINK\"]}", "INVALID_ENUM_VALUE colours[1]: must be RED, GREEN or BLUE" },
    { N "\"colours\":[null]}", "INVALID_JSON_ATTRIBUTE colours[0]: must be a string" },
    { N "\"ints\":[]}", "{\"ints\":[]," R "}" },
    { N "\"ints\":[1,\"2\",3,[4]]}", "INVALID_JSON_ATTRIBUTE ints[1]: must be an integer\nINVALID_JSON_ATTRIBUTE ints[3]: must be an integer" },
    { N "\"items\":[{},{\"rank\":2}]}", "{\"items\":[{\"rank\":1},{\"rank\":2}]," R "}" },
    { N "\"items\":[{\"rank\":2},{\"rank\":2.0}]}", "INVALID_ATTRIBUTE items[1]: appears twice in the array" },
    { N "\"items\":[{\"rank\":2},{},{\"rank\":3},{\"rank\":1},{\"rank\":2},5,{\"rank\":2}]}", /* the default counts in the comparison */
      "INVALID_JSON_ATTRIBUTE items[5]: must be an object\nINVALID_ATTRIBUTE items[3]: appears twice in the array\n"
      "INVALID_ATTRIBUTE items[4]: appears twice in the array\nINVALID_ATTRIBUTE items[6]: appears twice in the array" },
    { N "\"items\":[{\"inner\":{\"level\":9}},5,{\"inner\":{\"must\":\"m\",\"flag\":[]}}]}",
      "INVALID_ATTRIBUTE items[0].inner.level: must be at most 7\nMISSING_ATTRIBUTE items[0].inner.must: is required\n"
      "INVALID_JSON_ATTRIBUTE items[1]: must be an object\nINVALID_JSON_ATTRIBUTE items[2].inner.flag: must be true or false" },
    { N "\"items\":[{\"id\":\"0123456789abcdef01234567\"}]}", "ATTRIBUTE_READ_ONLY items[0].id: cannot be set or changed" },
    /* maps */
    { N "\"map\":{}}", "{\"map\":{}," R "}" },
    { N "\"map\":{\"z\":\"1\",\"a b\":\"2\",\"\xC3\xA9\":\"3\"}}", "{\"map\":{\"a b\":\"2\",\"z\":\"1\",\"\xC3\xA9\":\"3\"}," R "}" },
    { N "\"map\":{\"a\":\"1234\",\"b\":5,\"c\":\"ok\"}}", "INVALID_ATTRIBUTE map.a: must have at most 3 characters\n"
                                                          "INVALID_JSON_ATTRIBUTE map.b: must be a string" },
    { N "\"maps\":{\"k\":{\"must\":\"m\"}}}", "{\"maps\":{\"k\":{\"flag\":false,\"level\":3,\"must\":\"m\"}}," R "}" },
    { N "\"maps\":{\"k\":{}}}", "MISSING_ATTRIBUTE maps.k.must: is required" },
    { N "\"maps\":{\"k\":null}}", "INVALID_JSON_ATTRIBUTE maps.k: must be an object" },
    /* unions */
    { N "\"shape\":{\"kind\":\"CIRCLE\",\"radius\":1.5}}", "{" R ",\"shape\":{\"kind\":\"CIRCLE\",\"radius\":1.5}}" },
    { N "\"shape\":{\"kind\":\"SQUARE\",\"side\":2}}", "{" R ",\"shape\":{\"kind\":\"SQUARE\",\"side\":2}}" },
    { N "\"shape\":{\"kind\":\"SQUARE\",\"radius\":2}}", "INVALID_ATTRIBUTE shape.radius: does not exist in this object\n"
                                                         "MISSING_ATTRIBUTE shape.side: is required" },
    { N "\"shape\":{\"kind\":\"OVAL\",\"side\":2}}", "INVALID_ENUM_VALUE shape.kind: must be CIRCLE or SQUARE" },
    { N "\"shape\":{\"side\":2}}", "MISSING_ATTRIBUTE shape.kind: is required and selects the kind of object: it must be CIRCLE or SQUARE" },
    { N "\"shape\":{\"kind\":null}}", "MISSING_ATTRIBUTE shape.kind: is required and selects the kind of object: it must be CIRCLE or SQUARE" },
  };
  RUN_ROWS(&thing_object, rows, NULL, SVC_CHECK_CREATE);
}

/* The check takes time in proportion to the body, not to its square: other writers wait while a change is checked. */
TEST(body, check_large)
{
  enum { COUNT = 60000 };
  char *text = malloc((size_t)COUNT * 16 + 64), *end = text;
  clock_t start = clock();
  const char *got;
  svc_arena a;
  int i;
  munit_assert_not_null(text);
  svc_arena_init(&a, NULL);
  end += sprintf(end, "{\"name\":\"n\",\"items\":[{\"rank\":0}");
  for (i = 1; i < COUNT; i++) end += sprintf(end, ",{\"rank\":%d}", i);
  memcpy(end, "]}", 3);
  munit_assert_memory_equal(10, checked(&a, &thing_object, text, NULL, SVC_CHECK_CREATE), "{\"items\":[");
  memcpy(end, ",{\"rank\":7}]}", 14);
  got = checked(&a, &thing_object, text, NULL, SVC_CHECK_CREATE);
  munit_assert_string_equal(got, "INVALID_ATTRIBUTE items[60000]: appears twice in the array");
  /* compared with the stored array */
  end = text + sprintf(text, "{\"name\":\"n\",\"ints\":[0");
  for (i = 1; i < COUNT; i++) end += sprintf(end, ",%d", i % 10);
  memcpy(end, "]}", 3);
  munit_assert_memory_equal(9, checked(&a, &thing_object, text, text, SVC_CHECK_UPDATE), "{\"ints\":[");
  munit_assert_double((double)(clock() - start) / CLOCKS_PER_SEC, <, 5.0); /* the limit leaves time for sanitizers */
  svc_blocks_free(a.blocks);
  free(text);
}

/* Returns the seconds that a map with `count` members takes: the shortest of several tries. */
static double map_seconds(int count)
{
  char *text = malloc((size_t)count * 16 + 64), *end = text;
  double best = 1e9, took;
  svc_arena a;
  int i;
  munit_assert_not_null(text);
  end += sprintf(end, "{\"map\":{\"m000000\":\"a\"");
  for (i = 1; i < count; i++) end += sprintf(end, ",\"m%06d\":\"a\"", i);
  sprintf(end, "},\"name\":\"n\"}");
  for (i = 0; i < 3; i++) {
    clock_t start = clock();
    svc_arena_init(&a, NULL);
    munit_assert_memory_equal(8, checked(&a, &thing_object, text, NULL, SVC_CHECK_CREATE), "{\"map\":{");
    svc_blocks_free(a.blocks);
    took = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (took < best) best = took;
  }
  free(text);
  return best;
}

/* A map of four times as many members takes four times as long, not sixteen times. */
TEST(body, check_large_map)
{
  munit_assert_double(map_seconds(60000), <, 9 * map_seconds(15000) + 0.01);
}

/* An answer lists every violation of a body, up to a thousand, so its size is bounded. */
TEST(body, many_violations)
{
  t_service t;
  char *text = malloc(64 * 1024), *end;
  int i, most;
  munit_assert_not_null(text);
  t_open(&t, &quiet);
  for (most = 999; most <= 3000; most += 2001) {
    end = text + sprintf(text, "{\"name\":\"a\"");
    for (i = 0; i < most; i++) end += sprintf(end, ",\"x%04d\":1", i);
    memcpy(end, "}", 2);
    munit_assert_int(t_send(&t, "POST", "/orgs", text), ==, 400);
    munit_assert_size(t_count(&t, "badRequestDetail.fields"), ==, most < 1000 ? (size_t)most : 1000);
    munit_assert_true(t_violation(&t, "x0000"));
    munit_assert_true(t_violation(&t, "x0998"));
  }
  t_close(&t);
  free(text);
}

TEST(body, check_top)
{
  static const check_row rows[] = {
    { "{}", "MISSING_ATTRIBUTE name: is required" },
    { "[]", "INVALID_JSON" },
    { "3", "INVALID_JSON" },
    { N "\"nosuch\":1}", "INVALID_ATTRIBUTE nosuch: does not exist in this object" },
    { "{\"Name\":\"n\"}", "INVALID_ATTRIBUTE Name: does not exist in this object; did you mean name?\nMISSING_ATTRIBUTE name: is required" },
    { N "\"a.b\":1,\"a\\\"b\":2}", "INVALID_ATTRIBUTE a\"b: does not exist in this object\n"
                                   "INVALID_ATTRIBUTE a.b: does not exist in this object" },
    { N "\"id\":\"0123456789abcdef01234567\"}", "ATTRIBUTE_READ_ONLY id: cannot be set or changed" },
    { N "\"id\":null}", "{" R "}" }, /* the zero value of a read-only field is ignored */
    { N "\"id\":\"\"}", "{" R "}" },
    { N "\"id\":0}", "ATTRIBUTE_READ_ONLY id: cannot be set or changed" }, /* only the zero value of the field's own type is ignored */
    { N "\"id\":[]}", "ATTRIBUTE_READ_ONLY id: cannot be set or changed" },
    { N "\"fixed\":\"f\"}", "{\"fixed\":\"f\"," R "}" },
    { N "\"links\":[{\"rel\":\"self\"}]}", "ATTRIBUTE_READ_ONLY links: differs from the served value, and cannot be changed" },
    { N "\"links\":{}}", "ATTRIBUTE_READ_ONLY links: differs from the served value, and cannot be changed" },
    { N "\"nick\":null}", "{" R "}" },
    { "{\"name\":\"n\",\"note\":null}", "{" R "}" },
    { "{\"name\":\"n\",\"note\":\"x\"}", "{\"name\":\"n\",\"note\":\"x\"}" },
    /* all violations in one answer, in the order of the table */
    { "{\"zzz\":1,\"aaa\":1,\"colour\":\"x\",\"id\":\"x\",\"items\":[{\"rank\":\"a\"},{\"x\":1}],\"name\":\"\",\"num\":11,\"small\":\"\"}",
      "INVALID_ATTRIBUTE aaa: does not exist in this object\nINVALID_ATTRIBUTE zzz: does not exist in this object\n"
      "INVALID_ENUM_VALUE colour: must be RED, GREEN or BLUE\nATTRIBUTE_READ_ONLY id: cannot be set or changed\n"
      "INVALID_JSON_ATTRIBUTE items[0].rank: must be an integer\nINVALID_ATTRIBUTE items[1].x: does not exist in this object\n"
      "INVALID_ATTRIBUTE name: must have at least 1 characters\nINVALID_ATTRIBUTE num: must be at most 10\n"
      "INVALID_JSON_ATTRIBUTE small: must be an integer" },
  };
  RUN_ROWS(&thing_object, rows, NULL, SVC_CHECK_CREATE);
}

TEST(body, check_base)
{
  static const check_row create[] = {
    { "{\"zLast\":\"z\"}", "{\"middle\":5,\"numb\":true,\"zLast\":\"z\"}" },
    { "{\"zLast\":\"z\",\"numbA\":\"b\",\"aFirst\":\"a\",\"numb\":false,\"middle\":6}",
      "{\"aFirst\":\"a\",\"middle\":6,\"numb\":false,\"numbA\":\"b\",\"zLast\":\"z\"}" },
    { "{}", "MISSING_ATTRIBUTE zLast: is required" },
    { "{\"zLast\":null}", "MISSING_ATTRIBUTE zLast: is required" }, /* the field is required, which wins over nullable */
    { "{\"zLast\":\"z\",\"first\":1}", "INVALID_ATTRIBUTE first: does not exist in this object; did you mean aFirst?" },
  };
  svc_arena a;
  svc_buf b;
  RUN_ROWS(&derived_object, create, NULL, SVC_CHECK_CREATE);
  svc_arena_init(&a, NULL);
  b = svc_buf_new(&a, 64);
  svc_node_write(&b, svc_presets(&nowhere, &a, &derived_object));
  munit_assert_string_equal(svc_buf_done(&b).p, "{\"middle\":5,\"numb\":true}");
  svc_blocks_free(a.blocks);
}

#define BEFORE \
  "{\"colour\":\"RED\",\"fixed\":\"f\",\"id\":\"0123456789abcdef01234567\",\"inner\":{\"flag\":true,\"level\":5,\"must\":\"m\"}," \
  "\"items\":[{\"id\":\"aaaaaaaaaaaaaaaaaaaaaaaa\",\"rank\":1},{\"id\":\"bbbbbbbbbbbbbbbbbbbbbbbb\",\"rank\":7}]," \
  "\"map\":{\"k\":\"v\"},\"name\":\"n\",\"nick\":\"nn\",\"note\":\"changed\",\"shape\":{\"kind\":\"SQUARE\",\"side\":2}," \
  "\"when\":\"2025-06-01T00:00:00Z\"}"
#define ITEMS \
  "\"items\":[{\"id\":\"aaaaaaaaaaaaaaaaaaaaaaaa\",\"rank\":1},{\"id\":\"bbbbbbbbbbbbbbbbbbbbbbbb\",\"rank\":7}]"
#define HEAD "{\"colour\":\"RED\",\"fixed\":\"f\",\"id\":\"0123456789abcdef01234567\","
#define INNER "\"inner\":{\"flag\":true,\"level\":5,\"must\":\"m\"}"
#define TAIL "\"shape\":{\"kind\":\"SQUARE\",\"side\":2},\"when\":\"2025-06-01T00:00:00Z\"}"

TEST(body, check_update)
{
  static const check_row rows[] = {
    { "{}", BEFORE },
    { BEFORE, BEFORE },
    /* merges, at the top and inside */
    { "{\"name\":\"x\"}", HEAD INNER "," ITEMS ",\"map\":{\"k\":\"v\"},\"name\":\"x\",\"nick\":\"nn\",\"note\":\"changed\"," TAIL },
    { "{\"inner\":{\"level\":6}}", HEAD "\"inner\":{\"flag\":true,\"level\":6,\"must\":\"m\"}," ITEMS
                                        ",\"map\":{\"k\":\"v\"},\"name\":\"n\",\"nick\":\"nn\",\"note\":\"changed\"," TAIL },
    { "{\"shape\":{\"side\":3}}", HEAD INNER "," ITEMS ",\"map\":{\"k\":\"v\"},\"name\":\"n\",\"nick\":\"nn\",\"note\":\"changed\","
                                             "\"shape\":{\"kind\":\"SQUARE\",\"side\":3},\"when\":\"2025-06-01T00:00:00Z\"}" },
    { "{\"shape\":{\"kind\":\"CIRCLE\",\"radius\":1}}",
      HEAD INNER "," ITEMS ",\"map\":{\"k\":\"v\"},\"name\":\"n\",\"nick\":\"nn\",\"note\":\"changed\","
                 "\"shape\":{\"kind\":\"CIRCLE\",\"radius\":1},\"when\":\"2025-06-01T00:00:00Z\"}" },
    /* null clears, or restores the default */
    { "{\"nick\":null,\"note\":null}", HEAD INNER "," ITEMS ",\"map\":{\"k\":\"v\"},\"name\":\"n\",\"note\":\"none\"," TAIL },
    { "{\"name\":null}", "INVALID_ATTRIBUTE name: must not be null" },
    { "{\"inner\":{\"must\":null}}", "INVALID_ATTRIBUTE inner.must: must not be null" },
    { "{\"colour\":null}", "INVALID_ATTRIBUTE colour: must not be null" },
    { "{\"small\":null,\"num\":null,\"ints\":null}", BEFORE }, /* null clears fields that are absent anyway */
    /* maps and arrays are replaced as a whole */
    { "{\"map\":{\"l\":\"w\"}}", HEAD INNER "," ITEMS ",\"map\":{\"l\":\"w\"},\"name\":\"n\",\"nick\":\"nn\",\"note\":\"changed\"," TAIL },
    { "{\"items\":[]}", HEAD INNER ",\"items\":[],\"map\":{\"k\":\"v\"},\"name\":\"n\",\"nick\":\"nn\",\"note\":\"changed\"," TAIL },
    /* an element keeps the id that it is sent with, or that of its position; fields that were not sent get their defaults */
    { "{\"items\":[{\"id\":\"bbbbbbbbbbbbbbbbbbbbbbbb\"}]}",
      HEAD INNER ",\"items\":[{\"id\":\"bbbbbbbbbbbbbbbbbbbbbbbb\",\"rank\":1}],\"map\":{\"k\":\"v\"},\"name\":\"n\",\"nick\":\"nn\","
                 "\"note\":\"changed\"," TAIL },
    { "{\"items\":[{\"rank\":9}]}",
      HEAD INNER ",\"items\":[{\"id\":\"aaaaaaaaaaaaaaaaaaaaaaaa\",\"rank\":9}],\"map\":{\"k\":\"v\"},\"name\":\"n\",\"nick\":\"nn\","
                 "\"note\":\"changed\"," TAIL },
    { "{\"items\":[{\"id\":\"cccccccccccccccccccccccc\"}]}", "ATTRIBUTE_READ_ONLY items[0].id: cannot be set or changed" },
    /* read-only and fixed */
    { "{\"id\":\"0123456789abcdef01234567\",\"fixed\":\"f\"}", BEFORE },
    { "{\"id\":\"0123456789abcdef01234568\"}", "ATTRIBUTE_READ_ONLY id: cannot be set or changed" },
    { "{\"id\":null}", BEFORE },
    { "{\"id\":\"\"}", BEFORE },
    { "{\"items\":[{\"id\":\"\",\"rank\":1},{\"id\":null,\"rank\":7}]}", BEFORE },
    { "{\"fixed\":null}", "ATTRIBUTE_READ_ONLY fixed: cannot be set or changed" },
    { "{\"fixed\":\"\"}", "ATTRIBUTE_READ_ONLY fixed: cannot be set or changed" },
    { "{\"fixed\":\"g\"}", "ATTRIBUTE_READ_ONLY fixed: cannot be set or changed" },
    { "{\"fixed\":\"g\",\"id\":\"x\",\"nosuch\":1}", "INVALID_ATTRIBUTE nosuch: does not exist in this object\n"
                                                     "ATTRIBUTE_READ_ONLY fixed: cannot be set or changed\n"
                                                     "ATTRIBUTE_READ_ONLY id: cannot be set or changed" },
  };
  static const check_row empty[] = {
    { "{\"fixed\":\"late\"}", "ATTRIBUTE_READ_ONLY fixed: cannot be set or changed" }, /* the field was not set at creation */
    { "{\"fixed\":null}", "{\"name\":\"n\",\"note\":\"none\"}" },
    { "{\"inner\":{\"level\":1}}", "MISSING_ATTRIBUTE inner.must: is required" },      /* there is no stored object to merge with */
    { "{\"shape\":{\"side\":1}}", "MISSING_ATTRIBUTE shape.kind: is required and selects the kind of object: it must be CIRCLE or SQUARE" },
  };
  RUN_ROWS(&thing_object, rows, BEFORE, SVC_CHECK_UPDATE);
  RUN_ROWS(&thing_object, empty, "{\"name\":\"n\",\"note\":\"none\"}", SVC_CHECK_UPDATE);
}

TEST(body, check_replace)
{
  static const check_row rows[] = {
    /* fields that were not sent are removed, or get their default; fields that cannot be set stay */
    { "{\"name\":\"x\"}", "{\"fixed\":\"f\",\"id\":\"0123456789abcdef01234567\",\"name\":\"x\",\"note\":\"none\"}" },
    { BEFORE, BEFORE },
    { "{}", "MISSING_ATTRIBUTE name: is required" },
    { "{\"name\":\"n\",\"inner\":{\"must\":\"k\"}}",
      "{\"fixed\":\"f\",\"id\":\"0123456789abcdef01234567\",\"inner\":{\"flag\":false,\"level\":3,\"must\":\"k\"},\"name\":\"n\","
      "\"note\":\"none\"}" },
    { "{\"name\":\"n\",\"inner\":{}}", "MISSING_ATTRIBUTE inner.must: is required" },
    { "{\"name\":\"n\",\"id\":\"0123456789abcdef01234568\"}", "ATTRIBUTE_READ_ONLY id: cannot be set or changed" },
    { "{\"name\":\"n\",\"fixed\":\"g\"}", "ATTRIBUTE_READ_ONLY fixed: cannot be set or changed" },
    { "{\"name\":\"n\",\"nick\":null}", "{\"fixed\":\"f\",\"id\":\"0123456789abcdef01234567\",\"name\":\"n\",\"note\":\"none\"}" },
    { "{\"name\":\"n\",\"shape\":{\"kind\":\"SQUARE\"}}", "MISSING_ATTRIBUTE shape.side: is required" },
    { "{\"name\":\"n\",\"colour\":null,\"id\":\"\",\"inner\":null}", "{\"fixed\":\"f\",\"id\":\"0123456789abcdef01234567\",\"name\":\"n\",\"note\":\"none\"}" },
    { "{\"name\":null}", "MISSING_ATTRIBUTE name: is required" },
    { "{\"name\":\"n\",\"fixed\":null}", "ATTRIBUTE_READ_ONLY fixed: cannot be set or changed" },
  };
  static const check_row fresh[] = {
    { "{\"name\":\"x\",\"fixed\":\"g\"}", "{\"fixed\":\"g\",\"name\":\"x\",\"note\":\"none\"}" }, /* a PUT that creates */
  };
  RUN_ROWS(&thing_object, rows, BEFORE, SVC_CHECK_REPLACE);
  RUN_ROWS(&thing_object, fresh, NULL, SVC_CHECK_REPLACE);
}

/* ---------------------------------------------------------------------------------------------------- through the service */

static void assert_fields(const t_service *t, const char *const *fields)
{
  size_t i;
  char path[64];
  for (i = 0; fields[i]; i++) {
    snprintf(path, sizeof path, "badRequestDetail.fields[%zu].field", i);
    munit_assert_string_equal(t_str(t, path), fields[i]);
    snprintf(path, sizeof path, "badRequestDetail.fields[%zu].description", i);
    munit_assert_string_not_equal(t_str(t, path), "");
  }
  munit_assert_size(t_count(t, "badRequestDetail.fields"), ==, i);
  munit_assert_size(t_count(t, "parameters"), ==, 1);
  munit_assert_string_equal(t_param(t, 0), fields[0]);
}

TEST(body, violations)
{
  t_service t;
  const char *org, *group;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  munit_assert_int(t_send(&t, "POST", "/groups", "{\"nmae\":\"x\"}"), ==, 400);
  munit_assert_string_equal(t_error(&t), "INVALID_ATTRIBUTE");
  assert_fields(&t, (const char *[]){ "nmae", "name", "orgId", NULL });
  munit_assert_string_equal(t_str(&t, "detail"), "The field nmae does not exist in this object; did you mean name? badRequestDetail lists 2 more.");
  munit_assert_string_equal(t_str(&t, "badRequestDetail.fields[1].description"), "is required");
  /* nested violations, each with its full path */
  munit_assert_int(t_sendf(&t, "PATCH",
                           "{\"tags\":[{\"key\":\"\",\"value\":\"v\"},{\"key\":\"k\"},{\"key\":\"k\",\"value\":1,\"x\":2}],\"id\":\"z\"}",
                           "/groups/%s", group),
                   ==, 400);
  munit_assert_string_equal(t_error(&t), "ATTRIBUTE_READ_ONLY");
  assert_fields(&t, (const char *[]){ "id", "tags[0].key", "tags[1].value", "tags[2].x", "tags[2].value", NULL });
  munit_assert_string_equal(t_str(&t, "detail"), "The field id cannot be set or changed. badRequestDetail lists 4 more.");
  munit_assert_string_equal(
    t.response.body,
    "{\"badRequestDetail\":{\"fields\":[{\"description\":\"cannot be set or changed\",\"field\":\"id\"},"
    "{\"description\":\"must have at least 1 characters\",\"field\":\"tags[0].key\"},"
    "{\"description\":\"is required\",\"field\":\"tags[1].value\"},"
    "{\"description\":\"does not exist in this object\",\"field\":\"tags[2].x\"},"
    "{\"description\":\"must be a string\",\"field\":\"tags[2].value\"}]},"
    "\"detail\":\"The field id cannot be set or changed. badRequestDetail lists 4 more.\",\"error\":400,\"errorCode\":\"ATTRIBUTE_READ_ONLY\","
    "\"parameters\":[\"id\"],\"reason\":\"Bad Request\"}");
  /* a cluster: four levels deep, with a union */
  munit_assert_int(t_sendf(&t, "POST",
                           "{\"clusterType\":\"REPLICASET\",\"name\":\"c\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":"
                           "\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":8,"
                           "\"size\":1},\"priority\":9},{\"providerName\":\"MOON\"}]},{}]}",
                           "/groups/%s/clusters", group),
                   ==, 400);
  assert_fields(&t, (const char *[]){ "replicationSpecs[0].regionConfigs[0].electableSpecs.size",
                                      "replicationSpecs[0].regionConfigs[0].electableSpecs.nodeCount",
                                      "replicationSpecs[0].regionConfigs[0].priority",
                                      "replicationSpecs[0].regionConfigs[1].providerName", "replicationSpecs[1].regionConfigs",
                                      NULL });
  munit_assert_string_equal(t_error(&t), "INVALID_ATTRIBUTE");
  /* a field name that must be escaped */
  munit_assert_int(t_sendf(&t, "PATCH", "{\"a\\\"b\\\\c\\u0001\":1}", "/groups/%s", group), ==, 400);
  assert_fields(&t, (const char *[]){ "a\"b\\c\x01", NULL });
  /* none of these requests changed anything */
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  munit_assert_size(t_count(&t, "results[0].tags"), ==, 0);
  t_close(&t);
}

TEST(body, patch_merges)
{
  t_service t;
  char path[64];
  const char *org;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  snprintf(path, sizeof path, "/orgs/%s/settings", org);
  munit_assert_int(t_send(&t, "PATCH", path,
                          "{\"multiFactorAuthRequired\":true,\"securityContact\":\"a@example.com\",\"customSessionTimeouts\":{"
                          "\"absoluteSessionTimeoutInSeconds\":100,\"idleSessionTimeoutInSeconds\":50}}"),
                   ==, 200);
  munit_assert_int(t_send(&t, "PATCH", path, "{\"customSessionTimeouts\":{\"idleSessionTimeoutInSeconds\":60}}"), ==, 200);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
  munit_assert_int64(t_int(&t, "customSessionTimeouts.absoluteSessionTimeoutInSeconds"), ==, 100);
  munit_assert_int64(t_int(&t, "customSessionTimeouts.idleSessionTimeoutInSeconds"), ==, 60);
  munit_assert_string_equal(t_str(&t, "multiFactorAuthRequired"), "true");
  munit_assert_string_equal(t_str(&t, "securityContact"), "a@example.com");
  munit_assert_string_equal(t_str(&t, "genAIFeaturesEnabled"), "true"); /* the default, unchanged */
  munit_assert_int(t_send(&t, "PATCH", path, "{\"securityContact\":null}"), ==, 200);
  munit_assert_null(t_node(&t, "securityContact"));
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
  munit_assert_null(t_node(&t, "securityContact"));
  munit_assert_string_equal(t_str(&t, "multiFactorAuthRequired"), "true");
  munit_assert_int(t_send(&t, "PATCH", path, "{\"multiFactorAuthRequired\":null}"), ==, 400);
  munit_assert_true(t_violation(&t, "multiFactorAuthRequired"));
  t_close(&t);
}

/* Returns the number of events of the organization and the project, to see that a request caused none. */
static int64_t events_of(t_service *t, const char *org, const char *group)
{
  int64_t n;
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events?itemsPerPage=1", org), ==, 200);
  n = t_int(t, "totalCount");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?itemsPerPage=1", group), ==, 200);
  return n + t_int(t, "totalCount");
}

TEST(body, sent_back)
{
  static const char *const changes[] = { NULL, "{\"name\":\"other\"}", "{\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]}",
                                         "{\"isDataExplorerEnabled\":false}", "{\"apiAccessListRequired\":true}", "{\"enabled\":true}" };
  t_service t;
  const char *org, *group;
  size_t i, round, done = 0;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  munit_assert_int(t_sendf(&t, "POST", CLUSTER, "/groups/%s/clusters", group), ==, 201);
  for (round = 0; round < sizeof changes / sizeof changes[0]; round++)
    for (i = 0; i < t.s->plan_count; i++) {
      const svc_plan *plan = &t.s->plans[i];
      const svc_noun *noun = plan->noun->noun;
      char path[256], *body, etag[64];
      int64_t events;
      size_t n;
      if (plan->route->method != SVC_PATCH || !plan->item) continue;
      if (plan->route->run != svc_verb_update) continue;
      if (strcmp(noun->name, "organization") == 0) snprintf(path, sizeof path, "/orgs/%s", org);
      else if (strcmp(noun->name, "project") == 0) snprintf(path, sizeof path, "/groups/%s", group);
      else if (strcmp(noun->name, "cluster") == 0) snprintf(path, sizeof path, "/groups/%s/clusters/Cluster0", group);
      else if (strcmp(noun->name, "organization settings") == 0) snprintf(path, sizeof path, "/orgs/%s/settings", org);
      else if (strcmp(noun->name, "project settings") == 0) snprintf(path, sizeof path, "/groups/%s/settings", group);
      else if (strcmp(noun->name, "private IP mode") == 0) snprintf(path, sizeof path, "/groups/%s/privateIpMode", group);
      else continue; /* nouns that were added later have suites of their own */
      if (changes[round]) { /* not all of these nouns accept the change */
        t_send(&t, "PATCH", path, changes[round]);
        t_advance(&t, 60);
      }
      munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
      body = munit_malloc(t.response.body_length + 1);
      n = t.response.body_length;
      memcpy(body, t.response.body, n + 1);
      snprintf(etag, sizeof etag, "%s", t_get_header(&t, "ETag"));
      munit_assert_string_not_equal(etag, "");
      events = events_of(&t, org, group);
      t_advance(&t, 60);
      if (t_send(&t, "PATCH", path, body) != 200) munit_errorf("%s: %s\n%s", path, t.response.body, body);
      munit_assert_size(t.response.body_length, ==, n);
      munit_assert_memory_equal(n, t.response.body, body);
      munit_assert_string_equal(t_get_header(&t, "ETag"), etag);
      munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
      munit_assert_string_equal(t.response.body, body);
      munit_assert_string_equal(t_get_header(&t, "ETag"), etag);
      munit_assert_int64(events_of(&t, org, group), ==, events);
      free(body);
      done++;
    }
  munit_assert_size(done, ==, 6 * 6);
  t_close(&t);
}

/* Another value of a read-only field is refused, and the resource stays as it was. */
TEST(body, read_only)
{
  static const char *const bodies[] = { "{\"id\":\"0123456789abcdef01234567\"}", "{\"created\":\"2020-01-01T00:00:00Z\"}",
                                        "{\"clusterCount\":5}", "{\"orgId\":\"0123456789abcdef01234567\"}",
                                        "{\"regionUsageRestrictions\":\"GOV_REGIONS_ONLY\"}" };
  static const char *const fields[] = { "id", "created", "clusterCount", "orgId", "regionUsageRestrictions" };
  t_service t;
  const char *group;
  char etag[64];
  size_t i;
  t_open(&t, &quiet);
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
  snprintf(etag, sizeof etag, "%s", t_get_header(&t, "ETag"));
  for (i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    munit_assert_int(t_sendf(&t, "PATCH", bodies[i], "/groups/%s", group), ==, 400);
    munit_assert_string_equal(t_error(&t), "ATTRIBUTE_READ_ONLY");
    munit_assert_string_equal(t_param(&t, 0), fields[i]);
    munit_assert_true(t_violation(&t, fields[i]));
  }
  /* an equal value counts as unchanged, because clients write numbers and times in their own notation */
  munit_assert_int(t_sendf(&t, "PATCH", "{\"clusterCount\":0.0,\"created\":\"2025-06-01T02:00+02:00\"}", "/groups/%s", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "created"), "2025-06-01T00:00:00Z");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"created\":\"2025-06-01T00:00:00.001Z\"}", "/groups/%s", group), ==, 400);
  munit_assert_int(t_send(&t, "POST", "/groups", "{\"name\":\"b\",\"orgId\":\"0123456789abcdef01234567\",\"clusterCount\":1}"), ==, 400);
  munit_assert_string_equal(t_error(&t), "ATTRIBUTE_READ_ONLY");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"clusterCount\":0,\"created\":\"0001-01-01T00:00:00Z\",\"id\":\"\"}", "/groups/%s", group), ==, 200);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
  munit_assert_string_equal(t_get_header(&t, "ETag"), etag);
  t_close(&t);
}

/* A client that sends whole structs sends zero values for the fields that it does not know. */
TEST(body, zero_values)
{
  static const char *const bad[] = { "\"clusterCount\":\"\"", "\"clusterCount\":false", "\"created\":\"0002-01-01T00:00:00Z\"", "\"created\":0", "\"id\":{}" };
  const char *org;
  char body[256];
  size_t i;
  t_service t;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  snprintf(body, sizeof body, "{\"name\":\"sdk\",\"orgId\":\"%s\",\"clusterCount\":0,\"created\":\"0001-01-01T00:00:00Z\",\"id\":\"\",\"tags\":null}", org);
  munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 201);
  munit_assert_int64(t_int(&t, "clusterCount"), ==, 0);
  munit_assert_string_equal(t_str(&t, "created"), "2025-06-01T00:00:00Z");
  munit_assert_size(strlen(t_str(&t, "id")), ==, 24);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    snprintf(body, sizeof body, "{\"name\":\"b%d\",\"orgId\":\"%s\",%s}", (int)i, org, bad[i]);
    munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 400);
    munit_assert_string_equal(t_error(&t), "ATTRIBUTE_READ_ONLY");
  }
  t_close(&t);
}

/*
** How the Accept header selects a dated version of an operation, and how the answer names it.
*/
#include "support.h"

#include <time.h>

#define MEDIA(day) "application/vnd.svc." day "+json"
#define SERVED(day) "application/vnd.svc." day "+json;charset=utf-8"

static const svc_config quiet = { .limiter_off = 1 };

/* A noun whose older versions were removed. Older versions that are still served are tested in older_test.c and in the suites of the
** nouns. */
#define RELIC(m, ...) { .method = m, .path = "/groups/{groupId}/relics", .set = SVC_SET_CLUSTERS, .roles = SVC_R_GROUP_OWNER, __VA_ARGS__ }
static const svc_field relic_fields[] = { F_ID(), F_STR("name", .flags = SVC_REQUIRED) };
static const svc_object relic_object = { .name = "Relic", .fields = SVC_ROWS(relic_fields) };
static const svc_route relic_routes[] = {
  RELIC(SVC_GET, .versions = { 20230101, 20230201, 20240805 }, .flags = SVC_PAGED, .run = svc_verb_list),
  RELIC(SVC_POST, .versions = { 20230101, 20230201, 20240805, 20241023 }, .status = 201, .run = svc_verb_create, .example = "{\"name\":\"a\"}")
};
static const svc_noun relic_noun = {
  .name = "relic", .kind = "rlic", .parent = "project", .object = &relic_object, .routes = SVC_ROUTES(relic_routes)
};
static const svc_noun *const relics[] = { &relic_noun, NULL };

/* Opens a service with this noun, and writes the path of its list. */
static void relic_open(t_service *t, char path[128])
{
  t_probes(relics);
  t_open(t, &quiet);
  snprintf(path, 128, "/groups/%s/relics", t_project(t, t_organization(t, "Acme"), "alpha"));
}

static void relic_close(t_service *t)
{
  t_close(t);
  t_probes(NULL);
}

/* Checks that the answer has status 200 and this Content-Type. */
static void assert_served(t_service *t, const char *path, const char *accept, const char *content_type)
{
  int status;
  t_headers_clear(t);
  if (accept) t_header(t, "Accept", accept);
  status = t_send(t, "GET", path, NULL);
  if (status != 200) munit_errorf("%s with %s: %d %s", path, accept ? accept : "no Accept", status, t_error(t));
  munit_assert_string_equal(t_get_header(t, "Content-Type"), content_type);
  t_headers_clear(t);
}

static void assert_406(t_service *t, const char *path, const char *accept)
{
  int status;
  t_headers_clear(t);
  if (accept) t_header(t, "Accept", accept);
  status = t_send(t, "GET", path, NULL);
  if (status != 406) munit_errorf("%s with %s: %d", path, accept ? accept : "no Accept", status);
  munit_assert_string_equal(t_error(t), "INVALID_VERSION_DATE");
  munit_assert_not_null(t_node(t, "parameters"));
  munit_assert_size(t_count(t, "parameters"), ==, 0);
  munit_assert_string_equal(t_str(t, "reason"), "Not Acceptable");
  munit_assert_string_equal(t_get_header(t, "Content-Type"), "application/json");
  t_headers_clear(t);
}

static void assert_410(t_service *t, const char *path, const char *accept, const char *version)
{
  char full[256], detail[512];
  t_headers_clear(t);
  t_header(t, "Accept", accept);
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 410);
  munit_assert_string_equal(t_error(t), "VERSION_GONE");
  munit_assert_size(t_count(t, "parameters"), ==, 2);
  munit_assert_string_equal(t_param(t, 0), version);
  snprintf(full, sizeof full, "/api/svc/v2%s", path);
  munit_assert_string_equal(t_param(t, 1), full);
  snprintf(detail, sizeof detail, "Version %s of %s is no longer available. Ask for a later version.", version, full);
  munit_assert_string_equal(t_str(t, "detail"), detail);
  munit_assert_string_equal(t_str(t, "reason"), "Gone");
  munit_assert_string_equal(t_get_header(t, "Content-Type"), "application/json");
  t_headers_clear(t);
}

TEST(version, one)
{
  t_service t;
  t_open(&t, &quiet);
  assert_served(&t, "/orgs", MEDIA("2023-01-01"), SERVED("2023-01-01"));
  assert_served(&t, "/orgs", MEDIA("2023-01-02"), SERVED("2023-01-01"));
  assert_served(&t, "/orgs", MEDIA("2025-03-12"), SERVED("2023-01-01"));
  assert_served(&t, "/orgs", MEDIA("9999-12-31"), SERVED("2023-01-01"));
  assert_served(&t, "/rateLimits", MEDIA("2025-03-12"), SERVED("2025-03-12"));
  assert_406(&t, "/rateLimits", MEDIA("2025-03-11"));
  assert_406(&t, "/rateLimits", MEDIA("2023-01-01"));
  assert_406(&t, "/orgs", MEDIA("2022-12-31"));
  assert_406(&t, "/orgs", MEDIA("0001-01-01"));
  t_close(&t);
}

TEST(version, several)
{
  t_service t;
  char path[128];
  relic_open(&t, path);
  assert_406(&t, path, MEDIA("2022-12-31"));
  assert_410(&t, path, MEDIA("2023-01-01"), "2023-01-01");
  assert_410(&t, path, MEDIA("2023-01-31"), "2023-01-01");
  assert_410(&t, path, MEDIA("2023-02-01"), "2023-02-01");
  assert_410(&t, path, MEDIA("2024-08-04"), "2023-02-01");
  assert_served(&t, path, MEDIA("2024-08-05"), SERVED("2024-08-05"));
  assert_served(&t, path, MEDIA("2025-03-12"), SERVED("2024-08-05"));
  assert_served(&t, path, MEDIA("2999-01-01"), SERVED("2024-08-05"));
  assert_served(&t, path, NULL, SERVED("2024-08-05"));
  /* each operation has its own versions: POST on the same path has one more */
  t_header(&t, "Accept", MEDIA("2024-08-05"));
  munit_assert_int(t_send(&t, "POST", path, "{}"), ==, 410);
  munit_assert_string_equal(t_param(&t, 0), "2024-08-05");
  t_header(&t, "Accept", MEDIA("2024-10-23"));
  munit_assert_int(t_send(&t, "POST", path, "{}"), ==, 400); /* because of the body */
  /* the best available version in the list is served, at any position */
  assert_served(&t, path, MEDIA("2023-01-01") ", " MEDIA("2024-08-05"), SERVED("2024-08-05"));
  assert_410(&t, path, MEDIA("2023-02-01") ", " MEDIA("2023-01-01") ", text/html", "2023-02-01");
  assert_406(&t, path, MEDIA("2022-01-01") ", " MEDIA("2023-01-01"));
  relic_close(&t);
}

TEST(version, malformed)
{
  static const char *const bad[] = {
    MEDIA("2023-1-1"), MEDIA("20230101"), MEDIA("2023-01-01T00"), MEDIA("2023-02-30"), MEDIA("2023-13-01"), MEDIA("2023-00-10"),
    MEDIA("2023-04-31"), MEDIA("2025-02-29"), MEDIA("abcd-ef-gh"), MEDIA("preview"), MEDIA(""), "application/vnd.svc+json",
    "application/vnd.svc.2023-01-01", "application/vnd.svc.2023-01-01+csv", "application/vnd.svc.2023-01-01+jsonx",
    "application/vnd.other.2023-01-01+json", "application/vnd.svcx.2023-01-01+json", "text/html", "text/*", "application/xml",
    "application", "/", "*", "nonsense", ";", ",", ",,", " , ;q=1", "*/json", "application/jsonp", "=", "\xFF\xFE",
  };
  t_service t;
  size_t i;
  t_open(&t, &quiet);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_406(&t, "/orgs", bad[i]);
  assert_served(&t, "/orgs", MEDIA("2024-02-29"), SERVED("2023-01-01")); /* a leap day is a valid date */
  t_close(&t);
}

TEST(version, none_named)
{
  static const char *const any[] = { NULL, "", "*/*", "application/*", "application/json", "APPLICATION/JSON", "Application/*",
                                     "application/json; charset=utf-8", "application/json;charset=utf-8;q=0.1",
                                     " application/json ", "text/html, */*", "text/html;q=0.9,application/json;q=0.1" };
  svc_config strict = { .limiter_off = 1, .strict_accept = 1 };
  t_service t;
  size_t i;
  t_open(&t, &quiet);
  for (i = 0; i < sizeof any / sizeof any[0]; i++) assert_served(&t, "/orgs", any[i], SERVED("2023-01-01"));
  t_close(&t);
  t_open(&t, &strict);
  for (i = 0; i < sizeof any / sizeof any[0]; i++) assert_406(&t, "/orgs", any[i]);
  assert_served(&t, "/orgs", MEDIA("2023-01-01"), SERVED("2023-01-01"));
  assert_served(&t, "/orgs", "*/*, " MEDIA("2023-01-01") ";q=0.1", SERVED("2023-01-01"));
  t_close(&t);
}

/* The versions of the relic noun show the order of preference: the error names the version that was tried first. */
TEST(version, quality)
{
  t_service t;
  char path[128];
  relic_open(&t, path);
  /* the error is that of the preferred version */
  assert_410(&t, path, MEDIA("2023-01-01") ";q=0.5, " MEDIA("2023-02-01") ";q=0.8", "2023-02-01");
  assert_410(&t, path, MEDIA("2023-01-01") ";q=0.9, " MEDIA("2023-02-01") ";q=0.8", "2023-01-01");
  assert_410(&t, path, MEDIA("2023-01-01") ";q=0.81, " MEDIA("2023-02-01") ";q=0.8", "2023-01-01");
  assert_410(&t, path, MEDIA("2023-01-01") ";q=0.801, " MEDIA("2023-02-01") ";q=0.80", "2023-01-01");
  assert_410(&t, path, MEDIA("2023-01-01") ";q=0.8, " MEDIA("2023-02-01"), "2023-02-01"); /* no q means 1 */
  assert_410(&t, path, MEDIA("2023-01-01") ";q=1.000, " MEDIA("2023-02-01") ";q=0.999", "2023-01-01");
  assert_410(&t, path, MEDIA("2023-01-01") ";q=1.," MEDIA("2023-02-01") ";q=0.", "2023-01-01");
  /* equal q: the first in the list, but a version precedes a wildcard */
  assert_410(&t, path, MEDIA("2023-01-01") "," MEDIA("2023-02-01"), "2023-01-01");
  assert_410(&t, path, MEDIA("2023-02-01") "," MEDIA("2023-01-01"), "2023-02-01");
  assert_served(&t, path, "*/*, " MEDIA("2023-02-01"), SERVED("2024-08-05"));
  assert_410(&t, path, "text/html, " MEDIA("2023-02-01"), "2023-02-01");
  assert_406(&t, path, "text/html;q=1, " MEDIA("2023-02-01") ";q=0.5"); /* the unknown type was preferred */
  /* q=0: excluded */
  assert_406(&t, path, MEDIA("2024-08-05") ";q=0");
  assert_406(&t, path, MEDIA("2024-08-05") ";q=0.000");
  assert_406(&t, path, MEDIA("2024-08-05") ";q=0x5"); /* a range with an invalid q is ignored */
  assert_406(&t, path, MEDIA("2024-08-05") ";q=0.12345");
  assert_406(&t, path, "*/*;q=0");
  assert_406(&t, path, "application/json;q=0.0, " MEDIA("2024-08-05") ";q=0");
  assert_410(&t, path, MEDIA("2024-08-05") ";q=0, " MEDIA("2023-01-01") ";q=0.001", "2023-01-01");
  /* a wildcard does not include an excluded version again */
  assert_406(&t, path, MEDIA("2024-08-05") ";q=0, */*");
  assert_406(&t, path, "*/*, " MEDIA("2025-03-12") ";q=0.0, application/*;q=0.1");
  assert_406(&t, path, "application/*;q=0, */*;q=0.5, */*");
  assert_served(&t, path, "application/*;q=0, */*, application/json", SERVED("2024-08-05"));
  assert_served(&t, path, "application/*;q=0, " MEDIA("2024-08-05") ";q=0.1", SERVED("2024-08-05"));
  assert_served(&t, path, MEDIA("2023-01-01") ";q=0, */*", SERVED("2024-08-05")); /* excludes another version than the one served */
  assert_served(&t, path, "text/*;q=0, text/html;q=0, */*;q=0, application/*", SERVED("2024-08-05"));
  assert_served(&t, path, MEDIA("2024-08-05") ";q=abc, */*", SERVED("2024-08-05")); /* an invalid range is ignored */
  assert_410(&t, path, MEDIA("2024-08-05") ";q=0, */*;q=0.5, " MEDIA("2023-01-01") ";q=0.6", "2023-01-01");
  /* other invalid values of q */
  assert_406(&t, path, MEDIA("2024-08-05") ";q=2");
  assert_406(&t, path, MEDIA("2024-08-05") ";q=1.001");
  assert_406(&t, path, MEDIA("2024-08-05") ";q=-1");
  assert_406(&t, path, MEDIA("2024-08-05") ";q=abc");
  assert_406(&t, path, MEDIA("2024-08-05") ";q=");
  assert_406(&t, path, MEDIA("2024-08-05") ";q");
  assert_406(&t, path, MEDIA("2024-08-05") ";q=0.1234");
  assert_406(&t, path, MEDIA("2024-08-05") ";q=.5");
  assert_406(&t, path, MEDIA("2024-08-05") ";q=0,5"); /* the comma ends the range */
  /* spaces, case, and other parameters */
  assert_served(&t, path, "  " MEDIA("2024-08-05") "  ;  Q = 0.5  ", SERVED("2024-08-05"));
  assert_served(&t, path, "\t" MEDIA("2024-08-05") "\t;\tcharset=utf-8;q=0.5;x=y", SERVED("2024-08-05"));
  assert_served(&t, path, "APPLICATION/VND.SVC.2024-08-05+JSON", SERVED("2024-08-05"));
  assert_410(&t, path, "Application/Vnd.Svc.2023-01-01+Json", "2023-01-01");
  assert_served(&t, path, ",, " MEDIA("2024-08-05") " ,", SERVED("2024-08-05"));
  relic_close(&t);
}

/* A list of 15000 bytes is read completely, in less than a second. */
TEST(version, long_list)
{
  enum { SIZE = 15000 };
  static const char *const fills[] = { "a/b,", "*/*;q=0.1,", "a/b;q=0,", ",", "text/html;q=0.001 ," };
  t_service t;
  char path[128], *list = malloc(SIZE + 128);
  size_t i, n;
  munit_assert_not_null(list);
  relic_open(&t, path);
  for (i = 0; i < sizeof fills / sizeof fills[0]; i++) {
    clock_t start = clock();
    for (n = 0; n < SIZE; n += strlen(fills[i])) memcpy(list + n, fills[i], strlen(fills[i]) + 1);
    memcpy(list + n, MEDIA("2024-08-05"), sizeof MEDIA("2024-08-05"));
    assert_served(&t, path, list, SERVED("2024-08-05"));
    memcpy(list + n, MEDIA("2023-01-01"), sizeof MEDIA("2023-01-01"));
    if (i == 1) assert_served(&t, path, list, SERVED("2024-08-05"));
    else if (i == 0) assert_410(&t, path, list, "2023-01-01");
    munit_assert_double((double)(clock() - start) / CLOCKS_PER_SEC, <, 1.0);
  }
  relic_close(&t);
  free(list);
}

TEST(version, two_headers)
{
  svc_header headers[3];
  svc_request request;
  svc_response response;
  t_service t;
  t_open(&t, &quiet);
  memset(headers, 0, sizeof headers);
  memset(&request, 0, sizeof request);
  headers[0].name = "Accept";
  headers[0].value = "text/html";
  headers[1].name = "X-Other";
  headers[1].value = "application/json";
  headers[2].name = "ACCEPT";
  headers[2].value = MEDIA("2023-05-05") ";q=0.3XYZ";
  headers[2].value_length = strlen(MEDIA("2023-05-05") ";q=0.3");
  request.method = "GET";
  request.target = "/api/svc/v2/orgs";
  request.headers = headers;
  request.caller = &t.caller;
  request.header_count = 2; /* only the first Accept header */
  munit_assert_int(svc_handle_request(t.s, &request, &response), ==, SVC_OK);
  munit_assert_int(response.status, ==, 406);
  svc_response_free(&response);
  request.header_count = 3; /* both headers count as one list */
  munit_assert_int(svc_handle_request(t.s, &request, &response), ==, SVC_OK);
  munit_assert_int(response.status, ==, 200);
  munit_assert_string_equal(svc_response_header(&response, "content-type"), SERVED("2023-01-01"));
  svc_response_free(&response);
  headers[0] = headers[2]; /* in the other order */
  headers[2].value = "text/html";
  headers[2].value_length = 0;
  munit_assert_int(svc_handle_request(t.s, &request, &response), ==, SVC_OK);
  munit_assert_int(response.status, ==, 200);
  svc_response_free(&response);
  t_close(&t);
}

TEST(version, vendor)
{
  svc_config config = { .limiter_off = 1, .vendor = "acme-2" };
  t_service t;
  t_open(&t, &config);
  t_header(&t, "Accept", "application/vnd.acme-2.2025-03-12+json");
  munit_assert_int(t_send(&t, "GET", "/api/acme-2/v2/orgs", NULL), ==, 200);
  munit_assert_string_equal(t_get_header(&t, "Content-Type"), "application/vnd.acme-2.2023-01-01+json;charset=utf-8");
  munit_assert_string_equal(t_link(&t, "self"), "http://localhost:8080/api/acme-2/v2/orgs?includeCount=true&pageNum=1"
                                                "&itemsPerPage=100");
  munit_assert_int(t_send(&t, "GET", "/api/svc/v2/orgs", NULL), ==, 404);
  t_header(&t, "Accept", MEDIA("2025-03-12"));
  munit_assert_int(t_send(&t, "GET", "/api/acme-2/v2/orgs", NULL), ==, 406);
  t_headers_clear(&t);
  t_header(&t, "Content-Type", "application/vnd.acme-2.2025-03-12+json");
  munit_assert_int(t_send(&t, "POST", "/api/acme-2/v2/orgs", "{\"name\":\"a\"}"), ==, 201);
  t_header(&t, "Content-Type", MEDIA("2025-03-12"));
  munit_assert_int(t_send(&t, "POST", "/api/acme-2/v2/orgs", "{\"name\":\"b\"}"), ==, 415);
  t_close(&t);
}

/* Every version of every operation in this build is either served or refused with 410, as the table says. */
TEST(version, every_route)
{
  t_service t;
  size_t i;
  unsigned v;
  t_open(&t, &quiet);
  for (i = 0; i < t.s->plan_count; i++) {
    const svc_plan *plan = &t.s->plans[i];
    if (plan->route->flags & SVC_ABSOLUTE) continue; /* these routes have no versions */
    char accept[64];
    for (v = 0; svc_route_version(plan->route, v); v++) {
      unsigned day = svc_route_version(plan->route, v);
      const svc_older *older = svc_route_older(plan->route, day);
      bool served = (older || !svc_route_version(plan->route, v + 1)) && !t_ended(&t, plan);
      svc_arena arena;
      svc_call c;
      svc_arena_init(&arena, NULL);
      memset(&c, 0, sizeof c);
      c.s = t.s;
      c.arena = &arena;
      c.plan = plan;
      c.now = t.now;
      c.request.path = SVC_S("/x");
      snprintf(accept, sizeof accept, "application/vnd.svc.%04u-%02u-%02u+json", day / 10000, day / 100 % 100, day % 100);
      c.request.accept = svc_str_c(accept);
      munit_assert_int(svc_stage_version(&c), ==, served);
      munit_assert_int(c.error.code, ==, served ? SVC_E_NONE : SVC_E_VERSION_GONE);
      munit_assert_uint(c.route.version, ==, served ? day : 0);
      munit_assert_ptr_equal(c.route.older, served ? older : NULL);
      svc_blocks_free(arena.blocks);
    }
    munit_assert_uint(v, >, 0);
  }
  t_close(&t);
}

/* ---------------------------------------------------------------------------------------------------- deprecation, sunset */

typedef struct ending {
  svc_arena arena;
  svc_response response;
  bool served;
} ending;

/* Runs a made-up route once at this time. */
static void ending_run(ending *e, t_service *t, const svc_route *route, const char *accept, const char *now)
{
  svc_request request;
  svc_plan plan;
  svc_call c;
  svc_arena_init(&e->arena, NULL);
  memset(&request, 0, sizeof request);
  memset(&e->response, 0, sizeof e->response);
  memset(&plan, 0, sizeof plan);
  memset(&c, 0, sizeof c);
  request.method = "GET";
  plan.route = route;
  c.s = t->s;
  c.arena = &e->arena;
  c.request.raw = &request;
  c.plan = &plan;
  c.request.path = SVC_S("/api/svc/v2/old");
  c.request.accept = svc_str_c(accept);
  munit_assert_true(svc_date_parse(svc_str_c(now), &c.now));
  e->served = svc_stage_version(&c);
  if (e->served) {
    c.answer.status = 200;
    c.answer.body = SVC_S("{}");
    c.answer.links_at = 1;
  }
  svc_stage_respond(&c, &e->response);
}

static const char *ending_header(const ending *e, const char *name)
{
  const char *value = svc_response_header(&e->response, name);
  return value ? value : "";
}

TEST(version, deprecated)
{
  static const svc_route plain = { .path = "/old", .versions = { 20230101 } };
  static const svc_route deprecated = { .path = "/old", .versions = { 20230101 }, .deprecated = 20240805 };
  static const svc_route ends = { .path = "/old", .versions = { 20230101 }, .deprecated = 20240805, .sunset = 20260301 };
  t_service t;
  ending e;
  t_open(&t, &quiet);

  ending_run(&e, &t, &plain, MEDIA("2023-01-01"), "2025-06-01T00:00:00Z");
  munit_assert_true(e.served);
  munit_assert_string_equal(ending_header(&e, "Deprecation"), "");
  munit_assert_string_equal(ending_header(&e, "Sunset"), "");
  svc_blocks_free(e.arena.blocks);

  ending_run(&e, &t, &deprecated, MEDIA("2023-01-01"), "2025-06-01T00:00:00Z");
  munit_assert_true(e.served);
  munit_assert_int(e.response.status, ==, 200);
  munit_assert_string_equal(ending_header(&e, "Content-Type"), SERVED("2023-01-01"));
  munit_assert_string_equal(ending_header(&e, "Deprecation"), "Mon, 05 Aug 2024 00:00:00 GMT");
  munit_assert_string_equal(ending_header(&e, "Sunset"), "");
  svc_blocks_free(e.arena.blocks);

  ending_run(&e, &t, &ends, "*/*", "2026-02-28T23:59:59.999Z");
  munit_assert_true(e.served);
  munit_assert_int(e.response.status, ==, 200);
  munit_assert_string_equal(ending_header(&e, "Deprecation"), "Mon, 05 Aug 2024 00:00:00 GMT");
  munit_assert_string_equal(ending_header(&e, "Sunset"), "Sun, 01 Mar 2026 00:00:00 GMT");
  svc_blocks_free(e.arena.blocks);

  t_close(&t);
}

/* The Sunset header announces the date. From that date on the service refuses the operation only if the configuration enforces the
** sunset. The error does not suggest a later version. */
TEST(version, sunset)
{
  static const svc_route ends = { .path = "/old", .versions = { 20230101, 20240805 }, .deprecated = 20250101, .sunset = 20260301 };
  static const char *const accepts[] = { MEDIA("2024-08-05"), MEDIA("2030-01-01"), "*/*", "" };
  static const svc_config enforcing = { .limiter_off = 1, .enforce_sunset = 1 };
  t_service announced, enforced;
  ending e;
  size_t i;
  t_open(&announced, &quiet);
  t_open(&enforced, &enforcing);
  for (i = 0; i < 4; i++) {
    ending_run(&e, &announced, &ends, accepts[i], "2036-03-01T00:00:00Z");
    munit_assert_true(e.served);
    munit_assert_int(e.response.status, ==, 200);
    munit_assert_string_equal(ending_header(&e, "Sunset"), "Sun, 01 Mar 2026 00:00:00 GMT");
    svc_blocks_free(e.arena.blocks);
    ending_run(&e, &enforced, &ends, accepts[i], "2026-02-28T23:59:59.999Z");
    munit_assert_true(e.served);
    svc_blocks_free(e.arena.blocks);
    ending_run(&e, &enforced, &ends, accepts[i], "2026-03-01T00:00:00Z");
    munit_assert_false(e.served);
    munit_assert_int(e.response.status, ==, 410);
    munit_assert_string_equal(e.response.body,
                              "{\"detail\":\"The operation at /api/svc/v2/old ended on 2026-03-01, its sunset date.\",\"error\":410,"
                              "\"errorCode\":\"VERSION_GONE\",\"parameters\":[\"2024-08-05\",\"/api/svc/v2/old\"],\"reason\":\"Gone\"}");
    munit_assert_string_equal(ending_header(&e, "Content-Type"), "application/json");
    munit_assert_string_equal(ending_header(&e, "X-Error-Code"), "VERSION_GONE");
    svc_blocks_free(e.arena.blocks);
  }
  ending_run(&e, &announced, &ends, MEDIA("2023-06-01"), "2025-03-01T00:00:00Z"); /* an older version is 410 at any time */
  munit_assert_int(e.response.status, ==, 410);
  munit_assert_ptr_not_null(strstr(e.response.body, "\"parameters\":[\"2023-01-01\","));
  munit_assert_ptr_not_null(strstr(e.response.body, "Ask for a later version."));
  svc_blocks_free(e.arena.blocks);
  t_close(&announced);
  t_close(&enforced);
}

/* The Content-Type of an error names no version, at whatever stage the request fails. An error of a deprecated operation announces its end,
** too. */
TEST(version, of_errors)
{
  t_service t;
  const char *org;
  t_open(&t, &quiet);
  t_header(&t, "Accept", MEDIA("2023-01-01"));
  munit_assert_int(t_send(&t, "GET", "/groups/0123456789abcdef01234567", NULL), ==, 404);
  munit_assert_string_equal(t_get_header(&t, "Content-Type"), "application/json");
  munit_assert_int(t_send(&t, "GET", "/orgs?pageNum=0", NULL), ==, 400);
  munit_assert_string_equal(t_get_header(&t, "Content-Type"), "application/json");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{"), ==, 400);
  munit_assert_string_equal(t_get_header(&t, "Content-Type"), "application/json");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"Acme\"}"), ==, 201);
  munit_assert_string_equal(t_get_header(&t, "Content-Type"), SERVED("2023-01-01"));
  munit_assert_string_equal(t_get_header(&t, "Deprecation"), "");
  org = t_keep(&t, t_str(&t, "organization.id"));
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/invites/0123456789abcdef01234567", org), ==, 404);
  munit_assert_string_equal(t_get_header(&t, "Deprecation"), "Wed, 19 Feb 2025 00:00:00 GMT");
  munit_assert_string_equal(t_get_header(&t, "Sunset"), "Thu, 01 Jul 2027 00:00:00 GMT");
  t.anonymous = true;
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 401);
  munit_assert_string_equal(t_get_header(&t, "Content-Type"), "application/json");
  t_close(&t);
}

/*
** Older dated versions: a row of the route has the shape, and functions that upgrade a request and downgrade an answer. A
** gadget has a size, {width, height}. Its oldest version had both at the root, and only flat gadgets, without a depth. The
** version between them has the shape of the newest.
*/
#include "mechanism/probe.h"

#define MEDIA(day) "application/vnd.svc." day "+json"
#define OLDEST MEDIA("2023-01-01")
#define OLD MEDIA("2024-01-01")
#define NEWEST MEDIA("2025-01-01")

static const svc_field gadget_size_fields[] = {
  F_INT("depth"), F_INT("height", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 100), F_INT("width", .flags = SVC_REQUIRED)
};
static const svc_object gadget_size = { .name = "GadgetSize", .fields = SVC_ROWS(gadget_size_fields) };
static const svc_field gadget_fields[] = {
  F_GROUP_ID(), F_ID(), F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED), F_OBJ("size", &gadget_size, .flags = SVC_REQUIRED), F_STR("zone", .preset = "\"a\"")
};
static const svc_object gadget_object = { .name = "Gadget", .fields = SVC_ROWS(gadget_fields) };

static const svc_field gadget_old_fields[] = {
  F_INT("area", .flags = SVC_READ_ONLY), F_GROUP_ID(), F_INT("height"), F_ID(), F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED),
  F_INT("width", .flags = SVC_REQUIRED | SVC_MIN, .min = 1)
};
static const svc_object gadget_old_object = { .name = "Gadget20230101", .fields = SVC_ROWS(gadget_old_fields) };

static void gadget_into_size(svc_call *c, svc_node *size, svc_node *body, const char *name)
{
  svc_node_set_copy(c->arena, size, name, body, name);
  svc_node_drop(body, name);
}

static bool gadget_upgrade(svc_call *c, svc_node *body, const svc_node *before)
{
  const svc_node *was = svc_node_get(before, "size");
  svc_node *size = was ? svc_node_copy(c->arena, was) : svc_node_object(c->arena, "size");
  if (!size) return false;
  if (svc_node_i64(body, "width", 0) == 13) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("width"), "brings bad luck");
  if (svc_node_get(body, "height")) gadget_into_size(c, size, body, "height");
  if (svc_node_get(body, "width")) gadget_into_size(c, size, body, "width");
  svc_node_put(c->arena, body, size);
  return !c->arena->failed;
}

static bool gadget_downgrade(svc_call *c, svc_node *shown)
{
  const svc_node *size = svc_node_get(shown, "size");
  if (svc_node_get(size, "depth")) return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "it is too deep");
  svc_node_set_i64(c->arena, shown, "area", svc_node_i64(size, "height", 1) * svc_node_i64(size, "width", 0));
  svc_node_set_copy(c->arena, shown, "height", size, "height");
  svc_node_set_copy(c->arena, shown, "width", size, "width");
  svc_node_drop(shown, "size");
  svc_node_drop(shown, "zone");
  return !c->arena->failed;
}

#define GADGET_SHAPE .sunset = 20260301, .omits = true, .body = &gadget_old_object, .answer = &gadget_old_object, \
                     .upgrade = gadget_upgrade, .downgrade = gadget_downgrade
static const svc_older gadget_older[] = {
  { .date = 20230101, .example = "{\"name\":\"a\",\"width\":1}", GADGET_SHAPE }, { .date = 20240101 }, { .date = 0 }
};
static const svc_older gadget_older_create[] = {
  { .date = 20230101, .status = 200, .example = "{\"name\":\"a\",\"width\":1}", GADGET_SHAPE }, { .date = 20240101 }, { .date = 0 }
};
#define GADGET(m, p, ...) { .method = m, .path = "/groups/{groupId}/gadgets" p, .set = SVC_SET_CLUSTERS, .roles = SVC_R_GROUP_OWNER, \
                            .versions = { 20220101, 20230101, 20240101, 20250101 }, .flags = SVC_V1_TOO, __VA_ARGS__ }
#define GADGETS(...) { .method = SVC_GET, .path = "/groups/{groupId}/gadgets", .set = SVC_SET_CLUSTERS, .roles = SVC_R_GROUP_OWNER, \
                       .versions = { 20220101, 20230101, 20240101, 20250101 }, .flags = SVC_PAGED, __VA_ARGS__ }
static const svc_route gadget_routes[] = {
  GADGETS(.older = gadget_older, .run = svc_verb_list),
  GADGET(SVC_POST, "", .older = gadget_older_create, .status = 201, .run = svc_verb_create, .example = "{\"name\":\"a\",\"size\":{\"width\":1}}"),
  GADGET(SVC_GET, "/{gadgetId}", .older = gadget_older, .run = svc_verb_read),
  GADGET(SVC_PATCH, "/{gadgetId}", .older = gadget_older, .run = svc_verb_update),
  GADGET(SVC_PUT, "/{gadgetId}", .older = gadget_older, .run = svc_verb_replace)
};
static const svc_noun gadget_noun = {
  .name = "gadget", .kind = "gdgt", .parent = "project", .param = "gadgetId", .object = &gadget_object, .event_created = "CLUSTER_CREATED",
  .event_updated = "CLUSTER_UPDATE_STARTED", .routes = SVC_ROUTES(gadget_routes)
};
static const svc_noun *const gadgets[] = { &gadget_noun, NULL };

/* -------------------------------------------------------------------------------------------------------------- tests */

static const svc_config quiet = { .limiter_off = 1 };

static void gadget_open(t_place *w, const svc_config *config)
{
  t_probes(gadgets);
  t_place_open(w, config ? config : &quiet, "alpha", NULL);
}

static void gadget_close(t_place *w)
{
  t_close(&w->t);
  t_probes(NULL);
}

static int gadget_send(t_place *w, const char *accept, const char *method, const char *below, const char *body)
{
  t_headers_clear(&w->t);
  t_header(&w->t, "Accept", accept);
  return t_sendf(&w->t, method, body, "/groups/%s/gadgets%s", w->group, below);
}

/* Creates a gadget in the newest version. Returns "/ID". */
static const char *gadget_make(t_place *w, const char *body)
{
  char at[32];
  munit_assert_int(gadget_send(w, NEWEST, "POST", "", body), ==, 201);
  snprintf(at, sizeof at, "/%s", t_str(&w->t, "id"));
  return t_keep(&w->t, at);
}

TEST(older, read)
{
  t_place w;
  const char *at;
  gadget_open(&w, NULL);
  at = gadget_make(&w, "{\"name\":\"a\",\"size\":{\"width\":3,\"height\":4}}");
  munit_assert_int(gadget_send(&w, OLDEST, "GET", at, NULL), ==, 200);
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), OLDEST ";charset=utf-8");
  munit_assert_string_equal(t_get_header(&w.t, "Deprecation"), "Mon, 01 Jan 2024 00:00:00 GMT"); /* the date of the next version */
  munit_assert_string_equal(t_get_header(&w.t, "Sunset"), "Sun, 01 Mar 2026 00:00:00 GMT");
  munit_assert_size(t_count(&w.t, ""), ==, 7);
  munit_assert_int64(t_int(&w.t, "area"), ==, 12);
  munit_assert_int64(t_int(&w.t, "height"), ==, 4);
  munit_assert_int64(t_int(&w.t, "width"), ==, 3);
  munit_assert_string_equal(strrchr(t_link(&w.t, "self"), '/'), at);
  munit_assert_int(gadget_send(&w, MEDIA("2023-12-31"), "GET", at, NULL), ==, 200); /* the day before the next version selects this one */
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), OLDEST ";charset=utf-8");
  munit_assert_int(gadget_send(&w, OLD, "GET", at, NULL), ==, 200); /* the shape of the newest version */
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), OLD ";charset=utf-8");
  munit_assert_string_equal(t_get_header(&w.t, "Deprecation"), "Wed, 01 Jan 2025 00:00:00 GMT");
  munit_assert_string_equal(t_get_header(&w.t, "Sunset"), "");
  munit_assert_int64(t_int(&w.t, "size.width"), ==, 3);
  munit_assert_int(gadget_send(&w, NEWEST, "GET", at, NULL), ==, 200);
  munit_assert_string_equal(t_get_header(&w.t, "Deprecation"), "");
  munit_assert_int64(t_int(&w.t, "size.height"), ==, 4);
  munit_assert_int(gadget_send(&w, OLDEST, "GET", "/0123456789abcdef01234567", NULL), ==, 404);
  munit_assert_string_equal(t_get_header(&w.t, "Sunset"), "Sun, 01 Mar 2026 00:00:00 GMT"); /* errors have these headers, too */
  gadget_close(&w);
}

/* Envelope, formatting, and the older base path, which has no versions. */
TEST(older, written)
{
  t_place w;
  char path[128];
  const char *at;
  gadget_open(&w, NULL);
  at = gadget_make(&w, "{\"name\":\"a\",\"size\":{\"width\":3}}");
  snprintf(path, sizeof path, "%s?envelope=true&pretty=true", at);
  munit_assert_int(gadget_send(&w, OLDEST, "GET", path, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "content.width"), ==, 3);
  munit_assert_int64(t_int(&w.t, "status"), ==, 200);
  munit_assert_not_null(strstr(w.t.response.body, "\n"));
  snprintf(path, sizeof path, "/api/svc/v1.0/groups/%s/gadgets%s", w.group, at);
  munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "size.width"), ==, 3);
  gadget_close(&w);
}

TEST(older, list)
{
  t_place w;
  int i;
  gadget_open(&w, NULL);
  for (i = 0; i < 5; i++)
    gadget_make(&w, i == 2 ? "{\"name\":\"a\",\"size\":{\"width\":3,\"depth\":9}}" : "{\"name\":\"a\",\"size\":{\"width\":3}}");
  munit_assert_int(gadget_send(&w, NEWEST, "GET", "?itemsPerPage=3", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 5);
  munit_assert_int(gadget_send(&w, OLDEST, "GET", "?itemsPerPage=3", NULL), ==, 200); /* this version cannot express one of them */
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 4);
  munit_assert_size(t_count(&w.t, "results"), ==, 3);
  munit_assert_int64(t_int(&w.t, "results[2].area"), ==, 3);
  munit_assert_size(strlen(t_str(&w.t, "results[2].links[0].href")), >, 0);
  munit_assert_size(strlen(t_link(&w.t, "next")), >, 0);
  munit_assert_int(gadget_send(&w, OLDEST, "GET", "?itemsPerPage=3&pageNum=2", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 1);
  munit_assert_string_equal(t_link(&w.t, "next"), "");
  munit_assert_int(gadget_send(&w, OLDEST, "GET", "?includeCount=false&envelope=true", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 4);
  gadget_close(&w);
}

/* A gadget that the older shape cannot express is refused alone, and so is a change of it; nothing is changed. */
TEST(older, refused)
{
  t_place w;
  const char *at;
  gadget_open(&w, NULL);
  at = gadget_make(&w, "{\"name\":\"a\",\"size\":{\"width\":3,\"depth\":9}}");
  munit_assert_int(gadget_send(&w, OLDEST, "GET", at, NULL), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_REQUEST");
  munit_assert_int(gadget_send(&w, OLDEST, "PATCH", at, "{\"width\":5}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "INVALID_REQUEST");
  munit_assert_int(gadget_send(&w, NEWEST, "GET", at, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "size.width"), ==, 3);
  gadget_close(&w);
}

TEST(older, create)
{
  t_place w;
  char at[32];
  gadget_open(&w, NULL);
  /* the status of the older row */
  munit_assert_int(gadget_send(&w, OLDEST, "POST", "", "{\"name\":\"a\",\"width\":3,\"height\":4}"), ==, 200);
  munit_assert_int64(t_int(&w.t, "area"), ==, 12);
  snprintf(at, sizeof at, "/%s", t_str(&w.t, "id"));
  munit_assert_int(gadget_send(&w, NEWEST, "GET", at, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "size.height"), ==, 4);
  munit_assert_string_equal(t_str(&w.t, "zone"), "a");
  munit_assert_int(gadget_send(&w, OLD, "POST", "", "{\"name\":\"a\",\"size\":{\"width\":3}}"), ==, 201);
  /* fields of the other shape */
  munit_assert_int(gadget_send(&w, OLDEST, "POST", "", "{\"name\":\"a\",\"size\":{\"width\":3}}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "size"));
  munit_assert_true(t_violation(&w.t, "width")); /* width is required */
  munit_assert_int(gadget_send(&w, NEWEST, "POST", "", "{\"name\":\"a\",\"width\":3}"), ==, 400);
  munit_assert_int(gadget_send(&w, OLDEST, "POST", "", "[]"), ==, 400);
  munit_assert_int(gadget_send(&w, OLDEST, "POST", "", "{\"name\":\"a\",\"width\":3,\"area\":3}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "ATTRIBUTE_READ_ONLY");
  /* the upgrade refuses */
  munit_assert_int(gadget_send(&w, OLDEST, "POST", "", "{\"name\":\"a\",\"width\":13}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "width"));
  /* an error of the newest shape says which version its field names belong to */
  munit_assert_int(gadget_send(&w, OLDEST, "POST", "", "{\"name\":\"a\",\"width\":3,\"height\":101}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "size.height"));
  munit_assert_string_equal(t_str(&w.t, "detail"),
                            "The field size.height must be at most 100. The field is named as in version 2025-01-01.");
  gadget_close(&w);
}

TEST(older, change)
{
  t_place w;
  const char *at, *shown;
  gadget_open(&w, NULL);
  at = gadget_make(&w, "{\"name\":\"a\",\"zone\":\"b\",\"size\":{\"width\":3,\"height\":4}}");
  munit_assert_int(gadget_send(&w, OLDEST, "PATCH", at, "{\"width\":5}"), ==, 200); /* fields that are not sent stay */
  munit_assert_int64(t_int(&w.t, "area"), ==, 20);
  munit_assert_int(gadget_send(&w, NEWEST, "GET", at, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "size.height"), ==, 4);
  munit_assert_string_equal(t_str(&w.t, "zone"), "b");
  /* the shown body may be sent back in its own shape */
  munit_assert_int(gadget_send(&w, OLDEST, "GET", at, NULL), ==, 200);
  shown = t_keep(&w.t, w.t.response.body);
  munit_assert_int(gadget_send(&w, OLDEST, "PATCH", at, shown), ==, 200);
  munit_assert_string_equal(w.t.response.body, shown);
  munit_assert_int(gadget_send(&w, OLDEST, "PATCH", at, "{\"area\":21}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "ATTRIBUTE_READ_ONLY");
  munit_assert_int(gadget_send(&w, OLDEST, "PATCH", at, "{\"name\":\"b\"}"), ==, 400);
  munit_assert_int(gadget_send(&w, OLDEST, "PATCH", at, "{\"size\":{\"width\":3}}"), ==, 400);
  munit_assert_int(gadget_send(&w, OLDEST, "PATCH", at, "[]"), ==, 400);
  munit_assert_int(gadget_send(&w, OLDEST, "PATCH", at, "{\"height\":101}"), ==, 400);
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "named as in version 2025-01-01"));
  munit_assert_int(gadget_send(&w, OLDEST, "PUT", at, "{\"height\":7}"), ==, 400); /* a PUT needs all required fields */
  munit_assert_true(t_violation(&w.t, "width"));
  munit_assert_int(gadget_send(&w, OLDEST, "PUT", at, "{\"name\":\"a\",\"width\":7}"), ==, 200);
  munit_assert_int64(t_int(&w.t, "area"), ==, 28);
  munit_assert_int(gadget_send(&w, OLDEST, "PATCH", "/0123456789abcdef01234567", "{\"width\":5}"), ==, 404);
  gadget_close(&w);
}

/* Each version has its own ETags; If-Match accepts those of any version. */
TEST(older, tags)
{
  t_place w;
  const char *at, *tag, *newest;
  gadget_open(&w, NULL);
  at = gadget_make(&w, "{\"name\":\"a\",\"size\":{\"width\":3}}");
  munit_assert_int(gadget_send(&w, NEWEST, "GET", at, NULL), ==, 200);
  newest = t_keep(&w.t, t_get_header(&w.t, "ETag"));
  munit_assert_int(gadget_send(&w, OLDEST, "GET", at, NULL), ==, 200);
  tag = t_keep(&w.t, t_get_header(&w.t, "ETag"));
  munit_assert_string_not_equal(tag, newest);
  t_header(&w.t, "If-None-Match", newest);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/gadgets%s", w.group, at), ==, 200);
  t_header(&w.t, "If-None-Match", tag);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/gadgets%s", w.group, at), ==, 304);
  t_headers_clear(&w.t);
  t_header(&w.t, "If-Match", tag);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"zone\":\"c\"}", "/groups/%s/gadgets%s", w.group, at), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"zone\":\"d\"}", "/groups/%s/gadgets%s", w.group, at), ==, 412);
  t_header(&w.t, "Accept", OLDEST);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"width\":4}", "/groups/%s/gadgets%s", w.group, at), ==, 412);
  gadget_close(&w);
}

/* The answer that is kept for a retry has the newest shape. A retry in an older version gets that answer in the older shape. */
TEST(older, replay)
{
  static const char body[] = "{\"name\":\"a\",\"width\":3}";
  t_place w;
  const char *first;
  gadget_open(&w, NULL);
  t_header(&w.t, "Accept", OLDEST);
  t_header(&w.t, "Idempotency-Key", "one");
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/gadgets", w.group), ==, 200);
  first = t_keep(&w.t, w.t.response.body);
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/gadgets", w.group), ==, 200);
  munit_assert_string_equal(w.t.response.body, first);
  munit_assert_int(gadget_send(&w, NEWEST, "GET", "", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  gadget_close(&w);
}

TEST(older, sunset)
{
  static const svc_config enforcing = { .limiter_off = 1, .enforce_sunset = 1 };
  t_place w;
  gadget_open(&w, &enforcing);
  munit_assert_int(gadget_send(&w, OLDEST, "GET", "", NULL), ==, 200);
  munit_assert_int(gadget_send(&w, MEDIA("2022-12-31"), "GET", "", NULL), ==, 410); /* no row has this version */
  munit_assert_int(gadget_send(&w, MEDIA("2021-12-31"), "GET", "", NULL), ==, 406);
  munit_assert_string_equal(t_str(&w.t, "detail"),
                            "The Accept header names no version of this operation that can be served. The newest is " NEWEST ", and later "
                            "dates select it, too; older versions are 2023-01-01, 2024-01-01; no longer available are 2022-01-01.");
  t_advance(&w.t, (int64_t)365 * 24 * 3600);
  munit_assert_int(gadget_send(&w, OLDEST, "GET", "", NULL), ==, 410);
  munit_assert_string_equal(t_error(&w.t), "VERSION_GONE");
  munit_assert_string_equal(t_param(&w.t, 0), "2023-01-01");
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "Ask for a later version."));
  munit_assert_int(gadget_send(&w, OLD, "GET", "", NULL), ==, 200); /* this version has no sunset */
  munit_assert_int(gadget_send(&w, MEDIA("2021-12-31"), "GET", "", NULL), ==, 406);
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "older versions are 2024-01-01; no longer available are 2022-01-01, 2023-01-01."));
  gadget_close(&w);
  gadget_open(&w, NULL); /* announced, but not enforced */
  t_advance(&w.t, (int64_t)3650 * 24 * 3600);
  munit_assert_int(gadget_send(&w, OLDEST, "GET", "", NULL), ==, 200);
  gadget_close(&w);
}

/* The document has every version, with its shape and its sunset. */
TEST(older, document)
{
  t_place w;
  svc_response r;
  gadget_open(&w, NULL);
  munit_assert_int(svc_openapi(w.t.s, &r), ==, SVC_OK);
  munit_assert_not_null(strstr(r.body, "\"" OLDEST "\":{\"schema\":{\"$ref\":\"#/components/schemas/Gadget20230101\"},\"example\":{\"name\":\"a\","
                                       "\"width\":1},\"x-sunset\":\"2026-03-01\"},\"" OLD "\":{\"schema\":{\"$ref\":\"#/components/schemas/Gadget\"}}"));
  munit_assert_not_null(strstr(r.body, "\"Gadget20230101\":{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{\"area\":"));
  munit_assert_not_null(strstr(r.body, "\"Gadget20230101Patch\":{"));
  svc_response_free(&r);
  gadget_close(&w);
}

/* A row with a version that its route does not have is refused at open. */
TEST(older, tables)
{
  static const svc_older unknown[] = { { .date = 20230102 }, { .date = 0 } }, newest[] = { { .date = 20240101 }, { .date = 0 } };
  static const svc_older *const bad[] = { unknown, newest };
  size_t i;
  for (i = 0; i < 2; i++) {
    svc_route route = { .method = SVC_GET, .path = "/groups/{groupId}/gadgets", .set = SVC_SET_CLUSTERS, .flags = SVC_PAGED,
                        .versions = { 20230101, 20240101 }, .older = bad[i], .run = svc_verb_list };
    svc_noun noun = gadget_noun;
    const svc_noun *const nouns[] = { &noun, NULL };
    noun.routes = &route;
    noun.route_count = 1;
    munit_assert_not_null(strstr(probe_refused(nouns, SVC_INVALID), "has a row for a version that the route does not list"));
  }
}

static void gadget_unchanged(t_service *t, void *context)
{
  (void)t;
  (void)context;
}

/* A read that runs out of memory at any point gets 503. */
TEST(older, memory)
{
  probe_memory m = { -1 };
  svc_config config = { .limiter_off = 1, .allocator = { .context = &m, .resize = probe_resize } };
  t_place w;
  char path[128];
  const char *at;
  gadget_open(&w, &config);
  at = gadget_make(&w, "{\"name\":\"a\",\"size\":{\"width\":3}}");
  snprintf(path, sizeof path, "/groups/%s/gadgets%s", w.group, at);
  probe_with_little(&w.t, &m, "GET", path, NULL, 200, gadget_unchanged, NULL);
  gadget_close(&w);
}

/*
** Media types: routes with answers other than JSON. A log is compressed, a table is CSV, and metadata are XML without dated
** versions.
*/
#include "mechanism/probe.h"

static const svc_config quiet = { .limiter_off = 1 };

#define GZIP_BYTES "\x1f\x8b\x08\0not really\0\xff"
#define CSV_TEXT "name,\"size\"\r\na,1\r\n"
#define XML_TEXT "<?xml version=\"1.0\"?>\n<a b=\"c\"/>"

static bool media_gzip(svc_call *c)
{
  return svc_resolve_all(c) && svc_answer_bytes(c, SVC_S(GZIP_BYTES));
}
static bool media_csv(svc_call *c)
{
  return svc_resolve_all(c) && svc_answer_bytes(c, SVC_S(CSV_TEXT));
}
static bool media_xml(svc_call *c)
{
  return svc_resolve_all(c) && svc_answer_bytes(c, SVC_S(XML_TEXT));
}
static bool media_nothing(svc_call *c)
{
  return svc_resolve_all(c) && svc_answer_bytes(c, (svc_str){ NULL, 0 });
}

#define MEDIA(m, p, ...) { .method = m, .path = "/groups/{groupId}/" p, .set = SVC_SET_CLUSTER_LOGS, \
                           .roles = SVC_R_GROUP_READ_ONLY, __VA_ARGS__ }
static const svc_route log_routes[] = {
  MEDIA(SVC_GET, "logs/{logName}.gz", .versions = { 20230101, 20240805 }, .flags = SVC_V1_TOO, .run = media_gzip,
        .ext = SVC_ROUTE_EXT(.media = "gzip")),
  MEDIA(SVC_GET, "tables/all", .versions = { 20230101 }, .flags = SVC_V1_TOO, .run = media_csv, .ext = SVC_ROUTE_EXT(.media = "csv")),
  MEDIA(SVC_POST, "tables:make", .versions = { 20230101 }, .flags = SVC_NO_BODY, .status = 201, .run = media_csv,
        .ext = SVC_ROUTE_EXT(.media = "csv")),
  MEDIA(SVC_GET, "tables/none", .versions = { 20230101 }, .run = media_nothing, .ext = SVC_ROUTE_EXT(.media = "csv")),
  MEDIA(SVC_GET, "metadata.xml", .versions = { 20230101 }, .run = media_xml, .ext = SVC_ROUTE_EXT(.media = "application/xml"))
};
static const svc_object log_object = { .name = "Log" };
static const svc_noun log_noun = { .name = "log", .flags = SVC_VIRTUAL, .object = &log_object, .routes = SVC_ROUTES(log_routes) };
static const svc_noun *const probes[] = { &log_noun, NULL };

/* -------------------------------------------------------------------------------------------------------------- tests */

static void media_open(t_place *w, const svc_config *config)
{
  t_probes(probes);
  t_place_open(w, config, "alpha", NULL);
}

static void media_close(t_place *w)
{
  t_close(&w->t);
  t_probes(NULL);
}

static int media_get(t_place *w, const char *path, const char *accept)
{
  t_headers_clear(&w->t);
  if (accept) t_header(&w->t, "Accept", accept);
  return t_sendf(&w->t, "GET", NULL, "/groups/%s/%s", w->group, path);
}

/* Expects exactly these bytes with this type. */
static void media_is(t_place *w, const char *path, const char *accept, const void *bytes, size_t size, const char *type)
{
  int status = media_get(w, path, accept);
  if (status != 200) munit_errorf("%s of %s: %d %s", accept ? accept : "nothing", path, status, w->t.response.body);
  munit_assert_size(w->t.response.body_length, ==, size);
  munit_assert_memory_equal(size, w->t.response.body, bytes);
  munit_assert_string_equal(t_get_header(&w->t, "Content-Type"), type);
}
#define MEDIA_IS(w, path, accept, bytes, type) media_is(w, path, accept, bytes, sizeof bytes - 1, type)

TEST(media, types)
{
  static const char *const good[] = {
    NULL, "*/*", "application/*", "application/json", "application/gzip", "Application/GZip", "application/vnd.svc.2024-08-05+gzip",
    "application/vnd.svc.2030-01-01+gzip", "application/vnd.svc.2024-08-05+json", "text/html, application/gzip;q=0.5"
  };
  static const char *const bad[] = { "text/html", "application/vnd.svc.2024-08-05+csv", "application/csv", "application/xml",
                                     "application/vnd.svc.2024-08-05+xml", "application/gzip;q=0", "image/*",
                                     "application/vnd.svc.2020-01-01+gzip" };
  t_place w;
  size_t i;
  media_open(&w, &quiet);
  for (i = 0; i < sizeof good / sizeof good[0]; i++)
    MEDIA_IS(&w, "logs/db.gz", good[i], GZIP_BYTES, "application/vnd.svc.2024-08-05+gzip");
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    if (media_get(&w, "logs/db.gz", bad[i]) != 406) munit_errorf("%s gave %d", bad[i], w.t.response.status);
    munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), "application/json"); /* errors are JSON */
    munit_assert_string_equal(t_error(&w.t), "INVALID_VERSION_DATE");
  }
  munit_assert_int(media_get(&w, "logs/db.gz", "application/vnd.svc.2023-06-01+gzip"), ==, 410); /* versions work as with JSON */
  munit_assert_string_equal(t_error(&w.t), "VERSION_GONE");

  MEDIA_IS(&w, "tables/all", NULL, CSV_TEXT, "application/vnd.svc.2023-01-01+csv");
  MEDIA_IS(&w, "tables/all", "text/csv", CSV_TEXT, "application/vnd.svc.2023-01-01+csv");
  MEDIA_IS(&w, "tables/all", "text/*", CSV_TEXT, "application/vnd.svc.2023-01-01+csv");
  MEDIA_IS(&w, "tables/all", "application/vnd.svc.2025-01-01+csv", CSV_TEXT, "application/vnd.svc.2023-01-01+csv");
  MEDIA_IS(&w, "tables/all", "application/json", CSV_TEXT, "application/vnd.svc.2023-01-01+csv");
  munit_assert_int(media_get(&w, "tables/all", "application/vnd.svc.2025-01-01+gzip"), ==, 406);
  munit_assert_int(media_get(&w, "tables/all", "text/plain"), ==, 406);

  MEDIA_IS(&w, "metadata.xml", NULL, XML_TEXT, "application/xml"); /* a type without versions */
  MEDIA_IS(&w, "metadata.xml", "application/xml", XML_TEXT, "application/xml");
  MEDIA_IS(&w, "metadata.xml", "Application/XML;q=0.9, text/html", XML_TEXT, "application/xml");
  MEDIA_IS(&w, "metadata.xml", "application/json", XML_TEXT, "application/xml");
  MEDIA_IS(&w, "metadata.xml", "application/vnd.svc.2025-01-01+json", XML_TEXT, "application/xml");
  munit_assert_int(media_get(&w, "metadata.xml", "text/xml"), ==, 406);
  munit_assert_int(media_get(&w, "metadata.xml", "text/*"), ==, 406);

  t_headers_clear(&w.t); /* other routes do not accept these types */
  t_header(&w.t, "Accept", "text/csv");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s", w.group), ==, 406);
  media_close(&w);
}

/* Envelope and formatting exist only for JSON. */
TEST(media, plain)
{
  t_place w;
  media_open(&w, &quiet);
  MEDIA_IS(&w, "tables/all?pretty=true&envelope=true", NULL, CSV_TEXT, "application/vnd.svc.2023-01-01+csv");
  MEDIA_IS(&w, "logs/db.gz?pretty=true", NULL, GZIP_BYTES, "application/vnd.svc.2024-08-05+gzip");
  MEDIA_IS(&w, "metadata.xml?envelope=true", NULL, XML_TEXT, "application/xml");
  munit_assert_int(media_get(&w, "tables/all?pages=1", "text/csv"), ==, 400); /* errors are JSON for any Accept header */
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), "application/json");
  munit_assert_string_equal(t_error(&w.t), "INVALID_QUERY_PARAMETER");
  t_header(&w.t, "Accept", "text/csv");
  munit_assert_int(t_send(&w.t, "GET", "/groups/5f5f5f5f5f5f5f5f5f5f5f5f/tables/all?envelope=true", NULL), ==, 404);
  munit_assert_int64(t_int(&w.t, "status"), ==, 404);
  munit_assert_string_equal(t_str(&w.t, "content.errorCode"), "GROUP_NOT_FOUND");

  t_headers_clear(&w.t);
  munit_assert_int(t_sendf(&w.t, "HEAD", NULL, "/groups/%s/tables/all", w.group), ==, 200);
  munit_assert_size(w.t.response.body_length, ==, 0);
  munit_assert_int((int)strtol(t_get_header(&w.t, "Content-Length"), NULL, 10), ==, (int)sizeof CSV_TEXT - 1);
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), "application/vnd.svc.2023-01-01+csv");
  munit_assert_int(media_get(&w, "tables/none", NULL), ==, 200);
  munit_assert_size(w.t.response.body_length, ==, 0);
  munit_assert_string_equal(t_get_header(&w.t, "Content-Length"), "0");
  t_headers_clear(&w.t);
  munit_assert_int(t_sendf(&w.t, "POST", NULL, "/groups/%s/tables:make", w.group), ==, 201); /* a write may have such an answer, too */
  munit_assert_string_equal(w.t.response.body, CSV_TEXT);
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), "application/vnd.svc.2023-01-01+csv");

  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/api/svc/v1.0/groups/%s/tables/all", w.group), ==, 200); /* v1.0 has no dated versions */
  munit_assert_string_equal(w.t.response.body, CSV_TEXT);
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), "text/csv");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/api/svc/v1.0/groups/%s/logs/db.gz", w.group), ==, 200);
  munit_assert_string_equal(t_get_header(&w.t, "Content-Type"), "application/gzip");
  media_close(&w);
}

/* With strict_accept a version is required, and a route without versions requires its type. */
TEST(media, strict)
{
  const svc_config strict = { .limiter_off = 1, .strict_accept = 1 };
  t_place w;
  t_probes(probes);
  t_open(&w.t, &strict);
  t_header(&w.t, "Accept", "application/vnd.svc.2025-03-12+json");
  w.group = t_project(&w.t, t_organization(&w.t, "Acme"), "alpha");
  munit_assert_int(media_get(&w, "tables/all", "text/csv"), ==, 406);
  munit_assert_int(media_get(&w, "tables/all", NULL), ==, 406);
  MEDIA_IS(&w, "tables/all", "application/vnd.svc.2025-03-12+csv", CSV_TEXT, "application/vnd.svc.2023-01-01+csv");
  MEDIA_IS(&w, "metadata.xml", "application/xml", XML_TEXT, "application/xml");
  munit_assert_int(media_get(&w, "metadata.xml", "application/json"), ==, 406);
  media_close(&w);
}

TEST(media, openapi)
{
  t_place w;
  const svc_node *answers, *content;
  media_open(&w, &quiet);
  svc_response_free(&w.t.response);
  munit_assert_int(svc_openapi(w.t.s, &w.t.response), ==, SVC_OK);
  w.t.body = svc_json_parse(&w.t.arena, (svc_str){ w.t.response.body, w.t.response.body_length });
  answers = svc_node_get(svc_node_get(svc_node_get(t_node(&w.t, "paths"), "/groups/{groupId}/logs/{logName}.gz"), "get"), "responses");
  content = svc_node_get(svc_node_get(svc_node_get(answers, "200"), "content"), "application/vnd.svc.2024-08-05+gzip");
  munit_assert_not_null(content);
  munit_assert_true(svc_str_is(svc_node_str(svc_node_get(content, "schema"), "format"), "binary"));
  answers = svc_node_get(svc_node_get(svc_node_get(t_node(&w.t, "paths"), "/groups/{groupId}/metadata.xml"), "get"), "responses");
  munit_assert_not_null(svc_node_get(svc_node_get(svc_node_get(answers, "200"), "content"), "application/xml"));
  munit_assert_not_null(svc_node_get(answers, "default")); /* errors have a response of their own */
  media_close(&w);
}

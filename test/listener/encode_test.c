/*
** Compressed answers: gzip -dc returns the original, the Accept-Encoding header decides, the ETag differs, and some answers are
** never compressed.
*/
#define _GNU_SOURCE /* memmem */
#include "ports/listener/parts.h"
#include "test.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BODY 20000

/* --------------------------------------------------------------------------------------------------------- the stream */

static void expect_unpacked(const char *packed, size_t n, const char *text, size_t length)
{
  char path[] = "/tmp/gzip_test_XXXXXX", command[96], *out = malloc(length + 2);
  int fd = mkstemp(path);
  FILE *f;
  munit_assert_not_null(out);
  munit_assert_int(fd, >=, 0);
  munit_assert_true(write(fd, packed, n) == (ssize_t)n);
  close(fd);
  snprintf(command, sizeof command, "gzip -dc <%s", path);
  f = popen(command, "r");
  munit_assert_not_null(f);
  munit_assert_size(fread(out, 1, length + 1, f), ==, length);
  munit_assert_int(pclose(f), ==, 0);
  munit_assert_memory_equal(length, out, text);
  unlink(path);
  free(out);
}

/* Lengths around the ends of matches, distances beyond the window, all byte values, repeating and random data. */
TEST(encode, round_trip)
{
  static const size_t lengths[] = { 0, 1, 3, 4, 5, 7, 257, 258, 259, 260, 261, 1000, 32767, 32768, 32769, 100000 };
  static const unsigned periods[] = { 1, 2, 3, 7, 300, 32766, 32768, 32769, 40000, 0 };
  char *text = malloc(100000), *out = malloc(200000);
  size_t i, k, j, n;
  munit_assert_true(text && out);
  for (k = 0; k < sizeof periods / sizeof periods[0]; k++) {
    unsigned x = 1;
    for (j = 0; j < 100000; j++) {
      x = x * 1103515245u + 12345;
      text[j] = periods[k] && j >= periods[k] ? text[j - periods[k]] : (char)(x >> 16);
    }
    for (i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
      n = svc_listener_gzip(text, lengths[i], out, 200000);
      munit_assert_size(n, >, 0);
      expect_unpacked(out, n, text, lengths[i]);
      munit_assert_size(svc_listener_gzip(text, lengths[i], out, n), ==, n); /* exactly enough room */
      munit_assert_size(svc_listener_gzip(text, lengths[i], out, n - 1), ==, 0);
    }
  }
  munit_assert_size(svc_listener_gzip(text, 100000, out, 87500), ==, 0); /* random data does not shrink */
  free(text);
  free(out);
}

/* --------------------------------------------------------------------------------------------------------- the answers */

static char body[BODY];

#define HEADER(called, text) { .name = called, .name_length = sizeof called - 1, .value = text, .value_length = sizeof text - 1 }
#define JSON HEADER("Content-Type", "application/vnd.svc.2025-03-12+json")

static int handle(void *context, svc *s, const svc_request *r, svc_response *response)
{
  static const svc_header plain[] = { JSON, HEADER("ETag", "\"5f\"") }, pretty[] = { JSON, HEADER("ETag", "\"5f-p\"") },
    secret[] = { JSON, HEADER("Cache-Control", "no-store") }, packed[] = { HEADER("Content-Type", "application/vnd.svc.2025-03-12+gzip") },
    weak[] = { JSON, HEADER("ETag", "W/\"5f\"") };
  static const struct {
    const char *target;
    const svc_header *headers;
    size_t count, length;
  } answers[] = { { "/plain", plain, 2, BODY }, { "/pretty", pretty, 2, BODY }, { "/secret", secret, 2, BODY }, { "/packed", packed, 1, BODY },
                  { "/weak", weak, 2, BODY }, { "/short", plain, 2, 1024 } };
  size_t i;
  (void)context, (void)s;
  for (i = 0; i < sizeof answers / sizeof answers[0]; i++) {
    if (strlen(answers[i].target) != r->target_length || memcmp(answers[i].target, r->target, r->target_length) != 0) continue;
    response->status = 200;
    response->headers = answers[i].headers;
    response->header_count = answers[i].count;
    response->body = body;
    response->body_length = answers[i].length;
    return SVC_OK;
  }
  response->status = 404;
  response->body = "";
  return SVC_OK;
}

static svc_listener *server(int no_gzip)
{
  static const char *const urls[] = { "http://127.0.0.1:0" };
  svc_listener_config k = { .urls = urls, .url_count = 1, .handle = handle, .no_explorer = 1, .no_gzip = no_gzip };
  svc_listener *l;
  size_t i;
  for (i = 0; i < BODY; i++) body[i] = "{\"href\":\"https://localhost/api/\",\"rel\":\"self\"}"[i % 46];
  munit_assert_int(svc_listener_open(&l, &k, NULL, 0), ==, SVC_OK);
  munit_assert_int(svc_listener_start(l, NULL), ==, SVC_OK);
  return l;
}

/* Sends a request and reads to the end. Returns the length of the answer; the head ends with a NUL, and *at is the start of the body. */
static size_t ask(svc_listener *l, const char *request_line, const char *headers, char *answer, size_t size, size_t *at)
{
  struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(strrchr(svc_listener_url(l, 0), ':') + 1)) };
  char text[512], *end;
  ssize_t got;
  size_t n = 0;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  munit_assert_int(connect(fd, (struct sockaddr *)&a, sizeof a), ==, 0);
  snprintf(text, sizeof text, "%s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n%s\r\n", request_line, headers);
  munit_assert_true(send(fd, text, strlen(text), 0) == (ssize_t)strlen(text));
  while ((got = recv(fd, answer + n, size - n, 0)) > 0) n += (size_t)got;
  close(fd);
  end = memmem(answer, n, "\r\n\r\n", 4);
  munit_assert_not_null(end);
  *at = (size_t)(end - answer) + 4;
  end[2] = '\0';
  return n;
}

/* HEAD has the headers of GET: caches learn from both that the answer depends on Accept-Encoding. */
static void expect_head(svc_listener *l, const char *target, bool varies)
{
  char answer[4096], line[64];
  size_t at, n;
  snprintf(line, sizeof line, "HEAD %s", target);
  n = ask(l, line, "", answer, sizeof answer, &at);
  munit_assert_size(n, ==, at);
  munit_assert_int(strstr(answer, "\r\nVary: Accept-Encoding\r\n") != NULL, ==, varies);
}

/* Checks one answer: whether it is gzip, whether it has Vary, and its ETag; NULL: none. */
static void expect(svc_listener *l, const char *target, const char *accepts, bool gzip, bool varies, const char *tag)
{
  char *answer = malloc(BODY + 4096), line[64], header[160] = "", wanted[64];
  size_t at, n, length = strcmp(target, "/short") == 0 ? 1024 : BODY;
  snprintf(line, sizeof line, "GET %s", target);
  if (accepts) snprintf(header, sizeof header, "Accept-Encoding: %s\r\n", accepts);
  n = ask(l, line, header, answer, BODY + 4096, &at);
  munit_logf(MUNIT_LOG_DEBUG, "%s, %s: %s", target, accepts ? accepts : "none", answer);
  munit_assert_true(strstr(answer, "HTTP/1.1 200 ") == answer);
  munit_assert_int(strstr(answer, "\r\nContent-Encoding: gzip\r\n") != NULL, ==, gzip);
  munit_assert_int(strstr(answer, "\r\nVary: Accept-Encoding\r\n") != NULL, ==, varies);
  snprintf(wanted, sizeof wanted, "\r\nETag: %s\r\n", tag ? tag : "");
  munit_assert_int(strstr(answer, tag ? wanted : "\r\nETag: ") != NULL, ==, tag != NULL);
  snprintf(wanted, sizeof wanted, "\r\nContent-Length: %zu\r\n", n - at);
  munit_assert_not_null(strstr(answer, wanted));
  if (gzip) {
    munit_assert_size(n - at, <, BODY / 10);
    expect_unpacked(answer + at, n - at, body, length);
  } else {
    munit_assert_size(n - at, ==, length);
    munit_assert_memory_equal(length, answer + at, body);
  }
  expect_head(l, target, varies);
  free(answer);
}

#define DOCUMENT_MOST ((size_t)4 << 20)

/* The OpenAPI document is longer than what a loop compresses for one client: it is compressed once for all. */
TEST(encode, document)
{
  static const char *const urls[] = { "http://127.0.0.1:0" };
  svc_listener_config k = { .urls = urls, .url_count = 1, .no_explorer = 1 };
  svc_config config = { .limiter_off = 1, .manual_clock = 1, .describe = svc_listener_describe };
  char *answer = malloc(DOCUMENT_MOST), tag[64] = "", header[160];
  const char *etag;
  const void *packed;
  svc_listener *l;
  svc_response document;
  size_t n, at;
  int i;
  svc *s;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_int(svc_openapi(s, &document), ==, SVC_OK);
  munit_assert_size(document.body_length, >, (size_t)1 << 20);
  munit_assert_int(svc_listener_open(&l, &k, NULL, 0), ==, SVC_OK);
  munit_assert_int(svc_listener_start(l, s), ==, SVC_OK);
  for (i = 0, packed = NULL; i < 2; i++) {
    n = ask(l, "GET /openapi.json", "Accept-Encoding: gzip\r\n", answer, DOCUMENT_MOST, &at);
    munit_assert_true(strstr(answer, "HTTP/1.1 200 ") == answer);
    munit_assert_not_null(strstr(answer, "\r\nContent-Encoding: gzip\r\n"));
    munit_assert_not_null(strstr(answer, "\r\nVary: Accept-Encoding\r\n"));
    munit_assert_size(n - at, <, document.body_length / 5);
    expect_unpacked(answer + at, n - at, document.body, document.body_length);
    etag = strstr(answer, "\r\nETag: ");
    munit_assert_not_null(etag);
    munit_assert_int(sscanf(etag + 2, "ETag: %63[^\r]", tag), ==, 1);
    munit_assert_not_null(strstr(tag, "-g\""));
    munit_assert_true(!packed || packed == svc_listener_document_packed(l));
    packed = svc_listener_document_packed(l);
    munit_assert_not_null(packed);
  }
  snprintf(header, sizeof header, "Accept-Encoding: gzip\r\nIf-None-Match: %s\r\n", tag);
  n = ask(l, "GET /openapi.json", header, answer, DOCUMENT_MOST, &at);
  munit_assert_true(strstr(answer, "HTTP/1.1 304 ") == answer);
  munit_assert_size(n, ==, at);
  n = ask(l, "GET /openapi.json", "", answer, DOCUMENT_MOST, &at);
  munit_assert_null(strstr(answer, "Content-Encoding"));
  munit_assert_not_null(strstr(answer, "\r\nVary: Accept-Encoding\r\n"));
  munit_assert_size(n - at, ==, document.body_length);
  munit_assert_memory_equal(n - at, answer + at, document.body);
  n = ask(l, "GET /openapi.json?pretty=true", "Accept-Encoding: gzip\r\n", answer, DOCUMENT_MOST, &at); /* the same bytes, another tag */
  munit_assert_not_null(strstr(answer, "-pg\"\r\n"));
  expect_unpacked(answer + at, n - at, document.body, document.body_length);
  svc_listener_close(l);
  svc_response_free(&document);
  svc_close(s);
  free(answer);
}

/* More clients than max_answer_memory has room for documents, none of which reads: the document takes no memory of a client. */
TEST(encode, document_unread)
{
  enum { UNREAD = 40 };
  static const char *const urls[] = { "http://127.0.0.1:0" };
  static const char text[] = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";
  svc_listener_config k = { .urls = urls, .url_count = 1, .no_explorer = 1, .max_answer_memory = (size_t)4 << 20 };
  svc_config config = { .limiter_off = 1, .manual_clock = 1, .describe = svc_listener_describe };
  struct sockaddr_in a = { .sin_family = AF_INET };
  char begin[13] = "";
  svc_listener *l;
  int fds[UNREAD], i;
  svc *s;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_int(svc_listener_open(&l, &k, NULL, 0), ==, SVC_OK);
  munit_assert_int(svc_listener_start(l, s), ==, SVC_OK);
  a.sin_port = htons((uint16_t)atoi(strrchr(svc_listener_url(l, 0), ':') + 1));
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (i = 0; i < UNREAD; i++) {
    fds[i] = socket(AF_INET, SOCK_STREAM, 0);
    munit_assert_int(connect(fds[i], (struct sockaddr *)&a, sizeof a), ==, 0);
    munit_assert_true(send(fds[i], text, sizeof text - 1, 0) == (ssize_t)sizeof text - 1);
  }
  for (i = 0; i < UNREAD; i++) {
    munit_assert_true(recv(fds[i], begin, 12, MSG_WAITALL) == 12);
    munit_assert_string_equal(begin, "HTTP/1.1 200");
  }
  munit_assert_size(atomic_load(&l->answers), ==, 0);
  for (i = 0; i < UNREAD; i++) close(fds[i]);
  svc_listener_close(l);
  svc_close(s);
}

/* Accept-Encoding headers that select gzip, and others that do not: weights, names, the star. */
TEST(encode, accepted)
{
  static const char *const yes[] = { "gzip", "GZIP", "x-gzip", "br, gzip", "gzip;q=0.001", "gzip ; q=1.000", "*", "br;q=1, *;q=0.5",
                                     "identity;q=0.5, gzip", "identity, gzip", "deflate,gzip;q=1.0,*;q=0.5", "identity;q=0, *" };
  static const char *const no[] = { "", "br", "gzip;q=0", "gzip;q=0.000", "*;q=0", "gzip;q=0, *", "identity, gzip;q=0.9", "gzip;q=2", "gzip;q=0.5555",
                                    "gzip;q=", "gzip;q=1.001", "gzip;x=1", "gzipp", "identity", "gzip;q=0x" };
  svc_listener *l = server(0);
  size_t i;
  for (i = 0; i < sizeof yes / sizeof yes[0]; i++) expect(l, "/plain", yes[i], true, true, "\"5f-g\"");
  for (i = 0; i < sizeof no / sizeof no[0]; i++) expect(l, "/plain", no[i], false, true, "\"5f\"");
  expect(l, "/plain", NULL, false, true, "\"5f\"");
  svc_listener_close(l);
}

/* Answers that are never compressed, and the ETag of compressed ones. */
TEST(encode, answers)
{
  svc_listener *l = server(0);
  expect(l, "/pretty", "gzip", true, true, "\"5f-pg\"");
  expect(l, "/secret", "gzip", false, false, NULL);
  expect(l, "/packed", "gzip", false, false, NULL);
  expect(l, "/short", "gzip", false, false, "\"5f\"");
  expect(l, "/weak", "gzip", false, true, "W/\"5f\"");
  svc_listener_close(l);
  l = server(1);
  expect(l, "/plain", "gzip", false, false, "\"5f\"");
  svc_listener_close(l);
}

/* A matching If-None-Match gives 304 only if the client accepts the form that the ETag names. */
TEST(encode, known)
{
  static const struct {
    const char *headers;
    int status;
  } cases[] = { { "Accept-Encoding: gzip\r\nIf-None-Match: \"5f-g\"\r\n", 304 }, { "Accept-Encoding: gzip\r\nIf-None-Match: \"1\", W/\"5f-g\"\r\n", 304 },
                { "Accept-Encoding: gzip\r\nIf-None-Match: \"5f-pg\"\r\n", 200 }, { "If-None-Match: \"5f-g\"\r\n", 200 } };
  svc_listener *l = server(0);
  char *answer = malloc(BODY + 4096);
  size_t i, n, at;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    n = ask(l, "GET /plain", cases[i].headers, answer, BODY + 4096, &at);
    munit_assert_int(atoi(answer + 9), ==, cases[i].status);
    munit_assert_not_null(strstr(answer, "\r\nVary: Accept-Encoding\r\n"));
    if (cases[i].status != 304) continue;
    munit_assert_size(n, ==, at);
    munit_assert_not_null(strstr(answer, "\r\nETag: \"5f-g\"\r\n"));
    munit_assert_null(strstr(answer, "\r\nContent-Length: "));
    munit_assert_null(strstr(answer, "\r\nContent-Type: "));
  }
  n = ask(l, "HEAD /plain", "Accept-Encoding: gzip\r\n", answer, BODY + 4096, &at);
  munit_assert_size(n, ==, at);
  munit_assert_null(strstr(answer, "\r\nContent-Encoding: "));
  free(answer);
  svc_listener_close(l);
}

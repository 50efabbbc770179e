/*
** The console as a browser requests it: each file with its headers, again with its ETag, and with other methods. Other paths go
** to the service. The page itself is tested in a browser, by ./build.sh test-web.
*/
#define _GNU_SOURCE /* memmem */
#include "listener/common.h"
#include "ports/listener/explorer.h"
#include "test.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>

#define MOST_BYTES 250000 /* of all modules */
#define NOTHING "{\"detail\":\"Cannot find resource %s; paths begin with /api/svc/v2.\",\"error\":404,"

/* ------------------------------------------------------------------------------------------------------- the server */

typedef struct server {
  svc *s;
  svc_listener *l;
  int port;
  int noted, operations; /* lines in the access log, and lines with an operation */
  char path[64];         /* of the last answer */
} server;

static void server_note(void *context, const svc_access *a)
{
  server *t = context;
  t->noted++;
  t->operations += a->operation != NULL;
  snprintf(t->path, sizeof t->path, "%.*s", (int)a->path_length, a->path);
}

static void server_open(server *t, int no_explorer)
{
  static const char *const urls[] = { "http://127.0.0.1:0" };
  svc_listener_config k = { .urls = urls, .url_count = 1, .no_explorer = no_explorer, .access = server_note, .access_context = t };
  char why[256];
  memset(t, 0, sizeof *t);
  if (svc_listener_open(&t->l, &k, why, sizeof why) != SVC_OK) munit_errorf("svc_listener_open: %s", why);
  munit_assert_int(svc_open(&t->s, NULL), ==, SVC_OK);
  munit_assert_int(svc_listener_start(t->l, t->s), ==, SVC_OK);
  t->port = atoi(strrchr(svc_listener_url(t->l, 0), ':') + 1);
}

static void server_close(server *t)
{
  svc_listener_close(t->l);
  svc_close(t->s);
}

/* ------------------------------------------------------------------------------------------------------- the client */

typedef struct answer {
  char text[128 << 10];
  int status;
  const char *body;
  size_t length; /* of the body */
} answer;

/* `headers`: additional header lines, each with its line end. */
static void ask(const server *t, answer *a, const char *method, const char *target, const char *headers)
{
  struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)t->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  char text[1024];
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int n = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n%s\r\n", method, target, headers);
  munit_assert_int(connect(fd, (struct sockaddr *)&to, sizeof to), ==, 0);
  munit_assert_int((int)send(fd, text, (size_t)n, MSG_NOSIGNAL), ==, n);
  memset(a, 0, sizeof *a);
  munit_assert_true(read_until(fd, a->text, sizeof a->text, NULL));
  close(fd);
  munit_assert_int(sscanf(a->text, "HTTP/1.1 %3d", &a->status), ==, 1);
  a->body = strstr(a->text, "\r\n\r\n");
  munit_assert_not_null(a->body);
  a->body += 4;
  a->length = strlen(a->body);
}

static bool has(const answer *a, const char *line)
{
  const char *at = strcasestr(a->text, line);
  return at && at < a->body && at[-1] == '\n' && at[strlen(line)] == '\r';
}

static void has_length(const answer *a, size_t n)
{
  char line[64];
  snprintf(line, sizeof line, "Content-Length: %zu", n);
  munit_assert_true(has(a, line));
}

/* ------------------------------------------------------------------------------------------------------------ tests */

/* All headers of the page. The policy names no other host, and allows nothing that turns text into code. */
TEST(explorer, page)
{
  server t;
  answer *a = malloc(sizeof *a);
  munit_assert_not_null(a);
  server_open(&t, 0);
  ask(&t, a, "GET", "/", "");
  munit_assert_int(a->status, ==, 200);
  munit_assert_true(has(a, "Content-Type: text/html; charset=utf-8"));
  munit_assert_true(has(a, "Cache-Control: no-cache"));
  munit_assert_true(has(a, "X-Content-Type-Options: nosniff"));
  munit_assert_true(has(a, "Referrer-Policy: no-referrer"));
  munit_assert_false(has(a, "Referrer-Policy: strict-origin-when-cross-origin")); /* the policy of other answers */
  munit_assert_true(has(a, "Cross-Origin-Opener-Policy: same-origin")); /* a page that opens this one gets no access to it */
  munit_assert_true(has(a, "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                           "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                           "require-trusted-types-for 'script'; trusted-types 'none'"));
  munit_assert_memory_equal(15, a->body, "<!doctype html>");
  munit_assert_string_equal(a->body + a->length - 8, "</html>\n");
  has_length(a, a->length);
  munit_assert_null(strstr(a->body, "<style"));
  munit_assert_null(strstr(a->body, " style="));
  munit_assert_null(strstr(a->body, "://"));
  munit_assert_not_null(strstr(a->body, "<script type=\"module\" src=\"_explorer/boot.js\"></script>"));
  ask(&t, a, "GET", "/?a=b", "");
  munit_assert_int(a->status, ==, 200);
  munit_assert_int(t.noted, ==, 2);
  munit_assert_int(t.operations, ==, 0);
  munit_assert_string_equal(t.path, "/");
  server_close(&t);
  free(a);
}

/* Each file is served as the program contains it, and with its ETag gives 304. No file uses functions that turn text into code or that
** store data in the browser. */
TEST(explorer, files)
{
  static const char *const unwanted[] = { "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
                                          "localStorage", "sessionStorage", "indexedDB", "document.cookie" };
  server t;
  answer *a = malloc(sizeof *a);
  char header[128];
  size_t i, j, all = 0;
  munit_assert_not_null(a);
  server_open(&t, 0);
  for (i = 0; i < svc_listener_file_count; i++) {
    const listener_file *f = &svc_listener_files[i];
    const char *tag = f->headers[0].value;
    munit_assert_string_equal(f->headers[0].name, "ETag");
    ask(&t, a, "GET", f->path, "");
    munit_assert_int(a->status, ==, 200);
    munit_assert_size(a->length, ==, f->length);
    munit_assert_memory_equal(f->length, a->body, f->text);
    for (j = 0; j < sizeof unwanted / sizeof unwanted[0]; j++) munit_assert_null(strstr(f->text, unwanted[j]));
    if (strstr(f->path, ".js")) all += f->length;
    ask(&t, a, "HEAD", f->path, "");
    munit_assert_int(a->status, ==, 200);
    munit_assert_size(a->length, ==, 0);
    has_length(a, f->length);
    snprintf(header, sizeof header, "If-None-Match: \"x\", W/%s\r\n", tag);
    ask(&t, a, "GET", f->path, header);
    munit_assert_int(a->status, ==, 304);
    munit_assert_size(a->length, ==, 0);
    snprintf(header, sizeof header, "ETag: %s", tag);
    munit_assert_true(has(a, header));
    munit_assert_true(has(a, "Cache-Control: no-cache"));
    snprintf(header, sizeof header, "If-None-Match: \"%.8s\"\r\n", tag + 1);
    ask(&t, a, "GET", f->path, header);
    munit_assert_int(a->status, ==, 200);
  }
  ask(&t, a, "GET", "/", "If-None-Match: *\r\n");
  munit_assert_int(a->status, ==, 304);
  munit_assert_size(svc_listener_file_count, >=, 8);
  munit_assert_size(all, <, MOST_BYTES);
  server_close(&t);
  free(a);
}

TEST(explorer, methods)
{
  static const char *const methods[] = { "POST", "PUT", "PATCH", "DELETE", "OPTIONS" };
  server t;
  answer *a = malloc(sizeof *a);
  size_t i;
  munit_assert_not_null(a);
  server_open(&t, 0);
  for (i = 0; i < 2 * sizeof methods / sizeof methods[0]; i++) {
    ask(&t, a, methods[i / 2], i % 2 ? "/_explorer/main.js" : "/", "Content-Length: 0\r\n");
    munit_assert_int(a->status, ==, 405);
    munit_assert_true(has(a, "Allow: GET, HEAD"));
    munit_assert_true(has(a, "X-Error-Code: METHOD_NOT_ALLOWED"));
    munit_assert_not_null(strstr(a->body, "\"errorCode\":\"METHOD_NOT_ALLOWED\""));
  }
  server_close(&t);
  free(a);
}

/* Other paths go to the service; without the console all paths do. */
TEST(explorer, others)
{
  static const char *const paths[] = { "/_explorer/none.js", "/_explorer/", "/_explorer", "/index.html", "/_explorer/../", "/_explorer/index.html" };
  server t;
  answer *a = malloc(sizeof *a);
  char wanted[128];
  size_t i;
  munit_assert_not_null(a);
  server_open(&t, 0);
  for (i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    ask(&t, a, "GET", paths[i], "");
    munit_assert_int(a->status, >=, 400);
    munit_assert_true(has(a, "Content-Type: application/json"));
  }
  ask(&t, a, "GET", "/api/svc/v2/unauth/controlPlaneIPAddresses", "");
  munit_assert_int(a->status, ==, 200);
  munit_assert_int(t.operations, ==, 1);
  server_close(&t);
  server_open(&t, 1);
  for (i = 0; i < svc_listener_file_count; i++) {
    ask(&t, a, "GET", svc_listener_files[i].path, "");
    munit_assert_int(a->status, ==, 404);
    snprintf(wanted, sizeof wanted, NOTHING, svc_listener_files[i].path);
    munit_assert_memory_equal(strlen(wanted), a->body, wanted);
  }
  ask(&t, a, "POST", "/", "Content-Length: 0\r\n");
  munit_assert_int(a->status, ==, 404);
  server_close(&t);
  free(a);
}

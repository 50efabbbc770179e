/*
** The HTTP reader without sockets: byte streams go in, split in every way, and the result is written down as text.
**
** The rules: the same stream gives the same requests and the same error at the same byte, however it is split. Accepted
** requests keep the limits. A stream that two readers could interpret differently is refused at its first ambiguous byte. The
** reader gets its input in blocks of exactly the right size, so that the sanitizers detect every read out of bounds.
*/
#include "ports/http_reader.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GET "GET /next HTTP/1.1\r\nHost: a\r\n\r\n"
#define POST "POST /p HTTP/1.1\r\nHost: a\r\n"
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"

static const svc_http_limits usual = { .target = 64, .header_bytes = 512, .body = 256 };

/* ----------------------------------------------------------------------------------------------------- a connection */

typedef struct reader { /* calls the reader as the listener does */
  const svc_http_limits *limits;
  char *in; /* input that is not processed yet, in a block of that size */
  size_t n;
  svc_http_scan scan;
  char *text; /* the head of the current body */
  svc_http_head head;
  svc_http_body body;
  bool in_body;
  int error;
  size_t requests, at; /* at: bytes consumed in total when the error was found */
  size_t most;         /* the largest part of a head that was kept */
  char log[4096];
  size_t logged;
} reader;

static void reader_log(reader *r, const char *p, size_t n)
{
  if (n > sizeof r->log - r->logged) n = sizeof r->log - r->logged;
  if (n) memcpy(r->log + r->logged, p, n);
  r->logged += n;
}

/* Checks the limits of a request, and logs it: "METHOD target name:value ... keep=1 body=...;" */
static void reader_note(reader *r)
{
  const svc_http_head *h = &r->head;
  char text[64];
  size_t i, j, bytes = 0;
  r->requests++;
  munit_assert_size(h->target_length, <=, r->limits->target);
  munit_assert_char(h->target[0], ==, '/');
  munit_assert_size(r->body.length, <=, r->limits->body);
  reader_log(r, h->method, strlen(h->method));
  reader_log(r, " ", 1);
  reader_log(r, h->target, h->target_length);
  for (i = 0; i < h->header_count; i++) {
    const svc_header *header = &h->headers[i];
    bytes += header->name_length + header->value_length;
    munit_assert_size(header->name_length, >, 0);
    for (j = 0; j < header->name_length; j++) munit_assert_true(header->name[j] > ' ' && header->name[j] != ':');
    for (j = 0; j < header->value_length; j++)
      munit_assert_true((unsigned char)header->value[j] >= ' ' || header->value[j] == '\t');
    reader_log(r, " ", 1);
    reader_log(r, header->name, header->name_length);
    reader_log(r, ":", 1);
    reader_log(r, header->value, header->value_length);
  }
  munit_assert_size(bytes, <=, r->limits->header_bytes);
  reader_log(r, text, (size_t)snprintf(text, sizeof text, " keep=%d body=", h->keep));
  reader_log(r, r->body.bytes, r->body.length);
  reader_log(r, ";", 1);
}

static void reader_drop(reader *r, size_t n)
{
  char *rest = malloc(r->n - n ? r->n - n : 1);
  munit_assert_not_null(rest);
  if (r->n > n) memcpy(rest, r->in + n, r->n - n);
  free(r->in);
  r->in = rest;
  r->n -= n;
  r->at += n;
}

/* Returns whether there may be more input to process. */
static bool reader_head(reader *r)
{
  size_t blank, n;
  int rc = svc_http_scan_head(&r->scan, r->in, r->n, r->limits, &blank);
  munit_assert_size(blank, <=, r->n);
  reader_drop(r, blank);
  munit_assert_size(r->scan.at, <=, r->n);
  n = r->scan.at;
  if (n > r->most) r->most = n;
  if (rc == SVC_HTTP_MORE) {
    munit_assert_size(n, ==, r->n); /* all input was scanned */
    return false;
  }
  if (rc == SVC_HTTP_OK) {
    r->text = malloc(n);
    munit_assert_not_null(r->text);
    memcpy(r->text, r->in, n);
    rc = svc_http_parse(&r->head, r->text, n, r->limits);
  }
  reader_drop(r, n);
  memset(&r->scan, 0, sizeof r->scan);
  r->error = rc;
  r->in_body = true;
  return rc == SVC_HTTP_OK;
}

static bool reader_body(reader *r)
{
  size_t taken;
  int rc = svc_http_take(&r->body, &r->head, r->in, r->n, r->limits, &taken);
  munit_assert_size(taken, <=, r->n);
  munit_assert_size(r->body.length, <=, r->body.size);
  munit_assert_size(r->body.size, <=, r->limits->body);
  reader_drop(r, taken);
  if (rc == SVC_HTTP_MORE) {
    munit_assert_size(r->n, ==, 0);
    return false;
  }
  if (rc == SVC_HTTP_OK) reader_note(r);
  else r->error = rc;
  svc_http_body_free(&r->body);
  free(r->text);
  r->text = NULL;
  r->in_body = false;
  return rc == SVC_HTTP_OK;
}

static void reader_feed(reader *r, const char *p, size_t n)
{
  char *in = malloc(r->n + n ? r->n + n : 1);
  bool more = true;
  munit_assert_not_null(in);
  if (r->n) memcpy(in, r->in, r->n);
  memcpy(in + r->n, p, n);
  free(r->in);
  r->in = in;
  r->n += n;
  while (more && !r->error) more = r->in_body ? reader_body(r) : reader_head(r);
}

static void reader_open(reader *r, const svc_http_limits *limits)
{
  memset(r, 0, sizeof *r);
  r->limits = limits;
}

static void reader_close(reader *r)
{
  svc_http_body_free(&r->body);
  free(r->text);
  free(r->in);
}

/* Feeds a stream in steps of `step` bytes; 0: in random steps. */
static void reader_run(reader *r, const svc_http_limits *limits, const char *p, size_t n, size_t step)
{
  size_t i, k;
  reader_open(r, limits);
  for (i = 0; i < n && !r->error; i += k) {
    k = step ? step : (size_t)munit_rand_int_range(1, 24);
    if (k > n - i) k = n - i;
    reader_feed(r, p + i, k);
  }
  reader_close(r);
}

static void same(const reader *a, const reader *b, const char *p, size_t n)
{
  if (a->error == b->error && a->requests == b->requests && a->logged == b->logged && a->at == b->at &&
      memcmp(a->log, b->log, a->logged) == 0)
    return;
  munit_errorf("error %d at %zu after %zu requests, or %d at %zu after %zu, for %zu bytes: %s", a->error, a->at,
               a->requests, b->error, b->at, b->requests, n, p);
}

/* --------------------------------------------------------------------------------------------------------- requests */

static const struct good {
  const char *wire, *log;
} good[] = {
  { GET, "GET /next Host:a keep=1 body=;" },
  { "\r\n\r\n" GET "\r\n" GET, "GET /next Host:a keep=1 body=;GET /next Host:a keep=1 body=;" },
  { "GET / HTTP/1.0\r\n\r\n", "GET / keep=0 body=;" },
  { "GET / HTTP/1.0\r\nConnection: x, Keep-Alive\r\n\r\n", "GET / Connection:x, Keep-Alive keep=1 body=;" },
  { "GET / HTTP/1.1\r\nHost:\r\nConnection:close\r\n\r\n", "GET / Host: Connection:close keep=0 body=;" },
  { "GET / HTTP/1.1\r\nHost:\r\nConnection:close\t , \tx\r\n\r\n", "GET / Host: Connection:close\t , \tx keep=0 body=;" },
  { "GET / HTTP/1.1\r\nHost: [::1]:80 \t\r\nX:\t a\tb \xC3\xA9\r\nY:\r\n\r\n",
    "GET / Host:[::1]:80 X:a\tb \xC3\xA9 Y: keep=1 body=;" },
  { "M-SEARCH http://h:1/a?b#c HTTP/1.1\r\nHost: a\r\n\r\n", "M-SEARCH /a?b#c Host:a keep=1 body=;" },
  { "GET HTTPS://h HTTP/1.1\r\nHost: a\r\n\r\n", "GET / Host:a keep=1 body=;" },
  { POST "Content-Length: 5\r\n\r\nhello" GET,
    "POST /p Host:a Content-Length:5 keep=1 body=hello;GET /next Host:a keep=1 body=;" },
  { POST "Content-Length: 0005\r\n\r\n0\r\n\r\n" GET,
    "POST /p Host:a Content-Length:0005 keep=1 body=0\r\n\r\n;GET /next Host:a keep=1 body=;" },
  { POST "\r\n" GET, "POST /p Host:a keep=1 body=;GET /next Host:a keep=1 body=;" }, /* RFC 9112, 6.3: no length, no body */
  { "PATCH /p HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n" GET, "PATCH /p Host:a Expect:100-continue keep=1 body=;GET /next Host:a keep=1 body=;" },
  { POST "content-length:0\r\n\r\n" GET, "POST /p Host:a content-length:0 keep=1 body=;GET /next Host:a keep=1 body=;" },
  { CHUNKED "0\r\n\r\n" GET,
    "POST /p Host:a Transfer-Encoding:chunked keep=1 body=;GET /next Host:a keep=1 body=;" },
  { CHUNKED "5\r\nhello\r\n0000A;x=\"y\"\r\n 0\r\n\r\nabcd\r\n0;last\r\nX-Sum: 1\r\nY:\r\n\r\n" GET,
    "POST /p Host:a Transfer-Encoding:chunked keep=1 body=hello 0\r\n\r\nabcd;GET /next Host:a keep=1 body=;" },
  { CHUNKED "2 \t\r\nhi\r\n1 ; x\r\n!\r\n0\r\n\r\n", "POST /p Host:a Transfer-Encoding:chunked keep=1 body=hi!;" },
  { "DELETE /d HTTP/1.1\r\nHost: a\r\n\r\n" GET, "DELETE /d Host:a keep=1 body=;GET /next Host:a keep=1 body=;" },
};

TEST(http_reader, requests)
{
  size_t i;
  for (i = 0; i < sizeof good / sizeof good[0]; i++) {
    reader r;
    reader_run(&r, &usual, good[i].wire, strlen(good[i].wire), SIZE_MAX);
    if (r.error || r.logged != strlen(good[i].log) || memcmp(r.log, good[i].log, r.logged) != 0)
      munit_errorf("error %d, \"%.*s\" for: %s", r.error, (int)r.logged, r.log, good[i].wire);
  }
}

/* ---------------------------------------------------------------------------------------------------------- refused */

#define BAD(error, before, after) { SVC_HTTP_E_##error, before after, sizeof before - 1, sizeof before after - 1 }
#define HEAD_1 "GET / HTTP/1.1\r\nHost: a\r\n"

/* Each error is found at the end of the first string: the rest is not needed, and does not matter. */
static const struct bad {
  int error;
  const char *wire;
  size_t at, n;
} bad[] = {
  /* not a request */
  BAD(BYTES, "\x16", "\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" GET),
  BAD(LINE, " ", "GET / HTTP/1.1\r\n"),
  BAD(LINE, "SSH-2.0-OpenSSH_9.2\r", "\n"),
  BAD(LINE, "ABCDEFGHIJKLMNOPQRSTUVWX", "YZ / HTTP/1.1\r\n"),
  BAD(LINE, "GET\t", "/ HTTP/1.1\r\n"),
  BAD(LINE, "G\xC3", "\x89T / HTTP/1.1\r\n"),
  BAD(BYTES, "\rG", "ET / HTTP/1.1\r\n"),
  BAD(BYTES, "\r\r", "\n" GET),
  BAD(BYTES, "\n", GET),
  /* the request line */
  BAD(LINE, "GET  ", "/ HTTP/1.1\r\n"),
  BAD(LINE, "GET /\r", "\n"),
  BAD(LINE, "GET /a\t", "b HTTP/1.1\r\n"),
  BAD(LINE, "GET /\xC3", "\xA9 HTTP/1.1\r\n"),
  BAD(BYTES, "GET /\0", "a HTTP/1.1\r\n"),
  BAD(BYTES, "GET / HTTP/1.1\n", "Host: a\n\n"),
  BAD(LINE, "GET / HTTP/1.1 ", "\r\n"),
  BAD(LINE, "GET / HTTP/1.11", "\r\n"),
  BAD(BYTES, "GET / HTTP/1.1\rX", "\r\n"),
  BAD(LINE, "GET / HTTP/1.x\r\n\r\n", GET),
  BAD(LINE, "GET / HTTP/1,1\r\n\r\n", GET),
  BAD(LINE, "GET / \r\n\r\n", GET),
  BAD(VERSION, "GET / HTTP/3.0\r\n\r\n", GET),
  BAD(TARGET_FORM, "GET a HTTP/1.1\r\nHost: a\r\n\r\n", GET),
  BAD(TARGET_FORM, "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", GET),
  BAD(TARGET_FORM, "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n", GET),
  BAD(TARGET_FORM, "GET http://a?/b HTTP/1.1\r\nHost: a\r\n\r\n", GET),
  BAD(TARGET_FORM, "GET http://u@a/b HTTP/1.1\r\nHost: a\r\n\r\n", GET),
  BAD(TARGET_FORM, "GET http://a#/b HTTP/1.1\r\nHost: a\r\n\r\n", GET),
  BAD(TARGET_FORM, "GET http://a\\b/c HTTP/1.1\r\nHost: a\r\n\r\n", GET),
  /* header lines */
  BAD(HEADER, HEAD_1 " ", "folded\r\n\r\n"),
  BAD(HEADER, HEAD_1 "\t", "folded\r\n\r\n"),
  BAD(HEADER, "GET / HTTP/1.1\r\n ", "Host: a\r\n\r\n"),
  BAD(HEADER, HEAD_1 "Transfer-Encoding ", ": chunked\r\n\r\n"),
  BAD(HEADER, HEAD_1 ":", " x\r\n\r\n"),
  BAD(HEADER, HEAD_1 "X\r", "\n\r\n"),
  BAD(HEADER, HEAD_1 "X(", "): y\r\n\r\n"),
  BAD(HEADER, HEAD_1 "X\xFF", ": y\r\n\r\n"),
  BAD(BYTES, HEAD_1 "X\0", ": y\r\n\r\n"),
  BAD(BYTES, HEAD_1 "X: y\0", "\r\n\r\n"),
  BAD(BYTES, HEAD_1 "X: y\x7F", "\r\n\r\n"),
  BAD(BYTES, HEAD_1 "Transfer-Encoding: \x0B", "chunked\r\n\r\n"),
  BAD(BYTES, HEAD_1 "X: y\n", "Transfer-Encoding: chunked\r\n\r\n"),
  BAD(BYTES, HEAD_1 "X: y\rT", "ransfer-Encoding: chunked\r\n\r\n"),
  BAD(BYTES, HEAD_1 "X: y\r\r", "\n\r\n"),
  BAD(BYTES, HEAD_1 "\r\r", "\n"),
  BAD(BYTES, HEAD_1 "\n", GET),
  BAD(HOST, "GET / HTTP/1.1\r\n\r\n", GET),
  BAD(HOST, "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n", GET),
  BAD(HOST, "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", GET),
  BAD(HOST, "GET / HTTP/1.1\r\nHost: a\\b\r\n\r\n", GET),
  BAD(HOST, "GET / HTTP/1.0\r\nHost: a b\r\n\r\n", GET),
  BAD(TWICE, HEAD_1 "HOST: a\r\n\r\n", GET),
  BAD(TWICE, HEAD_1 "Authorization: a\r\nauthorization: a\r\n\r\n", GET),
  BAD(TWICE, POST "Content-Length: 1\r\nX: y\r\nContent-Length: 1\r\n\r\n", "a" GET),
  BAD(TWICE, POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n", "0\r\n\r\n" GET),
  BAD(TWICE, POST "Transfer-Encoding: chunked\r\nTransfer-encoding:\r\n\r\n", "0\r\n\r\n" GET),
  /* the length of the body */
  BAD(FRAMING, POST "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n", "0\r\n\r\n" GET),
  BAD(FRAMING, POST "Transfer-Encoding: identity\r\nContent-Length: 4\r\n\r\n", "0\r\n\r\n" GET),
  BAD(FRAMING, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "0\r\n\r\n" GET),
  BAD(CODING, POST "Transfer-Encoding: chunked, chunked\r\n\r\n", "0\r\n\r\n" GET),
  BAD(CODING, POST "Transfer-Encoding: chunked;q=1\r\n\r\n", "0\r\n\r\n" GET),
  BAD(CODING, POST "Transfer-Encoding: \"chunked\"\r\n\r\n", "0\r\n\r\n" GET),
  BAD(CODING, POST "Transfer-Encoding: chunked,\r\n\r\n", "0\r\n\r\n" GET),
  BAD(CODING, POST "Transfer-Encoding:\r\n\r\n", "0\r\n\r\n" GET),
  BAD(LENGTH, POST "Content-Length:\r\n\r\n", GET),
  BAD(LENGTH, POST "Content-Length: 1, 1\r\n\r\n", "a" GET),
  BAD(LENGTH, POST "Content-Length: 1 1\r\n\r\n", "a" GET),
  BAD(LENGTH, POST "Content-Length: +1\r\n\r\n", "a" GET),
  BAD(LENGTH, POST "Content-Length: -1\r\n\r\n", "a" GET),
  BAD(LENGTH, POST "Content-Length: 0x1\r\n\r\n", "a" GET),
  BAD(LENGTH, POST "Content-Length: 1.0\r\n\r\n", "a" GET),
  BAD(LENGTH, POST "Content-Length: 1\xC2\xA0\r\n\r\n", "a" GET),
  BAD(LENGTH, POST "Content-Length: 18446744073709551615\r\n\r\n", GET),
  BAD(LENGTH, POST "Content-Length: 18446744073709551616\r\n\r\n", GET),
  BAD(LENGTH, POST "Content-Length: 18446744073709551617\r\n\r\n", "a" GET),
  BAD(LENGTH, POST "Content-Length: 36893488147419103233\r\n\r\n", "a" GET),
  BAD(BODY, POST "Content-Length: 4294967297\r\n\r\n", "a" GET),
  BAD(LENGTH, POST "Content-Length: 9223372036854775808\r\n\r\n", GET),
  BAD(BODY, POST "Content-Length: 1844674407370955160\r\n\r\n", GET),
  BAD(BODY, POST "Content-Length: 257\r\n\r\n", GET),
  BAD(EXPECT, POST "Content-Length: 1\r\nExpect: 100\r\n\r\n", "a" GET),
  BAD(EXPECT, POST "Content-Length: 1\r\nExpect:\r\n\r\n", "a" GET),
  /* chunks */
  BAD(CHUNK, CHUNKED "\r", "\n0\r\n\r\n"),
  BAD(CHUNK, CHUNKED ";", "x\r\n"),
  BAD(CHUNK, CHUNKED "g", "\r\n"),
  BAD(CHUNK, CHUNKED "+", "1\r\na\r\n0\r\n\r\n"),
  BAD(CHUNK, CHUNKED "0x", "1\r\na\r\n0\r\n\r\n"),
  BAD(CHUNK, CHUNKED "1_", "0\r\n"),
  BAD(CHUNK, CHUNKED "1\n", "a\r\n0\r\n\r\n"),
  BAD(CHUNK, CHUNKED "1;x\n", "a\r\n0\r\n\r\n"),
  BAD(CHUNK, CHUNKED "1;x\ry", "\na\r\n0\r\n\r\n"),
  BAD(CHUNK, CHUNKED "1;\0", "\r\n"),
  BAD(CHUNK, CHUNKED "1 1", "\r\na\r\n0\r\n\r\n"), /* 1 or 11 */
  BAD(CHUNK, CHUNKED "0 x", "\r\n\r\n"),
  BAD(CHUNK, CHUNKED "1\r\na\n", "0\r\n\r\n"),
  BAD(CHUNK, CHUNKED "1\r\nab", "\r\n0\r\n\r\n"),
  BAD(CHUNK, CHUNKED "1\r\na\r0", "\r\n\r\n"),
  BAD(CHUNK, CHUNKED "00000000000000001", "\r\na\r\n0\r\n\r\n"),
  BAD(BODY, CHUNKED "101", "\r\n"),
  BAD(BODY, CHUNKED "FFF", "FFFFFFFFFFFFF\r\n"),
  BAD(BODY, CHUNKED "1000", "0000000000000001\r\n"),
  BAD(BODY, CHUNKED "1\r\na\r\n100", "\r\n"),
  BAD(CHUNK, CHUNKED "0\r\nX: y\n", "\r\n" GET),
  BAD(CHUNK, CHUNKED "0\r\nX: \0", "\r\n\r\n"),
  BAD(CHUNK, CHUNKED "0\r\n\rX", "\n" GET),
  BAD(CHUNK, CHUNKED "0\r\nGET ", "/smuggled HTTP/1.1\r\nHost: a\r\n\r\n"), /* a trailer must be a header line */
  BAD(CHUNK, CHUNKED "0\r\n ", "X: folded\r\n\r\n"),
  BAD(CHUNK, CHUNKED "0\r\nX: y\r\n\t", "folded\r\n\r\n"),
  BAD(CHUNK, CHUNKED "0\r\nX\r", "\n\r\n"),
  BAD(CHUNK, CHUNKED "0\r\n:", "x\r\n\r\n"),
};

TEST(http_reader, refused)
{
  size_t i, j;
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    reader r, whole;
    reader_open(&r, &usual);
    for (j = 0; j < bad[i].n && !r.error; j++) reader_feed(&r, bad[i].wire + j, 1);
    reader_close(&r);
    if (r.error != bad[i].error || j != bad[i].at)
      munit_errorf("%d after %zu bytes, not %d after %zu: %s", r.error, j, bad[i].error, bad[i].at, bad[i].wire);
    munit_assert_size(r.requests, ==, 0);
    reader_run(&whole, &usual, bad[i].wire, bad[i].n, SIZE_MAX);
    munit_assert_int(whole.error, ==, bad[i].error);
    munit_assert_size(whole.requests, ==, 0);
  }
}

/* ----------------------------------------------------------------------------------------------------------- splits */

static void all_splits(const char *p, size_t n)
{
  reader whole, cut;
  size_t i;
  reader_run(&whole, &usual, p, n, SIZE_MAX);
  for (i = 1; i < n && i < 8; i++) {
    reader_run(&cut, &usual, p, n, i);
    same(&whole, &cut, p, n);
  }
  for (i = 1; i < n; i++) { /* in two parts, at every position */
    reader_open(&cut, &usual);
    reader_feed(&cut, p, i);
    if (!cut.error) reader_feed(&cut, p + i, n - i);
    reader_close(&cut);
    same(&whole, &cut, p, n);
  }
  for (i = 0; i < 50; i++) {
    reader_run(&cut, &usual, p, n, 0);
    same(&whole, &cut, p, n);
  }
}

TEST(http_reader, splits)
{
  size_t i;
  for (i = 0; i < sizeof good / sizeof good[0]; i++) all_splits(good[i].wire, strlen(good[i].wire));
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) all_splits(bad[i].wire, bad[i].n);
}

/* Every byte value at every position from the target on. Read as a whole, eight bytes are checked in one step; read one by one, single
** bytes are. */
TEST(http_reader, every_byte)
{
  static const char text[] = "GET /abcdefghijklmnopqrstuvwx HTTP/1.1\r\nHost: a\r\nX: abcdefghijklmnopqrstuvwx\r\n\r\n";
  char wire[sizeof text];
  size_t at;
  int byte;
  for (at = 4; at < sizeof text - 1; at++)
    for (byte = 0; byte < 256; byte++) {
      reader whole, cut;
      memcpy(wire, text, sizeof text);
      wire[at] = (char)byte;
      reader_run(&whole, &usual, wire, sizeof text - 1, SIZE_MAX);
      reader_run(&cut, &usual, wire, sizeof text - 1, 1);
      same(&whole, &cut, wire, sizeof text - 1);
    }
}

/* Random streams: a valid stream followed by a valid or refused stream, with some bytes changed. */
TEST(http_reader, hostile)
{
  static const char bytes[] = "\r\n\0 \t:;,0159aAfF/?#\x7F\x80\xFF\x01-+\"";
  static const char *const words[] = { "\r\n", "\r\n\r\n", "Transfer-Encoding: chunked\r\n", "Content-Length: 3\r\n",
                                       "0\r\n\r\n", "ffffffffffffffff", "HTTP/1.1", "GET / HTTP/1.1\r\n", "\n\n",
                                       "Connection: close\r\n", "99999999999999999999", " : " };
  size_t round, goods = sizeof good / sizeof good[0], bads = sizeof bad / sizeof bad[0], seen = 0, refused = 0;
  for (round = 0; round < 12000; round++) {
    char text[1024];
    size_t n = 0, i, k, changes = (size_t)munit_rand_int_range(1, 4);
    reader whole, cut;
    for (i = 0; i < 2; i++) {
      size_t which = (size_t)munit_rand_int_range(0, (int)(i == 0 ? goods : goods + bads) - 1);
      const char *from = which < goods ? good[which].wire : bad[which - goods].wire;
      size_t length = which < goods ? strlen(from) : bad[which - goods].n;
      memcpy(text + n, from, length);
      n += length;
    }
    for (i = 0; i < changes; i++) {
      size_t at = (size_t)munit_rand_int_range(0, (int)n - 1);
      const char *word = words[munit_rand_int_range(0, (int)(sizeof words / sizeof words[0]) - 1)];
      char byte = bytes[munit_rand_int_range(0, sizeof bytes - 2)];
      switch (munit_rand_int_range(0, 3)) {
      case 0: text[at] = byte; break;
      case 1: memmove(text + at, text + at + 1, --n - at); break;
      default:
        k = munit_rand_int_range(0, 1) ? strlen(word) : 1;
        if (n + k > sizeof text) break;
        memmove(text + at + k, text + at, n - at);
        memcpy(text + at, k == 1 ? &byte : word, k);
        n += k;
      }
      if (n == 0) break;
    }
    reader_run(&whole, &usual, text, n, SIZE_MAX);
    reader_run(&cut, &usual, text, n, 0);
    same(&whole, &cut, text, n);
    reader_run(&cut, &usual, text, n, 1);
    same(&whole, &cut, text, n);
    seen += whole.requests;
    refused += whole.error != 0;
  }
  munit_assert_size(seen, >, 4000); /* many streams got past their first byte */
  munit_assert_size(refused, >, 4000);
}

/* ----------------------------------------------------------------------------------------------------------- limits */

/* Returns the result of a text with `n` times `fill` in the middle. */
static int sized(const svc_http_limits *limits, const char *before, const char *fill, size_t n, const char *after)
{
  size_t all = strlen(before) + n * strlen(fill) + strlen(after);
  char *text = malloc(all + 1), *p = text;
  reader whole, cut;
  munit_assert_not_null(text);
  p += sprintf(p, "%s", before);
  while (n--) p += sprintf(p, "%s", fill);
  sprintf(p, "%s", after);
  reader_run(&whole, limits, text, all, SIZE_MAX);
  reader_run(&cut, limits, text, all, 7);
  same(&whole, &cut, text, all);
  munit_assert_size(cut.most, <=, limits->target + limits->header_bytes + SVC_HTTP_HEADERS * 12 + 64);
  free(text);
  return whole.error ? whole.error : whole.requests == 1 ? SVC_HTTP_OK : SVC_HTTP_MORE;
}

TEST(http_reader, limits)
{
  const svc_http_limits *k = &usual;
  svc_http_limits zero = { 1, 5, 0 };
  munit_assert_int(sized(k, "GET /", "a", 63, " HTTP/1.1\r\nHost: a\r\n\r\n"), ==, SVC_HTTP_OK);
  munit_assert_int(sized(k, "GET /", "a", 64, " HTTP/1.1\r\nHost: a\r\n\r\n"), ==, SVC_HTTP_E_TARGET);
  munit_assert_int(sized(k, "GET /", "a", 100000, ""), ==, SVC_HTTP_E_TARGET);
  munit_assert_int(sized(k, HEAD_1 "X:", "b", 512 - 6, "\r\n\r\n"), ==, SVC_HTTP_OK); /* the bytes of Host, a, X count, too */
  munit_assert_int(sized(k, HEAD_1 "X:", "b", 512 - 5, "\r\n\r\n"), ==, SVC_HTTP_E_HEADER_BYTES);
  munit_assert_int(sized(k, HEAD_1 "X:", "b", 100000, ""), ==, SVC_HTTP_E_HEADER_BYTES);
  munit_assert_int(sized(k, HEAD_1, "b", 100000, ""), ==, SVC_HTTP_E_HEADER_BYTES);
  munit_assert_int(sized(k, HEAD_1 "X:", " ", 100000, ""), ==, SVC_HTTP_E_HEADER_BYTES); /* endless spaces are refused */
  munit_assert_int(sized(k, HEAD_1, "X:y\r\n", 63, "\r\n"), ==, SVC_HTTP_OK);
  munit_assert_int(sized(k, HEAD_1, "X:y\r\n", 64, "\r\n"), ==, SVC_HTTP_E_HEADER_COUNT);
  munit_assert_int(sized(k, HEAD_1, "X:\r\n", 100000, ""), ==, SVC_HTTP_E_HEADER_COUNT);
  munit_assert_int(sized(k, POST "Content-Length: 256\r\n\r\n", "c", 256, ""), ==, SVC_HTTP_OK);
  munit_assert_int(sized(k, POST "Content-Length: 256\r\n\r\n", "c", 255, ""), ==, SVC_HTTP_MORE);
  munit_assert_int(sized(k, CHUNKED, "1\r\nc\r\n", 256, "0\r\n\r\n"), ==, SVC_HTTP_OK);
  munit_assert_int(sized(k, CHUNKED, "1\r\nc\r\n", 257, "0\r\n\r\n"), ==, SVC_HTTP_E_BODY);
  munit_assert_int(sized(k, CHUNKED "100\r\n", "c", 256, "\r\n0\r\n\r\n"), ==, SVC_HTTP_OK);
  munit_assert_int(sized(k, CHUNKED "1;", "x", 100000, ""), ==, SVC_HTTP_E_CHUNK); /* extensions, in one chunk */
  munit_assert_int(sized(k, CHUNKED, "1;xxxx\r\nc\r\n", 200, "0\r\n\r\n"), ==, SVC_HTTP_E_CHUNK); /* extensions, in many chunks */
  munit_assert_int(sized(k, CHUNKED "1", " ", 100000, ""), ==, SVC_HTTP_E_CHUNK);
  munit_assert_int(sized(k, CHUNKED "0\r\n", "X:y\r\n", 100000, ""), ==, SVC_HTTP_E_CHUNK);
  munit_assert_int(sized(k, "", "\r\n", 100000, GET), ==, SVC_HTTP_OK); /* empty lines are not kept */
  munit_assert_int(sized(&zero, "GET / HTTP/1.1\r\nHost:a\r\n\r\n", "", 0, ""), ==, SVC_HTTP_OK);
  munit_assert_int(sized(&zero, "PUT / HTTP/1.1\r\nHost:a\r\nContent-Length:1\r\n\r\n", "", 0, ""), ==,
                   SVC_HTTP_E_HEADER_BYTES);
}

/* Memory grows with the bytes that arrive, not with the length that was announced. */
TEST(http_reader, memory)
{
  static const svc_http_limits large = { .target = 64, .header_bytes = 512, .body = (size_t)1 << 30 };
  static const char *const announced[] = { POST "Content-Length: 1073741824\r\n\r\n", CHUNKED "40000000\r\n" };
  size_t i, j;
  for (i = 0; i < 2; i++) {
    reader r;
    char some[1000];
    memset(some, 'x', sizeof some);
    reader_open(&r, &large);
    reader_feed(&r, announced[i], strlen(announced[i]));
    munit_assert_size(r.body.size, ==, 0);
    for (j = 1; j < 200; j++) {
      reader_feed(&r, some, sizeof some);
      munit_assert_size(r.body.length, ==, j * sizeof some);
      munit_assert_size(r.body.size, <=, 2 * r.body.length + 4096);
    }
    munit_assert_int(r.error, ==, SVC_HTTP_OK);
    reader_close(&r);
  }
}

/* Heads that the scan for their end would never accept: the parser does not rely on the scan. */
TEST(http_reader, parsed_alone)
{
  static const struct { const char *text; int error; } rows[] = {
    { "", SVC_HTTP_E_BYTES }, { "\n", SVC_HTTP_E_BYTES }, { "GET / HTTP/1.1\n\n", SVC_HTTP_E_BYTES }, { "GET / HTTP/1.1\r\nHost: a\r\n", SVC_HTTP_E_BYTES },
    { "GET / HTTP/1.1\r\nHost: a\r\n\n", SVC_HTTP_E_BYTES }, { "\r\n", SVC_HTTP_E_LINE }, { "GET\r\n\r\n", SVC_HTTP_E_LINE }, { " / HTTP/1.1\r\n\r\n", SVC_HTTP_E_LINE },
    { "AMETHODTHATISLONGERTHANANYOTHER / HTTP/1.1\r\n\r\n", SVC_HTTP_E_LINE }, { "GET /\r\n\r\n", SVC_HTTP_E_LINE }, { "GET  HTTP/1.1\r\n\r\n", SVC_HTTP_E_LINE },
    { "GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa HTTP/1.1\r\nHost: a\r\n\r\n", SVC_HTTP_E_TARGET },
    { "GET / HTTP/1.1\r\nHost\r\n\r\n", SVC_HTTP_E_HEADER }, { "GET / HTTP/1.1\r\n: a\r\n\r\n", SVC_HTTP_E_HEADER },
    { "GET / HTTP/1.1\r\nHost: a\r\nConnection: , \t,close \t\r\n\r\n", SVC_HTTP_OK },
  };
  char many[2048] = "GET / HTTP/1.1\r\n";
  svc_http_head head;
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (svc_http_parse(&head, rows[i].text, strlen(rows[i].text), &usual) != rows[i].error) munit_errorf("%s", rows[i].text);
  for (i = 0; i <= SVC_HTTP_HEADERS; i++) strcat(many, "a:b\r\n");
  strcat(many, "\r\n");
  munit_assert_int(svc_http_parse(&head, many, strlen(many), &usual), ==, SVC_HTTP_E_HEADER_COUNT);
}

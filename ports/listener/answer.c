/*
** Answers: the head is written here, the body comes from the service. The listener's own errors, for requests that never reach
** the service, look like the service's.
**
** The rule: exactly one answer per request, and its Content-Length is the length that is really sent (for HEAD, the
** length that a GET would have).
*/
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------------------- errors */

/* Codes and sentences are the library's if it has them. The parameter stands between `before` and `after`. */
typedef struct answer_error {
  short status;
  const char *code, *before, *after;
  const char *what; /* the parameter; NULL: none, or a limit of the configuration */
} answer_error;

#define ANSWER_BAD(what) { 400, "INVALID_REQUEST", "The request is invalid: ", ".", what }
#define ANSWER_LATER(why) { 503, "SERVICE_UNAVAILABLE", why " Please try again later.", "", NULL }
static const answer_error answer_errors[LISTENER_E_COUNT] = {
  [SVC_HTTP_E_LINE] = ANSWER_BAD("the request line is malformed"),
  [SVC_HTTP_E_BYTES] = ANSWER_BAD("it holds bytes that do not belong to HTTP"),
  [SVC_HTTP_E_TARGET_FORM] = ANSWER_BAD("the request target must be a path or an http URL with a path"),
  [SVC_HTTP_E_HEADER] = ANSWER_BAD("a header line is malformed"),
  [SVC_HTTP_E_TWICE] = ANSWER_BAD("a header that may occur only once occurs twice"),
  [SVC_HTTP_E_HOST] = ANSWER_BAD("the Host header is missing or malformed"),
  [SVC_HTTP_E_LENGTH] = ANSWER_BAD("Content-Length is not a number that can be used"),
  [SVC_HTTP_E_FRAMING] = ANSWER_BAD("Transfer-Encoding occurs together with Content-Length, or in HTTP/1.0"),
  [SVC_HTTP_E_CHUNK] = ANSWER_BAD("the chunked body is malformed"),
  [LISTENER_E_TIMEOUT] = { 408, "REQUEST_TIMEOUT", "The request did not arrive in time.", "", NULL },
  [SVC_HTTP_E_BODY] = { 413, "REQUEST_TOO_LARGE", "The body of the request is larger than ", " bytes.", NULL },
  [SVC_HTTP_E_TARGET] = { 414, "URI_TOO_LONG", "The address of the request is longer than ", " bytes.", NULL },
  [SVC_HTTP_E_EXPECT] = { 417, "EXPECTATION_FAILED", "Only 100-continue can be expected of this service.", "", NULL },
  [SVC_HTTP_E_HEADER_BYTES] = { 431, "HEADERS_TOO_LARGE", "The headers are larger than ", " bytes together.", NULL },
  [SVC_HTTP_E_HEADER_COUNT] = { 431, "HEADERS_TOO_LARGE", "The request has more headers than ", ".", NULL },
  [LISTENER_E_SERVICE] = { 500, "UNEXPECTED_ERROR", "An internal error occurred.", "", NULL },
  [SVC_HTTP_E_CODING] = { 501, "NOT_IMPLEMENTED", "The only transfer coding known here is chunked.", "", NULL },
  [LISTENER_E_CONNECTIONS] = ANSWER_LATER("The service has all the connections it can serve."),
  [LISTENER_E_ADDRESS] = ANSWER_LATER("Your address has all the connections that one may have."),
  [LISTENER_E_WAITING] = ANSWER_LATER("Too many changes wait to be made."),
  [LISTENER_E_BODIES] = ANSWER_LATER("Too many large requests are under way."),
  [LISTENER_E_ANSWERS] = ANSWER_LATER("Too many large answers wait to be sent."),
  [LISTENER_E_ANSWER] = { 503, "SERVICE_UNAVAILABLE", "The answer is larger than ",
                          " bytes: ask for less of it at a time.", NULL },
  [SVC_HTTP_E_MEMORY] = ANSWER_LATER("The service is out of memory."),
  [SVC_HTTP_E_VERSION] = { 505, "HTTP_VERSION_NOT_SUPPORTED", "Only HTTP/1.0 and HTTP/1.1 are known here.", "", NULL },
};

static uint64_t answer_limit(const svc_listener_config *k, int error)
{
  switch (error) {
  case SVC_HTTP_E_BODY: return k->max_body;
  case SVC_HTTP_E_TARGET: return k->max_target;
  case SVC_HTTP_E_HEADER_BYTES: return k->max_header_bytes;
  case SVC_HTTP_E_HEADER_COUNT: return SVC_HTTP_HEADERS;
  case LISTENER_E_ANSWER: return k->max_answer;
  default: return 0;
  }
}

/* The error in the format of the library's errors. Returns its length. */
static size_t answer_document(char *body, size_t size, const answer_error *e, uint64_t limit)
{
  static const char document[] = "{\"detail\":\"%s%s%s\",\"error\":%d,\"errorCode\":\"%s\",\"parameters\":[%s%s%s],"
                                 "\"reason\":\"%s\"}";
  const char *what = e->what ? e->what : "", *quote = e->what ? "\"" : "";
  char number[24];
  if (limit) {
    snprintf(number, sizeof number, "%llu", (unsigned long long)limit);
    what = number;
  }
  return (size_t)snprintf(body, size, document, e->before, what, e->after, e->status, e->code, quote, what, quote,
                          svc_status_reason(e->status));
}

/* -------------------------------------------------------------------------------------------- the head of an answer */

typedef struct answer_text { /* a head being written; grows out of `own` if necessary */
  char *p;
  size_t n, size;
  bool failed;
  char own[2048];
} answer_text;

static void answer_put(answer_text *t, const char *p, size_t n)
{
  if (t->size - t->n < n && !t->failed) {
    size_t size = (t->n + n) * 2;
    char *bigger = realloc(t->p == t->own ? NULL : t->p, size);
    if (!bigger) {
      t->failed = true;
    } else {
      if (t->p == t->own) memcpy(bigger, t->own, t->n);
      t->p = bigger;
      t->size = size;
    }
  }
  if (t->failed) return;
  memcpy(t->p + t->n, p, n);
  t->n += n;
}

/* A header: most of a head is headers, so the four pieces are copied at once. */
static void answer_put_header(answer_text *t, const char *name, size_t n, const char *value, size_t m)
{
  char *to = t->p + t->n;
  if (t->size - t->n < n + m + 4 || t->failed) { /* rare: the buffer grows */
    answer_put(t, name, n);
    answer_put(t, ": ", 2);
    answer_put(t, value, m);
    answer_put(t, "\r\n", 2);
    return;
  }
  /* NOLINTBEGIN(bugprone-not-null-terminated-result) ; the text has a length, and no NUL */
  memcpy(to, name, n);
  memcpy(to + n, ": ", 2);
  memcpy(to + n + 2, value, m);
  memcpy(to + n + 2 + m, "\r\n", 2);
  /* NOLINTEND(bugprone-not-null-terminated-result) */
  t->n += n + m + 4;
}

static void answer_puts(answer_text *t, const char *text)
{
  answer_put(t, text, strlen(text));
}

static void answer_put_number(answer_text *t, const char *before, uint64_t value, const char *after)
{
  char digits[24];
  size_t at = sizeof digits;
  do digits[--at] = (char)('0' + value % 10);
  while (value /= 10);
  answer_puts(t, before);
  answer_put(t, digits + at, sizeof digits - at);
  answer_puts(t, after);
}

/* "Sun, 06 Nov 1994 08:49:37 GMT", computed once a second. */
static const char *answer_date(listener_loop *loop)
{
  static const char days[] = "SunMonTueWedThuFriSat", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  struct timespec now;
  struct tm t;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0 || now.tv_sec == loop->date_second) return loop->date;
  if (!gmtime_r(&now.tv_sec, &t)) return loop->date;
  loop->date_second = now.tv_sec;
  snprintf(loop->date, sizeof loop->date, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT", days + 3 * t.tm_wday, t.tm_mday,
           months + 3 * t.tm_mon, (t.tm_year + 1900) % 10000, t.tm_hour, t.tm_min, t.tm_sec);
  return loop->date;
}

static void answer_start(answer_text *t, listener_conn *conn, int status)
{
  t->p = t->own;
  t->n = 0;
  t->size = sizeof t->own;
  t->failed = false;
  answer_put_number(t, "HTTP/1.1 ", (uint64_t)status, " ");
  answer_puts(t, svc_status_reason(status));
  answer_puts(t, "\r\nDate: ");
  answer_puts(t, answer_date(conn->loop));
  answer_puts(t, "\r\n");
}

static void answer_end(answer_text *t, listener_conn *conn)
{
  if (t->failed) svc_listener_drop(conn);
  else svc_listener_send(conn, t->p, t->n);
  if (t->p != t->own) free(t->p);
}

/* ------------------------------------------------------------------------------------------------------- access log */

/* For hosts that keep an access log. head NULL: the request could not be read. */
static void answer_note(listener_conn *conn, const svc_http_head *head, const svc_response *r, int status, size_t bytes)
{
  const svc_listener_config *k = &conn->loop->listener->config;
  char peer[INET6_ADDRSTRLEN];
  struct timespec now, wall;
  svc_access a;
  if (!k->access) return;
  memset(&a, 0, sizeof a);
  clock_gettime(CLOCK_REALTIME, &wall);
  clock_gettime(CLOCK_MONOTONIC, &now);
  a.time_ms = (int64_t)wall.tv_sec * 1000 + wall.tv_nsec / 1000000;
  a.peer = conn->peer;
  a.method = a.path = "";
  a.status = status;
  a.bytes = bytes;
  if (head) {
    const char *query = memchr(head->target, '?', head->target_length);
    svc_listener_peer(conn, head, peer);
    a.peer = peer;
    a.method = head->method;
    a.path = head->target;
    a.path_length = query ? (size_t)(query - head->target) : head->target_length;
    svc_traceparent(&(svc_request){ .headers = head->headers, .header_count = head->header_count }, a.traceparent);
    a.micros = (int64_t)(now.tv_sec - conn->began.tv_sec) * 1000000 + (now.tv_nsec - conn->began.tv_nsec) / 1000;
  }
  if (r) a.operation = r->operation;
  if (r) a.caller = r->caller;
  k->access(k->access_context, &a);
}

/* ---------------------------------------------------------------------------------------------------------- answers */

/* Security headers of every answer. An answer with a Referrer-Policy has its own policy: the console's page. */
static void answer_put_policy(answer_text *t, const listener_conn *conn, bool own)
{
  static const char policy[] = "Referrer-Policy: strict-origin-when-cross-origin\r\nX-Frame-Options: DENY\r\n"
                               "X-Permitted-Cross-Domain-Policies: none\r\n";
  static const char secure[] = "Strict-Transport-Security: max-age=31536000\r\n";
  if (!own) answer_put(t, policy, sizeof policy - 1);
  if (conn->tls) answer_put(t, secure, sizeof secure - 1);
}

void svc_listener_refuse(listener_conn *conn, int error, bool is_head, bool close)
{
  const answer_error *e = &answer_errors[error];
  const svc_listener *l = conn->loop->listener;
  char body[768];
  size_t n = answer_document(body, sizeof body, e, answer_limit(&l->config, error));
  answer_text t;
  if (conn->tls && !conn->shaken) { /* no way to send it before the handshake is done */
    svc_listener_drop(conn);
    return;
  }
  svc_listener_log(l, SVC_LOG_INFO, "listener.refused", "%s: %d %s", conn->peer, e->status, e->what ? e->what : e->code);
  answer_note(conn, NULL, NULL, e->status, is_head ? 0 : n);
  conn->close = close;
  conn->body_at = conn->body_length = 0;
  answer_start(&t, conn, e->status);
  answer_puts(&t, "Content-Type: application/json\r\nX-Error-Code: ");
  answer_puts(&t, e->code);
  answer_put_number(&t, "\r\nContent-Length: ", n, "\r\n");
  if (e->status == 503) answer_puts(&t, "Retry-After: 1\r\n");
  answer_put_policy(&t, conn, false);
  answer_puts(&t, close ? "Connection: close\r\n\r\n" : "\r\n");
  if (!is_head) answer_put(&t, body, n);
  answer_end(&t, conn);
}

/* Writes the service's headers; `tag` replaces their ETag unless it is empty. Returns whether they include a Content-Length. */
static bool answer_put_headers(answer_text *t, const listener_conn *conn, const svc_response *r, bool is_head, const char *tag)
{
  bool length = false, own = false;
  size_t i;
  for (i = 0; i < r->header_count; i++) {
    const svc_header *header = &r->headers[i];
    size_t name = header->name_length ? header->name_length : strlen(header->name);
    size_t value = header->value_length ? header->value_length : strlen(header->value);
    if (svc_http_is(header->name, name, "content-length")) {
      /* for HEAD only the service knows the length; otherwise the bytes that are sent count */
      if (!is_head || length) continue;
      length = true;
    }
    if (r->status == 304 && svc_http_is(header->name, name, "content-type")) continue; /* there is no body that it could describe */
    own |= svc_http_is(header->name, name, "referrer-policy");
    if (tag[0] && svc_http_is(header->name, name, "etag")) answer_put_header(t, header->name, name, tag, strlen(tag));
    else answer_put_header(t, header->name, name, header->value, value);
  }
  answer_put_policy(t, conn, own);
  return length;
}

/* Whether there is room for the answer, in case the client does not take it at once. 0, or the error to refuse a read with. */
static int answer_room(listener_conn *conn, const svc_http_head *h)
{
  svc_listener *l = conn->loop->listener;
  int error = 0;
  conn->bounded = false;
  if (conn->document) return 0; /* it takes no memory of this client's own */
  if (conn->body_length > l->config.max_answer) error = LISTENER_E_ANSWER;
  else if (!svc_listener_send_reserve(conn, conn->body_length)) error = LISTENER_E_ANSWERS;
  if (!error) return 0;
  svc_listener_warn(l, "listener.memory_full", error == LISTENER_E_ANSWER ? "an answer is larger than max_answer: the client gets 503"
                                                  : "too many large answers are not read by their clients yet: some clients get 503");
  if (h->reads) return error;
  conn->bounded = true; /* the change is done, so it must be answered */
  return 0;
}

/* Frees the body that was compressed: from here on the body is only conn->packed, or the listener's. */
static void answer_pack(listener_conn *conn)
{
  int delay = conn->response.delay_ms;
  if (!conn->packed && !conn->packed_document) return;
  svc_response_free(&conn->response);
  conn->response.body = conn->packed ? conn->packed : conn->packed_document;
  conn->response.delay_ms = delay;
}

void svc_listener_answer(listener_conn *conn, const svc_http_head *h, svc_response *response)
{
  bool bare = response->status == 204 || response->status == 304, length;
  const svc_response *r = &conn->response;
  char tag[LISTENER_TAG];
  answer_text t;
  int error, coding;
  if (response->drop) { /* an injected fault: the answer is lost */
    svc_listener_drop(conn);
    return;
  }
  conn->response = *response;
  memset(response, 0, sizeof *response);
  conn->body_length = h->is_head || bare ? 0 : r->body_length;
  conn->document = conn->body_length ? svc_listener_document_of(conn->loop->listener, r) : NULL;
  error = r->status < 200 || r->status > 599 ? LISTENER_E_SERVICE : answer_room(conn, h);
  if (error) {
    svc_response_free(&conn->response);
    svc_listener_refuse(conn, error, h->is_head, error == LISTENER_E_SERVICE || !h->keep || h->old ||
                                                   atomic_load(&conn->loop->listener->draining));
    return;
  }
  coding = svc_listener_encode(conn, h, tag);
  if (r->status == 304) bare = true, conn->body_length = 0;
  answer_note(conn, h, r, r->status, conn->body_length);
  conn->close = !h->keep || atomic_load(&conn->loop->listener->draining);
  conn->body_at = 0;
  answer_start(&t, conn, r->status);
  length = answer_put_headers(&t, conn, r, h->is_head, coding == LISTENER_GZIP ? tag : "");
  if (coding != LISTENER_PLAIN) answer_puts(&t, "Vary: Accept-Encoding\r\n");
  if (conn->packed || conn->packed_document) answer_puts(&t, "Content-Encoding: gzip\r\n");
  if (!bare && !length) answer_put_number(&t, "Content-Length: ", h->is_head ? r->body_length : conn->body_length, "\r\n");
  answer_pack(conn);
  if (conn->close) answer_puts(&t, "Connection: close\r\n");
  else if (h->old) answer_puts(&t, "Connection: keep-alive\r\n");
  answer_put(&t, "\r\n", 2);
  answer_end(&t, conn);
}

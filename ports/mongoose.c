/*
** The HTTP listener on mongoose 7.23: sockets and event loops are mongoose's, HTTP is ours. Requests are read by
** http_reader.c; this file holds the connections, the threads and the answers.
**
** Why not mongoose's HTTP as well: it delivers a body that was cut off as if it were whole, drops headers past a fixed
** number (and with them a Content-Length, so that a body runs as the next request), eats the request after a POST
** without a length, cannot read a chunk whose size line comes in two segments, and closes without a word where a 400 is
** due. Each could be guarded, all together are a parser; so there is one, strict, and mongoose only moves bytes:
** MG_EV_ACCEPT, MG_EV_READ, MG_EV_POLL and MG_EV_CLOSE are all that is used of it.
**
** The rules it keeps. (1) A request reaches the service only if its end is certain; after anything doubtful the
** connection is closed, so nothing can be smuggled in as a second request. (2) A connection has one request under way;
** while it is answered the socket is not read, so answers keep their order and a client that does not read is held back
** by TCP. (3) A loop never waits: not for a disk (writers), not for a client (what does not fit the socket is kept,
** see `writable`). (4) A connection is touched by its loop's thread only; jobs travel between threads through locked
** queues, and mg_wakeup(), whose messages can get lost, is merely the bell.
**
**      accept -> HEAD -> [BODY] -> GET, HEAD: answered at once ------------> SEND, if it did not fit -> HEAD
**                              \-> others: WAIT for a writer -> answered --/                        \-> LINGER, closed
**
** A GET or HEAD that finds something due (svc_is_due) is one of the others: it stores that first.
**
** What else is to be known of mongoose: while c->send is not empty its epoll code asks for EPOLLIN at every turn, and
** is_full does not take EPOLLIN away; both spin when a client sends and does not read. It also closes at once when it
** reads the end of the input, though an answer may be due. So c->send is never used, and a pause takes the socket's
** events away (listener_reading). Closing a socket takes it out of an epoll only if no child process has it as well, so
** `writable` is left before (listener_leave).
*/
#define _GNU_SOURCE /* pthread_setname_np */
#include "listener.h"
#include "http_reader.h"

#include <mongoose.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if !MG_ENABLE_EPOLL
#error "the listener needs mongoose's epoll loop"
#endif

#define LISTENER_LINGER_MS 2000 /* how long a closed connection is read from, so that the client gets the answer */
#define LISTENER_TURN_MS 250    /* how long a loop sleeps at the most: the grain of all timeouts */
#define LISTENER_BACKLOG 1024   /* mongoose accepts one connection a turn, so many may have to wait */
#define LISTENER_URLS 16
#define LISTENER_SMALL ((size_t)16 << 10) /* of a body: so much is not counted, connections are; no flood shuts them out */
#define LISTENER_NEVER UINT64_MAX

/* ----------------------------------------------------------------------------------------------------------- errors */

/* Beside those of the reader. */
enum {
  LISTENER_E_TIMEOUT = SVC_HTTP_E_COUNT,
  LISTENER_E_SERVICE,
  LISTENER_E_CONNECTIONS,
  LISTENER_E_WAITING,
  LISTENER_E_BODIES,
  LISTENER_E_COUNT
};

/* Codes and sentences are the library's where it has them. The parameter stands between `before` and `after`. */
typedef struct listener_error {
  short status;
  const char *code, *before, *after;
  const char *what; /* the parameter; NULL: none, or a limit of the configuration */
} listener_error;

#define LISTENER_BAD(what) { 400, "INVALID_REQUEST", "The request cannot be understood: ", ".", what }
#define LISTENER_LATER(why) { 503, "SERVICE_UNAVAILABLE", why " Please try again later.", "", NULL }
static const listener_error listener_errors[LISTENER_E_COUNT] = {
  [SVC_HTTP_E_LINE] = LISTENER_BAD("the request line is malformed"),
  [SVC_HTTP_E_BYTES] = LISTENER_BAD("it holds bytes that do not belong to HTTP"),
  [SVC_HTTP_E_TARGET_FORM] = LISTENER_BAD("the request target must be a path or an http URL with a path"),
  [SVC_HTTP_E_HEADER] = LISTENER_BAD("a header line is malformed"),
  [SVC_HTTP_E_TWICE] = LISTENER_BAD("a header stands twice that may stand only once"),
  [SVC_HTTP_E_HOST] = LISTENER_BAD("the Host header is missing or malformed"),
  [SVC_HTTP_E_LENGTH] = LISTENER_BAD("Content-Length is not a number that can be used"),
  [SVC_HTTP_E_FRAMING] = LISTENER_BAD("Transfer-Encoding stands beside Content-Length or in HTTP/1.0"),
  [SVC_HTTP_E_CHUNK] = LISTENER_BAD("the chunked body is malformed"),
  [LISTENER_E_TIMEOUT] = { 408, "REQUEST_TIMEOUT", "The request did not arrive in time.", "", NULL },
  [SVC_HTTP_E_NO_LENGTH] = { 411, "LENGTH_REQUIRED", "A Content-Length is needed, 0 if there is no body.", "", NULL },
  [SVC_HTTP_E_BODY] = { 413, "REQUEST_TOO_LARGE", "The body of the request is larger than ", " bytes.", NULL },
  [SVC_HTTP_E_TARGET] = { 414, "URI_TOO_LONG", "The address of the request is longer than ", " bytes.", NULL },
  [SVC_HTTP_E_EXPECT] = { 417, "EXPECTATION_FAILED", "Only 100-continue can be expected of this service.", "", NULL },
  [SVC_HTTP_E_HEADER_BYTES] = { 431, "HEADERS_TOO_LARGE", "The headers are larger than ", " bytes together.", NULL },
  [SVC_HTTP_E_HEADER_COUNT] = { 431, "HEADERS_TOO_LARGE", "The request has more headers than ", ".", NULL },
  [LISTENER_E_SERVICE] = { 500, "UNEXPECTED_ERROR", "Something went wrong on our side.", "", NULL },
  [SVC_HTTP_E_CODING] = { 501, "NOT_IMPLEMENTED", "The only transfer coding known here is chunked.", "", NULL },
  [LISTENER_E_CONNECTIONS] = LISTENER_LATER("The service has all the connections it can serve."),
  [LISTENER_E_WAITING] = LISTENER_LATER("Too many changes wait to be made."),
  [LISTENER_E_BODIES] = LISTENER_LATER("Too many large requests are under way."),
  [SVC_HTTP_E_MEMORY] = LISTENER_LATER("The service is out of memory."),
  [SVC_HTTP_E_VERSION] = { 505, "HTTP_VERSION_NOT_SUPPORTED", "Only HTTP/1.0 and HTTP/1.1 are known here.", "", NULL },
};

/* ------------------------------------------------------------------------------------------------------------ types */

typedef struct listener_address { /* an IP address; IPv4 in 4 bytes, also when it came as ::ffff:a.b.c.d */
  unsigned char ip[16];
  unsigned bits; /* 32 or 128; of a network: how many count */
  bool six;
} listener_address;

typedef struct listener_conn listener_conn;
typedef struct listener_loop listener_loop;

/* A request that is not answered on the spot: it has a body, or it goes to a writer. Without text: call svc_tick(). */
typedef struct listener_job {
  struct listener_job *next;
  listener_loop *loop;
  listener_conn *conn; /* NULL: gone meanwhile. For the loop's thread only */
  char *text;          /* what head points into */
  svc_http_head head;
  char peer[INET6_ADDRSTRLEN];
  svc_http_body body;
  svc_response response;
} listener_job;

enum { LISTENER_HEAD, LISTENER_BODY, LISTENER_WAIT, LISTENER_SEND, LISTENER_LINGER };

struct listener_conn {
  struct mg_connection *c;
  listener_loop *loop;
  int state;
  bool started;      /* HEAD: some of the request has arrived */
  bool close;        /* after this answer */
  bool refused;      /* came when there were too many */
  bool proxied;      /* the socket's address is a trusted proxy's */
  uint64_t deadline; /* mg_millis() at which this state has lasted too long */
  size_t at;         /* bytes of c->recv that are done with */
  svc_http_scan scan; /* HEAD: of what follows in c->recv, how far its end was looked for */
  listener_job *job; /* BODY: ours; WAIT: the writers' */
  char peer[INET6_ADDRSTRLEN];
  char *text;        /* SEND: what is left of the answer's head, */
  size_t text_at, text_length;
  svc_response response; /* and of its body */
  size_t body_at, body_length;
};

struct listener_loop {
  svc_listener *listener;
  struct mg_mgr mgr;
  pthread_t thread;
  bool open, running;
  int writable;   /* an epoll of its own, of the sockets in SEND: tells the loop when one can be written to again */
  size_t sending; /* how many these are */
  size_t conns;
  struct mg_connection *listening[LISTENER_URLS]; /* NULL: closed */
  bool accepted;       /* somebody, in this turn */
  uint64_t accept_at;  /* when to try to accept again; 0: nothing keeps us from it */
  bool ticking;   /* a call of svc_tick() is under way */
  uint64_t ticked;
  time_t date_second;
  char date[32];
  pthread_mutex_t lock; /* of what follows: */
  listener_job *done;   /* answered; last first */
};

struct svc_listener {
  svc_listener_config config;
  svc_http_limits limits;
  svc *s;
  char *urls[LISTENER_URLS];
  listener_address *proxies;
  listener_loop *loops;
  pthread_t *writers;
  size_t writers_running;
  bool started, stopped;
  atomic_bool stopping;
  atomic_size_t connections, refused;
  atomic_size_t bodies; /* bytes of memory */
  atomic_uint_fast64_t warned;
  pthread_mutex_t lock; /* of what follows: */
  pthread_cond_t work;
  listener_job *first, *last; /* that wait for a writer */
  size_t waiting;
  bool quit;
};

static void listener_log(const svc_listener *l, int level, const char *format, ...)
{
  char text[256];
  va_list args;
  if (!l->config.log) return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  l->config.log(l->config.log_context, level, text);
}

/* For what an attacker can bring about at will: once a second at the most. */
static void listener_warn(svc_listener *l, const char *text)
{
  uint_fast64_t last = atomic_load(&l->warned), now = mg_millis();
  if (now - last >= 1000 && atomic_compare_exchange_strong(&l->warned, &last, now))
    listener_log(l, SVC_LOG_WARNING, "%s", text);
}

/* What a body counts for in max_body_memory. */
static size_t listener_counted(const svc_http_body *b)
{
  return b->size > LISTENER_SMALL ? b->size - LISTENER_SMALL : 0;
}

static void listener_job_free(listener_job *job)
{
  if (!job) return;
  atomic_fetch_sub(&job->loop->listener->bodies, listener_counted(&job->body));
  svc_response_free(&job->response);
  svc_http_body_free(&job->body);
  free(job->text);
  free(job);
}

/* --------------------------------------------------------------------------------------------------------- the peer */

static bool listener_address_parse(listener_address *a, const char *p, size_t n)
{
  static const unsigned char mapped[12] = { [10] = 0xFF, [11] = 0xFF };
  char text[INET6_ADDRSTRLEN];
  memset(a, 0, sizeof *a);
  if (n == 0 || n >= sizeof text) return false;
  memcpy(text, p, n);
  text[n] = '\0';
  a->bits = 32;
  if (inet_pton(AF_INET, text, a->ip) == 1) return true;
  a->bits = 128;
  a->six = true;
  if (inet_pton(AF_INET6, text, a->ip) != 1) return false;
  if (memcmp(a->ip, mapped, sizeof mapped) != 0) return true;
  memmove(a->ip, a->ip + 12, 4);
  a->six = false;
  a->bits = 32;
  return true;
}

/* An element of X-Forwarded-For: an address, perhaps with a port behind it, IPv6 then in brackets. */
static bool listener_forwarded_parse(listener_address *a, const char *p, size_t n)
{
  const char *end = memchr(p, p[0] == '[' ? ']' : ':', n);
  if (n && p[0] == '[') return end && listener_address_parse(a, p + 1, (size_t)(end - p) - 1);
  if (end && !memchr(end + 1, ':', n - (size_t)(end - p) - 1)) n = (size_t)(end - p);
  return listener_address_parse(a, p, n);
}

static bool listener_network_parse(listener_address *a, const char *text)
{
  const char *slash = strchr(text, '/');
  char *end;
  unsigned long bits;
  if (!listener_address_parse(a, text, slash ? (size_t)(slash - text) : strlen(text))) return false;
  if (!slash) return true;
  if (slash[1] < '0' || slash[1] > '9') return false;
  bits = strtoul(slash + 1, &end, 10);
  if (*end || bits > a->bits) return false;
  a->bits = (unsigned)bits;
  return true;
}

static bool listener_is_proxy(const svc_listener *l, const listener_address *a)
{
  size_t i;
  for (i = 0; i < l->config.trusted_proxy_count; i++) {
    const listener_address *net = &l->proxies[i];
    unsigned whole = net->bits / 8, rest = net->bits % 8;
    if (net->six != a->six || memcmp(net->ip, a->ip, whole) != 0) continue;
    if (rest == 0 || ((net->ip[whole] ^ a->ip[whole]) >> (8 - rest)) == 0) return true;
  }
  return false;
}

/*
** Who really sent it: walk X-Forwarded-For from the right for as long as the address in hand is a trusted proxy's. What
** stands further left was written by somebody whom we do not know, and counts for nothing.
*/
static void listener_peer(const listener_conn *conn, const svc_http_head *h, char peer[INET6_ADDRSTRLEN])
{
  listener_address a;
  size_t i = h->header_count;
  memcpy(peer, conn->peer, INET6_ADDRSTRLEN);
  if (!conn->proxied) return;
  while (i-- > 0) {
    const svc_header *header = &h->headers[i];
    const char *p = header->value, *end = p + header->value_length;
    if (!svc_http_is(header->name, header->name_length, "x-forwarded-for")) continue;
    while (end > p) {
      const char *from = end, *element, *rest;
      size_t n;
      while (from > p && from[-1] != ',') from--;
      rest = from;
      if (!svc_http_element(&rest, end, &element, &n)) n = 0, element = from; /* an empty element */
      if (!n || !listener_forwarded_parse(&a, element, n)) return;
      if (!inet_ntop(a.six ? AF_INET6 : AF_INET, a.ip, peer, INET6_ADDRSTRLEN)) return;
      if (!listener_is_proxy(conn->loop->listener, &a)) return;
      end = from > p ? from - 1 : p;
    }
  }
}

/* ------------------------------------------------------------------------------------------------------- the answer */

static void listener_state(listener_conn *conn, int state, int64_t timeout_ms)
{
  conn->state = state;
  conn->deadline = timeout_ms < 0 ? LISTENER_NEVER : mg_millis() + (uint64_t)timeout_ms;
}

/* Read from the socket, or leave it alone: is_full alone would have epoll report it at every turn. */
static void listener_reading(listener_conn *conn, bool on)
{
  struct mg_connection *c = conn->c;
  struct epoll_event e = { on ? EPOLLIN : 0, { c } };
  if (c->is_full == !on) return;
  c->is_full = !on;
  if (!on) c->is_readable = 0; /* nor in this turn */
  if (epoll_ctl(c->mgr->epoll_fd, EPOLL_CTL_MOD, (int)(size_t)c->fd, &e) != 0) c->is_closing = 1;
}

static void listener_wait_writable(listener_conn *conn, bool on)
{
  struct epoll_event e = { EPOLLOUT, { conn } };
  listener_loop *loop = conn->loop;
  if (epoll_ctl(loop->writable, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, (int)(size_t)conn->c->fd, &e) != 0)
    conn->c->is_closing = 1;
  if (on) loop->sending++;
  else loop->sending--;
}

/* It will be closed in this turn: the last moment at which its socket can be taken out of `writable`. */
static void listener_leave(listener_conn *conn)
{
  if (conn->state != LISTENER_SEND) return;
  listener_wait_writable(conn, false);
  listener_state(conn, LISTENER_LINGER, -1);
}

static void listener_advance(listener_conn *conn);

/* The answer is with the kernel: go on to the next request, or close in such a way that the answer still arrives. */
static void listener_answered(listener_conn *conn)
{
  struct mg_connection *c = conn->c;
  const svc_listener_config *k = &conn->loop->listener->config;
  svc_response_free(&conn->response);
  free(conn->text);
  conn->text = NULL;
  if (conn->close) {
    /* closing with unread input would make the kernel send a reset, which may overtake the answer */
    shutdown((int)(size_t)c->fd, SHUT_WR);
    c->recv.len = conn->at = 0;
    listener_state(conn, LISTENER_LINGER, LISTENER_LINGER_MS);
  } else {
    conn->started = false; /* an empty line may follow, which begins nothing: listener_read_head() looks */
    listener_state(conn, LISTENER_HEAD, k->idle_timeout_ms);
  }
  listener_reading(conn, true);
}

/* Send what is left. Returns how many bytes went. */
static size_t listener_write(listener_conn *conn, const char *text, size_t text_length)
{
  struct iovec parts[2];
  struct msghdr message;
  ssize_t n;
  size_t count = 0;
  memset(&message, 0, sizeof message);
  if (text_length) parts[count++] = (struct iovec){ (void *)(uintptr_t)text, text_length };
  if (conn->body_length > conn->body_at) {
    const char *body = conn->response.body + conn->body_at;
    parts[count++] = (struct iovec){ (void *)(uintptr_t)body, conn->body_length - conn->body_at };
  }
  message.msg_iov = parts;
  message.msg_iovlen = count;
  do n = sendmsg((int)(size_t)conn->c->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (n < 0 && errno == EINTR);
  if (n >= 0) return (size_t)n;
  if (errno != EAGAIN && errno != EWOULDBLOCK) conn->c->is_closing = 1;
  return 0;
}

/* The socket of a connection in SEND takes bytes again. */
static void listener_resume(listener_conn *conn)
{
  size_t left = conn->text_length - conn->text_at, n = listener_write(conn, conn->text + conn->text_at, left);
  if (n == 0) return;
  conn->text_at += n < left ? n : left;
  conn->body_at += n < left ? 0 : n - left;
  if (conn->text_at < conn->text_length || conn->body_at < conn->body_length) {
    listener_state(conn, LISTENER_SEND, conn->loop->listener->config.idle_timeout_ms);
    return;
  }
  listener_wait_writable(conn, false);
  listener_answered(conn);
  listener_advance(conn);
}

/* Send the head in `text`, then conn->response's body; what the socket does not take waits in the connection. */
static void listener_send(listener_conn *conn, const char *text, size_t n)
{
  size_t sent = listener_write(conn, text, n);
  if (conn->c->is_closing) return;
  if (sent == n + conn->body_length) {
    listener_answered(conn);
    return;
  }
  conn->text_at = 0;
  conn->text_length = sent < n ? n - sent : 0;
  conn->body_at = sent < n ? 0 : sent - n;
  if (conn->text_length) {
    conn->text = malloc(conn->text_length);
    if (!conn->text) {
      conn->c->is_closing = 1;
      return;
    }
    memcpy(conn->text, text + sent, conn->text_length);
  }
  listener_reading(conn, false);
  if (conn->c->is_closing) return;
  listener_wait_writable(conn, true);
  listener_state(conn, LISTENER_SEND, conn->loop->listener->config.idle_timeout_ms);
}

/* "Sun, 06 Nov 1994 08:49:37 GMT", made once a second. */
static const char *listener_date(listener_loop *loop)
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

typedef struct listener_text { /* the head of an answer while it is written; grows out of `own` when it must */
  char *p;
  size_t n, size;
  bool failed;
  char own[2048];
} listener_text;

static void listener_put(listener_text *t, const char *p, size_t n)
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

static void listener_puts(listener_text *t, const char *text)
{
  listener_put(t, text, strlen(text));
}

static void listener_put_number(listener_text *t, const char *before, uint64_t value, const char *after)
{
  char digits[24];
  size_t at = sizeof digits;
  do digits[--at] = (char)('0' + value % 10);
  while (value /= 10);
  listener_puts(t, before);
  listener_put(t, digits + at, sizeof digits - at);
  listener_puts(t, after);
}

static void listener_put_start(listener_text *t, listener_conn *conn, int status)
{
  t->p = t->own;
  t->n = 0;
  t->size = sizeof t->own;
  t->failed = false;
  listener_put_number(t, "HTTP/1.1 ", (uint64_t)status, " ");
  listener_puts(t, svc_status_reason(status));
  listener_puts(t, "\r\nDate: ");
  listener_puts(t, listener_date(conn->loop));
  listener_puts(t, "\r\n");
}

static void listener_put_end(listener_text *t, listener_conn *conn)
{
  if (t->failed) conn->c->is_closing = 1;
  else listener_send(conn, t->p, t->n);
  if (t->p != t->own) free(t->p);
}

static uint64_t listener_limit(const svc_listener_config *k, int error)
{
  switch (error) {
  case SVC_HTTP_E_BODY: return k->max_body;
  case SVC_HTTP_E_TARGET: return k->max_target;
  case SVC_HTTP_E_HEADER_BYTES: return k->max_header_bytes;
  case SVC_HTTP_E_HEADER_COUNT: return SVC_HTTP_HEADERS;
  default: return 0;
  }
}

/* An error of the listener's own, with the document that the library's errors have. */
static void listener_refuse(listener_conn *conn, int error, bool is_head, bool close)
{
  static const char document[] = "{\"detail\":\"%s%s%s\",\"error\":%d,\"errorCode\":\"%s\",\"parameters\":[%s%s%s],"
                                 "\"reason\":\"%s\"}";
  const listener_error *e = &listener_errors[error];
  uint64_t limit = listener_limit(&conn->loop->listener->config, error);
  const char *what = e->what ? e->what : "", *quote = e->what ? "\"" : "";
  char number[24], body[768];
  int n;
  listener_text t;
  if (limit) {
    snprintf(number, sizeof number, "%llu", (unsigned long long)limit);
    what = number;
  }
  n = snprintf(body, sizeof body, document, e->before, what, e->after, e->status, e->code, quote, what, quote,
               svc_status_reason(e->status));
  listener_log(conn->loop->listener, SVC_LOG_INFO, "%s: %d %s", conn->peer, e->status, e->what ? e->what : e->code);
  conn->close = close;
  conn->body_at = conn->body_length = 0;
  listener_put_start(&t, conn, e->status);
  listener_puts(&t, "Content-Type: application/json\r\nX-Error-Code: ");
  listener_puts(&t, e->code);
  listener_put_number(&t, "\r\nContent-Length: ", (uint64_t)n, "\r\n");
  if (e->status == 503) listener_puts(&t, "Retry-After: 1\r\n");
  listener_puts(&t, close ? "Connection: close\r\n\r\n" : "\r\n");
  if (!is_head) listener_put(&t, body, (size_t)n);
  listener_put_end(&t, conn);
}

/* The service's answer; conn->response owns it from here on. */
static void listener_answer(listener_conn *conn, const svc_http_head *h, svc_response *response)
{
  bool bare = response->status == 204 || response->status == 304, length = false;
  listener_text t;
  size_t i;
  conn->response = *response;
  memset(response, 0, sizeof *response);
  if (conn->response.status < 200 || conn->response.status > 599) {
    svc_response_free(&conn->response);
    listener_refuse(conn, LISTENER_E_SERVICE, h->is_head, true);
    return;
  }
  conn->close = !h->keep || atomic_load(&conn->loop->listener->stopping);
  conn->body_at = 0;
  conn->body_length = h->is_head || bare ? 0 : conn->response.body_length;
  listener_put_start(&t, conn, conn->response.status);
  for (i = 0; i < conn->response.header_count; i++) {
    const svc_header *header = &conn->response.headers[i];
    size_t name = header->name_length ? header->name_length : strlen(header->name);
    size_t value = header->value_length ? header->value_length : strlen(header->value);
    if (svc_http_is(header->name, name, "content-length")) {
      /* only the service knows what the GET would have given; else what counts is what is really sent */
      if (!h->is_head || length) continue;
      length = true;
    }
    listener_put(&t, header->name, name);
    listener_put(&t, ": ", 2);
    listener_put(&t, header->value, value);
    listener_put(&t, "\r\n", 2);
  }
  if (!bare && !length) listener_put_number(&t, "Content-Length: ", conn->response.body_length, "\r\n");
  if (conn->close) listener_puts(&t, "Connection: close\r\n");
  else if (h->old) listener_puts(&t, "Connection: keep-alive\r\n");
  listener_put(&t, "\r\n", 2);
  listener_put_end(&t, conn);
}

static void listener_handle(svc_listener *l, const svc_http_head *h, const char *peer, const svc_http_body *body,
                            svc_response *response)
{
  svc_request request;
  memset(&request, 0, sizeof request);
  memset(response, 0, sizeof *response);
  request.method = h->method;
  request.target = h->target;
  request.target_length = h->target_length;
  request.headers = h->headers;
  request.header_count = h->header_count;
  request.body = body ? body->bytes : NULL;
  request.body_length = body ? body->length : 0;
  request.peer = peer;
  if (l->config.handle) l->config.handle(l->config.handle_context, l->s, &request, response);
  else svc_handle_request(l->s, &request, response);
}

/* ------------------------------------------------------------------------------------------------------ the writers */

static void listener_ring(listener_loop *loop)
{
  mg_wakeup(&loop->mgr, ULONG_MAX, "", 0); /* for no connection: that the loop turns is enough */
}

static bool listener_submit(svc_listener *l, listener_job *job)
{
  bool room;
  job->next = NULL;
  pthread_mutex_lock(&l->lock);
  /* always let in: a tick, there is only one; and reads, of which a connection has one */
  room = l->waiting < l->config.max_waiting || !job->text || job->head.reads;
  if (room) {
    if (l->last) l->last->next = job;
    else l->first = job;
    l->last = job;
    l->waiting++;
    pthread_cond_signal(&l->work);
  }
  pthread_mutex_unlock(&l->lock);
  return room;
}

static listener_job *listener_next_job(svc_listener *l)
{
  listener_job *job;
  pthread_mutex_lock(&l->lock);
  while (!l->first && !l->quit) pthread_cond_wait(&l->work, &l->lock);
  job = l->quit ? NULL : l->first;
  if (job) {
    l->first = job->next;
    if (!l->first) l->last = NULL;
    l->waiting--;
  }
  pthread_mutex_unlock(&l->lock);
  return job;
}

static void *listener_writer(void *argument)
{
  svc_listener *l = argument;
  listener_job *job;
  pthread_setname_np(pthread_self(), "svc-writer");
  while ((job = listener_next_job(l)) != NULL) {
    listener_loop *loop = job->loop;
    bool first;
    if (job->text) listener_handle(l, &job->head, job->peer, &job->body, &job->response);
    else if (l->s) svc_tick(l->s);
    pthread_mutex_lock(&loop->lock);
    first = !loop->done;
    job->next = loop->done;
    loop->done = job;
    pthread_mutex_unlock(&loop->lock);
    if (first) listener_ring(loop);
  }
  return NULL;
}

/* --------------------------------------------------------------------------------------------------- the connection */

/* A request with a body, or one for the writers: it gets a copy of its head, as the buffer goes on to the next one. */
static listener_job *listener_job_new(listener_conn *conn, const char *text, size_t n)
{
  listener_job *job = calloc(1, sizeof *job);
  if (!job) return NULL;
  job->loop = conn->loop;
  job->conn = conn;
  job->text = malloc(n);
  if (!job->text) {
    free(job);
    return NULL;
  }
  memcpy(job->text, text, n);
  svc_http_parse(&job->head, job->text, n, &conn->loop->listener->limits); /* as before, on other memory */
  listener_peer(conn, &job->head, job->peer);
  return job;
}

/* Is it answered by the loop? A read is, unless it would store what has fallen due first, and so wait for the disk. */
static bool listener_at_once(const svc_listener *l, const svc_http_head *h)
{
  return h->reads && !(l->s && svc_is_due(l->s));
}

/* The body is there: GET and HEAD are answered here, all others by a writer. */
static void listener_dispatch(listener_conn *conn)
{
  svc_listener *l = conn->loop->listener;
  listener_job *job = conn->job;
  if (listener_at_once(l, &job->head)) {
    conn->job = NULL;
    listener_handle(l, &job->head, job->peer, &job->body, &job->response);
    listener_answer(conn, &job->head, &job->response);
    listener_job_free(job);
    return;
  }
  listener_reading(conn, false); /* nor shall a client that has shut its side down be closed before its answer */
  listener_state(conn, LISTENER_WAIT, -1);
  if (listener_submit(l, job)) return;
  conn->job = NULL;
  listener_warn(l, "too many changes wait to be made: some clients get 503");
  listener_refuse(conn, LISTENER_E_WAITING, false, !job->head.keep || job->head.old || atomic_load(&l->stopping));
  listener_job_free(job);
}

/* The client waits for leave to send its body. Should this not fit the socket, it will send it all the same. */
static void listener_continue(listener_conn *conn)
{
  static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
  ssize_t n = send((int)(size_t)conn->c->fd, text, sizeof text - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n > 0 && n < (ssize_t)sizeof text - 1) conn->c->is_closing = 1;
}

/* A whole head of n bytes stands in the buffer. */
static void listener_begin(listener_conn *conn, const char *text, size_t n)
{
  svc_listener *l = conn->loop->listener;
  svc_http_head head;
  int error = svc_http_parse(&head, text, n, &l->limits);
  bool more = conn->c->recv.len > conn->at + n;
  conn->at += n;
  memset(&conn->scan, 0, sizeof conn->scan);
  if (error) {
    listener_refuse(conn, error, head.is_head, true);
  } else if (!head.chunked && head.length == 0 && listener_at_once(l, &head)) {
    char peer[INET6_ADDRSTRLEN];
    svc_response response;
    listener_peer(conn, &head, peer);
    listener_handle(l, &head, peer, NULL, &response);
    listener_answer(conn, &head, &response);
  } else if (!(conn->job = listener_job_new(conn, text, n))) {
    listener_refuse(conn, SVC_HTTP_E_MEMORY, head.is_head, true);
  } else {
    listener_state(conn, LISTENER_BODY, l->config.body_timeout_ms);
    if (head.expect && !more && (head.chunked || head.length)) listener_continue(conn);
  }
}

/* HEAD: look for the end of the head. Returns false when there is nothing to do until more bytes come. */
static bool listener_read_head(listener_conn *conn)
{
  const svc_listener *l = conn->loop->listener;
  const char *p = (const char *)conn->c->recv.buf + conn->at;
  size_t n = conn->c->recv.len - conn->at, blank;
  int rc;
  if (n == 0) return false;
  rc = svc_http_scan_head(&conn->scan, p, n, &l->limits, &blank);
  conn->at += blank;
  if (blank == n || (n - blank == 1 && p[blank] == '\r')) return false; /* nor does half an empty line begin anything */
  if (!conn->started) listener_state(conn, LISTENER_HEAD, l->config.header_timeout_ms);
  conn->started = true;
  if (rc == SVC_HTTP_OK) listener_begin(conn, p + blank, conn->scan.at);
  else if (rc != SVC_HTTP_MORE) listener_refuse(conn, rc, n - blank >= 5 && memcmp(p + blank, "HEAD ", 5) == 0, true);
  return rc == SVC_HTTP_OK;
}

/* BODY: take what has come of it. Returns false when there is nothing to do until more bytes come. */
static bool listener_read_body(listener_conn *conn)
{
  struct mg_connection *c = conn->c;
  listener_job *job = conn->job;
  svc_listener *l = conn->loop->listener;
  size_t taken, before = listener_counted(&job->body), grown;
  int rc = svc_http_take(&job->body, &job->head, (const char *)c->recv.buf + conn->at, c->recv.len - conn->at,
                         &l->limits, &taken);
  conn->at += taken;
  grown = listener_counted(&job->body) - before;
  if (grown && atomic_fetch_add(&l->bodies, grown) + grown > l->config.max_body_memory && rc <= SVC_HTTP_MORE) {
    listener_warn(l, "too many large requests are under way: some clients get 503");
    rc = LISTENER_E_BODIES;
  }
  if (rc == SVC_HTTP_OK) {
    listener_dispatch(conn);
  } else if (rc != SVC_HTTP_MORE) {
    bool is_head = job->head.is_head;
    listener_job_free(job);
    conn->job = NULL;
    listener_refuse(conn, rc, is_head, true);
  }
  return rc == SVC_HTTP_OK;
}

/* Go on with what has been received, request by request, as far as it goes. */
static void listener_advance(listener_conn *conn)
{
  struct mg_connection *c = conn->c;
  bool more = true;
  while (more && !c->is_closing) {
    if (conn->state == LISTENER_HEAD) more = listener_read_head(conn);
    else if (conn->state == LISTENER_BODY) more = listener_read_body(conn);
    else more = false;
  }
  if (conn->state == LISTENER_LINGER) conn->at = c->recv.len;
  /* not mg_iobuf_del(): it wipes what it removes, byte by byte */
  if (conn->at) memmove(c->recv.buf, c->recv.buf + conn->at, c->recv.len - conn->at);
  c->recv.len -= conn->at;
  conn->at = 0;
}

static void listener_expire(listener_conn *conn)
{
  bool is_head = conn->job && conn->state == LISTENER_BODY && conn->job->head.is_head;
  if (conn->state == LISTENER_BODY || (conn->state == LISTENER_HEAD && conn->started)) {
    if (conn->job) listener_job_free(conn->job);
    conn->job = NULL;
    listener_refuse(conn, LISTENER_E_TIMEOUT, is_head, true);
  } else {
    conn->c->is_closing = 1;
  }
}

static void listener_accept(listener_loop *loop, struct mg_connection *c)
{
  svc_listener *l = loop->listener;
  size_t max = l->config.max_connections;
  listener_conn *conn = calloc(1, sizeof *conn);
  listener_address a;
  c->fn_data = conn;
  loop->accepted = true;
  if (!conn) {
    c->is_closing = 1;
    return;
  }
  conn->c = c;
  conn->loop = loop;
  loop->conns++;
  inet_ntop(c->rem.is_ip6 ? AF_INET6 : AF_INET, c->rem.addr.ip, conn->peer, sizeof conn->peer);
  conn->proxied = listener_address_parse(&a, conn->peer, strlen(conn->peer)) && listener_is_proxy(l, &a);
  conn->refused = atomic_fetch_add(&l->connections, 1) >= max;
  listener_state(conn, LISTENER_HEAD, l->config.idle_timeout_ms);
  if (!conn->refused) return;
  atomic_fetch_sub(&l->connections, 1);
  listener_warn(l, "all connections are taken: further clients get 503");
  /* those who linger are connections too: only so many are told why */
  if (atomic_fetch_add(&l->refused, 1) < max / 8 + 16) listener_refuse(conn, LISTENER_E_CONNECTIONS, false, true);
  else c->is_closing = 1;
}

static void listener_closed(listener_conn *conn)
{
  svc_listener *l = conn->loop->listener;
  if (conn->state == LISTENER_SEND) conn->loop->sending--;
  if (conn->job && conn->state == LISTENER_WAIT) conn->job->conn = NULL;
  else listener_job_free(conn->job);
  svc_response_free(&conn->response);
  free(conn->text);
  conn->loop->conns--;
  atomic_fetch_sub(conn->refused ? &l->refused : &l->connections, 1);
  free(conn);
}

/* Put `to` in the place of `from` among the listening sockets of a loop. */
static void listener_listening(listener_loop *loop, const struct mg_connection *from, struct mg_connection *to)
{
  size_t i;
  for (i = 0; i < LISTENER_URLS && loop->listening[i] != from;) i++;
  if (i < LISTENER_URLS) loop->listening[i] = to;
}

static void listener_event(struct mg_connection *c, int ev, void *data)
{
  listener_conn *conn;
  if (c->is_listening && ev == MG_EV_CLOSE) listener_listening(c->fn_data, c, NULL);
  if (c->is_listening || ev == MG_EV_OPEN) return;
  if (ev == MG_EV_ACCEPT) {
    listener_accept(c->fn_data, c);
    return;
  }
  conn = c->fn_data;
  if (!conn) return;
  if (ev == MG_EV_READ) {
    if (conn->state == LISTENER_LINGER) c->recv.len = 0;
    else listener_advance(conn);
  } else if (ev == MG_EV_POLL) {
    if (!c->is_closing && *(uint64_t *)data >= conn->deadline) listener_expire(conn);
    if (c->is_closing) listener_leave(conn);
  } else if (ev == MG_EV_CLOSE) {
    c->fn_data = NULL;
    listener_closed(conn);
  }
}

/* --------------------------------------------------------------------------------------------------------- the loop */

static void listener_resume_all(listener_loop *loop)
{
  struct epoll_event events[64];
  int i, n = epoll_wait(loop->writable, events, 64, 0);
  for (i = 0; i < n; i++) {
    listener_conn *conn = events[i].data.ptr;
    if (!conn->c->is_closing) listener_resume(conn);
  }
}

/* Answers of the writers go out; some of the clients may be gone. */
static void listener_collect(listener_loop *loop)
{
  listener_job *job, *next;
  pthread_mutex_lock(&loop->lock);
  job = loop->done;
  loop->done = NULL;
  pthread_mutex_unlock(&loop->lock);
  for (; job; job = next) {
    listener_conn *conn = job->conn;
    next = job->next;
    if (!job->text) loop->ticking = false;
    if (conn) {
      conn->job = NULL;
      if (!conn->c->is_closing) {
        listener_answer(conn, &job->head, &job->response);
        listener_advance(conn);
      }
    }
    listener_job_free(job);
  }
}

/* A step that falls due is a write: a writer makes it. */
static void listener_tick(listener_loop *loop)
{
  uint64_t now = mg_millis();
  listener_job *job;
  if (loop->ticking || now - loop->ticked < 900) return;
  loop->ticked = now;
  job = calloc(1, sizeof *job);
  if (!job) return;
  job->loop = loop;
  loop->ticking = listener_submit(loop->listener, job);
  if (!loop->ticking) free(job);
}

static void listener_accepting(listener_loop *loop, bool on)
{
  size_t i;
  for (i = 0; i < LISTENER_URLS; i++) {
    struct epoll_event e = { on ? EPOLLIN : 0, { loop->listening[i] } };
    if (loop->listening[i]) epoll_ctl(loop->mgr.epoll_fd, EPOLL_CTL_MOD, (int)(size_t)loop->listening[i]->fd, &e);
  }
  loop->accept_at = on ? 0 : mg_millis() + LISTENER_TURN_MS;
}

/*
** Somebody knocks, and nobody was let in: perhaps the process or the machine has no more files. mongoose does not say
** so, and would try again at every turn, without end: so leave the knocking alone for a while. Whether it is that is
** tried with a socket of our own; on a machine without SO_REUSEPORT another loop may just have been faster.
*/
static void listener_check_accept(listener_loop *loop)
{
  bool knocks = false;
  size_t i;
  int fd;
  if (loop->accept_at && mg_millis() >= loop->accept_at) listener_accepting(loop, true);
  for (i = 0; i < LISTENER_URLS; i++) knocks |= loop->listening[i] && loop->listening[i]->is_readable;
  if (!knocks || loop->accepted) return;
  fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0) {
    close(fd);
    return;
  }
  listener_warn(loop->listener, "there is no file to accept a connection with: clients have to wait");
  listener_accepting(loop, false);
}

/* Has the client sent what we have not read yet? Closing would answer it with a reset. */
static bool listener_unread(const struct mg_connection *c)
{
  int n = 0;
  return ioctl((int)(size_t)c->fd, FIONREAD, &n) == 0 && n > 0;
}

/* Take no more connections, and close those on which nothing is under way. */
static void listener_wind_down(listener_loop *loop)
{
  struct mg_connection *c;
  for (c = loop->mgr.conns; c; c = c->next) {
    const listener_conn *conn = c->fn_data;
    if (c->fn != listener_event) continue;
    if (c->is_listening) c->is_closing = 1;
    else if (conn && conn->state == LISTENER_HEAD && !conn->started && !listener_unread(c)) c->is_closing = 1;
  }
}

static void *listener_run(void *argument)
{
  listener_loop *loop = argument;
  svc_listener *l = loop->listener;
  uint64_t until = LISTENER_NEVER;
  struct mg_connection *c;
  pthread_setname_np(pthread_self(), "svc-loop");
  for (;;) {
    loop->accepted = false;
    mg_mgr_poll(&loop->mgr, LISTENER_TURN_MS);
    listener_check_accept(loop);
    if (loop->sending) listener_resume_all(loop);
    listener_collect(loop);
    if (loop == l->loops) listener_tick(loop);
    if (!atomic_load(&l->stopping)) continue;
    if (until == LISTENER_NEVER) until = mg_millis() + (uint64_t)l->config.stop_timeout_ms;
    listener_wind_down(loop);
    if (loop->conns == 0 || mg_millis() >= until) break;
  }
  for (c = loop->mgr.conns; c; c = c->next)
    if (c->fn == listener_event && c->fn_data) c->is_closing = 1; /* those who did not get ready */
  mg_mgr_poll(&loop->mgr, 0); /* closes the sockets that are marked: nobody shall connect to a loop that is not there */
  return NULL;
}

/* ---------------------------------------------------------------------------------------------- opening the sockets */

typedef union listener_socket_address {
  struct sockaddr any;
  struct sockaddr_in four;
  struct sockaddr_in6 six;
} listener_socket_address;

static int listener_why(char *why, size_t size, int code, const char *format, ...)
{
  va_list args;
  if (!why || !size) return code;
  va_start(args, format);
  vsnprintf(why, size, format, args);
  va_end(args);
  return code;
}

/* Names are not looked up: which of several addresses would be meant? */
static bool listener_host_parse(const char *p, size_t n, listener_socket_address *a)
{
  char host[INET6_ADDRSTRLEN];
  memset(a, 0, sizeof *a);
  if (n == 9 && memcmp(p, "localhost", 9) == 0) p = "127.0.0.1";
  if (n >= sizeof host) return false;
  memcpy(host, p, n);
  host[n] = '\0';
  a->any.sa_family = AF_INET;
  if (host[0] != '[') return inet_pton(AF_INET, host, &a->four.sin_addr) == 1;
  a->any.sa_family = AF_INET6;
  if (n < 3 || host[n - 1] != ']') return false;
  host[n - 1] = '\0';
  return inet_pton(AF_INET6, host + 1, &a->six.sin6_addr) == 1;
}

/* "http://HOST[:PORT][/]"; *host_end is where the host ends, for the URL as it really is. */
static int listener_url_parse(const char *url, listener_socket_address *a, const char **host_end, char *why,
                              size_t size)
{
  const char *host = url ? url + 7 : NULL, *end, *p;
  unsigned long port = 80;
  if (!url) return listener_why(why, size, SVC_INVALID, "a URL is missing");
  if (strncmp(url, "https://", 8) == 0)
    return listener_why(why, size, SVC_INVALID, "%s: https is not supported yet, only http", url);
  if (strncmp(url, "http://", 7) != 0)
    return listener_why(why, size, SVC_INVALID, "%s: not a URL like http://127.0.0.1:8080", url);
  end = *host == '[' ? strchr(host, ']') : host + strcspn(host, ":/");
  if (end && *host == '[') end++;
  if (!end || !listener_host_parse(host, (size_t)(end - host), a))
    return listener_why(why, size, SVC_INVALID, "%s: the host must be localhost or an IP address ([...] if IPv6)", url);
  *host_end = p = end;
  if (*p == ':') {
    for (port = 0, p++; *p >= '0' && *p <= '9' && port <= 65535; p++) port = port * 10 + (unsigned long)(*p - '0');
    if (p == end + 1 || port > 65535)
      return listener_why(why, size, SVC_INVALID, "%s: the port must be a number from 0 to 65535", url);
  }
  if (*p == '/') p++;
  if (*p) return listener_why(why, size, SVC_INVALID, "%s: nothing may stand behind the port", url);
  if (a->any.sa_family == AF_INET) a->four.sin_port = htons((uint16_t)port);
  else a->six.sin6_port = htons((uint16_t)port);
  return SVC_OK;
}

/*
** A listening socket. Several loops listen on one port by SO_REUSEPORT, but a port that somebody else listens on must
** be an error, even if it is another of us: so the first one binds without it, and sets it for its siblings only then.
*/
static int listener_socket(listener_socket_address *a, bool sibling, bool shared)
{
  socklen_t n = a->any.sa_family == AF_INET ? sizeof a->four : sizeof a->six;
  int on = 1, fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), saved;
  if (fd < 0) return -1;
  if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      (a->any.sa_family == AF_INET || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0) &&
      (!sibling || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0) && bind(fd, &a->any, n) == 0 &&
      (!shared || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0) && listen(fd, LISTENER_BACKLOG) == 0 &&
      getsockname(fd, &a->any, &n) == 0)
    return fd;
  saved = errno;
  close(fd);
  errno = saved;
  return -1;
}

static int listener_bind_failed(const char *url, char *why, size_t size)
{
  const char *text = errno == EADDRINUSE       ? "the port is in use"
                     : errno == EACCES         ? "this user may not listen on that port"
                     : errno == EADDRNOTAVAIL  ? "this machine does not have that address"
                     : errno == EAFNOSUPPORT   ? "this machine does not have that kind of address"
                                               : strerror(errno);
  return listener_why(why, size, SVC_IO, "cannot listen on %s: %s", url, text);
}

/* One URL: a socket for every loop. */
static int listener_bind(svc_listener *l, size_t which, char *why, size_t size)
{
  const char *url = l->config.urls[which], *host_end = url;
  listener_socket_address a;
  int rc = listener_url_parse(url, &a, &host_end, why, size), first = -1;
  size_t i, n;
  for (i = 0; i < l->config.threads && rc == SVC_OK; i++) {
    struct mg_connection *c;
    int fd = listener_socket(&a, i > 0, l->config.threads > 1);
    if (fd < 0 && i > 0) fd = fcntl(first, F_DUPFD_CLOEXEC, 0); /* no SO_REUSEPORT here: take turns on one socket */
    if (fd < 0) return listener_bind_failed(url, why, size);
    if (i == 0) first = fd;
    c = mg_wrapfd(&l->loops[i].mgr, fd, listener_event, &l->loops[i]);
    if (!c) {
      close(fd);
      return SVC_NOMEM;
    }
    c->is_listening = 1;
    listener_listening(&l->loops[i], NULL, c);
  }
  if (rc != SVC_OK) return rc;
  n = (size_t)(host_end - url) + 8;
  l->urls[which] = malloc(n);
  if (!l->urls[which]) return SVC_NOMEM;
  snprintf(l->urls[which], n, "%.*s:%u", (int)(host_end - url), url,
           (unsigned)ntohs(a.any.sa_family == AF_INET ? a.four.sin_port : a.six.sin6_port));
  return SVC_OK;
}

static void listener_quiet(char c, void *argument)
{
  (void)c, (void)argument;
}

static int listener_loop_open(listener_loop *loop, svc_listener *l, char *why, size_t size)
{
  struct mg_connection *c = NULL;
  loop->listener = l;
  pthread_mutex_init(&loop->lock, NULL);
  mg_mgr_init(&loop->mgr);
  loop->open = true;
  if (loop->mgr.epoll_fd < 0 || !mg_wakeup_init(&loop->mgr))
    return listener_why(why, size, SVC_IO, "cannot make an event loop: %s", strerror(errno));
  /* the bell is a pair of sockets that mongoose would let a child process inherit */
  fcntl(loop->mgr.pipe.fd, F_SETFD, FD_CLOEXEC);
  fcntl((int)(size_t)loop->mgr.conns->fd, F_SETFD, FD_CLOEXEC);
  /* an epoll in the loop's epoll: mongoose wakes up when it has news, and is_full keeps it from reading there */
  loop->writable = epoll_create1(EPOLL_CLOEXEC);
  if (loop->writable >= 0) c = mg_wrapfd(&loop->mgr, loop->writable, listener_event, NULL);
  if (!c) {
    if (loop->writable >= 0) close(loop->writable);
    return listener_why(why, size, SVC_IO, "cannot make an event loop: %s", strerror(errno));
  }
  c->is_full = 1;
  return SVC_OK;
}

static void listener_or(size_t *value, size_t otherwise)
{
  if (*value == 0) *value = otherwise;
}

static void listener_or_ms(int64_t *value, int64_t otherwise)
{
  if (*value <= 0) *value = otherwise;
}

static int listener_configure(svc_listener *l, const svc_listener_config *config, char *why, size_t size)
{
  svc_listener_config *k = &l->config;
  struct rlimit files;
  size_t i;
  *k = *config;
  listener_or(&k->threads, 1);
  listener_or(&k->writers, 16);
  listener_or(&k->max_waiting, 256);
  listener_or(&k->max_connections, 1024);
  listener_or(&k->max_body, (size_t)1 << 20);
  listener_or(&k->max_header_bytes, 16 << 10);
  listener_or(&k->max_target, 8 << 10);
  listener_or_ms(&k->header_timeout_ms, 10000);
  listener_or_ms(&k->body_timeout_ms, 30000);
  listener_or_ms(&k->idle_timeout_ms, 60000);
  listener_or_ms(&k->stop_timeout_ms, 5000);
  if (k->url_count == 0 || k->url_count > LISTENER_URLS || !k->urls)
    return listener_why(why, size, SVC_INVALID, "there must be 1 to %d URLs to listen on", LISTENER_URLS);
  if (k->threads > 64) return listener_why(why, size, SVC_INVALID, "there can be 64 event-loop threads at the most");
  if (k->writers > 256) return listener_why(why, size, SVC_INVALID, "there can be 256 writer threads at the most");
  listener_or(&k->max_body_memory, (size_t)64 << 20);
  if (k->max_body_memory < k->max_body) k->max_body_memory = k->max_body; /* one can always be had */
  if (k->max_body > 1 << 30 || k->max_header_bytes > 1 << 20 || k->max_target > 1 << 20)
    return listener_why(why, size, SVC_INVALID, "a body can have 1 GiB, headers and target 1 MiB, at the most");
  l->limits = (svc_http_limits){ .target = k->max_target, .header_bytes = k->max_header_bytes, .body = k->max_body };
  /* so that there is a file to accept with, if only to say 503; the host may need more of them than we think, though */
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY) {
    size_t all = files.rlim_cur > 160 ? (size_t)files.rlim_cur - 96 : 64, usable = all - all / 8 - 16;
    if (k->max_connections > usable) {
      listener_log(l, SVC_LOG_WARNING, "only %zu connections at a time: the process may open %llu files", usable,
                   (unsigned long long)files.rlim_cur);
      k->max_connections = usable;
    }
  }
  l->proxies = calloc(k->trusted_proxy_count + 1, sizeof *l->proxies);
  if (!l->proxies) return SVC_NOMEM;
  for (i = 0; i < k->trusted_proxy_count; i++)
    if (!k->trusted_proxies || !k->trusted_proxies[i] || !listener_network_parse(&l->proxies[i], k->trusted_proxies[i]))
      return listener_why(why, size, SVC_INVALID, "trusted proxy %s: not an address or network",
                          k->trusted_proxies && k->trusted_proxies[i] ? k->trusted_proxies[i] : "NULL");
  return SVC_OK;
}

/* ----------------------------------------------------------------------------------------------------------- public */

int svc_listener_open(svc_listener **out, const svc_listener_config *config, char *why, size_t why_size)
{
  svc_listener *l;
  size_t i;
  int rc;
  if (why && why_size) why[0] = '\0';
  if (!out) return SVC_INVALID;
  *out = NULL;
  if (!config) return listener_why(why, why_size, SVC_INVALID, "there is no configuration");
  if (mg_log_level != MG_LL_NONE) { /* once in a process: loops of another listener may be reading it */
    mg_log_set(MG_LL_NONE); /* its default is to tell everything to stdout, */
    mg_log_set_fn(listener_quiet, NULL); /* and hexdumps at any level */
  }
  l = calloc(1, sizeof *l);
  if (!l) return SVC_NOMEM;
  pthread_mutex_init(&l->lock, NULL); /* on Linux neither can fail */
  pthread_cond_init(&l->work, NULL);
  rc = listener_configure(l, config, why, why_size);
  if (rc == SVC_OK) {
    l->loops = calloc(l->config.threads, sizeof *l->loops);
    l->writers = calloc(l->config.writers, sizeof *l->writers);
    if (!l->loops || !l->writers) rc = SVC_NOMEM;
  }
  for (i = 0; i < l->config.threads && rc == SVC_OK; i++) rc = listener_loop_open(&l->loops[i], l, why, why_size);
  for (i = 0; i < l->config.url_count && rc == SVC_OK; i++) rc = listener_bind(l, i, why, why_size);
  l->config.urls = NULL; /* the host's memory */
  l->config.trusted_proxies = NULL;
  if (rc == SVC_OK) {
    *out = l;
    return SVC_OK;
  }
  if (why && why_size && !why[0]) listener_why(why, why_size, rc, "%s", svc_strerror(rc));
  svc_listener_close(l);
  return rc;
}

const char *svc_listener_url(const svc_listener *l, size_t i)
{
  return l && i < LISTENER_URLS ? l->urls[i] : NULL;
}

int svc_listener_start(svc_listener *l, svc *s)
{
  sigset_t all, before;
  size_t i;
  bool good = true;
  if (!l || l->started || (!s && !l->config.handle)) return SVC_INVALID;
  l->s = s;
  l->started = true;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* threads inherit it: signals are the host's */
  for (i = 0; i < l->config.writers && good; i++) {
    good = pthread_create(&l->writers[i], NULL, listener_writer, l) == 0;
    if (good) l->writers_running++;
  }
  for (i = 0; i < l->config.threads && good; i++)
    good = l->loops[i].running = pthread_create(&l->loops[i].thread, NULL, listener_run, &l->loops[i]) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (good) return SVC_OK;
  svc_listener_stop(l);
  return SVC_NOMEM;
}

void svc_listener_stop(svc_listener *l)
{
  size_t i;
  if (!l || !l->started || l->stopped) return;
  l->stopped = true;
  atomic_store(&l->stopping, true);
  for (i = 0; i < l->config.threads; i++)
    if (l->loops[i].running) listener_ring(&l->loops[i]);
  for (i = 0; i < l->config.threads; i++)
    if (l->loops[i].running) pthread_join(l->loops[i].thread, NULL);
  /* whoever still waits for a writer now has waited for too long, and is not told any more */
  pthread_mutex_lock(&l->lock);
  l->quit = true;
  pthread_cond_broadcast(&l->work);
  pthread_mutex_unlock(&l->lock);
  for (i = 0; i < l->writers_running; i++) pthread_join(l->writers[i], NULL);
}

static void listener_jobs_free(listener_job *job)
{
  while (job) {
    listener_job *next = job->next;
    listener_job_free(job);
    job = next;
  }
}

void svc_listener_close(svc_listener *l)
{
  size_t i;
  if (!l) return;
  svc_listener_stop(l);
  for (i = 0; l->loops && i < l->config.threads; i++) {
    listener_loop *loop = &l->loops[i];
    if (!loop->listener) continue;
    if (loop->open) mg_mgr_free(&loop->mgr); /* only now, as the writers ring its bell */
    listener_jobs_free(loop->done);
    pthread_mutex_destroy(&loop->lock);
  }
  listener_jobs_free(l->first);
  for (i = 0; i < LISTENER_URLS; i++) free(l->urls[i]);
  pthread_cond_destroy(&l->work);
  pthread_mutex_destroy(&l->lock);
  free(l->writers);
  free(l->loops);
  free(l->proxies);
  free(l);
}

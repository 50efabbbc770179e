/*
** The listener, over raw sockets on loopback: valid and invalid behavior of clients, and the required result.
**
** Every test starts a service on a private store and a listener in its own process. A handler in front of the service answers
** some paths itself, so that a test can see what was delivered, hold a write back, or get a long answer; all other requests go
** to the library. No client waits longer than WAIT_MS for an answer.
**
** No test waits for a timeout, or compares times: later() moves the listener's clock, which stands still from then on, and
** await() waits for another thread. The few sleeps send bytes apart (client_drip, chunked), measure CPU time (await_rest), or wait
** for something that cannot be observed, with a comment.
*/
#define _GNU_SOURCE /* memmem */
#include "listener/common.h"
#include "ports/listener.h"
#include "test.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 20000
#define BIG ((size_t)12 << 20)
#define SEEN 64
#define GET "GET /seen HTTP/1.1\r\nHost: a\r\n\r\n"
#define ADDRESSES "/api/svc/v2/unauth/controlPlaneIPAddresses"
#define SMUGGLED "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

/* ------------------------------------------------------------------------------------------------------ the handler */

typedef struct seen { /* a request as it was delivered */
  char method[24], target[64], peer[64], authorization[64];
  char thread[16]; /* the thread that delivered it */
  size_t headers, body_length;
  char body[256]; /* the first bytes of the body */
  unsigned long sum; /* over all bytes of the body */
} seen;

typedef struct server {
  svc *s;
  svc_listener *l;
  int port, port_2;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  seen seen[SEEN];
  size_t count;  /* of all requests seen */
  bool held;     /* requests to /held wait */
  size_t waiting;
  long clock_calls;
  int64_t clock_ahead; /* milliseconds */
} server;

static char *server_big; /* the long answer, made once per process and never changed */

static void server_note(server *t, const svc_request *r)
{
  seen *s = &t->seen[t->count++ % SEEN];
  size_t i, n = r->target_length < sizeof s->target ? r->target_length : sizeof s->target - 1;
  memset(s, 0, sizeof *s);
  snprintf(s->method, sizeof s->method, "%s", r->method);
  memcpy(s->target, r->target, n);
  snprintf(s->peer, sizeof s->peer, "%s", r->peer);
  pthread_getname_np(pthread_self(), s->thread, sizeof s->thread);
  s->headers = r->header_count;
  s->body_length = r->body_length;
  if (r->body_length) memcpy(s->body, r->body, r->body_length < sizeof s->body ? r->body_length : sizeof s->body - 1);
  s->sum = sum_of(r->body, r->body_length);
  for (i = 0; i < r->header_count; i++) /* for the library a length of 0 means "up to the NUL" */
    munit_assert_true(r->headers[i].value_length > 0 || r->headers[i].value[0] == '\0');
  for (i = 0; i < r->header_count; i++)
    if (r->headers[i].name_length == 13 && strncasecmp(r->headers[i].name, "authorization", 13) == 0)
      snprintf(s->authorization, sizeof s->authorization, "%.*s", (int)r->headers[i].value_length, r->headers[i].value);
}

static bool server_is(const svc_request *r, const char *path)
{
  return r->target_length == strlen(path) && memcmp(r->target, path, r->target_length) == 0;
}

static int server_handle(void *context, svc *s, const svc_request *r, svc_response *response)
{
  static const svc_header headers[] = { { "Content-Type", "text/plain", 0, 0 }, { "X-Empty", "", 0, 0 } };
  server *t = context;
  munit_assert_null(r->caller);
  if (r->target_length > 5 && memcmp(r->target, "/api/", 5) == 0) return svc_handle_request(s, r, response);
  pthread_mutex_lock(&t->lock);
  server_note(t, r);
  if (server_is(r, "/held")) {
    t->waiting++;
    while (t->held) pthread_cond_wait(&t->changed, &t->lock);
    t->waiting--;
  }
  pthread_mutex_unlock(&t->lock);
  response->status = server_is(r, "/none") ? 204 : server_is(r, "/broken") ? 0 : 200;
  response->headers = headers;
  response->header_count = 2;
  response->body = server_is(r, "/big") ? server_big : server_is(r, "/held") ? "held" : "seen";
  response->body_length = server_is(r, "/big") ? BIG : strlen(response->body);
  return SVC_OK;
}

static int64_t server_clock(void *context)
{
  server *t = context;
  struct timespec now;
  int64_t ahead;
  pthread_mutex_lock(&t->lock);
  t->clock_calls++;
  ahead = t->clock_ahead;
  pthread_mutex_unlock(&t->lock);
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + ahead;
}

static void server_open(server *t, const svc_listener_config *changes)
{
  static const char *const urls[] = { "http://127.0.0.1:0", "http://localhost:0/" };
  svc_listener_config k;
  svc_config config;
  char why[256];
  size_t i;
  memset(t, 0, sizeof *t);
  memset(&k, 0, sizeof k);
  memset(&config, 0, sizeof config);
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->changed, NULL);
  server_big = malloc(BIG);
  munit_assert_not_null(server_big);
  for (i = 0; i < BIG; i++) server_big[i] = (char)('a' + i * 7 % 26 + i / 100000 % 2);
  if (changes) k = *changes;
  k.urls = urls;
  k.url_count = 2;
  k.handle = server_handle;
  k.handle_context = t;
  k.no_explorer = 1; /* the handler must see all paths, including / */
  if (svc_listener_open(&t->l, &k, why, sizeof why) != SVC_OK) munit_errorf("svc_listener_open: %s", why);
  config.base_url = svc_listener_url(t->l, 0);
  config.clock = server_clock;
  config.clock_context = t;
  munit_assert_int(svc_open(&t->s, &config), ==, SVC_OK);
  munit_assert_int(svc_listener_start(t->l, t->s), ==, SVC_OK);
  t->port = atoi(strrchr(svc_listener_url(t->l, 0), ':') + 1);
  t->port_2 = atoi(strrchr(svc_listener_url(t->l, 1), ':') + 1);
}

static void server_close(server *t)
{
  t_clock_goes(); /* closing waits by this clock for requests in progress */
  svc_listener_close(t->l);
  svc_close(t->s);
  pthread_cond_destroy(&t->changed);
  pthread_mutex_destroy(&t->lock);
  free(server_big);
}

static void server_hold(server *t, bool on)
{
  pthread_mutex_lock(&t->lock);
  t->held = on;
  pthread_cond_broadcast(&t->changed);
  pthread_mutex_unlock(&t->lock);
}

static size_t server_waiting(server *t)
{
  size_t n;
  pthread_mutex_lock(&t->lock);
  n = t->waiting;
  pthread_mutex_unlock(&t->lock);
  return n;
}

static void server_await_held(server *t, size_t n)
{
  await(server_waiting(t) >= n);
}

static uint64_t server_connections(const server *t)
{
  svc_listener_statistics stats;
  svc_listener_stats(t->l, &stats);
  return stats.connections;
}

static long server_clock_calls(server *t)
{
  long n;
  pthread_mutex_lock(&t->lock);
  n = t->clock_calls;
  pthread_mutex_unlock(&t->lock);
  return n;
}

static size_t server_count(server *t)
{
  size_t n;
  pthread_mutex_lock(&t->lock);
  n = t->count;
  pthread_mutex_unlock(&t->lock);
  return n;
}

/* Returns the request that was delivered last, or a request that was delivered `back` requests earlier. */
static seen server_seen(server *t, size_t back)
{
  seen s;
  pthread_mutex_lock(&t->lock);
  munit_assert_size(t->count, >, back);
  s = t->seen[(t->count - 1 - back) % SEEN];
  pthread_mutex_unlock(&t->lock);
  return s;
}

/* ------------------------------------------------------------------------------------------------------- the client */

typedef struct client {
  int fd;
  bool reset; /* the connection was reset, which may overtake an answer */
  char *in; /* received, not parsed yet */
  size_t n, size;
  char head[4096], value[512]; /* of the last answer; value: of the header that was read last */
  char *body;
  size_t body_length;
} client;

/* Connects from an address of this machine: all of 127.0.0.0/8 work. */
static void client_open_from(client *c, int port, uint32_t from)
{
  struct sockaddr_in a;
  int on = 1;
  memset(c, 0, sizeof *c);
  memset(&a, 0, sizeof a);
  a.sin_family = AF_INET;
  a.sin_port = htons((uint16_t)port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  munit_assert_int(c->fd, >=, 0);
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (from != INADDR_LOOPBACK) {
    struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(from) };
    munit_assert_int(bind(c->fd, (struct sockaddr *)&own, sizeof own), ==, 0);
  }
  if (connect(c->fd, (struct sockaddr *)&a, sizeof a) != 0) munit_errorf("connect: %s", strerror(errno));
}

static void client_open(client *c, int port)
{
  client_open_from(c, port, INADDR_LOOPBACK);
}

static void client_close(client *c)
{
  close(c->fd);
  free(c->in);
  free(c->body);
  memset(c, 0, sizeof *c);
}

/* Sending may fail once the listener closes the connection; only the answer counts. */
static void client_send(client *c, const void *p, size_t n)
{
  const char *from = p;
  while (n > 0) {
    ssize_t sent = send(c->fd, from, n, MSG_NOSIGNAL);
    if (sent <= 0) {
      c->reset = true;
      return;
    }
    from += sent;
    n -= (size_t)sent;
  }
}

static void client_text(client *c, const char *text)
{
  client_send(c, text, strlen(text));
}

/* Sends each byte in a separate segment. */
static void client_drip(client *c, const char *p, size_t n)
{
  size_t i;
  for (i = 0; i < n; i++) {
    client_send(c, p + i, 1);
    if (i % 8 == 0) usleep(300);
  }
}

/* Reads more bytes into c->in. Returns 1; 0 at the end of the stream or on a reset; -1 on a timeout. */
static int client_more(client *c, int64_t until)
{
  struct pollfd p = { c->fd, POLLIN, 0 };
  ssize_t n;
  int64_t left = until - now_ms();
  if (c->size - c->n < 65536) {
    c->size = c->size * 2 + 65536;
    c->in = realloc(c->in, c->size + 1);
    munit_assert_not_null(c->in);
  }
  if (poll(&p, 1, left > 0 ? (int)left : 0) <= 0) return -1;
  n = recv(c->fd, c->in + c->n, c->size - c->n, 0);
  if (n < 0) c->reset = true;
  if (n <= 0) return 0;
  c->n += (size_t)n;
  c->in[c->n] = '\0';
  return 1;
}

static const char *client_header(client *c, const char *name)
{
  const char *p = c->head;
  size_t n = strlen(name);
  while ((p = strstr(p, "\r\n")) != NULL) {
    p += 2;
    if (strncasecmp(p, name, n) != 0 || p[n] != ':') continue;
    p += n + 1;
    p += strspn(p, " ");
    snprintf(c->value, sizeof c->value, "%.*s", (int)strcspn(p, "\r"), p);
    return c->value;
  }
  return "";
}

/* Checks the error document, which looks the same from the library and from the listener. */
static void client_check_error(client *c, int status)
{
  char text[64];
  munit_assert_string_equal(client_header(c, "Content-Type"), "application/json");
  snprintf(text, sizeof text, "\"error\":%d,\"errorCode\":\"", status);
  munit_assert_not_null(strstr(c->body, text));
  if (status != 401) {
    snprintf(text, sizeof text, "\"errorCode\":\"%s\"", client_header(c, "X-Error-Code"));
    munit_assert_not_null(strstr(c->body, text));
  }
  munit_assert_not_null(strstr(c->body, "{\"detail\":\""));
  munit_assert_not_null(strstr(c->body, "\"parameters\":["));
  munit_assert_not_null(strstr(c->body, "\"reason\":\""));
}

/* Reads the next answer. Returns its status; 0: the connection was closed; -1: timeout. */
static int client_answer_to(client *c, bool is_head)
{
  int64_t until = now_ms() + WAIT_MS;
  char *end;
  size_t head, length;
  int status, more;
  while (!c->n || (end = memmem(c->in, c->n, "\r\n\r\n", 4)) == NULL)
    if ((more = client_more(c, until)) != 1) {
      munit_assert_size(c->n, ==, 0); /* no partial answers */
      return more;
    }
  head = (size_t)(end + 4 - c->in);
  munit_assert_size(head, <, sizeof c->head);
  memcpy(c->head, c->in, head);
  c->head[head] = '\0';
  munit_assert_int(sscanf(c->head, "HTTP/1.1 %3d ", &status), ==, 1);
  length = (size_t)atol(client_header(c, "Content-Length"));
  if (is_head || status == 204 || status == 304 || status < 200) length = 0;
  if (status >= 200) munit_assert_size(strlen(client_header(c, "Date")), ==, 29);
  if (status == 204 || status == 304) munit_assert_string_equal(client_header(c, "Content-Length"), "");
  while (c->n < head + length) munit_assert_int(client_more(c, until), ==, 1);
  free(c->body);
  c->body = malloc(length + 1);
  munit_assert_not_null(c->body);
  memcpy(c->body, c->in + head, length);
  c->body[length] = '\0';
  c->body_length = length;
  c->n -= head + length;
  memmove(c->in, c->in + head + length, c->n);
  if (status >= 400 && !is_head) client_check_error(c, status);
  return status;
}

static int client_answer(client *c)
{
  return client_answer_to(c, false);
}

/* Returns whether the connection is closed within so many milliseconds, without another byte. */
static bool client_ended(client *c, int ms)
{
  int64_t until = now_ms() + ms;
  return c->n == 0 && client_more(c, until) == 0;
}

/* Returns the status at the start of an answer, without consuming it; 0: nothing has arrived. */
static int client_peek(client *c)
{
  char text[16] = "";
  int status = 0;
  if (recv(c->fd, text, sizeof text - 1, MSG_PEEK | MSG_DONTWAIT) > 0) sscanf(text, "HTTP/1.1 %3d", &status);
  return status;
}

/* Returns whether nothing has arrived after the loop has done all its work. */
static bool client_quiet(client *c)
{
  t_clock_settle();
  return client_more(c, now_ms()) == -1;
}

static int one_request(int port, const char *text)
{
  client c;
  int status;
  client_open(&c, port);
  client_text(&c, text);
  status = client_answer(&c);
  client_close(&c);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- serving */

TEST(listener, serves)
{
  server t;
  client c;
  char text[512];
  struct tm tm;
  server_open(&t, NULL);
  client_open(&c, t.port);
  client_text(&c, "GET " ADDRESSES " HTTP/1.1\r\nHost: a\r\n\r\n");
  munit_assert_int(client_answer(&c), ==, 200);
  munit_assert_not_null(strstr(c.body, "\"inbound\":"));
  munit_assert_not_null(strstr(c.body, svc_listener_url(t.l, 0))); /* links begin with the actual port */
  munit_assert_not_null(strptime(client_header(&c, "Date"), "%a, %d %b %Y %H:%M:%S GMT", &tm));
  munit_assert_string_equal(client_header(&c, "Connection"), "");
  munit_assert_string_equal(client_header(&c, "Referrer-Policy"), "strict-origin-when-cross-origin");
  munit_assert_string_equal(client_header(&c, "X-Frame-Options"), "DENY");
  munit_assert_string_equal(client_header(&c, "X-Permitted-Cross-Domain-Policies"), "none");
  munit_assert_string_equal(client_header(&c, "Strict-Transport-Security"), ""); /* only over TLS */
  snprintf(text, sizeof text, "GET " ADDRESSES " HTTP/1.1\r\nHost: a\r\nIf-None-Match: %s\r\n\r\n",
           client_header(&c, "ETag"));
  client_text(&c, text);
  munit_assert_int(client_answer(&c), ==, 304);
  client_text(&c, "HEAD " ADDRESSES " HTTP/1.1\r\nHost: a\r\n\r\n" GET);
  munit_assert_int(client_answer_to(&c, true), ==, 200);
  munit_assert_int(atoi(client_header(&c, "Content-Length")), >, 100);
  munit_assert_int(client_answer(&c), ==, 200); /* correctly aligned: the answer to HEAD had no body */
  munit_assert_string_equal(c.body, "seen");
  munit_assert_string_equal(client_header(&c, "Content-Length"), "4");
  client_text(&c, "GET /api/svc/v2/orgs HTTP/1.1\r\nHost: a\r\n\r\n");
  munit_assert_int(client_answer(&c), ==, 401);
  client_text(&c, "POST /api/svc/v2/orgs HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}");
  munit_assert_int(client_answer(&c), ==, 401);
  client_text(&c, "DELETE /none HTTP/1.1\r\nHost: a\r\n\r\n" GET); /* DELETE needs no length */
  munit_assert_int(client_answer(&c), ==, 204);
  munit_assert_int(client_answer(&c), ==, 200);
  client_text(&c, "HEAD /big HTTP/1.1\r\nHost: a\r\n\r\n" GET);
  munit_assert_int(client_answer_to(&c, true), ==, 200);
  munit_assert_int(client_answer(&c), ==, 200);
  client_text(&c, "GET /broken HTTP/1.1\r\nHost: a\r\n\r\n");
  munit_assert_int(client_answer(&c), ==, 500);
  munit_assert_true(client_ended(&c, WAIT_MS));
  client_close(&c);
  munit_assert_int(one_request(t.port_2, GET), ==, 200); /* the second URL */
  munit_assert_string_equal(server_seen(&t, 0).peer, "127.0.0.1");
  server_close(&t);
}

TEST(listener, connection)
{
  static const struct {
    const char *request;
    bool stays;
    const char *header;
  } rows[] = {
    { "GET /seen HTTP/1.1\r\nHost: a\r\n\r\n", true, "" },
    { "GET /seen HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", true, "" },
    { "GET /seen HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false, "close" },
    { "GET /seen HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, close\r\n\r\n", false, "close" },
    { "GET /seen HTTP/1.1\r\nHost: a\r\nConnection: x , CLOSE,keep-alive\r\n\r\n", false, "close" },
    { "GET /seen HTTP/1.1\r\nHost: a\r\nConnection: te\r\nconnection:close\r\n\r\n", false, "close" },
    { "GET /seen HTTP/1.1\r\nHost: a\r\nConnection: closed\r\n\r\n", true, "" },
    { "GET /seen HTTP/1.0\r\n\r\n", false, "close" },
    { "GET /seen HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true, "keep-alive" },
    { "GET /seen HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false, "close" },
    { "POST /seen HTTP/1.0\r\nContent-Length: 1\r\nConnection: Keep-Alive\r\n\r\nx", true, "keep-alive" },
    { "POST /seen HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", false, "close" },
    { "\r\n\r\nGET /seen HTTP/1.1\r\nHost: a\r\n\r\n", true, "" }, /* empty lines before a request are ignored */
  };
  server t;
  size_t i;
  server_open(&t, NULL);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    client c;
    client_open(&c, t.port);
    client_text(&c, rows[i].request);
    munit_assert_int(client_answer(&c), ==, 200);
    munit_assert_string_equal(client_header(&c, "Connection"), rows[i].header);
    client_text(&c, GET);
    munit_assert_int(client_answer(&c), ==, rows[i].stays ? 200 : 0);
    client_close(&c);
  }
  server_close(&t);
}

/* Answers keep the order of the requests, even if the handler holds the POST back. */
TEST(listener, pipelining)
{
  static const char many[] = GET "POST /held HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" GET
                             "HEAD /big HTTP/1.1\r\nHost: a\r\n\r\n"
                             "PUT /seen HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
                             "GET /seen HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody" GET;
  static const char *const bodies[] = { "seen", "held", "seen", "", "seen", "seen", "seen" };
  server t;
  client c;
  size_t i;
  int drip;
  server_open(&t, NULL);
  for (drip = 0; drip < 2; drip++) {
    client_open(&c, t.port);
    server_hold(&t, true);
    if (drip) client_drip(&c, many, sizeof many - 1);
    else client_text(&c, many);
    server_await_held(&t, 1);
    munit_assert_int(client_answer(&c), ==, 200);
    munit_assert_true(client_quiet(&c)); /* no later answer overtakes the POST */
    munit_assert_string_equal(server_seen(&t, 0).body, "abc");
    server_hold(&t, false);
    for (i = 1; i < sizeof bodies / sizeof bodies[0]; i++) {
      munit_assert_int(client_answer_to(&c, i == 3), ==, 200);
      munit_assert_string_equal(c.body, bodies[i]);
    }
    munit_assert_string_equal(server_seen(&t, 2).body, "hi");
    munit_assert_string_equal(server_seen(&t, 1).body, "body");
    client_close(&c);
  }
  /* a request for the long answer, and a hundred others right after it: the client reads all answers in the end */
  client_open(&c, t.port);
  client_text(&c, "GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
  for (i = 0; i < 100; i++) client_text(&c, GET);
  munit_assert_int(client_answer(&c), ==, 200);
  munit_assert_size(c.body_length, ==, BIG);
  munit_assert_ulong(sum_of(c.body, BIG), ==, sum_of(server_big, BIG));
  for (i = 0; i < 100; i++) munit_assert_int(client_answer(&c), ==, 200);
  client_close(&c);
  server_close(&t);
}

/* ---------------------------------------------------------------------------------------------------------- refused */

#define REFUSE(status, code, text) { status, code, text, sizeof text - 1 }
#define POST "POST /seen HTTP/1.1\r\nHost: a\r\n"

static const struct refused {
  int status;
  const char *code, *text;
  size_t n;
} refused[] = {
  /* the request line */
  REFUSE(400, "INVALID_REQUEST", "GET\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET  /seen HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen  HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", " GET /seen HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1 \r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /s een HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen http/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/11\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1x\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "G\xC3\x89T /seen HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "G(T /seen HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GETGETGETGETGETGETGETGETGETGET"),
  REFUSE(400, "INVALID_REQUEST", "GET /se\xC3\xA9n HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /se\tn HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET seen HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET http:// HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET http:///seen HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET http://a?b HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET http://u@a/seen HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET http://a#/seen HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET ftp://a/seen HTTP/1.1\r\nHost: a\r\n\r\n"),
  REFUSE(505, "HTTP_VERSION_NOT_SUPPORTED", "GET /seen HTTP/2.0\r\nHost: a\r\n\r\n"),
  REFUSE(505, "HTTP_VERSION_NOT_SUPPORTED", "GET /seen HTTP/1.2\r\nHost: a\r\n\r\n"),
  REFUSE(505, "HTTP_VERSION_NOT_SUPPORTED", "GET /seen HTTP/0.9\r\nHost: a\r\n\r\n"),
  REFUSE(505, "HTTP_VERSION_NOT_SUPPORTED", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  /* header lines */
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a b\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a/b\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\r\nNoColon\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost : a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\r\nX Y: z\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\r\nX\xC3\xA9: z\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\r\nX: y\r\n folded\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\n Host: a\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\r\nX: y\0z\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\r\nX: y\x01z\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\r\nX: y\x7Fz\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\r\nX: y\rz\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\nHost: a\n\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\r\n\n"),
  REFUSE(400, "INVALID_REQUEST", "GET /seen HTTP/1.1\r\nHost: a\r\nX: y\n\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"),
  /* the length of the body */
  REFUSE(400, "INVALID_REQUEST", POST "Content-Length: 18446744073709551615\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Content-Length: 18446744073709551621\r\n\r\nabcde"),
  REFUSE(400, "INVALID_REQUEST", POST "Content-Length: 99999999999999999999999999\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde"),
  REFUSE(400, "INVALID_REQUEST", POST "Content-Length: 0\r\ncontent-length: 5\r\n\r\nabcde"),
  REFUSE(400, "INVALID_REQUEST", POST "Content-Length: 5, 5\r\n\r\nabcde"),
  REFUSE(400, "INVALID_REQUEST", POST "Content-Length: +5\r\n\r\nabcde"),
  REFUSE(400, "INVALID_REQUEST", POST "Content-Length: -1\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Content-Length: 0x5\r\n\r\nabcde"),
  REFUSE(400, "INVALID_REQUEST", POST "Content-Length: 5 5\r\n\r\nabcde"),
  REFUSE(400, "INVALID_REQUEST", POST "Content-Length:\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", "POST /seen HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
  REFUSE(501, "NOT_IMPLEMENTED", POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
  REFUSE(501, "NOT_IMPLEMENTED", POST "Transfer-Encoding: identity\r\n\r\n"),
  REFUSE(501, "NOT_IMPLEMENTED", POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
  REFUSE(413, "REQUEST_TOO_LARGE", POST "Content-Length: 1048577\r\n\r\n"),
  REFUSE(413, "REQUEST_TOO_LARGE", POST "Content-Length: 99999999999\r\nExpect: 100-continue\r\n\r\n"),
  REFUSE(417, "EXPECTATION_FAILED", POST "Content-Length: 5\r\nExpect: 200-ok\r\n\r\nabcde"),
  REFUSE(417, "EXPECTATION_FAILED", POST "Content-Length: 5\r\nExpect: 100-continue, x\r\n\r\n"),
  /* chunks */
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\n\r\n\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\n\r\nx\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\n\r\n-1\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\n\r\n 1\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\n\r\n1\na\n0\n\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\n\r\n1\r\na0\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\n\r\n1;x=\0\r\na\r\n0\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\n\r\n00000000000000000\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\n\r\n1 1\r\na\r\n0\r\n\r\n"),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\n\r\n0\r\n" SMUGGLED),
  REFUSE(400, "INVALID_REQUEST", POST "Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n folded\r\n\r\n"),
  REFUSE(413, "REQUEST_TOO_LARGE", POST "Transfer-Encoding: chunked\r\n\r\n100001\r\n"),
  REFUSE(413, "REQUEST_TOO_LARGE", POST "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n"),
  REFUSE(413, "REQUEST_TOO_LARGE", POST "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n100000\r\nx"),
  /* not HTTP */
  REFUSE(400, "INVALID_REQUEST", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
  REFUSE(400, "INVALID_REQUEST", "\x00\x01\x02\x03"),
  REFUSE(400, "INVALID_REQUEST", "\xff\xfe\xfd\xfc"),
  REFUSE(400, "INVALID_REQUEST", "SSH-2.0-OpenSSH_9.2\r\n"),
};

/* The listener sends an error and closes the connection: the next request in the same segment never runs. Nothing is printed. */
TEST(listener, refused)
{
  server t;
  size_t i;
  struct stat printed;
  int before = dup(1), to;
  char name[] = "/tmp/svc_listener_XXXXXX";
  server_open(&t, NULL);
  fflush(stdout);
  to = mkstemp(name);
  munit_assert_int(to, >=, 0);
  unlink(name);
  dup2(to, 1);
  for (i = 0; i < 2 * sizeof refused / sizeof refused[0]; i++) {
    const struct refused *r = &refused[i / 2];
    client c;
    int status;
    client_open(&c, t.port);
    client_send(&c, r->text, r->n);
    if (i % 2) client_text(&c, SMUGGLED);
    status = client_answer(&c);
    if (status != r->status) munit_errorf("%d instead of %d for: %s", status, r->status, r->text);
    munit_assert_string_equal(client_header(&c, "X-Error-Code"), r->code);
    munit_assert_string_equal(client_header(&c, "X-Frame-Options"), "DENY");
    munit_assert_string_equal(client_header(&c, "Connection"), "close");
    munit_assert_true(client_ended(&c, WAIT_MS));
    munit_assert_false(c.reset);
    client_close(&c);
  }
  munit_assert_size(server_count(&t), ==, 0);
  fflush(stdout);
  dup2(before, 1);
  close(before);
  munit_assert_int(fstat(to, &printed), ==, 0);
  close(to);
  munit_assert_int((int)printed.st_size, ==, 0);
  munit_assert_int(one_request(t.port, GET), ==, 200);
  server_close(&t);
}

/* Errors to a HEAD have no body either. */
TEST(listener, refused_head)
{
  server t;
  client c;
  server_open(&t, NULL);
  client_open(&c, t.port);
  client_text(&c, "HEAD /seen HTTP/1.1\r\n\r\n");
  munit_assert_int(client_answer_to(&c, true), ==, 400);
  munit_assert_int(atoi(client_header(&c, "Content-Length")), >, 0);
  munit_assert_true(client_ended(&c, WAIT_MS));
  client_close(&c);
  server_close(&t);
}

/* A body that is cut off is never delivered, with a length or in chunks, however the client closes the connection. */
TEST(listener, body_cut)
{
  static const char *const cut[] = {
    POST "Content-Length: 1000\r\n\r\n0123456789",
    POST "Content-Length: 5\r\n\r\n",
    POST "Transfer-Encoding: chunked\r\n\r\n5\r\nabc",
    POST "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
    POST "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n",
    POST "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\nTrailer: x\r\n",
    POST "Content-Length: 5",
  };
  server t;
  size_t i;
  server_open(&t, NULL);
  for (i = 0; i < 2 * sizeof cut / sizeof cut[0]; i++) {
    client c;
    client_open(&c, t.port);
    client_text(&c, cut[i / 2]);
    if (i % 2) shutdown(c.fd, SHUT_WR);
    munit_assert_true(i % 2 == 0 || client_ended(&c, WAIT_MS));
    client_close(&c);
  }
  munit_assert_int(one_request(t.port, GET), ==, 200);
  munit_assert_size(server_count(&t), ==, 1);
  server_close(&t);
}

/* ----------------------------------------------------------------------------------------------------------- bodies */

/* Chunked bodies, in one segment, in segments of one byte, and split in two at every position. */
TEST(listener, chunked)
{
  static const struct {
    const char *body, *wire;
  } rows[] = {
    { "", "0\r\n\r\n" },
    { "hello", "5\r\nhello\r\n0\r\n\r\n" },
    { "hello world", "005\r\nhello\r\n0006\r\n world\r\n000\r\n\r\n" },
    { "0123456789abcdef", "A\r\n0123456789\r\n6;ext=\"a;b\";c\r\nabcdef\r\n0;last\r\n\r\n" },
    { "0\r\n\r\n", "5 \r\n0\r\n\r\n\r\n0\r\nTrailer: one\r\nX-Other: two\r\n\r\n" },
  };
  server t;
  client c;
  size_t i, at;
  char text[512];
  server_open(&t, NULL);
  client_open(&c, t.port);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    size_t n = (size_t)snprintf(text, sizeof text, POST "Transfer-Encoding: Chunked\r\n\r\n%s" GET, rows[i].wire);
    size_t head = strstr(text, "\r\n\r\n") + 4 - text;
    for (at = 0; at < n; at++) {
      if (at > 0 && at < head - 4) at = head - 4; /* other tests split heads */
      if (at == 1) continue;
      if (at == 0) client_drip(&c, text, n);
      else client_send(&c, text, at);
      if (at != 0) usleep(500), client_send(&c, text + at, n - at);
      munit_assert_int(client_answer(&c), ==, 200);
      munit_assert_int(client_answer(&c), ==, 200);
      munit_assert_string_equal(server_seen(&t, 1).method, "POST");
      munit_assert_string_equal(server_seen(&t, 1).body, rows[i].body);
      munit_assert_size(server_seen(&t, 1).body_length, ==, strlen(rows[i].body));
    }
  }
  client_close(&c);
  server_close(&t);
}

/* The largest allowed body, with a length and in chunks. A body that is much longer, and a long trailer, are refused. */
TEST(listener, large_bodies)
{
  server t;
  client c;
  size_t i, n = 1 << 20;
  char text[128];
  server_open(&t, NULL);
  client_open(&c, t.port);
  client_text(&c, POST "Content-Length: 1048576\r\n\r\n");
  client_send(&c, server_big, n);
  munit_assert_int(client_answer(&c), ==, 200);
  munit_assert_size(server_seen(&t, 0).body_length, ==, n);
  munit_assert_ulong(server_seen(&t, 0).sum, ==, sum_of(server_big, n));
  client_text(&c, POST "Transfer-Encoding: chunked\r\n\r\n");
  for (i = 0; i < n; i += 10240) {
    size_t step = n - i < 10240 ? n - i : 10240;
    client_send(&c, text, (size_t)snprintf(text, sizeof text, "%zx;n=%zu\r\n", step, i));
    client_send(&c, server_big + i, step);
    client_text(&c, "\r\n");
  }
  client_text(&c, "0\r\n\r\n");
  munit_assert_int(client_answer(&c), ==, 200);
  munit_assert_size(server_seen(&t, 0).body_length, ==, n);
  munit_assert_ulong(server_seen(&t, 0).sum, ==, sum_of(server_big, n));
  client_close(&c);
  /* the answer arrives while the client is still sending */
  client_open(&c, t.port);
  client_text(&c, POST "Content-Length: 8000000\r\n\r\n");
  client_send(&c, server_big, 8000000);
  munit_assert_int(client_answer(&c), ==, 413);
  munit_assert_not_null(strstr(c.body, "\"parameters\":[1048576]"));
  munit_assert_true(client_ended(&c, WAIT_MS));
  munit_assert_false(c.reset);
  client_close(&c);
  client_open(&c, t.port);
  client_text(&c, POST "Transfer-Encoding: chunked\r\n\r\n0\r\nX: ");
  client_send(&c, server_big, 20000);
  munit_assert_int(client_answer(&c), ==, 400);
  client_close(&c);
  server_close(&t);
}

/* The value of the header X-Word is the length that the body may have. */
static size_t longer_body(void *asked, const svc_request *request)
{
  size_t i;
  ++*(atomic_int *)asked;
  munit_assert_size(request->body_length, ==, 0);
  munit_assert_string_equal(request->peer, "127.0.0.1");
  for (i = 0; i < request->header_count; i++)
    if (request->headers[i].name_length == 6 && memcmp(request->headers[i].name, "X-Word", 6) == 0) return (size_t)atoi(request->headers[i].value);
  return 0;
}

TEST(listener, body_limit)
{
  atomic_int asked = 0;
  svc_listener_config k = { .max_body = 32 << 10, .max_body_memory = 32 << 10, .body_limit = longer_body, .body_limit_context = &asked };
  server t;
  client c;
  int i;
  server_open(&t, &k);
  munit_assert_int(one_request(t.port, POST "Content-Length: 5\r\n\r\nsmall"), ==, 200);
  munit_assert_int(atomic_load(&asked), ==, 0); /* called only for bodies that are or may be longer */
  munit_assert_int(one_request(t.port, POST "Content-Length: 40000\r\n\r\n"), ==, 413);
  munit_assert_int(one_request(t.port, POST "X-Word: 39999\r\nContent-Length: 40000\r\n\r\n"), ==, 413);
  munit_assert_int(one_request(t.port, POST "X-Word: 7\r\nContent-Length: 40000\r\n\r\n"), ==, 413);
  munit_assert_int(atomic_load(&asked), ==, 3);
  for (i = 0; i < 2; i++) { /* two bodies, each longer than the memory for bodies: no bytes stay counted */
    client_open(&c, t.port);
    client_text(&c, POST "X-Word: 131072\r\nContent-Length: 131072\r\n\r\n");
    client_send(&c, server_big, 131072);
    munit_assert_int(client_answer(&c), ==, 200);
    munit_assert_ulong(server_seen(&t, 0).sum, ==, sum_of(server_big, 131072));
    client_close(&c);
  }
  for (i = 0; i < 2; i++) { /* chunked: with the header, and without it */
    client_open(&c, t.port);
    client_text(&c, i ? POST "Transfer-Encoding: chunked\r\n\r\n10000\r\n" : POST "X-Word: 131072\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n");
    client_send(&c, server_big, 65536);
    client_text(&c, "\r\n0\r\n\r\n");
    munit_assert_int(client_answer(&c), ==, i ? 413 : 200);
    client_close(&c);
  }
  server_close(&t);
}

/* Large bodies share a memory limit. Small bodies are always accepted. Another large body is accepted when there is room again. */
TEST(listener, body_memory)
{
  svc_listener_config k = { .max_body = 128 << 10, .max_body_memory = 256 << 10 };
  server t;
  client c[6];
  size_t i, n = 100 << 10;
  int status = 0, good = 0, round;
  server_open(&t, &k);
  for (i = 0; i < 6; i++) {
    client_open(&c[i], t.port);
    client_text(&c[i], POST "Content-Length: 131072\r\n\r\n");
    client_send(&c[i], server_big, n);
    if (i >= 2) continue;
    await(has_read(c[i].fd));
    munit_assert_true(client_quiet(&c[i])); /* the listener waits for the rest of the body */
  }
  for (i = 2; i < 6; i++) {
    munit_assert_int(client_answer(&c[i]), ==, 503);
    munit_assert_string_equal(client_header(&c[i], "Retry-After"), "1");
    munit_assert_true(client_ended(&c[i], WAIT_MS));
    client_close(&c[i]);
  }
  munit_assert_int(one_request(t.port, POST "Content-Length: 5\r\n\r\nsmall"), ==, 200);
  for (i = 0; i < 2; i++) { /* the first two bodies are completed */
    client_send(&c[i], server_big + n, (128 << 10) - n);
    munit_assert_int(client_answer(&c[i]), ==, 200);
    munit_assert_ulong(server_seen(&t, 0).sum, ==, sum_of(server_big, 128 << 10));
    client_close(&c[i]);
  }
  for (round = 0; round < 8; round++) { /* no bytes stay counted, even for clients that leave in the middle */
    client_open(&c[0], t.port);
    client_text(&c[0], POST "Content-Length: 131072\r\n\r\n");
    client_send(&c[0], server_big, round % 2 ? 131072 : n);
    if (round % 2) {
      status = client_answer(&c[0]);
      good += status == 200;
    }
    client_close(&c[0]);
    await(server_connections(&t) == 0);
  }
  munit_assert_int(good, ==, 4);
  server_close(&t);
}

TEST(listener, expect)
{
  server t;
  client c;
  int i;
  server_open(&t, NULL);
  client_open(&c, t.port);
  for (i = 0; i < 2; i++) {
    client_text(&c, POST "Content-Length: 5\r\nExpect: 100-Continue\r\n\r\n");
    munit_assert_int(client_answer(&c), ==, 100);
    client_text(&c, "ab");
    later(600);
    munit_assert_true(client_quiet(&c)); /* 100 Continue is sent only once */
    client_text(&c, "cde");
    munit_assert_int(client_answer(&c), ==, 200);
    munit_assert_string_equal(server_seen(&t, 0).body, "abcde");
  }
  client_text(&c, POST "Content-Length: 5\r\nExpect: 100-continue\r\n\r\nabcde"); /* the body has already arrived */
  munit_assert_int(client_answer(&c), ==, 200);
  client_text(&c, POST "Content-Length: 0\r\nExpect: 100-continue\r\n\r\n"); /* without a body */
  munit_assert_int(client_answer(&c), ==, 200);
  client_text(&c, POST "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n");
  munit_assert_int(client_answer(&c), ==, 100);
  client_text(&c, "1\r\na\r\n0\r\n\r\n");
  munit_assert_int(client_answer(&c), ==, 200);
  client_close(&c);
  client_open(&c, t.port);
  client_text(&c, "POST /seen HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n"); /* HTTP/1.0 has no 100 Continue */
  munit_assert_true(client_quiet(&c));
  client_text(&c, "a");
  munit_assert_int(client_answer(&c), ==, 200);
  client_close(&c);
  server_close(&t);
}

/* ----------------------------------------------------------------------------------------------------------- limits */

/* Sends a request with a target and headers of these sizes, and `count` headers including Host. */
static int sized_request(int port, size_t target, size_t header, size_t count, const char *last)
{
  client c;
  char *text = malloc(target + header + count * 16 + 256), *p = text;
  int status;
  size_t i;
  munit_assert_not_null(text);
  p += sprintf(p, "GET /");
  memset(p, 'a', target - 1);
  p += target - 1;
  p += sprintf(p, " HTTP/1.1\r\nHost: a\r\n");
  for (i = 2; i < count; i++) p += sprintf(p, "X-%zu: %zu\r\n", i, i);
  if (header) {
    p += sprintf(p, "X-L:");
    memset(p, 'b', header);
    p += header;
    p += sprintf(p, "\r\n");
  }
  p += sprintf(p, "%s\r\n", last);
  client_open(&c, port);
  client_send(&c, text, (size_t)(p - text));
  client_text(&c, SMUGGLED);
  status = client_answer(&c);
  if (status >= 400) munit_assert_true(client_ended(&c, WAIT_MS));
  else munit_assert_int(client_answer(&c), ==, 200);
  client_close(&c);
  free(text);
  return status;
}

TEST(listener, limits)
{
  server t;
  size_t n;
  server_open(&t, NULL);
  munit_assert_int(sized_request(t.port, 8192, 0, 1, ""), ==, 200);
  munit_assert_int(sized_request(t.port, 8193, 0, 1, ""), ==, 414);
  munit_assert_int(sized_request(t.port, 200000, 0, 1, ""), ==, 414);
  munit_assert_int(sized_request(t.port, 10, 16384 - 8, 1, ""), ==, 200);
  munit_assert_int(sized_request(t.port, 10, 16384 - 7, 1, ""), ==, 431);
  munit_assert_int(sized_request(t.port, 10, 2000000, 1, ""), ==, 431);
  munit_assert_int(sized_request(t.port, 8192, 16384 - 8, 1, ""), ==, 200);
  munit_assert_int(sized_request(t.port, 10, 0, 65, ""), ==, 200);
  n = server_count(&t);
  munit_assert_size(server_seen(&t, 1).headers, ==, 64);
  munit_assert_int(sized_request(t.port, 10, 0, 66, ""), ==, 431);
  munit_assert_int(sized_request(t.port, 10, 0, 1000, ""), ==, 431);
  /* the header beyond the limit is Content-Length: the body must not run as a request */
  munit_assert_int(sized_request(t.port, 10, 0, 65, "Content-Length: 40\r\n"), ==, 431);
  munit_assert_size(server_count(&t), ==, n);
  server_close(&t);
}

TEST(listener, targets)
{
  static const struct {
    const char *wire, *target;
  } rows[] = {
    { "/", "/" }, { "/a?b=c", "/a?b=c" }, { "//a", "//a" }, { "/a%20b", "/a%20b" },
    { "http://example.com/a/b?c", "/a/b?c" }, { "HTTP://example.com:8080/a", "/a" }, { "https://[::1]:1/", "/" },
    { "http://example.com", "/" }, { "http://127.0.0.1:99/x?http://y/z", "/x?http://y/z" },
  };
  server t;
  size_t i;
  char text[256];
  server_open(&t, NULL);
  for (i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
    snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: a\r\nX-Empty:\r\n\r\n", i % 2 ? "DELETE" : "GET",
             rows[i / 2].wire);
    munit_assert_int(one_request(t.port, text), ==, 200);
    munit_assert_string_equal(server_seen(&t, 0).target, rows[i / 2].target);
  }
  server_close(&t);
}

/* --------------------------------------------------------------------------------------------------------- patience */

TEST(listener, timeouts)
{
  svc_listener_config k = { .header_timeout_ms = 600, .body_timeout_ms = 900, .idle_timeout_ms = 1200 };
  server t;
  client head, body, chunked, idle, used, crlf;
  int i;
  server_open(&t, &k);
  t_clock_settle();
  client_open(&head, t.port), client_open(&body, t.port), client_open(&chunked, t.port);
  client_open(&idle, t.port), client_open(&used, t.port), client_open(&crlf, t.port);
  client_text(&head, "GET /seen HTTP/1.1\r\nX: ");
  client_text(&body, POST "Content-Length: 1000\r\n\r\n");
  client_text(&chunked, POST "Transfer-Encoding: chunked\r\n\r\n");
  client_text(&used, GET);
  munit_assert_int(client_answer(&used), ==, 200);
  t_clock_settle();
  for (i = 0; i < 8; i++) { /* a byte now and then does not extend the timeout, and other clients are served meanwhile */
    client_text(&head, "x");
    client_text(&body, "x");
    client_text(&chunked, "1\r\nx\r\n");
    client_text(&crlf, "\r\n");
    munit_assert_int(one_request(t.port, GET), ==, 200);
    later(50);
  }
  later(199);
  munit_assert_true(client_quiet(&head));
  later(2);
  munit_assert_int(client_answer(&head), ==, 408);
  munit_assert_true(client_ended(&head, WAIT_MS));
  later(298);
  munit_assert_true(client_quiet(&body) && client_quiet(&chunked));
  later(2);
  munit_assert_int(client_answer(&body), ==, 408);
  munit_assert_true(client_ended(&body, WAIT_MS));
  munit_assert_int(client_answer(&chunked), ==, 408);
  later(298);
  munit_assert_true(client_quiet(&idle) && client_quiet(&used) && client_quiet(&crlf));
  later(2);
  munit_assert_true(client_ended(&idle, WAIT_MS)); /* without an answer */
  munit_assert_true(client_ended(&used, WAIT_MS));
  munit_assert_true(client_ended(&crlf, WAIT_MS));
  client_close(&head), client_close(&body), client_close(&chunked);
  client_close(&idle), client_close(&used), client_close(&crlf);
  munit_assert_size(server_seen(&t, 0).body_length, ==, 0);
  server_close(&t);
}

/* An empty line after a request, as some clients send it, does not begin another request, and so causes no 408. */
TEST(listener, empty_lines)
{
  svc_listener_config k = { .header_timeout_ms = 300, .idle_timeout_ms = 1800 };
  server t;
  client c, drip, split;
  int i;
  server_open(&t, &k);
  t_clock_settle();
  client_open(&c, t.port), client_open(&drip, t.port), client_open(&split, t.port);
  client_text(&split, GET "\r"); /* the second half follows later */
  munit_assert_int(client_answer(&split), ==, 200);
  client_text(&split, "\n");
  client_text(&c, GET "\r\n");
  client_text(&drip, POST "Content-Length: 1\r\n\r\nx\r\n\r\n");
  munit_assert_int(client_answer(&c), ==, 200);
  munit_assert_int(client_answer(&drip), ==, 200);
  later(1000);
  munit_assert_true(client_quiet(&c));
  client_text(&c, GET);
  munit_assert_int(client_answer(&c), ==, 200);
  munit_assert_size(split.n, ==, 0);
  munit_assert_int(client_more(&split, now_ms()), ==, -1);
  client_text(&split, "\r");
  await(has_read(split.fd));
  client_text(&split, "\n" GET);
  munit_assert_int(client_answer(&split), ==, 200);
  for (i = 0; i < 7; i++) { /* empty lines do not keep the connection open */
    munit_assert_true(client_quiet(&drip));
    client_text(&drip, "\r\n");
    later(i < 6 ? 100 : 201);
  }
  munit_assert_true(client_ended(&drip, WAIT_MS));
  client_close(&c), client_close(&drip), client_close(&split);
  server_close(&t);
}

/* A client that sends but never reads is closed, and does not affect others. The loop does not spin meanwhile. */
TEST(listener, never_reads)
{
  svc_listener_config k = { .idle_timeout_ms = 1500 };
  server t;
  client c;
  int i;
  server_open(&t, &k);
  t_clock_settle();
  client_open(&c, t.port);
  fcntl(c.fd, F_SETFL, O_NONBLOCK);
  client_text(&c, "GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
  for (i = 0; i < 1000; i++) client_text(&c, GET); /* further input waits unread */
  await(server_count(&t) == 1);
  await_rest();
  for (i = 0; i < 20; i++) munit_assert_int(one_request(t.port, GET), ==, 200);
  munit_assert_size(server_count(&t), ==, 21); /* none of the further requests ran */
  later(1501);
  while ((i = client_more(&c, now_ms() + WAIT_MS)) == 1 && c.n < BIG) continue;
  munit_assert_int(i, ==, 0);
  munit_assert_size(c.n, <, BIG);
  client_close(&c);
  server_close(&t);
}

/* A client that reads slowly gets the whole answer. So does a client that has shut down its sending side. */
TEST(listener, slow_reader)
{
  svc_listener_config k = { .idle_timeout_ms = 1000 };
  server t;
  client c;
  int small = 65536, round, i;
  server_open(&t, &k);
  for (round = 0; round < 3; round++) {
    client_open(&c, t.port);
    setsockopt(c.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    client_text(&c, round == 2 ? "DELETE /big HTTP/1.1\r\nHost: a\r\n\r\n" : "GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
    if (round) shutdown(c.fd, SHUT_WR);
    await(client_peek(&c) != 0);
    later(300);
    for (i = 0; i < 6 && round == 0; i++) { /* longer than the timeout in total */
      size_t to = c.n + (1 << 20);
      while (c.n < to) munit_assert_int(client_more(&c, now_ms() + WAIT_MS), ==, 1);
      later(300);
    }
    munit_assert_int(one_request(t.port, GET), ==, 200);
    munit_assert_int(client_answer(&c), ==, 200);
    munit_assert_size(c.body_length, ==, BIG);
    munit_assert_ulong(sum_of(c.body, BIG), ==, sum_of(server_big, BIG));
    if (round) munit_assert_true(client_ended(&c, WAIT_MS));
    client_close(&c);
  }
  server_close(&t);
}

/* ------------------------------------------------------------------------------------------------------------- many */

TEST(listener, many_connects)
{
  svc_listener_config k = { .threads = 2, .max_connections = 1200, .max_per_address = 1200 };
  static client c[1000];
  struct rlimit files;
  server t;
  size_t i, n = 1000;
  allow_files(4096);
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < 2400) n = 300; /* both ends of each connection are in this process */
  server_open(&t, &k);
  t_clock_move(0); /* the clock stands still: no timeout hides a fault */
  for (i = 0; i < n; i++) client_open(&c[i], t.port); /* all at once */
  for (i = 0; i < n; i++) client_text(&c[i], GET);
  for (i = 0; i < n; i++) munit_assert_int(client_answer(&c[i]), ==, 200);
  for (i = 0; i < n; i++) client_close(&c[i]);
  for (i = 0; i < n; i++) munit_assert_int(one_request(t.port, GET), ==, 200); /* one after the other */
  munit_assert_size(server_count(&t), ==, 2 * n);
  server_close(&t);
}

TEST(listener, max_connections)
{
  svc_listener_config k = { .max_connections = 4, .max_per_address = 1000 };
  server t;
  client c[4], more;
  int i, status = 0;
  server_open(&t, &k);
  for (i = 0; i < 4; i++) {
    client_open(&c[i], t.port);
    client_text(&c[i], GET);
    munit_assert_int(client_answer(&c[i]), ==, 200);
    client_text(&c[i], "GET /seen HTTP/1.1\r\n"); /* a client in the middle of a request does not give way */
    await(has_read(c[i].fd));
  }
  for (i = 0; i < 100; i++) {
    client_open(&more, t.port);
    if (i % 2) client_text(&more, GET);
    status = client_answer(&more);
    /* a limited number of connections get the reason; others may be closed at once */
    if (i < 16) {
      munit_assert_int(status, ==, 503);
      munit_assert_string_equal(client_header(&more, "Retry-After"), "1");
      munit_assert_string_equal(client_header(&more, "Connection"), "close");
    } else {
      munit_assert_true(status == 503 || status == 0);
    }
    munit_assert_true(client_ended(&more, WAIT_MS));
    client_close(&more);
  }
  munit_assert_size(server_count(&t), ==, 4);
  for (i = 0; i < 4; i++) {
    client_text(&c[i], "Host: a\r\n\r\n"); /* the first clients are served as before */
    munit_assert_int(client_answer(&c[i]), ==, 200);
  }
  client_close(&c[0]);
  await(server_connections(&t) == 3);
  munit_assert_int(one_request(t.port, GET), ==, 200);
  for (i = 1; i < 4; i++) client_close(&c[i]);
  server_close(&t);
}

/* A single address cannot use up all connections in any state: other addresses are served. */
TEST(listener, share)
{
  static const char *const proxies[] = { "127.0.0.3" };
  static const char *const begun[] = { "G", "GET /seen HTTP/1.1\r\nHo", "POST /seen HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{" };
  svc_listener_config k = { .threads = 1, .max_connections = 40, .trusted_proxies = proxies, .trusted_proxy_count = 1 };
  server t;
  client idle[11], more, other;
  int i, round;
  server_open(&t, &k);
  for (round = 0; round < 3; round++) {
    for (i = 0; i < 11; i++) client_open(&idle[i], t.port); /* a quarter of all, and one more */
    for (i = 0; i < 11; i++) client_text(&idle[i], begun[round]); /* a client in the middle of a request does not give way */
    for (i = 0; i < 11; i++) await(has_read(idle[i].fd));
    for (i = 0; i < 20; i++) {
      client_open(&more, t.port);
      munit_assert_int(client_answer(&more), ==, 503);
      munit_assert_string_equal(client_header(&more, "Retry-After"), "1");
      munit_assert_not_null(strstr(more.body, "Your address has all the connections"));
      client_close(&more);
      client_open_from(&other, t.port, 0x7F000002 + (uint32_t)(i % 2)); /* another address; a trusted proxy, which has no limit */
      client_text(&other, GET);
      munit_assert_int(client_answer(&other), ==, 200);
      client_close(&other);
    }
    for (i = 0; i < 11; i++) client_close(&idle[i]);
    await(server_connections(&t) == 0);
  }
  for (i = 0; i < 11; i++) client_open_from(&idle[i], t.port, 0x7F000003);
  for (i = 0; i < 20; i++) { /* a trusted proxy may have more connections than the share */
    client_open_from(&other, t.port, 0x7F000003);
    client_text(&other, GET);
    munit_assert_int(client_answer(&other), ==, 200);
    client_close(&other);
  }
  for (i = 0; i < 11; i++) client_close(&idle[i]);
  server_close(&t);
}

/* Addresses come and go in the table, many at a time and in any order: no slot is lost or kept. */
TEST(listener, share_many)
{
  svc_listener_config k = { .max_connections = 60, .max_per_address = 1 };
  server t;
  client c[50], more;
  int i, round;
  allow_files(1024);
  server_open(&t, &k);
  for (round = 0; round < 6; round++) {
    for (i = 0; i < 50; i++) client_open_from(&c[i], t.port, 0x7F000100 + (uint32_t)(i + round * 7));
    for (i = 0; i < 50; i++) {
      client_text(&c[i], GET);
      munit_assert_int(client_answer(&c[i]), ==, 200);
      client_text(&c[i], "GET /seen HTTP/1.1\r\n");
    }
    for (i = 0; i < 50; i += 9) {
      client_open_from(&more, t.port, 0x7F000100 + (uint32_t)(i + round * 7));
      munit_assert_int(client_answer(&more), ==, 503);
      client_close(&more);
    }
    for (i = 0; i < 50; i++) client_close(&c[(i * 17 + round) % 50]);
    await(server_connections(&t) == 0);
  }
  server_close(&t);
}

/* An address uses its whole share: its connection that is idle for longest gives way to a new connection. Connections of other
** addresses stay, even if they are idle for longer. */
TEST(listener, share_gives_way)
{
  svc_listener_config k = { .threads = 1, .max_connections = 40, .max_per_address = 4 };
  server t;
  client other, c[4], more[3];
  int i;
  server_open(&t, &k);
  client_open_from(&other, t.port, 0x7F000002);
  client_text(&other, GET);
  munit_assert_int(client_answer(&other), ==, 200);
  for (i = 0; i < 4; i++) {
    later(5); /* deadlines have a resolution of a millisecond */
    client_open(&c[i], t.port);
    client_text(&c[i], GET);
    munit_assert_int(client_answer(&c[i]), ==, 200);
  }
  client_text(&c[0], "GET /seen HTTP/1.1\r\n"); /* the oldest connection, but in the middle of a request */
  later(5);
  for (i = 0; i < 3; i++) {
    client_open(&more[i], t.port);
    client_text(&more[i], GET);
    munit_assert_int(client_answer(&more[i]), ==, 200);
    if (!client_ended(&c[1 + i], WAIT_MS)) munit_errorf("%d is still there", i + 1);
    later(5);
  }
  client_text(&c[0], "Host: a\r\n\r\n");
  munit_assert_int(client_answer(&c[0]), ==, 200);
  client_text(&other, GET);
  munit_assert_int(client_answer(&other), ==, 200);
  for (i = 0; i < 4; i++) client_close(&c[i]);
  for (i = 0; i < 3; i++) client_close(&more[i]);
  client_close(&other);
  server_close(&t);
}

/* All places are taken: the connection that is idle for longest gives way to a client of another address, and no other connection. */
TEST(listener, give_way)
{
  svc_listener_config k = { .max_connections = 8, .max_per_address = 8 };
  server t;
  client c[8], more[3];
  int i;
  server_open(&t, &k);
  for (i = 0; i < 8; i++) {
    client_open(&c[i], t.port);
    client_text(&c[i], GET);
    munit_assert_int(client_answer(&c[i]), ==, 200);
    later(5); /* deadlines have a resolution of a millisecond */
  }
  client_text(&c[0], "GET /seen HTTP/1.1\r\n"); /* the oldest connection, but in the middle of a request */
  client_text(&c[1], GET); /* idle for less time than the others */
  munit_assert_int(client_answer(&c[1]), ==, 200);
  for (i = 0; i < 3; i++) {
    client_open_from(&more[i], t.port, 0x7F000002);
    client_text(&more[i], GET);
    munit_assert_int(client_answer(&more[i]), ==, 200);
    munit_assert_true(client_ended(&c[2 + i], WAIT_MS)); /* connections 2, 3, 4 */
  }
  client_text(&c[0], "Host: a\r\n\r\n");
  munit_assert_int(client_answer(&c[0]), ==, 200);
  for (i = 0; i < 8; i++) {
    if (i < 2 || i > 4) {
      client_text(&c[i], GET);
      munit_assert_int(client_answer(&c[i]), ==, 200);
    }
    client_close(&c[i]);
  }
  for (i = 0; i < 3; i++) client_close(&more[i]);
  server_close(&t);
}

/* Connects, requests the long answer, and reads nothing of it. */
static void client_stall(client *c, int port, uint32_t from, const char *method)
{
  int small = 65536;
  client_open_from(c, port, from);
  setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  client_text(c, method);
  client_text(c, " /big HTTP/1.1\r\nHost: a\r\n\r\n");
}

static uint32_t two_addresses(int i)
{
  return INADDR_LOOPBACK + (uint32_t)i % 2;
}

/* Clients that do not read: the listener keeps a limited number of bytes of answers, in all and per address. Further clients get 503. */
TEST(listener, answer_memory)
{
  svc_listener_config k = { .max_answer_memory = 30 << 20, .max_answer = 16 << 20 };
  server t;
  client c[20], more;
  int i, kept = 0, refused = 0;
  server_open(&t, &k);
  for (i = 0; i < 20; i++) client_stall(&c[i], t.port, two_addresses(i), "GET");
  for (i = 0; i < 20; i++) {
    await(client_peek(&c[i]) != 0);
    kept += client_peek(&c[i]) == 200;
    refused += client_peek(&c[i]) == 503;
  }
  munit_assert_int(kept, ==, 2); /* of 12 MiB each, one of each address */
  munit_assert_int(refused, ==, 18);
  munit_assert_int(one_request(t.port, GET), ==, 200); /* small answers still work */
  for (i = 0; client_peek(&c[i]) != 503;) i++;
  munit_assert_int(client_answer(&c[i]), ==, 503);
  munit_assert_string_equal(client_header(&c[i], "Retry-After"), "1");
  client_text(&c[i], GET); /* on the same connection */
  munit_assert_int(client_answer(&c[i]), ==, 200);
  client_stall(&more, t.port, INADDR_LOOPBACK, "DELETE"); /* a write is carried out, and its answer is sent as far as possible */
  while (client_more(&more, now_ms() + WAIT_MS) == 1) continue;
  munit_assert_string_equal(server_seen(&t, 0).method, "DELETE");
  munit_assert_int(strncmp(more.in, "HTTP/1.1 200", 12), ==, 0);
  munit_assert_size(more.n, <, BIG);
  client_close(&more);
  for (i = 0; client_peek(&c[i]) != 200;) i++;
  munit_assert_int(client_answer(&c[i]), ==, 200); /* a client that reads gets the whole answer, and frees the room */
  munit_assert_size(c[i].body_length, ==, BIG);
  client_open_from(&more, t.port, two_addresses(i));
  client_text(&more, "GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
  munit_assert_int(client_answer(&more), ==, 200);
  munit_assert_size(more.body_length, ==, BIG);
  client_close(&more);
  client_stall(&more, t.port, two_addresses(i), "GET"); /* full again, with a client that has read nothing since the start */
  await(client_peek(&more) != 0);
  later(5300);
  client_close(&c[i]);
  client_open_from(&c[i], t.port, two_addresses(i));
  client_text(&c[i], "GET /big HTTP/1.1\r\nHost: a\r\n\r\n"); /* the stalled client is closed, because another one needs the room */
  munit_assert_int(client_answer(&c[i]), ==, 200);
  client_close(&more);
  for (i = 0; i < 20; i++) client_close(&c[i]);
  server_close(&t);
}

/* One address that reads none of its answers holds a quarter of the memory; every other address still gets its share. */
TEST(listener, answer_share)
{
  enum { GREEDY = 12, OTHERS = 3 };
  svc_listener_config k = { .max_answer_memory = 4 * 2 * (BIG + 65536) };
  server t;
  client c[GREEDY], other[OTHERS];
  int i, kept = 0;
  server_open(&t, &k);
  for (i = 0; i < GREEDY; i++) client_stall(&c[i], t.port, INADDR_LOOPBACK, "GET");
  for (i = 0; i < GREEDY; i++) {
    await(client_peek(&c[i]) != 0);
    kept += client_peek(&c[i]) == 200;
  }
  munit_assert_int(kept, ==, 2);
  for (i = 0; i < OTHERS; i++) {
    client_stall(&other[i], t.port, INADDR_LOOPBACK + 1 + (uint32_t)i, "GET");
    await(client_peek(&other[i]) != 0);
    munit_assert_int(client_peek(&other[i]), ==, 200);
  }
  for (i = 0; i < GREEDY; i++) client_close(&c[i]); /* the address has its share again */
  await(one_request(t.port, "GET /big HTTP/1.1\r\nHost: a\r\n\r\n") == 200);
  for (i = 0; i < OTHERS; i++) {
    munit_assert_int(client_answer(&other[i]), ==, 200);
    munit_assert_size(other[i].body_length, ==, BIG);
    client_close(&other[i]);
  }
  server_close(&t);
}

TEST(listener, answer_size)
{
  svc_listener_config k = { .max_answer = 1 << 20 };
  server t;
  client c;
  server_open(&t, &k);
  client_open(&c, t.port);
  client_text(&c, "GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
  munit_assert_int(client_answer(&c), ==, 503);
  munit_assert_not_null(strstr(c.body, "The answer is larger than 1048576 bytes"));
  client_text(&c, "HEAD /big HTTP/1.1\r\nHost: a\r\n\r\n" GET);
  munit_assert_int(client_answer_to(&c, true), ==, 200);
  munit_assert_int(client_answer(&c), ==, 200);
  client_close(&c);
  server_close(&t);
}

static size_t writer_threads(void)
{
  char name[300], text[32];
  size_t n = 0;
  struct dirent *entry;
  DIR *tasks = opendir("/proc/self/task");
  munit_assert_not_null(tasks);
  while ((entry = readdir(tasks)) != NULL) {
    FILE *f;
    snprintf(name, sizeof name, "/proc/self/task/%s/comm", entry->d_name);
    f = fopen(name, "r");
    if (!f) continue;
    if (fgets(text, sizeof text, f)) n += strcmp(text, "svc-writer\n") == 0;
    fclose(f);
  }
  closedir(tasks);
  return n;
}

/* Writer threads start when there is work, and end: an idle service has one. */
TEST(listener, writers_rest)
{
  svc_listener_config k = { .writers = 12, .writer_idle_ms = 200 };
  server t;
  client c[20];
  int i, round;
  SKIP_IF(getenv("SVC_TEST_QEMU")); /* the emulator's threads are counted too, under other names */
  server_open(&t, &k);
  await(writer_threads() == 1);
  for (round = 0; round < 3; round++) {
    server_hold(&t, true);
    for (i = 0; i < 20; i++) {
      client_open(&c[i], t.port);
      client_text(&c[i], "DELETE /held HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    server_await_held(&t, 12);
    munit_assert_size(writer_threads(), ==, 12);
    server_hold(&t, false);
    for (i = 0; i < 20; i++) {
      munit_assert_int(client_answer(&c[i]), ==, 200);
      client_close(&c[i]);
    }
    if (round == 1) continue; /* a second time at once */
    /* a little work keeps few threads; writers wait by the real clock */
    await(one_request(t.port, "DELETE /seen HTTP/1.1\r\nHost: a\r\n\r\n") == 200 && writer_threads() == 1);
  }
  server_close(&t);
}

/* No file descriptor is left to accept connections: clients wait, the loop does not spin, and service resumes when there is one. */
TEST(listener, no_files)
{
  svc_listener_config k = { .threads = 2 };
  struct sockaddr_in a;
  struct rlimit files, none;
  server t;
  client before, c[4];
  int i, next;
  server_open(&t, &k);
  client_open(&before, t.port);
  client_text(&before, GET);
  munit_assert_int(client_answer(&before), ==, 200);
  memset(&a, 0, sizeof a);
  a.sin_family = AF_INET;
  a.sin_port = htons((uint16_t)t.port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  memset(c, 0, sizeof c);
  for (i = 0; i < 4; i++) c[i].fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  next = dup(0); /* the lowest free descriptor: from here on there is none */
  close(next);
  getrlimit(RLIMIT_NOFILE, &files);
  none = files;
  none.rlim_cur = (rlim_t)next;
  munit_assert_int(setrlimit(RLIMIT_NOFILE, &none), ==, 0);
  for (i = 0; i < 4; i++) {
    munit_assert_int(connect(c[i].fd, (struct sockaddr *)&a, sizeof a), ==, 0);
    client_text(&c[i], GET);
  }
  await_rest();
  client_text(&before, GET);
  munit_assert_int(client_answer(&before), ==, 200);
  munit_assert_size(server_count(&t), ==, 2);
  setrlimit(RLIMIT_NOFILE, &files);
  for (i = 0; i < 4; i++) {
    munit_assert_int(client_answer(&c[i]), ==, 200);
    client_close(&c[i]);
  }
  client_close(&before);
  server_close(&t);
}

/*
** The host has forked, and the child still has the sockets open: closing a connection then does not remove it from an epoll. A
** connection that is closed while an answer waits to be sent must be removed all the same.
*/
TEST(listener, forked_host)
{
  struct linger reset = { 1, 0 };
  server t;
  client c[4], waiting;
  int i, ready[2], status;
  char byte;
  pid_t child;
  server_open(&t, NULL);
  client_open(&waiting, t.port);
  client_text(&waiting, "GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
  for (i = 0; i < 4; i++) {
    client_open(&c[i], t.port);
    client_text(&c[i], "GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  for (i = 0; i < 4; i++) await(client_peek(&c[i]) != 0);
  await(client_peek(&waiting) != 0);
  munit_assert_int(pipe(ready), ==, 0);
  child = fork();
  if (child == 0) {
    for (i = 0; i < 4; i++) close(c[i].fd); /* these ends belong to the clients */
    close(waiting.fd);
    if (write(ready[1], "x", 1) != 1) _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* in case the test does not kill it */
    pause();
    _exit(0);
  }
  munit_assert_int(child, >, 0);
  munit_assert_int((int)read(ready[0], &byte, 1), ==, 1);
  for (i = 0; i < 4; i++) {
    setsockopt(c[i].fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    client_close(&c[i]);
  }
  await_rest();
  munit_assert_int(one_request(t.port, GET), ==, 200);
  munit_assert_int(client_answer(&waiting), ==, 200);
  munit_assert_size(waiting.body_length, ==, BIG);
  client_close(&waiting);
  kill(child, SIGKILL);
  munit_assert_int(waitpid(child, &status, 0), ==, child);
  close(ready[0]), close(ready[1]);
  server_close(&t);
}

/* ---------------------------------------------------------------------------------------------------------- writers */

#define HELD "POST /held HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"

/* Slow writes do not block reads. Writes beyond the queue get 503 and may be retried. Clients may leave meanwhile. */
TEST(listener, writers)
{
  svc_listener_config k = { .writers = 2, .max_waiting = 3 };
  server t;
  struct linger reset = { 1, 0 };
  client c[5], more;
  size_t i;
  server_open(&t, &k);
  server_hold(&t, true);
  for (i = 0; i < 2; i++) {
    client_open(&c[i], t.port);
    client_text(&c[i], HELD);
  }
  server_await_held(&t, 2);
  for (i = 2; i < 5; i++) {
    client_open(&c[i], t.port);
    client_text(&c[i], HELD);
  }
  for (i = 0; i < 20; i++) munit_assert_int(one_request(t.port, GET), ==, 200);
  client_open(&more, t.port);
  client_text(&more, HELD HELD GET);
  for (i = 0; i < 2; i++) {
    munit_assert_int(client_answer(&more), ==, 503);
    munit_assert_string_equal(client_header(&more, "X-Error-Code"), "SERVICE_UNAVAILABLE");
    munit_assert_string_equal(client_header(&more, "Retry-After"), "1");
    munit_assert_string_equal(client_header(&more, "Connection"), "");
  }
  munit_assert_int(client_answer(&more), ==, 200);
  client_close(&more);
  client_open(&more, t.port); /* for HTTP/1.0 the 503 has no keep-alive, and closes the connection */
  client_text(&more, "POST /held HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n");
  munit_assert_int(client_answer(&more), ==, 503);
  munit_assert_string_equal(client_header(&more, "Connection"), "close");
  munit_assert_true(client_ended(&more, 3000));
  client_close(&more);
  client_close(&c[0]); /* the request of c[0] is in progress */
  setsockopt(c[2].fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  client_close(&c[2]); /* the request of c[2] is queued */
  client_text(&c[1], GET); /* input that waits until the answer is sent */
  shutdown(c[1].fd, SHUT_WR);
  await_rest();
  server_hold(&t, false);
  munit_assert_int(client_answer(&c[1]), ==, 200);
  munit_assert_int(client_answer(&c[1]), ==, 200);
  munit_assert_int(client_answer(&c[3]), ==, 200);
  munit_assert_int(client_answer(&c[4]), ==, 200);
  for (i = 1; i < 5; i++)
    if (i != 2) client_close(&c[i]);
  munit_assert_int(one_request(t.port, HELD), ==, 200);
  server_close(&t);
}

/* Clients on several threads, reads and writes mixed, two loops: each client gets its own answers, in order. */
typedef struct mixed {
  pthread_t thread;
  server *t;
  unsigned number, good;
} mixed;

static void *mixed_run(void *argument)
{
  mixed *m = argument;
  client c;
  unsigned i, j;
  char text[1024];
  for (i = 0; i < 10; i++) {
    client_open(&c, m->t->port);
    for (j = 0; j < 20; j++) {
      snprintf(text, sizeof text,
               "POST /seen HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n%06u"
               "HEAD /big HTTP/1.1\r\nHost: a\r\n\r\n"
               "DELETE /none HTTP/1.1\r\nHost: a\r\n\r\n"
               "GET /api/svc/v2/orgs HTTP/1.1\r\nHost: a\r\n\r\n", m->number * 1000 + i * 20 + j);
      client_text(&c, text);
      if (client_answer(&c) == 200 && client_answer_to(&c, true) == 200 && client_answer(&c) == 204 &&
          client_answer(&c) == 401)
        m->good++;
    }
    client_close(&c);
  }
  return NULL;
}

TEST(listener, threads)
{
  svc_listener_config k = { .threads = 2, .writers = 4 };
  mixed m[6];
  server t;
  unsigned i;
  server_open(&t, &k);
  for (i = 0; i < 6; i++) {
    m[i] = (mixed){ .t = &t, .number = i };
    munit_assert_int(pthread_create(&m[i].thread, NULL, mixed_run, &m[i]), ==, 0);
  }
  for (i = 0; i < 6; i++) {
    pthread_join(m[i].thread, NULL);
    munit_assert_uint(m[i].good, ==, 200);
  }
  munit_assert_size(server_count(&t), ==, 6 * 200 * 3);
  server_close(&t);
}

/* ------------------------------------------------------------------------------------------------------------ peers */

TEST(listener, proxies)
{
  static const char *const trusted[] = { "127.0.0.1", "10.0.0.0/8", "192.0.2.128/25", "fd00::/8" };
  static const struct {
    const char *headers, *peer;
  } rows[] = {
    { "", "127.0.0.1" },
    { "X-Forwarded-For: 203.0.113.9\r\n", "203.0.113.9" },
    { "X-Forwarded-For: 198.51.100.1, 203.0.113.9\r\n", "203.0.113.9" }, /* the first entry is the client's claim */
    { "X-Forwarded-For: 198.51.100.1, 203.0.113.9, 10.1.2.3\r\n", "203.0.113.9" },
    { "X-Forwarded-For: 198.51.100.1,203.0.113.9 ,10.1.2.3,192.0.2.129\r\n", "203.0.113.9" },
    { "X-Forwarded-For: 203.0.113.9, 192.0.2.127\r\n", "192.0.2.127" }, /* just outside the network */
    { "x-forwarded-for: 198.51.100.1\r\nX-Forwarded-For: 203.0.113.9\r\nX-Forwarded-For: 10.0.0.1\r\n", "203.0.113.9" },
    { "X-Forwarded-For: 2001:db8::1, fd12::5\r\n", "2001:db8::1" },
    { "X-Forwarded-For: [2001:DB8::1]:443\r\n", "2001:db8::1" },
    { "X-Forwarded-For: 203.0.113.9:1234\r\n", "203.0.113.9" },
    { "X-Forwarded-For: ::ffff:203.0.113.9\r\n", "203.0.113.9" },
    { "X-Forwarded-For: 10.0.0.1, 10.0.0.2\r\n", "10.0.0.1" }, /* all are trusted: the farthest counts */
    { "X-Forwarded-For: 203.0.113.9, unknown, 10.0.0.2\r\n", "10.0.0.2" },
    { "X-Forwarded-For: 203.0.113.9,, 10.0.0.2\r\n", "10.0.0.2" },
    { "X-Forwarded-For: unknown\r\n", "127.0.0.1" },
    { "X-Forwarded-For: [\r\n", "127.0.0.1" },
    { "X-Forwarded-For:\r\n", "127.0.0.1" },
    { "X-Forwarded-For: ,\r\n", "127.0.0.1" },
  };
  svc_listener_config k = { .trusted_proxies = trusted, .trusted_proxy_count = 4 };
  server t;
  size_t i;
  char text[512];
  server_open(&t, &k);
  for (i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
    snprintf(text, sizeof text, "%s /seen HTTP/1.1\r\nHost: a\r\n%s\r\n", i % 2 ? "DELETE" : "GET",
             rows[i / 2].headers);
    munit_assert_int(one_request(t.port, text), ==, 200);
    munit_assert_string_equal(server_seen(&t, 0).peer, rows[i / 2].peer);
  }
  server_close(&t);
  server_open(&t, NULL); /* no proxy is trusted */
  munit_assert_int(one_request(t.port, "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n"), ==, 200);
  munit_assert_string_equal(server_seen(&t, 0).peer, "127.0.0.1");
  server_close(&t);
}

/* ---------------------------------------------------------------------------------------------------- open and stop */

static void open_fails(const char *url, int code, const char *expected)
{
  svc_listener_config k = { .urls = &url, .url_count = 1, .threads = 2 };
  svc_listener *l;
  char why[256];
  munit_assert_int(svc_listener_open(&l, &k, why, sizeof why), ==, code);
  munit_assert_null(l);
  munit_assert_null(strchr(why, '\n'));
  if (!strstr(why, expected)) munit_errorf("%s: %s", url, why);
  munit_assert_int(svc_listener_open(&l, &k, NULL, 0), ==, code);
}

TEST(listener, open)
{
  const char *urls[] = { "http://127.0.0.1:0", "http://[::1]:0", "http://0.0.0.0:0/" };
  const char *bad_proxy = "10.0.0.0/33";
  svc_listener_config k = { .urls = urls, .url_count = 3, .threads = 2 };
  svc_listener *l;
  char why[256], text[64];
  int i, six;
  for (i = 0; i < 2; i++) {
    server t;
    k.threads = (size_t)i + 1;
    server_open(&t, &(svc_listener_config){ .threads = k.threads });
    snprintf(text, sizeof text, "http://127.0.0.1:%d", t.port);
    open_fails(text, SVC_IO, "the port is in use"); /* also if a listener of this process, with one or two threads, has the port */
    server_close(&t);
  }
  open_fails("https://127.0.0.1:0", SVC_INVALID, "https needs a certificate");
  open_fails("127.0.0.1:8080", SVC_INVALID, "not a URL like");
  open_fails("http://example.com:80", SVC_INVALID, "the host must be");
  open_fails("http://:80", SVC_INVALID, "the host must be");
  open_fails("http://[::1:80", SVC_INVALID, "the host must be");
  open_fails("http://[127.0.0.1]:80", SVC_INVALID, "the host must be");
  open_fails("http://127.0.0.1:65536", SVC_INVALID, "the port must be");
  open_fails("http://127.0.0.1:", SVC_INVALID, "the port must be");
  open_fails("http://127.0.0.1:x", SVC_INVALID, "the port must be");
  open_fails("http://127.0.0.1:80/path", SVC_INVALID, "nothing may stand behind");
  open_fails("http://192.0.2.1:0", SVC_IO, "does not have that address");
  munit_assert_int(svc_listener_open(&l, &(svc_listener_config){ 0 }, why, sizeof why), ==, SVC_INVALID);
  k.trusted_proxies = &bad_proxy;
  k.trusted_proxy_count = 1;
  munit_assert_int(svc_listener_open(&l, &k, why, sizeof why), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, bad_proxy));
  k.trusted_proxies = NULL;
  munit_assert_int(svc_listener_open(&l, &k, why, sizeof why), ==, SVC_INVALID);
  k.trusted_proxy_count = 0;
  six = socket(AF_INET6, SOCK_STREAM, 0); /* the test also works on a machine without IPv6 */
  if (six < 0) urls[1] = urls[0];
  else close(six);
  if (svc_listener_open(&l, &k, why, sizeof why) != SVC_OK) {
    urls[1] = urls[0];
    munit_assert_int(svc_listener_open(&l, &k, why, sizeof why), ==, SVC_OK);
  }
  for (i = 0; i < 3; i++) {
    munit_assert_int(strncmp(svc_listener_url(l, (size_t)i), urls[i], strlen(urls[i]) - (i == 2 ? 2 : 1)), ==, 0);
    munit_assert_int(atoi(strrchr(svc_listener_url(l, (size_t)i), ':') + 1), >, 0);
  }
  munit_assert_null(svc_listener_url(l, 3));
  munit_assert_null(svc_listener_url(NULL, 0));
  munit_assert_int(svc_listener_start(l, NULL), ==, SVC_INVALID);
  svc_listener_stop(l); /* not started */
  svc_listener_close(l);
  svc_listener_close(NULL);
}

static bool can_connect(int port)
{
  struct sockaddr_in a;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;
  memset(&a, 0, sizeof a);
  a.sin_family = AF_INET;
  a.sin_port = htons((uint16_t)port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  rc = connect(fd, (struct sockaddr *)&a, sizeof a);
  close(fd);
  return rc == 0;
}

static void *stop_run(void *argument)
{
  svc_listener_stop(((server *)argument)->l);
  return NULL;
}

/* Requests in progress are answered with "close", idle connections are closed at once, and no new ones are accepted. */
TEST(listener, stop)
{
  svc_listener_config k = { .threads = 2 };
  server t;
  client busy, idle, half, none;
  pthread_t stopper;
  server_open(&t, &k);
  server_hold(&t, true);
  client_open(&busy, t.port), client_open(&idle, t.port), client_open(&half, t.port), client_open(&none, t.port);
  client_text(&idle, GET);
  munit_assert_int(client_answer(&idle), ==, 200);
  client_text(&busy, HELD GET);
  client_text(&half, POST "Content-Length: 2\r\n\r\nx");
  server_await_held(&t, 1);
  await(has_read(half.fd) && server_connections(&t) == 4);
  pthread_create(&stopper, NULL, stop_run, &t);
  munit_assert_true(client_ended(&idle, WAIT_MS));
  munit_assert_true(client_ended(&none, WAIT_MS));
  await(!can_connect(t.port)); /* both loops have released the port */
  client_text(&half, "y");
  munit_assert_int(client_answer(&half), ==, 200);
  munit_assert_string_equal(client_header(&half, "Connection"), "close");
  server_hold(&t, false);
  munit_assert_int(client_answer(&busy), ==, 200);
  munit_assert_string_equal(busy.body, "held");
  munit_assert_string_equal(client_header(&busy, "Connection"), "close");
  munit_assert_true(client_ended(&busy, WAIT_MS)); /* the GET after it was not in progress yet */
  client_close(&busy), client_close(&idle), client_close(&half), client_close(&none);
  pthread_join(stopper, NULL);
  svc_listener_stop(t.l); /* a second time */
  server_close(&t);

  /* the port is free afterwards also if there was no client */
  server_open(&t, &k);
  svc_listener_stop(t.l);
  munit_assert_false(can_connect(t.port));
  munit_assert_false(can_connect(t.port_2));
  server_close(&t);

  /* clients that do not finish are closed after a timeout */
  k.stop_timeout_ms = 300;
  server_open(&t, &k);
  client_open(&half, t.port);
  client_text(&half, POST "Content-Length: 2\r\n\r\nx");
  await(has_read(half.fd));
  t_clock_move(0);
  pthread_create(&stopper, NULL, stop_run, &t);
  await(!can_connect(t.port));
  munit_assert_int(client_more(&half, now_ms()), ==, -1); /* the timeout is not over */
  t_clock_move(301);
  pthread_join(stopper, NULL);
  munit_assert_true(client_ended(&half, WAIT_MS)); /* closed by the timeout, not by svc_listener_close() */
  client_close(&half);
  server_close(&t);
}

/* A request that has arrived but was not read when the listener stops is still answered: there is no reset. */
TEST(listener, stop_unread)
{
  server t;
  client busy, other, idle;
  pthread_t stopper;
  server_open(&t, NULL);
  client_open(&busy, t.port), client_open(&other, t.port), client_open(&idle, t.port);
  client_text(&other, GET), client_text(&idle, GET);
  munit_assert_int(client_answer(&other), ==, 200);
  munit_assert_int(client_answer(&idle), ==, 200);
  server_hold(&t, true);
  client_text(&busy, "GET /held HTTP/1.1\r\nHost: a\r\n\r\n"); /* blocks the loop itself, so that it does not read */
  server_await_held(&t, 1);
  client_text(&other, GET);
  pthread_create(&stopper, NULL, stop_run, &t);
  usleep(200000); /* waits until the listener is told to stop, which cannot be observed while its loop is blocked */
  server_hold(&t, false);
  munit_assert_int(client_answer(&busy), ==, 200);
  munit_assert_int(client_answer(&other), ==, 200);
  munit_assert_string_equal(client_header(&other, "Connection"), "close");
  munit_assert_true(client_ended(&idle, WAIT_MS));
  client_close(&busy), client_close(&other), client_close(&idle);
  pthread_join(stopper, NULL);
  server_close(&t);
}

/* The listener calls the service about once per second, also without a request. */
TEST(listener, tick)
{
  server t;
  long before, i;
  server_open(&t, NULL);
  before = server_clock_calls(&t);
  later(1000);
  await(server_clock_calls(&t) > before);
  for (i = 0; i < 3; i++) { /* about once per second */
    t_clock_settle(); /* a tick may read the clock more than once */
    before = server_clock_calls(&t);
    later(890);
    munit_assert_long(server_clock_calls(&t), ==, before);
    later(10);
    await(server_clock_calls(&t) > before);
  }
  server_close(&t);
}

/* A read that finds a due step stores it, and the disk may be slow: so a thread does the read, never the loop, and it waits for none of the
** queued changes. */
TEST(listener, due)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller me = { "5f0000000000000000000001", "me@example.com", &owner, 1, 0 };
  static const svc_header headers[] = { { "Content-Type", "application/json", 0, 0 }, { "Idempotency-Key", "k", 0, 0 } };
  static const svc_request create = { .method = "POST", .target = "/api/svc/v2/orgs", .headers = headers,
                                      .header_count = 2, .body = "{\"name\":\"A\"}", .body_length = 12, .caller = &me };
  svc_listener_config k = { .writers = 1, .max_waiting = 1 };
  svc_response response;
  server t;
  client held, c[3];
  size_t i;
  server_open(&t, &k);
  munit_assert_int(svc_handle_request(t.s, &create, &response), ==, SVC_OK); /* the key expires after a day */
  munit_assert_int(response.status, ==, 201);
  svc_response_free(&response);
  munit_assert_int(one_request(t.port, GET), ==, 200);
  munit_assert_string_equal(server_seen(&t, 0).thread, "svc-loop");
  munit_assert_int(svc_is_due(t.s), ==, 0);
  server_hold(&t, true);
  client_open(&held, t.port);
  client_text(&held, HELD);
  server_await_held(&t, 1); /* the only writer is busy */
  pthread_mutex_lock(&t.lock);
  t.clock_ahead = (int64_t)25 * 3600 * 1000;
  pthread_mutex_unlock(&t.lock);
  munit_assert_int(svc_is_due(t.s), ==, 1);
  for (i = 0; i < 3; i++) { /* more than may be queued: reads are never refused for that */
    client_open(&c[i], t.port);
    client_text(&c[i], i == 1 ? "HEAD /seen HTTP/1.1\r\nHost: a\r\n\r\n" : GET);
    munit_assert_int(client_answer_to(&c[i], i == 1), ==, 200);
    munit_assert_string_equal(server_seen(&t, 0).thread, "svc-reader");
  }
  munit_assert_int(svc_is_due(t.s), ==, 1); /* this host's answers did not apply it */
  server_hold(&t, false);
  munit_assert_int(client_answer(&held), ==, 200);
  later(1000); /* svc_tick() runs */
  await(one_request(t.port, GET) == 200 && strcmp(server_seen(&t, 0).thread, "svc-loop") == 0);
  munit_assert_int(svc_is_due(t.s), ==, 0);
  for (i = 0; i < 3; i++) client_close(&c[i]);
  client_close(&held);
  server_close(&t);
}

/*
** The listener while system calls fail, and memory runs out: opening, starting, requests over http and https, creating, reading
** and reloading its certificate. Calls of each kind fail in turn, in all threads but the client's.
**
** The rules: an error has a reason. A listener that opened can be closed. A client gets an answer or the end of its connection,
** and never waits for ever. Afterwards the same listener answers the next client. Invalid configurations and URLs are refused
** with a message.
*/
#define _GNU_SOURCE /* mkdtemp, memmem */
#include "listener/common.h"

#include "faults.h"
#include "http_text.h"
#include "ports/listener.h"

#include <mbedtls/psa_util.h>
#include <mbedtls/ssl.h>
#include <psa/crypto.h>

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define FAULTS_WAIT_MS 20000
#define FAULTS_MS (T_SLOW ? 6000 : 1500) /* until the listener gives up on a client */
#define FAULTS_GRAIN_MS (T_SLOW ? 400 : 100) /* an answer without a fault or delay takes less than this */
#define FAULTS_LATE_MS 10 /* longer than the delay of a late answer */
#define FAULTS_LARGE ((size_t)3 << 20)

typedef struct faults_world {
  char folder[64], cert[96], key[96], other[96];
  svc_listener *l;
  int ports[2]; /* http, https */
} faults_world;

static char *faults_large, faults_wide[4096]; /* content of a body; of a header */

/* Answers without a service: a service without memory is tested elsewhere. */
static int faults_handle(void *context, svc *s, const svc_request *r, svc_response *response)
{
  static const svc_header headers[] = { { "Content-Type", "text/plain", 0, 0 }, { "X-Wide", faults_wide, 0, 0 } };
  static const svc_header lengths[] = { { "Content-Length", "7", 0, 0 }, { "Content-Length", "8", 0, 0 } };
  bool large = r->target_length == 6 && memcmp(r->target, "/large", 6) == 0, late = r->target_length == 5 && memcmp(r->target, "/late", 5) == 0;
  (void)context, (void)s;
  response->status = 200;
  response->headers = headers;
  response->header_count = r->target_length == 5 && memcmp(r->target, "/wide", 5) == 0 ? 2 : 1;
  response->body = large ? faults_large : "seen";
  response->body_length = large ? FAULTS_LARGE : 4;
  response->delay_ms = late ? 5 : 0;
  if (r->target_length == 5 && memcmp(r->target, "/lost", 5) == 0) response->drop = 1;
  if (r->target_length == 4 && memcmp(r->target, "/odd", 4) == 0) response->status = 700;
  if (r->target_length != 8 || memcmp(r->target, "/lengths", 8) != 0) return SVC_OK;
  response->headers = lengths;
  response->header_count = 2;
  return SVC_OK;
}

static void faults_files(faults_world *w)
{
  static const char *const names[] = { "localhost", "127.0.0.1" };
  char why[256];
  memset(w, 0, sizeof *w);
  strcpy(w->folder, "/tmp/faults_XXXXXX");
  munit_assert_not_null(mkdtemp(w->folder));
  snprintf(w->cert, sizeof w->cert, "%s/tls.crt", w->folder);
  snprintf(w->key, sizeof w->key, "%s/tls.key", w->folder);
  snprintf(w->other, sizeof w->other, "%s/other.key", w->folder);
  memset(faults_wide, 'w', sizeof faults_wide - 1);
  if (svc_listener_cert_make(w->cert, w->key, names, 2, 10, why, sizeof why) != SVC_OK) munit_errorf("no certificate: %s", why);
}

static void faults_remove(faults_world *w)
{
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", w->folder);
  munit_assert_int(system(command), ==, 0);
}

static int faults_open(faults_world *w, char *why, size_t size)
{
  static const char *const urls[] = { "http://127.0.0.1:0", "https://127.0.0.1:0" };
  svc_listener_config k = { .urls = urls, .url_count = 2, .threads = 2, .writers = 2, .handle = faults_handle, .cert_file = w->cert, .key_file = w->key,
                            .header_timeout_ms = FAULTS_MS, .body_timeout_ms = FAULTS_MS, .idle_timeout_ms = FAULTS_MS, .stop_timeout_ms = 500, .no_explorer = 1 };
  return svc_listener_open(&w->l, &k, why, size);
}

/* ------------------------------------------------------------------------------------------------------- the client */

typedef struct faults_client {
  int fd;
  bool secure;
  mbedtls_ssl_context ssl;
  mbedtls_ssl_config conf;
} faults_client;

static int faults_transmit(void *context, const unsigned char *p, size_t n)
{
  ssize_t sent = send(((faults_client *)context)->fd, p, n, MSG_NOSIGNAL);
  return sent < 0 ? MBEDTLS_ERR_SSL_CONN_EOF : (int)sent;
}

static bool faults_clock; /* the listener's clock stands still, and moves when a client waits */

/* Waits for input. If none comes, the clock moves by the delay of late answers; with a fault, until the listener gives up on the client. */
static void faults_wait(int fd)
{
  struct pollfd p = { fd, POLLIN, 0 };
  int steps;
  for (steps = 0; faults_clock && poll(&p, 1, FAULTS_GRAIN_MS) == 0; steps++)
    t_clock_move(steps && t_fault_set() ? FAULTS_MS : FAULTS_LATE_MS);
}

static int faults_receive(void *context, unsigned char *p, size_t n)
{
  ssize_t got;
  faults_wait(((faults_client *)context)->fd);
  got = recv(((faults_client *)context)->fd, p, n, 0);
  if (got < 0 && errno == EAGAIN) munit_error("the client waits, and nobody closes its connection");
  return got < 0 ? MBEDTLS_ERR_SSL_CONN_EOF : (int)got;
}

static bool faults_connect(faults_client *c, const faults_world *w, bool secure)
{
  struct sockaddr_in a;
  struct timeval wait = { FAULTS_WAIT_MS / 1000, 0 };
  memset(c, 0, sizeof *c);
  memset(&a, 0, sizeof a);
  a.sin_family = AF_INET;
  a.sin_port = htons((uint16_t)w->ports[secure]);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  c->secure = secure;
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  munit_assert_int(c->fd, >=, 0);
  setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  munit_assert_int(connect(c->fd, (struct sockaddr *)&a, sizeof a), ==, 0);
  if (!secure) return true;
  mbedtls_ssl_init(&c->ssl);
  mbedtls_ssl_config_init(&c->conf);
  munit_assert_int(mbedtls_ssl_config_defaults(&c->conf, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT), ==, 0);
  mbedtls_ssl_conf_rng(&c->conf, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  mbedtls_ssl_conf_authmode(&c->conf, MBEDTLS_SSL_VERIFY_NONE);
  munit_assert_int(mbedtls_ssl_setup(&c->ssl, &c->conf), ==, 0);
  mbedtls_ssl_set_bio(&c->ssl, c, faults_transmit, faults_receive, NULL);
  return mbedtls_ssl_handshake(&c->ssl) == 0;
}

static bool faults_send(faults_client *c, const char *text)
{
  size_t n = strlen(text), at = 0;
  while (at < n) {
    int sent = c->secure ? mbedtls_ssl_write(&c->ssl, (const unsigned char *)text + at, n - at) : faults_transmit(c, (const unsigned char *)text + at, n - at);
    if (sent <= 0) return false;
    at += (size_t)sent;
  }
  return true;
}

/* Returns the status of the answer when all of it has arrived; 0: the connection ended before. */
static int faults_answer(faults_client *c)
{
  static char text[FAULTS_LARGE + 16384];
  const char *body;
  size_t have = 0;
  for (;;) {
    int got = c->secure ? mbedtls_ssl_read(&c->ssl, (unsigned char *)text + have, sizeof text - 1 - have)
                        : faults_receive(c, (unsigned char *)text + have, sizeof text - 1 - have);
    if (got == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET) continue;
    if (got <= 0) return 0;
    have += (size_t)got;
    text[have] = '\0';
    if (have >= 12 && memcmp(text, "HTTP/1.1 100", 12) == 0 && http_whole(text, have, &body)) {
      have -= (size_t)(body - text);
      memmove(text, body, have + 1);
      if (!have) continue;
    }
    if (http_whole(text, have, &body)) return atoi(text + 9);
  }
}

static void faults_hang_up(faults_client *c)
{
  if (c->secure) {
    mbedtls_ssl_free(&c->ssl);
    mbedtls_ssl_config_free(&c->conf);
  }
  close(c->fd);
}

static const char *const faults_requests[] = {
  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET /wide HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET /late HTTP/1.1\r\nHost: a\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nabcde",
  "GET /large HTTP/1.1\r\nHost: a\r\n\r\n",
  "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
};
#define FAULTS_REQUESTS (sizeof faults_requests / sizeof faults_requests[0])

/* Sends requests one after the other on one connection. Returns how many were answered with 200. */
static size_t faults_ask(const faults_world *w, bool secure, size_t first, size_t n)
{
  faults_client c;
  size_t good = 0, i;
  if (faults_connect(&c, w, secure))
    for (i = first; i < first + n; i++) {
      int status = faults_send(&c, faults_requests[i]) ? faults_answer(&c) : 0;
      if (status != 0 && status != 200 && status != 503 && status != 408) munit_errorf("an answer of %d", status);
      if (status != 200) break;
      good++;
    }
  faults_hang_up(&c);
  return good;
}

/* ------------------------------------------------------------------------------------------------------------ tests */

static const struct {
  enum t_call call;
  int errors[4];
} faults_kinds[] = {
  { T_CALL_MEMORY, { ENOMEM } },
  { T_CALL_SEND, { EINTR, EAGAIN, EPIPE, T_SHORT } },
  { T_CALL_RECEIVE, { EINTR, EAGAIN, ECONNRESET, T_SHORT } },
  { T_CALL_SOCKET, { EMFILE, EINVAL } },
};

/* mbedTLS tries one key format after the other. If memory runs out in a format, mbedTLS reports that the last format does not match. */
static bool faults_of_key(enum t_call call, int rc, const char *why)
{
  return call == T_CALL_MEMORY && rc == SVC_INVALID && strstr(why, "not a key in PEM");
}

static void faults_start(faults_world *w)
{
  char why[256];
  if (faults_open(w, why, sizeof why) != SVC_OK) munit_errorf("it does not open: %s", why);
  munit_assert_int(svc_listener_start(w->l, NULL), ==, SVC_OK);
  w->ports[0] = atoi(strrchr(svc_listener_url(w->l, 0), ':') + 1);
  w->ports[1] = atoi(strrchr(svc_listener_url(w->l, 1), ':') + 1);
}

/* Requests over http and https while one of the first calls of each kind fails. The next request is answered. */
TEST(listener_faults, asked)
{
  faults_world w;
  unsigned long tried = 0, refused = 0;
  size_t k, e, first;
  int secure;
  long at;
  faults_files(&w);
  faults_large = calloc(1, FAULTS_LARGE);
  munit_assert_not_null(faults_large);
  t_fault_spare(true);
  faults_start(&w);
  t_clock_move(0);
  faults_clock = true;
  for (secure = 0; secure < 2; secure++)
    for (k = 0; k < sizeof faults_kinds / sizeof faults_kinds[0] - T_SLOW; k++) /* the last kind takes longest */
      for (e = 0; e < 4 && faults_kinds[k].errors[e]; e++)
        for (first = 0; first < FAULTS_REQUESTS; first += faults_kinds[k].call == T_CALL_SOCKET ? 4 : secure ? 3 : 1) /* some wait */
          for (at = 1; at < 40; at += 1 + at / 4 + (secure || T_SLOW ? at : 0)) {
            size_t n = secure && first + 3 <= FAULTS_REQUESTS ? 3 : 1, good;
            t_fault(faults_kinds[k].call, at, faults_kinds[k].errors[e], false);
            good = faults_ask(&w, secure, first, n);
            if (t_fault_end() == 0) break;
            tried++;
            refused += good < n;
            munit_assert_size(faults_ask(&w, secure, 0, 1), ==, 1);
          }
  fprintf(stderr, "listener: %lu faults, %lu of them seen by a client\n", tried, refused);
  munit_assert_ulong(tried, >, 50);
  for (secure = 0; secure < 2; secure++) munit_assert_size(faults_ask(&w, secure, 0, FAULTS_REQUESTS), ==, FAULTS_REQUESTS);
  faults_clock = false;
  t_clock_goes();
  svc_listener_close(w.l);
  t_fault_spare(false);
  free(faults_large);
  faults_remove(&w);
}

static int faults_status(const faults_world *w, bool secure, const char *request)
{
  faults_client c;
  int status = 0;
  if (faults_connect(&c, w, secure) && faults_send(&c, request)) status = faults_answer(&c);
  faults_hang_up(&c);
  return status;
}

/* Handlers that drop the answer, or return an invalid status, two lengths or a long header. */
TEST(listener_faults, answers)
{
  static const struct { const char *request; int status; } rows[] = {
    { "GET /lost HTTP/1.1\r\nHost: a\r\n\r\n", 0 }, { "POST /lost HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na", 0 },
    { "GET /odd HTTP/1.1\r\nHost: a\r\n\r\n", 500 }, { "PUT /odd HTTP/1.0\r\nContent-Length: 0\r\n\r\n", 500 },
    { "GET /lengths HTTP/1.1\r\nHost: a\r\n\r\n", 200 }, { "GET /wide HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200 },
    { "GET /wide HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 200 },
  };
  faults_world w;
  size_t i;
  int secure;
  faults_files(&w);
  faults_start(&w);
  for (secure = 0; secure < 2; secure++)
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
      if (faults_status(&w, secure, rows[i].request) != rows[i].status) munit_errorf("%d: %s", faults_status(&w, secure, rows[i].request), rows[i].request);
  svc_listener_close(w.l);
  faults_remove(&w);
}

/* Opening and starting: refused with a reason, or the listener serves. */
TEST(listener_faults, opened)
{
  static const struct { enum t_call call; int error; } kinds[] = { { T_CALL_MEMORY, ENOMEM }, { T_CALL_SOCKET, EMFILE }, { T_CALL_SOCKET, EACCES },
    { T_CALL_SOCKET, EADDRNOTAVAIL }, { T_CALL_SOCKET, EAFNOSUPPORT }, { T_CALL_THREAD, EAGAIN }, { T_CALL_OPEN, EMFILE }, { T_CALL_LOCK, EMFILE } };
  faults_world w;
  unsigned long refused = 0;
  size_t k;
  int good;
  long at;
  faults_files(&w);
  for (good = 0; good < 2; good++) /* one call fails, or all calls from there on */
    for (k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
      for (at = 1; at < 2000; at++) {
        char why[256] = "";
        long hits;
        int rc;
        t_fault(kinds[k].call, at, kinds[k].error, good);
        rc = faults_open(&w, why, sizeof why);
        if (rc == SVC_OK) {
          rc = svc_listener_start(w.l, NULL);
          if (rc != SVC_OK) munit_assert_int(rc, ==, SVC_NOMEM);
          svc_listener_stop(w.l);
          svc_listener_close(w.l);
        } else {
          if (rc != SVC_NOMEM && rc != SVC_IO && rc != SVC_RANDOM && !faults_of_key(kinds[k].call, rc, why)) munit_errorf("%d: %s", rc, why);
          if (!why[0]) munit_errorf("%d, and no word why", rc);
          munit_assert_null(w.l);
          refused++;
        }
        hits = t_fault_end();
        if (hits == 0) break;
      }
  munit_assert_ulong(refused, >, 50);
  faults_remove(&w);
}

/* Checks that the certificate is complete and belongs to this key, and that no partial file is left. */
static void faults_whole(const faults_world *w, const char *key)
{
  svc_listener_cert about;
  char left[128], why[256] = "";
  if (svc_listener_cert_read(w->cert, key, &about, why, sizeof why) != SVC_OK) munit_errorf("%s", why);
  snprintf(left, sizeof left, "%s.new", w->cert);
  munit_assert_int(access(left, F_OK), !=, 0);
  snprintf(left, sizeof left, "%s.new", w->other);
  munit_assert_int(access(left, F_OK), !=, 0);
}

/* A certificate is created, read and reloaded: success, or the true reason. If it cannot be created, the previous certificate stays. */
TEST(listener_faults, certificate)
{
  static const struct { enum t_call call; int error, code; } kinds[] = { { T_CALL_MEMORY, ENOMEM, SVC_NOMEM }, { T_CALL_OPEN, EMFILE, SVC_IO },
    { T_CALL_WRITE, ENOSPC, SVC_IO }, { T_CALL_WRITE, T_SHORT, SVC_IO }, { T_CALL_FLUSH, EIO, SVC_IO }, { T_CALL_NAME, EACCES, SVC_IO } };
  static const char *const names[] = { "localhost", "::1" };
  faults_world w;
  size_t k;
  int what;
  long at;
  faults_files(&w);
  munit_assert_int(faults_open(&w, NULL, 0), ==, SVC_OK);
  for (what = 0; what < 3; what++) {
    unsigned long refused = 0;
    for (k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
      for (at = 1; at < 3000; at++) {
        svc_listener_cert about;
        char why[256] = "";
        long hits;
        int rc;
        if (what == 0) unlink(w.other);
        t_fault(kinds[k].call, at, kinds[k].error, false);
        rc = what == 0 ? svc_listener_cert_make(w.cert, w.other, names, 2, 10, why, sizeof why)
             : what == 1 ? svc_listener_cert_read(w.cert, w.key, &about, why, sizeof why)
                         : svc_listener_reload(w.l, why, sizeof why);
        hits = t_fault_end();
        if (what == 0) faults_whole(&w, rc == SVC_OK ? w.other : w.key);
        if (rc != SVC_OK && !why[0]) munit_errorf("%d, and no word why", rc);
        if (rc != SVC_OK && rc != kinds[k].code && rc != SVC_RANDOM && !faults_of_key(kinds[k].call, rc, why)) munit_errorf("%d of call %ld of kind %d: %s", rc, at, (int)kinds[k].call, why);
        refused += rc != SVC_OK;
        if (what == 0) munit_assert_int(svc_listener_cert_make(w.cert, w.key, names, 2, 10, why, sizeof why), ==, SVC_OK);
        if (hits == 0) break;
      }
    munit_assert_ulong(refused, >, 5);
  }
  svc_listener_close(w.l);
  faults_remove(&w);
}

static void faults_made(const faults_world *w, const char *cert, size_t count, int days, const char *expected)
{
  static const char *names[80];
  char why[8192] = "";
  size_t i;
  for (i = 0; i < 80; i++) names[i] = "a-name-of-a-host.example.com";
  munit_assert_int(svc_listener_cert_make(cert, w->key, names, count, days, why, sizeof why), ==, SVC_INVALID);
  if (!strstr(why, expected)) munit_errorf("%s", why);
}

/* No certificate can be made with these names or paths. */
TEST(listener_faults, certificate_refused)
{
  static const char none[] = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  static char path[5000];
  faults_world w;
  svc_listener_cert about;
  char why[256];
  FILE *f;
  faults_files(&w);
  faults_made(&w, w.cert, 0, 10, "1 to 64 names");
  faults_made(&w, w.cert, 65, 10, "1 to 64 names");
  faults_made(&w, w.cert, 1, INT_MAX, "no certificate can be made");
  memset(path, 'a', sizeof path - 1);
  faults_made(&w, path, 1, 10, "the path is too long");
  munit_assert_int(svc_listener_reload(NULL, why, sizeof why), ==, SVC_INVALID);
  f = fopen(w.cert, "a"); /* the first certificate is valid, the second is not */
  munit_assert_not_null(f);
  fputs(none, f);
  fclose(f);
  munit_assert_int(svc_listener_cert_read(w.cert, w.key, &about, why, sizeof why), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "not all of it can be read"));
  munit_assert_int(truncate(w.cert, 0), ==, 0);
  munit_assert_int(svc_listener_cert_read(w.cert, w.key, &about, why, sizeof why), ==, SVC_INVALID);
  munit_assert_int(svc_listener_cert_read(w.cert, w.key, &about, why, 0), ==, SVC_INVALID);
  faults_remove(&w);
}

static void faults_refused(const svc_listener_config *k, const char *expected)
{
  svc_listener *l = NULL;
  char why[256] = "";
  munit_assert_int(svc_listener_open(&l, k, why, sizeof why), ==, SVC_INVALID);
  munit_assert_null(l);
  if (!strstr(why, expected)) munit_errorf("expected %s: %s", expected, why);
  munit_assert_int(svc_listener_open(&l, k, NULL, 0), ==, SVC_INVALID);
  munit_assert_int(svc_listener_open(&l, k, why, 0), ==, SVC_INVALID);
}

/* Errors that a configuration can have. */
TEST(listener_faults, configuration)
{
  static const char *const hosts[] = { "http://[::1:0", "http://[]:0", "http://[:]:0", "http://1.2.3.4.5:0", "http://[1:2:3:4:5:6:7:8:9]:0", "http://example.com:0",
    "http://[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]:0", "http://:0", "http://" },
                    *const ports[] = { "http://127.0.0.1:", "http://127.0.0.1:65536", "http://127.0.0.1:a", "http://127.0.0.1:999999999999" },
                    *const proxies[] = { "", "a", "10.0.0.0/", "10.0.0.0/a", "10.0.0.0/33", "10.0.0.0/8a", "fd00::/129", "10.0.0.0/:", "/8",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" };
  static const char *const one[] = { "http://127.0.0.1:0" };
  const svc_listener_config good = { .urls = one, .url_count = 1 };
  const char *none = NULL, *behind = "http://127.0.0.1/behind";
  svc_listener_config k = good;
  svc_listener_statistics stats;
  svc_listener *l;
  char why[64];
  size_t i;
  munit_assert_int(svc_listener_open(NULL, &good, why, sizeof why), ==, SVC_INVALID);
  munit_assert_int(svc_listener_open(&l, NULL, why, sizeof why), ==, SVC_INVALID);
  faults_refused(&(svc_listener_config){ .urls = one }, "1 to 16 URLs");
  faults_refused(&(svc_listener_config){ .urls = one, .url_count = 17 }, "1 to 16 URLs");
  faults_refused(&(svc_listener_config){ .url_count = 1 }, "1 to 16 URLs");
  faults_refused(&(svc_listener_config){ .urls = one, .url_count = 1, .threads = 65 }, "64 event-loop threads");
  faults_refused(&(svc_listener_config){ .urls = one, .url_count = 1, .writers = 257 }, "256 writer threads");
  faults_refused(&(svc_listener_config){ .urls = one, .url_count = 1, .max_body = ((size_t)1 << 30) + 1 }, "1 GiB");
  faults_refused(&(svc_listener_config){ .urls = one, .url_count = 1, .max_header_bytes = (1 << 20) + 1 }, "1 MiB");
  faults_refused(&(svc_listener_config){ .urls = one, .url_count = 1, .max_target = (1 << 20) + 1 }, "1 MiB");
  k.urls = &none;
  faults_refused(&k, "a URL is missing");
  for (i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
    k.urls = &hosts[i];
    faults_refused(&k, "the host must be");
  }
  for (i = 0; i < sizeof ports / sizeof ports[0]; i++) {
    k.urls = &ports[i];
    faults_refused(&k, "the port must be");
  }
  k = good;
  k.trusted_proxy_count = 1;
  faults_refused(&k, "trusted proxy NULL");
  for (i = 0; i < sizeof proxies / sizeof proxies[0]; i++) {
    k.trusted_proxies = &proxies[i];
    faults_refused(&k, "not an address or network");
  }
  k = good;
  k.urls = &behind;
  faults_refused(&k, "nothing may stand behind the port");
  svc_listener_close(NULL);
  svc_listener_stop(NULL);
  svc_listener_stats(NULL, &stats);
  munit_assert_null(svc_listener_url(NULL, 0));
  munit_assert_int(svc_listener_start(NULL, NULL), ==, SVC_INVALID);
  k = good;
  k.max_body = 1 << 29;
  k.max_body_memory = 1;
  munit_assert_int(svc_listener_open(&l, &k, why, sizeof why), ==, SVC_OK);
  munit_assert_null(svc_listener_url(l, 16));
  munit_assert_int(svc_listener_start(l, NULL), ==, SVC_INVALID); /* neither a service nor a handler */
  munit_assert_int(svc_listener_reload(l, why, sizeof why), ==, SVC_INVALID);
  svc_listener_stop(l);
  svc_listener_close(l);
}

static void faults_log(void *context, int level, const char *text)
{
  if (level == SVC_LOG_WARNING) snprintf(context, 256, "%s", text);
}

/* With fewer files than connections the listener opens, and the log says how many connections it accepts: fewer than files, and more with more
** files. */
TEST(listener_faults, files_limited)
{
  static const char *const one[] = { "http://127.0.0.1:0" };
  const rlim_t limits[] = { 100, 300 };
  svc_listener_config k = { .urls = one, .url_count = 1, .log = faults_log };
  struct rlimit before, few;
  svc_listener *l;
  char text[256], why[256];
  unsigned long long files;
  size_t accepted, before_that = 0, i;
  k.log_context = text;
  munit_assert_int(getrlimit(RLIMIT_NOFILE, &before), ==, 0);
  for (i = 0; i < 2; i++) {
    text[0] = 0;
    few = before;
    few.rlim_cur = limits[i];
    munit_assert_int(setrlimit(RLIMIT_NOFILE, &few), ==, 0);
    munit_assert_int(svc_listener_open(&l, &k, why, sizeof why), ==, SVC_OK);
    munit_assert_int(sscanf(text, "only %zu connections at a time: the process may open %llu files", &accepted, &files), ==, 2);
    munit_assert_true(files == limits[i]);
    munit_assert_size(accepted, >, before_that);
    munit_assert_size(accepted, <, limits[i]);
    before_that = accepted;
    svc_listener_close(l);
  }
  setrlimit(RLIMIT_NOFILE, &before);
}

/* A reload without a buffer for the reason. */
TEST(listener_faults, reload)
{
  faults_world w;
  char why[256];
  faults_files(&w);
  munit_assert_int(faults_open(&w, NULL, 0), ==, SVC_OK);
  munit_assert_int(svc_listener_reload(w.l, NULL, 0), ==, SVC_OK);
  munit_assert_int(svc_listener_reload(w.l, why, 0), ==, SVC_OK);
  munit_assert_int(unlink(w.cert), ==, 0);
  munit_assert_int(svc_listener_reload(w.l, NULL, 0), ==, SVC_IO);
  munit_assert_int(svc_listener_reload(w.l, why, 0), ==, SVC_IO);
  munit_assert_int(svc_listener_reload(w.l, why, sizeof why), ==, SVC_IO);
  munit_assert_not_null(strstr(why, w.cert));
  svc_listener_close(w.l);
  faults_remove(&w);
}

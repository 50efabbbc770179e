/*
** https: valid and invalid behavior of clients on an https port, and the required result. The client uses mbedTLS, too, on a
** separate socket. To stop in the middle of a handshake, the test sends the first part of the bytes of a regular client.
**
** Every test has a listener in its own process, with a handler instead of a service, and certificates in a folder of its own.
** No client waits longer than WAIT_MS for an answer.
*/
#define _GNU_SOURCE /* memmem, mallinfo2 */
#include "listener/common.h"
#include "ports/listener.h"
#include "test.h"

#include <mbedtls/aes.h>
#include <mbedtls/gcm.h>
#include <mbedtls/psa_util.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>
#ifdef SVC_WITH_OPENSSL
#include <openssl/err.h>
#endif

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
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
#define BIG ((size_t)4 << 20)
#define GET "GET /seen HTTP/1.1\r\nHost: a\r\n\r\n"
#define IDLE_BYTES (40 * 1024) /* maximum of heap bytes per idle connection */
#define HALVES 500

/* ------------------------------------------------------------------------------------------------------- the server */

typedef struct server {
  svc_listener *l;
  int port, plain_port;
  char folder[64], cert[96], key[96];
  atomic_size_t count, secure; /* requests; requests over TLS */
  atomic_ulong sum;            /* of the last body */
} server;

static char *server_big; /* the long answer, made once per process and never changed */

static int server_handle(void *context, svc *s, const svc_request *r, svc_response *response)
{
  server *t = context;
  bool big = r->target_length == 4 && memcmp(r->target, "/big", 4) == 0;
  (void)s;
#ifdef SVC_WITH_OPENSSL
  ERR_raise(ERR_LIB_USER, 1); /* errors that a service leaves in OpenSSL must not count as errors of a connection */
#endif
  atomic_fetch_add(&t->count, 1);
  if (r->tls) atomic_fetch_add(&t->secure, 1);
  atomic_store(&t->sum, sum_of(r->body, r->body_length));
  response->status = 200;
  response->body = big ? server_big : r->body_length ? "body" : "seen";
  response->body_length = big ? BIG : 4;
  return SVC_OK;
}

static void make_cert(const char *cert, const char *key, int days)
{
  static const char *const names[] = { "localhost", "127.0.0.1", "::1" };
  char why[256];
  if (svc_listener_cert_make(cert, key, names, 3, days, why, sizeof why) != SVC_OK) munit_errorf("no certificate: %s", why);
}

static void server_files(server *t)
{
  memset(t, 0, sizeof *t);
  strcpy(t->folder, "/tmp/tls_test_XXXXXX");
  munit_assert_not_null(mkdtemp(t->folder));
  snprintf(t->cert, sizeof t->cert, "%s/tls.crt", t->folder);
  snprintf(t->key, sizeof t->key, "%s/tls.key", t->folder);
  make_cert(t->cert, t->key, 10);
}

static void server_open(server *t, const svc_listener_config *changes)
{
  static const char *const urls[] = { "https://127.0.0.1:0", "http://127.0.0.1:0" };
  svc_listener_config k;
  char why[256];
  size_t i;
  if (!t->folder[0]) server_files(t);
  memset(&k, 0, sizeof k);
  server_big = malloc(BIG);
  munit_assert_not_null(server_big);
  for (i = 0; i < BIG; i++) server_big[i] = (char)('a' + i * 7 % 26 + i / 100000 % 2);
  if (changes) k = *changes;
  k.urls = urls;
  k.url_count = 2;
  k.handle = server_handle;
  k.handle_context = t;
  k.cert_file = t->cert;
  k.key_file = t->key;
  if (svc_listener_open(&t->l, &k, why, sizeof why) != SVC_OK) munit_errorf("svc_listener_open: %s", why);
  munit_assert_int(svc_listener_start(t->l, NULL), ==, SVC_OK);
  munit_assert_memory_equal(8, svc_listener_url(t->l, 0), "https://");
  t->port = atoi(strrchr(svc_listener_url(t->l, 0), ':') + 1);
  t->plain_port = atoi(strrchr(svc_listener_url(t->l, 1), ':') + 1);
}

static void server_remove(server *t)
{
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", t->folder);
  munit_assert_int(system(command), ==, 0);
}

static uint64_t server_connections(const server *t)
{
  svc_listener_statistics stats;
  svc_listener_stats(t->l, &stats);
  return stats.connections;
}

static void server_close(server *t)
{
  t_clock_goes(); /* closing waits by this clock for requests in progress */
  svc_listener_close(t->l);
  free(server_big);
  server_remove(t);
}

/* ------------------------------------------------------------------------------------------------------- the client */

typedef struct client {
  int fd;
  mbedtls_ssl_context ssl;
  mbedtls_ssl_config conf;
  mbedtls_x509_crt ca;
  size_t piece; /* maximum bytes per segment; 0: unlimited */
  bool corks;   /* everything after the server's first message is one segment */
  char *in;     /* received, not parsed yet */
  size_t n, size;
  char head[2048];
  char *body;
  size_t body_length;
  int ended; /* the last result of mbedtls_ssl_read() */
  bool renegotiates;
} client;

static int client_connect(int port, int receive)
{
  struct sockaddr_in a;
  struct timeval wait = { WAIT_MS / 1000, 0 };
  int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  memset(&a, 0, sizeof a);
  a.sin_family = AF_INET;
  a.sin_port = htons((uint16_t)port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  munit_assert_int(fd, >=, 0);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  if (receive) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive, sizeof receive);
  if (connect(fd, (struct sockaddr *)&a, sizeof a) != 0) munit_errorf("connect: %s", strerror(errno));
  return fd;
}

static int client_transmit(void *context, const unsigned char *p, size_t n)
{
  client *c = context;
  ssize_t sent;
  if (c->piece && n > c->piece) n = c->piece;
  if (c->piece) usleep(200);
  sent = send(c->fd, p, n, MSG_NOSIGNAL);
  return sent < 0 ? MBEDTLS_ERR_SSL_CONN_EOF : (int)sent;
}

static int client_receive(void *context, unsigned char *p, size_t n)
{
  client *c = context;
  ssize_t got = recv(c->fd, p, n, 0);
  if (c->corks) setsockopt(c->fd, IPPROTO_TCP, TCP_CORK, &(int){ 1 }, sizeof(int));
  return got < 0 ? MBEDTLS_ERR_SSL_CONN_EOF : (int)got; /* also on a timeout */
}

static void client_prepare(client *c, int fd, const char *ca, mbedtls_ssl_protocol_version version)
{
  static const char *const protocols[] = { "http/1.1", NULL };
  memset(c, 0, sizeof *c);
  c->fd = fd;
  munit_assert_int(psa_crypto_init(), ==, PSA_SUCCESS);
  mbedtls_ssl_init(&c->ssl);
  mbedtls_ssl_config_init(&c->conf);
  mbedtls_x509_crt_init(&c->ca);
  munit_assert_int(mbedtls_ssl_config_defaults(&c->conf, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT),
                   ==, 0);
  mbedtls_ssl_conf_rng(&c->conf, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  mbedtls_ssl_conf_min_tls_version(&c->conf, version);
  mbedtls_ssl_conf_max_tls_version(&c->conf, version);
  munit_assert_int(mbedtls_ssl_conf_alpn_protocols(&c->conf, (const char **)(uintptr_t)protocols), ==, 0);
  if (ca) {
    munit_assert_int(mbedtls_x509_crt_parse_file(&c->ca, ca), ==, 0);
    mbedtls_ssl_conf_ca_chain(&c->conf, &c->ca, NULL);
  } else {
    mbedtls_ssl_conf_authmode(&c->conf, MBEDTLS_SSL_VERIFY_NONE);
  }
  mbedtls_ssl_conf_renegotiation(&c->conf, MBEDTLS_SSL_RENEGOTIATION_ENABLED);
  munit_assert_int(mbedtls_ssl_setup(&c->ssl, &c->conf), ==, 0);
  munit_assert_int(mbedtls_ssl_set_hostname(&c->ssl, "localhost"), ==, 0);
  mbedtls_ssl_set_bio(&c->ssl, c, client_transmit, client_receive, NULL);
}

static void client_close(client *c)
{
  if (c->fd >= 0) close(c->fd);
  mbedtls_ssl_free(&c->ssl);
  mbedtls_ssl_config_free(&c->conf);
  mbedtls_x509_crt_free(&c->ca);
  free(c->in);
  free(c->body);
}

static void client_open_version(client *c, const server *t, mbedtls_ssl_protocol_version version)
{
  int rc;
  client_prepare(c, client_connect(t->port, 0), t->cert, version);
  rc = mbedtls_ssl_handshake(&c->ssl);
  if (rc != 0) munit_errorf("no handshake: -0x%04x", (unsigned)-rc);
}

static void client_open(client *c, const server *t)
{
  client_open_version(c, t, MBEDTLS_SSL_VERSION_TLS1_3);
}

static bool client_send(client *c, const char *p, size_t n)
{
  while (n > 0) {
    int sent = mbedtls_ssl_write(&c->ssl, (const unsigned char *)p, n);
    if (sent <= 0) return false;
    p += sent;
    n -= (size_t)sent;
  }
  return true;
}

static bool client_text(client *c, const char *text)
{
  return client_send(c, text, strlen(text));
}

/* Reads more bytes into c->in. Returns false at the end; c->ended has the reason. */
static bool client_more(client *c)
{
  int n;
  if (c->size - c->n < 65536) {
    c->size = c->size * 2 + 65536;
    c->in = realloc(c->in, c->size + 1);
    munit_assert_not_null(c->in);
  }
  n = mbedtls_ssl_read(&c->ssl, (unsigned char *)c->in + c->n, c->size - c->n);
  if (n <= 0) c->ended = n;
  if (n <= 0) return false;
  c->n += (size_t)n;
  return true;
}

/* Reads the next answer. Returns its status; 0: no complete answer has arrived. */
static int client_answer(client *c)
{
  char *end, *length;
  size_t head;
  int status = 0;
  while (c->n == 0 || !(end = memmem(c->in, c->n, "\r\n\r\n", 4)))
    if (!client_more(c)) return 0;
  head = (size_t)(end - c->in) + 4;
  munit_assert_size(head, <, sizeof c->head);
  memcpy(c->head, c->in, head);
  c->head[head] = '\0';
  sscanf(c->head, "HTTP/1.1 %3d", &status);
  length = strstr(c->head, "\r\nContent-Length: ");
  c->body_length = length ? strtoul(length + 18, NULL, 10) : 0;
  while (c->n < head + c->body_length)
    if (!client_more(c)) return 0;
  free(c->body);
  c->body = malloc(c->body_length + 1);
  munit_assert_not_null(c->body);
  memcpy(c->body, c->in + head, c->body_length);
  c->body[c->body_length] = '\0';
  c->n -= head + c->body_length;
  memmove(c->in, c->in + head + c->body_length, c->n);
  return status;
}

static int client_get(client *c)
{
  return client_text(c, GET) ? client_answer(c) : 0;
}

/* Sends a request on a new connection, and verifies the certificate. */
static int one_request(const server *t)
{
  client c;
  int status;
  client_open(&c, t);
  status = client_get(&c);
  client_close(&c);
  return status;
}

/* Reads to the end from a socket without TLS. Returns the number of bytes; -1: timeout. */
static ssize_t raw_read(int fd, char *text, size_t size, int ms)
{
  int64_t until = now_ms() + ms;
  size_t n = 0;
  for (;;) {
    struct pollfd p = { fd, POLLIN, 0 };
    int64_t left = until - now_ms();
    ssize_t got;
    if (poll(&p, 1, left > 0 ? (int)left : 0) <= 0) return -1;
    got = recv(fd, text + n, size - n - 1, 0);
    if (got <= 0) break;
    n += (size_t)got;
  }
  text[n] = '\0';
  return (ssize_t)n;
}

/* Writes the first message of a client. Returns its length. */
static size_t first_words(unsigned char *to, size_t size)
{
  client c;
  int pair[2];
  ssize_t n;
  munit_assert_int(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), ==, 0);
  client_prepare(&c, pair[0], NULL, MBEDTLS_SSL_VERSION_TLS1_3);
  shutdown(pair[1], SHUT_WR); /* no server answers */
  munit_assert_int(mbedtls_ssl_handshake(&c.ssl), !=, 0);
  n = recv(pair[1], to, size, 0);
  munit_assert_long((long)n, >, 100);
  close(pair[1]);
  client_close(&c);
  return (size_t)n;
}

/* In an emulator a handshake takes ten times as long, so times cannot be checked. */
static bool is_emulated(void)
{
  return getenv("SVC_TEST_QEMU") != NULL;
}

/* Returns the bytes of heap in use by this process. */
#if defined(__SANITIZE_ADDRESS__)
extern size_t __sanitizer_get_current_allocated_bytes(void);
static size_t heap_bytes(void) { return __sanitizer_get_current_allocated_bytes(); }
#else
static size_t heap_bytes(void)
{
  struct mallinfo2 m = mallinfo2();
  return m.uordblks + m.hblkhd;
}
#endif

static const mbedtls_ssl_protocol_version versions[] = { MBEDTLS_SSL_VERSION_TLS1_2, MBEDTLS_SSL_VERSION_TLS1_3 };

/* --------------------------------------------------------------------------------------------------- right, and slow */

/* Both versions of TLS: several reads and changes on a single connection. The certificate is that of the file. */
TEST(tls, serves)
{
  server t = { 0 };
  client c;
  size_t v, i;
  server_open(&t, NULL);
  for (v = 0; v < 2; v++) {
    client_open_version(&c, &t, versions[v]);
    munit_assert_int(mbedtls_ssl_get_version_number(&c.ssl), ==, versions[v]);
    munit_assert_string_equal(mbedtls_ssl_get_alpn_protocol(&c.ssl), "http/1.1");
    munit_assert_uint32(mbedtls_ssl_get_verify_result(&c.ssl), ==, 0);
    for (i = 0; i < 3; i++) {
      munit_assert_int(client_get(&c), ==, 200);
      munit_assert_string_equal(c.body, "seen");
      munit_assert_true(client_text(&c, "POST /seen HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"));
      munit_assert_int(client_answer(&c), ==, 200);
      munit_assert_string_equal(c.body, "body");
      munit_assert_ulong(atomic_load(&t.sum), ==, sum_of("hello", 5));
    }
    munit_assert_true(client_text(&c, "HEAD /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
    while (client_more(&c)) continue;
    munit_assert_not_null(memmem(c.in, c.n, "Content-Length: 4194304\r\n", 25));
    munit_assert_not_null(memmem(c.in, c.n, "Strict-Transport-Security: max-age=31536000\r\n", 45));
    munit_assert_int(c.ended, ==, MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY); /* an authenticated end of the connection */
    client_close(&c);
  }
  munit_assert_size(atomic_load(&t.count), ==, 14);
  munit_assert_size(atomic_load(&t.secure), ==, 14);
  server_close(&t);
}

/* Many requests in one record, with changes among them: all are answered, in order. Also a request that arrives byte by byte. */
TEST(tls, pipelining)
{
  static char text[65536];
  server t = { 0 };
  client c;
  size_t v, i, n = 0;
  server_open(&t, NULL);
  for (i = 0; i < 200; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, i % 10 == 5 ? "POST /seen HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab" : GET);
  for (v = 0; v < 2; v++) {
    client_open_version(&c, &t, versions[v]);
    munit_assert_true(client_send(&c, text, n));
    for (i = 0; i < 200; i++) {
      munit_assert_int(client_answer(&c), ==, 200);
      munit_assert_string_equal(c.body, i % 10 == 5 ? "body" : "seen");
    }
    client_close(&c);
    client_prepare(&c, client_connect(t.port, 0), t.cert, versions[v]);
    c.piece = 1;
    munit_assert_int(mbedtls_ssl_handshake(&c.ssl), ==, 0);
    munit_assert_int(client_get(&c), ==, 200);
    munit_assert_int(client_get(&c), ==, 200); /* regardless of errors that the first handler left behind */
    client_close(&c);
  }
  server_close(&t);
}

/* A request that arrives together with the end of the handshake is answered. */
TEST(tls, request_with_handshake)
{
  server t = { 0 };
  client c;
  server_open(&t, NULL);
  client_prepare(&c, client_connect(t.port, 0), t.cert, MBEDTLS_SSL_VERSION_TLS1_3);
  c.corks = true;
  munit_assert_int(mbedtls_ssl_handshake(&c.ssl), ==, 0);
  munit_assert_true(client_text(&c, GET));
  c.corks = false;
  munit_assert_int(setsockopt(c.fd, IPPROTO_TCP, TCP_CORK, &(int){ 0 }, sizeof(int)), ==, 0);
  munit_assert_int(client_answer(&c), ==, 200);
  client_close(&c);
  server_close(&t);
}

/* Bodies of many records, with a length, in chunks, and after 100 Continue. */
TEST(tls, large_bodies)
{
  const size_t n = (size_t)1 << 20;
  server t = { 0 };
  client c;
  size_t i;
  server_open(&t, NULL);
  client_open(&c, &t);
  munit_assert_true(client_text(&c, "PUT /seen HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n"));
  munit_assert_true(client_send(&c, server_big, n));
  munit_assert_int(client_answer(&c), ==, 200);
  munit_assert_ulong(atomic_load(&t.sum), ==, sum_of(server_big, n));
  munit_assert_true(client_text(&c, "PUT /seen HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
  for (i = 0; i < n; i += 32768)
    munit_assert_true(client_text(&c, "8000\r\n") && client_send(&c, server_big + i, 32768) && client_text(&c, "\r\n"));
  munit_assert_true(client_text(&c, "0\r\n\r\n"));
  munit_assert_int(client_answer(&c), ==, 200);
  munit_assert_ulong(atomic_load(&t.sum), ==, sum_of(server_big, n));
  munit_assert_true(client_text(&c, "PUT /seen HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"));
  munit_assert_int(client_answer(&c), ==, 100);
  munit_assert_true(client_text(&c, "late"));
  munit_assert_int(client_answer(&c), ==, 200);
  munit_assert_ulong(atomic_load(&t.sum), ==, sum_of("late", 4));
  munit_assert_true(client_text(&c, "PUT /seen HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n"));
  munit_assert_int(client_answer(&c), ==, 413);
  client_close(&c);
  server_close(&t);
}

/* Returns the listener's end of a connection, once it is accepted. */
static int accepted_end(int fd)
{
  await(other_end(fd) >= 0);
  return other_end(fd);
}

/* An answer that is larger than the buffers of socket and client arrives completely. Other clients are served, and no thread spins. */
TEST(tls, slow_reader)
{
  static const char *const requests[] = { "GET /big HTTP/1.1\r\nHost: a\r\n\r\n" GET, "DELETE /big HTTP/1.1\r\nHost: a\r\n\r\n" GET };
  svc_listener_config k = { .idle_timeout_ms = 1000 };
  server t = { 0 };
  client c;
  size_t v, i;
  int small = 4096;
  T_SKIP_SLOW;
  server_open(&t, &k);
  t_clock_settle();
  for (v = 0; v < 2; v++) {
    client_prepare(&c, client_connect(t.port, 16384), t.cert, versions[v]);
    setsockopt(accepted_end(c.fd), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    munit_assert_int(mbedtls_ssl_handshake(&c.ssl), ==, 0);
    munit_assert_true(client_text(&c, requests[v]));
    for (i = 0; i < 4; i++) { /* longer than the timeout in total */
      size_t to = c.n + (BIG >> 4);
      munit_assert_int(one_request(&t), ==, 200);
      if (i == 0) await_rest();
      later(300);
      while (c.n < to) munit_assert_true(client_more(&c));
    }
    munit_assert_int(client_answer(&c), ==, 200);
    munit_assert_size(c.body_length, ==, BIG);
    munit_assert_ulong(sum_of(c.body, BIG), ==, sum_of(server_big, BIG));
    munit_assert_int(client_answer(&c), ==, 200); /* the next request is answered, too */
    munit_assert_string_equal(c.body, "seen");
    client_close(&c);
  }
  server_close(&t);
}

/* A client that reads nothing is closed, and the memory for its answer is limited; the next client is served. */
TEST(tls, never_reads)
{
  svc_listener_config k = { .idle_timeout_ms = 2000, .max_answer_memory = BIG, .max_answer = BIG };
  server t = { 0 };
  client c, d;
  int small = 4096;
  server_open(&t, &k);
  client_prepare(&c, client_connect(t.port, 16384), t.cert, MBEDTLS_SSL_VERSION_TLS1_3);
  setsockopt(accepted_end(c.fd), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  munit_assert_int(mbedtls_ssl_handshake(&c.ssl), ==, 0);
  munit_assert_true(client_text(&c, "GET /big HTTP/1.1\r\nHost: a\r\n\r\n"));
  await(atomic_load(&t.count) == 1);
  t_clock_settle();
  client_open(&d, &t);
  munit_assert_true(client_text(&d, "GET /big HTTP/1.1\r\nHost: a\r\n\r\n"));
  munit_assert_int(client_answer(&d), ==, 503); /* no memory for another answer */
  later(2001);
  client_close(&d);
  client_open(&d, &t);
  munit_assert_true(client_text(&d, "GET /big HTTP/1.1\r\nHost: a\r\n\r\n"));
  munit_assert_int(client_answer(&d), ==, 200); /* the first connection was closed, so there is memory again */
  munit_assert_int(client_answer(&c), ==, 0);
  client_close(&c);
  client_close(&d);
  server_close(&t);
}

/* Writes a file that contains another one several times, like a chain of certificates. */
static void put_copies(const char *path, const char *of, int copies)
{
  char text[8192];
  FILE *from = fopen(of, "r"), *f = fopen(path, "w");
  size_t n;
  munit_assert_true(from && f);
  n = fread(text, 1, sizeof text, from);
  while (copies-- > 0) munit_assert_size(fwrite(text, 1, n, f), ==, n);
  fclose(from);
  fclose(f);
}

/* A long chain of certificates may exceed the socket's buffer: then only this handshake waits. */
TEST(tls, slow_handshake)
{
  server t = { 0 };
  client c;
  char names[16][64], one[128], why[256];
  const char *listed[16];
  size_t v, i;
  int small = 2048;
  server_files(&t);
  for (i = 0; i < 16; i++) {
    snprintf(names[i], sizeof names[i], "%02zu-%0*d.example", i, 48, 0);
    listed[i] = names[i];
  }
  listed[0] = "localhost", listed[1] = "127.0.0.1";
  snprintf(one, sizeof one, "%s/one.crt", t.folder);
  munit_assert_int(svc_listener_cert_make(one, t.key, listed, 16, 10, why, sizeof why), ==, SVC_OK);
  put_copies(t.cert, one, 10); /* 13 KB in all: a handshake message has at most 16 KiB */
  server_open(&t, NULL);
  for (v = 0; v < 2; v++) {
    client_prepare(&c, client_connect(t.port, 2048), NULL, versions[v]);
    setsockopt(accepted_end(c.fd), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    munit_assert_int(mbedtls_ssl_handshake_step(&c.ssl), ==, 0);
    munit_assert_int(mbedtls_ssl_handshake_step(&c.ssl), ==, 0); /* the first messages are exchanged */
    await_rest();
    munit_assert_int(one_request(&t), ==, 200);
    munit_assert_int(mbedtls_ssl_handshake(&c.ssl), ==, 0);
    munit_assert_int(client_get(&c), ==, 200);
    client_close(&c);
  }
  server_close(&t);
}

/* ------------------------------------------------------------------------------------------------------------ wrong */

/* A client that does not speak TLS gets no clear text, none of its requests is served, and the connection ends. */
TEST(tls, plain)
{
  static const char *const rows[] = { GET, "POST /seen HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab", "\r\n\r\n", "x",
                                      "\x16\x03\x01\xFF\xFF garbage", "\x16\x03\x01\x02", "HELO there, how are you today?\r\n" };
  svc_listener_config k = { .header_timeout_ms = 400, .idle_timeout_ms = 400 };
  server t = { 0 };
  char answer[4096];
  size_t i;
  T_SKIP_SLOW;
  server_open(&t, &k);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int fd = client_connect(t.port, 0);
    munit_assert_long((long)send(fd, rows[i], strlen(rows[i]), MSG_NOSIGNAL), ==, (long)strlen(rows[i]));
    later(401);
    munit_assert_long((long)raw_read(fd, answer, sizeof answer, WAIT_MS), >=, 0);
    munit_assert_null(strstr(answer, "HTTP"));
    close(fd);
  }
  munit_assert_size(atomic_load(&t.count), ==, 0);
  munit_assert_int(one_request(&t), ==, 200);
  munit_assert_size(atomic_load(&t.secure), ==, 1);
  server_close(&t);
}

/* A silent connection ends after idle_timeout_ms, half a handshake header_timeout_ms after its first byte; both without clear text. */
TEST(tls, half_handshake)
{
  svc_listener_config k = { .header_timeout_ms = 500, .idle_timeout_ms = 3000 };
  server t = { 0 };
  unsigned char words[1024];
  char answer[8192];
  size_t n;
  int silent, half, more;
  T_SKIP_SLOW;
  server_open(&t, &k);
  n = first_words(words, sizeof words);
  t_clock_settle();
  silent = client_connect(t.port, 0);
  half = client_connect(t.port, 0);
  more = client_connect(t.port, 0);
  munit_assert_long((long)send(half, words, n / 2, MSG_NOSIGNAL), ==, (long)(n / 2));
  munit_assert_long((long)send(more, words, n, MSG_NOSIGNAL), ==, (long)n); /* the listener answers, and this client stays silent */
  munit_assert_int(one_request(&t), ==, 200);
  later(498);
  munit_assert_long((long)raw_read(half, answer, sizeof answer, 0), ==, -1);
  later(3);
  munit_assert_long((long)raw_read(half, answer, sizeof answer, WAIT_MS), ==, 0);
  munit_assert_long((long)raw_read(more, answer, sizeof answer, WAIT_MS), >, 300); /* the certificate */
  later(2497);
  munit_assert_long((long)raw_read(silent, answer, sizeof answer, 0), ==, -1);
  later(3);
  munit_assert_long((long)raw_read(silent, answer, sizeof answer, WAIT_MS), ==, 0);
  close(silent), close(half), close(more);
  munit_assert_size(atomic_load(&t.count), ==, 1);
  server_close(&t);
}

/* 500 clients stop in the middle of a handshake: other clients are served as before, and after the timeout no memory is in use. */
TEST(tls, many_halves)
{
  svc_listener_config k = { .header_timeout_ms = 6000, .max_connections = 600, .max_per_address = 600 };
  server t = { 0 };
  unsigned char words[1024];
  static char answer[8192];
  static int fds[HALVES];
  client c;
  size_t n, before, full = 0;
  int i;
  T_SKIP_SLOW;
  SKIP_IF(is_emulated());
  allow_files(2 * HALVES + 200);
  server_open(&t, &k);
  t_clock_settle();
  n = first_words(words, sizeof words);
  client_open(&c, &t);
  munit_assert_int(client_get(&c), ==, 200);
  before = heap_bytes();
  for (i = 0; i < HALVES; i++) {
    fds[i] = client_connect(t.port, 0);
    munit_assert_long((long)send(fds[i], words, i % 2 ? n : n / 2, MSG_NOSIGNAL), >, 0);
    if (i % 10 == 0) munit_assert_int(client_get(&c), ==, 200); /* the clock stands still, so nothing has timed out */
  }
  munit_assert_int(one_request(&t), ==, 200);
  later(6001);
  for (i = 0; i < HALVES; i++) {
    munit_assert_long((long)raw_read(fds[i], answer, sizeof answer, WAIT_MS), >=, 0);
    full += answer[0] == 0x16;
    munit_assert_null(strstr(answer, "HTTP"));
    close(fds[i]);
  }
  munit_assert_size(full, ==, HALVES / 2);
  munit_assert_int(client_get(&c), ==, 200);
  await(heap_bytes() < before + 200000); /* at most 400 bytes each: nothing is left in use */
  munit_assert_size(atomic_load(&t.count), >, 50);
  client_close(&c);
  server_close(&t);
}

/* Renegotiation is refused: there is no second handshake, and other clients are served. */
TEST(tls, renegotiation)
{
  server t = { 0 };
  client c;
  int i, rc;
  server_open(&t, NULL);
  client_open_version(&c, &t, MBEDTLS_SSL_VERSION_TLS1_2);
  munit_assert_int(client_get(&c), ==, 200);
  rc = mbedtls_ssl_renegotiate(&c.ssl);
  munit_assert_int(rc, !=, 0);
  for (i = 0; i < 3; i++) munit_assert_int(one_request(&t), ==, 200);
  client_close(&c);
  server_close(&t);
}

/* Invalid records after a valid handshake: the connection ends; the request before was answered. */
TEST(tls, broken_records)
{
  server t = { 0 };
  client c;
  char junk[64];
  size_t v;
  server_open(&t, NULL);
  for (v = 0; v < 2; v++) {
    client_open_version(&c, &t, versions[v]);
    munit_assert_int(client_get(&c), ==, 200);
    memset(junk, 'j', sizeof junk);
    memcpy(junk, "\x17\x03\x03\x00\x3B", 5); /* a data record of this length that cannot be decrypted */
    munit_assert_long((long)send(c.fd, junk, sizeof junk, MSG_NOSIGNAL), ==, (long)sizeof junk);
    munit_assert_false(client_more(&c));
    client_close(&c);
    client_open_version(&c, &t, versions[v]);
    munit_assert_true(client_text(&c, "GET /seen HTTP/1.1\r\nHo"));
    munit_assert_int(mbedtls_ssl_close_notify(&c.ssl), ==, 0); /* only half a request */
    munit_assert_false(client_more(&c));
    client_close(&c);
  }
  munit_assert_int(one_request(&t), ==, 200);
  munit_assert_size(atomic_load(&t.count), ==, 3);
  server_close(&t);
}

/* ----------------------------------------------------------------------------------------------------- certificates */

static void put_file(const char *path, const char *text)
{
  FILE *f = fopen(path, "w");
  munit_assert_not_null(f);
  fputs(text, f);
  fclose(f);
}

static void open_fails(const char *cert, const char *key, int code, const char *expected)
{
  static const char *const url = "https://127.0.0.1:0";
  svc_listener_config k = { .urls = &url, .url_count = 1, .cert_file = cert, .key_file = key };
  svc_listener *l;
  char why[256];
  munit_assert_int(svc_listener_open(&l, &k, why, sizeof why), ==, code);
  munit_assert_null(l);
  munit_assert_null(strchr(why, '\n'));
  if (!strstr(why, expected)) munit_errorf("%s, %s: %s", cert ? cert : "NULL", key ? key : "NULL", why);
  munit_assert_int(svc_listener_open(&l, &k, NULL, 0), ==, code);
}

/* svc_listener_open() says what is wrong with a certificate or key. */
TEST(tls, bad_files)
{
  static const char *const sealed = "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,"
                                    "00112233445566778899AABBCCDDEEFF\n\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
                                    "-----END EC PRIVATE KEY-----\n";
  server t = { 0 };
  char cert[128], key[128], old[128], text[128];
  svc_listener_cert about;
  struct stat st;
  server_files(&t);
  snprintf(cert, sizeof cert, "%s/other.crt", t.folder);
  snprintf(key, sizeof key, "%s/other.key", t.folder);
  snprintf(old, sizeof old, "%s/old.crt", t.folder);
  snprintf(text, sizeof text, "%s/text", t.folder);
  make_cert(cert, key, 10);
  make_cert(old, t.key, -1); /* expired yesterday, with the right key */
  put_file(text, "not a certificate\n");
  open_fails(NULL, NULL, SVC_INVALID, "https needs a certificate and its key");
  open_fails(t.cert, NULL, SVC_INVALID, "https needs a certificate and its key");
  open_fails(t.cert, key, SVC_INVALID, "it does not fit");
  open_fails(cert, t.key, SVC_INVALID, "it does not fit");
  open_fails(old, t.key, SVC_INVALID, "has expired on 20");
  open_fails(text, t.key, SVC_INVALID, "not a certificate in PEM");
  open_fails(t.cert, text, SVC_INVALID, "not a key in PEM");
  open_fails(t.key, t.cert, SVC_INVALID, "not a certificate in PEM");
  open_fails("/nowhere/a", t.key, SVC_IO, "/nowhere/a");
  open_fails(t.cert, "/nowhere/b", SVC_IO, "/nowhere/b");
  put_copies(text, t.cert, 10);
  munit_assert_int(svc_listener_cert_read(text, t.key, &about, NULL, 0), ==, SVC_OK);
  put_copies(text, t.cert, 11);
  open_fails(text, t.key, SVC_INVALID, "a chain of 11 certificates, of which clients verify 10 at the most");
  open_fails(t.folder, t.key, SVC_IO, t.folder);
  open_fails("/dev/zero", t.key, SVC_INVALID, "/dev/zero");
  put_file(text, sealed);
  open_fails(t.cert, text, SVC_INVALID, "encrypted");
  munit_assert_int(stat(t.key, &st), ==, 0);
  munit_assert_int(st.st_mode & 0777, ==, 0600);
  munit_assert_int(svc_listener_cert_read(old, t.key, &about, NULL, 0), ==, SVC_OK);
  munit_assert_int64(about.until, <, (int64_t)time(NULL) * 1000);
  munit_assert_int(about.self_signed, ==, 1);
  munit_assert_size(strlen(about.sha256), ==, 95);
  server_remove(&t);
}

typedef struct load {
  const server *t;
  atomic_bool *over;
  bool reconnect; /* a new connection for each request */
  long good, bad;
} load;

static void *load_run(void *argument)
{
  load *l = argument;
  client c;
  bool open = false;
  while (!atomic_load(l->over)) {
    if (!open) {
      client_prepare(&c, client_connect(l->t->port, 0), NULL, versions[l->good % 2]);
      if (mbedtls_ssl_handshake(&c.ssl) != 0) l->bad++;
      open = true;
    }
    if (client_get(&c) == 200) l->good++;
    else l->bad++;
    if (l->reconnect) client_close(&c);
    open = !l->reconnect;
  }
  if (open) client_close(&c);
  return NULL;
}

/* Reloads the certificate under load, with two loops: no request is lost. Open connections stay. New connections get the new certificate.
** An invalid certificate changes nothing. */
TEST(tls, reload)
{
  svc_listener_config k = { .threads = 2 };
  server t = { 0 };
  client c, d;
  atomic_bool over = false;
  load loads[4];
  pthread_t threads[4];
  char why[256], bad[160];
  const mbedtls_x509_crt *cert;
  unsigned char first[64];
  size_t i, n, n_seen;
  server_open(&t, &k);
  client_open(&c, &t);
  munit_assert_int(client_get(&c), ==, 200);
  cert = mbedtls_ssl_get_peer_cert(&c.ssl);
  n = cert->serial.len;
  munit_assert_size(n, <=, sizeof first);
  memcpy(first, cert->serial.p, n);
  for (i = 0; i < 4; i++) {
    loads[i] = (load){ &t, &over, i % 2 != 0, 0, 0 };
    munit_assert_int(pthread_create(&threads[i], NULL, load_run, &loads[i]), ==, 0);
  }
  for (i = 0; i < 30; i++) {
    char new_cert[128];
    snprintf(new_cert, sizeof new_cert, "%s/new.crt", t.folder);
    make_cert(new_cert, t.key, 10 + (int)i);
    munit_assert_int(rename(new_cert, t.cert), ==, 0);
    n_seen = atomic_load(&t.count);
    if (svc_listener_reload(t.l, why, sizeof why) != SVC_OK) munit_errorf("reload: %s", why);
    await(atomic_load(&t.count) >= n_seen + 4); /* with the new certificate */
  }
  snprintf(bad, sizeof bad, "%s/kept.crt", t.folder);
  munit_assert_int(rename(t.cert, bad), ==, 0);
  munit_assert_int(svc_listener_reload(t.l, why, sizeof why), ==, SVC_IO);
  make_cert(t.cert, t.key, -1);
  munit_assert_int(svc_listener_reload(t.l, why, sizeof why), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "has expired"));
  munit_assert_int(rename(bad, t.cert), ==, 0); /* the served certificate, for clients that verify it */
  client_open(&d, &t);
  cert = mbedtls_ssl_get_peer_cert(&d.ssl);
  munit_assert_false(cert->serial.len == n && memcmp(cert->serial.p, first, n) == 0);
  munit_assert_int(client_get(&d), ==, 200);
  munit_assert_int(client_get(&c), ==, 200); /* the old connection still works */
  atomic_store(&over, true);
  for (i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    munit_assert_long(loads[i].bad, ==, 0);
    munit_assert_long(loads[i].good, >, 5);
  }
  client_close(&c);
  client_close(&d);
  server_close(&t);
  munit_assert_int(svc_listener_reload(NULL, why, sizeof why), ==, SVC_INVALID);
}

/* ---------------------------------------------------------------------------------------------------------- tickets */

/* Called for each certificate that a client gets. A client with a valid ticket gets no certificate. */
static int ticket_seen(void *context, mbedtls_x509_crt *cert, int depth, uint32_t *flags)
{
  (void)cert, (void)depth, (void)flags;
  ++*(int *)context;
  return 0;
}

/* Connects with the ticket in `session`, unless that is empty, and stores the next ticket there. Returns the number of certificates that
** the client got. */
static int ticket_used(const server *t, mbedtls_ssl_protocol_version version, mbedtls_ssl_session *session, bool empty)
{
  client c;
  int seen = 0;
  client_prepare(&c, client_connect(t->port, 0), t->cert, version);
  mbedtls_ssl_conf_verify(&c.conf, ticket_seen, &seen);
  mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(&c.conf, MBEDTLS_SSL_TLS1_3_SIGNAL_NEW_SESSION_TICKETS_ENABLED);
  if (!empty) munit_assert_int(mbedtls_ssl_set_session(&c.ssl, session), ==, 0);
  munit_assert_int(mbedtls_ssl_handshake(&c.ssl), ==, 0);
  munit_assert_true(client_text(&c, GET));
  if (version == MBEDTLS_SSL_VERSION_TLS1_3) {
    do munit_assert_false(client_more(&c)); /* the ticket follows the handshake */
    while (c.ended == MBEDTLS_ERR_SSL_WANT_READ);
    munit_assert_int(c.ended, ==, MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET);
  }
  mbedtls_ssl_session_free(session);
  mbedtls_ssl_session_init(session);
  munit_assert_int(mbedtls_ssl_get_session(&c.ssl, session), ==, 0);
  munit_assert_int(client_answer(&c), ==, 200);
  client_close(&c);
  return seen;
}

/* A ticket can be used on a new connection, which issues a new ticket, until the certificate is reloaded. A damaged ticket is ignored. */
TEST(tls, tickets)
{
  svc_listener_config k = { .threads = 2 };
  mbedtls_ssl_session session;
  server t = { 0 };
  char why[256];
  size_t v;
  server_open(&t, &k);
  for (v = 0; v < sizeof versions / sizeof versions[0]; v++) {
    mbedtls_ssl_session_init(&session);
    munit_assert_int(ticket_used(&t, versions[v], &session, true), ==, 1);
    munit_assert_int(ticket_used(&t, versions[v], &session, false), ==, 0);
    munit_assert_int(ticket_used(&t, versions[v], &session, false), ==, 0);
    session.MBEDTLS_PRIVATE(ticket)[session.MBEDTLS_PRIVATE(ticket_len) / 2] ^= 1;
    munit_assert_int(ticket_used(&t, versions[v], &session, false), ==, 1);
    munit_assert_int(ticket_used(&t, versions[v], &session, false), ==, 0);
    if (svc_listener_reload(t.l, why, sizeof why) != SVC_OK) munit_errorf("reload: %s", why);
    munit_assert_int(ticket_used(&t, versions[v], &session, false), ==, 1);
    munit_assert_int(ticket_used(&t, versions[v], &session, false), ==, 0);
    mbedtls_ssl_session_free(&session);
  }
  server_close(&t);
}

#ifdef SVC_WITH_OPENSSL
#define OWN_TICKET_KEYS true
#else
#define OWN_TICKET_KEYS false /* mbedTLS rotates the keys by the system clock, which tests cannot move */
#endif

/* A ticket key issues tickets for an hour, accepts them for another hour, and is then deleted. */
TEST(tls, ticket_keys)
{
  mbedtls_ssl_session session;
  server t = { 0 };
  SKIP_IF(!OWN_TICKET_KEYS);
  mbedtls_ssl_session_init(&session);
  server_open(&t, NULL);
  t_clock_move(0);
  munit_assert_int(ticket_used(&t, MBEDTLS_SSL_VERSION_TLS1_3, &session, true), ==, 1);
  t_clock_move(61 * 60 * 1000);
  munit_assert_int(ticket_used(&t, MBEDTLS_SSL_VERSION_TLS1_3, &session, false), ==, 0);
  t_clock_move(59 * 60 * 1000); /* the first key would have expired by now */
  munit_assert_int(ticket_used(&t, MBEDTLS_SSL_VERSION_TLS1_3, &session, false), ==, 0);
  t_clock_move(121 * 60 * 1000);
  munit_assert_int(ticket_used(&t, MBEDTLS_SSL_VERSION_TLS1_3, &session, false), ==, 1);
  mbedtls_ssl_session_free(&session);
  server_close(&t);
}

/* ----------------------------------------------------------------------------------------------------------- places */

/* The limit of connections with TLS: an idle connection gives way, after a close notification. If no connection is idle, a new connection
** is closed without clear text. */
TEST(tls, places)
{
  svc_listener_config k = { .max_connections = 4, .max_per_address = 100 };
  server t = { 0 };
  client c[5];
  int fds[5], i;
  char answer[4096];
  server_open(&t, &k);
  for (i = 0; i < 5; i++) {
    client_open(&c[i], &t);
    munit_assert_int(client_get(&c[i]), ==, 200);
    later(5); /* deadlines have a resolution of a millisecond */
  }
  munit_assert_false(client_more(&c[0]));
  munit_assert_int(c[0].ended, ==, MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY);
  munit_assert_int(client_get(&c[4]), ==, 200);
  for (i = 0; i < 5; i++) client_close(&c[i]);
  await(server_connections(&t) == 0);
  for (i = 0; i < 4; i++) fds[i] = client_connect(t.port, 0); /* silent connections give way, too */
  await(server_connections(&t) == 4);
  munit_assert_int(one_request(&t), ==, 200);
  for (i = 0; i < 4; i++) close(fds[i]);
  await(server_connections(&t) == 0);
  for (i = 0; i < 4; i++) { /* busy: half a request each */
    client_open(&c[i], &t);
    munit_assert_true(client_text(&c[i], "GET /seen HTTP/1.1\r\n"));
    await(has_read(c[i].fd));
  }
  fds[4] = client_connect(t.port, 0);
  munit_assert_long((long)raw_read(fds[4], answer, sizeof answer, WAIT_MS), ==, 0);
  close(fds[4]);
  for (i = 0; i < 4; i++) {
    munit_assert_true(client_text(&c[i], "Host: a\r\n\r\n"));
    munit_assert_int(client_answer(&c[i]), ==, 200);
    client_close(&c[i]);
  }
  server_close(&t);
}

#define IDLE_COUNT 60

/* Runs in a separate process, so that its memory is not counted: opens IDLE_COUNT connections, sends a request on each, reports, and waits
** until the other end of `in` is closed. */
static void idle_clients(int in, int out, const char *cert)
{
  static client c[IDLE_COUNT];
  server t = { 0 };
  int i;
  if (read(in, &t.port, sizeof t.port) != (ssize_t)sizeof t.port) _exit(1);
  snprintf(t.cert, sizeof t.cert, "%s", cert);
  for (i = 0; i < IDLE_COUNT; i++) {
    client_open_version(&c[i], &t, versions[i % 2]);
    if (client_get(&c[i]) != 200) _exit(1);
  }
  if (write(out, "+", 1) != 1) _exit(1);
  (void)!read(in, &t.port, 1); /* blocks until the other end is closed */
  _exit(0);
}

/* An idle connection needs little memory, however much its handshake needed. */
TEST(tls, idle_memory)
{
  svc_listener_config k = { .max_connections = 600, .max_per_address = 600 };
  server t = { 0 };
  int in[2], out[2], status;
  size_t before, each;
  pid_t pid;
  char mark;
  T_SKIP_SLOW;
  server_files(&t);
  munit_assert_int(pipe(in) | pipe(out), ==, 0);
  pid = fork();
  if (pid == 0) {
    close(in[1]);
    idle_clients(in[0], out[1], t.cert);
  }
  munit_assert_int(pid, >, 0);
  close(in[0]);
  server_open(&t, &k);
  munit_assert_int(one_request(&t), ==, 200); /* one-time allocations are done */
  before = heap_bytes();
  munit_assert_int((int)write(in[1], &t.port, sizeof t.port), ==, (int)sizeof t.port);
  munit_assert_int((int)read(out[0], &mark, 1), ==, 1);
  await((each = (heap_bytes() - before) / IDLE_COUNT) < IDLE_BYTES); /* the memory of the last handshakes is freed */
  munit_logf(MUNIT_LOG_INFO, "%zu bytes of an idle connection", each);
  munit_assert_size(each, >, 1000); /* the measurement works */
  close(in[1]);
  munit_assert_int(waitpid(pid, &status, 0), ==, pid);
  munit_assert_int(status, ==, 0);
  server_close(&t);
}

/* Idle connections get a close notification when they time out and when the listener stops. Requests in progress are answered first. */
TEST(tls, stop)
{
  svc_listener_config k = { .idle_timeout_ms = 600 };
  server t = { 0 };
  client c, d;
  server_open(&t, &k);
  client_open(&c, &t);
  munit_assert_int(client_get(&c), ==, 200);
  later(601);
  munit_assert_false(client_more(&c));
  munit_assert_int(c.ended, ==, MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY);
  client_close(&c);
  server_close(&t);
  memset(&t, 0, sizeof t);
  server_open(&t, NULL); /* with the default timeout: two handshakes may take more than 600 ms on a busy machine */
  client_open(&c, &t);
  client_open(&d, &t);
  munit_assert_int(client_get(&c), ==, 200);
  munit_assert_true(client_text(&d, GET));
  svc_listener_stop(t.l);
  munit_assert_false(client_more(&c));
  munit_assert_int(c.ended, ==, MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY);
  munit_assert_int(client_answer(&d), ==, 200);
  client_close(&c);
  client_close(&d);
  server_close(&t);
}

/* The console is available over https, too, and precedes the host's handler. */
TEST(tls, explorer)
{
  server t = { 0 };
  client c;
  size_t v;
  server_open(&t, NULL);
  for (v = 0; v < 2; v++) {
    client_open_version(&c, &t, versions[v]);
    munit_assert_true(client_text(&c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    munit_assert_int(client_answer(&c), ==, 200);
    munit_assert_not_null(strstr(c.head, "Content-Security-Policy: default-src 'none'; "));
    munit_assert_memory_equal(15, c.body, "<!doctype html>");
    munit_assert_true(client_text(&c, "GET /_explorer/main.js HTTP/1.1\r\nHost: a\r\n\r\n"));
    munit_assert_int(client_answer(&c), ==, 200);
    munit_assert_not_null(strstr(c.head, "Content-Type: text/javascript; charset=utf-8\r\n"));
    munit_assert_int(client_get(&c), ==, 200);
    client_close(&c);
  }
  munit_assert_size(atomic_load(&t.count), ==, 2);
  server_close(&t);
}

/* mbedTLS is compiled with special options (mbedtls_cpu in deps.sh): its self tests pass with them, on this processor. */
TEST(tls, ciphers)
{
#if defined(MBEDTLS_SELF_TEST)
  munit_assert_int(mbedtls_aes_self_test(0), ==, 0);
  munit_assert_int(mbedtls_gcm_self_test(0), ==, 0);
  return;
#else
  SKIP_IF(true); /* deps/mbedtls was built without self tests */
#endif
}

/*
** An HTTP/1.1 client: see http_client.h. TLS comes from mbedTLS, which svcd is linked with anyway.
**
** The rules: one deadline holds for a whole request, connecting included (only the resolution of a name has the system's own). Answers are untrusted. At most HTTP_ANSWER bytes are read, and anything but valid HTTP is an error.
*/
#define _GNU_SOURCE /* memmem, strcasestr */
#include "http_client.h"

#include <mbedtls/net_sockets.h> /* error codes */
#include <mbedtls/psa_util.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define HTTP_SYSTEM "/etc/ssl/certs/ca-certificates.crt"

typedef struct http_wire {
  int fd;        /* -1: not connected */
  int64_t until; /* the deadline, by http_now() */
  mbedtls_ssl_context ssl;
  mbedtls_ssl_config config;
  mbedtls_x509_crt authority;
  int https;
} http_wire;

int http_target_parse(const char *url, http_target *out)
{
  const char *at = url, *end;
  size_t n;
  memset(out, 0, sizeof *out);
  out->https = strncasecmp(url, "https://", 8) == 0;
  if (!out->https && strncasecmp(url, "http://", 7) != 0) return -1;
  at += out->https ? 8 : 7;
  if (*at == '[') {
    end = strchr(++at, ']');
    n = end ? (size_t)(end - at) : 0;
    end = end ? end + 1 : at;
  } else {
    n = strcspn(at, ":/?#");
    end = at + n;
  }
  if (n == 0 || n >= sizeof out->host || strpbrk(url, " \t\r\n@?#")) return -1;
  memcpy(out->host, at, n);
  snprintf(out->port, sizeof out->port, "%s", out->https ? "443" : "80");
  if (*end == ':') {
    n = strspn(++end, "0123456789");
    if (n == 0 || n > 5) return -1;
    snprintf(out->port, sizeof out->port, "%.*s", (int)n, end);
    end += n;
  }
  n = strlen(end);
  while (n && end[n - 1] == '/') n--;
  if (n >= sizeof out->path || (*end && *end != '/')) return -1;
  memcpy(out->path, end, n);
  return 0;
}

/* ---------------------------------------------------------------------------------------------------------------- the wire */

static int http_wrong(char *why, size_t size, const http_target *t, const char *what)
{
  snprintf(why, size, "%s:%s %s", t->host, t->port, what);
  return -1;
}

/* Milliseconds of a clock that never goes back. */
static int64_t http_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits until the socket can be used. Returns 0 at the deadline. */
static int http_wait(const http_wire *w, short events)
{
  struct pollfd p = { w->fd, events, 0 };
  int64_t left;
  int rc;
  do {
    left = w->until - http_now();
    rc = left > 0 ? poll(&p, 1, (int)left) : 0;
  } while (rc < 0 && errno == EINTR);
  return rc > 0;
}

/* Receives and sends for TLS, and without. Returns bytes, or an error of mbedTLS. */
static int http_receives(void *wire, unsigned char *p, size_t n)
{
  const http_wire *w = wire;
  ssize_t got;
  do {
    if (!http_wait(w, POLLIN)) return MBEDTLS_ERR_SSL_TIMEOUT;
    got = recv(w->fd, p, n, 0);
  } while (got < 0 && (errno == EAGAIN || errno == EINTR));
  return got < 0 ? MBEDTLS_ERR_NET_RECV_FAILED : (int)got;
}

static int http_sends(void *wire, const unsigned char *p, size_t n)
{
  const http_wire *w = wire;
  ssize_t sent;
  do {
    if (!http_wait(w, POLLOUT)) return MBEDTLS_ERR_SSL_TIMEOUT;
    sent = send(w->fd, p, n, MSG_NOSIGNAL);
  } while (sent < 0 && (errno == EAGAIN || errno == EINTR));
  return sent < 0 ? MBEDTLS_ERR_NET_SEND_FAILED : (int)sent;
}

/* Connects to one address. Returns 0, or -1. */
static int http_connect_to(http_wire *w, const struct addrinfo *at)
{
  int failed = 0;
  socklen_t n = sizeof failed;
  w->fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
  if (w->fd < 0) return -1;
  if (connect(w->fd, at->ai_addr, at->ai_addrlen) == 0) return 0;
  if (errno == EINPROGRESS && http_wait(w, POLLOUT) && getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &failed, &n) == 0 && !failed) return 0;
  close(w->fd);
  w->fd = -1;
  return -1;
}

static int http_connect(http_wire *w, const http_target *t)
{
  const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_protocol = IPPROTO_TCP };
  struct addrinfo *all = NULL, *at;
  int rc = -1;
  if (getaddrinfo(t->host, t->port, &hints, &all) != 0) return -1;
  for (at = all; at && rc != 0; at = at->ai_next) rc = http_connect_to(w, at);
  freeaddrinfo(all);
  return rc;
}

static void http_end(http_wire *w)
{
  if (w->https) mbedtls_ssl_close_notify(&w->ssl);
  if (w->fd >= 0) close(w->fd);
  if (!w->https) return;
  mbedtls_ssl_free(&w->ssl);
  mbedtls_ssl_config_free(&w->config);
  mbedtls_x509_crt_free(&w->authority);
}

static int http_secure(http_wire *w, const http_target *t, const char *ca, char *why, size_t size)
{
  int rc;
  mbedtls_ssl_init(&w->ssl);
  mbedtls_ssl_config_init(&w->config);
  mbedtls_x509_crt_init(&w->authority);
  w->https = 1;
  if (psa_crypto_init() != PSA_SUCCESS) return http_wrong(why, size, t, "cannot be asked: the system returned no random bytes");
  if (mbedtls_x509_crt_parse_file(&w->authority, ca ? ca : HTTP_SYSTEM) < 0) {
    snprintf(why, size, "cannot read certificates of %s", ca ? ca : HTTP_SYSTEM);
    return -1;
  }
  if (mbedtls_ssl_config_defaults(&w->config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT) != 0)
    return http_wrong(why, size, t, "cannot be asked: no memory");
  mbedtls_ssl_conf_ca_chain(&w->config, &w->authority, NULL);
  mbedtls_ssl_conf_authmode(&w->config, MBEDTLS_SSL_VERIFY_REQUIRED);
  mbedtls_ssl_conf_rng(&w->config, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  if (mbedtls_ssl_setup(&w->ssl, &w->config) != 0 || mbedtls_ssl_set_hostname(&w->ssl, t->host) != 0)
    return http_wrong(why, size, t, "cannot be asked: no memory");
  mbedtls_ssl_set_bio(&w->ssl, w, http_sends, http_receives, NULL);
  rc = mbedtls_ssl_handshake(&w->ssl);
  if (rc == 0) return 0;
  if (rc == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED)
    return http_wrong(why, size, t, "has a certificate that cannot be verified: --cacert FILE names the authority's");
  return http_wrong(why, size, t, "does not finish the TLS handshake");
}

static int http_begin(http_wire *w, const http_target *t, const char *ca, int seconds, char *why, size_t size)
{
  memset(w, 0, sizeof *w);
  w->fd = -1;
  w->until = http_now() + seconds * INT64_C(1000);
  if (http_connect(w, t) != 0) return http_wrong(why, size, t, http_now() < w->until ? "cannot be reached" : "cannot be reached in time");
  return t->https ? http_secure(w, t, ca, why, size) : 0;
}

static int http_put(http_wire *w, const char *p, size_t n)
{
  while (n) {
    int rc = w->https ? mbedtls_ssl_write(&w->ssl, (const unsigned char *)p, n) : http_sends(w, (const unsigned char *)p, n);
    if (rc == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET) continue;
    if (rc <= 0) return -1;
    p += rc;
    n -= (size_t)rc;
  }
  return 0;
}

static int http_get(http_wire *w, char *p, size_t n)
{
  int rc;
  do rc = w->https ? mbedtls_ssl_read(&w->ssl, (unsigned char *)p, n) : http_receives(w, (unsigned char *)p, n);
  while (w->https && rc == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET);
  return rc == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY ? 0 : rc;
}

/* -------------------------------------------------------------------------------------------------------------- the answer */

/* Receives bytes until the server closes the connection, as the request asks it to. Returns 0, or -1. */
static int http_receive(http_wire *w, http_answer *a, size_t *length)
{
  size_t room = 65536, n = 0;
  char *more;
  int got = 0;
  a->memory = malloc(room + 1);
  while (a->memory && (got = http_get(w, a->memory + n, room - n)) > 0) {
    n += (size_t)got;
    if (n < room) continue;
    more = room < HTTP_ANSWER ? realloc(a->memory, room * 2 + 1) : NULL;
    if (!more) return -1;
    a->memory = more;
    room *= 2;
  }
  if (!a->memory || (got < 0 && n == 0)) return -1;
  a->memory[n] = '\0';
  *length = n;
  return 0;
}

/* Joins the chunks of a body in place. Returns 0, or -1 if they are malformed or incomplete. */
static int http_unchunk(http_answer *a)
{
  char *from = a->body, *to = a->body, *end = a->body + a->body_length, *behind;
  for (;;) {
    unsigned long n = strtoul(from, &behind, 16);
    char *line = memmem(from, (size_t)(end - from), "\r\n", 2);
    if (behind == from || !line || n > (size_t)(end - line) - 2) return -1;
    if (n == 0) break;
    memmove(to, line + 2, n);
    to += n;
    from = line + 2 + n;
    if (end - from < 2 || memcmp(from, "\r\n", 2) != 0) return -1;
    from += 2;
  }
  *to = '\0';
  a->body_length = (size_t)(to - a->body);
  return 0;
}

void http_header(const http_answer *a, const char *name, char *out, size_t size)
{
  const char *line = a->head;
  const size_t n = strlen(name);
  out[0] = '\0';
  while (line && *line) {
    if (strncasecmp(line, name, n) == 0 && line[n] == ':') {
      line += n + 1;
      line += strspn(line, " \t");
      snprintf(out, size, "%.*s", (int)strcspn(line, "\r\n"), line);
      return;
    }
    line = strchr(line, '\n');
    if (line) line++;
  }
}

/* Parses an answer of n bytes. bodiless: the answer to HEAD, which has the Content-Length of a body but no body. Returns 0, or -1. */
static int http_read(http_answer *a, size_t n, int bodiless)
{
  char *end = memmem(a->memory, n, "\r\n\r\n", 4), *line, text[32];
  size_t length;
  if (!end || sscanf(a->memory, "HTTP/1.%*1d %3d", &a->status) != 1) return -1;
  *end = '\0';
  line = strstr(a->memory, "\r\n");
  a->head = line ? line + 2 : end;
  a->body = end + 4;
  a->body_length = n - (size_t)(a->body - a->memory);
  http_header(a, "Transfer-Encoding", text, sizeof text);
  if (strcasecmp(text, "chunked") == 0) return http_unchunk(a);
  http_header(a, "Content-Length", text, sizeof text);
  if (!text[0] || bodiless) return 0;
  length = strtoul(text, NULL, 10);
  if (length > a->body_length) return -1; /* the body is incomplete */
  a->body_length = length;
  a->body[length] = '\0';
  return 0;
}

void http_answer_free(http_answer *a)
{
  free(a->memory);
  memset(a, 0, sizeof *a);
}

int http_send(const http_target *t, const char *ca, int seconds, const char *method, const char *path, const char *headers,
              const char *body, size_t body_length, http_answer *out, char *why, size_t size)
{
  http_wire w;
  char *head = NULL;
  const int six = strchr(t->host, ':') != NULL;
  size_t n;
  int rc, length;
  memset(out, 0, sizeof *out);
  rc = http_begin(&w, t, ca, seconds, why, size);
  if (rc == 0) {
    length = asprintf(&head, "%s %s%s HTTP/1.1\r\nHost: %s%s%s:%s\r\nConnection: close\r\nContent-Length: %zu\r\n%s\r\n", method, t->path,
                      path, six ? "[" : "", t->host, six ? "]" : "", t->port, body_length, headers);
    if (length < 0) head = NULL;
    if (!head || http_put(&w, head, (size_t)length) != 0 || (body_length && http_put(&w, body, body_length) != 0))
      rc = http_wrong(why, size, t, "does not take the request");
    else if (http_receive(&w, out, &n) != 0 || (n && http_read(out, n, strcmp(method, "HEAD") == 0) != 0) || !n)
      rc = http_wrong(why, size, t, "sends no answer, or one that is no HTTP");
  }
  if (head) explicit_bzero(head, strlen(head)); /* the head contains a token */
  free(head);
  http_end(&w);
  if (rc != 0) http_answer_free(out);
  return rc;
}

/*
** A blocking HTTPS client. The client trusts the self-signed certificate that svcd created.
*/
#define _GNU_SOURCE /* http_text.h */
#include "soak.h"

#include <mbedtls/psa_util.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define HTTPS_SECONDS 30 /* timeout for an answer, and for svcd to be back */
#define HTTPS_USES 500   /* requests before the client opens a new connection */
#define HTTPS_IDLE 20000 /* milliseconds: svcd closes at 60 000 */

static mbedtls_ssl_config https_settings;
static mbedtls_x509_crt https_authority;

void https_begin(const char *authority)
{
  mbedtls_ssl_config_init(&https_settings);
  mbedtls_x509_crt_init(&https_authority);
  if (psa_crypto_init() != PSA_SUCCESS || mbedtls_x509_crt_parse_file(&https_authority, authority) != 0 ||
      mbedtls_ssl_config_defaults(&https_settings, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT) != 0)
    soak_die("no TLS with %s", authority);
  mbedtls_ssl_conf_rng(&https_settings, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  mbedtls_ssl_conf_authmode(&https_settings, MBEDTLS_SSL_VERIFY_REQUIRED);
  mbedtls_ssl_conf_ca_chain(&https_settings, &https_authority, NULL);
}

void https_end(void)
{
  mbedtls_ssl_config_free(&https_settings);
  mbedtls_x509_crt_free(&https_authority);
}

void https_close(https_client *c)
{
  if (c->fd < 0) return;
  close(c->fd);
  mbedtls_ssl_free(&c->tls);
  c->fd = -1;
  c->used = 0;
}

static int https_transmit(void *context, const unsigned char *p, size_t n)
{
  ssize_t sent = send(((const https_client *)context)->fd, p, n, MSG_NOSIGNAL);
  return sent < 0 ? MBEDTLS_ERR_SSL_CONN_EOF : (int)sent;
}

static int https_receive(void *context, unsigned char *p, size_t n)
{
  ssize_t got = recv(((const https_client *)context)->fd, p, n, 0);
  return got <= 0 ? MBEDTLS_ERR_SSL_CONN_EOF : (int)got;
}

static bool https_try(https_client *c)
{
  struct timeval patience = { HTTPS_SECONDS, 0 };
  struct sockaddr_in a = { 0 };
  int on = 1;
  a.sin_family = AF_INET;
  a.sin_port = htons((uint16_t)daemon_port());
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  c->ends = daemon_ends();
  c->used = 0;
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (c->fd < 0) soak_die("no socket");
  mbedtls_ssl_init(&c->tls);
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(c->fd, (struct sockaddr *)&a, sizeof a) == 0) {
    if (mbedtls_ssl_setup(&c->tls, &https_settings) != 0 || mbedtls_ssl_set_hostname(&c->tls, "localhost") != 0) soak_die("no TLS");
    mbedtls_ssl_set_bio(&c->tls, c, https_transmit, https_receive, NULL);
    if (mbedtls_ssl_handshake(&c->tls) == 0) return true;
    if (mbedtls_ssl_get_verify_result(&c->tls) != 0 && mbedtls_ssl_get_peer_cert(&c->tls)) soak_die("the certificate is not svcd's own");
  }
  https_close(c);
  return false;
}

/* Connects; svcd may be restarting. */
static void https_connect(https_client *c)
{
  int64_t until = soak_ms() + HTTPS_SECONDS * 1000;
  if (c->fd >= 0 && (c->used >= HTTPS_USES || c->ends != daemon_ends() || soak_ms() - c->last > HTTPS_IDLE)) https_close(c);
  while (c->fd < 0 && !https_try(c)) {
    if (soak_ms() > until) soak_die("svcd cannot be reached for %d s", HTTPS_SECONDS);
    soak_pause(10);
  }
  c->used++;
}

static bool https_send(https_client *c, const char *text, size_t n)
{
  while (n) {
    int sent = mbedtls_ssl_write(&c->tls, (const unsigned char *)text, n);
    if (sent <= 0) return false;
    text += sent;
    n -= (size_t)sent;
  }
  return true;
}

static void https_read(https_client *c, https_answer *a)
{
  size_t have = 0;
  do {
    int got = mbedtls_ssl_read(&c->tls, (unsigned char *)a->text + have, sizeof a->text - 1 - have);
    if (got == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET || got == MBEDTLS_ERR_SSL_WANT_READ) continue;
    if (got <= 0) return;
    have += (size_t)got;
    a->text[have] = 0;
    if (have == sizeof a->text - 1) soak_die("an answer is too long");
  } while (!http_whole(a->text, have, &a->body));
  a->status = http_head(a->text, a->body, a->tag, sizeof a->tag);
  if (!a->status) soak_die("no answer of HTTP: %.80s", a->text);
  if (strcasestr(a->text, "\r\nConnection: close\r\n")) https_close(c);
}

void https_ask(https_client *c, const char *method, const char *path, const char *headers, const char *body, https_answer *out)
{
  char text[8192];
  size_t n = http_write(text, sizeof text, method, path, headers, body);
  out->status = 0;
  out->tag[0] = out->text[0] = 0;
  out->body = out->text;
  if (!n) soak_die("a request is too long");
  https_connect(c);
  if (https_send(c, text, n)) https_read(c, out);
  c->last = soak_ms();
  if (out->status) return;
  out->body = out->text; /* after an incomplete answer */
  if (c->ends == daemon_ends() && c->ends % 2 == 0) soak_die("%s %s: the connection is lost, and nobody has ended svcd", method, path);
  https_close(c);
}

long https_number(const char *json, const char *name)
{
  char label[64];
  const char *at;
  snprintf(label, sizeof label, "\"%s\":", name);
  at = strstr(json, label);
  return at ? strtol(at + strlen(label), NULL, 10) : -1;
}

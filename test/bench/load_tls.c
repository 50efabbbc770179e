/*
** TLS of the clients, with the same library as the server: OpenSSL if the benchmark is built with it, otherwise mbedTLS. With a
** slower client the benchmark would measure the client. The client offers the cipher suite that curl and Node prefer, and
** verifies no certificate.
*/
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#ifdef SVC_WITH_OPENSSL

#include <fcntl.h>
#include <openssl/ssl.h>

void *bench_tls_open(void)
{
  SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
  if (!ctx || SSL_CTX_set_ciphersuites(ctx, "TLS_AES_256_GCM_SHA384") != 1) bench_die("no TLS");
  SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION);
  SSL_CTX_set_read_ahead(ctx, 1); /* otherwise each record takes two system calls */
  return ctx;
}

void bench_tls_close(void *shared) { SSL_CTX_free(shared); }

void *bench_tls_shake(void *shared, int fd)
{
  SSL *ssl = SSL_new(shared);
  if (!ssl || SSL_set_fd(ssl, fd) != 1 || SSL_connect(ssl) != 1) bench_die("no handshake");
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return ssl;
}

void bench_tls_end(void *session) { SSL_free(session); }

bool bench_tls_send(void *session, const char *p, size_t n) { return SSL_write(session, p, (int)n) == (int)n; }

int bench_tls_read(void *session, char *to, int n)
{
  int got = SSL_read(session, to, n);
  if (got > 0) return got;
  if (SSL_get_error(session, got) != SSL_ERROR_WANT_READ) bench_die("a server has closed a connection");
  return 0;
}

#else

#include <mbedtls/psa_util.h>
#include <mbedtls/ssl.h>
#include <psa/crypto.h>

#define TLS_BUFFER ((size_t)64 << 10)

typedef struct tls_shared {
  mbedtls_ssl_config settings;
  unsigned char raw[TLS_BUFFER]; /* bytes received for the current connection, not decrypted yet */
  size_t at, length;
} tls_shared;

typedef struct tls_session {
  mbedtls_ssl_context ssl;
  tls_shared *shared;
  int fd;
} tls_session;

static int tls_transmit(void *context, const unsigned char *p, size_t n)
{
  const tls_session *t = context;
  ssize_t sent = send(t->fd, p, n, MSG_NOSIGNAL);
  return sent < 0 ? MBEDTLS_ERR_SSL_CONN_EOF : (int)sent;
}

/* Receives all available bytes at once, because mbedTLS reads five bytes first and then the rest. */
static int tls_receive(void *context, unsigned char *p, size_t n)
{
  const tls_session *t = context;
  tls_shared *k = t->shared;
  if (k->at == k->length) {
    ssize_t got = recv(t->fd, k->raw, TLS_BUFFER, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return MBEDTLS_ERR_SSL_WANT_READ;
    if (got <= 0) return MBEDTLS_ERR_SSL_CONN_EOF;
    k->at = 0;
    k->length = (size_t)got;
  }
  if (n > k->length - k->at) n = k->length - k->at;
  memcpy(p, k->raw + k->at, n);
  k->at += n;
  return (int)n;
}

void *bench_tls_open(void)
{
  static const int suites[] = { MBEDTLS_TLS1_3_AES_256_GCM_SHA384, 0 }; /* mbedTLS would prefer ChaCha20 */
  tls_shared *k = calloc(1, sizeof *k);
  if (!k) bench_die("no memory");
  mbedtls_ssl_config_init(&k->settings);
  if (psa_crypto_init() != PSA_SUCCESS ||
      mbedtls_ssl_config_defaults(&k->settings, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT) != 0)
    bench_die("no TLS");
  mbedtls_ssl_conf_rng(&k->settings, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  mbedtls_ssl_conf_authmode(&k->settings, MBEDTLS_SSL_VERIFY_NONE);
  mbedtls_ssl_conf_ciphersuites(&k->settings, suites);
  return k;
}

void bench_tls_close(void *shared)
{
  mbedtls_ssl_config_free(&((tls_shared *)shared)->settings);
  free(shared);
}

void *bench_tls_shake(void *shared, int fd)
{
  tls_session *t = calloc(1, sizeof *t);
  int rc;
  if (!t) bench_die("no memory");
  t->shared = shared;
  t->fd = fd;
  mbedtls_ssl_init(&t->ssl);
  if (mbedtls_ssl_setup(&t->ssl, &t->shared->settings) != 0 || mbedtls_ssl_set_hostname(&t->ssl, NULL) != 0) bench_die("no TLS");
  mbedtls_ssl_set_bio(&t->ssl, t, tls_transmit, tls_receive, NULL);
  do rc = mbedtls_ssl_handshake(&t->ssl);
  while (rc == MBEDTLS_ERR_SSL_WANT_READ);
  if (rc != 0) bench_die("no handshake");
  return t;
}

void bench_tls_end(void *session)
{
  mbedtls_ssl_free(&((tls_session *)session)->ssl);
  free(session);
}

bool bench_tls_send(void *session, const char *p, size_t n)
{
  return mbedtls_ssl_write(&((tls_session *)session)->ssl, (const unsigned char *)p, n) == (int)n;
}

int bench_tls_read(void *session, char *to, int n)
{
  int got = mbedtls_ssl_read(&((tls_session *)session)->ssl, (unsigned char *)to, (size_t)n);
  if (got > 0) return got;
  if (got != MBEDTLS_ERR_SSL_WANT_READ) bench_die("a server has closed a connection");
  return 0;
}

#endif

/*
** TLS of connections to Redis, by mbedTLS, which the library needs anyway: rediss://.
**
** The rules: the server's certificate must lead to an authority of the CA file and name the requested host; otherwise nothing is sent, not
** even the password. Sockets do not block: a call that has to wait sets the event to wait for (redis_conn.wants), as without TLS.
*/
#ifndef SVC_REDIS_TLS_H
#define SVC_REDIS_TLS_H

#include "limits.h"

#if !defined(SVC_REDIS_NO_TLS) && defined(__has_include)
#if __has_include(<mbedtls/build_info.h>) /* mbedTLS 3; programs that link with libsvcapi.so may lack it */
#include <mbedtls/build_info.h>
#endif
#endif

#if defined(MBEDTLS_SSL_CLI_C) && defined(MBEDTLS_X509_CRT_PARSE_C) && defined(MBEDTLS_FS_IO) && defined(MBEDTLS_PSA_CRYPTO_C)

#include <mbedtls/pk.h>
#include <mbedtls/psa_util.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>

struct redis_trust {
  mbedtls_ssl_config settings;
  mbedtls_x509_crt authorities, own;
  mbedtls_pk_context key;
};

struct redis_tls {
  mbedtls_ssl_context ssl;
  int fd;
};

static void redis_trust_close(svc_limits *l)
{
  redis_trust *k = l->trust;
  if (!k) return;
  mbedtls_ssl_config_free(&k->settings);
  mbedtls_x509_crt_free(&k->authorities);
  mbedtls_x509_crt_free(&k->own);
  mbedtls_pk_free(&k->key);
  free(k);
  l->trust = NULL;
}

/* Loads the system's authorities, for a URI without ca. */
static bool redis_system_authorities(mbedtls_x509_crt *to)
{
  static const char *const files[] = { "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem" };
  const char *named = getenv("SSL_CERT_FILE");
  size_t i;
  if (named) return mbedtls_x509_crt_parse_file(to, named) >= 0;
  for (i = 0; i < sizeof files / sizeof files[0]; i++)
    if (mbedtls_x509_crt_parse_file(to, files[i]) >= 0) return true; /* more than 0: certificates that mbedTLS could not parse */
  return false;
}

static const char *redis_trust_files(svc_limits *l, redis_trust *k)
{
  if (l->ca[0] && mbedtls_x509_crt_parse_file(&k->authorities, l->ca) != 0) return "ca is not a file of certificates (PEM), or cannot be read";
  if (!l->ca[0] && !redis_system_authorities(&k->authorities)) return "this system has no file of authorities: name one, ?ca=FILE";
  if (!l->cert[0] != !l->key[0]) return "cert and key go together";
  if (l->cert[0] && mbedtls_x509_crt_parse_file(&k->own, l->cert) != 0) return "cert is not a file of certificates (PEM), or cannot be read";
  if (l->cert[0] && mbedtls_pk_parse_keyfile(&k->key, l->key, NULL, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE) != 0)
    return "key is not a file with a private key (PEM, not encrypted), or cannot be read";
  return NULL;
}

/* Prepares the TLS settings of all connections. Returns an error text, or NULL. */
static const char *redis_trust_open(svc_limits *l)
{
  redis_trust *k = calloc(1, sizeof *k); /* from calloc, like mbedTLS's own data in it */
  const char *wrong;
  if (!k) return "no memory";
  l->trust = k;
  mbedtls_ssl_config_init(&k->settings);
  mbedtls_x509_crt_init(&k->authorities);
  mbedtls_x509_crt_init(&k->own);
  mbedtls_pk_init(&k->key);
  if (psa_crypto_init() != PSA_SUCCESS) return "mbedTLS cannot begin";
  wrong = redis_trust_files(l, k);
  if (wrong) return wrong;
  if (mbedtls_ssl_config_defaults(&k->settings, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT) != 0) return "no memory";
  if (l->cert[0] && mbedtls_ssl_conf_own_cert(&k->settings, &k->own, &k->key) != 0) return "no memory";
  mbedtls_ssl_conf_authmode(&k->settings, MBEDTLS_SSL_VERIFY_REQUIRED);
  mbedtls_ssl_conf_ca_chain(&k->settings, &k->authorities, NULL);
  mbedtls_ssl_conf_rng(&k->settings, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  mbedtls_ssl_conf_min_tls_version(&k->settings, MBEDTLS_SSL_VERSION_TLS1_2);
  return NULL;
}

/* ---------------------------------------------------------------------------------------------------------- connections */

static int redis_tls_out(void *context, const unsigned char *p, size_t n)
{
  const redis_tls *k = context;
  ssize_t sent = send(k->fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return (int)sent;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_WRITE : MBEDTLS_ERR_SSL_CONN_EOF;
}

static int redis_tls_in(void *context, unsigned char *p, size_t n)
{
  const redis_tls *k = context;
  ssize_t got = recv(k->fd, p, n, MSG_DONTWAIT);
  if (got >= 0) return (int)got;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_READ : MBEDTLS_ERR_SSL_CONN_EOF;
}

/* Converts a result of mbedTLS to that of a socket: number of bytes; 0: the end; -1 with errno. With EAGAIN, k->wants has the event. */
static ssize_t redis_tls_result(redis_conn *k, int rc)
{
  if (rc >= 0) return rc;
  if (rc == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY || rc == MBEDTLS_ERR_SSL_CONN_EOF) return 0;
  errno = rc == MBEDTLS_ERR_SSL_WANT_READ || rc == MBEDTLS_ERR_SSL_WANT_WRITE || rc == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET ? EAGAIN : EPROTO;
  k->wants = rc == MBEDTLS_ERR_SSL_WANT_WRITE ? POLLOUT : POLLIN;
  return -1;
}

static ssize_t redis_tls_write(redis_conn *k, const char *p, size_t n)
{
  return redis_tls_result(k, mbedtls_ssl_write(&k->tls->ssl, (const unsigned char *)p, n));
}

static ssize_t redis_tls_read(redis_conn *k, char *p, size_t n)
{
  int rc;
  do rc = mbedtls_ssl_read(&k->tls->ssl, (unsigned char *)p, n);
  while (rc == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET);
  return redis_tls_result(k, rc);
}

/* Whether TLS has received bytes that are unread; poll() does not know of them. */
static bool redis_tls_pending(const redis_conn *k)
{
  return k->tls && mbedtls_ssl_check_pending(&k->tls->ssl);
}

static void redis_tls_end(redis_conn *k)
{
  if (!k->tls) return;
  mbedtls_ssl_free(&k->tls->ssl);
  free(k->tls);
  k->tls = NULL;
}

static bool redis_tls_begin(const svc_limits *l, redis_conn *k, const char *host)
{
  k->tls = calloc(1, sizeof *k->tls);
  if (!k->tls) return false;
  mbedtls_ssl_init(&k->tls->ssl);
  k->tls->fd = k->context->fd;
  mbedtls_ssl_set_bio(&k->tls->ssl, k->tls, redis_tls_out, redis_tls_in, NULL);
  return mbedtls_ssl_setup(&k->tls->ssl, &l->trust->settings) == 0 &&
         mbedtls_ssl_set_hostname(&k->tls->ssl, l->tls_name[0] ? l->tls_name : host) == 0;
}

/* Does a step of the handshake. Returns 1: done; 0: the server has closed the connection; -1 with errno as redis_tls_result(). */
static int redis_tls_shake(redis_conn *k)
{
  int rc = mbedtls_ssl_handshake(&k->tls->ssl);
  return rc == 0 ? 1 : (int)redis_tls_result(k, rc);
}

/* Writes the reason of a failed handshake. Returns true if the reason is the server's certificate. */
static bool redis_tls_why(const redis_conn *k, char *why, size_t size)
{
  static const struct {
    uint32_t flag;
    const char *text;
  } reasons[] = {
    { MBEDTLS_X509_BADCERT_CN_MISMATCH, "its certificate is for another name than was asked for" },
    { MBEDTLS_X509_BADCERT_EXPIRED, "its certificate has expired" },
    { MBEDTLS_X509_BADCERT_FUTURE, "its certificate is not valid yet" },
    { MBEDTLS_X509_BADCERT_NOT_TRUSTED, "its certificate leads to no authority of the CA file" },
  };
  uint32_t flags = mbedtls_ssl_get_verify_result(&k->tls->ssl);
  size_t i;
  if (flags == UINT32_MAX) flags = 0; /* the handshake failed before the certificate */
  for (i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
    if (flags & reasons[i].flag) return snprintf(why, size, "%s", reasons[i].text) > 0;
  if (flags) snprintf(why, size, "its certificate is not accepted (mbedTLS 0x%x)", (unsigned)flags);
  else snprintf(why, size, "the TLS handshake fails: is TLS spoken there?");
  return flags != 0;
}

#else /* no mbedTLS, or one without a TLS client: redis_trust_open() refuses it before anything else is called */

struct redis_tls { int fd; };

static void redis_trust_close(svc_limits *l) { (void)l; }
static const char *redis_trust_open(svc_limits *l) { return (void)l, "there is no TLS in this build: ports/redis.h says what it needs"; }
static ssize_t redis_tls_write(redis_conn *k, const char *p, size_t n) { return (void)k, (void)p, (void)n, -1; }
static ssize_t redis_tls_read(redis_conn *k, char *p, size_t n) { return (void)k, (void)p, (void)n, -1; }
static bool redis_tls_pending(const redis_conn *k) { return (void)k, false; }
static void redis_tls_end(redis_conn *k) { (void)k; }
static bool redis_tls_begin(const svc_limits *l, redis_conn *k, const char *host) { return (void)l, (void)k, (void)host, false; }
static int redis_tls_shake(redis_conn *k) { return (void)k, 0; }
static bool redis_tls_why(const redis_conn *k, char *why, size_t size) { return (void)k, (void)why, (void)size, false; }

#endif

#endif /* SVC_REDIS_TLS_H */

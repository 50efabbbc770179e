/*
** TLS of a connection, by mbedTLS on the bytes that mongoose has read and a socket that is written to here. mongoose's own TLS is
** not used: it parses certificate and key for every connection, serves in clear where that fails, and goes on reading from a
** connection that is paused while a part of a record is left.
**
**      socket -> mongoose's buffer -> mbedTLS, by records -> conn->plain -> connection.c, which sees no difference
**      send.c -> mbedTLS, a record at a time -> socket
**
** What is the same for all connections is there once: certificate, key and settings, an identity. Each connection holds the one
** that it has begun with, so that one that is read anew (svc_listener_reload) is everybody's who comes after, and nobody who is
** there notices.
**
** The rules it keeps. (1) Nothing of such a connection is read or said in clear: the parser is given conn->plain alone, and what
** is said before the handshake is done is not said (svc_listener_refuse). (2) A handshake is a step for each flight that has come:
** no loop waits in one. (3) A record that the socket did not take is offered again with the same bytes, as mbedTLS demands: what
** the next record holds depends on nothing but what is left of the answer. (4) There is no session to be resumed and nothing to
** be renegotiated: the server remembers nothing of a client that is gone.
*/
#include "tls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#if LISTENER_HAS_TLS

#include <mbedtls/psa_util.h>
#include <mbedtls/ssl.h>
#include <mbedtls/ssl_ciphersuites.h>

#define TLS_RECORD ((size_t)16 << 10)
#define TLS_TURN ((size_t)256 << 10) /* so much is encrypted for one connection before others have their turn */
#define TLS_DAY_MS ((int64_t)86400000)

struct listener_identity {
  atomic_size_t users; /* the listener, and connections */
  listener_pair pair;
  mbedtls_ssl_config settings;
};

struct listener_tls {
  mbedtls_ssl_context ssl;
  listener_identity *identity;
  bool more; /* another record follows at once: the socket need not wake the client for this one */
};

/* --------------------------------------------------------------------------------------------------------- identity */

/* With forward secrecy, and authenticated; AES before ChaCha20, as most machines have instructions for it. */
static const int tls_suites[] = {
  MBEDTLS_TLS1_3_AES_128_GCM_SHA256,
  MBEDTLS_TLS1_3_AES_256_GCM_SHA384,
  MBEDTLS_TLS1_3_CHACHA20_POLY1305_SHA256,
  MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
  MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
  MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
  MBEDTLS_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
  MBEDTLS_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
  MBEDTLS_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
  0,
};

static const uint16_t tls_groups[] = {
  MBEDTLS_SSL_IANA_TLS_GROUP_X25519,
  MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1,
  MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1,
  MBEDTLS_SSL_IANA_TLS_GROUP_NONE,
};

static const char *const tls_protocols[] = { "http/1.1", NULL };

static void tls_identity_free(listener_identity *id)
{
  if (!id || atomic_fetch_sub(&id->users, 1) != 1) return;
  mbedtls_ssl_config_free(&id->settings);
  svc_listener_pair_free(&id->pair);
  free(id);
}

/* Who is given a certificate that has expired refuses the connection: better the person who starts it hears of that. */
static int tls_check_dates(const svc_listener *l, const listener_identity *id, char *why, size_t size)
{
  const int64_t now = (int64_t)time(NULL) * 1000, until = svc_listener_pair_ms(&id->pair.chain.valid_to);
  const mbedtls_x509_time *t = &id->pair.chain.valid_to;
  if (until < now)
    return svc_listener_why(why, size, SVC_INVALID, "%s: the certificate has expired on %04d-%02d-%02d", l->cert_file, t->year, t->mon,
                            t->day);
  if (svc_listener_pair_ms(&id->pair.chain.valid_from) > now + TLS_DAY_MS) /* or this machine has no clock */
    svc_listener_log(l, SVC_LOG_WARNING, "%s: the certificate is not valid yet", l->cert_file);
  return SVC_OK;
}

static int tls_settings(listener_identity *id)
{
  mbedtls_ssl_config *k = &id->settings;
  if (mbedtls_ssl_config_defaults(k, MBEDTLS_SSL_IS_SERVER, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT) != 0 ||
      mbedtls_ssl_conf_own_cert(k, &id->pair.chain, &id->pair.key) != 0 ||
      mbedtls_ssl_conf_alpn_protocols(k, (const char **)(uintptr_t)tls_protocols) != 0)
    return SVC_NOMEM;
  mbedtls_ssl_conf_rng(k, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  mbedtls_ssl_conf_min_tls_version(k, MBEDTLS_SSL_VERSION_TLS1_2);
  mbedtls_ssl_conf_max_tls_version(k, MBEDTLS_SSL_VERSION_TLS1_3);
  mbedtls_ssl_conf_ciphersuites(k, tls_suites);
  mbedtls_ssl_conf_groups(k, tls_groups);
#if defined(MBEDTLS_SSL_RENEGOTIATION)
  mbedtls_ssl_conf_renegotiation(k, MBEDTLS_SSL_RENEGOTIATION_DISABLED);
#endif
  return SVC_OK;
}

/* Read the files, and put what is in them in the place of what there was. */
static int tls_load(svc_listener *l, char *why, size_t size)
{
  listener_identity *id = calloc(1, sizeof *id), *old = id;
  int rc;
  if (!id) return SVC_NOMEM;
  atomic_init(&id->users, 1);
  mbedtls_ssl_config_init(&id->settings);
  rc = svc_listener_pair_read(&id->pair, l->cert_file, l->key_file, why, size);
  if (rc == SVC_OK) rc = tls_check_dates(l, id, why, size);
  if (rc == SVC_OK) rc = tls_settings(id);
  if (rc == SVC_OK) {
    pthread_mutex_lock(&l->identity_lock);
    old = l->identity;
    l->identity = id;
    pthread_mutex_unlock(&l->identity_lock);
  }
  tls_identity_free(old);
  return rc;
}

int svc_listener_tls_open(svc_listener *l, char *why, size_t size)
{
  const svc_listener_config *k = &l->config;
  int rc;
  if (!k->cert_file || !k->key_file)
    return svc_listener_why(why, size, SVC_INVALID, "https needs a certificate and its key (cert_file, key_file)");
  l->cert_file = strdup(k->cert_file);
  l->key_file = strdup(k->key_file);
  if (!l->cert_file || !l->key_file) return SVC_NOMEM;
  rc = svc_listener_crypto(why, size);
  return rc == SVC_OK ? tls_load(l, why, size) : rc;
}

void svc_listener_tls_close(svc_listener *l)
{
  tls_identity_free(l->identity);
  free(l->cert_file);
  free(l->key_file);
}

int svc_listener_reload(svc_listener *l, char *why, size_t why_size)
{
  int rc;
  if (why && why_size) why[0] = '\0';
  if (!l || !l->identity) return svc_listener_why(why, why_size, SVC_INVALID, "no URL is https: there is nothing to read anew");
  rc = tls_load(l, why, why_size);
  if (rc != SVC_OK && why && why_size && !why[0]) svc_listener_why(why, why_size, rc, "%s", svc_strerror(rc));
  return rc;
}

/* ------------------------------------------------------------------------------------------------------- connection */

/* mbedTLS reads from what mongoose has read. */
static int tls_receive(void *context, unsigned char *to, size_t n)
{
  listener_conn *conn = context;
  size_t left;
  const char *from = svc_listener_raw(conn, &left);
  if (left == 0) return MBEDTLS_ERR_SSL_WANT_READ;
  if (n > left) n = left;
  memcpy(to, from, n);
  conn->raw_at += n;
  return (int)n;
}

static int tls_transmit(void *context, const unsigned char *from, size_t n)
{
  const listener_conn *conn = context;
  ssize_t sent;
  do sent = send(conn->fd, from, n, MSG_NOSIGNAL | MSG_DONTWAIT | (conn->tls->more ? MSG_MORE : 0));
  while (sent < 0 && errno == EINTR);
  if (sent >= 0) return (int)sent;
  return errno == EAGAIN || errno == EWOULDBLOCK ? MBEDTLS_ERR_SSL_WANT_WRITE : MBEDTLS_ERR_SSL_CONN_EOF;
}

bool svc_listener_tls_begin(listener_conn *conn)
{
  svc_listener *l = conn->loop->listener;
  listener_tls *t = calloc(1, sizeof *t);
  if (!t) return false;
  conn->tls = t;
  pthread_mutex_lock(&l->identity_lock);
  t->identity = l->identity;
  atomic_fetch_add(&t->identity->users, 1);
  pthread_mutex_unlock(&l->identity_lock);
  mbedtls_ssl_init(&t->ssl);
  mbedtls_ssl_set_bio(&t->ssl, conn, tls_transmit, tls_receive, NULL);
  if (mbedtls_ssl_setup(&t->ssl, &t->identity->settings) == 0) return true;
  svc_listener_tls_end(conn);
  return false;
}

void svc_listener_tls_end(listener_conn *conn)
{
  listener_tls *t = conn->tls;
  if (!t) return;
  mbedtls_ssl_free(&t->ssl);
  tls_identity_free(t->identity);
  free(t);
  conn->tls = NULL;
}

int svc_listener_tls_shake(listener_conn *conn)
{
  int rc = mbedtls_ssl_handshake(&conn->tls->ssl);
  if (rc == 0) conn->shaken = true;
  if (rc == 0) return LISTENER_SHAKEN;
  if (rc == MBEDTLS_ERR_SSL_WANT_READ) return LISTENER_SHAKE_READ;
  if (rc == MBEDTLS_ERR_SSL_WANT_WRITE) return LISTENER_SHAKE_WRITE;
  svc_listener_log(conn->loop->listener, SVC_LOG_INFO, "%s: no TLS with this client: -0x%04x", conn->peer, (unsigned)-rc);
  svc_listener_drop(conn);
  return LISTENER_SHAKE_FAILED;
}

bool svc_listener_tls_read(listener_conn *conn)
{
  char *to = svc_listener_room(conn);
  int n;
  if (!to) {
    svc_listener_drop(conn);
    return false;
  }
  n = mbedtls_ssl_read(&conn->tls->ssl, (unsigned char *)to, conn->plain_size - conn->plain_length);
  if (n > 0) {
    conn->plain_length += (size_t)n;
    return true;
  }
  if (n == MBEDTLS_ERR_SSL_WANT_READ) return false;
  if (n == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY) svc_listener_tls_notify(conn);
  svc_listener_drop(conn); /* its end, a record that is none, or words against a renegotiation that do not fit the socket */
  return false;
}

/* The next record of an answer, of which `at` bytes are done with: in place, or put together in `space`. */
static const char *tls_record(const listener_conn *conn, const char *text, size_t n, size_t at, char *space, size_t *length)
{
  const char *body = conn->response.body + conn->body_at;
  size_t left = conn->body_length - conn->body_at, head;
  if (at >= n) {
    *length = left - (at - n) < TLS_RECORD ? left - (at - n) : TLS_RECORD;
    return body + (at - n);
  }
  head = n - at < TLS_RECORD ? n - at : TLS_RECORD;
  if (left > TLS_RECORD - head) left = TLS_RECORD - head;
  *length = head + left;
  if (left == 0) return text + at;
  memcpy(space, text + at, head);
  memcpy(space + head, body, left);
  return space;
}

size_t svc_listener_tls_send(listener_conn *conn, const char *text, size_t n)
{
  const size_t all = n + conn->body_length - conn->body_at;
  char space[TLS_RECORD];
  size_t done = 0;
  while (done < all && (done < TLS_TURN || conn->bounded)) {
    size_t length;
    const char *record = tls_record(conn, text, n, done, space, &length);
    int sent;
    conn->tls->more = done + length < all && (done + length < TLS_TURN || conn->bounded);
    sent = mbedtls_ssl_write(&conn->tls->ssl, (const unsigned char *)record, length);
    conn->tls->more = false;
    if (record == space) svc_http_wipe(space, length);
    if (sent == MBEDTLS_ERR_SSL_WANT_WRITE) break;
    if (sent <= 0) {
      svc_listener_drop(conn);
      return 0;
    }
    done += (size_t)sent;
  }
  return done;
}

bool svc_listener_tls_say(listener_conn *conn, const char *text, size_t n)
{
  return mbedtls_ssl_write(&conn->tls->ssl, (const unsigned char *)text, n) == (int)n;
}

void svc_listener_tls_notify(listener_conn *conn)
{
  if (conn->shaken) mbedtls_ssl_close_notify(&conn->tls->ssl); /* should it not fit, the client sees an end without */
}

#else

int svc_listener_tls_open(svc_listener *l, char *why, size_t size)
{
  (void)l;
  return svc_listener_why(why, size, SVC_INVALID, LISTENER_NO_TLS);
}

int svc_listener_reload(svc_listener *l, char *why, size_t why_size)
{
  (void)l;
  return svc_listener_why(why, why_size, SVC_INVALID, LISTENER_NO_TLS);
}

/* No connection has TLS, so none of these is ever called. */
void svc_listener_tls_close(svc_listener *l) { (void)l; }
bool svc_listener_tls_begin(listener_conn *conn) { return (void)conn, false; }
void svc_listener_tls_end(listener_conn *conn) { (void)conn; }
int svc_listener_tls_shake(listener_conn *conn) { return (void)conn, LISTENER_SHAKE_FAILED; }
bool svc_listener_tls_read(listener_conn *conn) { return (void)conn, false; }
size_t svc_listener_tls_send(listener_conn *conn, const char *text, size_t n) { return (void)conn, (void)text, (void)n, (size_t)0; }
bool svc_listener_tls_say(listener_conn *conn, const char *text, size_t n) { return (void)conn, (void)text, (void)n, false; }
void svc_listener_tls_notify(listener_conn *conn) { (void)conn; }

#endif

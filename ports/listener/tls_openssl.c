/*
** TLS by OpenSSL 3, for machines that have it: several times faster than mbedTLS. Implements the port in tls.h and keeps its rules.
** Only with -DSVC_WITH_OPENSSL; then it is the listener's default. certificate.c reads and checks certificate and key,
** so that both ports accept the same files and report the same errors; here they arrive as DER.
**
** OpenSSL would keep the same ticket key forever, so the keys are made here. The newest key encrypts tickets, and
** the previous one still decrypts them.
*/
#include "certificate.h"

#if defined(SVC_WITH_OPENSSL) && LISTENER_HAS_TLS

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include <stdlib.h>
#include <string.h>

#define OPENSSL_KEY 8192 /* bytes of a key as DER; RSA with 8192 bits has 4.7 KB */

typedef struct openssl_ticket_key {
  unsigned char name[16], cipher[32], mac[32];
  uint64_t made; /* svc_listener_now() */
} openssl_ticket_key;

typedef struct openssl_shared {
  SSL_CTX *ctx;
  BIO_METHOD *method;
  pthread_mutex_t lock; /* protects the following: */
  openssl_ticket_key keys[2]; /* the newest, and the previous one; made 0: none */
} openssl_shared;

/* ---------------------------------------------------------------------------------------------------------- tickets */

/* The key to encrypt a ticket with (name NULL), or to decrypt the one of this name. False: no such key. */
static bool openssl_ticket_key_of(openssl_shared *k, const unsigned char *name, openssl_ticket_key *out)
{
  const uint64_t now = svc_listener_now() + 1, life = (uint64_t)LISTENER_TICKET_S * 1000;
  bool found = false;
  size_t i;
  pthread_mutex_lock(&k->lock);
  if (!k->keys[0].made || now - k->keys[0].made >= life) {
    openssl_ticket_key next = { .made = now };
    if (RAND_bytes(next.name, sizeof next.name) == 1 && RAND_priv_bytes(next.cipher, sizeof next.cipher) == 1 &&
        RAND_priv_bytes(next.mac, sizeof next.mac) == 1) {
      k->keys[1] = k->keys[0];
      k->keys[0] = next;
    }
    OPENSSL_cleanse(&next, sizeof next);
  }
  for (i = 0; i < 2 && !found; i++)
    if (k->keys[i].made && now - k->keys[i].made < 2 * life && (name ? memcmp(name, k->keys[i].name, sizeof k->keys[i].name) == 0 : i == 0)) {
      *out = k->keys[i];
      found = true;
    }
  pthread_mutex_unlock(&k->lock);
  return found;
}

/* OpenSSL calls this for the keys of a ticket. closes: it encrypts a new ticket. Returns 0: no key, and the handshake is a full one; 1: the
** keys encrypt; 2: the keys decrypt, and the client gets a new ticket; -1: failed. */
static int openssl_ticket(SSL *ssl, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, int closes)
{
  openssl_ticket_key key;
  OSSL_PARAM params[3];
  bool good = true;
  if (!openssl_ticket_key_of(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)), closes ? NULL : name, &key)) return 0;
  if (closes) memcpy(name, key.name, sizeof key.name);
  if (closes) good = RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) == 1;
  params[0] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key.mac, sizeof key.mac);
  params[1] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char[]){ "SHA256" }, 0);
  params[2] = OSSL_PARAM_construct_end();
  good = good && EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, key.cipher, iv, closes) == 1 && EVP_MAC_CTX_set_params(mac, params) == 1;
  OPENSSL_cleanse(&key, sizeof key);
  return !good ? -1 : closes ? 1 : 2;
}

/* --------------------------------------------------------------------------------------------------------- settings */

static int openssl_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_n, const unsigned char *in, unsigned n, void *context)
{
  static const unsigned char ours[] = "\x08http/1.1";
  unsigned char *chosen;
  (void)ssl, (void)context;
  if (SSL_select_next_proto(&chosen, out_n, ours, sizeof ours - 1, in, n) != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

/* Certificate, chain and key. */
static bool openssl_use(SSL_CTX *ctx, const listener_pair *pair)
{
  const mbedtls_x509_crt *c;
  unsigned char der[OPENSSL_KEY];
  const unsigned char *p;
  EVP_PKEY *key = NULL;
  bool good = true;
  int n = mbedtls_pk_write_key_der(&pair->key, der, sizeof der); /* written at the end of the buffer */
  for (c = &pair->chain; c && good; c = c->next) {
    X509 *x = (p = c->raw.p, d2i_X509(NULL, &p, (long)c->raw.len));
    good = x && (c == &pair->chain ? SSL_CTX_use_certificate(ctx, x) : SSL_CTX_add1_chain_cert(ctx, x)) == 1;
    X509_free(x);
  }
  if (n > 0) p = der + sizeof der - n, key = d2i_AutoPrivateKey(NULL, &p, n);
  good = good && key && SSL_CTX_use_PrivateKey(ctx, key) == 1;
  EVP_PKEY_free(key);
  OPENSSL_cleanse(der, sizeof der);
  return good;
}

static bool openssl_settings(openssl_shared *k, const listener_pair *pair)
{
  static const char suites[] = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
  static const char older[] = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
                              "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
  SSL_CTX *ctx = k->ctx;
  SSL_CTX_set_app_data(ctx, k);
  SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_COMPRESSION | SSL_OP_CLEANSE_PLAINTEXT);
  SSL_CTX_set_mode(ctx, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER); /* and not SSL_MODE_RELEASE_BUFFERS, which would wipe the
                                                                 buffers at each read: openssl_rest() gives them back */
  SSL_CTX_set_read_ahead(ctx, 1); /* the bytes are in memory already: one call takes a record, not two */
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_timeout(ctx, LISTENER_TICKET_S);
  SSL_CTX_set_alpn_select_cb(ctx, openssl_alpn, NULL);
  return SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) == 1 && SSL_CTX_set_max_proto_version(ctx, TLS1_3_VERSION) == 1 &&
         SSL_CTX_set_ciphersuites(ctx, suites) == 1 && SSL_CTX_set_cipher_list(ctx, older) == 1 &&
         SSL_CTX_set1_groups_list(ctx, "X25519:P-256:P-384") == 1 && SSL_CTX_set_num_tickets(ctx, 1) == 1 &&
         SSL_CTX_set_tlsext_ticket_key_evp_cb(ctx, openssl_ticket) == 1 && openssl_use(ctx, pair);
}

/* ------------------------------------------------------------------------------------------------------- connection */

static int openssl_receive(BIO *b, char *to, int n)
{
  size_t got = svc_listener_tls_receive(BIO_get_data(b), to, (size_t)n);
  BIO_clear_retry_flags(b);
  if (got) return (int)got;
  BIO_set_retry_read(b);
  return -1;
}

static int openssl_transmit(BIO *b, const char *from, int n)
{
  ssize_t sent = svc_listener_tls_transmit(BIO_get_data(b), from, (size_t)n);
  BIO_clear_retry_flags(b);
  if (sent >= 0) return (int)sent;
  if (sent == LISTENER_TLS_WRITE) BIO_set_retry_write(b);
  return -1;
}

static long openssl_control(BIO *b, int what, long number, void *p)
{
  (void)b, (void)number, (void)p;
  return what == BIO_CTRL_FLUSH; /* nothing to flush: success */
}

static void openssl_close(void *context)
{
  openssl_shared *k = context;
  SSL_CTX_free(k->ctx);
  BIO_meth_free(k->method);
  pthread_mutex_destroy(&k->lock);
  OPENSSL_cleanse(k->keys, sizeof k->keys);
  free(k);
}

static void *openssl_open(listener_pair *pair)
{
  openssl_shared *k = calloc(1, sizeof *k);
  if (!k) return NULL;
  pthread_mutex_init(&k->lock, NULL);
  k->ctx = SSL_CTX_new(TLS_server_method());
  k->method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "listener");
  if (k->ctx && k->method && BIO_meth_set_read(k->method, openssl_receive) == 1 && BIO_meth_set_write(k->method, openssl_transmit) == 1 &&
      BIO_meth_set_ctrl(k->method, openssl_control) == 1 && openssl_settings(k, pair))
    return k;
  ERR_clear_error();
  openssl_close(k);
  return NULL;
}

static void *openssl_begin(void *context, listener_conn *conn)
{
  openssl_shared *k = context;
  SSL *ssl = SSL_new(k->ctx);
  BIO *b = ssl ? BIO_new(k->method) : NULL;
  if (!b) {
    SSL_free(ssl);
    return NULL;
  }
  BIO_set_data(b, conn);
  BIO_set_init(b, 1);
  SSL_set_bio(ssl, b, b); /* freed with it */
  SSL_set_accept_state(ssl);
  return ssl;
}

static void openssl_end(void *session) { SSL_free(session); }

/* SSL_get_error() is right only if the thread's error queue was empty before the call. Clearing it before each read and write costs up to a
** tenth of their time. So a call without result is repeated if the queue is not empty after it: an error that other code had left is gone
** then, and one of the connection remains. Returns whether the queue had errors, and clears it. */
static bool openssl_had_errors(void)
{
  if (!ERR_peek_error()) return false;
  ERR_clear_error();
  return true;
}

/* The reason why a call gave nothing, as a result of the port. After a failure nothing may be sent any more, not even the end. */
static int openssl_result(SSL *ssl, int rc)
{
  switch (SSL_get_error(ssl, rc)) {
  case SSL_ERROR_WANT_READ: return LISTENER_TLS_READ;
  case SSL_ERROR_WANT_WRITE: return LISTENER_TLS_WRITE;
  case SSL_ERROR_ZERO_RETURN: return LISTENER_TLS_END;
  default: SSL_set_quiet_shutdown(ssl, 1); return LISTENER_TLS_FAILED;
  }
}

static int openssl_shake(void *session, unsigned long *error)
{
  int rc;
  ERR_clear_error();
  rc = SSL_do_handshake(session);
  *error = ERR_peek_error();
  return rc == 1 ? 0 : openssl_result(session, rc);
}

static int openssl_read(void *session, char *to, size_t n)
{
  const int most = n < INT32_MAX ? (int)n : INT32_MAX;
  int rc = SSL_read(session, to, most);
  if (rc <= 0 && openssl_had_errors()) rc = SSL_read(session, to, most);
  return rc > 0 ? rc : openssl_result(session, rc);
}

static bool openssl_pending(void *session) { return SSL_has_pending(session); }

static int openssl_write(void *session, const char *from, size_t n)
{
  int rc = SSL_write(session, from, (int)n);
  if (rc <= 0 && openssl_had_errors()) rc = SSL_write(session, from, (int)n);
  return rc > 0 ? rc : openssl_result(session, rc);
}

static void openssl_notify(void *session)
{
  SSL_shutdown(session);
  ERR_clear_error();
}

static void openssl_rest(void *session) { SSL_free_buffers(session); }

const svc_listener_tls_port svc_listener_tls_openssl = { "OpenSSL", openssl_open, openssl_close, openssl_begin, openssl_end, openssl_shake, openssl_read,
                                                         openssl_pending, openssl_write, openssl_notify, openssl_rest };

#endif

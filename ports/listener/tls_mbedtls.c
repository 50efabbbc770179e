/*
** TLS by mbedTLS, the listener's default: small, and available everywhere, as the library
** needs mbedTLS anyway. Implements the port in tls.h and keeps its rules.
**
** mbedTLS manages the keys of tickets: a new one every hour, and the previous one opens tickets for another.
*/
#include "certificate.h"

#if LISTENER_HAS_TLS

#include <mbedtls/psa_util.h>
#include <mbedtls/ssl.h>
#include <mbedtls/ssl_ciphersuites.h>
#include <mbedtls/ssl_ticket.h>

#include <stdlib.h>

#if defined(MBEDTLS_SSL_SESSION_TICKETS) && defined(MBEDTLS_SSL_TICKET_C)
#define MBED_HAS_TICKETS 1
#else
#define MBED_HAS_TICKETS 0
#endif

typedef struct mbed_shared {
  mbedtls_ssl_config settings;
#if MBED_HAS_TICKETS
  mbedtls_ssl_ticket_context tickets;
#endif
} mbed_shared;

/* With forward secrecy, and authenticated; AES before ChaCha20, as most machines have instructions for it. */
static const int mbed_suites[] = {
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

static const uint16_t mbed_groups[] = {
  MBEDTLS_SSL_IANA_TLS_GROUP_X25519,
  MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1,
  MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1,
  MBEDTLS_SSL_IANA_TLS_GROUP_NONE,
};

static const char *const mbed_protocols[] = { "http/1.1", NULL };

static void mbed_close(void *context)
{
  mbed_shared *k = context;
  mbedtls_ssl_config_free(&k->settings);
#if MBED_HAS_TICKETS
  mbedtls_ssl_ticket_free(&k->tickets);
#endif
  free(k);
}

/* Sets up session tickets, if mbedTLS has them; without tickets each connection has a full handshake. 0, or an error of mbedTLS. */
static int mbed_tickets(mbed_shared *k)
{
#if MBED_HAS_TICKETS
  int bad;
  mbedtls_ssl_ticket_init(&k->tickets);
  bad = mbedtls_ssl_ticket_setup(&k->tickets, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE, MBEDTLS_CIPHER_AES_256_GCM, LISTENER_TICKET_S);
  if (!bad) mbedtls_ssl_conf_session_tickets_cb(&k->settings, mbedtls_ssl_ticket_write, mbedtls_ssl_ticket_parse, &k->tickets);
  return bad;
#else
  return (void)k, 0;
#endif
}

static void *mbed_open(listener_pair *pair)
{
  mbed_shared *shared = malloc(sizeof *shared);
  mbedtls_ssl_config *k = shared ? &shared->settings : NULL;
  int bad;
  if (!shared) return NULL;
  mbedtls_ssl_config_init(k);
  bad = mbed_tickets(shared);
  if (!bad) bad = mbedtls_ssl_config_defaults(k, MBEDTLS_SSL_IS_SERVER, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
  if (!bad) bad = mbedtls_ssl_conf_own_cert(k, &pair->chain, &pair->key);
  if (!bad) bad = mbedtls_ssl_conf_alpn_protocols(k, (const char **)(uintptr_t)mbed_protocols);
  if (bad) {
    mbed_close(shared);
    return NULL;
  }
  mbedtls_ssl_conf_rng(k, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  mbedtls_ssl_conf_min_tls_version(k, MBEDTLS_SSL_VERSION_TLS1_2);
  mbedtls_ssl_conf_max_tls_version(k, MBEDTLS_SSL_VERSION_TLS1_3);
  mbedtls_ssl_conf_ciphersuites(k, mbed_suites);
  mbedtls_ssl_conf_groups(k, mbed_groups);
  /* a resumed session has its own key exchange, too */
  mbedtls_ssl_conf_tls13_key_exchange_modes(k, MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL | MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_EPHEMERAL);
#if defined(MBEDTLS_SSL_RENEGOTIATION)
  mbedtls_ssl_conf_renegotiation(k, MBEDTLS_SSL_RENEGOTIATION_DISABLED);
#endif
  return shared;
}

/* ------------------------------------------------------------------------------------------------------- connection */

static int mbed_receive(void *conn, unsigned char *to, size_t n)
{
  n = svc_listener_tls_receive(conn, to, n);
  return n ? (int)n : MBEDTLS_ERR_SSL_WANT_READ;
}

static int mbed_transmit(void *conn, const unsigned char *from, size_t n)
{
  ssize_t sent = svc_listener_tls_transmit(conn, from, n);
  return sent >= 0 ? (int)sent : sent == LISTENER_TLS_WRITE ? MBEDTLS_ERR_SSL_WANT_WRITE : MBEDTLS_ERR_SSL_CONN_EOF;
}

static void mbed_end(void *session)
{
  mbedtls_ssl_free(session);
  free(session);
}

static void *mbed_begin(void *shared, listener_conn *conn)
{
  mbedtls_ssl_context *ssl = malloc(sizeof *ssl);
  if (!ssl) return NULL;
  mbedtls_ssl_init(ssl);
  mbedtls_ssl_set_bio(ssl, conn, mbed_transmit, mbed_receive, NULL);
  if (mbedtls_ssl_setup(ssl, &((mbed_shared *)shared)->settings) == 0) return ssl;
  mbed_end(ssl);
  return NULL;
}

/* A result of mbedTLS as one of the port. */
static int mbed_result(int rc)
{
  if (rc >= 0) return rc;
  if (rc == MBEDTLS_ERR_SSL_WANT_READ) return LISTENER_TLS_READ;
  if (rc == MBEDTLS_ERR_SSL_WANT_WRITE) return LISTENER_TLS_WRITE;
  return rc == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY ? LISTENER_TLS_END : LISTENER_TLS_FAILED;
}

static int mbed_shake(void *session, unsigned long *error)
{
  int rc = mbedtls_ssl_handshake(session);
  *error = (unsigned long)-rc;
  return mbed_result(rc);
}

static int mbed_read(void *session, char *to, size_t n) { return mbed_result(mbedtls_ssl_read(session, (unsigned char *)to, n)); }

static bool mbed_pending(void *session) { return mbedtls_ssl_check_pending(session) != 0; }

static int mbed_write(void *session, const char *from, size_t n)
{
  return mbed_result(mbedtls_ssl_write(session, (const unsigned char *)from, n));
}

static void mbed_notify(void *session) { mbedtls_ssl_close_notify(session); }

const svc_listener_tls_port svc_listener_tls_mbedtls = { "mbedTLS", mbed_open, mbed_close, mbed_begin, mbed_end, mbed_shake, mbed_read,
                                                         mbed_pending, mbed_write, mbed_notify, NULL };

#else

const svc_listener_tls_port svc_listener_tls_mbedtls = { 0 }; /* svc_listener_crypto() has refused it before a function is called */

#endif

/*
** What the two parts of the listener that know mbedTLS share: certificate.c and tls.c. No other part includes this.
**
** An mbedTLS that was configured without TLS, or without what TLS is worth nothing without, is allowed: then https URLs are
** refused, and all else works. Random bytes are PSA's, which TLS 1.3 needs anyway; its generator is one for the process and
** has a lock, if mbedTLS was built with threading, as it must be: several loops use it at once.
*/
#ifndef SVC_LISTENER_TLS_H
#define SVC_LISTENER_TLS_H

#include "parts.h"

#include <mbedtls/version.h>

#if defined(MBEDTLS_SSL_SRV_C) && defined(MBEDTLS_SSL_PROTO_TLS1_2) && defined(MBEDTLS_SSL_PROTO_TLS1_3) && \
  defined(MBEDTLS_SSL_ALPN) && defined(MBEDTLS_X509_CRT_PARSE_C) && defined(MBEDTLS_X509_CRT_WRITE_C) && \
  defined(MBEDTLS_PEM_PARSE_C) && defined(MBEDTLS_PEM_WRITE_C) && defined(MBEDTLS_PK_WRITE_C) && defined(MBEDTLS_ECDSA_C) && \
  defined(MBEDTLS_ECP_DP_SECP256R1_ENABLED) && defined(MBEDTLS_PSA_CRYPTO_C) && defined(MBEDTLS_GCM_C)
#define LISTENER_HAS_TLS 1
#if !defined(MBEDTLS_THREADING_C)
#error "the listener needs an mbedTLS with MBEDTLS_THREADING_C, or one without TLS: its loops are threads"
#endif
#else
#define LISTENER_HAS_TLS 0
#endif

#define LISTENER_NO_TLS "this mbedTLS was built without TLS 1.2 and 1.3, or without certificates: only http is to be had"

#if LISTENER_HAS_TLS

#include <mbedtls/pk.h>
#include <mbedtls/x509_crt.h>

/* A certificate, behind it those that lead to its authority, and its key. */
typedef struct listener_pair {
  mbedtls_x509_crt chain;
  mbedtls_pk_context key;
} listener_pair;

/* Begin with mbedTLS, which is done once in a process and allowed again. SVC_OK, else why not. */
int svc_listener_crypto(char *why, size_t size);
/* Read both, and see that they fit each other. Free it whatever comes of it. */
int svc_listener_pair_read(listener_pair *p, const char *cert_file, const char *key_file, char *why, size_t size);
void svc_listener_pair_free(listener_pair *p);
/* Milliseconds of a date in a certificate. */
int64_t svc_listener_pair_ms(const mbedtls_x509_time *t);

#endif
#endif /* SVC_LISTENER_TLS_H */

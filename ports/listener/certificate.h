/*
** Shared by the parts of the listener that handle certificates: certificate.c, which reads them with mbedTLS, and the two TLS
** ports, tls_mbedtls.c and tls_openssl.c. No other part includes this.
**
** An mbedTLS that was configured without TLS, or without features that TLS needs, is allowed: then https URLs are
** refused, and everything else works. Random bytes are PSA's, which TLS 1.3 needs anyway; its generator is global to the process and
** has a lock, if mbedTLS was built with threading, as it must be: several loops use it at once.
*/
#ifndef SVC_LISTENER_CERTIFICATE_H
#define SVC_LISTENER_CERTIFICATE_H

#include "tls.h"

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

struct listener_pair {
  mbedtls_x509_crt chain; /* the certificate, followed by those that lead to its authority */
  mbedtls_pk_context key;
};

#endif
#endif /* SVC_LISTENER_CERTIFICATE_H */

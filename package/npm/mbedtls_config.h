/*
** mbedTLS in the WebAssembly module: ports/mbedtls_config.h without threads, with random bytes from the host, and with certificates, so that the
** module answers every operation as the native library does.
*/
#include "ports/mbedtls_config.h"

#undef MBEDTLS_THREADING_C
#undef MBEDTLS_THREADING_PTHREAD
#define MBEDTLS_NO_PLATFORM_ENTROPY
#define MBEDTLS_ENTROPY_HARDWARE_ALT /* package/npm/wasm.c */

#define MBEDTLS_ASN1_PARSE_C
#define MBEDTLS_ASN1_WRITE_C
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_ECDSA_C
#define MBEDTLS_ECDSA_DETERMINISTIC /* as in the native build: it takes as many random bytes, so the same seed gives the same results */
#define MBEDTLS_ECP_C
#define MBEDTLS_ECP_DP_SECP256R1_ENABLED
#define MBEDTLS_ECP_NIST_OPTIM
#define MBEDTLS_ECP_WINDOW_SIZE 2       /* smaller tables: certificates are rare */
#define MBEDTLS_ECP_FIXED_POINT_OPTIM 0
#define MBEDTLS_HMAC_DRBG_C
#define MBEDTLS_OID_C
#define MBEDTLS_PEM_PARSE_C
#define MBEDTLS_PEM_WRITE_C
#define MBEDTLS_PK_C
#define MBEDTLS_PK_PARSE_C
#define MBEDTLS_PK_WRITE_C
#define MBEDTLS_SHA1_C
#define MBEDTLS_X509_CREATE_C
#define MBEDTLS_X509_CRT_PARSE_C
#define MBEDTLS_X509_CRT_WRITE_C
#define MBEDTLS_X509_USE_C

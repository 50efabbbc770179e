/*
** The minimum of mbedTLS that svcapi.c needs, for builds without the listener: hashes, base64, AES-GCM, a generator of random bytes.
** The file is the whole configuration: nothing else is compiled. Use it for mbedTLS and for svcapi.c alike:
**
**   -I. -DMBEDTLS_CONFIG_FILE='"ports/mbedtls_config.h"'
**
** The two lines for threading can go if the host has no threads, or if only svcapi calls mbedTLS: svcapi.c has its own lock
** around the generator.
*/
#define MBEDTLS_AES_C
#define MBEDTLS_AES_FEWER_TABLES /* saves 6 KiB; random bytes are not time-critical here */
#define MBEDTLS_AES_ROM_TABLES   /* constants, not computed in memory at the first use */
#define MBEDTLS_BASE64_C
#define MBEDTLS_CTR_DRBG_C
#define MBEDTLS_ENTROPY_C
#define MBEDTLS_GCM_C
#define MBEDTLS_MD_C
#define MBEDTLS_MD5_C
#define MBEDTLS_PKCS5_C
#define MBEDTLS_PLATFORM_C
#define MBEDTLS_SHA256_C
#define MBEDTLS_THREADING_C
#define MBEDTLS_THREADING_PTHREAD

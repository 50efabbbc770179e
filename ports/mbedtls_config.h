/*
** The least of mbedTLS that svcapi.c needs, for builds without the listener: hashes, base64, AES-GCM, a generator of random bytes.
** It is the whole configuration, so nothing that is not named here is compiled. Give it to mbedTLS and to svcapi.c alike:
**
**   -I. -DMBEDTLS_CONFIG_FILE='"ports/mbedtls_config.h"'
**
** Without threads in the host, or none but svcapi's calls into mbedTLS, the two of threading can go: svcapi.c has a lock
** of its own around the generator.
*/
#define MBEDTLS_AES_C
#define MBEDTLS_AES_FEWER_TABLES /* 6 KiB less; random bytes are not what takes time here */
#define MBEDTLS_AES_ROM_TABLES   /* constants, not made in memory at the first use */
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

/*
** Hashes, sealing and random bytes, from mbedTLS 3.
**
** Each handle has a generator with its own lock, so that it does not matter whether the library was built
** with threading. The generator is seeded once, at open: a board without entropy fails there, not in the middle of a request.
**
** Settings of mbedTLS change the size of its structures, MBEDTLS_THREADING_C above all, and a library that was built with
** other settings would write beyond ours. The headers are checked at compile time, the library
** before its first use.
*/
#include "ports/ports.h"

#include <mbedtls/version.h>

#if MBEDTLS_VERSION_NUMBER < 0x03000000 || MBEDTLS_VERSION_NUMBER >= 0x04000000
#error "svcapi needs mbedTLS 3: the mbedtls/ headers that the compiler found are of another version (Debian 12 packages 2.28)"
#endif
#if !defined(MBEDTLS_CTR_DRBG_C) || !defined(MBEDTLS_ENTROPY_C) || !defined(MBEDTLS_MD_C) || !defined(MBEDTLS_MD5_C) || \
  !defined(MBEDTLS_SHA256_C) || !defined(MBEDTLS_BASE64_C) || !defined(MBEDTLS_GCM_C) || !defined(MBEDTLS_PKCS5_C)
#error "svcapi needs CTR_DRBG, ENTROPY, GCM, MD, MD5, PKCS5, SHA256 and BASE64 of mbedTLS: ports/mbedtls_config.h is the least that works"
#endif

#include <mbedtls/base64.h>
#include <mbedtls/constant_time.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/gcm.h>
#include <mbedtls/md.h>
#include <mbedtls/md5.h>
#include <mbedtls/pkcs5.h>
#include <mbedtls/platform_util.h>
#include <mbedtls/sha256.h>

struct svc_drbg {
  mbedtls_entropy_context entropy;
  mbedtls_ctr_drbg_context generator;
  svc_mutex lock;
};

#define DRBG_BEYOND 4096 /* bytes, more than any setting adds to a structure */
#define DRBG_MARK 0xA5

/* Whether nothing was written behind the first n bytes. */
static bool drbg_clean(const unsigned char *space, size_t n)
{
  size_t i;
  for (i = n; i < n + DRBG_BEYOND; i++)
    if (space[i] != DRBG_MARK) return false;
  return true;
}

/*
** Checks that the library's structures have our sizes. The generator's init clears the size that the library assumes: it must equal ours.
** The init of the entropy context writes only a part, which must be within ours. A structure that differs is not used again, not even to be
** freed.
*/
static bool drbg_fits(void)
{
  const size_t entropy = sizeof(mbedtls_entropy_context), generator = sizeof(mbedtls_ctr_drbg_context);
  const size_t size = (entropy > generator ? entropy : generator) + DRBG_BEYOND;
  unsigned char *space = malloc(size);
  bool fits;
  if (!space) return true; /* out of memory, which the next step reports */
  memset(space, DRBG_MARK, size);
  mbedtls_ctr_drbg_init((mbedtls_ctr_drbg_context *)(void *)space);
  fits = space[generator - 1] != DRBG_MARK && drbg_clean(space, generator);
  if (fits) {
    mbedtls_ctr_drbg_free((mbedtls_ctr_drbg_context *)(void *)space);
    memset(space, DRBG_MARK, size);
    mbedtls_entropy_init((mbedtls_entropy_context *)(void *)space);
    fits = drbg_clean(space, entropy);
    if (fits) mbedtls_entropy_free((mbedtls_entropy_context *)(void *)space);
  }
  free(space);
  return fits;
}

static int drbg_seed(svc_drbg *d)
{
  mbedtls_entropy_init(&d->entropy);
  mbedtls_ctr_drbg_init(&d->generator);
  return mbedtls_ctr_drbg_seed(&d->generator, mbedtls_entropy_func, &d->entropy, (const unsigned char *)"svcapi", 6);
}

SVC_PRIVATE svc_drbg *svc_drbg_new(char *why, size_t why_size)
{
  svc_drbg *d;
  int rc;
  if (!drbg_fits()) {
    snprintf(why, why_size, "mbedTLS was built with other settings than svcapi.c: its structures have other sizes. "
             "MBEDTLS_THREADING_C and MBEDTLS_THREADING_PTHREAD, or MBEDTLS_CONFIG_FILE, must be the same for both");
    return NULL;
  }
  d = calloc(1, sizeof *d);
  if (!d || !svc_mutex_init(&d->lock)) {
    snprintf(why, why_size, "no memory for the generator of random bytes");
    free(d);
    return NULL;
  }
  rc = drbg_seed(d);
  if (rc == 0) return d;
  snprintf(why, why_size, "mbedTLS cannot seed its generator of random bytes: -0x%04x%s", (unsigned)-rc,
           rc == MBEDTLS_ERR_CTR_DRBG_ENTROPY_SOURCE_FAILED ? ", the system gives no entropy" : "");
  svc_drbg_free(d);
  return NULL;
}

SVC_PRIVATE void svc_drbg_free(svc_drbg *d)
{
  if (!d) return;
  mbedtls_ctr_drbg_free(&d->generator);
  mbedtls_entropy_free(&d->entropy);
  svc_mutex_destroy(&d->lock);
  free(d);
}

SVC_PRIVATE int svc_drbg_fill(void *drbg, void *buffer, size_t size)
{
  svc_drbg *d = drbg;
  unsigned char *to = buffer;
  int failed = 0;
  svc_mutex_lock(&d->lock);
  while (size > 0 && !failed) {
    size_t step = size < MBEDTLS_CTR_DRBG_MAX_REQUEST ? size : MBEDTLS_CTR_DRBG_MAX_REQUEST;
    failed = mbedtls_ctr_drbg_random(&d->generator, to, step) != 0;
    to += step;
    size -= step;
  }
  svc_mutex_unlock(&d->lock);
  return failed;
}

SVC_PRIVATE bool svc_sha256(svc_str text, unsigned char out[32])
{
  return mbedtls_sha256((const unsigned char *)text.p, text.n, out, 0) == 0;
}

SVC_PRIVATE bool svc_hmac_sha256(svc_str key, svc_str text, unsigned char out[32])
{
  const mbedtls_md_info_t *sha256 = mbedtls_md_info_from_type(MBEDTLS_MD_SHA256); /* NULL (an mbedTLS without it) is refused there */
  return mbedtls_md_hmac(sha256, (const unsigned char *)key.p, key.n, (const unsigned char *)text.p, text.n, out) == 0;
}

SVC_PRIVATE bool svc_md5(svc_str text, unsigned char out[16])
{
  return mbedtls_md5((const unsigned char *)text.p, text.n, out) == 0;
}

SVC_PRIVATE bool svc_gcm_seal(const unsigned char key[32], const unsigned char nonce[12], svc_str about, svc_str text, void *out)
{
  unsigned char *to = out;
  mbedtls_gcm_context gcm;
  bool good;
  mbedtls_gcm_init(&gcm);
  good = mbedtls_gcm_setkey(&gcm, MBEDTLS_CIPHER_ID_AES, key, 256) == 0 &&
         mbedtls_gcm_crypt_and_tag(&gcm, MBEDTLS_GCM_ENCRYPT, text.n, nonce, 12, (const unsigned char *)about.p, about.n,
                                   (const unsigned char *)text.p, to, 16, to + text.n) == 0;
  mbedtls_gcm_free(&gcm);
  return good;
}

SVC_PRIVATE int svc_gcm_open(const unsigned char key[32], const unsigned char nonce[12], svc_str about, svc_str sealed, void *out)
{
  const unsigned char *from = (const unsigned char *)sealed.p;
  mbedtls_gcm_context gcm;
  int rc;
  if (SVC_NEVER(sealed.n < 16)) return SVC_INVALID; /* callers have checked */
  mbedtls_gcm_init(&gcm);
  rc = mbedtls_gcm_setkey(&gcm, MBEDTLS_CIPHER_ID_AES, key, 256);
  if (!rc)
    rc = mbedtls_gcm_auth_decrypt(&gcm, sealed.n - 16, nonce, 12, (const unsigned char *)about.p, about.n, from + sealed.n - 16, 16, from, out);
  mbedtls_gcm_free(&gcm);
  return !rc ? SVC_OK : rc == MBEDTLS_ERR_GCM_AUTH_FAILED ? SVC_INVALID : SVC_NOMEM;
}

SVC_PRIVATE void svc_wipe(void *p, size_t n)
{
  mbedtls_platform_zeroize(p, n);
}

SVC_PRIVATE bool svc_same_bytes(const void *a, const void *b, size_t n)
{
  return mbedtls_ct_memcmp(a, b, n) == 0;
}

SVC_PRIVATE svc_str svc_base64(svc_arena *a, svc_str bytes)
{
  size_t size = bytes.n / 3 * 4 + 5, n = 0, i;
  unsigned char *text = svc_arena_alloc(a, size);
  if (!text || mbedtls_base64_encode(text, size, &n, (const unsigned char *)bytes.p, bytes.n) != 0) return a->failed = true, SVC_S("");
  while (n && text[n - 1] == '=') n--;
  for (i = 0; i < n; i++) text[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
  text[n] = 0;
  return (svc_str){ (const char *)text, n };
}

SVC_PRIVATE svc_str svc_base64_padded(svc_arena *a, svc_str bytes)
{
  size_t size = bytes.n / 3 * 4 + 5, n = 0;
  unsigned char *text = svc_arena_alloc(a, size);
  if (!text || mbedtls_base64_encode(text, size, &n, (const unsigned char *)bytes.p, bytes.n) != 0) return a->failed = true, SVC_S("");
  text[n] = 0; /* mbedTLS writes nothing for an empty text */
  return (svc_str){ (const char *)text, n };
}

static svc_str mbedtls_base64_of(svc_arena *a, const unsigned char *bytes, size_t length)
{
  return svc_base64_padded(a, (svc_str){ (const char *)bytes, length });
}

#define MBEDTLS_SCRAM_ITERATIONS 4096 /* required by RFC 7677, and accepted by PostgreSQL */

SVC_PRIVATE svc_str svc_scram_verifier(svc_arena *a, svc_str password, const unsigned char salt[16])
{
  unsigned char salted[32], client[32], stored[32], server[32];
  svc_str key = { (const char *)salted, sizeof salted }, out = SVC_S("");
  bool good = mbedtls_pkcs5_pbkdf2_hmac_ext(MBEDTLS_MD_SHA256, (const unsigned char *)password.p, password.n, salt, 16,
                                            MBEDTLS_SCRAM_ITERATIONS, sizeof salted, salted) == 0 &&
              svc_hmac_sha256(key, SVC_S("Client Key"), client) && svc_hmac_sha256(key, SVC_S("Server Key"), server) &&
              svc_sha256((svc_str){ (const char *)client, sizeof client }, stored);
  if (good) {
    out = svc_arena_print(a, "SCRAM-SHA-256$%d:%s$%s:%s", MBEDTLS_SCRAM_ITERATIONS,
                          mbedtls_base64_of(a, salt, 16).p, mbedtls_base64_of(a, stored, sizeof stored).p,
                          mbedtls_base64_of(a, server, sizeof server).p);
  }
  mbedtls_platform_zeroize(salted, sizeof salted);
  mbedtls_platform_zeroize(client, sizeof client);
  return good && !a->failed ? out : SVC_S("");
}

SVC_PRIVATE bool svc_base64_decode(svc_arena *a, svc_str text, svc_str *out)
{
  size_t n = 0;
  unsigned char *bytes = svc_arena_alloc(a, text.n + 1);
  if (!bytes || mbedtls_base64_decode(bytes, text.n + 1, &n, (const unsigned char *)text.p, text.n) != 0) return false;
  bytes[n] = 0;
  *out = (svc_str){ (const char *)bytes, n };
  return true;
}

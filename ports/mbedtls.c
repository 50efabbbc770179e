/*
** Hashes and random bytes, from mbedTLS 3.6.
**
** The generator is one per handle and has a lock of its own, so that it does not matter whether the library was built
** with threading. Seeding happens once, at open: a board without entropy fails there, not in the middle of a request.
*/
#include "ports/ports.h"

#include <mbedtls/base64.h>
#include <mbedtls/constant_time.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/md.h>
#include <mbedtls/md5.h>
#include <mbedtls/sha256.h>

struct svc_drbg {
  mbedtls_entropy_context entropy;
  mbedtls_ctr_drbg_context generator;
  svc_mutex lock;
};

SVC_PRIVATE svc_drbg *svc_drbg_new(void)
{
  svc_drbg *d = calloc(1, sizeof *d);
  if (!d) return NULL;
  if (!svc_mutex_init(&d->lock)) {
    free(d);
    return NULL;
  }
  mbedtls_entropy_init(&d->entropy);
  mbedtls_ctr_drbg_init(&d->generator);
  if (mbedtls_ctr_drbg_seed(&d->generator, mbedtls_entropy_func, &d->entropy, (const unsigned char *)"svcapi", 6) != 0) {
    svc_drbg_free(d);
    return NULL;
  }
  return d;
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

SVC_PRIVATE void svc_sha256(svc_str text, unsigned char out[32])
{
  /* With the built-in implementation it cannot fail; should it, no two texts may seem to be the same. */
  if (mbedtls_sha256((const unsigned char *)text.p, text.n, out, 0) != 0) memset(out, 0, 32);
}

SVC_PRIVATE bool svc_hmac_sha256(svc_str key, svc_str text, unsigned char out[32])
{
  const mbedtls_md_info_t *sha256 = mbedtls_md_info_from_type(MBEDTLS_MD_SHA256);
  return sha256 &&
         mbedtls_md_hmac(sha256, (const unsigned char *)key.p, key.n, (const unsigned char *)text.p, text.n, out) == 0;
}

SVC_PRIVATE bool svc_md5(svc_str text, unsigned char out[16])
{
  return mbedtls_md5((const unsigned char *)text.p, text.n, out) == 0;
}

SVC_PRIVATE bool svc_same_bytes(const void *a, const void *b, size_t n)
{
  return mbedtls_ct_memcmp(a, b, n) == 0;
}

SVC_PRIVATE svc_str svc_base64(svc_arena *a, svc_str bytes)
{
  size_t size = bytes.n / 3 * 4 + 5, n = 0, i;
  unsigned char *text = svc_arena_alloc(a, size);
  if (!text || mbedtls_base64_encode(text, size, &n, (const unsigned char *)bytes.p, bytes.n) != 0) return SVC_S("");
  while (n && text[n - 1] == '=') n--;
  for (i = 0; i < n; i++) text[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
  text[n] = 0;
  return (svc_str){ (const char *)text, n };
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

/*
** AES-GCM of mbedTLS, faster on x86-64: what the body of an answer costs over TLS is nearly all this. deps.sh compiles it in the place
** of mbedTLS's own gcm.c, where the processor is one of these; whoever links another mbedTLS has the same results, more slowly.
**
** It is that gcm.c, taken in whole, but for mbedtls_gcm_update() and the two that call it: where the processor has the
** instructions (AES, PCLMUL), as mbedTLS itself finds out when a key is set, the whole blocks of a text of eight or more are done
** here, and all else is left to the original. There, each block waits for the one before; here eight at a time are under way, and
** their products are reduced together: X' = (X + C1) H^8 + C2 H^7 + ... + C8 H.
**
** The rule it keeps: behind the last whole block the context is exactly what the original would have left. There are no tables and no
** branches that depend on a key or on data.
*/
#define mbedtls_gcm_update mbedtls_gcm_update_original
#define mbedtls_gcm_crypt_and_tag mbedtls_gcm_crypt_and_tag_original
#define mbedtls_gcm_auth_decrypt mbedtls_gcm_auth_decrypt_original
#include "gcm.c" /* mbedTLS's own */
#undef mbedtls_gcm_update
#undef mbedtls_gcm_crypt_and_tag
#undef mbedtls_gcm_auth_decrypt

int mbedtls_gcm_update(mbedtls_gcm_context *ctx, const unsigned char *input, size_t input_length, unsigned char *output,
                       size_t output_size, size_t *output_length);
int mbedtls_gcm_crypt_and_tag(mbedtls_gcm_context *ctx, int mode, size_t length, const unsigned char *iv, size_t iv_len,
                              const unsigned char *add, size_t add_len, const unsigned char *input, unsigned char *output,
                              size_t tag_len, unsigned char *tag);
int mbedtls_gcm_auth_decrypt(mbedtls_gcm_context *ctx, size_t length, const unsigned char *iv, size_t iv_len, const unsigned char *add,
                             size_t add_len, const unsigned char *tag, size_t tag_len, const unsigned char *input, unsigned char *output);

#define GCM_LANES 8
#define GCM_GROUP ((size_t)16 * GCM_LANES)

#if defined(__x86_64__) && defined(__GNUC__) && defined(MBEDTLS_GCM_C) && defined(MBEDTLS_AESNI_HAVE_CODE)

#include <immintrin.h>
#define GCM_TARGET __attribute__((target("aes,pclmul,ssse3")))
#define GCM_UNROLLED _Pragma("GCC unroll 8") /* so that all of them stay in registers */

/* Where the round keys are; NULL: it is not AES by these instructions. */
static const unsigned char *gcm_round_keys(const mbedtls_gcm_context *ctx, int *rounds)
{
  const mbedtls_aes_context *aes;
  if (ctx->acceleration != MBEDTLS_GCM_ACC_AESNI || !mbedtls_aesni_has_support(MBEDTLS_AESNI_AES) || !__builtin_cpu_supports("ssse3"))
    return NULL;
#if defined(MBEDTLS_BLOCK_CIPHER_C)
  if (ctx->block_cipher_ctx.id != MBEDTLS_BLOCK_CIPHER_ID_AES) return NULL;
#if defined(MBEDTLS_BLOCK_CIPHER_SOME_PSA)
  if (ctx->block_cipher_ctx.engine != MBEDTLS_BLOCK_CIPHER_ENGINE_LEGACY) return NULL;
#endif
  aes = &ctx->block_cipher_ctx.ctx.aes;
#else
  switch (mbedtls_cipher_get_type(&ctx->cipher_ctx)) {
  case MBEDTLS_CIPHER_AES_128_ECB:
  case MBEDTLS_CIPHER_AES_192_ECB:
  case MBEDTLS_CIPHER_AES_256_ECB: break;
  default: return NULL;
  }
  aes = ctx->cipher_ctx.cipher_ctx;
#endif
  *rounds = aes->nr;
  return (const unsigned char *)(aes->buf + aes->rk_offset);
}

/* A product of 256 bits, in three parts that are yet to be put together: low, middle, high. */
typedef struct gcm_product {
  __m128i low, middle, high;
} gcm_product;

GCM_TARGET static inline void gcm_add_product(gcm_product *p, __m128i a, __m128i b)
{
  p->low = _mm_xor_si128(p->low, _mm_clmulepi64_si128(a, b, 0x00));
  p->high = _mm_xor_si128(p->high, _mm_clmulepi64_si128(a, b, 0x11));
  p->middle = _mm_xor_si128(p->middle, _mm_xor_si128(_mm_clmulepi64_si128(a, b, 0x01), _mm_clmulepi64_si128(a, b, 0x10)));
}

/* Modulo x^128 + x^7 + x^2 + x + 1, with the bits of a block in the order of GCM: so shifted by one first. */
GCM_TARGET static inline __m128i gcm_reduce(const gcm_product *p)
{
  __m128i low = _mm_xor_si128(p->low, _mm_slli_si128(p->middle, 8)), high = _mm_xor_si128(p->high, _mm_srli_si128(p->middle, 8));
  __m128i carry = _mm_srli_epi32(low, 31), carry_high = _mm_srli_epi32(high, 31), a, b;
  low = _mm_or_si128(_mm_slli_epi32(low, 1), _mm_slli_si128(carry, 4));
  high = _mm_or_si128(_mm_or_si128(_mm_slli_epi32(high, 1), _mm_slli_si128(carry_high, 4)), _mm_srli_si128(carry, 12));
  a = _mm_xor_si128(_mm_xor_si128(_mm_slli_epi32(low, 31), _mm_slli_epi32(low, 30)), _mm_slli_epi32(low, 25));
  b = _mm_srli_si128(a, 4);
  low = _mm_xor_si128(low, _mm_slli_si128(a, 12));
  a = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi32(low, 1), _mm_srli_epi32(low, 2)), _mm_xor_si128(_mm_srli_epi32(low, 7), b));
  return _mm_xor_si128(high, _mm_xor_si128(low, a));
}

GCM_TARGET static inline __m128i gcm_product_of(__m128i a, __m128i b)
{
  gcm_product p = { _mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128() };
  gcm_add_product(&p, a, b);
  return gcm_reduce(&p);
}

GCM_TARGET static inline __m128i gcm_swapped(__m128i block)
{
  return _mm_shuffle_epi8(block, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

/* Eight blocks of key stream, of the counters behind `y`, which is swapped and goes on. Only 32 of its bits count. */
GCM_TARGET static inline void gcm_stream(const __m128i *keys, int rounds, __m128i *y, __m128i out[GCM_LANES])
{
  const __m128i one = _mm_set_epi32(0, 0, 0, 1);
  int i, r;
GCM_UNROLLED
  for (i = 0; i < GCM_LANES; i++) {
    *y = _mm_add_epi32(*y, one);
    out[i] = _mm_xor_si128(gcm_swapped(*y), keys[0]);
  }
  for (r = 1; r < rounds; r++)
GCM_UNROLLED
    for (i = 0; i < GCM_LANES; i++) out[i] = _mm_aesenc_si128(out[i], keys[r]);
GCM_UNROLLED
  for (i = 0; i < GCM_LANES; i++) out[i] = _mm_aesenclast_si128(out[i], keys[rounds]);
}

/* One block: to the output, and into the product. `x` is what came before, of the first of a group. */
GCM_TARGET static inline void gcm_block(int mode, const unsigned char *from, unsigned char *to, __m128i stream, __m128i x, __m128i power,
                                        gcm_product *p)
{
  __m128i in = _mm_loadu_si128((const __m128i *)(const void *)from), out = _mm_xor_si128(in, stream);
  _mm_storeu_si128((__m128i *)(void *)to, out);
  gcm_add_product(p, _mm_xor_si128(gcm_swapped(mode == MBEDTLS_GCM_ENCRYPT ? out : in), x), power);
}

/* n is a multiple of a block, and a group at least. */
GCM_TARGET static void gcm_groups(mbedtls_gcm_context *ctx, const unsigned char *round_keys, int rounds, const unsigned char *from, size_t n,
                                  unsigned char *to)
{
  const __m128i zero = _mm_setzero_si128();
  __m128i keys[15], powers[GCM_LANES], stream[GCM_LANES], y, x; /* powers[0] is H, of 8 blocks the last one's */
  const int mode = ctx->mode, rest = (int)(n % GCM_GROUP / 16);
  size_t at;
  int i;
  for (i = 0; i <= rounds; i++) keys[i] = _mm_loadu_si128((const __m128i *)(const void *)(round_keys + 16 * i));
  powers[0] = gcm_swapped(_mm_loadu_si128((const __m128i *)(const void *)ctx->H[MBEDTLS_GCM_HTABLE_SIZE / 2]));
  for (i = 1; i < GCM_LANES; i++) powers[i] = gcm_product_of(powers[i - 1], powers[0]);
  y = gcm_swapped(_mm_loadu_si128((const __m128i *)(const void *)ctx->y));
  x = gcm_swapped(_mm_loadu_si128((const __m128i *)(const void *)ctx->buf));
  for (at = 0; n - at >= GCM_GROUP; at += GCM_GROUP) {
    gcm_product p = { zero, zero, zero };
    gcm_stream(keys, rounds, &y, stream);
GCM_UNROLLED
    for (i = 0; i < GCM_LANES; i++)
      gcm_block(mode, from + at + 16 * (size_t)i, to + at + 16 * (size_t)i, stream[i], i == 0 ? x : zero, powers[GCM_LANES - 1 - i], &p);
    x = gcm_reduce(&p);
  }
  if (rest) { /* fewer than a group: so many of the next stream, and the counter stands behind them */
    const __m128i behind = _mm_add_epi32(y, _mm_set_epi32(0, 0, 0, rest));
    gcm_product p = { zero, zero, zero };
    gcm_stream(keys, rounds, &y, stream);
    for (i = 0; i < rest; i++)
      gcm_block(mode, from + at + 16 * (size_t)i, to + at + 16 * (size_t)i, stream[i], i == 0 ? x : zero, powers[rest - 1 - i], &p);
    x = gcm_reduce(&p);
    y = behind;
  }
  _mm_storeu_si128((__m128i *)(void *)ctx->y, gcm_swapped(y));
  _mm_storeu_si128((__m128i *)(void *)ctx->buf, gcm_swapped(x));
  mbedtls_platform_zeroize(keys, sizeof keys);
  mbedtls_platform_zeroize(powers, sizeof powers);
  mbedtls_platform_zeroize(stream, sizeof stream);
}

/* How many bytes at the beginning are done here: what the original would refuse, or has begun a block of, none. */
static size_t gcm_ahead(mbedtls_gcm_context *ctx, const unsigned char *input, size_t n, unsigned char *output, size_t output_size)
{
  int rounds;
  const unsigned char *keys;
  if (n < GCM_GROUP || output_size < n || ctx->len % 16 != 0) return 0;
  if (output > input && (size_t)(output - input) < n) return 0;
  if (n > 0xFFFFFFFE0ull || ctx->len > 0xFFFFFFFE0ull - n) return 0;
  keys = gcm_round_keys(ctx, &rounds);
  if (!keys) return 0;
  n -= n % 16;
  if (ctx->len == 0 && ctx->add_len % 16 != 0) gcm_mult(ctx, ctx->buf, ctx->buf); /* the end of what is only authenticated */
  gcm_groups(ctx, keys, rounds, input, n, output);
  ctx->len += n;
  return n;
}

#else

static size_t gcm_ahead(mbedtls_gcm_context *ctx, const unsigned char *input, size_t n, unsigned char *output, size_t output_size)
{
  (void)ctx, (void)input, (void)n, (void)output, (void)output_size;
  return 0;
}

#endif

int mbedtls_gcm_update(mbedtls_gcm_context *ctx, const unsigned char *input, size_t input_length, unsigned char *output,
                       size_t output_size, size_t *output_length)
{
  size_t ahead = gcm_ahead(ctx, input, input_length, output, output_size);
  int rc;
  if (ahead == 0) return mbedtls_gcm_update_original(ctx, input, input_length, output, output_size, output_length);
  rc = mbedtls_gcm_update_original(ctx, input + ahead, input_length - ahead, output + ahead, output_size - ahead, output_length);
  *output_length += ahead;
  return rc;
}

/* As the original, by the function above. */
int mbedtls_gcm_crypt_and_tag(mbedtls_gcm_context *ctx, int mode, size_t length, const unsigned char *iv, size_t iv_len,
                              const unsigned char *add, size_t add_len, const unsigned char *input, unsigned char *output,
                              size_t tag_len, unsigned char *tag)
{
  size_t n;
  int rc = mbedtls_gcm_starts(ctx, mode, iv, iv_len);
  if (rc == 0) rc = mbedtls_gcm_update_ad(ctx, add, add_len);
  if (rc == 0) rc = mbedtls_gcm_update(ctx, input, length, output, length, &n);
  if (rc == 0) rc = mbedtls_gcm_finish(ctx, NULL, 0, &n, tag, tag_len);
  return rc;
}

/* As the original: nothing that is not authentic is left in the output. */
int mbedtls_gcm_auth_decrypt(mbedtls_gcm_context *ctx, size_t length, const unsigned char *iv, size_t iv_len, const unsigned char *add,
                             size_t add_len, const unsigned char *tag, size_t tag_len, const unsigned char *input, unsigned char *output)
{
  unsigned char seen[16];
  int rc = mbedtls_gcm_crypt_and_tag(ctx, MBEDTLS_GCM_DECRYPT, length, iv, iv_len, add, add_len, input, output, tag_len, seen);
  if (rc != 0) return rc;
  if (mbedtls_ct_memcmp(tag, seen, tag_len) == 0) return 0;
  mbedtls_platform_zeroize(output, length);
  return MBEDTLS_ERR_GCM_AUTH_FAILED;
}

/*
** AES-GCM as ports/faster makes it: the same bytes, and the same tag, as mbedTLS's own has, whatever the lengths and however a text
** is cut into calls. A call of 16 bytes or fewer is always left to the original, so that is what a whole one is compared with. Where the
** processor has no such instructions, or mbedTLS is somebody else's, both are the original, and this holds as well.
*/
#include <munit.h>

#define MBEDTLS_ALLOW_PRIVATE_ACCESS /* to the counter, which is not to be had otherwise */
#include <mbedtls/gcm.h>

#include <stdbool.h>
#include <string.h>

#define MOST 5000

typedef struct sample {
  unsigned char key[32], iv[16], aad[48], text[MOST], sealed[MOST], tag[16];
  unsigned bits;
  size_t iv_length, aad_length, length;
} sample;

static void sample_make(sample *s, int round)
{
  s->bits = 128 + 64 * (unsigned)(round % 3);
  s->iv_length = round % 5 ? 12 : 16;
  s->aad_length = (size_t)munit_rand_int_range(0, sizeof s->aad);
  s->length = (size_t)munit_rand_int_range(0, round % 8 ? 700 : MOST);
  munit_rand_memory(sizeof s->key, s->key);
  munit_rand_memory(sizeof s->iv, s->iv);
  munit_rand_memory(sizeof s->aad, s->aad);
  munit_rand_memory(sizeof s->text, s->text);
}

/* In calls of so many bytes, from a counter whose last bytes are set: it wraps at 32 bits. */
static void seal(const sample *s, size_t step, bool wraps, unsigned char *out, unsigned char tag[16])
{
  mbedtls_gcm_context g;
  size_t at, n;
  mbedtls_gcm_init(&g);
  munit_assert_int(mbedtls_gcm_setkey(&g, MBEDTLS_CIPHER_ID_AES, s->key, s->bits), ==, 0);
  munit_assert_int(mbedtls_gcm_starts(&g, MBEDTLS_GCM_ENCRYPT, s->iv, s->iv_length), ==, 0);
  if (wraps) memcpy(g.y + 12, "\xFF\xFF\xFF\xFB", 4);
  munit_assert_int(mbedtls_gcm_update_ad(&g, s->aad, s->aad_length), ==, 0);
  for (at = 0; at < s->length; at += step) {
    size_t left = s->length - at < step ? s->length - at : step;
    munit_assert_int(mbedtls_gcm_update(&g, s->text + at, left, out + at, left, &n), ==, 0);
    munit_assert_size(n, ==, left);
  }
  munit_assert_int(mbedtls_gcm_finish(&g, NULL, 0, &n, tag, 16), ==, 0);
  mbedtls_gcm_free(&g);
}

static MunitResult test_same(const MunitParameter params[], void *data)
{
  static const size_t steps[] = { MOST, 128, 144, 1000, 333 };
  static sample s;
  static unsigned char out[MOST];
  unsigned char tag[16];
  size_t i;
  int round;
  (void)params, (void)data;
  for (round = 0; round < 2000; round++) {
    sample_make(&s, round);
    seal(&s, 16, round % 4 == 0, s.sealed, s.tag);
    for (i = 0; i < sizeof steps / sizeof steps[0]; i++) {
      memset(out, 0, sizeof out);
      seal(&s, steps[i], round % 4 == 0, out, tag);
      munit_assert_memory_equal(s.length, out, s.sealed);
      munit_assert_memory_equal(16, tag, s.tag);
    }
  }
  return MUNIT_OK;
}

/* Opened in place, and not opened at all when a bit differs: then nothing of it is left. */
static MunitResult test_open(const MunitParameter params[], void *data)
{
  static sample s;
  static unsigned char out[MOST], nothing[MOST];
  mbedtls_gcm_context g;
  int round;
  (void)params, (void)data;
  for (round = 0; round < 500; round++) {
    sample_make(&s, round);
    seal(&s, 16, false, s.sealed, s.tag);
    mbedtls_gcm_init(&g);
    munit_assert_int(mbedtls_gcm_setkey(&g, MBEDTLS_CIPHER_ID_AES, s.key, s.bits), ==, 0);
    memcpy(out, s.sealed, s.length);
    munit_assert_int(mbedtls_gcm_auth_decrypt(&g, s.length, s.iv, s.iv_length, s.aad, s.aad_length, s.tag, 16, out, out), ==, 0);
    munit_assert_memory_equal(s.length, out, s.text);
    if (s.length) s.sealed[munit_rand_uint32() % s.length] ^= (unsigned char)(1 << round % 8);
    else s.tag[0] ^= 1;
    memset(out, 1, sizeof out);
    munit_assert_int(mbedtls_gcm_auth_decrypt(&g, s.length, s.iv, s.iv_length, s.aad, s.aad_length, s.tag, 16, s.sealed, out), ==,
                     MBEDTLS_ERR_GCM_AUTH_FAILED);
    munit_assert_memory_equal(s.length, out, nothing);
    mbedtls_gcm_free(&g);
  }
  return MUNIT_OK;
}

/* What the original refuses is refused, and leaves no byte written. */
static MunitResult test_refuses(const MunitParameter params[], void *data)
{
  static unsigned char text[1024], key[16];
  mbedtls_gcm_context g;
  size_t n;
  (void)params, (void)data;
  mbedtls_gcm_init(&g);
  munit_assert_int(mbedtls_gcm_setkey(&g, MBEDTLS_CIPHER_ID_AES, key, 128), ==, 0);
  munit_assert_int(mbedtls_gcm_starts(&g, MBEDTLS_GCM_ENCRYPT, key, 12), ==, 0);
  munit_assert_int(mbedtls_gcm_update(&g, text, 512, text + 512, 511, &n), ==, MBEDTLS_ERR_GCM_BUFFER_TOO_SMALL);
  munit_assert_int(mbedtls_gcm_update(&g, text, 512, text + 100, 512, &n), ==, MBEDTLS_ERR_GCM_BAD_INPUT);
  g.len = 0xFFFFFFFE0ull - 256;
  munit_assert_int(mbedtls_gcm_update(&g, text, 512, text + 512, 512, &n), ==, MBEDTLS_ERR_GCM_BAD_INPUT);
  for (n = 0; n < sizeof text; n++) munit_assert_int(text[n], ==, 0);
  munit_assert_int(mbedtls_gcm_self_test(0), ==, 0);
  mbedtls_gcm_free(&g);
  return MUNIT_OK;
}

static MunitTest tests[] = {
  { "/same", test_same, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/open", test_open, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { "/refuses", test_refuses, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
const MunitSuite svc_suite_gcm = { "gcm", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };

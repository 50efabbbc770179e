/*
** SipHash-2-4 against the authors' test vectors: key 00 01 .. 0f, text 00 01 .. with the given number of bytes.
*/
#include "support.h"

TEST(sip, vectors)
{
  static const struct {
    size_t n;
    uint64_t hash;
  } rows[] = {
    { 0, 0x726fdb47dd0e0e31u }, { 1, 0x74f839c593dc67fdu }, { 7, 0xab0200f58b01d137u }, { 8, 0x93f5f5799a932462u },
    { 15, 0xa129ca6149be45e5u }, { 63, 0x958a324ceb064572u },
  };
  const uint64_t key[2] = { 0x0706050403020100u, 0x0f0e0d0c0b0a0908u };
  char text[64];
  size_t i;
  for (i = 0; i < sizeof text; i++) text[i] = (char)i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
    munit_assert_uint64(svc_sip(key, (svc_str){ text, rows[i].n }), ==, rows[i].hash);
}

TEST(sip, vectors_128)
{
  static const uint64_t wanted[2][2] = { { 0xe6a825ba047f81a3u, 0x930255c71472f66du }, { 0x44af996bd8c187dau, 0x45fc229b11597634u } };
  const uint64_t key[2] = { 0x0706050403020100u, 0x0f0e0d0c0b0a0908u };
  uint64_t hash[2];
  size_t n;
  for (n = 0; n < 2; n++) {
    svc_sip_128(key, (svc_str){ "", n }, hash); /* the empty text, and one zero byte */
    munit_assert_uint64(hash[0], ==, wanted[n][0]);
    munit_assert_uint64(hash[1], ==, wanted[n][1]);
  }
}

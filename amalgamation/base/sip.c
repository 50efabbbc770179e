/*
** SipHash-2-4, with 64 or 128 bits: a short keyed hash for tables in memory that strangers fill. Without the key, nobody can make
** collisions or guess hashes. SipHash is no password hash, and nothing stored depends on it. FNV-1a, without a key, serves hashes that must
** be the same in every process.
*/
#include "base/base.h"

#define SIP_ROTATE(x, n) ((x) << (n) | (x) >> (64 - (n)))

/* Inline, so that v stays in registers. */
static inline void sip_round(uint64_t v[4])
{
  v[0] += v[1];
  v[1] = SIP_ROTATE(v[1], 13) ^ v[0];
  v[0] = SIP_ROTATE(v[0], 32);
  v[2] += v[3];
  v[3] = SIP_ROTATE(v[3], 16) ^ v[2];
  v[0] += v[3];
  v[3] = SIP_ROTATE(v[3], 21) ^ v[0];
  v[2] += v[1];
  v[1] = SIP_ROTATE(v[1], 17) ^ v[2];
  v[2] = SIP_ROTATE(v[2], 32);
}

static uint64_t sip_tail(const unsigned char *p, size_t n)
{
  uint64_t v = 0;
  while (n-- > 0) v = v << 8 | p[n];
  return v;
}

/* Absorbs the whole text into v; `more` distinguishes a hash of 128 bits from one of 64. */
static inline void sip_take(uint64_t v[4], const uint64_t key[2], svc_str text, unsigned more)
{
  const unsigned char *p = (const unsigned char *)text.p;
  size_t left = text.n;
  bool last = false;
  uint64_t m;
  int i;
  v[0] = key[0] ^ 0x736f6d6570736575u;
  v[1] = key[1] ^ 0x646f72616e646f6du ^ more;
  v[2] = key[0] ^ 0x6c7967656e657261u;
  v[3] = key[1] ^ 0x7465646279746573u;
  for (; !last; left -= 8, p += 8) {
    last = left < 8;
    m = last ? (uint64_t)text.n << 56 | sip_tail(p, left) : svc_load64(p);
    v[3] ^= m;
    for (i = 0; i < 2; i++) sip_round(v);
    v[0] ^= m;
  }
  v[2] ^= more ? more : 0xFF;
  for (i = 0; i < 4; i++) sip_round(v);
}

SVC_PRIVATE uint64_t svc_sip(const uint64_t key[2], svc_str text)
{
  uint64_t v[4];
  sip_take(v, key, text, 0);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

SVC_PRIVATE void svc_sip_128(const uint64_t key[2], svc_str text, uint64_t hash[2])
{
  uint64_t v[4];
  int i;
  sip_take(v, key, text, 0xEE);
  hash[0] = v[0] ^ v[1] ^ v[2] ^ v[3];
  v[1] ^= 0xDD;
  for (i = 0; i < 4; i++) sip_round(v);
  hash[1] = v[0] ^ v[1] ^ v[2] ^ v[3];
}

SVC_PRIVATE uint64_t svc_fnv(uint64_t hash, svc_str text)
{
  size_t i;
  for (i = 0; i < text.n; i++) hash = (hash ^ (unsigned char)text.p[i]) * 0x100000001b3u;
  return hash;
}

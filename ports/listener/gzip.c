/*
** gzip (RFC 1952) of an answer, for encode.c: deflate (RFC 1951) with the fixed code; matches are found by the last position of each four
** bytes.
**
** Lists repeat the same words, and shrink to a fraction of their size. The rules: one pass over the
** bytes, 17 KiB of stack, no memory but the caller's. A result that does not fit is discarded, so that text that does not shrink is sent
** uncompressed.
*/
#include "parts.h"

#include <string.h>

#define GZIP_BITS 12 /* of the table of positions */
#define GZIP_WINDOW 32768
#define GZIP_LEAST 4
#define GZIP_MOST 258
#define GZIP_END 256 /* the symbol behind the last byte; those of lengths follow */

typedef struct gzip_out {
  unsigned char *p;
  size_t n, size; /* n > size: it does not fit */
  uint64_t bits;
  unsigned count;
  uint16_t codes[288]; /* of literals and lengths, ready for output */
} gzip_out;

/* Four bytes at a time, with tables that are computed for each call: from 1 KiB on that costs less than it saves. */
static uint32_t gzip_crc(const unsigned char *p, size_t n)
{
  uint32_t t[4][256], crc, i, k;
  for (i = 0; i < 256; i++) {
    for (crc = i, k = 0; k < 8; k++) crc = crc >> 1 ^ (0xedb88320 & (0 - (crc & 1)));
    t[0][i] = crc;
  }
  for (k = 1; k < 4; k++)
    for (i = 0; i < 256; i++) t[k][i] = t[k - 1][i] >> 8 ^ t[0][t[k - 1][i] & 255];
  for (crc = 0xffffffffu; n >= 4; n -= 4, p += 4) {
    crc ^= p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    crc = t[3][crc & 255] ^ t[2][crc >> 8 & 255] ^ t[1][crc >> 16 & 255] ^ t[0][crc >> 24];
  }
  for (; n > 0; n--) crc = crc >> 8 ^ t[0][(crc ^ *p++) & 255];
  return ~crc;
}

static void gzip_put(gzip_out *o, uint32_t value, unsigned bits)
{
  o->bits |= (uint64_t)value << o->count;
  for (o->count += bits; o->count >= 8; o->count -= 8, o->bits >>= 8) {
    if (o->n < o->size) o->p[o->n] = (unsigned char)o->bits;
    o->n++;
  }
}

/* Codes are written with their highest bit first. */
static uint16_t gzip_turned(unsigned code, unsigned bits)
{
  unsigned turned = 0;
  for (; bits > 0; bits--, code >>= 1) turned = turned << 1 | (code & 1);
  return (uint16_t)turned;
}

/* Bits of a symbol in the fixed code, 3.2.6. */
static unsigned gzip_length_of(unsigned symbol)
{
  return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}

static void gzip_code(gzip_out *o)
{
  unsigned s;
  for (s = 0; s < 288; s++)
    o->codes[s] = gzip_turned(s < 144 ? 0x30 + s : s < 256 ? 0x190 + s - 144 : s < 280 ? s - 256 : 0xC0 + s - 280, gzip_length_of(s));
}

static void gzip_symbol(gzip_out *o, unsigned symbol)
{
  gzip_put(o, o->codes[symbol], gzip_length_of(symbol));
}

static unsigned gzip_log2(uint32_t n)
{
  unsigned log = 0;
  while (n >>= 1) log++;
  return log;
}

/* "Repeat `length` bytes from `distance` back", 3.2.5. */
static void gzip_match(gzip_out *o, uint32_t length, uint32_t distance)
{
  uint32_t m = length - 3, extra = m < 8 ? 0 : gzip_log2(m) - 2;
  if (length == GZIP_MOST) gzip_symbol(o, 285);
  else gzip_symbol(o, GZIP_END + 1 + (m < 8 ? m : 4 * (extra + 1) + (m >> extra & 3)));
  if (length < GZIP_MOST) gzip_put(o, m & ((1u << extra) - 1), extra);
  m = distance - 1;
  extra = m < 4 ? 0 : gzip_log2(m) - 1;
  gzip_put(o, gzip_turned(m < 4 ? m : 2 * (extra + 1) + (m >> extra & 1), 5), 5);
  gzip_put(o, m & ((1u << extra) - 1), extra);
}

/* The place for the last position of the four bytes at p. Other bytes with the same hash share it. */
static uint32_t *gzip_place(uint32_t *places, const unsigned char *p)
{
  uint32_t four;
  memcpy(&four, p, sizeof four);
  return &places[four * 2654435761u >> (32 - GZIP_BITS)];
}

static void gzip_deflate(gzip_out *o, const unsigned char *p, size_t n)
{
  uint32_t places[1 << GZIP_BITS]; /* position plus 1; 0: none */
  size_t at = 0;
  memset(places, 0, sizeof places);
  while (at < n && o->n <= o->size) {
    size_t length = 0, from = 0, end;
    if (n - at >= GZIP_LEAST) {
      uint32_t *place = gzip_place(places, p + at);
      from = *place;
      *place = (uint32_t)at + 1;
      if (from && at - (from - 1) <= GZIP_WINDOW)
        while (length < GZIP_MOST && at + length < n && p[from - 1 + length] == p[at + length]) length++;
    }
    if (length < GZIP_LEAST) {
      gzip_symbol(o, p[at++]);
      continue;
    }
    gzip_match(o, (uint32_t)length, (uint32_t)(at - (from - 1)));
    for (end = at++ + length; at < end; at++)
      if (n - at >= GZIP_LEAST) *gzip_place(places, p + at) = (uint32_t)at + 1;
  }
}

size_t svc_listener_gzip(const char *text, size_t n, char *out, size_t size)
{
  static const unsigned char head[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff }; /* without time and system */
  const unsigned char *p = (const unsigned char *)text;
  uint32_t crc = gzip_crc(p, n);
  gzip_out o;
  size_t i;
  memset(&o, 0, sizeof o);
  o.p = (unsigned char *)out;
  o.size = size;
  gzip_code(&o);
  for (i = 0; i < sizeof head; i++) gzip_put(&o, head[i], 8);
  gzip_put(&o, 3, 3); /* the last block, with the fixed code: 01 */
  gzip_deflate(&o, p, n);
  gzip_symbol(&o, GZIP_END);
  gzip_put(&o, 0, (8 - o.count % 8) % 8);
  gzip_put(&o, crc, 32);
  gzip_put(&o, (uint32_t)n, 32);
  return o.n <= size ? o.n : 0;
}

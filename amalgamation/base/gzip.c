/*
** gzip (RFC 1952), for downloads: logs and records of queries.
**
** Every tool can read such a download, and no library is needed to write it. The rule: blocks are stored (RFC 1951,
** 3.2.4), not compressed. The same bytes give the same stream: its header names no time and no system.
*/
#include "base/base.h"

#define GZIP_BLOCK 65535 /* the most bytes of a stored block */

/* The CRC-32 of the bytes, four bits at a time: a table of 64 bytes is enough. */
static uint32_t gzip_crc(svc_str bytes)
{
  static const uint32_t table[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                      0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                      0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
  uint32_t crc = 0xffffffffu;
  size_t i;
  for (i = 0; i < bytes.n; i++) {
    crc ^= (unsigned char)bytes.p[i];
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}

static void gzip_number(svc_buf *b, uint32_t value, int bytes)
{
  for (; bytes > 0; bytes--, value >>= 8) svc_buf_char(b, (char)(value & 0xff));
}

SVC_PRIVATE svc_str svc_gzip(svc_arena *a, svc_str bytes)
{
  static const char head[10] = { 0x1f, (char)0x8b, 8, 0, 0, 0, 0, 0, 0, (char)0xff };
  size_t blocks = bytes.n / GZIP_BLOCK + 1, at = 0;
  svc_buf b = svc_buf_new(a, sizeof head + blocks * 5 + bytes.n + 8 + 1);
  uint32_t crc = gzip_crc(bytes), size = (uint32_t)bytes.n;
  svc_buf_add(&b, head, sizeof head);
  do {
    size_t n = bytes.n - at < GZIP_BLOCK ? bytes.n - at : GZIP_BLOCK;
    svc_buf_char(&b, at + n == bytes.n); /* marks the last block */
    gzip_number(&b, (uint32_t)n, 2);
    gzip_number(&b, ~(uint32_t)n, 2);
    svc_buf_add(&b, bytes.p + at, n);
    at += n;
  } while (at < bytes.n);
  gzip_number(&b, crc, 4);
  gzip_number(&b, size, 4);
  return svc_buf_done(&b);
}

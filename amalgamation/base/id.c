/*
** Ids: 12 bytes, 24 hex digits; the first four bytes are the second of creation.
**
** The rule: an id is greater than every id given out before it. The order of keys in the store is thus the order of
** creation, also within one second and when the clock steps back. The eight bytes behind the second start at random
** and rise by random steps, so an id does not reveal its neighbours.
*/
#include "base/base.h"

#define ID_LAST_SECOND 0xFEFFFFFFu /* in 2105 */

SVC_PRIVATE bool svc_id_parse(svc_str text, svc_id *out)
{
  static const signed char values[128] = { /* the value plus 1; 0: not a digit */
    ['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
    ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16
  };
  const unsigned char *p = (const unsigned char *)text.p;
  int i, bad = 0;
  if (text.n != 24) return false;
  for (i = 0; i < 12; i++, p += 2) {
    int high = values[p[0] & 127] - 1, low = values[p[1] & 127] - 1;
    bad |= high | low | -(p[0] >> 7) | -(p[1] >> 7);
    out->b[i] = (unsigned char)((unsigned)high << 4 | (unsigned)low);
  }
  return bad >= 0;
}

/* Works on four bytes at a time: spreads their nibbles over one word and turns all of them into digits with one addition. */
SVC_PRIVATE void svc_id_hex(const svc_id *id, char out[24])
{
  const uint64_t low = 0x000F000F000F000Fu, ones = 0x0101010101010101u;
  int i;
  for (i = 0; i < 12; i += 4, out += 8) {
    const unsigned char *b = id->b + i;
    uint64_t x = (uint64_t)b[0] | (uint64_t)b[1] << 16 | (uint64_t)b[2] << 32 | (uint64_t)b[3] << 48;
    x = (x >> 4 & low) | (x & low) << 8;
    x += ones * '0' + ((x + ones * 6) >> 4 & ones) * ('a' - '0' - 10);
    svc_store64(out, x);
  }
}

SVC_PRIVATE svc_str svc_id_str(svc_arena *a, const svc_id *id)
{
  char *p = svc_arena_alloc(a, 25);
  if (!p) return SVC_S("");
  svc_id_hex(id, p);
  p[24] = 0;
  return (svc_str){ p, 24 };
}

/* Called many times per request: two loads each, no function call. */
SVC_PRIVATE bool svc_id_eq(const svc_id *a, const svc_id *b)
{
  uint64_t a8, b8;
  uint32_t a4, b4;
  memcpy(&a8, a->b, 8);
  memcpy(&b8, b->b, 8);
  memcpy(&a4, a->b + 8, 4);
  memcpy(&b4, b->b + 8, 4);
  return a8 == b8 && a4 == b4;
}

SVC_PRIVATE bool svc_id_is_zero(const svc_id *id)
{
  static const svc_id zero;
  return svc_id_eq(id, &zero);
}

static uint64_t id_load(const unsigned char *p, int bytes)
{
  uint64_t v = 0;
  while (bytes--) v = v << 8 | *p++;
  return v;
}

static void id_store(unsigned char *p, int bytes, uint64_t v)
{
  while (bytes--) {
    p[bytes] = (unsigned char)v;
    v >>= 8;
  }
}

SVC_PRIVATE int64_t svc_id_second(const svc_id *id)
{
  return (int64_t)id_load(id->b, 4);
}

SVC_PRIVATE svc_id svc_id_next(const svc_id *last, int64_t now_ms, const unsigned char random[8])
{
  uint64_t second = now_ms > 0 ? (uint64_t)now_ms / 1000 : 0;
  uint64_t last_second = id_load(last->b, 4), tail = id_load(random, 8);
  svc_id id;
  if (second > ID_LAST_SECOND) second = ID_LAST_SECOND;
  if (second > last_second) {
    tail >>= 2; /* room for many ids within this second */
  } else {
    uint64_t before = id_load(last->b + 4, 8);
    second = last_second;
    tail = before + 1 + (tail & 0xFFFFFFFFu);
    if (tail <= before) second++;
  }
  id_store(id.b, 4, second);
  id_store(id.b + 4, 8, tail);
  /* cppcheck-suppress uninitvar ; id_store() has filled it in */
  return id;
}

SVC_PRIVATE svc_id svc_id_after(const svc_id *id, uint64_t by)
{
  uint64_t before = id_load(id->b + 4, 8), tail = before + by;
  svc_id out;
  id_store(out.b, 4, id_load(id->b, 4) + (tail < before));
  id_store(out.b + 4, 8, tail);
  /* cppcheck-suppress uninitvar ; as above */
  return out;
}

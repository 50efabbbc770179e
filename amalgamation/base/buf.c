/*
** Text that grows in an arena. The last buffer of a block grows in place; any other moves to twice the size.
*/
#include "base/base.h"

SVC_PRIVATE svc_buf svc_buf_new(svc_arena *a, size_t capacity)
{
  svc_buf b = { a, NULL, 0, 0, false };
  if (capacity) {
    b.p = svc_arena_alloc(a, capacity);
    b.failed = !b.p;
    b.capacity = b.p ? capacity : 0;
  }
  return b;
}

SVC_PRIVATE bool svc_buf_grow(svc_buf *b, size_t n)
{
  svc_arena *a = b->arena;
  size_t want = b->capacity ? b->capacity * 2 : 256;
  char *p;
  if (b->n + n < n) goto fail;
  if (want < b->n + n) want = b->n + n;
  want = (want + 7) & ~(size_t)7;
  if (b->p && b->p + b->capacity == a->next && (size_t)(a->end - b->p) >= want) {
    a->next = b->p + want;
    b->capacity = want;
    return true;
  }
  p = svc_arena_alloc(a, want);
  if (!p) goto fail;
  if (b->n) memcpy(p, b->p, b->n);
  b->p = p;
  b->capacity = want;
  return true;
fail:
  a->failed = true;
  b->failed = true;
  return false;
}

SVC_PRIVATE void svc_buf_add(svc_buf *b, const char *p, size_t n)
{
  char *to = n ? svc_buf_room(b, n) : NULL;
  if (to) memcpy(to, p, n);
}

SVC_PRIVATE void svc_buf_str(svc_buf *b, svc_str s)
{
  svc_buf_add(b, s.p, s.n);
}

SVC_PRIVATE void svc_buf_text(svc_buf *b, const char *text)
{
  svc_buf_add(b, text, strlen(text));
}

SVC_PRIVATE void svc_buf_char(svc_buf *b, char c)
{
  char *to = svc_buf_room(b, 1);
  if (to) *to = c;
}

SVC_PRIVATE void svc_buf_i64(svc_buf *b, int64_t value)
{
  char digits[20];
  size_t i = sizeof digits;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do digits[--i] = (char)('0' + rest % 10);
  while (rest /= 10);
  if (value < 0) svc_buf_char(b, '-');
  svc_buf_add(b, digits + i, sizeof digits - i);
}

SVC_PRIVATE svc_str svc_buf_done(svc_buf *b)
{
  svc_buf_char(b, 0);
  return b->failed ? SVC_S("") : (svc_str){ b->p, b->n - 1 };
}

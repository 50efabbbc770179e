/* The arena: every piece is aligned for any type that the library stores in one, whatever block it comes from. */
#include "catalog/catalog.h"
#include "test.h"

static void arena_aligned(const void *p, size_t size)
{
  if ((uintptr_t)p % 8) munit_errorf("a piece of %zu bytes lies at %p", size, p);
}

TEST(arena, aligned)
{
  static const size_t sizes[] = { 1, 8, 13, 100, 4000, 4064, 5000, 12192, 100000 };
  size_t i, k;
  for (k = 0; k < sizeof sizes / sizeof sizes[0]; k++) { /* each size is the first of its arena once: its block then has any size */
    svc_arena a;
    svc_buf b;
    svc_arena_init(&a, NULL);
    for (i = 0; i < 3 * sizeof sizes / sizeof sizes[0]; i++) {
      const size_t size = sizes[(k + i) % (sizeof sizes / sizeof sizes[0])];
      arena_aligned(svc_arena_alloc(&a, size), size);
      arena_aligned(svc_arena_zero(&a, size), size);
      arena_aligned(svc_arena_print(&a, "%zu", size).p, size);
      b = svc_buf_new(&a, size);
      arena_aligned(b.p, size);
      while (b.n < size + 3) svc_buf_char(&b, 'x');
      arena_aligned(b.p, size);
    }
    munit_assert_false(a.failed);
    svc_blocks_free(a.blocks);
  }
}

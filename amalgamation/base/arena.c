/*
** All memory of one request comes from one arena and is freed with its response.
**
** A request allocates many small pieces and frees none of them, so a pointer that moves through a block is enough:
** usually one block, one call of the allocator. The blocks carry their allocator, because a response is freed
** without its handle. A failed allocation sets `failed` for good; callers may go on and check once.
**
** A failed allocation in a write changes nothing in the store. pipeline/behave.c turns `failed` into SVC_NOMEM in the
** transaction's error. The commit queue (store/commit.c) then gives the job that status, aborts the transaction and repeats the other jobs
** without it. The request gets 503: from svc_handle_request() a fixed document that needs no memory, and SVC_NOMEM. The memory
** for writing the answer is reserved inside the transaction, or the answer is written there (svc_respond_ahead), so a committed change
** is not answered with 503.
**
** Code that puts a secret into the arena calls svc_arena_wipes(), at any time: every block is then wiped before it is freed. Most
** requests are reads without secrets and pay nothing.
*/
#include "base/base.h"

#define ARENA_FIRST 4064 /* 4096 less malloc's own header: one page */
#define ARENA_ALIGN 8

/* Pieces follow the head of their block, so its size must keep their alignment: without _Alignas it has 20 bytes on 32-bit machines. */
struct svc_block {
  _Alignas(ARENA_ALIGN) svc_block *next;
  svc_allocator allocator;
  svc_wiper *wipe; /* NULL: the arena holds no secret */
  svc_shared *holds; /* released with this block; NULL: none */
  size_t size;
};

_Static_assert(sizeof(svc_block) % ARENA_ALIGN == 0, "the pieces of a block are not aligned");
_Static_assert(_Alignof(int64_t) <= ARENA_ALIGN && _Alignof(double) <= ARENA_ALIGN && _Alignof(void *) <= ARENA_ALIGN,
               "the pieces of a block are aligned for too small types");

static void *arena_default_resize(void *context, void *p, size_t size)
{
  (void)context;
  if (size == 0) {
    free(p);
    return NULL;
  }
  return realloc(p, size);
}

SVC_PRIVATE void svc_arena_init(svc_arena *a, const svc_allocator *allocator)
{
  memset(a, 0, sizeof *a);
  if (allocator) a->allocator = *allocator;
  if (!a->allocator.resize) a->allocator.resize = arena_default_resize;
}

/* Adds a block with room for `size` bytes; the unused rest of the previous block is lost. */
static bool arena_grow(svc_arena *a, size_t size)
{
  size_t want = sizeof(svc_block) + size;
  size_t least = a->blocks ? 3 * ARENA_FIRST : ARENA_FIRST; /* a project with all its links fits into the second block */
  svc_block *block;
  if (want < size) goto fail;
  if (want < least) want = least;
  block = a->allocator.resize(a->allocator.context, NULL, want);
  if (!block) goto fail;
  block->next = a->blocks;
  block->allocator = a->allocator;
  block->wipe = a->wipe;
  block->holds = NULL;
  block->size = want;
  a->blocks = block;
  a->next = (char *)(block + 1);
  a->end = (char *)block + want;
  return true;
fail:
  a->failed = true;
  return false;
}

SVC_PRIVATE void svc_arena_wipes(svc_arena *a, svc_wiper *wipe)
{
  svc_block *block;
  for (block = a->wipe ? NULL : a->blocks; block; block = block->next) block->wipe = wipe;
  a->wipe = wipe;
}

SVC_PRIVATE void *svc_arena_alloc(svc_arena *a, size_t size)
{
  size_t rounded = (size + (ARENA_ALIGN - 1)) & ~(size_t)(ARENA_ALIGN - 1);
  void *p;
  if (rounded < size) {
    a->failed = true;
    return NULL;
  }
  if ((size_t)(a->end - a->next) < rounded && !arena_grow(a, rounded)) return NULL;
  p = a->next;
  a->next += rounded;
  return p;
}

SVC_PRIVATE void *svc_arena_zero(svc_arena *a, size_t size)
{
  void *p = svc_arena_alloc(a, size);
  if (p) memset(p, 0, size);
  return p;
}

SVC_PRIVATE void svc_arena_reserve(svc_arena *a, size_t size)
{
  if ((size_t)(a->end - a->next) < size) arena_grow(a, size);
}

SVC_PRIVATE size_t svc_arena_size(const svc_arena *a)
{
  const svc_block *block;
  size_t size = 0;
  for (block = a->blocks; block; block = block->next) size += block->size;
  return size;
}

SVC_PRIVATE svc_str svc_arena_copy(svc_arena *a, svc_str text)
{
  char *p = svc_arena_alloc(a, text.n + 1);
  if (!p) return SVC_S("");
  if (text.n) memcpy(p, text.p, text.n);
  p[text.n] = 0;
  return (svc_str){ p, text.n };
}

/* Prints straight into the block: a copy on the stack would stay in memory when the arena is wiped. If a text does not fit,
** the C library keeps its end on the stack: so a secret is assembled in a svc_buf instead. */
SVC_PRIVATE svc_str svc_arena_print(svc_arena *a, const char *format, ...)
{
  char *there = a->next, *p;
  va_list args;
  int n;
  va_start(args, format);
  n = vsnprintf(there, (size_t)(a->end - there), format, args);
  va_end(args);
  if (n < 0) return SVC_S("");
  p = svc_arena_alloc(a, (size_t)n + 1);
  if (!p) return SVC_S("");
  if (p != there) { /* another block: the text did not fit */
    va_start(args, format);
    vsnprintf(p, (size_t)n + 1, format, args);
    va_end(args);
  }
  return (svc_str){ p, (size_t)n };
}

struct svc_shared {
  atomic_uint references;
  svc_allocator allocator;
  char bytes[];
};

SVC_PRIVATE svc_shared *svc_shared_new(const svc_allocator *allocator, size_t n, char **bytes)
{
  svc_shared *shared = n < SIZE_MAX - sizeof *shared ? allocator->resize(allocator->context, NULL, sizeof *shared + n) : NULL;
  if (!shared) return NULL;
  atomic_init(&shared->references, 1);
  shared->allocator = *allocator;
  *bytes = shared->bytes;
  return shared;
}

SVC_PRIVATE void svc_shared_leave(svc_shared *shared)
{
  svc_allocator allocator;
  if (!shared || atomic_fetch_sub(&shared->references, 1) != 1) return;
  allocator = shared->allocator;
  allocator.resize(allocator.context, shared, 0);
}

SVC_PRIVATE bool svc_arena_hold(svc_arena *a, svc_shared *shared)
{
  if ((!a->blocks || a->blocks->holds) && !arena_grow(a, ARENA_ALIGN)) return false;
  (void)atomic_fetch_add(&shared->references, 1);
  a->blocks->holds = shared;
  return true;
}

SVC_PRIVATE void svc_blocks_free(svc_block *block)
{
  while (block) {
    svc_block *next = block->next;
    svc_allocator allocator = block->allocator;
    svc_shared_leave(block->holds);
    if (block->wipe) block->wipe(block + 1, block->size - sizeof *block);
    allocator.resize(allocator.context, block, 0);
    block = next;
  }
}

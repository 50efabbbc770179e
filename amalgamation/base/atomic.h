/*
** Atomic variables: those of <stdatomic.h>, or plain ones in a build for one thread.
**
** -DSVC_ONE_THREAD promises that one thread calls the library. Plain variables are enough then, and compilers
** without <stdatomic.h> can build it. A program that includes svcapi.c together with <stdatomic.h> includes that header first.
**
** The rule: the stand-ins define the operations that svcapi uses, with the results that it uses, and no others. An
** operation that is missing here does not compile, which test/check/warnings.sh finds.
*/
#ifndef SVC_ATOMIC_H
#define SVC_ATOMIC_H

#include <stdbool.h>

#if !defined(SVC_ONE_THREAD) || defined(ATOMIC_FLAG_INIT) /* the latter: the program has included it */

#include <stdatomic.h>

#else

typedef bool atomic_bool;
typedef int atomic_int;
typedef unsigned atomic_uint;
typedef unsigned long atomic_ulong;
typedef bool atomic_flag;

#define atomic_init(p, v) ((void)(*(p) = (v)))
#define atomic_load(p) (*(p))
#define atomic_load_explicit(p, order) (*(p))
#define atomic_store(p, v) ((void)(*(p) = (v)))
#define atomic_store_explicit(p, v, order) ((void)(*(p) = (v)))
#define atomic_fetch_add(p, v) SVC_PLAIN(add, p)((p), (v))
#define atomic_fetch_sub(p, v) SVC_PLAIN(sub, p)((p), (v))
#define atomic_fetch_add_explicit(p, v, order) ((void)(*(p) += (v)))
#define atomic_fetch_and(p, v) ((void)(*(p) &= (v)))
#define atomic_fetch_or(p, v) ((void)(*(p) |= (v)))
#define atomic_compare_exchange_weak(p, was, v) (*(p) == *(was) ? (*(p) = (v), true) : (*(was) = *(p), false))
#define atomic_exchange(p, v) svc_plain_exchange((p), (v))
#define atomic_flag_test_and_set(p) svc_plain_exchange((p), true)
#define atomic_flag_clear(p) ((void)(*(p) = false))

/* These return the value before, which is often ignored. */
#define SVC_PLAIN(what, p) \
  _Generic((p), int *: svc_plain_##what##_int, unsigned *: svc_plain_##what##_uint, unsigned long *: svc_plain_##what##_ulong)
#define SVC_PLAIN_OF(name, type) \
  static inline type svc_plain_add_##name(type *p, type v) { return (*p += v) - v; } \
  static inline type svc_plain_sub_##name(type *p, type v) { return (*p -= v) + v; }
SVC_PLAIN_OF(int, int)
SVC_PLAIN_OF(uint, unsigned)
SVC_PLAIN_OF(ulong, unsigned long)

/* Only flags are exchanged. */
static inline bool svc_plain_exchange(bool *p, bool v)
{
  const bool was = *p;
  *p = v;
  return was;
}

#endif

#endif

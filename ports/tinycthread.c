/*
** Locks, from tinycthread 1.2: as its authors publish it, or as a copy with all its names behind tct_, which
** build.sh fetches. Prefer the copy in a program that uses <threads.h> of its C library: the authors' version takes those names,
** with other values behind them.
**
** Only this file includes its header, because the renamed copy poisons the C11 names. Lock and unlock cannot fail on an
** initialised plain mutex, so their results are ignored.
**
** -DSVC_ONE_THREAD compiles empty locks, for platforms without threads (WebAssembly) and for programs that call svcapi from one thread
** only.
*/
#include "ports/ports.h"

#ifdef SVC_ONE_THREAD

SVC_PRIVATE bool svc_mutex_init(svc_mutex *m)
{
  memset(m, 0, sizeof *m);
  return true;
}

SVC_PRIVATE void svc_mutex_destroy(svc_mutex *m)
{
  (void)m;
}

SVC_PRIVATE void svc_mutex_lock(svc_mutex *m)
{
  (void)m;
}

SVC_PRIVATE void svc_mutex_unlock(svc_mutex *m)
{
  (void)m;
}

SVC_PRIVATE bool svc_condition_init(svc_condition *c)
{
  memset(c, 0, sizeof *c);
  return true;
}

SVC_PRIVATE void svc_condition_destroy(svc_condition *c)
{
  (void)c;
}

/* No other thread could signal it: waiting would never end. */
SVC_PRIVATE void svc_condition_wait(svc_condition *c, svc_mutex *m)
{
  (void)c;
  (void)m;
  abort();
}

SVC_PRIVATE void svc_condition_signal(svc_condition *c)
{
  (void)c;
}

SVC_PRIVATE void svc_thread_yield(void)
{
}

#else

#include <tinycthread.h>

#ifndef tct_mtx_plain /* the authors' own version */
#define tct_mtx_plain mtx_plain
#define tct_thrd_success thrd_success
#define tct_mtx_t mtx_t
#define tct_cnd_t cnd_t
#define tct_mtx_init mtx_init
#define tct_mtx_destroy mtx_destroy
#define tct_mtx_lock mtx_lock
#define tct_mtx_unlock mtx_unlock
#define tct_cnd_init cnd_init
#define tct_cnd_destroy cnd_destroy
#define tct_cnd_wait cnd_wait
#define tct_cnd_signal cnd_signal
#define tct_thrd_yield thrd_yield
#endif

_Static_assert(sizeof(tct_mtx_t) <= sizeof(svc_mutex), "svc_mutex has too little space");
_Static_assert(sizeof(tct_cnd_t) <= sizeof(svc_condition), "svc_condition has too little space");

SVC_PRIVATE bool svc_mutex_init(svc_mutex *m)
{
  return tct_mtx_init((tct_mtx_t *)(void *)m, tct_mtx_plain) == tct_thrd_success;
}

SVC_PRIVATE void svc_mutex_destroy(svc_mutex *m)
{
  tct_mtx_destroy((tct_mtx_t *)(void *)m);
}

SVC_PRIVATE void svc_mutex_lock(svc_mutex *m)
{
  tct_mtx_lock((tct_mtx_t *)(void *)m);
}

SVC_PRIVATE void svc_mutex_unlock(svc_mutex *m)
{
  tct_mtx_unlock((tct_mtx_t *)(void *)m);
}

SVC_PRIVATE bool svc_condition_init(svc_condition *c)
{
  return tct_cnd_init((tct_cnd_t *)(void *)c) == tct_thrd_success;
}

SVC_PRIVATE void svc_condition_destroy(svc_condition *c)
{
  tct_cnd_destroy((tct_cnd_t *)(void *)c);
}

SVC_PRIVATE void svc_condition_wait(svc_condition *c, svc_mutex *m)
{
  tct_cnd_wait((tct_cnd_t *)(void *)c, (tct_mtx_t *)(void *)m);
}

SVC_PRIVATE void svc_condition_signal(svc_condition *c)
{
  tct_cnd_signal((tct_cnd_t *)(void *)c);
}

SVC_PRIVATE void svc_thread_yield(void)
{
  tct_thrd_yield();
}

#endif /* SVC_ONE_THREAD */

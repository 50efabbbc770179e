/*
** Calls to the system that fail: the linker puts the functions of faults.c before those of the C library (rules.mk), for our code, for
** LMDB and for mbedTLS. Nothing fails unless it is told to; then the n-th call of one kind does, or all from that one on.
*/
#ifndef SVC_TEST_FAULTS_H
#define SVC_TEST_FAULTS_H

#include <stdbool.h>

enum t_call {
  T_CALL_OPEN,    /* open, fopen */
  T_CALL_READ,    /* read, pread */
  T_CALL_WRITE,   /* write, pwrite, writev, pwritev */
  T_CALL_SEEK,    /* lseek */
  T_CALL_FLUSH,   /* fsync, fdatasync */
  T_CALL_MAP,     /* mmap */
  T_CALL_CUT,     /* ftruncate */
  T_CALL_STAT,    /* fstat, stat */
  T_CALL_LOCK,    /* flock, fcntl */
  T_CALL_RESERVE, /* posix_fallocate */
  T_CALL_NAME,    /* link, rename, unlink, mkdir, rmdir, mkdtemp */
  T_CALL_MEMORY,  /* malloc, calloc, realloc, strdup, posix_memalign, memalign */
  T_CALL_SOCKET,  /* socket, bind, listen, getsockname, setsockopt, accept, epoll_create1, epoll_ctl, eventfd */
  T_CALL_SEND,    /* send, sendmsg */
  T_CALL_RECEIVE, /* recv, recvfrom */
  T_CALL_WAIT,    /* poll */
  T_CALL_THREAD,  /* pthread_create */
  T_CALL_LOCKS,   /* pthread_mutex_init, pthread_cond_init, pthread_condattr_init */
  T_CALL_LMDB,    /* what may fail of LMDB, whatever it is by */
  T_CALL_CRYPTO,  /* hashes and ciphers of mbedTLS, as a chip may fail that does them */
  T_CALL_SERVER,  /* functions of libpq and of hiredis: test/postgres.c, test/redis.c */
  T_CALLS
};

#define T_SHORT (-1) /* in place of an error: of a read, a write or what is sent only the half is done */

/* The call number `at` (1: the next) of this kind fails with this error; for_good: so do those behind it. */
void t_fault(enum t_call call, long at, int error, bool for_good);
/* Before t_fault(): when that call has failed, the next one of another kind fails, too, with this error. */
void t_fault_then(enum t_call call, int error);
bool t_fault_set(void);  /* one is to fail */
long t_fault_end(void); /* nothing fails any more; how many were to fail, and did */
long t_fault_calls(void); /* calls of that kind since t_fault(), whether they failed or not */
int t_fault_hit(enum t_call call); /* for functions that stand before others elsewhere: not 0, this call fails */
void t_fault_spare(bool on); /* calls of this thread never fail, and do not count: it is the other side */

/* From now on the monotonic clock stands, and is set ahead by so many microseconds; 0: it only stands. It goes again when the process ends. */
void t_clock_stands(long long microseconds);
/*
** The same for all threads but this one, in milliseconds: for a test that runs a listener in its own process, whose loops see deadlines
** pass without waiting for them.
*/
void t_clock_move(long milliseconds);
void t_clock_settle(void); /* waits until the one loop that runs has done all that is to be done by now; what it has sent has arrived */
void t_clock_goes(void);   /* the clock is the real one again */

#endif

/*
** Makes system calls fail. The linker replaces functions of the C library by those in faults.c (rules.mk), for our code, LMDB and
** mbedTLS. By default no call fails. A test makes the n-th call of one kind fail, or every call from the n-th on.
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
  T_CALL_SEND,    /* send, sendto, sendmsg */
  T_CALL_RECEIVE, /* recv, recvfrom */
  T_CALL_WAIT,    /* poll */
  T_CALL_PROGRAM, /* pipe2, posix_spawn, posix_spawnp, waitid */
  T_CALL_THREAD,  /* pthread_create */
  T_CALL_LOCKS,   /* pthread_mutex_init, pthread_cond_init, pthread_condattr_init */
  T_CALL_LMDB,    /* every LMDB function that can fail */
  T_CALL_CRYPTO,  /* hashes and ciphers of mbedTLS, as hardware that computes them may fail */
  T_CALL_SERVER,  /* functions of libpq and hiredis: test/postgres.c, test/redis.c */
  T_CALLS
};

#define T_SHORT (-1) /* instead of an error: a read, write or send transfers only half of its bytes */

/* The call number `at` (1: the next) of this kind fails with this error. With for_good all later calls of the kind fail, too. */
void t_fault(enum t_call call, long at, int error, bool for_good);
/* Called before t_fault(): after the failing call, the next call of the kind `call` fails, too, with this error. */
void t_fault_then(enum t_call call, int error);
bool t_fault_set(void);  /* whether a call is set to fail */
long t_fault_end(void); /* ends the failures; returns how many calls failed */
long t_fault_calls(void); /* calls of that kind since t_fault(), failed or not */
int t_fault_hit(enum t_call call); /* for wrappers in other files: not 0 means that this call must fail */
void t_fault_spare(bool on); /* calls of this thread never fail and are not counted, because it plays the other side */

/* Stops the monotonic clock until the process ends, and sets it ahead by this many further microseconds; 0 only stops it. */
void t_clock_stands(long long microseconds);
/*
** Stops the clock in the same way for all threads except the calling one, and sets it ahead by this many milliseconds. A test
** that runs a listener in its own process uses it: the listener's loops see deadlines pass without waiting.
*/
void t_clock_move(long milliseconds);
void t_clock_settle(void); /* waits until the one running loop has done everything that is due now; all that the loop sent has arrived */
void t_clock_goes(void);   /* restores the real clock */

#endif

/*
** Calls to the system that fail: the linker puts the functions of faults.c before those of the C library (rules.mk), for our code, for
** LMDB and for mbedTLS. Nothing fails unless it is told to; then the n-th call of one kind does, or all from that one on.
*/
#ifndef SVC_TEST_FAULTS_H
#define SVC_TEST_FAULTS_H

#include <stdbool.h>

enum t_call {
  T_CALL_OPEN,    /* open */
  T_CALL_READ,    /* read, pread */
  T_CALL_WRITE,   /* write, pwrite, writev, pwritev */
  T_CALL_SEEK,    /* lseek */
  T_CALL_FLUSH,   /* fsync, fdatasync */
  T_CALL_MAP,     /* mmap */
  T_CALL_CUT,     /* ftruncate */
  T_CALL_STAT,    /* fstat, stat */
  T_CALL_LOCK,    /* flock, fcntl */
  T_CALL_RESERVE, /* posix_fallocate */
  T_CALL_NAME,    /* link, rename, unlink, mkdir, rmdir */
  T_CALL_MEMORY,  /* malloc, calloc, realloc, strdup, posix_memalign, memalign */
  T_CALLS
};

#define T_SHORT (-1) /* in place of an error: of a read or a write only the half is done */

/* The call number `at` (1: the next) of this kind fails with this error; for_good: so do those behind it. */
void t_fault(enum t_call call, long at, int error, bool for_good);
bool t_fault_set(void);  /* one is to fail */
long t_fault_end(void); /* nothing fails any more; how many were to fail, and did */

#endif

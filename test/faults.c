/*
** Calls that fail: see faults.h. Counted over all threads: LMDB makes a copy with a second one. Parts that ask for files of any length
** (_FILE_OFFSET_BITS) call the same by names that end in 64.
*/
#define _GNU_SOURCE
#include "faults.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
  atomic_int call; /* one more than the kind; 0: none */
  atomic_long left, hits;
  int error;
  bool for_good;
} faults;

void t_fault(enum t_call call, long at, int error, bool for_good)
{
  faults.error = error;
  faults.for_good = for_good;
  atomic_store(&faults.hits, 0);
  atomic_store(&faults.left, at);
  atomic_store(&faults.call, (int)call + 1);
}

long t_fault_end(void)
{
  atomic_store(&faults.call, 0);
  return atomic_load(&faults.hits);
}

bool t_fault_set(void)
{
  return atomic_load(&faults.call) != 0;
}

/* 0: it is done as ever; else the error, or T_SHORT. */
static int fails(enum t_call call)
{
  long left;
  if (call == T_CALL_MEMORY && t_fails(T_FAIL_MALLOC)) return errno = ENOMEM;
  if (atomic_load_explicit(&faults.call, memory_order_relaxed) != (int)call + 1) return 0;
  left = atomic_fetch_sub(&faults.left, 1);
  if (left > 1 || (left < 1 && !faults.for_good)) return 0;
  atomic_fetch_add(&faults.hits, 1);
  return errno = faults.error;
}

/* WRAP(kind, type, what it returns when it fails, name, parameters, arguments) */
#define WRAP(kind, type, failed, name, parameters, arguments) \
  type __real_##name parameters; \
  type __wrap_##name parameters; \
  type __wrap_##name parameters \
  { \
    return fails(kind) ? failed : __real_##name arguments; \
  }

WRAP(T_CALL_FLUSH, int, -1, fsync, (int fd), (fd))
WRAP(T_CALL_FLUSH, int, -1, fdatasync, (int fd), (fd))
WRAP(T_CALL_MAP, void *, MAP_FAILED, mmap, (void *at, size_t n, int rights, int flags, int fd, off_t from), (at, n, rights, flags, fd, from))
WRAP(T_CALL_MAP, void *, MAP_FAILED, mmap64, (void *at, size_t n, int rights, int flags, int fd, off64_t from), (at, n, rights, flags, fd, from))
WRAP(T_CALL_CUT, int, -1, ftruncate, (int fd, off_t n), (fd, n))
WRAP(T_CALL_CUT, int, -1, ftruncate64, (int fd, off64_t n), (fd, n))
WRAP(T_CALL_SEEK, off_t, -1, lseek, (int fd, off_t at, int whence), (fd, at, whence))
WRAP(T_CALL_SEEK, off64_t, -1, lseek64, (int fd, off64_t at, int whence), (fd, at, whence))
WRAP(T_CALL_STAT, int, -1, fstat, (int fd, struct stat *st), (fd, st))
WRAP(T_CALL_STAT, int, -1, fstat64, (int fd, struct stat64 *st), (fd, st))
WRAP(T_CALL_STAT, int, -1, stat, (const char *path, struct stat *st), (path, st))
WRAP(T_CALL_STAT, int, -1, stat64, (const char *path, struct stat64 *st), (path, st))
WRAP(T_CALL_LOCK, int, -1, flock, (int fd, int how), (fd, how))
WRAP(T_CALL_RESERVE, int, faults.error, posix_fallocate, (int fd, off_t from, off_t n), (fd, from, n))
WRAP(T_CALL_RESERVE, int, faults.error, posix_fallocate64, (int fd, off64_t from, off64_t n), (fd, from, n))
WRAP(T_CALL_NAME, int, -1, link, (const char *from, const char *to), (from, to))
WRAP(T_CALL_NAME, int, -1, rename, (const char *from, const char *to), (from, to))
WRAP(T_CALL_NAME, int, -1, unlink, (const char *path), (path))
WRAP(T_CALL_NAME, int, -1, rmdir, (const char *path), (path))
WRAP(T_CALL_NAME, int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(T_CALL_MEMORY, void *, NULL, malloc, (size_t n), (n))
WRAP(T_CALL_MEMORY, void *, NULL, calloc, (size_t n, size_t size), (n, size))
WRAP(T_CALL_MEMORY, void *, NULL, realloc, (void *p, size_t n), (p, n))
WRAP(T_CALL_MEMORY, char *, NULL, strdup, (const char *text), (text))
WRAP(T_CALL_MEMORY, void *, NULL, memalign, (size_t to, size_t n), (to, n))
WRAP(T_CALL_MEMORY, int, errno, posix_memalign, (void **out, size_t to, size_t n), (out, to, n))

#define WRAP_OPEN(name) \
  int __real_##name(const char *path, int flags, ...); \
  int __wrap_##name(const char *path, int flags, ...); \
  int __wrap_##name(const char *path, int flags, ...) \
  { \
    va_list args; \
    mode_t mode = 0; \
    va_start(args, flags); \
    if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) mode = va_arg(args, mode_t); \
    va_end(args); \
    return fails(T_CALL_OPEN) ? -1 : __real_##name(path, flags, mode); \
  }
WRAP_OPEN(open)
WRAP_OPEN(open64)

/* A number is passed in the same place as a pointer. */
#define WRAP_FCNTL(name) \
  int __real_##name(int fd, int what, ...); \
  int __wrap_##name(int fd, int what, ...); \
  int __wrap_##name(int fd, int what, ...) \
  { \
    va_list args; \
    void *argument; \
    va_start(args, what); \
    argument = va_arg(args, void *); \
    va_end(args); \
    return fails(T_CALL_LOCK) ? -1 : __real_##name(fd, what, argument); \
  }
WRAP_FCNTL(fcntl)
WRAP_FCNTL(fcntl64)

/* Of reads and writes the half may be done. */
#define WRAP_PART(kind, name, parameters, arguments, half) \
  ssize_t __real_##name parameters; \
  ssize_t __wrap_##name parameters; \
  ssize_t __wrap_##name parameters \
  { \
    int error = fails(kind); \
    return !error ? __real_##name arguments : error == T_SHORT ? __real_##name half : -1; \
  }

WRAP_PART(T_CALL_READ, read, (int fd, void *to, size_t n), (fd, to, n), (fd, to, n / 2))
WRAP_PART(T_CALL_READ, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at), (fd, to, n / 2, at))
WRAP_PART(T_CALL_READ, pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at), (fd, to, n / 2, at))
WRAP_PART(T_CALL_WRITE, write, (int fd, const void *from, size_t n), (fd, from, n), (fd, from, n / 2))
WRAP_PART(T_CALL_WRITE, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at), (fd, from, n / 2, at))
WRAP_PART(T_CALL_WRITE, pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at), (fd, from, n / 2, at))
WRAP_PART(T_CALL_WRITE, writev, (int fd, const struct iovec *from, int n), (fd, from, n), (fd, from, (n + 1) / 2))
WRAP_PART(T_CALL_WRITE, pwritev, (int fd, const struct iovec *from, int n, off_t at), (fd, from, n, at), (fd, from, (n + 1) / 2, at))
WRAP_PART(T_CALL_WRITE, pwritev64, (int fd, const struct iovec *from, int n, off64_t at), (fd, from, n, at), (fd, from, (n + 1) / 2, at))

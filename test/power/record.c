/*
** Loaded into a program with LD_PRELOAD: see power.h. The program's file operations happen normally. Each successful one is
** logged with a single write, so the log has the operations of all threads and processes in their order.
**
** The rule: every change to a file below $POWER_ROOT is logged, if the program makes it by a function of this file. A writable map, a
** name that comes from outside of $POWER_ROOT, and the functions at the end of this file cannot be logged and end the program.
*/
#define _GNU_SOURCE
#include "power.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define RECORD_FILES 4096

static struct {
  int log;
  char root[PATH_MAX];
  size_t root_length;
  bool ours[RECORD_FILES];
} rec = { .log = -1 };

#define REAL(type, name, ...) \
  type (*real)(__VA_ARGS__) = (type (*)(__VA_ARGS__))(uintptr_t)dlsym(RTLD_NEXT, #name)

static void record(int kind, int fd, uint64_t offset, uint64_t value, const void *text, size_t n)
{
  const power_record r = { (uint32_t)kind, (uint32_t)n, (int32_t)getpid(), fd, offset, value };
  const struct iovec parts[2] = { { (void *)(uintptr_t)&r, sizeof r }, { (void *)(uintptr_t)text, n } };
  REAL(ssize_t, writev, int, const struct iovec *, int);
  const int error = errno;
  if (real(rec.log, parts, 2) != (ssize_t)(sizeof r + n)) abort();
  errno = error;
}

__attribute__((constructor)) static void record_begin(void)
{
  REAL(int, open, const char *, int, ...);
  const char *log = getenv("POWER_LOG"), *root = getenv("POWER_ROOT");
  if (!log || !root) return;
  rec.log = real(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (rec.log < 0) abort();
  rec.root_length = (size_t)snprintf(rec.root, sizeof rec.root, "%s/", root);
}

/* Called by the program itself, to log what it was told. */
__attribute__((visibility("default"))) void power_mark(const char *text)
{
  if (rec.log >= 0) record(POWER_MARK, -1, 0, 0, text, strlen(text));
}

static bool is_ours(const char *path)
{
  return rec.log >= 0 && (strncmp(path, rec.root, rec.root_length) == 0 ||
                          (strlen(path) + 1 == rec.root_length && strncmp(path, rec.root, rec.root_length - 1) == 0));
}

static bool is_open(int fd)
{
  return fd >= 0 && fd < RECORD_FILES && rec.ours[fd];
}

/* ----------------------------------------------------------------------------------------------------------------- files */

static int record_open(const char *path, int flags, int fd)
{
  size_t n = strlen(path);
  if (fd < 0 || !is_ours(path)) return fd;
  while (n > 1 && path[n - 1] == '/') n--; /* for folders */
  if (fd >= RECORD_FILES) abort();
  rec.ours[fd] = true;
  record(POWER_OPEN, fd, 0, (flags & (O_SYNC | O_DSYNC) ? 1 : 0) | (flags & O_TRUNC ? 2 : 0), path, n);
  return fd;
}

static mode_t mode_of(int flags, va_list args)
{
  return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? va_arg(args, mode_t) : 0;
}

#define OPENER(name) \
  int name(const char *path, int flags, ...) \
  { \
    REAL(int, name, const char *, int, ...); \
    va_list args; \
    mode_t mode; \
    va_start(args, flags); \
    mode = mode_of(flags, args); \
    va_end(args); \
    return record_open(path, flags, real(path, flags, mode)); \
  }
OPENER(open)
OPENER(open64)

int close(int fd)
{
  REAL(int, close, int);
  if (is_open(fd)) {
    rec.ours[fd] = false;
    record(POWER_CLOSE, fd, 0, 0, "", 0);
  }
  return real(fd);
}

static ssize_t record_write(int fd, const void *bytes, ssize_t n, off64_t at)
{
  if (n > 0 && is_open(fd)) record(POWER_WRITE, fd, (uint64_t)at, 0, bytes, (size_t)n);
  return n;
}

#define PWRITER(name, type) \
  ssize_t name(int fd, const void *bytes, size_t n, type at) \
  { \
    REAL(ssize_t, name, int, const void *, size_t, type); \
    return record_write(fd, bytes, real(fd, bytes, n, at), at); \
  }
PWRITER(pwrite, off_t)
PWRITER(pwrite64, off64_t)

ssize_t write(int fd, const void *bytes, size_t n)
{
  REAL(ssize_t, write, int, const void *, size_t);
  const off_t at = is_open(fd) ? lseek(fd, 0, SEEK_CUR) : 0;
  return record_write(fd, bytes, real(fd, bytes, n), at);
}

#define PWRITEVER(name, type) \
  ssize_t name(int fd, const struct iovec *parts, int n, type at) \
  { \
    REAL(ssize_t, name, int, const struct iovec *, int, type); \
    ssize_t all = real(fd, parts, n, at), left = all; \
    int i; \
    for (i = 0; i < n && left > 0; i++) { \
      const ssize_t part = (ssize_t)parts[i].iov_len < left ? (ssize_t)parts[i].iov_len : left; \
      record_write(fd, parts[i].iov_base, part, at + (all - left)); \
      left -= part; \
    } \
    return all; \
  }
PWRITEVER(pwritev, off_t)
PWRITEVER(pwritev64, off64_t)

ssize_t writev(int fd, const struct iovec *parts, int n)
{
  REAL(ssize_t, writev, int, const struct iovec *, int);
  off_t at = is_open(fd) ? lseek(fd, 0, SEEK_CUR) : 0;
  ssize_t all = real(fd, parts, n), left = all;
  int i;
  for (i = 0; i < n && left > 0 && is_open(fd); i++) {
    const ssize_t part = (ssize_t)parts[i].iov_len < left ? (ssize_t)parts[i].iov_len : left;
    record_write(fd, parts[i].iov_base, part, at + (all - left));
    left -= part;
  }
  return all;
}

#define CUTTER(name, type) \
  int name(int fd, type length) \
  { \
    REAL(int, name, int, type); \
    int rc = real(fd, length); \
    if (rc == 0 && is_open(fd)) record(POWER_CUT, fd, (uint64_t)length, 0, "", 0); \
    return rc; \
  }
CUTTER(ftruncate, off_t)
CUTTER(ftruncate64, off64_t)

/* Reserving space may make the file longer. */
#define RESERVER(name, type) \
  int name(int fd, type from, type length) \
  { \
    REAL(int, name, int, type, type); \
    int rc = real(fd, from, length); \
    struct stat st; \
    if (rc == 0 && is_open(fd) && fstat(fd, &st) == 0) record(POWER_CUT, fd, (uint64_t)st.st_size, 0, "", 0); \
    return rc; \
  }
RESERVER(posix_fallocate, off_t)
RESERVER(posix_fallocate64, off64_t)

#define FLUSHER(name) \
  int name(int fd) \
  { \
    REAL(int, name, int); \
    int rc = real(fd); \
    if (rc == 0 && is_open(fd)) record(POWER_FLUSH, fd, 0, 0, "", 0); \
    return rc; \
  }
FLUSHER(fsync)
FLUSHER(fdatasync)

/* ----------------------------------------------------------------------------------------------------------------- names */

static int record_two(int kind, const char *from, const char *to, int rc)
{
  char both[2 * PATH_MAX];
  int n;
  if (rc != 0 || !is_ours(to)) return rc;
  if (!is_ours(from)) abort(); /* files from outside $POWER_ROOT are not logged */
  n = snprintf(both, sizeof both, "%s%c%s", from, 0, to);
  if (n < 0 || (size_t)n >= sizeof both) abort();
  record(kind, -1, 0, 0, both, (size_t)n);
  return rc;
}

int rename(const char *from, const char *to)
{
  REAL(int, rename, const char *, const char *);
  return record_two(POWER_RENAME, from, to, real(from, to));
}

int link(const char *from, const char *to)
{
  REAL(int, link, const char *, const char *);
  return record_two(POWER_LINK, from, to, real(from, to));
}

#define NAMER(name, kind) \
  int name(const char *path) \
  { \
    REAL(int, name, const char *); \
    int rc = real(path); \
    if (rc == 0 && is_ours(path)) record(kind, -1, 0, 0, path, strlen(path)); \
    return rc; \
  }
NAMER(unlink, POWER_REMOVE)
NAMER(rmdir, POWER_REMOVE)

int mkdir(const char *path, mode_t mode)
{
  REAL(int, mkdir, const char *, mode_t);
  int rc = real(path, mode);
  if (rc == 0 && is_ours(path)) record(POWER_FOLDER, -1, 0, 0, path, strlen(path));
  return rc;
}

/* ------------------------------------------------------------------------------------------- operations that cannot be logged */

static bool is_lock(int fd)
{
  char name[64], path[PATH_MAX];
  ssize_t n;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  n = readlink(name, path, sizeof path - 1);
  if (n < 0) return false;
  path[n] = 0;
  return strlen(path) > 8 && strcmp(path + strlen(path) - 8, "lock.mdb") == 0; /* each program that opens this file rewrites it */
}

#define MAPPER(name, type) \
  void *name(void *at, size_t n, int rights, int flags, int fd, type from) \
  { \
    REAL(void *, name, void *, size_t, int, int, int, type); \
    if (is_open(fd) && rights & PROT_WRITE && flags & MAP_SHARED && !is_lock(fd)) abort(); \
    return real(at, n, rights, flags, fd, from); \
  }
MAPPER(mmap, off_t)
MAPPER(mmap64, off64_t)

/* Other functions that change files or names: the store uses none of them. */
#define REFUSER(type, name, refused, parameters, arguments) \
  type name parameters \
  { \
    type (*real) parameters = (type (*) parameters)(uintptr_t)dlsym(RTLD_NEXT, #name); \
    if (refused) abort(); \
    return real arguments; \
  }
REFUSER(int, creat, is_ours(path), (const char *path, mode_t mode), (path, mode))
REFUSER(int, creat64, is_ours(path), (const char *path, mode_t mode), (path, mode))
REFUSER(int, truncate, is_ours(path), (const char *path, off_t n), (path, n))
REFUSER(int, truncate64, is_ours(path), (const char *path, off64_t n), (path, n))
REFUSER(int, unlinkat, is_open(in) || is_ours(path), (int in, const char *path, int flags), (in, path, flags))
REFUSER(int, renameat, is_open(in) || is_open(to) || is_ours(a) || is_ours(b), (int in, const char *a, int to, const char *b),
        (in, a, to, b))
REFUSER(int, renameat2, is_open(in) || is_open(to) || is_ours(a) || is_ours(b),
        (int in, const char *a, int to, const char *b, unsigned flags), (in, a, to, b, flags))
REFUSER(ssize_t, copy_file_range, is_open(to), (int from, off64_t *a, int to, off64_t *b, size_t n, unsigned flags),
        (from, a, to, b, n, flags))
REFUSER(ssize_t, sendfile, is_open(to), (int to, int from, off_t *at, size_t n), (to, from, at, n))
REFUSER(ssize_t, sendfile64, is_open(to), (int to, int from, off64_t *at, size_t n), (to, from, at, n))

#define OPENER_AT(name) \
  int name(int in, const char *path, int flags, ...) \
  { \
    REAL(int, name, int, const char *, int, ...); \
    va_list args; \
    mode_t mode; \
    va_start(args, flags); \
    mode = mode_of(flags, args); \
    va_end(args); \
    if ((is_open(in) || is_ours(path)) && flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) abort(); \
    return real(in, path, flags, mode); \
  }
OPENER_AT(openat)
OPENER_AT(openat64)

/*
** Makes system calls fail: see faults.h. Calls are counted over all threads except the spared ones, because LMDB copies with a
** second thread. Files compiled with _FILE_OFFSET_BITS call the same functions by names that end in 64.
*/
#define _GNU_SOURCE
#include "faults.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/gcm.h>
#include <mbedtls/md5.h>
#include <mbedtls/pkcs5.h>
#include <mbedtls/sha256.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct {
  atomic_int call; /* the kind plus one; 0: none */
  atomic_long left, hits;
  long at;
  atomic_int error;
  atomic_bool for_good;
  atomic_int then, then_error; /* kind plus one, and error, of the call that fails after that */
} faults;

void t_fault(enum t_call call, long at, int error, bool for_good)
{
  faults.error = error;
  faults.for_good = for_good;
  atomic_store(&faults.hits, 0);
  faults.at = at;
  atomic_store(&faults.left, at);
  atomic_store(&faults.call, (int)call + 1);
}

void t_fault_then(enum t_call call, int error)
{
  faults.then_error = error;
  atomic_store(&faults.then, (int)call + 1);
}

long t_fault_end(void)
{
  atomic_store(&faults.call, 0);
  atomic_store(&faults.then, 0);
  return atomic_load(&faults.hits);
}

long t_fault_calls(void)
{
  return faults.at - atomic_load(&faults.left);
}

static _Thread_local bool spared;

void t_fault_spare(bool on)
{
  spared = on;
}

bool t_fault_set(void)
{
  return atomic_load(&faults.call) != 0;
}

/* Returns 0 if the call is to proceed normally, otherwise the error, or T_SHORT. */
static int fails(enum t_call call)
{
  long left;
  if (spared) return 0;
  if (call == T_CALL_MEMORY && t_fails(T_FAIL_MALLOC)) return errno = ENOMEM;
  if (call == T_CALL_CRYPTO && t_fails(T_FAIL_CRYPTO)) return errno = EIO;
  if (atomic_load_explicit(&faults.call, memory_order_relaxed) != (int)call + 1) return 0;
  left = atomic_fetch_sub(&faults.left, 1);
  if (left > 1 || (left < 1 && !faults.for_good)) return 0;
  atomic_fetch_add(&faults.hits, 1);
  errno = faults.error;
  if (atomic_load(&faults.then)) {
    int hit = errno;
    faults.error = faults.then_error;
    atomic_store(&faults.left, 1);
    atomic_store(&faults.call, atomic_exchange(&faults.then, 0));
    errno = hit;
  }
  return errno;
}

int t_fault_hit(enum t_call call)
{
  return fails(call);
}

/* The offset type of the functions without 64 in their names. base.h makes off_t 64 bits wide in this file. */
typedef long plain_off;

/* ------------------------------------------------------------------------------------------------------------- the clock */

enum { CLOCK_TURN_MS = 2 }; /* longest sleep of a loop in ms while the other threads' clock is stopped */

static struct {
  atomic_bool stands;
  bool spares;     /* the clock of the owner goes on */
  pthread_t owner;
  struct timespec from, from_raw; /* CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW when they stopped */
  atomic_llong ahead;             /* microseconds */
  atomic_long turns;              /* turns of loops: calls of epoll_wait() that may sleep */
} fake;

int __real_clock_gettime(clockid_t which, struct timespec *out);
int __wrap_clock_gettime(clockid_t which, struct timespec *out);
int __wrap_clock_gettime(clockid_t which, struct timespec *out)
{
  const bool raw = which == CLOCK_MONOTONIC_RAW;
  long long us, ns;
  if (!atomic_load(&fake.stands) || (which != CLOCK_MONOTONIC && !raw)) return __real_clock_gettime(which, out);
  if (fake.spares && pthread_equal(pthread_self(), fake.owner)) return __real_clock_gettime(which, out);
  *out = raw ? fake.from_raw : fake.from;
  us = atomic_load(&fake.ahead);
  ns = out->tv_nsec + us % 1000000 * 1000;
  out->tv_sec += (time_t)(us / 1000000 + ns / 1000000000);
  out->tv_nsec = (long)(ns % 1000000000);
  return 0;
}

static void clock_ahead(bool spares, long long microseconds)
{
  atomic_fetch_add(&fake.ahead, microseconds);
  if (atomic_load(&fake.stands)) return;
  __real_clock_gettime(CLOCK_MONOTONIC, &fake.from);
  __real_clock_gettime(CLOCK_MONOTONIC_RAW, &fake.from_raw);
  fake.owner = pthread_self();
  fake.spares = spares;
  atomic_store(&fake.stands, true);
}

void t_clock_stands(long long microseconds)
{
  clock_ahead(false, microseconds);
}

int __real_epoll_wait(int on, struct epoll_event *events, int most, int ms);
int __wrap_epoll_wait(int on, struct epoll_event *events, int most, int ms);
int __wrap_epoll_wait(int on, struct epoll_event *events, int most, int ms)
{
  if (ms != 0) atomic_fetch_add(&fake.turns, 1);
  if (ms > CLOCK_TURN_MS && atomic_load(&fake.stands) && fake.spares) ms = CLOCK_TURN_MS;
  return __real_epoll_wait(on, events, most, ms);
}

void t_clock_move(long milliseconds)
{
  clock_ahead(true, milliseconds * 1000LL);
}

/* The current turn may have read the clock already. The next turn has looked at everything when the third turn begins. */
void t_clock_settle(void)
{
  const struct timespec pause = { 0, 200000 };
  const long from = atomic_load(&fake.turns);
  int tries;
  clock_ahead(true, 0);
  for (tries = 0; tries < 100000 && atomic_load(&fake.turns) < from + 3; tries++) nanosleep(&pause, NULL);
  if (tries < 100000) return;
  fprintf(stderr, "t_clock_settle: no loop turns\n");
  abort();
}

void t_clock_goes(void)
{
  atomic_store(&fake.stands, false);
}

/* -------------------------------------------------------------------------------------------------------------- the calls */

/* WRAP(kind, type, return value of a failure, name, parameters, arguments) */
#define WRAP(kind, type, failed, name, parameters, arguments) \
  type __real_##name parameters; \
  type __wrap_##name parameters; \
  type __wrap_##name parameters \
  { \
    return fails(kind) ? failed : __real_##name arguments; \
  }

WRAP(T_CALL_FLUSH, int, -1, fsync, (int fd), (fd))
WRAP(T_CALL_FLUSH, int, -1, fdatasync, (int fd), (fd))
WRAP(T_CALL_MAP, void *, MAP_FAILED, mmap, (void *at, size_t n, int rights, int flags, int fd, plain_off from), (at, n, rights, flags, fd, from))
WRAP(T_CALL_MAP, void *, MAP_FAILED, mmap64, (void *at, size_t n, int rights, int flags, int fd, off64_t from), (at, n, rights, flags, fd, from))
WRAP(T_CALL_CUT, int, -1, ftruncate, (int fd, plain_off n), (fd, n))
WRAP(T_CALL_CUT, int, -1, ftruncate64, (int fd, off64_t n), (fd, n))
WRAP(T_CALL_SEEK, plain_off, -1, lseek, (int fd, plain_off at, int whence), (fd, at, whence))
WRAP(T_CALL_SEEK, off64_t, -1, lseek64, (int fd, off64_t at, int whence), (fd, at, whence))
WRAP(T_CALL_STAT, int, -1, fstat, (int fd, struct stat *st), (fd, st))
WRAP(T_CALL_STAT, int, -1, fstat64, (int fd, struct stat64 *st), (fd, st))
WRAP(T_CALL_STAT, int, -1, stat, (const char *path, struct stat *st), (path, st))
WRAP(T_CALL_STAT, int, -1, stat64, (const char *path, struct stat64 *st), (path, st))
WRAP(T_CALL_LOCK, int, -1, flock, (int fd, int how), (fd, how))
WRAP(T_CALL_RESERVE, int, faults.error, posix_fallocate, (int fd, plain_off from, plain_off n), (fd, from, n))
WRAP(T_CALL_RESERVE, int, faults.error, posix_fallocate64, (int fd, off64_t from, off64_t n), (fd, from, n))
WRAP(T_CALL_NAME, int, -1, link, (const char *from, const char *to), (from, to))
WRAP(T_CALL_NAME, int, -1, rename, (const char *from, const char *to), (from, to))
WRAP(T_CALL_NAME, int, -1, unlink, (const char *path), (path))
WRAP(T_CALL_NAME, int, -1, rmdir, (const char *path), (path))
WRAP(T_CALL_NAME, int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(T_CALL_NAME, char *, NULL, mkdtemp, (char *path), (path))
WRAP(T_CALL_MEMORY, void *, NULL, malloc, (size_t n), (n))
WRAP(T_CALL_MEMORY, void *, NULL, calloc, (size_t n, size_t size), (n, size))
WRAP(T_CALL_MEMORY, void *, NULL, realloc, (void *p, size_t n), (p, n))
WRAP(T_CALL_MEMORY, char *, NULL, strdup, (const char *text), (text))
WRAP(T_CALL_MEMORY, void *, NULL, memalign, (size_t to, size_t n), (to, n))
WRAP(T_CALL_MEMORY, int, errno, posix_memalign, (void **out, size_t to, size_t n), (out, to, n))

WRAP(T_CALL_OPEN, FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
WRAP(T_CALL_OPEN, FILE *, NULL, fopen64, (const char *path, const char *mode), (path, mode))
WRAP(T_CALL_SOCKET, int, -1, socket, (int family, int kind, int protocol), (family, kind, protocol))
WRAP(T_CALL_SOCKET, int, -1, bind, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n))
WRAP(T_CALL_SOCKET, int, -1, listen, (int fd, int n), (fd, n))
WRAP(T_CALL_SOCKET, int, -1, getsockname, (int fd, struct sockaddr *a, socklen_t *n), (fd, a, n))
WRAP(T_CALL_SOCKET, int, -1, setsockopt, (int fd, int level, int name, const void *p, socklen_t n), (fd, level, name, p, n))
WRAP(T_CALL_SOCKET, int, -1, accept, (int fd, struct sockaddr *a, socklen_t *n), (fd, a, n))
WRAP(T_CALL_SOCKET, int, -1, epoll_create1, (int flags), (flags))
WRAP(T_CALL_SOCKET, int, -1, epoll_ctl, (int on, int what, int fd, struct epoll_event *e), (on, what, fd, e))
WRAP(T_CALL_SOCKET, int, -1, eventfd, (unsigned n, int flags), (n, flags))
WRAP(T_CALL_PROGRAM, int, -1, pipe2, (int fds[2], int flags), (fds, flags))
WRAP(T_CALL_PROGRAM, int, faults.error, posix_spawn, (pid_t *pid, const char *file, const posix_spawn_file_actions_t *files, const posix_spawnattr_t *how, char *const argv[], char *const env[]), (pid, file, files, how, argv, env))
WRAP(T_CALL_PROGRAM, int, faults.error, posix_spawnp, (pid_t *pid, const char *file, const posix_spawn_file_actions_t *files, const posix_spawnattr_t *how, char *const argv[], char *const env[]), (pid, file, files, how, argv, env))
WRAP(T_CALL_PROGRAM, int, -1, waitid, (idtype_t type, id_t id, siginfo_t *about, int options), (type, id, about, options))
WRAP(T_CALL_WAIT, int, -1, poll, (struct pollfd *p, nfds_t n, int ms), (p, n, ms))
WRAP(T_CALL_THREAD, int, faults.error, pthread_create, (pthread_t *t, const pthread_attr_t *how, void *(*run)(void *), void *with), (t, how, run, with))
WRAP(T_CALL_LOCKS, int, faults.error, pthread_mutex_init, (pthread_mutex_t *lock, const pthread_mutexattr_t *how), (lock, how))
WRAP(T_CALL_LOCKS, int, faults.error, pthread_cond_init, (pthread_cond_t *cond, const pthread_condattr_t *how), (cond, how))
WRAP(T_CALL_LOCKS, int, faults.error, pthread_condattr_init, (pthread_condattr_t *how), (how))

WRAP(T_CALL_LMDB, int, faults.error, mdb_env_create, (MDB_env **env), (env))
WRAP(T_CALL_LMDB, int, faults.error, mdb_env_open, (MDB_env *env, const char *path, unsigned flags, mdb_mode_t mode), (env, path, flags, mode))
WRAP(T_CALL_LMDB, int, faults.error, mdb_env_set_mapsize, (MDB_env *env, size_t n), (env, n))
WRAP(T_CALL_LMDB, int, faults.error, mdb_env_set_maxreaders, (MDB_env *env, unsigned n), (env, n))
WRAP(T_CALL_LMDB, int, faults.error, mdb_env_info, (MDB_env *env, MDB_envinfo *info), (env, info))
WRAP(T_CALL_LMDB, int, faults.error, mdb_env_stat, (MDB_env *env, MDB_stat *stat), (env, stat))
WRAP(T_CALL_LMDB, int, faults.error, mdb_env_get_fd, (MDB_env *env, mdb_filehandle_t *fd), (env, fd))
WRAP(T_CALL_LMDB, int, faults.error, mdb_env_copyfd2, (MDB_env *env, mdb_filehandle_t fd, unsigned flags), (env, fd, flags))
WRAP(T_CALL_LMDB, int, faults.error, mdb_txn_begin, (MDB_env *env, MDB_txn *parent, unsigned flags, MDB_txn **txn), (env, parent, flags, txn))
WRAP(T_CALL_LMDB, int, faults.error, mdb_txn_renew, (MDB_txn *txn), (txn))
WRAP(T_CALL_LMDB, int, faults.error, mdb_dbi_open, (MDB_txn *txn, const char *name, unsigned flags, MDB_dbi *dbi), (txn, name, flags, dbi))
WRAP(T_CALL_LMDB, int, faults.error, mdb_cursor_open, (MDB_txn *txn, MDB_dbi dbi, MDB_cursor **cursor), (txn, dbi, cursor))
WRAP(T_CALL_LMDB, int, faults.error, mdb_cursor_get, (MDB_cursor *cursor, MDB_val *key, MDB_val *value, MDB_cursor_op op), (cursor, key, value, op))
WRAP(T_CALL_LMDB, int, faults.error, mdb_cursor_put, (MDB_cursor *cursor, MDB_val *key, MDB_val *value, unsigned flags), (cursor, key, value, flags))
WRAP(T_CALL_LMDB, int, faults.error, mdb_get, (MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *value), (txn, dbi, key, value))
WRAP(T_CALL_LMDB, int, faults.error, mdb_put, (MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *value, unsigned flags), (txn, dbi, key, value, flags))

#define BYTES const unsigned char *
WRAP(T_CALL_CRYPTO, int, -EIO, mbedtls_ctr_drbg_seed, (mbedtls_ctr_drbg_context *c, int (*entropy)(void *, unsigned char *, size_t), void *of, BYTES own, size_t n), (c, entropy, of, own, n))
WRAP(T_CALL_CRYPTO, int, -EIO, mbedtls_sha256, (BYTES text, size_t n, unsigned char *out, int is224), (text, n, out, is224))
WRAP(T_CALL_CRYPTO, int, -EIO, mbedtls_md5, (BYTES text, size_t n, unsigned char out[16]), (text, n, out))
WRAP(T_CALL_CRYPTO, int, -EIO, mbedtls_md_hmac, (const mbedtls_md_info_t *md, BYTES key, size_t key_size, BYTES text, size_t n, unsigned char *out), (md, key, key_size, text, n, out))
WRAP(T_CALL_CRYPTO, int, -EIO, mbedtls_gcm_setkey, (mbedtls_gcm_context *c, mbedtls_cipher_id_t cipher, BYTES key, unsigned bits), (c, cipher, key, bits))
WRAP(T_CALL_CRYPTO, int, -EIO, mbedtls_gcm_crypt_and_tag, (mbedtls_gcm_context *c, int mode, size_t n, BYTES iv, size_t iv_size, BYTES add, size_t add_size, BYTES in, unsigned char *out, size_t tag_size, unsigned char *tag), (c, mode, n, iv, iv_size, add, add_size, in, out, tag_size, tag))
WRAP(T_CALL_CRYPTO, int, -EIO, mbedtls_gcm_auth_decrypt, (mbedtls_gcm_context *c, size_t n, BYTES iv, size_t iv_size, BYTES add, size_t add_size, BYTES tag, size_t tag_size, BYTES in, unsigned char *out), (c, n, iv, iv_size, add, add_size, tag, tag_size, in, out))
WRAP(T_CALL_CRYPTO, int, -EIO, mbedtls_pkcs5_pbkdf2_hmac_ext, (mbedtls_md_type_t md, BYTES password, size_t n, BYTES salt, size_t salt_size, unsigned rounds, uint32_t size, unsigned char *out), (md, password, n, salt, salt_size, rounds, size, out))

/* A failed commit ends the transaction, too. */
int __real_mdb_txn_commit(MDB_txn *txn);
int __wrap_mdb_txn_commit(MDB_txn *txn);
int __wrap_mdb_txn_commit(MDB_txn *txn)
{
  if (!fails(T_CALL_LMDB)) return __real_mdb_txn_commit(txn);
  mdb_txn_abort(txn);
  return faults.error;
}

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

/* A number is passed in the same way as a pointer. */
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

/* Reads and writes may transfer half of the bytes. */
#define WRAP_PART(kind, name, parameters, arguments, half) \
  ssize_t __real_##name parameters; \
  ssize_t __wrap_##name parameters; \
  ssize_t __wrap_##name parameters \
  { \
    int error = fails(kind); \
    return !error ? __real_##name arguments : error == T_SHORT ? __real_##name half : -1; \
  }

WRAP_PART(T_CALL_READ, read, (int fd, void *to, size_t n), (fd, to, n), (fd, to, n / 2))
WRAP_PART(T_CALL_READ, pread, (int fd, void *to, size_t n, plain_off at), (fd, to, n, at), (fd, to, n / 2, at))
WRAP_PART(T_CALL_READ, pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at), (fd, to, n / 2, at))
WRAP_PART(T_CALL_WRITE, write, (int fd, const void *from, size_t n), (fd, from, n), (fd, from, n / 2))
WRAP_PART(T_CALL_WRITE, pwrite, (int fd, const void *from, size_t n, plain_off at), (fd, from, n, at), (fd, from, n / 2, at))
WRAP_PART(T_CALL_WRITE, pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at), (fd, from, n / 2, at))
WRAP_PART(T_CALL_WRITE, writev, (int fd, const struct iovec *from, int n), (fd, from, n), (fd, from, (n + 1) / 2))
WRAP_PART(T_CALL_WRITE, pwritev, (int fd, const struct iovec *from, int n, plain_off at), (fd, from, n, at), (fd, from, (n + 1) / 2, at))
WRAP_PART(T_CALL_WRITE, pwritev64, (int fd, const struct iovec *from, int n, off64_t at), (fd, from, n, at), (fd, from, (n + 1) / 2, at))
WRAP_PART(T_CALL_SEND, send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags), (fd, from, (n + 1) / 2, flags))
WRAP_PART(T_CALL_SEND, sendto, (int fd, const void *from, size_t n, int flags, const struct sockaddr *a, socklen_t size), (fd, from, n, flags, a, size),
          (fd, from, (n + 1) / 2, flags, a, size))
WRAP_PART(T_CALL_RECEIVE, recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags), (fd, to, (n + 1) / 2, flags))
WRAP_PART(T_CALL_RECEIVE, recvfrom, (int fd, void *to, size_t n, int flags, struct sockaddr *a, socklen_t *size), (fd, to, n, flags, a, size),
          (fd, to, (n + 1) / 2, flags, a, size))

/* With T_SHORT, sends half of the first part. */
ssize_t __real_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags)
{
  struct iovec part;
  struct msghdr some = *m;
  int error = fails(T_CALL_SEND);
  if (error && error != T_SHORT) return -1;
  if (!error || !m->msg_iovlen) return __real_sendmsg(fd, m, flags);
  part = m->msg_iov[0];
  part.iov_len = (part.iov_len + 1) / 2;
  some.msg_iov = &part;
  some.msg_iovlen = 1;
  return __real_sendmsg(fd, &some, flags);
}

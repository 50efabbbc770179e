/*
** Shared by the suites with sockets: starting build/svcd and reading its output, waiting, and measuring.
*/
#ifndef SVC_TEST_LISTENER_COMMON_H
#define SVC_TEST_LISTENER_COMMON_H

#ifndef _GNU_SOURCE
#error "pipe2 and prctl: a suite that includes this defines _GNU_SOURCE first"
#endif

#include "faults.h"
#include "slow.h"
#include "test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --------------------------------------------------------------------------------------------------------- measuring */

static inline int64_t now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline double cpu_seconds(void)
{
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

/* ----------------------------------------------------------------------------------------------------------- waiting */

#define AWAIT_MS 180000 /* everything takes less time than this, also on a machine that does other things */

/* Waits until the condition holds, because another thread is about to make it true. Checks every millisecond. */
#define await(condition) \
  do { \
    const int64_t await_until = now_ms() + AWAIT_MS; \
    while (!(condition)) { \
      if (now_ms() > await_until) munit_errorf("in vain: %s", #condition); \
      usleep(1000); \
    } \
  } while (0)

/* Moves the listener's clock forward. Before and after the move the function waits until all due work is done. */
static inline void later(long ms)
{
  t_clock_settle();
  t_clock_move(ms);
  t_clock_settle();
}

/* Returns the listener's file descriptor of a connection. The listener runs in this process. -1: not accepted yet. */
static inline int other_end(int fd)
{
  struct sockaddr_in own, peer;
  socklen_t n = sizeof own;
  int i;
  munit_assert_int(getsockname(fd, (struct sockaddr *)&own, &n), ==, 0);
  for (i = 3; i < 2400; i++) {
    n = sizeof peer;
    if (i != fd && getpeername(i, (struct sockaddr *)&peer, &n) == 0 && peer.sin_port == own.sin_port && peer.sin_addr.s_addr == own.sin_addr.s_addr)
      return i;
  }
  return -1;
}

/* Returns whether the listener has read everything that was sent. */
static inline bool has_read(int fd)
{
  int end = other_end(fd), unread = 1;
  return end >= 0 && ioctl(end, FIONREAD, &unread) == 0 && unread == 0;
}

/* Waits until the process is idle, which proves that no thread spins. The measure is CPU time, so real time has to pass. */
static inline void await_rest(void)
{
  int tries;
  for (tries = 0; tries < 20; tries++) {
    const double cpu = cpu_seconds();
    usleep(200000);
    if (cpu_seconds() - cpu < 0.1) return;
  }
  munit_error("the listener never rests");
}

static inline unsigned long sum_of(const char *p, size_t n)
{
  unsigned long sum = 5381;
  size_t i;
  for (i = 0; i < n; i++) sum = sum * 33 + (unsigned char)p[i];
  return sum & 0xFFFFFFFF;
}

static inline void allow_files(size_t n)
{
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur >= n) return;
  files.rlim_cur = files.rlim_max < n ? files.rlim_max : n;
  setrlimit(RLIMIT_NOFILE, &files);
}

/* ------------------------------------------------------------------------------------------------------------- svcd */

#define SVCD_ARGS 24
#define SVCD_NOT_BEGUN 126 /* exit status if `first` returned false */

/* The released program; or another build, with another sanitizer or with counters, as build.sh says. */
static inline const char *svcd_program(void)
{
  const char *other = getenv("SVC_TEST_SVCD");
  return other ? other : "build/svcd";
}

static inline bool can_run(void)
{
  return !getenv("SVC_TEST_QEMU") && access(svcd_program(), X_OK) == 0;
}

/*
** Starts svcd; args ends with NULL. Its output can be read from *out and *err; err NULL: all of it from *out. `first` runs in
** the child process before svcd does; NULL: nothing runs.
*/
static inline pid_t svcd_start(const char *const *args, int *out, int *err, bool (*first)(void))
{
  const char *argv[SVCD_ARGS + 2] = { svcd_program() };
  int to[2], errors[2], i;
  pid_t pid;
  for (i = 0; args[i]; i++) {
    munit_assert_int(i, <, SVCD_ARGS);
    argv[i + 1] = args[i];
  }
  munit_assert_int(pipe2(to, O_CLOEXEC), ==, 0);
  if (err) munit_assert_int(pipe2(errors, O_CLOEXEC), ==, 0);
  pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failed test leaves no process behind: munit would wait for it for ever */
    dup2(to[1], 1);
    dup2(err ? errors[1] : to[1], 2);
    if (first && !first()) _exit(SVCD_NOT_BEGUN);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
  }
  munit_assert_int(pid, >, 0);
  close(to[1]);
  *out = to[0];
  if (!err) return pid;
  close(errors[1]);
  *err = errors[0];
  return pid;
}

/* Appends output to the text until the text contains `until`. NULL: until the output ends. Returns false on a timeout. */
static inline bool read_until(int fd, char *text, size_t size, const char *until)
{
  const int64_t end = now_ms() + AWAIT_MS;
  size_t n = strlen(text);
  while (!until || !strstr(text, until)) {
    struct pollfd p = { fd, POLLIN, 0 };
    ssize_t got;
    if (now_ms() > end || n + 1 >= size) return false;
    if (poll(&p, 1, 1000) <= 0) continue;
    got = read(fd, text + n, size - n - 1);
    if (got <= 0) return until == NULL;
    n += (size_t)got;
    text[n] = '\0';
  }
  return true;
}

/* Waits for the process. Returns its exit status; -1: killed by a signal. */
static inline int svcd_status(pid_t pid)
{
  int status;
  munit_assert_int(waitpid(pid, &status, 0), ==, pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif /* SVC_TEST_LISTENER_COMMON_H */

/*
** The driver program as a process: svcd starts it, writes to it, reads from it, ends it and restarts it.
**
** The rules. The program leads its own process group, and svcd ends the whole group with it: two programs never run at the same time. A
** server that must outlive the program therefore needs its own session. The program gets svcd's environment without svcd's passwords, and
** none of svcd's descriptors. Only poll() waits, so a program that writes without reading, or does nothing, blocks nothing.
*/
#define _GNU_SOURCE /* pipe2, explicit_bzero */
#include "driver_exec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  CHILD_LOOK = 200,       /* milliseconds between two checks whether the program has ended */
  CHILD_READ = 65536,     /* bytes of one read */
  CHILD_PATIENCE = 6,     /* the program must read its input within this many timeouts */
  CHILD_LAST_WORDS = 3000, /* milliseconds for the program to end when svcd ends */
  CHILD_TERM = 1000,      /* milliseconds for the program to end after SIGTERM */
  CHILD_WORDS = 64,       /* most words of a command that is run without a shell */
  CHILD_SAID = 20         /* most lines of the program's standard error in the log, per second */
};
#define CHILD_SHELL "/bin/sh"

extern char **environ;

void exec_breach(driver_exec *d, const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  exec_say(d, SVC_LOG_ERROR, "driver.protocol", "the program breaks the protocol: %s", text);
  d->broken = 1;
}

/* ---------------------------------------------------------------------------------------------------------------- starting */

/* Returns true for variables with a secret of svcd. */
static int child_is_ours(const char *variable)
{
  static const char *const ours[] = { "PGPASSWORD=", "REDISCLI_AUTH=", "SVCD_TEST_CONTROL_TOKEN=" };
  size_t i;
  for (i = 0; i < sizeof ours / sizeof ours[0]; i++)
    if (strncmp(variable, ours[i], strlen(ours[i])) == 0) return 1;
  return 0;
}

/* Returns the environment without svcd's secrets. The caller frees the array; the strings belong to environ. */
static char **child_environment(void)
{
  size_t n = 0, i, kept = 0;
  char **out;
  while (environ[n]) n++;
  out = calloc(n + 1, sizeof *out);
  for (i = 0; out && i < n; i++)
    if (!child_is_ours(environ[i])) out[kept++] = environ[i];
  return out;
}

/* Splits a command without a shell's characters at its blanks, for an image that has no shell. Returns 0, or ENOEXEC: only a shell could
** run it. */
static int child_words(char *command, char *argv[CHILD_WORDS + 1])
{
  size_t n = 0;
  char *word, *rest = NULL;
  if (strpbrk(command, "\"'`$&|;<>()*?[]{}~#!\\\n")) return ENOEXEC;
  for (word = strtok_r(command, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
    if (n == 0 && strcmp(word, "exec") == 0 && rest && *rest) continue; /* what a shell would need in order to leave */
    if (n == CHILD_WORDS) return ENOEXEC;
    argv[n++] = word;
  }
  argv[n] = NULL;
  return n && !strchr(argv[0], '=') ? 0 : ENOEXEC;
}

int driver_exec_check(const char *command, char *why, size_t size)
{
  char copy[EXEC_COMMAND], *argv[CHILD_WORDS + 1];
  const int shell = access(CHILD_SHELL, X_OK) == 0;
  int simple;
  why[0] = '\0';
  if (strlen(command) >= sizeof copy) return snprintf(why, size, "the command is longer than %zu bytes", sizeof copy - 1), -1;
  strcpy(copy, command);
  simple = child_words(copy, argv) == 0;
  if (simple && strchr(argv[0], '/') && access(argv[0], X_OK) != 0) snprintf(why, size, "%s: %s", argv[0], strerror(errno));
  else if (!simple && !shell) snprintf(why, size, "there is no " CHILD_SHELL " here: the command must be a program with its arguments, not a shell line");
  return why[0] ? -1 : 0;
}

/* Starts the program: by the shell, or without one as words. svcd ignores SIGPIPE and blocks the signals that end it; both are reset for the
** program. Returns 0, or an errno. */
static int child_spawn(driver_exec *d, const int in[2], const int out[2], const int err[2])
{
  char copy[EXEC_COMMAND], *argv[CHILD_WORDS + 1] = { (char *)"sh", (char *)"-c", copy, NULL }, **env = child_environment();
  const int shell = access(CHILD_SHELL, X_OK) == 0;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none, usual;
  int rc = ENOMEM;
  snprintf(copy, sizeof copy, "%s", d->config.command);
  if (!shell && child_words(copy, argv) != 0) rc = ENOEXEC;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how);
  if (env && rc != ENOEXEC && posix_spawn_file_actions_adddup2(&files, in[0], 0) == 0 && posix_spawn_file_actions_adddup2(&files, out[1], 1) == 0 &&
      posix_spawn_file_actions_adddup2(&files, err[1], 2) == 0 && posix_spawnattr_setsigmask(&how, &none) == 0 &&
      posix_spawnattr_setsigdefault(&how, &usual) == 0 && posix_spawnattr_setpgroup(&how, 0) == 0 &&
      posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0)
    rc = posix_spawnp(&d->pid, shell ? CHILD_SHELL : argv[0], &files, &how, argv, env);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  free(env);
  if (rc != 0) d->pid = 0;
  return rc;
}

static void child_close(int *fd)
{
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* Returns 0, or an errno; then no descriptor stays open. */
static int child_start(driver_exec *d)
{
  int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 }, rc = 0;
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) rc = errno;
  if (rc == 0) rc = child_spawn(d, in, out, err);
  child_close(&in[0]);
  child_close(&out[1]);
  child_close(&err[1]);
  d->in = in[1];
  d->out = out[0];
  d->err = err[0];
  if (rc != 0) {
    child_close(&d->in);
    child_close(&d->out);
    child_close(&d->err);
    return rc;
  }
  fcntl(d->in, F_SETFL, O_NONBLOCK);
  fcntl(d->out, F_SETFL, O_NONBLOCK);
  fcntl(d->err, F_SETFL, O_NONBLOCK);
  d->greeted = d->broken = 0;
  d->since = d->moved = exec_now();
  exec_buf_clear(&d->sending);
  d->sent = 0;
  exec_first_line(d, &d->sending);
  exec_set_up(d, EXEC_STARTING);
  return 0;
}

/* --------------------------------------------------------------------------------------------------------- writing, reading */

/* Writes queued lines one after the other until the pipe is full. */
static void child_write(driver_exec *d)
{
  ssize_t n;
  for (;;) {
    if (d->sent == d->sending.n) {
      exec_buf_clear(&d->sending);
      d->sent = 0;
      d->moved = exec_now();
      if (!d->greeted || !exec_next(d)) return;
    }
    n = write(d->in, d->sending.p + d->sent, d->sending.n - d->sent);
    if (n < 0 && errno == EPIPE) child_close(&d->in);
    if (n <= 0) return;
    d->sent += (size_t)n;
    d->moved = exec_now();
  }
}

/* Whether one more line of the program may be logged in this second: a program that writes without end must not fill the disk. The first
** line of a later second tells how many were left out. */
static int child_may_say(driver_exec *d)
{
  int64_t now = exec_now();
  if (now - d->words_since >= 1000) {
    if (d->words_said > CHILD_SAID)
      exec_say(d, SVC_LOG_WARNING, "driver.said", "%d further lines of the program were left out", d->words_said - CHILD_SAID);
    d->words_since = now;
    d->words_said = 0;
  }
  if (d->words_said < INT32_MAX) d->words_said++;
  return d->words_said <= CHILD_SAID;
}

/* Logs a line of the program's standard error, with spaces in place of control characters. */
static void child_said(driver_exec *d)
{
  char text[EXEC_SAID + 1];
  size_t i, n = d->words.n < EXEC_SAID ? d->words.n : EXEC_SAID;
  for (i = 0; i < n; i++) text[i] = (unsigned char)d->words.p[i] < 32 || d->words.p[i] == 127 ? ' ' : d->words.p[i];
  /* cppcheck-suppress uninitvar ; the line above fills in n of it */
  while (n && text[n - 1] == ' ') n--;
  text[n] = '\0';
  if (n && child_may_say(d)) exec_say(d, SVC_LOG_WARNING, "driver.said", "%s", text);
  exec_buf_clear(&d->words);
}

static void child_take_words(driver_exec *d, const char *bytes, size_t n)
{
  size_t i;
  for (i = 0; i < n; i++) {
    if (bytes[i] == '\n') child_said(d);
    else if (d->words.n < EXEC_SAID) exec_buf_add(&d->words, bytes + i, 1);
  }
}

/* Handles complete lines of the program's output, and keeps the beginning of the next one. */
static void child_take_bytes(driver_exec *d, const char *bytes, size_t n)
{
  while (n && !d->broken) {
    const char *feed = memchr(bytes, '\n', n);
    size_t part = feed ? (size_t)(feed - bytes) : n;
    if (d->line.n + part > EXEC_LINE) {
      exec_breach(d, "a line has more than %u bytes", EXEC_LINE);
      return;
    }
    exec_buf_add(&d->line, bytes, part);
    if (d->line.failed) {
      exec_breach(d, "out of memory for a line of %zu bytes", d->line.n + part);
      return;
    }
    if (!feed) return;
    if (d->line.n) exec_take_line(d, (exec_text){ d->line.p, d->line.n });
    exec_buf_clear(&d->line);
    bytes += part + 1;
    n -= part + 1;
  }
}

/* Reads once from a pipe and passes the bytes to `take`. Returns 0 if the pipe is closed. */
static int child_read(driver_exec *d, int *fd, void (*take)(driver_exec *d, const char *bytes, size_t n))
{
  char bytes[CHILD_READ];
  ssize_t n = *fd < 0 ? -1 : read(*fd, bytes, sizeof bytes);
  if (n > 0) take(d, bytes, (size_t)n);
  else if (n == 0) child_close(fd);
  explicit_bzero(bytes, n > 0 ? (size_t)n : 0);
  return n != 0;
}

/* Waits for an event, for at most `most` milliseconds, then reads and writes without blocking. */
static void child_turn(driver_exec *d, int most)
{
  char woken[64];
  struct pollfd fds[4] = { { d->wake[0], POLLIN, 0 }, { d->out, POLLIN, 0 }, { d->err, POLLIN, 0 }, { d->in, POLLOUT, 0 } };
  if (d->sent == d->sending.n) fds[3].fd = -1;
  if (poll(fds, 4, most) > 0)
    while (read(d->wake[0], woken, sizeof woken) == (ssize_t)sizeof woken) continue;
  if (fds[1].revents) child_read(d, &d->out, child_take_bytes);
  if (fds[2].revents) child_read(d, &d->err, child_take_words);
  if (d->in >= 0 && !d->broken) child_write(d);
}

/* ------------------------------------------------------------------------------------------------------------------ ending */

static int child_ending(driver_exec *d)
{
  int ending;
  pthread_mutex_lock(&d->lock);
  ending = d->ending;
  pthread_mutex_unlock(&d->lock);
  return ending;
}

/* Returns true if the program has ended. WNOWAIT leaves it a zombie, so that the id of its process group stays in use. */
static int child_has_ended(const driver_exec *d)
{
  siginfo_t about;
  about.si_pid = 0;
  return waitid(P_PID, (id_t)d->pid, &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid == d->pid;
}

static int child_ends_within(driver_exec *d, int ms)
{
  int64_t until = exec_now() + ms;
  while (!child_has_ended(d) && exec_now() < until) child_turn(d, CHILD_LOOK / 4);
  return child_has_ended(d);
}

/* Logs the rest of the program's standard error, as far as it can be read without waiting. */
static void child_drain(driver_exec *d)
{
  int rounds = 256; /* a bound, because another process may hold the pipe and continue to write */
  while (rounds-- && d->err >= 0 && child_read(d, &d->err, child_take_words) && errno != EAGAIN) errno = 0;
  if (d->words.n) child_said(d);
}

/* Ends the program and its process group: waits `ms` milliseconds, sends SIGTERM, then SIGKILL. Returns the status of waitpid(). */
static int child_end(driver_exec *d, int ms)
{
  int status = 0;
  child_close(&d->in);
  if (!child_ends_within(d, ms)) kill(-d->pid, SIGTERM);
  child_ends_within(d, CHILD_TERM);
  kill(-d->pid, SIGKILL);
  while (waitpid(d->pid, &status, 0) < 0 && errno == EINTR) continue;
  d->pid = 0;
  errno = 0;
  child_drain(d);
  child_close(&d->out);
  child_close(&d->err);
  exec_buf_clear(&d->line);
  exec_buf_clear(&d->sending);
  d->sent = 0;
  return status;
}

/* Exchanges lines with the program until it ends, breaks the protocol, or svcd ends. */
static void child_serve(driver_exec *d)
{
  const int64_t timeout = d->config.timeout_ms;
  while (!d->broken && !child_has_ended(d) && !child_ending(d)) {
    child_turn(d, CHILD_LOOK);
    if ((d->in < 0 || d->out < 0) && !child_ends_within(d, CHILD_TERM) && !d->broken)
      exec_breach(d, "it has closed its standard %s", d->in < 0 ? "input" : "output");
    if (!d->greeted && exec_now() - d->since > timeout && !d->broken && !child_has_ended(d))
      exec_breach(d, "no first line within %lld ms", (long long)timeout);
    if (d->sent < d->sending.n && exec_now() - d->moved > timeout * CHILD_PATIENCE && !d->broken)
      exec_breach(d, "it has not read for %lld ms", (long long)timeout * CHILD_PATIENCE);
  }
  while (!d->broken && d->out >= 0 && child_has_ended(d)) { /* lines that the program wrote before it ended are valid */
    struct pollfd left = { d->out, POLLIN, 0 };
    if (poll(&left, 1, 0) <= 0 || !child_read(d, &d->out, child_take_bytes)) break;
  }
}

static void child_say_ended(driver_exec *d, int status)
{
  char how[64];
  if (WIFSIGNALED(status)) snprintf(how, sizeof how, "was ended by signal %d", WTERMSIG(status));
  else snprintf(how, sizeof how, "ended with status %d", WEXITSTATUS(status));
  exec_say(d, SVC_LOG_WARNING, "driver.ended", "the program %s; svcd restarts it in %lld s", how, (long long)(d->backoff / 1000));
}

/* Waits before the next start of the program, or until svcd ends. */
static void child_wait(driver_exec *d)
{
  int64_t until = exec_now() + d->backoff, left;
  char woken[64];
  while (!child_ending(d) && (left = until - exec_now()) > 0) {
    struct pollfd wake = { d->wake[0], POLLIN, 0 };
    poll(&wake, 1, (int)left);
    while (read(d->wake[0], woken, sizeof woken) == (ssize_t)sizeof woken) continue;
  }
}

void *exec_run(void *driver)
{
  driver_exec *d = driver;
  while (!child_ending(d)) {
    int status = 0, good, failed = child_start(d);
    if (!failed) {
      child_serve(d);
      status = child_end(d, child_ending(d) ? CHILD_LAST_WORDS : 0);
    }
    good = !failed && d->greeted && exec_now() - d->since > EXEC_GOOD;
    d->backoff = good || !d->backoff ? EXEC_FIRST_WAIT : d->backoff * 2 < EXEC_LONGEST_WAIT ? d->backoff * 2 : EXEC_LONGEST_WAIT;
    exec_lost(d);
    if (child_ending(d)) break;
    if (failed)
      exec_say(d, SVC_LOG_ERROR, "driver.not_started", "the program cannot be started: %s; svcd tries again in %lld s",
               strerror(failed), (long long)(d->backoff / 1000));
    else child_say_ended(d, status);
    child_wait(d);
  }
  exec_lost(d);
  return NULL;
}

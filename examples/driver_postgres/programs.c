/*
** Runs programs for the PostgreSQL driver: those of PostgreSQL, and a few of the system for files of the servers' user.
**
** The rule: a program runs as the servers' user, with a separate environment, and ends with svcd.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Makes a child process the servers' user. Only system calls are allowed here, because other threads of the parent may have held any lock
** at the fork. Returns 0, or -1. */
int driver_become(const driver_postgres *d)
{
  if (!d->user[0]) return 0;
  return setgroups((size_t)d->group_count, d->groups) != 0 || setgid(d->gid) != 0 || setuid(d->uid) != 0 ? -1 : 0;
}

/* Returns true if the servers' user can enter FOLDER. */
int driver_reaches(const driver_postgres *d)
{
  int status = -1;
  pid_t pid = fork();
  if (pid == 0) _exit(driver_become(d) != 0 || chdir(d->folder) != 0);
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/*
** Runs in the child: limits, user, environment, then the program. The kernel kills the program when svcd ends, because its order is then
** sent again; servers that the program has started survive. The program gets an environment of its own, because svcd's may contain the
** password of the store, and variables that lead psql to another server.
*/
static void driver_child(const driver_postgres *d, const driver_bounds *bounds, char *const argv[], int in, int out)
{
  static char *const environment[] = { "LC_ALL=C", "PATH=/usr/bin:/bin", "PGCLIENTENCODING=UTF8", "PGCONNECT_TIMEOUT=5", NULL };
  if (bounds && driver_limit_child(bounds) != 0) _exit(125);
  if (driver_become(d) != 0 || chdir("/") != 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(126);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) _exit(126);
  execve(argv[0], argv, environment);
  _exit(127);
}

/* ---------------------------------------------------------------------------------------- programs */

#define PROGRAMS_TURN 200 /* milliseconds between two looks at the time, and at the driver's end */

/* A program that runs. `in` and `out` are -1 when they are closed. */
typedef struct programs_run {
  driver_postgres *d;
  pid_t pid;
  int in, out;
  const char *input;
  size_t left; /* bytes of `input` that are not written */
  char *said;
  size_t n, size;
  int64_t deadline;
} programs_run;

/* Returns true once the driver has ended and its work has used up DRIVER_GRACE: programs are
** killed, and no more are started. */
int driver_stopping(driver_postgres *d)
{
  int stopping;
  pthread_mutex_lock(&d->lock);
  stopping = d->ending && driver_now() >= d->stop_at;
  pthread_mutex_unlock(&d->lock);
  return stopping;
}

static int programs_late(const programs_run *p)
{
  return driver_now() >= p->deadline || driver_stopping(p->d);
}

/* Writes what the program takes now. The input is a socket, so a program that has ended causes an
** error and no signal; it reports the missing input itself. */
static void programs_write(programs_run *p)
{
  ssize_t n = p->left ? send(p->in, p->input, p->left, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
  if (n < 0 && errno != EAGAIN && errno != EINTR) p->left = 0;
  if (n > 0) p->input += n, p->left -= (size_t)n;
  if (p->left) return;
  close(p->in);
  p->in = -1;
}

/* Keeps the first size - 1 bytes of the output, and drops the others: a closed pipe would end the
** program. */
static void programs_read(programs_run *p)
{
  char rest[4096];
  size_t room = p->size - 1 - p->n;
  ssize_t got = read(p->out, room ? p->said + p->n : rest, room ? room : sizeof rest);
  if (got < 0 && errno == EINTR) return;
  if (got > 0 && room) p->n += (size_t)got;
  if (got > 0) return;
  close(p->out);
  p->out = -1;
}

/* Writes and reads until the output has ended. Returns 0, or -1 if the time is up. */
static int programs_talk(programs_run *p)
{
  while (p->out >= 0) {
    struct pollfd wait[2] = { /* poll() skips -1 */
      { .fd = p->out, .events = POLLIN },
      { .fd = p->in, .events = POLLOUT },
    };
    int64_t left = p->deadline - driver_now();
    if (programs_late(p)) return -1;
    if (poll(wait, 2, (int)(left < PROGRAMS_TURN ? left : PROGRAMS_TURN)) <= 0) continue;
    if (wait[0].revents) programs_read(p);
    if (wait[1].revents) programs_write(p);
  }
  return 0;
}

/* Waits for the end of the program. Returns its status, or -1 if the time is up. */
static int programs_wait(const programs_run *p, int *status)
{
  pid_t got;
  int turns = 0;
  while ((got = waitpid(p->pid, status, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
    if (programs_late(p)) return -1;
    usleep(turns++ < 20 ? 500 : 20000); /* a program mostly ends at once after its output */
  }
  return got == p->pid ? 0 : -1;
}

/* A program that failed without a word gets words, because they become the reason of an order. */
static int programs_result(const programs_run *p, const char *name, int status)
{
  if (!WIFEXITED(status)) {
    if (!p->n) snprintf(p->said, p->size, "%s was ended by signal %d", name, WTERMSIG(status));
    return -1;
  }
  if (!p->n && WEXITSTATUS(status))
    snprintf(p->said, p->size, "%s has ended with status %d", name, WEXITSTATUS(status));
  return WEXITSTATUS(status);
}

static int programs_finish(programs_run *p, const driver_bounds *bounds, const char *name)
{
  int status = -1, late = programs_talk(p) != 0;
  p->said[p->n] = 0;
  if (!late) late = programs_wait(p, &status) != 0;
  if (p->in >= 0) close(p->in);
  if (p->out >= 0) close(p->out);
  if (!late) return programs_result(p, name, status);
  kill(p->pid, SIGKILL);
  while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR) continue;
  if (bounds && bounds->what) name = bounds->what;
  if (driver_stopping(p->d)) snprintf(p->said, p->size, "the driver ends");
  else snprintf(p->said, p->size, "%s did not answer within %d seconds", name,
                bounds ? bounds->seconds : 0);
  return -1;
}

/*
** Runs a program as the servers' user: one of PostgreSQL's, or another by its absolute path. Writes
** `input` to it (NULL: none) and keeps its output in `said`. Returns the exit status, or -1; after
** a failure `said` is never empty. A server that the program starts inherits only the pipe of the
** output; pg_ctl has -l, so that the server writes to its log and does not keep the pipe open.
** `bounds` may be NULL.
**
** The rule: one deadline bounds all waits: for a program that does not read its input, does not
** close its output, or does not end.
*/
int driver_run_in(driver_postgres *d, const driver_bounds *bounds, const char *input, char *said, size_t size, char *argv[])
{
  char program[DRIVER_PATH * 2];
  const char *name = argv[0];
  int in[2], out[2];
  programs_run p = { .d = d, .input = input, .said = said, .size = size, .deadline = INT64_MAX };
  if (input) p.left = strlen(input);
  if (bounds && bounds->seconds) p.deadline = driver_now() + bounds->seconds * (int64_t)1000;
  said[0] = 0;
  snprintf(program, sizeof program, "%s%s%s", argv[0][0] == '/' ? "" : d->bin, argv[0][0] == '/' ? "" : "/", argv[0]);
  argv[0] = program; /* initdb and pg_ctl find other programs of PostgreSQL by this path */
  if (driver_stopping(d)) return snprintf(said, size, "the driver ends"), -1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0)
    return snprintf(said, size, "%s: %s", name, strerror(errno)), -1;
  if (pipe2(out, O_CLOEXEC) != 0) {
    snprintf(said, size, "%s: %s", name, strerror(errno));
    close(in[0]), close(in[1]);
    return -1;
  }
  p.pid = fork();
  if (p.pid == 0) driver_child(d, bounds, argv, in[0], out[1]);
  if (p.pid < 0) snprintf(said, size, "%s: %s", name, strerror(errno));
  close(in[0]), close(out[1]);
  p.in = in[1];
  p.out = out[0];
  if (p.pid > 0) return programs_finish(&p, bounds, name);
  close(p.in), close(p.out);
  return -1;
}

int driver_run(driver_postgres *d, const char *input, char *said, size_t size, char *argv[])
{
  return driver_run_in(d, NULL, input, said, size, argv);
}

/* Turns the output of a program into one line, without FOLDER's path, because tenants may read it. */
void driver_words(const driver_postgres *d, char *said)
{
  char *at = strstr(said, "ERROR:"), *place;
  size_t n = strlen(d->folder);
  if (at) memmove(said, at, strlen(at) + 1);
  if (at && (place = strstr(said, "\nCONTEXT:")) != NULL) *place = 0;
  while ((place = strstr(said, d->folder)) != NULL) memmove(place, place + n, strlen(place + n) + 1);
  for (at = said; *at; at++)
    if ((unsigned char)*at < 32) *at = ' ';
  while (at > said && at[-1] == ' ') *--at = 0;
}

/* Removes files of the servers' user as that user; rm follows no link. Returns 0 on success. */
int driver_remove(driver_postgres *d, const char *first, const char *second)
{
  char path[DRIVER_PATH], said[256];
  char *argv[] = { "/bin/rm", "-rf", "--", path, NULL };
  driver_path(d, path, first, second);
  return driver_run(d, NULL, said, sizeof said, argv);
}

/* Removes the folder of a server. The servers' user removes the contents; svcd removes the folder itself, an entry of FOLDER. */
int driver_remove_server(driver_postgres *d, const char *id)
{
  char path[DRIVER_PATH], said[256];
  char *argv[] = { "/usr/bin/find", path, "-mindepth", "1", "-delete", NULL };
  if (!driver_is(d->root, id, NULL, S_IFDIR)) return 0;
  driver_path(d, path, id, NULL);
  return driver_run(d, NULL, said, sizeof said, argv) == 0 ? unlinkat(d->root, id, AT_REMOVEDIR) : -1;
}

/* Returns the bytes of all files in a folder of the servers' user; 0: unknown. */
int64_t driver_size(driver_postgres *d, char *path)
{
  char said[256];
  char *argv[] = { "/usr/bin/du", "-sb", "--", path, NULL };
  return driver_run(d, NULL, said, sizeof said, argv) == 0 ? strtoll(said, NULL, 10) : 0;
}

/* Copies a folder as the servers' user, with permissions, times and links. Returns 0 on success. */
int driver_copy(driver_postgres *d, const char *from, const char *to)
{
  char said[512];
  char *argv[] = { "/bin/cp", "-a", (char *)from, (char *)to, NULL };
  int status = driver_run(d, NULL, said, sizeof said, argv);
  if (status != 0) driver_say(d, SVC_LOG_ERROR, "postgres.copy_failed", "postgres: %s cannot be copied: %s", from, said);
  return status;
}

/* Returns the start time of a process of the servers' user, in system ticks. 0: no such process, or a zombie. */
int64_t driver_process(const driver_postgres *d, pid_t pid)
{
  char path[64], text[1024], *at;
  struct stat about;
  int64_t started = 0;
  int i;
  snprintf(path, sizeof path, "/proc/%d", (int)pid);
  if (stat(path, &about) != 0 || about.st_uid != d->uid) return 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  if (driver_read_at(AT_FDCWD, path, text, sizeof text) <= 0 || (at = strrchr(text, ')')) == NULL) return 0;
  if (strchr("ZX", at[2])) return 0;
  for (i = 0; at && i < 20; i++) at = strchr(at + 1, ' ');
  if (at) started = strtoll(at, NULL, 10);
  return started ? started : 1;
}

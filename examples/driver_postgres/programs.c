/*
** Runs programs for the PostgreSQL driver: those of PostgreSQL, and a few of the system for files of the servers' user.
**
** The rule: a program runs as the servers' user, with a separate environment, and ends with svcd.
*/
#define _GNU_SOURCE /* asprintf, pipe2, getgrouplist, explicit_bzero */
#include "driver_postgres_parts.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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

static int64_t driver_deadline(const driver_bounds *bounds)
{
  return bounds && bounds->seconds ? driver_now() + bounds->seconds * 1000 : INT64_MAX;
}

/* Reads the next output of a child. Returns 0 if its output has ended, or after the deadline, when the child is killed. */
static size_t driver_hear(pid_t pid, int out, char *to, size_t room, int64_t deadline)
{
  struct pollfd wait = { .fd = out, .events = POLLIN };
  int64_t left = deadline == INT64_MAX ? -1 : deadline - driver_now();
  ssize_t got = 0;
  if (deadline != INT64_MAX && left < 0) left = 0;
  if (poll(&wait, 1, (int)left) > 0) got = read(out, to, room);
  else if (deadline != INT64_MAX) kill(pid, SIGKILL);
  return got > 0 ? (size_t)got : 0;
}

/* Reads the first size - 1 bytes of a child's output, then its status. */
static int driver_listen(pid_t pid, int out, char *said, size_t size, int64_t deadline)
{
  char rest[512];
  size_t n = 0, got;
  int status = -1;
  while (n + 1 < size && (got = driver_hear(pid, out, said + n, size - 1 - n, deadline)) > 0) n += got;
  said[n] = 0;
  while (driver_hear(pid, out, rest, sizeof rest, deadline) > 0) continue; /* read the rest, too: a closed pipe would end the child */
  if (waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/*
** Runs a program as the servers' user: one of PostgreSQL's, or another by its absolute path. Writes `input` to it (NULL: none) and keeps
** its output in `said`. Returns the exit status, or -1. A server that the program starts inherits only the pipe of the output; pg_ctl has
** -l, so that the server writes to its log and does not keep the pipe open. `bounds` may be NULL.
*/
int driver_run_in(driver_postgres *d, const driver_bounds *bounds, const char *input, char *said, size_t size, char *argv[])
{
  char program[DRIVER_PATH * 2];
  int in[2], out[2], status = -1;
  pid_t pid;
  said[0] = 0;
  snprintf(program, sizeof program, "%s%s%s", argv[0][0] == '/' ? "" : d->bin, argv[0][0] == '/' ? "" : "/", argv[0]);
  argv[0] = program; /* initdb and pg_ctl find other programs of PostgreSQL by this path */
  if (pipe2(in, O_CLOEXEC) != 0) return -1;
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]), close(in[1]);
    return -1;
  }
  pid = fork();
  if (pid == 0) driver_child(d, bounds, argv, in[0], out[1]);
  close(in[0]), close(out[1]);
  if (pid > 0 && input && write(in[1], input, strlen(input)) < 0) status = -1; /* the program reports the missing input itself */
  close(in[1]);
  if (pid > 0) status = driver_listen(pid, out[0], said, size, driver_deadline(bounds));
  close(out[0]);
  return status;
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

/*
** Probes: checks whether a server answers. The watch connects to each server that runs, sends `select 1`, and keeps the connection. After
** that it sends only a Sync of the protocol, which ends an empty transaction. So the watch fills neither the server's log nor its figures.
** A stopped postmaster is detected by its process state, because the process behind an open connection would still answer.
**
** The rule: a probe waits for at most PROBE_WAIT. A refusal is an answer, because a server that is starting, or has no free connection,
** runs. The socket is in a folder of the servers' user, so a link in its place is not followed.
*/
#define _GNU_SOURCE /* O_PATH */
#include "driver_postgres_parts.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define PROBE_WAIT 2000 /* milliseconds */

/* ---------------------------------------------------------------------------------------------------------------- question */

/* Returns a connected socket, or -1 if there is no socket or nothing listens on it. */
static int probe_connect(const driver_postgres *d, const char *id)
{
  struct sockaddr_un at = { .sun_family = AF_UNIX };
  char port[16], path[64];
  struct stat about;
  int place, fd = -1;
  if (driver_read(d, id, "port", port, sizeof port) != 0) return -1;
  snprintf(path, sizeof path, "%.24s/.s.PGSQL.%.8s", id, port);
  place = openat(d->root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0) return -1;
  snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d", place);
  if (fstat(place, &about) == 0 && S_ISSOCK(about.st_mode) && about.st_uid == d->uid)
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) != 0) {
    close(fd);
    fd = -1;
  }
  close(place);
  return fd;
}

/* Reads n bytes; to NULL: skips them. Returns 0, or -1 after the time `until` or if the connection has ended. */
static int probe_read(int fd, unsigned char *to, size_t n, int64_t until)
{
  unsigned char rest[256];
  while (n > 0) {
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    int64_t left = until - driver_now();
    ssize_t got;
    if (left <= 0 || poll(&wait, 1, (int)left) <= 0) return -1;
    /* cppcheck-suppress legacyUninitvar ; read() fills it in */
    got = read(fd, to ? to : rest, to || n < sizeof rest ? n : sizeof rest);
    if (got <= 0) return -1;
    if (to) to += got;
    n -= (size_t)got;
  }
  return 0;
}

/* Reads messages until the server is ready for the next query ('Z') or reports an error ('E'). Returns the type of
** that message; 0: neither came in time. */
static int probe_hear(int fd, int64_t until)
{
  unsigned char head[5];
  uint32_t n;
  do {
    if (probe_read(fd, head, sizeof head, until) != 0) return 0;
    n = (uint32_t)head[1] << 24 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 8 | head[4];
    if (n < 4 || n > DRIVER_FILE || probe_read(fd, NULL, n - 4, until) != 0) return 0;
  } while (head[0] != 'Z' && head[0] != 'E');
  return head[0];
}

static int probe_ask(int fd, const char *message, size_t n, int64_t until)
{
  return send(fd, message, n, MSG_NOSIGNAL) == (ssize_t)n ? probe_hear(fd, until) : 0;
}

void driver_probe_end(driver_server *s)
{
  if (s->probe > 0) close(s->probe);
  s->probe = 0;
}

/* Returns true if the server answers within PROBE_WAIT, also by a refusal. Opens the connection, or uses the one that is open. */
int driver_answers(const driver_postgres *d, driver_server *s)
{
  static const char hello[] = "\0\0\0\100\0\003\0\0user\0" DRIVER_ADMIN "\0database\0postgres\0application_name\0svcd\0";
  static const char question[] = "Q\0\0\0\015select 1", sync[] = { 'S', 0, 0, 0, 4 };
  int64_t until = driver_now() + PROBE_WAIT;
  char path[64], state[1024], *at;
  int said = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)s->pid);
  if (driver_read_at(AT_FDCWD, path, state, sizeof state) > 0 && (at = strrchr(state, ')')) != NULL && strchr("Tt", at[2])) return 0;
  if (s->probe > 0) said = probe_ask(s->probe, sync, sizeof sync, until);
  if (said == 'Z') return 1;
  driver_probe_end(s); /* the connection may belong to an earlier process of the server */
  s->probe = probe_connect(d, s->id);
  if (s->probe > 0 && (said = probe_ask(s->probe, hello, sizeof hello, until)) == 'Z') said = probe_ask(s->probe, question, sizeof question, until);
  if (said != 'Z') driver_probe_end(s);
  return said != 0;
}

/* -------------------------------------------------------------------------------------------------------------------- end */

/* Kills the children of the postmaster, then the postmaster: stopped children would not end when the postmaster does. */
void driver_kill(const driver_postgres *d, pid_t postmaster)
{
  char path[64], text[1024], *at;
  DIR *proc = opendir("/proc");
  const struct dirent *entry;
  while (proc && (entry = readdir(proc)) != NULL) {
    pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (pid <= 0 || !driver_process(d, pid) || driver_read_at(AT_FDCWD, path, text, sizeof text) <= 0) continue;
    at = strrchr(text, ')');
    if (at && strtol(at + 3, NULL, 10) == postmaster) kill(pid, SIGKILL);
  }
  if (proc) closedir(proc);
  if (driver_process(d, postmaster)) kill(postmaster, SIGKILL);
}

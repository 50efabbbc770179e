/*
** The log of a server: read as the servers' user, cut into entries, bounded in size.
**
** Each entry begins with a line "2026-11-18 01:07:54.123 UTC [PID] ADDRESS LEVEL:  text". PostgreSQL puts a tab before each further line of
** a text, and the prefix contains nothing that a client sends. So no client can forge an entry.
**
** The rule: a read is bounded by LOGS_MOST bytes of the log, and LOGS_MOST of the previous one.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOGS_MOST (4 << 20)
#define LOGS_TURN (16 << 20) /* bytes at which a log is rotated */

/* ------------------------------------------------------------------------------------------------------------------- read */

/* Runs in a child, as the servers' user: writes the last `most` bytes of a regular file into the pipe. Follows no link. */
static void logs_send(const driver_postgres *d, const char *path, off_t most, const int pipe[2])
{
  char bytes[4096];
  struct stat about;
  ssize_t n;
  int fd;
  close(pipe[0]); /* a reader that has enough closes the pipe, which ends this process */
  if (driver_become(d) != 0) _exit(1);
  fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) _exit(1);
  if (about.st_size > most) lseek(fd, about.st_size - most, SEEK_SET);
  while ((n = read(fd, bytes, sizeof bytes)) > 0)
    if (write(pipe[1], bytes, (size_t)n) != n) _exit(1);
  _exit(0);
}

/* Appends the last `most` bytes of a file to `to`. Returns 0, or -1 if the file cannot be read. */
static int logs_add(driver_postgres *d, const char *id, const char *name, size_t most, FILE *to)
{
  char path[DRIVER_PATH], bytes[4096];
  int out[2], status = -1;
  size_t left = most;
  ssize_t n;
  pid_t pid;
  driver_path(d, path, id, name);
  if (pipe2(out, O_CLOEXEC) != 0) return -1;
  pid = fork();
  if (pid == 0) logs_send(d, path, (off_t)most, out);
  close(out[1]);
  while (pid > 0 && left > 0 && (n = read(out[0], bytes, left < sizeof bytes ? left : sizeof bytes)) > 0) {
    fwrite(bytes, 1, (size_t)n, to);
    left -= (size_t)n;
  }
  close(out[0]); /* ends a child that has more to write */
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return -1;
  return left == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0) ? 0 : -1;
}

/* Reads the previous log and the current one, each up to LOGS_MOST bytes. The caller frees the text. NULL: the
** current log cannot be read. */
char *driver_log_read(driver_postgres *d, const char *id, size_t *length)
{
  driver_text t;
  char *text;
  int good;
  if (driver_text_begin(&t) != 0) return NULL;
  logs_add(d, id, "log.1", LOGS_MOST, t.file); /* missing for most servers */
  good = logs_add(d, id, "log", LOGS_MOST, t.file) == 0;
  text = driver_text_end(&t);
  *length = t.length;
  if (good) return text;
  free(text);
  return NULL;
}

/* Rotates a log that has reached LOGS_TURN: copies it to log.1, and truncates it. The server appends, so it continues in the same file. */
void driver_log_bound(driver_postgres *d, const char *id)
{
  char path[DRIVER_PATH], old[DRIVER_PATH], said[256];
  char *size[] = { "/usr/bin/stat", "-c", "%s", path, NULL };
  char *copy[] = { "/bin/cp", "-P", "--remove-destination", path, old, NULL };
  char *cut[] = { "/usr/bin/truncate", "-s", "0", path, NULL };
  driver_path(d, path, id, "log");
  driver_path(d, old, id, "log.1");
  if (driver_run(d, NULL, said, sizeof said, size) != 0 || strtoll(said, NULL, 10) < LOGS_TURN) return;
  if (driver_run(d, NULL, said, sizeof said, copy) == 0) driver_run(d, NULL, said, sizeof said, cut);
}

/* ---------------------------------------------------------------------------------------------------------------- entries */

static int64_t logs_number(const char *p, int digits)
{
  int64_t n = 0;
  while (digits-- > 0) {
    if (*p < '0' || *p > '9') return -1;
    n = n * 10 + (*p++ - '0');
  }
  return n;
}

/* Returns the milliseconds since 1970 of a line that begins like "2026-11-18 01:07:54.123 UTC ["; -1: another line. */
static int64_t logs_time(const char *p, size_t n)
{
  static const char form[] = "0000-00-00 00:00:00.000 UTC [";
  struct tm t;
  size_t i;
  if (n < sizeof form) return -1;
  for (i = 0; form[i]; i++)
    if (form[i] == '0' ? p[i] < '0' || p[i] > '9' : p[i] != form[i]) return -1;
  memset(&t, 0, sizeof t);
  t.tm_year = (int)logs_number(p, 4) - 1900;
  t.tm_mon = (int)logs_number(p + 5, 2) - 1;
  t.tm_mday = (int)logs_number(p + 8, 2);
  t.tm_hour = (int)logs_number(p + 11, 2);
  t.tm_min = (int)logs_number(p + 14, 2);
  t.tm_sec = (int)logs_number(p + 17, 2);
  return (int64_t)timegm(&t) * 1000 + logs_number(p + 20, 3);
}

static const char *logs_line(const char *p, const char *end)
{
  const char *next = memchr(p, '\n', (size_t)(end - p));
  return next ? next + 1 : end;
}

/* Splits the rest of an entry after the time: "PID] ADDRESS LEVEL:  text". */
static void logs_parts(driver_entry *e)
{
  const char *end = e->from + e->length, *at = memchr(e->from + 28, ']', e->length - 28), *space;
  e->address = e->text = end;
  if (!at || end - at < 3) return;
  at += 2;
  space = memchr(at, ' ', (size_t)(end - at));
  if (!space) return;
  e->address = at;
  e->address_length = (size_t)(space - at);
  e->text = space + 1;
  e->text_length = (size_t)(end - e->text);
}

/* Reads the next entry from `at` on, with all its lines. Returns the beginning of the entry after it, or NULL if there is none to read. */
const char *driver_log_next(const char *at, const char *end, driver_entry *e)
{
  const char *next;
  memset(e, 0, sizeof *e);
  while (at < end && (e->at = logs_time(at, (size_t)(end - at))) < 0) at = logs_line(at, end);
  if (at >= end) return NULL;
  for (next = logs_line(at, end); next < end && logs_time(next, (size_t)(end - next)) < 0;) next = logs_line(next, end);
  e->from = at;
  e->length = (size_t)(next - at);
  logs_parts(e);
  return next;
}

static int logs_is_end(const driver_entry *e)
{
  return e->text_length > 7 && (strncmp(e->text, "FATAL:", 6) == 0 || strncmp(e->text, "PANIC:", 6) == 0);
}

/* Finds the reason why a server does not start: its last FATAL or PANIC entry at or after `since` (milliseconds). Before a server has read
** its settings, it writes lines without a time, "postgres: ..."; without such an entry they are used, if they follow the last entry. */
void driver_log_reason(driver_postgres *d, const char *id, int64_t since, char *out, size_t size)
{
  size_t n = 0;
  char *text = driver_log_read(d, id, &n);
  const char *at = text, *plain;
  driver_entry e;
  out[0] = 0;
  while (at && (at = driver_log_next(at, text + n, &e)) != NULL) {
    if (e.at >= since && logs_is_end(&e)) snprintf(out, size, "%.*s", (int)(e.text_length < 300 ? e.text_length : 300), e.text);
    plain = memmem(e.from, e.length, "\npostgres: ", 11);
    if (plain && at == text + n && !out[0]) snprintf(out, size, "%.*s", (int)(e.length - (size_t)(plain - e.from) < 300 ? e.length - (size_t)(plain - e.from) : 300), plain + 1);
  }
  free(text);
  driver_words(d, out);
}

/* -------------------------------------------------------------------------------------------------------------- questions */

/* Answers with the server's log of the requested time; if that is too long, with its end. A server has only the log "db". */
int driver_logs(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  int64_t from = driver_long(q->parameters, "{from:%T}", 0), until = driver_long(q->parameters, "{until:%T}", INT64_MAX / 1000);
  const char *at, *end, *first = NULL, *last = NULL;
  char *name = NULL, *text;
  size_t n = 0;
  driver_entry e;
  int own;
  if (q->parameters) json_scanf(q->parameters, (int)strlen(q->parameters), "{log:%Q}", &name);
  own = !name || strcmp(name, "db") == 0;
  free(name);
  if (!own) return SVC_NOT_FOUND;
  text = driver_log_read(d, q->resource_id, &n);
  if (!text) return SVC_IO;
  for (at = text, end = text + n; (at = driver_log_next(at, end, &e)) != NULL;) {
    if (e.at / 1000 < from || e.at / 1000 > until) continue;
    if (!first) first = e.from;
    last = at;
  }
  n = first ? (size_t)(last - first) : 0;
  if (n > q->most) first += n - q->most, n = q->most;
  own = n ? svc_reply_add(reply, first, n) : SVC_OK;
  free(text);
  return own;
}

/*
** The access log: a line of JSON for every answer, in a file that can be moved away and is made anew at SIGHUP.
**
** The rule it keeps: a line is one write, so that lines of several threads do not mix; and nothing in it is secret: of the target
** it has the path alone, and no header.
*/
#define _GNU_SOURCE /* O_CLOEXEC */
#include "svcd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ACCESS_LINE 2048
#define ACCESS_PATH 512 /* bytes of a path that are shown */

typedef struct access_line {
  char text[ACCESS_LINE];
  size_t n;
} access_line;

static void access_char(access_line *l, char ch)
{
  if (l->n < sizeof l->text - 2) l->text[l->n++] = ch;
}

static void access_text(access_line *l, const char *text)
{
  while (*text) access_char(l, *text++);
}

/* A member whose value is a string. What is not ASCII, or would have to be escaped, becomes a question mark: nothing here has any. */
static void access_member(access_line *l, const char *name, const char *value, size_t n)
{
  size_t i;
  access_text(l, ",\"");
  access_text(l, name);
  access_text(l, "\":\"");
  for (i = 0; i < n; i++) {
    unsigned char ch = (unsigned char)value[i];
    access_char(l, ch < ' ' || ch >= 0x7F || ch == '"' || ch == '\\' ? '?' : (char)ch);
  }
  access_char(l, '"');
}

static void access_number(access_line *l, const char *name, long long value)
{
  char text[64];
  snprintf(text, sizeof text, ",\"%s\":%lld", name, value);
  access_text(l, text);
}

/* svc_listener_config.access */
void svcd_access_note(void *log, const svc_access *a)
{
  svcd_access *k = log;
  access_line line = { .n = 0 };
  time_t second = (time_t)(a->time_ms / 1000);
  size_t path = a->path_length < ACCESS_PATH ? a->path_length : ACCESS_PATH;
  char text[64], time_text[32];
  struct tm t;
  memset(&t, 0, sizeof t);
  gmtime_r(&second, &t);
  strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%S", &t);
  snprintf(text, sizeof text, "{\"time\":\"%s.%03dZ\"", time_text, (int)(a->time_ms % 1000));
  access_text(&line, text);
  access_member(&line, "peer", a->peer, strlen(a->peer));
  if (*a->method) access_member(&line, "method", a->method, strlen(a->method));
  if (path) access_member(&line, "path", a->path, path);
  access_number(&line, "status", a->status);
  access_number(&line, "bytes", (long long)a->bytes);
  access_number(&line, "micros", a->micros);
  if (a->operation) access_member(&line, "operation", a->operation, strlen(a->operation));
  if (a->caller) access_member(&line, "caller", a->caller, strlen(a->caller));
  if (a->traceparent[0]) access_member(&line, "traceparent", a->traceparent, strlen(a->traceparent));
  line.text[line.n++] = '}';
  line.text[line.n++] = '\n';
  pthread_mutex_lock(&k->lock);
  if (write(k->fd, line.text, line.n) != (ssize_t)line.n && !k->failed) {
    k->failed = 1; /* said once */
    svcd_error(0, "cannot write the access log: %s", strerror(errno));
  }
  pthread_mutex_unlock(&k->lock);
}

/* A new file where the old one has been moved away; if there is none to be had, the old one goes on. 0, or -1 with errno. */
int svcd_access_open(svcd_access *k, const char *path)
{
  int fd = strcmp(path, "-") == 0 ? dup(1) : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600), old;
  if (fd < 0) return -1;
  pthread_mutex_lock(&k->lock);
  old = k->fd;
  k->fd = fd;
  k->failed = 0;
  pthread_mutex_unlock(&k->lock);
  if (old >= 0) close(old);
  return 0;
}

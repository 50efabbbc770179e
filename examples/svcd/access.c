/*
** The access log: a line of JSON for every answer. The file can be rotated: SIGHUP reopens it.
**
** The rule: a line is one write, so lines of several threads do not mix. A line contains no secret: it has the path of the target without
** the query, and no header except traceparent.
*/
#define _GNU_SOURCE /* O_CLOEXEC */
#include "svcd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ACCESS_PATH 512 /* bytes of a path that are shown */

static void access_number(svcd_line *l, const char *name, long long value)
{
  char text[64];
  snprintf(text, sizeof text, ",\"%s\":%lld", name, value);
  svcd_line_text(l, text);
}

/* svc_listener_config.access */
void svcd_access_note(void *log, const svc_access *a)
{
  svcd_access *k = log;
  svcd_line line;
  size_t path = a->path_length < ACCESS_PATH ? a->path_length : ACCESS_PATH;
  line.n = 0;
  svcd_line_time(&line, a->time_ms);
  svcd_line_member(&line, "peer", a->peer, strlen(a->peer));
  if (*a->method) svcd_line_member(&line, "method", a->method, strlen(a->method));
  if (path) svcd_line_member(&line, "path", a->path, path);
  access_number(&line, "status", a->status);
  access_number(&line, "bytes", (long long)a->bytes);
  access_number(&line, "micros", a->micros);
  if (a->operation) svcd_line_member(&line, "operation", a->operation, strlen(a->operation));
  if (a->caller) svcd_line_member(&line, "caller", a->caller, strlen(a->caller));
  if (a->traceparent[0]) svcd_line_member(&line, "traceparent", a->traceparent, strlen(a->traceparent));
  pthread_mutex_lock(&k->lock);
  if (svcd_line_write(&line, k->fd) != 0 && !k->failed) {
    k->failed = 1; /* logged once until the file is reopened */
    svcd_say(SVC_LOG_ERROR, "access_log.failed", "cannot write the access log: %s", strerror(errno));
  }
  pthread_mutex_unlock(&k->lock);
}

/* Opens a new file after a rotation; if that fails, the old one stays in use. Returns 0, or -1 with errno. */
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

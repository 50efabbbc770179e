/*
** The log of svcd: log lines on standard error, and lines about start and stop on standard output. --log-format json makes each line a JSON
** object with time, level, event and message. The access log (access.c) uses the same functions.
**
** The rules. Lines of several threads do not mix: a JSON line is one write. A JSON line is valid JSON in valid UTF-8, even if the text is
** not. Events are constants, which docs/logs.md lists (test/check/logs.sh).
*/
#define _GNU_SOURCE /* clock_gettime */
#include "svcd.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The log format of the process. svcd_parse() sets it before other threads start. */
static int log_is_json;

void svcd_log_json(int json)
{
  log_is_json = json;
}

int svcd_log_is_json(void)
{
  return log_is_json;
}

/* --------------------------------------------------------------------------------------------------------- lines of JSON */

static void line_char(svcd_line *l, char ch)
{
  if (l->n < sizeof l->text - 2) l->text[l->n++] = ch; /* leaves room for "}" and the line feed */
}

void svcd_line_text(svcd_line *l, const char *text)
{
  while (*text) line_char(l, *text++);
}

/* Length of the UTF-8 character at p; 0: invalid, such as surrogates and overlong forms. */
static size_t line_utf8(const unsigned char *p, size_t n)
{
  static const unsigned char first[3] = { 0xC2, 0xE0, 0xF0 }, last[3] = { 0xDF, 0xEF, 0xF4 };
  size_t more, i;
  for (more = 0; more < 3 && !(p[0] >= first[more] && p[0] <= last[more]);) more++;
  if (more == 3 || n < more + 2) return 0;
  for (i = 1; i <= more + 1; i++)
    if ((p[i] & 0xC0) != 0x80) return 0;
  if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] >= 0xA0) || (p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] >= 0x90)) return 0;
  return more + 2;
}

int svcd_is_hidden(const unsigned char *p, size_t n, size_t *length)
{
  *length = p[0] < 0x80 ? 1 : line_utf8(p, n);
  if (*length == 0) return *length = 1;
  if (*length == 1) return p[0] < ' ' || p[0] == 0x7F;
  if (*length == 2) return (p[0] == 0xC2 && p[1] < 0xA0) || (p[0] == 0xD8 && p[1] == 0x9C);
  if (*length == 3 && p[0] == 0xE2 && p[1] == 0x80) return (p[2] >= 0x8B && p[2] <= 0x8F) || (p[2] >= 0xA8 && p[2] <= 0xAE);
  if (*length == 3 && p[0] == 0xE2 && p[1] == 0x81) return p[2] >= 0xA0 && p[2] <= 0xAF;
  return *length == 3 && p[0] == 0xEF && p[1] == 0xBB && p[2] == 0xBF;
}

void svcd_line_member(svcd_line *l, const char *name, const char *value, size_t n)
{
  const unsigned char *p = (const unsigned char *)value;
  size_t i, k;
  char code[8];
  svcd_line_text(l, l->n ? ",\"" : "{\"");
  svcd_line_text(l, name);
  svcd_line_text(l, "\":\"");
  for (i = 0; i < n; i += k) {
    k = p[i] < 0x80 ? 1 : line_utf8(p + i, n - i);
    snprintf(code, sizeof code, p[i] < ' ' || p[i] == 0x7F ? "\\u%04x" : p[i] == '"' || p[i] == '\\' ? "\\%c" : "%c", p[i]);
    if (k == 1) svcd_line_text(l, code);
    else if (k) snprintf(code, sizeof code, "%.*s", (int)k, value + i), svcd_line_text(l, code);
    else line_char(l, '?'), k = 1;
  }
  line_char(l, '"');
}

void svcd_line_time(svcd_line *l, int64_t ms)
{
  time_t second = (time_t)(ms / 1000);
  char text[40];
  struct tm t;
  size_t n;
  memset(&t, 0, sizeof t);
  gmtime_r(&second, &t);
  n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &t);
  n += (size_t)snprintf(text + n, sizeof text - n, ".%03dZ", (int)(ms % 1000));
  svcd_line_member(l, "time", text, n);
}

int svcd_line_write(svcd_line *l, int fd)
{
  l->text[l->n++] = '}';
  l->text[l->n++] = '\n';
  return write(fd, l->text, l->n) == (ssize_t)l->n ? 0 : -1;
}

/* ---------------------------------------------------------------------------------------------------------- lines of svcd */

static void log_json(int fd, int level, const char *event, const char *text)
{
  static const char *const levels[] = { "error", "error", "warning", "info" };
  const char *name = levels[level >= 0 && level <= SVC_LOG_INFO ? level : SVC_LOG_INFO];
  struct timespec now = { 0, 0 };
  svcd_line line;
  line.n = 0; /* the text needs no initial value */
  clock_gettime(CLOCK_REALTIME, &now);
  svcd_line_time(&line, (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
  svcd_line_member(&line, "level", name, strlen(name));
  svcd_line_member(&line, "event", event, strlen(event));
  svcd_line_member(&line, "message", text, strlen(text));
  (void)svcd_line_write(&line, fd); /* a failure cannot be reported: this is the log */
}

/* Writes one line. before: prefix of a text line, after the program's name. */
static void log_put(int level, const char *event, const char *before, const char *format, va_list args)
{
  char text[SVCD_TEXT];
  if (log_is_json) {
    vsnprintf(text, sizeof text, format, args);
    log_json(2, level, event, text);
    return;
  }
  flockfile(stderr);
  fprintf(stderr, "svcd: %s", before);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  funlockfile(stderr);
}

void svcd_log(void *context, int level, const char *event, const char *text)
{
  static const char levels[] = "?ewi"; /* first letters of the level names, at the level's number */
  const char *most = context ? strchr(levels, *(const char *)context) : NULL;
  if (level > (most ? (int)(most - levels) : SVC_LOG_WARNING)) return;
  if (log_is_json) log_json(2, level, event, text);
  else fprintf(stderr, "svcd: %s\n", text);
}

int svcd_error(int status, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  log_put(SVC_LOG_ERROR, status == 2 ? "flags.invalid" : "svcd.failed", "", format, args);
  va_end(args);
  return status;
}

void svcd_say(int level, const char *event, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  log_put(level, event, level == SVC_LOG_WARNING ? "warning: " : "", format, args);
  va_end(args);
}

void svcd_print(const char *event, const char *label, const char *format, ...)
{
  char text[SVCD_TEXT];
  size_t n;
  va_list args;
  va_start(args, format);
  if (log_is_json) {
    n = (size_t)snprintf(text, sizeof text, *label ? "%s " : "%s", label);
    vsnprintf(text + n, sizeof text - n, format, args);
    log_json(1, SVC_LOG_INFO, event, text);
  } else {
    printf(*label ? "%-14s " : "%s", label);
    vprintf(format, args);
    putchar('\n');
    fflush(stdout);
  }
  va_end(args);
}

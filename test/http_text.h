/*
** HTTP as text, for the test programs that are clients of svcd (test/cluster, test/soak). Writes requests and reads answers; the
** caller moves the bytes.
*/
#ifndef SVC_TEST_HTTP_TEXT_H
#define SVC_TEST_HTTP_TEXT_H

#ifndef _GNU_SOURCE
#error "memmem and strcasestr: a file that includes this defines _GNU_SOURCE first"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a request. `headers` are whole lines, each ending in \r\n; body NULL: no body. Returns the length, or 0 if there is no room. */
static inline size_t http_write(char *text, size_t size, const char *method, const char *path, const char *headers, const char *body)
{
  char length[64] = "";
  int n;
  if (body) snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(body));
  n = snprintf(text, size, "%s %s HTTP/1.1\r\nHost: localhost\r\n%s%s\r\n%s", method, path, headers, length, body ? body : "");
  return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

/* Returns true if the answer is complete. `have` bytes were received, followed by a NUL. *body: the start of the body. */
static inline bool http_whole(const char *text, size_t have, const char **body)
{
  const char *length;
  size_t n;
  *body = memmem(text, have, "\r\n\r\n", 4);
  if (!*body) return false;
  length = strcasestr(text, "\r\nContent-Length:");
  n = length && length < *body ? strtoul(length + 17, NULL, 10) : 0;
  *body += 4;
  return have >= (size_t)(*body - text) + n;
}

/* Returns the status and copies the ETag as sent. Returns 0 if the text is no HTTP answer. */
static inline int http_head(const char *text, const char *body, char *tag, size_t size)
{
  const char *at = strcasestr(text, "\r\nETag: ");
  int status;
  if (at && at < body) snprintf(tag, size, "%.*s", (int)strcspn(at + 8, "\r"), at + 8);
  return sscanf(text, "HTTP/1.1 %d", &status) == 1 ? status : 0;
}

/* Copies the first string with this name in a JSON text. Returns false if it is missing. */
static inline bool http_member(const char *json, const char *name, char *out, size_t size)
{
  char label[64];
  const char *at;
  snprintf(label, sizeof label, "\"%s\":\"", name);
  at = strstr(json, label);
  if (!at) return false;
  at += strlen(label);
  snprintf(out, size, "%.*s", (int)strcspn(at, "\""), at);
  return true;
}

/* Returns how often `what` occurs in a text. */
static inline unsigned http_count(const char *text, const char *what)
{
  unsigned n = 0;
  for (text = strstr(text, what); text; text = strstr(text + 1, what)) n++;
  return n;
}

#endif /* SVC_TEST_HTTP_TEXT_H */

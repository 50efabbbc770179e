/*
** A client over HTTP/1.1 that waits for its answer, and keeps its connection for a few requests.
*/
#define _GNU_SOURCE /* memmem, strcasestr */
#include "cluster.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define HTTP_SECONDS 20 /* without an answer */
#define HTTP_USES 8

void http_close(http_client *c)
{
  if (c->fd >= 0) close(c->fd);
  c->fd = -1;
  c->used = 0;
}

static bool http_connect(http_client *c)
{
  struct timeval patience = { HTTP_SECONDS, 0 };
  struct sockaddr_in a = { 0 };
  int on = 1;
  if (c->used == HTTP_USES) http_close(c);
  c->used++;
  if (c->fd >= 0) return true;
  a.sin_family = AF_INET;
  a.sin_port = htons((uint16_t)c->port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (c->fd < 0) cluster_die("no socket");
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  return connect(c->fd, (struct sockaddr *)&a, sizeof a) == 0;
}

static bool http_send(int fd, const char *text, size_t n)
{
  while (n) {
    ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    text += sent;
    n -= (size_t)sent;
  }
  return true;
}

/* Is the answer whole? *have is how much of it there is. */
static bool http_whole(http_answer *a, size_t have, const char **end)
{
  const char *length;
  size_t body;
  *end = memmem(a->text, have, "\r\n\r\n", 4);
  if (!*end) return false;
  length = strcasestr(a->text, "\r\nContent-Length:");
  body = length && length < *end ? strtoul(length + 17, NULL, 10) : 0;
  *end += 4;
  return have >= (size_t)(*end - a->text) + body;
}

static void http_read(http_client *c, http_answer *a)
{
  const char *end = NULL, *tag;
  size_t have = 0;
  for (;;) {
    ssize_t got = recv(c->fd, a->text + have, sizeof a->text - 1 - have, 0);
    if (got <= 0) return;
    have += (size_t)got;
    a->text[have] = 0;
    if (http_whole(a, have, &end)) break;
    if (have == sizeof a->text - 1) cluster_die("an answer is too long");
  }
  if (sscanf(a->text, "HTTP/1.1 %d", &a->status) != 1) cluster_die("no answer of HTTP: %.80s", a->text);
  a->body = end;
  tag = strcasestr(a->text, "\r\nETag: ");
  if (tag && tag < end) snprintf(a->tag, sizeof a->tag, "%.*s", (int)strcspn(tag + 8, "\r"), tag + 8);
}

void http_ask(http_client *c, const char *method, const char *path, const char *headers, const char *body, http_answer *out)
{
  char text[4096];
  int n = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: localhost\r\n%s", method, path, headers);
  out->status = 0;
  out->tag[0] = out->text[0] = 0;
  out->body = out->text;
  if (n > 0 && body) n += snprintf(text + n, sizeof text - (size_t)n, "Content-Length: %zu\r\n", strlen(body));
  if (n > 0 && (size_t)n < sizeof text) n += snprintf(text + n, sizeof text - (size_t)n, "\r\n%s", body ? body : "");
  if (n < 0 || (size_t)n >= sizeof text) cluster_die("a request is too long");
  if (http_connect(c) && http_send(c->fd, text, (size_t)n)) http_read(c, out);
  if (!out->status) http_close(c);
}

bool http_member(const char *json, const char *name, char *out, size_t size)
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

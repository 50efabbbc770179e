/*
** A blocking HTTP/1.1 client that keeps its connection for a few requests.
*/
#define _GNU_SOURCE /* http_text.h */
#include "cluster.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define HTTP_SECONDS 20 /* timeout for an answer */
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

static void http_read(http_client *c, http_answer *a)
{
  size_t have = 0;
  for (;;) {
    ssize_t got = recv(c->fd, a->text + have, sizeof a->text - 1 - have, 0);
    if (got <= 0) return;
    have += (size_t)got;
    a->text[have] = 0;
    if (http_whole(a->text, have, &a->body)) break;
    if (have == sizeof a->text - 1) cluster_die("an answer is too long");
  }
  a->status = http_head(a->text, a->body, a->tag, sizeof a->tag);
  if (!a->status) cluster_die("no answer of HTTP: %.80s", a->text);
}

void http_ask(http_client *c, const char *method, const char *path, const char *headers, const char *body, http_answer *out)
{
  char text[4096];
  const char *step = "to receive";
  size_t n = http_write(text, sizeof text, method, path, headers, body);
  out->status = 0;
  out->tag[0] = out->text[0] = 0;
  out->body = out->text;
  if (!n) cluster_die("a request is too long");
  errno = 0;
  if (!http_connect(c)) step = "to connect";
  else if (!http_send(c->fd, text, n)) step = "to send";
  else http_read(c, out);
  if (out->status) return;
  if (!out->text[0]) snprintf(out->text, sizeof out->text, "nothing: failed %s on use %u of the connection: %s", step, c->used, errno ? strerror(errno) : "closed");
  out->body = out->text; /* after an incomplete answer */
  http_close(c);
}

/*
** Clients: a single thread with many connections, each with one pending request that is sent again as soon as it is answered.
**
** The client does as little as possible, so that the server is measured. The client reads each answer to its end and checks the status,
** and does nothing else. The client uses loopback only, and runs only for the given time.
*/
#define _GNU_SOURCE /* memmem */
#include "bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOAD_BUFFER ((size_t)1 << 20)
#define LOAD_HEAD 4096
#define LOAD_WAIT_MS 10000 /* timeout for any answer */

typedef struct load_conn {
  int fd;
  void *tls; /* session of load_tls.c; NULL: plain HTTP */
  bool busy, creates;
  size_t left;       /* bytes of the body still to come */
  size_t have;       /* bytes of an incomplete head */
  char head[LOAD_HEAD];
} load_conn;

struct bench_load {
  int epoll, count, busy;
  char *buffer;
  unsigned state;
  load_conn *conns;
  void *tls; /* state of load_tls.c; NULL: plain HTTP */
};

static int load_connect(int port)
{
  struct sockaddr_in a;
  int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  memset(&a, 0, sizeof a);
  a.sin_family = AF_INET;
  a.sin_port = htons((unsigned short)port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) != 0) bench_die("cannot connect to the server");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

/* ---------------------------------------------------------------------------------------------------------- connections */

bench_load *bench_load_open(int port, int count, bool secure)
{
  bench_load *l = calloc(1, sizeof *l);
  int i;
  if (!l) bench_die("no memory");
  l->epoll = epoll_create1(EPOLL_CLOEXEC);
  l->count = count;
  l->state = 1;
  l->buffer = malloc(LOAD_BUFFER);
  l->conns = calloc((size_t)count, sizeof *l->conns);
  if (l->epoll < 0 || !l->buffer || !l->conns) bench_die("no memory");
  if (secure) l->tls = bench_tls_open();
  for (i = 0; i < count; i++) {
    struct epoll_event e = { EPOLLIN, { &l->conns[i] } };
    l->conns[i].fd = load_connect(port);
    if (secure) l->conns[i].tls = bench_tls_shake(l->tls, l->conns[i].fd);
    if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->conns[i].fd, &e) != 0) bench_die("epoll failed");
  }
  return l;
}

void bench_load_close(bench_load *l)
{
  int i;
  for (i = 0; i < l->count; i++) {
    if (l->tls) bench_tls_end(l->conns[i].tls);
    close(l->conns[i].fd);
  }
  if (l->tls) bench_tls_close(l->tls);
  close(l->epoll);
  free(l->conns);
  free(l->buffer);
  free(l);
}

/* ------------------------------------------------------------------------------------------------------------- requests */

static void load_send(load_conn *c, const char *p, size_t n)
{
  if (c->tls ? !bench_tls_send(c->tls, p, n) : send(c->fd, p, n, MSG_NOSIGNAL) != (ssize_t)n)
    bench_die("a request could not be sent");
}

static void load_send_create(load_conn *c, bench_store *b)
{
  char text[2048], body[1024];
  size_t length = bench_create_body(b, atomic_fetch_add(&b->created, 1), body, sizeof body);
  int n = snprintf(text, sizeof text,
                   "POST " BENCH_API "groups HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\n"
                   "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", b->bearer, length, body);
  load_send(c, text, (size_t)n);
}

/* -------------------------------------------------------------------------------------------------------------- answers */

/* Returns the length of a complete head, and the length of its body; 0: incomplete. */
static size_t load_head(const char *p, size_t n, size_t *body)
{
  const char *end = memmem(p, n, "\r\n\r\n", 4), *length;
  if (!end) return 0;
  length = memmem(p, (size_t)(end - p), "\r\nContent-Length: ", 18);
  if (!length || memcmp(p, "HTTP/1.1 20", 11) != 0) {
    fprintf(stderr, "bench: a server answers %.*s\n", (int)(n < 2000 ? n : 2000), p);
    exit(1);
  }
  *body = strtoul(length + 18, NULL, 10);
  return (size_t)(end - p) + 4;
}

/* Returns true if the answer is complete. */
static bool load_take(load_conn *c, const char *p, size_t n)
{
  size_t head, body;
  if (c->left == 0) {
    if (c->have) { /* the head arrived in pieces */
      if (c->have + n > sizeof c->head) bench_die("the head of an answer is too long");
      memcpy(c->head + c->have, p, n);
      p = c->head;
      n += c->have;
    }
    head = load_head(p, n, &body);
    if (!head) {
      if (n > sizeof c->head) bench_die("the head of an answer is too long");
      memmove(c->head, p, n);
      c->have = n;
      return false;
    }
    c->have = 0;
    c->left = head + body;
  }
  if (n > c->left) bench_die("a server says more than it was asked");
  c->left -= n;
  return c->left == 0;
}

/* Returns true if the answer is complete. */
static bool load_read_tls(bench_load *l, load_conn *c)
{
  bool whole = false;
  int n = 1;
  while (!whole && (n = bench_tls_read(c->tls, l->buffer, (int)LOAD_BUFFER)) > 0) whole = load_take(c, l->buffer, (size_t)n);
  return whole;
}

/* Returns true if the answer is complete. */
static bool load_read(bench_load *l, load_conn *c)
{
  ssize_t n;
  if (c->tls) return load_read_tls(l, c);
  n = recv(c->fd, l->buffer, LOAD_BUFFER, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (n <= 0) bench_die("a server has closed a connection");
  return load_take(c, l->buffer, (size_t)n);
}

bench_rate bench_load_run(bench_load *l, double seconds, const bench_text *reads, size_t read_count, int creators,
                          bench_store *b)
{
  struct epoll_event events[64];
  double start, until, now;
  long read = 0, created = 0;
  int i, n;
  bool over = false;
  for (i = 0; i < l->count; i++) l->conns[i].creates = i < creators;
  start = bench_now();
  until = start + seconds;
  for (i = 0; i < l->count; i++) {
    const bench_text *next = &reads[bench_random(&l->state) % read_count];
    l->conns[i].busy = true;
    l->busy++;
    if (l->conns[i].creates) load_send_create(&l->conns[i], b);
    else load_send(&l->conns[i], next->p, next->n);
  }
  while (l->busy) {
    n = epoll_wait(l->epoll, events, 64, LOAD_WAIT_MS);
    if (n == 0) bench_die("a server does not answer");
    now = bench_now();
    over = over || now >= until;
    for (i = 0; i < n; i++) {
      load_conn *c = events[i].data.ptr;
      if (!load_read(l, c)) continue;
      if (!over) {
        const bench_text *next = &reads[bench_random(&l->state) % read_count];
        if (c->creates) created++, load_send_create(c, b);
        else read++, load_send(c, next->p, next->n);
        continue;
      }
      c->busy = false; /* answers after the end are not counted */
      l->busy--;
    }
  }
  return (bench_rate){ (double)read / seconds, (double)created / seconds };
}

char *bench_load_ask(int port, const char *request, size_t n, size_t *length)
{
  bench_load *l = bench_load_open(port, 1, false);
  load_conn *c = &l->conns[0];
  char *answer = malloc(LOAD_BUFFER + 1);
  size_t have = 0, head = 0, body = 0;
  if (!answer) bench_die("no memory");
  load_send(c, request, n);
  while (!head || have < head + body) {
    ssize_t got = recv(c->fd, answer + have, LOAD_BUFFER - have, 0);
    if (got <= 0) bench_die("a server has closed a connection");
    have += (size_t)got;
    if (!head) head = load_head(answer, have, &body);
  }
  answer[have] = 0;
  *length = have;
  bench_load_close(l);
  return answer;
}

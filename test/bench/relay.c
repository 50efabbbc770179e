/*
** A delayed connection to PostgreSQL, as to another data center or another continent: all bytes arrive later by a fixed time, in
** both directions and in order, and any number may be in transit. The time of a request over it, divided by the delay of both
** directions, is the number of round trips that the request waits for, independent of any other count.
*/
#ifdef SVC_WITH_POSTGRES

#define _GNU_SOURCE /* ppoll */
#include "bench.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

typedef struct relay_chunk {
  struct relay_chunk *next;
  double due;
  size_t n;
  char bytes[16384];
} relay_chunk;

typedef struct relay_way {
  int from, to;
  relay_chunk *first, **last;
} relay_way;

typedef struct relay {
  int listening;
  double late;
  char to[BENCH_PATH];
} relay;

typedef struct relay_pair {
  relay *r;
  int client;
} relay_pair;

static int relay_socket(const char *folder, struct sockaddr_un *address)
{
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (fd < 0 || (size_t)snprintf(address->sun_path, sizeof address->sun_path, "%s/.s.PGSQL.5432", folder) >= sizeof address->sun_path)
    bench_die("the path of a socket is too long");
  return fd;
}

/* Returns false at the end of the stream. */
static bool relay_take(relay_way *w, double late)
{
  relay_chunk *c = malloc(sizeof *c);
  ssize_t n = c ? read(w->from, c->bytes, sizeof c->bytes) : 0;
  if (n <= 0) {
    free(c);
    return false;
  }
  c->next = NULL;
  c->n = (size_t)n;
  c->due = bench_now() + late;
  *w->last = c;
  w->last = &c->next;
  return true;
}

static bool relay_give(relay_way *w)
{
  while (w->first && w->first->due <= bench_now()) {
    relay_chunk *c = w->first;
    size_t done = 0;
    while (done < c->n) {
      ssize_t n = send(w->to, c->bytes + done, c->n - done, MSG_NOSIGNAL);
      if (n <= 0) return false;
      done += (size_t)n;
    }
    w->first = c->next;
    if (!w->first) w->last = &w->first;
    free(c);
  }
  return true;
}

static struct timespec relay_pause(const relay_way *ways)
{
  double wait = 1, now = bench_now();
  int i;
  for (i = 0; i < 2; i++)
    if (ways[i].first && ways[i].first->due - now < wait) wait = ways[i].first->due - now;
  if (wait < 0) wait = 0;
  return (struct timespec){ (time_t)wait, (long)((wait - (double)(time_t)wait) * 1e9) };
}

static void *relay_carry(void *argument)
{
  relay_pair *pair = argument;
  struct sockaddr_un address;
  int server = relay_socket(pair->r->to, &address), i;
  relay_way ways[2] = { { pair->client, server, NULL, NULL }, { server, pair->client, NULL, NULL } };
  bool open = connect(server, (struct sockaddr *)&address, sizeof address) == 0;
  for (i = 0; i < 2; i++) ways[i].last = &ways[i].first;
  while (open) {
    struct pollfd p[2] = { { pair->client, POLLIN, 0 }, { server, POLLIN, 0 } };
    struct timespec pause = relay_pause(ways);
    if (ppoll(p, 2, &pause, NULL) < 0) break;
    for (i = 0; i < 2; i++) open = open && (!p[i].revents || relay_take(&ways[i], pair->r->late)) && relay_give(&ways[i]);
  }
  for (i = 0; i < 2; i++) {
    close(ways[i].from);
    while (ways[i].first) {
      relay_chunk *c = ways[i].first;
      ways[i].first = c->next;
      free(c);
    }
  }
  free(pair);
  return NULL;
}

static void *relay_accept(void *argument)
{
  relay *r = argument;
  for (;;) {
    relay_pair *pair = malloc(sizeof *pair);
    pthread_t thread;
    if (!pair) bench_die("no memory");
    *pair = (relay_pair){ r, accept(r->listening, NULL, NULL) };
    if (pair->client < 0 || pthread_create(&thread, NULL, relay_carry, pair) != 0) bench_die("the relay has no means");
    pthread_detach(thread);
  }
  return NULL;
}

/* Runs as long as the process. */
void bench_relay_start(const char *folder, const char *to, double seconds)
{
  struct sockaddr_un address;
  relay *r = calloc(1, sizeof *r);
  pthread_t thread;
  if (!r) bench_die("no memory");
  mkdir(folder, 0700);
  r->listening = relay_socket(folder, &address);
  r->late = seconds;
  snprintf(r->to, sizeof r->to, "%s", to);
  unlink(address.sun_path);
  if (bind(r->listening, (struct sockaddr *)&address, sizeof address) != 0 || listen(r->listening, 64) != 0 ||
      pthread_create(&thread, NULL, relay_accept, r) != 0)
    bench_die("the relay does not listen");
  pthread_detach(thread);
}

#else
typedef int relay_left_out; /* a file must contain a declaration */
#endif

/*
** A single address in front of all instances, like a load balancer. Connections go to the instances in turn, or to another one if the
** first does not answer. A connection whose instance dies is closed; the client does not learn the outcome of its request.
*/
#define _GNU_SOURCE /* sockets and threads */
#include "cluster.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define RELAY_STACK 131072

typedef struct relay {
  int fd, port;
  int ports[CLUSTER_INSTANCES];
  atomic_uint turn;
} relay;

typedef struct relay_pair {
  relay *r;
  int client;
} relay_pair;

static int relay_connect(relay *r)
{
  unsigned turn = atomic_fetch_add(&r->turn, 1), i;
  for (i = 0; i < CLUSTER_INSTANCES; i++) {
    struct sockaddr_in a = { 0 };
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) cluster_die("no socket");
    a.sin_family = AF_INET;
    a.sin_port = htons((uint16_t)r->ports[(turn + i) % CLUSTER_INSTANCES]);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0) return fd;
    close(fd);
  }
  return -1;
}

static bool relay_pass(int from, int to)
{
  char bytes[16384];
  ssize_t n = recv(from, bytes, sizeof bytes, 0), at = 0;
  while (at < n) {
    ssize_t sent = send(to, bytes + at, (size_t)(n - at), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    at += sent;
  }
  return n > 0;
}

static void *relay_serve(void *context)
{
  relay_pair pair = *(relay_pair *)context;
  int server = relay_connect(pair.r), on = 1;
  bool open = server >= 0;
  free(context);
  setsockopt(pair.client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  while (open) {
    struct pollfd fds[2] = { { pair.client, POLLIN, 0 }, { server, POLLIN, 0 } };
    if (poll(fds, 2, -1) < 0) break;
    if (fds[0].revents) open = relay_pass(pair.client, server);
    if (open && fds[1].revents) open = relay_pass(server, pair.client);
  }
  close(pair.client);
  if (server >= 0) close(server);
  return NULL;
}

static void *relay_accept(void *context)
{
  relay *r = context;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, RELAY_STACK);
  pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
  for (;;) {
    int fd = accept(r->fd, NULL, NULL);
    relay_pair *pair = malloc(sizeof *pair);
    pthread_t thread;
    if (fd < 0 || !pair) cluster_die("the relay cannot accept");
    *pair = (relay_pair){ r, fd };
    if (pthread_create(&thread, &small, relay_serve, pair) != 0) cluster_die("no thread");
  }
  return NULL;
}

int relay_start(const int ports[CLUSTER_INSTANCES])
{
  relay *r = calloc(1, sizeof *r); /* lives as long as the process */
  struct sockaddr_in a = { 0 };
  socklen_t size = sizeof a;
  pthread_t thread;
  int i;
  if (!r) cluster_die("no memory");
  for (i = 0; i < CLUSTER_INSTANCES; i++) r->ports[i] = ports[i];
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  r->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (r->fd < 0 || bind(r->fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(r->fd, 1024) != 0 ||
      getsockname(r->fd, (struct sockaddr *)&a, &size) != 0 || pthread_create(&thread, NULL, relay_accept, r) != 0)
    cluster_die("the relay does not start");
  return ntohs(a.sin_port);
}

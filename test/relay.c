/*
** A relay between a port and its server: see relay.h.
*/
#define _GNU_SOURCE /* sockets */
#include "relay.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define RELAY_PAIRS 32

static int relay_socket(const char *path, struct sockaddr_un *out)
{
  memset(out, 0, sizeof *out);
  out->sun_family = AF_UNIX;
  munit_assert_size((size_t)snprintf(out->sun_path, sizeof out->sun_path, "%s", path), <, sizeof out->sun_path);
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* Passes on the bytes that are available, or a part of them. False: this pair of connections is closed. */
static bool relay_pass(relay_control *k, int from, int to, int direction)
{
  char bytes[4096];
  ssize_t n = recv(from, bytes, sizeof bytes, 0);
  long left = atomic_load(&k->left[direction]);
  bool now = n > 0 && left >= 0 && left < n;
  if (n <= 0) return shutdown(to, SHUT_WR), false;
  if (left >= 0) atomic_store(&k->left[direction], now ? -1 : left - n);
  if (now) {
    atomic_fetch_add(&k->done, 1);
    if (atomic_load(&k->way) == RELAY_WAIT) usleep(50000);
    else n = left;
  }
  if (n > 0 && send(to, bytes, (size_t)n, MSG_NOSIGNAL) != n) return false;
  if (!now || atomic_load(&k->way) == RELAY_WAIT) return true;
  if (atomic_load(&k->way) == RELAY_CLOSE) return false;
  shutdown(to, SHUT_WR);
  return true;
}

static void relay_serve(const relay *r, int listener)
{
  struct pollfd fds[1 + 2 * RELAY_PAIRS];
  struct sockaddr_un address;
  int pairs = 0, i, server, client;
  fds[0] = (struct pollfd){ listener, POLLIN, 0 };
  for (;;) {
    if (poll(fds, (nfds_t)(1 + 2 * pairs), -1) < 0) _exit(1);
    for (i = 0; i < 2 * pairs; i++) {
      int other = i ^ 1;
      if (!fds[1 + i].revents || relay_pass(r->control, fds[1 + i].fd, fds[1 + other].fd, i & 1)) continue;
      close(fds[1 + i].fd);
      close(fds[1 + other].fd);
      pairs--;
      memmove(&fds[1 + (i & ~1)], &fds[1 + 2 * pairs], 2 * sizeof fds[0]); /* the last pair takes its place */
      fds[1 + (i & ~1)].revents = fds[2 + (i & ~1)].revents = 0;          /* and is handled in the next round */
    }
    if (!fds[0].revents || pairs == RELAY_PAIRS) continue;
    client = accept(listener, NULL, NULL);
    server = relay_socket(r->to, &address);
    if (client < 0 || server < 0 || connect(server, (struct sockaddr *)&address, sizeof address) != 0) _exit(1);
    fds[1 + 2 * pairs] = (struct pollfd){ client, POLLIN, 0 };
    fds[2 + 2 * pairs] = (struct pollfd){ server, POLLIN, 0 };
    pairs++;
  }
}

void relay_start(relay *r, const char *server, const char *name)
{
  struct sockaddr_un address;
  char path[256];
  int listener, i;
  memset(r, 0, sizeof *r);
  store_folder(r->folder);
  snprintf(path, sizeof path, "%s/%s", r->folder, name);
  snprintf(r->to, sizeof r->to, "%s/%s", server, name);
  r->control = mmap(NULL, sizeof *r->control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  munit_assert_ptr_not_equal(r->control, MAP_FAILED);
  for (i = 0; i < 2; i++) atomic_store(&r->control->left[i], -1);
  listener = relay_socket(path, &address);
  munit_assert_int(bind(listener, (struct sockaddr *)&address, sizeof address), ==, 0);
  munit_assert_int(listen(listener, 16), ==, 0);
  r->child = fork();
  munit_assert_int(r->child, >=, 0);
  if (r->child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the relay does not outlive the test */
    relay_serve(r, listener);
  }
  close(listener);
}

void relay_stop(relay *r)
{
  kill(r->child, SIGKILL);
  waitpid(r->child, NULL, 0);
  munmap(r->control, sizeof *r->control);
  store_remove(r->folder);
}

void relay_arm(relay *r, int direction, int way, long bytes)
{
  atomic_store(&r->control->done, 0);
  atomic_store(&r->control->way, way);
  atomic_store(&r->control->left[direction], bytes);
}

bool relay_disarm(relay *r)
{
  int i;
  for (i = 0; i < 2; i++) atomic_store(&r->control->left[i], -1);
  return atomic_load(&r->control->done) > 0;
}

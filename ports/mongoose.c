/*
** The listener on mongoose 7.23: sockets and event loops are mongoose's, HTTP is ours. Only this file uses
** mongoose; listener/parts.h describes the other parts and the rules they share.
**
** mongoose's HTTP is not used, because it delivers a truncated body as if it were complete, drops headers past a fixed
** number (and with them a Content-Length, so that a body runs as the next request), swallows the request after a POST
** without a length, cannot read a chunk whose size line comes in two segments, and closes silently instead of
** answering 400. Working around all of these would amount to a parser. So there is one, strict, and mongoose only moves bytes:
** only MG_EV_ACCEPT, MG_EV_READ, MG_EV_POLL and MG_EV_CLOSE are used.
**
** Further properties of mongoose: while c->send is not empty its epoll code asks for EPOLLIN at every turn, and
** is_full does not remove EPOLLIN; both spin when a client sends and does not read. mongoose also closes at once when it
** reads the end of the input, even if an answer is pending. So c->send is never used, and a pause removes the socket's
** events (svc_listener_reading). Nor is mg_wakeup() used: see svc_listener_ring().
**
** mongoose's TLS is not used either (listener/tls.c has the reason): mongoose does not know which connections use TLS. A TLS connection
** borrows a buffer while there is something to read, so that an idle connection has none.
*/
#include "listener/parts.h"

#include <mongoose.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#if !MG_ENABLE_EPOLL
#error "the listener needs mongoose's epoll loop"
#endif

#define MONGOOSE_TURN_MS 250 /* maximum sleep of a loop: the precision of all timeouts */

static int mongoose_fd(const struct mg_connection *c)
{
  return (int)(size_t)c->fd;
}

uint64_t svc_listener_now(void)
{
  return mg_millis();
}

static void mongoose_log_nothing(char c, void *argument)
{
  (void)c, (void)argument;
}

void svc_listener_quiet(void)
{
  if (mg_log_level == MG_LL_NONE) return; /* once per process: loops of another listener may be reading it */
  mg_log_set(MG_LL_NONE);                 /* by default mongoose logs everything to stdout, */
  mg_log_set_fn(mongoose_log_nothing, NULL); /* and hexdumps at any level */
}

/* --------------------------------------------------------------------------------------------------- the connection */

/* Also changes the events in epoll: with is_full alone, epoll would report a readable socket at every turn. */
void svc_listener_reading(listener_conn *conn, bool on)
{
  struct mg_connection *c = conn->c;
  struct epoll_event e = { on ? EPOLLIN : 0, { c } };
  if (c->is_full == !on) return;
  c->is_full = !on;
  if (!on) c->is_readable = 0; /* nor in this turn */
  if (epoll_ctl(c->mgr->epoll_fd, EPOLL_CTL_MOD, conn->fd, &e) != 0) c->is_closing = 1;
}

const char *svc_listener_received(const listener_conn *conn, size_t *n)
{
  if (conn->tls) {
    *n = conn->plain_length - conn->at;
    return conn->plain ? conn->plain + conn->at : "";
  }
  *n = conn->c->recv.len - conn->at;
  return (const char *)conn->c->recv.buf + conn->at;
}

void svc_listener_shift(listener_conn *conn)
{
  struct mg_iobuf *in = &conn->c->recv;
  if (conn->tls) {
    if (conn->at) memmove(conn->plain, conn->plain + conn->at, conn->plain_length - conn->at);
    conn->plain_length -= conn->at;
    if (conn->at) svc_http_wipe(conn->plain + conn->plain_length, conn->at);
    conn->at = 0;
    return;
  }
  /* not mg_iobuf_del(), which wipes as well, but byte by byte */
  if (conn->at) memmove(in->buf, in->buf + conn->at, in->len - conn->at);
  in->len -= conn->at;
  if (conn->at) svc_http_wipe(in->buf + in->len, conn->at);
  conn->at = 0;
}

void svc_listener_discard(listener_conn *conn)
{
  svc_http_wipe(conn->c->recv.buf, conn->c->recv.len);
  svc_http_wipe(conn->plain, conn->plain_length);
  conn->c->recv.len = conn->at = conn->raw_at = conn->plain_length = 0;
}

/* ---------------------------------------------------------------------------------------- buffers of those with TLS */

static char *mongoose_borrow(listener_loop *loop)
{
  size_t i;
  for (i = 0; i < sizeof loop->spare / sizeof loop->spare[0]; i++) {
    char *buffer = loop->spare[i];
    loop->spare[i] = NULL;
    if (buffer) return buffer;
  }
  return mg_calloc(1, MG_IO_SIZE);
}

static void mongoose_give_back(listener_loop *loop, void *buffer, size_t size)
{
  size_t i;
  for (i = 0; buffer && size == MG_IO_SIZE && i < sizeof loop->spare / sizeof loop->spare[0]; i++) {
    if (loop->spare[i]) continue;
    loop->spare[i] = buffer;
    return;
  }
  mg_free(buffer);
}

/* Called before mongoose reads: gives the connection a buffer, unless it has one. mongoose handles a lack of memory. */
static void mongoose_lend(listener_conn *conn)
{
  struct mg_iobuf *in = &conn->c->recv;
  if (in->buf) return;
  in->buf = (unsigned char *)mongoose_borrow(conn->loop);
  in->size = in->buf ? MG_IO_SIZE : 0;
}

const char *svc_listener_raw(const listener_conn *conn, size_t *n)
{
  *n = conn->c->recv.len - conn->raw_at;
  return *n ? (const char *)conn->c->recv.buf + conn->raw_at : "";
}

char *svc_listener_room(listener_conn *conn)
{
  size_t size = conn->plain_size + MG_IO_SIZE;
  char *bigger;
  if (conn->plain && conn->plain_size - conn->plain_length >= MG_IO_SIZE / 4) return conn->plain + conn->plain_length;
  bigger = conn->plain ? mg_calloc(1, size) : mongoose_borrow(conn->loop);
  if (!bigger) return NULL;
  if (conn->plain) memcpy(bigger, conn->plain, conn->plain_length);
  svc_http_wipe(conn->plain, conn->plain_length);
  mongoose_give_back(conn->loop, conn->plain, conn->plain_size);
  conn->plain = bigger;
  conn->plain_size = size;
  return bigger + conn->plain_length;
}

void svc_listener_rest(listener_conn *conn)
{
  struct mg_iobuf *in = &conn->c->recv;
  if (conn->raw_at && conn->raw_at < in->len) memmove(in->buf, in->buf + conn->raw_at, in->len - conn->raw_at);
  in->len -= conn->raw_at;
  conn->raw_at = 0;
  if (conn->plain_length == 0) {
    mongoose_give_back(conn->loop, conn->plain, conn->plain_size);
    conn->plain = NULL;
    conn->plain_size = 0;
  }
  if (in->len > 0) return;
  mongoose_give_back(conn->loop, in->buf, in->size);
  in->buf = NULL;
  in->size = 0;
}

/* ------------------------------------------------------------------------------------------- its beginning and end */

void svc_listener_drop(listener_conn *conn)
{
  conn->c->is_closing = 1;
}

bool svc_listener_dropped(const listener_conn *conn)
{
  return conn->c->is_closing;
}

static void mongoose_accept(listener_loop *loop, struct mg_connection *c)
{
  listener_conn *conn = calloc(1, sizeof *conn);
  bool secure = c->is_tls; /* as set for the listening socket */
  c->is_tls = 0;
  c->fn_data = conn;
  loop->accepted = true;
  if (conn) {
    conn->c = c;
    conn->fd = mongoose_fd(c);
    conn->loop = loop;
  }
  if (!conn || (secure && !svc_listener_tls_begin(conn))) { /* closed before anything is read from it */
    c->fn_data = NULL;
    c->is_closing = 1;
    free(conn);
    return;
  }
  inet_ntop(c->rem.is_ip6 ? AF_INET6 : AF_INET, c->rem.addr.ip, conn->peer, sizeof conn->peer);
  svc_listener_welcome(conn);
}

/* Replaces `from` by `to` among the listening sockets of a loop. */
static void mongoose_listening(listener_loop *loop, const struct mg_connection *from, struct mg_connection *to)
{
  size_t i;
  for (i = 0; i < LISTENER_URLS && loop->listening[i] != from;) i++;
  if (i < LISTENER_URLS) loop->listening[i] = to;
}

static void mongoose_event(struct mg_connection *c, int ev, void *data)
{
  listener_conn *conn;
  if (c->is_listening && ev == MG_EV_CLOSE) mongoose_listening(c->fn_data, c, NULL);
  if (c->is_listening || ev == MG_EV_OPEN) return;
  if (ev == MG_EV_ACCEPT) {
    mongoose_accept(c->fn_data, c);
    return;
  }
  conn = c->fn_data;
  if (!conn) return;
  if (ev == MG_EV_READ) {
    if (conn->state == LISTENER_LINGER) svc_listener_discard(conn);
    else svc_listener_advance(conn);
  } else if (ev == MG_EV_POLL) {
    svc_listener_look(conn, *(uint64_t *)data);
    if (!c->is_closing && *(uint64_t *)data >= conn->deadline) svc_listener_expire(conn);
    if (c->is_closing) svc_listener_leave(conn);
    else if (conn->tls && c->is_readable) mongoose_lend(conn);
    else if (conn->tls) svc_listener_tls_rest(conn, *(uint64_t *)data);
  } else if (ev == MG_EV_CLOSE) {
    c->fn_data = NULL;
    if (conn->tls) svc_listener_discard(conn), svc_listener_rest(conn);
    svc_listener_farewell(conn);
  }
}

/* -------------------------------------------------------------------------------------------------------- accepting */

/* Accepts connections again, or pauses for MONGOOSE_TURN_MS. */
static void mongoose_accepting(listener_loop *loop, bool on)
{
  size_t i;
  for (i = 0; i < LISTENER_URLS; i++) {
    struct mg_connection *c = loop->listening[i];
    struct epoll_event e = { on ? EPOLLIN : 0, { c } };
    if (c) epoll_ctl(loop->mgr->epoll_fd, EPOLL_CTL_MOD, mongoose_fd(c), &e);
  }
  loop->accept_at = on ? 0 : mg_millis() + MONGOOSE_TURN_MS;
}

/*
** A connection is pending, but accept() failed: perhaps the process or the machine has no more file descriptors. mongoose does not report
** it, and would try again at every turn: so accepting pauses for a while. Opening a socket tests for the cause; on a machine without
** SO_REUSEPORT another loop may just have been faster.
*/
static void mongoose_check_accept(listener_loop *loop)
{
  bool knocks = false;
  size_t i;
  int fd;
  if (loop->accept_at && mg_millis() >= loop->accept_at) mongoose_accepting(loop, true);
  for (i = 0; i < LISTENER_URLS; i++) knocks |= loop->listening[i] && loop->listening[i]->is_readable;
  if (!knocks || loop->accepted) return;
  fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0) {
    close(fd);
    return;
  }
  svc_listener_warn(loop->listener, "listener.no_files", "the limit of open files is reached: new connections have to wait");
  mongoose_accepting(loop, false);
}

/* --------------------------------------------------------------------------------------------------------- the loop */

/* Whether the client has sent bytes that are not read yet. Closing would answer them with a reset. */
static bool mongoose_unread(const struct mg_connection *c)
{
  int n = 0;
  return ioctl(mongoose_fd(c), FIONREAD, &n) == 0 && n > 0;
}

/* The connection that is in a state for longest, by its deadline, but later than `after`. place: of one address; NULL: of any. */
static listener_conn *mongoose_oldest(listener_loop *loop, int state, const unsigned char *place, uint64_t after)
{
  struct mg_connection *c;
  listener_conn *oldest = NULL;
  for (c = loop->mgr->conns; c; c = c->next) {
    listener_conn *conn = c->fn_data;
    if (c->fn != mongoose_event || c->is_listening || c->is_closing || !conn) continue;
    if (conn->state != state || !conn->placed || conn->deadline <= after) continue;
    if (place && memcmp(conn->place, place, sizeof conn->place) != 0) continue;
    if (state == LISTENER_HEAD ? conn->started : conn->tls && !conn->shaken) continue;
    if (!oldest || conn->deadline < oldest->deadline) oldest = conn;
  }
  return oldest;
}

listener_conn *svc_listener_oldest(listener_loop *loop, int state, const unsigned char *place, int64_t least_ms)
{
  uint64_t before = mg_millis() + (uint64_t)loop->listener->config.idle_timeout_ms - (uint64_t)least_ms;
  listener_conn *conn = mongoose_oldest(loop, state, place, 0);
  int tries;
  for (tries = 0; conn && state == LISTENER_HEAD && tries < 8 && mongoose_unread(conn->c); tries++)
    conn = mongoose_oldest(loop, state, place, conn->deadline);
  return conn && conn->deadline <= before ? conn : NULL;
}

/* Stops accepting, and closes connections without a request in progress. */
static void mongoose_wind_down(listener_loop *loop)
{
  struct mg_connection *c;
  for (c = loop->mgr->conns; c; c = c->next) {
    const listener_conn *conn = c->fn_data;
    if (c->fn != mongoose_event) continue;
    if (c->is_listening || (conn && conn->state == LISTENER_HEAD && !conn->started && !mongoose_unread(c))) c->is_closing = 1;
  }
}

/* Closes the remaining connections and the listening sockets: no client must connect to a loop that has ended. */
static void mongoose_close_all(listener_loop *loop)
{
  struct mg_connection *c;
  for (c = loop->mgr->conns; c; c = c->next)
    if (c->fn == mongoose_event && c->fn_data) c->is_closing = 1;
  mg_mgr_poll(loop->mgr, 0); /* closes the marked ones */
}

/* mg_wakeup() is not used, because it needs a connection of its own, which mongoose closes if there is no memory to read from it, and
** the number of its socket may be a client's when another thread rings. */
void svc_listener_ring(listener_loop *loop)
{
  const uint64_t one = 1;
  if (!atomic_exchange(&loop->rung, true)) (void)!write(loop->bell, &one, sizeof one); /* if it fails, the loop turns by itself */
}

/* Resets the bell. A later ring wakes the next turn; this turn collects the work that earlier rings announced. */
static void mongoose_hear(listener_loop *loop)
{
  uint64_t count;
  if (!atomic_load_explicit(&loop->rung, memory_order_relaxed)) return;
  (void)!read(loop->bell, &count, sizeof count);
  atomic_exchange(&loop->rung, false);
}

void *svc_listener_loop_run(void *argument)
{
  listener_loop *loop = argument;
  svc_listener *l = loop->listener;
  uint64_t until = LISTENER_NEVER;
  pthread_setname_np(pthread_self(), "svc-loop");
  for (;;) {
    loop->accepted = false;
    mg_mgr_poll(loop->mgr, MONGOOSE_TURN_MS);
    mongoose_hear(loop);
    mongoose_check_accept(loop);
    if (loop->sending) svc_listener_resume(loop);
    svc_listener_collect(loop);
    if (loop == l->loops) svc_listener_tick(loop);
    if (!atomic_load(&l->stopping)) continue;
    if (until == LISTENER_NEVER) until = mg_millis() + (uint64_t)l->config.stop_timeout_ms;
    mongoose_wind_down(loop);
    if (loop->conns == 0 || mg_millis() >= until) break;
  }
  mongoose_close_all(loop);
  return NULL;
}

bool svc_listener_loop_listen(listener_loop *loop, int fd, bool secure)
{
  struct mg_connection *c = mg_wrapfd(loop->mgr, fd, mongoose_event, loop);
  if (!c) return false;
  c->is_listening = 1;
  c->is_tls = secure; /* inherited by accepted connections */
  mongoose_listening(loop, NULL, c);
  return true;
}

/* Adds fd to the loop's epoll: mongoose wakes up for it, and is_full keeps mongoose from reading it. Closed with the loop. */
static bool mongoose_watch(listener_loop *loop, int fd)
{
  struct mg_connection *c = fd >= 0 ? mg_wrapfd(loop->mgr, fd, mongoose_event, NULL) : NULL;
  if (c) c->is_full = 1;
  else if (fd >= 0) close(fd);
  return c != NULL;
}

int svc_listener_loop_open(listener_loop *loop, svc_listener *l, char *why, size_t size)
{
  bool good;
  loop->mgr = malloc(sizeof *loop->mgr);
  if (!loop->mgr) return SVC_NOMEM;
  loop->listener = l;
  pthread_mutex_init(&loop->lock, NULL);
  mg_mgr_init(loop->mgr);
  loop->writable = epoll_create1(EPOLL_CLOEXEC);
  loop->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  good = mongoose_watch(loop, loop->writable);
  if (!mongoose_watch(loop, loop->bell) || !good || loop->mgr->epoll_fd < 0)
    return svc_listener_why(why, size, SVC_IO, "cannot make an event loop: %s", strerror(errno));
  return SVC_OK;
}

void svc_listener_loop_close(listener_loop *loop)
{
  if (!loop->mgr) return;
  mg_mgr_free(loop->mgr);
  svc_listener_jobs_free(loop->done);
  mg_free(loop->spare[0]);
  mg_free(loop->spare[1]);
  pthread_mutex_destroy(&loop->lock);
  free(loop->mgr);
}

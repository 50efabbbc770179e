/*
** One organization fills everything that it can reach, while its data plane hangs: questions, orders, long lists, answers that it does not
** read. Another organization reads, changes, signs in, and gets its orders carried out meanwhile.
**
** The rule: nothing here is measured in time. The data plane hangs until the test lets it go, so every answer that arrives before
** has waited for none of it.
*/
#define _GNU_SOURCE /* pipe2, memmem */
#include "listener/common.h"
#include "mechanism/probe.h"
#include "../ports/listener.h"

#include <pthread.h>

#define ISOLATION_CLUSTER PROBE_CLUSTER("%s", "M10")
#define ISOLATION_ASKS 24  /* connections that ask: more than there are threads */
#define ISOLATION_LISTS 8  /* connections with long lists */
#define ISOLATION_UNREAD 8 /* connections that do not read */

typedef struct isolation_org {
  char id[32], group[32];
} isolation_org;

typedef struct isolation_world {
  svc *s;
  svc_listener *l;
  svc_driver driver;
  int port;
  isolation_org bad, good;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool held;          /* the data plane of `bad` hangs */
  int asks, performs; /* of those that hang: inside ask(), inside perform() */
  int asked;          /* questions in all */
} isolation_world;

/* Waits while this organization's data plane hangs. */
static void isolation_hang(isolation_world *w, const char *org, int *count)
{
  pthread_mutex_lock(&w->lock);
  if (strcmp(org, w->bad.id) == 0) {
    ++*count;
    while (w->held) pthread_cond_wait(&w->changed, &w->lock);
    --*count;
  }
  pthread_mutex_unlock(&w->lock);
}

static int isolation_ask(void *context, svc *s, const svc_question *q, svc_reply *reply)
{
  isolation_world *w = context;
  (void)s;
  pthread_mutex_lock(&w->lock);
  w->asked++;
  pthread_mutex_unlock(&w->lock);
  isolation_hang(w, q->org_id, &w->asks);
  return svc_reply_add(reply, "[]", 2);
}

/* A driver that does its work inside perform(), as none should. */
static int isolation_perform(void *context, svc *s, const svc_order *order)
{
  isolation_world *w = context;
  isolation_hang(w, order->org_id, &w->performs);
  return svc_order_done(s, order->id, SVC_OK, "{\"hosts\":[\"a.example.net:27017\"]}");
}

static int isolation_count(isolation_world *w, const int *count)
{
  int n;
  pthread_mutex_lock(&w->lock);
  n = *count;
  pthread_mutex_unlock(&w->lock);
  return n;
}

/* Requests come from the owner of everything: this suite is not about roles. Their sign-in at the token endpoint is real. */
static int isolation_handle(void *context, svc *s, const svc_request *request, svc_response *response)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller host = { "000000000000000000000000", "host", &owner, 1, 0 };
  svc_request own = *request;
  (void)context;
  if (!memmem(own.target, own.target_length, "/oauth/", 7)) own.caller = &host;
  return svc_handle_request(s, &own, response);
}

static int isolation_connect(const isolation_world *w)
{
  struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)w->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  munit_assert_int(fd, >=, 0);
  munit_assert_int(connect(fd, (struct sockaddr *)&at, sizeof at), ==, 0);
  return fd;
}

static void isolation_write(int fd, const char *method, const char *target, const char *body, const char *more)
{
  char text[2048];
  int n = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n%s", method, target, more,
                   strlen(body), body);
  munit_assert_int(write(fd, text, (size_t)n), ==, n);
}

/* Reads the whole answer into out, and returns its status. */
static int isolation_read(int fd, char *out, size_t size)
{
  size_t n = 0;
  const int64_t until = now_ms() + AWAIT_MS;
  for (;;) {
    struct pollfd p = { fd, POLLIN, 0 };
    char spare[4096];
    ssize_t got;
    if (now_ms() > until) munit_error("no answer: it waits for the other organization");
    if (poll(&p, 1, 100) <= 0) continue;
    got = n + 1 < size ? read(fd, out + n, size - n - 1) : read(fd, spare, sizeof spare);
    if (got <= 0) break;
    if (n + 1 < size) n += (size_t)got;
  }
  out[n] = '\0';
  close(fd);
  return strncmp(out, "HTTP/1.1 ", 9) == 0 ? atoi(out + 9) : 0;
}

static int isolation_send(const isolation_world *w, const char *method, const char *target, const char *body)
{
  char answer[4096];
  int fd = isolation_connect(w);
  isolation_write(fd, method, target, body, "Content-Type: application/json\r\n");
  return isolation_read(fd, answer, sizeof answer);
}

static bool isolation_is(const isolation_world *w, const char *target, const char *text)
{
  static char answer[65536];
  int fd = isolation_connect(w);
  isolation_write(fd, "GET", target, "", "");
  return isolation_read(fd, answer, sizeof answer) == 200 && strstr(answer, text) != NULL;
}

static void isolation_org_open(isolation_world *w, isolation_org *o, const char *name)
{
  char body[64];
  svc_response r;
  const char *id;
  snprintf(body, sizeof body, "{\"name\":\"%s\"}", name);
  t_ask_as_owner(w->s, "POST", "/api/svc/v2/orgs", body, &r);
  munit_assert_int(r.status, ==, 201);
  id = strstr(r.body, "\"id\":\"");
  snprintf(o->id, sizeof o->id, "%.24s", id + 6);
  svc_response_free(&r);
  snprintf(body, sizeof body, "{\"name\":\"%s\",\"orgId\":\"%s\"}", name, o->id);
  t_ask_as_owner(w->s, "POST", "/api/svc/v2/groups", body, &r);
  munit_assert_int(r.status, ==, 201);
  id = strstr(r.body, "\"id\":\"");
  snprintf(o->group, sizeof o->group, "%.24s", id + 6);
  svc_response_free(&r);
}

static void isolation_cluster(isolation_world *w, const isolation_org *o, const char *name)
{
  char target[128], body[512];
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/clusters", o->group);
  snprintf(body, sizeof body, ISOLATION_CLUSTER, name);
  munit_assert_int(isolation_send(w, "POST", target, body), ==, 201);
}

static void isolation_open(isolation_world *w, size_t askers)
{
  static const char *const urls[] = { "http://127.0.0.1:0" };
  svc_listener_config k = { .urls = urls, .url_count = 1, .writers = 2, .askers = askers, .handle = isolation_handle, .max_answer_memory = 1 << 20 };
  svc_config config = { .driver = &w->driver, .max_questions = 8, .limiter_off = 1 };
  char why[256];
  memset(w, 0, sizeof *w);
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->changed, NULL);
  w->driver = (svc_driver){ isolation_perform, isolation_ask, w };
  if (svc_listener_open(&w->l, &k, why, sizeof why) != SVC_OK) munit_errorf("svc_listener_open: %s", why);
  munit_assert_int(svc_open(&w->s, &config), ==, SVC_OK);
  munit_assert_int(svc_listener_start(w->l, w->s), ==, SVC_OK);
  w->port = atoi(strrchr(svc_listener_url(w->l, 0), ':') + 1);
  isolation_org_open(w, &w->bad, "Bad");
  isolation_org_open(w, &w->good, "Good");
}

static void isolation_release(isolation_world *w)
{
  pthread_mutex_lock(&w->lock);
  w->held = false;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->lock);
}

static void isolation_close(isolation_world *w)
{
  t_clock_goes();
  svc_listener_close(w->l);
  svc_close(w->s);
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->lock);
}

/* What the other organization does meanwhile. */
static void isolation_good_works(isolation_world *w, int round)
{
  char target[160], body[64], answer[4096];
  int fd;
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s", w->good.group);
  munit_assert_int(isolation_send(w, "GET", target, ""), ==, 200);
  snprintf(body, sizeof body, "{\"name\":\"round %d\"}", round);
  munit_assert_int(isolation_send(w, "PATCH", target, body), ==, 200);
  fd = isolation_connect(w);
  isolation_write(fd, "POST", "/api/oauth/token", "grant_type=client_credentials", "Content-Type: application/x-www-form-urlencoded\r\nAuthorization: Basic YTpi\r\n");
  munit_assert_int(isolation_read(fd, answer, sizeof answer), ==, 401); /* there is no such account: it was looked up */
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/clusters/Main/performanceAdvisor/dropIndexSuggestions", w->good.group);
  munit_assert_int(isolation_send(w, "GET", target, ""), ==, 200);
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/clusters?itemsPerPage=500", w->good.group);
  munit_assert_int(isolation_send(w, "GET", target, ""), ==, 200);
}

TEST(isolation, all)
{
  char ask[160], list[160], cluster[160];
  int asks[ISOLATION_ASKS], lists[ISOLATION_LISTS], unread[ISOLATION_UNREAD], i, status, good = 0;
  static char answer[1 << 16];
  svc_listener_statistics stats;
  isolation_world w;
  isolation_open(&w, 10);
  isolation_cluster(&w, &w.bad, "Main");
  isolation_cluster(&w, &w.good, "Main");
  later(1000);
  snprintf(cluster, sizeof cluster, "/api/svc/v2/groups/%s/clusters/Main", w.bad.group);
  await(isolation_is(&w, cluster, "\"stateName\":\"IDLE\""));

  pthread_mutex_lock(&w.lock);
  w.held = true;
  pthread_mutex_unlock(&w.lock);
  for (i = 0; i < 6; i++) { /* orders: more than an organization may have in the driver's hands */
    char name[16];
    snprintf(name, sizeof name, "C%d", i);
    isolation_cluster(&w, &w.bad, name);
  }
  later(1000);
  await(isolation_count(&w, &w.performs) == 1);
  later(1000);
  await(isolation_count(&w, &w.performs) == 2);
  later(1000);
  snprintf(ask, sizeof ask, "/api/svc/v2/groups/%s/clusters/Main/performanceAdvisor/dropIndexSuggestions", w.bad.group);
  for (i = 0; i < ISOLATION_ASKS; i++) {
    asks[i] = isolation_connect(&w);
    isolation_write(asks[i], "GET", ask, "", "");
  }
  await(isolation_count(&w, &w.asks) == 2);
  snprintf(list, sizeof list, "/api/svc/v2/orgs/%s/users?itemsPerPage=500&pretty=true", w.bad.id);
  for (i = 0; i < ISOLATION_LISTS; i++) {
    lists[i] = isolation_connect(&w);
    isolation_write(lists[i], "GET", list, "", "");
  }
  for (i = 0; i < ISOLATION_UNREAD; i++) {
    unread[i] = isolation_connect(&w);
    isolation_write(unread[i], "GET", "/openapi.json", "", "");
  }
  for (i = 0; i < 3; i++) isolation_good_works(&w, i);

  /* orders of the others are carried out; those of the cluster that hangs and of its organization's third are not */
  isolation_cluster(&w, &w.good, "New");
  snprintf(cluster, sizeof cluster, "/api/svc/v2/groups/%s/clusters/New", w.good.group);
  later(1000);
  await(isolation_is(&w, cluster, "\"stateName\":\"IDLE\""));
  munit_assert_int(isolation_count(&w, &w.performs), ==, 2);
  munit_assert_int(isolation_count(&w, &w.asks), ==, 2);
  svc_listener_stats(w.l, &stats);
  munit_assert_uint64(stats.askers.busy, ==, 2);
  munit_assert_uint64(stats.askers.waiting, ==, 0);
  munit_assert_uint64(stats.writers.busy, ==, 0);

  isolation_release(&w);
  for (i = 0; i < ISOLATION_ASKS; i++) {
    status = isolation_read(asks[i], answer, sizeof answer);
    good += status == 200;
    if (status != 200) munit_assert_int(status, ==, 503);
    if (status != 200) munit_assert_not_null(strstr(answer, "Retry-After: 1\r\n"));
  }
  munit_assert_int(good, ==, 2);
  for (i = 0; i < ISOLATION_LISTS; i++) munit_assert_int(isolation_read(lists[i], answer, sizeof answer), ==, 200);
  for (i = 0; i < ISOLATION_UNREAD; i++) close(unread[i]);
  snprintf(cluster, sizeof cluster, "/api/svc/v2/groups/%s/clusters/C5", w.bad.group);
  for (i = 0; i < 4; i++) later(1000);
  await(isolation_is(&w, cluster, "\"stateName\":\"IDLE\""));
  munit_assert_size(store_whole(w.s), ==, 2);
  isolation_close(&w);
}

/* A question whose client has gone before it began is not asked: neither one that has closed its connection, nor one that has closed its
** side of it. */
TEST(isolation, gone)
{
  char target[160];
  int fds[5], i;
  static char answer[4096];
  svc_listener_statistics stats;
  isolation_world w;
  isolation_open(&w, 2);
  isolation_cluster(&w, &w.bad, "Main");
  later(1000);
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/clusters/Main", w.bad.group);
  await(isolation_is(&w, target, "\"stateName\":\"IDLE\""));
  pthread_mutex_lock(&w.lock);
  w.held = true;
  pthread_mutex_unlock(&w.lock);
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/clusters/Main/performanceAdvisor/dropIndexSuggestions", w.bad.group);
  for (i = 0; i < 5; i++) {
    fds[i] = isolation_connect(&w);
    isolation_write(fds[i], "GET", target, "", "");
    if (i == 1) await(isolation_count(&w, &w.asks) == 2); /* both threads are busy, so the others are queued */
  }
  await((svc_listener_stats(w.l, &stats), stats.askers.waiting == 3));
  close(fds[2]);
  shutdown(fds[3], SHUT_WR);
  await((later(300), svc_listener_stats(w.l, &stats), stats.connections == 3)); /* the loop has noticed both */
  munit_assert_uint64(stats.askers.busy, ==, 2);
  isolation_release(&w);
  munit_assert_int(isolation_read(fds[0], answer, sizeof answer), ==, 200);
  munit_assert_int(isolation_read(fds[1], answer, sizeof answer), ==, 200);
  munit_assert_int(isolation_read(fds[3], answer, sizeof answer), ==, 0);
  munit_assert_int(isolation_read(fds[4], answer, sizeof answer), ==, 200);
  munit_assert_int(isolation_count(&w, &w.asked), ==, 3);
  isolation_close(&w);
}

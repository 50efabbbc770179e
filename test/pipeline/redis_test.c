/*
** Limits that several handles share (ports/redis.c): exact totals, the same steps as those of one handle, nonces that are used
** once, and what happens when Redis does not answer. Each test starts its own redis-server, on a socket in a folder, which the
** test may stop and kill; the server ends with the test. Skipped unless SVC_TEST_LIMITER=redis.
*/
#include "relay.h"
#include "slow.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SKIP_WITHOUT SKIP_IF(!t_redis_port())

/* ------------------------------------------------------------------------------------------------------------ the server */

typedef struct server {
  char folder[128], socket[160], uri[200], password[64];
  bool no_auth; /* the server does not know AUTH */
  pid_t pid;
} server;

static int server_connect(const server *s)
{
  struct sockaddr_un to = { .sun_family = AF_UNIX };
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  munit_assert_size(strlen(s->socket), <, sizeof to.sun_path);
  strcpy(to.sun_path, s->socket);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

/* Sends a command. Returns whether the answer begins with this text. */
static bool server_says(const server *s, const char *command, const char *answer)
{
  char bytes[512] = "";
  int fd = server_connect(s);
  ssize_t n = 0;
  if (fd >= 0 && write(fd, command, strlen(command)) > 0 && write(fd, "\r\n", 2) == 2) n = read(fd, bytes, sizeof bytes - 1);
  if (fd >= 0) close(fd);
  bytes[n > 0 ? n : 0] = '\0';
  return strncmp(bytes, answer, strlen(answer)) == 0;
}

/* Runs the server, not as root if there is another user, and kills it when the test ends. */
static void server_child(const server *s)
{
  const struct passwd *who = geteuid() == 0 ? getpwnam("redis") : NULL;
  int null = open("/dev/null", O_RDWR);
  if (who && (chown(s->folder, who->pw_uid, who->pw_gid) != 0 || setgid(who->pw_gid) != 0 || setuid(who->pw_uid) != 0)) _exit(1);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(null, 0), dup2(null, 1), dup2(null, 2);
  execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", s->socket, "--unixsocketperm", "777", "--save", "",
         "--appendonly", "no", "--dir", s->folder, s->password[0] ? "--requirepass" : s->no_auth ? "--rename-command" : NULL, s->no_auth ? "AUTH" : s->password,
         s->no_auth ? "" : NULL, (char *)NULL);
  _exit(1);
}

static void server_begin(server *s)
{
  double until = t_seconds() + 180;
  s->pid = fork();
  munit_assert_int(s->pid, >=, 0);
  if (s->pid == 0) server_child(s);
  while (!server_says(s, "PING", s->password[0] ? "-NOAUTH" : "+PONG")) {
    munit_assert_true(t_seconds() < until);
    t_pause_ms(10);
  }
}

static void server_open(server *s, const char *password)
{
  memset(s, 0, sizeof *s);
  store_folder(s->folder);
  snprintf(s->socket, sizeof s->socket, "%s/redis", s->folder);
  snprintf(s->uri, sizeof s->uri, "redis+unix://%s?timeout=200&connect=200", s->socket); /* for a machine that is busy with tests */
  snprintf(s->password, sizeof s->password, "%s", password);
  server_begin(s);
}

static void server_kill(server *s)
{
  kill(s->pid, SIGKILL);
  munit_assert_int(waitpid(s->pid, NULL, 0), ==, s->pid);
  s->pid = 0;
}

static void server_close(server *s)
{
  if (s->pid) server_kill(s);
  store_remove(s->folder);
}

/* ------------------------------------------------------------------------------------------------------------- the ports */

enum { HANDLES = 2 };

typedef struct site {
  server server;
  const svc_limiter_port *port;
  svc_limits *limits[HANDLES];
  t_service log; /* only its log is used */
} site;

/* svc_config.log_event: checks that the event name matches the text. */
static void site_said(void *log, int level, const char *event, const char *text)
{
  munit_assert_string_equal(event, strstr(text, "answers again") ? "limiter.up" : "limiter.down");
  t_log(log, level, text);
}

static svc_limits *site_handle(site *s)
{
  svc_config config;
  svc_limits *limits;
  char why[256] = "";
  memset(&config, 0, sizeof config);
  config.limiter_path = s->server.uri;
  config.log_event = site_said;
  config.log_context = &s->log;
  if (s->port->open(&limits, &config, why, sizeof why) != SVC_OK) munit_errorf("open: %s", why);
  return limits;
}

static void site_open(site *s)
{
  int i;
  memset(s, 0, sizeof *s);
  s->port = t_redis_port();
  server_open(&s->server, "");
  for (i = 0; i < HANDLES; i++) s->limits[i] = site_handle(s);
}

/* Opens the handles with long timeouts, for tests that need every answer, however busy the machine is. */
static void site_open_patient(site *s)
{
  int i;
  site_open(s);
  snprintf(s->server.uri, sizeof s->server.uri, "redis+unix://%s?timeout=2000&connect=20000", s->server.socket);
  for (i = 0; i < HANDLES; i++) {
    s->port->close(s->limits[i]);
    s->limits[i] = site_handle(s);
  }
}

static void site_close(site *s)
{
  int i;
  for (i = 0; i < HANDLES; i++) s->port->close(s->limits[i]);
  server_close(&s->server);
}

static svc_bucket bucket(const char *instance, int64_t capacity, int64_t rate, int64_t interval)
{
  return (svc_bucket){ .set = SVC_S("clusters_group"), .instance = svc_str_c(instance), .capacity = capacity, .refill_rate = rate, .refill_seconds = interval };
}

static svc_tokens take(site *s, int handle, const svc_bucket *b, int64_t now)
{
  svc_tokens t = { false, -1, -1 };
  if (s->port->take(s->limits[handle], b, now, &t) != SVC_OK) munit_errorf("take: %s", s->log.log);
  return t;
}

static bool count(site *s, int handle, const char *nonce, uint32_t n)
{
  bool fresh = false;
  munit_assert_int(s->port->count(s->limits[handle], svc_str_c(nonce), n, 0, 60000, &fresh), ==, SVC_OK);
  return fresh;
}

static int lines_with(const char *log, const char *words)
{
  int n = 0;
  for (; (log = strstr(log, words)) != NULL; log++) n++;
  return n;
}

/* --------------------------------------------------------------------------------------------------------------- buckets */

typedef struct hammer {
  pthread_t thread;
  site *s;
  int handle, taken;
} hammer;

static void *hammering(void *context)
{
  hammer *h = context;
  svc_bucket b = bucket("all", 500, 1, 60);
  int i;
  for (i = 0; i < 200; i++) h->taken += take(h->s, h->handle, &b, T_START).taken;
  return NULL;
}

/* Two handles share one bucket, in turn and at the same time. */
TEST(redis, exact)
{
  svc_bucket b = bucket("5f0000000000000000000001", 10, 5, 60);
  hammer h[6];
  site s;
  int i, total = 0;
  SKIP_WITHOUT;
  site_open_patient(&s);
  for (i = 0; i < 25; i++) {
    svc_tokens t = take(&s, i % 2, &b, T_START + i);
    munit_assert_int(t.taken, ==, i < 10);
    munit_assert_int64(t.remaining, ==, i < 10 ? 9 - i : 0);
    munit_assert_int64(t.wait_seconds, ==, i < 10 ? 0 : 60);
  }
  memset(h, 0, sizeof h);
  for (i = 0; i < 6; i++) {
    h[i].s = &s;
    h[i].handle = i % 2;
    munit_assert_int(pthread_create(&h[i].thread, NULL, hammering, &h[i]), ==, 0);
  }
  for (i = 0; i < 6; i++) {
    pthread_join(h[i].thread, NULL);
    total += h[i].taken;
  }
  munit_assert_int(total, ==, 500);
  munit_assert_string_equal(s.log.log, "");
  site_close(&s);
}

/* The steps are exactly those of limiter.c at any times: forward, and back by more than an interval. */
TEST(redis, same_steps)
{
  static const svc_set_row rows[] = {
    { "three", SVC_SCOPE_USER, 3, 1, 60 }, { "ten", SVC_SCOPE_USER, 10, 4, 60 }, { "one", SVC_SCOPE_USER, 1, 1, 1 },
    { "even", SVC_SCOPE_USER, 1200, 500, 60 }, { "odd", SVC_SCOPE_USER, 7, 3, 11 }, { "more", SVC_SCOPE_USER, 5, 9, 2 },
    { "large", SVC_SCOPE_USER, INT32_MAX, INT32_MAX, INT32_MAX }, { "drops", SVC_SCOPE_USER, INT32_MAX, 1, INT32_MAX },
  };
  svc_allocator allocator = { t_memory_resize, NULL };
  t_memory memory = { 0 };
  svc_limiter *l;
  site s;
  size_t k;
  int i;
  SKIP_WITHOUT;
  site_open_patient(&s);
  allocator.context = &memory;
  munit_assert_int(svc_limiter_open(&l, &allocator, 0, 7, rows), ==, SVC_OK);
  for (k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    int64_t interval = rows[k].refill_seconds * 1000, now = T_START;
    svc_bucket b = bucket(rows[k].name, rows[k].capacity, rows[k].refill_rate, rows[k].refill_seconds);
    for (i = 0; i < 600; i++) {
      int64_t jumps[] = { 0, 1, interval / 7, interval - 1, interval, interval + 1, 3 * interval, 40 * interval, -2 * interval - 1 };
      int which = munit_rand_int_range(0, 40);
      svc_tokens here, there;
      now += which < 9 ? jumps[which] : which < 20 ? munit_rand_int_range(0, (int)(interval / 3 < 100000 ? interval / 3 : 100000)) : 0;
      here = svc_limiter_take(l, (int)k, svc_str_c(rows[k].name), SVC_S("me"), now);
      there = take(&s, i % 2, &b, now);
      munit_assert_int(here.taken, ==, there.taken);
      munit_assert_int64(here.remaining, ==, there.remaining);
      munit_assert_int64(here.wait_seconds, ==, there.wait_seconds);
    }
  }
  svc_limiter_close(l);
  site_close(&s);
}

/* With two handles whose clocks differ, nobody gains a token by alternating between them. A clock that is set back starts a new
** interval. */
TEST(redis, clocks)
{
  svc_bucket b = bucket("a", 3, 1, 60), c = bucket("b", 2, 2, 60);
  int64_t t = T_START, behind = 50000;
  svc_tokens got;
  site s;
  int i;
  SKIP_WITHOUT;
  site_open(&s);
  for (i = 0; i < 20; i++) munit_assert_int(take(&s, i % 2, &b, t + i - i % 2 * behind).taken, ==, i < 3);
  got = take(&s, 1, &b, t + 20 - behind);
  munit_assert_int64(got.wait_seconds, ==, 60); /* never longer than an interval */
  munit_assert_false(take(&s, 0, &b, t + 11000).taken); /* a minute after the times of the slower clock, but within the interval */
  munit_assert_false(take(&s, 0, &b, t + 59999).taken);
  munit_assert_true(take(&s, 1, &b, t + 60000).taken);
  for (i = 0; i < 100; i++) munit_assert_false(take(&s, i % 2, &b, t + 60000 + 300 * i - i % 2 * behind).taken);
  for (i = 0; i < 3; i++) munit_assert_int(take(&s, 0, &c, t).taken, ==, i < 2);
  got = take(&s, 1, &c, t - 3600000); /* an hour back */
  munit_assert_false(got.taken);
  munit_assert_int64(got.wait_seconds, ==, 60);
  munit_assert_false(take(&s, 1, &c, t - 3600000 + 59999).taken);
  munit_assert_true(take(&s, 1, &c, t - 3600000 + 60000).taken);
  site_close(&s);
}

/* Instances are any bytes, sets are separate, and times are any numbers. A handle with another limit finds the tokens that are left, but
** no more than its own limit. */
TEST(redis, any_bytes)
{
  static const int64_t times[] = { 0, -5, 1, INT64_MAX, INT64_MIN, T_START, INT64_MAX / 4 };
  static char text[2][3000];
  svc_str names[] = { { "", 0 }, { "a", 1 }, { "a\0", 2 }, { "a\0\0", 3 }, { "a b\r\n\"{}'", 9 }, { "\377\376", 2 }, { text[0], sizeof text[0] },
                      { text[1], sizeof text[1] }, { text[0], 256 }, { text[0], 257 } };
  svc_bucket b = bucket("", 2, 1, 60);
  site s;
  size_t i, n;
  SKIP_WITHOUT;
  memset(text, 'x', sizeof text);
  text[1][sizeof text[1] - 1] = 'y';
  site_open(&s);
  for (n = 0; n < 3; n++)
    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
      b.instance = names[i];
      munit_assert_int(take(&s, (int)(i % 2), &b, T_START).taken, ==, n < 2);
    }
  b.set = SVC_S("another");
  munit_assert_true(take(&s, 0, &b, T_START).taken);
  b.capacity = 100; /* a handle with a higher limit: tokens that were taken stay taken */
  munit_assert_int64(take(&s, 0, &b, T_START).remaining, ==, 0);
  b.capacity = 50;
  munit_assert_int64(take(&s, 0, &b, T_START + 40 * 60000).remaining, ==, 39);
  b.capacity = 20;
  munit_assert_int64(take(&s, 0, &b, T_START + 40 * 60000).remaining, ==, 19);
  b = bucket("", 1, 1, 60);
  b.set = (svc_str){ text[0], 150 };
  munit_assert_true(take(&s, 0, &b, T_START).taken);
  munit_assert_false(take(&s, 1, &b, T_START).taken);
  b.set.n = 99;
  munit_assert_true(take(&s, 0, &b, T_START).taken);
  b = bucket("times", INT32_MAX, 1, INT32_MAX);
  for (i = 0; i < sizeof times / sizeof times[0]; i++) munit_assert_true(take(&s, 0, &b, times[i]).taken);
  site_close(&s);
}

/* Keys in Redis expire: that of a bucket a minute after the bucket is full again, that of a nonce after its lifetime. */
TEST(redis, forgets)
{
  svc_bucket b = bucket("a", 10, 5, 60);
  site s;
  int i;
  SKIP_WITHOUT;
  site_open(&s);
  for (i = 0; i < 6; i++) take(&s, 0, &b, T_START); /* six tokens take two intervals to refill, plus a minute */
  munit_assert_true(server_says(&s.server, "EVAL \"local t = redis.call('PTTL', 'svc:svc:b:clusters_group:a') return (t > 120000 and t <= 180000) and 1 or t\" 0",
                                ":1\r\n"));
  count(&s, 0, "n", 1);
  munit_assert_true(server_says(&s.server, "EVAL \"local t = redis.call('PTTL', 'svc:svc:n:n') return (t > 50000 and t <= 60000) and 1 or t\" 0", ":1\r\n"));
  site_close(&s);
}

/* ---------------------------------------------------------------------------------------------------------------- nonces */

TEST(redis, counts)
{
  bool used[700] = { false };
  uint32_t highest = 0;
  site s;
  int i;
  SKIP_WITHOUT;
  site_open_patient(&s);
  munit_assert_true(count(&s, 0, "n", 1));
  munit_assert_false(count(&s, 1, "n", 1));
  munit_assert_true(count(&s, 1, "n", 5)); /* counts arrive in another order */
  munit_assert_true(count(&s, 0, "n", 3));
  munit_assert_false(count(&s, 1, "n", 3));
  munit_assert_true(count(&s, 1, "other", 3));
  munit_assert_true(count(&s, 0, "n", 68));
  munit_assert_false(count(&s, 0, "n", 4)); /* 64 behind: too old to tell whether it was used */
  munit_assert_false(count(&s, 0, "n", 5));
  munit_assert_true(count(&s, 0, "n", 6));
  munit_assert_true(count(&s, 0, "n", UINT32_MAX));
  munit_assert_false(count(&s, 1, "n", UINT32_MAX));
  munit_assert_true(count(&s, 1, "n", UINT32_MAX - 63));
  munit_assert_false(count(&s, 1, "n", UINT32_MAX - 64));
  for (i = 0; i < 1500; i++) { /* random order, compared with a list of all counts */
    int n = munit_rand_int_range((int)highest > 80 ? (int)highest - 80 : 1, (int)highest + 1 + (i % 50 == 0 ? 90 : 3));
    bool good;
    if (n >= 700) break;
    good = (uint32_t)n > highest || (highest - (uint32_t)n < 64 && !used[n]);
    munit_assert_int(count(&s, i % 2, "list", (uint32_t)n), ==, good);
    if (good) used[n] = true;
    if ((uint32_t)n > highest) highest = (uint32_t)n;
  }
  munit_assert_int(i, >, 100);
  site_close(&s);
}

/* -------------------------------------------------------------------------------------------------------------- services */

/* Handles that start with the same random numbers, so that ids, keys and nonce secrets are equal. */
typedef struct fleet {
  server server;
  t_service t[HANDLES];
  svc_credentials keys;
} fleet;

static void fleet_open(fleet *f, const char *uri, const svc_config *changes)
{
  svc_config config;
  svc_credentials keys;
  int i;
  memset(&config, 0, sizeof config);
  if (changes) config = *changes;
  config.limiter = t_redis_port();
  config.limiter_path = uri ? uri : f->server.uri;
  config.store = svc_lmdb_port();
  for (i = 0; i < HANDLES; i++) {
    t_open(&f->t[i], &config);
    munit_assert_int(svc_bootstrap(f->t[i].s, &keys), ==, SVC_OK);
    if (i == 0) f->keys = keys;
    munit_assert_string_equal(f->keys.private_key, keys.private_key);
    munit_assert_string_equal(f->keys.org_id, keys.org_id);
  }
}

static void fleet_close(fleet *f)
{
  int i;
  for (i = 0; i < HANDLES; i++) t_close(&f->t[i]);
}

static int fleet_settings(fleet *f, int i)
{
  return t_sendf(&f->t[i], "GET", NULL, "/orgs/%s/settings", f->keys.org_id);
}

static void md5_hex(char out[33], const char *format, ...)
{
  unsigned char hash[16];
  char text[1024];
  va_list args;
  int i, n;
  va_start(args, format);
  n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  munit_assert_true(svc_md5((svc_str){ text, (size_t)n }, hash));
  for (i = 0; i < 16; i++) snprintf(out + 2 * i, 3, "%02x", hash[i]);
}

/* Sends GET /orgs with HTTP Digest and this nonce count. */
static int fleet_digest(fleet *f, int i, const char *nonce, unsigned n)
{
  static const char target[] = "/api/svc/v2/orgs";
  char first[33], second[33], response[33], header[512];
  int status;
  md5_hex(first, "%s:svc:%s", f->keys.public_key, f->keys.private_key);
  md5_hex(second, "GET:%s", target);
  md5_hex(response, "%s:%s:%08x:abc:auth:%s", first, nonce, n, second);
  snprintf(header, sizeof header, "Digest username=\"%s\", realm=\"svc\", nonce=\"%s\", uri=\"%s\", qop=auth, nc=%08x, cnonce=\"abc\", response=\"%s\"",
           f->keys.public_key, nonce, target, n, response);
  f->t[i].anonymous = true;
  t_header(&f->t[i], "Authorization", header);
  status = t_send(&f->t[i], "GET", "/orgs", NULL);
  t_headers_clear(&f->t[i]);
  f->t[i].anonymous = false;
  return status;
}

static void fleet_nonce(fleet *f, int i, char nonce[33])
{
  const char *p;
  f->t[i].anonymous = true;
  munit_assert_int(t_send(&f->t[i], "GET", "/orgs", NULL), ==, 401);
  p = strstr(t_get_header(&f->t[i], "WWW-Authenticate"), "nonce=\"");
  munit_assert_not_null(p);
  snprintf(nonce, 33, "%.32s", p + 7);
  f->t[i].anonymous = false;
}

/* The headers are the usual ones, and the token endpoint has its bucket in Redis, too. */
TEST(redis, requests)
{
  fleet f;
  int i;
  SKIP_WITHOUT;
  server_open(&f.server, "");
  fleet_open(&f, NULL, NULL);
  for (i = 0; i < 25; i++) { /* 10 tokens, 5 per minute */
    char left[16];
    snprintf(left, sizeof left, "%d", i < 10 ? 9 - i : 0);
    munit_assert_int(fleet_settings(&f, i % 2), ==, i < 10 ? 200 : 429);
    munit_assert_string_equal(t_get_header(&f.t[i % 2], "RateLimit-Limit"), "10");
    munit_assert_string_equal(t_get_header(&f.t[i % 2], "RateLimit-Remaining"), left);
    munit_assert_string_equal(t_get_header(&f.t[i % 2], "Retry-After"), i < 10 ? "" : "60");
  }
  f.t[0].now = f.t[1].now = T_START + 60000;
  for (i = 0; i < 8; i++) munit_assert_int(fleet_settings(&f, i % 2), ==, i < 5 ? 200 : 429);
  for (i = 0; i < 14; i++) {
    t_service *t = &f.t[i % 2];
    t->anonymous = true;
    t_header(t, "Authorization", "Basic bm9ib2R5OndoYXQ=");
    t_header(t, "Content-Type", "application/x-www-form-urlencoded");
    munit_assert_int(t_send(t, "POST", "/api/oauth/token", "grant_type=client_credentials"), ==, i < 10 ? 401 : 429);
    t_headers_clear(t);
    t->anonymous = false;
  }
  munit_assert_int(svc_may_wait(f.t[0].s, &(svc_request){ .method = "GET", .target = "/api/svc/v2/orgs" }), ==, 1);
  munit_assert_string_equal(f.t[0].log, f.t[1].log);
  fleet_close(&f);
  server_close(&f.server);
}

/* A nonce count that was used at one handle is refused at the other, also with limiter_off. */
TEST(redis, replay)
{
  svc_config off = { .limiter_off = 1 };
  char nonce[33];
  fleet f;
  int round;
  SKIP_WITHOUT;
  for (round = 0; round < 2; round++) {
    server_open(&f.server, "");
    fleet_open(&f, NULL, round ? &off : NULL);
    fleet_nonce(&f, 0, nonce);
    munit_assert_int(fleet_digest(&f, 0, nonce, 1), ==, 200);
    munit_assert_int(fleet_digest(&f, 1, nonce, 1), ==, 401);
    munit_assert_not_null(strstr(t_get_header(&f.t[1], "WWW-Authenticate"), "stale=true")); /* the real client takes a new nonce */
    munit_assert_int(fleet_digest(&f, 1, nonce, 2), ==, 200);
    munit_assert_int(fleet_digest(&f, 0, nonce, 2), ==, 401);
    munit_assert_int(fleet_digest(&f, 0, nonce, 5), ==, 200);
    munit_assert_int(fleet_digest(&f, 1, nonce, 4), ==, 200); /* a lower count that was not used is accepted once */
    munit_assert_int(fleet_digest(&f, 0, nonce, 4), ==, 401);
    munit_assert_int(fleet_digest(&f, 1, nonce, 4), ==, 401);
    munit_assert_true(server_says(&f.server, "FLUSHALL", "+OK")); /* each handle still knows the counts it has seen */
    munit_assert_int(fleet_digest(&f, 0, nonce, 5), ==, 401);
    munit_assert_int(fleet_digest(&f, 1, nonce, 4), ==, 401);
    fleet_close(&f);
    server_close(&f.server);
  }
}

/* Prepares handles that share a store on PostgreSQL, and starts a Redis server for them. */
static void fleet_of_one_store(fleet *f, char folder[128], svc_config *config)
{
  memset(f, 0, sizeof *f);
  server_open(&f->server, "");
  store_folder(folder);
  config->path = folder;
  config->store = t_postgres_port();
  config->limiter = t_redis_port();
  config->limiter_path = f->server.uri;
}

/* The intended setup of several handles: a common store on PostgreSQL, and a common Redis. */
TEST(redis, one_store)
{
  svc_config config = { 0 };
  char nonce[33], folder[128];
  fleet f;
  int i;
  SKIP_WITHOUT;
  SKIP_IF(!t_postgres_port());
  fleet_of_one_store(&f, folder, &config);
  for (i = 0; i < HANDLES; i++) t_open(&f.t[i], &config);
  munit_assert_int(svc_bootstrap(f.t[0].s, &f.keys), ==, SVC_OK);
  for (i = 0; i < 13; i++) munit_assert_int(fleet_settings(&f, i % 2), ==, i < 10 ? 200 : 429);
  fleet_nonce(&f, 0, nonce);
  munit_assert_int(fleet_digest(&f, 1, nonce, 1), ==, 200);
  munit_assert_int(fleet_digest(&f, 0, nonce, 1), ==, 401);
  munit_assert_int(fleet_digest(&f, 0, nonce, 2), ==, 200);
  fleet_close(&f);
  server_close(&f.server);
  store_remove(folder);
}

/* ---------------------------------------------------------------------------------------------------------------- outages */

/* Waits until the handle asks Redis again and gets an answer, for at most 15 seconds: more than the longest pause. */
static void until_mended(fleet *f, int i)
{
  double until = t_seconds() + 180;
  while (!strstr(f->t[i].log, "answers again")) {
    munit_assert_true(t_seconds() < until);
    t_pause_ms(20);
    t_send(&f->t[i], "GET", "/orgs", NULL);
  }
}

static bool metrics_have(svc *s, const char *line)
{
  svc_response r;
  bool has;
  munit_assert_int(svc_metrics_text(s, NULL, &r), ==, SVC_OK);
  has = strstr(r.body, line) != NULL;
  svc_response_free(&r);
  return has;
}

static long metric(svc *s, const char *name)
{
  svc_response r;
  const char *at;
  long value;
  munit_assert_int(svc_metrics_text(s, NULL, &r), ==, SVC_OK);
  at = strstr(r.body, name);
  munit_assert_not_null(at);
  value = strtol(at + strlen(name), NULL, 10);
  svc_response_free(&r);
  return value;
}

/* Redis is killed: each handle continues alone, from the level that it knows. No request waits, and the log does not repeat the
** failure. Both handles together never grant more than twice the bucket. */
TEST(redis, open_when_gone)
{
  svc_config counts = { .metrics = 1 };
  fleet f;
  long answered;
  int i, granted[HANDLES] = { 0, 0 };
  SKIP_WITHOUT;
  server_open(&f.server, "");
  fleet_open(&f, NULL, &counts);
  for (i = 0; i < 6; i++) munit_assert_int(fleet_settings(&f, i % 2), ==, 200);
  munit_assert_string_equal(t_get_header(&f.t[1], "RateLimit-Remaining"), "4");
  munit_assert_true(metrics_have(f.t[0].s, "svc_limiter_fallbacks_total{reason=\"breaker\"} 0\n") && metrics_have(f.t[0].s, "svc_limiter_up 1\n"));
  server_kill(&f.server);
  for (i = 0; i < 400; i++) munit_assert_int(t_send(&f.t[i % 2], "GET", "/orgs", NULL), ==, 200);
  for (answered = 0, i = 0; i < HANDLES; i++) answered += metric(f.t[i].s, "svc_limiter_fallbacks_total{reason=\"breaker\"} ");
  munit_assert_long(answered, >, 350); /* nearly every request without asking */
  for (i = 0; i < 22; i++) granted[i % 2] += fleet_settings(&f, i % 2) == 200;
  munit_assert_int(granted[0], ==, 5); /* the tokens that were left in Redis's last answer */
  munit_assert_int(granted[1], ==, 4);
  for (i = 0; i < HANDLES; i++) {
    munit_assert_true(metrics_have(f.t[i].s, "svc_limiter_up 0\n"));
    munit_assert_false(metrics_have(f.t[i].s, "svc_limiter_fallbacks_total{reason=\"breaker\"} 0\n"));
    munit_assert_false(metrics_have(f.t[i].s, "svc_limiter_fallbacks_total{reason=\"connection\"} 0\n"));
    munit_assert_int(lines_with(f.t[i].log, "cannot be asked"), ==, 1);
    munit_assert_int(lines_with(f.t[i].log, "each instance limits by itself"), ==, 1);
  }
  server_begin(&f.server);
  for (i = 0; i < HANDLES; i++) until_mended(&f, i);
  for (i = 0; i < 4; i++) munit_assert_int(fleet_settings(&f, i % 2), ==, 429); /* Redis learns how many were granted in the meantime */
  for (i = 0; i < HANDLES; i++) f.t[i].now += 3600000;
  for (i = 0; i < 12; i++) munit_assert_int(fleet_settings(&f, i % 2), ==, i < 10 ? 200 : 429); /* shared again */
  for (i = 0; i < HANDLES; i++) {
    munit_assert_int(lines_with(f.t[i].log, "cannot be asked"), ==, 1);
    munit_assert_int(lines_with(f.t[i].log, "answers again"), ==, 1);
    munit_assert_int(lines_with(f.t[i].log, "limiter"), ==, 2);
  }
  fleet_close(&f);
  server_close(&f.server);
}

/* A handle that never saw a bucket has a full one, and the handle with the last answer has the rest: N handles grant at most N full
** buckets. */
TEST(redis, bound_when_gone)
{
  fleet f;
  int i, granted = 0;
  SKIP_WITHOUT;
  server_open(&f.server, "");
  fleet_open(&f, NULL, NULL);
  for (i = 0; i < 10; i++) granted += fleet_settings(&f, 0) == 200;
  munit_assert_int(granted, ==, 10);
  kill(f.server.pid, SIGSTOP); /* the server keeps its memory */
  for (i = 0; i < 40; i++) granted += fleet_settings(&f, i % 2) == 200;
  kill(f.server.pid, SIGCONT);
  until_mended(&f, 0);
  until_mended(&f, 1);
  for (i = 0; i < 40; i++) granted += fleet_settings(&f, i % 2) == 200;
  munit_assert_int(granted, ==, 2 * 10);
  fleet_close(&f);
  server_close(&f.server);
}

static int health(svc *s, const char *has)
{
  svc_request request = { .method = "GET", .target = "/_svc/health" };
  svc_response r;
  int status;
  munit_assert_int(svc_control_request(s, NULL, &request, &r), ==, SVC_OK);
  status = r.status;
  if (status == 503) munit_assert_not_null(strstr(r.body, has));
  svc_response_free(&r);
  return status;
}

/* A handle is not ready while Redis is down, even if no request has needed it since. Readiness returns without a request, too. */
TEST(redis, health)
{
  double until = t_seconds() + 180;
  fleet f;
  SKIP_WITHOUT;
  server_open(&f.server, "");
  fleet_open(&f, NULL, NULL);
  munit_assert_int(health(f.t[0].s, ""), ==, 200);
  server_kill(&f.server);
  munit_assert_int(health(f.t[0].s, "\"limiter\":\"unavailable\",\"store\":\"ok\""), ==, 503);
  server_begin(&f.server);
  while (health(f.t[0].s, "\"limiter\":\"unavailable\"") != 200) {
    munit_assert_true(t_seconds() < until);
    t_pause_ms(20);
  }
  munit_assert_true(server_says(&f.server, "KEYS *health*", "*0"));
  fleet_close(&f);
  server_close(&f.server);
}

static int other_random(void *context, void *buffer, size_t size)
{
  unsigned char *to = buffer;
  static atomic_uint n = 77;
  (void)context;
  while (size-- > 0) *to++ = (unsigned char)((atomic_fetch_add(&n, 1) * 2654435761u) >> 24);
  return 0;
}

static void challenge_nonce(t_service *t, char nonce[33])
{
  const char *header = t_get_header(t, "WWW-Authenticate"), *p = strstr(header, "nonce=\"");
  munit_assert_not_null(p);
  munit_assert_not_null(strstr(header, "stale=true"));
  snprintf(nonce, 33, "%.32s", p + 7);
}

/* While the handles cannot count nonces together, each handle refuses shared nonces, and issues local nonces that only this handle
** accepts. */
TEST(redis, nonces_fail_closed)
{
  svc_config config = { 0 };
  char nonce[33], own[33], fresh[33], folder[128];
  fleet f;
  int i;
  SKIP_WITHOUT;
  SKIP_IF(!t_postgres_port());
  fleet_of_one_store(&f, folder, &config);
  t_open(&f.t[0], &config);
  config.random = other_random;
  t_open(&f.t[1], &config);
  munit_assert_int(svc_bootstrap(f.t[0].s, &f.keys), ==, SVC_OK);
  fleet_nonce(&f, 0, nonce);
  munit_assert_int(fleet_digest(&f, 0, nonce, 1), ==, 200);
  server_kill(&f.server);
  /* replay or not: nobody can tell without Redis */
  for (i = 0; i < HANDLES; i++) munit_assert_int(fleet_digest(&f, 1, nonce, 1 + (unsigned)i), ==, 401);
  munit_assert_int(fleet_digest(&f, 0, nonce, 2), ==, 401);
  challenge_nonce(&f.t[0], own);
  munit_assert_int(fleet_digest(&f, 0, own, 1), ==, 200); /* clients can still sign in */
  munit_assert_int(fleet_digest(&f, 0, own, 1), ==, 401);
  munit_assert_int(fleet_digest(&f, 0, own, 2), ==, 200);
  munit_assert_int(fleet_digest(&f, 1, own, 1), ==, 401);
  munit_assert_int(fleet_digest(&f, 1, own, 3), ==, 401);
  fleet_nonce(&f, 1, fresh); /* a new challenge contains a local nonce at once */
  munit_assert_int(fleet_digest(&f, 1, fresh, 1), ==, 200);
  munit_assert_int(fleet_digest(&f, 0, fresh, 1), ==, 401);
  server_begin(&f.server);
  for (i = 0; i < HANDLES; i++) until_mended(&f, i);
  munit_assert_int(fleet_digest(&f, 1, own, 1), ==, 401); /* also not after Redis is back */
  munit_assert_int(fleet_digest(&f, 0, own, 2), ==, 401);
  munit_assert_int(fleet_digest(&f, 0, own, 3), ==, 200);
  munit_assert_int(fleet_digest(&f, 0, fresh, 1), ==, 401);
  fleet_close(&f);
  server_close(&f.server);
  store_remove(folder);
}

/* A Redis server that started after a nonce was issued may have lost the counts that were used: the nonce is not fresh. */
TEST(redis, nonces_before_it)
{
  bool fresh = true;
  site s;
  SKIP_WITHOUT;
  site_open(&s);
  munit_assert_int(s.port->count(s.limits[0], SVC_S("old"), 1, 3600000, 60000, &fresh), ==, SVC_OK);
  munit_assert_false(fresh);
  munit_assert_int(s.port->count(s.limits[0], SVC_S("new"), 1, 0, 60000, &fresh), ==, SVC_OK);
  munit_assert_true(fresh);
  munit_assert_int(s.port->count(s.limits[0], SVC_S("new"), 2, 3600000, 60000, &fresh), ==, SVC_OK); /* Redis has a record of this nonce */
  munit_assert_true(fresh);
  site_close(&s);
}

/* Failed Digest attempts are counted over all handles. */
TEST(redis, guesses)
{
  char nonce[33], key[sizeof ((svc_credentials *)0)->private_key];
  fleet f;
  int i;
  SKIP_WITHOUT;
  server_open(&f.server, "");
  fleet_open(&f, NULL, NULL);
  fleet_nonce(&f, 0, nonce);
  strcpy(key, f.keys.private_key);
  strcpy(f.keys.private_key, "wrong");
  for (i = 0; i < 14; i++) munit_assert_int(fleet_digest(&f, i % 2, nonce, 1 + (unsigned)i), ==, i < 10 ? 401 : 429);
  munit_assert_string_not_equal(t_get_header(&f.t[1], "Retry-After"), "");
  strcpy(f.keys.private_key, key);
  for (i = 0; i < HANDLES; i++) munit_assert_int(fleet_digest(&f, i, nonce, 20 + (unsigned)i), ==, 429); /* no further guess is accepted */
  server_kill(&f.server);
  munit_assert_int(fleet_digest(&f, 0, nonce, 30), ==, 429); /* the last answer still holds */
  fleet_close(&f);
  server_close(&f.server);
}

/* A key with a value of another format counts as a missing bucket, or as a nonce that is used up. Other keys are not affected. */
TEST(redis, bad_values)
{
  static const char *const values[] = { "SET %s garbage", "SET %s \"\"", "SET %s \"99999999999999999999 -1\"", "LPUSH %s 1 2 3", "HSET %s a b",
                                        "SET %s \"5 1e400\"", "SET %s \"-5 0\"", "SET %s \"3 77777777777777777777777777777777\"" };
  svc_bucket bad = bucket("bad", 5, 1, 60), good = bucket("good", 500, 1, 60);
  char command[128];
  size_t i;
  site s;
  SKIP_WITHOUT;
  site_open(&s);
  for (i = 0; i < sizeof values / sizeof values[0]; i++) {
    svc_tokens t;
    munit_assert_true(server_says(&s.server, "FLUSHALL", "+OK"));
    snprintf(command, sizeof command, values[i], "svc:svc:b:clusters_group:bad");
    munit_assert_false(server_says(&s.server, command, "-"));
    t = take(&s, 0, &bad, T_START);
    munit_assert_true(t.taken && t.remaining <= 4 && t.remaining >= 2);
    munit_assert_int64(take(&s, 1, &bad, T_START).remaining, ==, t.remaining - 1);
    munit_assert_true(take(&s, 0, &good, T_START).taken);
    snprintf(command, sizeof command, values[i], "svc:svc:n:bad");
    munit_assert_false(server_says(&s.server, command, "-"));
    munit_assert_false(count(&s, 0, "bad", 1));
    munit_assert_true(count(&s, 0, "good", 1));
  }
  munit_assert_string_equal(s.log.log, "");
  site_close(&s);
}

TEST(redis, closed_when_gone)
{
  svc_config closed = { .limiter_closed = 1 };
  char nonce[33];
  fleet f;
  int i;
  SKIP_WITHOUT;
  server_open(&f.server, "");
  fleet_open(&f, NULL, &closed);
  munit_assert_int(fleet_settings(&f, 0), ==, 200);
  fleet_nonce(&f, 0, nonce);
  server_kill(&f.server);
  for (i = 0; i < 50; i++) {
    munit_assert_int(fleet_settings(&f, i % 2), ==, 503);
    munit_assert_string_equal(t_get_header(&f.t[i % 2], "Retry-After"), "1");
    munit_assert_string_equal(t_error(&f.t[i % 2]), "SERVICE_UNAVAILABLE");
  }
  munit_assert_int(fleet_digest(&f, 0, nonce, 1), ==, 503);
  f.t[0].caller.user_id = "000000000000000000000000"; /* requests of the host (svcd at its start) need no limiter */
  munit_assert_int(t_send(&f.t[0], "GET", "/orgs", NULL), ==, 200);
  t_as(&f.t[0], NULL);
  munit_assert_int(lines_with(f.t[0].log, "requests are refused until it answers"), ==, 1);
  server_begin(&f.server);
  for (i = 0; i < HANDLES; i++) until_mended(&f, i);
  munit_assert_int(fleet_digest(&f, 0, nonce, 1), ==, 200); /* the refused request used nothing up */
  munit_assert_int(fleet_settings(&f, 0), ==, 200);
  munit_assert_int(lines_with(f.t[0].log, "limiter"), ==, 2);
  fleet_close(&f);
  server_close(&f.server);
}

/* A server that accepts connections and never answers. The connections that wait there show the number of attempts. */
typedef struct wall {
  char folder[128], uri[200];
  int fd;
} wall;

static void wall_open(wall *w)
{
  struct sockaddr_un at = { .sun_family = AF_UNIX };
  store_folder(w->folder);
  munit_assert_int(snprintf(w->uri, sizeof w->uri, "%s/redis", w->folder), <, (int)sizeof at.sun_path);
  memcpy(at.sun_path, w->uri, strlen(w->uri));
  snprintf(w->uri, sizeof w->uri, "unix://%s?connect=50", at.sun_path);
  w->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  munit_assert_int(bind(w->fd, (struct sockaddr *)&at, sizeof at), ==, 0);
  munit_assert_int(listen(w->fd, 100), ==, 0);
}

static int wall_tries(wall *w)
{
  int n, tries = 0;
  while ((n = accept(w->fd, NULL, NULL)) >= 0) close(n), tries++;
  return tries;
}

static void wall_close(wall *w)
{
  close(w->fd);
  store_remove(w->folder);
}

/* Requests do not queue up for a server that does not answer. */
TEST(redis, silent)
{
  int i, tries = 0, allowed = 2, asked = 0;
  double begun, took, pause = 0.1, at = 0.1;
  fleet f;
  wall w;
  SKIP_WITHOUT;
  T_SKIP_SLOW;
  wall_open(&w);
  begun = t_seconds();
  fleet_open(&f, w.uri, NULL); /* the service still starts */
  for (i = 0; tries < 3 || asked < 1000; i++, asked++) { /* one try of each handle at the start, and at least another one of the first handle */
    munit_assert_int(t_send(&f.t[0], "GET", "/orgs", NULL), !=, 503);
    if (i % 10 == 0) t_pause_ms(1);
    tries += wall_tries(&w);
  }
  took = t_seconds() - begun;
  for (; at <= took; at += pause) { /* after 0.1, 0.3 and 0.7 seconds, or later */
    allowed++;
    if (pause < 8) pause *= 2;
  }
  munit_assert_int(tries, <=, allowed);
  munit_assert_int(asked, >, 20 * tries);
  munit_assert_int(lines_with(f.t[0].log, "limiter"), ==, 1);
  munit_assert_not_null(strstr(f.t[0].log, "does not answer in time"));
  fleet_close(&f);
  wall_close(&w);
}

typedef struct asker {
  pthread_t thread;
  svc_limits *limits;
  double until;
} asker;

static void *asking(void *context)
{
  asker *a = context;
  svc_bucket b = bucket("a", 10, 1, 60);
  svc_tokens t;
  while (t_seconds() < a->until) {
    munit_assert_int(t_redis_port()->take(a->limits, &b, T_START, &t), !=, SVC_OK);
    t_pause_ms(1);
  }
  return NULL;
}

/* Of many concurrent requests only one tries to reach Redis. */
TEST(redis, one_tries)
{
  asker a[8];
  wall w;
  site s;
  int i, tries;
  SKIP_WITHOUT;
  wall_open(&w);
  memset(&s, 0, sizeof s);
  s.port = t_redis_port();
  strcpy(s.server.uri, w.uri);
  for (i = 0; i < 8; i++) a[i].until = t_seconds() + 0.6; /* begins before the handle is opened, which is the first attempt */
  s.limits[0] = site_handle(&s);
  for (i = 0; i < 8; i++) {
    a[i].limits = s.limits[0];
    munit_assert_int(pthread_create(&a[i].thread, NULL, asking, &a[i]), ==, 0);
  }
  for (i = 0; i < 8; i++) pthread_join(a[i].thread, NULL);
  tries = wall_tries(&w);
  munit_assert_int(tries, >=, 2);
  munit_assert_int(tries, <=, 3); /* after 0.1 and 0.3 seconds, or later */
  munit_assert_int(lines_with(s.log.log, "limiter"), ==, 1);
  s.port->close(s.limits[0]);
  wall_close(&w);
}

static void *goes_on(void *server_of)
{
  t_pause_ms(30);
  kill(((const server *)server_of)->pid, SIGCONT);
  return NULL;
}

/* The server stops for a while. A late answer is not taken for the answer to a later command, even if one is waiting. */
TEST(redis, late)
{
  svc_bucket b = bucket("a", 100, 1, 60), c = bucket("b", 7, 1, 60);
  svc_tokens t;
  double until;
  pthread_t thread;
  site s;
  int i, rc = SVC_OK;
  SKIP_WITHOUT;
  site_open(&s);
  for (i = 0; i < 2; i++) { /* after a late answer the next request asks again */
    take(&s, 0, &b, T_START);
    kill(s.server.pid, SIGSTOP);
    munit_assert_int(s.port->take(s.limits[0], &b, T_START, &t), ==, SVC_IO);
    kill(s.server.pid, SIGCONT);
    take(&s, 0, &b, T_START);
  }
  munit_assert_string_equal(s.log.log, "");
  kill(s.server.pid, SIGSTOP);
  munit_assert_int(s.port->take(s.limits[0], &b, T_START, &t), ==, SVC_IO);
  for (i = 0; i < 100; i++) munit_assert_int(s.port->take(s.limits[0], &b, T_START, &t), !=, SVC_OK);
  t_pause_ms(150);
  munit_assert_int(pthread_create(&thread, NULL, goes_on, &s.server), ==, 0);
  until = t_seconds() + 180;
  while ((rc = s.port->take(s.limits[0], &c, T_START, &t)) != SVC_OK) {
    munit_assert_true(t_seconds() < until);
    t_pause_ms(20);
  }
  pthread_join(thread, NULL);
  munit_assert_int64(t.remaining, ==, 6);
  munit_assert_int(lines_with(s.log.log, "answers again"), ==, 1);
  munit_assert_int64(take(&s, 0, &b, T_START).remaining, >=, 80); /* the server took tokens for requests sent before the breaker opened */
  munit_assert_int(lines_with(s.log.log, "limiter"), ==, 2);
  site_close(&s);
}

typedef struct one_take {
  pthread_t thread;
  site *s;
  int rc;
} one_take;

static void *taking(void *context)
{
  one_take *o = context;
  svc_bucket b = bucket("all", 500, 1, 60);
  svc_tokens t;
  o->rc = o->s->port->take(o->s->limits[0], &b, T_START, &t);
  return NULL;
}

static void take_at_once(site *s, one_take *all, int n)
{
  int i;
  for (i = 0; i < n; i++) {
    all[i].s = s;
    munit_assert_int(pthread_create(&all[i].thread, NULL, taking, &all[i]), ==, 0);
  }
}

/* Several requests wait for a server that has stopped: all get an error, the log has one line, and the next answer ends the failure. */
TEST(redis, together)
{
  svc_bucket b = bucket("all", 500, 1, 60);
  svc_tokens t;
  one_take all[6];
  double until, begun;
  site s;
  int i;
  SKIP_WITHOUT;
  site_open(&s);
  kill(s.server.pid, SIGSTOP);
  for (begun = t_seconds(); !s.log.log[0];) {
    take_at_once(&s, all, 6);
    for (i = 0; i < 6; i++) {
      pthread_join(all[i].thread, NULL);
      munit_assert_int(all[i].rc, !=, SVC_OK);
    }
    munit_assert_double(t_seconds() - begun, <, 180);
  }
  munit_assert_double(t_seconds() - begun, >=, 1); /* five timeouts: until then the server may just be busy */
  munit_assert_int(lines_with(s.log.log, "cannot be asked"), ==, 1);
  kill(s.server.pid, SIGCONT);
  until = t_seconds() + 180;
  while (s.port->take(s.limits[0], &b, T_START, &t) != SVC_OK) {
    munit_assert_true(t_seconds() < until);
    t_pause_ms(20);
  }
  munit_assert_int(lines_with(s.log.log, "limiter"), ==, 2);
  site_close(&s);
}

/* A busy moment with many late answers: each of these requests gets an error, but the breaker stays closed and no connection is closed. */
TEST(redis, busy_moment)
{
  svc_bucket b = bucket("all", 500, 1, 60);
  svc_limits_state before, behind;
  one_take all[12];
  site s;
  int i, rounds;
  SKIP_WITHOUT;
  T_SKIP_SLOW;
  site_open(&s);
  take_at_once(&s, all, 12);
  for (i = 0; i < 12; i++) pthread_join(all[i].thread, NULL);
  s.port->state(s.limits[0], &before);
  for (rounds = 0; rounds < 3; rounds++) {
    kill(s.server.pid, SIGSTOP);
    take_at_once(&s, all, 12);
    for (i = 0; i < 12; i++) {
      pthread_join(all[i].thread, NULL);
      munit_assert_int(all[i].rc, ==, SVC_IO);
    }
    kill(s.server.pid, SIGCONT);
    take(&s, 0, &b, T_START); /* at once */
  }
  s.port->state(s.limits[0], &behind);
  munit_assert_true(behind.available);
  munit_assert_uint64(behind.unanswered[SVC_LIMITS_TIMEOUT] - before.unanswered[SVC_LIMITS_TIMEOUT], ==, 36);
  munit_assert_uint64(behind.unanswered[SVC_LIMITS_PAUSED], ==, 0);
  munit_assert_uint64(behind.connects, <=, 13);
  munit_assert_string_equal(s.log.log, "");
  site_close(&s);
}

/* If one of two connections has a late answer, the next command uses the other one. */
TEST(redis, other_connection)
{
  svc_bucket b = bucket("all", 500, 1, 60);
  svc_tokens t;
  one_take all[2];
  site s;
  int i;
  SKIP_WITHOUT;
  site_open_patient(&s);
  kill(s.server.pid, SIGSTOP);
  take_at_once(&s, all, 2);
  t_pause_ms(100); /* so that each request has a connection */
  kill(s.server.pid, SIGCONT);
  for (i = 0; i < 2; i++) {
    pthread_join(all[i].thread, NULL);
    munit_assert_int(all[i].rc, ==, SVC_OK);
  }
  kill(s.server.pid, SIGSTOP);
  munit_assert_int(s.port->take(s.limits[0], &b, T_START, &t), ==, SVC_IO);
  kill(s.server.pid, SIGCONT);
  munit_assert_int64(take(&s, 0, &b, T_START).remaining, >=, 496);
  munit_assert_string_equal(s.log.log, "");
  site_close(&s);
}

/* Scripts that Redis has forgotten and connections that it has closed cause no error. */
TEST(redis, forgetful)
{
  svc_bucket b = bucket("a", 10, 1, 60);
  site s;
  int i;
  SKIP_WITHOUT;
  site_open_patient(&s);
  munit_assert_int64(take(&s, 0, &b, T_START).remaining, ==, 9);
  munit_assert_true(server_says(&s.server, "SCRIPT FLUSH", "+OK"));
  munit_assert_int64(take(&s, 0, &b, T_START).remaining, ==, 8);
  munit_assert_true(count(&s, 1, "n", 1));
  munit_assert_false(count(&s, 0, "n", 1));
  for (i = 7; i >= 5; i--) {
    munit_assert_true(server_says(&s.server, "CLIENT KILL TYPE normal", ":2")); /* one connection of each handle */
    munit_assert_int64(take(&s, i % 2, &b, T_START).remaining, ==, i);
    take(&s, !(i % 2), &(svc_bucket){ .set = SVC_S("x"), .instance = SVC_S("y"), .capacity = 10, .refill_rate = 1, .refill_seconds = 1 }, T_START);
  }
  server_kill(&s.server); /* as if it had been restarted between two requests */
  server_begin(&s.server);
  munit_assert_int64(take(&s, 0, &b, T_START).remaining, ==, 9);
  munit_assert_string_equal(s.log.log, "");
  site_close(&s);
}

/* ---------------------------------------------------------------------------------------------------------------- the URI */

static int open_uri(const char *uri, char why[256])
{
  svc_config config;
  svc_limits *limits = NULL;
  t_service log;
  int rc;
  memset(&config, 0, sizeof config);
  memset(&log, 0, sizeof log);
  config.limiter_path = uri;
  config.log = t_log;
  config.log_context = &log;
  why[0] = '\0';
  rc = t_redis_port()->open(&limits, &config, why, 256);
  if (rc == SVC_OK) t_redis_port()->close(limits);
  else munit_assert_null(limits);
  if (rc == SVC_OK) snprintf(why, 256, "%.255s", log.log);
  munit_assert_null(strstr(why, "geheim"));
  return rc;
}

TEST(redis, uris)
{
  static const struct {
    const char *uri, *why;
  } wrong[] = {
    { NULL, "missing" }, { "", "redis://" }, { "http://localhost", "redis://" }, { "redis:/x", "redis://" }, { "rediss://localhost?ca=/nowhere/geheim", "ca is not a file" },
    { "redis://", "host" }, { "redis://:6379", "host" }, { "redis://h:0", "port" }, { "redis://h:65536", "port" }, { "redis://h:", "port" },
    { "redis://h:12x", "port" }, { "redis://[::1", "address" }, { "redis://[::1]x", "address" }, { "redis://h/x", "database" },
    { "redis://me:geheim@h", "password" }, { "redis://:geheim@h", "password" }, { "redis://:geheim@h/geheim", "database" },
    { "redis://me@h", "no password" }, { "redis://h?timeout=0", "timeout" }, { "redis://h?timeout=60001", "timeout" },
    { "redis://h?timeout", "timeout" }, { "redis://h?connect=x", "connect" }, { "redis://h?db=-1", "db" }, { "redis://h?geheim=1", "options" },
    { "redis://h?password_file=/nowhere/geheim", "password_file" }, { "unix://", "path" }, { "redis+unix://?db=1", "path" },
  };
  char why[256], uri[600];
  size_t i;
  SKIP_WITHOUT;
  unsetenv("REDISCLI_AUTH");
  for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    munit_assert_int(open_uri(wrong[i].uri, why), ==, SVC_INVALID);
    if (!strstr(why, wrong[i].why)) munit_errorf("%s: %s", wrong[i].uri ? wrong[i].uri : "NULL", why);
  }
  snprintf(uri, sizeof uri, "redis://%0300d", 1);
  munit_assert_int(open_uri(uri, why), ==, SVC_INVALID);
  /* no server listens; the message names the address */
  munit_assert_int(open_uri("redis://127.0.0.1:1/3?timeout=1&connect=1000&db=0", why), ==, SVC_OK);
  munit_assert_not_null(strstr(why, "Redis at 127.0.0.1:1 cannot be asked: "));
  munit_assert_int(open_uri("redis://[::1]:1/", why), ==, SVC_OK);
  munit_assert_not_null(strstr(why, "Redis at ::1:1 "));
  munit_assert_int(open_uri("unix:///nowhere/redis", why), ==, SVC_OK);
  munit_assert_not_null(strstr(why, "Redis at /nowhere/redis cannot"));
}

/* The password is in the environment or in a file. A wrong password makes opening fail, with the reason. */
TEST(redis, password)
{
  char why[256], file[200], uri[500];
  server s;
  FILE *f;
  SKIP_WITHOUT;
  server_open(&s, "geheim geheim");
  unsetenv("REDISCLI_AUTH");
  munit_assert_int(open_uri(s.uri, why), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "NOAUTH"));
  setenv("REDISCLI_AUTH", "geheim", 1);
  munit_assert_int(open_uri(s.uri, why), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "WRONGPASS"));
  setenv("REDISCLI_AUTH", "geheim geheim", 1);
  munit_assert_int(open_uri(s.uri, why), ==, SVC_OK);
  munit_assert_string_equal(why, "");
  snprintf(uri, sizeof uri, "%s&db=15", s.uri);
  munit_assert_int(open_uri(uri, why), ==, SVC_OK);
  munit_assert_string_equal(why, "");
  snprintf(uri, sizeof uri, "%s&db=4711", s.uri);
  munit_assert_int(open_uri(uri, why), ==, SVC_INVALID);
  munit_assert_not_null(strstr(why, "out of range"));
  unsetenv("REDISCLI_AUTH");
  snprintf(file, sizeof file, "%s/password", s.folder);
  snprintf(uri, sizeof uri, "%s&password_file=%s", s.uri, file);
  munit_assert_int(open_uri(uri, why), ==, SVC_INVALID);
  f = fopen(file, "w");
  fputs("geheim geheim\n", f);
  fclose(f);
  munit_assert_int(open_uri(uri, why), ==, SVC_OK);
  munit_assert_string_equal(why, "");
  server_kill(&s);
  s.password[0] = '\0';
  s.no_auth = true;
  server_begin(&s);
  munit_assert_true(server_says(&s, "AUTH geheim", "-ERR unknown command 'AUTH', with args beginning with: 'geheim'"));
  munit_assert_int(open_uri(uri, why), ==, SVC_INVALID);
  munit_assert_string_equal(why, "limiter: Redis refuses: ERR"); /* the message does not quote the whole answer */
  server_close(&s);
}

/* If memory runs out, or the URI is invalid, opening fails. A handle returns its memory. */
TEST(redis, not_opened)
{
  t_memory memory = { .fail_at = 1 };
  svc_config config = { .allocator = { t_memory_resize, &memory }, .limiter_path = "redis://127.0.0.1:1" };
  svc_limits *limits;
  t_service log;
  char why[256];
  svc *s;
  SKIP_WITHOUT;
  munit_assert_int(t_redis_port()->open(&limits, &config, why, sizeof why), ==, SVC_NOMEM);
  munit_assert_long(memory.live, ==, 0);
  memory.fail_at = 0;
  munit_assert_int(t_redis_port()->open(&limits, &config, why, sizeof why), ==, SVC_OK); /* also if nothing listens there */
  munit_assert_long(memory.live, >, 0);
  t_redis_port()->close(limits);
  munit_assert_long(memory.live, ==, 0);
  memset(&config, 0, sizeof config);
  memset(&log, 0, sizeof log);
  config.limiter = t_redis_port();
  config.limiter_path = "rediss://h?ca=/nowhere";
  config.log = t_log;
  config.log_context = &log;
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
  munit_assert_null(s);
  munit_assert_not_null(strstr(log.log, "limiter_path: ca is not a file"));
}

/* Breaks the connection after this many bytes of a request for a token. The handle is new, and so is its breaker. Returns false if
** the request had fewer bytes. *sure, *unsure: tokens that were taken, and that may have been taken. */
static bool broken_one(site *s, relay *r, int direction, int way, long bytes, long *sure, long *unsure)
{
  svc_bucket b = bucket("one", 1000000, 1, 1000000);
  svc_limits *limits = site_handle(s);
  double until = t_seconds() + 180;
  svc_tokens t;
  bool hit;
  munit_assert_int(s->port->take(limits, &b, T_START, &t), ==, SVC_OK);
  relay_arm(r, direction, way, bytes);
  if (s->port->take(limits, &b, T_START, &t) == SVC_OK) ++*sure;
  else ++*unsure;
  hit = relay_disarm(r);
  while (s->port->take(limits, &b, T_START, &t) != SVC_OK) { /* the handle connects again */
    ++*unsure;
    munit_assert_true(t_seconds() < until);
    t_pause_ms(20);
  }
  *sure += 2;
  munit_assert_int64(1000000 - t.remaining, >=, *sure);
  munit_assert_int64(1000000 - t.remaining, <=, *sure + *unsure);
  s->port->close(limits);
  return hit;
}

TEST(redis, broken)
{
  static site s;
  static relay r;
  long sure = 0, unsure = 0, bytes, tried = 0;
  int direction, way;
  SKIP_WITHOUT;
  memset(&s, 0, sizeof s);
  s.port = t_redis_port();
  server_open(&s.server, "");
  relay_start(&r, s.server.folder, "redis");
  snprintf(s.server.uri, sizeof s.server.uri, "redis+unix://%s/redis?timeout=200&connect=200", r.folder);
  for (way = 0; way < RELAY_WAYS; way++)
    for (direction = 0; direction < 2; direction++)
      for (bytes = 0; broken_one(&s, &r, direction, way, bytes, &sure, &unsure); bytes += 1 + bytes / 2) tried++;
  fprintf(stderr, "Redis: %ld connections broken or held up, %ld tokens with unknown outcome\n", tried, unsure);
  munit_assert_long(tried, >, 20);
  relay_stop(&r);
  server_close(&s.server);
}

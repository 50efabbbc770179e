/*
** The limiter on Redis while system calls fail, and with a server that sends nonsense. The server is a separate process that
** knows only the commands that the port sends, and replaces one answer by another text. The rules: a token counts as taken only
** if the server confirmed it. A wrong answer becomes an error code, and never ends the process. The next handle works. Skipped
** unless SVC_TEST_LIMITER=redis.
*/
#include "faults.h"
#include "support.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The commands in the order in which the port sends them: the kind of answer that the server replaces. */
enum { ASKED_AUTH, ASKED_SELECT, ASKED_SCRIPT, ASKED_EVALSHA, ASKED_EVAL, ASKED_KINDS };
static const char *const asked_words[] = { "AUTH", "SELECT", "SCRIPT", "EVALSHA", "EVAL" };

typedef struct fake_control {
  atomic_int where; /* the kind of answer to replace; -1: none */
  atomic_int unknown; /* the server knows no script by its hash */
  atomic_int once; /* the answer is replaced once only */
  atomic_int silent; /* EVALSHA gets no answer */
  atomic_int holds; /* 1: the next EVALSHA gets its answer later; the server makes it 2, and then waits for 0 */
  char says[256]; /* the replacement; also the answer to SENTINEL, ROLE and CLUSTER */
} fake_control;

typedef struct fake {
  fake_control *control;
  int port;
  pid_t pid;
} fake;

/* ------------------------------------------------------------------------------------------------------------ the server */

static int fake_kind(const char *text)
{
  int kind = -1, i;
  for (i = 0; i < ASKED_KINDS; i++)
    if (strstr(text, asked_words[i]) && (kind < 0 || i != ASKED_EVAL)) kind = i;
  return kind;
}

static bool fake_answer(fake_control *k, int fd, const char *text)
{
  static const char sha[] = "$40\r\n0123456789012345678901234567890123456789\r\n";
  int kind = fake_kind(text), held = 1;
  const char *answer = kind == ASKED_SCRIPT ? sha : kind < ASKED_SCRIPT ? "+OK\r\n" : strstr(text, ":n:") ? ":1\r\n" : "*3\r\n:1\r\n:5\r\n:0\r\n";
  if (kind == ASKED_EVALSHA && atomic_compare_exchange_strong(&k->holds, &held, 2))
    while (atomic_load(&k->holds)) usleep(1000);
  if (kind == ASKED_EVALSHA && atomic_load(&k->unknown)) answer = "-NOSCRIPT No matching script\r\n";
  if (atomic_load(&k->where) == kind) {
    answer = k->says;
    if (atomic_load(&k->once)) atomic_store(&k->where, -1);
  }
  if (kind == ASKED_EVALSHA && atomic_load(&k->silent)) return true;
  return answer[0] && write(fd, answer, strlen(answer)) > 0;
}

/* Serves one connection, until it ends. */
static void fake_serve_one(fake_control *k, int fd)
{
  static char text[65536];
  ssize_t n;
  while ((n = read(fd, text, sizeof text - 1)) > 0) {
    struct pollfd more = { .fd = fd, .events = POLLIN };
    size_t have = (size_t)n;
    /* the rest of a command may follow in further pieces */
    while (have < sizeof text - 1 && poll(&more, 1, 3) > 0 && (n = read(fd, text + have, sizeof text - 1 - have)) > 0) have += (size_t)n;
    text[have] = '\0';
    if (!fake_answer(k, fd, text)) break;
  }
}

/* Each connection has a process of its own. */
static void fake_serve(fake_control *k, int listening)
{
  signal(SIGCHLD, SIG_IGN);
  for (;;) {
    int fd = accept(listening, NULL, NULL);
    if (fd < 0) continue;
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      fake_serve_one(k, fd);
      _exit(0);
    }
    close(fd);
  }
}

static void fake_start(fake *f)
{
  struct sockaddr_in a;
  socklen_t n = sizeof a;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  memset(&a, 0, sizeof a);
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  munit_assert_int(bind(fd, (struct sockaddr *)&a, sizeof a), ==, 0);
  munit_assert_int(listen(fd, 16), ==, 0);
  munit_assert_int(getsockname(fd, (struct sockaddr *)&a, &n), ==, 0);
  f->port = ntohs(a.sin_port);
  f->control = mmap(NULL, sizeof *f->control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  munit_assert_ptr_not_equal(f->control, MAP_FAILED);
  atomic_store(&f->control->where, -1);
  f->pid = fork();
  munit_assert_int(f->pid, >=, 0);
  if (f->pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    fake_serve(f->control, fd);
  }
  close(fd);
  setenv("REDISCLI_AUTH", "secret", 1);
}

static void fake_stop(fake *f)
{
  kill(f->pid, SIGKILL);
  waitpid(f->pid, NULL, 0);
  munmap(f->control, sizeof *f->control);
}

/* ------------------------------------------------------------------------------------------------------------ the client */

typedef struct outcome {
  int open, take, count;
  bool taken, fresh;
  char why[256];
} outcome;

static void nobody(void *context, int level, const char *text)
{
  const char *p;
  (void)context, (void)level;
  for (p = text; *p; p++) munit_assert_true((unsigned char)*p >= ' ');
}

static outcome use(const fake *f)
{
  const svc_limiter_port *port = t_redis_port();
  svc_bucket bucket = { .set = SVC_S("set"), .instance = SVC_S("instance"), .capacity = 5, .refill_rate = 5, .refill_seconds = 60 };
  svc_config config;
  svc_limits *limits;
  svc_tokens tokens = { 0 };
  outcome o = { .take = SVC_BUSY, .count = SVC_BUSY };
  char uri[128];
  memset(&config, 0, sizeof config);
  snprintf(uri, sizeof uri, "redis://me@127.0.0.1:%d/3?timeout=500&connect=1000", f->port);
  config.limiter_path = uri;
  config.log = nobody;
  o.open = port->open(&limits, &config, o.why, sizeof o.why);
  if (o.open != SVC_OK) return o;
  o.take = port->take(limits, &bucket, T_START, &tokens);
  o.taken = tokens.taken;
  o.count = port->count(limits, SVC_S("nonce"), 1, 0, 60000, &o.fresh);
  port->close(limits);
  return o;
}

static void use_well(const fake *f)
{
  outcome o = use(f);
  if (o.open != SVC_OK || o.take != SVC_OK || o.count != SVC_OK || !o.taken || !o.fresh) munit_errorf("%d %d %d %s", o.open, o.take, o.count, o.why);
}

/* ---------------------------------------------------------------------------------------------------------------- tests */

TEST(redis_faults, nonsense)
{
  static const char *const answers[] = { "-ERR no\r\n", "-NOAUTH no\r\n", "-NOPERM no\r\n", "-WRONGPASS no\r\n", "-LOADING soon\r\n", "-\001\002\r\n", "-NOSCRIPT no\r\n",
    "+OK\r\n", ":7\r\n", "$-1\r\n", "$5\r\nabcde\r\n", "*2\r\n:1\r\n:2\r\n", "*3\r\n:1\r\n+a\r\n:0\r\n", "*3\r\n:0\r\n:0\r\n:1500\r\n", "*-1\r\n", "hello\r\n", "$99999999999999999999\r\n", "" };
  fake f;
  size_t i;
  int where, unknown;
  SKIP_IF(!t_redis_port());
  fake_start(&f);
  use_well(&f);
  for (unknown = 0; unknown < 2; unknown++)
    for (where = 0; where < ASKED_KINDS; where++) {
      if (where == ASKED_EVAL && !unknown) continue;
      for (i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        bool right = strcmp(answers[i], "*3\r\n:0\r\n:0\r\n:1500\r\n") == 0, refuses = answers[i][0] == '-' && strchr("ENW", answers[i][1]) && strncmp(answers[i], "-NOS", 4) != 0;
        outcome o;
        strcpy(f.control->says, answers[i]);
        atomic_store(&f.control->unknown, unknown);
        atomic_store(&f.control->where, where);
        o = use(&f);
        atomic_store(&f.control->where, -1);
        if (where < ASKED_EVALSHA && refuses && (o.open != SVC_INVALID || !o.why[0])) munit_errorf("%s in place %d: it opens", answers[i], where);
        if (o.open != SVC_OK) continue;
        if (where >= ASKED_EVALSHA && right) munit_assert_true(o.take == SVC_OK && !o.taken);
        else if (where >= ASKED_EVALSHA && strncmp(answers[i], "-NOS", 4) != 0) munit_assert_false(o.take == SVC_OK && o.taken);
      }
      atomic_store(&f.control->unknown, 0);
      use_well(&f);
    }
  fake_stop(&f);
}

TEST(redis_faults, calls)
{
  static const struct { enum t_call call; int errors[4]; } kinds[] = { { T_CALL_SEND, { EINTR, EAGAIN, EPIPE, T_SHORT } }, { T_CALL_RECEIVE, { EINTR, EAGAIN, ECONNRESET, T_SHORT } },
    { T_CALL_WAIT, { EINTR, EBADF } }, { T_CALL_SERVER, { EIO } }, { T_CALL_MEMORY, { ENOMEM } }, { T_CALL_LOCKS, { ENOMEM } }, { T_CALL_LOCK, { EMFILE } } };
  unsigned long tried = 0, refused = 0;
  fake f;
  size_t k, e;
  long at;
  SKIP_IF(!t_redis_port());
  fake_start(&f);
  for (k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    for (e = 0; e < 4 && kinds[k].errors[e]; e++)
      for (at = 1; at < 60; at++) {
        outcome o;
        long hits;
        t_fault(kinds[k].call, at, kinds[k].errors[e], false);
        o = use(&f);
        hits = t_fault_end();
        tried += hits > 0;
        refused += o.open != SVC_OK || o.take != SVC_OK || o.count != SVC_OK;
        if (o.open != SVC_OK) munit_assert_int(o.open, ==, SVC_NOMEM);
        if (kinds[k].errors[e] == EINTR || kinds[k].errors[e] == EAGAIN) munit_assert_true(hits == 0 || o.open == SVC_OK);
        use_well(&f);
        if (!hits) break;
      }
  fprintf(stderr, "Redis: %lu faults, %lu refused\n", tried, refused);
  munit_assert_ulong(refused, >, 20);
  fake_stop(&f);
}

/* The socket accepts no bytes, and the wait until it does fails, too. One of the requests fails, and the next handle works. */
TEST(redis_faults, full)
{
  fake f;
  long at;
  SKIP_IF(!t_redis_port());
  fake_start(&f);
  for (at = 1; at < 60; at++) {
    outcome o;
    long hits;
    t_fault_then(T_CALL_WAIT, EBADF);
    t_fault(T_CALL_SEND, at, EAGAIN, false);
    o = use(&f);
    hits = t_fault_end();
    munit_assert_int(o.open, ==, SVC_OK); /* also if the server could not be reached */
    if (hits) munit_assert_true(hits == 2 && (o.take != SVC_OK || o.count != SVC_OK));
    use_well(&f);
    if (!hits) break;
  }
  munit_assert_long(at, >, 5);
  fake_stop(&f);
}

/* ---------------------------------------------------------------------------------------------------------- the breaker */

typedef struct breaker {
  fake f;
  svc_limits *limits;
  char log[4096];
} breaker;

static void breaker_log(void *context, int level, const char *text)
{
  breaker *b = context;
  size_t n = strlen(b->log);
  munit_assert_int(level, ==, SVC_LOG_WARNING);
  snprintf(b->log + n, sizeof b->log - n, "%s\n", text);
}

static void breaker_open(breaker *b, const char *options, bool log)
{
  svc_config config;
  char uri[128], why[256] = "";
  memset(b, 0, sizeof *b);
  fake_start(&b->f);
  memset(&config, 0, sizeof config);
  snprintf(uri, sizeof uri, "redis://me@127.0.0.1:%d/3?%s", b->f.port, options);
  config.limiter_path = uri;
  config.log = log ? breaker_log : NULL;
  config.log_context = b;
  if (t_redis_port()->open(&b->limits, &config, why, sizeof why) != SVC_OK) munit_errorf("open: %s", why);
}

static void breaker_close(breaker *b)
{
  t_redis_port()->close(b->limits);
  fake_stop(&b->f);
}

static int breaker_take(breaker *b, bool answers)
{
  svc_bucket bucket = { .set = SVC_S("set"), .instance = SVC_S("instance"), .capacity = 5, .refill_rate = 5, .refill_seconds = 60 };
  svc_tokens tokens;
  strcpy(b->f.control->says, "-ERR no\r\n");
  atomic_store(&b->f.control->where, answers ? -1 : ASKED_EVALSHA);
  return t_redis_port()->take(b->limits, &bucket, T_START, &tokens);
}

static int breaker_lines(const breaker *b, const char *words)
{
  const char *p = b->log;
  int n = 0;
  for (; (p = strstr(p, words)) != NULL; p++) n++;
  return n;
}

/* No request reaches Redis before exactly `ms` milliseconds have passed. The first request after that does. */
static void breaker_pause(breaker *b, int ms, bool answers)
{
  t_clock_stands(ms * 1000LL - 1);
  munit_assert_int(breaker_take(b, true), ==, SVC_BUSY);
  t_clock_stands(1);
  munit_assert_int(breaker_take(b, answers), ==, answers ? SVC_OK : SVC_IO);
}

/* Each failure doubles the pause, up to five seconds. A failure soon after a recovery continues with the last pause; a later failure
** starts with the first pause. */
TEST(redis_faults, breaker)
{
  static const int pauses[] = { 100, 200, 400, 800, 1600, 3200, 5000, 5000 };
  breaker b;
  size_t i;
  SKIP_IF(!t_redis_port());
  breaker_open(&b, "timeout=5000&connect=5000", true);
  t_clock_stands(0);
  munit_assert_int(breaker_take(&b, true), ==, SVC_OK);
  munit_assert_int(breaker_take(&b, false), ==, SVC_IO);
  for (i = 0; i < sizeof pauses / sizeof pauses[0]; i++) breaker_pause(&b, pauses[i], false);
  munit_assert_int(breaker_lines(&b, "cannot be asked: ERR no"), ==, 1);
  breaker_pause(&b, 5000, true);
  munit_assert_int(breaker_lines(&b, "answers again"), ==, 1);
  t_clock_stands(30 * 5000 * 1000LL);
  munit_assert_int(breaker_take(&b, false), ==, SVC_IO); /* the recovery lasted no longer than thirty pauses */
  breaker_pause(&b, 5000, true);
  t_clock_stands(30 * 5000 * 1000LL + 1);
  munit_assert_int(breaker_take(&b, false), ==, SVC_IO);
  breaker_pause(&b, 100, true); /* the first pause again */
  t_clock_stands(1);
  munit_assert_int(breaker_take(&b, false), ==, SVC_IO);
  breaker_pause(&b, 200, true);
  munit_assert_int(breaker_lines(&b, "\n"), ==, 8);
  breaker_close(&b);
  breaker_open(&b, "timeout=5000&connect=5000", false); /* a host without a log */
  munit_assert_int(breaker_take(&b, false), ==, SVC_IO);
  breaker_pause(&b, 100, true);
  breaker_close(&b);
}

/* Answers that are too long, too many, or out of range are errors. The next handle works. */
TEST(redis_faults, bounds)
{
  static const char *const answers[] = { "*1073741823\r\n", "*9\r\n", "*-7\r\n", "*3\r\n:0\r\n:0\r\n:99999999999\r\n", "*3\r\n:0\r\n:0\r\n:60001\r\n",
    "*3\r\n:0\r\n:0\r\n:-1\r\n", "*3\r\n:1\r\n:6\r\n:0\r\n", "*3\r\n:1\r\n:-1\r\n:0\r\n", "*3\r\n:2\r\n:1\r\n:0\r\n",
    "*3\r\n:1\r\n:4\r\n:0\r\n:1\r\n", "*3\r\n:1\r\n:4\r\n:0\r\n*3\r\n:1\r\n:4\r\n:0\r\n" };
  fake f;
  size_t i;
  SKIP_IF(!t_redis_port());
  fake_start(&f);
  for (i = 0; i < sizeof answers / sizeof answers[0]; i++) {
    outcome o;
    strcpy(f.control->says, answers[i]);
    atomic_store(&f.control->where, ASKED_EVALSHA);
    o = use(&f);
    atomic_store(&f.control->where, -1);
    munit_assert_int(o.open, ==, SVC_OK);
    if (o.take == SVC_OK) munit_errorf("%s is taken for an answer", answers[i]);
    use_well(&f);
  }
  fake_stop(&f);
}

/* A missing answer fails only its own request. The breaker opens when no answer has come for five timeouts, and logs one line. */
TEST(redis_faults, misses)
{
  breaker b;
  int i;
  SKIP_IF(!t_redis_port());
  breaker_open(&b, "timeout=20&connect=10000", true);
  atomic_store(&b.f.control->silent, 1);
  for (i = 0; i < 4; i++) {
    munit_assert_string_equal(b.log, "");
    munit_assert_int(breaker_take(&b, true), ==, SVC_IO);
  }
  for (i = 0; i < 10 && !b.log[0]; i++) breaker_take(&b, true);
  munit_assert_int(breaker_lines(&b, "does not answer in time"), ==, 1);
  munit_assert_int(breaker_lines(&b, "\n"), ==, 1);
  breaker_close(&b);
}

typedef struct topology {
  fake f;
  svc_limits *limits;
} topology;

#define TOPOLOGY_OPTIONS "?timeout=500&connect=1000"

/* Opens the limiter with this scheme, and with the text `behind` after the address, while the server gives the answer `says`. */
static int topology_open(topology *p, const char *scheme, const char *behind, const char *says)
{
  svc_config config = { .log = nobody };
  char uri[160], why[256] = "";
  int rc;
  snprintf(uri, sizeof uri, "%s://me@127.0.0.1:%d%s", scheme, p->f.port, behind);
  config.limiter_path = uri;
  atomic_store(&p->f.control->where, -1);
  snprintf(p->f.control->says, sizeof p->f.control->says, "%s", says);
  rc = t_redis_port()->open(&p->limits, &config, why, sizeof why);
  if (rc != SVC_OK) munit_assert_true(rc == SVC_INVALID && why[0] && !p->limits);
  return rc;
}

static int topology_take(topology *p)
{
  svc_bucket b = { .set = SVC_S("set"), .instance = SVC_S("instance"), .capacity = 5, .refill_rate = 5, .refill_seconds = 60 };
  svc_tokens tokens;
  return t_redis_port()->take(p->limits, &b, T_START, &tokens);
}

/* With an invalid cluster map, master name or redirect each request fails: no read goes out of bounds, and no redirect loops. A valid
** ASK redirect works. */
TEST(redis_faults, topology)
{
  static const char *const answers[] = { "-ERR no\r\n", "-CLUSTERDOWN no\r\n", "+OK\r\n", ":7\r\n", "$-1\r\n", "*-1\r\n", "*0\r\n", "*1\r\n:1\r\n", "*1\r\n*0\r\n",
    "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\na\r\n:1\r\n", "*1\r\n*3\r\n:-1\r\n:5\r\n*2\r\n$1\r\na\r\n:1\r\n", "*1\r\n*3\r\n:9\r\n:5\r\n*2\r\n$1\r\na\r\n:1\r\n",
    "*1\r\n*3\r\n:0\r\n:5\r\n:1\r\n", "*1\r\n*3\r\n:0\r\n:5\r\n*1\r\n$1\r\na\r\n", "*1\r\n*3\r\n:0\r\n:5\r\n*2\r\n$1\r\na\r\n:0\r\n", "*1\r\n*3\r\n:0\r\n:5\r\n*2\r\n:1\r\n:1\r\n",
    "*2\r\n$1\r\na\r\n:1\r\n", "*2\r\n$9\r\n127.0.0.1\r\n$1\r\nx\r\n", "*2\r\n$9\r\n127.0.0.1\r\n$6\r\n999999\r\n",
    "*3\r\n$5\r\nslave\r\n:1\r\n*0\r\n", "*99999\r\n", "hello\r\n", "" };
  static const char *const moves[] = { "-MOVED 1 127.0.0.1:%d\r\n", "-ASK 1 127.0.0.1:%d\r\n", "-MOVED 1 :%d\r\n", "-MOVED 1\r\n", "-MOVED \r\n", "-ASK 1 127.0.0.1\r\n", "-ASK 1 a:99999\r\n",
    "-MOVED x 127.0.0.1:1\r\n", "-READONLY no\r\n" };
  topology p;
  char text[256];
  size_t i;
  SKIP_IF(!t_redis_port());
  fake_start(&p.f);
  for (i = 0; i < sizeof answers / sizeof answers[0]; i++) {
    if (topology_open(&p, "redis+cluster", TOPOLOGY_OPTIONS, answers[i]) == SVC_OK) munit_assert_int(topology_take(&p), !=, SVC_OK);
    t_redis_port()->close(p.limits);
    if (topology_open(&p, "redis+sentinel", "/main" TOPOLOGY_OPTIONS, answers[i]) == SVC_OK) munit_assert_int(topology_take(&p), !=, SVC_OK);
    t_redis_port()->close(p.limits);
  }
  for (i = 0; i < sizeof moves / sizeof moves[0]; i++) {
    snprintf(text, sizeof text, "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:%d\r\n", p.f.port); /* without a host: the same server */
    munit_assert_int(topology_open(&p, "redis+cluster", TOPOLOGY_OPTIONS, text), ==, SVC_OK);
    munit_assert_int(topology_take(&p), ==, SVC_OK);
    snprintf(p.f.control->says, sizeof p.f.control->says, moves[i], p.f.port);
    atomic_store(&p.f.control->where, ASKED_EVALSHA);
    /* after an ASK redirect the port sends ASKING, and EVAL with the whole script */
    munit_assert_int(topology_take(&p), ==, strstr(moves[i], "-ASK 1 127.0.0.1:%d") ? SVC_OK : SVC_IO);
    t_redis_port()->close(p.limits);
  }
  fake_stop(&p.f);
}

static void *topology_thread(void *p)
{
  munit_assert_int(topology_take(p), ==, SVC_IO);
  return NULL;
}

/* Makes the next request be sent on to the same server under another name. */
static void topology_move(topology *p, const char *to)
{
  snprintf(p->f.control->says, sizeof p->f.control->says, "-MOVED 1 %s:%d\r\n", to, p->f.port);
  atomic_store(&p->f.control->once, 1);
  atomic_store(&p->f.control->where, ASKED_EVALSHA);
  munit_assert_int(topology_take(p), ==, SVC_OK);
}

/* A node loses its last slot while it has a request, and its place in the table goes to another node. The failure of that request does
** not open the breaker of the other node. */
TEST(redis_faults, node_replaced)
{
  svc_limits_state state;
  topology p;
  pthread_t thread;
  char text[256];
  SKIP_IF(!t_redis_port());
  fake_start(&p.f);
  snprintf(text, sizeof text, "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:%d\r\n", p.f.port);
  munit_assert_int(topology_open(&p, "redis+cluster", "?timeout=10000&connect=10000", text), ==, SVC_OK);
  topology_move(&p, "127.1"); /* this node has the slot of the key, and no other */
  atomic_store(&p.f.control->holds, 1);
  munit_assert_int(pthread_create(&thread, NULL, topology_thread, &p), ==, 0);
  while (atomic_load(&p.f.control->holds) != 2) usleep(1000);
  topology_move(&p, "127.0.1"); /* 127.1 has no slot left */
  topology_move(&p, "127.0.0.01"); /* takes the place of 127.1 */
  strcpy(p.f.control->says, "-ERR no\r\n");
  atomic_store(&p.f.control->where, ASKED_EVALSHA);
  atomic_store(&p.f.control->holds, 0);
  pthread_join(thread, NULL);
  t_redis_port()->state(p.limits, &state);
  munit_assert_true(state.available);
  munit_assert_int(topology_take(&p), ==, SVC_OK);
  t_redis_port()->close(p.limits);
  fake_stop(&p.f);
}

static void refused_uri(const char *uri, const char *expected)
{
  const svc_limiter_port *port = t_redis_port();
  svc_config config;
  svc_limits *limits;
  char why[256] = "";
  memset(&config, 0, sizeof config);
  config.limiter_path = uri;
  munit_assert_int(port->open(&limits, &config, why, sizeof why), ==, SVC_INVALID);
  munit_assert_null(limits);
  if (!strstr(why, expected)) munit_errorf("%s: %s", uri, why);
}

/* All errors that a URI can have. The message quotes no part of it. */
TEST(redis_faults, uris)
{
  static char large[2000];
  char uri[2300], folder[128], path[160];
  FILE *file;
  SKIP_IF(!t_redis_port());
  memset(large, 'a', sizeof large - 1);
  unsetenv("REDISCLI_AUTH");
  refused_uri(NULL, "it is missing");
  refused_uri("http://a", "it is redis://");
  refused_uri("redis://a?timeout=", "timeout is a number");
  refused_uri("redis://a?timeout=1234567", "timeout is a number");
  refused_uri("redis://a?timeout=12345678", "timeout is a number");
  refused_uri("redis://a?timeout=1x", "timeout is a number");
  refused_uri("redis://a?timeout=60001", "timeout is a number");
  refused_uri("redis://a?connect=0", "connect is a number");
  refused_uri("redis://a?contact=1", "the options are");
  refused_uri("redis://a?db=x", "db is the number");
  refused_uri("redis://a?dc=1", "the options are");
  refused_uri("redis://a?password_bile=1", "the options are");
  refused_uri("redis://a?timeoux=1", "the options are");
  refused_uri("redis://a?password_file=/nowhere/at/all", "cannot be read");
  snprintf(uri, sizeof uri, "redis://a?password_file=%s", large);
  refused_uri(uri, "cannot be read");
  refused_uri("redis://a/x", "the number of a database");
  refused_uri("redis://u:p@a", "a password does not belong");
  snprintf(uri, sizeof uri, "redis://%s@a", large);
  refused_uri(uri, "too long a name");
  refused_uri("redis://[::1", "not an address");
  refused_uri("redis://[::1]x", "not an address");
  refused_uri("redis://[::1]:0", "the port is");
  refused_uri("redis://:1", "the host is missing");
  refused_uri("redis://u@", "the host is missing");
  snprintf(uri, sizeof uri, "redis://%s", large);
  refused_uri(uri, "the host is missing, or too long");
  refused_uri("redis://a:99999", "the port is");
  refused_uri("redis+unix://", "the path of the socket");
  snprintf(uri, sizeof uri, "unix://%s", large);
  refused_uri(uri, "the path of the socket");
  refused_uri("redis://u@a", "no password");
  refused_uri("rediss://a?ca=/nowhere/at/all", "ca is not a file");
  refused_uri("rediss://a?cert=/nowhere", "cert and key go together");
  refused_uri("rediss://a?ca=", "need a value");
  refused_uri("redis://a?ca=/nowhere", "are for TLS");
  refused_uri("redis+sentinel://a", "the name of the master");
  refused_uri("redis+sentinel://a/", "the name of the master");
  refused_uri("redis+sentinel://a,/m", "the host is missing");
  refused_uri("redis+sentinel://a/m?sentinel_user=u", "no sentinel_password_file");
  refused_uri("redis://a?sentinel_user=u", "are for redis+sentinel");
  refused_uri("redis+cluster://a/1", "has no databases");
  refused_uri("redis+cluster://a?db=1", "has no databases");
  refused_uri("redis+cluster://a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a", "too many hosts");
  setenv("REDISCLI_AUTH", large, 1);
  refused_uri("redis://a", "too long");
  unsetenv("REDISCLI_AUTH");
  store_folder(folder);
  snprintf(path, sizeof path, "%s/password", folder);
  file = fopen(path, "w");
  munit_assert_not_null(file);
  fputs("\nsecret\n", file);
  fclose(file);
  snprintf(uri, sizeof uri, "redis://a?password_file=%s", path);
  refused_uri(uri, "an empty line");
  munit_assert_int(truncate(path, 0), ==, 0);
  refused_uri(uri, "cannot be read");
  store_remove(folder);
  t_redis_port()->close(NULL);
}

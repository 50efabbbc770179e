/*
** The limiter port on Redis, by hiredis: buckets and counts of nonces that all handles share which name the same Redis.
**
**   svc:VENDOR:b:SET:INSTANCE   "TOKENS SINCE"     a bucket that was drawn from; one that is full has no key
**   svc:VENDOR:n:NONCE          "HIGHEST WINDOW"   the highest count, and a character for it and each of the 63 below: 1, it was used
**
** An instance stands in its key as it is, since keys are any bytes; of a long one the beginning, and a hash of all of it. Each
** question is one script about one key, so it is exact whoever asks at the same time, and works wherever the key lies. Both
** scripts are small and their numbers below 2^53, where Lua's are exact. A key lives until its bucket would be full by every
** clock that is less than REDIS_SLACK behind; for what is due later the arithmetic is right whether the key is there or not.
**
** A bucket whose key holds something else than that counts as full; a nonce whose key does counts as used, and so does one without a
** key that was given out before Redis was started: Redis may have forgotten it.
**
** Who asks has `timeout` milliseconds, and does not spend them again and again where nobody answers: the breaker. It breaks when no
** connection can be had, not even the first one in time, when an answer is an error, and when nobody was answered for REDIS_SILENCE times the timeout, with at least
** REDIS_MISSES late answers meanwhile. A late answer alone, or many of one busy moment, concern the requests that waited for them.
** When it is broken nobody asks for a pause that is doubled with each failure more, up to REDIS_LONGEST_PAUSE; one request tries, and
** the others do not wait for it. What fails soon after it was mended has the pause grow on. The log has a line when it breaks and
** one when it is mended.
**
** Connections are made as they are needed, up to REDIS_CONNECTIONS, and kept. After a timeout the connection stays: Redis answers in
** order, so the late answer is read and dropped before the next one (redis_conn.owed). A connection with an answer that nobody asked
** for, or of another shape, is closed. One that the server has closed while it was idle is seen to be so before anything is sent: a
** question is never asked twice, since what was sent may have been done. Sending and waiting are done here and not by hiredis, for
** its time limit is one of each call, and a socket whose other end is gone would end the process by SIGPIPE.
*/
#include "ports/limiter_port.h"
#include "ports/redis.h"

#include <errno.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define REDIS_CONNECTIONS 16
#define REDIS_TIMEOUT 50 /* milliseconds, as those that follow */
#define REDIS_CONNECT 50
#define REDIS_MOST 60000 /* that either may be set to */
#define REDIS_MISSES 3
#define REDIS_SILENCE 5 /* timeouts, of which the first is that of the first late answer */
#define REDIS_OWED 3    /* late answers of one connection that are waited for */
#define REDIS_ELEMENTS 8 /* of an array that is an answer: the longest that a script gives has 3 */
#define REDIS_ANSWER 65536 /* bytes of one answer */
#define REDIS_FIRST_PAUSE 100 /* milliseconds */
#define REDIS_LONGEST_PAUSE 5000
#define REDIS_STEADY 30 /* mended for so many times the pause, it begins with the first pause again */
#define REDIS_SLACK 60000
#define REDIS_LATEST (INT64_C(1) << 52) /* times of a clock that is out of its mind: see above */
#define REDIS_INSTANCE 256 /* bytes of one in its key */
#define REDIS_KEY 512
#define REDIS_ARGS 11 /* of taking a token: the most there are */
#define REDIS_SHA 40

enum redis_script { REDIS_TAKE, REDIS_COUNT, REDIS_SCRIPTS };

typedef struct redis_conn {
  redisContext *context; /* NULL: none, or it was lost */
  bool busy;             /* a question has it; the lock's */
  unsigned owed;         /* answers that came too late for those who asked: to be dropped */
  char sha[REDIS_SCRIPTS][REDIS_SHA + 1]; /* what the server calls the scripts */
  redisReplyObjectFunctions *usual, bounded; /* how hiredis makes replies; and the same with bounds */
} redis_conn;

struct svc_limits {
  svc_allocator allocator;
  void (*log)(void *context, int level, const char *text);
  void (*log_event)(void *context, int level, const char *event, const char *text);
  void *log_context;
  bool closed; /* svc_config.limiter_closed: for what the log says */
  char vendor[32], place[256], user[128], password[512]; /* place: a host, or with port 0 the path of a socket */
  int port, database, timeout, connect;
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t free;
  bool broken, trying;           /* trying: one request does */
  unsigned missed;               /* late answers since the last one that was in time */
  int64_t missing;               /* when the first of these was asked for */
  int64_t until, pause, mended; /* microseconds of the monotonic clock */
  uint64_t unanswered[SVC_LIMITS_REASONS], connects;
  redis_conn conns[REDIS_CONNECTIONS];
};

/* One try to have an answer. */
typedef struct redis_try {
  redis_conn *conn;
  bool mine;      /* it is the one that tries while all others do not */
  bool refused;   /* the server has answered, and does not want us */
  bool late;      /* there was no answer in time */
  bool sent;      /* all of the last command went out */
  int64_t asked;  /* when; microseconds */
  enum svc_limits_reason reason; /* of a failure */
  char why[160];  /* it failed; "": it did not */
} redis_try;

/* -------------------------------------------------------------------------------------------------------------- scripts */

/*
** The same steps as limiter_refill() and svc_limiter_take(), but for a time that is a little earlier than it should be. A look takes and
** stores nothing. pcall: a key of another type is an error, which is taken for no key; SET replaces whatever there was.
*/
static const char redis_take_script[] =
  "local capacity, rate, interval, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])\n"
  "local tokens, since, taken = capacity, now, 0\n"
  "local look, most = ARGV[6] == '1', tonumber(ARGV[7])\n"
  "local kept = redis.pcall('GET', KEYS[1])\n"
  "local t, s\n"
  "if type(kept) == 'string' then t, s = string.match(kept, '^(%d+) (%-?%d+)$') end\n"
  "if t then\n"
  "  tokens, since = math.min(tonumber(t), capacity), tonumber(s)\n"
  "  if now < since - interval then since = now end\n" /* the clock was set back */
  "  if now < since then now = since end\n"            /* another handle's is a little ahead */
  "  local passed = math.floor((now - since) / interval)\n"
  "  since = since + passed * interval\n"
  "  if passed >= math.ceil((capacity - tokens) / rate) then tokens = capacity else tokens = tokens + passed * rate end\n"
  "end\n"
  "if tokens == capacity then since = now end\n"
  "if most >= 0 and most < tokens then tokens = most end\n"
  "if tokens > 0 then taken = 1 end\n"
  "if look then return { taken, tokens, since + interval - now } end\n"
  "tokens = tokens - taken\n"
  "local full = since + math.ceil((capacity - tokens) / rate) * interval - now\n"
  "full = math.min(full + ARGV[5], 1e15)\n" /* 31,000 years: more than that is no time to Redis */
  "redis.call('SET', KEYS[1], string.format('%.0f %.0f', tokens, since), 'PX', string.format('%.0f', full))\n"
  "return { taken, tokens, since + interval - now }\n";

static const char redis_count_script[] =
  "local count, highest, window = tonumber(ARGV[1]), 0, string.rep('0', 64)\n"
  "local kept = redis.pcall('GET', KEYS[1])\n"
  "if kept then\n"
  "  local h, w\n"
  "  if type(kept) == 'string' then h, w = string.match(kept, '^(%d+) ([01]+)$') end\n"
  "  if not h or #h > 10 or #w ~= 64 then return 0 end\n" /* nobody can tell which counts were used */
  "  highest, window = tonumber(h), w\n"
  "else\n" /* nothing is known of it, unless Redis was started after the nonce was given out */
  "  local info = redis.pcall('INFO', 'server')\n"
  "  local up = type(info) == 'string' and string.match(info, 'uptime_in_seconds:(%d+)')\n"
  "  if up and tonumber(up) * 1000 < tonumber(ARGV[3]) then return 0 end\n"
  "end\n"
  "local at = highest - count + 1\n"
  "if at < 1 then\n"
  "  window = string.sub('1' .. string.rep('0', math.min(count - highest, 64) - 1) .. window, 1, 64)\n"
  "  highest = count\n"
  "elseif at > 64 or string.sub(window, at, at) == '1' then\n"
  "  return 0\n"
  "else\n"
  "  window = string.sub(window, 1, at - 1) .. '1' .. string.sub(window, at + 1)\n"
  "end\n"
  "redis.call('SET', KEYS[1], string.format('%.0f %s', highest, window), 'PX', ARGV[2])\n"
  "return 1\n";

static const char *const redis_scripts[REDIS_SCRIPTS] = { [REDIS_TAKE] = redis_take_script, [REDIS_COUNT] = redis_count_script };

typedef struct redis_args {
  int n;
  const char *values[REDIS_ARGS];
  size_t lengths[REDIS_ARGS];
  char numbers[REDIS_ARGS][24];
} redis_args;

static void redis_bytes(redis_args *a, const char *p, size_t n)
{
  a->values[a->n] = p;
  a->lengths[a->n++] = n;
}

static void redis_text(redis_args *a, const char *text)
{
  redis_bytes(a, text, strlen(text));
}

static void redis_integer(redis_args *a, int64_t value)
{
  char *to = a->numbers[a->n];
  redis_bytes(a, to, (size_t)snprintf(to, sizeof a->numbers[0], "%lld", (long long)value));
}

/* --------------------------------------------------------------------------------------------------------------- the wire */

static int64_t redis_clock(void)
{
  struct timespec t;
  if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) return 0;
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void redis_fail(redis_try *t, enum svc_limits_reason reason, const char *why)
{
  size_t i;
  t->reason = reason;
  snprintf(t->why, sizeof t->why, "%.100s", why);
  for (i = 0; t->why[i]; i++) /* it may be the server's, and goes into a line of the log */
    if ((unsigned char)t->why[i] < ' ') t->why[i] = ' ';
}

static void redis_lose(redis_conn *k)
{
  if (k->context) redisFree(k->context);
  k->context = NULL;
  k->owed = 0;
}

#if HIREDIS_MAJOR >= 1
typedef size_t redis_elements;
#else
typedef int redis_elements;
#endif

/* An array as long as the server likes would be allocated before its elements come. NULL: hiredis takes it for want of memory. */
static void *redis_array(const redisReadTask *task, redis_elements n)
{
  const redis_conn *k = task->privdata;
  return n >= 0 && n <= REDIS_ELEMENTS ? k->usual->createArray(task, n) : NULL;
}

static void redis_bound(redis_conn *k)
{
  redisReader *reader = k->context->reader;
  k->usual = reader->fn;
  k->bounded = *reader->fn;
  k->bounded.createArray = redis_array;
  reader->fn = &k->bounded;
  reader->privdata = k;
}

/* Who was not let run for so long looks once more: the answer may be there. */
static bool redis_wait(redis_try *t, short what, int64_t until)
{
  struct pollfd p = { .fd = t->conn->context->fd, .events = what };
  int64_t left;
  int n;
  do {
    left = until - redis_clock();
    n = poll(&p, 1, left > 0 ? (int)((left + 999) / 1000) : 0);
    if (n < 0 && errno == EINTR) n = 0;
  } while (n == 0 && left > 0);
  t->late = n == 0;
  if (n < 0) redis_fail(t, SVC_LIMITS_CONNECTION, strerror(errno));
  else if (n == 0) redis_fail(t, SVC_LIMITS_TIMEOUT, "does not answer in time");
  return n > 0;
}

static bool redis_send(redis_try *t, const char *p, size_t n, int64_t until)
{
  while (n) {
    ssize_t sent = send(t->conn->context->fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      p += sent;
      n -= (size_t)sent;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!redis_wait(t, POLLOUT, until)) return false;
    } else if (errno != EINTR) {
      redis_fail(t, SVC_LIMITS_CONNECTION, strerror(errno));
      return false;
    }
  }
  t->sent = true;
  return true;
}

/* The next answer, whoever asked for it. */
static redisReply *redis_receive_one(redis_try *t, int64_t until)
{
  redisContext *c = t->conn->context;
  char bytes[1024];
  void *reply = NULL;
  size_t all = 0;
  while (all <= REDIS_ANSWER && redisReaderGetReply(c->reader, &reply) == REDIS_OK) {
    ssize_t n;
    if (reply) return reply;
    if (!redis_wait(t, POLLIN, until)) return NULL;
    n = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) continue;
    if (n <= 0) {
      redis_fail(t, SVC_LIMITS_CONNECTION, n < 0 ? strerror(errno) : "has closed the connection");
      return NULL;
    }
    all += (size_t)n;
    if (redisReaderFeed(c->reader, bytes, (size_t)n) != REDIS_OK) break;
  }
  redis_fail(t, SVC_LIMITS_ERROR, "gives no answer of Redis");
  return NULL;
}

/* The answer to what was sent last, behind those that came too late. What comes behind it nobody has asked for. */
static redisReply *redis_receive(redis_try *t, int64_t until)
{
  redis_conn *k = t->conn;
  redisReply *reply = redis_receive_one(t, until);
  for (; reply && k->owed; k->owed--) {
    freeReplyObject(reply);
    reply = redis_receive_one(t, until);
  }
  if (!reply || k->context->reader->pos == k->context->reader->len) return reply;
  freeReplyObject(reply);
  redis_fail(t, SVC_LIMITS_ERROR, "gives more answers than were asked for");
  return NULL;
}

/* One command and its answer, which may be an error. NULL: there is none; if it is only late it may still come, else the connection
** is lost. */
static redisReply *redis_exchange(redis_try *t, redis_args *a, int64_t until)
{
  redisReply *reply = NULL;
  char *command = NULL;
  long long n = redisFormatCommandArgv(&command, a->n, a->values, a->lengths);
  t->sent = t->late = false;
  if (n < 0) redis_fail(t, SVC_LIMITS_ERROR, "no memory");
  else if (redis_send(t, command, (size_t)n, until)) reply = redis_receive(t, until);
  if (n >= 0) {
    explicit_bzero(command, (size_t)n); /* it may have been the password */
    redisFreeCommand(command);
  }
  if (!reply && t->late && t->sent && t->conn->owed < REDIS_OWED) t->conn->owed++;
  else if (!reply) redis_lose(t->conn);
  return reply;
}

/* ----------------------------------------------------------------------------------------------------------- connections */

/* A command of the beginning. The answer is put where it is wanted, if it is. */
static bool redis_begin(redis_try *t, redis_args *a, int64_t until, char sha[REDIS_SHA + 1])
{
  redisReply *reply = redis_exchange(t, a, until);
  bool good = reply && reply->type != REDIS_REPLY_ERROR;
  if (good && sha && (reply->type != REDIS_REPLY_STRING || reply->len != REDIS_SHA)) good = false;
  if (good && sha) memcpy(sha, reply->str, REDIS_SHA + 1);
  if (reply && !good) {
    redis_fail(t, SVC_LIMITS_ERROR, reply->type == REDIS_REPLY_ERROR ? reply->str : "gives no answer of Redis");
    /* what is not for now alone: its own words for that (LOADING, BUSY, MASTERDOWN) are others */
    t->refused = strncmp(t->why, "ERR", 3) == 0 || strncmp(t->why, "NOAUTH", 6) == 0 || strncmp(t->why, "NOPERM", 6) == 0 ||
                 strncmp(t->why, "WRONGPASS", 9) == 0;
  }
  if (reply) freeReplyObject(reply);
  return good;
}

static bool redis_greet(svc_limits *l, redis_try *t, int64_t until)
{
  redis_args auth = { 0 }, select = { 0 };
  bool good = true;
  int i;
  redis_text(&auth, "AUTH");
  if (l->user[0]) redis_text(&auth, l->user);
  redis_text(&auth, l->password);
  redis_text(&select, "SELECT");
  redis_integer(&select, l->database);
  if (l->password[0]) good = redis_begin(t, &auth, until, NULL);
  if (!good && t->conn->context) t->why[strcspn(t->why, " ")] = '\0'; /* one that does not know AUTH says what came with it */
  if (good && l->database) good = redis_begin(t, &select, until, NULL);
  for (i = 0; i < REDIS_SCRIPTS && good; i++) {
    redis_args load = { 0 };
    redis_text(&load, "SCRIPT");
    redis_text(&load, "LOAD");
    redis_text(&load, redis_scripts[i]);
    good = redis_begin(t, &load, until, t->conn->sha[i]);
  }
  return good;
}

static bool redis_connect(svc_limits *l, redis_try *t)
{
  struct timeval patience = { l->connect / 1000, l->connect % 1000 * 1000 };
  int64_t until = redis_clock() + (int64_t)l->connect * 1000;
  redisContext *c = l->port ? redisConnectWithTimeout(l->place, l->port, patience) : redisConnectUnixWithTimeout(l->place, patience);
  bool good = false;
  t->conn->context = c;
  t->conn->owed = 0;
  if (!c || c->err) {
    t->late = c && c->err == REDIS_ERR_IO && errno == ETIMEDOUT;
    redis_fail(t, t->late ? SVC_LIMITS_TIMEOUT : SVC_LIMITS_CONNECTION, c ? c->errstr : "no memory");
  } else if (fcntl(c->fd, F_SETFD, FD_CLOEXEC) != 0) {
    redis_fail(t, SVC_LIMITS_CONNECTION, strerror(errno));
  } else {
    redis_bound(t->conn);
    good = redis_greet(l, t, until);
  }
  if (!good) redis_lose(t->conn);
  pthread_mutex_lock(&l->lock);
  l->connects += good;
  pthread_mutex_unlock(&l->lock);
  return good;
}

/* Where no answer is owed there is nothing to read: neither the end, nor an answer that nobody has asked for. */
static bool redis_alive(const redis_conn *k)
{
  char byte;
  ssize_t n = recv(k->context->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n > 0 ? k->owed > 0 : n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

static bool redis_ready(svc_limits *l, redis_try *t)
{
  if (t->conn->context && !redis_alive(t->conn)) redis_lose(t->conn);
  return t->conn->context || redis_connect(l, t);
}

/* ----------------------------------------------------------------------------------------------------------- the breaker */

/* One that is connected and owes no answer, if there is any; else one that is connected, else a new one. NULL: none was given back
** in time, and who have them will say why. */
static redis_conn *redis_best(svc_limits *l)
{
  redis_conn *found = NULL;
  int i;
  for (i = 0; i < REDIS_CONNECTIONS; i++) {
    redis_conn *k = &l->conns[i];
    if (k->busy) continue;
    if (!found || (k->context && (!found->context || k->owed < found->owed))) found = k;
  }
  return found;
}

static redis_conn *redis_idle(svc_limits *l)
{
  redis_conn *found = NULL;
  int64_t end = redis_clock() + (int64_t)l->timeout * 1000;
  struct timespec until = { (time_t)(end / 1000000), (long)(end % 1000000 * 1000) };
  int rc = 0;
  while (rc == 0 && (found = redis_best(l)) == NULL) rc = pthread_cond_timedwait(&l->free, &l->lock, &until);
  return found;
}

/* False: nobody is to be asked. */
static bool redis_enter(svc_limits *l, redis_try *t)
{
  pthread_mutex_lock(&l->lock);
  t->mine = l->broken && !l->trying && redis_clock() >= l->until;
  if (t->mine) l->trying = true;
  if (!l->broken || t->mine) t->conn = redis_idle(l);
  if (t->conn) t->conn->busy = true;
  else if (t->mine) l->trying = false;
  if (!t->conn) l->unanswered[l->broken && !t->mine ? SVC_LIMITS_PAUSED : SVC_LIMITS_BUSY]++;
  t->asked = redis_clock();
  pthread_mutex_unlock(&l->lock);
  return t->conn != NULL;
}

/* A late answer. Is that reason enough to stop asking: has nobody been answered for long? */
static bool redis_is_silent(svc_limits *l, const redis_try *t, int64_t now)
{
  if (!l->missed++) l->missing = t->asked;
  return l->missed >= REDIS_MISSES && now - l->missing >= (int64_t)REDIS_SILENCE * l->timeout * 1000;
}

/* Of one that failed: the pause before anybody asks again. Others may have failed at the same time. True: it breaks by this. */
static bool redis_break(svc_limits *l, const redis_try *t, int64_t now)
{
  bool breaks = !l->broken;
  if (l->broken && !t->mine) return false;
  if (breaks && t->late && l->connects && !redis_is_silent(l, t, now)) return false;
  if (!l->pause || (breaks && now - l->mended > REDIS_STEADY * l->pause)) l->pause = REDIS_FIRST_PAUSE * 1000;
  else l->pause = l->pause > REDIS_LONGEST_PAUSE * 1000 / 2 ? REDIS_LONGEST_PAUSE * 1000 : l->pause * 2;
  l->until = now + l->pause;
  l->broken = true;
  return breaks;
}

static void redis_say(const svc_limits *l, const char *why)
{
  char text[512], port[16] = "";
  if (!l->log && !l->log_event) return;
  if (l->port) snprintf(port, sizeof port, ":%d", l->port);
  snprintf(text, sizeof text, "limiter: Redis at %s%s %s%s%s", l->place, port, why[0] ? "cannot be asked: " : "answers again", why,
           !why[0] ? "" : l->closed ? "; requests are refused until it answers" : "; until it answers each instance limits by itself");
  if (l->log_event) l->log_event(l->log_context, SVC_LOG_WARNING, why[0] ? "limiter.down" : "limiter.up", text);
  else l->log(l->log_context, SVC_LOG_WARNING, text);
}

static void redis_leave(svc_limits *l, redis_try *t)
{
  const bool good = !t->why[0];
  bool says = false;
  int64_t now = redis_clock();
  pthread_mutex_lock(&l->lock);
  t->conn->busy = false;
  if (t->mine) l->trying = false;
  if (good) l->missed = 0;
  if (!good) {
    l->unanswered[t->reason]++;
    says = redis_break(l, t, now);
  } else if (t->mine) {
    says = true;
    l->broken = false;
    l->mended = now;
  }
  pthread_mutex_unlock(&l->lock);
  pthread_cond_signal(&l->free);
  if (says) redis_say(l, t->why);
}

/* ------------------------------------------------------------------------------------------------------------- questions */

/* By the script's hash; a server that does not know it any more is given the script. a: the key and what follows, behind room for three. */
static redisReply *redis_run(svc_limits *l, redis_try *t, int script, redis_args *a)
{
  int64_t until = redis_clock() + (int64_t)l->timeout * 1000;
  redisReply *reply;
  a->values[0] = "EVALSHA", a->lengths[0] = 7;
  a->values[1] = t->conn->sha[script], a->lengths[1] = REDIS_SHA;
  a->values[2] = "1", a->lengths[2] = 1;
  reply = redis_exchange(t, a, until);
  if (!reply || reply->type != REDIS_REPLY_ERROR || strncmp(reply->str, "NOSCRIPT", 8) != 0) return reply;
  freeReplyObject(reply);
  a->values[0] = "EVAL", a->lengths[0] = 4;
  a->values[1] = redis_scripts[script], a->lengths[1] = strlen(redis_scripts[script]);
  return redis_exchange(t, a, until);
}

/* The numbers that a script gives, n of them, each from 0 up to its bound. A connection that gives anything else is not used again. */
static void redis_numbers(redis_try *t, const redisReply *reply, const long long *most, long long *out, size_t n)
{
  size_t i;
  bool good = reply->type == REDIS_REPLY_ARRAY && reply->elements == n;
  for (i = 0; i < n && good; i++) {
    good = reply->element[i]->type == REDIS_REPLY_INTEGER;
    out[i] = reply->element[i]->integer;
  }
  if (n == 1 && reply->type == REDIS_REPLY_INTEGER) {
    good = true;
    out[0] = reply->integer;
  }
  for (i = 0; i < n && good; i++) good = out[i] >= 0 && out[i] <= most[i];
  if (good) return;
  redis_fail(t, SVC_LIMITS_ERROR, reply->type == REDIS_REPLY_ERROR ? reply->str : "gives another answer than was asked for");
  if (reply->type != REDIS_REPLY_ERROR) redis_lose(t->conn);
}

static int redis_ask(svc_limits *l, int script, redis_args *a, const long long *most, long long *out, size_t n)
{
  redis_try t = { 0 };
  redisReply *reply = NULL;
  if (!redis_enter(l, &t)) return SVC_BUSY;
  if (redis_ready(l, &t)) reply = redis_run(l, &t, script, a);
  if (reply) {
    redis_numbers(&t, reply, most, out, n);
    freeReplyObject(reply);
  }
  redis_leave(l, &t);
  return t.why[0] ? SVC_IO : SVC_OK;
}

/* What is longer than an instance may be is cut, and a hash of all of it put behind: two that come to the same share a bucket. */
static size_t redis_key(const svc_limits *l, const char *class, svc_str set, svc_str name, char key[REDIS_KEY])
{
  int n = snprintf(key, REDIS_KEY, "svc:%s:%s:%.*s%s", l->vendor, class, (int)(set.n < 100 ? set.n : 100), set.p, set.n ? ":" : "");
  size_t kept = name.n < REDIS_INSTANCE ? name.n : REDIS_INSTANCE, i;
  uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
  if (kept) memcpy(key + n, name.p, kept);
  if (kept == name.n) return (size_t)n + kept;
  for (i = 0; i < name.n; i++) hash = (hash ^ (unsigned char)name.p[i]) * 0x100000001b3u;
  return (size_t)n + kept + (size_t)snprintf(key + n + kept, 24, ":%016llx", (unsigned long long)hash);
}

static int redis_take(svc_limits *l, const svc_bucket *b, int64_t now, svc_tokens *out)
{
  const long long most[3] = { 1, b->capacity, b->refill_seconds * 1000 };
  redis_args a = { .n = 3 };
  char key[REDIS_KEY];
  long long said[3];
  int rc;
  now = now > REDIS_LATEST ? REDIS_LATEST : now < -REDIS_LATEST ? -REDIS_LATEST : now;
  redis_bytes(&a, key, redis_key(l, "b", b->set, b->instance, key));
  redis_integer(&a, b->capacity);
  redis_integer(&a, b->refill_rate);
  redis_integer(&a, b->refill_seconds * 1000);
  redis_integer(&a, now);
  redis_integer(&a, REDIS_SLACK);
  redis_integer(&a, b->look);
  redis_integer(&a, b->bounded ? b->most : -1);
  rc = redis_ask(l, REDIS_TAKE, &a, most, said, 3);
  if (rc != SVC_OK) return rc;
  out->taken = said[0] != 0;
  out->remaining = said[1];
  out->wait_seconds = out->taken ? 0 : said[2] <= 1000 ? 1 : (said[2] + 999) / 1000;
  return SVC_OK;
}

static int redis_count(svc_limits *l, svc_str nonce, uint32_t count, int64_t age_ms, int64_t lives_ms, bool *fresh)
{
  const long long most = 1;
  redis_args a = { .n = 3 };
  char key[REDIS_KEY];
  long long said;
  int rc;
  redis_bytes(&a, key, redis_key(l, "n", (svc_str){ "", 0 }, nonce, key));
  redis_integer(&a, count);
  redis_integer(&a, lives_ms);
  redis_integer(&a, age_ms);
  rc = redis_ask(l, REDIS_COUNT, &a, &most, &said, 1);
  *fresh = rc == SVC_OK && said == 1;
  return rc;
}

static void redis_state(svc_limits *l, svc_limits_state *out)
{
  pthread_mutex_lock(&l->lock);
  out->available = !l->broken;
  memcpy(out->unanswered, l->unanswered, sizeof out->unanswered);
  out->connects = l->connects;
  pthread_mutex_unlock(&l->lock);
}

/* -------------------------------------------------------------------------------------------------------------- the URI */

/* A part of it, which has an end there. False: there is no room for so much. */
static bool redis_copy(char *to, size_t room, const char *from, size_t n)
{
  if (n >= room) return false;
  memcpy(to, from, n);
  to[n] = '\0';
  return true;
}

static bool redis_number(const char *text, size_t n, int least, int most, int *out)
{
  size_t i;
  *out = 0;
  for (i = 0; i < n && i < 7; i++) {
    if (text[i] < '0' || text[i] > '9') return false;
    *out = *out * 10 + (text[i] - '0');
  }
  return n > 0 && n < 7 && *out >= least && *out <= most;
}

/* The first line of a file. */
static const char *redis_password_file(svc_limits *l, const char *text, size_t n)
{
  char path[1024];
  FILE *f = redis_copy(path, sizeof path, text, n) ? fopen(path, "re") : NULL;
  bool good = f && fgets(l->password, sizeof l->password, f);
  if (f) fclose(f);
  if (!good) return "password_file cannot be read";
  l->password[strcspn(l->password, "\r\n")] = '\0';
  return l->password[0] ? NULL : "password_file begins with an empty line";
}

/* NAME=VALUE, with & between. What is wrong with them, or NULL. */
static const char *redis_options(svc_limits *l, const char *p)
{
  while (*p) {
    size_t n = strcspn(p, "&"), name = strcspn(p, "=&");
    const char *value = p + name + 1, *wrong = NULL;
    size_t left = name < n ? n - name - 1 : 0;
    if (name == 7 && memcmp(p, "timeout", 7) == 0) {
      if (!redis_number(value, left, 1, REDIS_MOST, &l->timeout)) wrong = "timeout is a number of milliseconds, from 1 to 60000";
    } else if (name == 7 && memcmp(p, "connect", 7) == 0) {
      if (!redis_number(value, left, 1, REDIS_MOST, &l->connect)) wrong = "connect is a number of milliseconds, from 1 to 60000";
    } else if (name == 2 && memcmp(p, "db", 2) == 0) {
      if (!redis_number(value, left, 0, 999999, &l->database)) wrong = "db is the number of a database";
    } else if (name == 13 && memcmp(p, "password_file", 13) == 0) {
      wrong = redis_password_file(l, value, left);
    } else {
      wrong = "the options are timeout, connect, db and password_file";
    }
    if (wrong) return wrong;
    p += n + (p[n] == '&');
  }
  return NULL;
}

/* [USER@]HOST[:PORT][/DATABASE], n bytes. */
static const char *redis_host(svc_limits *l, const char *p, size_t n)
{
  const char *end = p + n, *slash = memchr(p, '/', n), *at, *host;
  if (slash && slash + 1 < end && !redis_number(slash + 1, (size_t)(end - slash - 1), 0, 999999, &l->database))
    return "behind the host there is the number of a database";
  if (slash) end = slash;
  at = memchr(p, '@', (size_t)(end - p));
  if (at && memchr(p, ':', (size_t)(at - p)))
    return "a password does not belong into the URI: put it into REDISCLI_AUTH, or into a file, ?password_file=PATH";
  if (at && !redis_copy(l->user, sizeof l->user, p, (size_t)(at - p))) return "the user has too long a name";
  host = at ? at + 1 : p;
  l->port = 6379;
  if (host < end && *host == '[') { /* an address of IPv6 has colons of its own */
    p = memchr(host, ']', (size_t)(end - host));
    if (!p || (p + 1 < end && p[1] != ':')) return "the host is no address";
    host++;
  } else {
    p = memchr(host, ':', (size_t)(end - host));
    if (!p) p = end;
  }
  if (p == host || !redis_copy(l->place, sizeof l->place, host, (size_t)(p - host))) return "the host is missing, or too long";
  if (p < end && *p == ']') p++;
  return p < end && !redis_number(p + 1, (size_t)(end - p - 1), 1, 65535, &l->port) ? "the port is a number from 1 to 65535" : NULL;
}

/* What is wrong with it, or NULL. No part of it is ever in a text: it may be what it should not hold, a password. */
static const char *redis_uri(svc_limits *l, const char *uri)
{
  static const char *const sockets[] = { "redis+unix://", "unix://" };
  size_t n = strcspn(uri, "?"), i, scheme;
  const char *rest = uri[n] ? uri + n + 1 : "", *wrong = "it is redis://HOST:PORT/DATABASE, or redis+unix://PATH";
  const char *password = getenv("REDISCLI_AUTH");
  l->timeout = REDIS_TIMEOUT;
  l->connect = REDIS_CONNECT;
  if (password && !redis_copy(l->password, sizeof l->password, password, strlen(password))) return "REDISCLI_AUTH is too long";
  if (strncmp(uri, "rediss://", 9) == 0) return "there is no TLS in this build: redis://, to this machine or in a network of your own";
  if (strncmp(uri, "redis://", 8) == 0) wrong = redis_host(l, uri + 8, n - 8);
  for (i = 0; i < sizeof sockets / sizeof sockets[0]; i++) {
    scheme = strlen(sockets[i]);
    if (strncmp(uri, sockets[i], scheme) != 0) continue;
    wrong = n > scheme && redis_copy(l->place, sizeof l->place, uri + scheme, n - scheme) ? NULL : "the path of the socket is missing, or too long";
  }
  if (!wrong) wrong = redis_options(l, rest);
  return !wrong && l->user[0] && !l->password[0] ? "there is a user, and no password: REDISCLI_AUTH, or ?password_file=PATH" : wrong;
}

/* ----------------------------------------------------------------------------------------------------------- open, close */

static void redis_close(svc_limits *l)
{
  svc_allocator allocator;
  int i;
  if (!l) return;
  allocator = l->allocator;
  for (i = 0; i < REDIS_CONNECTIONS; i++) redis_lose(&l->conns[i]);
  pthread_cond_destroy(&l->free);
  pthread_mutex_destroy(&l->lock);
  explicit_bzero(l->password, sizeof l->password);
  allocator.resize(allocator.context, l, 0);
}

static void *redis_resize(void *context, void *p, size_t size)
{
  (void)context;
  if (size) return realloc(p, size);
  free(p);
  return NULL;
}

/* Waits are by the clock that nobody sets. */
static bool redis_locks(svc_limits *l)
{
  pthread_condattr_t monotonic;
  bool good = false;
  if (pthread_condattr_init(&monotonic) != 0) return false;
  if (pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 && pthread_cond_init(&l->free, &monotonic) == 0) {
    good = pthread_mutex_init(&l->lock, NULL) == 0;
    if (!good) pthread_cond_destroy(&l->free);
  }
  pthread_condattr_destroy(&monotonic);
  return good;
}

static svc_limits *redis_limits(const svc_config *config)
{
  static const svc_allocator usual = { redis_resize, NULL };
  svc_allocator allocator = config->allocator.resize ? config->allocator : usual;
  svc_limits *l = allocator.resize(allocator.context, NULL, sizeof *l);
  if (!l) return NULL;
  memset(l, 0, sizeof *l);
  l->allocator = allocator;
  l->log = config->log;
  l->log_event = config->log_event;
  l->log_context = config->log_context;
  l->closed = config->limiter_closed != 0;
  snprintf(l->vendor, sizeof l->vendor, "%s", config->vendor ? config->vendor : "svc");
  if (redis_locks(l)) return l;
  allocator.resize(allocator.context, l, 0);
  return NULL;
}

/* One that does not answer is a matter of the breaker: a service starts without it, too. One that does not want us is an error. */
static int redis_open(svc_limits **out, const svc_config *config, char *why, size_t why_size)
{
  svc_limits *l;
  redis_try t = { 0 };
  const char *wrong;
  *out = NULL;
  l = redis_limits(config);
  if (!l) return SVC_NOMEM;
  wrong = config->limiter_path ? redis_uri(l, config->limiter_path) : "it is missing";
  if (!wrong && redis_enter(l, &t)) {
    redis_connect(l, &t);
    if (t.refused) snprintf(why, why_size, "limiter: Redis refuses: %s", t.why);
    else redis_leave(l, &t);
  }
  if (wrong) snprintf(why, why_size, "svc_config.limiter_path: %s", wrong);
  if (!wrong && !t.refused) *out = l;
  else redis_close(l);
  return *out ? SVC_OK : SVC_INVALID;
}

const svc_limiter_port *svc_redis_port(void)
{
  static const svc_limiter_port port = {
    .open = redis_open, .close = redis_close, .take = redis_take, .count = redis_count, .state = redis_state
  };
  return &port;
}

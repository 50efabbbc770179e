/*
** The limiter: buckets alone, at times that the test chooses, and as requests use them.
*/
#include "faults.h"
#include "support.h"

#include <pthread.h>

/* ------------------------------------------------------------------------------------------------- buckets by themselves */

/* name, scope, capacity, tokens per refill, seconds between refills */
static const svc_set_row rows[] = {
  { "three", SVC_SCOPE_USER, 3, 1, 60 },
  { "ten", SVC_SCOPE_USER, 10, 4, 60 },
  { "one", SVC_SCOPE_USER, 1, 1, 1 },
  { "large", SVC_SCOPE_USER, INT32_MAX, INT32_MAX, INT32_MAX },
  { "drops", SVC_SCOPE_USER, INT32_MAX, 1, 1 },
  { "hammered", SVC_SCOPE_USER, 5000, 5000, 60 },
  { "even", SVC_SCOPE_USER, 1200, 500, 60 },
};
enum { THREE, TEN, ONE, LARGE, DROPS, HAMMERED, EVEN };

typedef struct counter {
  size_t calls, bytes;
} counter;

static void *count_resize(void *context, void *p, size_t size)
{
  counter *c = context;
  c->calls++;
  c->bytes += size;
  if (size) return realloc(p, size);
  free(p);
  return NULL;
}

static void *none_resize(void *context, void *p, size_t size)
{
  (void)p;
  *(size_t *)context = size;
  return NULL;
}

/* The number of buckets is bounded. If there is no memory for them, opening fails. */
TEST(limiter, most)
{
  size_t asked = 0;
  svc_allocator allocator = { none_resize, &asked };
  svc_limiter *l;
  munit_assert_int(svc_limiter_open(&l, &allocator, SIZE_MAX, 1, rows), ==, SVC_NOMEM);
  munit_assert_null(l);
  munit_assert_size(asked, >, (size_t)1 << 24);
  munit_assert_size(asked, <, (size_t)1 << 30);
}

/* Each of the locks fails to initialize, in turn. */
TEST(limiter, no_lock)
{
  t_memory memory = { 0 };
  svc_allocator allocator = { t_memory_resize, &memory };
  svc_limiter *l;
  long at;
  for (at = 1;; at++) {
    int rc;
    t_fault(T_CALL_LOCKS, at, ENOMEM, false);
    rc = svc_limiter_open(&l, &allocator, 0, 7, rows);
    if (t_fault_end() == 0) break;
    munit_assert_int(rc, ==, SVC_NOMEM);
    munit_assert_null(l);
    munit_assert_long(memory.live, ==, 0);
  }
  munit_assert_long(at, >, 2);
  svc_limiter_close(l);
}

/* One token of a very large bucket is less than the smallest share. The bucket still does not count as full, so nobody gains tokens. */
TEST(limiter, large)
{
  static const svc_set_row large[] = { { "large", SVC_SCOPE_USER, INT32_MAX, 1, 60 } };
  t_memory memory = { 0 };
  svc_allocator allocator = { t_memory_resize, &memory };
  svc_limiter *l;
  char who[16];
  int i;
  munit_assert_int(svc_limiter_open(&l, &allocator, 1, 7, large), ==, SVC_OK);
  for (i = 0; i < 5000; i++) { /* all buckets are in one row */
    svc_tokens t;
    snprintf(who, sizeof who, "u%d", i);
    t = svc_limiter_take(l, 0, svc_str_c(who), svc_str_c(who), T_START);
    munit_assert_true(t.taken && t.remaining < INT32_MAX);
  }
  munit_assert_int64(svc_limiter_take(l, 0, SVC_S("late"), SVC_S("late"), T_START + 60000).remaining, ==, INT32_MAX - 1); /* full again */
  svc_limiter_close(l);
}

static svc_limiter *limiter(size_t buckets, counter *c)
{
  svc_limiter *l;
  svc_allocator allocator;
  allocator.resize = count_resize;
  allocator.context = c;
  memset(c, 0, sizeof *c);
  munit_assert_int(svc_limiter_open(&l, &allocator, buckets, 0x1234567890abcdefu, rows), ==, SVC_OK);
  return l;
}

/* Takes a token for a caller who owns this one bucket. */
static svc_tokens take(svc_limiter *l, int set, svc_str who, int64_t now)
{
  return svc_limiter_take(l, set, who, who, now);
}

static void taken(svc_limiter *l, int set, const char *who, int64_t now, int64_t remaining)
{
  svc_tokens t = take(l, set, svc_str_c(who), now);
  munit_assert_true(t.taken);
  munit_assert_int64(t.remaining, ==, remaining);
  munit_assert_int64(t.wait_seconds, ==, 0);
}

static void refused(svc_limiter *l, int set, const char *who, int64_t now, int64_t wait)
{
  svc_tokens t = take(l, set, svc_str_c(who), now);
  munit_assert_false(t.taken);
  munit_assert_int64(t.remaining, ==, 0);
  munit_assert_int64(t.wait_seconds, ==, wait);
}

/* Takes all tokens. Returns how many there were. */
static int64_t drain(svc_limiter *l, int set, const char *who, int64_t now)
{
  int64_t n = 0;
  while (take(l, set, svc_str_c(who), now).taken) n++;
  return n;
}

TEST(limiter, capacity)
{
  counter c;
  svc_limiter *l = limiter(0, &c);
  taken(l, THREE, "a", T_START, 2);
  taken(l, THREE, "a", T_START, 1);
  taken(l, THREE, "a", T_START, 0);
  refused(l, THREE, "a", T_START, 60);
  refused(l, THREE, "a", T_START, 60); /* a refused request costs no token */
  taken(l, ONE, "a", T_START, 0);
  refused(l, ONE, "a", T_START, 1);
  munit_assert_int64(drain(l, TEN, "a", T_START), ==, 10);
  svc_limiter_close(l);
  svc_limiter_close(NULL);
}

TEST(limiter, refill)
{
  counter c;
  svc_limiter *l = limiter(0, &c);
  int64_t t0 = T_START, i;
  munit_assert_int64(drain(l, TEN, "a", t0), ==, 10);
  refused(l, TEN, "a", t0 + 1, 60);
  refused(l, TEN, "a", t0 + 1000, 59);
  refused(l, TEN, "a", t0 + 1001, 59);
  refused(l, TEN, "a", t0 + 30500, 30);
  refused(l, TEN, "a", t0 + 59000, 1);
  refused(l, TEN, "a", t0 + 59999, 1);
  taken(l, TEN, "a", t0 + 60000, 3); /* four new tokens, of which this is the first */
  taken(l, TEN, "a", t0 + 60000, 2);
  taken(l, TEN, "a", t0 + 119999, 1);
  taken(l, TEN, "a", t0 + 119999, 0);
  refused(l, TEN, "a", t0 + 119999, 1); /* the interval starts at the refill, not when its first token is taken */
  taken(l, TEN, "a", t0 + 120000, 3);
  munit_assert_int64(drain(l, TEN, "a", t0 + 120000), ==, 3);
  munit_assert_int64(drain(l, TEN, "a", t0 + 240000), ==, 8); /* two refills at once */
  refused(l, TEN, "a", t0 + 299999, 1);
  munit_assert_int64(drain(l, TEN, "a", t0 + 300001), ==, 4); /* the next refill follows the fixed interval, not the last request */
  refused(l, TEN, "a", t0 + 359999, 1);
  munit_assert_int64(drain(l, TEN, "a", t0 + 360000), ==, 4);

  for (i = 1; i <= 5; i++) { /* a bucket is full after 10 / 4 intervals of 60 seconds, rounded up to three */
    char who[16];
    snprintf(who, sizeof who, "b%d", (int)i);
    munit_assert_int64(drain(l, TEN, who, t0), ==, 10);
    munit_assert_int64(drain(l, TEN, who, t0 + i * 60000), ==, i * 4 < 10 ? i * 4 : 10);
  }
  for (i = 1; i <= 5; i++) { /* one millisecond before each refill */
    char who[16];
    snprintf(who, sizeof who, "c%d", (int)i);
    munit_assert_int64(drain(l, TEN, who, t0), ==, 10);
    munit_assert_int64(drain(l, TEN, who, t0 + i * 60000 - 1), ==, i * 4 - 4 < 10 ? i * 4 - 4 : 10);
  }
  svc_limiter_close(l);
}

/* As many buckets as a row has places, used in turn: each counts exactly, whatever its capacity. */
TEST(limiter, neighbours)
{
  static const char *const who[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
  static const int sets[] = { TEN, HAMMERED, EVEN, DROPS };
  counter c;
  size_t i, set;
  int64_t round;
  for (set = 0; set < sizeof sets / sizeof sets[0]; set++) {
    svc_limiter *l = limiter(8, &c);
    for (round = 1; round <= 10; round++)
      for (i = 0; i < 8; i++) taken(l, sets[set], who[i], T_START, rows[sets[set]].capacity - round);
    svc_limiter_close(l);
  }
}

TEST(limiter, never_above)
{
  counter c;
  svc_limiter *l = limiter(0, &c);
  int64_t t0 = T_START;
  taken(l, TEN, "a", t0, 9);
  taken(l, TEN, "a", t0 + 60000, 9); /* full again, and not 13 */
  taken(l, TEN, "a", t0 + 600000, 9);
  munit_assert_int64(drain(l, TEN, "a", t0 + 6000000), ==, 10);
  taken(l, THREE, "b", t0, 2);
  taken(l, THREE, "b", t0, 1);
  taken(l, THREE, "b", t0 + 60000, 1);
  /* the bucket was full for a long time: the first token taken starts the interval */
  taken(l, THREE, "d", t0, 2);
  munit_assert_int64(drain(l, THREE, "d", t0 + 1000500), ==, 3);
  refused(l, THREE, "d", t0 + 1000500, 60);
  refused(l, THREE, "d", t0 + 1060499, 1);
  taken(l, THREE, "d", t0 + 1060500, 0);
  refused(l, THREE, "d", t0 + 1060500, 60);
  svc_limiter_close(l);
}

TEST(limiter, huge_jumps)
{
  static const int64_t times[] = { 1, 1000000, T_START, 4102444800000, INT64_MAX / 1000, INT64_MAX / 2, INT64_MAX - 60000,
                                   INT64_MAX - 1, INT64_MAX };
  counter c;
  svc_limiter *l = limiter(0, &c);
  size_t i;
  munit_assert_int64(drain(l, TEN, "a", 0), ==, 10);
  taken(l, LARGE, "a", 0, INT32_MAX - 1);
  taken(l, DROPS, "a", 0, INT32_MAX - 1);
  taken(l, DROPS, "a", 0, INT32_MAX - 2);
  for (i = 0; i < sizeof times / sizeof times[0]; i++) {
    int64_t refilled = times[i] - (i ? times[i - 1] : 0) >= 180000 ? 10 : 0;
    if (times[i] < INT64_MAX - 100000) munit_assert_int64(drain(l, TEN, "a", times[i]), ==, refilled);
    else drain(l, TEN, "a", times[i]);
    drain(l, ONE, "a", times[i]);
    take(l, LARGE, SVC_S("a"), times[i]);
    take(l, DROPS, SVC_S("a"), times[i]);
    munit_assert_int64(take(l, TEN, SVC_S("a"), times[i]).wait_seconds, <=, 60);
  }
  drain(l, TEN, "a", INT64_MIN); /* from the smallest to the largest time */
  drain(l, TEN, "a", INT64_MAX);
  drain(l, TEN, "a", INT64_MIN + 1);
  drain(l, TEN, "a", 0);
  munit_assert_int64(drain(l, TEN, "new", INT64_MIN), ==, 10);
  munit_assert_int64(take(l, TEN, SVC_S("new"), INT64_MIN).wait_seconds, ==, 60);
  svc_limiter_close(l);
}

/* The clock steps back: nobody gains a token or waits longer than one interval. */
TEST(limiter, steps_back)
{
  counter c;
  svc_limiter *l = limiter(0, &c);
  int64_t t0 = T_START, back = T_START - 3600000;
  munit_assert_int64(drain(l, TEN, "a", t0), ==, 10);
  refused(l, TEN, "a", back, 60);
  refused(l, TEN, "a", back + 59999, 1);
  munit_assert_int64(drain(l, TEN, "a", back + 60000), ==, 4);
  refused(l, TEN, "a", back + 50000, 60); /* a small step back: the interval starts again */
  refused(l, TEN, "a", back + 109999, 1);
  munit_assert_int64(drain(l, TEN, "a", back + 110000), ==, 4);
  taken(l, TEN, "b", t0, 9);
  taken(l, TEN, "b", back, 8);
  taken(l, TEN, "b", back - 86400000, 7);
  taken(l, TEN, "b", -5, 6);
  taken(l, TEN, "b", -5 - 60000, 5);
  taken(l, TEN, "b", -5, 8); /* a minute later: four more */
  taken(l, TEN, "b", 0, 7);
  svc_limiter_close(l);
}

TEST(limiter, independent)
{
  static const char *const who[] = { "a", "b", "", "aa", "5f0000000000000000000001", "5f0000000000000000000002", "192.0.2.7",
                                     "2001:db8::1" };
  counter c;
  svc_limiter *l = limiter(0, &c), *other;
  size_t i;
  int set;
  other = limiter(0, &c);
  for (i = 0; i < sizeof who / sizeof who[0]; i++)
    for (set = THREE; set <= ONE; set++) {
      munit_assert_int64(drain(l, set, who[i], T_START), ==, rows[set].capacity);
      munit_assert_int64(drain(l, set, who[i], T_START), ==, 0);
    }
  munit_assert_int64(drain(l, THREE, "never seen", T_START), ==, 3);
  munit_assert_int64(drain(other, THREE, "a", T_START), ==, 3); /* another limiter has buckets of its own */
  {
    svc_tokens t = take(l, THREE, (svc_str){ "a\0", 2 }, T_START); /* not "a" */
    munit_assert_true(t.taken);
    t = take(l, THREE, (svc_str){ "a\0\0", 3 }, T_START);
    munit_assert_int64(t.remaining, ==, 2);
  }
  svc_limiter_close(l);
  svc_limiter_close(other);
}

/* A flood of made-up instances allocates no memory, and does not refill a bucket that is used up. */
TEST(limiter, flood)
{
  static const size_t sizes[] = { 1, 64, 4096 };
  size_t k;
  for (k = 0; k < 3; k++) {
    counter c;
    svc_limiter *l = limiter(sizes[k], &c);
    size_t calls = c.calls, bytes = c.bytes;
    int64_t now = T_START;
    int i;
    munit_assert_size(calls, ==, 1);
    munit_assert_size(bytes, <=, 64 * 64 + 256 + 24 * (sizes[k] < 8 ? 8 : sizes[k]));
    munit_assert_int64(drain(l, THREE, "exhausted", now), ==, 3);
    munit_assert_int64(drain(l, EVEN, "exhausted", now), ==, 1200);
    for (i = 0; i < 100000; i++) {
      char who[32];
      snprintf(who, sizeof who, "%08x%08x%08x", munit_rand_uint32(), munit_rand_uint32(), (unsigned)i);
      munit_assert_true(take(l, EVEN, svc_str_c(who), now).taken);
      if (i % 100 == 0) {
        munit_assert_false(take(l, THREE, SVC_S("exhausted"), now).taken);
        munit_assert_false(take(l, EVEN, SVC_S("exhausted"), now).taken);
      }
    }
    munit_assert_size(c.calls, ==, calls);
    now += 60000;
    munit_assert_int64(drain(l, THREE, "exhausted", now), ==, 1); /* the refill comes as usual */
    munit_assert_int64(drain(l, EVEN, "exhausted", now), ==, 500);
    svc_limiter_close(l);
    munit_assert_size(c.calls, ==, calls + 1);
  }
}

/* A caller who empties many buckets gets no full bucket back by that, and refills no bucket of another caller. */
TEST(limiter, used_up)
{
  static const size_t sizes[] = { 1, 64, 4096 };
  size_t k;
  for (k = 0; k < 3; k++) {
    const int most = k == 2 ? 6000 : 600;
    int64_t got = 0, limit, others = 0;
    counter c;
    svc_limiter *l = limiter(sizes[k], &c);
    int i, n;
    for (n = 0; n < 9; n++) munit_assert_true(svc_limiter_take(l, TEN, SVC_S("wanted"), SVC_S("greedy"), T_START).taken);
    munit_assert_int64(drain(l, TEN, "others", T_START), ==, 10);
    for (i = 0; i < most; i++) {
      char who[32];
      snprintf(who, sizeof who, "made up %d", i);
      for (n = 0; n < 10; n++) got += svc_limiter_take(l, TEN, svc_str_c(who), SVC_S("greedy"), T_START).taken;
      others += take(l, TEN, SVC_S("others"), T_START).taken;
    }
    for (n = 0; n < 10; n++) others += svc_limiter_take(l, TEN, SVC_S("wanted"), SVC_S("greedy"), T_START).taken;
    munit_assert_int64(others, <=, 1); /* at most the token that was left in "wanted" */
    limit = 10 * (int64_t)(sizes[k] < 8 ? 8 : sizes[k]);
    munit_assert_int64(got, <=, limit); /* at most as many buckets as there are places */
    munit_assert_true(take(l, TEN, SVC_S("somebody else"), T_START).taken); /* other owners still get full buckets */
    munit_assert_int64(drain(l, TEN, "one more", T_START), ==, 10);
    /* the refill comes for everyone */
    munit_assert_true(svc_limiter_take(l, TEN, SVC_S("wanted"), SVC_S("greedy"), T_START + 60000).taken);
    svc_limiter_close(l);
  }
}

static void *no_memory(void *context, void *p, size_t size)
{
  (void)context, (void)p, (void)size;
  return NULL;
}

TEST(limiter, no_memory)
{
  svc_allocator allocator = { no_memory, NULL };
  svc_limiter *l = (svc_limiter *)&allocator;
  munit_assert_int(svc_limiter_open(&l, &allocator, 0, 1, rows), ==, SVC_NOMEM);
  munit_assert_null(l);
}

typedef struct hammer {
  pthread_t thread;
  svc_limiter *l;
  int taken;
} hammer;

static void *hammering(void *context)
{
  hammer *h = context;
  int i;
  for (i = 0; i < 20000; i++) h->taken += take(h->l, HAMMERED, SVC_S("all"), T_START).taken;
  return NULL;
}

TEST(limiter, threads)
{
  hammer h[8];
  counter c;
  svc_limiter *l = limiter(0, &c);
  int i, total = 0;
  memset(h, 0, sizeof h);
  for (i = 0; i < 8; i++) {
    h[i].l = l;
    munit_assert_int(pthread_create(&h[i].thread, NULL, hammering, &h[i]), ==, 0);
  }
  for (i = 0; i < 8; i++) {
    pthread_join(h[i].thread, NULL);
    total += h[i].taken;
  }
  munit_assert_int(total, ==, 5000);
  svc_limiter_close(l);
}

/* --------------------------------------------------------------------------------------------------------------- requests */

TEST_SERVICE(limiter, document)
{
  const char *org;
  char expected[512];
  int i;
  org = t_organization(t, "Acme");
  for (i = 9; i >= 0; i--) { /* the smallest bucket: 10 tokens, 5 per minute */
    char left[16];
    snprintf(left, sizeof left, "%d", i);
    munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/settings?pretty=true", org), ==, 200);
    munit_assert_string_equal(t_get_header(t, "RateLimit-Limit"), "10");
    munit_assert_string_equal(t_get_header(t, "RateLimit-Remaining"), left);
    munit_assert_null(svc_response_header(&t->response, "Retry-After"));
  }
  t->now += 20500;
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/settings?x=1", org), ==, 429); /* the limiter runs before the query is checked */
  snprintf(expected, sizeof expected,
           "{\"detail\":\"Rate limit exceeded for api/svc/v2/orgs/%s/settings. Please retry after 40 seconds. Request capacity: "
           "10. Refill rate: 5 per 60 seconds.\",\"error\":429,\"errorCode\":\"RATE_LIMITED_TOKEN_BUCKET\",\"parameters\":["
           "\"api/svc/v2/orgs/%s/settings\",40,10,5,60],\"reason\":\"Too Many Requests\"}",
           org, org);
  munit_assert_string_equal(t->response.body, expected);
  munit_assert_string_equal(t_get_header(t, "Retry-After"), "40");
  munit_assert_string_equal(t_get_header(t, "RateLimit-Limit"), "10");
  munit_assert_string_equal(t_get_header(t, "RateLimit-Remaining"), "0");
  munit_assert_string_equal(t_get_header(t, "X-Error-Code"), "RATE_LIMITED_TOKEN_BUCKET");
  munit_assert_string_equal(t_get_header(t, "Content-Type"), "application/json");
  munit_assert_int(t_node(t, "parameters[0]")->type, ==, SVC_J_STRING);
  for (i = 1; i < 5; i++) {
    char path[32];
    snprintf(path, sizeof path, "parameters[%d]", i);
    munit_assert_int(t_node(t, path)->type, ==, SVC_J_NUMBER);
  }
  /* the same bucket for all methods */
  munit_assert_int(t_sendf(t, "PATCH", "{\"restrictEmployeeAccess\":true}", "/orgs/%s/settings", org), ==, 429);
  munit_assert_int(t_sendf(t, "HEAD", NULL, "/orgs/%s/settings", org), ==, 429);
  t->now += 39499;
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/settings", org), ==, 429);
  munit_assert_string_equal(t_get_header(t, "Retry-After"), "1");
  t->now += 1; /* exactly after Retry-After: five tokens, as refused requests cost none */
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/settings", org), ==, 200);
  munit_assert_string_equal(t_str(t, "restrictEmployeeAccess"), "false");
  munit_assert_string_equal(t_get_header(t, "RateLimit-Remaining"), "4");
  munit_assert_int(t_sendf(t, "HEAD", NULL, "/orgs/%s/settings", org), ==, 200);
  munit_assert_string_equal(t_get_header(t, "RateLimit-Remaining"), "3");
  t_header(t, "If-None-Match", "*");
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/settings", org), ==, 304);
  munit_assert_string_equal(t_get_header(t, "RateLimit-Remaining"), "2");
}

/* A request that is refused for another reason still costs a token, once the operation and the caller are known. */
TEST(limiter, what_spends)
{
  svc_limit_override few = { "organizationSettings_organization", 7, 1, 60 };
  svc_config config;
  t_service t;
  const char *org;
  int i;
  memset(&config, 0, sizeof config);
  config.limits = &few;
  config.limit_count = 1;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");

  t.anonymous = true; /* 401: no bucket of any caller */
  for (i = 0; i < 20; i++) {
    munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings", org), ==, 401);
    munit_assert_null(svc_response_header(&t.response, "RateLimit-Limit"));
    munit_assert_null(svc_response_header(&t.response, "RateLimit-Remaining"));
  }
  t.anonymous = false;
  for (i = 0; i < 20; i++) { /* unknown path or method */
    munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settingz", org), ==, 404);
    munit_assert_null(svc_response_header(&t.response, "RateLimit-Limit"));
    munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s/settings", org), ==, 405);
    munit_assert_null(svc_response_header(&t.response, "RateLimit-Limit"));
  }
#define LEFT(n) \
  do { \
    munit_assert_string_equal(t_get_header(&t, "RateLimit-Limit"), "7"); \
    munit_assert_string_equal(t_get_header(&t, "RateLimit-Remaining"), n); \
  } while (0)
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings", org), ==, 200);
  LEFT("6");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings?nope=1", org), ==, 400);
  LEFT("5");
  munit_assert_int(t_sendf(&t, "PATCH", "{", "/orgs/%s/settings", org), ==, 400);
  LEFT("4");
  t_header(&t, "Accept", "application/vnd.svc.2020-01-01+json"); /* unknown version */
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings", org), ==, 406);
  LEFT("3");
  t_headers_clear(&t);
  t.grants[0].role = "ORG_MEMBER"; /* may read the settings, but not change them */
  munit_assert_int(t_sendf(&t, "PATCH", "{\"restrictEmployeeAccess\":true}", "/orgs/%s/settings", org), ==, 403);
  LEFT("2");
  t.grants[0].on = "5f00000000000000000000aa"; /* no role on this organization */
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings", org), ==, 401);
  LEFT("6"); /* in a bucket of the caller's own */
  t.grants[0].on = NULL;
  munit_assert_int(t_send(&t, "GET", "/orgs/5f00000000000000000000bb/settings", NULL), ==, 404); /* no such organization */
  LEFT("5"); /* the bucket for all foreign and missing resources */
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings", org), ==, 200);
  LEFT("1");
#undef LEFT
  t_close(&t);
}

TEST_SERVICE(limiter, addresses)
{
  int i;
  t->anonymous = true;
  for (i = 399; i >= 0; i--) {
    char left[16];
    snprintf(left, sizeof left, "%d", i);
    t->anonymous = i % 2 == 0; /* with or without a caller: the address counts */
    munit_assert_int(t_send(t, "GET", "/unauth/controlPlaneIPAddresses", NULL), ==, 200);
    munit_assert_string_equal(t_get_header(t, "RateLimit-Limit"), "400");
    munit_assert_string_equal(t_get_header(t, "RateLimit-Remaining"), left);
  }
  munit_assert_int(t_send(t, "GET", "/unauth/controlPlaneIPAddresses", NULL), ==, 429);
  munit_assert_string_equal(t_param(t, 0), "api/svc/v2/unauth/controlPlaneIPAddresses");
  munit_assert_string_equal(t_param(t, 3), "100");
  t->peer = "192.0.2.8";
  munit_assert_int(t_send(t, "GET", "/unauth/controlPlaneIPAddresses", NULL), ==, 200);
  munit_assert_string_equal(t_get_header(t, "RateLimit-Remaining"), "399");
  t->peer = NULL; /* 127.0.0.1 */
  munit_assert_int(t_send(t, "GET", "/unauth/controlPlaneIPAddresses", NULL), ==, 200);
  t->peer = "127.0.0.1";
  munit_assert_int(t_send(t, "GET", "/unauth/controlPlaneIPAddresses", NULL), ==, 200);
  munit_assert_string_equal(t_get_header(t, "RateLimit-Remaining"), "398");
}

/* A network of 64 bits is one IPv6 client. An IPv4 address is the same in every notation. */
TEST_SERVICE(limiter, networks)
{
  static const struct { const char *peer, *left; } calls[] = {
    { "2001:db8:1:2::1", "399" }, { "2001:db8:1:2:ffff:ffff:ffff:ffff", "398" }, { "2001:db8:1:2:1234::9", "397" }, { "2001:db8:1:3::1", "399" },
    { "192.0.2.1", "399" }, { "::ffff:192.0.2.1", "398" }, { "::ffff:c000:201", "397" }, { "192.0.2.2", "399" }, { "::ffff:192.0.2.3", "399" } };
  size_t i;
  t->anonymous = true;
  for (i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    t->peer = calls[i].peer;
    munit_assert_int(t_send(t, "GET", "/unauth/controlPlaneIPAddresses", NULL), ==, 200);
    munit_assert_string_equal(t_get_header(t, "RateLimit-Remaining"), calls[i].left);
  }
}

TEST(limiter, scopes)
{
  svc_limit_override few[3];
  char network[80], projects[80];
  svc_config config;
  t_service t;
  const char *org, *other_org, *a, *b;
  int i;
  svc_set_id(SVC_SET_NETWORK, network, sizeof network);
  svc_set_id(SVC_SET_PROJECTS, projects, sizeof projects);
  memset(&config, 0, sizeof config);
  memset(few, 0, sizeof few);
  few[0].endpoint_set_id = "rootResource_user";
  few[1].endpoint_set_id = projects;
  few[2].endpoint_set_id = network;
  for (i = 0; i < 3; i++) few[i].capacity = 3;
  config.limits = few;
  config.limit_count = 3;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  other_org = t_organization(&t, "Other");
  a = t_project(&t, org, "a");
  b = t_project(&t, org, "b");

  for (i = 0; i < 3; i++) munit_assert_int(t_send(&t, "GET", "", NULL), ==, 200); /* per user */
  munit_assert_int(t_send(&t, "GET", "", NULL), ==, 429);
  munit_assert_string_equal(t_param(&t, 0), "api/svc/v2");
  t.peer = "192.0.2.99";
  munit_assert_int(t_send(&t, "GET", "", NULL), ==, 429);
  t.caller.user_id = "5f0000000000000000000002";
  munit_assert_int(t_send(&t, "GET", "", NULL), ==, 200);
  munit_assert_string_equal(t_get_header(&t, "RateLimit-Remaining"), "2");

  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", a), ==, 200); /* per project, for all callers and the whole set */
  munit_assert_string_equal(t_get_header(&t, "RateLimit-Remaining"), "2");
  t.caller.user_id = "5f0000000000000000000001";
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/limits", a), ==, 200);
  munit_assert_string_equal(t_get_header(&t, "RateLimit-Remaining"), "1");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/settings", a), ==, 200);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", a), ==, 429);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", a), ==, 429);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", b), ==, 200);
  munit_assert_string_equal(t_get_header(&t, "RateLimit-Remaining"), "2");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/events", a), ==, 200); /* another set */

  for (i = 0; i < 10; i++) munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings", org), ==, 200); /* per organization */
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings", org), ==, 429);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings", other_org), ==, 200);
  munit_assert_string_equal(t_get_header(&t, "RateLimit-Remaining"), "9");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s", org), ==, 200);
  munit_assert_string_equal(t_get_header(&t, "RateLimit-Limit"), "500");

  for (i = 0; i < 50; i++) { /* the older base path has no limit, and takes no tokens of the newer one */
    char target[128];
    snprintf(target, sizeof target, "/api/svc/v1.0/groups/%s/privateIpMode", b);
    munit_assert_int(t_send(&t, "PATCH", target, i % 2 ? "{\"enabled\":true}" : "{\"enabled\":false}"), ==, 200);
    munit_assert_null(svc_response_header(&t.response, "RateLimit-Limit"));
    munit_assert_null(svc_response_header(&t.response, "RateLimit-Remaining"));
  }
  for (i = 2; i >= 0; i--) {
    munit_assert_int(t_sendf(&t, "PATCH", "{\"enabled\":true}", "/groups/%s/privateIpMode", b), ==, 200);
    munit_assert_int(t_get_header(&t, "RateLimit-Remaining")[0], ==, '0' + i);
  }
  munit_assert_int(t_sendf(&t, "PATCH", "{\"enabled\":true}", "/groups/%s/privateIpMode", b), ==, 429);
  t_close(&t);
}

TEST(limiter, is_off)
{
  svc_limit_override one = { "rootResource_user", 1, 1, 60 };
  svc_config config;
  t_service t;
  int i;
  memset(&config, 0, sizeof config);
  config.limits = &one;
  config.limit_count = 1;
  config.limiter_off = 1;
  t_open(&t, &config);
  for (i = 0; i < 500; i++) {
    munit_assert_int(t_send(&t, "GET", "", NULL), ==, 200);
    munit_assert_null(svc_response_header(&t.response, "RateLimit-Limit"));
    munit_assert_null(svc_response_header(&t.response, "RateLimit-Remaining"));
  }
  munit_assert_string_equal(t_str(&t, "throttling"), "false");
  t_close(&t);
  t_open(&t, NULL);
  munit_assert_int(t_send(&t, "GET", "", NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "throttling"), "true");
  t_close(&t);
}

static char said[512];

static void say(void *context, int level, const char *text)
{
  (void)context;
  munit_assert_int(level, ==, SVC_LOG_ERROR);
  snprintf(said, sizeof said, "%s", text);
}

TEST(limiter, overrides)
{
  static const svc_limit_override bad[] = {
    { "noSuchSet_group", 1, 1, 1 },        { "", 1, 1, 1 },           { NULL, 1, 1, 1 },
    { "rootResource", 1, 1, 1 },           { "rootResource_group", 1, 1, 1 }, { "RootResource_user", 1, 1, 1 },
    { "rootResource_user", -1, 0, 0 },     { "rootResource_user", 0, -1, 0 }, { "rootResource_user", 0, 0, -1 },
    { "rootResource_user", INT64_MAX, 0, 0 }, { "rootResource_user", 0, (int64_t)INT32_MAX + 1, 0 },
    { "rootResource_user", 0, 0, INT64_MAX }, { "rootResource_user", INT64_MIN, 0, 0 },
  };
  char line[128];
  svc_limit_override good[3] = { { "rootResource_user", 5, 0, 0 }, { "rootResource_user", 4, 0, 30 }, { "users_user", 0, 0, 0 } };
  svc_config config;
  t_service t;
  svc *s;
  size_t i;
  memset(&config, 0, sizeof config);
  config.log = say;
  config.limit_count = 1;
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    said[0] = 0;
    config.limits = &bad[i];
    s = (svc *)&config;
    munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
    munit_assert_null(s);
    snprintf(line, sizeof line, "svc_config.limits: %s %s%s", bad[i].endpoint_set_id ? bad[i].endpoint_set_id : "NULL",
             i < 6 ? "is not the id of an endpoint set" : "has a value out of range",
             i == 4 || i == 5 ? "; did you mean rootResource_user?" : "");
    munit_assert_string_equal(said, line); /* the log line names the wrong row */
    config.limiter_off = 1; /* also refused while the limiter is off */
    munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
    config.limiter_off = 0;
  }
  config.limits = good;
  config.limit_count = 3;
  t_open(&t, &config);
  memset(good, 0xFF, sizeof good); /* the handle has made its own copy */
  for (i = 0; i < 4; i++) munit_assert_int(t_send(&t, "GET", "", NULL), ==, 200);
  munit_assert_int(t_send(&t, "GET", "", NULL), ==, 429);
  munit_assert_string_equal(t_param(&t, 1), "30");
  munit_assert_string_equal(t_param(&t, 2), "4");
  munit_assert_string_equal(t_param(&t, 3), "100"); /* 0 keeps the value of the table */
  munit_assert_string_equal(t_param(&t, 4), "30");
  t_advance(&t, 30);
  munit_assert_int(t_send(&t, "GET", "", NULL), ==, 200);
  munit_assert_string_equal(t_get_header(&t, "RateLimit-Remaining"), "3");
  t_close(&t);
}

/* Requests of callers without a role neither use the bucket of the organization they name, nor reveal its level. */
TEST(limiter, strangers)
{
  svc_limit_override few[] = { { "organizationSettings_organization", 7, 1, 60 }, { "projectsProjectInvitationsProjectLimitsAndSettings_group", 7, 1, 60 } };
  svc_config config;
  t_service t;
  const char *org, *group, *own;
  int i;
  memset(&config, 0, sizeof config);
  config.limits = few;
  config.limit_count = 2;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  own = t_organization(&t, "Other");
  group = t_project(&t, org, "alpha");
  t.grants[0].on = own;
  for (i = 0; i < 7; i++) {
    munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings", org), ==, 401);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 401);
  }
  t.grants[0].on = org;
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings", org), ==, 200);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
  t_close(&t);
}

/* Sends a request to the token endpoint for a client that may not exist. Returns the status. */
static int token_try(t_service *t, const char *client, const char *secret)
{
  char plain[128], header[256];
  svc_str text;
  svc_arena a;
  int status;
  char *at;
  svc_arena_init(&a, NULL);
  snprintf(plain, sizeof plain, "%s:%s", client, secret);
  text = svc_base64(&a, svc_str_c(plain));
  snprintf(header, sizeof header, "Basic " SVC_FMT "%.*s", SVC_ARG(text), (int)(3 - (text.n + 3) % 4), "==");
  for (at = header; *at; at++) *at = *at == '-' ? '+' : *at == '_' ? '/' : *at; /* from base64url to plain base64 */
  t_headers_clear(t);
  t_header(t, "Authorization", header);
  t_header(t, "Content-Type", "application/x-www-form-urlencoded");
  status = t_send(t, "POST", "/api/oauth/token", "grant_type=client_credentials");
  svc_blocks_free(a.blocks);
  return status;
}

/* Sixty thousand requests with made-up clients yield not one more guess at a real client's secret. */
TEST_SERVICE(limiter, guessing)
{
  svc_credentials keys;
  char client[64];
  int i, n, guesses = 0, served = 0;
  munit_assert_int(svc_bootstrap(t->s, &keys), ==, SVC_OK);
  t->anonymous = true;
  for (i = 0; i < 10; i++) guesses += token_try(t, keys.client_id, "wrong") == 401;
  munit_assert_int(guesses, ==, 10);
  munit_assert_int(token_try(t, keys.client_id, "wrong"), ==, 429);
  for (i = 0; i < 6000; i++) {
    snprintf(client, sizeof client, "svc_sa_id_%024d", i);
    for (n = 0; n < 10; n++) served += token_try(t, client, "wrong") == 401;
  }
  munit_assert_int(served, >, 10); /* a made-up client has a bucket of its own, like a real one */
  for (i = 0; i < 20; i++) munit_assert_int(token_try(t, keys.client_id, keys.client_secret), ==, 429);
  t->peer = "2001:db8::1"; /* another network has its own attempts, but not each address in it */
  for (guesses = i = 0; i < 100; i++) {
    char peer[32];
    snprintf(peer, sizeof peer, "2001:db8::%x", i + 1);
    t->peer = peer;
    guesses += token_try(t, keys.client_id, "wrong") == 401;
  }
  munit_assert_int(guesses, ==, 10);
  t->peer = "192.0.2.7";
  t_advance(t, 60);
  munit_assert_int(token_try(t, keys.client_id, keys.client_secret), ==, 200);
}

/* Sixty thousand requests for made-up organizations refill no bucket, neither the caller's nor another's. */
TEST(limiter, made_up)
{
  svc_limit_override few[] = { { "organizationSettings_organization", 10, 1, 60 } };
  const char *org, *mine;
  t_service t;
  int i, served = 0, asked = 0;
  t_open(&t, &(svc_config){ .limits = few, .limit_count = 1 });
  org = t_organization(&t, "Acme");
  mine = t_organization(&t, "Mine");
  for (i = 0; i < 10; i++) munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings", org), ==, 200);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings", org), ==, 429);
  t.caller.user_id = "5f00000000000000000000cc";
  t.grants[0].on = mine;
  for (i = 0; i < 60000; i++) asked += t_sendf(&t, "GET", NULL, "/orgs/%024x/settings", (unsigned)i / 10 + 1) != 429;
  munit_assert_int(asked, ==, 10);
  for (i = 0; i < 20; i++) served += t_sendf(&t, "GET", NULL, "/orgs/%s/settings", mine) == 200;
  munit_assert_int(served, ==, 10); /* requests for organizations without a role do not use the bucket of the caller's own organization */
  t_as(&t, NULL);
  t.grants[0].on = NULL;
  for (i = 0; i < 20; i++) munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/settings", org), ==, 429);
  t_close(&t);
}

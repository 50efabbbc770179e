/*
** Questions to a driver that hangs: shares of organizations, resources that rest, and what svc_request_needs() says of every operation.
*/
#include "driver.h"
#include "mechanism/probe.h"

#include <pthread.h>
#include <stdlib.h>

#define QUESTION_PATH "/groups/%s/clusters/%s/performanceAdvisor/dropIndexSuggestions"

#define QUESTION_CLUSTER PROBE_CLUSTER("%s", "M10")

typedef struct question_world {
  t_service t;
  t_driver d;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool held;        /* questions wait */
  int inside, asks; /* questions that wait now; all of them */
  int answer;
  int64_t takes, clock; /* nanoseconds that a question takes; svc_config.monotonic */
  const char *groups[4];
} question_world;

static int question_ask(void *context, svc *s, const svc_question *q, svc_reply *reply)
{
  question_world *w = context;
  int answer;
  (void)s, (void)q;
  pthread_mutex_lock(&w->lock);
  w->asks++;
  w->inside++;
  pthread_cond_broadcast(&w->changed);
  while (w->held) pthread_cond_wait(&w->changed, &w->lock);
  w->inside--;
  w->clock += w->takes;
  answer = w->answer;
  pthread_mutex_unlock(&w->lock);
  return answer == SVC_OK ? svc_reply_add(reply, "[]", 2) : answer;
}

static int question_perform(void *context, svc *s, const svc_order *order)
{
  (void)context;
  munit_assert_int(svc_order_done(s, order->id, SVC_OK, "{\"hosts\":[\"a.example.net:27017\"]}"), ==, SVC_OK);
  return SVC_OK;
}

static int64_t question_clock(void *context)
{
  question_world *w = context;
  int64_t now;
  pthread_mutex_lock(&w->lock);
  now = w->clock;
  pthread_mutex_unlock(&w->lock);
  return now;
}

static void question_open(question_world *w, size_t most, int organizations)
{
  static svc_driver driver;
  svc_config config;
  char name[16];
  int i;
  memset(w, 0, sizeof *w);
  memset(&config, 0, sizeof config);
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->changed, NULL);
  w->clock = 1;
  driver = (svc_driver){ question_perform, question_ask, w };
  config.driver = &driver;
  config.limiter_off = 1;
  config.max_questions = most;
  config.monotonic = question_clock;
  config.monotonic_context = w;
  t_open(&w->t, &config);
  for (i = 0; i < organizations; i++) {
    snprintf(name, sizeof name, "Org %d", i);
    w->groups[i] = t_keep(&w->t, t_project(&w->t, t_organization(&w->t, name), "alpha"));
    munit_assert_int(t_sendf(&w->t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", w->groups[i]), ==, 201);
    munit_assert_int(t_sendf(&w->t, "POST", PROBE_CLUSTER("Other", "M10"), "/groups/%s/clusters", w->groups[i]), ==, 201);
  }
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
}

static void question_close(question_world *w)
{
  t_close(&w->t);
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->lock);
}

static void question_hold(question_world *w, bool on)
{
  pthread_mutex_lock(&w->lock);
  w->held = on;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->lock);
}

/* Waits until this many questions wait inside the driver. */
static void question_await(question_world *w, int n)
{
  pthread_mutex_lock(&w->lock);
  while (w->inside < n) pthread_cond_wait(&w->changed, &w->lock);
  munit_assert_int(w->inside, ==, n);
  pthread_mutex_unlock(&w->lock);
}

/* Asks on this thread. */
static int question_send(question_world *w, int of, const char *cluster)
{
  return t_sendf(&w->t, "GET", NULL, QUESTION_PATH, w->groups[of], cluster);
}

typedef struct question_thread {
  pthread_t thread;
  question_world *w;
  int of, status;
} question_thread;

static void *question_run(void *argument)
{
  question_thread *q = argument;
  char target[256];
  svc_response r;
  snprintf(target, sizeof target, "/api/svc/v2" QUESTION_PATH, q->w->groups[q->of], "Main");
  t_ask_as_owner(q->w->t.s, "GET", target, NULL, &r);
  q->status = r.status;
  svc_response_free(&r);
  return NULL;
}

static void question_start(question_thread *q, question_world *w, int of)
{
  *q = (question_thread){ .w = w, .of = of };
  munit_assert_int(pthread_create(&q->thread, NULL, question_run, q), ==, 0);
}

static void question_join(question_thread *q, size_t n)
{
  size_t i;
  for (i = 0; i < n; i++) {
    munit_assert_int(pthread_join(q[i].thread, NULL), ==, 0);
    munit_assert_int(q[i].status, ==, 200);
  }
}

/* While the data plane of one organization hangs, its further questions are refused, and everyone else's work goes on. */
TEST(question, share)
{
  question_world w;
  question_thread q[4];
  svc_statistics stats;
  int i;
  question_open(&w, 8, 2);
  question_hold(&w, true);
  for (i = 0; i < 2; i++) question_start(&q[i], &w, 0); /* a quarter of eight */
  question_await(&w, 2);
  for (i = 0; i < 3; i++) {
    munit_assert_int(question_send(&w, 0, i ? "Other" : "Main"), ==, 503);
    munit_assert_string_equal(t_error(&w.t), "SERVICE_UNAVAILABLE");
    munit_assert_string_equal(t_get_header(&w.t, "Retry-After"), "1");
  }
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"name\":\"beta\"}", "/groups/%s", w.groups[0]), ==, 200);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"name\":\"gamma\"}", "/groups/%s", w.groups[1]), ==, 200);
  for (i = 2; i < 4; i++) question_start(&q[i], &w, 1);
  question_await(&w, 4);
  munit_assert_int(question_send(&w, 1, "Main"), ==, 503);
  munit_assert_int(svc_stats(w.t.s, &stats), ==, SVC_OK);
  munit_assert_uint64(stats.questions, ==, 4);
  munit_assert_uint64(stats.questions_refused, ==, 4);
  question_hold(&w, false);
  question_join(q, 4);
  munit_assert_int(question_send(&w, 0, "Main"), ==, 200);
  munit_assert_int(svc_stats(w.t.s, &stats), ==, SVC_OK);
  munit_assert_uint64(stats.questions, ==, 0);
  question_close(&w);
}

/* The health shows that no question can be asked, and stays ready. */
TEST(question, busy)
{
  static const svc_request health = { .method = "GET", .target = "/_svc/health" };
  question_world w;
  question_thread q;
  svc_response r;
  question_open(&w, 1, 1);
  munit_assert_int(svc_control_request(w.t.s, NULL, &health, &r), ==, SVC_OK);
  munit_assert_not_null(strstr(r.body, "\"driver\":\"ok\""));
  munit_assert_not_null(strstr(r.body, "\"status\":\"ok\""));
  svc_response_free(&r);
  question_hold(&w, true);
  question_start(&q, &w, 0);
  question_await(&w, 1);
  munit_assert_int(svc_control_request(w.t.s, NULL, &health, &r), ==, SVC_OK);
  munit_assert_int(r.status, ==, 200);
  munit_assert_not_null(strstr(r.body, "\"driver\":\"busy\""));
  munit_assert_not_null(strstr(r.body, "\"ready\":true,\"status\":\"busy\""));
  svc_response_free(&r);
  question_hold(&w, false);
  question_join(&q, 1);
  svc_set_busy(w.t.s, 1); /* a host without free threads */
  munit_assert_int(svc_control_request(w.t.s, NULL, &health, &r), ==, SVC_OK);
  munit_assert_not_null(strstr(r.body, "\"threads\":\"busy\"},\"ready\":true,\"status\":\"busy\""));
  svc_response_free(&r);
  svc_set_busy(w.t.s, 0);
  svc_set_busy(NULL, 1);
  question_close(&w);
}

/* After a late failure a resource is left alone for five seconds; other resources are not. */
TEST(question, rest)
{
  question_world w;
  question_open(&w, 0, 1);
  w.answer = SVC_IO;
  munit_assert_int(question_send(&w, 0, "Main"), ==, 503); /* a failure at once is an answer */
  munit_assert_int(question_send(&w, 0, "Main"), ==, 503);
  munit_assert_int(w.asks, ==, 2);
  w.takes = 250000000;
  munit_assert_int(question_send(&w, 0, "Main"), ==, 503);
  munit_assert_int(w.asks, ==, 3);
  w.answer = SVC_OK;
  munit_assert_int(question_send(&w, 0, "Main"), ==, 503);
  munit_assert_string_equal(t_get_header(&w.t, "Retry-After"), "6"); /* the rest of five seconds, rounded up */
  munit_assert_int(w.asks, ==, 3);
  munit_assert_int(question_send(&w, 0, "Other"), ==, 200);
  munit_assert_int(w.asks, ==, 4);
  w.clock += INT64_C(4700000000);
  munit_assert_int(question_send(&w, 0, "Main"), ==, 503);
  munit_assert_string_equal(t_get_header(&w.t, "Retry-After"), "1");
  w.clock += INT64_C(100000000);
  munit_assert_int(question_send(&w, 0, "Main"), ==, 200);
  munit_assert_int(w.asks, ==, 5);
  question_close(&w);
}

/* More resources rest at a time than there are rows: the oldest gives way. */
TEST(question, rests)
{
  char name[16], body[512];
  question_world w;
  int i;
  question_open(&w, 0, 1);
  for (i = 0; i < 20; i++) {
    snprintf(name, sizeof name, "P%d", i);
    w.groups[1] = t_keep(&w.t, t_project(&w.t, t_organization(&w.t, name), "alpha"));
    for (int k = 0; k < 4; k++) {
      snprintf(name, sizeof name, "C%d", k);
      snprintf(body, sizeof body, QUESTION_CLUSTER, name);
      munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/clusters", w.groups[1]), ==, 201);
    }
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
    w.answer = SVC_IO;
    w.takes = 300000000;
    for (int k = 0; k < 4; k++) {
      snprintf(name, sizeof name, "C%d", k);
      munit_assert_int(question_send(&w, 1, name), ==, 503);
      w.clock -= 299999999; /* all within five seconds */
    }
  }
  munit_assert_int(w.asks, ==, 80);
  munit_assert_int(question_send(&w, 1, "C3"), ==, 503);
  munit_assert_int(w.asks, ==, 80);
  question_close(&w);
}

/* ------------------------------------------------------------------------------------------------ what requests need */

static int question_needs(svc *s, const char *method, const char *path, const char *query)
{
  char target[512];
  size_t n = 0;
  const char *p;
  for (p = path; *p; p++) { /* a value for each parameter */
    if (*p != '{') {
      target[n++] = *p;
      continue;
    }
    memcpy(target + n, "5f0000000000000000000001", 24);
    n += 24;
    p = strchr(p, '}');
  }
  snprintf(target + n, sizeof target - n, "%s", query);
  return svc_request_needs(s, &(svc_request){ .method = method, .target = target });
}

/* Every operation: whatever asks the driver says so, and no list that may be long is left to an event loop. */
TEST(question, needs)
{
  static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
  t_service t;
  size_t i, asking = 0, lists = 0;
  char path[400];
  t_open(&t, NULL);
  for (i = 0; i < t.s->plan_count; i++) {
    const svc_plan *plan = &t.s->plans[i];
    const svc_route *r = plan->route;
    const int store = t_port()->shared ? SVC_NEEDS_STORE : SVC_NEEDS_NOTHING, slow = t_port()->shared ? SVC_NEEDS_STORE : SVC_NEEDS_TIME;
    const bool list = r->flags & (SVC_PAGED | SVC_BARE), asks = r->on_reply || svc_route_ext_of(r)->asks;
    int needs;
    snprintf(path, sizeof path, "%s%s", r->flags & SVC_ABSOLUTE ? "" : "/api/svc/v2", plan->path);
    needs = question_needs(t.s, methods[r->method], path, "");
    if (svc_is_probe(&(svc_request){ .target = path, .target_length = strlen(path) })) continue;
    if (asks) {
      munit_assert_int(needs, ==, SVC_NEEDS_DRIVER);
      asking++;
    } else if (r->method != SVC_GET) {
      munit_assert_int(needs, ==, SVC_NEEDS_STORE);
    } else if (r->flags & (SVC_ABSOLUTE | SVC_INSPECTS)) {
      munit_assert_int(needs, ==, slow);
    } else if (list) {
      munit_assert_int(needs, ==, r->flags & SVC_PAGED ? store : slow);
      munit_assert_int(question_needs(t.s, "GET", path, "?itemsPerPage=100&pageNum=11&pretty=true&envelope=false&includeCount=true"), ==, store);
      munit_assert_int(question_needs(t.s, "GET", path, "?itemsPerPage=101"), ==, slow);
      munit_assert_int(question_needs(t.s, "HEAD", path, "?pageNum=5000&itemsPerPage=20"), ==, slow);
      munit_assert_int(question_needs(t.s, "GET", path, "?itemsPerPage=1&pageNum=2147483647"), ==, slow);
      munit_assert_int(question_needs(t.s, "GET", path, "?itemsPerPage=10&name=a"), ==, slow);
      lists++;
    } else {
      munit_assert_int(needs, ==, store);
    }
  }
  munit_assert_size(asking, >=, 30);
  munit_assert_size(lists, >=, 60);
  munit_assert_int(svc_request_needs(NULL, &(svc_request){ .method = "GET", .target = "/" }), ==, SVC_NEEDS_NOTHING);
  munit_assert_int(svc_request_needs(t.s, NULL), ==, SVC_NEEDS_NOTHING);
  t_close(&t);
}

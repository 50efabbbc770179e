/*
** ./build.sh test-cluster: two svcd behind one address, on a PostgreSQL and a Redis of their own.
**
** What is looked at: both begin at once on an empty store, and there is one organization; limits are exact in sum; of 1,000 creates
** of one name at once one wins; no update is lost under If-Match; what falls due happens once. Then, in the middle of a load, an
** instance is killed, PostgreSQL is restarted, and Redis is killed and comes back: nothing that was acknowledged is lost, what was
** answered is linearizable for each key, and the service goes on.
*/
#define _GNU_SOURCE /* barriers */
#include "cluster.h"

#include <mbedtls/base64.h>

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MAIN_ROUNDS 3
#define MAIN_CREATES 1000
#define MAIN_COUNTERS 8
#define MAIN_STEPS 40 /* of each of them */
#define MAIN_CLUSTERS 20
#define MAIN_DRAWERS 16
#define MAIN_SECOND INT64_C(1000000000)
#define MAIN_MOST_SILENT (8 * MAIN_SECOND) /* without a write that is acknowledged, whatever is killed */

static cluster_place place;
static char bearer[512]; /* whole lines of headers */
static char token[256];
static int port; /* of the relay */
static int passed;

static void pass(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void pass(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  printf("cluster: ok: ");
  vprintf(format, args);
  printf("\n");
  fflush(stdout);
  va_end(args);
  passed++;
}

typedef struct main_worker {
  int number;
  http_client http;
  http_answer answer;
  pthread_t thread;
} main_worker;

/* n of them at once; they are the caller's to free. */
static main_worker *work(size_t n, void *(*what)(void *))
{
  main_worker *all = calloc(n, sizeof *all);
  pthread_attr_t small;
  size_t i;
  if (!all) cluster_die("no memory");
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 131072);
  for (i = 0; i < n; i++) {
    all[i].number = (int)i;
    all[i].http = (http_client){ port, -1, 0 };
    if (pthread_create(&all[i].thread, &small, what, &all[i]) != 0) cluster_die("no thread");
  }
  for (i = 0; i < n; i++) {
    pthread_join(all[i].thread, NULL);
    http_close(&all[i].http);
  }
  pthread_attr_destroy(&small);
  return all;
}

/* One that has to succeed, also when it takes a few tries. */
static void must(http_client *c, http_answer *a, const char *method, const char *path, const char *body, int status)
{
  int tries;
  for (tries = 0; tries < 100; tries++) {
    http_ask(c, method, path, bearer, body, a);
    if (a->status == status) return;
    if (a->status != 0 && a->status != 503) break;
    cluster_pause(50);
  }
  cluster_die("%s %s: %.1000s", method, path, a->text);
}

/* ---------------------------------------------------------------------------------------------------------------- begin */

/* Both at once, on a store that is empty. */
static void begin(void)
{
  int ports[CLUSTER_INSTANCES], i;
  for (i = 0; i < CLUSTER_INSTANCES; i++) instance_begin(i);
  for (i = 0; i < CLUSTER_INSTANCES; i++) ports[i] = instance_wait(i);
  port = relay_start(ports);
}

static void again(int i)
{
  instance_begin(i);
  instance_wait(i);
}

static void log_in(void)
{
  static http_answer answer;
  http_client c = { port, -1, 0 };
  char pair[256], headers[512];
  unsigned char basic[256];
  size_t n;
  snprintf(pair, sizeof pair, "%s:%s", place.client_id, place.client_secret);
  if (mbedtls_base64_encode(basic, sizeof basic, &n, (const unsigned char *)pair, strlen(pair)) != 0) cluster_die("no room");
  snprintf(headers, sizeof headers, "Authorization: Basic %s\r\nContent-Type: application/x-www-form-urlencoded\r\n", (char *)basic);
  http_ask(&c, "POST", "/api/oauth/token", headers, "grant_type=client_credentials", &answer);
  if (answer.status != 200 || !http_member(answer.body, "access_token", token, sizeof token)) cluster_die("no token: %.1000s", answer.text);
  snprintf(bearer, sizeof bearer, "Authorization: Bearer %s\r\nContent-Type: application/json\r\n", token);
  http_close(&c);
}

static void one_organization(void)
{
  static http_answer answer;
  http_client c = { port, -1, 0 };
  must(&c, &answer, "GET", "/api/svc/v2/orgs", NULL, 200);
  if (!strstr(answer.body, "\"totalCount\":1")) cluster_die("two instances that begin at once make more than one organization: %s", answer.body);
  pass("two instances begin at once on an empty store: one organization, and its credentials are good on both");
  http_close(&c);
}

/* --------------------------------------------------------------------------------------------------------------- limits */

static atomic_int drawn, refused;
static int64_t draw_until;
static atomic_llong first_draw;

static void *draw(void *context)
{
  main_worker *w = context;
  char path[128];
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/alerts?itemsPerPage=1", place.group);
  while (cluster_now() < draw_until) {
    http_ask(&w->http, "GET", path, bearer, NULL, &w->answer);
    if (w->answer.status == 200) atomic_fetch_add(&drawn, 1);
    else if (w->answer.status == 429) atomic_fetch_add(&refused, 1);
    else cluster_die("a GET that is limited: %.1000s", w->answer.text);
    if (w->answer.status == 429) cluster_pause(5);
  }
  return NULL;
}

/* 300, and 50 more after every three seconds (see instance.c); looked at in the middle between two refills. */
static void limits_are_exact(void)
{
  enum { CAPACITY = 300, RATE = 50, SECONDS = 3, REFILLS = 3 };
  int expected = CAPACITY + RATE * REFILLS, got;
  if (!getenv("CLUSTER_LIMITER")) {
    printf("cluster: limits are not looked at: there is no Redis\n");
    return;
  }
  atomic_store(&first_draw, cluster_now());
  draw_until = cluster_now() + (SECONDS * REFILLS * 2 + SECONDS) * MAIN_SECOND / 2;
  free(work(MAIN_DRAWERS, draw));
  got = atomic_load(&drawn);
  if (got != expected) cluster_die("limits: %d requests were let through over two instances, not %d", got, expected);
  pass("limits are exact in sum: %d let through (300 and three refills of 50), %d refused", got, atomic_load(&refused));
}

/* ------------------------------------------------------------------------------------------------------- creates, If-Match */

static pthread_barrier_t barrier;
static atomic_int won, lost;

static void *create(void *context)
{
  main_worker *w = context;
  char path[128], body[512];
  int tries;
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/databaseUsers", place.group);
  snprintf(body, sizeof body, "{\"databaseName\":\"admin\",\"username\":\"the-one\",\"password\":\"not-a-secret-1\",\"description\":\"%d\","
           "\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}", w->number);
  pthread_barrier_wait(&barrier);
  for (tries = 0; tries < 200; tries++) {
    http_ask(&w->http, "POST", path, bearer, body, &w->answer);
    if (w->answer.status == 503) cluster_pause(100); /* too many writers at once: nothing was done */
    else break;
  }
  if (w->answer.status == 201) atomic_fetch_add(&won, 1);
  else if (w->answer.status == 409) atomic_fetch_add(&lost, 1);
  else cluster_die("a create of a name that many want: %.1000s", w->answer.text);
  return NULL;
}

static void one_create_wins(void)
{
  int64_t start = cluster_now();
  pthread_barrier_init(&barrier, NULL, MAIN_CREATES);
  free(work(MAIN_CREATES, create));
  if (won != 1 || lost != MAIN_CREATES - 1) cluster_die("of %d creates of one name %d won, %d were refused", MAIN_CREATES, won, lost);
  pass("of %d creates of one name at once one wins, the others answer 409, in %.1f s", MAIN_CREATES, (double)(cluster_now() - start) / 1e9);
}

static atomic_int met; /* 412 */

static void *count_up(void *context)
{
  main_worker *w = context;
  char path[160], body[64], headers[1024];
  int done = 0;
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/databaseUsers/admin/the-one", place.group);
  while (done < MAIN_STEPS) {
    char text[64];
    must(&w->http, &w->answer, "GET", path, NULL, 200);
    if (!http_member(w->answer.body, "description", text, sizeof text)) cluster_die("no description: %s", w->answer.body);
    snprintf(headers, sizeof headers, "%sIf-Match: %s\r\n", bearer, w->answer.tag);
    snprintf(body, sizeof body, "{\"description\":\"%d\"}", atoi(text) + 1);
    http_ask(&w->http, "PATCH", path, headers, body, &w->answer);
    if (w->answer.status == 200) done++;
    else if (w->answer.status == 412) atomic_fetch_add(&met, 1);
    else cluster_die("a PATCH with If-Match: %.1000s", w->answer.text);
  }
  return NULL;
}

static void no_update_is_lost(void)
{
  static http_answer answer;
  http_client c = { port, -1, 0 };
  char path[160], text[64];
  int expected = MAIN_COUNTERS * MAIN_STEPS;
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/databaseUsers/admin/the-one", place.group);
  must(&c, &answer, "PATCH", path, "{\"description\":\"0\"}", 200);
  free(work(MAIN_COUNTERS, count_up));
  must(&c, &answer, "GET", path, NULL, 200);
  if (!http_member(answer.body, "description", text, sizeof text) || atoi(text) != expected)
    cluster_die("updates are lost under If-Match: %s of %d", text, expected);
  pass("no update is lost under If-Match: %d by %d clients, %d met another (412)", expected, MAIN_COUNTERS, atomic_load(&met));
  http_close(&c);
}

/* ------------------------------------------------------------------------------------------------------------- due steps */

/* Clusters come to be ready while both instances look for what is due, and one of them is killed in the middle. */
static void due_steps_happen_once(void)
{
  static http_answer answer;
  http_client c = { port, -1, 0 };
  int64_t until = cluster_now() + 40 * MAIN_SECOND;
  char path[256], one[300], body[512];
  int i, ready, idle = 0;
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/clusters", place.group);
  for (i = 0; i < MAIN_CLUSTERS; i++) {
    snprintf(body, sizeof body, "{\"name\":\"c%d\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
             "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}", i);
    must(&c, &answer, "POST", path, body, 201);
  }
  instance_kill(0);
  again(0);
  while (idle < MAIN_CLUSTERS && cluster_now() < until) {
    cluster_pause(200);
    for (idle = i = 0; i < MAIN_CLUSTERS; i++) {
      char state[32];
      snprintf(one, sizeof one, "%s/c%d", path, i);
      must(&c, &answer, "GET", one, NULL, 200);
      idle += http_member(answer.body, "stateName", state, sizeof state) && strcmp(state, "IDLE") == 0;
    }
  }
  if (idle != MAIN_CLUSTERS) cluster_die("%d of %d clusters became IDLE", idle, MAIN_CLUSTERS);
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/events?eventType=CLUSTER_READY&itemsPerPage=100", place.group);
  must(&c, &answer, "GET", path, NULL, 200);
  ready = (int)http_count(answer.body, "\"CLUSTER_READY\"");
  if (ready != MAIN_CLUSTERS) cluster_die("%d clusters have %d events of being ready", MAIN_CLUSTERS, ready);
  pass("what falls due happens once: %d clusters, %d events, one instance killed on the way", idle, ready);
  http_close(&c);
}

/* ---------------------------------------------------------------------------------------------------------------- faults */

static void no_faults(void)
{
  cluster_pause(4000);
}

static void kill_an_instance(void)
{
  static int which;
  cluster_pause(2000);
  instance_kill(which);
  cluster_pause(3000);
  again(which);
  which = (which + 1) % CLUSTER_INSTANCES;
  cluster_pause(2000);
}

static void restart_postgres(void)
{
  cluster_pause(2000);
  instance_fault("postgres-restart");
  cluster_pause(4000);
}

static void kill_redis(void)
{
  cluster_pause(2000);
  instance_fault("redis-kill");
  cluster_pause(4000);
  instance_fault("redis-start");
  cluster_pause(3000);
}

static void everything(void)
{
  kill_an_instance();
  instance_fault("redis-kill");
  restart_postgres();
  instance_fault("redis-start");
  cluster_pause(2000);
}

static void under_faults(void)
{
  static const struct {
    const char *what;
    void (*faults)(void);
    bool redis;
  } kinds[] = { { "nothing happens", no_faults, false }, { "kill -9 of an instance", kill_an_instance, false },
                { "PostgreSQL restarts", restart_postgres, false }, { "Redis is killed", kill_redis, true },
                { "all of it", everything, true } };
  unsigned round, i;
  for (round = 0; round < MAIN_ROUNDS; round++)
    for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
      registers_report r;
      if (kinds[i].redis && !getenv("CLUSTER_LIMITER")) continue;
      registers_run(port, &place, token, 100 * round + i, kinds[i].faults, &r);
      if (r.longest > MAIN_MOST_SILENT)
        cluster_die("%s: nothing was acknowledged for %.1f s", kinds[i].what, (double)r.longest / 1e9);
      pass("%s: %zu operations on %zu keys, %zu unknown, linearizable; no write for %.0f ms at the most", kinds[i].what, r.ops, r.keys,
           r.unknown, (double)r.longest / 1e6);
    }
}

int main(void)
{
  struct rlimit files;
  int i;
  signal(SIGPIPE, SIG_IGN);
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  history_try();
  begin();
  instance_place(&place);
  log_in();
  one_organization();
  limits_are_exact();
  one_create_wins();
  no_update_is_lost();
  due_steps_happen_once();
  under_faults();
  for (i = 0; i < CLUSTER_INSTANCES; i++) instance_stop(i);
  pass("both instances end as they should");
  printf("%d passed, 0 failed\n", passed);
  return 0;
}

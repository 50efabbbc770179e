/*
** Two instances must agree while nothing is killed: one organization, limits, one winner, no lost update, and due steps that run
** once.
*/
#define _GNU_SOURCE /* barriers */
#include "cluster.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOGETHER_CREATES 1000
#define TOGETHER_COUNTERS 8
#define TOGETHER_STEPS 40 /* per counter */
#define TOGETHER_CLUSTERS 20
#define TOGETHER_DRAWERS 16

static void one_organization(void)
{
  static http_answer answer;
  http_client c = { site.port, -1, 0 };
  must(&c, &answer, "GET", "/api/svc/v2/orgs", NULL, 200);
  if (!strstr(answer.body, "\"totalCount\":1")) cluster_die("two instances that begin at once make more than one organization: %s", answer.body);
  pass("two instances begin at once on an empty store: one organization, and its credentials are good on both");
  http_close(&c);
}

/* --------------------------------------------------------------------------------------------------------------- limits */

static atomic_int drawn, refused;
static int64_t draw_until;

static void *draw(void *context)
{
  worker *w = context;
  char path[128];
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/alerts?itemsPerPage=1", site.place.group);
  while (cluster_now() < draw_until) {
    http_ask(&w->http, "GET", path, site.bearer, NULL, &w->answer);
    if (w->answer.status == 200) atomic_fetch_add(&drawn, 1);
    else if (w->answer.status == 429) atomic_fetch_add(&refused, 1);
    else cluster_die("a GET that is limited: %.1000s", w->answer.text);
    if (w->answer.status == 429) cluster_pause(5);
  }
  return NULL;
}

static void *together_meanwhile(void *context)
{
  (*(void (**)(void))context)();
  return NULL;
}

/* 300 tokens, and 50 more every three seconds (see instance.c). The measurement ends midway between two refills. */
void together_limits(void (*meanwhile)(void), const char *how)
{
  enum { CAPACITY = 300, RATE = 50, SECONDS = 3, REFILLS = 3 };
  int expected = CAPACITY + RATE * REFILLS, got;
  pthread_t thread;
  atomic_store(&drawn, 0);
  atomic_store(&refused, 0);
  draw_until = cluster_now() + (SECONDS * REFILLS * 2 + SECONDS) * CLUSTER_SECOND / 2;
  if (meanwhile && pthread_create(&thread, NULL, together_meanwhile, &meanwhile) != 0) cluster_die("no thread");
  free(work(TOGETHER_DRAWERS, draw));
  if (meanwhile) pthread_join(thread, NULL);
  got = atomic_load(&drawn);
  if (got != expected) cluster_die("limits, %s: %d requests were let through over two instances, not %d", how, got, expected);
  pass("%s: limits are exact in sum, %d let through (300 and three refills of 50), %d refused", how, got, atomic_load(&refused));
}

/* ------------------------------------------------------------------------------------------------------- creates, If-Match */

static pthread_barrier_t barrier;
static atomic_int won, lost;

static void *create(void *context)
{
  worker *w = context;
  char path[128], body[512];
  int tries;
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/databaseUsers", site.place.group);
  snprintf(body, sizeof body, "{\"databaseName\":\"admin\",\"username\":\"the-one\",\"password\":\"not-a-secret-1\",\"description\":\"%d\","
           "\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}", w->number);
  pthread_barrier_wait(&barrier);
  for (tries = 0; tries < 200; tries++) {
    http_ask(&w->http, "POST", path, site.bearer, body, &w->answer);
    if (w->answer.status == 503) cluster_pause(100); /* too many concurrent writers: nothing was done */
    else break;
  }
  if (w->answer.status == 201) atomic_fetch_add(&won, 1);
  else if (w->answer.status == 409) atomic_fetch_add(&lost, 1);
  else cluster_die("a create of a name that many want: %.1000s", w->answer.text);
  return NULL;
}

void together_creates(const char *how)
{
  int64_t start = cluster_now();
  atomic_store(&won, 0);
  atomic_store(&lost, 0);
  pthread_barrier_init(&barrier, NULL, TOGETHER_CREATES);
  free(work(TOGETHER_CREATES, create));
  pthread_barrier_destroy(&barrier);
  if (won != 1 || lost != TOGETHER_CREATES - 1) cluster_die("of %d creates of one name %d won, %d were refused", TOGETHER_CREATES, won, lost);
  pass("%s: of %d creates of one name at once one wins, the others answer 409, in %.1f s", how, TOGETHER_CREATES, (double)(cluster_now() - start) / 1e9);
}

static atomic_int met; /* answers with 412 */

static void *count_up(void *context)
{
  worker *w = context;
  char path[160], body[64], headers[1024];
  int done = 0;
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/databaseUsers/admin/the-one", site.place.group);
  while (done < TOGETHER_STEPS) {
    char text[64];
    must(&w->http, &w->answer, "GET", path, NULL, 200);
    if (!http_member(w->answer.body, "description", text, sizeof text)) cluster_die("no description: %s", w->answer.body);
    snprintf(headers, sizeof headers, "%sIf-Match: %s\r\n", site.bearer, w->answer.tag);
    snprintf(body, sizeof body, "{\"description\":\"%d\"}", atoi(text) + 1);
    http_ask(&w->http, "PATCH", path, headers, body, &w->answer);
    if (w->answer.status == 200) done++;
    else if (w->answer.status == 412) atomic_fetch_add(&met, 1);
    else cluster_die("a PATCH with If-Match: %.1000s", w->answer.text);
  }
  return NULL;
}

/* Counts up in the user that together_creates() made, and deletes that user. */
void together_updates(const char *how)
{
  static http_answer answer;
  http_client c = { site.port, -1, 0 };
  char path[160], text[64];
  int expected = TOGETHER_COUNTERS * TOGETHER_STEPS;
  atomic_store(&met, 0);
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/databaseUsers/admin/the-one", site.place.group);
  must(&c, &answer, "PATCH", path, "{\"description\":\"0\"}", 200);
  free(work(TOGETHER_COUNTERS, count_up));
  must(&c, &answer, "GET", path, NULL, 200);
  if (!http_member(answer.body, "description", text, sizeof text) || atoi(text) != expected)
    cluster_die("updates are lost under If-Match: %s of %d", text, expected);
  must(&c, &answer, "DELETE", path, NULL, 204);
  pass("%s: no update is lost under If-Match, %d by %d clients, %d met another (412)", how, expected, TOGETHER_COUNTERS, atomic_load(&met));
  http_close(&c);
}

/* ------------------------------------------------------------------------------------------------------------- due steps */

/* Clusters become ready while both instances look for due steps, and one instance is killed in the middle. */
static void due_steps_happen_once(void)
{
  static http_answer answer;
  http_client c = { site.port, -1, 0 };
  int64_t until = cluster_now() + 40 * CLUSTER_SECOND;
  char path[256], one[300], body[512];
  int i, ready, idle = 0;
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/clusters", site.place.group);
  for (i = 0; i < TOGETHER_CLUSTERS; i++) {
    snprintf(body, sizeof body, "{\"name\":\"c%d\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
             "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}", i);
    must(&c, &answer, "POST", path, body, 201);
  }
  instance_kill(0);
  again(0);
  while (idle < TOGETHER_CLUSTERS && cluster_now() < until) {
    cluster_pause(200);
    for (idle = i = 0; i < TOGETHER_CLUSTERS; i++) {
      char state[32];
      snprintf(one, sizeof one, "%s/c%d", path, i);
      must(&c, &answer, "GET", one, NULL, 200);
      idle += http_member(answer.body, "stateName", state, sizeof state) && strcmp(state, "IDLE") == 0;
    }
  }
  if (idle != TOGETHER_CLUSTERS) cluster_die("%d of %d clusters became IDLE", idle, TOGETHER_CLUSTERS);
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/events?eventType=CLUSTER_READY&itemsPerPage=100", site.place.group);
  must(&c, &answer, "GET", path, NULL, 200);
  ready = (int)http_count(answer.body, "\"CLUSTER_READY\"");
  if (ready != TOGETHER_CLUSTERS) cluster_die("%d clusters have %d events of being ready", TOGETHER_CLUSTERS, ready);
  pass("what falls due happens once: %d clusters, %d events, one instance killed on the way", idle, ready);
  http_close(&c);
}

void together_all(void)
{
  one_organization();
  together_limits(NULL, "Redis");
  together_creates("PostgreSQL");
  together_updates("PostgreSQL");
  due_steps_happen_once();
}

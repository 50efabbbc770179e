/*
** A minimal driver that creates clusters. The control plane decides and stores; perform() receives the desired state, and a thread
** reports the result later. Here, creating a cluster only prints a line and invents a host name: replace this by your code.
** examples/driver_postgres/ is a driver that runs PostgreSQL.
**
**   cc -I. examples/driver.c build/libsvcapi.a build/deps/mbedtls/library/libmbed{x509,crypto}.a -pthread && ./a.out
*/
#include "svcapi.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct job { svc *s; char id[32], facts[256]; pthread_t thread; } job; /* this example runs only one job at a time */

static void *work(void *context)
{
  job *j = context;
  usleep(50000); /* the work takes a while, on its own thread */
  return svc_order_done(j->s, j->id, SVC_OK, j->facts) == SVC_OK ? NULL : j;
}

/* An order arrives at least once, also after a crash, with the same id. Its strings are valid during the call only: copy them. */
static int perform(void *context, svc *s, const svc_order *order)
{
  job *j = context;
  printf("%s of %s\n", order->action, order->name);
  if (strcmp(order->action, "cluster.create") != 0) return svc_order_done(s, order->id, SVC_OK, NULL); /* nothing to do */
  j->s = s;
  snprintf(j->id, sizeof j->id, "%s", order->id);
  snprintf(j->facts, sizeof j->facts, "{\"hosts\":[\"%s-0.example.net:27017\"]}", order->name);
  return pthread_create(&j->thread, NULL, work, j) == 0 ? SVC_OK : SVC_BUSY; /* SVC_BUSY: the library sends the order again later */
}

static int measure(void *context, svc *s, const svc_question *question, svc_reply *reply)
{
  (void)context, (void)s, (void)question;
  return svc_reply_add(reply, "{\"value\":1}", 11);
}

static char body[65536];

static int ask(svc *s, const char *method, const char *target, const char *text)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller me = { "5f0000000000000000000001", "me@example.com", &owner, 1, 1 };
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request request = { .method = method, .target = target, .headers = &json, .header_count = text ? 1 : 0,
                          .body = text, .body_length = text ? strlen(text) : 0, .caller = &me };
  svc_response response;
  int status;
  svc_handle_request(s, &request, &response);
  snprintf(body, sizeof body, "%s", response.body);
  status = response.status;
  svc_response_free(&response);
  return status;
}

int main(void)
{
  static const char cluster[] = "{\"name\":\"shop\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{"
    "\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}";
  job j = { 0 };
  svc_driver driver = { perform, measure, &j };
  svc_config config = { .driver = &driver };
  svc_credentials first;
  char target[128];
  void *failed = &j;
  svc *s;
  if (svc_open(&s, &config) != SVC_OK || svc_bootstrap(s, &first) != SVC_OK) return 1;
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/clusters", first.group_id);
  if (ask(s, "POST", target, cluster) != 201 || svc_tick(s) != SVC_OK) return 1; /* a host calls svc_tick() every second */
  if (j.s) pthread_join(j.thread, &failed);
  ask(s, "GET", target, NULL);
  puts(strstr(body, "shop-0.example.net:27017") && strstr(body, "\"stateName\":\"IDLE\"") ? "IDLE, at shop-0.example.net" : body);
  svc_close(s);
  return failed ? 1 : 0;
}

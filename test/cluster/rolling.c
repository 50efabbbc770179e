/*
** Operations on a fleet in service: an instance is drained, all are restarted one by one, the secret key is changed.
**
** The clients behave as load balancers should: each keeps its connection, and goes to the other instance when an answer closes the
** connection. The rule: none of their requests may fail, and the last acknowledged write is there at the end.
*/
#define _GNU_SOURCE /* http_text.h */
#include "cluster.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROLLING_CLIENTS 8
#define ROLLING_SEED 7000

typedef struct roller {
  pthread_t thread;
  http_client http;
  http_answer answer;
  char path[160];
  int at;                 /* index of its instance */
  int value, turns;       /* last acknowledged value; how often the client changed the instance */
} roller;

static roller rollers[ROLLING_CLIENTS];
static atomic_bool stop;

static void roller_make(int i)
{
  roller *r = &rollers[i];
  http_client c = { site.port, -1, 0 };
  char body[512], path[128];
  memset(r, 0, sizeof *r);
  r->at = i % CLUSTER_INSTANCES;
  r->http = (http_client){ site.ports[r->at], -1, 0 };
  snprintf(path, sizeof path, "/api/svc/v2/groups/%s/databaseUsers", site.place.group);
  snprintf(r->path, sizeof r->path, "%s/admin/roll-%d", path, i);
  snprintf(body, sizeof body, "{\"databaseName\":\"admin\",\"username\":\"roll-%d\",\"password\":\"not-a-secret-1\",\"description\":\"0\","
           "\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}", i);
  must(&c, &r->answer, "POST", path, body, 201);
  http_close(&c);
}

static void *roller_work(void *context)
{
  roller *r = context;
  char body[64];
  while (!atomic_load(&stop)) {
    snprintf(body, sizeof body, "{\"description\":\"%d\"}", r->value + 1);
    http_ask(&r->http, "PATCH", r->path, site.bearer, body, &r->answer);
    if (r->answer.status != 200) cluster_die("a request fails while instances are rolled, at instance %d: %.500s", r->at, r->answer.text);
    r->value++;
    if (!strcasestr(r->answer.text, "\r\nConnection: close")) continue;
    http_close(&r->http);
    r->at = (r->at + 1) % CLUSTER_INSTANCES;
    r->http.port = site.ports[r->at];
    r->turns++;
  }
  http_close(&r->http);
  return NULL;
}

/* Checks that the last acknowledged value is stored. */
static void roller_check(roller *r)
{
  http_client c = { site.port, -1, 0 };
  char text[64];
  must(&c, &r->answer, "GET", r->path, NULL, 200);
  if (!http_member(r->answer.body, "description", text, sizeof text) || atoi(text) != r->value)
    cluster_die("%s is %s, and %d was acknowledged", r->path, text, r->value);
  must(&c, &r->answer, "DELETE", r->path, NULL, 204);
  http_close(&c);
}

/* Runs the clients during `what`. least: how often, in total, clients must have changed from an ended instance to the other one. */
static void roll(const char *name, void (*what)(void), int least)
{
  int i, requests = 0, turns = 0;
  atomic_store(&stop, false);
  for (i = 0; i < ROLLING_CLIENTS; i++) roller_make(i);
  for (i = 0; i < ROLLING_CLIENTS; i++)
    if (pthread_create(&rollers[i].thread, NULL, roller_work, &rollers[i]) != 0) cluster_die("no thread");
  cluster_pause(1000);
  what();
  cluster_pause(1000);
  atomic_store(&stop, true);
  for (i = 0; i < ROLLING_CLIENTS; i++) {
    pthread_join(rollers[i].thread, NULL);
    roller_check(&rollers[i]);
    requests += rollers[i].value;
    turns += rollers[i].turns;
  }
  if (turns < least) cluster_die("%s: clients went elsewhere %d times, not %d", name, turns, least);
  pass("%s: %d requests, none failed and none is lost; clients went to the other instance %d times", name, requests, turns);
}

static void drain_one(void)
{
  instance_stop(0);
}

static void roll_both(void)
{
  int i;
  for (i = 0; i < CLUSTER_INSTANCES; i++) {
    instance_stop(i);
    again(i);
    cluster_pause(1000);
  }
}

/* -------------------------------------------------------------------------------------------------------- a new secret key */

static void key_file(const char *name, char out[64])
{
  char path[512];
  FILE *f;
  snprintf(path, sizeof path, "%s/data/%s", getenv("CLUSTER_FOLDER"), name);
  f = fopen(path, "r");
  memset(out, 0, 64);
  if (!f || fread(out, 1, 32, f) != 32) cluster_die("no %s", path);
  fclose(f);
}

/* As in docs/scaling.md: the first call creates the key, which all instances read within a second; the second call makes it
   the key that seals. */
static void rotate(void)
{
  cluster_pause(1000);
  instance_verb("rotate-key");
  cluster_pause(2500);
  instance_verb("rotate-key");
  cluster_pause(2500);
}

static void another_key(void)
{
  char before[64], now[64], old[64];
  registers_report r;
  key_file("secret.key", before);
  registers_run(site.port, &site.place, site.token, ROLLING_SEED, rotate, &r);
  key_file("secret.key", now);
  key_file("secret.key.old", old);
  if (memcmp(now, before, 32) == 0 || memcmp(old, before, 32) != 0) cluster_die("the secret key was not changed");
  if (r.unknown) cluster_die("%zu requests failed while the secret key was changed", r.unknown);
  if (instance_said(0, "which this handle does not have") || instance_said(1, "which this handle does not have")) cluster_die("an instance lacks a key");
  instance_again(); /* the new key alone opens the store */
  pass("the secret key is changed under load: %zu operations on %zu keys, none failed, linearizable", r.ops, r.keys);
}

void rolling_all(void)
{
  static const char *const flags[] = { "--drain", "2", NULL };
  instance_flags(flags);
  instance_again();
  roll("an instance is drained", drain_one, ROLLING_CLIENTS / CLUSTER_INSTANCES);
  again(0);
  roll("both instances are restarted one after the other", roll_both, ROLLING_CLIENTS);
  another_key();
  instance_flags(NULL);
  instance_again();
}

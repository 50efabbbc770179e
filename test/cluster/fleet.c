/*
** The same service on the servers of a fleet: PostgreSQL through PgBouncer in transaction mode, and Redis with TLS, with a
** sentinel whose master is killed, and as a cluster in which slots move and a node is killed.
*/
#define _GNU_SOURCE /* http_text.h */
#include "cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLEET_SEED 8000
#define FLEET_SECONDS 20 /* for both instances to have their limiter back */

static const char *setting(const char *name)
{
  const char *value = getenv(name);
  if (!value) cluster_die("%s is not set: ./build.sh test-cluster sets it", name);
  return value;
}

/* Restarts both instances on another store or limiter. */
static void move_to(const char *what, const char *from)
{
  setenv(what, setting(from), 1);
  instance_again();
}

/* Waits until both instances are ready, which includes their limiters. Returns the seconds. */
static double ready_again(const char *what)
{
  static http_answer answer;
  int64_t start = cluster_now();
  int i;
  for (i = 0; i < CLUSTER_INSTANCES; i++) {
    http_client c = { site.ports[i], -1, 0 };
    for (;;) {
      http_ask(&c, "GET", "/_svc/health", "", NULL, &answer);
      if (answer.status == 200) break;
      if (cluster_now() - start > FLEET_SECONDS * CLUSTER_SECOND) cluster_die("%s: instance %d has no limiter: %.500s", what, i, answer.text);
      http_ask(&c, "GET", "/api/svc/v2/orgs", site.bearer, NULL, &answer); /* a request makes the instance try its limiter */
      cluster_pause(100);
    }
    http_close(&c);
  }
  return (double)(cluster_now() - start) / 1e9;
}

/* Waits until both instances have noticed the loss of their limiter. Otherwise the case would test nothing. */
static void outage(const char *what)
{
  static http_answer answer;
  bool seen[CLUSTER_INSTANCES] = { false };
  int64_t start = cluster_now();
  int i, left = CLUSTER_INSTANCES;
  while (left) {
    if (cluster_now() - start > 5 * CLUSTER_SECOND) cluster_die("%s: an instance does not notice it", what);
    for (i = 0; i < CLUSTER_INSTANCES; i++) {
      http_client c = { site.ports[i], -1, 0 };
      http_ask(&c, "GET", "/_svc/health", "", NULL, &answer);
      http_close(&c);
      if (seen[i] || answer.status != 503 || !strstr(answer.body, "\"limiter\":\"unavailable\"")) continue;
      seen[i] = true;
      left--;
    }
    cluster_pause(10);
  }
}

static double took; /* seconds of the last failover: from the kill until both instances had their limiter back */

static void failover(const char *what, const char *fault)
{
  int64_t start;
  cluster_pause(1000);
  start = cluster_now();
  instance_fault(fault);
  outage(what);
  ready_again(what);
  took = (double)(cluster_now() - start) / 1e9;
  cluster_pause(1000);
}

void fleet_pooler(void)
{
  char direct[512];
  snprintf(direct, sizeof direct, "%s", setting("CLUSTER_STORE"));
  move_to("CLUSTER_STORE", "CLUSTER_POOLED");
  together_creates("PgBouncer");
  together_updates("PgBouncer");
  faults_all("PgBouncer", true);
  setenv("CLUSTER_STORE", direct, 1);
  instance_again();
}

void fleet_tls(void)
{
  char said[8192] = "", data[512];
  const char *const flags[] = { "--limiter", setting("CLUSTER_TLS_WRONG"), NULL };
  instance_fault("tls-start");
  move_to("CLUSTER_LIMITER", "CLUSTER_TLS");
  together_limits(NULL, "Redis by TLS, with certificates of both and a user of its own");
  snprintf(data, sizeof data, "%s/data", setting("CLUSTER_FOLDER"));
  if (instance_refused(data, flags, said, sizeof said) != 2 || !strstr(said, "its certificate is for another name")) cluster_die("a wrong certificate: %s", said);
  if (strstr(said, "geheim") || instance_said(0, "geheim") || instance_said(1, "geheim")) cluster_die("a password is in a log");
  pass("Redis by TLS: a certificate for another name is refused at the start");
}

/* ----------------------------------------------------------------------------------------------------------------- failover */

static void kill_master(void)
{
  failover("the master is killed", "sentinel-kill");
}

void fleet_sentinel(void)
{
  registers_report r;
  instance_fault("sentinel-start");
  move_to("CLUSTER_LIMITER", "CLUSTER_SENTINEL");
  ready_again("before a failover");
  registers_run(site.port, &site.place, site.token, FLEET_SEED, kill_master, &r);
  if (r.unknown) cluster_die("%zu requests failed in a failover of Redis", r.unknown);
  pass("Redis with a sentinel, its master is killed under load: %zu operations, none failed, linearizable; both noticed it, and %.1f s after the kill both had the new master", r.ops, took);
  together_limits(NULL, "Redis with a sentinel, after the failover");
}

/* ------------------------------------------------------------------------------------------------------------------ cluster */

static void move_slots(void)
{
  int i;
  for (i = 0; i < 3; i++) {
    cluster_pause(2500);
    instance_fault("nodes-move");
  }
}

static void kill_node(void)
{
  failover("a node is killed", "nodes-kill");
}

void fleet_nodes(void)
{
  registers_report r;
  instance_fault("nodes-start");
  move_to("CLUSTER_LIMITER", "CLUSTER_NODES");
  ready_again("a cluster");
  together_limits(move_slots, "Redis Cluster, slots of keys in use move three times");
  registers_run(site.port, &site.place, site.token, FLEET_SEED + 1, kill_node, &r);
  if (r.unknown) cluster_die("%zu requests failed when a node of Redis was killed", r.unknown);
  pass("Redis Cluster, a node is killed under load: %zu operations, none failed, linearizable; both noticed it, and %.1f s after the kill both had its replica", r.ops, took);
}

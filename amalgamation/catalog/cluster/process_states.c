/*
** Process states: down times, elections and versions of the processes of a cluster.
**
** Processes are derived from their cluster (processes.c), so only differences are stored, in a record below a cluster that
** has any. Reports of a driver, simulated outages and restarts change the record. Each change writes its events in the
** same commit: HOST_DOWN and HOST_UP, PRIMARY_ELECTED, NO_PRIMARY and ONE_PRIMARY. Alerts react to these events.
**
** The rule: a replica set has a primary while most of its electable members are up. The primary is the member that was
** elected last, if it is up, otherwise the first electable member that is up.
*/
#include "catalog/cluster/cluster_base.h"

enum { PROCESS_STATES_DOWNS = 16, PROCESS_STATES_ELECTIONS = 16 }; /* maximum down times per host, and elections per replica set */

/* ------------------------------------------------------------------------------------------------------------- reading */

SVC_PRIVATE bool svc_process_states_of(svc_call *c, const svc_id *cluster, svc_node **out)
{
  static const svc_id none;
  svc_entity e;
  int rc = svc_entity_get(c->txn, CLUSTER_PROCESS_STATES_KIND, cluster, &none, &e);
  *out = rc == SVC_OK ? svc_entity_body(c, &e) : NULL;
  if (rc == SVC_OK) return *out != NULL;
  return rc == SVC_NOT_FOUND || svc_store_failed(c, rc);
}

static svc_node *process_states_find(const svc_node *states, svc_str id)
{
  svc_node *one = svc_node_first(svc_node_get(states, "hosts"));
  while (one && !svc_node_eq(one, "id", id)) one = one->next;
  return one;
}

SVC_PRIVATE bool svc_process_was_up(const svc_node *states, svc_str id, int64_t at)
{
  const svc_node *host = process_states_find(states, id), *down = svc_node_first(svc_node_get(host, "downs"));
  int64_t since = svc_node_i64(host, "since", 0);
  if (since && at >= since) return false;
  for (; down; down = down->next)
    if (at >= svc_node_i64(down, "from", 0) && at < svc_node_i64(down, "until", 0)) return false;
  return true;
}

static const svc_node *process_states_elections(const svc_node *states, svc_str set)
{
  return svc_node_first(svc_node_find(svc_node_get(states, "elections"), set));
}

SVC_PRIVATE int svc_process_elections(const svc_node *states, svc_str set, int64_t since)
{
  const svc_node *one = process_states_elections(states, set);
  int n = 0;
  for (; one; one = one->next) n += svc_node_i64(one, "at", 0) >= since;
  return n;
}

SVC_PRIVATE svc_str svc_process_led(const svc_node *states, svc_str set, int64_t at)
{
  const svc_node *one = process_states_elections(states, set);
  svc_str leader = SVC_S("");
  for (; one && svc_node_i64(one, "at", 0) <= at; one = one->next) leader = svc_node_str(one, "host");
  return leader;
}

/* ------------------------------------------------------------------------------------------------- states into processes */

static bool process_states_votes(const svc_processes *of, const svc_process *p, svc_str set)
{
  bool elects;
  (void)svc_process_region(of, p, &elects);
  return elects && svc_str_eq(p->replica_set, set);
}

/* The primary of a replica set; NULL: none. */
static svc_process *process_states_leader(const svc_processes *of, const svc_node *states, svc_str set)
{
  svc_process *first = NULL, *elected = NULL;
  size_t i, all = 0, up = 0;
  for (i = 0; i < of->count; i++) {
    svc_process *p = &of->at[i];
    if (!process_states_votes(of, p, set)) continue;
    all++;
    if (p->down_since) continue;
    up++;
    if (!first) first = p;
    if (svc_node_bool(process_states_find(states, p->id), "primary", false)) elected = p;
  }
  return up * 2 <= all ? NULL : elected ? elected : first;
}

/* Types of a process, in a replica set or in a shard, as secondary or primary. */
static const char *const process_states_ranks[2][2] = { { "REPLICA_SECONDARY", "REPLICA_PRIMARY" }, { "SHARD_SECONDARY", "SHARD_PRIMARY" } };

static void process_states_rank(const svc_processes *of, const svc_node *states)
{
  size_t i, k;
  for (i = 0; i < of->count; i++) {
    const svc_process *leader;
    svc_str set = of->at[i].replica_set;
    bool seen = false;
    for (k = 0; k < i; k++) seen = seen || svc_str_eq(of->at[k].replica_set, set);
    if (seen || !set.n || strcmp(of->at[i].type, "SHARD_CONFIG") == 0 || !svc_process_runs(&of->at[i])) continue;
    leader = process_states_leader(of, states, set);
    for (k = i; k < of->count; k++) {
      svc_process *p = &of->at[k];
      bool shard = strncmp(p->type, "SHARD", 5) == 0;
      if (!svc_str_eq(p->replica_set, set)) continue;
      p->type = process_states_ranks[shard][p == leader];
    }
  }
}

SVC_PRIVATE void svc_process_states_apply(svc_processes *of, const svc_node *states)
{
  size_t i;
  for (i = 0; i < of->count; i++) {
    const svc_node *host = process_states_find(states, of->at[i].id);
    of->at[i].down_since = svc_node_i64(host, "since", 0);
    of->at[i].version = svc_node_str(host, "version");
  }
  if (states) process_states_rank(of, states);
}

/* -------------------------------------------------------------------------------------------------------------- writing */

static svc_node *process_states_host_of(svc_call *c, svc_node *states, svc_str id)
{
  svc_node *list = svc_node_get(states, "hosts"), *host = process_states_find(states, id);
  if (host) return host;
  if (!list && (list = svc_node_array(c->arena, "hosts")) != NULL) svc_node_put(c->arena, states, list);
  host = list ? svc_node_object(c->arena, NULL) : NULL;
  if (!host) return NULL;
  svc_node_set_str(c->arena, host, "id", svc_arena_copy(c->arena, id));
  svc_node_append(list, host);
  return host;
}

/* Keeps only the last entries of a list. */
static void process_states_bound(svc_node *list, size_t most)
{
  size_t n = svc_node_count(list);
  for (; n > most; n--) list->first = list->first->next;
}

static bool process_states_event(svc_call *c, const char *type, const svc_processes *of, const svc_process *p)
{
  svc_str port = svc_arena_print(c->arena, "%lld", (long long)p->port);
  const svc_event_part parts[] = {
    { "clusterId", svc_id_str(c->arena, &of->cluster.id), false }, { "clusterName", of->cluster.unique, false },
    { "hostname", p->host, false }, { "port", port, true }, { "replicaSetName", p->replica_set, false },
    { "shardName", p->shard, false }, { "userAlias", p->alias, false }
  };
  return svc_event_with(c, type, &of->cluster.scope, parts, sizeof parts / sizeof parts[0]);
}

/* A host goes down, or comes up again. */
static bool process_states_turn(svc_call *c, const svc_processes *of, svc_process *p, svc_node *states, bool up)
{
  svc_node *host, *downs, *down;
  if (up == !p->down_since) return true;
  host = process_states_host_of(c, states, p->id);
  if (!host) return svc_no_memory(c);
  if (!up) {
    p->down_since = c->now;
    svc_node_set_i64(c->arena, host, "since", c->now);
    return process_states_event(c, "HOST_DOWN", of, p);
  }
  downs = svc_node_get(host, "downs");
  if (!downs && (downs = svc_node_array(c->arena, "downs")) != NULL) svc_node_put(c->arena, host, downs);
  down = downs ? svc_node_object(c->arena, NULL) : NULL;
  if (!down) return svc_no_memory(c);
  svc_node_set_i64(c->arena, down, "from", p->down_since);
  svc_node_set_i64(c->arena, down, "until", c->now);
  svc_node_append(downs, down);
  process_states_bound(downs, PROCESS_STATES_DOWNS);
  svc_node_drop(host, "since");
  p->down_since = 0;
  return process_states_event(c, "HOST_UP", of, p);
}

/* Makes this process the preferred primary of its replica set. */
static bool process_states_prefer(svc_call *c, const svc_processes *of, const svc_process *leader, svc_node *states)
{
  svc_node *host;
  size_t i;
  for (i = 0; i < of->count; i++) {
    host = svc_str_eq(of->at[i].replica_set, leader->replica_set) ? process_states_find(states, of->at[i].id) : NULL;
    if (host) svc_node_drop(host, "primary");
  }
  host = process_states_host_of(c, states, leader->id);
  if (!host) return svc_no_memory(c);
  svc_node_set_bool(c->arena, host, "primary", true);
  return true;
}

static bool process_states_elected(svc_call *c, const svc_processes *of, const svc_process *leader, svc_node *states)
{
  svc_node *all = svc_node_get(states, "elections"), *times, *at;
  svc_str set = svc_arena_copy(c->arena, leader->replica_set);
  if (!all && (all = svc_node_object(c->arena, "elections")) != NULL) svc_node_put(c->arena, states, all);
  times = svc_node_find(all, set);
  if (all && !times && (times = svc_node_array(c->arena, set.p)) != NULL) svc_node_put(c->arena, all, times);
  at = times ? svc_node_object(c->arena, NULL) : NULL;
  if (!at) return svc_no_memory(c);
  svc_node_set_i64(c->arena, at, "at", c->now);
  svc_node_set_str(c->arena, at, "host", leader->id);
  svc_node_append(times, at);
  process_states_bound(times, PROCESS_STATES_ELECTIONS);
  return process_states_prefer(c, of, leader, states) && process_states_event(c, "PRIMARY_ELECTED", of, leader);
}

/* Writes the events of a replica set whose primary may have changed. before: the primary before; NULL: none. */
static bool process_states_follow(svc_call *c, const svc_processes *of, svc_node *states, svc_str set, const svc_process *before,
                                  const svc_process *any)
{
  const svc_process *now = process_states_leader(of, states, set);
  if (now == before) return true;
  if (!now) return process_states_event(c, "NO_PRIMARY", of, any);
  return process_states_elected(c, of, now, states) && (before || process_states_event(c, "ONE_PRIMARY", of, now));
}

static bool process_states_store(svc_call *c, const svc_processes *of, const svc_node *states)
{
  static const svc_id none;
  svc_entity e, old;
  int rc = svc_entity_get(c->txn, CLUSTER_PROCESS_STATES_KIND, &of->cluster.id, &none, &old);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  memset(&e, 0, sizeof e);
  if (rc == SVC_OK) e = old;
  e.kind = CLUSTER_PROCESS_STATES_KIND;
  e.parent = of->cluster.id;
  e.scope = of->cluster.scope;
  if (!svc_body_write(c->arena, states, &e.body, &e.links_at)) return svc_no_memory(c);
  e.revision = svc_new_revision(c->txn);
  return svc_entity_store(c, &e, rc == SVC_OK ? &old : NULL);
}

/* Applies one piece of news: {"host":"a:27017","up":false,"primary":true,"version":"8.0.1"}. Ignores hosts of other clusters. */
static bool process_states_take(svc_call *c, svc_processes *of, svc_node *states, const svc_node *news)
{
  svc_str id = svc_node_str(news, "host");
  size_t i;
  for (i = 0; i < of->count; i++) {
    svc_process *p = &of->at[i];
    if (!svc_str_eq(p->id, id) && !svc_str_eq(p->host, id)) continue;
    if (svc_node_get(news, "up") && !process_states_turn(c, of, p, states, svc_node_bool(news, "up", true))) return false;
    if (svc_node_bool(news, "primary", false) && p->replica_set.n && !process_states_prefer(c, of, p, states)) return false;
    if (svc_node_get(news, "version")) {
      svc_node *host = process_states_host_of(c, states, p->id);
      if (!host) return svc_no_memory(c);
      svc_node_set_from(c->arena, host, "version", news, "version");
    }
  }
  return true;
}

SVC_PRIVATE bool svc_process_states_tell(svc_call *c, const svc_entity *cluster, const svc_node *news)
{
  const svc_process **before;
  svc_processes of;
  svc_node *states, *was;
  size_t i, k;
  if (!news || !svc_node_first(news) || !svc_noun_named(c->s, CLUSTER_PROCESS_STATES)) return true;
  if (!svc_processes_of(c, cluster, &of) || !svc_process_states_of(c, &cluster->id, &states)) return false;
  if (!states) states = svc_node_object(c->arena, NULL);
  was = svc_node_copy(c->arena, states);
  before = svc_arena_zero(c->arena, (of.count + 1) * sizeof *before);
  if (!states || !was || !before) return svc_no_memory(c);
  for (i = 0; i < of.count; i++) before[i] = process_states_leader(&of, states, of.at[i].replica_set);
  for (news = news->first; news; news = news->next)
    if (!process_states_take(c, &of, states, news)) return false;
  for (i = 0; i < of.count; i++) {
    for (k = 0; k < i && !svc_str_eq(of.at[k].replica_set, of.at[i].replica_set);) k++;
    if (k < i || !of.at[i].replica_set.n || strcmp(of.at[i].type, "SHARD_CONFIG") == 0 || !svc_process_runs(&of.at[i])) continue;
    if (!process_states_follow(c, &of, states, of.at[i].replica_set, before[i], &of.at[i])) return false;
  }
  return svc_node_same(was, states) || process_states_store(c, &of, states);
}

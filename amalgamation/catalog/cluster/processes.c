/*
** The processes of a cluster, which monitoring reports on.
**
**   a replica set      each node: a server, port 27017, the first of them primary
**   a sharded cluster  each node: a router at 27016, which connection strings lead to, and a server of its shard at 27017;
**                      and, unless the shards do that (configServerType EMBEDDED), three servers at 27019 on separate hosts that
**                      store which shard has which data
**
** Processes are derived from the cluster's specification, and their hosts are those of its connection strings: electable
** nodes come first, and the numbers continue with the other nodes. For a cluster of a driver, they are the hosts that the
** driver reports. Only down times, elections and versions are stored (process_states.c).
*/
#include "catalog/cluster/cluster_base.h"

enum { PROCESS_CONFIG_PORT = 27019, PROCESS_CONFIGS = 3 };

static const char process_idle[] = "NO_DATA"; /* the type of a process that does not run */

static const svc_field processes_news_fields[] = {
  F_STR("host", .flags = SVC_REQUIRED, .min = 1, .max = 300), F_STR("movedTo", .min = 1, .max = 300), F_BOOL("primary"), F_BOOL("up"),
  F_STR("version", .min = 1, .max = 64)
};
SVC_PRIVATE const svc_object svc_process_news = { .name = "ProcessNews", .fields = SVC_ROWS(processes_news_fields) };

typedef struct processes_making {
  svc_call *c;
  svc_processes *out;
  svc_str stem, tail, alias; /* prefix and suffix of host names; alias: the cluster's name, instead of the prefix */
  svc_str set;               /* prefix of replica set names: the stem, or the cluster's name as written */
  size_t room;
  bool idle; /* nothing runs there */
} processes_making;

static svc_process *processes_add(processes_making *m, svc_str host, int64_t port, const char *type)
{
  svc_process *p = &m->out->at[m->out->count];
  if (SVC_NEVER(m->out->count == m->room)) return NULL; /* room was allocated for all of them */
  m->out->count++;
  memset(p, 0, sizeof *p);
  p->host = host;
  p->port = port;
  p->spec = p->node = SVC_NO_NODE;
  p->id = svc_arena_print(m->c->arena, SVC_FMT ":%lld", SVC_ARG(host), (long long)port);
  p->type = m->idle ? process_idle : type;
  return p;
}

/* ------------------------------------------------------------------------------------------------------ by specification */

/* Adds a process of the replica set with this part and number: the host "a1b2c3-shard-00-01", the set "a1b2c3-shard-0". */
static void processes_server(processes_making *m, const char *part, unsigned set, unsigned node, int64_t port, const char *type)
{
  svc_arena *a = m->c->arena;
  svc_str host = svc_arena_print(a, SVC_FMT "-%s-%02u-%02u" SVC_FMT, SVC_ARG(m->stem), part, set % 100, node % 100, SVC_ARG(m->tail));
  svc_process *p = processes_add(m, host, port, type);
  if (SVC_NEVER(!p)) return;
  p->alias = svc_arena_print(a, SVC_FMT "-%s-%02u-%02u" SVC_FMT, SVC_ARG(m->alias), part, set % 100, node % 100, SVC_ARG(m->tail));
  p->replica_set = svc_arena_print(a, SVC_FMT "-%s-%u", SVC_ARG(m->set), part, set);
  if (m->out->sharded && port == CLUSTER_PORT) p->shard = p->replica_set;
  if (port != PROCESS_CONFIG_PORT) p->spec = set, p->node = node;
}

static unsigned processes_configs(const svc_processes *of)
{
  return of->sharded && !svc_cluster_is(of->body, "configServerType", "EMBEDDED") ? PROCESS_CONFIGS : 0;
}

static void processes_specified(processes_making *m)
{
  const svc_node *spec = svc_node_first(svc_node_get(m->out->body, "replicationSpecs"));
  unsigned shard, node;
  for (shard = 0; spec; spec = spec->next, shard++) {
    unsigned nodes = (unsigned)svc_cluster_spec_nodes(spec);
    for (node = 0; node < nodes; node++) {
      if (!m->out->sharded) {
        processes_server(m, "shard", shard, node, CLUSTER_PORT, node ? "REPLICA_SECONDARY" : "REPLICA_PRIMARY");
        continue;
      }
      processes_server(m, "shard", shard, node, CLUSTER_PORT, node ? "SHARD_SECONDARY" : "SHARD_PRIMARY");
      processes_server(m, "shard", shard, node, CLUSTER_ROUTER_PORT, "SHARD_DBS");
      m->out->at[m->out->count - 1].replica_set = SVC_S("");
    }
  }
  for (node = 0; node < processes_configs(m->out); node++)
    processes_server(m, "config", 0, node, PROCESS_CONFIG_PORT, "SHARD_CONFIG");
}

static size_t processes_room(const svc_processes *of)
{
  int64_t nodes = svc_cluster_node_count(of->body);
  return (size_t)(of->sharded ? 2 * nodes + processes_configs(of) : nodes);
}

/* ---------------------------------------------------------------------------------------------------------- of a driver */

static void processes_driven(processes_making *m)
{
  svc_str hosts = svc_cluster_hosts(&m->out->cluster);
  svc_process *p;
  while (hosts.n) {
    svc_str host = svc_arena_copy(m->c->arena, svc_str_cut(&hosts, ','));
    size_t n = host.n;
    int64_t port = CLUSTER_PORT;
    while (n > 0 && host.p[n - 1] != ':') n--;
    if (n > 0 && svc_str_i64((svc_str){ host.p + n, host.n - n }, &port)) host.n = n - 1;
    p = processes_add(m, host, port, m->out->sharded ? "SHARD_DBS" : m->out->count ? "REPLICA_SECONDARY" : "REPLICA_PRIMARY");
    if (SVC_NEVER(!p)) return;
    p->alias = host;
    if (!m->out->sharded) p->replica_set = svc_arena_print(m->c->arena, SVC_FMT "-shard-0", SVC_ARG(m->set));
  }
}

/* ----------------------------------------------------------------------------------------------------------------- all */

SVC_PRIVATE bool svc_processes_of(svc_call *c, const svc_entity *cluster, svc_processes *out)
{
  svc_cluster_kept kept = svc_cluster_kept_of(cluster);
  processes_making m = { .c = c, .out = out };
  svc_cluster_reach reach;
  svc_buf alias = svc_buf_new(c->arena, 64);
  svc_str hosts = svc_cluster_hosts(cluster);
  svc_node *states;
  bool told;
  size_t i;
  memset(out, 0, sizeof *out);
  out->cluster = *cluster;
  out->body = svc_entity_body(c, cluster);
  if (!out->body) return false;
  out->sharded = !svc_cluster_is(out->body, "clusterType", "REPLICASET");
  reach = svc_cluster_reach_of(c, out->body, &kept);
  m.stem = svc_cluster_stem(c->arena, &reach);
  m.tail = svc_cluster_tail(c->arena, &reach);
  svc_cluster_lower(&alias, svc_node_str(out->body, "name"));
  m.alias = svc_buf_done(&alias);
  m.set = kept.legacy ? svc_node_str(out->body, "name") : svc_arena_copy(c->arena, m.stem);
  m.idle = svc_node_bool(out->body, "paused", false) || svc_cluster_is(out->body, "stateName", "CREATING");
  for (i = 0, m.room = 1; i < hosts.n; i++) m.room += hosts.p[i] == ',';
  told = svc_cluster_driven(cluster);
  if (!told) m.room = processes_room(out);
  out->at = svc_arena_alloc(c->arena, (m.room + 1) * sizeof *out->at);
  if (!out->at) return svc_no_memory(c);
  if (told) processes_driven(&m);
  else if (hosts.n) processes_specified(&m);
  if (!svc_process_states_of(c, &cluster->id, &states)) return false;
  svc_process_states_apply(out, states);
  return c->arena->failed ? svc_no_memory(c) : true;
}

/* Whether the id may belong to this cluster, judging by its prefix, which no other cluster of the project has. */
static bool processes_may_be(svc_call *c, const svc_entity *cluster, svc_str id)
{
  svc_cluster_kept kept = svc_cluster_kept_of(cluster);
  size_t n = kept.legacy ? cluster->unique.n : CLUSTER_ID;
  if (svc_cluster_driven(cluster)) return true;
  if (id.n <= n || id.p[n] != '-') return false;
  return kept.legacy ? svc_str_is_nocase((svc_str){ id.p, n }, svc_arena_copy(c->arena, cluster->unique).p) : memcmp(id.p, kept.id, n) == 0;
}

/* The public name of a host with private addresses: without "-pri". */
static svc_str processes_public(svc_call *c, svc_str id)
{
  static const char mark[] = "-pri.";
  size_t i, n = sizeof mark - 1;
  for (i = 0; i + n <= id.n && id.p[i] != '.'; i++)
    if (memcmp(id.p + i, mark, n) == 0)
      return svc_arena_print(c->arena, "%.*s" SVC_FMT, (int)i, id.p, SVC_ARG(((svc_str){ id.p + i + n - 1, id.n - i - n + 1 })));
  return id;
}

SVC_PRIVATE bool svc_process_find(svc_call *c, svc_str id, svc_processes *of, svc_process *out)
{
  svc_str name = processes_public(c, id);
  svc_scan scan;
  svc_entity e;
  size_t i;
  svc_below_begin(&scan, c->txn, CLUSTER_KIND, &c->scope.group);
  while (name.n && svc_below_next(&scan, CLUSTER_KIND, &e)) {
    if (!processes_may_be(c, &e, name)) continue;
    if (!svc_processes_of(c, &e, of)) return false;
    for (i = 0; i < of->count; i++) {
      *out = of->at[i];
      if (svc_str_eq(out->id, name) || svc_str_eq(out->host, name)) return true;
    }
  }
  return svc_txn_good(c) ? svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &id) : false;
}

SVC_PRIVATE bool svc_process_of_path(svc_call *c, svc_processes *of, svc_process *out)
{
  return svc_resolve_all(c) && svc_process_find(c, svc_path_param(c, "processId"), of, out);
}

SVC_PRIVATE bool svc_process_runs(const svc_process *p)
{
  return p->type != process_idle;
}

SVC_PRIVATE const svc_node *svc_process_region(const svc_processes *of, const svc_process *p, bool *elects)
{
  const svc_node *spec = svc_node_get(of->body, "replicationSpecs"), *regions, *region;
  unsigned i;
  int64_t node = p->node;
  *elects = true;
  if (p->spec == SVC_NO_NODE) return NULL;
  for (i = 0, spec = svc_node_first(spec); i < p->spec; i++) spec = spec->next;
  regions = svc_node_get(spec, "regionConfigs");
  for (region = svc_node_first(regions); region; region = region->next) {
    if (node < svc_cluster_electable(region)) return region;
    node -= svc_cluster_electable(region);
  }
  *elects = false;
  for (region = svc_node_first(regions); SVC_ALWAYS(region); region = region->next) { /* the nodes were counted by the same fields */
    int64_t others = svc_node_i64(svc_node_get(region, "readOnlySpecs"), "nodeCount", 0) +
                     svc_node_i64(svc_node_get(region, "analyticsSpecs"), "nodeCount", 0);
    if (node < others) return region;
    node -= others;
  }
  return NULL;
}

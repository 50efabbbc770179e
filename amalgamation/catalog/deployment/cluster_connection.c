/*
** How clusters are reached: the names of their hosts, and the connection strings that are made of them.
**
** Hosts of one project have a part of their names in common, which is the project's id in other digits, and those of one
** cluster six characters that no other cluster of the project has. So no two clusters share a host's name, by construction.
** What a driver says of the hosts that it really has stands above all of that.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"

static void cluster_connection_base36(uint64_t value, char *out, size_t digits)
{
  while (digits > 0) {
    out[--digits] = "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36];
    value /= 36;
  }
}

static bool cluster_connection_id_taken(svc_call *c, const char *id)
{
  svc_entity e;
  svc_scan scan;
  bool taken = false;
  svc_below_begin(&scan, c->txn, CLUSTER_KIND, &c->scope.group);
  while (!taken && svc_below_next(&scan, CLUSTER_KIND, &e))
    taken = e.extra.n >= CLUSTER_ID && memcmp(e.extra.p, id, CLUSTER_ID) == 0;
  return taken;
}

static uint64_t cluster_connection_hash(const svc_id *id, uint64_t seed)
{
  uint64_t hash = 14695981039346656037u + seed; /* FNV-1a, and once more for the short ends of it */
  size_t i;
  for (i = 0; i < sizeof id->b; i++) hash = (hash ^ id->b[i]) * 1099511628211u;
  return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u >> 8;
}

SVC_PRIVATE void svc_cluster_host_id(svc_call *c, const svc_id *cluster, char out[CLUSTER_ID])
{
  uint64_t attempt = 0;
  do cluster_connection_base36(cluster_connection_hash(cluster, attempt++), out, CLUSTER_ID);
  while (cluster_connection_id_taken(c, out));
}

#define CLUSTER_CONNECTION_PROJECT 19 /* digits of 96 bits, in base 36 */

/* All of the id, so that it is no other project's. */
static void cluster_connection_project(const svc_id *group, char out[CLUSTER_CONNECTION_PROJECT])
{
  svc_id rest = *group;
  unsigned digit, value;
  size_t i;
  for (digit = CLUSTER_CONNECTION_PROJECT; digit-- > 0;) {
    for (i = 0, value = 0; i < sizeof rest.b; i++) {
      value = value << 8 | rest.b[i];
      rest.b[i] = (unsigned char)(value / 36);
      value %= 36;
    }
    cluster_connection_base36(value, &out[digit], 1);
  }
}

static void cluster_connection_write_hosts(svc_buf *b, const svc_node *body, const char *id, const char *domain)
{
  const svc_node *spec = svc_node_get(body, "replicationSpecs")->first, *region;
  unsigned shard, node;
  char number[16];
  for (shard = 0; spec; spec = spec->next, shard++) {
    int64_t nodes = 0;
    for (region = svc_node_get(spec, "regionConfigs")->first; region; region = region->next)
      nodes += svc_cluster_electable(region);
    for (node = 0; node < nodes; node++) {
      if (shard || node) svc_buf_char(b, ',');
      svc_buf_add(b, id, CLUSTER_ID);
      snprintf(number, sizeof number, "-shard-%02u-%02u", shard % 100, node % 100);
      svc_buf_text(b, number);
      svc_buf_text(b, domain);
      svc_buf_text(b, ":27017");
    }
  }
}

/* The object that holds them, made where there is none. */
static svc_node *cluster_connection_strings(svc_call *c, svc_node *body)
{
  svc_node *strings = svc_node_get(body, "connectionStrings");
  if (strings) return strings;
  strings = svc_node_new(c->arena, SVC_J_OBJECT, SVC_S("connectionStrings"), SVC_S(""));
  if (strings) svc_node_put(c->arena, body, strings);
  return strings;
}

SVC_PRIVATE void svc_cluster_connect(svc_call *c, svc_node *body, const char *id)
{
  const svc_config *config = &c->s->config;
  svc_node *strings;
  svc_buf b = svc_buf_new(c->arena, 256);
  svc_str domain;
  char project[CLUSTER_CONNECTION_PROJECT];
  if (config->driver) return; /* it knows, and says so when it is done */
  cluster_connection_project(&c->scope.group, project);
  domain = svc_arena_print(c->arena, ".%.*s.%s", CLUSTER_CONNECTION_PROJECT, project, config->db_domain);
  svc_buf_text(&b, config->db_scheme);
  svc_buf_text(&b, "://");
  cluster_connection_write_hosts(&b, body, id, domain.p);
  svc_buf_text(&b, "/?ssl=true&authSource=admin");
  if (svc_cluster_is(body, "clusterType", "REPLICASET")) {
    svc_buf_text(&b, "&replicaSet=");
    svc_buf_add(&b, id, CLUSTER_ID);
    svc_buf_text(&b, "-shard-0");
  }
  strings = cluster_connection_strings(c, body);
  if (!strings) return; /* the arena remembers it */
  svc_node_set_str(c->arena, strings, "standard", svc_buf_done(&b));
  svc_node_set_str(c->arena, strings, "standardSrv",
                   svc_arena_print(c->arena, "%s+srv://%.6s" SVC_FMT, config->db_scheme, id, SVC_ARG(domain)));
}

/* What a driver says of it: its hosts, as "name:port", and the name that stands for all of them. */
SVC_PRIVATE bool svc_cluster_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  const svc_node *hosts = svc_node_get(facts, "hosts"), *host;
  svc_str srv = svc_node_str(facts, "srvHost");
  svc_node *strings = cluster_connection_strings(c, change->body);
  svc_buf b = svc_buf_new(c->arena, 256);
  if (!strings) return svc_no_memory(c);
  for (host = hosts && hosts->type == SVC_J_ARRAY ? hosts->first : NULL; host; host = host->next) {
    if (host->type != SVC_J_STRING || host->text.n == 0) continue;
    if (b.n) svc_buf_char(&b, ',');
    svc_buf_str(&b, host->text);
  }
  if (b.n)
    svc_node_set_str(c->arena, strings, "standard", svc_arena_print(c->arena, "%s://" SVC_FMT "/?ssl=true&authSource=admin",
                                                                     c->s->config.db_scheme, SVC_ARG(svc_buf_done(&b))));
  if (srv.n)
    svc_node_set_str(c->arena, strings, "standardSrv",
                     svc_arena_print(c->arena, "%s+srv://" SVC_FMT, c->s->config.db_scheme, SVC_ARG(srv)));
  return true;
}

/*
** Names of hosts, and the connection strings made from them. All strings are derived from one struct of inputs
** (cluster_base.h); code that learns more about a project's network adds an input.
**
** The rule: no two clusters share a host name. All hosts of a project have a common part in their names, the project's id
** in base 36. All hosts of a cluster have six characters in common that no other cluster of the project has; hosts of a
** legacy cluster have its name instead. If a driver reports its real hosts, these take precedence.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/cluster/cluster_base.h"

/* Before this day, hosts were named after their clusters; these clusters keep their names. */
#define CLUSTER_CONNECTION_NEW_NAMES 20201103

enum { CLUSTER_CONNECTION_SLOTS = 256 }; /* greater than the maximum number of clusters in a project */

static void cluster_connection_base36(uint64_t value, char *out, size_t digits)
{
  while (digits > 0) {
    out[--digits] = "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36];
    value /= 36;
  }
}

SVC_PRIVATE bool svc_cluster_host_taken(svc_call *c, const char *kind, const char id[CLUSTER_ID])
{
  svc_entity e;
  svc_scan scan;
  bool taken = false;
  svc_below_begin(&scan, c->txn, kind, &c->scope.group);
  while (!taken && svc_below_next(&scan, kind, &e))
    taken = e.extra.n >= CLUSTER_ID && memcmp(e.extra.p, id, CLUSTER_ID) == 0;
  return taken;
}

static uint64_t cluster_connection_hash(const svc_id *id, uint64_t seed)
{
  uint64_t hash = 14695981039346656037u + seed; /* FNV-1a, mixed again because its results differ little for similar ids */
  size_t i;
  for (i = 0; i < sizeof id->b; i++) hash = (hash ^ id->b[i]) * 1099511628211u;
  return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u >> 8;
}

SVC_PRIVATE void svc_cluster_host_id(svc_call *c, const svc_id *cluster, char out[CLUSTER_ID])
{
  uint64_t attempt = 0;
  do cluster_connection_base36(cluster_connection_hash(cluster, attempt++), out, CLUSTER_ID);
  while (svc_cluster_host_taken(c, CLUSTER_KIND, out));
}

/* The provider of the cluster's first region. */
static svc_str cluster_connection_provider(const svc_node *body)
{
  const svc_node *spec = svc_node_first(svc_node_get(body, "replicationSpecs"));
  return svc_node_str(svc_node_first(svc_node_get(spec, "regionConfigs")), "providerName");
}

/*
** Sets the permanent data of a new cluster: its six characters, its number, and whether its hosts are named after it. The
** last one depends on the clock, and on the cluster's name: no other legacy cluster may have the same name in any case,
** because host names ignore case.
*/
SVC_PRIVATE void svc_cluster_begin(svc_call *c, const svc_change *change, svc_cluster_kept *kept)
{
  svc_str name = svc_arena_copy(c->arena, svc_node_str(change->body, "name"));
  bool taken[CLUSTER_CONNECTION_SLOTS] = { false };
  svc_scan scan;
  svc_entity e;
  memset(kept, 0, sizeof *kept);
  svc_cluster_host_id(c, &change->id, kept->id);
  kept->legacy = c->now < svc_day_ms(CLUSTER_CONNECTION_NEW_NAMES);
  kept->first = svc_str_is(cluster_connection_provider(change->body), svc_values_clouds[0]);
  svc_below_begin(&scan, c->txn, CLUSTER_KIND, &c->scope.group);
  while (svc_below_next(&scan, CLUSTER_KIND, &e)) {
    svc_cluster_kept other = svc_cluster_kept_of(&e);
    if (other.slot < CLUSTER_CONNECTION_SLOTS) taken[other.slot] = true;
    if (other.legacy && svc_str_is_nocase(e.unique, name.p)) kept->legacy = false;
  }
  while (kept->slot < CLUSTER_CONNECTION_SLOTS - 1 && taken[kept->slot]) kept->slot++;
}

#define CLUSTER_CONNECTION_PROJECT 19 /* digits of 96 bits in base 36 */

/* Uses the whole id, so that no other project has the same text. */
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

/* ------------------------------------------------------------------------------------------------------ derivation */

/* "US_EAST_1" in the form of host names: "us-east-1". */
SVC_PRIVATE void svc_cluster_lower(svc_buf *b, svc_str text)
{
  size_t i;
  for (i = 0; i < text.n; i++) {
    char one = text.p[i];
    svc_buf_char(b, one == '_' ? '-' : one >= 'A' && one <= 'Z' ? (char)(one - 'A' + 'a') : one);
  }
}

/* The prefix of host names: six characters, or the name of a legacy cluster. */
SVC_PRIVATE svc_str svc_cluster_stem(svc_arena *a, const svc_cluster_reach *r)
{
  svc_buf b = svc_buf_new(a, 80);
  if (!r->legacy) return (svc_str){ r->id, CLUSTER_ID };
  svc_cluster_lower(&b, svc_node_str(r->body, "name"));
  return svc_buf_done(&b);
}

/* The rest of host names. For a legacy cluster, a hyphen precedes the project, and any provider but AWS is named, unless the cluster was made
** on AWS. */
SVC_PRIVATE svc_str svc_cluster_tail(svc_arena *a, const svc_cluster_reach *r)
{
  const svc_str provider = cluster_connection_provider(r->body);
  char project[CLUSTER_CONNECTION_PROJECT];
  svc_buf b = svc_buf_new(a, 96);
  cluster_connection_project(&r->group, project);
  svc_buf_char(&b, r->legacy ? '-' : '.');
  svc_buf_add(&b, project, sizeof project);
  svc_buf_char(&b, '.');
  if (r->legacy && !r->first && !svc_str_is(provider, svc_values_clouds[0])) {
    svc_cluster_lower(&b, provider);
    svc_buf_char(&b, '.');
  }
  svc_buf_text(&b, r->domain);
  return svc_buf_done(&b);
}

/* All hosts of all shards, electable ones first. */
static void cluster_connection_write_hosts(svc_buf *b, const svc_cluster_reach *r, svc_str stem, const char *mark, svc_str tail)
{
  const svc_node *spec = svc_node_first(svc_node_get(r->body, "replicationSpecs"));
  int port = svc_cluster_is(r->body, "clusterType", "REPLICASET") ? CLUSTER_PORT : CLUSTER_ROUTER_PORT;
  unsigned shard, node;
  char number[24], end[8];
  snprintf(end, sizeof end, ":%d", port);
  for (shard = 0; spec; spec = spec->next, shard++) {
    int64_t nodes = svc_cluster_spec_nodes(spec);
    for (node = 0; node < nodes; node++) {
      if (shard || node) svc_buf_char(b, ',');
      svc_buf_str(b, stem);
      snprintf(number, sizeof number, "-shard-%02u-%02u", shard % 100, node % 100);
      svc_buf_text(b, number);
      svc_buf_text(b, mark);
      svc_buf_str(b, tail);
      svc_buf_text(b, end);
    }
  }
}

/* The name of the replica set; empty: the cluster is sharded. */
static svc_str cluster_connection_set(svc_arena *a, const svc_cluster_reach *r, svc_str stem)
{
  svc_str begin = r->legacy ? svc_node_str(r->body, "name") : stem;
  return svc_cluster_is(r->body, "clusterType", "REPLICASET") ? svc_arena_print(a, SVC_FMT "-shard-0", SVC_ARG(begin)) : SVC_S("");
}

/* A string with all hosts. mark "-pri": their names for private addresses. */
static svc_str cluster_connection_by_hosts(svc_arena *a, const svc_cluster_reach *r, svc_str stem, const char *mark, svc_str tail)
{
  svc_buf b = svc_buf_new(a, 256);
  svc_cluster_way way = { .scheme = svc_str_c(r->scheme), .set = cluster_connection_set(a, r, stem), .ssl = true };
  cluster_connection_write_hosts(&b, r, stem, mark, tail);
  way.hosts = svc_buf_done(&b);
  return svc_cluster_string(a, &way);
}

/* A string with one name for all hosts. */
static svc_str cluster_connection_by_name(svc_arena *a, const svc_cluster_reach *r, svc_str stem, const char *mark, svc_str tail)
{
  svc_buf b = svc_buf_new(a, 96);
  svc_buf_text(&b, r->scheme);
  svc_buf_text(&b, "+srv://");
  svc_buf_str(&b, stem);
  svc_buf_text(&b, mark);
  svc_buf_str(&b, tail);
  return svc_buf_done(&b);
}

/* Whether one of its regions belongs to another provider than AWS. */
static bool cluster_connection_elsewhere(const svc_cluster_reach *r)
{
  const svc_node *spec = svc_node_first(svc_node_get(r->body, "replicationSpecs")), *region;
  for (; spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next)
      if (!svc_cluster_is(region, "providerName", svc_values_clouds[0])) return true;
  return false;
}

/* Whether peered networks of its providers need strings of their own. */
static bool cluster_connection_needs_private(const svc_cluster_reach *r)
{
  return r->custom_dns || cluster_connection_elsewhere(r);
}

static bool cluster_connection_one_region(const svc_cluster_reach *r)
{
  const svc_node *spec = svc_node_first(svc_node_get(r->body, "replicationSpecs")), *first = NULL, *region;
  for (; spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next) {
      if (!first) first = region;
      if (!svc_node_eq(region, "regionName", svc_node_str(first, "regionName"))) return false;
    }
  return true;
}

/* ---- private endpoints */

/* The string of an endpoint: "pl-0-us-east-1" and the rest. In an SRV string the cluster's name comes first if each region has its own endpoints.
** mark "-lb", after the number: the string that limits connections. */
static svc_str cluster_connection_endpoint(svc_arena *a, const svc_cluster_reach *r, const svc_cluster_endpoint *e, bool srv,
                                           const char *mark)
{
  svc_cluster_reach now = *r;
  svc_buf b = svc_buf_new(a, 128);
  now.legacy = false; /* there were no private endpoints when hosts had legacy names */
  svc_buf_text(&b, r->scheme);
  svc_buf_text(&b, srv ? "+srv://" : "://");
  if (srv && r->regionalized) {
    svc_cluster_lower(&b, svc_node_str(r->body, "name"));
    svc_buf_char(&b, '-');
  }
  svc_buf_text(&b, "pl-");
  svc_buf_i64(&b, e->number);
  svc_buf_text(&b, mark);
  svc_buf_char(&b, '-');
  svc_cluster_lower(&b, e->region);
  svc_buf_str(&b, svc_cluster_tail(a, &now));
  if (!srv) svc_buf_text(&b, ":1024/?ssl=true&authSource=admin");
  return svc_buf_done(&b);
}

/* Whether two endpoints share their strings: one name serves all regions, unless each region has its own. */
static bool cluster_connection_shares(const svc_cluster_reach *r, const svc_cluster_endpoint *a, const svc_cluster_endpoint *b)
{
  return a->number == b->number && (!r->regionalized || svc_str_eq(a->region, b->region));
}

static svc_node *cluster_connection_listed(svc_arena *a, const svc_cluster_reach *r, size_t first)
{
  svc_node *list = svc_node_array(a, "endpoints"), *item;
  size_t i;
  for (i = first; list && i < r->endpoint_count; i++) {
    const svc_cluster_endpoint *e = &r->endpoints[i];
    if (!cluster_connection_shares(r, &r->endpoints[first], e)) continue;
    item = svc_node_object(a, NULL);
    if (!item) return NULL;
    svc_node_set_str(a, item, "endpointId", e->id);
    svc_node_set_str(a, item, "providerName", e->provider);
    svc_node_set_str(a, item, "region", e->region);
    svc_node_append(list, item);
  }
  return list;
}

static svc_node *cluster_connection_private(svc_arena *a, const svc_cluster_reach *r, size_t first)
{
  const svc_cluster_endpoint *e = &r->endpoints[first];
  svc_node *item = svc_node_object(a, NULL), *listed = cluster_connection_listed(a, r, first);
  bool sharded = !svc_cluster_is(r->body, "clusterType", "REPLICASET");
  if (!item || !listed) return NULL;
  svc_node_set_str(a, item, "connectionString", cluster_connection_endpoint(a, r, e, false, ""));
  svc_node_put(a, item, listed);
  svc_node_set_str(a, item, "srvConnectionString", cluster_connection_endpoint(a, r, e, true, ""));
  if (sharded && !r->legacy && (r->regionalized || cluster_connection_one_region(r)))
    svc_node_set_str(a, item, "srvShardOptimizedConnectionString", cluster_connection_endpoint(a, r, e, true, "-lb"));
  svc_node_set_str(a, item, "type", sharded ? SVC_S("DBS") : SVC_S("DBD"));
  return item;
}

/* The older form for endpoints of AWS: a map from the id of each endpoint to its string. The map of SRV strings is shown even without
** endpoints, if all regions belong to AWS. */
static void cluster_connection_by_id(svc_arena *a, const svc_cluster_reach *r, svc_node *strings, const char *field, bool srv)
{
  svc_node *map = srv && !cluster_connection_elsewhere(r) ? svc_node_object(a, field) : NULL;
  size_t i;
  for (i = 0; i < r->endpoint_count; i++) {
    const svc_cluster_endpoint *e = &r->endpoints[i];
    if (!svc_str_is(e->provider, svc_values_clouds[0])) continue;
    if (!map) map = svc_node_object(a, field);
    if (!map) return;
    svc_node_set_str(a, map, svc_arena_copy(a, e->id).p, cluster_connection_endpoint(a, r, e, srv, ""));
  }
  if (map) svc_node_put(a, strings, map);
}

static void cluster_connection_endpoints(svc_arena *a, const svc_cluster_reach *r, svc_node *strings)
{
  svc_node *list = svc_node_array(a, "privateEndpoint"), *item;
  size_t i, k;
  for (i = 0; list && i < r->endpoint_count; i++) {
    for (k = 0; k < i && !cluster_connection_shares(r, &r->endpoints[k], &r->endpoints[i]); k++) continue;
    if (k < i) continue; /* listed with the earlier one */
    item = cluster_connection_private(a, r, i);
    if (!item) return;
    svc_node_append(list, item);
  }
  if (list) svc_node_put(a, strings, list);
  cluster_connection_by_id(a, r, strings, "awsPrivateLink", false);
  cluster_connection_by_id(a, r, strings, "awsPrivateLinkSrv", true);
}

/* Adds the strings that depend on the network. */
SVC_PRIVATE void svc_cluster_network_strings(svc_arena *a, const svc_cluster_reach *r, svc_node *strings)
{
  static const char *const optional[] = { "awsPrivateLink", "awsPrivateLinkSrv", "private", "privateEndpoint", "privateSrv" };
  bool by_peering = r->legacy ? r->private_only && r->peered : r->peered && cluster_connection_needs_private(r);
  svc_str stem = svc_cluster_stem(a, r), tail = svc_cluster_tail(a, r);
  const char *mark = r->legacy ? "" : "-pri"; /* legacy names lead to private addresses themselves, if only private addresses are used */
  size_t i;
  for (i = 0; i < sizeof optional / sizeof optional[0]; i++) svc_node_drop(strings, optional[i]);
  if (by_peering) {
    svc_node_set_str(a, strings, "private", cluster_connection_by_hosts(a, r, stem, mark, tail));
    svc_node_set_str(a, strings, "privateSrv", cluster_connection_by_name(a, r, stem, mark, tail));
  }
  if (!svc_cluster_is_tenant(r->body)) cluster_connection_endpoints(a, r, strings); /* shared tiers have none */
}

/* A simulated cluster has the hosts of its specification. */
SVC_PRIVATE void svc_cluster_simulated_hosts(svc_arena *a, const svc_cluster_reach *r, svc_node *facts)
{
  svc_str stem = svc_cluster_stem(a, r), tail = svc_cluster_tail(a, r), set = cluster_connection_set(a, r, stem), rest;
  svc_node *list = svc_node_array(a, "hosts"), *one;
  svc_buf b = svc_buf_new(a, 256);
  cluster_connection_write_hosts(&b, r, stem, "", tail);
  for (rest = svc_buf_done(&b); list && rest.n;) {
    one = svc_node_new(a, SVC_J_STRING, SVC_S(""), svc_str_cut(&rest, ','));
    if (one) svc_node_append(list, one);
  }
  if (list) svc_node_put(a, facts, list);
  if (set.n) svc_node_set_str(a, facts, "replicaSet", set);
  svc_node_set_str(a, facts, "srvHost", svc_arena_print(a, SVC_FMT SVC_FMT, SVC_ARG(stem), SVC_ARG(tail)));
}

SVC_PRIVATE svc_cluster_reach svc_cluster_reach_of(const svc_call *c, const svc_node *body, const svc_cluster_kept *kept)
{
  return (svc_cluster_reach){ .body = body, .id = kept->id, .group = c->scope.group, .scheme = c->s->config.db_scheme,
                              .domain = c->s->config.db_domain, .legacy = kept->legacy, .first = kept->first };
}

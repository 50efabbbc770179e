/*
** IP addresses: the addresses at which the clusters of a project are reached, and from which they open connections.
**
** The addresses follow from the hosts in the clusters' connection strings. If a driver reports hosts as addresses, those are
** listed; its other hosts have no known address. A simulated host gets an address made from its name, the same each time.
** Simulated addresses are in the range reserved for network tests, 198.18.0.0/15.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_base.h"

enum { IP_ADDRESS_CONFIGS = 3 }; /* config servers of a sharded cluster, if they have hosts of their own */

static const svc_field ip_address_cluster_fields[] = {
  F_STR("clusterName", .flags = SVC_READ_ONLY),
  F_STRS("futureInbound", .flags = SVC_READ_ONLY),
  F_STRS("futureOutbound", .flags = SVC_READ_ONLY),
  F_STRS("inbound", .flags = SVC_READ_ONLY),
  F_STRS("outbound", .flags = SVC_READ_ONLY)
};
static const svc_object ip_address_cluster = { .name = "ClusterIpAddresses", .fields = SVC_ROWS(ip_address_cluster_fields) };
static const svc_field ip_address_service_fields[] = { F_LIST("clusters", &ip_address_cluster, .flags = SVC_READ_ONLY) };
static const svc_object ip_address_service = { .name = "ServiceIpAddresses", .fields = SVC_ROWS(ip_address_service_fields) };
static const svc_field ip_address_fields[] = {
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_OBJ("services", &ip_address_service, .flags = SVC_READ_ONLY)
};
static const svc_object ip_address_object = { .name = "ProjectIpAddresses", .fields = SVC_ROWS(ip_address_fields) };

static bool ip_address_read(svc_call *c);

static const svc_route ip_address_routes[] = {
  { .method = SVC_GET, .path = "/groups/{groupId}/ipAddresses", .set = SVC_SET_PROJECT_IP_ADDRESSES, .versions = { 20230101 },
    .roles = SVC_R_GROUP_READ_ONLY, .answer = &ip_address_object, .op = "getGroupIpAddresses", .run = ip_address_read }
};

static svc_str ip_address_simulated(svc_arena *a, svc_str host)
{
  uint64_t hash = 14695981039346656037u; /* FNV-1a, followed by a second mix for short differences at the end of a name */
  size_t i;
  for (i = 0; i < host.n; i++) hash = (hash ^ (unsigned char)host.p[i]) * 1099511628211u;
  hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u >> 20;
  return svc_arena_print(a, "198.%u.%u.%u", (unsigned)(18 + (hash >> 16 & 1)), (unsigned)(hash >> 8 & 255), (unsigned)(hash & 255));
}

/* The address in "host:port" or "[2001:db8::1]:port"; n 0: unknown. told: a driver reported the host. */
static svc_str ip_address_of(svc_call *c, svc_str host, bool told)
{
  svc_address address;
  size_t n = host.n;
  while (n > 0 && host.p[n - 1] != ':') n--;
  if (n > 0) host.n = n - 1;
  if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']') host = (svc_str){ host.p + 1, host.n - 2 };
  if (svc_address_parse(host, &address) && address.bits == 128) return svc_address_text(c->arena, &address);
  return told ? SVC_S("") : ip_address_simulated(c->arena, host);
}

/* The hosts of a cluster. A simulated cluster with dedicated config servers has them too, although no connection string names them. */
static svc_str ip_address_hosts(svc_call *c, const svc_entity *e)
{
  static const char shard[] = "-shard-00-00";
  svc_str hosts = svc_cluster_hosts(e), rest = hosts, first = svc_str_cut(&rest, ',');
  svc_buf b = svc_buf_new(c->arena, hosts.n + 256);
  size_t i, n = sizeof shard - 1;
  unsigned number;
  if (svc_cluster_driven(e) || !svc_json_is(e->body, "configServerType", "DEDICATED")) return hosts;
  for (i = 0; i + n < first.n && memcmp(first.p + i, shard, n) != 0; i++) continue;
  if (i + n >= first.n) return hosts;
  svc_buf_str(&b, hosts);
  for (number = 0; number < IP_ADDRESS_CONFIGS; number++) {
    svc_buf_char(&b, ',');
    svc_buf_add(&b, first.p, i);
    svc_buf_text(&b, "-config-00-0");
    svc_buf_char(&b, (char)('0' + number));
    svc_buf_add(&b, first.p + i + n, first.n - i - n);
  }
  return svc_buf_done(&b);
}

/* The addresses of a cluster's hosts, without duplicates. */
static svc_node *ip_address_list(svc_call *c, const char *name, svc_str hosts, bool told)
{
  svc_node *list = svc_node_array(c->arena, name), *one;
  while (list && hosts.n) {
    svc_str text = ip_address_of(c, svc_str_cut(&hosts, ','), told);
    for (one = list->first; one && !svc_str_eq(one->text, text); one = one->next) continue;
    if (one || text.n == 0) continue;
    one = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), text);
    if (!one) return NULL;
    svc_node_append(list, one);
  }
  return list;
}

static bool ip_address_add(svc_call *c, svc_node *clusters, const char *kind)
{
  static const char *const lists[] = { "inbound", "outbound" }; /* addresses of future hosts are not known in advance */
  svc_scan scan;
  svc_entity e;
  size_t i;
  svc_below_begin(&scan, c->txn, kind, &c->scope.group);
  while (svc_below_next(&scan, kind, &e)) {
    svc_node *one = svc_node_object(c->arena, NULL), *list;
    if (!one) return svc_no_memory(c);
    svc_node_set_str(c->arena, one, "clusterName", e.unique);
    for (i = 0; i < sizeof lists / sizeof lists[0]; i++) {
      list = ip_address_list(c, lists[i], ip_address_hosts(c, &e), svc_cluster_driven(&e));
      if (!list) return svc_no_memory(c);
      svc_node_put(c->arena, one, list);
    }
    svc_node_append(clusters, one);
  }
  return svc_txn_good(c);
}

static bool ip_address_read(svc_call *c)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  svc_node *services = svc_node_object(c->arena, "services");
  svc_node *clusters = svc_node_array(c->arena, "clusters");
  if (!body || !services || !clusters) return svc_no_memory(c);
  if (!ip_address_add(c, clusters, CLUSTER_KIND) || !ip_address_add(c, clusters, FLEX_KIND)) return false;
  svc_node_set_id(c->arena, body, "groupId", &c->scope.group);
  svc_node_put(c->arena, services, clusters);
  svc_node_put(c->arena, body, services);
  return svc_answer_node(c, body);
}

SVC_PRIVATE const svc_noun svc_noun_ip_address = {
  .name = "IP address",
  .rel = "ipAddresses",
  .flags = SVC_VIRTUAL,
  .routes = SVC_ROUTES(ip_address_routes),
};

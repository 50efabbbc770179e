/*
** Facts about how a cluster is reached, reported by a driver or by the simulator. The functions turn facts into public
** connection strings, and find the hosts in such strings. cluster_connection.c makes the names of simulated hosts.
*/
#include "catalog/cluster/cluster_base.h"

static const svc_field cluster_driven_fact_fields[] = {
  F_STRS("hosts", .flags = SVC_UNIQUE_ITEMS, .min = 1, .max = 300, .max_items = 1000),
  F_STR("path", .pattern = "^[!-~]+$", .max = 256), /* the part of connection strings after the hosts: "postgres?sslmode=disable" */
  F_STR("replicaSet", .max = 128),
  F_STR("scheme", .pattern = "^[a-z][a-z0-9+.-]*$", .max = 32),
  F_STR("srvHost", .max = 300),
  F_BOOL("ssl"),
  F_STR("version", .min = 1, .max = 64)
};
SVC_PRIVATE const svc_object svc_host_facts = { .name = "HostFacts", .fields = SVC_ROWS(cluster_driven_fact_fields) };

SVC_PRIVATE svc_str svc_cluster_string(svc_arena *a, const svc_cluster_way *way)
{
  svc_buf b = svc_buf_new(a, 256);
  svc_buf_str(&b, way->scheme);
  svc_buf_text(&b, "://");
  svc_buf_str(&b, way->hosts);
  if (way->path.n) {
    svc_buf_char(&b, '/');
    svc_buf_str(&b, way->path);
    return svc_buf_done(&b);
  }
  svc_buf_text(&b, way->ssl ? "/?ssl=true&authSource=admin" : "/?ssl=false&authSource=admin");
  if (way->set.n) svc_buf_text(&b, "&replicaSet=");
  svc_buf_str(&b, way->set);
  return svc_buf_done(&b);
}

/* "a:27017,b:27017". */
static svc_str cluster_driven_joined(svc_arena *a, const svc_node *hosts)
{
  svc_buf b = svc_buf_new(a, 256);
  const svc_node *host = svc_node_first(hosts);
  for (; host; host = host->next) {
    if (b.n) svc_buf_char(&b, ',');
    svc_buf_str(&b, host->text);
  }
  return svc_buf_done(&b);
}

SVC_PRIVATE void svc_cluster_driven_strings(svc_arena *a, const char *scheme, const svc_node *facts, svc_node *strings)
{
  svc_str srv = svc_node_str(facts, "srvHost"), own = svc_node_str(facts, "scheme");
  svc_cluster_way way = { .scheme = own.n ? own : svc_str_c(scheme), .hosts = cluster_driven_joined(a, svc_node_get(facts, "hosts")),
                          .set = svc_node_str(facts, "replicaSet"), .path = svc_node_str(facts, "path"),
                          .ssl = svc_node_bool(facts, "ssl", true) };
  if (way.hosts.n) svc_node_set_str(a, strings, "standard", svc_cluster_string(a, &way));
  if (srv.n) svc_node_set_str(a, strings, "standardSrv", svc_arena_print(a, SVC_FMT "+srv://" SVC_FMT, SVC_ARG(way.scheme), SVC_ARG(srv)));
}

SVC_PRIVATE void svc_cluster_driven_again(svc_arena *a, const svc_node *hosts, svc_node *strings)
{
  svc_str rest = svc_arena_copy(a, svc_node_str(strings, "standard")), scheme = svc_str_cut(&rest, ':');
  if (rest.n < 2 || !hosts->first) return;
  rest = (svc_str){ rest.p + 2, rest.n - 2 };
  svc_str_cut(&rest, '/');
  hosts = svc_node_new(a, SVC_J_STRING, SVC_S(""), cluster_driven_joined(a, hosts));
  if (hosts) svc_node_set_str(a, strings, "standard", svc_arena_print(a, SVC_FMT "://" SVC_FMT "/" SVC_FMT, SVC_ARG(scheme), SVC_ARG(hosts->text), SVC_ARG(rest)));
}

SVC_PRIVATE bool svc_cluster_connected(const svc_node *body)
{
  const svc_node *strings = svc_node_get(body, "connectionStrings");
  return svc_node_get(strings, "standard") || svc_node_get(strings, "standardSrv");
}

/* Simulated hosts are named by the cluster's prefix; other hosts can only come from a driver. */
SVC_PRIVATE bool svc_cluster_driven(const svc_entity *e)
{
  svc_str hosts = svc_cluster_hosts(e), stem = { e->extra.p, e->extra.n < CLUSTER_ID ? e->extra.n : CLUSTER_ID };
  size_t i = 0;
  if (svc_cluster_kept_of(e).legacy) stem = e->unique;
  if (!hosts.n) return !svc_json_is(e->body, "stateName", "CREATING"); /* a simulated cluster has hosts as soon as it is created */
  if (hosts.n <= stem.n || hosts.p[stem.n] != '-') return hosts.n > 0;
  while (i < stem.n && (stem.p[i] | 32) == (hosts.p[i] | 32)) i++; /* compares without case, because host names are lower case */
  return i < stem.n;
}

SVC_PRIVATE svc_str svc_cluster_hosts(const svc_entity *e)
{
  svc_str text = svc_json_member(svc_json_member(e->body, SVC_S("connectionStrings")), SVC_S("standard"));
  size_t i;
  for (i = 0; i + 3 <= text.n && memcmp(text.p + i, "://", 3) != 0; i++) continue;
  if (i + 3 > text.n) return SVC_S("");
  text = (svc_str){ text.p + i + 3, text.n - i - 3 };
  for (i = 0; i < text.n && text.p[i] != '/' && text.p[i] != '"'; i++) continue;
  return (svc_str){ text.p, i };
}

/*
** The orders of clusters to the driver, and the facts and reports that come back.
**
** The rule: facts on the hosts, the database version and the data of a cluster have one form, and a driver and the
** simulator deliver them here alike. A simulated cluster has the hosts that its specification requires.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"
#include "catalog/network/network_parts.h"

/* ------------------------------------------------------------------------------------------------------------- fields */

static const svc_field cluster_facts_transfer_fields[] = {
  F_LONG("differentRegion", .flags = SVC_MIN), F_LONG("internet", .flags = SVC_MIN), F_LONG("sameRegion", .flags = SVC_MIN)
};
SVC_PRIVATE const svc_object svc_cluster_transfer_facts = { .name = "TransferFacts", .fields = SVC_ROWS(cluster_facts_transfer_fields) };

static const svc_field cluster_facts_fields[] = {
  F_LONG("dataSizeBytes", .flags = SVC_MIN), F_LIST("processes", &svc_process_news, .max_items = 1000), F_OBJ("transfer", &svc_cluster_transfer_facts)
};
static const svc_object cluster_facts_object = { .name = "ClusterFacts", .fields = SVC_ROWS(cluster_facts_fields), .base = &svc_host_facts };
static const svc_field cluster_facts_report_fields[] = {
  F_LIST("logins", &svc_login_news, .max_items = 1000), F_LIST("measurements", &svc_measurement_news, .max_items = 1000)
};
SVC_PRIVATE const svc_object svc_cluster_reports = { .name = "ClusterReport", .fields = SVC_ROWS(cluster_facts_report_fields), .base = &cluster_facts_object };

/* The desired state: the cluster as it is shown, plus settings that none of its fields shows. */
static const svc_field cluster_facts_ordered_fields[] = {
  F_ANY("globalWrites"), F_OBJ("processArgs", &svc_cluster_process_args), F_BOOL("restartPrimaries")
};
static const svc_object cluster_facts_ordered = {
  .name = "OrderedCluster", .fields = SVC_ROWS(cluster_facts_ordered_fields), .base = &svc_cluster_object
};

SVC_PRIVATE const svc_order_row svc_cluster_orders[] = {
  { "cluster.create",
    "Start the cluster. Facts: clients reach it at `hosts`, each \"name:port\"; `srvHost` is one DNS name for all of them.",
    &cluster_facts_ordered, &cluster_facts_object, 0 },
  { "cluster.update",
    "Change the running cluster to `desired`: nodes, sizes, version, arguments; `paused` true stops it and keeps its data.",
    &cluster_facts_ordered, &cluster_facts_object, 0 },
  { "cluster.delete",
    "Stop the cluster and remove its data. If the cluster does not exist, the order is done.", &cluster_facts_ordered, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* Resources below a cluster that are part of its desired state. */
static const struct cluster_facts_part {
  const char *noun, *name;
} cluster_facts_parts[] = { { CLUSTER_PROCESS_ARGS, "processArgs" }, { CLUSTER_GLOBAL_WRITES, "globalWrites" } };

/* Adds to the shown cluster the restart, which no field shows, and the settings stored below the cluster. */
SVC_PRIVATE svc_node *svc_cluster_desired(svc_call *c, const svc_entity *e)
{
  static const svc_id none;
  svc_node *body = svc_entity_body(c, e), *part;
  const svc_noun_info *noun;
  svc_entity below;
  size_t i;
  if (!body) return NULL;
  for (i = 0; i < sizeof cluster_facts_parts / sizeof cluster_facts_parts[0]; i++) {
    noun = svc_noun_named(c->s, cluster_facts_parts[i].noun);
    if (!noun || svc_entity_get(c->txn, noun->noun->kind, &e->id, &none, &below) != SVC_OK) continue;
    part = svc_entity_body(c, &below);
    if (!part) return NULL;
    part->name = svc_str_c(cluster_facts_parts[i].name);
    svc_node_put(c->arena, body, part);
  }
  if (svc_cluster_kept_of(e).restarting) svc_node_set_bool(c->arena, body, "restartPrimaries", true);
  return body;
}

/* ------------------------------------------------------------------------------------------------------------- simulated */

/* On a restart of primaries, the next electable member of each replica set takes over. */
static bool cluster_facts_elect(svc_call *c, const svc_change *change, svc_node *facts)
{
  svc_node *list = svc_node_array(c->arena, "processes"), *one;
  svc_processes of;
  bool elects;
  size_t i, k;
  if (!list || !svc_processes_of(c, &change->entity, &of)) return list ? false : svc_no_memory(c);
  for (i = 0; i < of.count; i++) {
    if (!strstr(of.at[i].type, "_PRIMARY")) continue;
    for (k = (i + 1) % of.count; k != i; k = (k + 1) % of.count) {
      (void)svc_process_region(&of, &of.at[k], &elects);
      if (elects && !of.at[k].down_since && svc_str_eq(of.at[k].replica_set, of.at[i].replica_set)) break;
    }
    if (k == i) continue;
    if (!(one = svc_node_object(c->arena, NULL))) return svc_no_memory(c);
    svc_node_set_str(c->arena, one, "host", of.at[k].id);
    svc_node_set_bool(c->arena, one, "primary", true);
    svc_node_append(list, one);
  }
  svc_node_put(c->arena, facts, list);
  return true;
}

SVC_PRIVATE bool svc_cluster_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  svc_entity e = change->entity;
  svc_cluster_kept kept;
  svc_cluster_reach reach;
  (void)action;
  e.extra = change->extra;
  kept = svc_cluster_kept_of(&e);
  reach = svc_cluster_reach_of(c, change->body, &kept);
  svc_cluster_simulated_hosts(c->arena, &reach, facts);
  if (svc_cluster_kept_of(&change->entity).restarting && !cluster_facts_elect(c, change, facts)) return false;
  return svc_transfer_simulate(c, kept.size, facts);
}

/* ----------------------------------------------------------------------------------------------------------------- taken */

/* Only the driver knows the version of a database engine that it runs. */
static void cluster_facts_version(svc_call *c, svc_node *body, const svc_node *facts)
{
  if (svc_node_get(facts, "version")) svc_node_set_from(c->arena, body, "dbVersion", facts, "version");
}

/* Stores the hosts, the database version, the size of the data, the rates of data transfer, and the news of processes. */
SVC_PRIVATE bool svc_cluster_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  int64_t size = svc_node_i64(facts, "dataSizeBytes", -1);
  svc_entity e = change->entity;
  svc_cluster_kept kept;
  cluster_facts_version(c, change->body, facts);
  e.extra = change->extra;
  kept = svc_cluster_kept_of(&e);
  if (size >= 0) kept.size = size;
  if (size >= 0 || svc_node_get(facts, "version")) change->extra = svc_cluster_extra(c, change, &kept);
  return svc_network_facts(c, change, &kept, facts) && svc_transfer_put(c, &change->entity, change->body, svc_node_get(facts, "transfer")) &&
         svc_process_states_tell(c, &change->entity, svc_node_get(facts, "processes"));
}

/* The hosts of the cluster, with moved hosts replaced by their new names. Returns NULL if out of memory. */
static svc_node *cluster_facts_moved(svc_call *c, const svc_entity *cluster, const svc_node *news)
{
  svc_node *list = svc_node_array(c->arena, "hosts"), *one;
  svc_str rest = svc_cluster_hosts(cluster);
  while (list && rest.n) {
    svc_str host = svc_str_cut(&rest, ',');
    const svc_node *said = svc_node_first(news);
    while (said && !(svc_node_eq(said, "host", host) && svc_node_get(said, "movedTo"))) said = said->next;
    one = svc_node_new(c->arena, SVC_J_STRING, SVC_S(""), said ? svc_node_str(said, "movedTo") : svc_arena_copy(c->arena, host));
    if (one) svc_node_append(list, one);
  }
  return c->arena->failed ? NULL : list;
}

/* Replaces the hosts in the existing connection string `standard`. The scheme, the replica set and the options stay. */
static bool cluster_facts_move(svc_call *c, svc_change *change, const svc_node *news)
{
  const svc_node *said = svc_node_first(news);
  svc_node *facts = svc_node_object(c->arena, NULL), *hosts;
  while (said && !svc_node_get(said, "movedTo")) said = said->next;
  if (!said) return true;
  hosts = facts ? cluster_facts_moved(c, &change->entity, news) : NULL;
  if (!hosts) return svc_no_memory(c);
  svc_cluster_driven_again(c->arena, hosts, svc_node_get(change->body, "connectionStrings"));
  return c->arena->failed ? svc_no_memory(c) : true;
}

SVC_PRIVATE bool svc_cluster_reported(svc_call *c, svc_change *change, const svc_node *news)
{
  return svc_reported_take(c, &change->entity, news) && svc_cluster_facts(c, change, news) &&
         cluster_facts_move(c, change, svc_node_get(news, "processes"));
}

/*
** A simulated outage of regions of a cluster, to test how applications react. A cluster has at most one; only a
** request creates it.
**
**   POST --> START_REQUESTED --> STARTING --> SIMULATING
**                  |                |             |
**                  +----------------+-------------+--- DELETE, or after two days by itself
**                                                 |
**                                                 +--> RECOVERY_REQUESTED --> RECOVERING --> COMPLETE     then it is deleted: 404
**
** In SIMULATING the hosts in its regions are down, and primaries move to other regions. The cluster's hardware cannot be
** changed until the simulation is COMPLETE. At least one region of the cluster must stay up.
**
** Unusual: DELETE starts the recovery, and answers with the simulation. A simulation in COMPLETE is replaced by the next
** one.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/deployment/cluster_parts.h"

#define OUTAGE_SIMULATION_KIND "outs"
#define OUTAGE_SIMULATION_LONGEST ((int64_t)48 * 60 * 60 * 1000)
#define OUTAGE_SIMULATION_FILTERS 50

/* ------------------------------------------------------------------------------------------------------ value lists */

#define OUTAGE_SIMULATION_BEGINS "START_REQUESTED"
#define OUTAGE_SIMULATION_ENDS "RECOVERY_REQUESTED"
static const char *const outage_simulation_types[] = { "REGION", NULL };
static const char *const outage_simulation_states[] = { OUTAGE_SIMULATION_BEGINS, "STARTING", "SIMULATING", OUTAGE_SIMULATION_ENDS,
                                                        "RECOVERING", "COMPLETE", NULL };
static const char *const outage_simulation_ending[] = { OUTAGE_SIMULATION_ENDS, "RECOVERING", "COMPLETE", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field outage_simulation_filter_fields[] = {
  F_ENUM("cloudProvider", svc_values_clouds, .flags = SVC_REQUIRED),
  F_STR("regionName", .flags = SVC_REQUIRED, .min = 1, .max = 64),
  F_ENUM("type", outage_simulation_types, .preset = "\"REGION\"")
};
static const svc_object outage_simulation_filter = { .name = "OutageFilter", .fields = SVC_ROWS(outage_simulation_filter_fields) };

static const svc_field outage_simulation_fields[] = {
  F_STR("clusterName", .flags = SVC_READ_ONLY, .pattern = "^[a-zA-Z0-9][a-zA-Z0-9-]*$"),
  F_DATE("expirationDate", .flags = SVC_READ_ONLY),
  F_GROUP_ID(),
  F_ID(),
  F_LIST("outageFilters", &outage_simulation_filter, .flags = SVC_REQUIRED | SVC_UNIQUE_ITEMS | SVC_NOT_EMPTY,
         .max_items = OUTAGE_SIMULATION_FILTERS),
  F_CREATED("startRequestDate"),
  F_ENUM("state", outage_simulation_states, .flags = SVC_READ_ONLY)
};
static const svc_object outage_simulation_object = { .name = "ClusterOutageSimulation", .fields = SVC_ROWS(outage_simulation_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool outage_simulation_may(svc_call *c);
static bool outage_simulation_end(svc_call *c);

#define OUTAGE_SIMULATION \
  "/groups/{groupId}/clusters/{clusterName}/outageSimulation", SVC_SET_OUTAGE_SIMULATION, (20230101), \
    SVC_R_GROUP_CLUSTER_MANAGER | SVC_R_GROUP_CLUSTER_RESILIENCE_TESTER, \
    SVC_R_GROUP_CLUSTER_MANAGER | SVC_R_GROUP_CLUSTER_RESILIENCE_TESTER | SVC_R_GROUP_REPLICA_SET_MANAGER

static const svc_route outage_simulation_routes[] = {
  R_GET(OUTAGE_SIMULATION, "", .op = "getOutageSimulation", .run = svc_verb_read),
  R_POST(OUTAGE_SIMULATION, "", .status = 202, .op = "startOutageSimulation", .gate = outage_simulation_may, .run = svc_verb_create,
         .example = "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_EAST_1\",\"type\":\"REGION\"}]}"),
  R_DELETE(OUTAGE_SIMULATION, "", .op = "endOutageSimulation", .run = outage_simulation_end)
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition outage_simulation_transitions[] = {
  { OUTAGE_SIMULATION_BEGINS, "STARTING", 5, NULL, NULL },
  { "STARTING", "SIMULATING", 20, "CLUSTER_REGIONAL_OUTAGE_SIMULATION_STARTED", "outage.start" },
  { OUTAGE_SIMULATION_ENDS, "RECOVERING", 5, NULL, NULL },
  { "RECOVERING", "COMPLETE", 20, "CLUSTER_REGIONAL_OUTAGE_SIMULATION_COMPLETED", "outage.end" },
  { "COMPLETE", NULL, 100, NULL, NULL },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle outage_simulation_lifecycle = {
  .field = "state", .created = OUTAGE_SIMULATION_BEGINS, .deleted = OUTAGE_SIMULATION_ENDS,
  .event_failed = "CLUSTER_REGIONAL_OUTAGE_SIMULATION_FAILED_TO_START", .transitions = outage_simulation_transitions
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static bool outage_simulation_is(const svc_node *filter, const svc_node *region)
{
  return svc_node_eq(region, "providerName", svc_node_str(filter, "cloudProvider")) &&
         svc_node_eq(region, "regionName", svc_node_str(filter, "regionName"));
}

static bool outage_simulation_filtered(const svc_node *filters, const svc_node *region)
{
  const svc_node *filter = svc_node_first(filters);
  while (filter && !(region && outage_simulation_is(filter, region))) filter = filter->next;
  return filter != NULL;
}

static bool outage_simulation_is_there(const svc_node *cluster, const svc_node *filter)
{
  const svc_node *spec = svc_node_first(svc_node_get(cluster, "replicationSpecs")), *region;
  for (; spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next)
      if (outage_simulation_is(filter, region)) return true;
  return false;
}

/* Whether at least one region stays up. */
static bool outage_simulation_leaves(const svc_node *cluster, const svc_node *filters)
{
  const svc_node *spec = svc_node_first(svc_node_get(cluster, "replicationSpecs")), *region;
  for (; spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next)
      if (!outage_simulation_filtered(filters, region)) return true;
  return false;
}

/* Deletes a simulation in COMPLETE. If there is one in another state, the insert answers 409. */
static bool outage_simulation_clear(svc_call *c, const svc_entity *cluster)
{
  svc_entity e;
  if (!svc_below_first(c->txn, OUTAGE_SIMULATION_KIND, &cluster->id, &e)) return svc_txn_good(c);
  return !svc_json_is(e.body, "state", "COMPLETE") || svc_erase(c, c->plan->noun, &e);
}

static bool outage_simulation_may(svc_call *c)
{
  const svc_entity *cluster;
  const svc_node *filter;
  svc_change target;
  size_t i = 0;
  if (!svc_resolve_all(c)) return false;
  cluster = svc_path_entity(c, "cluster");
  if (!svc_cluster_open_own(c, cluster, &target)) return false;
  for (filter = svc_node_first(svc_node_get(c->checked, "outageFilters")); filter; filter = filter->next, i++)
    if (!outage_simulation_is_there(target.before, filter))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "outageFilters[%zu].regionName", i), "is not a region of the cluster");
  if (!svc_check_done(c)) return false;
  if (!outage_simulation_leaves(target.before, svc_node_get(c->checked, "outageFilters")))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("outageFilters"), "cannot contain all regions of the cluster: at least one must remain");
  return svc_check_done(c) && outage_simulation_clear(c, cluster);
}

static bool outage_simulation_prepare(svc_call *c, svc_change *change)
{
  int64_t until = c->now + OUTAGE_SIMULATION_LONGEST;
  if (change->before) return true;
  svc_node_set_str(c->arena, change->body, "clusterName", svc_path_entity(c, "cluster")->unique);
  svc_node_set_date(c->arena, change->body, "expirationDate", until);
  svc_change_due(change, SVC_DUE_EXPIRY, until);
  return true;
}

static bool outage_simulation_end(svc_call *c)
{
  svc_change change;
  svc_entity e;
  bool stored;
  if (!svc_target(c, &e, &stored) || !svc_change_begin(c, &change)) return false;
  if (svc_value_in(c->s, svc_node_str(change.before, "state"), outage_simulation_ending)) return svc_answer_entity(c, &e);
  change.state = OUTAGE_SIMULATION_ENDS;
  change.event = "CLUSTER_REGIONAL_OUTAGE_SIMULATION_END_REQUESTED";
  svc_node_set_text(c->arena, change.body, "state", change.state);
  svc_change_due(&change, SVC_DUE_EXPIRY, 0);
  return svc_change_store(c, &change);
}

static bool outage_simulation_fell_due(svc_call *c, svc_change *change, int tag)
{
  svc_str end = SVC_S(OUTAGE_SIMULATION_ENDS);
  if (tag != SVC_DUE_EXPIRY || svc_value_in(c->s, svc_node_str(change->body, "state"), outage_simulation_ending)) return true;
  svc_node_set_str(c->arena, change->body, "state", end);
  change->due = svc_transition_due(c->s, change->noun->noun, end, c->now);
  change->event = "CLUSTER_REGIONAL_OUTAGE_SIMULATION_END_REQUESTED";
  return true;
}

/* Reads the cluster. False: the cluster no longer exists, or the read failed. */
static bool outage_simulation_cluster(svc_call *c, const svc_change *change, svc_entity *cluster)
{
  svc_entity e = { .scope = c->scope, .parent = change->parent };
  return svc_entity_above(c, change->noun, &e, cluster) == SVC_OK;
}

static bool outage_simulation_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  bool up = strcmp(action, "outage.end") == 0, elects;
  svc_node *list = svc_node_array(c->arena, "processes"), *one;
  svc_processes of;
  svc_entity cluster;
  size_t i;
  if (!list) return svc_no_memory(c);
  if (!outage_simulation_cluster(c, change, &cluster)) return svc_txn_good(c);
  if (!svc_processes_of(c, &cluster, &of)) return false;
  for (i = 0; i < of.count; i++) {
    if (!outage_simulation_filtered(svc_node_get(change->body, "outageFilters"), svc_process_region(&of, &of.at[i], &elects))) continue;
    if (!(one = svc_node_object(c->arena, NULL))) return svc_no_memory(c);
    svc_node_set_str(c->arena, one, "host", of.at[i].id);
    svc_node_set_bool(c->arena, one, "up", up);
    svc_node_append(list, one);
  }
  svc_node_put(c->arena, facts, list);
  return true;
}

static bool outage_simulation_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  svc_entity cluster;
  if (!outage_simulation_cluster(c, change, &cluster)) return svc_txn_good(c);
  return svc_process_states_tell(c, &cluster, svc_node_get(facts, "processes"));
}

static const svc_field outage_simulation_fact_fields[] = { F_LIST("processes", &svc_process_news, .max_items = 1000) };
static const svc_object outage_simulation_facts_object = { .name = "OutageFacts", .fields = SVC_ROWS(outage_simulation_fact_fields) };
static const svc_order_row outage_simulation_orders[] = {
  { "outage.start", "Make the nodes in the regions of `outageFilters` unreachable. Facts: the hosts that are down.", NULL, &outage_simulation_facts_object, 0 },
  { "outage.end", "Make them reachable again. Facts: the hosts that are up.", NULL, &outage_simulation_facts_object, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_outage_simulation = {
  .name = "outage simulation",
  .rel = "outageSimulation",
  .kind = OUTAGE_SIMULATION_KIND,
  .parent = "cluster",
  .flags = SVC_SOLE | SVC_EVENT_PARENT,
  .object = &outage_simulation_object,
  .err_not_found = SVC_E_OUTAGE_SIMULATION_NOT_FOUND,
  .err_exists = SVC_E_OUTAGE_SIMULATION_ALREADY_EXISTS,
  .lifecycle = &outage_simulation_lifecycle,
  .event_created = "CLUSTER_UPDATE_SUBMITTED", /* the start was requested; a later event reports that it has started */
  .orders = outage_simulation_orders,
  .routes = SVC_ROUTES(outage_simulation_routes),
  .prepare = outage_simulation_prepare,
  .fell_due = outage_simulation_fell_due,
  .simulate = outage_simulation_simulate,
  .facts = outage_simulation_facts
};

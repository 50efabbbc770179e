/*
** A load of the sample data into a cluster or flex cluster. A POST names the cluster; a GET uses the id of the load.
**
**   POST --> WORKING --> COMPLETED
**               |
**               +------> FAILED       if the driver reports a failure, with its reason
**
** A cluster has one load: the next load replaces one that has ended. A load is kept for 30 days, even if its cluster is
** deleted.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_history.h"
#include "catalog/cluster/sample_data.h"
#include "catalog/deployment/flex_parts.h"

#define SAMPLE_DATASET_KIND "smpl"
#define SAMPLE_DATASET_KEPT (30 * SVC_DAY_MS)

/* ------------------------------------------------------------------------------------------------------ value lists */

static const char *const sample_dataset_states[] = { "WORKING", "FAILED", "COMPLETED", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field sample_dataset_fields[] = {
  F_HEX24("_id", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID),
  F_STR("clusterName", .flags = SVC_READ_ONLY, .pattern = "^[a-zA-Z0-9][a-zA-Z0-9-]*$"),
  F_DATE("completeDate", .flags = SVC_READ_ONLY),
  F_CREATED("createDate"),
  F_STR("errorMessage", .flags = SVC_READ_ONLY),
  F_ENUM("state", sample_dataset_states, .flags = SVC_READ_ONLY)
};
static const svc_object sample_dataset_object = { .name = "SampleDatasetStatus", .fields = SVC_ROWS(sample_dataset_fields) };

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool sample_dataset_load(svc_call *c);

#define SAMPLE_DATASET \
  "/groups/{groupId}/sampleDatasetLoad", SVC_SET_CLUSTERS, (20230101), SVC_R_GROUP_OWNER, SVC_R_GROUP_OWNER

static const svc_route sample_dataset_routes[] = {
  R_GET(SAMPLE_DATASET, "/{sampleDatasetId}", .op = "getSampleDatasetLoad", .run = svc_verb_read),
  R_POST(SAMPLE_DATASET, "/{name}", .status = 201, .flags = SVC_NO_BODY, .op = "requestSampleDatasetLoad", .run = sample_dataset_load, .example = "{}")
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition sample_dataset_transitions[] = {
  { "WORKING", "COMPLETED", 50, NULL, "sampleDataset.load" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle sample_dataset_lifecycle = {
  .field = "state", .created = "WORKING", .failed = "FAILED", .reason = "errorMessage", .transitions = sample_dataset_transitions
};

static const svc_field sample_dataset_fact_fields[] = {
  F_LONG("dataSizeBytes", .flags = SVC_MIN), F_OBJ("transfer", &svc_cluster_transfer_facts)
};
static const svc_object sample_dataset_facts_object = { .name = "LoadFacts", .fields = SVC_ROWS(sample_dataset_fact_fields) };
static const svc_order_row sample_dataset_orders[] = {
  { "sampleDataset.load", "Load sample data into the cluster `clusterName`. `dataSizeBytes`: the number of loaded bytes.", NULL,
    &sample_dataset_facts_object, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* Deletes the previous load of the same cluster, unless it is in progress. */
static bool sample_dataset_follows(svc_call *c, svc_str name)
{
  svc_entity e;
  int rc = svc_entity_named(c->txn, SAMPLE_DATASET_KIND, NULL, &c->scope.group, name, &e);
  if (rc == SVC_NOT_FOUND) return true;
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (svc_json_is(e.body, "state", "WORKING")) return true; /* the insert answers 409 */
  return svc_erase(c, c->plan->noun, &e);
}

/* Checks that a cluster or flex cluster has this name, and may receive data. */
static bool sample_dataset_target(svc_call *c, svc_str name)
{
  const svc_node *body;
  svc_change target;
  svc_entity e;
  if (svc_entity_named(c->txn, FLEX_KIND, FLEX_NAMES, &c->scope.group, name, &e) != SVC_OK)
    return svc_txn_good(c) && svc_cluster_named(c, name, &e) && svc_cluster_open(c, &e, &target);
  body = svc_entity_body(c, &e);
  return body && svc_guarded(c, svc_noun_by_kind(c->s, FLEX_KIND), &e, body, SVC_GUARD_CHANGE);
}

static bool sample_dataset_load(svc_call *c)
{
  svc_str name = svc_path_param(c, "name");
  svc_change change;
  svc_entity e;
  if (!svc_resolve_all(c) || !sample_dataset_target(c, name)) return false;
  if (!sample_dataset_follows(c, name)) return false;
  if (!svc_change_new(c, c->plan->noun, NULL, &change)) return false;
  svc_node_set_str(c->arena, change.body, "clusterName", name);
  svc_change_due(&change, SVC_DUE_EXPIRY, c->now + SAMPLE_DATASET_KEPT);
  return svc_insert(c, &change, &e) && svc_answer_entity(c, &e);
}

static bool sample_dataset_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag != SVC_DUE_STATE) return true;
  svc_node_set_date(c->arena, change->body, "completeDate", c->now);
  return true;
}

static bool sample_dataset_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, CLUSTER_KIND);
  svc_entity cluster;
  int rc = noun ? svc_entity_named(c->txn, CLUSTER_KIND, svc_noun_ext_of(noun->noun)->names, &c->scope.group, svc_node_str(change->body, "clusterName"), &cluster)
                : SVC_NOT_FOUND;
  (void)action;
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND || svc_store_failed(c, rc);
  svc_node_set_i64(c->arena, facts, "dataSizeBytes", svc_history_had_sample(c, &cluster.id, c->now) ? 0 : svc_sample_size());
  return svc_txn_good(c) && svc_transfer_simulate(c, svc_sample_size(), facts);
}

static bool sample_dataset_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  svc_str name = svc_node_str(change->body, "clusterName");
  svc_entity flex;
  if (svc_entity_named(c->txn, FLEX_KIND, FLEX_NAMES, &c->scope.group, name, &flex) == SVC_OK) return svc_flex_put_data(c, &flex, true);
  return svc_txn_good(c) && svc_cluster_loaded(c, name, facts);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_sample_dataset = {
  .name = "sample dataset load",
  .rel = "sampleDatasetLoad",
  .kind = SAMPLE_DATASET_KIND,
  .parent = "project",
  .param = "sampleDatasetId",
  .flags = SVC_EXPIRES,
  .object = &sample_dataset_object,
  .unique = "clusterName",
  .err_not_found = SVC_E_RESOURCE_NOT_FOUND,
  .err_exists = SVC_E_CANNOT_MODIFY_CLUSTER_WITH_RUNNING_LIVE_IMPORT,
  .lifecycle = &sample_dataset_lifecycle,
  .event_created = "SAMPLE_DATASET_LOAD_REQUESTED",
  .event_field = "clusterName",
  .routes = SVC_ROUTES(sample_dataset_routes),
  .fell_due = sample_dataset_fell_due,
  .orders = sample_dataset_orders,
  .simulate = sample_dataset_simulate,
  .facts = sample_dataset_facts
};

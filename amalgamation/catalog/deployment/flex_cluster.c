/*
** flex cluster: a database deployment of a project on shared machines. Its size follows its use.
**
**   POST --> CREATING --> IDLE --> DELETING <-- DELETE     then it is deleted: 404
**                           |
**                           +----> a cluster of the same name, UPDATING <-- :tenantUpgrade (flex_parts.c)
**   a free cluster of the same name --> CREATING <-- tenantUpgradeToServerless (serverless_upgrade.c)
**
** Clusters and flex clusters of a project share one name space. The API of each kind has its own error for a name of the
** other kind. Only tags and termination protection can change; both changes take effect at once. While the flex cluster
** is IDLE, a due step takes a snapshot every day (flex_snapshot.c).
*/
#include "catalog/catalog.h"
#include "catalog/policy/policy_language.h"
#include "catalog/db_versions.h"
#include "catalog/values.h"
#include "catalog/deployment/flex_parts.h"
#include "catalog/network/network_parts.h"

/* ----------------------------------------------------------------------------------------------------------- routes */

#define FLEX_CLUSTER \
  "/groups/{groupId}/flexClusters", SVC_SET_FLEX_CLUSTERS, (20241113), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route flex_cluster_routes[] = {
  R_GET(FLEX_CLUSTER, "", .flags = SVC_PAGED, .op = "listFlexClusters", .run = svc_verb_list),
  R_POST(FLEX_CLUSTER, "", .status = 201, .op = "createFlexCluster", .run = svc_verb_create,
         .example = "{\"name\":\"Flexible\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}"),
  R_GET(FLEX_CLUSTER, "/{name}", .op = "getFlexCluster", .run = svc_verb_read),
  R_PATCH(FLEX_CLUSTER, "/{name}", .op = "updateFlexCluster", .run = svc_verb_update),
  R_DELETE(FLEX_CLUSTER, "/{name}", .status = 204, .op = "deleteFlexCluster", .run = svc_verb_delete),
  { .method = SVC_POST, .path = "/groups/{groupId}/clusters/tenantUpgradeToServerless", .set = SVC_SET_CLUSTERS,
    .versions = { 20230101 }, .roles = SVC_R_GROUP_CLUSTER_MANAGER, .body = &svc_flex_serverless,
    .answer = &svc_flex_serverless, .op = "upgradeClusterToServerless", .run = svc_flex_from_free,
    .example = "{\"name\":\"Free\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"providerName\":\"SERVERLESS\","
               "\"regionName\":\"US_EAST_1\"}}",
    .deprecated = 20250205, .sunset = 20250205 }
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

/* The hook `gone` writes the event of the delete, because an upgrade also removes the flex cluster. */
static const svc_transition flex_cluster_transitions[] = {
  { "CREATING", "IDLE", 100, "CLUSTER_READY", "flex.create" },
  { "DELETING", NULL, 25, NULL, "flex.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle flex_cluster_lifecycle = {
  .field = "stateName", .created = "CREATING", .deleted = "DELETING", .failed = "REPAIRING", .event_failed = "DEPLOYMENT_FAILURE",
  .transitions = flex_cluster_transitions
};

static const svc_order_row flex_cluster_orders[] = {
  { "flex.create", "Start the flex cluster. Facts: clients reach it at `hosts`.", NULL, &svc_host_facts, 0 },
  { "flex.delete", "Stop the flex cluster and remove its data.", NULL, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

static const svc_guard flex_cluster_guards[] = {
  { "stateName", "DELETING", SVC_GUARD_CHANGE | SVC_GUARD_DELETE, SVC_E_CLUSTER_ALREADY_REQUESTED_DELETION },
  { "terminationProtectionEnabled", "true", SVC_GUARD_DELETE,
    SVC_E_CANNOT_TERMINATE_CLUSTER_WHEN_TERMINATION_PROTECTION_ENABLED },
  { NULL, NULL, 0, 0 }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

enum { FLEX_CLUSTER_DUE_SNAPSHOT = SVC_DUE_OWN };

/* The region must belong to the backing provider. */
static bool flex_cluster_region(svc_call *c, const svc_node *body)
{
  static const char *const *const regions[] = { svc_values_aws_regions, svc_values_azure_regions, svc_values_gcp_regions };
  const svc_node *settings = svc_node_get(body, "providerSettings");
  svc_str region = svc_node_str(settings, "regionName");
  svc_violation *v;
  size_t i = 0;
  while (SVC_ALWAYS(svc_values_clouds[i]) && !svc_cluster_is(settings, "backingProviderName", svc_values_clouds[i])) i++;
  if (SVC_NEVER(!svc_values_clouds[i]) || svc_value_in(c->s, region, regions[i])) return true; /* the checks of the body ensure this */
  v = svc_violate(c, SVC_E_INVALID_REGION, SVC_S("providerSettings.regionName"), "is not a region of the backing provider");
  if (v) v->fault = SVC_FIELD_FAULT_VALUE, v->value = region;
  return svc_check_done(c);
}

/* A simulated flex cluster has the hosts of a cluster in one shared region. The names of hosts derive from its id, which an
** upgrade keeps. */
static bool flex_cluster_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  static const char model[] = "{\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":{},"
                              "\"providerName\":\"TENANT\"}]}]}";
  svc_node *like = svc_json_parse(c->arena, svc_str_c(model));
  svc_cluster_kept kept;
  svc_cluster_reach reach;
  (void)action;
  if (!like) return svc_no_memory(c);
  if (change->extra.n < CLUSTER_ID) return true; /* a damaged record has no names of hosts */
  memset(&kept, 0, sizeof kept);
  memcpy(kept.id, change->extra.p, sizeof kept.id);
  reach = svc_cluster_reach_of(c, like, &kept);
  svc_cluster_simulated_hosts(c->arena, &reach, facts);
  return true;
}

static bool flex_cluster_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  svc_cluster_kept none;
  memset(&none, 0, sizeof none);
  if (svc_node_get(facts, "version")) svc_node_set_from(c->arena, change->body, "dbVersion", facts, "version");
  return svc_network_facts(c, change, &none, facts);
}

/* Chooses six characters for the names of its hosts, which no other cluster of the project has, and adds empty connection
** strings: there are no hosts before the end of the creation. A flex cluster that replaces a cluster takes over the hosts of
** that cluster. */
static bool flex_cluster_begin(svc_call *c, svc_change *change)
{
  svc_node *strings = svc_node_object(c->arena, "connectionStrings");
  svc_id seed = change->id;
  char id[CLUSTER_ID];
  if (!strings) return svc_no_memory(c);
  svc_cluster_host_id(c, &seed, id);
  while (svc_cluster_host_taken(c, FLEX_KIND, id)) { /* taken by another flex cluster; svc_cluster_host_id() checked clusters only */
    seed = svc_new_id(c->txn);
    svc_cluster_host_id(c, &seed, id);
  }
  change->extra = svc_arena_copy(c->arena, (svc_str){ id, sizeof id });
  if (change->extra.n < CLUSTER_ID) return svc_no_memory(c);
  svc_node_put(c->arena, change->body, strings);
  return change->action != FLEX_TAKES_OVER || svc_facts_take(c, change, "flex.create", NULL);
}

static bool flex_cluster_prepare(svc_call *c, svc_change *change)
{
  const svc_db_version *version = svc_db_versions;
  if (change->before) return true;
  while (!version->is_default) version++;
  svc_node_set_text(c->arena, change->body, "dbVersion", version->full);
  svc_change_due(change, FLEX_CLUSTER_DUE_SNAPSHOT, c->now + SVC_DAY_MS);
  return svc_cluster_name_free(c, svc_node_str(change->body, "name")) && flex_cluster_region(c, change->body) && flex_cluster_begin(c, change);
}

/* The due date of the next snapshot: a day later. After a long time without due steps, takes only the snapshots that would
** not have expired yet. */
static int64_t flex_cluster_next_snapshot(const svc_call *c)
{
  int64_t late = (c->txn->ids->now - c->now) / SVC_DAY_MS;
  return c->now + (late > FLEX_SNAPSHOTS ? late - FLEX_SNAPSHOTS + 1 : 1) * SVC_DAY_MS;
}

static bool flex_cluster_fell_due(svc_call *c, svc_change *change, int tag)
{
  const svc_noun_info *snapshots = svc_noun_named(c->s, "flex snapshot");
  svc_change taken;
  svc_entity e;
  if (tag != FLEX_CLUSTER_DUE_SNAPSHOT) return true;
  svc_change_due(change, FLEX_CLUSTER_DUE_SNAPSHOT, flex_cluster_next_snapshot(c));
  if (!snapshots || !svc_cluster_is(change->body, "stateName", "IDLE")) return true;
  memset(&taken, 0, sizeof taken);
  taken.noun = snapshots;
  taken.parent = change->entity.id;
  taken.body = svc_node_object(c->arena, NULL);
  if (!taken.body) return svc_no_memory(c);
  svc_node_set_from(c->arena, taken.body, "dbVersion", change->body, "dbVersion");
  if (svc_flex_data(&change->entity)) taken.extra = SVC_S(FLEX_HAS_DATA);
  return svc_insert(c, &taken, &e);
}

static bool flex_cluster_gone(svc_call *c, const svc_entity *e)
{
  bool deleted = svc_json_is(e->body, "stateName", "DELETING");
  return !deleted || svc_event_about(c, svc_noun_by_kind(c->s, FLEX_KIND), e, "CLUSTER_DELETED", true);
}

/* A flex cluster costs a fixed price per hour while it exists, regardless of its use. */
static size_t flex_cluster_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most)
{
  svc_str provider = svc_node_str(svc_node_get(body, "providerSettings"), "backingProviderName");
  if (SVC_NEVER(most == 0)) return 0;
  out[0] = (svc_meter){ svc_arena_print(c->arena, "FLEX_" SVC_FMT, SVC_ARG(provider)), 1000 };
  return 1;
}

/* ------------------------------------------------------------------------------------------------------------- noun */

static const svc_field_event flex_cluster_events[] = {
  { "tags", "CLUSTER_TAGS_MODIFIED", NULL },
  { NULL, NULL, NULL }
};

static const svc_field_error flex_cluster_errors[] = {
  { "name", SVC_FIELD_FAULT_VALUE, SVC_E_CLUSTER_NAME_INVALID },
  { "name", SVC_FIELD_FAULT_LONG, SVC_E_CLUSTER_NAME_TOO_LONG },
  { "name", SVC_FIELD_FAULT_CHANGED, SVC_E_CLUSTER_CANNOT_CHANGE_NAME },
  { "providerSettings.regionName", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_REGION },
  { "providerSettings.backingProviderName", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_PROVIDER },
  { NULL, 0, 0 }
};

static svc_node *flex_cluster_governed(svc_call *c, const svc_change *change, int *what)
{
  *what = SVC_POLICY_CLUSTER;
  return svc_policy_of_flex(c, change->body, svc_policy_clusters(c, !change->before));
}

/* The service chooses the machines, so events do not name a cloud provider. */
static const svc_event_member flex_cluster_event_members[] = { { "cloudProvider", NULL, "SERVERLESS" }, { NULL, NULL, NULL } };

SVC_PRIVATE const svc_noun svc_noun_flex_cluster = {
  .name = "flex cluster",
  .rel = "flexCluster",
  .kind = FLEX_KIND,
  .parent = "project",
  .param = "name",
  .flags = SVC_TEXT_BESIDE,
  .object = &svc_flex_object,
  .key = "name",
  .unique = "name",
  .err_not_found = SVC_E_CLUSTER_NOT_FOUND,
  .err_exists = SVC_E_DUPLICATE_CLUSTER_NAME,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_CLUSTERS,
  .err_quota = SVC_E_CLUSTERS_LIMIT_EXCEEDED,
  .lifecycle = &flex_cluster_lifecycle,
  .guards = flex_cluster_guards,
  .event_created = "CLUSTER_CREATED",
  .event_updated = "CLUSTER_UPDATE_SUBMITTED",
  .event_deleted = "CLUSTER_DELETE_SUBMITTED",
  .event_field = "clusterName",
  .ext = SVC_NOUN_EXT(.event_members = flex_cluster_event_members, .governed = flex_cluster_governed, .names = FLEX_NAMES,
                        .counted_in = "clusterCount", .err_other = SVC_E_CANNOT_USE_NON_FLEX_CLUSTER_IN_FLEX_API,
                        .quota = "svc.project.deployment.clusters", .field_events = flex_cluster_events, .meters = flex_cluster_meters),
  .field_errors = flex_cluster_errors,
  .routes = SVC_ROUTES(flex_cluster_routes),
  .prepare = flex_cluster_prepare,
  .fell_due = flex_cluster_fell_due,
  .gone = flex_cluster_gone,
  .orders = flex_cluster_orders,
  .simulate = flex_cluster_simulate,
  .facts = flex_cluster_facts
};

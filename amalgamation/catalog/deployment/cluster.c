/*
** cluster: a database deployment of a project, on machines of one or more cloud providers.
**
**   POST --> CREATING --> IDLE <--> UPDATING <-- PATCH
**                          | ^
**                          | +----> REPAIRING <-- PATCH of paused; also the state after a failed order
**                          |
**                          +------> DELETING <-- DELETE     then it is deleted: 404
**
** Pausing: a request that pauses a cluster changes nothing else, and is refused within an hour of a resume. After 30 days
** a paused cluster resumes by itself, as if by request. Tags, labels and termination protection can also change while the
** cluster is paused; a change of termination protection leaves the state alone. A change during CREATING is part of the
** creation. Connection strings exist from the end of the creation on.
**
** The rules of clusters are in cluster_specs.c and cluster_rules.c; operations other than changes of fields are in
** cluster_actions.c and tenant_upgrade_run.c. catalog/cluster has the fields (cluster_object.c), the hardware of nodes
** (cluster_hardware.c) and the names of hosts (cluster_connection.c); cluster_base.h draws the layout of a cluster's
** `extra`. Connection strings are in network/network_reach.c.
*/
#include "catalog/catalog.h"
#include "catalog/policy/policy_language.h"

#include "catalog/backup/backup_parts.h"
#include "catalog/cluster/cluster_history.h"
#include "catalog/deployment/cluster_parts.h"
#include "catalog/deployment/flex_parts.h"
#include "catalog/network/network_parts.h"

enum {
  CLUSTER_PAUSE_MINUTES = 60, /* after a resume, before the next pause */
  CLUSTER_PAUSED_DAYS = 30    /* days of a pause before the automatic resume; the text of Cluster.paused in catalog/cluster/reference.txt
                                 names the number, too */
};

/* Fields that can also change while the cluster is paused, or while another operation on it is in progress. */
static const char *const cluster_light[] = { "labels", "tags", "terminationProtectionEnabled", NULL };
static const char cluster_pausing[] = "REPAIRING"; /* the state in which a cluster is pausing or resuming */

/* ----------------------------------------------------------------------------------------------------------- routes */

/* deleted_cluster.c keeps what remains of a cluster that is deleted with retainBackups. */
static const svc_param cluster_list_params[] = {
  { .name = "includeDeletedWithRetainedBackups", .type = SVC_BOOLEAN }, { .name = NULL }
};
static const svc_param cluster_delete_params[] = { { .name = "retainBackups", .type = SVC_BOOLEAN }, { .name = NULL } };

#define CLUSTER_EDITORS \
  (SVC_R_GROUP_CLUSTER_MANAGER | SVC_R_GROUP_CLUSTER_RESILIENCE_TESTER | SVC_R_GROUP_REPLICA_SET_MANAGER)

#define CLUSTER "/groups/{groupId}/clusters", SVC_SET_CLUSTERS, (20230101, 20230201, 20240805), SVC_R_GROUP_READ_ONLY, 0
#define CLUSTER_CHANGE "/groups/{groupId}/clusters", SVC_SET_CLUSTERS, (20230101, 20230201, 20240805, 20241023), 0, CLUSTER_EDITORS
#define CLUSTER_UPGRADE "/groups/{groupId}/clusters", SVC_SET_CLUSTERS, (20230101), 0, SVC_R_GROUP_CLUSTER_MANAGER
#define CLUSTER_ONE(...) "/groups/{groupId}/clusters/{clusterName}", SVC_SET_CLUSTERS, (__VA_ARGS__), 0, 0

static bool cluster_list(svc_call *c);
static bool cluster_stays(svc_call *c);

static const svc_route cluster_routes[] = {
  R_GET(CLUSTER, "", .older = svc_cluster_older, .flags = SVC_PAGED, .params = cluster_list_params, .op = "listClusters", .run = cluster_list),
  R_FOR(SVC_R_GROUP_CLUSTER_CREATOR, CLUSTER_CHANGE, SVC_POST, "", .older = svc_cluster_older_create, .status = 201, .op = "createCluster", .run = svc_verb_create,
        .example = "{\"name\":\"Main\",\"backupEnabled\":true,\"clusterType\":\"SHARDED\",\"replicationSpecs\":[{"
                   "\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,"
                   "\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3}}]}]}"),
  R_GET(CLUSTER, "/{clusterName}", .older = svc_cluster_older, .op = "getCluster", .run = svc_verb_read),
  R_PATCH(CLUSTER_CHANGE, "/{clusterName}", .older = svc_cluster_older_change, .op = "updateCluster", .gate = cluster_stays,
          .run = svc_verb_update),
  R_FOR(SVC_R_GROUP_OWNER, CLUSTER_ONE(20230101, 20230201), SVC_DELETE, "", .older = svc_older_20230101, .status = 202, .flags = SVC_EMPTY_OBJECT,
        .params = cluster_delete_params, .op = "deleteCluster", .run = svc_verb_delete),
  R_FOR(SVC_R_GROUP_READ_ONLY, CLUSTER_ONE(20230101), SVC_GET, "/status", .answer = &svc_cluster_status, .op = "getClusterStatus", .run = svc_cluster_run_status),
  R_FOR(SVC_R_GROUP_READ_ONLY, CLUSTER_ONE(20240805), SVC_GET, "/autoScalingConfiguration",
        .answer = &svc_cluster_scaling_mode, .op = "autoScalingConfiguration", .run = svc_cluster_run_scaling_mode, .deprecated = 20240805),
  R_FOR(SVC_R_GROUP_CLUSTER_MANAGER, CLUSTER_ONE(20230101, 20230201), SVC_POST, "/restartPrimaries", .older = svc_older_20230101, .status = 200,
        .flags = SVC_NO_BODY | SVC_EMPTY_OBJECT, .op = "restartPrimaries", .run = svc_cluster_run_restart),
  R_FOR(SVC_R_GROUP_OWNER, CLUSTER_ONE(20240530), SVC_POST, ":pinFeatureCompatibilityVersion", .status = 204,
        .flags = SVC_BODY_OPTIONAL, .body = &svc_cluster_pin, .op = "pinFeatureCompatibilityVersion", .run = svc_cluster_run_pin, .example = "{}"),
  R_FOR(SVC_R_GROUP_OWNER, CLUSTER_ONE(20240530), SVC_POST, ":unpinFeatureCompatibilityVersion", .status = 204,
        .flags = SVC_NO_BODY, .op = "unpinFeatureCompatibilityVersion", .run = svc_cluster_run_unpin),
  R_FOR(SVC_R_GROUP_SUPPORT_ACCESS_MANAGER, CLUSTER_ONE(20240805), SVC_POST, ":grantVendorEmployeeAccess", .status = 204,
        .body = &svc_cluster_grant, .op = "grantDbEmployeeAccess", .run = svc_cluster_run_grant,
        .example = "{\"expirationTime\":\"2099-01-01T00:00:00Z\",\"grantType\":\"CLUSTER_DATABASE_LOGS\"}"),
  R_FOR(SVC_R_GROUP_SUPPORT_ACCESS_MANAGER, CLUSTER_ONE(20240805), SVC_POST, ":revokeVendorEmployeeAccess", .status = 204,
        .flags = SVC_NO_BODY, .op = "revokeDbEmployeeAccess", .run = svc_cluster_run_revoke),
  R_POST(CLUSTER_UPGRADE, "/tenantUpgrade", .body = &svc_cluster_legacy, .answer = &svc_cluster_legacy, .op = "upgradeTenantUpgrade", .run = svc_cluster_run_upgrade,
         .example = "{\"name\":\"Shared\",\"providerSettings\":{\"instanceSizeName\":\"M10\",\"providerName\":\"AWS\","
                    "\"regionName\":\"US_EAST_1\"}}"),
  { .method = SVC_POST, .path = "/groups/{groupId}/flexClusters:tenantUpgrade", .set = SVC_SET_FLEX_CLUSTERS,
    .versions = { 20241113 }, .roles = SVC_R_GROUP_CLUSTER_MANAGER, .answer = &svc_flex_object, .op = "tenantUpgrade", .run = svc_flex_upgrade,
    .example = "{\"name\":\"Flexible\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":"
               "\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\","
               "\"nodeCount\":3}}]}]}" }
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition cluster_transitions[] = {
  { "CREATING", "IDLE", 100, "CLUSTER_READY", "cluster.create" },
  { "UPDATING", "IDLE", 50, "CLUSTER_UPDATE_COMPLETED", "cluster.update" },
  { cluster_pausing, "IDLE", 50, "CLUSTER_UPDATE_COMPLETED", "cluster.update" },
  { "DELETING", NULL, 25, "CLUSTER_DELETED", "cluster.delete" },
  { NULL, NULL, 0, NULL, NULL }
};
/* The snapshots to retain are chosen when the cluster is removed. A cluster in DELETING shows neither backups nor tags. */
static bool cluster_leaving(svc_call *c, svc_change *change)
{
  svc_node *tags = svc_node_array(c->arena, "tags");
  if (!tags) return svc_no_memory(c);
  svc_node_put(c->arena, change->body, tags);
  svc_node_set_bool(c->arena, change->body, "backupEnabled", false);
  svc_node_set_bool(c->arena, change->body, "retainBackups", svc_backup_retains(c, &change->entity));
  return true;
}

static const svc_lifecycle cluster_lifecycle = {
  .field = "stateName", .created = "CREATING", .updated = "UPDATING", .deleted = "DELETING", .failed = "REPAIRING",
  .event_failed = "DEPLOYMENT_FAILURE", .transitions = cluster_transitions, .leaving = cluster_leaving
};

/* A cluster in DELETING is neither changed nor deleted again; a protected cluster is not deleted. */
static const svc_guard cluster_guards[] = {
  { "stateName", "DELETING", SVC_GUARD_CHANGE | SVC_GUARD_DELETE, SVC_E_CLUSTER_ALREADY_REQUESTED_DELETION },
  { "terminationProtectionEnabled", "true", SVC_GUARD_DELETE,
    SVC_E_CANNOT_TERMINATE_CLUSTER_WHEN_TERMINATION_PROTECTION_ENABLED },
  { NULL, NULL, 0, 0 }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* ---- lists */

/* Lists the clusters, then the deleted clusters that left snapshots behind. */
typedef struct cluster_source {
  svc_scan scan;
  svc_id group;
  const char *kind;
} cluster_source;

static bool cluster_next(svc_call *c, void *state, svc_item *out)
{
  cluster_source *from = state;
  svc_entity e;
  while (!svc_below_next(&from->scan, from->kind, &e)) {
    if (!svc_txn_good(c) || strcmp(from->kind, CLUSTER_KIND) != 0) return false;
    from->kind = DELETED_CLUSTER_KIND;
    svc_below_begin(&from->scan, c->txn, from->kind, &from->group);
  }
  if (!out) return true;
  out->key = strcmp(from->kind, CLUSTER_KIND) == 0 ? e.key : SVC_S(""); /* a deleted cluster has no path of its own: its link leads to the
                                                                           list */
  out->body = e.body;
  out->links_at = e.links_at;
  return true;
}

static bool cluster_list(svc_call *c)
{
  const svc_query_value *gone = svc_query_get(c, "includeDeletedWithRetainedBackups");
  cluster_source from;
  if (!gone || !gone->number) return svc_verb_list(c);
  if (!svc_resolve_all(c)) return false;
  from.group = svc_path_entity(c, "project")->id;
  from.kind = CLUSTER_KIND;
  svc_below_begin(&from.scan, c->txn, from.kind, &from.group);
  return svc_list_items(c, cluster_next, &from, (int64_t)(svc_count(c->txn, CLUSTER_KIND, &from.group) +
                                                          svc_count(c->txn, DELETED_CLUSTER_KIND, &from.group)));
}

/* ---- changes */

/* A request to change a cluster in DELETING has its own error. For other operations the guards have one. */
static bool cluster_stays(svc_call *c)
{
  if (!svc_resolve_all(c)) return false;
  if (!svc_json_is(svc_path_entity(c, "cluster")->body, "stateName", "DELETING")) return true;
  return svc_fail(c, SVC_E_GENERAL_ERROR, "s", "This cluster is currently being deleted, cannot update");
}

typedef struct cluster_diff {
  bool pause, tags, labels, light, heavy;
} cluster_diff;

static void cluster_note(cluster_diff *diff, svc_str name)
{
  const char *const *light = cluster_light;
  while (*light && !svc_str_is(name, *light)) light++;
  if (svc_str_is(name, "paused")) diff->pause = true;
  else if (*light) diff->light = true;
  else diff->heavy = true;
  if (svc_str_is(name, "tags")) diff->tags = true;
  if (svc_str_is(name, "labels")) diff->labels = true;
}

static cluster_diff cluster_compare(const svc_change *change)
{
  cluster_diff diff = { false, false, false, false, false };
  const svc_node *member, *other;
  for (member = change->body->first; member; member = member->next) {
    other = svc_node_find(change->before, member->name);
    if (!other || !svc_node_same(member, other)) cluster_note(&diff, member->name);
  }
  for (member = change->before->first; member; member = member->next)
    if (!svc_node_find(change->body, member->name)) cluster_note(&diff, member->name);
  return diff;
}

static bool cluster_may_pause(svc_call *c, const svc_change *change, const cluster_diff *diff,
                              const svc_cluster_kept *kept)
{
  int64_t minutes = CLUSTER_PAUSE_MINUTES;
  svc_str name = svc_node_str(change->body, "name");
  if (diff->light || diff->heavy) return svc_cluster_fail(c, change, SVC_E_CANNOT_UPDATE_AND_PAUSE_CLUSTER);
  if (svc_cluster_is_tenant(change->body)) return svc_cluster_fail(c, change, SVC_E_TENANT_CLUSTER_UPDATE_UNSUPPORTED);
  if (!svc_cluster_is(change->before, "stateName", "IDLE"))
    return svc_cluster_fail(c, change, SVC_E_CANNOT_PAUSE_CLUSTER_WITH_PENDING_CHANGES);
  if (kept->resumed && c->now - kept->resumed < minutes * 60000)
    return svc_fail(c, SVC_E_CANNOT_PAUSE_RECENTLY_RESUMED_CLUSTER, "Si", &name, &minutes);
  return true;
}

static bool cluster_pause_rules(svc_call *c, const svc_change *change, const cluster_diff *diff,
                                const svc_cluster_kept *kept)
{
  bool was = svc_node_bool(change->before, "paused", false), is = svc_node_bool(change->body, "paused", false);
  if (is && !was) return cluster_may_pause(c, change, diff, kept);
  if (was && diff->heavy) return svc_cluster_fail(c, change, SVC_E_CANNOT_UPDATE_PAUSED_CLUSTER);
  /* A whole body that was read and sent back also contains paused: true. Such a body does not request a pause. */
  if (was && is && svc_node_count(change->input) == 1 && svc_node_get(change->input, "paused"))
    return svc_cluster_fail(c, change, SVC_E_CLUSTER_ALREADY_PAUSED);
  return true;
}

/* Checks that no other operation on the cluster is in progress that the change would disturb. False: refused. */
static bool cluster_undisturbed(svc_call *c, const svc_change *change)
{
  if (svc_cluster_restarts(change)) return svc_cluster_fail(c, change, SVC_E_CLUSTER_RESTART_IN_PROGRESS);
  if (svc_cluster_imports(c, &change->entity))
    return svc_cluster_fail(c, change, SVC_E_CANNOT_MODIFY_CLUSTER_WITH_RUNNING_LIVE_IMPORT);
  if (svc_cluster_has_outage(c, &change->id)) return svc_cluster_fail(c, change, SVC_E_OUTAGE_SIMULATION_ALREADY_EXISTS);
  if (svc_backup_restoring(c, &change->id)) return svc_cluster_fail(c, change, SVC_E_CLUSTER_RESTORE_IN_PROGRESS_CANNOT_UPDATE);
  return true;
}

/* Sets the state that the change leads to, and its event. */
static void cluster_moves(svc_change *change, const cluster_diff *diff)
{
  bool submitted = !diff->heavy && !diff->pause;
  if (diff->pause) change->state = cluster_pausing;
  if (submitted && !diff->tags && !diff->labels) change->state = NULL;
  if (svc_cluster_is(change->before, "stateName", "CREATING")) change->state = NULL, submitted = true;
  if (submitted) change->event = diff->tags && !diff->heavy ? "CLUSTER_TAGS_MODIFIED" : diff->light || diff->heavy ? "CLUSTER_UPDATE_SUBMITTED" : NULL;
}

/* Hosts have no names before the end of the creation. New hosts are shown when the change is done: until then the connection
** strings lead to the existing hosts. */
static bool cluster_connect(svc_call *c, svc_change *change, const svc_cluster_kept *kept)
{
  bool made = change->state && strcmp(change->state, change->noun->noun->lifecycle->created) != 0;
  if (change->before && svc_cluster_connected(change->before)) return true;
  return made && !change->before ? svc_facts_take(c, change, "cluster.create", NULL) : svc_network_begin(c, change->body, kept);
}

static bool cluster_update(svc_call *c, svc_change *change, svc_cluster_kept *kept)
{
  cluster_diff diff = cluster_compare(change);
  if ((diff.heavy || diff.pause) && !cluster_undisturbed(c, change)) return false;
  if (!cluster_pause_rules(c, change, &diff, kept)) return false;
  if (diff.pause) {
    bool pause = svc_node_bool(change->body, "paused", false);
    svc_change_due(change, CLUSTER_DUE_RESUME, pause ? c->now + CLUSTER_PAUSED_DAYS * SVC_DAY_MS : 0);
    if (!pause) kept->resumed = c->now;
  }
  cluster_moves(change, &diff);
  return !diff.heavy || cluster_connect(c, change, kept);
}

static bool cluster_prepare(svc_call *c, svc_change *change)
{
  svc_cluster_kept kept;
  memset(&kept, 0, sizeof kept);
  if (svc_cluster_acts(c, change)) return true;
  if (change->before) kept = svc_cluster_kept_of(&change->entity);
  else svc_cluster_begin(c, change, &kept);
  if (!svc_cluster_rules(c, change) || !svc_network_allows(c, change)) return false;
  change->extra = svc_cluster_extra(c, change, &kept);
  if (change->before ? !cluster_update(c, change, &kept) : !cluster_connect(c, change, &kept)) return false;
  if (change->before) change->extra = svc_cluster_extra(c, change, &kept);
  return svc_backup_allows(c, change);
}

/* Updates related records: transfer, scaling, history, backups and networks. */
static bool cluster_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  if (change->before && svc_node_bool(change->body, "paused", false) && !svc_transfer_stop(c, e)) return false;
  if (!svc_cluster_scaling_follows(c, change, e)) return false;
  return svc_history_changed(c, e, change->before, change->body) && svc_backup_follows(c, change, e) && svc_network_follows(c, change);
}

/* At the end of a pause the cluster is updated as by a request to resume. */
static bool cluster_fell_due(svc_call *c, svc_change *change, int tag)
{
  svc_cluster_kept kept = svc_cluster_kept_of(&change->entity);
  if (svc_cluster_ended(c, change, tag)) return true;
  if (tag == SVC_DUE_STATE && kept.restarting) {
    kept.restarting = false;
    change->extra = svc_cluster_extra(c, change, &kept);
  }
  if (tag != CLUSTER_DUE_RESUME || !svc_node_bool(change->body, "paused", false)) return true;
  kept.resumed = c->now;
  svc_node_set_bool(c->arena, change->body, "paused", false);
  svc_node_set_text(c->arena, change->body, "stateName", cluster_pausing);
  change->due = svc_transition_due(c->s, change->noun->noun, svc_str_c(cluster_pausing), c->now);
  change->event = change->noun->noun->event_updated;
  change->extra = svc_cluster_extra(c, change, &kept);
  return svc_history_changed(c, &change->entity, change->before, change->body);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

static const svc_field_error cluster_errors[] = {
  { "name", SVC_FIELD_FAULT_VALUE, SVC_E_CLUSTER_NAME_INVALID },
  { "name", SVC_FIELD_FAULT_LONG, SVC_E_CLUSTER_NAME_TOO_LONG },
  { "name", SVC_FIELD_FAULT_CHANGED, SVC_E_CLUSTER_CANNOT_CHANGE_NAME },
  { "replicationSpecs[].regionConfigs[].regionName", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_ATTRIBUTE },
  { "replicationSpecs[].regionConfigs[].providerName", SVC_FIELD_FAULT_VALUE, SVC_E_INVALID_PROVIDER },
  { NULL, 0, 0 }
};

static svc_node *cluster_governed(svc_call *c, const svc_change *change, int *what)
{
  *what = svc_cluster_is_changed(change) ? SVC_POLICY_CLUSTER : 0;
  return svc_policy_of_cluster(c, change->before, change->body, svc_policy_clusters(c, !change->before));
}

SVC_PRIVATE const svc_noun svc_noun_cluster = {
  .name = "cluster",
  .kind = CLUSTER_KIND,
  .parent = "project",
  .param = "clusterName",
  .flags = SVC_TEXT_BESIDE,
  .object = &svc_cluster_object,
  .key = "name",
  .unique = "name",
  .err_not_found = SVC_E_CLUSTER_NOT_FOUND,
  .err_exists = SVC_E_DUPLICATE_CLUSTER_NAME,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_CLUSTERS,
  .err_quota = SVC_E_CLUSTERS_LIMIT_EXCEEDED,
  .lifecycle = &cluster_lifecycle,
  .guards = cluster_guards,
  .event_created = "CLUSTER_CREATED",
  .event_updated = "CLUSTER_UPDATE_STARTED",
  .event_deleted = "CLUSTER_DELETE_SUBMITTED",
  .event_field = "clusterName",
  .ext = SVC_NOUN_EXT(.diff = &svc_cluster_diff, .governed = cluster_governed, .names = FLEX_NAMES, .counted_in = "clusterCount",
                        .err_other = SVC_E_CANNOT_USE_FLEX_CLUSTER_IN_CLUSTER_API, .quota = "svc.project.deployment.clusters",
                        .meters = svc_cluster_meters),
  .field_errors = cluster_errors,
  .routes = SVC_ROUTES(cluster_routes),
  .prepare = cluster_prepare,
  .stored = cluster_stored,
  .removing = svc_backup_removing,
  .fell_due = cluster_fell_due,
  .gone = svc_network_left,
  .desired = svc_cluster_desired,
  .orders = svc_cluster_orders,
  .simulate = svc_cluster_simulate,
  .facts = svc_cluster_facts,
  .reports = &svc_cluster_reports,
  .reported = svc_cluster_reported
};

/*
** The backup compliance policy of a project: the minimum for all its backups, and protection against deletes.
**
**   PUT --> ENABLING --> ACTIVE <--> UPDATING <-- PUT
**                          +-------> DISABLING <-- DELETE     then there is no policy
**
** While a policy exists, in any state: snapshots cannot be deleted, and their retention cannot be reduced; no schedule may
** provide less than the policy; no cluster may turn off its backups, or be created without (backup_record.c); the project
** cannot be deleted. With copyProtectionEnabled, copies are protected, too; with encryptionAtRestEnabled, clusters must be
** encrypted.
**
** The policy cannot be weakened: a PUT that asks for less than before is refused. The policy can only be deleted while it
** protects no snapshot; `deletable` shows whether it can.
**
** A PUT raises existing schedules to the policy (at most one per cluster of the project). With
** overwriteBackupPolicies=false, the PUT is refused instead if a schedule provides less.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/cluster/cluster_base.h"

static const char *const compliance_policy_on_demand[] = { "ondemand", NULL };
static const char *const compliance_policy_states[] = { "ACTIVE", "ENABLING", "UPDATING", "DISABLING", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

#define COMPLIANCE_POLICY_KEEPS \
  F_ID(), F_ENUM("retentionUnit", svc_values_retention_units, .flags = SVC_REQUIRED), \
  F_INT("retentionValue", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 1, .max = 3660)

static const svc_field compliance_policy_on_demand_fields[] = {
  F_INT("frequencyInterval", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 0, .max = 40, .values = svc_values_snapshot_intervals),
  F_ENUM("frequencyType", compliance_policy_on_demand, .flags = SVC_REQUIRED),
  COMPLIANCE_POLICY_KEEPS
};
static const svc_object compliance_policy_on_demand_item = {
  .name = "BackupComplianceOnDemandPolicyItem", .fields = SVC_ROWS(compliance_policy_on_demand_fields)
};
static const svc_field compliance_policy_scheduled_fields[] = {
  F_INT("frequencyInterval", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 1, .max = 40, .values = svc_values_snapshot_intervals + 1),
  F_ENUM("frequencyType", svc_values_snapshot_frequencies, .flags = SVC_REQUIRED),
  COMPLIANCE_POLICY_KEEPS
};
static const svc_object compliance_policy_scheduled_item = {
  .name = "BackupComplianceScheduledPolicyItem", .fields = SVC_ROWS(compliance_policy_scheduled_fields)
};

static const svc_field compliance_policy_common_fields[] = {
  F_STR("authorizedEmail", .format = SVC_FORMAT_EMAIL, .flags = SVC_REQUIRED, .max = 255),
  F_BOOL("copyProtectionEnabled", .preset = "false"),
  F_BOOL("deletable", .flags = SVC_READ_ONLY, .preset = "true"),
  F_BOOL("encryptionAtRestEnabled", .preset = "false"),
  F_OBJ("onDemandPolicyItem", &compliance_policy_on_demand_item, .flags = SVC_NULLABLE),
  F_BOOL("pitEnabled", .preset = "false"),
  F_HEX24("projectId", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_GROUP_ID),
  F_INT("restoreWindowDays", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 366),
  F_LIST("scheduledPolicyItems", &compliance_policy_scheduled_item, .max_items = SVC_BACKUP_ITEMS, .preset = "[]"),
  F_ENUM("state", compliance_policy_states, .flags = SVC_READ_ONLY),
  F_DATE("updatedDate", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_CHANGED),
  F_STR("updatedUser", .flags = SVC_READ_ONLY)
};
static const svc_object compliance_policy_common = { .name = "DataProtectionCommon", .fields = SVC_ROWS(compliance_policy_common_fields) };

#define COMPLIANCE_POLICY_NAMES(asked) \
  F_STR("authorizedUserFirstName", .flags = asked, .min = 1, .max = 255), F_STR("authorizedUserLastName", .flags = asked, .min = 1, .max = 255)
static const svc_field compliance_policy_fields[] = { COMPLIANCE_POLICY_NAMES(SVC_REQUIRED) };
static const svc_object compliance_policy_object = {
  .name = "DataProtectionSettings", .fields = SVC_ROWS(compliance_policy_fields), .base = &compliance_policy_common
};
/* Before 2023-10-01 the names were optional. */
static const svc_field compliance_policy_old_fields[] = { COMPLIANCE_POLICY_NAMES(0) };
static const svc_object compliance_policy_old = {
  .name = "DataProtectionSettings20230101", .fields = SVC_ROWS(compliance_policy_old_fields), .base = &compliance_policy_common
};

SVC_ERROR(CANNOT_DELETE_BACKUP_COMPLIANCE_POLICY_WITH_SNAPSHOTS, 409, "The backup compliance policy of the project with ID {0} protects "
          "snapshots, and cannot be deleted while one of them is kept.", "groupId");

/* ----------------------------------------------------------------------------------------------------------- routes */

static const svc_param compliance_policy_params[] = {
  { .name = "overwriteBackupPolicies", .type = SVC_BOOLEAN }, { .name = NULL }
};

#define COMPLIANCE_POLICY \
  "/groups/{groupId}/backupCompliancePolicy", SVC_SET_BACKUP, (20230101, 20231001), SVC_R_GROUP_OWNER, SVC_R_GROUP_OWNER

static bool compliance_policy_upgrade(svc_call *c, svc_node *body, const svc_node *before);

static const svc_older compliance_policy_older[] = {
  { .date = 20230101, .sunset = 20270701, .body = &compliance_policy_old, .answer = &compliance_policy_old, .upgrade = compliance_policy_upgrade },
  { .date = 0 }
};

static const svc_route compliance_policy_routes[] = {
  R_GET(COMPLIANCE_POLICY, "", .older = compliance_policy_older, .op = "getCompliancePolicy", .run = svc_verb_read),
  R_PUT(COMPLIANCE_POLICY, "", .older = compliance_policy_older, .params = compliance_policy_params, .op = "updateCompliancePolicy", .run = svc_verb_replace,
        .example = "{\"authorizedEmail\":\"ada@example.com\",\"authorizedUserFirstName\":\"Ada\",\"authorizedUserLastName\":"
                   "\"Lovelace\",\"scheduledPolicyItems\":[{\"frequencyInterval\":1,\"frequencyType\":\"daily\","
                   "\"retentionUnit\":\"days\",\"retentionValue\":3}]}"),
  { .method = SVC_DELETE, .path = "/groups/{groupId}/backupCompliancePolicy", .set = SVC_SET_BACKUP, .status = 204,
    .versions = { 20241113 }, .roles = SVC_R_GROUP_OWNER, .op = "disableCompliancePolicy", .run = svc_verb_delete }
};

/* -------------------------------------------------------------------------------------------------------- lifecycle */

static const svc_transition compliance_policy_transitions[] = {
  { "ENABLING", "ACTIVE", 25, "CPS_DATA_PROTECTION_ENABLED", NULL },
  { "UPDATING", "ACTIVE", 25, "CPS_DATA_PROTECTION_UPDATED", NULL },
  { "DISABLING", NULL, 25, "CPS_DATA_PROTECTION_DISABLED", NULL },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle compliance_policy_lifecycle = {
  .field = "state", .created = "ENABLING", .updated = "UPDATING", .deleted = "DISABLING",
  .transitions = compliance_policy_transitions
};

/* A second delete answers 404, as if the policy were deleted already. */
static const svc_guard compliance_policy_guards[] = {
  { "state", "DISABLING", SVC_GUARD_DELETE, SVC_E_BACKUP_CONFIG_NOT_FOUND }, { NULL, NULL, 0, 0 }
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

/* A missing name stays unchanged; in a new policy the e-mail address takes its place. */
static bool compliance_policy_upgrade(svc_call *c, svc_node *body, const svc_node *before)
{
  static const char *const names[] = { "authorizedUserFirstName", "authorizedUserLastName" };
  size_t i;
  for (i = 0; i < sizeof names / sizeof names[0]; i++)
    if (!svc_node_get(body, names[i])) svc_node_set_copy(c->arena, body, names[i], before ? before : body, before ? names[i] : "authorizedEmail");
  return !c->arena->failed;
}

/* A schedule of a cluster that provides less than the policy is raised to the policy, or the policy is refused. */
static bool compliance_policy_cluster(svc_call *c, const svc_node *policy, const svc_entity *cluster, bool overwrite)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, BACKUP_SCHEDULE_KIND);
  svc_change change;
  svc_entity record;
  if (!noun || !svc_json_is(cluster->body, "backupEnabled", "true") || svc_backup_record(c, &cluster->id, &record) != SVC_OK)
    return svc_txn_good(c);
  if (!svc_change_of(c, noun, &record, &change)) return false;
  if (svc_compliance_covers(policy, change.body)) return true;
  if (!overwrite)
    return svc_fail(c, SVC_E_BACKUP_POLICIES_NOT_MEETING_BACKUP_COMPLIANCE_POLICY_REQUIREMENTS, "S", &cluster->unique);
  change.event = noun->noun->event_updated;
  return svc_compliance_raise(c, policy, change.body) && svc_change_keep(c, &change, &record);
}

static bool compliance_policy_prepare(svc_call *c, svc_change *change)
{
  const svc_query_value *asked = svc_query_get(c, "overwriteBackupPolicies");
  const svc_noun_info *clusters = svc_noun_named(c->s, "cluster");
  svc_entity cluster;
  svc_scan scan;
  if (!svc_backup_least_check(c, change->body)) return false;
  if (change->before && !svc_node_is(change->before, "state", "DISABLING") && !svc_compliance_kept(c, change->before, change->body)) return false;
  if (!change->before || !svc_node_same(change->before, change->body))
    svc_node_set_str(c->arena, change->body, "updatedUser", c->who.username);
  if (!clusters) return true;
  svc_below_begin(&scan, c->txn, clusters->noun->kind, &c->scope.group);
  while (svc_below_next(&scan, clusters->noun->kind, &cluster))
    if (!compliance_policy_cluster(c, change->body, &cluster, !asked || asked->number)) return false;
  return svc_txn_good(c);
}

/* ---- deleting */

/* Whether a cluster of the project, existing or deleted, has a snapshot. */
static bool compliance_policy_protects(svc_call *c, const svc_entity *e)
{
  static const char *const kinds[] = { CLUSTER_KIND, DELETED_CLUSTER_KIND };
  svc_entity cluster;
  svc_scan scan;
  size_t i;
  for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    svc_below_begin(&scan, c->txn, kinds[i], &e->scope.group);
    while (svc_below_next(&scan, kinds[i], &cluster))
      if (svc_count(c->txn, SNAPSHOT_KIND, &cluster.id) > 0) return true;
  }
  return false;
}

static bool compliance_policy_removing(svc_call *c, const svc_entity *e)
{
  svc_str group = svc_id_str(c->arena, &e->scope.group);
  return compliance_policy_protects(c, e) ? svc_fail(c, SVC_E_CANNOT_DELETE_BACKUP_COMPLIANCE_POLICY_WITH_SNAPSHOTS, "S", &group) : svc_txn_good(c);
}

static svc_node *compliance_policy_view(svc_call *c, const svc_entity *e)
{
  svc_node *body = svc_entity_body(c, e);
  if (body) svc_node_set_bool(c->arena, body, "deletable", !compliance_policy_protects(c, e));
  return body;
}

/* ------------------------------------------------------------------------------------------------------------- noun */

SVC_PRIVATE const svc_noun svc_noun_compliance_policy = {
  .name = "backup compliance policy",
  .rel = "backupCompliancePolicy",
  .kind = "bcmp",
  .parent = "project",
  .flags = SVC_SOLE,
  .object = &compliance_policy_object,
  .err_not_found = SVC_E_BACKUP_CONFIG_NOT_FOUND,
  .err_exists = SVC_E_BACKUP_CONFLICTING_OPTIONS,
  .err_in_use = SVC_E_CANNOT_CLOSE_GROUP_ACTIVE_BACKUP_COMPLIANCE_POLICY,
  .lifecycle = &compliance_policy_lifecycle,
  .guards = compliance_policy_guards,
  .event_created = "CPS_DATA_PROTECTION_ENABLE_REQUESTED",
  .event_updated = "CPS_DATA_PROTECTION_UPDATE_REQUESTED",
  .event_deleted = "CPS_DATA_PROTECTION_DISABLE_REQUESTED",
  .routes = SVC_ROUTES(compliance_policy_routes),
  .prepare = compliance_policy_prepare,
  .removing = compliance_policy_removing,
  .view = compliance_policy_view
};

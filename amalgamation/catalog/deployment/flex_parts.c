/*
** Parts of flex clusters that several nouns need: the fields, finding a flex cluster, its sample data, and the upgrade to
** a dedicated cluster.
**
** In the API an upgrade takes effect at once: the flex cluster is removed, and a cluster with the same name, id and hosts
** is UPDATING until its machines are ready. So a name always belongs to exactly one cluster. The snapshots are deleted,
** because their format does not fit dedicated clusters.
*/
#include "catalog/catalog.h"
#include "catalog/objects.h"
#include "catalog/values.h"
#include "catalog/cluster/cluster_history.h"
#include "catalog/cluster/sample_data.h"
#include "catalog/deployment/flex_parts.h"

static const char *const flex_parts_types[] = { "REPLICASET", NULL };
static const char *const flex_parts_providers[] = { "FLEX", NULL };
static const char *const flex_parts_states[] = { "IDLE", "CREATING", "UPDATING", "DELETING", "REPAIRING", NULL };
static const char *const flex_parts_releases[] = { "LTS", "CONTINUOUS", NULL };

static const svc_field flex_parts_backup_fields[] = { F_BOOL("enabled", .flags = SVC_READ_ONLY, .preset = "true") };
static const svc_object flex_parts_backup = { .name = "FlexBackupSettings", .fields = SVC_ROWS(flex_parts_backup_fields) };

static const svc_field flex_parts_strings_fields[] = {
  F_STR("standard", .flags = SVC_READ_ONLY),
  F_STR("standardSrv", .flags = SVC_READ_ONLY)
};
static const svc_object flex_parts_strings = { .name = "FlexConnectionStrings", .fields = SVC_ROWS(flex_parts_strings_fields) };

static const svc_field flex_parts_settings_fields[] = {
  F_ENUM("backingProviderName", svc_values_clouds, .flags = SVC_REQUIRED | SVC_FIXED),
  F_NUM("diskSizeGB", .flags = SVC_READ_ONLY, .preset = "5"),
  F_ENUM("providerName", flex_parts_providers, .flags = SVC_READ_ONLY, .preset = "\"FLEX\""),
  F_ENUM("regionName", svc_values_regions, .flags = SVC_REQUIRED | SVC_FIXED) /* a hook checks that the region belongs to the provider */
};
static const svc_object flex_parts_settings = { .name = "FlexProviderSettings", .fields = SVC_ROWS(flex_parts_settings_fields) };

static const svc_field flex_parts_fields[] = {
  F_OBJ("backupSettings", &flex_parts_backup, .flags = SVC_READ_ONLY, .preset = "{\"enabled\":true}"),
  F_ENUM("clusterType", flex_parts_types, .flags = SVC_READ_ONLY, .preset = "\"REPLICASET\""),
  F_OBJ("connectionStrings", &flex_parts_strings), /* its fields are read-only one by one: any part may be sent back */
  F_CREATED("createDate"),
  F_STR("dbVersion", .flags = SVC_READ_ONLY),
  F_GROUP_ID(),
  F_ID(),
  F_STR("name", .flags = SVC_REQUIRED | SVC_FIXED, .pattern = "^[a-zA-Z0-9][a-zA-Z0-9-]*$", .max = 64),
  F_OBJ("providerSettings", &flex_parts_settings, .flags = SVC_REQUIRED),
  F_ENUM("stateName", flex_parts_states, .flags = SVC_READ_ONLY),
  F_LIST("tags", &svc_object_tag, .max_items = 50, .preset = "[]"),
  F_BOOL("terminationProtectionEnabled", .preset = "false"),
  F_ENUM("versionReleaseSystem", flex_parts_releases, .flags = SVC_READ_ONLY, .preset = "\"LTS\"")
};
SVC_PRIVATE const svc_object svc_flex_object = { .name = "FlexCluster", .fields = SVC_ROWS(flex_parts_fields) };

SVC_PRIVATE bool svc_flex_find(svc_call *c, const svc_id *group, svc_str name, svc_entity *out)
{
  svc_named other;
  int rc = svc_entity_named(c->txn, FLEX_KIND, FLEX_NAMES, group, name, out);
  if (rc == SVC_OK) return true;
  if (rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  rc = svc_named_get(c->txn, FLEX_NAMES, group, name, &other) == SVC_OK ? SVC_E_CANNOT_USE_NON_FLEX_CLUSTER_IN_FLEX_API
                                                                        : SVC_E_CLUSTER_NOT_FOUND;
  return svc_fail_about(c, rc, name, svc_id_str(c->arena, group));
}

SVC_PRIVATE int64_t svc_flex_data(const svc_entity *flex)
{
  int64_t since = 0;
  if (flex->extra.n >= CLUSTER_ID + CLUSTER_TIME) svc_str_i64((svc_str){ flex->extra.p + CLUSTER_ID, CLUSTER_TIME }, &since);
  return since > 0 ? since : 0;
}

SVC_PRIVATE bool svc_flex_put_data(svc_call *c, const svc_entity *flex, bool data)
{
  svc_entity e = *flex;
  if (data == (svc_flex_data(flex) > 0) || flex->extra.n < CLUSTER_ID) return true;
  e.extra = svc_arena_print(c->arena, "%.*s%014lld", CLUSTER_ID, flex->extra.p, data ? (long long)c->now : 0LL);
  return e.extra.n ? svc_entity_store(c, &e, flex) : svc_no_memory(c);
}

/* ---------------------------------------------------------------------------------------------------------------- upgrade */

/* Only an idle flex cluster can be upgraded, and only to dedicated machines. */
static bool flex_parts_may_upgrade(svc_call *c, const svc_entity *flex, const svc_node *body)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "flex cluster");
  if (!svc_guarded(c, noun, flex, body, SVC_GUARD_CHANGE)) return false;
  if (!svc_cluster_is(body, "stateName", "IDLE"))
    return svc_fail(c, SVC_E_TENANT_CLUSTER_UPDATE_UNSUPPORTED, "S", &flex->unique);
  if (svc_cluster_is_tenant(c->checked))
    svc_violate(c, SVC_E_INVALID_CLUSTER_CONFIGURATION, SVC_S("replicationSpecs"),
                "must be on dedicated machines, not on a shared tier");
  return svc_check_done(c);
}

/* Copies fields that the request leaves out. */
static void flex_parts_carry(svc_call *c, svc_change *change, const svc_node *flex)
{
  static const char *const carried[] = { "createDate", "tags", "terminationProtectionEnabled" };
  size_t i;
  for (i = 0; i < sizeof carried / sizeof carried[0]; i++) {
    const svc_node *value = svc_node_get(flex, carried[i]);
    svc_node *copy = value && !svc_node_get(c->body, carried[i]) ? svc_node_copy(c->arena, value) : NULL;
    if (copy) svc_node_put(c->arena, change->body, copy);
  }
}

SVC_PRIVATE bool svc_flex_upgrade(svc_call *c)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "flex cluster");
  svc_node *shown;
  svc_change change;
  svc_entity flex, e;
  if (!svc_resolve_all(c)) return false;
  if (!noun) return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path); /* left out of this build */
  if (!svc_flex_find(c, &c->scope.group, svc_node_str(c->checked, "name"), &flex)) return false;
  shown = svc_entity_body(c, &flex);
  if (!shown || !flex_parts_may_upgrade(c, &flex, shown)) return false;
  memset(&change, 0, sizeof change);
  change.noun = c->plan->noun;
  change.input = c->body;
  change.body = svc_node_copy(c->arena, c->checked);
  change.id = flex.id;
  change.state = "UPDATING";
  change.event = "FLEX_UPGRADE_STARTED";
  if (!change.body) return svc_no_memory(c);
  flex_parts_carry(c, &change, shown);
  c->passes_on = true; /* references by name now refer to the cluster */
  if (!svc_erase(c, noun, &flex)) return false;
  c->passes_on = false;
  if (!svc_insert(c, &change, &e)) return false;
  if (svc_flex_data(&flex) && !(svc_history_loaded(c, &e, CLUSTER_HISTORY_SAMPLE) && svc_history_size(c, &e, svc_sample_size()))) return false;
  svc_node_set_text(c->arena, shown, "stateName", "UPDATING");
  return svc_answer_view(c, &e, shown);
}

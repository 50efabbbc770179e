/*
** The upgrade of a cluster on a shared tier to a flex cluster. One operation asks for a serverless instance: serverless
** instances have become flex clusters, so the cluster becomes one, and the answer has the shape of serverless instances.
** The other operation is the tenant upgrade with the provider FLEX (tenant_upgrade_run.c).
**
** In the API the upgrade takes effect at once, like that of a flex cluster (flex_parts.c): the free cluster is removed,
** and a flex cluster with the same name and id is being created. The file is a part of the noun flex cluster, which
** has its route.
*/
#include "catalog/catalog.h"
#include "catalog/objects.h"
#include "catalog/values.h"
#include "catalog/cluster/cluster_history.h"
#include "catalog/deployment/flex_parts.h"

/* ------------------------------------------------------------------------------------------------------------ fields */

static const char *const serverless_upgrade_two_clouds[] = { "AWS", "AZURE", NULL };
static const char *const serverless_upgrade_routers[] = { "DBS", NULL };
static const char *const serverless_upgrade_states[] = { "IDLE", "CREATING", "UPDATING", "DELETING", "REPAIRING", NULL };
static const char *const serverless_upgrade_name[] = { "SERVERLESS", NULL };

static const svc_field serverless_upgrade_endpoint_fields[] = {
  F_STR("endpointId", .flags = SVC_READ_ONLY),
  F_ENUM("providerName", serverless_upgrade_two_clouds, .flags = SVC_READ_ONLY),
  F_STR("region", .flags = SVC_READ_ONLY)
};
static const svc_object serverless_upgrade_endpoint = { .name = "ServerlessEndpoint", .fields = SVC_ROWS(serverless_upgrade_endpoint_fields) };
static const svc_field serverless_upgrade_endpoints_fields[] = {
  F_LIST("endpoints", &serverless_upgrade_endpoint, .flags = SVC_READ_ONLY),
  F_STR("srvConnectionString", .flags = SVC_READ_ONLY),
  F_ENUM("type", serverless_upgrade_routers, .flags = SVC_READ_ONLY)
};
static const svc_object serverless_upgrade_endpoints = { .name = "ServerlessEndpoints", .fields = SVC_ROWS(serverless_upgrade_endpoints_fields) };
static const svc_field serverless_upgrade_strings_fields[] = {
  F_LIST("privateEndpoint", &serverless_upgrade_endpoints, .flags = SVC_READ_ONLY), F_STR("standardSrv", .flags = SVC_READ_ONLY)
};
static const svc_object serverless_upgrade_strings = { .name = "ServerlessConnectionStrings", .fields = SVC_ROWS(serverless_upgrade_strings_fields) };
static const svc_field serverless_upgrade_instance_settings_fields[] = {
  F_ENUM("backingProviderName", svc_values_clouds, .flags = SVC_REQUIRED),
  F_INT("effectiveDiskSizeGBLimit", .flags = SVC_READ_ONLY),
  F_ENUM("effectiveInstanceSizeName", svc_values_sizes, .flags = SVC_READ_ONLY),
  F_STR("effectiveProviderName", .flags = SVC_READ_ONLY),
  F_ENUM("providerName", serverless_upgrade_name),
  F_STR("regionName", .flags = SVC_REQUIRED)
};
static const svc_object serverless_upgrade_instance_settings = {
  .name = "ServerlessProviderSettings", .fields = SVC_ROWS(serverless_upgrade_instance_settings_fields)
};
static const svc_field serverless_upgrade_backup_fields[] = { F_BOOL("serverlessContinuousBackupEnabled") };
static const svc_object serverless_upgrade_backup = { .name = "ClusterServerlessBackupOptions", .fields = SVC_ROWS(serverless_upgrade_backup_fields) };
static const svc_field serverless_upgrade_instance_fields[] = {
  F_OBJ("connectionStrings", &serverless_upgrade_strings),
  F_DATE("createDate", .flags = SVC_READ_ONLY),
  F_STR("dbVersion", .flags = SVC_READ_ONLY, .pattern = "^([\\d]+\\.[\\d]+\\.[\\d]+)$"),
  F_HEX24("groupId", .flags = SVC_READ_ONLY),
  F_HEX24("id", .flags = SVC_READ_ONLY),
  F_STR("name", .flags = SVC_REQUIRED, .pattern = "^[a-zA-Z0-9][a-zA-Z0-9-]*$"),
  F_OBJ("providerSettings", &serverless_upgrade_instance_settings, .flags = SVC_REQUIRED),
  F_OBJ("serverlessBackupOptions", &serverless_upgrade_backup),
  F_ENUM("stateName", serverless_upgrade_states, .flags = SVC_READ_ONLY),
  F_LIST("tags", &svc_object_tag, .max_items = 50),
  F_BOOL("terminationProtectionEnabled")
};
SVC_PRIVATE const svc_object svc_flex_serverless = { .name = "ServerlessInstanceDescription", .fields = SVC_ROWS(serverless_upgrade_instance_fields) };

/* ------------------------------------------------------------------------------------------------------------ upgrade */

/* Only an idle cluster that no other resource references can be upgraded. */
static bool serverless_upgrade_allowed(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, const svc_node *cluster)
{
  if (!svc_guarded(c, noun, stored, cluster, SVC_GUARD_CHANGE)) return false;
  if (!svc_cluster_is_tenant(cluster)) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("name"), "is not the name of a cluster on a shared tier");
  if (svc_node_bool(svc_node_get(c->body, "serverlessBackupOptions"), "serverlessContinuousBackupEnabled", false))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("serverlessBackupOptions.serverlessContinuousBackupEnabled"),
                "cannot be true: a flex cluster has daily snapshots");
  if (!svc_check_done(c)) return false;
  if (!svc_cluster_is(cluster, "stateName", "IDLE")) return svc_fail(c, SVC_E_TENANT_CLUSTER_UPDATE_UNSUPPORTED, "S", &stored->unique);
  return svc_refs_free(c, noun, stored);
}

/* The flex cluster, as a POST would request it. Fields and places that the request leaves out stay as they are. NULL: out of
** memory. */
static svc_node *serverless_upgrade_input(svc_call *c, const svc_node *cluster)
{
  static const char *const kept[] = { "tags", "terminationProtectionEnabled" };
  const svc_node *sent = svc_node_get(c->checked, "providerSettings");
  const svc_node *region = svc_node_first(svc_node_get(svc_node_first(svc_node_get(cluster, "replicationSpecs")), "regionConfigs"));
  svc_node *input = svc_node_object(c->arena, NULL), *settings = svc_node_object(c->arena, "providerSettings");
  size_t i;
  if (!input || !settings) return NULL;
  svc_node_set_from(c->arena, input, "name", c->checked, "name");
  svc_node_set_from(c->arena, settings, "backingProviderName", svc_node_get(sent, "backingProviderName") ? sent : region, "backingProviderName");
  svc_node_set_from(c->arena, settings, "regionName", svc_node_get(sent, "regionName") ? sent : region, "regionName");
  svc_node_put(c->arena, input, settings);
  for (i = 0; i < sizeof kept / sizeof kept[0]; i++) {
    const svc_node *value = svc_node_get(svc_node_get(c->body, kept[i]) ? c->checked : cluster, kept[i]);
    svc_node *copy = value ? svc_node_copy(c->arena, value) : NULL;
    if (copy) svc_node_put(c->arena, input, copy);
  }
  return c->arena->failed ? NULL : input;
}

/* A flex cluster in the shape of a serverless instance. NULL: out of memory. */
static svc_node *serverless_upgrade_view(svc_call *c, const svc_node *flex)
{
  static const char *const same[] = { "createDate", "dbVersion", "groupId", "id", "name", "stateName", "tags", "terminationProtectionEnabled" };
  const svc_node *from = svc_node_get(flex, "providerSettings");
  svc_node *view = svc_node_object(c->arena, NULL), *settings = svc_node_object(c->arena, "providerSettings");
  svc_node *strings = svc_node_object(c->arena, "connectionStrings"), *backup = svc_node_object(c->arena, "serverlessBackupOptions");
  size_t i;
  if (!view || !settings || !strings || !backup) return NULL;
  for (i = 0; i < sizeof same / sizeof same[0]; i++) {
    const svc_node *value = svc_node_get(flex, same[i]);
    svc_node *copy = value ? svc_node_copy(c->arena, value) : NULL;
    if (copy) svc_node_put(c->arena, view, copy);
  }
  svc_node_set_from(c->arena, settings, "backingProviderName", from, "backingProviderName");
  svc_node_set_i64(c->arena, settings, "effectiveDiskSizeGBLimit", svc_node_i64(from, "diskSizeGB", 0));
  svc_node_set_from(c->arena, settings, "effectiveProviderName", from, "providerName");
  svc_node_set_text(c->arena, settings, "providerName", serverless_upgrade_name[0]);
  svc_node_set_from(c->arena, settings, "regionName", from, "regionName");
  svc_node_set_from(c->arena, strings, "standardSrv", svc_node_get(flex, "connectionStrings"), "standardSrv");
  svc_node_set_bool(c->arena, backup, "serverlessContinuousBackupEnabled", false);
  svc_node_put(c->arena, view, settings);
  svc_node_put(c->arena, view, strings);
  svc_node_put(c->arena, view, backup);
  return c->arena->failed ? NULL : view;
}

SVC_PRIVATE bool svc_flex_replaces(svc_call *c, const svc_entity *stored, const svc_node *cluster, svc_change *change, svc_entity *e)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "cluster");
  bool data = svc_history_had_sample(c, &stored->id, c->now);
  if (!serverless_upgrade_allowed(c, noun, stored, cluster)) return false;
  memset(change, 0, sizeof *change);
  change->noun = svc_noun_by_kind(c->s, FLEX_KIND);
  change->id = stored->id;
  change->action = FLEX_TAKES_OVER;
  change->event = noun->noun->event_updated;
  change->input = serverless_upgrade_input(c, cluster);
  if (!change->input) return svc_no_memory(c);
  change->body = svc_check(c, change->noun->noun->object, change->input, NULL, SVC_CHECK_CREATE);
  return svc_check_done(c) && svc_erase(c, noun, stored) && svc_insert(c, change, e) && svc_flex_put_data(c, e, data);
}

SVC_PRIVATE bool svc_flex_from_free(svc_call *c)
{
  svc_entity stored, e;
  svc_node *cluster;
  svc_change change;
  if (!svc_resolve_all(c)) return false;
  if (!svc_noun_named(c->s, "cluster")) return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path); /* left out of this build */
  if (!svc_cluster_named(c, svc_node_str(c->checked, "name"), &stored)) return false;
  cluster = svc_entity_body(c, &stored);
  if (!cluster || !svc_flex_replaces(c, &stored, cluster, &change, &e)) return false;
  return svc_answer_view(c, &e, serverless_upgrade_view(c, change.body));
}

/*
** The operation tenantUpgrade: moves a cluster from a shared tier to dedicated machines or to a larger shared tier, or
** turns it into a flex cluster.
**
**   IDLE, on a shared tier --> UPDATING --> IDLE, on dedicated machines
**                          \-> removed; a flex cluster of the same name and id is CREATING   (providerName FLEX, serverless_upgrade.c)
**
** The answer shows the cluster still on its shared tier, in the older shape (tenant_upgrade.c). On dedicated machines,
** hardware that the request leaves out has the defaults of a new cluster, the daily backups of the shared tier end, and the
** zone gets the default name. Other fields that the request leaves out stay.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"
#include "catalog/deployment/flex_parts.h"

/* Shared tiers have daily backups, which are shown in the settings instead of the fields of other clusters. */
static void tenant_upgrade_run_show_backup(svc_call *c, svc_node *shown, const svc_node *before)
{
  svc_node *settings = svc_node_get(shown, "providerSettings");
  int64_t next = c->now;
  svc_node_set_bool(c->arena, shown, "backupEnabled", false);
  svc_node_set_bool(c->arena, shown, "providerBackupEnabled", false);
  if (!settings || !svc_node_bool(before, "backupEnabled", false)) return;
  if (svc_date_parse(svc_node_str(before, "createDate"), &next)) next += ((c->now - next) / SVC_DAY_MS + 1) * SVC_DAY_MS;
  svc_node_set_date(c->arena, settings, "nextBackupDate", next);
  svc_node_set_bool(c->arena, settings, "tenantBackupEnabled", true);
}

/* The answer: the cluster on its shared tier, in UPDATING. NULL: out of memory. */
static svc_node *tenant_upgrade_run_shown(svc_call *c, const svc_node *before)
{
  static const char *const newer[] = { "advancedConfiguration", "configServerManagementMode", "replicaSetScalingStrategy" };
  const svc_node *region = svc_node_first(svc_node_get(svc_node_first(svc_node_get(before, "replicationSpecs")), "regionConfigs"));
  svc_node *shown = svc_node_copy(c->arena, before);
  size_t i;
  if (!shown) return NULL;
  svc_node_set_text(c->arena, shown, "stateName", "UPDATING");
  for (i = 0; i < sizeof newer / sizeof newer[0]; i++) svc_node_drop(shown, newer[i]);
  if (!svc_cluster_legacy_downgrade(c, shown)) return NULL;
  svc_node_set_copy(c->arena, shown, "diskSizeGB", svc_node_get(region, "electableSpecs"), "diskSizeGB");
  tenant_upgrade_run_show_backup(c, shown, before);
  return c->arena->failed ? NULL : shown;
}

/* ------------------------------------------------------------------------------------------------- to a flex cluster */

/* Refuses fields of the older shape that flex clusters do not have, each by name. */
static bool tenant_upgrade_run_fits_flex(svc_call *c)
{
  static const char *const flex[] = { "clusterType", "groupId", "links", "name", "providerSettings", "tags", "terminationProtectionEnabled" };
  const svc_node *member;
  const svc_field *f;
  size_t i;
  for (member = c->body->first; member; member = member->next) {
    for (i = 0; i < sizeof flex / sizeof flex[0] && !svc_str_is(member->name, flex[i]); i++) continue;
    f = svc_field_named(&svc_cluster_legacy, member->name);
    if (i == sizeof flex / sizeof flex[0] && !(f && f->flags & SVC_READ_ONLY) && member->type != SVC_J_NULL)
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, member->name, "cannot be set on a flex cluster");
  }
  if (svc_node_get(c->body, "clusterType") && !svc_cluster_is(c->body, "clusterType", "REPLICASET"))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("clusterType"), "must be REPLICASET: a flex cluster has no shards");
  return svc_check_done(c);
}

static bool tenant_upgrade_run_to_flex(svc_call *c, const svc_entity *stored, const svc_node *before)
{
  svc_change change;
  svc_entity e;
  if (!svc_noun_by_kind(c->s, FLEX_KIND)) return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path); /* left out of this build */
  if (!tenant_upgrade_run_fits_flex(c) || !svc_flex_replaces(c, stored, before, &change, &e)) return false;
  if (!svc_answer_view(c, &e, tenant_upgrade_run_shown(c, before))) return false;
  svc_answer_links_of(c, "getFlexCluster"); /* the new location of the cluster */
  return true;
}

/* ------------------------------------------------------------------------------------------ to machines, or a larger share */

/* Sets the defaults of a new cluster for backupEnabled and zoneName if they were left out. A change to a larger shared tier keeps both. */
static void tenant_upgrade_run_open(svc_call *c, svc_node *input)
{
  svc_node *spec;
  if (svc_cluster_is_tenant(input)) return;
  if (!svc_node_get(input, "backupEnabled")) svc_node_set_bool(c->arena, input, "backupEnabled", false);
  for (spec = svc_node_first(svc_node_get(input, "replicationSpecs")); spec; spec = spec->next)
    if (!svc_node_get(spec, "zoneName")) svc_node_set_text(c->arena, spec, "zoneName", CLUSTER_ZONE);
}

static bool tenant_upgrade_run_change(svc_call *c, svc_change *change)
{
  const svc_noun *noun = change->noun->noun;
  svc_node *input = svc_cluster_from_legacy(c, c->body);
  svc_entity e;
  if (!input) return svc_no_memory(c);
  tenant_upgrade_run_open(c, input);
  change->input = input;
  change->event = noun->event_updated;
  change->state = noun->lifecycle->updated;
  change->body = svc_check(c, noun->object, input, change->before, SVC_CHECK_UPDATE);
  return svc_check_done(c) && svc_change_keep(c, change, &e) && svc_answer_view(c, &e, tenant_upgrade_run_shown(c, change->before));
}

SVC_PRIVATE bool svc_cluster_run_upgrade(svc_call *c)
{
  const svc_noun_info *noun = c->plan->noun;
  svc_entity stored;
  svc_change change;
  if (!svc_resolve_all(c) || !svc_cluster_legacy_sound(c, c->body)) return false;
  if (!svc_cluster_named(c, svc_node_str(c->body, "name"), &stored) || !svc_change_of(c, noun, &stored, &change)) return false;
  if (!svc_guarded(c, noun, &stored, change.before, SVC_GUARD_CHANGE)) return false;
  if (!svc_cluster_is_tenant(change.before)) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("name"), "is not the name of a cluster on a shared tier");
  if (!svc_check_done(c)) return false;
  if (svc_cluster_is(svc_node_get(c->body, "providerSettings"), "providerName", "FLEX")) return tenant_upgrade_run_to_flex(c, &stored, change.before);
  return tenant_upgrade_run_change(c, &change);
}

/*
** Process arguments of a cluster: settings of its database processes. Every cluster has them. A change updates the
** cluster, whose order to the driver contains the settings.
**
** A setting without a default in the table is null until it is set: the database version has its own default.
**
** Version 2023-01-01 also has defaultReadConcern and failIndexKeyTooLong. No offered database version supports these
** settings: they are accepted, have no effect, and are null; only defaultReadConcern "local" is refused. Only the answer to
** a change repeats the defaultReadConcern that was sent.
**
** cluster_object.c has the fields. Unusual: the TLS settings are also shown in advancedConfiguration of the cluster. Only
** the cluster stores them; the process arguments copy them.
*/
#include "catalog/catalog.h"
#include "catalog/values.h"
#include "catalog/cluster/cluster_history.h"
#include "catalog/cluster/tier.h"
#include "catalog/deployment/cluster_parts.h"

/* ------------------------------------------------------------------------------------------------------ value lists */

/* Settings that the cluster stores. */
static const char *const process_args_tls[] = { "customOpensslCipherConfigTls12", "customOpensslCipherConfigTls13",
                                                "minimumEnabledTlsProtocol", "tlsCipherConfigMode", NULL };

static const char *const process_args_concerns[] = { "available", "local", NULL };

/* ----------------------------------------------------------------------------------------------------------- fields */

static const svc_field process_args_old_fields[] = {
  F_ENUM("defaultReadConcern", process_args_concerns, .flags = SVC_NULLABLE),
  F_BOOL("failIndexKeyTooLong", .flags = SVC_NULLABLE)
};
static const svc_object process_args_old = {
  .name = "ClusterDescriptionProcessArgs20230101", .fields = SVC_ROWS(process_args_old_fields), .base = &svc_cluster_process_args
};

/* ----------------------------------------------------------------------------------------------------------- routes */

static bool process_args_upgrade(svc_call *c, svc_node *body, const svc_node *before);
static bool process_args_downgrade(svc_call *c, svc_node *shown);

static const svc_older process_args_older[] = {
  { .date = 20230101, .sunset = 20270701, .body = &process_args_old, .answer = &process_args_old, .upgrade = process_args_upgrade,
    .downgrade = process_args_downgrade },
  { .date = 0 }
};

#define PROCESS_ARGS \
  "/groups/{groupId}/clusters/{clusterName}/processArgs", SVC_SET_CLUSTERS, (20230101, 20240805), SVC_R_GROUP_READ_ONLY, \
    SVC_R_GROUP_CLUSTER_MANAGER

static const svc_route process_args_routes[] = {
  R_GET(PROCESS_ARGS, "", .older = process_args_older, .op = "getProcessArgs", .run = svc_verb_read),
  R_PATCH(PROCESS_ARGS, "", .older = process_args_older, .op = "updateProcessArgs", .run = svc_verb_update)
};

/* ------------------------------------------------------------------------------------------------------------ hooks */

static bool process_args_upgrade(svc_call *c, svc_node *body, const svc_node *before)
{
  (void)before;
  if (svc_node_is(body, "defaultReadConcern", "local"))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("defaultReadConcern"), "must be \"available\": the offered database versions support no other value");
  svc_node_drop(body, "defaultReadConcern");
  svc_node_drop(body, "failIndexKeyTooLong");
  return true;
}

static bool process_args_downgrade(svc_call *c, svc_node *shown)
{
  if (c->sent && svc_node_is(c->sent, "defaultReadConcern", "available")) svc_node_set_text(c->arena, shown, "defaultReadConcern", "available");
  return !c->arena->failed;
}

/* Leaves out what has no value: stores of version 1.0.0 keep such an argument as null. */
static void process_args_drop_unset(svc_node *view)
{
  unsigned i;
  for (i = 0; i < svc_cluster_process_args.count; i++) {
    const svc_node *value = svc_node_get(view, svc_cluster_process_args.fields[i].name);
    if (value && value->type == SVC_J_NULL) svc_node_drop(view, svc_cluster_process_args.fields[i].name);
  }
}

static svc_node *process_args_view(svc_call *c, const svc_entity *e)
{
  svc_node *view = svc_entity_body(c, e), *cluster = NULL;
  const svc_node *kept, *value;
  const char *const *name;
  svc_entity above;
  if (view && svc_entity_above(c, c->plan->noun, e, &above) == SVC_OK) cluster = svc_entity_body(c, &above); /* its current state */
  kept = svc_node_get(cluster, "advancedConfiguration");
  for (name = process_args_tls; kept && *name; name++)
    if ((value = svc_node_get(kept, *name)) != NULL) svc_node_put(c->arena, view, svc_node_copy(c->arena, value));
  process_args_drop_unset(view);
  return cluster ? view : NULL;
}

/* Copies TLS settings that were sent into the cluster. The process arguments themselves keep the defaults of these fields. */
static void process_args_hand_over(svc_call *c, svc_change *change, svc_node *cluster)
{
  svc_node *kept = svc_node_get(cluster, "advancedConfiguration");
  const svc_node *sent;
  const char *const *name;
  for (name = process_args_tls; kept && *name; name++) {
    sent = svc_node_get(c->body, *name);
    if (sent) svc_node_put(c->arena, kept, svc_node_copy(c->arena, sent));
    svc_node_put(c->arena, change->body, svc_node_copy(c->arena, svc_node_get(change->before, *name)));
  }
}

/* Checks that the oplog fits on the disk of every node. */
static bool process_args_fit(svc_call *c, const svc_node *args, const svc_node *cluster)
{
  const svc_node *spec = svc_node_first(svc_node_get(cluster, "replicationSpecs")), *region;
  int64_t wanted = svc_node_i64(args, "oplogSizeMB", 0), most = INT64_MAX, size;
  int i;
  for (; spec; spec = spec->next)
    for (region = svc_node_first(svc_node_get(spec, "regionConfigs")); region; region = region->next)
      for (i = 0; svc_values_node_kinds[i]; i++) {
        size = (int64_t)(svc_cluster_disk_size(svc_node_get(region, svc_values_node_kinds[i])) * 1024);
        if (size > 0 && svc_tier_count(region, i) > 0 && size < most) most = size;
      }
  if (wanted >= most)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("oplogSizeMB"), "must be less than the disk of a node (%lld MB)", (long long)most);
  return svc_check_done(c);
}

static bool process_args_prepare(svc_call *c, svc_change *change)
{
  svc_change cluster;
  if (!svc_cluster_open_own(c, svc_path_entity(c, "cluster"), &cluster) || !process_args_fit(c, change->body, cluster.body)) return false;
  process_args_hand_over(c, change, cluster.body);
  if (svc_node_same(cluster.body, cluster.before)) return true; /* the hook `stored` handles the rest */
  return svc_cluster_updates(c, &cluster);
}

static bool process_args_stored(svc_call *c, const svc_change *change, const svc_entity *e)
{
  svc_change cluster;
  svc_entity above;
  int rc = svc_entity_above(c, change->noun, e, &above);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (!svc_history_oplog(c, &above, svc_node_i64(change->before, "oplogSizeMB", 0), svc_node_i64(change->body, "oplogSizeMB", 0))) return false;
  return svc_cluster_open_own(c, &above, &cluster) && svc_cluster_updates(c, &cluster);
}

/* ------------------------------------------------------------------------------------------------------------- noun */

static const svc_diff process_args_diff = { .called = "PROCESS_ARGS" };

SVC_PRIVATE const svc_noun svc_noun_process_args = {
  .name = CLUSTER_PROCESS_ARGS,
  .rel = "processArgs",
  .kind = "parg",
  .parent = "cluster",
  .flags = SVC_SINGLETON | SVC_EVENT_PARENT,
  .object = &svc_cluster_process_args,
  .event_updated = "CLUSTER_PROCESS_ARGS_UPDATE_SUBMITTED",
  .ext = SVC_NOUN_EXT(.diff = &process_args_diff),
  .routes = SVC_ROUTES(process_args_routes),
  .prepare = process_args_prepare,
  .stored = process_args_stored,
  .view = process_args_view
};

/*
** Operations on clusters other than changes of their fields: pinning the feature compatibility version, granting access
** to the vendor's employees, restarting primaries. Also the operations that show the progress of a change and the scaling
** mode, and the functions by which resources below a cluster update the cluster.
**
** A pin and a grant end by themselves, on the clock; neither affects the deployment's state. During a restart the cluster
** is UPDATING and accepts no other change, except of tags, labels and termination protection. A restart of a cluster in
** CREATING does nothing: its primaries have not started yet.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_history.h"
#include "catalog/deployment/cluster_parts.h"

#define CLUSTER_ACTIONS_PIN_DAYS 28 /* maximum, and default if the request has no date */

static const char cluster_actions_pinned[] = "featureCompatibilityVersionExpirationDate";
static const char cluster_actions_granted[] = "vendorEmployeeAccessGrant";

/* svc_change.action: the kind of operation. */
enum cluster_action {
  CLUSTER_ACTION_NOTE = 1, /* a value is stored, and the deployment stays as it is */
  CLUSTER_ACTION_RESTART,
  CLUSTER_ACTION_BELOW /* a resource below the cluster was changed, which updates the cluster */
};

SVC_PRIVATE bool svc_cluster_acts(svc_call *c, svc_change *change)
{
  svc_cluster_kept kept;
  if (change->action == CLUSTER_ACTION_RESTART) {
    kept = svc_cluster_kept_of(&change->entity);
    kept.restarting = true;
    change->extra = svc_cluster_extra(c, change, &kept);
  }
  return change->action != 0;
}

SVC_PRIVATE bool svc_cluster_is_changed(const svc_change *change)
{
  return change->action == 0 || change->action == CLUSTER_ACTION_BELOW;
}

/* Stores the change with this event, without a change of state. */
static bool cluster_actions_store(svc_call *c, svc_change *change, const char *event)
{
  svc_entity e;
  change->state = NULL;
  change->event = event;
  change->action = CLUSTER_ACTION_NOTE;
  return svc_change_keep(c, change, &e) && svc_answer_nothing(c);
}

/* Reads a date of the body, which must be in the future. False: refused. */
static bool cluster_actions_until(svc_call *c, const char *field, int64_t *until)
{
  if (!svc_date_parse(svc_node_str(c->checked, field), until)) return true; /* the date is optional; its format was checked before */
  return *until > c->now ? true : svc_fail(c, SVC_E_EXPIRATION_DATE_IN_PAST, "s", field);
}

/* ------------------------------------------------------------------------------------------------------------- pins */

SVC_PRIVATE bool svc_cluster_run_pin(svc_call *c)
{
  int64_t longest = c->now + CLUSTER_ACTIONS_PIN_DAYS * SVC_DAY_MS, until = longest;
  svc_change change;
  if (!svc_change_begin(c, &change)) return false;
  if (svc_cluster_is_tenant(change.body)) return svc_cluster_fail(c, &change, SVC_E_TENANT_CLUSTER_UPDATE_UNSUPPORTED);
  if (!cluster_actions_until(c, "expirationDate", &until)) return false;
  if (until > longest)
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("expirationDate"), "must be within %d days", CLUSTER_ACTIONS_PIN_DAYS);
  if (!svc_check_done(c)) return false;
  svc_node_set_date(c->arena, change.body, cluster_actions_pinned, until);
  svc_change_due(&change, CLUSTER_DUE_PIN, until / 1000 * 1000);
  return cluster_actions_store(c, &change, svc_node_get(change.before, cluster_actions_pinned) ? "CLUSTER_FCV_EXPIRATION_DATE_UPDATED"
                                                                                               : "CLUSTER_FCV_FIXED");
}

static void cluster_actions_unpin(svc_call *c, svc_change *change)
{
  svc_node_drop(change->body, cluster_actions_pinned);
  svc_node_set_from(c->arena, change->body, "featureCompatibilityVersion", change->body, "dbMajorVersion");
  change->event = "CLUSTER_FCV_UNFIXED";
}

SVC_PRIVATE bool svc_cluster_run_unpin(svc_call *c)
{
  svc_change change;
  if (!svc_change_begin(c, &change)) return false;
  if (!svc_node_get(change.body, cluster_actions_pinned)) return svc_answer_nothing(c);
  cluster_actions_unpin(c, &change);
  svc_change_due(&change, CLUSTER_DUE_PIN, 0);
  return cluster_actions_store(c, &change, change.event);
}

/* ----------------------------------------------------------------------------------------------------------- grants */

SVC_PRIVATE bool svc_cluster_run_grant(svc_call *c)
{
  svc_change change;
  svc_node *grant;
  int64_t until = 0;
  svc_str org;
  if (!svc_change_begin(c, &change) || !cluster_actions_until(c, "expirationTime", &until)) return false;
  org = svc_id_str(c->arena, &c->scope.org);
  if (svc_org_setting(c, "restrictEmployeeAccess", false)) return svc_fail(c, SVC_E_EMPLOYEE_ACCESS_RESTRICTED, "S", &org);
  grant = svc_node_copy(c->arena, c->checked);
  if (!grant) return svc_no_memory(c);
  grant->name = svc_str_c(cluster_actions_granted);
  svc_node_put(c->arena, change.body, grant);
  svc_change_due(&change, CLUSTER_DUE_GRANT, until);
  return cluster_actions_store(c, &change, "EMPLOYEE_ACCESS_GRANTED");
}

SVC_PRIVATE bool svc_cluster_run_revoke(svc_call *c)
{
  svc_change change;
  if (!svc_change_begin(c, &change)) return false;
  if (!svc_node_get(change.body, cluster_actions_granted)) return svc_answer_nothing(c);
  svc_node_drop(change.body, cluster_actions_granted);
  svc_change_due(&change, CLUSTER_DUE_GRANT, 0);
  return cluster_actions_store(c, &change, "EMPLOYEE_ACCESS_REVOKED");
}

SVC_PRIVATE bool svc_cluster_ended(svc_call *c, svc_change *change, int tag)
{
  if (tag == CLUSTER_DUE_PIN) {
    cluster_actions_unpin(c, change);
  } else if (tag == CLUSTER_DUE_GRANT) {
    svc_node_drop(change->body, cluster_actions_granted);
    change->event = "EMPLOYEE_ACCESS_REVOKED";
  } else {
    return false;
  }
  return true;
}

/* --------------------------------------------------------------------------------------------------------- restarts */

SVC_PRIVATE bool svc_cluster_restarts(const svc_change *change)
{
  return svc_cluster_kept_of(&change->entity).restarting && svc_cluster_is(change->before, "stateName", "UPDATING");
}

SVC_PRIVATE bool svc_cluster_run_restart(svc_call *c)
{
  svc_change change;
  svc_entity e;
  if (!svc_change_begin(c, &change)) return false;
  if (svc_cluster_is_tenant(change.body)) return svc_cluster_fail(c, &change, SVC_E_TENANT_CLUSTER_UPDATE_UNSUPPORTED);
  if (svc_node_bool(change.body, "paused", false)) return svc_cluster_fail(c, &change, SVC_E_CANNOT_UPDATE_PAUSED_CLUSTER);
  if (svc_cluster_restarts(&change)) return svc_cluster_fail(c, &change, SVC_E_CLUSTER_RESTART_IN_PROGRESS);
  if (svc_cluster_imports(c, &change.entity))
    return svc_cluster_fail(c, &change, SVC_E_CANNOT_MODIFY_CLUSTER_WITH_RUNNING_LIVE_IMPORT);
  if (svc_cluster_is(change.before, "stateName", "CREATING")) return svc_answer_nothing(c); /* its primaries have not started yet */
  change.action = CLUSTER_ACTION_RESTART;
  return svc_change_keep(c, &change, &e) && svc_answer_nothing(c);
}

SVC_PRIVATE bool svc_cluster_maintain(svc_call *c, const svc_entity *cluster)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, CLUSTER_KIND);
  svc_change change;
  svc_entity e;
  if (!svc_change_of(c, noun, cluster, &change)) return false;
  change.action = CLUSTER_ACTION_RESTART;
  change.state = noun->noun->lifecycle->updated;
  change.event = noun->noun->event_updated;
  return svc_change_keep(c, &change, &e);
}

SVC_PRIVATE bool svc_cluster_has_outage(svc_call *c, const svc_id *cluster)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "outage simulation");
  svc_entity e;
  return noun && svc_below_first(c->txn, noun->noun->kind, cluster, &e) && !svc_json_is(e.body, "state", "COMPLETE");
}

/* ------------------------------------------------------------------------------------------- what lies below clusters */

/* Finds a cluster of the path's project, for paths that do not contain the cluster's name. */
SVC_PRIVATE bool svc_cluster_named(svc_call *c, svc_str name, svc_entity *out)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "cluster");
  svc_str group = svc_id_str(c->arena, &c->scope.group);
  int rc = noun ? svc_entity_named(c->txn, noun->noun->kind, svc_noun_ext_of(noun->noun)->names, &c->scope.group, name, out) : SVC_NOT_FOUND;
  if (rc == SVC_NOT_FOUND) return svc_fail(c, SVC_E_CLUSTER_NOT_FOUND, "SS", &name, &group);
  return svc_status_good(c, rc);
}

/* Checks whether a resource below the cluster may be changed. False: refused. */
SVC_PRIVATE bool svc_cluster_open(svc_call *c, const svc_entity *cluster, svc_change *out)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "cluster");
  if (!svc_change_of(c, noun, cluster, out) || !svc_guarded(c, noun, cluster, out->before, SVC_GUARD_CHANGE)) return false;
  if (svc_node_bool(out->before, "paused", false)) return svc_cluster_fail(c, out, SVC_E_CANNOT_UPDATE_PAUSED_CLUSTER);
  if (svc_cluster_imports(c, cluster)) return svc_cluster_fail(c, out, SVC_E_CANNOT_MODIFY_CLUSTER_WITH_RUNNING_LIVE_IMPORT);
  return svc_cluster_restarts(out) ? svc_cluster_fail(c, out, SVC_E_CLUSTER_RESTART_IN_PROGRESS) : true;
}

/* The same for resources that clusters on shared tiers do not have. */
SVC_PRIVATE bool svc_cluster_open_own(svc_call *c, const svc_entity *cluster, svc_change *out)
{
  if (!svc_cluster_open(c, cluster, out)) return false;
  return svc_cluster_is_tenant(out->before) ? svc_cluster_fail(c, out, SVC_E_TENANT_CLUSTER_UPDATE_UNSUPPORTED) : true;
}

/* A resource below the cluster was changed: updates the cluster, unless an update is already in progress. */
SVC_PRIVATE bool svc_cluster_updates(svc_call *c, svc_change *change)
{
  bool busy = svc_cluster_is(change->before, "stateName", "CREATING") || svc_cluster_is(change->before, "stateName", "UPDATING");
  svc_entity e;
  if (!busy) {
    change->state = change->noun->noun->lifecycle->updated;
    svc_node_set_text(c->arena, change->body, change->noun->noun->lifecycle->field, change->state);
  }
  change->action = CLUSTER_ACTION_BELOW;
  if (!svc_change_keep(c, change, &e)) return false;
  return busy ? svc_order_put(c, change->noun, &e) : true; /* the order carries the current desired state */
}

SVC_PRIVATE bool svc_cluster_loaded(svc_call *c, svc_str name, const svc_node *facts)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, CLUSTER_KIND);
  svc_entity cluster, e;
  svc_change change;
  svc_cluster_kept kept;
  int rc = noun ? svc_entity_named(c->txn, CLUSTER_KIND, svc_noun_ext_of(noun->noun)->names, &c->scope.group, name, &cluster) : SVC_NOT_FOUND;
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND || svc_store_failed(c, rc);
  if (!svc_change_of(c, noun, &cluster, &change)) return false;
  kept = svc_cluster_kept_of(&cluster);
  kept.size += svc_node_i64(facts, "dataSizeBytes", 0);
  change.action = CLUSTER_ACTION_NOTE;
  change.id = cluster.id;
  change.extra = svc_cluster_extra(c, &change, &kept);
  return svc_change_keep(c, &change, &e) && svc_history_loaded(c, &e, CLUSTER_HISTORY_SAMPLE) &&
         svc_transfer_put(c, &e, change.body, svc_node_get(facts, "transfer"));
}

/* ------------------------------------------------------------------------------------------------------------ views */

static bool cluster_actions_show(svc_call *c, const char *field, const char *value)
{
  svc_node *body = svc_node_object(c->arena, NULL);
  if (!body) return svc_no_memory(c);
  svc_node_set_text(c->arena, body, field, value);
  return svc_answer_node(c, body);
}

/* A change in progress ends at a due date, or when the driver reports that it is done. */
SVC_PRIVATE bool svc_cluster_run_status(svc_call *c)
{
  const svc_entity *e;
  bool pending;
  if (!svc_resolve_all(c)) return false;
  e = svc_path_entity(c, "cluster");
  pending = svc_due_get(e, SVC_DUE_STATE) || svc_order_waits(c, e);
  return cluster_actions_show(c, "changeStatus", pending ? "PENDING" : "APPLIED");
}

/* Each replication spec is one shard with its own sizes; a replica set has only one spec. */
SVC_PRIVATE bool svc_cluster_run_scaling_mode(svc_call *c)
{
  bool single;
  if (!svc_resolve_all(c)) return false;
  single = svc_json_is(svc_path_entity(c, "cluster")->body, "clusterType", "REPLICASET");
  return cluster_actions_show(c, "autoScalingMode", single ? "CLUSTER_WIDE_SCALING" : "INDEPENDENT_SHARD_SCALING");
}

/*
** The source of a live migration in the simulation: a cluster of this service, in any project of the same organization. A
** driver has sources elsewhere: with a driver, only svc_migration_brings() is used, to store the size that the driver reports.
**
** The rule: a source of another organization is reported as missing. So callers cannot find out which projects and
** clusters others have, and data cannot move from one organization to another.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_history.h"
#include "catalog/migration/migration_parts.h"

/* Also SVC_NOT_FOUND if this build has no clusters, or the id is invalid. */
static int migration_source_cluster(svc_call *c, const svc_node *end, svc_entity *out)
{
  const svc_noun_info *noun = svc_noun_by_kind(c->s, CLUSTER_KIND);
  svc_id group;
  if (!noun || !svc_id_parse(svc_node_str(end, "groupId"), &group)) return SVC_NOT_FOUND;
  return svc_entity_named(c->txn, CLUSTER_KIND, svc_noun_ext_of(noun->noun)->names, &group, svc_node_str(end, "clusterName"), out);
}

static const char *migration_source_fault(svc_call *c, const svc_node *body, const svc_entity *source)
{
  svc_entity target;
  if (migration_source_cluster(c, svc_node_get(body, "destination"), &target) == SVC_OK && svc_id_eq(&target.id, &source->id))
    return "the source is the destination itself";
  if (svc_json_is(source->body, "stateName", "DELETING") || svc_json_is(source->body, "stateName", "DELETED"))
    return "the source cluster is being deleted";
  return svc_json_is(source->body, "paused", "true") ? "the source cluster is paused" : NULL;
}

SVC_PRIVATE bool svc_migration_source(svc_call *c, const svc_node *body, svc_entity *out, const char **why)
{
  int rc = migration_source_cluster(c, svc_node_get(body, "source"), out);
  *why = NULL;
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  if (rc == SVC_NOT_FOUND || !svc_id_eq(&out->scope.org, &c->scope.org)) *why = "the source cluster was not found";
  else *why = migration_source_fault(c, body, out);
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_migration_fails(svc_call *c, const svc_node *body, svc_node *facts, svc_entity *source, bool *fails)
{
  const char *why;
  if (!svc_migration_source(c, body, source, &why)) return false;
  if (why) svc_node_set_text(c->arena, facts, SVC_FAILURE, why);
  *fails = why != NULL;
  return true;
}

/* ---------------------------------------------------------------------------------------------------------------- data */

/* The size of the destination after the cutover: the source's data, and its own data unless that is dropped. */
SVC_PRIVATE bool svc_migration_sizes(svc_call *c, const svc_node *body, const svc_entity *source, svc_node *facts)
{
  int64_t size = svc_cluster_kept_of(source).size, own = 0;
  svc_entity target;
  int rc = migration_source_cluster(c, svc_node_get(body, "destination"), &target);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND || svc_store_failed(c, rc);
  if (!svc_node_bool(body, "dropDestinationData", false)) own = svc_cluster_kept_of(&target).size;
  svc_node_set_i64(c->arena, facts, "dataSizeBytes", own > size ? own : size); /* the sample data is the same everywhere, so sizes do not
                                                                                  add up */
  return true;
}

SVC_PRIVATE bool svc_migration_brings(svc_call *c, const svc_node *body, const svc_node *facts)
{
  int64_t size = svc_node_i64(facts, "dataSizeBytes", -1);
  svc_entity source, target;
  const char *why;
  int rc = migration_source_cluster(c, svc_node_get(body, "destination"), &target);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND || svc_store_failed(c, rc);
  if (!svc_migration_source(c, body, &source, &why) || (size >= 0 && !svc_history_size(c, &target, size))) return false;
  if (why) return true; /* the source is not a usable cluster of this service, as with a driver */
  if (!svc_history_had_sample(c, &source.id, c->now) && !svc_node_bool(body, "dropDestinationData", false)) return svc_txn_good(c);
  return svc_txn_good(c) && svc_history_restored(c, &source.id, c->now, &target);
}

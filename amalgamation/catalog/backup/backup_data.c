/*
** The data in backups and restores, as far as the service knows it: the history of a cluster records its data
** (catalog/cluster/cluster_history.h). A restore gives its target the data that the source had at the restored moment.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/cluster/cluster_history.h"
#include "catalog/cluster/sample_data.h"

/* Simulated bytes on disk, by the model of the figures: the journal, the oplog, which grows with time, and the data with its indexes. */
SVC_PRIVATE int64_t svc_snapshot_simulated_size(svc_call *c, const svc_id *cluster)
{
  int64_t days = c->now / SVC_DAY_MS - svc_id_second(cluster) / 86400;
  int64_t data = svc_history_had_sample(c, cluster, c->now) ? svc_sample_size() * 6 / 10 : 0;
  return ((int64_t)300 << 20) + data + (days > 0 ? days : 0) * (1 << 20);
}

/* The moment to restore, in milliseconds; 0: its snapshot is unknown by now. */
static int64_t backup_data_moment(const svc_node *body)
{
  int64_t at = svc_node_i64(body, "pointInTimeUTCSeconds", svc_node_i64(body, "oplogTs", 0)) * 1000;
  return at || svc_date_parse(svc_node_str(body, "timestamp"), &at) ? at : 0;
}

SVC_PRIVATE bool svc_restore_there(svc_call *c, const svc_change *job, svc_entity *target)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "cluster");
  svc_id group;
  return noun && svc_id_parse(svc_node_str(job->body, "targetGroupId"), &group) &&
         svc_entity_named(c->txn, noun->noun->kind, svc_noun_ext_of(noun->noun)->names, &group, svc_node_str(job->body, "targetClusterName"), target) == SVC_OK;
}

SVC_PRIVATE bool svc_restore_brings(svc_call *c, const svc_change *job, const svc_entity *target)
{
  return svc_history_restored(c, &job->parent, backup_data_moment(job->body), target);
}

SVC_PRIVATE bool svc_restore_simulate(svc_call *c, const svc_change *job, svc_node *facts)
{
  bool had = svc_history_had_sample(c, &job->parent, backup_data_moment(job->body));
  svc_node_set_i64(c->arena, facts, "dataSizeBytes", had ? svc_sample_size() : 0);
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_restore_facts(svc_call *c, const svc_change *job, const svc_node *facts)
{
  int64_t size = svc_node_i64(facts, "dataSizeBytes", -1);
  svc_entity target;
  if (size < 0 || !svc_restore_there(c, job, &target)) return svc_txn_good(c);
  return svc_history_size(c, &target, size);
}

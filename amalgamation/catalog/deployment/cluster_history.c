/*
** cluster history: a record below each cluster whose machines, data, oplog or indexes have changed since its creation.
** catalog/cluster/cluster_history.c defines its content and writes it. No operation shows the record: figures of the past
** are computed from it. The record is deleted with its cluster.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_history.h"

static const svc_field cluster_history_fields[] = {
  { .name = "indexes", .type = SVC_ARRAY, .item = SVC_ANY }, { .name = "loads", .type = SVC_ARRAY, .item = SVC_ANY },
  { .name = "machines", .type = SVC_ARRAY, .item = SVC_ANY }, { .name = "oplogs", .type = SVC_ARRAY, .item = SVC_ANY }
};
static const svc_object cluster_history_object = { .name = "ClusterHistory", .fields = SVC_ROWS(cluster_history_fields) };

SVC_PRIVATE const svc_noun svc_noun_cluster_history = {
  .name = "cluster history",
  .kind = CLUSTER_HISTORY_KIND,
  .parent = "cluster",
  .object = &cluster_history_object
};

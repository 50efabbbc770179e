/*
** The history of a cluster, so that figures of the past do not change: its machines and pauses, the data that was loaded,
** and the indexes that were built. cluster_history.c stores it; the noun is deployment/cluster_history.c.
*/
#ifndef SVC_CLUSTER_HISTORY_H
#define SVC_CLUSTER_HISTORY_H

#include "catalog/cluster/cluster_base.h"

#define CLUSTER_HISTORY_KIND "chis"
#define CLUSTER_HISTORY_SAMPLE "SAMPLE" /* data of a load: the sample data */
#define CLUSTER_HISTORY_NONE "NONE"     /* data of a load: none; the data from before was deleted */

/* *out NULL: there is no record, because nothing has changed. False: failed. */
SVC_PRIVATE bool svc_history_get(svc_call *c, const svc_id *cluster, const svc_node **out);
/* Called when machines or pauses may have changed: records the state before, and from now on. */
SVC_PRIVATE bool svc_history_changed(svc_call *c, const svc_entity *cluster, const svc_node *before, const svc_node *body);
/* Records the sizes of the oplog before and from now on, in megabytes; 0: not configured. */
SVC_PRIVATE bool svc_history_oplog(svc_call *c, const svc_entity *cluster, int64_t was, int64_t is);
SVC_PRIVATE bool svc_history_loaded(svc_call *c, const svc_entity *cluster, const char *data); /* data: CLUSTER_HISTORY_SAMPLE or
                                                                                                  CLUSTER_HISTORY_NONE */
/* Records that an index of "database.collection" was built: {"keys":[{"a":"1"}],"options":{...}}, as requested. */
SVC_PRIVATE bool svc_history_built(svc_call *c, const svc_entity *cluster, svc_str namespace, const svc_node *index);
/* The data of a cluster at a time in milliseconds: CLUSTER_HISTORY_SAMPLE, CLUSTER_HISTORY_NONE, or NULL if there was no load before. *since: the time
** from which the cluster has had these data without interruption; unchanged if NULL is returned. */
SVC_PRIVATE const char *svc_history_data(const svc_node *history, int64_t at, int64_t *since);

/* The same from the store: whether the cluster had the sample data then. False: it had not, or the store failed. */
SVC_PRIVATE bool svc_history_had_sample(svc_call *c, const svc_id *cluster, int64_t at);
/* Records the end of a restore: the target now has the data that the source, which may be the same cluster, had at that time. */
SVC_PRIVATE bool svc_history_restored(svc_call *c, const svc_id *source, int64_t at, const svc_entity *target);

SVC_PRIVATE bool svc_history_size(svc_call *c, const svc_entity *cluster, int64_t size); /* stores its present size in bytes in the
                                                                                            cluster's own record */

#endif /* SVC_CLUSTER_HISTORY_H */

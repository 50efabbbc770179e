/*
** What has become of a cluster over time, so that figures of the past stay what they were: which machines it had and when it was paused,
** which data came into it, which indexes were built. cluster_history.c keeps it; the noun is deployment/cluster_history.c.
*/
#ifndef SVC_CLUSTER_HISTORY_H
#define SVC_CLUSTER_HISTORY_H

#include "catalog/cluster/cluster_base.h"

#define CLUSTER_HISTORY_KIND "chis"
#define CLUSTER_HISTORY_SAMPLE "SAMPLE" /* the data of a load: the sample data, */
#define CLUSTER_HISTORY_NONE "NONE"     /* or none: what was there before is gone */

/* *out NULL: nothing has been written down, all is as it was made. False: failed. */
SVC_PRIVATE bool svc_history_get(svc_call *c, const svc_id *cluster, const svc_node **out);
/* Its machines or its pauses may have changed: writes down what it was, and what it is from now on. */
SVC_PRIVATE bool svc_history_changed(svc_call *c, const svc_entity *cluster, const svc_node *before, const svc_node *body);
/* The size of its oplog was so many megabytes, and is so many from now on; 0: nobody has set it. */
SVC_PRIVATE bool svc_history_oplog(svc_call *c, const svc_entity *cluster, int64_t was, int64_t is);
SVC_PRIVATE bool svc_history_loaded(svc_call *c, const svc_entity *cluster, const char *data); /* CLUSTER_HISTORY_SAMPLE */
/* An index of "database.collection" was built: {"keys":[{"a":"1"}],"options":{...}} as it was asked for. */
SVC_PRIVATE bool svc_history_built(svc_call *c, const svc_entity *cluster, svc_str namespace, const svc_node *index);
/* The data that a cluster had at this time, in milliseconds: NULL, CLUSTER_HISTORY_SAMPLE or CLUSTER_HISTORY_NONE; *since: since when. */
SVC_PRIVATE const char *svc_history_data(const svc_node *history, int64_t at, int64_t *since);

/* The same from the store: has it had the sample data then? False: it had not, or the store failed. */
SVC_PRIVATE bool svc_history_had_sample(svc_call *c, const svc_id *cluster, int64_t at);
/* A cluster has now what another one, or itself, had at a time: a restore has ended. */
SVC_PRIVATE bool svc_history_restored(svc_call *c, const svc_id *source, int64_t at, const svc_entity *target);

SVC_PRIVATE bool svc_history_size(svc_call *c, const svc_entity *cluster, int64_t size); /* so many bytes has it now: into its record */

#endif /* SVC_CLUSTER_HISTORY_H */

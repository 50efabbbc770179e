/*
** What the nouns of monitoring share: the processes that clusters consist of (processes.c), figures of them over time
** (measure.c), and the collections that are known of (namespaces.c).
*/
#ifndef SVC_PROCESS_PARTS_H
#define SVC_PROCESS_PARTS_H

#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"

/* ------------------------------------------------------------------------------------------------------- processes.c */

typedef struct svc_process {
  svc_str id;          /* "a1b2c3-shard-00-00.2f8k1.db.local:27017" */
  svc_str host;
  int64_t port;
  svc_str alias;       /* the host, called after its cluster */
  svc_str replica_set; /* empty: it is in none */
  svc_str shard;       /* empty: the cluster has none, or it serves all of them */
  const char *type;    /* "REPLICA_PRIMARY" */
} svc_process;

typedef struct svc_processes { /* of a cluster */
  svc_entity cluster;
  svc_node *body; /* of that */
  bool sharded;
  svc_process *at;
  size_t count;
} svc_processes;

/* All of a cluster below the path's project; in the transaction of the request. False: failed. */
SVC_PRIVATE bool svc_processes_of(svc_call *c, const svc_entity *cluster, svc_processes *out);
/* The process that is called so, or the first one on the host that is; false: 404. */
SVC_PRIVATE bool svc_process_find(svc_call *c, svc_str id, svc_processes *of, svc_process *out);
SVC_PRIVATE bool svc_process_runs(const svc_process *p); /* there is something to measure */

/* ------------------------------------------------------------------------------------------------------ namespaces.c */

/* The collections of a cluster that the service knows of, "database.collection": an array of at most 100, sorted, each once. In
** the transaction of the request. False: failed. */
SVC_PRIVATE bool svc_namespaces_known(svc_call *c, const svc_entity *cluster, svc_node **array);

#endif /* SVC_PROCESS_PARTS_H */

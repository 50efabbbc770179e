/*
** What flex clusters share with others: flex_cluster.c, the noun; flex_parts.c; their snapshots and restore jobs; and
** cluster.c, into whose noun one of them can be upgraded.
*/
#ifndef SVC_FLEX_PARTS_H
#define SVC_FLEX_PARTS_H

#include "catalog/deployment/cluster_parts.h"

#define FLEX_SNAPSHOT_KIND "fsnp"
#define FLEX_NAMES CLUSTER_KIND /* clusters of both kinds share one space of names */

enum { FLEX_TAKES_OVER = 1 }; /* svc_change.action of one that takes the place of a cluster */
#define FLEX_HAS_DATA "1"
#define FLEX_SNAPSHOTS 8 /* taken daily, so each lives for as many days */

/* flex_parts.c */
SVC_DECLARE(const svc_object svc_flex_object) /* a flex cluster, as it is stored and shown */
/* By its name in this project. False: 404, or that it is a cluster of the other kind. */
SVC_PRIVATE bool svc_flex_find(svc_call *c, const svc_id *group, svc_str name, svc_entity *out);
/* Beside its body stand six characters that name its hosts and, from the first data on, when its data came: CLUSTER_TIME digits, milliseconds. */
SVC_PRIVATE int64_t svc_flex_data(const svc_entity *flex); /* since when it has had the sample data, in milliseconds; 0: it has none */
SVC_PRIVATE bool svc_flex_put_data(svc_call *c, const svc_entity *flex, bool data); /* from now on; if it has data already, these stay */
SVC_PRIVATE bool svc_flex_upgrade(svc_call *c); /* run of a route of clusters: a flex cluster becomes one */

/* serverless_upgrade.c */
SVC_DECLARE(const svc_object svc_flex_serverless) /* the shape that serverless instances had */
SVC_PRIVATE bool svc_flex_from_free(svc_call *c); /* run of a route: a free cluster becomes a flex cluster */
/* A stored cluster on a shared tier becomes a flex cluster, as c->checked asks for it; its answer is the caller's. False: refused. */
SVC_PRIVATE bool svc_flex_replaces(svc_call *c, const svc_entity *stored, const svc_node *cluster, svc_change *change, svc_entity *e);

#endif /* SVC_FLEX_PARTS_H */

/*
** Functions of flex clusters that several files use, among them flex_cluster.c (the noun), flex_parts.c, their snapshots and
** restore jobs, and cluster.c, to whose noun a flex cluster can be upgraded.
*/
#ifndef SVC_FLEX_PARTS_H
#define SVC_FLEX_PARTS_H

#include "catalog/deployment/cluster_parts.h"

#define FLEX_SNAPSHOT_KIND "fsnp"
#define FLEX_NAMES CLUSTER_KIND /* clusters of both kinds share one name space */

enum { FLEX_TAKES_OVER = 1 }; /* svc_change.action: the flex cluster replaces a cluster */
#define FLEX_HAS_DATA "1"
#define FLEX_SNAPSHOTS 8 /* taken daily, so each is kept for eight days */

/* flex_parts.c */
SVC_DECLARE(const svc_object svc_flex_object) /* a flex cluster, as it is stored and shown */
/* Finds a flex cluster of the project by name. False: 404, or the name belongs to a cluster of the other kind. */
SVC_PRIVATE bool svc_flex_find(svc_call *c, const svc_id *group, svc_str name, svc_entity *out);
/* The `extra` of a flex cluster: six characters that name its hosts and, after the first load of data, the time of the load:
** CLUSTER_TIME digits, milliseconds. */
SVC_PRIVATE int64_t svc_flex_data(const svc_entity *flex); /* time of the sample data, in milliseconds; 0: none */
SVC_PRIVATE bool svc_flex_put_data(svc_call *c, const svc_entity *flex, bool data); /* sets or clears it; existing data keep their time */
SVC_PRIVATE bool svc_flex_upgrade(svc_call *c); /* run function of a route of clusters: upgrades a flex cluster to a cluster */

/* serverless_upgrade.c */
SVC_DECLARE(const svc_object svc_flex_serverless) /* the shape of serverless instances */
SVC_PRIVATE bool svc_flex_from_free(svc_call *c); /* run function of a route: a free cluster becomes a flex cluster */
/* Turns a stored cluster on a shared tier into a flex cluster, as c->checked requests. The calling function writes the
** answer. False: refused. */
SVC_PRIVATE bool svc_flex_replaces(svc_call *c, const svc_entity *stored, const svc_node *cluster, svc_change *change, svc_entity *e);

#endif /* SVC_FLEX_PARTS_H */

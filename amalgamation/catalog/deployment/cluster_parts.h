/*
** What the parts of clusters share: cluster.c, the noun; cluster_hardware.c; cluster_connection.c.
*/
#ifndef SVC_CLUSTER_PARTS_H
#define SVC_CLUSTER_PARTS_H

#define CLUSTER_KIND "clus"

/*
** What is kept beside the body of a cluster, as text of fixed width:
**
**   offset  0  six characters that name the hosts
**           6  when it was last resumed: milliseconds since 1970 in 14 digits; all zeros: never
**          20  how it shows in the list of all clusters: a JSON object
*/
enum { CLUSTER_ID = 6, CLUSTER_TIME = 14, CLUSTER_SUMMARY = CLUSTER_ID + CLUSTER_TIME };

/* cluster_hardware.c */
SVC_DECLARE(const svc_object svc_cluster_spec) /* a replication spec: regions, and what nodes run on there */
SVC_PRIVATE bool svc_cluster_fail(svc_call *c, const svc_change *change, int code); /* refused, by its name; false */
SVC_PRIVATE bool svc_cluster_is(const svc_node *body, const char *field, const char *value);
SVC_PRIVATE bool svc_cluster_is_tenant(const svc_node *body);
SVC_PRIVATE int64_t svc_cluster_electable(const svc_node *region); /* nodes of a region that can be elected */
SVC_PRIVATE int64_t svc_cluster_node_count(const svc_node *body);
SVC_PRIVATE bool svc_cluster_specs(svc_call *c, svc_change *change); /* its replicationSpecs, checked and filled in */
SVC_PRIVATE size_t svc_cluster_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most);

/* cluster_connection.c */
/* Six characters that name its hosts, made from its id; no other cluster of the project has them. */
SVC_PRIVATE void svc_cluster_host_id(svc_call *c, const svc_id *cluster, char out[CLUSTER_ID]);
SVC_PRIVATE void svc_cluster_connect(svc_call *c, svc_node *body, const char *id); /* its connection strings */
SVC_PRIVATE bool svc_cluster_facts(svc_call *c, svc_change *change, const svc_node *facts); /* of a driver */

#endif /* SVC_CLUSTER_PARTS_H */

/*
** What private endpoints have in common, those of clusters, of backups and of encryption at rest: endpoint_parts.c.
*/
#ifndef SVC_ENDPOINT_PARTS_H
#define SVC_ENDPOINT_PARTS_H

#include "catalog/values.h"

SVC_PRIVATE int svc_cloud_number(svc_str provider); /* its place in svc_values_clouds */
/* A name as the first provider would give it, "vpce-0a1b...", made of an id: a simulation. */
SVC_PRIVATE svc_str svc_endpoint_name(svc_call *c, const char *prefix, const svc_id *id);
/* What a service shows of its endpoints: this one is there, or no more; id empty: the list is made, where it has none. */
SVC_PRIVATE void svc_endpoint_list(svc_call *c, svc_node *service, svc_str id, bool there);

/* Those that the service makes itself in a region of a provider, to reach what is the customer's there. What is the same of all
** of them is a base; and so are the facts that a driver has of one: what it is called. */
SVC_DECLARE(const svc_object svc_endpoint_own)
SVC_DECLARE(const svc_object svc_endpoint_own_facts)

#endif /* SVC_ENDPOINT_PARTS_H */

/*
** Functions and tables that private endpoints of clusters, backups and encryption at rest share: endpoint_parts.c.
*/
#ifndef SVC_ENDPOINT_PARTS_H
#define SVC_ENDPOINT_PARTS_H

#include "catalog/values.h"

SVC_PRIVATE int svc_cloud_number(svc_str provider); /* its index in svc_values_clouds */
/* A name in the style of the first provider, "vpce-0a1b...", made from an id: for simulation. */
SVC_PRIVATE svc_str svc_endpoint_name(svc_call *c, const char *prefix, const svc_id *id);
/* Adds an endpoint to the list that a private endpoint service shows (there), or removes it. id empty: only creates a missing list. */
SVC_PRIVATE void svc_endpoint_list(svc_call *c, svc_node *service, svc_str id, bool there);

/* Private endpoints that the service itself creates in a provider's region to reach the customer's resources there. The first is the
** base object of all of them; the second has the facts that a driver reports about one: its connection name. */
SVC_DECLARE(const svc_object svc_endpoint_own)
SVC_DECLARE(const svc_object svc_endpoint_own_facts)

#endif /* SVC_ENDPOINT_PARTS_H */

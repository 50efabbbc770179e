/*
** Private endpoints that the service itself makes in a region of a provider, to reach what is the customer's there without
** crossing the public network: of backups, and of encryption at rest.
*/
#ifndef SVC_SERVICE_ENDPOINT_H
#define SVC_SERVICE_ENDPOINT_H

#include "catalog/catalog.h"

/* service_endpoint.c */
SVC_DECLARE(const svc_object svc_service_endpoint) /* what is the same of all: a base */
SVC_PRIVATE void svc_service_endpoint_name(svc_call *c, svc_change *change, const char *begin); /* what it is called: a simulation */
SVC_PRIVATE bool svc_service_endpoint_facts(svc_call *c, svc_change *change, const svc_node *facts); /* or as a driver says */

#endif /* SVC_SERVICE_ENDPOINT_H */

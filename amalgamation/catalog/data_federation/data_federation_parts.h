/*
** Functions and tables that the parts of data federation share: data_federation.c, the noun; federation_storage.c and
** federation_rules.c, its sources; and data_federation_endpoint.c, its private endpoints.
*/
#ifndef SVC_DATA_FEDERATION_PARTS_H
#define SVC_DATA_FEDERATION_PARTS_H

#include "catalog/catalog.h"

#define FEDERATION_ENDPOINT_KIND "dfep"
#define FEDERATION_ENDPOINT_MOST 50 /* maximum of a project */
#define FEDERATION_TAGS 20 /* maximum tags of a set that selects nodes of a cluster */

/* federation_storage.c */
SVC_DECLARE(const svc_object svc_federation_storage) /* stores, and databases made from them */
/* federation_rules.c: rules that its tables cannot express, for the body of an instance; adds violations. False: out of memory, or the
** store failed. */
SVC_PRIVATE bool svc_federation_storage_rules(svc_call *c, const svc_node *body);

/* Whether a store of this provider is read with a role, as buckets that are not public are. */
SVC_PRIVATE bool svc_federation_reads_in_role(const svc_node *storage, const char *provider); /* "s3", "azure", "gcs" */

#endif /* SVC_DATA_FEDERATION_PARTS_H */

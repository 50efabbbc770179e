/*
** What the parts of data federation share: data_federation.c, the noun; federation_storage.c and federation_rules.c, what it reads from; and
** data_federation_endpoint.c, the private ways to it.
*/
#ifndef SVC_DATA_FEDERATION_PARTS_H
#define SVC_DATA_FEDERATION_PARTS_H

#include "catalog/catalog.h"

#define FEDERATION_ENDPOINT_KIND "dfep"
#define FEDERATION_ENDPOINT_MOST 50 /* of a project */
#define FEDERATION_TAGS 20 /* of a set by which nodes of a cluster are chosen */

/* federation_storage.c */
SVC_DECLARE(const svc_object svc_federation_storage) /* stores, and databases made of what is in them */
/* federation_rules.c: what its table cannot say, of the body of an instance: notes violations. False: refused, or failed. */
SVC_PRIVATE bool svc_federation_storage_rules(svc_call *c, const svc_node *body);

/* How the nouns below tell which store may be read: a bucket that is not public is read in a role. */
SVC_PRIVATE bool svc_federation_reads_in_role(const svc_node *storage, const char *provider); /* "s3", "azure", "gcs" */

#endif /* SVC_DATA_FEDERATION_PARTS_H */

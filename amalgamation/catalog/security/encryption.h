/*
** Encryption at rest with the customer's own keys, for the nouns that depend on it: clusters, their search nodes, and the
** private endpoints to the keys.
*/
#ifndef SVC_ENCRYPTION_H
#define SVC_ENCRYPTION_H

#include "catalog/catalog.h"

#define ENCRYPTION_KIND "eart"
#define ENCRYPTION_ENDPOINT_KIND "eaep"

/* encryption.c. For the project of the call. provider: as in clusters, "AWS". */
SVC_PRIVATE bool svc_encryption_by(svc_call *c, svc_str provider); /* whether the provider is enabled; true if this build has no
                                                                      encryption at rest */
SVC_PRIVATE bool svc_encryption_private(svc_call *c, svc_str provider); /* whether the keys are reached through private networking only */
SVC_PRIVATE bool svc_encryption_of_search(svc_call *c); /* whether search nodes are encrypted as their clusters are */
/* Finds a cluster that is encrypted with this provider's keys and, if region is not empty, has nodes there. Returns false if there is
** none, or on failure. */
SVC_PRIVATE bool svc_encryption_cluster(svc_call *c, svc_str provider, svc_str region, svc_entity *out);

#endif /* SVC_ENCRYPTION_H */

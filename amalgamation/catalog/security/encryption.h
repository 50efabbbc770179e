/*
** Encryption at rest by the customer's own keys, as those see it who depend on it: clusters, their search nodes, and the private
** endpoints to where the keys are.
*/
#ifndef SVC_ENCRYPTION_H
#define SVC_ENCRYPTION_H

#include "catalog/catalog.h"

#define ENCRYPTION_KIND "eart"
#define ENCRYPTION_ENDPOINT_KIND "eaep"

/* encryption.c. Of the call's project; provider: as clusters name it, "AWS". */
SVC_PRIVATE bool svc_encryption_by(svc_call *c, svc_str provider); /* are its keys in use there? Where nothing is known of keys: yes */
SVC_PRIVATE bool svc_encryption_private(svc_call *c, svc_str provider); /* may they be reached by private ways only? */
SVC_PRIVATE bool svc_encryption_of_search(svc_call *c); /* are search nodes encrypted as their clusters are? */
/* A cluster that is encrypted by this provider's keys; region not empty: and has nodes there. False: none, or failed. */
SVC_PRIVATE bool svc_encryption_cluster(svc_call *c, svc_str provider, svc_str region, svc_entity *out);

#endif /* SVC_ENCRYPTION_H */

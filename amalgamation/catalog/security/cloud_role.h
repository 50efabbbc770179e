/*
** Access roles at cloud providers (cloud_access.c), for the nouns that use one.
*/
#ifndef SVC_CLOUD_ROLE_H
#define SVC_CLOUD_ROLE_H

#include "catalog/catalog.h"

#define SVC_CLOUD_ROLE_KIND "cpac"

/* A row of `refs`: the field names a role of the project, which cannot be deleted while it is referenced. */
#define SVC_CLOUD_ROLE(field) { field, "cloud provider access", SVC_E_CANNOT_ASSUME_ROLE, SVC_E_CLOUD_PROVIDER_ACCESS_ROLE_IN_USE }

SVC_PRIVATE svc_str svc_cloud_role_provider(const svc_entity *e);
SVC_PRIVATE bool svc_cloud_role_authorized(const svc_entity *e); /* whether the role can be used, as cloud_role.c says for each provider */

/* Checks that this role belongs to the provider and is authorized. A missing role passes: the row of `refs` refuses it. Returns false if
** refused. */
SVC_PRIVATE bool svc_cloud_role(svc_call *c, svc_str id, svc_str provider);

#endif /* SVC_CLOUD_ROLE_H */

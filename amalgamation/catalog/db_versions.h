/*
** The database versions on offer.
**
** The rule: each version is listed once, here, oldest first. Creates and upgrades of clusters and the list of versions for
** a project all use these rows. Exactly one version is the default.
*/
#ifndef SVC_DB_VERSIONS_H
#define SVC_DB_VERSIONS_H

#include "catalog/values.h"

typedef struct svc_db_version {
  const char *major; /* the version that a customer requests */
  const char *full;  /* the version that then runs */
  bool is_default;
} svc_db_version;

SVC_SHARED svc_db_version svc_db_versions[] = {
  { "6.0", "6.0.24", false },
  { "7.0", "7.0.21", false },
  { "8.0", "8.0.9", true }
};
/* Versions that are no longer offered. */
SVC_LIST svc_db_versions_deprecated[] = { "3.6", "4.0", "4.2", "4.4", "5.0", NULL };
#define SVC_DB_VERSION_COUNT (sizeof svc_db_versions / sizeof svc_db_versions[0])

#endif /* SVC_DB_VERSIONS_H */

/*
** The database versions on offer.
**
** The rule it keeps: a version is written down once, here, oldest first. What a cluster may be created with or raised
** to, and what a project is told it can choose from, are both read from these rows; exactly one is the default.
*/
#ifndef SVC_DB_VERSIONS_H
#define SVC_DB_VERSIONS_H

#include "catalog/values.h"

typedef struct svc_db_version {
  const char *major; /* what a customer asks for */
  const char *full;  /* what runs then */
  bool is_default;
} svc_db_version;

SVC_SHARED svc_db_version svc_db_versions[] = {
  { "6.0", "6.0.24", false },
  { "7.0", "7.0.21", false },
  { "8.0", "8.0.9", true }
};
/* Those that were on offer once, and are not any more. */
SVC_LIST svc_db_versions_deprecated[] = { "3.6", "4.0", "4.2", "4.4", "5.0", NULL };
#define SVC_DB_VERSION_COUNT (sizeof svc_db_versions / sizeof svc_db_versions[0])

#endif /* SVC_DB_VERSIONS_H */

/*
** The older versions of clusters, as rows: 2023-02-01 (cluster_versions.c), 2023-01-01 (cluster_legacy.c), and for
** creates and changes 2024-08-05, which has the newest shape. The rows have a file of their own because they refer to the
** shape in tenant_upgrade.c, which must come before them in the fold.
**
** The sunsets are those of the recorded specification of the public service. 2024-08-05 has the earliest one (2027-03-01),
** although it is the newest of the three.
*/
#include "catalog/catalog.h"
#include "catalog/deployment/cluster_parts.h"

#define VERSION_ROWS_20230101 .date = 20230101, .sunset = 20270701, .omits = true, .body = &svc_cluster_legacy, \
  .answer = &svc_cluster_legacy, .upgrade = svc_cluster_legacy_upgrade, .downgrade = svc_cluster_legacy_downgrade
#define VERSION_ROWS_20230201 .date = 20230201, .sunset = 20270701, .omits = true, .body = &svc_cluster_20230201, \
  .answer = &svc_cluster_20230201, .upgrade = svc_cluster_by_zone_upgrade, .downgrade = svc_cluster_by_zone
#define VERSION_ROWS_20240805 .date = 20240805, .sunset = 20270301

SVC_PRIVATE const svc_older svc_cluster_older[] = { { VERSION_ROWS_20230101 }, { VERSION_ROWS_20230201 }, { .date = 0 } };
SVC_PRIVATE const svc_older svc_cluster_older_create[] = {
  { VERSION_ROWS_20230101, .example = "{\"name\":\"Main\",\"backupEnabled\":true,\"clusterType\":\"SHARDED\",\"numShards\":1,"
    "\"providerSettings\":{\"instanceSizeName\":\"M30\",\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}" },
  { VERSION_ROWS_20230201 }, { VERSION_ROWS_20240805 }, { .date = 0 }
};
SVC_PRIVATE const svc_older svc_cluster_older_change[] = {
  { VERSION_ROWS_20230101 }, { VERSION_ROWS_20230201 }, { VERSION_ROWS_20240805, .upgrade = svc_cluster_either_upgrade }, { .date = 0 }
};

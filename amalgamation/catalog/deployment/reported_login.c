/*
** reported login: a successful or failed login to a cluster, as a driver has reported it. Access history shows it;
** cluster/reported.c reads and writes the records. A build may leave this noun out: then logins in reports are checked,
** but not stored.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_base.h"

SVC_PRIVATE const svc_noun svc_noun_reported_login = {
  .name = CLUSTER_LOGINS, .kind = CLUSTER_LOGINS_KIND, .parent = "cluster", .flags = SVC_EXPIRES | SVC_RING, .most = 5000,
  .object = &svc_login_shown
};

/*
** Reported login: one login on a cluster, or a try, as a driver has reported it. Access history shows it; cluster/reported.c does all that is
** done with it. A build may be without it: then logins in reports are checked, and not kept.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_base.h"

SVC_PRIVATE const svc_noun svc_noun_reported_login = {
  .name = CLUSTER_LOGINS, .kind = CLUSTER_LOGINS_KIND, .parent = "cluster", .flags = SVC_EXPIRES | SVC_RING, .most = 5000,
  .object = &svc_login_shown
};

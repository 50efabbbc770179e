/*
** Reported measurement: an hour of one metric of one process, as a driver has reported it. Series and alerts show it; cluster/reported.c
** does all that is done with it. A build may be without it: then measurements in reports are checked, and not kept.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_base.h"

static const svc_field reported_measurement_fields[] = { F_ANY("values") /* minute by minute; null: none */ };
static const svc_object reported_measurement_object = { .name = "ReportedMeasurement", .fields = SVC_ROWS(reported_measurement_fields) };

SVC_PRIVATE const svc_noun svc_noun_reported_measurement = {
  .name = CLUSTER_MEASUREMENTS, .kind = CLUSTER_MEASUREMENTS_KIND, .parent = "cluster", .flags = SVC_EXPIRES | SVC_RING, .most = 5000,
  .object = &reported_measurement_object
};

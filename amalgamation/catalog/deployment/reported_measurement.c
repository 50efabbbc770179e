/*
** reported measurement: an hour of a metric of a process, as a driver has reported it. Series and alerts show it;
** cluster/reported.c reads and writes the records. A build may leave this noun out: then measurements in reports are
** checked, but not stored.
*/
#include "catalog/catalog.h"
#include "catalog/cluster/cluster_base.h"

static const svc_field reported_measurement_fields[] = { F_ANY("values") /* one per minute; null: no value */ };
static const svc_object reported_measurement_object = { .name = "ReportedMeasurement", .fields = SVC_ROWS(reported_measurement_fields) };

SVC_PRIVATE const svc_noun svc_noun_reported_measurement = {
  .name = CLUSTER_MEASUREMENTS, .kind = CLUSTER_MEASUREMENTS_KIND, .parent = "cluster", .flags = SVC_EXPIRES | SVC_RING, .most = 5000,
  .object = &reported_measurement_object
};

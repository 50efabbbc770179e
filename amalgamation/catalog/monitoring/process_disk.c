/*
** Disk: the place of a process's data, and its measurements. The driver reports which disks exist. Without a driver each
** process has one, named data.
*/
#include "catalog/monitoring/process_parts.h"

static const svc_field process_disk_fields[] = { F_STR("partitionName", .flags = SVC_READ_ONLY) };
static const svc_object process_disk_object = { .name = "DiskPartition", .fields = SVC_ROWS(process_disk_fields) };

#define PROCESS_DISK "/groups/{groupId}/processes/{processId}/disks", SVC_SET_PROCESSES, (20230101), SVC_R_GROUP_READ_ONLY, 0

static const svc_param process_disk_params[] = { SVC_MEASURE("m", svc_disk_metric_names, 0), { .name = NULL } };

static const svc_route process_disk_routes[] = {
  R_GET(PROCESS_DISK, "", .flags = SVC_PAGED, .answer = &process_disk_object, .op = "listProcessDisks", .run = svc_part_ask, .on_reply = svc_part_list),
  R_GET(PROCESS_DISK, "/{partitionName}", .flags = SVC_ITEM, .answer = &process_disk_object, .op = "getProcessDisk", .run = svc_part_ask, .on_reply = svc_part_read),
  R_GET(PROCESS_DISK, "/{partitionName}/measurements", .params = process_disk_params, .answer = &svc_process_measurements,
        .op = "getProcessDiskMeasurements", .run = svc_part_measure, .on_reply = svc_part_measured)
};

SVC_PRIVATE const svc_noun svc_noun_process_disk = {
  .name = "disk",
  .rel = "disks",
  .parent = "process",
  .param = "partitionName",
  .flags = SVC_VIRTUAL | SVC_BY_TABLE,
  .questions = SVC_ASKS(&svc_question_series, &svc_question_disks),
  .routes = SVC_ROUTES(process_disk_routes),
};

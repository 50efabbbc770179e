/*
** Export bucket: a customer's object store at a cloud provider, to which a project exports snapshots. The bucket and the
** provider's role that may write to it never change. A bucket at AWS may require that it is reached through private
** endpoints only.
**
** A bucket cannot be deleted while a backup schedule exports to it, or while an export writes to it.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"
#include "catalog/security/cloud_role.h"

#define EXPORT_BUCKET_MOST 100

#define EXPORT_BUCKET_COMMON(role) \
  F_HEX24("_id", .flags = SVC_READ_ONLY, .fill = SVC_AUTO_ID), \
  F_STR("bucketName", .flags = SVC_REQUIRED | SVC_FIXED, .min = 3, .max = 63, .pattern = "^[a-zA-Z0-9][a-zA-Z0-9._-]*$"), \
  F_ENUM("cloudProvider", svc_values_clouds, .flags = SVC_REQUIRED | SVC_FIXED), \
  F_HEX24(role, .flags = SVC_REQUIRED | SVC_FIXED)

static const svc_field export_bucket_aws_fields[] = {
  EXPORT_BUCKET_COMMON("iamRoleId"),
  F_STR("region", .flags = SVC_READ_ONLY),
  F_BOOL("requirePrivateNetworking", .preset = "false")
};
static const svc_object export_bucket_aws = {
  .name = "DiskBackupSnapshotAWSExportBucket", .fields = SVC_ROWS(export_bucket_aws_fields)
};
static const svc_field export_bucket_azure_fields[] = {
  EXPORT_BUCKET_COMMON("roleId"),
  F_STR("serviceUrl", .flags = SVC_REQUIRED | SVC_FIXED, .format = SVC_FORMAT_URI, .max = 255)
};
static const svc_object export_bucket_azure = {
  .name = "DiskBackupSnapshotAzureExportBucket", .fields = SVC_ROWS(export_bucket_azure_fields)
};
static const svc_field export_bucket_gcp_fields[] = { EXPORT_BUCKET_COMMON("roleId") };
static const svc_object export_bucket_gcp = {
  .name = "DiskBackupSnapshotGCPExportBucket", .fields = SVC_ROWS(export_bucket_gcp_fields)
};
static const svc_variant export_bucket_variants[] = {
  { "AWS", &export_bucket_aws }, { "AZURE", &export_bucket_azure }, { "GCP", &export_bucket_gcp }, { NULL, NULL }
};
static const svc_object export_bucket_object = {
  .name = "DiskBackupSnapshotExportBucket", .ext = SVC_OBJECT_EXT(.choice = SVC_CHOICE("cloudProvider", NULL, export_bucket_variants))
};

#define EXPORT_BUCKET \
  "/groups/{groupId}/backup/exportBuckets", SVC_SET_BACKUP, (20230101, 20240530), SVC_R_GROUP_READ_ONLY, \
      SVC_R_GROUP_BACKUP_MANAGER

static bool export_bucket_downgrade(svc_call *c, svc_node *shown);

/* Before 2024-05-30 all buckets were at AWS. */
static const svc_older export_bucket_older[] = {
  { .date = 20230101, .sunset = 20270701, .omits = true, .body = &export_bucket_aws, .answer = &export_bucket_aws,
    .downgrade = export_bucket_downgrade },
  { .date = 0 }
};

static const svc_route export_bucket_routes[] = {
  R_GET(EXPORT_BUCKET, "", .older = export_bucket_older, .flags = SVC_PAGED, .op = "listExportBuckets", .run = svc_verb_list),
  R_POST(EXPORT_BUCKET, "", .older = export_bucket_older, .status = 201, .op = "createExportBucket", .run = svc_verb_create,
         .example = "{\"bucketName\":\"acme-snapshots\",\"cloudProvider\":\"AWS\","
                    "\"iamRoleId\":\"5f0000000000000000000000\"}"),
  R_GET(EXPORT_BUCKET, "/{exportBucketId}", .older = export_bucket_older, .op = "getExportBucket", .run = svc_verb_read),
  { .method = SVC_PATCH, .path = "/groups/{groupId}/backup/exportBuckets/{exportBucketId}", .set = SVC_SET_BACKUP,
    .versions = { 20240530 }, .roles = SVC_R_GROUP_BACKUP_MANAGER, .op = "updateBackupExportBucket", .run = svc_verb_update },
  { .method = SVC_DELETE, .path = "/groups/{groupId}/backup/exportBuckets/{exportBucketId}", .set = SVC_SET_BACKUP,
    .status = 204, .versions = { 20230101 }, .roles = SVC_R_GROUP_BACKUP_MANAGER, .op = "deleteExportBucket", .run = svc_verb_delete }
};

static bool export_bucket_downgrade(svc_call *c, svc_node *shown)
{
  svc_str id = svc_node_str(shown, "_id");
  return svc_node_is(shown, "cloudProvider", "AWS") ? true : svc_not_found(c, c->plan->noun, 1, id);
}

static bool export_bucket_removing(svc_call *c, const svc_entity *e)
{
  svc_str group = svc_id_str(c->arena, &e->parent);
  if (!svc_export_uses(c, e)) return svc_txn_good(c);
  return svc_fail(c, SVC_E_EXPORT_BUCKET_IN_USE, "SS", &e->key, &group);
}

static bool export_bucket_prepare(svc_call *c, svc_change *change)
{
  svc_str provider = svc_node_str(change->body, "cloudProvider");
  return svc_cloud_role(c, svc_node_str(change->body, svc_str_is(provider, "AWS") ? "iamRoleId" : "roleId"), provider);
}

/* The role that may write to the bucket: it must be a role of the project, and cannot be deleted before the bucket. */
static const svc_ref export_bucket_refs[] = {
  SVC_CLOUD_ROLE("iamRoleId"), SVC_CLOUD_ROLE("roleId"),
  { NULL, NULL, 0, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_export_bucket = {
  .name = "export bucket",
  .rel = "exportBucket",
  .kind = "exbk",
  .parent = "project",
  .param = "exportBucketId",
  .object = &export_bucket_object,
  .err_not_found = SVC_E_EXPORT_BUCKET_NOT_FOUND,
  .most = EXPORT_BUCKET_MOST,
  .err_quota = SVC_E_BACKUP_LIMIT_EXCEEDED,
  .refs = export_bucket_refs,
  .event_created = "BUCKET_CREATED_AUDIT",
  .event_updated = "BUCKET_CREATED_AUDIT", /* the closest event type */
  .event_deleted = "BUCKET_DELETED_AUDIT",
  .event_field = "resourceId",
  .routes = SVC_ROUTES(export_bucket_routes),
  .prepare = export_bucket_prepare,
  .removing = export_bucket_removing
};

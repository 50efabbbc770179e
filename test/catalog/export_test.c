/*
** Exports of snapshots: buckets at three providers, the states of jobs, exports by the schedule, and uses of a bucket
** that prevent its deletion.
**
** Tests also: export_bucket, export_job
*/
#include "catalog/backup_world.h"
#include "damaged.h"
#include "driver.h"
#include "needs.h"

#define NEED_BUCKETS "/groups/{groupId}/backup/exportBuckets"

T_NEEDS(export) = {
  T_TARGET("export bucket", NEED_BUCKETS, NULL, NULL, "_id", "/groups/%G/backup/exportBuckets/%V"),
  T_REFERENCE("export job", "exportBucketId", SVC_POST, "/groups/{groupId}/clusters/{clusterName}/backup/exports", NULL, 0, NULL),
  T_REFERENCE("export bucket", "iamRoleId", SVC_POST, NEED_BUCKETS, NULL, 0, NULL),
  T_REFERENCE("export bucket", "roleId", SVC_POST, NEED_BUCKETS,
              "{\"bucketName\":\"acme-three\",\"cloudProvider\":\"GCP\",\"roleId\":\"%V\"}", T_ROLE_GCP, NULL),
  T_NEEDS_END
};

#define BUCKETS "/groups/%G/backup/exportBuckets"
#define ROLE "%R"
#define AWS "{\"bucketName\":\"acme-one\",\"cloudProvider\":\"AWS\",\"iamRoleId\":\"" ROLE "\"}"
#define EXPORTS "%C/backup/exports"
#define JOB "{\"exportBucketId\":\"%J\",\"snapshotId\":\"%S\"}"

static void bucket(b_world *w)
{
  b_role(w, "AWS");
  b_good(w, "POST", BUCKETS, AWS, 201);
  w->other = t_keep(&w->t, t_str(&w->t, "_id"));
}

TEST(export, buckets)
{
  b_world w;
  b_open(&w, NULL);
  bucket(&w);
  b_is(&w, "iamRoleId", w.role);
  b_is(&w, "requirePrivateNetworking", "false");
  munit_assert_size(strlen(w.other), ==, 24);
  munit_assert_not_null(strstr(t_link(&w.t, "self"), w.other));
  b_bad(&w, "POST", BUCKETS, "{\"bucketName\":\"acme-three\",\"cloudProvider\":\"GCP\",\"roleId\":\"" ROLE "\"}", 400, "CANNOT_ASSUME_ROLE");
  b_role(&w, "AZURE");
  b_good(&w, "POST", BUCKETS,
         "{\"bucketName\":\"acme-two\",\"cloudProvider\":\"AZURE\",\"roleId\":\"" ROLE "\",\"serviceUrl\":"
                              "\"https://acme.blob.example.net\"}", 201);
  b_is(&w, "requirePrivateNetworking", "");
  b_role(&w, "GCP");
  b_good(&w, "POST", BUCKETS, "{\"bucketName\":\"acme-three\",\"cloudProvider\":\"GCP\",\"roleId\":\"" ROLE "\"}", 201);
  b_good(&w, "GET", BUCKETS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  b_bad_field(&w, "POST", BUCKETS, "{\"bucketName\":\"acme-one\",\"cloudProvider\":\"AWS\"}", "iamRoleId");
  b_bad_field(&w, "POST", BUCKETS, "{\"bucketName\":\"acme-one\",\"cloudProvider\":\"AWS\",\"roleId\":\"" ROLE "\"}",
              "roleId");
  b_bad_field(&w, "POST", BUCKETS, "{\"bucketName\":\"acme-one\",\"cloudProvider\":\"GCP\",\"iamRoleId\":\"" ROLE "\"}",
              "iamRoleId");
  b_bad_field(&w, "POST", BUCKETS, "{\"bucketName\":\"acme-one\",\"cloudProvider\":\"AZURE\",\"roleId\":\"" ROLE "\"}",
              "serviceUrl");
  b_bad_field(&w, "POST", BUCKETS, "{\"bucketName\":\"a\",\"cloudProvider\":\"AWS\",\"iamRoleId\":\"" ROLE "\"}",
              "bucketName");
  b_bad_field(&w, "POST", BUCKETS, "{\"bucketName\":\"acme\",\"cloudProvider\":\"TENANT\"}", "cloudProvider");
  b_good(&w, "PATCH", BUCKETS "/%J", "{\"requirePrivateNetworking\":true}", 200);
  b_is(&w, "requirePrivateNetworking", "true");
  b_good(&w, "GET", BUCKETS "/%J", NULL, 200);
  b_is(&w, "requirePrivateNetworking", "true");
  b_bad_field(&w, "PATCH", BUCKETS "/%J", "{\"bucketName\":\"another\"}", "bucketName");
  b_good(&w, "DELETE", BUCKETS "/%J", NULL, 204);
  b_bad(&w, "GET", BUCKETS "/%J", NULL, 404, "EXPORT_BUCKET_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 1), w.group);
  munit_assert_int64(b_events(&w, "BUCKET_DELETED_AUDIT"), ==, 1);
  b_close(&w);
}

TEST(export, bucket_most)
{
  b_world w;
  int i;
  b_open(&w, NULL);
  for (i = 0; i < 100; i++) bucket(&w);
  b_bad(&w, "POST", BUCKETS, AWS, 403, "BACKUP_LIMIT_EXCEEDED");
  munit_assert_string_equal(t_param(&w.t, 0), "100");
  b_close(&w);
}

TEST(export, jobs)
{
  const char *job, *cluster;
  b_world w;
  char path[256];
  b_open_cluster(&w, NULL, B_SHARDED("C"));
  bucket(&w);
  b_good(&w, "POST", "%C/backup/snapshots", "{}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  b_bad(&w, "POST", EXPORTS, JOB, 409, "CANNOT_DOWNLOAD_INCOMPLETE_SNAPSHOT");
  t_advance(&w.t, 10);
  b_good(&w, "POST", EXPORTS,
         "{\"customData\":[{\"key\":\"why\",\"value\":\"audit\"}],\"exportBucketId\":\"%J\",\"snapshotId\":\"%S\"}", 202);
  job = t_keep(&w.t, t_str(&w.t, "id"));
  b_is(&w, "state", "Queued");
  b_is(&w, "customData[0].value", "audit");
  b_is(&w, "exportStatus.exportedCollections", "0");
  munit_assert_size(t_count(&w.t, "components"), ==, 2);
  munit_assert_int(strncmp(t_str(&w.t, "prefix"), "/exported_snapshots/", 20), ==, 0);
  munit_assert_not_null(strstr(t_str(&w.t, "prefix"), w.group));
  munit_assert_not_null(strstr(t_str(&w.t, "prefix"), "/C/2025-06-01T00:00/"));
  b_bad(&w, "DELETE", BUCKETS "/%J", NULL, 409, "EXPORT_BUCKET_IN_USE");
  munit_assert_string_equal(t_param(&w.t, 0), w.other);
  snprintf(path, sizeof path, "%s/%s", EXPORTS, job);
  w.t.now += 500;
  b_good(&w, "GET", path, NULL, 200);
  b_is(&w, "state", "InProgress");
  b_bad(&w, "DELETE", BUCKETS "/%J", NULL, 409, "EXPORT_BUCKET_IN_USE");
  t_advance(&w.t, 5);
  b_good(&w, "GET", path, NULL, 200);
  b_is(&w, "state", "Successful");
  b_is(&w, "finishedAt", "2025-06-01T00:00:25Z");
  munit_assert_string_equal(t_str(&w.t, "exportStatus.exportedCollections"), t_str(&w.t, "exportStatus.totalCollections"));
  munit_assert_int64(b_events(&w, "CPS_EXPORT_SUCCESSFUL"), ==, 1);
  b_good(&w, "DELETE", BUCKETS "/%J", NULL, 204); /* no job uses the bucket any more */
  b_good(&w, "GET", EXPORTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  b_bad(&w, "POST", EXPORTS, JOB, 404, "EXPORT_BUCKET_NOT_FOUND");
  w.other = w.snapshot;
  w.snapshot = "5f0000000000000000000001";
  b_bad(&w, "POST", EXPORTS, JOB, 404, "SNAPSHOT_NOT_FOUND");
  b_bad_field(&w, "POST", EXPORTS, "{\"exportBucketId\":\"%J\"}", "snapshotId");
  b_bad(&w, "GET", EXPORTS "/%S", NULL, 404, "BACKUP_JOB_NOT_FOUND");
  bucket(&w); /* the export of a damaged snapshot without a date has no date in its prefix */
  b_good(&w, "GET", "%C", NULL, 200);
  cluster = t_keep(&w.t, t_str(&w.t, "id"));
  b_snapshot(&w);
  damaged_body(&w.t, "snapshot", cluster, w.snapshot, "\"createdAt\":\"2025-", "\"createdAt\":\"\",\"was\":\"2025-");
  b_good(&w, "POST", EXPORTS, JOB, 202);
  snprintf(path, sizeof path, "/exported_snapshots/%s/%s/C//", w.org, w.group);
  munit_assert_memory_equal(strlen(path), t_str(&w.t, "prefix"), path);
  t_advance(&w.t, 91 * 86400);
  b_good(&w, "GET", EXPORTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  store_whole(w.t.s);
  b_close(&w);
}

/* The schedule exports each monthly snapshot when the snapshot is completed. The schedule's bucket cannot be deleted. */
TEST(export, schedule)
{
  b_world w;
  b_open_cluster(&w, NULL, NULL);
  bucket(&w);
  b_good(&w, "PATCH", "%C/backup/schedule",
         "{\"autoExportEnabled\":true,\"export\":{\"exportBucketId\":\"%J\",\"frequencyType\":\"monthly\"},"
         "\"useOrgAndGroupNamesInExportPrefix\":true}", 200);
  b_bad(&w, "DELETE", BUCKETS "/%J", NULL, 409, "EXPORT_BUCKET_IN_USE");
  t_advance(&w.t, 75 * 86400);
  b_good(&w, "GET", EXPORTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 2);
  b_is(&w, "results[0].state", "Successful");
  b_is(&w, "results[1].createdAt", "2025-06-30T00:00:02Z");
  munit_assert_not_null(strstr(t_str(&w.t, "results[0].prefix"), "/exported_snapshots/Acme/alpha/C/"));
  b_good(&w, "PATCH", "%C/backup/schedule", "{\"autoExportEnabled\":false,\"export\":null}", 200);
  b_good(&w, "DELETE", BUCKETS "/%J", NULL, 204);
  t_advance(&w.t, 60 * 86400);
  b_good(&w, "GET", EXPORTS, NULL, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1); /* the older job has expired */
  store_whole(w.t.s);
  b_close(&w);
}

/* A job fails, and another job succeeds. Then the bucket of both can be deleted. */
TEST(export, driver)
{
  t_driver d;
  b_world w;
  t_driver_init(&d);
  t_driver_does(&d, "cluster.", NULL);
  t_driver_does(&d, "snapshot.", NULL);
  b_open_driven(&w, &d.port);
  bucket(&w);
  b_good(&w, "POST", "%C/backup/snapshots", "{}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 1);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  b_good(&w, "POST", EXPORTS, JOB, 202);
  t_advance(&w.t, 1);
  t_driver_finish(&d, w.t.s, "export.run", SVC_IO, NULL);
  b_good(&w, "GET", EXPORTS, NULL, 200);
  b_is(&w, "results[0].state", "Failed");
  munit_assert_int64(b_events(&w, "CPS_EXPORT_FAILED"), ==, 1);
  b_good(&w, "POST", EXPORTS, JOB, 202);
  t_advance(&w.t, 1);
  t_driver_finish(&d, w.t.s, "export.run", SVC_OK, "{\"totalCollections\":9}");
  b_good(&w, "GET", EXPORTS, NULL, 200);
  b_is(&w, "results[0].exportStatus.exportedCollections", "9");
  b_good(&w, "DELETE", BUCKETS "/%J", NULL, 204);
  b_close(&w);
}

/* The facts of a completed job: invalid numbers are refused, and more exported collections than there are count as missing. */
TEST(export, facts)
{
  static const struct {
    const char *facts, *exported, *total;
  } rows[] = {
    { "{\"totalCollections\":9,\"exportedCollections\":9}", "9", "9" },
    { "{\"totalCollections\":5,\"exportedCollections\":6}", "0", "0" },
    { "{}", "0", "0" },
    { NULL, "0", "0" },
  };
  static const char *const refused[] = {
    "{\"totalCollections\":-1}", "{\"totalCollections\":2147483648}", "{\"totalCollections\":5,\"exportedCollections\":-1}", "{\"totalCollections\":\"many\"}"
  };
  t_driver d;
  b_world w;
  size_t i, k;
  t_driver_init(&d);
  t_driver_does(&d, "cluster.", NULL);
  t_driver_does(&d, "snapshot.", NULL);
  b_open_driven(&w, &d.port);
  bucket(&w);
  b_good(&w, "PATCH", "%C/backup/schedule", "{\"useOrgAndGroupNamesInExportPrefix\":true}", 200);
  b_good(&w, "POST", "%C/backup/snapshots", "{}", 202);
  w.snapshot = t_keep(&w.t, t_str(&w.t, "id"));
  t_advance(&w.t, 1);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    b_good(&w, "POST", EXPORTS, JOB, 202);
    munit_assert_not_null(strstr(t_str(&w.t, "prefix"), "/Acme/alpha/C/"));
    t_advance(&w.t, 1);
    for (k = 0; k < sizeof refused / sizeof refused[0]; k++) t_driver_refused(&d, w.t.s, "export.run", refused[k]);
    t_driver_finish(&d, w.t.s, "export.run", SVC_OK, rows[i].facts);
    b_good(&w, "GET", EXPORTS, NULL, 200);
    b_is(&w, "results[0].state", "Successful");
    b_is(&w, "results[0].exportStatus.exportedCollections", rows[i].exported);
    b_is(&w, "results[0].exportStatus.totalCollections", rows[i].total);
  }
  b_close(&w);
}

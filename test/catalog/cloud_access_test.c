/*
** Access roles at the three cloud providers: created, authorized, used, and not deletable while used.
*/
#include "catalog/backup_world.h"
#include "needs.h"

#define NEED_ROLES "/groups/{groupId}/cloudProviderAccess"
#define NEED_AUTHORIZED "{\"providerName\":\"AWS\",\"iamAssumedRoleArn\":\"arn:aws:iam::123456789012:role/svc\"}"
#define NEED_AZURE \
  "{\"providerName\":\"AZURE\",\"svcAzureAppId\":\"3d3f0b3e-2b6a-4f0e-8b8a-0c1a2b3c4d5e\",\"servicePrincipalId\":" \
  "\"3d3f0b3e-2b6a-4f0e-8b8a-0c1a2b3c4d5f\",\"tenantId\":\"3d3f0b3e-2b6a-4f0e-8b8a-0c1a2b3c4d5a\"}"

T_NEEDS(cloud_access) = {
  T_CHANGED(NEED_ROLES, NEED_AUTHORIZED), /* only an authorized role can be used */
  T_SAME("iamRoleId", "roleId"),
  T_KEY(NEED_ROLES "/{cloudProvider}/{roleId}", "cloudProvider", "AWS"), /* the role's provider: the body of the POST has it in another
                                                                            field */
  T_SAMPLE("cloudProvider", "AWS"),
  /* in the order of T_ROLE_AWS, T_ROLE_AZURE and T_ROLE_GCP */
  T_TARGET("cloud provider access", NEED_ROLES, "{\"providerName\":\"AWS\"}", NEED_AUTHORIZED, "roleId", "/groups/%G/cloudProviderAccess/AWS/%V"),
  T_TARGET("cloud provider access", NEED_ROLES, NEED_AZURE, NULL, "_id", "/groups/%G/cloudProviderAccess/AZURE/%V"),
  T_TARGET("cloud provider access", NEED_ROLES, "{\"providerName\":\"GCP\"}", NULL, "roleId", "/groups/%G/cloudProviderAccess/GCP/%V"),
  T_NEEDS_END
};

#define ROLES "/groups/%G/cloudProviderAccess"
#define AZURE_IDS "\"svcAzureAppId\":\"3d3f0b3e-2b6a-4f0e-8b8a-0c1a2b3c4d5e\",\"servicePrincipalId\":\"7f1f1a7e-53f1-4c6e-9a57-1f2e3d4c5b6a\""
#define TENANT ",\"tenantId\":\"0e2c2f8b-9d1a-4b7f-8f5e-a1b2c3d4e5f6\""
#define ARN "\"iamAssumedRoleArn\":\"arn:aws:iam::123456789012:role/svc\""

static int64_t events(b_world *w, const char *type)
{
  char path[128];
  snprintf(path, sizeof path, "/groups/%%G/events?eventType=%s", type);
  b_good(w, "GET", path, NULL, 200);
  return t_int(&w->t, "totalCount");
}

typedef struct access_torn {
  svc_job job; /* first: jobs are cast to this struct */
  const char *kind;
  svc_id id;
} access_torn;

static bool access_torn_work(svc_job *job, svc_txn *txn)
{
  const access_torn *a = (access_torn *)job;
  svc_key key;
  svc_key_begin(&key, 'r');
  svc_key_add(&key, a->kind, SVC_KIND_SIZE);
  svc_key_id(&key, &a->id);
  svc_key_add(&key, "ex", 2);
  return svc_put(txn, &key, SVC_S("")) == SVC_OK;
}

/* A damaged record of a role's use, whose key lacks its end, is ignored: the role is shown without uses. */
TEST(cloud_access, damaged)
{
  access_torn work;
  b_world w;
  int i;
  b_open(&w, NULL);
  b_good(&w, "POST", ROLES, "{\"providerName\":\"AWS\"}", 201);
  memset(&work, 0, sizeof work);
  work.job.work = access_torn_work;
  work.job.now = w.t.now;
  munit_assert_true(svc_id_parse(svc_str_c(t_str(&w.t, "roleId")), &work.id));
  for (i = 0; strcmp(w.t.s->nouns[i].noun->name, "cloud provider access") != 0;) i++;
  work.kind = w.t.s->nouns[i].noun->kind;
  munit_assert_int(svc_commit_run(&w.t.s->commit, &work.job), ==, SVC_OK);
  b_good(&w, "GET", ROLES, NULL, 200);
  munit_assert_size(t_count(&w.t, "awsIamRoles"), ==, 1);
  munit_assert_size(t_count(&w.t, "awsIamRoles[0].featureUsages"), ==, 0);
  b_close(&w);
}

TEST(cloud_access, aws)
{
  b_world w;
  b_open(&w, NULL);
  b_bad_field(&w, "POST", ROLES, "{\"providerName\":\"AWS\"," ARN "}", "iamAssumedRoleArn"); /* the ARN is not known yet */
  b_bad_field(&w, "POST", ROLES, "{}", "providerName");
  b_bad_field(&w, "POST", ROLES, "{\"providerName\":\"IBM\"}", "providerName");
  b_good(&w, "POST", ROLES, "{\"providerName\":\"AWS\"}", 201);
  w.role = t_keep(&w.t, t_str(&w.t, "roleId"));
  munit_assert_size(strlen(w.role), ==, 24);
  munit_assert_true(svc_pattern_match("^arn:aws:iam::[0-9]{12}:root$", svc_str_c(t_str(&w.t, "svcAWSAccountArn"))));
  munit_assert_true(svc_format_check(SVC_FORMAT_UUID, svc_str_c(t_str(&w.t, "svcAssumedRoleExternalId"))));
  munit_assert_size(t_count(&w.t, "featureUsages"), ==, 0);
  munit_assert_null(t_node(&w.t, "authorizedDate"));
  b_bad(&w, "POST", "/groups/%G/backup/exportBuckets", "{\"bucketName\":\"acme\",\"cloudProvider\":\"AWS\",\"iamRoleId\":\"%R\"}", 400,
        "CANNOT_ASSUME_ROLE"); /* the role is not authorized */
  munit_assert_string_equal(t_param(&w.t, 0), w.role);
  b_bad_field(&w, "PATCH", ROLES "/%R", "{\"providerName\":\"AWS\",\"iamAssumedRoleArn\":\"arn:aws:iam::12:role/a-role\"}", "iamAssumedRoleArn");
  b_bad_field(&w, "PATCH", ROLES "/%R", "{\"providerName\":\"GCP\"}", "providerName");
  b_good(&w, "PATCH", ROLES "/%R", "{\"providerName\":\"AWS\"," ARN "}", 200);
  munit_assert_string_equal(t_str(&w.t, "authorizedDate"), "2025-06-01T00:00:00Z");
  t_advance(&w.t, 60);
  b_good(&w, "PATCH", ROLES "/%R", "{\"providerName\":\"AWS\",\"iamAssumedRoleArn\":\"arn:aws:iam::123456789012:role/other\"}", 200);
  munit_assert_string_equal(t_str(&w.t, "authorizedDate"), "2025-06-01T00:00:00Z");
  munit_assert_int64(events(&w, "CLOUD_PROVIDER_ACCESS_AWS_IAM_ROLE_ADDED"), ==, 1);
  munit_assert_int64(events(&w, "CLOUD_PROVIDER_ACCESS_AWS_IAM_ROLE_UPDATED"), ==, 2);
  b_bad(&w, "DELETE", ROLES "/GCP/%R", NULL, 404, "CLOUD_PROVIDER_ACCESS_ROLE_NOT_FOUND");
  b_bad(&w, "DELETE", ROLES "/IBM/%R", NULL, 404, "CLOUD_PROVIDER_ACCESS_ROLE_NOT_FOUND");
  b_good(&w, "DELETE", ROLES "/AWS/%R", NULL, 204);
  b_bad(&w, "GET", ROLES "/%R", NULL, 404, "CLOUD_PROVIDER_ACCESS_ROLE_NOT_FOUND");
  munit_assert_int64(events(&w, "CLOUD_PROVIDER_ACCESS_AWS_IAM_ROLE_DELETED"), ==, 1);
  b_close(&w);
}

TEST(cloud_access, others)
{
  b_world w;
  b_open(&w, NULL);
  b_bad_field(&w, "POST", ROLES, "{\"providerName\":\"AZURE\"," AZURE_IDS "}", "tenantId");
  b_good(&w, "POST", ROLES, "{\"providerName\":\"AZURE\"," AZURE_IDS TENANT "}", 201);
  w.role = t_keep(&w.t, t_str(&w.t, "_id"));
  t_advance(&w.t, 60);
  b_good(&w, "PATCH", ROLES "/%R", "{\"providerName\":\"AZURE\",\"tenantId\":\"1e2c2f8b-9d1a-4b7f-8f5e-a1b2c3d4e5f6\"}", 200);
  munit_assert_string_equal(t_str(&w.t, "lastUpdatedDate"), "2025-06-01T00:01:00Z");
  munit_assert_int64(events(&w, "CLOUD_PROVIDER_ACCESS_AZURE_SERVICE_PRINCIPAL_UPDATED"), ==, 1);
  b_good(&w, "DELETE", ROLES "/AZURE/%R", NULL, 204);
  munit_assert_int64(events(&w, "CLOUD_PROVIDER_ACCESS_AZURE_SERVICE_PRINCIPAL_DELETED"), ==, 1);
  b_good(&w, "POST", ROLES, "{\"providerName\":\"GCP\"}", 201); /* the creation of an account takes a while */
  w.role = t_keep(&w.t, t_str(&w.t, "roleId"));
  b_is(&w, "status", "IN_PROGRESS");
  munit_assert_true(svc_pattern_match("^db-svc-[0-9a-z]{16}@p-[0-9a-z]{24}.iam.gserviceaccount.com$",
                                      svc_str_c(t_str(&w.t, "gcpServiceAccountForSvc"))));
  b_bad(&w, "POST", "/groups/%G/backup/exportBuckets", "{\"bucketName\":\"acme\",\"cloudProvider\":\"GCP\",\"roleId\":\"%R\"}", 400, "CANNOT_ASSUME_ROLE");
  t_advance(&w.t, 5);
  b_good(&w, "GET", ROLES "/%R", NULL, 200);
  b_is(&w, "status", "COMPLETE");
  b_good(&w, "POST", "/groups/%G/backup/exportBuckets", "{\"bucketName\":\"acme\",\"cloudProvider\":\"GCP\",\"roleId\":\"%R\"}", 201);
  b_role(&w, "AWS");
  b_good(&w, "GET", ROLES, NULL, 200);
  munit_assert_size(t_count(&w.t, "awsIamRoles"), ==, 1);
  munit_assert_size(t_count(&w.t, "azureServicePrincipals"), ==, 0);
  munit_assert_size(t_count(&w.t, "gcpServiceAccounts"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "gcpServiceAccounts[0].featureUsages[0].featureType"), "EXPORT_SNAPSHOT");
  munit_assert_not_null(strstr(t_str(&w.t, "awsIamRoles[0].links[0].href"), w.role));
  b_close(&w);
}

/* A role cannot be deleted while a resource uses it. The error names the resource. */
TEST(cloud_access, used)
{
  b_world w;
  b_open(&w, NULL);
  b_role(&w, "AWS");
  b_good(&w, "POST", "/groups/%G/backup/exportBuckets", "{\"bucketName\":\"acme\",\"cloudProvider\":\"AWS\",\"iamRoleId\":\"%R\"}", 201);
  w.other = t_keep(&w.t, t_str(&w.t, "_id"));
  b_bad(&w, "DELETE", ROLES "/AWS/%R", NULL, 409, "CLOUD_PROVIDER_ACCESS_ROLE_IN_USE");
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "export bucket"));
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), w.other));
  b_good(&w, "DELETE", "/groups/%G/backup/exportBuckets/%J", NULL, 204);
  b_good(&w, "GET", ROLES "/%R", NULL, 200);
  munit_assert_size(t_count(&w.t, "featureUsages"), ==, 0);
  b_good(&w, "DELETE", ROLES "/AWS/%R", NULL, 204);
  b_close(&w);
}

TEST(cloud_access, most)
{
  b_world w;
  int i;
  b_open(&w, NULL);
  for (i = 0; i < 100; i++) b_good(&w, "POST", ROLES, "{\"providerName\":\"AWS\"}", 201);
  b_bad(&w, "POST", ROLES, "{\"providerName\":\"AWS\"}", 403, "TOO_MANY_RESOURCES");
  b_close(&w);
}

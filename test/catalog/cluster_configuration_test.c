/*
** Validation of configurations: the answer has all errors that a create or a change would report. Nothing is changed.
*/
#include "mechanism/probe.h"

static void try_open(t_place *w)
{
  const svc_config config = { .limiter_off = 1 };
  t_place_open(w, &config, "P1", PROBE_CLUSTER("Main", "M30"));
  t_advance(&w->t, 10);
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
}

static int try_send(t_place *w, const char *body)
{
  return t_sendf(&w->t, "POST", body, "/groups/%s/clusterConfigurations:validate", w->group);
}

#define NEW(description) "{\"editing\":false,\"clusterDescription\":" description "}"
#define EDIT(description) "{\"editing\":true,\"clusterName\":\"Main\",\"clusterDescription\":" description "}"
#define SPECS(size, rest) "\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":" \
                          "{\"instanceSize\":\"" size "\"" rest "}}]}]"

TEST(cluster_configuration, answers)
{
  static const struct {
    const char *body, *code, *about; /* code NULL: valid */
  } rows[] = {
    { NEW("{\"name\":\"C\",\"clusterType\":\"REPLICASET\"," SPECS("M10", "") "}"), NULL, NULL },
    { NEW("{\"name\":\"Main\",\"clusterType\":\"REPLICASET\"," SPECS("M10", "") "}"), "DUPLICATE_CLUSTER_NAME", "Main" },
    { NEW("{\"name\":\"-\",\"clusterType\":\"REPLICASET\"," SPECS("M10", "") "}"), "INVALID_ATTRIBUTE", "name" },
    { NEW("{\"name\":\"C\",\"clusterType\":\"REPLICASET\"}"), "MISSING_ATTRIBUTE", "replicationSpecs" },
    { NEW("{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"colour\":1," SPECS("M10", "") "}"), "INVALID_ATTRIBUTE", "colour" },
    { NEW("{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"paused\":true," SPECS("M10", "") "}"), "CANNOT_CREATE_PAUSED_CLUSTER", "paused" },
    { NEW("{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"dbMajorVersion\":\"1.0\"," SPECS("M10", "") "}"), "DB_VERSION_INVALID", "1.0" },
    { NEW("{\"name\":\"C\",\"clusterType\":\"REPLICASET\"," SPECS("M10", ",\"nodeCount\":4") "}"), "REPLICATION_SPECS_INVALID", "regionConfigs" },
    { NEW("{\"name\":\"C\",\"clusterType\":\"REPLICASET\"," SPECS("M10", ",\"diskSizeGB\":500") "}"), "CLUSTER_DISK_SIZE_INVALID", "diskSizeGB" },
    { EDIT("{\"backupEnabled\":true}"), NULL, NULL },
    { EDIT("{\"name\":\"Other\"}"), "ATTRIBUTE_READ_ONLY", "name" },
    { EDIT("{\"dbMajorVersion\":\"7.0\"}"), "DB_VERSION_INVALID", "7.0" },
    { EDIT("{\"clusterType\":\"SHARDED\"}"), NULL, NULL },
    { EDIT("{\"paused\":true,\"backupEnabled\":true}"), "CANNOT_UPDATE_AND_PAUSE_CLUSTER", "Main" },
  };
  t_place w;
  uint64_t print;
  size_t i;
  try_open(&w);
  print = store_print(w.t.s);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    munit_assert_int(try_send(&w, rows[i].body), ==, 200);
    if (strcmp(t_str(&w.t, "valid"), rows[i].code ? "false" : "true") != 0) munit_errorf("%s: %s", rows[i].body, w.t.response.body);
    munit_assert_string_equal(t_str(&w.t, "errors[0].errorCode"), rows[i].code ? rows[i].code : "");
    if (rows[i].about) munit_assert_not_null(strstr(t_str(&w.t, "errors[0].validationIssue"), rows[i].about));
  }
  munit_assert_int(try_send(&w, NEW("{\"name\":\"C\",\"clusterType\":\"X\",\"colour\":1}")), ==, 200); /* the answer has all three errors */
  munit_assert_size(t_count(&w.t, "errors"), ==, 3);
  munit_assert_uint64(store_print(w.t.s), ==, print);
  /* a cluster in deletion cannot be changed */
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/Main", w.group), ==, 202);
  munit_assert_int(try_send(&w, EDIT("{\"backupEnabled\":true}")), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "valid"), "false");
  munit_assert_string_equal(t_str(&w.t, "errors[0].errorCode"), "CLUSTER_ALREADY_REQUESTED_DELETION");
  t_close(&w.t);
}

/* The body of a GET can be validated unchanged. A reached limit is a further error. */
TEST(cluster_configuration, read)
{
  static char body[16384];
  t_place w;
  try_open(&w);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/Main", w.group), ==, 200);
  snprintf(body, sizeof body, "{\"editing\":true,\"clusterDescription\":%s}", w.t.response.body);
  munit_assert_int(try_send(&w, body), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "valid"), "true");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"value\":1}", "/groups/%s/limits/svc.project.deployment.clusters", w.group), ==, 200);
  munit_assert_int(try_send(&w, NEW("{\"name\":\"C\",\"clusterType\":\"REPLICASET\"," SPECS("M10", "") "}")), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "errors[0].errorCode"), "CLUSTERS_LIMIT_EXCEEDED");
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/Main", w.group), ==, 202);
  munit_assert_int(try_send(&w, EDIT("{\"backupEnabled\":true}")), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "errors[0].errorCode"), "CLUSTER_ALREADY_REQUESTED_DELETION");
  t_close(&w.t);
}

/* Resource policies of the organization count, too. */
TEST(cluster_configuration, policies)
{
  t_place w;
  try_open(&w);
  munit_assert_int(t_sendf(&w.t, "POST",
                           "{\"name\":\"no aws\",\"policies\":[{\"body\":\"forbid (principal, action == ResourcePolicy::Action::\\\"cluster.modify\\\", resource)"
                           " when { context.cluster.cloudProviders.contains(ResourcePolicy::CloudProvider::\\\"aws\\\") };\"}]}",
                           "/orgs/%s/resourcePolicies", w.org), ==, 201);
  munit_assert_int(try_send(&w, NEW("{\"name\":\"C\",\"clusterType\":\"REPLICASET\"," SPECS("M10", "") "}")), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "valid"), "false");
  munit_assert_string_equal(t_str(&w.t, "errors[0].errorCode"), "RESOURCE_POLICIES_VIOLATION_NOT_AUTHORIZED");
  munit_assert_not_null(strstr(t_str(&w.t, "errors[0].validationIssue"), "no aws"));
  t_close(&w.t);
}

/* An invalid request is refused with an error. */
TEST(cluster_configuration, refused)
{
  static const char *const rows[][2] = {
    { "{\"editing\":false}", "clusterDescription" },
    { "{\"clusterDescription\":{}}", "editing" },
    { "{\"editing\":false,\"clusterDescription\":7}", "clusterDescription" },
    { "{\"editing\":false,\"clusterDescription\":{},\"searchDeploymentSpec\":{\"instanceSize\":\"S10_HIGHCPU\",\"nodeCount\":1}}",
      "searchDeploymentSpec.nodeCount" },
    { "{\"editing\":false,\"clusterDescription\":{},\"advancedConfiguration\":{\"transactionLifetimeLimitSeconds\":0}}",
      "advancedConfiguration.transactionLifetimeLimitSeconds" },
    { "{\"editing\":false,\"clusterDescription\":{},\"tags\":[{\"key\":\"a\"}]}", "tags[0].value" },
  };
  t_place w;
  size_t i;
  try_open(&w);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    munit_assert_int(try_send(&w, rows[i][0]), ==, 400);
    munit_assert_true(t_violation(&w.t, rows[i][1]));
  }
  munit_assert_int(try_send(&w, "{\"editing\":true,\"clusterDescription\":{\"name\":\"None\"}}"), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 0), "None");
  t_close(&w.t);
}

/*
** Stream workspaces: the rules for their regions and tiers, samples, uses that prevent a delete, changes of all their
** processors; and the networks in which they run.
**
** Tests also: stream_account
*/
#include "catalog/stream_world.h"
#include "needs.h"

T_NEEDS(stream_workspace) = {
  T_TARGET("stream workspace", "/groups/{groupId}/streams", NULL, NULL, "name", "/groups/%G/streams/%V"),
  T_NEEDS_END
};

TEST(stream_workspace, shown)
{
  stream_world w;
  char host[128];
  stream_open(&w, false);
  munit_assert_int(stream_call(&w, "GET", "/W", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "groupId"), w.group);
  munit_assert_string_equal(t_str(&w.t, "streamConfig.tier"), "SP30");
  munit_assert_string_equal(t_str(&w.t, "streamConfig.maxTierSize"), "SP50");
  snprintf(host, sizeof host, "svc-stream-%s.virginia-usa.a.query.", t_str(&w.t, "_id"));
  munit_assert_memory_equal(strlen(host), t_str(&w.t, "hostnames[0]"), host);
  munit_assert_null(t_node(&w.t, "connections"));
  munit_assert_int(stream_call(&w, "GET", "/W?includeConnections=true", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "connections"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "connections[0].name"), "sample_stream_solar");
  munit_assert_string_equal(t_str(&w.t, "connections[0].state"), "READY");
  munit_assert_not_null(strstr(t_str(&w.t, "connections[0].links[0].href"), "/streams/W/connections/sample_stream_solar"));

  munit_assert_int(stream_call(&w, "POST", ":withSampleConnections", WORKSPACE("V", "")), ==, 201);
  munit_assert_int(stream_call(&w, "GET", "/V/connections", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_int(stream_call(&w, "POST", "", WORKSPACE("U", "")), ==, 201);
  munit_assert_int(stream_call(&w, "GET", "/U/connections", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  munit_assert_int(stream_call(&w, "GET", "", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 3);
  stream_expect(&w, stream_call(&w, "POST", "", WORKSPACE("W", "")), 409, "STREAM_TENANT_ALREADY_EXISTS");
  stream_expect(&w, stream_call(&w, "GET", "/nobody", NULL), 404, "STREAM_TENANT_NOT_FOUND_FOR_NAME");
  munit_assert_int64(stream_told(&w, "STREAM_TENANT_CREATED"), ==, 3);
  t_close(&w.t);
}

/* The links of a GET with any query can be sent back in a PATCH. Links of another workspace are refused. */
TEST(stream_workspace, links)
{
  static const char *const asked[] = { "/W", "/W?includeConnections=true", "/W?includeConnections=false" };
  stream_world w;
  char body[2048];
  size_t i;
  stream_open(&w, false);
  for (i = 0; i < sizeof asked / sizeof asked[0]; i++) {
    svc_buf b;
    munit_assert_int(stream_call(&w, "GET", asked[i], NULL), ==, 200);
    munit_assert_true((strstr(t_link(&w.t, "self"), "?includeConnections=") != NULL) == (i > 0));
    b = svc_buf_new(&w.t.arena, 512);
    svc_node_write(&b, svc_node_get(w.t.body, "links"));
    snprintf(body, sizeof body, "{\"cloudProvider\":\"AWS\",\"region\":\"VIRGINIA_USA\",\"links\":%s}", svc_buf_done(&b).p);
    stream_expect(&w, stream_call(&w, "PATCH", "/W", body), 200, NULL);
  }
  stream_expect(&w, stream_call(&w, "POST", "", WORKSPACE("V", "")), 201, NULL);
  stream_expect(&w, stream_call(&w, "PATCH", "/V", body), 400, "ATTRIBUTE_READ_ONLY");
  t_close(&w.t);
}

TEST(stream_workspace, bodies)
{
  static const struct {
    const char *body, *field;
  } bad[] = {
    { "{\"dataProcessRegion\":" REGION("AWS", "VIRGINIA_USA") "}", "name" },
    { "{\"name\":\"X\"}", "dataProcessRegion" },
    { WORKSPACE("-x", ""), "name" },
    { WORKSPACE("accountDetails", ""), "name" },
    { WORKSPACE("vpcPeeringConnections", ""), "name" },
    { "{\"name\":\"X\",\"dataProcessRegion\":" REGION("GCP", "VIRGINIA_USA") "}", "dataProcessRegion.cloudProvider" },
    { "{\"name\":\"X\",\"dataProcessRegion\":" REGION("AWS", "eastus") "}", "dataProcessRegion.cloudProvider" },
    { "{\"name\":\"X\",\"dataProcessRegion\":" REGION("TENANT", "VIRGINIA_USA") "}", "dataProcessRegion.cloudProvider" },
    { "{\"name\":\"X\",\"dataProcessRegion\":" REGION("AWS", "MOON") "}", "dataProcessRegion.region" },
    { WORKSPACE("X", ",\"failoverRegions\":[" REGION("AWS", "VIRGINIA_USA") "]"), "failoverRegions[0].region" },
    { WORKSPACE("X", ",\"failoverRegions\":[" REGION("AWS", "OHIO_USA") "," REGION("AWS", "OHIO_USA") "]"), "failoverRegions[1].region" },
    { WORKSPACE("X", ",\"failoverRegions\":[" REGION("AWS", "US_EAST4") "]"), "failoverRegions[0].cloudProvider" },
    { WORKSPACE("X", ",\"failoverRegions\":[" REGION("AWS", "OHIO_USA") "," REGION("AWS", "OREGON_USA") "," REGION("AWS", "PARIS_FRA") "]"),
      "failoverRegions" },
    { WORKSPACE("X", ",\"streamConfig\":{\"tier\":\"SP30\",\"maxTierSize\":\"SP10\"}"), "streamConfig.tier" },
  };
  stream_world w;
  size_t i;
  stream_open(&w, false);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) stream_refused(&w, "POST", "", bad[i].body, bad[i].field);
  munit_assert_int(stream_call(&w, "GET", "", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_int(stream_call(&w, "POST", "", "{\"name\":\"A\",\"dataProcessRegion\":" REGION("AZURE", "eastus2") "}"), ==, 201);
  munit_assert_int(stream_call(&w, "POST", "", "{\"name\":\"G\",\"dataProcessRegion\":" REGION("GCP", "US_CENTRAL1") "}"), ==, 201);
  stream_refused(&w, "PATCH", "/W", "{\"name\":\"other\"}", "name");
  stream_refused(&w, "PATCH", "/W", "{\"region\":\"eastus\"}", "cloudProvider");
  stream_refused(&w, "PATCH", "/W", "{\"processorStatus\":{\"status\":\"FAILED_OVER\"}}", "processorStatus.region");
  stream_refused(&w, "PATCH", "/W", "{\"processorStatus\":{\"status\":\"FAILED_OVER\",\"region\":\"PARIS_FRA\"}}", "processorStatus.region");
  stream_refused(&w, "PATCH", "/W", "{\"processorStatus\":{\"mode\":\"FORCED\"}}", "processorStatus.status");
  stream_refused(&w, "PATCH", "/W", "{\"processorStatus\":{\"status\":\"STARTED\",\"region\":\"PARIS_FRA\"}}", "processorStatus.region");
  /* the workspace's own region */
  munit_assert_int(stream_call(&w, "PATCH", "/W", "{\"processorStatus\":{\"status\":\"STARTED\",\"region\":\"VIRGINIA_USA\"}}"), ==, 200);
  munit_assert_int(stream_call(&w, "PATCH", "/W", "{\"processorStatus\":{\"status\":\"STOPPED\",\"region\":\"OREGON_USA\",\"mode\":\"FORCED\"}}"), ==, 200);
  munit_assert_int(stream_call(&w, "PATCH", "/W", "{\"cloudProvider\":\"AZURE\",\"region\":\"eastus\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "dataProcessRegion.cloudProvider"), "AZURE");
  munit_assert_not_null(strstr(t_str(&w.t, "hostnames[0]"), ".eastus."));
  munit_assert_int64(stream_told(&w, "STREAM_TENANT_UPDATED"), ==, 1);
  t_close(&w.t);
}

static void expect_state(stream_world *w, const char *name, const char *state)
{
  char path[64];
  snprintf(path, sizeof path, "/W/processor/%s", name);
  munit_assert_int(stream_call(w, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "state"), state);
}

TEST(stream_workspace, all)
{
  stream_world w;
  stream_open(&w, false);
  munit_assert_int(stream_call(&w, "POST", "/W/processor", PROCESSOR("p", "", ",\"failoverEnabled\":true")), ==, 202);
  munit_assert_int(stream_call(&w, "POST", "/W/processor", PROCESSOR("q", "", "")), ==, 202);
  t_advance(&w.t, 100);
  munit_assert_int(stream_call(&w, "PATCH", "/W", "{\"processorStatus\":{\"status\":\"STARTED\"}}"), ==, 200);
  munit_assert_null(t_node(&w.t, "processorStatus"));
  t_advance(&w.t, 100);
  expect_state(&w, "p", "STARTED");
  expect_state(&w, "q", "STARTED");

  /* a started processor prevents a change of region, and any processor prevents the delete */
  stream_expect(&w, stream_call(&w, "PATCH", "/W", "{\"region\":\"OHIO_USA\"}"), 409, "STREAM_TENANT_HAS_STREAM_PROCESSORS");
  munit_assert_string_equal(t_param(&w.t, 0), "W");
  stream_expect(&w, stream_call(&w, "DELETE", "/W", NULL), 409, "STREAM_TENANT_HAS_STREAM_PROCESSORS");
  stream_expect(&w, t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), 409, "CANNOT_CLOSE_GROUP_ACTIVE_STREAMS_RESOURCE");
  munit_assert_int(stream_call(&w, "PATCH", "/W", "{\"processorStatus\":{\"status\":\"FAILED_OVER\",\"region\":\"OREGON_USA\"}}"), ==, 200);
  expect_state(&w, "p", "STOPPED"); /* only the processor with failover is moved */
  expect_state(&w, "q", "STARTED");
  t_advance(&w.t, 100);
  munit_assert_int(stream_call(&w, "POST", "/W/processor", PROCESSOR("r", "", ",\"failoverEnabled\":true")), ==, 202);
  munit_assert_int(stream_call(&w, "PATCH", "/W", "{\"processorStatus\":{\"status\":\"FAILED_OVER\",\"region\":\"OREGON_USA\"}}"), ==, 200);
  expect_state(&w, "r", "CREATING"); /* a processor in creation is not moved */
  t_advance(&w.t, 100);
  expect_state(&w, "r", "CREATED");
  munit_assert_int(stream_call(&w, "DELETE", "/W/processor/r", NULL), ==, 204);
  munit_assert_int(stream_call(&w, "POST", "/W/processor", PROCESSOR("s", "", ",\"failoverEnabled\":true")), ==, 202);
  munit_assert_int(stream_call(&w, "PATCH", "/W", "{\"processorStatus\":{\"status\":\"STARTED\"}}"), ==, 200);
  munit_assert_int(stream_call(&w, "PATCH", "/W", "{\"processorStatus\":{\"status\":\"FAILED_OVER\",\"region\":\"OREGON_USA\"}}"), ==, 200);
  expect_state(&w, "s", "CREATING"); /* nor is a processor that starts right after its creation */
  t_advance(&w.t, 100);
  expect_state(&w, "s", "STARTED");
  munit_assert_int(stream_call(&w, "PATCH", "/W", "{\"processorStatus\":{\"status\":\"STOPPED\"}}"), ==, 200);
  t_advance(&w.t, 100);
  expect_state(&w, "p", "STOPPED");
  expect_state(&w, "q", "STOPPED");
  munit_assert_int(stream_call(&w, "PATCH", "/W", "{\"region\":\"OHIO_USA\"}"), ==, 200);
  munit_assert_int(stream_call(&w, "DELETE", "/W/processor/p", NULL), ==, 204);
  munit_assert_int(stream_call(&w, "DELETE", "/W/processor/q", NULL), ==, 204);
  munit_assert_int(stream_call(&w, "DELETE", "/W/processor/s", NULL), ==, 204);
  munit_assert_int(stream_call(&w, "DELETE", "/W", NULL), ==, 202);
  stream_expect(&w, stream_call(&w, "GET", "/W/connections", NULL), 404, "STREAM_TENANT_NOT_FOUND_FOR_NAME");
  munit_assert_int64(stream_told(&w, "STREAM_TENANT_DELETED"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202);
  t_close(&w.t);
}

TEST(stream_workspace, most)
{
  stream_world w;
  char body[256];
  int i;
  stream_open(&w, false);
  for (i = 1; i < 25; i++) {
    snprintf(body, sizeof body, "{\"name\":\"w%d\",\"dataProcessRegion\":" REGION("AWS", "OHIO_USA") "}", i);
    munit_assert_int(stream_call(&w, "POST", "", body), ==, 201);
  }
  stream_expect(&w, stream_call(&w, "POST", "", WORKSPACE("X", "")), 403, "TOO_MANY_RESOURCES");
  t_close(&w.t);
}

/* ---------------------------------------------------------------------------------------------------------------- accounts */

#define ACCOUNT(provider, region) "/accountDetails?cloudProvider=" provider "&regionName=" region

TEST(stream_workspace, account)
{
  stream_world w;
  const char *vpc, *account;
  stream_open(&w, false);
  munit_assert_int(stream_call(&w, "GET", ACCOUNT("aws", "US_EAST_1"), NULL), ==, 200);
  vpc = t_keep(&w.t, t_str(&w.t, "vpcId"));
  account = t_keep(&w.t, t_str(&w.t, "awsAccountId"));
  munit_assert_size(strlen(vpc), ==, 21);
  munit_assert_size(strlen(account), ==, 12);
  munit_assert_string_equal(t_str(&w.t, "cloudProvider"), "aws");
  munit_assert_not_null(strstr(t_link(&w.t, "self"), ACCOUNT("aws", "US_EAST_1")));
  munit_assert_int(stream_call(&w, "GET", ACCOUNT("AWS", "US_EAST_1"), NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "vpcId"), vpc);
  munit_assert_int(stream_call(&w, "GET", ACCOUNT("aws", "US_EAST_2"), NULL), ==, 200);
  munit_assert_string_not_equal(t_str(&w.t, "vpcId"), vpc);
  munit_assert_string_equal(t_str(&w.t, "awsAccountId"), account);
  munit_assert_int(stream_call(&w, "GET", ACCOUNT("azure", "US_EAST"), NULL), ==, 200);
  munit_assert_size(strlen(t_str(&w.t, "azureSubscriptionId")), ==, 36);
  munit_assert_string_not_equal(t_str(&w.t, "virtualNetworkName"), "");
  munit_assert_int(stream_call(&w, "GET", ACCOUNT("gcp", "CENTRAL_US"), NULL), ==, 200);
  munit_assert_string_not_equal(t_str(&w.t, "gcpProjectId"), "");
  stream_expect(&w, stream_call(&w, "GET", ACCOUNT("gcp", "US_EAST_1"), NULL), 400, "INVALID_QUERY_PARAMETER");
  munit_assert_string_equal(t_param(&w.t, 0), "regionName");
  stream_expect(&w, stream_call(&w, "GET", "/accountDetails?cloudProvider=aws", NULL), 400, "MISSING_QUERY_PARAMETER");
  t_close(&w.t);
}

/* A database user can be limited to an existing workspace. */
#define USER_OF(name) \
  "{\"databaseName\":\"admin\",\"username\":\"app\",\"password\":\"correct horse battery\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":" \
  "\"d\"}],\"scopes\":[{\"name\":\"" name "\",\"type\":\"STREAM\"}]}"

TEST(stream_workspace, user)
{
  stream_world w;
  stream_open(&w, false);
  munit_assert_int(t_sendf(&w.t, "POST", USER_OF("nobody"), "/groups/%s/databaseUsers", w.group), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "SCOPE_CLUSTER_NOT_FOUND");
  munit_assert_int(t_sendf(&w.t, "POST", USER_OF("W"), "/groups/%s/databaseUsers", w.group), ==, 201);
  t_close(&w.t);
}

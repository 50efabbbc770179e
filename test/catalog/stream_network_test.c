/*
** Private networking of streams: private links of every provider and vendor, with their states and uses; and peerings,
** which only a driver knows.
**
** Tests also: stream_peering, stream_private_link
*/
#include "catalog/stream_world.h"
#include "needs.h"

T_NEEDS(stream_network) = {
  T_ELSEWHERE("/groups/{groupId}/streams/vpcPeeringConnections/{id}"),
  T_ELSEWHERE("/groups/{groupId}/streams/vpcPeeringConnections/{id}:accept"),
  T_ELSEWHERE("/groups/{groupId}/streams/vpcPeeringConnections/{id}:reject"),
  T_TARGET("stream private link", "/groups/{groupId}/streams/privateLinkConnections", NULL, NULL, "_id",
           "/groups/%G/streams/privateLinkConnections/%V"),
  T_NEEDS_END
};

/* ---------------------------------------------------------------------------------------------------------- private links */

#define LINKS "/privateLinkConnections"
#define LINK(provider, vendor, more) "{\"provider\":\"" provider "\",\"vendor\":\"" vendor "\"" more "}"
#define DNS ",\"dnsDomain\":\"a.example.com\""
#define IN ",\"region\":\"us-east-1\""
#define SERVICE ",\"serviceEndpointId\":\"com.amazonaws.vpce.us-east-1.vpce-svc-1\""
#define ARN ",\"arn\":\"arn:aws:kafka:us-east-2:123456789012:cluster/a/b\""

TEST(stream_network, links)
{
  static const char *const good[] = {
    LINK("AWS", "CONFLUENT", DNS IN SERVICE ",\"dnsSubDomain\":[\"use1-az1\"]"),
    LINK("AWS", "MSK", ARN ",\"authenticationScheme\":\"IAM\""),
    LINK("AWS", "S3", IN ",\"serviceEndpointId\":\"com.amazonaws.us-east-1.s3\""),
    LINK("AWS", "KINESIS", IN ",\"serviceEndpointId\":\"com.amazonaws.us-east-1.kinesis-streams\""),
    LINK("Azure", "EVENTHUB", DNS ",\"region\":\"US_EAST_2\",\"serviceEndpointId\":\"/subscriptions/x\""),
    "{\"provider\":\"Azure\",\"dnsDomain\":\"b.example.com\",\"region\":\"US_EAST_2\",\"serviceEndpointId\":\"/subscriptions/y\"}",
    LINK("AZURE", "CONFLUENT", DNS ",\"region\":\"US_EAST_2\",\"azureResourceIds\":[\"/subscriptions/x\"]"),
    LINK("GCP", "CONFLUENT", DNS ",\"region\":\"CENTRAL_US\",\"gcpServiceAttachmentUris\":[\"projects/x\"]"),
  };
  static const struct {
    const char *body, *field;
  } bad[] = {
    { "{\"vendor\":\"MSK\"" ARN "}", "provider" },
    { "{\"provider\":\"AWS\"" ARN "}", "serviceEndpointId" }, /* a link without a vendor needs an endpoint service */
    { LINK("MOON", "MSK", ARN), "provider" },
    { LINK("GCP", "MSK", ARN), "vendor" },
    { LINK("AWS", "EVENTHUB", DNS IN SERVICE), "vendor" },
    { LINK("AWS", "MSK", ""), "arn" },
    { LINK("AWS", "MSK", ",\"arn\":\"arn:aws:s3:::x\""), "arn" },
    { LINK("AWS", "MSK", ARN ",\"authenticationScheme\":\"NONE\""), "authenticationScheme" },
    { LINK("AWS", "MSK", ARN DNS), "dnsDomain" },
    { LINK("AWS", "CONFLUENT", IN SERVICE), "dnsDomain" },
    { LINK("AWS", "CONFLUENT", DNS SERVICE), "region" },
    { LINK("AWS", "S3", IN), "serviceEndpointId" },
    { LINK("AZURE", "CONFLUENT", DNS IN), "azureResourceIds" },
    { LINK("GCP", "CONFLUENT", DNS IN ",\"gcpServiceAttachmentUris\":[\"a\",\"b\",\"c\",\"d\"]"), "gcpServiceAttachmentUris" },
    { LINK("AWS", "S3", IN SERVICE ",\"state\":\"DONE\""), "state" },
  };
  stream_world w;
  size_t i;
  stream_open(&w, false);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) stream_refused(&w, "POST", LINKS, bad[i].body, bad[i].field);
  for (i = 0; i < sizeof good / sizeof good[0]; i++) {
    stream_expect(&w, stream_call(&w, "POST", LINKS, good[i]), 202, NULL);
    stream_expect(&w, stream_call(&w, "POST", LINKS, good[i]), 409, "PRIVATELINK_ENDPOINT_SERVICE_ALREADY_EXISTS_FOR_REGION");
  }
  munit_assert_int(stream_call(&w, "GET", LINKS, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 8);
  munit_assert_string_equal(t_str(&w.t, "results[1].region"), "us-east-2"); /* the region in the ARN */
  munit_assert_string_equal(t_str(&w.t, "results[5].provider"), "AZURE");
  munit_assert_string_equal(t_str(&w.t, "results[5].vendor"), "GENERIC");
  munit_assert_int64(stream_told(&w, "ENDPOINT_SERVICE_CREATED"), ==, 8);
  t_close(&w.t);
}

TEST(stream_network, link_states)
{
  stream_world w;
  char at[128], id[32], body[1024];
  stream_open(&w, false);
  munit_assert_int(stream_call(&w, "POST", LINKS, LINK("AWS", "MSK", ARN)), ==, 202);
  munit_assert_string_equal(t_str(&w.t, "state"), "IDLE");
  snprintf(id, sizeof id, "%s", t_str(&w.t, "_id"));
  snprintf(at, sizeof at, LINKS "/%s", id);
  t_advance(&w.t, 5);
  munit_assert_int(stream_call(&w, "GET", at, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "WORKING");
  munit_assert_null(t_node(&w.t, "interfaceEndpointId"));
  t_advance(&w.t, 30);
  munit_assert_int(stream_call(&w, "GET", at, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "DONE");
  munit_assert_size(strlen(t_str(&w.t, "interfaceEndpointId")), ==, 22);
  munit_assert_size(strlen(t_str(&w.t, "providerAccountId")), ==, 12);

  /* a link in use cannot be deleted, and the error names the connection */
  stream_expect(&w, stream_call(&w, "POST", "/W/connections",
                                KAFKA("k", ",\"networking\":{\"access\":{\"type\":\"PRIVATE_LINK\",\"connectionId\":\"5f0000000000000000000001\"}}")),
                404, "STREAM_PRIVATE_LINK_NOT_FOUND");
  snprintf(body, sizeof body, KAFKA("k", ",\"networking\":{\"access\":{\"type\":\"PRIVATE_LINK\",\"connectionId\":\"%s\"}}"), id);
  munit_assert_int(stream_call(&w, "POST", "/W/connections", body), ==, 202);
  snprintf(body, sizeof body, "{\"name\":\"f\",\"type\":\"AWSLambda\",\"aws\":{\"roleArn\":\"arn:aws:iam::123456789012:role/r\"},"
           "\"publicPrivateNetworking\":{\"access\":{\"type\":\"PRIVATE_LINK\",\"connectionId\":\"%s\"}}}", id);
  munit_assert_int(stream_call(&w, "POST", "/W/connections", body), ==, 202);
  t_advance(&w.t, 100);
  stream_expect(&w, stream_call(&w, "DELETE", at, NULL), 409, "STREAM_PRIVATE_LINK_IN_USE");
  munit_assert_string_equal(t_param(&w.t, 0), id);
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "used by the stream connection "));
  stream_refused(&w, "PATCH", "/W/connections/k", "{\"networking\":{\"access\":{\"type\":\"PUBLIC\",\"connectionId\":null}}}", "authentication.password");
  munit_assert_int(stream_call(&w, "PATCH", "/W/connections/k", "{" SCRAM ",\"networking\":{\"access\":{\"type\":\"PUBLIC\",\"connectionId\":null}}}"), ==, 200);
  stream_expect(&w, stream_call(&w, "DELETE", at, NULL), 409, "STREAM_PRIVATE_LINK_IN_USE");
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "used by the stream connection f."));
  munit_assert_int(stream_call(&w, "DELETE", "/W/connections/f", NULL), ==, 202);
  t_advance(&w.t, 100);
  munit_assert_int(stream_call(&w, "DELETE", at, NULL), ==, 202);
  munit_assert_int(stream_call(&w, "GET", at, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "DELETE_REQUESTED");
  stream_expect(&w, stream_call(&w, "POST", LINKS, LINK("AWS", "MSK", ARN)), 202, NULL); /* a new link need not wait for the delete */
  stream_expect(&w, stream_call(&w, "DELETE", at, NULL), 404, "STREAM_PRIVATE_LINK_NOT_FOUND");
  t_advance(&w.t, 5);
  munit_assert_int(stream_call(&w, "GET", at, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "DELETING");
  t_advance(&w.t, 20);
  stream_expect(&w, stream_call(&w, "GET", at, NULL), 404, "STREAM_PRIVATE_LINK_NOT_FOUND");
  t_close(&w.t);
}

TEST(stream_network, link_driver)
{
  stream_world w;
  char at[128];
  stream_open(&w, true);
  munit_assert_int(stream_call(&w, "POST", LINKS, LINK("AWS", "MSK", ARN)), ==, 202);
  snprintf(at, sizeof at, LINKS "/%s", t_str(&w.t, "_id"));
  stream_order(&w, "privatelink.create", SVC_OK, "{\"interfaceEndpointId\":\"vpce-1\",\"interfaceEndpointName\":\"n\",\"providerAccountId\":\"7\"}");
  munit_assert_int(stream_call(&w, "GET", at, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "DONE");
  munit_assert_string_equal(t_str(&w.t, "interfaceEndpointId"), "vpce-1");
  munit_assert_string_equal(t_str(&w.t, "interfaceEndpointName"), "n");
  munit_assert_int(stream_call(&w, "POST", LINKS, LINK("AWS", "S3", IN SERVICE)), ==, 202);
  snprintf(at, sizeof at, LINKS "/%s", t_str(&w.t, "_id"));
  stream_order(&w, "privatelink.create", SVC_IO, "{\"reason\":\"no such service\"}");
  munit_assert_int(stream_call(&w, "GET", at, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "FAILED");
  munit_assert_string_equal(t_str(&w.t, "errorMessage"), "no such service");
  munit_assert_int(stream_call(&w, "DELETE", at, NULL), ==, 202);
  stream_order(&w, "privatelink.delete", SVC_OK, NULL);
  stream_expect(&w, stream_call(&w, "GET", at, NULL), 404, NULL);
  t_close(&w.t);
}

/* --------------------------------------------------------------------------------------------------------------- peerings */

#define PEERS "/vpcPeeringConnections"
#define OF PEERS "?requesterAccountId=111111111111"
#define ACTIVE "/activeVpcPeeringConnections"
#define ONE "5f00000000000000000000c1"
#define TWO "5f00000000000000000000c2"
#define PEER(id, account) \
  "{\"_id\":\"" id "\",\"name\":\"pcx-1\",\"cloudStatus\":\"pending-acceptance\",\"requesterAccountId\":\"" account "\",\"requesterVpcId\":" \
  "\"vpc-1\",\"requesterCidr\":\"10.0.0.0/16\"}"
#define WHO(account, vpc) "{\"requesterAccountId\":\"" account "\",\"requesterVpcId\":\"" vpc "\"}"

static void expect_status(stream_world *w, const char *status)
{
  munit_assert_int(stream_call(w, "GET", OF, NULL), ==, 200);
  munit_assert_int64(t_int(&w->t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w->t, "results[0].localStatus"), status);
  munit_assert_string_equal(t_str(&w->t, "results[0].groupId"), w->group);
}

TEST(stream_network, peers)
{
  stream_world w;
  stream_open(&w, true);
  t_driver_answers(&w.driver, "", "[" PEER(ONE, "111111111111") "," PEER(TWO, "222222222222") "]");
  stream_expect(&w, stream_call(&w, "GET", PEERS, NULL), 400, "MISSING_QUERY_PARAMETER");
  expect_status(&w, "NONE");
  munit_assert_string_equal(w.driver.asked, "list project P1 {\"of\":\"vpcPeeringConnections\"}");
  munit_assert_int(stream_call(&w, "GET", PEERS "?requesterAccountId=111111111111&pageNum=2", NULL), ==, 200); /* past the last page */
  munit_assert_size(t_count(&w.t, "results"), ==, 0);
  expect_status(&w, "NONE");
  munit_assert_int(stream_call(&w, "GET", ACTIVE, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);

  stream_refused(&w, "POST", PEERS "/" ONE ":accept", WHO("222222222222", "vpc-1"), "requesterAccountId");
  stream_refused(&w, "POST", PEERS "/" ONE ":accept", WHO("111111111111", "vpc-2"), "requesterVpcId");
  stream_refused(&w, "POST", PEERS "/" ONE ":accept", "{}", "requesterVpcId");
  expect_status(&w, "NONE");
  munit_assert_int(stream_call(&w, "POST", PEERS "/" ONE ":accept", WHO("111111111111", "vpc-1")), ==, 202);
  munit_assert_string_equal(w.t.response.body, "{}");
  expect_status(&w, "REQUEST_ACCEPT");
  stream_expect(&w, stream_call(&w, "POST", PEERS "/" ONE ":accept", WHO("111111111111", "vpc-1")), 409, "PEER_INVALID_STATE");
  stream_expect(&w, stream_call(&w, "POST", PEERS "/" ONE ":reject", NULL), 409, "PEER_INVALID_STATE");
  t_advance(&w.t, 5);
  expect_status(&w, "ACCEPT_REQUESTED");
  stream_order(&w, "peering.accept", SVC_IO, "{\"reason\":\"overlap\"}");
  expect_status(&w, "UPDATE_FAILED");
  munit_assert_string_equal(t_str(&w.t, "results[0].statusMessage"), "overlap");
  munit_assert_int(stream_call(&w, "POST", PEERS "/" ONE ":accept", WHO("111111111111", "vpc-1")), ==, 202); /* again */
  stream_order(&w, "peering.accept", SVC_OK, NULL);
  munit_assert_not_null(strstr(t_driver_order(&w.driver, "")->desired, "\"requesterVpcId\":\"vpc-1\""));
  expect_status(&w, "ACTIVE");
  munit_assert_int(stream_call(&w, "GET", ACTIVE, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0]._id"), ONE);
  stream_expect(&w, stream_call(&w, "POST", PEERS "/" ONE ":reject", NULL), 409, "PEER_INVALID_STATE");
  munit_assert_int(stream_call(&w, "DELETE", PEERS "/" ONE, NULL), ==, 202);
  expect_status(&w, "REQUEST_DELETE");
  stream_expect(&w, stream_call(&w, "DELETE", PEERS "/" ONE, NULL), 409, "PEER_INVALID_STATE"); /* the delete is already requested */
  stream_order(&w, "peering.delete", SVC_OK, NULL);

  munit_assert_int(stream_call(&w, "POST", PEERS "/" TWO ":reject", NULL), ==, 202);
  stream_order(&w, "peering.reject", SVC_OK, NULL);
  t_driver_answers(&w.driver, "", "[]"); /* deleted at the provider */
  stream_expect(&w, stream_call(&w, "DELETE", PEERS "/" ONE, NULL), 404, "PEER_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 0), ONE);
  munit_assert_int64(stream_told(&w, "PEER_CREATED"), ==, 2);
  munit_assert_int64(stream_told(&w, "PEER_DELETED"), ==, 2);
  t_close(&w.t);
}

/* Unusual replies of a driver are refused. Without a driver there are no peerings. */
TEST(stream_network, peers_said)
{
  static const char *const none[] = { "nothing", "{}", "[7]", "[{\"name\":\"no id\"}]", "[" PEER(ONE, "1") ",{\"_id\":\"x\"}]" };
  stream_world w;
  size_t i;
  stream_open(&w, true);
  for (i = 0; i < sizeof none / sizeof none[0]; i++) {
    t_driver_answers(&w.driver, "", none[i]);
    stream_expect(&w, stream_call(&w, "GET", OF, NULL), 503, "SERVICE_UNAVAILABLE");
    stream_expect(&w, stream_call(&w, "POST", PEERS "/" ONE ":reject", NULL), 503, "SERVICE_UNAVAILABLE");
  }
  t_close(&w.t);
  stream_open(&w, false);
  munit_assert_int(stream_call(&w, "GET", OF, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 0);
  stream_expect(&w, stream_call(&w, "POST", PEERS "/" ONE ":accept", WHO("1", "vpc-1")), 404, "PEER_NOT_FOUND");
  stream_expect(&w, stream_call(&w, "POST", PEERS "/" ONE ":reject", NULL), 404, "PEER_NOT_FOUND");
  stream_expect(&w, stream_call(&w, "DELETE", PEERS "/" ONE, NULL), 404, "PEER_NOT_FOUND");

  /* a manager of streams may not change networks */
  w.t.grants[0] = (svc_grant){ "GROUP_STREAM_PROCESSING_MANAGER", w.group };
  stream_expect(&w, stream_call(&w, "DELETE", PEERS "/" ONE, NULL), 403, "ACCESS_FORBIDDEN");
  w.t.grants[0] = (svc_grant){ "GROUP_STREAM_PROCESSING_OWNER", w.group };
  stream_expect(&w, stream_call(&w, "DELETE", PEERS "/" ONE, NULL), 404, "PEER_NOT_FOUND");
  t_close(&w.t);
}

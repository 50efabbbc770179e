/*
** Information about the service itself: the root, the addresses of its control plane, and the available database
** versions.
**
** Tests also: control_plane_address, db_version, root
*/
#include "support.h"

#define BASE "http://localhost:8080/api/svc/v2"

TEST_SERVICE(service, root)
{
  svc_config config;
  const char *org, *group;
  org = t_organization(t, "Acme");
  group = t_project(t, org, "alpha");
  munit_assert_int(t_send(t, "GET", "", NULL), ==, 200);
  munit_assert_size(svc_node_count(t->body), ==, 5);
  munit_assert_string_equal(t_str(t, "appName"), "Db Svc");
  munit_assert_string_equal(t_str(t, "build"), SVC_VERSION);
  munit_assert_string_equal(t_str(t, "throttling"), "true");
  munit_assert_size(t_count(t, "apiKey"), ==, 4);
  munit_assert_string_equal(t_str(t, "apiKey.id"), "5f0000000000000000000001");
  munit_assert_string_equal(t_str(t, "apiKey.publicKey"), "owner@example.com");
  munit_assert_int(t_node(t, "apiKey.accessList")->type, ==, SVC_J_ARRAY);
  munit_assert_size(t_count(t, "apiKey.accessList"), ==, 0);
  munit_assert_size(t_count(t, "apiKey.roles"), ==, 1);
  munit_assert_string_equal(t_str(t, "apiKey.roles[0].roleName"), "ORG_OWNER");
  munit_assert_size(t_count(t, "apiKey.roles[0]"), ==, 1); /* a role on everything has no id */
  munit_assert_string_equal(t_link(t, "self"), BASE);
  munit_assert_string_equal(t_link(t, "orgs"), BASE "/orgs");
  munit_assert_string_equal(t_link(t, "groups"), BASE "/groups");
  munit_assert_string_equal(t_link(t, "clusters"), BASE "/clusters");
  munit_assert_string_equal(t_link(t, "eventTypes"), BASE "/eventTypes");
  munit_assert_string_equal(t_link(t, "rateLimits"), BASE "/rateLimits");
  munit_assert_string_equal(t_link(t, "unauth/controlPlaneIPAddresses"), BASE "/unauth/controlPlaneIPAddresses");

  t->grants[0].on = org;
  t->grants[1].role = "GROUP_READ_ONLY";
  t->grants[1].on = group;
  t->grants[2].role = "NO_SUCH_ROLE";
  t->caller.grant_count = 3;
  munit_assert_int(t_send(t, "GET", "", NULL), ==, 200);
  munit_assert_size(t_count(t, "apiKey.roles"), ==, 2); /* unknown roles are left out */
  munit_assert_string_equal(t_str(t, "apiKey.roles[0].orgId"), org);
  munit_assert_null(t_node(t, "apiKey.roles[0].groupId"));
  munit_assert_string_equal(t_str(t, "apiKey.roles[1].roleName"), "GROUP_READ_ONLY");
  munit_assert_string_equal(t_str(t, "apiKey.roles[1].groupId"), group);
  munit_assert_null(t_node(t, "apiKey.roles[1].orgId"));
  t->anonymous = true;
  munit_assert_int(t_send(t, "GET", "", NULL), ==, 401);
  t->anonymous = false;
  t->caller.grant_count = 1;

  memset(&config, 0, sizeof config);
  config.limiter_off = 1;
  config.base_url = "https://api.example.com";
  t->grants[0].on = NULL;
  t_reopen(t, &config);
  munit_assert_int(t_send(t, "GET", "", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "throttling"), "false");
  munit_assert_string_equal(t_link(t, "orgs"), "https://api.example.com/api/svc/v2/orgs");
}

TEST_SERVICE(service, addresses)
{
  static const svc_control_address addresses[] = {
    { "aws", "us-east-1", "198.51.100.0/24", 0 },
    { "gcp", "europe-west1", "2001:db8::/32", 1 },
    { "aws", "us-east-1", "203.0.113.9", 0 },
    { "aws", "eu-west-1", "192.0.2.0/28", 0 },
    { "aws", "us-east-1", "192.0.2.128/25", 1 },
  };
  svc_config config;
  t->anonymous = true; /* no credential is required */
  munit_assert_int(t_send(t, "GET", "/unauth/controlPlaneIPAddresses", NULL), ==, 200);
  munit_assert_size(t_count(t, "inbound"), ==, 3);
  munit_assert_size(t_count(t, "outbound"), ==, 3);
  munit_assert_int(t_node(t, "inbound.aws")->type, ==, SVC_J_OBJECT);
  munit_assert_size(t_count(t, "inbound.aws"), ==, 0);
  munit_assert_size(t_count(t, "outbound.azure"), ==, 0);
  munit_assert_string_not_equal(t_get_header(t, "RateLimit-Limit"), "");

  memset(&config, 0, sizeof config);
  config.control_addresses = addresses;
  config.control_address_count = sizeof addresses / sizeof addresses[0];
  t_reopen(t, &config);
  munit_assert_int(t_send(t, "GET", "/unauth/controlPlaneIPAddresses", NULL), ==, 200);
  munit_assert_size(t_count(t, "inbound.aws"), ==, 2);
  munit_assert_size(t_count(t, "inbound.aws.us-east-1"), ==, 2);
  munit_assert_string_equal(t_str(t, "inbound.aws.us-east-1[0]"), "198.51.100.0/24");
  munit_assert_string_equal(t_str(t, "inbound.aws.us-east-1[1]"), "203.0.113.9");
  munit_assert_size(t_count(t, "inbound.aws.eu-west-1"), ==, 1);
  munit_assert_string_equal(t_str(t, "inbound.aws.eu-west-1[0]"), "192.0.2.0/28");
  munit_assert_size(t_count(t, "inbound.azure"), ==, 0);
  munit_assert_size(t_count(t, "inbound.gcp"), ==, 0);
  munit_assert_size(t_count(t, "outbound.aws"), ==, 1);
  munit_assert_string_equal(t_str(t, "outbound.aws.us-east-1[0]"), "192.0.2.128/25");
  munit_assert_size(t_count(t, "outbound.azure"), ==, 0);
  munit_assert_string_equal(t_str(t, "outbound.gcp.europe-west1[0]"), "2001:db8::/32");
  munit_assert_int(t_send(t, "POST", "/unauth/controlPlaneIPAddresses", "{}"), ==, 405);
}

TEST(service, bad_addresses)
{
  static const svc_control_address bad[] = {
    { "oracle", "us-east-1", "198.51.100.0/24", 0 },
    { "AWS", "us-east-1", "198.51.100.0/24", 0 },
    { NULL, "us-east-1", "198.51.100.0/24", 0 },
    { "aws", "", "198.51.100.0/24", 0 },
    { "aws", NULL, "198.51.100.0/24", 0 },
    { "aws", "\xff", "198.51.100.0/24", 0 },
    { "aws", "us-east-1", "198.51.100.0/33", 0 },
    { "aws", "us-east-1", "198.51.100", 0 },
    { "aws", "us-east-1", "", 1 },
    { "aws", "us-east-1", NULL, 1 },
  };
  svc_control_address addresses[2] = { { "gcp", "europe-west1", "192.0.2.1", 1 }, { NULL, NULL, NULL, 0 } };
  svc_config config;
  svc *s;
  size_t i;
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    addresses[1] = bad[i];
    memset(&config, 0, sizeof config);
    config.control_addresses = addresses;
    config.control_address_count = 2;
    s = NULL;
    munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
    munit_assert_null(s);
  }
}

static int64_t versions(t_service *t, const char *group, const char *query)
{
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/dbVersions%s", group, query), ==, 200);
  return t_int(t, "totalCount");
}

/* Three versions of each size of AWS, Azure, GCP and shared tiers. */
#define VERSIONS_OF_SIZES (3 * (47 + 22 + 34 + 3))

TEST_SERVICE(service, db_versions)
{
  const char *group;
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  munit_assert_int64(versions(t, group, ""), ==, VERSIONS_OF_SIZES);
  munit_assert_size(t_count(t, "results"), ==, 100);
  munit_assert_string_equal(t_str(t, "results[0].cloudProvider"), "AWS");
  munit_assert_string_equal(t_str(t, "results[0].defaultStatus"), "NOT_DEFAULT");
  munit_assert_string_equal(t_str(t, "results[0].instanceSize"), "M10");
  munit_assert_string_equal(t_str(t, "results[0].version"), "6.0");
  munit_assert_string_equal(t_str(t, "results[2].version"), "8.0");
  munit_assert_string_equal(t_str(t, "results[2].defaultStatus"), "DEFAULT");
  munit_assert_string_equal(t_str(t, "results[3].instanceSize"), "M20");
  munit_assert_int64(versions(t, group, "?itemsPerPage=100&pageNum=4"), ==, VERSIONS_OF_SIZES);
  munit_assert_size(t_count(t, "results"), ==, VERSIONS_OF_SIZES % 100);
  munit_assert_string_equal(t_str(t, "results[17].cloudProvider"), "TENANT");
  munit_assert_string_equal(t_str(t, "results[17].instanceSize"), "M5");
  munit_assert_string_equal(t_str(t, "results[17].version"), "8.0");

  munit_assert_int64(versions(t, group, "?cloudProvider=AWS"), ==, 141);
  munit_assert_int64(versions(t, group, "?cloudProvider=AZURE"), ==, 66);
  munit_assert_string_equal(t_str(t, "results[0].cloudProvider"), "AZURE");
  munit_assert_int64(versions(t, group, "?cloudProvider=GCP"), ==, 102);
  munit_assert_int64(versions(t, group, "?cloudProvider=TENANT"), ==, 9);
  munit_assert_int64(versions(t, group, "?defaultStatus=DEFAULT"), ==, 106);
  munit_assert_int64(versions(t, group, "?instanceSize=M10"), ==, 9);
  munit_assert_int64(versions(t, group, "?instanceSize=M90"), ==, 3);
  munit_assert_string_equal(t_str(t, "results[0].cloudProvider"), "AZURE");
  munit_assert_int64(versions(t, group, "?instanceSize=M1"), ==, 0);
  munit_assert_int64(versions(t, group, "?cloudProvider=TENANT&instanceSize=M10"), ==, 0);
  munit_assert_int64(versions(t, group, "?cloudProvider=GCP&instanceSize=M250&defaultStatus=DEFAULT"), ==, 1);
  munit_assert_string_equal(t_str(t, "results[0].cloudProvider"), "GCP");
  munit_assert_string_equal(t_str(t, "results[0].defaultStatus"), "DEFAULT");
  munit_assert_string_equal(t_str(t, "results[0].instanceSize"), "M250");
  munit_assert_string_equal(t_str(t, "results[0].version"), "8.0");

  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/dbVersions?cloudProvider=OTHER", group), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_QUERY_PARAMETER");
  munit_assert_string_equal(t_param(t, 0), "cloudProvider");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/dbVersions?defaultStatus=NOT_DEFAULT", group), ==, 400);
  munit_assert_string_equal(t_param(t, 0), "defaultStatus");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/dbVersions", "5f5f5f5f5f5f5f5f5f5f5f5f"), ==, 404);
  munit_assert_string_equal(t_error(t), "GROUP_NOT_FOUND");
}

/* Tools request their own address before they add it to an access list. */
TEST_SERVICE(service, address)
{
  munit_assert_int(t_send_raw(t, "GET", "/api/private/ipinfo", NULL, 0), ==, 200);
  munit_assert_string_equal(t->response.body, "{\"currentIpv4Address\":\"192.0.2.7\"}");
}

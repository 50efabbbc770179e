/*
** Stream connections: the required fields of each type, clusters of this project and of others, secrets, states, and
** references from and to them; and failover connections, which replace them when a region fails.
**
** Tests also: stream_failover_connection
*/
#include "catalog/stream_world.h"
#include "needs.h"

#define NEED_CONNECTIONS "/groups/{groupId}/streams/{tenantName}/connections"
#define NEED_FAILOVER NEED_CONNECTIONS "/{connectionName}/failoverConnections"
#define NEED_PARENT "{\"name\":\"orders\",\"type\":\"Cluster\",\"clusterName\":\"Spare\"}"
#define NEED_KAFKA \
  "\"type\":\"Kafka\",\"bootstrapServers\":\"a:1\",\"authentication\":{\"mechanism\":\"PLAIN\",\"username\":\"u\",\"password\":\"p\"}," \
  "\"security\":{\"protocol\":\"SASL_SSL\"},\"networking\":{\"access\":{\"type\":\"PRIVATE_LINK\",\"connectionId\":\"%V\"}}"
#define NEED_ROLE "\"dbRoleToExecute\":{\"type\":\"CUSTOM\",\"role\":\"%V\"}"
#define NEED_RUN_AS "{\"name\":\"ref\",\"type\":\"Cluster\",\"clusterName\":\"%C\"," NEED_ROLE "}"
#define NEED_FAIL_AS "{\"type\":\"Cluster\",\"region\":\"OREGON_USA\",\"clusterName\":\"%C\"," NEED_ROLE "}"

T_NEEDS(stream_connection) = {
  T_REFERENCE("stream connection", "clusterName@clusterGroupId", SVC_POST, NEED_CONNECTIONS,
              "{\"name\":\"ref\",\"type\":\"Cluster\",\"clusterName\":\"%V\"}", 0, NULL),
  T_REFERENCE("stream connection", "dbRoleToExecute[type=CUSTOM].role@clusterGroupId", SVC_POST, NEED_CONNECTIONS, NEED_RUN_AS, 0, NULL),
  T_REFERENCE("stream connection", "dbRoleToExecute.role@clusterGroupId", SVC_POST, NEED_CONNECTIONS, NEED_RUN_AS, 0, NULL),
  T_REFERENCE("stream connection", "networking.access.connectionId", SVC_POST, NEED_CONNECTIONS, "{\"name\":\"ref\"," NEED_KAFKA "}", 0, NULL),
  T_REFERENCE("stream connection", "publicPrivateNetworking.access.connectionId", SVC_POST, NEED_CONNECTIONS,
              "{\"name\":\"ref\",\"type\":\"AWSLambda\",\"aws\":{\"roleArn\":\"arn:aws:iam::123456789012:role/r\"},"
              "\"publicPrivateNetworking\":{\"access\":{\"type\":\"PRIVATE_LINK\",\"connectionId\":\"%V\"}}}", 0, NULL),
  T_REFERENCE("stream failover connection", "clusterName@clusterGroupId", SVC_POST, NEED_FAILOVER,
              "{\"type\":\"Cluster\",\"region\":\"OREGON_USA\",\"clusterName\":\"%V\"}", 0, NEED_PARENT),
  T_REFERENCE("stream failover connection", "dbRoleToExecute[type=CUSTOM].role@clusterGroupId", SVC_POST, NEED_FAILOVER, NEED_FAIL_AS, 0, NEED_PARENT),
  T_REFERENCE("stream failover connection", "dbRoleToExecute.role@clusterGroupId", SVC_POST, NEED_FAILOVER, NEED_FAIL_AS, 0, NEED_PARENT),
  T_REFERENCE("stream failover connection", "networking.access.connectionId", SVC_POST, NEED_FAILOVER, "{\"region\":\"OREGON_USA\"," NEED_KAFKA "}", 0, NULL),
  T_NEEDS_END
};

#define AT "/W/connections"
#define ROLE "\"aws\":{\"roleArn\":\"arn:aws:iam::123456789012:role/r\"}"
#define OF(type, more) "{\"name\":\"c\",\"type\":\"" type "\"" more "}"
#define AUTH(more) "{\"name\":\"c\",\"type\":\"Kafka\",\"bootstrapServers\":\"a:1\",\"authentication\":{" more "}"
#define SASL ",\"security\":{\"protocol\":\"SASL_SSL\"}}"
#define REGISTRY(login) \
  OF("SchemaRegistry", ",\"provider\":\"CONFLUENT\",\"schemaRegistryUrls\":[\"https://r.example.com\"],\"schemaRegistryAuthentication\":{" login "}")

static void make_cluster(stream_world *w, const char *group)
{
  munit_assert_int(t_sendf(&w->t, "POST", CLUSTER("C"), "/groups/%s/clusters", group), ==, 201);
}

/* ------------------------------------------------------------------------------------------------------------------ types */

TEST(stream_connection, types)
{
  static const char *const good[] = {
    KAFKA("c", ""),
    AUTH("\"mechanism\":\"PLAIN\",\"username\":\"u\",\"password\":\"p\"") ",\"security\":{\"protocol\":\"SASL_PLAINTEXT\"}}",
    AUTH("\"mechanism\":\"OAUTHBEARER\",\"method\":\"OIDC\",\"clientId\":\"i\",\"clientSecret\":\"s\",\"tokenEndpointUrl\":\"https://t.example.com/x\"") SASL,
    AUTH("\"mechanism\":\"SSL\",\"sslCertificate\":\"-----BEGIN CERTIFICATE-----\\nx\\n\",\"sslKey\":\"k\"") ",\"security\":{\"protocol\":\"SSL\"}}",
    AUTH("\"mechanism\":\"AWS_MSK_IAM\"," ROLE) SASL,
    OF("Https", ",\"url\":\"https://example.com/x@y\",\"headers\":{\"X-Api-Key\":\"sesame-header\"}"),
    OF("AWSLambda", "," ROLE),
    OF("S3", ",\"aws\":{\"roleArn\":\"arn:aws:iam::123456789012:role/r\",\"testBucket\":\"bucket\"}"),
    OF("AWSKinesisDataStreams", "," ROLE),
    OF("AzureBlobStorage", ",\"azure\":{\"servicePrincipalId\":\"p\",\"storageAccountName\":\"store1\"}"),
    OF("GCPPubSub", ",\"gcp\":{\"serviceAccountId\":\"a\"}"),
    REGISTRY("\"type\":\"USER_INFO\",\"username\":\"u\",\"password\":\"p\""),
    REGISTRY("\"type\":\"SASL_INHERIT\""),
    OF("Cluster", ",\"clusterName\":\"C\""),
  };
  static const struct {
    const char *body, *field;
  } bad[] = {
    { "{\"name\":\"c\"}", "type" },
    { OF("Pigeon", ""), "type" },
    { "{\"type\":\"Https\",\"url\":\"https://example.com\"}", "name" },
    { OF("Kafka", ""), "authentication" },
    { OF("Kafka", ""), "bootstrapServers" },
    { OF("Kafka", ""), "security" },
    { "{\"name\":\"c\",\"type\":\"Kafka\",\"bootstrapServers\":\"nowhere\"," SCRAM SASL, "bootstrapServers" },
    { AUTH("\"mechanism\":\"GUESS\"") SASL, "authentication.mechanism" },
    { AUTH("\"mechanism\":\"PLAIN\",\"username\":\"u\"") SASL, "authentication.password" },
    { AUTH("\"mechanism\":\"SCRAM-512\",\"password\":\"u\"") SASL, "authentication.username" },
    { AUTH("\"mechanism\":\"OAUTHBEARER\"") SASL, "authentication.clientSecret" },
    { AUTH("\"mechanism\":\"SSL\",\"sslCertificate\":\"x\"") SASL, "authentication.sslKey" },
    { AUTH("\"mechanism\":\"SSL\",\"sslCertificate\":\"x\",\"sslKey\":\"k\"") SASL, "security.protocol" },
    { AUTH("\"mechanism\":\"AWS_MSK_IAM\"") SASL, "authentication.aws" },
    { KAFKA("c", ",\"networking\":{\"access\":{\"type\":\"PRIVATE_LINK\"}}"), "networking.access.connectionId" },
    { KAFKA("c", ",\"networking\":{\"access\":{\"type\":\"TRANSIT_GATEWAY\"}}"), "networking.access.tgwRouteId" },
    { KAFKA("c", ",\"networking\":{\"access\":{\"type\":\"PUBLIC\",\"tgwRouteId\":\"5f0000000000000000000001\"}}"), "networking.access.tgwRouteId" },
    { KAFKA("c", ",\"url\":\"https://example.com\""), "url" },
    { KAFKA("c", ",\"networking\":{\"access\":{\"type\":\"PUBLIC\",\"connectionId\":\"5f0000000000000000000001\"}}"), "networking.access.connectionId" },
    { KAFKA("c", ",\"config\":{\"ssl.key\":\"secret\"}"), "config.ssl.key" },
    { OF("Cluster", ",\"clusterName\":\"C\",\"dbRoleToExecute\":{\"role\":\"read\",\"type\":\"BUILT_IN\"}"), "dbRoleToExecute.role" },
    { OF("Cluster", ",\"clusterName\":\"C\",\"dbRoleToExecute\":{\"role\":\"svcadmin\",\"type\":\"BUILT_IN\"}"), "dbRoleToExecute.role" },
    { OF("Cluster", ",\"clusterName\":\"C\",\"dbRoleToExecute\":{\"role\":\"xxxAdmin\",\"type\":\"BUILT_IN\"}"), "dbRoleToExecute.role" },
    { OF("Cluster", ",\"clusterName\":\"C\",\"dbRoleToExecute\":{\"role\":\"svcAdmin\",\"type\":\"CUSTOM\"}"), "dbRoleToExecute.role" },
    { AUTH("\"mechanism\":\"AWS_MSK_IAM\"," ROLE) ",\"security\":{\"protocol\":\"SASL_PLAINTEXT\"}}", "security.protocol" },
    { OF("Https", ""), "url" },
    { OF("Https", ",\"url\":\"http://example.com\""), "url" },
    { OF("Https", ",\"url\":\"https://example.com\",\"headers\":{\"a b\":\"c\"}"), "headers.a b" },
    { OF("Https", ",\"url\":\"https://example.com\",\"headers\":{\"a\":\"c\\r\\nEvil: x\"}"), "headers.a" },
    { OF("Https", ",\"url\":\"https://me:secret@example.com/x\""), "url" },
    { KAFKA("c", ",\"config\":{\"sasl.jaas.config\":\"secret\"}"), "config.sasl.jaas.config" },
    { AUTH("\"mechanism\":\"OAUTHBEARER\",\"method\":\"OIDC\",\"clientId\":\"i\",\"clientSecret\":\"s\",\"tokenEndpointUrl\":\"https://a:b@t/x\"") SASL,
      "authentication.tokenEndpointUrl" },
    { OF("AWSLambda", ""), "aws" },
    { OF("S3", ",\"aws\":{\"roleArn\":\"role\"}"), "aws.roleArn" },
    { OF("AzureBlobStorage", ",\"azure\":{}"), "azure.storageAccountName" },
    { OF("GCPPubSub", ",\"gcp\":{}"), "gcp.serviceAccountId" },
    { OF("SchemaRegistry", ",\"provider\":\"CONFLUENT\",\"schemaRegistryAuthentication\":{\"type\":\"SASL_INHERIT\"}"), "schemaRegistryUrls" },
    { REGISTRY("\"type\":\"USER_INFO\",\"username\":\"u\""), "schemaRegistryAuthentication.password" },
    { OF("Cluster", ""), "clusterName" },
    { OF("Sample", ""), "name" },
  };
  stream_world w;
  size_t i;
  stream_open(&w, false);
  make_cluster(&w, w.group);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) stream_refused(&w, "POST", AT, bad[i].body, bad[i].field);
  munit_assert_int(stream_call(&w, "GET", AT, NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  for (i = 0; i < sizeof good / sizeof good[0]; i++) {
    stream_expect(&w, stream_call(&w, "POST", AT, good[i]), 202, NULL);
    t_advance(&w.t, 100);
    munit_assert_int(stream_call(&w, "GET", AT "/c", NULL), ==, 200);
    munit_assert_string_equal(t_str(&w.t, "state"), "READY");
    munit_assert_int(stream_call(&w, "DELETE", AT "/c", NULL), ==, 202);
    t_advance(&w.t, 100);
  }
  t_close(&w.t);
}

/* The total size of a stored connection is limited, even if it consists of many small parts. */
TEST(stream_connection, bounds)
{
  stream_world w;
  char *body = munit_malloc(65536);
  size_t i, n;
  stream_open(&w, false);
  n = (size_t)snprintf(body, 65536, "{\"name\":\"c\",\"type\":\"Https\",\"url\":\"https://example.com\",\"headers\":{");
  for (i = 0; i < 33; i++) n += (size_t)snprintf(body + n, 65536 - n, "%s\"h%zu\":\"x\"", i ? "," : "", i);
  snprintf(body + n, 65536 - n, "}}");
  stream_refused(&w, "POST", AT, body, "headers");
  n = (size_t)snprintf(body, 65536, "{\"name\":\"c\",\"type\":\"Https\",\"url\":\"https://example.com\",\"headers\":{");
  for (i = 0; i < 10; i++) n += (size_t)snprintf(body + n, 65536 - n, "%s\"h%zu\":\"%01000d\"", i ? "," : "", i, 7);
  snprintf(body + n, 65536 - n, "}}");
  stream_refused(&w, "POST", AT, body, "headers");
  { /* each part within its bounds, but the sum too large: a line end takes two bytes in JSON */
    static char lines[16001];
    for (i = 0; i < 8000; i++) memcpy(lines + 2 * i, "\\n", 2);
    snprintf(body, 65536, "{\"name\":\"c\",\"type\":\"Kafka\",\"bootstrapServers\":\"a.example.com:9092\",\"authentication\":{\"mechanism\":\"SSL\","
             "\"sslCertificate\":\"%s\",\"sslKey\":\"%s\"},\"security\":{\"protocol\":\"SSL\",\"brokerPublicCertificate\":\"%s\"},\"config\":{\"a\":\"%01000d\",\"b\":\"%01000d\"}}",
             lines, lines, lines, 7, 7);
    stream_refused(&w, "POST", AT, body, "authentication");
  }
  for (i = 1; i < 50; i++) {
    snprintf(body, 65536, "{\"name\":\"c%zu\",\"type\":\"Https\",\"url\":\"https://example.com\"}", i);
    munit_assert_int(stream_call(&w, "POST", AT, body), ==, 202);
  }
  stream_expect(&w, stream_call(&w, "POST", AT, KAFKA("more", "")), 403, "TOO_MANY_RESOURCES");
  free(body);
  t_close(&w.t);
}

/* ----------------------------------------------------------------------------------------------------------------- states */

TEST(stream_connection, states)
{
  stream_world w;
  stream_open(&w, false);
  munit_assert_int(stream_call(&w, "POST", AT, KAFKA("k", "")), ==, 202);
  munit_assert_string_equal(t_str(&w.t, "state"), "PENDING");
  munit_assert_string_equal(t_str(&w.t, "networking.access.type"), "PUBLIC");
  stream_expect(&w, stream_call(&w, "POST", AT, KAFKA("k", "")), 409, "STREAM_CONNECTION_ALREADY_EXISTS");
  stream_expect(&w, stream_call(&w, "PATCH", AT "/k", "{\"bootstrapServers\":\"b:1\"}"), 409, "STREAM_KAFKA_CONNECTION_IS_DEPLOYING");
  stream_expect(&w, stream_call(&w, "DELETE", AT "/k", NULL), 409, "STREAM_KAFKA_CONNECTION_IS_DEPLOYING");
  t_advance(&w.t, 10);
  munit_assert_int(stream_call(&w, "PATCH", AT "/k", "{" SCRAM ",\"bootstrapServers\":\"b:1, c:2\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "PENDING");
  t_advance(&w.t, 10);
  stream_refused(&w, "PATCH", AT "/k", "{\"name\":\"other\"}", "name");
  stream_refused(&w, "PATCH", AT "/k", "{\"type\":\"Https\",\"url\":\"https://example.com\"}", "type");
  munit_assert_int(stream_call(&w, "DELETE", AT "/k", NULL), ==, 202);
  munit_assert_string_equal(w.t.response.body, "{}");
  munit_assert_int(stream_call(&w, "GET", AT "/k", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "DELETING");
  stream_expect(&w, stream_call(&w, "DELETE", AT "/k", NULL), 404, "STREAM_CONNECTION_NOT_FOUND_FOR_NAME");
  munit_assert_string_equal(t_param(&w.t, 1), "W");
  stream_expect(&w, stream_call(&w, "PATCH", AT "/k", "{\"bootstrapServers\":\"d:1\"}"), 404, "STREAM_CONNECTION_NOT_FOUND_FOR_NAME");
  stream_refused(&w, "POST", "/W/processor", "{\"name\":\"p\",\"pipeline\":[{\"$source\":{\"connectionName\":\"k\"}}," SINK "]}",
                 "pipeline[0].$source.connectionName");
  t_advance(&w.t, 10);
  stream_expect(&w, stream_call(&w, "GET", AT "/k", NULL), 404, "STREAM_CONNECTION_NOT_FOUND_FOR_NAME");
  munit_assert_int64(stream_told(&w, "STREAM_TENANT_CONNECTION_UPDATED"), ==, 1);
  munit_assert_int64(stream_told(&w, "STREAM_TENANT_CONNECTION_DELETED"), ==, 1);
  t_close(&w.t);
}

TEST(stream_connection, used)
{
  stream_world w;
  stream_open(&w, false);
  munit_assert_int(stream_call(&w, "POST", "/W/processor", PROCESSOR("watts", "", "")), ==, 202);
  stream_expect(&w, stream_call(&w, "DELETE", AT "/sample_stream_solar", NULL), 409, "STREAM_CONNECTION_IN_USE");
  munit_assert_string_equal(t_param(&w.t, 0), "sample_stream_solar");
  munit_assert_string_equal(t_param(&w.t, 1), "watts");
  munit_assert_int(stream_call(&w, "DELETE", "/W/processor/watts", NULL), ==, 204);
  munit_assert_int(stream_call(&w, "DELETE", AT "/sample_stream_solar", NULL), ==, 202);
  t_close(&w.t);
}

/* ---------------------------------------------------------------------------------------------------------------- secrets */

TEST(stream_connection, secrets)
{
  stream_world w;
  stream_open(&w, true);
  munit_assert_int(stream_call(&w, "POST", AT, KAFKA("k", "")), ==, 202);
  munit_assert_null(strstr(w.t.response.body, "sesame"));
  stream_order(&w, "connection.put", SVC_OK, NULL);
  munit_assert_null(strstr(t_driver_order(&w.driver, "")->desired, "sesame"));
  munit_assert_string_equal(t_driver_order(&w.driver, "")->secrets, "{\"authentication\":{\"password\":\"sesame-kafka\"}}");
  /* the stored password is not sent to a new server */
  stream_refused(&w, "PATCH", AT "/k", "{\"bootstrapServers\":\"b:1\"}", "authentication.password");
  munit_assert_int(stream_call(&w, "PATCH", AT "/k", "{\"config\":{\"client.id\":\"b\"}}"), ==, 200);
  stream_order(&w, "connection.put", SVC_OK, NULL);
  /* the stored password is sent again */
  munit_assert_string_equal(t_driver_order(&w.driver, "")->secrets, "{\"authentication\":{\"password\":\"sesame-kafka\"}}");
  stream_refused(&w, "PATCH", AT "/k", "{\"config\":{\"bootstrap.servers\":\"b:1\"}}", "config.bootstrap.servers");
  stream_refused(&w, "PATCH", AT "/k", "{\"config\":{\"security.protocol\":\"PLAINTEXT\"}}", "config.security.protocol");
  munit_assert_int(stream_call(&w, "PATCH", AT "/k", "{\"authentication\":{\"password\":\"sesame-other\"}}"), ==, 200);
  stream_order(&w, "connection.put", SVC_IO, "{\"reason\":\"no route\"}");
  munit_assert_string_equal(t_driver_order(&w.driver, "")->secrets, "{\"authentication\":{\"password\":\"sesame-other\"}}");
  munit_assert_int(stream_call(&w, "GET", AT "/k", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "FAILED");
  munit_assert_int(stream_call(&w, "POST", AT, OF("Https", ",\"url\":\"https://example.com/x\",\"headers\":{\"X-Api-Key\":\"sesame-header\"}")),
                   ==, 202);
  munit_assert_not_null(t_node(&w.t, "headers.X-Api-Key"));
  munit_assert_null(strstr(w.t.response.body, "sesame"));
  stream_order(&w, "connection.put", SVC_OK, NULL);
  munit_assert_string_equal(t_driver_order(&w.driver, "")->secrets, "{\"headers\":{\"X-Api-Key\":\"sesame-header\"}}");
  munit_assert_int(stream_call(&w, "GET", "/W?includeConnections=true", NULL), ==, 200);
  munit_assert_null(strstr(w.t.response.body, "sesame"));
  munit_assert_false(stream_stored(&w, "sesame"));
  munit_assert_int(stream_call(&w, "DELETE", AT "/k", NULL), ==, 202);
  stream_order(&w, "connection.delete", SVC_OK, NULL);
  stream_expect(&w, stream_call(&w, "GET", AT "/k", NULL), 404, NULL);
  t_close(&w.t);
}

/* --------------------------------------------------------------------------------------------------------------- clusters */

TEST(stream_connection, cluster)
{
  stream_world w;
  stream_open(&w, false);
  stream_expect(&w, stream_call(&w, "POST", AT, OF("Cluster", ",\"clusterName\":\"C\"")), 404, "CLUSTER_NOT_FOUND");
  make_cluster(&w, w.group);
  stream_refused(&w, "POST", AT, OF("Cluster", ",\"clusterName\":\"C\",\"dbRoleToExecute\":{\"role\":\"root\",\"type\":\"BUILT_IN\"}"),
                 "dbRoleToExecute.role");
  stream_refused(&w, "POST", AT, OF("Cluster", ",\"clusterName\":\"C\",\"dbRoleToExecute\":{\"role\":\"mine\",\"type\":\"CUSTOM\"}"),
                 "dbRoleToExecute.role");
  munit_assert_int(t_sendf(&w.t, "POST", "{\"roleName\":\"mine\",\"actions\":[{\"action\":\"FIND\",\"resources\":[{\"db\":\"a\",\"collection\":\"b\"}]}]}",
                           "/groups/%s/customDBRoles/roles", w.group), <, 300);
  munit_assert_int(stream_call(&w, "POST", AT, OF("Cluster", ",\"clusterName\":\"C\",\"clusterGroupId\":\"%G\",\"dbRoleToExecute\":{\"role\":\"mine\","
                                                  "\"type\":\"CUSTOM\"}")), ==, 202);
  munit_assert_int(stream_call(&w, "POST", AT, "{\"name\":\"d\",\"type\":\"Cluster\",\"clusterName\":\"C\",\"dbRoleToExecute\":{\"role\":"
                                               "\"svcAdmin\",\"type\":\"BUILT_IN\"}}"), ==, 202);
  munit_assert_int(stream_call(&w, "POST", AT, "{\"name\":\"e\",\"type\":\"Cluster\",\"clusterName\":\"C\",\"dbRoleToExecute\":{\"role\":"
                                               "\"readAnyDatabase\",\"type\":\"BUILT_IN\"}}"), ==, 202);
  munit_assert_string_equal(t_str(&w.t, "dbRoleToExecute.role"), "readAnyDatabase");
  t_advance(&w.t, 1000);
  munit_assert_int(stream_call(&w, "DELETE", AT "/e", NULL), ==, 202);
  t_advance(&w.t, 100);

  /* a cluster or role in use cannot be deleted, and the error names the connection */
  stream_expect(&w, t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/C", w.group), 409, "CLUSTER_IN_USE_BY_STREAM_CONNECTIONS");
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "stream connection c."));
  stream_expect(&w, t_sendf(&w.t, "DELETE", NULL, "/groups/%s/customDBRoles/roles/mine", w.group), 409,
                "CUSTOM_ROLE_IN_USE_BY_STREAM_CONNECTIONS");
  munit_assert_int(stream_call(&w, "DELETE", AT "/c", NULL), ==, 202);
  t_advance(&w.t, 100);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/customDBRoles/roles/mine", w.group), ==, 204);
  stream_expect(&w, t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/C", w.group), 409, "CLUSTER_IN_USE_BY_STREAM_CONNECTIONS");
  munit_assert_int(stream_call(&w, "DELETE", AT "/d", NULL), ==, 202);
  t_advance(&w.t, 100);
  munit_assert_int(t_sendf(&w.t, "POST", CLUSTER("D"), "/groups/%s/clusters", w.group), ==, 201);
  t_advance(&w.t, 1000);
  munit_assert_int(stream_call(&w, "POST", AT, "{\"name\":\"d\",\"type\":\"Cluster\",\"clusterName\":\"D\"}"), ==, 202);
  t_advance(&w.t, 100);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/C", w.group), ==, 202);

  /* a cluster in deletion cannot be named, and the error says why */
  stream_expect(&w, stream_call(&w, "PATCH", AT "/d", "{\"clusterName\":\"C\"}"), 404, "CLUSTER_NOT_FOUND");
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "The cluster is being deleted."));
  munit_assert_int(stream_call(&w, "PATCH", AT "/d", "{\"dbRoleToExecute\":{\"role\":\"readAnyDatabase\",\"type\":\"BUILT_IN\"}}"), ==, 200);
  t_advance(&w.t, 1000);
  store_whole(w.t.s);
  t_close(&w.t);
}

TEST(stream_connection, elsewhere)
{
  stream_world w;
  const char *other, *foreign;
  char body[256], strange[256];
  stream_open(&w, false);
  other = t_project(&w.t, w.org, "P2");
  foreign = t_project(&w.t, t_organization(&w.t, "Others"), "P3");
  make_cluster(&w, other);
  make_cluster(&w, foreign);
  snprintf(body, sizeof body, "{\"name\":\"c\",\"type\":\"Cluster\",\"clusterName\":\"C\",\"clusterGroupId\":\"%s\"}", other);
  snprintf(strange, sizeof strange, "{\"name\":\"c\",\"type\":\"Cluster\",\"clusterName\":\"C\",\"clusterGroupId\":\"%s\"}", foreign);
  stream_refused(&w, "POST", AT, body, "clusterGroupId"); /* the organization does not allow clusters of other projects */
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"streamsCrossGroupEnabled\":true}", "/orgs/%s/settings", w.org), ==, 200);
  stream_expect(&w, stream_call(&w, "POST", AT, strange), 404, "GROUP_NOT_FOUND");

  /* a caller who manages streams in this project, but has no role or only a reader's role on the other project */
  w.t.grants[0] = (svc_grant){ "GROUP_STREAM_PROCESSING_MANAGER", w.group };
  stream_expect(&w, stream_call(&w, "POST", AT, body), 404, "GROUP_NOT_FOUND");
  w.t.grants[1] = (svc_grant){ "GROUP_READ_ONLY", other };
  w.t.caller.grant_count = 2;
  stream_expect(&w, stream_call(&w, "POST", AT, body), 403, "ACCESS_FORBIDDEN");
  w.t.grants[1] = (svc_grant){ "GROUP_STREAM_PROCESSING_OWNER", other };
  munit_assert_int(stream_call(&w, "POST", AT, body), ==, 202);
  w.t.grants[0] = (svc_grant){ "ORG_OWNER", NULL };
  w.t.caller.grant_count = 1;

  /* a cluster of the same name in this project is not in use */
  make_cluster(&w, w.group);
  t_advance(&w.t, 1000);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/C", w.group), ==, 202);
  stream_expect(&w, t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/C", other), 409, "CLUSTER_IN_USE_BY_STREAM_CONNECTIONS");
  munit_assert_null(strstr(t_str(&w.t, "detail"), "stream connection c.")); /* the connection is in another project */
  munit_assert_int(stream_call(&w, "DELETE", AT "/c", NULL), ==, 202);
  t_advance(&w.t, 100);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/C", other), ==, 202);
  t_close(&w.t);
}

/* --------------------------------------------------------------------------------------------------------------- failover */

#define FAILOVER AT "/k/failoverConnections"
#define WEST(region, more) \
  "{\"type\":\"Kafka\",\"region\":\"" region "\",\"bootstrapServers\":\"west:1\"," SCRAM ",\"security\":{\"protocol\":\"SASL_SSL\"}" more "}"

TEST(stream_connection, failover)
{
  stream_world w;
  char at[256];
  stream_open(&w, false);
  munit_assert_int(stream_call(&w, "POST", AT, KAFKA("k", "")), ==, 202);
  t_advance(&w.t, 100);
  stream_refused(&w, "POST", FAILOVER, WEST("PARIS_FRA", ""), "region");
  stream_refused(&w, "POST", FAILOVER, "{\"type\":\"Cluster\",\"region\":\"OREGON_USA\",\"clusterName\":\"C\"}", "type");
  stream_refused(&w, "POST", FAILOVER, "{\"type\":\"Https\",\"region\":\"OREGON_USA\"}", "type");
  stream_refused(&w, "POST", AT "/sample_stream_solar/failoverConnections", WEST("OREGON_USA", ""), "type");
  stream_refused(&w, "POST", FAILOVER, WEST("OREGON_USA", ",\"networking\":{\"access\":{\"type\":\"PRIVATE_LINK\"}}"),
                 "networking.access.connectionId");
  munit_assert_int(stream_call(&w, "POST", FAILOVER, WEST("OREGON_USA", "")), ==, 202);
  munit_assert_string_equal(t_str(&w.t, "state"), "PENDING");
  munit_assert_null(strstr(w.t.response.body, "sesame"));
  snprintf(at, sizeof at, FAILOVER "/%s", t_str(&w.t, "id"));
  stream_expect(&w, stream_call(&w, "POST", FAILOVER, WEST("OREGON_USA", "")), 409, "STREAM_FAILOVER_CONNECTION_ALREADY_EXISTS");
  t_advance(&w.t, 100);
  munit_assert_int(stream_call(&w, "GET", at, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "READY");
  munit_assert_int(stream_call(&w, "GET", FAILOVER, NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "results"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "results[0].region"), "OREGON_USA");
  munit_assert_null(strstr(w.t.response.body, "sesame"));
  stream_refused(&w, "PATCH", at, "{\"region\":\"PARIS_FRA\"}", "region");
  stream_refused(&w, "PATCH", at, "{\"bootstrapServers\":\"west:2\"}", "authentication.password");
  munit_assert_int(stream_call(&w, "PATCH", at, "{" SCRAM ",\"bootstrapServers\":\"west:2\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "state"), "PENDING");
  stream_refused(&w, "PATCH", "/W", "{\"failoverRegions\":[]}", "failoverRegions"); /* a connection uses the region */
  munit_assert_int(stream_call(&w, "DELETE", at, NULL), ==, 204);
  stream_expect(&w, stream_call(&w, "GET", at, NULL), 404, "STREAM_FAILOVER_CONNECTION_NOT_FOUND");
  munit_assert_int(stream_call(&w, "PATCH", "/W", "{\"failoverRegions\":[]}"), ==, 200);
  stream_refused(&w, "POST", FAILOVER, WEST("OREGON_USA", ""), "region");
  munit_assert_false(stream_stored(&w, "sesame"));
  munit_assert_int(stream_call(&w, "DELETE", AT "/k", NULL), ==, 202);
  /* the connection is in deletion */
  stream_expect(&w, stream_call(&w, "POST", FAILOVER, WEST("OREGON_USA", "")), 404, "STREAM_CONNECTION_NOT_FOUND_FOR_NAME");
  munit_assert_string_equal(t_param(&w.t, 0), "k");
  munit_assert_string_equal(t_param(&w.t, 1), "W");
  t_close(&w.t);
}

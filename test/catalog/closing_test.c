/*
** Each kind of resource that prevents the deletion of a project or an organization: the test creates it, tries, and
** removes it again. The error code names the resource.
*/
#include "backup_world.h"

#define CLOUD "\"providerName\":\"AWS\""

/* The resources. While one of them exists, its project cannot be deleted. In paths, %I is the id of the resource that the row has
** created. In bodies, %K is the id of the project's network container. */
static const struct {
  const char *path, *body;
  int made;
  const char *id;   /* the field of the answer whose value is %I */
  const char *code; /* follows CANNOT_CLOSE_GROUP_ACTIVE_ */
  const char *gone; /* the path of the resource's deletion */
  int removed;
} things[] = {
  { "clusters", B_CLUSTER("Main", ""), 201, "name", "CLUSTERS", "clusters/%I", 202 },
  { "flexClusters", "{\"name\":\"Flex\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}", 201, "name", "CLUSTERS",
    "flexClusters/%I", 204 },
  { "backup/AWS/privateEndpoints", "{\"regionName\":\"US_EAST_1\"}", 202, "id", "BACKUP", "backup/AWS/privateEndpoints/%I", 204 },
  { "backupCompliancePolicy", "{\"authorizedEmail\":\"a@example.com\",\"authorizedUserFirstName\":\"A\",\"authorizedUserLastName\":\"B\"}", 200, "state",
    "BACKUP_COMPLIANCE_POLICY", "backupCompliancePolicy", 204 },
  { "peers", "{" CLOUD ",\"containerId\":\"%K\",\"accepterRegionName\":\"us-east-1\",\"awsAccountId\":\"123456789012\",\"routeTableCidrBlock\":"
    "\"192.168.0.0/24\",\"vpcId\":\"vpc-0123456789abcdef0\"}", 202, "id", "PEERING_CONNECTIONS", "peers/%I", 202 },
  { "privateEndpoint/endpointService", "{" CLOUD ",\"region\":\"US_EAST_1\"}", 201, "id", "PRIVATE_ENDPOINT_SERVICES",
    "privateEndpoint/AWS/endpointService/%I", 202 },
  { "privateNetworkSettings/endpointIds", "{\"endpointId\":\"vpce-0123456789abcdef0\"}", 201, "results[0].endpointId", "PRIVATE_ENDPOINT_SERVICES",
    "privateNetworkSettings/endpointIds/%I", 204 },
  { "encryptionAtRest/AWS/privateEndpoints", "{\"regionName\":\"US_EAST_1\"}", 202, "id", "PRIVATE_ENDPOINT_SERVICES",
    "encryptionAtRest/AWS/privateEndpoints/%I", 204 },
  { "dataFederation", "{\"name\":\"Fed\"}", 202, "name", "DATA_LAKES", "dataFederation/%I", 202 },
  { "streams", "{\"name\":\"W\",\"dataProcessRegion\":{\"cloudProvider\":\"AWS\",\"region\":\"VIRGINIA_USA\"}}", 201, "name", "STREAMS_RESOURCE", "streams/%I", 202 },
  { "streams/privateLinkConnections",
    "{\"provider\":\"AWS\",\"vendor\":\"CONFLUENT\",\"region\":\"us-east-1\",\"dnsDomain\":\"abc.us-east-1.aws.example.com\","
    "\"serviceEndpointId\":\"com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0\"}", 202, "_id", "STREAMS_RESOURCE",
    "streams/privateLinkConnections/%I", 202 },
};

typedef struct closing_world {
  t_service t;
  const char *org, *group, *container;
} closing_world;

static void closing_send(closing_world *w, const char *method, const char *path, const char *body, const char *id, int status)
{
  char where[256], text[1024];
  const char *at = strstr(path, "%I"), *in = body ? strstr(body, "%K") : NULL;
  snprintf(where, sizeof where, "/groups/%s/%.*s%s", w->group, at ? (int)(at - path) : (int)strlen(path), path, at ? id : "");
  if (in) snprintf(text, sizeof text, "%.*s%s%s", (int)(in - body), body, w->container, in + 2);
  if (t_send(&w->t, method, where, in ? text : body) != status) munit_errorf("%s %s: %d %s", method, where, w->t.response.status, w->t.response.body);
}

static void closing_refused(closing_world *w, const char *path, const char *code, int status)
{
  uint64_t print;
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  print = store_print(w->t.s);
  if (t_send(&w->t, "DELETE", path, NULL) != status) munit_errorf("%s: %d %s", code, w->t.response.status, w->t.response.body);
  munit_assert_string_equal(t_error(&w->t), code);
  munit_assert_uint64(store_print(w->t.s), ==, print);
}

/* Each resource in a project of its own. */
TEST(closing, projects)
{
  static const svc_config config = { .limiter_off = 1, .provision_ms = 1000 };
  closing_world w;
  size_t i;
  memset(&w, 0, sizeof w);
  t_open(&w.t, &config);
  w.org = t_organization(&w.t, "Acme");
  for (i = 0; i < sizeof things / sizeof things[0]; i++) {
    char name[16], path[64], code[64];
    const char *id;
    snprintf(name, sizeof name, "p%zu", i);
    w.group = t_project(&w.t, w.org, name);
    snprintf(path, sizeof path, "/groups/%s", w.group);
    closing_send(&w, "POST", "containers", "{" CLOUD ",\"regionName\":\"US_EAST_1\",\"svcCidrBlock\":\"10.8.0.0/21\"}", NULL, 201);
    w.container = t_keep(&w.t, t_str(&w.t, "id"));
    closing_send(&w, "PATCH", "encryptionAtRest", "{\"awsKms\":{\"enabled\":true,\"customerMasterKeyID\":\"1111-2222\",\"region\":\"US_EAST_1\","
                 "\"accessKeyID\":\"AKIAIOSFODNN7EXAMPLE\",\"secretAccessKey\":\"aws-secret-of-some-length\",\"requirePrivateNetworking\":true}}", NULL, 200);
    closing_send(&w, strcmp(things[i].id, "state") ? "POST" : "PUT", things[i].path, things[i].body, NULL, things[i].made);
    id = t_keep(&w.t, t_str(&w.t, things[i].id));
    snprintf(code, sizeof code, "CANNOT_CLOSE_GROUP_ACTIVE_%s", things[i].code);
    closing_refused(&w, path, code, 409);
    munit_assert_string_equal(t_param(&w.t, 0), w.group);
    t_advance(&w.t, 60);
    closing_refused(&w, path, code, 409); /* also in its final state */
    closing_send(&w, "DELETE", things[i].gone, NULL, id, things[i].removed);
    t_advance(&w.t, 60);
    munit_assert_int(t_send(&w.t, "DELETE", path, NULL), ==, 202);
    munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 404);
  }
  t_close(&w.t);
}

/* An organization cannot be deleted while it has projects or link tokens. */
TEST(closing, organizations)
{
  static const svc_config config = { .limiter_off = 1, .provision_ms = 1000 };
  closing_world w;
  char path[64];
  memset(&w, 0, sizeof w);
  t_open(&w.t, &config);
  w.org = t_organization(&w.t, "Acme");
  snprintf(path, sizeof path, "/orgs/%s", w.org);
  w.group = t_project(&w.t, w.org, "alpha");
  closing_refused(&w, path, "ORG_NOT_EMPTY", 409);
  munit_assert_string_equal(t_param(&w.t, 0), w.org);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"accessListIps\":[\"192.0.2.1\"]}", "/orgs/%s/liveMigrations/linkTokens", w.org), ==, 201);
  closing_refused(&w, path, "CANNOT_DELETE_ORG_ACTIVE_LIVE_MIGRATION_ORG_LINK", 409);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/liveMigrations/linkTokens", w.org), <, 300);
  munit_assert_int(t_send(&w.t, "DELETE", path, NULL), ==, 204);
  munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 404);
  t_close(&w.t);
}

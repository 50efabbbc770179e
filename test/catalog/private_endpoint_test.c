/*
** Private endpoint services and their endpoints: each provider's fields and states by the clock, the rules for
** deletes, the regional mode, and a driver.
**
** Tests also: endpoint_service, regional_mode
*/
#include "network_world.h"

#define SERVICE(provider, region) "{\"providerName\":\"" provider "\",\"region\":\"" region "\"}"
#define NEW "/privateEndpoint/endpointService"
#define AT(provider) "/privateEndpoint/" provider "/endpointService"
#define VPCE "vpce-0123456789abcdef0"
#define VPCE_2 "vpce-0123456789abcdef1"
#define AZURE_BODY(name) "{\"id\":\"" N_AZURE_ID(name) "\",\"privateEndpointIPAddress\":\"10.1.2.3\"}"
#define GCP_BODY \
  "{\"endpointGroupName\":\"group-1\",\"gcpProjectId\":\"customer-1\",\"endpoints\":[{\"endpointName\":\"a\",\"ipAddress\":" \
  "\"10.1.2.3\"},{\"endpointName\":\"b\",\"ipAddress\":\"10.1.2.4\"}]}"

static const char *service(n_world *w, const char *provider, const char *region)
{
  char body[256], path[128];
  snprintf(body, sizeof body, "{\"providerName\":\"%s\",\"region\":\"%s\"}", provider, region);
  snprintf(path, sizeof path, "/privateEndpoint/%s/endpointService", provider);
  return n_at(w, path, n_make(w, NEW, body, NULL, 201));
}

static const char *below(n_world *w, const char *service_at)
{
  char path[512];
  snprintf(path, sizeof path, "%s/endpoint", service_at);
  return t_keep(&w->t, path);
}

TEST(private_endpoint, services)
{
  n_world w;
  const char *aws, *azure, *gcp;
  n_open(&w, NULL);
  aws = service(&w, "AWS", "us-east-1"); /* the provider's own spelling is accepted, too */
  munit_assert_string_equal(t_str(&w.t, "cloudProvider"), "AWS");
  munit_assert_string_equal(t_str(&w.t, "regionName"), "US_EAST_1");
  munit_assert_string_equal(t_str(&w.t, "status"), "INITIATING");
  munit_assert_size(t_count(&w.t, "interfaceEndpoints"), ==, 0);
  munit_assert_not_null(strstr(t_link(&w.t, "self"), aws));
  azure = service(&w, "AZURE", "US_EAST");
  munit_assert_not_null(strstr(t_link(&w.t, "self"), azure));
  gcp = service(&w, "GCP", "WESTERN_US");
  munit_assert_string_equal(t_str(&w.t, "portMappingEnabled"), "false");
  n_bad(&w, "POST", NEW, SERVICE("AWS", "US_EAST_1"), NULL, 409, "PRIVATELINK_ENDPOINT_SERVICE_ALREADY_EXISTS_FOR_REGION");
  n_bad_field(&w, "POST", NEW, SERVICE("AWS", "WESTERN_US"), NULL, "region");
  n_bad_field(&w, "POST", NEW, SERVICE("AWS", "us~west~1"), NULL, "region"); /* the right length, but no region */
  n_good(&w, "POST", NEW, "{\"providerName\":\"GCP\",\"region\":\"CENTRAL_US\",\"portMappingEnabled\":true}", NULL, 201);
  munit_assert_string_equal(t_str(&w.t, "portMappingEnabled"), "true");
  n_bad_field(&w, "POST", NEW, SERVICE("IBM", "US_EAST_1"), NULL, "providerName");
  n_bad_field(&w, "POST", NEW, "{\"providerName\":\"AWS\",\"region\":\"EU_WEST_1\",\"portMappingEnabled\":true}", NULL, "portMappingEnabled");
  n_bad_field(&w, "POST", NEW, "{\"providerName\":\"GCP\",\"region\":\"EASTERN_US\",\"supportedRemoteRegions\":[\"US_EAST_1\"]}", NULL,
              "supportedRemoteRegions");
  n_bad_field(&w, "POST", NEW, "{\"providerName\":\"AWS\",\"region\":\"EU_WEST_1\",\"supportedRemoteRegions\":[\"EU_WEST_1\"]}", NULL,
              "supportedRemoteRegions[0]");
  munit_assert_string_equal(n_get(&w, aws, "status"), "INITIATING");
  munit_assert_string_equal(t_str(&w.t, "endpointServiceName"), "");
  t_advance(&w.t, 3);
  munit_assert_string_equal(n_get(&w, aws, "status"), "AVAILABLE");
  munit_assert_string_not_equal(t_str(&w.t, "endpointServiceName"), "");
  munit_assert_string_equal(n_get(&w, azure, "status"), "AVAILABLE");
  munit_assert_string_not_equal(t_str(&w.t, "privateLinkServiceResourceId"), "");
  munit_assert_string_equal(n_get(&w, gcp, "status"), "AVAILABLE");
  munit_assert_size(t_count(&w.t, "serviceAttachmentNames"), ==, 1);

  munit_assert_int(n_send(&w, "GET", AT("AWS"), NULL), ==, 200); /* an array, only of this provider */
  munit_assert_size(t_count(&w.t, ""), ==, 1);
  n_good(&w, "GET", AT("IBM"), NULL, NULL, 400);
  munit_assert_int(n_send(&w, "GET", n_at(&w, AT("AZURE"), strrchr(aws, '/') + 1), NULL), ==, 404); /* not at this provider */
  munit_assert_string_equal(t_error(&w.t), "PRIVATE_ENDPOINT_SERVICE_NOT_FOUND");

  n_good(&w, "PATCH", n_at(&w, NEW, strrchr(aws, '/') + 1), "{\"cloudProvider\":\"AWS\",\"supportedRemoteRegions\":[\"eu-west-1\"]}", NULL, 200);
  munit_assert_string_equal(t_str(&w.t, "supportedRemoteRegions[0]"), "EU_WEST_1");
  munit_assert_string_equal(t_str(&w.t, "status"), "AVAILABLE");
  munit_assert_not_null(strstr(t_link(&w.t, "self"), aws));
  n_good(&w, "PATCH", n_at(&w, NEW, strrchr(aws, '/') + 1), "{\"cloudProvider\":\"AWS\",\"supportedRemoteRegions\":null}", NULL, 200);
  munit_assert_size(t_count(&w.t, "supportedRemoteRegions"), ==, 0);
  n_bad_field(&w, "PATCH", n_at(&w, NEW, strrchr(aws, '/') + 1), "{\"supportedRemoteRegions\":[]}", NULL, "cloudProvider");
  n_bad_field(&w, "PATCH", n_at(&w, NEW, strrchr(azure, '/') + 1), "{\"cloudProvider\":\"AWS\"}", NULL, "cloudProvider");
  n_bad_field(&w, "PATCH", n_at(&w, NEW, strrchr(aws, '/') + 1), "{\"cloudProvider\":\"AWS\",\"supportedRemoteRegions\":[\"X\"]}", NULL,
              "supportedRemoteRegions[0]");
  n_good(&w, "DELETE", aws, NULL, NULL, 202);
  munit_assert_string_equal(n_get(&w, aws, "status"), "DELETING");
  n_bad(&w, "DELETE", aws, NULL, NULL, 404, "PRIVATE_ENDPOINT_SERVICE_NOT_FOUND");
  n_good(&w, "POST", below(&w, aws), "{\"id\":\"" VPCE "\"}", NULL, 404); /* the service is in deletion */
  t_advance(&w.t, 3);
  n_good(&w, "GET", aws, NULL, NULL, 404);
  munit_assert_int64(n_events(&w, "ENDPOINT_SERVICE_CREATED"), ==, 4);
  munit_assert_int64(n_events(&w, "ENDPOINT_SERVICE_DELETED"), ==, 1);
  t_close(&w.t);
}

/* No list shows endpoints: their service links to each of them. */
TEST(private_endpoint, linked)
{
  n_world w;
  const char *at, *body, *from;
  size_t links = 0;
  n_open(&w, NULL);
  at = service(&w, "AZURE", "US_EAST");
  t_advance(&w.t, 3);
  n_good(&w, "POST", below(&w, at), AZURE_BODY("a"), NULL, 202);
  n_good(&w, "POST", below(&w, at), AZURE_BODY("b"), NULL, 202);
  n_good(&w, "GET", at, NULL, NULL, 200);
  body = t_keep(&w.t, w.t.response.body);
  for (from = body; (from = strstr(from, "/endpoint\"}")) != NULL; from++) links++;
  munit_assert_size(links, ==, 2);
  from = strstr(t_link(&w.t, "endpoint"), "/groups/");
  munit_assert_not_null(from);
  munit_assert_int(t_send(&w.t, "GET", t_keep(&w.t, from), NULL), ==, 200);
  munit_assert_not_null(strstr(t_str(&w.t, "privateEndpointResourceId"), "/b")); /* the newest is first */
  n_good(&w, "GET", at, NULL, NULL, 200);
  munit_assert_string_equal(w.t.response.body, body);
  t_close(&w.t);
}

/* Each provider's own fields and states. */
TEST(private_endpoint, states)
{
  static const char *const aws[] = { "PENDING_ACCEPTANCE", "PENDING", "AVAILABLE", "AVAILABLE", NULL };
  static const char *const azure[] = { "INITIATING", "AVAILABLE", "AVAILABLE", NULL };
  static const char *const gcp[] = { "INITIATING", "VERIFIED", "AVAILABLE", "AVAILABLE", NULL };
  static const struct {
    const char *provider, *region, *body, *key, *status, *named, *listed;
    const char *const *states;
  } rows[] = {
    { "AWS", "US_EAST_1", "{\"id\":\"" VPCE "\"}", VPCE, "connectionStatus", "interfaceEndpointId", "interfaceEndpoints", aws },
    { "AZURE", "US_EAST", AZURE_BODY("pe-1"),
      "%2Fsubscriptions%2F22222222-2222-4222-8222-222222222222%2FresourceGroups%2Frg%2Fproviders%2FMicrosoft.Network%2F"
      "privateEndpoints%2Fpe-1", "status", "privateEndpointResourceId", "privateEndpoints", azure },
    { "GCP", "WESTERN_US", GCP_BODY, "group-1", "status", "endpointGroupName", "endpointGroupNames", gcp },
  };
  n_world w;
  size_t i;
  n_open(&w, NULL);
  for (i = 0; i < 3; i++) {
    const char *up = service(&w, rows[i].provider, rows[i].region), *at;
    const char *const *state = rows[i].states;
    char field[64];
    n_good(&w, "POST", below(&w, up), rows[i].body, NULL, 202);
    munit_assert_string_equal(t_str(&w.t, "cloudProvider"), rows[i].provider);
    munit_assert_string_equal(t_str(&w.t, "deleteRequested"), "false");
    munit_assert_not_null(strstr(t_link(&w.t, "self"), rows[i].key));
    at = n_at(&w, below(&w, up), rows[i].key);
    for (; *state; state++) {
      munit_assert_string_equal(n_get(&w, at, rows[i].status), *state);
      /* each endpoint has the state of its endpoint group */
      if (i == 2) munit_assert_string_equal(t_str(&w.t, "endpoints[1].status"), *state);
      t_advance(&w.t, 1);
    }
    munit_assert_string_not_equal(t_str(&w.t, rows[i].named), "");
    if (i == 1) munit_assert_string_equal(t_str(&w.t, "privateEndpointIPAddress"), "10.1.2.3");
    n_bad(&w, "POST", below(&w, up), rows[i].body, NULL, 409, "PRIVATE_ENDPOINT_ALREADY_EXISTS");
    snprintf(field, sizeof field, "%s[0]", rows[i].listed);
    munit_assert_string_not_equal(n_get(&w, up, field), "");

    n_bad(&w, "DELETE", up, NULL, NULL, 409, "CANNOT_DELETE_PRIVATELINK_WITH_ENDPOINTS");
    N_SAYS(&w, i == 0 ? VPCE : i == 1 ? "pe-1" : "group-1");
    n_good(&w, "DELETE", at, NULL, NULL, 204);
    munit_assert_string_equal(n_get(&w, at, rows[i].status), "DELETING");
    munit_assert_string_equal(t_str(&w.t, "deleteRequested"), "true");
    n_bad(&w, "DELETE", at, NULL, NULL, 404, "PRIVATELINK_NOT_FOUND");
    n_bad(&w, "DELETE", up, NULL, NULL, 409, "CANNOT_DELETE_PRIVATELINK_WITH_ENDPOINTS"); /* the endpoint is still in deletion */
    t_advance(&w.t, 3);
    n_bad(&w, "GET", at, NULL, NULL, 404, "PRIVATELINK_NOT_FOUND");
    n_good(&w, "GET", up, NULL, NULL, 200);
    munit_assert_size(t_count(&w.t, rows[i].listed), ==, 0);
    n_good(&w, "DELETE", up, NULL, NULL, 202);
    t_advance(&w.t, 3);
    n_good(&w, "GET", up, NULL, NULL, 404);
  }
  munit_assert_int64(n_events(&w, "INTERFACE_ENDPOINT_CREATED"), ==, 3);
  munit_assert_int64(n_events(&w, "INTERFACE_ENDPOINT_DELETED"), ==, 3);
  store_whole(w.t.s);
  t_close(&w.t);
}

TEST(private_endpoint, refused)
{
  n_world w;
  const char *aws, *azure, *gcp, *west;
  char path[256];
  int i;
  n_open(&w, NULL);
  aws = below(&w, service(&w, "AWS", "US_EAST_1"));
  west = below(&w, service(&w, "AWS", "US_WEST_1"));
  azure = below(&w, service(&w, "AZURE", "US_EAST"));
  gcp = below(&w, service(&w, "GCP", "WESTERN_US"));
  n_bad_field(&w, "POST", aws, "{}", NULL, "id");
  n_bad_field(&w, "POST", aws, "{\"id\":\"vpce-1\"}", NULL, "id");
  n_bad_field(&w, "POST", aws, "{\"id\":\"" VPCE "\",\"cloudProvider\":\"GCP\"}", NULL, "cloudProvider");
  n_bad_field(&w, "POST", aws, "{\"id\":\"" VPCE "\",\"privateEndpointIPAddress\":\"10.0.0.1\"}", NULL, "privateEndpointIPAddress");
  n_bad_field(&w, "POST", azure, "{\"id\":\"" N_AZURE_ID("a") "\"}", NULL, "privateEndpointIPAddress");
  n_bad_field(&w, "POST", azure, "{\"id\":\"" N_AZURE_ID("a") "\",\"privateEndpointIPAddress\":\"10.0.0\"}", NULL, "privateEndpointIPAddress");
  n_bad_field(&w, "POST", azure, "{\"id\":\"" VPCE "\",\"privateEndpointIPAddress\":\"10.0.0.1\"}", NULL, "id");
  n_bad_field(&w, "POST", gcp, "{\"endpointGroupName\":\"g\",\"gcpProjectId\":\"customer-1\",\"endpoints\":[]}", NULL, "endpoints");
  n_bad_field(&w, "POST", gcp, "{\"endpointGroupName\":\"g\",\"gcpProjectId\":\"customer-1\",\"endpoints\":[{\"endpointName\":\"a\","
                               "\"ipAddress\":\"x\"}]}", NULL, "endpoints[0].ipAddress");
  n_good(&w, "POST", aws, "{\"id\":\"" VPCE "\"}", NULL, 202);
  n_bad(&w, "POST", west, "{\"id\":\"" VPCE "\"}", NULL, 409, "PRIVATE_ENDPOINT_ALREADY_EXISTS"); /* an endpoint belongs to one service */
  n_good(&w, "POST", "/privateEndpoint/AWS/endpointService/5f5f5f5f5f5f5f5f5f5f5f5f/endpoint", "{\"id\":\"" VPCE_2 "\"}", NULL, 404);
  munit_assert_string_equal(t_error(&w.t), "PRIVATE_ENDPOINT_SERVICE_NOT_FOUND");
  snprintf(path, sizeof path, "/privateEndpoint/AZURE%s", strstr(aws, "/endpointService/"));
  n_bad(&w, "POST", path, AZURE_BODY("pe-1"), NULL, 404, "PRIVATE_ENDPOINT_SERVICE_NOT_FOUND"); /* the service is at another provider */
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_CLOSE_GROUP_ACTIVE_PRIVATE_ENDPOINT_SERVICES");
  for (i = 1; i < 50; i++) { /* a project has at most 50 endpoints, unless its limit is changed */
    char body[64];
    snprintf(body, sizeof body, "{\"id\":\"vpce-%017x\"}", (unsigned)i);
    n_good(&w, "POST", i % 2 ? aws : west, body, NULL, 202);
  }
  n_bad(&w, "POST", west, "{\"id\":\"" VPCE_2 "\"}", NULL, 403, "TOO_MANY_RESOURCES");
  n_good(&w, "PATCH", "/limits/svc.project.deployment.privateServiceConnectionsPerRegionGroup", "{\"value\":51}", NULL, 200);
  n_good(&w, "POST", west, "{\"id\":\"" VPCE_2 "\"}", NULL, 202);
  t_close(&w.t);
}

/* A service creates and uses the container of its region. */
TEST(private_endpoint, container)
{
  n_world w;
  const char *up, *container;
  n_open(&w, NULL);
  up = service(&w, "AZURE", "US_EAST");
  container = n_at(&w, "/containers", n_container(&w, "AZURE"));
  munit_assert_string_equal(t_str(&w.t, "results[0].provisioned"), "true");
  n_bad(&w, "DELETE", container, NULL, NULL, 409, "CONTAINERS_IN_USE");
  N_SAYS(&w, strrchr(up, '/') + 1);
  n_good(&w, "DELETE", up, NULL, NULL, 202);
  t_advance(&w.t, 3);
  munit_assert_string_equal(n_get(&w, container, "provisioned"), "false");
  n_good(&w, "DELETE", container, NULL, NULL, 204);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202);
  t_close(&w.t);
}

TEST(private_endpoint, regional_mode)
{
  n_world w;
  const char *east, *west;
  n_open(&w, NULL);
  munit_assert_string_equal(n_get(&w, "/privateEndpoint/regionalMode", "enabled"), "false");
  n_good(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":true}", NULL, 202);
  n_good(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":false}", NULL, 202);
  n_good(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":false}", NULL, 202); /* changes nothing */
  n_good(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":true}", NULL, 202);
  n_good(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":true}", NULL, 202); /* changes nothing */
  munit_assert_int64(n_events(&w, "REGIONALIZED_PRIVATE_ENDPOINT_MODE_ENABLED"), ==, 2);
  munit_assert_int64(n_events(&w, "REGIONALIZED_PRIVATE_ENDPOINT_MODE_DISABLED"), ==, 1);
  n_bad_field(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":1}", NULL, "enabled");
  n_good(&w, "POST", "/clusters",
         "{\"name\":\"Main\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
         "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":2}},{\"providerName\":"
         "\"AWS\",\"regionName\":\"US_WEST_1\",\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":1}}]}]}", NULL, 201);
  east = below(&w, service(&w, "AWS", "US_EAST_1"));
  west = below(&w, service(&w, "AWS", "US_WEST_1"));
  n_good(&w, "POST", east, "{\"id\":\"" VPCE "\"}", NULL, 202);
  n_good(&w, "POST", west, "{\"id\":\"" VPCE_2 "\"}", NULL, 202);
  t_advance(&w.t, 60);
  n_bad(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":false}", NULL, 409, "CANNOT_DISABLE_REGIONALIZED_PRIVATE_ENDPOINTS");
  munit_assert_string_equal(t_param(&w.t, 0), "Main");
  n_good(&w, "DELETE", n_at(&w, west, VPCE_2), NULL, NULL, 204);
  n_good(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":false}", NULL, 202);
  t_close(&w.t);
}

/* Endpoints in one region of each of two providers do not conflict: each provider has one string as well. */
TEST(private_endpoint, two_providers)
{
  n_world w;
  n_open(&w, NULL);
  n_good(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":true}", NULL, 202);
  n_good(&w, "POST", "/clusters",
         "{\"name\":\"Main\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
         "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":2}},{\"providerName\":"
         "\"AZURE\",\"regionName\":\"US_EAST\",\"priority\":6,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":1}}]}]}", NULL, 201);
  n_good(&w, "POST", below(&w, service(&w, "AWS", "US_EAST_1")), "{\"id\":\"" VPCE "\"}", NULL, 202);
  n_good(&w, "POST", below(&w, service(&w, "AZURE", "US_EAST")), AZURE_BODY("pe-1"), NULL, 202);
  t_advance(&w.t, 60);
  n_good(&w, "GET", "/clusters/Main", NULL, NULL, 200);
  munit_assert_size(t_count(&w.t, "connectionStrings.privateEndpoint"), ==, 2);
  n_good(&w, "PATCH", "/privateEndpoint/regionalMode", "{\"enabled\":false}", NULL, 202);
  n_good(&w, "GET", "/clusters/Main", NULL, NULL, 200);
  munit_assert_size(t_count(&w.t, "connectionStrings.privateEndpoint"), ==, 2);
  t_close(&w.t);
}

TEST(private_endpoint, driver)
{
  t_driver d;
  svc_config config = { .driver = t_driver_init(&d) };
  n_world w;
  const char *up, *at, *strings = "connectionStrings.privateEndpoint[0].srvConnectionString";
  n_open(&w, &config);
  n_good(&w, "POST", "/clusters", N_AWS("Main"), NULL, 201);
  t_driver_finish(&d, w.t.s, "cluster.create", SVC_OK, "{\"hosts\":[\"real.example.net:27017\"]}");
  up = service(&w, "AWS", "US_EAST_1");
  t_driver_finish(&d, w.t.s, "endpoint_service.create", SVC_IO, "{\"reason\":\"no addresses left\"}");
  munit_assert_string_equal(n_get(&w, up, "status"), "FAILED");
  munit_assert_string_equal(t_str(&w.t, "errorMessage"), "no addresses left");
  n_good(&w, "DELETE", up, NULL, NULL, 202);
  t_driver_finish(&d, w.t.s, "endpoint_service.delete", SVC_OK, NULL);
  up = service(&w, "AWS", "US_EAST_1");
  t_driver_finish(&d, w.t.s, "endpoint_service.create", SVC_OK, "{\"endpointServiceName\":\"com.example.svc\"}");
  munit_assert_string_equal(n_get(&w, up, "endpointServiceName"), "com.example.svc");
  n_good(&w, "POST", below(&w, up), "{\"id\":\"" VPCE "\"}", NULL, 202);
  at = n_at(&w, below(&w, up), VPCE);
  t_driver_finish(&d, w.t.s, "endpoint.create", SVC_OK, NULL);
  t_driver_finish(&d, w.t.s, "endpoint.connect", SVC_IO, "{\"reason\":\"not ours\"}");
  munit_assert_string_equal(n_get(&w, at, "connectionStatus"), "REJECTED");
  munit_assert_string_equal(t_str(&w.t, "errorMessage"), "not ours");
  munit_assert_string_equal(n_get(&w, "/clusters/Main", strings), "");
  n_good(&w, "DELETE", at, NULL, NULL, 204);
  t_driver_finish(&d, w.t.s, "endpoint.delete", SVC_OK, NULL);
  n_good(&w, "POST", below(&w, up), "{\"id\":\"" VPCE "\"}", NULL, 202);
  t_driver_finish(&d, w.t.s, "endpoint.create", SVC_OK, NULL);
  t_driver_finish(&d, w.t.s, "endpoint.connect", SVC_OK, NULL);
  munit_assert_not_null(strstr(n_get(&w, "/clusters/Main", strings), "+srv://pl-0-us-east-1."));
  munit_assert_not_null(strstr(t_str(&w.t, "connectionStrings.standard"), "real.example.net:27017")); /* as reported by the driver */

  n_good(&w, "POST", "/clusters", N_AWS("Second"), NULL, 201); /* a later cluster is reached the same way */
  munit_assert_string_equal(n_get(&w, "/clusters/Second", strings), "");
  t_driver_finish(&d, w.t.s, "cluster.create", SVC_OK, "{\"hosts\":[\"other.example.net:27017\"]}");
  munit_assert_not_null(strstr(n_get(&w, "/clusters/Second", strings), "+srv://pl-3-us-east-1."));

  up = service(&w, "GCP", "WESTERN_US");
  t_driver_finish(&d, w.t.s, "endpoint_service.create", SVC_OK, "{\"serviceAttachmentNames\":[\"sa-1\",\"sa-2\"]}");
  n_good(&w, "GET", up, NULL, NULL, 200);
  munit_assert_size(t_count(&w.t, "serviceAttachmentNames"), ==, 2);
  t_close(&w.t);
}

#define LONG_64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define LONG_NAME LONG_64 LONG_64 LONG_64 LONG_64 /* 256 characters */

/* The facts about a service are stored only if they are valid names, for the fields of its provider, and in lists only up to a
** maximum. */
TEST(private_endpoint, told)
{
  static char many[4096], longest[1024];
  const struct {
    const char *provider, *region, *facts, *field, *shown;
  } rows[] = {
    { "AWS", "US_EAST_1", "{\"endpointServiceName\":\"com.example.a\"}", "endpointServiceName", "com.example.a" },
    { "AWS", "US_EAST_2", "{\"endpointServiceName\":\"\"}", "endpointServiceName", "" },
    { "AWS", "US_WEST_1", longest, "endpointServiceName", "" },
    { "AWS", "US_WEST_2", NULL, "endpointServiceName", "" },
    /* the resource id is no string: none of the facts is stored */
    { "AZURE", "US_EAST_2", "{\"privateLinkServiceName\":\"pls\",\"privateLinkServiceResourceId\":5}", "privateLinkServiceName", "" },
    { "AZURE", "US_EAST", "{\"endpointServiceName\":\"a\"}", "endpointServiceName", "" }, /* a field of AWS */
    { "GCP", "CENTRAL_US", "{\"serviceAttachmentNames\":\"a\"}", "serviceAttachmentNames[0]", "" },
    { "GCP", "WESTERN_US", "{\"serviceAttachmentNames\":[]}", "serviceAttachmentNames[0]", "" },
    { "GCP", "WESTERN_EUROPE", "{\"serviceAttachmentNames\":[5,{},\"a\"]}", "serviceAttachmentNames[0]", "" },
    /* longer than the maximum */
    { "GCP", "EASTERN_US", "{\"serviceAttachmentNames\":[\"" LONG_NAME "\",\"a\"]}", "serviceAttachmentNames[0]", "" },
    { "GCP", "EUROPE_WEST_3", many, "serviceAttachmentNames[0]", "" }, /* more than the maximum */
  };
  t_driver d;
  svc_config config = { .limiter_off = 1, .driver = t_driver_init(&d) };
  const char *group;
  char body[128], path[128];
  t_service t;
  size_t i;
  snprintf(longest, sizeof longest, "{\"endpointServiceName\":\"%0300d\"}", 0);
  snprintf(many, sizeof many, "{\"serviceAttachmentNames\":[\"a0\"");
  for (i = 1; i < 300; i++) snprintf(many + strlen(many), sizeof many - strlen(many), ",\"a%zu\"", i);
  strcat(many, "]}");
  t_open(&t, &config);
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    t_driver_does(&d, "", rows[i].facts);
    snprintf(body, sizeof body, "{\"providerName\":\"%s\",\"region\":\"%s\"}", rows[i].provider, rows[i].region);
    if (t_sendf(&t, "POST", body, "/groups/%s/privateEndpoint/endpointService", group) != 201) munit_errorf("%s: %s", body, t.response.body);
    snprintf(path, sizeof path, "/groups/%s/privateEndpoint/%s/endpointService/%s", group, rows[i].provider, t_keep(&t, t_str(&t, "id")));
    munit_assert_int(svc_tick(t.s), ==, SVC_OK);
    munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
    if (strcmp(t_str(&t, rows[i].field), rows[i].shown) != 0) munit_errorf("%s %s: %s", rows[i].provider, rows[i].facts, t.response.body);
  }
  {
    static const struct {
      const char *provider, *region, *body, *shown; /* the shown name of the connection */
    } below[] = { { "AZURE", "EUROPE_NORTH", AZURE_BODY("pe-1"), "by-the-driver" }, { "GCP", "EUROPE_WEST_2", GCP_BODY, "" }, { "AWS", "EU_WEST_1", "{\"id\":\"" VPCE "\"}", "" } };
    t_driver_does(&d, "", "{\"privateEndpointConnectionName\":\"by-the-driver\"}");
    for (i = 0; i < 3; i++) { /* the facts about an endpoint: only Azure has such a name */
      const char *id;
      char self[1024];
      snprintf(body, sizeof body, "{\"providerName\":\"%s\",\"region\":\"%s\"}", below[i].provider, below[i].region);
      if (t_sendf(&t, "POST", body, "/groups/%s/privateEndpoint/endpointService", group) != 201) munit_errorf("%s: %s", body, t.response.body);
      id = t_keep(&t, t_str(&t, "id"));
      munit_assert_int(svc_tick(t.s), ==, SVC_OK);
      if (t_sendf(&t, "POST", below[i].body, "/groups/%s/privateEndpoint/%s/endpointService/%s/endpoint", group, below[i].provider, id) != 202)
        munit_errorf("%s: %s", below[i].body, t.response.body);
      snprintf(self, sizeof self, "%s", strstr(t_link(&t, "self"), "/api/"));
      munit_assert_int(svc_tick(t.s), ==, SVC_OK);
      munit_assert_int(t_send(&t, "GET", self, NULL), ==, 200);
      munit_assert_string_equal(t_str(&t, "privateEndpointConnectionName"), below[i].shown);
    }
  }
  store_whole(t.s);
  t_close(&t);
}

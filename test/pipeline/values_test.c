/* Values that errors list, and the vendor word in values, names of limits, ids and types of events. */
#include "support.h"

TEST_SERVICE(values, listed)
{
  const char *group;
  group = t_project(t, t_organization(t, "Acme"), "alpha");
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"c\",\"clusterType\":\"HEAP\"}", "/groups/%s/clusters", group), ==, 400);
  munit_assert_string_equal(t_error(t), "INVALID_ENUM_VALUE");
  munit_assert_string_equal(t_str(t, "badRequestDetail.fields[0].description"), "must be REPLICASET, SHARDED or GEOSHARDED");
  munit_assert_string_equal(t_str(t, "detail"), "The field clusterType must be REPLICASET, SHARDED or GEOSHARDED. badRequestDetail lists 1 more.");
  /* a long list is cut off: the number of further values follows, and a suggestion */
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"c\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{"
                           "\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":"
                           "\"M11\",\"nodeCount\":3}}]}]}", "/groups/%s/clusters", group), ==, 400);
  munit_assert_not_null(strstr(t_str(t, "detail"), "instanceSize must be M10, "));
  munit_assert_not_null(strstr(t_str(t, "detail"), " more; did you mean M10?"));
  /* a union lists its variants */
  munit_assert_int(t_sendf(t, "POST", "{\"name\":\"c\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{"
                           "\"providerName\":\"MOON\"}]}]}", "/groups/%s/clusters", group), ==, 400);
  munit_assert_not_null(strstr(t_str(t, "detail"), "providerName must be "));
  munit_assert_not_null(strstr(t_str(t, "detail"), "AWS"));
  munit_assert_not_null(strstr(t_str(t, "detail"), "GCP"));
  /* for a wrong type the error names the expected type, and for a wrong version it lists the versions */
  munit_assert_int(t_sendf(t, "PATCH", "{\"name\":7}", "/groups/%s", group), ==, 400);
  munit_assert_string_equal(t_str(t, "detail"), "The field name must be a string.");
  t_header(t, "Accept", "application/vnd.svc.2020-01-01+json");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/clusters", group), ==, 406);
  munit_assert_string_equal(t_str(t, "detail"), "The Accept header names no version of this operation that can be served. The newest is "
                            "application/vnd.svc.2024-08-05+json, and later dates select it, too; older versions are 2023-01-01, 2023-02-01.");
}

#define WORD "/api/acme/v2"

/* The vendor word replaces the default word at the start of every value in the tables. */
TEST(values, vendor)
{
  svc_config config = { .vendor = "acme", .limiter_off = 1 };
  char target[256], body[512], group[32];
  svc_credentials first;
  svc_response openapi;
  t_service t;
  memset(&first, 0, sizeof first);
  t_open(&t, &config);
  munit_assert_int(svc_bootstrap(t.s, &first), ==, SVC_OK);
  munit_assert_memory_equal(11, first.client_id, "acme_sa_id_");
  munit_assert_memory_equal(11, first.client_secret, "acme_sa_sk_");
  snprintf(group, sizeof group, "%s", first.group_id);

  snprintf(target, sizeof target, WORD "/groups/%s/limits/acme.project.deployment.clusters", group);
  munit_assert_int(t_send_raw(&t, "GET", target, NULL, 0), ==, 200);
  munit_assert_string_equal(t_str(&t, "name"), "acme.project.deployment.clusters");
  munit_assert_int(t_send_raw(&t, "PATCH", target, "{\"value\":1}", 11), ==, 200);
  snprintf(target, sizeof target, WORD "/groups/%s/limits/svc.project.deployment.clusters", group);
  munit_assert_int(t_send_raw(&t, "GET", target, NULL, 0), ==, 404);

  snprintf(target, sizeof target, WORD "/groups/%s/clusters", group);
  snprintf(body, sizeof body, "{\"name\":\"c\",\"configServerManagementMode\":\"SVC_MANAGED\"}");
  munit_assert_int(t_send_raw(&t, "POST", target, body, strlen(body)), ==, 400);
  munit_assert_not_null(strstr(t.response.body, "must be ACME_MANAGED or FIXED_TO_DEDICATED"));
  snprintf(body, sizeof body, "{\"name\":\"c\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":"
           "\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}");
  munit_assert_int(t_send_raw(&t, "POST", target, body, strlen(body)), ==, 201);
  munit_assert_string_equal(t_str(&t, "configServerManagementMode"), "ACME_MANAGED");
  *strchr(body, 'c') = 'd'; /* the name: the body of another cluster, which only the renamed limit refuses */
  munit_assert_int(t_send_raw(&t, "POST", target, body, strlen(body)), ==, 403);
  munit_assert_string_equal(t_error(&t), "CLUSTERS_LIMIT_EXCEEDED");
  munit_assert_string_equal(t_param(&t, 0), "1");
  munit_assert_string_equal(t_param(&t, 1), group);

  snprintf(target, sizeof target, WORD "/groups/%s/maintenanceWindow", group);
  munit_assert_int(t_send_raw(&t, "PATCH", target, "{\"dayOfWeek\":1,\"hourOfDay\":2}", 29), ==, 200);
  snprintf(target, sizeof target, WORD "/groups/%s/events?eventType=ACME_MAINTENANCE_WINDOW_MODIFIED", group);
  munit_assert_int(t_send_raw(&t, "GET", target, NULL, 0), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&t, "results[0].eventTypeName"), "ACME_MAINTENANCE_WINDOW_MODIFIED");

  munit_assert_int(svc_openapi(t.s, &openapi), ==, SVC_OK);
  munit_assert_not_null(strstr(openapi.body, "\"ACME_MANAGED\""));
  munit_assert_null(strstr(openapi.body, "\"SVC_"));
  svc_response_free(&openapi);
  t_close(&t);
}

/* A client id must fit into svc_credentials. */
TEST(values, long_word)
{
  svc_config config = { .vendor = "sixteen-letters-" };
  svc_credentials first;
  svc *s;
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_int(svc_bootstrap(s, &first), ==, SVC_OK);
  munit_assert_size(strlen(first.client_id), ==, 16 + 7 + 24);
  svc_close(s);
  config.vendor = "acme-2";
  munit_assert_int(svc_open(&s, &config), ==, SVC_OK);
  munit_assert_true(svc_value_is(s, SVC_S("ACME-2_MANAGED"), "SVC_MANAGED"));
  munit_assert_true(svc_value_is(s, SVC_S("acme-2.limit"), "svc.limit"));
  munit_assert_false(svc_value_is(s, SVC_S("acme-2_MANAGED"), "SVC_MANAGED"));
  munit_assert_false(svc_value_is(s, SVC_S("AC"), "SVC_MANAGED"));
  munit_assert_false(svc_value_is(s, SVC_S("ACME-2_OTHER"), "SVC_MANAGED"));
  munit_assert_true(svc_str_is(svc_value_text(s, &s->memory, "SVC_MANAGED"), "ACME-2_MANAGED"));
  svc_close(s);
  config.vendor = "seventeen-letters";
  munit_assert_int(svc_open(&s, &config), ==, SVC_INVALID);
}

/*
** Search deployments: at most one per cluster, its states by the clock, and the effective nodes in each region.
*/
#include "support.h"

#define REGION(name, priority, more) \
  "{\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":" more "},\"priority\":" priority ",\"providerName\":\"AWS\",\"regionName\":\"" name "\"}"
#define CLUSTER(name, regions) "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[" regions "]}]}"
#define SPEC(more) "{\"instanceSize\":\"S20_HIGHCPU_NVME\"" more "}"
#define BODY(specs) "{\"specs\":[" specs "]}"

static int call(t_place *w, const char *method, const char *cluster, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/clusters/%s/search/deployment", w->group, cluster);
}

static void expect(t_place *w, int status, int wanted, const char *code)
{
  if (status != wanted) munit_errorf("%d, not %d: %s", status, wanted, w->t.response.body);
  munit_assert_string_equal(t_error(&w->t), code);
}

static void expect_state(t_place *w, const char *state)
{
  munit_assert_int(call(w, "GET", "C", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "stateName"), state);
}

static bool told(t_place *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?clusterNames=C&eventType=%s", w->group, type), ==, 200);
  return t_int(&w->t, "totalCount") > 0;
}

TEST(search_deployment, states)
{
  t_place w;
  t_place_open(&w, NULL, "P1", CLUSTER("C", REGION("US_EAST_1", "7", "3")));
  expect(&w, call(&w, "GET", "C", NULL), 404, "SEARCH_DEPLOYMENT_DOES_NOT_EXIST");
  munit_assert_string_equal(t_param(&w.t, 0), "C");
  expect(&w, call(&w, "GET", "X", NULL), 404, "SEARCH_DEPLOYMENT_INVALID_ATTRIBUTE");
  munit_assert_string_equal(t_str(&w.t, "detail"), "Invalid attribute clusterName specified. Cannot find cluster with the name X.");
  munit_assert_string_equal(t_param(&w.t, 0), "clusterName");
  expect(&w, call(&w, "POST", "X", BODY(SPEC(""))), 404, "SEARCH_DEPLOYMENT_INVALID_ATTRIBUTE");
  expect(&w, call(&w, "PATCH", "X", BODY(SPEC(""))), 404, "SEARCH_DEPLOYMENT_INVALID_ATTRIBUTE");
  expect(&w, call(&w, "DELETE", "X", NULL), 404, "SEARCH_DEPLOYMENT_INVALID_ATTRIBUTE");
  expect(&w, call(&w, "PATCH", "C", BODY(SPEC(""))), 404, "SEARCH_DEPLOYMENT_DOES_NOT_EXIST");
  expect(&w, call(&w, "DELETE", "C", NULL), 404, "SEARCH_DEPLOYMENT_DOES_NOT_EXIST");
  munit_assert_int(call(&w, "POST", "C", BODY(SPEC(",\"nodeCount\":4"))), ==, 201);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "UPDATING");
  munit_assert_string_equal(t_str(&w.t, "encryptionAtRestProvider"), "NONE");
  munit_assert_string_equal(t_str(&w.t, "groupId"), w.group);
  munit_assert_size(t_count(&w.t, "effectiveSpecs"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "effectiveSpecs[0].cloudProvider"), "AWS");
  munit_assert_string_equal(t_str(&w.t, "effectiveSpecs[0].regionName"), "US_EAST_1");
  munit_assert_int64(t_int(&w.t, "effectiveSpecs[0].nodeCount"), ==, 4);
  expect(&w, call(&w, "POST", "C", BODY(SPEC(""))), 409, "SEARCH_DEPLOYMENT_ALREADY_EXISTS");
  munit_assert_string_equal(t_param(&w.t, 0), "C");
  t_advance(&w.t, 5);
  expect_state(&w, "IDLE");
  munit_assert_int(call(&w, "PATCH", "C", "{\"defaultNodeCount\":3,\"specs\":[" SPEC("") "]}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "stateName"), "UPDATING");
  munit_assert_int64(t_int(&w.t, "specs[0].nodeCount"), ==, 3);
  munit_assert_int64(t_int(&w.t, "effectiveSpecs[0].nodeCount"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "defaultNodeCount"), "");
  t_advance(&w.t, 5);
  expect_state(&w, "IDLE");
  munit_assert_int(call(&w, "DELETE", "C", NULL), ==, 204);
  expect_state(&w, "UPDATING");
  expect(&w, call(&w, "PATCH", "C", BODY(SPEC(""))), 404, "SEARCH_DEPLOYMENT_DOES_NOT_EXIST");
  t_advance(&w.t, 5);
  expect(&w, call(&w, "GET", "C", NULL), 404, "SEARCH_DEPLOYMENT_DOES_NOT_EXIST");
  munit_assert_true(told(&w, "SEARCH_DEPLOYMENT_CREATED") && told(&w, "SEARCH_DEPLOYMENT_UPDATED") && told(&w, "SEARCH_DEPLOYMENT_DELETED"));
  munit_assert_int(call(&w, "POST", "C", BODY(SPEC(""))), ==, 201);
  munit_assert_int64(t_int(&w.t, "effectiveSpecs[0].nodeCount"), ==, 2);
  t_close(&w.t);
}

TEST(search_deployment, regions)
{
  static const struct {
    const char *body, *field;
  } bad[] = {
    { BODY(""), "specs" },
    { BODY("{}"), "specs[0].instanceSize" },
    { BODY("{\"instanceSize\":\"M10\"}"), "specs[0].instanceSize" },
    { BODY(SPEC(",\"nodeCount\":1")), "specs[0].nodeCount" },
    { BODY(SPEC(",\"nodeCount\":33")), "specs[0].nodeCount" },
    { BODY(SPEC(",\"regionName\":\"US_EAST_1\"")), "specs" },
    { BODY(SPEC("") "," SPEC("")), "specs[1].regionName" },
    { BODY(SPEC("") "," SPEC(",\"regionName\":\"AP_SOUTH_1\"")), "specs[1].regionName" },
    { BODY(SPEC("") "," SPEC(",\"regionName\":\"US_EAST_1\",\"cloudProvider\":\"GCP\"")), "specs[1].regionName" },
  };
  t_place w;
  size_t i;
  t_place_open(&w, NULL, "P1", CLUSTER("C", REGION("US_EAST_1", "7", "3")));
  munit_assert_int(t_sendf(&w.t, "POST", CLUSTER("D", REGION("US_EAST_1", "7", "2") "," REGION("EU_WEST_1", "6", "1")),
                           "/groups/%s/clusters", w.group), ==, 201);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    int status = call(&w, "POST", "D", bad[i].body);
    if (status != 400 || !t_violation(&w.t, bad[i].field)) munit_errorf("%s: %d %s", bad[i].body, status, w.t.response.body);
  }
  expect(&w, call(&w, "GET", "D", NULL), 404, "SEARCH_DEPLOYMENT_DOES_NOT_EXIST");
  munit_assert_int(call(&w, "POST", "D", BODY(SPEC(",\"regionName\":\"EU_WEST_1\",\"nodeCount\":5") "," SPEC(""))), ==, 201);
  munit_assert_size(t_count(&w.t, "effectiveSpecs"), ==, 2);
  munit_assert_int64(t_int(&w.t, "effectiveSpecs[0].nodeCount"), ==, 2);
  munit_assert_int64(t_int(&w.t, "effectiveSpecs[1].nodeCount"), ==, 5);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"T\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{"
                           "\"backingProviderName\":\"AWS\",\"electableSpecs\":{\"instanceSize\":\"M0\"},\"providerName\":\"TENANT\","
                           "\"regionName\":\"US_EAST_1\"}]}]}", "/groups/%s/clusters", w.group), ==, 201);
  expect(&w, call(&w, "POST", "T", BODY(SPEC(""))), 400, "TENANT_CLUSTER_UPDATE_UNSUPPORTED");
  t_close(&w.t);
}

/* Checks the node hours of both providers on the pending invoice. */
static void bill(t_place *w, const char *aws, const char *azure)
{
  size_t i, found = 0;
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/orgs/%s/invoices/pending", w->org), ==, 200);
  for (i = 0; i < t_count(&w->t, "results[0].lineItems"); i++) {
    char sku[64], quantity[64];
    bool of_aws;
    snprintf(sku, sizeof sku, "results[0].lineItems[%zu].sku", i);
    snprintf(quantity, sizeof quantity, "results[0].lineItems[%zu].quantity", i);
    of_aws = strcmp(t_str(&w->t, sku), "SEARCH_INSTANCE_AWS_S20_HIGHCPU_NVME") == 0;
    if (!of_aws && strcmp(t_str(&w->t, sku), "SEARCH_INSTANCE_AZURE_S20_HIGHCPU_NVME") != 0) continue;
    munit_assert_string_equal(t_str(&w->t, quantity), of_aws ? aws : azure);
    found++;
  }
  munit_assert_size(found, ==, 2);
}

/* A region of several shards counts once. The same region name at another provider is a different region, with its own spec and SKU. */
TEST(search_deployment, providers)
{
#define AZURE "{\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":1},\"priority\":6,\"providerName\":\"AZURE\",\"regionName\":\"US_EAST_2\"}"
#define BOTH "{\"regionConfigs\":[{\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":2},\"priority\":7,\"providerName\":\"AWS\",\"regionName\":\"US_EAST_2\"}," AZURE "]}"
#define EAST(provider, nodes) SPEC(",\"regionName\":\"US_EAST_2\",\"cloudProvider\":\"" provider "\",\"nodeCount\":" nodes)
  static const char *const twice[] = {
    BODY(EAST("AZURE", "6") "," EAST("AZURE", "3")), BODY(EAST("AZURE", "6") "," SPEC(",\"regionName\":\"US_EAST_2\"")),
    BODY(SPEC(",\"regionName\":\"US_EAST_2\"") "," EAST("AZURE", "6")), BODY(SPEC(",\"cloudProvider\":\"AWS\"") "," SPEC(",\"cloudProvider\":\"AZURE\""))
  };
  svc_config config = { .limiter_off = 1 };
  t_place w;
  size_t i;
  t_place_open(&w, &config, "P1", CLUSTER("C", REGION("US_EAST_1", "7", "3")));
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"S\",\"clusterType\":\"SHARDED\",\"replicationSpecs\":[" BOTH "," BOTH "]}", "/groups/%s/clusters", w.group), ==, 201);
  /* no nodes for AWS */
  expect(&w, call(&w, "POST", "S", BODY(SPEC(",\"regionName\":\"US_EAST_2\",\"cloudProvider\":\"AZURE\""))), 400, "MISSING_ATTRIBUTE");
  munit_assert_int(call(&w, "POST", "S", BODY(SPEC(",\"regionName\":\"US_EAST_2\",\"cloudProvider\":\"AZURE\",\"nodeCount\":5") "," SPEC(""))), ==, 201);
  munit_assert_size(t_count(&w.t, "effectiveSpecs"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "effectiveSpecs[0].cloudProvider"), "AWS");
  munit_assert_int64(t_int(&w.t, "effectiveSpecs[0].nodeCount"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "effectiveSpecs[1].cloudProvider"), "AZURE");
  munit_assert_int64(t_int(&w.t, "effectiveSpecs[1].nodeCount"), ==, 5);
  t_advance(&w.t, 2 * 3600);
  bill(&w, "4", "10"); /* nodes times two hours */
  munit_assert_int(call(&w, "PATCH", "S", BODY(EAST("AZURE", "6") "," EAST("AWS", "3"))), ==, 200); /* the same name at two providers */
  munit_assert_int64(t_int(&w.t, "effectiveSpecs[0].nodeCount"), ==, 3);
  munit_assert_int64(t_int(&w.t, "effectiveSpecs[1].nodeCount"), ==, 6);
  for (i = 0; i < sizeof twice / sizeof twice[0]; i++) {
    munit_assert_int(call(&w, "PATCH", "S", twice[i]), ==, 400);
    if (!t_violation(&w.t, "specs[1].regionName")) munit_errorf("%s: %s", twice[i], w.t.response.body);
  }
  t_close(&w.t);
}

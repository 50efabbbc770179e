/*
** The cost explorer: a query, a token, and sums by month and by the requested criterion. The suite invoice_test.c
** checks that the sums agree with invoices.
*/
#include "mechanism/probe.h"
#include "catalog/billing/bill.h"
#include "needs.h"

T_NEEDS(cost_explorer) = {
  T_LATER(SVC_GET, "/orgs/{orgId}/billing/costExplorer/usage/{token}"), /* a query that is in progress answers 202 */
  T_SAMPLE("token", "abc"),
  T_NEEDS_END
};

static const svc_config quiet = { .limiter_off = 1, .provision_ms = 10000 };

typedef struct cost_world {
  t_service t;
  const char *org, *alpha, *beta, *main_id;
} cost_world;

/* Opens a world of two projects with a cluster each, for the last day of June and the first of July. */
static void cost_open(cost_world *w)
{
  t_open(&w->t, &quiet);
  w->org = t_organization(&w->t, "Acme");
  w->alpha = t_project(&w->t, w->org, "alpha");
  w->beta = t_project(&w->t, w->org, "beta");
  w->t.now = svc_day_ms(20250630);
  munit_assert_int(t_sendf(&w->t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", w->alpha), ==, 201);
  w->main_id = t_keep(&w->t, t_str(&w->t, "id"));
  munit_assert_int(t_sendf(&w->t, "POST", PROBE_CLUSTER("Big", "M30"), "/groups/%s/clusters", w->beta), ==, 201);
  w->t.now = svc_day_ms(20250702);
}

static int cost_post(cost_world *w, const char *body)
{
  return t_sendf(&w->t, "POST", body, "/orgs/%s/billing/costExplorer/usage", w->org);
}

static int cost_get(cost_world *w, const char *token)
{
  return t_sendf(&w->t, "GET", NULL, "/orgs/%s/billing/costExplorer/usage/%s", w->org, token);
}

/* Queries the costs of June and July, and reads the answer. `more`: further members of the body. */
static void cost_ask(cost_world *w, const char *more)
{
  char body[512], token[80];
  snprintf(body, sizeof body, "{\"startDate\":\"2025-06-01\",\"endDate\":\"2025-08-01\"%s}", more);
  munit_assert_int(cost_post(w, body), ==, 202);
  snprintf(token, sizeof token, "%s", t_str(&w->t, "token"));
  t_advance(&w->t, 1);
  munit_assert_int(cost_get(w, token), ==, 200);
}

TEST(cost_explorer, token)
{
  char token[80], path[128];
  cost_world w;
  cost_open(&w);
  munit_assert_int(cost_post(&w, "{\"startDate\":\"2025-06-01\",\"endDate\":\"2025-07-01\"}"), ==, 202);
  snprintf(token, sizeof token, "%s", t_str(&w.t, "token"));
  munit_assert_size(strlen(token), ==, 64);
  snprintf(path, sizeof path, "/billing/costExplorer/usage/%s", token);
  munit_assert_not_null(strstr(t_link(&w.t, "self"), path));
  munit_assert_int(cost_get(&w, token), ==, 202); /* still in progress */
  munit_assert_string_equal(t_str(&w.t, "token"), token);
  munit_assert_null(t_node(&w.t, "usageDetails"));
  t_advance(&w.t, 1);
  munit_assert_int(cost_get(&w, token), ==, 200);
  munit_assert_size(t_count(&w.t, "usageDetails"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "usageDetails[0].usageDate"), "2025-06-01");
  munit_assert_string_equal(t_str(&w.t, "usageDetails[0].usageAmount"), "14.9"); /* 194 and 1296 cents */
  munit_assert_string_equal(t_str(&w.t, "usageDetails[0].organizationId"), w.org);
  munit_assert_string_equal(t_str(&w.t, "usageDetails[0].organizationName"), "Acme");
  t_advance(&w.t, 7 * 86400);
  munit_assert_int(cost_get(&w, token), ==, 404); /* a token is kept for a week */
  munit_assert_int(cost_get(&w, "none"), ==, 404);

  munit_assert_int(cost_post(&w, "{\"startDate\":\"2025-06-01\",\"endDate\":\"2025-06-01\"}"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "START_DATE_AFTER_END_DATE");
  munit_assert_int(cost_post(&w, "{\"startDate\":\"2025-06-01\",\"endDate\":\"2026-12-02\"}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "endDate"));
  munit_assert_int(cost_post(&w, "{\"startDate\":\"2025-06-01\",\"endDate\":\"2026-12-01\"}"), ==, 202);
  munit_assert_int(cost_post(&w, "{\"startDate\":\"2025-06-01\"}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "endDate"));
  munit_assert_int(cost_post(&w, "{\"startDate\":\"soon\",\"endDate\":\"2025-07-01\"}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "startDate"));
  munit_assert_int(cost_post(&w, "{\"startDate\":\"2025-06-01\",\"endDate\":\"2025-07-01\",\"groupBy\":\"days\"}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "groupBy"));
  t_close(&w.t);
}

TEST(cost_explorer, groups)
{
  char more[256], first[32], again[32], token[80];
  cost_world w;
  cost_open(&w);
  cost_ask(&w, "");
  munit_assert_size(t_count(&w.t, "usageDetails"), ==, 2); /* a sum for each month */
  munit_assert_string_equal(t_str(&w.t, "usageDetails[1].usageDate"), "2025-07-01");
  cost_ask(&w, ",\"groupBy\":\"projects\"");
  munit_assert_size(t_count(&w.t, "usageDetails"), ==, 4);
  munit_assert_string_equal(t_str(&w.t, "usageDetails[0].projectId"), w.alpha);
  munit_assert_string_equal(t_str(&w.t, "usageDetails[0].projectName"), "alpha");
  munit_assert_string_equal(t_str(&w.t, "usageDetails[0].usageAmount"), "1.94");
  munit_assert_null(t_node(&w.t, "usageDetails[0].clusterId"));
  cost_ask(&w, ",\"groupBy\":\"clusters\"");
  munit_assert_size(t_count(&w.t, "usageDetails"), ==, 4);
  munit_assert_string_equal(t_str(&w.t, "usageDetails[0].clusterId"), w.main_id);
  munit_assert_string_equal(t_str(&w.t, "usageDetails[1].clusterName"), "Big");
  munit_assert_string_equal(t_str(&w.t, "usageDetails[1].usageAmount"), "12.96");
  cost_ask(&w, ",\"groupBy\":\"services\"");
  munit_assert_size(t_count(&w.t, "usageDetails"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "usageDetails[0].service"), "Clusters");

  snprintf(more, sizeof more, ",\"projects\":[\"%s\"]", w.beta);
  cost_ask(&w, more);
  munit_assert_string_equal(t_str(&w.t, "usageDetails[0].usageAmount"), "12.96");
  snprintf(more, sizeof more, ",\"projects\":[\"%s\"],\"clusters\":[\"%s\"]", w.beta, w.main_id);
  cost_ask(&w, more);
  munit_assert_size(t_count(&w.t, "usageDetails"), ==, 0); /* no cluster matches both filters */
  snprintf(more, sizeof more, ",\"projects\":[\"%s\"],\"clusters\":[\"%s\"],\"includePartialMatches\":true", w.beta, w.main_id);
  cost_ask(&w, more);
  munit_assert_string_equal(t_str(&w.t, "usageDetails[0].usageAmount"), "14.9"); /* each cluster matches one filter */
  cost_ask(&w, ",\"services\":[\"Backup\"],\"projects\":[\"5f0000000000000000000001\"],\"includePartialMatches\":true");
  munit_assert_size(t_count(&w.t, "usageDetails"), ==, 0); /* nothing matches a filter */
  cost_ask(&w, ",\"services\":[\"Backup\"]");
  munit_assert_size(t_count(&w.t, "usageDetails"), ==, 0);
  snprintf(more, sizeof more, ",\"organizations\":[\"%s\"]", w.alpha);
  cost_ask(&w, more);
  munit_assert_size(t_count(&w.t, "usageDetails"), ==, 0); /* not the id of this organization */

  /* a token gives the same answer later */
  munit_assert_int(cost_post(&w, "{\"startDate\":\"2025-07-01\",\"endDate\":\"2025-08-01\"}"), ==, 202);
  snprintf(token, sizeof token, "%s", t_str(&w.t, "token"));
  t_advance(&w.t, 1);
  munit_assert_int(cost_get(&w, token), ==, 200);
  snprintf(first, sizeof first, "%s", t_str(&w.t, "usageDetails[0].usageAmount"));
  t_advance(&w.t, 80000);
  munit_assert_int(cost_get(&w, token), ==, 200);
  snprintf(again, sizeof again, "%s", t_str(&w.t, "usageDetails[0].usageAmount"));
  munit_assert_string_equal(first, again);
  t_close(&w.t);
}

/* Queries of many projects, and of days within a month. */
TEST(cost_explorer, many)
{
  char name[32], more[256], token[80];
  const char *group;
  cost_world w;
  int i;
  cost_open(&w);
  for (i = 0; i < 40; i++) {
    snprintf(name, sizeof name, "project %d", i);
    group = t_project(&w.t, w.org, name);
    munit_assert_int(t_sendf(&w.t, "POST", PROBE_CLUSTER("Main", "M10"), "/groups/%s/clusters", group), ==, 201);
  }
  w.t.now = svc_day_ms(20250705);
  cost_ask(&w, ",\"groupBy\":\"projects\"");
  munit_assert_size(t_count(&w.t, "usageDetails"), ==, 2 + 42); /* two projects in June, 42 in July */
  snprintf(more, sizeof more, ",\"projects\":[\"%s\",\"%s\"],\"groupBy\":\"projects\"", w.alpha, w.beta);
  cost_ask(&w, more);
  munit_assert_size(t_count(&w.t, "usageDetails"), ==, 4);
  munit_assert_int(cost_post(&w, "{\"startDate\":\"2025-07-02\",\"endDate\":\"2025-07-03\",\"groupBy\":\"clusters\"}"), ==, 202);
  snprintf(token, sizeof token, "%s", t_str(&w.t, "token"));
  t_advance(&w.t, 1);
  munit_assert_int(cost_get(&w, token), ==, 200);
  munit_assert_size(t_count(&w.t, "usageDetails"), ==, 42);
  munit_assert_string_equal(t_str(&w.t, "usageDetails[0].usageAmount"), "1.94"); /* for that one day */
  t_close(&w.t);
}

/* Costs without a cluster are in a sum of their own when grouped by cluster. */
TEST(cost_explorer, streams)
{
  const svc_node *one;
  cost_world w;
  int found = 0;
  cost_open(&w);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"W\",\"dataProcessRegion\":{\"cloudProvider\":\"AWS\",\"region\":\"VIRGINIA_USA\"},"
                           "\"sampleConnections\":{\"solar\":true}}", "/groups/%s/streams", w.alpha), ==, 201);
  t_advance(&w.t, 60);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"P\",\"pipeline\":[{\"$source\":{\"connectionName\":\"sample_stream_solar\"}},"
                           "{\"$emit\":{\"connectionName\":\"__testLog\"}}]}", "/groups/%s/streams/W/processor", w.alpha), ==, 202);
  t_advance(&w.t, 60);
  munit_assert_int(t_sendf(&w.t, "POST", NULL, "/groups/%s/streams/W/processor/P:start", w.alpha), ==, 200);
  t_advance(&w.t, 86400);
  cost_ask(&w, ",\"groupBy\":\"clusters\",\"services\":[\"Svc Stream Processing\"]");
  for (one = t_node(&w.t, "usageDetails")->first; one; one = one->next, found++) {
    munit_assert_true(svc_str_is(svc_node_str(one, "projectId"), w.alpha));
    munit_assert_null(svc_node_get(one, "clusterId"));
    munit_assert_null(svc_node_get(one, "clusterName"));
  }
  munit_assert_int(found, ==, 1);
  t_close(&w.t);
}

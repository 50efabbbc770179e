/*
** Loads of the sample data: their states, one load at a time, the record that outlives its cluster, and the costs of the transfer.
*/
#include "driver.h"
#include "world.h"

/* Creates the collections that an example names: loads the sample data into the world's cluster. */
static bool sample_loaded(t_world *w, const svc_plan *plan)
{
  (void)plan;
  if ((w->t.s->config.driver && !w->t.settle) || !svc_noun_named(w->t.s, "sample dataset load")) return false;
  if (t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters/Main", w->group) != 200) return false; /* a walk has deleted the cluster */
  if (strcmp(t_str(&w->t, "paused"), "true") == 0) return false; /* or has paused it */
  if (t_sendf(&w->t, "POST", NULL, "/groups/%s/sampleDatasetLoad/Main", w->group) == 201) t_world_rest(w);
  else t_collection(&w->t, w->group, "Main", "sample_mflix", "movies"); /* a cluster with a live migration accepts no load */
  return true;
}

T_NEEDS(sample_dataset) = {
  T_NAMED("/groups/{groupId}/sampleDatasetLoad/{name}", "name", "cluster", "name"),
  T_EXAMPLE("\"sample_mflix\"", sample_loaded),
  T_NEEDS_END
};


#define ONE "/groups/%s/clusters/C"
#define LOAD "/groups/%s/sampleDatasetLoad/%s"
#define BODY "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
             "\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\"}}]}]}"

static void sample_open(t_place *w, const svc_config *config)
{
  t_place_open(w, config, "P1", BODY);
  t_advance(&w->t, 10);
}

static const char *sample_load(t_place *w)
{
  if (t_sendf(&w->t, "POST", NULL, LOAD, w->group, "C") != 201) munit_error(w->t.response.body);
  munit_assert_string_equal(t_str(&w->t, "state"), "WORKING");
  return t_keep(&w->t, t_str(&w->t, "_id"));
}

static const char *sample_get(t_place *w, const char *id, const char *field)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, LOAD, w->group, id), ==, 200);
  return t_str(&w->t, field);
}

/* No list shows loads: the settings of the project link to the newest one. Their ETag covers the link, and links of earlier answers may be sent back. */
TEST(sample_dataset, linked)
{
  t_place w;
  const char *first, *second, *bare, *tag, *body, *links;
  char path[64], *elsewhere;
  sample_open(&w, NULL);
  snprintf(path, sizeof path, "/groups/%s/settings", w.group);
  munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_link(&w.t, "sampleDatasetLoad"), "");
  bare = t_keep(&w.t, t_get_header(&w.t, "ETag"));
  first = sample_load(&w);
  munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 200);
  munit_assert_not_null(strstr(t_link(&w.t, "sampleDatasetLoad"), first));
  munit_assert_int(t_send(&w.t, "GET", t_keep(&w.t, strstr(t_link(&w.t, "sampleDatasetLoad"), "/groups/")), NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "_id"), first);
  munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 200);
  tag = t_keep(&w.t, t_get_header(&w.t, "ETag"));
  munit_assert_string_not_equal(tag, bare);
  body = t_keep(&w.t, w.t.response.body);
  t_header(&w.t, "If-None-Match", bare);
  munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 200);
  t_headers_clear(&w.t);
  t_header(&w.t, "If-None-Match", tag);
  munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 304);
  t_headers_clear(&w.t);

  t_advance(&w.t, 3600);
  second = sample_load(&w); /* replaces the first */
  munit_assert_int(t_send(&w.t, "GET", path, NULL), ==, 200);
  munit_assert_not_null(strstr(t_link(&w.t, "sampleDatasetLoad"), second));
  links = strstr(w.t.response.body, "/sampleDatasetLoad\"");
  munit_assert_not_null(links);
  munit_assert_null(strstr(links + 1, "/sampleDatasetLoad\""));
  t_header(&w.t, "If-Match", tag); /* the settings themselves have not changed */
  munit_assert_int(t_send(&w.t, "PATCH", path, body), ==, 200);
  t_headers_clear(&w.t);
  elsewhere = strdup(body);
  *strstr(elsewhere, "sampleDatasetLoad/") = 'x';
  munit_assert_int(t_send(&w.t, "PATCH", path, elsewhere), ==, 400);
  munit_assert_true(t_violation(&w.t, "links"));
  free(elsewhere);
  t_close(&w.t);
}

/* On a shared tier, transfer is billed with the SKU of the provider behind it. */
TEST(sample_dataset, shared)
{
  static const char body[] = "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"TENANT\","
                             "\"backingProviderName\":\"GCP\",\"regionName\":\"CENTRAL_US\",\"electableSpecs\":{\"instanceSize\":\"M0\"}}]}]}";
  const char *org;
  t_place w;
  t_open(&w.t, NULL);
  org = t_organization(&w.t, "Acme");
  w.group = t_project(&w.t, org, "P1");
  munit_assert_int(t_sendf(&w.t, "POST", body, "/groups/%s/clusters", w.group), ==, 201);
  t_advance(&w.t, 10);
  sample_load(&w);
  t_advance(&w.t, 20 * 3600);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/invoices/pending", org), ==, 200);
  munit_assert_not_null(strstr(w.t.response.body, "\"sku\":\"DATA_TRANSFER_GCP_SAME_REGION\""));
  munit_assert_null(strstr(w.t.response.body, "DATA_TRANSFER_TENANT"));
  t_close(&w.t);
}

TEST(sample_dataset, states)
{
  const char *first, *second;
  t_place w;
  sample_open(&w, NULL);
  first = sample_load(&w);
  munit_assert_string_equal(t_str(&w.t, "clusterName"), "C");
  munit_assert_string_equal(t_str(&w.t, "createDate"), "2025-06-01T00:00:10Z");
  munit_assert_string_equal(t_str(&w.t, "completeDate"), "");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/events?clusterNames=C&itemsPerPage=1", w.group), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "results[0].eventTypeName"), "SAMPLE_DATASET_LOAD_REQUESTED");
  munit_assert_int(t_sendf(&w.t, "POST", NULL, LOAD, w.group, "C"), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_MODIFY_CLUSTER_WITH_RUNNING_LIVE_IMPORT");
  munit_assert_string_equal(t_param(&w.t, 0), "C");
  t_advance(&w.t, 5);
  munit_assert_string_equal(sample_get(&w, first, "state"), "COMPLETED");
  munit_assert_string_equal(t_str(&w.t, "completeDate"), "2025-06-01T00:00:15Z");
  second = sample_load(&w); /* replaces the first one */
  munit_assert_string_not_equal(first, second);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, LOAD, w.group, first), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "RESOURCE_NOT_FOUND");
  t_advance(&w.t, 5);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, ONE, w.group), ==, 202);
  munit_assert_int(t_sendf(&w.t, "POST", NULL, LOAD, w.group, "C"), ==, 400);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_ALREADY_REQUESTED_DELETION");
  t_advance(&w.t, 29 * 86400);
  munit_assert_string_equal(sample_get(&w, second, "state"), "COMPLETED"); /* the record outlives its cluster */
  munit_assert_int(t_sendf(&w.t, "POST", NULL, LOAD, w.group, "C"), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "CLUSTER_NOT_FOUND");
  munit_assert_string_equal(t_param(&w.t, 0), "C");
  munit_assert_string_equal(t_param(&w.t, 1), w.group);
  t_advance(&w.t, 2 * 86400);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, LOAD, w.group, second), ==, 404); /* but expires later */
  t_close(&w.t);
}

TEST(sample_dataset, paused)
{
  t_place w;
  sample_open(&w, NULL);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"paused\":true}", ONE, w.group), ==, 200);
  munit_assert_int(t_sendf(&w.t, "POST", NULL, LOAD, w.group, "C"), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_UPDATE_PAUSED_CLUSTER");
  t_close(&w.t);
}

TEST(sample_dataset, driver)
{
  t_driver d;
  const svc_config config = { .driver = t_driver_init(&d) };
  const char *load;
  t_place w;
  sample_open(&w, &config);
  load = sample_load(&w);
  t_advance(&w.t, 3600);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_string_equal(t_driver_order(&d, "sampleDataset.load")->name, "C");
  munit_assert_string_equal(sample_get(&w, load, "state"), "WORKING");
  t_driver_finish(&d, w.t.s, "sampleDataset.load", SVC_IO, "{\"reason\":\"no such data\"}");
  munit_assert_string_equal(sample_get(&w, load, "state"), "FAILED");
  munit_assert_string_equal(t_str(&w.t, "errorMessage"), "no such data");
  load = sample_load(&w); /* and again */
  t_driver_finish(&d, w.t.s, "sampleDataset.load", SVC_OK, NULL);
  munit_assert_string_equal(sample_get(&w, load, "state"), "COMPLETED");
  munit_assert_string_equal(t_str(&w.t, "completeDate"), "2025-06-01T01:00:10Z");
  t_close(&w.t);
}

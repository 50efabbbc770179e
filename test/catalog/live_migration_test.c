/*
** Live migrations, their validations, link tokens and available projects: states by the clock and by a driver,
** operations that a migration in progress blocks, and secrets that are not stored.
**
** Tests also: available_project, link_token, live_migration_validation
*/
#include "driver.h"
#include "world.h"

/* Data comes from the place that the organization is linked to. In the simulation, the example's source is a cluster of the
** world's project. */
static bool live_migration_source(t_world *w, const svc_plan *plan)
{
  (void)plan;
  if (t_sendf(&w->t, "POST", "{}", "/orgs/%s/liveMigrations/linkTokens", w->org) != 201) return false;
  if (w->t.s->config.driver && !w->t.settle) return true;
  if (t_sendf(&w->t, "POST", T_CLUSTER("Old"), "/groups/%s/clusters", w->group) == 201) t_world_rest(w);
  return true;
}

T_NEEDS(live_migration) = {
  T_EXAMPLE("\"clusterName\":\"Old\"", live_migration_source),
  /* the path names all link tokens, possibly none */
  T_FIRST(SVC_DELETE, "/orgs/{orgId}/liveMigrations/linkTokens", SVC_POST, "/orgs/{orgId}/liveMigrations/linkTokens", NULL),
  /* a cutover needs a complete copy */
  T_LATER(SVC_PUT, "/groups/{groupId}/liveMigrations/{liveMigrationId}/cutover"),
  T_REFERENCE("live migration", "destination.clusterName", SVC_POST, "/groups/{groupId}/liveMigrations", NULL, 0, NULL),
  T_REFERENCE("live migration validation", "destination.clusterName", SVC_POST, "/groups/{groupId}/liveMigrations/validate", NULL, 0, NULL),
  T_NEEDS_END
};

#define HOUR 3600
#define DAY (24 * HOUR)
#define CLUSTER \
  "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":{\"instanceSize\":" \
  "\"M30\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"
#define FROM(name, group) "\"source\":{\"clusterName\":\"" name "\",\"groupId\":\"" group "\",\"managedAuthentication\":true,\"ssl\":true}"
#define SOURCE FROM("Old", "%G")
#define HOSTS "\"migrationHosts\":[\"vm001.example.com\"]"
#define TO(name, more) "\"destination\":{\"clusterName\":\"" name "\",\"groupId\":\"%G\",\"hostnameSchemaType\":" more "}"
#define BODY(name) "{" TO(name, "\"PUBLIC\"") "," HOSTS "," SOURCE "}"
#define BODY_FROM(name, group) "{" TO("C", "\"PUBLIC\"") "," HOSTS "," FROM(name, group) "}"
#define TOKENS "/liveMigrations/linkTokens"
#define AVAILABLE "/liveMigrations/availableProjects"

typedef struct migration_world {
  t_service t;
  const char *org, *group, *id;
  const char *other; /* the project of the source */
} migration_world;

static void open_world(migration_world *w, const svc_config *changes)
{
  memset(w, 0, sizeof *w);
  t_open(&w->t, changes);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "P1");
  munit_assert_int(t_sendf(&w->t, "POST", CLUSTER, "/groups/%s/clusters", w->group), ==, 201);
}

static int org(migration_world *w, const char *method, const char *tail, const char *body)
{
  return t_sendf(&w->t, method, body, "/orgs/%s%s", w->org, tail);
}

/* Opens a world with a link, and, without a driver, with a source. */
static void open_linked(migration_world *w, const svc_config *changes)
{
  open_world(w, changes);
  munit_assert_int(org(w, "POST", TOKENS, "{}"), ==, 201);
  if (w->t.s->config.driver) return;
  munit_assert_int(t_sendf(&w->t, "POST", T_CLUSTER("Old"), "/groups/%s/clusters", w->group), ==, 201);
}

/* Sends a request. In the body, %G stands for the project and %O for the other one. */
static int call(migration_world *w, const char *method, const char *tail, const char *body)
{
  static char filled[65536];
  size_t n = 0;
  for (; body && *body; body++) {
    if (strncmp(body, "%G", 2) == 0) n += (size_t)snprintf(filled + n, sizeof filled - n, "%s", w->group), body++;
    else if (strncmp(body, "%O", 2) == 0) n += (size_t)snprintf(filled + n, sizeof filled - n, "%s", w->other), body++;
    else filled[n++] = *body;
  }
  filled[n] = 0;
  return t_sendf(&w->t, method, n ? filled : NULL, "/groups/%s/liveMigrations%s", w->group, tail);
}

static int one(migration_world *w, const char *method, const char *tail)
{
  return t_sendf(&w->t, method, NULL, "/groups/%s/liveMigrations/%s%s", w->group, w->id, tail);
}

static void make(migration_world *w)
{
  int status = call(w, "POST", "", BODY("C"));
  if (status != 202) munit_errorf("%d %s", status, w->t.response.body);
  w->id = t_keep(&w->t, t_str(&w->t, "_id"));
}

static void expect(migration_world *w, int status, int wanted, const char *code)
{
  if (status != wanted) munit_errorf("%d, not %d: %s", status, wanted, w->t.response.body);
  munit_assert_string_equal(t_error(&w->t), code);
}

static void expect_state(migration_world *w, const char *status, const char *ready)
{
  munit_assert_int(one(w, "GET", ""), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "status"), status);
  munit_assert_string_equal(t_str(&w->t, "readyForCutover"), ready);
}

static bool told(migration_world *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?eventType=%s", w->group, type), ==, 200);
  return t_int(&w->t, "totalCount") > 0;
}

static int cluster(migration_world *w, const char *method)
{
  return t_sendf(&w->t, method, NULL, "/groups/%s/clusters/C", w->group);
}

static int below(migration_world *w, const char *method, const char *tail, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/clusters/C%s", w->group, tail);
}

/* During a migration, changes that would disturb it are refused. Changes of tags are accepted. */
static void expect_held(migration_world *w)
{
  static const struct {
    const char *method, *tail, *body;
  } held[] = {
    { "POST", "/restartPrimaries", NULL },
    { "PATCH", "", "{\"paused\":true}" },
    { "PATCH", "", "{\"backupEnabled\":true}" },
    { "PATCH", "", "{\"clusterType\":\"SHARDED\"}" },
    { "PATCH", "/processArgs", "{\"noTableScan\":true}" },
    { "POST", "/outageSimulation", "{\"outageFilters\":[{\"cloudProvider\":\"AWS\",\"regionName\":\"US_EAST_1\",\"type\":\"REGION\"}]}" },
    { "POST", "/index", "{\"collection\":\"c\",\"db\":\"d\",\"keys\":[{\"a\":\"1\"}]}" },
    { "DELETE", "", NULL },
  };
  uint64_t print;
  size_t i;
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  print = store_print(w->t.s);
  for (i = 0; i < sizeof held / sizeof held[0]; i++)
    expect(w, below(w, held[i].method, held[i].tail, held[i].body), 409, "CANNOT_MODIFY_CLUSTER_WITH_RUNNING_LIVE_IMPORT");
  expect(w, call(w, "POST", "", BODY("C")), 409, "CANNOT_MODIFY_CLUSTER_WITH_RUNNING_LIVE_IMPORT");
  munit_assert_int(t_sendf(&w->t, "POST", NULL, "/groups/%s/sampleDatasetLoad/C", w->group), ==, 409);
  munit_assert_true(store_print(w->t.s) == print);
  munit_assert_int(below(w, "PATCH", "", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}"), ==, 200);
  munit_assert_int(below(w, "PATCH", "", "{\"tags\":[]}"), ==, 200);
}

TEST(live_migration, states)
{
  svc_config config = { .provision_ms = 100000 };
  migration_world w;
  open_linked(&w, &config);
  make(&w);
  munit_assert_string_equal(t_str(&w.t, "status"), "NEW");
  munit_assert_string_equal(t_str(&w.t, "migrationHosts[0]"), "vm001.example.com");
  munit_assert_null(t_node(&w.t, "destination"));
  munit_assert_null(t_node(&w.t, "source"));
  expect_state(&w, "NEW", "false");
  munit_assert_null(t_node(&w.t, "lagTimeSeconds"));
  expect_held(&w);
  t_advance(&w.t, 5);
  expect_state(&w, "WORKING", "false");
  munit_assert_int64(t_int(&w.t, "lagTimeSeconds"), >=, 0);
  munit_assert_not_null(strstr(t_link(&w.t, "self"), w.id));
  expect(&w, one(&w, "PUT", "/cutover"), 400, "INVALID_REQUEST");
  t_advance(&w.t, 100);
  expect_state(&w, "WORKING", "true");

  expect_held(&w);
  expect(&w, call(&w, "POST", "", BODY("C")), 409, "CANNOT_MODIFY_CLUSTER_WITH_RUNNING_LIVE_IMPORT");
  expect(&w, cluster(&w, "DELETE"), 409, "CANNOT_MODIFY_CLUSTER_WITH_RUNNING_LIVE_IMPORT");
  munit_assert_string_equal(t_param(&w.t, 0), "C");

  munit_assert_int(one(&w, "PUT", "/cutover"), ==, 202);
  expect_state(&w, "WORKING", "false");
  munit_assert_int(one(&w, "PUT", "/cutover"), ==, 202); /* again: no further effect */
  expect_held(&w);
  t_advance(&w.t, 20);
  expect_state(&w, "COMPLETE", "false");
  expect(&w, one(&w, "PUT", "/cutover"), 400, "INVALID_REQUEST");
  expect_state(&w, "COMPLETE", "false");
  munit_assert_null(t_node(&w.t, "lagTimeSeconds"));
  munit_assert_true(told(&w, "CLUSTER_IMPORT_STARTED") && told(&w, "CLUSTER_IMPORT_CUTOVER") && told(&w, "CLUSTER_IMPORT_COMPLETED"));
  munit_assert_int(below(&w, "PATCH", "", "{\"backupEnabled\":true}"), ==, 200);
  munit_assert_int(call(&w, "POST", "", BODY("C")), ==, 202);
  t_advance(&w.t, 31 * DAY);
  expect(&w, one(&w, "GET", ""), 404, "RESOURCE_NOT_FOUND");
  t_close(&w.t);
}

TEST(live_migration, expires)
{
  migration_world w;
  open_linked(&w, NULL);
  make(&w);
  t_advance(&w.t, DAY);
  expect_state(&w, "WORKING", "true");
  t_advance(&w.t, 5 * DAY);
  expect_state(&w, "EXPIRED", "false");
  munit_assert_true(told(&w, "CLUSTER_IMPORT_EXPIRED"));
  munit_assert_int(cluster(&w, "DELETE"), ==, 202);
  t_close(&w.t);
}

/* A migration needs a target that accepts changes. A cluster cannot be restored while it is a target. */
TEST(live_migration, targets)
{
  migration_world w;
  char body[256];
  open_linked(&w, NULL);
  t_advance(&w.t, HOUR);
  munit_assert_int(below(&w, "PATCH", "", "{\"paused\":true}"), ==, 200);
  expect(&w, call(&w, "POST", "", BODY("C")), 409, "CANNOT_UPDATE_PAUSED_CLUSTER");
  t_advance(&w.t, HOUR);
  munit_assert_int(below(&w, "PATCH", "", "{\"paused\":false}"), ==, 200);
  munit_assert_int(below(&w, "PATCH", "", "{\"backupEnabled\":true}"), ==, 200);
  t_advance(&w.t, HOUR);
  munit_assert_int(below(&w, "POST", "/backup/snapshots", "{}"), ==, 202);
  snprintf(body, sizeof body, "{\"deliveryType\":\"automated\",\"snapshotId\":\"%s\",\"targetClusterName\":\"C\"}", t_str(&w.t, "id"));
  t_advance(&w.t, HOUR);
  munit_assert_int(below(&w, "POST", "/backup/restoreJobs", body), ==, 202);
  expect(&w, call(&w, "POST", "", BODY("C")), 400, "CLUSTER_RESTORE_IN_PROGRESS_CANNOT_UPDATE");
  t_advance(&w.t, HOUR);
  make(&w);
  expect(&w, below(&w, "POST", "/backup/restoreJobs", body), 409, "CANNOT_MODIFY_CLUSTER_WITH_RUNNING_LIVE_IMPORT");
  t_advance(&w.t, 40 * DAY);
  munit_assert_int(cluster(&w, "DELETE"), ==, 202);
  expect(&w, call(&w, "POST", "", BODY("C")), 400, "CLUSTER_ALREADY_REQUESTED_DELETION");
  t_close(&w.t);
}

TEST(live_migration, bodies)
{
  static const struct {
    const char *body, *field;
  } bad[] = {
    { "{" HOSTS "," SOURCE "}", "destination" },
    { "{" TO("C", "\"PUBLIC\"") "," SOURCE "}", "migrationHosts" },
    { "{" TO("C", "\"PUBLIC\"") "," HOSTS "}", "source" },
    { "{" TO("C", "\"X\"") "," HOSTS "," SOURCE "}", "destination.hostnameSchemaType" },
    { "{" TO("C", "\"PRIVATE_LINK\"") "," HOSTS "," SOURCE "}", "destination.privateLinkId" },
    { "{" TO("C", "\"PUBLIC\",\"privateLinkId\":\"a\"") "," HOSTS "," SOURCE "}", "destination.privateLinkId" },
    { "{\"destination\":{\"clusterName\":\"C\",\"groupId\":\"5f0000000000000000000001\",\"hostnameSchemaType\":\"PUBLIC\"}," HOSTS "," SOURCE "}",
      "destination.groupId" },
    { "{" TO("C", "\"PUBLIC\"") ",\"migrationHosts\":[\"a\",\"b\"]," SOURCE "}", "migrationHosts" },
    { "{" TO("C", "\"PUBLIC\"") ",\"migrationHosts\":[\"http://a\"]," SOURCE "}", "migrationHosts[0]" },
    { "{" TO("C", "\"PUBLIC\"") "," HOSTS ",\"source\":{\"clusterName\":\"Old\",\"groupId\":\"5f0000000000000000000001\","
      "\"managedAuthentication\":false,\"ssl\":true,\"username\":\"u\"}}", "source.password" },
    { "{" TO("C", "\"PUBLIC\"") "," HOSTS ",\"source\":{\"clusterName\":\"Old\",\"groupId\":\"5f0000000000000000000001\","
      "\"managedAuthentication\":true,\"ssl\":true,\"username\":\"u\"}}", "source.username" },
    { "{" TO("C", "\"PUBLIC\"") "," HOSTS "," SOURCE ",\"sharding\":{\"createSupportingIndexes\":true,\"shardingEntries\":[{\"collection\":"
      "\"c\",\"database\":\"d\",\"shardCollection\":{\"key\":[{\"a\":2}]}}]}}", "sharding.shardingEntries[0].shardCollection.key[0]" },
    { "{" TO("C", "\"PUBLIC\"") "," HOSTS "," SOURCE ",\"sharding\":{\"createSupportingIndexes\":true,\"shardingEntries\":[{\"collection\":"
      "\"c\",\"database\":\"d\",\"shardCollection\":{\"key\":[{\"a\":1},1]}}]}}", "sharding.shardingEntries[0].shardCollection.key[1]" },
    { "{" TO("C", "\"PUBLIC\"") "," HOSTS "," SOURCE ",\"sharding\":{\"createSupportingIndexes\":true,\"shardingEntries\":[{\"collection\":"
      "\"c\",\"database\":\"d\",\"shardCollection\":{\"key\":[{\"a\":1,\"b\":1}]}}]}}", "sharding.shardingEntries[0].shardCollection.key[0]" },
  };
  migration_world w;
  char *large;
  size_t i;
  int n;
  open_linked(&w, NULL);
  for (i = 0; i < 2 * sizeof bad / sizeof bad[0]; i++) {
    int status = call(&w, "POST", i % 2 ? "/validate" : "", bad[i / 2].body);
    if (status != 400 || !t_violation(&w.t, bad[i / 2].field)) munit_errorf("%s: %d %s", bad[i / 2].body, status, w.t.response.body);
  }
  large = munit_malloc(60000);
  n = snprintf(large, 60000, "%s", "{" TO("C", "\"PUBLIC\"") "," HOSTS "," SOURCE ",\"sharding\":{\"createSupportingIndexes\":true,\"shardingEntries\":[");
  for (i = 0; i < 100; i++)
    n += snprintf(large + n, (size_t)(60000 - n), "%s{\"collection\":\"%0200zu\",\"database\":\"d\",\"shardCollection\":{\"key\":[{\"a\":1}]}}", i ? "," : "", i);
  snprintf(large + n, (size_t)(60000 - n), "]}}");
  munit_assert_int(call(&w, "POST", "", large), ==, 400);
  munit_assert_true(t_violation(&w.t, "sharding"));
  free(large);
  expect(&w, call(&w, "POST", "", BODY("nobody")), 404, "CLUSTER_NOT_FOUND");
  expect(&w, call(&w, "POST", "/validate", BODY("nobody")), 404, "CLUSTER_NOT_FOUND");
  munit_assert_int(call(&w, "POST", "", "{" TO("C", "\"PRIVATE_LINK\",\"privateLinkId\":\"a\"") "," HOSTS "," SOURCE
                        ",\"sharding\":{\"createSupportingIndexes\":true,\"shardingEntries\":[{\"collection\":\"c\",\"database\":\"d\","
                        "\"shardCollection\":{\"key\":[{\"a\":1},{\"b\":\"hashed\"}]}}]}}"), ==, 202);
  t_close(&w.t);
}

TEST(live_migration, validation)
{
  migration_world w;
  char path[64];
  open_linked(&w, NULL);
  munit_assert_int(call(&w, "POST", "/validate", BODY("C")), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "status"), "PENDING");
  munit_assert_string_equal(t_str(&w.t, "groupId"), w.group);
  munit_assert_string_equal(t_str(&w.t, "sourceGroupId"), w.group);
  munit_assert_null(t_node(&w.t, "destination"));
  snprintf(path, sizeof path, "/validate/%s", t_str(&w.t, "_id"));
  t_advance(&w.t, 2);
  munit_assert_int(call(&w, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "status"), "SUCCESS");
  munit_assert_int(cluster(&w, "DELETE"), ==, 202); /* a validation does not block the cluster */
  t_advance(&w.t, 8 * DAY);
  expect(&w, call(&w, "GET", path, NULL), 404, "RESOURCE_NOT_FOUND");
  expect(&w, call(&w, "GET", "/validate", NULL), 404, "RESOURCE_NOT_FOUND");
  t_close(&w.t);
}

/* ---------------------------------------------------------------------------------------------------------------- sources */

/* Without a link a migration is refused. */
TEST(live_migration, needs_a_link)
{
  migration_world w;
  uint64_t print;
  open_world(&w, NULL);
  print = store_print(w.t.s);
  expect(&w, call(&w, "POST", "", BODY("C")), 400, "LIVE_IMPORT_ORG_NOT_LINKED");
  munit_assert_string_equal(t_param(&w.t, 0), w.org);
  expect(&w, call(&w, "POST", "/validate", BODY("C")), 400, "LIVE_IMPORT_ORG_NOT_LINKED");
  munit_assert_true(store_print(w.t.s) == print);
  munit_assert_int(org(&w, "POST", TOKENS, "{}"), ==, 201);
  munit_assert_int(call(&w, "POST", "/validate", BODY("C")), ==, 200);
  t_close(&w.t);
}

/* Checks that the validation and the migration of this body fail. why: the validation's error message. */
static void expect_no_source(migration_world *w, const char *body, const char *why)
{
  char path[64];
  munit_assert_int(call(w, "POST", "/validate", body), ==, 200);
  snprintf(path, sizeof path, "/validate/%s", t_str(&w->t, "_id"));
  munit_assert_int(call(w, "POST", "", body), ==, 202);
  w->id = t_keep(&w->t, t_str(&w->t, "_id"));
  t_advance(&w->t, HOUR);
  munit_assert_int(call(w, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "status"), "FAILED");
  munit_assert_string_equal(t_str(&w->t, "errorMessage"), why);
  expect_state(w, "FAILED", "false");
  munit_assert_null(t_node(&w->t, "lagTimeSeconds"));
  munit_assert_true(told(w, "CLUSTER_IMPORT_FAILED"));
}

TEST(live_migration, sources)
{
  migration_world w;
  const char *other, *strange;
  open_linked(&w, NULL);
  t_advance(&w.t, HOUR);
  expect_no_source(&w, BODY_FROM("Nowhere", "%G"), "the source cluster was not found");
  expect_no_source(&w, BODY_FROM("Old", "5f0000000000000000000001"), "the source cluster was not found");
  expect_no_source(&w, BODY_FROM("C", "%G"), "the source is the destination itself");

  /* a cluster of another project of the organization is a valid source, a cluster of another organization is not */
  other = t_project(&w.t, w.org, "P2");
  munit_assert_int(t_sendf(&w.t, "POST", T_CLUSTER("Far"), "/groups/%s/clusters", other), ==, 201);
  strange = t_project(&w.t, t_organization(&w.t, "Other"), "P3");
  munit_assert_int(t_sendf(&w.t, "POST", T_CLUSTER("Far"), "/groups/%s/clusters", strange), ==, 201);
  t_advance(&w.t, HOUR);
  w.other = strange;
  expect_no_source(&w, BODY_FROM("Far", "%O"), "the source cluster was not found");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"paused\":true}", "/groups/%s/clusters/Far", other), ==, 200);
  w.other = other;
  expect_no_source(&w, BODY_FROM("Far", "%O"), "the source cluster is paused");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"paused\":false}", "/groups/%s/clusters/Far", other), ==, 200);
  munit_assert_int(call(&w, "POST", "", BODY_FROM("Far", "%O")), ==, 202);
  w.id = t_keep(&w.t, t_str(&w.t, "_id"));
  t_advance(&w.t, HOUR);
  expect_state(&w, "WORKING", "true");

  /* the source is deleted before the end of the cutover */
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s/clusters/Far", other), ==, 202);
  t_advance(&w.t, HOUR);
  munit_assert_int(one(&w, "PUT", "/cutover"), ==, 202);
  t_advance(&w.t, HOUR);
  expect_state(&w, "FAILED", "false");
  t_close(&w.t);
}

static int64_t lag(migration_world *w)
{
  munit_assert_int(one(w, "GET", ""), ==, 200);
  return t_int(&w->t, "lagTimeSeconds");
}

/* While data is copied, the lag falls from minutes to seconds, and stays there. */
TEST(live_migration, lag)
{
  svc_config config = { .provision_ms = 100000 };
  migration_world w;
  int64_t before, now;
  int i;
  open_linked(&w, &config);
  t_advance(&w.t, 200);
  make(&w);
  t_advance(&w.t, 6);
  before = lag(&w);
  munit_assert_int64(before, >, 300);
  for (i = 0; i < 98; i++, before = now) {
    t_advance(&w.t, 1);
    now = lag(&w);
    munit_assert_int64(now, <, before);
  }
  munit_assert_int64(before, <, 10);
  t_advance(&w.t, 1);
  for (i = 0; i < 20; i++, t_advance(&w.t, HOUR)) munit_assert_int64(lag(&w), <=, 3);
  munit_assert_int(one(&w, "PUT", "/cutover"), ==, 202);
  munit_assert_int64(lag(&w), <=, 3);
  t_close(&w.t);
}

/* Returns the size of a cluster in bytes, from the list of all clusters. */
static int64_t size_of(migration_world *w, const char *name)
{
  const svc_node *one;
  munit_assert_int(t_send(&w->t, "GET", "/clusters", NULL), ==, 200);
  one = svc_node_first(svc_node_get(svc_node_first(t_node(&w->t, "results")), "clusters"));
  while (one && !svc_node_is(one, "name", name)) one = one->next;
  munit_assert_not_null(one);
  return svc_node_i64(one, "dataSizeBytes", -1);
}

/* Returns true if the first host of C has this database. */
static bool has_database(migration_world *w, const char *name)
{
  char host[256];
  const char *at;
  munit_assert_int(cluster(w, "GET"), ==, 200);
  at = t_str(&w->t, "connectionStrings.standard");
  at = strstr(at, "://") + 3;
  snprintf(host, sizeof host, "%.*s", (int)strcspn(at, ",/"), at);
  return t_sendf(&w->t, "GET", NULL, "/groups/%s/processes/%s/databases/%s", w->group, host, name) == 200;
}

static void migrate(migration_world *w, const char *body)
{
  munit_assert_int(call(w, "POST", "", body), ==, 202);
  w->id = t_keep(&w->t, t_str(&w->t, "_id"));
  t_advance(&w->t, HOUR);
  munit_assert_int(one(w, "PUT", "/cutover"), ==, 202);
  t_advance(&w->t, HOUR);
  expect_state(w, "COMPLETE", "false");
}

/* After the cutover the target has the data of the source. The target's own data stays, unless the request drops it. */
TEST(live_migration, data)
{
  migration_world w;
  open_linked(&w, NULL);
  t_advance(&w.t, HOUR);
  munit_assert_int(t_sendf(&w.t, "POST", NULL, "/groups/%s/sampleDatasetLoad/Old", w.group), ==, 201);
  t_advance(&w.t, HOUR);
  munit_assert_int64(size_of(&w, "C"), ==, 0);
  migrate(&w, BODY("C"));
  munit_assert_int64(size_of(&w, "C"), >, 0);
  munit_assert_int64(size_of(&w, "C"), ==, size_of(&w, "Old"));
  munit_assert_true(has_database(&w, "sample_mflix"));

  munit_assert_int(t_sendf(&w.t, "POST", T_CLUSTER("Empty"), "/groups/%s/clusters", w.group), ==, 201);
  t_advance(&w.t, HOUR);
  migrate(&w, BODY_FROM("Empty", "%G"));
  munit_assert_true(has_database(&w, "sample_mflix"));
  munit_assert_int64(size_of(&w, "C"), >, 0);
  migrate(&w, "{\"dropDestinationData\":true," TO("C", "\"PUBLIC\"") "," HOSTS "," FROM("Empty", "%G") "}");
  munit_assert_false(has_database(&w, "sample_mflix"));
  munit_assert_int64(size_of(&w, "C"), ==, 0);
  t_close(&w.t);
}

/* A linked organization sees its projects with their clusters. */
TEST(live_migration, available_here)
{
  migration_world w;
  open_world(&w, NULL);
  munit_assert_int(org(&w, "GET", AVAILABLE, NULL), ==, 200);
  munit_assert_string_equal(w.t.response.body, "[]");
  munit_assert_int(org(&w, "POST", TOKENS, "{}"), ==, 201);
  t_project(&w.t, w.org, "P2");
  t_project(&w.t, t_organization(&w.t, "Other"), "P3");
  munit_assert_int(org(&w, "GET", AVAILABLE, NULL), ==, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "[0].projectId"), w.group);
  munit_assert_string_equal(t_str(&w.t, "[0].name"), "P1");
  munit_assert_size(t_count(&w.t, "[0].deployments"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "[0].deployments[0].name"), "C");
  munit_assert_string_equal(t_str(&w.t, "[0].deployments[0].sharded"), "false");
  munit_assert_int64(t_int(&w.t, "[0].deployments[0].dbSizeBytes"), ==, 0);
  munit_assert_size(t_count(&w.t, "[1].deployments"), ==, 0);
  munit_assert_int(cluster(&w, "DELETE"), ==, 202);
  munit_assert_int(org(&w, "GET", AVAILABLE, NULL), ==, 200);
  munit_assert_size(t_count(&w.t, "[0].deployments"), ==, 0);
  t_close(&w.t);
}

/* ----------------------------------------------------------------------------------------------------------------- driver */

static void expect_order(migration_world *w, t_driver *d, const char *action, int result, const char *facts)
{
  t_advance(&w->t, HOUR);
  t_driver_finish(d, w->t.s, action, result, facts);
}

TEST(live_migration, driver)
{
  t_driver d;
  svc_config config = { .driver = t_driver_init(&d) };
  migration_world w;
  char path[64];
  t_driver_answers(&d, "measure", "{\"value\":42}");
  open_linked(&w, &config);
  expect_order(&w, &d, "cluster.create", SVC_OK, NULL);
  munit_assert_int(call(&w, "POST", "/validate", "{" TO("C", "\"PUBLIC\"") "," HOSTS ",\"source\":{\"clusterName\":\"Old\",\"groupId\":"
                        "\"5f0000000000000000000001\",\"managedAuthentication\":false,\"ssl\":true,\"username\":\"somebody\",\"password\":\"hunter2\"}}"),
                   ==, 200);
  snprintf(path, sizeof path, "/validate/%s", t_str(&w.t, "_id"));
  expect_order(&w, &d, "migration.validate", SVC_IO, "{\"reason\":\"no route\"}");
  munit_assert_not_null(strstr(t_driver_order(&d, "")->desired, "\"clusterName\":\"Old\""));
  munit_assert_null(strstr(t_driver_order(&d, "")->desired, "hunter2"));
  munit_assert_null(strstr(t_driver_order(&d, "")->desired, "somebody"));
  munit_assert_int(call(&w, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "status"), "FAILED");
  munit_assert_string_equal(t_str(&w.t, "errorMessage"), "no route");

  make(&w);
  expect_order(&w, &d, "migration.copy", SVC_OK, NULL);
  expect_state(&w, "WORKING", "true");
  munit_assert_int64(t_int(&w.t, "lagTimeSeconds"), ==, 42);
  munit_assert_int(one(&w, "PUT", "/cutover"), ==, 202);
  expect_order(&w, &d, "migration.cutover", SVC_OK, NULL);
  expect_state(&w, "COMPLETE", "false");

  /* a failed migration releases its cluster, and its record is deleted later */
  make(&w);
  expect_order(&w, &d, "migration.copy", SVC_IO, "{\"reason\":\"gone\"}");
  expect_state(&w, "FAILED", "false");
  munit_assert_true(told(&w, "CLUSTER_IMPORT_FAILED"));
  munit_assert_int(cluster(&w, "DELETE"), ==, 202);
  t_advance(&w.t, 31 * DAY);
  expect(&w, one(&w, "GET", ""), 404, "RESOURCE_NOT_FOUND");
  t_close(&w.t);
}

/* ------------------------------------------------------------------------------------------------------------------ links */

/* Returns true if the store contains this text. */
static bool stored(migration_world *w, const char *text)
{
  const svc_commit *k = &w->t.s->commit;
  svc_str key, value;
  svc_txn *txn;
  svc_scan scan;
  svc_key from;
  bool found = false;
  munit_assert_int(k->port->read_begin(k->store, &txn), ==, SVC_OK);
  svc_key_begin(&from, 1);
  svc_scan_below(&scan, txn, &from, false);
  svc_key_begin(&scan.to, (char)0xFF);
  while (svc_scan_next(&scan, &key, &value)) found |= value.n && memmem(value.p, value.n, text, strlen(text)) != NULL;
  k->port->read_end(txn);
  return found;
}

TEST(live_migration, links)
{
  migration_world w;
  const char *token, *other;
  open_world(&w, NULL);
  expect(&w, org(&w, "DELETE", TOKENS, NULL), 404, "RESOURCE_NOT_FOUND");
  munit_assert_int(org(&w, "GET", AVAILABLE, NULL), ==, 200);
  munit_assert_string_equal(w.t.response.body, "[]");
  expect(&w, org(&w, "POST", TOKENS, "{\"accessListIps\":[\"nowhere\"]}"), 400, "INVALID_ATTRIBUTE");
  munit_assert_true(t_violation(&w.t, "accessListIps[0]"));
  munit_assert_int(org(&w, "POST", TOKENS, "{\"accessListIps\":[\"192.0.2.1\"]}"), ==, 201);
  token = t_keep(&w.t, t_str(&w.t, "linkToken"));
  munit_assert_size(strlen(token), >=, 40);
  munit_assert_size(t_count(&w.t, "links"), ==, 1); /* nothing but the organization shows that there is a token */
  munit_assert_string_equal(strrchr(t_link(&w.t, "self"), '/') + 1, w.org);
  munit_assert_string_equal(t_get_header(&w.t, "Location"), "");
  munit_assert_string_equal(t_get_header(&w.t, "Cache-Control"), "no-store");
  munit_assert_false(stored(&w, token));
  munit_assert_true(stored(&w, "192.0.2.1"));
  munit_assert_int(org(&w, "POST", TOKENS, "{}"), ==, 201);
  other = t_keep(&w.t, t_str(&w.t, "linkToken"));
  munit_assert_string_not_equal(token, other);
  munit_assert_false(stored(&w, "192.0.2.1")); /* replaced by the second token */
  munit_assert_int(cluster(&w, "DELETE"), ==, 202);
  t_advance(&w.t, HOUR);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 202);
  expect(&w, org(&w, "DELETE", "", NULL), 409, "CANNOT_DELETE_ORG_ACTIVE_LIVE_MIGRATION_ORG_LINK");
  munit_assert_int(org(&w, "DELETE", TOKENS, NULL), ==, 204);
  munit_assert_int(org(&w, "DELETE", "", NULL), <, 300);
  t_close(&w.t);
}

#define PROJECT \
  "{\"deployments\":[{\"dbVersion\":\"7.0.1\",\"featureCompatibilityVersion\":\"7.0\",\"managed\":true,\"name\":\"Old\",\"sharded\":false," \
  "\"tlsEnabled\":true}],\"migrationHosts\":[\"vm001.example.com\"],\"name\":\"elsewhere\",\"projectId\":\"5f0000000000000000000001\"}"

TEST(live_migration, available)
{
  t_driver d;
  svc_config config = { .driver = t_driver_init(&d) };
  static const char *const bad[] = { "nothing", "{}", "[1]", "[{\"name\":\"x\"}]", "[" PROJECT ",{}]" };
  migration_world w;
  size_t i;
  open_world(&w, &config);
  munit_assert_int(org(&w, "GET", AVAILABLE, NULL), ==, 200);
  munit_assert_int(d.asks, ==, 0); /* without a link the driver is not asked */
  munit_assert_int(org(&w, "POST", TOKENS, "{}"), ==, 201);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    t_driver_answers(&d, "list", bad[i]);
    expect(&w, org(&w, "GET", AVAILABLE, NULL), 503, "SERVICE_UNAVAILABLE");
  }
  t_driver_answers(&d, "list", "[" PROJECT "]");
  munit_assert_int(org(&w, "GET", AVAILABLE, NULL), ==, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "[0].deployments[0].name"), "Old");
  munit_assert_string_equal(t_str(&w.t, "[0].name"), "elsewhere");
  t_close(&w.t);
}

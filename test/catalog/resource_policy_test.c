/*
** Resource policies: their language, the operations that they refuse, and noncompliant resources.
**
** Tests also: non_compliant_resource
*/
#include "support.h"
#include "catalog/policy/policy_language.h"

static const svc_config quiet = { .limiter_off = 1 };

#define ACTION(name) "ResourcePolicy::Action::\"" name "\""
#define MODIFY "forbid (principal, action == " ACTION("cluster.modify") ", resource) "
#define CLUSTER(name, provider, region, size) \
  "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"" provider "\"," \
  "\"regionName\":\"" region "\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"" size "\",\"nodeCount\":3}}]}]}"

/* ------------------------------------------------------------------------------------------------------------ the language */

/* Invalid policies, with the error and its place. */
static const struct {
  const char *text, *why;
} wrong[] = {
  { "", "line 1, column 1: expected forbid or permit" },
  { "allow (principal, action, resource);", "line 1, column 1: expected forbid or permit" },
  { "forbid principal", "line 1, column 8: expected (" },
  { "forbid (principal, action, resource)", "line 1, column 37: expected ;" },
  { "forbid (principal, action, resource); forbid", "line 1, column 39: there is one policy" },
  { "forbid (principal, action == " ACTION("cluster.eat") ", resource);", "no such action" },
  { "forbid (principal,\n  action == Other::Action::\"cluster.modify\", resource);", "line 2, column 13: expected ResourcePolicy" },
  { MODIFY "when { context.cluster.colour == \"red\" };", "no such attribute" },
  { MODIFY "when { context.project.ipAccessList.isEmpty() };", "the action has no such attribute" },
  { MODIFY "when { context.cluster.regions == \"aws\" };", "the types do not fit" },
  { MODIFY "when { context.cluster.regions.contains(ResourcePolicy::CloudProvider::\"aws\") };", "the types do not fit" },
  { MODIFY "when { context.cluster.regions.contains(ResourcePolicy::Region::\"us-east\") };", "no entity of this id" },
  { MODIFY "when { context.cluster.regions.contains(ResourcePolicy::Colour::\"red\") };", "no such type of entities" },
  { MODIFY "when { context.cluster.diskSizeGB };", "the condition is neither true nor false" },
  { MODIFY "when { context.cluster.diskSizeGB && true };", "neither true nor false" },
  { MODIFY "when { true && 1 };", "neither true nor false" },
  { MODIFY "when { 1 < \"2\" };", "the types do not fit" },
  { MODIFY "when { !1 };", "only what is true or false can be negated" },
  { MODIFY "when { [\"a\", ip(\"10.0.0.1\")].isEmpty() };", "of one type" },
  { MODIFY "when { [[\"a\"]].isEmpty() };", "a set has strings" },
  { MODIFY "when { ip(\"10.0.0\") == ip(\"10.0.0.1\") };", "expected an address" },
  { MODIFY "when { \"a };", "the string has no end" },
  { MODIFY "when { 99999999999 < 1 };", "too large" },
  { MODIFY "when { true ", "expected }" },
  { MODIFY "when { true.eat() };", "no such function" },
  { MODIFY "when { resource in \"a\" };", "the types do not fit" },
  /* the part before the conditions */
  { "forbid (", "line 1, column 9: expected principal" },
  { "forbid (principal action", "line 1, column 19: expected ," },
  { "forbid (principal, resource", "line 1, column 20: expected action" },
  { "forbid (principal, action in resource", "line 1, column 30: expected [" },
  { "forbid (principal, action in [" ACTION("cluster.modify") "; resource);", "expected ]" },
  { "forbid (principal, action in [], resource);", "line 1, column 31: expected ResourcePolicy" },
  { "forbid (principal, action == ResourcePolicy::Region::\"cluster.modify\", resource);", "no such action" },
  { "forbid (principal, action == ResourcePolicy.Action, resource);", "line 1, column 44: expected ::" },
  { "forbid (principal, action == ResourcePolicy::\"Action\", resource);", "line 1, column 46: expected the type of an entity" },
  { "forbid (principal, action == ResourcePolicy::Action, resource);", "line 1, column 52: expected ::" },
  { "forbid (principal, action == ResourcePolicy::Action::modify, resource);", "line 1, column 54: expected the id of an entity" },
  { "forbid (principal, action resource);", "line 1, column 27: expected ," },
  { "forbid (principal, action, principal);", "line 1, column 28: expected resource" },
  { "forbid (principal, action, resource == \"a\");", "line 1, column 40: expected ResourcePolicy" },
  { "forbid (principal, action, resource in ResourcePolicy::Project::\"5f0000000000000000000001\";", "expected )" },
  { "forbid (principal, action, resource) when true;", "line 1, column 43: expected {" },
  /* the place of the word, not the one after it */
  { "forbid (principal, action, resource) when { true } otherwise;", "line 1, column 52: expected ;" },
  { "forbid (principal, action, resource) when { true } @", "line 1, column 52: expected ;" },
  /* expressions */
  { MODIFY "when { };", "expected an expression" },
  { MODIFY "when { ! };", "expected an expression" },
  { MODIFY "when { (true };", "expected )" },
  { MODIFY "when { true || 1 };", "neither true nor false" },
  { MODIFY "when { 1 || true };", "neither true nor false" },
  { MODIFY "when { true && };", "expected an expression" },
  { MODIFY "when { true && ( };", "expected an expression" },
  { MODIFY "when { 1 < };", "expected an expression" },
  { MODIFY "when { context cluster };", "expected ." },
  { MODIFY "when { context.organization.id };", "context has cluster and project" },
  { MODIFY "when { context.cluster regions };", "expected ." },
  { MODIFY "when { context.cluster.\"regions\" };", "no such attribute" },
  { MODIFY "when { context.project.regions };", "no such attribute" },
  { MODIFY "when { context.cluster has colour };", "no such attribute" },
  { MODIFY "when { ip 5 };", "expected (" },
  { MODIFY "when { ip(5) };", "expected an address" },
  { MODIFY "when { ip(\"10.0.0.1\" };", "expected )" },
  { MODIFY "when { [\"a\" \"b\"].isEmpty() };", "line 1, column 94: expected ]" },
  { MODIFY "when { [\"a\", ].isEmpty() };", "expected an expression" },
  { MODIFY "when { [true].isEmpty() };", "a set has strings" },
  { MODIFY "when { [resource].isEmpty() };", "a set has strings" },
  { MODIFY "when { context.cluster.regions.contains \"a\" };", "expected (" },
  { MODIFY "when { context.cluster.regions.contains(\"a\" };", "expected )" },
  { MODIFY "when { context.cluster.regions.contains() };", "expected an expression" },
  { MODIFY "when { \"a\".contains(\"a\") };", "the types do not fit" },
  { MODIFY "when { [].contains(\"a\") };", "the types do not fit" },
  { MODIFY "when { [\"a\"].contains(ip(\"10.0.0.1\")) };", "the types do not fit" },
  { MODIFY "when { [\"a\"].containsAll([ip(\"10.0.0.1\")]) };", "the types do not fit" },
  { MODIFY "when { context.cluster.regions.containsAny(context.cluster.cloudProviders) };", "the types do not fit" },
  { MODIFY "when { context.cluster.regions.containsAll(\"a\") };", "the types do not fit" },
  { MODIFY "when { \"a\".isInRange(ip(\"10.0.0.1\")) };", "the types do not fit" },
  { MODIFY "when { ip(\"10.0.0.1\").isInRange(\"10.0.0.1\") };", "the types do not fit" },
  { MODIFY "when { 1 > true };", "the types do not fit" },
  { MODIFY "when { \"a\" < 1 };", "the types do not fit" },
  { "forbid\t(principal,\r\n\taction,\tresource)\r\n_when", "line 3, column 1: expected ;" }, /* tabs and CRLF separate words, too */
  { MODIFY "when { resource == \"a\" };", "the types do not fit" },
  { MODIFY "when { resource == 1 };", "the types do not fit" },
  { MODIFY "when { ResourcePolicy::ClusterType::\"sharded\" == ResourcePolicy::CloudProvider::\"aws\" };", "the types do not fit" },
  { MODIFY "when { true in ResourcePolicy::Project::\"5f0000000000000000000001\" };", "the types do not fit" },
  { MODIFY "when { \"a\\n\" == \"a\" };", "or an escape in it" },
  { MODIFY "when { \"a\n\" == \"a\" };", "the string has no end" },
  { MODIFY "when { true } // and so on", "expected ;" },
};

TEST(resource_policy, wrong)
{
  svc_arena arena;
  char deep[4200];
  size_t i;
  svc_str why;
  svc_arena_init(&arena, NULL);
  for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    if (svc_policy_read(&arena, svc_str_c(wrong[i].text), &why)) munit_errorf("%s is read", wrong[i].text);
    if (!strstr(why.p, wrong[i].why) || memcmp(why.p, "line ", 5) != 0) munit_errorf("%s: %s", wrong[i].text, why.p);
  }
  snprintf(deep, sizeof deep, MODIFY "when { ");
  memset(deep + strlen(deep), '(', 2000 - strlen(deep));
  deep[2000] = 0;
  munit_assert_null(svc_policy_read(&arena, svc_str_c(deep), &why));
  munit_assert_not_null(strstr(why.p, "too deep"));
  memset(deep, '!', sizeof deep - 1);
  memcpy(deep, MODIFY "when { ", sizeof MODIFY "when { " - 1);
  deep[4000] = 0;
  munit_assert_null(svc_policy_read(&arena, svc_str_c(deep), &why));
  munit_assert_not_null(strstr(why.p, "too deep"));
  snprintf(deep, sizeof deep, "forbid (principal, action, resource)");
  for (i = 0; i < 100; i++) snprintf(deep + strlen(deep), sizeof deep - strlen(deep), " when { true }");
  munit_assert_null(svc_policy_read(&arena, svc_str_c(deep), &why));
  munit_assert_not_null(strstr(why.p, "too many conditions"));
  snprintf(deep, sizeof deep, MODIFY "when { [");
  for (i = 0; i < 201; i++) snprintf(deep + strlen(deep), sizeof deep - strlen(deep), "%s\"a\"", i ? "," : "");
  snprintf(deep + strlen(deep), sizeof deep - strlen(deep), "].isEmpty() };");
  munit_assert_null(svc_policy_read(&arena, svc_str_c(deep), &why));
  munit_assert_not_null(strstr(why.p, "too many elements"));
  snprintf(deep, sizeof deep, MODIFY "when { context.cluster.regions == context.cluster.regions };"); /* twice 256 times 257 */
  munit_assert_null(svc_policy_read(&arena, svc_str_c(deep), &why));
  munit_assert_not_null(strstr(why.p, "too many steps"));
  memset(deep, ' ', sizeof deep - 1);
  deep[sizeof deep - 1] = 0;
  munit_assert_null(svc_policy_read(&arena, svc_str_c(deep), &why));
  munit_assert_not_null(strstr(why.p, "too long"));
  svc_blocks_free(arena.blocks);
}

/* Conditions, and whether they hold for the context below. */
static const struct {
  const char *condition;
  bool holds;
} conditions[] = {
  { "true", true },
  { "false", false },
  { "!false && !!true", true },
  { "1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3", true },
  { "1 == 2 || 1 != 1", false },
  { "(true || false) && true", true },
  { "\"7.0\" == context.cluster.dbMajorVersion", true },
  { "context.cluster.dbMajorVersion != \"7.0\"", false },
  { "context.cluster.cloudProviders == [ResourcePolicy::CloudProvider::\"gcp\", ResourcePolicy::CloudProvider::\"aws\"]", true },
  { "context.cluster.cloudProviders == [ResourcePolicy::CloudProvider::\"aws\"]", false },
  { "context.cluster.cloudProviders.contains(ResourcePolicy::CloudProvider::\"aws\")", true },
  { "context.cluster.cloudProviders.containsAny([ResourcePolicy::CloudProvider::\"azure\"])", false },
  { "context.cluster.regions.containsAll([ResourcePolicy::Region::\"aws:us-east-1\"])", true },
  { "[ResourcePolicy::Region::\"aws:us-east-1\"].containsAll(context.cluster.regions)", false },
  { "context.cluster.cloudProviders.contains(cloud::cloudProvider::\"aws\")", true }, /* the spelling of tools */
  { "context.cluster.regions.containsAll([cloud::region::\"aws:us-east-1\"])", true },
  { "context.cluster.regions.containsAll([])", true },
  { "context.cluster.regions.isEmpty()", false },
  { "[].isEmpty()", true },
  { "context.cluster.clusterType == ResourcePolicy::ClusterType::\"sharded\"", true },
  { "context.cluster.minShardCount < 3 && !context.cluster.isConvertingToSharded", true },
  { "context.cluster has diskSizeGB && context.cluster.diskSizeGB > 4096", false },
  { "context.cluster has dbMajorVersion", true },
  { "context.cluster.diskSizeGB < 1", false }, /* a missing attribute: the policy has no effect */
  { "!(context.cluster.diskSizeGB < 1)", false },
  { "resource in ResourcePolicy::Project::\"5f0000000000000000000001\"", true },
  { "resource == ResourcePolicy::Project::\"5f0000000000000000000009\"", false },
  { "resource in ResourcePolicy::Organization::\"5f0000000000000000000002\"", true },
  { "ip(\"10.1.2.3\").isInRange(ip(\"10.0.0.0/8\"))", true },
  { "ip(\"11.1.2.3\").isInRange(ip(\"10.0.0.0/8\"))", false },
  { "context.project.clustersInProject > 2 // that is all\n", true },
  { "!context.cluster.regions.isEmpty()", true }, /* the negation applies to the whole */
  { "!!context.cluster.cloudProviders.contains(ResourcePolicy::CloudProvider::\"azure\") == false", true },
  { "true == false || false != false", false },
  { "context.cluster.isConvertingToSharded == false", true },
  { "context.cluster.isConvertingToSharded", false },
  { "3 == context.project.clustersInProject && context.project.clustersInProject <= 3", true },
  { "[\"a\", \"b\"] == [\"b\", \"a\"] && [\"a\"] != [\"a\", \"b\"]", true },
  { "[\"a\", \"b\"] == [\"a\"]", false },
  { "[\"a\", context.cluster.dbMajorVersion].contains(\"7.0\")", true },
  { "[] == [\"a\"]", false },
  { "context.cluster.cloudProviders.containsAny([])", false },
  { "context.cluster.cloudProviders.containsAny(context.cluster.cloudProviders)", true },
  { "resource == ResourcePolicy::CloudProvider::\"aws\"", false }, /* not a resource */
  { "resource == ResourcePolicy::Organization::\"5f0000000000000000000009\"", false },
  { "ip(\"10.0.0.1\") == ip(\"10.0.0.1\")", true },
  { "ip(\"10.0.0.0/8\").isInRange(ip(\"10.0.0.0/16\"))", false },
  { "false || false || true || false", true },
  { "true && true && false && true", false },
};

/* Missing or invalid attributes: the policy has no effect, with any expression. */
static const char *const unknowns[] = {
  "context.cluster.minTLSVersion == ResourcePolicy::TLSVersion::\"tls1_2\"",
  "context.cluster.maxShardCount > 1", /* a string */
  "!context.cluster.regions.isEmpty() && context.cluster.diskSizeGB > 1",
  "context.cluster.diskSizeGB == context.cluster.diskSizeGB",
  "context.cluster.diskSizeGB > 1 || true",
  "context.cluster.isConvertingToSharded",
};

TEST(resource_policy, conditions)
{
  static const char about[] = "{\"cluster\":{\"cloudProviders\":[\"aws\",\"gcp\"],\"clusterType\":\"sharded\",\"dbMajorVersion\":\"7.0\","
                              "\"isConvertingToSharded\":false,\"minShardCount\":2,\"regions\":[\"aws:us-east-1\",\"gcp:europe-west-1\"]},"
                              "\"project\":{\"clustersInProject\":3}}";
  svc_arena arena;
  svc_node *context;
  char text[1024];
  size_t i;
  int unless;
  svc_arena_init(&arena, NULL);
  context = svc_json_parse(&arena, svc_str_c(about));
  for (i = 0; i < sizeof conditions / sizeof conditions[0]; i++)
    for (unless = 0; unless < 2; unless++) {
      bool missing = strstr(conditions[i].condition, "diskSizeGB <") != NULL, forbids;
      svc_policy *policy;
      svc_str why;
      snprintf(text, sizeof text, MODIFY "%s { %s };", unless ? "unless" : "when", conditions[i].condition);
      policy = svc_policy_read(&arena, svc_str_c(text), &why);
      if (!policy) munit_errorf("%s: %s", text, why.p);
      forbids = svc_policy_forbids(policy, SVC_POLICY_CLUSTER, SVC_S("5f0000000000000000000001"), SVC_S("5f0000000000000000000002"), context, NULL);
      if (forbids != (!missing && conditions[i].holds != unless)) munit_errorf("%s: %d", text, forbids);
      munit_assert_false(svc_policy_forbids(policy, SVC_POLICY_PEERING, SVC_S(""), SVC_S(""), context, NULL));
      snprintf(text, sizeof text, "permit (principal, action == " ACTION("cluster.modify") ", resource) when { %s };", conditions[i].condition);
      policy = svc_policy_read(&arena, svc_str_c(text), &why);
      munit_assert_not_null(policy);
      munit_assert_false(svc_policy_forbids(policy, SVC_POLICY_CLUSTER, SVC_S(""), SVC_S(""), context, NULL));
    }
  svc_blocks_free(arena.blocks);
}

TEST(resource_policy, unknowns)
{
  static const char about[] = "{\"cluster\":{\"maxShardCount\":\"two\",\"regions\":[\"aws:us-east-1\"]}}";
  svc_arena arena;
  svc_node *context;
  char text[1024];
  size_t i;
  int way;
  svc_arena_init(&arena, NULL);
  context = svc_json_parse(&arena, svc_str_c(about));
  for (i = 0; i < sizeof unknowns / sizeof unknowns[0]; i++)
    for (way = 0; way < 3; way++) {
      svc_policy *policy;
      svc_str why;
      snprintf(text, sizeof text, MODIFY "%s { %s(%s) };", way == 1 ? "unless" : "when", way == 2 ? "!" : "", unknowns[i]);
      policy = svc_policy_read(&arena, svc_str_c(text), &why);
      if (!policy) munit_errorf("%s: %s", text, why.p);
      if (svc_policy_forbids(policy, SVC_POLICY_CLUSTER, SVC_S(""), SVC_S(""), context, NULL)) munit_errorf("%s forbids", text);
    }
  svc_blocks_free(arena.blocks);
}

/* A policy for one project or organization has no effect on others. */
TEST(resource_policy, resources)
{
  static const struct {
    const char *resource;
    bool forbids;
  } rows[] = {
    { "resource", true },
    { "resource == ResourcePolicy::Project::\"5f0000000000000000000001\"", true },
    { "resource in ResourcePolicy::Organization::\"5f0000000000000000000002\"", true },
    { "resource in ResourcePolicy::Project::\"5f0000000000000000000002\"", false },
    { "resource == ResourcePolicy::Organization::\"5f0000000000000000000001\"", false },
    { "resource == ResourcePolicy::CloudProvider::\"aws\"", false },
  };
  svc_arena arena;
  char text[256];
  size_t i;
  svc_arena_init(&arena, NULL);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    svc_policy *policy;
    svc_str why;
    snprintf(text, sizeof text, "forbid (principal, action, %s);", rows[i].resource);
    policy = svc_policy_read(&arena, svc_str_c(text), &why);
    if (!policy) munit_errorf("%s: %s", text, why.p);
    if (svc_policy_forbids(policy, SVC_POLICY_PEERING, SVC_S("5f0000000000000000000001"), SVC_S("5f0000000000000000000002"), NULL, NULL) != rows[i].forbids)
      munit_error(text);
  }
  svc_blocks_free(arena.blocks);
}

/* ------------------------------------------------------------------------------------------------------------- the service */

/* Returns a body with these policies. second: NULL if there is only one. */
static const char *policy_body(t_service *t, const char *name, const char *first, const char *second)
{
  svc_buf b = svc_buf_new(&t->arena, 512);
  svc_buf_text(&b, "{\"name\":");
  svc_json_escape(&b, svc_str_c(name));
  svc_buf_text(&b, ",\"policies\":[{\"body\":");
  svc_json_escape(&b, svc_str_c(first));
  if (second) {
    svc_buf_text(&b, "},{\"body\":");
    svc_json_escape(&b, svc_str_c(second));
  }
  svc_buf_text(&b, "}]}");
  return t_keep(t, svc_buf_done(&b).p);
}

static const char *policy_make(t_place *w, const char *name, const char *text)
{
  if (t_sendf(&w->t, "POST", policy_body(&w->t, name, text, NULL), "/orgs/%s/resourcePolicies", w->org) != 201)
    munit_errorf("%s: %s", text, w->t.response.body);
  return t_keep(&w->t, t_str(&w->t, "id"));
}

static int policy_at(t_place *w, const char *method, const char *path, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/%s", w->group, path);
}

static void policy_refused(t_place *w, const char *method, const char *path, const char *body, const char *name)
{
  uint64_t print;
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK); /* complete the due steps, which are not effects of the request */
  print = store_print(w->t.s);
  if (policy_at(w, method, path, body) != 403) munit_errorf("%s %s: %d %s", method, path, w->t.response.status, w->t.response.body);
  munit_assert_string_equal(t_error(&w->t), "RESOURCE_POLICIES_VIOLATION_NOT_AUTHORIZED");
  munit_assert_string_equal(t_param(&w->t, 0), name);
  munit_assert_uint64(store_print(w->t.s), ==, print);
}

TEST(resource_policy, crud)
{
  t_place w;
  const char *id;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(t_sendf(&w.t, "POST", policy_body(&w.t, "one", "forbid;", NULL), "/orgs/%s/resourcePolicies", w.org), ==, 400);
  munit_assert_string_equal(t_param(&w.t, 0), "policies[0].body");
  munit_assert_not_null(strstr(t_str(&w.t, "detail"), "line 1, column 7"));
  munit_assert_int(t_sendf(&w.t, "POST", policy_body(&w.t, "one", "forbid;", NULL), "/orgs/%s/resourcePolicies:validate", w.org), ==, 400);
  munit_assert_int(t_sendf(&w.t, "POST", policy_body(&w.t, "one", MODIFY ";", MODIFY "when { true };"), "/orgs/%s/resourcePolicies:validate", w.org), ==, 200);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/resourcePolicies", w.org), ==, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 0); /* nothing was created */
  id = policy_make(&w, "one", MODIFY "when { false };");
  munit_assert_int(t_sendf(&w.t, "POST", policy_body(&w.t, "one", MODIFY ";", NULL), "/orgs/%s/resourcePolicies", w.org), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "RESOURCE_POLICY_ALREADY_EXISTS");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/resourcePolicies/%s", w.org, id), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "version"), "v1");
  munit_assert_size(strlen(t_str(&w.t, "policies[0].id")), ==, 24);
  t_advance(&w.t, 60);
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"description\":\"d\"}", "/orgs/%s/resourcePolicies/%s", w.org, id), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "lastUpdatedDate"), "2025-06-01T00:01:00Z");
  munit_assert_int(t_sendf(&w.t, "PATCH", "{\"policies\":[{\"body\":\"nonsense\"}]}", "/orgs/%s/resourcePolicies/%s", w.org, id), ==, 400);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/events?eventType=RESOURCE_POLICY_MODIFIED", w.org), ==, 200);
  munit_assert_int64(t_int(&w.t, "totalCount"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/resourcePolicies/%s", w.org, id), ==, 200);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/resourcePolicies/%s", w.org, id), ==, 404);
  munit_assert_string_equal(t_error(&w.t), "RESOURCE_POLICY_NOT_FOUND");
  t_close(&w.t);
}

/* Policies apply when a cluster or flex cluster is created, changed or upgraded. The bounds of autoscaling count as sizes. */
TEST(resource_policy, clusters)
{
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(policy_at(&w, "POST", "clusters", CLUSTER("Old", "AWS", "US_EAST_1", "M10")), ==, 201);
  munit_assert_int(policy_at(&w, "POST", "flexClusters", "{\"name\":\"Flex\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"EU_WEST_1\"}}"), ==, 201);
  t_advance(&w.t, 60);
  policy_make(&w, "Europe", MODIFY "unless { [ResourcePolicy::Region::\"aws:eu-west-1\"].containsAll(context.cluster.regions) };");
  policy_make(&w, "small", MODIFY "when { context.cluster has maxGeneralClassInstanceSizeValue && context.cluster.maxGeneralClassInstanceSizeValue > 30 };");
  policy_refused(&w, "POST", "clusters", CLUSTER("New", "AWS", "US_EAST_1", "M10"), "Europe");
  policy_refused(&w, "POST", "clusters", CLUSTER("New", "AWS", "EU_WEST_1", "M40"), "small");
  policy_refused(&w, "POST", "clusters",
                 "{\"name\":\"New\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"EU_WEST_1\","
                 "\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3},\"autoScaling\":{\"compute\":{\"enabled\":true,"
                 "\"maxInstanceSize\":\"M50\"}}}]}]}", "small");
  policy_refused(&w, "POST", "flexClusters", "{\"name\":\"More\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}", "Europe");
  /* a noncompliant cluster cannot be changed, even if its region stays the same */
  policy_refused(&w, "PATCH", "clusters/Old", "{\"backupEnabled\":true}", "Europe");
  policy_refused(&w, "POST", "flexClusters:tenantUpgrade", CLUSTER("Flex", "AWS", "US_EAST_1", "M10"), "Europe");
  munit_assert_int(policy_at(&w, "POST", "clusters", CLUSTER("Fine", "AWS", "EU_WEST_1", "M30")), ==, 201);
  t_advance(&w.t, 60);
  policy_refused(&w, "PATCH", "clusters/Fine",
                 "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"EU_WEST_1\",\"priority\":7,"
                 "\"electableSpecs\":{\"instanceSize\":\"M40\",\"nodeCount\":3}}]}]}", "small");
  munit_assert_int(policy_at(&w, "DELETE", "clusters/Old", NULL), ==, 202); /* a noncompliant cluster can be deleted */
  t_close(&w.t);
}

#define REGION(more) \
  "\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7" more "}]}]"
#define SHAPED(type, spec) "{\"name\":\"New\",\"clusterType\":\"" type "\"," spec "}"
#define PLAIN ",\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3}"
#define SCALED(name, down) \
  ",\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3},\"" name "\":{\"compute\":{\"enabled\":true,\"scaleDownEnabled\":" down "," \
  "\"minInstanceSize\":\"M10\",\"maxInstanceSize\":\"M50\"}}"

/* Every attribute of a cluster that a policy can use: a condition, a requested cluster, and whether the condition forbids it. */
static const struct {
  const char *condition, *body;
  bool refused;
} shapes[] = {
  { "context.cluster has diskSizeGB && context.cluster.diskSizeGB >= 120",
    SHAPED("REPLICASET", REGION(",\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3,\"diskSizeGB\":120.0}")), true },
  { "context.cluster has diskSizeGB && context.cluster.diskSizeGB > 120",
    SHAPED("REPLICASET", REGION(",\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3,\"diskSizeGB\":120.0}")), false },
  /* the bounds of autoscaling count like the present size */
  { "context.cluster.maxGeneralClassInstanceSizeValue >= 50", SHAPED("REPLICASET", REGION(SCALED("autoScaling", "false"))), true },
  { "context.cluster.minGeneralClassInstanceSizeValue < 30", SHAPED("REPLICASET", REGION(SCALED("autoScaling", "false"))), false },
  { "context.cluster.minGeneralClassInstanceSizeValue < 30", SHAPED("REPLICASET", REGION(SCALED("autoScaling", "true"))), true },
  { "context.cluster.minGeneralClassInstanceSizeValue == context.cluster.maxGeneralClassInstanceSizeValue", SHAPED("REPLICASET", REGION(PLAIN)), true },
  /* analytics nodes count, too */
  { "context.cluster.maxGeneralClassInstanceSizeValue >= 40",
    SHAPED("REPLICASET", REGION(PLAIN ",\"analyticsSpecs\":{\"instanceSize\":\"M40\",\"nodeCount\":1}")), true },
  { "context.cluster.clusterType == ResourcePolicy::ClusterType::\"sharded\"", SHAPED("SHARDED", REGION(PLAIN)), true },
  { "context.cluster.clusterType == ResourcePolicy::ClusterType::\"geosharded\"", SHAPED("SHARDED", REGION(PLAIN)), false },
  { "context.cluster.maxShardCount > 1 || context.cluster.minShardCount != 1", SHAPED("SHARDED", REGION(PLAIN)), false },
  { "context.cluster.isConvertingToSharded", SHAPED("SHARDED", REGION(PLAIN)), false }, /* a new cluster has no previous type */
  { "context.cluster has dbMajorVersion && context.cluster.dbMajorVersion == \"7.0\"", SHAPED("REPLICASET", "\"dbMajorVersion\":\"7.0\"," REGION(PLAIN)), true },
  { "context.cluster.minTLSVersion == ResourcePolicy::TLSVersion::\"tls1_3\"",
    SHAPED("REPLICASET", "\"advancedConfiguration\":{\"minimumEnabledTlsProtocol\":\"TLS1_3\"}," REGION(PLAIN)), true },
  { "context.cluster.minTLSVersion == ResourcePolicy::TLSVersion::\"tls1_3\"", SHAPED("REPLICASET", REGION(PLAIN)), false },
  /* a shared tier counts for the provider behind it */
  { "context.cluster.cloudProviders == [ResourcePolicy::CloudProvider::\"gcp\"] && context.cluster.maxGeneralClassInstanceSizeValue == 0",
    SHAPED("REPLICASET", "\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"TENANT\",\"backingProviderName\":\"GCP\","
           "\"regionName\":\"CENTRAL_US\",\"electableSpecs\":{\"instanceSize\":\"M0\"}}]}]"), true },
};

TEST(resource_policy, shapes)
{
  t_place w;
  char text[512];
  const char *id;
  size_t i;
  t_place_open(&w, &quiet, "alpha", NULL);
  for (i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    snprintf(text, sizeof text, MODIFY "when { %s };", shapes[i].condition);
    id = policy_make(&w, "shape", text);
    if (shapes[i].refused) policy_refused(&w, "POST", "clusters", shapes[i].body, "shape");
    else if (policy_at(&w, "POST", "clusters", shapes[i].body) != 201) munit_errorf("%s: %s", shapes[i].condition, w.t.response.body);
    else munit_assert_int(policy_at(&w, "DELETE", "clusters/New", NULL), ==, 202);
    t_advance(&w.t, 600);
    munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/resourcePolicies/%s", w.org, id), ==, 200);
  }
  munit_assert_int(policy_at(&w, "POST", "clusters", SHAPED("REPLICASET", REGION(PLAIN))), ==, 201);
  t_advance(&w.t, 600);
  policy_make(&w, "no shards", MODIFY "when { context.cluster.isConvertingToSharded };");
  policy_refused(&w, "PATCH", "clusters/New", "{\"clusterType\":\"SHARDED\"}", "no shards");
  policy_make(&w, "old flex", MODIFY "when { context.cluster.minTLSVersion == ResourcePolicy::TLSVersion::\"tls1_2\" && "
                               "context.cluster has dbMajorVersion && context.cluster.dbMajorVersion == \"8.0\" && "
                               "context.cluster has diskSizeGB && context.cluster.diskSizeGB < 10 };");
  policy_refused(&w, "POST", "flexClusters", "{\"name\":\"Flex\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}",
                 "old flex");
  t_close(&w.t);
}

/* Policies apply when a setting is switched on, not when it is switched off. */
TEST(resource_policy, switches)
{
  static const char *const paths[] = { "privateEndpoint/regionalMode", "privateIpMode" };
  static const int good[] = { 202, 200 };
  t_place w;
  size_t i;
  t_place_open(&w, &quiet, "alpha", NULL);
  for (i = 0; i < 2; i++) {
    const char *id;
    munit_assert_int(policy_at(&w, "PATCH", paths[i], "{\"enabled\":false}"), ==, good[i]);
    id = policy_make(&w, "quiet", "forbid (principal, action in [" ACTION("project.vpcPeering.modify") ", " ACTION("project.privateEndpoint.modify") "], resource);");
    policy_refused(&w, "PATCH", paths[i], "{\"enabled\":true}", "quiet");
    munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/resourcePolicies/%s", w.org, id), ==, 200);
    munit_assert_int(policy_at(&w, "PATCH", paths[i], "{\"enabled\":true}"), ==, good[i]);
    id = policy_make(&w, "quiet", "forbid (principal, action in [" ACTION("project.vpcPeering.modify") ", " ACTION("project.privateEndpoint.modify") "], resource);");
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/nonCompliantResources", w.org), ==, 200);
    munit_assert_size(t_count(&w.t, ""), ==, 1); /* the setting is on, against the policy */
    munit_assert_string_equal(t_str(&w.t, "[0].resourceType"), "PROJECT");
    munit_assert_int(policy_at(&w, "PATCH", paths[i], "{\"enabled\":false}"), ==, good[i]);
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/nonCompliantResources", w.org), ==, 200);
    munit_assert_size(t_count(&w.t, ""), ==, 0);
    munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/orgs/%s/resourcePolicies/%s", w.org, id), ==, 200);
  }
  t_close(&w.t);
}

/* A policy shows its creator, as far as known. */
TEST(resource_policy, by_whom)
{
  static const struct {
    const char *id, *name, *shown_id, *shown_name;
  } rows[] = { { "5f00000000000000000000a1", "ada@example.com", "5f00000000000000000000a1", "ada@example.com" },
               { "5f00000000000000000000a1", NULL, "5f00000000000000000000a1", "" } };
  t_place w;
  char name[32];
  size_t i;
  t_place_open(&w, &quiet, "alpha", NULL);
  for (i = 0; i < 2; i++) {
    w.t.caller.user_id = rows[i].id;
    w.t.caller.username = rows[i].name;
    snprintf(name, sizeof name, "number %zu", i);
    policy_make(&w, name, MODIFY "when { false };");
    munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/resourcePolicies", w.org), ==, 200);
    snprintf(name, sizeof name, "[%zu].createdByUser.id", i);
    munit_assert_string_equal(t_str(&w.t, name), rows[i].shown_id);
    snprintf(name, sizeof name, "[%zu].createdByUser.name", i);
    munit_assert_string_equal(t_str(&w.t, name), rows[i].shown_name);
  }
  t_close(&w.t);
}

TEST(resource_policy, count)
{
  t_place w;
  t_place_open(&w, &quiet, "alpha", NULL);
  policy_make(&w, "two", MODIFY "when { context.project.clustersInProject > 2 };");
  munit_assert_int(policy_at(&w, "POST", "clusters", CLUSTER("A", "AWS", "US_EAST_1", "M10")), ==, 201);
  munit_assert_int(policy_at(&w, "POST", "clusters", CLUSTER("B", "AWS", "US_EAST_1", "M10")), ==, 201);
  policy_refused(&w, "POST", "clusters", CLUSTER("C", "AWS", "US_EAST_1", "M10"), "two");
  t_close(&w.t);
}

/* Access lists, maintenance windows, peering and endpoints. */
TEST(resource_policy, projects)
{
  t_place w;
  const char *other;
  char path[64], peer[400];
  t_place_open(&w, &quiet, "alpha", NULL);
  other = t_project(&w.t, w.org, "beta");
  policy_make(&w, "closed", "forbid (principal, action == " ACTION("project.ipAccessList.modify") ", resource) when { "
                            "context.project.ipAccessList.contains(ip(\"0.0.0.0/0\")) };");
  policy_refused(&w, "POST", "accessList", "[{\"ipAddress\":\"192.0.2.1\"},{\"cidrBlock\":\"0.0.0.0/0\"}]", "closed");
  munit_assert_int(policy_at(&w, "POST", "accessList", "[{\"ipAddress\":\"192.0.2.1\"}]"), ==, 201);
  policy_make(&w, "window", "forbid (principal, action == " ACTION("project.maintenanceWindow.modify") ", resource) when { "
                            "!context.project.hasDefinedMaintenanceWindow };");
  munit_assert_int(policy_at(&w, "PATCH", "maintenanceWindow", "{\"dayOfWeek\":2,\"hourOfDay\":3}"), ==, 200);
  policy_refused(&w, "DELETE", "maintenanceWindow", NULL, "window");
  munit_assert_int(policy_at(&w, "POST", "containers", "{\"providerName\":\"AWS\",\"regionName\":\"EU_WEST_1\",\"svcCidrBlock\":\"10.8.0.0/21\"}"), ==, 201);
  snprintf(peer, sizeof peer, "{\"providerName\":\"AWS\",\"containerId\":\"%s\",\"accepterRegionName\":\"eu-west-1\",\"awsAccountId\":\"123456789012\","
           "\"routeTableCidrBlock\":\"192.168.0.0/24\",\"vpcId\":\"vpc-0123456789abcdef0\"}", t_str(&w.t, "id"));
  policy_make(&w, "no peers", "forbid (principal, action in [" ACTION("project.vpcPeering.modify") ", " ACTION("project.privateEndpoint.modify") "], resource) "
                              "when { context.project.cloudProvider == ResourcePolicy::CloudProvider::\"aws\" };");
  policy_refused(&w, "POST", "peers", peer, "no peers");
  policy_refused(&w, "POST", "privateEndpoint/endpointService", "{\"providerName\":\"AWS\",\"region\":\"EU_WEST_1\"}", "no peers");
  munit_assert_int(policy_at(&w, "POST", "privateEndpoint/endpointService", "{\"providerName\":\"AZURE\",\"region\":\"EUROPE_NORTH\"}"), ==, 201);
  snprintf(path, sizeof path, "/groups/%s/accessList", other); /* the policy applies to every project of the organization */
  munit_assert_int(t_send(&w.t, "POST", path, "[{\"cidrBlock\":\"0.0.0.0/0\"}]"), ==, 403);
  other = t_project(&w.t, t_organization(&w.t, "Other"), "gamma"); /* but to no project of another organization */
  snprintf(path, sizeof path, "/groups/%s/accessList", other);
  munit_assert_int(t_send(&w.t, "POST", path, "[{\"cidrBlock\":\"0.0.0.0/0\"}]"), ==, 201);
  t_close(&w.t);
}

TEST(resource_policy, non_compliant)
{
  t_place w;
  const char *id;
  t_place_open(&w, &quiet, "alpha", NULL);
  munit_assert_int(policy_at(&w, "POST", "clusters", CLUSTER("Main", "AWS", "US_EAST_1", "M10")), ==, 201);
  munit_assert_int(policy_at(&w, "POST", "accessList", "[{\"cidrBlock\":\"0.0.0.0/0\"}]"), ==, 201);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/nonCompliantResources", w.org), ==, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 0);
  munit_assert_int(t_sendf(&w.t, "POST", policy_body(&w.t, "strict",
                   MODIFY "when { context.cluster.cloudProviders.contains(ResourcePolicy::CloudProvider::\"aws\") };",
                   "forbid (principal, action == " ACTION("project.ipAccessList.modify") ", resource) unless { context.project.ipAccessList.isEmpty() };"),
                   "/orgs/%s/resourcePolicies", w.org), ==, 201);
  id = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/nonCompliantResources", w.org), ==, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "[0].resourceType"), "PROJECT");
  munit_assert_string_equal(t_str(&w.t, "[0].resourceId"), w.group);
  munit_assert_string_equal(t_str(&w.t, "[1].resourceType"), "CLUSTER");
  munit_assert_string_equal(t_str(&w.t, "[1].resourceName"), "Main");
  munit_assert_string_equal(t_str(&w.t, "[1].resourcePoliciesCausingNonCompliance[0].resourcePolicyId"), id);
  munit_assert_string_equal(t_str(&w.t, "[1].resourcePoliciesCausingNonCompliance[0].resourcePolicyName"), "strict");
  munit_assert_size(t_count(&w.t, "[1].resourcePoliciesCausingNonCompliance[0].policiesCausingNonCompliance"), ==, 1);
  munit_assert_int(t_sendf(&w.t, "POST", policy_body(&w.t, "stricter", MODIFY "when { context.cluster.minShardCount == 1 };", MODIFY ";"),
                           "/orgs/%s/resourcePolicies", w.org), ==, 201);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/nonCompliantResources", w.org), ==, 200);
  munit_assert_size(t_count(&w.t, "[1].resourcePoliciesCausingNonCompliance"), ==, 2); /* each policy, with all of its violated bodies */
  munit_assert_size(t_count(&w.t, "[1].resourcePoliciesCausingNonCompliance[1].policiesCausingNonCompliance"), ==, 2);
  munit_assert_int(policy_at(&w, "DELETE", "accessList/0.0.0.0%2F0", NULL), ==, 204);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/nonCompliantResources", w.org), ==, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 1);
  t_close(&w.t);
}

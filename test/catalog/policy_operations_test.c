/*
** Resource policies apply to every operation that could violate them. A table has operations, each with a policy that
** forbids its effect. With the policy the operation is refused with the policy's name, and nothing is changed. Without
** it, the operation succeeds.
**
** Operations that cannot affect an attribute of a policy's context are not listed: restores, migrations of data, zones
** and namespaces, simulated outages, pins, search nodes and containers.
*/
#include "damaged.h"
#include "mechanism/probe.h"
#include "stream_world.h"
#include "catalog/policy/policy_tree.h"

#define ACTION(name) "ResourcePolicy::Action::\"" name "\""
#define FORBID(action, condition) "forbid (principal, action == " ACTION(action) ", resource) " condition ";"
#define MODIFY(condition) FORBID("cluster.modify", condition)
#define LIST(condition) FORBID("project.ipAccessList.modify", condition)
#define WINDOW(condition) FORBID("project.maintenanceWindow.modify", condition)
#define OF_AWS "when { context.project.cloudProvider == ResourcePolicy::CloudProvider::\"aws\" }"
#define PEERING(condition) FORBID("project.vpcPeering.modify", condition)
#define ENDPOINT(condition) FORBID("project.privateEndpoint.modify", condition)
#define ONLY_EUROPE MODIFY("unless { [ResourcePolicy::Region::\"aws:eu-west-1\"].containsAll(context.cluster.regions) }")
#define NO_AWS MODIFY("when { context.cluster.cloudProviders.contains(ResourcePolicy::CloudProvider::\"aws\") }")
#define SMALL MODIFY("when { context.cluster has maxGeneralClassInstanceSizeValue && context.cluster.maxGeneralClassInstanceSizeValue > 30 }")
#define NEW_TLS MODIFY("unless { context.cluster.minTLSVersion == ResourcePolicy::TLSVersion::\"tls1_2\" }")

#define R_(region, size, more) \
  "{\"providerName\":\"AWS\",\"regionName\":\"" region "\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"" size "\",\"nodeCount\":3}" more "}"
#define SPECS(regions) "\"replicationSpecs\":[{\"regionConfigs\":[" regions "]}]"
#define C_(name, more) "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\"," SPECS(R_("US_EAST_1", "M30", "")) more "}"
#define SCALING "\"autoScaling\":{\"compute\":{\"enabled\":true,\"maxInstanceSize\":\"M50\"}}"
#define FLEX(name) "{\"name\":\"" name "\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}"

/* In paths and bodies: %G the project, %K a container, %S an endpoint service, %P a peer, %O the other organization. */
static const struct {
  const char *method, *path, *body, *policy;
  int status; /* without the policy */
} operations[] = {
  /* clusters: provider, region, size, shape, version, TLS, number of clusters */
  { "POST", "/groups/%G/clusters", C_("A1", ""), NO_AWS, 201 },
  { "POST", "/groups/%G/clusters", C_("A2", ""), ONLY_EUROPE, 201 },
  { "POST", "/groups/%G/clusters", C_("A3", ",\"dbMajorVersion\":\"7.0\""), MODIFY("when { context.cluster.dbMajorVersion == \"7.0\" }"), 201 },
  { "POST", "/groups/%G/clusters", C_("A4", ",\"advancedConfiguration\":{\"minimumEnabledTlsProtocol\":\"TLS1_1\"}"), NEW_TLS, 201 },
  { "POST", "/groups/%G/clusters", C_("A5", ""), MODIFY("when { context.project.clustersInProject > 3 }"), 201 },
  { "POST", "/groups/%G/clusters", "{\"name\":\"A6\",\"clusterType\":\"SHARDED\"," SPECS(R_("US_EAST_1", "M30", "")) "}",
    MODIFY("when { context.cluster.clusterType == ResourcePolicy::ClusterType::\"sharded\" }"), 201 },
  { "PATCH", "/groups/%G/clusters/Main", "{" SPECS(R_("EU_WEST_1", "M10", "")) "}",
    MODIFY("when { context.cluster.regions.contains(ResourcePolicy::Region::\"aws:eu-west-1\") }"), 200 },
  { "PATCH", "/groups/%G/clusters/Main", "{" SPECS(R_("EU_WEST_1", "M40", "")) "}", SMALL, 200 },
  { "PATCH", "/groups/%G/clusters/Main", "{" SPECS(R_("EU_WEST_1", "M30", "," SCALING)) "}", SMALL, 200 },
  { "PATCH", "/groups/%G/clusters/Main", "{\"clusterType\":\"SHARDED\"}", MODIFY("when { context.cluster.isConvertingToSharded }"), 200 },
  { "PATCH", "/groups/%G/clusters/Main", "{\"advancedConfiguration\":{\"minimumEnabledTlsProtocol\":\"TLS1_0\"}}", NEW_TLS, 200 },
  { "PATCH", "/groups/%G/clusters/Main/processArgs", "{\"minimumEnabledTlsProtocol\":\"TLS1_1\"}", NEW_TLS, 200 },
  { "PATCH", "/groups/%G/clusters/Old", "{\"dbMajorVersion\":\"8.0\"}", MODIFY("when { context.cluster.dbMajorVersion == \"8.0\" }"), 200 },
  { "PATCH", "/groups/%G/clusters/Old", "{" SPECS("{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{"
    "\"instanceSize\":\"M30\",\"nodeCount\":3,\"diskSizeGB\":200}}") "}", MODIFY("when { context.cluster.diskSizeGB > 100 }"), 200 },
  { "POST", "/groups/%G/clusters/tenantUpgrade", "{\"name\":\"Shared\",\"providerSettings\":{\"instanceSizeName\":\"M10\",\"providerName\":\"AWS\","
    "\"regionName\":\"US_EAST_1\"}}", ONLY_EUROPE, 200 },
  { "POST", "/groups/%G/flexClusters", FLEX("F2"), ONLY_EUROPE, 201 },
  { "POST", "/groups/%G/flexClusters", FLEX("F3"), NO_AWS, 201 },
  { "POST", "/groups/%G/flexClusters", FLEX("F4"), MODIFY("unless { context.cluster.dbMajorVersion == \"6.0\" }"), 201 },
  { "POST", "/groups/%G/flexClusters", FLEX("F5"), MODIFY("when { context.cluster.diskSizeGB > 4 }"), 201 },
  { "POST", "/groups/%G/flexClusters", FLEX("F6"), MODIFY("unless { context.cluster.minTLSVersion == ResourcePolicy::TLSVersion::\"tls1_3\" }"), 201 },
  { "PATCH", "/groups/%G/flexClusters/Flex", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}", NO_AWS, 200 },
  { "POST", "/groups/%G/flexClusters:tenantUpgrade", C_("Flex", ""), ONLY_EUROPE, 200 },

  /* the access list: added and removed entries */
  { "POST", "/groups/%G/accessList", "[{\"ipAddress\":\"192.0.2.9\"},{\"cidrBlock\":\"0.0.0.0/0\"}]",
    LIST("when { context.project.ipAccessList.contains(ip(\"0.0.0.0/0\")) }"), 201 },
  { "POST", "/groups/%G/accessList", "[{\"ipAddress\":\"192.0.2.9\",\"comment\":\"again\"}]", LIST(""), 201 },
  { "DELETE", "/groups/%G/accessList/0.0.0.0%2F0", NULL, LIST(""), 204 },
  { "DELETE", "/groups/%G/accessList/192.0.2.9", NULL, LIST("unless { context.project.ipAccessList.contains(ip(\"192.0.2.9\")) }"), 204 },
  { "DELETE", "/groups/%G/accessList/192.0.2.1", NULL, LIST("when { context.project.ipAccessList.isEmpty() }"), 204 },

  /* the maintenance window */
  { "PATCH", "/groups/%G/maintenanceWindow", "{\"dayOfWeek\":2}", WINDOW(""), 200 },
  { "POST", "/groups/%G/maintenanceWindow/defer", NULL, WINDOW(""), 200 },
  { "POST", "/groups/%G/maintenanceWindow/autoDefer", NULL, WINDOW(""), 200 },
  { "DELETE", "/groups/%G/maintenanceWindow", NULL, WINDOW("unless { context.project.hasDefinedMaintenanceWindow }"), 204 },

  /* peering and private endpoints of every provider */
  { "POST", "/groups/%G/peers", "{\"containerId\":\"%K\",\"accepterRegionName\":\"us-east-1\",\"awsAccountId\":\"123456789012\","
    "\"routeTableCidrBlock\":\"192.168.1.0/24\",\"vpcId\":\"vpc-0123456789abcdef1\"}", PEERING(OF_AWS), 202 },
  { "PATCH", "/groups/%G/peers/%P", "{\"routeTableCidrBlock\":\"192.168.7.0/24\"}", PEERING(OF_AWS), 200 },
  { "PATCH", "/groups/%G/privateIpMode", "{\"enabled\":true}", PEERING(""), 200 },
  { "POST", "/groups/%G/privateEndpoint/endpointService", "{\"providerName\":\"AWS\",\"region\":\"EU_WEST_2\"}", ENDPOINT(OF_AWS), 201 },
  { "PATCH", "/groups/%G/privateEndpoint/endpointService/%S", "{\"cloudProvider\":\"AWS\",\"supportedRemoteRegions\":[\"EU_WEST_2\"]}", ENDPOINT(OF_AWS), 200 },
  { "POST", "/groups/%G/privateEndpoint/AWS/endpointService/%S/endpoint", "{\"id\":\"vpce-0123456789abcdef0\"}", ENDPOINT(OF_AWS), 202 },
  { "PATCH", "/groups/%G/privateEndpoint/regionalMode", "{\"enabled\":true}", ENDPOINT(""), 202 },
  { "POST", "/groups/%G/privateNetworkSettings/endpointIds", "{\"endpointId\":\"vpce-0123456789abcdef0\"}", ENDPOINT(OF_AWS), 201 },
  { "POST", "/groups/%G/backup/AWS/privateEndpoints", "{\"regionName\":\"US_EAST_1\"}", ENDPOINT(OF_AWS), 202 },
  { "POST", "/groups/%G/encryptionAtRest/AWS/privateEndpoints", "{\"regionName\":\"US_EAST_1\"}", ENDPOINT(OF_AWS), 202 },
  { "POST", "/groups/%G/streams/privateLinkConnections",
    "{\"provider\":\"AWS\",\"vendor\":\"CONFLUENT\",\"region\":\"us-east-1\",\"dnsDomain\":\"abc.us-east-1.aws.example.com\","
    "\"serviceEndpointId\":\"com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0\"}", ENDPOINT(OF_AWS), 202 },
};

typedef struct operations_world {
  t_service t;
  const char *org, *other, *group, *container, *service, *peer;
} operations_world;

/* Returns the text with its placeholders replaced, in memory of the service. */
static const char *filled(operations_world *w, const char *text)
{
  svc_buf b = svc_buf_new(&w->t.arena, 512);
  if (!text) return NULL;
  for (; *text; text++) {
    const char *value = NULL;
    if (*text == '%')
      value = text[1] == 'G' ? w->group : text[1] == 'K' ? w->container : text[1] == 'S' ? w->service : text[1] == 'P' ? w->peer
                                                                                      : text[1] == 'O' ? w->other : NULL;
    if (value) svc_buf_text(&b, value), text++;
    else svc_buf_add(&b, text, 1);
  }
  return t_keep(&w->t, svc_buf_done(&b).p);
}

static int at(operations_world *w, const char *method, const char *path, const char *body)
{
  return t_send(&w->t, method, filled(w, path), filled(w, body));
}

static void good(operations_world *w, const char *method, const char *path, const char *body, int status)
{
  if (at(w, method, path, body) != status) munit_errorf("%s %s: %d %s", method, path, w->t.response.status, w->t.response.body);
}

static const char *policy_of(t_service *t, const char *org, const char *text)
{
  svc_buf b = svc_buf_new(&t->arena, 512);
  svc_buf_text(&b, "{\"name\":\"the rule\",\"policies\":[{\"body\":");
  svc_json_escape(&b, svc_str_c(text));
  svc_buf_text(&b, "}]}");
  if (t_sendf(t, "POST", t_keep(t, svc_buf_done(&b).p), "/orgs/%s/resourcePolicies", org) != 201) munit_errorf("%s: %s", text, t->response.body);
  return t_keep(t, t_str(t, "id"));
}

static void policy_gone(t_service *t, const char *org, const char *id)
{
  munit_assert_int(t_sendf(t, "DELETE", NULL, "/orgs/%s/resourcePolicies/%s", org, id), ==, 200);
}

static void refused(operations_world *w, const char *method, const char *path, const char *body)
{
  uint64_t print;
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  print = store_print(w->t.s);
  good(w, method, path, body, 403);
  munit_assert_string_equal(t_error(&w->t), "RESOURCE_POLICIES_VIOLATION_NOT_AUTHORIZED");
  munit_assert_string_equal(t_param(&w->t, 0), "the rule");
  if (store_print(w->t.s) != print) munit_errorf("%s %s has changed something", method, path);
}

static void operations_open(operations_world *w)
{
  static const svc_config config = { .limiter_off = 1, .provision_ms = 1000 };
  memset(w, 0, sizeof *w);
  t_open(&w->t, &config);
  w->org = t_organization(&w->t, "Acme");
  w->other = t_organization(&w->t, "Other");
  w->group = t_project(&w->t, w->org, "alpha");
}

/* Creates the resources that the operations of the table need. */
static void operations_furnish(operations_world *w)
{
  good(w, "POST", "/groups/%G/clusters", C_("Main", ""), 201);
  good(w, "POST", "/groups/%G/clusters", C_("Old", ",\"dbMajorVersion\":\"7.0\""), 201);
  good(w, "POST", "/groups/%G/clusters", "{\"name\":\"Shared\",\"clusterType\":\"REPLICASET\"," SPECS("{\"providerName\":\"TENANT\","
       "\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M0\"}}") "}", 201);
  good(w, "POST", "/groups/%G/flexClusters", FLEX("Flex"), 201);
  good(w, "POST", "/groups/%G/accessList", "[{\"ipAddress\":\"192.0.2.1\"}]", 201);
  good(w, "GET", "/groups/%G/containers?providerName=AWS", NULL, 200);
  w->container = t_keep(&w->t, t_str(&w->t, "results[0].id"));
  good(w, "POST", "/groups/%G/peers", "{\"containerId\":\"%K\",\"accepterRegionName\":\"us-east-1\",\"awsAccountId\":\"123456789012\","
       "\"routeTableCidrBlock\":\"192.168.0.0/24\",\"vpcId\":\"vpc-0123456789abcdef0\"}", 202);
  w->peer = t_keep(&w->t, t_str(&w->t, "id"));
  good(w, "POST", "/groups/%G/privateEndpoint/endpointService", "{\"providerName\":\"AWS\",\"region\":\"US_EAST_1\"}", 201);
  w->service = t_keep(&w->t, t_str(&w->t, "id"));
  good(w, "PATCH", "/groups/%G/encryptionAtRest", "{\"awsKms\":{\"enabled\":true,\"customerMasterKeyID\":\"1111-2222\",\"region\":\"US_EAST_1\","
       "\"accessKeyID\":\"AKIAIOSFODNN7EXAMPLE\",\"secretAccessKey\":\"aws-secret-of-some-length\",\"requirePrivateNetworking\":true}}", 200);
  t_advance(&w->t, 60);
}

TEST(policy_operations, each)
{
  operations_world w;
  size_t i;
  operations_open(&w);
  operations_furnish(&w);
  for (i = 0; i < sizeof operations / sizeof operations[0]; i++) {
    const char *policy = policy_of(&w.t, w.org, operations[i].policy);
    if (strstr(operations[i].path, "/defer")) t_advance(&w.t, 3 * 86400); /* then maintenance is announced */
    refused(&w, operations[i].method, operations[i].path, operations[i].body);
    policy_gone(&w.t, w.org, policy);
    good(&w, operations[i].method, operations[i].path, operations[i].body, operations[i].status);
    t_advance(&w.t, 60);
  }
  t_close(&w.t);
}

/* Only a driver knows the VPC peering connections of stream workspaces. */
TEST(policy_operations, streams)
{
#define PEERING_ONE "/vpcPeeringConnections/5f00000000000000000000c1"
  static const char who[] = "{\"requesterAccountId\":\"111111111111\",\"requesterVpcId\":\"vpc-1\"}";
  stream_world w;
  const char *policy;
  uint64_t print;
  stream_open(&w, true);
  t_driver_answers(&w.driver, "", "[{\"_id\":\"5f00000000000000000000c1\",\"name\":\"pcx-1\",\"cloudStatus\":\"pending-acceptance\","
           "\"requesterAccountId\":\"111111111111\",\"requesterVpcId\":\"vpc-1\",\"requesterCidr\":\"10.0.0.0/16\"}]");
  policy = policy_of(&w.t, w.org, PEERING(OF_AWS));
  print = store_print(w.t.s);
  stream_expect(&w, stream_call(&w, "POST", PEERING_ONE ":accept", who), 403, "RESOURCE_POLICIES_VIOLATION_NOT_AUTHORIZED");
  munit_assert_string_equal(t_param(&w.t, 0), "the rule");
  munit_assert_uint64(store_print(w.t.s), ==, print);
  stream_expect(&w, stream_call(&w, "POST", PEERING_ONE ":reject", NULL), 202, NULL); /* a rejection is allowed */
  stream_order(&w, "peering.reject", SVC_OK, NULL);
  policy_gone(&w.t, w.org, policy);
  stream_expect(&w, stream_call(&w, "POST", PEERING_ONE ":accept", who), 202, NULL);
  stream_order(&w, "peering.accept", SVC_OK, NULL);
  policy_of(&w.t, w.org, PEERING(OF_AWS));
  stream_expect(&w, stream_call(&w, "DELETE", PEERING_ONE, NULL), 202, NULL); /* and so is a delete */
  t_close(&w.t);
}

/* A project moves to an organization with all of its resources. */
TEST(policy_operations, move)
{
  static const char *const policies[] = { ONLY_EUROPE, MODIFY("when { context.cluster.diskSizeGB < 6 }"), LIST("unless { context.project.ipAccessList.isEmpty() }"),
                                          WINDOW("unless { context.project.hasDefinedMaintenanceWindow }"), PEERING(OF_AWS), ENDPOINT(OF_AWS) };
  static const char there[] = "{\"destinationOrgId\":\"%O\"}", back[] = "{\"destinationOrgId\":\"%O\"}";
  operations_world w;
  const char *policy;
  size_t i;
  operations_open(&w);
  operations_furnish(&w);
  for (i = 0; i < sizeof policies / sizeof policies[0]; i++) {
    policy = policy_of(&w.t, w.other, policies[i]);
    refused(&w, "POST", "/groups/%G:migrate", there);
    policy_gone(&w.t, w.other, policy);
  }
  policy_of(&w.t, w.other, MODIFY("when { context.cluster.cloudProviders.contains(ResourcePolicy::CloudProvider::\"gcp\") }"));
  policy_of(&w.t, w.org, NO_AWS); /* policies of the organization that the project leaves do not count */
  good(&w, "POST", "/groups/%G:migrate", there, 200);
  w.other = w.org;
  refused(&w, "POST", "/groups/%G:migrate", back);
  t_close(&w.t);
}

/* A noncompliant project may come closer to compliance. Actions on a cluster, such as restarts and pins, are no changes of the
** cluster. */
TEST(policy_operations, nearer)
{
  operations_world w;
  operations_open(&w);
  operations_furnish(&w);
  good(&w, "POST", "/groups/%G/accessList", "[{\"cidrBlock\":\"10.0.0.0/8\"},{\"cidrBlock\":\"11.0.0.0/8\"}]", 201);
  policy_of(&w.t, w.org, LIST("unless { [ip(\"192.0.2.1\")].containsAll(context.project.ipAccessList) }"));
  refused(&w, "POST", "/groups/%G/accessList", "[{\"cidrBlock\":\"10.0.0.0/8\",\"comment\":\"c\"}]");
  good(&w, "DELETE", "/groups/%G/accessList/10.0.0.0%2F8", NULL, 204); /* the other forbidden entry is still there */
  good(&w, "DELETE", "/groups/%G/accessList/11.0.0.0%2F8", NULL, 204);
  refused(&w, "POST", "/groups/%G/accessList", "[{\"awsSecurityGroup\":\"sg-0a1b\"},{\"ipAddress\":\"192.0.2.2\"}]");
  good(&w, "POST", "/groups/%G/accessList", "[{\"awsSecurityGroup\":\"sg-0a1b\"}]", 201); /* no address: the policy does not apply */
  good(&w, "DELETE", "/groups/%G/peers/%P", NULL, 202);
  t_advance(&w.t, 60);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"two\",\"policies\":[{\"body\":\"forbid (principal, action == ResourcePolicy::Action::\\\"cluster.modify\\\", resource);\"}]}",
                           "/orgs/%s/resourcePolicies", w.org), ==, 201);
  good(&w, "PATCH", "/groups/%G/clusters/Main", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}", 403);
  good(&w, "POST", "/groups/%G/clusters/Main:grantVendorEmployeeAccess", "{\"expirationTime\":\"2099-01-01T00:00:00Z\",\"grantType\":\"CLUSTER_DATABASE_LOGS\"}", 204);
  good(&w, "POST", "/groups/%G/clusters/Main:revokeVendorEmployeeAccess", NULL, 204);
  good(&w, "POST", "/groups/%G/clusters/Main:pinFeatureCompatibilityVersion", "{}", 204);
  good(&w, "POST", "/groups/%G/clusters/Main:unpinFeatureCompatibilityVersion", NULL, 204);
  good(&w, "POST", "/groups/%G/clusters/Main/restartPrimaries", NULL, 200);
  t_advance(&w.t, 60);
  good(&w, "DELETE", "/groups/%G/clusters/Main", NULL, 202);
  t_close(&w.t);
}

/* A project is noncompliant because of its peering connections and private endpoints, too. A policy is listed once, even if
** several resources violate it. */
TEST(policy_operations, found)
{
  operations_world w;
  operations_open(&w);
  operations_furnish(&w);
  policy_of(&w.t, w.org, "forbid (principal, action in [" ACTION("project.vpcPeering.modify") ", " ACTION("project.privateEndpoint.modify") "], resource);");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/orgs/%s/nonCompliantResources", w.org), ==, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "[0].resourceType"), "PROJECT");
  munit_assert_size(t_count(&w.t, "[0].resourcePoliciesCausingNonCompliance"), ==, 1);
  munit_assert_size(t_count(&w.t, "[0].resourcePoliciesCausingNonCompliance[0].policiesCausingNonCompliance"), ==, 1);
  t_close(&w.t);
}

/* A damaged record with the version "8.0" instead of "8.0.x" counts as major version 8.0. */
TEST(policy_operations, short_version)
{
  char whole[32], part[32];
  operations_world w;
  operations_open(&w);
  good(&w, "POST", "/groups/%G/flexClusters", FLEX("Flex"), 201);
  t_advance(&w.t, 60);
  policy_of(&w.t, w.org, MODIFY("when { context.cluster.dbMajorVersion == \"8.0\" }"));
  refused(&w, "PATCH", "/groups/%G/flexClusters/Flex", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}");
  good(&w, "GET", "/groups/%G/flexClusters/Flex", NULL, 200);
  snprintf(whole, sizeof whole, "\"%s\"", t_str(&w.t, "dbVersion"));
  snprintf(part, sizeof part, "%-*s", (int)strlen(whole), "\"8.0\"");
  damaged_body(&w.t, "flex cluster", w.group, NULL, whole, part);
  refused(&w, "PATCH", "/groups/%G/flexClusters/Flex", "{\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]}");
  t_close(&w.t);
}

/* The number of clusters in a project is also known in a build without flex clusters. */
TEST(policy_operations, without_flex)
{
  static const char *const without[] = { "flex cluster", NULL };
  operations_world w;
  t_without(without);
  operations_open(&w);
  policy_of(&w.t, w.org, MODIFY("when { context.project.clustersInProject > 1 }"));
  good(&w, "POST", "/groups/%G/clusters", C_("One", ""), 201);
  refused(&w, "POST", "/groups/%G/clusters", C_("Two", ""));
  t_close(&w.t);
  t_without(NULL);
}

/* --------------------------------------------------------------------------------------------------------------- steps */

/* A project with 200 entries in its access list (the default limit), and a policy with 190 addresses: the cost estimate of a
** policy is not less than the steps that it takes. A policy that compares such sets repeatedly is refused. */
TEST(policy_operations, steps)
{
  static const char self[] = "context.project.ipAccessList == context.project.ipAccessList";
  svc_arena arena;
  svc_buf list, policy;
  svc_policy *read;
  svc_node *context;
  svc_str why, text;
  size_t i, steps;
  svc_arena_init(&arena, NULL);
  list = svc_buf_new(&arena, 8192);
  policy = svc_buf_new(&arena, 8192);
  svc_buf_text(&list, "{\"project\":{\"ipAccessList\":[");
  svc_buf_text(&policy, "forbid (principal, action == " ACTION("project.ipAccessList.modify") ", resource) when { context.project.ipAccessList.containsAll([");
  for (i = 0; i < 200; i++) {
    svc_buf_text(&list, svc_arena_print(&arena, "%s\"10.0.0.%zu\"", i ? "," : "", i).p);
    if (i < 190) svc_buf_text(&policy, svc_arena_print(&arena, "%sip(\"10.0.0.%zu\")", i ? "," : "", 199 - i).p);
  }
  svc_buf_text(&list, "]}}");
  svc_buf_text(&policy, "]) };");
  context = svc_json_parse(&arena, svc_buf_done(&list));
  read = svc_policy_read(&arena, svc_buf_done(&policy), &why);
  if (!read) munit_error(why.p);
  munit_assert_true(svc_policy_forbids(read, SVC_POLICY_ACCESS_LIST, SVC_S(""), SVC_S(""), context, &steps));
  munit_assert_size(steps, >, 190 * 10);
  munit_assert_size(steps, <=, read->steps);
  munit_assert_size(read->steps, <=, 40000);
  policy = svc_buf_new(&arena, 8192);
  svc_buf_text(&policy, "forbid (principal, action == " ACTION("project.ipAccessList.modify") ", resource) when { ");
  for (i = 0; i < 50; i++) svc_buf_text(&policy, svc_arena_print(&arena, "%s%s", i ? " && " : "", self).p);
  svc_buf_text(&policy, " };");
  text = svc_buf_done(&policy);
  munit_assert_size(text.n, <, SVC_POLICY_BODY);
  munit_assert_null(svc_policy_read(&arena, text, &why));
  if (!strstr(why.p, "too many steps")) munit_error(why.p);
  svc_blocks_free(arena.blocks);
}

/*
** Peering connections: the states of each provider by the clock, the networks that they can connect, and a driver that
** fails.
*/
#include "damaged.h"
#include "mechanism/probe.h"
#include "needs.h"
#include "network_world.h"

T_NEEDS(peer) = {
  T_REFERENCE("peering connection", "containerId", SVC_POST, "/groups/{groupId}/peers", NULL, 0, NULL),
  T_NEEDS_END
};

#define AWS_CONTAINER "{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"svcCidrBlock\":\"10.8.0.0/21\"}"
#define AZURE_CONTAINER "{\"providerName\":\"AZURE\",\"region\":\"US_EAST\"}"
#define GCP_CONTAINER "{\"providerName\":\"GCP\"}"
#define STEP 1 /* second: a tenth of the time that a cluster takes */

/* Checks that the connection goes through these states, one step at a time. */
static void peer_walk(n_world *w, const char *at, const char *field, const char *const *states)
{
  for (; *states; states++) {
    munit_assert_string_equal(n_get(w, at, field), *states);
    t_advance(&w->t, STEP);
  }
}

TEST(peer, aws)
{
  static const char *const making[] = { "INITIATING", "PENDING_ACCEPTANCE", "FINALIZING", "AVAILABLE", "AVAILABLE", NULL };
  static const char *const again[] = { "FINALIZING", "AVAILABLE", NULL };
  n_world w;
  const char *container, *at;
  n_open(&w, NULL);
  container = n_make(&w, "/containers", AWS_CONTAINER, NULL, 201);
  at = n_at(&w, "/peers", n_make(&w, "/peers", N_PEER_AWS("192.168.0.0/24", N_VPC_A), container, 202));
  munit_assert_string_equal(t_str(&w.t, "providerName"), "AWS");
  munit_assert_string_equal(t_str(&w.t, "status"), ""); /* the field of another provider */
  munit_assert_string_equal(t_str(&w.t, "connectionId"), "");
  munit_assert_string_equal(n_get(&w, n_at(&w, "/containers", container), "provisioned"), "true");
  peer_walk(&w, at, "statusName", making);
  munit_assert_int(strncmp(t_str(&w.t, "connectionId"), "pcx-", 4), ==, 0);
  munit_assert_int64(n_events(&w, "PEER_CREATED"), ==, 1);
  munit_assert_int64(n_events(&w, "PEER_UPDATED"), ==, 1);

  n_good(&w, "PATCH", at, "{\"routeTableCidrBlock\":\"192.168.1.0/24\"}", NULL, 200); /* only the routes */
  n_bad(&w, "PATCH", at, "{\"routeTableCidrBlock\":\"192.168.2.0/24\"}", NULL, 409, "PEER_INVALID_STATE"); /* only one change at a time */
  peer_walk(&w, at, "statusName", again);
  n_good(&w, "PATCH", at, "{\"vpcId\":\"vpc-" N_VPC_B "\"}", NULL, 200); /* another network: starts from the first state */
  munit_assert_string_equal(t_str(&w.t, "statusName"), "INITIATING");
  n_good(&w, "PATCH", at, "{\"vpcId\":\"vpc-" N_VPC_A "\"}", NULL, 200); /* part of the change in progress */
  t_advance(&w.t, STEP);
  n_bad(&w, "PATCH", at, "{\"vpcId\":\"vpc-" N_VPC_B "\"}", NULL, 409, "PEER_INVALID_STATE");
  n_good(&w, "PATCH", at, "{\"vpcId\":\"vpc-" N_VPC_A "\"}", NULL, 200); /* changes nothing */
  t_advance(&w.t, 60);
  munit_assert_string_equal(n_get(&w, at, "statusName"), "AVAILABLE");

  n_good(&w, "DELETE", at, NULL, NULL, 202);
  munit_assert_string_equal(n_get(&w, at, "statusName"), "TERMINATING");
  n_bad(&w, "DELETE", at, NULL, NULL, 409, "PEER_ALREADY_REQUESTED_DELETION");
  n_bad(&w, "PATCH", at, "{\"vpcId\":\"vpc-" N_VPC_B "\"}", NULL, 409, "PEER_ALREADY_REQUESTED_DELETION");
  t_advance(&w.t, STEP);
  n_bad(&w, "GET", at, NULL, NULL, 404, "PEER_NOT_FOUND");
  munit_assert_int64(n_events(&w, "PEER_DELETED"), ==, 1);
  munit_assert_int64(n_events(&w, "AZURE_PEER_DELETED"), ==, 0);
  munit_assert_string_equal(n_get(&w, n_at(&w, "/containers", container), "provisioned"), "false");
  store_whole(w.t.s);
  t_close(&w.t);
}

TEST(peer, others)
{
  static const char *const azure[] = { "ADDING_PEER", "AVAILABLE", "AVAILABLE", NULL };
  static const char *const gcp[] = { "ADDING_PEER", "WAITING_FOR_USER", "AVAILABLE", "AVAILABLE", NULL };
  static const struct {
    const char *provider, *container, *body, *change;
    const char *const *states;
  } rows[] = {
    { "AZURE", AZURE_CONTAINER, N_PEER_AZURE("net-a"), "{\"vnetName\":\"net-b\"}", azure },
    { "GCP", GCP_CONTAINER, N_PEER_GCP("net-a"), "{\"networkName\":\"net-b\"}", gcp },
  };
  size_t i;
  for (i = 0; i < 2; i++) {
    static const char *const types[] = { "CREATED", "ACTIVE", "UPDATED", "DELETED" };
    static const int64_t many[] = { 1, 2, 2, 1 };
    char type[64], list[64];
    const char *at;
    size_t k;
    n_world w;
    n_open(&w, NULL);
    at = n_at(&w, "/peers", n_make(&w, "/peers", rows[i].body, n_make(&w, "/containers", rows[i].container, NULL, 201), 202));
    munit_assert_string_equal(t_str(&w.t, "statusName"), "");
    peer_walk(&w, at, "status", rows[i].states);
    n_good(&w, "PATCH", at, rows[i].change, NULL, 200);
    peer_walk(&w, at, "status", rows[i].states);
    munit_assert_string_equal(n_get(&w, "/peers", "totalCount"), "0"); /* without providerName, the list has only AWS */
    snprintf(list, sizeof list, "/peers?providerName=%s", rows[i].provider);
    munit_assert_string_equal(n_get(&w, list, "results[0].status"), "AVAILABLE");
    n_good(&w, "DELETE", at, NULL, NULL, 202);
    munit_assert_string_equal(n_get(&w, at, "status"), "DELETING");
    t_advance(&w.t, STEP);
    n_good(&w, "GET", at, NULL, NULL, 404);
    for (k = 0; k < 4; k++) {
      snprintf(type, sizeof type, "%s_PEER_%s", rows[i].provider, types[k]);
      munit_assert_int64(n_events(&w, type), ==, many[k]);
    }
    t_close(&w.t);
  }
}

TEST(peer, refused)
{
  n_world w;
  const char *aws, *west, *azure, *other, *at;
  int i;
  n_open(&w, NULL);
  aws = n_make(&w, "/containers", AWS_CONTAINER, NULL, 201);
  azure = n_make(&w, "/containers", AZURE_CONTAINER, NULL, 201);
  n_bad(&w, "POST", "/peers", N_PEER_AWS("192.168.0.0/24", N_VPC_A), "5f5f5f5f5f5f5f5f5f5f5f5f", 404,
        "CLOUD_PROVIDER_CONTAINER_NOT_FOUND");
  n_bad_field(&w, "POST", "/peers", N_PEER_AWS("192.168.0.0/24", N_VPC_A), azure, "containerId");
  n_bad_field(&w, "POST", "/peers", N_PEER_AZURE("net"), aws, "containerId");
  n_bad_field(&w, "POST", "/peers", N_PEER_AWS("192.168.0.0/24", "12"), aws, "vpcId");
  n_bad_field(&w, "POST", "/peers", N_PEER_AWS("192.168.0.1/24", N_VPC_A), aws, "routeTableCidrBlock");
  n_bad_field(&w, "POST", "/peers", N_PEER_AWS("192.168.0.0", N_VPC_A), aws, "routeTableCidrBlock");
  n_bad(&w, "POST", "/peers", N_PEER_AWS("10.8.4.0/24", N_VPC_A), aws, 409, "OVERLAPPING_CIDR_BLOCK"); /* the container's own block */
  n_bad_field(&w, "POST", "/peers",
              "{\"containerId\":\"%s\",\"accepterRegionName\":\"nowhere\",\"awsAccountId\":\"123456789012\","
              "\"routeTableCidrBlock\":\"192.168.0.0/24\",\"vpcId\":\"vpc-" N_VPC_A "\"}", aws, "accepterRegionName");
  n_bad_field(&w, "POST", "/peers", "{\"containerId\":\"%s\"}", aws, "awsAccountId");
  n_bad_field(&w, "POST", "/peers", "{\"providerName\":\"AZURE\",\"containerId\":\"%s\"}", azure, "azureDirectoryId");

  at = n_at(&w, "/peers", n_make(&w, "/peers", N_PEER_AWS("192.168.0.0/24", N_VPC_A), aws, 202));
  n_bad(&w, "POST", "/peers", N_PEER_AWS("192.168.9.0/24", N_VPC_A), aws, 409, "PEER_ALREADY_EXISTS");
  munit_assert_string_equal(t_param(&w.t, 0), "vpc-" N_VPC_A);
  n_bad(&w, "POST", "/peers", N_PEER_AWS("192.168.0.128/25", N_VPC_B), aws, 409, "OVERLAPPING_CIDR_BLOCK");
  other = n_at(&w, "/peers", n_make(&w, "/peers", N_PEER_AWS("192.168.1.0/24", N_VPC_B), aws, 202));
  n_bad(&w, "PATCH", other, "{\"vpcId\":\"vpc-" N_VPC_A "\"}", NULL, 409, "PEER_ALREADY_EXISTS");
  n_bad(&w, "PATCH", other, "{\"routeTableCidrBlock\":\"192.168.0.0/16\"}", NULL, 409, "OVERLAPPING_CIDR_BLOCK");
  n_bad_field(&w, "PATCH", other, "{\"containerId\":\"%s\"}", azure, "containerId");
  n_bad_field(&w, "PATCH", other, "{\"statusName\":\"AVAILABLE\"}", NULL, "statusName");
  n_bad_field(&w, "PATCH", other, "{\"providerName\":\"GCP\"}", NULL, "providerName");

  /* the same routes are allowed for another container; a container without peers can be deleted */
  west = n_make(&w, "/containers", "{\"providerName\":\"AWS\",\"regionName\":\"US_WEST_1\",\"svcCidrBlock\":\"10.9.0.0/21\"}", NULL, 201);
  n_good(&w, "DELETE", n_at(&w, "/containers", west), NULL, NULL, 204);
  west = n_make(&w, "/containers", "{\"providerName\":\"AWS\",\"regionName\":\"US_WEST_1\",\"svcCidrBlock\":\"10.9.0.0/21\"}", NULL, 201);
  n_good(&w, "DELETE", n_at(&w, "/peers", n_make(&w, "/peers", N_PEER_AWS("192.168.0.0/24", N_VPC_A), west, 202)), NULL, NULL, 202);
  t_advance(&w.t, 60);

  /* the error names the peer in use; the container can be deleted after its last peer */
  n_bad(&w, "DELETE", n_at(&w, "/containers", aws), NULL, NULL, 409, "CONTAINERS_IN_USE");
  N_SAYS(&w, strrchr(at, '/') + 1);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, "/groups/%s", w.group), ==, 409);
  munit_assert_string_equal(t_error(&w.t), "CANNOT_CLOSE_GROUP_ACTIVE_PEERING_CONNECTIONS");
  n_good(&w, "DELETE", at, NULL, NULL, 202);
  t_advance(&w.t, 60);
  n_bad(&w, "DELETE", n_at(&w, "/containers", aws), NULL, NULL, 409, "CONTAINERS_IN_USE");
  N_SAYS(&w, strrchr(other, '/') + 1);
  n_good(&w, "DELETE", other, NULL, NULL, 202);
  t_advance(&w.t, 60);
  n_good(&w, "DELETE", n_at(&w, "/containers", aws), NULL, NULL, 204);

  for (i = 0; i < 50; i++) { /* a project has at most 50 peers */
    char body[512];
    snprintf(body, sizeof body, "{\"providerName\":\"AZURE\",\"containerId\":\"%s\",\"azureDirectoryId\":"
             "\"11111111-1111-4111-8111-111111111111\",\"azureSubscriptionId\":\"22222222-2222-4222-8222-222222222222\","
             "\"resourceGroupName\":\"rg\",\"vnetName\":\"net%d\"}", azure, i);
    n_good(&w, "POST", "/peers", body, NULL, 202);
  }
  n_bad(&w, "POST", "/peers", N_PEER_AZURE("one-more"), azure, 403, "TOO_MANY_RESOURCES");
  t_close(&w.t);
}

/* The body of a GET can be sent back in every state. */
TEST(peer, sent_back)
{
  static const struct {
    const char *container, *body;
  } rows[] = { { AWS_CONTAINER, N_PEER_AWS("192.168.0.0/24", N_VPC_A) }, { AZURE_CONTAINER, N_PEER_AZURE("net") },
               { GCP_CONTAINER, N_PEER_GCP("net") } };
  n_world w;
  size_t i;
  int step;
  n_open(&w, NULL);
  for (i = 0; i < 3; i++) {
    const char *at = n_at(&w, "/peers", n_make(&w, "/peers", rows[i].body, n_make(&w, "/containers", rows[i].container, NULL, 201), 202));
    for (step = 0; step < 5; step++) {
      char shown[4096];
      uint64_t print;
      n_good(&w, "GET", at, NULL, NULL, 200);
      snprintf(shown, sizeof shown, "%s", w.t.response.body);
      print = store_print(w.t.s);
      n_good(&w, "PATCH", at, shown, NULL, 200);
      munit_assert_string_equal(w.t.response.body, shown);
      munit_assert_uint64(store_print(w.t.s), ==, print);
      t_advance(&w.t, STEP);
    }
  }
  t_close(&w.t);
}

/* A driver's reason for a failure is shown in the fields of each provider. */
TEST(peer, driver)
{
  t_driver d;
  svc_config config = { .driver = t_driver_init(&d) };
  n_world w;
  const char *at;
  n_open(&w, &config);
  at = n_at(&w, "/peers", n_make(&w, "/peers", N_PEER_AWS("192.168.0.0/24", N_VPC_A), n_make(&w, "/containers", AWS_CONTAINER, NULL, 201), 202));
  t_advance(&w.t, 3600); /* time alone changes no state */
  munit_assert_string_equal(n_get(&w, at, "statusName"), "INITIATING");
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  /* the order has both sides */
  munit_assert_not_null(strstr(t_driver_order(&d, "peering.")->desired, "\"svcCidrBlock\":\"10.8.0.0/21\""));
  munit_assert_not_null(strstr(t_driver_order(&d, "peering.")->desired, "192.168.0.0/24"));
  t_driver_finish(&d, w.t.s, "peering.create", SVC_OK, "{\"connectionId\":\"pcx-77\"}");
  munit_assert_string_equal(n_get(&w, at, "statusName"), "PENDING_ACCEPTANCE");
  munit_assert_string_equal(t_str(&w.t, "connectionId"), "pcx-77");
  t_driver_finish(&d, w.t.s, "peering.accept", SVC_IO, "{\"reason\":\"REJECTED\"}");
  munit_assert_string_equal(n_get(&w, at, "statusName"), "FAILED");
  munit_assert_string_equal(t_str(&w.t, "errorStateName"), "REJECTED");
  munit_assert_int64(n_events(&w, "PEER_UPDATED"), ==, 1);
  n_good(&w, "PATCH", at, "{\"awsAccountId\":\"210987654321\"}", NULL, 200); /* starts from the first state */
  munit_assert_string_equal(t_str(&w.t, "statusName"), "INITIATING");
  munit_assert_string_equal(t_str(&w.t, "errorStateName"), "");
  t_driver_finish(&d, w.t.s, "peering.create", SVC_IO, "{\"reason\":\"no such account\"}");
  munit_assert_string_equal(n_get(&w, at, "errorStateName"), "INVALID_ARGUMENT"); /* the API has only three error states */
  n_good(&w, "PATCH", at, "{\"awsAccountId\":\"123456789012\"}", NULL, 200);
  t_driver_finish(&d, w.t.s, "peering.create", SVC_OK, NULL);
  t_driver_finish(&d, w.t.s, "peering.accept", SVC_OK, NULL);
  t_driver_finish(&d, w.t.s, "peering.finalize", SVC_OK, NULL);
  munit_assert_string_equal(n_get(&w, at, "statusName"), "AVAILABLE");
  n_good(&w, "DELETE", at, NULL, NULL, 202);
  t_driver_finish(&d, w.t.s, "peering.delete", SVC_IO, NULL);
  munit_assert_string_equal(n_get(&w, at, "statusName"), "FAILED");
  n_good(&w, "DELETE", at, NULL, NULL, 202);
  t_driver_finish(&d, w.t.s, "peering.delete", SVC_OK, NULL);
  n_good(&w, "GET", at, NULL, NULL, 404);

  at = n_at(&w, "/peers", n_make(&w, "/peers", N_PEER_AZURE("net"), n_make(&w, "/containers", AZURE_CONTAINER, NULL, 201), 202));
  t_driver_finish(&d, w.t.s, "peering.create", SVC_OK, NULL);
  munit_assert_string_equal(n_get(&w, at, "status"), "AVAILABLE"); /* a single order is enough */
  n_good(&w, "DELETE", at, NULL, NULL, 202);
  t_driver_finish(&d, w.t.s, "peering.delete", SVC_IO, "{\"reason\":\"the directory is locked\"}");
  munit_assert_string_equal(n_get(&w, at, "status"), "DELETION_FAILED");
  munit_assert_string_equal(t_str(&w.t, "errorState"), "the directory is locked");

  at = n_at(&w, "/peers", n_make(&w, "/peers", N_PEER_GCP("net"), n_make(&w, "/containers", GCP_CONTAINER, NULL, 201), 202));
  t_driver_finish(&d, w.t.s, "peering.create", SVC_OK, NULL);
  munit_assert_string_equal(n_get(&w, at, "status"), "WAITING_FOR_USER");
  t_driver_finish(&d, w.t.s, "peering.accept", SVC_IO, "{\"reason\":\"nobody answered\"}");
  munit_assert_string_equal(n_get(&w, at, "status"), "FAILED");
  munit_assert_string_equal(t_str(&w.t, "errorMessage"), "nobody answered");
  munit_assert_int64(n_events(&w, "GCP_PEER_UPDATED"), ==, 1);
  t_close(&w.t);
}

/* A connection whose damaged record has an unknown state stays in that state, is shown without a state, and can be deleted. */
TEST(peer, damaged)
{
  n_world w;
  const char *at;
  n_open(&w, NULL);
  at = n_at(&w, "/peers", n_make(&w, "/peers", N_PEER_AWS("192.168.0.0/24", N_VPC_A), n_make(&w, "/containers", AWS_CONTAINER, NULL, 201), 202));
  damaged_body(&w.t, "peering connection", w.group, NULL, "\"INITIATING\"", "\"initiating\"");
  t_advance(&w.t, 60);
  munit_assert_string_equal(n_get(&w, at, "statusName"), "");
  munit_assert_string_equal(t_str(&w.t, "vpcId"), "vpc-" N_VPC_A);
  munit_assert_int64(n_events(&w, "PEER_UPDATED"), ==, 0);
  n_good(&w, "DELETE", at, NULL, NULL, 202);
  munit_assert_string_equal(n_get(&w, at, "statusName"), "TERMINATING");
  t_advance(&w.t, STEP);
  n_bad(&w, "GET", at, NULL, NULL, 404, "PEER_NOT_FOUND");
  t_close(&w.t);
}

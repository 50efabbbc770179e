/*
** Shared helpers of the suites of networks: a project, a clock, and requests in one line, with paths below the
** project.
*/
#ifndef SVC_TEST_NETWORK_WORLD_H
#define SVC_TEST_NETWORK_WORLD_H

#include "driver.h"

#define N_REGION(provider, region, priority) \
  "{\"providerName\":\"" provider "\",\"regionName\":\"" region "\",\"priority\":" #priority \
  ",\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3}}"
#define N_CLUSTER(name, type, regions) \
  "{\"name\":\"" name "\",\"clusterType\":\"" type "\",\"replicationSpecs\":[{\"regionConfigs\":[" regions "]}]}"
#define N_AWS(name) N_CLUSTER(name, "REPLICASET", N_REGION("AWS", "US_EAST_1", 7))
#define N_PEER_AWS(block, vpc) \
  "{\"containerId\":\"%s\",\"accepterRegionName\":\"us-east-1\",\"awsAccountId\":\"123456789012\"," \
  "\"routeTableCidrBlock\":\"" block "\",\"vpcId\":\"vpc-" vpc "\"}"
#define N_PEER_AZURE(vnet) \
  "{\"providerName\":\"AZURE\",\"containerId\":\"%s\",\"azureDirectoryId\":\"11111111-1111-4111-8111-111111111111\"," \
  "\"azureSubscriptionId\":\"22222222-2222-4222-8222-222222222222\",\"resourceGroupName\":\"rg\",\"vnetName\":\"" vnet "\"}"
#define N_PEER_GCP(network) \
  "{\"providerName\":\"GCP\",\"containerId\":\"%s\",\"gcpProjectId\":\"customer-1\",\"networkName\":\"" network "\"}"
#define N_VPC_A "0123456789abcdef0"
#define N_VPC_B "0123456789abcdef1"
#define N_AZURE_ID(name) \
  "/subscriptions/22222222-2222-4222-8222-222222222222/resourceGroups/rg/providers/Microsoft.Network/privateEndpoints/" name

typedef struct n_world {
  t_service t;
  const char *org, *group;
  char path[1024];
} n_world;

static inline void n_open(n_world *w, const svc_config *changes)
{
  memset(w, 0, sizeof *w);
  t_open(&w->t, changes);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "alpha");
}

static inline int n_send(n_world *w, const char *method, const char *path, const char *body)
{
  snprintf(w->path, sizeof w->path, "/groups/%s%s", w->group, path);
  return t_send(&w->t, method, w->path, body);
}

/* Checks that the request has this status. In a body, %s stands for `id`. */
static inline void n_good(n_world *w, const char *method, const char *path, const char *body, const char *id, int status)
{
  char text[4096];
  if (body && id) snprintf(text, sizeof text, body, id);
  if (n_send(w, method, path, body && id ? text : body) != status)
    munit_errorf("%s %s: %d %s", method, w->path, w->t.response.status, w->t.response.body);
}

/* Checks that the request is refused with this code and changes nothing. */
static inline void n_bad(n_world *w, const char *method, const char *path, const char *body, const char *id, int status,
                         const char *code)
{
  uint64_t print;
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  print = store_print(w->t.s);
  n_good(w, method, path, body, id, status);
  munit_assert_string_equal(t_error(&w->t), code);
  munit_assert_uint64(store_print(w->t.s), ==, print);
}

/* Checks that the request is refused with status 400 and changes nothing. The error must name the field. */
static inline void n_bad_field(n_world *w, const char *method, const char *path, const char *body, const char *id,
                               const char *field)
{
  uint64_t print;
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  print = store_print(w->t.s);
  n_good(w, method, path, body, id, 400);
  if (!t_violation(&w->t, field)) munit_errorf("%s is not named: %s", field, w->t.response.body);
  munit_assert_uint64(store_print(w->t.s), ==, print);
}

/* Creates a resource. Returns its id. */
static inline const char *n_make(n_world *w, const char *path, const char *body, const char *id, int status)
{
  n_good(w, "POST", path, body, id, status);
  return t_keep(&w->t, t_str(&w->t, "id"));
}

/* Returns a path of two parts, in memory of the service. */
static inline const char *n_at(n_world *w, const char *front, const char *id)
{
  char text[1024];
  snprintf(text, sizeof text, "%s/%s", front, id);
  return t_keep(&w->t, text);
}

static inline const char *n_get(n_world *w, const char *path, const char *field)
{
  n_good(w, "GET", path, NULL, NULL, 200);
  return t_str(&w->t, field);
}

/* Returns the id of the only container of this provider. */
static inline const char *n_container(n_world *w, const char *provider)
{
  char path[128];
  snprintf(path, sizeof path, "/containers?providerName=%s", provider);
  n_good(w, "GET", path, NULL, NULL, 200);
  munit_assert_int64(t_int(&w->t, "totalCount"), ==, 1);
  return t_keep(&w->t, t_str(&w->t, "results[0].id"));
}

static inline int64_t n_events(n_world *w, const char *type)
{
  char path[128];
  snprintf(path, sizeof path, "/events?eventType=%s", type);
  n_good(w, "GET", path, NULL, NULL, 200);
  return t_int(&w->t, "totalCount");
}

/* Checks that the last answer contains this text. */
#define N_SAYS(w, text) munit_assert_not_null(strstr((w)->t.response.body, text))

#endif

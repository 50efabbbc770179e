/*
** Writes a store with the version of the library that it is compiled with. make.sh writes each format of the store with the last
** version that used it. Clock and random source are fixed, so the same version writes the same bytes.
**
** The program is compiled with headers of every version, so it uses only functions that all of them have. The program skips nouns
** and fields that a version lacks. formats_test.c reads the resources.
*/
#include "svcapi.h"

#include <stdio.h>
#include <string.h>

static int64_t make_clock(void *context)
{
  (void)context;
  return INT64_C(1748736000000); /* 2025-06-01 */
}

static int make_random(void *context, void *buffer, size_t size)
{
  uint32_t *state = context;
  unsigned char *p = buffer;
  while (size--) *p++ = (unsigned char)((*state = *state * 1664525u + 1013904223u) >> 24);
  return 0;
}

/* id: receives the id in the answer. */
static int make_send(svc *s, const char *method, const char *target, const char *body, char id[32])
{
  const svc_grant grant = { "ORG_OWNER", NULL };
  const svc_caller me = { .user_id = "5f0000000000000000000001", .username = "me@example.com", .grants = &grant, .grant_count = 1 };
  const svc_header json = { .name = "Content-Type", .value = "application/json" };
  svc_request request = { .method = method, .target = target, .headers = &json, .header_count = body != NULL, .body = body,
                          .body_length = body ? strlen(body) : 0, .caller = &me };
  svc_response response;
  const char *at;
  int status;
  svc_handle_request(s, &request, &response);
  status = response.status;
  at = response.body ? strstr(response.body, "\"id\":\"") : NULL;
  if (status < 300 && at && id) snprintf(id, 32, "%.24s", at + 6);
  fprintf(stderr, "%d %s\n", status, target);
  svc_response_free(&response);
  return status;
}

static int make_post(svc *s, const char *target, const char *body, char id[32])
{
  return make_send(s, "POST", target, body, id);
}

/* Credentials with roles on projects: two on one project, one on two projects, and one on a deleted project. */
static void make_roles(svc *s, const char *org, const char *group)
{
  char other[32] = "", gone[32] = "", key[32] = "", target[128], body[256];
  snprintf(body, sizeof body, "{\"name\":\"other\",\"orgId\":\"%s\"}", org);
  make_post(s, "/api/svc/v2/groups", body, other);
  snprintf(body, sizeof body, "{\"name\":\"gone\",\"orgId\":\"%s\"}", org);
  make_post(s, "/api/svc/v2/groups", body, gone);
  snprintf(target, sizeof target, "/api/svc/v2/orgs/%s/apiKeys", org);
  make_post(s, target, "{\"desc\":\"several\",\"roles\":[\"ORG_READ_ONLY\"]}", key);
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/apiKeys/%s", group, key);
  make_post(s, target, "[{\"roles\":[\"GROUP_OWNER\",\"GROUP_READ_ONLY\"]}]", NULL);
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/apiKeys/%s", other, key);
  make_post(s, target, "[{\"roles\":[\"GROUP_READ_ONLY\"]}]", NULL);
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/apiKeys/%s", gone, key);
  make_post(s, target, "[{\"roles\":[\"GROUP_OWNER\"]}]", NULL);
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/serviceAccounts", group);
  make_post(s, target, "{\"name\":\"builder\",\"description\":\"builds\",\"roles\":[\"GROUP_READ_ONLY\"],\"secretExpiresAfterHours\":8000}", NULL);
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s", gone);
  make_send(s, "DELETE", target, NULL, NULL);
}

int main(int argc, char **argv)
{
  uint32_t state = 1;
  svc_config config;
  svc_credentials credentials;
  char org[32] = "", group[32] = "", target[128], body[256];
  svc *s;
  if (argc != 3 && argc != 4) return 2;
  memset(&config, 0, sizeof config);
  memset(&credentials, 0, sizeof credentials);
  config.path = argv[1];
  config.clock = make_clock;
  config.random = make_random;
  config.random_context = &state;
  if (svc_open(&s, &config) != SVC_OK || svc_bootstrap(s, &credentials) != SVC_OK) return 1;
  if (make_post(s, "/api/svc/v2/orgs", "{\"name\":\"Acme\"}", org) >= 300) return 1;
  snprintf(body, sizeof body, "{\"name\":\"shop\",\"orgId\":\"%s\"}", org);
  if (make_post(s, "/api/svc/v2/groups", body, group) >= 300) return 1;
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/clusters", group);
  make_post(s, target, "{\"name\":\"main\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
            "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}", NULL);
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/databaseUsers", group);
  make_post(s, target, "{\"databaseName\":\"admin\",\"username\":\"app\",\"password\":\"not-a-secret-1\",\"roles\":[{\"roleName\":\"read\","
            "\"databaseName\":\"a\"}]}", NULL);
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/customDBRoles/roles", group);
  make_post(s, target, "{\"roleName\":\"reader\",\"actions\":[{\"action\":\"FIND\",\"resources\":[{\"db\":\"a\",\"collection\":\"b\"}]}]}", NULL);
  if (argc == 4) make_roles(s, org, group);
  if (svc_backup(s, argv[2]) != SVC_OK) return 1;
  svc_close(s);
  return 0;
}

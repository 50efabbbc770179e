/*
** A unit test of a client, with the real service in the same process: no socket, no sleep, the same answers on every run. The tested code
** is create_cluster(), a client that retries: replace it by your client.
**
**   cc -I. examples/test_control.c build/libsvcapi.a build/deps/mbedtls/library/libmbed{x509,crypto}.a -pthread && ./a.out
*/
#include "svcapi.h"

#undef NDEBUG /* the asserts are the test */
#include <assert.h>
#include <stdio.h>
#include <string.h>

static char group[32], body[65536]; /* the project, and the last answer's body */

static int call(svc *s, const char *method, const char *path, const char *text, int *lost)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller me = { "5f0000000000000000000001", "me@example.com", &owner, 1, 1 };
  static const svc_header headers[] = { { "Content-Type", "application/json", 0, 0 }, { "Idempotency-Key", "the-key-of-this-try", 0, 0 } };
  char target[256];
  svc_request request = { .method = method, .target = target, .headers = headers, .header_count = text ? 2 : 0,
                          .body = text, .body_length = text ? strlen(text) : 0, .caller = &me };
  svc_response response;
  int status;
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s%s", group, path);
  svc_handle_request(s, &request, &response);
  snprintf(body, sizeof body, "%s", response.body);
  status = response.status;
  if (lost) *lost = response.drop;
  svc_response_free(&response);
  return status;
}

/* The client retries after 503 and after a lost answer, with the same Idempotency-Key. */
static int create_cluster(svc *s)
{
  static const char cluster[] = "{\"name\":\"shop\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{"
    "\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}";
  int status = 0, lost = 1, tries;
  for (tries = 0; tries < 5 && (lost || status == 503); tries++) status = call(s, "POST", "/clusters", cluster, &lost);
  return status;
}

int main(void)
{
  svc_config config = { .manual_clock = 1893456000000, .seed = 1, .journal = 10 }; /* 2030-01-01T00:00:00Z */
  svc_fault busy = { .operation = "createCluster", .status = 503, .count = 2 };
  svc_fault lost = { .operation = "createCluster", .drop = SVC_DROP_AFTER, .count = 1 };
  svc_credentials first;
  svc_snapshot *empty;
  svc_response journal;
  svc *s;
  assert(svc_open(&s, &config) == SVC_OK);
  assert(svc_bootstrap(s, &first) == SVC_OK);
  strcpy(group, first.group_id);
  assert(svc_snapshot_take(s, &empty) == SVC_OK);

  assert(svc_fault_add(s, &busy, NULL) == SVC_OK && create_cluster(s) == 201); /* the client retries after 503 */
  assert(call(s, "GET", "/clusters/shop", NULL, NULL) == 200 && strstr(body, "\"stateName\":\"CREATING\""));
  assert(svc_clock_advance(s, 10000) == SVC_OK); /* ten seconds later, at once */
  assert(call(s, "GET", "/clusters/shop", NULL, NULL) == 200 && strstr(body, "\"stateName\":\"IDLE\""));

  assert(svc_snapshot_restore(s, empty) == SVC_OK); /* the next case starts from the empty store */
  assert(call(s, "GET", "/clusters/shop", NULL, NULL) == 404);
  assert(svc_fault_add(s, &lost, NULL) == SVC_OK && create_cluster(s) == 201); /* and after a lost answer */
  assert(call(s, "GET", "/clusters", NULL, NULL) == 200 && strstr(body, "\"totalCount\":1"));

  assert(svc_journal_read(s, 3, &journal) == SVC_OK && strstr(journal.body, "\"drop\":\"after\""));
  svc_response_free(&journal);
  svc_snapshot_free(empty);
  svc_close(s);
  puts("ok");
  return 0;
}

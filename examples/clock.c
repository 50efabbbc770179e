/*
** A host with its own clock: the program decides what time it is. A cluster that takes ten seconds to create is ready at once, and the
** events and bills of a month happen immediately. (A test that only needs to move the clock by hand sets svc_config.manual_clock:
** examples/test_control.c.)
**
**   cc -I. examples/clock.c build/libsvcapi.a build/deps/mbedtls/library/libmbed{x509,crypto}.a -pthread && ./a.out
*/
#include "svcapi.h"

#include <stdio.h>
#include <string.h>

static int64_t now(void *context)
{
  return *(const int64_t *)context;
}

static char body[65536];

static int ask(svc *s, const char *method, const char *target, const char *text)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller me = { "5f0000000000000000000001", "me@example.com", &owner, 1, 1 };
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request request = { .method = method, .target = target, .headers = &json, .header_count = text ? 1 : 0,
                          .body = text, .body_length = text ? strlen(text) : 0, .caller = &me };
  svc_response response;
  int status;
  svc_handle_request(s, &request, &response);
  snprintf(body, sizeof body, "%s", response.body);
  status = response.status;
  svc_response_free(&response);
  return status;
}

static int has(const char *text, const char *when)
{
  int there = strstr(body, text) != NULL;
  printf("%s: %s %s\n", when, text, there ? "" : "is missing");
  return there;
}

int main(void)
{
  static const char cluster[] = "{\"name\":\"shop\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{"
    "\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}";
  int64_t time = 1893456000000; /* 2030-01-01T00:00:00Z */
  svc_config config = { .clock = now, .clock_context = &time, .provision_ms = 10000 };
  svc_credentials first;
  char clusters[128], shop[160], invoices[128];
  svc *s;
  int good;
  if (svc_open(&s, &config) != SVC_OK || svc_bootstrap(s, &first) != SVC_OK) return 1;
  snprintf(clusters, sizeof clusters, "/api/svc/v2/groups/%s/clusters", first.group_id);
  snprintf(shop, sizeof shop, "%s/shop", clusters);
  snprintf(invoices, sizeof invoices, "/api/svc/v2/orgs/%s/invoices", first.org_id);

  good = ask(s, "POST", clusters, cluster) == 201 && has("\"stateName\":\"CREATING\"", "00:00:00");
  time += 9000;
  good &= ask(s, "GET", shop, NULL) == 200 && has("\"stateName\":\"CREATING\"", "00:00:09");
  time += 1000;
  good &= ask(s, "GET", shop, NULL) == 200 && has("\"stateName\":\"IDLE\"", "00:00:10");
  time += 31LL * 86400 * 1000;
  good &= ask(s, "GET", invoices, NULL) == 200 && has("\"endDate\":\"2030-02-01T00:00:00Z\"", "in February");
  svc_close(s);
  return good ? 0 : 1;
}

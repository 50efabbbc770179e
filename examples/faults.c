/*
** Fault rules: tests how a client handles errors of the service. Each rule names an operation, the kind of fault and how often it
** happens. The program prints what the rules did to its requests.
**
**   cc -I. examples/faults.c build/libsvcapi.a build/deps/mbedtls/library/libmbed{x509,crypto}.a -pthread && ./a.out
*/
#include "svcapi.h"

#include <stdio.h>
#include <string.h>

/* A client that creates a project. The faults test how it handles 429, 503 and a lost answer. */
static int create_project(svc *s, const char *org, const char *name, int *tries)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller me = { "5f0000000000000000000001", "me@example.com", &owner, 1, 1 };
  svc_header headers[] = { { "Content-Type", "application/json", 0, 0 }, { "Idempotency-Key", name, 0, 0 } };
  char text[128];
  svc_request request = { .method = "POST", .target = "/api/svc/v2/groups", .headers = headers, .header_count = 2,
                          .body = text, .caller = &me };
  int status = 0, again = 1;
  request.body_length = (size_t)snprintf(text, sizeof text, "{\"name\":\"%s\",\"orgId\":\"%s\"}", name, org);
  for (*tries = 0; again && *tries < 10; ++*tries) {
    svc_response response;
    svc_handle_request(s, &request, &response);
    status = response.status;
    again = response.drop || status == 503;
    if (status == 429) { /* the client waits as Retry-After says; here the clock moves instead */
      svc_clock_advance(s, 1000 * (svc_response_header(&response, "Retry-After")[0] - '0'));
      again = 1;
    }
    svc_response_free(&response);
  }
  return status;
}

int main(void)
{
  static const struct { const char *what; svc_fault rule; int status, tries; } cases[] = {
    { "nothing", { .operation = "createGroup", .delay_ms = 1 }, 201, 1 },
    { "busy twice", { .operation = "createGroup", .status = 503, .count = 2 }, 201, 3 },
    { "limited", { .operation = "createGroup", .status = 429, .count = 1 }, 201, 2 },
    { "never came", { .operation = "createGroup", .drop = SVC_DROP_BEFORE, .count = 1 }, 201, 2 },
    { "answer lost", { .operation = "createGroup", .drop = SVC_DROP_AFTER, .count = 1 }, 201, 2 },
    { "busy each time", { .operation = "createGroup", .status = 503 }, 503, 10 },
    { "an error", { .operation = "createGroup", .status = 500, .count = 1 }, 500, 1 },
    { "another operation's", { .operation = "createCluster", .status = 500 }, 201, 1 },
  };
  svc_config config = { .manual_clock = 1893456000000, .seed = 1 };
  svc_credentials first;
  int good = 1, tries;
  size_t i;
  svc *s;
  if (svc_open(&s, &config) != SVC_OK || svc_bootstrap(s, &first) != SVC_OK) return 1;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char name[32];
    int status;
    snprintf(name, sizeof name, "project-%d", (int)i);
    if (svc_fault_add(s, &cases[i].rule, NULL) != SVC_OK) return 1;
    status = create_project(s, first.org_id, name, &tries);
    printf("%-20s %d after %d\n", cases[i].what, status, tries);
    good &= status == cases[i].status && tries == cases[i].tries;
    svc_fault_remove(s, 0);
  }
  svc_close(s);
  return good ? 0 : 1;
}

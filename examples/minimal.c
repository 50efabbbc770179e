/*
** The smallest program: open a store in a folder, send requests, close. The second run finds the data of the first.
**
**   cc -I. examples/minimal.c build/libsvcapi.a build/deps/mbedtls/library/libmbed{x509,crypto}.a -pthread && ./a.out FOLDER
*/
#include "svcapi.h"

#include <stdio.h>
#include <string.h>

/* The embedding program names the caller. A request from a network carries its own credentials, and `caller` stays NULL. */
static const svc_grant owner = { "ORG_OWNER", NULL };
static const svc_caller me = { "5f0000000000000000000001", "me@example.com", &owner, 1, 1 };

static int ask(svc *s, const char *method, const char *target, const char *body)
{
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request request = { .method = method, .target = target, .headers = &json, .header_count = body ? 1 : 0,
                          .body = body, .body_length = body ? strlen(body) : 0, .caller = &me };
  svc_response response;
  int status;
  svc_handle_request(s, &request, &response);
  status = response.status;
  printf("%s %s: %d\n%s\n", method, target, status, response.body);
  svc_response_free(&response);
  return status;
}

static void log_line(void *context, int level, const char *text)
{
  (void)context;
  fprintf(stderr, "svcapi: %s%s\n", level == SVC_LOG_ERROR ? "error: " : "", text);
}

int main(int argc, char **argv)
{
  svc_config config = { .path = argc > 1 ? argv[1] : NULL, .log = log_line };
  svc *s;
  int code = svc_open(&s, &config), good;
  if (code != SVC_OK) {
    fprintf(stderr, "%s\n", svc_strerror(code));
    return 1;
  }
  good = ask(s, "POST", "/api/svc/v2/orgs", "{\"name\":\"Acme\"}") == 201;
  good &= ask(s, "GET", "/api/svc/v2/orgs?pretty=true", NULL) == 200;
  svc_close(s);
  return good ? 0 : 1;
}

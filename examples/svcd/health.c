/*
** svcd health [URL]: asks whether a service is ready. For health checks of containers, whose image has no other program.
**
** The rule: status 0 if GET /_svc/health answers 200, else 1 and a line that says why.
*/
#include "svcd.h"
#include "http_client.h"

#include <stdio.h>

#define HEALTH_SECONDS 5

int svcd_health(const svcd_options *o)
{
  const char *url = o->operand ? o->operand : "http://127.0.0.1:8080";
  http_target target;
  http_answer a;
  char why[512];
  int status;
  if (http_target_parse(url, &target) != 0) return svcd_error(2, "%s: http://HOST:PORT or https://HOST:PORT", url);
  if (http_send(&target, o->cacert, HEALTH_SECONDS, "GET", "/_svc/health", "", "", 0, &a, why, sizeof why) != 0)
    return svcd_error(1, "%s", why);
  status = a.status;
  if (status == 200) puts("ok");
  http_answer_free(&a);
  return status == 200 ? 0 : svcd_error(1, "%s is not ready: it answered %d", url, status);
}

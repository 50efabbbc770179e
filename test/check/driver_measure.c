/*
** Asks the driver for a measurement of a server, as the service does for an operation that shows one: FOLDER ID METRIC. No
** operation of the present catalog asks for a cluster's measurement in this way, so this program tests the question.
*/
#include "driver_postgres.h"

#include <stdio.h>
#include <string.h>

static int measure(const svc_driver *driver, const char *id, const char *metric)
{
  char parameters[128], room[4096];
  svc_question q = { .what = "measure", .resource = "cluster", .resource_id = id, .group_id = "", .org_id = "", .name = "",
                     .parameters = parameters, .most = sizeof room };
  svc_reply reply = { .bytes = room, .most = sizeof room, .room = sizeof room, .memory = room }; /* with its full room from the start */
  int code;
  snprintf(parameters, sizeof parameters, "{\"metric\":\"%s\"}", metric);
  code = driver->ask(driver->context, NULL, &q, &reply);
  if (code == SVC_OK) printf("%.*s\n", (int)strspn(room + 9, "0123456789"), room + 9); /* the reply is {"value":1} */
  else fprintf(stderr, "%s: %s\n", metric, svc_strerror(code));
  return code != SVC_OK;
}

int main(int argc, char **argv)
{
  driver_postgres_config config = { .folder = argc > 1 ? argv[1] : NULL };
  driver_postgres *driver;
  char why[256];
  int status;
  if (argc != 4 || driver_postgres_open(&driver, &config, why, sizeof why) != 0) return 2;
  status = measure(driver_postgres_driver(driver), argv[2], argv[3]);
  driver_postgres_close(driver);
  return status;
}

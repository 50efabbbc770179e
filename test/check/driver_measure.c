/*
** Ask the driver for a figure of a server, as the service does when an operation shows one: FOLDER ID METRIC. No operation of
** today's catalog shows a figure of a cluster that is asked for in this way, so that this stands for them. svcapi.c is included
** for what makes a reply, which is nobody else's business.
*/
#include "svcapi.c"

#include "driver_postgres.h"

static int measure(const svc_driver *driver, const char *id, const char *metric)
{
  char parameters[128];
  svc_question q = { .what = "measure", .resource = "cluster", .resource_id = id, .group_id = "", .org_id = "", .name = "",
                     .parameters = parameters, .most = 4096 };
  svc_reply reply;
  svc_arena arena;
  int code;
  snprintf(parameters, sizeof parameters, "{\"metric\":\"%s\"}", metric);
  svc_arena_init(&arena, NULL);
  svc_reply_begin(&reply, &arena, q.most);
  code = driver->ask(driver->context, NULL, &q, &reply);
  if (code == SVC_OK) {
    svc_str value = svc_json_member((svc_str){ reply.bytes, reply.length }, SVC_S("value"));
    printf(SVC_FMT "\n", SVC_ARG(value));
  }
  else fprintf(stderr, "%s: %s\n", metric, svc_strerror(code));
  svc_blocks_free(arena.blocks);
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

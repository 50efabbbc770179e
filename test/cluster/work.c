/*
** Many concurrent clients, each on its own thread, through the relay.
*/
#define _GNU_SOURCE /* http_text.h */
#include "cluster.h"

#include <stdlib.h>

worker *work(size_t n, void *(*what)(void *))
{
  worker *all = calloc(n, sizeof *all);
  pthread_attr_t small;
  size_t i;
  if (!all) cluster_die("no memory");
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 131072);
  for (i = 0; i < n; i++) {
    all[i].number = (int)i;
    all[i].http = (http_client){ site.port, -1, 0 };
    if (pthread_create(&all[i].thread, &small, what, &all[i]) != 0) cluster_die("no thread");
  }
  for (i = 0; i < n; i++) {
    pthread_join(all[i].thread, NULL);
    http_close(&all[i].http);
  }
  pthread_attr_destroy(&small);
  return all;
}

void must(http_client *c, http_answer *a, const char *method, const char *path, const char *body, int status)
{
  int tries;
  for (tries = 0; tries < 100; tries++) {
    http_ask(c, method, path, site.bearer, body, a);
    if (a->status == status) return;
    if (a->status != 0 && a->status != 503) break;
    cluster_pause(50);
  }
  cluster_die("%s %s: %.1000s", method, path, a->text);
}

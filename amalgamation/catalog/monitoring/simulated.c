/*
** The catalog's part of the simulation (pipeline/simulator.c), which is the driver where the host supplies none: questions whose
** answers look like something that only the catalog knows.
*/
#include "catalog/catalog.h"

SVC_PRIVATE int svc_catalog_simulates(const svc_question *q, svc_reply *r)
{
  static const struct { const char *what; int (*simulate)(const svc_question *q, svc_reply *r); } rows[] = {
    { "accessHistory", svc_simulated_logins }, { "collections", svc_simulated_queries }, { "queryStats", svc_simulated_queries },
    { "slowQueries", svc_simulated_queries }
  };
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (strcmp(q->what, rows[i].what) == 0) return rows[i].simulate(q, r);
  return SVC_INVALID;
}

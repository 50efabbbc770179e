/*
** What the suites of alerts share: a driver that is told to measure, and makes everything else at once.
*/
#ifndef SVC_TEST_ALERT_WORLD_H
#define SVC_TEST_ALERT_WORLD_H

#include "mechanism/probe.h"

typedef struct alert_driver {
  char measure[32]; /* the last order to measure */
  char desired[16384];
  int measures;
} alert_driver;

static int alert_perform(void *context, svc *s, const svc_order *order)
{
  alert_driver *d = context;
  if (strcmp(order->action, "metrics.measure") == 0) {
    d->measures++;
    snprintf(d->measure, sizeof d->measure, "%s", order->id);
    snprintf(d->desired, sizeof d->desired, "%s", order->desired);
    return SVC_OK;
  }
  return svc_order_done(s, order->id, SVC_OK, "{\"hosts\":[\"h1.example:27017\"]}") == SVC_OK ? SVC_OK : SVC_IO;
}

/* A minute later it is told to, once, and says this. */
static inline void alert_measured(t_service *t, alert_driver *d, const char *facts)
{
  int before = d->measures;
  t_advance(t, 60);
  munit_assert_int(svc_tick(t->s), ==, SVC_OK);
  munit_assert_int(d->measures, ==, before + 1);
  munit_assert_int(svc_order_done(t->s, d->measure, SVC_OK, facts), ==, SVC_OK);
}

#endif /* SVC_TEST_ALERT_WORLD_H */

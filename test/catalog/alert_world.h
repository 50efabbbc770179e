/*
** Shared helpers of the suites of alerts: a driver that answers orders to measure only on the test's request, and
** completes all other orders at once.
*/
#ifndef SVC_TEST_ALERT_WORLD_H
#define SVC_TEST_ALERT_WORLD_H

#include "driver.h"
#include "mechanism/probe.h"

/* Returns the driver. Orders to measure stay open until the test finishes them. */
static inline const svc_driver *alert_driver(t_driver *d)
{
  t_driver_init(d);
  t_driver_does(d, "", "{\"hosts\":[\"h1.example:27017\"]}");
  t_driver_takes(d, "metrics.measure");
  return &d->port;
}

/* Advances a minute, and finishes the one order to measure with these facts. */
static inline void alert_measured(t_service *t, t_driver *d, const char *facts)
{
  int before = t_driver_count(d, "metrics.measure");
  t_advance(t, 60);
  t_driver_finish(d, t->s, "metrics.measure", SVC_OK, facts);
  munit_assert_int(t_driver_count(d, "metrics.measure"), ==, before + 1);
}

#endif /* SVC_TEST_ALERT_WORLD_H */

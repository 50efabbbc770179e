/*
** Alert round: that a project's metrics are measured again in a minute. alert_measuring.c does what it is for.
*/
#include "catalog/monitoring/alert_parts.h"

static const svc_object alert_round_object = { .name = "AlertRound" };


SVC_PRIVATE const svc_noun svc_noun_alert_round = {
  .name = SVC_ALERT_ROUND,
  .kind = "arnd",
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &alert_round_object,

  .order_put = "metrics.measure",
  .fell_due = svc_alert_round_fell_due,
  .desired = svc_alert_round_desired,
  .facts = svc_alert_round_facts,
};

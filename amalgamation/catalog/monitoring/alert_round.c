/*
** Alert round: that what a project's alert configurations watch is measured again, in a minute or an hour. alert_measuring.c does
** what it is for. Beside that it keeps since when the project has the keys of encryption at rest that it has (alert_stored.c).
*/
#include "catalog/monitoring/alert_parts.h"

static const svc_field alert_round_fields[] = { F_ANY("awsKms", .flags = SVC_READ_ONLY), F_ANY("azureKeyVault", .flags = SVC_READ_ONLY),
                                                F_ANY("googleCloudKms", .flags = SVC_READ_ONLY) };
static const svc_object alert_round_object = { .name = "AlertRound", .fields = SVC_ROWS(alert_round_fields) };

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

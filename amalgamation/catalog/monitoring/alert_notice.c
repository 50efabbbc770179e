/*
** Alert notice: a notification of an alert that svc_config.notify is to send. alert_sending.c creates it.
**
**   WAITING -> deleted when it is sent, or a day later
**           -> FAILED -> deleted
*/
#include "catalog/monitoring/alert_parts.h"

static const char *const alert_notice_states[] = { "WAITING", "FAILED", NULL };

static const svc_field alert_notice_fields[] = {
  F_ANY("alert", .flags = SVC_READ_ONLY),
  F_ID(),
  F_ANY("notification", .flags = SVC_READ_ONLY),
  F_ENUM("state", alert_notice_states, .flags = SVC_READ_ONLY)
};
static const svc_object alert_notice_object = { .name = "AlertNotice", .fields = SVC_ROWS(alert_notice_fields) };

static const svc_transition alert_notice_transitions[] = {
  { "WAITING", NULL, 0, NULL, "alert.notify" },
  { NULL, NULL, 0, NULL, NULL }
};
static const svc_lifecycle alert_notice_lifecycle = { .field = "state", .created = "WAITING", .failed = "FAILED",
                                                      .transitions = alert_notice_transitions };

/* A failed notice is deleted; the failure is in the log. */
static bool alert_notice_fell_due(svc_call *c, svc_change *change, int tag)
{
  if (tag == SVC_DUE_STATE && svc_node_is(change->body, "state", "FAILED"))
    svc_change_due(change, SVC_DUE_EXPIRY, svc_provisioned(c->s, 0, c->now));
  return true;
}

SVC_PRIVATE const svc_noun svc_noun_alert_notice = {
  .name = SVC_ALERT_NOTICE,
  .kind = "anot",
  .parent = "project",
  .flags = SVC_EXPIRES,
  .object = &alert_notice_object,
  .lifecycle = &alert_notice_lifecycle,
  .fell_due = alert_notice_fell_due,
  .desired = svc_alert_notice_desired,
  .secrets = svc_alert_notice_secrets,
  .ext = SVC_NOUN_EXT(.notice = &(const svc_notice_ops){ svc_alert_notice_tell })
};

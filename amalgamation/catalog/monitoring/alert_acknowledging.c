/*
** Acknowledgement of alerts: a user knows of the alert, and no notifications are sent until a date. At that date, or when
** a user ends the acknowledgement, the fields of the acknowledgement are removed. The rule: an acknowledgement never changes the
** alert's status.
*/
#include "catalog/monitoring/alert_parts.h"

SVC_PRIVATE void svc_alert_forget(svc_node *body)
{
  svc_node_drop(body, "acknowledgedUntil");
  svc_node_drop(body, "acknowledgementComment");
  svc_node_drop(body, "acknowledgingUsername");
}

/* A date in the past, null, or unacknowledgeAlert ends the acknowledgement. */
static bool alert_acknowledging_ends(const svc_call *c, const svc_node *body)
{
  const svc_node *until = svc_node_get(c->body, "acknowledgedUntil");
  int64_t when = INT64_MAX;
  if (svc_node_bool(c->body, "unacknowledgeAlert", false) || (until && until->type == SVC_J_NULL)) return true;
  svc_date_parse(svc_node_str(body, "acknowledgedUntil"), &when);
  return until && when <= c->now;
}

SVC_PRIVATE bool svc_alert_acknowledge(svc_call *c, const svc_change *change, svc_node *body)
{
  const svc_entity *old = &change->entity;
  bool off = alert_acknowledging_ends(c, body);
  int64_t until = 0, was = 0;
  svc_entity e = *old;
  if (off) svc_alert_forget(body);
  if (svc_node_same(body, change->before)) return svc_answer_entity(c, old);
  if (old->unique.n == 0) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("acknowledgedUntil"), "cannot be set: the alert is closed");
  else if (!off && !svc_date_parse(svc_node_str(body, "acknowledgedUntil"), &until))
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, SVC_S("acknowledgedUntil"), "is required");
  if (!svc_check_done(c)) return false;
  if (!off) svc_node_set_str(c->arena, body, "acknowledgingUsername", svc_inviter_name(c));
  svc_node_set_date(c->arena, body, "updated", c->now);
  svc_due_set(&e, SVC_ALERT_DUE_FORGOTTEN, off ? 0 : until);
  svc_date_parse(svc_node_str(change->before, "acknowledgedUntil"), &was);
  svc_alert_sending_resume(c, &e, was, off ? c->now : until);
  if (!svc_alert_store(c, &e, old, body)) return false;
  return svc_event_about(c, change->noun, &e, off ? "ALERT_UNACKNOWLEDGED_AUDIT" : "ALERT_ACKNOWLEDGED_AUDIT", false) &&
         svc_answer_entity(c, &e);
}

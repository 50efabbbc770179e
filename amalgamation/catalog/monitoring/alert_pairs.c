/*
** The table of events that open and close alerts.
**
** The first event of a row opens an alert, the second closes it. Measuring writes the events of types that have a figure
** (alert_conditions.c), except those of hosts and primaries (alert_acts.c). alert_events.c handles events that come from
** elsewhere, unless the row is `measured`. No event closes the alert of a type that has no row as an opening event.
*/
#include "catalog/monitoring/alert_parts.h"

static const svc_alert_pair alert_pairs_rows[] = {
  { "AWS_ENCRYPTION_KEY_INVALID", "AWS_ENCRYPTION_KEY_VALID", false },
  { "AZURE_ENCRYPTION_KEY_INVALID", "AZURE_ENCRYPTION_KEY_VALID", false },
  { "CLUSTER_BLOCK_WRITE", "CLUSTER_UNBLOCK_WRITE", false },
  { "CPS_OPLOG_BEHIND", "CPS_OPLOG_CAUGHT_UP", false },
  { "DAILY_BILLING_CHANGE_OVER_THRESHOLD", "DAILY_BILLING_CHANGE_NORMAL", false },
  { "DAILY_BILL_OVER_THRESHOLD", "DAILY_BILL_UNDER_THRESHOLD", false },
  { "ENCRYPTION_AT_REST_CONFIG_NO_LONGER_VALID", "ENCRYPTION_AT_REST_CONFIG_IS_VALID", false },
  { "GCP_ENCRYPTION_KEY_INVALID", "GCP_ENCRYPTION_KEY_VALID", false },
  { "HOST_DBT_CRASHING_OOM", "HOST_DBT_RECOVERED_OOM", false },
  { "HOST_DOWN", "HOST_UP", false },
  { "LOG_STREAMING_EXPORT_FAILED_NONRETRYABLE", "LOG_STREAMING_EXPORT_RECOVERED", false },
  { "LOG_STREAMING_EXPORT_FAILED_RETRIES_EXHAUSTED", "LOG_STREAMING_EXPORT_RECOVERED", false },
  { "MONTHLY_BILLING_CHANGE_OVER_THRESHOLD", "MONTHLY_BILLING_CHANGE_NORMAL", false },
  { "NO_PRIMARY", "ONE_PRIMARY", false },
  { "ONLINE_ARCHIVE_INSUFFICIENT_INDEXES_CHECK", "ONLINE_ARCHIVE_INSUFFICIENT_INDEXES_RESOLVED", false },
  { "OUTSIDE_FLEX_METRIC_THRESHOLD", "INSIDE_FLEX_METRIC_THRESHOLD", true },
  { "OUTSIDE_METRIC_THRESHOLD", "INSIDE_METRIC_THRESHOLD", true },
  { "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", "INSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", true },
  { "PENDING_INVOICE_OVER_THRESHOLD", "PENDING_INVOICE_UNDER_THRESHOLD", false },
  { "STREAM_PROCESSOR_STATE_IS_FAILED", "STREAM_PROCESSOR_STARTED", false },
  { "SVC_X509_USER_AUTHENTICATION_CUSTOMER_CA_EXPIRATION_CHECK", "SVC_X509_USER_AUTHENTICATION_CUSTOMER_CA_EXPIRATION_RESOLVED", false },
  { "SVC_X509_USER_AUTHENTICATION_CUSTOMER_CRL_EXPIRATION_CHECK", "SVC_X509_USER_AUTHENTICATION_CUSTOMER_CRL_EXPIRATION_RESOLVED", false },
  { "SVC_X509_USER_AUTHENTICATION_MANAGED_USER_CERTS_EXPIRATION_CHECK",
    "SVC_X509_USER_AUTHENTICATION_MANAGED_USER_CERTS_EXPIRATION_RESOLVED", false },
  { "WEEKLY_BILLING_CHANGE_OVER_THRESHOLD", "WEEKLY_BILLING_CHANGE_NORMAL", false },
  { NULL, NULL, false }
};

SVC_PRIVATE const svc_alert_pair *svc_alert_pairs(void)
{
  return alert_pairs_rows;
}

SVC_PRIVATE const char *svc_alert_closed_by(const char *type)
{
  const svc_alert_pair *p = alert_pairs_rows;
  while (p->opens && strcmp(p->opens, type) != 0) p++;
  return p->closes;
}

/*
** Rules of an alert configuration, by the type of event that it watches.
**
** Configurations differ in three ways only: the fields that matchers can use, whether there is a threshold, and its
** operators and units. So all types share one object, and these tables have the rules per type. A type without a row allows all fields,
** and takes no threshold.
*/
#include "catalog/monitoring/alert_parts.h"

enum alert_rules_limit { /* the kind of threshold */
  ALERT_LIMIT_NONE,
  ALERT_LIMIT_METRIC,  /* metricThreshold */
  ALERT_LIMIT_NUMBER,  /* threshold: above or below a plain number */
  ALERT_LIMIT_MAY,     /* the same, optional */
  ALERT_LIMIT_MONEY,   /* above a number */
  ALERT_LIMIT_TIME,    /* longer than a time */
  ALERT_LIMIT_AGE,     /* older than a number of days */
  ALERT_LIMIT_AGE_MAY, /* the same, optional */
  ALERT_LIMIT_LEFT     /* fewer days left than a number */
};

/* Rows by name of the type; a star stands for any ending. The first match counts. */
static const struct alert_rules_kind {
  const char *type;
  unsigned char on, limit;
} alert_rules_kinds[] = {
  { "OUTSIDE_METRIC_THRESHOLD", SVC_ALERT_ON_HOST, ALERT_LIMIT_METRIC },
  { "OUTSIDE_FLEX_METRIC_THRESHOLD", SVC_ALERT_ON_FLEX, ALERT_LIMIT_METRIC },
  { "OUTSIDE_SERVERLESS_METRIC_THRESHOLD", SVC_ALERT_ON_SERVERLESS, ALERT_LIMIT_METRIC },
  { "OUTSIDE_REALM_METRIC_THRESHOLD", SVC_ALERT_ON_APP, ALERT_LIMIT_METRIC },
  { "OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD", SVC_ALERT_ON_STREAM, ALERT_LIMIT_METRIC },
  { "PENDING_INVOICE_OVER_THRESHOLD", SVC_ALERT_ON_ANY, ALERT_LIMIT_MONEY },
  { "DAILY_BILL*", SVC_ALERT_ON_ANY, ALERT_LIMIT_MONEY },
  { "WEEKLY_BILL*", SVC_ALERT_ON_ANY, ALERT_LIMIT_MONEY },
  { "MONTHLY_BILL*", SVC_ALERT_ON_ANY, ALERT_LIMIT_MONEY },
  { "CPS_SNAPSHOT_BEHIND", SVC_ALERT_ON_ANY, ALERT_LIMIT_TIME },
  { "CPS_PREV_SNAPSHOT_OLD", SVC_ALERT_ON_ANY, ALERT_LIMIT_TIME },
  { "CPS_OPLOG_BEHIND", SVC_ALERT_ON_ANY, ALERT_LIMIT_TIME },
  { "AWS_ENCRYPTION_KEY_NEEDS_ROTATION", SVC_ALERT_ON_ANY, ALERT_LIMIT_AGE },
  { "AZURE_ENCRYPTION_KEY_NEEDS_ROTATION", SVC_ALERT_ON_ANY, ALERT_LIMIT_AGE },
  { "GCP_ENCRYPTION_KEY_NEEDS_ROTATION", SVC_ALERT_ON_ANY, ALERT_LIMIT_AGE },
  { "AWS_ENCRYPTION_KEY_INVALID", SVC_ALERT_ON_ANY, ALERT_LIMIT_AGE_MAY },
  { "AZURE_ENCRYPTION_KEY_INVALID", SVC_ALERT_ON_ANY, ALERT_LIMIT_AGE_MAY },
  { "GCP_ENCRYPTION_KEY_INVALID", SVC_ALERT_ON_ANY, ALERT_LIMIT_AGE_MAY },
  { "SVC_X509_USER_AUTHENTICATION_CUSTOMER_CA_EXPIRATION_CHECK", SVC_ALERT_ON_ANY, ALERT_LIMIT_LEFT },
  { "SVC_X509_USER_AUTHENTICATION_CUSTOMER_CRL_EXPIRATION_CHECK", SVC_ALERT_ON_ANY, ALERT_LIMIT_LEFT },
  { "SVC_X509_USER_AUTHENTICATION_MANAGED_USER_CERTS_EXPIRATION_CHECK", SVC_ALERT_ON_ANY, ALERT_LIMIT_LEFT },
  { "TOO_*", SVC_ALERT_ON_REPLICA_SET, ALERT_LIMIT_NUMBER },
  { "REPLICATION_OPLOG_WINDOW_RUNNING_OUT", SVC_ALERT_ON_REPLICA_SET, ALERT_LIMIT_NUMBER },
  { "NO_PRIMARY", SVC_ALERT_ON_REPLICA_SET, ALERT_LIMIT_MAY },
  { "PRIMARY_ELECTED", SVC_ALERT_ON_REPLICA_SET, ALERT_LIMIT_MAY },
  { "CLUSTER_DBS_IS_MISSING", SVC_ALERT_ON_CLUSTER, ALERT_LIMIT_NONE },
  { "COMPUTE_AUTO_SCALE*", SVC_ALERT_ON_SCALING, ALERT_LIMIT_NONE },
  { "DISK_AUTO_SCALE*", SVC_ALERT_ON_SCALING, ALERT_LIMIT_NONE },
  { "PREDICTIVE_COMPUTE_AUTO_SCALE*", SVC_ALERT_ON_SCALING, ALERT_LIMIT_NONE },
  { "CLUSTER_AUTO_SHARDING_INITIATED", SVC_ALERT_ON_SCALING, ALERT_LIMIT_NONE },
  { "CLUSTER_RESHARDING_COMPLETED", SVC_ALERT_ON_SCALING, ALERT_LIMIT_NONE },
  { "HOST_*", SVC_ALERT_ON_HOST, ALERT_LIMIT_NONE },
  { "SSH_KEY_*", SVC_ALERT_ON_HOST, ALERT_LIMIT_NONE },
  { "PUSH_BASED_LOG_EXPORT_*", SVC_ALERT_ON_HOST, ALERT_LIMIT_NONE },
  { "VERSION_BEHIND", SVC_ALERT_ON_HOST, ALERT_LIMIT_NONE },
  { "ALERT_HOST_SSH_SESSION_STARTED", SVC_ALERT_ON_HOST, ALERT_LIMIT_NONE },
  { "PROFILER_CONFIGURED_TOO_WIDELY", SVC_ALERT_ON_HOST, ALERT_LIMIT_NONE },
  { "URL_CONFIRMATION", SVC_ALERT_ON_APP, ALERT_LIMIT_NONE },
  { "SUCCESSFUL_DEPLOY", SVC_ALERT_ON_APP, ALERT_LIMIT_NONE },
  { "DEPLOYMENT_*", SVC_ALERT_ON_APP, ALERT_LIMIT_NONE },
  { "REQUEST_RATE_LIMIT", SVC_ALERT_ON_APP, ALERT_LIMIT_NONE },
  { "LOG_FORWARDER_FAILURE", SVC_ALERT_ON_APP, ALERT_LIMIT_NONE },
  { "SYNC_FAILURE", SVC_ALERT_ON_APP, ALERT_LIMIT_NONE },
  { "TRIGGER_*", SVC_ALERT_ON_APP, ALERT_LIMIT_NONE },
  { "STREAM_PROCESSOR_*", SVC_ALERT_ON_STREAM, ALERT_LIMIT_NONE },
  { NULL, SVC_ALERT_ON_ANY, ALERT_LIMIT_NONE }
};

SVC_PRIVATE const char *const svc_alert_units[] = {
  "BITS", "KILOBITS", "MEGABITS", "GIGABITS", "BYTES", "KILOBYTES", "MEGABYTES", "GIGABYTES", "TERABYTES", "PETABYTES", "COUNT",
  "THOUSAND", "MILLION", "BILLION", "THOUSAND_RPU", "MILLION_RPU", "THOUSAND_WPU", "MILLION_WPU",
  /* SVC_ALERT_UNITS_PLAIN */
  "RAW", "NANOSECONDS", "MILLISECONDS", "MILLION_MINUTES", "SECONDS", "MINUTES", "HOURS", "DAYS",
  /* SVC_ALERT_UNITS_SHORT */
  "RPU", "WPU", "bits", "Kbits", "Mbits", "Gbits", "bytes", "KB", "MB", "GB", "TB", "PB", "nsec", "msec", "sec", "min", "hours", "million minutes",
  "days", "requests", "1000 requests", "tokens", "million tokens", "pixels", "billion pixels", "GB seconds", "GB hours", "GB days",
  "thousand RPU", "million RPU", "thousand WPU", "million WPU", "count", "thousand", "million", "billion", NULL
};

static const char *const alert_rules_more[] = { "GREATER_THAN", NULL };
static const char *const alert_rules_less[] = { "LESS_THAN", NULL };
static const char *const alert_rules_either[] = { "<", ">", "LESS_THAN", "GREATER_THAN", NULL };
static const char *const alert_rules_raw[] = { "RAW", NULL };
static const char *const alert_rules_days[] = { "DAYS", NULL };
static const char *const alert_rules_time[] = { "HOURS", "NANOSECONDS", "MILLISECONDS", "SECONDS", "MINUTES", "DAYS", "MILLION_MINUTES", NULL };
static const char *const alert_rules_data[] = { "BYTES", "BITS", "KILOBITS", "MEGABITS", "GIGABITS", "KILOBYTES", "MEGABYTES", "GIGABYTES",
                                                "TERABYTES", "PETABYTES", NULL };
static const char *const alert_rules_number[] = { "COUNT", "THOUSAND", "MILLION", "BILLION", NULL };
static const char *const alert_rules_units[] = { "RPU", "THOUSAND_RPU", "MILLION_RPU", "WPU", "THOUSAND_WPU", "MILLION_WPU", NULL };

/* The first unit is the default. */
static const struct alert_rules_bounds {
  const char *const *operators, *const *units;
  bool none; /* the unit is optional */
} alert_rules_bounds[] = {
  [ALERT_LIMIT_NUMBER] = { alert_rules_either, svc_alert_units + SVC_ALERT_UNITS_SHORT, true },
  [ALERT_LIMIT_MAY] = { alert_rules_either, svc_alert_units + SVC_ALERT_UNITS_SHORT, true },
  [ALERT_LIMIT_MONEY] = { alert_rules_more, alert_rules_raw, false },
  [ALERT_LIMIT_TIME] = { alert_rules_more, alert_rules_time, false },
  [ALERT_LIMIT_AGE] = { alert_rules_more, alert_rules_days, false },
  [ALERT_LIMIT_AGE_MAY] = { alert_rules_more, alert_rules_days, false },
  [ALERT_LIMIT_LEFT] = { alert_rules_less, alert_rules_days, false }
};

/* All metrics with their units. The names of a row are in one text, which saves pointers. */
static const struct alert_rules_metrics {
  unsigned char on;
  const char *const *units;
  const char *names;
} alert_rules_metrics[] = {
  { SVC_ALERT_ON_HOST, alert_rules_raw,
    "ASSERT_MSG ASSERT_REGULAR ASSERT_USER ASSERT_WARNING CONNECTIONS CONNECTIONS_MAX CONNECTIONS_PERCENT "
    "CURSORS_TOTAL_CLIENT_CURSORS_SIZE CURSORS_TOTAL_OPEN CURSORS_TOTAL_TIMED_OUT "
    "DISK_PARTITION_QUEUE_DEPTH_DATA DISK_PARTITION_QUEUE_DEPTH_INDEX DISK_PARTITION_QUEUE_DEPTH_JOURNAL "
    "DISK_PARTITION_READ_IOPS_DATA DISK_PARTITION_READ_IOPS_INDEX DISK_PARTITION_READ_IOPS_JOURNAL "
    "DISK_PARTITION_SPACE_USED_DATA DISK_PARTITION_SPACE_USED_INDEX DISK_PARTITION_SPACE_USED_JOURNAL "
    "DISK_PARTITION_WRITE_IOPS_DATA DISK_PARTITION_WRITE_IOPS_INDEX DISK_PARTITION_WRITE_IOPS_JOURNAL "
    "DOCUMENT_DELETED DOCUMENT_INSERTED DOCUMENT_RETURNED DOCUMENT_UPDATED EXTRA_INFO_PAGE_FAULTS "
    "FTS_PROCESS_CPU_KERNEL FTS_PROCESS_CPU_USER GLOBAL_ACCESSES_NOT_IN_MEMORY GLOBAL_LOCK_CURRENT_QUEUE_READERS "
    "GLOBAL_LOCK_CURRENT_QUEUE_TOTAL GLOBAL_LOCK_CURRENT_QUEUE_WRITERS GLOBAL_LOCK_PERCENTAGE "
    "GLOBAL_PAGE_FAULT_EXCEPTIONS_THROWN INDEX_COUNTERS_BTREE_ACCESSES INDEX_COUNTERS_BTREE_HITS "
    "INDEX_COUNTERS_BTREE_MISS_RATIO INDEX_COUNTERS_BTREE_MISSES JOURNALING_COMMITS_IN_WRITE_LOCK "
    "MAX_DISK_PARTITION_QUEUE_DEPTH_DATA MAX_DISK_PARTITION_QUEUE_DEPTH_INDEX "
    "MAX_DISK_PARTITION_QUEUE_DEPTH_JOURNAL MAX_DISK_PARTITION_READ_IOPS_DATA MAX_DISK_PARTITION_READ_IOPS_INDEX "
    "MAX_DISK_PARTITION_READ_IOPS_JOURNAL MAX_DISK_PARTITION_SPACE_USED_DATA MAX_DISK_PARTITION_SPACE_USED_INDEX "
    "MAX_DISK_PARTITION_SPACE_USED_JOURNAL MAX_DISK_PARTITION_WRITE_IOPS_DATA "
    "MAX_DISK_PARTITION_WRITE_IOPS_INDEX MAX_DISK_PARTITION_WRITE_IOPS_JOURNAL MAX_NORMALIZED_SYSTEM_CPU_STEAL "
    "MAX_NORMALIZED_SYSTEM_CPU_USER MAX_SYSTEM_MEMORY_PERCENT_USED MUNIN_CPU_IOWAIT MUNIN_CPU_IRQ MUNIN_CPU_NICE "
    "MUNIN_CPU_SOFTIRQ MUNIN_CPU_STEAL MUNIN_CPU_SYSTEM MUNIN_CPU_USER NETWORK_NUM_REQUESTS "
    "NORMALIZED_FTS_PROCESS_CPU_KERNEL NORMALIZED_FTS_PROCESS_CPU_USER NORMALIZED_SYSTEM_CPU_STEAL "
    "NORMALIZED_SYSTEM_CPU_USER OPCOUNTER_CMD OPCOUNTER_DELETE OPCOUNTER_GETMORE OPCOUNTER_INSERT "
    "OPCOUNTER_QUERY OPCOUNTER_REPL_CMD OPCOUNTER_REPL_DELETE OPCOUNTER_REPL_INSERT OPCOUNTER_REPL_UPDATE "
    "OPCOUNTER_TTL_DELETED OPCOUNTER_UPDATE OPERATION_THROTTLING_REJECTED_OPERATIONS OPERATIONS_QUERIES_KILLED "
    "OPERATIONS_SCAN_AND_ORDER QUERY_EXECUTOR_SCANNED QUERY_EXECUTOR_SCANNED_OBJECTS "
    "QUERY_SPILL_TO_DISK_DURING_SORT QUERY_TARGETING_SCANNED_OBJECTS_PER_RETURNED "
    "QUERY_TARGETING_SCANNED_PER_RETURNED RESTARTS_IN_LAST_HOUR SEARCH_MAX_FIELDS_INDEXED "
    "SEARCH_MAX_NGRAM_FIELDS_INDEXED SEARCH_NUMBER_OF_FIELDS_IN_INDEX SEARCH_NUMBER_OF_QUERIES_ERROR "
    "SEARCH_NUMBER_OF_QUERIES_SUCCESS SEARCH_NUMBER_OF_QUERIES_TOTAL SEARCH_OPCOUNTER_DELETE "
    "SEARCH_OPCOUNTER_GETMORE SEARCH_OPCOUNTER_INSERT SEARCH_OPCOUNTER_UPDATE SEARCH_PROCESS_THROTTLING "
    "SYSTEM_MEMORY_PERCENT_USED TICKETS_AVAILABLE_READS TICKETS_AVAILABLE_WRITES" },
  { SVC_ALERT_ON_HOST, alert_rules_time,
    "AVG_COMMAND_EXECUTION_TIME AVG_READ_EXECUTION_TIME AVG_WRITE_EXECUTION_TIME BACKGROUND_FLUSH_AVG "
    "DISK_PARTITION_READ_LATENCY_DATA DISK_PARTITION_READ_LATENCY_INDEX DISK_PARTITION_READ_LATENCY_JOURNAL "
    "DISK_PARTITION_WRITE_LATENCY_DATA DISK_PARTITION_WRITE_LATENCY_INDEX DISK_PARTITION_WRITE_LATENCY_JOURNAL "
    "MAX_DISK_PARTITION_READ_LATENCY_DATA MAX_DISK_PARTITION_READ_LATENCY_INDEX "
    "MAX_DISK_PARTITION_READ_LATENCY_JOURNAL MAX_DISK_PARTITION_WRITE_LATENCY_DATA "
    "MAX_DISK_PARTITION_WRITE_LATENCY_INDEX MAX_DISK_PARTITION_WRITE_LATENCY_JOURNAL OPLOG_MASTER_LAG_TIME_DIFF "
    "OPLOG_MASTER_TIME OPLOG_MASTER_TIME_ESTIMATED_TTL OPLOG_SLAVE_LAG_MASTER_TIME SEARCH_REPLICATION_LAG" },
  { SVC_ALERT_ON_HOST, alert_rules_data,
    "CACHE_BYTES_READ_INTO CACHE_BYTES_WRITTEN_FROM CACHE_USAGE_DIRTY CACHE_USAGE_USED COMPUTED_MEMORY "
    "DB_DATA_SIZE_TOTAL DB_DATA_SIZE_TOTAL_WO_SYSTEM DB_INDEX_SIZE_TOTAL DB_STORAGE_TOTAL FTS_DISK_UTILIZATION "
    "FTS_JVM_CURRENT_MEMORY FTS_JVM_MAX_MEMORY FTS_MEMORY_MAPPED FTS_MEMORY_RESIDENT FTS_MEMORY_VIRTUAL "
    "JOURNALING_MB JOURNALING_WRITE_DATA_FILES_MB LOGICAL_SIZE MAX_SWAP_USAGE_FREE MAX_SWAP_USAGE_USED "
    "MAX_SYSTEM_MEMORY_AVAILABLE MAX_SYSTEM_MEMORY_USED MAX_SYSTEM_NETWORK_IN MAX_SYSTEM_NETWORK_OUT "
    "MEMORY_MAPPED MEMORY_RESIDENT MEMORY_VIRTUAL NETWORK_BYTES_IN NETWORK_BYTES_OUT OPLOG_RATE_GB_PER_HOUR "
    "SEARCH_INDEX_SIZE SWAP_USAGE_FREE SWAP_USAGE_USED SYSTEM_MEMORY_AVAILABLE SYSTEM_MEMORY_USED "
    "SYSTEM_NETWORK_IN SYSTEM_NETWORK_OUT" },
  { SVC_ALERT_ON_HOST, alert_rules_number,
    "SEARCH_MAX_NUMBER_OF_LUCENE_DOCS" },
  { SVC_ALERT_ON_FLEX, alert_rules_time,
    "FLEX_AVG_COMMAND_EXECUTION_TIME FLEX_AVG_READ_EXECUTION_TIME FLEX_AVG_WRITE_EXECUTION_TIME" },
  { SVC_ALERT_ON_FLEX, alert_rules_raw,
    "FLEX_CONNECTIONS FLEX_CONNECTIONS_PERCENT FLEX_NETWORK_NUM_REQUESTS FLEX_OPCOUNTER_CMD "
    "FLEX_OPCOUNTER_DELETE FLEX_OPCOUNTER_GETMORE FLEX_OPCOUNTER_INSERT FLEX_OPCOUNTER_QUERY "
    "FLEX_OPCOUNTER_UPDATE" },
  { SVC_ALERT_ON_FLEX, alert_rules_data,
    "FLEX_DATA_SIZE_TOTAL FLEX_NETWORK_BYTES_IN FLEX_NETWORK_BYTES_OUT" },
  { SVC_ALERT_ON_SERVERLESS, alert_rules_time,
    "SERVERLESS_AVG_COMMAND_EXECUTION_TIME SERVERLESS_AVG_READ_EXECUTION_TIME "
    "SERVERLESS_AVG_WRITE_EXECUTION_TIME" },
  { SVC_ALERT_ON_SERVERLESS, alert_rules_raw,
    "SERVERLESS_CONNECTIONS SERVERLESS_CONNECTIONS_PERCENT SERVERLESS_NETWORK_NUM_REQUESTS "
    "SERVERLESS_OPCOUNTER_CMD SERVERLESS_OPCOUNTER_DELETE SERVERLESS_OPCOUNTER_GETMORE "
    "SERVERLESS_OPCOUNTER_INSERT SERVERLESS_OPCOUNTER_QUERY SERVERLESS_OPCOUNTER_UPDATE" },
  { SVC_ALERT_ON_SERVERLESS, alert_rules_data,
    "SERVERLESS_DATA_SIZE_TOTAL SERVERLESS_NETWORK_BYTES_IN SERVERLESS_NETWORK_BYTES_OUT" },
  { SVC_ALERT_ON_SERVERLESS, alert_rules_units,
    "SERVERLESS_TOTAL_READ_UNITS SERVERLESS_TOTAL_WRITE_UNITS" },
  { SVC_ALERT_ON_APP, alert_rules_raw,
    "REALM_AUTH_LOGIN_FAIL REALM_ENDPOINTS_FAILED_REQUESTS REALM_GQL_FAILED_REQUESTS "
    "REALM_OVERALL_FAILED_REQUESTS REALM_SDKFNS_FAILED_REQUESTS REALM_SYNC_NUM_UNSYNCABLE_DOCS_PERCENT "
    "REALM_TRIGGERS_FAILED_REQUESTS" },
  { SVC_ALERT_ON_APP, alert_rules_time,
    "REALM_ENDPOINTS_COMPUTE_MS REALM_ENDPOINTS_RESPONSE_MS REALM_GQL_COMPUTE_MS REALM_GQL_RESPONSE_MS "
    "REALM_OVERALL_COMPUTE_MS REALM_SDK_FNS_RESPONSE_MS REALM_SDK_FUNCTIONS_COMPUTE_MS REALM_SDK_MQL_COMPUTE_MS "
    "REALM_SDK_MQL_RESPONSE_MS REALM_SYNC_CLIENT_BOOTSTRAP_MS REALM_SYNC_CURRENT_OPLOG_LAG_MS_SUM "
    "REALM_TRIGGERS_COMPUTE_MS REALM_TRIGGERS_CURRENT_OPLOG_LAG_MS_SUM REALM_TRIGGERS_RESPONSE_MS" },
  { SVC_ALERT_ON_APP, alert_rules_data,
    "REALM_ENDPOINTS_EGRESS_BYTES REALM_GQL_EGRESS_BYTES REALM_OVERALL_EGRESS_BYTES "
    "REALM_SDK_FUNCTIONS_EGRESS_BYTES REALM_SDK_MQL_EGRESS_BYTES REALM_SYNC_CLIENT_CHANGESETS_INVALID "
    "REALM_SYNC_CLIENT_READS_FAILED REALM_SYNC_CLIENT_UPLOADS_FAILED REALM_SYNC_EGRESS_BYTES "
    "REALM_SYNC_FAILED_REQUESTS REALM_SYNC_SESSIONS_ENDED REALM_TRIGGERS_EGRESS_BYTES" },
  { SVC_ALERT_ON_STREAM, alert_rules_time,
    "STREAM_PROCESSOR_CHANGE_STREAM_LAG" },
  { SVC_ALERT_ON_STREAM, alert_rules_raw,
    "STREAM_PROCESSOR_DLQ_MESSAGE_COUNT STREAM_PROCESSOR_KAFKA_LAG STREAM_PROCESSOR_OUTPUT_MESSAGE_COUNT" },
  { 0, NULL, NULL }
};

static const struct alert_rules_kind *alert_rules_kind(const svc *s, svc_str type)
{
  const struct alert_rules_kind *k = alert_rules_kinds;
  for (; k->type; k++) {
    size_t n = strlen(k->type);
    if (k->type[n - 1] == '*' ? type.n >= n - 1 && memcmp(type.p, k->type, n - 1) == 0 : svc_value_is(s, type, k->type)) break;
  }
  return k;
}

SVC_PRIVATE int svc_alert_on(const svc *s, svc_str type)
{
  return alert_rules_kind(s, type)->on;
}

/* The allowed units of a metric; NULL: there is no such metric of this kind. */
static const char *const *alert_rules_units_of(int on, svc_str metric)
{
  const struct alert_rules_metrics *m;
  for (m = alert_rules_metrics; m->names; m++) {
    svc_str rest = svc_str_c(m->names);
    while (m->on == on && rest.n)
      if (svc_str_eq(svc_str_cut(&rest, ' '), metric)) return m->units;
  }
  return NULL;
}

/* ----------------------------------------------------------------------------------------------------------- thresholds */

/* Checks a member against a list of values; the default is the first value. */
static void alert_rules_word(svc_call *c, svc_node *threshold, const char *whole, const char *name, const char *const *values)
{
  svc_str word = svc_node_str(threshold, name), path = svc_arena_print(c->arena, "%s.%s", whole, name);
  if (word.n == 0) svc_node_set_text(c->arena, threshold, name, values[0]);
  else if (!svc_value_in(c->s, word, values))
    svc_violate(c, SVC_E_INVALID_ENUM_VALUE, path, "must be %s here", svc_values_known(c, values).p);
}

static void alert_rules_metric(svc_call *c, svc_node *threshold, const char *whole, int on)
{
  const char *const *units = alert_rules_units_of(on, svc_node_str(threshold, "metricName"));
  if (!units) {
    svc_violate(c, SVC_E_INVALID_ENUM_VALUE, svc_arena_print(c->arena, "%s.metricName", whole), "is not a metric of this event type");
    return;
  }
  alert_rules_word(c, threshold, whole, "operator", alert_rules_either + 2);
  alert_rules_word(c, threshold, whole, "units", units);
}

/* A threshold without a metric must not have the fields of metrics. */
static void alert_rules_plain(svc_call *c, svc_node *threshold, const struct alert_rules_bounds *bounds)
{
  static const char *const names[] = { "metricName", "mode" };
  size_t i;
  for (i = 0; i < sizeof names / sizeof names[0]; i++)
    if (svc_node_get(threshold, names[i]))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "threshold.%s", names[i]), "is not allowed for this event type");
  alert_rules_word(c, threshold, "threshold", "operator", bounds->operators);
  if (!bounds->none || svc_node_get(threshold, "units")) alert_rules_word(c, threshold, "threshold", "units", bounds->units);
}

static bool alert_rules_threshold(svc_call *c, svc_node *body, const struct alert_rules_kind *kind)
{
  svc_str type = svc_turned_event(c->s, svc_node_str(body, "eventTypeName"));
  svc_node *metric = svc_node_get(body, "metricThreshold"), *plain = svc_node_get(body, "threshold");
  const struct alert_rules_bounds *bounds = &alert_rules_bounds[kind->limit];
  bool by_metric = kind->limit == ALERT_LIMIT_METRIC, none = kind->limit == ALERT_LIMIT_NONE;
  bool may = kind->limit == ALERT_LIMIT_MAY || kind->limit == ALERT_LIMIT_AGE_MAY;
  bool either = kind->on == SVC_ALERT_ON_STREAM && by_metric && !metric; /* stream processors: either threshold is allowed */
  if ((metric && !by_metric) || (plain && ((by_metric && !either) || none))) return svc_fail(c, SVC_E_THRESHOLD_PRESENT, "S", &type);
  if (none || (may && !plain)) return true;
  if (by_metric && !either ? !metric : !plain) return svc_fail(c, SVC_E_MISSING_THRESHOLD, "S", &type);
  if (either) alert_rules_metric(c, plain, "threshold", kind->on);
  else if (by_metric) alert_rules_metric(c, metric, "metricThreshold", kind->on);
  else alert_rules_plain(c, plain, bounds);
  return true;
}

/* Whether alerts can be configured for a type. */
static bool alert_rules_alertable(const svc *s, svc_str name)
{
  svc_event_type type;
  return svc_event_type_known(s, name, &type) && type.alertable;
}

SVC_PRIVATE bool svc_alert_config_rules(svc_call *c, svc_node *body)
{
  svc_str type = svc_node_str(body, "eventTypeName");
  const struct alert_rules_kind *kind = alert_rules_kind(c->s, type);
  if (!alert_rules_alertable(c->s, type)) {
    type = svc_turned_event(c->s, type);
    return svc_fail(c, SVC_E_INVALID_EVENT_TYPE_FOR_ALERT, "S", &type);
  }
  if (!alert_rules_threshold(c, body, kind)) return false;
  svc_alert_matchers_check(c, svc_node_get(body, "matchers"), kind->on);
  return svc_check_done(c);
}

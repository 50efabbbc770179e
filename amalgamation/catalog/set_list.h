/*
** The endpoint sets. Each operation belongs to one set. The operations of a set share one bucket of tokens per project,
** organization, user or address.
**
** The rule: each set is listed once, here. The numbers SVC_SET_... in routes, the buckets, and the answers of /rateLimits
** all come from this list. The order is that of the service's catalog. The ids of sets are made from their names
** (svc_set_id): after a rename, clients no longer find the set under its old id.
*/
#ifndef SVC_SET_LIST_H
#define SVC_SET_LIST_H

/* X(enumerator, name, scope, capacity in tokens, tokens added at each refill, seconds between refills) */
#define SVC_SET_LIST(X) \
  X(CUSTOM_DNS, "Custom DNS", GROUP, 1200, 500, 60) \
  X(DB_ACCESS_HISTORY, "Database access history", GROUP, 1200, 500, 60) \
  X(PROJECT_ACTIVITY, "Project activity feed", GROUP, 1200, 500, 60) \
  X(ORGANIZATION_ACTIVITY, "Organization activity feed", ORGANIZATION, 500, 250, 60) \
  X(ALERT_CONFIGS, "Alert configurations", GROUP, 1200, 500, 60) \
  X(ALERT_MATCHERS, "Alert matcher field names", USER, 300, 100, 60) \
  X(ALERTS, "Alerts", GROUP, 1200, 500, 60) \
  X(SEARCH_DEPLOYMENT, "Search deployment", GROUP, 1200, 500, 60) \
  X(SEARCH_INDEXES, "Search indexes", GROUP, 500, 500, 60) \
  X(AUDIT_LOG, "Audit log", GROUP, 1200, 500, 60) \
  X(BACKUP, "Backup", GROUP, 1200, 500, 60) \
  X(PROJECT_LIVE_MIGRATIONS, "Live migrations, project level", GROUP, 1200, 500, 60) \
  X(ORGANIZATION_LIVE_MIGRATIONS, "Live migrations, organization level", ORGANIZATION, 500, 250, 60) \
  X(CLOUD_PROVIDER_ACCESS, "Cloud provider access", GROUP, 2000, 1000, 60) \
  X(CLUSTER_LOGS, "Cluster log download", GROUP, 10000, 5000, 60) \
  X(OUTAGE_SIMULATION, "Outage simulation", GROUP, 1200, 500, 60) \
  X(CLUSTERS, "Clusters", GROUP, 10000, 5000, 60) \
  X(CLUSTER_LIST, "Clusters across projects", USER, 300, 100, 60) \
  X(COLLECTION_STATS, "Collection statistics", GROUP, 300, 100, 60) \
  X(CUSTOM_DB_ROLES, "Custom database roles", GROUP, 2000, 1000, 60) \
  X(DATA_FEDERATION, "Data federation and private network settings", GROUP, 1200, 500, 60) \
  X(DATABASE_USERS, "Database users", GROUP, 10000, 5000, 60) \
  X(ENCRYPTION_AT_REST, "Encryption at rest", GROUP, 2000, 1000, 60) \
  X(PROJECT_EVENTS, "Project events", GROUP, 300, 100, 60) \
  X(ORGANIZATION_EVENTS, "Organization events", ORGANIZATION, 500, 250, 60) \
  X(EVENT_TYPES, "Event types", USER, 300, 100, 60) \
  X(FEDERATION_ORGANIZATION, "Federation, connected organization configuration", ORGANIZATION, 500, 250, 60) \
  X(FEDERATION_SETTINGS, "Federation, settings and identity providers", USER, 300, 100, 60) \
  X(FLEX_CLUSTERS, "Flex clusters", GROUP, 1200, 500, 60) \
  X(FLEX_RESTORE_JOBS, "Flex cluster restore jobs", GROUP, 1200, 500, 60) \
  X(FLEX_SNAPSHOTS, "Flex cluster snapshots", GROUP, 1200, 500, 60) \
  X(GLOBAL_WRITES, "Global writes", GROUP, 1200, 500, 60) \
  X(PROJECT_IP_ADDRESSES, "Project IP addresses", GROUP, 1200, 500, 60) \
  X(BILLING, "Billing and invoices", ORGANIZATION, 500, 100, 60) \
  X(SKUS, "Billing SKUs", USER, 300, 100, 60) \
  X(USER_SECURITY, "User security and directory-service verification", GROUP, 1200, 500, 60) \
  X(LEGACY_SNAPSHOTS, "Legacy snapshots and checkpoints", GROUP, 1200, 500, 60) \
  X(MAINTENANCE_WINDOW, "Maintenance window", GROUP, 1200, 500, 60) \
  X(PROJECT_USERS, "Project users", GROUP, 1200, 500, 60) \
  X(ORGANIZATION_USERS, "Organization users", ORGANIZATION, 500, 250, 60) \
  X(USERS, "Users", USER, 2500, 2000, 60) \
  X(PROCESSES, "Processes and metrics", GROUP, 300, 100, 60) \
  X(NETWORK, "Network containers, peering and private IP mode", GROUP, 2000, 1000, 60) \
  X(ONLINE_ARCHIVES, "Online archives", GROUP, 1200, 500, 60) \
  X(ORGANIZATION_SETTINGS, "Organization settings", ORGANIZATION, 10, 5, 60) \
  X(ORGANIZATIONS, "Organizations and organization invitations", ORGANIZATION, 500, 250, 60) \
  X(ORGANIZATION_LIST, "Organization list and creation", USER, 300, 100, 60) \
  X(PERFORMANCE_ADVISOR, "Performance advisor and slow-query threshold", GROUP, 1200, 500, 60) \
  X(PRIVATE_ENDPOINTS, "Private endpoints", GROUP, 4000, 2000, 60) \
  X(PROJECT_API_KEYS, "Project API keys", GROUP, 1200, 500, 60) \
  X(ORGANIZATION_API_KEYS, "Organization API keys", ORGANIZATION, 500, 250, 60) \
  X(ACCESS_LIST, "Project IP access list", GROUP, 1200, 500, 60) \
  X(PROJECTS, "Projects, project invitations, project limits and settings", GROUP, 1200, 500, 60) \
  X(PROJECT_LIST, "Project list and creation", USER, 1200, 500, 60) \
  X(LOG_EXPORT, "Log integrations and push-based log export", GROUP, 1200, 500, 60) \
  X(QUERY_SHAPES, "Query shapes", GROUP, 1200, 500, 60) \
  X(RATE_LIMITS, "Rate limits", USER, 300, 100, 60) \
  X(RESOURCE_POLICIES, "Resource policies", ORGANIZATION, 500, 250, 60) \
  X(CONTROL_PLANE, "Control-plane IP addresses", IP, 400, 100, 60) \
  X(ROOT, "Root resource", USER, 300, 100, 60) \
  X(PROJECT_SERVICE_ACCOUNTS, "Project service accounts", GROUP, 1200, 500, 60) \
  X(ORGANIZATION_SERVICE_ACCOUNTS, "Organization service accounts", ORGANIZATION, 500, 250, 60) \
  X(STREAMS, "Stream processing", GROUP, 1200, 500, 60) \
  X(PROJECT_TEAMS, "Project teams", GROUP, 1200, 500, 60) \
  X(ORGANIZATION_TEAMS, "Organization teams", ORGANIZATION, 1200, 500, 60) \
  X(INTEGRATIONS, "Third-party integrations and index creation", GROUP, 1200, 500, 60) \
  X(CUSTOMER_X509, "Customer-managed X.509", GROUP, 1200, 500, 60)

#define SVC_SET_ENUM(id, name, scope, capacity, refill_rate, refill_seconds) SVC_SET_##id,
enum svc_set { SVC_SET_LIST(SVC_SET_ENUM) SVC_SET_COUNT };
#undef SVC_SET_ENUM

#endif /* SVC_SET_LIST_H */

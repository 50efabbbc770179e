/*
** The event types: what the event log can say has happened.
**
** The rule it keeps: a type is written down once, here. /eventTypes answers from this list, and whatever writes an
** event names a type that stands in it. A type belongs to the log of projects, of organizations, or both; an event is
** never written to a log that its type is not of. Alertable are those types, and only those, for which an alert can be
** configured in a project.
*/
#ifndef SVC_EVENT_TYPE_LIST_H
#define SVC_EVENT_TYPE_LIST_H

/* X(name, where, alertable, description); description "": its name has to do */
#define SVC_EVENT_TYPE_LIST(X) \
  /* ---- Organizations and projects */ \
  X(ORG_CREATED, SVC_EVENT_ORG, false, "An organization was created.") \
  X(ORG_RENAMED, SVC_EVENT_ORG, false, "An organization was given another name.") \
  X(ORG_SUSPENDED, SVC_EVENT_ORG, false, "An organization was suspended.") \
  X(ORG_LOCKED, SVC_EVENT_ORG, false, "An organization was locked.") \
  X(ORG_PUBLIC_API_ACCESS_LIST_REQUIRED, SVC_EVENT_ORG, false, \
    "The organization began to require an API access list.") \
  X(ORG_PUBLIC_API_ACCESS_LIST_NOT_REQUIRED, SVC_EVENT_ORG, false, \
    "The organization no longer requires an API access list.") \
  X(ORG_TWO_FACTOR_AUTH_REQUIRED, SVC_EVENT_ORG, false, \
    "The organization began to require a second factor at sign-in.") \
  X(ORG_TWO_FACTOR_AUTH_OPTIONAL, SVC_EVENT_ORG, false, \
    "The organization no longer requires a second factor at sign-in.") \
  X(ORG_SETTINGS_CONFIGURED, SVC_EVENT_ORG, false, "The settings of an organization were made for the first time.") \
  X(ORG_SETTINGS_UPDATED, SVC_EVENT_ORG, false, "The settings of an organization were changed.") \
  X(ORG_EMPLOYEE_ACCESS_RESTRICTED, SVC_EVENT_ORG, false, \
    "The organization shut the vendor's employees out of its infrastructure.") \
  X(ORG_EMPLOYEE_ACCESS_UNRESTRICTED, SVC_EVENT_ORG, false, \
    "The organization let the vendor's employees into its infrastructure again.") \
  X(ORG_SERVICE_ACCOUNT_MAX_SECRET_VALIDITY_EDITED, SVC_EVENT_ORG, false, \
    "The longest life of service account secrets was changed.") \
  X(SECURITY_CONTACT_MODIFIED, SVC_EVENT_ORG, false, "The security contact of an organization was changed.") \
  X(OPERATIONS_CONTACT_MODIFIED, SVC_EVENT_ORG, false, "The operations contact of an organization was changed.") \
  X(CUSTOM_SESSION_TIMEOUT_MODIFIED, SVC_EVENT_ORG, false, "The session timeouts of an organization were changed.") \
  X(GROUP_CREATED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A project was created.") \
  X(GROUP_DELETED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A project was deleted.") \
  X(GROUP_NAME_CHANGED, SVC_EVENT_GROUP, false, "A project was given another name.") \
  X(GROUP_MOVED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A project was moved to another organization.") \
  X(GROUP_MOVED_FROM_ORG, SVC_EVENT_ORG, false, "A project left this organization for another.") \
  X(GROUP_TAGS_MODIFIED, SVC_EVENT_GROUP | SVC_EVENT_ORG, true, "The tags of a project were changed.") \
  X(CLUSTER_TAGS_MODIFIED, SVC_EVENT_GROUP, true, "The tags of a cluster were changed.") \
  X(TAGS_MODIFIED, SVC_EVENT_GROUP | SVC_EVENT_ORG, true, "The tags of a resource were changed.") \
  /* ---- Settings of projects */ \
  X(GROUP_DEFAULT_ALERTS_SETTINGS_CHANGED, SVC_EVENT_GROUP, false, \
    "The default alert settings of a project were switched on or off.") \
  /* own names: the service has changes that no public name fits */ \
  X(GROUP_SETTINGS_UPDATED, SVC_EVENT_GROUP, false, "Settings of a project were changed.") \
  X(PRIVATE_IP_MODE_UPDATED, SVC_EVENT_GROUP, false, "Private IP mode of a project was switched.") \
  X(PROJECT_LIMIT_UPDATED, SVC_EVENT_GROUP, false, "A limit of a project was changed.") \
  X(PROJECT_COLLECT_DATABASE_STATISTICS_UPDATED, SVC_EVENT_GROUP, false, \
    "The collection of database statistics was switched on or off for a project.") \
  X(PROJECT_ENABLE_DATA_VALIDATION_UPDATED, SVC_EVENT_GROUP, false, \
    "Data validation was switched on or off for a project.") \
  X(PROJECT_ENABLE_EXTENDED_STORAGE_SIZES_UPDATED, SVC_EVENT_GROUP, false, \
    "Extended storage sizes were switched on or off for a project.") \
  X(DATA_EXPLORER_ENABLED, SVC_EVENT_GROUP, false, "The data explorer was switched on for a project.") \
  X(DATA_EXPLORER_DISABLED, SVC_EVENT_GROUP, false, "The data explorer was switched off for a project.") \
  X(AUDIT_LOG_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "The audit log of a project was configured anew.") \
  X(USER_SECURITY_SETTINGS_UPDATED, SVC_EVENT_GROUP, false, "The user security settings of a project were changed.") \
  X(ENCRYPTION_AT_REST_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, \
    "The encryption at rest of a project was configured anew.") \
  X(REGIONALIZED_PRIVATE_ENDPOINT_MODE_ENABLED, SVC_EVENT_GROUP, false, \
    "Regionalized private endpoints were switched on for a project.") \
  X(REGIONALIZED_PRIVATE_ENDPOINT_MODE_DISABLED, SVC_EVENT_GROUP, false, \
    "Regionalized private endpoints were switched off for a project.") \
  X(PUSH_BASED_LOG_EXPORT_ENABLED, SVC_EVENT_GROUP, false, "The export of logs was switched on for a project.") \
  X(PUSH_BASED_LOG_EXPORT_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, \
    "The export of logs of a project was configured anew.") \
  X(PUSH_BASED_LOG_EXPORT_DISABLED, SVC_EVENT_GROUP, false, "The export of logs was switched off for a project.") \
  /* ---- Clusters */ \
  X(CLUSTER_CREATED, SVC_EVENT_GROUP, false, "The creation of a cluster was requested.") \
  X(CLUSTER_READY, SVC_EVENT_GROUP, false, "A cluster is ready for use.") \
  X(CLUSTER_UPDATE_SUBMITTED, SVC_EVENT_GROUP, false, "A change of a cluster was requested.") \
  X(CLUSTER_UPDATE_STARTED, SVC_EVENT_GROUP, false, "A change of a cluster has begun.") \
  X(CLUSTER_UPDATE_COMPLETED, SVC_EVENT_GROUP, false, "A change of a cluster is done.") \
  X(CLUSTER_PROCESS_ARGS_UPDATE_SUBMITTED, SVC_EVENT_GROUP, false, \
    "A change of a cluster's advanced configuration was requested.") \
  X(CLUSTER_DELETE_SUBMITTED, SVC_EVENT_GROUP, false, "The deletion of a cluster was requested.") \
  X(CLUSTER_DELETED, SVC_EVENT_GROUP, false, "A cluster was deleted.") \
  X(CLUSTER_FCV_FIXED, SVC_EVENT_GROUP, false, "The feature compatibility version of a cluster was pinned.") \
  X(CLUSTER_FCV_UNFIXED, SVC_EVENT_GROUP, false, \
    "The feature compatibility version of a cluster is no longer pinned.") \
  X(CLUSTER_BINARY_VERSION_UPGRADED, SVC_EVENT_GROUP, false, "The database version of a cluster was raised.") \
  X(PRIMARY_ELECTED, SVC_EVENT_GROUP, true, "A replica set has elected a new primary.") \
  X(NO_PRIMARY, SVC_EVENT_GROUP, true, "A replica set has no primary.") \
  X(ONE_PRIMARY, SVC_EVENT_GROUP, false, "A replica set has a primary again.") \
  X(HOST_DOWN, SVC_EVENT_GROUP, true, "A host does not answer.") \
  X(HOST_UP, SVC_EVENT_GROUP, false, "A host answers again.") \
  /* ---- Maintenance */ \
  X(PROJECT_SCHEDULED_MAINTENANCE, SVC_EVENT_GROUP, false, "Maintenance was scheduled for a project.") \
  X(MAINTENANCE_IN_ADVANCED, SVC_EVENT_GROUP, true, "Maintenance of a project is coming up.") \
  X(MAINTENANCE_AUTO_DEFERRED, SVC_EVENT_GROUP, true, "Maintenance of a project was deferred by its own setting.") \
  X(MAINTENANCE_STARTED, SVC_EVENT_GROUP, true, "Maintenance of a project has begun.") \
  X(MAINTENANCE_COMPLETED, SVC_EVENT_GROUP, true, "Maintenance of a project is done.") \
  X(MAINTENANCE_NO_LONGER_NEEDED, SVC_EVENT_GROUP, true, "Scheduled maintenance of a project is no longer needed.") \
  X(SVC_MAINTENANCE_WINDOW_ADDED, SVC_EVENT_GROUP, false, "A maintenance window was set for a project.") \
  X(SVC_MAINTENANCE_WINDOW_MODIFIED, SVC_EVENT_GROUP, false, "The maintenance window of a project was changed.") \
  X(SVC_MAINTENANCE_WINDOW_REMOVED, SVC_EVENT_GROUP, false, "The maintenance window of a project was removed.") \
  X(SVC_MAINTENANCE_START_ASAP, SVC_EVENT_GROUP, false, \
    "Maintenance of a project was asked to begin as soon as possible.") \
  X(SVC_MAINTENANCE_DEFERRED, SVC_EVENT_GROUP, false, "Maintenance of a project was deferred.") \
  X(SVC_MAINTENANCE_AUTO_DEFER_ENABLED, SVC_EVENT_GROUP, false, \
    "Automatic deferral of maintenance was switched on for a project.") \
  X(SVC_MAINTENANCE_AUTO_DEFER_DISABLED, SVC_EVENT_GROUP, false, \
    "Automatic deferral of maintenance was switched off for a project.") \
  X(SVC_MAINTENANCE_PROTECTED_HOURS_CREATED, SVC_EVENT_GROUP, false, \
    "Hours protected from maintenance were set for a project.") \
  X(SVC_MAINTENANCE_PROTECTED_HOURS_MODIFIED, SVC_EVENT_GROUP, false, \
    "The hours protected from maintenance were changed for a project.") \
  X(SVC_MAINTENANCE_PROTECTED_HOURS_REMOVED, SVC_EVENT_GROUP, false, \
    "The hours protected from maintenance were removed for a project.") \
  /* ---- Database access */ \
  X(DB_USER_ADDED, SVC_EVENT_GROUP, false, "A database user was added.") \
  X(DB_USER_UPDATED, SVC_EVENT_GROUP, false, "A database user was changed.") \
  X(DB_USER_DELETED, SVC_EVENT_GROUP, false, "A database user was deleted.") \
  X(DB_USER_X509_CERT_CREATED, SVC_EVENT_GROUP, false, "A certificate was made for a database user.") \
  X(DB_USER_X509_CERT_REVOKED, SVC_EVENT_GROUP, false, "A certificate of a database user was revoked.") \
  X(DB_ROLE_ADDED, SVC_EVENT_GROUP, false, "A custom database role was added.") \
  X(DB_ROLE_UPDATED, SVC_EVENT_GROUP, false, "A custom database role was changed.") \
  X(DB_ROLE_DELETED, SVC_EVENT_GROUP, false, "A custom database role was deleted.") \
  /* ---- API keys */ \
  X(API_KEY_CREATED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An API key was created.") \
  X(API_KEY_DELETED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An API key was deleted.") \
  X(API_KEY_ROLES_CHANGED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "The roles of an API key were changed.") \
  X(API_KEY_DESCRIPTION_CHANGED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "The description of an API key was changed.") \
  X(API_KEY_ADDED_TO_GROUP, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An API key was assigned to a project.") \
  X(API_KEY_REMOVED_FROM_GROUP, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An API key was removed from a project.") \
  X(API_KEY_ACCESS_LIST_ENTRY_ADDED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "An entry was added to the access list of an API key.") \
  X(API_KEY_ACCESS_LIST_ENTRY_DELETED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "An entry was removed from the access list of an API key.") \
  /* ---- Service accounts */ \
  X(SERVICE_ACCOUNT_CREATED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A service account was created.") \
  X(SERVICE_ACCOUNT_DELETED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A service account was deleted.") \
  X(SERVICE_ACCOUNT_ROLES_CHANGED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "The roles of a service account were changed.") \
  X(SERVICE_ACCOUNT_DETAILS_CHANGED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "The name or description of a service account was changed.") \
  X(SERVICE_ACCOUNT_ADDED_TO_GROUP, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "A service account was assigned to a project.") \
  X(SERVICE_ACCOUNT_REMOVED_FROM_GROUP, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "A service account was removed from a project.") \
  X(SERVICE_ACCOUNT_SECRET_ADDED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A secret was added to a service account.") \
  X(SERVICE_ACCOUNT_SECRET_DELETED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "A secret of a service account was deleted.") \
  X(SERVICE_ACCOUNT_ACCESS_LIST_ENTRY_ADDED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "An entry was added to the access list of a service account.") \
  X(SERVICE_ACCOUNT_ACCESS_LIST_ENTRY_DELETED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "An entry was removed from the access list of a service account.") \
  X(ORG_SERVICE_ACCOUNT_SECRETS_EXPIRING, SVC_EVENT_ORG, false, \
    "Secrets of service accounts in the organization expire soon.") \
  X(ORG_SERVICE_ACCOUNT_SECRETS_EXPIRED, SVC_EVENT_ORG, false, \
    "Secrets of service accounts in the organization have expired.") \
  X(GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRING, SVC_EVENT_GROUP, true, \
    "Secrets of service accounts in the project expire soon.") \
  X(GROUP_SERVICE_ACCOUNT_SECRETS_EXPIRED, SVC_EVENT_GROUP, true, \
    "Secrets of service accounts in the project have expired.") \
  /* ---- Teams and users */ \
  X(TEAM_CREATED, SVC_EVENT_ORG, false, "A team was created.") \
  X(TEAM_DELETED, SVC_EVENT_ORG, false, "A team was deleted.") \
  X(TEAM_NAME_CHANGED, SVC_EVENT_ORG, false, "A team was given another name.") \
  X(TEAM_ADDED_TO_GROUP, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A team was assigned to a project.") \
  X(TEAM_REMOVED_FROM_GROUP, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A team was removed from a project.") \
  X(TEAM_ROLES_MODIFIED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "The roles of a team in a project were changed.") \
  X(JOINED_ORG, SVC_EVENT_ORG, false, "A user joined an organization.") \
  X(JOINED_TEAM, SVC_EVENT_ORG, false, "A user joined a team.") \
  X(JOINED_GROUP, SVC_EVENT_GROUP, true, "A user joined a project.") \
  X(INVITED_TO_ORG, SVC_EVENT_ORG, false, "A user was invited to an organization.") \
  X(INVITED_TO_GROUP, SVC_EVENT_GROUP, false, "A user was invited to a project.") \
  X(ORG_INVITATION_DELETED, SVC_EVENT_ORG, false, "An invitation to an organization was withdrawn.") \
  X(GROUP_INVITATION_DELETED, SVC_EVENT_GROUP, false, "An invitation to a project was withdrawn.") \
  X(REMOVED_FROM_ORG, SVC_EVENT_ORG, false, "A user was removed from an organization.") \
  X(REMOVED_FROM_TEAM, SVC_EVENT_ORG, false, "A user was removed from a team.") \
  X(REMOVED_FROM_GROUP, SVC_EVENT_GROUP, true, "A user was removed from a project.") \
  X(USER_ROLES_CHANGED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, true, "The roles of a user were changed.") \
  /* ---- Backup */ \
  X(CPS_SNAPSHOT_STARTED, SVC_EVENT_GROUP, true, "A snapshot was begun.") \
  X(CPS_SNAPSHOT_SUCCESSFUL, SVC_EVENT_GROUP, true, "A snapshot was taken.") \
  X(CPS_SNAPSHOT_FAILED, SVC_EVENT_GROUP, true, "A snapshot failed.") \
  X(CPS_ON_DEMAND_SNAPSHOT_REQUESTED, SVC_EVENT_GROUP, false, "A snapshot on demand was requested.") \
  X(CPS_SNAPSHOT_DELETED_AUDIT, SVC_EVENT_GROUP, false, "A snapshot was deleted.") \
  X(CPS_SNAPSHOT_RETENTION_MODIFIED_AUDIT, SVC_EVENT_GROUP, false, "The retention of a snapshot was changed.") \
  X(CPS_SNAPSHOT_SCHEDULE_UPDATED_AUDIT, SVC_EVENT_GROUP, false, "The snapshot schedule of a cluster was changed.") \
  X(CPS_RESTORE_REQUESTED_AUDIT, SVC_EVENT_GROUP, false, "A restore was requested.") \
  X(CPS_RESTORE_SUCCESSFUL, SVC_EVENT_GROUP, true, "A restore succeeded.") \
  X(CPS_RESTORE_FAILED, SVC_EVENT_GROUP, true, "A restore failed.") \
  X(CPS_EXPORT_SUCCESSFUL, SVC_EVENT_GROUP, true, "The export of a snapshot succeeded.") \
  X(CPS_EXPORT_FAILED, SVC_EVENT_GROUP, true, "The export of a snapshot failed.") \
  X(CPS_DATA_PROTECTION_ENABLED, SVC_EVENT_GROUP, true, "A backup compliance policy came into force.") \
  X(CPS_DATA_PROTECTION_UPDATED, SVC_EVENT_GROUP, true, "A backup compliance policy was changed.") \
  X(CPS_DATA_PROTECTION_DISABLED, SVC_EVENT_GROUP, true, "A backup compliance policy was lifted.") \
  X(BUCKET_CREATED_AUDIT, SVC_EVENT_GROUP, false, "An export bucket was added.") \
  X(BUCKET_DELETED_AUDIT, SVC_EVENT_GROUP, false, "An export bucket was removed.") \
  X(TENANT_RESTORE_REQUESTED_AUDIT, SVC_EVENT_GROUP, false, "A restore to a flex cluster was requested.") \
  X(TENANT_RESTORE_COMPLETED_AUDIT, SVC_EVENT_GROUP, false, "A restore to a flex cluster is done.") \
  /* ---- Network */ \
  X(NETWORK_PERMISSION_ENTRY_ADDED, SVC_EVENT_GROUP, true, "An entry was added to the access list of a project.") \
  X(NETWORK_PERMISSION_ENTRY_UPDATED, SVC_EVENT_GROUP, true, "An entry of the access list of a project was changed.") \
  X(NETWORK_PERMISSION_ENTRY_REMOVED, SVC_EVENT_GROUP, true, \
    "An entry was removed from the access list of a project.") \
  X(PEER_CREATED, SVC_EVENT_GROUP, false, "An AWS peering connection was created.") \
  X(PEER_UPDATED, SVC_EVENT_GROUP, false, "An AWS peering connection was changed.") \
  X(PEER_DELETED, SVC_EVENT_GROUP, false, "An AWS peering connection was deleted.") \
  X(AZURE_PEER_CREATED, SVC_EVENT_GROUP, false, "An Azure peering connection was created.") \
  X(AZURE_PEER_UPDATED, SVC_EVENT_GROUP, false, "An Azure peering connection was changed.") \
  X(AZURE_PEER_DELETED, SVC_EVENT_GROUP, false, "An Azure peering connection was deleted.") \
  X(GCP_PEER_CREATED, SVC_EVENT_GROUP, false, "A Google Cloud peering connection was created.") \
  X(GCP_PEER_UPDATED, SVC_EVENT_GROUP, false, "A Google Cloud peering connection was changed.") \
  X(GCP_PEER_DELETED, SVC_EVENT_GROUP, false, "A Google Cloud peering connection was deleted.") \
  X(CONTAINER_SUBNETS_UPDATE_REQUESTED, SVC_EVENT_GROUP, false, "A change of a network container was requested.") \
  X(CONTAINER_DELETED, SVC_EVENT_GROUP, false, "A network container was deleted.") \
  X(ENDPOINT_SERVICE_CREATED, SVC_EVENT_GROUP, false, "A private endpoint service was created.") \
  X(ENDPOINT_SERVICE_DELETED, SVC_EVENT_GROUP, false, "A private endpoint service was deleted.") \
  X(INTERFACE_ENDPOINT_CREATED, SVC_EVENT_GROUP, false, "A private endpoint was created.") \
  X(INTERFACE_ENDPOINT_PATCHED, SVC_EVENT_GROUP, false, "A private endpoint was changed.") \
  X(INTERFACE_ENDPOINT_DELETED, SVC_EVENT_GROUP, false, "A private endpoint was deleted.") \
  /* ---- Alerts and integrations */ \
  X(ALERT_CONFIG_ADDED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An alert configuration was added.") \
  X(ALERT_CONFIG_CHANGED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An alert configuration was changed.") \
  X(ALERT_CONFIG_ENABLED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An alert configuration was switched on.") \
  X(ALERT_CONFIG_DISABLED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An alert configuration was switched off.") \
  X(ALERT_CONFIG_DELETED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An alert configuration was deleted.") \
  X(ALERT_ACKNOWLEDGED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An alert was acknowledged.") \
  X(ALERT_UNACKNOWLEDGED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "The acknowledgement of an alert was taken back.") \
  X(OUTSIDE_METRIC_THRESHOLD, SVC_EVENT_GROUP, true, "A metric of a host went past its threshold.") \
  X(INSIDE_METRIC_THRESHOLD, SVC_EVENT_GROUP, false, "A metric of a host is within its threshold again.") \
  X(INTEGRATION_CONFIGURED, SVC_EVENT_GROUP, false, "A third-party integration was configured.") \
  X(INTEGRATION_REMOVED, SVC_EVENT_GROUP, false, "A third-party integration was removed.") \
  /* ---- Search, data federation, provider access, streams */ \
  X(SEARCH_DEPLOYMENT_CREATED, SVC_EVENT_GROUP, false, "Search nodes were created.") \
  X(SEARCH_DEPLOYMENT_UPDATED, SVC_EVENT_GROUP, false, "Search nodes were changed.") \
  X(SEARCH_DEPLOYMENT_DELETED, SVC_EVENT_GROUP, false, "Search nodes were deleted.") \
  X(FEDERATED_DATABASE_CREATED, SVC_EVENT_GROUP, false, "A federated database instance was created.") \
  X(FEDERATED_DATABASE_UPDATED, SVC_EVENT_GROUP, false, "A federated database instance was changed.") \
  X(FEDERATED_DATABASE_REMOVED, SVC_EVENT_GROUP, false, "A federated database instance was removed.") \
  X(CLOUD_PROVIDER_ACCESS_AWS_IAM_ROLE_ADDED, SVC_EVENT_GROUP, false, \
    "An AWS IAM role was added for access by the service.") \
  X(CLOUD_PROVIDER_ACCESS_AWS_IAM_ROLE_UPDATED, SVC_EVENT_GROUP, false, \
    "An AWS IAM role for access by the service was changed.") \
  X(CLOUD_PROVIDER_ACCESS_AWS_IAM_ROLE_DELETED, SVC_EVENT_GROUP, false, \
    "An AWS IAM role for access by the service was removed.") \
  X(STREAM_PROCESSOR_CREATED, SVC_EVENT_GROUP, false, "A stream processor was created.") \
  X(STREAM_PROCESSOR_STARTED, SVC_EVENT_GROUP, false, "A stream processor was started.") \
  X(STREAM_PROCESSOR_STOPPED, SVC_EVENT_GROUP, false, "A stream processor was stopped.") \
  X(STREAM_PROCESSOR_MODIFIED, SVC_EVENT_GROUP, false, "A stream processor was changed.") \
  X(STREAM_PROCESSOR_DROPPED, SVC_EVENT_GROUP, false, "A stream processor was dropped.") \
  X(STREAM_PROCESSOR_STATE_IS_FAILED, SVC_EVENT_GROUP, true, "A stream processor has failed.") \
  /* ---- Those whose name is their description; most are not written yet, but may be asked for */ \
  X(ACCOUNT_DOWNGRADED, SVC_EVENT_ORG, false, "") \
  X(ACCOUNT_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(ACCOUNT_UPGRADED, SVC_EVENT_ORG, false, "") \
  X(ACTIVE_LEGACY_TLS_CONNECTIONS, SVC_EVENT_GROUP, true, "") \
  X(ADMIN_CLUSTER_LOCK_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(ADMIN_OVERRIDE_PAYMENT_METHOD_DELETED, SVC_EVENT_ORG, false, "") \
  X(ADMIN_OVERRIDE_PAYMENT_METHOD_EXPIRED, SVC_EVENT_ORG, false, "") \
  X(AGENT_FORCE_RESTART_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_API_KEY_CREATED, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_API_KEY_DELETED, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_API_KEY_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_FREE_TOKENS_ADMIN_ADJUSTED, SVC_EVENT_ORG, false, "") \
  X(AI_MODELS_APIS_RATE_LIMIT_ADMIN_OVERRIDE, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_RATE_LIMIT_RESET, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_RATE_LIMIT_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_USAGE_TIER_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ALERT_HOST_SSH_SESSION_STARTED, SVC_EVENT_GROUP, true, "") \
  X(ALL_ORG_USERS_HAVE_MFA, SVC_EVENT_ORG, false, "") \
  X(ALL_USERS_HAVE_MULTI_FACTOR_AUTH, SVC_EVENT_GROUP, false, "") \
  X(API_KEY_UI_IP_ACCESS_LIST_INHERITANCE_DISABLED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "") \
  X(API_KEY_UI_IP_ACCESS_LIST_INHERITANCE_ENABLED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "") \
  X(ATTEMPT_KILLOP_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(ATTEMPT_KILLSESSION_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(AUTOMATION_CONFIG_PUBLISHED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(AUTO_HEALING_ACTION, SVC_EVENT_GROUP, false, "") \
  X(AUTO_HEALING_REQUESTED_CRITICAL_INSTANCE_POWER_CYCLE, SVC_EVENT_GROUP, false, "") \
  X(AUTO_HEALING_REQUESTED_INSTANCE_REPLACEMENT, SVC_EVENT_GROUP, false, "") \
  X(AUTO_HEALING_REQUESTED_NODE_RESYNC, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_COMPLETED_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_FAILED_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_INDEX_BUILD_SUBMITTED, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_SLOW_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_STALLED_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_STARTED_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(AWS_BILLING_ACCOUNT_CREDIT_ISSUED, SVC_EVENT_ORG, false, "") \
  X(AWS_ENCRYPTION_KEY_INVALID, SVC_EVENT_GROUP, true, "") \
  X(AWS_ENCRYPTION_KEY_NEEDS_ROTATION, SVC_EVENT_GROUP, true, "") \
  X(AWS_ENCRYPTION_KEY_ROTATED, SVC_EVENT_GROUP, false, "") \
  X(AWS_ENCRYPTION_KEY_VALID, SVC_EVENT_GROUP, false, "") \
  X(AWS_PAYMENT_PAID, SVC_EVENT_ORG, false, "") \
  X(AWS_SELF_SERVE_ACCOUNT_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(AWS_SELF_SERVE_ACCOUNT_LINKED, SVC_EVENT_ORG, false, "") \
  X(AWS_SELF_SERVE_ACCOUNT_LINK_FAILED, SVC_EVENT_ORG, false, "") \
  X(AWS_SELF_SERVE_ACCOUNT_LINK_PENDING, SVC_EVENT_ORG, false, "") \
  X(AWS_USAGE_REPORTED, SVC_EVENT_ORG, false, "") \
  X(AZURE_BILLING_ACCOUNT_CREDIT_ISSUED, SVC_EVENT_ORG, false, "") \
  X(AZURE_CLUSTER_PREFERRED_STORAGE_TYPE_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(AZURE_ENCRYPTION_KEY_INVALID, SVC_EVENT_GROUP, true, "") \
  X(AZURE_ENCRYPTION_KEY_NEEDS_ROTATION, SVC_EVENT_GROUP, true, "") \
  X(AZURE_ENCRYPTION_KEY_ROTATED, SVC_EVENT_GROUP, false, "") \
  X(AZURE_ENCRYPTION_KEY_VALID, SVC_EVENT_GROUP, false, "") \
  X(AZURE_LOG_STREAMING_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(AZURE_LOG_STREAMING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(AZURE_LOG_STREAMING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(AZURE_PEER_ACTIVE, SVC_EVENT_GROUP, false, "") \
  X(AZURE_SELF_SERVE_ACCOUNT_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(AZURE_SELF_SERVE_ACCOUNT_LINKED, SVC_EVENT_ORG, false, "") \
  X(AZURE_SELF_SERVE_ACCOUNT_LINK_FAILED, SVC_EVENT_ORG, false, "") \
  X(AZURE_SELF_SERVE_ACCOUNT_LINK_PENDING, SVC_EVENT_ORG, false, "") \
  X(AZURE_USAGE_REPORTED, SVC_EVENT_ORG, false, "") \
  X(AZ_BALANCING_OVERRIDE_MODIFIED, SVC_EVENT_GROUP, false, "") \
  X(BECAME_LINKED_ORG, SVC_EVENT_ORG, false, "") \
  X(BECAME_PAYING_ORG, SVC_EVENT_ORG, false, "") \
  X(BILLING_EMAIL_ADDRESS_ADDED, SVC_EVENT_ORG, false, "") \
  X(BILLING_EMAIL_ADDRESS_CHANGED, SVC_EVENT_ORG, false, "") \
  X(BILLING_EMAIL_ADDRESS_REMOVED, SVC_EVENT_ORG, false, "") \
  X(BRAINTREE_CHARGE_FAILED, SVC_EVENT_ORG, false, "") \
  X(CASE_CREATED, SVC_EVENT_GROUP, false, "") \
  X(CHARGE_FAILED, SVC_EVENT_ORG, false, "") \
  X(CHARGE_PENDING_REVERSAL, SVC_EVENT_ORG, false, "") \
  X(CHARGE_PROCESSING, SVC_EVENT_ORG, false, "") \
  X(CHARGE_SUCCEEDED, SVC_EVENT_ORG, false, "") \
  X(CHARTS_API_FAILURE, SVC_EVENT_GROUP, false, "") \
  X(CHARTS_API_SUCCESS, SVC_EVENT_GROUP, false, "") \
  X(CHARTS_DASHBOARD_EXPORTED, SVC_EVENT_GROUP, false, "") \
  X(CHARTS_DASHBOARD_EXPORT_FAILED, SVC_EVENT_GROUP, false, "") \
  X(CHARTS_DASHBOARD_IMPORTED, SVC_EVENT_GROUP, false, "") \
  X(CHARTS_DASHBOARD_IMPORT_FAILED, SVC_EVENT_GROUP, false, "") \
  X(CHECK_PAYMENT_RECEIVED, SVC_EVENT_ORG, false, "") \
  X(CLOUD_PROVIDER_ACCESS_AZURE_SERVICE_PRINCIPAL_ADDED, SVC_EVENT_GROUP, false, "") \
  X(CLOUD_PROVIDER_ACCESS_AZURE_SERVICE_PRINCIPAL_DELETED, SVC_EVENT_GROUP, false, "") \
  X(CLOUD_PROVIDER_ACCESS_AZURE_SERVICE_PRINCIPAL_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLOUD_PROVIDER_ACCESS_GCP_SERVICE_ACCOUNT_ADDED, SVC_EVENT_GROUP, false, "") \
  X(CLOUD_PROVIDER_ACCESS_GCP_SERVICE_ACCOUNT_DELETED, SVC_EVENT_GROUP, false, "") \
  X(CLOUD_PROVIDER_ACCESS_GCP_SERVICE_ACCOUNT_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_AUTOMATICALLY_PAUSED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_AUTOMATION_CONFIG_PUBLISHED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_AUTO_SHARDING_INITIATED, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_BINARY_VERSION_DOWNGRADED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_BLOCK_WRITE, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_CANCELING_CONFIG_SERVER_TRANSITION_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CANCELING_SHARD_DRAIN_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_AGGREGATE, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_CREATE_COLLECTION, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_FIND_DOCUMENTS, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_GET_AGGREGATED_VIEW_INFOS, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_GET_DATABASES, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_GET_DATABASE_COLLECTIONS, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_GET_DATABASE_NAMESPACES, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_GET_NAMESPACES_AND_PROJECT_SQL_SCHEMA_DATA, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_GET_NAMESPACES_WITH_UUID, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_SAMPLE_COLLECTION_FIELD_NAMES, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_SAMPLE_COLLECTION_FIELD_NAMES_AND_TYPES, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CREATED_VIA_ANIS, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_DBS_IS_MISSING, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_DBS_IS_PRESENT, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_DBT_PROCESS_ARGS_UPDATE_SUBMITTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_DB_VERSION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_DELETE_SUBMITTED_INTERNAL, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_FCV_DOWNGRADED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_FCV_EXPIRATION_DATE_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_FORCE_PLANNED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_FORCE_RECONFIG_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_IMPORT_CANCELLED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_IMPORT_COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_IMPORT_CUTOVER, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_IMPORT_EXPIRED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_IMPORT_FAILED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_IMPORT_RESTART_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_IMPORT_STARTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_ADMIN_BACKUP_SNAPSHOT_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_AGENT_API_KEY_ROTATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_CONFIG_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_FAMILY_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_REPLACED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_REPLACE_CLEARED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_RESTARTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_RESYNC_CLEARED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_RESYNC_REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_INSTANCE_SSL_REVOKED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_SSL_ROTATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_SSL_ROTATED_PER_CLUSTER, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_STOP_START, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_INSTANCE_SWAPPED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_SWAP_CLEARED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_UPDATE_REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_INSTANCE_VM_REBOOT_CLEARED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_VM_RESTART_CLEARED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_IP_MIGRATED_FINAL_ROUND, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_IP_MIGRATED_FIRST_ROUND, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_IP_MIGRATED_SECOND_ROUND, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_IP_ROLLED_BACK, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_LINKED_TO_VERCEL, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_MIGRATE_BACK_TO_AWS_MANAGED_IP_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_MONGUARD_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_MONGUARD_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_OPLOG_RESIZED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_OPTED_OUT_OF_DATA_VALIDATION, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_OPTED_OUT_OF_DB_CHECK, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_OS_FIXED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_OS_UNFIXED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_OS_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_PREFERRED_CPU_ARCHITECTURE_MODIFIED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_REGIONAL_OUTAGE_SIMULATION_CANCELLED_CLUSTER_PAUSE, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_REGIONAL_OUTAGE_SIMULATION_COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_REGIONAL_OUTAGE_SIMULATION_END_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_REGIONAL_OUTAGE_SIMULATION_FAILED_TO_START, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_REGIONAL_OUTAGE_SIMULATION_STARTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_RESET_FORCE_RECONFIG_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_RESHARDING_COMPLETED, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_RESURRECTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_ROLLING_RESYNC_CANCELED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_ROLLING_RESYNC_COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_ROLLING_RESYNC_FAILED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_ROLLING_RESYNC_STARTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_SAMPLED_FOR_DATA_VALIDATION, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_SAMPLED_FOR_DB_CHECK, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_SERVER_PARAMETERS_UPDATE_SUBMITTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_UNBLOCK_WRITE, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_UNLINKED_FROM_VERCEL, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_UPDATE_STARTED_INTERNAL, SVC_EVENT_GROUP, false, "") \
  X(COMPUTE_AUTO_SCALE_DOWNSCALE_SKIPPED_FALLBACK_ANALYTICS, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_DOWNSCALE_SKIPPED_FALLBACK_BASE, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_INITIATED, SVC_EVENT_GROUP, false, "") \
  X(COMPUTE_AUTO_SCALE_INITIATED_ANALYTICS, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_INITIATED_BASE, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_MAX_INSTANCE_SIZE_FAIL_ANALYTICS, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_MAX_INSTANCE_SIZE_FAIL_BASE, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_OPLOG_FAIL_ANALYTICS, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_OPLOG_FAIL_BASE, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_SCALE_DOWN_FAIL_ANALYTICS, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_SCALE_DOWN_FAIL_BASE, SVC_EVENT_GROUP, true, "") \
  X(CPS_AUTO_EXPORT_FAILED, SVC_EVENT_GROUP, true, "") \
  X(CPS_COLLECTION_RESTORE_CANCELED, SVC_EVENT_GROUP, true, "") \
  X(CPS_COLLECTION_RESTORE_FAILED, SVC_EVENT_GROUP, true, "") \
  X(CPS_COLLECTION_RESTORE_PARTIAL_SUCCESS, SVC_EVENT_GROUP, true, "") \
  X(CPS_COLLECTION_RESTORE_SUCCESSFUL, SVC_EVENT_GROUP, true, "") \
  X(CPS_CONCURRENT_SNAPSHOT_FAILED_WILL_RETRY, SVC_EVENT_GROUP, true, "") \
  X(CPS_COPY_SNAPSHOT_FAILED, SVC_EVENT_GROUP, true, "") \
  X(CPS_COPY_SNAPSHOT_FAILED_WILL_RETRY, SVC_EVENT_GROUP, true, "") \
  X(CPS_COPY_SNAPSHOT_STARTED, SVC_EVENT_GROUP, true, "") \
  X(CPS_COPY_SNAPSHOT_SUCCESSFUL, SVC_EVENT_GROUP, true, "") \
  X(CPS_DATA_PROTECTION_APPROVED_FOR_DISABLEMENT, SVC_EVENT_GROUP, true, "") \
  X(CPS_DATA_PROTECTION_DISABLE_REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(CPS_DATA_PROTECTION_ENABLE_REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(CPS_DATA_PROTECTION_UPDATE_REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(CPS_OPLOG_BEHIND, SVC_EVENT_GROUP, true, "") \
  X(CPS_OPLOG_BEHIND_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_OPLOG_CAUGHT_UP, SVC_EVENT_GROUP, true, "") \
  X(CPS_OPLOG_CAUGHT_UP_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_PREV_SNAPSHOT_OLD, SVC_EVENT_GROUP, true, "") \
  X(CPS_RESTORE_AUTH_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_SNAPSHOT_BEHIND, SVC_EVENT_GROUP, true, "") \
  X(CPS_SNAPSHOT_COMPLETED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_SNAPSHOT_DOWNLOAD_REQUEST_FAILED, SVC_EVENT_GROUP, true, "") \
  X(CPS_SNAPSHOT_FALLBACK_FAILED, SVC_EVENT_GROUP, true, "") \
  X(CPS_SNAPSHOT_FALLBACK_SUCCESSFUL, SVC_EVENT_GROUP, true, "") \
  X(CPS_SNAPSHOT_FASTER_RESTORES_FAILED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_SNAPSHOT_FASTER_RESTORES_START_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_SNAPSHOT_FASTER_RESTORES_SUCCESS_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_SNAPSHOT_IN_PROGRESS_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CREDIT_AMOUNT_CENTS_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_AMOUNT_REMAINING_CENTS_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_AWS_ACCOUNT_ID_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_AWS_CUSTOMER_ID_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_AWS_LICENSE_ARN_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_AWS_PRODUCT_CODE_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_AZURE_PRIVATE_PLAN_ID_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_AZURE_SUBSCRIPTION_ID_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_CARD_ABOUT_TO_EXPIRE, SVC_EVENT_GROUP, true, "") \
  X(CREDIT_CARD_ADDED, SVC_EVENT_GROUP, false, "") \
  X(CREDIT_CARD_CURRENT, SVC_EVENT_GROUP, false, "") \
  X(CREDIT_CARD_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CREDIT_ELASTIC_INVOICING_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_END_DATE_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_GCP_MARKETPLACE_ENTITLEMENT_ID_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_ISSUED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_PULLED_FWD, SVC_EVENT_ORG, false, "") \
  X(CREDIT_SFOLID_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_START_DATE_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_TOTAL_BILLED_CENTS_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_TYPE_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CROSS_ORG_OPERATION_TICKET_TRACKING, SVC_EVENT_ORG, false, "") \
  X(CROSS_REGION_SUPPORTED_REGION_MODIFIED, SVC_EVENT_GROUP, false, "") \
  X(CUSTOMER_X509_CRL_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(DAILY_BILLING_CHANGE_NORMAL, SVC_EVENT_GROUP, false, "") \
  X(DAILY_BILLING_CHANGE_OVER_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(DAILY_BILL_OVER_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(DAILY_BILL_UNDER_THRESHOLD, SVC_EVENT_GROUP, false, "") \
  X(DATADOG_LOG_STREAMING_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(DATADOG_LOG_STREAMING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(DATADOG_LOG_STREAMING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(DATA_API_SETUP_FOR_VERCEL, SVC_EVENT_GROUP, false, "") \
  X(DATA_EXPLORER, SVC_EVENT_GROUP, false, "") \
  X(DATA_EXPLORER_CRUD, SVC_EVENT_GROUP, false, "") \
  X(DATA_EXPLORER_CRUD_ATTEMPT, SVC_EVENT_GROUP, false, "") \
  X(DATA_EXPLORER_CRUD_ERROR, SVC_EVENT_GROUP, false, "") \
  X(DATA_EXPLORER_SESSION_CREATED, SVC_EVENT_GROUP, false, "") \
  X(DATA_FEDERATION_QUERY_LIMIT_CONFIGURED, SVC_EVENT_GROUP, false, "") \
  X(DATA_FEDERATION_QUERY_LIMIT_DELETED, SVC_EVENT_GROUP, false, "") \
  X(DATA_LAKE_QUERY_LOGS_DOWNLOADED, SVC_EVENT_GROUP, false, "") \
  X(DATA_VALIDATION_SUBMITTED_FOR_CLUSTER, SVC_EVENT_GROUP, false, "") \
  X(DBSQLD_LOGS_DOWNLOADED, SVC_EVENT_GROUP, false, "") \
  X(DBTUNE_ALERT, SVC_EVENT_GROUP, true, "") \
  X(DBTUNE_INFO, SVC_EVENT_GROUP, false, "") \
  X(DBTUNE_WRITE_BLOCK_POLICY_ELIGIBLE, SVC_EVENT_GROUP, false, "") \
  X(DBTUNE_WRITE_BLOCK_POLICY_INELIGIBLE, SVC_EVENT_GROUP, false, "") \
  X(DBT_LOGS_DOWNLOADED, SVC_EVENT_GROUP, false, "") \
  X(DB_CHECK_DEFERRED_FOR_CLUSTER, SVC_EVENT_GROUP, false, "") \
  X(DB_CHECK_SCHEDULED_FOR_CLUSTER, SVC_EVENT_GROUP, false, "") \
  X(DB_CHECK_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(DB_LOGS_DOWNLOADED, SVC_EVENT_GROUP, false, "") \
  X(DELINQUENT, SVC_EVENT_GROUP, false, "") \
  X(DEPLOYMENT_FAILURE, SVC_EVENT_GROUP, true, "") \
  X(DEPLOYMENT_MODEL_CHANGE_FAILURE, SVC_EVENT_GROUP, true, "") \
  X(DEPLOYMENT_MODEL_CHANGE_SUCCESS, SVC_EVENT_GROUP, true, "") \
  X(DEVICE_SYNC_DEBUG_ACCESS_GRANTED, SVC_EVENT_GROUP, false, "") \
  X(DEVICE_SYNC_DEBUG_ACCESS_REVOKED, SVC_EVENT_GROUP, false, "") \
  X(DEVICE_SYNC_DEBUG_X509_CERT_CREATED, SVC_EVENT_GROUP, false, "") \
  X(DISCOUNT_APPLIED, SVC_EVENT_ORG, false, "") \
  X(DISK_AUTO_SCALE_INITIATED, SVC_EVENT_GROUP, true, "") \
  X(DISK_AUTO_SCALE_MAX_DISK_SIZE_FAIL, SVC_EVENT_GROUP, true, "") \
  X(DISK_AUTO_SCALE_OPLOG_FAIL, SVC_EVENT_GROUP, true, "") \
  X(DOMAINS_ASSOCIATED, SVC_EVENT_ORG, false, "") \
  X(DOMAIN_CREATED, SVC_EVENT_ORG, false, "") \
  X(DOMAIN_DELETED, SVC_EVENT_ORG, false, "") \
  X(DOMAIN_VERIFIED, SVC_EVENT_ORG, false, "") \
  X(ELASTIC_INVOICING_MODE_ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(ELASTIC_INVOICING_MODE_DEACTIVATED, SVC_EVENT_ORG, false, "") \
  X(EMPLOYEE_ACCESS_GRANTED, SVC_EVENT_GROUP, false, "") \
  X(EMPLOYEE_ACCESS_REVOKED, SVC_EVENT_GROUP, false, "") \
  X(EMPLOYEE_DOWNLOADED_CLUSTER_LOGS, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_CONFIGURATION_VALIDATION_FAILED, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_CONFIGURATION_VALIDATION_SUCCEEDED, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_CONFIG_IS_VALID, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_CONFIG_NO_LONGER_VALID, SVC_EVENT_GROUP, true, "") \
  X(ENCRYPTION_AT_REST_KEY_ROTATION_STARTED, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_KMS_NETWORK_ACCESS_DENIED, SVC_EVENT_GROUP, true, "") \
  X(ENCRYPTION_AT_REST_KMS_NETWORK_ACCESS_RESTORED, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_PRIVATE_ENDPOINT_CREATED, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_PRIVATE_ENDPOINT_DELETED, SVC_EVENT_GROUP, false, "") \
  X(EVERGREEN_DEAL_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(EVERGREEN_PRIORITY_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(EXTRA_MAINTENANCE_DEFERRAL_GRANTED, SVC_EVENT_GROUP, false, "") \
  X(FEATURE_FLAG_MAINTENANCE, SVC_EVENT_GROUP, false, "") \
  X(FEDERATED_DATABASE_QUERY_LOGS_DOWNLOADED, SVC_EVENT_GROUP, false, "") \
  X(FEDERATION_SETTINGS_CREATED, SVC_EVENT_ORG, false, "") \
  X(FEDERATION_SETTINGS_DELETED, SVC_EVENT_ORG, false, "") \
  X(FEDERATION_SETTINGS_UPDATED, SVC_EVENT_ORG, false, "") \
  X(FLEX_UPGRADE_STARTED, SVC_EVENT_GROUP, false, "") \
  X(FREE_UPGRADE_STARTED, SVC_EVENT_GROUP, false, "") \
  X(FTDC_SETTINGS_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(FTS_INDEXES_RESTORED, SVC_EVENT_GROUP, false, "") \
  X(FTS_INDEXES_RESTORE_FAILED, SVC_EVENT_GROUP, true, "") \
  X(FTS_INDEXES_SYNONYM_MAPPING_INVALID, SVC_EVENT_GROUP, true, "") \
  X(FTS_INDEX_BUILD_COMPLETE, SVC_EVENT_GROUP, true, "") \
  X(FTS_INDEX_BUILD_FAILED, SVC_EVENT_GROUP, true, "") \
  X(FTS_INDEX_CLEANED_UP, SVC_EVENT_GROUP, true, "") \
  X(FTS_INDEX_CREATED, SVC_EVENT_GROUP, false, "") \
  X(FTS_INDEX_DELETED, SVC_EVENT_GROUP, false, "") \
  X(FTS_INDEX_DELETION_FAILED, SVC_EVENT_GROUP, true, "") \
  X(FTS_INDEX_PARTITIONS_CHANGED, SVC_EVENT_GROUP, false, "") \
  X(FTS_INDEX_REBUILT, SVC_EVENT_GROUP, false, "") \
  X(FTS_INDEX_STALE, SVC_EVENT_GROUP, true, "") \
  X(FTS_INDEX_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(GCP_BILLING_ACCOUNT_CREDIT_ISSUED, SVC_EVENT_ORG, false, "") \
  X(GCP_ENCRYPTION_KEY_INVALID, SVC_EVENT_GROUP, true, "") \
  X(GCP_ENCRYPTION_KEY_NEEDS_ROTATION, SVC_EVENT_GROUP, true, "") \
  X(GCP_ENCRYPTION_KEY_ROTATED, SVC_EVENT_GROUP, false, "") \
  X(GCP_ENCRYPTION_KEY_VALID, SVC_EVENT_GROUP, false, "") \
  X(GCP_LOG_STREAMING_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(GCP_LOG_STREAMING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(GCP_LOG_STREAMING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(GCP_PEER_ACTIVE, SVC_EVENT_GROUP, false, "") \
  X(GCP_PEER_INACTIVE, SVC_EVENT_GROUP, false, "") \
  X(GCP_SELF_SERVE_ACCOUNT_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(GCP_SELF_SERVE_ACCOUNT_LINKED, SVC_EVENT_ORG, false, "") \
  X(GCP_SELF_SERVE_ACCOUNT_LINK_FAILED, SVC_EVENT_ORG, false, "") \
  X(GCP_SELF_SERVE_ACCOUNT_LINK_PENDING, SVC_EVENT_ORG, false, "") \
  X(GCP_USAGE_REPORTED, SVC_EVENT_ORG, false, "") \
  X(GRACE_PERIOD_ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(GRACE_PERIOD_NO_LONGER_IN_EFFECT, SVC_EVENT_ORG, false, "") \
  X(GROUP_ACTIVATED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_AUTOMATION_CONFIG_PUBLISHED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_CHARTS_ACTIVATED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_CHARTS_ACTIVATION_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_CHARTS_RESET, SVC_EVENT_GROUP, false, "") \
  X(GROUP_CHARTS_UPGRADED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_FLUSHED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_LOCKED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_SERVICE_ACCOUNT_SECRETS_NO_LONGER_EXPIRED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_SERVICE_ACCOUNT_SECRETS_NO_LONGER_EXPIRING, SVC_EVENT_GROUP, false, "") \
  X(GROUP_SUSPENDED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_TEMPORARILY_ACTIVATED, SVC_EVENT_GROUP, false, "") \
  X(HOST_DBT_APPROACHING_STOP_REPLICATION, SVC_EVENT_GROUP, true, "") \
  X(HOST_DBT_CRASHING_OOM, SVC_EVENT_GROUP, true, "") \
  X(HOST_DBT_PAUSE_INITIAL_SYNC, SVC_EVENT_GROUP, true, "") \
  X(HOST_DBT_RECOVERED_OOM, SVC_EVENT_GROUP, false, "") \
  X(HOST_DBT_RESTARTED, SVC_EVENT_GROUP, false, "") \
  X(HOST_DBT_RESUME_REPLICATION, SVC_EVENT_GROUP, false, "") \
  X(HOST_DBT_STOP_REPLICATION, SVC_EVENT_GROUP, true, "") \
  X(HOST_DBT_SUFFICIENT_DISK_SPACE, SVC_EVENT_GROUP, false, "") \
  X(HOST_DBT_UNPAUSE_INITIAL_SYNC, SVC_EVENT_GROUP, false, "") \
  X(HOST_ENOUGH_DISK_SPACE, SVC_EVENT_GROUP, false, "") \
  X(HOST_EXPOSED, SVC_EVENT_GROUP, true, "") \
  X(HOST_EXTERNAL_LOG_SINK_EXPORT_DOWN, SVC_EVENT_GROUP, true, "") \
  X(HOST_EXTERNAL_LOG_SINK_EXPORT_RESUMED, SVC_EVENT_GROUP, false, "") \
  X(HOST_HAS_INDEX_SUGGESTIONS, SVC_EVENT_GROUP, true, "") \
  X(HOST_NOT_ENOUGH_DISK_SPACE, SVC_EVENT_GROUP, true, "") \
  X(HOST_SEARCH_NODE_INDEX_FAILED, SVC_EVENT_GROUP, true, "") \
  X(HOST_SEARCH_NODE_UNBLOCKED, SVC_EVENT_GROUP, false, "") \
  X(HOST_SEARCH_PROCESS_NOT_THROTTLING, SVC_EVENT_GROUP, false, "") \
  X(HOST_SEARCH_PROCESS_THROTTLING, SVC_EVENT_GROUP, true, "") \
  X(HOST_SECURITY_CHECKUP_NOT_MET, SVC_EVENT_GROUP, true, "") \
  X(HOST_SSH_SESSION_ENDED, SVC_EVENT_GROUP, false, "") \
  X(HOST_SSL_CERTIFICATE_STALE, SVC_EVENT_GROUP, true, "") \
  X(HOST_VERSION_BEHIND, SVC_EVENT_GROUP, true, "") \
  X(HOST_X509_CERTIFICATE_CERTIFICATE_GENERATED_FOR_SUPPORT_ACCESS, SVC_EVENT_GROUP, false, "") \
  X(IDENTITY_PROVIDER_ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(IDENTITY_PROVIDER_CREATED, SVC_EVENT_ORG, false, "") \
  X(IDENTITY_PROVIDER_DEACTIVATED, SVC_EVENT_ORG, false, "") \
  X(IDENTITY_PROVIDER_DELETED, SVC_EVENT_ORG, false, "") \
  X(IDENTITY_PROVIDER_JWKS_REVOKED, SVC_EVENT_ORG, false, "") \
  X(IDENTITY_PROVIDER_UPDATED, SVC_EVENT_ORG, false, "") \
  X(INDEPENDENT_SHARD_AUTO_SCALING_AVAILABLE, SVC_EVENT_GROUP, false, "") \
  X(INDEPENDENT_SHARD_SCALING_CLUSTER_MIGRATED, SVC_EVENT_GROUP, false, "") \
  X(INDEPENDENT_SHARD_SCALING_CLUSTER_ROLLED_BACK, SVC_EVENT_GROUP, false, "") \
  X(INDEX_FAILED_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(INDEX_SUCCESS_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(INGESTION_PIPELINE_CREATED, SVC_EVENT_GROUP, false, "") \
  X(INGESTION_PIPELINE_DELETED, SVC_EVENT_GROUP, false, "") \
  X(INGESTION_PIPELINE_DESTROYED, SVC_EVENT_GROUP, false, "") \
  X(INGESTION_PIPELINE_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(INITIATE_SALESFORCE_SERVICE_CLOUD_SYNC, SVC_EVENT_ORG, false, "") \
  X(INSIDE_FLEX_METRIC_THRESHOLD, SVC_EVENT_GROUP, false, "") \
  X(INSIDE_REALM_METRIC_THRESHOLD, SVC_EVENT_GROUP, false, "") \
  X(INSIDE_SERVERLESS_METRIC_THRESHOLD, SVC_EVENT_GROUP, false, "") \
  X(INSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD, SVC_EVENT_GROUP, false, "") \
  X(INTERFACE_ENDPOINT_RETRIED, SVC_EVENT_GROUP, false, "") \
  X(INTER_NODE_DATA_VALIDATION_SUBMITTED_FOR_REPLICA_SET, SVC_EVENT_GROUP, false, "") \
  X(INVITED_TO_TEAM, SVC_EVENT_ORG, false, "") \
  X(INVOICE_ADDRESS_ADDED, SVC_EVENT_ORG, false, "") \
  X(INVOICE_ADDRESS_CHANGED, SVC_EVENT_ORG, false, "") \
  X(INVOICE_CLOSED, SVC_EVENT_ORG, false, "") \
  X(JOIN_GROUP_REQUEST_APPROVED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(JOIN_GROUP_REQUEST_DENIED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(KMIP_KEY_ROTATION_SCHEDULED, SVC_EVENT_GROUP, false, "") \
  X(LEGACY_REBILL_EXECUTED, SVC_EVENT_ORG, false, "") \
  X(LOG_FORWARDER_FAILURE, SVC_EVENT_GROUP, true, "") \
  X(LOG_STREAMING_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(LOG_STREAMING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(LOG_STREAMING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(LOG_STREAMING_EXPORT_FAILED_NONRETRYABLE, SVC_EVENT_GROUP, true, "") \
  X(LOG_STREAMING_EXPORT_FAILED_RETRIES_EXHAUSTED, SVC_EVENT_GROUP, true, "") \
  X(LOG_STREAMING_EXPORT_RECOVERED, SVC_EVENT_GROUP, false, "") \
  X(LOG_STREAMING_REPLAY_COMPLETE, SVC_EVENT_GROUP, false, "") \
  X(LOG_STREAMING_REPLAY_STARTED, SVC_EVENT_GROUP, false, "") \
  X(MAINTENANCE_WAVE_ASSIGNMENT_ADDED, SVC_EVENT_GROUP, false, "") \
  X(MAINTENANCE_WAVE_ASSIGNMENT_MODIFIED, SVC_EVENT_GROUP, false, "") \
  X(MAINTENANCE_WAVE_ASSIGNMENT_REMOVED, SVC_EVENT_GROUP, false, "") \
  X(MARKETPLACE_REFUND_ISSUED, SVC_EVENT_ORG, false, "") \
  X(MATERIAL_CLUSTER_UPDATE_COMPLETED_INTERNAL, SVC_EVENT_GROUP, false, "") \
  X(MAX_PROCESSOR_COUNT_REACHED, SVC_EVENT_GROUP, false, "") \
  X(MLAB_MIGRATION_COMPLETED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_DATABASE_RENAMED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_DATABASE_USERS_IMPORTED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_DUMP_AND_RESTORE_STARTED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_DUMP_AND_RESTORE_TEST_SKIPPED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_DUMP_AND_RESTORE_TEST_STARTED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_IP_WHITELIST_IMPORTED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_LIVE_IMPORT_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_LIVE_IMPORT_CUTOVER_COMPLETE, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_LIVE_IMPORT_ERROR, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_LIVE_IMPORT_READY_FOR_CUTOVER, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_LIVE_IMPORT_STARTED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_SUPPORT_PLAN_OPTED_OUT, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_SUPPORT_PLAN_SELECTED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_TARGET_CLUSTER_CREATED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_TARGET_CLUSTER_SET, SVC_EVENT_ORG, false, "") \
  X(MONITORING_AGENT_OVERRIDES, SVC_EVENT_GROUP, false, "") \
  X(MONITORING_AGENT_REBALANCE_FLAG, SVC_EVENT_GROUP, false, "") \
  X(MONITORING_AGENT_REBALANCE_TRIGGERED, SVC_EVENT_GROUP, false, "") \
  X(MONTHLY_BILLING_CHANGE_NORMAL, SVC_EVENT_GROUP, false, "") \
  X(MONTHLY_BILLING_CHANGE_OVER_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(MOVE_SKIPPED, SVC_EVENT_GROUP, false, "") \
  X(NEW_LINKED_ORG, SVC_EVENT_ORG, false, "") \
  X(NODE_HIDDEN_BY_ADMIN, SVC_EVENT_GROUP, false, "") \
  X(NODE_ROLLING_RESYNC_SCHEDULED, SVC_EVENT_GROUP, false, "") \
  X(NODE_UNHIDDEN_BY_ADMIN, SVC_EVENT_GROUP, false, "") \
  X(NO_ACTIVE_LEGACY_TLS_CONNECTIONS, SVC_EVENT_GROUP, false, "") \
  X(OAUTH_AUTHORIZATION_DENIED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_AUTHORIZATION_GRANTED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_CLIENT_CREATED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_CLIENT_DELETED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_CLIENT_SECRET_CREATED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_CLIENT_SECRET_DELETED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_CLIENT_UPDATED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_TOKEN_ISSUED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_TOKEN_REVOKED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_USER_CONSENT_GRANTED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_USER_CONSENT_REVOKED, SVC_EVENT_ORG, false, "") \
  X(OIDC_IDENTITY_PROVIDER_DISABLED, SVC_EVENT_ORG, false, "") \
  X(OIDC_IDENTITY_PROVIDER_ENABLED, SVC_EVENT_ORG, false, "") \
  X(OIDC_IDENTITY_PROVIDER_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ONLINE_ARCHIVE_ACTIVE, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_CREATED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_DATA_EXPIRATION_RESOLVED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_DATA_EXPIRATION_RULE_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_DATA_EXPIRATION_RULE_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_DATA_EXPIRATION_RULE_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_DELETED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_DELETE_AFTER_DATE_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_INSUFFICIENT_INDEXES_CHECK, SVC_EVENT_GROUP, true, "") \
  X(ONLINE_ARCHIVE_INSUFFICIENT_INDEXES_RESOLVED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_MAX_CONSECUTIVE_OFFLOAD_WINDOWS_CHECK, SVC_EVENT_GROUP, true, "") \
  X(ONLINE_ARCHIVE_ORPHANED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_PAUSED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_PAUSE_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_QUERY_LOGS_DOWNLOADED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_UP_TO_DATE, SVC_EVENT_GROUP, false, "") \
  X(ORGANIZATION_VOYAGE_SETTINGS_CREATED, SVC_EVENT_ORG, false, "") \
  X(ORGANIZATION_VOYAGE_SETTINGS_DELETED, SVC_EVENT_ORG, false, "") \
  X(ORG_ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(ORG_ADMIN_LOCKED, SVC_EVENT_ORG, false, "") \
  X(ORG_ADMIN_SUSPENDED, SVC_EVENT_ORG, false, "") \
  X(ORG_BAAS_EOL_EXTENSION_ACCEPTED, SVC_EVENT_ORG, false, "") \
  X(ORG_BAAS_EOL_EXTENSION_CANCELED, SVC_EVENT_ORG, false, "") \
  X(ORG_BAAS_EOL_EXTENSION_PENDING, SVC_EVENT_ORG, false, "") \
  X(ORG_BANK_ACCOUNT_ADDED, SVC_EVENT_ORG, false, "") \
  X(ORG_BANK_ACCOUNT_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ORG_CLUSTERS_DELETED, SVC_EVENT_ORG, false, "") \
  X(ORG_CLUSTERS_PAUSED, SVC_EVENT_ORG, false, "") \
  X(ORG_CONNECTED_TO_MLAB, SVC_EVENT_ORG, false, "") \
  X(ORG_CONNECTED_TO_VERCEL, SVC_EVENT_ORG, false, "") \
  X(ORG_CONNECTION_UNINSTALLED_FROM_VERCEL, SVC_EVENT_ORG, false, "") \
  X(ORG_CREDIT_CARD_ABOUT_TO_EXPIRE, SVC_EVENT_ORG, false, "") \
  X(ORG_CREDIT_CARD_ADDED, SVC_EVENT_ORG, false, "") \
  X(ORG_CREDIT_CARD_CURRENT, SVC_EVENT_ORG, false, "") \
  X(ORG_CREDIT_CARD_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ORG_DAILY_BILLING_CHANGE_NORMAL, SVC_EVENT_ORG, false, "") \
  X(ORG_DAILY_BILLING_CHANGE_OVER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_DAILY_BILL_OVER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_DAILY_BILL_UNDER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_DATA_SHARING_AI_MODELS_DISABLED, SVC_EVENT_ORG, false, "") \
  X(ORG_DATA_SHARING_AI_MODELS_ENABLED, SVC_EVENT_ORG, false, "") \
  X(ORG_DB_VERSION_EOL_EXTENSION_ACCEPTED, SVC_EVENT_ORG, false, "") \
  X(ORG_DB_VERSION_EOL_EXTENSION_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(ORG_DB_VERSION_EOL_EXTENSION_PENDING, SVC_EVENT_ORG, false, "") \
  X(ORG_DELEGATION_SETTINGS_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ORG_DISCONNECTED_FROM_MLAB, SVC_EVENT_ORG, false, "") \
  X(ORG_DISCONNECTED_TO_VERCEL, SVC_EVENT_ORG, false, "") \
  X(ORG_EDITED_UI_IP_ACCESS_LIST_ENTRIES, SVC_EVENT_ORG, false, "") \
  X(ORG_FLEX_CONSULTING_PURCHASED, SVC_EVENT_ORG, false, "") \
  X(ORG_FLEX_CONSULTING_PURCHASE_FAILED, SVC_EVENT_ORG, false, "") \
  X(ORG_GROUP_CHARGES_OVER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_GROUP_CHARGES_UNDER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_IDP_CERTIFICATE_ABOUT_TO_EXPIRE, SVC_EVENT_ORG, false, "") \
  X(ORG_IDP_CERTIFICATE_CURRENT, SVC_EVENT_ORG, false, "") \
  X(ORG_INVOICE_OVER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_INVOICE_UNDER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_LIMIT_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ORG_LINKED_TO_PAYING_ORG, SVC_EVENT_ORG, false, "") \
  X(ORG_LOCKED_ACCELERATED, SVC_EVENT_ORG, false, "") \
  X(ORG_MONTHLY_BILLING_CHANGE_NORMAL, SVC_EVENT_ORG, false, "") \
  X(ORG_MONTHLY_BILLING_CHANGE_OVER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_NO_FINANCIAL_PROTECTION, SVC_EVENT_ORG, false, "") \
  X(ORG_OVERRIDE_PAYMENT_METHOD_ADDED, SVC_EVENT_ORG, false, "") \
  X(ORG_PAYPAL_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(ORG_PAYPAL_LINKED, SVC_EVENT_ORG, false, "") \
  X(ORG_PAYPAL_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ORG_SERVICE_ACCOUNT_SECRETS_NO_LONGER_EXPIRED, SVC_EVENT_ORG, false, "") \
  X(ORG_SERVICE_ACCOUNT_SECRETS_NO_LONGER_EXPIRING, SVC_EVENT_ORG, false, "") \
  X(ORG_SETTINGS_DELETED, SVC_EVENT_ORG, false, "") \
  X(ORG_SUSPENSION_DATE_CHANGED, SVC_EVENT_ORG, false, "") \
  X(ORG_TEMPORARILY_ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(ORG_UI_IP_ACCESS_LIST_DISABLED, SVC_EVENT_ORG, false, "") \
  X(ORG_UI_IP_ACCESS_LIST_ENABLED, SVC_EVENT_ORG, false, "") \
  X(ORG_UNDER_FINANCIAL_PROTECTION, SVC_EVENT_ORG, false, "") \
  X(ORG_UNLINKED_FROM_PAYING_ORG, SVC_EVENT_ORG, false, "") \
  X(ORG_UNLINK_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(ORG_UNLINK_REQUESTED, SVC_EVENT_ORG, false, "") \
  X(ORG_USERS_WITHOUT_MFA, SVC_EVENT_ORG, false, "") \
  X(ORG_WALLET_ADDED, SVC_EVENT_ORG, false, "") \
  X(ORG_WALLET_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ORG_WAVE_ASSIGNMENT_MODE_ENV_TAG_MAPPING, SVC_EVENT_ORG, false, "") \
  X(ORG_WAVE_ASSIGNMENT_MODE_MANUAL, SVC_EVENT_ORG, false, "") \
  X(ORG_WEEKLY_BILLING_CHANGE_NORMAL, SVC_EVENT_ORG, false, "") \
  X(ORG_WEEKLY_BILLING_CHANGE_OVER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(OS_MAINTENANCE, SVC_EVENT_GROUP, false, "") \
  X(OS_MAINTENANCE_REPLACEMENT, SVC_EVENT_GROUP, false, "") \
  X(OS_MAINTENANCE_RESTART, SVC_EVENT_GROUP, false, "") \
  X(OS_TUNE_FILE_OVERRIDES, SVC_EVENT_GROUP, false, "") \
  X(OTEL_LOG_STREAMING_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(OTEL_LOG_STREAMING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(OTEL_LOG_STREAMING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(OTEL_METRIC_INTEGRATION_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(OTEL_METRIC_INTEGRATION_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(OTEL_METRIC_INTEGRATION_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(OUTSIDE_FLEX_METRIC_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(OUTSIDE_REALM_METRIC_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(OUTSIDE_SERVERLESS_METRIC_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(PAID_IN_FULL, SVC_EVENT_GROUP, false, "") \
  X(PAYMENT_DUE_DATE_EXTENDED, SVC_EVENT_ORG, false, "") \
  X(PAYMENT_FORGIVEN, SVC_EVENT_ORG, false, "") \
  X(PAYMENT_METHOD_FLAGGED, SVC_EVENT_ORG, false, "") \
  X(PAYMENT_METHOD_UNFLAGGED, SVC_EVENT_ORG, false, "") \
  X(PAYMENT_UPDATED_THROUGH_API, SVC_EVENT_ORG, false, "") \
  X(PENDING_DEAL_ACTIVATION_ADDED, SVC_EVENT_ORG, false, "") \
  X(PENDING_DEAL_ACTIVATION_CANCELED, SVC_EVENT_ORG, false, "") \
  X(PENDING_DEAL_ACTIVATION_FAILED, SVC_EVENT_ORG, false, "") \
  X(PENDING_DEAL_APPLIED, SVC_EVENT_ORG, false, "") \
  X(PENDING_INDEXES_CANCELED, SVC_EVENT_GROUP, false, "") \
  X(PENDING_INDEXES_DELETED, SVC_EVENT_GROUP, false, "") \
  X(PENDING_INVOICE_OVER_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(PENDING_INVOICE_UNDER_THRESHOLD, SVC_EVENT_GROUP, false, "") \
  X(PLAN_ABANDONED, SVC_EVENT_GROUP, false, "") \
  X(PLAN_ASAP_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(PLAN_COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(PLAN_DECLINED, SVC_EVENT_GROUP, false, "") \
  X(PLAN_FAILURE_COUNT_RESET, SVC_EVENT_GROUP, false, "") \
  X(PLAN_STARTED, SVC_EVENT_GROUP, false, "") \
  X(PREDICTIVE_AUTOSCALING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(PREDICTIVE_AUTOSCALING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(PREDICTIVE_COMPUTE_AUTO_SCALE_INITIATED_BASE, SVC_EVENT_GROUP, true, "") \
  X(PREDICTIVE_COMPUTE_AUTO_SCALE_MAX_INSTANCE_SIZE_FAIL_BASE, SVC_EVENT_GROUP, true, "") \
  X(PREDICTIVE_COMPUTE_AUTO_SCALE_OPLOG_FAIL_BASE, SVC_EVENT_GROUP, true, "") \
  X(PREPAID_PLAN_ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(PREPAID_PLAN_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(PRIVATE_NETWORK_ENDPOINT_ENTRY_ADDED, SVC_EVENT_GROUP, false, "") \
  X(PRIVATE_NETWORK_ENDPOINT_ENTRY_REMOVED, SVC_EVENT_GROUP, false, "") \
  X(PRIVATE_NETWORK_ENDPOINT_ENTRY_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(PROACTIVE_OPERATION_EVENT_LOGGED, SVC_EVENT_GROUP, false, "") \
  X(PROCESS_RESTART_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(PROFILER_CONFIGURED_TOO_WIDELY, SVC_EVENT_GROUP, true, "") \
  X(PROJECT_BYPASSED_MAINTENANCE, SVC_EVENT_GROUP, false, "") \
  X(PROJECT_CREATED_VIA_ANIS, SVC_EVENT_ORG, false, "") \
  X(PROJECT_LIVE_IMPORT_OVERRIDES_ADDED, SVC_EVENT_GROUP, false, "") \
  X(PROJECT_LIVE_IMPORT_OVERRIDES_DELETED, SVC_EVENT_GROUP, false, "") \
  X(PROJECT_LIVE_IMPORT_OVERRIDES_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(PROJECT_SCHEDULED_MAINTENANCE_OUTSIDE_OF_PROTECTED_HOURS, SVC_EVENT_GROUP, false, "") \
  X(PROMO_CODE_APPLIED, SVC_EVENT_ORG, false, "") \
  X(PROXY_PANICKED, SVC_EVENT_GROUP, false, "") \
  X(PROXY_PROTOCOL_FOR_PRIVATE_LINK_MODE_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(PROXY_RESTARTED, SVC_EVENT_GROUP, false, "") \
  X(PUSH_BASED_LOG_EXPORT_DROPPED_LOG, SVC_EVENT_GROUP, true, "") \
  X(PUSH_BASED_LOG_EXPORT_RESUMED, SVC_EVENT_GROUP, false, "") \
  X(PUSH_BASED_LOG_EXPORT_STOPPED, SVC_EVENT_GROUP, true, "") \
  X(QUERY_ENGINE_TENANT_CREATED, SVC_EVENT_GROUP, false, "") \
  X(QUERY_ENGINE_TENANT_REMOVED, SVC_EVENT_GROUP, false, "") \
  X(QUERY_ENGINE_TENANT_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(QUERY_SAMPLING_STARTED, SVC_EVENT_GROUP, false, "") \
  X(QUERY_SAMPLING_STOPPED, SVC_EVENT_GROUP, false, "") \
  X(QUERY_SHAPE_BLOCKED, SVC_EVENT_GROUP, false, "") \
  X(QUERY_SHAPE_UNBLOCKED, SVC_EVENT_GROUP, false, "") \
  X(QUEUED_ADMIN_ACTION_CANCELLED, SVC_EVENT_GROUP, false, "") \
  X(QUEUED_ADMIN_ACTION_COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(QUEUED_ADMIN_ACTION_CREATED, SVC_EVENT_GROUP, false, "") \
  X(REFUND_ISSUED, SVC_EVENT_ORG, false, "") \
  X(RELOAD_SSL_ON_PROCESSES, SVC_EVENT_GROUP, false, "") \
  X(RELOAD_SSL_ON_PROCESSES_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(REPLICATION_OPLOG_WINDOW_HEALTHY, SVC_EVENT_GROUP, false, "") \
  X(REPLICATION_OPLOG_WINDOW_RUNNING_OUT, SVC_EVENT_GROUP, true, "") \
  X(REPLICA_SET_OPTED_OUT_OF_INTER_NODE_DATA_VALIDATION, SVC_EVENT_GROUP, false, "") \
  X(REPLICA_SET_SAMPLED_FOR_INTER_NODE_DATA_VALIDATION, SVC_EVENT_GROUP, false, "") \
  X(REQUESTED_TO_JOIN_GROUP, SVC_EVENT_GROUP, false, "") \
  X(REQUEST_RATE_LIMIT, SVC_EVENT_GROUP, true, "") \
  X(RESOURCE_POLICY_CREATED, SVC_EVENT_ORG, false, "") \
  X(RESOURCE_POLICY_DELETED, SVC_EVENT_ORG, false, "") \
  X(RESOURCE_POLICY_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(RESOURCE_POLICY_VIOLATED, SVC_EVENT_GROUP | SVC_EVENT_ORG, true, "") \
  X(RESTRICTED_EMPLOYEE_ACCESS_BYPASS, SVC_EVENT_GROUP, false, "") \
  X(RESTRICT_ORG_MEMBERSHIP_DISABLED, SVC_EVENT_ORG, false, "") \
  X(RESTRICT_ORG_MEMBERSHIP_ENABLED, SVC_EVENT_ORG, false, "") \
  X(REVOKED_EMPLOYEE_ACCESS_BYPASS, SVC_EVENT_GROUP, false, "") \
  X(ROLE_MAPPING_CREATED, SVC_EVENT_ORG, false, "") \
  X(ROLE_MAPPING_DELETED, SVC_EVENT_ORG, false, "") \
  X(ROLE_MAPPING_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ROLLING_INDEX_FAILED_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(ROLLING_INDEX_SUCCESS_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(S3_LOG_STREAMING_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(S3_LOG_STREAMING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(S3_LOG_STREAMING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(SAMPLE_DATASET_LOAD_REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(SANDBOX_CONFIG_DELETED, SVC_EVENT_ORG, false, "") \
  X(SANDBOX_DISABLED_FOR_ORG, SVC_EVENT_ORG, false, "") \
  X(SANDBOX_ENABLED_FOR_ORG, SVC_EVENT_ORG, false, "") \
  X(SANDBOX_TEMPLATE_UPDATED, SVC_EVENT_ORG, false, "") \
  X(SCHEDULED_MAINTENANCE, SVC_EVENT_GROUP, false, "") \
  X(SEARCH_HOST_DISABLE_FTS, SVC_EVENT_GROUP, false, "") \
  X(SEARCH_HOST_PAUSE_ALL_INITIAL_SYNCS, SVC_EVENT_GROUP, false, "") \
  X(SEARCH_HOST_PAUSE_INITIAL_SYNC_ON_INDEX_IDS, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_AUTO_SCALING_INITIATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_CREATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_DELETED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_ENDPOINT_SERVICE_LINKED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_ENDPOINT_SERVICE_UNLINKED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_ENVOY_INSTANCE_UIS_KEYS_ROTATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_INSTANCE_REBOOTED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_INSTANCE_REPLACED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_HORIZONTAL_SCALING_INITIATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_CREATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_DELETED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_DELETE_SUBMITTED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_READY, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_UNBLOCKED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_UPDATE_COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_UPDATE_STARTED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_UPDATE_SUBMITTED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_MTM_DRAIN_COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_MTM_DRAIN_INITIATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_MTM_DRAIN_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_MTM_DRAIN_STOPPED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_UPGRADE_STARTED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_UPGRADE_TO_DEDICATED_FAILED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_UPGRADE_TO_DEDICATED_SUCCESSFUL, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_VERTICAL_SCALING_INITIATED, SVC_EVENT_GROUP, false, "") \
  X(SERVICE_ACCOUNT_UI_IP_ACCESS_LIST_INHERITANCE_DISABLED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "") \
  X(SERVICE_ACCOUNT_UI_IP_ACCESS_LIST_INHERITANCE_ENABLED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "") \
  X(SETUP_SERVERLESS_INITIATED, SVC_EVENT_GROUP, false, "") \
  X(SET_ENSURE_CLUSTER_CONNECTIVITY_AFTER_FOR_CLUSTER, SVC_EVENT_GROUP, false, "") \
  X(SHADOW_CLUSTER_CREATE_EXPOSURE, SVC_EVENT_GROUP, false, "") \
  X(SHADOW_CLUSTER_DELETE_EXPOSURE, SVC_EVENT_GROUP, false, "") \
  X(SHADOW_CLUSTER_ORG_OPT_IN, SVC_EVENT_ORG, false, "") \
  X(SHADOW_CLUSTER_ORG_OPT_OUT, SVC_EVENT_ORG, false, "") \
  X(SHADOW_CLUSTER_RECORDING_STATUS_UPDATE, SVC_EVENT_GROUP, false, "") \
  X(SHADOW_CLUSTER_REPLAY_STATUS_UPDATE, SVC_EVENT_GROUP, false, "") \
  X(SHARD_KEY_ANALYSIS_FINISHED, SVC_EVENT_GROUP, false, "") \
  X(SHARD_KEY_ANALYSIS_STARTED, SVC_EVENT_GROUP, false, "") \
  X(SPLUNK_LOG_STREAMING_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(SPLUNK_LOG_STREAMING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(SPLUNK_LOG_STREAMING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(SSH_KEY_SVC_HOST_ACCESS_ATTEMPT, SVC_EVENT_GROUP, false, "") \
  X(SSH_KEY_SVC_HOST_ACCESS_GRANTED, SVC_EVENT_GROUP, false, "") \
  X(SSH_KEY_SVC_HOST_ACCESS_LEVEL_CHANGED, SVC_EVENT_GROUP, false, "") \
  X(SSH_KEY_SVC_HOST_ACCESS_REFRESHED, SVC_EVENT_GROUP, true, "") \
  X(SSH_KEY_SVC_HOST_ACCESS_REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(SSL_CERTIFICATE_ISSUED, SVC_EVENT_GROUP, false, "") \
  X(STEP_SKIPPED, SVC_EVENT_GROUP, false, "") \
  X(STREAMS_AUDIT_LOG_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_PROCESSOR_AUTOSCALE_INITIATED, SVC_EVENT_GROUP, true, "") \
  X(STREAM_TENANT_AUDIT_LOGS, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_AUDIT_LOGS_DELETED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_CONNECTIONS_LISTED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_CONNECTION_CREATED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_CONNECTION_DELETED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_CONNECTION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_CONNECTION_VIEWED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_CREATED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_DELETED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_OPERATIONAL_LOGS, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(SUCCESSFUL_DEPLOY, SVC_EVENT_GROUP, true, "") \
  X(SUPPORT_EMAILS_SENT_FAILURE, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "") \
  X(SUPPORT_EMAILS_SENT_SUCCESSFULLY, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "") \
  X(SUPPORT_PLAN_ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(SUPPORT_PLAN_CANCELLATION_SCHEDULED, SVC_EVENT_ORG, false, "") \
  X(SUPPORT_PLAN_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(SVC_MAINTENANCE_DEFERRED_BY_ADMIN, SVC_EVENT_GROUP, false, "") \
  X(SVC_MAINTENANCE_FLEET_ACTIVE_WAVE_CLOSED_BY_ADMIN, SVC_EVENT_ORG, false, "") \
  X(SVC_MAINTENANCE_RESET_BY_ADMIN, SVC_EVENT_GROUP, false, "") \
  X(SVC_MAINTENANCE_SCHEDULED_FOR_NEXT_WINDOW, SVC_EVENT_GROUP, false, "") \
  X(SVC_SET_CHEF_TARBALL_URI, SVC_EVENT_GROUP, false, "") \
  X(SVC_SET_IMAGE_OVERRIDES, SVC_EVENT_GROUP, false, "") \
  X(SVC_SQL_SCHEDULED_UPDATE_CREATED, SVC_EVENT_GROUP, false, "") \
  X(SVC_SQL_SCHEDULED_UPDATE_MODIFIED, SVC_EVENT_GROUP, false, "") \
  X(SVC_SQL_SCHEDULED_UPDATE_REMOVED, SVC_EVENT_GROUP, false, "") \
  X(SVC_X509_USER_AUTHENTICATION_CUSTOMER_CA_EXPIRATION_CHECK, SVC_EVENT_GROUP, true, "") \
  X(SVC_X509_USER_AUTHENTICATION_CUSTOMER_CA_EXPIRATION_RESOLVED, SVC_EVENT_GROUP, false, "") \
  X(SVC_X509_USER_AUTHENTICATION_CUSTOMER_CRL_EXPIRATION_CHECK, SVC_EVENT_GROUP, true, "") \
  X(SVC_X509_USER_AUTHENTICATION_CUSTOMER_CRL_EXPIRATION_RESOLVED, SVC_EVENT_GROUP, false, "") \
  X(SVC_X509_USER_AUTHENTICATION_MANAGED_USER_CERTS_EXPIRATION_CHECK, SVC_EVENT_GROUP, true, "") \
  X(SVC_X509_USER_AUTHENTICATION_MANAGED_USER_CERTS_EXPIRATION_RESOLVED, SVC_EVENT_GROUP, false, "") \
  X(SYNC_FAILURE, SVC_EVENT_GROUP, true, "") \
  X(TARGETED_REBILL_EXECUTED, SVC_EVENT_ORG, false, "") \
  X(TEAM_UPDATED, SVC_EVENT_ORG, false, "") \
  X(TENANT_ENDPOINT_AVAILABLE, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_CREATED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_DELETED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_DELETING, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_EXPIRED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_FAILED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_INITIATING, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_RESERVATION_FAILED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_RESERVED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_SERVICE_AVAILABLE, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_SERVICE_CREATED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_SERVICE_DELETED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_SERVICE_DEPLOYMENT_CREATED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_SERVICE_DEPLOYMENT_DELETED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_SERVICE_DEPLOYMENT_DELETE_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_SERVICE_DEPLOYMENT_NUM_DESIRED_ENDPOINT_SERVICES_INCREASED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_RESTORE_FAILED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_SNAPSHOT_COMPLETED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(TENANT_SNAPSHOT_DELETED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(TENANT_SNAPSHOT_DOWNLOAD_REQUESTED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(TENANT_SNAPSHOT_FAILED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_SNAPSHOT_STARTED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(TENANT_UPGRADE_TO_SERVERLESS_FAILED, SVC_EVENT_GROUP, true, "") \
  X(TENANT_UPGRADE_TO_SERVERLESS_SUCCESSFUL, SVC_EVENT_GROUP, true, "") \
  X(TERMINATE_PAID_SERVICES, SVC_EVENT_ORG, false, "") \
  X(TEST_FAILOVER_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(TOO_FEW_HEALTHY_MEMBERS, SVC_EVENT_GROUP, true, "") \
  X(TOO_MANY_ELECTIONS, SVC_EVENT_GROUP, true, "") \
  X(TOO_MANY_UNHEALTHY_MEMBERS, SVC_EVENT_GROUP, true, "") \
  X(TRIGGER_AUTO_RESUMED, SVC_EVENT_GROUP, true, "") \
  X(TRIGGER_FAILURE, SVC_EVENT_GROUP, true, "") \
  X(UIS_PANICKED, SVC_EVENT_GROUP, false, "") \
  X(UNLINKED_ORG, SVC_EVENT_ORG, false, "") \
  X(URL_CONFIRMATION, SVC_EVENT_GROUP, true, "") \
  X(USERS_WITHOUT_MULTI_FACTOR_AUTH, SVC_EVENT_GROUP, true, "") \
  X(VERCEL_INVOICE_CREATED, SVC_EVENT_ORG, false, "") \
  X(VERCEL_INVOICE_NOT_PAID, SVC_EVENT_ORG, false, "") \
  X(VERCEL_INVOICE_OVERDUE, SVC_EVENT_ORG, false, "") \
  X(VERCEL_INVOICE_PAID, SVC_EVENT_ORG, false, "") \
  X(VERCEL_INVOICE_REFUNDED, SVC_EVENT_ORG, false, "") \
  X(VERCEL_SELF_SERVE_ACCOUNT_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(VERCEL_SELF_SERVE_ACCOUNT_LINKED, SVC_EVENT_ORG, false, "") \
  X(VERCEL_SELF_SERVE_ACCOUNT_LINK_FAILED, SVC_EVENT_ORG, false, "") \
  X(VERCEL_SELF_SERVE_ACCOUNT_LINK_PENDING, SVC_EVENT_ORG, false, "") \
  X(VERCEL_USAGE_REPORTED, SVC_EVENT_ORG, false, "") \
  X(VERSION_BEHIND, SVC_EVENT_GROUP, true, "") \
  X(VOLUME_IMPAIRED, SVC_EVENT_GROUP, false, "") \
  X(VOLUME_IMPAIRED_RESOLVED, SVC_EVENT_GROUP, false, "") \
  X(WEBHOOK_TEMPLATE_RENDER_FAILED, SVC_EVENT_GROUP, true, "") \
  X(WEEKLY_BILLING_CHANGE_NORMAL, SVC_EVENT_GROUP, false, "") \
  X(WEEKLY_BILLING_CHANGE_OVER_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(WIRE_TRANSFER_PAYMENT_RECEIVED, SVC_EVENT_ORG, false, "")

#define SVC_EVENT_TYPE_ONE(name, where, alertable, description) + 1
enum { SVC_EVENT_TYPE_COUNT = 0 SVC_EVENT_TYPE_LIST(SVC_EVENT_TYPE_ONE) };

#endif /* SVC_EVENT_TYPE_LIST_H */

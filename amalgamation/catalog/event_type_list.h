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

/* Whose log a type can stand in. */
enum svc_event_where { SVC_EVENT_GROUP = 1, SVC_EVENT_ORG = 2 };

/* X(name, where, alertable, description) */
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
  X(STREAM_PROCESSOR_STATE_IS_FAILED, SVC_EVENT_GROUP, true, "A stream processor has failed.")

#endif /* SVC_EVENT_TYPE_LIST_H */

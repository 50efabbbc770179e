/*
** The event types: everything that the event log can report.
**
** The rule: each type is listed once, here, or by SVC_EVENT() in the file of the only noun that uses it. /eventTypes
** answers from this list, and code that writes an event must name a type from it. A type belongs to the log of projects,
** of organizations, or both; an event is never written to another log. A type is alertable if, and only if, a project can
** configure an alert for it.
*/
#ifndef SVC_EVENT_TYPE_LIST_H
#define SVC_EVENT_TYPE_LIST_H

#include "catalog/noun_event_list.h"

/* P(prefix): prefixes that many names share, so that each is stored once. */
#define SVC_EVENT_PREFIX_LIST(P) \
  P() P(AI_MODELS_APIS_) P(ALERT_CONFIG_) P(API_KEY_) P(AUTO_HEALING_REQUESTED_) P(AUTO_INDEXING_) \
  P(AWS_ENCRYPTION_KEY_) P(AWS_SELF_SERVE_ACCOUNT_) P(AZURE_) P(AZURE_ENCRYPTION_KEY_) P(AZURE_SELF_SERVE_ACCOUNT_) \
  P(BILLING_EMAIL_ADDRESS_) P(CHARTS_DASHBOARD_) P(CLOUD_PROVIDER_ACCESS_) P(CLUSTER_) P(CLUSTER_CONNECTION_) \
  P(CLUSTER_INSTANCE_) P(CLUSTER_REGIONAL_OUTAGE_SIMULATION_) P(COMPUTE_AUTO_SCALE_) P(CPS_) \
  P(CPS_COLLECTION_RESTORE_) P(CPS_DATA_PROTECTION_) P(CPS_SNAPSHOT_) P(CREDIT_) P(DATADOG_LOG_STREAMING_) \
  P(DATA_EXPLORER_) P(ENCRYPTION_AT_REST_) P(FEDERATED_DATABASE_) P(FEDERATION_SETTINGS_) P(FTS_INDEX_) \
  P(GCP_ENCRYPTION_KEY_) P(GCP_SELF_SERVE_ACCOUNT_) P(GROUP_) P(GROUP_SERVICE_ACCOUNT_SECRETS_) P(HOST_) \
  P(IDENTITY_PROVIDER_) P(INGESTION_PIPELINE_) P(INTERFACE_ENDPOINT_) P(LOG_STREAMING_) P(MAINTENANCE_) \
  P(MLAB_MIGRATION_) P(NETWORK_PERMISSION_ENTRY_) P(OAUTH_) P(OIDC_IDENTITY_PROVIDER_) P(ONLINE_ARCHIVE_) P(ORG_) \
  P(ORG_DB_VERSION_EOL_EXTENSION_) P(ORG_SERVICE_ACCOUNT_SECRETS_) P(OTEL_METRIC_INTEGRATION_) P(PENDING_) \
  P(PREDICTIVE_COMPUTE_AUTO_SCALE_) P(PRIVATE_NETWORK_ENDPOINT_ENTRY_) P(PROJECT_) P(PUSH_BASED_LOG_EXPORT_) \
  P(QUERY_ENGINE_TENANT_) P(QUEUED_ADMIN_ACTION_) P(RESOURCE_POLICY_) P(SERVERLESS_) P(SERVERLESS_DEPLOYMENT_) \
  P(SERVERLESS_INSTANCE_) P(SERVICE_ACCOUNT_) P(SHADOW_CLUSTER_) P(SPLUNK_LOG_STREAMING_) P(SSH_KEY_SVC_HOST_ACCESS_) \
  P(STREAM_PROCESSOR_) P(STREAM_TENANT_) P(SVC_MAINTENANCE_) P(SVC_SQL_SCHEDULED_UPDATE_) \
  P(SVC_X509_USER_AUTHENTICATION_) P(TENANT_ENDPOINT_) P(TENANT_ENDPOINT_SERVICE_DEPLOYMENT_) P(TENANT_SNAPSHOT_) \
  P(VERCEL_INVOICE_) P(VERCEL_SELF_SERVE_ACCOUNT_)

/* X(prefix or nothing, rest of the name, log, alertable, description); description "": the name is the only description */
#define SVC_EVENT_TYPE_LIST(X) \
  /* ---- Organizations and projects */ \
  X(ORG_, CREATED, SVC_EVENT_ORG, false, "An organization was created.") \
  X(ORG_, RENAMED, SVC_EVENT_ORG, false, "An organization was given another name.") \
  X(ORG_, SUSPENDED, SVC_EVENT_ORG, false, "An organization was suspended.") \
  X(ORG_, LOCKED, SVC_EVENT_ORG, false, "An organization was locked.") \
  X(ORG_, PUBLIC_API_ACCESS_LIST_REQUIRED, SVC_EVENT_ORG, false, \
    "The organization began to require an API access list.") \
  X(ORG_, PUBLIC_API_ACCESS_LIST_NOT_REQUIRED, SVC_EVENT_ORG, false, \
    "The organization no longer requires an API access list.") \
  X(ORG_, TWO_FACTOR_AUTH_REQUIRED, SVC_EVENT_ORG, false, \
    "The organization began to require a second factor at sign-in.") \
  X(ORG_, TWO_FACTOR_AUTH_OPTIONAL, SVC_EVENT_ORG, false, \
    "The organization no longer requires a second factor at sign-in.") \
  X(ORG_, SETTINGS_CONFIGURED, SVC_EVENT_ORG, false, "The settings of an organization were made for the first time.") \
  X(ORG_, SETTINGS_UPDATED, SVC_EVENT_ORG, false, "The settings of an organization were changed.") \
  X(ORG_, EMPLOYEE_ACCESS_RESTRICTED, SVC_EVENT_ORG, false, \
    "The organization shut the vendor's employees out of its infrastructure.") \
  X(ORG_, EMPLOYEE_ACCESS_UNRESTRICTED, SVC_EVENT_ORG, false, \
    "The organization let the vendor's employees into its infrastructure again.") \
  X(ORG_, SERVICE_ACCOUNT_MAX_SECRET_VALIDITY_EDITED, SVC_EVENT_ORG, false, \
    "The longest life of service account secrets was changed.") \
  X(, SECURITY_CONTACT_MODIFIED, SVC_EVENT_ORG, false, "The security contact of an organization was changed.") \
  X(, OPERATIONS_CONTACT_MODIFIED, SVC_EVENT_ORG, false, "The operations contact of an organization was changed.") \
  X(, CUSTOM_SESSION_TIMEOUT_MODIFIED, SVC_EVENT_ORG, false, "The session timeouts of an organization were changed.") \
  X(GROUP_, CREATED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A project was created.") \
  X(GROUP_, DELETED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A project was deleted.") \
  X(GROUP_, NAME_CHANGED, SVC_EVENT_GROUP, false, "A project was given another name.") \
  X(GROUP_, MOVED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A project was moved to another organization.") \
  X(GROUP_, MOVED_FROM_ORG, SVC_EVENT_ORG, false, "A project left this organization for another.") \
  X(GROUP_, TAGS_MODIFIED, SVC_EVENT_GROUP | SVC_EVENT_ORG, true, "The tags of a project were changed.") \
  X(CLUSTER_, TAGS_MODIFIED, SVC_EVENT_GROUP, true, "The tags of a cluster were changed.") \
  X(, TAGS_MODIFIED, SVC_EVENT_GROUP | SVC_EVENT_ORG, true, "The tags of a resource were changed.") \
  /* ---- Settings of projects */ \
  X(GROUP_, DEFAULT_ALERTS_SETTINGS_CHANGED, SVC_EVENT_GROUP, false, \
    "The default alert settings of a project were switched on or off.") \
  /* names of this library, for changes that no public name fits */ \
  X(GROUP_, SETTINGS_UPDATED, SVC_EVENT_GROUP, false, "Settings of a project were changed.") \
  X(, PRIVATE_IP_MODE_UPDATED, SVC_EVENT_GROUP, false, "Private IP mode of a project was switched.") \
  X(PROJECT_, LIMIT_UPDATED, SVC_EVENT_GROUP, false, "A limit of a project was changed.") \
  X(PROJECT_, COLLECT_DATABASE_STATISTICS_UPDATED, SVC_EVENT_GROUP, false, \
    "The collection of database statistics was switched on or off for a project.") \
  X(PROJECT_, ENABLE_DATA_VALIDATION_UPDATED, SVC_EVENT_GROUP, false, \
    "Data validation was switched on or off for a project.") \
  X(PROJECT_, ENABLE_EXTENDED_STORAGE_SIZES_UPDATED, SVC_EVENT_GROUP, false, \
    "Extended storage sizes were switched on or off for a project.") \
  X(DATA_EXPLORER_, ENABLED, SVC_EVENT_GROUP, false, "The data explorer was switched on for a project.") \
  X(DATA_EXPLORER_, DISABLED, SVC_EVENT_GROUP, false, "The data explorer was switched off for a project.") \
  X(, AUDIT_LOG_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "The audit log of a project was configured again.") \
  X(, USER_SECURITY_SETTINGS_UPDATED, SVC_EVENT_GROUP, false, "The user security settings of a project were changed.") \
  X(ENCRYPTION_AT_REST_, CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, \
    "The encryption at rest of a project was configured again.") \
  X(, REGIONALIZED_PRIVATE_ENDPOINT_MODE_ENABLED, SVC_EVENT_GROUP, false, \
    "Regionalized private endpoints were switched on for a project.") \
  X(, REGIONALIZED_PRIVATE_ENDPOINT_MODE_DISABLED, SVC_EVENT_GROUP, false, \
    "Regionalized private endpoints were switched off for a project.") \
  X(PUSH_BASED_LOG_EXPORT_, ENABLED, SVC_EVENT_GROUP, false, "The export of logs was switched on for a project.") \
  X(PUSH_BASED_LOG_EXPORT_, CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, \
    "The export of logs of a project was configured again.") \
  X(PUSH_BASED_LOG_EXPORT_, DISABLED, SVC_EVENT_GROUP, false, "The export of logs was switched off for a project.") \
  /* ---- Clusters */ \
  X(CLUSTER_, CREATED, SVC_EVENT_GROUP, false, "The creation of a cluster was requested.") \
  X(CLUSTER_, READY, SVC_EVENT_GROUP, false, "A cluster is ready for use.") \
  X(CLUSTER_, UPDATE_SUBMITTED, SVC_EVENT_GROUP, false, "A change of a cluster was requested.") \
  X(CLUSTER_, UPDATE_STARTED, SVC_EVENT_GROUP, false, "A change of a cluster has begun.") \
  X(CLUSTER_, UPDATE_COMPLETED, SVC_EVENT_GROUP, false, "A change of a cluster is done.") \
  X(CLUSTER_, PROCESS_ARGS_UPDATE_SUBMITTED, SVC_EVENT_GROUP, false, \
    "A change of a cluster's advanced configuration was requested.") \
  X(CLUSTER_, DELETE_SUBMITTED, SVC_EVENT_GROUP, false, "The deletion of a cluster was requested.") \
  X(CLUSTER_, DELETED, SVC_EVENT_GROUP, false, "A cluster was deleted.") \
  X(CLUSTER_, FCV_FIXED, SVC_EVENT_GROUP, false, "The feature compatibility version of a cluster was pinned.") \
  X(CLUSTER_, FCV_UNFIXED, SVC_EVENT_GROUP, false, \
    "The feature compatibility version of a cluster is no longer pinned.") \
  X(CLUSTER_, BINARY_VERSION_UPGRADED, SVC_EVENT_GROUP, false, "The database version of a cluster was raised.") \
  X(, PRIMARY_ELECTED, SVC_EVENT_GROUP, true, "A replica set has elected a new primary.") \
  X(, NO_PRIMARY, SVC_EVENT_GROUP, true, "A replica set has no primary.") \
  X(, ONE_PRIMARY, SVC_EVENT_GROUP, false, "A replica set has a primary again.") \
  X(HOST_, DOWN, SVC_EVENT_GROUP, true, "A host does not answer.") \
  X(HOST_, UP, SVC_EVENT_GROUP, false, "A host answers again.") \
  /* ---- Maintenance */ \
  X(PROJECT_, SCHEDULED_MAINTENANCE, SVC_EVENT_GROUP, false, "Maintenance was scheduled for a project.") \
  X(MAINTENANCE_, IN_ADVANCED, SVC_EVENT_GROUP, true, "Maintenance of a project is coming up.") \
  X(MAINTENANCE_, AUTO_DEFERRED, SVC_EVENT_GROUP, true, "Maintenance of a project was deferred by its own setting.") \
  X(MAINTENANCE_, STARTED, SVC_EVENT_GROUP, true, "Maintenance of a project has begun.") \
  X(MAINTENANCE_, COMPLETED, SVC_EVENT_GROUP, true, "Maintenance of a project is done.") \
  X(MAINTENANCE_, NO_LONGER_NEEDED, SVC_EVENT_GROUP, true, "Scheduled maintenance of a project is no longer needed.") \
  X(SVC_MAINTENANCE_, WINDOW_ADDED, SVC_EVENT_GROUP, false, "A maintenance window was set for a project.") \
  X(SVC_MAINTENANCE_, WINDOW_MODIFIED, SVC_EVENT_GROUP, false, "The maintenance window of a project was changed.") \
  X(SVC_MAINTENANCE_, WINDOW_REMOVED, SVC_EVENT_GROUP, false, "The maintenance window of a project was removed.") \
  X(SVC_MAINTENANCE_, START_ASAP, SVC_EVENT_GROUP, false, \
    "Maintenance of a project was asked to begin as soon as possible.") \
  X(SVC_MAINTENANCE_, DEFERRED, SVC_EVENT_GROUP, false, "Maintenance of a project was deferred.") \
  X(SVC_MAINTENANCE_, AUTO_DEFER_ENABLED, SVC_EVENT_GROUP, false, \
    "Automatic deferral of maintenance was switched on for a project.") \
  X(SVC_MAINTENANCE_, AUTO_DEFER_DISABLED, SVC_EVENT_GROUP, false, \
    "Automatic deferral of maintenance was switched off for a project.") \
  X(SVC_MAINTENANCE_, PROTECTED_HOURS_CREATED, SVC_EVENT_GROUP, false, \
    "Hours protected from maintenance were set for a project.") \
  X(SVC_MAINTENANCE_, PROTECTED_HOURS_MODIFIED, SVC_EVENT_GROUP, false, \
    "The hours protected from maintenance were changed for a project.") \
  X(SVC_MAINTENANCE_, PROTECTED_HOURS_REMOVED, SVC_EVENT_GROUP, false, \
    "The hours protected from maintenance were removed for a project.") \
  /* ---- Database access */ \
  X(, DB_USER_ADDED, SVC_EVENT_GROUP, false, "A database user was added.") \
  X(, DB_USER_UPDATED, SVC_EVENT_GROUP, false, "A database user was changed.") \
  X(, DB_USER_DELETED, SVC_EVENT_GROUP, false, "A database user was deleted.") \
  X(, DB_USER_X509_CERT_CREATED, SVC_EVENT_GROUP, false, "A certificate was made for a database user.") \
  X(, DB_USER_X509_CERT_REVOKED, SVC_EVENT_GROUP, false, "A certificate of a database user was revoked.") \
  X(, DB_ROLE_ADDED, SVC_EVENT_GROUP, false, "A custom database role was added.") \
  X(, DB_ROLE_UPDATED, SVC_EVENT_GROUP, false, "A custom database role was changed.") \
  X(, DB_ROLE_DELETED, SVC_EVENT_GROUP, false, "A custom database role was deleted.") \
  /* ---- API keys */ \
  X(API_KEY_, CREATED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An API key was created.") \
  X(API_KEY_, DELETED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An API key was deleted.") \
  X(API_KEY_, ROLES_CHANGED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "The roles of an API key were changed.") \
  X(API_KEY_, DESCRIPTION_CHANGED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "The description of an API key was changed.") \
  X(API_KEY_, ADDED_TO_GROUP, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An API key was assigned to a project.") \
  X(API_KEY_, REMOVED_FROM_GROUP, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An API key was removed from a project.") \
  X(API_KEY_, ACCESS_LIST_ENTRY_ADDED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "An entry was added to the access list of an API key.") \
  X(API_KEY_, ACCESS_LIST_ENTRY_DELETED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "An entry was removed from the access list of an API key.") \
  /* ---- Service accounts */ \
  X(SERVICE_ACCOUNT_, CREATED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A service account was created.") \
  X(SERVICE_ACCOUNT_, DELETED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A service account was deleted.") \
  X(SERVICE_ACCOUNT_, ROLES_CHANGED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "The roles of a service account were changed.") \
  X(SERVICE_ACCOUNT_, DETAILS_CHANGED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "The name or description of a service account was changed.") \
  X(SERVICE_ACCOUNT_, ADDED_TO_GROUP, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "A service account was assigned to a project.") \
  X(SERVICE_ACCOUNT_, REMOVED_FROM_GROUP, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "A service account was removed from a project.") \
  X(SERVICE_ACCOUNT_, SECRET_ADDED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A secret was added to a service account.") \
  X(SERVICE_ACCOUNT_, SECRET_DELETED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "A secret of a service account was deleted.") \
  X(SERVICE_ACCOUNT_, ACCESS_LIST_ENTRY_ADDED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "An entry was added to the access list of a service account.") \
  X(SERVICE_ACCOUNT_, ACCESS_LIST_ENTRY_DELETED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "An entry was removed from the access list of a service account.") \
  X(ORG_SERVICE_ACCOUNT_SECRETS_, EXPIRING, SVC_EVENT_ORG, false, \
    "Secrets of service accounts in the organization expire soon.") \
  X(ORG_SERVICE_ACCOUNT_SECRETS_, EXPIRED, SVC_EVENT_ORG, false, \
    "Secrets of service accounts in the organization have expired.") \
  X(GROUP_SERVICE_ACCOUNT_SECRETS_, EXPIRING, SVC_EVENT_GROUP, true, \
    "Secrets of service accounts in the project expire soon.") \
  X(GROUP_SERVICE_ACCOUNT_SECRETS_, EXPIRED, SVC_EVENT_GROUP, true, \
    "Secrets of service accounts in the project have expired.") \
  /* ---- Teams and users */ \
  X(, TEAM_CREATED, SVC_EVENT_ORG, false, "A team was created.") \
  X(, TEAM_DELETED, SVC_EVENT_ORG, false, "A team was deleted.") \
  X(, TEAM_NAME_CHANGED, SVC_EVENT_ORG, false, "A team was given another name.") \
  X(, TEAM_ADDED_TO_GROUP, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A team was assigned to a project.") \
  X(, TEAM_REMOVED_FROM_GROUP, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "A team was removed from a project.") \
  X(, TEAM_ROLES_MODIFIED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "The roles of a team in a project were changed.") \
  X(, JOINED_ORG, SVC_EVENT_ORG, false, "A user joined an organization.") \
  X(, JOINED_TEAM, SVC_EVENT_ORG, false, "A user joined a team.") \
  X(, JOINED_GROUP, SVC_EVENT_GROUP, true, "A user joined a project.") \
  X(, INVITED_TO_ORG, SVC_EVENT_ORG, false, "A user was invited to an organization.") \
  X(, INVITED_TO_GROUP, SVC_EVENT_GROUP, false, "A user was invited to a project.") \
  X(ORG_, INVITATION_DELETED, SVC_EVENT_ORG, false, "An invitation to an organization was withdrawn.") \
  X(GROUP_, INVITATION_DELETED, SVC_EVENT_GROUP, false, "An invitation to a project was withdrawn.") \
  X(, REMOVED_FROM_ORG, SVC_EVENT_ORG, false, "A user was removed from an organization.") \
  X(, REMOVED_FROM_TEAM, SVC_EVENT_ORG, false, "A user was removed from a team.") \
  X(, REMOVED_FROM_GROUP, SVC_EVENT_GROUP, true, "A user was removed from a project.") \
  X(, USER_ROLES_CHANGED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, true, "The roles of a user were changed.") \
  /* ---- Backup */ \
  X(CPS_SNAPSHOT_, STARTED, SVC_EVENT_GROUP, true, "A snapshot was begun.") \
  X(CPS_SNAPSHOT_, SUCCESSFUL, SVC_EVENT_GROUP, true, "A snapshot was taken.") \
  X(CPS_SNAPSHOT_, FAILED, SVC_EVENT_GROUP, true, "A snapshot failed.") \
  X(CPS_, ON_DEMAND_SNAPSHOT_REQUESTED, SVC_EVENT_GROUP, false, "A snapshot on demand was requested.") \
  X(CPS_SNAPSHOT_, DELETED_AUDIT, SVC_EVENT_GROUP, false, "A snapshot was deleted.") \
  X(CPS_SNAPSHOT_, RETENTION_MODIFIED_AUDIT, SVC_EVENT_GROUP, false, "The retention of a snapshot was changed.") \
  X(CPS_SNAPSHOT_, SCHEDULE_UPDATED_AUDIT, SVC_EVENT_GROUP, false, "The snapshot schedule of a cluster was changed.") \
  X(CPS_, RESTORE_REQUESTED_AUDIT, SVC_EVENT_GROUP, false, "A restore was requested.") \
  X(CPS_, RESTORE_SUCCESSFUL, SVC_EVENT_GROUP, true, "A restore succeeded.") \
  X(CPS_, RESTORE_FAILED, SVC_EVENT_GROUP, true, "A restore failed.") \
  X(CPS_, EXPORT_SUCCESSFUL, SVC_EVENT_GROUP, true, "The export of a snapshot succeeded.") \
  X(CPS_, EXPORT_FAILED, SVC_EVENT_GROUP, true, "The export of a snapshot failed.") \
  X(CPS_DATA_PROTECTION_, ENABLED, SVC_EVENT_GROUP, true, "A backup compliance policy came into force.") \
  X(CPS_DATA_PROTECTION_, UPDATED, SVC_EVENT_GROUP, true, "A backup compliance policy was changed.") \
  X(CPS_DATA_PROTECTION_, DISABLED, SVC_EVENT_GROUP, true, "A backup compliance policy was lifted.") \
  X(, BUCKET_CREATED_AUDIT, SVC_EVENT_GROUP, false, "An export bucket was added.") \
  X(, BUCKET_DELETED_AUDIT, SVC_EVENT_GROUP, false, "An export bucket was removed.") \
  X(, TENANT_RESTORE_REQUESTED_AUDIT, SVC_EVENT_GROUP, false, "A restore to a flex cluster was requested.") \
  X(, TENANT_RESTORE_COMPLETED_AUDIT, SVC_EVENT_GROUP, false, "A restore to a flex cluster is done.") \
  /* ---- Network */ \
  X(NETWORK_PERMISSION_ENTRY_, ADDED, SVC_EVENT_GROUP, true, "An entry was added to the access list of a project.") \
  X(NETWORK_PERMISSION_ENTRY_, UPDATED, SVC_EVENT_GROUP, true, "An entry of the access list of a project was changed.") \
  X(NETWORK_PERMISSION_ENTRY_, REMOVED, SVC_EVENT_GROUP, true, \
    "An entry was removed from the access list of a project.") \
  X(, PEER_CREATED, SVC_EVENT_GROUP, false, "An AWS peering connection was created.") \
  X(, PEER_UPDATED, SVC_EVENT_GROUP, false, "An AWS peering connection was changed.") \
  X(, PEER_DELETED, SVC_EVENT_GROUP, false, "An AWS peering connection was deleted.") \
  X(AZURE_, PEER_CREATED, SVC_EVENT_GROUP, false, "An Azure peering connection was created.") \
  X(AZURE_, PEER_UPDATED, SVC_EVENT_GROUP, false, "An Azure peering connection was changed.") \
  X(AZURE_, PEER_DELETED, SVC_EVENT_GROUP, false, "An Azure peering connection was deleted.") \
  X(, GCP_PEER_CREATED, SVC_EVENT_GROUP, false, "A Google Cloud peering connection was created.") \
  X(, GCP_PEER_UPDATED, SVC_EVENT_GROUP, false, "A Google Cloud peering connection was changed.") \
  X(, GCP_PEER_DELETED, SVC_EVENT_GROUP, false, "A Google Cloud peering connection was deleted.") \
  X(, CONTAINER_SUBNETS_UPDATE_REQUESTED, SVC_EVENT_GROUP, false, "A change of a network container was requested.") \
  X(, CONTAINER_DELETED, SVC_EVENT_GROUP, false, "A network container was deleted.") \
  X(, ENDPOINT_SERVICE_CREATED, SVC_EVENT_GROUP, false, "A private endpoint service was created.") \
  X(, ENDPOINT_SERVICE_DELETED, SVC_EVENT_GROUP, false, "A private endpoint service was deleted.") \
  X(INTERFACE_ENDPOINT_, CREATED, SVC_EVENT_GROUP, false, "A private endpoint was created.") \
  X(INTERFACE_ENDPOINT_, PATCHED, SVC_EVENT_GROUP, false, "A private endpoint was changed.") \
  X(INTERFACE_ENDPOINT_, DELETED, SVC_EVENT_GROUP, false, "A private endpoint was deleted.") \
  /* ---- Alerts and integrations */ \
  X(ALERT_CONFIG_, ADDED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An alert configuration was added.") \
  X(ALERT_CONFIG_, CHANGED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An alert configuration was changed.") \
  X(ALERT_CONFIG_, ENABLED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An alert configuration was switched on.") \
  X(ALERT_CONFIG_, DISABLED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An alert configuration was switched off.") \
  X(ALERT_CONFIG_, DELETED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An alert configuration was deleted.") \
  X(, ALERT_ACKNOWLEDGED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "An alert was acknowledged.") \
  X(, ALERT_UNACKNOWLEDGED_AUDIT, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, \
    "The acknowledgement of an alert was taken back.") \
  X(, OUTSIDE_METRIC_THRESHOLD, SVC_EVENT_GROUP, true, "A metric of a host went past its threshold.") \
  X(, INSIDE_METRIC_THRESHOLD, SVC_EVENT_GROUP, false, "A metric of a host is within its threshold again.") \
  X(, INTEGRATION_CONFIGURED, SVC_EVENT_GROUP, false, "A third-party integration was configured.") \
  X(, INTEGRATION_REMOVED, SVC_EVENT_GROUP, false, "A third-party integration was removed.") \
  /* ---- Search, data federation, provider access, streams */ \
  X(, SEARCH_DEPLOYMENT_CREATED, SVC_EVENT_GROUP, false, "Search nodes were created.") \
  X(, SEARCH_DEPLOYMENT_UPDATED, SVC_EVENT_GROUP, false, "Search nodes were changed.") \
  X(, SEARCH_DEPLOYMENT_DELETED, SVC_EVENT_GROUP, false, "Search nodes were deleted.") \
  X(FEDERATED_DATABASE_, CREATED, SVC_EVENT_GROUP, false, "A federated database instance was created.") \
  X(FEDERATED_DATABASE_, UPDATED, SVC_EVENT_GROUP, false, "A federated database instance was changed.") \
  X(FEDERATED_DATABASE_, REMOVED, SVC_EVENT_GROUP, false, "A federated database instance was removed.") \
  X(CLOUD_PROVIDER_ACCESS_, AWS_IAM_ROLE_ADDED, SVC_EVENT_GROUP, false, \
    "An AWS IAM role was added for access by the service.") \
  X(CLOUD_PROVIDER_ACCESS_, AWS_IAM_ROLE_UPDATED, SVC_EVENT_GROUP, false, \
    "An AWS IAM role for access by the service was changed.") \
  X(CLOUD_PROVIDER_ACCESS_, AWS_IAM_ROLE_DELETED, SVC_EVENT_GROUP, false, \
    "An AWS IAM role for access by the service was removed.") \
  X(STREAM_PROCESSOR_, CREATED, SVC_EVENT_GROUP, false, "A stream processor was created.") \
  X(STREAM_PROCESSOR_, STARTED, SVC_EVENT_GROUP, false, "A stream processor was started.") \
  X(STREAM_PROCESSOR_, STOPPED, SVC_EVENT_GROUP, false, "A stream processor was stopped.") \
  X(STREAM_PROCESSOR_, MODIFIED, SVC_EVENT_GROUP, false, "A stream processor was changed.") \
  X(STREAM_PROCESSOR_, DROPPED, SVC_EVENT_GROUP, false, "A stream processor was dropped.") \
  X(STREAM_PROCESSOR_, STATE_IS_FAILED, SVC_EVENT_GROUP, true, "A stream processor has failed.") \
  /* ---- Types without a description; most are not written yet, but clients may filter by them */ \
  X(, ACCOUNT_DOWNGRADED, SVC_EVENT_ORG, false, "") \
  X(, ACCOUNT_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(, ACCOUNT_UPGRADED, SVC_EVENT_ORG, false, "") \
  X(, ACTIVE_LEGACY_TLS_CONNECTIONS, SVC_EVENT_GROUP, true, "") \
  X(, ADD_HOST_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(, ADMIN_CLUSTER_LOCK_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, ADMIN_OVERRIDE_PAYMENT_METHOD_DELETED, SVC_EVENT_ORG, false, "") \
  X(, ADMIN_OVERRIDE_PAYMENT_METHOD_EXPIRED, SVC_EVENT_ORG, false, "") \
  X(, AGENT_FORCE_RESTART_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_, API_KEY_CREATED, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_, API_KEY_DELETED, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_, API_KEY_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_, FREE_TOKENS_ADMIN_ADJUSTED, SVC_EVENT_ORG, false, "") \
  X(AI_MODELS_APIS_, RATE_LIMIT_ADMIN_OVERRIDE, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_, RATE_LIMIT_RESET, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_, RATE_LIMIT_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(AI_MODELS_APIS_, USAGE_TIER_UPDATED, SVC_EVENT_ORG, false, "") \
  X(, ALERT_HOST_SSH_SESSION_STARTED, SVC_EVENT_GROUP, true, "") \
  X(, ALL_ORG_USERS_HAVE_MFA, SVC_EVENT_ORG, false, "") \
  X(, ALL_USERS_HAVE_MULTI_FACTOR_AUTH, SVC_EVENT_GROUP, false, "") \
  X(API_KEY_, UI_IP_ACCESS_LIST_INHERITANCE_DISABLED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "") \
  X(API_KEY_, UI_IP_ACCESS_LIST_INHERITANCE_ENABLED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "") \
  X(, ATTEMPT_KILLOP_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(, ATTEMPT_KILLSESSION_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(, AUTOMATION_CONFIG_PUBLISHED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(, AUTO_HEALING_ACTION, SVC_EVENT_GROUP, false, "") \
  X(AUTO_HEALING_REQUESTED_, CRITICAL_INSTANCE_POWER_CYCLE, SVC_EVENT_GROUP, false, "") \
  X(AUTO_HEALING_REQUESTED_, INSTANCE_REPLACEMENT, SVC_EVENT_GROUP, false, "") \
  X(AUTO_HEALING_REQUESTED_, NODE_RESYNC, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_, COMPLETED_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_, DISABLED, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_, ENABLED, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_, FAILED_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_, INDEX_BUILD_SUBMITTED, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_, SLOW_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_, STALLED_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(AUTO_INDEXING_, STARTED_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(, AWS_BILLING_ACCOUNT_CREDIT_ISSUED, SVC_EVENT_ORG, false, "") \
  X(AWS_ENCRYPTION_KEY_, INVALID, SVC_EVENT_GROUP, true, "") \
  X(AWS_ENCRYPTION_KEY_, NEEDS_ROTATION, SVC_EVENT_GROUP, true, "") \
  X(AWS_ENCRYPTION_KEY_, ROTATED, SVC_EVENT_GROUP, false, "") \
  X(AWS_ENCRYPTION_KEY_, VALID, SVC_EVENT_GROUP, false, "") \
  X(, AWS_PAYMENT_PAID, SVC_EVENT_ORG, false, "") \
  X(AWS_SELF_SERVE_ACCOUNT_, CANCELLED, SVC_EVENT_ORG, false, "") \
  X(AWS_SELF_SERVE_ACCOUNT_, LINKED, SVC_EVENT_ORG, false, "") \
  X(AWS_SELF_SERVE_ACCOUNT_, LINK_FAILED, SVC_EVENT_ORG, false, "") \
  X(AWS_SELF_SERVE_ACCOUNT_, LINK_PENDING, SVC_EVENT_ORG, false, "") \
  X(, AWS_USAGE_REPORTED, SVC_EVENT_ORG, false, "") \
  X(AZURE_, BILLING_ACCOUNT_CREDIT_ISSUED, SVC_EVENT_ORG, false, "") \
  X(AZURE_, CLUSTER_PREFERRED_STORAGE_TYPE_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(AZURE_ENCRYPTION_KEY_, INVALID, SVC_EVENT_GROUP, true, "") \
  X(AZURE_ENCRYPTION_KEY_, NEEDS_ROTATION, SVC_EVENT_GROUP, true, "") \
  X(AZURE_ENCRYPTION_KEY_, ROTATED, SVC_EVENT_GROUP, false, "") \
  X(AZURE_ENCRYPTION_KEY_, VALID, SVC_EVENT_GROUP, false, "") \
  X(AZURE_, LOG_STREAMING_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(AZURE_, LOG_STREAMING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(AZURE_, LOG_STREAMING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(AZURE_, PEER_ACTIVE, SVC_EVENT_GROUP, false, "") \
  X(AZURE_SELF_SERVE_ACCOUNT_, CANCELLED, SVC_EVENT_ORG, false, "") \
  X(AZURE_SELF_SERVE_ACCOUNT_, LINKED, SVC_EVENT_ORG, false, "") \
  X(AZURE_SELF_SERVE_ACCOUNT_, LINK_FAILED, SVC_EVENT_ORG, false, "") \
  X(AZURE_SELF_SERVE_ACCOUNT_, LINK_PENDING, SVC_EVENT_ORG, false, "") \
  X(AZURE_, USAGE_REPORTED, SVC_EVENT_ORG, false, "") \
  X(, AZ_BALANCING_OVERRIDE_MODIFIED, SVC_EVENT_GROUP, false, "") \
  X(, BECAME_LINKED_ORG, SVC_EVENT_ORG, false, "") \
  X(, BECAME_PAYING_ORG, SVC_EVENT_ORG, false, "") \
  X(BILLING_EMAIL_ADDRESS_, ADDED, SVC_EVENT_ORG, false, "") \
  X(BILLING_EMAIL_ADDRESS_, CHANGED, SVC_EVENT_ORG, false, "") \
  X(BILLING_EMAIL_ADDRESS_, REMOVED, SVC_EVENT_ORG, false, "") \
  X(, BRAINTREE_CHARGE_FAILED, SVC_EVENT_ORG, false, "") \
  X(, CASE_CREATED, SVC_EVENT_GROUP, false, "") \
  X(, CHARGE_FAILED, SVC_EVENT_ORG, false, "") \
  X(, CHARGE_PENDING_REVERSAL, SVC_EVENT_ORG, false, "") \
  X(, CHARGE_PROCESSING, SVC_EVENT_ORG, false, "") \
  X(, CHARGE_SUCCEEDED, SVC_EVENT_ORG, false, "") \
  X(, CHARTS_API_FAILURE, SVC_EVENT_GROUP, false, "") \
  X(, CHARTS_API_SUCCESS, SVC_EVENT_GROUP, false, "") \
  X(CHARTS_DASHBOARD_, EXPORTED, SVC_EVENT_GROUP, false, "") \
  X(CHARTS_DASHBOARD_, EXPORT_FAILED, SVC_EVENT_GROUP, false, "") \
  X(CHARTS_DASHBOARD_, IMPORTED, SVC_EVENT_GROUP, false, "") \
  X(CHARTS_DASHBOARD_, IMPORT_FAILED, SVC_EVENT_GROUP, false, "") \
  X(, CHECK_PAYMENT_RECEIVED, SVC_EVENT_ORG, false, "") \
  X(CLOUD_PROVIDER_ACCESS_, AZURE_SERVICE_PRINCIPAL_ADDED, SVC_EVENT_GROUP, false, "") \
  X(CLOUD_PROVIDER_ACCESS_, AZURE_SERVICE_PRINCIPAL_DELETED, SVC_EVENT_GROUP, false, "") \
  X(CLOUD_PROVIDER_ACCESS_, AZURE_SERVICE_PRINCIPAL_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLOUD_PROVIDER_ACCESS_, GCP_SERVICE_ACCOUNT_ADDED, SVC_EVENT_GROUP, false, "") \
  X(CLOUD_PROVIDER_ACCESS_, GCP_SERVICE_ACCOUNT_DELETED, SVC_EVENT_GROUP, false, "") \
  X(CLOUD_PROVIDER_ACCESS_, GCP_SERVICE_ACCOUNT_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, AUTOMATICALLY_PAUSED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, AUTOMATION_CONFIG_PUBLISHED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, AUTO_SHARDING_INITIATED, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_, BINARY_VERSION_DOWNGRADED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, BLOCK_WRITE, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_, CANCELING_CONFIG_SERVER_TRANSITION_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, CANCELING_SHARD_DRAIN_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_, AGGREGATE, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_, CREATE_COLLECTION, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_, FIND_DOCUMENTS, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_, GET_AGGREGATED_VIEW_INFOS, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_, GET_DATABASES, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_, GET_DATABASE_COLLECTIONS, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_, GET_DATABASE_NAMESPACES, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_, GET_NAMESPACES_AND_PROJECT_SQL_SCHEMA_DATA, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_, GET_NAMESPACES_WITH_UUID, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_, SAMPLE_COLLECTION_FIELD_NAMES, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_CONNECTION_, SAMPLE_COLLECTION_FIELD_NAMES_AND_TYPES, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, CREATED_VIA_ANIS, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, DBS_IS_MISSING, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_, DBS_IS_PRESENT, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, DBT_PROCESS_ARGS_UPDATE_SUBMITTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, DB_VERSION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, DELETE_SUBMITTED_INTERNAL, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, FCV_DOWNGRADED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, FCV_EXPIRATION_DATE_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, FORCE_PLANNED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, FORCE_RECONFIG_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, IMPORT_CANCELLED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, IMPORT_COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, IMPORT_CUTOVER, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, IMPORT_EXPIRED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, IMPORT_FAILED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, IMPORT_RESTART_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, IMPORT_STARTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, ADMIN_BACKUP_SNAPSHOT_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, AGENT_API_KEY_ROTATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, CONFIG_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, DISABLED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, ENABLED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, FAMILY_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, REPLACED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, REPLACE_CLEARED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, RESTARTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, RESYNC_CLEARED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, RESYNC_REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_INSTANCE_, SSL_REVOKED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, SSL_ROTATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, SSL_ROTATED_PER_CLUSTER, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, STOP_START, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_INSTANCE_, SWAPPED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, SWAP_CLEARED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, UPDATE_REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_INSTANCE_, VM_REBOOT_CLEARED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_INSTANCE_, VM_RESTART_CLEARED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, IP_MIGRATED_FINAL_ROUND, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, IP_MIGRATED_FIRST_ROUND, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, IP_MIGRATED_SECOND_ROUND, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, IP_ROLLED_BACK, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, LINKED_TO_VERCEL, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, MIGRATE_BACK_TO_AWS_MANAGED_IP_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, MONGUARD_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, MONGUARD_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, OPLOG_RESIZED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, OPTED_OUT_OF_DATA_VALIDATION, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, OPTED_OUT_OF_DB_CHECK, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, OS_FIXED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, OS_UNFIXED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, OS_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, PREFERRED_CPU_ARCHITECTURE_MODIFIED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_REGIONAL_OUTAGE_SIMULATION_, CANCELLED_CLUSTER_PAUSE, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_REGIONAL_OUTAGE_SIMULATION_, COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_REGIONAL_OUTAGE_SIMULATION_, END_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_REGIONAL_OUTAGE_SIMULATION_, FAILED_TO_START, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_REGIONAL_OUTAGE_SIMULATION_, STARTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, RESET_FORCE_RECONFIG_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, RESHARDING_COMPLETED, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_, RESURRECTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, ROLLING_RESYNC_CANCELED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, ROLLING_RESYNC_COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, ROLLING_RESYNC_FAILED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, ROLLING_RESYNC_STARTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, SAMPLED_FOR_DATA_VALIDATION, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, SAMPLED_FOR_DB_CHECK, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, SERVER_PARAMETERS_UPDATE_SUBMITTED, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, UNBLOCK_WRITE, SVC_EVENT_GROUP, true, "") \
  X(CLUSTER_, UNLINKED_FROM_VERCEL, SVC_EVENT_GROUP, false, "") \
  X(CLUSTER_, UPDATE_STARTED_INTERNAL, SVC_EVENT_GROUP, false, "") \
  X(COMPUTE_AUTO_SCALE_, DOWNSCALE_SKIPPED_FALLBACK_ANALYTICS, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_, DOWNSCALE_SKIPPED_FALLBACK_BASE, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_, INITIATED, SVC_EVENT_GROUP, false, "") \
  X(COMPUTE_AUTO_SCALE_, INITIATED_ANALYTICS, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_, INITIATED_BASE, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_, MAX_INSTANCE_SIZE_FAIL_ANALYTICS, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_, MAX_INSTANCE_SIZE_FAIL_BASE, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_, OPLOG_FAIL_ANALYTICS, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_, OPLOG_FAIL_BASE, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_, SCALE_DOWN_FAIL_ANALYTICS, SVC_EVENT_GROUP, true, "") \
  X(COMPUTE_AUTO_SCALE_, SCALE_DOWN_FAIL_BASE, SVC_EVENT_GROUP, true, "") \
  X(CPS_, AUTO_EXPORT_FAILED, SVC_EVENT_GROUP, true, "") \
  X(CPS_COLLECTION_RESTORE_, CANCELED, SVC_EVENT_GROUP, true, "") \
  X(CPS_COLLECTION_RESTORE_, FAILED, SVC_EVENT_GROUP, true, "") \
  X(CPS_COLLECTION_RESTORE_, PARTIAL_SUCCESS, SVC_EVENT_GROUP, true, "") \
  X(CPS_COLLECTION_RESTORE_, SUCCESSFUL, SVC_EVENT_GROUP, true, "") \
  X(CPS_, CONCURRENT_SNAPSHOT_FAILED_WILL_RETRY, SVC_EVENT_GROUP, true, "") \
  X(CPS_, COPY_SNAPSHOT_FAILED, SVC_EVENT_GROUP, true, "") \
  X(CPS_, COPY_SNAPSHOT_FAILED_WILL_RETRY, SVC_EVENT_GROUP, true, "") \
  X(CPS_, COPY_SNAPSHOT_STARTED, SVC_EVENT_GROUP, true, "") \
  X(CPS_, COPY_SNAPSHOT_SUCCESSFUL, SVC_EVENT_GROUP, true, "") \
  X(CPS_DATA_PROTECTION_, APPROVED_FOR_DISABLEMENT, SVC_EVENT_GROUP, true, "") \
  X(CPS_DATA_PROTECTION_, DISABLE_REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(CPS_DATA_PROTECTION_, ENABLE_REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(CPS_DATA_PROTECTION_, UPDATE_REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(CPS_, OPLOG_BEHIND, SVC_EVENT_GROUP, true, "") \
  X(CPS_, OPLOG_BEHIND_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_, OPLOG_CAUGHT_UP, SVC_EVENT_GROUP, true, "") \
  X(CPS_, OPLOG_CAUGHT_UP_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_, PREV_SNAPSHOT_OLD, SVC_EVENT_GROUP, true, "") \
  X(CPS_, RESTORE_AUTH_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_SNAPSHOT_, BEHIND, SVC_EVENT_GROUP, true, "") \
  X(CPS_SNAPSHOT_, COMPLETED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_SNAPSHOT_, DOWNLOAD_REQUEST_FAILED, SVC_EVENT_GROUP, true, "") \
  X(CPS_SNAPSHOT_, FALLBACK_FAILED, SVC_EVENT_GROUP, true, "") \
  X(CPS_SNAPSHOT_, FALLBACK_SUCCESSFUL, SVC_EVENT_GROUP, true, "") \
  X(CPS_SNAPSHOT_, FASTER_RESTORES_FAILED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_SNAPSHOT_, FASTER_RESTORES_START_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_SNAPSHOT_, FASTER_RESTORES_SUCCESS_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CPS_SNAPSHOT_, IN_PROGRESS_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(CREDIT_, AMOUNT_CENTS_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, AMOUNT_REMAINING_CENTS_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, AWS_ACCOUNT_ID_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, AWS_CUSTOMER_ID_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, AWS_LICENSE_ARN_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, AWS_PRODUCT_CODE_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, AZURE_PRIVATE_PLAN_ID_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, AZURE_SUBSCRIPTION_ID_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, CARD_ABOUT_TO_EXPIRE, SVC_EVENT_GROUP, true, "") \
  X(CREDIT_, CARD_ADDED, SVC_EVENT_GROUP, false, "") \
  X(CREDIT_, CARD_CURRENT, SVC_EVENT_GROUP, false, "") \
  X(CREDIT_, CARD_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(CREDIT_, ELASTIC_INVOICING_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, END_DATE_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, GCP_MARKETPLACE_ENTITLEMENT_ID_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, ISSUED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, PULLED_FWD, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, SFOLID_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, START_DATE_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, TOTAL_BILLED_CENTS_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(CREDIT_, TYPE_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(, CROSS_ORG_OPERATION_TICKET_TRACKING, SVC_EVENT_ORG, false, "") \
  X(, CROSS_REGION_SUPPORTED_REGION_MODIFIED, SVC_EVENT_GROUP, false, "") \
  X(, CUSTOMER_X509_CRL_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, DAILY_BILLING_CHANGE_NORMAL, SVC_EVENT_GROUP, false, "") \
  X(, DAILY_BILLING_CHANGE_OVER_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(, DAILY_BILL_OVER_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(, DAILY_BILL_UNDER_THRESHOLD, SVC_EVENT_GROUP, false, "") \
  X(DATADOG_LOG_STREAMING_, CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(DATADOG_LOG_STREAMING_, DISABLED, SVC_EVENT_GROUP, false, "") \
  X(DATADOG_LOG_STREAMING_, ENABLED, SVC_EVENT_GROUP, false, "") \
  X(, DATA_API_SETUP_FOR_VERCEL, SVC_EVENT_GROUP, false, "") \
  X(, DATA_EXPLORER, SVC_EVENT_GROUP, false, "") \
  X(DATA_EXPLORER_, CRUD, SVC_EVENT_GROUP, false, "") \
  X(DATA_EXPLORER_, CRUD_ATTEMPT, SVC_EVENT_GROUP, false, "") \
  X(DATA_EXPLORER_, CRUD_ERROR, SVC_EVENT_GROUP, false, "") \
  X(DATA_EXPLORER_, SESSION_CREATED, SVC_EVENT_GROUP, false, "") \
  X(, DATA_FEDERATION_QUERY_LIMIT_CONFIGURED, SVC_EVENT_GROUP, false, "") \
  X(, DATA_FEDERATION_QUERY_LIMIT_DELETED, SVC_EVENT_GROUP, false, "") \
  X(, DATA_LAKE_QUERY_LOGS_DOWNLOADED, SVC_EVENT_GROUP, false, "") \
  X(, DATA_VALIDATION_SUBMITTED_FOR_CLUSTER, SVC_EVENT_GROUP, false, "") \
  X(, DBSQLD_LOGS_DOWNLOADED, SVC_EVENT_GROUP, false, "") \
  X(, DBTUNE_ALERT, SVC_EVENT_GROUP, true, "") \
  X(, DBTUNE_INFO, SVC_EVENT_GROUP, false, "") \
  X(, DBTUNE_WRITE_BLOCK_POLICY_ELIGIBLE, SVC_EVENT_GROUP, false, "") \
  X(, DBTUNE_WRITE_BLOCK_POLICY_INELIGIBLE, SVC_EVENT_GROUP, false, "") \
  X(, DBT_LOGS_DOWNLOADED, SVC_EVENT_GROUP, false, "") \
  X(, DB_CHECK_DEFERRED_FOR_CLUSTER, SVC_EVENT_GROUP, false, "") \
  X(, DB_CHECK_SCHEDULED_FOR_CLUSTER, SVC_EVENT_GROUP, false, "") \
  X(, DB_CHECK_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, DB_LOGS_DOWNLOADED, SVC_EVENT_GROUP, false, "") \
  X(, DELETE_HOST_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(, DELINQUENT, SVC_EVENT_GROUP, false, "") \
  X(, DEPLOYMENT_FAILURE, SVC_EVENT_GROUP, true, "") \
  X(, DEPLOYMENT_MODEL_CHANGE_FAILURE, SVC_EVENT_GROUP, true, "") \
  X(, DEPLOYMENT_MODEL_CHANGE_SUCCESS, SVC_EVENT_GROUP, true, "") \
  X(, DEVICE_SYNC_DEBUG_ACCESS_GRANTED, SVC_EVENT_GROUP, false, "") \
  X(, DEVICE_SYNC_DEBUG_ACCESS_REVOKED, SVC_EVENT_GROUP, false, "") \
  X(, DEVICE_SYNC_DEBUG_X509_CERT_CREATED, SVC_EVENT_GROUP, false, "") \
  X(, DISCOUNT_APPLIED, SVC_EVENT_ORG, false, "") \
  X(, DISK_AUTO_SCALE_INITIATED, SVC_EVENT_GROUP, true, "") \
  X(, DISK_AUTO_SCALE_MAX_DISK_SIZE_FAIL, SVC_EVENT_GROUP, true, "") \
  X(, DISK_AUTO_SCALE_OPLOG_FAIL, SVC_EVENT_GROUP, true, "") \
  X(, DOMAINS_ASSOCIATED, SVC_EVENT_ORG, false, "") \
  X(, DOMAIN_CREATED, SVC_EVENT_ORG, false, "") \
  X(, DOMAIN_DELETED, SVC_EVENT_ORG, false, "") \
  X(, DOMAIN_VERIFIED, SVC_EVENT_ORG, false, "") \
  X(, ELASTIC_INVOICING_MODE_ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(, ELASTIC_INVOICING_MODE_DEACTIVATED, SVC_EVENT_ORG, false, "") \
  X(, EMPLOYEE_ACCESS_GRANTED, SVC_EVENT_GROUP, false, "") \
  X(, EMPLOYEE_ACCESS_REVOKED, SVC_EVENT_GROUP, false, "") \
  X(, EMPLOYEE_DOWNLOADED_CLUSTER_LOGS, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_, CONFIGURATION_VALIDATION_FAILED, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_, CONFIGURATION_VALIDATION_SUCCEEDED, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_, CONFIG_IS_VALID, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_, CONFIG_NO_LONGER_VALID, SVC_EVENT_GROUP, true, "") \
  X(ENCRYPTION_AT_REST_, KEY_ROTATION_STARTED, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_, KMS_NETWORK_ACCESS_DENIED, SVC_EVENT_GROUP, true, "") \
  X(ENCRYPTION_AT_REST_, KMS_NETWORK_ACCESS_RESTORED, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_, PRIVATE_ENDPOINT_CREATED, SVC_EVENT_GROUP, false, "") \
  X(ENCRYPTION_AT_REST_, PRIVATE_ENDPOINT_DELETED, SVC_EVENT_GROUP, false, "") \
  X(, EVERGREEN_DEAL_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(, EVERGREEN_PRIORITY_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(, EXTRA_MAINTENANCE_DEFERRAL_GRANTED, SVC_EVENT_GROUP, false, "") \
  X(, FEATURE_FLAG_MAINTENANCE, SVC_EVENT_GROUP, false, "") \
  X(FEDERATED_DATABASE_, QUERY_LOGS_DOWNLOADED, SVC_EVENT_GROUP, false, "") \
  X(FEDERATION_SETTINGS_, CREATED, SVC_EVENT_ORG, false, "") \
  X(FEDERATION_SETTINGS_, DELETED, SVC_EVENT_ORG, false, "") \
  X(FEDERATION_SETTINGS_, UPDATED, SVC_EVENT_ORG, false, "") \
  X(, FLEX_UPGRADE_STARTED, SVC_EVENT_GROUP, false, "") \
  X(, FREE_UPGRADE_STARTED, SVC_EVENT_GROUP, false, "") \
  X(, FTDC_SETTINGS_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, FTS_INDEXES_RESTORED, SVC_EVENT_GROUP, false, "") \
  X(, FTS_INDEXES_RESTORE_FAILED, SVC_EVENT_GROUP, true, "") \
  X(, FTS_INDEXES_SYNONYM_MAPPING_INVALID, SVC_EVENT_GROUP, true, "") \
  X(FTS_INDEX_, BUILD_COMPLETE, SVC_EVENT_GROUP, true, "") \
  X(FTS_INDEX_, BUILD_FAILED, SVC_EVENT_GROUP, true, "") \
  X(FTS_INDEX_, CLEANED_UP, SVC_EVENT_GROUP, true, "") \
  X(FTS_INDEX_, CREATED, SVC_EVENT_GROUP, false, "") \
  X(FTS_INDEX_, DELETED, SVC_EVENT_GROUP, false, "") \
  X(FTS_INDEX_, DELETION_FAILED, SVC_EVENT_GROUP, true, "") \
  X(FTS_INDEX_, PARTITIONS_CHANGED, SVC_EVENT_GROUP, false, "") \
  X(FTS_INDEX_, REBUILT, SVC_EVENT_GROUP, false, "") \
  X(FTS_INDEX_, STALE, SVC_EVENT_GROUP, true, "") \
  X(FTS_INDEX_, UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, GCP_BILLING_ACCOUNT_CREDIT_ISSUED, SVC_EVENT_ORG, false, "") \
  X(GCP_ENCRYPTION_KEY_, INVALID, SVC_EVENT_GROUP, true, "") \
  X(GCP_ENCRYPTION_KEY_, NEEDS_ROTATION, SVC_EVENT_GROUP, true, "") \
  X(GCP_ENCRYPTION_KEY_, ROTATED, SVC_EVENT_GROUP, false, "") \
  X(GCP_ENCRYPTION_KEY_, VALID, SVC_EVENT_GROUP, false, "") \
  X(, GCP_LOG_STREAMING_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, GCP_LOG_STREAMING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(, GCP_LOG_STREAMING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(, GCP_PEER_ACTIVE, SVC_EVENT_GROUP, false, "") \
  X(, GCP_PEER_INACTIVE, SVC_EVENT_GROUP, false, "") \
  X(GCP_SELF_SERVE_ACCOUNT_, CANCELLED, SVC_EVENT_ORG, false, "") \
  X(GCP_SELF_SERVE_ACCOUNT_, LINKED, SVC_EVENT_ORG, false, "") \
  X(GCP_SELF_SERVE_ACCOUNT_, LINK_FAILED, SVC_EVENT_ORG, false, "") \
  X(GCP_SELF_SERVE_ACCOUNT_, LINK_PENDING, SVC_EVENT_ORG, false, "") \
  X(, GCP_USAGE_REPORTED, SVC_EVENT_ORG, false, "") \
  X(, GRACE_PERIOD_ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(, GRACE_PERIOD_NO_LONGER_IN_EFFECT, SVC_EVENT_ORG, false, "") \
  X(GROUP_, ACTIVATED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_, AUTOMATION_CONFIG_PUBLISHED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_, CHARTS_ACTIVATED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_, CHARTS_ACTIVATION_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_, CHARTS_RESET, SVC_EVENT_GROUP, false, "") \
  X(GROUP_, CHARTS_UPGRADED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_, FLUSHED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_, LOCKED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_SERVICE_ACCOUNT_SECRETS_, NO_LONGER_EXPIRED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_SERVICE_ACCOUNT_SECRETS_, NO_LONGER_EXPIRING, SVC_EVENT_GROUP, false, "") \
  X(GROUP_, SUSPENDED, SVC_EVENT_GROUP, false, "") \
  X(GROUP_, TEMPORARILY_ACTIVATED, SVC_EVENT_GROUP, false, "") \
  X(HOST_, DBT_APPROACHING_STOP_REPLICATION, SVC_EVENT_GROUP, true, "") \
  X(HOST_, DBT_CRASHING_OOM, SVC_EVENT_GROUP, true, "") \
  X(HOST_, DBT_PAUSE_INITIAL_SYNC, SVC_EVENT_GROUP, true, "") \
  X(HOST_, DBT_RECOVERED_OOM, SVC_EVENT_GROUP, false, "") \
  X(HOST_, DBT_RESTARTED, SVC_EVENT_GROUP, false, "") \
  X(HOST_, DBT_RESUME_REPLICATION, SVC_EVENT_GROUP, false, "") \
  X(HOST_, DBT_STOP_REPLICATION, SVC_EVENT_GROUP, true, "") \
  X(HOST_, DBT_SUFFICIENT_DISK_SPACE, SVC_EVENT_GROUP, false, "") \
  X(HOST_, DBT_UNPAUSE_INITIAL_SYNC, SVC_EVENT_GROUP, false, "") \
  X(HOST_, ENOUGH_DISK_SPACE, SVC_EVENT_GROUP, false, "") \
  X(HOST_, EXPOSED, SVC_EVENT_GROUP, true, "") \
  X(HOST_, EXTERNAL_LOG_SINK_EXPORT_DOWN, SVC_EVENT_GROUP, true, "") \
  X(HOST_, EXTERNAL_LOG_SINK_EXPORT_RESUMED, SVC_EVENT_GROUP, false, "") \
  X(HOST_, HAS_INDEX_SUGGESTIONS, SVC_EVENT_GROUP, true, "") \
  X(HOST_, NOT_ENOUGH_DISK_SPACE, SVC_EVENT_GROUP, true, "") \
  X(HOST_, SEARCH_NODE_INDEX_FAILED, SVC_EVENT_GROUP, true, "") \
  X(HOST_, SEARCH_NODE_UNBLOCKED, SVC_EVENT_GROUP, false, "") \
  X(HOST_, SEARCH_PROCESS_NOT_THROTTLING, SVC_EVENT_GROUP, false, "") \
  X(HOST_, SEARCH_PROCESS_THROTTLING, SVC_EVENT_GROUP, true, "") \
  X(HOST_, SECURITY_CHECKUP_NOT_MET, SVC_EVENT_GROUP, true, "") \
  X(HOST_, SSH_SESSION_ENDED, SVC_EVENT_GROUP, false, "") \
  X(HOST_, SSL_CERTIFICATE_STALE, SVC_EVENT_GROUP, true, "") \
  X(HOST_, VERSION_BEHIND, SVC_EVENT_GROUP, true, "") \
  X(HOST_, X509_CERTIFICATE_CERTIFICATE_GENERATED_FOR_SUPPORT_ACCESS, SVC_EVENT_GROUP, false, "") \
  X(IDENTITY_PROVIDER_, ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(IDENTITY_PROVIDER_, CREATED, SVC_EVENT_ORG, false, "") \
  X(IDENTITY_PROVIDER_, DEACTIVATED, SVC_EVENT_ORG, false, "") \
  X(IDENTITY_PROVIDER_, DELETED, SVC_EVENT_ORG, false, "") \
  X(IDENTITY_PROVIDER_, JWKS_REVOKED, SVC_EVENT_ORG, false, "") \
  X(IDENTITY_PROVIDER_, UPDATED, SVC_EVENT_ORG, false, "") \
  X(, INDEPENDENT_SHARD_AUTO_SCALING_AVAILABLE, SVC_EVENT_GROUP, false, "") \
  X(, INDEPENDENT_SHARD_SCALING_CLUSTER_MIGRATED, SVC_EVENT_GROUP, false, "") \
  X(, INDEPENDENT_SHARD_SCALING_CLUSTER_ROLLED_BACK, SVC_EVENT_GROUP, false, "") \
  X(, INDEX_FAILED_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(, INDEX_SUCCESS_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(INGESTION_PIPELINE_, CREATED, SVC_EVENT_GROUP, false, "") \
  X(INGESTION_PIPELINE_, DELETED, SVC_EVENT_GROUP, false, "") \
  X(INGESTION_PIPELINE_, DESTROYED, SVC_EVENT_GROUP, false, "") \
  X(INGESTION_PIPELINE_, UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, INITIATE_SALESFORCE_SERVICE_CLOUD_SYNC, SVC_EVENT_ORG, false, "") \
  X(, INSIDE_FLEX_METRIC_THRESHOLD, SVC_EVENT_GROUP, false, "") \
  X(, INSIDE_REALM_METRIC_THRESHOLD, SVC_EVENT_GROUP, false, "") \
  X(, INSIDE_SERVERLESS_METRIC_THRESHOLD, SVC_EVENT_GROUP, false, "") \
  X(, INSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD, SVC_EVENT_GROUP, false, "") \
  X(INTERFACE_ENDPOINT_, RETRIED, SVC_EVENT_GROUP, false, "") \
  X(, INTER_NODE_DATA_VALIDATION_SUBMITTED_FOR_REPLICA_SET, SVC_EVENT_GROUP, false, "") \
  X(, INVITED_TO_TEAM, SVC_EVENT_ORG, false, "") \
  X(, INVOICE_ADDRESS_ADDED, SVC_EVENT_ORG, false, "") \
  X(, INVOICE_ADDRESS_CHANGED, SVC_EVENT_ORG, false, "") \
  X(, INVOICE_CLOSED, SVC_EVENT_ORG, false, "") \
  X(, JOIN_GROUP_REQUEST_APPROVED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(, JOIN_GROUP_REQUEST_DENIED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(, KMIP_KEY_ROTATION_SCHEDULED, SVC_EVENT_GROUP, false, "") \
  X(, LEGACY_REBILL_EXECUTED, SVC_EVENT_ORG, false, "") \
  X(, LOG_FORWARDER_FAILURE, SVC_EVENT_GROUP, true, "") \
  X(LOG_STREAMING_, CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(LOG_STREAMING_, DISABLED, SVC_EVENT_GROUP, false, "") \
  X(LOG_STREAMING_, ENABLED, SVC_EVENT_GROUP, false, "") \
  X(LOG_STREAMING_, EXPORT_FAILED_NONRETRYABLE, SVC_EVENT_GROUP, true, "") \
  X(LOG_STREAMING_, EXPORT_FAILED_RETRIES_EXHAUSTED, SVC_EVENT_GROUP, true, "") \
  X(LOG_STREAMING_, EXPORT_RECOVERED, SVC_EVENT_GROUP, false, "") \
  X(LOG_STREAMING_, REPLAY_COMPLETE, SVC_EVENT_GROUP, false, "") \
  X(LOG_STREAMING_, REPLAY_STARTED, SVC_EVENT_GROUP, false, "") \
  X(MAINTENANCE_, WAVE_ASSIGNMENT_ADDED, SVC_EVENT_GROUP, false, "") \
  X(MAINTENANCE_, WAVE_ASSIGNMENT_MODIFIED, SVC_EVENT_GROUP, false, "") \
  X(MAINTENANCE_, WAVE_ASSIGNMENT_REMOVED, SVC_EVENT_GROUP, false, "") \
  X(, MARKETPLACE_REFUND_ISSUED, SVC_EVENT_ORG, false, "") \
  X(, MATERIAL_CLUSTER_UPDATE_COMPLETED_INTERNAL, SVC_EVENT_GROUP, false, "") \
  X(, MAX_PROCESSOR_COUNT_REACHED, SVC_EVENT_GROUP, false, "") \
  X(MLAB_MIGRATION_, COMPLETED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, DATABASE_RENAMED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, DATABASE_USERS_IMPORTED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, DUMP_AND_RESTORE_STARTED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, DUMP_AND_RESTORE_TEST_SKIPPED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, DUMP_AND_RESTORE_TEST_STARTED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, IP_WHITELIST_IMPORTED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, LIVE_IMPORT_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, LIVE_IMPORT_CUTOVER_COMPLETE, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, LIVE_IMPORT_ERROR, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, LIVE_IMPORT_READY_FOR_CUTOVER, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, LIVE_IMPORT_STARTED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, SUPPORT_PLAN_OPTED_OUT, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, SUPPORT_PLAN_SELECTED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, TARGET_CLUSTER_CREATED, SVC_EVENT_ORG, false, "") \
  X(MLAB_MIGRATION_, TARGET_CLUSTER_SET, SVC_EVENT_ORG, false, "") \
  X(, MONITORING_AGENT_OVERRIDES, SVC_EVENT_GROUP, false, "") \
  X(, MONITORING_AGENT_REBALANCE_FLAG, SVC_EVENT_GROUP, false, "") \
  X(, MONITORING_AGENT_REBALANCE_TRIGGERED, SVC_EVENT_GROUP, false, "") \
  X(, MONTHLY_BILLING_CHANGE_NORMAL, SVC_EVENT_GROUP, false, "") \
  X(, MONTHLY_BILLING_CHANGE_OVER_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(, MOVE_SKIPPED, SVC_EVENT_GROUP, false, "") \
  X(, NEW_LINKED_ORG, SVC_EVENT_ORG, false, "") \
  X(, NODE_HIDDEN_BY_ADMIN, SVC_EVENT_GROUP, false, "") \
  X(, NODE_ROLLING_RESYNC_SCHEDULED, SVC_EVENT_GROUP, false, "") \
  X(, NODE_UNHIDDEN_BY_ADMIN, SVC_EVENT_GROUP, false, "") \
  X(, NO_ACTIVE_LEGACY_TLS_CONNECTIONS, SVC_EVENT_GROUP, false, "") \
  X(OAUTH_, AUTHORIZATION_DENIED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_, AUTHORIZATION_GRANTED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_, CLIENT_CREATED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_, CLIENT_DELETED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_, CLIENT_SECRET_CREATED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_, CLIENT_SECRET_DELETED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_, CLIENT_UPDATED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_, TOKEN_ISSUED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_, TOKEN_REVOKED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_, USER_CONSENT_GRANTED, SVC_EVENT_ORG, false, "") \
  X(OAUTH_, USER_CONSENT_REVOKED, SVC_EVENT_ORG, false, "") \
  X(OIDC_IDENTITY_PROVIDER_, DISABLED, SVC_EVENT_ORG, false, "") \
  X(OIDC_IDENTITY_PROVIDER_, ENABLED, SVC_EVENT_ORG, false, "") \
  X(OIDC_IDENTITY_PROVIDER_, UPDATED, SVC_EVENT_ORG, false, "") \
  X(ONLINE_ARCHIVE_, ACTIVE, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, CREATED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, DATA_EXPIRATION_RESOLVED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, DATA_EXPIRATION_RULE_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, DATA_EXPIRATION_RULE_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, DATA_EXPIRATION_RULE_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, DELETED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, DELETE_AFTER_DATE_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, INSUFFICIENT_INDEXES_CHECK, SVC_EVENT_GROUP, true, "") \
  X(ONLINE_ARCHIVE_, INSUFFICIENT_INDEXES_RESOLVED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, MAX_CONSECUTIVE_OFFLOAD_WINDOWS_CHECK, SVC_EVENT_GROUP, true, "") \
  X(ONLINE_ARCHIVE_, ORPHANED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, PAUSED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, PAUSE_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, QUERY_LOGS_DOWNLOADED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, UPDATED, SVC_EVENT_GROUP, false, "") \
  X(ONLINE_ARCHIVE_, UP_TO_DATE, SVC_EVENT_GROUP, false, "") \
  X(, ORGANIZATION_VOYAGE_SETTINGS_CREATED, SVC_EVENT_ORG, false, "") \
  X(, ORGANIZATION_VOYAGE_SETTINGS_DELETED, SVC_EVENT_ORG, false, "") \
  X(ORG_, ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(ORG_, ADMIN_LOCKED, SVC_EVENT_ORG, false, "") \
  X(ORG_, ADMIN_SUSPENDED, SVC_EVENT_ORG, false, "") \
  X(ORG_, BAAS_EOL_EXTENSION_ACCEPTED, SVC_EVENT_ORG, false, "") \
  X(ORG_, BAAS_EOL_EXTENSION_CANCELED, SVC_EVENT_ORG, false, "") \
  X(ORG_, BAAS_EOL_EXTENSION_PENDING, SVC_EVENT_ORG, false, "") \
  X(ORG_, BANK_ACCOUNT_ADDED, SVC_EVENT_ORG, false, "") \
  X(ORG_, BANK_ACCOUNT_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ORG_, CLUSTERS_DELETED, SVC_EVENT_ORG, false, "") \
  X(ORG_, CLUSTERS_PAUSED, SVC_EVENT_ORG, false, "") \
  X(ORG_, CONNECTED_TO_MLAB, SVC_EVENT_ORG, false, "") \
  X(ORG_, CONNECTED_TO_VERCEL, SVC_EVENT_ORG, false, "") \
  X(ORG_, CONNECTION_UNINSTALLED_FROM_VERCEL, SVC_EVENT_ORG, false, "") \
  X(ORG_, CREDIT_CARD_ABOUT_TO_EXPIRE, SVC_EVENT_ORG, false, "") \
  X(ORG_, CREDIT_CARD_ADDED, SVC_EVENT_ORG, false, "") \
  X(ORG_, CREDIT_CARD_CURRENT, SVC_EVENT_ORG, false, "") \
  X(ORG_, CREDIT_CARD_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ORG_, DAILY_BILLING_CHANGE_NORMAL, SVC_EVENT_ORG, false, "") \
  X(ORG_, DAILY_BILLING_CHANGE_OVER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_, DAILY_BILL_OVER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_, DAILY_BILL_UNDER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_, DATA_SHARING_AI_MODELS_DISABLED, SVC_EVENT_ORG, false, "") \
  X(ORG_, DATA_SHARING_AI_MODELS_ENABLED, SVC_EVENT_ORG, false, "") \
  X(ORG_DB_VERSION_EOL_EXTENSION_, ACCEPTED, SVC_EVENT_ORG, false, "") \
  X(ORG_DB_VERSION_EOL_EXTENSION_, CANCELLED, SVC_EVENT_ORG, false, "") \
  X(ORG_DB_VERSION_EOL_EXTENSION_, PENDING, SVC_EVENT_ORG, false, "") \
  X(ORG_, DELEGATION_SETTINGS_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ORG_, DISCONNECTED_FROM_MLAB, SVC_EVENT_ORG, false, "") \
  X(ORG_, DISCONNECTED_TO_VERCEL, SVC_EVENT_ORG, false, "") \
  X(ORG_, EDITED_UI_IP_ACCESS_LIST_ENTRIES, SVC_EVENT_ORG, false, "") \
  X(ORG_, FLEX_CONSULTING_PURCHASED, SVC_EVENT_ORG, false, "") \
  X(ORG_, FLEX_CONSULTING_PURCHASE_FAILED, SVC_EVENT_ORG, false, "") \
  X(ORG_, GROUP_CHARGES_OVER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_, GROUP_CHARGES_UNDER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_, IDP_CERTIFICATE_ABOUT_TO_EXPIRE, SVC_EVENT_ORG, false, "") \
  X(ORG_, IDP_CERTIFICATE_CURRENT, SVC_EVENT_ORG, false, "") \
  X(ORG_, INVOICE_OVER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_, INVOICE_UNDER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_, LIMIT_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ORG_, LINKED_TO_PAYING_ORG, SVC_EVENT_ORG, false, "") \
  X(ORG_, LOCKED_ACCELERATED, SVC_EVENT_ORG, false, "") \
  X(ORG_, MONTHLY_BILLING_CHANGE_NORMAL, SVC_EVENT_ORG, false, "") \
  X(ORG_, MONTHLY_BILLING_CHANGE_OVER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(ORG_, NO_FINANCIAL_PROTECTION, SVC_EVENT_ORG, false, "") \
  X(ORG_, OVERRIDE_PAYMENT_METHOD_ADDED, SVC_EVENT_ORG, false, "") \
  X(ORG_, PAYPAL_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(ORG_, PAYPAL_LINKED, SVC_EVENT_ORG, false, "") \
  X(ORG_, PAYPAL_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ORG_SERVICE_ACCOUNT_SECRETS_, NO_LONGER_EXPIRED, SVC_EVENT_ORG, false, "") \
  X(ORG_SERVICE_ACCOUNT_SECRETS_, NO_LONGER_EXPIRING, SVC_EVENT_ORG, false, "") \
  X(ORG_, SETTINGS_DELETED, SVC_EVENT_ORG, false, "") \
  X(ORG_, SUSPENSION_DATE_CHANGED, SVC_EVENT_ORG, false, "") \
  X(ORG_, TEMPORARILY_ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(ORG_, UI_IP_ACCESS_LIST_DISABLED, SVC_EVENT_ORG, false, "") \
  X(ORG_, UI_IP_ACCESS_LIST_ENABLED, SVC_EVENT_ORG, false, "") \
  X(ORG_, UNDER_FINANCIAL_PROTECTION, SVC_EVENT_ORG, false, "") \
  X(ORG_, UNLINKED_FROM_PAYING_ORG, SVC_EVENT_ORG, false, "") \
  X(ORG_, UNLINK_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(ORG_, UNLINK_REQUESTED, SVC_EVENT_ORG, false, "") \
  X(ORG_, USERS_WITHOUT_MFA, SVC_EVENT_ORG, false, "") \
  X(ORG_, WALLET_ADDED, SVC_EVENT_ORG, false, "") \
  X(ORG_, WALLET_UPDATED, SVC_EVENT_ORG, false, "") \
  X(ORG_, WAVE_ASSIGNMENT_MODE_ENV_TAG_MAPPING, SVC_EVENT_ORG, false, "") \
  X(ORG_, WAVE_ASSIGNMENT_MODE_MANUAL, SVC_EVENT_ORG, false, "") \
  X(ORG_, WEEKLY_BILLING_CHANGE_NORMAL, SVC_EVENT_ORG, false, "") \
  X(ORG_, WEEKLY_BILLING_CHANGE_OVER_THRESHOLD, SVC_EVENT_ORG, false, "") \
  X(, OS_MAINTENANCE, SVC_EVENT_GROUP, false, "") \
  X(, OS_MAINTENANCE_REPLACEMENT, SVC_EVENT_GROUP, false, "") \
  X(, OS_MAINTENANCE_RESTART, SVC_EVENT_GROUP, false, "") \
  X(, OS_TUNE_FILE_OVERRIDES, SVC_EVENT_GROUP, false, "") \
  X(, OTEL_LOG_STREAMING_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, OTEL_LOG_STREAMING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(, OTEL_LOG_STREAMING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(OTEL_METRIC_INTEGRATION_, CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(OTEL_METRIC_INTEGRATION_, DISABLED, SVC_EVENT_GROUP, false, "") \
  X(OTEL_METRIC_INTEGRATION_, ENABLED, SVC_EVENT_GROUP, false, "") \
  X(, OUTSIDE_FLEX_METRIC_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(, OUTSIDE_REALM_METRIC_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(, OUTSIDE_SERVERLESS_METRIC_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(, OUTSIDE_STREAM_PROCESSOR_METRIC_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(, PAID_IN_FULL, SVC_EVENT_GROUP, false, "") \
  X(, PAUSE_HOST_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(, PAYMENT_DUE_DATE_EXTENDED, SVC_EVENT_ORG, false, "") \
  X(, PAYMENT_FORGIVEN, SVC_EVENT_ORG, false, "") \
  X(, PAYMENT_METHOD_FLAGGED, SVC_EVENT_ORG, false, "") \
  X(, PAYMENT_METHOD_UNFLAGGED, SVC_EVENT_ORG, false, "") \
  X(, PAYMENT_UPDATED_THROUGH_API, SVC_EVENT_ORG, false, "") \
  X(PENDING_, DEAL_ACTIVATION_ADDED, SVC_EVENT_ORG, false, "") \
  X(PENDING_, DEAL_ACTIVATION_CANCELED, SVC_EVENT_ORG, false, "") \
  X(PENDING_, DEAL_ACTIVATION_FAILED, SVC_EVENT_ORG, false, "") \
  X(PENDING_, DEAL_APPLIED, SVC_EVENT_ORG, false, "") \
  X(PENDING_, INDEXES_CANCELED, SVC_EVENT_GROUP, false, "") \
  X(PENDING_, INDEXES_DELETED, SVC_EVENT_GROUP, false, "") \
  X(PENDING_, INVOICE_OVER_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(PENDING_, INVOICE_UNDER_THRESHOLD, SVC_EVENT_GROUP, false, "") \
  X(, PLAN_ABANDONED, SVC_EVENT_GROUP, false, "") \
  X(, PLAN_ASAP_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(, PLAN_COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(, PLAN_DECLINED, SVC_EVENT_GROUP, false, "") \
  X(, PLAN_FAILURE_COUNT_RESET, SVC_EVENT_GROUP, false, "") \
  X(, PLAN_STARTED, SVC_EVENT_GROUP, false, "") \
  X(, PREDICTIVE_AUTOSCALING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(, PREDICTIVE_AUTOSCALING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(PREDICTIVE_COMPUTE_AUTO_SCALE_, INITIATED_BASE, SVC_EVENT_GROUP, true, "") \
  X(PREDICTIVE_COMPUTE_AUTO_SCALE_, MAX_INSTANCE_SIZE_FAIL_BASE, SVC_EVENT_GROUP, true, "") \
  X(PREDICTIVE_COMPUTE_AUTO_SCALE_, OPLOG_FAIL_BASE, SVC_EVENT_GROUP, true, "") \
  X(, PREPAID_PLAN_ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(, PREPAID_PLAN_MODIFIED, SVC_EVENT_ORG, false, "") \
  X(PRIVATE_NETWORK_ENDPOINT_ENTRY_, ADDED, SVC_EVENT_GROUP, false, "") \
  X(PRIVATE_NETWORK_ENDPOINT_ENTRY_, REMOVED, SVC_EVENT_GROUP, false, "") \
  X(PRIVATE_NETWORK_ENDPOINT_ENTRY_, UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, PROACTIVE_OPERATION_EVENT_LOGGED, SVC_EVENT_GROUP, false, "") \
  X(, PROCESS_RESTART_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(, PROFILER_CONFIGURED_TOO_WIDELY, SVC_EVENT_GROUP, true, "") \
  X(PROJECT_, BYPASSED_MAINTENANCE, SVC_EVENT_GROUP, false, "") \
  X(PROJECT_, CREATED_VIA_ANIS, SVC_EVENT_ORG, false, "") \
  X(PROJECT_, LIVE_IMPORT_OVERRIDES_ADDED, SVC_EVENT_GROUP, false, "") \
  X(PROJECT_, LIVE_IMPORT_OVERRIDES_DELETED, SVC_EVENT_GROUP, false, "") \
  X(PROJECT_, LIVE_IMPORT_OVERRIDES_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(PROJECT_, SCHEDULED_MAINTENANCE_OUTSIDE_OF_PROTECTED_HOURS, SVC_EVENT_GROUP, false, "") \
  X(, PROMO_CODE_APPLIED, SVC_EVENT_ORG, false, "") \
  X(, PROXY_PANICKED, SVC_EVENT_GROUP, false, "") \
  X(, PROXY_PROTOCOL_FOR_PRIVATE_LINK_MODE_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, PROXY_RESTARTED, SVC_EVENT_GROUP, false, "") \
  X(PUSH_BASED_LOG_EXPORT_, DROPPED_LOG, SVC_EVENT_GROUP, true, "") \
  X(PUSH_BASED_LOG_EXPORT_, RESUMED, SVC_EVENT_GROUP, false, "") \
  X(PUSH_BASED_LOG_EXPORT_, STOPPED, SVC_EVENT_GROUP, true, "") \
  X(QUERY_ENGINE_TENANT_, CREATED, SVC_EVENT_GROUP, false, "") \
  X(QUERY_ENGINE_TENANT_, REMOVED, SVC_EVENT_GROUP, false, "") \
  X(QUERY_ENGINE_TENANT_, UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, QUERY_SAMPLING_STARTED, SVC_EVENT_GROUP, false, "") \
  X(, QUERY_SAMPLING_STOPPED, SVC_EVENT_GROUP, false, "") \
  X(, QUERY_SHAPE_BLOCKED, SVC_EVENT_GROUP, false, "") \
  X(, QUERY_SHAPE_UNBLOCKED, SVC_EVENT_GROUP, false, "") \
  X(QUEUED_ADMIN_ACTION_, CANCELLED, SVC_EVENT_GROUP, false, "") \
  X(QUEUED_ADMIN_ACTION_, COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(QUEUED_ADMIN_ACTION_, CREATED, SVC_EVENT_GROUP, false, "") \
  X(, REFUND_ISSUED, SVC_EVENT_ORG, false, "") \
  X(, RELOAD_SSL_ON_PROCESSES, SVC_EVENT_GROUP, false, "") \
  X(, RELOAD_SSL_ON_PROCESSES_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(, REMOVE_HOST_FROM_REPLICA_SET_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(, REPLICATION_OPLOG_WINDOW_HEALTHY, SVC_EVENT_GROUP, false, "") \
  X(, REPLICATION_OPLOG_WINDOW_RUNNING_OUT, SVC_EVENT_GROUP, true, "") \
  X(, REPLICA_SET_OPTED_OUT_OF_INTER_NODE_DATA_VALIDATION, SVC_EVENT_GROUP, false, "") \
  X(, REPLICA_SET_SAMPLED_FOR_INTER_NODE_DATA_VALIDATION, SVC_EVENT_GROUP, false, "") \
  X(, REQUESTED_TO_JOIN_GROUP, SVC_EVENT_GROUP, false, "") \
  X(, REQUEST_RATE_LIMIT, SVC_EVENT_GROUP, true, "") \
  X(RESOURCE_POLICY_, CREATED, SVC_EVENT_ORG, false, "") \
  X(RESOURCE_POLICY_, DELETED, SVC_EVENT_ORG, false, "") \
  X(RESOURCE_POLICY_, MODIFIED, SVC_EVENT_ORG, false, "") \
  X(RESOURCE_POLICY_, VIOLATED, SVC_EVENT_GROUP | SVC_EVENT_ORG, true, "") \
  X(, RESTRICTED_EMPLOYEE_ACCESS_BYPASS, SVC_EVENT_GROUP, false, "") \
  X(, RESTRICT_ORG_MEMBERSHIP_DISABLED, SVC_EVENT_ORG, false, "") \
  X(, RESTRICT_ORG_MEMBERSHIP_ENABLED, SVC_EVENT_ORG, false, "") \
  X(, REVOKED_EMPLOYEE_ACCESS_BYPASS, SVC_EVENT_GROUP, false, "") \
  X(, ROLE_MAPPING_CREATED, SVC_EVENT_ORG, false, "") \
  X(, ROLE_MAPPING_DELETED, SVC_EVENT_ORG, false, "") \
  X(, ROLE_MAPPING_UPDATED, SVC_EVENT_ORG, false, "") \
  X(, ROLLING_INDEX_FAILED_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(, ROLLING_INDEX_SUCCESS_INDEX_BUILD, SVC_EVENT_GROUP, false, "") \
  X(, S3_LOG_STREAMING_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, S3_LOG_STREAMING_DISABLED, SVC_EVENT_GROUP, false, "") \
  X(, S3_LOG_STREAMING_ENABLED, SVC_EVENT_GROUP, false, "") \
  X(, SAMPLE_DATASET_LOAD_REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(, SANDBOX_CONFIG_DELETED, SVC_EVENT_ORG, false, "") \
  X(, SANDBOX_DISABLED_FOR_ORG, SVC_EVENT_ORG, false, "") \
  X(, SANDBOX_ENABLED_FOR_ORG, SVC_EVENT_ORG, false, "") \
  X(, SANDBOX_TEMPLATE_UPDATED, SVC_EVENT_ORG, false, "") \
  X(, SCHEDULED_MAINTENANCE, SVC_EVENT_GROUP, false, "") \
  X(, SEARCH_HOST_DISABLE_FTS, SVC_EVENT_GROUP, false, "") \
  X(, SEARCH_HOST_PAUSE_ALL_INITIAL_SYNCS, SVC_EVENT_GROUP, false, "") \
  X(, SEARCH_HOST_PAUSE_INITIAL_SYNC_ON_INDEX_IDS, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_, AUTO_SCALING_INITIATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_, CREATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_, DELETED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_, ENDPOINT_SERVICE_LINKED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_, ENDPOINT_SERVICE_UNLINKED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_, ENVOY_INSTANCE_UIS_KEYS_ROTATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_, INSTANCE_REBOOTED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_, INSTANCE_REPLACED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_DEPLOYMENT_, UPDATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_, HORIZONTAL_SCALING_INITIATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_, CREATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_, DELETED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_, DELETE_SUBMITTED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_, READY, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_, UNBLOCKED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_, UPDATE_COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_, UPDATE_STARTED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_INSTANCE_, UPDATE_SUBMITTED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_, MTM_DRAIN_COMPLETED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_, MTM_DRAIN_INITIATED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_, MTM_DRAIN_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_, MTM_DRAIN_STOPPED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_, UPGRADE_STARTED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_, UPGRADE_TO_DEDICATED_FAILED, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_, UPGRADE_TO_DEDICATED_SUCCESSFUL, SVC_EVENT_GROUP, false, "") \
  X(SERVERLESS_, VERTICAL_SCALING_INITIATED, SVC_EVENT_GROUP, false, "") \
  X(SERVICE_ACCOUNT_, UI_IP_ACCESS_LIST_INHERITANCE_DISABLED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "") \
  X(SERVICE_ACCOUNT_, UI_IP_ACCESS_LIST_INHERITANCE_ENABLED, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "") \
  X(, SETUP_SERVERLESS_INITIATED, SVC_EVENT_GROUP, false, "") \
  X(, SET_ENSURE_CLUSTER_CONNECTIVITY_AFTER_FOR_CLUSTER, SVC_EVENT_GROUP, false, "") \
  X(SHADOW_CLUSTER_, CREATE_EXPOSURE, SVC_EVENT_GROUP, false, "") \
  X(SHADOW_CLUSTER_, DELETE_EXPOSURE, SVC_EVENT_GROUP, false, "") \
  X(SHADOW_CLUSTER_, ORG_OPT_IN, SVC_EVENT_ORG, false, "") \
  X(SHADOW_CLUSTER_, ORG_OPT_OUT, SVC_EVENT_ORG, false, "") \
  X(SHADOW_CLUSTER_, RECORDING_STATUS_UPDATE, SVC_EVENT_GROUP, false, "") \
  X(SHADOW_CLUSTER_, REPLAY_STATUS_UPDATE, SVC_EVENT_GROUP, false, "") \
  X(, SHARD_KEY_ANALYSIS_FINISHED, SVC_EVENT_GROUP, false, "") \
  X(, SHARD_KEY_ANALYSIS_STARTED, SVC_EVENT_GROUP, false, "") \
  X(SPLUNK_LOG_STREAMING_, CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(SPLUNK_LOG_STREAMING_, DISABLED, SVC_EVENT_GROUP, false, "") \
  X(SPLUNK_LOG_STREAMING_, ENABLED, SVC_EVENT_GROUP, false, "") \
  X(SSH_KEY_SVC_HOST_ACCESS_, ATTEMPT, SVC_EVENT_GROUP, false, "") \
  X(SSH_KEY_SVC_HOST_ACCESS_, GRANTED, SVC_EVENT_GROUP, false, "") \
  X(SSH_KEY_SVC_HOST_ACCESS_, LEVEL_CHANGED, SVC_EVENT_GROUP, false, "") \
  X(SSH_KEY_SVC_HOST_ACCESS_, REFRESHED, SVC_EVENT_GROUP, true, "") \
  X(SSH_KEY_SVC_HOST_ACCESS_, REQUESTED, SVC_EVENT_GROUP, true, "") \
  X(, SSL_CERTIFICATE_ISSUED, SVC_EVENT_GROUP, false, "") \
  X(, STEP_SKIPPED, SVC_EVENT_GROUP, false, "") \
  X(, STREAMS_AUDIT_LOG_CONFIGURATION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_PROCESSOR_, AUTOSCALE_INITIATED, SVC_EVENT_GROUP, true, "") \
  X(STREAM_TENANT_, AUDIT_LOGS, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_, AUDIT_LOGS_DELETED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_, CONNECTIONS_LISTED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_, CONNECTION_CREATED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_, CONNECTION_DELETED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_, CONNECTION_UPDATED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_, CONNECTION_VIEWED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_, CREATED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_, DELETED, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_, OPERATIONAL_LOGS, SVC_EVENT_GROUP, false, "") \
  X(STREAM_TENANT_, UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, SUCCESSFUL_DEPLOY, SVC_EVENT_GROUP, true, "") \
  X(, SUPPORT_EMAILS_SENT_FAILURE, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "") \
  X(, SUPPORT_EMAILS_SENT_SUCCESSFULLY, SVC_EVENT_GROUP | SVC_EVENT_ORG, false, "") \
  X(, SUPPORT_PLAN_ACTIVATED, SVC_EVENT_ORG, false, "") \
  X(, SUPPORT_PLAN_CANCELLATION_SCHEDULED, SVC_EVENT_ORG, false, "") \
  X(, SUPPORT_PLAN_CANCELLED, SVC_EVENT_ORG, false, "") \
  X(SVC_MAINTENANCE_, DEFERRED_BY_ADMIN, SVC_EVENT_GROUP, false, "") \
  X(SVC_MAINTENANCE_, FLEET_ACTIVE_WAVE_CLOSED_BY_ADMIN, SVC_EVENT_ORG, false, "") \
  X(SVC_MAINTENANCE_, RESET_BY_ADMIN, SVC_EVENT_GROUP, false, "") \
  X(SVC_MAINTENANCE_, SCHEDULED_FOR_NEXT_WINDOW, SVC_EVENT_GROUP, false, "") \
  X(, SVC_SET_CHEF_TARBALL_URI, SVC_EVENT_GROUP, false, "") \
  X(, SVC_SET_IMAGE_OVERRIDES, SVC_EVENT_GROUP, false, "") \
  X(SVC_SQL_SCHEDULED_UPDATE_, CREATED, SVC_EVENT_GROUP, false, "") \
  X(SVC_SQL_SCHEDULED_UPDATE_, MODIFIED, SVC_EVENT_GROUP, false, "") \
  X(SVC_SQL_SCHEDULED_UPDATE_, REMOVED, SVC_EVENT_GROUP, false, "") \
  X(SVC_X509_USER_AUTHENTICATION_, CUSTOMER_CA_EXPIRATION_CHECK, SVC_EVENT_GROUP, true, "") \
  X(SVC_X509_USER_AUTHENTICATION_, CUSTOMER_CA_EXPIRATION_RESOLVED, SVC_EVENT_GROUP, false, "") \
  X(SVC_X509_USER_AUTHENTICATION_, CUSTOMER_CRL_EXPIRATION_CHECK, SVC_EVENT_GROUP, true, "") \
  X(SVC_X509_USER_AUTHENTICATION_, CUSTOMER_CRL_EXPIRATION_RESOLVED, SVC_EVENT_GROUP, false, "") \
  X(SVC_X509_USER_AUTHENTICATION_, MANAGED_USER_CERTS_EXPIRATION_CHECK, SVC_EVENT_GROUP, true, "") \
  X(SVC_X509_USER_AUTHENTICATION_, MANAGED_USER_CERTS_EXPIRATION_RESOLVED, SVC_EVENT_GROUP, false, "") \
  X(, SYNC_FAILURE, SVC_EVENT_GROUP, true, "") \
  X(, TARGETED_REBILL_EXECUTED, SVC_EVENT_ORG, false, "") \
  X(, TEAM_UPDATED, SVC_EVENT_ORG, false, "") \
  X(TENANT_ENDPOINT_, AVAILABLE, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_, CREATED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_, DELETED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_, DELETING, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_, EXPIRED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_, FAILED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_, INITIATING, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_, RESERVATION_FAILED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_, RESERVED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_, SERVICE_AVAILABLE, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_, SERVICE_CREATED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_, SERVICE_DELETED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_SERVICE_DEPLOYMENT_, CREATED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_SERVICE_DEPLOYMENT_, DELETED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_SERVICE_DEPLOYMENT_, DELETE_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_SERVICE_DEPLOYMENT_, NUM_DESIRED_ENDPOINT_SERVICES_INCREASED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_ENDPOINT_, UPDATED, SVC_EVENT_GROUP, false, "") \
  X(, TENANT_RESTORE_FAILED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_SNAPSHOT_, COMPLETED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(TENANT_SNAPSHOT_, DELETED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(TENANT_SNAPSHOT_, DOWNLOAD_REQUESTED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(TENANT_SNAPSHOT_, FAILED, SVC_EVENT_GROUP, false, "") \
  X(TENANT_SNAPSHOT_, STARTED_AUDIT, SVC_EVENT_GROUP, false, "") \
  X(, TENANT_UPGRADE_TO_SERVERLESS_FAILED, SVC_EVENT_GROUP, true, "") \
  X(, TENANT_UPGRADE_TO_SERVERLESS_SUCCESSFUL, SVC_EVENT_GROUP, true, "") \
  X(, TERMINATE_PAID_SERVICES, SVC_EVENT_ORG, false, "") \
  X(, TEST_FAILOVER_REQUESTED, SVC_EVENT_GROUP, false, "") \
  X(, TOO_FEW_HEALTHY_MEMBERS, SVC_EVENT_GROUP, true, "") \
  X(, TOO_MANY_ELECTIONS, SVC_EVENT_GROUP, true, "") \
  X(, TOO_MANY_UNHEALTHY_MEMBERS, SVC_EVENT_GROUP, true, "") \
  X(, TRIGGER_AUTO_RESUMED, SVC_EVENT_GROUP, true, "") \
  X(, TRIGGER_FAILURE, SVC_EVENT_GROUP, true, "") \
  X(, UIS_PANICKED, SVC_EVENT_GROUP, false, "") \
  X(, UNLINKED_ORG, SVC_EVENT_ORG, false, "") \
  X(, URL_CONFIRMATION, SVC_EVENT_GROUP, true, "") \
  X(, USERS_WITHOUT_MULTI_FACTOR_AUTH, SVC_EVENT_GROUP, true, "") \
  X(VERCEL_INVOICE_, CREATED, SVC_EVENT_ORG, false, "") \
  X(VERCEL_INVOICE_, NOT_PAID, SVC_EVENT_ORG, false, "") \
  X(VERCEL_INVOICE_, OVERDUE, SVC_EVENT_ORG, false, "") \
  X(VERCEL_INVOICE_, PAID, SVC_EVENT_ORG, false, "") \
  X(VERCEL_INVOICE_, REFUNDED, SVC_EVENT_ORG, false, "") \
  X(VERCEL_SELF_SERVE_ACCOUNT_, CANCELLED, SVC_EVENT_ORG, false, "") \
  X(VERCEL_SELF_SERVE_ACCOUNT_, LINKED, SVC_EVENT_ORG, false, "") \
  X(VERCEL_SELF_SERVE_ACCOUNT_, LINK_FAILED, SVC_EVENT_ORG, false, "") \
  X(VERCEL_SELF_SERVE_ACCOUNT_, LINK_PENDING, SVC_EVENT_ORG, false, "") \
  X(, VERCEL_USAGE_REPORTED, SVC_EVENT_ORG, false, "") \
  X(, VERSION_BEHIND, SVC_EVENT_GROUP, true, "") \
  X(, VOLUME_IMPAIRED, SVC_EVENT_GROUP, false, "") \
  X(, VOLUME_IMPAIRED_RESOLVED, SVC_EVENT_GROUP, false, "") \
  X(, WEBHOOK_TEMPLATE_RENDER_FAILED, SVC_EVENT_GROUP, true, "") \
  X(, WEEKLY_BILLING_CHANGE_NORMAL, SVC_EVENT_GROUP, false, "") \
  X(, WEEKLY_BILLING_CHANGE_OVER_THRESHOLD, SVC_EVENT_GROUP, true, "") \
  X(, WIRE_TRANSFER_PAYMENT_RECEIVED, SVC_EVENT_ORG, false, "") \
  SVC_NOUN_EVENT_LIST(X)

#define SVC_EVENT_TYPE_ONE(prefix, rest, where, alertable, description) + 1
enum { SVC_EVENT_TYPE_COUNT = 0 SVC_EVENT_TYPE_LIST(SVC_EVENT_TYPE_ONE) };

#endif /* SVC_EVENT_TYPE_LIST_H */

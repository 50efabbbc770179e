/*
** The errors of the nouns: each code with its HTTP status and its sentence. pipeline/error_list.h has the rules for both
** lists, and the codes that the pipeline itself uses. A new code that only one noun uses is better defined in that noun's
** file, by SVC_ERROR(); some older codes of a single noun are still here.
*/
#ifndef SVC_CATALOG_ERROR_LIST_H
#define SVC_CATALOG_ERROR_LIST_H

#include "catalog/noun_error_list.h"
#include "pipeline/error_list.h"

/* X(code, HTTP status, sentence, parameters in order, separated by commas; "" for none) */
#define SVC_CATALOG_ERROR_LIST(X) \
  /* ---- Request shape */ \
  X(MISSING_ONE_OF_ATTRIBUTES, 400, "One of these fields is required: {0}.", "attributes") \
  X(MISSING_OR_INVALID_ATTRIBUTE, 400, "The field {0} is missing or not valid.", "attribute") \
  X(MUTUALLY_EXCLUSIVE_QUERY_PARAMETERS, 400, \
    "The query parameters {0} and {1} cannot be used together.", "name,otherName") \
  X(START_DATE_AFTER_END_DATE, 400, "The start date {0} is later than the end date {1}.", "startDate,endDate") \
  /* ---- Who may */ \
  X(FEATURE_UNSUPPORTED, 403, "The feature {0} is not supported.", "feature") \
  X(RESOURCE_POLICIES_VIOLATION_NOT_AUTHORIZED, 403, \
    "The resource policy {0} of the organization forbids this.", "policyName") \
  X(API_KEY_CANNOT_CREATE_ORG, 403, "An API key cannot create an organization.", "") \
  /* ---- Access lists of callers */ \
  X(EMPLOYEE_ACCESS_RESTRICTED, 403, "The organization {0} does not allow vendor access.", "orgId") \
  X(GEN_AI_FEATURES_DISABLED, 403, "{0} cannot be turned on: the organization {1} has turned generative features off.", \
    "attribute,orgId") \
  /* ---- Billing */ \
  X(NO_PAYMENT_INFORMATION_FOUND, 402, "No payment method is on file for {0}. Please add one first.", "orgId") \
  X(ACCOUNT_SUSPENDED, 402, "The account of organization {0} is suspended because of a failed payment.", "orgId") \
  X(CANNOT_START_BACKUP_NO_BILLING_INFO, 402, \
    "Backup of project {0} cannot start before a payment method is on file.", "groupId") \
  X(CANNOT_DELETE_ORG_FAILED_PAYMENTS, 402, \
    "Organization {0} has failed payments and cannot be deleted before they are settled.", "orgId") \
  X(FAILED_TO_DELETE_ORG_CHARGE_FAILED, 402, \
    "Organization {0} was not deleted: its last charge did not go through.", "orgId") \
  X(INVOICE_NOT_FOUND, 404, "No invoice with id {0} exists in organization {1}.", "invoiceId,orgId") \
  X(INVALID_INVOICE_ID, 400, "{0} is not the id of an invoice.", "invoiceId") \
  /* ---- Organizations */ \
  X(INVALID_ORG_NAME, 400, "{0} cannot be the name of an organization.", "name") \
  X(MAX_ORGS_PER_USER_EXCEEDED, 400, \
    "A user can belong to {0} organizations at most; {1} has reached that number.", "limit,username") \
  X(ORG_NOT_FOUND, 404, "No organization with id {0} exists.", "orgId") \
  X(INVALID_ORG_ID, 404, "{0} is not the id of an organization.", "orgId") \
  X(USER_NOT_IN_ORG, 404, "User {0} is not in organization {1}.", "userId,orgId") \
  X(ORG_NOT_EMPTY, 409, "Organization {0} still has projects. Delete or move them first.", "orgId") \
  X(CANNOT_DELETE_ORG_ACTIVE_LIVE_MIGRATION_ORG_LINK, 409, \
    "Organization {0} is linked for live migration. Remove the link first.", "orgId") \
  X(CANNOT_DEMOTE_LAST_ORG_OWNER, 403, "Organization {0} must keep at least one owner.", "orgId") \
  /* ---- Projects */ \
  X(INVALID_GROUP_NAME, 400, "{0} cannot be the name of a project.", "name") \
  X(MAX_GROUPS_PER_ORG_EXCEEDED, 400, \
    "An organization can have {0} projects at most; {1} has reached that number.", "limit,orgId") \
  X(API_KEY_CREATED_GROUPS_MUST_HAVE_ORG, 400, \
    "A project needs an organization: set orgId.", "") \
  X(GROUP_NOT_FOUND, 404, "No group with ID {0} exists.", "groupId") \
  X(INVALID_GROUP_ID, 404, "{0} is not the id of a project.", "groupId") \
  X(GROUP_ALREADY_EXISTS, 409, "A project named {0} already exists in organization {1}.", "name,orgId") \
  X(CANNOT_CLOSE_GROUP_ACTIVE_CLUSTERS, 409, "Project {0} still has clusters. Delete them first.", "groupId") \
  X(CANNOT_CLOSE_GROUP_ACTIVE_BACKUP, 409, "Project {0} still has an active backup. End it first.", "groupId") \
  X(CANNOT_CLOSE_GROUP_ACTIVE_BACKUP_COMPLIANCE_POLICY, 409, \
    "Project {0} has a backup compliance policy and cannot be deleted while it is in force.", "groupId") \
  X(CANNOT_CLOSE_GROUP_ACTIVE_PEERING_CONNECTIONS, 409, \
    "Project {0} still has network peering connections. Delete them first.", "groupId") \
  X(CANNOT_CLOSE_GROUP_ACTIVE_PRIVATE_ENDPOINT_SERVICES, 409, \
    "Project {0} still has private endpoint services. Delete them first.", "groupId") \
  X(CANNOT_CLOSE_GROUP_ACTIVE_DATA_LAKES, 409, \
    "Project {0} still has federated database instances. Delete them first.", "groupId") \
  X(CANNOT_CLOSE_GROUP_ACTIVE_STREAMS_RESOURCE, 409, \
    "Project {0} still has stream processing resources. Delete them first.", "groupId") \
  /* ---- Clusters */ \
  /* DUPLICATE_CLUSTER_NAME: also documented as 400; here every violation of uniqueness is 409. */ \
  X(DUPLICATE_MANAGED_NAMESPACE, 409, "The namespace {0} is already managed.", "namespace") \
  X(DUPLICATE_CLUSTER_NAME, 409, "A cluster named {0} already exists in group {1}.", "name,groupId") \
  X(CLUSTERS_LIMIT_EXCEEDED, 403, "Project {1} has reached its limit of {0} clusters.", "limit,groupId") \
  X(DUPLICATE_CLUSTER_NAME_PREFIX, 400, \
    "The name {0} shares its prefix with another cluster in group {1}.", "name,groupId") \
  X(ASYMMETRIC_SHARD_UNSUPPORTED, 400, \
    "Asymmetric sharded cluster is not supported by the current API version. Please use the latest API instead.", "") \
  X(CLUSTER_NAME_INVALID, 400, \
    "{0} cannot be the name of a cluster. Use letters, digits and hyphens, beginning with a letter or digit.", "name") \
  X(CLUSTER_NAME_TOO_LONG, 400, "The cluster name {0} is too long; {1} characters are allowed.", "name,limit") \
  X(CLUSTER_CANNOT_CHANGE_NAME, 400, "The name of cluster {0} cannot be changed.", "name") \
  X(CLUSTER_ALREADY_REQUESTED_DELETION, 400, "Cluster {0} in group {1} is already being deleted.", "name,groupId") \
  X(CANNOT_CREATE_PAUSED_CLUSTER, 400, "A cluster cannot be created paused. Create it, then pause it.", "") \
  X(CANNOT_PAUSE_RECENTLY_RESUMED_CLUSTER, 400, \
    "Cluster {0} was resumed a short while ago and cannot be paused until {1} minutes have passed since then.", \
    "name,minutes") \
  X(CANNOT_TERMINATE_CLUSTER_WHEN_TERMINATION_PROTECTION_ENABLED, 400, \
    "Cluster {0} is protected from termination. Set terminationProtectionEnabled to false first.", "name") \
  X(CANNOT_USE_FLEX_CLUSTER_IN_CLUSTER_API, 400, \
    "{0} is a flex cluster. Please use the flexClusters resource for it.", "name") \
  X(CANNOT_USE_NON_FLEX_CLUSTER_IN_FLEX_API, 400, \
    "{0} is not a flex cluster. Please use the clusters resource for it.", "name") \
  X(INVALID_CLUSTER_CONFIGURATION, 400, "The configuration of the cluster is not valid: see {0}.", "attribute") \
  X(REPLICATION_SPECS_INVALID, 400, "The replication specifications are not valid: see {0}.", "attribute") \
  X(CLUSTER_DISK_SIZE_INVALID, 400, "The disk size in {0} is not available for this instance size.", "attribute") \
  X(CLUSTER_NUM_SHARDS_INVALID, 400, "The number of shards in {0} is not valid for this cluster.", "attribute") \
  X(INVALID_REGION, 400, "{0} is not a region of this provider.", "region") \
  X(INVALID_PROVIDER, 400, "{0} is not a cloud provider that can be used here.", "provider") \
  X(DUPLICATE_ZONE_NAME, 400, "The zone name {0} is used more than once.", "zoneName") \
  X(SHARDED_CLUSTER_CANT_BECOME_REPLICA_SET, 400, "Cluster {0} is sharded and cannot become a replica set.", "name") \
  X(CLUSTER_VERSION_DEPRECATED, 400, "The database version {0} is deprecated.", "version") \
  X(GENERAL_ERROR, 400, "Reason: {0}.", "reason") \
  X(DB_VERSION_INVALID, 400, "{0} is not a database version that can be used here.", "version") \
  X(CANNOT_CREATE_FREE_CLUSTER_VIA_PUBLIC_API, 400, \
    "Project {0} already has a free cluster (M0), and cannot have another.", "groupId") \
  X(TENANT_CLUSTER_UPDATE_UNSUPPORTED, 400, \
    "Cluster {0} is on a shared tier and cannot be changed in this way.", "name") \
  X(TENANT_ATTRIBUTE_READ_ONLY, 400, "The field {0} is read-only for clusters on a shared tier.", "attribute") \
  X(CLUSTER_RESTART_IN_PROGRESS, 400, "Cluster {0} is being restarted. Please wait until it finishes.", "name") \
  /* The next three are this library's own: the codes of comparable services are unknown. */ \
  X(ROLLING_INDEX_BUILD_IN_PROGRESS, 409, \
    "A rolling index build of cluster {0} is in progress. Please wait until it finishes.", "name") \
  X(OUTAGE_SIMULATION_ALREADY_EXISTS, 409, "An outage of cluster {0} is already being simulated.", "name") \
  X(OUTAGE_SIMULATION_NOT_FOUND, 404, "No outage of cluster {0} is being simulated.", "name") \
  X(CLUSTER_RESTORE_IN_PROGRESS_CANNOT_UPDATE, 400, \
    "Cluster {0} is being restored and cannot be changed until it finishes.", "name") \
  X(COMPUTE_AUTO_SCALING_MAX_INSTANCE_SIZE_REQUIRED, 400, \
    "Compute auto-scaling needs a maximum instance size in {0}.", "attribute") \
  X(CLUSTER_NOT_FOUND, 404, "No cluster named {0} exists in group {1}.", "name,groupId") \
  X(CLUSTER_ALREADY_PAUSED, 409, "Cluster {0} is already paused.", "name") \
  X(CANNOT_UPDATE_PAUSED_CLUSTER, 409, "Cluster {0} is paused. Resume it before you change it.", "name") \
  X(CANNOT_UPDATE_AND_PAUSE_CLUSTER, 409, \
    "Pausing cluster {0} must be a request of its own, without other changes.", "name") \
  X(CANNOT_PAUSE_CLUSTER_WITH_PENDING_CHANGES, 409, \
    "Cluster {0} has changes in progress and cannot be paused until they finish.", "name") \
  X(CANNOT_MODIFY_CLUSTER_WITH_RUNNING_LIVE_IMPORT, 409, \
    "A live import into cluster {0} is running. The cluster cannot be changed until it ends.", "name") \
  X(CLUSTER_RESTORE_IN_PROGRESS, 409, "Cluster {0} is being restored. Please wait until it finishes.", "name") \
  /* Documented as 500, although the request is at fault. */ \
  X(CANNOT_DECREASE_DISK_SIZE, 500, "The disks of cluster {0} cannot be made smaller.", "name") \
  /* ---- Database users and custom roles */ \
  X(INVALID_USERNAME, 400, "{0} cannot be a user name.", "username") \
  X(INVALID_ROLE, 400, "The role {0} does not exist.", "roleName") \
  X(INVALID_ROLE_DATABASE, 400, "The role {0} cannot be granted on database {1}.", "roleName,databaseName") \
  X(DUPLICATE_DATABASE_ROLES, 400, "The role {0} on database {1} is given more than once.", "roleName,databaseName") \
  X(WEAK_PASSWORD, 400, "The password is too weak. Please choose a longer or less regular one.", "") \
  X(COMMON_PASSWORD, 400, "The password is too common. Please choose one that is hard to guess.", "") \
  X(MISSING_PASSWORD, 400, "User {0} needs a password.", "username") \
  /* The request's body names the cluster of a scope, hence 400 and not 404. */ \
  X(SCOPE_CLUSTER_NOT_FOUND, 400, "The scope names {0}, and project {1} has no resource of that name and type.", "name,groupId") \
  X(EXPIRATION_DATE_IN_PAST, 400, "The expiration date in {0} is in the past.", "attribute") \
  X(CUSTOM_ROLE_INVALID_NAME, 400, "{0} cannot be the name of a custom role.", "roleName") \
  X(INVALID_CUSTOM_ROLE_CIRCULAR_DEPENDENCY, 400, "The custom role {0} would inherit from itself.", "roleName") \
  X(GROUP_USERS_LIMIT_EXCEEDED, 403, \
    "A project can have {0} database users at most; {1} has reached that number.", "limit,groupId") \
  X(CUSTOM_ROLES_LIMIT_EXCEEDED, 403, \
    "A project can have {0} custom roles at most; {1} has reached that number.", "limit,groupId") \
  X(USER_NOT_FOUND, 404, "No user {0} exists here.", "userId") \
  X(USERNAME_NOT_FOUND, 404, "No user with the name {0} exists here.", "username") \
  X(CUSTOM_ROLE_NOT_FOUND, 404, "No custom role named {0} exists in group {1}.", "roleName,groupId") \
  X(USER_ALREADY_EXISTS, 409, "A user {0} already exists here.", "username") \
  X(DATABASE_USERNAME_CANNOT_BE_CHANGED, 400, "The field username of database user {0} cannot be changed.", "username") \
  X(DATABASE_NAME_CANNOT_BE_CHANGED, 400, "The field databaseName of database user {0} cannot be changed.", "username") \
  X(AUTH_TYPE_CANNOT_BE_CHANGED, 400, \
    "The way in which database user {0} authenticates cannot be changed: awsIAMType, ldapAuthType, oidcAuthType and x509Type.", "username") \
  X(CUSTOM_ROLE_NAME_ALREADY_EXISTS, 409, \
    "A custom role named {0} already exists in group {1}.", "roleName,groupId") \
  X(CUSTOM_ROLE_IN_USE_BY_USERS, 409, \
    "The custom role {0} is still granted to database users of project {1}.", "roleName,groupId") \
  X(CUSTOM_ROLE_IN_USE_BY_ROLES, 409, "Other custom roles of project {1} still inherit from {0}.", "roleName,groupId") \
  /* ---- Keys, teams, users */ \
  /* API_KEY_NOT_FOUND: documented as 400; here every missing resource is 404. */ \
  X(API_KEY_NOT_FOUND, 404, "No API key with id {0} exists in {1}.", "apiUserId,parentId") \
  X(API_KEY_REQUIRES_DESCRIPTION, 400, "An API key needs a description.", "") \
  X(MISSING_API_KEY_ROLES, 400, "An API key needs at least one role.", "") \
  X(INVALID_ROLE_FOR_ORG, 400, "The role {0} cannot be held in an organization.", "roleName") \
  X(INVALID_ROLE_FOR_GROUP, 400, "The role {0} cannot be held in a project.", "roleName") \
  X(ROLE_NEEDS_ORG_ID, 400, "The role {0} needs an orgId.", "roleName") \
  X(ROLE_NEEDS_GROUP_ID, 400, "The role {0} needs a groupId.", "roleName") \
  X(MAX_API_KEYS_PER_ORG_EXCEEDED, 400, \
    "An organization can have {0} API keys at most; {1} has reached that number.", "limit,orgId") \
  X(CANNOT_CREATE_EMPTY_TEAM, 400, "A team needs at least one user.", "") \
  X(INVALID_TEAM_NAME, 400, "{0} cannot be the name of a team.", "name") \
  X(MAX_TEAMS_PER_ORG_EXCEEDED, 400, \
    "An organization can have {0} teams at most; {1} has reached that number.", "limit,orgId") \
  X(MAX_USERS_PER_TEAM_EXCEEDED, 400, \
    "A team can have {0} users at most; {1} has reached that number.", "limit,teamId") \
  X(INVALID_INVITATION_ID, 400, "{0} is not the id of an invitation.", "invitationId") \
  X(INVALID_EMAIL_ADDRESS, 400, "{0} is not an email address.", "email") \
  X(TEAM_NOT_FOUND, 404, "No team with id {0} exists in {1}.", "teamId,parentId") \
  X(TEAM_NAME_NOT_FOUND, 404, "No team named {0} exists in organization {1}.", "name,orgId") \
  X(TEAM_NOT_IN_ORG, 404, "Team {0} is not in organization {1}.", "teamId,orgId") \
  X(TEAM_NOT_IN_GROUP, 404, "Team {0} is not assigned to project {1}.", "teamId,groupId") \
  /* Documented as 404, although it is a conflict. */ \
  X(CANNOT_DELETE_TEAM_ASSIGNED_TO_PROJECT, 404, \
    "Team {0} is assigned to a project. Remove it from all projects first.", "teamId") \
  X(NOT_IN_GROUP, 404, "User {0} is not in group {1}.", "userId,groupId") \
  X(TEAM_NAME_NOT_AVAILABLE, 409, "A team named {0} already exists in organization {1}.", "name,orgId") \
  X(TEAM_EXISTS_IN_GROUP, 409, "Team {0} is already assigned to project {1}.", "teamId,groupId") \
  X(USER_ALREADY_IN_TEAM, 409, "User {0} is already in team {1}.", "userId,teamId") \
  X(CANNOT_REMOVE_ALL_USER_ROLES, 403, \
    "User {0} must keep at least one role. To revoke all roles, remove the user.", "userId") \
  X(NO_ROLES_IN_ASSIGNMENT, 403, "The assignment names no roles.", "") \
  /* This library's own, because it is unknown how comparable services refuse a credential that would make itself useless. */ \
  X(CANNOT_REMOVE_CALLING_CREDENTIAL, 403, \
    "You are calling with {0}, and this would leave it without use. Please do it with another credential.", "credential") \
  /* ---- Network */ \
  X(INVALID_IP_ADDRESS_OR_CIDR_NOTATION, 400, "{0} is neither an IP address nor a block in CIDR notation.", "value") \
  X(INVALID_CIDR_BLOCK, 400, "{0} is not a block in CIDR notation.", "cidrBlock") \
  X(INVALID_CIDR_RANGE, 400, "The block {0} is outside the range that can be used here.", "cidrBlock") \
  X(NON_CANONICAL_CIDR_BLOCK, 400, \
    "The block {0} has bits set after its prefix. Write it as {1}.", "cidrBlock,canonical") \
  X(DUPLICATE_ADDRESSES_IN_INPUT, 400, "The address {0} is given more than once.", "value") \
  X(MULTIPLE_VALUES_SPECIFIED_FOR_ONE_NETWORK_PERMISSION_ENTRY, 400, \
    "An entry takes only one of cidrBlock, ipAddress and awsSecurityGroup.", "") \
  X(CANNOT_REMOVE_CALLER_FROM_ACCESS_LIST, 400, \
    "This change would block {0}, the address that you are calling from.", "callerIp") \
  X(CANNOT_ASSUME_ROLE, 400, "The service cannot assume the role {0}. Please check its trust policy.", "roleId") \
  /* The next two are this library's own. */ \
  X(CLOUD_PROVIDER_ACCESS_ROLE_NOT_FOUND, 404, "No access role {0} exists in group {1}.", "roleId,groupId") \
  X(CLOUD_PROVIDER_ACCESS_ROLE_IN_USE, 409, "The access role {0} of project {1} is still in use.", "roleId,groupId") \
  /* The next four are this library's own. */ \
  X(ENCRYPTION_AT_REST_IN_USE, 409, "Encryption at rest by {0} cannot be disabled: cluster {1} uses it.", "provider,clusterName") \
  X(ENCRYPTION_AT_REST_HAS_PRIVATE_ENDPOINTS, 409, \
    "Encryption at rest by {0} cannot be disabled: it still has a private endpoint in region {1}. Delete it first.", "provider,region") \
  X(ENCRYPTION_AT_REST_NOT_PRIVATE, 409, \
    "Encryption at rest by {0} has private endpoints only if it is enabled in group {1} with requirePrivateNetworking.", \
    "provider,groupId") \
  X(ENCRYPTION_AT_REST_ENDPOINT_IN_USE, 409, \
    "The private endpoint in region {0} is required by cluster {1}: it is the only way to the keys that encrypt the cluster.", \
    "region,clusterName") \
  X(NETWORK_PERMISSIONS_LIMIT_EXCEEDED, 403, \
    "An access list can have {0} entries at most; that of {1} has reached this number.", "limit,groupId") \
  X(NETWORK_PERMISSION_ENTRY_NOT_FOUND, 404, "{0} is not on the access list of project {1}.", "value,groupId") \
  X(ACCESS_LIST_NOT_FOUND, 404, "{0} is not on the access list of {1}.", "value,parentId") \
  X(PEER_NOT_FOUND, 404, "No peering connection with id {0} exists in group {1}.", "peerId,groupId") \
  X(CLOUD_PROVIDER_CONTAINER_NOT_FOUND, 404, \
    "No network container with id {0} exists in group {1}.", "containerId,groupId") \
  X(PRIVATE_ENDPOINT_SERVICE_NOT_FOUND, 404, \
    "No private endpoint service with id {0} exists in group {1}.", "endpointServiceId,groupId") \
  X(PRIVATELINK_NOT_FOUND, 404, "No private endpoint with id {0} exists in {1}.", "endpointId,parentId") \
  X(ADDRESS_ALREADY_IN_ACCESS_LIST, 409, "{0} is already on the access list of {1}.", "value,parentId") \
  X(OVERLAPPING_CIDR_BLOCK, 409, "The block {0} overlaps with one in use in group {1}.", "cidrBlock,groupId") \
  X(PEER_ALREADY_EXISTS, 409, "A peering connection with {0} already exists in group {1}.", "networkId,groupId") \
  X(PEER_ALREADY_REQUESTED_DELETION, 409, "The peering connection {0} is already being deleted.", "peerId") \
  X(PEER_INVALID_STATE, 409, "The peering connection {0} cannot be changed in its present state.", "peerId") \
  X(CONTAINERS_IN_USE, 409, "The network container {0} is in use by clusters or peering connections.", "containerId") \
  X(CONTAINER_ALREADY_EXISTS, 409, "A network container for {0} already exists in group {1}.", "region,groupId") \
  X(CANNOT_DELETE_PRIVATELINK_WITH_ENDPOINTS, 409, \
    "The private endpoint service {0} still has endpoints. Delete them first.", "endpointServiceId") \
  X(PRIVATELINK_ENDPOINT_SERVICE_ALREADY_EXISTS_FOR_REGION, 409, \
    "A private endpoint service for region {0} already exists in group {1}.", "region,groupId") \
  X(PRIVATE_ENDPOINT_ALREADY_EXISTS, 409, "A private endpoint {0} already exists in {1}.", "endpointId,parentId") \
  X(CANNOT_DISABLE_REGIONALIZED_PRIVATE_ENDPOINTS, 409, \
    "Cluster {0} is reached by private endpoints in several regions. Delete those of all regions but one first.", "clusterName") \
  /* ---- Backup */ \
  X(BACKUP_JOB_NOT_FOUND, 404, "No backup job {0} exists in {1}.", "jobId,parentId") \
  X(CANNOT_DELETE_IN_PROGRESS_SNAPSHOT, 400, \
    "Snapshot {0} is still being taken and cannot be deleted yet.", "snapshotId") \
  X(UNFINISHED_ON_DEMAND_SNAPSHOT, 400, \
    "An on-demand snapshot of cluster {0} is still in progress. Please wait until it finishes.", "clusterName") \
  X(BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID, 400, "The retention in {0} is not valid.", "attribute") \
  X(INVALID_BACKUP_POLICY, 400, "The backup policy is not valid: see {0}.", "attribute") \
  X(CLUSTER_PAUSED_CANNOT_RESTORE, 400, "Cluster {0} is paused. Resume it before you restore to it.", "clusterName") \
  X(TOO_MANY_SNAPSHOT_DOWNLOADS, 400, "Too many downloads of snapshot {0} are in progress.", "snapshotId") \
  X(CANNOT_CANCEL_AUTOMATED_RESTORE, 400, "Restore job {0} is automated and cannot be cancelled.", "restoreJobId") \
  X(CANNOT_DELETE_SNAPSHOT_WITH_BACKUP_COMPLIANCE_POLICY, 400, \
    "A backup compliance policy protects snapshot {0} from deletion.", "snapshotId") \
  X(BACKUP_POLICIES_NOT_MEETING_BACKUP_COMPLIANCE_POLICY_REQUIREMENTS, 400, \
    "The backup policies of {0} do not meet the backup compliance policy.", "clusterName") \
  X(SNAPSHOT_NOT_FOUND, 404, "No snapshot with id {0} exists for cluster {1}.", "snapshotId,clusterName") \
  X(RESTORE_JOB_NOT_FOUND, 404, "No restore job with id {0} exists for cluster {1}.", "restoreJobId,clusterName") \
  X(CHECKPOINT_NOT_FOUND, 404, "No checkpoint with id {0} exists for cluster {1}.", "checkpointId,clusterName") \
  X(BACKUP_CONFIG_NOT_FOUND, 404, "No backup configuration {0} exists in {1}.", "key,parentId") \
  X(BACKUP_LIMIT_EXCEEDED, 403, "{1} has reached its limit of {0} of these resources.", "limit,parentId") \
  X(EXPORT_BUCKET_IN_USE, 409, \
    "Export bucket {0} of project {1} is in use, by a backup schedule or by an export.", "exportBucketId,groupId") \
  X(EXPORT_BUCKET_NOT_FOUND, 404, "No export bucket with id {0} exists in group {1}.", "exportBucketId,groupId") \
  X(CANNOT_DOWNLOAD_INCOMPLETE_SNAPSHOT, 409, \
    "Snapshot {0} is not complete and cannot be downloaded yet.", "snapshotId") \
  X(BACKUP_CONFLICTING_OPTIONS, 409, \
    "The backup options {0} and {1} cannot be used together.", "attribute,otherAttribute") \
  /* ---- Alerts, maintenance windows, integrations */ \
  X(INVALID_EVENT_TYPE_FOR_ALERT, 400, "The event type {0} cannot be alerted on.", "eventTypeName") \
  X(MISSING_NOTIFICATIONS, 400, "An alert configuration needs at least one notification.", "") \
  X(MISSING_THRESHOLD, 400, "An alert configuration for {0} needs a threshold.", "eventTypeName") \
  X(THRESHOLD_PRESENT, 400, "An alert configuration for {0} takes no threshold.", "eventTypeName") \
  X(MAX_ALERT_CONFIGS_PER_GROUP_EXCEEDED, 400, \
    "A project can have {0} alert configurations at most; {1} has reached that number.", "limit,groupId") \
  X(MAINTENANCE_NOT_SCHEDULED, 400, "No maintenance is scheduled for project {0}.", "groupId") \
  X(NUM_MAINTENANCE_DEFERRALS_EXCEEDED, 400, \
    "Maintenance can be deferred {0} times at most; project {1} has reached that number.", "limit,groupId") \
  X(INVALID_MAINTENANCE_WINDOW_DAY_OF_WEEK, 400, \
    "{0} is not a day of the week.", "value") \
  X(ALERT_NOT_FOUND, 404, "No alert with id {0} exists in group {1}.", "alertId,groupId") \
  X(ALERT_CONFIG_NOT_FOUND, 404, "No alert configuration with id {0} exists in group {1}.", "alertConfigId,groupId") \
  X(EVENT_NOT_FOUND, 404, "No event with id {0} exists in group {1}.", "eventId,groupId") \
  X(ORG_EVENT_NOT_FOUND, 404, "No event with id {0} exists in organization {1}.", "eventId,orgId") \
  X(INTEGRATION_NOT_CONFIGURED, 404, \
    "The integration {0} is not configured in group {1}.", "integrationType,groupId") \
  X(INTEGRATION_ALREADY_CONFIGURED, 409, \
    "The integration {0} is already configured in group {1}.", "integrationType,groupId") \
  /* The next two are this library's own. */ \
  X(LOG_EXPORT_NOT_CONFIGURED, 404, "No export of logs is configured in group {0}.", "groupId") \
  X(LOG_EXPORT_ALREADY_CONFIGURED, 409, "An export of logs is already configured in group {0}.", "groupId") \
  /* ---- Search, archives, streams, policies */ \
  /* SEARCH_DUPLICATE_INDEX: documented as 400; here every violation of uniqueness is 409. */ \
  X(SEARCH_DUPLICATE_INDEX, 409, "A search index named {0} already exists on {1}.", "indexName,namespace") \
  /* SEARCH_DEPLOYMENT_ALREADY_EXISTS is this library's own. */ \
  X(SEARCH_DEPLOYMENT_DOES_NOT_EXIST, 404, "Cluster {0} has no search deployment.", "clusterName") \
  X(SEARCH_DEPLOYMENT_INVALID_ATTRIBUTE, 404, "Invalid attribute {0} specified. {1}.", "attribute,reason") \
  X(SEARCH_DEPLOYMENT_ALREADY_EXISTS, 409, "Cluster {0} already has a search deployment.", "clusterName") \
  /* The request's body names the collection, hence 400 and not 404. */ \
  X(SEARCH_COLLECTION_NOT_FOUND, 400, "No collection {0} exists in cluster {1}.", "namespace,clusterName") \
  X(ONLINE_ARCHIVE_CANNOT_MODIFY_FIELD, 400, "The field {0} of an online archive cannot be changed.", "attribute") \
  X(STREAM_PROCESSOR_GENERIC_ERROR, 400, "The stream processor {0} reports: {1}", "processorName,what") \
  X(STREAM_TENANT_NOT_FOUND_FOR_NAME, 404, \
    "No stream instance named {0} exists in group {1}.", "tenantName,groupId") \
  X(STREAM_CONNECTION_NOT_FOUND_FOR_NAME, 404, \
    "No connection named {0} exists in stream instance {1}.", "connectionName,tenantName") \
  X(DATA_FEDERATION_TENANT_NOT_FOUND_FOR_NAME, 404, \
    "No federated database instance named {0} exists in group {1}.", "tenantName,groupId") \
  /* The next two are this library's own. */ \
  X(DATA_FEDERATION_TENANT_ALREADY_EXISTS, 409, \
    "A federated database instance named {0} already exists in group {1}.", "tenantName,groupId") \
  X(CLUSTER_IN_USE_BY_FEDERATED_DATABASES, 409, \
    "Federated database instances still read from cluster {0} of project {1}.", "name,groupId") \
  X(ONLINE_ARCHIVE_MUST_BE_ACTIVE_TO_PAUSE, 409, \
    "The online archive {0} is not active, and only an active one can be paused.", "archiveId") \
  /* Only the names of the next three are known; their statuses are chosen to match the names. */ \
  X(STREAM_TENANT_HAS_STREAM_PROCESSORS, 409, \
    "The stream instance {0} still has stream processors. Delete them first.", "tenantName") \
  X(STREAM_PRIVATE_LINK_IN_USE, 409, "The private link connection {0} is still in use.", "connectionId") \
  X(STREAM_KAFKA_CONNECTION_IS_DEPLOYING, 409, \
    "The connection {0} is still being deployed. Please wait until it is ready.", "connectionName") \
  /* The next one is this library's own. */ \
  X(RESOURCE_POLICY_ALREADY_EXISTS, 409, "A resource policy named {0} already exists in organization {1}.", "name,orgId") \
  X(RESOURCE_POLICY_NOT_FOUND, 404, \
    "No resource policy with id {0} exists in organization {1}.", "resourcePolicyId,orgId") \
  /* The next ten are this library's own. */ \
  X(CLUSTER_IN_USE_BY_STREAM_CONNECTIONS, 409, "Stream connections still use cluster {0} of project {1}.", "name,groupId") \
  X(CUSTOM_ROLE_IN_USE_BY_STREAM_CONNECTIONS, 409, "Stream connections still use the custom role {0} of project {1}.", \
    "roleName,groupId") \
  X(STREAM_TENANT_ALREADY_EXISTS, 409, "A stream instance named {0} already exists in group {1}.", "tenantName,groupId") \
  X(STREAM_CONNECTION_ALREADY_EXISTS, 409, "A connection named {0} already exists in stream instance {1}.", \
    "connectionName,tenantId") \
  X(STREAM_CONNECTION_IN_USE, 409, "The connection {0} is used by the stream processor {1}.", "connectionName,processorName") \
  X(STREAM_FAILOVER_CONNECTION_NOT_FOUND, 404, "No failover connection with id {0} exists for connection {1}.", \
    "failoverConnectionId,connectionName") \
  X(STREAM_FAILOVER_CONNECTION_ALREADY_EXISTS, 409, "A failover connection for region {0} already exists for connection {1}.", \
    "region,connectionId") \
  X(STREAM_PROCESSOR_NOT_FOUND, 404, "No stream processor named {0} exists in stream instance {1}.", "processorName,tenantName") \
  X(STREAM_PROCESSOR_ALREADY_EXISTS, 409, "A stream processor named {0} already exists in stream instance {1}.", \
    "processorName,tenantId") \
  X(STREAM_PRIVATE_LINK_NOT_FOUND, 404, "No private link connection with id {0} exists in group {1}.", "connectionId,groupId") \
  /* ---- Federation: this library's own, since the codes of comparable services are unknown */ \
  X(FEDERATION_SETTINGS_NOT_FOUND, 404, "No federation settings with id {0} exist.", "federationSettingsId") \
  X(FEDERATION_HAS_CONNECTED_ORGS, 409, \
    "More than one organization is connected to federation {0}. Disconnect all but one first.", "federationSettingsId") \
  X(FEDERATION_IN_USE, 409, \
    "Organization {0} uses identity providers of federation {1}. Take them out of its configuration first.", \
    "orgId,federationSettingsId") \
  X(CONNECTED_ORG_NOT_FOUND, 404, "Organization {0} is not connected to federation {1}.", "orgId,federationSettingsId") \
  X(ORG_ALREADY_FEDERATED, 409, \
    "Organization {0} is connected to federation {1}, which has other organizations or identity providers. Disconnect it, or " \
    "delete them, first.", "orgId,federationSettingsId") \
  X(LAST_CONNECTED_ORG, 409, \
    "Organization {0} is the only one that is connected to federation {1}. Delete the federation settings instead.", \
    "orgId,federationSettingsId") \
  X(ROLE_MAPPING_NOT_FOUND, 404, "No role mapping with id {0} exists for organization {1}.", "id,orgId") \
  X(ROLE_MAPPING_ALREADY_EXISTS, 409, "A role mapping for the external group {0} already exists for organization {1}.", \
    "externalGroupName,orgId") \
  X(IDENTITY_PROVIDER_NOT_FOUND, 404, "No identity provider with id {0} exists in federation {1}.", \
    "identityProviderId,federationSettingsId") \
  X(IDENTITY_PROVIDER_ALREADY_EXISTS, 409, "An identity provider with {0} already exists in federation {1}.", \
    "value,federationSettingsId") \
  X(IDENTITY_PROVIDER_IN_USE, 409, "The identity provider {0} is used by organization {1}.", "identityProviderId,orgId") \
  X(IDENTITY_PROVIDER_PROTOCOL_MISMATCH, 400, "The identity provider {0} is not of protocol {1}.", \
    "identityProviderId,protocol") \
  /* ---- This library's own: refusals of the transport and the store for which comparable services have no code */ \
  X(TOO_MANY_RESOURCES, 403, "{1} has reached its limit of {0} of these resources.", "limit,parentId")

enum svc_catalog_error { SVC_E_BEFORE_CATALOG = SVC_E_CATALOG - 1, SVC_CATALOG_ERROR_LIST(SVC_ERROR_ENUM) SVC_NOUN_ERROR_LIST(SVC_ERROR_ENUM) };

#endif /* SVC_CATALOG_ERROR_LIST_H */

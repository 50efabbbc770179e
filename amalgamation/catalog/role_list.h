/*
** The roles that a caller may hold on an organization or a project, and which other roles each one includes.
**
** The rule: an operation names the least roles that are sufficient, and a role gives everything that it includes. The last
** column must be complete: inclusion is not followed from role to role, so a role also lists the roles that an included
** one includes. An inclusion is listed only if it is documented or evident from the names. Doubtful ones are left out:
** users notice a missing permission, but not a surplus one.
**
** A role on an organization counts in each of its projects through the project roles that it includes.
*/
#ifndef SVC_ROLE_LIST_H
#define SVC_ROLE_LIST_H

/* A bit per role, for the sets of roles in routes and in the list below. */
#define SVC_R_ORG_OWNER ((uint64_t)1 << SVC_ROLE_ORG_OWNER)
#define SVC_R_ORG_GROUP_CREATOR ((uint64_t)1 << SVC_ROLE_ORG_GROUP_CREATOR)
#define SVC_R_ORG_BILLING_ADMIN ((uint64_t)1 << SVC_ROLE_ORG_BILLING_ADMIN)
#define SVC_R_ORG_BILLING_READ_ONLY ((uint64_t)1 << SVC_ROLE_ORG_BILLING_READ_ONLY)
#define SVC_R_ORG_STREAM_PROCESSING_ADMIN ((uint64_t)1 << SVC_ROLE_ORG_STREAM_PROCESSING_ADMIN)
#define SVC_R_ORG_READ_ONLY ((uint64_t)1 << SVC_ROLE_ORG_READ_ONLY)
#define SVC_R_ORG_MEMBER ((uint64_t)1 << SVC_ROLE_ORG_MEMBER)
#define SVC_R_GROUP_OWNER ((uint64_t)1 << SVC_ROLE_GROUP_OWNER)
#define SVC_R_GROUP_READ_ONLY ((uint64_t)1 << SVC_ROLE_GROUP_READ_ONLY)
#define SVC_R_GROUP_CLUSTER_MANAGER ((uint64_t)1 << SVC_ROLE_GROUP_CLUSTER_MANAGER)
#define SVC_R_GROUP_CLUSTER_CREATOR ((uint64_t)1 << SVC_ROLE_GROUP_CLUSTER_CREATOR)
#define SVC_R_GROUP_REPLICA_SET_MANAGER ((uint64_t)1 << SVC_ROLE_GROUP_REPLICA_SET_MANAGER)
#define SVC_R_GROUP_CLUSTER_LOG_VIEWER ((uint64_t)1 << SVC_ROLE_GROUP_CLUSTER_LOG_VIEWER)
#define SVC_R_GROUP_CLUSTER_RESILIENCE_TESTER ((uint64_t)1 << SVC_ROLE_GROUP_CLUSTER_RESILIENCE_TESTER)
#define SVC_R_GROUP_STREAM_PROCESSING_OWNER ((uint64_t)1 << SVC_ROLE_GROUP_STREAM_PROCESSING_OWNER)
#define SVC_R_GROUP_STREAM_PROCESSING_MANAGER ((uint64_t)1 << SVC_ROLE_GROUP_STREAM_PROCESSING_MANAGER)
#define SVC_R_GROUP_ACCESS_MANAGER ((uint64_t)1 << SVC_ROLE_GROUP_ACCESS_MANAGER)
#define SVC_R_GROUP_DATA_ACCESS_ADMIN ((uint64_t)1 << SVC_ROLE_GROUP_DATA_ACCESS_ADMIN)
#define SVC_R_GROUP_DATA_ACCESS_READ_WRITE ((uint64_t)1 << SVC_ROLE_GROUP_DATA_ACCESS_READ_WRITE)
#define SVC_R_GROUP_DATA_ACCESS_READ_ONLY ((uint64_t)1 << SVC_ROLE_GROUP_DATA_ACCESS_READ_ONLY)
#define SVC_R_GROUP_DATABASE_ACCESS_ADMIN ((uint64_t)1 << SVC_ROLE_GROUP_DATABASE_ACCESS_ADMIN)
#define SVC_R_GROUP_BACKUP_MANAGER ((uint64_t)1 << SVC_ROLE_GROUP_BACKUP_MANAGER)
#define SVC_R_GROUP_BACKUP_CREATOR ((uint64_t)1 << SVC_ROLE_GROUP_BACKUP_CREATOR)
#define SVC_R_GROUP_BACKUP_RECOVERY_OPERATOR ((uint64_t)1 << SVC_ROLE_GROUP_BACKUP_RECOVERY_OPERATOR)
#define SVC_R_GROUP_BACKUP_EXPORT_OPERATOR ((uint64_t)1 << SVC_ROLE_GROUP_BACKUP_EXPORT_OPERATOR)
#define SVC_R_GROUP_NETWORK_ACCESS_MANAGER ((uint64_t)1 << SVC_ROLE_GROUP_NETWORK_ACCESS_MANAGER)
#define SVC_R_GROUP_OBSERVABILITY_VIEWER ((uint64_t)1 << SVC_ROLE_GROUP_OBSERVABILITY_VIEWER)
#define SVC_R_GROUP_TRIGGER_MANAGER ((uint64_t)1 << SVC_ROLE_GROUP_TRIGGER_MANAGER)
#define SVC_R_GROUP_INDEX_MANAGER ((uint64_t)1 << SVC_ROLE_GROUP_INDEX_MANAGER)
#define SVC_R_GROUP_SEARCH_INDEX_EDITOR ((uint64_t)1 << SVC_ROLE_GROUP_SEARCH_INDEX_EDITOR)
#define SVC_R_GROUP_REAL_TIME_PERFORMANCE_OPERATOR ((uint64_t)1 << SVC_ROLE_GROUP_REAL_TIME_PERFORMANCE_OPERATOR)
#define SVC_R_GROUP_SUPPORT_ACCESS_MANAGER ((uint64_t)1 << SVC_ROLE_GROUP_SUPPORT_ACCESS_MANAGER)
#define SVC_R_GROUP_ALERTS_MANAGER ((uint64_t)1 << SVC_ROLE_GROUP_ALERTS_MANAGER)
#define SVC_R_GROUP_MODEL_OWNER ((uint64_t)1 << SVC_ROLE_GROUP_MODEL_OWNER)

/* All roles, and all project roles. Organization roles come first; project roles begin with GROUP_OWNER. */
#define SVC_R_ALL (((uint64_t)1 << SVC_ROLE_COUNT) - 1)
#define SVC_R_ALL_GROUP (SVC_R_ALL & ~(SVC_R_GROUP_OWNER - 1))

/*
** X(name, level, roles that it includes besides itself)
**
** Every organization role includes ORG_MEMBER, every project role GROUP_READ_ONLY. Beyond that:
**
**   ORG_OWNER                    also owns every project, so it includes all roles.
**   ORG_READ_ONLY                reads the organization and all its projects, but not invoices, which have a reading role
**                                of their own.
**   ORG_STREAM_PROCESSING_ADMIN  has the permissions of the stream processing manager in every project, and sees the
**                                projects for that, without GROUP_STREAM_PROCESSING_OWNER, because that role also gives
**                                access to database users and custom roles. Stream operations list both roles.
**   GROUP_CLUSTER_MANAGER        changes clusters but creates none, so neither it nor GROUP_CLUSTER_CREATOR includes the
**                                other. Where the replica set manager or the resilience tester is sufficient, too (changing
**                                a cluster, outage simulation), the operation lists these roles as well.
**   GROUP_STREAM_PROCESSING_OWNER, GROUP_DATA_ACCESS_ADMIN, GROUP_DATA_ACCESS_READ_WRITE, GROUP_BACKUP_MANAGER
**                                include the smaller roles over the same resources.
**   GROUP_DATABASE_ACCESS_ADMIN  manages database users, not data: it only has a word in common with the data roles.
*/
#define SVC_ROLE_LIST(X) \
  X(ORG_OWNER, ORGANIZATION, SVC_R_ALL) \
  X(ORG_GROUP_CREATOR, ORGANIZATION, SVC_R_ORG_MEMBER) \
  X(ORG_BILLING_ADMIN, ORGANIZATION, SVC_R_ORG_BILLING_READ_ONLY | SVC_R_ORG_MEMBER) \
  X(ORG_BILLING_READ_ONLY, ORGANIZATION, SVC_R_ORG_MEMBER) \
  X(ORG_STREAM_PROCESSING_ADMIN, ORGANIZATION, \
    SVC_R_ORG_MEMBER | SVC_R_GROUP_STREAM_PROCESSING_MANAGER | SVC_R_GROUP_READ_ONLY) \
  X(ORG_READ_ONLY, ORGANIZATION, SVC_R_ORG_MEMBER | SVC_R_GROUP_READ_ONLY) \
  X(ORG_MEMBER, ORGANIZATION, 0) \
  X(GROUP_OWNER, GROUP, SVC_R_ALL_GROUP) \
  X(GROUP_READ_ONLY, GROUP, 0) \
  X(GROUP_CLUSTER_MANAGER, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_CLUSTER_CREATOR, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_REPLICA_SET_MANAGER, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_CLUSTER_LOG_VIEWER, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_CLUSTER_RESILIENCE_TESTER, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_STREAM_PROCESSING_OWNER, GROUP, \
    SVC_R_GROUP_STREAM_PROCESSING_MANAGER | SVC_R_GROUP_READ_ONLY) \
  X(GROUP_STREAM_PROCESSING_MANAGER, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_ACCESS_MANAGER, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_DATA_ACCESS_ADMIN, GROUP, \
    SVC_R_GROUP_DATA_ACCESS_READ_WRITE | SVC_R_GROUP_DATA_ACCESS_READ_ONLY | SVC_R_GROUP_READ_ONLY) \
  X(GROUP_DATA_ACCESS_READ_WRITE, GROUP, \
    SVC_R_GROUP_DATA_ACCESS_READ_ONLY | SVC_R_GROUP_READ_ONLY) \
  X(GROUP_DATA_ACCESS_READ_ONLY, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_DATABASE_ACCESS_ADMIN, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_BACKUP_MANAGER, GROUP, \
    SVC_R_GROUP_BACKUP_CREATOR | SVC_R_GROUP_BACKUP_RECOVERY_OPERATOR | SVC_R_GROUP_BACKUP_EXPORT_OPERATOR | \
      SVC_R_GROUP_READ_ONLY) \
  X(GROUP_BACKUP_CREATOR, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_BACKUP_RECOVERY_OPERATOR, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_BACKUP_EXPORT_OPERATOR, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_NETWORK_ACCESS_MANAGER, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_OBSERVABILITY_VIEWER, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_TRIGGER_MANAGER, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_INDEX_MANAGER, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_SEARCH_INDEX_EDITOR, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_REAL_TIME_PERFORMANCE_OPERATOR, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_SUPPORT_ACCESS_MANAGER, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_ALERTS_MANAGER, GROUP, SVC_R_GROUP_READ_ONLY) \
  X(GROUP_MODEL_OWNER, GROUP, SVC_R_GROUP_READ_ONLY)

#define SVC_ROLE_ENUM(name, level, includes) SVC_ROLE_##name,
enum svc_role { SVC_ROLE_LIST(SVC_ROLE_ENUM) SVC_ROLE_COUNT };
#undef SVC_ROLE_ENUM

#endif /* SVC_ROLE_LIST_H */

/*
** Shared by the parts of stream processing: stream_workspace.c; stream_connection.c and stream_failover_connection.c, with
** their tables in stream_object.c and their rules in stream_rules.c; stream_processor.c, with the shape of pipelines in
** stream_pipeline.c, and with start and stop in stream_acts.c.
*/
#ifndef SVC_STREAM_PARTS_H
#define SVC_STREAM_PARTS_H

#include "catalog/values.h"

#define STREAM_WORKSPACE_KIND "stws"
#define STREAM_CONNECTION_KIND "stcn"
#define STREAM_FAILOVER_KIND "stfo"
#define STREAM_PROCESSOR_KIND "stpr"
#define STREAM_PROCESSOR_MOVES 1 /* svc_change.action: a start or stop, without any other change */

#define STREAM_WORKSPACE "stream workspace" /* names of nouns */
#define STREAM_CONNECTION "stream connection"
#define STREAM_PROCESSOR "stream processor"
#define STREAM_PRIVATE_LINK "stream private link"

#define STREAM_SAMPLE "sample_stream_solar" /* the only sample */
#define STREAM_TEST_SINK "__testLog"        /* a target without connection, always available, which only logs */

enum {
  STREAM_WORKSPACE_MOST = 25,  /* per project */
  STREAM_CONNECTION_MOST = 50, /* per workspace, as STREAM_PROCESSOR_MOST */
  STREAM_PROCESSOR_MOST = 50,
  STREAM_FAILOVER_MOST = 2,    /* failover regions per workspace, and failover connections per connection */
  STREAM_NAME_MOST = 64,
  STREAM_BODY_MOST = 49152     /* maximum bytes of a connection, with its secrets */
};
#define STREAM_NAME_PATTERN "^[a-zA-Z0-9][a-zA-Z0-9_-]*$"

#define STREAM_WRITERS (SVC_R_ORG_STREAM_PROCESSING_ADMIN | SVC_R_GROUP_STREAM_PROCESSING_MANAGER)
#define STREAM_TENANT_WRITERS (STREAM_WRITERS | SVC_R_GROUP_DATA_ACCESS_ADMIN)
#define STREAM_READERS (STREAM_TENANT_WRITERS | SVC_R_GROUP_DATA_ACCESS_READ_ONLY | SVC_R_GROUP_DATA_ACCESS_READ_WRITE)

/* From largest to smallest. */
SVC_LIST svc_stream_tiers[] = { "SP50", "SP30", "SP10", "SP5", "SP2", NULL };
/* Modes of a failover. */
SVC_LIST svc_stream_modes[] = { "GRACEFUL", "FORCED", NULL };
SVC_LIST svc_stream_providers[] = { "AWS", "GCP", "AZURE", "TENANT", "SERVERLESS", NULL };
SVC_LIST svc_stream_regions[] = {
  "DUBLIN_IRL", "EUROPE_WEST1", "FRANKFURT_DEU", "LONDON_GBR", "MONTREAL_CAN", "MUMBAI_IND", "OHIO_USA", "OREGON_USA",
  "PARIS_FRA", "SAOPAULO_BRA", "SEOUL_KOR", "SINGAPORE_SGP", "SYDNEY_AUS", "TOKYO_JPN", "US_CENTRAL1", "US_EAST4",
  "VIRGINIA_USA", "australiaeast", "brazilsouth", "eastus", "eastus2", "westeurope", "westus", NULL
};

/* References of a connection to a cluster. A role that is not a custom role is built in, so a role must exist only if its type is
** CUSTOM. */
#define STREAM_REFS_OF_CLUSTERS \
  { "clusterName@clusterGroupId", "cluster", SVC_E_CLUSTER_NOT_FOUND, SVC_E_CLUSTER_IN_USE_BY_STREAM_CONNECTIONS }, \
  { "clusterName@clusterGroupId", "flex cluster", 0, SVC_E_CLUSTER_IN_USE_BY_STREAM_CONNECTIONS }, \
  { "dbRoleToExecute[type=CUSTOM].role@clusterGroupId", "custom database role", SVC_E_INVALID_ATTRIBUTE, 0 }, \
  { "dbRoleToExecute.role@clusterGroupId", "custom database role", 0, SVC_E_CUSTOM_ROLE_IN_USE_BY_STREAM_CONNECTIONS },

/* stream_object.c */
SVC_DECLARE(const svc_object svc_stream_region)
SVC_DECLARE(const svc_object svc_stream_connection)
SVC_DECLARE(const svc_object svc_stream_failover_connection)

/* stream_rules.c */
SVC_PRIVATE bool svc_stream_is(const svc_node *body, const char *field, const char *value);
SVC_PRIVATE int svc_stream_tier(svc_str tier); /* index in svc_stream_tiers */
/* Checks a connection or failover connection for the rules that its table cannot express. */
SVC_PRIVATE bool svc_stream_connection_check(svc_call *c, const svc_change *change);
SVC_PRIVATE bool svc_stream_has_region(const svc_node *list, svc_str region); /* whether the list has this region */
/* Finds a connection of a workspace. Returns false if it is missing, is being deleted, or on failure. */
SVC_PRIVATE bool svc_stream_connection_named(svc_call *c, const svc_id *workspace, svc_str name, svc_entity *out);

SVC_PRIVATE svc_str svc_stream_account(svc_call *c, svc_str provider); /* the service's own account at the provider, for the project in
                                                                          the path */

/* stream_pipeline.c: checks the pipeline and the dead letter queue of a processor. *names: the connections that it uses, one per line.
** Returns false if refused. */
SVC_PRIVATE bool svc_stream_pipeline_check(svc_call *c, const svc_id *workspace, const svc_node *body, svc_str *names);

/*
** stream_acts.c: `extra` of a processor, as lines of text:
**
**   where it begins at its next start: R (its last checkpoint), N (now), or a date; then, if it was ever started, @ and the time
**   of the last start in milliseconds
**   the region in which it runs; empty: the workspace's own
**   the mode of its failover: GRACEFUL or FORCED; empty: no failover
**   the names of the connections that it uses, one per line
*/
typedef struct svc_stream_kept {
  svc_str begin, started, region, mode, names;
} svc_stream_kept;
SVC_PRIVATE svc_stream_kept svc_stream_kept_of(svc_str extra);
SVC_PRIVATE svc_str svc_stream_extra(svc_call *c, const svc_stream_kept *kept);

/* Run functions of routes, and the same for all processors of a workspace. */
SVC_DECLARE(const svc_object svc_stream_start)
SVC_PRIVATE bool svc_stream_run_start(svc_call *c);
SVC_PRIVATE bool svc_stream_run_stop(svc_call *c);
SVC_PRIVATE bool svc_stream_eligible(svc_call *c, const svc_entity *processor); /* whether it can run in another region */
SVC_PRIVATE bool svc_stream_all(svc_call *c, const svc_entity *workspace, const svc_node *status);
SVC_PRIVATE bool svc_stream_any_runs(svc_call *c, const svc_id *workspace); /* on failure: sets c->error */

#endif /* SVC_STREAM_PARTS_H */

/*
** What the parts of stream processing share: stream_workspace.c; stream_connection.c and stream_failover_connection.c, whose
** tables are in stream_object.c and whose rules in stream_rules.c; stream_processor.c, with stream_pipeline.c, the shape of
** pipelines, and stream_acts.c, what starts and stops them.
*/
#ifndef SVC_STREAM_PARTS_H
#define SVC_STREAM_PARTS_H

#include "catalog/values.h"

#define STREAM_WORKSPACE_KIND "stws"
#define STREAM_CONNECTION_KIND "stcn"
#define STREAM_FAILOVER_KIND "stfo"
#define STREAM_PROCESSOR_KIND "stpr"
#define STREAM_PROCESSOR_MOVES 1 /* svc_change.action: it is started or stopped, and nothing else changes */

#define STREAM_WORKSPACE "stream workspace" /* names of nouns */
#define STREAM_CONNECTION "stream connection"
#define STREAM_PROCESSOR "stream processor"
#define STREAM_PRIVATE_LINK "stream private link"

#define STREAM_SAMPLE "sample_stream_solar" /* the sample that there is */
#define STREAM_TEST_SINK "__testLog"        /* what is emitted there is only logged: no connection, and always there */

enum {
  STREAM_WORKSPACE_MOST = 25,  /* of a project */
  STREAM_CONNECTION_MOST = 50, /* of a workspace, as what follows */
  STREAM_PROCESSOR_MOST = 50,
  STREAM_FAILOVER_MOST = 2,    /* regions to fail over to, and connections for that of one connection */
  STREAM_NAME_MOST = 64,
  STREAM_BODY_MOST = 49152     /* bytes of a connection, with its secrets */
};
#define STREAM_NAME_PATTERN "^[a-zA-Z0-9][a-zA-Z0-9_-]*$"

#define STREAM_WRITERS (SVC_R_ORG_STREAM_PROCESSING_ADMIN | SVC_R_GROUP_STREAM_PROCESSING_MANAGER)
#define STREAM_TENANT_WRITERS (STREAM_WRITERS | SVC_R_GROUP_DATA_ACCESS_ADMIN)
#define STREAM_READERS (STREAM_TENANT_WRITERS | SVC_R_GROUP_DATA_ACCESS_READ_ONLY | SVC_R_GROUP_DATA_ACCESS_READ_WRITE)

/* The largest first. */
SVC_LIST svc_stream_tiers[] = { "SP50", "SP30", "SP10", "SP5", "SP2", NULL };
/* In which something is failed over. */
SVC_LIST svc_stream_modes[] = { "GRACEFUL", "FORCED", NULL };
SVC_LIST svc_stream_providers[] = { "AWS", "GCP", "AZURE", "TENANT", "SERVERLESS", NULL };
SVC_LIST svc_stream_regions[] = {
  "DUBLIN_IRL", "EUROPE_WEST1", "FRANKFURT_DEU", "LONDON_GBR", "MONTREAL_CAN", "MUMBAI_IND", "OHIO_USA", "OREGON_USA",
  "PARIS_FRA", "SAOPAULO_BRA", "SEOUL_KOR", "SINGAPORE_SGP", "SYDNEY_AUS", "TOKYO_JPN", "US_CENTRAL1", "US_EAST4",
  "VIRGINIA_USA", "australiaeast", "brazilsouth", "eastus", "eastus2", "westeurope", "westus", NULL
};

/* What a connection to a cluster names. A role that is no custom one's is built in: only one of type CUSTOM must be there. */
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
SVC_PRIVATE int svc_stream_tier(svc_str tier); /* its place in the list of tiers */
/* A connection or failover connection, checked by its table: what that cannot say. */
SVC_PRIVATE bool svc_stream_connection_check(svc_call *c, const svc_change *change);
SVC_PRIVATE bool svc_stream_has_region(const svc_node *list, svc_str region); /* is it one of these data process regions? */
/* A connection of a workspace; false: there is none, or it is going, or the store failed. */
SVC_PRIVATE bool svc_stream_connection_named(svc_call *c, const svc_id *workspace, svc_str name, svc_entity *out);

SVC_PRIVATE svc_str svc_stream_account(svc_call *c, svc_str provider); /* the service's own account there, of the path's project */

/* stream_pipeline.c: the pipeline and the dead letter queue of a processor; *names: of the connections that it uses, a line
** each. False: refused. */
SVC_PRIVATE bool svc_stream_pipeline_check(svc_call *c, const svc_id *workspace, const svc_node *body, svc_str *names);

/*
** stream_acts.c: what is kept beside the body of a processor, as text: a line each.
**
**   how it begins when it is started next: R from its last checkpoint, N anew, or a date from which on; then, behind @, when it was last
**   started, in milliseconds, if it ever was
**   the region in which it runs; empty: that of its workspace
**   how it came there: GRACEFUL or FORCED; empty: it was not failed over
**   then the names of the connections that it uses
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
SVC_PRIVATE bool svc_stream_eligible(svc_call *c, const svc_entity *processor); /* can it run elsewhere? */
SVC_PRIVATE bool svc_stream_all(svc_call *c, const svc_entity *workspace, const svc_node *status);
SVC_PRIVATE bool svc_stream_any_runs(svc_call *c, const svc_id *workspace); /* c->error: the store failed */

#endif /* SVC_STREAM_PARTS_H */

/*
** Clusters as other areas see them: hardware (cluster_hardware.c), what is kept beside the body (cluster_kept.c), the fields
** (cluster_object.c), the names of hosts (cluster_connection.c), and the processes that a cluster consists of (processes.c).
**
** The rule: these files know clusters alone, so every area may use them. The nouns, and what is done to a cluster, are in deployment/.
*/
#ifndef SVC_CLUSTER_BASE_H
#define SVC_CLUSTER_BASE_H

#include "catalog/catalog.h"

#define CLUSTER_KIND "clus"
#define FLEX_KIND "flex"
/* The names of nouns below clusters that are part of what a driver brings about. */
#define CLUSTER_PROCESS_ARGS "process arguments"
#define CLUSTER_GLOBAL_WRITES "global writes"
/* And of the one that names a cluster while it brings data there. */
#define CLUSTER_LIVE_MIGRATION "live migration"

/*
** What is kept beside the body of a cluster, as text:
**
**   offset  0  six characters that name the hosts
**           6  when it was last resumed: milliseconds since 1970 in 14 digits; all zeros: never
**          20  R: it is UPDATING because its primaries are restarted; else nothing
**    then  L: its hosts are called after it, as they were once; else nothing
**    then  its number among the clusters of its project, from 0, which no other has at the same time; 0: nothing
**    then  how it shows in the list of all clusters: a JSON object
*/
enum { CLUSTER_ID = 6, CLUSTER_TIME = 14 };
#define CLUSTER_RESTARTING 'R'
#define CLUSTER_LEGACY 'L'

/* cluster_kept.c */
typedef struct svc_cluster_kept {
  char id[CLUSTER_ID];
  int64_t resumed;
  int64_t size; /* bytes of its data, as the driver last measured them; it stands in the summary */
  bool restarting, legacy;
  unsigned slot; /* that number */
} svc_cluster_kept;
SVC_PRIVATE svc_cluster_kept svc_cluster_kept_of(const svc_entity *e);
SVC_PRIVATE svc_str svc_cluster_extra(svc_call *c, const svc_change *change, const svc_cluster_kept *kept); /* all of it */
SVC_PRIVATE svc_str svc_cluster_summary(const svc_entity *e); /* the JSON object */

/* cluster_object.c */
SVC_DECLARE(const svc_object svc_cluster_common) /* what they have in every shape */
/* Nobody can set such a policy yet: none is in effect. Every shape but the oldest shows that. */
#define CLUSTER_WORKLOAD_POLICIES() \
  { .name = "effectiveIntelligentWorkloadManagementPolicies", .type = SVC_MAP, .item = SVC_STRING, .flags = SVC_READ_ONLY, .preset = "{}" }
SVC_DECLARE(const svc_object svc_cluster_object)
SVC_DECLARE(const svc_object svc_cluster_grant)
SVC_DECLARE(const svc_object svc_cluster_pin)
SVC_DECLARE(const svc_object svc_cluster_status)
SVC_DECLARE(const svc_object svc_cluster_scaling_mode)
SVC_DECLARE(const svc_object svc_cluster_process_args)
SVC_PRIVATE bool svc_cluster_imports(svc_call *c, const svc_entity *cluster);    /* does data come from elsewhere, by a migration? */

/* cluster_hardware.c */
SVC_DECLARE(const svc_object svc_cluster_spec) /* a replication spec: regions, and what nodes run on there */
SVC_DECLARE(const svc_object svc_cluster_spec_by_zone) /* the same in version 2023-02-01: all shards of a zone */
SVC_PRIVATE bool (svc_cluster_fail)(svc_call *c, const svc_change *change, int code); /* refused, by its name; false */
#define svc_cluster_fail(...) (svc_cluster_fail(__VA_ARGS__), false)
SVC_PRIVATE bool svc_cluster_is(const svc_node *body, const char *field, const char *value);
SVC_PRIVATE bool svc_cluster_is_tenant(const svc_node *body);
SVC_PRIVATE int64_t svc_cluster_electable(const svc_node *region); /* nodes of a region that can be elected */
SVC_PRIVATE int64_t svc_cluster_spec_nodes(const svc_node *spec);  /* of one replication spec, */
SVC_PRIVATE int64_t svc_cluster_node_count(const svc_node *body); /* and of all of them */
SVC_PRIVATE size_t svc_cluster_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most);

/* cluster_connection.c: names of hosts, and connection strings from a struct of inputs. */
SVC_PRIVATE bool svc_cluster_host_taken(svc_call *c, const char *kind, const char id[CLUSTER_ID]); /* does one of the project have this? */
/* Six characters that name its hosts, made from its id; no other cluster of the project has them. */
SVC_PRIVATE void svc_cluster_host_id(svc_call *c, const svc_id *cluster, char out[CLUSTER_ID]);
SVC_PRIVATE void svc_cluster_begin(svc_call *c, const svc_change *change, svc_cluster_kept *kept); /* of a new one: all of that */
/*
** What connection strings are made of: the cluster, and how its project's network is made; that is what network_reach.c says.
*/
typedef struct svc_cluster_endpoint { /* a private endpoint of the customer's */
  int64_t number;   /* of the cluster and the provider: no two clusters of a project share one */
  svc_str provider; /* "AWS" */
  svc_str region;   /* "US_EAST_1" */
  svc_str id;       /* "vpce-0a1b" */
} svc_cluster_endpoint;
typedef struct svc_cluster_reach {
  const svc_node *body; /* of the cluster */
  const char *id;       /* CLUSTER_ID characters */
  svc_id group;
  const char *scheme, *domain;
  bool peered;       /* a network of the customer's is peered with that of the cluster */
  bool custom_dns;   /* the project asks for private addresses by names of their own, with the first provider as well */
  bool private_only; /* private IP mode */
  bool regionalized; /* each region has endpoints of its own */
  bool legacy;       /* it was made when hosts were called after their cluster */
  const svc_cluster_endpoint *endpoints;
  size_t endpoint_count;
} svc_cluster_reach;
SVC_PRIVATE svc_cluster_reach svc_cluster_reach_of(const svc_call *c, const svc_node *body, const svc_cluster_kept *kept); /* without its network */
SVC_PRIVATE svc_str svc_cluster_stem(svc_arena *a, const svc_cluster_reach *r); /* what names of its hosts begin with: "a1b2c3" */
SVC_PRIVATE svc_str svc_cluster_tail(svc_arena *a, const svc_cluster_reach *r); /* and end with: ".2f8k1.db.local" */
SVC_PRIVATE void svc_cluster_lower(svc_buf *b, svc_str text); /* "US_EAST_1" as it stands in a host's name: "us-east-1" */
SVC_PRIVATE bool svc_cluster_connected(const svc_node *body); /* has it hosts yet? */
SVC_PRIVATE svc_str svc_cluster_hosts(const svc_entity *e); /* those in its connection string: "a:27017,b:27017" */
SVC_PRIVATE bool svc_cluster_told(const svc_entity *e); /* has a driver named these hosts? Then only that one knows more of them */
SVC_DECLARE(const svc_object svc_host_facts) /* what a driver says of how a cluster of any kind is reached */
/* A connection string, from what leads to the cluster. */
typedef struct svc_cluster_way {
  svc_str scheme, hosts; /* "a:27017,b:27017" */
  svc_str set;           /* the replica set; empty: none is named */
  svc_str path;          /* behind the hosts; empty: what follows from the others */
  bool ssl;
} svc_cluster_way;
SVC_PRIVATE svc_str svc_cluster_string(svc_arena *a, const svc_cluster_way *way);
SVC_PRIVATE void svc_cluster_simulated_hosts(svc_arena *a, const svc_cluster_reach *r, svc_node *facts); /* into facts, as a driver says them */
/* The public strings of what the facts name; scheme: where they have none. */
SVC_PRIVATE void svc_cluster_told_again(svc_arena *a, const svc_node *hosts, svc_node *strings); /* other hosts in the public string */
SVC_PRIVATE void svc_cluster_told_strings(svc_arena *a, const char *scheme, const svc_node *facts, svc_node *strings);
SVC_PRIVATE void svc_cluster_network_strings(svc_arena *a, const svc_cluster_reach *r, svc_node *strings); /* those that the network adds */

/* processes.c */
/* Applications connect to a server of a replica set, or to a router of a sharded cluster. */
enum { CLUSTER_PORT = 27017, CLUSTER_ROUTER_PORT = 27016 };
#define SVC_NO_NODE UINT_MAX
typedef struct svc_process {
  svc_str id;          /* "a1b2c3-shard-00-00.2f8k1.db.local:27017" */
  svc_str host;
  int64_t port;
  svc_str alias;       /* the host, called after its cluster */
  svc_str replica_set; /* empty: it is in none */
  svc_str shard;       /* empty: the cluster has none, or it serves all of them */
  const char *type;    /* "REPLICA_PRIMARY" */
  unsigned spec, node; /* which of the specification's nodes it is; of what has no place there: SVC_NO_NODE */
  int64_t down_since;  /* 0: it is up */
  svc_str version;     /* that a driver has said of it alone; empty: it is the cluster's */
} svc_process;

typedef struct svc_processes { /* of a cluster */
  svc_entity cluster;
  svc_node *body; /* of that */
  bool sharded;
  svc_process *at;
  size_t count;
} svc_processes;

/* All of a cluster below the path's project; in the transaction of the request. False: failed. */
SVC_PRIVATE bool svc_processes_of(svc_call *c, const svc_entity *cluster, svc_processes *out);
/* The process that is called so, or the first one on the host that is; false: 404. */
SVC_PRIVATE bool svc_process_find(svc_call *c, svc_str id, svc_processes *of, svc_process *out);
SVC_PRIVATE bool svc_process_of_path(svc_call *c, svc_processes *of, svc_process *out); /* that of {processId} */
SVC_PRIVATE bool svc_process_runs(const svc_process *p); /* there is something to measure */
/* The region of a node of the specification, and whether it can be elected; NULL: it has no place there. */
SVC_PRIVATE const svc_node *svc_process_region(const svc_processes *of, const svc_process *p, bool *elects);

/* process_states.c: what has become of them. */
#define CLUSTER_PROCESS_STATES "process state"
#define CLUSTER_PROCESS_STATES_KIND "pcst"
SVC_PRIVATE bool svc_process_states_of(svc_call *c, const svc_id *cluster, svc_node **out); /* *out NULL: nothing is to tell. False: failed */
SVC_PRIVATE void svc_process_states_apply(svc_processes *of, const svc_node *states);
SVC_PRIVATE bool svc_process_was_up(const svc_node *states, svc_str id, int64_t at);
SVC_PRIVATE int svc_process_elections(const svc_node *states, svc_str set, int64_t since); /* of this replica set, from then on */
SVC_PRIVATE svc_str svc_process_led(const svc_node *states, svc_str set, int64_t at); /* who was elected last by then; empty: nobody */
SVC_DECLARE(const svc_object svc_process_news)
/* News of processes, an array of svc_process_news: written down, with events. */
SVC_PRIVATE bool svc_process_states_tell(svc_call *c, const svc_entity *cluster, const svc_node *news);

/* reported.c: measurements and logins that a driver has reported. */
#define CLUSTER_MEASUREMENTS "reported measurement"
#define CLUSTER_MEASUREMENTS_KIND "rpms"
#define CLUSTER_MEASUREMENTS_KEPT (2 * SVC_DAY_MS)
#define CLUSTER_LOGINS "reported login"
#define CLUSTER_LOGINS_KIND "rplg"
#define CLUSTER_LOGINS_KEPT (7 * SVC_DAY_MS)
SVC_DECLARE(const char *const svc_process_metric_names[]) /* closed by NULL */
SVC_DECLARE(const svc_object svc_measurement_news)
SVC_DECLARE(const svc_object svc_login_news)
SVC_DECLARE(const svc_object svc_login_shown) /* as access history shows one */
/* "measurements" and "logins" of a report: kept. False: refused, with violations, or failed. */
SVC_PRIVATE bool svc_reported_take(svc_call *c, const svc_entity *cluster, const svc_node *news);
/* The last value of a process's metric within an hour. False: there is none, or failed. */
SVC_PRIVATE bool svc_reported_latest(svc_call *c, const svc_id *cluster, svc_str process, svc_str metric, double *out);
typedef struct svc_reported_span {
  int64_t from, until, step; /* seconds */
} svc_reported_span;
/* For each step the last value that is of it, or null; null behind the last one is left out. NULL: failed. */
SVC_PRIVATE svc_node *svc_reported_series(svc_call *c, const svc_id *cluster, svc_str process, svc_str metric, const svc_reported_span *span);
/* Logins as access history shows them, the newest first; asked: `from`, `until` and `hosts` of the question. NULL: failed. */
SVC_PRIVATE svc_node *svc_reported_logins(svc_call *c, const svc_id *cluster, const svc_node *asked);

#endif /* SVC_CLUSTER_BASE_H */

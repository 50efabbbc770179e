/*
** Clusters as other areas see them: hardware (cluster_hardware.c), the data stored next to the JSON (cluster_kept.c), the
** fields (cluster_object.c), the names of hosts (cluster_connection.c), and the processes of a cluster (processes.c).
**
** The rule: the files of this area know only clusters, so every area may use them. The nouns, and the operations on
** clusters, are in deployment/.
*/
#ifndef SVC_CLUSTER_BASE_H
#define SVC_CLUSTER_BASE_H

#include "catalog/catalog.h"

#define CLUSTER_KIND "clus"
#define FLEX_KIND "flex"
/* Names of nouns below clusters whose content is part of a driver's orders for the cluster. */
#define CLUSTER_PROCESS_ARGS "process arguments"
#define CLUSTER_GLOBAL_WRITES "global writes"
/* Name of the noun that refers to a cluster while it brings data into it. */
#define CLUSTER_LIVE_MIGRATION "live migration"

/*
** The data of a cluster that is stored next to its JSON, as text:
**
**   offset  0  six characters that name the hosts
**           6  time of the last resume: milliseconds since 1970 in 14 digits; all zeros: never
**          20  R: the cluster is UPDATING because its primaries are restarted; otherwise nothing
**    then  L: its hosts are named after the cluster (legacy); otherwise nothing
**    then  F: a legacy cluster that was made on the first provider; otherwise nothing
**    then  its number in its project, from 0, which no other cluster has at the same time; 0 is not written
**    then  its item in the list of all clusters: a JSON object
*/
enum { CLUSTER_ID = 6, CLUSTER_TIME = 14 };
#define CLUSTER_RESTARTING 'R'
#define CLUSTER_LEGACY 'L'
#define CLUSTER_FIRST 'F'

/* cluster_kept.c */
typedef struct svc_cluster_kept {
  char id[CLUSTER_ID];
  int64_t resumed;
  int64_t size; /* bytes of its data, as the driver last measured them; stored in the summary */
  bool restarting, legacy;
  bool first; /* legacy, and made on the first provider: no later provider is named in its hosts */
  unsigned slot; /* its number in its project */
} svc_cluster_kept;
SVC_PRIVATE svc_cluster_kept svc_cluster_kept_of(const svc_entity *e);
SVC_PRIVATE svc_str svc_cluster_extra(svc_call *c, const svc_change *change, const svc_cluster_kept *kept); /* all of it, as text */
SVC_PRIVATE svc_str svc_cluster_summary(const svc_entity *e); /* the JSON object */

/* cluster_object.c */
SVC_DECLARE(const svc_object svc_cluster_common) /* the fields that the tables of all versions share */
/* Policies for managing the workload. No operation sets a policy yet, so the map is empty. All versions but the oldest (2023-01-01) show this field. */
#define CLUSTER_WORKLOAD_POLICIES() \
  { .name = "effectiveIntelligentWorkloadManagementPolicies", .type = SVC_MAP, .item = SVC_STRING, .flags = SVC_READ_ONLY, .preset = "{}" }
SVC_DECLARE(const svc_object svc_cluster_object)
SVC_DECLARE(const svc_object svc_cluster_grant)
SVC_DECLARE(const svc_object svc_cluster_pin)
SVC_DECLARE(const svc_object svc_cluster_status)
SVC_DECLARE(const svc_object svc_cluster_scaling_mode)
SVC_DECLARE(const svc_object svc_cluster_process_args)
SVC_PRIVATE bool svc_cluster_imports(svc_call *c, const svc_entity *cluster);    /* cluster_kept.c: whether a migration imports data into it */

/* cluster_hardware.c */
SVC_DECLARE(const svc_object svc_cluster_spec) /* a replication spec: regions and the hardware of their nodes */
SVC_DECLARE(const svc_object svc_cluster_spec_by_zone) /* the same in version 2023-02-01: all shards of a zone */
SVC_PRIVATE bool (svc_cluster_fail)(svc_call *c, const svc_change *change, int code); /* refuses with the cluster's name; returns false */
#define svc_cluster_fail(...) (svc_cluster_fail(__VA_ARGS__), false)
SVC_PRIVATE bool svc_cluster_is(const svc_node *body, const char *field, const char *value);
SVC_PRIVATE bool svc_cluster_is_tenant(const svc_node *body);
SVC_PRIVATE int64_t svc_cluster_electable(const svc_node *region); /* number of electable nodes in a region */
SVC_PRIVATE int64_t svc_cluster_spec_nodes(const svc_node *spec);  /* number of nodes of a replication spec */
SVC_PRIVATE int64_t svc_cluster_node_count(const svc_node *body); /* number of nodes of all of them */
SVC_PRIVATE size_t svc_cluster_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most);

/* cluster_connection.c: names of hosts, and connection strings made from a struct of inputs. */
SVC_PRIVATE bool svc_cluster_host_taken(svc_call *c, const char *kind, const char id[CLUSTER_ID]); /* whether a resource of this kind in the
                                                                                                      project has these characters */
/* Six characters that name the hosts, made from the cluster's id. No other cluster of the project has the same; flex clusters
** are not compared. */
SVC_PRIVATE void svc_cluster_host_id(svc_call *c, const svc_id *cluster, char out[CLUSTER_ID]);
SVC_PRIVATE void svc_cluster_begin(svc_call *c, const svc_change *change, svc_cluster_kept *kept); /* fills in these for a new cluster */
/*
** The inputs of connection strings: the cluster, and the network of its project, which network_reach.c reads.
*/
typedef struct svc_cluster_endpoint { /* a customer's private endpoint */
  int64_t number;   /* per cluster and provider: no two clusters of a project share a number */
  svc_str provider; /* "AWS" */
  svc_str region;   /* "US_EAST_1" */
  svc_str id;       /* "vpce-0a1b" */
} svc_cluster_endpoint;
typedef struct svc_cluster_reach {
  const svc_node *body; /* of the cluster */
  const char *id;       /* CLUSTER_ID characters */
  svc_id group;
  const char *scheme, *domain;
  bool peered;       /* a customer's network is peered with that of the cluster */
  bool custom_dns;   /* the project wants separate names for private addresses, even at AWS */
  bool private_only; /* private IP mode */
  bool regionalized; /* each region has its own endpoints */
  bool legacy;       /* created when hosts were named after their cluster, */
  bool first;        /* on the first provider: its names stay when the provider changes */
  const svc_cluster_endpoint *endpoints;
  size_t endpoint_count;
} svc_cluster_reach;
/* The inputs without the network. */
SVC_PRIVATE svc_cluster_reach svc_cluster_reach_of(const svc_call *c, const svc_node *body, const svc_cluster_kept *kept);
SVC_PRIVATE svc_str svc_cluster_stem(svc_arena *a, const svc_cluster_reach *r); /* prefix of its host names: "a1b2c3" */
SVC_PRIVATE svc_str svc_cluster_tail(svc_arena *a, const svc_cluster_reach *r); /* suffix of its host names: ".2f8k1.db.local" */
SVC_PRIVATE void svc_cluster_lower(svc_buf *b, svc_str text); /* writes "US_EAST_1" in the form of host names: "us-east-1" */
SVC_PRIVATE bool svc_cluster_connected(const svc_node *body); /* whether it has hosts yet */
SVC_PRIVATE svc_str svc_cluster_hosts(const svc_entity *e); /* the hosts in its connection string: "a:27017,b:27017" */
SVC_PRIVATE bool svc_cluster_driven(const svc_entity *e); /* whether a driver named these hosts; then only the driver knows more about them */
SVC_DECLARE(const svc_object svc_host_facts) /* a driver's facts about how a cluster of any kind is reached */
/* The parts of a connection string. */
typedef struct svc_cluster_way {
  svc_str scheme, hosts; /* "a:27017,b:27017" */
  svc_str set;           /* the replica set; empty: not named */
  svc_str path;          /* the part after the hosts; empty: made from the other members */
  bool ssl;
} svc_cluster_way;
SVC_PRIVATE svc_str svc_cluster_string(svc_arena *a, const svc_cluster_way *way);
SVC_PRIVATE void svc_cluster_simulated_hosts(svc_arena *a, const svc_cluster_reach *r, svc_node *facts); /* adds facts in the form that a
                                                                                                            driver reports */
/* svc_cluster_driven_again() replaces the hosts in the public string. svc_cluster_driven_strings() makes the public strings from facts;
** scheme: if the facts have none. */
SVC_PRIVATE void svc_cluster_driven_again(svc_arena *a, const svc_node *hosts, svc_node *strings);
SVC_PRIVATE void svc_cluster_driven_strings(svc_arena *a, const char *scheme, const svc_node *facts, svc_node *strings);
SVC_PRIVATE void svc_cluster_network_strings(svc_arena *a, const svc_cluster_reach *r, svc_node *strings); /* adds the strings that depend
                                                                                                              on the network */

/* processes.c */
/* Applications connect to a server of a replica set, or to a router of a sharded cluster. */
enum { CLUSTER_PORT = 27017, CLUSTER_ROUTER_PORT = 27016 };
#define SVC_NO_NODE UINT_MAX
typedef struct svc_process {
  svc_str id;          /* "a1b2c3-shard-00-00.2f8k1.db.local:27017" */
  svc_str host;
  int64_t port;
  svc_str alias;       /* the host name with the cluster's name in it */
  svc_str replica_set; /* empty: none */
  svc_str shard;       /* empty: the cluster has no shards, or the process serves all of them */
  const char *type;    /* "REPLICA_PRIMARY" */
  unsigned spec, node; /* indexes of its replication spec and node; SVC_NO_NODE: not in the specification */
  int64_t down_since;  /* 0: it is up */
  svc_str version;     /* its own version, as a driver reported it; empty: the cluster's version */
} svc_process;

typedef struct svc_processes { /* the processes of a cluster */
  svc_entity cluster;
  svc_node *body; /* the body of that cluster */
  bool sharded;
  svc_process *at;
  size_t count;
} svc_processes;

/* Lists all processes of a cluster below the path's project, inside the request's transaction. False: failed. */
SVC_PRIVATE bool svc_processes_of(svc_call *c, const svc_entity *cluster, svc_processes *out);
/* Finds the process with this id, or the first process on this host. False: 404, or failed. */
SVC_PRIVATE bool svc_process_find(svc_call *c, svc_str id, svc_processes *of, svc_process *out);
SVC_PRIVATE bool svc_process_of_path(svc_call *c, svc_processes *of, svc_process *out); /* the process of {processId} */
SVC_PRIVATE bool svc_process_runs(const svc_process *p); /* whether it can be measured */
/* The region of a node, and whether the node is electable. NULL: the specification does not have the node. *elects
** is true for a process without a node, such as a host that a driver has named. */
SVC_PRIVATE const svc_node *svc_process_region(const svc_processes *of, const svc_process *p, bool *elects);

/* process_states.c: down times, elections and versions of processes. */
#define CLUSTER_PROCESS_STATES "process state"
#define CLUSTER_PROCESS_STATES_KIND "pcst"
SVC_PRIVATE bool svc_process_states_of(svc_call *c, const svc_id *cluster, svc_node **out); /* *out NULL: nothing is recorded. False:
                                                                                               failed */
SVC_PRIVATE void svc_process_states_apply(svc_processes *of, const svc_node *states);
SVC_PRIVATE bool svc_process_was_up(const svc_node *states, svc_str id, int64_t at);
SVC_PRIVATE int svc_process_elections(const svc_node *states, svc_str set, int64_t since); /* number of elections of this replica set
                                                                                              since then */
SVC_PRIVATE svc_str svc_process_led(const svc_node *states, svc_str set, int64_t at); /* the last process that was elected by then;
                                                                                         empty: none */
SVC_DECLARE(const svc_object svc_process_news)
/* Records news of processes, an array of svc_process_news, and writes the events. */
SVC_PRIVATE bool svc_process_states_tell(svc_call *c, const svc_entity *cluster, const svc_node *news);

/* reported.c: measurements and logins that a driver has reported. */
#define CLUSTER_MEASUREMENTS "reported measurement"
#define CLUSTER_MEASUREMENTS_KIND "rpms"
#define CLUSTER_MEASUREMENTS_KEPT (2 * SVC_DAY_MS)
#define CLUSTER_LOGINS "reported login"
#define CLUSTER_LOGINS_KIND "rplg"
#define CLUSTER_LOGINS_KEPT (7 * SVC_DAY_MS)
SVC_DECLARE(const char *const svc_process_metric_names[]) /* ends with NULL */
SVC_DECLARE(const svc_object svc_measurement_news)
SVC_DECLARE(const svc_object svc_login_news)
SVC_DECLARE(const svc_object svc_login_shown) /* a login as the access history shows it */
/* Stores "measurements" and "logins" of a report. False: refused, with violations, or failed. */
SVC_PRIVATE bool svc_reported_take(svc_call *c, const svc_entity *cluster, const svc_node *news);
/* The last value of a process's metric, at most an hour old. False: none, or failed. */
SVC_PRIVATE bool svc_reported_latest(svc_call *c, const svc_id *cluster, svc_str process, svc_str metric, double *out);
typedef struct svc_reported_span {
  int64_t from, until, step; /* seconds */
} svc_reported_span;
/* The last value in each step, or null; ends with the last value that is not null. NULL: failed. */
SVC_PRIVATE svc_node *svc_reported_series(svc_call *c, const svc_id *cluster, svc_str process, svc_str metric, const svc_reported_span *span);
/* Logins as the access history shows them, newest first; asked: `from`, `until` and `hosts` of the question. NULL: failed. */
SVC_PRIVATE svc_node *svc_reported_logins(svc_call *c, const svc_id *cluster, const svc_node *asked);

#endif /* SVC_CLUSTER_BASE_H */

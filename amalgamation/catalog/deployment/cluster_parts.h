/*
** What the parts of clusters share: cluster.c, the noun; cluster_hardware.c; cluster_specs.c; cluster_connection.c;
** cluster_actions.c; and what nouns below clusters ask of them.
*/
#ifndef SVC_CLUSTER_PARTS_H
#define SVC_CLUSTER_PARTS_H

#define CLUSTER_KIND "clus"
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
SVC_DECLARE(const svc_object svc_cluster_object)
SVC_DECLARE(const svc_object svc_cluster_grant)
SVC_DECLARE(const svc_object svc_cluster_pin)
SVC_DECLARE(const svc_object svc_cluster_status)
SVC_DECLARE(const svc_object svc_cluster_scaling_mode)
SVC_DECLARE(const svc_object svc_cluster_process_args)

/* cluster_actions.c: what is done to a cluster besides changing its fields, each the run function of a route. */
enum svc_cluster_due { CLUSTER_DUE_RESUME = SVC_DUE_OWN, CLUSTER_DUE_PIN, CLUSTER_DUE_GRANT }; /* ends of a pause, a pin, a grant */
SVC_PRIVATE bool svc_cluster_run_status(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_scaling_mode(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_pin(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_unpin(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_grant(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_revoke(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_restart(svc_call *c);
SVC_PRIVATE bool svc_cluster_acts(svc_call *c, svc_change *change); /* in `prepare`: true where it is one of these, and all is done */
SVC_PRIVATE bool svc_cluster_is_changed(const svc_change *change); /* its fields, or what is set below it; it is no such action */
SVC_PRIVATE bool svc_cluster_ended(svc_call *c, svc_change *change, int tag);    /* a pin or a grant is over; false: it is neither */
SVC_PRIVATE bool svc_cluster_restarts(const svc_change *change);                 /* are its primaries being restarted? */
SVC_PRIVATE bool svc_cluster_imports(svc_call *c, const svc_entity *cluster);    /* does data come from elsewhere, by a migration? */
SVC_PRIVATE bool svc_cluster_named(svc_call *c, svc_str name, svc_entity *out); /* in the path's project; false: 404 */
/* Of what is set below a cluster: may it be (false: refused), and then, it was. Between them change->body may be changed. */
SVC_PRIVATE bool svc_cluster_open(svc_call *c, const svc_entity *cluster, svc_change *out);
SVC_PRIVATE bool svc_cluster_open_own(svc_call *c, const svc_entity *cluster, svc_change *out); /* of what shared tiers have not */
SVC_PRIVATE bool svc_cluster_updates(svc_call *c, svc_change *change);
SVC_PRIVATE svc_node *svc_cluster_desired(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_cluster_loaded(svc_call *c, svc_str name); /* sample data has come into it; one that is gone has no use for it */

/* transfer_parts.c: what it sends. rates: {"internet":40}, in thousandths of a gigabyte an hour; NULL: nothing is said of it. */
#define CLUSTER_TRANSFER_KIND "ctrf"
#define CLUSTER_TRANSFER_HOUR ((int64_t)3600000)
enum { CLUSTER_TRANSFER_MEASURE = SVC_DUE_OWN }; /* of its own: the driver is asked anew */
SVC_PRIVATE size_t svc_transfer_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most);
SVC_PRIVATE void svc_transfer_take(svc_call *c, svc_node *body, const svc_node *rates);
SVC_PRIVATE bool svc_transfer_put(svc_call *c, const svc_entity *cluster, const svc_node *body, const svc_node *rates);
SVC_PRIVATE bool svc_transfer_stop(svc_call *c, const svc_entity *cluster);
/* Without a driver: of one that has so many bytes of data. */
SVC_PRIVATE bool svc_transfer_simulate(svc_call *c, const svc_entity *cluster, const svc_node *body, int64_t size);

/* tenant_upgrade.c */
SVC_DECLARE(const svc_object svc_cluster_legacy) /* the shape that clusters had once */
SVC_PRIVATE bool svc_cluster_run_upgrade(svc_call *c);

/* cluster_hardware.c */
SVC_DECLARE(const svc_object svc_cluster_spec) /* a replication spec: regions, and what nodes run on there */
SVC_PRIVATE bool (svc_cluster_fail)(svc_call *c, const svc_change *change, int code); /* refused, by its name; false */
#define svc_cluster_fail(...) (svc_cluster_fail(__VA_ARGS__), false)
SVC_PRIVATE bool svc_cluster_is(const svc_node *body, const char *field, const char *value);
SVC_PRIVATE bool svc_cluster_is_tenant(const svc_node *body);
SVC_PRIVATE int64_t svc_cluster_electable(const svc_node *region); /* nodes of a region that can be elected */
SVC_PRIVATE int64_t svc_cluster_spec_nodes(const svc_node *spec);  /* of one replication spec, */
SVC_PRIVATE int64_t svc_cluster_node_count(const svc_node *body); /* and of all of them */
SVC_PRIVATE size_t svc_cluster_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most);

/* cluster_specs.c */
SVC_PRIVATE bool svc_cluster_specs(svc_call *c, svc_change *change); /* its replicationSpecs, checked and filled in */

/* cluster_zones.c */
/* The spec before `end` (NULL: of all) whose field has this value; NULL: none. */
SVC_PRIVATE const svc_node *svc_cluster_spec_with(const svc_node *specs, const svc_node *end, const char *field, svc_str value);
SVC_PRIVATE bool svc_cluster_zone_of(svc_call *c, const svc_node *specs, const svc_node *old_specs, svc_node *spec); /* filled in */
SVC_PRIVATE bool svc_cluster_zones_kept(svc_call *c, const svc_change *change, const svc_node *specs); /* false: refused */

/* cluster_rules.c: all rules of a body, its specs too, which are filled in. */
SVC_PRIVATE bool svc_cluster_rules(svc_call *c, svc_change *change);
SVC_PRIVATE bool svc_cluster_name_free(svc_call *c, svc_str name); /* of a new one, flex or not: its beginning; false: refused */

/* cluster_connection.c */
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
SVC_PRIVATE svc_str svc_cluster_hosts(const svc_entity *e); /* those in its connection string: "a:27017,b:27017" */
SVC_PRIVATE void svc_cluster_strings(svc_arena *a, const svc_cluster_reach *r, svc_node *strings); /* into this object */
SVC_PRIVATE bool svc_cluster_connect(svc_call *c, svc_node *body, const svc_cluster_kept *kept); /* its connection strings */
/* The same of one that is stored, where they are others now. */
struct svc_network_now;
SVC_PRIVATE bool svc_cluster_reconnect(svc_call *c, const svc_entity *stored, const struct svc_network_now *now);
SVC_PRIVATE bool svc_cluster_facts(svc_call *c, svc_change *change, const svc_node *facts); /* of a driver */

#endif /* SVC_CLUSTER_PARTS_H */

/*
** What the parts of clusters share: cluster.c, the noun; cluster_specs.c; cluster_rules.c; cluster_actions.c; and what nouns below
** clusters ask of them. What other areas know of a cluster: catalog/cluster.
*/
#ifndef SVC_CLUSTER_PARTS_H
#define SVC_CLUSTER_PARTS_H

#include "catalog/cluster/cluster_base.h"

/* cluster_actions.c: what is done to a cluster besides changing its fields, each the run function of a route. */
enum svc_cluster_due { CLUSTER_DUE_RESUME = SVC_DUE_OWN, CLUSTER_DUE_PIN, CLUSTER_DUE_GRANT }; /* ends of a pause, a pin, a grant */
SVC_PRIVATE bool svc_cluster_run_status(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_scaling_mode(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_pin(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_unpin(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_grant(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_revoke(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_restart(svc_call *c);
SVC_PRIVATE bool svc_cluster_has_outage(svc_call *c, const svc_id *cluster); /* is an outage of it simulated? */
SVC_PRIVATE bool svc_cluster_maintain(svc_call *c, const svc_entity *cluster); /* the same, of an idle one, for maintenance */
SVC_PRIVATE bool svc_cluster_acts(svc_call *c, svc_change *change); /* in `prepare`: true where it is one of these, and all is done */
SVC_PRIVATE bool svc_cluster_is_changed(const svc_change *change); /* its fields, or what is set below it; it is no such action */
SVC_PRIVATE bool svc_cluster_ended(svc_call *c, svc_change *change, int tag);    /* a pin or a grant is over; false: it is neither */
SVC_PRIVATE bool svc_cluster_restarts(const svc_change *change);                 /* are its primaries being restarted? */
SVC_PRIVATE bool svc_cluster_named(svc_call *c, svc_str name, svc_entity *out); /* in the path's project; false: 404 */
/* Of what is set below a cluster: may it be (false: refused), and then, it was. Between them change->body may be changed. */
SVC_PRIVATE bool svc_cluster_open(svc_call *c, const svc_entity *cluster, svc_change *out);
SVC_PRIVATE bool svc_cluster_open_own(svc_call *c, const svc_entity *cluster, svc_change *out); /* of what shared tiers have not */
SVC_PRIVATE bool svc_cluster_updates(svc_call *c, svc_change *change);
SVC_PRIVATE svc_node *svc_cluster_desired(svc_call *c, const svc_entity *e);
/* Data has come into it, as facts say ("dataSizeBytes", "transfer"); one that is gone has no use for it. */
SVC_PRIVATE bool svc_cluster_loaded(svc_call *c, svc_str name, const svc_node *facts);

/* transfer_parts.c: what it sends. rates: {"internet":40}, in thousandths of a gigabyte an hour; empty: it is to be measured now; NULL: nothing is
** said of it. */
#define CLUSTER_TRANSFER_KIND "ctrf"
#define CLUSTER_TRANSFER_HOUR ((int64_t)3600000)
enum { CLUSTER_TRANSFER_MEASURE = SVC_DUE_OWN }; /* of its own: the driver is asked anew */
SVC_PRIVATE size_t svc_transfer_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most);
SVC_PRIVATE void svc_transfer_take(svc_call *c, svc_node *body, const svc_node *rates);
SVC_PRIVATE bool svc_transfer_put(svc_call *c, const svc_entity *cluster, const svc_node *body, const svc_node *rates);
SVC_PRIVATE bool svc_transfer_stop(svc_call *c, const svc_entity *cluster);
/* That a simulated cluster with so many bytes of data sends something, into facts. */
SVC_PRIVATE bool svc_transfer_simulate(svc_call *c, int64_t size, svc_node *facts);

/* cluster_facts.c: orders to the driver, and what it says. */
SVC_DECLARE(const svc_order_row svc_cluster_orders[])
SVC_DECLARE(const svc_object svc_cluster_transfer_facts)
SVC_PRIVATE bool svc_cluster_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts);
SVC_PRIVATE bool svc_cluster_facts(svc_call *c, svc_change *change, const svc_node *facts);
SVC_DECLARE(const svc_object svc_cluster_reports) /* what a driver reports of a cluster */
SVC_PRIVATE bool svc_cluster_reported(svc_call *c, svc_change *change, const svc_node *news);

/* cluster_diff.c: what events show of one that has changed. */
SVC_DECLARE(const svc_diff svc_cluster_diff)

/* tenant_upgrade.c */
SVC_DECLARE(const svc_object svc_cluster_legacy) /* the shape that clusters had once */
SVC_PRIVATE svc_node *svc_cluster_from_legacy(svc_call *c, const svc_node *sent); /* in the newest shape; NULL: no memory */
SVC_PRIVATE svc_node *svc_cluster_as_legacy(svc_call *c, const svc_node *body);   /* and back; NULL: no memory */
SVC_PRIVATE bool svc_cluster_legacy_sound(svc_call *c, const svc_node *sent); /* what its table cannot say; false: refused */

/* tenant_upgrade_run.c */
SVC_PRIVATE bool svc_cluster_run_upgrade(svc_call *c);

/* version_rows.c, cluster_versions.c, cluster_legacy.c: older versions of clusters (svc_older). */
SVC_DECLARE(const svc_object svc_cluster_20230201)
SVC_DECLARE(const svc_older svc_cluster_older[])
SVC_DECLARE(const svc_older svc_cluster_older_create[])
SVC_DECLARE(const svc_older svc_cluster_older_change[])
SVC_PRIVATE bool svc_cluster_by_zone(svc_call *c, svc_node *shown); /* with numShards and diskSizeGB, as in 2023-02-01; false: refused */
SVC_PRIVATE bool svc_cluster_by_zone_upgrade(svc_call *c, svc_node *body, const svc_node *before);
SVC_PRIVATE bool svc_cluster_either_upgrade(svc_call *c, svc_node *body, const svc_node *before); /* 2024-08-05, or in words of 2023-02-01 */
SVC_PRIVATE void svc_cluster_by_shard(svc_call *c, svc_node *body, const svc_node *before); /* and back */
SVC_PRIVATE bool svc_cluster_legacy_upgrade(svc_call *c, svc_node *body, const svc_node *before);
SVC_PRIVATE bool svc_cluster_legacy_downgrade(svc_call *c, svc_node *shown);

/* cluster_scaling.c: a cluster that changes its own hardware. The record that looks at its load: monitoring/autoscaling.c. */
#define CLUSTER_SCALING_KIND "cscl"
#define CLUSTER_SCALING_EVERY ((int64_t)3600000) /* milliseconds */
SVC_PRIVATE bool svc_cluster_scaling_follows(svc_call *c, const svc_change *change, const svc_entity *cluster); /* the record comes, or goes */
/* Nodes scale as electable ones (with the read-only ones) or as analytics nodes: kind is SVC_NODES_ELECTABLE or SVC_NODES_ANALYTICS. */
SVC_PRIVATE const svc_node *svc_cluster_scaling_of(const svc_node *spec, int kind, const char *what); /* settings of a shard: "compute", "diskGB" */
SVC_PRIVATE const char *svc_cluster_scaling_next(svc_call *c, const svc_node *spec, int kind, bool up); /* the next size within bounds; NULL: none */
/* A step: begin, set what is to be on specs of out->body, keep. *may false: something else is done to it. *done false: rules refuse it. */
SVC_PRIVATE bool svc_cluster_scaling_begin(svc_call *c, const svc_entity *cluster, svc_change *out, bool *may);
SVC_PRIVATE void svc_cluster_scaling_set(svc_call *c, svc_node *spec, int kind, const char *size, int64_t gigabytes); /* NULL, 0: stays */
SVC_PRIVATE bool svc_cluster_scaling_keep(svc_call *c, svc_change *change, const char *event, bool *done);

/* cluster_specs.c */
SVC_PRIVATE const char *const *svc_cluster_sizes_of(const svc_node *region); /* instance sizes of its provider */
SVC_PRIVATE bool svc_cluster_specs(svc_call *c, svc_change *change); /* its replicationSpecs, checked and filled in */

/* cluster_nodes.c: what is left open of nodes. `azure`: one of the cluster's regions is of that provider. */
SVC_PRIVATE int svc_cluster_size_number(svc_str size); /* sizes of one class are greater the greater it is: M10, M30_GEN_2, M400_NVME; R40 */
SVC_PRIVATE bool svc_cluster_is_in(const svc_node *specs, const char *provider); /* is one of its regions? */
SVC_PRIVATE void svc_cluster_nodes_open(svc_call *c, const svc_node *spec, svc_node *region, bool azure); /* before it is checked: kinds and disks */
SVC_PRIVATE void svc_cluster_nodes_finish(svc_call *c, const svc_node *spec); /* behind that: the speed of disks, the order of regions */
SVC_PRIVATE void svc_cluster_nodes_effective(svc_call *c, svc_node *body); /* last: what of the specs is in effect, which is all of them */

/* cluster_zones.c */
#define CLUSTER_ZONE "Zone 1" /* the zone of a spec that names none */
/* The spec before `end` (NULL: of all) whose field has this value; NULL: none. */
SVC_PRIVATE const svc_node *svc_cluster_spec_with(const svc_node *specs, const svc_node *end, const char *field, svc_str value);
SVC_PRIVATE bool svc_cluster_zone_of(svc_call *c, const svc_node *specs, const svc_node *old_specs, svc_node *spec); /* filled in */
SVC_PRIVATE bool svc_cluster_zones_kept(svc_call *c, const svc_change *change, const svc_node *specs); /* false: refused */

/* cluster_rules.c: all rules of a body, its specs too, which are filled in. */
SVC_PRIVATE bool svc_cluster_rules(svc_call *c, svc_change *change);
SVC_PRIVATE bool svc_cluster_name_free(svc_call *c, svc_str name); /* of a new one, flex or not: its beginning; false: refused */

#endif /* SVC_CLUSTER_PARTS_H */

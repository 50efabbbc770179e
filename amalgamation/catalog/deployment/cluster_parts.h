/*
** Functions that the parts of clusters share, and those that nouns below clusters call. catalog/cluster has what other
** areas need. The parts:
**
**   cluster.c                the noun: routes, lifecycle, and the hooks that call the other parts
**   cluster_actions.c        operations other than changes of fields: pins, grants, restarts
**   cluster_rules.c          rules of a body; cluster_specs.c: those of replication specs; cluster_nodes.c, cluster_zones.c: parts of specs
**   cluster_scaling.c        automatic changes of hardware
**   cluster_facts.c          orders to the driver, facts and reports; cluster_diff.c: members of events
**   cluster_versions.c       the older version 2023-02-01; cluster_legacy.c: 2023-01-01; version_rows.c: the rows of both
**   tenant_upgrade.c         the shape of 2023-01-01 and its conversion; tenant_upgrade_run.c: the operation tenantUpgrade
**   transfer_parts.c         the data that a cluster sends
**
** Nouns that use them: cluster_configuration.c, cluster_summary.c, global_writes.c, maintenance_window.c, online_archive.c,
** outage_simulation.c, process_args.c, rolling_index.c, sample_dataset.c, the nouns of flex clusters (flex_parts.h), and
** nouns of the areas migration and monitoring.
*/
#ifndef SVC_CLUSTER_PARTS_H
#define SVC_CLUSTER_PARTS_H

#include "catalog/cluster/cluster_base.h"

/* due steps: end of a pause (handled in cluster.c), of a pin, of a grant (both in cluster_actions.c) */
enum svc_cluster_due { CLUSTER_DUE_RESUME = SVC_DUE_OWN, CLUSTER_DUE_PIN, CLUSTER_DUE_GRANT };

/* cluster_actions.c: operations other than changes of fields; svc_cluster_run_... are the run functions of routes. */
SVC_PRIVATE bool svc_cluster_run_status(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_scaling_mode(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_pin(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_unpin(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_grant(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_revoke(svc_call *c);
SVC_PRIVATE bool svc_cluster_run_restart(svc_call *c);
SVC_PRIVATE bool svc_cluster_has_outage(svc_call *c, const svc_id *cluster); /* whether an outage of the cluster is simulated */
SVC_PRIVATE bool svc_cluster_maintain(svc_call *c, const svc_entity *cluster); /* restarts the primaries of an idle cluster, for
                                                                                  maintenance */
SVC_PRIVATE bool svc_cluster_acts(svc_call *c, svc_change *change); /* for `prepare`: true if the change is such an operation, and
                                                                       complete */
SVC_PRIVATE bool svc_cluster_is_changed(const svc_change *change); /* whether fields, or resources below, change */
SVC_PRIVATE bool svc_cluster_ended(svc_call *c, svc_change *change, int tag);    /* ends a pin or a grant; false: the tag is of neither */
SVC_PRIVATE bool svc_cluster_restarts(const svc_change *change);                 /* whether its primaries are restarting */
SVC_PRIVATE bool svc_cluster_named(svc_call *c, svc_str name, svc_entity *out); /* in the path's project; false: 404 */
/* Changes of resources below a cluster: svc_cluster_open() checks whether the change is allowed (false: refused),
** svc_cluster_updates() updates the cluster afterwards. In between, the caller may change change->body. */
SVC_PRIVATE bool svc_cluster_open(svc_call *c, const svc_entity *cluster, svc_change *out);
SVC_PRIVATE bool svc_cluster_open_own(svc_call *c, const svc_entity *cluster, svc_change *out); /* not on shared tiers */
SVC_PRIVATE bool svc_cluster_updates(svc_call *c, svc_change *change);
SVC_PRIVATE svc_node *svc_cluster_desired(svc_call *c, const svc_entity *e);
/* Data was loaded into the cluster, with these facts ("dataSizeBytes", "transfer"). Does nothing if the cluster no longer
** exists. */
SVC_PRIVATE bool svc_cluster_loaded(svc_call *c, svc_str name, const svc_node *facts);

/* transfer_parts.c: the data that a cluster sends. rates: {"internet":40}, in thousandths of a gigabyte per hour; empty: to
** be measured now; NULL: not reported. */
#define CLUSTER_TRANSFER_KIND "ctrf"
#define CLUSTER_TRANSFER_HOUR ((int64_t)3600000)
enum { CLUSTER_TRANSFER_MEASURE = SVC_DUE_OWN }; /* due step: asks the driver again */
SVC_PRIVATE size_t svc_transfer_meters(svc_call *c, const svc_node *body, svc_meter *out, size_t most);
SVC_PRIVATE void svc_transfer_take(svc_call *c, svc_node *body, const svc_node *rates);
SVC_PRIVATE bool svc_transfer_put(svc_call *c, const svc_entity *cluster, const svc_node *body, const svc_node *rates);
SVC_PRIVATE bool svc_transfer_stop(svc_call *c, const svc_entity *cluster);
/* Adds to the facts that a simulated cluster sends data, if it has any: `size` is the number of bytes. */
SVC_PRIVATE bool svc_transfer_simulate(svc_call *c, int64_t size, svc_node *facts);

/* cluster_facts.c: orders to the driver, and its facts and reports. */
SVC_DECLARE(const svc_order_row svc_cluster_orders[])
SVC_DECLARE(const svc_object svc_cluster_transfer_facts)
SVC_PRIVATE bool svc_cluster_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts);
SVC_PRIVATE bool svc_cluster_facts(svc_call *c, svc_change *change, const svc_node *facts);
SVC_DECLARE(const svc_object svc_cluster_reports) /* reports of a driver on a cluster */
SVC_PRIVATE bool svc_cluster_reported(svc_call *c, svc_change *change, const svc_node *news);

/* cluster_diff.c: members of events about changed clusters. */
SVC_DECLARE(const svc_diff svc_cluster_diff)

/* tenant_upgrade.c */
SVC_DECLARE(const svc_object svc_cluster_legacy) /* the shape of clusters in version 2023-01-01 */
SVC_PRIVATE svc_node *svc_cluster_from_legacy(svc_call *c, const svc_node *sent); /* to the newest shape; NULL: out of memory */
SVC_PRIVATE svc_node *svc_cluster_as_legacy(svc_call *c, const svc_node *body);   /* to the older shape; NULL: out of memory */
SVC_PRIVATE bool svc_cluster_legacy_sound(svc_call *c, const svc_node *sent); /* rules beyond its table; false: refused */

/* tenant_upgrade_run.c */
SVC_PRIVATE bool svc_cluster_run_upgrade(svc_call *c);

/* version_rows.c, cluster_versions.c, cluster_legacy.c: older versions of clusters (svc_older). */
SVC_DECLARE(const svc_object svc_cluster_20230201)
SVC_DECLARE(const svc_older svc_cluster_older[])
SVC_DECLARE(const svc_older svc_cluster_older_create[])
SVC_DECLARE(const svc_older svc_cluster_older_change[])
SVC_PRIVATE bool svc_cluster_by_zone(svc_call *c, svc_node *shown); /* with numShards and diskSizeGB, as in 2023-02-01; false: refused */
SVC_PRIVATE bool svc_cluster_by_zone_upgrade(svc_call *c, svc_node *body, const svc_node *before);
SVC_PRIVATE bool svc_cluster_either_upgrade(svc_call *c, svc_node *body, const svc_node *before); /* shape of 2024-08-05 or 2023-02-01 */
SVC_PRIVATE void svc_cluster_by_shard(svc_call *c, svc_node *body, const svc_node *before); /* reverse of svc_cluster_by_zone() */
SVC_PRIVATE bool svc_cluster_legacy_upgrade(svc_call *c, svc_node *body, const svc_node *before);
SVC_PRIVATE bool svc_cluster_legacy_downgrade(svc_call *c, svc_node *shown);

/* cluster_scaling.c: automatic changes of a cluster's hardware. monitoring/autoscaling.c has the record that watches its load. */
#define CLUSTER_SCALING_KIND "cscl"
#define CLUSTER_SCALING_EVERY ((int64_t)3600000) /* milliseconds */
/* adds or deletes the record */
SVC_PRIVATE bool svc_cluster_scaling_follows(svc_call *c, const svc_change *change, const svc_entity *cluster);
/* Electable and read-only nodes scale together, analytics nodes separately: kind is SVC_NODES_ELECTABLE or SVC_NODES_ANALYTICS. */
/* settings of a shard: "compute", "diskGB" */
SVC_PRIVATE const svc_node *svc_cluster_scaling_of(const svc_node *spec, int kind, const char *what);
/* next size within bounds, or NULL */
SVC_PRIVATE const char *svc_cluster_scaling_next(svc_call *c, const svc_node *spec, int kind, bool up);
/* A step: begin, set the new hardware on specs of out->body, keep. *may false: the cluster is not IDLE, is paused, has hosts of a
** driver, or another operation is in progress. *done false: refused by the rules. */
SVC_PRIVATE bool svc_cluster_scaling_begin(svc_call *c, const svc_entity *cluster, svc_change *out, bool *may);
/* NULL, 0: unchanged */
SVC_PRIVATE void svc_cluster_scaling_set(svc_call *c, svc_node *spec, int kind, const char *size, int64_t gigabytes);
SVC_PRIVATE bool svc_cluster_scaling_keep(svc_call *c, svc_change *change, const char *event, bool *done);

/* cluster_specs.c */
SVC_PRIVATE const char *const *svc_cluster_sizes_of(const svc_node *region); /* the instance sizes of its provider */
SVC_PRIVATE bool svc_cluster_specs(svc_call *c, svc_change *change); /* checks and fills in replicationSpecs */
SVC_PRIVATE double svc_cluster_disk_size(const svc_node *nodes); /* in GB; 0: unknown */

/* cluster_nodes.c: default hardware of nodes. `azure`: the cluster has a region of AZURE. */
SVC_PRIVATE int svc_cluster_size_number(svc_str size); /* number in the size, which orders the sizes of a class: M10, M30_GEN_2,
                                                          M400_NVME; R40 */
SVC_PRIVATE bool svc_cluster_is_in(const svc_node *specs, const char *provider); /* whether any region is on this provider */
/* before the checks: kinds and disks */
SVC_PRIVATE void svc_cluster_nodes_open(svc_call *c, const svc_node *spec, svc_node *region, bool azure);
SVC_PRIVATE void svc_cluster_nodes_finish(svc_call *c, const svc_node *spec); /* after the checks: speed of disks, order of regions */
SVC_PRIVATE void svc_cluster_nodes_effective(svc_call *c, svc_node *body); /* last: copies the specs to the effective fields */

/* cluster_zones.c */
#define CLUSTER_ZONE "Zone 1" /* default zone of a spec */
/* The first spec before `end` (NULL: of all specs) whose field has this value; NULL: none. */
SVC_PRIVATE const svc_node *svc_cluster_spec_with(const svc_node *specs, const svc_node *end, const char *field, svc_str value);
/* sets zoneName and zoneId */
SVC_PRIVATE bool svc_cluster_zone_of(svc_call *c, const svc_node *specs, const svc_node *old_specs, svc_node *spec);
SVC_PRIVATE bool svc_cluster_zones_kept(svc_call *c, const svc_change *change, const svc_node *specs); /* false: refused */

/* cluster_rules.c: all rules of a body. Also checks its specs and fills them in. */
SVC_PRIVATE bool svc_cluster_rules(svc_call *c, svc_change *change);
SVC_PRIVATE bool svc_cluster_name_free(svc_call *c, svc_str name); /* for a new cluster or flex cluster: checks the prefix of its name;
                                                                      false: refused */

#endif /* SVC_CLUSTER_PARTS_H */

/*
** Functions and tables that the nouns of backups share, in backup_clock.c, backup_record.c, backup_rules.c and others; and
** the kinds of the nouns that look each other up.
*/
#ifndef SVC_BACKUP_PARTS_H
#define SVC_BACKUP_PARTS_H

#include "catalog/values.h"

#define BACKUP_SCHEDULE_KIND "bsch"
#define SNAPSHOT_KIND "snap"
#define DELETED_CLUSTER_KIND "dclu"
#define RESTORE_JOB_KIND "rsjb"
#define EXPORT_JOB_KIND "exjb"

enum {
  SVC_BACKUP_ITEMS = 32,         /* maximum items of a policy */
  SVC_BACKUP_SNAPSHOTS = 2500,   /* maximum snapshots of a cluster */
  SVC_BACKUP_KEPT = 2000,        /* of these, the maximum that a policy may keep; the others are left for snapshots on demand */
  SVC_BACKUP_JOBS = 500,         /* maximum restore jobs, and maximum export jobs, of a cluster */
  SVC_BACKUP_JOB_DAYS = 90       /* days for which jobs are kept, from their creation */
};

SVC_LIST svc_values_retention_units[] = { "days", "weeks", "months", "years", NULL };
/* The intervals of all frequencies; backup_rules.c checks which belong to which frequency. The first one is for snapshots on demand. */
SVC_LIST svc_values_snapshot_intervals[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14",
                                             "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "40", NULL };
SVC_LIST svc_values_snapshot_frequencies[] = { "hourly", "daily", "weekly", "monthly", "yearly", NULL };

/* A moment as databases count it: a second, and a counter within it. */
SVC_SHARED svc_field svc_fields_db_time[] = {
  F_DATE("date", .flags = SVC_READ_ONLY),
  F_INT("increment", .flags = SVC_READ_ONLY)
};
SVC_SHARED svc_object svc_object_db_time = { .name = "DatabaseTimestamp", .fields = SVC_ROWS(svc_fields_db_time) };

/* ---- backup_clock.c: when policies ask for snapshots, and how long these are kept */

enum svc_backup_frequency { SVC_BACKUP_HOURLY, SVC_BACKUP_DAILY, SVC_BACKUP_WEEKLY, SVC_BACKUP_MONTHLY, SVC_BACKUP_YEARLY,
                            SVC_BACKUP_ON_DEMAND };

typedef struct svc_retention {
  int unit; /* index in svc_values_retention_units */
  int64_t value;
  int64_t days; /* in addition */
} svc_retention;

typedef struct svc_backup_item {
  svc_str id;
  int frequency; /* enum svc_backup_frequency */
  int64_t interval;
  svc_retention keep;
} svc_backup_item;

typedef struct svc_backup_plan { /* of a cluster, from its schedule */
  svc_backup_item items[SVC_BACKUP_ITEMS];
  size_t count;
  const char *field; /* field with the items, for errors */
  /* If set, errors name the field that this function returns, for a resource that shows the items as fields of its own. NULL: `field`
  ** is used. */
  const char *(*named)(const svc_backup_item *item, const char *field);
  int64_t reference; /* milliseconds of the day */
} svc_backup_plan;

SVC_PRIVATE int svc_backup_frequency(svc_str name);  /* ignores case; also accepts ON_DEMAND; -1: unknown */
SVC_PRIVATE bool svc_backup_item_of(const svc_node *item, svc_backup_item *out); /* false: the item is invalid */
SVC_PRIVATE void svc_backup_plan_of(const svc_node *schedule, svc_backup_plan *out);
/* The first moment after `after`; 0: none. */
SVC_PRIVATE int64_t svc_backup_next(const svc_backup_item *item, int64_t reference, int64_t after);
SVC_PRIVATE int64_t svc_backup_expiry(svc_retention keep, int64_t from);
SVC_PRIVATE bool svc_backup_shorter(int64_t until, int64_t was); /* whether a snapshot expires earlier than before; 0: never */
SVC_PRIVATE int64_t svc_backup_days(svc_retention keep, bool most); /* its length in days: the minimum, or (most) the maximum */
/* The first moment after `after` whose snapshot would still be kept at `now`; 0: never. */
SVC_PRIVATE int64_t svc_backup_next_kept(const svc_backup_plan *plan, int64_t after, int64_t now);

/* ---- backup_record.c: a cluster, as its backups see it */

/* Finds the cluster that a resource of backups belongs to. False: refused. */
SVC_PRIVATE bool svc_backup_cluster(svc_call *c, const svc_id *id, svc_entity *out);
/* The same, but also finds a deleted cluster with retained snapshots (deleted_cluster.c). */
SVC_PRIVATE bool svc_backup_source(svc_call *c, const svc_id *id, svc_entity *out);
SVC_PRIVATE bool svc_backup_absent(svc_call *c, const svc_entity *cluster); /* answers 404, because the cluster has no backups; returns
                                                                               false */
SVC_PRIVATE bool svc_backup_enabled(svc_call *c, const svc_entity *cluster); /* false: 404 */
SVC_PRIVATE svc_str svc_replica_set_name(svc_call *c, const svc_entity *cluster, size_t shard);
/* The schedule of a cluster, which also has the other records of its backups. SVC_NOT_FOUND: the cluster has none yet. */
SVC_PRIVATE int svc_backup_record(svc_call *c, const svc_id *cluster, svc_entity *out);
SVC_PRIVATE svc_node *svc_backup_notes(svc_call *c, svc_str extra); /* the notes, stored next to the JSON; NULL: out of memory */
SVC_PRIVATE svc_str svc_backup_notes_text(svc_call *c, const svc_node *notes);
SVC_PRIVATE bool svc_backup_note(svc_call *c, const svc_entity *cluster, const char *name, svc_str text);
SVC_PRIVATE bool svc_backup_put_extra(svc_call *c, const svc_entity *stored, svc_str extra); /* changes nothing else of the record */
/* *out: the text of the note; empty: no such note. */
SVC_PRIVATE bool svc_backup_note_get(svc_call *c, const svc_id *cluster, const char *name, svc_str *out);

/* For cluster.c. svc_backup_follows() starts and stops backups with the cluster's backupEnabled. A cluster cannot be changed during
** a restore. */
SVC_PRIVATE bool svc_backup_follows(svc_call *c, const svc_change *change, const svc_entity *cluster);
SVC_PRIVATE bool svc_backup_restoring(svc_call *c, const svc_id *cluster); /* whether it is being restored */
SVC_PRIVATE bool svc_backup_allows(svc_call *c, const svc_change *change); /* whether a compliance policy allows a change of a cluster;
                                                                              false: refused */

/* ---- backup_rules.c: the rules for policies */
/* svc_backup_items_check() checks only the items and the restore window, under the field names of another resource.
** svc_backup_policy_check() checks a whole schedule. */
SVC_PRIVATE bool svc_backup_items_check(svc_call *c, const svc_node *schedule,
                                        const char *(*named)(const svc_backup_item *item, const char *field));
SVC_PRIVATE bool svc_backup_policy_check(svc_call *c, const svc_node *schedule, const svc_entity *cluster);
/* Compliance policies: the minimum that each schedule of a project must provide. */
SVC_PRIVATE const svc_node *svc_compliance(svc_call *c); /* policy of the call's project; NULL: none, or c->error is set */
SVC_PRIVATE bool svc_compliance_kept(svc_call *c, const svc_node *before, const svc_node *body); /* whether a new policy is as strict as
                                                                                                    before; false: refused */
SVC_PRIVATE bool svc_compliance_met(svc_call *c, const svc_node *schedule, svc_str cluster); /* false: refused */
/* Whether the schedule provides everything that the policy demands. */
SVC_PRIVATE bool svc_compliance_covers(const svc_node *policy, const svc_node *schedule);
SVC_PRIVATE svc_node *svc_backup_policy_items(svc_call *c, svc_node *schedule); /* items of its only policy, created if missing; NULL: out
                                                                                   of memory */
SVC_PRIVATE bool svc_compliance_raise(svc_call *c, const svc_node *policy, svc_node *schedule); /* raises the schedule to the policy */
SVC_PRIVATE bool svc_backup_least_check(svc_call *c, const svc_node *policy); /* rules for the compliance policy itself */

/* ---- backup_apply.c: applies policies to existing snapshots */
enum { SVC_BACKUP_DUE_APPLY = SVC_DUE_OWN }; /* of a schedule: the next step */
SVC_PRIVATE bool svc_backup_apply(svc_call *c, svc_change *change); /* one step; the note keeps the remaining work */

/* ---- snapshot_acts.c: functions on snapshots for other files */
SVC_PRIVATE bool svc_snapshot_get(svc_call *c, const svc_entity *cluster, svc_str id, svc_entity *out); /* false: 404 */
SVC_PRIVATE bool svc_snapshot_of_path(svc_call *c, svc_entity *out); /* the {snapshotId} of the path, for views that are nouns of their
                                                                        own */
/* Starts a scheduled snapshot. items: the policy items that asked for it, a JSON array of ids. */
SVC_PRIVATE bool svc_snapshot_start(svc_call *c, const svc_entity *cluster, svc_node *items, int frequency, int64_t expiry);
SVC_PRIVATE bool svc_snapshot_keep_until(svc_call *c, const svc_entity *snapshot, int64_t when);
SVC_PRIVATE bool svc_snapshot_removing(svc_call *c, const svc_entity *e); /* false: a compliance policy keeps it */
/* For cluster.c. svc_backup_removing(): whether a delete of the cluster may delete its snapshots; false: refused.
** svc_backup_retains(): whether its snapshots are retained, as the request says, otherwise the cluster. */
SVC_PRIVATE bool svc_backup_removing(svc_call *c, const svc_entity *cluster);
SVC_PRIVATE bool svc_backup_retains(svc_call *c, const svc_entity *cluster);
SVC_PRIVATE bool svc_snapshot_is_sharded(const svc_entity *e);
/* The members and configServerType of a snapshot of a sharded cluster; NULL: out of memory. */
SVC_PRIVATE svc_node *svc_snapshot_shards(svc_call *c, const svc_entity *snapshot);
SVC_PRIVATE bool svc_snapshot_list_sharded(svc_call *c, svc_node *(*view)(svc_call *c, const svc_entity *e, void *context));

/* ---- snapshot_copies.c */
/* Keeps the copies of a snapshot in `regions` (an array of names), or, with `others`, in all regions but these; drops the others.
** regions NULL: keeps all copies, for as long as the schedule now says. */
SVC_PRIVATE bool svc_snapshot_copies(svc_call *c, const svc_entity *snapshot, const svc_node *regions, bool others);

/* ---- restore_acts.c: functions that restores of all kinds share */
/* A restore to a cluster of another project requires the same roles there. */
SVC_PRIVATE bool svc_restore_target(svc_call *c, svc_str group, svc_str name, svc_entity *out); /* false: refused */
/* svc_restore_download() adds a download of the snapshot. False: refused, because there are too many. svc_restore_claim() notes with the
** target that this job restores it; source: the cluster that the job belongs to. */
SVC_PRIVATE bool svc_restore_download(svc_call *c, const svc_entity *snapshot, const svc_id *job);
SVC_PRIVATE bool svc_restore_claim(svc_call *c, const svc_entity *target, const svc_id *source, const svc_id *job);
/* Whether the cluster can be restored to this moment. False: refused. */
SVC_PRIVATE bool svc_restore_reaches(svc_call *c, const svc_entity *cluster, int64_t second);

/* ---- export_acts.c */
SVC_PRIVATE bool svc_export_uses(svc_call *c, const svc_entity *bucket); /* whether a running job writes to it */
SVC_PRIVATE bool svc_export_claim(svc_call *c, const svc_entity *job, svc_str bucket); /* records that this job writes to it */
/* Exports a completed snapshot to the bucket that its cluster's schedule names. */
SVC_PRIVATE bool svc_export_begin(svc_call *c, const svc_entity *cluster, svc_str snapshot, svc_str bucket);

/* backup_zones.c: upgrades and downgrades for the schedule before 2024-08-05, see svc_older. */
#define BACKUP_SPEC_ID "replicationSpecId"
SVC_PRIVATE bool svc_backup_zones_upgrade(svc_call *c, svc_node *body, const svc_node *before);
SVC_PRIVATE bool svc_backup_zones_downgrade(svc_call *c, svc_node *shown);

/* backup_data.c: the data in a backup. job: a restore into a cluster. */
SVC_PRIVATE int64_t svc_snapshot_simulated_size(svc_call *c, const svc_id *cluster);
SVC_PRIVATE bool svc_restore_there(svc_call *c, const svc_change *job, svc_entity *target); /* whether the target still exists */
SVC_PRIVATE bool svc_restore_brings(svc_call *c, const svc_change *job, const svc_entity *target); /* the restore is finished: gives the
                                                                                                      target the data */
SVC_PRIVATE bool svc_restore_simulate(svc_call *c, const svc_change *job, svc_node *facts);
SVC_PRIVATE bool svc_restore_facts(svc_call *c, const svc_change *job, const svc_node *facts);

#endif /* SVC_BACKUP_PARTS_H */

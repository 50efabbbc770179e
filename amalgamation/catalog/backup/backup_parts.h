/*
** What the nouns of backups share: backup_clock.c, backup_record.c and backup_rules.c, and the kinds of the nouns that look
** each other up.
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
  SVC_BACKUP_ITEMS = 32,         /* of one policy */
  SVC_BACKUP_SNAPSHOTS = 2500,   /* of one cluster */
  SVC_BACKUP_KEPT = 2000,        /* of these, what a policy may ask for; the others are for what is taken on demand */
  SVC_BACKUP_JOBS = 500,         /* restores, and exports, of one cluster */
  SVC_BACKUP_JOB_DAYS = 90       /* that are kept when they are over */
};

SVC_LIST svc_values_retention_units[] = { "days", "weeks", "months", "years", NULL };
/* How often, of any frequency: which of these it is for which stands in backup_rules.c. The first is for what is taken on demand. */
SVC_LIST svc_values_snapshot_intervals[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14",
                                             "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "40", NULL };
SVC_LIST svc_values_snapshot_frequencies[] = { "hourly", "daily", "weekly", "monthly", "yearly", NULL };

/* A moment as databases count it: the second, and a counter in it. */
SVC_SHARED svc_field svc_fields_db_time[] = {
  F_DATE("date", .flags = SVC_READ_ONLY),
  F_INT("increment", .flags = SVC_READ_ONLY)
};
SVC_SHARED svc_object svc_object_db_time = { .name = "DatabaseTimestamp", .fields = SVC_ROWS(svc_fields_db_time) };

/* ---- backup_clock.c: when policies ask for snapshots, and how long they are kept */

enum svc_backup_frequency { SVC_BACKUP_HOURLY, SVC_BACKUP_DAILY, SVC_BACKUP_WEEKLY, SVC_BACKUP_MONTHLY, SVC_BACKUP_YEARLY,
                            SVC_BACKUP_ON_DEMAND };

typedef struct svc_retention {
  int unit; /* index in svc_values_retention_units */
  int64_t value;
  int64_t days; /* on top */
} svc_retention;

typedef struct svc_backup_item {
  svc_str id;
  int frequency; /* enum svc_backup_frequency */
  int64_t interval;
  svc_retention keep;
} svc_backup_item;

typedef struct svc_backup_plan { /* of a cluster, as its schedule says it */
  svc_backup_item items[SVC_BACKUP_ITEMS];
  size_t count;
  const char *field; /* where they stand, for errors */
  /* Errors name this field instead, for a resource that shows the items as fields of its own. NULL: as `field` says. */
  const char *(*named)(const svc_backup_item *item, const char *field);
  int64_t reference; /* milliseconds of the day */
} svc_backup_plan;

SVC_PRIVATE int svc_backup_frequency(svc_str name);  /* in whatever case, ON_DEMAND as well; -1: none */
SVC_PRIVATE bool svc_backup_item_of(const svc_node *item, svc_backup_item *out); /* false: it makes no sense */
SVC_PRIVATE void svc_backup_plan_of(const svc_node *schedule, svc_backup_plan *out);
/* The first one after it; 0: there is none. */
SVC_PRIVATE int64_t svc_backup_next(const svc_backup_item *item, int64_t reference, int64_t after);
SVC_PRIVATE int64_t svc_backup_expiry(svc_retention keep, int64_t from);
SVC_PRIVATE int64_t svc_backup_days(svc_retention keep, bool most); /* how many that are, at least or at the most */
/* The first time after this one at which a snapshot is to be taken that is still kept at `now`; 0: never. */
SVC_PRIVATE int64_t svc_backup_next_kept(const svc_backup_plan *plan, int64_t after, int64_t now);

/* ---- backup_record.c: a cluster, as its backups see it */

/* Of an entity of the path, or the one that something is below: *out, or refused. */
SVC_PRIVATE bool svc_backup_cluster(svc_call *c, const svc_id *id, svc_entity *out);
/* The same, also one that is gone and has left snapshots behind (deleted_cluster.c). */
SVC_PRIVATE bool svc_backup_source(svc_call *c, const svc_id *id, svc_entity *out);
SVC_PRIVATE bool svc_backup_absent(svc_call *c, const svc_entity *cluster); /* false, and 404: the cluster has no backups */
SVC_PRIVATE bool svc_backup_enabled(svc_call *c, const svc_entity *cluster); /* false: 404 */
SVC_PRIVATE svc_str svc_replica_set_name(svc_call *c, const svc_entity *cluster, size_t shard);
/* The schedule of a cluster, which also keeps what else is known of its backups. SVC_NOT_FOUND: it has none yet. */
SVC_PRIVATE int svc_backup_record(svc_call *c, const svc_id *cluster, svc_entity *out);
SVC_PRIVATE svc_node *svc_backup_notes(svc_call *c, svc_str extra); /* what is beside its body; NULL: no memory */
SVC_PRIVATE svc_str svc_backup_notes_text(svc_call *c, const svc_node *notes);
SVC_PRIVATE bool svc_backup_note(svc_call *c, const svc_entity *cluster, const char *name, svc_str text);
SVC_PRIVATE bool svc_backup_put_extra(svc_call *c, const svc_entity *stored, svc_str extra); /* nothing else of it changes */
/* Its text; none: empty. */
SVC_PRIVATE bool svc_backup_note_get(svc_call *c, const svc_id *cluster, const char *name, svc_str *out);

/* For cluster.c: backups begin and end with its backupEnabled; it is not changed while it is being restored. */
SVC_PRIVATE bool svc_backup_follows(svc_call *c, const svc_change *change, const svc_entity *cluster);
SVC_PRIVATE bool svc_backup_restoring(svc_call *c, const svc_id *cluster); /* is it? */
SVC_PRIVATE bool svc_backup_allows(svc_call *c, const svc_change *change); /* a change of a cluster; false: refused */

/* ---- backup_rules.c: what policies may say */
/* The same for the items and the restore window alone, with the names that another resource has for them. */
SVC_PRIVATE bool svc_backup_items_check(svc_call *c, const svc_node *schedule,
                                        const char *(*named)(const svc_backup_item *item, const char *field));
SVC_PRIVATE bool svc_backup_policy_check(svc_call *c, const svc_node *schedule, const svc_entity *cluster);
/* Compliance policies: what each schedule of a project must say at least. */
SVC_PRIVATE const svc_node *svc_compliance(svc_call *c); /* of the call's project; NULL: there is none, or c->error */
SVC_PRIVATE bool svc_compliance_kept(svc_call *c, const svc_node *before, const svc_node *body); /* it asks for no less; false: refused */
SVC_PRIVATE bool svc_compliance_met(svc_call *c, const svc_node *schedule, svc_str cluster); /* false: refused */
/* Does the schedule say all of it? */
SVC_PRIVATE bool svc_compliance_covers(const svc_node *policy, const svc_node *schedule);
SVC_PRIVATE svc_node *svc_backup_policy_items(svc_call *c, svc_node *schedule); /* of its one policy, which is made where there is none; NULL: no memory */
SVC_PRIVATE bool svc_compliance_raise(svc_call *c, const svc_node *policy, svc_node *schedule); /* now it does */
SVC_PRIVATE bool svc_backup_least_check(svc_call *c, const svc_node *policy); /* its own rules */

/* ---- backup_apply.c: policies, applied to the snapshots that are there */
enum { SVC_BACKUP_DUE_APPLY = SVC_DUE_OWN }; /* of a schedule: the next step is due */
SVC_PRIVATE bool svc_backup_apply(svc_call *c, svc_change *change); /* a step; what is left to do stays in the note */

/* ---- snapshot_acts.c: what others do with snapshots */
SVC_PRIVATE bool svc_snapshot_get(svc_call *c, const svc_entity *cluster, svc_str id, svc_entity *out); /* false: 404 */
SVC_PRIVATE bool svc_snapshot_of_path(svc_call *c, svc_entity *out); /* for views that are nouns of their own: {snapshotId} */
/* Taken by the schedule, for these of its items (a JSON array of ids). */
SVC_PRIVATE bool svc_snapshot_start(svc_call *c, const svc_entity *cluster, svc_node *items, int frequency, int64_t expiry);
SVC_PRIVATE bool svc_snapshot_keep_until(svc_call *c, const svc_entity *snapshot, int64_t when);
SVC_PRIVATE bool svc_snapshot_removing(svc_call *c, const svc_entity *e); /* a compliance policy keeps it */
/* For cluster.c: its snapshots would go as well. Or they stay: that is what the request asks for, else the cluster says so. */
SVC_PRIVATE bool svc_backup_removing(svc_call *c, const svc_entity *cluster);
SVC_PRIVATE bool svc_backup_retains(svc_call *c, const svc_entity *cluster);
SVC_PRIVATE bool svc_snapshot_is_sharded(const svc_entity *e);
/* Its members and configServerType, of one of shards; NULL: no memory. */
SVC_PRIVATE svc_node *svc_snapshot_shards(svc_call *c, const svc_entity *snapshot);
SVC_PRIVATE bool svc_snapshot_list_sharded(svc_call *c, svc_node *(*view)(svc_call *c, const svc_entity *e, void *context));

/* ---- snapshot_copies.c */
/* Its copies stay where `regions` (an array of names) says so; or, `others`, everywhere else; and as long as the schedule says
** now. NULL: all of them stay. */
SVC_PRIVATE bool svc_snapshot_copies(svc_call *c, const svc_entity *snapshot, const svc_node *regions, bool others);

/* ---- restore_acts.c: what restores are, whichever way they are asked for */
/* Who may restore to a cluster of another project: these roles are held there. */
SVC_PRIVATE bool svc_restore_target(svc_call *c, svc_str group, svc_str name, svc_entity *out); /* false: refused */
/* One more download of it; false: refused. */
SVC_PRIVATE bool svc_restore_download(svc_call *c, const svc_entity *snapshot, const svc_id *job);
SVC_PRIVATE bool svc_restore_claim(svc_call *c, const svc_entity *target, const svc_id *source, const svc_id *job);
/* Can the cluster be taken back to that moment? False: refused. */
SVC_PRIVATE bool svc_restore_reaches(svc_call *c, const svc_entity *cluster, int64_t second);

/* ---- export_acts.c */
SVC_PRIVATE bool svc_export_uses(svc_call *c, const svc_entity *bucket); /* is a job under way that writes there? */
SVC_PRIVATE bool svc_export_claim(svc_call *c, const svc_entity *job, svc_str bucket); /* this one does, from now on */
/* A completed snapshot goes into the bucket that its cluster's schedule names. */
SVC_PRIVATE bool svc_export_begin(svc_call *c, const svc_entity *cluster, svc_str snapshot, svc_str bucket);

/* backup_zones.c: the schedule before 2024-08-05, see svc_older. */
#define BACKUP_SPEC_ID "replicationSpecId"
SVC_PRIVATE bool svc_backup_zones_upgrade(svc_call *c, svc_node *body, const svc_node *before);
SVC_PRIVATE bool svc_backup_zones_downgrade(svc_call *c, svc_node *shown);

/* backup_data.c: the data in a backup. job: a restore into a cluster. */
SVC_PRIVATE int64_t svc_snapshot_simulated_size(svc_call *c, const svc_id *cluster);
SVC_PRIVATE bool svc_restore_there(svc_call *c, const svc_change *job, svc_entity *target); /* the target may be gone by now */
SVC_PRIVATE bool svc_restore_brings(svc_call *c, const svc_change *job, const svc_entity *target); /* it has ended: the target has the data */
SVC_PRIVATE bool svc_restore_simulate(svc_call *c, const svc_change *job, svc_node *facts);
SVC_PRIVATE bool svc_restore_facts(svc_call *c, const svc_change *job, const svc_node *facts);

#endif /* SVC_BACKUP_PARTS_H */

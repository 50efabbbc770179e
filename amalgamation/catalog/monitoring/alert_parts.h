/*
** What alert configurations, alerts, their notices and the rounds that measure have in common.
*/
#ifndef SVC_ALERT_PARTS_H
#define SVC_ALERT_PARTS_H

#include "catalog/catalog.h"
#include "catalog/monitoring/process_parts.h"

#define SVC_ALERT_NOTIFICATIONS 25 /* of one configuration */
#define SVC_ALERT_CONFIG "alert configuration"
#define SVC_ALERT_CONFIG_KIND "acfg"

/* alert_rules.c: what an alert configuration may say. */
enum svc_alert_on { /* what its event types are about */
  SVC_ALERT_ON_ANY,
  SVC_ALERT_ON_HOST,
  SVC_ALERT_ON_REPLICA_SET,
  SVC_ALERT_ON_CLUSTER,
  SVC_ALERT_ON_SCALING,
  SVC_ALERT_ON_FLEX,
  SVC_ALERT_ON_SERVERLESS,
  SVC_ALERT_ON_APP,
  SVC_ALERT_ON_STREAM
};
SVC_DECLARE(const char *const svc_alert_units[])                 /* of metrics; closed by NULL */
enum { SVC_ALERT_UNITS_PLAIN = 18, SVC_ALERT_UNITS_SHORT = 26 }; /* where in it those of plain thresholds begin, and of whole numbers */
SVC_PRIVATE int svc_alert_on(const svc *s, svc_str type); /* enum svc_alert_on */
SVC_PRIVATE bool svc_alert_config_rules(svc_call *c, svc_node *body); /* false: refused; units that were left out are filled in */

/* alert_matchers.c: what narrows a configuration down. */
SVC_DECLARE(const char *const svc_alert_field_names[]) /* of all kinds, closed by NULL */
SVC_DECLARE(const char *const svc_alert_host_types[])  /* the values of TYPE_NAME */
SVC_PRIVATE void svc_alert_matchers_check(svc_call *c, const svc_node *matchers, int on); /* notes violations */
/* Regular expressions of matchers, each compiled once, and the budget that all of them share. Zero: none yet, and no budget. */
#define SVC_ALERT_BUCKETS 64
#define SVC_ALERT_RESULTS 1024
typedef struct svc_alert_patterns {
  int64_t left; /* steps, of about 10 ns; below 0: they are used up, and what is said of a matcher says nothing */
  struct svc_alert_pattern *buckets[SVC_ALERT_BUCKETS]; /* by the text of the pattern */
  struct svc_alert_result *results; /* of patterns and texts that were met before; SVC_ALERT_RESULTS of them, NULL: none */
} svc_alert_patterns;
/* Do all of these fit? The value of a field comes from `value`; empty: it has none. */
typedef svc_str (*svc_alert_value)(void *context, svc_str field_name);
SVC_PRIVATE bool svc_alert_matchers_fit(svc_call *c, const svc_node *matchers, svc_alert_value value, void *context, svc_alert_patterns *patterns);

/* alert_notifications.c: whom a configuration tells. */
SVC_DECLARE(const svc_object svc_alert_notification)
SVC_PRIVATE bool svc_alert_notifications_check(svc_call *c, svc_change *change); /* false: refused */

/* The project's integration of this kind. */
SVC_PRIVATE bool svc_alert_integration(svc_call *c, const svc_id *group, svc_str type, svc_entity *out);

/* alert_defaults.c: default configurations, which are served from a table until the configurations of their project are changed. */
#define SVC_ALERT_DEFAULTS 8
typedef struct svc_alert_watch { /* the configurations of a project that watch one type of event */
  svc_id group;
  bool in_table;      /* they are in the table; else the scan finds them */
  svc_scan scan;
  svc_entity project; /* of those in the table, as all that follows */
  svc_str type;
  size_t row;         /* the next one; SVC_ALERT_DEFAULTS: there are no more */
} svc_alert_watch;
SVC_PRIVATE bool svc_alert_defaults_in_table(const svc_entity *project); /* the project has the defaults, and none is stored */
/* A configuration by its id, in the table: SVC_OK, SVC_NOT_FOUND or SVC_NOMEM. Then, in the table or stored: the same, or the store's error. */
SVC_PRIVATE int svc_alert_default_get(svc_call *c, const svc_entity *project, svc_str key, svc_entity *out);
SVC_PRIVATE int svc_alert_config_get(svc_call *c, const svc_id *group, svc_str key, svc_entity *out);
/* Of a project whose configurations are in the table: answers with a list of all, or of the one that has this id. */
SVC_PRIVATE bool svc_alert_defaults_list(svc_call *c, const svc_entity *project, const svc_id *only);
SVC_PRIVATE bool svc_alert_defaults_watch(svc_call *c, const svc_id *group, svc_str type, const svc_id *after, svc_alert_watch *w); /* false: they are stored */
SVC_PRIVATE bool svc_alert_defaults_next(svc_call *c, svc_alert_watch *w, svc_entity *out);
/* Configurations of the project are about to change: those in the table become stored ones. Call it last of all that may refuse. */
SVC_PRIVATE bool svc_alert_defaults_write(svc_call *c, const svc_id *group);

/* alert_acknowledging.c: somebody knows of it. */
SVC_PRIVATE bool svc_alert_acknowledge(svc_call *c, const svc_change *change, svc_node *body); /* as it was sent, merged; answers */
SVC_PRIVATE void svc_alert_forget(svc_node *body); /* nobody does any longer */

/* alert_acts.c: alerts open and close. */
enum svc_alert_due { SVC_ALERT_DUE_FORGOTTEN = SVC_DUE_OWN, /* the acknowledgement is over */
                     SVC_ALERT_DUE_TOLD };                  /* somebody is to be told */
enum svc_alert_member { SVC_ALERT_CLUSTER, SVC_ALERT_HOST, SVC_ALERT_INSTANCE, SVC_ALERT_PORT, SVC_ALERT_PROCESSOR, SVC_ALERT_SET,
                        SVC_ALERT_SHARD, SVC_ALERT_MEMBERS };
typedef struct svc_alert_met { /* an event, or what is measured, as far as it matters */
  svc_str values[SVC_ALERT_MEMBERS]; /* empty: it is of none */
  svc_str host;   /* HOST:PORT */
  svc_str alias;  /* of the host */
  svc_str type;   /* of the host: PRIMARY */
  svc_str target; /* of one configuration no two have the same */
  bool measured;  /* it is no event, but this figure: */
  bool fits;      /* what the configuration says of it, while that is looked at */
  svc_str metric; /* empty: it has no name */
  svc_str units;  /* those of the threshold */
  double value;   /* in these */
} svc_alert_met;
SVC_PRIVATE void svc_alert_meet(svc_call *c, svc_str body, svc_alert_met *m); /* an event */
SVC_PRIVATE bool svc_alert_fits(svc_call *c, const svc_node *said, svc_alert_met *m, svc_alert_patterns *patterns); /* do the matchers? */
/* What a unique value begins with, in the order of these. */
SVC_PRIVATE void svc_alert_scan(svc_call *c, const char *kind, svc_str prefix, svc_scan *scan);
SVC_PRIVATE bool svc_alert_next(svc_call *c, svc_scan *scan, const char *kind, const svc_id *group, svc_entity *out);
/* The configurations of a project that watch this type, and are on; those behind this one, zero: all. */
SVC_PRIVATE void svc_alert_watching(svc_call *c, const svc_id *group, svc_str type, const svc_id *after, svc_alert_watch *w);
SVC_PRIVATE bool svc_alert_watch_more(svc_alert_watch *w); /* is there another one? */
SVC_PRIVATE bool svc_alert_watch_next(svc_call *c, svc_alert_watch *w, svc_entity *out); /* false: no more, or txn->error is set */
/* The one that is not over, of this configuration and target: SVC_OK, SVC_NOT_FOUND, or the store's error. */
SVC_PRIVATE int svc_alert_of(svc_call *c, const svc_entity *config, const svc_alert_met *m, svc_entity *out);
/* One opens, unless there is one. lasts: something will end it. */
SVC_PRIVATE bool svc_alert_begin(svc_call *c, const svc_entity *config, const svc_node *said, const svc_alert_met *m, bool lasts);
SVC_PRIVATE bool svc_alert_end(svc_call *c, const svc_entity *stored, const char *status);
SVC_PRIVATE bool svc_alert_fell_due(svc_call *c, svc_change *change, int tag);
SVC_PRIVATE bool svc_alert_store(svc_call *c, svc_entity *e, const svc_entity *old, const svc_node *body); /* old NULL: it is new */
/* It was measured: it opens, goes on or closes. opens: how many may yet open. */
SVC_PRIVATE bool svc_alert_measured(svc_call *c, const svc_entity *config, const svc_node *said, const svc_alert_met *m, bool beyond,
                                    int *opens);
struct svc_alert_targets;
/* What it has open of what is not among these, or fits no longer, is over. */
SVC_PRIVATE bool svc_alert_unmeasured(svc_call *c, const svc_entity *config, const struct svc_alert_targets *all);

/* alert_hearing.c: what comes of events. */
#define SVC_ALERT_WAVE "alert wave"
#define SVC_ALERT_WAVE_KIND "awav"
SVC_PRIVATE bool svc_alert_hears(svc_call *c, const char *type, const svc_entity *event); /* of SVC_SEAT_ALERTS */
SVC_PRIVATE bool svc_alert_cancel(svc_call *c, const svc_entity *config); /* all that this one has open */
SVC_PRIVATE bool svc_alert_wave_fell_due(svc_call *c, svc_change *change, int tag);

/* alert_telling.c: who is told of an alert, and when. */
#define SVC_ALERT_NOTICE "alert notice"
SVC_PRIVATE void svc_alert_telling_begin(svc_call *c, svc_entity *alert, const svc_node *said); /* by what its configuration says */
SVC_PRIVATE void svc_alert_telling_end(svc_call *c, svc_entity *alert, bool closed); /* who was told is told that, too */
SVC_PRIVATE bool svc_alert_telling_due(svc_call *c, svc_change *change);
SVC_PRIVATE svc_node *svc_alert_notice_desired(svc_call *c, const svc_entity *e);
SVC_PRIVATE int svc_alert_notice_tell(svc *s, const svc_order *order); /* to svc_config.notify */
SVC_PRIVATE svc_node *svc_alert_notice_secrets(svc_call *c, const svc_entity *e);

/* alert_conditions.c: what is measured, and of what. */
enum svc_alert_of { SVC_ALERT_PROCESSES, SVC_ALERT_SETS, SVC_ALERT_BACKUPS, SVC_ALERT_FLEX, SVC_ALERT_PROCESSORS, SVC_ALERT_PROJECT,
                    SVC_ALERT_ACCOUNTS, SVC_ALERT_AUTHORITIES, SVC_ALERT_CERTIFICATES, SVC_ALERT_OF_COUNT };
typedef struct svc_alert_target {
  svc_alert_met met;
  const svc_processes *cluster; /* that it is of, or is part of; NULL: none */
  const svc_process *process;   /* itself; of a replica set its first member */
  const struct svc_model *model; /* of a flex cluster: its figures are of this */
  svc_str place;                /* of a stream processor: its id, */
  int64_t started;              /* and when it was started, in milliseconds */
  int64_t first, next;          /* milliseconds: the first date that it is about, and the first that has not come yet; 0: none */
  const struct svc_alert_condition *figured; /* of which the figure is worked out, or is known already: `figure`, unless it is not `known` */
  double figure;
  bool known;
} svc_alert_target;
typedef struct svc_alert_targets {
  svc_alert_target *at;
  size_t count, room;
  bool known; /* they have been looked up */
  bool any;   /* there may be some yet, without anybody saying so */
} svc_alert_targets;
/* A place among all that is watched: of a condition (its number), behind one configuration; of the next one, if it is still `config`,
** the first targets have had their turn. Zero: the very first. */
typedef struct svc_alert_place {
  svc_id after, config;
  uint32_t condition, target;
} svc_alert_place;
typedef struct svc_alert_round {
  svc_call *c;
  svc_scope scope;
  struct svc_alert_cluster {
    svc_processes of;
    const struct svc_model *model; /* NULL: nobody has wanted a figure of it yet */
  } *clusters;
  size_t cluster_count;
  svc_alert_targets targets[SVC_ALERT_OF_COUNT];
  svc_alert_place at;   /* where it is: of all that is watched */
  svc_alert_patterns patterns; /* with the steps that the round may yet take */
  int left, opens;      /* figures that may yet be asked for, and alerts that may open */
  int looked;           /* targets that were compared with matchers */
  bool ended;           /* figures or steps are used up: the next round goes on at `at` */
  svc_node *figures;    /* an order is made of them; NULL: none is */
  const svc_node *told; /* what the driver has measured; NULL: figures are the model's */
  const svc_node *next; /* of that, what is likely to be asked for next */
} svc_alert_round;
typedef struct svc_alert_condition {
  const char *begins;        /* type of the event that opens the alert; alert_pairs.c has the one that closes it */
  unsigned char of;          /* enum svc_alert_of */
  bool hourly;               /* from what is stored: nobody is asked */
  bool below;                /* the type takes no threshold: below `limit` it is; else as the configuration says */
  signed char limit;
  const char *asks;          /* the name of the figure, for a driver; NULL: the metric of the threshold */
  const char *units;         /* where the threshold has none: of it, and of what is shown */
  /* In bytes, milliseconds, or as it is: what the store has, or the simulation. False: it is not known. */
  bool (*figure)(svc_alert_round *r, const svc_alert_target *t, double *out);
  unsigned char which;       /* of several that `figure` knows: it finds it in t->figured */
  bool stated;               /* it follows from the states of processes, where a driver does not say it (process_states.c) */
} svc_alert_condition;
SVC_PRIVATE const svc_alert_condition *svc_alert_condition_at(size_t i); /* NULL: there are not so many */
SVC_PRIVATE const svc_alert_condition *svc_alert_condition_of(const svc *s, svc_str type); /* as it is served; NULL: it is not measured */
SVC_PRIVATE const svc_alert_targets *svc_alert_targets_of(svc_alert_round *r, int of); /* NULL: failed */
SVC_PRIVATE const char *svc_alert_asked_by(int of); /* what an order calls such a target */
SVC_PRIVATE const char *svc_alert_unit(svc_str metric, svc_str units); /* that such a metric is measured in */

/* alert_simulated.c: figures of the model of a cluster, where no driver says any. */
SVC_PRIVATE bool svc_alert_simulated(svc_alert_round *r, const svc_alert_target *t, double *out); /* of the metric of its threshold */
SVC_PRIVATE bool svc_alert_oplog_window(svc_alert_round *r, const svc_alert_target *t, double *out);

/* alert_pairs.c: events that open and close alerts. */
typedef struct svc_alert_pair {
  const char *opens, *closes; /* types of events */
  bool measured;              /* only measuring opens and closes it: an event that somebody else writes does not */
} svc_alert_pair;
SVC_PRIVATE const svc_alert_pair *svc_alert_pairs(void); /* closed by a row without `opens` */
SVC_PRIVATE const char *svc_alert_closed_by(const char *type); /* NULL: nothing closes it */

/* alert_stored.c: figures and targets from what is in the store. */
SVC_PRIVATE svc_alert_target *svc_alert_target_add(svc_alert_round *r, svc_alert_targets *all); /* NULL: no memory */
SVC_PRIVATE bool svc_alert_accounts(svc_alert_round *r, svc_alert_targets *out);
SVC_PRIVATE bool svc_alert_authorities(svc_alert_round *r, svc_alert_targets *out);
SVC_PRIVATE bool svc_alert_certificates(svc_alert_round *r, svc_alert_targets *out);
SVC_PRIVATE bool svc_alert_left(svc_alert_round *r, const svc_alert_target *t, double *out);      /* until its first date */
SVC_PRIVATE bool svc_alert_left_next(svc_alert_round *r, const svc_alert_target *t, double *out); /* until the next that is to come */
SVC_PRIVATE bool svc_alert_snapshot_age(svc_alert_round *r, const svc_alert_target *t, double *out);
SVC_PRIVATE bool svc_alert_snapshot_late(svc_alert_round *r, const svc_alert_target *t, double *out);
/* Keys of encryption at rest: for how long each has been the one, and whether it is valid, 1 or 0. */
SVC_PRIVATE bool svc_alert_keys_note(svc_call *c, const svc_scope *scope); /* they have changed */
enum svc_alert_key { SVC_ALERT_KEY_AWS, SVC_ALERT_KEY_AZURE, SVC_ALERT_KEY_GCP, SVC_ALERT_KEY_COUNT };
SVC_PRIVATE bool svc_alert_key_age(svc_alert_round *r, const svc_alert_target *t, double *out);
SVC_PRIVATE bool svc_alert_key_valid(svc_alert_round *r, const svc_alert_target *t, double *out);
/* What the project pays, in dollars: this month, yesterday, and how much more than in the time before. */
SVC_PRIVATE bool svc_alert_bill_month(svc_alert_round *r, const svc_alert_target *t, double *out);
SVC_PRIVATE bool svc_alert_bill_day(svc_alert_round *r, const svc_alert_target *t, double *out);
SVC_PRIVATE bool svc_alert_bill_more(svc_alert_round *r, const svc_alert_target *t, double *out); /* of so many days; 0: of a month */

/* alert_measuring.c: rounds, in which what configurations ask for is measured. */
#define SVC_ALERT_ROUND "alert round"
SVC_PRIVATE bool svc_alert_round_wake(svc_call *c, const svc_scope *scope, bool hourly); /* there is something to measure */
SVC_PRIVATE bool svc_alert_round_may_wake(svc_call *c, const svc_scope *scope); /* something has come, and somebody may watch it */
SVC_PRIVATE bool svc_alert_news(svc_alert_round *r); /* alert_news.c: of r->on_reply, hosts that are down or up again. False: failed */
SVC_PRIVATE int svc_alert_round_get(svc_call *c, const svc_id *group, svc_entity *out); /* SVC_OK, SVC_NOT_FOUND, the store's error */
SVC_PRIVATE bool svc_alert_round_put(svc_call *c, const svc_scope *scope, svc_entity *e, const svc_entity *old); /* old NULL: it is new */
SVC_PRIVATE bool svc_alert_round_fell_due(svc_call *c, svc_change *change, int tag);
SVC_PRIVATE svc_node *svc_alert_round_desired(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_alert_round_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts);
SVC_PRIVATE bool svc_alert_round_facts(svc_call *c, svc_change *change, const svc_node *facts);

#endif /* SVC_ALERT_PARTS_H */

/*
** Functions and types that alert configurations, alerts, their notices and rounds of measuring share. The files:
**
**   alert_config.c           the noun of configurations; alert_rules.c: rules by type of event; alert_defaults.c: the default ones
**   alert_matchers.c         matchers; alert_notifications.c: recipients; alert_matcher_field.c: the noun that lists field names
**   alert.c                  the noun of alerts; alert_acts.c: opens and closes them; alert_acknowledging.c: acknowledgements
**   alert_pairs.c            table: the events that open and close an alert
**   alert_events.c           effects of events; alert_wave.c: the noun of the rest that a later transaction handles
**   alert_round.c            the noun of rounds; alert_measuring.c: what a round does
**   alert_conditions.c       table: the figures; alert_simulated.c: figures of the model; alert_stored.c: figures from the store
**   alert_host_states.c      hosts that the driver measured as down or up
**   alert_sending.c          when notifications are due; alert_notice.c: the noun of a notification that waits for svc_config.notify
**
** Alerts open and close in two ways:
**
** - By an event, in its own transaction: the pipeline calls svc_alert_on_event() with every event. At most 32 configurations are
**   handled at once; a wave handles the rest, with a due step per 32.
** - By the clock: a due step per project, each minute (each hour for figures from the store), measures the figures that enabled
**   configurations watch. A round has at most 1000 figures, 500000 steps of work and 100 new alerts; the next one continues.
**
** An organization has a share of background work (pipeline/work.c), which waves and rounds use together. A project keeps at most
** 500 alerts and 1000 waiting notices.
*/
#ifndef SVC_ALERT_PARTS_H
#define SVC_ALERT_PARTS_H

#include "catalog/catalog.h"
#include "catalog/monitoring/process_parts.h"

#define SVC_ALERT_NOTIFICATIONS 25 /* per configuration */
#define SVC_ALERT_CONFIG "alert configuration"
#define SVC_ALERT_CONFIG_KIND "acfg"

/* alert_rules.c: rules of alert configurations. */
enum svc_alert_on { /* the kind of target of an event type */
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
SVC_DECLARE(const char *const svc_alert_units[])                 /* of metrics; NULL-terminated */
enum { SVC_ALERT_UNITS_PLAIN = 18, SVC_ALERT_UNITS_SHORT = 26 }; /* offsets in it of the units of plain thresholds, and of whole numbers */
SVC_PRIVATE int svc_alert_on(const svc *s, svc_str type); /* enum svc_alert_on */
SVC_PRIVATE bool svc_alert_config_rules(svc_call *c, svc_node *body); /* sets missing units; false: refused */

/* alert_matchers.c: matchers, which narrow a configuration down. */
SVC_DECLARE(const char *const svc_alert_field_names[]) /* of all kinds, NULL-terminated */
SVC_DECLARE(const char *const svc_alert_host_types[])  /* the values of TYPE_NAME */
SVC_PRIVATE void svc_alert_matchers_check(svc_call *c, const svc_node *matchers, int on); /* adds violations */
/* Regular expressions of matchers, each compiled once, and the budget of steps that they share. All zeros: no patterns and no
** budget. */
#define SVC_ALERT_BUCKETS 64
#define SVC_ALERT_RESULTS 1024
typedef struct svc_alert_patterns {
  int64_t left; /* remaining steps, of about 10 ns; below 0: used up, and the result of a matcher is meaningless */
  struct svc_alert_pattern *buckets[SVC_ALERT_BUCKETS]; /* hashed by the text of the pattern */
  struct svc_alert_result *results; /* cache of results per pattern and text; SVC_ALERT_RESULTS of them, NULL: not allocated yet */
} svc_alert_patterns;
/* Whether all matchers fit. `value` returns the value of a field; empty: none. */
typedef svc_str (*svc_alert_value)(void *context, svc_str field_name);
SVC_PRIVATE bool svc_alert_matchers_fit(svc_call *c, const svc_node *matchers, svc_alert_value value, void *context, svc_alert_patterns *patterns);

/* alert_notifications.c: recipients of a configuration. */
SVC_DECLARE(const svc_object svc_alert_notification)
SVC_PRIVATE bool svc_alert_notifications_check(svc_call *c, svc_change *change); /* false: refused */

/* Finds the project's integration of this kind. */
SVC_PRIVATE bool svc_alert_integration(svc_call *c, const svc_id *group, svc_str type, svc_entity *out);

/* alert_defaults.c: default configurations, which are served from a table until the configurations of their project are changed. */
#define SVC_ALERT_DEFAULTS 8
typedef struct svc_alert_watch { /* iterator over the configurations of a project that watch one event type */
  svc_id group;
  bool in_table;      /* whether the configurations are in the table; otherwise the scan finds them */
  svc_scan scan;
  svc_entity project; /* the project, for configurations in the table, like the following members */
  svc_str type;
  size_t row;         /* the next row; SVC_ALERT_DEFAULTS: no more */
} svc_alert_watch;
SVC_PRIVATE bool svc_alert_defaults_in_table(const svc_entity *project); /* whether the project has the defaults, and none is stored */
/* svc_alert_default_get() finds a configuration in the table by id: SVC_OK, SVC_NOT_FOUND or SVC_NOMEM.
** svc_alert_config_get() also finds stored ones, and can return the store's error. */
SVC_PRIVATE int svc_alert_default_get(svc_call *c, const svc_entity *project, svc_str key, svc_entity *out);
SVC_PRIVATE int svc_alert_config_get(svc_call *c, const svc_id *group, svc_str key, svc_entity *out);
/* Answers with a list of all configurations in the table, or of the one with this id. */
SVC_PRIVATE bool svc_alert_defaults_list(svc_call *c, const svc_entity *project, const svc_id *only);
/* Begins the iteration over the configurations in the table. False: the project has none there for this type, so the caller scans the
** stored ones; or the store failed. */
SVC_PRIVATE bool svc_alert_defaults_watch(svc_call *c, const svc_id *group, svc_str type, const svc_id *after, svc_alert_watch *w);
SVC_PRIVATE bool svc_alert_defaults_next(svc_call *c, svc_alert_watch *w, svc_entity *out);
/* Call before a change of the project's configurations: stores those in the table. Call it after everything that can refuse
** the change. */
SVC_PRIVATE bool svc_alert_defaults_write(svc_call *c, const svc_id *group);

/* alert_acknowledging.c: acknowledgement by a user. */
/* body: the stored alert, merged with the body that was sent. Writes the answer. */
SVC_PRIVATE bool svc_alert_acknowledge(svc_call *c, const svc_change *change, svc_node *body);
SVC_PRIVATE void svc_alert_forget(svc_node *body); /* removes the acknowledgement */

/* alert_acts.c: opening and closing of alerts. */
enum svc_alert_due { SVC_ALERT_DUE_FORGOTTEN = SVC_DUE_OWN, /* end of the acknowledgement */
                     SVC_ALERT_DUE_TOLD };                  /* next notification */
enum svc_alert_member { SVC_ALERT_CLUSTER, SVC_ALERT_HOST, SVC_ALERT_INSTANCE, SVC_ALERT_PORT, SVC_ALERT_PROCESSOR, SVC_ALERT_SET,
                        SVC_ALERT_SHARD, SVC_ALERT_MEMBERS };
typedef struct svc_alert_met { /* the relevant members of an event, or of a figure */
  svc_str values[SVC_ALERT_MEMBERS]; /* empty: none */
  svc_str host;   /* HOST:PORT */
  svc_str alias;  /* of the host */
  svc_str type;   /* of the host: PRIMARY */
  svc_str target; /* unique within a configuration */
  bool measured;  /* a figure, or an event that shares the alert of a figure (alert_events.c); with these members: */
  bool fits;      /* whether the matchers of the current configuration fit */
  svc_str metric; /* empty: the figure has no name */
  svc_str units;  /* of the threshold */
  double value;   /* in these units */
} svc_alert_met;
SVC_PRIVATE void svc_alert_meet(svc_call *c, svc_str body, svc_alert_met *m); /* from an event */
/* whether the matchers fit */
SVC_PRIVATE bool svc_alert_fits(svc_call *c, const svc_node *said, svc_alert_met *m, svc_alert_patterns *patterns);
/* Scans the entities of a kind whose unique value begins with a prefix, sorted by that value. */
SVC_PRIVATE void svc_alert_scan(svc_call *c, const char *kind, svc_str prefix, svc_scan *scan);
SVC_PRIVATE bool svc_alert_next(svc_call *c, svc_scan *scan, const char *kind, const svc_id *group, svc_entity *out);
/* The enabled configurations of a project that watch this type, in the order of their ids, after the given id; zero: all. */
SVC_PRIVATE void svc_alert_watching(svc_call *c, const svc_id *group, svc_str type, const svc_id *after, svc_alert_watch *w);
SVC_PRIVATE bool svc_alert_watch_more(svc_alert_watch *w); /* whether there is another one */
SVC_PRIVATE bool svc_alert_watch_next(svc_call *c, svc_alert_watch *w, svc_entity *out); /* false: no more, or txn->error is set */
/* The alert of this configuration and target that is not over: SVC_OK, SVC_NOT_FOUND, or the store's error. */
SVC_PRIVATE int svc_alert_of(svc_call *c, const svc_entity *config, const svc_alert_met *m, svc_entity *out);
/* Opens an alert, unless one exists. lasts: an event or a figure can close the alert; otherwise it is CLOSED at once. */
SVC_PRIVATE bool svc_alert_begin(svc_call *c, const svc_entity *config, const svc_node *said, const svc_alert_met *m, bool lasts);
SVC_PRIVATE bool svc_alert_end(svc_call *c, const svc_entity *stored, const char *status);
SVC_PRIVATE bool svc_alert_fell_due(svc_call *c, svc_change *change, int tag);
SVC_PRIVATE bool svc_alert_store(svc_call *c, svc_entity *e, const svc_entity *old, const svc_node *body); /* old NULL: new */
/* Opens, updates or closes the alert of a figure. *opens: number of alerts that may still open. */
SVC_PRIVATE bool svc_alert_measured(svc_call *c, const svc_entity *config, const svc_node *said, const svc_alert_met *m, bool beyond,
                                    int *opens);
struct svc_alert_targets;
/* Closes the open measured alerts of a configuration whose targets are no longer in the list, or no longer fit. */
SVC_PRIVATE bool svc_alert_unmeasured(svc_call *c, const svc_entity *config, const struct svc_alert_targets *all);

/* alert_events.c: effects of events. */
#define SVC_ALERT_WAVE "alert wave"
#define SVC_ALERT_WAVE_KIND "awav"
SVC_PRIVATE bool svc_alert_on_event(svc_call *c, const char *type, const svc_entity *event); /* of SVC_SEAT_ALERTS */
SVC_PRIVATE bool svc_alert_cancel(svc_call *c, const svc_entity *config); /* its open alerts */
SVC_PRIVATE bool svc_alert_wave_fell_due(svc_call *c, svc_change *change, int tag);

/* alert_sending.c: recipients and times of notifications. */
#define SVC_ALERT_NOTICE "alert notice"
SVC_PRIVATE void svc_alert_sending_begin(svc_call *c, svc_entity *alert, const svc_node *said); /* as its configuration defines */
SVC_PRIVATE void svc_alert_sending_end(svc_call *c, svc_entity *alert, bool closed); /* closed: schedules a final notification of earlier recipients */
/* The acknowledgement that lasted until `was` (0: there was none) now lasts until `until`: notifications that waited for its end follow. */
SVC_PRIVATE void svc_alert_sending_resume(svc_call *c, svc_entity *alert, int64_t was, int64_t until);
SVC_PRIVATE bool svc_alert_sending_due(svc_call *c, svc_change *change);
SVC_PRIVATE svc_node *svc_alert_notice_desired(svc_call *c, const svc_entity *e);
SVC_PRIVATE int svc_alert_notice_tell(svc *s, const svc_order *order); /* to svc_config.notify */
SVC_PRIVATE svc_node *svc_alert_notice_secrets(svc_call *c, const svc_entity *e);

/* alert_conditions.c: figures and their targets. */
enum svc_alert_of { SVC_ALERT_PROCESSES, SVC_ALERT_SETS, SVC_ALERT_BACKUPS, SVC_ALERT_FLEX, SVC_ALERT_PROCESSORS, SVC_ALERT_PROJECT,
                    SVC_ALERT_ACCOUNTS, SVC_ALERT_AUTHORITIES, SVC_ALERT_CERTIFICATES, SVC_ALERT_OF_COUNT };
typedef struct svc_alert_target {
  svc_alert_met met;
  const svc_processes *cluster; /* the target's cluster; NULL: none */
  const svc_process *process;   /* the process itself; of a replica set its first member */
  const struct svc_model *model; /* the model with the figures of a flex cluster */
  svc_str place;                /* of a stream processor: its id */
  int64_t started;              /* of a stream processor: its start, in milliseconds */
  int64_t first, next;          /* milliseconds: the target's earliest date, and its next date in the future; 0: none */
  const struct svc_alert_condition *figured; /* the condition for which `figure` was computed; `known`: whether `figure` has a value */
  double figure;
  bool known;
} svc_alert_target;
typedef struct svc_alert_targets {
  svc_alert_target *at;
  size_t count, room;
  bool known; /* the targets were gathered */
  bool any;   /* new targets can appear without an event */
} svc_alert_targets;
/* A position among all watched figures: a condition (its number), after one configuration. If the next configuration is still
** `config`, measuring skips its first `target` targets. All zeros: the beginning. */
typedef struct svc_alert_place {
  svc_id after, config;
  uint32_t condition, target;
} svc_alert_place;
typedef struct svc_alert_round {
  svc_call *c;
  svc_scope scope;
  struct svc_alert_cluster {
    svc_processes of;
    const struct svc_model *model; /* NULL: not needed so far */
  } *clusters;
  size_t cluster_count;
  svc_alert_targets targets[SVC_ALERT_OF_COUNT];
  svc_alert_place at;   /* current position */
  svc_alert_patterns patterns; /* with the steps that remain for the round */
  int left, opens;      /* figures that may still be requested, and alerts that may still open */
  int looked;           /* targets compared with matchers so far */
  bool ended;           /* figures or steps are used up: the next round continues at `at` */
  svc_node *figures;    /* the figures of an order; NULL: not collecting an order */
  const svc_node *told; /* figures from the driver; NULL: use those of the model */
  const svc_node *next; /* the element of `told` that will probably be requested next */
} svc_alert_round;
typedef struct svc_alert_condition {
  const char *begins;        /* type of the event that opens the alert; alert_pairs.c has the closing one */
  unsigned char of;          /* enum svc_alert_of */
  bool hourly;               /* computed from the store, without the driver */
  bool below;                /* the configuration needs no threshold: the condition holds below `limit` */
  signed char limit;
  const char *asks;          /* name of the figure for a driver; NULL: the metric of the threshold, or hourly: no driver is asked */
  const char *units;         /* default units of the threshold and of the shown value */
  /* Computes the figure, in bytes, milliseconds or plain numbers, from the store or the simulation. False: unknown. */
  bool (*figure)(svc_alert_round *r, const svc_alert_target *t, double *out);
  unsigned char which;       /* variant, for functions with several; `figure` reads it from t->figured */
  bool stated;               /* derived from the states of processes if the driver does not report it (process_states.c) */
} svc_alert_condition;
SVC_PRIVATE const svc_alert_condition *svc_alert_condition_at(size_t i); /* NULL: no such condition */
SVC_PRIVATE const svc_alert_condition *svc_alert_condition_of(const svc *s, svc_str type); /* type: as the API shows it; NULL: not
                                                                                              measured */
SVC_PRIVATE const svc_alert_targets *svc_alert_targets_of(svc_alert_round *r, int of); /* NULL: failed */
SVC_PRIVATE const char *svc_alert_asked_by(int of); /* member of an order that names such a target */
SVC_PRIVATE const char *svc_alert_unit(svc_str metric, svc_str units); /* unit in which the metric is measured */

/* alert_simulated.c: figures from the model of a cluster, without a driver. */
SVC_PRIVATE bool svc_alert_simulated(svc_alert_round *r, const svc_alert_target *t, double *out); /* of its threshold's metric */
SVC_PRIVATE bool svc_alert_oplog_window(svc_alert_round *r, const svc_alert_target *t, double *out);

/* alert_pairs.c: events that open and close alerts. */
typedef struct svc_alert_pair {
  const char *opens, *closes; /* types of events */
  bool measured;              /* only measuring opens and closes it, not an event from elsewhere */
} svc_alert_pair;
SVC_PRIVATE const svc_alert_pair *svc_alert_pairs(void); /* ends with a row without `opens` */
SVC_PRIVATE const char *svc_alert_closed_by(const char *type); /* NULL: nothing closes it */

/* alert_stored.c: figures and targets from the store. */
SVC_PRIVATE svc_alert_target *svc_alert_target_add(svc_alert_round *r, svc_alert_targets *all); /* NULL: out of memory */
SVC_PRIVATE bool svc_alert_accounts(svc_alert_round *r, svc_alert_targets *out);
SVC_PRIVATE bool svc_alert_authorities(svc_alert_round *r, svc_alert_targets *out);
SVC_PRIVATE bool svc_alert_certificates(svc_alert_round *r, svc_alert_targets *out);
SVC_PRIVATE bool svc_alert_left(svc_alert_round *r, const svc_alert_target *t, double *out);      /* time until its first date */
/* time until its next date in the future */
SVC_PRIVATE bool svc_alert_left_next(svc_alert_round *r, const svc_alert_target *t, double *out);
SVC_PRIVATE bool svc_alert_snapshot_age(svc_alert_round *r, const svc_alert_target *t, double *out);
SVC_PRIVATE bool svc_alert_snapshot_late(svc_alert_round *r, const svc_alert_target *t, double *out);
/* Encryption keys: the age of the current key, and whether it is valid, 1 or 0. */
SVC_PRIVATE bool svc_alert_keys_note(svc_call *c, const svc_scope *scope); /* records changes of keys */
enum svc_alert_key { SVC_ALERT_KEY_AWS, SVC_ALERT_KEY_AZURE, SVC_ALERT_KEY_GCP, SVC_ALERT_KEY_COUNT };
SVC_PRIVATE bool svc_alert_key_age(svc_alert_round *r, const svc_alert_target *t, double *out);
SVC_PRIVATE bool svc_alert_key_valid(svc_alert_round *r, const svc_alert_target *t, double *out);
/* Costs of the project in dollars: this month, yesterday, and the increase over the period before. */
SVC_PRIVATE bool svc_alert_bill_month(svc_alert_round *r, const svc_alert_target *t, double *out);
SVC_PRIVATE bool svc_alert_bill_day(svc_alert_round *r, const svc_alert_target *t, double *out);
/* per t->figured->which days; 0: per month */
SVC_PRIVATE bool svc_alert_bill_more(svc_alert_round *r, const svc_alert_target *t, double *out);

/* alert_measuring.c: rounds of measuring. */
#define SVC_ALERT_ROUND "alert round"
SVC_PRIVATE bool svc_alert_round_wake(svc_call *c, const svc_scope *scope, bool hourly); /* schedules a round */
SVC_PRIVATE bool svc_alert_round_may_wake(svc_call *c, const svc_scope *scope); /* a target was added: schedules the round of each minute
                                                                                   if a configuration watches any condition of it */
SVC_PRIVATE bool svc_alert_host_states(svc_alert_round *r); /* alert_host_states.c: stores in process states which hosts are down or up in r->told.
                                                        False: failed */
SVC_PRIVATE int svc_alert_round_get(svc_call *c, const svc_id *group, svc_entity *out); /* SVC_OK, SVC_NOT_FOUND, the store's error */
SVC_PRIVATE bool svc_alert_round_put(svc_call *c, const svc_scope *scope, svc_entity *e, const svc_entity *old); /* old NULL: new */
SVC_PRIVATE bool svc_alert_round_fell_due(svc_call *c, svc_change *change, int tag);
SVC_PRIVATE svc_node *svc_alert_round_desired(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_alert_round_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts);
SVC_PRIVATE bool svc_alert_round_facts(svc_call *c, svc_change *change, const svc_node *facts);

#endif /* SVC_ALERT_PARTS_H */

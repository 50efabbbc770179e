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
SVC_PRIVATE int svc_alert_on(const svc *s, svc_str type); /* enum svc_alert_on */
SVC_PRIVATE bool svc_alert_config_rules(svc_call *c, svc_node *body); /* false: refused; units that were left out are filled in */

/* alert_matchers.c: what narrows a configuration down. */
SVC_DECLARE(const char *const svc_alert_field_names[]) /* of all kinds, closed by NULL */
SVC_PRIVATE void svc_alert_matchers_check(svc_call *c, const svc_node *matchers, int on); /* notes violations */
/* Do all of these fit? The value of a field comes from `value`; empty: it has none. */
typedef svc_str (*svc_alert_value)(void *context, svc_str field_name);
SVC_PRIVATE bool svc_alert_matchers_fit(svc_call *c, const svc_node *matchers, svc_alert_value value, void *context);

/* alert_notifications.c: whom a configuration tells. */
SVC_DECLARE(const svc_object svc_alert_notification)
SVC_PRIVATE bool svc_alert_notifications_check(svc_call *c, svc_change *change); /* false: refused */

/* The project's integration of this kind. */
SVC_PRIVATE bool svc_alert_integration(svc_call *c, const svc_id *group, svc_str type, svc_entity *out);

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
  svc_str type;   /* of the host: PRIMARY */
  svc_str target; /* of one configuration no two have the same */
  bool measured;  /* it is no event, but this figure: */
  bool fits;      /* what the configuration says of it, while that is looked at */
  svc_str metric; /* empty: it has no name */
  svc_str units;  /* those of the threshold */
  double value;   /* in these */
} svc_alert_met;
SVC_PRIVATE void svc_alert_meet(svc_call *c, svc_str body, svc_alert_met *m); /* an event */
SVC_PRIVATE bool svc_alert_fits(svc_call *c, const svc_node *said, svc_alert_met *m); /* do the matchers? */
/* What a unique value begins with, in the order of these. */
SVC_PRIVATE void svc_alert_scan(svc_call *c, const char *kind, svc_str prefix, svc_scan *scan);
SVC_PRIVATE bool svc_alert_next(svc_call *c, svc_scan *scan, const char *kind, const svc_id *group, svc_entity *out);
/* The configurations of a project that watch this type, and are on; those behind this one, zero: all. */
SVC_PRIVATE void svc_alert_watching(svc_call *c, const svc_id *group, svc_str type, const svc_id *after, svc_scan *scan);
/* The one that is not over, of this configuration and target: SVC_OK, SVC_NOT_FOUND, or the store's error. */
SVC_PRIVATE int svc_alert_of(svc_call *c, const svc_entity *config, const svc_alert_met *m, svc_entity *out);
/* One opens, unless there is one. lasts: something will end it. */
SVC_PRIVATE bool svc_alert_begin(svc_call *c, const svc_entity *config, const svc_node *said, const svc_alert_met *m, bool lasts);
SVC_PRIVATE bool svc_alert_end(svc_call *c, const svc_entity *stored, const char *status);
SVC_PRIVATE bool svc_alert_fell_due(svc_call *c, svc_change *change, int tag);
SVC_PRIVATE void svc_alert_date(svc_call *c, svc_node *body, const char *name, int64_t when);
SVC_PRIVATE bool svc_alert_store(svc_call *c, svc_entity *e, const svc_entity *old, const svc_node *body); /* old NULL: it is new */
/* It was measured: it opens, goes on or closes. */
SVC_PRIVATE bool svc_alert_measured(svc_call *c, const svc_entity *config, const svc_node *said, const svc_alert_met *m, bool beyond);
/* What it has open of what is not among these, or fits no longer, is over. */
SVC_PRIVATE bool svc_alert_unmeasured(svc_call *c, const svc_entity *config, const svc_alert_met *all, size_t count);

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

/* alert_measuring.c: rounds, in which what configurations ask for is measured. */
#define SVC_ALERT_ROUND "alert round"
SVC_PRIVATE bool svc_alert_round_wake(svc_call *c, const svc_scope *scope); /* there is something to measure, maybe */
SVC_PRIVATE bool svc_alert_round_fell_due(svc_call *c, svc_change *change, int tag);
SVC_PRIVATE svc_node *svc_alert_round_desired(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_alert_round_facts(svc_call *c, svc_change *change, const svc_node *facts);

#endif /* SVC_ALERT_PARTS_H */

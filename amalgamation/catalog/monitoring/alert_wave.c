/*
** Alert wave: alerts that an event still has to open or close, because more configurations watch it than are handled at
** once; or alerts that a disabled, changed or deleted configuration has left open. alert_events.c creates and handles waves.
*/
#include "catalog/monitoring/alert_parts.h"

static const char *const alert_wave_whats[] = { "OPEN", "CLOSE", "CANCEL", NULL };

static const svc_field alert_wave_fields[] = {
  F_HEX24("after", .flags = SVC_READ_ONLY), /* the configuration that was handled last; of CANCEL: the configuration itself */
  F_ANY("event", .flags = SVC_READ_ONLY),
  F_BOOL("granted", .flags = SVC_READ_ONLY), /* whether the due step is at the time that was reserved */
  F_STR("type", .flags = SVC_READ_ONLY), /* the event type */
  F_ENUM("what", alert_wave_whats, .flags = SVC_READ_ONLY)
};
static const svc_object alert_wave_object = { .name = "AlertWave", .fields = SVC_ROWS(alert_wave_fields) };

SVC_PRIVATE const svc_noun svc_noun_alert_wave = {
  .name = SVC_ALERT_WAVE,
  .kind = SVC_ALERT_WAVE_KIND,
  .parent = "project",
  .flags = SVC_EXPIRES,
  .object = &alert_wave_object,
  .fell_due = svc_alert_wave_fell_due,
};

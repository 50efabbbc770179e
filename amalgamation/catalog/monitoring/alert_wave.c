/*
** Alert wave: what an event is still to open or close, where more configurations watch it than are gone through at once; or what a
** configuration that is off has left open. alert_hearing.c makes it and does what it is for.
*/
#include "catalog/monitoring/alert_parts.h"

static const char *const alert_wave_whats[] = { "OPEN", "CLOSE", "CANCEL", NULL };

static const svc_field alert_wave_fields[] = {
  F_HEX24("after", .flags = SVC_READ_ONLY), /* the configuration that was looked at last */
  F_ANY("event", .flags = SVC_READ_ONLY),
  F_BOOL("granted", .flags = SVC_READ_ONLY), /* it waits for the time that is reserved for it */
  F_STR("type", .flags = SVC_READ_ONLY), /* that is watched */
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

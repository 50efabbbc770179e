/*
** The clock of backups: computes when a policy asks for a snapshot, and until when the snapshot is kept.
**
** All items of a policy count from the same minute of the day, the reference time. So at most one snapshot is due at any
** moment, even if several items ask for it:
**
**   hourly    every 1, 2, 4, 6, 8 or 12 hours from the reference time on
**   daily     at the reference time
**   weekly    on a day of the week, Monday is 1
**   monthly   on a day of the month, 1 to 28, or 40: on its last
**   yearly    on the first day of a month
**
** Months and years are calendar months and years: a snapshot of January 31st that is kept for a month expires on the last
** day of February. The next moment is calculated, even if the clock jumped by years: no function walks through more than a
** few days.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"

#define BACKUP_CLOCK_HOUR ((int64_t)60 * 60 * 1000)
#define BACKUP_CLOCK_LAST_DAY 40
#define BACKUP_CLOCK_END INT64_C(253402300800000) /* 10000-01-01: the end of dates; the clock may be later */

SVC_PRIVATE int svc_backup_frequency(svc_str name)
{
  size_t i;
  for (i = 0; svc_values_snapshot_frequencies[i]; i++)
    if (svc_str_is_nocase(name, svc_values_snapshot_frequencies[i])) return (int)i;
  return svc_str_is_nocase(name, "ondemand") || svc_str_is_nocase(name, "ON_DEMAND") ? SVC_BACKUP_ON_DEMAND : -1;
}

SVC_PRIVATE bool svc_backup_item_of(const svc_node *item, svc_backup_item *out)
{
  svc_str unit = svc_node_str(item, "retentionUnit");
  out->id = svc_node_str(item, "id");
  out->frequency = svc_backup_frequency(svc_node_str(item, "frequencyType"));
  out->interval = svc_node_i64_within(item, "frequencyInterval", 1, 1, BACKUP_CLOCK_LAST_DAY);
  out->keep.value = svc_node_i64_within(item, "retentionValue", 1, 1, 3660);
  out->keep.days = 0;
  for (out->keep.unit = 0; svc_values_retention_units[out->keep.unit]; out->keep.unit++)
    if (svc_str_is_nocase(unit, svc_values_retention_units[out->keep.unit])) return out->frequency >= 0;
  return false;
}

/* Adds the extra retention of the item's frequency, if the schedule has one. */
static void backup_clock_extra(const svc_node *schedule, svc_backup_item *item)
{
  const svc_node *extra = svc_node_get(schedule, "extraRetentionSettings");
  for (extra = svc_node_first(extra); extra; extra = extra->next)
    if (svc_backup_frequency(svc_node_str(extra, "frequencyType")) == item->frequency)
      item->keep.days = svc_node_i64_within(extra, "retentionDays", 0, 0, 366);
}

SVC_PRIVATE void svc_backup_plan_of(const svc_node *schedule, svc_backup_plan *out)
{
  const svc_node *policies = svc_node_get(schedule, "policies");
  const svc_node *items = svc_node_get(svc_node_first(policies), "policyItems"), *item;
  out->count = 0;
  out->named = NULL;
  out->field = "policies[0].policyItems";
  out->reference = svc_node_i64_within(schedule, "referenceHourOfDay", 0, 0, 23) * BACKUP_CLOCK_HOUR +
                   svc_node_i64_within(schedule, "referenceMinuteOfHour", 0, 0, 59) * 60000;
  for (item = svc_node_first(items); item && out->count < SVC_BACKUP_ITEMS; item = item->next)
    if (svc_backup_item_of(item, &out->items[out->count])) backup_clock_extra(schedule, &out->items[out->count++]);
}

/* -------------------------------------------------------------------------------------------------------------- calendar */

typedef struct backup_clock_day {
  int64_t year, month, day; /* month and day from 1 */
} backup_clock_day;

static int64_t backup_clock_midnight(int64_t ms)
{
  return ms - (ms % SVC_DAY_MS + SVC_DAY_MS) % SVC_DAY_MS;
}

static backup_clock_day backup_clock_split(int64_t ms)
{
  backup_clock_day d;
  char text[21];
  svc_date_text(ms, text);
  d.year = atoi(text);
  d.month = atoi(text + 5);
  d.day = atoi(text + 8);
  return d;
}

/* The first of a month; months above 12 continue into later years. */
static int64_t backup_clock_month(int64_t year, int64_t month)
{
  int64_t months = year * 12 + month - 1;
  if (months > 9999 * 12 + 11) months = 9999 * 12 + 11; /* the end of dates */
  return svc_day_ms((unsigned)(months / 12 * 10000 + (months % 12 + 1) * 100 + 1));
}

static int64_t backup_clock_month_days(int64_t year, int64_t month)
{
  return (backup_clock_month(year, month + 1) - backup_clock_month(year, month)) / SVC_DAY_MS;
}

static int64_t backup_clock_move(svc_retention keep, int64_t from, int64_t sign)
{
  from += sign * keep.days * SVC_DAY_MS;
  switch (keep.unit) {
  case 0: return from + sign * keep.value * SVC_DAY_MS;
  case 1: return from + sign * keep.value * 7 * SVC_DAY_MS;
  case 2: return svc_months_on(from, sign * keep.value);
  default: return svc_months_on(from, sign * keep.value * 12);
  }
}

SVC_PRIVATE int64_t svc_backup_expiry(svc_retention keep, int64_t from)
{
  return backup_clock_move(keep, from, 1);
}

SVC_PRIVATE bool svc_backup_shorter(int64_t until, int64_t was)
{
  return until && (!was || until < was);
}

SVC_PRIVATE int64_t svc_backup_days(svc_retention keep, bool most)
{
  static const int64_t days[][2] = { { 1, 1 }, { 7, 7 }, { 28, 31 }, { 365, 366 } };
  return keep.value * days[keep.unit][most] + keep.days;
}

/* ------------------------------------------------------------------------------------------------------------------ next */

/* The item's day of the month, `months` after the month of d. */
static int64_t backup_clock_in_month(const svc_backup_item *item, backup_clock_day d, int64_t months)
{
  int64_t day = item->interval == BACKUP_CLOCK_LAST_DAY ? backup_clock_month_days(d.year, d.month + months) : item->interval;
  return backup_clock_month(d.year, d.month + months) + (day - 1) * SVC_DAY_MS;
}

static int64_t backup_clock_weekday(int64_t midnight)
{
  int64_t day = midnight / SVC_DAY_MS;
  return ((day + 3) % 7 + 7) % 7 + 1; /* 1970-01-01 was a Thursday */
}

static int64_t backup_clock_every(int64_t hours, int64_t reference, int64_t after)
{
  int64_t step = hours * BACKUP_CLOCK_HOUR, from = backup_clock_midnight(after) - SVC_DAY_MS + reference;
  return from + ((after - from) / step + 1) * step;
}

SVC_PRIVATE int64_t svc_backup_next(const svc_backup_item *item, int64_t reference, int64_t after)
{
  backup_clock_day d = backup_clock_split(after);
  int64_t when = backup_clock_midnight(after);
  if (after >= BACKUP_CLOCK_END) return 0;
  switch (item->frequency) {
  case SVC_BACKUP_HOURLY: return backup_clock_every(item->interval, reference, after);
  case SVC_BACKUP_DAILY: return backup_clock_every(24, reference, after);
  case SVC_BACKUP_WEEKLY:
    when += ((item->interval - backup_clock_weekday(when) + 7) % 7) * SVC_DAY_MS + reference;
    return when > after ? when : when + 7 * SVC_DAY_MS;
  case SVC_BACKUP_MONTHLY:
    when = backup_clock_in_month(item, d, 0) + reference;
    return when > after ? when : backup_clock_in_month(item, d, 1) + reference;
  case SVC_BACKUP_YEARLY:
    when = backup_clock_month(d.year, item->interval) + reference;
    return when > after ? when : backup_clock_month(d.year + 1, item->interval) + reference;
  default: return 0;
  }
}

/* Months have different lengths: the search begins a few days early, and skips, one by one, the snapshots that would have expired
** already. */
static int64_t backup_clock_next_kept(const svc_backup_item *item, int64_t reference, int64_t after, int64_t now)
{
  int64_t from = backup_clock_move(item->keep, now, -1) - (item->keep.unit < 2 ? 1 : 4 * SVC_DAY_MS);
  int64_t when = svc_backup_next(item, reference, from > after ? from : after), next;
  while (when && svc_backup_expiry(item->keep, when) <= now) {
    next = svc_backup_next(item, reference, when);
    when = next > when ? next : 0; /* the end of dates */
  }
  return when;
}

SVC_PRIVATE int64_t svc_backup_next_kept(const svc_backup_plan *plan, int64_t after, int64_t now)
{
  int64_t next = 0, when;
  size_t i;
  for (i = 0; i < plan->count; i++) {
    when = backup_clock_next_kept(&plan->items[i], plan->reference, after, now);
    if (when > after && (!next || when < next)) next = when;
  }
  return next;
}

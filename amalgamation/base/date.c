/*
** Dates, without the C library's time functions.
**
** Those depend on the host's time zone and locale, some are not thread-safe, and time_t has 32 bits on small machines.
** The rule it keeps: everything is calculated in the proleptic Gregorian calendar, in UTC, for the years 0 to 9999; a
** text names a moment that exists, or it is refused.
*/
#include "base/base.h"

#define DATE_DAY_MS INT64_C(86400000)
#define DATE_FIRST_MS (INT64_C(-719528) * DATE_DAY_MS)  /* 0000-01-01 */
#define DATE_END_MS (INT64_C(2932897) * DATE_DAY_MS)    /* 10000-01-01 */

struct date_parts {
  unsigned year, month, day, hour, minute, second;
  unsigned weekday; /* 0 is Sunday */
};

static unsigned date_month_days(unsigned year, unsigned month)
{
  static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : days[month - 1];
}

/* Days since 1970-01-01. A year counts from March here, so that the leap day is its last. */
static int64_t date_days(unsigned year, unsigned month, unsigned day)
{
  int64_t y = (int64_t)year - (month <= 2), century = (y >= 0 ? y : y - 399) / 400, of_400 = y - century * 400;
  int64_t of_year = (153 * ((int64_t)month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return century * 146097 + of_400 * 365 + of_400 / 4 - of_400 / 100 + of_year - 719468;
}

/* The other way round, to the second; what lies outside of the years 0 to 9999 becomes their first or last second. */
static struct date_parts date_split(int64_t ms)
{
  struct date_parts p;
  int64_t days, second, era, of_era, year, of_year, month;
  if (ms < DATE_FIRST_MS) ms = DATE_FIRST_MS;
  if (ms >= DATE_END_MS) ms = DATE_END_MS - 1;
  ms -= DATE_FIRST_MS; /* not negative from here on: division rounds down */
  days = ms / DATE_DAY_MS;
  second = ms % DATE_DAY_MS / 1000;
  p.weekday = (unsigned)((days + 6) % 7); /* 0000-01-01 was a Saturday */
  days += 146097 - 60;                    /* since March 1st of the year -400: whole periods of 400 years */
  era = days / 146097;
  of_era = days % 146097;
  year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  of_year = of_era - (365 * year + year / 4 - year / 100);
  month = (5 * of_year + 2) / 153; /* 0 is March */
  p.day = (unsigned)(of_year - (153 * month + 2) / 5 + 1);
  p.month = (unsigned)(month < 10 ? month + 3 : month - 9);
  p.year = (unsigned)(year + era * 400 - 400 + (month >= 10));
  p.hour = (unsigned)(second / 3600);
  p.minute = (unsigned)(second / 60 % 60);
  p.second = (unsigned)(second % 60);
  return p;
}

/* Exactly n digits at the front of *s, which moves behind them. */
static bool date_digits(svc_str *s, unsigned n, unsigned *value)
{
  unsigned i;
  *value = 0;
  if (s->n < n) return false;
  for (i = 0; i < n; i++) {
    if (s->p[i] < '0' || s->p[i] > '9') return false;
    *value = *value * 10 + (unsigned)(s->p[i] - '0');
  }
  s->p += n;
  s->n -= n;
  return true;
}

static bool date_char(svc_str *s, char c, char or_c)
{
  if (s->n == 0 || (s->p[0] != c && s->p[0] != or_c)) return false;
  s->p++;
  s->n--;
  return true;
}

static bool date_day(svc_str *s, struct date_parts *p)
{
  return date_digits(s, 4, &p->year) && date_char(s, '-', '-') && date_digits(s, 2, &p->month) &&
         date_char(s, '-', '-') && date_digits(s, 2, &p->day) && p->month >= 1 && p->month <= 12 && p->day >= 1 &&
         p->day <= date_month_days(p->year, p->month);
}

/* hh:mm[:ss[.f]]. Digits of the fraction behind the third are read and dropped. */
static bool date_time(svc_str *s, struct date_parts *p, unsigned *ms)
{
  unsigned digit, n, weight = 100;
  p->second = 0;
  *ms = 0;
  if (!date_digits(s, 2, &p->hour) || !date_char(s, ':', ':') || !date_digits(s, 2, &p->minute)) return false;
  if (date_char(s, ':', ':')) {
    if (!date_digits(s, 2, &p->second)) return false;
    if (date_char(s, '.', '.')) {
      for (n = 0; n < 9 && date_digits(s, 1, &digit); n++, weight /= 10) *ms += digit * weight;
      if (n == 0) return false;
    }
  }
  return p->hour <= 23 && p->minute <= 59 && p->second <= 59;
}

/* Z, +hh:mm, +hhmm, +hh or nothing, in minutes east of UTC. */
static bool date_zone(svc_str *s, int *minutes)
{
  unsigned hour, minute = 0;
  bool west;
  *minutes = 0;
  if (s->n == 0 || date_char(s, 'Z', 'z')) return true;
  west = s->p[0] == '-';
  if (!date_char(s, '+', '-') || !date_digits(s, 2, &hour)) return false;
  if (date_char(s, ':', ':') || s->n > 0) {
    if (!date_digits(s, 2, &minute)) return false;
  }
  if (hour > 23 || minute > 59) return false;
  *minutes = (int)(hour * 60 + minute) * (west ? -1 : 1);
  return true;
}

SVC_PRIVATE bool svc_date_parse(svc_str text, int64_t *ms)
{
  struct date_parts p = { 0 };
  unsigned fraction = 0;
  int zone = 0;
  if (!date_day(&text, &p)) return false;
  if (text.n > 0 && !(date_char(&text, 'T', 't') && date_time(&text, &p, &fraction) && date_zone(&text, &zone))) {
    return false;
  }
  if (text.n > 0) return false;
  *ms = date_days(p.year, p.month, p.day) * DATE_DAY_MS;
  *ms += ((int64_t)p.hour * 3600 + p.minute * 60 + p.second - (int64_t)zone * 60) * 1000 + fraction;
  return true;
}

SVC_PRIVATE bool svc_day_parse(svc_str text, unsigned *yyyymmdd)
{
  struct date_parts p = { 0 };
  if (!date_day(&text, &p) || text.n > 0) return false;
  *yyyymmdd = p.year * 10000 + p.month * 100 + p.day;
  return true;
}

/* `value` in n digits, at `out`. */
static void date_put(char *out, unsigned n, unsigned value)
{
  while (n-- > 0) {
    out[n] = (char)('0' + value % 10);
    value /= 10;
  }
}

SVC_PRIVATE void svc_date_text(int64_t ms, char out[21])
{
  struct date_parts p = date_split(ms);
  memcpy(out, "0000-00-00T00:00:00Z", 21);
  date_put(out, 4, p.year);
  date_put(out + 5, 2, p.month);
  date_put(out + 8, 2, p.day);
  date_put(out + 11, 2, p.hour);
  date_put(out + 14, 2, p.minute);
  date_put(out + 17, 2, p.second);
}

SVC_PRIVATE void svc_http_date(int64_t ms, char out[30])
{
  static const char weekdays[] = "SunMonTueWedThuFriSat", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  struct date_parts p = date_split(ms);
  memcpy(out, "Sun, 00 Jan 0000 00:00:00 GMT", 30);
  memcpy(out, weekdays + 3 * p.weekday, 3);
  date_put(out + 5, 2, p.day);
  memcpy(out + 8, months + 3 * (p.month - 1), 3);
  date_put(out + 12, 4, p.year);
  date_put(out + 17, 2, p.hour);
  date_put(out + 20, 2, p.minute);
  date_put(out + 23, 2, p.second);
}

SVC_PRIVATE int64_t svc_day_ms(unsigned yyyymmdd)
{
  return date_days(yyyymmdd / 10000, yyyymmdd / 100 % 100, yyyymmdd % 100) * DATE_DAY_MS;
}

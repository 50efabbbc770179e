/*
** Dates, without the C library's time functions.
**
** Those functions depend on the host's time zone and locale, some are not thread-safe, and time_t has 32 bits on small machines.
** The rule: all dates are in the proleptic Gregorian calendar, in UTC, for the years 0 to 9999. A text that names no
** existing moment is refused.
*/
#include "base/base.h"

#define DATE_FIRST_MS (INT64_C(-719528) * SVC_DAY_MS)  /* 0000-01-01 */
#define DATE_END_MS (INT64_C(2932897) * SVC_DAY_MS)    /* 10000-01-01 */

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

/* Splits a time into its parts, to the second. Times outside of the years 0 to 9999 become the first or last second of that span. */
static struct date_parts date_split(int64_t ms)
{
  struct date_parts p;
  int64_t days, second, era, of_era, year, of_year, month;
  if (ms < DATE_FIRST_MS) ms = DATE_FIRST_MS;
  if (ms >= DATE_END_MS) ms = DATE_END_MS - 1;
  ms -= DATE_FIRST_MS; /* not negative from here on: division rounds down */
  days = ms / SVC_DAY_MS;
  second = ms % SVC_DAY_MS / 1000;
  p.weekday = (unsigned)((days + 6) % 7); /* 0000-01-01 was a Saturday */
  days += 146097 - 60;                    /* since March 1st of the year -400, so that periods of 400 years are whole */
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

/* Monday is 0. 1970-01-01 was a Thursday. */
static int64_t date_weekday(int64_t days)
{
  return ((days + 3) % 7 + 7) % 7;
}

/* Reads exactly n digits at the front of *s and moves *s behind them. */
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

/* Number of weeks of a year: 53 if the year begins or ends on a Thursday, else 52. */
static unsigned date_weeks(unsigned year)
{
  return date_weekday(date_days(year, 1, 1)) == 3 || date_weekday(date_days(year, 12, 31)) == 3 ? 53 : 52;
}

/*
** A date, as days since 1970-01-01: 2025-03-12, 20250312; the day of the year, 2025-071, 2025071; the day of a week,
** 2025-W11-3, 2025W113. Week 1 is that with January 4th in it, and begins on a Monday.
*/
static bool date_any_day(svc_str *s, int64_t *days, bool *basic)
{
  svc_str digits;
  unsigned year, part, day = 0;
  if (!date_digits(s, 4, &year)) return false;
  *basic = !date_char(s, '-', '-');
  if (date_char(s, 'W', 'w')) {
    int64_t fourth = date_days(year, 1, 4);
    if (!date_digits(s, 2, &part) || !(*basic || date_char(s, '-', '-')) || !date_digits(s, 1, &day)) return false;
    *days = fourth - date_weekday(fourth) + (int64_t)(part - 1) * 7 + day - 1;
    return part >= 1 && part <= date_weeks(year) && day >= 1 && day <= 7;
  }
  for (digits = *s; digits.n && digits.p[0] >= '0' && digits.p[0] <= '9'; digits.p++) digits.n--;
  if (digits.p - s->p == 3) {
    date_digits(s, 3, &day);
    *days = date_days(year, 1, 1) + day - 1;
    return day >= 1 && day <= 337u + date_month_days(year, 2);
  }
  if (!date_digits(s, 2, &part) || !(*basic || date_char(s, '-', '-')) || !date_digits(s, 2, &day)) return false;
  if (part < 1 || part > 12 || day < 1 || day > date_month_days(year, part)) return false;
  *days = date_days(year, part, day);
  return true;
}

/* A fraction of the unit before it, in milliseconds. More than nine digits are refused; less than one millisecond is dropped. */
static bool date_fraction(svc_str *s, int64_t unit_ms, int64_t *ms)
{
  int64_t value = 0, of = 1;
  unsigned digit, n;
  if (!date_char(s, '.', ',')) return true;
  for (n = 0; n < 9 && date_digits(s, 1, &digit); n++, of *= 10) value = value * 10 + digit;
  *ms += value * unit_ms / of;
  return n > 0;
}

/* hh[:mm[:ss]] or hh[mm[ss]], a fraction behind the last of them; in milliseconds of the day. 24:00 is its end. */
static bool date_any_time(svc_str *s, bool basic, int64_t *ms)
{
  static const unsigned most[] = { 24, 59, 59 };
  static const int64_t units[] = { 3600000, 60000, 1000 };
  unsigned i, value;
  *ms = 0;
  for (i = 0; i < 3; i++) {
    if (i && (basic ? s->n == 0 || s->p[0] < '0' || s->p[0] > '9' : !date_char(s, ':', ':'))) break;
    if (!date_digits(s, 2, &value) || value > most[i]) return false;
    *ms += value * units[i];
  }
  return date_fraction(s, units[i - 1], ms) && *ms <= SVC_DAY_MS;
}

/* A time zone: Z, nothing, or +hh:mm, +hhmm, +hh (or with '-'). *minutes: how far it is east of UTC. */
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
  int64_t days, of_day = 0;
  int zone = 0;
  bool basic;
  if (!date_any_day(&text, &days, &basic)) return false;
  if (text.n > 0 && !(date_char(&text, 'T', 't') && date_any_time(&text, basic, &of_day) && date_zone(&text, &zone)))
    return false;
  if (text.n > 0) return false;
  *ms = days * SVC_DAY_MS + of_day - (int64_t)zone * 60000;
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
  return date_days(yyyymmdd / 10000, yyyymmdd / 100 % 100, yyyymmdd % 100) * SVC_DAY_MS;
}

/* The first moment of a month, in milliseconds since 1970. `months` counts from January of the year 0. */
static int64_t date_month(int64_t months)
{
  if (months < 0) months = 0;
  if (months > 9999 * 12 + 11) months = 9999 * 12 + 11; /* the last year that dates have */
  return svc_day_ms((unsigned)(months / 12 * 10000 + (months % 12 + 1) * 100 + 1));
}

SVC_PRIVATE int64_t svc_months_on(int64_t from, int64_t months)
{
  int64_t at, day, last;
  char text[21];
  svc_date_text(from, text);
  at = (int64_t)atoi(text) * 12 + atoi(text + 5) - 1;
  day = atoi(text + 8);
  last = (date_month(at + months + 1) - date_month(at + months)) / SVC_DAY_MS;
  return date_month(at + months) + (from - date_month(at)) - (day > last ? day - last : 0) * SVC_DAY_MS;
}

/* ISO 8601: "P1Y2M3W4DT5H6M7S", in this order, at least one part; whole numbers only. */
SVC_PRIVATE bool svc_duration_parse(svc_str text, int64_t *months, int64_t *ms)
{
  static const struct { char letter; bool time; int64_t months, ms; } parts[] = {
    { 'Y', false, 12, 0 }, { 'M', false, 1, 0 }, { 'W', false, 0, 604800000 }, { 'D', false, 0, 86400000 },
    { 'H', true, 0, 3600000 }, { 'M', true, 0, 60000 }, { 'S', true, 0, 1000 }
  };
  const size_t count = sizeof parts / sizeof parts[0];
  size_t at = 1, part = 0, start;
  bool time = false, any = false;
  int64_t number = 0;
  *months = *ms = 0;
  if (text.n < 3 || text.p[0] != 'P') return false;
  while (at < text.n) {
    if (text.p[at] == 'T') {
      if (time || ++at == text.n) return false;
      time = true;
    }
    for (start = at; at < text.n && text.p[at] >= '0' && text.p[at] <= '9'; at++) continue;
    if (at == start || at - start > 9 || at == text.n) return false;
    svc_str_i64((svc_str){ text.p + start, at - start }, &number); /* cannot fail: nine digits are an integer */
    while (part < count && (parts[part].letter != text.p[at] || parts[part].time != time)) part++;
    if (part == count) return false;
    *months += number * parts[part].months;
    *ms += number * parts[part].ms;
    any = true;
    part++;
    at++;
  }
  return any;
}

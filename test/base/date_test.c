/* Dates: known moments, the limits of the calendar, and round trips of every day of 10 000 years. */
#include "catalog/catalog.h"
#include "test.h"

TEST(date, parse)
{
  static const struct {
    const char *text;
    int64_t ms;
  } rows[] = {
    { "1970-01-01", 0 },
    { "1970-01-01T00:00Z", 0 },
    { "1970-01-01t00:00:00z", 0 },
    { "2025-03-12T08:00:00Z", INT64_C(1741766400000) },
    { "2025-03-12T08:00", INT64_C(1741766400000) },
    { "2025-03-12T08:00:00", INT64_C(1741766400000) },
    { "2025-03-12T08:00:00.5Z", INT64_C(1741766400500) },
    { "2025-03-12T08:00:00.050", INT64_C(1741766400050) },
    { "2025-03-12T08:00:00.123456789Z", INT64_C(1741766400123) },
    { "2025-03-12T08:00:00.999999999Z", INT64_C(1741766400999) },
    { "2025-03-12T10:00:00+02:00", INT64_C(1741766400000) },
    { "2025-03-12T10:00:00+0200", INT64_C(1741766400000) },
    { "2025-03-12T10:00:00+02", INT64_C(1741766400000) },
    { "2025-03-12T03:30-04:30", INT64_C(1741766400000) },
    { "2025-03-12T08:00:00-00:00", INT64_C(1741766400000) },
    { "2025-03-11T23:59:59.250-08:00", INT64_C(1741766399250) },
    { "1969-12-31T23:59:59.999Z", -1 },
    { "2000-02-29", INT64_C(951782400000) },
    { "2024-02-29T23:59:59Z", INT64_C(1709251199000) },
    { "2038-01-19T03:14:08Z", INT64_C(2147483648000) },
    { "0000-01-01", INT64_C(-62167219200000) },
    { "0000-02-29", INT64_C(-62162121600000) },
    { "9999-12-31T23:59:59.999Z", INT64_C(253402300799999) },
    { "0000-01-01T00:00:00+23:59", INT64_C(-62167305540000) },
    { "2025-03-12T08", INT64_C(1741766400000) }, /* to the hour; the last part may have fractions */
    { "2025-03-12T08Z", INT64_C(1741766400000) },
    { "20250312T08", INT64_C(1741766400000) },
    { "20250312T08Z", INT64_C(1741766400000) },
    { "20250312T08.5", INT64_C(1741768200000) },
    { "2025-03-12T07,5+00:30", INT64_C(1741762800000) },
    { "2025-03-12T08:00.5Z", INT64_C(1741766430000) },
    { "2025-03-12T08:00:00,5Z", INT64_C(1741766400500) },
    { "2025-03-12T24:00", INT64_C(1741824000000) }, /* the end of a day equals the beginning of the next */
    { "2025-12-31T24:00:00Z", INT64_C(1767225600000) },
    { "20250312", INT64_C(1741737600000) }, /* the basic format */
    { "20250312T08Z", INT64_C(1741766400000) },
    { "20250312T0800Z", INT64_C(1741766400000) },
    { "20250312T080000Z", INT64_C(1741766400000) },
    { "20250312T080000.5+0000", INT64_C(1741766400500) },
    { "20250312T100000+02", INT64_C(1741766400000) },
    { "2025-071", INT64_C(1741737600000) }, /* day of the year */
    { "2025071T0800", INT64_C(1741766400000) },
    { "2025-001", INT64_C(1735689600000) },
    { "2024-366", INT64_C(1735603200000) },
    { "2025-W11-3", INT64_C(1741737600000) }, /* ISO week and weekday */
    { "2025W113", INT64_C(1741737600000) },
    { "2025-w11-3T08:00Z", INT64_C(1741766400000) },
    { "2020-W53-7", INT64_C(1609632000000) }, /* 2021-01-03: the year of an ISO week can differ from the calendar year */
    { "2009-W01-1", INT64_C(1230508800000) }, /* 2008-12-29 */
    { "1970-W01-4", 0 },
  };
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int64_t ms = 42;
    if (!svc_date_parse(svc_str_c(rows[i].text), &ms) || ms != rows[i].ms) {
      munit_errorf("%s: %lld", rows[i].text, (long long)ms);
    }
  }
}

TEST(date, refuse)
{
  static const char *const rows[] = {
    "", "2025", "2025-03", "2025-3-12", "2025-03-12T", "2025-03-12T08:", "2025-03-12T08:0",
    "2025-03-12 08:00:00Z", "2025-03-12T08:00:00 Z", " 2025-03-12", "2025-03-12 ", "2025-03-12Z",
    "2025-13-01", "2025-00-01", "2025-01-00", "2025-01-32", "2025-04-31", "2025-02-29", "2023-02-29", "1900-02-29",
    "2100-02-29", "2024-02-30", "2025-03-12T24:00:01Z", "2025-03-12T24:00.1", "2025-03-12T25:00", "2025-03-12T08:60:00Z", "2025-03-12T08:00:60Z",
    "2016-12-31T23:59:60Z", "2025-03-12T08:00:00.", "2025-03-12T08:00:00.Z", "2025-03-12T08:00:00.1234567890Z",
    "2025-03-12T08:00:00+", "2025-03-12T08:00:00+2",
    "2025-03-12T08:00:00+02:", "2025-03-12T08:00:00+02:0", "2025-03-12T08:00:00+020", "2025-03-12T08:00:00+24:00",
    "2025-03-12T08:00:00+02:60", "2025-03-12T08:00:00+02:00x", "2025-03-12T08:00:00ZZ", "2025-03-12T08:00:00X",
    "+2025-03-12", "-2025-03-12", "12025-03-12", "2025/03/12", "2025-03-12T0800", "20250312T08:00", "202503", "2025-0312",
    "202503-12", "2025-366", "2025-000", "2024-367", "2025-W53-1", "2025-W00-1", "2025-W11", "2025-W11-0", "2025-W11-8", "2025W11-3",
    "2025-W113", "2025-W11-x", "2025-Wx1-1", "yesterday",
    "2025-03-1\xD9\xA2",
  };
  size_t i;
  int64_t ms;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (svc_date_parse(svc_str_c(rows[i]), &ms)) munit_errorf("taken for a date: \"%s\"", rows[i]);
  }
  munit_assert_false(svc_date_parse((svc_str){ "2025-03-12\0", 11 }, &ms));
}

TEST(date, day)
{
  unsigned day = 0;
  munit_assert_true(svc_day_parse(SVC_S("2025-03-12"), &day));
  munit_assert_uint(day, ==, 20250312);
  munit_assert_true(svc_day_parse(SVC_S("2024-02-29"), &day));
  munit_assert_false(svc_day_parse(SVC_S("2025-02-29"), &day));
  munit_assert_false(svc_day_parse(SVC_S("2025-03-12T00:00"), &day));
  munit_assert_false(svc_day_parse(SVC_S("2025-3-12"), &day));
  munit_assert_false(svc_day_parse(SVC_S("2025-03x12"), &day));
  munit_assert_false(svc_day_parse(SVC_S("2025-00-12"), &day));
  munit_assert_false(svc_day_parse(SVC_S("2025-13-12"), &day));
  munit_assert_false(svc_day_parse(SVC_S("2025-03-00"), &day));
  munit_assert_false(svc_day_parse(SVC_S("2025-03-x2"), &day));
  munit_assert_false(svc_day_parse(SVC_S(""), &day));
  munit_assert_int64(svc_day_ms(20250312), ==, INT64_C(1741737600000));
  munit_assert_int64(svc_day_ms(19700101), ==, 0);
  munit_assert_int64(svc_months_on(svc_day_ms(20250131), 1), ==, svc_day_ms(20250228));
  munit_assert_int64(svc_months_on(svc_day_ms(20250331), -1), ==, svc_day_ms(20250228));
  munit_assert_int64(svc_months_on(svc_day_ms(20250312), -36000), <=, svc_day_ms(101)); /* before all representable dates */
}

/* Every day from year 0 to 9999: its text follows that of the day before, and parses back to the same day. */
TEST(date, all_days)
{
  int64_t ms = svc_day_ms(101), back, end = INT64_C(253402300800000);
  unsigned day, before = 0, count = 0;
  for (; ms < end; ms += 86400000, count++, before = day) {
    char text[21];
    svc_date_text(ms, text);
    munit_assert_true(svc_day_parse((svc_str){ text, 10 }, &day));
    munit_assert_true(day == before + 1 || day % 100 == 1);
    munit_assert_true(svc_day_ms(day) == ms);
    munit_assert_true(svc_date_parse((svc_str){ text, 20 }, &back) && back == ms);
  }
  munit_assert_uint(count, ==, 3652425);
}

static void text_is(int64_t ms, const char *iso, const char *http)
{
  char text[30];
  svc_date_text(ms, text);
  munit_assert_string_equal(text, iso);
  svc_http_date(ms, text);
  munit_assert_string_equal(text, http);
}

TEST(date, text)
{
  text_is(INT64_C(1741766400000), "2025-03-12T08:00:00Z", "Wed, 12 Mar 2025 08:00:00 GMT");
  text_is(INT64_C(1741766400999), "2025-03-12T08:00:00Z", "Wed, 12 Mar 2025 08:00:00 GMT");
  text_is(0, "1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT");
  text_is(-1, "1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59 GMT");
  text_is(-1000, "1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59 GMT");
  text_is(-1001, "1969-12-31T23:59:58Z", "Wed, 31 Dec 1969 23:59:58 GMT");
  text_is(INT64_C(784111777000), "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT");
  text_is(INT64_C(951868799000), "2000-02-29T23:59:59Z", "Tue, 29 Feb 2000 23:59:59 GMT");
  text_is(INT64_C(253402300799999), "9999-12-31T23:59:59Z", "Fri, 31 Dec 9999 23:59:59 GMT");
  text_is(INT64_C(253402300800000), "9999-12-31T23:59:59Z", "Fri, 31 Dec 9999 23:59:59 GMT");
  text_is(INT64_MAX, "9999-12-31T23:59:59Z", "Fri, 31 Dec 9999 23:59:59 GMT");
  text_is(INT64_C(-62167219200001), "0000-01-01T00:00:00Z", "Sat, 01 Jan 0000 00:00:00 GMT");
  text_is(INT64_MIN, "0000-01-01T00:00:00Z", "Sat, 01 Jan 0000 00:00:00 GMT");
}

TEST(date, duration)
{
  static const struct { const char *text; int64_t months, ms; } good[] = {
    { "PT1M", 0, 60000 }, { "P1M", 1, 0 }, { "P1DT12H", 0, 129600000 }, { "P1Y2M3W4DT5H6M7S", 14, 2178367000 }, { "PT0S", 0, 0 }, { "P2W", 0, 1209600000 }
  };
  static const char *const bad[] = { "", "P", "PT", "P1", "1D", "PT1D", "P1H", "P1DT", "P1D1Y", "PT1M1M", "P-1D", "P1.5D", "p1d", "PTT1M", "P1DTT1M", "PT1HT1M", "P12", "P1D ",
                                     "P1234567890D" };
  int64_t months, ms;
  size_t i;
  for (i = 0; i < sizeof good / sizeof good[0]; i++) {
    munit_assert_true(svc_duration_parse(svc_str_c(good[i].text), &months, &ms));
    munit_assert_int64(months, ==, good[i].months);
    munit_assert_int64(ms, ==, good[i].ms);
  }
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) munit_assert_false(svc_duration_parse(svc_str_c(bad[i]), &months, &ms));
}

/*
** The managed slow-query threshold: its own rules, besides those of every route.
*/
#include "driver.h"

#define SLOW "/groups/%s/managedSlowMs%s"

static int slow_send(t_place *w, const char *method, const char *below)
{
  return t_sendf(&w->t, method, NULL, SLOW, w->group, below);
}

static int64_t slow_events(t_place *w)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?eventType=GROUP_SETTINGS_UPDATED", w->group), ==, 200);
  return t_int(&w->t, "totalCount");
}

TEST(managed_slow_ms, switched)
{
  char tag[64];
  t_place w;
  t_place_open(&w, NULL, "P1", NULL);
  munit_assert_int(slow_send(&w, "GET", ""), ==, 200);
  munit_assert_string_equal(w.t.response.body, "true");
  snprintf(tag, sizeof tag, "%s", t_get_header(&w.t, "ETag"));
  munit_assert_int(slow_send(&w, "POST", "/enable"), ==, 204); /* unchanged */
  munit_assert_size(w.t.response.body_length, ==, 0);
  munit_assert_int64(slow_events(&w), ==, 0);
  munit_assert_int(slow_send(&w, "DELETE", "/disable"), ==, 204);
  munit_assert_int64(slow_events(&w), ==, 1);
  munit_assert_int(slow_send(&w, "GET", ""), ==, 200);
  munit_assert_string_equal(w.t.response.body, "false");
  munit_assert_string_not_equal(t_get_header(&w.t, "ETag"), tag);
  munit_assert_int(slow_send(&w, "DELETE", "/disable"), ==, 204);
  munit_assert_int64(slow_events(&w), ==, 1);
  munit_assert_int(slow_send(&w, "GET", "?envelope=true"), ==, 200);
  munit_assert_string_equal(w.t.response.body, "{\"content\":false,\"status\":200}");
  munit_assert_int(slow_send(&w, "POST", "/enable"), ==, 204);
  munit_assert_int(slow_send(&w, "GET", "?pretty=true"), ==, 200);
  munit_assert_string_equal(w.t.response.body, "true\n");
  munit_assert_int64(slow_events(&w), ==, 2);
  t_close(&w.t);
}

TEST(managed_slow_ms, refused)
{
  t_place w;
  t_place_open(&w, NULL, "P1", NULL);
  munit_assert_int(slow_send(&w, "POST", "/disable"), ==, 405);
  munit_assert_int(slow_send(&w, "DELETE", "/enable"), ==, 405);
  munit_assert_int(slow_send(&w, "DELETE", ""), ==, 405);
  w.group = "0123456789abcdef01234567";
  munit_assert_int(slow_send(&w, "GET", ""), ==, 404);
  t_close(&w.t);
}

TEST(managed_slow_ms, driver)
{
  t_driver d;
  const svc_config config = { .driver = t_driver_init(&d) };
  t_place w;
  t_place_open(&w, &config, "P1", NULL);
  munit_assert_int(slow_send(&w, "DELETE", "/disable"), ==, 204);
  t_driver_finish(&d, w.t.s, "slow_ms.put", SVC_OK, NULL);
  munit_assert_string_equal(t_driver_order(&d, "slow_ms.put")->desired, "{\"enabled\":false}");
  t_close(&w.t);
}

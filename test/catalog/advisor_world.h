/*
** Shared helpers of the suites of the performance advisor: a cluster "C" that a driver runs, and requests in one line. The
** driver replies to each kind of question with the text that the test has chosen, at first with an empty list.
*/
#ifndef SVC_TEST_ADVISOR_WORLD_H
#define SVC_TEST_ADVISOR_WORLD_H

#include "driver.h"
#include "mechanism/probe.h"

#define ADV_HOST "a.example.net:27017"
#define ADV_OTHER "b.example.net:27017"
/* The questions to the driver. */
#define ADV_QUERIES "slowQueries"
#define ADV_STATS "queryStats"
#define ADV_COLLECTIONS "collections"

#define ADV_CLUSTER "/groups/%s/clusters/C/performanceAdvisor/"
#define ADV_PROCESS "/groups/%s/processes/" ADV_HOST "/performanceAdvisor/"

typedef struct adv_world {
  t_service t;
  t_driver driver;
  const char *group;
} adv_world;

static inline void adv_open(adv_world *w)
{
  svc_config config = { .limiter_off = 1 };
  config.driver = t_driver_init(&w->driver);
  t_driver_does(&w->driver, "", NULL);
  t_driver_does(&w->driver, "cluster.", "{\"hosts\":[\"" ADV_HOST "\",\"" ADV_OTHER "\"]}");
  t_driver_answers(&w->driver, ADV_QUERIES, "[]");
  t_driver_answers(&w->driver, ADV_STATS, "[]");
  t_driver_answers(&w->driver, ADV_COLLECTIONS, "[]");
  t_open(&w->t, &config);
  w->group = t_project(&w->t, t_organization(&w->t, "Acme"), "P1");
  munit_assert_int(t_sendf(&w->t, "POST", PROBE_CLUSTER("C", "M10"), "/groups/%s/clusters", w->group), ==, 201);
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
  t_advance(&w->t, 86400 * 8);
}

static inline void adv_good(adv_world *w, const char *path, const char *query)
{
  char all[256];
  snprintf(all, sizeof all, "%s%s", path, query);
  if (t_sendf(&w->t, "GET", NULL, all, w->group) != 200) munit_error(w->t.response.body);
}

static inline void adv_bad(adv_world *w, const char *path, const char *query, int status, const char *code)
{
  char all[256];
  snprintf(all, sizeof all, "%s%s", path, query);
  munit_assert_int(t_sendf(&w->t, "GET", NULL, all, w->group), ==, status);
  munit_assert_string_equal(t_error(&w->t), code);
}

/* Returns a list of the last answer as JSON text. */
static inline const char *adv_text(adv_world *w, const char *path)
{
  static char text[8192];
  svc_buf b = svc_buf_new(&w->t.arena, 256);
  const svc_node *node = t_node(&w->t, path);
  if (!node) return "";
  svc_node_write(&b, node);
  snprintf(text, sizeof text, "%s", svc_buf_done(&b).p);
  return text;
}

/* 2025-06-08T23:00:00Z plus this number of milliseconds, which has five digits: within the last day before the test's clock. */
#define ADV_AT(n) "17494236" #n
/* A slow query: time, namespace, milliseconds, documents examined and returned, and further members. */
#define ADV_RAN(at, space, ms, examined, returned, more) \
  "{\"at\":" ADV_AT(at) ",\"namespace\":\"" space "\",\"opType\":\"find\",\"durationMicros\":" #ms "000,\"docsExamined\":" #examined \
  ",\"docsReturned\":" #returned "," more "}"

#endif

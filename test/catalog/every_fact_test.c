/*
** Drivers with arbitrary replies: every order is answered with facts in which each known name has the same unusual
** value, and every question with the same unusual answer. The service checks a driver's replies and never trusts them:
** no request fails because of an order's facts, a question is answered or refused with 503, and the store stays
** consistent.
*/
#include "driver.h"
#include "world.h"

/* Names of facts, of many nouns. */
static const char *const fact_names[] = {
  "accesses", "accountId", "authenticated", "certificate", "connectionId", "connectionStrings", "copyRegions", "currentSizeGB", "dataSizeBytes",
  "deliveryUrl", "endpointServiceName", "errorMessage", "exportedCollections", "figures", "hostnames", "hosts", "interfaceEndpointId", "ipAddress",
  "lagTimeSeconds", "migratedBytes", "networkName", "privateEndpointConnectionName", "privateEndpointIPAddress", "privateEndpointResourceId",
  "privateLinkServiceName", "privateLinkServiceResourceId", "provisionedProjectId", "reason", "series", "serviceAttachmentNames", "srvHost", "stateName",
  "status", "storageSizeBytes", "totalCollections", "transfer", "url", "valid", "validations", "values", "vpcId", "vnetName"
};

/* The value of each name; NULL: no facts. */
static const char *const fact_values[] = {
  NULL, "\"\"", "\"a text\"", "-1", "1e400", "9007199254740993", "true", "null", "[]", "[\"a\",5,null,{},\"b:x\",\"c:70000\"]", "{}",
  "{\"a\":\"b\",\"value\":\"x\",\"srvHost\":5}", "[{\"host\":\"a\",\"value\":\"x\",\"validationType\":\"CONNECT\"},[],1]"
};

/* Answers to questions. */
static const char *const fact_answers[] = {
  "", "null", "5", "\"a\"", "[]", "{}", "[{}]", "[5]", "[null,\"a\",{\"name\":5}]", "{\"value\":\"x\"}", "{\"values\":[1,\"a\"]}", "{\"series\":5}",
  "[{\"name\":\"a\",\"values\":{}},{\"name\":\"b\",\"values\":[null,5,\"x\"]}]", "[{\"_id\":\"x\",\"name\":\"a\"}]", "not JSON", "[{\"at\":5,\"namespace\":\"a.b\"}]"
};
#define FACT_ANSWERS (sizeof fact_answers / sizeof fact_answers[0])

/* Returns a driver that reports this value under all names. `hosts`: the fact hosts is valid. value NULL: the driver reports no facts. */
static const svc_driver *fact_driver(t_driver *d, const char *value, bool hosts)
{
  static char facts[8192];
  size_t i, n = 0;
  for (i = 0; value && i < sizeof fact_names / sizeof fact_names[0]; i++)
    n += (size_t)snprintf(facts + n, sizeof facts - n, "%c\"%s\":%s", i ? ',' : '{', fact_names[i],
                          hosts && strcmp(fact_names[i], "hosts") == 0 ? "[\"h1.example:27017\",\"h2.example:27017\"]" : value);
  snprintf(facts + n, sizeof facts - n, "}");
  t_driver_init(d);
  t_driver_does(d, "", value ? facts : NULL);
  t_driver_answers(d, "", "[]");
  return &d->port;
}

static bool fact_calls(const t_world *w, const svc_plan *plan)
{
  return !(plan->route->flags & SVC_ABSOLUTE) && !t_world_elsewhere(plan) && !t_ended(&w->t, plan) && plan->route->method != SVC_DELETE;
}

/* For each value, calls every operation once, except deletions and questions, while the driver reports these facts for each order. */
TEST(every_fact, facts)
{
  static t_world w;
  static t_driver d;
  size_t i, k;
  for (k = 0; k < sizeof fact_values / sizeof fact_values[0]; k++) {
    t_world_open_with(&w, fact_driver(&d, fact_values[k], false));
    for (i = 0; i < w.t.s->plan_count; i++) {
      const svc_plan *plan = &w.t.s->plans[i];
      if (!fact_calls(&w, plan) || plan->route->on_reply) continue;
      if (!t_world_ready(&w, plan)) continue;
      if (t_send(&w.t, t_method(plan), w.path, w.has_body ? w.body : NULL) >= 500) t_complain(plan, "facts %s: %.300s", fact_values[k], w.t.response.body);
      munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
    }
    t_advance(&w.t, 2 * 86400);
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
    store_whole(w.t.s);
    t_world_close(&w);
  }
  t_complaints_end();
}

/* Calls every operation that asks the driver a question, once for each answer. */
TEST(every_fact, answers)
{
  static t_world w;
  static t_driver d;
  size_t i, k;
  t_world_open_with(&w, fact_driver(&d, "\"a text\"", true));
  for (i = 0; i < w.t.s->plan_count; i++) {
    const svc_plan *plan = &w.t.s->plans[i];
    t_driver_answers(&d, "", "[]");
    if (!fact_calls(&w, plan) || !plan->route->on_reply || !t_world_ready(&w, plan)) continue;
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
    for (k = 0; k <= FACT_ANSWERS; k++) {
      const char *answer = k < FACT_ANSWERS ? fact_answers[k] : NULL; /* the driver does not know the answer */
      int status;
      t_driver_answers(&d, "", answer);
      status = t_send(&w.t, t_method(plan), w.path, w.has_body ? w.body : NULL);
      if (status >= 500 && strcmp(t_error(&w.t), "SERVICE_UNAVAILABLE") != 0) t_complain(plan, "answer %s: %.300s", answer, w.t.response.body);
    }
  }
  store_whole(w.t.s);
  t_world_close(&w);
  t_complaints_end();
}

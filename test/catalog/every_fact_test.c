/*
** Drivers with arbitrary replies: every order is answered with facts in which the names that the order knows have an
** unusual value, and every question with an unusual answer. The service checks a driver's replies and never trusts
** them: no request fails because of an order's facts, a question is answered or refused with 503, and the store stays
** consistent.
*/
#include "driver.h"
#include "world.h"

/* The value of each fact; NULL: no facts. */
static const char *const fact_values[] = {
  NULL, "\"\"", "\"a text\"", "-1", "1e400", "9007199254740993", "true", "null", "[]", "[\"a\",5,null,{},\"b:x\",\"c:70000\"]", "[\"a:1\"]", "{}",
  "{\"a\":\"b\",\"value\":\"x\",\"srvHost\":5}", "[{\"host\":\"a\",\"value\":\"x\",\"validationType\":\"CONNECT\"},[],1]"
};

/* Answers to questions. */
static const char *const fact_answers[] = {
  "", "null", "5", "\"a\"", "[]", "{}", "[{}]", "[5]", "[null,\"a\",{\"name\":5}]", "{\"value\":\"x\"}", "{\"values\":[1,\"a\"]}", "{\"series\":5}",
  "[{\"name\":\"a\",\"values\":{}},{\"name\":\"b\",\"values\":[null,5,\"x\"]}]", "[{\"_id\":\"x\",\"name\":\"a\"}]", "not JSON", "[{\"at\":5,\"namespace\":\"a.b\"}]"
};
#define FACT_ANSWERS (sizeof fact_answers / sizeof fact_answers[0])

/* A driver that reports one value. */
typedef struct fact_driver {
  t_driver d;
  const char *value; /* of fact_values */
  long accepted;     /* reports with this value that the service has accepted */
} fact_driver;

/* Reports the value under all names that the order knows, or under one of them. Returns true if the service accepts the report: then
** the order is finished. */
static bool fact_report(fact_driver *f, svc *s, const t_order *order, const svc_object *object, const svc_field *only)
{
  char facts[8192];
  size_t n = 0;
  svc_fields fields;
  const svc_field *field;
  svc_fields_begin(&fields, object);
  while ((field = svc_fields_next(&fields)) != NULL)
    if (!only || field == only) n += (size_t)snprintf(facts + n, sizeof facts - n, "%c\"%s\":%s", n ? ',' : '{', field->name, f->value);
  munit_assert_size(n, <, sizeof facts - 1);
  if (n == 0) return false;
  snprintf(facts + n, sizeof facts - n, "}");
  if (svc_order_done(s, order->id, SVC_OK, facts) != SVC_OK) return false;
  f->accepted++;
  return true;
}

/* Reports the value under all names, then under each name alone, until a report is accepted; otherwise no facts. */
static int fact_done(void *context, svc *s, const char *id, int result, const char *none)
{
  fact_driver *f = context;
  const t_order *order = &f->d.kept[(f->d.orders - 1) % T_ORDERS_KEPT];
  const svc_order_row *row = svc_order_row_of(svc_noun_named(s, order->resource)->noun, order->action);
  svc_fields fields;
  const svc_field *field;
  munit_assert_string_equal(order->id, id);
  if (f->value && row->facts) {
    if (fact_report(f, s, order, row->facts, NULL)) return SVC_OK;
    svc_fields_begin(&fields, row->facts);
    while ((field = svc_fields_next(&fields)) != NULL)
      if (fact_report(f, s, order, row->facts, field)) return SVC_OK;
  }
  return svc_order_done(s, id, result, none);
}

static bool fact_calls(const t_world *w, const svc_plan *plan)
{
  return !(plan->route->flags & SVC_ABSOLUTE) && !t_world_elsewhere(plan) && !t_ended(&w->t, plan) && plan->route->method != SVC_DELETE;
}

/* For each value, calls every operation once, except deletions and questions, while the driver reports the value for each order. Some
** operations need resources that such a driver does not create: two thirds of all operations must be called. */
TEST(every_fact, facts)
{
  static t_world w;
  static fact_driver f;
  size_t i, k;
  long accepted = 0;
  for (k = 0; k < sizeof fact_values / sizeof fact_values[0]; k++) {
    size_t all = 0, called = 0;
    memset(&f, 0, sizeof f);
    f.value = fact_values[k];
    t_driver_init(&f.d);
    f.d.done = fact_done;
    f.d.done_context = &f;
    t_driver_does(&f.d, "", NULL);
    t_driver_answers(&f.d, "", "[]");
    t_world_open_with(&w, &f.d.port);
    for (i = 0; i < w.t.s->plan_count; i++) {
      const svc_plan *plan = &w.t.s->plans[i];
      if (!fact_calls(&w, plan) || plan->route->on_reply) continue;
      all++;
      if (!t_world_ready(&w, plan)) continue;
      if (t_send(&w.t, t_method(plan), w.path, w.has_body ? w.body : NULL) >= 500) t_complain(plan, "facts %s: %.300s", fact_values[k], w.t.response.body);
      munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
      called++;
    }
    t_advance(&w.t, 2 * 86400);
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
    store_whole(w.t.s);
    t_world_close(&w);
    munit_assert_size(3 * called, >=, 2 * all);
    accepted += f.accepted;
  }
  munit_assert_long(accepted, >, 0); /* unusual values reach the nouns, too, and not only the check of facts */
  t_complaints_end();
}

/* Calls every operation that asks the driver a question, once for each answer. The driver reports the simulator's facts. Some operations
** ask only in states that the world does not have: four fifths of all operations must have asked. */
TEST(every_fact, answers)
{
  static t_world w;
  static t_driver d;
  size_t i, k, all = 0, asked = 0;
  t_driver_init(&d);
  d.simulates = true;
  t_driver_does(&d, "", NULL);
  t_driver_answers(&d, "", "[]");
  t_world_open_with(&w, &d.port);
  for (i = 0; i < w.t.s->plan_count; i++) {
    const svc_plan *plan = &w.t.s->plans[i];
    int before;
    if (!fact_calls(&w, plan) || !plan->route->on_reply) continue;
    all++;
    memset(d.questions, 0, sizeof d.questions); /* the simulator's answers make the operation ready */
    if (!t_world_ready(&w, plan)) continue;
    munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
    before = d.asks;
    for (k = 0; k <= FACT_ANSWERS; k++) {
      const char *answer = k < FACT_ANSWERS ? fact_answers[k] : NULL; /* the driver does not know the answer */
      int status;
      t_driver_answers(&d, "", answer);
      status = t_send(&w.t, t_method(plan), w.path, w.has_body ? w.body : NULL);
      if (status >= 500 && strcmp(t_error(&w.t), "SERVICE_UNAVAILABLE") != 0) t_complain(plan, "answer %s: %.300s", answer, w.t.response.body);
    }
    asked += d.asks > before;
  }
  munit_assert_size(5 * asked, >=, 4 * all);
  store_whole(w.t.s);
  t_world_close(&w);
  t_complaints_end();
}

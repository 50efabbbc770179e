/*
** Every input that the tables allow is used by code. The suite tests query parameters; test/check/unused.sh searches
** the sources for fields of bodies and error codes.
**
** The suite sends each parameter of each operation once, and notes the parameters that code looks up meanwhile. The
** linker replaces svc_query_get() and svc_query_has() by the __wrap functions below, which call the library's own. The
** pipeline's check of required parameters does not count.
*/
#include "world.h"

#define UNUSED_ROOM 64

static struct {
  bool on;
  const char *names[UNUSED_ROOM];
  size_t count;
} looked;

static void looked_up(const char *name)
{
  size_t i;
  if (!looked.on) return;
  for (i = 0; i < looked.count; i++)
    if (strcmp(looked.names[i], name) == 0) return;
  if (looked.count < UNUSED_ROOM) looked.names[looked.count++] = name;
}

const svc_query_value *__real_svc_query_get(const svc_call *c, const char *name);
const svc_query_value *__wrap_svc_query_get(const svc_call *c, const char *name);
const svc_query_value *__wrap_svc_query_get(const svc_call *c, const char *name)
{
  looked_up(name);
  return __real_svc_query_get(c, name);
}

bool __real_svc_query_has(const svc_call *c, const char *name, svc_str value);
bool __wrap_svc_query_has(const svc_call *c, const char *name, svc_str value);
bool __wrap_svc_query_has(const svc_call *c, const char *name, svc_str value)
{
  looked_up(name);
  return __real_svc_query_has(c, name, value);
}

static bool was_looked_up(const char *name)
{
  size_t i;
  for (i = 0; i < looked.count; i++)
    if (strcmp(looked.names[i], name) == 0) return true;
  return false;
}

/* Parameters whose use this suite cannot see (T_UNSEEN): code reads them in a loop over all values of the query, or only for
** replies of a driver. */
static bool is_unseen(const svc_plan *plan, const char *name)
{
  t_needs at = { 0, 0 };
  const t_need *need;
  while ((need = t_needs_next(&at, T_NEED_UNSEEN)) != NULL)
    if (strstr(plan->route->path, need->path) && strcmp(need->param, name) == 0) return true;
  return false;
}

/* Returns a value that the row allows. */
static const char *value_of(const t_world *w, const svc_plan *plan, const svc_param *p, char out[64])
{
  static const char *const words[] = { "a", "a.b", "db.example.com:27017", "2025-05-31", "1", "P1D", "192.0.2.1", "ada@example.com",
                                       "1111111111111111111111111111111111111111111111111111111111111111", "/groups" };
  size_t i;
  if (p->type == SVC_BOOLEAN) return "true";
  if (p->type == SVC_DATE) return "2025-05-31T00:00:00Z";
  if (p->type == SVC_INT32 || p->type == SVC_INT64) {
    snprintf(out, 64, "%lld", (long long)(p->max > p->min && p->min > 1 ? p->min : 1));
    return out;
  }
  if (strcmp(p->name, "eventType") == 0 || strcmp(p->name, "excludedEventType") == 0) return strncmp(plan->route->path, "/orgs/", 6) == 0 ? "ORG_CREATED" : "CLUSTER_CREATED";
  if (p->values) return p->values[0];
  if (p->format == SVC_FORMAT_ID) return strcmp(p->name, "orgId") == 0 ? w->org : strcmp(p->name, "projectOwnerId") == 0 ? w->user : w->group;
  for (i = 0; i < sizeof words / sizeof words[0]; i++)
    if ((!p->pattern || svc_pattern_match(p->pattern, svc_str_c(words[i]))) && (!p->format || svc_format_check(p->format, svc_str_c(words[i]))))
      return words[i];
  return NULL;
}

/* Fills the list and gives its project a cluster that costs money: some parameters are read only for items. */
static void fill(t_world *w, const svc_plan *plan)
{
  const svc_plan *makers[] = { t_world_plan(w, SVC_POST, "/groups/{groupId}/clusters"), t_world_plan(w, SVC_POST, plan->route->path) };
  size_t i;
  for (i = 0; i < 2; i++) {
    if (plan->route->method != SVC_GET || !makers[i] || (i && makers[1] == makers[0])) continue;
    if (t_world_ready(w, makers[i])) t_world_send(w, makers[i]);
  }
  t_advance(&w->t, 600);
  t_sendf(&w->t, "POST", NULL, "/groups/%s/sampleDatasetLoad/Main", w->group); /* from then on there are queries */
  t_advance(&w->t, 2 * 86400);
}

/* Sends the request with this parameter. Returns false if it was refused before any code could read the parameter. */
static bool send_with(t_world *w, const svc_plan *plan, const svc_param *p)
{
  char path[1024], text[64], named[72];
  const char *value = value_of(w, plan, p, text);
  int status;
  if (!value) return false;
  snprintf(named, sizeof named, "%s=", p->name);
  /* a required parameter is already in the path */
  if (strchr(w->path, '?') && strstr(strchr(w->path, '?'), named)) snprintf(path, sizeof path, "%s", w->path);
  else snprintf(path, sizeof path, "%s%c%s%s", w->path, strchr(w->path, '?') ? '&' : '?', named, value);
  looked.on = true;
  looked.count = 0;
  status = t_send(&w->t, t_method(plan), path, w->has_body ? w->body : NULL);
  looked.on = false;
  return status != 400 || strcmp(t_error(&w->t), "INVALID_QUERY_PARAMETER") != 0 || was_looked_up(p->name);
}

/* Tests one parameter of one operation, in a world of its own, since the request may delete its resource. Returns NULL if it was read. */
static const char *unread(size_t number, size_t which, bool filled, char why[512])
{
  t_world w;
  const svc_plan *plan;
  const svc_param *p;
  const char *found = NULL;
  t_world_open(&w);
  plan = &w.t.s->plans[number];
  p = &plan->route->params[which];
  if (filled) fill(&w, plan);
  if (t_world_elsewhere(plan) || is_unseen(plan, p->name)) found = NULL;
  else if (!t_world_ready(&w, plan)) snprintf(why, 512, "cannot be sent: %.400s", w.why), found = why;
  else if (!send_with(&w, plan, p)) snprintf(why, 512, "%s: this test has no value for it: %.300s", p->name, w.t.response.body), found = why;
  else if (!(p->flags & SVC_PARAM_MOOT) && !was_looked_up(p->name)) snprintf(why, 512, "takes the parameter %s, and no code reads it", p->name), found = why;
  else if (p->flags & SVC_PARAM_MOOT && was_looked_up(p->name)) snprintf(why, 512, "%s is said to have no effect, and code reads it", p->name), found = why;
  t_world_close(&w);
  return found;
}

static void judge(const svc_plan *plan, size_t number, size_t which)
{
  char first[512], second[512];
  const char *found = unread(number, which, false, first);
  if (found && unread(number, which, true, second)) t_complain(plan, "%s", found);
}

TEST(unused, parameters)
{
  t_world w;
  size_t i, k, count = 0;
  t_world_open(&w);
  for (i = 0; i < w.t.s->plan_count; i++) {
    const svc_param *rows = w.t.s->plans[i].route->flags & SVC_ABSOLUTE ? NULL : w.t.s->plans[i].route->params;
    for (k = 0; rows && rows[k].name; k++, count++) judge(&w.t.s->plans[i], i, k);
  }
  munit_assert_size(count, >, 100);
  t_world_close(&w);
  t_complaints_end();
}

/* Parameters that are declared to have no effect, each with a reason in its row. */
TEST(unused, moot)
{
  static const char *const known[] = { "includeSystemManaged", "includeSystemManaged", "sortBy", "includeCount", "status",
                                       "includeCount", "itemsPerPage", "pageNum" }; /* the last three: of updateApiKeyRoles */
  t_world w;
  size_t i, k, n = 0;
  t_world_open(&w);
  for (i = 0; i < w.t.s->plan_count; i++) {
    const svc_param *p = w.t.s->plans[i].route->params;
    for (; p && p->name; p++) {
      if (!(p->flags & SVC_PARAM_MOOT)) continue;
      munit_assert_size(n, <, sizeof known / sizeof known[0]);
      n++;
      for (k = 0; k < sizeof known / sizeof known[0] && strcmp(known[k], p->name) != 0;) k++;
      if (k == sizeof known / sizeof known[0]) munit_errorf("%s of %s", p->name, w.t.s->plans[i].route->op);
    }
  }
  munit_assert_size(n, ==, sizeof known / sizeof known[0]);
  t_world_close(&w);
}

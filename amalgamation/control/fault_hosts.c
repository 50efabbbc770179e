/*
** Hosts of clusters that go down at a given time, and come up again.
**
** A rule waits for its time by the handle's clock: a manual clock stops there on its way, and with another clock the rules are checked
** before each request and by svc_tick(). The cluster then gets the report that a driver would send, so that events, alerts, elections,
** processes and series follow as usual.
**
** The rule: earlier due steps are applied first, and everything gets the time of the rule, not the time of the check.
*/
#include "control/control.h"

#define FAULT_HOSTS_NOUN "cluster"

/* ---------------------------------------------------------------------------------------------------------- which host */

typedef struct fault_hosts_job {
  svc_service_job work; /* must be first: the struct is cast back */
  const svc_failure *rule;
  bool up;
} fault_hosts_job;

/* The host of this index, of "db://a:1,b:2,c:3/?x=y"; empty: no such host. */
static svc_str fault_hosts_nth(svc_str text, int index)
{
  svc_str hosts;
  size_t i;
  for (i = 0; i + 2 < text.n && memcmp(text.p + i, "://", 3) != 0;) i++;
  if (i + 3 >= text.n) return SVC_S("");
  text = (svc_str){ text.p + i + 3, text.n - i - 3 };
  hosts = svc_str_cut(&text, '/');
  while (index-- > 0 && hosts.n) (void)svc_str_cut(&hosts, ',');
  return svc_str_cut(&hosts, ',');
}

static bool fault_hosts_is(const svc_failure *f, const svc_entity *e)
{
  svc_id project;
  if (f->name[0] && !svc_str_is(e->unique, f->name)) return false;
  return !f->project[0] || (svc_id_parse(svc_str_c(f->project), &project) && svc_id_eq(&project, &e->parent));
}

/* {"processes":[{"host":"a:1","up":false}]}; *out NULL: the cluster has no such host. */
static bool fault_hosts_news(svc_call *c, const svc_failure *f, const svc_entity *e, bool up, svc_node **out)
{
  svc_str host = svc_str_c(f->what);
  svc_node *list = svc_node_array(c->arena, "processes"), *one = svc_node_object(c->arena, NULL), *body;
  *out = NULL;
  if (f->index >= 0) {
    body = svc_entity_body(c, e);
    if (!body) return false;
    host = fault_hosts_nth(svc_node_str(svc_node_get(body, "connectionStrings"), "standard"), f->index);
    if (!host.n) return true;
  }
  *out = svc_node_object(c->arena, NULL);
  if (!list || !one || !*out) return svc_no_memory(c);
  svc_node_set_str(c->arena, one, "host", host);
  svc_node_set_bool(c->arena, one, "up", up);
  svc_node_append(list, one);
  svc_node_append(*out, list);
  return true;
}

static bool fault_hosts_tell(svc_call *c, svc_service_job *job)
{
  const fault_hosts_job *work = (const fault_hosts_job *)job;
  const svc_noun_info *noun = svc_noun_named(c->s, FAULT_HOSTS_NOUN);
  svc_str key, value;
  svc_key prefix;
  svc_scan scan;
  svc_entity e;
  svc_node *news;
  svc_key_entity(&prefix, noun->noun->kind, NULL, NULL);
  svc_scan_below(&scan, c->txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) {
    if (!svc_entity_decode(key, value, &e)) continue;
    e.kind = noun->noun->kind;
    if (!fault_hosts_is(work->rule, &e)) continue;
    if (!fault_hosts_news(c, work->rule, &e, work->up, &news)) return false;
    if (news && !svc_report_about(c, noun, &e, news)) return false;
  }
  return svc_txn_good(c);
}

static bool fault_hosts_say(svc *s, const svc_failure *f, bool up, int64_t now)
{
  fault_hosts_job work;
  int rc;
  memset(&work, 0, sizeof work);
  work.work.run = fault_hosts_tell;
  work.rule = f;
  work.up = up;
  rc = svc_service_run(s, &work.work, now);
  if (rc != SVC_OK || work.work.job.refused) svc_log(s, SVC_LOG_WARNING, "fault.failed", "the fault of a host could not be applied: %s", svc_strerror(rc));
  return rc == SVC_OK;
}

SVC_PRIVATE bool svc_fault_hosts_up(svc *s, const svc_failure *f, int64_t now)
{
  return fault_hosts_say(s, f, true, now);
}

/* -------------------------------------------------------------------------------------------------------------- its time */

/* The host comes up, and goes down again later, or never. */
static void fault_hosts_rise(svc_failure *f)
{
  f->phase = SVC_HOST_WAITS;
  f->at = f->last_down + f->every;
  f->over = !f->every || svc_failure_spent(f);
}

static void fault_hosts_fall(svc *s, svc_failure *f)
{
  if (!svc_failure_strikes(f)) {
    f->last_down = f->at;
    fault_hosts_rise(f);
    return;
  }
  svc_failure_note(s, f, svc_str_c(f->index < 0 ? f->what : f->name), f->at);
  f->phase = SVC_HOST_DOWN;
  f->last_down = f->at;
  f->at = f->ms ? f->at + f->ms : INT64_MAX;
}

static svc_failure *fault_hosts_first(svc_failures *all)
{
  svc_failure *first = NULL;
  size_t i;
  for (i = 0; all && i < all->count; i++) {
    svc_failure *f = &all->rules[i];
    if (f->kind == SVC_FAILURE_HOST && !f->over && (!first || f->at < first->at)) first = f;
  }
  return first;
}

SVC_PRIVATE int64_t svc_fault_hosts_next(svc *s)
{
  svc_control *k = s->control;
  const svc_failure *first;
  int64_t next;
  svc_mutex_lock(&k->lock);
  first = fault_hosts_first(k->failures);
  next = first ? first->at : INT64_MAX;
  svc_mutex_unlock(&k->lock);
  return next;
}

SVC_PRIVATE size_t svc_fault_hosts_turns(svc *s, svc_host_turn out[SVC_FAILURES])
{
  const svc_failures *all;
  size_t i, n = 0;
  svc_mutex_lock(&s->control->lock);
  all = s->control->failures;
  for (i = 0; all && i < all->count; i++) {
    const svc_failure *f = &all->rules[i];
    if (f->kind != SVC_FAILURE_HOST || f->over || f->at == INT64_MAX) continue;
    out[n].when = f->at;
    out[n].down = f->phase != SVC_HOST_DOWN;
    snprintf(out[n++].name, sizeof out->name, "%s", f->index < 0 ? f->what : f->name);
  }
  svc_mutex_unlock(&s->control->lock);
  return n;
}

/* Makes the next change of a host that is due by now. False: no change is due. *out: the rule before the change; *told: report it. */
static bool fault_hosts_step(svc *s, int64_t now, svc_failure *out, bool *told)
{
  svc_control *k = s->control;
  svc_failure *first;
  bool found;
  svc_mutex_lock(&k->lock);
  first = fault_hosts_first(k->failures);
  found = first && first->at <= now;
  if (found) {
    *out = *first;
    if (first->phase == SVC_HOST_DOWN) fault_hosts_rise(first);
    else fault_hosts_fall(s, first);
    *told = first->phase != out->phase;
  }
  svc_mutex_unlock(&k->lock);
  return found;
}

SVC_PRIVATE void svc_fault_hosts_fire(svc *s, int64_t now)
{
  svc_failure f;
  bool told;
  while (fault_hosts_step(s, now, &f, &told)) {
    if (!told) continue;
    if (svc_commit_due(&s->commit, f.at)) (void)svc_apply_due(s, f.at);
    (void)fault_hosts_say(s, &f, f.phase == SVC_HOST_DOWN, f.at);
  }
}

SVC_PRIVATE void svc_fault_hosts_back(svc_failure *f, int64_t now)
{
  if (f->kind != SVC_FAILURE_HOST) return;
  if (f->phase == SVC_HOST_DOWN && f->last_down > now) {
    f->phase = SVC_HOST_WAITS;
    f->at = f->last_down;
    f->struck--;
  }
  while (f->phase == SVC_HOST_WAITS && f->every && f->at - f->every > now && f->at - f->every >= f->first) f->at -= f->every;
}

/* --------------------------------------------------------------------------------------------------------------- as JSON */

#define FAULT_HOSTS_LONGEST 315360000 /* seconds: ten years */

static const svc_field fault_hosts_one_fields[] = {
  F_STR("cluster", .flags = SVC_REQUIRED, .min = 1, .max = 64), F_INT("index", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 0, .max = 999),
  F_STR("project", .pattern = "^[0-9a-f]{24}$", .max = 24)
};
static const svc_object fault_hosts_one = { .name = "FaultHost", .fields = SVC_ROWS(fault_hosts_one_fields) };

static const svc_field fault_hosts_fields[] = {
  F_NUM("chance", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 1), F_LONG("count", .flags = SVC_MIN, .min = 0), F_DATE("down"),
  F_LONG("everySeconds", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = FAULT_HOSTS_LONGEST),
  F_LONG("forSeconds", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = FAULT_HOSTS_LONGEST), F_ANY("host", .flags = SVC_REQUIRED),
  F_LONG("inSeconds", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = FAULT_HOSTS_LONGEST), F_LONG("seed")
};
static const svc_object fault_hosts_object = { .name = "HostFault", .fields = SVC_ROWS(fault_hosts_fields) };

/* "NAME:PORT", or {"cluster","index"}. */
static bool fault_hosts_which(svc_call *c, svc_failure *f, char why[])
{
  const svc_node *host = svc_node_get(c->checked, "host"), *one;
  svc_str name;
  f->index = -1;
  if (host->type == SVC_J_STRING) {
    if (!host->text.n || host->text.n >= sizeof f->what) return svc_fault_wrong(why, "host: \"NAME:PORT\" is from 1 to 255 bytes", SVC_S(""));
    snprintf(f->what, sizeof f->what, SVC_FMT, SVC_ARG(host->text));
    return true;
  }
  if (host->type != SVC_J_OBJECT) return svc_fault_wrong(why, "host is \"NAME:PORT\", or an object with cluster and index", SVC_S(""));
  one = svc_check(c, &fault_hosts_one, host, NULL, SVC_CHECK_CREATE);
  if (!svc_check_done(c) || !one) return svc_fault_wrong(why, "host: ", c->error.violations ? svc_violation_text(c, c->error.violations) : SVC_S("wrong"));
  name = svc_node_str(one, "cluster");
  snprintf(f->name, sizeof f->name, SVC_FMT, SVC_ARG(name));
  name = svc_node_str(one, "project");
  snprintf(f->project, sizeof f->project, SVC_FMT, SVC_ARG(name));
  f->index = (int)svc_node_i64(one, "index", 0);
  return true;
}

static bool fault_hosts_read(svc_call *c, svc_failure *f, char why[])
{
  const svc_node *down = svc_node_get(c->checked, "down"), *in = svc_node_get(c->checked, "inSeconds");
  if (!svc_noun_named(c->s, FAULT_HOSTS_NOUN)) return svc_fault_wrong(why, "host: this build has no clusters", SVC_S(""));
  if (!fault_hosts_which(c, f, why)) return false;
  if (!down == !in) return svc_fault_wrong(why, "either down or inSeconds says when the host goes down", SVC_S(""));
  f->at = c->now + svc_node_i64(c->checked, "inSeconds", 0) * 1000;
  if (down) (void)svc_date_parse(down->text, &f->at); /* valid: the body was checked */
  if (f->at < c->now) return svc_fault_wrong(why, "down is a time that has not passed: ", down->text);
  f->first = f->at;
  f->ms = svc_node_i64(c->checked, "forSeconds", 0) * 1000;
  f->every = svc_node_i64(c->checked, "everySeconds", 0) * 1000;
  if (f->every && (!f->ms || f->ms >= f->every))
    return svc_fault_wrong(why, "everySeconds is more than forSeconds, which is required with it", SVC_S(""));
  if (!f->every && f->count > 1) return svc_fault_wrong(why, "count is more than 1 only with everySeconds", SVC_S(""));
  return true;
}

static void fault_hosts_write(svc_buf *b, const svc_failure *f)
{
  char date[21];
  svc_date_text(f->phase == SVC_HOST_DOWN ? f->last_down : f->at, date);
  SVC_FAULT_TEXT(b, "\"down\":", date);
  if (f->every) svc_buf_text(b, ",\"everySeconds\":");
  if (f->every) svc_buf_i64(b, f->every / 1000);
  if (f->ms) svc_buf_text(b, ",\"forSeconds\":");
  if (f->ms) svc_buf_i64(b, f->ms / 1000);
  if (f->index < 0) SVC_FAULT_TEXT(b, ",\"host\":", f->what);
  if (f->index >= 0) {
    SVC_FAULT_TEXT(b, ",\"host\":{\"cluster\":", f->name);
    svc_buf_text(b, ",\"index\":");
    svc_buf_i64(b, f->index);
    if (f->project[0]) SVC_FAULT_TEXT(b, ",\"project\":", f->project);
    svc_buf_char(b, '}');
  }
  svc_buf_text(b, f->phase == SVC_HOST_DOWN ? ",\"isDown\":true," : ",\"isDown\":false,");
}

SVC_PRIVATE const svc_failure_row svc_failure_host_row = {
  "host", &fault_hosts_object, fault_hosts_read, fault_hosts_write, SVC_WATCH_HOSTS
};

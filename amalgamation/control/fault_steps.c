/*
** Orders that fail, stall, are slow or are done in part; states that never end, or that begin later.
**
** The pipeline asks before it takes a step (pipeline/meddle.h). The first rule that matches and strikes decides. A waiting step is asked
** about again when its time has come: a slow one then continues; a stalled one waits for another hour, or until its rule is removed.
**
** The rule: a rule strikes a step once, however often it is asked about. So strikes are remembered, by entity and time.
*/
#include "control/control.h"

#define FAULT_STEPS_STALL 3600000 /* milliseconds between two looks at a stalled step: its rule ends with the process */

static const char *const fault_steps_outcomes[] = { "fail", "stall", "slow", "partial", NULL };

/* ------------------------------------------------------------------------------------------------------------- striking */

static bool fault_steps_action(const char *rule, const char *action)
{
  size_t n = strlen(rule);
  if (!action) return false;
  return n && rule[n - 1] == '*' ? strncmp(rule, action, n - 1) == 0 : strcmp(rule, action) == 0;
}

static bool fault_steps_about(const svc_failure *f, const svc_noun *noun, const svc_entity *e)
{
  return strcmp(f->what, noun->name) == 0 && (!f->name[0] || svc_str_is(e->unique.n ? e->unique : e->key, f->name));
}

/* Whether a rule is about this step. Once the driver has reported the step done, only the outcome "partial" applies. */
static bool fault_steps_fits(const svc_failure *f, const svc_step *step)
{
  if (step->done != (f->kind == SVC_FAILURE_STEP && f->outcome == SVC_OUTCOME_PARTIAL && step->done)) return false;
  if (f->kind == SVC_FAILURE_STEP) return fault_steps_action(f->what, step->action);
  return f->kind == SVC_FAILURE_STATE && fault_steps_about(f, step->noun, step->entity) && svc_str_is(step->state, f->state);
}

SVC_PRIVATE svc_strike *svc_strike_find(svc_failures *all, int rule, const svc_id *id)
{
  size_t i;
  for (i = 0; i < SVC_STRIKES; i++)
    if (all->strikes[i].rule == rule && svc_id_eq(&all->strikes[i].of.id, id)) return &all->strikes[i];
  return NULL;
}

SVC_PRIVATE svc_strike *svc_strike_new(svc_failures *all, const svc_failure *f, const svc_entity *e, int64_t now)
{
  svc_strike *k = svc_strike_find(all, f->id, &e->id);
  unsigned tries = SVC_STRIKES;
  for (; !k && tries--; all->next++) /* a strike that something waits for is kept, if there is another one */
    if (!tries || all->strikes[all->next % SVC_STRIKES].of.until <= now) k = &all->strikes[all->next % SVC_STRIKES];
  memset(k, 0, sizeof *k);
  k->rule = f->id;
  memcpy(k->of.kind, e->kind, SVC_KIND_SIZE);
  k->of.parent = e->parent;
  k->of.id = e->id;
  k->when = now;
  return k;
}

/* Whether the rule strikes the step. *until: time of the next question about a step that waits. False: the rule lets the step continue. */
static bool fault_steps_strikes(svc *s, svc_failure *f, const svc_step *step, int64_t now, int64_t *until)
{
  svc_failures *all = s->control->failures;
  svc_strike *k = svc_strike_find(all, f->id, &step->entity->id);
  bool stalls = f->outcome == SVC_OUTCOME_STALL;
  if (k && k->of.until == now && k->when != now) { /* it has waited */
    if (!stalls) return false;
    k->when = now;
    k->of.until = now + FAULT_STEPS_STALL;
  } else if (!k || k->when != now) {
    if (svc_failure_spent(f)) return false;
    k = svc_strike_new(all, f, step->entity, now);
    k->struck = svc_failure_strikes(f);
    if (stalls || f->outcome == SVC_OUTCOME_SLOW) k->of.until = now + (stalls ? FAULT_STEPS_STALL : f->ms);
    if (!k->struck) k->of.until = 0;
    else svc_failure_note(s, f, step->entity->unique.n ? step->entity->unique : step->entity->key, now);
  }
  *until = k->of.until;
  return k->struck;
}

static svc_verdict fault_steps_verdict(svc_call *c, const svc_failure *f, int64_t until)
{
  static const int words[] = { SVC_STEP_FAILS, SVC_STEP_WAITS, SVC_STEP_WAITS, SVC_STEP_PARTLY };
  return (svc_verdict){ words[f->outcome], until, svc_arena_copy(c->arena, svc_str_c(f->reason)) };
}

static svc_verdict fault_steps_step(svc_call *c, const svc_step *step)
{
  svc_verdict verdict = { SVC_STEP_TAKEN, 0, { "", 0 } };
  svc_control *k = c->s->control;
  int64_t until;
  size_t i;
  svc_mutex_lock(&k->lock);
  for (i = 0; k->failures && i < k->failures->count && verdict.word == SVC_STEP_TAKEN; i++) {
    svc_failure *f = &k->failures->rules[i];
    if (fault_steps_fits(f, step) && fault_steps_strikes(c->s, f, step, c->now, &until)) verdict = fault_steps_verdict(c, f, until);
  }
  svc_mutex_unlock(&k->lock);
  return verdict;
}

SVC_PRIVATE size_t svc_steps_held(const svc_failures *all, int rule, svc_held_step *out, int64_t now)
{
  size_t i, k, n = 0;
  for (i = 0; i < all->count; i++) {
    const svc_failure *f = &all->rules[i];
    if ((rule && f->id != rule) || f->outcome != SVC_OUTCOME_STALL) continue;
    for (k = 0; k < SVC_STRIKES; k++)
      if (all->strikes[k].rule == f->id && all->strikes[k].of.until > now) {
        if (out) out[n] = all->strikes[k].of;
        n++;
      }
  }
  return n;
}

static int64_t fault_steps_put_off(svc_call *c, svc_failure *f, const svc_entity *e, const char *state)
{
  svc_failures *all = c->s->control->failures;
  svc_strike *k = svc_strike_find(all, f->id, &e->id);
  if (!k || k->when != c->now) {
    if (svc_failure_spent(f)) return 0;
    k = svc_strike_new(all, f, e, c->now);
    k->struck = svc_failure_strikes(f);
    if (k->struck) svc_failure_note(c->s, f, e->unique.n ? e->unique : e->key, c->now);
  }
  if (!k->struck) return 0;
  k->begins = state;
  return k->of.until = c->now + f->ms;
}

static int64_t fault_steps_later(svc_call *c, const svc_noun *noun, const svc_entity *e, const char *state)
{
  svc_control *k = c->s->control;
  int64_t when = 0;
  size_t i;
  svc_mutex_lock(&k->lock);
  for (i = 0; k->failures && i < k->failures->count && !when; i++) {
    svc_failure *f = &k->failures->rules[i];
    if (f->kind == SVC_FAILURE_LATER && fault_steps_about(f, noun, e)) when = fault_steps_put_off(c, f, e, state);
  }
  svc_mutex_unlock(&k->lock);
  return when;
}

/* The postponed state that begins now, whether its rule still exists or not; NULL: none. */
static const char *fault_steps_begins(svc_call *c, const svc_entity *e)
{
  svc_control *k = c->s->control;
  const char *state = NULL;
  size_t i;
  svc_mutex_lock(&k->lock);
  for (i = 0; k->failures && i < SVC_STRIKES; i++) {
    const svc_strike *s = &k->failures->strikes[i];
    if (s->rule && s->begins && s->of.until == c->now && svc_id_eq(&s->of.id, &e->id)) state = s->begins;
  }
  svc_mutex_unlock(&k->lock);
  return state;
}

SVC_PRIVATE const svc_meddler *svc_control_meddler(void)
{
  static const svc_meddler meddler = { fault_steps_step, svc_lag_changes, svc_lag_reads, fault_steps_later, fault_steps_begins };
  return &meddler;
}

/* --------------------------------------------------------------------------------------------------------------- as JSON */

#define FAULT_STEPS_REASON "a fault of test control"
#define FAULT_OFTEN \
  F_NUM("chance", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 1), F_LONG("count", .flags = SVC_MIN, .min = 0)

static const svc_field fault_steps_order_fields[] = {
  FAULT_OFTEN, F_STR("order", .flags = SVC_REQUIRED, .min = 1, .max = 64), F_ENUM("outcome", fault_steps_outcomes, .flags = SVC_REQUIRED),
  F_STR("reason", .max = 256), F_LONG("seconds", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 315360000), F_LONG("seed")
};
static const svc_object fault_steps_order_object = { .name = "OrderFault", .fields = SVC_ROWS(fault_steps_order_fields) };

static const svc_field fault_steps_state_fields[] = {
  F_STR("name", .min = 1, .max = 128), F_STR("noun", .flags = SVC_REQUIRED, .max = 64), F_STR("value", .flags = SVC_REQUIRED, .max = 64)
};
static const svc_object fault_steps_state = { .name = "FaultState", .fields = SVC_ROWS(fault_steps_state_fields) };
static const svc_field fault_steps_states_fields[] = { FAULT_OFTEN, F_LONG("seed"), F_OBJ("state", &fault_steps_state, .flags = SVC_REQUIRED) };
static const svc_object fault_steps_state_object = { .name = "StateFault", .fields = SVC_ROWS(fault_steps_states_fields) };

static void fault_steps_keep(char *out, size_t size, svc_str text)
{
  snprintf(out, size, SVC_FMT, SVC_ARG(text));
}

/* Whether there is a state that an order of this name leads out of. */
static bool fault_steps_known(const svc *s, const char *rule)
{
  size_t i;
  for (i = 0; i < s->noun_count; i++) {
    const svc_lifecycle *life = s->nouns[i].noun->lifecycle;
    const svc_transition *t;
    for (t = life ? life->transitions : NULL; t && t->from; t++)
      if (fault_steps_action(rule, t->order)) return true;
  }
  return false;
}

static bool fault_steps_read(svc_call *c, svc_failure *f, char why[])
{
  svc_str outcome = svc_node_str(c->checked, "outcome"), reason = svc_node_str(c->checked, "reason");
  bool slow, timed = svc_node_get(c->checked, "seconds") != NULL;
  while (fault_steps_outcomes[f->outcome] && !svc_str_is(outcome, fault_steps_outcomes[f->outcome])) f->outcome++;
  slow = f->outcome == SVC_OUTCOME_SLOW;
  fault_steps_keep(f->what, sizeof f->what, svc_node_str(c->checked, "order"));
  fault_steps_keep(f->reason, sizeof f->reason, reason.n ? reason : SVC_S(FAULT_STEPS_REASON));
  f->ms = svc_node_i64(c->checked, "seconds", 0) * 1000;
  if (!fault_steps_known(c->s, f->what)) return svc_fault_wrong(why, "order: no state waits for an order ", svc_str_c(f->what));
  if (slow && !timed) return svc_fault_wrong(why, "seconds is required where the outcome is slow", SVC_S(""));
  return slow || !timed ? true : svc_fault_wrong(why, "seconds is only for the outcome slow", SVC_S(""));
}

static void fault_steps_write(svc_buf *b, const svc_failure *f)
{
  SVC_FAULT_TEXT(b, "\"order\":", f->what);
  SVC_FAULT_TEXT(b, ",\"outcome\":", fault_steps_outcomes[f->outcome]);
  SVC_FAULT_TEXT(b, ",\"reason\":", f->reason);
  if (f->ms) svc_buf_text(b, ",\"seconds\":");
  if (f->ms) svc_buf_i64(b, f->ms / 1000);
  svc_buf_char(b, ',');
}

static const svc_field fault_steps_later_one_fields[] = {
  F_STR("name", .min = 1, .max = 128), F_STR("noun", .flags = SVC_REQUIRED, .max = 64),
  F_LONG("seconds", .flags = SVC_REQUIRED | SVC_MIN | SVC_MAX, .min = 1, .max = 315360000)
};
static const svc_object fault_steps_later_one = { .name = "FaultLater", .fields = SVC_ROWS(fault_steps_later_one_fields) };
static const svc_field fault_steps_later_fields[] = { FAULT_OFTEN, F_OBJ("later", &fault_steps_later_one, .flags = SVC_REQUIRED), F_LONG("seed") };
static const svc_object fault_steps_later_object = { .name = "LaterFault", .fields = SVC_ROWS(fault_steps_later_fields) };

static bool fault_steps_later_read(svc_call *c, svc_failure *f, char why[])
{
  const svc_node *of = svc_node_get(c->checked, "later");
  const svc_noun_info *info;
  fault_steps_keep(f->what, sizeof f->what, svc_node_str(of, "noun"));
  fault_steps_keep(f->name, sizeof f->name, svc_node_str(of, "name"));
  f->ms = svc_node_i64(of, "seconds", 0) * 1000;
  info = svc_noun_named(c->s, f->what);
  if (info && info->noun->lifecycle && info->noun->lifecycle->updated) return true;
  return svc_fault_wrong(why, "later.noun: there is no resource whose changes lead into a state called ", svc_node_str(of, "noun"));
}

static void fault_steps_later_write(svc_buf *b, const svc_failure *f)
{
  svc_buf_text(b, "\"later\":{");
  if (f->name[0]) SVC_FAULT_TEXT(b, "\"name\":", f->name);
  if (f->name[0]) svc_buf_char(b, ',');
  SVC_FAULT_TEXT(b, "\"noun\":", f->what);
  svc_buf_text(b, ",\"seconds\":");
  svc_buf_i64(b, f->ms / 1000);
  svc_buf_text(b, "},");
}

static bool fault_steps_state_read(svc_call *c, svc_failure *f, char why[])
{
  const svc_node *of = svc_node_get(c->checked, "state");
  svc_str noun = svc_node_str(of, "noun"), value = svc_node_str(of, "value");
  const svc_noun_info *info;
  fault_steps_keep(f->what, sizeof f->what, noun);
  fault_steps_keep(f->state, sizeof f->state, value);
  fault_steps_keep(f->name, sizeof f->name, svc_node_str(of, "name"));
  f->outcome = SVC_OUTCOME_STALL;
  info = svc_noun_named(c->s, f->what);
  if (!info || !info->noun->lifecycle) return svc_fault_wrong(why, "state.noun: there is no resource with states called ", noun);
  return svc_transition_from(info->noun, value) ? true : svc_fault_wrong(why, "state.value: this state does not end by itself: ", value);
}

static void fault_steps_state_write(svc_buf *b, const svc_failure *f)
{
  svc_buf_text(b, "\"state\":{");
  if (f->name[0]) SVC_FAULT_TEXT(b, "\"name\":", f->name);
  if (f->name[0]) svc_buf_char(b, ',');
  SVC_FAULT_TEXT(b, "\"noun\":", f->what);
  SVC_FAULT_TEXT(b, ",\"value\":", f->state);
  svc_buf_text(b, "},");
}

SVC_PRIVATE const svc_failure_row svc_failure_step_row = {
  "order", &fault_steps_order_object, fault_steps_read, fault_steps_write, SVC_WATCH_STEPS
};
SVC_PRIVATE const svc_failure_row svc_failure_state_row = {
  "state", &fault_steps_state_object, fault_steps_state_read, fault_steps_state_write, SVC_WATCH_STEPS
};
SVC_PRIVATE const svc_failure_row svc_failure_later_row = {
  "later", &fault_steps_later_object, fault_steps_later_read, fault_steps_later_write, SVC_WATCH_STEPS
};

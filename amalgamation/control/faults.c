/*
** Rules that make requests fail, so that a client's error handling can be tested.
**
** A rule strikes after the caller is known, and before a token is taken from a bucket or the resource is read. Its effect takes the usual
** way of a refusal: svc_fail(), and the document, headers and journal of any other error.
**
** The rule: where authentication is required, a caller that fails it sees nothing of this and uses no rule up. At operations without
** authentication a rule strikes every caller. Faults have their own random generator, so that a rule
** with a chance does not change ids that are made meanwhile.
*/
#include "control/control.h"

#define FAULTS_LONGEST 3600000 /* maximum delay in milliseconds */

/* ------------------------------------------------------------------------------------------------------------ striking */

static bool faults_is_scheme(const svc_call *c, const char *name)
{
  svc_str rest = c->request.authorization;
  return !c->request.raw->caller && svc_str_is_nocase(svc_str_cut(&rest, ' '), name);
}

/* Whether the rule matches this request. */
static bool faults_fits(const svc_call *c, const svc_fault *f, const svc_plan *of)
{
  if (of && of != c->plan) return false;
  if (f->kind == SVC_FAULT_EXPIRED_TOKEN) return c->who.known && faults_is_scheme(c, "bearer");
  if (f->kind == SVC_FAULT_STALE_NONCE) return c->who.known && faults_is_scheme(c, "digest");
  return true;
}

/* The lock is held. */
static void faults_drop(svc *s, size_t at)
{
  svc_control *k = s->control;
  k->fault_count--;
  memmove(&k->faults[at], &k->faults[at + 1], (k->fault_count - at) * sizeof k->faults[0]);
  memmove(&k->of[at], &k->of[at + 1], (k->fault_count - at) * sizeof k->of[0]);
  if (k->fault_count == 0) atomic_fetch_and(&s->watch, ~(unsigned)SVC_WATCH_FAULTS);
}

static bool faults_chance(svc_control *k, double chance)
{
  return chance <= 0 || chance >= 1 || (double)(svc_seed_next(&k->chance) >> 11) * (1.0 / 9007199254740992.0) < chance;
}

/* The rule that strikes; false: none. The call gets the longest delay of this rule and of the rules before it, which only delay. */
static bool faults_find(svc_call *c, svc_fault *out)
{
  svc_control *k = c->s->control;
  bool found = false;
  size_t i = 0;
  svc_mutex_lock(&k->lock);
  while (i < k->fault_count && !found) {
    svc_fault *f = &k->faults[i];
    if (!faults_fits(c, f, k->of[i]) || !faults_chance(k, f->chance)) {
      i++;
      continue;
    }
    f->struck++;
    if (f->delay_ms > c->delay_ms) c->delay_ms = f->delay_ms;
    *out = *f;
    found = f->kind || f->status || f->drop;
    if (f->count && f->struck >= f->count) faults_drop(c->s, i);
    else i++;
  }
  svc_mutex_unlock(&k->lock);
  return found;
}

/* The error of an empty bucket, without touching one. */
static bool faults_limited(svc_call *c)
{
  const svc_set_row *set = &c->s->sets[SVC_TAKES_FORM(c->plan->route) ? c->s->set_count : c->plan->route->set];
  svc_str path = c->request.path;
  c->route.limited = true;
  c->route.tokens = (svc_tokens){ false, 0, set->refill_seconds };
  path.p++, path.n--; /* without its first slash, as in the limiter */
  return svc_fail(c, SVC_E_RATE_LIMITED_TOKEN_BUCKET, "Siiii", &path, &set->refill_seconds, &set->capacity, &set->refill_rate,
                  &set->refill_seconds);
}

/* Any error of the service, with the number of parameters that it has. */
static bool faults_fail(svc_call *c, const svc_fault *f)
{
  static const char *const formats[] = { "", "s", "ss", "sss", "ssss", "sssss" };
  const char *what = "fault";
  int code = f->error_code ? svc_code_shown(c->s, f->error_code)
             : f->status == 500 ? SVC_E_UNEXPECTED_ERROR : SVC_E_SERVICE_UNAVAILABLE;
  if (f->error_code ? code == SVC_E_RATE_LIMITED_TOKEN_BUCKET : f->status == 429) return faults_limited(c);
  return svc_fail(c, code, formats[svc_error_params(code)], what, what, what, what, what);
}

SVC_PRIVATE bool svc_stage_fault(svc_call *c)
{
  svc_fault f = { 0 };
  if (!faults_find(c, &f)) return true;
  c->drop = f.drop;
  if (f.drop == SVC_DROP_AFTER) return true;
  if (f.kind) {
    memset(&c->who, 0, sizeof c->who);
    return svc_digest_challenge(c, f.kind == SVC_FAULT_STALE_NONCE);
  }
  return f.status ? faults_fail(c, &f) : svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
}

/* --------------------------------------------------------------------------------------------------------------- rules */

static int faults_invalid(char why[SVC_FAULT_WHY], const char *what, const char *value)
{
  snprintf(why, SVC_FAULT_WHY, "%s%.100s", what, value ? value : "");
  return SVC_INVALID;
}

/* Status and code must match. */
static int faults_error(const svc *s, svc_fault *f, char why[SVC_FAULT_WHY])
{
  int code = f->error_code ? svc_code_shown(s, f->error_code) : 0;
  if (f->error_code && !code) return faults_invalid(why, "there is no errorCode ", f->error_code);
  if (code && f->status && f->status != svc_error_status(code)) return faults_invalid(why, "the status is not that of ", f->error_code);
  if (!code && f->status && f->status != 429 && f->status != 500 && f->status != 503)
    return faults_invalid(why, "a status is 429, 500, 503, or that of an errorCode", NULL);
  if (!code) return SVC_OK;
  f->error_code = svc_shown_code(s, code); /* in the handle's memory, which outlives the host's */
  f->status = svc_error_status(code);
  return SVC_OK;
}

/* An operation that does not exist, and the nearest one that does. */
static int faults_no_operation(const svc *s, const char *name, char why[SVC_FAULT_WHY])
{
  svc_near guess = svc_near_begin(svc_str_c(name));
  size_t i;
  for (i = 0; i < s->plan_count; i++)
    if (s->plans[i].route->op) svc_near_try(&guess, s->plans[i].route->op);
  snprintf(why, SVC_FAULT_WHY, "there is no operation %.60s%s%.80s%s", name, guess.best ? "; did you mean " : "", guess.best ? guess.best : "",
           guess.best ? "?" : "");
  return SVC_INVALID;
}

static int faults_check(const svc *s, svc_fault *f, const svc_plan **of, char why[SVC_FAULT_WHY])
{
  *of = f->operation ? svc_plan_named(s, f->operation) : NULL;
  if (f->operation && !*of) return faults_no_operation(s, f->operation, why);
  if (*of) f->operation = (*of)->route->op;
  if (f->kind < SVC_FAULT_ANSWER || f->kind > SVC_FAULT_STALE_NONCE) return faults_invalid(why, "the kind is unknown", NULL);
  if (f->kind && (f->status || f->error_code || f->drop))
    return faults_invalid(why, "this kind has neither status nor errorCode nor drop", NULL);
  if (f->drop < 0 || f->drop > SVC_DROP_AFTER) return faults_invalid(why, "the drop is unknown", NULL);
  if (f->delay_ms < 0 || f->delay_ms > FAULTS_LONGEST) return faults_invalid(why, "the delay is negative, or more than an hour", NULL);
  if (f->count < 0) return faults_invalid(why, "the count is negative", NULL);
  if (!(f->chance >= 0 && f->chance <= 1)) return faults_invalid(why, "the chance is not from 0 to 1", NULL);
  if (!f->kind && !f->status && !f->error_code && !f->drop && !f->delay_ms) return faults_invalid(why, "the rule does nothing", NULL);
  return faults_error(s, f, why);
}

SVC_PRIVATE int svc_fault_put(svc *s, svc_fault *f, char why[SVC_FAULT_WHY])
{
  const svc_plan *of;
  svc_control *k = s->control;
  int rc = faults_check(s, f, &of, why);
  if (rc != SVC_OK) return rc;
  svc_mutex_lock(&k->lock);
  if (k->fault_count == SVC_FAULTS) rc = SVC_FULL;
  if (rc == SVC_OK) {
    f->id = svc_next_fault_id(k);
    f->struck = 0;
    k->of[k->fault_count] = of;
    k->faults[k->fault_count++] = *f;
    atomic_fetch_or(&s->watch, SVC_WATCH_FAULTS);
  }
  svc_mutex_unlock(&k->lock);
  return rc;
}

int svc_fault_add(svc *s, const svc_fault *fault, int *id)
{
  char why[SVC_FAULT_WHY];
  svc_fault f;
  int rc;
  if (!SVC_USABLE(s) || !fault) return SVC_INVALID;
  f = *fault;
  rc = svc_fault_put(s, &f, why);
  if (rc == SVC_OK && id) *id = f.id;
  if (rc == SVC_INVALID) svc_log(s, SVC_LOG_ERROR, "fault.invalid", "svc_fault: %s", why);
  return rc;
}

int svc_fault_remove(svc *s, int id)
{
  svc_control *k;
  size_t i;
  int rc, others;
  if (!SVC_USABLE(s)) return SVC_INVALID;
  others = svc_failure_remove(s, id);
  rc = id && others == SVC_INVALID ? SVC_INVALID : SVC_OK;
  k = s->control;
  svc_mutex_lock(&k->lock);
  for (i = k->fault_count; i-- > 0;) {
    if (id && k->faults[i].id != id) continue;
    faults_drop(s, i);
    rc = SVC_OK;
  }
  svc_mutex_unlock(&k->lock);
  return others != SVC_OK && others != SVC_INVALID ? others : rc;
}

size_t svc_fault_list(svc *s, svc_fault *out, size_t room)
{
  svc_control *k;
  size_t n;
  if (!SVC_USABLE(s)) return 0;
  k = s->control;
  svc_mutex_lock(&k->lock);
  n = k->fault_count;
  if (out && room) memcpy(out, k->faults, (room < n ? room : n) * sizeof *out);
  svc_mutex_unlock(&k->lock);
  return n;
}

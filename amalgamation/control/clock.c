/*
** A clock that stands until it is moved, or runs at a rate of its own (svc_config.clock_rate, svc_clock_rate()).
**
** A running clock is a time that was noted, and the monotonic time since then, multiplied by the rate. It never goes back: whoever
** changes the rate, or moves it, notes the present first. While a call moves it, it stands, and runs on when that call returns.
**
** Moving it is done in strides: to where something is due, and a little further, until the time that was asked for. So a
** clock that goes on by a year does not see a year of work at once, and what comes of a step that was due (an order to the
** driver, who says at once that it is done) comes at its time. With nobody to tell, a stride may be long: steps that are
** due have the time at which they fell due, whatever the clock says meanwhile.
**
** The rule: after each stride all that is due by then has happened. So wherever it stops, it is at a time that could have been.
*/
#include "control/control.h"

#include <time.h>

#define CLOCK_STEPS 200000  /* svcapi.h says so */
#define CLOCK_STRIDE 3600000 /* milliseconds */
#define CLOCK_TRIES 64 /* entries without a step that a jump to the next step passes over */
#define CLOCK_NS 1000000 /* nanoseconds of a millisecond */

/* -------------------------------------------------------------------------------------------------------------- running */

static int64_t clock_monotonic(const svc *s)
{
  struct timespec t;
  if (s->config.monotonic) return s->config.monotonic(s->config.monotonic_context);
  return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (int64_t)t.tv_sec * 1000 * CLOCK_NS + t.tv_nsec : 0;
}

/* Where it stands. The lock is held. */
static int64_t clock_at(const svc *s)
{
  const svc_control *k = s->control;
  int64_t passed, most;
  if (!k->rate || k->held || k->now >= SVC_CLOCK_LAST) return k->now;
  passed = clock_monotonic(s) - k->since;
  if (passed <= 0) return k->now;
  most = (SVC_CLOCK_LAST - k->now) / k->rate; /* milliseconds until the end of all time: no product is too large */
  if (passed / CLOCK_NS > most) return SVC_CLOCK_LAST;
  passed = k->now + passed / CLOCK_NS * k->rate + passed % CLOCK_NS * k->rate / CLOCK_NS;
  return passed < SVC_CLOCK_LAST ? passed : SVC_CLOCK_LAST;
}

SVC_PRIVATE int64_t svc_manual_clock(void *handle)
{
  const svc *s = handle;
  int64_t now;
  svc_mutex_lock(&s->control->lock);
  now = clock_at(s);
  svc_mutex_unlock(&s->control->lock);
  return now;
}

SVC_PRIVATE void svc_clock_put(svc *s, int64_t now)
{
  svc_mutex_lock(&s->control->lock);
  s->control->now = now;
  s->control->since = clock_monotonic(s);
  svc_mutex_unlock(&s->control->lock);
}

/* It stands until clock_end(). False: somebody else moves it. */
static bool clock_begin(svc *s)
{
  if (atomic_exchange(&s->control->moving, true)) return false;
  svc_mutex_lock(&s->control->lock);
  s->control->now = clock_at(s);
  s->control->held = true;
  svc_mutex_unlock(&s->control->lock);
  return true;
}

static int clock_end(svc *s, int rc)
{
  svc_mutex_lock(&s->control->lock);
  s->control->since = clock_monotonic(s);
  s->control->held = false;
  svc_mutex_unlock(&s->control->lock);
  atomic_store(&s->control->moving, false);
  return rc;
}

SVC_PRIVATE int64_t svc_clock_rate_now(svc *s)
{
  int64_t rate;
  if (!s->config.manual_clock) return 1;
  svc_mutex_lock(&s->control->lock);
  rate = s->control->rate;
  svc_mutex_unlock(&s->control->lock);
  return rate;
}

/* --------------------------------------------------------------------------------------------------------------- moving */

/* Not back: a snapshot may be restored meanwhile, and then it is not for us to go on from where we were. */
static bool clock_forward(svc *s, int64_t from, int64_t to)
{
  svc_control *k = s->control;
  bool good;
  svc_mutex_lock(&k->lock);
  good = k->now == from;
  if (good) k->now = to;
  svc_mutex_unlock(&k->lock);
  return good;
}

/* Where the next stride ends: not behind a host that a test has go down. */
static int64_t clock_stride(svc *s, int64_t now, int64_t to)
{
  bool tells = s->config.driver || s->config.notify;
  int64_t next = svc_commit_next(&s->commit), order = tells ? svc_orders_next(s, now) : INT64_MAX, host = svc_fault_hosts_next(s);
  if (order < next) next = order;
  if (host > now && host < to) to = host;
  if (next < now) next = now;
  if (next > to) return to;
  if (!tells && next < to - CLOCK_STRIDE) return next + CLOCK_STRIDE;
  return tells ? next : to;
}

/* What is due by now, and what comes of it at this very time. Not if it was set back meanwhile: then what is due by that time is not yet. */
static int clock_tick(svc *s, int64_t now, int64_t *left)
{
  int rc;
  if (svc_access_uses_due(s, now)) svc_access_uses_flush(s, now);
  if (svc_meddles(s, SVC_WATCH_HOSTS)) svc_fault_hosts_fire(s, now);
  do {
    rc = svc_apply_due_some(s, now, left);
    if (rc == SVC_OK) rc = svc_orders_hand_out(s, now);
  } while (rc == SVC_OK && svc_commit_due(&s->commit, now) && *left && svc_now(s) >= now);
  return rc;
}

static int clock_move(svc *s, int64_t to)
{
  int64_t now = svc_now(s), next, left = CLOCK_STEPS, strides = CLOCK_STEPS;
  int rc = clock_tick(s, now, &left);
  while (rc == SVC_OK && now < to && left && strides--) {
    next = clock_stride(s, now, to);
    if (!clock_forward(s, now, next)) return SVC_BUSY;
    now = next;
    rc = clock_tick(s, now, &left);
  }
  return rc == SVC_OK && (now < to || svc_commit_due(&s->commit, now)) ? SVC_BUSY : rc;
}

/* To the next time at which something is due, which then happens. *steps: how many steps did, and hosts that went down or came up. */
static int clock_jump(svc *s, int64_t *steps)
{
  int64_t now = svc_now(s), left = CLOCK_STEPS, next;
  const bool tells = s->config.driver || s->config.notify;
  bool host, order;
  int rc, tries;
  for (tries = 0; tries < CLOCK_TRIES; tries++) {
    next = svc_upcoming_next(s, now);
    if (next > SVC_CLOCK_LAST) return tries ? SVC_OK : SVC_NOT_FOUND;
    if (next < now) next = now;
    host = svc_fault_hosts_next(s) <= next;
    order = tells && svc_orders_next(s, now) <= next;
    if (!clock_forward(s, now, next)) return SVC_BUSY;
    now = next;
    rc = clock_tick(s, now, &left);
    *steps = CLOCK_STEPS - left + host;
    if (rc != SVC_OK || *steps || order) return rc;
  }
  return SVC_OK;
}

int svc_clock_set(svc *s, int64_t ms)
{
  if (!s || !s->config.manual_clock || ms > SVC_CLOCK_LAST) return SVC_INVALID;
  if (!clock_begin(s)) return SVC_BUSY;
  return clock_end(s, ms < svc_now(s) ? SVC_INVALID : clock_move(s, ms));
}

int svc_clock_advance(svc *s, int64_t ms)
{
  int64_t now;
  if (!s || !s->config.manual_clock || ms < 0) return SVC_INVALID;
  if (!clock_begin(s)) return SVC_BUSY;
  now = svc_now(s);
  return clock_end(s, ms > SVC_CLOCK_LAST - now ? SVC_INVALID : clock_move(s, now + ms));
}

int svc_clock_rate(svc *s, int64_t rate)
{
  if (!s || !s->config.manual_clock || rate < 0 || rate > SVC_CLOCK_FASTEST) return SVC_INVALID;
  if (!clock_begin(s)) return SVC_BUSY;
  svc_mutex_lock(&s->control->lock);
  s->control->rate = rate;
  svc_mutex_unlock(&s->control->lock);
  return clock_end(s, clock_move(s, svc_now(s)));
}

SVC_PRIVATE int svc_clock_jump(svc *s, int64_t *steps)
{
  *steps = 0;
  if (!s || !s->config.manual_clock) return SVC_INVALID;
  return clock_begin(s) ? clock_end(s, clock_jump(s, steps)) : SVC_BUSY;
}

int svc_clock_next(svc *s)
{
  int64_t steps;
  return svc_clock_jump(s, &steps);
}

int64_t svc_clock_now(svc *s)
{
  return s ? svc_now(s) : 0;
}

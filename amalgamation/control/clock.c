/*
** The manual clock: stands until it is moved, or runs at its own rate (svc_config.clock_rate, svc_clock_rate()). Rate 0 stops
** ("freezes") a running clock.
**
** A running clock is a stored time plus the monotonic time since then, multiplied by the rate. A change of the rate, or a move, stores the
** present time first, and never sets the clock back. Only the restore of a snapshot or a reset does, by svc_clock_put() (whole.c).
** While a call moves the clock, it stands; afterwards it continues to run.
**
** The clock moves in strides until the requested time. Each stride ends at the next due step or order, or without a driver and
** svc_config.notify up to one hour after it. So a move by a year does not do a year of work at once, and consequences of a due
** step (an order to a driver that completes it at once) happen at their own time. Without a driver a longer stride changes
** nothing: a due step gets the time at which it was due, not that of the clock. A stride also ends when a test has a host fail
** (svc_fault_hosts_next).
**
** The rule: after each stride everything that is due by then has happened. So wherever the clock stops, the state is one that could have
** been.
*/
#include "control/control.h"

#include <time.h>

#define CLOCK_STEPS 200000  /* documented in svcapi.h */
#define CLOCK_STRIDE 3600000 /* milliseconds */
#define CLOCK_TRIES 64 /* entries without a step that a jump to the next step skips */
#define CLOCK_NS 1000000 /* nanoseconds of a millisecond */

/* -------------------------------------------------------------------------------------------------------------- running */

static int64_t clock_monotonic(const svc *s)
{
  struct timespec t;
  if (s->config.monotonic) return s->config.monotonic(s->config.monotonic_context);
  return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (int64_t)t.tv_sec * 1000 * CLOCK_NS + t.tv_nsec : 0;
}

/* The present time of the clock. The lock is held. */
static int64_t clock_at(const svc *s)
{
  const svc_control *k = s->control;
  int64_t passed, most;
  if (!k->rate || k->held || k->now >= SVC_CLOCK_LAST) return k->now;
  passed = clock_monotonic(s) - k->since;
  if (passed <= 0) return k->now;
  most = (SVC_CLOCK_LAST - k->now) / k->rate; /* milliseconds until the last date: no product overflows */
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

/* Stops the clock until clock_end(). False: another call moves it. */
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

/* Never back: a snapshot may have been restored meanwhile, and then this move ends. */
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

/* *end: the end of the next stride: not behind the next host failure of a test. */
static int clock_stride(svc *s, int64_t now, int64_t to, int64_t *end)
{
  const bool tells = svc_order_has_any_taker(s);
  int64_t next = svc_commit_next(&s->commit), order = INT64_MAX, host = svc_fault_hosts_next(s);
  int rc = tells ? svc_orders_next(s, now, &order) : SVC_OK;
  if (order < next) next = order;
  if (host > now && host < to) to = host;
  if (next < now) next = now;
  *end = to;
  if (tells && next < to) *end = next;
  if (!tells && next < to - CLOCK_STRIDE) *end = next + CLOCK_STRIDE;
  return rc;
}

/* Applies what is due by now, and its consequences at the same time. Stops if the clock was set back meanwhile. */
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
    rc = clock_stride(s, now, to, &next);
    if (rc != SVC_OK) break;
    if (!clock_forward(s, now, next)) return SVC_BUSY;
    now = next;
    rc = clock_tick(s, now, &left);
  }
  return rc == SVC_OK && (now < to || svc_commit_due(&s->commit, now)) ? SVC_BUSY : rc;
}

/* Moves to the next time at which something is due, and applies it. *steps: number of due steps, plus 1 if a rule for a host was due. */
static int clock_jump(svc *s, int64_t *steps)
{
  int64_t now = svc_now(s), left = CLOCK_STEPS, next, order = INT64_MAX;
  const bool tells = svc_order_has_any_taker(s);
  bool host;
  int rc, tries;
  for (tries = 0; tries < CLOCK_TRIES; tries++) {
    rc = svc_upcoming_next(s, now, &next);
    if (rc == SVC_OK && next > SVC_CLOCK_LAST) return tries ? SVC_OK : SVC_NOT_FOUND;
    if (rc == SVC_OK && tells) rc = svc_orders_next(s, now, &order);
    if (rc != SVC_OK) return rc;
    if (next < now) next = now;
    host = svc_fault_hosts_next(s) <= next;
    if (!clock_forward(s, now, next)) return SVC_BUSY;
    now = next;
    rc = clock_tick(s, now, &left);
    *steps = CLOCK_STEPS - left + host;
    if (rc != SVC_OK || *steps || order <= next) return rc;
  }
  return SVC_OK;
}

int svc_clock_set(svc *s, int64_t ms)
{
  if (!SVC_USABLE(s) || !s->config.manual_clock || ms > SVC_CLOCK_LAST) return SVC_INVALID;
  if (!clock_begin(s)) return SVC_BUSY;
  return clock_end(s, ms < svc_now(s) ? SVC_INVALID : clock_move(s, ms));
}

int svc_clock_advance(svc *s, int64_t ms)
{
  int64_t now;
  if (!SVC_USABLE(s) || !s->config.manual_clock || ms < 0) return SVC_INVALID;
  if (!clock_begin(s)) return SVC_BUSY;
  now = svc_now(s);
  return clock_end(s, ms > SVC_CLOCK_LAST - now ? SVC_INVALID : clock_move(s, now + ms));
}

int svc_clock_rate(svc *s, int64_t rate)
{
  if (!SVC_USABLE(s) || !s->config.manual_clock || rate < 0 || rate > SVC_CLOCK_FASTEST) return SVC_INVALID;
  if (!clock_begin(s)) return SVC_BUSY;
  svc_mutex_lock(&s->control->lock);
  s->control->rate = rate;
  svc_mutex_unlock(&s->control->lock);
  return clock_end(s, clock_move(s, svc_now(s)));
}

SVC_PRIVATE int svc_clock_jump(svc *s, int64_t *steps)
{
  *steps = 0;
  if (!SVC_USABLE(s) || !s->config.manual_clock) return SVC_INVALID;
  return clock_begin(s) ? clock_end(s, clock_jump(s, steps)) : SVC_BUSY;
}

int svc_clock_next(svc *s)
{
  int64_t steps;
  return svc_clock_jump(s, &steps);
}

int64_t svc_clock_now(svc *s)
{
  return SVC_USABLE(s) ? svc_now(s) : 0;
}

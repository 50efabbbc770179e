/*
** A clock that stands until it is moved.
**
** Moving it is done in strides: to where something is due, and a little further, until the time that was asked for. So a
** clock that goes on by a year does not see a year of work at once, and what comes of a step that was due (an order to the
** driver, who says at once that it is done) comes at its time. With nobody to tell, a stride may be long: steps that are
** due have the time at which they fell due, whatever the clock says meanwhile.
**
** The rule: after each stride all that is due by then has happened. So wherever it stops, it is at a time that could have been.
*/
#include "control/control.h"

#define CLOCK_STEPS 200000  /* svcapi.h says so */
#define CLOCK_STRIDE 3600000 /* milliseconds */

SVC_PRIVATE int64_t svc_manual_clock(void *control)
{
  svc_control *k = control;
  int64_t now;
  svc_mutex_lock(&k->lock);
  now = k->now;
  svc_mutex_unlock(&k->lock);
  return now;
}

SVC_PRIVATE void svc_clock_put(svc *s, int64_t now)
{
  svc_mutex_lock(&s->control->lock);
  s->control->now = now;
  svc_mutex_unlock(&s->control->lock);
}

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

int svc_clock_set(svc *s, int64_t ms)
{
  int rc;
  if (!s || !s->config.manual_clock || ms < svc_now(s) || ms > SVC_CLOCK_LAST) return SVC_INVALID;
  if (atomic_exchange(&s->control->moving, true)) return SVC_BUSY;
  rc = clock_move(s, ms);
  atomic_store(&s->control->moving, false);
  return rc;
}

int svc_clock_advance(svc *s, int64_t ms)
{
  int64_t now;
  if (!s || !s->config.manual_clock || ms < 0) return SVC_INVALID;
  now = svc_now(s);
  return ms > SVC_CLOCK_LAST - now ? SVC_INVALID : svc_clock_set(s, now + ms);
}

int64_t svc_clock_now(svc *s)
{
  return s ? svc_now(s) : 0;
}

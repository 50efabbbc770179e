/*
** The share of an organization in background work, such as rounds of measurements.
**
** Due steps are applied before the next request is served (lifecycle.c), so a tenant with much work due at once would keep every other
** tenant waiting. Work is counted in steps of about 10 ns. An organization may do WORK_BURST steps at once, and as many more in every
** WORK_WINDOW. Work beyond that is postponed to a reserved time, behind the earlier reservations of the organization: first come, first
** served, so none of its projects is passed over.
**
** The counts are not stored: a reopened handle starts from zero, and several handles on one store count separately. The table has a
** fixed size; when it is full, the organization with the least reserved work is dropped.
*/
#include "pipeline/pipeline.h"

#define WORK_BURST ((int64_t)2000000) /* steps: about 20 ms */
#define WORK_WINDOW ((int64_t)10000)  /* milliseconds */
#define WORK_LEAST ((int64_t)20000)   /* minimum steps of a reservation, so that reservations do not all get the same time */
#define WORK_LONGEST SVC_DAY_MS /* milliseconds: a longer wait means that the clock was set back */
#define WORK_SLOTS 1024
#define WORK_WAYS 8 /* slots per organization */
#define WORK_SAY 60000 /* milliseconds between two log lines */

typedef struct work_slot {
  svc_id org;
  int64_t until; /* time at which all work done or reserved is paid for; 0: the slot is free */
  int64_t said;
} work_slot;

struct svc_work {
  svc_mutex lock;
  uint64_t key[2];
  work_slot slots[WORK_SLOTS];
};

SVC_PRIVATE int svc_work_open(svc *s)
{
  const svc_ids *ids = &s->commit.ids;
  svc_work *w = svc_arena_zero(&s->memory, sizeof *w);
  if (!w) return SVC_NOMEM;
  if (ids->random(ids->random_context, w->key, sizeof w->key) != 0) return SVC_RANDOM;
  if (!svc_mutex_init(&w->lock)) return SVC_NOMEM;
  s->work = w;
  return SVC_OK;
}

SVC_PRIVATE void svc_work_close(svc *s)
{
  if (s->work) svc_mutex_destroy(&s->work->lock);
}

/* The slot of an organization. If it has none, it takes over the one with the least reserved work among its WORK_WAYS. */
static work_slot *work_slot_of(svc_work *w, const svc_id *org, int64_t now)
{
  uint64_t at = svc_sip(w->key, (svc_str){ (const char *)org->b, sizeof org->b });
  work_slot *least = NULL, *slot;
  unsigned i;
  for (i = 0; i < WORK_WAYS; i++) {
    slot = &w->slots[(at + i) % WORK_SLOTS];
    if (slot->until && svc_id_eq(&slot->org, org)) break;
    if (!least || slot->until < least->until) least = slot;
  }
  if (i == WORK_WAYS) {
    slot = least;
    slot->org = *org;
    slot->until = 0;
    slot->said = now - WORK_SAY;
  }
  if (slot->until < now || slot->until > now + WORK_LONGEST) slot->until = now;
  return slot;
}

static int64_t work_ms(int64_t steps)
{
  return steps * WORK_WINDOW / WORK_BURST;
}

SVC_PRIVATE int64_t svc_work_begin(svc *s, const svc_id *org, int64_t now, int64_t steps)
{
  svc_work *w = s->work;
  work_slot *slot;
  int64_t when = 0;
  svc_mutex_lock(&w->lock);
  slot = work_slot_of(w, org, now);
  if (slot->until > now + WORK_WINDOW) when = slot->until - WORK_WINDOW;
  slot->until += work_ms(when && steps < WORK_LEAST ? WORK_LEAST : steps);
  svc_mutex_unlock(&w->lock);
  return when;
}

SVC_PRIVATE void svc_work_end(svc *s, const svc_id *org, int64_t now, int64_t expected, int64_t taken)
{
  svc_mutex_lock(&s->work->lock);
  work_slot_of(s->work, org, now)->until += work_ms(taken - expected);
  svc_mutex_unlock(&s->work->lock);
}

SVC_PRIVATE bool svc_work_may_say(svc *s, const svc_id *org, int64_t now)
{
  work_slot *slot;
  bool may;
  if (!svc_logs(s)) return false;
  svc_mutex_lock(&s->work->lock);
  slot = work_slot_of(s->work, org, now);
  may = now - slot->said >= WORK_SAY || now < slot->said;
  if (may) slot->said = now;
  svc_mutex_unlock(&s->work->lock);
  return may;
}

/*
** Rules that make something other than a request fail: orders, states, hosts, reads. The file has the list of rules, how often they strike,
** and the memory of strikes; each kind has its own file.
**
** The rule: a used-up rule is no longer listed, but stays in memory until another one needs its place. The work that it
** struck may run again, and must find it unchanged. Each rule has its own random state: other rules, and requests, do not affect it.
*/
#include "control/control.h"

SVC_PRIVATE int svc_next_fault_id(svc_control *k)
{
  return k->last_id = k->last_id == INT_MAX ? 1 : k->last_id + 1;
}

SVC_PRIVATE bool svc_failure_spent(const svc_failure *f)
{
  return f->over || (f->count && f->struck >= f->count);
}

SVC_PRIVATE bool svc_failure_strikes(svc_failure *f)
{
  if (svc_failure_spent(f)) return false;
  if ((int64_t)(svc_seed_next(&f->generator) % 1000000) >= f->chance) return false;
  f->struck++;
  return true;
}

SVC_PRIVATE void svc_failure_note(svc *s, const svc_failure *f, svc_str about, int64_t now)
{
  const svc_failure_row *row = svc_failure_row_of(f->kind);
  svc_arena arena;
  svc_buf b;
  char date[21];
  if (!s->control->journal) return;
  svc_arena_init(&arena, &s->allocator);
  b = svc_buf_new(&arena, 512);
  svc_date_text(now, date);
  svc_buf_text(&b, "{\"time\":\"");
  svc_buf_text(&b, date);
  svc_buf_text(&b, "\",\"fault\":");
  svc_buf_i64(&b, f->id);
  svc_buf_char(&b, ',');
  row->write(&b, f);
  svc_buf_text(&b, "\"about\":");
  svc_json_escape(&b, about);
  svc_buf_char(&b, '}');
  if (!b.failed) svc_journal_add(s, svc_buf_done(&b));
  svc_blocks_free(arena.blocks);
}

/* Whether the rule is listed. A used-up rule is listed while a step or a host waits because of it: the removal releases these. */
static bool failures_shown(const svc_failures *all, const svc_failure *f, int64_t now)
{
  if (!svc_failure_spent(f) || f->phase == SVC_HOST_DOWN) return true;
  return f->outcome == SVC_OUTCOME_STALL && svc_steps_held(all, f->id, NULL, now);
}

static void failures_watch(svc *s)
{
  const svc_failures *all = s->control->failures;
  unsigned watch = 0;
  size_t i;
  for (i = 0; all && i < all->count; i++) watch |= svc_failure_row_of(all->rules[i].kind)->watch;
  for (i = 0; all && i < SVC_STRIKES; i++)
    if (all->strikes[i].begins) watch |= SVC_WATCH_STEPS; /* a state is due to begin, though its rule is gone */
  atomic_fetch_and(&s->watch, ~(unsigned)(SVC_WATCH_STEPS | SVC_WATCH_HOSTS | SVC_WATCH_LAG));
  atomic_fetch_or(&s->watch, watch);
  if (!(watch & SVC_WATCH_LAG)) svc_lag_clear(s);
}

static void failures_drop(svc_failures *all, size_t at)
{
  all->count--;
  memmove(&all->rules[at], &all->rules[at + 1], (all->count - at) * sizeof all->rules[0]);
}

/* The lock is held. Rules that are no longer listed give way. */
static int failures_room(svc *s)
{
  svc_control *k = s->control;
  size_t i;
  if (!k->failures) {
    k->failures = s->allocator.resize(s->allocator.context, NULL, sizeof *k->failures);
    if (!k->failures) return SVC_NOMEM;
    memset(k->failures, 0, sizeof *k->failures);
  }
  for (i = k->failures->count; i-- > 0 && k->failures->count == SVC_FAILURES;)
    if (!failures_shown(k->failures, &k->failures->rules[i], INT64_MIN)) failures_drop(k->failures, i);
  return k->failures->count == SVC_FAILURES ? SVC_FULL : SVC_OK;
}

SVC_PRIVATE int svc_failure_put(svc *s, svc_failure *f)
{
  svc_control *k = s->control;
  int rc;
  svc_mutex_lock(&k->lock);
  rc = failures_room(s);
  if (rc == SVC_OK) {
    f->id = svc_next_fault_id(k);
    f->generator = f->seeded ? (uint64_t)f->seed : svc_seed_next(&k->chance);
    k->failures->rules[k->failures->count++] = *f;
    failures_watch(s);
  }
  svc_mutex_unlock(&k->lock);
  return rc;
}

/* Removes the first rule of this id (0: any), and collects what it holds. */
static bool failures_take(svc *s, int id, int64_t now, svc_failure *out, svc_held_step *held, size_t *n)
{
  svc_failures *all;
  size_t i = 0;
  bool found;
  svc_mutex_lock(&s->control->lock);
  all = s->control->failures;
  while (all && i < all->count && id && all->rules[i].id != id) i++;
  found = all && i < all->count;
  if (found) {
    *out = all->rules[i];
    *n = svc_steps_held(all, out->id, held, now);
    failures_drop(all, i);
  }
  svc_mutex_unlock(&s->control->lock);
  return found;
}

/* Removes a rule, or all, and releases the steps and the host that waited because of it. */
SVC_PRIVATE int svc_failure_remove(svc *s, int id)
{
  svc_held_step held[SVC_STRIKES];
  svc_control *k = s->control;
  int64_t now = svc_now(s);
  svc_failure gone;
  size_t n;
  int rc = SVC_INVALID;
  while (failures_take(s, id, now, &gone, held, &n)) {
    rc = n ? svc_steps_release(s, held, n, now) : SVC_OK;
    if (rc == SVC_OK && gone.phase == SVC_HOST_DOWN && !svc_fault_hosts_up(s, &gone, now)) rc = SVC_IO;
    if (rc != SVC_OK) break;
  }
  svc_mutex_lock(&k->lock);
  failures_watch(s);
  svc_mutex_unlock(&k->lock);
  return rc;
}

SVC_PRIVATE size_t svc_failure_list(svc *s, svc_failure *out)
{
  svc_control *k = s->control;
  int64_t now = svc_now(s);
  size_t i, n = 0;
  svc_mutex_lock(&k->lock);
  for (i = 0; k->failures && i < k->failures->count; i++)
    if (failures_shown(k->failures, &k->failures->rules[i], now)) out[n++] = k->failures->rules[i];
  svc_mutex_unlock(&k->lock);
  return n;
}

SVC_PRIVATE void svc_failures_back(svc *s)
{
  svc_control *k = s->control;
  int64_t now = svc_now(s);
  size_t i;
  svc_mutex_lock(&k->lock);
  for (i = 0; k->failures && i < k->failures->count; i++) svc_fault_hosts_back(&k->failures->rules[i], now);
  svc_lag_clear(s);
  if (k->failures) memset(k->failures->strikes, 0, sizeof k->failures->strikes);
  svc_mutex_unlock(&k->lock);
}

SVC_PRIVATE void svc_failures_close(svc *s)
{
  svc_lag_close(s);
  if (s->control->failures) s->allocator.resize(s->allocator.context, s->control->failures, 0);
  s->control->failures = NULL;
}

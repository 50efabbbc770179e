/*
** Opening and closing of test control.
**
** The rule: if configured, test control provides the clock and the random source from here on, so that no other part
** has to know where time and randomness come from.
*/
#include "control/control.h"

static int control_invalid(const svc *s, const char *what)
{
  svc_log(s, SVC_LOG_ERROR, "config.invalid", "svc_config.%s", what);
  return SVC_INVALID;
}

static int control_configure(svc *s)
{
  svc_config *k = &s->config;
  const char *wrong = svc_door_configure(s);
  if (s->memory.failed) return SVC_NOMEM;
  if (wrong) return control_invalid(s, wrong);
  if (k->manual_clock && k->clock) return control_invalid(s, "clock and manual_clock cannot both be set");
  if (k->seed && k->random) return control_invalid(s, "random and seed cannot both be set");
  if (k->manual_clock < 0 || k->manual_clock > SVC_CLOCK_LAST) return control_invalid(s, "manual_clock must be a time from 1970 to 9999");
  if (k->clock_rate < 0 || k->clock_rate > SVC_CLOCK_FASTEST) return control_invalid(s, "clock_rate must be a number from 1 to 1000000");
  if (k->clock_rate && !k->manual_clock) return control_invalid(s, "clock_rate needs manual_clock, the time at which it starts");
  if (k->journal > 10000) return control_invalid(s, "journal is more than 10000");
  if (!k->max_snapshot) k->max_snapshot = (size_t)64 << 20;
  if (k->manual_clock) {
    svc_clock_put(s, k->manual_clock);
    s->control->rate = k->clock_rate;
    k->clock = svc_manual_clock;
    k->clock_context = s;
  }
  if (k->seed) {
    k->random = svc_seeded_random;
    k->random_context = s->control;
  }
  s->control->random = k->seed;
  return SVC_OK;
}

SVC_PRIVATE int svc_control_open(svc *s)
{
  svc_control *k = svc_arena_zero(&s->memory, sizeof *k);
  if (!k) return SVC_NOMEM;
  atomic_init(&k->moving, false);
  if (!svc_mutex_init(&k->lock)) return SVC_NOMEM;
  if (!svc_mutex_init(&k->keeping)) {
    svc_mutex_destroy(&k->lock);
    return SVC_NOMEM;
  }
  s->meddler = svc_control_meddler();
  s->control = k; /* set last: svc_control_close() closes only if it is set */
  return control_configure(s);
}

/*
** A store that is not new has already used bytes of this seed. New bytes must differ from those, but be the same for the same store: so the
** state of the store is mixed in.
*/
SVC_PRIVATE int svc_control_opened(svc *s)
{
  svc_control *k = s->control;
  const svc_id *last = &s->commit.ids.last;
  const uint64_t key[2] = { s->config.seed, s->config.seed };
  if (s->config.seed && !svc_id_is_zero(last)) k->random ^= svc_sip(key, (svc_str){ (const char *)last->b, sizeof last->b });
  k->chance = s->config.seed ? ~s->config.seed : s->session;
  return s->config.journal ? svc_journal_open(s) : SVC_OK;
}

SVC_PRIVATE void svc_control_close(svc *s)
{
  svc_control *k = s->control;
  size_t i;
  if (!k) return;
  svc_journal_close(s);
  svc_failures_close(s);
  for (i = 0; i < SVC_SNAPSHOTS; i++) svc_snapshot_free(k->kept[i].snapshot);
  svc_snapshot_free(k->first);
  svc_mutex_destroy(&k->keeping);
  svc_mutex_destroy(&k->lock);
}

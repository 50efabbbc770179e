/*
** The clock and the log of a handle, which every part uses.
**
** The rule: the time of day comes only from svc_config.clock, and text goes only to svc_config.log or log_event. No other part calls these.
** Durations come from svc_config.monotonic, which the parts that measure call themselves.
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE bool svc_logs(const svc *s)
{
  return s->config.log || s->config.log_event;
}

SVC_PRIVATE void svc_log(const svc *s, int level, const char *event, const char *format, ...)
{
  char text[512];
  va_list args;
  if (!svc_logs(s)) return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (s->config.log_event) s->config.log_event(s->config.log_context, level, event, text);
  else s->config.log(s->config.log_context, level, text);
}

/* An absurd clock must not make sums overflow; dates end long before this. */
SVC_PRIVATE int64_t svc_now(const svc *s)
{
  const int64_t latest = INT64_MAX / 4;
  int64_t now = s->config.clock(s->config.clock_context);
  return now > latest ? latest : now < -latest ? -latest : now;
}

#define HANDLE_BACK 5 /* seconds; shorter steps are corrections of a good clock */

/* A jump is logged once: the clock is compared with the latest second, and after a jump the present one is the latest. A manual clock belongs
** to a test, which may set it back. */
SVC_PRIVATE void svc_clock_seen(svc *s, int64_t now)
{
  const unsigned long second = (unsigned long)(now / 1000);
  unsigned long latest = atomic_load_explicit(&s->clock_latest, memory_order_relaxed);
  if (second == latest || s->config.manual_clock) return;
  if (!latest || (long)(second - latest) > 0) {
    atomic_store_explicit(&s->clock_latest, second, memory_order_relaxed);
    return;
  }
  if (latest - second < HANDLE_BACK || !atomic_compare_exchange_weak(&s->clock_latest, &latest, second)) return;
  svc_log(s, SVC_LOG_WARNING, "clock.back", "the clock has gone back by %lu seconds: what is due waits for that long, tokens live longer, and ids "
          "continue from the later time; set the clock, for example by NTP", latest - second);
}

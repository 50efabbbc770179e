/*
** What every part asks of a handle: its clock and its log.
**
** The rule: time comes from svc_config.clock alone, and text goes to svc_config.log or log_event alone. No other part calls either.
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

/* A clock that is out of its mind must not make sums overflow; dates end long before this. */
SVC_PRIVATE int64_t svc_now(const svc *s)
{
  const int64_t latest = INT64_MAX / 4;
  int64_t now = s->config.clock(s->config.clock_context);
  return now > latest ? latest : now < -latest ? -latest : now;
}

/*
** Tracing: the trace of a request (W3C Trace Context), and the log line of a slow one.
**
** The rules: a malformed or repeated traceparent is ignored, as W3C requires. The line of a slow request has the
** operation, times and the trace: no path, no parameter, no name. Only waits are timed, and only if
** svc_config.slow_ms is set, so a read that does not wait pays for at most two readings of the clock.
*/
#include "pipeline/pipeline.h"

/* ------------------------------------------------------------------------------------------------------------ the trace */

/* "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01": version 00 ends there, later versions may append "-...". Neither id is all
** zeros. */
static bool trace_is_good(svc_str t)
{
  size_t i, zeros[2] = { 0, 0 };
  if (t.n < SVC_TRACE || (t.n > SVC_TRACE && (memcmp(t.p, "00", 2) == 0 || t.p[SVC_TRACE] != '-')) || memcmp(t.p, "ff", 2) == 0) return false;
  for (i = 0; i < SVC_TRACE; i++) {
    const bool dash = i == 2 || i == 35 || i == 52;
    if (dash ? t.p[i] != '-' : !((t.p[i] >= '0' && t.p[i] <= '9') || (t.p[i] >= 'a' && t.p[i] <= 'f'))) return false;
    if (i > 2 && i < 52) zeros[i > 35] += t.p[i] == '0';
  }
  return zeros[0] < 32 && zeros[1] < 16;
}

int svc_traceparent(const svc_request *request, char out[SVC_TRACE + 1])
{
  svc_str found = SVC_S("");
  bool there = false;
  size_t i;
  out[0] = '\0';
  for (i = 0; i < request->header_count; i++) {
    const svc_header *h = &request->headers[i];
    if (!svc_str_is_nocase(svc_str_n(h->name, h->name_length), "traceparent")) continue;
    if (there) return 0;
    there = true;
    found = svc_str_n(h->value, h->value_length);
  }
  if (!there || !trace_is_good(found)) return 0;
  memcpy(out, found.p, SVC_TRACE);
  out[SVC_TRACE] = '\0';
  return 1;
}

/* -------------------------------------------------------------------------------------------------------- slow requests */

SVC_PRIVATE int64_t svc_wait_begin(const svc_call *c)
{
  return c->s->slow_ns ? c->s->config.monotonic(c->s->config.monotonic_context) : 0;
}

SVC_PRIVATE void svc_wait_end(svc_call *c, int part, int64_t since)
{
  if (c->s->slow_ns) c->waits.parts[part] += c->s->config.monotonic(c->s->config.monotonic_context) - since;
}

SVC_PRIVATE void svc_slow_note(svc_call *c, int64_t took)
{
  static const char *const names[SVC_WAIT_PARTS] = {
    [SVC_WAIT_HOST] = "waiting for a thread", [SVC_WAIT_DUE] = "due steps", [SVC_WAIT_LIMITER] = "limiter",
    [SVC_WAIT_TURN] = "waiting for the writer", [SVC_WAIT_STORE] = "transaction and commit", [SVC_WAIT_DRIVER] = "driver"
  };
  char trace[SVC_TRACE + 1], text[320];
  const int64_t ms = 1000000;
  int64_t rest = took;
  int i, n = 0;
  c->waits.parts[SVC_WAIT_HOST] = c->request.raw->waited_ns > 0 ? c->request.raw->waited_ns : 0;
  took += c->waits.parts[SVC_WAIT_HOST];
  if (took < c->s->slow_ns || !svc_may_say(c->s, &c->s->slow_said, c->now, "slow requests")) return;
  for (i = 0; i < SVC_WAIT_PARTS; i++) {
    n += snprintf(text + n, sizeof text - (size_t)n, ", %s %lld ms", names[i], (long long)(c->waits.parts[i] / ms));
    if (i != SVC_WAIT_HOST) rest -= c->waits.parts[i];
  }
  svc_log(c->s, SVC_LOG_WARNING, "request.slow", "slow request: %s took %lld ms%s, rest %lld ms, retries %u%s%s",
          c->plan && c->plan->route->op ? c->plan->route->op : "none", (long long)(took / ms), text, (long long)(rest / ms),
          c->waits.runs > 1 ? c->waits.runs - 1 : 0, svc_traceparent(c->request.raw, trace) ? ", traceparent " : "", trace);
}

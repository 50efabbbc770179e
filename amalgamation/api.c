/*
** The map of a request. svc_handle_request() names every stage in order: read it top to bottom and follow the stage that interests you.
**
** The rule: the file holds the map and nothing else. Opening is in open.c, the first credentials are in bootstrap.c, and the host's other
** functions are in host.c. Nothing below calls into these files (test/check/layers.sh).
*/
#include "control/control.h"

/* A constant answer, for when there is no memory for another. */
#define API_DOCUMENT(detail) \
  "{\"detail\":\"" detail "\",\"error\":503,\"errorCode\":\"SERVICE_UNAVAILABLE\",\"parameters\":[],\"reason\":\"Service Unavailable\"}"

static void api_refuse(svc_response *response, const char *body)
{
  static const svc_header headers[] = {
    { "Content-Type", "application/json", 12, 16 },
    { "X-Error-Code", "SERVICE_UNAVAILABLE", 12, 19 },
    { "Retry-After", "1", 11, 1 },
  };
  response->status = 503;
  response->headers = headers;
  response->header_count = sizeof headers / sizeof headers[0];
  response->body = body;
  response->body_length = strlen(body);
}

/* Whether test control watches requests for this. */
static bool api_watched(const svc *s, unsigned what)
{
  return (atomic_load_explicit(&s->watch, memory_order_relaxed) & what) != 0;
}

/* False: the clock is not usable, and neither the request nor due steps may run. */
static bool api_may_serve(svc_call *c)
{
  return atomic_load_explicit(&c->s->health.off, memory_order_relaxed) ? svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "") : true;
}

static void api_apply_due(svc_call *c)
{
  svc *s = c->s;
  int64_t now = c->now, since;
  if (atomic_load_explicit(&s->health.off, memory_order_relaxed)) return;
  if (api_watched(s, SVC_WATCH_HOSTS)) SVC_CONTROL(svc_fault_hosts_fire(s, now), (void)0); /* a test has scheduled a host failure */
  if (!svc_commit_due(&s->commit, now) && !svc_access_uses_due(s, now)) return;
  since = svc_wait_begin(c);
  if (svc_commit_due(&s->commit, now)) svc_apply_due(s, now);
  if (svc_access_uses_due(s, now)) svc_access_uses_flush(s, now);
  svc_wait_end(c, SVC_WAIT_DUE, since);
}

int svc_handle_request(svc *s, const svc_request *request, svc_response *response)
{
  svc_arena arena;
  svc_call c;
  int64_t began = 0, took = 0;
  if (response) memset(response, 0, sizeof *response);
  if (!s || !request || !response || !request->method || !request->target) return SVC_INVALID;
  if ((request->header_count && !request->headers) || (request->body_length && !request->body)) return SVC_INVALID;
  if (!SVC_USABLE(s)) {
    api_refuse(response, API_DOCUMENT("The service belongs to another process: a child process must open its own."));
    return SVC_INVALID;
  }
  svc_arena_init(&arena, &s->allocator);
  memset(&c, 0, sizeof c);
  c.s = s;
  c.request.raw = request;
  c.arena = &arena;
  c.now = svc_now(s);
  svc_clock_seen(s, c.now);
  if (s->timed) began = s->config.monotonic(s->config.monotonic_context);
  if (!svc_is_probe(request)) api_apply_due(&c);

  (void)(api_may_serve(&c) &&        /* the clock is usable */
         svc_stage_request(&c) &&    /* the request line and headers */
         svc_stage_route(&c) &&      /* path and method to operation */
         svc_stage_caller(&c) &&     /* the caller */
         (!api_watched(s, SVC_WATCH_FAULTS) || SVC_CONTROL(svc_stage_fault(&c), true)) && /* an injected fault, if a test has set one */
         svc_stage_limiter(&c) &&    /* one token of its bucket */
         svc_stage_version(&c) &&    /* the dated version of the operation */
         svc_stage_permission(&c) && /* the caller's roles */
         svc_stage_query(&c) &&      /* query parameters */
         svc_stage_body(&c) &&       /* strict JSON, checked against its fields */
         svc_stage_behave(&c));      /* the operation itself, in its transaction */
  svc_read_good(&c);
  if (!c.error.code && !c.answer.status) (void)svc_no_memory(&c); /* a stage failed without an error: out of memory, 503 */
  svc_stage_respond(&c, response);   /* the answer, or the error of the stage that refused */
  response->drop = c.drop != 0;
  response->delay_ms = c.delay_ms;
  response->operation = c.plan ? c.plan->route->op : NULL;
  if (c.who.known && !request->caller) response->caller = c.who.username.p;
  if (api_watched(s, SVC_WATCH_JOURNAL) && !arena.failed) SVC_CONTROL(svc_journal_note(&c, response), (void)0);

  if (c.error.code) svc_sign_in_note(&c);
  svc_end_read(&c);
  response->memory = arena.blocks;
  if (s->timed) took = s->config.monotonic(s->config.monotonic_context) - began;
  if (s->counters) svc_counters_note(&c, arena.failed ? 503 : response->status, took);
  if (s->slow_ns) svc_slow_note(&c, took);
  if (!arena.failed) return SVC_OK;
  svc_response_free(response);
  api_refuse(response, API_DOCUMENT("The service is out of memory. Please try again later."));
  return SVC_NOMEM;
}

/*
** The host's functions beside svc_open() and svc_handle_request(): the tick, whether a request may wait, the OpenAPI document, backups,
** and test control over HTTP in front of the API.
**
** The rule: each function is a few lines on a part below. None of them knows how that part works.
*/
#include "control/control.h"

#ifndef SVC_OMIT_TEST_CONTROL
int svc_control_request(svc *s, const char *token, const svc_request *request, svc_response *response)
{
  if (!SVC_USABLE(s) || !request || !response || !svc_control_takes(token, request)) return svc_handle_request(s, request, response);
  return svc_control_answer(s, token, request, response);
}
#endif

/* Whether a test has scheduled host failures. */
static bool host_meddled(const svc *s)
{
  return (atomic_load_explicit(&s->watch, memory_order_relaxed) & SVC_WATCH_HOSTS) != 0;
}

int svc_tick(svc *s)
{
  int64_t now;
  int rc;
  if (!SVC_USABLE(s)) return SVC_INVALID;
  rc = svc_health_tick(s);
  if (rc != SVC_OK) return rc;
  now = svc_now(s);
  svc_clock_seen(s, now);
  if (svc_access_uses_due(s, now)) svc_access_uses_flush(s, now);
  if (host_meddled(s)) SVC_CONTROL(svc_fault_hosts_fire(s, now), (void)0);
  rc = svc_apply_due(s, now);
  return rc == SVC_OK ? svc_orders_hand_out(s, now) : rc;
}

int svc_is_due(svc *s)
{
  int64_t now;
  if (!SVC_USABLE(s)) return 0;
  now = svc_now(s);
  if (host_meddled(s) && SVC_CONTROL(svc_fault_hosts_next(s), INT64_MAX) <= now) return 1;
  return svc_commit_due(&s->commit, now) || svc_access_uses_due(s, now);
}

/* The wait of a read (SVC_NEEDS_...), by its operation and its query. Nothing is known about the caller yet. */
static int host_read_needs(svc *s, const svc_request *request)
{
  const svc_route *route;
  svc_arena arena;
  svc_call c;
  int needs = SVC_NEEDS_NOTHING;
  svc_service_call(&c, s, &arena, NULL, 0);
  c.request.raw = request;
  if (svc_request_line(&c) && svc_stage_route(&c)) {
    route = c.plan->route;
    if (route->on_reply) needs = SVC_NEEDS_DRIVER;
    else if (route->flags & (SVC_ABSOLUTE | SVC_INSPECTS) || svc_query_is_long(&c)) needs = SVC_NEEDS_TIME;
  }
  svc_blocks_free(arena.blocks);
  return needs;
}

/* Whether a change asks the driver before its transaction. */
static bool host_change_asks(svc *s, const svc_request *request)
{
  svc_arena arena;
  svc_call c;
  bool asks;
  if (!s->asks_first) return false;
  svc_service_call(&c, s, &arena, NULL, 0);
  c.request.raw = request;
  asks = svc_request_line(&c) && svc_stage_route(&c) && svc_route_ext_of(c.plan->route)->asks;
  svc_blocks_free(arena.blocks);
  return asks;
}

int svc_request_needs(svc *s, const svc_request *request)
{
  svc_str method = svc_str_c(request ? request->method : NULL);
  bool waits;
  int needs;
  if (!SVC_USABLE(s) || !request || !request->target || method.n == 0) return SVC_NEEDS_NOTHING;
  if (!svc_str_is(method, "GET") && !svc_str_is(method, "HEAD"))
    return host_change_asks(s, request) ? SVC_NEEDS_DRIVER : SVC_NEEDS_STORE;
  if (svc_is_probe(request)) return SVC_NEEDS_NOTHING;
  needs = host_read_needs(s, request);
  if (SVC_IS_SHARED(s->commit.port)) /* every read waits for the server, which does the work of a long one */
    return needs == SVC_NEEDS_DRIVER ? needs : SVC_NEEDS_STORE;
  waits = SVC_HAS_LIMITS(s) || svc_is_due(s);
  return needs == SVC_NEEDS_NOTHING && waits ? SVC_NEEDS_STORE : needs;
}

int svc_may_wait(svc *s, const svc_request *request)
{
  return svc_request_needs(s, request) != SVC_NEEDS_NOTHING;
}

void svc_set_busy(svc *s, int busy)
{
  if (SVC_USABLE(s)) atomic_store(&s->health.busy, busy != 0);
}

void svc_set_ready(svc *s, int ready)
{
  if (SVC_USABLE(s)) atomic_store(&s->health.leaving, !ready);
}

int svc_openapi(svc *s, svc_response *out)
{
  uint64_t revision;
  svc_arena arena;
  svc_str text;
  if (!SVC_USABLE(s) || !out) return SVC_INVALID;
  memset(out, 0, sizeof *out);
  svc_arena_init(&arena, &s->allocator);
  text = svc_openapi_kept(s, &arena, &revision);
  if (!text.p) arena.failed = true;
  return svc_respond_json(&arena, text, out);
}

int svc_driver_schema(svc *s, svc_response *out)
{
  static const svc_header type = { "Content-Type", "application/schema+json", 12, 23 };
  svc_arena arena;
  if (!SVC_USABLE(s) || !out) return SVC_INVALID;
  memset(out, 0, sizeof *out);
  svc_arena_init(&arena, &s->allocator);
  return svc_respond_text(&arena, svc_driver_document(s, &arena), &type, out);
}

int svc_backup(svc *s, const char *path)
{
  int rc;
  if (!SVC_USABLE(s) || !path || !*path) return SVC_INVALID;
  rc = svc_commit_copy(&s->commit, path, svc_now(s));
  if (rc != SVC_OK) svc_log(s, SVC_LOG_ERROR, "backup.failed", "cannot write a copy of the store into %.300s: %s", path, svc_strerror(rc));
  return rc;
}

int svc_backup_of(const char *path, const char *to)
{
#ifdef SVC_OMIT_LMDB
  (void)path;
  (void)to;
  return SVC_INVALID;
#else
  return path && *path && to && *to ? svc_lmdb_copy_of(path, to) : SVC_INVALID;
#endif
}

const svc_store_port *svc_lmdb_store(void)
{
#ifdef SVC_OMIT_LMDB
  return NULL;
#else
  return svc_lmdb_port();
#endif
}

const char *svc_kind_name(const char *kind)
{
  size_t n;
  const svc_noun *const *nouns = svc_catalog(&n);
  while (n-- > 0)
    if (nouns[n]->kind && memcmp(nouns[n]->kind, kind, SVC_KIND_SIZE) == 0) return nouns[n]->name;
  return NULL;
}

const char *svc_version(void)
{
  return SVC_VERSION;
}

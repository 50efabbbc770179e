/*
** Test control over HTTP: worlds, and snapshots as bytes. Their bodies differ from the API's: a world has its own
** reader, and a snapshot is not JSON. serve.c has the routes, and the access rules in front of them.
*/
#include "control/control.h"

static bool serve_store_type(svc_call *c, const char *wanted)
{
  svc_str rest = c->request.content_type;
  if (svc_str_is_nocase(svc_str_trim(svc_str_cut(&rest, ';')), wanted)) return true;
  return svc_fail(c, SVC_E_UNSUPPORTED_MEDIA_TYPE, "S", &c->request.content_type);
}

static bool serve_store_answer(svc_call *c, int status, svc_str body)
{
  c->answer.status = status;
  c->answer.body = body;
  c->answer.whole = true;
  return body.p && !c->arena->failed ? true : svc_no_memory(c);
}

SVC_PRIVATE bool svc_serve_world(svc_call *c, svc_str name)
{
  svc_str text = { c->request.raw->body, c->request.raw->body_length }, body;
  int status;
  (void)name;
  if (!serve_store_type(c, "application/json")) return false;
  if (!text.n) text.p = "";
  (void)svc_world_run(c->s, c->arena, text, &status, &body);
  c->answer.secret = true; /* must not be stored */
  return serve_store_answer(c, status, body);
}

SVC_PRIVATE bool svc_serve_world_write(svc_call *c, svc_str name)
{
  svc_str body;
  (void)name;
  if (svc_world_text(c->s, c->arena, &body) != SVC_OK) return svc_no_memory(c);
  return serve_store_answer(c, 200, body);
}

SVC_PRIVATE bool svc_serve_bytes(svc_call *c, const svc_snapshot *snapshot)
{
  static const svc_route_ext bytes = { .media = "application/octet-stream" };
  static const svc_route route = { .ext = &bytes };
  static const svc_plan plan = { .route = &route };
  c->plan = &plan; /* respond.c reads the type of the answer from it */
  c->answer.secret = true;
  svc_arena_wipes(c->arena, svc_wipe);
  return serve_store_answer(c, 200, svc_snapshot_bytes(c->arena, snapshot));
}

/* Creates the snapshot from the request's body. False: refused. */
SVC_PRIVATE bool svc_serve_load(svc_call *c, svc_str name, svc_snapshot **out)
{
  svc_str bytes = { c->request.raw->body, c->request.raw->body_length };
  char why[SVC_SNAPSHOT_WHY] = "";
  int rc;
  if (name.n > SVC_SNAPSHOT_NAME || !svc_pattern_match("^[A-Za-z0-9._-]+$", name))
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "the name of a snapshot has up to 64 letters, digits, dots, hyphens and underscores");
  if (!serve_store_type(c, "application/octet-stream")) return false;
  rc = svc_snapshot_read(c->s, bytes, out, why);
  if (rc == SVC_OK) return true;
  if (rc == SVC_INVALID || rc == SVC_CORRUPT) return svc_fail(c, SVC_E_INVALID_REQUEST, "s", svc_arena_copy(c->arena, svc_str_c(why)).p);
  return rc == SVC_FULL ? svc_fail(c, SVC_E_INSUFFICIENT_STORAGE, "") : svc_no_memory(c);
}

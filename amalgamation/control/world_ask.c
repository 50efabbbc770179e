/*
** One request of the world loader.
**
** The rule: the request passes every stage of svc_handle_request() that validates it, and none that concerns clients. So a world contains
** nothing that a client could not have created; and loading takes no tokens from a bucket, is not in the journal, and is not hit by
** faults of requests. Faults of orders, states and reads (pipeline/meddle.h) apply. The caller is the host, who may do everything. Bodies
** and paths are in our own words, whatever the dialect: a world fits every handle.
**
** A GET that the store cannot answer ends the loading or writing. Otherwise an existing resource would be made again, or left out. A driver
** that does not answer a question is no such error: worlds have nothing that only a driver knows.
*/
#include "control/world_parts.h"

static const char *const world_ask_methods[SVC_METHOD_COUNT] = { "GET", "POST", "PUT", "PATCH", "DELETE" };

static svc_str world_ask_target(svc_world *w, svc_arena *a, svc_str path)
{
  svc_str base = w->s->base_path;
  if (w->s->dialect) path = svc_shown_target(w->s, a, svc_arena_copy(a, path));
  return svc_arena_print(a, SVC_FMT SVC_FMT, SVC_ARG(base), SVC_ARG(path));
}

/* Copies what the loader needs of the answer into the world's memory. */
static void world_ask_take(svc_world *w, svc_call *c, const svc_response *response, svc_world_answer *out)
{
  svc_str text = svc_arena_copy(w->arena, (svc_str){ response->body, response->body_length });
  out->status = response->status;
  out->secret = c->answer.secret && !svc_str_eq(c->answer.kept, c->answer.body); /* the kept form has no secrets */
  if (!c->error.code) out->key = svc_arena_copy(w->arena, c->answer.own);
  if (text.n && (text.p[0] == '{' || text.p[0] == '[')) out->body = svc_json_parse(w->arena, text);
  if (!c->error.code) return;
  out->code = svc_str_c(svc_error_name(c->error.code));
  out->detail = svc_node_str(out->body, "detail");
}

SVC_PRIVATE bool svc_world_ask(svc_world *w, int method, svc_str path, const svc_node *body, svc_world_answer *out)
{
  static const svc_grant owner = { "ORG_OWNER", NULL };
  static const svc_caller host = { "000000000000000000000000", "world", &owner, 1, 1 };
  static const svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request request = { .method = world_ask_methods[method], .headers = &json, .header_count = body != NULL, .caller = &host };
  svc_response response;
  svc_arena arena;
  svc_buf b;
  svc_call c;
  svc_str target, text;
  memset(out, 0, sizeof *out);
  if (w->requests++ == SVC_WORLD_REQUESTS) return svc_world_refused(w, NULL, "the world takes more than %d requests", SVC_WORLD_REQUESTS);
  svc_service_call(&c, w->s, &arena, NULL, svc_now(w->s));
  if (!w->only_read && svc_commit_due(&w->s->commit, c.now)) (void)svc_apply_due(w->s, c.now);
  target = world_ask_target(w, &arena, path);
  b = svc_buf_new(&arena, 512);
  if (body) svc_node_write(&b, body);
  request.target = target.p ? target.p : "";
  text = svc_buf_done(&b);
  request.body = text.p;
  request.body_length = text.n;
  c.request.raw = &request;
  c.own_words = true;
  memset(&response, 0, sizeof response);
  (void)(!arena.failed && svc_stage_request(&c) && svc_stage_route(&c) && svc_stage_caller(&c) && svc_stage_permission(&c) &&
         svc_stage_query(&c) && svc_stage_body(&c) && svc_stage_behave(&c));
  svc_read_good(&c);
  if (!c.error.code && !c.answer.status) (void)svc_no_memory(&c);
  svc_stage_respond(&c, &response);
  if (!arena.failed) world_ask_take(w, &c, &response, out);
  svc_end_read(&c);
  if (c.answer.secret || body) svc_arena_wipes(&arena, svc_wipe); /* the answer, or the body, may contain a secret */
  svc_blocks_free(arena.blocks);
  if (arena.failed || w->arena->failed) return svc_world_failed(w, SVC_NOMEM);
  if (method != SVC_GET || out->status < 500) return true;
  if (c.error.store != SVC_OK) return svc_world_failed(w, c.error.store);
  return c.plan && c.plan->route->on_reply ? true : svc_world_failed(w, SVC_BUSY);
}

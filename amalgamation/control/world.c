/*
** svc_world_apply(): loads a world, a document that describes what exists. Tests, demonstrations and examples start from such a store, and
** a file that people write and compare describes it better than a program.
**
** The rules. A document is applied completely or not at all: a snapshot is taken first, and restored on an error. An applied document is
** known by its SHA-256, which the store remembers ("m world"): it is not applied again, its resources are only looked up for the report. So
** a daemon may be started repeatedly with the same file. Listed resources exist: they are provisioned at once, whatever the provisioning
** time. Time passes only by "now" and in "then", with a manual clock.
*/
#include "control/world_parts.h"

#define WORLD_HASH 64     /* hex digits */
#define WORLD_SETTLES 64  /* rounds of due steps, each of which may cause the next */
#define WORLD_REMEMBERED 32 /* documents; the oldest are forgotten */

static void world_hash(const unsigned char hash[32], char out[WORLD_HASH + 1])
{
  int i;
  for (i = 0; i < 32; i++) snprintf(out + 2 * i, 3, "%02x", hash[i]);
}

/* *kept: hashes of the documents that the store remembers, concatenated. *known: whether this is one of them. */
static bool world_known(svc_world *w, const char *hash, svc_str *kept, bool *known)
{
  size_t at;
  int rc = svc_mark(w->s, "world", SVC_S(""), SVC_S(""), false, w->arena, kept);
  *known = false;
  if (rc != SVC_OK) return svc_world_failed(w, rc);
  for (at = 0; at + WORLD_HASH <= kept->n; at += WORLD_HASH)
    if (memcmp(kept->p + at, hash, WORLD_HASH) == 0) *known = true;
  return true;
}

static bool world_remember(svc_world *w, const char *hash, svc_str kept)
{
  svc_str rest = kept, now;
  int rc;
  if (rest.n >= WORLD_REMEMBERED * WORLD_HASH) rest.p += WORLD_HASH, rest.n -= WORLD_HASH;
  rc = svc_mark(w->s, "world", kept, svc_arena_print(w->arena, SVC_FMT "%s", SVC_ARG(rest), hash), false, w->arena, &now);
  return rc == SVC_OK ? true : svc_world_failed(w, rc);
}

/* ---------------------------------------------------------------------------------------------------------------- applying */

static svc_node *world_read(svc_world *w, const svc_world_at *top)
{
  svc_json_fault fault = { 0, "" };
  const svc_node *version;
  svc_node *root;
  int64_t v = 0;
  if (w->text.n > SVC_WORLD_BYTES) return svc_world_refused(w, NULL, "a world has at most %zu bytes", SVC_WORLD_BYTES), NULL;
  if (!svc_json_gate(w->arena, w->text, SVC_WORLD_DEPTH, &fault))
    return (w->arena->failed ? svc_world_failed(w, SVC_NOMEM) : svc_world_malformed(w, &fault)), NULL;
  root = svc_json_parse_gated(w->arena, w->text);
  if (!root) return svc_world_failed(w, SVC_NOMEM), NULL;
  version = svc_node_get(root, "world");
  if (root->type != SVC_J_OBJECT || !version || version->type != SVC_J_NUMBER || !svc_json_number_i64(version->text, &v) || v != 1)
    return svc_world_refused(w, top, "a world is an object that has \"world\": 1"), NULL;
  return root;
}

/* Completes what was created: its due steps, and the steps that follow from them. */
static bool world_settle(svc_world *w)
{
  int rc = SVC_OK, i;
  for (i = 0; i < WORLD_SETTLES && rc == SVC_OK && svc_commit_due(&w->s->commit, svc_now(w->s)); i++) rc = svc_apply_due(w->s,
    svc_now(w->s));
  return rc == SVC_OK ? true : svc_world_failed(w, rc);
}

static bool world_walk(svc_world *w, const svc_world_at *top, const svc_node *root)
{
  static const char *const but[] = { "world", "now", "then", "about", NULL };
  const svc_world_place place = { SVC_S(""), NULL };
  const svc_node *now = svc_node_get(root, "now"), *then = svc_node_get(root, "then");
  int64_t ms;
  if (now && !w->only_find) {
    svc_world_at here = svc_world_member(top, now);
    if (now->type != SVC_J_STRING || !svc_date_parse(now->text, &ms))
      return svc_world_refused(w, &here, "this must be a time such as \"2030-01-01T00:00:00Z\"");
    if (!svc_world_clock(w, &here, ms)) return false;
  }
  if (!svc_world_children(w, top, &place, root, but) || !world_settle(w)) return false;
  if (then && !w->only_find) {
    svc_world_at here = svc_world_member(top, then);
    w->in_steps = true;
    if (w->s->config.manual_clock) atomic_store(&w->s->at_once, false); /* from here on time passes */
    return svc_world_steps(w, &here, then) && world_settle(w);
  }
  return true;
}

/* All or nothing. */
static bool world_apply(svc_world *w)
{
  static const svc_world_at top = { NULL, { NULL, 0 }, 0 };
  unsigned char sha[32];
  char hash[WORLD_HASH + 1];
  svc_snapshot *before = NULL;
  svc_node *root = world_read(w, &top);
  svc_str kept;
  bool known;
  int rc;
  if (!root) return false;
  if (!svc_sha256(w->text, sha)) return svc_world_failed(w, SVC_NOMEM);
  world_hash(sha, hash);
  if (!world_known(w, hash, &kept, &known)) return false;
  w->only_find = known;
  if (known) return world_walk(w, &top, root);
  rc = svc_snapshot_take(w->s, &before);
  if (rc != SVC_OK) return svc_world_failed(w, rc);
  atomic_store(&w->s->at_once, true);
  (void)(world_walk(w, &top, root) && world_remember(w, hash, kept));
  atomic_store(&w->s->at_once, false);
  if (w->error.rc != SVC_OK) {
    rc = svc_snapshot_restore(w->s, before);
    if (rc != SVC_OK) svc_log(w->s, SVC_LOG_ERROR, "world.undo_failed", "the world was refused, and its resources could not be removed: %s",
                              svc_strerror(rc));
  }
  svc_snapshot_free(before);
  return w->error.rc == SVC_OK;
}

/* ------------------------------------------------------------------------------------------------------------------ report */

/* Names that references can use, with the ids, or with the keys in paths. */
static void world_names(svc_world *w, svc_buf *b)
{
  svc_node *all = svc_node_object(w->arena, NULL);
  const svc_world_thing *t;
  for (t = w->things; t && all; t = t->next) {
    svc_str id = svc_node_str(t->shown, "id"), name = svc_world_called(t);
    svc_id number;
    if (!id.n) id = t->name;
    if (!t->as.n && svc_id_parse(name, &number)) continue; /* its only name is its id */
    if (name.n && id.n && !svc_node_find(all, name)) svc_node_put(w->arena, all, svc_node_new(w->arena, SVC_J_STRING, name, id));
  }
  if (all) svc_node_write(b, all);
}

static svc_str world_report(svc_world *w)
{
  svc_buf b = svc_buf_new(w->arena, 1024);
  char date[21];
  svc_date_text(svc_now(w->s), date);
  svc_buf_text(&b, w->only_find ? "{\"applied\":false,\"changed\":" : "{\"applied\":true,\"changed\":");
  svc_buf_i64(&b, w->changed);
  svc_buf_text(&b, ",\"kept\":");
  svc_buf_i64(&b, w->kept);
  svc_buf_text(&b, ",\"made\":");
  svc_buf_i64(&b, w->made);
  svc_buf_text(&b, ",\"names\":");
  world_names(w, &b);
  svc_buf_text(&b, ",\"now\":");
  svc_json_escape(&b, svc_str_c(date));
  svc_buf_text(&b, ",\"secrets\":");
  if (w->secrets) svc_node_write(&b, w->secrets);
  else svc_buf_text(&b, "{}");
  svc_buf_char(&b, '}');
  return svc_buf_done(&b);
}

/* A line for people: "12:9: orgs[0].groups[1]: INVALID_ATTRIBUTE: ..." */
static svc_str world_line(svc_world *w)
{
  svc_buf b = svc_buf_new(w->arena, 256);
  if (w->error.line) {
    svc_buf_i64(&b, (int64_t)w->error.line);
    svc_buf_char(&b, ':');
    svc_buf_i64(&b, (int64_t)w->error.column);
    svc_buf_text(&b, ": ");
  }
  if (w->error.path.n) svc_buf_str(&b, w->error.path), svc_buf_text(&b, ": ");
  svc_buf_str(&b, w->error.code);
  svc_buf_text(&b, ": ");
  svc_buf_str(&b, w->error.detail);
  return svc_buf_done(&b);
}

/* The members of an error document, in their order, and those with the place. */
static svc_str world_error(svc_world *w)
{
  svc_str line = world_line(w);
  svc_buf b = svc_buf_new(w->arena, 512);
  svc_buf_text(&b, "{\"column\":");
  svc_buf_i64(&b, (int64_t)w->error.column);
  svc_buf_text(&b, ",\"detail\":");
  svc_json_escape(&b, line);
  svc_buf_text(&b, ",\"error\":");
  svc_buf_i64(&b, w->error.status);
  svc_buf_text(&b, ",\"errorCode\":");
  svc_json_escape(&b, w->error.code);
  svc_buf_text(&b, ",\"line\":");
  svc_buf_i64(&b, (int64_t)w->error.line);
  svc_buf_text(&b, ",\"parameters\":[],\"path\":");
  svc_json_escape(&b, w->error.path);
  svc_buf_text(&b, ",\"reason\":");
  svc_json_escape(&b, svc_str_c(svc_status_reason(w->error.status)));
  svc_buf_char(&b, '}');
  return svc_buf_done(&b);
}

SVC_PRIVATE int svc_world_run(svc *s, svc_arena *arena, svc_str text, int *status, svc_str *body)
{
  svc_world w = { .s = s, .arena = arena, .text = text };
  const int64_t rate = s->config.manual_clock ? svc_clock_rate_now(s) : 0;
  svc_arena_wipes(arena, svc_wipe); /* passwords, and secrets that are shown once */
  if (rate) svc_clock_rate(s, 0); /* a clock that runs meanwhile would pass the times of the world's steps */
  svc_mutex_lock(&s->control->keeping);
  (void)world_apply(&w);
  svc_mutex_unlock(&s->control->keeping);
  if (rate) svc_clock_rate(s, rate);
  *status = w.error.rc == SVC_OK ? 200 : w.error.status;
  *body = w.error.rc == SVC_OK ? world_report(&w) : world_error(&w);
  return arena->failed ? SVC_NOMEM : w.error.rc;
}

int svc_world_apply(svc *s, const char *json, size_t length, svc_response *out)
{
  svc_arena arena;
  svc_str body;
  int rc, status;
  if (out) memset(out, 0, sizeof *out);
  if (!SVC_USABLE(s) || !json || !out) return SVC_INVALID;
  svc_arena_init(&arena, &s->allocator);
  rc = svc_world_run(s, &arena, svc_str_n(json, length), &status, &body);
  if (svc_respond_json(&arena, body, out) != SVC_OK) return SVC_NOMEM;
  out->status = status;
  return rc;
}

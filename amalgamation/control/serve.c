/*
** Test control over HTTP: paths below /_svc/. A thin layer: a table of routes, and a few lines for each on the functions of
** svcapi.h; bodies are checked by tables of fields, like all others, and errors have the usual shape.
**
** The rule: a caller of test control can do everything, so access is narrow. The host must give a token. A request must come from loopback,
** which keeps out all other machines. Its Host must be a loopback name, which keeps out pages whose DNS name points to this machine. Origin
** must be missing, which keeps out all other pages. The token keeps out other users of this machine. Only then are paths looked up. The
** health needs none of this. svc_config.control_anywhere opens test control to other machines: door.c has the rules for that.
*/
#include "control/control.h"

#define SERVE_BASE "/_svc/"
#define SERVE_LEAST_TOKEN 16
#define SERVE_JOURNAL 100 /* default number of requests, or due steps, that are shown */

typedef struct serve_route {
  unsigned char method;
  const char *path, *behind; /* below the base; behind: the text that follows the name between them, NULL: path is complete */
  bool (*run)(svc_call *c, svc_str name);
  const svc_object *body; /* NULL: no body */
} serve_route;

/* --------------------------------------------------------------------------------------------------------------- tables */

static const svc_field serve_clock_fields[] = {
  F_LONG("advanceSeconds", .flags = SVC_MIN, .min = 0), F_DATE("now"),
  F_LONG("rate", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = SVC_CLOCK_FASTEST), F_BOOL("toNextDue")
};
static const svc_field serve_snapshot_fields[] = {
  F_STR("name", .flags = SVC_REQUIRED, .min = 1, .max = SVC_SNAPSHOT_NAME, .pattern = "^[A-Za-z0-9._-]+$")
};
static const svc_field serve_token_fields[] = { F_STR("clientId", .flags = SVC_REQUIRED, .min = 1, .max = 100) };
static const svc_object serve_nothing = { .name = "Nothing" };
static const svc_object serve_token_object = { .name = "Token", .fields = SVC_ROWS(serve_token_fields) };
static const svc_object serve_clock_object = { .name = "Clock", .fields = SVC_ROWS(serve_clock_fields) };
static const svc_object serve_snapshot_object = { .name = "Snapshot", .fields = SVC_ROWS(serve_snapshot_fields) };
static const svc_object serve_fault_object = { .name = "Fault" }; /* its members determine the kind: fault_text.c */

/* -------------------------------------------------------------------------------------------------------------- answers */

static bool serve_text(svc_call *c, int status, svc_str body)
{
  c->answer.status = status;
  c->answer.body = body;
  c->answer.whole = true;
  return true;
}

static bool serve_buf(svc_call *c, int status, svc_buf *b)
{
  return serve_text(c, status, svc_buf_done(b));
}

static bool serve_nothing_more(svc_call *c)
{
  c->answer.status = 204;
  return true;
}

/* The answer for a status of svcapi.h. */
static bool serve_failed(svc_call *c, int rc, const char *invalid)
{
  if (rc == SVC_INVALID) return svc_fail(c, SVC_E_INVALID_REQUEST, "s", invalid);
  if (rc == SVC_FULL) return svc_fail(c, SVC_E_INSUFFICIENT_STORAGE, "");
  return rc == SVC_BUSY ? svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "") : svc_store_failed(c, rc);
}

static bool serve_missing(svc_call *c)
{
  return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path);
}

/* The process answers; no other part is asked. */
static bool serve_live(svc_call *c, svc_str name)
{
  (void)name;
  return serve_text(c, 200, SVC_S("{\"live\":true,\"status\":\"ok\",\"version\":\"" SVC_VERSION "\"}"));
}

/* Whether requests can be served. A word names the part that fails; the log has the reason. A busy part delays requests, and does not
** make the handle unready: other instances are as busy. controlled: test control is on, so that clients can warn their users. */
static bool serve_health_text(svc_call *c, bool controlled)
{
  static const char *const words[] = { "unavailable", "ok" }, *const loads[] = { "ok", "busy" };
  const bool store = svc_health_store(c->s) == SVC_OK, limiter = svc_health_limiter_now(c->s), clock = !atomic_load(&c->s->health.off);
  const bool leaving = atomic_load(&c->s->health.leaving), ready = store && limiter && clock && !leaving;
  const bool threads = atomic_load(&c->s->health.busy);
  uint64_t refused;
  const bool driver = svc_questions_taken(c->s, &refused) >= c->s->config.max_questions;
  return serve_text(c, ready ? 200 : 503,
                    svc_arena_print(c->arena, "{\"checks\":{\"clock\":\"%s\",\"driver\":\"%s\",\"limiter\":\"%s\",\"store\":\"%s\","
                                    "\"threads\":\"%s\"},\"ready\":%s,\"status\":\"%s\",%s\"version\":\"" SVC_VERSION "\"}",
                                    clock ? "ok" : "wrong", loads[driver], words[limiter], words[store], loads[threads],
                                    ready ? "true" : "false", leaving ? "draining" : !ready ? words[0] : loads[threads || driver],
                                    controlled ? "\"testControl\":true," : ""));
}

static bool serve_health(svc_call *c, svc_str name)
{
  (void)name;
  return serve_health_text(c, false);
}

/* ---------------------------------------------------------------------------------------------------------------- clock */

/* The clock's answer. more: further members, each after a comma. steps: the number of steps; negative: not shown. moved: a change of the
** clock has succeeded. Its client must not repeat it, so the answer lacks nextDueMs if the store cannot be read. */
static bool serve_clock_with(svc_call *c, const char *more, int64_t steps, bool moved)
{
  int64_t now = svc_clock_now(c->s), next;
  char date[21], due[40] = "", count[40] = "";
  int rc = svc_upcoming_next(c->s, now, &next);
  if (rc != SVC_OK && !moved) return svc_store_failed(c, rc);
  svc_date_text(now, date);
  if (rc == SVC_OK && next <= SVC_CLOCK_LAST) snprintf(due, sizeof due, ",\"nextDueMs\":%lld", (long long)next);
  else if (rc == SVC_OK) snprintf(due, sizeof due, ",\"nextDueMs\":null");
  if (steps >= 0) snprintf(count, sizeof count, ",\"steps\":%lld", (long long)steps);
  return serve_text(c, 200, svc_arena_print(c->arena, "{\"manual\":%s%s%s,\"now\":\"%s\",\"nowMs\":%lld,\"rate\":%lld%s}",
                                            c->s->config.manual_clock ? "true" : "false", more, due, date, (long long)now,
                                            (long long)svc_clock_rate_now(c->s), count));
}

static bool serve_clock(svc_call *c, svc_str name)
{
  (void)name;
  return serve_clock_with(c, "", -1, false);
}

static bool serve_clock_next(svc_call *c)
{
  int64_t steps;
  int rc = svc_clock_jump(c->s, &steps);
  if (rc == SVC_NOT_FOUND) return serve_clock_with(c, ",\"moved\":false", 0, false);
  return rc == SVC_OK ? serve_clock_with(c, ",\"moved\":true", steps, true) : serve_failed(c, rc, "");
}

static bool serve_clock_move(svc_call *c, svc_str name)
{
  const svc_node *by = svc_node_get(c->checked, "advanceSeconds"), *to = svc_node_get(c->checked, "now");
  const svc_node *rate = svc_node_get(c->checked, "rate"), *jump = svc_node_get(c->checked, "toNextDue");
  int64_t ms = 0, seconds = svc_node_i64(c->checked, "advanceSeconds", 0);
  int rc = SVC_INVALID;
  (void)name;
  if (!c->s->config.manual_clock)
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "the clock is not manual, so it cannot be moved: start svcd with --clock manual");
  if (!!by + !!to + !!rate + !!jump != 1)
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "set exactly one of advanceSeconds, now, rate and toNextDue");
  if (jump && !svc_node_bool(c->checked, "toNextDue", false)) return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "toNextDue must be true");
  if (jump) return serve_clock_next(c);
  if (to) {
    (void)svc_date_parse(to->text, &ms); /* valid: the body was checked */
    rc = svc_clock_set(c->s, ms);
  } else if (rate) {
    rc = svc_clock_rate(c->s, svc_node_i64(c->checked, "rate", 0));
  } else if (seconds <= SVC_CLOCK_LAST / 1000) {
    rc = svc_clock_advance(c->s, seconds * 1000);
  }
  if (rc != SVC_OK) return serve_failed(c, rc, "the clock goes forwards, and not beyond the year 9999");
  return serve_clock_with(c, "", -1, true);
}

/* ------------------------------------------------------------------------------------------------------------ snapshots */

/* Returns the slot of a snapshot, or NULL if the name is unknown. The caller holds the lock. */
static svc_kept_snapshot *serve_kept(svc_control *k, svc_str name)
{
  size_t i;
  for (i = 0; i < SVC_SNAPSHOTS; i++)
    if (k->kept[i].snapshot ? svc_str_is(name, k->kept[i].name) : name.n == 0) return &k->kept[i];
  return NULL;
}

static void serve_snapshot_write(svc_buf *b, const svc_kept_snapshot *k)
{
  svc_snapshot_size size = svc_snapshot_measure(k->snapshot);
  char date[21];
  svc_date_text(k->taken, date);
  svc_buf_text(b, "{\"bytes\":");
  svc_buf_i64(b, (int64_t)size.bytes);
  svc_buf_text(b, ",\"name\":");
  svc_json_escape(b, svc_str_c(k->name));
  svc_buf_text(b, ",\"records\":");
  svc_buf_i64(b, (int64_t)size.records);
  svc_buf_text(b, ",\"time\":");
  svc_json_escape(b, svc_str_c(date));
  svc_buf_char(b, '}');
}

static bool serve_snapshots(svc_call *c, svc_str name)
{
  svc_control *k = c->s->control;
  svc_buf b = svc_buf_new(c->arena, 256);
  size_t i;
  (void)name;
  svc_buf_char(&b, '[');
  svc_mutex_lock(&k->keeping);
  for (i = 0; i < SVC_SNAPSHOTS; i++) {
    if (!k->kept[i].snapshot) continue;
    if (b.n > 1) svc_buf_char(&b, ',');
    serve_snapshot_write(&b, &k->kept[i]);
  }
  svc_mutex_unlock(&k->keeping);
  svc_buf_char(&b, ']');
  return serve_buf(c, 200, &b);
}

/* The place for a snapshot of this name: its present one, or a free one. NULL: none. The lock is held. */
static svc_kept_snapshot *serve_place(svc_control *k, svc_str name)
{
  svc_kept_snapshot *place = serve_kept(k, name);
  return place ? place : serve_kept(k, SVC_S(""));
}

/* Keeps the snapshot by this name, and answers with it. */
static void serve_keep(svc_call *c, svc_kept_snapshot *place, svc_str name, svc_snapshot *snapshot, svc_buf *b)
{
  svc_snapshot_free(place->snapshot);
  place->snapshot = snapshot;
  place->taken = svc_clock_now(c->s);
  snprintf(place->name, sizeof place->name, SVC_FMT, SVC_ARG(name));
  serve_snapshot_write(b, place);
}

static bool serve_snapshot_take(svc_call *c, svc_str unused)
{
  svc_control *k = c->s->control;
  svc_str name = svc_node_str(c->checked, "name");
  svc_buf b = svc_buf_new(c->arena, 256);
  svc_kept_snapshot *place;
  svc_snapshot *taken = NULL;
  int rc = SVC_FULL;
  (void)unused;
  svc_mutex_lock(&k->keeping);
  place = serve_place(k, name);
  if (place) rc = svc_snapshot_take(c->s, &taken);
  if (rc == SVC_OK) serve_keep(c, place, name, taken, &b);
  svc_mutex_unlock(&k->keeping);
  return rc == SVC_OK ? serve_buf(c, 201, &b) : serve_failed(c, rc, "no snapshot can be taken");
}

/* Keeps a snapshot that was saved elsewhere, the body of the request, by this name. */
static bool serve_snapshot_put(svc_call *c, svc_str name)
{
  svc_control *k = c->s->control;
  svc_buf b = svc_buf_new(c->arena, 256);
  svc_kept_snapshot *place;
  svc_snapshot *loaded;
  if (!svc_serve_load(c, name, &loaded)) return false;
  svc_mutex_lock(&k->keeping);
  place = serve_place(k, name);
  if (place) serve_keep(c, place, name, loaded, &b);
  svc_mutex_unlock(&k->keeping);
  if (!place) svc_snapshot_free(loaded);
  return place ? serve_buf(c, 201, &b) : svc_fail(c, SVC_E_INSUFFICIENT_STORAGE, "");
}

static bool serve_snapshot_get(svc_call *c, svc_str name)
{
  svc_control *k = c->s->control;
  svc_kept_snapshot *place;
  bool good = false;
  svc_mutex_lock(&k->keeping);
  place = serve_kept(k, name);
  if (place) good = svc_serve_bytes(c, place->snapshot);
  svc_mutex_unlock(&k->keeping);
  return place ? good : serve_missing(c);
}

static bool serve_snapshot_restore(svc_call *c, svc_str name)
{
  svc_control *k = c->s->control;
  svc_kept_snapshot *place;
  int rc = SVC_OK;
  svc_mutex_lock(&k->keeping);
  place = serve_kept(k, name);
  if (place) rc = svc_snapshot_restore(c->s, place->snapshot);
  svc_mutex_unlock(&k->keeping);
  if (!place) return serve_missing(c);
  return rc == SVC_OK ? serve_nothing_more(c) : serve_failed(c, rc, "it cannot be restored");
}

static bool serve_snapshot_delete(svc_call *c, svc_str name)
{
  svc_control *k = c->s->control;
  svc_kept_snapshot *place;
  svc_mutex_lock(&k->keeping);
  place = serve_kept(k, name);
  if (place) {
    svc_snapshot_free(place->snapshot);
    memset(place, 0, sizeof *place);
  }
  svc_mutex_unlock(&k->keeping);
  return place ? serve_nothing_more(c) : serve_missing(c);
}

int svc_control_begin(svc *s)
{
  svc_snapshot *taken, *before;
  int64_t rate;
  int rc;
  if (!SVC_USABLE(s)) return SVC_INVALID;
  rate = svc_clock_rate_now(s);
  rc = svc_snapshot_take(s, &taken);
  if (rc != SVC_OK) return rc;
  svc_mutex_lock(&s->control->keeping);
  before = s->control->first;
  s->control->first = taken;
  s->control->first_rate = rate;
  svc_mutex_unlock(&s->control->keeping);
  svc_snapshot_free(before);
  svc_journal_clear(s);
  return SVC_OK;
}

static bool serve_reset(svc_call *c, svc_str name)
{
  svc_control *k = c->s->control;
  int rc;
  (void)name;
  svc_mutex_lock(&k->keeping);
  if (k->first) svc_fault_remove(c->s, 0); /* before the restore: steps that they held continue unseen */
  rc = !k->first ? SVC_INVALID : c->s->config.manual_clock ? svc_clock_rate(c->s, k->first_rate) : SVC_OK;
  if (rc == SVC_OK) rc = svc_snapshot_restore(c->s, k->first); /* after the rate: a running clock would continue from there */
  svc_mutex_unlock(&k->keeping);
  if (rc != SVC_OK) return serve_failed(c, rc, "there is nothing to go back to: svc_control_begin() was not called");
  svc_journal_clear(c->s);
  return serve_nothing_more(c);
}

/* --------------------------------------------------------------------------------------------------------------- faults */

static bool serve_faults(svc_call *c, svc_str name)
{
  svc_buf b = svc_buf_new(c->arena, 1024);
  (void)name;
  return svc_faults_write(c, &b) && serve_buf(c, 200, &b);
}

static bool serve_fault_add(svc_call *c, svc_str name)
{
  svc_buf b = svc_buf_new(c->arena, 256);
  char why[SVC_FAULT_WHY] = "";
  int id = 0, rc = svc_fault_take(c, &b, &id, why);
  (void)name;
  if (rc == SVC_FULL) /* the store is not meant */
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", svc_arena_print(c->arena, "there are already %d rules of this kind, the most: DELETE /_svc/faults/ID removes "
                                                                   "one, DELETE /_svc/faults all", SVC_FAULTS).p);
  if (rc != SVC_OK) return serve_failed(c, rc, why);
  if (serve_buf(c, 201, &b) && !c->arena->failed) return true;
  svc_fault_remove(c->s, id); /* the caller does not learn the id, and adds the rule again */
  return svc_no_memory(c);
}

static bool serve_faults_clear(svc_call *c, svc_str name)
{
  (void)name;
  svc_fault_remove(c->s, 0);
  return serve_nothing_more(c);
}

static bool serve_fault_remove(svc_call *c, svc_str name)
{
  int64_t id;
  if (!svc_str_i64(name, &id) || id <= 0 || id > INT_MAX || svc_fault_remove(c->s, (int)id) != SVC_OK) return serve_missing(c);
  return serve_nothing_more(c);
}

/* -------------------------------------------------------------------------------------------------------------- journal */

/* ?limit=N, and for the journal ?format=har. har NULL: this path has no format. */
static bool serve_query(svc_call *c, int64_t most, int64_t *limit, bool *har)
{
  svc_str rest = c->request.query;
  char why[48];
  snprintf(why, sizeof why, "a number from 1 to %lld", (long long)most);
  while (rest.n) {
    svc_str value = svc_str_cut(&rest, '&'), name = svc_str_cut(&value, '=');
    if (svc_str_is(name, "pretty")) continue;
    if (har && svc_str_is(name, "format")) {
      if (!svc_str_is(value, "har") && !svc_str_is(value, "json"))
        return svc_fail(c, SVC_E_INVALID_QUERY_PARAMETER, "Ss", &name, "json or har");
      *har = svc_str_is(value, "har");
      continue;
    }
    if (!svc_str_is(name, "limit")) return svc_fail(c, SVC_E_INVALID_QUERY_PARAMETER, "Ss", &name, "there is no such parameter");
    if (!svc_str_i64(value, limit) || *limit < 1 || *limit > most) return svc_fail(c, SVC_E_INVALID_QUERY_PARAMETER, "Ss", &name, why);
  }
  return true;
}

static bool serve_journal(svc_call *c, svc_str unused)
{
  int64_t limit = SERVE_JOURNAL;
  bool har = false;
  (void)unused;
  if (!serve_query(c, 10000, &limit, &har)) return false;
  if (har) return serve_text(c, 200, svc_har_text(c->s, c->arena, (size_t)limit));
  if (!c->s->control->journal) return serve_text(c, 200, SVC_S("[]"));
  return serve_text(c, 200, svc_journal_text(c->s, c->arena, (size_t)limit));
}

static bool serve_due(svc_call *c, svc_str unused)
{
  int64_t limit = SERVE_JOURNAL;
  svc_str text;
  int rc;
  (void)unused;
  if (!serve_query(c, 1000, &limit, NULL)) return false;
  rc = svc_upcoming_text(c->s, c->arena, (size_t)limit, &text);
  return rc == SVC_OK ? serve_text(c, 200, text) : svc_store_failed(c, rc);
}

static bool serve_journal_clear(svc_call *c, svc_str name)
{
  (void)name;
  svc_journal_clear(c->s);
  return serve_nothing_more(c);
}

/* --------------------------------------------------------------------------------------------------------------- routes */

static const serve_route serve_routes[] = {
  { SVC_GET, "health", NULL, serve_health, NULL },
  { SVC_GET, "health/live", NULL, serve_live, NULL },
  { SVC_GET, "health/ready", NULL, serve_health, NULL },
  { SVC_GET, "clock", NULL, serve_clock, NULL },
  { SVC_POST, "clock", NULL, serve_clock_move, &serve_clock_object },
  { SVC_GET, "due", NULL, serve_due, NULL },
  { SVC_POST, "reset", NULL, serve_reset, &serve_nothing },
  { SVC_GET, "snapshots", NULL, serve_snapshots, NULL },
  { SVC_POST, "snapshots", NULL, serve_snapshot_take, &serve_snapshot_object },
  { SVC_POST, "snapshots/", ":restore", serve_snapshot_restore, &serve_nothing },
  { SVC_DELETE, "snapshots/", "", serve_snapshot_delete, NULL },
  { SVC_GET, "snapshots/", "", serve_snapshot_get, NULL },
  { SVC_PUT, "snapshots/", "", serve_snapshot_put, NULL },
  { SVC_POST, "token", NULL, svc_serve_token, &serve_token_object },
  { SVC_GET, "world", NULL, svc_serve_world_write, NULL },
  { SVC_POST, "world", NULL, svc_serve_world, NULL },
  { SVC_GET, "faults", NULL, serve_faults, NULL },
  { SVC_POST, "faults", NULL, serve_fault_add, &serve_fault_object },
  { SVC_DELETE, "faults", NULL, serve_faults_clear, NULL },
  { SVC_DELETE, "faults/", "", serve_fault_remove, NULL },
  { SVC_GET, "journal", NULL, serve_journal, NULL },
  { SVC_DELETE, "journal", NULL, serve_journal_clear, NULL },
};
#define SERVE_ROUTES (sizeof serve_routes / sizeof serve_routes[0])

static bool serve_matches(const serve_route *r, svc_str path, svc_str *name)
{
  size_t before = strlen(r->path), behind = r->behind ? strlen(r->behind) : 0;
  *name = SVC_S("");
  if (!r->behind) return svc_str_is(path, r->path);
  if (path.n <= before + behind || !svc_str_starts(path, r->path)) return false;
  if (memcmp(path.p + path.n - behind, r->behind, behind) != 0) return false;
  *name = (svc_str){ path.p + before, path.n - before - behind };
  return !memchr(name->p, '/', name->n) && (behind || !memchr(name->p, ':', name->n));
}

static const serve_route *serve_find(svc_call *c, svc_str path, svc_str *name)
{
  const serve_route *found = NULL;
  svc_str here;
  size_t i;
  for (i = 0; i < SERVE_ROUTES; i++) {
    if (!serve_matches(&serve_routes[i], path, &here)) continue;
    c->route.allowed |= 1u << serve_routes[i].method;
    if (serve_routes[i].method != c->request.method) continue;
    found = &serve_routes[i];
    *name = here;
  }
  return found;
}

static bool serve_body(svc_call *c, const svc_object *object)
{
  svc_str text = { c->request.raw->body, c->request.raw->body_length }, rest = c->request.content_type;
  svc_json_fault fault = { 0, "" };
  int64_t limit = (int64_t)c->s->config.max_body, at;
  if (!object || (text.n == 0 && object == &serve_nothing)) return true;
  if (text.n > c->s->config.max_body) return svc_fail(c, SVC_E_REQUEST_TOO_LARGE, "i", &limit);
  if (!svc_str_is_nocase(svc_str_trim(svc_str_cut(&rest, ';')), "application/json"))
    return svc_fail(c, SVC_E_UNSUPPORTED_MEDIA_TYPE, "S", &c->request.content_type);
  if (!svc_json_gate(c->arena, text, c->s->config.max_depth, &fault)) {
    at = (int64_t)fault.at;
    return svc_fail(c, SVC_E_MALFORMED_JSON, "is", &at, fault.what);
  }
  c->body = svc_json_parse_gated(c->arena, text);
  if (!c->body) return svc_no_memory(c);
  if (object == &serve_fault_object) object = svc_fault_object(c->body);
  c->checked = svc_check(c, object, c->body, NULL, SVC_CHECK_CREATE);
  return svc_check_done(c);
}

/* --------------------------------------------------------------------------------------------------------------- the door */

/* localhost, 127.0.0.1 and [::1], with a port or without. In localhost:8080.evil.com there is no port: it is another name. */
static bool serve_is_local_host(svc_str host)
{
  const bool six = svc_str_starts(host, "[::1]");
  svc_str port = six ? (svc_str){ host.p + 5, host.n - 5 } : host;
  size_t i;
  host = svc_str_cut(&port, ':');
  for (i = 0; i < port.n; i++)
    if (port.p[i] < '0' || port.p[i] > '9') return false;
  if (six) return host.n == 0;
  return svc_str_is_nocase(host, "localhost") || svc_str_is(host, "127.0.0.1");
}

/* Whether the request comes from this machine, and not from a page in a browser. */
static bool serve_is_local(const svc_call *c)
{
  static const unsigned char mapped[13] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127 };
  static const unsigned char six[16] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 };
  const svc_request *raw = c->request.raw;
  svc_address peer;
  size_t i;
  if (!svc_address_parse(c->request.peer, &peer) || peer.bits != 128) return false;
  if (memcmp(peer.b, mapped, sizeof mapped) != 0 && memcmp(peer.b, six, sizeof six) != 0) return false;
  for (i = 0; i < raw->header_count; i++) {
    svc_str name = svc_str_n(raw->headers[i].name, raw->headers[i].name_length);
    if (svc_str_is_nocase(name, "origin")) return false;
    if (svc_str_is_nocase(name, "host") && !serve_is_local_host(svc_str_n(raw->headers[i].value, raw->headers[i].value_length)))
      return false;
  }
  return true;
}

/* Compares hashes: the time reveals nothing about either. */
static bool serve_is_token(svc_call *c, const char *token)
{
  svc_str sent = c->request.authorization, scheme = svc_str_cut(&sent, ' ');
  unsigned char theirs[32], ours[32];
  if (!svc_str_is_nocase(scheme, "bearer") || strlen(token) < SERVE_LEAST_TOKEN) return false;
  return svc_text_hash(c->arena, svc_str_trim(sent), theirs) && svc_text_hash(c->arena, svc_str_c(token), ours) &&
         svc_same_bytes(theirs, ours, sizeof ours);
}

#define SERVE_WRONG_MS 500

/* Only a guessing caller waits for each answer: there is one token. */
static bool serve_door(svc_call *c, const char *token)
{
  if (c->s->config.control_anywhere && !svc_door_lets(c)) return false;
  if (!c->s->config.control_anywhere && !serve_is_local(c))
    return svc_fail_as(c, SVC_S("Test control answers this machine only, and no page in a browser."), SVC_E_ACCESS_FORBIDDEN, "");
  if (serve_is_token(c, token)) return true;
  c->error.challenge = SVC_S("Bearer realm=\"test control\"");
  c->delay_ms = SERVE_WRONG_MS;
  return svc_fail(c, SVC_E_USER_UNAUTHORIZED, "");
}

/* The health needs no token. */
static bool serve_is_health(svc_str path)
{
  return svc_str_is(path, "health") || svc_str_is(path, "health/live") || svc_str_is(path, "health/ready");
}

static bool serve_run(svc_call *c, const char *token)
{
  const svc_str base = SVC_S(SERVE_BASE);
  svc_str method = svc_str_c(c->request.raw->method), path, name = SVC_S("");
  const serve_route *route;
  if (!svc_stage_request(c)) return false;
  path = (svc_str){ c->request.path.p + base.n, c->request.path.n - base.n };
  if (token && !serve_is_health(path) && !serve_door(c, token)) return false; /* NULL: the caller holds the handle */
  route = serve_find(c, path, &name);
  if (!c->route.allowed) return serve_missing(c);
  if (!route) return svc_method_refused(c, method);
  if (token && route->run == serve_health) return serve_health_text(c, true);
  return serve_body(c, route->body) && route->run(c, name);
}

static svc_str serve_path(const svc_request *request)
{
  svc_str rest = svc_str_n(request->target, request->target_length);
  return svc_str_cut(&rest, '?');
}

SVC_PRIVATE bool svc_control_is_path(const svc_request *request)
{
  return svc_str_starts(serve_path(request), SERVE_BASE);
}

/* Without a token, only the health is served. */
SVC_PRIVATE bool svc_control_takes(const char *token, const svc_request *request)
{
  const size_t base = sizeof SERVE_BASE - 1;
  svc_str path;
  if (!request->method || !request->target || (request->header_count && !request->headers) || (request->body_length && !request->body))
    return false;
  if (!svc_control_is_path(request)) return false;
  path = serve_path(request);
  return token || serve_is_health((svc_str){ path.p + base, path.n - base });
}

SVC_PRIVATE int svc_control_answer(svc *s, const char *token, const svc_request *request, svc_response *response)
{
  svc_arena arena;
  svc_call c;
  memset(response, 0, sizeof *response);
  svc_service_call(&c, s, &arena, NULL, svc_now(s));
  c.request.raw = request;
  serve_run(&c, token);
  svc_stage_respond(&c, response);
  response->memory = arena.blocks;
  response->delay_ms = c.delay_ms;
  if (!arena.failed) return SVC_OK;
  svc_response_free(response);
  response->status = 503;
  response->body = "";
  return SVC_NOMEM;
}

/*
** The operations of a world's user, one after another. Caller, resource and operation are random; the expected answer is not.
*/
#define _GNU_SOURCE /* http_text.h */
#include "soak.h"

#include <mbedtls/base64.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WORK_API "/api/svc/v2"
#define WORK_TRIES 20 /* attempts of a request that is interrupted repeatedly */
#define WORK_DAYS 25  /* an invitation is valid for 30 days */

typedef struct work_op {
  int who, kind;
  unsigned project, slot, value;
  const char *method;
  char path[512], body[1024], more[192]; /* body "": none; more: header lines */
} work_op;

static void work_say(soak_world *w, const work_op *op, int expected)
{
  static const char *const names[SOAK_WHO] = { "owner", "group owner", "reader", "doomed", "stranger", "nobody" };
  snprintf(w->said[w->says++ % (sizeof w->said / sizeof w->said[0])], sizeof w->said[0], "at %lld %s: %s %s %.160s %.*s expects %d, got %d",
           (long long)w->now, names[op->who], op->method, op->path, op->body, (int)strcspn(op->more, "\r"), op->more, expected, w->answer.status);
}

static void work_wrong(soak_world *w, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
static void work_wrong(soak_world *w, const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  soak_die("world %u: %s; the last answer: %.1500s", w->number, text, w->answer.text);
}

/* ------------------------------------------------------------------------------------------------------------- requests */

/* Returns false if the request was interrupted. */
static bool work_send(soak_world *w, const work_op *op)
{
  char headers[768];
  const char *token = op->who == SOAK_NOBODY ? "nobody" : w->who[op->who].token;
  snprintf(headers, sizeof headers, "Authorization: Bearer %s\r\n%s%s", token, op->body[0] ? "Content-Type: application/json\r\n" : "", op->more);
  w->asked++;
  https_ask(&w->http, op->method, op->path, headers, op->body[0] ? op->body : NULL, &w->answer);
  if (!w->answer.status) w->cut++;
  return w->answer.status != 0;
}

static void work_expect(soak_world *w, const work_op *op, int expected)
{
  work_say(w, op, expected);
  if (w->answer.status != expected) work_wrong(w, "%s %s answers %d, not %d", op->method, op->path, w->answer.status, expected);
  if (expected >= 400) w->refused++;
}

/* Repeats a request that is safe to repeat, until it is answered. */
static void work_surely(soak_world *w, const work_op *op, int expected)
{
  int tries = 0;
  while (!work_send(w, op))
    if (++tries == WORK_TRIES) work_wrong(w, "%s %s is cut off %d times", op->method, op->path, tries);
  if (expected) work_expect(w, op, expected);
}

static void work_path(const soak_world *w, work_op *op, const char *pattern)
{
  size_t n = (size_t)snprintf(op->path, sizeof op->path, WORK_API);
  model_fill(w, op->kind, op->project, op->slot, op->value, pattern, op->path + n, sizeof op->path - n);
}

static void work_body(const soak_world *w, work_op *op, const char *pattern)
{
  model_fill(w, op->kind, op->project, op->slot, op->value, pattern, op->body, sizeof op->body);
}

static void work_token(soak_world *w, int who)
{
  char pair[192], headers[512];
  unsigned char basic[320];
  size_t n;
  int tries = 0;
  snprintf(pair, sizeof pair, "%s:%s", w->who[who].id, w->who[who].secret);
  if (mbedtls_base64_encode(basic, sizeof basic, &n, (const unsigned char *)pair, strlen(pair)) != 0) soak_die("no room");
  snprintf(headers, sizeof headers, "Authorization: Basic %s\r\nContent-Type: application/x-www-form-urlencoded\r\n", (char *)basic);
  do https_ask(&w->http, "POST", "/api/oauth/token", headers, "grant_type=client_credentials", &w->answer);
  while (!w->answer.status && ++tries < WORK_TRIES);
  if (w->answer.status != 200 || !http_member(w->answer.body, "access_token", w->who[who].token, sizeof w->who[who].token))
    work_wrong(w, "no token for credential %d", who);
  w->who[who].expires = w->now + 3600;
}

/* Makes sure that the owner's token is valid, because interrupted requests are checked with it. */
static void work_owner(soak_world *w)
{
  if (w->now >= w->who[SOAK_OWNER].expires) work_token(w, SOAK_OWNER);
}

/* ------------------------------------------------------------------------------------------------------------------ reads */

static bool work_shows(soak_world *w, const work_op *op, unsigned value)
{
  char text[128];
  model_fill(w, op->kind, op->project, op->slot, value, soak_rows[op->kind].shown, text, sizeof text);
  return strstr(w->answer.body, text) != NULL;
}

/* Checks the answer against the model. */
static void work_compare(soak_world *w, const work_op *op)
{
  const soak_thing *t = model_thing(w, op->kind, op->project, op->slot);
  bool leaves = op->kind == SOAK_CLUSTER && strcmp(t->state, "DELETING") == 0; /* a cluster that is being deleted has lost its tags,
                                                                                  which hold the value */
  char state[64];
  if (leaves ? !strstr(w->answer.body, "\"tags\":[]") : !work_shows(w, op, t->value))
    work_wrong(w, "a %s does not show its value %u", soak_rows[op->kind].name, t->value);
  if (op->kind == SOAK_CLUSTER) {
    snprintf(state, sizeof state, "\"stateName\":\"%s\"", t->state);
    if (!strstr(w->answer.body, state)) work_wrong(w, "a cluster is not %s", t->state);
    snprintf(state, sizeof state, "\"paused\":%s", t->paused ? "true" : "false");
    if (!strstr(w->answer.body, state)) work_wrong(w, "a cluster does not say %s", state);
  }
  snprintf(state, sizeof state, "\"status\":\"%s\"", t->state);
  if (op->kind == SOAK_SNAPSHOT && !strstr(w->answer.body, state)) work_wrong(w, "a snapshot is not %s", t->state);
}

static void work_get(soak_world *w, work_op *op)
{
  int refused = model_refuses(w, op->who, op->kind, op->project, false, false);
  bool there = model_thing(w, op->kind, op->project, op->slot)->there;
  op->method = "GET";
  work_path(w, op, soak_rows[op->kind].member);
  work_surely(w, op, refused ? refused : there ? 200 : 404);
  if (w->answer.status == 200) work_compare(w, op);
}

/* Adds to *seen how often each resource is listed. */
static void work_seen(soak_world *w, const work_op *op, unsigned *seen)
{
  const soak_row *row = &soak_rows[op->kind];
  char text[128];
  unsigned i;
  for (i = 0; i < row->slots; i++) {
    if (!model_thing(w, op->kind, op->project, i)->key[0]) continue;
    model_fill(w, op->kind, op->project, i, 0, row->listed, text, sizeof text);
    seen[i] += http_count(w->answer.body, text);
  }
}

static unsigned work_others(const soak_world *w, int kind)
{
  if (kind == SOAK_ACCOUNT) return 3u + w->who[SOAK_DOOMED].good;
  return soak_rows[kind].others;
}

/* Reads all pages: each existing resource is on one of them, exactly once. */
static void work_list(soak_world *w, work_op *op)
{
  const soak_row *row = &soak_rows[op->kind];
  unsigned total = model_live(w, op->kind, op->project) + work_others(w, op->kind), size = 1 + soak_chance(&w->chance, 20);
  unsigned seen[SOAK_SLOTS] = { 0 }, page, i;
  bool of_organization = op->kind == SOAK_PROJECT;
  int refused = model_refuses(w, op->who, of_organization ? SOAK_TEAM : op->kind, op->project, false, false);
  size_t n;
  op->method = "GET";
  if (row->uncounted) {
    if (model_thing(w, op->kind, op->project, op->slot)->key[0]) work_get(w, op);
    return;
  }
  work_path(w, op, row->list);
  n = strlen(op->path);
  for (page = 1; page == 1 || (page - 1) * size < total; page++) {
    snprintf(op->path + n, sizeof op->path - n, "?itemsPerPage=%u&pageNum=%u", size, page);
    work_surely(w, op, refused ? refused : 200);
    if (refused) return;
    if (!row->bare && https_number(w->answer.body, "totalCount") != (long)total)
      work_wrong(w, "the list of %ss counts %ld, not %u", row->name, https_number(w->answer.body, "totalCount"), total);
    work_seen(w, op, seen);
  }
  for (i = 0; i < row->slots; i++)
    if (seen[i] != model_thing(w, op->kind, op->project, i)->there)
      work_wrong(w, "%s %u is listed %u times, on pages of %u", row->name, i, seen[i], size);
}

/* Checks that every change left one event. */
static void work_events(soak_world *w, work_op *op)
{
  const soak_row *row = &soak_rows[op->kind];
  bool of_project = model_is_of_project(op->kind) || op->kind == SOAK_PROJECT;
  unsigned project = of_project ? op->project : 0, i;
  size_t n;
  op->who = SOAK_OWNER;
  op->method = "GET";
  if (of_project && !model_thing(w, SOAK_PROJECT, 0, project)->there) return;
  work_owner(w);
  for (i = 0; i < SOAK_EVENTS; i++) {
    if (!row->event[i]) continue;
    work_path(w, op, of_project ? "/groups/$G/events" : "/orgs/$O/events");
    n = strlen(op->path);
    snprintf(op->path + n, sizeof op->path - n, "?itemsPerPage=1&eventType=%s", row->event[i]);
    work_surely(w, op, 200);
    if (https_number(w->answer.body, "totalCount") != (long)w->events[op->kind][project][i])
      work_wrong(w, "%ld events %s, not %u", https_number(w->answer.body, "totalCount"), row->event[i], w->events[op->kind][project][i]);
  }
}

/* ----------------------------------------------------------------------------------------------------------------- writes */

/* Reads the resource as the owner, after an interruption. Returns the status. */
static int work_reread(soak_world *w, const work_op *op)
{
  work_op look = *op;
  look.who = SOAK_OWNER;
  look.method = "GET";
  look.body[0] = look.more[0] = 0;
  work_owner(w);
  work_path(w, &look, soak_rows[op->kind].member);
  work_surely(w, &look, 0);
  work_say(w, &look, 0);
  if (w->answer.status != 200 && w->answer.status != 404) work_wrong(w, "after a cut a %s cannot be read", soak_rows[op->kind].name);
  return w->answer.status;
}

static void work_made(soak_world *w, const work_op *op)
{
  const soak_row *row = &soak_rows[op->kind];
  char key[48] = "";
  if (row->key && !http_member(w->answer.body, row->key, key, sizeof key)) work_wrong(w, "a %s has no %s", row->name, row->key);
  model_created(w, op->kind, op->project, op->slot, op->value, key);
  work_compare(w, op);
}

static int work_create_status(const soak_world *w, const work_op *op, bool bad)
{
  int refused = model_refuses(w, op->who, op->kind, op->project, true, true);
  if (bad && op->kind == SOAK_PROJECT && refused != 401) return 400; /* the body names the organization, so the service parses it first */
  if (refused) return refused;
  return bad ? 400 : model_create(w, op->kind, op->project, op->slot);
}

static void work_create(soak_world *w, work_op *op)
{
  const soak_row *row = &soak_rows[op->kind];
  bool bad = soak_chance(&w->chance, 16) == 0, keyed = row->key || soak_chance(&w->chance, 2);
  int expected;
  op->method = "POST";
  op->value = ++w->values;
  work_path(w, op, row->make);
  work_body(w, op, row->create);
  if (bad) snprintf(op->body, sizeof op->body, "%s", row->upsert ? "[{\"nosuch\":1}]" : "{\"nosuch\":1}");
  if (keyed) snprintf(op->more, sizeof op->more, "Idempotency-Key: w%u-%u\r\n", w->number, op->value);
  expected = work_create_status(w, op, bad);
  if (keyed) work_surely(w, op, expected); /* executed once, although it may be sent several times */
  else if (work_send(w, op)) work_expect(w, op, expected);
  else if (expected == row->made && (work_reread(w, op) == 404 || !work_shows(w, op, op->value))) return; /* the create was not executed */
  if (expected == row->made) work_made(w, op);
  if (expected == row->made && keyed && soak_chance(&w->chance, 4) == 0) { /* sending it again returns the same resource */
    work_surely(w, op, expected);
    if (row->key && !strstr(w->answer.body, model_thing(w, op->kind, op->project, op->slot)->key)) work_wrong(w, "a key makes two");
  }
}

static int work_change_status(soak_world *w, const work_op *op, bool bad)
{
  const soak_thing *t = model_thing(w, op->kind, op->project, op->slot);
  int refused = model_refuses(w, op->who, op->kind, op->project, true, false);
  if (refused) return refused;
  if (!t->there) return 404;
  return bad || (op->kind == SOAK_CLUSTER && strcmp(t->state, "DELETING") == 0) ? 400 : 200;
}

static void work_change(soak_world *w, work_op *op)
{
  const soak_row *row = &soak_rows[op->kind];
  bool bad = soak_chance(&w->chance, 16) == 0, swap = soak_chance(&w->chance, 4) == 0;
  unsigned before = model_thing(w, op->kind, op->project, op->slot)->value;
  int expected;
  op->value = ++w->values;
  if (op->kind == SOAK_WATCH && op->value % 2 == before % 2) op->value = ++w->values; /* the value must toggle */
  expected = work_change_status(w, op, bad);
  if (expected == 200 && swap) {
    work_get(w, op);
    snprintf(op->more, sizeof op->more, "If-Match: %s\r\n", w->answer.tag);
  }
  op->method = "PATCH";
  work_path(w, op, row->member);
  work_body(w, op, row->change);
  if (bad) snprintf(op->body, sizeof op->body, "{\"nosuch\":1}");
  if (work_send(w, op)) work_expect(w, op, expected);
  else if (expected == 200 && (work_reread(w, op) == 404 || !work_shows(w, op, op->value))) {
    if (!work_shows(w, op, before)) work_wrong(w, "a change that was cut off is neither done nor not");
    return;
  }
  if (expected != 200) return;
  model_changed(w, op->kind, op->project, op->slot, op->value);
  work_compare(w, op);
  if (op->more[0]) work_surely(w, op, 412); /* the resource has changed, so the tag is stale */
}

static void work_delete(soak_world *w, work_op *op)
{
  int refused = model_refuses(w, op->who, op->kind, op->project, true, false);
  int expected = refused ? refused : model_delete(w, op->kind, op->project, op->slot);
  op->method = "DELETE";
  work_path(w, op, soak_rows[op->kind].member);
  if (work_send(w, op)) work_expect(w, op, expected);
  else if (expected != soak_rows[op->kind].gone) return;
  else if (work_reread(w, op) == 200 && !(op->kind == SOAK_CLUSTER && strstr(w->answer.body, "\"stateName\":\"DELETING\""))) return;
  if (expected == soak_rows[op->kind].gone) model_deleted(w, op->kind, op->project, op->slot);
}

static void work_pause(soak_world *w, work_op *op, bool pause)
{
  int refused = model_refuses(w, op->who, op->kind, op->project, true, false);
  int expected = refused ? refused : model_pause(w, op->project, op->slot, pause);
  const char *says = pause ? "\"paused\":true" : "\"paused\":false";
  op->method = "PATCH";
  work_path(w, op, soak_rows[op->kind].member);
  snprintf(op->body, sizeof op->body, "{%s}", says);
  if (work_send(w, op)) work_expect(w, op, expected);
  else if (expected == 200 && (work_reread(w, op) == 404 || !strstr(w->answer.body, says))) return;
  if (expected != 200) return;
  model_paused(w, op->project, op->slot, pause);
  op->value = model_thing(w, op->kind, op->project, op->slot)->value;
  work_compare(w, op);
}

/* ---------------------------------------------------------------------------------------------- credentials, limits, people */

/* Creates a credential for `who`, as the owner. */
static void work_credential(soak_world *w, int who, const char *where, const char *role)
{
  work_op op = { .who = SOAK_OWNER, .kind = SOAK_TEAM, .method = "POST", .value = ++w->values };
  bool cut;
  work_owner(w);
  work_path(w, &op, where);
  snprintf(op.body, sizeof op.body, "{\"name\":\"credential %u\",\"description\":\"of the soak\",\"roles\":[\"%s\"],\"secretExpiresAfterHours\":8760}",
           op.value, role);
  snprintf(op.more, sizeof op.more, "Idempotency-Key: w%u-%u\r\n", w->number, op.value);
  cut = !work_send(w, &op);
  if (cut) work_surely(w, &op, 0);
  work_expect(w, &op, 201);
  if (!http_member(w->answer.body, "clientId", w->who[who].id, sizeof w->who[who].id)) work_wrong(w, "a credential has no id");
  if (http_member(w->answer.body, "secret", w->who[who].secret, sizeof w->who[who].secret)) {
    w->who[who].good = true;
    work_token(w, who);
    return;
  }
  if (!cut) work_wrong(w, "a credential has no secret");
  w->who[who].good = true; /* the secret was shown once, in an answer that was lost: delete the credential and create another */
  w->who[who].expires = 0;
}

/* Deletes a credential, which is refused at once from then on, or creates another one. */
static void work_doom(soak_world *w)
{
  work_op op = { .who = SOAK_OWNER, .kind = SOAK_TEAM, .method = "DELETE" };
  bool cut;
  if (!w->who[SOAK_DOOMED].good) {
    work_credential(w, SOAK_DOOMED, "/orgs/$O/serviceAccounts", "ORG_OWNER");
    if (w->who[SOAK_DOOMED].expires) return;
  }
  work_owner(w);
  snprintf(op.path, sizeof op.path, WORK_API "/orgs/%s/serviceAccounts/%s", w->org, w->who[SOAK_DOOMED].id);
  cut = !work_send(w, &op);
  if (cut) work_surely(w, &op, 0);
  work_expect(w, &op, cut && w->answer.status == 404 ? 404 : 204);
  w->who[SOAK_DOOMED].good = false;
}

/* Changes the limit of database users of a project. */
static void work_limit(soak_world *w, work_op *op)
{
  int refused;
  unsigned value;
  if (!w->things[SOAK_PROJECT][op->project][0].key[0]) op->project = 0;
  refused = model_refuses(w, op->who, SOAK_USER, op->project, true, false);
  value = model_live(w, SOAK_USER, op->project) + soak_chance(&w->chance, 4);
  op->kind = SOAK_USER;
  op->method = "PATCH";
  if (value == 0) value = 1;
  work_path(w, op, "/groups/$G/limits/svc.project.security.databaseAccess.users");
  snprintf(op->body, sizeof op->body, "{\"value\":%u}", value);
  work_surely(w, op, refused ? refused : 200);
  if (refused) return;
  w->limit[op->project] = value;
  w->written++;
  if (https_number(w->answer.body, "currentUsage") != (long)model_live(w, SOAK_USER, op->project)) work_wrong(w, "a limit counts otherwise");
}

/* Invites a person, because teams need people. */
static void work_invite(soak_world *w)
{
  work_op op = { .who = SOAK_OWNER, .kind = SOAK_TEAM, .method = "POST", .value = ++w->values };
  work_owner(w);
  snprintf(w->person, sizeof w->person, "person%u.%u@example.com", w->number, op.value);
  work_path(w, &op, "/orgs/$O/users");
  work_body(w, &op, "{\"username\":\"$U\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}");
  snprintf(op.more, sizeof op.more, "Idempotency-Key: w%u-%u\r\n", w->number, op.value);
  work_surely(w, &op, 201);
  w->invited = w->now;
}

/* ----------------------------------------------------------------------------------------------------------------- chance */

static int work_who(soak_world *w)
{
  static const unsigned char share[SOAK_WHO] = { 50, 16, 12, 12, 7, 3 };
  unsigned n = soak_chance(&w->chance, 100);
  int who = 0;
  while (n >= share[who]) n -= share[who++];
  if (who != SOAK_NOBODY && w->who[who].good && w->now >= w->who[who].expires && soak_chance(&w->chance, 3)) work_token(w, who);
  return who;
}

static void work_choose(soak_world *w, work_op *op)
{
  memset(op, 0, sizeof *op);
  op->who = work_who(w);
  op->kind = (int)soak_chance(&w->chance, SOAK_KINDS);
  op->slot = soak_chance(&w->chance, soak_rows[op->kind].slots);
  op->project = op->kind == SOAK_PROJECT ? op->slot : soak_chance(&w->chance, SOAK_PROJECTS);
  if (op->kind != SOAK_PROJECT && !w->things[SOAK_PROJECT][op->project][0].key[0]) op->project = 0; /* no such project ever existed */
}

static bool work_may_create(soak_world *w, const work_op *op)
{
  const soak_row *row = &soak_rows[op->kind];
  const soak_thing *cluster = op->kind == SOAK_SNAPSHOT ? model_thing(w, SOAK_CLUSTER, op->project, op->slot) : NULL;
  if (cluster && cluster->there && strcmp(cluster->state, "DELETING") == 0) return false;
  return row->unique || row->upsert || op->kind == SOAK_SNAPSHOT || !model_thing(w, op->kind, op->project, op->slot)->there;
}

static void work_step(soak_world *w)
{
  work_op op;
  unsigned what;
  work_choose(w, &op);
  what = soak_chance(&w->chance, 100);
  if (what < 2) work_doom(w);
  else if (what < 4) work_limit(w, &op);
  else if (what < 7) work_events(w, &op);
  else if (what < 15) work_list(w, &op);
  else if (what < 42 && work_may_create(w, &op)) work_create(w, &op);
  else if (!model_thing(w, op.kind, op.project, op.slot)->key[0]) return; /* the resource never existed, so it has no name */
  else if (what < 50 && op.kind == SOAK_CLUSTER) work_pause(w, &op, soak_chance(&w->chance, 2));
  else if (what < 68 && soak_rows[op.kind].change) work_change(w, &op);
  else if (what < 80 && !(op.kind == SOAK_PROJECT && op.slot == 0)) work_delete(w, &op);
  else work_get(w, &op);
}

void work_round(soak_world *w)
{
  int i;
  if (w->now - w->invited > WORK_DAYS * 86400) work_invite(w);
  for (i = 0; i < SOAK_STEPS; i++) work_step(w);
}

void work_all(soak_world *w)
{
  int kind;
  unsigned project, slot;
  work_owner(w);
  for (kind = 0; kind < SOAK_KINDS; kind++)
    for (project = 0; project < (kind == SOAK_PROJECT || model_is_of_project(kind) ? SOAK_PROJECTS : 1); project++) {
      work_op op = { .who = SOAK_OWNER, .kind = kind, .project = project };
      if (!w->things[SOAK_PROJECT][project][0].key[0]) continue;
      if (!soak_rows[kind].uncounted) work_list(w, &op);
      work_events(w, &op);
      for (slot = 0; slot < soak_rows[kind].slots; slot++) {
        op = (work_op){ .who = SOAK_OWNER, .kind = kind, .project = kind == SOAK_PROJECT ? slot : project, .slot = slot };
        if (model_thing(w, kind, project, slot)->key[0]) work_get(w, &op);
      }
    }
}

/* ------------------------------------------------------------------------------------------------------------------ begin */

void work_stranger(soak_world *w, const soak_world *other)
{
  memcpy(&w->who[SOAK_STRANGER], &other->who[SOAK_OWNER], sizeof w->who[SOAK_STRANGER]);
  work_token(w, SOAK_STRANGER);
}

static void work_name_all(soak_world *w)
{
  int kind;
  unsigned project, slot;
  for (kind = SOAK_USER; kind < SOAK_KINDS; kind++)
    for (project = 0; project < SOAK_PROJECTS && soak_rows[kind].named; project++)
      for (slot = 0; slot < soak_rows[kind].slots; slot++) {
        soak_thing *t = model_thing(w, kind, project, slot);
        model_fill(w, kind, project, slot, 0, soak_rows[kind].named, t->key, sizeof t->key);
      }
}

void work_begin(soak_world *w, const char *token)
{
  work_op op = { .who = SOAK_OWNER, .method = "POST", .path = WORK_API "/orgs" };
  const char *at;
  snprintf(w->who[SOAK_OWNER].token, sizeof w->who[SOAK_OWNER].token, "%s", token);
  snprintf(op.body, sizeof op.body, "{\"name\":\"world %u\",\"serviceAccount\":{\"name\":\"owner\",\"description\":\"of the soak\",\"roles\":[\"ORG_OWNER\"],"
           "\"secretExpiresAfterHours\":8760}}", w->number);
  work_surely(w, &op, 201);
  at = strstr(w->answer.body, "\"organization\":{");
  if (!at || !http_member(at, "id", w->org, sizeof w->org) || !http_member(at, "clientId", w->who[SOAK_OWNER].id, sizeof w->who[SOAK_OWNER].id) ||
      !http_member(at, "secret", w->who[SOAK_OWNER].secret, sizeof w->who[SOAK_OWNER].secret))
    work_wrong(w, "an organization without its credential");
  w->who[SOAK_OWNER].good = true;
  work_token(w, SOAK_OWNER);
  work_name_all(w);
  op = (work_op){ .who = SOAK_OWNER, .kind = SOAK_PROJECT, .method = "POST", .value = ++w->values };
  work_path(w, &op, soak_rows[SOAK_PROJECT].make);
  work_body(w, &op, soak_rows[SOAK_PROJECT].create);
  work_surely(w, &op, 201);
  work_made(w, &op);
  work_credential(w, SOAK_GROUP_OWNER, "/groups/$G/serviceAccounts", "GROUP_OWNER");
  work_credential(w, SOAK_READER, "/orgs/$O/serviceAccounts", "ORG_READ_ONLY");
  work_credential(w, SOAK_DOOMED, "/orgs/$O/serviceAccounts", "ORG_OWNER");
  work_invite(w);
}

/*
** The lines of the driver's protocol: writes lines for the program, and handles the lines that it writes. driver_exec.h shows all of them.
**
** The rule: a line that is not a JSON object, or is unknown, breaks the protocol, and the error shows its beginning. A line about an
** unknown order or question does not: replies may be late, and orders may arrive more than once.
*/
#define _GNU_SOURCE /* explicit_bzero */
#include "driver_exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------------------- going out */

/* Appends JSON in one line: its line feeds, which are only space in JSON, become spaces. */
static void lines_json(exec_buf *b, const char *before, const char *json, size_t n)
{
  size_t i, from;
  exec_buf_text(b, before);
  exec_buf_add(b, json, n);
  for (i = from = b->failed ? 0 : b->n - n; !b->failed && i < from + n; i++)
    if (b->p[i] == '\n' || b->p[i] == '\r') b->p[i] = ' ';
}

void exec_first_line(driver_exec *d, exec_buf *out)
{
  exec_buf_member(out, "{\"driver\":1,\"vendor\":", svc_vendor(d->s));
  exec_buf_text(out, "}\n");
}

int exec_order_text(exec_order *o, const svc_order *order)
{
  exec_buf b = { NULL, 0, 0, 0 };
  exec_buf_member(&b, "\"id\":", order->id);
  exec_buf_member(&b, ",\"action\":", order->action);
  exec_buf_member(&b, ",\"resource\":", order->resource);
  exec_buf_member(&b, ",\"resourceId\":", order->resource_id);
  exec_buf_member(&b, ",\"parentId\":", order->parent_id);
  exec_buf_member(&b, ",\"groupId\":", order->group_id);
  exec_buf_member(&b, ",\"orgId\":", order->org_id);
  exec_buf_member(&b, ",\"name\":", order->name);
  if (order->traceparent && *order->traceparent) exec_buf_member(&b, ",\"traceparent\":", order->traceparent);
  if (order->desired && order->desired_length) lines_json(&b, ",\"desired\":", order->desired, order->desired_length);
  else exec_buf_text(&b, ",\"desired\":{}");
  if (b.failed) {
    exec_buf_free(&b);
    return -1;
  }
  o->text = b.p;
  o->length = b.n;
  return 0;
}

/* Returns true if the program's first line asks for the secrets of this action. */
static int lines_wants_secrets(const driver_exec *d, const char *action)
{
  exec_text all = { d->secrets, d->secrets ? strlen(d->secrets) : 0 }, one;
  size_t at = 0, n = strlen(action);
  while ((one = exec_json_item(all, &at)).p != NULL)
    if (one.n == n + 2 && memcmp(one.p + 1, action, n) == 0) return 1;
  return 0;
}

/* Appends the secrets of an order, unsealed, to the line that is sent next. A deleted resource has no secrets. */
static void lines_secrets(driver_exec *d, const char *id, exec_buf *out)
{
  size_t room = 4096, length = room;
  char *secrets = malloc(room);
  int rc = secrets ? svc_order_secrets(d->s, id, secrets, &length) : SVC_NOMEM;
  if (rc == SVC_FULL && length < EXEC_LINE) {
    free(secrets);
    room = length += 1;
    secrets = malloc(room);
    rc = secrets ? svc_order_secrets(d->s, id, secrets, &length) : SVC_NOMEM;
  }
  if (rc == SVC_OK) lines_json(out, ",\"secrets\":", secrets, length);
  else exec_buf_text(out, ",\"secrets\":{}");
  if (secrets) explicit_bzero(secrets, room);
  free(secrets);
}

void exec_order_line(driver_exec *d, const exec_order *o, exec_buf *out)
{
  char attempt[32];
  exec_buf_text(out, "{\"order\":{");
  exec_buf_add(out, o->text, o->length);
  snprintf(attempt, sizeof attempt, ",\"attempt\":%d", o->attempt);
  exec_buf_text(out, attempt);
  if (lines_wants_secrets(d, o->action)) lines_secrets(d, o->id, out);
  exec_buf_text(out, "}}\n");
}

void exec_question_line(const char *id, const svc_question *q, exec_buf *out)
{
  char numbers[96];
  exec_buf_member(out, "{\"question\":{\"id\":", id);
  exec_buf_member(out, ",\"what\":", q->what);
  exec_buf_member(out, ",\"resource\":", q->resource);
  exec_buf_member(out, ",\"resourceId\":", q->resource_id);
  exec_buf_member(out, ",\"groupId\":", q->group_id);
  exec_buf_member(out, ",\"orgId\":", q->org_id);
  exec_buf_member(out, ",\"name\":", q->name);
  if (q->parameters && *q->parameters) lines_json(out, ",\"parameters\":", q->parameters, strlen(q->parameters));
  else exec_buf_text(out, ",\"parameters\":{}");
  snprintf(numbers, sizeof numbers, ",\"now\":%lld,\"most\":%zu}}\n", (long long)q->now, q->most);
  exec_buf_text(out, numbers);
}

/* --------------------------------------------------------------------------------------------------------------- coming in */

/* Returns the beginning of a line, for an error text. */
static const char *lines_begin(exec_text line, char out[81])
{
  size_t i, n = line.n < 80 ? line.n : 80;
  for (i = 0; i < n; i++) out[i] = (unsigned char)line.p[i] < 32 || line.p[i] == 127 ? '?' : line.p[i];
  /* cppcheck-suppress uninitvar ; the line above fills in n of it */
  while (n && n < line.n && ((unsigned char)out[n - 1] & 0x80)) n--; /* drop an incomplete UTF-8 character */
  out[n] = '\0';
  return out;
}

static void lines_greet(driver_exec *d, exec_text line)
{
  exec_text version = exec_json_get(line, "driver"), secrets = exec_json_get(line, "secrets");
  char begin[81];
  if (!version.p) {
    exec_breach(d, "the first line must be {\"driver\":1} (got: %s)", lines_begin(line, begin));
  } else if (version.n != 1 || version.p[0] != '1') {
    exec_breach(d, "svcd speaks version 1 of the driver protocol (the program speaks: %s)", lines_begin(version, begin));
  } else {
    free(d->secrets);
    d->secrets = secrets.p ? strndup(secrets.p, secrets.n) : NULL;
    d->greeted = 1;
    exec_set_up(d, EXEC_UP);
  }
}

/* Returns the facts of a failure, with the member "reason" added before the others, unless they have one. The
** caller frees the text. NULL: out of memory. */
static char *lines_failure(exec_text facts, const char *reason)
{
  exec_buf b = { NULL, 0, 0, 0 };
  const char *rest = facts.p ? memchr(facts.p, '{', facts.n) : NULL;
  size_t n = rest ? facts.n - (size_t)(rest + 1 - facts.p) : 0;
  if (!exec_json_get(facts, "reason").p) {
    exec_buf_member(&b, "{\"reason\":", reason ? reason : "the driver program gave no reason");
    rest = n ? rest + 1 : "}";
    if (n && strspn(rest, " \t\r") < n && rest[strspn(rest, " \t\r")] != '}') exec_buf_text(&b, ",");
    exec_buf_add(&b, rest, n ? n : 1);
  } else {
    exec_buf_add(&b, facts.p, facts.n);
  }
  exec_buf_add(&b, "", 1);
  if (b.failed) exec_buf_free(&b);
  return b.p;
}

static void lines_done(driver_exec *d, exec_text line, exec_text done)
{
  exec_text facts = exec_json_get(done, "facts");
  char *id = exec_json_string(exec_json_get(done, "id"), NULL), *result = exec_json_string(exec_json_get(done, "result"), NULL);
  char *reason = exec_json_string(exec_json_get(done, "reason"), NULL), *text = NULL, begin[81];
  int failed = result && strcmp(result, "failed") == 0, busy = result && strcmp(result, "busy") == 0;
  if (failed) text = lines_failure(facts, reason);
  else if (facts.p) text = strndup(facts.p, facts.n);
  if (!id || !result || (!failed && !busy && strcmp(result, "ok") != 0))
    exec_breach(d, "done must have an id, and a result that is ok, busy or failed (got: %s)", lines_begin(line, begin));
  else if ((failed || facts.p) && !text)
    exec_breach(d, "out of memory for the result of the order %s", id);
  else
    exec_done(d, id, busy ? SVC_BUSY : failed ? SVC_IO : SVC_OK, text);
  free(id);
  free(result);
  free(reason);
  free(text);
}

static void lines_reply(driver_exec *d, exec_text line, exec_text reply)
{
  exec_text value = exec_json_get(reply, "value"), unknown = exec_json_get(reply, "unknown");
  char *id = exec_json_string(exec_json_get(reply, "id"), NULL), begin[81];
  if (unknown.n == 4 && memcmp(unknown.p, "true", 4) == 0) value.p = NULL;
  else if (!value.p) unknown.n = 0;
  if (!id || (!value.p && unknown.n != 4))
    exec_breach(d, "reply must have an id, and a value or \"unknown\":true (got: %s)", lines_begin(line, begin));
  else
    exec_replied(d, id, value);
  free(id);
}

static void lines_report(driver_exec *d, exec_text line, exec_text report)
{
  exec_text facts = exec_json_get(report, "facts");
  char *id = exec_json_string(exec_json_get(report, "id"), NULL);
  char *resource = exec_json_string(exec_json_get(report, "resource"), NULL), *text = facts.p ? strndup(facts.p, facts.n) : NULL;
  char begin[81];
  if (!id || !resource || !text) exec_breach(d, "report must have resource, id and facts (got: %s)", lines_begin(line, begin));
  else exec_report(d, resource, id, text);
  free(id);
  free(resource);
  free(text);
}

void exec_take_line(driver_exec *d, exec_text line)
{
  static const struct {
    const char *name;
    void (*take)(driver_exec *d, exec_text line, exec_text what);
  } kinds[] = { { "done", lines_done }, { "reply", lines_reply }, { "report", lines_report } };
  char begin[81];
  size_t i;
  if (!exec_json_is_object(line)) {
    exec_breach(d, "every line must be a JSON object (got: %s)", lines_begin(line, begin));
    return;
  }
  if (!d->greeted) {
    lines_greet(d, line);
    return;
  }
  for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    exec_text what = exec_json_get(line, kinds[i].name);
    if (!what.p) continue;
    kinds[i].take(d, line, what);
    return;
  }
  exec_breach(d, "a line must be a done, a reply or a report (got: %s)", lines_begin(line, begin));
}

/* ----------------------------------------------------------------------------------------------------------------- replies */

/* Adds a log to the reply. The value is a string, or an array with a string for each line. A text that is too long
** loses its first lines. */
static int lines_give_log(svc_reply *reply, size_t most, exec_text value)
{
  exec_buf b = { NULL, 0, 0, 0 };
  const char *feed;
  size_t at = 0, skip = 0, n;
  int rc = SVC_OK, array = value.p[0] == '[';
  exec_text one = array ? exec_json_item(value, &at) : value;
  for (; rc == SVC_OK && one.p; one = array ? exec_json_item(value, &at) : (exec_text){ NULL, 0 }) {
    char *line = exec_json_string(one, &n);
    if (!line) rc = SVC_INVALID;
    else exec_buf_add(&b, line, n);
    if (line && array && (n == 0 || line[n - 1] != '\n')) exec_buf_text(&b, "\n");
    free(line);
  }
  if (rc == SVC_OK && b.failed) rc = SVC_NOMEM;
  if (rc == SVC_OK && b.n > most) {
    feed = memchr(b.p + b.n - most, '\n', most);
    skip = feed ? (size_t)(feed + 1 - b.p) : b.n;
  }
  if (rc == SVC_OK && b.n > skip) rc = svc_reply_add(reply, b.p + skip, b.n - skip);
  exec_buf_free(&b);
  return rc;
}

int exec_reply_give(const svc_question *q, svc_reply *reply, exec_text value)
{
  if (strcmp(q->what, "logs") == 0 && (value.p[0] == '"' || value.p[0] == '[')) return lines_give_log(reply, q->most, value);
  return svc_reply_add(reply, value.p, value.n);
}

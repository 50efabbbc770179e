/*
** A program as the driver (driver_exec.h): orders for the program, questions that wait for its replies, and results for the service.
**
** The rule: perform() and ask() only add to lists and wake the thread that writes and reads. An order leaves its list when the service has
** stored its result, or when a newer order for the same resource replaces it; a question leaves at its timeout at the latest.
*/
#define _GNU_SOURCE /* pipe2 */
#include "driver_exec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int64_t exec_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void exec_say(driver_exec *d, int level, const char *event, const char *format, ...)
{
  char text[EXEC_SAID + 200];
  va_list args;
  int n = snprintf(text, sizeof text, "driver: ");
  va_start(args, format);
  vsnprintf(text + n, sizeof text - (size_t)n, format, args);
  va_end(args);
  if (d->config.log) d->config.log(d->config.log_context, level, event, text);
}

/* Wakes the thread. If the pipe is full, the thread has a reason to wake already. */
static void exec_wake(driver_exec *d)
{
  ssize_t n = write(d->wake[1], "", 1);
  (void)n;
}

static void exec_free_order(exec_order *o)
{
  if (o) free(o->text);
  free(o);
}

/* ------------------------------------------------------------------------------------------------------------------ orders */

static exec_order *exec_new_order(const svc_order *order)
{
  exec_order *o = calloc(1, sizeof *o);
  if (!o || exec_order_text(o, order) != 0) {
    exec_free_order(o);
    return NULL;
  }
  snprintf(o->id, sizeof o->id, "%s", order->id);
  snprintf(o->action, sizeof o->action, "%s", order->action);
  snprintf(o->resource_id, sizeof o->resource_id, "%s", order->resource_id);
  snprintf(o->org_id, sizeof o->org_id, "%s", order->org_id);
  o->attempt = order->attempt;
  return o;
}

/* Appends an order, and marks older orders for the same resource as replaced: if sent after this one, they would undo it. */
static void exec_append(driver_exec *d, exec_order *o)
{
  exec_order **last = &d->orders;
  for (; *last; last = &(*last)->next)
    if (strcmp((*last)->resource_id, o->resource_id) == 0) (*last)->replaced = 1;
  *last = o;
  d->order_count++;
  d->order_bytes += o->length;
}

/* Whether the lists have room for an order, and its organization has not got its share of them: a program that never reports the
** orders of one organization still gets those of the others. */
static int exec_has_room(const driver_exec *d, const exec_order *o)
{
  const exec_order *other;
  size_t count = 0, bytes = 0;
  if (d->ending || d->order_count == EXEC_ORDERS || d->order_bytes + o->length > EXEC_ORDER_BYTES) return 0;
  for (other = d->orders; other; other = other->next) {
    if (strcmp(other->org_id, o->org_id) != 0) continue;
    count++;
    bytes += other->length;
  }
  return count < EXEC_ORDERS / EXEC_SHARE && (!count || bytes + o->length <= EXEC_ORDER_BYTES / EXEC_SHARE);
}

static int exec_perform(void *context, svc *s, const svc_order *order)
{
  driver_exec *d = context;
  exec_order *o, *other;
  char none[1];
  size_t room = sizeof none;
  int code = SVC_BUSY;
  if (svc_order_secrets(s, order->id, none, &room) == SVC_BUSY) return SVC_BUSY; /* no secrets now: the order is sent again */
  o = exec_new_order(order);
  pthread_mutex_lock(&d->lock);
  for (other = d->orders; other && strcmp(other->id, order->id) != 0;) other = other->next;
  if (other) {
    code = SVC_OK; /* a repeated order, which is queued already */
  } else if (o && exec_has_room(d, o)) {
    exec_append(d, o);
    o = NULL;
    code = SVC_OK;
  }
  pthread_mutex_unlock(&d->lock);
  exec_free_order(o);
  if (code == SVC_OK) exec_wake(d);
  return code;
}

/* Removes an order and frees it. Only the thread calls this function. */
static void exec_drop(driver_exec *d, exec_order *o)
{
  exec_order **at;
  pthread_mutex_lock(&d->lock);
  for (at = &d->orders; *at != o;) at = &(*at)->next;
  *at = o->next;
  d->order_count--;
  d->order_bytes -= o->length;
  pthread_mutex_unlock(&d->lock);
  exec_free_order(o);
}

static exec_order *exec_find(driver_exec *d, const char *id)
{
  exec_order *o;
  pthread_mutex_lock(&d->lock);
  for (o = d->orders; o && strcmp(o->id, id) != 0;) o = o->next;
  pthread_mutex_unlock(&d->lock);
  return o;
}

/* Sends the order to the program again, after a growing wait. */
static void exec_postpone(driver_exec *d, exec_order *o)
{
  pthread_mutex_lock(&d->lock);
  o->wait = o->wait ? o->wait * 2 : EXEC_FIRST_WAIT;
  if (o->wait > EXEC_LONGEST_WAIT) o->wait = EXEC_LONGEST_WAIT;
  o->due = exec_now() + o->wait;
  o->sent = 0;
  pthread_mutex_unlock(&d->lock);
}

void exec_done(driver_exec *d, const char *id, int result, const char *facts)
{
  static const char refused[] = "{\"reason\":\"the facts of the driver program do not match this order\"}";
  exec_order *o = exec_find(d, id);
  int rc;
  if (!o || !o->sent) {
    exec_say(d, SVC_LOG_WARNING, "driver.unknown_order", "the program reported an order that it does not have, %.32s: the report is ignored", id);
    return;
  }
  if (result == SVC_BUSY) {
    exec_postpone(d, o);
    return;
  }
  rc = svc_order_done(d->s, id, result, facts);
  if (rc == SVC_INVALID && facts) {
    exec_say(d, SVC_LOG_ERROR, "driver.facts_refused", "the facts of %s %s are invalid: %.500s", o->action, id, facts);
    rc = svc_order_done(d->s, id, SVC_INVALID, refused);
  }
  if (rc == SVC_OK || rc == SVC_INVALID) {
    exec_drop(d, o);
    return;
  }
  exec_say(d, SVC_LOG_ERROR, "driver.not_stored", "the result of %s %s cannot be stored, so the program gets the order again: %s", o->action, id, svc_strerror(rc));
  exec_postpone(d, o);
}

/* Passes a report to the service. A report about a deleted resource is late, and not an error. */
void exec_report(driver_exec *d, const char *resource, const char *id, const char *facts)
{
  int rc = svc_report(d->s, resource, id, facts);
  if (rc == SVC_NOT_FOUND) exec_say(d, SVC_LOG_INFO, "driver.report_unknown", "a report about the %.64s %.64s, which does not exist", resource, id);
  else if (rc != SVC_OK) exec_say(d, SVC_LOG_WARNING, "driver.report_refused", "a report about the %.64s %.64s is invalid: %s", resource, id, rc == SVC_INVALID ? "see svcd driver for its schema" : svc_strerror(rc));
}

/* --------------------------------------------------------------------------------------------------------------- questions */

/* The time of the monotonic clock at which a question that began then has waited long enough; less while svcd stops. */
static struct timespec exec_deadline(const driver_exec *d, int64_t began)
{
  int64_t when = began + d->config.timeout_ms;
  if (d->hushed && d->hushed + EXEC_LAST_REPLY < when) when = d->hushed + EXEC_LAST_REPLY;
  return (struct timespec){ (time_t)(when / 1000), (long)(when % 1000) * 1000000 };
}

/* Logs at most one line in ten seconds, so that many requests do not fill the log. */
static void exec_say_late(driver_exec *d, const svc_question *q)
{
  int64_t now = exec_now();
  int say;
  pthread_mutex_lock(&d->lock);
  say = !d->said_late || now - d->said_late > 10000;
  if (say) d->said_late = now;
  pthread_mutex_unlock(&d->lock);
  if (say) exec_say(d, SVC_LOG_WARNING, "driver.no_answer", "no reply to \"%s\" about %s %s within %lld ms", q->what, q->resource, q->resource_id,
                    (long long)d->config.timeout_ms);
}

static void exec_forget_question(driver_exec *d, const exec_question *x)
{
  exec_question **at = &d->questions;
  while (*at != x) at = &(*at)->next;
  *at = x->next;
  d->question_count--;
}

/* Waits for the reply with the lock held, then removes the question from the list. */
static void exec_wait(driver_exec *d, exec_question *x)
{
  exec_question **last = &d->questions;
  const int64_t began = exec_now();
  struct timespec until;
  int rc = 0;
  while (*last) last = &(*last)->next;
  *last = x;
  d->question_count++;
  exec_wake(d);
  while (x->state <= EXEC_SENT && rc == 0) {
    until = exec_deadline(d, began);
    rc = pthread_cond_timedwait(&d->heard, &d->lock, &until);
  }
  exec_forget_question(d, x);
}

/* Asks the program and waits for its reply. Fails at once while the program is down, so that requests do not pile up. */
static int exec_ask(void *context, svc *s, const svc_question *q, svc_reply *reply)
{
  driver_exec *d = context;
  exec_question x = { NULL, "", { NULL, 0 }, EXEC_FAILED, NULL, 0 };
  exec_buf line = { NULL, 0, 0, 0 };
  int code = SVC_IO;
  (void)s;
  pthread_mutex_lock(&d->lock);
  snprintf(x.id, sizeof x.id, "q%llu", (unsigned long long)++d->asked);
  exec_question_line(x.id, q, &line);
  x.line = (exec_text){ line.p, line.n };
  if (!line.failed && !d->ending && !d->hushed && d->up != EXEC_DOWN && d->question_count < EXEC_QUESTIONS) {
    x.state = EXEC_ASKED;
    exec_wait(d, &x);
  }
  pthread_mutex_unlock(&d->lock);
  if (x.state == EXEC_ANSWERED) code = exec_reply_give(q, reply, (exec_text){ x.value, x.length });
  else if (x.state == EXEC_UNKNOWN) code = SVC_NOT_FOUND;
  else if (x.state <= EXEC_SENT) exec_say_late(d, q);
  free(x.value);
  exec_buf_free(&line);
  return code;
}

void exec_replied(driver_exec *d, const char *id, exec_text value)
{
  exec_question *x;
  pthread_mutex_lock(&d->lock);
  for (x = d->questions; x && (x->state != EXEC_SENT || strcmp(x->id, id) != 0);) x = x->next;
  if (x && value.p) x->value = strndup(value.p, value.n);
  if (x) {
    x->length = x->value ? value.n : 0;
    x->state = !value.p ? EXEC_UNKNOWN : x->value ? EXEC_ANSWERED : EXEC_FAILED;
    pthread_cond_broadcast(&d->heard);
  }
  pthread_mutex_unlock(&d->lock);
  if (!x) exec_say(d, SVC_LOG_INFO, "driver.late_reply", "a reply to %.24s, which is no longer awaited", id);
}

/* ------------------------------------------------------------------------------------------------------------- the thread's */

/* Sends the next question. Questions go before orders, because requests wait for them. */
static int exec_next_question(driver_exec *d)
{
  exec_question *x;
  pthread_mutex_lock(&d->lock);
  for (x = d->questions; x && x->state != EXEC_ASKED;) x = x->next;
  if (x) {
    exec_buf_add(&d->sending, x->line.p, x->line.n);
    x->state = EXEC_SENT;
  }
  pthread_mutex_unlock(&d->lock);
  return x != NULL;
}

/* Returns the first order that is due, and removes replaced ones. */
static exec_order *exec_due(driver_exec *d)
{
  int64_t now = exec_now();
  exec_order *o, *gone;
  do {
    pthread_mutex_lock(&d->lock);
    for (gone = d->orders; gone && (gone->sent || !gone->replaced);) gone = gone->next;
    for (o = d->orders; o && (o->sent || o->replaced || o->due > now);) o = o->next;
    pthread_mutex_unlock(&d->lock);
    if (gone) exec_drop(d, gone);
  } while (gone);
  return o;
}

int exec_next(driver_exec *d)
{
  exec_order *o;
  if (exec_next_question(d)) return 1;
  o = exec_due(d);
  if (!o) return 0;
  exec_order_line(d, o, &d->sending);
  pthread_mutex_lock(&d->lock);
  o->sent = 1;
  o->attempt++;
  pthread_mutex_unlock(&d->lock);
  if (!d->sending.failed) return 1;
  exec_buf_clear(&d->sending); /* out of memory */
  exec_postpone(d, o);
  return 0;
}

void exec_set_up(driver_exec *d, int up)
{
  pthread_mutex_lock(&d->lock);
  d->up = up;
  pthread_mutex_unlock(&d->lock);
}

void exec_lost(driver_exec *d)
{
  exec_order *o;
  exec_question *x;
  pthread_mutex_lock(&d->lock);
  d->up = EXEC_DOWN;
  for (o = d->orders; o; o = o->next) {
    if (o->sent) o->due = 0;
    o->sent = 0;
  }
  for (x = d->questions; x; x = x->next)
    if (x->state <= EXEC_SENT) x->state = EXEC_FAILED;
  pthread_cond_broadcast(&d->heard);
  pthread_mutex_unlock(&d->lock);
}

/* --------------------------------------------------------------------------------------------------------- opening, closing */

int driver_exec_open(driver_exec **out, const driver_exec_config *config)
{
  driver_exec *d = calloc(1, sizeof *d);
  pthread_condattr_t monotonic;
  *out = NULL;
  if (!d || pipe2(d->wake, O_CLOEXEC | O_NONBLOCK) != 0) {
    free(d);
    return -1;
  }
  d->config = *config;
  d->driver = (svc_driver){ .perform = exec_perform, .ask = exec_ask, .context = d };
  d->in = d->out = d->err = -1;
  d->up = EXEC_STARTING;
  pthread_mutex_init(&d->lock, NULL);
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&d->heard, &monotonic);
  pthread_condattr_destroy(&monotonic);
  *out = d;
  return 0;
}

const svc_driver *driver_exec_driver(driver_exec *d)
{
  return &d->driver;
}

int driver_exec_begin(driver_exec *d, svc *s)
{
  d->s = s;
  d->begun = pthread_create(&d->thread, NULL, exec_run, d) == 0;
  return d->begun ? 0 : -1;
}

void driver_exec_hush(driver_exec *d)
{
  if (!d) return;
  pthread_mutex_lock(&d->lock);
  if (!d->hushed) d->hushed = exec_now();
  pthread_cond_broadcast(&d->heard);
  pthread_mutex_unlock(&d->lock);
}

void driver_exec_stop(driver_exec *d)
{
  if (!d || !d->begun) return;
  pthread_mutex_lock(&d->lock);
  d->ending = 1;
  pthread_mutex_unlock(&d->lock);
  exec_wake(d);
  pthread_join(d->thread, NULL);
  d->begun = 0;
}

void driver_exec_close(driver_exec *d)
{
  exec_order *o;
  if (!d) return;
  driver_exec_stop(d);
  while ((o = d->orders) != NULL) { /* the service sends these orders again when it is next opened */
    d->orders = o->next;
    exec_free_order(o);
  }
  exec_buf_free(&d->line);
  exec_buf_free(&d->words);
  exec_buf_free(&d->sending);
  free(d->secrets);
  close(d->wake[0]);
  close(d->wake[1]);
  pthread_cond_destroy(&d->heard);
  pthread_mutex_destroy(&d->lock);
  free(d);
}

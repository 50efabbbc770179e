/*
** A driver that is a program: see program.h.
**
** The rule: while a line is in transit, the test's own thread waits and calls no function of the service. So only one thread at a
** time uses the service, and the test reads a consistent t_driver.
*/
#define _GNU_SOURCE /* getline, usleep */
#include "program.h"

#include "examples/svcd/driver_exec.h"
#include "schema.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define PROGRAM_SECONDS 60

struct t_program {
  t_driver *d;
  svc *s;
  driver_exec *exec;
  int heard[2], said[2]; /* pipes: the test reads svcd's lines from heard, and writes lines for svcd to said */
  pthread_t thread;
  pthread_mutex_t lock;  /* protects the t_driver, the document, and the members below */
  t_schema document;
  size_t lines, unfit;
  const svc_node *order; /* the order that the t_driver is handling; NULL: none */
  atomic_int fences, passed; /* replies to no question, used as fences: those sent, and those that svcd has logged */
  char command[96];
};

/* -------------------------------------------------------------------------------------------------------------- schemas */

static void program_unfit(t_program *p, svc_str line)
{
  p->unfit++;
  fprintf(stderr, "\nthis line fits no schema, %s: %.*s", p->document.why, (int)(line.n < 600 ? line.n : 600), line.p);
}

/* Returns true if the value matches this member of a row with the same two names. */
static bool program_fits_row(t_program *p, const char *list, const char *by, const svc_node *what, const char *member, const svc_node *value)
{
  const svc_node *row;
  snprintf(p->document.why, sizeof p->document.why, "there is no such row in %s", list);
  for (row = svc_node_get(p->document.root, list)->first; row; row = row->next) {
    const svc_node *schema = svc_node_get(row, member);
    if (!svc_str_eq(svc_node_str(row, by), svc_node_str(what, by)) || !svc_str_eq(svc_node_str(row, "resource"), svc_node_str(what, "resource"))) continue;
    if (schema->type == SVC_J_NULL ? !value || svc_node_count(value) == 0 : t_schema_fits(&p->document, schema, value)) return true;
  }
  return false;
}

/* A line is identified by its one member: {"order":...} is an OrderLine. */
static const svc_node *program_look_at(t_program *p, svc_str line)
{
  static const struct {
    const char *member, *schema;
  } kinds[] = { { "driver", "HelloLine" }, { "order", "OrderLine" }, { "done", "DoneLine" }, { "question", "QuestionLine" }, { "reply", "ReplyLine" },
                { "report", "ReportLine" } };
  const svc_node *node = svc_json_parse(&p->document.arena, svc_arena_copy(&p->document.arena, line)), *one; /* nodes point into the text */
  const svc_node *schemas = svc_node_get(svc_node_get(p->document.root, "components"), "schemas");
  size_t i;
  munit_assert_not_null(node);
  p->lines++;
  for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (svc_node_get(node, kinds[i].member)) break;
  munit_assert_size(i, <, sizeof kinds / sizeof kinds[0]);
  if (!t_schema_fits(&p->document, svc_node_get(schemas, kinds[i].schema), node)) program_unfit(p, line);
  if ((one = svc_node_get(node, "order")) && !program_fits_row(p, "orders", "action", one, "desired", svc_node_get(one, "desired"))) program_unfit(p, line);
  if ((one = svc_node_get(node, "question")) && !program_fits_row(p, "questions", "what", one, "parameters", svc_node_get(one, "parameters")))
    program_unfit(p, line);
  return node;
}

/* ---------------------------------------------------------------------------------------------------------------- saying */

static void program_write(int fd, const char *text, size_t n)
{
  ssize_t written;
  for (; n; text += written, n -= (size_t)written) {
    written = write(fd, text, n);
    munit_assert_int((int)written, >, 0);
  }
}

/* Sends a line of the program; the caller holds the lock. */
static void program_say(t_program *p, svc_str line)
{
  munit_assert_null(memchr(line.p, '\n', line.n));
  program_look_at(p, line);
  program_write(p->said[1], line.p, line.n);
  program_write(p->said[1], "\n", 1);
}

static void program_member(svc_buf *b, const char *before, const char *text)
{
  svc_buf_text(b, before);
  svc_json_escape(b, svc_str_c(text));
}

/* The facts of an order must match its row. */
static void program_look_at_facts(t_program *p, int result, const char *facts)
{
  svc_str text = svc_str_c(facts);
  const svc_node *value = svc_json_parse(&p->document.arena, text);
  if (result == SVC_OK ? p->order && !program_fits_row(p, "orders", "action", p->order, "facts", value)
                       : !t_schema_fits(&p->document, svc_node_get(p->document.root, "failure"), value))
    program_unfit(p, text);
}

/* t_driver.done: replaces svc_order_done(). */
static int program_done(void *context, svc *s, const char *id, int result, const char *facts)
{
  t_program *p = context;
  svc_buf b = svc_buf_new(&p->document.arena, 512);
  (void)s;
  if (facts) program_look_at_facts(p, result, facts);
  program_member(&b, "{\"done\":{\"id\":", id);
  program_member(&b, ",\"result\":", result == SVC_OK ? "ok" : result == SVC_BUSY ? "busy" : "failed");
  if (facts) svc_buf_text(&b, ",\"facts\":"), svc_buf_text(&b, facts);
  svc_buf_text(&b, "}}");
  program_say(p, svc_buf_done(&b));
  return SVC_OK;
}

/* --------------------------------------------------------------------------------------------------------------- hearing */

static const char *program_text(t_program *p, const svc_node *of, const char *member)
{
  return svc_arena_copy(&p->document.arena, svc_node_str(of, member)).p;
}

static const char *program_json(t_program *p, const svc_node *of, const char *member, size_t *n)
{
  svc_buf b = svc_buf_new(&p->document.arena, 512);
  svc_str text;
  svc_node_write(&b, svc_node_get(of, member));
  text = svc_buf_done(&b);
  *n = text.n;
  return text.p;
}

static void program_order(t_program *p, const svc_node *line)
{
  svc_order o = { .id = program_text(p, line, "id"), .action = program_text(p, line, "action"), .resource = program_text(p, line, "resource"),
                  .resource_id = program_text(p, line, "resourceId"), .parent_id = program_text(p, line, "parentId"),
                  .group_id = program_text(p, line, "groupId"), .org_id = program_text(p, line, "orgId"), .name = program_text(p, line, "name"),
                  .traceparent = program_text(p, line, "traceparent"), .attempt = (int)svc_node_i64(line, "attempt", 0) };
  int code;
  o.desired = program_json(p, line, "desired", &o.desired_length);
  p->order = line;
  code = p->d->port.perform(p->d, p->s, &o);
  p->order = NULL;
  if (code != SVC_OK) program_done(p, p->s, o.id, code, NULL);
}

static void program_question(t_program *p, const svc_node *line)
{
  svc_question q = { .what = program_text(p, line, "what"), .resource = program_text(p, line, "resource"), .resource_id = program_text(p, line, "resourceId"),
                     .group_id = program_text(p, line, "groupId"), .org_id = program_text(p, line, "orgId"), .name = program_text(p, line, "name"),
                     .now = svc_node_i64(line, "now", 0), .most = (size_t)svc_node_i64(line, "most", 0) };
  svc_buf b = svc_buf_new(&p->document.arena, 512);
  const svc_node *value;
  svc_reply reply;
  size_t n;
  int code;
  q.parameters = program_json(p, line, "parameters", &n);
  svc_reply_begin(&reply, &p->document.arena, q.most);
  code = p->d->port.ask(p->d, p->s, &q, &reply);
  program_member(&b, "{\"reply\":{\"id\":", program_text(p, line, "id"));
  if (code == SVC_OK) {
    svc_str text = { reply.bytes ? reply.bytes : "", reply.length };
    svc_buf_text(&b, ",\"value\":");
    value = svc_json_parse(&p->document.arena, text);
    if (value) svc_node_write(&b, value);
    else svc_json_escape(&b, text); /* lines of a log */
    if (value && !program_fits_row(p, "questions", "what", line, "reply", value)) program_unfit(p, text);
  }
  svc_buf_text(&b, code == SVC_OK ? "}}" : ",\"unknown\":true}}");
  program_say(p, svc_buf_done(&b));
}

static void *program_run(void *context)
{
  t_program *p = context;
  FILE *in = fdopen(dup(p->heard[0]), "r");
  char *text = NULL;
  size_t room = 0;
  ssize_t n;
  munit_assert_not_null(in);
  while ((n = getline(&text, &room, in)) > 0 && strcmp(text, "end\n") != 0) {
    const svc_node *line, *one;
    pthread_mutex_lock(&p->lock);
    line = program_look_at(p, (svc_str){ text, (size_t)n - 1 });
    if (svc_node_get(line, "driver")) program_say(p, SVC_S("{\"driver\":1,\"secrets\":[\"user.put\"]}"));
    if ((one = svc_node_get(line, "order")) != NULL) program_order(p, one);
    if ((one = svc_node_get(line, "question")) != NULL) program_question(p, one);
    pthread_mutex_unlock(&p->lock);
  }
  free(text);
  fclose(in);
  return NULL;
}

/* --------------------------------------------------------------------------------------------------------------- waiting */

static void program_log(void *context, int level, const char *event, const char *text)
{
  t_program *p = context;
  if (strstr(text, "fence")) atomic_fetch_add(&p->passed, 1);
  else if (getenv("SVC_TEST_PROGRAM_LOG")) fprintf(stderr, "\n%d %s %s", level, event, text);
}

/* Returns true if the order is open: the t_driver accepted it and has not finished it. */
static bool program_has(const t_program *p, const char *id)
{
  int n;
  for (n = 0; n < T_ORDERS_KEPT; n++)
    if (strcmp(p->d->kept[n].id, id) == 0 && !p->d->kept[n].finished) return true;
  return false;
}

static bool program_quiet(t_program *p)
{
  const exec_order *o;
  bool quiet = true;
  pthread_mutex_lock(&p->exec->lock);
  pthread_mutex_lock(&p->lock);
  for (o = p->exec->orders; o && quiet; o = o->next) quiet = o->sent && program_has(p, o->id);
  pthread_mutex_unlock(&p->lock);
  pthread_mutex_unlock(&p->exec->lock);
  return quiet;
}

static void program_wait(t_program *p, bool (*is)(t_program *p))
{
  int64_t until = exec_now() + PROGRAM_SECONDS * 1000;
  while (!is(p)) {
    if (exec_now() > until) munit_error("the program takes too long");
    usleep(100);
  }
}

static int program_count(t_program *p)
{
  int n;
  pthread_mutex_lock(&p->lock);
  n = p->d->orders;
  pthread_mutex_unlock(&p->lock);
  return n;
}

void t_program_settle(t_program *p)
{
  int before;
  program_wait(p, program_quiet); /* the result of an order may lead to another order */
  do {
    before = program_count(p);
    munit_assert_int(svc_tick(p->s), ==, SVC_OK);
    program_wait(p, program_quiet);
  } while (program_count(p) != before);
}

static bool program_fenced(t_program *p)
{
  return atomic_load(&p->passed) == atomic_load(&p->fences);
}

void t_program_report(t_program *p, const char *resource, const char *id, const char *facts)
{
  svc_buf b;
  pthread_mutex_lock(&p->lock);
  b = svc_buf_new(&p->document.arena, 512);
  program_member(&b, "{\"report\":{\"resource\":", resource);
  program_member(&b, ",\"id\":", id);
  svc_buf_text(&b, ",\"facts\":");
  svc_buf_text(&b, facts);
  svc_buf_text(&b, "}}");
  program_say(p, svc_buf_done(&b));
  atomic_fetch_add(&p->fences, 1);
  program_say(p, SVC_S("{\"reply\":{\"id\":\"fence\",\"unknown\":true}}"));
  pthread_mutex_unlock(&p->lock);
  program_wait(p, program_fenced);
}

/* -------------------------------------------------------------------------------------------------------- opening, closing */

t_program *t_program_open(t_driver *d)
{
  t_program *p = calloc(1, sizeof *p);
  driver_exec_config config = { NULL, PROGRAM_SECONDS * 1000, program_log, p };
  munit_assert_not_null(p);
  munit_assert_int(pipe(p->heard), ==, 0);
  munit_assert_int(pipe(p->said), ==, 0);
  fcntl(p->heard[0], F_SETFD, FD_CLOEXEC); /* the program has one end of each pipe, and ends with the test, even if the test crashes */
  fcntl(p->said[1], F_SETFD, FD_CLOEXEC);
  p->d = d;
  d->done = program_done;
  d->done_context = p;
  pthread_mutex_init(&p->lock, NULL);
  snprintf(p->command, sizeof p->command, "cat </dev/fd/%d & exec cat >/dev/fd/%d", p->said[0], p->heard[1]);
  config.command = p->command;
  munit_assert_int(driver_exec_open(&p->exec, &config), ==, 0);
  return p;
}

const svc_driver *t_program_driver(const t_program *p)
{
  return driver_exec_driver(p->exec);
}

void t_program_begin(t_program *p, svc *s)
{
  p->s = s;
  t_schema_open_driver(&p->document, s);
  munit_assert_int(pthread_create(&p->thread, NULL, program_run, p), ==, 0);
  munit_assert_int(driver_exec_begin(p->exec, s), ==, 0);
}

static bool program_up(t_program *p)
{
  bool up;
  pthread_mutex_lock(&p->exec->lock);
  up = p->exec->up == EXEC_UP;
  pthread_mutex_unlock(&p->exec->lock);
  return up;
}

static bool program_down(t_program *p)
{
  return !program_up(p);
}

void t_program_meet(t_program *p)
{
  pthread_mutex_lock(&p->lock);
  pthread_mutex_unlock(&p->lock);
}

void t_program_kill(t_program *p)
{
  program_wait(p, program_up);
  munit_assert_int(kill(p->exec->pid, SIGKILL), ==, 0);
  program_wait(p, program_down);
}

void t_program_stop(t_program *p)
{
  driver_exec_stop(p->exec);
  program_write(p->heard[1], "end\n", 4);
  munit_assert_int(pthread_join(p->thread, NULL), ==, 0);
}

size_t t_program_close(t_program *p)
{
  size_t lines = p->lines;
  int i;
  driver_exec_close(p->exec);
  munit_assert_size(p->unfit, ==, 0); /* the lines were printed */
  t_schema_close(&p->document);
  for (i = 0; i < 2; i++) close(p->heard[i]), close(p->said[i]);
  pthread_mutex_destroy(&p->lock);
  free(p);
  return lines;
}

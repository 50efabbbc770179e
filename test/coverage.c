/*
** Counts the calls of each operation in the tests, and the errors among them. `./build.sh coverage` writes docs/coverage.md from
** these counts.
**
** Every request of every test goes through svc_handle_request(), which the linker replaces by a wrapper here (rules.mk). munit
** forks for each test, so the counts are in shared memory. The names of operations are constants, at the same address in each
** process.
*/
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "support.h"

#include "coverage.h"
#include "fail.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#define COVERAGE_ROOM 1024 /* more than the number of operations, and a power of two */

typedef struct coverage_row {
  _Atomic(const char *) operation;
  atomic_long good, refused;
} coverage_row;

static coverage_row *coverage_rows; /* NULL: coverage is not counted */

int __real_svc_handle_request(svc *s, const svc_request *request, svc_response *response);
int __wrap_svc_handle_request(svc *s, const svc_request *request, svc_response *response);

static coverage_row *coverage_of(const char *operation)
{
  size_t i = ((size_t)operation >> 3) & (COVERAGE_ROOM - 1), tries;
  for (tries = 0; tries < COVERAGE_ROOM; tries++, i = (i + 1) & (COVERAGE_ROOM - 1)) {
    const char *there = NULL;
    if (atomic_compare_exchange_strong(&coverage_rows[i].operation, &there, operation) || there == operation) return &coverage_rows[i];
  }
  return NULL;
}

/* Whether this thread's request has asked the driver. */
static _Thread_local bool coverage_asked;

bool __real_svc_ask(svc_call *c, svc_question *question, svc_reply *reply);
bool __wrap_svc_ask(svc_call *c, svc_question *question, svc_reply *reply);

bool __wrap_svc_ask(svc_call *c, svc_question *question, svc_reply *reply)
{
  coverage_asked = true;
  return __real_svc_ask(c, question, reply);
}

/* Every request that asks the driver says so beforehand, whatever operation it is: otherwise a tenant's data plane could hold a thread
** that writes or signs in. */
int __wrap_svc_handle_request(svc *s, const svc_request *request, svc_response *response)
{
  coverage_row *row;
  int rc;
  t_fail_request(s, request);
  coverage_asked = false;
  rc = __real_svc_handle_request(s, request, response);
  if (coverage_asked && rc == SVC_OK && response->status < 300 && svc_request_needs(s, request) != SVC_NEEDS_DRIVER)
    munit_errorf("%s asks the driver, and svc_request_needs() does not say so", response->operation);
  row = coverage_rows && rc == SVC_OK && response->operation ? coverage_of(response->operation) : NULL;
  if (row) atomic_fetch_add(response->status < 400 ? &row->good : &row->refused, 1);
  return rc;
}

void coverage_begin(void)
{
  void *p;
  if (!getenv("SVC_TEST_TOUCHED")) return;
  p = mmap(NULL, COVERAGE_ROOM * sizeof *coverage_rows, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p != MAP_FAILED) coverage_rows = p;
}

void coverage_end(void)
{
  FILE *f = coverage_rows ? fopen(getenv("SVC_TEST_TOUCHED"), "w") : NULL;
  size_t i;
  if (!f) return;
  for (i = 0; i < COVERAGE_ROOM; i++)
    if (coverage_rows[i].operation)
      fprintf(f, "%s %ld %ld\n", coverage_rows[i].operation, (long)coverage_rows[i].good, (long)coverage_rows[i].refused);
  fclose(f);
}

int coverage_operations(void)
{
  static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
  t_service t;
  size_t i;
  unsigned k, version;
  int role;
  t_open(&t, NULL);
  for (i = 0; i < t.s->plan_count; i++) {
    const svc_route *r = t.s->plans[i].route;
    const char *name, *between = "";
    if (r->flags & SVC_ABSOLUTE) continue;
    printf("%s\t%s\t%s\t%s\t", r->op, methods[r->method], r->path, t.s->sets[r->set].name);
    for (role = 0; (name = svc_role_name(role)) != NULL; role++)
      if (r->roles >> role & 1) printf("%s%s", between, name), between = " ";
    for (k = 0, between = "\t"; (version = svc_route_version(r, k)) != 0; k++, between = " ")
      printf("%s%04u-%02u-%02u", between, version / 10000, version / 100 % 100, version % 100);
    putchar('\n');
  }
  t_close(&t);
  return 0;
}

/* ---- fields that bodies may set and no answer shows */

#define COVERAGE_DEPTH 6 /* nested objects, because some contain themselves */

/* Returns true if the object, or one inside it, has a visible field of this name. */
static bool coverage_shows(const svc_object *object, const char *name, int depth)
{
  const svc_variant *v = object && svc_object_ext_of(object)->choice ? svc_object_ext_of(object)->choice->variants : NULL;
  const svc_object *base;
  unsigned i;
  if (!object || depth == COVERAGE_DEPTH) return false;
  for (; v && v->value; v++)
    if (coverage_shows(v->object, name, depth + 1)) return true;
  for (base = object; base && !svc_object_ext_of(object)->choice; base = base->base)
    for (i = 0; i < base->count; i++) {
      const svc_field *f = &base->fields[i];
      if (f->flags & SVC_WRITE_ONLY) continue;
      if (strcmp(f->name, name) == 0 || (svc_field_object(f) && coverage_shows(svc_field_object(f), name, depth + 1))) return true;
    }
  return false;
}

/* Returns true if an answer of the noun shows the field. */
static bool coverage_shown(const t_service *t, const svc_plan *plan, const char *name)
{
  size_t i;
  if (coverage_shows(plan->noun->noun->object, name, 0)) return true;
  for (i = 0; i < t->s->plan_count; i++)
    if (t->s->plans[i].noun == plan->noun && coverage_shows(t->s->plans[i].route->answer, name, 0)) return true;
  return false;
}

static void coverage_fields(const t_service *t, const svc_plan *plan, const svc_object *object, int depth)
{
  const svc_variant *v = svc_object_ext_of(object)->choice ? svc_object_ext_of(object)->choice->variants : NULL;
  const svc_object *base;
  unsigned i;
  if (depth == COVERAGE_DEPTH) return;
  for (; v && v->value; v++) coverage_fields(t, plan, v->object, depth + 1);
  for (base = object; base && !svc_object_ext_of(object)->choice; base = base->base)
    for (i = 0; i < base->count; i++) {
      const svc_field *f = &base->fields[i];
      if (f->flags & (SVC_READ_ONLY | SVC_SEALED)) continue; /* sealed fields are stored for the driver */
      if (f->flags & SVC_WRITE_ONLY || !coverage_shown(t, plan, f->name)) printf("%s %s\n", plan->route->op, f->name);
      if (svc_field_object(f)) coverage_fields(t, plan, svc_field_object(f), depth + 1);
    }
}

int coverage_unshown(void)
{
  t_service t;
  size_t i;
  t_open(&t, NULL);
  for (i = 0; i < t.s->plan_count; i++) {
    const svc_plan *plan = &t.s->plans[i];
    const svc_object *body = plan->route->body ? plan->route->body : plan->noun->noun->object;
    bool takes = plan->route->body || plan->route->method == SVC_POST || plan->route->method == SVC_PUT || plan->route->method == SVC_PATCH;
    if (takes && body && !(plan->route->flags & (SVC_ABSOLUTE | SVC_NO_BODY))) coverage_fields(&t, plan, body, 0);
  }
  t_close(&t);
  return 0;
}

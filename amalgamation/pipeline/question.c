/*
** Questions to the driver: how many at a time, for whom, and which resource is left alone for a while.
**
** A driver waits for a tenant's own database, and a lock there lasts as long as the tenant likes. So a question
** takes one of svc_config.max_questions places, and the callers of one organization have at most a quarter of them.
** A question without a place is refused at once: 503 with Retry-After. After a question about a resource has failed
** late, which means that its data plane hangs, further questions about it are refused for QUESTION_REST, so
** that they do not hold places of the same organization, nor threads of the host.
**
** The rule: nothing here waits. The simulator answers from memory, so its questions need no place.
*/
#include "pipeline/pipeline.h"

#define QUESTION_REPLY ((size_t)16 << 20) /* maximum bytes of a driver's reply */
#define QUESTION_SHARE 4                  /* an organization has this part of the places */
#define QUESTION_LATE INT64_C(250000000)  /* nanoseconds: a failure after this time is a timeout, not an answer */
#define QUESTION_REST INT64_C(5000000000) /* nanoseconds without questions about a resource that timed out */
#define QUESTION_RESTS 64                 /* resources that rest at a time; a further one replaces the oldest */
#define QUESTION_ABOUT 32                 /* bytes of a resource's id, with its NUL */

typedef struct question_place {
  svc_id owner; /* the organization, or the person if the question belongs to none */
  bool taken;
} question_place;

typedef struct question_rest {
  char about[QUESTION_ABOUT];
  int64_t until; /* by svc_config.monotonic; 0: the row is free */
} question_rest;

struct svc_questions {
  svc_mutex lock;
  question_place *places;
  size_t taken;
  question_rest rests[QUESTION_RESTS];
  atomic_ulong refused;
  atomic_uint said; /* limit for the log */
};

SVC_PRIVATE int svc_questions_open(svc *s)
{
  svc_questions *q;
  if (!s->config.driver || !s->config.driver->ask) return SVC_OK;
  q = svc_arena_zero(&s->memory, sizeof *q);
  if (!q) return SVC_NOMEM;
  q->places = svc_arena_zero(&s->memory, s->config.max_questions * sizeof *q->places);
  if (!q->places) return SVC_NOMEM;
  if (!svc_mutex_init(&q->lock)) return SVC_NOMEM;
  s->questions = q;
  return SVC_OK;
}

SVC_PRIVATE void svc_questions_close(svc *s)
{
  if (s->questions) svc_mutex_destroy(&s->questions->lock);
}

SVC_PRIVATE size_t svc_questions_taken(svc *s, uint64_t *refused)
{
  svc_questions *q = s->questions;
  size_t n;
  *refused = 0;
  if (!q) return 0;
  svc_mutex_lock(&q->lock);
  n = q->taken;
  svc_mutex_unlock(&q->lock);
  *refused = atomic_load_explicit(&q->refused, memory_order_relaxed);
  return n;
}

/* Nanoseconds; 0: the host gives no such clock, and no resource rests. */
static int64_t question_now(const svc *s)
{
  return s->config.monotonic ? s->config.monotonic(s->config.monotonic_context) : 0;
}

/* The lock is held. Returns the remaining rest of a resource, in nanoseconds; 0: it does not rest. */
static int64_t question_rests(svc_questions *q, const char *about, int64_t now)
{
  size_t i;
  for (i = 0; i < QUESTION_RESTS; i++) {
    question_rest *r = &q->rests[i];
    if (r->until && r->until <= now) r->until = 0;
    if (r->until && strcmp(r->about, about) == 0) return r->until - now;
  }
  return 0;
}

/* The lock is held. Begins the rest of a resource, or makes it longer. */
static void question_rest_begin(svc_questions *q, const char *about, int64_t now)
{
  question_rest *row = &q->rests[0];
  size_t i;
  for (i = 0; i < QUESTION_RESTS; i++) {
    question_rest *r = &q->rests[i];
    if (r->until && strcmp(r->about, about) == 0) {
      row = r;
      break;
    }
    if (r->until < row->until) row = r;
  }
  snprintf(row->about, sizeof row->about, "%s", about);
  row->until = now + QUESTION_REST;
}

/* The organization that a question is about pays for it, or else the organization of the caller, or the caller. */
static svc_id question_owner(const svc_call *c, const svc_question *question)
{
  svc_id owner;
  if (question->org_id && svc_id_parse(svc_str_c(question->org_id), &owner)) return owner;
  return svc_id_is_zero(&c->who.org) ? c->who.id : c->who.org;
}

/* The lock is held. Returns a free place within the share of this owner, or NULL. */
static question_place *question_place_of(const svc *s, const svc_id *owner)
{
  svc_questions *q = s->questions;
  const size_t all = s->config.max_questions, share = (all + QUESTION_SHARE - 1) / QUESTION_SHARE;
  question_place *free_place = NULL;
  size_t i, own = 0;
  for (i = 0; i < all; i++) {
    question_place *p = &q->places[i];
    if (p->taken && svc_id_eq(&p->owner, owner)) own++;
    if (!p->taken && !free_place) free_place = p;
  }
  return own < share ? free_place : NULL;
}

/* Takes a place. NULL: the question is refused. */
static question_place *question_begin(svc_call *c, const svc_question *question, int64_t now)
{
  svc_questions *q = c->s->questions;
  const svc_id owner = question_owner(c, question);
  question_place *place = NULL;
  int64_t rest;
  svc_mutex_lock(&q->lock);
  rest = now ? question_rests(q, question->resource_id, now) : 0;
  if (!rest) place = question_place_of(c->s, &owner);
  if (place) {
    *place = (question_place){ owner, true };
    q->taken++;
  }
  svc_mutex_unlock(&q->lock);
  if (place) return place;
  atomic_fetch_add_explicit(&q->refused, 1, memory_order_relaxed);
  if (svc_may_say(c->s, &q->said, c->now, "question refused"))
    svc_log(c->s, SVC_LOG_WARNING, "driver.refused", rest ? "\"%s\" about %s is not asked: the driver did not answer about it a moment ago" :
            "\"%s\" about %s is not asked: too many questions to the driver are open", question->what, question->resource_id);
  (void)svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  c->error.retry_after = rest / 1000000000 + 1;
  return NULL;
}

/* Leaves the place. A question that has failed late makes its resource rest. */
static void question_end(svc_call *c, const svc_question *question, question_place *place, int64_t since, int status)
{
  svc_questions *q = c->s->questions;
  const int64_t now = since ? question_now(c->s) : 0;
  const bool late = status != SVC_OK && status != SVC_NOT_FOUND && since && now - since >= QUESTION_LATE;
  svc_mutex_lock(&q->lock);
  place->taken = false;
  q->taken--;
  if (late) question_rest_begin(q, question->resource_id, now);
  svc_mutex_unlock(&q->lock);
}

/* Asks, with a place if the driver is the host's. False: the question is refused. */
static bool question_put(svc_call *c, svc_question *question, svc_reply *reply, int *status)
{
  const svc_driver *driver = c->s->config.driver ? c->s->config.driver : svc_simulator();
  question_place *place = NULL;
  int64_t since, waits;
  *status = SVC_NOT_FOUND;
  if (!driver->ask) return true;
  since = c->s->questions ? question_now(c->s) : 0;
  if (c->s->questions && !(place = question_begin(c, question, since))) return false;
  waits = svc_wait_begin(c);
  *status = driver->ask(driver->context, c->s, question, reply);
  svc_wait_end(c, SVC_WAIT_DRIVER, waits);
  if (place) question_end(c, question, place, since, *status);
  return true;
}

SVC_PRIVATE bool svc_ask(svc_call *c, svc_question *question, svc_reply *reply)
{
  int status;
  question->now = c->now;
  question->most = QUESTION_REPLY;
  svc_reply_begin(reply, c->arena, question->most);
  if (!question_put(c, question, reply, &status)) return false;
  if (status == SVC_OK) return true;
  if (status == SVC_NOT_FOUND) { /* the driver does not know: an empty reply, which means an empty series or list */
    svc_reply_begin(reply, c->arena, question->most);
    return true;
  }
  svc_log(c->s, SVC_LOG_WARNING, "driver.no_answer", "the driver did not answer %s: %s", question->what, svc_strerror(status));
  return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
}

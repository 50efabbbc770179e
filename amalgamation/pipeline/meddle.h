/*
** Hooks for test control: it can change the steps of states and the results of reads. The pipeline may not call control/, which is the
** layer above; so control/ gives the handle these functions, and a bit of svc.watch says that they are active. Without that bit, a step
** costs one look at the word.
*/
#ifndef SVC_MEDDLE_H
#define SVC_MEDDLE_H

#include "pipeline/pipeline.h"

/* A step about to be taken: out of this state, by completing this order. */
typedef struct svc_step {
  const svc_noun *noun;
  const svc_entity *entity;
  svc_str state;
  const char *action; /* NULL: not an order for a driver */
  bool done; /* the driver has reported it done: only a part of its facts can still be withheld */
} svc_step;

enum svc_verdict_word { SVC_STEP_TAKEN, SVC_STEP_FAILS, SVC_STEP_WAITS, SVC_STEP_PARTLY };
typedef struct svc_verdict {
  int word;
  int64_t until;  /* for SVC_STEP_WAITS: time of the next call */
  svc_str reason; /* in the arena */
} svc_verdict;

struct svc_meddler {
  /* May run again for the same step and must then return the same verdict. */
  svc_verdict (*step)(svc_call *c, const svc_step *step);
  /* An entity is about to be stored, or deleted (e NULL). */
  void (*changes)(svc_call *c, const svc_entity *e, const svc_entity *old);
  /* The transaction that answers a GET: c->txn, or one that shows an earlier state. NULL: out of memory. */
  svc_txn *(*reads)(svc_call *c);
  /* Time at which the new state of a change begins; 0: now. */
  int64_t (*later)(svc_call *c, const svc_noun *noun, const svc_entity *e, const char *state);
  const char *(*begins)(svc_call *c, const svc_entity *e); /* the postponed state that begins now; NULL: none */
};

static inline bool svc_meddles(const svc *s, unsigned what)
{
  return (atomic_load_explicit(&s->watch, memory_order_relaxed) & what) != 0;
}

/* An entity whose state waits because of a verdict. */
typedef struct svc_held_step {
  char kind[SVC_KIND_SIZE];
  svc_id parent, id;
  int64_t until;
} svc_held_step;

/* meddle.c */
SVC_PRIVATE void svc_lag_note(svc_call *c, const svc_entity *e, const svc_entity *old); /* old NULL: it is new; e NULL: it is deleted */
/* Time at which the new state of a change begins (0: now), and the postponed state that begins now (NULL: none). */
SVC_PRIVATE int64_t svc_state_later(svc_call *c, const svc_change *change, const svc_entity *e);
SVC_PRIVATE const char *svc_state_begins(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_lag_begin(svc_call *c); /* call before a GET is answered */
SVC_PRIVATE svc_verdict svc_step_ask(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_str state, const char *action, bool done);
/* Applies the verdict. *taken: the step must not be taken any more. False: failed. */
SVC_PRIVATE bool svc_step_meddled(svc_call *c, svc_change *change, const char *action, const svc_node *facts, bool *taken);
SVC_PRIVATE bool svc_step_partly(svc_call *c, svc_change *change, const char *action, const svc_node *facts);
SVC_PRIVATE svc_node *svc_step_failure(svc_call *c, const svc_verdict *verdict); /* as facts of a driver; NULL: out of memory */
SVC_PRIVATE int svc_steps_release(svc *s, const svc_held_step *held, size_t n, int64_t now); /* continue them from now on */

#endif /* SVC_MEDDLE_H */

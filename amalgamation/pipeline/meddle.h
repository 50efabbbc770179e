/*
** Where test control meddles with the work of a handle: with the steps that states take, and with what reads show. The pipeline may not
** call control/, which stands above it; so control/ gives the handle these functions, and a bit of svc.watch says that they have something
** to say. Without that bit, a step costs one look at the word.
*/
#ifndef SVC_MEDDLE_H
#define SVC_MEDDLE_H

#include "pipeline/pipeline.h"

/* A step that is about to be taken: out of this state, by what this order brings about. */
typedef struct svc_step {
  const svc_noun *noun;
  const svc_entity *entity;
  svc_str state;
  const char *action; /* NULL: it is no work of a driver's */
  bool done; /* a driver says that it is done: only a part of its facts can be withheld any more */
} svc_step;

enum svc_verdict_word { SVC_STEP_TAKEN, SVC_STEP_FAILS, SVC_STEP_WAITS, SVC_STEP_PARTLY };
typedef struct svc_verdict {
  int word;
  int64_t until;  /* of SVC_STEP_WAITS: then it is asked again */
  svc_str reason; /* the arena's */
} svc_verdict;

struct svc_meddler {
  /* May run again for the same step: then the verdict is the same. */
  svc_verdict (*step)(svc_call *c, const svc_step *step);
  /* An entity is about to be stored, or is about to go: e NULL. */
  void (*changes)(svc_call *c, const svc_entity *e, const svc_entity *old);
  /* The transaction in which a GET is answered: c->txn, or one that shows what was there before. NULL: no memory. */
  svc_txn *(*reads)(svc_call *c);
  /* A change leads into another state: when that begins; 0: now. */
  int64_t (*later)(svc_call *c, const svc_noun *noun, const svc_entity *e, const char *state);
  const char *(*begins)(svc_call *c, const svc_entity *e); /* the state that was to begin now; NULL: none was */
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
SVC_PRIVATE void svc_lag_note(svc_call *c, const svc_entity *e, const svc_entity *old); /* old NULL: it is new; e NULL: it goes */
/* When a state begins that a change leads to; 0: now. And the state that begins now, because it was put off; NULL: none. */
SVC_PRIVATE int64_t svc_state_later(svc_call *c, const svc_change *change, const svc_entity *e);
SVC_PRIVATE const char *svc_state_begins(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_lag_begin(svc_call *c); /* a GET is about to be answered */
SVC_PRIVATE svc_verdict svc_step_ask(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_str state, const char *action, bool done);
/* Does what the verdict says. *taken: the step is not to be taken any more. False: failed. */
SVC_PRIVATE bool svc_step_meddled(svc_call *c, svc_change *change, const char *action, const svc_node *facts, bool *taken);
SVC_PRIVATE bool svc_step_partly(svc_call *c, svc_change *change, const char *action, const svc_node *facts);
SVC_PRIVATE svc_node *svc_step_failure(svc_call *c, const svc_verdict *verdict); /* as a driver says it; NULL: no memory */
SVC_PRIVATE int svc_steps_release(svc *s, const svc_held_step *held, size_t n, int64_t now); /* they go on from now */

#endif /* SVC_MEDDLE_H */

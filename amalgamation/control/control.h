/*
** control: what tests do to a handle. It stands above the catalog and uses the pipeline; nothing below knows of it, but for two words in
** the handle (svc.control, svc.watch). open.c, api.c and host.c call it; it calls none of them.
**
**      control.c    opening and closing
**      clock.c      a clock that stands until it is moved
**      seed.c       random bytes that are the same on every run
**      whole.c      the whole store in memory, and back
**      faults.c     rules by which requests fail
**      journal.c    the last requests, with their secrets blanked
**      blank.c      what is secret in a request, and in an answer
**      serve.c      the same over HTTP, for svc_control_request() in host.c
*/
#ifndef SVC_CONTROL_H
#define SVC_CONTROL_H

#include "pipeline/pipeline.h"

#define SVC_FAULTS 64    /* rules */
#define SVC_SNAPSHOTS 16 /* that are kept by name */
#define SVC_SNAPSHOT_NAME 64

typedef struct svc_kept_snapshot {
  char name[SVC_SNAPSHOT_NAME + 1]; /* "": the place is free */
  int64_t taken;
  svc_snapshot *snapshot;
} svc_kept_snapshot;

typedef struct svc_journal svc_journal;

struct svc_control {
  svc_mutex lock; /* of all that follows, but for what is said otherwise */
  int64_t now;    /* of the manual clock */
  uint64_t random, chance; /* where the generators stand: that of svc_config.seed, and that of the faults */
  svc_fault faults[SVC_FAULTS];
  const svc_plan *of[SVC_FAULTS]; /* for which operation each is; NULL: every one */
  size_t fault_count;
  int last_id;
  svc_journal *journal; /* it has a lock of its own */
  atomic_bool moving;   /* somebody moves the clock */
  svc_mutex keeping;    /* of these: held while one is taken or restored, which the other lock must not be */
  svc_kept_snapshot kept[SVC_SNAPSHOTS];
  svc_snapshot *first; /* what a reset goes back to */
};

/* An expression that needs test control, and the one that stands for it in a build without. */
#ifdef SVC_OMIT_TEST_CONTROL
#define SVC_CONTROL(with, without) (without)
#else
#define SVC_CONTROL(with, without) (with)

/* control.c */
SVC_PRIVATE int svc_control_open(svc *s);    /* before clock and random source are used */
SVC_PRIVATE int svc_control_opened(svc *s);  /* when the store is open */
SVC_PRIVATE void svc_control_close(svc *s);

/* clock.c */
#define SVC_CLOCK_LAST INT64_C(253402300799000) /* 9999-12-31T23:59:59Z */
SVC_PRIVATE int64_t svc_manual_clock(void *control); /* svc_config.clock */
SVC_PRIVATE void svc_clock_put(svc *s, int64_t now); /* wherever that is: nothing is done about it */

/* seed.c */
SVC_PRIVATE uint64_t svc_seed_next(uint64_t *state);
SVC_PRIVATE int svc_seeded_random(void *control, void *buffer, size_t size); /* svc_config.random */

/* whole.c */
typedef struct svc_snapshot_size {
  size_t bytes, records;
} svc_snapshot_size;
SVC_PRIVATE svc_snapshot_size svc_snapshot_measure(const svc_snapshot *snapshot);

/* faults.c: a stage, where there are rules: after the caller is known. */
SVC_PRIVATE bool svc_stage_fault(svc_call *c);
#define SVC_FAULT_WHY 192
SVC_PRIVATE int svc_fault_put(svc *s, svc_fault *f, char why[SVC_FAULT_WHY]); /* svc_fault_add(), which logs why; *f is then the rule as it holds */

/* journal.c */
SVC_PRIVATE int svc_journal_open(svc *s);
SVC_PRIVATE void svc_journal_close(svc *s);
SVC_PRIVATE void svc_journal_note(svc_call *c, const svc_response *response);
SVC_PRIVATE svc_str svc_journal_text(svc *s, svc_arena *a, size_t limit); /* as a JSON array */

/* blank.c: each writes JSON with the secrets out of it. */
SVC_PRIVATE void svc_blank_text(svc_buf *b, svc_str text); /* any bytes at all, which are no secret */
SVC_PRIVATE void svc_blank_target(svc_buf *b, const svc_call *c);
SVC_PRIVATE void svc_blank_headers(svc_buf *b, const svc_header *headers, size_t count, bool answer);
SVC_PRIVATE void svc_blank_request(svc_buf *b, svc_call *c);
SVC_PRIVATE void svc_blank_answer(svc_buf *b, svc_call *c, const svc_response *response);

/* serve.c: a request for a path of test control. */
SVC_PRIVATE bool svc_control_takes(const char *token, const svc_request *request); /* false: the request is for the API, or malformed */
SVC_PRIVATE int svc_control_answer(svc *s, const char *token, const svc_request *request, svc_response *response);

#endif /* SVC_OMIT_TEST_CONTROL */
#endif /* SVC_CONTROL_H */

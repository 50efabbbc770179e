/*
** control: test control. The layer is above the catalog and uses the pipeline; nothing below calls it.
** The layers below know the members control, watch, meddler and at_once of the handle, and pipeline/meddle.h. open.c, api.c, host.c and
** flat.c call test control, and it calls none of them.
**
**      control.c    opening and closing
**      clock.c      a clock that stands until it is moved, or runs at its own rate
**      upcoming.c   the next due steps
**      seed.c       random bytes that are the same on every run
**      whole.c      snapshots of the whole store in memory
**      whole_file.c a snapshot as a file
**      faults.c     rules that make requests fail
**      failures.c   rules that make other things fail: how often they strike, and what they have struck
**      fault_steps.c  orders that fail, stall, are slow or done in part; states that never end, or begin later
**      fault_hosts.c  hosts that go down
**      fault_lag.c  reads that lag behind writes
**      fault_text.c rules of every kind as JSON
**      journal.c    the last requests, with their secrets blanked
**      har.c        the journal as an HTTP archive
**      blank.c      secrets in requests and answers
**      blank_copy.c the usual answer without its secrets, in one pass
**      door.c       access from other machines than loopback
**      serve.c      test control over HTTP, for svc_control_request() in host.c
**      serve_store.c  its routes for worlds and the bytes of snapshots
**      serve_token.c  its route for access tokens
**      world.c      loads a world: world_parts.h lists the parts
*/
#ifndef SVC_CONTROL_H
#define SVC_CONTROL_H

#include "pipeline/meddle.h"

#define SVC_FAULTS 64    /* rules */
#define SVC_SNAPSHOTS 16 /* kept by name */
#define SVC_SNAPSHOT_NAME 64

typedef struct svc_kept_snapshot {
  char name[SVC_SNAPSHOT_NAME + 1]; /* "": the place is free */
  int64_t taken;
  svc_snapshot *snapshot;
} svc_kept_snapshot;

typedef struct svc_journal svc_journal;

enum svc_failure_kind { SVC_FAILURE_STEP, SVC_FAILURE_STATE, SVC_FAILURE_LATER, SVC_FAILURE_HOST, SVC_FAILURE_LAG, SVC_FAILURE_KINDS };
enum svc_outcome { SVC_OUTCOME_FAIL, SVC_OUTCOME_STALL, SVC_OUTCOME_SLOW, SVC_OUTCOME_PARTIAL };
enum svc_host_phase { SVC_HOST_WAITS, SVC_HOST_DOWN };

/* A rule that makes something other than a request fail. */
typedef struct svc_failure {
  int id, kind;
  int64_t count, struck;
  int64_t chance;     /* in millionths */
  uint64_t generator; /* random state of the rule */
  int64_t seed;
  bool seeded;
  int outcome;
  int64_t ms;         /* for slow and later; for hosts: how long one is down, 0: until the rule is removed */
  int64_t reads;      /* for lag, instead of ms */
  char what[256];     /* the order, the resource's noun, or the host */
  char state[65], name[129], reason[257];
  int64_t at, every;  /* for hosts: time of the next change, and the interval of repetition; 0: none */
  int64_t first, last_down; /* for hosts: time at which it first goes down, and at which it last went down */
  bool over;          /* for hosts: no further change */
  int phase;          /* enum svc_host_phase */
  int index;          /* for hosts: negative means by `what` */
  char project[25];   /* "": any */
} svc_failure;

/* The verdict of a rule on a step. The work may run again, and must get the same verdict. */
typedef struct svc_strike {
  int rule; /* id; 0: none */
  svc_held_step of; /* until: time of the next question; 0: none */
  int64_t when;
  bool struck;
  const char *begins; /* for SVC_FAILURE_LATER: the state that begins then */
} svc_strike;

typedef struct svc_lag svc_lag;

#define SVC_FAILURES 64
#define SVC_STRIKES 512 /* remembered strikes; more than the steps of a batch that may run again */
typedef struct svc_failures {
  svc_failure rules[SVC_FAILURES];
  size_t count;
  svc_strike strikes[SVC_STRIKES];
  unsigned next; /* the strike to forget next */
} svc_failures;

struct svc_control {
  svc_mutex lock; /* protects the following, unless stated otherwise */
  int64_t now;    /* of the manual clock; of a running one, at `since` */
  int64_t rate, since; /* rate 0: the clock stands; since: nanoseconds of svc_config.monotonic, or of the system's clock */
  bool held;      /* stopped while a call moves it */
  uint64_t random, chance; /* states of the generators: of svc_config.seed, and of the faults */
  svc_fault faults[SVC_FAULTS];
  const svc_plan *of[SVC_FAULTS]; /* the operation of each rule; NULL: every one */
  size_t fault_count;
  int last_id;
  svc_failures *failures; /* NULL: no rule so far */
  svc_lag *lag;           /* NULL: no lag so far */
  svc_journal *journal; /* has its own lock */
  atomic_bool moving;   /* a call is moving the clock */
  svc_mutex keeping;    /* protects snapshots while one is taken or restored, during which `lock` must not be held */
  svc_kept_snapshot kept[SVC_SNAPSHOTS];
  svc_snapshot *first; /* the state that a reset restores, */
  int64_t first_rate;  /* and the rate of the clock then */
};

/* An expression that needs test control, and its replacement in a build without. */
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
#define SVC_CLOCK_FASTEST 1000000
SVC_PRIVATE int64_t svc_manual_clock(void *handle); /* svc_config.clock */
SVC_PRIVATE int64_t svc_clock_rate_now(svc *s); /* 1: not a manual clock */
SVC_PRIVATE int svc_clock_jump(svc *s, int64_t *steps); /* svc_clock_next(), with the number of steps */
SVC_PRIVATE void svc_clock_put(svc *s, int64_t now); /* to any time, without applying due steps */

/* upcoming.c */
SVC_PRIVATE int svc_upcoming_next(svc *s, int64_t now, int64_t *next); /* time of the next due step; INT64_MAX: none */
SVC_PRIVATE int svc_upcoming_text(svc *s, svc_arena *a, size_t limit, svc_str *out); /* as a JSON array */

/* seed.c */
SVC_PRIVATE uint64_t svc_seed_next(uint64_t *state);
SVC_PRIVATE int svc_seeded_random(void *control, void *buffer, size_t size); /* svc_config.random */

/* whole.c */
typedef struct svc_snapshot_size {
  size_t bytes, records;
} svc_snapshot_size;
SVC_PRIVATE svc_snapshot_size svc_snapshot_measure(const svc_snapshot *snapshot);

/* whole_file.c: svc_snapshot_save() and svc_snapshot_load(), the latter with the reason of a failure; "": the code says all. */
#define SVC_SNAPSHOT_WHY 160
SVC_PRIVATE svc_str svc_snapshot_bytes(svc_arena *a, const svc_snapshot *k);
SVC_PRIVATE int svc_snapshot_read(svc *s, svc_str bytes, svc_snapshot **out, char why[SVC_SNAPSHOT_WHY]);

/* world.c: *body is the report, or the error document, in the arena. Returns the same as svc_world_apply(). */
SVC_PRIVATE int svc_world_run(svc *s, svc_arena *arena, svc_str text, int *status, svc_str *body);
SVC_PRIVATE int svc_world_text(svc *s, svc_arena *arena, svc_str *out); /* world_write.c: svc_world_write() */

/* faults.c: the stage after caller.c; it runs only if there are rules. */
SVC_PRIVATE bool svc_stage_fault(svc_call *c);
#define SVC_FAULT_WHY 192
/* svc_fault_add() with the reason; *f becomes the effective rule */
SVC_PRIVATE int svc_fault_put(svc *s, svc_fault *f, char why[SVC_FAULT_WHY]);

/* failures.c: functions that take a handle lock by themselves, except svc_failure_note() and svc_failures_close(), which need no lock. For
** the others the caller holds the lock. */
SVC_PRIVATE int svc_failure_put(svc *s, svc_failure *f); /* *f becomes the effective rule */
SVC_PRIVATE int svc_failure_remove(svc *s, int id); /* 0: all. SVC_INVALID: unknown id */
SVC_PRIVATE size_t svc_failure_list(svc *s, svc_failure *out); /* room for SVC_FAILURES */
SVC_PRIVATE void svc_failures_back(svc *s); /* call after a snapshot was restored */
SVC_PRIVATE void svc_failures_close(svc *s);
SVC_PRIVATE int svc_next_fault_id(svc_control *k);
SVC_PRIVATE bool svc_failure_spent(const svc_failure *f);
SVC_PRIVATE bool svc_failure_strikes(svc_failure *f); /* decides by count and chance, and counts a strike */
SVC_PRIVATE void svc_failure_note(svc *s, const svc_failure *f, svc_str about, int64_t now); /* writes to the journal */

/* fault_text.c */
typedef struct svc_failure_row {
  const char *member; /* the member of the JSON form that only this kind has */
  const svc_object *object;
  bool (*read)(svc_call *c, svc_failure *f, char why[]); /* reads c->checked; false: why has the reason */
  void (*write)(svc_buf *b, const svc_failure *f);       /* its own members, each followed by a comma */
  unsigned watch;
} svc_failure_row;
SVC_PRIVATE const svc_failure_row *svc_failure_row_of(int kind);
SVC_PRIVATE const svc_object *svc_fault_object(const svc_node *body); /* the object to check such a rule against */
/* adds the rule in c->checked, and writes the effective rule */
SVC_PRIVATE int svc_fault_take(svc_call *c, svc_buf *b, int *id, char why[]);
SVC_PRIVATE bool svc_faults_write(svc_call *c, svc_buf *b);

/* fault_steps.c, fault_hosts.c, fault_lag.c */
SVC_DECLARE(const svc_failure_row svc_failure_step_row)
SVC_DECLARE(const svc_failure_row svc_failure_state_row)
SVC_DECLARE(const svc_failure_row svc_failure_later_row)
SVC_DECLARE(const svc_failure_row svc_failure_host_row)
SVC_DECLARE(const svc_failure_row svc_failure_lag_row)
SVC_PRIVATE const svc_meddler *svc_control_meddler(void);
/* The strike of a rule on an entity, NULL: none; and a new one. */
SVC_PRIVATE svc_strike *svc_strike_find(svc_failures *all, int rule, const svc_id *id);
SVC_PRIVATE svc_strike *svc_strike_new(svc_failures *all, const svc_failure *f, const svc_entity *e, int64_t now);
SVC_PRIVATE void svc_lag_changes(svc_call *c, const svc_entity *e, const svc_entity *old);
SVC_PRIVATE svc_txn *svc_lag_reads(svc_call *c);
SVC_PRIVATE void svc_lag_clear(svc *s); /* ends all lag; the lock is held */
SVC_PRIVATE void svc_lag_close(svc *s);
/* Returns the number of steps that a rule stalls (0: that any rule stalls). out: room for SVC_STRIKES; NULL: only the number is wanted. */
SVC_PRIVATE size_t svc_steps_held(const svc_failures *all, int rule, svc_held_step *out, int64_t now);

#define SVC_FAULT_TEXT(b, name, value) (svc_buf_text(b, name), svc_json_escape(b, svc_str_c(value)))
SVC_PRIVATE bool svc_fault_wrong(char why[], const char *what, svc_str value); /* returns false; why: both texts, the value shortened */
SVC_PRIVATE void svc_fault_hosts_fire(svc *s, int64_t now);   /* applies everything that is due by then, in order */
typedef struct svc_host_turn { /* the next change of a host */
  int64_t when;
  bool down;
  char name[256];
} svc_host_turn;
SVC_PRIVATE size_t svc_fault_hosts_turns(svc *s, svc_host_turn out[SVC_FAILURES]);
SVC_PRIVATE int64_t svc_fault_hosts_next(svc *s);             /* INT64_MAX: none */
/* A rule for a host that is down is removed: the host comes up. False: failed. */
SVC_PRIVATE bool svc_fault_hosts_up(svc *s, const svc_failure *f, int64_t now);
SVC_PRIVATE void svc_fault_hosts_back(svc_failure *f, int64_t now); /* the clock was set back */

/* journal.c */
SVC_PRIVATE void svc_journal_add(svc *s, svc_str entry); /* adds an entry, a JSON object */
SVC_PRIVATE int svc_journal_open(svc *s);
SVC_PRIVATE void svc_journal_close(svc *s);
SVC_PRIVATE void svc_journal_note(svc_call *c, const svc_response *response);
SVC_PRIVATE svc_str svc_journal_text(svc *s, svc_arena *a, size_t limit); /* as a JSON array */

/* its entries, each a JSON object; returns their number */
SVC_PRIVATE size_t svc_journal_copy(svc *s, svc_arena *a, size_t limit, svc_str **out);

SVC_PRIVATE svc_str svc_har_text(svc *s, svc_arena *a, size_t limit); /* har.c: as an HTTP archive; failed: out of memory */

/* blank.c: the functions that take a buffer write JSON without secrets. */
#define SVC_BLANK "***"
#define SVC_BLANK_DEPTH 64
SVC_PRIVATE void svc_blank_text(svc_buf *b, svc_str text); /* any bytes that are not secret */
SVC_PRIVATE bool svc_blank_is_secret(svc_str name); /* whether this name suggests a secret */
SVC_PRIVATE void svc_blank_target(svc_buf *b, const svc_call *c);
SVC_PRIVATE void svc_blank_headers(svc_buf *b, const svc_header *headers, size_t count, bool answer);
SVC_PRIVATE void svc_blank_request(svc_buf *b, svc_call *c);
SVC_PRIVATE void svc_blank_answer(svc_buf *b, svc_call *c, const svc_response *response);
SVC_PRIVATE bool svc_blank_hides(const svc *s, svc_str name); /* whether a text of this name is hidden in answers; the name may be the
                                                                 dialect's */
SVC_PRIVATE bool svc_blank_tree(svc_buf *b, const svc *s, svc_str text); /* an answer; false: unreadable, or neither object nor array */

/* blank_copy.c */
/* The same in one pass. False: nothing is written, use the tree. */
SVC_PRIVATE bool svc_blank_copy(svc_buf *b, const svc *s, svc_str text);

/* door.c: checks svc_config.control_hosts, which is copied; NULL: valid. And whether a request may use test control, apart from its
** token. */
SVC_PRIVATE const char *svc_door_configure(svc *s);
SVC_PRIVATE bool svc_door_lets(svc_call *c); /* false: the error is set */

/* serve.c: a request for a path of test control. */
SVC_PRIVATE bool svc_control_takes(const char *token, const svc_request *request); /* false: the request is for the API, or malformed */
SVC_PRIVATE bool svc_control_is_path(const svc_request *request);
/* token NULL: the caller holds the handle and may do everything, so the request needs no token. */
SVC_PRIVATE int svc_control_answer(svc *s, const char *token, const svc_request *request, svc_response *response);

/* serve_store.c: the routes of serve.c for worlds, and for the bytes of a snapshot in both directions. */
SVC_PRIVATE bool svc_serve_world(svc_call *c, svc_str name);
SVC_PRIVATE bool svc_serve_world_write(svc_call *c, svc_str name);
SVC_PRIVATE bool svc_serve_token(svc_call *c, svc_str name); /* serve_token.c */
SVC_PRIVATE bool svc_serve_bytes(svc_call *c, const svc_snapshot *snapshot);
SVC_PRIVATE bool svc_serve_load(svc_call *c, svc_str name, svc_snapshot **out);

#endif /* SVC_OMIT_TEST_CONTROL */
#endif /* SVC_CONTROL_H */

/*
** control: what tests do to a handle. It stands above the catalog and uses the pipeline; nothing below knows of it, but for two words in
** the handle (svc.control, svc.watch). open.c, api.c and host.c call it; it calls none of them.
**
**      control.c    opening and closing
**      clock.c      a clock that stands until it is moved, or runs at a rate of its own
**      upcoming.c   what is due next
**      seed.c       random bytes that are the same on every run
**      whole.c      the whole store in memory, and back
**      whole_file.c such a snapshot as bytes of a file
**      faults.c     rules by which requests fail
**      failures.c   rules by which other things do: how often they strike, and what they have struck
**      fault_steps.c  orders that fail, stall, are slow or done in part; states that never end, or begin later
**      fault_hosts.c  hosts that go down
**      fault_lag.c  reads that lag behind writes
**      fault_text.c rules of every kind as JSON
**      journal.c    the last requests, with their secrets blanked
**      har.c        the same as an HTTP archive
**      blank.c      what is secret in a request, and in an answer
**      blank_copy.c the common answer without its secrets, in one pass
**      door.c       who may use it beyond loopback
**      serve.c      the same over HTTP, for svc_control_request() in host.c
**      serve_store.c  of it, worlds and the bytes of snapshots
**      world.c      what a file describes: world_parts.h lists the parts
*/
#ifndef SVC_CONTROL_H
#define SVC_CONTROL_H

#include "pipeline/meddle.h"

#define SVC_FAULTS 64    /* rules */
#define SVC_SNAPSHOTS 16 /* that are kept by name */
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

/* A rule by which something else than a request fails. */
typedef struct svc_failure {
  int id, kind;
  int64_t count, struck;
  int64_t chance;     /* millionths */
  uint64_t generator; /* of chance */
  int64_t seed;
  bool seeded;
  int outcome;
  int64_t ms;         /* of slow and later; of hosts: how long one is down, 0: until the rule is removed */
  int64_t reads;      /* of lag, in place of ms */
  char what[256];     /* the order, the resource's noun, or the host */
  char state[65], name[129], reason[257];
  int64_t at, every;  /* of hosts: when the next thing happens, and how long after it happens again; 0: never */
  int64_t first, last_down; /* of hosts: when it is to go down first, and when it went down last */
  bool over;          /* of hosts: nothing happens any more */
  int phase;          /* enum svc_host_phase */
  int index;          /* of hosts: less than 0: by `what` */
  char project[25];   /* "": any */
} svc_failure;

/* What a rule has said of a step. Work may run again, and then it has to say the same. */
typedef struct svc_strike {
  int rule; /* id; 0: none */
  svc_held_step of; /* until: when it is asked again; 0: it is not */
  int64_t when;
  bool struck;
  const char *begins; /* of SVC_FAILURE_LATER: the state that begins then */
} svc_strike;

typedef struct svc_lag svc_lag;

#define SVC_FAILURES 64
#define SVC_STRIKES 512 /* that are remembered; a batch of steps that runs again is less than this */
typedef struct svc_failures {
  svc_failure rules[SVC_FAILURES];
  size_t count;
  svc_strike strikes[SVC_STRIKES];
  unsigned next; /* the strike that is forgotten next */
} svc_failures;

struct svc_control {
  svc_mutex lock; /* of all that follows, but for what is said otherwise */
  int64_t now;    /* of the manual clock; of one that runs, at `since` */
  int64_t rate, since; /* 0: it stands; nanoseconds of svc_config.monotonic, or of the system */
  bool held;      /* it stands while somebody moves it */
  uint64_t random, chance; /* where the generators stand: that of svc_config.seed, and that of the faults */
  svc_fault faults[SVC_FAULTS];
  const svc_plan *of[SVC_FAULTS]; /* for which operation each is; NULL: every one */
  size_t fault_count;
  int last_id;
  svc_failures *failures; /* NULL: there never was one */
  svc_lag *lag;           /* NULL: nothing ever lagged */
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
#define SVC_CLOCK_FASTEST 1000000
SVC_PRIVATE int64_t svc_manual_clock(void *handle); /* svc_config.clock */
SVC_PRIVATE int64_t svc_clock_rate_now(svc *s); /* 1: it is not manual */
SVC_PRIVATE int svc_clock_jump(svc *s, int64_t *steps); /* svc_clock_next(), and how many steps that was */
SVC_PRIVATE void svc_clock_put(svc *s, int64_t now); /* wherever that is: nothing is done about it */

/* upcoming.c */
SVC_PRIVATE int64_t svc_upcoming_next(svc *s, int64_t now); /* when something is due; INT64_MAX: nothing is, or the store cannot be read */
SVC_PRIVATE int svc_upcoming_text(svc *s, svc_arena *a, size_t limit, svc_str *out); /* as a JSON array */

/* seed.c */
SVC_PRIVATE uint64_t svc_seed_next(uint64_t *state);
SVC_PRIVATE int svc_seeded_random(void *control, void *buffer, size_t size); /* svc_config.random */

/* whole.c */
typedef struct svc_snapshot_size {
  size_t bytes, records;
} svc_snapshot_size;
SVC_PRIVATE svc_snapshot_size svc_snapshot_measure(const svc_snapshot *snapshot);

/* whole_file.c: svc_snapshot_save() and svc_snapshot_load(), the second with the reason, "": the code says all. */
#define SVC_SNAPSHOT_WHY 160
SVC_PRIVATE svc_str svc_snapshot_bytes(svc_arena *a, const svc_snapshot *k);
SVC_PRIVATE int svc_snapshot_read(svc *s, svc_str bytes, svc_snapshot **out, char why[SVC_SNAPSHOT_WHY]);

/* world.c: *body is the report, or the error document; the arena holds it. Returns what svc_world_apply() does. */
SVC_PRIVATE int svc_world_run(svc *s, svc_arena *arena, svc_str text, int *status, svc_str *body);
SVC_PRIVATE int svc_world_text(svc *s, svc_arena *arena, svc_str *out); /* world_write.c: svc_world_write() */

/* faults.c: a stage, where there are rules: after the caller is known. */
SVC_PRIVATE bool svc_stage_fault(svc_call *c);
#define SVC_FAULT_WHY 192
SVC_PRIVATE int svc_fault_put(svc *s, svc_fault *f, char why[SVC_FAULT_WHY]); /* svc_fault_add(), which logs why; *f is then the rule as it holds */

/* failures.c: whoever calls these holds the lock, but for those that take a handle. */
SVC_PRIVATE int svc_failure_put(svc *s, svc_failure *f); /* *f is then the rule as it holds */
SVC_PRIVATE int svc_failure_remove(svc *s, int id); /* 0: all. SVC_INVALID: there is none of this id */
SVC_PRIVATE size_t svc_failure_list(svc *s, svc_failure *out); /* room for SVC_FAILURES */
SVC_PRIVATE void svc_failures_back(svc *s); /* a snapshot was restored */
SVC_PRIVATE void svc_failures_close(svc *s);
SVC_PRIVATE int svc_next_fault_id(svc_control *k);
SVC_PRIVATE bool svc_failure_spent(const svc_failure *f);
SVC_PRIVATE bool svc_failure_strikes(svc_failure *f); /* by its count and chance: it does, and that is counted */
SVC_PRIVATE void svc_failure_note(svc *s, const svc_failure *f, svc_str about, int64_t now); /* in the journal */

/* fault_text.c */
typedef struct svc_failure_row {
  const char *member; /* of the JSON form, which only this kind has */
  const svc_object *object;
  bool (*read)(svc_call *c, svc_failure *f, char why[]); /* c->checked; false: why */
  void (*write)(svc_buf *b, const svc_failure *f);       /* its own members, each with a comma behind */
  unsigned watch;
} svc_failure_row;
SVC_PRIVATE const svc_failure_row *svc_failure_row_of(int kind);
SVC_PRIVATE const svc_object *svc_fault_object(const svc_node *body); /* what a rule that has these members is checked against */
SVC_PRIVATE int svc_fault_take(svc_call *c, svc_buf *b, int *id, char why[]); /* adds c->checked, and writes the rule as it holds */
SVC_PRIVATE bool svc_faults_write(svc_call *c, svc_buf *b);

/* fault_steps.c, fault_hosts.c */
SVC_DECLARE(const svc_failure_row svc_failure_step_row)
SVC_DECLARE(const svc_failure_row svc_failure_state_row)
SVC_DECLARE(const svc_failure_row svc_failure_later_row)
SVC_DECLARE(const svc_failure_row svc_failure_host_row)
SVC_DECLARE(const svc_failure_row svc_failure_lag_row)
SVC_PRIVATE const svc_meddler *svc_control_meddler(void);
/* What is remembered of a rule and an entity; NULL: nothing. And what is to be, from now on. */
SVC_PRIVATE svc_strike *svc_strike_find(svc_failures *all, int rule, const svc_id *id);
SVC_PRIVATE svc_strike *svc_strike_new(svc_failures *all, const svc_failure *f, const svc_entity *e, int64_t now);
SVC_PRIVATE void svc_lag_changes(svc_call *c, const svc_entity *e, const svc_entity *old);
SVC_PRIVATE svc_txn *svc_lag_reads(svc_call *c);
SVC_PRIVATE void svc_lag_clear(svc *s); /* nothing lags any more; the lock is held */
SVC_PRIVATE void svc_lag_close(svc *s);
SVC_PRIVATE size_t svc_steps_held(const svc_failures *all, int rule, svc_held_step *out, int64_t now); /* rule 0: all. Room for SVC_STRIKES; NULL: how many */

#define SVC_FAULT_TEXT(b, name, value) (svc_buf_text(b, name), svc_json_escape(b, svc_str_c(value)))
SVC_PRIVATE bool svc_fault_wrong(char why[], const char *what, svc_str value); /* false; why: both, the value shortened */
SVC_PRIVATE void svc_fault_hosts_fire(svc *s, int64_t now);   /* whatever is to happen by then happens, in order */
typedef struct svc_host_turn { /* what happens to a host next */
  int64_t when;
  bool down;
  char name[256];
} svc_host_turn;
SVC_PRIVATE size_t svc_fault_hosts_turns(svc *s, svc_host_turn out[SVC_FAILURES]);
SVC_PRIVATE int64_t svc_fault_hosts_next(svc *s);             /* INT64_MAX: nothing is to happen */
SVC_PRIVATE bool svc_fault_hosts_up(svc *s, const svc_failure *f, int64_t now); /* its rule is removed: a host that it took down comes up */
SVC_PRIVATE void svc_fault_hosts_back(svc_failure *f, int64_t now); /* the clock was set back */

/* journal.c */
SVC_PRIVATE void svc_journal_add(svc *s, svc_str entry); /* a line that is no request: JSON */
SVC_PRIVATE int svc_journal_open(svc *s);
SVC_PRIVATE void svc_journal_close(svc *s);
SVC_PRIVATE void svc_journal_note(svc_call *c, const svc_response *response);
SVC_PRIVATE svc_str svc_journal_text(svc *s, svc_arena *a, size_t limit); /* as a JSON array */

SVC_PRIVATE size_t svc_journal_copy(svc *s, svc_arena *a, size_t limit, svc_str **out); /* its entries, each a JSON object; how many */

SVC_PRIVATE svc_str svc_har_text(svc *s, svc_arena *a, size_t limit); /* har.c: as an HTTP archive; failed: no memory */

/* blank.c: each writes JSON with the secrets out of it. */
#define SVC_BLANK "***"
#define SVC_BLANK_DEPTH 64
SVC_PRIVATE void svc_blank_text(svc_buf *b, svc_str text); /* any bytes at all, which are no secret */
SVC_PRIVATE bool svc_blank_is_secret(svc_str name); /* does this name speak of a secret? */
SVC_PRIVATE void svc_blank_target(svc_buf *b, const svc_call *c);
SVC_PRIVATE void svc_blank_headers(svc_buf *b, const svc_header *headers, size_t count, bool answer);
SVC_PRIVATE void svc_blank_request(svc_buf *b, svc_call *c);
SVC_PRIVATE void svc_blank_answer(svc_buf *b, svc_call *c, const svc_response *response);
SVC_PRIVATE bool svc_blank_hides(const svc *s, svc_str name); /* is a text of this name hidden in answers? The name may be one of the dialect */
SVC_PRIVATE bool svc_blank_tree(svc_buf *b, const svc *s, svc_str text); /* the answer; false: it is neither object nor array */

/* blank_copy.c */
SVC_PRIVATE bool svc_blank_copy(svc_buf *b, const svc *s, svc_str text); /* the same in one pass; false: nothing is written, make the tree */

/* door.c: what is wrong with svc_config.control_hosts, which is copied; NULL: nothing. May this request come in, but for its token? */
SVC_PRIVATE const char *svc_door_configure(svc *s);
SVC_PRIVATE bool svc_door_lets(svc_call *c); /* false: the error is set */

/* serve.c: a request for a path of test control. */
SVC_PRIVATE bool svc_control_takes(const char *token, const svc_request *request); /* false: the request is for the API, or malformed */
SVC_PRIVATE bool svc_control_is_path(const svc_request *request);
/* token NULL: the caller holds the handle and may do everything, so nothing is asked of the request. */
SVC_PRIVATE int svc_control_answer(svc *s, const char *token, const svc_request *request, svc_response *response);

/* serve_store.c: of the routes of serve.c, those for worlds, and the bytes of a snapshot both ways. */
SVC_PRIVATE bool svc_serve_world(svc_call *c, svc_str name);
SVC_PRIVATE bool svc_serve_world_write(svc_call *c, svc_str name);
SVC_PRIVATE bool svc_serve_bytes(svc_call *c, const svc_snapshot *snapshot);
SVC_PRIVATE bool svc_serve_load(svc_call *c, svc_str name, svc_snapshot **out);

#endif /* SVC_OMIT_TEST_CONTROL */
#endif /* SVC_CONTROL_H */

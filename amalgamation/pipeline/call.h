/*
** One call: its state (struct svc_call), the change it is about to store (struct svc_change), and how it is refused.
*/
#ifndef SVC_CALL_H
#define SVC_CALL_H

#include "pipeline/who.h"

/* One value of a query parameter. */
typedef struct svc_query_value {
  const svc_param *param;
  svc_str text;   /* decoded */
  int64_t number; /* integer, date in milliseconds, 0 or 1 */
} svc_query_value;

/* A violation found in a body. */
typedef struct svc_violation {
  svc_str field;       /* full path: "replicationSpecs[0].regionConfigs[1].priority" */
  svc_str description;
  int code;            /* SVC_E_... */
  int fault;           /* enum svc_fault */
  int64_t most;        /* of SVC_FAULT_LONG */
  svc_str value;       /* what was sent, where it is a text or number; of SVC_FAULT_CHANGED what it was */
  struct svc_violation *next;
} svc_violation;

/*
** A change about to be stored, as the hooks see it. Who is set when:
**
**             a create        a change              first change of a singleton   fell due, or an order is done
**   entity    zero            as it is stored       its defaults                  as it is stored
**   stored    false           true                  false                         true
**   before    NULL            entity's body         entity's body                 entity's body
**   input     as it was sent  as it was sent        as it was sent                NULL
**   body      checked         before, with input    before, with input            before, with the transition
**
** A PUT that makes what is the only one of its parent (SVC_SOLE) is a create. What a hook may change: body, extra, event, state, due, dues, parent and id of a create, key.
*/
struct svc_change {
  const svc_noun_info *noun;
  bool stored;
  const svc_node *before; /* what is used most stands in front: shorter instructions reach it */
  const svc_node *input;
  svc_node *body;         /* as it shall be stored */
  svc_id id;
  svc_id parent;          /* of a create: zero: the last entity of the path; of a change: it goes below that one */
  const char *event;      /* the event to be written; NULL: none */
  const char *state;      /* the state it goes into; NULL: it stays as it is */
  int64_t due;            /* when the state moves on, whatever the table says; 0: the table; < 0: never */
  svc_due dues[SVC_DUES]; /* what else it waits for, by tag; of a change: what is not named stays; when 0: no longer */
  unsigned due_count;
  svc_str extra;          /* what is kept beside the body */
  bool unseen;            /* only what is beside the body changed */
  int action;             /* which operation it is, for the hooks of its noun, which number them; 0: a usual create or change */
  svc_str key;            /* how a path names it, where that is no field of its own */
  svc_change *whole;      /* of an element: the change of the entity that it is in, whose `extra` its prepare hook may change */
  svc_entity entity;
};
SVC_PRIVATE void svc_change_due(svc_change *change, int tag, int64_t when); /* 0: it waits for that no longer */

/* What a call answers, before it is written out. */
typedef struct svc_answer {
  int status;
  svc_str body;      /* JSON without links, or of another media type; p NULL: no body */
  size_t links_at;
  uint64_t revision; /* 0: no ETag */
  const svc_template *links;
  svc_str links_more; /* links behind those, of answers that name what they lead to: svc_answer_link() */
  svc_str own, parent, unique; /* for the holes; others are keys of the path's entities */
  bool whole;        /* the body is complete: a list, an error, or not JSON */
  svc_str kept;      /* p not NULL: what Idempotency-Key keeps in place of a body that shows a secret */
  size_t kept_links_at;
  bool secret;       /* it shows one: not for keeping */
} svc_answer;

/* What a request has waited for, in nanoseconds: trace.c. */
enum svc_wait { SVC_WAIT_HOST, SVC_WAIT_DUE, SVC_WAIT_LIMITER, SVC_WAIT_TURN, SVC_WAIT_STORE, SVC_WAIT_DRIVER, SVC_WAIT_PARTS };
typedef struct svc_waits {
  int64_t parts[SVC_WAIT_PARTS];
  int64_t since;  /* of a change: when it was put into the commit queue, then when its work began */
  unsigned runs;  /* how often its work was done: again after a conflict, or where others had spoiled the transaction */
} svc_waits;

struct svc_call { /* what is used most stands in front: shorter instructions reach it */
  svc *s;
  svc_arena *arena;
  int64_t now;
  svc_txn *txn;
  const svc_plan *plan;    /* NULL: work that no request asked for */
  svc_node *body;          /* as it was sent; of an older version: in the newest shape */
  const svc_node *checked; /* of a POST: checked, with defaults; change a copy */
  svc_question *question;  /* for the driver: see svc_route.told */
  svc_scope scope; /* project and organization: of the path, or of the record that the work is about */

  struct { /* svc_fail() sets it */
    int code;          /* SVC_E_NONE: there is none */
    unsigned param_count;
    svc_violation *violations, *violations_last;
    unsigned violation_count;
    svc_str params[5]; /* JSON texts */
    svc_str detail; /* n 0: from the table */
    svc_str also;   /* a sentence behind the detail of the table; n 0: none */
    const char *oauth; /* it has the OAuth shape, with `detail` as its description */
    int64_t retry_after; /* seconds; 0: nothing is said of it */
    svc_str challenge, challenge_bearer; /* WWW-Authenticate, one header each; n 0: none. Digest comes first: some clients read only that */
  } error;

  svc_who who;
  int64_t steps;   /* that patterns of users have taken in this call: alert configurations count them */
  size_t spent;    /* records that steps which fell due have read, where they may be many: the transaction ends after so many */

  struct { /* the request line and headers */
    const svc_request *raw;
    int method; /* enum svc_method */
    bool head, v1;
    svc_str path, query; /* path: as sent, without the query */
    svc_str accept, content_type, if_match, if_none_match, retry_key, authorization;
    svc_str host, origin, fetch_site; /* Sec-Fetch-Site; browsers send the last two */
    svc_str peer;
  } request;

  struct { /* what the path says */
    svc_str params[SVC_MAX_PARAMS], raw[SVC_MAX_PARAMS]; /* decoded, and as they were sent */
    unsigned allowed; /* methods of the path, as bits */
    unsigned version; /* 20250312 */
    const svc_older *older; /* its row; NULL: it is the newest */
    svc_tokens tokens;
    bool limited;
    int parts;         /* 1 + hops that were looked at, and below them whether the caller takes part; 0: not looked yet */
    bool takes_part;
    uint64_t part_roles;
    unsigned resolved; /* hops whose entities hold in this transaction */
    svc_entity chain[SVC_MAX_CHAIN];
    svc_str org_key; /* with plan->item_by_org: of that organization */
    svc_str links_own; /* whose links may come back in the body; n 0: those of the path's own entity */
  } route;

  struct {
    int64_t page, per_page;
    bool include_count, envelope, pretty;
    bool paged; /* of a list: a page of it, not all */
    svc_query_value *values;
    size_t count;
    svc_str again; /* of what is no list: "?m=CONNECTIONS", its own parameters, for its own link */
  } query;

  bool passes_on; /* another entity takes the name of the one that is erased: references by name stay, and lead to that one */
  const svc_entity *erasing; /* gone already, while what is below it goes; NULL: nothing is */
  svc_str ahead;          /* what svc_route.ahead has made */
  svc_node *sent;         /* of a change in an older version: the body in the shape of that version */
  svc_answer answer;
  bool own_words; /* a request of the host's own: in our words, whatever the dialect */
  int drop, delay_ms;  /* of a fault: see svc_response */
  svc_header *headers; /* of the answer */
  size_t header_count;
  svc_waits waits;
};

/* trace.c: time that a request waits, where svc_config.slow_ms asks for it; and the line of the log, if it took too long. */
SVC_PRIVATE int64_t svc_wait_begin(const svc_call *c);
SVC_PRIVATE void svc_wait_end(svc_call *c, int part, int64_t since);
SVC_PRIVATE void svc_slow_note(svc_call *c, int64_t took); /* nanoseconds */

/* A call of the service's own, for work that no request asked for; free the arena's blocks afterwards. */
/* Work of the service's own in one commit. A struct that begins with this one has what `run` needs; it may run more than once. */
typedef struct svc_service_job {
  svc_job job; /* first, as this is of what holds it: both are cast back */
  svc *s;
  bool (*run)(svc_call *c, struct svc_service_job *job); /* false: nothing of it is to be kept */
} svc_service_job;
SVC_PRIVATE int svc_service_run(svc *s, svc_service_job *job, int64_t now); /* behave.c; as svc_commit_run() */
SVC_PRIVATE void svc_service_call(svc_call *c, svc *s, svc_arena *arena, svc_txn *txn, int64_t now); /* behave.c */
/* The driver, outside of any transaction: for a route's `ahead`; who only reads has `told`. False: 503 is set. */
SVC_PRIVATE bool svc_ask(svc_call *c, svc_question *question, svc_reply *reply); /* behave.c */

/* errors.c */
SVC_PRIVATE int svc_error_status(int code);
SVC_PRIVATE int svc_error_next(int code); /* all codes one after the other, from SVC_E_NONE to SVC_E_NONE */
SVC_PRIVATE int svc_error_named(const char *name); /* SVC_E_NONE: there is none */
SVC_PRIVATE const char *svc_error_name(int code);
SVC_PRIVATE const char *svc_error_detail(int code);
SVC_PRIVATE unsigned svc_error_params(int code); /* how many parameters it has */
SVC_PRIVATE bool svc_error_names_attribute(int code); /* its first parameter is the name of one */
/* Refuse: set the error with its parameters and return false. Format: one letter a parameter: s const char *, S svc_str
** by pointer, i int64_t by pointer. As many as error_list.h names: a test looks. */
SVC_PRIVATE bool (svc_fail)(svc_call *c, int code, const char *format, ...);
SVC_PRIVATE bool (svc_fail_as)(svc_call *c, svc_str detail, int code, const char *format, ...); /* with a sentence of its own */
SVC_PRIVATE bool (svc_fail_about)(svc_call *c, int code, svc_str key, svc_str parent); /* as many of these as the code has */
SVC_PRIVATE bool (svc_no_memory)(svc_call *c);                /* 503; false */
SVC_PRIVATE bool (svc_failed)(svc_call *c); /* it came to nothing: by the error that is set, else for want of memory; false */
SVC_PRIVATE bool (svc_store_failed)(svc_call *c, int status); /* the error for what the store said; false */
/* Each of these is false, always; a compiler, which does not look into what it calls, is told so, and keeps no way for the other
** answer. */
#define svc_fail(...) (svc_fail(__VA_ARGS__), false)
#define svc_fail_as(...) (svc_fail_as(__VA_ARGS__), false)
#define svc_fail_about(...) (svc_fail_about(__VA_ARGS__), false)
#define svc_no_memory(...) (svc_no_memory(__VA_ARGS__), false)
#define svc_failed(...) (svc_failed(__VA_ARGS__), false)
#define svc_store_failed(...) (svc_store_failed(__VA_ARGS__), false)
SVC_PRIVATE bool svc_txn_good(svc_call *c); /* false, with the error set: the transaction has failed */
SVC_PRIVATE bool svc_stored(svc_call *c, int status); /* what a call of the store returned; false, with the error set: it failed */
SVC_PRIVATE bool svc_entity_store(svc_call *c, const svc_entity *e, const svc_entity *old); /* old NULL: e is new; false: the same */
SVC_PRIVATE bool svc_read_good(svc_call *c); /* the same where a read is about to end, if there is one, whatever was made of it */
SVC_PRIVATE svc_violation *svc_violate(svc_call *c, int code, svc_str path, const char *format, ...) SVC_PRINTF(4, 5); /* may be NULL */
SVC_PRIVATE svc_str svc_error_document(svc_call *c);

#endif /* SVC_CALL_H */

/*
** One call: its state (struct svc_call), the change that it is about to store (struct svc_change), and functions that refuse it.
*/
#ifndef SVC_CALL_H
#define SVC_CALL_H

#include "pipeline/who.h"

/* A value of a query parameter. */
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
  int fault;           /* enum svc_field_fault */
  int64_t most;        /* the limit, for SVC_FIELD_FAULT_LONG */
  svc_str value;       /* the text or number that was sent; for SVC_FIELD_FAULT_CHANGED the stored one */
  struct svc_violation *next;
} svc_violation;

/*
** A change about to be stored, as hooks see it. Its members are set as follows:
**
**             a create        a change              first change of a singleton   due step, or order done
**   entity    zero            as stored             its defaults                  as stored
**   stored    false           true                  false                         true
**   before    NULL            entity's body         entity's body                 entity's body
**   input     as sent         as sent               as sent                       NULL
**   body      checked         before, with input    before, with input            before, with the transition
**
** A PUT that creates the only resource of its parent (SVC_SOLE) is a create. Hooks may change: body, extra, event, state, due, dues; key;
** the parent (of a change: the resource moves there), and the id of a create.
*/
struct svc_change {
  const svc_noun_info *noun;
  bool stored;
  const svc_node *before; /* frequently used members come first: shorter instructions reach them */
  const svc_node *input;
  svc_node *body;         /* to be stored */
  svc_id id;
  svc_id parent;          /* create: zero means the last entity of the path; change: the new parent */
  const char *event;      /* the event to write; NULL: none */
  const char *state;      /* the new state; NULL: unchanged */
  int64_t due;            /* time at which the state moves on; 0: as the table says; < 0: never */
  svc_due dues[SVC_DUES]; /* other due dates, by tag; tags that are not listed stay unchanged; when 0: removes it */
  unsigned due_count;
  svc_str extra;          /* hidden data, stored beside the body */
  bool unseen;            /* only `extra` changed */
  int action;             /* the operation, numbered by the noun for its hooks; 0: an ordinary create or change */
  svc_str key;            /* its name in a path, if no field has it */
  svc_change *whole;      /* for an element: the change of the entity that contains it; a prepare hook may change its `extra` */
  svc_entity entity;
};
SVC_PRIVATE void svc_change_due(svc_change *change, int tag, int64_t when); /* when 0: removes the due date */

/* The answer of a call, before it is written out. */
typedef struct svc_answer {
  int status;
  svc_str body;      /* JSON without links, or of another media type; p NULL: no body */
  size_t links_at;
  uint64_t revision; /* 0: no ETag */
  const svc_template *links;
  svc_str links_more; /* further links of the answer: svc_answer_link() */
  svc_str own, parent, unique; /* keys for the holes of links; the others are keys of the path's entities */
  bool whole;        /* the body is complete: a list, an error, or not JSON */
  svc_str turned;    /* of a write, with a dialect: the body with its links, in the dialect's words; n 0: not written yet */
  svc_str kept;      /* p not NULL: an Idempotency-Key keeps this instead of a body that shows a secret */
  size_t kept_links_at;
  bool secret;       /* the answer shows a secret and must not be kept */
} svc_answer;

/* Times that a request waited, in nanoseconds: trace.c. */
enum svc_wait { SVC_WAIT_HOST, SVC_WAIT_DUE, SVC_WAIT_LIMITER, SVC_WAIT_TURN, SVC_WAIT_STORE, SVC_WAIT_DRIVER, SVC_WAIT_PARTS };
typedef struct svc_waits {
  int64_t parts[SVC_WAIT_PARTS];
  int64_t since;  /* for a write: time at which it entered the commit queue, later the time at which its work began */
  unsigned runs;  /* number of times its work ran: repeated after a conflict, or when another job spoiled the transaction */
} svc_waits;

/*
** One request, or one piece of internal work. A call ends with svc_handle_request(), and its arena with the response. A write may run
** several times: svc_behave_in() then resets the error's code and violations, the scope, the answer and the resolved entities; caller,
** parameters, bodies and prework stay. Entities of a transaction point into the store and end with it: copy what is needed later into the
** arena.
*/
struct svc_call { /* frequently used members come first: shorter instructions reach them */
  svc *s;
  svc_arena *arena;
  int64_t now;
  svc_txn *txn;
  const svc_plan *plan;    /* NULL: internal work, without a request */
  svc_node *body;          /* as sent; for an older version, converted to the newest shape */
  const svc_node *checked; /* of a POST: checked, with defaults; hooks must change a copy */
  svc_question *question;  /* a question to the driver: see svc_route.on_reply */
  svc_scope scope; /* project and organization of the path, or of the record that the work concerns */

  struct { /* set by svc_fail() */
    int code;          /* SVC_E_NONE: no error */
    int store;         /* status of the store that caused the error; SVC_OK: it has another cause */
    unsigned param_count;
    svc_violation *violations, *violations_last;
    unsigned violation_count;
    svc_str params[5]; /* JSON texts */
    svc_str detail; /* n 0: the text of the table */
    svc_str also;   /* a sentence appended to the table's text; n 0: none */
    const char *oauth; /* answered in the OAuth shape, with `detail` as its description */
    int64_t retry_after; /* seconds; 0: no Retry-After */
    svc_str challenge, challenge_bearer; /* WWW-Authenticate, one header each; n 0: none. Digest comes first: some clients read only the
                                            first */
  } error;

  svc_who who;
  int64_t steps;   /* steps of users' patterns in this call, counted for alert configurations */
  size_t spent;    /* approximate cost of the due steps in this call, in records: the transaction takes no further step after a limit */

  struct { /* the request line and headers */
    const svc_request *raw;
    int method; /* enum svc_method */
    bool head, v1;
    svc_str path, query; /* path: as sent, without the query */
    svc_str accept, content_type, if_match, if_none_match, retry_key, authorization;
    svc_str host, origin, fetch_site; /* Sec-Fetch-Site; the last two come from browsers */
    svc_str peer;
  } request;

  struct { /* parsed from the path */
    svc_str params[SVC_MAX_PARAMS], raw[SVC_MAX_PARAMS]; /* decoded, and as sent */
    unsigned allowed; /* methods that the path supports, as bits */
    unsigned version; /* 20250312 */
    const svc_older *older; /* the row of an older version; NULL: the newest */
    svc_tokens tokens;
    bool limited;
    int parts;         /* 1 + number of hops for which takes_part and part_roles are known; 0: not known yet */
    bool takes_part;
    uint64_t part_roles;
    unsigned resolved; /* number of hops whose entities are valid in this transaction */
    svc_entity chain[SVC_MAX_CHAIN];
    svc_str org_key; /* with plan->item_by_org: the key of that organization */
    svc_str links_own; /* the key in the links that a body may repeat; n 0: that of the path's own entity */
  } route;

  struct {
    int64_t page, per_page;
    bool include_count, envelope, pretty;
    bool paged; /* the answer is one page of a list */
    svc_query_value *values;
    size_t count;
    svc_str again; /* not a list: its query, such as "?m=CONNECTIONS", for its self link */
  } query;

  bool passes_on; /* another entity takes over the name of the erased one: references by name stay and lead to that */
  const svc_entity *erasing; /* erased already, while its descendants are being erased; NULL: none */
  svc_str prework;        /* the result of svc_route_ext.prework; or what `run` hands to `on_reply` */
  svc_node *sent;         /* for a write in an older version: the body in the shape of that version */
  svc_answer answer;
  bool own_words; /* a request of the host: not translated by the dialect */
  int drop, delay_ms;  /* set by an injected fault; see svc_response */
  svc_header *headers; /* of the answer */
  size_t header_count;
  svc_waits waits;
};

/* trace.c: measures the time that a request waits if svc_config.slow_ms is set, and logs slow requests. */
SVC_PRIVATE int64_t svc_wait_begin(const svc_call *c);
SVC_PRIVATE void svc_wait_end(svc_call *c, int part, int64_t since);
SVC_PRIVATE void svc_slow_note(svc_call *c, int64_t took); /* nanoseconds */

/* Internal work in one commit. Embed this struct first in one that holds the data of `run`, which may run more than once. */
typedef struct svc_service_job {
  svc_job job; /* must be first: both structs are cast back */
  svc *s;
  bool (*run)(svc_call *c, struct svc_service_job *job); /* false: nothing is kept */
} svc_service_job;
SVC_PRIVATE int svc_service_run(svc *s, svc_service_job *job, int64_t now); /* behave.c; as svc_commit_run() */
/* A call for internal work, without a request. The caller frees the arena's blocks afterwards. */
SVC_PRIVATE void svc_service_call(svc_call *c, svc *s, svc_arena *arena, svc_txn *txn, int64_t now); /* behave.c */
/* Asks the driver outside of any transaction: for a route's `prework`. A route that only reads uses `on_reply` instead. False: 503 is
** set. */
SVC_PRIVATE bool svc_ask(svc_call *c, svc_question *question, svc_reply *reply); /* question.c */

/* errors.c */
SVC_PRIVATE int svc_error_status(int code);
SVC_PRIVATE int svc_error_next(int code); /* iterates over all codes, from SVC_E_NONE to SVC_E_NONE */
SVC_PRIVATE int svc_error_named(const char *name); /* SVC_E_NONE: unknown */
SVC_PRIVATE const char *svc_error_name(int code);
SVC_PRIVATE const char *svc_error_detail(int code);
SVC_PRIVATE unsigned svc_error_params(int code); /* number of its parameters */
SVC_PRIVATE bool svc_error_names_attribute(int code); /* its first parameter is the name of an attribute */
/* Refuse: set the error with its parameters and return false. The format has one letter per parameter: s const char *, S svc_str by
** pointer, i int64_t by pointer. error_list.h names the parameters; a test compares their number. */
SVC_PRIVATE bool (svc_fail)(svc_call *c, int code, const char *format, ...);
SVC_PRIVATE bool (svc_fail_as)(svc_call *c, svc_str detail, int code, const char *format, ...); /* with its own sentence as detail */
/* uses as many of these parameters as the code has */
SVC_PRIVATE bool (svc_fail_about)(svc_call *c, int code, svc_str key, svc_str parent);
SVC_PRIVATE bool (svc_no_memory)(svc_call *c);                /* 503; false */
SVC_PRIVATE bool (svc_failed)(svc_call *c); /* keeps the error that is set, otherwise sets out of memory; false */
SVC_PRIVATE bool (svc_store_failed)(svc_call *c, int status); /* the error for a status of the store; false */
/* Each of these returns false. The macros tell the compiler, which then drops the code for the other result. */
#define svc_fail(...) (svc_fail(__VA_ARGS__), false)
#define svc_fail_as(...) (svc_fail_as(__VA_ARGS__), false)
#define svc_fail_about(...) (svc_fail_about(__VA_ARGS__), false)
#define svc_no_memory(...) (svc_no_memory(__VA_ARGS__), false)
#define svc_failed(...) (svc_failed(__VA_ARGS__), false)
#define svc_store_failed(...) (svc_store_failed(__VA_ARGS__), false)
SVC_PRIVATE bool svc_txn_good(svc_call *c); /* false, with the error set, if the transaction has failed */
SVC_PRIVATE bool svc_status_good(svc_call *c, int status); /* false, with the error set, if this status of the store is an error */
/* old NULL: e is new; false: failed, with the error set */
SVC_PRIVATE bool svc_entity_store(svc_call *c, const svc_entity *e, const svc_entity *old);
SVC_PRIVATE bool svc_read_good(svc_call *c); /* svc_txn_good() at the end of a read, if one is open */
/* Notes one violation: call it for each invalid field, then return svc_check_done(). The error has the code of the first one, and
** badRequestDetail lists all. NULL: out of memory, or more than 1000. */
SVC_PRIVATE svc_violation *svc_violate(svc_call *c, int code, svc_str path, const char *format, ...) SVC_PRINTF(4, 5);
SVC_PRIVATE svc_str svc_error_document(svc_call *c);

#endif /* SVC_CALL_H */

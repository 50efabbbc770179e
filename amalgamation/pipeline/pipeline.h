/*
** pipeline: requests and tables. It knows no noun: what a noun is stands in its table, and those it rests on take seats.
*/
#ifndef SVC_PIPELINE_H
#define SVC_PIPELINE_H

#include "store/store.h"
#include "pipeline/error_list.h"
#include "pipeline/table.h"

/* ------------------------------------------------------------------------------------------ the tables of an open handle */

/* Text with holes that are filled in with keys of the request: how links are written without any search. */
enum svc_hole { SVC_HOLE_NONE = -1, SVC_HOLE_OWN = 8, SVC_HOLE_PARENT, SVC_HOLE_UNIQUE, /* 0..7: an entity of the path */
                SVC_HOLE_QUERY, /* the operation's own parameters, as they were given */
                SVC_HOLE_PARAM = 16, /* and up: a parameter that names no entity */
                SVC_HOLE_PART = 256 /* times enum svc_linked_by, on top of one of the others: a part of what is in that */ };
typedef struct svc_piece {
  svc_str text;
  int hole; /* behind the text */
} svc_piece;
typedef struct svc_template {
  const svc_piece *pieces;
  size_t count, text_size;
  bool has_parent, has_unique; /* holes that are filled in only where they are */
} svc_template;

/* A noun as the open handle knows it. */
typedef struct svc_noun_info {
  const svc_noun *noun;
  const struct svc_noun_info *parent;
  const struct svc_noun_info *stands_for; /* the noun whose entities it replaces when they are gone; NULL: none */
  const struct svc_noun_info *stand_in;   /* the noun that stands for this one; NULL: none */
  const struct svc_noun_info *scope; /* the project or organization above it, through its parents; NULL: neither */
  bool is_parent; /* others are below it */
  bool by_id;     /* found by its id alone: SVC_GLOBAL, or others lie below it or name it, and it is deeper than right
                     below a project or organization */
  bool is_target; /* fields of others name it */
  bool fixed_name; /* its unique value never changes: others may name it by that */
  bool seals; /* it has fields that are SVC_SEALED */
  svc_str preset; /* of a singleton: what is served until it is changed */
  size_t preset_links_at;
} svc_noun_info;

#define SVC_MAX_SEGMENTS 16
#define SVC_MAX_PARAMS 6
#define SVC_MAX_CHAIN 4

/* An entity that a path names, by one of its parameters or several. */
typedef struct svc_hop {
  const svc_noun_info *noun;
  unsigned param, param_count;
  bool by_unique;
} svc_hop;

/* A route as the open handle knows it: which entities its path names, and the links of its answer. */
typedef struct svc_plan svc_plan;
struct svc_plan {
  const svc_route *route;
  const svc_noun_info *noun;
  svc_str params[SVC_MAX_PARAMS]; /* their names */
  unsigned param_count;
  svc_hop hops[SVC_MAX_CHAIN];
  unsigned hop_count;
  bool own;             /* the last hop is the route's own noun */
  int in_path;          /* the parameter that is a field, see svc_route.in_path; -1: none */
  const svc_field *in_path_field;
  int scope_param;      /* the parameter that names the project or organization whose bucket is drawn from; -1: none */
  bool item_by_org;     /* the item is reached through the organization of the project of this path */
  const svc_plan *item; /* the route that reads one of the noun, as seen from here; itself where it is that one */
  svc_template self, links; /* of a GET: its own link; all links that its answer carries, with the brackets */
};

/* plan.c: the tables as the handle uses them. */
SVC_PRIVATE int svc_plan_open(svc *s); /* a row that breaks a bound is named in the log: SVC_INVALID */
SVC_PRIVATE const char *svc_names_of(const svc_noun *noun); /* the space of unique values that it is in: its own kind, or `names` */
SVC_PRIVATE const svc_noun_info *svc_noun_by_kind(const svc *s, const char *kind);
SVC_PRIVATE const svc_noun_info *svc_noun_named(const svc *s, const char *name); /* NULL: left out of this build */

/* route.c */
typedef struct svc_router svc_router;
SVC_PRIVATE int svc_router_open(svc *s);

/* limiter.c */
typedef struct svc_limiter svc_limiter;
SVC_PRIVATE int svc_limiter_open(svc_limiter **out, const svc_allocator *allocator, size_t buckets, uint64_t seed,
                                 const svc_set_row *sets); /* sets must outlive it */
SVC_PRIVATE void svc_limiter_close(svc_limiter *l);
/* owner: who answers for the bucket, if it is new; the more of them an owner has, the sooner one of them gives way. */
SVC_PRIVATE svc_tokens svc_limiter_take(svc_limiter *l, int set, svc_str instance, svc_str owner, int64_t now);

/* May a secret of this name be tried from where the call comes from? False: refused. And: it was tried, and was wrong. */
SVC_PRIVATE bool svc_may_guess(svc_call *c, svc_str name);
SVC_PRIVATE void svc_guessed_wrong(svc_call *c, svc_str name);

/* All buckets as they are: a copy, of svc_limiter_size() bytes, and back. */
SVC_PRIVATE size_t svc_limiter_size(const svc_limiter *l);
SVC_PRIVATE void svc_limiter_save(svc_limiter *l, void *out);
SVC_PRIVATE void svc_limiter_restore(svc_limiter *l, const void *saved);

/* digest.c: what the server knows of its nonces. access_use.c: what access lists let in. */
typedef struct svc_digest svc_digest;
typedef struct svc_access_uses svc_access_uses;
SVC_PRIVATE int svc_digest_open(svc *s);
SVC_PRIVATE int svc_digest_share(svc *s); /* with the other handles of a store that has several; called when it is open */
SVC_PRIVATE void svc_digest_close(svc *s);
SVC_PRIVATE size_t svc_digest_size(void); /* of what is known of nonces: a copy of it, and back */
SVC_PRIVATE void svc_digest_save(svc_digest *d, void *out);
SVC_PRIVATE void svc_digest_restore(svc_digest *d, const void *saved);
SVC_PRIVATE int svc_access_uses_open(svc *s);
SVC_PRIVATE void svc_access_uses_close(svc *s);
SVC_PRIVATE void svc_access_use_note(svc *s, const svc_noun_info *list, const svc_id *parent, const svc_id *id, int64_t now,
                                     svc_str address);
SVC_PRIVATE bool svc_access_uses_due(const svc *s, int64_t now);
SVC_PRIVATE void svc_access_uses_flush(svc *s, int64_t now);
SVC_PRIVATE void svc_access_uses_forget(svc *s); /* what was not written down yet never was */

/* known.c: tokens that were seen lately. */
typedef struct svc_known svc_known;
SVC_PRIVATE int svc_known_open(svc *s);
SVC_PRIVATE void svc_known_close(svc *s);
SVC_PRIVATE bool svc_known_token(svc_call *c, svc_str token); /* true: c->who has whose it is, and it may be used from anywhere */
SVC_PRIVATE void svc_known_keep(svc_call *c, svc_str token, const svc_id *token_id, int64_t expiry);
typedef struct svc_token_place {
  svc_id org, account, id;
} svc_token_place;
SVC_PRIVATE bool svc_known_place(svc_call *c, svc_str token, svc_token_place *out); /* where it stood when it was seen; of a shared store */

/* expect.c: all that will be asked about a token that was seen before, and what the request is about; and what a write will ask for. */
#define SVC_EXPECT_WRITE 4
SVC_PRIVATE void svc_expect_caller(svc_call *c, svc_str name, const svc_token_place *place);
SVC_PRIVATE size_t svc_expect_write(svc_call *c, svc_key keys[SVC_EXPECT_WRITE]);

/* stats.c: what a handle counts, where somebody asks for it, and sign-ins that fail. */
typedef struct svc_counters svc_counters;
SVC_PRIVATE int svc_counters_open(svc *s);
SVC_PRIVATE int64_t svc_counters_begin(const svc *s); /* the time, if it is known */
SVC_PRIVATE void svc_counters_note(const svc_call *c, int status, int64_t began); /* only where there are counters */
/* May one more line about this be logged in this second? Whoever fails at will, and a store that is gone for an hour, fill no disk. Of
** an earlier second a line says here how many were left out. */
SVC_PRIVATE bool svc_may_say(const svc *s, atomic_uint *said, int64_t now, const char *what);
SVC_PRIVATE void svc_sign_in_note(svc_call *c); /* of a request that was refused: if it was for its credentials, that is logged */

/* control/: what tests do to a handle. A request looks at one word to see that nobody does anything. */
typedef struct svc_control svc_control;
enum svc_watch { SVC_WATCH_FAULTS = 1, SVC_WATCH_JOURNAL = 2 };

/* A handle. */
/* health.c: can the store be reached, and is the clock right? What is known of a server is looked at again after a while. */
typedef struct svc_health {
  svc_mutex lock;    /* of what is not atomic */
  bool ready;        /* the lock is there */
  bool checking;     /* somebody asks the store */
  bool sized;        /* it has said how large it is */
  atomic_int store;  /* what it answered last: SVC_OK, or an error */
  int64_t checked, warned;   /* when; by the handle's clock */
  uint64_t store_bytes, map_bytes;
  atomic_bool off;   /* the clock is so wrong that nothing is served */
  int64_t skew;      /* milliseconds that our clock is ahead of the store's, less than 0: behind */
} svc_health;
SVC_PRIVATE int svc_health_open(svc *s); /* the store is open. SVC_CLOCK: the clock is wrong */
SVC_PRIVATE void svc_health_close(svc *s);
SVC_PRIVATE int svc_health_tick(svc *s); /* asks the store, if it is time; SVC_CLOCK: the clock is wrong */
/* What the store says now, or said less than a second ago; what is being asked by another is not waited for. */
SVC_PRIVATE int svc_health_store(svc *s);
SVC_PRIVATE bool svc_health_limiter(const svc *s); /* did svc_config.limiter answer lately? Also where there is none */
SVC_PRIVATE bool svc_health_limiter_now(svc *s);   /* the same, and it is asked: for a look at a bucket that nobody has */
SVC_PRIVATE bool svc_health_size(svc *s, uint64_t *taken, uint64_t *room); /* of the store, without waiting. False: it is not known */
/* Does the request ask whether the process lives, or for its counters? These need no store: they are answered while all threads wait for it. */
SVC_PRIVATE bool svc_is_probe(const svc_request *request);
/* An error of the store, for the log: the engine's own words where it has some. */
#define SVC_STORE_TEXT 320
SVC_PRIVATE const char *svc_store_text(const svc *s, int status, char text[SVC_STORE_TEXT]);

typedef struct svc_kept svc_kept;
typedef struct svc_work svc_work;
struct svc {
  svc_noun_info *nouns;
  size_t noun_count;
  const svc_noun_info *group, *org; /* those in the seats of these names, which everything asks for */
  svc_str vendor;
  svc_config config;      /* strings are the handle's own */
  svc_allocator allocator;
  svc_arena memory;       /* what lives as long as the handle */
  svc_str base_url, base_path, base_path_v1, media_prefix; /* "/api/svc/v2", "application/vnd.svc." */
  svc_drbg *drbg;
  unsigned char secret_key[32]; /* svc_config.secret_key, where that is not NULL */
  svc_commit commit;
  svc_set_row *sets;      /* with the overrides applied; the last one is the token endpoint's */
  int set_count;          /* without that one */
  svc_limiter *limiter;
  const svc_noun_info *seats[SVC_SEAT_COUNT]; /* NULL: that noun is left out of this build */
  svc_digest *digest;
  svc_access_uses *access_uses;
  svc_known *known;
  svc_kept *kept;
  svc_work *work;
  svc_plan *plans;
  size_t plan_count;
  bool asks; /* some operations ask the driver, inspect much, or are at a place of their own: see svc_may_wait() */
  svc_router *router;
  uint64_t session; /* of this handle, for orders that it has given out */
  int64_t session_due; /* when it has to say again that it lives; of who is handing out. 0: nobody wants to know */
  svc_control *control; /* control/: of test control; NULL: it is left out of this build */
  atomic_uint watch;    /* what of it looks at every request: enum svc_watch */
  atomic_bool handing_out;
  svc_counters *counters;       /* NULL: nobody asks */
  atomic_ulong sign_ins_failed;
  atomic_uint sign_ins_said, store_said; /* in the log, lately: see svc_may_say() */
  svc_limits *limits; /* of svc_config.limiter: what is limited together with other handles; NULL: nothing */
  svc_health health;
  bool own_clock; /* the clock is the system's: not svc_config.clock, nor a manual one */
};
/* handle.c */
SVC_PRIVATE int64_t svc_now(const svc *s); /* the configuration's clock */
SVC_PRIVATE void svc_log(const svc *s, int level, const char *format, ...) SVC_PRINTF(3, 4);

/* -------------------------------------------------------------------------------------------------------------- callers */

/*
** Role assignments: what somebody holds besides roles on projects (store/holding.c has those), as text, a line each:
**
**   ROLE id             a role on an organization
**   @organization id    membership of a team of that organization, which holds roles itself
**   ? id                an organization that invites its holder
*/
enum svc_who_kind { SVC_WHO_NOBODY, SVC_WHO_USER, SVC_WHO_KEY, SVC_WHO_ACCOUNT };

/* Who calls. */
typedef struct svc_who {
  int kind; /* enum svc_who_kind */
  bool known;
  svc_str user_id;  /* 24 hex digits: of the user, the key or the account */
  svc_str username; /* the user's name, the public key, the client id */
  const svc_grant *grants; /* of whom the host vouches for, what it says that it holds */
  size_t grant_count;
  svc_str assignments; /* of anybody else, what its record says; its roles on projects are looked up */
  svc_id id, org; /* itself; of a key or account: the organization it belongs to */
  bool one_factor; /* a person, who has shown no second one */
} svc_who;

/* credential.c: what a noun keeps of a credential in `extra`: bytes that verify it, and its assignments. */
SVC_PRIVATE svc_str svc_credential_pack(svc_arena *a, svc_str verifier, svc_str assignments);
SVC_PRIVATE bool svc_credential_unpack(svc_str extra, svc_str *verifier, svc_str *assignments);
SVC_PRIVATE svc_str svc_assignments_of(const svc_entity *e); /* of who has none: empty */
SVC_PRIVATE void svc_assignment_write(svc_buf *b, svc_str role, svc_str on);
SVC_PRIVATE bool svc_assignments_have(svc_str assignments, svc_str role, svc_str on);
SVC_PRIVATE bool svc_assignments_next(svc_str *rest, svc_str *role, svc_str *on);
SVC_PRIVATE bool svc_who_takes(svc_call *c, svc_str assignments); /* these are the caller's */
SVC_PRIVATE const svc_noun_info *svc_who_noun(const svc_call *c); /* what credential the caller is; NULL: none */
/* An entity by its unique value, whatever its scope: keys, accounts, tokens. */
SVC_PRIVATE int svc_find_anywhere(svc_txn *txn, const svc_noun *noun, svc_str unique, svc_id *scope, svc_id *id);
/* The credential of this name, whose organization is there. False: there is none, or txn->error is set. An unknown name costs the same
** reads as a known one; then *out has neither ids nor `extra`. */
SVC_PRIVATE bool svc_credential_find(svc_call *c, const svc_noun_info *noun, svc_str name, svc_entity *out);
/* A fresh secret of so many random bytes; and its salted hash, 16 bytes of salt and 32 of hash. */
SVC_PRIVATE bool svc_secret_bytes(svc_call *c, unsigned char *out, size_t n);
SVC_PRIVATE bool svc_text_hash(svc_arena *a, svc_str text, unsigned char out[32]); /* false: a->failed is set */
SVC_PRIVATE bool svc_secret_hash(svc_call *c, svc_str secret, unsigned char out[48]);
SVC_PRIVATE bool svc_secret_same(svc_call *c, svc_str secret, const unsigned char hash[48]);
SVC_PRIVATE bool svc_digest_verifier(svc_call *c, svc_str public_key, svc_str private_key, unsigned char out[48]);

/* held.c: what the caller holds. */
typedef struct svc_held { /* a walk over all of it */
  svc_str role;
  bool everywhere; /* on everything there is */
  svc_id on;       /* else on this */
  svc_id org;      /* of a project: its organization; zero: that is not known, since the host says so, or it is none */
  size_t vouched;
  svc_str lines, names; /* names: other roles on the same project; whoever wants none of them empties it */
  bool scanning, own, counts;
  svc_scan scan;
} svc_held;
SVC_PRIVATE void svc_held_begin(svc_call *c, svc_held *h);
SVC_PRIVATE bool svc_held_next(svc_call *c, svc_held *h);
SVC_PRIVATE uint64_t svc_roles_on(svc_call *c, const svc_id *group, const svc_id *org); /* either may be NULL */
SVC_PRIVATE bool svc_holds_any(svc_call *c, uint64_t wanted); /* one of these roles, wherever */
SVC_PRIVATE bool svc_holds_inside(svc_call *c, const svc_id *org); /* a role on one of its projects */
/* What the caller may see of a noun that is the project or the organization, without looking at all there are. */
typedef struct svc_seen {
  bool everything;
  svc_id *parents; /* organizations all of whose projects are seen, in the order of ids */
  size_t parent_count;
  svc_id *ids; /* others that are seen one by one, in the order of ids; none of them below one of the parents */
  size_t id_count;
} svc_seen;
SVC_PRIVATE bool svc_seen_of(svc_call *c, const svc_noun_info *noun, svc_seen *out); /* false: the error is set */

/* access.c: may a credential be used from there? */
SVC_PRIVATE const svc_noun_info *svc_access_list_of(const svc *s, const svc_noun_info *credential); /* NULL: it has none */
/* *anywhere: no list says from where. */
SVC_PRIVATE bool svc_access_allowed(svc_call *c, const svc_noun_info *noun, const svc_entity *credential, bool *anywhere);
SVC_PRIVATE bool svc_access_required(const svc_call *c, const svc_id *org); /* of every credential of the organization */
SVC_PRIVATE bool svc_access_factors(svc_call *c, const svc_id *org); /* has the caller shown as many as it asks of people? Else 403 */
typedef struct svc_access_view { /* what a list has to say of the caller's address */
  int entries; /* that were looked at: 0, there are none */
  bool covered;
  svc_id by; /* the entry that covers it */
} svc_access_view;
/* Look for an entry, but this one (NULL: any), that covers the caller's address. False: the store failed. */
SVC_PRIVATE bool svc_access_look(svc_call *c, const svc_noun_info *list, const svc_id *credential, const svc_id *but,
                                 svc_access_view *out);

/* ---------------------------------------------------------------------------------------------------------------- calls */

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
  svc_str pending;        /* what an operation hands to its noun's prepare hook */
  svc_str key;            /* how a path names it, where that is no field of its own */
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

struct svc_call { /* what is used most stands in front: shorter instructions reach it */
  svc *s;
  svc_arena *arena;
  int64_t now;
  svc_txn *txn;
  const svc_plan *plan;    /* NULL: work that no request asked for */
  svc_node *body;          /* as it was sent */
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
  svc_answer answer;
  int drop, delay_ms;  /* of a fault: see svc_response */
  svc_header *headers; /* of the answer */
  size_t header_count;
};

/* A call of the service's own, for work that no request asked for; free the arena's blocks afterwards. */
SVC_PRIVATE void svc_service_call(svc_call *c, svc *s, svc_arena *arena, svc_txn *txn, int64_t now); /* behave.c */
/* The driver, outside of any transaction: for a route's `ahead`; who only reads has `told`. False: 503 is set. */
SVC_PRIVATE bool svc_ask(svc_call *c, svc_question *question, svc_reply *reply); /* behave.c */

/* errors.c */
SVC_PRIVATE int svc_error_status(int code);
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
SVC_PRIVATE bool svc_read_good(svc_call *c); /* the same where a read is about to end, if there is one, whatever was made of it */
SVC_PRIVATE svc_violation *svc_violate(svc_call *c, int code, svc_str path, const char *format, ...) SVC_PRINTF(4, 5); /* may be NULL */
SVC_PRIVATE svc_str svc_error_document(svc_call *c);

/* the stages, in the order of the request; each true, or false with the error set */
SVC_PRIVATE bool svc_stage_request(svc_call *c);    /* request.c */
SVC_PRIVATE bool svc_stage_route(svc_call *c);      /* route.c */
SVC_PRIVATE svc_str svc_methods_allowed(svc_call *c); /* of the path: "GET, HEAD, POST" */
SVC_PRIVATE bool (svc_method_refused)(svc_call *c, svc_str method); /* 405 that names these; false */
#define svc_method_refused(...) (svc_method_refused(__VA_ARGS__), false)
SVC_PRIVATE bool svc_stage_caller(svc_call *c);     /* caller.c */
SVC_PRIVATE bool svc_stage_version(svc_call *c);    /* version.c */
SVC_PRIVATE bool svc_stage_limiter(svc_call *c);    /* limiter.c */
SVC_PRIVATE bool svc_stage_permission(svc_call *c); /* permission.c */
SVC_PRIVATE bool svc_stage_query(svc_call *c);      /* query.c */
SVC_PRIVATE bool svc_stage_body(svc_call *c);       /* body.c */
SVC_PRIVATE bool svc_stage_behave(svc_call *c);     /* behave.c */
SVC_PRIVATE bool svc_behave_in(svc_call *c, svc_txn *txn); /* the same, as a part of somebody else's write transaction */
SVC_PRIVATE void svc_stage_respond(svc_call *c, svc_response *response); /* respond.c */
/* A text that no request has asked for, as a response that owns the arena it is in. SVC_OK or SVC_NOMEM. `type` stays. */
SVC_PRIVATE int svc_respond_text(svc_arena *arena, svc_str text, const svc_header *type, svc_response *out);

/* caller.c, digest.c */
SVC_PRIVATE svc_str svc_token_name(svc_arena *a, svc_str token);
SVC_PRIVATE bool svc_credential_lives(svc_call *c, const svc_entity *credential); /* false: its organization is gone */
SVC_PRIVATE bool svc_basic_credentials(svc_call *c, svc_str *user, svc_str *password);
SVC_PRIVATE bool svc_digest_caller(svc_call *c);
SVC_PRIVATE bool svc_digest_challenge(svc_call *c, bool stale); /* 401 with a challenge; false */

/* version.c: the i-th version of a route, from 0, as a number: 20230101; 0: it has not so many. */
SVC_PRIVATE unsigned svc_route_version(const svc_route *route, unsigned i);
SVC_PRIVATE unsigned svc_route_newest(const svc_route *route); /* the one that is served */
SVC_PRIVATE bool svc_has_ended(const svc *s, const svc_plan *plan, int64_t now); /* past its sunset date, which is enforced */
/* The plain type of what a route with `media` answers with; true: it has no versions. */
SVC_PRIVATE bool svc_media_of(const svc_route *route, svc_str *type, svc_str *sub);

/* permission.c */
SVC_PRIVATE bool (svc_lacks_role)(svc_call *c, uint64_t wanted); /* 403 that names them; false */
#define svc_lacks_role(...) (svc_lacks_role(__VA_ARGS__), false)
SVC_PRIVATE bool (svc_no_part)(svc_call *c, const svc_noun_info *noun, svc_str key); /* it is there, for others; false */
#define svc_no_part(...) (svc_no_part(__VA_ARGS__), false)
SVC_PRIVATE bool svc_entity_visible(svc_call *c, const svc_noun_info *noun, const svc_entity *e);
/* Has the caller any part in the last of these steps of the path: an organization or project, or what belongs to some?
** c->error: there is none. */
SVC_PRIVATE bool svc_takes_part(svc_call *c, unsigned hops, uint64_t *roles);

/* resolve.c: the entities that the path names. */
SVC_PRIVATE bool svc_begin_read(svc_call *c); /* unless a transaction is open */
SVC_PRIVATE bool svc_begin_draft(svc_call *c); /* of a request that is likely to write: svc_store_port.draft_begin, where it is worth it */
SVC_PRIVATE void svc_end_read(svc_call *c);
SVC_PRIVATE bool svc_resolve(svc_call *c, unsigned hops); /* false: 404 is set, or the store failed */
SVC_PRIVATE bool svc_resolve_all(svc_call *c); /* of a GET permission has looked up organization and project, where these are all */
SVC_PRIVATE const svc_entity *svc_parent_of_call(const svc_call *c); /* NULL: none */
SVC_PRIVATE const svc_entity *svc_path_entity(const svc_call *c, const char *noun); /* by its noun's name; NULL: not in the path */
SVC_PRIVATE svc_str svc_path_param(const svc_call *c, const char *name); /* decoded; empty: the path has none of this name */
SVC_PRIVATE bool svc_not_found(svc_call *c, const svc_noun_info *noun, unsigned hop, svc_str key);
/* A noun below organizations, whose entities the path may also name below their projects: whose it is. */
SVC_PRIVATE svc_id svc_parent_in(const svc_call *c, const svc_noun_info *noun, const svc_entity *above);
SVC_PRIVATE int svc_entity_above(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_entity *out); /* its parent */
SVC_PRIVATE int svc_get_nouns(svc_txn *txn, const svc_noun_info *noun, const svc_id *ids, size_t n, svc_entity *out); /* svc_entities_get */
SVC_PRIVATE int svc_get_noun(svc_txn *txn, const svc_noun_info *noun, const svc_id *id, svc_entity *out); /* SVC_GLOBAL ones */
SVC_PRIVATE int svc_get_noun_said(svc_txn *txn, const svc_noun_info *noun, svc_str id, svc_entity *out); /* the same, as svc_entity_said() */

/* query.c */
SVC_PRIVATE const svc_query_value *svc_query_get(const svc_call *c, const char *name); /* the first; NULL: not given */
SVC_PRIVATE bool svc_query_has(const svc_call *c, const char *name, svc_str value); /* one of a repeated one */

/* values.c: values of the tables, with the vendor's word in place of svc where they begin with it. */
SVC_PRIVATE svc_str svc_value_text(const svc *s, svc_arena *a, const char *value); /* as it is sent; NUL-terminated */
SVC_PRIVATE bool svc_value_is(const svc *s, svc_str text, const char *value);
SVC_PRIVATE bool svc_value_in(const svc *s, svc_str text, const char *const *values);
SVC_PRIVATE svc_str svc_did_you_mean(svc_call *c, const svc_near *near); /* "; did you mean X?", or "" */
SVC_PRIVATE svc_str svc_values_meant(svc_call *c, const char *const *values, svc_str sent); /* the same, and the one that is near */
SVC_PRIVATE svc_str svc_values_known(svc_call *c, const char *const *values); /* "A, B or C", for an error */

/* need.c: fields that have to be sent under a condition. */
SVC_PRIVATE bool svc_object_needs(const svc_object *object); /* has it, or what it is based on, such rows? */
/* The next term of a condition, "provider=AWS|AZURE": its field, and its values, empty: any. False: there is none left. */
SVC_PRIVATE bool svc_need_term(svc_str *where, svc_str *field, svc_str *values);
SVC_PRIVATE bool svc_need_holds(svc_call *c, const svc_need *need, const svc_node *body); /* has to be sent what it says? */
SVC_PRIVATE svc_str svc_need_why(svc_call *c, const svc_need *need); /* for violations: "is required where enabled is true" */

/* check.c: a body against the table of its fields. */
enum svc_check_mode { SVC_CHECK_CREATE, SVC_CHECK_UPDATE, SVC_CHECK_REPLACE };
/* The body as it shall be stored; NULL: violations were found, or there is no memory. `before` NULL: there is none. */
SVC_PRIVATE svc_node *svc_check(svc_call *c, const svc_object *object, const svc_node *input, const svc_node *before,
                                int mode);
SVC_PRIVATE svc_node *svc_check_array(svc_call *c, const svc_object *object, const svc_node *input); /* an array of them */
SVC_PRIVATE svc_str svc_violation_text(svc_call *c, const svc_violation *v); /* a sentence, and how many more there are */
SVC_PRIVATE bool svc_check_done(svc_call *c); /* false with the error when there were violations */
SVC_PRIVATE svc_node *svc_preset(const svc *s, svc_arena *a, const svc_field *f); /* its default; NULL: none, or no memory */
SVC_PRIVATE svc_node *svc_presets(const svc *s, svc_arena *a, const svc_object *object); /* an object with nothing but its defaults */

/* fields.c: the tables of fields, with base objects and unions. */
#define SVC_FIELD_LEVELS 6 /* an object and those it is based on; svc_open() refuses tables with more */
typedef struct svc_fields {
  const svc_field *at[SVC_FIELD_LEVELS], *end[SVC_FIELD_LEVELS];
  int count;
} svc_fields;
/* The variant of a union by the value of its field (NULL: the default one); NULL: there is none. */
SVC_PRIVATE const svc_object *svc_variant_of(const svc_object *object, const svc_node *by);
/* The object itself, or the variant of a union that this body asks for; NULL: none. */
SVC_PRIVATE const svc_object *svc_object_of(const svc_object *object, const svc_node *body);
SVC_PRIVATE void svc_fields_begin(svc_fields *f, const svc_object *object); /* of no union: ask svc_object_of() first */
SVC_PRIVATE const svc_field *svc_fields_next(svc_fields *f); /* in the order of names, base objects merged in */
SVC_PRIVATE const svc_field *svc_field_named(const svc_object *object, svc_str name); /* NULL: it has none */
/*
** A path of fields: "a.b" is inside of a, "a[].b" in each element of the array a. "a[type=X].b" is in those elements, or in the
** object a itself, whose member "type" is X. An "@" and the text behind it end the path (svc_ref).
*/
typedef struct svc_path_step {
  svc_str name;          /* "a" */
  svc_str member, value; /* "type" and "X"; member.p NULL: no brackets; value.n 0: every element */
  const char *rest;      /* the path behind this step; empty: this is the last one */
} svc_path_step;
SVC_PRIVATE svc_path_step svc_path_first(const char *path);
SVC_PRIVATE bool svc_path_enters(const svc_path_step *step, const svc_node *node); /* does its condition hold of this element? */
/* The values that a path leads to. False: a visit said so. */
typedef bool (*svc_value_visitor)(void *context, const svc_node *value);
SVC_PRIVATE bool svc_each_value(const svc_node *body, const char *field, svc_value_visitor visit, void *context);

/* links.c */
SVC_PRIVATE void svc_template_write(svc_buf *b, const svc_template *t, const svc_call *c, const svc_answer *answer);
SVC_PRIVATE size_t svc_template_size(const svc_template *t, const svc_call *c, const svc_answer *answer);
SVC_PRIVATE int svc_links_open(svc *s);
/* One more link in the answer, to the GET that is called `op`: the parameters of its path are those of the same name in the path of
** the request, and for the others `values`, in their order. Nothing where the operation was left out; out of memory: the arena says so. */
SVC_PRIVATE void svc_answer_link(svc_call *c, const char *op, const svc_str *values);
SVC_PRIVATE bool svc_links_served(svc_call *c, const svc_node *links); /* are these what a GET shows of the path's entity? */

/* ---------------------------------------------------------------------------------------------------------- behaviour */

/* answer.c: what a request is answered with. */
SVC_PRIVATE uint64_t svc_body_revision(svc_str body); /* the ETag of what is not stored */
SVC_PRIVATE bool svc_if_match(svc_call *c, uint64_t revision); /* false: 412 */
SVC_PRIVATE bool svc_if_match_view(svc_call *c, const svc_node *view); /* the same, of a body made for the request */
SVC_PRIVATE bool svc_if_match_entity(svc_call *c, const svc_entity *e); /* the same, of an entity of the route's noun */
SVC_PRIVATE void svc_answer_keys(svc_call *c, const svc_plan *item, const svc_entity *e, svc_answer *out); /* for its links */
SVC_PRIVATE bool svc_answer_entity(svc_call *c, const svc_entity *e); /* as its route or noun shows it */
SVC_PRIVATE bool svc_answer_view(svc_call *c, const svc_entity *e, svc_node *view); /* shown as this; NULL: no memory */
/* One that is shown inside of the answer, which is no list: with a link to itself. */
SVC_PRIVATE void svc_answer_linked(svc_call *c, const svc_entity *e, svc_node *shown);
SVC_PRIVATE svc_node *svc_entity_view(svc_call *c, const svc_entity *e); /* as its route or noun shows it; NULL: failed */
SVC_PRIVATE void svc_answer_keep(svc_call *c);                   /* Idempotency-Key keeps what is answered so far, no more */
SVC_PRIVATE bool svc_answer_body(svc_call *c, svc_node *body);   /* another body for the entity that was answered */
SVC_PRIVATE bool (svc_answer_nothing)(svc_call *c);              /* 204, or what the route says; true, and the compiler is told */
#define svc_answer_nothing(...) (svc_answer_nothing(__VA_ARGS__), true)
SVC_PRIVATE bool svc_answer_node(svc_call *c, svc_node *body);   /* a computed entity, with the links of its route */
SVC_PRIVATE bool svc_answer_json(svc_call *c, svc_str json); /* a JSON text that is no entity: without links, in an envelope if asked */
SVC_PRIVATE bool svc_answer_value(svc_call *c, const svc_entity *e); /* of a route with `value` */
SVC_PRIVATE bool svc_answer_bytes(svc_call *c, svc_str bytes);   /* of a route with `media`, as they are */
SVC_PRIVATE svc_node *svc_entity_body(svc_call *c, const svc_entity *e); /* parsed; NULL: no memory, and the error is set */

/* verbs.c: what most operations are. Each serves one request inside of its transaction. */
SVC_PRIVATE bool svc_verb_list(svc_call *c);
SVC_PRIVATE bool svc_verb_read(svc_call *c);
SVC_PRIVATE bool svc_verb_create(svc_call *c);
SVC_PRIVATE bool svc_verb_update(svc_call *c);  /* PATCH: merges */
SVC_PRIVATE bool svc_verb_replace(svc_call *c); /* PUT */
SVC_PRIVATE bool svc_verb_delete(svc_call *c);

/* mark.c: a record of the store's own, by name. Where it is `was` (n 0: missing), `ours` (n 0: nothing) becomes it, unless keep_orders
** is set, or only_new is and the store has entities. kept: the record as it is now, in the arena; n 0: there is none. */
SVC_PRIVATE int svc_mark(svc *s, const char *name, svc_str was, svc_str ours, bool only_new, svc_arena *a, svc_str *kept);

/* seal.c: secrets at rest. `name` is that of the field, for which alone it opens again. */
SVC_PRIVATE int svc_seal_start(svc *s); /* is the key that of the store? */
SVC_PRIVATE svc_str svc_seal(svc_call *c, const svc_entity *e, svc_str name, svc_str secret); /* as text; n 0: refused, or failed */
SVC_PRIVATE bool svc_unseal(svc_call *c, const svc_entity *e, svc_str name, svc_str sealed, svc_str *secret); /* false: not by this key */
SVC_PRIVATE bool svc_is_sealed(const svc_node *value); /* of a change's body: a secret that is kept, which no hook sees */
SVC_PRIVATE bool svc_may_seal(svc_str text);           /* it is no mask, and can be kept */
SVC_PRIVATE bool svc_seal_shown_is(const svc_node *kept, const svc_node *input); /* what was sent is what was shown of it */
/* A secret that was sent once more is the stored one. False: refused, since a stored secret would go to another destination. */
SVC_PRIVATE bool svc_seal_settle(svc_call *c, const svc_change *change);
SVC_PRIVATE bool svc_seal_body(svc_call *c, const svc_change *change, svc_entity *e); /* the change's body: what is shown, and extra */
SVC_PRIVATE bool svc_seal_join(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_node *body); /* the other way */
SVC_PRIVATE svc_node *svc_seal_secrets(const svc *s, svc_arena *a, const svc_entity *e); /* in clear, by name; NULL: no key, no memory */

/* change.c: creates and changes. */
SVC_PRIVATE bool svc_quota_exceeded(svc_call *c, const svc_noun *noun, int64_t limit, const svc_id *parent); /* refused; false */
SVC_PRIVATE int64_t svc_quota_used(svc_call *c, const char *quota, const svc_id *group); /* by all nouns that share this limit */
SVC_PRIVATE bool svc_within_quota(svc_call *c, const svc_noun *noun, const svc_id *parent, size_t more); /* for so many more; false: 403 */
SVC_PRIVATE bool svc_target(svc_call *c, svc_entity *out, bool *stored); /* the entity that the request is about */
SVC_PRIVATE bool svc_change_write(svc_call *c, const svc_change *change, svc_entity *e); /* its body and extra, as they are stored */
SVC_PRIVATE bool svc_change_differs(const svc_change *change, const char *field); /* has this member another value than before? */
SVC_PRIVATE bool svc_insert(svc_call *c, svc_change *change, svc_entity *out); /* a create, checked and prepared */
/* An action that changes the entity of its path: begin, change change->body, store; that also answers with the entity. */
/* A create, for svc_insert(): with a copy of this body, as the hooks change it and this may run again; NULL: with an empty one. */
SVC_PRIVATE bool svc_change_new(svc_call *c, const svc_noun_info *noun, const svc_node *body, svc_change *change);
SVC_PRIVATE bool svc_change_begin(svc_call *c, svc_change *change);
SVC_PRIVATE const svc_node *svc_change_input(svc_call *c, const svc_change *change); /* what was sent; NULL: no memory, or refused */
SVC_PRIVATE bool svc_change_store(svc_call *c, svc_change *change);
/* The same for another entity than that of the path; it is not answered with, and has no event unless one is set between. */
SVC_PRIVATE bool svc_change_of(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, svc_change *change);
SVC_PRIVATE bool svc_change_keep(svc_call *c, svc_change *change, svc_entity *out);
/* A stored entity with another body, and nothing else: no hook, no event. */
SVC_PRIVATE bool svc_rewrite(svc_call *c, const svc_entity *stored, const svc_node *body);

SVC_PRIVATE void svc_change_keys(svc_call *c, const svc_change *change, svc_entity *e); /* how it is named and found */

/* What is written along with an entity; before NULL: it is new, body NULL: it is gone. */
SVC_PRIVATE bool svc_change_along(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *before,
                                  const svc_node *body);

/* What an entity shows of how many are below it: as one of them comes or goes, and in a body about to be stored. */
SVC_PRIVATE bool svc_recount(svc_call *c, const svc_noun_info *noun, const svc_entity *e);
SVC_PRIVATE void svc_count_below(svc_call *c, const svc_noun_info *noun, const svc_id *id, svc_node *body);

/* element.c: what is no entity, but an element of an array of one. */
SVC_PRIVATE svc_node *svc_element_named(const svc_node *list, svc_str id); /* NULL: it has none */
SVC_PRIVATE bool svc_element_entity(svc_call *c, const svc_entity *whole, const svc_node *item, svc_entity *out);
SVC_PRIVATE bool svc_element_create(svc_call *c);
SVC_PRIVATE bool svc_element_change(svc_call *c, int mode); /* enum svc_check_mode */
SVC_PRIVATE bool svc_element_delete(svc_call *c);

/* scope.c: to which project and organization things belong. */
SVC_PRIVATE void svc_scope_enter(svc_call *c, const svc_entity *e); /* work of the service's own is about this one */
SVC_PRIVATE bool svc_scope_covers(const svc_scope *scope, const svc_scope *of); /* is that the same, or the organization above? */
/* To what one with this parent and id belongs. The call goes on there, unless that is where it is. */
SVC_PRIVATE bool svc_scope_of_new(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_scope *out);
/* Are there records of the one below those of the other? Of events it says no. */
SVC_PRIVATE bool svc_scope_holds(const svc *s, const svc_noun_info *noun, const svc_noun_info *below);
/* A project has gone to another organization: all that is below it belongs there now. */
SVC_PRIVATE bool svc_scope_move(svc_call *c, const svc_id *group, const svc_id *org);

/* erase.c: what goes. */
/* It and all below it; each speaks. It is gone at once, but of what is below it only so much; the rest follows by itself. */
SVC_PRIVATE bool svc_erase(svc_call *c, const svc_noun_info *noun, const svc_entity *e);
SVC_PRIVATE bool svc_erase_due(svc_call *c, const svc_due_entry *due, bool *mine); /* the next of it */
SVC_PRIVATE bool svc_may_erase(svc_call *c, const svc_noun_info *noun, const svc_entity *e); /* nothing holds it; false: refused */
SVC_PRIVATE bool svc_guarded(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *body, int what);

/* verify.c: is the store whole? Each part looks at its own records, one at a time. */
#define SVC_FINDINGS 100 /* that are told; there may be more */
typedef struct svc_verify_count svc_verify_count;
typedef struct svc_verify {
  svc_call *c, *outer; /* of the record, and of the whole walk */
  void (*found)(void *context, const char *text);
  void *context;
  size_t findings, here; /* all; those of this record */
  const svc_allocator *memory;
  svc_verify_count *counts; /* what is counted, by the keys of counts */
  size_t count_used, count_room;
  svc_id *erasing; /* gone, but for what was below them */
  size_t erasing_count, erasing_due;
  size_t meters_wanted, meters_open; /* lines of the ledger that entities have to have, and that there are */
} svc_verify;
SVC_PRIVATE void svc_found(svc_verify *v, const char *kind, const svc_id *id, const char *format, ...) SVC_PRINTF(4, 5);
SVC_PRIVATE void svc_verify_counts(svc_verify *v, const char *kind, const svc_id *parent, int64_t n); /* so many more are counted */
SVC_PRIVATE bool svc_verify_there(svc_verify *v, const svc_key *key);
SVC_PRIVATE bool svc_verify_get(svc_verify *v, const char *kind, const svc_id *parent, const svc_id *id, svc_entity *out);
SVC_PRIVATE void svc_refs_verify(svc_verify *v, const svc_noun_info *noun, const svc_entity *e, const svc_node *body);
SVC_PRIVATE void svc_refs_verify_entry(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_tally_verify(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_meter_verify(svc_verify *v, const svc_noun_info *noun, const svc_entity *e, const svc_node *body);
SVC_PRIVATE void svc_meter_verify_line(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_meter_verify_open(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE bool svc_meter_verify_due(svc_verify *v, const svc_due_entry *due); /* false: it is no month's end */
SVC_PRIVATE void svc_order_verify(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_order_verify_id(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_order_verify_waiting(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_retry_verify(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE void svc_retry_verify_index(svc_verify *v, svc_str key, svc_str value);
SVC_PRIVATE bool svc_retry_verify_due(svc_verify *v, const svc_due_entry *due); /* false: it is none of those */

/* refs.c: entities that name others. */
SVC_PRIVATE bool svc_refs_check(svc_call *c, const svc_change *change); /* what is named anew must be there, and must stay */
SVC_PRIVATE bool svc_refs_write(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *before,
                                const svc_node *body); /* either may be NULL */
SVC_PRIVATE bool svc_refs_free(svc_call *c, const svc_noun_info *noun, const svc_entity *e); /* false: it is named */
/* Is it named by one of the noun of this name? */
SVC_PRIVATE bool svc_refs_named_by(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const char *by);
/* The nouns of all that name it by its id, one after the other. */
SVC_PRIVATE bool svc_refs_users(svc_call *c, const svc_entity *e, void (*user)(void *context, const svc_noun_info *from), void *context);
/* An entity is gone: the references to it go as well. in_cascade: so does its whole project or organization. */
SVC_PRIVATE bool svc_refs_drop(svc_call *c, const svc_noun_info *noun, const svc_entity *e, bool in_cascade);
/* May this project go to another organization? False: a reference would cross from one organization to another, and it is refused. */
SVC_PRIVATE bool svc_refs_may_move(svc_call *c, const svc_entity *group);
/* Of a field that names others of the same noun: do these, or those that they name, name it again? False: failed. */
SVC_PRIVATE bool svc_refs_circle(svc_call *c, const svc_change *change, const char *field, bool *circle);

/* list.c: pages. */
typedef struct svc_item {
  svc_str key;  /* percent-encoded; empty: it has no link */
  svc_str body; /* JSON object without links */
  size_t links_at;
} svc_item;
/* Gives the items one by one, in order; false: no more, or c->error is set. Filters by going on to the next. With `out`
** NULL the item is only passed over. */
typedef bool (*svc_item_source)(svc_call *c, void *state, svc_item *out);
SVC_PRIVATE bool svc_list_items(svc_call *c, svc_item_source source, void *state, int64_t total); /* total < 0: unknown */
/* Passes over several items at once, at most so many: how many; 0: it has to be one by one from here, or there are no more. */
typedef int64_t (*svc_item_pass)(svc_call *c, void *state, int64_t most);
SVC_PRIVATE bool svc_list_passing(svc_call *c, svc_item_source source, svc_item_pass pass, void *state, int64_t total);
SVC_PRIVATE bool svc_list_stored(svc_call *c, svc_scan *scan, int64_t total); /* records, straight as they are */
SVC_PRIVATE void svc_item_node(svc_call *c, svc_item *item, svc_str key, const svc_node *body);

/* tally.c: of a log that grows without end, how many there are of each value, block by block. */
#define SVC_TALLIES 4 /* fields of a noun that are tallied */
typedef struct svc_place { /* of a value in a body: what stands beside it in `extra`, one for each field that is tallied */
  uint32_t at, n;
} svc_place;
typedef struct svc_tally {
  svc_id first, last;
  uint32_t count;
  svc_str rest; /* private, as what follows */
  int field;
  uint32_t left;
} svc_tally;
SVC_PRIVATE size_t svc_tally_fields(const svc_noun *noun); /* how many are tallied */
SVC_PRIVATE int svc_tallied(const svc_noun *noun, const char *field); /* which of its fields that is; -1: none of those */
SVC_PRIVATE bool svc_tally_text(svc_call *c, const svc_entity *e, int field, svc_str *out); /* false: it is not known */
SVC_PRIVATE void svc_tally_begin(svc_scan *scan, svc_txn *txn, const char *kind, const svc_id *parent, bool backwards);
SVC_PRIVATE bool svc_tally_next(svc_scan *scan, svc_tally *out);
SVC_PRIVATE bool svc_tally_value(svc_tally *t, int *field, svc_str *text, uint32_t *count); /* one by one, in the order of fields */
SVC_PRIVATE bool svc_tally_note(svc_call *c, const svc_noun *noun, const svc_entity *e); /* it was inserted */
SVC_PRIVATE void svc_tally_forget(svc_txn *txn, const svc_noun *noun, const svc_id *parent);

/* entities.c: stored entities as a source of items. */
typedef struct svc_entities {
  const svc_noun_info *noun;
  svc_id parent;
  const svc_filter *filters; /* NULL: none */
  /* NULL: all, as they are stored. Context: whatever these need. */
  bool (*keep)(svc_call *c, const svc_entity *e, void *context);
  svc_node *(*view)(svc_call *c, const svc_entity *e, void *context);
  bool (*write)(svc_call *c, const svc_entity *e, svc_item *out); /* rather than `view`: the item's own text */
  void *context;
} svc_entities;
SVC_PRIVATE svc_str svc_entity_text(svc_call *c, const svc_noun *noun, const svc_entity *e, const char *field); /* of "a.b" in its body */
SVC_PRIVATE bool svc_entity_in_path(svc_call *c, const svc_entity *e); /* has it the value that stands in the path? */
SVC_PRIVATE bool svc_list_entities(svc_call *c, const svc_entities *which);
SVC_PRIVATE bool svc_list_elements(svc_call *c, const svc_entities *which); /* element.c */
SVC_PRIVATE bool svc_entities_pass(svc_call *c, const svc_entities *which, const svc_entity *e); /* by its filters and keep */
SVC_PRIVATE bool svc_filter_compares(svc_call *c, const svc_filter *f, const svc_query_value *given, svc_str text);
/* Those below a parent, as far as the filters by date go. */
SVC_PRIVATE void svc_entities_scan(svc_call *c, const svc_entities *which, const svc_id *parent, svc_scan *scan);
SVC_PRIVATE bool svc_list_blocks(svc_call *c, const svc_entities *which, int64_t total); /* blocks.c: of a noun that is tallied */
SVC_PRIVATE bool svc_entities_item(svc_call *c, const svc_entities *which, const svc_entity *e, svc_item *out);
/* prefix.c: those below a parent whose unique value begins so, in whatever case. *found false: it is better to look at each. */
SVC_PRIVATE bool svc_prefix_find(svc_call *c, const svc_noun_info *noun, const svc_id *parent, svc_str prefix, svc_seen *out,
                                 bool *found);
/* Those of a noun that is the project or the organization which the caller may see; parent zero: wherever. */
SVC_PRIVATE bool svc_list_seen(svc_call *c, const svc_entities *which);

/* lifecycle.c */
SVC_PRIVATE const svc_transition *svc_transition_from(const svc_noun *noun, svc_str state);
SVC_PRIVATE int64_t svc_provisioned(const svc *s, unsigned percent, int64_t now); /* when so much of that time has passed */
SVC_PRIVATE int64_t svc_transition_due(const svc *s, const svc_noun *noun, svc_str state, int64_t now); /* 0: it stays */
SVC_PRIVATE const char *svc_event_of_gone(const svc_noun *noun); /* written when one is gone; NULL: none */
/* Out of the state that it is in; facts NULL: none came of it. */
SVC_PRIVATE bool svc_transition_take(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, const svc_node *facts,
                                     int tag);
SVC_PRIVATE int svc_apply_due(svc *s, int64_t now);
SVC_PRIVATE int svc_apply_due_some(svc *s, int64_t now, int64_t *left); /* not more than so many steps, and a few; 0: it stopped there */

/* order.c: what the driver is to do, and has done. */
SVC_PRIVATE bool svc_order_put(svc_call *c, const svc_noun_info *noun, const svc_entity *e); /* for the state it is in, if any */
SVC_PRIVATE bool svc_order_gone(svc_call *c, const svc_noun_info *noun, const svc_entity *e); /* it is gone */
SVC_PRIVATE bool svc_order_has_taker(const svc *s, const svc_noun *noun); /* there is somebody to whom its orders go */
SVC_PRIVATE bool svc_order_waits(svc_call *c, const svc_entity *e); /* is there one for it? */
SVC_PRIVATE int svc_orders_open(svc *s);
SVC_PRIVATE void svc_orders_close(svc *s);
SVC_PRIVATE bool svc_order_is_session(svc_str key);
SVC_PRIVATE int svc_orders_hand_out(svc *s, int64_t now);
SVC_PRIVATE int64_t svc_orders_next(svc *s, int64_t after); /* when one is to be handed out, later than this; INT64_MAX: none is */

/* simulator.c: the driver where the host has none; and what drivers answer. */
SVC_PRIVATE const svc_driver *svc_simulator(void);
SVC_PRIVATE int64_t svc_simulated(const char *resource, const char *what, int64_t now); /* a figure from 0 to 1000 */
SVC_PRIVATE uint64_t svc_simulated_hash(const char *resource, const char *what, int64_t at); /* any figure at all */
/* simulator_series.c: figures in thousandths, of a metric by its name and unit. whole: what of it is free and what is used make up
** together; 0: as is usual of the unit. */
SVC_PRIVATE int64_t svc_simulated_metric(const char *resource, const char *metric, const char *units, int64_t whole, int64_t at);
SVC_PRIVATE int svc_simulate_series(const svc_question *q, svc_reply *r);
SVC_PRIVATE int svc_simulate_ranked(const svc_question *q, svc_reply *r);
SVC_PRIVATE void svc_reply_begin(svc_reply *reply, svc_arena *arena, size_t most);

/* meter.c: the ledger of what costs money. */
SVC_PRIVATE bool svc_meter_note(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *body); /* NULL: gone */
/* May the organization have this, that costs more than before? NULL: it is new. False: 402. */
SVC_PRIVATE bool svc_meter_affords(svc_call *c, const svc_noun_info *noun, const svc_id *org, const svc_node *before,
                                   const svc_node *body);
typedef struct svc_ledger_line {
  svc_id org, group, id;
  svc_id top; /* what it is part of, right below the project; itself where that is it */
  svc_str top_name, group_name; /* what they were called when it began */
  char kind[SVC_KIND_SIZE];
  unsigned month;       /* 202503 */
  unsigned slot;        /* which of those that its entity has */
  int64_t since, until; /* milliseconds; until 0: it is still running */
  svc_meter meter;
} svc_ledger_line;
SVC_PRIVATE void svc_ledger_begin(svc_scan *scan, svc_txn *txn, const svc_id *org, unsigned month); /* month 0: all */
SVC_PRIVATE bool svc_ledger_next(svc_scan *scan, svc_ledger_line *out);
SVC_PRIVATE bool svc_meter_due(svc_call *c, const svc_due_entry *due, bool *mine); /* a month ends */

/* event.c */
SVC_PRIVATE bool svc_event_write(svc_call *c, const char *type, const svc_scope *scope, const char *field, svc_str value);
typedef struct svc_event_part { /* what an event is about */
  const char *name;
  svc_str value; /* empty: it has none */
  bool raw;      /* that is JSON, no text */
} svc_event_part;
/* With several of these, in the order of their names. */
SVC_PRIVATE bool svc_event_with(svc_call *c, const char *type, const svc_scope *scope, const svc_event_part *about, size_t count);
SVC_PRIVATE bool svc_event_about(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const char *type, bool gone);

/* retry.c: Idempotency-Key. */
SVC_PRIVATE bool svc_retry_before(svc_call *c, bool *answered);
SVC_PRIVATE bool svc_retry_after(svc_call *c, bool wrote); /* wrote: the request has changed something */
SVC_PRIVATE bool svc_retry_expire(svc_txn *txn, const svc_due_entry *due); /* false: not mine */

/* openapi.c, openapi_schema.c */
SVC_PRIVATE svc_str svc_openapi_document(const svc *s, svc_arena *a);
SVC_PRIVATE svc_str svc_openapi_kept(svc *s, uint64_t *revision); /* built once per handle; p NULL: no memory */

/* kept.c: results that are expensive to work out from records, kept in memory while the records are the same. */
typedef struct svc_kept_item {
  struct svc_kept_item *next;
  char kind[SVC_KIND_SIZE];
  svc_id of;
  uint64_t version; /* hash of the records that the value was worked out from */
  svc_arena memory; /* holds the value, and this item */
  void *value;
  size_t bytes;
  unsigned users;
  bool listed;
} svc_kept_item;
SVC_PRIVATE int svc_kept_open(svc *s);
SVC_PRIVATE void svc_kept_close(svc *s);
SVC_PRIVATE uint64_t svc_kept_hash(const svc *s, uint64_t version, svc_str text); /* the hash of one record more */
/* The value of this version, shared with other threads: it may not be changed. NULL: it is not kept. */
SVC_PRIVATE svc_kept_item *svc_kept_get(svc *s, const char *kind, const svc_id *of, uint64_t version);
/* The same, but it is taken out: the caller alone has it, and may change it. */
SVC_PRIVATE svc_kept_item *svc_kept_take(svc *s, const char *kind, const svc_id *of, uint64_t version);
SVC_PRIVATE svc_kept_item *svc_kept_new(svc *s, const char *kind, const svc_id *of, uint64_t version); /* NULL: no memory */
SVC_PRIVATE void svc_kept_put(svc *s, svc_kept_item *item);  /* from now on others find it; the caller still has it */
SVC_PRIVATE void svc_kept_leave(svc *s, svc_kept_item *item); /* the caller has it no longer; NULL is fine */

/* work.c: the share of an organization in work that no request waits for. */
SVC_PRIVATE int svc_work_open(svc *s);
SVC_PRIVATE void svc_work_close(svc *s);
/* About so many steps are to be done for an organization. 0: now, and they are counted. Else: the time that is reserved for them. */
SVC_PRIVATE int64_t svc_work_begin(svc *s, const svc_id *org, int64_t now, int64_t steps);
SVC_PRIVATE void svc_work_end(svc *s, const svc_id *org, int64_t now, int64_t expected, int64_t taken); /* what it really took */
SVC_PRIVATE bool svc_work_may_say(svc *s, const svc_id *org, int64_t now); /* in the log, once a minute for an organization */

/* ------------------------------------------------------------------------------------------- what the catalog provides */

SVC_PRIVATE const svc_noun *const *svc_catalog(size_t *count); /* written by the fold: every noun file */
/* catalog/simulated.c: questions whose answers have shapes of the catalog's. SVC_INVALID: there is no such question. */
SVC_PRIVATE int svc_catalog_simulates(const svc_question *q, svc_reply *r);

/* catalog/words.c: what a word of an operation's name, or all of it, is read as; NULL: as it is written. */
SVC_PRIVATE const char *svc_word_read(svc_str word);

/* catalog/sets.c, catalog/roles.c, catalog/event_types.c */
SVC_PRIVATE const svc_set_row *svc_set_table(int *count);
SVC_PRIVATE size_t svc_set_id(int set, char *out, size_t size);
SVC_PRIVATE int svc_role_by_name(svc_str name); /* -1: there is none */
SVC_PRIVATE uint64_t svc_role_includes(int role);
SVC_PRIVATE uint64_t svc_role_least(void); /* what every role of projects includes */
SVC_PRIVATE uint64_t svc_role_all(void);   /* all roles of projects */
SVC_PRIVATE const char *svc_role_name(int role); /* NULL: there are not so many */
SVC_PRIVATE const char *svc_role_title(int role);
SVC_PRIVATE int svc_role_level(int role); /* SVC_SCOPE_ORGANIZATION or SVC_SCOPE_GROUP */

/* A row of catalog/event_type_list.h. Zeroed, it stands before the first. */
#define SVC_EVENT_NAME_SIZE 80 /* its name, with a NUL */
typedef struct svc_event_type {
  size_t number; /* from 1 */
  char name[SVC_EVENT_NAME_SIZE];
  const char *rest, *description; /* rest: of its name, behind what others begin with as well */
  size_t prefix_n, rest_n;        /* bytes of both */
  int where; /* enum svc_event_where */
  bool alertable;
} svc_event_type;
enum svc_event_where { SVC_EVENT_GROUP = 1, SVC_EVENT_ORG = 2 }; /* whose log a type can stand in */
SVC_PRIVATE bool svc_event_type_next(svc_event_type *t);
SVC_PRIVATE bool svc_event_type_named(const char *name, svc_event_type *out); /* false: there is none */
SVC_PRIVATE bool svc_event_type_known(const svc *s, svc_str name, svc_event_type *out); /* the same, by a client's word for it */

#endif /* SVC_PIPELINE_H */

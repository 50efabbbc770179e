/*
** An open handle (struct svc), and the parts that live as long as it does: resolved tables, router, limiter, nonces, counters, health,
** results kept in memory.
*/
#ifndef SVC_HANDLE_H
#define SVC_HANDLE_H

#include "store/store.h"
#include "pipeline/error_list.h"
#include "pipeline/table.h"

/* Text with holes that are filled in with keys of the request: how links are written without any search. */
enum svc_hole { SVC_HOLE_NONE = -1, SVC_HOLE_OWN = 8, SVC_HOLE_PARENT, SVC_HOLE_UNIQUE, /* 0..7: an entity of the path */
                SVC_HOLE_QUERY, /* the operation's own parameters, as they were given */
                SVC_HOLE_PARAM = 16, /* and up: a parameter that names no entity */
                SVC_HOLE_PART = 256 /* times enum svc_linked_by, on top of one of the others: a part of what is in that */ };
typedef struct svc_piece {
  svc_str text; /* those of a template stand one behind the other, with the room of an id between them */
  int hole; /* behind the text */
  unsigned same; /* how many from here on have the same hole */
} svc_piece;
typedef struct svc_hole_use {
  int hole;
  unsigned times;
} svc_hole_use;
typedef struct svc_template {
  const svc_piece *pieces;
  const svc_hole_use *uses; /* each hole once: the size of what is written follows from these */
  size_t count, use_count, text_size;
  bool has_parent, has_unique; /* holes that are filled in only where they are */
} svc_template;

/* A noun as the open handle knows it. */
typedef struct svc_noun_info {
  const svc_noun *noun;
  const struct svc_plan *plans; /* of its routes that this build serves, one after the other */
  size_t plan_count;
  const struct svc_noun_info *parent;
  const struct svc_noun_info *stands_for; /* the noun whose entities it replaces when they are gone; NULL: none */
  const struct svc_noun_info *stand_in;   /* the noun that stands for this one; NULL: none */
  const struct svc_noun_info *survivor;   /* of what has a stand-in: the noun below it whose entities may stay */
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
  const char *path;     /* the route's, in the words of the dialect: what is matched, linked to and documented */
  bool renamed;         /* its answer may hold words that are others in the dialect */
};

/* plan.c: the tables as the handle uses them. */
SVC_PRIVATE const svc_plan *svc_plan_named(const svc *s, const char *op); /* by what the public reference calls it; NULL: this build has none */
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
SVC_PRIVATE void svc_counters_note(const svc_call *c, int status, int64_t took); /* nanoseconds; only where there are counters */
/* May one more line about this be logged in this second? Whoever fails at will, and a store that is gone for an hour, fill no disk. Of
** an earlier second a line says here how many were left out. */
SVC_PRIVATE bool svc_may_say(const svc *s, atomic_uint *said, int64_t now, const char *what);
SVC_PRIVATE void svc_sign_in_note(svc_call *c); /* of a request that was refused: if it was for its credentials, that is logged */

/* control/: what tests do to a handle. A request looks at one word to see that nobody does anything. */
typedef struct svc_control svc_control;
enum svc_watch { SVC_WATCH_FAULTS = 1, SVC_WATCH_JOURNAL = 2, SVC_WATCH_STEPS = 4, SVC_WATCH_HOSTS = 8, SVC_WATCH_LAG = 16 };
typedef struct svc_meddler svc_meddler; /* pipeline/meddle.h */

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
  atomic_bool leaving; /* the host says that others shall be asked: svc_set_ready() */
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

/* seal.c: the keys that open secrets, svc_config.secret_key first. They are only ever added to: other threads open by them meanwhile. */
#define SVC_SECRET_KEYS 4
#define SVC_SECRET_KEY_ID 9 /* eight hex digits of a hash of the key, and a colon: what is sealed begins with it */
typedef struct svc_secret_keys {
  unsigned char keys[SVC_SECRET_KEYS][32];
  char ids[SVC_SECRET_KEYS][SVC_SECRET_KEY_ID + 1];
  atomic_uint count; /* those of them that are there */
} svc_secret_keys;

/* order_hand.c: figures of the orders, as svc_tick() found them last: reading them waits for no store. */
typedef struct svc_order_figures {
  atomic_ulong all, waiting; /* not done; of these, not handed out. ORDER_COUNTED at the most */
  atomic_ulong oldest;  /* seconds since 1970 in which the oldest was made; 0: there is none */
  atomic_ulong retries; /* orders that were handed out again, since the handle was opened */
  int64_t looked;       /* when; of who is handing out */
} svc_order_figures;

typedef struct svc_kept svc_kept;
typedef struct svc_work svc_work;
typedef struct svc_dialect svc_dialect;
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
  svc_secret_keys secret_keys;
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
  atomic_bool at_once;  /* a world is being loaded: what it lists exists, so provisioning takes no time */
  const svc_meddler *meddler; /* what test control does to states and reads; only looked at where a bit of `watch` says so */
  atomic_bool handing_out;
  svc_counters *counters;       /* NULL: nobody asks */
  atomic_ulong sign_ins_failed;
  atomic_uint sign_ins_said, store_said, seal_said, slow_said; /* in the log, lately: see svc_may_say() */
  svc_limits *limits; /* of svc_config.limiter: what is limited together with other handles; NULL: nothing */
  svc_health health;
  svc_dialect *dialect; /* NULL: our own words are used on the wire */
  bool timed;      /* requests are timed: for `counters`, for slow_ns, or for both */
  int64_t slow_ns; /* svc_config.slow_ms, where there is a clock for it; 0: nobody asks */
  svc_order_figures orders;
  bool own_clock; /* the clock is the system's: not svc_config.clock, nor a manual one */
};
/* handle.c */
SVC_PRIVATE int64_t svc_now(const svc *s); /* the configuration's clock */
/* `event` is a constant name, "store.failed", that programs search a log for: docs/logs.md lists all, and check/logs compares. */
SVC_PRIVATE void svc_log(const svc *s, int level, const char *event, const char *format, ...) SVC_PRINTF(4, 5);
SVC_PRIVATE bool svc_logs(const svc *s); /* somebody reads the log */

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

#endif /* SVC_HANDLE_H */

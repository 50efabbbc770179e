/*
** An open handle (struct svc), and the parts that live as long as it does: resolved tables, router, limiter, nonces, counters, health,
** results kept in memory.
*/
#ifndef SVC_HANDLE_H
#define SVC_HANDLE_H

#include "store/store.h"
#include "pipeline/error_list.h"
#include "pipeline/table.h"

/* Text with holes for keys of the request: links are written without any search. 0 to 7 is the key of that entity of the path. */
enum svc_hole { SVC_HOLE_NONE = -1, SVC_HOLE_OWN = 8, SVC_HOLE_PARENT, SVC_HOLE_UNIQUE,
                SVC_HOLE_QUERY, /* the operation's own query parameters, as sent */
                SVC_HOLE_PARAM = 16, /* and up: a parameter that does not name an entity */
                SVC_HOLE_PART = 256 /* times enum svc_linked_by, added to another hole: only a part of that key */ };
typedef struct svc_piece {
  svc_str text; /* the texts of a template are contiguous, with room for an id between them */
  int hole; /* follows the text */
  unsigned same; /* number of consecutive pieces with the same hole */
} svc_piece;
typedef struct svc_hole_use {
  int hole;
  unsigned times;
} svc_hole_use;
typedef struct svc_template {
  const svc_piece *pieces;
  const svc_hole_use *uses; /* each hole once: gives the size of the output */
  size_t count, use_count, text_size;
  bool has_parent, has_unique; /* optional holes, left out if empty */
} svc_template;

/* A link to entities that no list shows, from the answer that leads closest to them (svc_plan.unlisted). */
typedef struct svc_unlisted {
  const struct svc_unlisted *next;
  const struct svc_noun_info *noun;
  unsigned parent;    /* the entity of the path that they are below */
  svc_template link;  /* with a comma in front; SVC_HOLE_OWN is the key of one of them */
} svc_unlisted;

/* A noun, as resolved by svc_open(). */
typedef struct svc_noun_info {
  const svc_noun *noun;
  const struct svc_plan *plans; /* its routes in this build, one after the other */
  size_t plan_count;
  const struct svc_noun_info *parent;
  const struct svc_noun_info *stands_for; /* the noun whose deleted entities it replaces; NULL: none */
  const struct svc_noun_info *stand_in;   /* the noun that replaces this one; NULL: none */
  const struct svc_noun_info *survivor;   /* of a noun with a stand-in: the noun below it whose entities may stay */
  const struct svc_noun_info *scope; /* the project or organization above it; NULL: neither */
  bool is_parent; /* other nouns are below it */
  bool by_id;     /* can be found by id alone: SVC_GLOBAL, or others lie below it or refer to it, and it is deeper than right below a
                     project or organization */
  bool is_target; /* fields of other nouns refer to it */
  bool fixed_name; /* its unique value never changes, so others may refer to it by name */
  bool seals; /* has SVC_SEALED fields */
  svc_str preset; /* of a singleton: the body that is served until the first change */
  size_t preset_links_at;
} svc_noun_info;

#define SVC_MAX_SEGMENTS 16
#define SVC_MAX_PARAMS 6
#define SVC_MAX_CHAIN 4

/* An entity that a path names with one or several parameters. */
typedef struct svc_hop {
  const svc_noun_info *noun;
  unsigned param, param_count;
  bool by_unique;
} svc_hop;

/* A route, as resolved by svc_open(): the entities of its path, and the links of its answer. */
typedef struct svc_plan svc_plan;
struct svc_plan {
  const svc_route *route;
  const svc_noun_info *noun;
  svc_str params[SVC_MAX_PARAMS]; /* names of the parameters */
  unsigned param_count;
  svc_hop hops[SVC_MAX_CHAIN];
  unsigned hop_count;
  bool own;             /* the last hop is an entity of the route's own noun */
  int in_path;          /* the parameter that holds a field, see svc_route_ext.in_path; -1: none */
  const svc_field *in_path_field;
  int scope_param;      /* the parameter of the project or organization whose bucket pays; -1: none */
  bool item_by_org;     /* the item's path goes through the organization of this path's project */
  const svc_plan *item; /* the route that reads a single item, seen from here; may be this route itself */
  const svc_plan *above; /* of a POST of something that no route reads: the route that reads its parent */
  svc_template self, links; /* of a GET: its self link; all links of its answer, with the brackets */
  const svc_unlisted *unlisted; /* of a GET: entities without a list that its answer links to */
  const char *path;     /* the route's path in the words of the dialect: used for matching, links and documentation */
  bool renamed;         /* its answer may contain words that the dialect renames */
};

/* plan.c: the tables, resolved for a handle. */
SVC_PRIVATE const svc_plan *svc_plan_named(const svc *s, const char *op); /* by operationId; NULL: not in this build */
SVC_PRIVATE int svc_plan_open(svc *s); /* SVC_INVALID: the log names the row that breaks a rule */
SVC_PRIVATE const char *svc_names_of(const svc_noun *noun); /* its name space for unique values: its own kind, or `names` */
SVC_PRIVATE const svc_noun_info *svc_noun_by_kind(const svc *s, const char *kind);
SVC_PRIVATE const svc_noun_info *svc_noun_named(const svc *s, const char *name); /* NULL: not in this build */

/* route.c */
typedef struct svc_router svc_router;
SVC_PRIVATE int svc_router_open(svc *s);

/* limiter.c */
typedef struct svc_limiter svc_limiter;
SVC_PRIVATE int svc_limiter_open(svc_limiter **out, const svc_allocator *allocator, size_t buckets, uint64_t seed,
                                 const svc_set_row *sets); /* sets must outlive the limiter */
SVC_PRIVATE void svc_limiter_close(svc_limiter *l);
/* owner: the caller that a new bucket is charged to. In a full row, the bucket nearest to full gives way; among equally full ones, a bucket
** of the owner with the most of them in the row. */
SVC_PRIVATE svc_tokens svc_limiter_take(svc_limiter *l, int set, svc_str instance, svc_str owner, int64_t now);

/* Whether a secret of this name may be tried from the caller's network (false: refused). svc_guessed_wrong() counts a wrong one. */
SVC_PRIVATE bool svc_may_guess(svc_call *c, svc_str name);
SVC_PRIVATE void svc_guessed_wrong(svc_call *c, svc_str name);

/* Copies all buckets into svc_limiter_size() bytes, and restores them. */
SVC_PRIVATE size_t svc_limiter_size(const svc_limiter *l);
SVC_PRIVATE void svc_limiter_save(svc_limiter *l, void *out);
SVC_PRIVATE void svc_limiter_restore(svc_limiter *l, const void *saved);

/* digest.c: the server's nonces. access_use.c: uses of access lists. */
typedef struct svc_digest svc_digest;
typedef struct svc_access_uses svc_access_uses;
SVC_PRIVATE int svc_digest_open(svc *s);
SVC_PRIVATE int svc_digest_share(svc *s); /* shares them with the other handles of a shared store; called after the store is opened */
SVC_PRIVATE void svc_digest_close(svc *s);
SVC_PRIVATE size_t svc_digest_size(void); /* for a copy of the nonces, and for restoring it */
SVC_PRIVATE void svc_digest_save(svc_digest *d, void *out);
SVC_PRIVATE void svc_digest_restore(svc_digest *d, const void *saved);
SVC_PRIVATE int svc_access_uses_open(svc *s);
SVC_PRIVATE void svc_access_uses_close(svc *s);
SVC_PRIVATE void svc_access_use_note(svc *s, const svc_noun_info *list, const svc_id *parent, const svc_id *id, int64_t now,
                                     svc_str address);
SVC_PRIVATE bool svc_access_uses_due(const svc *s, int64_t now);
SVC_PRIVATE void svc_access_uses_flush(svc *s, int64_t now);
SVC_PRIVATE void svc_access_uses_forget(svc *s); /* discards uses that are not stored yet */

/* known.c: tokens that were used recently. */
typedef struct svc_known svc_known;
SVC_PRIVATE int svc_known_open(svc *s);
SVC_PRIVATE void svc_known_close(svc *s);
SVC_PRIVATE bool svc_known_token(svc_call *c, svc_str token); /* true: c->who is set, and the token is allowed from any address */
SVC_PRIVATE void svc_known_keep(svc_call *c, svc_str token, const svc_id *token_id, int64_t expiry);
typedef struct svc_token_place {
  svc_id org, account, id;
} svc_token_place;
SVC_PRIVATE bool svc_known_place(svc_call *c, svc_str token, svc_token_place *out); /* its place in a shared store when it was last used */

/* expect.c: announces the records that a known token and the request's path will need, and those of a write. */
#define SVC_EXPECT_WRITE 4
SVC_PRIVATE void svc_expect_caller(svc_call *c, svc_str name, const svc_token_place *place);
SVC_PRIVATE size_t svc_expect_write(svc_call *c, svc_key keys[SVC_EXPECT_WRITE]);

/* stats.c: counters of a handle, if enabled, and failed sign-ins. */
typedef struct svc_counters svc_counters;
SVC_PRIVATE int svc_counters_open(svc *s);
SVC_PRIVATE void svc_counters_note(const svc_call *c, int status, int64_t took); /* took: nanoseconds; only if counters are enabled */
/* Whether one more line about this may be logged in this second. Neither deliberate failures nor a store that is down for an hour fill the
** disk. The first line of a later second reports the number that was left out. */
SVC_PRIVATE bool svc_may_say(const svc *s, atomic_uint *said, int64_t now, const char *what);
SVC_PRIVATE void svc_sign_in_note(svc_call *c); /* logs a refusal that was caused by credentials */

/* control/: test control. A request reads one word to see that no test control is active. */
typedef struct svc_control svc_control;
enum svc_watch { SVC_WATCH_FAULTS = 1, SVC_WATCH_JOURNAL = 2, SVC_WATCH_STEPS = 4, SVC_WATCH_HOSTS = 8, SVC_WATCH_LAG = 16 };
typedef struct svc_meddler svc_meddler; /* pipeline/meddle.h */

/* health.c: whether the store can be reached and the clock is right. The state of a server is checked again periodically. */
typedef struct svc_health {
  svc_mutex lock;    /* protects the members that are not atomic */
  bool ready;        /* the lock is initialized */
  bool checking;     /* a check of the store is in progress */
  bool sized;        /* the store has reported its size */
  atomic_int store;  /* its last status: SVC_OK, or an error */
  int64_t checked, warned;   /* times, by the handle's clock */
  uint64_t store_bytes, map_bytes;
  atomic_bool leaving; /* the host asks load balancers to use other instances: svc_set_ready() */
  atomic_bool busy;  /* all threads of the host that make changes are busy: svc_set_busy() */
  atomic_bool off;   /* the clock is so wrong that requests are refused */
  int64_t skew;      /* milliseconds by which our clock is ahead of the store's; negative: behind */
} svc_health;
SVC_PRIVATE int svc_health_open(svc *s); /* call when the store is open. SVC_CLOCK: the clock is wrong */
SVC_PRIVATE void svc_health_close(svc *s);
SVC_PRIVATE int svc_health_tick(svc *s); /* checks the store if a check is due; SVC_CLOCK: the clock is wrong */
/* The status of the store, at most a second old. Does not wait for a check in another thread. */
SVC_PRIVATE int svc_health_store(svc *s);
SVC_PRIVATE bool svc_health_limiter(const svc *s); /* whether svc_config.limiter answered recently; true without a limiter */
SVC_PRIVATE bool svc_health_limiter_now(svc *s);   /* the same, with a request to it: reads an unused bucket */
SVC_PRIVATE bool svc_health_size(svc *s, uint64_t *taken, uint64_t *room); /* of the store, without waiting. False: unknown */
/* Whether a request asks for liveness or counters. Those need no store and are answered while all threads wait for it. */
SVC_PRIVATE bool svc_is_probe(const svc_request *request);
/* An error of the store for the log, in the engine's own words if it has some. */
#define SVC_STORE_TEXT 320
SVC_PRIVATE const char *svc_store_text(const svc *s, int status, char text[SVC_STORE_TEXT]);

/* seal.c: the keys that open secrets, svc_config.secret_key first. Keys are only added, because other threads use them meanwhile. */
#define SVC_SECRET_KEYS 4
#define SVC_SECRET_KEY_ID 9 /* eight hex digits of a hash of the key, and a colon: the prefix of a sealed secret */
typedef struct svc_secret_keys {
  unsigned char keys[SVC_SECRET_KEYS][32];
  char ids[SVC_SECRET_KEYS][SVC_SECRET_KEY_ID + 1];
  atomic_uint count; /* number of keys */
} svc_secret_keys;

/* order_hand.c: counts of orders, as of the last svc_tick(): reading them needs no store. */
typedef struct svc_order_figures {
  atomic_ulong all, waiting; /* open orders; of these, not handed out. ORDER_COUNTED at the most */
  atomic_ulong oldest;  /* creation time of the oldest, in seconds since 1970; 0: none */
  atomic_ulong retries; /* orders handed out again since the handle was opened */
  int64_t looked;       /* time of the count; protected by svc_hands.lock */
} svc_order_figures;

/* order_hand.c: orders in the driver's hands at this moment, inside its perform(). */
#define SVC_HANDS 16
typedef struct svc_hand {
  bool taken;
  svc_id order, resource, parent, org; /* parent: zeros if it is a project or an organization */
} svc_hand;
typedef struct svc_hands {
  svc_mutex lock; /* protects the following, svc.session_due and svc_order_figures.looked */
  bool ready;     /* the lock is initialized */
  bool telling;   /* a thread gives a sign of life */
  svc_hand rows[SVC_HANDS];
} svc_hands;

typedef struct svc_kept svc_kept;
typedef struct svc_work svc_work;
typedef struct svc_questions svc_questions;
typedef struct svc_dialect svc_dialect;

/* A handle. */
struct svc {
  svc_noun_info *nouns;
  size_t noun_count;
  const svc_noun_info *group, *org; /* the nouns in these seats, which most code needs */
  svc_str vendor;
  svc_config config;      /* its strings belong to the handle */
  svc_allocator allocator;
  svc_arena memory;       /* lives as long as the handle */
  svc_str base_url, base_path, base_path_v1, media_prefix; /* "/api/svc/v2", "application/vnd.svc." */
  svc_drbg *drbg;
  svc_secret_keys secret_keys;
  svc_commit commit;
  svc_set_row *sets;      /* with the overrides applied; the last one is for the token endpoint */
  int set_count;          /* without the token endpoint's */
  svc_limiter *limiter; /* the buckets of this handle alone */
  const svc_noun_info *seats[SVC_SEAT_COUNT]; /* NULL: not in this build */
  svc_digest *digest;
  svc_access_uses *access_uses;
  svc_known *known;
  svc_kept *kept;
  svc_work *work;
  svc_questions *questions; /* NULL: there is no driver to ask */
  svc_plan *plans;
  size_t plan_count;
  bool asks_first; /* some changes ask the driver before their transaction: see svc_request_needs() */
  svc_router *router;
  uint64_t session; /* identifies this handle in orders that it has handed out */
  int64_t session_due; /* time of the next sign of life; protected by hands.lock. 0: not needed */
  svc_control *control; /* test control; NULL: not in this build */
  atomic_uint watch;    /* the parts of test control that are active: enum svc_watch */
  atomic_bool at_once;  /* a world is being loaded: its resources exist already, so provisioning takes no time */
  const svc_meddler *meddler; /* effects of test control on states and reads; used only if a bit of `watch` is set */
  svc_hands hands;
  svc_counters *counters;       /* NULL: not enabled */
  atomic_ulong sign_ins_failed;
  atomic_uint sign_ins_said, store_said, seal_said, slow_said; /* limits for the log: see svc_may_say() */
  svc_limits *limits; /* limits of svc_config.limiter, shared with other handles; NULL: none */
  svc_health health;
  svc_dialect *dialect; /* NULL: no dialect */
  bool timed;      /* requests are timed, for `counters` or slow_ns */
  int64_t slow_ns; /* svc_config.slow_ms in nanoseconds, if there is a clock for it; 0: off */
  svc_order_figures orders;
  bool own_clock; /* the system's clock is used: neither svc_config.clock nor a manual clock */
  svc_fork fork;              /* the process that opened the handle */
  atomic_ulong clock_latest;  /* the latest second that the clock has shown: see svc_clock_seen() */
};

/*
** Whether the handle may be used: it is not NULL, and this process opened it. Each public function asks first. A child of fork() gets
** SVC_INVALID, or 503 for a request, and changes nothing.
*/
#define SVC_USABLE(s) ((s) && svc_fork_is_ours(&(s)->fork))
/* handle.c */
SVC_PRIVATE int64_t svc_now(const svc *s); /* the handle's clock */
SVC_PRIVATE void svc_clock_seen(svc *s, int64_t now); /* logs it if the clock has jumped back */
/* `event` is a constant name, "store.failed", that programs search a log for: docs/logs.md lists all, and check/logs compares. */
SVC_PRIVATE void svc_log(const svc *s, int level, const char *event, const char *format, ...) SVC_PRINTF(4, 5);
SVC_PRIVATE bool svc_logs(const svc *s); /* whether a log is configured */

/* kept.c: results that are expensive to compute from records, kept in memory while the records are unchanged. */
typedef struct svc_kept_item {
  struct svc_kept_item *next;
  char kind[SVC_KIND_SIZE];
  svc_id of;
  uint64_t version; /* hash of the records that the value was computed from */
  svc_arena memory; /* holds the value and this item */
  void *value;
  size_t bytes;
  unsigned users;
  bool listed;
} svc_kept_item;
SVC_PRIVATE int svc_kept_open(svc *s);
SVC_PRIVATE void svc_kept_close(svc *s);
SVC_PRIVATE uint64_t svc_kept_hash(const svc *s, uint64_t version, svc_str text); /* adds one record to the hash */
/* The value of this version, shared with other threads: read only. NULL: not kept. */
SVC_PRIVATE svc_kept_item *svc_kept_get(svc *s, const char *kind, const svc_id *of, uint64_t version);
/* The same, but removed from the cache: the caller owns it and may change it. */
SVC_PRIVATE svc_kept_item *svc_kept_take(svc *s, const char *kind, const svc_id *of, uint64_t version);
SVC_PRIVATE svc_kept_item *svc_kept_new(svc *s, const char *kind, const svc_id *of, uint64_t version); /* NULL: out of memory */
SVC_PRIVATE void svc_kept_put(svc *s, svc_kept_item *item);  /* other threads find it from now on; the caller keeps its reference */
SVC_PRIVATE void svc_kept_leave(svc *s, svc_kept_item *item); /* releases the caller's reference; NULL is allowed */

/* work.c: the share of an organization in background work. */
/* question.c: questions to the driver that are open now. */
SVC_PRIVATE int svc_questions_open(svc *s);
SVC_PRIVATE void svc_questions_close(svc *s);
SVC_PRIVATE size_t svc_questions_taken(svc *s, uint64_t *refused); /* questions open now; and refused since the handle was opened */

SVC_PRIVATE int svc_work_open(svc *s);
SVC_PRIVATE void svc_work_close(svc *s);
/* Reserves about `steps` steps for an organization. 0: do them now; they are counted. Otherwise the time that is reserved for them. */
SVC_PRIVATE int64_t svc_work_begin(svc *s, const svc_id *org, int64_t now, int64_t steps);
SVC_PRIVATE void svc_work_end(svc *s, const svc_id *org, int64_t now, int64_t expected, int64_t taken); /* reports the actual number */
SVC_PRIVATE bool svc_work_may_say(svc *s, const svc_id *org, int64_t now); /* whether to log: once a minute per organization */

#endif /* SVC_HANDLE_H */

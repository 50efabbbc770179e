/*
** store: keys, records, indexes, due dates and commits, on the store port. The store knows no requests and no nouns. ports/store_port.h
** says what a port must do.
*/
#ifndef SVC_STORE_H
#define SVC_STORE_H

#include "ports/ports.h"

/* keys.c, which also draws the layout of keys. */
typedef struct svc_key {
  unsigned char b[SVC_KEY_MOST + 1]; /* a byte more, for the start of the next range */
  size_t n;
} svc_key;

#define SVC_KIND_SIZE 4
typedef struct svc_due_entry svc_due_entry;
SVC_PRIVATE svc_str svc_key_str(const svc_key *k);
SVC_PRIVATE void svc_key_begin(svc_key *k, char class_letter);
SVC_PRIVATE void svc_key_add(svc_key *k, const void *p, size_t n);
SVC_PRIVATE void svc_key_number(svc_key *k, uint64_t value, int bytes); /* big-endian */
SVC_PRIVATE void svc_key_time(svc_key *k, int64_t when);                /* sorts by time */
SVC_PRIVATE int64_t svc_key_time_at(const char *p);                     /* decodes the time at p */
SVC_PRIVATE void svc_key_id(svc_key *k, const svc_id *id);              /* id NULL: adds nothing */
SVC_PRIVATE void svc_key_behind(svc_key *k, const svc_key *prefix);     /* the end of the range of keys with this prefix */
SVC_PRIVATE void svc_key_count(svc_key *k, const char *kind, const svc_id *parent); /* parent NULL: the counter over all parents */
SVC_PRIVATE void svc_key_due(svc_key *k, const svc_due_entry *due);
SVC_PRIVATE void svc_key_entity(svc_key *k, const char *kind, const svc_id *parent, const svc_id *id); /* id NULL: a prefix */
SVC_PRIVATE void svc_key_by_id(svc_key *k, const char *kind, const svc_id *id);
/* scope NULL: a prefix. A long value is replaced by its hash; n 0: hashing failed, and svc_get, svc_put and svc_remove refuse the key. */
SVC_PRIVATE void svc_key_unique(svc_key *k, const char *names, svc_str value, const svc_id *scope);
SVC_PRIVATE void svc_key_meta(svc_key *k, const char *name);
SVC_PRIVATE void svc_key_retry(svc_key *k, const unsigned char hash[16]);

/* scan.c: thin wrappers that remember errors in the transaction, and scans over a range of records. */
SVC_PRIVATE int svc_note(svc_txn *txn, int rc); /* remembers the first error other than "not found"; returns rc */
SVC_PRIVATE int svc_get(svc_txn *txn, const svc_key *key, svc_str *value);
SVC_PRIVATE int svc_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values); /* p NULL: not found */
SVC_PRIVATE int svc_put(svc_txn *txn, const svc_key *key, svc_str value);
SVC_PRIVATE int svc_remove(svc_txn *txn, const svc_key *key);
SVC_PRIVATE int svc_remove_below(svc_txn *txn, const svc_key *prefix);
SVC_PRIVATE uint64_t svc_count(svc_txn *txn, const char *kind, const svc_id *parent); /* parent NULL: over all parents */
/* The same, for callers that allocate `each` bytes per record. 0 and txn->error: the count is too large to be true. */
SVC_PRIVATE size_t svc_count_room(svc_txn *txn, const char *kind, const svc_id *parent, size_t each);
SVC_PRIVATE void svc_count_add(svc_txn *txn, const char *kind, const svc_id *parent, int64_t delta);

#define SVC_MANY 16 /* maximum keys of one lookup */
#define SVC_SCAN_BATCH 32 /* rows that are fetched at once */
typedef struct svc_scan {
  svc_txn *txn;
  svc_key from, to; /* the remaining range; a caller may move an end before the first row */
  bool backwards, ended;
  uint64_t skip; /* rows to pass over first. The port skips them (svc_range.skip) without passing them to the caller; LMDB and PostgreSQL
                    (OFFSET) step over each of them, so the cost of a page grows with its distance from the beginning of the list */
  uint64_t left; /* rows still expected; 0: unknown */
  unsigned batch, at, n;
  size_t prefix_length; /* used by index.c */
  svc_row rows[SVC_SCAN_BATCH];
} svc_scan;
SVC_PRIVATE void svc_scan_below(svc_scan *scan, svc_txn *txn, const svc_key *prefix, bool backwards);
SVC_PRIVATE void svc_scan_expect(svc_scan *scan, uint64_t rows); /* number of rows wanted at first; otherwise whole batches are read */
SVC_PRIVATE bool svc_scan_more(svc_scan *scan); /* whether another row follows */
SVC_PRIVATE bool svc_scan_next(svc_scan *scan, svc_str *key, svc_str *value); /* false: no more, or txn->error is set */
/* In a read transaction, after each row: the caller keeps no pointer from this transaction, so its memory may be released batch by
** batch. */
SVC_PRIVATE void svc_scan_forget(svc_scan *scan);

/* The project and organization of a resource; zero: none. */
typedef struct svc_scope {
  svc_id group, org;
} svc_scope;

/* Due steps of an entity. A noun defines its own tags from SVC_DUE_OWN on. */
enum svc_due_tag { SVC_DUE_STATE,  /* the state moves on */
                   SVC_DUE_EXPIRY, /* the entity is erased, or a hook of its noun ends it */
                   SVC_DUE_RUN,    /* the next run of a schedule */
                   SVC_DUE_OWN,
                   SVC_DUE_NONE = 253, /* no entity has it: for a change that completes no due step */
                   SVC_DUE_ORDER = 254, /* end of an order that no state shows, without a driver (pipeline/change.c sets it) */
                   SVC_DUE_ERASE = 255 /* of a deleted entity: erases its descendants (pipeline/erase.c) */ };
typedef struct svc_due {
  int64_t when; /* milliseconds */
  unsigned char tag;
} svc_due;
#define SVC_DUES 4 /* maximum due dates of one entity */

enum svc_entity_flags {
  SVC_ENTITY_SHARED_NAME = 1, /* siblings may have the same unique value: no index entry */
  SVC_ENTITY_BY_ID = 2,       /* can be found by its id alone, without its parent */
  SVC_ENTITY_BY_GROUP = 4     /* below another resource of its project, and counted per project as well */
};

/* record.c: a resource as stored: the JSON that is served, without links, and the data that reads need. */
typedef struct svc_entity {
  const char *kind;
  char names[SVC_KIND_SIZE]; /* name space of the unique value; zero: its kind */
  svc_id parent, id;
  svc_scope scope;   /* its project and organization */
  unsigned char flags; /* enum svc_entity_flags */
  uint64_t revision; /* new with every change of the body, and with a request that changes extra alone: the ETag, unless a view of
                        the noun has one of its own (answer.c) */
  svc_str key;       /* its name in a path, percent-encoded: "Cluster0", "admin/joe" */
  svc_str unique;    /* the value that is unique below its parent, or just its name; empty: no such value */
  svc_str body;      /* JSON object, members sorted */
  size_t links_at;   /* position of "links" in body */
  svc_str extra;     /* data of the noun that is never shown */
  unsigned due_count;
  svc_due dues[SVC_DUES];
} svc_entity;

SVC_PRIVATE bool svc_entity_decode(svc_str key, svc_str record, svc_entity *out); /* key.p NULL: leaves the ids unset */
SVC_PRIVATE bool svc_entity_glance(svc_str record, svc_str *key, svc_str *body, size_t *links_at);
SVC_PRIVATE int svc_entity_get(svc_txn *txn, const char *kind, const svc_id *parent, const svc_id *id, svc_entity *out);
/* Takes the id as text, from a request or from another resource. An invalid id gives SVC_NOT_FOUND. */
SVC_PRIVATE int svc_entity_get_text_id(svc_txn *txn, const char *kind, const svc_id *parent, svc_str id, svc_entity *out);
SVC_PRIVATE int svc_record_put(svc_txn *txn, svc_arena *a, const svc_entity *e);
/* Writes a body as text, with the position of "links" in it. False: out of memory. */
SVC_PRIVATE bool svc_body_write(svc_arena *a, const svc_node *body, svc_str *text, size_t *links_at);

/* index.c: entities by their unique value, and by their id alone. */
typedef struct svc_named {
  char kind[SVC_KIND_SIZE];
  svc_id scope, id;
} svc_named;
SVC_PRIVATE const char *svc_entity_names(const svc_entity *e);
SVC_PRIVATE void svc_index_put(svc_txn *txn, const svc_entity *e);
SVC_PRIVATE void svc_index_drop(svc_txn *txn, const svc_entity *e);
SVC_PRIVATE int svc_named_get(svc_txn *txn, const char *names, const svc_id *scope, svc_str value, svc_named *out);
SVC_PRIVATE void svc_named_begin(svc_scan *scan, svc_txn *txn, const char *names, svc_str value); /* in any scope */
SVC_PRIVATE bool svc_named_next(svc_scan *scan, svc_named *out);
SVC_PRIVATE int svc_entity_by_id(svc_txn *txn, const char *kind, const svc_id *id, svc_entity *out); /* only with SVC_ENTITY_BY_ID */
/* Reads up to SVC_MANY entities. parent NULL: found by their ids alone; otherwise all are below that parent. out[i].kind NULL: not
** found. */
SVC_PRIVATE int svc_entities_get(svc_txn *txn, const char *kind, const svc_id *parent, const svc_id *ids, size_t n, svc_entity *out);
SVC_PRIVATE int svc_entity_named(svc_txn *txn, const char *kind, const char *names, const svc_id *parent, svc_str unique,
                                 svc_entity *out); /* names NULL: its kind */

/* entity.c: records with their index entries, due dates and counts. */
SVC_PRIVATE void svc_below_begin(svc_scan *scan, svc_txn *txn, const char *kind, const svc_id *parent); /* all entities below a parent */
SVC_PRIVATE bool svc_below_next(svc_scan *scan, const char *kind, svc_entity *out); /* false: no more, or txn->error is set */
/* false: no entity, or txn->error is set */
SVC_PRIVATE bool svc_below_first(svc_txn *txn, const char *kind, const svc_id *parent, svc_entity *out);
/* The first entity below a parent whose field has this text (without escapes: an id, a state). False: no match, or txn->error is set. */
SVC_PRIVATE bool svc_below_where(svc_txn *txn, const char *kind, const svc_id *parent, const char *field, svc_str text, svc_entity *out);
SVC_PRIVATE int svc_entity_insert(svc_txn *txn, svc_arena *a, const svc_entity *e); /* its id and its name must be unused */
SVC_PRIVATE int svc_entity_update(svc_txn *txn, svc_arena *a, const svc_entity *e, const svc_entity *old);
SVC_PRIVATE int svc_entity_remove(svc_txn *txn, const svc_entity *e);
/* Removes all below a parent at once; only for kinds without unique values and due dates. */
SVC_PRIVATE int svc_entity_remove_all(svc_txn *txn, const char *kind, const svc_id *parent);
/* Removes the oldest `most` entities below a parent; only for the same kinds. */
SVC_PRIVATE int svc_entity_remove_some(svc_txn *txn, const char *kind, const svc_id *parent, uint64_t most);

/* holding.c: roles on projects, from both sides. */
typedef struct svc_holder { /* a key, an account, a person in an organization, a team */
  const char *kind;
  svc_id id, org;
} svc_holder;
typedef struct svc_holding {
  svc_id org, group;
  svc_str roles; /* role names, a line each */
} svc_holding;
SVC_PRIVATE svc_str svc_holding_get(svc_txn *txn, const svc_id *holder, const svc_id *org, const svc_id *group); /* n 0: no roles */
SVC_PRIVATE void svc_holding_put(svc_txn *txn, const svc_holder *h, const svc_id *group, svc_str roles); /* n 0: removes them */
/* All roles of one holder, ordered by organization, then by project. org NULL: in every organization. */
SVC_PRIVATE void svc_holdings_begin(svc_scan *scan, svc_txn *txn, const svc_id *holder, const svc_id *org);
SVC_PRIVATE bool svc_holdings_next(svc_scan *scan, svc_holding *out);
SVC_PRIVATE int svc_holdings_drop(svc_txn *txn, const svc_holder *h); /* all roles in its organization */
SVC_PRIVATE int svc_holdings_drop_on(svc_txn *txn, const svc_id *group, const svc_id *org); /* the roles of all holders on this project */
/* The holders on a project, by kind and id. svc_listed_put() alone also lists members where no roles are given. svc_count() of this kind
** and `on` gives their number. */
SVC_PRIVATE void svc_listed_put(svc_txn *txn, const svc_id *on, const char *kind, const svc_id *id, bool there);
SVC_PRIVATE void svc_listed_begin(svc_scan *scan, svc_txn *txn, const svc_id *on, const char *kind); /* kind NULL: of all kinds */
SVC_PRIVATE bool svc_listed_next(svc_scan *scan, char kind[SVC_KIND_SIZE], svc_id *id); /* kind may be NULL */

/* due.c: due steps in the store. */
struct svc_due_entry {
  int64_t when;
  char kind[SVC_KIND_SIZE];
  svc_id parent, id;
  unsigned char tag;
};
SVC_PRIVATE int64_t svc_due_get(const svc_entity *e, int tag); /* 0: not set */
SVC_PRIVATE void svc_due_set(svc_entity *e, int tag, int64_t when); /* in the entity; 0: removes it */
#define SVC_DUE_LETTER 'd' /* first byte of the keys of due dates */
SVC_PRIVATE void svc_due_noted(svc_txn *txn, const svc_key *key); /* a due date was written under this key */
SVC_PRIVATE void svc_dues_write(svc_txn *txn, const svc_entity *e, const svc_entity *old); /* writes the entries; e or old may be NULL */
SVC_PRIVATE bool svc_due_decode(svc_str key, svc_due_entry *out); /* false: not the key of a due date */
SVC_PRIVATE bool svc_due_first(svc_txn *txn, svc_due_entry *out);
SVC_PRIVATE void svc_due_begin(svc_scan *scan, svc_txn *txn); /* all, in the order of time */
SVC_PRIVATE bool svc_due_next(svc_scan *scan, svc_due_entry *out);

/* commit.c: the commit queue. One writer at a time; queued writers share a commit. */
struct svc_ids { /* the source of ids */
  svc_id last;     /* the greatest id so far */
  svc_id reserved; /* the bound in the store: ids up to this one may have been given out */
  svc_id late;     /* the last id that was made for a time in the past */
  svc_id first;    /* the first id that this job made; zero: none yet */
  uint64_t revision;
  int64_t now; /* time of the current request */
  int64_t due; /* the earliest due date written by this transaction, on a shared store; INT64_MAX: none */
  int (*random)(void *context, void *buffer, size_t size);
  void *random_context;
  unsigned char pool[64]; /* random bytes for the next ids; used from the end */
  size_t pool_left;
};
#define SVC_ID_AHEAD 64 /* seconds by which ids may be ahead of the clock; see commit.c */
SVC_PRIVATE svc_id svc_new_id(svc_txn *txn);
SVC_PRIVATE svc_id svc_new_id_at(svc_txn *txn, int64_t when); /* an id that sorts at a time, which may be in the past */
/* Reserves `count` ids behind the last one. The code that made the last one computes them with svc_id_after(). */
SVC_PRIVATE void svc_hold_ids(svc_txn *txn, uint64_t count);
/* Whether the id is the first one that this job made: then only this job has written below it. False for its later ids, too. For use in a
** job's transaction. */
SVC_PRIVATE bool svc_is_new(const svc_txn *txn, const svc_id *id);
SVC_PRIVATE uint64_t svc_new_revision(svc_txn *txn);

typedef struct svc_job svc_job;
typedef struct svc_waiter svc_waiter;
struct svc_job {
  /* Does the work in the transaction. False: nothing is kept. May be called again with another transaction. */
  bool (*work)(svc_job *job, svc_txn *txn);
  int64_t now;
  int status;   /* SVC_OK, or the store's error that prevented the work */
  bool refused; /* work returned false, based on committed state: the refusal stands */
  bool alone;   /* refused after a write: runs alone, after the others */
  uint64_t lane; /* the same for all jobs of one tenant: a conflict in one lane is retried apart from the others; 0: no tenant */
  unsigned tries, rests, group; /* of a job that is retried after a conflict: number of tries, pauses before the next, and the group it
                                   is tried with */
  bool again;   /* queued in svc_commit.again */
  bool frees;   /* makes the store smaller: allowed when the store is full */
  const svc_key *expected; /* keys that the job will read, as far as known */
  size_t expected_count;
  svc_txn *draft; /* a transaction the job may run in, always ended by the queue; NULL: none */
  svc_job *next;
  svc_waiter *waiter; /* NULL: its thread is the leader */
};

typedef struct svc_commit {
  const svc_store_port *port;
  svc_store *store;
  svc_mutex lock;
  svc_allocator allocator;
  svc_waiter *waiters; /* as many as the most threads that ever waited at once */
  svc_job *first, *last; /* the queue */
  bool leading;
  svc_job *again; /* jobs to retry after a conflict, in the order of their turns; only the leader uses this and `groups` */
  unsigned groups; /* number of the latest group */
  unsigned last_batch; /* number of jobs in the previous batch */
  svc_ids ids;
  atomic_uint due_second; /* the second of the next due step; UINT_MAX: none */
  int64_t due; /* the same in milliseconds; protected by the lock */
  int64_t next; /* the known next due step, on a shared store where `due` may be an earlier look; protected by the lock */
  atomic_ulong commits, writes; /* number of commits, and of jobs that these made durable */
  atomic_ulong conflicts; /* transactions that were repeated because another writer committed first */
} svc_commit;

SVC_PRIVATE int svc_commit_open(svc_commit *k, const svc_store_port *port, svc_store *store, const svc_allocator *allocator);
SVC_PRIVATE void svc_commit_close(svc_commit *k);
SVC_PRIVATE void svc_commit_abandon(svc_commit *k); /* in a child process, before svc_commit_close() */
SVC_PRIVATE int svc_commit_run(svc_commit *k, svc_job *job);
SVC_PRIVATE bool svc_commit_idle(svc_commit *k); /* no write is in progress */
SVC_PRIVATE int svc_commit_copy(svc_commit *k, const char *path, int64_t now);
SVC_PRIVATE bool svc_commit_due(svc_commit *k, int64_t now); /* whether a due step awaits processing */
SVC_PRIVATE int64_t svc_commit_next(svc_commit *k); /* time of the next due step; INT64_MAX: none */
SVC_PRIVATE void svc_commit_look_at(svc_commit *k, int64_t when); /* sets that time */

#endif /* SVC_STORE_H */

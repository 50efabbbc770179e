/*
** store: keys, records, indices, due dates and commits, on the store port. It knows no requests and no nouns.
*/
#ifndef SVC_STORE_H
#define SVC_STORE_H

#include "ports/ports.h"

/* keys.c: the layout of keys is drawn there. */
typedef struct svc_key {
  unsigned char b[SVC_KEY_MOST + 1]; /* one more: where a range goes on */
  size_t n;
} svc_key;

#define SVC_KIND_SIZE 4
typedef struct svc_due_entry svc_due_entry;
SVC_PRIVATE svc_str svc_key_str(const svc_key *k);
SVC_PRIVATE void svc_key_begin(svc_key *k, char class_letter);
SVC_PRIVATE void svc_key_add(svc_key *k, const void *p, size_t n);
SVC_PRIVATE void svc_key_number(svc_key *k, uint64_t value, int bytes); /* big-endian */
SVC_PRIVATE void svc_key_time(svc_key *k, int64_t when);                /* in the order of time */
SVC_PRIVATE int64_t svc_key_time_at(const char *p);                     /* the time that stands there */
SVC_PRIVATE void svc_key_id(svc_key *k, const svc_id *id);              /* NULL: nothing */
SVC_PRIVATE void svc_key_behind(svc_key *k, const svc_key *prefix);     /* the end of what begins with it */
SVC_PRIVATE void svc_key_count(svc_key *k, const char *kind, const svc_id *parent); /* NULL: of all parents */
SVC_PRIVATE void svc_key_due(svc_key *k, const svc_due_entry *due);
SVC_PRIVATE void svc_key_entity(svc_key *k, const char *kind, const svc_id *parent, const svc_id *id); /* NULL: prefix */
SVC_PRIVATE void svc_key_by_id(svc_key *k, const char *kind, const svc_id *id);
/* scope NULL: prefix. A long value stands there by its hash; n 0: that could not be had, and svc_get, svc_put and svc_remove refuse it. */
SVC_PRIVATE void svc_key_unique(svc_key *k, const char *names, svc_str value, const svc_id *scope);
SVC_PRIVATE void svc_key_meta(svc_key *k, const char *name);
SVC_PRIVATE void svc_key_retry(svc_key *k, const unsigned char hash[16]);

/* scan.c: thin wrappers that remember errors in the transaction, and all records of a range. */
SVC_PRIVATE int svc_note(svc_txn *txn, int rc); /* remembers the first error, which "not found" is not; returns rc */
SVC_PRIVATE int svc_get(svc_txn *txn, const svc_key *key, svc_str *value);
SVC_PRIVATE int svc_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values); /* p NULL: there is none */
SVC_PRIVATE int svc_put(svc_txn *txn, const svc_key *key, svc_str value);
SVC_PRIVATE int svc_remove(svc_txn *txn, const svc_key *key);
SVC_PRIVATE int svc_remove_below(svc_txn *txn, const svc_key *prefix);
SVC_PRIVATE uint64_t svc_count(svc_txn *txn, const char *kind, const svc_id *parent); /* parent NULL: of all of them */
/* The same, for who needs memory for all of them, so many bytes each. 0 and txn->error: no store has so many. */
SVC_PRIVATE size_t svc_count_room(svc_txn *txn, const char *kind, const svc_id *parent, size_t each);
SVC_PRIVATE void svc_count_add(svc_txn *txn, const char *kind, const svc_id *parent, int64_t delta);

#define SVC_MANY 16 /* keys that are looked up together */
#define SVC_SCAN_BATCH 32 /* rows that are asked for at once */
typedef struct svc_scan {
  svc_txn *txn;
  svc_key from, to; /* what is left; a caller may move an edge before the first row */
  bool backwards, ended;
  uint64_t skip; /* rows to pass over first */
  uint64_t left; /* of those that are expected; 0: nobody has said how many */
  unsigned batch, at, n;
  size_t prefix_length; /* index.c's */
  svc_row rows[SVC_SCAN_BATCH];
} svc_scan;
SVC_PRIVATE void svc_scan_below(svc_scan *scan, svc_txn *txn, const svc_key *prefix, bool backwards);
SVC_PRIVATE void svc_scan_expect(svc_scan *scan, uint64_t rows); /* so many are wanted first; else whole batches are read */
SVC_PRIVATE bool svc_scan_more(svc_scan *scan); /* is there another one? */
SVC_PRIVATE bool svc_scan_next(svc_scan *scan, svc_str *key, svc_str *value); /* false: no more, or txn->error is set */
/* Of a read transaction, after each row: the caller holds nothing that the transaction gave, so its memory may go, a batch at a time. */
SVC_PRIVATE void svc_scan_forget(svc_scan *scan);

/* Where something belongs; zero: in no project, in no organization. */
typedef struct svc_scope {
  svc_id group, org;
} svc_scope;

/* What an entity waits for. Tags from SVC_DUE_OWN on are the noun's own. */
enum svc_due_tag { SVC_DUE_STATE, SVC_DUE_EXPIRY, SVC_DUE_RUN, SVC_DUE_OWN,
                   SVC_DUE_NONE = 253, /* of no entity: a change that no date has brought about */
                   SVC_DUE_ORDER = 254, /* the simulator is at work for it, and no state says so (pipeline/facts.c) */
                   SVC_DUE_ERASE = 255 /* of what is gone: what is below it is (pipeline/erase.c) */ };
typedef struct svc_due {
  int64_t when; /* milliseconds */
  unsigned char tag;
} svc_due;
#define SVC_DUES 4 /* things that one entity can wait for */

enum svc_entity_flags {
  SVC_ENTITY_SHARED_NAME = 1, /* others may have the same unique value: it is not indexed */
  SVC_ENTITY_BY_ID = 2,       /* it is found by its id alone, whatever its parent */
  SVC_ENTITY_BY_GROUP = 4     /* below something in its project: it is counted there as well */
};

/* record.c: one resource as it is stored: the JSON that is served, less the links, and what reads need beside it. */
typedef struct svc_entity {
  const char *kind;
  char names[SVC_KIND_SIZE]; /* the space in which its unique value is unique; zero: its kind */
  svc_id parent, id;
  svc_scope scope;   /* the project and the organization that it belongs to */
  unsigned char flags; /* enum svc_entity_flags */
  uint64_t revision; /* another one with every change: the ETag */
  svc_str key;       /* how a path names it, percent-encoded: "Cluster0", "admin/joe" */
  svc_str unique;    /* the value that is unique below its parent, or just its name; empty: none */
  svc_str body;      /* JSON object, members sorted */
  size_t links_at;   /* where in body "links" belongs */
  svc_str extra;     /* what the noun keeps beside it and does not show */
  unsigned due_count;
  svc_due dues[SVC_DUES];
} svc_entity;

SVC_PRIVATE bool svc_entity_decode(svc_str key, svc_str record, svc_entity *out); /* key NULL p: ids stay as they are */
SVC_PRIVATE bool svc_entity_glance(svc_str record, svc_str *key, svc_str *body, size_t *links_at);
SVC_PRIVATE int svc_entity_get(svc_txn *txn, const char *kind, const svc_id *parent, const svc_id *id, svc_entity *out);
/* The one whose id somebody has said, or is written in another; what is no id is nobody's: SVC_NOT_FOUND. */
SVC_PRIVATE int svc_entity_said(svc_txn *txn, const char *kind, const svc_id *parent, svc_str id, svc_entity *out);
SVC_PRIVATE int svc_record_put(svc_txn *txn, svc_arena *a, const svc_entity *e);
/* The text of a body, and where "links" belongs in it. False: no memory. */
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
SVC_PRIVATE void svc_named_begin(svc_scan *scan, svc_txn *txn, const char *names, svc_str value); /* whatever its scope */
SVC_PRIVATE bool svc_named_next(svc_scan *scan, svc_named *out);
SVC_PRIVATE int svc_entity_by_id(svc_txn *txn, const char *kind, const svc_id *id, svc_entity *out); /* SVC_ENTITY_BY_ID */
/* Several of them, at most SVC_MANY; parents NULL: found by their ids alone, else all are below that one. out[i].kind NULL:
** there is none. */
SVC_PRIVATE int svc_entities_get(svc_txn *txn, const char *kind, const svc_id *parent, const svc_id *ids, size_t n, svc_entity *out);
SVC_PRIVATE int svc_entity_named(svc_txn *txn, const char *kind, const char *names, const svc_id *parent, svc_str unique,
                                 svc_entity *out); /* names NULL: its kind */

/* entity.c: records with their index entries, due dates and counts. */
SVC_PRIVATE void svc_below_begin(svc_scan *scan, svc_txn *txn, const char *kind, const svc_id *parent); /* all below a parent */
SVC_PRIVATE bool svc_below_next(svc_scan *scan, const char *kind, svc_entity *out); /* false: no more, or txn->error is set */
SVC_PRIVATE bool svc_below_first(svc_txn *txn, const char *kind, const svc_id *parent, svc_entity *out); /* false: the same */
/* The first below a parent whose field is this text, which needs no escapes: an id, a state. false: the same. */
SVC_PRIVATE bool svc_below_where(svc_txn *txn, const char *kind, const svc_id *parent, const char *field, svc_str text, svc_entity *out);
SVC_PRIVATE int svc_entity_insert(svc_txn *txn, svc_arena *a, const svc_entity *e); /* there is none of its id, nor of its name */
SVC_PRIVATE int svc_entity_update(svc_txn *txn, svc_arena *a, const svc_entity *e, const svc_entity *old);
SVC_PRIVATE int svc_entity_remove(svc_txn *txn, const svc_entity *e);
/* All below a parent, at once: for what has neither unique values nor dues. */
SVC_PRIVATE int svc_entity_remove_all(svc_txn *txn, const char *kind, const svc_id *parent);
SVC_PRIVATE int svc_entity_remove_some(svc_txn *txn, const char *kind, const svc_id *parent, uint64_t most); /* the first ones */

/* holding.c: roles on projects, from both sides. */
typedef struct svc_holder { /* a key, an account, a person in an organization, a team */
  const char *kind;
  svc_id id, org;
} svc_holder;
typedef struct svc_holding {
  svc_id org, group;
  svc_str roles; /* their names, a line each */
} svc_holding;
SVC_PRIVATE svc_str svc_holding_get(svc_txn *txn, const svc_id *holder, const svc_id *org, const svc_id *group); /* n 0: none */
SVC_PRIVATE void svc_holding_put(svc_txn *txn, const svc_holder *h, const svc_id *group, svc_str roles); /* n 0: none any more */
/* All of one holder; org NULL: in every organization. In the order of organizations, and in each of projects. */
SVC_PRIVATE void svc_holdings_begin(svc_scan *scan, svc_txn *txn, const svc_id *holder, const svc_id *org);
SVC_PRIVATE bool svc_holdings_next(svc_scan *scan, svc_holding *out);
SVC_PRIVATE int svc_holdings_drop(svc_txn *txn, const svc_holder *h); /* all that it has in its organization */
SVC_PRIVATE int svc_holdings_drop_on(svc_txn *txn, const svc_id *group, const svc_id *org); /* all that anybody has there */
/* Who holds something on a project, by kind and id; and, written by this alone, who is in what gives no roles. svc_count() of
** this kind and `on` says how many. */
SVC_PRIVATE void svc_listed_put(svc_txn *txn, const svc_id *on, const char *kind, const svc_id *id, bool there);
SVC_PRIVATE void svc_listed_begin(svc_scan *scan, svc_txn *txn, const svc_id *on, const char *kind); /* kind NULL: all */
SVC_PRIVATE bool svc_listed_next(svc_scan *scan, char kind[SVC_KIND_SIZE], svc_id *id); /* kind may be NULL */

/* due.c: what is to happen when, in the store. */
struct svc_due_entry {
  int64_t when;
  char kind[SVC_KIND_SIZE];
  svc_id parent, id;
  unsigned char tag;
};
SVC_PRIVATE int64_t svc_due_get(const svc_entity *e, int tag); /* 0: it waits for no such thing */
SVC_PRIVATE void svc_due_set(svc_entity *e, int tag, int64_t when); /* in the entity; 0: no longer */
#define SVC_DUE_LETTER 'd' /* what the keys of dates begin with */
SVC_PRIVATE void svc_due_noted(svc_txn *txn, const svc_key *key); /* it was put */
SVC_PRIVATE void svc_dues_write(svc_txn *txn, const svc_entity *e, const svc_entity *old); /* entries; either may be NULL */
SVC_PRIVATE bool svc_due_decode(svc_str key, svc_due_entry *out); /* false: it is the key of none */
SVC_PRIVATE bool svc_due_first(svc_txn *txn, svc_due_entry *out);
SVC_PRIVATE void svc_due_begin(svc_scan *scan, svc_txn *txn); /* all, in their order */
SVC_PRIVATE bool svc_due_next(svc_scan *scan, svc_due_entry *out);

/* commit.c: one writer at a time; writers that wait are committed together. */
struct svc_ids { /* what numbers entities */
  svc_id last;     /* the greatest id given out */
  svc_id reserved; /* the store knows that ids up to this one may have been given out */
  svc_id late;     /* the last one that was given out for a time that had passed */
  svc_id first;    /* the first one of the job that is being done; all 0: none yet */
  uint64_t revision;
  int64_t now; /* of the request that is being served */
  int64_t due; /* the first date that the transaction has put, on a store that others write to; INT64_MAX: none */
  int (*random)(void *context, void *buffer, size_t size);
  void *random_context;
  unsigned char pool[64]; /* random bytes for ids to come, the writer's; used from the end */
  size_t pool_left;
};
#define SVC_ID_AHEAD 64 /* seconds by which ids may be ahead of the clock: see commit.c */
SVC_PRIVATE svc_id svc_new_id(svc_txn *txn);
SVC_PRIVATE svc_id svc_new_id_at(svc_txn *txn, int64_t when); /* of a time that may have passed: it sorts there */
/* The next ids behind the last one are given to nobody: they belong to the owner of that one, who finds them by svc_id_after(). */
SVC_PRIVATE void svc_hold_ids(svc_txn *txn, uint64_t count);
SVC_PRIVATE bool svc_is_new(const svc_txn *txn, const svc_id *id); /* of a job's transaction: the first one of this job: below it is what the job has put there */
SVC_PRIVATE uint64_t svc_new_revision(svc_txn *txn);

typedef struct svc_job svc_job;
typedef struct svc_waiter svc_waiter;
struct svc_job {
  /* Does the work in the transaction. False: nothing of it is to be kept. May be called again with another one. */
  bool (*work)(svc_job *job, svc_txn *txn);
  int64_t now;
  int status;   /* SVC_OK, or the store's error that kept the work from being done */
  bool refused; /* work said no, and what it has seen is true: it has been answered for */
  bool alone;   /* it said no after it had written: it is done by itself, after the others */
  uint64_t lane; /* jobs of one tenant have the same: a conflict in one lane is retried apart from all others; 0: of nobody */
  unsigned tries, rests, group; /* of a job that is retried after a conflict: so often it was; pauses before it is; what it is tried with */
  bool again;   /* it is in svc_commit.again */
  bool frees;   /* there is less in the store afterwards: may be done where it is full */
  const svc_key *expected; /* what it will ask for, as far as that is known */
  size_t expected_count;
  svc_txn *draft; /* that it may be done in; whatever comes of it, it is ended. NULL: none */
  svc_job *next;
  svc_waiter *waiter; /* NULL: its thread leads */
};

typedef struct svc_commit {
  const svc_store_port *port;
  svc_store *store;
  svc_mutex lock;
  svc_allocator allocator;
  svc_waiter *waiters; /* as many as ever waited at once */
  svc_job *first, *last; /* waiting */
  bool leading;
  svc_job *again; /* retried after a conflict, in the order of their turns; the leader's, as `groups` */
  unsigned groups; /* the last number of a group */
  unsigned last_batch; /* jobs of the batch before */
  svc_ids ids;
  atomic_uint due_second; /* the second in which something is due; UINT_MAX: nothing is */
  int64_t due; /* the same in milliseconds; the lock's */
  int64_t next; /* the same as far as is known, where what others write is looked for before; the lock's */
  atomic_ulong commits, writes; /* so many; and jobs that these made durable */
  atomic_ulong conflicts; /* transactions that had to be done again, as another writer came first */
} svc_commit;

SVC_PRIVATE int svc_commit_open(svc_commit *k, const svc_store_port *port, svc_store *store, const svc_allocator *allocator);
SVC_PRIVATE void svc_commit_close(svc_commit *k);
SVC_PRIVATE int svc_commit_run(svc_commit *k, svc_job *job);
SVC_PRIVATE bool svc_commit_idle(svc_commit *k); /* nobody writes at the moment */
SVC_PRIVATE int svc_commit_copy(svc_commit *k, const char *path, int64_t now);
SVC_PRIVATE bool svc_commit_due(svc_commit *k, int64_t now); /* is something due that nobody has looked at yet? */
SVC_PRIVATE int64_t svc_commit_next(svc_commit *k); /* when something is due; INT64_MAX: nothing is */
SVC_PRIVATE void svc_commit_look_at(svc_commit *k, int64_t when); /* not before that */

#endif /* SVC_STORE_H */

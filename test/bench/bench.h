/*
** Shared by the files of the benchmark. Each file measures one thing and explains how at its top:
**
**   measure.c  turns, figures and the table
**   store.c    the service with its data; requests as users send them
**   crawl.c    one GET of every operation that links lead to
**   raw.c      the same store, with LMDB alone
**   reads.c    GET and lists, compared with raw gets and scans
**   writes.c   creates, compared with raw puts of the same records
**   memory.c   allocations, heap, instructions
**   wire.c     requests over the listener, compared with the peer
**   load.c     the clients for wire.c; load_tls.c: their TLS
**   peer.c     the peer: a hand-written server of mongoose and LMDB with the same answers
**   peer_fill.c  the peer's data, taken from the library's answers
**   text.c     texts with holes, from which the peers make their answers
**   postgres.c   requests on a store on PostgreSQL, compared with its peer; two instances compared with one
**   peer_postgres.c  that peer: hand-written libpq code with the same answers
**   relay.c    a connection to PostgreSQL with a fixed delay
*/
#ifndef SVC_BENCH_H
#define SVC_BENCH_H

#include "svcapi.h"

#include <lmdb.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define BENCH_SIZES 2
#define BENCH_ORGS 20
#define BENCH_PAGE 100
#define BENCH_TEXT_(x) #x
#define BENCH_TEXT(x) BENCH_TEXT_(x)
#define BENCH_IN_PROJECT 90 /* clusters: the most that a project can have, which also fit on one page */
#define BENCH_THREADS 16
#define BENCH_MAP ((size_t)4 << 30) /* map size of every store: none has to grow during a measurement */
#define BENCH_API "/api/svc/v2/"
#define BENCH_PATH 512
#define BENCH_TARGET 256
#define BENCH_CRAWL_MOST 512

_Noreturn void bench_die(const char *what);
double bench_now(void);
unsigned bench_random(unsigned *state);

/* ------------------------------------------------------------------------------------------------------------- measure.c */

#define BENCH_TURNS 64 /* at most */

typedef struct bench_turns {
  double x[BENCH_TURNS];
  int n;
} bench_turns;

extern double bench_seconds; /* length of one turn */

void bench_turn(bench_turns *t, double x);
double bench_best(const bench_turns *t); /* the smallest */
double bench_median(const bench_turns *t);
double bench_ratio(const bench_turns *a, const bench_turns *b); /* median of the ratios of turns that are neighbors in time */

/* The target of a row of the table. sense '<' or '>'; 0: no target. */
typedef struct bench_target {
  char sense;
  double bound;
  const char *unit; /* unit of the bound: "times" or "%" */
} bench_target;

#define BENCH_NONE ((bench_target){ 0, 0, "" })
#define BENCH_AT_MOST(bound, unit) ((bench_target){ '<', bound, unit })
#define BENCH_AT_LEAST(bound, unit) ((bench_target){ '>', bound, unit })

/* Adds a figure at one size; peer and ratio 0: none. The target applies to the ratio, or without one to the value. */
void bench_figure(int size, const char *name, const char *unit, double value, double peer, double ratio, bench_target target);
/* Adds the ratio between the last size and the first. */
void bench_growth(const char *name, double ratio, bench_target target);
void bench_report(const char *json_path);

/* --------------------------------------------------------------------------------------------------------------- store.c */

typedef struct bench_counter { /* counts of an allocator */
  atomic_long calls, bytes, peak;
} bench_counter;

typedef struct bench_store {
  int size; /* number of projects */
  char path[BENCH_PATH - 16]; /* leaves room for the suffix of a copy's name */
  char org[BENCH_ORGS][25];
  char basic[512];       /* "Basic ...": a service account that owns the first organization */
  char bearer[160];      /* "Bearer ...": an access token of that account */
  char (*own)[25];       /* projects of the first organization */
  int own_count;
  char clustered[25];    /* a project of that organization with BENCH_IN_PROJECT clusters */
  char (*crawl)[BENCH_TARGET]; /* targets found by bench_crawl() */
  int crawl_count, crawl_long; /* number of targets with short answers, and of those with long answers, which follow them */
  double crawl_bytes;    /* of all short answers */
  char crawl_bearer[160]; /* the token for these targets */
  atomic_long created;   /* counter for the names of new projects */
} bench_store;

typedef struct bench_options {
  const char *path; /* NULL: a private store */
  int durability;
  bench_counter *counter;
  int64_t (*clock)(void *context);
  bool all_limits; /* also raises the limits that only bench_crawl() would reach */
  size_t journal;  /* requests that the journal of test control keeps; 0: no journal */
} bench_options;

svc *bench_open(const bench_options *options);
svc *bench_open_on(const bench_options *options, const svc_store_port *store); /* store NULL: LMDB */
/* Creates organizations, a service account, projects and clusters; then requests a token. */
void bench_fill(svc *s, bench_store *b, int size, int orgs, int clusters);
void bench_account(svc *s, bench_store *b); /* another account that owns the first organization */
void bench_token(svc *s, bench_store *b);   /* a token of the latest account */
void bench_free(bench_store *b);

/* Sends a request whose caller the host supplies: an owner of everything. The caller of bench_ask() frees `out`. */
int bench_ask(svc *s, const char *method, const char *target, const char *body, svc_response *out);

/* Requests with the token. A failure ends the program. */
typedef enum bench_op { BENCH_GET, BENCH_ORG_LIST, BENCH_LIST, BENCH_CLUSTERS, BENCH_CREATE, BENCH_OPS,
                        BENCH_SETTINGS, /* settings of a project: a short answer, without a peer */
                        BENCH_CRAWL /* targets that links lead to */, BENCH_CRAWL_ALL /* these, and the long lists */ } bench_op;
extern const char *const bench_op_names[BENCH_OPS];
void bench_target_of(const bench_store *b, bench_op op, int which, char *out, size_t size); /* which: index in the projects of the first
                                                                                               organization, or in crawl */
size_t bench_create_body(const bench_store *b, long number, char *out, size_t size);
#define BENCH_NAME "create-%09ld" /* name of a created project: of fixed length */
void bench_request(svc *s, bench_store *b, bench_op op, unsigned *state, svc_response *out);
void bench_do(svc *s, bench_store *b, bench_op op, unsigned *state);

void bench_path(const bench_store *b, const char *word, char out[BENCH_PATH]);
void bench_copy_store(const bench_store *b, const char *to);
void bench_remove_store(const char *path);

/* --------------------------------------------------------------------------------------------------------------- crawl.c */

void bench_crawl(svc *s, bench_store *b);

/* ----------------------------------------------------------------------------------------------------------------- raw.c */

typedef struct bench_raw {
  MDB_env *env;
  MDB_dbi dbi;
} bench_raw;

typedef struct bench_keys {
  MDB_val *keys;
  size_t n, room;
} bench_keys;

void bench_raw_open(bench_raw *r, const char *path, unsigned flags);
void bench_raw_close(bench_raw *r);
/* Puts a record whose key is the letter, then a, then b. */
void bench_raw_put(const bench_raw *r, MDB_txn *txn, char letter, const void *a, size_t an, const void *b, size_t bn,
                   const void *value, size_t n);
/* Finds the keys of all records whose value contains both texts, in order. */
void bench_raw_find(bench_raw *r, const char *one, const char *two, bench_keys *out);
void bench_keys_free(bench_keys *k);

/* ---------------------------------------------------------------------------------------------------------------- parts */

void bench_reads(bench_store *b); /* all sizes */
void bench_writes(bench_store *b);
void bench_wire(int size, bench_store *b, const char *program, bool tls); /* tls: only the comparisons with and without TLS */
int bench_serve(const char *path); /* runs the listener on a free port, prints the port, and ends when standard input ends */
void bench_memory(const char *program);
int bench_loop(const char *what, int n, int journal);

/* --------------------------------------------------------------------------------------------------------------- load.c */

typedef struct bench_load bench_load;

/* Opens `count` connections to a port of loopback. */
bench_load *bench_load_open(int port, int count, bool secure); /* secure: with TLS */
void bench_load_close(bench_load *l);
/* Sends one request alone and returns the answer with its head; the caller frees it. */
char *bench_load_ask(int port, const char *request, size_t n, size_t *length);

typedef struct bench_text {
  char *p;
  size_t n;
} bench_text;

typedef struct bench_rate {
  double reads, creates; /* per second */
} bench_rate;

/* Runs for this many seconds: all connections send one of `reads` after another, except that `creators` of them create projects. */
bench_rate bench_load_run(bench_load *l, double seconds, const bench_text *reads, size_t read_count, int creators,
                          bench_store *b);

/* ----------------------------------------------------------------------------------------------------------- load_tls.c */

void *bench_tls_open(void); /* the state that connections share */
void bench_tls_close(void *shared);
void *bench_tls_shake(void *shared, int fd); /* returns the session of one connection, after its handshake */
void bench_tls_end(void *session);
bool bench_tls_send(void *session, const char *p, size_t n);
int bench_tls_read(void *session, char *to, int n); /* 0: nothing has arrived */

/* --------------------------------------------------------------------------------------------------------------- text.c */

/*
** Holes in the texts of a peer: byte values that occur neither in JSON nor in HTTP. Each text is cut at its holes once.
*/
enum {
  PEER_ID = 1,    /* id of the entity, or of the list's parent, 24 digits */
  PEER_ORG,       /* id of the organization, 24 digits */
  PEER_NAME,
  PEER_REMAINING, /* tokens left in the bucket */
  PEER_ETAG,
  PEER_LENGTH,    /* length of the body */
  PEER_DATE,
  PEER_CREATED,
  PEER_TAGS = 14, /* an array, as received */
  PEER_CLUSTERS,  /* number of clusters */
  PEER_HOLES
};

#define PEER_PIECES 64

typedef struct peer_text { /* a text cut at its holes */
  struct {
    bench_text text;
    int hole; /* the hole after the text; 0: the end */
  } pieces[PEER_PIECES];
  int count;
} peer_text;

typedef bench_text peer_holes[PEER_HOLES];

void bench_cut(peer_text *out, const char *p, size_t n);
char *bench_write(char *to, const peer_text *t, const peer_holes holes); /* returns the end of the written text */
bench_text bench_number(char room[24], unsigned long long x);
void bench_hole(char *text, const char *what, char hole); /* makes a hole wherever `what` occurs */
void bench_hole_id(char *head, const svc_response *r); /* makes holes in the head of a create: the id in its Location */
void bench_hole_between(char *text, const char *before, const char *after, char hole);
void bench_id_hex(const unsigned char *id, char *out); /* writes 24 digits */
bool bench_hex_id(const char *text, unsigned char id[12]);
char *bench_text_copy(const char *p, size_t n);
/* Returns the next element of an array of objects; NULL: none. *p points to the element, or to the comma before it, and then behind it. */
const char *bench_next_item(const char **p, size_t *n);

/* --------------------------------------------------------------------------------------------------------------- peer.c */

/* Keys of the peer's store: a letter, followed by the parts given here, a colon, and the value. */
#define PEER_KEY_TEXT 'h'    /* "head" or "front" and the number of the operation, "links", "item": a text with holes */
#define PEER_KEY_TOKEN 't'   /* SHA-256 of the token: org(12) */
#define PEER_KEY_PLACE 'i'   /* id(12): org(12) */
#define PEER_KEY_ITEM 'p'    /* org or project(12), id(12): peer_item, ETag, item as shown in lists */
#define PEER_KEY_NAME 'n'    /* org(12), name: id(12) */
#define PEER_KEY_EVENT 'v'   /* org(12), id(12): an event */
#define PEER_KEY_COUNT 'c'   /* org or project(12): u64 */
#define PEER_SELF "\"rel\":\"self\"}" /* when an item is answered alone, its further links follow this text */
#define PEER_EVENT_SIZE 400

typedef struct peer_item {
  unsigned short tag;    /* length of the ETag */
  unsigned short splice; /* offset in the item, after its PEER_SELF */
} peer_item;

void bench_peer_fill(svc *s, bench_store *b, const char *path);
int bench_peer_serve(const char *path); /* like bench_serve() */

/* ----------------------------------------------------------------------------------------------------------- PostgreSQL */

void bench_postgres(bench_store *b); /* all sizes; does nothing without libpq */

typedef struct bench_libpq bench_libpq;
typedef struct bench_answer {
  const char *head, *body; /* overwritten by the next request of the same thread */
  size_t head_length, body_length;
} bench_answer;

bench_libpq *bench_libpq_new(svc *s, bench_store *b, const char *uri); /* fills the peer's tables from the library's answers */
void bench_libpq_connect(bench_libpq *p, const char *uri, int threads);
void bench_libpq_disconnect(bench_libpq *p);
void bench_libpq_free(bench_libpq *p);
void bench_libpq_request(bench_libpq *p, int thread, bench_store *b, bench_op op, unsigned *state, bench_answer *out);
size_t bench_head_of(const svc_response *r, bool holes, char *out, size_t size); /* writes status and headers as text; returns the length */

/* Forwards connections from the socket in `folder` to the socket in `to`, with this delay in each direction. */
void bench_relay_start(const char *folder, const char *to, double seconds);

#endif /* SVC_BENCH_H */

/*
** What the files of the benchmark share. Each measures one thing and says at its top how:
**
**   measure.c  turns, figures and the table
**   store.c    the service, filled; requests as users send them
**   crawl.c    one GET of every operation that links lead to
**   raw.c      the same store, by LMDB alone
**   reads.c    GET and lists, beside raw gets and scans
**   writes.c   creates, beside raw puts of the same records
**   memory.c   allocations, heap, instructions
**   wire.c     requests over the listener, beside the peer
**   load.c     the clients for that; load_tls.c: by TLS
**   peer.c     the peer: mongoose and LMDB wired by hand for the same answers
**   peer_fill.c  what the peer serves, taken from the library's answers
**   text.c     texts with holes, of which peers make their answers
**   postgres.c   requests on a store on PostgreSQL, beside the peer for that; two instances beside one
**   peer_postgres.c  that peer: libpq wired by hand for the same answers
**   relay.c    a way to PostgreSQL that takes a while
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
#define BENCH_IN_PROJECT 90 /* clusters: as many as a project can have, which are a page as well */
#define BENCH_THREADS 16
#define BENCH_MAP ((size_t)4 << 30) /* of every store: none has to grow while it is measured */
#define BENCH_API "/api/svc/v2/"
#define BENCH_PATH 512
#define BENCH_TARGET 256
#define BENCH_CRAWL_MOST 512

_Noreturn void bench_die(const char *what);
double bench_now(void);
unsigned bench_random(unsigned *state);

/* ------------------------------------------------------------------------------------------------------------- measure.c */

#define BENCH_TURNS 64 /* at the most */

typedef struct bench_turns {
  double x[BENCH_TURNS];
  int n;
} bench_turns;

extern double bench_seconds; /* of one turn */

void bench_turn(bench_turns *t, double x);
double bench_best(const bench_turns *t); /* the smallest */
double bench_median(const bench_turns *t);
double bench_ratio(const bench_turns *a, const bench_turns *b); /* the median of the ratios of neighbours in time */

/* A row of the table: what it must reach. sense '<' or '>', 0: nothing. */
typedef struct bench_target {
  char sense;
  double bound;
  const char *unit; /* of the bound: "times" or "%" */
} bench_target;

#define BENCH_NONE ((bench_target){ 0, 0, "" })
#define BENCH_AT_MOST(bound, unit) ((bench_target){ '<', bound, unit })
#define BENCH_AT_LEAST(bound, unit) ((bench_target){ '>', bound, unit })

/* One figure at one size; peer and ratio 0: there is none. The target is the ratio's, or without one the value's. */
void bench_figure(int size, const char *name, const char *unit, double value, double peer, double ratio, bench_target target);
/* One at the last size beside the same at the first. */
void bench_growth(const char *name, double ratio, bench_target target);
void bench_report(const char *json_path);

/* --------------------------------------------------------------------------------------------------------------- store.c */

typedef struct bench_counter { /* of an allocator */
  atomic_long calls, bytes, peak;
} bench_counter;

typedef struct bench_store {
  int size; /* projects */
  char path[BENCH_PATH - 16]; /* copies have this and a word behind it */
  char org[BENCH_ORGS][25];
  char basic[512];       /* "Basic ...": an account that owns the first organization */
  char bearer[160];      /* "Bearer ...": a token of it */
  char (*own)[25];       /* the projects of that one */
  int own_count;
  char clustered[25];    /* one of these, with BENCH_IN_PROJECT clusters */
  char (*crawl)[BENCH_TARGET]; /* bench_crawl() */
  int crawl_count, crawl_long; /* so many, and behind them so many that are answered with much */
  double crawl_bytes;    /* of all the short answers */
  char crawl_bearer[160]; /* who asks for them */
  atomic_long created;   /* names of new projects are numbered */
} bench_store;

typedef struct bench_options {
  const char *path; /* NULL: a private store */
  int durability;
  bench_counter *counter;
  int64_t (*clock)(void *context);
  bool all_limits; /* also those of what is only asked for by bench_crawl() are not met */
  size_t journal;  /* requests that test control keeps; 0: none */
} bench_options;

svc *bench_open(const bench_options *options);
svc *bench_open_on(const bench_options *options, const svc_store_port *store); /* NULL: LMDB */
/* Organizations, an account, projects, clusters; then a token. */
void bench_fill(svc *s, bench_store *b, int size, int orgs, int clusters);
void bench_account(svc *s, bench_store *b); /* another that owns the first organization */
void bench_token(svc *s, bench_store *b);   /* of the account made last */
void bench_free(bench_store *b);

/* Requests by somebody whom the host vouches for, who may do everything; `out` is to be freed. */
int bench_ask(svc *s, const char *method, const char *target, const char *body, svc_response *out);

/* Requests with the token. They end the program when they fail. */
typedef enum bench_op { BENCH_GET, BENCH_ORG_LIST, BENCH_LIST, BENCH_CLUSTERS, BENCH_CREATE, BENCH_OPS,
                        BENCH_SETTINGS, /* of a project: a short answer, that no peer has; nor has it */
                        BENCH_CRAWL /* what links lead to */, BENCH_CRAWL_ALL /* and long lists */ } bench_op;
extern const char *const bench_op_names[BENCH_OPS];
void bench_target_of(const bench_store *b, bench_op op, int which, char *out, size_t size); /* which: of its own projects, or of crawl */
size_t bench_create_body(const bench_store *b, long number, char *out, size_t size);
#define BENCH_NAME "create-%09ld" /* of such a project: always as long */
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
/* The key is the letter, then a, then b. */
void bench_raw_put(const bench_raw *r, MDB_txn *txn, char letter, const void *a, size_t an, const void *b, size_t bn,
                   const void *value, size_t n);
/* The keys of all records whose value holds these two texts, in order. */
void bench_raw_find(bench_raw *r, const char *one, const char *two, bench_keys *out);
void bench_keys_free(bench_keys *k);

/* ---------------------------------------------------------------------------------------------------------------- parts */

void bench_reads(bench_store *b); /* of all sizes */
void bench_writes(bench_store *b);
void bench_wire(int size, bench_store *b, const char *program, bool tls); /* tls: only what is beside the same without TLS */
int bench_serve(const char *path); /* the listener on a free port, which it prints; until its standard input ends */
void bench_memory(const char *program);
int bench_loop(const char *what, int n, int journal);

/* --------------------------------------------------------------------------------------------------------------- load.c */

typedef struct bench_load bench_load;

/* `count` connections to a port of loopback. */
bench_load *bench_load_open(int port, int count, bool secure); /* secure: by TLS */
void bench_load_close(bench_load *l);
/* One request alone; the answer, head and all, is to be freed. */
char *bench_load_ask(int port, const char *request, size_t n, size_t *length);

typedef struct bench_text {
  char *p;
  size_t n;
} bench_text;

typedef struct bench_rate {
  double reads, creates; /* a second */
} bench_rate;

/* For so long: all connections send one of `reads` after the other, but `creators` of them new projects. */
bench_rate bench_load_run(bench_load *l, double seconds, const bench_text *reads, size_t read_count, int creators,
                          bench_store *b);

/* ----------------------------------------------------------------------------------------------------------- load_tls.c */

void *bench_tls_open(void); /* what connections share */
void bench_tls_close(void *shared);
void *bench_tls_shake(void *shared, int fd); /* the session of one, whose handshake is done */
void bench_tls_end(void *session);
bool bench_tls_send(void *session, const char *p, size_t n);
int bench_tls_read(void *session, char *to, int n); /* 0: nothing has come */

/* --------------------------------------------------------------------------------------------------------------- text.c */

/*
** Holes in the texts of a peer: bytes that are found neither in JSON nor in HTTP. A text is cut at them once.
*/
enum {
  PEER_ID = 1,    /* of the entity, or of what the list is of, 24 digits */
  PEER_ORG,       /* of the organization, 24 digits */
  PEER_NAME,
  PEER_REMAINING, /* in the bucket */
  PEER_ETAG,
  PEER_LENGTH,    /* of the body */
  PEER_DATE,
  PEER_CREATED,
  PEER_TAGS = 14, /* an array, as it came */
  PEER_CLUSTERS,  /* how many there are */
  PEER_HOLES
};

#define PEER_PIECES 64

typedef struct peer_text { /* cut at its holes */
  struct {
    bench_text text;
    int hole; /* behind it; 0: the end */
  } pieces[PEER_PIECES];
  int count;
} peer_text;

typedef bench_text peer_holes[PEER_HOLES];

void bench_cut(peer_text *out, const char *p, size_t n);
char *bench_write(char *to, const peer_text *t, const peer_holes holes); /* where it ends */
bench_text bench_number(char room[24], unsigned long long x);
void bench_hole(char *text, const char *what, char hole); /* wherever `what` stands */
void bench_hole_id(char *head, const svc_response *r); /* of the head of a create: the id in its Location */
void bench_hole_between(char *text, const char *before, const char *after, char hole);
void bench_id_hex(const unsigned char *id, char *out); /* 24 digits */
bool bench_hex_id(const char *text, unsigned char id[12]);
char *bench_text_copy(const char *p, size_t n);
/* The next element of an array of objects, of which *p is somewhere before; NULL: there is none. */
const char *bench_next_item(const char **p, size_t *n);

/* --------------------------------------------------------------------------------------------------------------- peer.c */

/* Keys of the peer's store: a letter, then what is said here. */
#define PEER_KEY_TEXT 'h'    /* "head" or "front" and the number of the operation, "links", "item": a text with holes */
#define PEER_KEY_TOKEN 't'   /* SHA-256 of the token: org(12) */
#define PEER_KEY_PLACE 'i'   /* id(12): org(12) */
#define PEER_KEY_ITEM 'p'    /* org or project(12), id(12): peer_item, ETag, item as lists show it */
#define PEER_KEY_NAME 'n'    /* org(12), name: id(12) */
#define PEER_KEY_EVENT 'v'   /* org(12), id(12): an event */
#define PEER_KEY_COUNT 'c'   /* org or project(12): u64 */
#define PEER_SELF "\"rel\":\"self\"}" /* behind this the links of an item go on, where it is answered alone */
#define PEER_EVENT_SIZE 400

typedef struct peer_item {
  unsigned short tag;    /* length of the ETag */
  unsigned short splice; /* of the item: behind its PEER_SELF */
} peer_item;

void bench_peer_fill(svc *s, bench_store *b, const char *path);
int bench_peer_serve(const char *path); /* as bench_serve() */

/* ----------------------------------------------------------------------------------------------------------- PostgreSQL */

void bench_postgres(bench_store *b); /* of all sizes; without libpq: nothing */

typedef struct bench_libpq bench_libpq;
typedef struct bench_answer {
  const char *head, *body; /* the next request of the same thread writes over them */
  size_t head_length, body_length;
} bench_answer;

bench_libpq *bench_libpq_new(svc *s, bench_store *b, const char *uri); /* fills its tables from the library's answers */
void bench_libpq_connect(bench_libpq *p, const char *uri, int threads);
void bench_libpq_disconnect(bench_libpq *p);
void bench_libpq_free(bench_libpq *p);
void bench_libpq_request(bench_libpq *p, int thread, bench_store *b, bench_op op, unsigned *state, bench_answer *out);
size_t bench_head_of(const svc_response *r, bool holes, char *out, size_t size); /* status and headers, as text */

/* Connections to the socket in `folder` go to that in `to`, and everything is late by so much in both directions. */
void bench_relay_start(const char *folder, const char *to, double seconds);

#endif /* SVC_BENCH_H */

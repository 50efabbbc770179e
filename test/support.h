/*
** Shared by all suites: a service on a private store, with a clock and a random source that the test controls, and requests in
** one line. Each answer is checked before a test sees it: valid JSON, and an error document for an error status. A bad request
** must have changed nothing.
*/
#ifndef SVC_TEST_SUPPORT_H
#define SVC_TEST_SUPPORT_H

#include "catalog/catalog.h"
#include "test.h"

/* 2025-06-01T00:00:00Z, where the clock of a test starts. */
#define T_START ((int64_t)1748736000000)

typedef struct t_service {
  svc *s;
  _Atomic(int64_t) now; /* milliseconds; tests may change it freely, and threads of drivers read it */
  uint64_t random;      /* state of the random source */
  svc_grant grants[8];
  svc_caller caller;    /* an ORG_OWNER of every organization unless changed */
  bool anonymous;       /* requests have no caller */
  const char *peer;
  svc_header headers[8];
  size_t header_count;  /* sent with every request until t_headers_clear */
  int (*handle)(svc *s, const svc_request *request, svc_response *out); /* what requests are sent to; NULL: svc_handle_request() */
  bool no_key;          /* handles get no secret_key: for t_reopen() */
  char log[1024];       /* the lines since the test last emptied it, as far as they fit */
  void (*settle)(void *context); /* called after each request, and whenever t_advance() reaches a due time; may be NULL */
  void *settle_context;
  void (*sent)(void *context, const char *method, const char *target, const char *body); /* called after each request; may be NULL */
  void *sent_context;

  /* the last answer */
  svc_response response;
  svc_arena arena;      /* of the parsed body */
  svc_node *body;       /* NULL: no body, or not JSON */
} t_service;

/* t_open() opens with changes to the default configuration (NULL: none). t_close() frees everything. */
void t_open(t_service *t, const svc_config *changes);
void t_reopen(t_service *t, const svc_config *changes); /* opens another handle, with the same clock and caller */
void t_close(t_service *t);
void t_log(void *context, int level, const char *text); /* svc_config.log: appends to the log of the t_service in `context` */

/* Sends one request; the path is relative to /api/svc/v2. Returns the status. */
int t_send(t_service *t, const char *method, const char *path, const char *body);
uint64_t t_state_in(svc *s, svc_txn *txn); /* a number that changes with every commit */
uint64_t t_state(const t_service *t); /* the same number, read now; 0 if a step is due, because any request would store it */
int t_send_raw(t_service *t, const char *method, const char *target, const char *body, size_t body_length);
int t_sendf(t_service *t, const char *method, const char *body, const char *path_format, ...) SVC_PRINTF(4, 5);
void t_header(t_service *t, const char *name, const char *value); /* for all later requests */
void t_headers_clear(t_service *t);
void t_advance(t_service *t, int64_t seconds);
/* The real clock, for tests that wait for another process: seconds since some fixed moment, and a pause. */
double t_seconds(void);
void t_pause_ms(int ms);
/* Checks that each of these fault definitions, {JSON, words}, is refused with the words in the log, and that no fault is
   defined afterwards. */
void t_faults_refused(t_service *t, const char *const (*bad)[2], size_t count);

/* Parts of the last answer. Paths: "a.b[0].c". Missing: "" or INT64_MIN. */
const char *t_get_header(const t_service *t, const char *name); /* "" if the answer lacks it */
const svc_node *t_node(const t_service *t, const char *path);
const char *t_str(const t_service *t, const char *path); /* strings; numbers and booleans as text */
int64_t t_int(const t_service *t, const char *path);
size_t t_count(const t_service *t, const char *path); /* elements of an array or members of an object */
const char *t_error(const t_service *t);              /* errorCode */
const char *t_param(const t_service *t, int index);   /* parameter of the error */
bool t_violation(const t_service *t, const char *field); /* whether badRequestDetail.fields has the field */
svc_str t_unzipped(t_service *t); /* the content of a gzip stream, whose blocks must be stored uncompressed; valid until the next request */
const char *t_link(const t_service *t, const char *rel); /* href of the link whose rel ends in this; "" if it is missing */

bool t_ended(const t_service *t, const svc_plan *plan); /* whether the sunset of its last version has passed: every request gets 410 */

/* Create common resources. Each returns an id in the service's memory, valid until t_close(). */
const char *t_organization(t_service *t, const char *name);
const char *t_project(t_service *t, const char *org_id, const char *name); /* without alert configurations */

/* A service with the organization "Acme" and a project in it, as most suites need. */
typedef struct t_place {
  t_service t;
  const char *org, *group;
} t_place;
void t_place_open(t_place *w, const svc_config *changes, const char *project, const char *cluster); /* `cluster`: the body of a cluster
                                                                                                       to create; NULL: none */

int t_large_project(t_service *t, const char *org, const char *name); /* some 15 KB; returns the status */
const char *t_user(t_service *t, const char *name, const char *roles); /* creates a registered user; roles: a JSON array */
/* Adds a collection to a simulated cluster, by creating an online archive that names it. */
void t_collection(t_service *t, const char *group, const char *cluster, const char *database, const char *collection);
const char *t_keep(t_service *t, const char *text);                   /* copies a text, such as one of the last answer */
void t_as(t_service *t, const char *user_id); /* later requests come from this user, with the user's own roles; NULL: from the owner of
                                                 everything */

/* Later requests come from this account, with an access token requested by its secret. Returns the status of the token
   request. Clears all headers. */
int t_as_account(t_service *t, const char *client_id, const char *secret);
void t_as_host(t_service *t); /* later requests come from the owner of everything again */

/* Adds nouns of the test to the catalog, for handles opened from now on. NULL-terminated list; NULL: none. */
void t_probes(const svc_noun *const *nouns);
void t_without(const char *const *names); /* leaves these nouns out, as -DSVC_OMIT does. NULL-terminated list; NULL: none */
const svc_noun *const *svc_catalog_all(size_t *count); /* the catalog of the registry */

/* An allocator that counts its calls, and fails on request. */
typedef struct t_memory {
  atomic_long calls, fail_at, live; /* fail_at 0: never. Atomic, because threads of a driver allocate, too */
  bool for_good;             /* all calls from fail_at on fail, not only that one */
} t_memory;
void *t_memory_resize(void *context, void *p, size_t size);
/* Makes allocations inside arenas fail: a request makes hundreds of these, but calls its allocator only a few times. The n-th
   allocation from now on fails; 0: none. Returns the number of allocations since the previous call, or 0 if that call set no failure. */
long t_arena_fail(long n);
bool t_arena_failing(void); /* whether an allocation is set to fail */
/* Runs the same steps as svc_handle_request(), with an arena that has this much room and cannot grow. Returns SVC_NOMEM or
   SVC_OK. The caller frees the arena's blocks. */
#define T_MOST_ROOM ((size_t)1 << 20)
int t_handle_within(t_service *t, t_memory *m, const svc_request *request, size_t room, svc_response *response, svc_arena *arena);
/* Checks a request for which memory may be short: returns true if it was answered, or false for a correct 503. */
bool t_memory_sufficed(int rc, const svc_response *response);

/* The store of t_port() with counters of its reads: for svc_config.store. */
typedef struct t_reads {
  long gets;   /* single records read */
  long scans;  /* ranges begun or continued */
  long rows;   /* rows read in ranges */
  long passed; /* rows skipped without being looked at */
  long bytes;  /* bytes of the keys and values returned */
  long writes; /* puts and removals; a removed range counts as one */
  long most;   /* largest number of rows read between two beginnings of write transactions */
} t_reads;
const svc_store_port *t_counting_port(void);
t_reads t_reads_taken(void); /* returns the counts since the previous call */

/* Sends one request of the owner of everything to a service that is not a t_service; the caller frees the response. */
void t_ask_as_owner(svc *s, const char *method, const char *target, const char *body, svc_response *out);

/* t_port() is the store that the tests run on: LMDB, or the one that SVC_TEST_STORE names ("shared": LMDB as if it were
   shared). t_postgres_port() is in postgres.c; NULL: PostgreSQL is not available. */
const svc_store_port *t_port(void);
const svc_store_port *t_postgres_port(void);
const svc_store_port *t_memory_port(void); /* in memory.c: the in-memory store; a store with a path outlives its handle */
const svc_store_port *t_postgres_bare(void); /* the port itself: its path is a URI. NULL: not built in */
#define T_ON_LMDB (t_port() == svc_lmdb_port()) /* for tests that look into LMDB's file */
const svc_limiter_port *t_redis_port(void); /* in redis.c; NULL: Redis is not tested */
int t_postgres_backup(svc *s, const char *folder); /* svc_backup() into the folder itself, as an LMDB store */
void t_postgres_do(const char *folder, const char *sql); /* runs SQL in the schema of a folder's store, which is also the
                                                            application_name */

/* A store without a service: a write transaction on a private store, never committed. */
typedef struct t_store {
  svc_store *store;
  svc_txn *txn;
  svc_arena arena;
  svc_id root; /* zero */
} t_store;
void t_store_open(t_store *t);
void t_store_close(t_store *t);
svc_id t_id(unsigned n); /* an id; greater numbers give greater ids */

/* Defined in store_test.c. */
void store_folder(char out[128]); /* the path of a new folder for a store */
void store_remove(const char *path);
size_t store_whole(svc *s);   /* checks every record against every other; returns the number of projects */
uint64_t store_print(svc *s); /* a hash of everything in the store */

#endif

/*
** What the suites share: a service on a private store, with a clock and a random source that the test controls, and
** requests in one line. Every answer is checked to be well-formed (valid JSON, an error document where the status says
** so) before a test sees it, and a bad request to have changed nothing.
*/
#ifndef SVC_TEST_SUPPORT_H
#define SVC_TEST_SUPPORT_H

#include "catalog/catalog.h"
#include "test.h"

/* 2025-06-01T00:00:00Z, where the clock of a test starts. */
#define T_START ((int64_t)1748736000000)

typedef struct t_service {
  svc *s;
  int64_t now;          /* milliseconds; move it freely */
  uint64_t random;      /* state of the random source */
  svc_grant grants[8];
  svc_caller caller;    /* an ORG_OWNER of everything unless changed */
  bool anonymous;       /* requests carry no caller */
  const char *peer;
  svc_header headers[8];
  size_t header_count;  /* sent with every request until t_headers_clear */
  bool no_key;          /* handles have no secret_key: for t_reopen() */
  char log[1024];       /* the last lines */
  void (*settle)(void *context); /* called behind each request, and whenever t_advance() comes to a time at which something is due; NULL: nothing */
  void *settle_context;
  void (*sent)(void *context, const char *method, const char *target, const char *body); /* called behind each request; NULL: nothing */
  void *sent_context;

  /* the last answer */
  svc_response response;
  svc_arena arena;      /* of the parsed body */
  svc_node *body;       /* NULL: none, or not JSON */
} t_service;

/* Open with changes to the default configuration; NULL: none. Close frees all, and fails on a leak. */
void t_open(t_service *t, const svc_config *changes);
void t_reopen(t_service *t, const svc_config *changes); /* the same clock and caller, another handle */
void t_close(t_service *t);
void t_log(void *context, int level, const char *text); /* svc_config.log: into the log of a t_service, the context */

/* One request; the path is below /api/svc/v2. Returns the status. */
int t_send(t_service *t, const char *method, const char *path, const char *body);
uint64_t t_state_in(svc *s, svc_txn *txn); /* another number than before: something was committed */
int t_send_raw(t_service *t, const char *method, const char *target, const char *body, size_t body_length);
int t_sendf(t_service *t, const char *method, const char *body, const char *path_format, ...) SVC_PRINTF(4, 5);
void t_header(t_service *t, const char *name, const char *value); /* for the requests to come */
void t_headers_clear(t_service *t);
void t_advance(t_service *t, int64_t seconds);
/* The real clock, for tests of what waits for another process: seconds from some moment on; and to wait. */
double t_seconds(void);
void t_pause_ms(int ms);
/* Each of these failures on demand, {JSON, words}, is refused, and the log has the words; none is there behind that. */
void t_faults_refused(t_service *t, const char *const (*bad)[2], size_t count);

/* The last answer. Paths: "a.b[0].c". Missing: "" / INT64_MIN. */
const char *t_get_header(const t_service *t, const char *name); /* "" when it is not there */
const svc_node *t_node(const t_service *t, const char *path);
const char *t_str(const t_service *t, const char *path); /* strings, and numbers and booleans as text */
int64_t t_int(const t_service *t, const char *path);
size_t t_count(const t_service *t, const char *path); /* elements of an array or members of an object */
const char *t_error(const t_service *t);              /* errorCode */
const char *t_param(const t_service *t, int index);   /* of the error */
bool t_violation(const t_service *t, const char *field); /* is it among badRequestDetail.fields? */
const char *t_link(const t_service *t, const char *rel); /* href of the link whose rel ends in this; "" */

bool t_ended(const t_service *t, const svc_plan *plan); /* its last version has by now: 410, whoever asks for what */

/* Things most tests need; each returns an id in memory of the service's (valid until t_close). */
const char *t_organization(t_service *t, const char *name);
const char *t_project(t_service *t, const char *org_id, const char *name); /* without alert configurations of its own */

/* A service with the organization "Acme" and a project in it, which is what most suites begin with. */
typedef struct t_place {
  t_service t;
  const char *org, *group;
} t_place;
void t_place_open(t_place *w, const svc_config *changes, const char *project, const char *cluster); /* the body of a cluster in it; NULL: none */

int t_large_project(t_service *t, const char *org, const char *name); /* of some 15 KB; the status */
const char *t_user(t_service *t, const char *name, const char *roles); /* registered; roles: a JSON array */
/* A collection of a simulated cluster that the service knows of from here on: an online archive names it. */
void t_collection(t_service *t, const char *group, const char *cluster, const char *database, const char *collection);
const char *t_keep(t_service *t, const char *text);                   /* of the last answer, say */
void t_as(t_service *t, const char *user_id); /* requests are this user's, with its own roles; NULL: the owner's of everything */

/* Requests are this account's, by a token that is got for its secret; the status of that. Headers are cleared. */
int t_as_account(t_service *t, const char *client_id, const char *secret);
void t_as_host(t_service *t); /* back to the owner of everything */

/* Nouns of the test's own, which handles opened from here on have beside the catalog's; NULL: none. Closed by a NULL. */
void t_probes(const svc_noun *const *nouns);
void t_without(const char *const *names); /* and without these, as if -DSVC_OMIT had left them out; NULL: none. Closed by a NULL */
const svc_noun *const *svc_catalog_all(size_t *count); /* of the registry */

/* An allocator that counts, and fails where it is told to. */
typedef struct t_memory {
  atomic_long calls, fail_at, live; /* fail_at 0: never. Threads of a driver allocate, too */
  bool for_good;             /* all calls from that one on, rather than that one */
} t_memory;
void *t_memory_resize(void *context, void *p, size_t size);
/* The same for the arenas' own allocations, of which a request has hundreds, though it calls its allocator only a few times:
** the n-th from here on fails; 0: none does. How many there were since it was called last. */
long t_arena_fail(long n);
bool t_arena_failing(void); /* one is to fail */
/* The same steps as svc_handle_request(), with an arena that has this much room and gets no more: SVC_NOMEM, or SVC_OK.
** Free the arena's blocks afterwards. */
#define T_MOST_ROOM ((size_t)1 << 20)
int t_handle_within(t_service *t, t_memory *m, const svc_request *request, size_t room, svc_response *response, svc_arena *arena);
/* The answer to a request for which memory may not have sufficed: true, or false for a 503 that is as it should be. */
bool t_memory_sufficed(int rc, const svc_response *response);

/* LMDB, with what is read of it counted: svc_config.store. */
typedef struct t_reads {
  long gets;   /* single records */
  long scans;  /* ranges, or continuations of one */
  long rows;   /* of ranges */
  long passed; /* rows that were passed over, and not looked at */
  long bytes;  /* of keys and values that were given */
  long writes; /* puts and removals, a range as one */
  long most;   /* rows that were read from one beginning of a write transaction to the next, at the most */
} t_reads;
const svc_store_port *t_counting_port(void);
t_reads t_reads_taken(void); /* since it was called last */

/* One request of the owner of everything to a service that is no t_service; the caller frees the response. */
void t_ask_as_owner(svc *s, const char *method, const char *target, const char *body, svc_response *out);

/* The store that the tests run on: LMDB, or what SVC_TEST_STORE names (shared: LMDB as if it were); and, of postgres.c, PostgreSQL: NULL, there is none. */
const svc_store_port *t_port(void);
const svc_store_port *t_postgres_port(void);
const svc_store_port *t_memory_port(void); /* memory.c: the in-memory store, where a path names one that outlives its handle */
const svc_store_port *t_postgres_bare(void); /* the port itself: its path is a URI. NULL: it is not built in */
#define T_ON_LMDB (t_port() == svc_lmdb_port()) /* what looks into its file is about that alone */
const svc_limiter_port *t_redis_port(void); /* of redis.c: NULL, it is not tested */
int t_postgres_backup(svc *s, const char *folder); /* svc_backup() into the folder itself */
void t_postgres_do(const char *folder, const char *sql); /* in the schema of the store in a folder, which is application_name, too */

/* A store without a service: one write transaction on a private store, which is never committed. */
typedef struct t_store {
  svc_store *store;
  svc_txn *txn;
  svc_arena arena;
  svc_id root; /* zero */
} t_store;
void t_store_open(t_store *t);
void t_store_close(t_store *t);
svc_id t_id(unsigned n); /* a greater one for a greater number */

/* In store_test.c. */
void store_folder(char out[128]); /* a new one, for a store */
void store_remove(const char *path);
size_t store_whole(svc *s);   /* checks every record against every other, and returns how many projects there are */
uint64_t store_print(svc *s); /* one number for all that is in it */

#endif

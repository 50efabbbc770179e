/*
** Shared by the parts of the listener, and private to them: a host sees ports/listener.h. Names that the linker sees start
** with svc_listener_ because the listener is compiled separately and linked with unknown code.
**
**      listener.c     opening, starting, stopping, closing: the functions of ports/listener.h
**      config.c       defaults and bounds of the configuration
**      socket.c       URLs, and the sockets that listen on them
**      ../mongoose.c  event loops and their connections: the only part that uses mongoose
**      connection.c   from bytes to requests, by ../http_reader.c
**      places.c       limits of connections, in total and per address
**      peer.c         the sender's address, also behind proxies
**      pools.c        jobs, and the pools of threads for work that a loop must not wait for
**      answer.c       answers of the service, and the listener's own errors
**      encode.c       answers as gzip, for clients that accept it, by gzip.c
**      send.c         sending to the socket
**      tls.c          encrypted sending and receiving: https, by the port in tls.h,
**      tls_mbedtls.c  which is mbedTLS,
**      tls_openssl.c  or OpenSSL
**      certificate.c  certificates and keys, read, checked and made
**      explorer.c     the console at /: its files are in explorer_files.c, generated from ../explorer/
**      reference.c    descriptions for the OpenAPI document, from reference_texts.c, which reference.sh generates
**
** The rules. (1) A request reaches the service only if its end is certain; after anything doubtful the
** connection is closed, so nothing can be smuggled in as a second request. (2) A connection has one request in progress;
** while it is answered the socket is not read, so answers keep their order and TCP slows down a client that does not
** read. (3) A loop never blocks: not for a disk or a driver (pools), not for a client (bytes that do not fit the socket are kept,
** see `writable`). (4) Only its loop's thread uses a connection; jobs travel between threads through locked
** queues, and the bell that tells a loop of them may get lost: a loop looks by itself at every turn.
**
**      accept -> [handshake] -> HEAD -> [BODY] -> GET, HEAD: answered at once ------------> SEND, if it did not fit -> HEAD
**                              \-> others: WAIT for a thread -> answered --/                        \-> LINGER, closed
**
** A GET or HEAD that has to wait, or takes long (svc_request_needs), is one of the others. A delayed
** answer (svc_response.delay_ms, for tests) is in DELAY before SEND; a dropped one closes at once.
** A connection of an https URL is in HEAD during its handshake, and not `shaken`: it is idle until its first byte, and has the timeout
** of a head from then on. With TLS or without, all parts but mongoose.c, send.c and tls.c see the same bytes.
*/
#ifndef SVC_LISTENER_PARTS_H
#define SVC_LISTENER_PARTS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_setname_np, and all of POSIX: so this must be the first include of a part */
#endif

#include "../listener.h"
#include "../http_reader.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define LISTENER_URLS 16
#define LISTENER_NEVER UINT64_MAX

/* ------------------------------------------------------------------------------------------------------------ types */

/* Errors of the listener, in addition to those of the reader. */
enum {
  LISTENER_E_TIMEOUT = SVC_HTTP_E_COUNT, /* head or body did not arrive in time */
  LISTENER_E_SERVICE,     /* the service gave no valid status */
  LISTENER_E_CONNECTIONS, /* max_connections */
  LISTENER_E_ADDRESS,     /* max_per_address */
  LISTENER_E_WAITING,     /* max_waiting */
  LISTENER_E_BODIES,      /* max_body_memory */
  LISTENER_E_ANSWERS,     /* max_answer_memory */
  LISTENER_E_ANSWER,      /* max_answer */
  LISTENER_E_COUNT
};

typedef struct listener_address { /* an IP address; IPv4 in 4 bytes, also if it came as ::ffff:a.b.c.d */
  unsigned char ip[16];
  unsigned bits; /* 32 or 128; for a network, the length of its prefix */
  bool six;
} listener_address;

typedef struct listener_conn listener_conn;
typedef struct listener_document listener_document; /* encode.c: the OpenAPI document, constant and kept as gzip */
typedef struct listener_loop listener_loop;
typedef struct listener_tls listener_tls;           /* of a connection (tls.c), */
typedef struct listener_identity listener_identity; /* and shared by all connections */

/* The pools of threads, by what a job waits for. */
enum {
  LISTENER_NO_POOL = -1, /* the loop answers itself */
  LISTENER_WRITE, /* changes and sign-ins */
  LISTENER_READ,  /* reads that wait for a store */
  LISTENER_ASK,   /* requests that ask the driver, and may hang with a tenant's data plane */
  LISTENER_LONG,  /* reads that take long */
  LISTENER_TICK,  /* calls of svc_tick(), and so of the driver's perform() */
  LISTENER_POOLS
};

/* A job is QUEUED until a thread of its pool has BEGUN it, or its client has GONE: then no thread begins it. */
enum { JOB_QUEUED, JOB_BEGUN, JOB_GONE };

/* A request that is not answered at once: it has a body, or it goes to a pool. Without text: a call of svc_tick(). */
typedef struct listener_job {
  struct listener_job *next;
  listener_loop *loop;
  listener_conn *conn; /* NULL: closed meanwhile. For the loop's thread only */
  char *text;          /* the memory that head points into */
  size_t text_length;
  svc_http_limits limits; /* the listener's, unless body_limit allows more */
  svc_http_head head;
  char peer[INET6_ADDRSTRLEN];
  bool tls; /* received over TLS */
  atomic_int state; /* JOB_QUEUED, ... */
  int64_t since; /* time of submission to a pool, in nanoseconds */
  svc_http_body body;
  svc_response response;
} listener_job;

/* The states of a connection: see the drawing above. */
enum { LISTENER_HEAD, LISTENER_BODY, LISTENER_WAIT, LISTENER_DELAY, LISTENER_SEND, LISTENER_LINGER };

struct listener_conn {
  struct mg_connection *c; /* mongoose.c's */
  int fd;
  listener_loop *loop;
  int state;
  bool started;       /* HEAD: part of the request has arrived */
  bool close;         /* after this answer */
  bool placed;        /* counted among the connections; otherwise it is surplus, or gave way */
  bool refused;       /* counted among the refused ones */
  bool proxied;       /* the socket's address is a trusted proxy's */
  struct timespec began; /* time at which the head was complete; only for `access` */
  uint64_t deadline;  /* svc_listener_now() at which this state times out */
  size_t at;          /* received bytes that are processed */
  svc_http_scan scan; /* HEAD: progress of the search for the end of the head */
  listener_job *job;  /* BODY: ours; WAIT: a pool's */
  uint64_t looked;    /* WAIT: last look whether the client has gone */
  char peer[INET6_ADDRSTRLEN];
  unsigned char place[16]; /* the address that it is counted for */
  size_t held;        /* bytes of its answer that are counted */
  bool bounded;       /* its answer found no room: bytes that the socket does not take at once are not kept */
  char *text;         /* SEND: the rest of the answer's head, */
  size_t text_at, text_length;
  svc_response response; /* and of its body */
  char *packed;          /* the body as gzip; NULL: use response */
  const listener_document *document; /* the response is this constant one; NULL: another */
  const char *packed_document;       /* it is sent as gzip, and these bytes belong to the listener; NULL: not so */
  size_t body_at, body_length;
  listener_tls *tls;  /* NULL: plain HTTP */
  bool shaken;        /* its handshake is done */
  size_t raw_at;      /* bytes from the socket that tls.c has taken, */
  char *plain;        /* and their plain text: the received bytes, for the other parts. NULL: none */
  size_t plain_length, plain_size;
};

struct listener_loop {
  svc_listener *listener;
  struct mg_mgr *mgr; /* mongoose.c's; NULL: not open */
  pthread_t thread;
  bool running;
  int bell;       /* an eventfd: other threads ring it to wake the loop */
  atomic_bool rung; /* rung, but not noticed yet */
  int writable;   /* an epoll of the sockets in SEND: tells the loop which can be written to again */
  size_t sending; /* their number */
  size_t conns;
  struct mg_connection *listening[LISTENER_URLS]; /* NULL: closed */
  char *spare[2];     /* buffers that TLS connections share: an idle one has none */
  bool accepted;      /* a connection, in this turn */
  uint64_t accept_at; /* time of the next try to accept; 0: accepting works */
  unsigned ticking;   /* calls of svc_tick() in progress */
  uint64_t ticked;
  time_t date_second;
  char date[32];
  pthread_mutex_t lock; /* protects the following: */
  listener_job *done;   /* answered; last first */
};

/* A thread of a pool, or a place for one. NONE: no thread; ENDED: to be joined. */
enum { THREAD_NONE, THREAD_BUSY, THREAD_IDLE, THREAD_ENDED };

typedef struct listener_pool listener_pool;
typedef struct listener_thread {
  listener_pool *pool;
  pthread_t thread;
  pthread_cond_t wake; /* both protected by the pool's lock */
  int state;
} listener_thread;

struct listener_pool {
  svc_listener *listener;
  int kind; /* LISTENER_WRITE, ... */
  listener_thread *threads;
  size_t size;
  pthread_mutex_t lock; /* protects the states of threads, and the following: */
  listener_job *first, *last; /* queued */
  size_t queued, waiting;     /* all of them; and those that max_waiting counts */
  bool busy;                  /* as told to the service */
  bool quit;
};

/* An address, and the number of its connections; 0: the row is free. */
typedef struct listener_place {
  unsigned char ip[16];
  size_t count;
  size_t held; /* bytes of answers that they have not taken yet */
} listener_place;

struct svc_listener {
  svc_listener_config config;
  svc_http_limits limits;
  svc *s;
  char *urls[LISTENER_URLS];
  listener_address *proxies;
  listener_loop *loops;
  listener_pool pools[LISTENER_POOLS];
  bool started, stopped;
  atomic_bool stopping;
  atomic_bool draining; /* connections are closed after their answer; stopping sets it as well */
  atomic_size_t refused; /* connections without a place that are being answered with an error */
  atomic_size_t bodies, answers; /* bytes of memory */
  atomic_uint_fast64_t warned;
  atomic_ulong accepted, turned_away, sent; /* in total; sent: bytes */
  listener_document *_Atomic document; /* NULL: not asked for yet */
  pthread_mutex_t places_lock; /* protects the following: */
  listener_place *places;
  size_t place_rows; /* a power of two, and more than the maximum of connections */
  size_t connections;
  char *cert_file, *key_file;    /* for https URLs; NULL: none */
  pthread_mutex_t identity_lock; /* protects the following: */
  listener_identity *identity;   /* for new connections */
};

/* ----------------------------------------------------------------------------------- listener.c, config.c, socket.c */

void svc_listener_log(const svc_listener *l, int level, const char *event, const char *format, ...);
/* For events that an attacker can cause at will: logged at most once a second. */
void svc_listener_warn(svc_listener *l, const char *event, const char *text);

/* Writes the reason of a failure, if `why` is given. Returns the code. */
int svc_listener_why(char *why, size_t size, int code, const char *format, ...);

/* Copies the configuration with its defaults filled in. */
int svc_listener_configure(svc_listener *l, const svc_listener_config *config, char *why, size_t size);

bool svc_listener_is_https(const char *url); /* NULL is allowed */

/* Listens on URL number `which`, with a socket for every loop. */
int svc_listener_bind(svc_listener *l, size_t which, char *why, size_t size);

/* ---------------------------------------------------------------------------------------------------- ../mongoose.c */

/* Milliseconds since an arbitrary moment: the clock of all deadlines. */
uint64_t svc_listener_now(void);

/* Switches mongoose's log off, for the process. */
void svc_listener_quiet(void);

int svc_listener_loop_open(listener_loop *loop, svc_listener *l, char *why, size_t size);
/* Closes a loop and its sockets. No thread may use the loop any more, nor ring its bell. A loop that was not opened is allowed. */
void svc_listener_loop_close(listener_loop *loop);
/* Accepts from this listening socket, which the loop then owns. Returns false if out of memory; then the caller keeps it. */
bool svc_listener_loop_listen(listener_loop *loop, int fd, bool secure);
/* The thread of a loop. */
void *svc_listener_loop_run(void *loop);
/* Wakes a loop, from any thread. */
void svc_listener_ring(listener_loop *loop);

/* Reads from the socket, or pauses. */
void svc_listener_reading(listener_conn *conn, bool on);
/* Received bytes that are not processed, *n of them. */
const char *svc_listener_received(const listener_conn *conn, size_t *n);
/* Removes processed bytes from the received ones; or all. */
void svc_listener_shift(listener_conn *conn);
void svc_listener_discard(listener_conn *conn);
/* With TLS: bytes from the socket that are not decrypted yet; room for decrypted ones, NULL: out of memory; and, after both, frees empty
** buffers. */
const char *svc_listener_raw(const listener_conn *conn, size_t *n);
char *svc_listener_room(listener_conn *conn);
void svc_listener_rest(listener_conn *conn);
/* Closes a connection at the end of this turn; until then it exists, but must not be used. */
void svc_listener_drop(listener_conn *conn);
bool svc_listener_dropped(const listener_conn *conn);

/* The connection of this loop that has been in a state for longest, at least least_ms, and may be closed: it is idle and has sent nothing
** (HEAD), or the client takes nothing of its answer (SEND). place: only of this counted address; NULL: of any. Returns NULL if there is
** none. */
listener_conn *svc_listener_oldest(listener_loop *loop, int state, const unsigned char *place, int64_t least_ms);

/* ----------------------------------------------------------------------------------------------------- connection.c */

/* A new connection; c, fd, loop and peer are set. */
void svc_listener_welcome(listener_conn *conn);
/* Processes the received bytes, request by request, as far as possible. */
void svc_listener_advance(listener_conn *conn);
/* Called when the deadline of a connection has passed. */
void svc_listener_expire(listener_conn *conn);
/* Frees a connection whose socket is closed. */
void svc_listener_farewell(listener_conn *conn);

/* --------------------------------------------------------------------------------------------------------- places.c */

bool svc_listener_places_open(svc_listener *l); /* false: out of memory */
void svc_listener_places_close(svc_listener *l);
/* Counts a connection. Returns 0, or the error to refuse it with. */
int svc_listener_place_take(listener_conn *conn);
void svc_listener_place_leave(listener_conn *conn); /* a connection that is not counted is allowed */
/* Counts n bytes of an answer for the connection's address. False: they exceed its share, and nothing is counted. */
bool svc_listener_place_hold(listener_conn *conn, size_t n);
void svc_listener_place_let_go(listener_conn *conn, size_t n);

/* ----------------------------------------------------------------------------------------------------------- peer.c */

bool svc_listener_address_parse(listener_address *a, const char *text);

/* An address, or a network as in "10.0.0.0/8". */
bool svc_listener_network_parse(listener_address *a, const char *text);
/* Whether this is the address of a trusted proxy. */
bool svc_listener_is_proxy(const svc_listener *l, const char *address);
/* The actual sender. */
void svc_listener_peer(const listener_conn *conn, const svc_http_head *h, char peer[INET6_ADDRSTRLEN]);

/* ---------------------------------------------------------------------------------------------------------- pools.c */

/* A job copies the n bytes of its head, as the buffer is reused. NULL: out of memory. */
listener_job *svc_listener_job_new(listener_conn *conn, const char *text, size_t n, const svc_http_limits *limits);
void svc_listener_job_free(listener_job *job); /* NULL is allowed */
void svc_listener_jobs_free(listener_job *first);
/* The pool that answers the request, or LISTENER_NO_POOL: the loop answers, because the request need not wait. */
int svc_listener_pool_of(const svc_listener *l, const svc_http_head *h);
/* The bytes of a body that count in max_body_memory. */
size_t svc_listener_counted(const svc_http_body *b);

/* Answers a request for a file of the console, or passes it to the service, with the time that it has waited. `body` may be NULL. */
void svc_listener_handle(svc_listener *l, const svc_http_head *h, const char *peer, bool tls, const svc_http_body *body,
                         int64_t waited_ns, svc_response *response);
/* Queues a job for a pool. Returns false if the queue is full. */
bool svc_listener_submit(svc_listener *l, int pool, listener_job *job);
/* Makes the locks of the pools, which cannot fail. */
void svc_listener_pools_begin(svc_listener *l);
/* Makes the places of the threads, and starts the first writer. False: out of memory, or no thread. */
bool svc_listener_pools_open(svc_listener *l);
bool svc_listener_pools_start(svc_listener *l);
/* Ends all threads after their current jobs, and waits for that. Then: frees them. Both are allowed without the former. */
void svc_listener_pools_stop(svc_listener *l);
void svc_listener_pools_close(svc_listener *l);
void svc_listener_pool_stats(svc_listener *l, int pool, svc_listener_threads *out);
/* Sends the answers of the pools; some clients may be gone. */
void svc_listener_collect(listener_loop *loop);
/* Once a second, has a thread call svc_tick(). */
void svc_listener_tick(listener_loop *loop);
/* Called for a connection that is being freed and has a job in a pool. */
void svc_listener_leave_job(listener_conn *conn);
/* Drops a connection whose read is still queued, if the client has gone. Called at every turn; looks now and then. */
void svc_listener_look(listener_conn *conn, uint64_t now);

/* --------------------------------------------------------------------------------------------------------- answer.c */

/* The service's answer; conn->response owns it from here on. */
void svc_listener_answer(listener_conn *conn, const svc_http_head *h, svc_response *response);
/* An error of the listener, in the format of the library's errors. */
void svc_listener_refuse(listener_conn *conn, int error, bool is_head, bool close);

/* ----------------------------------------------------------------------------------------------- encode.c, gzip.c */

#define LISTENER_TAG 64

/* Prepares conn->response to be sent as gzip, if possible and the client accepts it. VARIES: another client might get gzip. GZIP:
** conn->packed is the body, or it has become a 304; the ETag is `tag`, if that is not empty. */
enum { LISTENER_PLAIN, LISTENER_VARIES, LISTENER_GZIP };
int svc_listener_encode(listener_conn *conn, const svc_http_head *h, char tag[LISTENER_TAG]);
/* Returns the document if it is this answer's body, which all its readers share; NULL: the answer is another one. */
const listener_document *svc_listener_document_of(svc_listener *l, const svc_response *r);
void svc_listener_document_close(svc_listener *l);
const void *svc_listener_document_packed(const svc_listener *l); /* the kept gzip form, for tests; NULL: not compressed yet */
/* Returns the length of the result in `out`; 0: it does not fit. */
size_t svc_listener_gzip(const char *text, size_t n, char *out, size_t size);

/* ------------------------------------------------------------------------------------------------------- explorer.c */

/* Answers a request for a file of the console. False: not such a request, and nothing is done. */
bool svc_listener_explorer(const svc_http_head *h, svc_response *response);

/* ----------------------------------------------------------------------------------------------------------- send.c */

/* Enters a state with a timeout; negative: no timeout. */
void svc_listener_state(listener_conn *conn, int state, int64_t timeout_ms);
/* Sends the head in `text`, then conn->response's body; bytes that the socket does not take wait in the connection. */
void svc_listener_send(listener_conn *conn, const char *text, size_t n);
/* Counts n bytes of an answer that may have to wait. False: no room. */
bool svc_listener_send_reserve(listener_conn *conn, size_t n);
/* Frees the answer, or the rest of it, and its room. */
void svc_listener_send_release(listener_conn *conn);
/* Sends "100 Continue". If it does not fit the socket, the client will send the body anyway. */
void svc_listener_send_continue(listener_conn *conn);
/* The delay of an answer is over. */
void svc_listener_send_late(listener_conn *conn);
/* Continues the handshake when the socket takes bytes again. */
void svc_listener_send_later(listener_conn *conn);
/* Continues all answers that can be sent again. */
void svc_listener_resume(listener_loop *loop);
/* Called before a connection is closed in this turn: the last moment to remove its socket from `writable`. */
void svc_listener_leave(listener_conn *conn);

/* ------------------------------------------------------------------------------------------------------------ tls.c */

/* Reads certificate and key, for https URLs. SVC_OK, or an error with the reason in why. */
int svc_listener_tls_open(svc_listener *l, char *why, size_t size);
void svc_listener_tls_close(svc_listener *l); /* allowed without svc_listener_tls_open() */
/* Starts TLS on this connection. False: out of memory, and it must not be used. */
bool svc_listener_tls_begin(listener_conn *conn);
void svc_listener_tls_end(listener_conn *conn); /* a connection without TLS is allowed */
/* Continues the handshake of a connection as far as possible. */
enum { LISTENER_SHAKEN, LISTENER_SHAKE_READ, LISTENER_SHAKE_WRITE, LISTENER_SHAKE_FAILED /* it is dropped */ };
int svc_listener_tls_shake(listener_conn *conn);
/* Decrypts some of the received bytes. False: more bytes are needed. */
bool svc_listener_tls_read(listener_conn *conn);
/* Sends the head in `text`, then the rest of the body, as far as the socket takes it. Returns the number of bytes sent. */
size_t svc_listener_tls_send(listener_conn *conn, const char *text, size_t n);
/* Sends the text at once. False: the text is not completely sent, and nothing else can be sent on this connection. */
bool svc_listener_tls_say(listener_conn *conn, const char *text, size_t n);
/* Tells the client that the session ends. */
void svc_listener_tls_notify(listener_conn *conn);
/* Called when nothing was received in this turn: after some time, the connection frees its buffers. */
void svc_listener_tls_rest(listener_conn *conn, uint64_t now);

#endif /* SVC_LISTENER_PARTS_H */

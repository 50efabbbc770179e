/*
** What the parts of the listener share. Private to them: a host sees ports/listener.h. Names that the linker sees start
** with svc_listener_ because the listener is compiled apart, beside code that we do not know.
**
**      listener.c     opening, starting, stopping, closing: what ports/listener.h offers
**      config.c       defaults and bounds of the configuration
**      socket.c       URLs, and the sockets that listen on them
**      ../mongoose.c  event loops and their connections: the only part that knows mongoose
**      connection.c   from bytes to requests, by ../http_reader.c
**      places.c       how many connections there may be, in all and of one address
**      peer.c         who sent it, also behind proxies
**      writers.c      jobs, and the threads that do what a loop must not wait for
**      answer.c       what is said: answers of the service, errors of our own
**      encode.c       the same as gzip, for those who accept it, by gzip.c
**      send.c         how it reaches the client
**      tls.c          the same, and what comes from the client, encrypted: https, by the port in tls.h,
**      tls_mbedtls.c  which is mbedTLS,
**      tls_openssl.c  or OpenSSL
**      certificate.c  certificates and keys, read, checked and made
**      explorer.c     the page at /: its files are in explorer_files.c, which is written from ../explorer/
**      reference.c    descriptions for the OpenAPI document: reference_texts.c, which reference.sh writes from the catalog's reference.txt
**
** The rules they keep. (1) A request reaches the service only if its end is certain; after anything doubtful the
** connection is closed, so nothing can be smuggled in as a second request. (2) A connection has one request under way;
** while it is answered the socket is not read, so answers keep their order and a client that does not read is held back
** by TCP. (3) A loop never waits: not for a disk (writers), not for a client (what does not fit the socket is kept,
** see `writable`). (4) A connection is touched by its loop's thread only; jobs travel between threads through locked
** queues, and the bell that tells a loop of them may get lost: a loop looks by itself at every turn.
**
**      accept -> [handshake] -> HEAD -> [BODY] -> GET, HEAD: answered at once ------------> SEND, if it did not fit -> HEAD
**                              \-> others: WAIT for a writer -> answered --/                        \-> LINGER, closed
**
** A GET or HEAD that may have to wait (svc_may_wait) is one of the others: it stores what is due first, or asks the driver. An
** answer that is to be late (svc_response.delay_ms, for tests) is in DELAY before SEND; one that is to be lost closes at once.
** A connection of an https URL is in HEAD while it shakes hands, and not `shaken`: it is idle until its first byte, and has the time
** of a head from then on. With TLS or without, the parts but mongoose.c, send.c and tls.c see the same bytes.
*/
#ifndef SVC_LISTENER_PARTS_H
#define SVC_LISTENER_PARTS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_setname_np, and all of POSIX: so this is the first include of a part */
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

/* Errors of the listener, beside those of the reader. */
enum {
  LISTENER_E_TIMEOUT = SVC_HTTP_E_COUNT,
  LISTENER_E_SERVICE,
  LISTENER_E_CONNECTIONS,
  LISTENER_E_ADDRESS,
  LISTENER_E_WAITING,
  LISTENER_E_BODIES,
  LISTENER_E_ANSWERS,
  LISTENER_E_ANSWER,
  LISTENER_E_COUNT
};

typedef struct listener_address { /* an IP address; IPv4 in 4 bytes, also when it came as ::ffff:a.b.c.d */
  unsigned char ip[16];
  unsigned bits; /* 32 or 128; of a network: how many count */
  bool six;
} listener_address;

typedef struct listener_conn listener_conn;
typedef struct listener_loop listener_loop;
typedef struct listener_tls listener_tls;           /* tls.c's: of a connection, */
typedef struct listener_identity listener_identity; /* and what all of them share */

/* A request that is not answered on the spot: it has a body, or it goes to a writer. Without text: call svc_tick(). */
typedef struct listener_job {
  struct listener_job *next;
  listener_loop *loop;
  listener_conn *conn; /* NULL: gone meanwhile. For the loop's thread only */
  char *text;          /* what head points into */
  size_t text_length;
  svc_http_limits limits; /* the listener's, but for what body_limit allows */
  svc_http_head head;
  char peer[INET6_ADDRSTRLEN];
  bool tls; /* it came over TLS */
  int64_t since; /* when it was given to the writers */
  svc_http_body body;
  svc_response response;
} listener_job;

enum { LISTENER_HEAD, LISTENER_BODY, LISTENER_WAIT, LISTENER_DELAY, LISTENER_SEND, LISTENER_LINGER };

struct listener_conn {
  struct mg_connection *c; /* mongoose.c's */
  int fd;
  listener_loop *loop;
  int state;
  bool started;       /* HEAD: some of the request has arrived */
  bool close;         /* after this answer */
  bool placed;        /* it is counted among the connections; else it came when there were too many, or gave way */
  bool refused;       /* counted among those */
  bool proxied;       /* the socket's address is a trusted proxy's */
  struct timespec began; /* when the head of the request was there; only for `access` */
  uint64_t deadline;  /* svc_listener_now() at which this state has lasted too long */
  size_t at;          /* bytes of what was received that are done with */
  svc_http_scan scan; /* HEAD: of what follows them, how far its end was looked for */
  listener_job *job;  /* BODY: ours; WAIT: the writers' */
  char peer[INET6_ADDRSTRLEN];
  unsigned char place[16]; /* the address that it is counted for */
  size_t held;        /* bytes of its answer that are counted */
  bool bounded;       /* its answer found no room: what the socket does not take at once is not kept */
  char *text;         /* SEND: what is left of the answer's head, */
  size_t text_at, text_length;
  svc_response response; /* and of its body */
  char *packed;          /* the body as gzip; NULL: it is response's */
  size_t body_at, body_length;
  listener_tls *tls;  /* NULL: plain HTTP */
  bool shaken;        /* its handshake is done */
  size_t raw_at;      /* bytes of what came from the socket that tls.c has taken, */
  char *plain;        /* and what came out of them: what was received, to the other parts. NULL: nothing */
  size_t plain_length, plain_size;
};

struct listener_loop {
  svc_listener *listener;
  struct mg_mgr *mgr; /* mongoose.c's; NULL: not open */
  pthread_t thread;
  bool running;
  int bell;       /* an eventfd: rung by other threads, so that the loop turns */
  atomic_bool rung; /* and has not been heard yet */
  int writable;   /* an epoll of its own, of the sockets in SEND: tells the loop when one can be written to again */
  size_t sending; /* how many these are */
  size_t conns;
  struct mg_connection *listening[LISTENER_URLS]; /* NULL: closed */
  char *spare[2];     /* buffers that connections with TLS use in turns: an idle one has none */
  bool accepted;      /* somebody, in this turn */
  uint64_t accept_at; /* when to try to accept again; 0: nothing keeps us from it */
  bool ticking;       /* a call of svc_tick() is under way */
  uint64_t ticked;
  time_t date_second;
  char date[32];
  pthread_mutex_t lock; /* of what follows: */
  listener_job *done;   /* answered; last first */
};

/* A writer, or the place of one. NONE: there is no thread; ENDED: it is to be joined. */
enum { WRITER_NONE, WRITER_BUSY, WRITER_IDLE, WRITER_ENDED };

typedef struct listener_writer {
  svc_listener *listener;
  pthread_t thread;
  pthread_cond_t wake; /* these two with the listener's lock */
  int state;
} listener_writer;

/* An address, and how many connections it has; none: the row is free. */
typedef struct listener_place {
  unsigned char ip[16];
  size_t count;
} listener_place;

struct svc_listener {
  svc_listener_config config;
  svc_http_limits limits;
  svc *s;
  char *urls[LISTENER_URLS];
  listener_address *proxies;
  listener_loop *loops;
  listener_writer *writers;
  bool started, stopped;
  atomic_bool stopping;
  atomic_bool draining; /* connections are closed after their answer; set by stopping as well */
  atomic_size_t refused;
  atomic_size_t bodies, answers; /* bytes of memory */
  atomic_uint_fast64_t warned;
  atomic_ulong accepted, turned_away, sent; /* in all; sent: bytes */
  pthread_mutex_t places_lock; /* of what follows: */
  listener_place *places;
  size_t place_rows; /* a power of two, and more than there can be connections */
  size_t connections;
  pthread_mutex_t lock; /* of the writers, and of what follows: */
  listener_job *first, *last; /* that wait for a writer */
  size_t waiting;
  bool quit;
  char *cert_file, *key_file;    /* of https URLs; NULL: there are none */
  pthread_mutex_t identity_lock; /* of what follows: */
  listener_identity *identity;   /* for whoever connects from now on */
};

/* ----------------------------------------------------------------------------------- listener.c, config.c, socket.c */

void svc_listener_log(const svc_listener *l, int level, const char *event, const char *format, ...);
/* For what an attacker can bring about at will: once a second at the most. */
void svc_listener_warn(svc_listener *l, const char *event, const char *text);

/* Write why it failed, unless nobody asks. Returns the code. */
int svc_listener_why(char *why, size_t size, int code, const char *format, ...);

/* Copy the configuration with its defaults filled in. */
int svc_listener_configure(svc_listener *l, const svc_listener_config *config, char *why, size_t size);

bool svc_listener_is_https(const char *url); /* NULL is allowed */

/* Listen on URL number `which`, with a socket for every loop. */
int svc_listener_bind(svc_listener *l, size_t which, char *why, size_t size);

/* ---------------------------------------------------------------------------------------------------- ../mongoose.c */

/* Milliseconds since some moment: the clock of all deadlines. */
uint64_t svc_listener_now(void);

/* Switch mongoose's log off, for the process. */
void svc_listener_quiet(void);

int svc_listener_loop_open(listener_loop *loop, svc_listener *l, char *why, size_t size);
/* Closes its sockets too. No thread may use it any more, nor ring its bell. One that was not opened is allowed. */
void svc_listener_loop_close(listener_loop *loop);
/* Accept from this listening socket, which is the loop's from then on. Returns false: no memory, and it is not. */
bool svc_listener_loop_listen(listener_loop *loop, int fd, bool secure);
/* The thread of a loop. */
void *svc_listener_loop_run(void *loop);
/* Wake a loop up, from any thread. */
void svc_listener_ring(listener_loop *loop);

/* Read from the socket, or leave it alone. */
void svc_listener_reading(listener_conn *conn, bool on);
/* What was received and is not done with, *n bytes. */
const char *svc_listener_received(const listener_conn *conn, size_t *n);
/* Remove what is done with from what was received; or all. */
void svc_listener_shift(listener_conn *conn);
void svc_listener_discard(listener_conn *conn);
/* With TLS: what came from the socket and is not decrypted yet; where to put what is, NULL: no memory; and, after both, give
** back what is empty. */
const char *svc_listener_raw(const listener_conn *conn, size_t *n);
char *svc_listener_room(listener_conn *conn);
void svc_listener_rest(listener_conn *conn);
/* Close it at the end of this turn; until then it is there, but is not to be used. */
void svc_listener_drop(listener_conn *conn);
bool svc_listener_dropped(const listener_conn *conn);

/* Of this loop, the connection that has been in a state for longest, at least so many ms, and can do without: it is idle and
** nothing has come from it (HEAD), or the client takes nothing of its answer (SEND). place: of the address that is counted so; NULL: of
** any. NULL: there is none. */
listener_conn *svc_listener_oldest(listener_loop *loop, int state, const unsigned char *place, int64_t least_ms);

/* ----------------------------------------------------------------------------------------------------- connection.c */

/* A connection has come; c, fd, loop and peer are set. */
void svc_listener_welcome(listener_conn *conn);
/* Go on with what has been received, request by request, as far as it goes. */
void svc_listener_advance(listener_conn *conn);
/* Its deadline has passed. */
void svc_listener_expire(listener_conn *conn);
/* Its socket is closed: free all of it. */
void svc_listener_farewell(listener_conn *conn);

/* --------------------------------------------------------------------------------------------------------- places.c */

bool svc_listener_places_open(svc_listener *l); /* false: no memory */
void svc_listener_places_close(svc_listener *l);
/* Have it counted. Returns 0, or the error to refuse it with. */
int svc_listener_place_take(listener_conn *conn);
void svc_listener_place_leave(listener_conn *conn); /* one that is not counted is allowed */

/* ----------------------------------------------------------------------------------------------------------- peer.c */

bool svc_listener_address_parse(listener_address *a, const char *text);

/* An address, or a network as in "10.0.0.0/8". */
bool svc_listener_network_parse(listener_address *a, const char *text);
/* Is this the address of a trusted proxy? */
bool svc_listener_is_proxy(const svc_listener *l, const char *address);
/* Who really sent it. */
void svc_listener_peer(const listener_conn *conn, const svc_http_head *h, char peer[INET6_ADDRSTRLEN]);

/* -------------------------------------------------------------------------------------------------------- writers.c */

/* A job gets a copy of the n bytes of its head, as the buffer goes on to the next one. NULL: no memory. */
listener_job *svc_listener_job_new(listener_conn *conn, const char *text, size_t n, const svc_http_limits *limits);
void svc_listener_job_free(listener_job *job); /* NULL is allowed */
void svc_listener_jobs_free(listener_job *first);
/* Is it answered by the loop? A read is, unless it would store what has fallen due first, and so wait for the disk. */
bool svc_listener_at_once(const svc_listener *l, const svc_http_head *h);
/* What a body counts for in max_body_memory. */
size_t svc_listener_counted(const svc_http_body *b);

/* Have the service answer a request, which has waited for so long. `body` may be NULL. */
void svc_listener_handle(svc_listener *l, const svc_http_head *h, const char *peer, bool tls, const svc_http_body *body,
                         int64_t waited_ns, svc_response *response);
/* Give a job to the writers. Returns false: too many wait. */
bool svc_listener_submit(svc_listener *l, listener_job *job);
/* Make the places of the writers, and start the first of them. False: no memory, or no thread. */
bool svc_listener_writers_open(svc_listener *l);
bool svc_listener_writers_start(svc_listener *l);
/* Have all end after what they are doing, and wait for that. Then: free. Both are allowed without the former. */
void svc_listener_writers_stop(svc_listener *l);
void svc_listener_writers_close(svc_listener *l);
/* Answers of the writers go out; some of the clients may be gone. */
void svc_listener_collect(listener_loop *loop);
/* Once a second, have a writer call svc_tick(). */
void svc_listener_tick(listener_loop *loop);

/* --------------------------------------------------------------------------------------------------------- answer.c */

/* The service's answer; conn->response owns it from here on. */
void svc_listener_answer(listener_conn *conn, const svc_http_head *h, svc_response *response);
/* An error of the listener's own, with the document that the library's errors have. */
void svc_listener_refuse(listener_conn *conn, int error, bool is_head, bool close);

/* ----------------------------------------------------------------------------------------------- encode.c, gzip.c */

#define LISTENER_TAG 64

/* Have conn->response be sent as gzip, if that can be and the client accepts it. VARIES: another client might be given gzip. GZIP: conn->packed
** is the body, or it has become a 304; the ETag is `tag`, if that is not empty. */
enum { LISTENER_PLAIN, LISTENER_VARIES, LISTENER_GZIP };
int svc_listener_encode(listener_conn *conn, const svc_http_head *h, char tag[LISTENER_TAG]);
/* Returns the length of what is in `out`; 0: it is longer than that has room for. */
size_t svc_listener_gzip(const char *text, size_t n, char *out, size_t size);

/* ------------------------------------------------------------------------------------------------------- explorer.c */

/* Answer a request for one of the explorer's files. False: it is for none, and nothing is done. */
bool svc_listener_explorer(const svc_http_head *h, svc_response *response);

/* ----------------------------------------------------------------------------------------------------------- send.c */

/* Enter a state, for so long at the most; negative: for ever. */
void svc_listener_state(listener_conn *conn, int state, int64_t timeout_ms);
/* Send the head in `text`, then conn->response's body; what the socket does not take waits in the connection. */
void svc_listener_send(listener_conn *conn, const char *text, size_t n);
/* Count n bytes of an answer that may have to wait. False: there is no room for it. */
bool svc_listener_send_reserve(listener_conn *conn, size_t n);
/* Free the answer, or what is left of it, and its room. */
void svc_listener_send_release(listener_conn *conn);
/* Leave to send a body. Should it not fit the socket, the client will send the body all the same. */
void svc_listener_send_continue(listener_conn *conn);
/* What was to be late is late enough. */
void svc_listener_send_late(listener_conn *conn);
/* Its handshake goes on when the socket takes bytes again. */
void svc_listener_send_later(listener_conn *conn);
/* Go on with all that can be sent again. */
void svc_listener_resume(listener_loop *loop);
/* It will be closed in this turn: the last moment at which its socket can be taken out of `writable`. */
void svc_listener_leave(listener_conn *conn);

/* ------------------------------------------------------------------------------------------------------------ tls.c */

/* Read certificate and key, for https URLs. SVC_OK, else why not. */
int svc_listener_tls_open(svc_listener *l, char *why, size_t size);
void svc_listener_tls_close(svc_listener *l); /* allowed without the former */
/* This connection is one with TLS. False: no memory, and it must not be used. */
bool svc_listener_tls_begin(listener_conn *conn);
void svc_listener_tls_end(listener_conn *conn); /* one without is allowed */
/* Go on with its handshake as far as it goes. */
enum { LISTENER_SHAKEN, LISTENER_SHAKE_READ, LISTENER_SHAKE_WRITE, LISTENER_SHAKE_FAILED /* it is dropped */ };
int svc_listener_tls_shake(listener_conn *conn);
/* Decrypt some of what has come. False: there is nothing to do until more bytes come. */
bool svc_listener_tls_read(listener_conn *conn);
/* Send the head in `text`, then what is left of the body, as far as the socket takes it. Returns how many bytes went. */
size_t svc_listener_tls_send(listener_conn *conn, const char *text, size_t n);
/* Send it at once. False: it is not all out, and nothing else can be said on this connection. */
bool svc_listener_tls_say(listener_conn *conn, const char *text, size_t n);
/* Tell the client that nothing comes any more. */
void svc_listener_tls_notify(listener_conn *conn);
/* Nothing has come from it in this turn: if that lasts, it gives back what it can do without. */
void svc_listener_tls_rest(listener_conn *conn, uint64_t now);

#endif /* SVC_LISTENER_PARTS_H */

/*
** The HTTP and HTTPS listener: serves svc_handle_request() over sockets. The listener is optional and separate from the library. Compile
** ports/mongoose.c, ports/http_reader.c and the files of ports/listener/ together with mongoose.c (GPL-2.0-only or commercial) and link
** them with svcapi.c, or write your own listener.
**
** ORDER. svc_listener_open() binds and listens, so the port is known before the service is opened (its base URL may need it).
** svc_listener_start() gets the service and starts the threads. svc_listener_drain() sends clients elsewhere. svc_listener_stop() answers
** the requests in progress and ends the threads. svc_listener_close() frees everything. Clients that connect between open and start wait
** in the backlog.
**
** THREADS. The listener never uses the calling thread. Event-loop threads read requests and answer what need not wait. Everything else
** goes to one of five pools of threads, by svc_request_needs(): writers make changes and sign in; readers wait for a store on a server;
** askers wait for the driver; long reads have threads of their own, with a lower priority; and so has svc_tick(), which hands out
** orders. So no loop ever waits for a disk, and no request waits for the data plane of another tenant. A queued request whose client has
** closed its connection is dropped before it begins. Threads start on demand and end after some idle time; one writer stays. All threads block all signals, which therefore reach the host's own threads. A connection has one
** request in progress at a time; responses keep the order of the requests.
**
** FAIRNESS. A client that connects and does nothing cannot lock others out: each address has a share of the connections, and when all are
** in use, the longest idle one is closed for a new one. Unread responses are bounded in bytes, each and all together.
**
** TLS. An https URL serves TLS 1.2 and 1.3, with one certificate and key for all URLs. mbedTLS implements it, or OpenSSL if ports/listener/
** is compiled with -DSVC_WITH_OPENSSL (and linked with -lssl -lcrypto). The listener never answers in clear there, and a slow handshake
** does not block a loop. Session tickets allow resumption for an hour, until the certificate is reloaded; there is no renegotiation. An
** idle connection takes 38 KB of memory; with OpenSSL 15 KB after a second of idling. An mbedTLS built without TLS serves http only.
**
** GZIP. Responses of 1 KiB to 1 MiB are compressed for clients that accept gzip, with an ETag of their own ("5f" becomes "5f-g"). Responses
** that show a secret (Cache-Control: no-store) are not. no_gzip turns compression off.
**
** PROCESS. mongoose ignores SIGPIPE for the whole process. Its log, which is global too, is turned off here.
**
** CONSOLE. GET / is a web page for people. The page signs in like any client and can do what the API allows. Its files are constants of
** explorer_files.c, with at most 250 KB of JavaScript; its paths are / and those below /_explorer/. no_explorer turns it off; compile
** ports/listener/ with -DSVC_LISTENER_NO_EXPLORER to leave it out.
**
** REFERENCE. svc_listener_describe() describes every operation, parameter and field. Set svc_config.describe to it to have the
** descriptions in GET /openapi.json and svc_openapi(). The texts are constants of reference_texts.c; compile ports/listener/ with
** -DSVC_LISTENER_NO_REFERENCE to leave them out.
**
** FAULTS. A response with svc_response.drop is not sent, and its connection is closed. A response with delay_ms is sent after that time
** (in steps of up to 250 ms) without blocking a thread.
**
** HTTP. 1.0 and 1.1, keep-alive, pipelining, chunked bodies, Expect: 100-continue. Ambiguous requests are refused with an error document
** like the library's, and the connection is closed. The listener never sets svc_request.caller: each request carries its own credentials.
**
** Zero-initialise the configuration: zero means the default. New members are appended only.
*/
#ifndef SVC_LISTENER_H
#define SVC_LISTENER_H

#include "svcapi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct svc_listener svc_listener; /* opaque */

/* TLS implementations: see ports/listener/tls.h. */
typedef struct svc_listener_tls_port svc_listener_tls_port;
extern const svc_listener_tls_port svc_listener_tls_mbedtls;
extern const svc_listener_tls_port svc_listener_tls_openssl; /* with -DSVC_WITH_OPENSSL */

/* A response, for an access log. The strings are valid during the call only. */
typedef struct svc_access {
  int64_t time_ms;   /* milliseconds since 1970-01-01 UTC */
  const char *peer;
  const char *method; /* "": the request could not be read, and `path` is empty, too */
  const char *path;  /* not NUL-terminated; without the query, which may contain private data */
  size_t path_length;
  int status;
  uint64_t bytes;    /* size of the body */
  int64_t micros;    /* microseconds since the end of the request's headers; 0: there were none */
  const char *operation, *caller; /* as in svc_response; may be NULL */
  char traceparent[56]; /* of the request (W3C Trace Context); "" if missing or invalid */
} svc_access;

typedef struct svc_listener_config {
  const char *const *urls; /* "http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:0"; port 0: any free port */
  size_t url_count;        /* 1 to 16 */

  size_t threads;         /* event loops, each on its own thread; default 1, at most 64 */
  size_t writers;         /* most threads for changes, and as many for reads that wait for a store; default 16, at most 256 */
  size_t max_waiting;     /* changes queued for a writer; further ones get 503 with Retry-After; default 256. Reads are not counted */
  size_t max_connections; /* a further connection replaces an idle one, or gets 503 and is closed; default 1024, fewer if the
                             limit of open files requires it */

  size_t max_body;         /* largest request body, in bytes; default 1 MiB; set it like svc_config.max_body */
  size_t max_header_bytes; /* names and values of all headers together, in bytes; default 16 KiB, like svc_config */
  size_t max_target;       /* longest request target, in bytes; default 8 KiB, like svc_config */

  int64_t header_timeout_ms; /* from the first byte of a request to the end of its headers; default 10 000 ms */
  int64_t body_timeout_ms;   /* from the end of the headers to the end of the body; default 30 000 ms */
  int64_t idle_timeout_ms;   /* without a request, or without the client reading its response; default 60 000 ms */
  int64_t stop_timeout_ms;   /* for requests in progress at svc_listener_stop(); default 5 000 ms */

  /*
  ** Addresses ("10.0.0.7") and networks ("10.0.0.0/8", "fd00::/8") of proxies in front of this listener. X-Forwarded-For is trusted
  ** from these only: the peer is its right-most address that is not a trusted proxy. Default: none.
  */
  const char *const *trusted_proxies;
  size_t trusted_proxy_count;

  void (*log)(void *context, int level, const char *text); /* receives log lines; level is SVC_LOG_...; any thread; default: no log */
  void *log_context;

  /*
  ** Replaces svc_handle_request(), for a host that inspects, counts or answers requests itself. Several threads call it at once. The
  ** listener frees `response` with svc_response_free(). Default: svc_handle_request().
  */
  int (*handle)(void *context, svc *s, const svc_request *request, svc_response *response);
  void *handle_context;

  /* memory for large bodies that are arriving or queued, all together, in bytes; beyond it requests get 503; default 64 MiB */
  size_t max_body_memory;

  /*
  ** Most connections of one address (IPv6: of one /64). A further connection closes the longest idle one of that address; if none is
  ** idle, the new one gets 503. Trusted proxies have no such limit. Default: a quarter of max_connections.
  */
  size_t max_per_address;

  /*
  ** Memory for responses that clients have not read yet, in bytes: all together, and of one response. A GET beyond it gets 503; the
  ** response of a change, which is already stored, is sent as far as the socket accepts it. A client that has read nothing for 5
  ** seconds is closed when others need the memory. One address (IPv6: one /64) can hold a quarter of it, or one response that is longer;
  ** trusted proxies have no such limit. Responses up to 16 KiB are not counted, nor the OpenAPI document, which all clients share.
  ** Default: 64 MiB, and half of it.
  */
  size_t max_answer_memory;
  size_t max_answer;

  int64_t writer_idle_ms; /* idle time after which a writer thread ends; default 10 000 ms */

  /*
  ** PEM files, required for https URLs: a certificate with its chain, and its key, not encrypted. Unreadable, mismatched or expired
  ** files are an error.
  */
  const char *cert_file, *key_file;

  /* Called for every response, including the listener's own, on the event loops: it must not block. Default: no access log. */
  void (*access)(void *context, const svc_access *access);
  void *access_context;

  /*
  ** Not 0: no console; its paths go to the service, which answers 404. Default: GET / is the console and /_explorer/... are its files,
  ** before `handle` is called. Set this if the host has its own page at /.
  */
  int no_explorer;

  /* Not 0: no gzip. Default: see GZIP above. */
  int no_gzip;

  const svc_listener_tls_port *tls; /* TLS implementation; default: OpenSSL if compiled in, else mbedTLS */

  /* Receives log lines with the name of their event, like svc_config.log_event. Replaces `log` and shares log_context. */
  void (*log_event)(void *context, int level, const char *event, const char *text);

  /*
  ** Allows larger bodies to callers whom the host recognises by their headers. Called after the headers of a request whose body is longer
  ** than max_body, or chunked. `request` has no body. Returns the allowed bytes, up to 1 GiB; a value below max_body means max_body. Such
  ** a body may take that much memory beyond max_body_memory. Called on the event loops: it must not block. Default: max_body for all.
  */
  size_t (*body_limit)(void *context, const svc_request *request);
  void *body_limit_context;

  /*
  ** Most threads for requests that ask the driver. A few more than svc_config.max_questions, so that requests beyond that number, and
  ** those that are refused before they ask, do not queue behind questions. Default 36, at most 2048.
  */
  size_t askers;
} svc_listener_config;

/*
** Binds and listens, without answering yet. The configuration is copied. `why` (may be NULL) receives one line on failure, such as a port
** in use, an invalid URL or an expired certificate.
** Returns SVC_OK with *out set. SVC_INVALID (the configuration), SVC_IO (the sockets) or SVC_NOMEM: *out is NULL.
*/
int svc_listener_open(svc_listener **out, const svc_listener_config *config, char *why, size_t why_size);

/*
** Returns a description from the files reference.txt of the catalog, or NULL if it is missing. For svc_config.describe; `context` is not
** used. Any thread.
*/
const char *svc_listener_describe(void *context, int what, const char *of, const char *name);

/* Returns URL number i with its actual port, such as "http://127.0.0.1:40213", or NULL if there is no such URL. */
const char *svc_listener_url(const svc_listener *l, size_t i);

/*
** Reloads certificate and key from the same files. New connections get the new certificate; existing ones keep theirs, and no request is
** lost. Returns SVC_OK; on failure nothing changes, and `why` receives the reason. Any thread.
*/
int svc_listener_reload(svc_listener *l, char *why, size_t why_size);

/*
** Starts the threads and answers requests with `s`, which must stay open until svc_listener_stop() has returned. The listener calls
** svc_tick() about once a second. Call it once.
** Returns SVC_OK. SVC_INVALID: `l` is NULL or was started before, or `s` is NULL without a `handle`. SVC_NOMEM: a thread cannot be started,
** and the listener is stopped.
*/
int svc_listener_start(svc_listener *l, svc *s);

/*
** Closes every connection after its next response, which has Connection: close; new connections are still accepted. Call it between
** svc_set_ready(s, 0) and svc_listener_stop(), while load balancers notice that the instance is draining.
*/
void svc_listener_drain(svc_listener *l);

/*
** Stops accepting, answers the requests in progress, closes all connections and ends the threads. It waits for that, at most for
** stop_timeout_ms and the longest write in progress. NULL, a listener that was not started and a second call are allowed. Any thread but
** the listener's own; not a signal handler.
*/
void svc_listener_stop(svc_listener *l);

/* The threads of a pool. */
typedef struct svc_listener_threads {
  uint64_t most, busy; /* the maximum, and those that do a request now */
  uint64_t waiting;    /* requests queued for them; changes: those that max_waiting counts */
  uint64_t changes;
} svc_listener_threads;

/* Counters since the listener was opened. Any thread. */
typedef struct svc_listener_statistics {
  uint64_t connections; /* open now */
  uint64_t accepted;    /* accepted so far */
  uint64_t refused;     /* refused, because max_connections or max_per_address was reached */
  uint64_t sent_bytes;
  uint64_t waiting;     /* changes queued for a thread */
  svc_listener_threads writers, readers, askers, longs;
} svc_listener_statistics;
void svc_listener_stats(svc_listener *l, svc_listener_statistics *out);

/* Stops the listener, if it still runs, and frees it. NULL is allowed. */
void svc_listener_close(svc_listener *l);

/* ----------------------------------------------------------------------------------------------------- certificates */

typedef struct svc_listener_cert {
  char sha256[96];     /* fingerprint, "AB:CD:..." */
  int64_t from, until; /* validity, in milliseconds since 1970-01-01 UTC */
  int self_signed;     /* not 0: no authority signed it */
} svc_listener_cert;

/* Reads a certificate and its key, which must match. The certificate may have expired. Returns SVC_OK, or a code and `why`. */
int svc_listener_cert_read(const char *cert_file, const char *key_file, svc_listener_cert *out, char *why, size_t why_size);

/*
** Creates a self-signed certificate for these names and IP addresses (64 at most), valid for `days`: ECDSA on P-256, not an authority.
** An existing key is used; otherwise a key is created in a file that only its owner can read. An existing certificate is replaced.
** Returns SVC_OK, or a code and `why`.
*/
int svc_listener_cert_make(const char *cert_file, const char *key_file, const char *const *names, size_t name_count, int days,
                           char *why, size_t why_size);

#ifdef __cplusplus
}
#endif
#endif /* SVC_LISTENER_H */

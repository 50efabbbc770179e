/*
** The HTTP and HTTPS listener: serves svc_handle_request() over sockets. Optional, and apart from the library: compile
** ports/mongoose.c, ports/http_reader.c and what is in ports/listener/ together with mongoose.c (GPL-2.0-only or
** commercial) and use them beside svcapi.c, or write your own.
**
** ORDER. svc_listener_open() binds and listens, so that the port is known before the service is opened (its base URL
** may need it); svc_listener_start() gives it the service and starts its threads; svc_listener_stop() answers what is
** under way and ends them (svc_listener_drain() before it sends clients elsewhere); svc_listener_close() frees. Clients that connect between open and start wait in the backlog.
**
** THREADS. The calling thread is never used. Event-loop threads read requests and answer GET and HEAD; other methods
** go to the writer threads, so that no loop ever waits for a disk, and so do these two while svc_may_wait(). Writers start
** when they are needed and end when they have had nothing to do for a while; one stays. Threads block all signals, so these
** reach the host's own threads. A connection has one request under way at a time; answers keep the order of the requests.
**
** PLACES. A client that connects and does nothing shuts nobody out: an address has a share of the connections, and when all
** are taken the one that has been idle for longest gives way to a new one. Nor does one that does not read its answers:
** those that wait to be sent have a bound in bytes, each and all together.
**
** TLS. For an https URL: 1.2 and 1.3, with one certificate and its key for all of them; by mbedTLS, or by OpenSSL where what is in
** ports/listener/ is compiled with -DSVC_WITH_OPENSSL (and linked with -lssl -lcrypto). What has no handshake is never answered in
** clear, and none is waited for: a loop serves others meanwhile. Sessions are resumed by tickets for an hour, until the certificate is
** read anew, and never renegotiated. An idle connection costs 38 KB of memory, by OpenSSL 15 KB once it has been idle for a second.
** With an mbedTLS that was built without TLS there is only http.
**
** GZIP. Answers of 1 KiB to 1 MiB are sent as gzip to who accepts it, with a tag of their own ("5f" becomes "5f-g"), but for what shows
** a secret (Cache-Control: no-store). no_gzip switches that off.
**
** PROCESS. mongoose ignores SIGPIPE for the whole process, and its log, which is global too, is switched off here.
**
** EXPLORER. GET / is a page with which people look around in the service: it signs in as any client does, and can do what the
** API lets it. Its files are constants of explorer_files.c, 75 KB, and its paths are / and those below /_explorer/. no_explorer
** switches it off; -DSVC_LISTENER_NO_EXPLORER, for what is in ports/listener/, leaves it out.
**
** REFERENCE. svc_listener_describe() has a description for every operation, parameter and field. A host that wants them in
** GET /openapi.json and in svc_openapi() sets svc_config.describe to it. The texts are constants of reference_texts.c;
** -DSVC_LISTENER_NO_REFERENCE, for what is in ports/listener/, leaves them out.
**
** FAULTS. An answer with svc_response.drop is not sent, and its connection closed; one with delay_ms is sent after so long (in
** steps of up to 250 ms), while no thread waits for it.
**
** HTTP. 1.0 and 1.1, keep-alive, pipelining, chunked bodies, Expect: 100-continue. Whatever is ambiguous is refused,
** with an error document of the same shape as the library's, and the connection closed. The listener never sets
** svc_request.caller: each request must carry its own credentials.
**
** Zero-initialise the configuration: zero means the default. Members are only ever appended.
*/
#ifndef SVC_LISTENER_H
#define SVC_LISTENER_H

#include "svcapi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct svc_listener svc_listener; /* opaque */

/* Who speaks TLS, ports/listener/tls.h. */
typedef struct svc_listener_tls_port svc_listener_tls_port;
extern const svc_listener_tls_port svc_listener_tls_mbedtls;
extern const svc_listener_tls_port svc_listener_tls_openssl; /* with -DSVC_WITH_OPENSSL */

/* One answer, for a log. The strings live as long as the call. */
typedef struct svc_access {
  int64_t time_ms;   /* since 1970-01-01 UTC */
  const char *peer;
  const char *method; /* "": the request could not be read, and then there is no path either */
  const char *path;  /* not NUL-terminated; without the query, which may hold what is nobody's business */
  size_t path_length;
  int status;
  uint64_t bytes;    /* of the body */
  int64_t micros;    /* from the end of the request's head on; 0: there was none */
  const char *operation, *caller; /* as in svc_response; may be NULL */
  char traceparent[56]; /* of the request (W3C Trace Context), if there is one and it is well-formed; "" else */
} svc_access;

typedef struct svc_listener_config {
  const char *const *urls; /* "http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:0"; port 0: a free one */
  size_t url_count;        /* at least 1, at most 16 */

  size_t threads;         /* event loops, each on a thread of its own; default 1, at most 64 */
  size_t writers;         /* threads that answer what the loops do not, at the most; default 16, up to 256 */
  size_t max_waiting;     /* requests that wait for a writer; more get 503 with Retry-After; default 256 */
  size_t max_connections; /* further ones take the place of idle ones, or get 503 and are closed; default 1024, fewer if open
                             files are limited */

  size_t max_body;         /* bytes of a request's body; default 1 MiB, as svc_config's: set both alike */
  size_t max_header_bytes; /* names and values of all headers together; default 16 KiB, as svc_config's */
  size_t max_target;       /* bytes of the request target; default 8 KiB, as svc_config's */

  int64_t header_timeout_ms; /* from the first byte of a request to the end of its headers; default 10 000 */
  int64_t body_timeout_ms;   /* from the end of the headers to the end of the body; default 30 000 */
  int64_t idle_timeout_ms;   /* without a request, or without the client taking any of its answer; default 60 000 */
  int64_t stop_timeout_ms;   /* for what is under way when svc_listener_stop() is called; default 5 000 */

  /*
  ** Addresses ("10.0.0.7") and networks ("10.0.0.0/8", "fd00::/8") of proxies in front of this listener. Only from
  ** these is X-Forwarded-For believed: the peer is its right-most address that is not one of them. Default: none.
  */
  const char *const *trusted_proxies;
  size_t trusted_proxy_count;

  void (*log)(void *context, int level, const char *text); /* SVC_LOG_...; from any thread; default: nothing */
  void *log_context;

  /*
  ** Called in place of svc_handle_request(), from several threads at once, by a host that wants to see, count or answer
  ** requests itself. What it leaves in `response` is freed with svc_response_free(). Default: svc_handle_request().
  */
  int (*handle)(void *context, svc *s, const svc_request *request, svc_response *response);
  void *handle_context;

  /* bytes of memory for large bodies that are arriving or waiting, all together; more get 503; default 64 MiB */
  size_t max_body_memory;

  /*
  ** Connections of one address (of IPv6, of one /64). For one more the connection of that address that is idle for longest is
  ** closed; if none is idle, the new one gets 503. Those of trusted proxies are not counted. Default: a quarter of max_connections.
  */
  size_t max_per_address;

  /*
  ** Bytes of answers that clients have not taken yet, all together and of one answer. A read that has no room gets 503;
  ** of a change, which is made, the answer is sent as far as the socket takes it. Who has taken nothing for five seconds is
  ** closed when others need the room. Small answers (16 KiB) are not counted. Default: 64 MiB, and half of it.
  */
  size_t max_answer_memory;
  size_t max_answer;

  int64_t writer_idle_ms; /* after which a writer thread ends; default 10 000 */

  /*
  ** Files in PEM, for https URLs, which need both: a certificate, with those behind it that lead to its authority, and its key,
  ** not encrypted. One that cannot be read, does not fit the other or has expired is an error.
  */
  const char *cert_file, *key_file;

  /* Called for every answer, also those of the listener itself, from the event loops: it must not wait. Default: nothing. */
  void (*access)(void *context, const svc_access *access);
  void *access_context;

  /*
  ** Not 0: no explorer, and its paths are the service's, which knows none of them. Else GET / is a page for browsers, and
  ** /_explorer/... what it is made of; it comes before `handle`. A host that has a page of its own at / sets this.
  */
  int no_explorer;

  /* Not 0: no answer is sent as gzip. Else those of 1 KiB to 1 MiB are, to who accepts it, but for what shows a secret. */
  int no_gzip;

  const svc_listener_tls_port *tls; /* for https URLs; default: OpenSSL where it is compiled in, else mbedTLS */

  /* The log with the name of each event, as svc_config.log_event: used in place of `log` where it is set, with log_context. */
  void (*log_event)(void *context, int level, const char *event, const char *text);

  /*
  ** Called when the head of a request is there whose body is longer than max_body, or may become so because it is chunked. `request` has no
  ** body. Returns how many bytes the body may have, up to 1 GiB; 0, or less than max_body: max_body holds. A host allows more to callers whom it
  ** knows by their headers. Such a body may take as much memory beyond max_body_memory. Called from the event loops: it must not wait.
  ** Default: max_body holds for all.
  */
  size_t (*body_limit)(void *context, const svc_request *request);
  void *body_limit_context;
} svc_listener_config;

/*
** Bind and listen; nothing is answered yet. The configuration is copied. `why` (which may be NULL) is given one line
** when it fails: a port in use, a URL that makes no sense, a certificate that has expired.
** Returns SVC_OK and sets *out, else SVC_INVALID (the configuration), SVC_IO (the sockets) or SVC_NOMEM with *out NULL.
*/
int svc_listener_open(svc_listener **out, const svc_listener_config *config, char *why, size_t why_size);

/*
** For svc_config.describe; `context` is not used, and every thread may call it. Returns NULL if there is no such text. The texts
** come from the files reference.txt of the catalog.
*/
const char *svc_listener_describe(void *context, int what, const char *of, const char *name);

/* The URL number i with the port as it really is, "http://127.0.0.1:40213"; NULL: there is none. */
const char *svc_listener_url(const svc_listener *l, size_t i);

/*
** Read certificate and key anew, from the same files. Whoever connects from then on is given these; connections that are there
** keep theirs, and no request is lost. When it fails, all stays as it was, and `why` says why. From any thread.
*/
int svc_listener_reload(svc_listener *l, char *why, size_t why_size);

/*
** Start the threads and answer requests with `s`, which must stay open until svc_listener_stop() has returned.
** svc_tick() is called about once a second. Can be done once.
*/
int svc_listener_start(svc_listener *l, svc *s);

/*
** From now on every connection is closed after its next answer, which says so (Connection: close); new ones are accepted as before. For
** the time between svc_set_ready(s, 0) and svc_listener_stop(), in which a load balancer finds out that it has to go elsewhere.
*/
void svc_listener_drain(svc_listener *l);

/*
** Accept no more connections, answer the requests that are under way, close all connections and end the threads; waits
** for that, for stop_timeout_ms and the longest write that is under way at the most. NULL, one that was not started and
** a second call are allowed. From any thread but the listener's own; not from a signal handler.
*/
void svc_listener_stop(svc_listener *l);

/* What it has done since it was opened; from any thread. */
typedef struct svc_listener_statistics {
  uint64_t connections; /* that are open */
  uint64_t accepted;    /* that came */
  uint64_t refused;     /* of these, for which there was no place */
  uint64_t sent_bytes;
  uint64_t waiting;     /* requests that wait for a writer */
} svc_listener_statistics;
void svc_listener_stats(svc_listener *l, svc_listener_statistics *out);

/* Stop, if that has not been done, and free all. NULL is allowed. */
void svc_listener_close(svc_listener *l);

/* ----------------------------------------------------------------------------------------------------- certificates */

typedef struct svc_listener_cert {
  char sha256[96];     /* its fingerprint, "AB:CD:..." */
  int64_t from, until; /* milliseconds since 1970 */
  int self_signed;     /* not 0: nobody else vouches for it */
} svc_listener_cert;

/* What is in two such files, which must fit each other. It may have expired. */
int svc_listener_cert_read(const char *cert_file, const char *key_file, svc_listener_cert *out, char *why, size_t why_size);

/*
** Make a certificate that signs itself, for these names and IP addresses (64 at the most), valid for so many days: ECDSA on P-256,
** and no authority for others. The key is made too, in a file that only its owner can read, unless it is there: then the certificate
** is made of it. A certificate that is there is replaced.
*/
int svc_listener_cert_make(const char *cert_file, const char *key_file, const char *const *names, size_t name_count, int days,
                           char *why, size_t why_size);

#ifdef __cplusplus
}
#endif
#endif /* SVC_LISTENER_H */

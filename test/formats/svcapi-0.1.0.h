/*
** svcapi: an administration API for database deployments, as a C library.
**
** SCOPE. This header is the whole public interface; what is not in it is not API. svc_handle_request() takes one
** request in memory and gives one response in memory. There is no socket, no thread and no global state: everything
** hangs on the handle that svc_open() makes, and two handles in one process do not know of each other. State lives in
** an LMDB store in the folder that the configuration names, or in a private store that vanishes at svc_close().
**
** THREADS. svc_handle_request(), svc_tick() and svc_backup() may be called on one handle from any number of threads at
** once. Reads never wait for a write, unless they find something due (see svc_is_due). Writes that wait at the same time
** are committed together, so that one flush of the disk serves them all; a write is answered only when it is durable
** (see `durability`). svc_open() and svc_close() of one handle belong to one thread, with no other call under way. The
** callbacks of the configuration are called from whichever thread makes a request, several at a time.
**
** PROCESSES. One process at a time may hold a store; a second one gets SVC_BUSY. After fork() the child must not use a
** handle of the parent, not even to close it.
**
** OWNERSHIP. The library copies what it keeps of the configuration; request memory is the host's and is only read
** during the call. A response owns its headers and its body until svc_response_free(); a response outlives svc_close()
** only if it has been freed before it. Strings of this header are NUL-terminated unless a length stands beside them; a
** length of 0 means "up to the NUL".
**
** TIME AND CHANCE come from the configuration and nowhere else: with a clock and a random source of its own a host gets
** the same answers each time.
**
** LIMITS. Body 1 MiB, nesting 32, headers 16 KiB together, request target 8 KiB, page 500 items: all can be changed
** in svc_config. A list that is a plain array is given whole up to 4 MiB, and in pages on request. The store grows by itself.
**
** STACK. A call needs 40 KiB of the calling thread's stack at the most, whatever the limits are set to (28 KiB are measured
** on x86-64 with -O2; a check of the tree holds it). What the callbacks of the configuration need comes on top.
**
** LEFT OUT. -DSVC_OMIT=CLUSTER+EVENT, where svcapi.c is compiled, leaves nouns out of the build, for small devices; what
** stands on one of them goes with it, and answers 404. A name that is none does not compile. (-DSVC_OMIT_CLUSTER leaves one
** out as well, but no compiler can tell when that is misspelt.)
** The names, written by ./build.sh fold:
**   ACCESS_HISTORY ACCESS_TOKEN ALERT ALERT_CONFIG ALERT_MATCHER_FIELD ALERT_NOTICE ALERT_ROUND API_KEY
**   API_KEY_ACCESS_LIST AUDIT_LOG AVAILABLE_PROJECT BACKUP_ENDPOINT BACKUP_SCHEDULE CERTIFICATE_AUTHORITY
**   CHECKPOINT CLOUD_ACCESS CLUSTER CLUSTER_CONFIGURATION CLUSTER_LOG CLUSTER_REGION CLUSTER_SUMMARY
**   CLUSTER_TRANSFER COLLECTION_STAT COMPLIANCE_POLICY CONNECTED_ORG_CONFIG CONTAINER CONTROL_PLANE_ADDRESS
**   COST_EXPLORER CUSTOM_DB_ROLE CUSTOM_DNS DATABASE_USER DATABASE_USER_CERT DATA_FEDERATION
**   DATA_FEDERATION_ENDPOINT DATA_FEDERATION_LIMIT DB_VERSION DROP_INDEX ENCRYPTION_AT_REST
**   ENCRYPTION_AT_REST_ENDPOINT ENDPOINT_SERVICE EVENT EVENT_TYPE EXPORT_BUCKET EXPORT_JOB FEDERATION_SETTINGS
**   FLEX_CLUSTER FLEX_RESTORE_JOB FLEX_SNAPSHOT GLOBAL_WRITES IDENTITY_PROVIDER INTEGRATION INVOICE IP_ADDRESS
**   LDAP_VERIFICATION LEGACY_RESTORE_JOB LEGACY_SNAPSHOT LEGACY_SNAPSHOT_SCHEDULE LINK_TOKEN LIVE_MIGRATION
**   LIVE_MIGRATION_VALIDATION LOG_EXPORT LOG_INTEGRATION MAINTENANCE_WINDOW MANAGED_SLOW_MS NETWORK_ACCESS
**   NON_COMPLIANT_RESOURCE ONLINE_ARCHIVE ORGANIZATION ORGANIZATION_INVITATION ORGANIZATION_SETTINGS
**   ORGANIZATION_USER OUTAGE_SIMULATION PEER PINNED_NAMESPACE PRIVATE_ENDPOINT PRIVATE_IP_MODE PROCESS PROCESS_ARGS
**   PROCESS_DATABASE PROCESS_DISK PROJECT PROJECT_INVITATION PROJECT_LIMIT PROJECT_SETTINGS QUERY_SHAPE
**   QUERY_SHAPE_INSIGHT RATE_LIMIT REGIONAL_MODE RESOURCE_POLICY RESTORE_JOB ROLE_MAPPING ROLLING_INDEX ROOT
**   SAMPLE_DATASET SCHEMA_ADVICE SEARCH_DEPLOYMENT SEARCH_INDEX SEARCH_METRIC SERVICE_ACCOUNT
**   SERVICE_ACCOUNT_ACCESS_LIST SKU SLOW_QUERY SNAPSHOT SNAPSHOT_OF_SHARDS STREAM_ACCOUNT STREAM_CONNECTION
**   STREAM_FAILOVER_CONNECTION STREAM_LOG STREAM_PEERING STREAM_PRIVATE_LINK STREAM_PROCESSOR STREAM_WORKSPACE
**   SUGGESTED_INDEX TEAM USER USER_SECURITY
**
** VERSIONS. Zero-initialise every struct before filling it in: zero always means the default. svc_config grows at its end;
** svc_open() is told how large the caller's is, so a newer shared library leaves alone what an older program does not
** have, and an older one refuses what it does not know. All other structs stay as they are within a major version, and
** while that is 0 within a minor one; a program that was compiled for another is refused (SVC_INVALID, and the log says so).
*/
#ifndef SVCAPI_H
#define SVCAPI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
** What the functions are declared with. A shared library that is built with -fvisibility=hidden exports these and nothing
** else; define it, to nothing for example, where your compiler wants something other.
*/
#ifndef SVC_API
#if defined(__GNUC__)
#define SVC_API __attribute__((visibility("default")))
#else
#define SVC_API
#endif
#endif

#define SVC_VERSION "0.1.0"
#define SVC_VERSION_NUMBER 1000 /* major * 1000000 + minor * 1000 + patch */

/*
** Result codes. 0 is success; svc_strerror() has a sentence for each.
*/
#define SVC_OK 0
#define SVC_NOMEM 1   /* the allocator gave no memory */
#define SVC_INVALID 2 /* an argument or a member of the configuration makes no sense; the log says which */
#define SVC_IO 3      /* the store's files cannot be read or written */
#define SVC_FULL 4    /* the disk, or the address space for the map, is full */
#define SVC_BUSY 5    /* another handle or process holds the store */
#define SVC_NEWER 6   /* the store was written by a newer version of this library */
#define SVC_CORRUPT 7 /* the folder holds something that is not a store of this library */
#define SVC_RANDOM 8  /* the random source failed */
#define SVC_OLDER 9   /* the store was written by an older version, whose format is not read any more */
#define SVC_EXISTS 10 /* svc_backup(): the folder holds a store already, which stays as it is */

typedef struct svc svc; /* a handle; opaque */

/* ---------------------------------------------------------------------------------------------------- configuration */

/*
** The host's allocator. `resize` behaves as realloc: p NULL allocates, size 0 frees and returns NULL. It must be safe
** to call from several threads. LMDB and mbedTLS allocate with malloc whatever is set here.
*/
typedef struct svc_allocator {
  void *(*resize)(void *context, void *p, size_t size);
  void *context;
} svc_allocator;

/* Log levels, from grave to chatty. Nothing secret is ever logged. */
#define SVC_LOG_ERROR 1
#define SVC_LOG_WARNING 2
#define SVC_LOG_INFO 3

/* How sure a write is when it is answered. */
#define SVC_DURABLE 0    /* on the disk: survives a power cut */
#define SVC_NO_META_SYNC 1 /* a power cut may undo the last writes; the store stays whole */
#define SVC_NO_SYNC 2    /* a power cut may damage the store; a crash of the process does not */

/* Another limit for one endpoint set, by its id (as GET /rateLimits shows it, e.g. "clusters_group"). 0 keeps a value. */
typedef struct svc_limit_override {
  const char *endpoint_set_id;
  int64_t capacity;
  int64_t refill_rate;
  int64_t refill_seconds;
} svc_limit_override;

/* An address from which, or at which, the control plane is reached: what /unauth/controlPlaneIPAddresses shows. */
typedef struct svc_control_address {
  const char *provider; /* "aws", "azure" or "gcp" */
  const char *region;   /* for example "us-east-1" */
  const char *cidr;
  int outbound;         /* 0: inbound, the service is reached there; not 0: it calls from there */
} svc_control_address;

/* Steps of the life of a resource fall due at the next request, without any waiting. See svc_config.provision_ms. */
#define SVC_PROVISION_NOW (-1)

/* ------------------------------------------------------------------------------------------------------------ the driver */

/*
** The control plane decides and remembers; a driver acts on the data plane and measures it. Without one (svc_config.driver
** NULL) both are simulated: states move by the clock, and figures are made up, the same on every run.
**
** An order: do this to the data plane. The strings live as long as the call. Nothing in it is secret in clear: secrets are
** had by svc_order_secrets().
*/
typedef struct svc_order {
  const char *id;          /* 24 hex digits; the same when it is given out again */
  const char *action;      /* for example "cluster.create" */
  const char *resource;    /* what it is for, for example "cluster" */
  const char *resource_id; /* 24 hex digits, as those that follow */
  const char *parent_id;
  const char *group_id;    /* its project; "": it is in none */
  const char *org_id;      /* its organization; "": it is in none */
  const char *name;
  const char *desired;     /* the state to bring about, a JSON object */
  size_t desired_length;
  int attempt;             /* from 1 */
} svc_order;

/* A question: measure, or look something up. The strings live as long as the call. */
typedef struct svc_question {
  const char *what;        /* "measure": a figure, {"value":1}; "logs": lines; "list": a JSON array of what lies elsewhere (what
                              the service knows of itself is `known`); "series": of each metric the figures from `from` until
                              `until`, both included, `step` seconds apart, {"series":{"CONNECTIONS":[1,2.5,null]}}, or
                              {"missing":true} where there is no such thing; "slowQueries", "queryStats": an array of at most
                              `most` records of queries on `hosts` (none: all) from `since` until `until`, in milliseconds, about
                              `namespaces` (none: all; `known` are those the service knows of), {"namespace":"a.b","at":1,
                              "opType":"find","durationMicros":1,"filter":{},"sort":[{"a":-1}],"docsExamined":1,"docsReturned":1,...}: of
                              single slow ones with the `line` of the log, or of all that ran, where `count` are one record;
                              "collections": an array of {"namespace":"a.b","averageBytes":1,"largestBytes":1,"longestArray":1,
                              "indexes":[{"name":"a_1","keys":[{"a":1}],"accesses":0,"since":1,"hidden":false,"options":{},...}]}
                              of the same (all members: advisor_reply.c);
                              "accessHistory": logins, newest first, [{"authResult":true,...}] */
  const char *resource;
  const char *resource_id;
  const char *group_id, *org_id;
  const char *name;
  const char *parameters;  /* what exactly, a JSON object; may be NULL */
  int64_t now;             /* milliseconds since 1970-01-01 UTC */
  size_t most;             /* bytes that the reply may have */
} svc_question;

/* What a driver answers: filled by svc_reply_add(). */
typedef struct svc_reply {
  char *bytes;
  size_t length;
  size_t most, room; /* private, as what follows */
  void *memory;
} svc_reply;

typedef struct svc_driver {
  /*
  ** Called by svc_tick(), outside of any request and any transaction, one order at a time. SVC_OK: taken, and
  ** svc_order_done() follows, now or days later, from any thread. SVC_BUSY: it is given out again later, after a wait that
  ** grows. Another code: it has failed; for what has no state to fail into, a new order comes after such a wait. What was
  ** taken and not done when the process ended is given out again, so an order may come more than once; a newer order for the
  ** same resource replaces an older one.
  */
  int (*perform)(void *context, svc *s, const svc_order *order);
  /* Called during a request, outside of any transaction, on the thread of the request: it may wait. Not SVC_OK: 503. */
  int (*ask)(void *context, svc *s, const svc_question *question, svc_reply *reply);
  void *context;
} svc_driver;

/*
** Somebody is to be told of an alert. The strings live as long as the call. Where it goes stands in `target`, with what is secret in
** it masked; the secrets are had by svc_order_secrets(), with this `id`: a JSON object of what is masked in `target`, or, where that
** names the project's integration or has nothing of its own, of that integration.
*/
typedef struct svc_notification {
  const char *id;        /* 24 hex digits; the same when it is given out again */
  const char *kind;      /* "EMAIL", "SLACK", ... */
  const char *alert_id;  /* 24 hex digits, as those that follow */
  const char *config_id; /* of the alert configuration */
  const char *group_id;
  const char *org_id;
  const char *status;    /* of the alert, when this was to be said: "OPEN", "CLOSED" */
  const char *target;    /* the notification of the alert configuration, a JSON object */
  size_t target_length;
  const char *alert;     /* the alert, a JSON object, as a GET shows it but for its links */
  size_t alert_length;
  int attempt;           /* from 1 */
} svc_notification;

typedef struct svc_store_port svc_store_port; /* another engine than LMDB: see ports/store_port.h */

/* --------------------------------------------------------------------------------------------------- the configuration */

typedef struct svc_config {
  const char *path;  /* folder of the store, made if it is missing; NULL: a private store that vanishes at close */
  size_t map_size;   /* first size of the store's memory map, doubled whenever it is full; default 16 MiB */
  size_t map_limit;  /* the map never grows past this (507 from then on, but for deletes); default: no limit */
  int durability;    /* SVC_DURABLE (default), SVC_NO_META_SYNC, SVC_NO_SYNC; a private store never syncs */

  int64_t (*clock)(void *context); /* milliseconds since 1970-01-01 UTC; default: the system's clock */
  void *clock_context;
  int (*random)(void *context, void *buffer, size_t size); /* fills the buffer, 0 is good; default: mbedTLS's DRBG */
  void *random_context;
  svc_allocator allocator; /* default: malloc and free */
  void (*log)(void *context, int level, const char *text); /* default: nothing is logged */
  void *log_context;

  const char *base_url; /* what links start with, at most 1024 bytes; default "http://localhost:8080" */
  const char *vendor;   /* the word in /api/svc/v2, application/vnd.svc.DATE+json, and where values, names of limits and ids
                           begin with it (SVC_MANAGED, svc_sa_id_): at most 16 characters, the same for the life of a
                           store; default "svc" */
  int digest_sha256;    /* not 0: API keys are asked for a SHA-256 digest, not for the MD5 that every client knows */
  int strict_accept;    /* not 0: a request that names no version in Accept gets 406, not the newest version */

  size_t max_body;         /* bytes of a request's body; default 1 MiB */
  size_t max_depth;        /* nesting of JSON in a body; default 32, at most 512 */
  size_t max_header_bytes; /* names and values of all headers together; default 16 KiB */
  size_t max_target;       /* bytes of the request target; default 8 KiB */
  size_t max_page;         /* items of a page, also the bound of itemsPerPage; default 500 */

  int limiter_off; /* not 0: no request is ever limited, and no RateLimit header goes out */
  const svc_limit_override *limits;
  size_t limit_count;
  size_t limiter_buckets; /* buckets that are kept apart at the most (24 bytes each); default 4096 */

  const char *db_scheme; /* of connection strings: db://host, db+srv://host; default "db" */
  const char *db_domain; /* what the hosts of clusters end in; default "db.local" */

  const svc_control_address *control_addresses; /* default: none */
  size_t control_address_count;

  const svc_driver *driver; /* what acts and measures; must outlive the handle; default: a simulation */
  const svc_store_port *store; /* the engine that keeps the data, and takes `path`; default: LMDB */

  int64_t provision_ms; /* how long a cluster takes to be made, up to a hundred years; default 10 000; SVC_PROVISION_NOW: no
                           time at all */
  int conceal; /* not 0: what the caller has no part in answers 404, as what is not there; default: 401 */

  /*
  ** 32 random bytes, kept apart from the store and the same for its life: what seals the secrets that must be had again in
  ** clear, keys of other services and passwords for the data plane among them (AES-256-GCM). It is copied. With another key
  ** than the store's the handle is not opened; default: none, and whatever would store such a secret is refused.
  */
  const void *secret_key;

  int no_card; /* not 0: no organization has a card on file, so that whatever costs money is refused (402), and an invoice of what
                  runs already is not paid when its month ends: then the organization is locked; default: each has one */

  /*
  ** Tells somebody of an alert: the library itself sends nothing. Called by svc_tick(), as the driver's perform() is, which a host
  ** that sets this therefore calls at least every second. SVC_OK: it is said. SVC_BUSY: it is given out again later, after a wait that
  ** grows, for a day at the most. Another code: it has failed, which is logged. What was not said when the process ended is
  ** given out again. Default: nobody is told.
  */
  int (*notify)(void *context, svc *s, const svc_notification *notification);
  void *notify_context;
} svc_config;

/* -------------------------------------------------------------------------------------------------- request, response */

typedef struct svc_header {
  const char *name;
  const char *value;
  size_t name_length;  /* 0: NUL-terminated */
  size_t value_length; /* 0: NUL-terminated */
} svc_header;

/* A role, and the id of the organization or project on which it is held; NULL: on all of them. */
typedef struct svc_grant {
  const char *role; /* for example "ORG_OWNER" or "GROUP_READ_ONLY" */
  const char *on;
} svc_grant;

/*
** Somebody whom the host vouches for: no credential is asked of the request, and no access list holds. An organization that
** a person creates asks for access lists until its setting apiAccessListRequired is turned off. Never fill it in from a
** socket.
*/
typedef struct svc_caller {
  const char *user_id;  /* 24 hex digits; all of them 0: the host itself, not a person */
  const char *username; /* shown in events; the person of this name accepts its invitations by POST /users; may be NULL */
  const svc_grant *grants;
  size_t grant_count;
  int second_factor; /* not 0: a person who has shown a second factor of authentication, which organizations can ask of people
                        (their setting multiFactorAuthRequired) */
} svc_caller;

typedef struct svc_request {
  const char *method; /* "GET", "POST", ... */
  const char *target; /* path and query, percent-encoded as on the wire: "/api/svc/v2/groups?pretty=true" */
  size_t target_length; /* 0: NUL-terminated */
  const svc_header *headers;
  size_t header_count;
  const void *body;
  size_t body_length;
  const char *peer; /* the client's IP address; NULL: "127.0.0.1" */
  int tls;          /* not 0: it came over TLS */
  const svc_caller *caller; /* NULL: the request must carry its own credentials */
} svc_request;

typedef struct svc_response {
  int status;
  const svc_header *headers; /* lengths are always set, and the strings NUL-terminated as well */
  size_t header_count;
  const char *body; /* never NULL; for HEAD empty, with the Content-Length of the GET in the headers */
  size_t body_length;
  void *memory; /* private */
} svc_response;

/* What svc_bootstrap() or svc_new_credentials() made. The secrets are shown here once and cannot be read again. */
typedef struct svc_credentials {
  char org_id[32], group_id[32];
  char public_key[16], private_key[48];   /* an API key, for HTTP Digest */
  char client_id[48], client_secret[96]; /* a service account, for POST /api/oauth/token */
} svc_credentials;

/* ------------------------------------------------------------------------------------------------------------ functions */

/*
** Open a store and make a handle. `config` may be NULL: all defaults, that is, a private store.
** Returns SVC_OK and sets *out, else a code with *out NULL; the log callback is given a line that names the culprit.
** In C and C++ it is a macro, so that the library learns for which svcapi.h the caller was compiled (see VERSIONS). The
** function of that name is for who loads it by name: it takes the caller's svc_config to be the library's own.
*/
SVC_API int svc_open(svc **out, const svc_config *config);
SVC_API int svc_open_as(svc **out, const svc_config *config, int version_number, size_t config_size);
#define svc_open(out, config) svc_open_as(out, config, SVC_VERSION_NUMBER, sizeof(svc_config))

/* Close a handle and free all it holds. NULL is allowed. No other call on the handle may be under way. */
SVC_API void svc_close(svc *s);

/*
** Answer one request. Whatever is due (see svc_tick) is applied first. `response` is overwritten; free it with
** svc_response_free().
** Returns SVC_OK when the response stands, whatever its status; SVC_NOMEM when there was no memory even for an error
** document: then the response is a constant 503, which may be freed as any other; SVC_INVALID when an argument, the method,
** the target, or headers or a body with a length are NULL: then the response is zeroed, its body too.
*/
SVC_API int svc_handle_request(svc *s, const svc_request *request, svc_response *response);

/* Free what a response owns, and zero it. NULL, a zeroed response and a second call are allowed. */
SVC_API void svc_response_free(svc_response *response);

/* The value of a response's header, any case, or NULL. It lives as long as the response. */
SVC_API const char *svc_response_header(const svc_response *response, const char *name);

/*
** Apply every step of a lifecycle that is due by the clock (a cluster that becomes IDLE, one that is gone). Requests do
** this by themselves; a host calls it to have the steps, and their events, without waiting for a request. With a driver it
** also gives out the orders that wait, and to `notify` what is to be said of alerts, which nothing else does: a host that has
** either calls this at least every second.
** What was below something large that was deleted goes in such steps, too, 256 entities in each and 10 ms between two.
** Not from within a driver's functions.
*/
SVC_API int svc_tick(svc *s);

/*
** 1: something is due, so that the next request, even one that only reads, will store it first and wait for the disk;
** 0: nothing is. For a host that answers reads on a thread that must not wait. Cheap; from any thread. NULL gives 0.
*/
SVC_API int svc_is_due(svc *s);

/*
** 1: the answer to this request may have to wait, for the disk or for the driver: it writes, something is due, or it asks the
** driver. 0: it only reads. For a host that has threads which must not wait. Cheap; from any thread.
*/
SVC_API int svc_may_wait(svc *s, const svc_request *request);

/*
** The driver has finished an order. `result` SVC_OK: it is done; another code: it has failed. `facts`: what came of it, a
** JSON object in text (hosts and ports, sizes, certificates; of a failure its "reason", and the "state" that it leads to where
** there are several), or NULL. The state of the resource moves and the facts are taken in one commit. From any thread, also
** from within perform(), and again if it fails.
** Returns SVC_OK, also for an order that another one has replaced, or that was done before: then nothing changes.
** SVC_INVALID: the id is none, or the facts are no JSON object.
*/
SVC_API int svc_order_done(svc *s, const char *order_id, int result, const char *facts);

/*
** The secrets of what an order is for, in clear: a JSON object of the shape of `desired`, {} where it has none. `*length` is
** the room at `out`; then the length of the text, without the NUL behind it. Wipe it when it is used.
** Returns SVC_OK; SVC_FULL when there is too little room, with *length what it takes; SVC_INVALID for an order that is not
** there any more, and where svc_config.secret_key is missing. From any thread, also from within `perform`.
*/
SVC_API int svc_order_secrets(svc *s, const char *order_id, char *out, size_t *length);

/* Add to what a driver answers. SVC_FULL: that would be more than the question allows. */
SVC_API int svc_reply_add(svc_reply *reply, const void *bytes, size_t n);

/*
** Make the first organization, a project in it, and an API key and a service account that own both, so that the service
** can be used over a network. The organization asks for no access list. All of it is made in one commit, or nothing is.
** Returns SVC_OK with *out filled in; SVC_BUSY when the store has an organization already; else what went wrong.
*/
SVC_API int svc_bootstrap(svc *s, svc_credentials *out);

/*
** For who has lost all credentials but has the store: another API key and another service account that own an organization,
** by its id, or NULL: the first there is. The older ones stay. out->group_id is its first project, "" if it has none. Where
** the organization asks for access lists, both can be used from 127.0.0.1 and ::1. All is made in one commit, or nothing.
** Returns SVC_OK with *out filled in; SVC_INVALID when there is no such organization, the log says so; else what went wrong.
*/
SVC_API int svc_new_credentials(svc *s, const char *org_id, svc_credentials *out);

/*
** The OpenAPI 3.1 document of what this build serves, made from the tables that serve it, as a response with a JSON body:
** free it with svc_response_free(). Returns SVC_OK, SVC_NOMEM or SVC_INVALID.
*/
SVC_API int svc_openapi(svc *s, svc_response *out);

/*
** Write a consistent copy of the store into the folder `path`, which is made if it is missing and must not hold a store
** yet (SVC_EXISTS), while requests go on. The copy is compacted, is on the disk when this returns, and can be opened with
** svc_open(). The log says what is wrong.
*/
SVC_API int svc_backup(svc *s, const char *path);

/* The version of the library as it was compiled: compare with SVC_VERSION. */
SVC_API const char *svc_version(void);

/* A sentence for a result code. Never NULL. */
SVC_API const char *svc_strerror(int code);

/*
** The words that stand beside a status of HTTP, 404: "Not Found", for a host that writes the status line itself. Known
** are all that the library and its listener answer with; "Unknown" for others. Never NULL.
*/
SVC_API const char *svc_status_reason(int status);

#ifdef __cplusplus
}
#endif
#endif /* SVCAPI_H */

/*
** svcapi: an administration API for database deployments, as a C library.
**
** SCOPE. This header is the whole public interface; what is not in it is not API. svc_handle_request() takes one
** request in memory and gives one response in memory. There is no socket, no thread and no global state: everything
** hangs on the handle that svc_open() makes, and two handles in one process do not know of each other. State lives in
** an LMDB store in the folder that the configuration names, or in a private store that vanishes at svc_close().
**
** THREADS. svc_handle_request(), svc_tick(), svc_backup() and svc_check_store() may be called on one handle from any number
** of threads at once. Reads never wait for a write, unless they find something due (see svc_is_due). Writes that wait at the
** same time are committed together, so that one flush of the disk serves them all; a write is answered only when it is durable
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
** TESTS of a program that uses this API set `manual_clock`, `seed` and `journal`, take snapshots and add faults: see "test
** control" below. None of it is for a service that others rely on; TEST_CONTROL, among the names below, leaves it out.
**
** LIMITS. Body 1 MiB, nesting 32, headers 16 KiB together, request target 8 KiB, page 500 items: all can be changed
** in svc_config. A list that is a plain array is given whole up to 4 MiB, and in pages on request. The store grows by itself.
**
** STACK. A call needs 40 KiB of the calling thread's stack at the most, whatever the limits are set to (28 KiB are measured
** on x86-64 with -O2; a check of the tree holds it). What the callbacks of the configuration need comes on top.
**
** LEFT OUT. -DSVC_OMIT=CLUSTER+EVENT, where svcapi.c is compiled, leaves nouns out of the build, for small devices; what
** stands on one of them goes with it, and answers 404. A name that is none does not compile. (-DSVC_OMIT_CLUSTER leaves one
** out as well, but no compiler can tell when that is misspelt.) LMDB leaves the store out: svc_config.store must then name another.
** The names, written by ./build.sh fold:
**   ACCESS_HISTORY ACCESS_TOKEN ALERT ALERT_CONFIG ALERT_MATCHER_FIELD ALERT_NOTICE ALERT_ROUND ALERT_WAVE API_KEY
**   API_KEY_ACCESS_LIST AUDIT_LOG AUTOSCALING AVAILABLE_PROJECT BACKUP_ENDPOINT BACKUP_SCHEDULE
**   CERTIFICATE_AUTHORITY CHECKPOINT CLOUD_ACCESS CLUSTER CLUSTER_CONFIGURATION CLUSTER_HISTORY CLUSTER_LOG
**   CLUSTER_REGION CLUSTER_SUMMARY CLUSTER_TRANSFER COLLECTION_STAT COMPLIANCE_POLICY CONNECTED_ORG_CONFIG
**   CONTAINER CONTROL_PLANE_ADDRESS COST_EXPLORER CUSTOM_DB_ROLE CUSTOM_DNS DATABASE_USER DATABASE_USER_CERT
**   DATA_FEDERATION DATA_FEDERATION_ENDPOINT DATA_FEDERATION_LIMIT DB_VERSION DELETED_CLUSTER DROP_INDEX
**   ENCRYPTION_AT_REST ENCRYPTION_AT_REST_ENDPOINT ENDPOINT_SERVICE EVENT EVENT_TYPE EXPORT_BUCKET EXPORT_JOB
**   FEDERATION_SETTINGS FLEX_CLUSTER FLEX_RESTORE_JOB FLEX_SNAPSHOT GLOBAL_WRITES IDENTITY_PROVIDER INTEGRATION
**   INVOICE IP_ADDRESS LDAP_VERIFICATION LEGACY_RESTORE_JOB LEGACY_SNAPSHOT LEGACY_SNAPSHOT_SCHEDULE LINK_TOKEN
**   LIVE_MIGRATION LIVE_MIGRATION_VALIDATION LMDB LOG_EXPORT LOG_INTEGRATION MAINTENANCE_WINDOW MANAGED_SLOW_MS
**   NETWORK_ACCESS NON_COMPLIANT_RESOURCE ONLINE_ARCHIVE ORGANIZATION ORGANIZATION_INVITATION ORGANIZATION_SETTINGS
**   ORGANIZATION_USER OUTAGE_SIMULATION PEER PINNED_NAMESPACE PRIVATE_ENDPOINT PRIVATE_IP_MODE PROCESS PROCESS_ARGS
**   PROCESS_DATABASE PROCESS_DISK PROCESS_STATE PROJECT PROJECT_INVITATION PROJECT_LIMIT PROJECT_SETTINGS
**   QUERY_SHAPE QUERY_SHAPE_INSIGHT RATE_LIMIT REGIONAL_MODE REPORTED_LOGIN REPORTED_MEASUREMENT RESOURCE_POLICY
**   RESTORE_JOB ROLE_MAPPING ROLLING_INDEX ROOT SAMPLE_DATASET SCHEMA_ADVICE SEARCH_DEPLOYMENT SEARCH_INDEX
**   SEARCH_METRIC SERVICE_ACCOUNT SERVICE_ACCOUNT_ACCESS_LIST SERVICE_ACCOUNT_SECRET SKU SLOW_QUERY SNAPSHOT
**   SNAPSHOT_OF_SHARDS STREAM_ACCOUNT STREAM_CONNECTION STREAM_FAILOVER_CONNECTION STREAM_LOG STREAM_PEERING
**   STREAM_PRIVATE_LINK STREAM_PROCESSOR STREAM_WORKSPACE SUGGESTED_INDEX TEAM TEST_CONTROL USER USER_SECURITY
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

#define SVC_VERSION "0.2.0"
#define SVC_VERSION_NUMBER 2000 /* major * 1000000 + minor * 1000 + patch */

/*
** Result codes. 0 is success; svc_strerror() has a sentence for each.
*/
#define SVC_OK 0
#define SVC_NOMEM 1   /* the allocator gave no memory */
#define SVC_INVALID 2 /* an argument or a member of the configuration makes no sense; the log says which */
#define SVC_IO 3      /* the store cannot be read or written: its files, or the connection to it; the log says why */
#define SVC_FULL 4    /* the disk, or the address space for the map, is full */
#define SVC_BUSY 5    /* another handle or process holds the store, or changed the same again and again */
#define SVC_NEWER 6   /* the store was written by a newer version of this library */
#define SVC_CORRUPT 7 /* the folder holds something that is not a store of this library, or one that is damaged; the log says where */
#define SVC_RANDOM 8  /* the random source failed */
#define SVC_OLDER 9   /* the store was written by an older version, whose format is not read any more: ports/transfer/upgrade.h */
#define SVC_EXISTS 10 /* svc_backup(): the folder holds a store already, which stays as it is */
#define SVC_UNFINISHED 11 /* the store is a copy that was not finished, or was found to differ: it is to be made again */
#define SVC_CLOCK 12  /* the clock of this machine differs from that of the database by more than a minute */
#define SVC_NOT_FOUND 13 /* svc_report(): there is no such resource. From a driver's ask(): it does not know. svc_clock_next(): nothing is due */

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
  const char *traceparent; /* of the request that asked for it (W3C Trace Context, 55 characters), the same in each attempt; "": that had
                              none, or no request asked */
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
                              of the same (docs/driver.md has all members, and all questions);
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
  /*
  ** Called during a request, outside of any transaction, on the thread of the request: it may wait. SVC_NOT_FOUND: the driver does not
  ** know, and the request is answered with an empty series or list. Another code: 503.
  */
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
typedef struct svc_limiter_port svc_limiter_port; /* limits that several handles share: see ports/limiter_port.h */

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
                           begin with it (SVC_MANAGED, svc_sa_id_): at most 16 characters. A new store keeps the word for
                           life: a handle with another word is not opened; default: the store's word, of a new store "svc" */
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
  const svc_store_port *store; /* the engine that keeps the data, and takes `path`; default: LMDB. Where it has a clock of its own, which
                                  several instances share, the system's clock is compared with it every half minute: a difference of
                                  more than 5 seconds is logged; with more than 60 the handle is not opened (SVC_CLOCK), and an open
                                  one answers 503 until the clock is right. Not so with `clock` or `manual_clock` */

  int64_t provision_ms; /* how long a cluster takes to be made, up to a hundred years; default 10 000; SVC_PROVISION_NOW: no
                           time at all */
  int conceal; /* not 0: what the caller has no part in answers 404, as what is not there; default: 401 */

  /*
  ** 32 random bytes, kept apart from the store and the same for its life: what seals the secrets that must be had again in
  ** clear, keys of other services and passwords for the data plane among them (AES-256-GCM). It is copied. The first handle that has
  ** a key makes it the store's; with another one a handle is not opened, unless nothing was sealed yet in a store that is
  ** this handle's alone. Default: none, and whatever would store such a secret is refused.
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

  /* For tests alone: see "test control". */
  int64_t manual_clock; /* not 0: the time, in milliseconds since 1970-01-01 UTC, at which the clock stands until
                           svc_clock_set(), svc_clock_advance() or svc_clock_next() moves it, or from which on it runs (clock_rate);
                           `clock` must be NULL then */
  uint64_t seed;        /* not 0: ids, keys, secrets and tokens come from a generator that starts here, THE SAME ON EVERY RUN:
                           whoever knows this number knows all of them; `random` must be NULL then */
  size_t journal;       /* requests that svc_journal_read() shows, the last ones, up to 10 000; default: none */
  size_t max_snapshot;  /* bytes that one svc_snapshot may take; default 64 MiB */

  int keep_orders; /* not 0: orders that a driver has left behind stay for it, though this handle has none: for a tool that looks at
                      the store between two runs of its service; default: without a driver they are simulated from here on */

  int metrics; /* not 0: requests are counted, for svc_stats() and svc_metrics_text(): some 130 KiB */
  int64_t (*monotonic)(void *context); /* nanoseconds since some moment, never less than before: with it `metrics` also has how
                                          long answers took; default: nobody knows */
  void *monotonic_context;

  /*
  ** Limits that hold over all handles which name the same place, in whatever process and on whatever machine: every request takes its
  ** token there, and a nonce of HTTP Digest that was used at one of them is used at all. ports/redis.c is such a limiter;
  ** svcapi.c is then compiled with -DSVC_SHARED_STORE, or this is refused. Requests wait for it, a few milliseconds at the most, as
  ** svc_may_wait() says. The clocks of the handles should agree within the shortest interval of a limit. What is kept there is in
  ** no snapshot. Default: each handle limits by itself.
  */
  const svc_limiter_port *limiter;
  const char *limiter_path; /* where it is: redis://host:6379/0; ports/redis.h has all that can be said */
  int limiter_closed; /* not 0: when it cannot be asked, requests are refused (503, with Retry-After); default: each handle limits by
                         itself until it answers again, from the level of the bucket that it last heard of: N handles together grant
                         at most N times what a bucket holds. A nonce that other handles may have seen is refused then, with
                         stale=true and a new one that is good for this handle alone. The log has a line when that begins and one
                         when it ends */

  int enforce_sunset; /* not 0: an operation answers 410 from its sunset date on; default: the Sunset header announces the date, and
                         the operation stays */
  size_t max_projects; /* projects of an organization; default 250 */

  /*
  ** Other words on the wire, as JSON: {"vendor":"...","dbScheme":"...","fields":{"ours":"theirs"},"paths":{},"values":{},"codes":{}}; every
  ** member is optional. Requests, answers, links, errors and the OpenAPI document then have the words of the dialect for names of fields,
  ** segments and :verbs of paths, known values and error codes. What users wrote stays as it is, and so do keys of free-form JSON. The
  ** store keeps our words: it may be opened with another dialect, or with none; one that several handles share has one dialect at a time
  ** (dialect_change). `vendor` and `dbScheme` stand for `vendor` and `db_scheme`,
  ** where these are NULL. The handle is not opened, and the log names the word, if no table has a word of ours, if two words have the
  ** same one, or if theirs is one of ours in the same place. Default: none.
  */
  const char *dialect;

  int seal_passwords; /* not 0: the password of a database user is kept, sealed by `secret_key`, which is required then; no answer
                         shows it, and only svc_order_secrets() of an order "user.put" has it, {"password":"..."}: for drivers of
                         databases that cannot use the SCRAM verifier. Default: no password is kept; one that was kept before goes
                         with the next change of its user */

  const void *secret_key_next; /* another 32 bytes, which take or have taken the place of `secret_key`: see svc_rotate_key(). Both open
                                  the store. Default: none */

  /*
  ** The log with the name of each event, for programs that read it: used in place of `log` where it is set, with log_context. `event` is a
  ** constant such as "store.failed"; docs/logs.md lists them all. A name keeps its meaning, while `text` may change with every version.
  */
  void (*log_event)(void *context, int level, const char *event, const char *text);

  int64_t slow_ms; /* a request that takes at least so many milliseconds is logged ("request.slow", a warning), with its operation and what it
                      waited for; needs `monotonic`; default: none is */

  int dialect_change; /* not 0: on a store that several handles share, `dialect` takes the place of the one that the first handle wrote
                         down. Handles that are open go on with theirs; one that is opened with another is refused, as it is without this */

  /* For tests alone: see svc_control_request(). */
  int control_anywhere; /* not 0: svc_control_request() answers whoever sends its token, from any address; default: only loopback */
  const char *control_hosts; /* names that Host may have then, with a space between two: "svcd api.test"; default: every name without a
                                dot. Loopback names, IP addresses and the host of base_url are always accepted */
  int64_t clock_rate; /* with manual_clock: the clock starts at that time and runs so many times faster than real time, 1 to 1 000 000,
                         by `monotonic` where it is set; svc_clock_rate() changes it; default 0: it stands */

  /*
  ** Descriptions for people who read the OpenAPI document: the library has none, so that small devices need not carry them.
  ** The handle calls this while it writes the document, which it does once. `what` is one of SVC_DESCRIBE_*; `of` and `name` are our own
  ** words, whatever `dialect` says. Returns UTF-8 text, which must stay valid until the handle is closed, or NULL if there is no
  ** description. Names of fields and known values that stand between backticks in the text become the words of the dialect.
  ** The function must not call the handle. svc_listener_describe() in ports/listener.h describes the whole catalog. Default: none.
  */
  const char *(*describe)(void *context, int what, const char *of, const char *name);
  void *describe_context;
} svc_config;

/* What svc_config.describe is asked for. */
enum {
  SVC_DESCRIBE_OPERATION, /* name: "createCluster"; of: NULL */
  SVC_DESCRIBE_PARAMETER, /* name: "pretty"; of: the operation; then, without a text of it, and for headers: NULL */
  SVC_DESCRIBE_FIELD,     /* name: "dayOfWeek"; of: the object, "MaintenanceWindow"; then, without a text of it: "*" */
  SVC_DESCRIBE_RESOURCE   /* name: "maintenance window"; of: NULL */
};

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
  int64_t waited_ns; /* how long it has waited in the host for this call, for the line of svc_config.slow_ms; 0: not at all */
} svc_request;

typedef struct svc_response {
  int status;
  const svc_header *headers; /* lengths are always set, and the strings NUL-terminated as well */
  size_t header_count;
  const char *body; /* never NULL; for HEAD empty, with the Content-Length of the GET in the headers */
  size_t body_length;
  int drop;     /* not 0: a fault (svc_fault_add) has the answer be lost: a host with a connection closes it without a word */
  int delay_ms; /* a fault has it be late: a host with a connection answers after so long. The library itself never waits */
  const char *operation; /* for a log: its operationId in the OpenAPI document; NULL: it is none that is known */
  const char *caller;    /* and whose credentials it carried, a public key or a client id; NULL: none that hold */
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

/* The vendor word that the handle uses: svc_config.vendor, or the store's. It lives as long as the handle. */
SVC_API const char *svc_vendor(const svc *s);

/*
** Answer one request. Whatever is due (see svc_tick) is applied first. `response` is overwritten; free it with
** svc_response_free().
** Returns SVC_OK when the response stands, whatever its status; SVC_NOMEM when there was no memory even for an error
** document: then the response is a constant 503, which may be freed as any other; SVC_INVALID when an argument, the method,
** the target, or headers or a body with a length are NULL: then the response is zeroed, its body too.
*/
SVC_API int svc_handle_request(svc *s, const svc_request *request, svc_response *response);

/*
** The header traceparent of a request (W3C Trace Context), if there is one and it is well-formed: 1, and its first 55 characters with a NUL
** are at `out`. 0: there is none, it is invalid or stands twice, and `out` is "". Neither argument may be NULL.
*/
#define SVC_TRACE 55
SVC_API int svc_traceparent(const svc_request *request, char out[SVC_TRACE + 1]);

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
** What a driver has seen without being asked: a host of a cluster went down, came up, moved, runs another version; what was measured there, and
** who signed in. `resource` names what it is about, as orders do ("cluster"); `id` is its id, or, found without a search, "PROJECT/ID" or "PROJECT/NAME" with the project's id.
** `facts` is a JSON object, as docs/driver.md describes it for the resource. Answers, connection strings, states, events and alerts follow in
** one commit. From any thread, but not from within a function of the driver that svc_report() itself waits for.
** Returns SVC_OK. SVC_NOT_FOUND: there is no such resource (any more). SVC_INVALID: nothing can be reported of such a resource, or the facts
** are not as the page says; the log names the member, and nothing changes.
*/
SVC_API int svc_report(svc *s, const char *resource, const char *id, const char *facts);

/*
** The secrets of what an order is for, in clear: a JSON object of the shape of `desired`, {} where it has none. `*length` is
** the room at `out`; then the length of the text, without the NUL behind it. Wipe it when it is used.
** Returns SVC_OK; SVC_FULL when there is too little room, with *length what it takes; SVC_INVALID for an order that is not
** there any more, and where svc_config.secret_key is missing; SVC_BUSY where they are sealed by another key, which this handle has to
** learn (svc_rotate_key): the order is for later. From any thread, also from within `perform`.
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
** The OpenAPI 3.1 document of what this build serves, made from the tables that serve it, as a response with a JSON body (and as
** GET /openapi.json answers anybody, unless ROOT is left out):
** free it with svc_response_free(). Returns SVC_OK, SVC_NOMEM or SVC_INVALID.
*/
SVC_API int svc_openapi(svc *s, svc_response *out);

/*
** What this build tells and asks a driver, and what the driver may say, as a JSON Schema (draft 2020-12), made from the tables that check it:
** `orders` with their `desired` and `facts`, `reports`, `questions` with their `parameters` and `reply`; and the schema of every line between
** svcd and a driver that is a program. docs/driver.md explains it, docs/driver.schema.json is it. Free it with svc_response_free().
** Returns SVC_OK, SVC_NOMEM or SVC_INVALID.
*/
SVC_API int svc_driver_schema(svc *s, svc_response *out);

/*
** ready 0: GET /_svc/health says 503, "ready":false and "status":"draining" from now on, so that load balancers go elsewhere; every other
** request is answered as before. For a host that is about to end. Not 0: it says what is so again.
*/
SVC_API void svc_set_ready(svc *s, int ready);

/*
** Seal the secrets of the store by another key: `next`, 32 random bytes, copied. Each call looks at up to `steps` records, 256 at the most,
** in one commit, while requests go on; 0: the handle learns the key, and nothing is written. From the first step on new secrets are sealed
** by `next`, and the others open by the key before. What was done stays done: after a crash, or with svc_config.secret_key_next after a
** restart, the next call goes on from there. Where several handles share the store, all must know `next` before the first step: one that does
** not answers 503 to what it cannot open or seal, and logs the id of the key that is missing. Backups made before need the key before.
** Not from two threads at once. A handle learns three keys at the most.
** Returns SVC_OK: every secret is sealed by `next`, and the key before is not needed any more. SVC_BUSY: there is more to do, call again.
** SVC_INVALID: there is no svc_config.secret_key, or a third key is taking its place already. SVC_NOMEM, SVC_IO and others: this call did nothing.
*/
SVC_API int svc_rotate_key(svc *s, const void *next, int steps);

/*
** Write a consistent copy of the store into the folder `path`, which is made if it is missing and must not hold a store
** yet (SVC_EXISTS), while requests go on. The copy is compacted, is on the disk when this returns, and can be opened with
** svc_open(). The log says what is wrong.
*/
SVC_API int svc_backup(svc *s, const char *path);

/*
** The same of a store that another process holds: the last commit of the LMDB store in the folder `path` is copied into `to`. It only
** reads, and waits for nobody; the other process writes on meanwhile. Not from the process that has that store open: LMDB forbids to open it
** twice in one, and closing it here would end the locks of the other; that one calls svc_backup().
** Returns what svc_backup() does; SVC_IO: there is no store, or it cannot be read or written; SVC_CORRUPT: it is none.
*/
SVC_API int svc_backup_of(const char *path, const char *to);

/*
** The store in memory: svc_config.store = svc_memory_port(). It is empty when it is opened and gone when it is closed; `path` must be NULL, and
** `map_limit` bounds its bytes. Snapshots of it (svc_snapshot_take) cost next to nothing; svc_backup() of it is SVC_INVALID.
**
** The libraries of this project contain it. svcapi.c does not, unless that is asked for: compile ports/memory.c beside it with -I. -Iamalgamation
** -DSVC_SPLIT=1, or fold a svcapi.c that contains it (sh amalgamation/fold.sh --with memory --out FILE). Compile svcapi.c with
** -DSVC_MEMORY_STORE, and svc_open_json() takes {"store":"memory"}; add LMDB to SVC_OMIT, and memory is the default: for platforms without mmap.
*/
SVC_API const svc_store_port *svc_memory_port(void);

/*
** For tools that read a store without opening a service on it (ports/store_copy.h, ports/transfer/transfer.h): the port of LMDB, and the
** name of the resource whose keys have this kind, four characters. NULL: this build has no such resource.
*/
SVC_API const svc_store_port *svc_lmdb_store(void); /* NULL: LMDB was left out */
SVC_API const char *svc_kind_name(const char *kind);

/*
** Is the store whole? Every record is read: that it can be, that its JSON is JSON and written as the service writes it, that its
** keys agree with what is in it; that every entry of an index leads to its record and every record has all its entries (names,
** ids, dues, references, roles on projects, orders, answers kept for retries); that every count is the number of what it
** counts, every tally what it tallies, and the open lines of the ledger what there is to pay for; that what something is below,
** its project, its organization and what it names are there. Nothing is written.
** `found` (which may be NULL) is called with a line for each fault, 100 at the most and then one that says so. A line names a
** noun and an id, never what is stored.
** Returns SVC_OK: there is no fault. SVC_CORRUPT: there are some. SVC_NOMEM, SVC_IO: it was not read to its end.
** It may run while requests do, and sees the store as it was when it began. It takes some microseconds for each record, and up to 200
** bytes of memory for every list that is not empty. What is freed meanwhile is not used again before it ends; should the store
** have to grow, all requests wait for its end, so of a large store that is busy rather check a backup.
** A build that leaves nouns out (SVC_OMIT) takes what there is of these for faults.
** Before that the pages of LMDB's file are looked at, and where one is damaged that line is the only one. svc_open() does the same for
** a file of up to 64 MiB, a millisecond for each, and returns SVC_CORRUPT: LMDB follows what is in a page, and a bad one would end the process.
** What it cannot do: there are no checksums, so a text that was damaged and is still a text is not noticed. And a file of more than 64 MiB
** may end the process before this is called: who checks one that nobody trusts does it in a process of its own, as svcd does.
*/
SVC_API int svc_check_store(svc *s, void (*found)(void *context, const char *text), void *context);

/*
** What a handle has done since it was opened. Each number is right by itself; they are not of one moment. On machines of 32 bits
** what is counted begins anew after 2^32. It grows at its end: the macro tells the library how much the caller has.
*/
typedef struct svc_statistics {
  uint64_t requests;        /* answered by svc_handle_request(): with svc_config.metrics, as the two that follow */
  uint64_t answers[6];      /* of these, by the first digit of their status; [0]: none of those that are known */
  uint64_t limited;         /* refused by the limiter */
  uint64_t sign_ins_failed; /* requests whose credentials were wrong */
  uint64_t commits;         /* of the store */
  uint64_t writes;          /* that these made durable: those that wait at the same time share one */
  uint64_t store_bytes;     /* what the store takes; 0: it cannot tell, or does not answer */
  uint64_t map_bytes;       /* and what its map has room for */
  int64_t late_ms;          /* for how long the step that comes next has been due; 0: it is not */
  uint64_t orders;          /* that the driver has not finished, and notices that are not said; as svc_tick() saw it last, with
                               svc_config.metrics, as those that follow. 1000: so many, or more */
  uint64_t orders_waiting;  /* of these, not handed out yet, or to be handed out again */
  int64_t oldest_order_ms;  /* the age of the oldest of them; 0: there is none */
  uint64_t order_retries;   /* orders that were handed out again since the handle was opened */
} svc_statistics;
SVC_API int svc_stats(svc *s, svc_statistics *out);
SVC_API int svc_stats_as(svc *s, svc_statistics *out, size_t size);
#define svc_stats(s, out) svc_stats_as(s, out, sizeof(svc_statistics))

/*
** The same and more in the text format of Prometheus: requests by operation and status, how long they took, the limiter by endpoint
** set, sign-ins that failed, commits, writes, bytes. Only what was counted is there; no label is anything that a client says. It never
** waits for a store on a server, nor for svc_config.limiter: bytes are those of the last half minute, or left out.
** `more` is put behind it as it is, lines of the host's own; NULL: none.
** Returns SVC_OK; SVC_INVALID: svc_config.metrics is not set; else what went wrong. Free it with svc_response_free().
*/
SVC_API int svc_metrics_text(svc *s, const char *more, svc_response *out);

/* ------------------------------------------------------------------------------------------------------ other languages */

/*
** For who loads the shared library (./build.sh shared) by name, from Python, Ruby, Go and the like: text in place of structs, so
** that no layout is copied. examples/python/svcapi.py is all that one needs there. What else takes no struct can be called beside
** it: svc_close, svc_tick, svc_backup, svc_clock_..., svc_snapshot_..., svc_strerror, svc_version.
**
** svc_open_json: as svc_open(). The configuration is a JSON object, or NULL, whose members are called as those of svc_config: numbers,
** strings, true and false (what is a flag there); secret_key is 64 hex digits, limits and control_addresses are arrays of objects.
** What is a function or a pointer there cannot be said. An unknown member, or one of another type, is SVC_INVALID. `why` (which may
** be NULL) is given one line when it fails. Nothing is logged from then on.
*/
SVC_API int svc_open_json(svc **out, const char *config_json, char *why, size_t why_size);

/*
** One request: as svc_handle_request(). `headers` are "Name: value" lines, each ended by a newline, or NULL. `origin_json` NULL: it
** comes from 127.0.0.1 and carries its own credentials; else {"peer":"10.0.0.1","tls":true,"caller":{"user_id":"...","username":
** "...","grants":[{"role":"ORG_OWNER","on":null}],"second_factor":false}}, as in svc_request. Never take `caller` from a socket.
** Returns SVC_OK with *out set, which svc_result_free() frees; SVC_INVALID: a line of the headers is no header, or the JSON is
** not as it should be, the log says so, and nothing was asked; SVC_NOMEM. Whoever puts foreign text into a header looks for newlines
** in it first: a newline begins another header.
*/
typedef struct svc_result svc_result; /* opaque */
SVC_API int svc_call_text(svc *s, const char *method, const char *target, const char *headers, const void *body,
                          size_t body_length, const char *origin_json, svc_result **out);
SVC_API int svc_result_status(const svc_result *r);
SVC_API const char *svc_result_header(const svc_result *r, const char *name); /* any case; NULL: it has none of this name */
SVC_API const char *svc_result_headers(svc_result *r); /* all, "Name: value" lines, each ended by a newline; NULL: no memory */
SVC_API const char *svc_result_operation(const svc_result *r); /* svc_response.operation; "": none */
SVC_API int svc_result_drop(const svc_result *r);              /* svc_response.drop */
SVC_API int svc_result_delay_ms(const svc_result *r);          /* svc_response.delay_ms */
SVC_API const char *svc_result_body(const svc_result *r, size_t *length);    /* never NULL, with a NUL behind; length may be NULL */
SVC_API void svc_result_free(svc_result *r); /* before svc_close(); NULL is allowed */

/* svc_bootstrap(), as a result whose body is {"orgId":...,"groupId":...,"publicKey":...,"privateKey":...,"clientId":...,
** "clientSecret":...}, shown this once. Returns what svc_bootstrap() does. */
SVC_API int svc_bootstrap_json(svc *s, svc_result **out);

/* --------------------------------------------------------------------------------------------------------- test control */

/*
** What a test of a program that uses this API needs: time that moves when it says so, the store as it was before, answers that
** fail, and a look at what was asked. All of it is on one handle and may be called from any thread, but not from within the
** functions of the driver. A handle that uses none of it pays for a look at one word with each request.
*/

/*
** Move the manual clock, to a time or by so much, forwards: svc_snapshot_restore() is the way back. All that falls due until
** then has happened when it returns, in the order of time, and so has what comes of that; with a driver or `notify`, orders
** and notifications are given out on the way, at their time.
** Returns SVC_OK; SVC_INVALID: the clock is not manual, or it is no time between this one and the year 9999; SVC_BUSY: another call
** moves it just now, or there was so much to do (200 000 steps) that it stopped on the way: call it again with the same time;
** else what kept the steps from being stored. svc_clock_now() says where it stands.
*/
SVC_API int svc_clock_set(svc *s, int64_t ms);
SVC_API int svc_clock_advance(svc *s, int64_t ms);

/*
** Move the manual clock to the next time at which something is due, and do it: a step of a lifecycle, a host that a fault takes down
** or brings up, an order that waits for the driver. Returns what svc_clock_set() does; SVC_NOT_FOUND: nothing is due, and the clock
** stands where it was.
*/
SVC_API int svc_clock_next(svc *s);

/*
** Let the manual clock run, so many times faster than real time, from where it stands: 1 to 1 000 000; 0 stops it. All that is due by then
** has happened when it returns. Due steps then happen as time passes: with svc_tick(), and before each request. A running clock can
** also be moved by the functions above. Returns SVC_OK; SVC_INVALID: the clock is not manual, or the rate is out of range; SVC_BUSY:
** another call moves it just now; else what kept the steps from being stored.
*/
SVC_API int svc_clock_rate(svc *s, int64_t rate);

/*
** What is due, the earliest first, up to `limit` of them (0: 100; at most 1000), as a response whose body is a JSON array:
** {"id":"...","name":"shop","noun":"cluster","state":"CREATING","time":"2030-01-01T00:00:10Z","timeMs":1893456010000,"what":"state"}.
** what: "state" (the state ends), "expiry" (it is deleted), "run" (a schedule runs), "order" (an order is carried out, or given to the
** driver; "action" names it), "erase" (what was below it is deleted), "other" (a date of the noun's own), "hostDown" and "hostUp" (by a fault).
** Returns SVC_OK or what went wrong. Free it with svc_response_free().
*/
SVC_API int svc_due_read(svc *s, size_t limit, svc_response *out);

/* The handle's time, be the clock manual or not, in milliseconds since 1970-01-01 UTC. */
SVC_API int64_t svc_clock_now(svc *s);

/*
** The whole store as it is, in memory, with what the handle knows beside it: the buckets of the limiter, nonces of HTTP Digest,
** where the manual clock and the seeded generator stand. What was done to a data plane by a driver is not in it.
** svc_snapshot_restore() brings it back, to the handle that it was taken of, as often as is wanted: in one commit, or not at
** all. Requests that run meanwhile see the store before or after it. Faults and the journal stay as they are.
** Both return SVC_OK or what went wrong; SVC_FULL: it takes more than `max_snapshot` (taking), or the store may not grow
** so far (restoring). svc_snapshot_free() may also be called after svc_close(), and takes NULL.
*/
typedef struct svc_snapshot svc_snapshot;
SVC_API int svc_snapshot_take(svc *s, svc_snapshot **out);
SVC_API int svc_snapshot_restore(svc *s, const svc_snapshot *snapshot);
SVC_API void svc_snapshot_free(svc_snapshot *snapshot);

/*
** A snapshot as bytes, for a file, and back. The bytes hold all that the store holds, hashes of passwords and sealed secrets too: keep them as you
** keep a backup. They do not hold the buckets of the limiter, which are full after a load, nor nonces of HTTP Digest.
** svc_snapshot_load: for this handle, whichever one it was taken of; svc_snapshot_restore() then brings it back. SVC_CORRUPT: the bytes are
** no snapshot, or not what was saved, by a checksum. SVC_INVALID: they are one that this handle cannot hold: of another format of stores, of
** another vendor word, or with secrets that are sealed by another `secret_key`; the log says which. SVC_FULL: more than `max_snapshot`.
*/
SVC_API int svc_snapshot_save(const svc_snapshot *snapshot, svc_response *out);
SVC_API int svc_snapshot_load(svc *s, const void *bytes, size_t n, svc_snapshot **out);

/*
** A world: a JSON document that describes what exists. `json` has `length` bytes (0: up to its NUL), at most 4 MiB.
**
**   { "world": 1, "now": "2029-01-01T00:00:00Z",
**     "orgs": [ { "name": "Acme", "as": "acme",
**                 "teams": [ { "name": "ops", "usernames": ["ada@example.com"] } ],
**                 "groups": [ { "name": "shop", "clusters": [ { "name": "main", ... } ], "settings": { ... } } ] } ],
**     "then": [ { "advance": "P30D" }, { "patch": "$shop.clusters.main", "body": { ... } } ] }
**
** A member whose name is a path of the API below the path of its object holds what is there: an array the items of a collection, each as POST
** accepts it, an object what there is one of. Names may be longer paths: "backup/schedule". All other members are the body of the object. Where
** a field has the name of a path it is the field; with a member "body" the body is that, and all other members are paths. A string that
** is "$NAME.FIELD" is replaced by a field of the thing of that name, which stands further up: "as" gives it, else it is the thing's own.
** "$random" makes a password. A string that begins with a dollar sign is written with two. docs/worlds.md has the whole format.
**
** The requests are ordinary ones of a caller who may do all, so every rule of the service holds; they take no tokens of any bucket, and are not in
** the journal. There are at most 50 000, and as many steps. What is there already, by its name or by all that is said of it, is kept as it is. "then" has steps:
** they need a manual clock where they move it. A document that the store has had before, to the byte, changes nothing, and succeeds.
** On an error nothing of it stays: the store is brought back to what it was, and with it what other requests changed meanwhile. So load a
** world before you serve. That takes a snapshot, which `max_snapshot` bounds.
**
** `out` is JSON in either case; free it. SVC_OK: {"applied":true,"made":12,"kept":0,"changed":1,"now":"...","names":{"acme":"<id>"},
** "secrets":{"NAME":{...}}}. Keys and passwords that were made are in "secrets", and nowhere else: they are shown this once. SVC_INVALID: an error
** document with line, column and path; its detail is "12:9: orgs[0].groups[1]: CODE: text". SVC_FULL, SVC_BUSY, SVC_NOMEM and others: the store.
**
** svc_world_write: the other way, a world of what the store holds, of organizations and all below them that a POST, PUT or PATCH could make.
** Loaded into an empty store it gives the same document again. Secrets are not in it: a password that is needed is "$random". The log says
** what could not be written, and why. What has happened (events, invoices, alerts, backups) is not in it: svc_snapshot_save() has all.
*/
SVC_API int svc_world_apply(svc *s, const char *json, size_t length, svc_response *out);
SVC_API int svc_world_write(svc *s, svc_response *out);

/* Kinds of faults. */
#define SVC_FAULT_ANSWER 0        /* the answer is an error, is lost or is late: see the members */
#define SVC_FAULT_EXPIRED_TOKEN 1 /* 401, as if the bearer token had come to its end; other requests are left alone */
#define SVC_FAULT_STALE_NONCE 2   /* 401 with stale=true, as if the nonce of HTTP Digest had; other requests are left alone */

/* Where an answer is lost. */
#define SVC_DROP_BEFORE 1 /* before anything is done: the request never came */
#define SVC_DROP_AFTER 2  /* when all is done: a change is made, and its answer is lost */

/*
** A rule by which requests fail. It holds for requests whose caller is known, or that need none: a stranger gets 401 as ever, and
** uses nothing up. Of several rules the first that strikes counts; one that only delays lets the next ones have their say.
*/
typedef struct svc_fault_rule {
  const char *operation;  /* its operationId in the OpenAPI document, "createCluster"; NULL: every one */
  int kind;               /* SVC_FAULT_... */
  int status;             /* 429 (with Retry-After, as the limiter's), 500, 503, or that of `error_code`; 0: no error */
  const char *error_code; /* any errorCode of the service; default: the usual one of the status */
  int drop;               /* SVC_DROP_...; 0: the answer is not lost */
  int delay_ms;           /* the answer is late by so much, up to an hour: svc_response.delay_ms */
  int64_t count;          /* it strikes so often, then it is gone; default: without end */
  double chance;          /* from 0 to 1: it strikes so often of those times that it could; default: each time */
  int id;                 /* set by svc_fault_list(), as what follows */
  int64_t struck;         /* so often it did */
} svc_fault;

/*
** Add a rule. *id (which may be NULL) is what svc_fault_remove() takes. Returns SVC_OK; SVC_INVALID: an unknown operation or
** error_code, values that make no sense, or a rule that does nothing, the log says which; SVC_FULL: there are 64 already.
*/
SVC_API int svc_fault_add(svc *s, const svc_fault *fault, int *id);
SVC_API int svc_fault_remove(svc *s, int id); /* 0: all of them. SVC_INVALID: there is none of this id */
/* The rules that are there, in their order: up to `room` of them at `out`, whose strings live as long as the handle. How many there
** are in all. */
SVC_API size_t svc_fault_list(svc *s, svc_fault *out, size_t room);

/*
** Rules as JSON text, of every kind. A member says which kind it is:
**
**   {"operation":"createCluster","status":503}   a request fails: the members of svc_fault, as POST /_svc/faults names them
**   {"order":"cluster.create","outcome":"fail","reason":"no capacity"}
**     An order that a state waits for fails, as if a driver had failed it: failed state, event, alert. "order" is an action, or a prefix
**     that ends in "*"; orders that no state waits for are refused here. The other outcomes: "slow", it takes `seconds` more; "stall", it never ends, until the rule is removed: then it goes
**     on; "partial", it ends with the first half of its facts (of the members, and of each list among them, rounded up), and then fails.
**     With a driver, an order that fails, stalls or is slow does not reach it, or not yet; of what it reports as done a part is taken.
**   {"state":{"noun":"cluster","value":"UPDATING","name":"shop"}}
**     A state never ends, until the rule is removed. "name" is optional, here and below.
**   {"later":{"noun":"cluster","seconds":3,"name":"shop"}}
**     A change is answered in the old state, and the state that it leads to begins so many seconds after.
**   {"host":{"cluster":"shop","index":0,"project":"..."},"inSeconds":600,"forSeconds":60,"everySeconds":3600}
**     A host goes down in so many seconds, or at "down":"2030-01-01T00:10:00Z", and comes up after forSeconds (optional: when the rule is
**     removed). "host" may be "NAME:PORT" as well; index counts the hosts of its standard connection string from 0; "project" is
**     optional: without it, every cluster of this name. With everySeconds it happens again and again. Events, alerts, elections and series follow as from a driver's report.
**   {"lag":{"noun":"cluster","ms":500}} or {"lag":{"noun":"cluster","reads":2}}
**     GETs of this resource, one or a list, show it as before the last write, for so many ms or for so many GETs: what is new is not
**     there yet, and what was deleted still is. Writes and If-Match see the truth. Up to 1000 records and 16 MiB are held back, the last ones.
**
** All but the first kind have "count" (it strikes so often; 0: without end), "chance" (more than 0, up to 1) and "seed" (an integer: the
** same rule with the same seed strikes at the same places). A rule that is used up is gone, but for one that something waits for.
** Up to 64 of them; they live in memory, on this handle. svc_snapshot_restore() leaves them: a host whose time is ahead again goes down
** once more, and nothing lags. svc_fault_remove() removes them, too; svc_fault_list() shows only those of the first kind. The journal
** has a line for each strike: {"time":"...","fault":ID,"order":"cluster.create","outcome":"fail","reason":"...","about":"NAME"}.
**
** svc_fault_add_json: as svc_fault_add(); the log says which member is wrong. svc_fault_list_json: all rules as a JSON array, as GET
** /_svc/faults shows them; free it with svc_response_free(). SVC_OK, SVC_NOMEM or SVC_INVALID.
*/
SVC_API int svc_fault_add_json(svc *s, const char *rule, int *id);
SVC_API int svc_fault_list_json(svc *s, svc_response *out);

/*
** The last requests, up to `limit` of them (0: all that are kept), as a response whose body is a JSON array, the newest last. Each
** has time, method, target, operation, status, errorCode, caller, and headers and bodies of request and answer. Secrets are
** blanked before anything is kept: Authorization but for its scheme, headers and members of bodies that are not known to be
** harmless, passwords and the like by the tables that say so, answers that show a secret once. Bodies that are no JSON are
** not shown, long ones not to their end (8 KiB).
** Returns SVC_OK, SVC_NOMEM, or SVC_INVALID: svc_config.journal is 0. Free it with svc_response_free().
*/
SVC_API int svc_journal_read(svc *s, size_t limit, svc_response *out);
SVC_API void svc_journal_clear(svc *s);

/*
** The same requests as an HTTP archive, HAR 1.2, which browsers and many tools read: {"log":{"version":"1.2","creator":{},"entries":[]}}.
** Secrets are blanked there, too ("***"). A body that the journal does not have as a whole has _incomplete: true beside it. Members that
** begin with an underscore are ours: _operation, _errorCode, _caller, _drop. Time is the handle's clock; how long an answer took
** is not known, and 0, but for what a fault delayed it. Returns what svc_journal_read() does.
*/
SVC_API int svc_journal_har(svc *s, size_t limit, svc_response *out);

/*
** The same over HTTP: in place of svc_handle_request(), to which it gives all paths but those below /_svc/:
**
**   GET  /_svc/health                      always, for anybody: {"ready":true,"status":"ok","version":"..."}; with a token: "testControl":true
**   GET  /_svc/clock                       {"manual":true,"nextDueMs":null,"now":"2030-01-01T00:00:00Z","nowMs":1893456000000,"rate":0}
**   POST /_svc/clock                       {"advanceSeconds":60}, {"now":"2030-01-01T00:00:00Z"} or {"rate":60}; the same answer
**   POST /_svc/clock                       {"toNextDue":true}: svc_clock_next(); the answer also has "moved" and "steps"
**   GET  /_svc/due?limit=100               as svc_due_read() shows it
**   POST /_svc/reset                       the store and the clock as svc_control_begin() found them; no faults, an empty journal
**   GET, POST /_svc/snapshots              all; {"name":"a"} takes one, also in place of one of this name; up to 16
**   POST /_svc/snapshots/a:restore         back to it
**   DELETE /_svc/snapshots/a
**   GET, PUT /_svc/snapshots/a             its bytes, as svc_snapshot_save() gives them, and from such bytes; application/octet-stream
**   POST /_svc/world                       svc_world_apply() of the body, and its answer; GET: svc_world_write()
**   GET, POST, DELETE /_svc/faults         all; {"operation":"createCluster","kind":"answer|expiredToken|staleNonce","status":503,
**                                          "errorCode":"...","drop":"before|after","delayMs":0,"count":2,"chance":1.0}, or another
**                                          rule of svc_fault_add_json(); none any more
**   DELETE /_svc/faults/1                  by its id
**   GET, DELETE /_svc/journal?limit=100    as svc_journal_read() shows it, the last 100 unless it says otherwise; empty it
**   GET  /_svc/journal?format=har          as svc_journal_har() shows it
**
** `token` NULL: only the health is there, and all others answer 404 as any unknown path. Else they answer whoever sends it as
** bearer token (401), from this machine's loopback, to it by such a name in Host, and without Origin: no page in a browser (403).
** With svc_config.control_anywhere requests may come from any address. Host must then be a name that no web page can have (see
** svc_config.control_hosts), and a request with Origin is still refused (403). The token needs at least 16 characters.
** Errors are the documents that the service has. Returns what svc_handle_request() does.
*/
SVC_API int svc_control_request(svc *s, const char *token, const svc_request *request, svc_response *response);
/* What POST /_svc/reset goes back to is this moment: take it when the store is ready. Returns what svc_snapshot_take() does. */
SVC_API int svc_control_begin(svc *s);

/*
** Test control for other languages: a request for a path below /_svc/, as text. The program that holds the handle may do everything, so
** no token is asked for and svc_control_begin() is called first only if POST /_svc/reset shall work. A body is JSON, or the bytes of a
** snapshot. Returns SVC_OK with *out set, which svc_result_free() frees; SVC_INVALID: the path is not one below /_svc/; SVC_NOMEM.
*/
SVC_API int svc_control_text(svc *s, const char *method, const char *target, const void *body, size_t body_length, svc_result **out);

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

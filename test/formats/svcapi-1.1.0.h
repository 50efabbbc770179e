/*
** svcapi: an administration API for database deployments, as a C library.
**
** svcapi.h is the whole public interface. Its sections: result codes; parts of the configuration; driver types; configuration;
** requests and responses; opening and closing; answering requests; due steps; driver functions; credentials and keys; backups and
** stores; metrics; other languages; test control. A minimal program:
**
**   svc *s;
**   svc_request request = { 0 };
**   svc_response response;
**   if (svc_open(&s, NULL) != SVC_OK) return 1;
**   request.method = "GET";
**   request.target = "/api/svc/v2";
**   if (svc_handle_request(s, &request, &response) == SVC_OK) printf("%d %s\n", response.status, response.body);
**   svc_response_free(&response);
**   svc_close(s);
**
** SCOPE. svc_handle_request() takes one request in memory and returns one response in memory. The library opens no socket, starts no
** thread and has no global state. All state belongs to the handle that svc_open() returns, and two handles in one process are
** independent. The data lives in an LMDB store in the folder svc_config.path, or in a private store that svc_close() deletes.
**
** THREADS. Any number of threads may call functions on one handle at once, unless a function's comment says otherwise. Reads never wait
** for a write, unless a due step must be stored first (see svc_is_due). Concurrent writes share one commit, so one disk flush serves
** them all. A write is answered only when it is durable (see svc_config.durability). svc_open() and svc_close() of one handle belong to
** one thread, and no other call on the handle may run at the same time. The library calls the callbacks of the configuration on the
** thread that makes the request, several at a time.
**
** PROCESSES. One process at a time may hold an LMDB store; a second one gets SVC_BUSY. After fork() a handle stays the parent's. In the
** child its functions return SVC_INVALID or 0, svc_handle_request() with an answer of 503, and nothing is written. svc_close() in the
** child frees the child's copy and leaves the store and its lock to the parent.
**
** OWNERSHIP. The library copies the strings and arrays of the configuration. The memory of a request is read only during the call. A
** response owns its headers and its body until svc_response_free(); free every response before svc_close(). Strings are NUL-terminated
** unless a length stands beside them. A length of 0 means "up to the NUL".
**
** DETERMINISM. Time and random bytes come from the configuration alone. A host that supplies its own clock and random source gets the
** same answers on every run.
**
** TESTING. Tests of a program that uses this API set `manual_clock`, `seed` and `journal`, take snapshots and add faults: see "test
** control" below. Test control is unsafe in a service that others rely on. SVC_OMIT=TEST_CONTROL leaves it out of the build.
**
** LIMITS. Body 1 MiB, JSON nesting 32, all headers together 16 KiB, request target 8 KiB, page 500 items: svc_config changes each of
** them. A list that is a plain array is answered whole up to 4 MiB, and in pages on request. The store grows by itself.
**
** STACK. A call needs 40 KiB of the calling thread's stack at most, whatever the limits are (28 KiB measured on x86-64 with -O2;
** check/stack verifies it). The callbacks of the configuration need their stack in addition.
**
** OMITTING RESOURCES. Compile svcapi.c with -DSVC_OMIT=CLUSTER+EVENT to leave resources out, for small devices. Resources that depend on
** an omitted one are omitted as well, and their paths answer 404. An unknown name fails to compile. (-DSVC_OMIT_CLUSTER omits one
** resource, too, but the compiler cannot detect a misspelt one.) LMDB omits the store: svc_config.store is required then.
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
** VERSIONS. Zero-initialise every struct before you fill it in: zero always means the default. svc_config grows at its end only.
** svc_open() passes its size, so a newer shared library ignores members that an older program lacks. An older library refuses members
** that it does not know. All other structs keep their layout within a major version. A program compiled for another major version is
** refused with SVC_INVALID and a log line. docs/compatibility.md has all promises.
*/
#ifndef SVCAPI_H
#define SVCAPI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
** SVC_API marks the public functions. A shared library built with -fvisibility=hidden exports these and nothing else. Define SVC_API
** before including this header if your compiler needs another attribute, or none.
*/
#ifndef SVC_API
#if defined(__GNUC__)
#define SVC_API __attribute__((visibility("default")))
#else
#define SVC_API
#endif
#endif

/* ------------------------------------------------------------------------------------------- version and result codes */

#define SVC_VERSION "1.1.0"
#define SVC_VERSION_NUMBER 1001000 /* major * 1000000 + minor * 1000 + patch */

/*
** Functions that return int return one of these codes, unless their comment says otherwise. 0 is success.
*/
#define SVC_OK 0
#define SVC_NOMEM 1   /* out of memory */
#define SVC_INVALID 2 /* an argument or a member of the configuration is invalid, or a machine of another kind wrote the store; the log
                         says which */
#define SVC_IO 3      /* the store cannot be read or written: its files, or the connection to it; the log says why */
#define SVC_FULL 4    /* the disk, or the address space for the memory map, is full */
#define SVC_BUSY 5    /* another handle or process holds the store, or conflicting writes kept the call from finishing */
#define SVC_NEWER 6   /* a newer version of this library wrote the store */
#define SVC_CORRUPT 7 /* the folder does not hold a store of this library, or the store is damaged; the log says where */
#define SVC_RANDOM 8  /* the random source failed */
#define SVC_OLDER 9   /* the store has an older format that must be upgraded first: ports/transfer/upgrade.h, svcd --upgrade */
#define SVC_EXISTS 10 /* svc_backup(): the folder already holds a store, which is left unchanged */
#define SVC_UNFINISHED 11 /* the store is an incomplete or wrong copy: repeat the copy */
#define SVC_CLOCK 12  /* the clock of this machine differs from the database's clock by more than a minute */
#define SVC_NOT_FOUND 13 /* svc_report(): no such resource. A driver's ask(): unknown. svc_clock_next(): nothing is due */

/* Returns the version that the library was compiled as, such as "1.1.0". Compare it with SVC_VERSION. Any thread. */
SVC_API const char *svc_version(void);

/* Returns a sentence for a result code, never NULL. Any thread. */
SVC_API const char *svc_strerror(int code);

/*
** Returns the reason phrase of an HTTP status (404: "Not Found"), for a host that writes the status line itself. Never NULL: a status
** that neither the library nor its listener uses gives "Unknown". Any thread.
*/
SVC_API const char *svc_status_reason(int status);

typedef struct svc svc; /* a handle; opaque */

/* -------------------------------------------------------------------------------------------- parts of the configuration */

/*
** The host's allocator. `resize` behaves like realloc: a NULL `p` allocates; size 0 frees and returns NULL. Memory is aligned to 8
** bytes at least. Several threads may call it at once. LMDB and mbedTLS always use malloc.
*/
typedef struct svc_allocator {
  void *(*resize)(void *context, void *p, size_t size);
  void *context;
} svc_allocator;

/* Log levels, most severe first. Log lines never contain secrets. */
#define SVC_LOG_ERROR 1
#define SVC_LOG_WARNING 2
#define SVC_LOG_INFO 3

/* Durability of a write at the time of its answer. */
#define SVC_DURABLE 0    /* the write is on the disk and survives a power cut */
#define SVC_NO_META_SYNC 1 /* a power cut may undo the last writes; the store stays intact */
#define SVC_NO_SYNC 2    /* a power cut may damage the store; a crash of the process does not */

/* A different rate limit for one endpoint set. A value of 0 keeps the default; each value may be up to 2^31 - 1. */
typedef struct svc_limit_override {
  const char *endpoint_set_id; /* as GET /rateLimits shows it, for example "clusters_group" */
  int64_t capacity;            /* tokens of a full bucket */
  int64_t refill_rate;         /* tokens added per interval */
  int64_t refill_seconds;      /* length of the interval, in seconds */
} svc_limit_override;

/* An address of the control plane, as /unauth/controlPlaneIPAddresses shows it. */
typedef struct svc_control_address {
  const char *provider; /* "aws", "azure" or "gcp" */
  const char *region;   /* for example "us-east-1" */
  const char *cidr;     /* an IP address or a CIDR block */
  int outbound;         /* 0: clients reach the service there (inbound); not 0: the service connects from there (outbound) */
} svc_control_address;

/* For svc_config.provision_ms: the steps of a resource's life fall due at the next request, without a wait. */
#define SVC_PROVISION_NOW (-1)

/* For svc_config.disk_reserve: no reserve file. */
#define SVC_NO_RESERVE (-1)

/* ---------------------------------------------------------------------------------------------------------- driver types */

/*
** The control plane decides and stores; a driver acts on the data plane and measures it. Without a driver (svc_config.driver NULL) the
** library simulates both: states move by the clock, and figures are invented, identical on every run. docs/driver.md describes every
** order, question and report. The strings of these structs are valid during the call only.
**
** An order tells the driver to change the data plane. Secrets are never part of an order: svc_order_secrets() returns them.
*/
typedef struct svc_order {
  const char *id;          /* 24 hex digits; the same in each attempt */
  const char *action;      /* for example "cluster.create" */
  const char *resource;    /* kind of the resource, for example "cluster" */
  const char *resource_id; /* 24 hex digits, like the ids below */
  const char *parent_id;
  const char *group_id;    /* project of the resource; "" if it is outside of projects */
  const char *org_id;      /* organization of the resource; "" if it is outside of organizations */
  const char *name;
  const char *desired;     /* the state to bring about, a JSON object */
  size_t desired_length;
  int attempt;             /* from 1 */
  const char *traceparent; /* W3C Trace Context of the request that caused the order, 55 characters, the same in each attempt;
                              "" if the request had none, or if no request caused the order */
} svc_order;

/*
** A question asks the driver for a measurement or a list. `what` is one of these; docs/driver.md has all members of all questions:
**
**   "measure"        one figure: {"value":1}
**   "logs"           log lines
**   "list"           a JSON array of resources outside the service; parameter `known` lists those that the service knows
**   "series"         per metric, the figures from `from` until `until` (both included), `step` seconds apart:
**                    {"series":{"CONNECTIONS":[1,2.5,null]}}, or {"missing":true} if the target does not exist
**   "slowQueries"    an array of at most `most` slow queries, each with the `line` of its log, on `hosts` (none: all), from `since` until
**                    `until` in milliseconds, about `namespaces` (none: all; `known` lists those that the service knows):
**                    {"namespace":"a.b","at":1,"opType":"find","durationMicros":1,"filter":{},"sort":[{"a":-1}],
**                    "docsExamined":1,"docsReturned":1,...}
**   "queryStats"     the same for all queries that ran; one record stands for `count` queries
**   "collections"    an array of {"namespace":"a.b","averageBytes":1,"largestBytes":1,"longestArray":1,"indexes":[{"name":"a_1",
**                    "keys":[{"a":1}],"accesses":0,"since":1,"hidden":false,"options":{},...}]}, with the parameters above
**   "accessHistory"  logins, newest first: [{"authResult":true,...}]
*/
typedef struct svc_question {
  const char *what;
  const char *resource;    /* kind of the resource, for example "cluster" */
  const char *resource_id;
  const char *group_id, *org_id;
  const char *name;
  const char *parameters;  /* details of the question, a JSON object; may be NULL */
  int64_t now;             /* milliseconds since 1970-01-01 UTC */
  size_t most;             /* maximum size of the reply, in bytes */
} svc_question;

/* The driver's reply to a question. Fill it with svc_reply_add(). */
typedef struct svc_reply {
  char *bytes;
  size_t length;
  size_t most, room; /* private, like `memory` */
  void *memory;
} svc_reply;

/* A driver: its two functions and their context. svc_config.driver points to it. */
typedef struct svc_driver {
  /*
  ** Carries out an order; required. svc_tick() calls it outside of any request and transaction: one order at a time, unless several
  ** threads call svc_tick(). A driver that works inside this function holds that thread meanwhile: see svc_tick(). Return SVC_OK if
  ** the driver accepts the order: svc_order_done() must follow, at once or days later, from any thread. Return SVC_BUSY to get the order
  ** again, after a wait that grows with each attempt. Any other code means that the order failed; if the resource has no failed state, a
  ** new order follows after such a wait. Orders that were accepted and not done when the process ended are sent again, so an order may
  ** arrive more than once. A newer order for the same resource replaces an older one.
  */
  int (*perform)(void *context, svc *s, const svc_order *order);
  /*
  ** Answers a question. The library calls it during a request, outside of any transaction, on the request's thread: it may block, but
  ** not for ever, because svc_config.max_questions bounds the questions at a time. Several threads call it at once. Return SVC_OK with a reply. SVC_NOT_FOUND means unknown: the request is answered with an empty series or list. Any other code: 503.
  */
  int (*ask)(void *context, svc *s, const svc_question *question, svc_reply *reply);
  void *context;
} svc_driver;

/*
** A notification about an alert, for svc_config.notify. The strings are valid during the call only. `target` says where to send it, with
** secrets masked. svc_order_secrets() with this `id` returns the secrets, as a JSON object: those masked in `target`, or those of the
** project's integration if `target` names one or has no secrets of its own.
*/
typedef struct svc_notification {
  const char *id;        /* 24 hex digits; the same in each attempt */
  const char *kind;      /* "EMAIL", "SLACK", ... */
  const char *alert_id;  /* 24 hex digits, like the ids below */
  const char *config_id; /* the alert configuration */
  const char *group_id;
  const char *org_id;
  const char *status;    /* status of the alert when the notification was created: "OPEN", "CLOSED" */
  const char *target;    /* the notification of the alert configuration, a JSON object */
  size_t target_length;
  const char *alert;     /* the alert as GET shows it, without its links; a JSON object */
  size_t alert_length;
  int attempt;           /* from 1 */
} svc_notification;

typedef struct svc_store_port svc_store_port; /* a store engine other than LMDB: see ports/store_port.h */
typedef struct svc_limiter_port svc_limiter_port; /* rate limits shared by several handles: see ports/limiter_port.h */

/* --------------------------------------------------------------------------------------------------------- configuration */

/*
** The configuration of a handle. Set all bytes to zero, then the members that you need. Flags are 0 (off) by default. svc_open() copies
** the strings and arrays; ports, the driver, the callbacks and their contexts must stay valid until svc_close(). A value out of bounds
** makes svc_open() return SVC_INVALID, and the log names the member.
*/
typedef struct svc_config {
  const char *path;  /* folder of the store, created if missing; NULL: a private store that svc_close() deletes */
  size_t map_size;   /* initial size of the store's memory map, in bytes; the map doubles whenever it is full; default 16 MiB */
  size_t map_limit;  /* largest size of the map, in bytes; beyond it all writes but deletes answer 507; default: no limit */
  int durability;    /* SVC_DURABLE (default), SVC_NO_META_SYNC or SVC_NO_SYNC; a private store never syncs */

  int64_t (*clock)(void *context); /* current time in milliseconds since 1970-01-01 UTC; default: the system clock */
  void *clock_context;
  int (*random)(void *context, void *buffer, size_t size); /* fills `buffer`, returns 0 on success; default: mbedTLS's DRBG */
  void *random_context;
  svc_allocator allocator; /* default: malloc and free */
  void (*log)(void *context, int level, const char *text); /* receives log lines; default: no log. See log_event */
  void *log_context;

  const char *base_url; /* URL that links start with, at most 1024 bytes; default "http://localhost:8080" */
  const char *vendor;   /* vendor word in paths (/api/svc/v2), media types (application/vnd.svc.DATE+json), and values, names of limits
                           and ids that begin with it (SVC_MANAGED, svc_sa_id_). 1 to 16 lower-case letters, digits and hyphens. A store
                           keeps its word for life: svc_open() refuses another. Default: the store's word; "svc" for a new store */
  int digest_sha256;    /* not 0: HTTP Digest with SHA-256 for API keys; default: MD5, which every client supports */
  int strict_accept;    /* not 0: a request whose Accept names no version gets 406; default: the newest version */

  size_t max_body;         /* largest request body, in bytes; default 1 MiB */
  size_t max_depth;        /* deepest nesting of JSON in a body; default 32, at most 512 */
  size_t max_header_bytes; /* names and values of all headers together, in bytes; default 16 KiB */
  size_t max_target;       /* longest request target, in bytes; default 8 KiB */
  size_t max_page;         /* most items of a page, and the largest itemsPerPage; default 500, at most 100 000 */

  int limiter_off; /* not 0: no rate limits and no RateLimit headers */
  const svc_limit_override *limits; /* different limits for some endpoint sets; default: none */
  size_t limit_count;
  size_t limiter_buckets; /* number of buckets kept in memory, 24 bytes each; default 4096 */

  const char *db_scheme; /* scheme of connection strings (db://host, db+srv://host): a word of lower-case letters, digits and hyphens;
                            default "db" */
  const char *db_domain; /* domain of the clusters' hosts, at most 201 characters; default "db.local" */

  const svc_control_address *control_addresses; /* addresses of the control plane; default: none */
  size_t control_address_count;

  const svc_driver *driver; /* acts on the data plane and measures it; must outlive the handle; default: a simulation */
  const svc_store_port *store; /* store engine, which receives `path`; default: LMDB. An engine with a clock of its own, shared by several
                                  instances: the library compares the system clock with it every 30 seconds. A difference of more than
                                  5 seconds is logged. With more than 60 seconds svc_open() returns SVC_CLOCK, and an open handle answers
                                  503 until the clock is right. `clock` and `manual_clock` turn the comparison off */

  int64_t provision_ms; /* time that a cluster takes to be created, in milliseconds; default 10 000, at most 100 years;
                           SVC_PROVISION_NOW: no time at all */
  int conceal; /* not 0: resources the caller has no role on answer 404, as if they did not exist; default: 401 */

  /*
  ** 32 random bytes that seal (AES-256-GCM) the secrets which must be readable again, such as keys of other services and passwords for
  ** the data plane. Store the key apart from the store, and keep it the same for the store's life; svc_rotate_key() replaces it. The
  ** first handle with a key makes it the store's key. svc_open() refuses another key, unless nothing is sealed yet and the store belongs
  ** to this handle alone. Default: no key, and requests that would store such a secret are refused.
  */
  const void *secret_key;

  int no_card; /* not 0: no organization has a payment card. Requests that cost money answer 402; an invoice of running resources
                  stays unpaid at the end of its month, which locks the organization. Default: each organization has a card */

  /*
  ** Sends a notification about an alert; the library itself sends nothing. svc_tick() calls it like the driver's perform(), so a host
  ** that sets `notify` calls svc_tick() at least every second. Return SVC_OK: sent. SVC_BUSY: the notification comes again, after a wait
  ** that grows, for a day at most. Any other code: failed, which is logged. Notifications that were not sent when the process ended
  ** come again. Default: no notifications.
  */
  int (*notify)(void *context, svc *s, const svc_notification *notification);
  void *notify_context;

  /* For tests only: see "test control". */
  int64_t manual_clock; /* not 0: time in milliseconds since 1970-01-01 UTC at which the clock stands until svc_clock_set(),
                           svc_clock_advance() or svc_clock_next() moves it, or from which it runs (clock_rate); `clock` must be NULL */
  uint64_t seed;        /* not 0: ids, keys, secrets and tokens come from a generator with this seed, THE SAME ON EVERY RUN: anyone who
                           knows the seed knows all of them; `random` must be NULL */
  size_t journal;       /* number of requests that svc_journal_read() keeps, at most 10 000; default 0: no journal */
  size_t max_snapshot;  /* largest size of one svc_snapshot, in bytes; default 64 MiB */

  int keep_orders; /* not 0: orders left by a driver stay for it, although this handle has no driver. For a tool that inspects the store
                      between two runs of its service. Default: without a driver the library simulates them from now on */

  int metrics; /* not 0: requests are counted for svc_stats() and svc_metrics_text(), which takes about 130 KiB */
  int64_t (*monotonic)(void *context); /* monotonic time in nanoseconds; adds response times to `metrics`; default: not measured */
  void *monotonic_context;

  /*
  ** Rate limits shared by all handles that name the same `limiter_path`, across processes and machines. Every request takes its token
  ** there, and a nonce of HTTP Digest that one handle has seen counts as used on all. ports/redis.c is such a limiter. Compile svcapi.c
  ** with -DSVC_SHARED_STORE, otherwise svc_open() refuses it. Requests wait a few milliseconds for it, as svc_may_wait() says. The
  ** clocks of the handles should agree within the shortest interval of a limit. Snapshots do not include this state. Default: each
  ** handle has its own limits.
  */
  const svc_limiter_port *limiter;
  const char *limiter_path; /* address of the limiter, such as redis://host:6379/0; see ports/redis.h */
  int limiter_closed; /* not 0: requests answer 503 with Retry-After while the limiter is unreachable. Default: each handle limits by
                         itself until the limiter answers again, starting from the last known level of each bucket; N handles together
                         grant at most N times what a bucket holds. A nonce that other handles may have seen is refused with stale=true
                         and a new nonce that is valid on this handle alone. The log has a line at the beginning and at the end */

  int enforce_sunset; /* not 0: a dated version answers 410 from its sunset date on; default: the Sunset header announces the date, and the
                         version continues to work */
  size_t max_projects; /* projects per organization; default 250 */

  /*
  ** A dialect: other words on the wire, as JSON. Every member is optional:
  ** {"vendor":"...","dbScheme":"...","fields":{"ours":"theirs"},"paths":{},"values":{},"codes":{}}
  ** Requests, answers, links, errors and the OpenAPI document use the dialect's words for field names, path segments and :verbs, known
  ** values and error codes. Text written by users and keys of free-form JSON stay unchanged. The store keeps our words, so it may be
  ** opened with another dialect or without one; a store that several handles share has one dialect at a time (dialect_change). `vendor`
  ** and `dbScheme` apply where the members `vendor` and `db_scheme` are NULL. svc_open() refuses a dialect, and the log names the word, if
  ** no table contains one of our words, if two words map to the same one, or if their word is one of ours in the same place. Default: none.
  */
  const char *dialect;

  int seal_passwords; /* not 0: the password of a database user is stored, sealed by `secret_key`, which is required. No answer shows it;
                         only svc_order_secrets() of an order "user.put" returns it, {"password":"..."}, for drivers of databases that
                         cannot use the SCRAM verifier. Default: passwords are not stored; a password stored earlier is removed at the
                         next change of its user */

  const void *secret_key_next; /* another 32 bytes that are replacing, or have replaced, `secret_key`: see svc_rotate_key(). Both keys open
                                  the store. Default: none */

  /*
  ** Receives log lines with the name of their event, for programs that read the log. Replaces `log` and shares log_context. `event` is a
  ** constant such as "store.failed"; docs/logs.md lists all. An event's name keeps its meaning; `text` may change with every version.
  */
  void (*log_event)(void *context, int level, const char *event, const char *text);

  int64_t slow_ms; /* requests that take at least this many milliseconds are logged as "request.slow" (a warning), with their operation
                      and where they waited; needs `monotonic`; default 0: no such lines */

  int dialect_change; /* not 0: on a store that several handles share, `dialect` replaces the stored dialect. Open handles keep theirs; a
                         new handle with a different dialect is refused, as it is without this flag */

  /* For tests only: see svc_control_request(). */
  int control_anywhere; /* not 0: svc_control_request() accepts its token from any address; default: from loopback only */
  const char *control_hosts; /* host names accepted in Host with control_anywhere, separated by spaces: "svcd api.test"; default: every
                                name without a dot. Loopback names, IP addresses and the host of base_url are always accepted */
  int64_t clock_rate; /* with manual_clock: the clock runs this many times faster than real time, 1 to 1 000 000, by `monotonic` if it is
                         set; svc_clock_rate() changes it; default 0: the clock stands still */

  /*
  ** Supplies descriptions for the OpenAPI document; the library has none, which keeps it small for small devices. The handle calls this
  ** while it writes the document, once. `what` is one of SVC_DESCRIBE_*; `of` and `name` are our words, whatever `dialect` says. Return
  ** UTF-8 text that stays valid until svc_close(), or NULL if there is no description. Field names and known values between backticks
  ** become the dialect's words. The function must not call the handle. svc_listener_describe() in ports/listener.h describes the whole
  ** catalog. Default: none.
  */
  const char *(*describe)(void *context, int what, const char *of, const char *name);
  void *describe_context;

  /*
  ** Most questions to `driver` at a time; one organization has at most a quarter of them (rounded up). Further ones answer 503 with
  ** Retry-After at once, so that a data plane that hangs costs its own organization alone. After a question about a resource has failed
  ** late, further questions about that resource answer 503 for five seconds; this needs `monotonic`. Default 32, at most 1024.
  */
  size_t max_questions;

  int64_t disk_reserve; /* bytes of the reserve file beside a store on LMDB, at most 1 GiB: when the disk is full, deletes use this room, and
                           other writes answer 507. Default 256 KiB; SVC_NO_RESERVE: no such file, and deletes may answer 507, too */
} svc_config;

/* Values of `what` in svc_config.describe. */
enum {
  SVC_DESCRIBE_OPERATION, /* name: "createCluster"; of: NULL */
  SVC_DESCRIBE_PARAMETER, /* name: "pretty"; of: the operation, and NULL in a second call if that returned NULL; NULL for headers */
  SVC_DESCRIBE_FIELD,     /* name: "dayOfWeek"; of: the object, "MaintenanceWindow", and "*" in a second call if that returned NULL */
  SVC_DESCRIBE_RESOURCE   /* name: "maintenance window"; of: NULL */
};

/* ------------------------------------------------------------------------------------------------ requests and responses */

typedef struct svc_header {
  const char *name;
  const char *value;
  size_t name_length;  /* 0: NUL-terminated */
  size_t value_length; /* 0: NUL-terminated */
} svc_header;

/* A role, and the id of the organization or project on which the caller holds it; `on` NULL: on all of them. */
typedef struct svc_grant {
  const char *role; /* for example "ORG_OWNER" or "GROUP_READ_ONLY" */
  const char *on;
} svc_grant;

/*
** A caller whom the host has authenticated. The request needs no credentials, and access lists do not apply. An organization that a
** person creates requires access lists until its setting apiAccessListRequired is turned off. Never fill this in from a socket.
*/
typedef struct svc_caller {
  const char *user_id;  /* 24 hex digits; all zeros: the host itself, not a person */
  const char *username; /* shown in events; a person with this name accepts invitations by POST /users; may be NULL */
  const svc_grant *grants;
  size_t grant_count;
  int second_factor; /* not 0: the person has passed a second factor of authentication, which organizations can require
                        (setting multiFactorAuthRequired) */
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
  int tls;          /* not 0: the request arrived over TLS */
  const svc_caller *caller; /* NULL: the request must carry its own credentials */
  int64_t waited_ns; /* nanoseconds that the request has waited in the host, for the log line of svc_config.slow_ms; default 0 */
} svc_request;

typedef struct svc_response {
  int status;
  const svc_header *headers; /* lengths are always set; the strings are NUL-terminated as well */
  size_t header_count;
  const char *body; /* never NULL; empty for HEAD, whose headers have the Content-Length of the GET */
  size_t body_length;
  int drop;     /* not 0: a fault (svc_fault_add) drops the response: close the connection without sending anything */
  int delay_ms; /* a fault delays the response: send it after this many milliseconds. The library itself never sleeps */
  const char *operation; /* operationId in the OpenAPI document, for a log; NULL: unknown operation */
  const char *caller;    /* public key or client id of valid credentials, for a log; NULL: none */
  void *memory; /* private */
} svc_response;

/* The credentials that svc_bootstrap() or svc_new_credentials() created. The secrets cannot be read again later. */
typedef struct svc_credentials {
  char org_id[32], group_id[32];
  char public_key[16], private_key[48];   /* an API key, for HTTP Digest */
  char client_id[48], client_secret[96]; /* a service account, for POST /api/oauth/token */
} svc_credentials;

/* --------------------------------------------------------------------------------------------------- opening and closing */

/*
** Opens a store and creates a handle. `config` NULL: all defaults, with a private store.
** Returns SVC_OK with *out set. On any other code *out is NULL, and the log callback receives a line that names the cause.
** Threads: one thread opens and closes a handle.
** In C and C++ svc_open is a macro that passes the version of svcapi.h and the size of the caller's svc_config (see VERSIONS). The
** function of that name is for programs that load it by name, and assumes the library's own svc_config.
**
**   svc_config config = { 0 };
**   svc *s;
**   config.path = "data";
**   if (svc_open(&s, &config) != SVC_OK) return 1;
*/
SVC_API int svc_open(svc **out, const svc_config *config);
SVC_API int svc_open_as(svc **out, const svc_config *config, int version_number, size_t config_size);
#define svc_open(out, config) svc_open_as(out, config, SVC_VERSION_NUMBER, sizeof(svc_config))

/* Closes a handle and frees all its memory. `s` may be NULL. No other call on the handle may run at the same time. */
SVC_API void svc_close(svc *s);

/* Returns the vendor word of the handle: svc_config.vendor, or the store's. Valid until svc_close(). Any thread. */
SVC_API const char *svc_vendor(const svc *s);

/*
** Announces that the host is about to stop. With ready 0, GET /_svc/health answers 503 with "ready":false and "status":"draining", so
** load balancers stop sending requests; all other requests are answered as before. Any other value restores the real status.
** Any thread.
*/
SVC_API void svc_set_ready(svc *s, int ready);

/* ---------------------------------------------------------------------------------------------------- answering requests */

/*
** Answers one request, after applying due steps (see svc_tick). `response` is overwritten; free it with svc_response_free().
** Returns SVC_OK if there is a response, whatever its status. SVC_NOMEM: not even an error document could be built; the response is a
** constant 503 that may be freed like any other. SVC_INVALID: an argument, the method or the target is NULL, or headers or a body with a
** length are NULL; the response is zeroed, including its body. Also SVC_INVALID, with a constant 503: this process is a child of the one
** that opened the handle.
** Any thread.
**
**   svc_request request = { 0 };
**   svc_response response;
**   request.method = "GET";
**   request.target = "/api/svc/v2/orgs";
**   if (svc_handle_request(s, &request, &response) == SVC_OK) printf("%d\n", response.status);
**   svc_response_free(&response);
*/
SVC_API int svc_handle_request(svc *s, const svc_request *request, svc_response *response);

/* Frees the memory of a response and zeroes it. NULL, a zeroed response and a second call are allowed. Any thread. */
SVC_API void svc_response_free(svc_response *response);

/* Returns the value of a response's header, or NULL. Names match in any case. Valid as long as the response. */
SVC_API const char *svc_response_header(const svc_response *response, const char *name);

/*
** Reads the header traceparent of a request (W3C Trace Context). Neither argument may be NULL.
** Returns 1 if the header is well-formed: `out` has its first 55 characters and a NUL. Returns 0 if the header is missing, invalid or
** repeated: `out` is "". Any thread.
*/
#define SVC_TRACE 55
SVC_API int svc_traceparent(const svc_request *request, char out[SVC_TRACE + 1]);

/*
** Writes the OpenAPI 3.1 document of this build, generated from the tables that serve the requests, as a response with a JSON body.
** GET /openapi.json answers the same to everyone, unless ROOT is omitted. Free the response with svc_response_free().
** Returns SVC_OK, SVC_NOMEM or SVC_INVALID. Any thread.
*/
SVC_API int svc_openapi(svc *s, svc_response *out);

/* ------------------------------------------------------------------------------------------------------------- due steps */

/*
** A due step is a change that happens when the clock reaches a time: a cluster becomes IDLE, a deleted one disappears. Requests apply
** due steps first, so a host without driver and notifications need not call any of these functions.
*/

/*
** Applies every step that is due, so that steps and their events happen without waiting for a request. svc_tick() also hands out the queued
** orders to the driver and notifications to `notify`, which nothing else does: a host with either of them calls it at least every second.
** Several threads may call it at once: then a driver that waits inside perform() for one resource holds that thread and that resource,
** and the others hand out the orders of other resources (at most two at a time of one organization).
** Resources below a deleted one are removed in such steps, too, 256 records per step and 10 ms apart.
** Returns SVC_OK or the reason why a step could not be stored.
** Any thread, but not from within the driver's functions.
*/
SVC_API int svc_tick(svc *s);

/*
** Tells whether a step is due, for a host whose reading threads must not block. Returns 1 if the next request, even one that only reads,
** will store a step first and wait for the disk; else 0. NULL gives 0. Cheap. Any thread.
*/
SVC_API int svc_is_due(svc *s);

/*
** Tells what the answer to a request has to wait for, so that a host can choose its thread. Returns one of SVC_NEEDS_*:
**
**   SVC_NEEDS_NOTHING  it reads, and takes microseconds
**   SVC_NEEDS_STORE    the request writes, a step is due, or the store or the limiter is shared: it waits for a disk or a server
**   SVC_NEEDS_DRIVER   the request asks the driver, which waits for a tenant's data plane: seconds, and as long as that tenant likes.
**                      Keep such requests off the threads that write and sign in
**   SVC_NEEDS_TIME     it reads much: a large or distant page, a filter, the OpenAPI document. It waits for nobody, and may take tens of
**                      milliseconds
**
** svc_may_wait() returns 0 for the first, and 1 for the others. NULL gives 0. Cheap. Any thread.
*/
#define SVC_NEEDS_NOTHING 0
#define SVC_NEEDS_STORE 1
#define SVC_NEEDS_DRIVER 2
#define SVC_NEEDS_TIME 3
SVC_API int svc_request_needs(svc *s, const svc_request *request);
SVC_API int svc_may_wait(svc *s, const svc_request *request);

/* Tells that all threads of the host that make changes are busy, or no longer: GET /_svc/health shows it. Any thread. */
SVC_API void svc_set_busy(svc *s, int busy);

/* ------------------------------------------------------------------------------------------------------ driver functions */

/*
** Reports the result of an order. `result` SVC_OK: done; any other code: failed. `facts` is a JSON object as text, or NULL: hosts and
** ports, sizes, certificates; for a failure its "reason", and "state" where several failed states exist. One commit moves the state of
** the resource and stores the facts. Repeat the call if it fails.
** Returns SVC_OK, also if the order was replaced or done before: then nothing changes. SVC_INVALID: the id is not an order's, or `facts`
** is not a JSON object.
** Any thread, also from within perform().
*/
SVC_API int svc_order_done(svc *s, const char *order_id, int result, const char *facts);

/*
** Reports an observation of the driver: a host of a cluster went down, came up, moved or runs another version; measurements; logins.
** `resource` is a kind, as in orders ("cluster"). `id` is its id, or "PROJECT/ID" or "PROJECT/NAME" with the project's id, which avoids
** a search. `facts` is a JSON object as docs/driver.md describes it. Answers, connection strings, states, events and alerts change in
** one commit.
** Returns SVC_OK. SVC_NOT_FOUND: the resource does not exist (any more). SVC_INVALID: nothing can be reported about this kind of resource,
** or the facts are invalid; the log names the member, and nothing changes.
** Any thread, but not from within a function of the driver that svc_report() itself waits for.
*/
SVC_API int svc_report(svc *s, const char *resource, const char *id, const char *facts);

/*
** Returns the secrets of an order or notification in clear: a JSON object with the shape of `desired`, {} without secrets. `*length`
** is the size of `out`; on return it is the length of the text, without its NUL. Wipe `out` after use.
** Returns SVC_OK. SVC_FULL: `out` is too small, and *length is the required size. SVC_INVALID: the order no longer exists, or
** svc_config.secret_key is missing. SVC_BUSY: the secrets are sealed by a key that this handle does not have yet (svc_rotate_key): retry
** the order later.
** Any thread, also from within perform().
*/
SVC_API int svc_order_secrets(svc *s, const char *order_id, char *out, size_t *length);

/*
** Appends `n` bytes to the driver's reply. Returns SVC_OK, SVC_NOMEM, or SVC_FULL if the reply would exceed svc_question.most. Call it
** from within ask() only.
*/
SVC_API int svc_reply_add(svc_reply *reply, const void *bytes, size_t n);

/*
** Writes the JSON Schema (draft 2020-12) of the messages between this build and a driver, generated from the tables that check them:
** `orders` with `desired` and `facts`, `reports`, `questions` with `parameters` and `reply`, and every line between svcd and a driver
** program. docs/driver.md explains it; docs/driver.schema.json is its output. Free the response with svc_response_free().
** Returns SVC_OK, SVC_NOMEM or SVC_INVALID. Any thread.
*/
SVC_API int svc_driver_schema(svc *s, svc_response *out);

/* -------------------------------------------------------------------------------------------------- credentials and keys */

/*
** Creates the first organization, a project in it, and an API key and a service account that own both, so that clients can use the
** service over a network. The organization does not require access lists. One commit creates everything or nothing.
** Returns SVC_OK with *out filled in; SVC_BUSY if the store already has an organization; else the reason. Any thread.
*/
SVC_API int svc_bootstrap(svc *s, svc_credentials *out);

/*
** Creates another API key and service account that own an organization, for an operator who has lost all credentials but has the store.
** `org_id` NULL: the first organization. Existing credentials stay valid. out->group_id is the organization's first project, or "". If
** the organization requires access lists, both credentials work from 127.0.0.1 and ::1. One commit creates everything or nothing.
** Returns SVC_OK with *out filled in; SVC_INVALID if the organization does not exist, with a log line; else the reason. Any thread.
*/
SVC_API int svc_new_credentials(svc *s, const char *org_id, svc_credentials *out);

/*
** Replaces the key that seals the store's secrets by `next`, 32 random bytes, which are copied. Each call visits up to `steps` records
** (256 at most) in one commit, while requests continue. With steps 0 the handle only learns the key. From the first step on, new secrets
** are sealed by `next`; the old key still opens the others. Progress is durable: after a crash, or after a restart with
** svc_config.secret_key_next, the next call continues. Where several handles share the store, all must know `next` before the first
** step: a handle without the key answers 503 to requests that need it, and logs the key's id. Older backups need the old key. A handle
** learns three keys at most.
** Returns SVC_OK: every secret is sealed by `next`, and the old key is no longer needed. SVC_BUSY: call again. SVC_INVALID:
** svc_config.secret_key is missing, or a rotation to a third key has already begun. SVC_NOMEM, SVC_IO and others: nothing was changed.
** Threads: one at a time.
**
**   while ((rc = svc_rotate_key(s, next, 256)) == SVC_BUSY) continue;
*/
SVC_API int svc_rotate_key(svc *s, const void *next, int steps);

/* ---------------------------------------------------------------------------------------------------- backups and stores */

/*
** Writes a consistent copy of the store into the folder `path`, while requests continue. The folder is created if missing. The copy is
** compacted, is on the disk when the function returns, and can be opened with svc_open().
** Returns SVC_OK; SVC_EXISTS if the folder already holds a store; else the reason, which the log explains. Any thread.
*/
SVC_API int svc_backup(svc *s, const char *path);

/*
** Copies the last commit of an LMDB store that another process holds, from the folder `path` into `to`. The copy only reads and never
** blocks; the other process continues to write. Never call it in the process that has that store open: LMDB forbids opening a store twice
** in one process, and closing it would release the other handle's locks. The other process calls svc_backup().
** Returns what svc_backup() returns. SVC_IO: there is no store, or it cannot be read or written. SVC_CORRUPT: the folder holds something
** else. Any thread.
*/
SVC_API int svc_backup_of(const char *path, const char *to);

/*
** Returns the port of the store in memory: svc_config.store = svc_memory_port(). The store is empty when opened and lost when closed.
** svc_config.path must be NULL, and `map_limit` bounds its bytes. Its snapshots (svc_snapshot_take) cost almost nothing; svc_backup()
** returns SVC_INVALID.
**
** The libraries of this project contain it; svcapi.c alone does not. Compile ports/memory.c beside it with -I. -Iamalgamation
** -DSVC_SPLIT=1, or fold a svcapi.c that contains it (sh amalgamation/fold.sh --with memory --out FILE). Compile svcapi.c with
** -DSVC_MEMORY_STORE, and svc_open_json() accepts {"store":"memory"}. Add LMDB to SVC_OMIT to make memory the default, for platforms
** without mmap.
*/
SVC_API const svc_store_port *svc_memory_port(void);

/*
** For tools that read a store without opening a service on it (ports/store_copy.h, ports/transfer/transfer.h). svc_lmdb_store() returns
** the port of LMDB, or NULL if LMDB is omitted. svc_kind_name() returns the name of the resource whose keys have this kind, four
** characters, or NULL if this build has no such resource. Any thread.
*/
SVC_API const svc_store_port *svc_lmdb_store(void);
SVC_API const char *svc_kind_name(const char *kind);

/*
** Checks the store and writes nothing. The check reads every record and verifies that
**
**   its JSON is valid and in canonical form, and its keys agree with its content;
**   every index entry leads to its record, and every record has all its entries (names, ids, due steps, references, roles on projects,
**   orders, answers kept for retries);
**   every count and tally is right, and the ledger's open lines match the resources that cost money;
**   the parent, project, organization and every referenced resource exist.
**
** `found` (may be NULL) receives a line per problem, 100 at most and then a line that says so. A line names a kind of resource and an
** id, never stored content.
** Returns SVC_OK: no problem. SVC_CORRUPT: some problems. SVC_NOMEM, SVC_IO: the check did not finish.
** Any thread, while requests continue: the check sees the store as it was at the beginning. The check takes some microseconds per record,
** and up to 200 bytes of memory per list that is not empty. Space freed meanwhile is not reused before the check ends. If the store must
** grow, all requests wait for the end of the check: check a backup instead of a large, busy store.
** Limits: a build that omits resources (SVC_OMIT) reports their records as problems. There are no checksums, so damaged text that is
** still valid text goes unnoticed.
** The pages of LMDB's file are checked first; a damaged page is the only line then. svc_open() makes the same check for files of up to
** 64 MiB (a millisecond per MiB) and returns SVC_CORRUPT, because LMDB would crash on a damaged page. A larger file may end the process
** before this function is called: check an untrusted file in a process of its own, as svcd does.
*/
SVC_API int svc_check_store(svc *s, void (*found)(void *context, const char *text), void *context);

/* --------------------------------------------------------------------------------------------------------------- metrics */

/*
** Counters of a handle since it was opened. Each number is right by itself, but they are not from one moment. On 32-bit machines
** counters wrap after 2^32. The struct grows at its end; the macro svc_stats passes the caller's size.
*/
typedef struct svc_statistics {
  uint64_t requests;        /* answered by svc_handle_request(); needs svc_config.metrics, like the next two */
  uint64_t answers[6];      /* requests by the first digit of their status; [0]: other statuses */
  uint64_t limited;         /* requests refused by the limiter */
  uint64_t sign_ins_failed; /* requests with wrong credentials */
  uint64_t commits;         /* commits of the store */
  uint64_t writes;          /* writes in these commits: concurrent writes share one */
  uint64_t store_bytes;     /* size of the store; 0: unknown, or the store does not answer */
  uint64_t map_bytes;       /* size of the store's map */
  int64_t late_ms;          /* delay of the next due step, in milliseconds; 0: none is late */
  uint64_t orders;          /* orders that the driver has not finished, and notifications not sent yet, as of the last svc_tick();
                               1000 means 1000 or more; needs svc_config.metrics, like the rest */
  uint64_t orders_waiting;  /* those of `orders` not handed out yet, or to be handed out again */
  int64_t oldest_order_ms;  /* age of the oldest of `orders`, in milliseconds; 0: no orders */
  uint64_t order_retries;   /* number of times that orders were handed out again */
  uint64_t questions;       /* questions that the driver has not answered yet: svc_config.max_questions at most */
  uint64_t questions_refused; /* requests answered with 503 because their question found no place, or its resource did not answer before */
} svc_statistics;

/* Fills in the counters. Returns SVC_OK, or SVC_INVALID if an argument is NULL. Any thread. */
SVC_API int svc_stats(svc *s, svc_statistics *out);
SVC_API int svc_stats_as(svc *s, svc_statistics *out, size_t size);
#define svc_stats(s, out) svc_stats_as(s, out, sizeof(svc_statistics))

/*
** Writes the metrics in the text format of Prometheus: requests by operation and status, response times, the limiter by endpoint set,
** failed sign-ins, commits, writes, bytes. Only counted items appear, and no label contains text from a client. `more` is appended
** unchanged, for the host's own lines; NULL: none. Free the response with svc_response_free().
** Returns SVC_OK; SVC_INVALID if svc_config.metrics is 0; else the reason. Any thread. The function never waits for a store on a server
** or for svc_config.limiter: bytes are at most half a minute old, or left out.
*/
SVC_API int svc_metrics_text(svc *s, const char *more, svc_response *out);

/* ------------------------------------------------------------------------------------------------------- other languages */

/*
** Functions for Python, Ruby, Go and other languages that load the shared library (./build.sh shared) by name. All of them take text
** instead of structs, so bindings need no struct definitions: examples/python/svcapi.py is a complete binding. Functions without structs
** can be called as well: svc_close, svc_tick, svc_backup, svc_clock_..., svc_snapshot_..., svc_strerror, svc_version.
*/

/*
** Opens a handle, like svc_open(), from a JSON object or NULL. Members have the names of svc_config: numbers, strings, true and false
** for flags. secret_key is 64 hex digits; limits and control_addresses are arrays of objects. Functions and pointers cannot be set.
** `why` (may be NULL) receives one line on failure. The handle logs nothing afterwards.
** Returns what svc_open() returns. SVC_INVALID: also for an unknown member or a wrong type.
*/
SVC_API int svc_open_json(svc **out, const char *config_json, char *why, size_t why_size);

typedef struct svc_result svc_result; /* the answer to a request; opaque */

/*
** Answers one request, like svc_handle_request(). `headers` are "Name: value" lines, each ended by a newline, or NULL. A newline begins
** another header: check foreign text for newlines before you put it into one. `origin_json` NULL: the request comes from 127.0.0.1 and
** carries its own credentials. Otherwise, as in svc_request: {"peer":"10.0.0.1","tls":true,"caller":{"user_id":"...","username":"...",
** "grants":[{"role":"ORG_OWNER","on":null}],"second_factor":false}}. Never take `caller` from a socket.
** Returns SVC_OK with *out set, to be freed with svc_result_free(). SVC_INVALID: a line of `headers` is not a header, or the JSON is
** invalid; the log says which, and the request was not made. SVC_NOMEM. Any thread.
*/
SVC_API int svc_call_text(svc *s, const char *method, const char *target, const char *headers, const void *body,
                          size_t body_length, const char *origin_json, svc_result **out);

/* Parts of a result. Strings are valid until svc_result_free(). */
SVC_API int svc_result_status(const svc_result *r);
SVC_API const char *svc_result_header(const svc_result *r, const char *name); /* in any case; NULL: no such header */
SVC_API const char *svc_result_headers(svc_result *r); /* all, as "Name: value" lines, each ended by a newline; NULL: out of memory */
SVC_API const char *svc_result_operation(const svc_result *r); /* svc_response.operation; "": unknown operation */
SVC_API int svc_result_drop(const svc_result *r);              /* svc_response.drop */
SVC_API int svc_result_delay_ms(const svc_result *r);          /* svc_response.delay_ms */
SVC_API const char *svc_result_body(const svc_result *r, size_t *length);    /* never NULL, NUL-terminated; length may be NULL */
SVC_API void svc_result_free(svc_result *r); /* before svc_close(); NULL is allowed */

/*
** Calls svc_bootstrap(). The result's body is {"orgId":...,"groupId":...,"publicKey":...,"privateKey":...,"clientId":...,
** "clientSecret":...}; the secrets cannot be read again later. Returns what svc_bootstrap() returns. Any thread.
*/
SVC_API int svc_bootstrap_json(svc *s, svc_result **out);

/* ---------------------------------------------------------------------------------------------------------- test control */

/*
** Functions for tests of programs that use this API: a clock that the test moves, snapshots of the store, faults, and a journal of
** requests. All of them act on one handle. Any thread may call them, but not from within the driver's functions. A handle that uses none of
** them pays one memory read per request.
**
**   svc_config config = { 0 };
**   config.manual_clock = INT64_C(1893456000000);
**   config.seed = 1;
**   if (svc_open(&s, &config) == SVC_OK) rc = svc_clock_advance(s, 60 * 1000);
*/

/*
** Moves the manual clock forward, to a time or by a duration, in milliseconds. svc_snapshot_restore() is the only way back. When the
** function returns, all steps that fell due have happened in the order of time, including those that they caused. A driver and `notify`
** receive their orders and notifications on the way.
** Returns SVC_OK. SVC_INVALID: the clock is not manual, or the time is not between now and the year 9999. SVC_BUSY: another call is moving
** the clock, or the function stopped after 200 000 steps: call it again with the same time. Else the reason why a step could not be
** stored. svc_clock_now() tells where the clock stands.
*/
SVC_API int svc_clock_set(svc *s, int64_t ms);
SVC_API int svc_clock_advance(svc *s, int64_t ms);

/*
** Moves the manual clock to the next time at which something is due, and applies it: a due step, a host that a fault takes down or
** brings up, or an order that waits for the driver.
** Returns what svc_clock_set() returns. SVC_NOT_FOUND: nothing is due, and the clock has not moved.
*/
SVC_API int svc_clock_next(svc *s);

/*
** Lets the manual clock run from where it stands, `rate` times faster than real time: 1 to 1 000 000; 0 stops it. All steps due by then
** have happened when the function returns. Later steps happen as time passes, at svc_tick() and before each request. The functions above
** also move a running clock.
** Returns SVC_OK. SVC_INVALID: the clock is not manual, or the rate is out of range. SVC_BUSY: another call is moving the clock. Else the
** reason why a step could not be stored.
*/
SVC_API int svc_clock_rate(svc *s, int64_t rate);

/*
** Lists up to `limit` upcoming steps (0: 100; at most 1000), the earliest first, as a response whose body is a JSON array:
**
**   {"id":"...","name":"shop","noun":"cluster","state":"CREATING","time":"2030-01-01T00:00:10Z","timeMs":1893456010000,"what":"state"}
**
** "what" is "state" (the state ends), "expiry" (the resource is deleted), "run" (a schedule runs), "order" (an order is carried out or
** handed to the driver; "action" names it), "erase" (resources below a deleted one are removed), "other" (another date of the resource),
** "hostDown" or "hostUp" (by a fault).
** Returns SVC_OK or the reason. Free the response with svc_response_free().
*/
SVC_API int svc_due_read(svc *s, size_t limit, svc_response *out);

/* Returns the handle's time, manual or not, in milliseconds since 1970-01-01 UTC. */
SVC_API int64_t svc_clock_now(svc *s);

/*
** Takes a snapshot of the whole store in memory, with the handle's own state: buckets of the limiter, nonces of HTTP Digest, positions of
** the manual clock and of the seeded generator. A driver's work on a data plane is not included. svc_snapshot_restore() restores it on
** the handle that took it, any number of times, in one commit or not at all. Concurrent requests see the store before or after it. Faults
** and the journal stay unchanged.
** Both return SVC_OK or the reason. SVC_FULL: the snapshot exceeds `max_snapshot`, or the store may not grow enough for the restore.
** SVC_BUSY, on PostgreSQL: writes of others conflicted with each try. Nothing has changed; call again.
** svc_snapshot_free() may also be called after svc_close(), and accepts NULL.
*/
typedef struct svc_snapshot svc_snapshot;
SVC_API int svc_snapshot_take(svc *s, svc_snapshot **out);
SVC_API int svc_snapshot_restore(svc *s, const svc_snapshot *snapshot);
SVC_API void svc_snapshot_free(svc_snapshot *snapshot);

/*
** Converts a snapshot to bytes, for a file, and back. The bytes contain the whole store, including password hashes and sealed secrets:
** protect them like a backup. The bytes contain neither the limiter's buckets, which are full after a load, nor nonces of HTTP Digest.
** svc_snapshot_load() makes a snapshot for this handle, whichever handle took it; svc_snapshot_restore() then restores it.
** Both return SVC_OK or the reason. SVC_CORRUPT: the bytes are not a snapshot, or their checksum is wrong. SVC_INVALID: this handle cannot
** hold the snapshot, because of another store format, another vendor word, another `secret_key`, or because a machine of the other byte
** order saved it; the log says which. SVC_FULL: the snapshot exceeds `max_snapshot`. Word size makes no difference: a snapshot also takes a
** store from a 64-bit machine to a 32-bit one.
*/
SVC_API int svc_snapshot_save(const svc_snapshot *snapshot, svc_response *out);
SVC_API int svc_snapshot_load(svc *s, const void *bytes, size_t n, svc_snapshot **out);

/*
** Applies a world: a JSON document that describes what exists. `json` has `length` bytes (0: up to its NUL), at most 4 MiB.
**
**   { "world": 1, "now": "2029-01-01T00:00:00Z",
**     "orgs": [ { "name": "Acme", "as": "acme",
**                 "teams": [ { "name": "ops", "usernames": ["ada@example.com"] } ],
**                 "groups": [ { "name": "shop", "clusters": [ { "name": "main", ... } ], "settings": { ... } } ] } ],
**     "then": [ { "advance": "P30D" }, { "patch": "$shop.clusters.main", "body": { ... } } ] }
**
** A member whose name is a path of the API below its object holds the resources there: an array has the items of a collection, each as
** POST accepts it; an object has a single resource. Names may be longer paths: "backup/schedule". All other members are the body of the
** object. A name that is both a field and a path means the field; with a member "body", that is the body, and all other members are paths.
** A string "$NAME.FIELD" is replaced by a field of an earlier resource; "as" gives the name, else it is the resource's own. "$random"
** generates a password. Write a leading dollar sign twice to keep it. docs/worlds.md has the whole format.
**
** The requests are ordinary ones of a caller with all roles, so every rule of the service applies. These requests take no tokens of any
** bucket and are not in the journal. A world has at most 50 000 requests and as many steps. Resources that exist already, by their name or
** by all given fields, stay unchanged. The steps of "then" need a manual clock if they move it. A document that the store has already
** applied, byte for byte, changes nothing and succeeds. On an error the store is restored to what it was, including changes that other
** requests made meanwhile: apply a world before you serve. The restore needs a snapshot, which `max_snapshot` bounds.
**
** `out` is JSON in either case; free it. Returns SVC_OK:
**
**   {"applied":true,"made":12,"kept":0,"changed":1,"now":"...","names":{"acme":"<id>"},"secrets":{"NAME":{...}}}
**
** "secrets" has the generated keys and passwords, which cannot be read again later. SVC_INVALID: `out` is an error document with line,
** column and path; its detail is "12:9: orgs[0].groups[1]: CODE: text". SVC_FULL, SVC_BUSY, SVC_NOMEM and others: the store failed.
**
** svc_world_write() writes a world of the store: organizations and everything below them that POST, PUT or PATCH could create. Applied to
** an empty store it gives the same document again. The world contains no secrets: a required password is "$random". The log says what could
** not be written, and why. History (events, invoices, alerts, backups) is not included: svc_snapshot_save() has everything.
*/
SVC_API int svc_world_apply(svc *s, const char *json, size_t length, svc_response *out);
SVC_API int svc_world_write(svc *s, svc_response *out);

/* Kinds of faults. */
#define SVC_FAULT_ANSWER 0        /* the response is an error, is dropped or is delayed: see the members of svc_fault */
#define SVC_FAULT_EXPIRED_TOKEN 1 /* 401, as if the access token had expired; applies to requests with an access token only */
#define SVC_FAULT_STALE_NONCE 2   /* 401 with stale=true, as if the nonce had expired; applies to requests with HTTP Digest only */

/* When a response is dropped. */
#define SVC_DROP_BEFORE 1 /* before any work, as if the request had never arrived */
#define SVC_DROP_AFTER 2  /* after the work: the change is stored, and its response is lost */

/*
** A rule that makes requests fail. A rule applies to requests of known callers and to operations that need no credentials; a request with
** wrong credentials gets 401 as usual and does not count. The first matching rule decides; a rule that only delays lets later ones apply.
*/
typedef struct svc_fault_rule {
  const char *operation;  /* operationId in the OpenAPI document, such as "createCluster"; NULL: every operation */
  int kind;               /* SVC_FAULT_... */
  int status;             /* 429 (with Retry-After, like the limiter's), 500, 503, or the status of `error_code`; 0: no error */
  const char *error_code; /* any errorCode of the service; default: the usual one of the status */
  int drop;               /* SVC_DROP_...; 0: the response is not dropped */
  int delay_ms;           /* delay of the response in milliseconds, up to an hour: svc_response.delay_ms */
  int64_t count;          /* number of requests that fail before the rule is removed; default 0: no limit */
  double chance;          /* probability that a matching request fails, from 0 to 1; default 0: every request */
  int id;                 /* set by svc_fault_list(), like `struck` */
  int64_t struck;         /* number of requests that failed so far */
} svc_fault;

/*
** Adds a rule. *id receives its id for svc_fault_remove(); `id` may be NULL.
** Returns SVC_OK. SVC_INVALID: an unknown operation or error_code, invalid values, or a rule without effect; the log says which. SVC_FULL:
** there are already 64 rules.
**
**   svc_fault fault = { 0 };
**   fault.operation = "createCluster";
**   fault.status = 503;
**   fault.count = 2;
**   rc = svc_fault_add(s, &fault, NULL);
*/
SVC_API int svc_fault_add(svc *s, const svc_fault *fault, int *id);

/* Removes the rule with this id, or all rules if `id` is 0. Returns SVC_OK, or SVC_INVALID if there is no such rule. */
SVC_API int svc_fault_remove(svc *s, int id);

/* Copies up to `room` rules to `out`, in their order. Their strings are valid as long as the handle. Returns the number of all rules. */
SVC_API size_t svc_fault_list(svc *s, svc_fault *out, size_t room);

/*
** Adds a rule of any kind, as JSON text. A member tells the kind:
**
**   {"operation":"createCluster","status":503}
**     A request fails. The members are those of svc_fault, with the names of POST /_svc/faults.
**   {"order":"cluster.create","outcome":"fail","reason":"no capacity"}
**     An order fails as if a driver had failed it: failed state, event, alert. "order" is an action, or a prefix that ends in "*"; orders
**     that no state waits for are invalid here. Other outcomes: "slow" takes `seconds` longer; "stall" never ends until the rule is
**     removed, then the order continues; "partial" stores the first half of the facts (of the members and of each list among them, rounded
**     up), then fails. An order that fails, stalls or is slow does not reach the driver, or only later; "partial" takes a part of the
**     driver's facts.
**   {"state":{"noun":"cluster","value":"UPDATING","name":"shop"}}
**     A state never ends until the rule is removed. "name" is optional, here and below.
**   {"later":{"noun":"cluster","seconds":3,"name":"shop"}}
**     A change is answered in the old state; the new state begins this many seconds later.
**   {"host":{"cluster":"shop","index":0,"project":"..."},"inSeconds":600,"forSeconds":60,"everySeconds":3600}
**     A host goes down after inSeconds, or at "down":"2030-01-01T00:10:00Z", and comes up after forSeconds (optional: when the rule is
**     removed). "host" may also be "NAME:PORT". "index" counts the hosts of the standard connection string from 0. "project" is optional:
**     without it, every cluster of this name. everySeconds repeats it. Events, alerts, elections and series follow as from a report.
**   {"lag":{"noun":"cluster","ms":500}} or {"lag":{"noun":"cluster","reads":2}}
**     GETs of these resources, single or lists, show the state before the last write, for this many ms or GETs: new resources are missing,
**     and deleted ones are still there. Writes and If-Match see the current state. The last 1000 records, up to 16 MiB, are held back.
**
** All kinds but the first have "count" (number of strikes; 0: no limit), "chance" (more than 0, up to 1) and "seed" (an integer: the same
** rule with the same seed strikes at the same places). A used-up rule is removed, unless something still waits for it. There are at most
** 64 rules; they live in memory, on this handle. svc_snapshot_restore() keeps them: a host whose time is in the future again goes down
** once more, and held-back records are forgotten. svc_fault_remove() removes them, too; svc_fault_list() shows the first kind only. The
** journal has a line for each strike:
**
**   {"time":"...","fault":ID,"order":"cluster.create","outcome":"fail","reason":"...","about":"NAME"}
**
** svc_fault_add_json() returns what svc_fault_add() returns; the log names an invalid member. svc_fault_list_json() lists all rules as a
** JSON array, as GET /_svc/faults does; free it with svc_response_free(). The latter returns SVC_OK, SVC_NOMEM or SVC_INVALID.
*/
SVC_API int svc_fault_add_json(svc *s, const char *rule, int *id);
SVC_API int svc_fault_list_json(svc *s, svc_response *out);

/*
** Reads the last requests, up to `limit` (0: all that are kept), as a response whose body is a JSON array, the newest last. Each has
** time, method, target, operation, status, errorCode, caller, and headers and bodies of request and response. Secrets are blanked before
** anything is kept: Authorization except its scheme, headers and body members that are not known to be harmless, passwords and other
** secret fields, and responses that show a secret once. Bodies that are not JSON are left out; long ones are cut at 8 KiB.
** Returns SVC_OK, SVC_NOMEM, or SVC_INVALID if svc_config.journal is 0. Free the response with svc_response_free().
*/
SVC_API int svc_journal_read(svc *s, size_t limit, svc_response *out);

/* Empties the journal. */
SVC_API void svc_journal_clear(svc *s);

/*
** Reads the last requests as an HTTP archive (HAR 1.2), which browsers and many tools open:
** {"log":{"version":"1.2","creator":{},"entries":[]}}. Secrets are blanked as "***". An incomplete body has _incomplete: true beside it.
** Members that begin with an underscore are extensions: _operation, _errorCode, _caller, _drop. Times are those of the handle's clock;
** durations are not measured and are 0, except for the delay of a fault. Returns what svc_journal_read() returns.
*/
SVC_API int svc_journal_har(svc *s, size_t limit, svc_response *out);

/*
** Serves test control over HTTP. Call it in place of svc_handle_request(), to which it passes all paths but those below /_svc/:
**
**   GET  /_svc/health                      for everyone: {"ready":true,"status":"ok","version":"..."}; with a token: "testControl":true
**   GET  /_svc/clock                       {"manual":true,"nextDueMs":null,"now":"2030-01-01T00:00:00Z","nowMs":1893456000000,"rate":0}
**   POST /_svc/clock                       {"advanceSeconds":60}, {"now":"2030-01-01T00:00:00Z"} or {"rate":60}; the same answer
**   POST /_svc/clock                       {"toNextDue":true}: svc_clock_next(); the answer also has "moved" and "steps"
**   GET  /_svc/due?limit=100               svc_due_read()
**   POST /_svc/reset                       restores store and clock of svc_control_begin(), removes faults, empties the journal
**   GET, POST /_svc/snapshots              lists all; {"name":"a"} takes one and replaces one of this name; at most 16
**   POST /_svc/snapshots/a:restore         restores it
**   DELETE /_svc/snapshots/a
**   GET, PUT /_svc/snapshots/a             its bytes, as of svc_snapshot_save(); application/octet-stream
**   POST /_svc/world                       svc_world_apply() of the body; GET: svc_world_write()
**   GET, POST, DELETE /_svc/faults         lists all; adds {"operation":"createCluster","kind":"answer|expiredToken|staleNonce",
**                                          "status":503,"errorCode":"...","drop":"before|after","delayMs":0,"count":2,"chance":1.0}
**                                          or another rule of svc_fault_add_json(); removes all
**   DELETE /_svc/faults/1                  removes one, by its id
**   GET, DELETE /_svc/journal?limit=100    svc_journal_read(), the last 100 by default; empties it
**   GET  /_svc/journal?format=har          svc_journal_har()
**
** `token` has at least 16 characters. With `token` NULL only the health exists; the other paths answer 404. Otherwise a request must send
** the token as bearer token (else 401), come from loopback with a loopback name in Host, and have no Origin header, which keeps web pages
** out (else 403). With svc_config.control_anywhere requests may come from any address; Host must then be a name that no web page can have
** (see svc_config.control_hosts), and a request with Origin is still refused (403).
** Errors are the service's usual error documents. Returns what svc_handle_request() returns. Any thread.
*/
SVC_API int svc_control_request(svc *s, const char *token, const svc_request *request, svc_response *response);

/* Marks the state that POST /_svc/reset restores: call it when the store is ready. Returns what svc_snapshot_take() returns. */
SVC_API int svc_control_begin(svc *s);

/*
** Answers a request for a path below /_svc/, for other languages. No token is required, because the program that holds the handle may do
** everything. POST /_svc/reset works only after svc_control_begin(). A body is JSON, or the bytes of a snapshot.
** Returns SVC_OK with *out set, to be freed with svc_result_free(). SVC_INVALID: the path is not below /_svc/. SVC_NOMEM. Any thread.
*/
SVC_API int svc_control_text(svc *s, const char *method, const char *target, const void *body, size_t body_length, svc_result **out);

#ifdef __cplusplus
}
#endif
#endif /* SVCAPI_H */

/*
** svcd: the service as a daemon, with verbs for its store. svcd is also the largest of the examples:
**
**      main.c         the table of verbs, and the choice of one
**      flags.c        the table of flags, and the checks of their values
**      serve.c        opens listener and service, creates the first credentials, waits for a signal, stops
**      credentials.c  the file of credentials
**      store.c        selects the store: LMDB, or the one of --store
**      driver.c       the driver of the data plane, --driver; driver_exec.h: a program as the driver
**      dialect.c      --dialect: a file that renames words of the API
**      limiter.c      limits that several svcd share: --limiter
**      secret_key.c   the key that seals secrets in the store, created at the first start
**      rotate_key.c   replaces that key
**      control.c      test control: its token, its clock, and the paths below /_svc/
**      sign_in.c      the link that signs a browser in: printed at the start, valid once
**      certificate.c  the certificate of https, created at the first start without --cert
**      backup.c       backup, restore and check of a store
**      copy.c         copies a store, also to and from PostgreSQL
**      file.c         writes a file completely or not at all
**      confine.c      gives up privileges before the first request
**      transfer.c     export and import: a store as JSON lines
**      upgrade.c      --upgrade: a store of an older format
**      world.c        --world and --snapshot, and worlds from a store; world_files.c: the built-in worlds
**      schema.c       the tables of a store on PostgreSQL
**      env.c          credentials for a shell, and the OpenAPI document
**      replay.c       sends recorded requests to another server and compares the answers; replay.h: its parts
**      health.c       asks whether a service is ready
**      http_client.c  the HTTP client of replay and health
**      config_file.c  flags from a file
**      url.c          the URLs of --listen, and who can reach them
**      metrics.c      GET /_svc/metrics
**      access.c       the access log
**      log.c          the log, as text or as lines of JSON
**
** The rules. An error at the start is one line on standard error; the exit status is 2 if the command line is wrong, else 1. svcd prints
** secrets only with --show-credentials or the verb env: credentials are in a file that only its owner can read, so that no log contains
** them by accident. Functions that return a status have printed the error.
*/
#ifndef SVCD_H
#define SVCD_H

#include "svcapi.h"
#include "driver_exec.h"
#include "driver_postgres.h"
#include "listener.h"

#include <pthread.h>

#define SVCD_URLS 16
#define SVCD_PROXIES 16
#define SVCD_PATH 4096
#define SVCD_LIMITS 80
#define SVCD_HOSTS 16
#define SVCD_IGNORE 64
#define SVCD_TOKEN 257 /* at most 256 characters and a NUL; a token that svcd creates has 64 hex digits */

/* The values of the flags. The value of a missing flag is NULL or 0; that of provision_seconds, drain and slow_ms is -1. */
typedef struct svcd_options {
  const char *data, *bootstrap, *base_url, *vendor, *cert, *key, *org, *db_scheme, *db_domain, *driver, *driver_folder,
    *secret_key, *store, *dialect, *clock, *seed, *from, *to, *format, *config, *access_log,
    *log_level, *log_format, *limiter, *in, *out, *metrics_listen, *test_token_file, *against, *credentials, *cacert, *client, *world, *snapshot, *check,
    *operand; /* the argument without a flag: the file of replay, the URL of health */
  const char *urls[SVCD_URLS], *proxies[SVCD_PROXIES], *limits[SVCD_LIMITS], *test_hosts[SVCD_HOSTS], *ignore[SVCD_IGNORE];
  size_t url_count, proxy_count, limit_count, test_host_count, ignore_count;
  long threads, writers, questions, provision_seconds, max_connections, max_per_address, max_projects, driver_timeout, drain, wait,
    store_readers, store_timeout, limiter_timeout, slow_ms, clock_rate, disk_reserve;
  int no_sync, show_credentials, conceal, enforce_sunset, no_card, memory, limiter_off, test_control, with_key, plain_http, metrics, metrics_public,
    no_explorer, no_gzip, limiter_closed, verify_only, force, seal_passwords, with_secrets, upgrade, print, change_dialect, test_anywhere, json,
    end_with_stdin, sign_in_link;
  char *config_text; /* text of --config, which values point into; main() frees it */
  char *store_text, *limiter_text; /* URIs of --store and --limiter with the options of other flags; main() frees them */
  char *hosts_text; /* all --test-control-host, separated by spaces; main() frees it */
  char *world_text;   /* text of --world, and its length; main() frees it */
  size_t world_size;
  char *dialect_text; /* content of the file of --dialect; main() frees it */
} svcd_options;

typedef struct svcd_verb {
  const char *name;
  unsigned bit;     /* bit that marks its flags in flags.c */
  int (*run)(const svcd_options *o); /* returns the exit status */
  const char *help; /* one line */
} svcd_verb;

enum { SVCD_SERVE = 1, SVCD_CREDENTIALS = 2, SVCD_VERSION = 4, SVCD_BACKUP = 8, SVCD_RESTORE = 16, SVCD_CHECK = 32, SVCD_OPENAPI = 64,
       SVCD_ENV = 128, SVCD_COPY = 256, SVCD_DRIVER = 512, SVCD_EXPORT = 1024, SVCD_IMPORT = 2048, SVCD_SCHEMA = 4096, SVCD_ROTATE = 8192, SVCD_REPLAY = 16384,
       SVCD_HEALTH = 32768, SVCD_WORLD = 65536 };

extern const svcd_verb svcd_verbs[]; /* ends with a row without name; the first row is the default verb */

/* log.c. svcd_error: prints an error to standard error, with the event "flags.invalid" for status 2, else "svcd.failed"; returns the
** status. svcd_say: prints any other line to standard error, regardless of --log-level. svcd_print: prints to standard output; label is ""
** or a word with a colon. */
#define SVCD_TEXT 2048 /* longest message in JSON, in bytes; the rest is cut off */
int svcd_error(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
void svcd_say(int level, const char *event, const char *format, ...) __attribute__((format(printf, 3, 4)));
void svcd_print(const char *event, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* For svc_config.log_event and the listener's. The context is --log-level; NULL: warnings. */
void svcd_log(void *context, int level, const char *event, const char *text);
/* The first switches --log-format json on or off; the second returns true if it is on. */
void svcd_log_json(int json);
int svcd_log_is_json(void);
/* A line of JSON, built member by member, with values as valid UTF-8. svcd_line_write() appends "}" and a line feed, and writes the line
** with one write(). It returns 0, or -1 with errno. */
typedef struct svcd_line {
  char text[6 * SVCD_TEXT + 512];
  size_t n;
} svcd_line;
void svcd_line_text(svcd_line *l, const char *text); /* appends the text unchanged */
void svcd_line_member(svcd_line *l, const char *name, const char *value, size_t n);
/* Returns true if a terminal would not show the UTF-8 character at p, but obey it: control characters, and those that change the direction
** of text. Also true for a byte that is not UTF-8. *length: its bytes. */
int svcd_is_hidden(const unsigned char *p, size_t n, size_t *length);
void svcd_line_time(svcd_line *l, int64_t ms); /* "time", RFC 3339 in UTC with milliseconds: the first member */
int svcd_line_write(svcd_line *l, int fd);
/* Prints a line of the library about its configuration with the name of the flag: svc_config.db_scheme is --db-scheme. *said becomes 2. */
void svcd_say_flag(void *said, int level, const char *text);

/* flags.c: reads the flags of a verb. named 0: the command line names no verb. Returns -1 to continue, or the exit status. */
int svcd_parse(svcd_options *o, const svcd_verb *verb, int named, int argc, char **argv);
int svcd_wrong_verb(const char *name);
int svcd_help(const svcd_verb *verb); /* help of one verb. Returns the status */
int svcd_help_all(int flags);         /* help of all verbs, one line each, or with their flags. Returns the status */

/*
** config_file.c. svcd_config_read: reads a file; NULL after an error message. svcd_config_line: reads the next line of that text; returns
** 0 at the end. `rest` and `number` (from 0) advance from line to line; value "": the line has no value.
*/
char *svcd_config_read(const char *path);
int svcd_config_line(char **rest, int *number, char **name, char **value);

/* serve.c, credentials.c, backup.c, copy.c, transfer.c, schema.c, env.c, rotate_key.c, replay.c, health.c: verbs. */
int svcd_serve(const svcd_options *o);
int svcd_credentials(const svcd_options *o);
int svcd_backup(const svcd_options *o);
int svcd_restore(const svcd_options *o);
int svcd_check(const svcd_options *o);
int svcd_copy(const svcd_options *o);
int svcd_export(const svcd_options *o);
int svcd_import(const svcd_options *o);
int svcd_schema(const svcd_options *o);
int svcd_env(const svcd_options *o);
int svcd_openapi(const svcd_options *o);
int svcd_driver_schema(const svcd_options *o);
int svcd_rotate_key(const svcd_options *o);
int svcd_replay(const svcd_options *o);
int svcd_health(const svcd_options *o);
int svcd_world(const svcd_options *o);

/*
** credentials.c: calls `make` to create credentials, and writes them to the file of the options. The secrets cannot be read again, so the
** file is created first and renamed when it is complete; if the rename fails, the file stays. Returns 0; SVCD_SET_UP if `make` returns
** SVC_EXISTS, because another process has created them; else 1.
*/
#define SVCD_SET_UP (-1)
int svcd_write_credentials(svc *s, const svcd_options *o, const char *base_url, const char *token,
                           int (*make)(svc *s, const svcd_options *o, svc_credentials *out), svc_credentials *out);
/* Writes the path of the file of credentials; "" with --memory and without --bootstrap. Returns false, after an
** error message, if the path is too long. */
int svcd_credentials_path(const svcd_options *o, char path[SVCD_PATH]);
/* Prints the new credentials, with secrets only on request. token "": no test control. */
void svcd_greet(const svcd_options *o, const char *base_url, const char *token, const svc_credentials *c, const char *path);

/* store.c: sets the store of the configuration, from the options or from a folder or URI. Both return 0, or the exit status. */
int svcd_store(const svcd_options *o, svc_config *config);
int svcd_store_at(const char *place, svc_config *config);
int svcd_is_uri(const char *store);
/* upgrade.c: upgrades the store of --data or --store to the current format. Returns 0, or the exit status. */
int svcd_upgrade(const svcd_options *o);
/*
** driver.c: the driver of --driver, if any. Open it before the service; begin it when the service is open, before svcd_confine(); stop it
** before the service is closed, and close it afterwards. The first two return 0, or the exit status.
*/
#define SVCD_EXEC "exec:" /* prefix of a command in --driver */
typedef struct svcd_driver {
  driver_postgres *postgres;
  driver_exec *exec;
} svcd_driver;
int svcd_driver_open(const svcd_options *o, svcd_driver *d);
int svcd_driver_begin(const svcd_driver *d, svc *s);
const svc_driver *svcd_driver_of(const svcd_driver *d); /* NULL: none */
void svcd_driver_hush(const svcd_driver *d); /* lets open questions end soon: called before the listener stops */
void svcd_driver_stop(const svcd_driver *d);
void svcd_driver_close(const svcd_driver *d);
/*
** world.c. svcd_world_open: reads the world of --world into the options; returns -1 to continue, or the exit status. svcd_world_clock:
** returns the time of the world, at which the manual clock starts; 0: the world has no time, a flag sets the clock, or test control is off.
** svcd_world_load: loads --snapshot and --world into the open store, before svcd serves; set_up: the store has
** organizations. Returns 0, or the exit status.
*/
typedef struct svcd_world_file {
  const char *name, *text;
} svcd_world_file;
extern const svcd_world_file svcd_world_files[]; /* ends with a row without name */
int svcd_world_open(svcd_options *o);
int64_t svcd_world_clock(const svcd_options *o);
int svcd_world_load(svc *s, const svcd_options *o, int set_up);
/* dialect.c: reads the file of --dialect into the options. Returns -1 to continue, or the exit status. */
int svcd_dialect(svcd_options *o);
/* limiter.c: sets the limiter of the configuration from --limiter. Returns 0, or the exit status. */
int svcd_limiter(const svcd_options *o, svc_config *config);
int svcd_limiter_answers(const svc_config *config); /* returns false if Redis is not reachable, so that --wait continues to wait */

/* file.c. svcd_put_file: writes a file completely or not at all, readable by its owner only. An existing file is replaced, or stays, which
** is an error with SVCD_PUT_NEW and none with SVCD_PUT_FIRST. Returns 0, or 1 after an error message. svcd_flush_name: flushes the folder
** of a file, so that its new name is on the disk. Returns 0, or -1. */
enum { SVCD_PUT_REPLACE, SVCD_PUT_NEW, SVCD_PUT_FIRST };
int svcd_put_file(const char *path, const void *bytes, size_t n, int existing);
int svcd_flush_name(const char *path);

/* confine.c: gives up privileges. Call it before the threads of the listener start, after all work that needs privileges.
** svcd_confine_thread: only those of the calling thread, for a thread that starts earlier. */
void svcd_confine(const svcd_options *o);
void svcd_confine_thread(const svcd_options *o);

/* copy.c: copies the store of a folder or URI into an empty one; compare: only compares both. Prints the totals of
** each store. Returns the exit status. */
int svcd_copy_places(const char *from, const char *to, int compare);

/* backup.c. svcd_in_child: runs `work` in a child process, because a damaged file may end it. svcd_has_store: returns true if a folder has
** a store. svcd_check_place: checks a store. */
int svcd_in_child(const svcd_options *o, int (*work)(const svcd_options *o), const char *place);
int svcd_has_store(const char *folder);
int svcd_check_place(const svcd_options *o, const char *place);

/* secret_key.c. svcd_secret_key: reads the bytes of svc_config.secret_key from their file, or creates them. svcd_keep_secret_key: gives a
** new file its name, once its key has opened the store. Both return 0, or the exit status. */
#define SVCD_SECRET_KEY 32
int svcd_secret_key_path(const svcd_options *o, char path[SVCD_PATH]); /* path of the key's file; "": --memory without --secret-key */
int svcd_has_secret_key(const svcd_options *o, unsigned char key[SVCD_SECRET_KEY], int *there); /* reads a key, never creates one */
int svcd_secret_key(const svcd_options *o, unsigned char key[SVCD_SECRET_KEY], int *new_folder); /* 1: svcd has created the folder of --data */
void svcd_forget_secret_key(const svcd_options *o, int new_folder); /* removes a new key after a start that created no store */
int svcd_keep_secret_key(const svcd_options *o, const unsigned char key[SVCD_SECRET_KEY]);
/* The next key, secret.key.next: the first reads it, the second creates it if missing. Both return 0, or the exit status. */
int svcd_next_secret_key(const svcd_options *o, unsigned char key[SVCD_SECRET_KEY], int *there);
int svcd_make_next_secret_key(const svcd_options *o);
/* rotate_key.c: serve calls it periodically to continue a rotation. *stopped is 0 at first; 1 after a failure; reset it to 0 to retry.
** Returns the milliseconds until the next call. */
int svcd_rotate_some(svc *s, const svcd_options *o, int *stopped);

/*
** control.c. svcd_test_token: finds the token of test control: --test-control-token-file, SVCD_TEST_CONTROL_TOKEN, the file of
** credentials, or a new token; "" without --test-control. svcd_keep_test_token: once the store is ready, writes the token into the file of
** credentials, if it is missing or different there. Both return 0, or the exit status.
*/
#define SVCD_TEST_TOKEN "SVCD_TEST_CONTROL_TOKEN" /* a variable, not a flag: process lists would show a flag */
int svcd_test_token(const svcd_options *o, char token[SVCD_TOKEN]);
int svcd_keep_test_token(const svcd_options *o, const char *base_url, const char *token);
/* Sets the configuration from the flags for tests; `limits` receives those of --limit. Returns SVC_OK, or SVC_INVALID after a message. */
int svcd_test_config(const svcd_options *o, svc_config *config, svc_limit_override limits[SVCD_LIMITS]);
/* Handles a request of test control, with the token, or passes the request to the service. Can be svc_listener_config.handle. */
int svcd_handle(void *token, svc *s, const svc_request *request, svc_response *response);
/* For svc_listener_config.body_limit: callers with the token may send larger bodies for worlds and snapshots. */
typedef struct svcd_large {
  const char *token; /* "": test control is off */
  _Atomic int64_t closed; /* svcd_monotonic() until which larger bodies are refused, after a wrong token */
} svcd_large;
size_t svcd_body_limit(void *large, const svc_request *request);

/* Returns true for a request of the console: its Origin is the origin of this service. */
int svcd_is_own_page(const svc_request *request);
/* control.c: the library refuses every request with Origin below /_svc/. svcd itself serves the console, so it accepts the console's
** requests: *out is the request without that header, with its headers in `headers`. All other rules still apply.
** Returns 0 for other requests. */
#define SVCD_HEADERS 64 /* most headers of a request: the listener refuses more */
int svcd_vouch(const svc_request *request, svc_request *out, svc_header headers[SVCD_HEADERS]);
/* control.c: answers GET /_svc/worlds and GET /_svc/worlds/NAME, the built-in worlds, which are not secret.
** Returns 0 for other requests. */
int svcd_worlds_takes(const svc_request *request, svc_response *response);

/*
** sign_in.c: the link that signs a browser in. wanted: returns true if svcd prints a link: the flag is set, or standard output is a
** terminal, and a browser can reach the console on loopback. keep, read: store the credentials for the token, new ones or those of the
** file. open: prints the link, which is valid from then on. takes: answers a request of the link; returns 0 for other requests. pause:
** forgets an expired link; returns the milliseconds until the next call, at most `pause`.
*/
#define SVCD_SIGN_IN_CODE 64 /* hex digits */
#define SVCD_SIGN_IN_HEADERS 32
typedef struct svcd_sign_in {
  pthread_mutex_t lock; /* guards open, until, wrong, hash and client_secret */
  int made;             /* set before the first request, then constant */
  int open, wrong;
  int64_t until; /* svcd_monotonic() */
  unsigned char hash[32];
  char client_id[48], client_secret[96];
  const char *token; /* token of test control; "": off */
  unsigned ports[SVCD_URLS]; /* of the listener on this machine; like `made`, constant from then on */
  size_t port_count;
  svc_header headers[SVCD_SIGN_IN_HEADERS]; /* headers of the one successful answer */
} svcd_sign_in;
int svcd_sign_in_wanted(const svcd_options *o);
void svcd_sign_in_keep(svcd_sign_in *k, const char *client_id, const char *client_secret);
void svcd_sign_in_read(svcd_sign_in *k, const char *path);
void svcd_sign_in_open(svcd_sign_in *k, const svcd_options *o, const svc_listener *listener);
int svcd_sign_in_takes(svcd_sign_in *k, svc *s, const svc_request *request, svc_response *response);
int svcd_sign_in_pause(svcd_sign_in *k, int pause);

/* url.c: writes the host of a URL without brackets, and returns its length; 0: missing or too long. */
#define SVCD_HOST 256
size_t svcd_url_host(const char *url, char host[SVCD_HOST]);
int svcd_is_https(const char *url);
/* Returns the machines that can reach a URL: none (not an address); only this one; others, at one address; others, at all addresses. */
enum { SVCD_NOWHERE, SVCD_LOOPBACK, SVCD_ELSEWHERE, SVCD_EVERYWHERE };
int svcd_reach(const char *url);

/* certificate.c: the certificate of https URLs; used 0: no such URL. */
typedef struct svcd_cert {
  int used, own; /* own: created by svcd, not named by --cert */
  char cert[SVCD_PATH], key[SVCD_PATH]; /* paths of the files */
  int64_t until; /* end of validity, in milliseconds since 1970 */
  char sha256[96];
} svcd_cert;
/* Reads the certificate; creates svcd's own if that is missing or expired. Returns 0, or the exit status. */
int svcd_certificate(const svcd_options *o, svcd_cert *c);
/* Prints the fingerprint, and a warning if the certificate expires soon. */
void svcd_show_certificate(const svcd_cert *c);

/* metrics.c. svcd_metrics_handle: for svc_listener_config.handle with --metrics, with this struct as context. svcd_monotonic: for
** svc_config.monotonic, in nanoseconds. */
typedef struct svcd_metrics {
  char *token; /* of test control */
  svcd_large large; /* with the same token */
  svc_listener *listener; /* the listener of the API, whose counters are shown */
  svcd_sign_in sign_in;
  int here;    /* svcd serves metrics at the address of the API */
  int vouches; /* the console may use test control */
  svc *s;                 /* the service, for --metrics-listen, whose listener has none and calls no svc_tick() */
  int everybody; /* --metrics-public, or --metrics-listen at an address that other machines can reach */
  const char *base_url; /* --base-url; NULL: none */
  time_t began;         /* start of the process */
} svcd_metrics;
int svcd_metrics_handle(void *metrics, svc *s, const svc_request *request, svc_response *response);
int64_t svcd_monotonic(void *context);
/* Opens the listener of --metrics-listen, with `metrics` as context; it serves health and metrics only. *out NULL:
** no such flag. Returns 0, or the exit status. */
int svcd_metrics_open(const svcd_options *o, svcd_metrics *metrics, svc_listener **out);

/* access.c. svcd_access_note: for svc_listener_config.access, with this struct as context; fd is -1 at first. svcd_access_open: opens or
** reopens the file; returns 0, or -1 with errno. */
typedef struct svcd_access {
  pthread_mutex_t lock;
  int fd, failed;
} svcd_access;
void svcd_access_note(void *log, const svc_access *a);
int svcd_access_open(svcd_access *k, const char *path);

#endif /* SVCD_H */

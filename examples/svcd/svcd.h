/*
** svcd: the service as a daemon, and what is done to its store beside it. It is also the longest of the examples:
**
**      main.c         the verbs, in a table, and which one is meant
**      flags.c        the flags, in a table, and what they say together
**      serve.c        listener, service, first credentials, wait for a signal, stop, close
**      credentials.c  the file of credentials: written once, whoever makes them
**      store.c        which store: LMDB, or another that --store names
**      driver.c       what acts on the data plane: --driver; driver_exec.h: a program that is one, and its parts
**      dialect.c      other words on the wire: --dialect
**      limiter.c      limits that several svcd share: --limiter
**      secret_key.c   the key that seals secrets in the store: made at the first start
**      rotate_key.c   another such key takes its place
**      control.c      test control: its token, its clock, who may listen, and the paths below /_svc/
**      sign_in.c      the link that signs a browser in: printed at the start, valid once
**      certificate.c  the certificate of https: made at the first start too, where none is named
**      backup.c       backup, restore and check of a store
**      copy.c         a store into another place, also one on PostgreSQL
**      transfer.c     export and import: a store as JSON lines
**      upgrade.c      --upgrade: a store of an older format
**      world.c        --world and --snapshot, and worlds from a store; world_files.c: those that svcd brings along
**      schema.c       the tables of a store on PostgreSQL
**      env.c          what clients need: credentials for a shell, the OpenAPI document
**      replay.c       recorded requests to another server, and where its answers differ; replay.h: its parts
**      health.c       is a service ready?
**      http_client.c  asks a running service, for these two
**      config_file.c  flags from a file
**      url.c          the URLs that are listened on: who can reach them
**      metrics.c      GET /_svc/metrics
**      access.c       the access log
**      log.c          the log, as text or as lines of JSON
**
** The rules they keep. Whatever goes wrong at the start is one line on standard error, and the status is 2 when the command
** line is at fault, 1 otherwise. Nothing secret is printed unless --show-credentials, or the verb env, asks for it: the
** credentials are in a file that only its owner can read, and no log shall hold them by accident.
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
#define SVCD_TOKEN 257 /* at most 256 characters and a NUL; one that svcd makes has 64 hex digits */

/* What the command line says; what it does not say is NULL or 0, and of provision_seconds, drain and slow_ms -1. */
typedef struct svcd_options {
  const char *data, *bootstrap, *base_url, *vendor, *cert, *key, *org, *db_scheme, *db_domain, *driver, *driver_folder,
    *secret_key, *store, *dialect, *clock, *seed, *from, *to, *format, *config, *access_log,
    *log_level, *log_format, *limiter, *in, *out, *metrics_listen, *test_token_file, *against, *credentials, *cacert, *client, *world, *snapshot, *check,
    *operand; /* what stands there without a flag: of replay the file, of health the URL */
  const char *urls[SVCD_URLS], *proxies[SVCD_PROXIES], *limits[SVCD_LIMITS], *test_hosts[SVCD_HOSTS], *ignore[SVCD_IGNORE];
  size_t url_count, proxy_count, limit_count, test_host_count, ignore_count;
  long threads, writers, provision_seconds, max_connections, max_per_address, max_projects, driver_timeout, drain, wait,
    store_readers, store_timeout, limiter_timeout, slow_ms, clock_rate;
  int no_sync, show_credentials, conceal, enforce_sunset, no_card, memory, limiter_off, test_control, with_key, plain_http, metrics, metrics_public,
    no_explorer, no_gzip, limiter_closed, verify_only, force, seal_passwords, with_secrets, upgrade, print, change_dialect, test_anywhere, json,
    end_with_stdin, sign_in_link;
  char *config_text; /* of --config: values stand in it; main() frees it */
  char *store_text, *limiter_text; /* of --store and --limiter with what other flags add to them; main() frees them */
  char *hosts_text; /* of all --test-control-host, with a space between two; main() frees it */
  char *world_text;   /* of --world, and its length; main() frees it */
  size_t world_size;
  char *dialect_text; /* of --dialect: what is in the file; main() frees it */
} svcd_options;

typedef struct svcd_verb {
  const char *name;
  unsigned bit;     /* which flags are its own: see flags.c */
  int (*run)(const svcd_options *o); /* the status to exit with */
  const char *help; /* one line */
} svcd_verb;

enum { SVCD_SERVE = 1, SVCD_CREDENTIALS = 2, SVCD_VERSION = 4, SVCD_BACKUP = 8, SVCD_RESTORE = 16, SVCD_CHECK = 32, SVCD_OPENAPI = 64,
       SVCD_ENV = 128, SVCD_COPY = 256, SVCD_DRIVER = 512, SVCD_EXPORT = 1024, SVCD_IMPORT = 2048, SVCD_SCHEMA = 4096, SVCD_ROTATE = 8192, SVCD_REPLAY = 16384,
       SVCD_HEALTH = 32768, SVCD_WORLD = 65536 };

extern const svcd_verb svcd_verbs[]; /* closed by one without name; the first is meant where none is named */

/* log.c: a line on standard error, that something has failed: the event is "flags.invalid" with status 2, else "svcd.failed". Returns
** the status. svcd_say: any other line, whatever --log-level is. svcd_print: a line on standard output; label: "" or a word with a colon. */
#define SVCD_TEXT 2048 /* bytes of a message in JSON, at the most; more are cut off */
int svcd_error(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
void svcd_say(int level, const char *event, const char *format, ...) __attribute__((format(printf, 3, 4)));
void svcd_print(const char *event, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* svc_config.log_event, and the listener's: up to the level that the context, --log-level, says; NULL: warnings. */
void svcd_log(void *context, int level, const char *event, const char *text);
/* --log-format json, from here on; and is it? */
void svcd_log_json(int json);
int svcd_log_is_json(void);
/* A line of JSON: members one by one, whose values are made valid UTF-8; then "}" and a line feed, in one write. 0, or -1 with errno. */
typedef struct svcd_line {
  char text[6 * SVCD_TEXT + 512];
  size_t n;
} svcd_line;
void svcd_line_text(svcd_line *l, const char *text); /* as it is */
void svcd_line_member(svcd_line *l, const char *name, const char *value, size_t n);
void svcd_line_time(svcd_line *l, int64_t ms); /* "time", RFC 3339 in UTC with milliseconds: the first member */
int svcd_line_write(svcd_line *l, int fd);
/* A line of the library about its configuration, in the words of the command line: "svc_config.db_scheme must" is --db-scheme. *said becomes 2. */
void svcd_say_flag(void *said, int level, const char *text);

/* flags.c: read the flags of a verb; named 0: it is meant without being named. Returns -1 to go on, or the status to exit with. */
int svcd_parse(svcd_options *o, const svcd_verb *verb, int named, int argc, char **argv);
int svcd_wrong_verb(const char *name);
int svcd_help(const svcd_verb *verb); /* of one verb. Returns the status */
int svcd_help_all(int flags);         /* of all verbs, each in a line, or with its flags. The same */

/*
** config_file.c: the text of a file; NULL, and it has been said why. Then its lines one by one: 0, there are no more. rest and number
** (from 0) go on from line to line; value "": it has none.
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
** credentials.c: have `make` make credentials, and write them to the file that the options name. The secrets exist only in
** that moment, so the file is made before them, and gets its name when it is complete; if it cannot get that, it stays as it
** is. Returns 0; SVCD_SET_UP when `make` says SVC_EXISTS: somebody else has them; else 1, and has said why.
*/
#define SVCD_SET_UP (-1)
int svcd_write_credentials(svc *s, const svcd_options *o, const char *base_url, const char *token,
                           int (*make)(svc *s, const svcd_options *o, svc_credentials *out), svc_credentials *out);
/* Where the credentials are; "": with --memory, nowhere; false: the path is too long, and that has been said. */
int svcd_credentials_path(const svcd_options *o, char path[SVCD_PATH]);
/* What was made, for who is looking; the secrets only if they are asked for. token "": there is none. */
void svcd_greet(const svcd_options *o, const char *base_url, const char *token, const svc_credentials *c, const char *path);

/* store.c: where the store is, into the configuration; of a folder or a URI. Both return 0; else the status, and have said why. */
int svcd_store(const svcd_options *o, svc_config *config);
int svcd_store_at(const char *place, svc_config *config);
int svcd_is_uri(const char *store);
/* upgrade.c: the store of --data or --store to today's format. Returns 0; else the status, and has said why. */
int svcd_upgrade(const svcd_options *o);
/*
** driver.c: the driver that --driver names, or none. Opened before the service; begun when that is open, and before svcd_confine(); stopped
** before it is closed, and closed after it. The first two return 0; else the status to exit with, and have said why.
*/
#define SVCD_EXEC "exec:" /* what --driver begins with where a command follows */
typedef struct svcd_driver {
  driver_postgres *postgres;
  driver_exec *exec;
} svcd_driver;
int svcd_driver_open(const svcd_options *o, svcd_driver *d);
int svcd_driver_begin(const svcd_driver *d, svc *s);
const svc_driver *svcd_driver_of(const svcd_driver *d); /* NULL: none */
void svcd_driver_stop(const svcd_driver *d);
void svcd_driver_close(const svcd_driver *d);
/*
** world.c: the text of what --world names, into the options: -1 to go on, or the status, and it has been said why. The time at which the manual clock
** stands for it; 0: the world says nothing of that, or other flags do. When the store is open, and before anybody is served, what --snapshot and
** --world name into it; set_up: it has organizations. Returns 0; else the status.
*/
typedef struct svcd_world_file {
  const char *name, *text;
} svcd_world_file;
extern const svcd_world_file svcd_world_files[]; /* closed by one without name */
int svcd_world_open(svcd_options *o);
int64_t svcd_world_clock(const svcd_options *o);
int svcd_world_load(svc *s, const svcd_options *o, int set_up);
/* dialect.c: the text of the file that --dialect names, into the options. Returns -1 to go on, or the status, and has said why. */
int svcd_dialect(svcd_options *o);
/* limiter.c: what --limiter names, into the configuration. The same. */
int svcd_limiter(const svcd_options *o, svc_config *config);
int svcd_limiter_answers(const svc_config *config); /* or has nothing to say: does --wait not have to wait for it any longer? */

/* file.c: a file of these bytes, in full or not at all, and readable by nobody else; replace 0: one that is there stays, which is no
** failure. Returns 0, or 1 and has said why. svcd_flush_name: so that a name which was given is on the disk; 0 is good. */
int svcd_put_file(const char *path, const void *bytes, size_t n, int replace);
int svcd_flush_name(const char *path);

/* confine.c: before the threads of the listener begin, and when all that needs privileges is done. */
void svcd_confine(const svcd_options *o);

/* copy.c: what a folder or a URI holds into another, which is empty; compare: only look whether both hold the same. What was read is
** said. Returns the status, and has said why it is not 0. */
int svcd_copy_places(const char *from, const char *to, int compare);

/* backup.c: the same in a process of its own, which a damaged file may end; is there a store in this folder?; is a store whole? */
int svcd_in_child(const svcd_options *o, int (*work)(const svcd_options *o), const char *place);
int svcd_has_store(const char *folder);
int svcd_check_place(const svcd_options *o, const char *place);

/* secret_key.c: the bytes of svc_config.secret_key, from their file, or new ones; and, once they have opened the store, their
** file where there is none. Both return 0; else the status to exit with, and have said why. */
#define SVCD_SECRET_KEY 32
int svcd_secret_key_path(const svcd_options *o, char path[SVCD_PATH]); /* the same; "": with --memory, nowhere */
int svcd_has_secret_key(const svcd_options *o, unsigned char key[SVCD_SECRET_KEY], int *there); /* reads a key, makes none */
int svcd_secret_key(const svcd_options *o, unsigned char key[SVCD_SECRET_KEY], int *new_folder); /* 1: it has made --data */
void svcd_forget_secret_key(const svcd_options *o, int new_folder); /* of a start that failed before there was a store */
int svcd_keep_secret_key(const svcd_options *o, const unsigned char key[SVCD_SECRET_KEY]);
/* The key that takes its place, secret.key.next: read it, where there is one; make it, where there is none. */
int svcd_next_secret_key(const svcd_options *o, unsigned char key[SVCD_SECRET_KEY], int *there);
int svcd_make_next_secret_key(const svcd_options *o);
/* rotate_key.c: what serve does for it now and then. *stopped, at first 0: it has failed, and said so; 0 tries again. Returns after how many
** milliseconds to call it again. */
int svcd_rotate_some(svc *s, const svcd_options *o, int *stopped);

/*
** control.c: the token of test control, "" without --test-control: that of --test-control-token-file or SVCD_TEST_CONTROL_TOKEN, that in
** the file of credentials, or a new one; and, once the store is ready, into that file where it is not there, or another one is. Both return 0; else the status to exit with, and have said why.
*/
#define SVCD_TEST_TOKEN "SVCD_TEST_CONTROL_TOKEN" /* the variable; no flag, so that no list of processes shows it */
int svcd_test_token(const svcd_options *o, char token[SVCD_TOKEN]);
int svcd_keep_test_token(const svcd_options *o, const char *base_url, const char *token);
/* What the flags of tests say, into the configuration; limits: where those of --limit go. SVC_OK, or SVC_INVALID, and it has been said why. */
int svcd_test_config(const svcd_options *o, svc_config *config, svc_limit_override limits[SVCD_LIMITS]);
/* svc_listener_config.handle: `token` is the context. */
int svcd_handle(void *token, svc *s, const svc_request *request, svc_response *response);
/* svc_listener_config.body_limit: a world or a snapshot may be larger than other bodies, of who has the token. */
typedef struct svcd_large {
  const char *token; /* "": test control is off */
  _Atomic int64_t closed; /* svcd_monotonic() until which nobody may, since somebody had a wrong token */
} svcd_large;
size_t svcd_body_limit(void *large, const svc_request *request);

/* Of a page of our own, on this machine: Origin is the origin of this very service. */
int svcd_is_own_page(const svc_request *request);
/* control.c: the library refuses every request with Origin below /_svc/. The console is a page that svcd itself has sent, so svcd vouches for it: *out is
** the request without that header, which stands in `headers`. All other rules of the library hold. Returns 0: it is not such a request. */
#define SVCD_HEADERS 64 /* of a request: the listener refuses more */
int svcd_vouch(const svc_request *request, svc_request *out, svc_header headers[SVCD_HEADERS]);
/* control.c: GET /_svc/worlds, and GET /_svc/worlds/NAME: those that svcd brings along, which are no secret. Returns 0: it is another request. */
int svcd_worlds_takes(const svc_request *request, svc_response *response);

/*
** sign_in.c: the link that signs a browser in. Wanted: by the flags, or because a person looks at standard output. Kept: the credentials that the token is
** made of, those that were just made, or those of the file. Opened: the link is printed, and valid from then on. Takes: 1, and the
** request is answered; 0: it is for somebody else. Pause: forgets what is over; how long to wait for the next call, `pause` at the most.
*/
#define SVCD_SIGN_IN_CODE 64 /* hex digits */
#define SVCD_SIGN_IN_HEADERS 32
typedef struct svcd_sign_in {
  pthread_mutex_t lock; /* of open, until, wrong, hash and client_secret */
  int made;             /* set before the first request, and never changed after it */
  int open, wrong;
  int64_t until; /* svcd_monotonic() */
  unsigned char hash[32];
  char client_id[48], client_secret[96];
  const char *token; /* of test control; "": it is off */
  svc_header headers[SVCD_SIGN_IN_HEADERS]; /* of the one answer that is good */
} svcd_sign_in;
int svcd_sign_in_wanted(const svcd_options *o);
void svcd_sign_in_keep(svcd_sign_in *k, const char *client_id, const char *client_secret);
void svcd_sign_in_read(svcd_sign_in *k, const char *path);
void svcd_sign_in_open(svcd_sign_in *k, const svcd_options *o, const svc_listener *listener);
int svcd_sign_in_takes(svcd_sign_in *k, svc *s, const svc_request *request, svc_response *response);
int svcd_sign_in_pause(svcd_sign_in *k, int pause);

/* url.c: the host of a URL, without brackets, and its length; 0: it has none, or too long a one. */
#define SVCD_HOST 256
size_t svcd_url_host(const char *url, char host[SVCD_HOST]);
int svcd_is_https(const char *url);
/* Who can reach it: nobody, as it is no address; this machine alone; others, at an address, or at all that the machine has. */
enum { SVCD_NOWHERE, SVCD_LOOPBACK, SVCD_ELSEWHERE, SVCD_EVERYWHERE };
int svcd_reach(const char *url);

/* certificate.c: of https URLs; used 0: there are none. */
typedef struct svcd_cert {
  int used, own; /* own: not named by the command line, but ours */
  char cert[SVCD_PATH], key[SVCD_PATH]; /* files */
  int64_t until; /* milliseconds */
  char sha256[96];
} svcd_cert;
/* Look at it, and make it where it is ours and missing or expired. Returns 0; else the status to exit with, and has said why. */
int svcd_certificate(const svcd_options *o, svcd_cert *c);
/* Its fingerprint, on standard output; and a warning, if it is not valid for long. */
void svcd_show_certificate(const svcd_cert *c);

/* metrics.c: svc_listener_config.handle where there is --metrics, with one of these as context; and svc_config.monotonic. */
typedef struct svcd_metrics {
  char *token; /* of test control */
  svcd_large large; /* with the same token */
  svc_listener *listener; /* whose figures are shown: that of the API */
  svcd_sign_in sign_in;
  int here;    /* metrics are where the API is */
  int vouches; /* the console may use test control */
  svc *s;                 /* of --metrics-listen, whose listener calls no svc_tick() and so has none */
  int everybody; /* --metrics-public, or --metrics-listen at an address that others can reach */
  const char *base_url; /* --base-url; NULL: none */
  time_t began;         /* the process */
} svcd_metrics;
int svcd_metrics_handle(void *metrics, svc *s, const svc_request *request, svc_response *response);
int64_t svcd_monotonic(void *context);
/* The listener of --metrics-listen, with `metrics` as context: it answers health and metrics, and nothing else. *out NULL: there is no such
** flag. Returns 0; else the status to exit with, and has said why. */
int svcd_metrics_open(const svcd_options *o, svcd_metrics *metrics, svc_listener **out);

/* access.c: svc_listener_config.access, with one of these; begin with fd -1. Open it, also anew: 0; -1: errno says why not. */
typedef struct svcd_access {
  pthread_mutex_t lock;
  int fd, failed;
} svcd_access;
void svcd_access_note(void *log, const svc_access *a);
int svcd_access_open(svcd_access *k, const char *path);

#endif /* SVCD_H */

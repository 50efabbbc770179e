/*
** The flags of svcd, in a table: what each is called, to which verbs it belongs, where its value goes, which values it may
** have. --help prints the same table.
*/
#define _GNU_SOURCE /* environ, strtok_r */
#include "svcd.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLAG_SET, FLAG_TEXT, FLAG_NUMBER, FLAG_LIST };

typedef struct flags_row {
  const char *name, *value; /* "--data", "DIR" */
  unsigned verbs;
  int kind;
  size_t to;         /* where in svcd_options */
  long least, most;  /* of a number; of a list: how many */
  size_t count;      /* of a list: where its count is */
  const char *help;
} flags_row;

#define FLAGS_TO(member) offsetof(svcd_options, member)
#define FLAGS_BOTH (SVCD_SERVE | SVCD_CREDENTIALS)
#define FLAGS_PLACE (SVCD_BACKUP | SVCD_RESTORE | SVCD_CHECK | SVCD_EXPORT | SVCD_IMPORT | SVCD_ROTATE) /* they take one place, --store or --data */
#define FLAGS_STORE (FLAGS_BOTH | FLAGS_PLACE | SVCD_ENV)

#define FLAGS_OPERAND (SVCD_REPLAY | SVCD_HEALTH) /* verbs that take one argument that is no flag */

static const flags_row flags_rows[] = {
  { "--config", "FILE", FLAGS_STORE | SVCD_OPENAPI | SVCD_DRIVER | SVCD_COPY | SVCD_SCHEMA | SVCD_WORLD, FLAG_TEXT, FLAGS_TO(config), 0, 0, 0,
    "flags from a file, a line each, without the dashes: data = DIR; those of the command line are stronger" },
  { "--data", "DIR", FLAGS_STORE | SVCD_WORLD, FLAG_TEXT, FLAGS_TO(data), 0, 0, 0, "folder of the store; serve and restore make it if it is missing" },
  { "--store", "URI", FLAGS_BOTH | FLAGS_PLACE | SVCD_SCHEMA, FLAG_TEXT, FLAGS_TO(store), 0, 0, 0,
    "the store is in PostgreSQL: postgres://USER@HOST/DATABASE, the password in PGPASSWORD or PGPASSFILE; several svcd may share it,"
    " with one secret key; ?schema=NAME says where the tables are, ?pooler=transaction that PgBouncer is in between, which is found out otherwise;"
    " needs a build WITH=postgres" },
  { "--store-readers", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(store_readers), 1, 256, 0,
    "connections to PostgreSQL that read, made as they are needed; one more writes (16)" },
  { "--store-timeout", "MS", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(store_timeout), 100, 600000, 0,
    "milliseconds after which PostgreSQL has not answered a statement in time (5000)" },
  { "--wait", "SECONDS", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(wait), 1, 86400, 0,
    "how long svcd waits at its start for a PostgreSQL and a Redis that cannot be reached; without this flag, or when the time is up, it ends without"
    " PostgreSQL, and without Redis it starts and limits by itself" },
  { "--from", "DIR", SVCD_RESTORE | SVCD_COPY, FLAG_TEXT, FLAGS_TO(from), 0, 0, 0,
    "folder of what is copied, which nobody may hold; or a URI as that of --store" },
  { "--to", "DIR", SVCD_BACKUP | SVCD_COPY, FLAG_TEXT, FLAGS_TO(to), 0, 0, 0,
    "folder of the copy, made if it is missing, or such a URI; it must not hold a store yet" },
  { "--out", "FILE", SVCD_EXPORT | SVCD_WORLD, FLAG_TEXT, FLAGS_TO(out), 0, 0, 0, "where it goes, a new file, mode 0600 (standard output)" },
  { "--check", "FILE", SVCD_WORLD, FLAG_TEXT, FLAGS_TO(check), 0, 0, 0,
    "write nothing: can this world be loaded? It is, into a store in memory; errors have the line and column; or the name of a world that svcd brings along" },
  { "--in", "FILE", SVCD_IMPORT, FLAG_TEXT, FLAGS_TO(in), 0, 0, 0, "the export that is read (standard input)" },
  { "--with-secrets", NULL, SVCD_EXPORT, FLAG_SET, FLAGS_TO(with_secrets), 0, 0, 0,
    "secrets of other services in clear, so that import seals them by another key; needs the secret key; without this flag they stay sealed" },
  { "--print", NULL, SVCD_SCHEMA, FLAG_SET, FLAGS_TO(print), 0, 0, 0, "print the SQL, and make nothing" },
  { "--upgrade", NULL, SVCD_SERVE | SVCD_CHECK, FLAG_SET, FLAGS_TO(upgrade), 0, 0, 0,
    "a store of an older format becomes one of today's first; a backup of it is made beside it (DIR/format-N-DATE)" },
  { "--verify-only", NULL, SVCD_COPY, FLAG_SET, FLAGS_TO(verify_only), 0, 0, 0, "copy nothing: do both hold the same?" },
  { "--with-key", NULL, SVCD_BACKUP | SVCD_RESTORE, FLAG_SET, FLAGS_TO(with_key), 0, 0, 0,
    "the secret key goes along, as secret.key in the folder of the backup; without it keep the key yourself" },
  { "--force", NULL, SVCD_RESTORE, FLAG_SET, FLAGS_TO(force), 0, 0, 0,
    "restore a backup that has faults, after a line for each; one that cannot be read to its end is still refused" },
  { "--format", "WORD", SVCD_ENV, FLAG_TEXT, FLAGS_TO(format), 0, 0, 0, "sh or json (sh)" },
  { "--for", "NAME", SVCD_ENV, FLAG_TEXT, FLAGS_TO(client), 0, 0, 0,
    "the variables that a well-known client reads, such as terraform; without a name: the clients there are, and their variables (svc)" },
  { "--against", "URL", SVCD_REPLAY, FLAG_TEXT, FLAGS_TO(against), 0, 0, 0,
    "the server that is asked: http://HOST:PORT or https://HOST:PORT" },
  { "--credentials", "FILE", SVCD_REPLAY, FLAG_TEXT, FLAGS_TO(credentials), 0, 0, 0,
    "credentials of that server, a file such as bootstrap.json (the variables"
    " SVC_CLIENT_ID and SVC_CLIENT_SECRET, as svcd env prints them)" },
  { "--cacert", "FILE", SVCD_REPLAY | SVCD_HEALTH, FLAG_TEXT, FLAGS_TO(cacert), 0, 0, 0,
    "certificates that https is verified by, PEM, such as DIR/tls.crt (those of the system)" },
  { "--ignore", "FIELD", SVCD_REPLAY, FLAG_LIST, FLAGS_TO(ignore), 0, SVCD_IGNORE, FLAGS_TO(ignore_count),
    "a field that may differ, by its name (stateName) or its path (results.stateName); may be given several times" },
  { "--json", NULL, SVCD_REPLAY, FLAG_SET, FLAGS_TO(json), 0, 0, 0, "a JSON object for each line" },
  { "--memory", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(memory), 0, 0, 0,
    "no --data: the store is in memory, and gone when svcd ends; with --bootstrap FILE or --show-credentials" },
  { "--listen", "URL", SVCD_SERVE, FLAG_LIST, FLAGS_TO(urls), 0, SVCD_URLS, FLAGS_TO(url_count),
    "http://HOST:PORT or https://HOST:PORT, where HOST is an IP address or localhost; port 0 takes a free port; may be given several times (http://127.0.0.1:8080)" },
  { "--cert", "FILE", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(cert), 0, 0, 0,
    "for https: certificate and those that lead to its authority, PEM (DIR/tls.crt, made, and signed by itself); SIGHUP reads it anew" },
  { "--key", "FILE", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(key), 0, 0, 0, "its key, PEM, not encrypted (DIR/tls.key, made)" },
  { "--plain-http", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(plain_http), 0, 0, 0,
    "allow http on an address beyond this machine: tokens can be read on the way, unless a proxy ends TLS" },
  { "--threads", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(threads), 1, 64, 0, "event-loop threads (1)" },
  { "--writers", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(writers), 1, 256, 0,
    "threads that wait for the disk, at the most; they come when they are needed, and go (16)" },
  { "--bootstrap", "FILE", FLAGS_BOTH | SVCD_ENV, FLAG_TEXT, FLAGS_TO(bootstrap), 0, 0, 0,
    "where credentials are written when they are made (DIR/bootstrap.json)" },
  { "--base-url", "URL", FLAGS_BOTH | SVCD_ENV | SVCD_OPENAPI, FLAG_TEXT, FLAGS_TO(base_url), 0, 0, 0,
    "what links in answers start with (the first --listen URL)" },
  { "--org", "ID", SVCD_CREDENTIALS, FLAG_TEXT, FLAGS_TO(org), 0, 0, 0,
    "the organization that they own (the first there is)" },
  { "--vendor", "WORD", SVCD_SERVE | (FLAGS_PLACE & ~SVCD_ROTATE) | SVCD_COPY | SVCD_OPENAPI | SVCD_DRIVER, FLAG_TEXT, FLAGS_TO(vendor), 0, 0, 0,
    "the word in /api/WORD/v2 and application/vnd.WORD.DATE+json, for the life of a store (the store's; of a new one svc)" },
  { "--dialect", "FILE", SVCD_SERVE | SVCD_OPENAPI, FLAG_TEXT, FLAGS_TO(dialect), 0, 0, 0,
    "other words on the wire for fields, paths, values and error codes: JSON, as svc_config.dialect; it may bring --vendor and --db-scheme" },
  { "--change-dialect", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(change_dialect), 0, 0, 0,
    "the dialect of a store that several svcd share becomes that of --dialect, or none; without this flag an svcd with another one than the store's is refused" },
  { "--db-scheme", "WORD", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(db_scheme), 0, 0, 0,
    "of connection strings: WORD://HOST, WORD+srv://HOST (db); with --driver postgres, postgresql makes such as psql takes" },
  { "--db-domain", "DOMAIN", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(db_domain), 0, 0, 0,
    "what the hosts of clusters end in (db.local)" },
  { "--driver", "NAME", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(driver), 0, 0, 0,
    "what acts on the data plane: postgres runs PostgreSQL on this machine; exec:COMMAND starts a program that speaks JSON lines on"
    " standard input and output, and starts it again when it ends; without a driver the data plane is simulated" },
  { "--driver-folder", "DIR", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(driver_folder), 0, 0, 0,
    "where postgres keeps its servers (DIR/postgres, beside the store)" },
  { "--driver-timeout", "SECONDS", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(driver_timeout), 1, 3600, 0,
    "how long a request waits for a reply of the program that --driver exec: starts, and svcd for its first line (10)" },
  { "--seal-passwords", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(seal_passwords), 0, 0, 0,
    "keep passwords of database users, sealed by the secret key, for drivers of databases without SCRAM; without this flag none is kept" },
  { "--secret-key", "FILE", SVCD_SERVE | FLAGS_PLACE, FLAG_TEXT, FLAGS_TO(secret_key), 0, 0, 0,
    "32 bytes that seal the secrets in the store, made if it is missing (DIR/secret.key): without it they are lost" },
  { "--provision-seconds", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(provision_seconds), 0, 86400, 0,
    "how long a cluster takes to be made; 0: no time at all (10)" },
  { "--no-sync", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(no_sync), 0, 0, 0,
    "do not wait for the disk: a power cut may damage the store" },
  { "--conceal", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(conceal), 0, 0, 0,
    "what a caller has no part in answers 404, as what is not there" },
  { "--enforce-sunset", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(enforce_sunset), 0, 0, 0,
    "an operation answers 410 from its sunset date on; without this flag the Sunset header only announces it" },
  { "--max-projects", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(max_projects), 1, 1000000, 0,
    "projects of an organization (250)" },
  { "--no-card", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(no_card), 0, 0, 0,
    "no organization has a card on file: what costs money is refused" },
  { "--show-credentials", NULL, FLAGS_BOTH, FLAG_SET, FLAGS_TO(show_credentials), 0, 0, 0,
    "print credentials, too, secrets and all, when they are made" },
  { "--sign-in-link", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(sign_in_link), 0, 0, 0,
    "print a link that signs a browser on this machine in to the console, once, within a minute of the start; without this flag svcd prints it only where"
    " standard output is a terminal" },
  { "--trusted-proxy", "ADDR", SVCD_SERVE, FLAG_LIST, FLAGS_TO(proxies), 0, SVCD_PROXIES, FLAGS_TO(proxy_count),
    "a proxy's address or network (10.0.0.0/8): the client is whom its X-Forwarded-For names" },
  { "--max-connections", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(max_connections), 1, 1000000, 0,
    "at a time; then the one that is idle for longest gives way (1024)" },
  { "--max-per-address", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(max_per_address), 1, 1000000, 0,
    "of these, from one address that is no trusted proxy's; then its connection that is idle for longest is closed (a quarter)" },
  { "--limit", "ID=C/R/S", SVCD_SERVE, FLAG_LIST, FLAGS_TO(limits), 0, SVCD_LIMITS, FLAGS_TO(limit_count),
    "another limit for an endpoint set, by its id in GET /rateLimits: capacity, refilled by R every S seconds" },
  { "--limiter", "URI", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(limiter), 0, 0, 0,
    "limits, and nonces of Digest, hold over all svcd that name the same Redis: redis://USER@HOST:PORT/DATABASE, redis+unix://PATH,"
    " redis+sentinel://HOST:PORT,HOST:PORT/MASTER or redis+cluster://HOST:PORT,HOST:PORT; rediss for TLS, with ?ca=FILE&cert=FILE&key=FILE; the"
    " password in REDISCLI_AUTH or ?password_file=PATH; needs a build WITH=redis" },
  { "--limiter-closed", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(limiter_closed), 0, 0, 0,
    "while that does not answer requests are refused with 503; without this flag each svcd limits by itself then" },
  { "--limiter-timeout", "MS", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(limiter_timeout), 1, 60000, 0,
    "milliseconds after which Redis has not answered in time (50)" },
  { "--limiter-off", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(limiter_off), 0, 0, 0, "no request is ever limited" },
  { "--test-control", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(test_control), 0, 0, 0,
    "for tests, on loopback alone: clock, reset, snapshots, faults and journal below /_svc/, by testToken of the bootstrap file" },
  { "--test-control-anywhere", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(test_anywhere), 0, 0, 0,
    "--test-control for every address that can reach svcd, for tests in containers: whoever has the token can do"
    " everything. Pages in browsers are refused" },
  { "--test-control-token-file", "FILE", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(test_token_file), 0, 0, 0,
    "the token of test control, 16 to 256 characters, in place of one that svcd makes; or give it in the variable"
    " SVCD_TEST_CONTROL_TOKEN" },
  { "--test-control-host", "NAME", SVCD_SERVE, FLAG_LIST, FLAGS_TO(test_hosts), 0, SVCD_HOSTS, FLAGS_TO(test_host_count),
    "a name by which --test-control-anywhere may be called, in the Host header; may be given several times (every name"
    " without a dot; IP addresses, localhost and the host of --base-url always)" },
  { "--clock", "WHAT", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(clock), 0, 0, 0,
    "manual: it stands until POST /_svc/clock moves it; or the time it stands at, 2030-01-01T00:00:00Z; needs --test-control" },
  { "--clock-rate", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(clock_rate), 1, 1000000, 0,
    "a clock that starts at --clock (now) and runs N times faster than real time; POST /_svc/clock changes it; needs --test-control" },
  { "--seed", "N", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(seed), 0, 0, 0,
    "for tests, on loopback alone: ids and SECRETS that are the same on every run; who knows N knows them" },
  { "--world", "FILE", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(world), 0, 0, 0,
    "what exists when svcd starts: a file of JSON (docs/worlds.md), or empty, team or company, which svcd brings along; loaded once into a store, known at the"
    " next start; one that moves the clock needs --test-control, and without --clock the clock stands at its \"now\"" },
  { "--snapshot", "FILE", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(snapshot), 0, 0, 0,
    "an empty store begins as the snapshot in this file, from GET /_svc/snapshots/NAME; another store stays as it is" },
  { "--no-explorer", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(no_explorer), 0, 0, 0,
    "no page for browsers at /" },
  { "--no-gzip", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(no_gzip), 0, 0, 0, "no answer is sent as gzip" },
  { "--drain", "SECONDS", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(drain), 0, 3600, 0,
    "how long SIGTERM lets it serve on while /_svc/health says 503 and every answer closes its connection, so that load balancers go elsewhere; a second"
    " SIGTERM, or SIGINT, ends that (5; 0 where only this machine can reach it)" },
  { "--end-with-stdin", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(end_with_stdin), 0, 0, 0,
    "end, as on SIGTERM, when standard input ends: a program that starts svcd with a pipe never leaves it behind, even if the program is killed" },
  { "--metrics", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(metrics), 0, 0, 0,
    "GET /_svc/metrics for Prometheus, from this machine" },
  { "--metrics-public", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(metrics_public), 0, 0, 0, "the same from everywhere" },
  { "--metrics-listen", "ADDRESS", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(metrics_listen), 0, 0, 0,
    "HOST:PORT: metrics at an address of their own, with /_svc/health, by plain HTTP, for whoever can reach it; --listen then answers 404 to /_svc/metrics" },
  { "--access-log", "FILE", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(access_log), 0, 0, 0,
    "a line of JSON for every answer; opened anew at SIGHUP; -: standard output" },
  { "--log-level", "LEVEL", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(log_level), 0, 0, 0,
    "error, warning or info: what goes to standard error (warning)" },
  { "--log-format", "FORMAT", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(log_format), 0, 0, 0,
    "text, or json: a line of JSON with time, level, event and message for each line of the log, and for what standard output says (text)" },
  { "--slow-ms", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(slow_ms), 0, 3600000, 0,
    "milliseconds from which on a request is logged as slow, with what it waited for; 0: none is (1000)" },
};
#define FLAGS_COUNT (sizeof flags_rows / sizeof flags_rows[0])

/* ------------------------------------------------------------------------------------------------------------- help */

enum { FLAGS_WIDTH = 80, FLAGS_INDENT = 27 }; /* columns: of all, and where the text of a flag begins */

/* Text in lines of at most 80 columns: `at` is the column where it begins, `indent` where its other lines do. */
static void flags_wrap(FILE *to, const char *text, int at, int indent)
{
  int first = 1;
  while (*text) {
    int n = (int)strcspn(text, " ");
    if (!first && at + 1 + n >= FLAGS_WIDTH) {
      fprintf(to, "\n%*s", indent, "");
      at = indent;
    } else if (!first) {
      fputc(' ', to);
      at++;
    }
    fprintf(to, "%.*s", n, text);
    at += n;
    first = 0;
    text += n;
    text += strspn(text, " ");
  }
  fputc('\n', to);
}

/* How the command is called: of one verb, or of all. */
static void flags_usage(FILE *to, const svcd_verb *verb)
{
  if (!verb) fputs("usage: svcd --data DIR [FLAG]...\n       svcd VERB [FLAG]...\n", to);
  else fprintf(to, "usage: svcd %s%s [FLAG]...\n", verb->name, verb->bit == SVCD_REPLAY ? " FILE.har" : verb->bit == SVCD_HEALTH ? " [URL]" : "");
}

static void flags_help_head(const svcd_verb *v)
{
  flags_wrap(stdout, v->help, printf("svcd %s: ", v->name), 6);
}

static void flags_help_verb(const svcd_verb *v)
{
  size_t i;
  putchar('\n');
  flags_help_head(v);
  for (i = 0; i < FLAGS_COUNT; i++) {
    const flags_row *row = &flags_rows[i];
    int at;
    if (!(row->verbs & v->bit)) continue;
    at = printf("  %s%s%s ", row->name, row->value ? " " : "", row->value ? row->value : "");
    if (at < FLAGS_INDENT) at += printf("%*s", FLAGS_INDENT - at, "");
    flags_wrap(stdout, row->help, at, FLAGS_INDENT);
  }
}

int svcd_help(const svcd_verb *verb)
{
  flags_usage(stdout, verb);
  flags_help_verb(verb);
  return 0;
}

int svcd_help_all(int flags)
{
  const svcd_verb *v;
  flags_usage(stdout, NULL);
  if (!flags) putchar('\n');
  for (v = svcd_verbs; v->name; v++)
    if (flags) flags_help_verb(v);
    else flags_help_head(v);
  putchar('\n');
  flags_wrap(stdout, "Every flag can be given in the environment, too: SVCD_BASE_URL=URL is --base-url URL, SVCD_LISTEN=\"URL URL\" two --listen, "
             "SVCD_METRICS=true --metrics. The command line is stronger than the environment, and that than the file of --config.", 0, 0);
  if (!flags) printf("\nsvcd VERB --help lists the flags of a verb, svcd help all those of all verbs.\n");
  return 0;
}

/* ------------------------------------------------------------------------------------------------------- did you mean */

#define FLAGS_ENV "SVCD_" /* what the variables of the environment begin with that are flags */
enum { FLAGS_NEAR = 40 }; /* letters of words that are compared */

/* How many letters to insert, drop or replace. */
static size_t flags_distance(const char *a, const char *b)
{
  size_t row[FLAGS_NEAR + 1], n = strlen(b), i, j;
  if (strlen(a) > FLAGS_NEAR || n > FLAGS_NEAR) return FLAGS_NEAR;
  for (j = 0; j <= n; j++) row[j] = j;
  for (i = 1; a[i - 1]; i++) {
    size_t left_above = row[0];
    row[0] = i;
    for (j = 1; j <= n; j++) {
      size_t above = row[j], replace = left_above + (a[i - 1] != b[j - 1]), least = above < row[j - 1] ? above + 1 : row[j - 1] + 1;
      row[j] = least < replace ? least : replace;
      left_above = above;
    }
  }
  return row[n];
}

/* The nearer of two known words; best NULL: none yet. */
static const char *flags_nearer(const char *word, const char *best, const char *known)
{
  size_t most = best ? flags_distance(word, best) : 2 + strlen(word) / 4;
  return flags_distance(word, known) < most ? known : best;
}

static int flags_wrong(const char *flag, const char *what)
{
  return svcd_error(2, "%s%s", flag, what);
}

/* Without --data nothing goes: it may be the first time that somebody calls it. */
static int flags_no_data(const svcd_verb *verb, const char *what)
{
  svcd_error(2, "--data DIR%s", what);
  if (svcd_log_is_json()) return 2;
  flags_usage(stderr, verb->bit == SVCD_SERVE ? NULL : verb);
  fputs("svcd --help lists the verbs, svcd VERB --help their flags\n", stderr);
  return 2;
}

static int flags_unknown(const svcd_verb *verb, const char *flag)
{
  const char *best = NULL;
  size_t i;
  for (i = 0; i < FLAGS_COUNT; i++)
    if (flags_rows[i].verbs & verb->bit) best = flags_nearer(flag, best, flags_rows[i].name);
  if (best) return svcd_error(2, "%s: no such flag; did you mean %s?", flag, best);
  return svcd_error(2, "%s: no such flag; svcd %s --help lists them", flag, verb->name);
}

int svcd_wrong_verb(const char *name)
{
  const char *best = NULL;
  const svcd_verb *v;
  for (v = svcd_verbs; v->name; v++) best = flags_nearer(name, best, v->name);
  if (best) return svcd_error(2, "%s: no such verb; did you mean %s?", name, best);
  return svcd_error(2, "%s: no such verb; svcd --help lists them", name);
}

/* ---------------------------------------------------------------------------------------------------------- reading */

static const flags_row *flags_find(const char *name)
{
  size_t i;
  for (i = 0; i < FLAGS_COUNT; i++)
    if (strcmp(flags_rows[i].name, name) == 0) return &flags_rows[i];
  return NULL;
}

static int flags_number(const flags_row *row, const char *text, long *out)
{
  char why[64], *end;
  errno = 0;
  *out = strtol(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *out >= row->least && *out <= row->most) return 0;
  snprintf(why, sizeof why, ": a number from %ld to %ld", row->least, row->most);
  return flags_wrong(row->name, why);
}

/* Put the value where it belongs. Returns 0, or the status to exit with. */
static int flags_take(svcd_options *o, const flags_row *row, const char *value)
{
  char *to = (char *)o + row->to;
  size_t *count = (size_t *)(void *)((char *)o + row->count);
  if (row->kind == FLAG_NUMBER) return flags_number(row, value, (long *)(void *)to);
  if (!value[0]) return flags_wrong(row->name, ": the value is empty");
  if (row->kind == FLAG_TEXT) {
    *(const char **)(void *)to = value;
    return 0;
  }
  if (*count == (size_t)row->most) return flags_wrong(row->name, ": too many of them");
  ((const char **)(void *)to)[(*count)++] = value;
  return 0;
}

/* Paths are put behind the base URL, by the service and by who reads it from the file of credentials. */
static void flags_trim(char *url)
{
  size_t n = strlen(url);
  while (n && url[n - 1] == '/') url[--n] = '\0';
}

/* What they say of the driver. Returns 0, or the status to exit with. */
static int flags_driver(const svcd_options *o)
{
  const int program = o->driver && strncmp(o->driver, SVCD_EXEC, sizeof SVCD_EXEC - 1) == 0;
  if (program && !o->driver[sizeof SVCD_EXEC - 1]) return flags_wrong("--driver", ": which command? exec:COMMAND");
  if (o->driver && !program && strcmp(o->driver, "postgres") != 0) return flags_wrong("--driver", ": postgres, or exec:COMMAND");
  if (o->driver_folder && (!o->driver || program)) return flags_wrong("--driver-folder", ": is for --driver postgres");
  if (o->driver_timeout && !program) return flags_wrong("--driver-timeout", ": is for --driver exec:COMMAND");
  if (o->memory && o->driver && !program && !o->driver_folder) return flags_wrong("--driver-folder", " is missing");
  return 0;
}

/* A flag that is an option of a URI is put behind it, where it is the last of its name. */
static int flags_option(const char *flag, const char *of, const char **uri, char **text, const char *option, long value)
{
  char *longer;
  if (!value) return 0;
  if (!*uri) return svcd_error(2, "%s: of which %s?", flag, of);
  if (asprintf(&longer, "%s%c%s=%ld", *uri, strchr(*uri, '?') ? '&' : '?', option, value) < 0) return svcd_error(1, "no memory");
  free(*text);
  *uri = *text = longer;
  return 0;
}

static int flags_options(svcd_options *o)
{
  int status = flags_option("--store-readers", "--store", &o->store, &o->store_text, "readers", o->store_readers);
  if (!status) status = flags_option("--store-timeout", "--store", &o->store, &o->store_text, "timeout", o->store_timeout);
  if (!status) status = flags_option("--limiter-timeout", "--limiter", &o->limiter, &o->limiter_text, "timeout", o->limiter_timeout);
  if (!status && o->change_dialect && !o->store) status = flags_wrong("--change-dialect", ": of which --store?");
  if (!status && o->wait && !o->store && !o->limiter) status = flags_wrong("--wait", ": for which --store or --limiter?");
  return status;
}

/* Names of --test-control-host, as the library takes them. */
static int flags_hosts(svcd_options *o)
{
  size_t i;
  for (i = 0; i < o->test_host_count; i++) {
    char *longer;
    if (o->test_hosts[i][strspn(o->test_hosts[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")])
      return svcd_error(2, "--test-control-host %s: a host name without scheme and port, such as svcd or api.test", o->test_hosts[i]);
    if (asprintf(&longer, "%s%s%s", i ? o->hosts_text : "", i ? " " : "", o->test_hosts[i]) < 0) return svcd_error(1, "no memory");
    free(o->hosts_text);
    o->hosts_text = longer;
  }
  return 0;
}

/* What the flags of tests say. */
static int flags_test(svcd_options *o)
{
  size_t i;
  if (o->test_anywhere) o->test_control = 1;
  if (o->test_token_file && !o->test_control)
    return flags_wrong("--test-control-token-file", ": is for --test-control or --test-control-anywhere");
  if (o->test_host_count && !o->test_anywhere) return flags_wrong("--test-control-host", ": is for --test-control-anywhere");
  if (o->clock && !o->test_control) return flags_wrong("--clock", ": nobody can move it without --test-control");
  if (o->clock_rate && !o->test_control) return flags_wrong("--clock-rate", ": is for tests, with --test-control");
  for (i = 0; i < o->url_count; i++)
    if ((o->test_control || o->seed) && !o->test_anywhere && svcd_reach(o->urls[i]) != SVCD_LOOPBACK)
      return svcd_error(2, "%s can be reached by others: --test-control and --seed are for loopback alone, unless --test-control-anywhere"
                        " opens them", o->urls[i]);
  return flags_hosts(o);
}

/* A link that nobody can open is not asked for by intention. */
static int flags_link(const svcd_options *o)
{
  size_t i;
  if (!o->sign_in_link) return 0;
  if (o->no_explorer) return flags_wrong("--sign-in-link", ": with --no-explorer there is no page to sign in to");
  if (svcd_log_is_json()) return flags_wrong("--sign-in-link", ": a link that signs in does not belong into a log, --log-format json");
  for (i = 0; i < o->url_count; i++)
    if (svcd_reach(o->urls[i]) == SVCD_LOOPBACK) return 0;
  return flags_wrong("--sign-in-link", ": is for a browser on this machine: --listen http://127.0.0.1:PORT is missing");
}

/* What the flags say together. */
static int flags_check(svcd_options *o, const svcd_verb *verb)
{
  size_t i, secure = 0;
  if (verb->bit == SVCD_SERVE && !o->data && !o->memory)
    return flags_no_data(verb, o->store ? " is missing: the folder of the key and the credentials" : " is missing, or --memory");
  if (verb->bit & FLAGS_STORE && !o->data && !o->memory && !(verb->bit == SVCD_ENV && (o->bootstrap || (o->client && !*o->client))) && !(verb->bit & FLAGS_PLACE && o->store && (verb->bit != SVCD_ROTATE || o->secret_key)))
    return flags_no_data(verb, " is missing");
  if (verb->bit == SVCD_REPLAY && !o->operand) return flags_wrong("replay", ": which archive? svcd replay FILE.har --against URL");
  if (verb->bit == SVCD_REPLAY && !o->against) return flags_wrong("--against URL", " is missing: the server that is asked");
  if (verb->bit == SVCD_WORLD && !o->data == !o->check) return flags_wrong("--data DIR", o->data ? ": or --check FILE, not both" : " is missing, or --check FILE");
  if (verb->bit == SVCD_SCHEMA && !o->store && !o->print) return flags_wrong("--store URI", " is missing");
  if (verb->bit & (SVCD_BACKUP | SVCD_COPY) && !o->to) return flags_wrong("--to DIR", " is missing");
  if (verb->bit & (SVCD_RESTORE | SVCD_COPY) && !o->from) return flags_wrong("--from DIR", " is missing");
  if (o->with_key && !o->data && !o->secret_key) return flags_wrong("--with-key", ": which one? --data DIR, or --secret-key FILE");
  if (o->with_key && svcd_is_uri(o->to ? o->to : o->from)) return flags_wrong("--with-key", ": a database is no place for it");
  if (o->format && strcmp(o->format, "sh") != 0 && strcmp(o->format, "json") != 0) return flags_wrong("--format", ": sh or json");
  if (o->memory && o->data) return flags_wrong("--memory", ": there is no --data then");
  if (o->store && o->memory) return flags_wrong("--memory", ": there is no --store then");
  if (o->store && !svcd_is_uri(o->store)) return flags_wrong("--store", ": postgres://USER@HOST/DATABASE; a folder is --data DIR");
  if (o->limiter_closed && !o->limiter) return flags_wrong("--limiter-closed", ": of which --limiter?");
  if (o->memory && !o->bootstrap && !o->show_credentials)
    return flags_wrong("--memory", ": where do the credentials go? --bootstrap FILE, or --show-credentials");
  if (o->log_level && strcmp(o->log_level, "error") != 0 && strcmp(o->log_level, "warning") != 0 && strcmp(o->log_level, "info") != 0)
    return flags_wrong("--log-level", ": error, warning or info");
  if (o->metrics_public || o->metrics_listen) o->metrics = 1;
  if (o->metrics_public && o->metrics_listen) return flags_wrong("--metrics-public", ": the address of --metrics-listen says who may ask");
  if (o->log_format && strcmp(o->log_format, "text") != 0 && strcmp(o->log_format, "json") != 0) return flags_wrong("--log-format", ": text or json");
  if (svcd_log_is_json() && o->show_credentials) return flags_wrong("--show-credentials", ": secrets do not belong into a log, --log-format json: --bootstrap FILE");
  if (flags_driver(o) != 0 || flags_options(o) != 0) return 2;
  if (o->url_count == 0) o->urls[o->url_count++] = "http://127.0.0.1:8080";
  for (i = 0; i < o->url_count; i++) secure += svcd_is_https(o->urls[i]) != 0;
  if (!o->cert != !o->key) return flags_wrong(o->cert ? "--cert" : "--key", ": --cert and --key go together");
  if (o->cert && !secure) return flags_wrong("--cert", ": for which https URL? There is no such --listen");
  if (o->memory && secure && !o->cert) return flags_wrong("--memory", ": there is no folder to keep a certificate in: --cert and --key");
  return flags_link(o) == 0 && flags_test(o) == 0 ? -1 : 2;
}

/* Which lists the command line has begun: the first of them replaces what the file says. */
static int flags_give(svcd_options *o, const flags_row *row, char *value, char *begun)
{
  if (begun && row->kind == FLAG_LIST && !begun[row - flags_rows]) {
    *(size_t *)(void *)((char *)o + row->count) = 0;
    begun[row - flags_rows] = 1;
  }
  if (row->to == FLAGS_TO(base_url)) flags_trim(value);
  if (row->to == FLAGS_TO(log_format)) svcd_log_json(strcmp(value, "json") == 0);
  return flags_take(o, row, value);
}

static int flags_bad_line(const char *path, int line, const char *name, const char *what)
{
  return svcd_error(2, "%s:%d: %s%s", path, line, name, what);
}

static int flags_line(svcd_options *o, const svcd_verb *verb, int line, const char *name, char *value)
{
  char flag[48];
  const flags_row *row;
  int set = value[0] == '\0' || strcmp(value, "true") == 0;
  row = snprintf(flag, sizeof flag, "--%s", name) < (int)sizeof flag ? flags_find(flag) : NULL;
  if (!row || row->to == FLAGS_TO(config)) return flags_bad_line(o->config, line, name, ": no such flag");
  if (row->kind == FLAG_SET && !set && strcmp(value, "false") != 0) return flags_bad_line(o->config, line, name, ": true or false, or nothing");
  if (row->kind != FLAG_SET && !value[0]) return flags_bad_line(o->config, line, name, " needs a value");
  if (!(row->verbs & verb->bit)) return 0;
  if (row->kind == FLAG_SET) {
    *(int *)(void *)((char *)o + row->to) = set;
    return 0;
  }
  if (flags_give(o, row, value, NULL) == 0) return 0;
  return flags_bad_line(o->config, line, name, " is refused, as is said above");
}

/* What --config names is read before the flags, wherever it stands. Returns 0, or the status to exit with. */
static int flags_config(svcd_options *o, const svcd_verb *verb, int argc, char **argv)
{
  char *rest, *name, *value;
  int i, line = 0, status = 0;
  o->config = getenv(FLAGS_ENV "CONFIG");
  if (o->config && !*o->config) o->config = NULL;
  for (i = 1; i + 1 < argc; i++) {
    const flags_row *row = flags_find(argv[i]);
    if (row && row->to == FLAGS_TO(config)) o->config = argv[i + 1];
    if (row && row->kind != FLAG_SET) i++;
  }
  if (!o->config || !(flags_find("--config")->verbs & verb->bit)) return 0;
  rest = o->config_text = svcd_config_read(o->config);
  if (!rest) return 2;
  while (status == 0 && svcd_config_line(&rest, &line, &name, &value)) status = flags_line(o, verb, line, name, value);
  return status;
}

/* ------------------------------------------------------------------------------------------------------ the environment */


/* "SVCD_BASE_URL" of "--base-url". */
static void flags_env_name(const char *flag, char out[FLAGS_NEAR + 1])
{
  size_t n = (size_t)snprintf(out, FLAGS_NEAR + 1, FLAGS_ENV "%s", flag + 2), i;
  for (i = 0; i < n && i < FLAGS_NEAR; i++) out[i] = out[i] == '-' ? '_' : (char)toupper((unsigned char)out[i]);
}

static const flags_row *flags_env_row(const char *name)
{
  char known[FLAGS_NEAR + 1];
  size_t i;
  for (i = 0; i < FLAGS_COUNT; i++) {
    flags_env_name(flags_rows[i].name, known);
    if (strcmp(known, name) == 0) return &flags_rows[i];
  }
  return NULL;
}

static int flags_env_unknown(const char *name)
{
  char best[FLAGS_NEAR + 1] = "", known[FLAGS_NEAR + 1];
  size_t i;
  for (i = 0; i < FLAGS_COUNT; i++) {
    flags_env_name(flags_rows[i].name, known);
    if (flags_nearer(name, best[0] ? best : NULL, known) == known) strcpy(best, known);
  }
  if (best[0]) return svcd_error(2, "%s in the environment: no such flag; did you mean %s?", name, best);
  return svcd_error(2, "%s in the environment: no such flag", name);
}

/* Kubernetes tells every container of a Service that is called svcd by such variables. */
static int flags_env_is_link(const char *name)
{
  return strncmp(name, FLAGS_ENV "SERVICE_", 13) == 0 || strcmp(name, FLAGS_ENV "PORT") == 0 || strncmp(name, FLAGS_ENV "PORT_", 10) == 0;
}

/* One that is a list has its values between white space. They stay where they are: a list is cut in its place. */
static int flags_env_take(svcd_options *o, const flags_row *row, char *value, char *begun)
{
  char *rest = NULL;
  int status = 0, set = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
  if (row->kind == FLAG_SET && !set && strcmp(value, "false") != 0 && strcmp(value, "0") != 0) return flags_wrong(row->name, ": true or false");
  if (row->kind == FLAG_SET) *(int *)(void *)((char *)o + row->to) = set;
  if (row->kind == FLAG_TEXT || row->kind == FLAG_NUMBER) status = flags_give(o, row, value, begun);
  if (row->kind != FLAG_LIST) return status;
  for (value = strtok_r(value, " \t\r\n", &rest); value && status == 0; value = strtok_r(NULL, " \t\r\n", &rest))
    status = flags_give(o, row, value, begun);
  return status;
}

/* Every flag, as SVCD_ and its name: stronger than a line of --config, weaker than the command line. An empty one says nothing. */
static int flags_env(svcd_options *o, const svcd_verb *verb)
{
  char begun[FLAGS_COUNT] = "", name[FLAGS_NEAR + 1];
  int i, status = 0;
  for (i = 0; status == 0 && environ[i]; i++) {
    const size_t n = strcspn(environ[i], "=");
    char *value = environ[i] + n + (environ[i][n] != 0);
    const flags_row *row;
    if (strncmp(environ[i], FLAGS_ENV, sizeof FLAGS_ENV - 1) != 0) continue;
    snprintf(name, sizeof name, "%.*s", (int)n, environ[i]);
    row = flags_env_row(name);
    if (!row && (flags_env_is_link(name) || strcmp(name, SVCD_TEST_TOKEN) == 0)) continue;
    if (!row) return flags_env_unknown(name);
    if (!(row->verbs & verb->bit) || !value[0] || row->to == FLAGS_TO(config)) continue;
    if (flags_env_take(o, row, value, begun) != 0) status = svcd_error(2, "%s in the environment is refused, as is said above", name);
  }
  return status;
}

/* Known before anything else is read: a flag that is refused is told in this format, too. */
static void flags_log_format(const svcd_verb *verb, int argc, char **argv)
{
  const char *format = getenv(FLAGS_ENV "LOG_FORMAT");
  int i;
  for (i = 1; i + 1 < argc; i++)
    if (strcmp(argv[i], "--log-format") == 0) format = argv[i + 1];
  svcd_log_json(verb->bit == SVCD_SERVE && format && strcmp(format, "json") == 0);
}

int svcd_parse(svcd_options *o, const svcd_verb *verb, int named, int argc, char **argv)
{
  char begun[FLAGS_COUNT] = "";
  int i, status;
  memset(o, 0, sizeof *o);
  o->provision_seconds = o->drain = o->slow_ms = -1;
  for (i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return named ? svcd_help(verb) : svcd_help_all(0);
    if (strcmp(argv[i], "--version") == 0) return printf("svcd %s\n", svc_version()) < 0;
  }
  flags_log_format(verb, argc, argv);
  status = flags_config(o, verb, argc, argv);
  if (!status) status = flags_env(o, verb);
  if (status) return status;
  for (i = 1; i < argc; i++) {
    const flags_row *row = flags_find(argv[i]);
    if (!row && argv[i][0] != '-' && verb->bit & FLAGS_OPERAND && !o->operand) {
      o->operand = argv[i];
      continue;
    }
    if (!row) return flags_unknown(verb, argv[i]);
    if (!(row->verbs & verb->bit)) return svcd_error(2, "%s: not a flag of this verb; svcd %s --help lists those", argv[i], verb->name);
    if (row->kind == FLAG_SET) {
      *(int *)(void *)((char *)o + row->to) = 1;
      continue;
    }
    if (i + 1 == argc && row->to == FLAGS_TO(client)) {
      o->client = ""; /* which are there? */
      continue;
    }
    if (i + 1 == argc) return flags_wrong(argv[i], " needs a value");
    status = flags_give(o, row, argv[i + 1], begun);
    if (status) return status;
    i++;
  }
  return flags_check(o, verb);
}

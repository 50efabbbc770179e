/*
** The flags of svcd, in one table: name, verbs, member of svcd_options, allowed values and help. --help, the man page, the
** configuration file and the variables SVCD_... use the same table.
**
** The rule: svcd checks all flags, alone and together, before it opens anything. A wrong flag ends it with status 2.
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
  size_t to;         /* offset of its member in svcd_options */
  long least, most;  /* bounds of a number; most values of a list */
  size_t count;      /* offset of the count of a list */
  const char *help;
} flags_row;

#define FLAGS_TO(member) offsetof(svcd_options, member)
#define FLAGS_BOTH (SVCD_SERVE | SVCD_CREDENTIALS)
#define FLAGS_PLACE (SVCD_BACKUP | SVCD_RESTORE | SVCD_CHECK | SVCD_EXPORT | SVCD_IMPORT | SVCD_ROTATE) /* verbs that take either --store or --data */
#define FLAGS_STORE (FLAGS_BOTH | FLAGS_PLACE | SVCD_ENV)

#define FLAGS_OPERAND (SVCD_REPLAY | SVCD_HEALTH) /* verbs that take one argument without dashes */

static const flags_row flags_rows[] = {
  { "--config", "FILE", FLAGS_STORE | SVCD_OPENAPI | SVCD_DRIVER | SVCD_COPY | SVCD_SCHEMA | SVCD_WORLD, FLAG_TEXT, FLAGS_TO(config), 0, 0, 0,
    "read flags from FILE, one per line without dashes: data = DIR; flags of the command line and the environment take precedence" },
  { "--data", "DIR", FLAGS_STORE | SVCD_WORLD, FLAG_TEXT, FLAGS_TO(data), 0, 0, 0,
    "folder of the store; serve, restore and import create it if it is missing; with --store, the folder of the secret key, the credentials and"
    " the certificate" },
  { "--store", "URI", FLAGS_BOTH | FLAGS_PLACE | SVCD_SCHEMA, FLAG_TEXT, FLAGS_TO(store), 0, 0, 0,
    "keep the store in PostgreSQL: postgres://USER@HOST/DATABASE, with the password in PGPASSWORD or PGPASSFILE; several svcd with"
    " the same secret key may share it; ?schema=NAME selects the schema of the tables, ?pooler=transaction announces PgBouncer"
    " (default: detected); needs a build WITH=postgres" },
  { "--store-readers", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(store_readers), 1, 256, 0,
    "connections to PostgreSQL for reads, opened on demand; one more writes (default 16)" },
  { "--store-timeout", "MS", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(store_timeout), 100, 600000, 0,
    "milliseconds that PostgreSQL may take for a statement (default 5000)" },
  { "--wait", "SECONDS", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(wait), 1, 86400, 0,
    "seconds that svcd waits at its start for an unreachable PostgreSQL or Redis; if PostgreSQL is still unreachable then, svcd exits;"
    " if only Redis is, svcd starts and limits by itself (default: no wait)" },
  { "--from", "DIR", SVCD_RESTORE | SVCD_COPY, FLAG_TEXT, FLAGS_TO(from), 0, 0, 0,
    "source: a folder whose svcd is stopped, or a URI as for --store" },
  { "--to", "DIR", SVCD_BACKUP | SVCD_COPY, FLAG_TEXT, FLAGS_TO(to), 0, 0, 0,
    "folder of the copy, created if missing, or a URI as for --store; it must not hold a store yet" },
  { "--out", "FILE", SVCD_EXPORT | SVCD_WORLD, FLAG_TEXT, FLAGS_TO(out), 0, 0, 0,
    "write to a new file with mode 0600 (default: standard output)" },
  { "--check", "FILE", SVCD_WORLD, FLAG_TEXT, FLAGS_TO(check), 0, 0, 0,
    "check a world without writing anything, by loading it into a store in memory; FILE may also be the name of a built-in world;"
    " errors have line and column" },
  { "--in", "FILE", SVCD_IMPORT, FLAG_TEXT, FLAGS_TO(in), 0, 0, 0, "the export to read (default: standard input)" },
  { "--with-secrets", NULL, SVCD_EXPORT, FLAG_SET, FLAGS_TO(with_secrets), 0, 0, 0,
    "write secrets of other services in clear, so that import can seal them with another key; needs the secret key (default: they"
    " stay sealed)" },
  { "--print", NULL, SVCD_SCHEMA, FLAG_SET, FLAGS_TO(print), 0, 0, 0, "print the SQL without running it" },
  { "--upgrade", NULL, SVCD_SERVE | SVCD_CHECK, FLAG_SET, FLAGS_TO(upgrade), 0, 0, 0,
    "upgrade a store of an older format first, after a backup beside it (DIR/format-N-DATE)" },
  { "--verify-only", NULL, SVCD_COPY, FLAG_SET, FLAGS_TO(verify_only), 0, 0, 0, "compare both stores without copying" },
  { "--with-key", NULL, SVCD_BACKUP | SVCD_RESTORE, FLAG_SET, FLAGS_TO(with_key), 0, 0, 0,
    "copy the secret key, too: backup writes it to secret.key in the folder of the backup, restore reads it there (default: keep the key"
    " yourself)" },
  { "--force", NULL, SVCD_RESTORE, FLAG_SET, FLAGS_TO(force), 0, 0, 0,
    "restore a backup that has problems, after a line for each; an unreadable backup is still refused" },
  { "--format", "WORD", SVCD_ENV, FLAG_TEXT, FLAGS_TO(format), 0, 0, 0, "output format: sh or json (default sh)" },
  { "--for", "NAME", SVCD_ENV, FLAG_TEXT, FLAGS_TO(client), 0, 0, 0,
    "print the variables of a well-known client, such as terraform; without a name, list the clients and their variables (default"
    " svc)" },
  { "--against", "URL", SVCD_REPLAY, FLAG_TEXT, FLAGS_TO(against), 0, 0, 0,
    "server to send the requests to: http://HOST:PORT or https://HOST:PORT" },
  { "--credentials", "FILE", SVCD_REPLAY, FLAG_TEXT, FLAGS_TO(credentials), 0, 0, 0,
    "file with the credentials of that server, such as bootstrap.json (default: the variables SVC_CLIENT_ID and SVC_CLIENT_SECRET,"
    " as svcd env prints them)" },
  { "--cacert", "FILE", SVCD_REPLAY | SVCD_HEALTH, FLAG_TEXT, FLAGS_TO(cacert), 0, 0, 0,
    "PEM file with the certificates that verify https, such as DIR/tls.crt (default: the system's)" },
  { "--ignore", "FIELD", SVCD_REPLAY, FLAG_LIST, FLAGS_TO(ignore), 0, SVCD_IGNORE, FLAGS_TO(ignore_count),
    "field that may differ, by name (stateName) or path (results.stateName); repeatable" },
  { "--json", NULL, SVCD_REPLAY, FLAG_SET, FLAGS_TO(json), 0, 0, 0, "print each line as a JSON object" },
  { "--memory", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(memory), 0, 0, 0,
    "keep the store in memory instead of --data; it is lost when svcd ends; needs --bootstrap FILE or --show-credentials" },
  { "--listen", "URL", SVCD_SERVE, FLAG_LIST, FLAGS_TO(urls), 0, SVCD_URLS, FLAGS_TO(url_count),
    "http://HOST:PORT or https://HOST:PORT, where HOST is an IP address or localhost; port 0 takes a free port; repeatable (default"
    " http://127.0.0.1:8080)" },
  { "--cert", "FILE", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(cert), 0, 0, 0,
    "PEM file with the certificate of https and its chain; SIGHUP reloads it (default DIR/tls.crt, created as a self-signed"
    " certificate)" },
  { "--key", "FILE", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(key), 0, 0, 0,
    "PEM file with the key of --cert, not encrypted (default DIR/tls.key, created)" },
  { "--plain-http", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(plain_http), 0, 0, 0,
    "allow http on an address that other machines reach: anyone on the network can read tokens, unless a proxy terminates TLS" },
  { "--threads", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(threads), 1, 64, 0, "number of event-loop threads (default 1)" },
  { "--writers", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(writers), 1, 256, 0,
    "largest number of threads for changes and sign-ins, and of those for reads that wait for a database; they start on demand and end"
    " when idle (default 16)" },
  { "--questions", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(questions), 1, 1024, 0,
    "most questions to the driver at a time, each on a thread of its own; one organization has at most a quarter of them, and further"
    " requests get 503 (default 32)" },
  { "--bootstrap", "FILE", FLAGS_BOTH | SVCD_ENV, FLAG_TEXT, FLAGS_TO(bootstrap), 0, 0, 0,
    "file for new credentials (default DIR/bootstrap.json)" },
  { "--base-url", "URL", FLAGS_BOTH | SVCD_ENV | SVCD_OPENAPI, FLAG_TEXT, FLAGS_TO(base_url), 0, 0, 0,
    "URL that links in answers start with (default: the first --listen URL)" },
  { "--org", "ID", SVCD_CREDENTIALS, FLAG_TEXT, FLAGS_TO(org), 0, 0, 0,
    "id of the organization that the new credentials own (default: the first one)" },
  { "--vendor", "WORD", SVCD_SERVE | (FLAGS_PLACE & ~SVCD_ROTATE) | SVCD_COPY | SVCD_OPENAPI | SVCD_DRIVER, FLAG_TEXT, FLAGS_TO(vendor), 0, 0, 0,
    "word in /api/WORD/v2 and application/vnd.WORD.DATE+json; a store keeps its word for life (default: the store's word, svc for a"
    " new store)" },
  { "--dialect", "FILE", SVCD_SERVE | SVCD_OPENAPI, FLAG_TEXT, FLAGS_TO(dialect), 0, 0, 0,
    "JSON file with other words for fields, paths, values and error codes, as in svc_config.dialect; it may set --vendor and"
    " --db-scheme" },
  { "--change-dialect", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(change_dialect), 0, 0, 0,
    "replace the dialect of a shared store by that of --dialect, or by none (default: svcd with a dialect other than the store's"
    " does not start)" },
  { "--db-scheme", "WORD", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(db_scheme), 0, 0, 0,
    "scheme of connection strings: WORD://HOST, WORD+srv://HOST; use postgresql with --driver postgres to get strings for psql"
    " (default db)" },
  { "--db-domain", "DOMAIN", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(db_domain), 0, 0, 0, "domain of the clusters' hosts (default db.local)" },
  { "--driver", "NAME", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(driver), 0, 0, 0,
    "program that acts on the data plane: postgres runs PostgreSQL on this machine; exec:COMMAND starts a program that exchanges"
    " JSON lines over standard input and output, and restarts it when it ends (default: a simulated data plane)" },
  { "--driver-folder", "DIR", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(driver_folder), 0, 0, 0,
    "folder of the servers of --driver postgres (default DIR/postgres, beside the store)" },
  { "--driver-timeout", "SECONDS", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(driver_timeout), 1, 3600, 0,
    "seconds that a request waits for a reply of --driver exec:COMMAND, and svcd for its first line (default 10)" },
  { "--seal-passwords", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(seal_passwords), 0, 0, 0,
    "store passwords of database users, sealed with the secret key, for drivers of databases without SCRAM (default: passwords are"
    " not stored)" },
  { "--secret-key", "FILE", SVCD_SERVE | FLAGS_PLACE, FLAG_TEXT, FLAGS_TO(secret_key), 0, 0, 0,
    "file with the 32 bytes that seal the secrets in the store; svcd creates it for a new store, and does not start on a store whose"
    " secrets another key has sealed (default DIR/secret.key)" },
  { "--provision-seconds", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(provision_seconds), 0, 86400, 0,
    "seconds that a cluster takes to be created; 0: no time at all (default 10)" },
  { "--no-sync", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(no_sync), 0, 0, 0, "do not wait for the disk: a power cut may damage the store" },
  { "--disk-reserve", "KIB", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(disk_reserve), 0, 1048576, 0,
    "KiB of the file DIR/svcapi.reserve, whose room lets deletes work on a full disk; 0: no such file (default 256)" },
  { "--conceal", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(conceal), 0, 0, 0,
    "answer 404 instead of 401 if the caller has no role at all on a resource, so that its existence stays hidden" },
  { "--enforce-sunset", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(enforce_sunset), 0, 0, 0,
    "answer 410 from the sunset date of a dated version on (default: the Sunset header only announces the date)" },
  { "--max-projects", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(max_projects), 1, 1000000, 0, "projects per organization (default 250)" },
  { "--no-card", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(no_card), 0, 0, 0,
    "no organization has a payment card: requests that cost money are refused" },
  { "--show-credentials", NULL, FLAGS_BOTH, FLAG_SET, FLAGS_TO(show_credentials), 0, 0, 0,
    "also print new credentials, including their secrets" },
  { "--sign-in-link", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(sign_in_link), 0, 0, 0,
    "print a link that signs a browser on this machine in to the console, once, within a minute of the start (default: only if"
    " standard output is a terminal)" },
  { "--trusted-proxy", "ADDR", SVCD_SERVE, FLAG_LIST, FLAGS_TO(proxies), 0, SVCD_PROXIES, FLAGS_TO(proxy_count),
    "address or network of a proxy, such as 10.0.0.0/8, whose X-Forwarded-For names the client; repeatable" },
  { "--max-connections", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(max_connections), 1, 1000000, 0,
    "connections at a time; a further one closes the longest idle one (default 1024)" },
  { "--max-per-address", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(max_per_address), 1, 1000000, 0,
    "connections of one address other than a trusted proxy; a further one closes the longest idle one of that address (default: a"
    " quarter of --max-connections)" },
  { "--limit", "ID=CAPACITY/REFILL/SECONDS", SVCD_SERVE, FLAG_LIST, FLAGS_TO(limits), 0, SVCD_LIMITS, FLAGS_TO(limit_count),
    "different rate limit for an endpoint set, by its id (docs/limits.md, GET /rateLimits): a bucket of CAPACITY tokens that gets"
    " REFILL tokens every SECONDS; repeatable" },
  { "--limiter", "URI", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(limiter), 0, 0, 0,
    "share rate limits and Digest nonces with all svcd that name the same Redis: redis://USER@HOST:PORT/DATABASE, redis+unix://PATH,"
    " redis+sentinel://HOST:PORT,HOST:PORT/MASTER or redis+cluster://HOST:PORT,HOST:PORT; rediss for TLS, with"
    " ?ca=FILE&cert=FILE&key=FILE; password in REDISCLI_AUTH or ?password_file=PATH; needs a build WITH=redis" },
  { "--limiter-closed", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(limiter_closed), 0, 0, 0,
    "answer 503 while the Redis of --limiter does not answer (default: each svcd limits by itself)" },
  { "--limiter-timeout", "MS", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(limiter_timeout), 1, 60000, 0,
    "milliseconds that Redis may take to answer (default 50)" },
  { "--limiter-off", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(limiter_off), 0, 0, 0, "turn off rate limits, and the brake on sign-ins" },
  { "--test-control", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(test_control), 0, 0, 0,
    "for tests, on loopback only: serve clock, reset, snapshots, faults and journal below /_svc/, to the testToken of the bootstrap"
    " file" },
  { "--test-control-anywhere", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(test_anywhere), 0, 0, 0,
    "--test-control for every address that can reach svcd, for tests in containers: anyone with the token can do everything; web"
    " pages are refused" },
  { "--test-control-token-file", "FILE", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(test_token_file), 0, 0, 0,
    "file with the token of test control, 16 to 256 characters; the variable SVCD_TEST_CONTROL_TOKEN works, too (default: svcd"
    " creates a token)" },
  { "--test-control-host", "NAME", SVCD_SERVE, FLAG_LIST, FLAGS_TO(test_hosts), 0, SVCD_HOSTS, FLAGS_TO(test_host_count),
    "accept only these host names in the Host header with --test-control-anywhere; repeatable (default: every name without a dot);"
    " IP addresses, localhost and the host of --base-url are always accepted" },
  { "--clock", "WHAT", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(clock), 0, 0, 0,
    "manual: the clock stands until POST /_svc/clock moves it; a time such as 2030-01-01T00:00:00Z: it stands at that time; needs"
    " --test-control" },
  { "--clock-rate", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(clock_rate), 1, 1000000, 0,
    "start the clock at --clock (default: now) and run it N times faster than real time; POST /_svc/clock changes it; needs"
    " --test-control" },
  { "--seed", "N", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(seed), 0, 0, 0,
    "for tests, on loopback or with --test-control-anywhere: the same ids and SECRETS on every run; anyone who knows N can compute them" },
  { "--world", "FILE", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(world), 0, 0, 0,
    "what exists when svcd starts: a JSON file (docs/worlds.md), or a built-in world: empty, team or company; svcd loads it into a"
    " store once; a world with \"now\" or \"then\" needs --test-control, and without --clock the manual clock starts at its \"now\"" },
  { "--snapshot", "FILE", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(snapshot), 0, 0, 0,
    "start an empty store from the snapshot in FILE, as of GET /_svc/snapshots/NAME; other stores stay unchanged" },
  { "--no-explorer", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(no_explorer), 0, 0, 0, "do not serve the console at /" },
  { "--no-gzip", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(no_gzip), 0, 0, 0, "do not compress answers" },
  { "--drain", "SECONDS", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(drain), 0, 3600, 0,
    "seconds that svcd continues to serve after SIGTERM, while /_svc/health answers 503 and each answer closes its connection, so"
    " that load balancers go elsewhere; a second SIGTERM, or SIGINT, ends that (default 5; 0 if only this machine can reach svcd)" },
  { "--end-with-stdin", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(end_with_stdin), 0, 0, 0,
    "end as on SIGTERM when standard input ends: a program that starts svcd with a pipe never leaves it behind, even if the program"
    " is killed" },
  { "--metrics", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(metrics), 0, 0, 0, "serve GET /_svc/metrics for Prometheus to this machine" },
  { "--metrics-public", NULL, SVCD_SERVE, FLAG_SET, FLAGS_TO(metrics_public), 0, 0, 0, "serve the metrics to everyone" },
  { "--metrics-listen", "ADDRESS", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(metrics_listen), 0, 0, 0,
    "serve metrics and /_svc/health at HOST:PORT over plain HTTP, to everyone who can reach it; --listen then answers 404 to"
    " /_svc/metrics" },
  { "--access-log", "FILE", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(access_log), 0, 0, 0,
    "write a line of JSON for every answer; SIGHUP reopens the file; -: standard output" },
  { "--log-level", "LEVEL", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(log_level), 0, 0, 0,
    "lowest level that goes to standard error: error, warning or info (default warning)" },
  { "--log-format", "FORMAT", SVCD_SERVE, FLAG_TEXT, FLAGS_TO(log_format), 0, 0, 0,
    "text, or json: each line of the log and of standard output is a JSON object with time, level, event and message (default text)" },
  { "--slow-ms", "N", SVCD_SERVE, FLAG_NUMBER, FLAGS_TO(slow_ms), 0, 3600000, 0,
    "log requests that take at least N milliseconds, with where they waited; 0: off (default 1000)" },
};
#define FLAGS_COUNT (sizeof flags_rows / sizeof flags_rows[0])

/* ------------------------------------------------------------------------------------------------------------- help */

enum { FLAGS_WIDTH = 80, FLAGS_INDENT = 27 }; /* columns of a line, and of the margin of a flag's text */

/* Prints text in lines of at most 80 columns. `at` is the column of the first line, `indent` that of the others. */
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

/* The usage line of one verb, or of svcd if `verb` is NULL. */
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
  flags_wrap(stdout, "Every flag can also be set in the environment: SVCD_BASE_URL=URL is --base-url URL, SVCD_LISTEN=\"URL URL\" two --listen, "
             "SVCD_METRICS=true --metrics. The command line takes precedence over the environment, and the environment over the file of --config.", 0, 0);
  if (!flags) printf("\nsvcd VERB --help lists the flags of a verb; svcd help all lists all flags.\n");
  return 0;
}

/* ------------------------------------------------------------------------------------------------------- did you mean */

#define FLAGS_ENV "SVCD_" /* prefix of environment variables that are flags */
enum { FLAGS_NEAR = 40 }; /* longest word that is compared */

/* Returns the edit distance of two words: the number of letters to insert, drop or replace. */
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

/* Returns the one of `best` and `known` that is nearer to `word`. best NULL: no candidate yet; then `known` must be near enough. */
static const char *flags_nearer(const char *word, const char *best, const char *known)
{
  size_t most = best ? flags_distance(word, best) : 2 + strlen(word) / 4;
  return flags_distance(word, known) < most ? known : best;
}

static int flags_wrong(const char *flag, const char *what)
{
  return svcd_error(2, "%s%s", flag, what);
}

/* A missing --data prints the usage, too: the user may be starting svcd for the first time. */
static int flags_no_data(const svcd_verb *verb, const char *what)
{
  svcd_error(2, "--data DIR%s", what);
  if (svcd_log_is_json()) return 2;
  flags_usage(stderr, verb->bit == SVCD_SERVE ? NULL : verb);
  fputs("svcd --help lists the verbs, svcd VERB --help their flags\n", stderr);
  return 2;
}

static int flags_unknown(const svcd_verb *verb, const char *word)
{
  const char *best = NULL;
  char flag[256];
  size_t i;
  snprintf(flag, sizeof flag, "%.*s", (int)strcspn(word, "="), word);
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

/* Finds the flag of a word of the command line, "--flag" or "--flag=value". *value: the text behind "=", or NULL. */
static const flags_row *flags_word(char *word, char **value)
{
  const size_t n = strcspn(word, "=");
  size_t i;
  *value = word[n] ? word + n + 1 : NULL;
  for (i = 0; i < FLAGS_COUNT; i++)
    if (strncmp(flags_rows[i].name, word, n) == 0 && !flags_rows[i].name[n]) return &flags_rows[i];
  return NULL;
}

static int flags_number(const flags_row *row, const char *text, long *out)
{
  char why[64], *end;
  errno = 0;
  *out = strtol(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *out >= row->least && *out <= row->most) return 0;
  snprintf(why, sizeof why, " must be a number from %ld to %ld", row->least, row->most);
  return flags_wrong(row->name, why);
}

/* Stores the value in svcd_options. Returns 0, or the exit status. */
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
  if (*count == (size_t)row->most) return flags_wrong(row->name, " is given too often");
  ((const char **)(void *)to)[(*count)++] = value;
  return 0;
}

/* Removes trailing slashes: the service, and clients that read the file of credentials, append paths to the base URL. */
static void flags_trim(char *url)
{
  size_t n = strlen(url);
  while (n && url[n - 1] == '/') url[--n] = '\0';
}

/* Checks the flags of the driver. Returns 0, or the exit status. */
static int flags_driver(const svcd_options *o)
{
  const int program = o->driver && strncmp(o->driver, SVCD_EXEC, sizeof SVCD_EXEC - 1) == 0;
  if (program && !o->driver[sizeof SVCD_EXEC - 1]) return flags_wrong("--driver", " exec:COMMAND needs a command");
  if (o->driver && !program && strcmp(o->driver, "postgres") != 0) return flags_wrong("--driver", " must be postgres or exec:COMMAND");
  if (o->driver_folder && (!o->driver || program)) return flags_wrong("--driver-folder", " needs --driver postgres");
  if (o->driver_timeout && !program) return flags_wrong("--driver-timeout", " needs --driver exec:COMMAND");
  if (o->memory && o->driver && !program && !o->driver_folder) return flags_wrong("--driver-folder", " is missing");
  return 0;
}

/* Appends a flag to a URI as an option. The last option of a name takes precedence. */
static int flags_option(const char *flag, const char *of, const char **uri, char **text, const char *option, long value)
{
  char *longer;
  if (!value) return 0;
  if (!*uri) return svcd_error(2, "%s needs %s", flag, of);
  if (asprintf(&longer, "%s%c%s=%ld", *uri, strchr(*uri, '?') ? '&' : '?', option, value) < 0) return svcd_error(1, "out of memory");
  free(*text);
  *uri = *text = longer;
  return 0;
}

static int flags_options(svcd_options *o)
{
  int status = flags_option("--store-readers", "--store", &o->store, &o->store_text, "readers", o->store_readers);
  if (!status) status = flags_option("--store-timeout", "--store", &o->store, &o->store_text, "timeout", o->store_timeout);
  if (!status) status = flags_option("--limiter-timeout", "--limiter", &o->limiter, &o->limiter_text, "timeout", o->limiter_timeout);
  if (!status && o->change_dialect && !o->store) status = flags_wrong("--change-dialect", " needs --store");
  if (!status && o->wait && !o->store && !o->limiter) status = flags_wrong("--wait", " needs --store or --limiter");
  return status;
}

/* Joins the names of --test-control-host with spaces, as svc_config.control_hosts requires. */
static int flags_hosts(svcd_options *o)
{
  size_t i;
  for (i = 0; i < o->test_host_count; i++) {
    char *longer;
    if (o->test_hosts[i][strspn(o->test_hosts[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")])
      return svcd_error(2, "--test-control-host %s: a host name without scheme and port, such as svcd or api.test", o->test_hosts[i]);
    if (asprintf(&longer, "%s%s%s", i ? o->hosts_text : "", i ? " " : "", o->test_hosts[i]) < 0) return svcd_error(1, "out of memory");
    free(o->hosts_text);
    o->hosts_text = longer;
  }
  return 0;
}

/* Checks the flags for tests. */
static int flags_test(svcd_options *o)
{
  size_t i;
  if (o->test_anywhere) o->test_control = 1;
  if (o->test_token_file && !o->test_control)
    return flags_wrong("--test-control-token-file", " needs --test-control or --test-control-anywhere");
  if (o->test_host_count && !o->test_anywhere) return flags_wrong("--test-control-host", " needs --test-control-anywhere");
  if (o->clock && !o->test_control) return flags_wrong("--clock", " needs --test-control, which moves the clock");
  if (o->clock_rate && !o->test_control) return flags_wrong("--clock-rate", " needs --test-control");
  for (i = 0; i < o->url_count; i++)
    if ((o->test_control || o->seed) && !o->test_anywhere && svcd_reach(o->urls[i]) != SVCD_LOOPBACK)
      return svcd_error(2, "%s can be reached by other machines: --test-control and --seed are for loopback only, unless --test-control-anywhere"
                        " is set", o->urls[i]);
  return flags_hosts(o);
}

/* --sign-in-link is refused if no browser could open the link. */
static int flags_link(const svcd_options *o)
{
  size_t i;
  if (!o->sign_in_link) return 0;
  if (o->no_explorer) return flags_wrong("--sign-in-link", " cannot be combined with --no-explorer: there is no console to sign in to");
  if (svcd_log_is_json()) return flags_wrong("--sign-in-link", " cannot be combined with --log-format json: the link is a secret, and a log must not contain it");
  for (i = 0; i < o->url_count; i++)
    if (svcd_reach(o->urls[i]) == SVCD_LOOPBACK) return 0;
  return flags_wrong("--sign-in-link", " needs a loopback address: add --listen http://127.0.0.1:PORT");
}

/* Checks combinations of flags. Returns -1 if svcd may start, else the exit status. */
static int flags_check(svcd_options *o, const svcd_verb *verb)
{
  size_t i, secure = 0;
  if (verb->bit == SVCD_SERVE && !o->data && !o->memory)
    return flags_no_data(verb, o->store ? " is missing: the folder for the secret key and the credentials" : " is missing: set a folder for the store, or --memory");
  if (verb->bit & FLAGS_STORE && !o->data && !o->memory && !(verb->bit == SVCD_ENV && (o->bootstrap || (o->client && !*o->client))) && !(verb->bit & FLAGS_PLACE && o->store && (verb->bit != SVCD_ROTATE || o->secret_key)))
    return flags_no_data(verb, " is missing");
  if (verb->bit == SVCD_REPLAY && !o->operand) return flags_wrong("replay", ": the archive is missing: svcd replay FILE.har --against URL");
  if (verb->bit == SVCD_REPLAY && !o->against) return flags_wrong("--against URL", " is missing: the server to send the requests to");
  if (verb->bit == SVCD_WORLD && !o->data == !o->check) return flags_wrong("--data DIR", o->data ? " and --check FILE exclude each other" : " or --check FILE is missing");
  if (verb->bit == SVCD_SCHEMA && !o->store && !o->print) return flags_wrong("--store URI", " is missing");
  if (verb->bit & (SVCD_BACKUP | SVCD_COPY) && !o->to) return flags_wrong("--to DIR", " is missing");
  if (verb->bit & (SVCD_RESTORE | SVCD_COPY) && !o->from) return flags_wrong("--from DIR", " is missing");
  if (o->with_key && !o->data && !o->secret_key) return flags_wrong("--with-key", " needs --data DIR or --secret-key FILE");
  if (o->with_key && svcd_is_uri(o->to ? o->to : o->from)) return flags_wrong("--with-key", " needs a folder: the key is not copied into a database");
  if (o->format && strcmp(o->format, "sh") != 0 && strcmp(o->format, "json") != 0) return flags_wrong("--format", " must be sh or json");
  if (o->memory && o->data) return flags_wrong("--memory", " and --data exclude each other");
  if (o->store && o->memory) return flags_wrong("--memory", " and --store exclude each other");
  if (o->store && !svcd_is_uri(o->store)) return flags_wrong("--store", " must be postgres://USER@HOST/DATABASE; for a folder use --data DIR");
  if (o->limiter_closed && !o->limiter) return flags_wrong("--limiter-closed", " needs --limiter");
  if (o->memory && !o->bootstrap && !o->show_credentials)
    return flags_wrong("--memory", " needs --bootstrap FILE or --show-credentials, for the credentials");
  if (o->log_level && strcmp(o->log_level, "error") != 0 && strcmp(o->log_level, "warning") != 0 && strcmp(o->log_level, "info") != 0)
    return flags_wrong("--log-level", " must be error, warning or info");
  if (o->metrics_public || o->metrics_listen) o->metrics = 1;
  if (o->metrics_public && o->metrics_listen) return flags_wrong("--metrics-public", " and --metrics-listen exclude each other: the address of --metrics-listen decides who can read the metrics");
  if (o->log_format && strcmp(o->log_format, "text") != 0 && strcmp(o->log_format, "json") != 0) return flags_wrong("--log-format", " must be text or json");
  if (svcd_log_is_json() && o->show_credentials) return flags_wrong("--show-credentials", " cannot be combined with --log-format json: a log must not contain secrets. Use --bootstrap FILE");
  if (flags_driver(o) != 0 || flags_options(o) != 0) return 2;
  if (o->url_count == 0) o->urls[o->url_count++] = "http://127.0.0.1:8080";
  for (i = 0; i < o->url_count; i++) secure += svcd_is_https(o->urls[i]) != 0;
  if (!o->cert != !o->key) return flags_wrong(o->cert ? "--cert" : "--key", ": --cert and --key must be given together");
  if (o->cert && !secure) return flags_wrong("--cert", " needs an https URL: add --listen https://HOST:PORT");
  if (o->memory && secure && !o->cert) return flags_wrong("--memory", " with an https URL needs --cert and --key: there is no folder for a certificate");
  return flags_link(o) == 0 && flags_test(o) == 0 ? -1 : 2;
}

/* Stores one value. `begun` marks the lists that this source has begun: its first value replaces those of a source
** with lower precedence. */
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

/* Sets a flag without a value, or with true or false. Returns 0, or the exit status. */
static int flags_set(svcd_options *o, const flags_row *row, const char *value)
{
  const int on = !value || strcmp(value, "true") == 0;
  if (!on && strcmp(value, "false") != 0) return flags_wrong(row->name, " takes no value, or true or false");
  *(int *)(void *)((char *)o + row->to) = on;
  return 0;
}

/* An unknown name in the file of --config, which may have underscores as the variables do. */
static int flags_unknown_line(const char *path, int line, const char *name)
{
  char flag[256], *p;
  const char *best = NULL;
  size_t i;
  snprintf(flag, sizeof flag, "--%s", name);
  for (p = flag; *p; p++)
    if (*p == '_') *p = '-';
  for (i = 0; i < FLAGS_COUNT; i++)
    if (flags_rows[i].to != FLAGS_TO(config)) best = flags_nearer(flag, best, flags_rows[i].name);
  if (best) return svcd_error(2, "%s:%d: %s: no such flag; did you mean %s?", path, line, name, best + 2);
  return svcd_error(2, "%s:%d: %s: no such flag; svcd --help lists them", path, line, name);
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
  if (!row || row->to == FLAGS_TO(config)) return flags_unknown_line(o->config, line, name);
  if (row->kind == FLAG_SET && !set && strcmp(value, "false") != 0) return flags_bad_line(o->config, line, name, " must be true, false or empty");
  if (row->kind != FLAG_SET && !value[0]) return flags_bad_line(o->config, line, name, " needs a value");
  if (!(row->verbs & verb->bit)) return 0;
  if (row->kind == FLAG_SET) {
    *(int *)(void *)((char *)o + row->to) = set;
    return 0;
  }
  if (flags_give(o, row, value, NULL) == 0) return 0;
  return flags_bad_line(o->config, line, name, " is invalid: see the line above");
}

/* Reads the file of --config before all flags, at whichever position --config is. Returns 0, or the exit status. */
static int flags_config(svcd_options *o, const svcd_verb *verb, int argc, char **argv)
{
  char *rest, *name, *value;
  int i, line = 0, status = 0;
  o->config = getenv(FLAGS_ENV "CONFIG");
  if (o->config && !*o->config) o->config = NULL;
  for (i = 1; i < argc; i++) {
    const flags_row *row = flags_word(argv[i], &value);
    const int follows = row && row->kind != FLAG_SET && !value && i + 1 < argc;
    if (row && row->to == FLAGS_TO(config)) o->config = follows ? argv[i + 1] : value ? value : o->config;
    i += follows;
  }
  if (!o->config || !(flags_find("--config")->verbs & verb->bit)) return 0;
  rest = o->config_text = svcd_config_read(o->config);
  if (!rest) return 2;
  while (status == 0 && svcd_config_line(&rest, &line, &name, &value)) status = flags_line(o, verb, line, name, value);
  return status;
}

/* ------------------------------------------------------------------------------------------------------ the environment */


/* Turns "--base-url" into "SVCD_BASE_URL". */
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

/* Returns true for variables that are not flags: the token of test control, the flags that the systemd unit passes on the command line, and
** what Kubernetes sets in every container if a Service is named svcd. */
static int flags_env_is_other(const char *name)
{
  return strcmp(name, SVCD_TEST_TOKEN) == 0 || strcmp(name, FLAGS_ENV "FLAGS") == 0 ||
         strncmp(name, FLAGS_ENV "SERVICE_", 13) == 0 || strcmp(name, FLAGS_ENV "PORT") == 0 || strncmp(name, FLAGS_ENV "PORT_", 10) == 0;
}

/* Stores the value of a variable. White space separates the values of a list; the string is split in place. */
static int flags_env_take(svcd_options *o, const flags_row *row, char *value, char *begun)
{
  char *rest = NULL;
  int status = 0, set = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
  if (row->kind == FLAG_SET && !set && strcmp(value, "false") != 0 && strcmp(value, "0") != 0) return flags_wrong(row->name, " must be true or false");
  if (row->kind == FLAG_SET) *(int *)(void *)((char *)o + row->to) = set;
  if (row->kind == FLAG_TEXT || row->kind == FLAG_NUMBER) status = flags_give(o, row, value, begun);
  if (row->kind != FLAG_LIST) return status;
  for (value = strtok_r(value, " \t\r\n", &rest); value && status == 0; value = strtok_r(NULL, " \t\r\n", &rest))
    status = flags_give(o, row, value, begun);
  return status;
}

/* Reads the flags of the environment. Variables override --config, and the command line overrides variables. Ignores empty variables. */
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
    if (!row && flags_env_is_other(name)) continue;
    if (!row) return flags_env_unknown(name);
    if (!(row->verbs & verb->bit) || !value[0] || row->to == FLAGS_TO(config)) continue;
    if (flags_env_take(o, row, value, begun) != 0) status = svcd_error(2, "%s in the environment is invalid: see the line above", name);
  }
  return status;
}

/* Reads the log format first: errors about other flags are printed in this format, too. */
static void flags_log_format(const svcd_verb *verb, int argc, char **argv)
{
  const char *format = getenv(FLAGS_ENV "LOG_FORMAT");
  char *value;
  int i;
  for (i = 1; i < argc; i++) {
    const flags_row *row = flags_word(argv[i], &value);
    if (row && row->to == FLAGS_TO(log_format)) format = value ? value : i + 1 < argc ? argv[i + 1] : format;
  }
  svcd_log_json(verb->bit == SVCD_SERVE && format && strcmp(format, "json") == 0);
}

/* Takes a flag of the command line with its value, or the operand of the verb; *i is the last word that was taken. */
static int flags_argument(svcd_options *o, const svcd_verb *verb, int argc, char **argv, int *i, char *begun)
{
  char *value, *word = argv[*i];
  const flags_row *row = flags_word(word, &value);
  if (!row && word[0] != '-' && verb->bit & FLAGS_OPERAND && !o->operand) {
    o->operand = word;
    return 0;
  }
  if (!row) return flags_unknown(verb, word);
  if (!(row->verbs & verb->bit)) return svcd_error(2, "%s: not a flag of this verb; svcd %s --help lists those", row->name, verb->name);
  if (row->kind == FLAG_SET) return flags_set(o, row, value);
  if (!value && *i + 1 == argc && row->to == FLAGS_TO(client)) {
    o->client = ""; /* list the clients */
    return 0;
  }
  if (!value && *i + 1 == argc) return flags_wrong(row->name, " needs a value");
  if (!value) value = argv[++*i];
  return flags_give(o, row, value, begun);
}

int svcd_parse(svcd_options *o, const svcd_verb *verb, int named, int argc, char **argv)
{
  char begun[FLAGS_COUNT] = "";
  int i, status;
  memset(o, 0, sizeof *o);
  o->provision_seconds = o->drain = o->slow_ms = o->disk_reserve = -1;
  for (i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return named ? svcd_help(verb) : svcd_help_all(0);
    if (strcmp(argv[i], "--version") == 0) return printf("svcd %s\n", svc_version()) < 0;
  }
  flags_log_format(verb, argc, argv);
  status = flags_config(o, verb, argc, argv);
  if (!status) status = flags_env(o, verb);
  if (status) return status;
  for (i = 1; i < argc && status == 0; i++) status = flags_argument(o, verb, argc, argv, &i, begun);
  return status ? status : flags_check(o, verb);
}

/*
** The peer for a store on PostgreSQL: hand-written libpq code and tables with the same answers, as fast as reasonably possible.
**
** The peer implements three operations only, in ordinary tables with the necessary indexes. Each thread has its own connection, with
** prepared statements and binary results. Every request looks up the token by its hash, with its account, the organization's
** requirements and the access list. Role and expiry are checked here, and one bucket is charged.
**
**   GET     one statement, which returns the caller and the project: one round trip
**   list    caller, count and page in one pipeline, on one snapshot: one round trip
**   create  the caller; then BEGIN SERIALIZABLE, project, count, event and COMMIT in one pipeline: two round trips.
**           An index keeps names unique, a foreign key checks the organization. The count is split into parts as the library's
**           is, one for each connection, so that creates need not wait for each other. Error 40001 is retried
**
** The data comes from the library's answers. The peer's texts are those of the library, with holes (text.c).
*/
#ifdef SVC_WITH_POSTGRES

#define _GNU_SOURCE /* memmem */
#include "bench.h"

#include <libpq-fe.h>
#include <mbedtls/sha256.h>
#include <mongoose.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PEER_FILL_PAGE 500
#define PEER_BODY ((size_t)1 << 20)
#define PEER_CAPACITY 2000000000
#define PEER_EPOCH INT64_C(946684800) /* PostgreSQL's epoch, in seconds */

typedef struct peer_seat { /* state of a thread */
  PGconn *conn;
  uint64_t last_id;
  char head[2048], *body;
} peer_seat;

struct bench_libpq {
  peer_text head[BENCH_OPS], item, whole, front;
  char *event;
  peer_seat seats[BENCH_THREADS];
  int threads;
  pthread_mutex_t lock; /* protects the bucket */
  int64_t tokens;
  double since;
};

/* --------------------------------------------------------------------------------------------------------------- tables */

static const char *const peer_tables[] = {
  "CREATE TABLE organization (id bytea PRIMARY KEY, name text NOT NULL, list_required boolean NOT NULL)",
  "CREATE TABLE account (id bytea PRIMARY KEY, org_id bytea NOT NULL REFERENCES organization, role text NOT NULL)",
  "CREATE TABLE access_entry (account_id bytea NOT NULL REFERENCES account, network inet NOT NULL)",
  "CREATE INDEX ON access_entry (account_id)",
  "CREATE TABLE token (hash bytea PRIMARY KEY, account_id bytea NOT NULL REFERENCES account, expires timestamptz NOT NULL)",
  "CREATE SEQUENCE revision CACHE 64",
  "CREATE TABLE project (id bytea PRIMARY KEY, org_id bytea NOT NULL REFERENCES organization, name text NOT NULL, "
    "created timestamptz NOT NULL, tags json NOT NULL, revision bigint NOT NULL DEFAULT nextval('revision'), "
    "clusters bigint NOT NULL DEFAULT 0, UNIQUE (org_id, name))",
  "CREATE INDEX ON project (org_id, id)",
  "CREATE TABLE project_count (org_id bytea, part bigint, n bigint NOT NULL, PRIMARY KEY (org_id, part))",
  "CREATE TABLE event (id bytea PRIMARY KEY, project_id bytea NOT NULL, created timestamptz NOT NULL, body json NOT NULL)",
  "CREATE INDEX ON event (project_id, id)",
};

#define PEER_PROJECT "p.id, p.org_id, p.name, p.created, p.tags::text, p.revision, p.clusters"
#define PEER_WHO "a.org_id, a.role, t.expires, o.list_required, (SELECT count(*) FROM access_entry e WHERE e.account_id = a.id)"
#define PEER_FROM " FROM token t JOIN account a ON a.id = t.account_id JOIN organization o ON o.id = a.org_id"
#define PEER_WHO_COLUMNS 5

enum peer_statement { PEER_CALLER, PEER_GET_BOTH, PEER_COUNTED, PEER_PAGE, PEER_BEGIN, PEER_INSERT, PEER_ADD, PEER_INSERT_EVENT,
                      PEER_COMMIT, PEER_ROLLBACK, PEER_STATEMENTS };

static const char *const peer_sql[PEER_STATEMENTS] = {
  [PEER_CALLER] = "SELECT " PEER_WHO PEER_FROM " WHERE t.hash = $1",
  [PEER_GET_BOTH] = "SELECT " PEER_WHO ", " PEER_PROJECT PEER_FROM " LEFT JOIN project p ON p.id = $2 WHERE t.hash = $1",
  [PEER_COUNTED] = "SELECT coalesce(sum(n), 0)::bigint FROM project_count WHERE org_id = $1",
  [PEER_PAGE] = "SELECT " PEER_PROJECT " FROM project p WHERE p.org_id = $1 ORDER BY p.id LIMIT 100",
  [PEER_BEGIN] = "BEGIN ISOLATION LEVEL SERIALIZABLE",
  [PEER_INSERT] = "INSERT INTO project (id, org_id, name, created, tags) VALUES ($1, $2, $3, now(), $4::text::json) "
                  "RETURNING created, revision",
  [PEER_ADD] = "INSERT INTO project_count VALUES ($1, $2::bigint, 1) ON CONFLICT (org_id, part) DO UPDATE SET n = project_count.n + 1",
  [PEER_INSERT_EVENT] = "INSERT INTO event VALUES ($1, $2, now(), $3::text::json)",
  [PEER_COMMIT] = "COMMIT",
  [PEER_ROLLBACK] = "ROLLBACK",
};
static const char *const peer_names[PEER_STATEMENTS] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };

static void peer_do(PGconn *conn, const char *sql)
{
  PGresult *r = PQexec(conn, sql);
  if (PQresultStatus(r) != PGRES_COMMAND_OK && PQresultStatus(r) != PGRES_TUPLES_OK) {
    fprintf(stderr, "bench: %.100s: %s", sql, PQerrorMessage(conn));
    exit(1);
  }
  PQclear(r);
}

static PGconn *peer_connection(const char *uri)
{
  PGconn *conn = PQconnectdb(uri);
  if (PQstatus(conn) != CONNECTION_OK) bench_die("the peer has no connection");
  return conn;
}

/* -------------------------------------------------------------------------------------------------------------- filling */

/* Writes status and headers, except those of the transport. */
size_t bench_head_of(const svc_response *r, bool holes, char *out, size_t size)
{
  size_t n = (size_t)snprintf(out, size, "%d\n", r->status), i;
  for (i = 0; i < r->header_count; i++) {
    const svc_header *h = &r->headers[i];
    bool tag = strcmp(h->name, "ETag") == 0, left = strcmp(h->name, "RateLimit-Remaining") == 0;
    char hole[2] = { tag ? PEER_ETAG : PEER_REMAINING, 0 };
    n += (size_t)snprintf(out + n, size - n, "%s: %s\n", h->name, holes && (tag || left) ? hole : h->value);
  }
  if (holes) bench_hole_id(out, r);
  return strlen(out);
}

/* Makes holes in the text of a project, and cuts the text there. */
static void peer_project_text(const bench_store *b, const char *p, size_t n, peer_text *out)
{
  char *text = bench_text_copy(p, n), name[80], id[25];
  snprintf(id, sizeof id, "%.24s", strstr(text, "\"id\":\"") + 6);
  if (sscanf(strstr(text, "\"name\":\"") + 8, "%79[^\"]", name) != 1) bench_die("a project lacks its name");
  bench_hole_between(text, "\"clusterCount\":", ",", PEER_CLUSTERS);
  bench_hole_between(text, "\"created\":\"", "\"", PEER_CREATED);
  bench_hole_between(text, "\"tags\":", ",\"withDefaultAlertsSettings", PEER_TAGS);
  bench_hole(text, id, PEER_ID);
  bench_hole(text, b->org[0], PEER_ORG);
  bench_hole(text, name, PEER_NAME);
  bench_cut(out, text, strlen(text));
  free(text);
}

/* Copies an event of the library, as the event of each new project. */
static void peer_beginnings(bench_libpq *p, svc *s, const char *project)
{
  char target[128];
  const char *at, *item;
  svc_response r;
  size_t n;
  snprintf(target, sizeof target, BENCH_API "groups/%s/events", project);
  if (bench_ask(s, "GET", target, NULL, &r) != 200) bench_die("no events");
  at = strstr(r.body, "\"results\":[") + 11;
  if (!(item = bench_next_item(&at, &n))) bench_die("a new project has no event");
  p->event = bench_text_copy(item, n);
  svc_response_free(&r);
}

static void peer_texts(bench_libpq *p, svc *s, bench_store *b)
{
  static const bench_op ops[] = { BENCH_GET, BENCH_ORG_LIST, BENCH_CREATE };
  const char *at, *item;
  svc_response r;
  size_t n, i;
  for (i = 0; i < sizeof ops / sizeof ops[0]; i++) {
    char text[2048];
    unsigned state = 1;
    bench_request(s, b, ops[i], &state, &r);
    bench_cut(&p->head[ops[i]], text, bench_head_of(&r, true, text, sizeof text));
    if (ops[i] == BENCH_GET) peer_project_text(b, r.body, r.body_length, &p->whole);
    if (ops[i] == BENCH_ORG_LIST) {
      at = strstr(r.body, "\"results\":[") + 11;
      bench_cut(&p->front, r.body, (size_t)(at - r.body));
      if ((item = bench_next_item(&at, &n)) != NULL) peer_project_text(b, item, n, &p->item);
    }
    svc_response_free(&r);
  }
}

static void peer_copy(PGconn *conn, const char *line, size_t n)
{
  if (PQputCopyData(conn, line, (int)n) != 1) bench_die("the peer's tables cannot be written");
}

/* Writes a line of COPY; tags contain neither tabs nor backslashes. */
static void peer_copy_project(PGconn *conn, svc *s, const char *item, size_t n)
{
  char target[64], line[4096], *text = bench_text_copy(item, n), check[40];
  const char *id = strstr(text, "\"id\":\"") + 6, *org = strstr(text, "\"orgId\":\"") + 9, *name = strstr(text, "\"name\":\"") + 8;
  const char *created = strstr(text, "\"created\":\"") + 11, *tags = strstr(text, "\"tags\":") + 7;
  const char *clusters = strstr(text, "\"clusterCount\":") + 15, *etag;
  unsigned long long revision;
  svc_response r;
  snprintf(target, sizeof target, BENCH_API "groups/%.24s", id);
  if (bench_ask(s, "GET", target, NULL, &r) != 200 || !(etag = svc_response_header(&r, "ETag"))) bench_die("GET failed");
  revision = strtoull(etag + 1, NULL, 16);
  snprintf(check, sizeof check, "\"%llx\"", revision);
  if (strcmp(check, etag) != 0) bench_die("an ETag is not what the peer makes of a revision");
  svc_response_free(&r);
  n = (size_t)snprintf(line, sizeof line, "\\\\x%.24s\t\\\\x%.24s\t%.*s\t%.20s\t%.*s\t%llu\t%ld\n", id, org, (int)strcspn(name, "\""), name,
                       created, (int)(strstr(tags, ",\"withDefaultAlertsSettings") - tags), tags, revision, strtol(clusters, NULL, 10));
  peer_copy(conn, line, n);
  free(text);
}

static void peer_copy_projects(PGconn *conn, svc *s, const char *org)
{
  int page, items = PEER_FILL_PAGE;
  for (page = 1; items == PEER_FILL_PAGE; page++) {
    char target[160];
    const char *p, *item;
    svc_response r;
    size_t n;
    snprintf(target, sizeof target, BENCH_API "orgs/%s/groups?itemsPerPage=%d&pageNum=%d&includeCount=false", org, PEER_FILL_PAGE, page);
    if (bench_ask(s, "GET", target, NULL, &r) != 200) bench_die("a list for the peer's tables failed");
    p = strstr(r.body, "\"results\":[") + 11;
    for (items = 0; (item = bench_next_item(&p, &n)) != NULL; items++) peer_copy_project(conn, s, item, n);
    svc_response_free(&r);
  }
}

/* Adds to all existing projects the records of a new project. */
static void peer_fill_rest(PGconn *conn, const bench_libpq *p)
{
  const char *const values[1] = { p->event };
  PGresult *r = PQexecParams(conn, "INSERT INTO event SELECT substr(sha256(id), 1, 12), id, created, $1::text::json FROM project ORDER BY id",
                             1, NULL, values, NULL, NULL, 0);
  if (PQresultStatus(r) != PGRES_COMMAND_OK) bench_die(PQerrorMessage(conn));
  PQclear(r);
  peer_do(conn, "INSERT INTO project_count SELECT org_id, 0, count(*) FROM project GROUP BY org_id");
  peer_do(conn, "SELECT setval('revision', (SELECT max(revision) + 1000 FROM project))");
  peer_do(conn, "VACUUM ANALYZE");
}

static void peer_fill_caller(PGconn *conn, const bench_store *b)
{
  unsigned char hash[32];
  char sql[512], hex[65];
  int i;
  mbedtls_sha256((const unsigned char *)b->bearer + 7, strlen(b->bearer + 7), hash, 0);
  for (i = 0; i < 32; i++) snprintf(hex + 2 * i, 3, "%02x", hash[i]);
  for (i = 0; i < BENCH_ORGS; i++) {
    snprintf(sql, sizeof sql, "INSERT INTO organization VALUES ('\\x%s', 'organization-%d', false)", b->org[i], i);
    peer_do(conn, sql);
  }
  snprintf(sql, sizeof sql, "INSERT INTO account VALUES ('\\x01', '\\x%s', 'ORG_OWNER')", b->org[0]);
  peer_do(conn, sql);
  snprintf(sql, sizeof sql, "INSERT INTO token VALUES ('\\x%s', '\\x01', now() + interval '1 hour')", hex);
  peer_do(conn, sql);
}

bench_libpq *bench_libpq_new(svc *s, bench_store *b, const char *uri)
{
  bench_libpq *p = calloc(1, sizeof *p);
  PGconn *conn = peer_connection(uri);
  size_t i;
  if (!p || pthread_mutex_init(&p->lock, NULL) != 0) bench_die("no memory");
  p->tokens = PEER_CAPACITY;
  p->since = bench_now();
  peer_texts(p, s, b);
  peer_beginnings(p, s, b->own[1]);
  for (i = 0; i < sizeof peer_tables / sizeof peer_tables[0]; i++) peer_do(conn, peer_tables[i]);
  peer_fill_caller(conn, b);
  PQclear(PQexec(conn, "COPY project FROM STDIN"));
  for (i = 0; i < BENCH_ORGS; i++) peer_copy_projects(conn, s, b->org[i]);
  if (PQputCopyEnd(conn, NULL) != 1) bench_die("the peer's tables cannot be written");
  PQclear(PQgetResult(conn));
  while (PQgetResult(conn)) continue;
  peer_fill_rest(conn, p);
  PQfinish(conn);
  return p;
}

void bench_libpq_connect(bench_libpq *p, const char *uri, int threads)
{
  int i, k;
  p->threads = threads;
  for (i = 0; i < threads; i++) {
    peer_seat *seat = &p->seats[i];
    seat->conn = peer_connection(uri);
    seat->body = malloc(PEER_BODY);
    seat->last_id = (uint64_t)(i + 1) << 48;
    if (!seat->body) bench_die("no memory");
    peer_do(seat->conn, "SET default_transaction_isolation = 'repeatable read'"); /* a list is read from one snapshot */
    peer_do(seat->conn, "SET plan_cache_mode = force_generic_plan");
    for (k = 0; k < PEER_STATEMENTS; k++) {
      PGresult *r = PQprepare(seat->conn, peer_names[k], peer_sql[k], 0, NULL);
      if (PQresultStatus(r) != PGRES_COMMAND_OK) bench_die(PQerrorMessage(seat->conn));
      PQclear(r);
    }
    PQenterPipelineMode(seat->conn);
  }
}

void bench_libpq_disconnect(bench_libpq *p)
{
  int i;
  for (i = 0; i < p->threads; i++) {
    PQfinish(p->seats[i].conn);
    free(p->seats[i].body);
  }
  p->threads = 0;
}

void bench_libpq_free(bench_libpq *p)
{
  free(p->event);
  pthread_mutex_destroy(&p->lock);
  free(p);
}

/* ----------------------------------------------------------------------------------------------------------- statements */

typedef struct peer_args {
  int n;
  const char *values[17];
  int lengths[17];
} peer_args;

static void peer_arg(peer_args *a, const void *p, size_t n)
{
  a->values[a->n] = p;
  a->lengths[a->n++] = (int)n;
}

static void peer_send(peer_seat *seat, int statement, const peer_args *a)
{
  static const int binary[17] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  if (!PQsendQueryPrepared(seat->conn, peer_names[statement], a ? a->n : 0, a ? a->values : NULL, a ? a->lengths : NULL, binary, 1))
    bench_die(PQerrorMessage(seat->conn));
}

/* Returns the result of the next statement, also of a failed one. */
static PGresult *peer_next(peer_seat *seat)
{
  PGresult *r = PQgetResult(seat->conn), *end;
  if (!r) bench_die("the peer has lost its connection");
  while ((end = PQgetResult(seat->conn)) != NULL) PQclear(end);
  return r;
}

static void peer_sync(peer_seat *seat)
{
  if (!PQpipelineSync(seat->conn)) bench_die(PQerrorMessage(seat->conn));
}

static void peer_synced(peer_seat *seat)
{
  PGresult *r = PQgetResult(seat->conn);
  if (PQresultStatus(r) != PGRES_PIPELINE_SYNC) bench_die("the peer has lost count of its results");
  PQclear(r);
}

static void peer_good(PGresult *r)
{
  if (PQresultStatus(r) != PGRES_TUPLES_OK && PQresultStatus(r) != PGRES_COMMAND_OK) bench_die(PQresultErrorMessage(r));
}

static int64_t peer_integer(const PGresult *r, int row, int column)
{
  const unsigned char *p = (const unsigned char *)PQgetvalue(r, row, column);
  uint64_t x = 0;
  int i;
  for (i = 0; i < 8; i++) x = x << 8 | p[i];
  return (int64_t)x;
}

static bench_text peer_value(const PGresult *r, int row, int column)
{
  return (bench_text){ PQgetvalue(r, row, column), (size_t)PQgetlength(r, row, column) };
}

/* -------------------------------------------------------------------------------------------------------------- answers */

/* Converts PostgreSQL's microseconds to a date and time, without the locks of gmtime_r(). */
static bench_text peer_date(char out[24], int64_t microseconds)
{
  int64_t seconds = microseconds / 1000000 + PEER_EPOCH, days = seconds / 86400, rest = seconds % 86400;
  int64_t z = days + 719468, era = z / 146097, doe = z - era * 146097, yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153, month = mp < 10 ? mp + 3 : mp - 9;
  int64_t parts[6] = { yoe + era * 400 + (month <= 2), month, doy - (153 * mp + 2) / 5 + 1, rest / 3600, rest / 60 % 60, rest % 60 };
  static const char form[] = "0000-00-00T00:00:00Z";
  static const int ends[6] = { 3, 6, 9, 12, 15, 18 };
  int i, k;
  memcpy(out, form, sizeof form);
  for (i = 0; i < 6; i++)
    for (k = ends[i]; parts[i]; k--, parts[i] /= 10) out[k] = (char)('0' + parts[i] % 10);
  return (bench_text){ out, sizeof form - 1 };
}

typedef struct peer_project {
  char id[24], org[24], created[24], clusters[24], tag[24];
  peer_holes holes;
} peer_project;

static void peer_project_of(peer_project *p, const unsigned char *id, const unsigned char *org, bench_text name, bench_text tags,
                            int64_t created, uint64_t revision, uint64_t clusters)
{
  static const char hex[] = "0123456789abcdef";
  char *tag = p->tag + sizeof p->tag;
  bench_id_hex(id, p->id);
  bench_id_hex(org, p->org);
  *--tag = '"';
  do *--tag = hex[revision & 15];
  while (revision >>= 4);
  *--tag = '"';
  p->holes[PEER_ID] = (bench_text){ p->id, 24 };
  p->holes[PEER_ORG] = (bench_text){ p->org, 24 };
  p->holes[PEER_NAME] = name;
  p->holes[PEER_TAGS] = tags;
  p->holes[PEER_CREATED] = peer_date(p->created, created);
  p->holes[PEER_CLUSTERS] = bench_number(p->clusters, clusters);
  p->holes[PEER_ETAG] = (bench_text){ tag, (size_t)(p->tag + sizeof p->tag - tag) };
}

static void peer_project_at(peer_project *p, const PGresult *r, int row, int from)
{
  peer_project_of(p, (const unsigned char *)PQgetvalue(r, row, from), (const unsigned char *)PQgetvalue(r, row, from + 1),
                  peer_value(r, row, from + 2), peer_value(r, row, from + 4), peer_integer(r, row, from + 3),
                  (uint64_t)peer_integer(r, row, from + 5), (uint64_t)peer_integer(r, row, from + 6));
}

static void peer_answer(bench_libpq *p, peer_seat *seat, bench_op op, peer_holes holes, const char *end, bench_answer *out)
{
  char left[24];
  pthread_mutex_lock(&p->lock);
  holes[PEER_REMAINING] = bench_number(left, (unsigned long long)p->tokens);
  pthread_mutex_unlock(&p->lock);
  out->head = seat->head;
  out->head_length = (size_t)(bench_write(seat->head, &p->head[op], holes) - seat->head);
  out->body = seat->body;
  out->body_length = (size_t)(end - seat->body);
}

static void peer_draw(bench_libpq *p)
{
  double now = bench_now();
  pthread_mutex_lock(&p->lock);
  p->tokens += (int64_t)((now - p->since) * 10);
  if (now - p->since > 0.1) p->since = now;
  if (p->tokens > PEER_CAPACITY) p->tokens = PEER_CAPACITY;
  if (--p->tokens < 0) bench_die("the peer's bucket is empty");
  pthread_mutex_unlock(&p->lock);
}

/* ------------------------------------------------------------------------------------------------------------- requests */

typedef struct peer_request {
  const char *target, *authorization, *body;
  size_t body_length;
} peer_request;

static void peer_hash(const peer_request *q, unsigned char hash[32])
{
  if (strncmp(q->authorization, "Bearer ", 7) != 0) bench_die("401");
  mbedtls_sha256((const unsigned char *)q->authorization + 7, strlen(q->authorization + 7), hash, 0);
}

/* Checks the caller's permission. `org`: the organization of the request. */
static void peer_allowed(const PGresult *r, const unsigned char *org)
{
  struct timespec now;
  bench_text role;
  peer_good((PGresult *)(uintptr_t)r);
  if (PQntuples(r) != 1) bench_die("401");
  clock_gettime(CLOCK_REALTIME, &now);
  if (peer_integer(r, 0, 2) / 1000000 + PEER_EPOCH <= now.tv_sec) bench_die("401, expired");
  if (peer_integer(r, 0, 4) || *PQgetvalue(r, 0, 3)) bench_die("403, access lists are not tried here");
  role = peer_value(r, 0, 1);
  if (role.n != 9 || memcmp(role.p, "ORG_OWNER", 9) != 0 || memcmp(PQgetvalue(r, 0, 0), org, 12) != 0) bench_die("403");
}

static void peer_get(bench_libpq *p, peer_seat *seat, const peer_request *q, bench_answer *out)
{
  unsigned char hash[32], id[12];
  peer_args a = { 0 };
  peer_project project;
  PGresult *r;
  peer_hash(q, hash);
  if (!bench_hex_id(q->target + sizeof BENCH_API + 6, id)) bench_die("404");
  peer_arg(&a, hash, sizeof hash);
  peer_arg(&a, id, sizeof id);
  peer_send(seat, PEER_GET_BOTH, &a);
  peer_sync(seat);
  r = peer_next(seat);
  peer_synced(seat);
  if (PQntuples(r) == 1 && PQgetisnull(r, 0, PEER_WHO_COLUMNS)) bench_die("404");
  peer_allowed(r, (const unsigned char *)PQgetvalue(r, 0, PEER_WHO_COLUMNS + 1));
  peer_project_at(&project, r, 0, PEER_WHO_COLUMNS);
  peer_answer(p, seat, BENCH_GET, project.holes, bench_write(seat->body, &p->whole, project.holes), out);
  PQclear(r);
}

static void peer_list(bench_libpq *p, peer_seat *seat, const peer_request *q, bench_answer *out)
{
  unsigned char hash[32], org[12];
  peer_args who = { 0 }, of = { 0 };
  peer_holes none = { { 0 } };
  PGresult *caller, *count, *page;
  char *to, number[24];
  bench_text total;
  int i;
  peer_hash(q, hash);
  if (!bench_hex_id(q->target + sizeof BENCH_API + 4, org)) bench_die("404");
  peer_arg(&who, hash, sizeof hash);
  peer_arg(&of, org, sizeof org);
  peer_send(seat, PEER_CALLER, &who);
  peer_send(seat, PEER_COUNTED, &of);
  peer_send(seat, PEER_PAGE, &of);
  peer_sync(seat);
  caller = peer_next(seat);
  count = peer_next(seat);
  page = peer_next(seat);
  peer_synced(seat);
  peer_allowed(caller, org);
  peer_good(page);
  to = bench_write(seat->body, &p->front, none);
  for (i = 0; i < PQntuples(page); i++) {
    peer_project project;
    peer_project_at(&project, page, i, 0);
    if (i) *to++ = ',';
    to = bench_write(to, &p->item, project.holes);
  }
  memcpy(to, "],\"totalCount\":", 15);
  total = bench_number(number, (unsigned long long)peer_integer(count, 0, 0));
  memcpy(to + 15, total.p, total.n);
  to += 15 + total.n;
  *to++ = '}';
  none[PEER_ETAG] = (bench_text){ number, 0 };
  peer_answer(p, seat, BENCH_ORG_LIST, none, to, out);
  PQclear(caller);
  PQclear(count);
  PQclear(page);
}

static void peer_new_id(peer_seat *seat, unsigned char id[12])
{
  struct timespec now;
  int i;
  clock_gettime(CLOCK_REALTIME, &now);
  seat->last_id += 4096;
  for (i = 0; i < 4; i++) id[i] = (unsigned char)((uint64_t)now.tv_sec >> (24 - 8 * i));
  for (i = 0; i < 8; i++) id[4 + i] = (unsigned char)(seat->last_id >> (56 - 8 * i));
}

/* Sends everything in one pipeline. Returns false after a conflict: the caller retries. *made: the result of the INSERT, which
   the caller clears. */
static bool peer_insert(bench_libpq *p, peer_seat *seat, const unsigned char *id, const unsigned char *org, struct mg_str name,
                        struct mg_str tags, PGresult **made)
{
  unsigned char event[12], part[8] = { 0 };
  peer_args one = { 0 }, add = { 0 }, told = { 0 };
  bool again = false;
  int i;
  part[7] = (unsigned char)(seat - p->seats);
  peer_new_id(seat, event);
  peer_arg(&one, id, 12);
  peer_arg(&one, org, 12);
  peer_arg(&one, name.buf + 1, name.len - 2);
  peer_arg(&one, tags.buf, tags.len);
  peer_arg(&add, org, 12);
  peer_arg(&add, part, 8);
  peer_arg(&told, event, 12);
  peer_arg(&told, id, 12);
  peer_arg(&told, p->event, strlen(p->event));
  peer_send(seat, PEER_BEGIN, NULL);
  peer_send(seat, PEER_INSERT, &one);
  peer_send(seat, PEER_ADD, &add);
  peer_send(seat, PEER_INSERT_EVENT, &told);
  peer_send(seat, PEER_COMMIT, NULL);
  peer_sync(seat);
  for (i = 0; i < 5; i++) {
    PGresult *r = peer_next(seat);
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    if (state && strcmp(state, "40001") != 0) bench_die(PQresultErrorMessage(r));
    again |= state != NULL;
    if (i == 1) *made = r;
    else PQclear(r);
  }
  peer_synced(seat);
  if (!again) return true;
  PQclear(*made);
  if (PQtransactionStatus(seat->conn) != PQTRANS_IDLE) {
    peer_send(seat, PEER_ROLLBACK, NULL);
    peer_sync(seat);
    PQclear(peer_next(seat));
    peer_synced(seat);
  }
  return false;
}

static void peer_create(bench_libpq *p, peer_seat *seat, const peer_request *q, bench_answer *out)
{
  struct mg_str body = mg_str_n(q->body, q->body_length), name = mg_json_get_tok(body, "$.name");
  struct mg_str tags = mg_json_get_tok(body, "$.tags"), owner = mg_json_get_tok(body, "$.orgId");
  unsigned char hash[32], org[12], id[12];
  peer_args who = { 0 };
  peer_project project;
  PGresult *r;
  if (name.len < 3 || owner.len != 26 || !bench_hex_id(owner.buf + 1, org)) bench_die("400");
  peer_hash(q, hash);
  peer_arg(&who, hash, sizeof hash);
  peer_send(seat, PEER_CALLER, &who);
  peer_sync(seat);
  r = peer_next(seat);
  peer_synced(seat);
  peer_allowed(r, org);
  PQclear(r);
  peer_new_id(seat, id);
  while (!peer_insert(p, seat, id, org, name, tags, &r)) continue;
  peer_project_of(&project, id, org, (bench_text){ (char *)(uintptr_t)name.buf + 1, name.len - 2 },
                  (bench_text){ (char *)(uintptr_t)tags.buf, tags.len }, peer_integer(r, 0, 0), (uint64_t)peer_integer(r, 0, 1), 0);
  peer_answer(p, seat, BENCH_CREATE, project.holes, bench_write(seat->body, &p->whole, project.holes), out);
  PQclear(r);
}

void bench_libpq_request(bench_libpq *p, int thread, bench_store *b, bench_op op, unsigned *state, bench_answer *out)
{
  peer_seat *seat = &p->seats[thread];
  char target[128], body[1024];
  peer_request q = { target, b->bearer, body, 0 };
  bench_target_of(b, op, op == BENCH_GET ? (int)(bench_random(state) % (unsigned)b->own_count) : 0, target, sizeof target);
  peer_draw(p);
  if (op == BENCH_CREATE) q.body_length = bench_create_body(b, atomic_fetch_add(&b->created, 1), body, sizeof body);
  if (op == BENCH_GET) peer_get(p, seat, &q, out);
  else if (op == BENCH_ORG_LIST) peer_list(p, seat, &q, out);
  else peer_create(p, seat, &q, out);
}

#else
typedef int peer_postgres_left_out; /* a file must contain a declaration */
#endif

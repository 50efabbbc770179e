/*
** Finds one GET of every operation that links lead to from the root: the requests of clients that follow links. The data is that
** of a team with its own organization in the store, two projects, a cluster in one of them, a user who may access the cluster,
** and an address to access it from.
**
** The search is breadth first. The first answer of an operation is kept, and its links are followed. Targets whose status is not
** 200 are left out. Answers longer than a TLS record come last, so that a measurement can include or omit them. These answers are
** a handful of lists of what the service offers, which a client requests once; the longest has more bytes than all short answers together.
*/
#define _GNU_SOURCE
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CRAWL_MOST 8192 /* links to look at */
#define CRAWL_RECORD 16384

typedef struct crawl {
  char *targets[CRAWL_MOST];
  size_t n;
  const char *seen[BENCH_CRAWL_MOST]; /* operations; their names belong to the library */
  int seen_count;
  size_t project, settings, longest_short, longest; /* bytes of answers */
} crawl;

static void crawl_add(crawl *k, const char *p, size_t n)
{
  size_t i;
  if (n >= BENCH_TARGET || k->n == CRAWL_MOST) return;
  for (i = 0; i < k->n; i++)
    if (strncmp(k->targets[i], p, n) == 0 && !k->targets[i][n]) return;
  k->targets[k->n] = strndup(p, n);
  if (!k->targets[k->n++]) bench_die("no memory");
}

static void crawl_links(crawl *k, const char *body)
{
  static const char word[] = "\"href\":\"";
  while ((body = strstr(body, word)) != NULL) {
    const char *end, *at;
    body += sizeof word - 1;
    end = strchr(body, '"');
    at = strstr(body, BENCH_API);
    if (at && end && at < end) crawl_add(k, at, (size_t)(end - at));
  }
}

static bool crawl_is_new(const crawl *k, const char *operation)
{
  int i;
  for (i = 0; i < k->seen_count; i++)
    if (strcmp(k->seen[i], operation) == 0) return false;
  return true;
}

static void crawl_take(crawl *k, bench_store *b, const char *target, const svc_response *r)
{
  k->seen[k->seen_count++] = r->operation;
  crawl_links(k, r->body);
  if (r->body_length > k->longest) k->longest = r->body_length;
  if (strcmp(r->operation, "getGroup") == 0) k->project = r->body_length;
  if (strcmp(r->operation, "getGroupSettings") == 0) k->settings = r->body_length;
  if (r->body_length > CRAWL_RECORD) {
    strcpy(b->crawl[BENCH_CRAWL_MOST - ++b->crawl_long], target);
    return;
  }
  if (r->body_length > k->longest_short) k->longest_short = r->body_length;
  strcpy(b->crawl[b->crawl_count++], target);
  b->crawl_bytes += (double)r->body_length;
}

/* Creates the team's resources. */
static void crawl_team(svc *s, bench_store *b)
{
  static const struct {
    const char *below, *body;
    int status;
  } rows[] = {
    { "/clusters", "{\"name\":\"main\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
                   "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}", 201 },
    { "/databaseUsers", "{\"databaseName\":\"admin\",\"username\":\"app\",\"password\":\"correct horse battery\","
                        "\"roles\":[{\"roleName\":\"readWrite\",\"databaseName\":\"shop\"}]}", 201 },
    { "/accessList", "[{\"cidrBlock\":\"198.51.100.0/24\"}]", 201 },
  };
  bench_store team;
  char target[BENCH_TARGET];
  svc_response r;
  size_t i;
  bench_fill(s, &team, 2, 1, 0);
  bench_token(s, &team);
  strcpy(b->crawl_bearer, team.bearer);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    snprintf(target, sizeof target, BENCH_API "groups/%s%s", team.own[0], rows[i].below);
    if (bench_ask(s, "POST", target, rows[i].body, &r) != rows[i].status) bench_die(r.body);
    svc_response_free(&r);
  }
  bench_free(&team);
}

static void crawl_report(const crawl *k, const bench_store *b)
{
  bench_figure(0, "answers: kinds of GET that links lead to", "", k->seen_count, 0, 0, BENCH_NONE);
  bench_figure(0, "  of these, answered with 16 KiB at most", "", b->crawl_count, 0, 0, BENCH_NONE);
  bench_figure(0, "  their average", "KB", b->crawl_bytes / b->crawl_count / 1000, 0, 0, BENCH_NONE);
  bench_figure(0, "  the longest of them", "KB", (double)k->longest_short / 1000, 0, 0, BENCH_NONE);
  bench_figure(0, "  the longest of the others", "KB", (double)k->longest / 1000, 0, 0, BENCH_NONE);
  bench_figure(0, "  a project", "KB", (double)k->project / 1000, 0, 0, BENCH_NONE);
  bench_figure(0, "  settings of a project", "KB", (double)k->settings / 1000, 0, 0, BENCH_NONE);
}

void bench_crawl(svc *s, bench_store *b)
{
  const svc_header header = { "Authorization", b->crawl_bearer, 0, 0 };
  crawl *k = calloc(1, sizeof *k);
  size_t i;
  int j;
  b->crawl = calloc(BENCH_CRAWL_MOST, sizeof *b->crawl);
  if (!k || !b->crawl) bench_die("no memory");
  b->crawl_count = b->crawl_long = 0;
  b->crawl_bytes = 0;
  crawl_team(s, b);
  crawl_add(k, BENCH_API, sizeof BENCH_API - 2);
  for (i = 0; i < k->n && k->seen_count < BENCH_CRAWL_MOST; i++) {
    svc_request request = { .method = "GET", .target = k->targets[i], .headers = &header, .header_count = 1 };
    svc_response r;
    if (svc_handle_request(s, &request, &r) == SVC_OK && r.status == 200 && r.operation && crawl_is_new(k, r.operation))
      crawl_take(k, b, k->targets[i], &r);
    svc_response_free(&r);
  }
  for (j = 0; j < b->crawl_long; j++) memmove(b->crawl[b->crawl_count + j], b->crawl[BENCH_CRAWL_MOST - 1 - j], BENCH_TARGET);
  if (b->crawl_count < 100) bench_die("links lead to fewer operations than there are");
  crawl_report(k, b);
  for (i = 0; i < k->n; i++) free(k->targets[i]);
  free(k);
}

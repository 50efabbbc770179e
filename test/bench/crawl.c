/*
** One GET of every operation that links lead to, from a project with clusters and from the root: what clients that go from answer to
** answer ask for, of all sizes, from a word to a page of a list.
**
** Breadth first; the first answer of an operation is the one that is kept, and whose links are followed. What is not answered with 200
** is left out, and so is what needs no token: the OpenAPI document and its like.
*/
#define _GNU_SOURCE
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define CRAWL_MOST 8192 /* links that are looked at */

typedef struct crawl {
  char *targets[CRAWL_MOST];
  size_t n;
  const char *seen[BENCH_CRAWL_MOST]; /* operations; their names are the library's */
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

static bool crawl_is_new(const crawl *k, const bench_store *b, const char *operation)
{
  int i;
  for (i = 0; i < b->crawl_count; i++)
    if (strcmp(k->seen[i], operation) == 0) return false;
  return true;
}

void bench_crawl(svc *s, bench_store *b)
{
  const svc_header header = { "Authorization", b->bearer, 0, 0 };
  crawl *k = calloc(1, sizeof *k);
  char target[BENCH_TARGET];
  size_t i;
  b->crawl = calloc(BENCH_CRAWL_MOST, sizeof *b->crawl);
  if (!k || !b->crawl) bench_die("no memory");
  b->crawl_count = 0;
  b->crawl_bytes = 0;
  bench_target_of(b, BENCH_CLUSTERS, 0, target, sizeof target);
  crawl_add(k, target, strlen(target));
  crawl_add(k, target, (size_t)(strstr(target, "/clusters") - target));
  crawl_add(k, BENCH_API, sizeof BENCH_API - 2);
  for (i = 0; i < k->n && b->crawl_count < BENCH_CRAWL_MOST; i++) {
    svc_request request = { .method = "GET", .target = k->targets[i], .headers = &header, .header_count = 1 };
    svc_response r;
    if (svc_handle_request(s, &request, &r) == SVC_OK && r.status == 200 && r.operation && crawl_is_new(k, b, r.operation)) {
      k->seen[b->crawl_count] = r.operation;
      strcpy(b->crawl[b->crawl_count++], k->targets[i]);
      b->crawl_bytes += (double)r.body_length;
      crawl_links(k, r.body);
    }
    svc_response_free(&r);
  }
  for (i = 0; i < k->n; i++) free(k->targets[i]);
  free(k);
  if (b->crawl_count < 100) bench_die("links lead to fewer operations than there are");
}

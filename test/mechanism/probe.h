/*
** Shared by the suites of mechanisms. Each adds made-up nouns to the catalog (t_probes), whose tables use the mechanism under
** test. The functions here read the store directly.
*/
#ifndef SVC_TEST_PROBE_H
#define SVC_TEST_PROBE_H

#include "support.h"

#define PROBE_VERSIONS .versions = { 20250101 }

/* The body of POST /groups/ID/clusters for a cluster of three nodes. */
#define PROBE_CLUSTER(name, size) \
  "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
  "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"" size "\",\"nodeCount\":3}}]}]}"
#define PROBE_RESIZE(size) \
  "{\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\",\"priority\":7," \
  "\"electableSpecs\":{\"instanceSize\":\"" size "\",\"nodeCount\":3}}]}]}"

/* Iterates over the records with a key prefix, in a separate read transaction. */
typedef struct probe_walk {
  svc *s;
  svc_txn *txn;
  svc_scan scan;
  svc_str key, value;
} probe_walk;

static inline void probe_walk_begin(probe_walk *w, svc *s, const char *prefix)
{
  svc_key key;
  w->s = s;
  key.n = strlen(prefix);
  memcpy(key.b, prefix, key.n);
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &w->txn), ==, SVC_OK);
  svc_scan_below(&w->scan, w->txn, &key, false);
}

static inline bool probe_walk_next(probe_walk *w)
{
  if (svc_scan_next(&w->scan, &w->key, &w->value)) return true;
  munit_assert_int(w->txn->error, ==, SVC_OK);
  w->s->commit.port->read_end(w->txn);
  return false;
}

/* Returns the number of records with this prefix: "d" all due dates, "eclus" all clusters. */
static inline size_t probe_records(svc *s, const char *prefix)
{
  probe_walk w;
  size_t n = 0;
  for (probe_walk_begin(&w, s, prefix); probe_walk_next(&w);) n++;
  return n;
}

/* Checks that every entity of a kind has this project and organization. Returns their number. */
static inline size_t probe_all_in(svc *s, const char *kind, const char *group, const char *org)
{
  char prefix[1 + SVC_KIND_SIZE + 1];
  svc_id group_id = { { 0 } }, org_id = { { 0 } };
  probe_walk w;
  svc_entity e;
  size_t n = 0;
  snprintf(prefix, sizeof prefix, "e%s", kind);
  if (group) munit_assert_true(svc_id_parse(svc_str_c(group), &group_id));
  if (org) munit_assert_true(svc_id_parse(svc_str_c(org), &org_id));
  for (probe_walk_begin(&w, s, prefix); probe_walk_next(&w); n++) {
    munit_assert_true(svc_entity_decode(w.key, w.value, &e));
    munit_assert_memory_equal(12, e.scope.group.b, group_id.b);
    munit_assert_memory_equal(12, e.scope.org.b, org_id.b);
  }
  return n;
}

/* Returns the event types of a log ("/groups/ID"), oldest first, separated by spaces: valid until the next call. */
static inline const char *probe_feed(t_service *t, const char *of)
{
  static char text[8192];
  char place[64];
  size_t n, at = 0;
  munit_assert_int(t_sendf(t, "GET", NULL, "%s/events?itemsPerPage=500", of), ==, 200);
  text[0] = 0;
  for (n = t_count(t, "results"); n > 0; n--) {
    snprintf(place, sizeof place, "results[%zu].eventTypeName", n - 1);
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? " " : "", t_str(t, place));
    munit_assert_size(at, <, sizeof text);
  }
  return text;
}

/* Returns the event types that the log has gained since probe_feed() returned `before`. */
static inline const char *probe_feed_since(t_service *t, const char *of, const char *before)
{
  const char *all = probe_feed(t, of);
  size_t n = strlen(before);
  munit_assert_size(strlen(all), >=, n);
  munit_assert_memory_equal(n, all, before);
  return all[n] == ' ' ? all + n + 1 : all + n;
}

/* An allocator that fails after `left` calls; < 0: never. */
typedef struct probe_memory {
  long left;
} probe_memory;

static inline void *probe_resize(void *context, void *p, size_t size)
{
  probe_memory *m = context;
  if (size == 0) {
    free(p);
    return NULL;
  }
  if (m->left == 0) return NULL;
  if (m->left > 0) m->left--;
  return realloc(p, size);
}

/* Sends a request with too little memory, then with a little more, until it succeeds. Until then each answer is 503, and `unchanged`
** checks that nothing has changed. */
static inline void probe_with_little(t_service *t, probe_memory *m, const char *method, const char *path, const char *body, int status,
                                     void (*unchanged)(t_service *t, void *context), void *context)
{
  char target[512];
  svc_header json = { "Content-Type", "application/json", 0, 0 };
  svc_request request = { .method = method, .target = target, .headers = &json, .header_count = body ? 1 : 0, .body = body,
                          .body_length = body ? strlen(body) : 0, .caller = &t->caller };
  svc_response response;
  long n;
  snprintf(target, sizeof target, "/api/svc/v2%s", path);
  for (n = 0; n < 1000; n++) {
    int rc, got;
    m->left = n;
    rc = svc_handle_request(t->s, &request, &response);
    m->left = -1;
    got = response.status;
    if (got != 503 && got != status) munit_errorf("%s %s: %d %s", method, path, got, response.body);
    munit_assert_true(rc == SVC_OK || (rc == SVC_NOMEM && got == 503));
    svc_response_free(&response);
    if (got != 503) return;
    unchanged(t, context);
  }
  munit_error("there is never enough");
}

/* Expects svc_open() to refuse these nouns. Returns the log line with the reason. */
static inline const char *probe_refused(const svc_noun *const *nouns, int code)
{
  static t_service t;
  svc_config config = { 0 };
  svc *s = NULL;
  memset(&t, 0, sizeof t);
  t_probes(nouns);
  config.log = t_log;
  config.log_context = &t;
  munit_assert_int(svc_open(&s, &config), ==, code);
  munit_assert_null(s);
  t_probes(NULL);
  return t.log;
}

#endif

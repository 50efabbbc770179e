/*
** Conditional requests: ETag, If-None-Match, If-Match, and Idempotency-Key, which makes a POST safe to retry.
*/
#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

static const svc_config quiet = { .limiter_off = 1, .provision_ms = SVC_PROVISION_NOW };

#define CLUSTER \
  "{\"name\":\"Cluster0\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":{" \
  "\"instanceSize\":\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"

typedef char tag[64];

static void get_tag(t_service *t, const char *path, tag out)
{
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  snprintf(out, sizeof(tag), "%s", t_get_header(t, "ETag"));
}

/* Returns whether the resource still has the ETag `last`; writes its current one to `last`. */
static bool tag_kept(t_service *t, const char *path, tag last)
{
  tag now;
  bool same;
  get_tag(t, path, now);
  same = strcmp(now, last) == 0;
  memcpy(last, now, sizeof now);
  return same;
}

/* ----------------------------------------------------------------------------------------------------------------- ETag */

TEST(conditional, etag_form)
{
  t_service t;
  char paths[10][128];
  const char *org, *group;
  size_t i, n = 0;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  munit_assert_int(t_sendf(&t, "POST", CLUSTER, "/groups/%s/clusters", group), ==, 201);
  snprintf(paths[n++], 128, "/orgs/%s", org);                 /* stored */
  snprintf(paths[n++], 128, "/groups/%s", group);
  snprintf(paths[n++], 128, "/groups/byName/alpha");
  snprintf(paths[n++], 128, "/groups/%s/clusters/Cluster0", group);
  snprintf(paths[n++], 128, "/groups/%s/settings", group);    /* a singleton that was never changed */
  snprintf(paths[n++], 128, "/orgs/%s/settings", org);
  snprintf(paths[n++], 128, "/groups/%s/privateIpMode", group);
  snprintf(paths[n++], 128, "%s", "");                        /* computed */
  snprintf(paths[n++], 128, "/rateLimits/clusters_group");
  snprintf(paths[n++], 128, "/groups/%s/limits/svc.project.deployment.clusters", group);
  for (i = 0; i < n; i++) {
    tag plain, other;
    char path[256];
    size_t size;
    get_tag(&t, paths[i], plain);
    size = strlen(plain);
    munit_assert_size(size, >=, 3);
    munit_assert_char(plain[0], ==, '"');
    munit_assert_char(plain[size - 1], ==, '"');
    munit_assert_size(strcspn(plain + 1, "\","), ==, size - 2); /* one strong tag */
    munit_assert_true(tag_kept(&t, paths[i], plain));           /* reading changes nothing */
    /* every formatting has its own ETag */
    snprintf(path, sizeof path, "%.127s?pretty=true", paths[i]);
    get_tag(&t, path, other);
    munit_assert_string_not_equal(other, plain);
    snprintf(path, sizeof path, "%.127s?envelope=true", paths[i]);
    munit_assert_false(tag_kept(&t, path, other));
    munit_assert_string_not_equal(other, plain);
    snprintf(path, sizeof path, "%.127s?envelope=true&pretty=true", paths[i]);
    munit_assert_false(tag_kept(&t, path, other));
    munit_assert_string_not_equal(other, plain);
  }
  /* lists and errors have no ETag */
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_string_equal(t_get_header(&t, "ETag"), "");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/limits", group), ==, 200);
  munit_assert_string_equal(t_get_header(&t, "ETag"), "");
  munit_assert_int(t_send(&t, "GET", "/orgs/0123456789abcdef01234567", NULL), ==, 404);
  munit_assert_string_equal(t_get_header(&t, "ETag"), "");
  t_close(&t);
}

TEST(conditional, etag_changes)
{
  t_service t;
  const char *org, *id;
  char group[64], settings[64], limit[128];
  tag first, now, set, lim;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  id = t_project(&t, org, "alpha");
  snprintf(first, sizeof first, "%s", t_get_header(&t, "ETag")); /* the ETag of the POST */
  snprintf(group, sizeof group, "/groups/%s", id);
  snprintf(settings, sizeof settings, "/groups/%s/settings", id);
  snprintf(limit, sizeof limit, "/groups/%s/limits/svc.project.deployment.clusters", id);
  get_tag(&t, group, now);
  munit_assert_string_equal(now, first);
  get_tag(&t, settings, set);
  get_tag(&t, limit, lim);
  /* requests that do not change the project */
  t_project(&t, org, "other");
  t_advance(&t, 3600);
  munit_assert_int(t_send(&t, "PATCH", group, "{}"), ==, 200);
  munit_assert_int(t_send(&t, "PATCH", group, "{\"name\":\"alpha\"}"), ==, 200);
  munit_assert_string_equal(t_get_header(&t, "ETag"), first);
  munit_assert_int(t_send(&t, "PATCH", group, "{\"name\":\"\"}"), ==, 400);
  munit_assert_int(t_send(&t, "PATCH", group, "{\"name\":\"other\"}"), ==, 409);
  munit_assert_int(t_send(&t, "PATCH", settings, "{\"isDataExplorerEnabled\":true}"), ==, 200); /* already the default */
  munit_assert_string_equal(t_get_header(&t, "ETag"), set);
  munit_assert_true(tag_kept(&t, group, now));
  munit_assert_true(tag_kept(&t, settings, set));
  munit_assert_true(tag_kept(&t, limit, lim));
  /* requests that change the project, and the ETag that they return */
  munit_assert_int(t_send(&t, "PATCH", group, "{\"name\":\"beta\"}"), ==, 200);
  memcpy(first, now, sizeof now);
  snprintf(now, sizeof now, "%s", t_get_header(&t, "ETag"));
  munit_assert_string_not_equal(now, first);
  munit_assert_true(tag_kept(&t, group, now));
  munit_assert_int(t_send(&t, "PATCH", group, "{\"name\":\"alpha\"}"), ==, 200); /* the old name again is still another state */
  munit_assert_false(tag_kept(&t, group, now));
  munit_assert_string_not_equal(now, first);
  munit_assert_int(t_send(&t, "PATCH", settings, "{\"isDataExplorerEnabled\":false}"), ==, 200);
  munit_assert_true(tag_kept(&t, group, now)); /* the settings are a separate resource */
  munit_assert_false(tag_kept(&t, settings, set));
  munit_assert_int(t_send(&t, "PATCH", settings, "{\"isSchemaAdvisorEnabled\":false}"), ==, 200);
  munit_assert_false(tag_kept(&t, settings, set));
  munit_assert_true(tag_kept(&t, settings, set));
  /* fields of the project that its children change */
  munit_assert_int(t_sendf(&t, "POST", CLUSTER, "/groups/%s/clusters", id), ==, 201);
  munit_assert_false(tag_kept(&t, group, now));
  munit_assert_int64(t_int(&t, "clusterCount"), ==, 1);
  munit_assert_false(tag_kept(&t, limit, lim));
  munit_assert_int64(t_int(&t, "currentUsage"), ==, 1);
  munit_assert_true(tag_kept(&t, settings, set));
  t_close(&t);
}

/* A state that changes by a due step changes the ETag, too. */
TEST(conditional, etag_lifecycle)
{
  svc_config slow = { .limiter_off = 1 };
  t_service t;
  char path[128];
  tag now;
  t_open(&t, &slow);
  snprintf(path, sizeof path, "/groups/%s/clusters", t_project(&t, t_organization(&t, "Acme"), "alpha"));
  munit_assert_int(t_send(&t, "POST", path, CLUSTER), ==, 201);
  strcat(path, "/Cluster0");
  get_tag(&t, path, now);
  munit_assert_string_equal(t_str(&t, "stateName"), "CREATING");
  t_header(&t, "If-None-Match", now);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 304);
  t_advance(&t, 3600);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "stateName"), "IDLE");
  t_headers_clear(&t);
  munit_assert_false(tag_kept(&t, path, now));
  t_close(&t);
}

/* -------------------------------------------------------------------------------------------------------- If-None-Match */

static void assert_not_modified(t_service *t, const char *method, const char *path, const char *sent, const char *wanted)
{
  t_header(t, "If-None-Match", sent);
  munit_assert_int(t_send(t, method, path, NULL), ==, 304);
  munit_assert_size(t->response.body_length, ==, 0);
  munit_assert_string_equal(t_get_header(t, "ETag"), wanted);
  munit_assert_string_equal(t_get_header(t, "Content-Type"), "");
  munit_assert_string_equal(t_get_header(t, "Content-Length"), "");
  t_headers_clear(t);
}

static void assert_modified(t_service *t, const char *path, const char *sent)
{
  t_header(t, "If-None-Match", sent);
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  munit_assert_size(t->response.body_length, >, 0);
  t_headers_clear(t);
}

TEST(conditional, if_none_match)
{
  t_service t;
  char paths[4][128], list[256], weak[80], other[80], pretty[160];
  const char *org, *group;
  tag now, formatted;
  size_t i;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  snprintf(paths[0], 128, "/groups/%s", group);
  snprintf(paths[1], 128, "/groups/%s/settings", group);
  snprintf(paths[2], 128, "/groups/%s/limits/svc.project.deployment.clusters", group);
  snprintf(paths[3], 128, "%s", "");
  for (i = 0; i < 4; i++) {
    get_tag(&t, paths[i], now);
    assert_not_modified(&t, "GET", paths[i], now, now);
    assert_not_modified(&t, "HEAD", paths[i], now, now);
    snprintf(weak, sizeof weak, "W/%s", now);
    assert_not_modified(&t, "GET", paths[i], weak, now);
    assert_not_modified(&t, "GET", paths[i], "*", now);
    snprintf(list, sizeof list, "\"x\", W/\"y\",%s ,\"z\"", now);
    assert_not_modified(&t, "GET", paths[i], list, now);
    snprintf(list, sizeof list, "\"x\", %s", weak);
    assert_not_modified(&t, "GET", paths[i], list, now);
    /* ETags that do not match */
    assert_modified(&t, paths[i], "\"x\"");
    assert_modified(&t, paths[i], "\"x\", \"y\"");
    assert_modified(&t, paths[i], "");
    snprintf(other, sizeof other, "%.*s", (int)strlen(now) - 2, now + 1); /* without the quotes */
    assert_modified(&t, paths[i], other);
    snprintf(other, sizeof other, "\"%s\"", now);
    assert_modified(&t, paths[i], other);
    snprintf(other, sizeof other, "w/%s", now);
    assert_modified(&t, paths[i], other);
    /* the pretty form and the plain one have different ETags */
    snprintf(pretty, sizeof pretty, "%.127s?pretty=true", paths[i]);
    assert_modified(&t, pretty, now);
    get_tag(&t, pretty, formatted);
    assert_not_modified(&t, "GET", pretty, formatted, formatted);
    assert_modified(&t, paths[i], formatted);
    snprintf(pretty, sizeof pretty, "%.127s?envelope=true", paths[i]);
    assert_modified(&t, pretty, now);
    assert_modified(&t, pretty, formatted);
  }
  /* after a change the old ETag no longer matches */
  get_tag(&t, paths[0], now);
  munit_assert_int(t_send(&t, "PATCH", paths[0], "{\"name\":\"beta\"}"), ==, 200);
  assert_modified(&t, paths[0], now);
  /* an error stays an error, a list has no ETag, and If-None-Match does not affect a change */
  t_header(&t, "If-None-Match", "*");
  munit_assert_int(t_send(&t, "GET", "/groups/0123456789abcdef01234567", NULL), ==, 404);
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int(t_send(&t, "PATCH", paths[0], "{\"name\":\"gamma\"}"), ==, 200);
  munit_assert_string_equal(t_str(&t, "name"), "gamma");
  t_close(&t);
}

/* ------------------------------------------------------------------------------------------------------------- If-Match */

static int64_t events_of(t_service *t, const char *org, const char *group)
{
  int64_t n;
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events?itemsPerPage=1", org), ==, 200);
  n = t_int(t, "totalCount");
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events?itemsPerPage=1", group), ==, 200);
  return n + t_int(t, "totalCount");
}

/* A request is refused and changes nothing if its If-Match does not name the current ETag, or names it as a weak or unquoted one.
** The current ETag succeeds alone, in a list, as *, and in the ETag of each formatting. */
static void if_match_case(t_service *t, const char *org, const char *group, const char *method, const char *path,
                          const char *bodies[6], bool last)
{
  static const char *const stale[] = { "\"x\"", "\"0\"", "\"x\", \"y\"", "x", "\"\"", ",", "\"-p\"", "\"", "\"x" };
  char weak[80], bare[80], half[80], list[256], pretty[160];
  tag now, formatted;
  int64_t events = events_of(t, org, group);
  size_t i;
  get_tag(t, path, now);
  snprintf(weak, sizeof weak, "W/%s", now);
  snprintf(bare, sizeof bare, "%.*s", (int)strlen(now) - 2, now + 1);
  snprintf(half, sizeof half, "x%s", now + 1);
  for (i = 0; i < sizeof stale / sizeof stale[0] + 3; i++) {
    const char *const odd[] = { weak, bare, half };
    t_header(t, "If-Match", i < sizeof stale / sizeof stale[0] ? stale[i] : odd[i - sizeof stale / sizeof stale[0]]);
    if (t_send(t, method, path, bodies[0]) != 412)
      munit_errorf("%s %s with %s: %d", method, path, t->headers[0].value, t->response.status);
    munit_assert_string_equal(t_error(t), "PRECONDITION_FAILED");
    munit_assert_size(t_count(t, "parameters"), ==, 0);
    munit_assert_string_equal(t_str(t, "reason"), "Precondition Failed");
    munit_assert_string_equal(t_get_header(t, "ETag"), "");
    t_headers_clear(t);
    munit_assert_true(tag_kept(t, path, now));
  }
  munit_assert_int64(events_of(t, org, group), ==, events);
  if (last) {
    t_header(t, "If-Match", now);
    munit_assert_int(t_send(t, method, path, bodies[0]), <, 300);
    t_headers_clear(t);
    return;
  }
  t_header(t, "If-Match", now);
  munit_assert_int(t_send(t, method, path, bodies[0]), ==, 200);
  munit_assert_int(t_send(t, method, path, bodies[1]), ==, 412); /* the previous ETag */
  t_headers_clear(t);
  get_tag(t, path, now);
  snprintf(list, sizeof list, "\"x\" , %s, \"y\"", now);
  t_header(t, "If-Match", list);
  munit_assert_int(t_send(t, method, path, bodies[1]), ==, 200);
  t_header(t, "If-Match", "*");
  munit_assert_int(t_send(t, method, path, bodies[2]), ==, 200);
  t_headers_clear(t);
  for (i = 0; i < 3; i++) { /* an ETag of any formatting names the same state */
    static const char *const formats[] = { "?pretty=true", "?envelope=true", "?envelope=true&pretty=true" };
    snprintf(pretty, sizeof pretty, "%s%s", path, formats[i]);
    get_tag(t, pretty, formatted);
    t_header(t, "If-Match", formatted);
    munit_assert_int(t_send(t, method, path, bodies[3 + i]), ==, 200);
    t_headers_clear(t);
  }
}

TEST(conditional, if_match)
{
  const char *names[6] = { "{\"name\":\"n1\"}", "{\"name\":\"n2\"}", "{\"name\":\"n3\"}", "{\"name\":\"n4\"}", "{\"name\":\"n5\"}",
                           "{\"name\":\"n6\"}" };
  const char *on_off[6] = { "{\"enabled\":true}", "{\"enabled\":false}", "{\"enabled\":true}", "{\"enabled\":false}",
                            "{\"enabled\":true}", "{\"enabled\":false}" };
  const char *hours[6] = { "{\"maxServiceAccountSecretValidityInHours\":10}", "{\"maxServiceAccountSecretValidityInHours\":11}",
                           "{\"maxServiceAccountSecretValidityInHours\":12}", "{\"maxServiceAccountSecretValidityInHours\":13}",
                           "{\"maxServiceAccountSecretValidityInHours\":14}", "{\"maxServiceAccountSecretValidityInHours\":15}" };
  const char *none[6] = { NULL };
  t_service t;
  const char *org, *group, *doomed, *empty;
  char path[128];
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  doomed = t_project(&t, org, "doomed");
  empty = t_organization(&t, "Empty");
  snprintf(path, sizeof path, "/groups/%s", group);
  if_match_case(&t, org, group, "PATCH", path, names, false);
  snprintf(path, sizeof path, "/orgs/%s", org);
  if_match_case(&t, org, group, "PATCH", path, names, false);
  snprintf(path, sizeof path, "/groups/%s/privateIpMode", group); /* starting with its defaults */
  if_match_case(&t, org, group, "PATCH", path, on_off, false);
  snprintf(path, sizeof path, "/orgs/%s/settings", org);
  if_match_case(&t, org, group, "PATCH", path, hours, false);
  snprintf(path, sizeof path, "/groups/%s", doomed);
  if_match_case(&t, org, group, "DELETE", path, none, true);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 404);
  snprintf(path, sizeof path, "/orgs/%s", empty);
  if_match_case(&t, org, group, "DELETE", path, none, true);
  munit_assert_int(t_sendf(&t, "POST", CLUSTER, "/groups/%s/clusters", group), ==, 201);
  snprintf(path, sizeof path, "/groups/%s/clusters/Cluster0", group);
  if_match_case(&t, org, group, "DELETE", path, none, true);
  /* a missing resource has no state: 404 comes before 412, and 412 before the checks of the body */
  t_header(&t, "If-Match", "*");
  munit_assert_int(t_send(&t, "PATCH", "/groups/0123456789abcdef01234567", "{\"name\":\"x\"}"), ==, 404);
  munit_assert_int(t_send(&t, "DELETE", "/groups/0123456789abcdef01234567", NULL), ==, 404);
  t_header(&t, "If-Match", "\"x\"");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"nosuch\":1}", "/groups/%s", group), ==, 412);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200); /* reading needs no If-Match */
  t_close(&t);
}

/* Two callers read the same state and change it: the second change is refused. */
TEST(conditional, lost_update)
{
  t_service t;
  char path[64];
  tag seen;
  t_open(&t, &quiet);
  snprintf(path, sizeof path, "/groups/%s", t_project(&t, t_organization(&t, "Acme"), "alpha"));
  get_tag(&t, path, seen);
  t_header(&t, "If-Match", seen);
  munit_assert_int(t_send(&t, "PATCH", path, "{\"name\":\"mine\"}"), ==, 200);
  munit_assert_int(t_send(&t, "PATCH", path, "{\"name\":\"yours\"}"), ==, 412);
  t_headers_clear(&t);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "name"), "mine");
  t_close(&t);
}

/* ------------------------------------------------------------------------------------------------------ Idempotency-Key */

/* Number of records of the store whose key begins with this letter. */
static size_t records(t_service *t, char letter)
{
  svc_commit *k = &t->s->commit;
  svc_txn *txn;
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  size_t n = 0;
  prefix.b[0] = (unsigned char)letter;
  prefix.n = 1;
  munit_assert_int(k->port->read_begin(k->store, &txn), ==, SVC_OK);
  svc_scan_below(&scan, txn, &prefix, false);
  while (svc_scan_next(&scan, &key, &value)) n++;
  k->port->read_end(txn);
  return n;
}

static int64_t count_of(t_service *t, const char *path)
{
  size_t n = t->header_count;
  int64_t total;
  t->header_count = 0;
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  t->header_count = n;
  total = t_int(t, "totalCount");
  return total;
}

/* A copy of the last answer. */
typedef struct kept {
  int status;
  char *body;
  tag etag;
  size_t headers;
} kept;

static kept keep(const t_service *t)
{
  kept k;
  k.status = t->response.status;
  k.body = munit_malloc(t->response.body_length + 1);
  memcpy(k.body, t->response.body, t->response.body_length + 1);
  snprintf(k.etag, sizeof k.etag, "%s", t_get_header(t, "ETag"));
  k.headers = t->response.header_count;
  return k;
}

static void assert_same(const t_service *t, const kept *k)
{
  munit_assert_int(t->response.status, ==, k->status);
  munit_assert_string_equal(t->response.body, k->body);
  munit_assert_string_equal(t_get_header(t, "ETag"), k->etag);
  munit_assert_size(t->response.header_count, ==, k->headers);
}

TEST(conditional, retry_same)
{
  t_service t;
  const char *org;
  char body[128], events[160], group[128];
  kept first;
  int64_t seen;
  int i;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  snprintf(body, sizeof body, "{\"name\":\"alpha\",\"orgId\":\"%s\"}", org);
  t_header(&t, "Idempotency-Key", "key-1");
  munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 201);
  first = keep(&t);
  snprintf(group, sizeof group, "/groups/%s", t_str(&t, "id"));
  snprintf(events, sizeof events, "%s/events", group);
  seen = count_of(&t, events);
  for (i = 0; i < 5; i++) {
    t_advance(&t, 3600);
    munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 201);
    assert_same(&t, &first);
  }
  munit_assert_int64(count_of(&t, "/groups"), ==, 1);
  munit_assert_int64(count_of(&t, events), ==, seen);
  munit_assert_size(records(&t, 'i'), ==, 1);
  /* the first answer, even after the resource was changed or deleted */
  munit_assert_int(t_send(&t, "PATCH", group, "{\"name\":\"beta\"}"), ==, 200);
  munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 201);
  assert_same(&t, &first);
  munit_assert_int(t_send(&t, "DELETE", group, NULL), ==, 202);
  munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 201);
  assert_same(&t, &first);
  munit_assert_int64(count_of(&t, "/groups"), ==, 0);
  /* in the formatting of the retry */
  munit_assert_int(t_send(&t, "POST", "/groups?envelope=true", body), ==, 201);
  munit_assert_int64(t_int(&t, "status"), ==, 201);
  munit_assert_string_equal(t_str(&t, "content.name"), "alpha");
  /* without a key the request is new */
  t_headers_clear(&t);
  munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 201);
  munit_assert_string_not_equal(t.response.body, first.body);
  munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 409);
  free(first.body);
  t_close(&t);
}

/* Retries of an answer that a function of the noun writes, and of one below a project. */
TEST(conditional, retry_other_nouns)
{
  t_service t;
  const char *org, *group;
  char path[128];
  kept first;
  t_open(&t, &quiet);
  t_header(&t, "Idempotency-Key", "one key for all paths");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"Acme\"}"), ==, 201);
  first = keep(&t);
  org = svc_arena_copy(&t.s->memory, svc_str_c(t_str(&t, "organization.id"))).p;
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"Acme\"}"), ==, 201);
  assert_same(&t, &first);
  free(first.body);
  munit_assert_int64(count_of(&t, "/orgs"), ==, 1);
  group = t_project(&t, org, "alpha"); /* the same key at another path */
  snprintf(path, sizeof path, "/groups/%s/clusters", group);
  munit_assert_int(t_send(&t, "POST", path, CLUSTER), ==, 201);
  first = keep(&t);
  munit_assert_int(t_send(&t, "POST", path, CLUSTER), ==, 201);
  assert_same(&t, &first);
  free(first.body);
  munit_assert_int64(count_of(&t, path), ==, 1);
  munit_assert_size(records(&t, 'i'), ==, 3);
  /* other methods ignore the key */
  munit_assert_int(t_sendf(&t, "PATCH", "{\"name\":\"x\"}", "/groups/%s", group), ==, 200);
  munit_assert_int(t_sendf(&t, "PATCH", "{\"name\":\"y\"}", "/groups/%s", group), ==, 200);
  munit_assert_string_equal(t_str(&t, "name"), "y");
  munit_assert_size(records(&t, 'i'), ==, 3);
  t_close(&t);
}

TEST(conditional, retry_reused)
{
  t_service t;
  t_open(&t, &quiet);
  t_header(&t, "Idempotency-Key", "k\"1");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 201);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"b\"}"), ==, 409);
  munit_assert_string_equal(t_error(&t), "IDEMPOTENCY_KEY_REUSED");
  munit_assert_size(t_count(&t, "parameters"), ==, 1);
  munit_assert_string_equal(t_param(&t, 0), "k\"1");
  munit_assert_string_equal(t_str(&t, "detail"), "The idempotency key k\"1 was used for a different request before.");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{ \"name\":\"a\"}"), ==, 409); /* the bodies are compared byte for byte */
  munit_assert_int64(count_of(&t, "/orgs"), ==, 1);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 201); /* the first answer is still kept */
  munit_assert_int64(count_of(&t, "/orgs"), ==, 1);
  /* keys are case sensitive, and bytes that are not UTF-8 do not break the answer */
  t_header(&t, "Idempotency-Key", "K\"1");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"b\"}"), ==, 201);
  t_header(&t, "Idempotency-Key", "\xFF");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"c\"}"), ==, 201);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"d\"}"), ==, 409);
  munit_assert_string_equal(t_param(&t, 0), "?");
  munit_assert_int64(count_of(&t, "/orgs"), ==, 3);
  t_close(&t);
}

TEST(conditional, retry_other_caller)
{
  t_service t;
  char first[64];
  t_open(&t, &quiet);
  t_header(&t, "Idempotency-Key", "k");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 201);
  snprintf(first, sizeof first, "%s", t_str(&t, "organization.id"));
  t.caller.user_id = "5f0000000000000000000002";
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"other\"}"), ==, 201);
  munit_assert_string_not_equal(t_str(&t, "organization.id"), first);
  munit_assert_int64(count_of(&t, "/orgs"), ==, 2);
  t.caller.user_id = "5f0000000000000000000001";
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 201);
  munit_assert_string_equal(t_str(&t, "organization.id"), first);
  /* the retry created no third organization */
  munit_assert_int64(count_of(&t, "/orgs"), ==, 2);
  t_close(&t);
}

/* A caller who has lost the role gets 403, not the kept answer. */
TEST(conditional, retry_lost_role)
{
  t_service t;
  char path[128];
  t_open(&t, &quiet);
  snprintf(path, sizeof path, "/groups/%s/clusters", t_project(&t, t_organization(&t, "Acme"), "alpha"));
  t_header(&t, "Idempotency-Key", "k");
  munit_assert_int(t_send(&t, "POST", path, CLUSTER), ==, 201);
  t.grants[0].role = "GROUP_READ_ONLY";
  munit_assert_int(t_send(&t, "POST", path, CLUSTER), ==, 403);
  t.grants[0].role = "ORG_OWNER";
  munit_assert_int(t_send(&t, "POST", path, CLUSTER), ==, 201);
  t_close(&t);
}

TEST(conditional, retry_expires)
{
  t_service t;
  char first[64];
  t_open(&t, &quiet);
  t_header(&t, "Idempotency-Key", "k");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 201);
  snprintf(first, sizeof first, "%s", t_str(&t, "organization.id"));
  munit_assert_size(records(&t, 'i'), ==, 1);
  munit_assert_size(records(&t, 'd'), ==, 1);
  t.now = T_START + 24 * 3600 * (int64_t)1000 - 1;
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 201);
  munit_assert_string_equal(t_str(&t, "organization.id"), first);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"b\"}"), ==, 409);
  munit_assert_size(records(&t, 'i'), ==, 1);
  t.now += 1;
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200); /* any request deletes the expired answer, and so does svc_tick() */
  munit_assert_size(records(&t, 'i'), ==, 0);
  munit_assert_size(records(&t, 'd'), ==, 0);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"b\"}"), ==, 201); /* the key is free for another request */
  munit_assert_string_not_equal(t_str(&t, "organization.id"), first);
  munit_assert_int64(count_of(&t, "/orgs"), ==, 2);
  munit_assert_size(records(&t, 'i'), ==, 1);
  /* a replay does not extend the lifetime of the kept answer */
  t_advance(&t, 24 * 3600);
  munit_assert_int(svc_tick(t.s), ==, SVC_OK);
  munit_assert_size(records(&t, 'i'), ==, 0);
  munit_assert_size(records(&t, 'd'), ==, 0);
  t_close(&t);
}

TEST(conditional, retry_after_failure)
{
  t_service t;
  const char *org;
  char body[128], wrong[128];
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  t_project(&t, org, "alpha");
  t_header(&t, "Idempotency-Key", "k");
  snprintf(wrong, sizeof wrong, "{\"name\":\"beta\",\"orgId\":\"0123456789abcdef01234567\"}");
  snprintf(body, sizeof body, "{\"name\":\"alpha\",\"orgId\":\"%s\"}", org);
  munit_assert_int(t_send(&t, "POST", "/groups", "{\"nosuch\":1}"), ==, 400);
  munit_assert_int(t_send(&t, "POST", "/groups", "{"), ==, 400);
  munit_assert_int(t_send(&t, "POST", "/groups", wrong), ==, 404);
  munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 409);
  munit_assert_string_equal(t_error(&t), "GROUP_ALREADY_EXISTS");
  munit_assert_size(records(&t, 'i'), ==, 0);
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", t_str(&t, "results[0].id")), ==, 202);
  munit_assert_int(t_send(&t, "POST", "/groups", body), ==, 201); /* the same request again succeeds now */
  munit_assert_int(t_send(&t, "POST", "/groups", wrong), ==, 409);
  munit_assert_string_equal(t_error(&t), "IDEMPOTENCY_KEY_REUSED");
  t_close(&t);
}

TEST(conditional, retry_key_length)
{
  t_service t;
  char key[300];
  t_open(&t, &quiet);
  memset(key, 'k', sizeof key);
  key[255] = 0;
  t_header(&t, "Idempotency-Key", key);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 201);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 201);
  munit_assert_int64(count_of(&t, "/orgs"), ==, 1);
  key[255] = 'k';
  key[256] = 0;
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 400);
  munit_assert_string_equal(t_error(&t), "INVALID_REQUEST");
  munit_assert_string_equal(t_param(&t, 0), "Idempotency-Key has more than 255 characters");
  munit_assert_int64(count_of(&t, "/orgs"), ==, 1);
  t_header(&t, "Idempotency-Key", ""); /* an empty key counts as none */
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 201);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 201);
  munit_assert_int64(count_of(&t, "/orgs"), ==, 3);
  t_close(&t);
}

TEST(conditional, retry_reopened)
{
  char folder[] = "/tmp/svc-retry-XXXXXX", command[64];
  svc_config config = { .limiter_off = 1, .durability = SVC_NO_SYNC };
  t_service t;
  kept first;
  munit_assert_not_null(mkdtemp(folder));
  config.path = folder;
  t_open(&t, &config);
  t_header(&t, "Idempotency-Key", "k");
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 201);
  first = keep(&t);
  svc_response_free(&t.response);
  t_reopen(&t, &config);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"a\"}"), ==, 201);
  assert_same(&t, &first);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"b\"}"), ==, 409);
  munit_assert_int64(count_of(&t, "/orgs"), ==, 1);
  t_advance(&t, 24 * 3600); /* the answer expires although no request came in between */
  t_reopen(&t, &config);
  munit_assert_int(t_send(&t, "POST", "/orgs", "{\"name\":\"b\"}"), ==, 201);
  munit_assert_int64(count_of(&t, "/orgs"), ==, 2);
  munit_assert_size(records(&t, 'i'), ==, 1);
  munit_assert_size(records(&t, 'd'), ==, 1);
  free(first.body);
  t_close(&t);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  munit_assert_int(system(command), ==, 0);
}

/* Answers without a resource: a complete list, an empty object, no content. `runs` counts the calls of their functions. */
static int runs;
/* The functions write to the store, because only the answer to a write is kept. */
static void run_writes(svc_call *c)
{
  svc_key key;
  runs++;
  svc_key_begin(&key, 'm');
  svc_key_add(&key, "vendor", 6);
  svc_put(c->txn, &key, SVC_S("svc"));
}

static bool run_list(svc_call *c)
{
  run_writes(c);
  c->answer.status = 201;
  c->answer.whole = true;
  c->answer.body = SVC_S("[1,2,3]");
  return true;
}

static bool run_empty(svc_call *c)
{
  run_writes(c);
  c->answer.status = 202;
  c->answer.body = SVC_S("{}");
  return true;
}

static bool run_nothing(svc_call *c)
{
  run_writes(c);
  c->answer.status = 200;
  return true;
}

TEST(conditional, retry_no_entity)
{
  static const struct {
    bool (*run)(svc_call *c);
    int status;
    const char *body;
  } rows[] = { { run_list, 201, "[1,2,3]" }, { run_empty, 202, "{\"content\":{},\"status\":202}" }, { run_nothing, 200, "" } };
  const svc_plan *item = NULL;
  t_service t;
  size_t i;
  int again;
  t_open(&t, &quiet);
  for (i = 0; i < t.s->plan_count; i++) /* a noun whose resources have links; these answers have neither */
    if (t.s->plans[i].route->method == SVC_GET && strcmp(t.s->plans[i].route->path, "/groups/{groupId}") == 0)
      item = &t.s->plans[i];
  munit_assert_not_null(item);
  for (i = 0; i < 3; i++)
    for (again = 0; again < 4; again++) {
      svc_route route = { .method = SVC_POST, .path = "/made/up", .versions = { 20230101 }, .run = rows[i].run };
      svc_plan plan;
      svc_request request;
      svc_response response;
      svc_arena arena;
      svc_call c;
      char key[8];
      svc_arena_init(&arena, NULL);
      memset(&plan, 0, sizeof plan);
      memset(&c, 0, sizeof c);
      memset(&request, 0, sizeof request);
      memset(&response, 0, sizeof response);
      plan.route = &route;
      plan.item = item;
      request.method = "POST";
      request.body = "{}";
      request.body_length = 2;
      snprintf(key, sizeof key, "k%zu", i);
      c.s = t.s;
      c.request.raw = &request;
      c.arena = &arena;
      c.now = t.now + (again == 3 ? 24 * 3600 * (int64_t)1000 : 0); /* the last round: the answer has expired, but no sweep has deleted
                                                                       it */
      c.request.method = SVC_POST;
      c.plan = &plan;
      c.route.version = 20230101;
      c.query.envelope = true; /* a complete list and an answer without a body get no envelope */
      c.request.path = SVC_S("/api/svc/v2/made/up");
      c.request.retry_key = svc_str_c(key);
      c.who.known = true;
      c.who.user_id = svc_str_c(t.caller.user_id);
      runs = 0;
      munit_assert_true(svc_stage_behave(&c));
      munit_assert_int(runs, ==, again == 0 || again == 3 ? 1 : 0);
      munit_assert_size(records(&t, 'i'), ==, i + 1);
      munit_assert_size(records(&t, 'd'), ==, i + 1); /* a single due step per answer, at its new time */
      svc_stage_respond(&c, &response);
      munit_assert_int(response.status, ==, rows[i].status);
      munit_assert_size(response.body_length, ==, strlen(rows[i].body));
      munit_assert_string_equal(response.body, rows[i].body);
      svc_blocks_free(arena.blocks);
    }
  t_close(&t);
}

/* ---------------------------------------------------------------------------------------------------------------- bounds */

/* A body of about 20 KB. */
static void retry_policy(char *out, size_t size, int number)
{
  size_t n = (size_t)snprintf(out, size, "{\"name\":\"p%d\",\"policies\":[", number);
  int i;
  for (i = 0; i < 5; i++)
    n += (size_t)snprintf(out + n, size - n, "%s{\"body\":\"forbid (principal, action, resource) when { false }; // %*s\"}", i ? "," : "", 4000, "x");
  snprintf(out + n, size - n, "]}");
}

/* The answer to a request that writes nothing is not kept, whether its key is new or was sent before. */
TEST(conditional, retry_writes_nothing)
{
  char body[32768];
  t_service t;
  const char *org;
  int i;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  retry_policy(body, sizeof body, 1);
  for (i = 0; i < 3; i++) {
    char key[16];
    snprintf(key, sizeof key, "k%d", i / 2);
    t_headers_clear(&t);
    t_header(&t, "Idempotency-Key", key);
    munit_assert_int(t_sendf(&t, "POST", body, "/orgs/%s/resourcePolicies:validate", org), ==, 200);
    munit_assert_size(records(&t, 'i'), ==, 0);
    munit_assert_size(records(&t, 'j'), ==, 0);
  }
  t_close(&t);
}

static uint64_t retry_bytes_of(t_service *t, const char *org)
{
  svc_commit *k = &t->s->commit;
  svc_txn *txn;
  svc_id id;
  uint64_t n;
  munit_assert_true(svc_id_parse(svc_str_c(org), &id));
  munit_assert_int(k->port->read_begin(k->store, &txn), ==, SVC_OK);
  n = svc_count(txn, "-try", &id);
  k->port->read_end(txn);
  return n;
}

/* An organization may keep 4 MiB of answers; beyond that its oldest are deleted. Answers of another organization stay. */
TEST(conditional, retry_bytes)
{
  char body[32768], key[16], first[32];
  t_service t;
  const char *org, *other;
  uint64_t most = 0, bytes;
  int i;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  other = t_organization(&t, "Other");
  retry_policy(body, sizeof body, 0);
  t_header(&t, "Idempotency-Key", "first");
  munit_assert_int(t_sendf(&t, "POST", body, "/orgs/%s/resourcePolicies", other), ==, 201);
  for (i = 0; i < 240; i++) { /* 4.8 MB in all */
    snprintf(key, sizeof key, "k%d", i);
    retry_policy(body, sizeof body, i);
    t_headers_clear(&t);
    t_header(&t, "Idempotency-Key", key);
    munit_assert_int(t_sendf(&t, "POST", body, "/orgs/%s/resourcePolicies", org), ==, 201);
    snprintf(first, sizeof first, "%s", t_str(&t, "id"));
    t_headers_clear(&t);
    munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s/resourcePolicies/%s", org, first), ==, 200);
    bytes = retry_bytes_of(&t, org);
    if (bytes > most) most = bytes;
    munit_assert_uint64(bytes, <=, (uint64_t)4 << 20);
  }
  munit_assert_uint64(most, >, ((uint64_t)4 << 20) - 65536);
  t_header(&t, "Idempotency-Key", key); /* the last answer is still kept */
  munit_assert_int(t_sendf(&t, "POST", body, "/orgs/%s/resourcePolicies", org), ==, 201);
  munit_assert_string_equal(t_str(&t, "id"), first);
  t_headers_clear(&t);
  t_header(&t, "Idempotency-Key", "k0"); /* the first answer was deleted: the request runs again */
  retry_policy(body, sizeof body, 0);
  munit_assert_int(t_sendf(&t, "POST", body, "/orgs/%s/resourcePolicies", org), ==, 201);
  t_headers_clear(&t);
  t_header(&t, "Idempotency-Key", "first");
  munit_assert_int(t_sendf(&t, "POST", body, "/orgs/%s/resourcePolicies", other), ==, 201);
  munit_assert_size(records(&t, 'j'), ==, records(&t, 'i'));
  t_advance(&t, 24 * 3600);
  t_headers_clear(&t);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_size(records(&t, 'i') + records(&t, 'j'), ==, 0);
  munit_assert_uint64(retry_bytes_of(&t, org), ==, 0);
  t_close(&t);
}

/*
** Roles on projects, an index of the store: their costs, as counts of store accesses, and the agreement of both sides
** of the index after any operation. The counts do not depend on the machine.
*/
#include "support.h"

#include <time.h>

static const svc_config holding_quiet = { .limiter_off = 1 };

/* ------------------------------------------------------------------------------------------------- accesses to the store */

static svc_store_port counting;
static struct {
  size_t read, written; /* records; bytes */
} asked;

static int counting_read(svc_store *store, svc_txn **out)
{
  int rc = svc_lmdb_port()->read_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &counting;
  return rc;
}
static int counting_write(svc_store *store, svc_txn **out)
{
  int rc = svc_lmdb_port()->write_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &counting;
  return rc;
}
static int counting_get(svc_txn *txn, svc_str key, svc_str *value)
{
  asked.read++;
  return svc_lmdb_port()->get(txn, key, value);
}
static int counting_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values)
{
  asked.read += n;
  return svc_lmdb_port()->get_many(txn, keys, n, values);
}
static int counting_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  int rc = svc_lmdb_port()->scan(txn, range, rows, most, n);
  asked.read += *n;
  return rc;
}
static int counting_put(svc_txn *txn, svc_str key, svc_str value)
{
  asked.written += key.n + value.n;
  return svc_lmdb_port()->put(txn, key, value);
}

static void holding_open(t_service *t)
{
  svc_config config = holding_quiet;
  counting = *svc_lmdb_port();
  counting.read_begin = counting_read;
  counting.write_begin = counting_write;
  counting.get = counting_get;
  counting.get_many = counting_get_many;
  counting.scan = counting_scan;
  counting.put = counting_put;
  config.store = &counting;
  t_open(t, &config);
}

/* The records that a request read, and the bytes that it wrote. */
typedef struct holding_cost {
  size_t read, written;
} holding_cost;

static holding_cost holding_of(t_service *t, const char *method, const char *path, const char *body)
{
  int status;
  memset(&asked, 0, sizeof asked);
  status = t_send(t, method, path, body);
  if (status / 100 != 2) munit_errorf("%s %s: %d %s", method, path, status, t->response.body);
  return (holding_cost){ asked.read, asked.written };
}

/* ----------------------------------------------------------------------------------------------------------- a crowd */

#define HOLDING_REQUESTS 19

typedef struct holding_world {
  t_service t;
  const char *org, *group, *other, *key, *team, *user, *second;
} holding_world;

static void holding_key(holding_world *w, const char *roles)
{
  char body[128];
  snprintf(body, sizeof body, "{\"desc\":\"k\",\"roles\":[\"%s\"]}", roles);
  munit_assert_int(t_sendf(&w->t, "POST", body, "/orgs/%s/apiKeys", w->org) / 100, ==, 2);
}

static void holding_account(t_service *t, const char *org, const char *role)
{
  char body[192];
  snprintf(body, sizeof body, "{\"name\":\"a\",\"description\":\"a\",\"roles\":[\"%s\"],\"secretExpiresAfterHours\":8}", role);
  munit_assert_int(t_sendf(t, "POST", body, "/orgs/%s/serviceAccounts", org), ==, 201);
}

static void holding_member(holding_world *w, int number, bool registered)
{
  char name[64], body[192];
  snprintf(name, sizeof name, "%s%d@example.com", registered ? "r" : "p", number);
  if (registered) {
    snprintf(body, sizeof body, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", w->org);
    t_user(&w->t, name, body);
    return;
  }
  snprintf(body, sizeof body, "{\"username\":\"%s\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", name);
  munit_assert_int(t_sendf(&w->t, "POST", body, "/orgs/%s/users", w->org), ==, 201);
}

/* Creates an organization with this many members, keys, accounts and teams; few of them have a role on the project. */
static void holding_crowd(holding_world *w, int n)
{
  char body[256];
  int i;
  holding_open(&w->t);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "alpha");
  w->other = t_project(&w->t, w->org, "beta");
  snprintf(body, sizeof body, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]", w->org);
  w->user = t_user(&w->t, "ada@example.com", body);
  w->second = t_user(&w->t, "bob@example.com", body);
  for (i = 0; i < n; i++) {
    holding_key(w, "ORG_MEMBER");
    w->key = t_keep(&w->t, t_str(&w->t, "id"));
    holding_account(&w->t, w->org, "ORG_MEMBER");
    if (i == 0) {
      snprintf(body, sizeof body, "/groups/%s/serviceAccounts/%s:invite", w->group, t_str(&w->t, "clientId"));
      munit_assert_int(t_send(&w->t, "POST", body, "{\"roles\":[\"GROUP_READ_ONLY\"]}"), ==, 200);
    }
    holding_member(w, i, true);
    if (i < 80) {
      snprintf(body, sizeof body, "{\"name\":\"t%d\",\"usernames\":[\"r%d@example.com\"]}", i, i);
      munit_assert_int(t_sendf(&w->t, "POST", body, "/orgs/%s/teams", w->org), ==, 201);
      w->team = t_keep(&w->t, t_str(&w->t, "id"));
    }
  }
  for (i = 0; i < 2; i++) holding_member(w, i, false);
  munit_assert_int(t_sendf(&w->t, "POST", "[{\"roles\":[\"GROUP_READ_ONLY\"]}]", "/groups/%s/apiKeys/%s", w->group, w->key), ==, 204);
  munit_assert_int(t_sendf(&w->t, "POST", "{\"username\":\"r0@example.com\",\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/users", w->group), ==, 201);
  munit_assert_int(t_sendf(&w->t, "POST", "{\"username\":\"p0@example.com\",\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/users", w->group), ==, 201);
  munit_assert_int(t_sendf(&w->t, "POST", "{\"name\":\"one\",\"usernames\":[\"r0@example.com\",\"r1@example.com\"]}", "/orgs/%s/teams", w->org), ==, 201);
  w->team = t_keep(&w->t, t_str(&w->t, "id"));
  snprintf(body, sizeof body, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_READ_ONLY\"]}]", w->team);
  munit_assert_int(t_sendf(&w->t, "POST", body, "/groups/%s/teams", w->group), ==, 200);
}

/* Replaces the letters G, B, O, T and U, where one stands alone between slashes or quotes, by ids. */
static void holding_fill(const holding_world *w, const char *text, char *out)
{
  const char *p;
  for (p = text; *p; p++) {
    bool alone = p > text && strchr("/\"", p[-1]) && (p[1] == 0 || strchr("/?:\"", p[1]));
    const char *id = *p == 'G' ? w->group : *p == 'B' ? w->other : *p == 'O' ? w->org : *p == 'T' ? w->team : *p == 'U' ? w->second : NULL;
    if (alone && id) out += sprintf(out, "%s", id);
    else *out++ = *p;
  }
  *out = 0;
}

/* Sends requests whose cost must not depend on the number of other members, keys, accounts and teams. */
static void holding_requests(holding_world *w, holding_cost costs[HOLDING_REQUESTS])
{
  const struct {
    const char *method, *path, *body;
    int results; /* -1: no list */
  } rows[HOLDING_REQUESTS] = {
    { "GET", "/groups/G/apiKeys", NULL, 1 },
    { "GET", "/groups/G/serviceAccounts", NULL, 1 },
    { "GET", "/groups/G/users", NULL, 2 },
    { "GET", "/groups/G/users?username=p0@example.com", NULL, 1 },
    { "GET", "/groups/G/users?flattenTeams=true", NULL, 3 },
    { "GET", "/groups/G/users?flattenTeams=true&includeOrgUsers=true", NULL, 5 },
    { "GET", "/groups/G/teams", NULL, 1 },
    { "GET", "/orgs/O/users?username=r1@example.com", NULL, 1 },
    { "GET", "/orgs/O/teams/T/users", NULL, 2 },
    { "GET", "/orgs/O/users?orgMembershipStatus=PENDING", NULL, 2 },
    { "GET", "/orgs/O/invites", NULL, 2 },
    { "GET", "/orgs/O/invites?username=p1@example.com", NULL, 1 },
    { "GET", "/groups/G/invites", NULL, 1 },
    { "POST", "/orgs/O/teams/T:addUser", "{\"id\":\"U\"}", -1 },
    { "POST", "/orgs/O/users/U:removeRole", "{\"orgRole\":\"ORG_OWNER\"}", -1 },
    { "DELETE", "/orgs/O/users/U", NULL, -1 },
    { "DELETE", "/groups/G", NULL, -1 },
    { "DELETE", "/orgs/O/teams/T", NULL, -1 },
    { "DELETE", "/groups/B", NULL, -1 },
  };
  char path[256], body[128];
  size_t i;
  munit_assert_int(t_sendf(&w->t, "POST", "{\"orgRole\":\"ORG_MEMBER\"}", "/orgs/%s/users/%s:addRole", w->org, w->second), ==, 200);
  for (i = 0; i < HOLDING_REQUESTS; i++) {
    holding_fill(w, rows[i].path, path);
    holding_fill(w, rows[i].body ? rows[i].body : "", body);
    costs[i] = holding_of(&w->t, rows[i].method, path, rows[i].body ? body : NULL);
    if (rows[i].results < 0) continue;
    munit_assert_size(t_count(&w->t, t_node(&w->t, "results") ? "results" : ""), ==, (size_t)rows[i].results);
    if (t_node(&w->t, "results")) munit_assert_int64(t_int(&w->t, "totalCount"), ==, rows[i].results);
  }
  store_whole(w->t.s);
}

TEST(holding, among_others)
{
  static holding_world few, many;
  holding_cost at_few[HOLDING_REQUESTS], at_many[HOLDING_REQUESTS];
  size_t i;
  holding_crowd(&few, 10);
  holding_requests(&few, at_few);
  t_close(&few.t);
  holding_crowd(&many, 80);
  holding_requests(&many, at_many);
  t_close(&many.t);
  for (i = 0; i < HOLDING_REQUESTS; i++) {
    if (at_many[i].read > at_few[i].read + 40) /* scans read a batch at a time */
      munit_errorf("request %zu reads %zu records among 10, %zu among 80", i, at_few[i].read, at_many[i].read);
    if (at_many[i].written > at_few[i].written + 64)
      munit_errorf("request %zu writes %zu bytes among 10, %zu among 80", i, at_few[i].written, at_many[i].written);
  }
}

/* ------------------------------------------------------------------------------------------------------ many projects */

/* An account creates projects. Each project costs the same to create and to read, however many the account has. */
TEST(holding, own_projects)
{
  enum { FEW = 40, MANY = 400 };
  t_service t;
  const char *org, *account, *secret;
  char body[128], path[160];
  holding_cost make[2], page[2], read[2];
  int i, at = 0;
  holding_open(&t);
  org = t_organization(&t, "Acme");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"apiAccessListRequired\":false}", "/orgs/%s/settings", org), ==, 200);
  holding_account(&t, org, "ORG_GROUP_CREATOR");
  account = t_keep(&t, t_str(&t, "clientId"));
  secret = t_keep(&t, t_str(&t, "secrets[0].secret"));
  snprintf(path, sizeof path, "/orgs/%s/serviceAccounts/%s/groups?itemsPerPage=5&pageNum=2", org, account);
  munit_assert_int(t_as_account(&t, account, secret), ==, 200);
  t_header(&t, "Content-Type", "application/json");
  for (i = 1; i <= MANY; i++) {
    holding_cost cost;
    snprintf(body, sizeof body, "{\"name\":\"p%d\",\"orgId\":\"%s\"}", i, org);
    cost = holding_of(&t, "POST", "/groups", body);
    if (i != FEW && i != MANY) continue;
    make[at] = cost;
    read[at] = holding_of(&t, "GET", t_keep(&t, strstr(t_str(&t, "links[0].href"), "/groups/")), NULL);
    t_as_host(&t);
    page[at] = holding_of(&t, "GET", path, NULL);
    munit_assert_size(t_count(&t, "results"), ==, 5);
    munit_assert_int64(t_int(&t, "totalCount"), ==, i);
    munit_assert_string_equal(t_str(&t, "results[0].roles[0]"), "GROUP_OWNER");
    munit_assert_int(t_as_account(&t, account, secret), ==, 200);
    t_header(&t, "Content-Type", "application/json");
    at++;
  }
  munit_assert_size(make[1].written, <=, make[0].written + 64);
  munit_assert_size(make[1].read, <=, make[0].read + 8);
  munit_assert_size(page[1].read, <=, page[0].read + 8);
  munit_assert_size(read[1].read, <=, read[0].read + 2);
  munit_assert_int(t_send(&t, "GET", "/groups?itemsPerPage=10", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, MANY);
  store_whole(t.s);
  t_close(&t);
}

/* A user with many projects is added to one more, removed from one, and removed from all. */
static void holding_one_of_many(int n, holding_cost costs[3])
{
  t_service t;
  const char *org, *user, *group = "";
  char name[32], body[128], path[128];
  int i;
  holding_open(&t);
  org = t_organization(&t, "Acme");
  snprintf(body, sizeof body, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", org);
  user = t_user(&t, "ada@example.com", body);
  for (i = 0; i <= n; i++) {
    snprintf(name, sizeof name, "p%d", i);
    group = t_project(&t, org, name);
    snprintf(path, sizeof path, "/groups/%s/users", group);
    costs[0] = holding_of(&t, "POST", path, "{\"username\":\"ada@example.com\",\"roles\":[\"GROUP_READ_ONLY\"]}");
  }
  snprintf(path, sizeof path, "/groups/%s/users/%s", group, user);
  costs[1] = holding_of(&t, "DELETE", path, NULL);
  snprintf(path, sizeof path, "/orgs/%s/users/%s", org, user);
  costs[2] = holding_of(&t, "DELETE", path, NULL);
  store_whole(t.s);
  t_close(&t);
}

TEST(holding, many_projects)
{
  holding_cost few[3], many[3];
  holding_one_of_many(50, few);
  holding_one_of_many(200, many);
  munit_assert_size(many[0].read, <=, few[0].read + 4);
  munit_assert_size(many[0].written, <=, few[0].written + 64);
  munit_assert_size(many[1].read, <=, few[1].read + 4);
  munit_assert_size(many[1].written, <=, few[1].written + 64);
  munit_assert_size(many[2].read, <, 6 * few[2].read);
}

/* Moves a project with roles of n users and n keys to another organization, and deletes another such project. The costs are proportional
** to n. */
static void holding_busy(int n, holding_cost costs[2])
{
  t_service t;
  const char *org, *other, *groups[2], *key;
  char name[32], body[128], path[128];
  int i, k;
  holding_open(&t);
  org = t_organization(&t, "Acme");
  other = t_organization(&t, "Other");
  groups[0] = t_project(&t, org, "alpha");
  groups[1] = t_project(&t, org, "beta");
  for (i = 0; i < n; i++) {
    snprintf(name, sizeof name, "u%d@example.com", i);
    snprintf(body, sizeof body, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_OWNER\"}]", org);
    t_user(&t, name, body);
    munit_assert_int(t_sendf(&t, "POST", "{\"desc\":\"k\",\"roles\":[\"ORG_MEMBER\"]}", "/orgs/%s/apiKeys", org) / 100, ==, 2);
    key = t_keep(&t, t_str(&t, "id"));
    for (k = 0; k < 2; k++) {
      snprintf(body, sizeof body, "{\"username\":\"%s\",\"roles\":[\"GROUP_READ_ONLY\"]}", name);
      munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/users", groups[k]), ==, 201);
      munit_assert_int(t_sendf(&t, "POST", "[{\"roles\":[\"GROUP_READ_ONLY\"]}]", "/groups/%s/apiKeys/%s", groups[k], key), ==, 204);
    }
  }
  snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", other);
  snprintf(path, sizeof path, "/groups/%s:migrate", groups[0]);
  costs[0] = holding_of(&t, "POST", path, body);
  snprintf(path, sizeof path, "/groups/%s", groups[1]);
  costs[1] = holding_of(&t, "DELETE", path, NULL);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/apiKeys?itemsPerPage=1", org), ==, 200);
  munit_assert_size(t_count(&t, "results[0].roles"), ==, 1); /* the role on the organization */
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/users", groups[0]), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 0);
  store_whole(t.s);
  t_close(&t);
}

TEST(holding, busy_project)
{
  holding_cost few[2], many[2];
  holding_busy(20, few);
  holding_busy(80, many);
  munit_assert_size(many[0].read, <, 6 * few[0].read);
  munit_assert_size(many[1].read, <, 6 * few[1].read);
  munit_assert_size(many[0].written, <, 6 * few[0].written);
  munit_assert_size(many[1].written, <, 6 * few[1].written);
}

static double holding_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Keeps the time of this request if it is the shortest so far. */
static void holding_time(t_service *t, const char *method, const char *path, const char *body, double *least)
{
  double start = holding_seconds(), took;
  int status = t_send(t, method, path, body);
  took = holding_seconds() - start;
  if (status != 200) munit_errorf("%s %s: %d %s", method, path, status, t->response.body);
  if (took < *least) *least = took;
}

/* A user with four times as many projects costs about four times as much, not sixteen times. Most of the time is not spent in the
** store, so the suite measures time; the limit is far from both. On a shared machine the test repeats, and takes the shortest of
** many tries. */
TEST(holding, linear)
{
  enum { FEW = 200, MANY = 4 * FEW, KINDS = 4, TRIES = 5, TRIES_MOST = 50 };
  static const char *const shows[KINDS] = { "/orgs/%s/users/%s", "/orgs/%s/apiKeys/%s", "/orgs/%s/invites/%s",
                                            "/orgs/%s/serviceAccounts/%s/groups?itemsPerPage=500" };
  t_service t;
  const char *org, *ids[2][KINDS], *groups[MANY];
  char name[32], body[256], path[128];
  double took[2][KINDS + 1];
  int who, kind, i, slow;
  t_open(&t, &holding_quiet);
  org = t_organization(&t, "Acme");
  for (i = 0; i < MANY; i++) {
    snprintf(name, sizeof name, "p%d", i);
    groups[i] = t_project(&t, org, name);
  }
  for (who = 0; who < 2; who++) {
    snprintf(name, sizeof name, "u%d@example.com", who);
    snprintf(body, sizeof body, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"}]", org);
    ids[who][0] = t_user(&t, name, body);
    munit_assert_int(t_sendf(&t, "POST", "{\"desc\":\"k\",\"roles\":[\"ORG_MEMBER\"]}", "/orgs/%s/apiKeys", org) / 100, ==, 2);
    ids[who][1] = t_keep(&t, t_str(&t, "id"));
    snprintf(body, sizeof body, "{\"username\":\"i%d@example.com\",\"roles\":[\"ORG_MEMBER\"]}", who);
    munit_assert_int(t_sendf(&t, "POST", body, "/orgs/%s/invites", org) / 100, ==, 2);
    ids[who][2] = t_keep(&t, t_str(&t, "id"));
    holding_account(&t, org, "ORG_MEMBER");
    ids[who][3] = t_keep(&t, t_str(&t, "clientId"));
    for (i = 0; i < (who ? MANY : FEW); i++) {
      snprintf(body, sizeof body, "{\"username\":\"u%d@example.com\",\"roles\":[\"GROUP_OWNER\",\"GROUP_READ_ONLY\"]}", who);
      munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/users", groups[i]), ==, 201);
      snprintf(body, sizeof body, "{\"username\":\"i%d@example.com\",\"roles\":[\"GROUP_READ_ONLY\"]}", who);
      munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/users", groups[i]), ==, 201);
      munit_assert_int(t_sendf(&t, "POST", "[{\"roles\":[\"GROUP_READ_ONLY\"]}]", "/groups/%s/apiKeys/%s", groups[i], ids[who][1]), ==, 204);
      munit_assert_int(t_sendf(&t, "POST", "{\"roles\":[\"GROUP_READ_ONLY\"]}", "/groups/%s/serviceAccounts/%s:invite", groups[i], ids[who][3]), ==, 200);
    }
  }
  for (who = 0; who < 2; who++)
    for (kind = 0; kind <= KINDS; kind++) took[who][kind] = 1e9;
  for (i = 0, slow = 0; i < TRIES || (slow && i < TRIES_MOST); i++) {
    for (who = 0; who < 2; who++)
      for (kind = 0; kind < KINDS; kind++) {
        snprintf(path, sizeof path, shows[kind], org, ids[who][kind]);
        holding_time(&t, "GET", path, NULL, &took[who][kind]);
        if (kind == 1) holding_time(&t, "PATCH", path, t_keep(&t, t.response.body), &took[who][KINDS]); /* the shown body sent back */
      }
    for (kind = slow = 0; kind <= KINDS; kind++) slow += took[1][kind] > 9 * took[0][kind];
  }
  for (kind = 0; kind <= KINDS; kind++)
    if (took[1][kind] > 9 * took[0][kind])
      munit_errorf("request %d takes %.2f ms at %d projects, %.2f ms at %d", kind, took[0][kind] * 1000, FEW, took[1][kind] * 1000, MANY);
  store_whole(t.s);
  t_close(&t);
}

/* -------------------------------------------------------------------------------------------------------------- whole */

/* After any operations in any order, both sides of the index agree, and nothing of deleted resources is left. */
TEST(holding, random)
{
  enum { GROUPS = 5, PEOPLE = 6, KEYS = 4, TEAMS = 3 };
  static const char *const roles[] = { "GROUP_OWNER", "GROUP_READ_ONLY", "GROUP_CLUSTER_MANAGER" };
  t_service t;
  const char *org, *other, *groups[GROUPS], *keys[KEYS], *teams[TEAMS], *people[PEOPLE];
  char name[64], body[512];
  int i, step;
  t_open(&t, &holding_quiet);
  org = t_organization(&t, "Acme");
  other = t_organization(&t, "Other");
  for (i = 0; i < GROUPS; i++) {
    snprintf(name, sizeof name, "p%d", i);
    groups[i] = t_project(&t, org, name);
  }
  for (i = 0; i < KEYS; i++) {
    munit_assert_int(t_sendf(&t, "POST", "{\"desc\":\"k\",\"roles\":[\"ORG_MEMBER\"]}", "/orgs/%s/apiKeys", org) / 100, ==, 2);
    keys[i] = t_keep(&t, t_str(&t, "id"));
  }
  for (i = 0; i < PEOPLE; i++) {
    snprintf(name, sizeof name, "u%d@example.com", i);
    snprintf(body, sizeof body, "[{\"orgId\":\"%s\",\"roleName\":\"%s\"}]", org, i ? "ORG_MEMBER" : "ORG_OWNER");
    people[i] = t_user(&t, name, i % 2 ? "[]" : body);
  }
  for (i = 0; i < TEAMS; i++) {
    snprintf(body, sizeof body, "{\"name\":\"t%d\",\"usernames\":[\"u0@example.com\"]}", i);
    munit_assert_int(t_sendf(&t, "POST", body, "/orgs/%s/teams", org), ==, 201);
    teams[i] = t_keep(&t, t_str(&t, "id"));
  }
  for (step = 0; step < 600; step++) { /* refused requests count as steps, too */
    const char *group = groups[munit_rand_int_range(0, GROUPS - 1)], *role = roles[munit_rand_int_range(0, 2)];
    const char *key = keys[munit_rand_int_range(0, KEYS - 1)], *team = teams[munit_rand_int_range(0, TEAMS - 1)];
    int who = munit_rand_int_range(0, PEOPLE - 1);
    switch (munit_rand_int_range(0, 15)) {
    case 0:
      snprintf(body, sizeof body, "[{\"roles\":[\"%s\"]}]", role);
      t_sendf(&t, "POST", body, "/groups/%s/apiKeys/%s", group, key);
      break;
    case 1: t_sendf(&t, "DELETE", NULL, "/groups/%s/apiKeys/%s", group, key); break;
    case 2:
      snprintf(body, sizeof body, "{\"username\":\"u%d@example.com\",\"roles\":[\"%s\"]}", who, role);
      t_sendf(&t, "POST", body, "/groups/%s/%s", group, step % 2 ? "users" : "invites");
      break;
    case 3: t_sendf(&t, "DELETE", NULL, "/groups/%s/users/%s", group, people[who]); break;
    case 4:
      snprintf(body, sizeof body, "{\"username\":\"u%d@example.com\",\"roles\":{\"orgRoles\":[\"ORG_OWNER\"]}}", who);
      t_sendf(&t, "POST", body, "/orgs/%s/users", org);
      break;
    case 5: t_sendf(&t, "DELETE", NULL, "/orgs/%s/users/%s", org, people[who]); break;
    case 6:
      snprintf(body, sizeof body, "{\"roles\":{\"orgRoles\":[\"ORG_READ_ONLY\"],\"groupRoleAssignments\":[{\"groupId\":\"%s\",\"groupRoles\":"
               "[\"%s\"]}]},\"teamIds\":[\"%s\"]}", group, role, team);
      t_sendf(&t, "PATCH", body, "/orgs/%s/users/%s", org, people[who]);
      break;
    case 7:
      snprintf(body, sizeof body, "[{\"teamId\":\"%s\",\"roleNames\":[\"%s\"]}]", team, role);
      t_sendf(&t, "POST", body, "/groups/%s/teams", group);
      break;
    case 8: t_sendf(&t, "DELETE", NULL, "/groups/%s/teams/%s", group, team); break;
    case 9:
      snprintf(body, sizeof body, "{\"id\":\"%s\"}", people[who]);
      t_sendf(&t, "POST", body, "/orgs/%s/teams/%s:addUser", org, team);
      break;
    case 10:
      snprintf(body, sizeof body, "{\"username\":\"i%d@example.com\",\"roles\":[\"ORG_OWNER\"],\"teamIds\":[\"%s\"]}", who, team);
      t_sendf(&t, "POST", body, "/orgs/%s/invites", org);
      break;
    case 11:
      snprintf(body, sizeof body, "{\"groupRole\":\"%s\"}", role);
      t_sendf(&t, "POST", body, "/groups/%s/users/%s:%s", group, people[who], step % 2 ? "addRole" : "removeRole");
      break;
    case 12:
      if (step % 5 == 0) t_sendf(&t, "DELETE", NULL, "/groups/%s", group);
      break;
    case 13:
      snprintf(body, sizeof body, "{\"destinationOrgId\":\"%s\"}", step % 2 ? org : other);
      if (step % 3 == 0) t_sendf(&t, "POST", body, "/groups/%s:migrate", group);
      break;
    case 14: t_advance(&t, 20 * 24 * 3600); break; /* invitations expire */
    default:
      if (step % 7 == 0) t_sendf(&t, "DELETE", NULL, "/orgs/%s/%s/%s", org, step % 2 ? "apiKeys" : "teams", step % 2 ? key : team);
      break;
    }
    munit_assert_int(t.response.status, <, 500);
    if (step % 20 == 0) store_whole(t.s);
  }
  store_whole(t.s);
  for (i = 0; i < GROUPS; i++) t_sendf(&t, "DELETE", NULL, "/groups/%s", groups[i]);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s", org), ==, 204);
  store_whole(t.s);
  t_close(&t);
}

/* The roles of an invitation have no effect while it is pending or after its expiry. They take effect when it is accepted. */
TEST(holding, invited)
{
  t_service t;
  const char *org, *group, *id, *team;
  char body[256];
  t_open(&t, &holding_quiet);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  id = t_user(&t, "ada@example.com", "[]");
  munit_assert_int(t_sendf(&t, "POST", "{\"username\":\"ada@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/invites", group) / 100, ==, 2);
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"t\",\"usernames\":[\"ada@example.com\"]}", "/orgs/%s/teams", org), ==, 201);
  team = t_keep(&t, t_str(&t, "id"));
  snprintf(body, sizeof body, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_OWNER\"]}]", team);
  munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/teams", group), ==, 200);
  t_as(&t, id);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), >=, 400);
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 0);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 0);
  munit_assert_int(t_send(&t, "GET", "/eventTypes", NULL), ==, 403); /* requires any role */
  munit_assert_int(t_send(&t, "GET", "", NULL), ==, 200);
  munit_assert_size(t_count(&t, "apiKey.roles"), ==, 0);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/users/%s", id), ==, 200);
  munit_assert_size(t_count(&t, "roles"), ==, 0);
  t_as(&t, NULL);
  t_advance(&t, 31 * 24 * 3600);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/invites", org), ==, 200);
  munit_assert_size(t_count(&t, ""), ==, 0);
  store_whole(t.s);
  t_as(&t, id);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), >=, 400);
  t_as(&t, NULL); /* a user who is added again has only the new roles */
  munit_assert_int(t_sendf(&t, "POST", "{\"username\":\"ada@example.com\",\"roles\":{\"orgRoles\":[\"ORG_MEMBER\"]}}", "/orgs/%s/users", org), ==, 201);
  munit_assert_size(t_count(&t, "roles.groupRoleAssignments"), ==, 0);
  t_as(&t, id);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), >=, 400);
  t_as(&t, NULL);
  munit_assert_int(t_sendf(&t, "POST", "{\"username\":\"ada@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/users", group), ==, 201);
  t_as(&t, id);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
  t_as(&t, NULL);
  id = t_user(&t, "bob@example.com", "[]");
  munit_assert_int(t_sendf(&t, "POST", "{\"username\":\"bob@example.com\",\"roles\":[\"GROUP_OWNER\"]}", "/groups/%s/invites", group) / 100, ==, 2);
  t_as(&t, id);
  t.caller.username = "bob@example.com";
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), >=, 400);
  munit_assert_int(t_send(&t, "POST", "/users", "{\"username\":\"bob@example.com\",\"password\":\"correct horse\",\"firstName\":\"Bob\",\"lastName\":"
                          "\"Byron\",\"country\":\"GB\",\"mobileNumber\":\"2125550123\",\"roles\":[]}"), ==, 201); /* accepts the invitation */
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
  store_whole(t.s);
  t_close(&t);
}

/* A user has a role on a project of their own and another role through a team. The list of projects has the project once. */
TEST(holding, twice)
{
  const char *org, *group, *id;
  char body[256];
  t_service t;
  t_open(&t, &holding_quiet);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  t_project(&t, org, "beta");
  snprintf(body, sizeof body, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"},{\"groupId\":\"%s\",\"roleName\":\"GROUP_OWNER\"}]", org, group);
  id = t_user(&t, "ada@example.com", body);
  munit_assert_int(t_sendf(&t, "POST", "{\"name\":\"t\",\"usernames\":[\"ada@example.com\"]}", "/orgs/%s/teams", org), ==, 201);
  snprintf(body, sizeof body, "[{\"teamId\":\"%s\",\"roleNames\":[\"GROUP_READ_ONLY\"]}]", t_str(&t, "id"));
  munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/teams", group), ==, 200);
  t_as(&t, id);
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  munit_assert_size(t_count(&t, "results"), ==, 1);
  munit_assert_string_equal(t_str(&t, "results[0].id"), group);
  t_close(&t);
}

/* ------------------------------------------------------------------------------------------------------------- damage */

typedef struct holding_torn {
  svc_job job; /* first: jobs are cast to this struct */
  char letter;
  const char *ids[2], *kind; /* kind: after the first id; NULL: none */
} holding_torn;

/* Writes an incomplete key, without its end. */
static bool holding_torn_work(svc_job *job, svc_txn *txn)
{
  const holding_torn *h = (holding_torn *)job;
  svc_key key;
  int i;
  svc_key_begin(&key, h->letter);
  for (i = 0; i < 2 && h->ids[i]; i++) {
    svc_id id;
    munit_assert_true(svc_id_parse(svc_str_c(h->ids[i]), &id));
    svc_key_id(&key, &id);
    if (i == 0 && h->kind) svc_key_add(&key, h->kind, SVC_KIND_SIZE);
  }
  svc_key_add(&key, "\0\0\0\0", 4); /* the key comes before all keys with the same beginning */
  return svc_put(txn, &key, SVC_S("GROUP_OWNER")) == SVC_OK;
}

static void holding_tear(t_service *t, char letter, const char *first, const char *kind, const char *second)
{
  holding_torn h = { .letter = letter, .ids = { first, second }, .kind = kind };
  h.job.work = holding_torn_work;
  h.job.now = t->now;
  munit_assert_int(svc_commit_run(&t->s->commit, &h.job), ==, SVC_OK);
}

static void holding_found(void *context, const char *text)
{
  (void)text;
  ++*(int *)context;
}

/* With a damaged index, a list that may be incomplete and a delete that relies on the index get 503. */
TEST(holding, damaged)
{
  const char *org, *group, *id, *kind;
  char roles[256];
  t_service t;
  int found = 0;
  t_open(&t, &holding_quiet);
  org = t_organization(&t, "Acme");
  group = t_project(&t, org, "alpha");
  snprintf(roles, sizeof roles, "[{\"orgId\":\"%s\",\"roleName\":\"ORG_MEMBER\"},{\"groupId\":\"%s\",\"roleName\":\"GROUP_OWNER\"}]", org, group);
  id = t_user(&t, "ada@example.com", roles);
  kind = t.s->seats[SVC_SEAT_MEMBER]->noun->kind;
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/users", group), ==, 200);
  holding_tear(&t, 'a', group, kind, NULL);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/users", group), ==, 503);
  munit_assert_string_equal(t_error(&t), "SERVICE_UNAVAILABLE");
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", group), ==, 503);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200);
  t_as(&t, id);
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 200);
  holding_tear(&t, 'h', id, NULL, org);
  munit_assert_int(t_send(&t, "GET", "/groups", NULL), ==, 503);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s", group), ==, 200); /* a single resource can still be read */
  munit_assert_int(svc_check_store(t.s, holding_found, &found), ==, SVC_CORRUPT);
  munit_assert_int(found, >=, 2);
  t_close(&t);
}

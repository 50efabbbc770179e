/*
** Lists: pages and their links, order, filters, visibility; and how answers are formatted.
*/
#include "support.h"

#include <strings.h>

static const svc_config quiet = { .limiter_off = 1, .provision_ms = SVC_PROVISION_NOW };

#define HERE "http://localhost:8080/api/svc/v2"

static void assert_list(t_service *t, const char *path, size_t results, int64_t total, const char *self, const char *next,
                        const char *previous)
{
  int status = t_send(t, "GET", path, NULL);
  const svc_node *links;
  if (status != 200) munit_errorf("%s: %d %s", path, status, t->response.body);
  munit_assert_size(t_count(t, "results"), ==, results);
  munit_assert_not_null(t_node(t, "results"));
  munit_assert_int64(t_int(t, "totalCount"), ==, total); /* INT64_MIN: no totalCount */
  munit_assert_string_equal(t_link(t, "self"), self);
  munit_assert_string_equal(t_link(t, "next"), next);
  munit_assert_string_equal(t_link(t, "previous"), previous);
  links = t_node(t, "links");
  munit_assert_size(svc_node_count(links), ==, 1u + (*next != 0) + (*previous != 0));
  munit_assert_string_equal(t_str(t, "links[0].rel"), "self");
}

TEST(list, links)
{
  t_service t;
  int i;
  char name[16];
  t_open(&t, &quiet);
  assert_list(&t, "/orgs", 0, 0, HERE "/orgs?includeCount=true&pageNum=1&itemsPerPage=100", "", "");
  munit_assert_string_equal(t.response.body, "{\"links\":[{\"href\":\"" HERE "/orgs?includeCount=true&pageNum=1&itemsPerPage=100\","
                                             "\"rel\":\"self\"}],\"results\":[],\"totalCount\":0}");
  for (i = 0; i < 5; i++) {
    snprintf(name, sizeof name, "o%d", i);
    t_organization(&t, name);
  }
  assert_list(&t, "/orgs", 5, 5, HERE "/orgs?includeCount=true&pageNum=1&itemsPerPage=100", "", "");
  assert_list(&t, "/orgs?itemsPerPage=2", 2, 5, HERE "/orgs?includeCount=true&pageNum=1&itemsPerPage=2",
              HERE "/orgs?includeCount=true&itemsPerPage=2&pageNum=2", "");
  assert_list(&t, "/orgs?itemsPerPage=2&pageNum=2", 2, 5, HERE "/orgs?includeCount=true&pageNum=2&itemsPerPage=2",
              HERE "/orgs?includeCount=true&itemsPerPage=2&pageNum=3", HERE "/orgs?includeCount=true&itemsPerPage=2&pageNum=1");
  munit_assert_string_equal(t_str(&t, "links[1].rel"), "next");
  munit_assert_string_equal(t_str(&t, "links[2].rel"), "previous");
  assert_list(&t, "/orgs?pageNum=3&itemsPerPage=2", 1, 5, HERE "/orgs?includeCount=true&pageNum=3&itemsPerPage=2", "",
              HERE "/orgs?includeCount=true&itemsPerPage=2&pageNum=2");
  /* after a page that is just full there is no next page */
  assert_list(&t, "/orgs?itemsPerPage=5", 5, 5, HERE "/orgs?includeCount=true&pageNum=1&itemsPerPage=5", "", "");
  assert_list(&t, "/orgs?itemsPerPage=1&pageNum=5", 1, 5, HERE "/orgs?includeCount=true&pageNum=5&itemsPerPage=1", "",
              HERE "/orgs?includeCount=true&itemsPerPage=1&pageNum=4");
  assert_list(&t, "/orgs?itemsPerPage=4", 4, 5, HERE "/orgs?includeCount=true&pageNum=1&itemsPerPage=4",
              HERE "/orgs?includeCount=true&itemsPerPage=4&pageNum=2", "");
  /* beyond the end */
  assert_list(&t, "/orgs?pageNum=9", 0, 5, HERE "/orgs?includeCount=true&pageNum=9&itemsPerPage=100", "",
              HERE "/orgs?includeCount=true&itemsPerPage=100&pageNum=8");
  /* without the count the links are the same */
  assert_list(&t, "/orgs?includeCount=false", 5, INT64_MIN, HERE "/orgs?includeCount=false&pageNum=1&itemsPerPage=100", "", "");
  munit_assert_null(t_node(&t, "totalCount"));
  assert_list(&t, "/orgs?includeCount=false&itemsPerPage=2&pageNum=2", 2, INT64_MIN,
              HERE "/orgs?includeCount=false&pageNum=2&itemsPerPage=2", HERE "/orgs?includeCount=false&itemsPerPage=2&pageNum=3",
              HERE "/orgs?includeCount=false&itemsPerPage=2&pageNum=1");
  assert_list(&t, "/orgs?includeCount=false&itemsPerPage=5", 5, INT64_MIN,
              HERE "/orgs?includeCount=false&pageNum=1&itemsPerPage=5", "", "");
  assert_list(&t, "/orgs?includeCount=false&itemsPerPage=2&pageNum=3", 1, INT64_MIN,
              HERE "/orgs?includeCount=false&pageNum=3&itemsPerPage=2", "",
              HERE "/orgs?includeCount=false&itemsPerPage=2&pageNum=2");
  assert_list(&t, "/orgs?includeCount=false&pageNum=7", 0, INT64_MIN, HERE "/orgs?includeCount=false&pageNum=7&itemsPerPage=100",
              "", HERE "/orgs?includeCount=false&itemsPerPage=100&pageNum=6");
  t_close(&t);
}

/* The links of a filtered list repeat the filters. The total of such a list is not known beforehand. */
TEST(list, filtered_links)
{
#define FILTER "&eventType=GROUP_TAGS_MODIFIED&eventType=GROUP_CREATED&minDate=2025-06-01T00%3A00%3A00%2B00%3A00"
#define ASKED "?eventType=GROUP_TAGS_MODIFIED&eventType=GROUP_CREATED&minDate=2025-06-01T00:00:00%2B00:00"
  t_service t;
  const char *group;
  char path[512], self[512], next[512], previous[512], at[128];
  int i, page, counted;
  t_open(&t, &quiet);
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  for (i = 0; i < 4; i++) {
    char body[96];
    snprintf(body, sizeof body, "{\"tags\":[{\"key\":\"k\",\"value\":\"%d\"}],\"name\":\"n%d\"}", i, i); /* this change writes two events */
    munit_assert_int(t_sendf(&t, "PATCH", body, "/groups/%s", group), ==, 200);
  }
  snprintf(at, sizeof at, "/groups/%s/events", group);
  for (counted = 0; counted < 2; counted++)
    for (page = 1; page <= 4; page++) { /* five of nine events match, in pages of two */
      const char *count = counted ? "true" : "false";
      snprintf(path, sizeof path, "%s%s&itemsPerPage=2&pageNum=%d&includeCount=%s", at, ASKED, page, count);
      snprintf(self, sizeof self, HERE "%s?includeCount=%s&pageNum=%d&itemsPerPage=2%s", at, count, page, FILTER);
      snprintf(next, sizeof next, HERE "%s?includeCount=%s&itemsPerPage=2&pageNum=%d%s", at, count, page + 1, FILTER);
      snprintf(previous, sizeof previous, HERE "%s?includeCount=%s&itemsPerPage=2&pageNum=%d%s", at, count, page - 1, FILTER);
      assert_list(&t, path, page <= 2 ? 2 : page == 3 ? 1 : 0, counted ? 5 : INT64_MIN, self, page <= 2 ? next : "",
                  page > 1 ? previous : "");
    }
  /* the links work */
  snprintf(path, sizeof path, "%s%s&itemsPerPage=2", at, ASKED);
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
  snprintf(next, sizeof next, "%s", t_link(&t, "next") + strlen("http://localhost:8080"));
  munit_assert_int(t_send(&t, "GET", next, NULL), ==, 200);
  munit_assert_size(t_count(&t, "results"), ==, 2);
  snprintf(self, sizeof self, "%s", t_link(&t, "self") + strlen("http://localhost:8080"));
  munit_assert_string_equal(strstr(self, "pageNum="), "pageNum=2&itemsPerPage=2" FILTER);
  /* formatting parameters are kept from page to page */
  munit_assert_int(t_send(&t, "GET", "/orgs?pretty=true&envelope=true&itemsPerPage=1&pageNum=2", NULL), ==, 200);
  munit_assert_string_equal(t_link(&t, "previous"),
                            HERE "/orgs?includeCount=true&itemsPerPage=1&pageNum=1&envelope=true&pretty=true");
  t_close(&t);
}

TEST(list, base_url)
{
  svc_config config = { .limiter_off = 1, .base_url = "https://admin.example:8443/root//" };
  t_service t;
  const char *org;
  char wanted[128];
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_string_equal(t_link(&t, "self"),
                            "https://admin.example:8443/root/api/svc/v2/orgs?includeCount=true&pageNum=1&itemsPerPage=100");
  snprintf(wanted, sizeof wanted, "https://admin.example:8443/root/api/svc/v2/orgs/%s", org);
  munit_assert_string_equal(t_str(&t, "results[0].links[0].href"), wanted);
  munit_assert_string_equal(t_str(&t, "results[0].links[0].rel"), "self");
  munit_assert_size(t_count(&t, "results[0].links"), ==, 1);
  t_close(&t);
}

/* 250 projects: pages of every size show each project once, in the order of creation. */
TEST(list, order)
{
  static const int sizes[] = { 1, 7, 100, 249, 250, 251, 500 };
  enum { MANY = 250 };
  static char ids[MANY][25];
  t_service t;
  const char *org;
  char name[16], path[128];
  size_t s, owned;
  int i, page, at;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  for (i = 0; i < MANY; i++) {
    snprintf(name, sizeof name, "p%d", (i * 37) % MANY); /* not in the order of names */
    snprintf(ids[i], sizeof ids[i], "%s", t_project(&t, org, name));
    if (i % 10 == 0) t_advance(&t, 1);
    if (i) munit_assert_int(strcmp(ids[i - 1], ids[i]), <, 0);
  }
  for (owned = 0; owned < 2; owned++)
    for (s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
      int pages = (MANY + sizes[s] - 1) / sizes[s];
      for (page = 1, at = 0; page <= pages; page++) {
        if (owned) snprintf(path, sizeof path, "/orgs/%s/groups?itemsPerPage=%d&pageNum=%d", org, sizes[s], page);
        else snprintf(path, sizeof path, "/groups?itemsPerPage=%d&pageNum=%d", sizes[s], page);
        munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
        munit_assert_int64(t_int(&t, "totalCount"), ==, MANY);
        munit_assert_int(*t_link(&t, "next") != 0, ==, page < pages);
        const svc_node *item = t_node(&t, "results")->first;
        for (; item; item = item->next) {
          munit_assert_int(at, <, MANY);
          munit_assert_true(svc_str_is(svc_node_str(item, "id"), ids[at++]));
        }
      }
      munit_assert_int(at, ==, MANY);
    }
  /* a change keeps the place, a delete closes the gap */
  munit_assert_int(t_sendf(&t, "PATCH", "{\"name\":\"zzz\"}", "/groups/%s", ids[10]), ==, 200);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s", ids[11]), ==, 202);
  munit_assert_int(t_send(&t, "GET", "/groups?itemsPerPage=1&pageNum=11", NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "results[0].id"), ids[10]);
  munit_assert_int64(t_int(&t, "totalCount"), ==, MANY - 1);
  munit_assert_int(t_send(&t, "GET", "/groups?itemsPerPage=1&pageNum=12", NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "results[0].id"), ids[12]);
  t_close(&t);
}

TEST(list, newest_first)
{
  t_service t;
  const char *group;
  char last[25] = "ffffffffffffffffffffffff", path[128];
  int i, page;
  size_t seen = 0;
  t_open(&t, &quiet);
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  for (i = 0; i < 25; i++) {
    char body[32];
    snprintf(body, sizeof body, "{\"name\":\"n%d\"}", i);
    if (i % 3 == 0) t_advance(&t, 1);
    munit_assert_int(t_sendf(&t, "PATCH", body, "/groups/%s", group), ==, 200);
  }
  for (page = 1; page <= 4; page++) {
    const svc_node *item;
    snprintf(path, sizeof path, "/groups/%s/events?itemsPerPage=7&pageNum=%d", group, page);
    munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
    munit_assert_int64(t_int(&t, "totalCount"), ==, 26);
    for (item = t_node(&t, "results")->first; item; item = item->next, seen++) {
      svc_str text = svc_node_str(item, "id");
      char id[25];
      snprintf(id, sizeof id, SVC_FMT, SVC_ARG(text));
      munit_assert_int(strcmp(id, last), <, 0);
      memcpy(last, id, sizeof last);
    }
  }
  munit_assert_size(seen, ==, 26);
  munit_assert_string_equal(t_str(&t, "results[4].eventTypeName"), "GROUP_CREATED"); /* the oldest event is the last */
  t_close(&t);
}

TEST(list, missing_parent)
{
  static const struct {
    const char *path, *code;
  } rows[] = {
    { "/groups/%s/clusters", "GROUP_NOT_FOUND" },  { "/groups/%s/events", "GROUP_NOT_FOUND" },
    { "/groups/%s/limits", "GROUP_NOT_FOUND" },    { "/groups/%s/dbVersions", "GROUP_NOT_FOUND" },
    { "/orgs/%s/groups", "ORG_NOT_FOUND" },        { "/orgs/%s/events", "ORG_NOT_FOUND" },
  };
  static const char *const ids[] = { "0123456789abcdef01234567", "x", "0123456789abcdef0123456", "ffffffffffffffffffffffff" };
  t_service t;
  size_t i, j;
  const char *group;
  t_open(&t, &quiet);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (j = 0; j < 4; j++) {
      char path[128], *hole;
      snprintf(path, sizeof path, "%s", rows[i].path);
      hole = strstr(path, "%s");
      snprintf(hole, sizeof path - (size_t)(hole - path), "%s%s", ids[j], strstr(rows[i].path, "%s") + 2);
      munit_assert_int(t_send(&t, "GET", path, NULL), ==, 404);
      munit_assert_string_equal(t_error(&t), j == 0 || j == 3 ? rows[i].code : rows[i].code[0] == 'G' ? "INVALID_GROUP_ID" : "INVALID_ORG_ID");
      munit_assert_size(t_count(&t, "parameters"), ==, 1);
      munit_assert_string_equal(t_param(&t, 0), ids[j]);
    }
  group = t_project(&t, t_organization(&t, "Acme"), "alpha"); /* exists, but is empty */
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters", group), ==, 200);
  munit_assert_size(t_count(&t, "results"), ==, 0);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 0);
  t_close(&t);
}

TEST(list, by_name)
{
  static const struct {
    const char *name;
    int count;
  } rows[] = { { "alpha", 2 }, { "ALPHA", 2 }, { "alpha-", 1 }, { "aLPHa-2", 1 }, { "alpha-22", 0 }, { "a", 3 }, { "lpha", 0 },
               { "", 4 }, { "%C3%89", 1 }, { "alpha%00", -1 }, { "*", 0 }, { "alp%25", 0 } };
  static const char *const names[] = { "alpha", "Alpha-2", "Axe", "\xC3\x89t\xC3\xA9" };
  t_service t;
  const char *org;
  size_t i;
  t_open(&t, &quiet);
  org = t_organization(&t, names[0]);
  for (i = 1; i < 4; i++) t_organization(&t, names[i]);
  for (i = 0; i < 4; i++) t_project(&t, org, names[i]);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int wanted = rows[i].count < 0 ? 400 : 200;
    munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs?name=%s", rows[i].name), ==, wanted);
    if (wanted == 200 && t_int(&t, "totalCount") != rows[i].count) munit_errorf("orgs %s: %s", rows[i].name, t.response.body);
    if (wanted == 200) munit_assert_size(t_count(&t, "results"), ==, (size_t)rows[i].count);
    munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/groups?name=%s", org, rows[i].name), ==, wanted);
    if (wanted == 200 && t_int(&t, "totalCount") != rows[i].count) munit_errorf("groups %s: %s", rows[i].name, t.response.body);
  }
  munit_assert_int(t_send(&t, "GET", "/orgs?name=ALPHA&itemsPerPage=1", NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "results[0].name"), "alpha");
  munit_assert_string_equal(t_link(&t, "next"), HERE "/orgs?includeCount=true&itemsPerPage=1&pageNum=2&name=ALPHA");
  munit_assert_int(t_send(&t, "GET", "/orgs?name=ALPHA&itemsPerPage=1&pageNum=2", NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "results[0].name"), "Alpha-2");
  munit_assert_string_equal(t_link(&t, "next"), "");
  t_close(&t);
}

static void assert_names(t_service *t, const char *path, const char *const *names)
{
  size_t i;
  char at[64];
  int status = t_send(t, "GET", path, NULL);
  if (status != 200) munit_errorf("%s: %d %s", path, status, t->response.body);
  for (i = 0; names[i]; i++) {
    snprintf(at, sizeof at, "results[%zu].name", i);
    munit_assert_string_equal(t_str(t, at), names[i]);
  }
  munit_assert_size(t_count(t, "results"), ==, i);
  munit_assert_int64(t_int(t, "totalCount"), ==, (int64_t)i);
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NOBODY ((const char *const[]){ NULL })

TEST(list, visible)
{
  t_service t;
  const char *a, *b, *a1, *b1;
  char path[128];
  t_open(&t, &quiet);
  a = t_organization(&t, "A");
  b = t_organization(&t, "B");
  t_organization(&t, "C");
  a1 = t_project(&t, a, "a1");
  b1 = t_project(&t, b, "b1");
  t_project(&t, a, "a2");
  t_project(&t, b, "b2");
  assert_names(&t, "/orgs", NAMES("A", "B", "C"));
  assert_names(&t, "/groups", NAMES("a1", "a2", "b1", "b2")); /* by organization, then in the order of creation */

  t.grants[0] = (svc_grant){ "ORG_OWNER", a }; /* a role on one organization: that organization and all its projects */
  assert_names(&t, "/orgs", NAMES("A"));
  assert_names(&t, "/groups", NAMES("a1", "a2"));
  snprintf(path, sizeof path, "/orgs/%s/groups", a);
  assert_names(&t, path, NAMES("a1", "a2"));
  assert_names(&t, "/orgs?name=B", NOBODY);
  munit_assert_int(t_send(&t, "GET", "/groups?itemsPerPage=1", NULL), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 2);
  munit_assert_string_equal(t_link(&t, "next"), HERE "/groups?includeCount=true&itemsPerPage=1&pageNum=2");
  munit_assert_int(t_send(&t, "GET", "/groups?itemsPerPage=1&pageNum=2&includeCount=false", NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "results[0].name"), "a2"); /* pages contain only what the caller may see */
  munit_assert_string_equal(t_link(&t, "next"), "");

  t.grants[0] = (svc_grant){ "GROUP_READ_ONLY", b1 }; /* a role on one project: that project and its organization */
  assert_names(&t, "/orgs", NAMES("B"));
  assert_names(&t, "/groups", NAMES("b1"));

  t.grants[1] = (svc_grant){ "GROUP_OWNER", a1 };
  t.caller.grant_count = 2;
  assert_names(&t, "/orgs", NAMES("A", "B"));
  assert_names(&t, "/groups", NAMES("a1", "b1"));

  t.grants[1] = (svc_grant){ "NO_SUCH_ROLE", NULL }; /* an unknown role grants nothing */
  assert_names(&t, "/orgs", NAMES("B"));
  t.grants[1] = (svc_grant){ "GROUP_READ_ONLY", NULL }; /* a role on all projects */
  assert_names(&t, "/groups", NAMES("a1", "a2", "b1", "b2"));
  t.grants[0] = t.grants[1] = (svc_grant){ "ORG_OWNER", "0123456789abcdef01234567" };
  assert_names(&t, "/orgs", NOBODY);
  assert_names(&t, "/groups", NOBODY);
  t.caller.grant_count = 0;
  assert_names(&t, "/orgs", NOBODY);
  assert_names(&t, "/groups", NOBODY);
  t_close(&t);
}

/* ----------------------------------------------------------------------------------------------------------- formatting */

/* The functions below check the order of members in the text itself, because a parsed object is always sorted. */
static const char *skip_space(const char *p)
{
  while (*p == ' ' || *p == '\n') p++;
  return p;
}

static const char *skip_string(const char *p)
{
  for (p++; *p != '"'; p++)
    if (*p == '\\') p++;
  return p + 1;
}

static const char *check_sorted(const char *p)
{
  const char *last = NULL, *last_end = NULL;
  p = skip_space(p);
  if (*p == '"') return skip_string(p);
  if (*p == '[') {
    p = skip_space(p + 1);
    while (*p != ']') {
      p = skip_space(check_sorted(p));
      if (*p == ',') p = skip_space(p + 1);
    }
    return p + 1;
  }
  if (*p != '{') return p + strcspn(p, ",]} \n");
  p = skip_space(p + 1);
  while (*p != '}') {
    const char *name = p, *end = skip_string(p);
    if (last) {
      size_t n = (size_t)(last_end - last), m = (size_t)(end - name);
      int order = memcmp(last, name, n < m ? n - 1 : m - 1);
      if (order > 0 || (order == 0 && n >= m)) munit_errorf("%.*s stands behind %.*s", (int)m, name, (int)n, last);
    }
    last = name;
    last_end = end;
    p = skip_space(end);
    munit_assert_char(*p, ==, ':');
    p = skip_space(check_sorted(p + 1));
    if (*p == ',') p = skip_space(p + 1);
  }
  return p + 1;
}

/* Returns the text without whitespace outside of strings, and without `without`. */
static char *compacted(const char *text, const char *without)
{
  char *out = munit_malloc(strlen(text) + 1), *to = out;
  const char *end;
  while (*text) {
    if (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r') {
      text++;
    } else if (*text == '"') {
      for (end = skip_string(text); text < end;) {
        if (strncmp(text, without, strlen(without)) == 0) text += strlen(without);
        else *to++ = *text++;
      }
    } else {
      *to++ = *text++;
    }
  }
  *to = 0;
  return out;
}

static size_t fill_paths(t_service *t, char paths[][160], size_t most)
{
  const char *org = t_organization(t, "Acme"), *group = t_project(t, org, "alpha");
  char event[25], org_event[25];
  size_t n = 0;
  munit_assert_int(t_sendf(t, "POST",
                           "{\"name\":\"Cluster0\",\"clusterType\":\"REPLICASET\",\"tags\":[{\"key\":\"a b\",\"value\":\" \\\" \\\\ \"}],"
                           "\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":{\"instanceSize\":\"M10\"},\"providerName\":"
                           "\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}",
                           "/groups/%s/clusters", group),
                   ==, 201);
  munit_assert_int(t_sendf(t, "GET", NULL, "/groups/%s/events", group), ==, 200);
  snprintf(event, sizeof event, "%s", t_str(t, "results[0].id"));
  munit_assert_int(t_sendf(t, "GET", NULL, "/orgs/%s/events", org), ==, 200);
  snprintf(org_event, sizeof org_event, "%s", t_str(t, "results[0].id"));
#define PATH(...) snprintf(paths[n++], 160, __VA_ARGS__)
  PATH("%s", "");
  PATH("/orgs");
  PATH("/groups");
  PATH("/clusters");
  PATH("/eventTypes");
  PATH("/rateLimits");
  PATH("/rateLimits/clusters_group");
  PATH("/unauth/controlPlaneIPAddresses");
  PATH("/orgs/%s", org);
  PATH("/orgs/%s/settings", org);
  PATH("/orgs/%s/groups", org);
  PATH("/orgs/%s/events", org);
  PATH("/orgs/%s/events/%s", org, org_event);
  PATH("/orgs/%s/activityFeed", org);
  PATH("/groups/byName/alpha");
  PATH("/groups/%s", group);
  PATH("/groups/%s/settings", group);
  PATH("/groups/%s/privateIpMode", group);
  PATH("/groups/%s/limits", group);
  PATH("/groups/%s/limits/svc.project.deployment.clusters", group);
  PATH("/groups/%s/dbVersions", group);
  PATH("/groups/%s/events", group);
  PATH("/groups/%s/events/%s", group, event);
  PATH("/groups/%s/activityFeed", group);
  PATH("/groups/%s/clusters", group);
  PATH("/groups/%s/clusters/Cluster0", group);
  PATH("/groups/%s/clusters/Cluster0/status", group);
#undef PATH
  munit_assert_size(n, <=, most);
  return n;
}

TEST(list, formats)
{
  static char paths[40][160];
  t_service t;
  size_t i, n;
  t_open(&t, &quiet);
  n = fill_paths(&t, paths, 40);
  for (i = 0; i < n; i++) {
    char *plain, *other, *wanted, path[256];
    size_t size;
    if (t_send(&t, "GET", paths[i], NULL) != 200) munit_errorf("%s: %s", paths[i], t.response.body);
    munit_assert_size(strlen(t.response.body), ==, t.response.body_length);
    check_sorted(t.response.body);
    plain = compacted(t.response.body, "\x01");
    munit_assert_string_equal(plain, t.response.body); /* the plain form has no whitespace */
    size = strlen(plain);

    snprintf(path, sizeof path, "%.159s?pretty=false&envelope=false", paths[i]);
    munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
    munit_assert_string_equal(t.response.body, plain);

    snprintf(path, sizeof path, "%.159s?pretty=true", paths[i]);
    munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
    check_sorted(t.response.body);
    munit_assert_size(t.response.body_length, >, size);
    munit_assert_char(t.response.body[t.response.body_length - 1], ==, '\n');
    munit_assert_not_null(strstr(t.response.body, "\n  ")); /* two spaces per level */
    other = compacted(t.response.body, "&pretty=true");
    munit_assert_string_equal(other, plain);
    free(other);

    snprintf(path, sizeof path, "%.159s?envelope=true", paths[i]);
    munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
    check_sorted(t.response.body);
    other = compacted(t.response.body, "&envelope=true");
    wanted = munit_malloc(size + 64);
    if (strncmp(plain, "{\"links\":[", 10) == 0 && strstr(plain, "],\"results\":[") != NULL) { /* a list: status is next to results */
      const char *total = strstr(plain, "],\"totalCount\":");
      munit_assert_not_null(total);
      snprintf(wanted, size + 64, "%.*s],\"status\":200%s", (int)(total - plain), plain, total + 1);
    } else {
      snprintf(wanted, size + 64, "{\"content\":%s,\"status\":200}", plain);
    }
    munit_assert_string_equal(other, wanted);
    free(other);
    free(wanted);
    free(plain);
  }
  t_close(&t);
}

/* A resource in a list has its self link and no other link; the link of the last resource works. Alone, a resource has its self link
** first. A resource without a path of its own links to the list that shows it. */
TEST(list, item_links)
{
  static char paths[40][160];
  t_service t;
  size_t i, n, items = 0;
  t_open(&t, &quiet);
  n = fill_paths(&t, paths, 40);
  for (i = 0; i < n; i++) {
    const svc_node *item, *links;
    svc_str own;
    char href[1024] = "", id[64] = "";
    munit_assert_int(t_send(&t, "GET", paths[i], NULL), ==, 200);
    if (!t_node(&t, "results") && t.body->type == SVC_J_OBJECT) { /* a single resource */
      munit_assert_string_equal(t_str(&t, "links[0].rel"), "self");
      if (strstr(paths[i], "byName")) continue;
      snprintf(href, sizeof href, HERE "%.159s", paths[i]);
      munit_assert_string_equal(t_str(&t, "links[0].href"), href);
      continue;
    }
    item = t.body->type == SVC_J_ARRAY ? t.body->first : t_node(&t, "results")->first;
    if (item) {
      for (; item; item = item->next, items++) {
        links = svc_node_get(item, "links");
        munit_assert_not_null(links);
        munit_assert_size(svc_node_count(links), ==, 1);
        munit_assert_true(svc_str_is(svc_node_str(links->first, "rel"), "self"));
        own = svc_node_str(links->first, "href");
        snprintf(href, sizeof href, SVC_FMT, SVC_ARG(own));
        own = svc_node_str(item, "id");
        snprintf(id, sizeof id, SVC_FMT, SVC_ARG(own));
      }
      munit_assert_int(strncmp(href, HERE, strlen(HERE)), ==, 0);
      munit_assert_int(t_send(&t, "GET", href + strlen(HERE), NULL), ==, 200);
      if (strcmp(href + strlen(HERE), paths[i]) == 0) continue;
      munit_assert_string_equal(t_str(&t, "links[0].href"), href);
      munit_assert_string_equal(t_str(&t, "id"), id);
    }
  }
  munit_assert_size(items, >=, 20);
  t_close(&t);
}

TEST(list, envelope)
{
  t_service t;
  const char *org, *group;
  char wanted[1024], *first;
  t_open(&t, &quiet);
  org = t_organization(&t, "Acme");
  /* errors: the HTTP status stays the same */
  munit_assert_int(t_send(&t, "GET", "/groups/0123456789abcdef01234567?envelope=true", NULL), ==, 404);
  munit_assert_int64(t_int(&t, "status"), ==, 404);
  munit_assert_string_equal(t_str(&t, "content.errorCode"), "GROUP_NOT_FOUND");
  munit_assert_int64(t_int(&t, "content.error"), ==, 404);
  munit_assert_size(t_count(&t, ""), ==, 2);
  munit_assert_string_equal(t_get_header(&t, "X-Error-Code"), "GROUP_NOT_FOUND");
  munit_assert_int(t_send(&t, "POST", "/groups?envelope=true", "{}"), ==, 400);
  munit_assert_int64(t_int(&t, "status"), ==, 400);
  munit_assert_string_equal(t_str(&t, "content.badRequestDetail.fields[0].field"), "name");
  munit_assert_int(t_send(&t, "GET", "/orgs?envelope=true&nosuch=1", NULL), ==, 400); /* envelope was read before the invalid parameter */
  munit_assert_int64(t_int(&t, "status"), ==, 400);
  munit_assert_int(t_send(&t, "GET", "/orgs/0123456789abcdef01234567?pretty=true&envelope=true", NULL), ==, 404);
  munit_assert_string_equal(t.response.body,
                            "{\n  \"content\": {\n    \"detail\": \"No organization with id 0123456789abcdef01234567 exists.\",\n"
                            "    \"error\": 404,\n    \"errorCode\": \"ORG_NOT_FOUND\",\n    \"parameters\": [\n"
                            "      \"0123456789abcdef01234567\"\n    ],\n    \"reason\": \"Not Found\"\n  },\n  \"status\": 404\n}\n");
  /* at every stage that can fail */
  munit_assert_int(t_send(&t, "GET", "/nothing?envelope=true", NULL), ==, 404);
  munit_assert_string_equal(t_str(&t, "content.errorCode"), "RESOURCE_NOT_FOUND");
  munit_assert_int(t_send(&t, "BREW", "/orgs?x&envelope=true", NULL), ==, 405);
  munit_assert_int64(t_int(&t, "status"), ==, 405);
  munit_assert_int(t_send(&t, "GET", "/orgs?nosuch=1&envelope=true", NULL), ==, 400);
  munit_assert_int64(t_int(&t, "status"), ==, 400);
  t.anonymous = true;
  munit_assert_int(t_send(&t, "GET", "/orgs?pretty=true", NULL), ==, 401);
  munit_assert_int(strncmp(t.response.body, "{\n  \"detail\": \"", 15), ==, 0);
  munit_assert_int(t_send(&t, "GET", "/orgs?pretty=false&envelope=false", NULL), ==, 401);
  munit_assert_int(strncmp(t.response.body, "{\"detail\":\"", 11), ==, 0);
  t.anonymous = false;
  /* other statuses, and bodies without a resource */
  snprintf(wanted, sizeof wanted, "{\"name\":\"alpha\",\"orgId\":\"%s\"}", org);
  munit_assert_int(t_send(&t, "POST", "/groups?envelope=true", wanted), ==, 201);
  munit_assert_int64(t_int(&t, "status"), ==, 201);
  munit_assert_string_equal(t_str(&t, "content.name"), "alpha");
  munit_assert_string_equal(t_str(&t, "content.links[0].rel"), "self");
  group = svc_arena_copy(&t.s->memory, svc_str_c(t_str(&t, "content.id"))).p;
  munit_assert_int(t_sendf(&t, "PATCH", "{\"name\":\"beta\"}", "/groups/%s?envelope=true&pretty=true", group), ==, 200);
  munit_assert_int64(t_int(&t, "status"), ==, 200);
  first = strstr(t.response.body, "\"status\": 200");
  munit_assert_not_null(first);
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/groups/%s?envelope=true", group), ==, 202);
  munit_assert_string_equal(t.response.body, "{\"content\":{},\"status\":202}");
  munit_assert_int(t_sendf(&t, "DELETE", NULL, "/orgs/%s?envelope=true", org), ==, 204);
  munit_assert_size(t.response.body_length, ==, 0);
  munit_assert_string_equal(t_get_header(&t, "Content-Type"), "");
  munit_assert_string_equal(t_get_header(&t, "Content-Length"), "");
  t_close(&t);
}

/* ----------------------------------------------------------------------------------------------------- a list by itself */

typedef struct numbers {
  int next, last;
} numbers;

static bool numbers_next(svc_call *c, void *state, svc_item *out)
{
  numbers *n = state;
  if (n->next > n->last) return false;
  if (out) {
    out->body = svc_arena_print(c->arena, "{\"n\":%d}", n->next);
    out->links_at = 1;
  }
  n->next++;
  return true;
}

/* A path may contain plain quotes and backslashes, and a query may contain them percent-encoded: neither breaks a link. */
TEST(list, odd_path)
{
  static const svc_param own[] = { { .name = "q", .flags = SVC_PARAM_REPEATS }, { .name = NULL } };
  static const svc_route route = { .method = SVC_GET, .flags = SVC_PAGED, .params = own };
  t_service t;
  svc_arena arena;
  svc_plan plan;
  svc_call c;
  numbers state = { 1, 5 };
  int known;
  t_open(&t, &quiet);
  for (known = 0; known < 2; known++) {
    svc_arena_init(&arena, NULL);
    memset(&plan, 0, sizeof plan);
    memset(&c, 0, sizeof c);
    plan.route = &route;
    c.s = t.s;
    c.arena = &arena;
    c.plan = &plan;
    c.request.path = SVC_S("/x\"y\\z'<>");
    c.request.query = SVC_S("pageNum=2&itemsPerPage=2&q=%22%5C%26%3D%23%C3%A9&q=+");
    munit_assert_true(svc_stage_query(&c));
    state.next = 1;
    munit_assert_true(svc_list_items(&c, numbers_next, &state, known ? 5 : -1));
    munit_assert_string_equal(
      c.answer.body.p,
      "{\"links\":[{\"href\":\"http://localhost:8080/x%22y%5Cz'<>?includeCount=true&pageNum=2&itemsPerPage=2&q=%22%5C%26%3D%23%C3%A9"
      "&q=%20\",\"rel\":\"self\"},{\"href\":\"http://localhost:8080/x%22y%5Cz'<>?includeCount=true&itemsPerPage=2&pageNum=3&q=%22%5C%26"
      "%3D%23%C3%A9&q=%20\",\"rel\":\"next\"},{\"href\":\"http://localhost:8080/x%22y%5Cz'<>?includeCount=true&itemsPerPage=2&pageNum=1"
      "&q=%22%5C%26%3D%23%C3%A9&q=%20\",\"rel\":\"previous\"}],\"results\":[{\"links\":[{\"href\":\"http://localhost:8080/x%22y%5Cz'<>\","
      "\"rel\":\"self\"}],\"n\":3},{\"links\":[{\"href\":\"http://localhost:8080/x%22y%5Cz'<>\",\"rel\":\"self\"}],\"n\":4}],\"totalCount\":5}");
    munit_assert_size(c.answer.body.n, ==, strlen(c.answer.body.p));
    svc_blocks_free(arena.blocks);
  }
  t_close(&t);
}

/* The buffer for links is large enough for the longest query. */
TEST(list, long_query)
{
  t_service t;
  static char path[8000];
  size_t n;
  int i;
  t_open(&t, &quiet);
  n = (size_t)snprintf(path, sizeof path, "/rateLimits?itemsPerPage=1&pageNum=2147483647&envelope=true&pretty=true");
  for (i = 0; i < 32; i++) { /* each of these bytes becomes three */
    n += (size_t)snprintf(path + n, sizeof path - n, "&name=");
    memset(path + n, ':', 200);
    n += 200;
  }
  path[n] = 0;
  munit_assert_int(t_send(&t, "GET", path, NULL), ==, 200);
  munit_assert_size(t_count(&t, "links"), ==, 2);
  munit_assert_size(strlen(t_link(&t, "previous")), >, 32 * 600);
  t_close(&t);
}

/* An allocator that records the largest block. */
static void *list_measure(void *context, void *p, size_t size)
{
  size_t *largest = context;
  if (size > *largest) *largest = size;
  if (size == 0) {
    free(p);
    return NULL;
  }
  return realloc(p, size);
}

/* The first item is used to estimate the size of a page, but the memory follows the real size: the other items may be small, or few. */
TEST(list, odd_first)
{
  enum { SMALL = 120 };
  size_t largest = 0;
  svc_config config = quiet;
  t_service t;
  const char *org;
  char name[32];
  int i;
  config.allocator.resize = list_measure;
  config.allocator.context = &largest;
  t_open(&t, &config);
  org = t_organization(&t, "Acme");
  munit_assert_int(t_large_project(&t, org, "large"), ==, 201);
  for (i = 0; i < SMALL; i++) {
    snprintf(name, sizeof name, "small%d", i);
    t_project(&t, org, name);
  }
  largest = 0;
  munit_assert_int(t_send(&t, "GET", "/groups?itemsPerPage=500", NULL), ==, 200);
  munit_assert_size(t_count(&t, "results"), ==, SMALL + 1);
  munit_assert_string_equal(t_str(&t, "results[120].name"), "small119");
  munit_assert_size(largest, <, (size_t)1400 << 10);
  t.grants[0] = (svc_grant){ "ORG_OWNER", org }; /* filtered one by one: the number of items is not known */
  largest = 0;
  munit_assert_int(t_send(&t, "GET", "/groups?itemsPerPage=500", NULL), ==, 200);
  munit_assert_size(t_count(&t, "results"), ==, SMALL + 1);
  munit_assert_string_equal(t_str(&t, "results[120].name"), "small119");
  munit_assert_size(largest, <, (size_t)400 << 10);
  t_close(&t);
}

/* A list that is a plain array is returned whole, or in pages if the query asks for a page. */
TEST(list, arrays)
{
  static const char at[] = "/groups/%s/customDBRoles/roles%s";
  const char *group;
  char body[64];
  t_service t;
  int i;
  t_open(&t, &(svc_config){ .limiter_off = 1, .max_page = 7 });
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  for (i = 0; i < 20; i++) {
    snprintf(body, sizeof body, "{\"roleName\":\"r%d\"}", i);
    munit_assert_int(t_sendf(&t, "POST", body, at, group, ""), ==, 202);
  }
  munit_assert_int(t_sendf(&t, "GET", NULL, at, group, ""), ==, 200);
  munit_assert_size(svc_node_count(t.body), ==, 20);
  munit_assert_int(t_sendf(&t, "GET", NULL, at, group, "?includeCount=true"), ==, 200); /* includeCount asks for no page */
  munit_assert_int(t.body->type, ==, SVC_J_ARRAY);
  munit_assert_size(svc_node_count(t.body), ==, 20);
  munit_assert_int(t_sendf(&t, "GET", NULL, at, group, "?pageNum=1"), ==, 200);
  munit_assert_size(svc_node_count(t.body), ==, 7);
  munit_assert_int(t_sendf(&t, "GET", NULL, at, group, "?itemsPerPage=3&pageNum=2&includeCount=false"), ==, 200);
  munit_assert_size(svc_node_count(t.body), ==, 3);
  munit_assert_string_equal(t_str(&t, "[0].roleName"), "r3");
  munit_assert_string_equal(t_str(&t, "[2].roleName"), "r5");
  munit_assert_int(t_sendf(&t, "GET", NULL, at, group, "?itemsPerPage=6&pageNum=4"), ==, 200);
  munit_assert_size(svc_node_count(t.body), ==, 2);
  munit_assert_int(t_sendf(&t, "GET", NULL, at, group, "?itemsPerPage=6&pageNum=5"), ==, 200);
  munit_assert_size(svc_node_count(t.body), ==, 0);
  munit_assert_int(t_sendf(&t, "GET", NULL, at, group, "?itemsPerPage=2&envelope=true"), ==, 200);
  munit_assert_size(t_count(&t, "content"), ==, 2);
  munit_assert_int64(t_int(&t, "status"), ==, 200);
  munit_assert_int(t_sendf(&t, "GET", NULL, at, group, "?itemsPerPage=8"), ==, 400);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/limits?itemsPerPage=2&pageNum=2", group), ==, 200); /* a list from a table */
  munit_assert_size(svc_node_count(t.body), ==, 2);
  t_close(&t);
}

/* A plain array that is returned whole has a maximum size. A client reads a larger array in pages. */
TEST(list, too_long)
{
  static const char at[] = "/groups/%s/customDBRoles/roles%s";
  static char body[40000];
  const char *group;
  t_service t;
  size_t n;
  int i, j;
  t_open(&t, &(svc_config){ .limiter_off = 1 });
  group = t_project(&t, t_organization(&t, "Acme"), "alpha");
  munit_assert_int(t_sendf(&t, "PATCH", "{\"value\":200}", "/groups/%s/limits/svc.project.security.databaseAccess.customRoles", group), ==, 200);
  for (i = 0; i < 140; i++) {
    n = (size_t)snprintf(body, sizeof body, "{\"roleName\":\"r%d\",\"actions\":[{\"action\":\"FIND\",\"resources\":[", i);
    for (j = 0; j < 90; j++) n += (size_t)snprintf(body + n, sizeof body - n, "%s{\"collection\":\"%0255d\",\"db\":\"%064d\"}", j ? "," : "", j, i);
    snprintf(body + n, sizeof body - n, "]}]}");
    if (t_sendf(&t, "POST", body, at, group, "") != 202) munit_errorf("%.300s", t.response.body);
    if (i == 100) munit_assert_int(t_sendf(&t, "GET", NULL, at, group, ""), ==, 200);
  }
  munit_assert_int(t_sendf(&t, "GET", NULL, at, group, ""), ==, 400);
  munit_assert_string_equal(t_error(&t), "INVALID_QUERY_PARAMETER");
  munit_assert_string_equal(t_param(&t, 0), "itemsPerPage");
  munit_assert_int(t_sendf(&t, "GET", NULL, at, group, "?itemsPerPage=200"), ==, 200);
  munit_assert_size(svc_node_count(t.body), ==, 140);
  munit_assert_size(t.response.body_length, >, (size_t)4 << 20);
  t_close(&t);
}

/* Names differ in case, length and organization. The index finds the same projects as a comparison with each name. */
TEST(list, by_prefix)
{
  enum { COUNT = 400 };
  static char names[COUNT][24];
  static const char letters[] = "aAbB-";
  const char *org[2];
  t_service t;
  int owner[COUNT], i, j, round;
  t_open(&t, &quiet);
  org[0] = t_organization(&t, "A");
  org[1] = t_organization(&t, "B");
  for (i = 0; i < COUNT; i++) {
    int n = munit_rand_int_range(1, 6);
    for (j = 0; j < n; j++) names[i][j] = letters[munit_rand_int_range(0, 4)];
    snprintf(names[i] + n, sizeof names[i] - (size_t)n, "%s%d", i % 7 ? "" : "\xC3\x84", i);
    owner[i] = munit_rand_int_range(0, 3) == 0;
    t_project(&t, org[owner[i]], names[i]);
  }
  for (round = 0; round < 150; round++) {
    char prefix[24], at[48];
    int of = munit_rand_int_range(0, 1), per_page = munit_rand_int_range(1, 60), page = munit_rand_int_range(1, 3), seen = 0, shown = 0;
    int n = munit_rand_int_range(1, 5);
    for (j = 0; j < n; j++) prefix[j] = letters[munit_rand_int_range(0, 4)];
    prefix[n] = 0;
    munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/groups?name=%s&pageNum=%d&itemsPerPage=%d", org[of], prefix, page, per_page), ==, 200);
    for (i = 0; i < COUNT; i++) {
      if (owner[i] != of || strncasecmp(names[i], prefix, (size_t)n) != 0) continue;
      if (seen >= (page - 1) * per_page && shown < per_page) {
        snprintf(at, sizeof at, "results[%d].name", shown++);
        munit_assert_string_equal(t_str(&t, at), names[i]);
      }
      seen++;
    }
    munit_assert_int64(t_int(&t, "totalCount"), ==, seen);
    munit_assert_size(t_count(&t, "results"), ==, (size_t)shown);
  }
  t_close(&t);
}

typedef struct list_torn {
  svc_job job; /* first member: cast back from svc_job */
  const char *names, *kind;
} list_torn;

/* Writes two damaged records of the index of names: with a truncated key, and with a truncated value. */
static bool list_torn_work(svc_job *job, svc_txn *txn)
{
  const list_torn *l = (list_torn *)job;
  char value[SVC_KIND_SIZE + 12] = { 0 };
  svc_key key;
  memcpy(value, l->kind, SVC_KIND_SIZE);
  svc_key_begin(&key, 'u');
  svc_key_add(&key, l->names, SVC_KIND_SIZE);
  svc_key_add(&key, "Ac", 2);
  svc_put(txn, &key, (svc_str){ value, sizeof value });
  svc_key_add(&key, "me and what follows", 19);
  return svc_put(txn, &key, (svc_str){ value, 5 }) == SVC_OK;
}

/* Damaged index records are skipped, and a prefix may contain any characters. */
TEST(list, torn_names)
{
  list_torn work;
  const char *org;
  t_service t;
  t_open(&t, &quiet);
  org = t_organization(&t, "Org");
  t_project(&t, org, "Acme 1");
  memset(&work, 0, sizeof work);
  work.job.work = list_torn_work;
  work.job.now = t.now;
  work.names = svc_names_of(t.s->group->noun);
  work.kind = t.s->group->noun->kind;
  munit_assert_int(svc_commit_run(&t.s->commit, &work.job), ==, SVC_OK);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/groups?name=a", org), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 1);
  munit_assert_string_equal(t_str(&t, "results[0].name"), "Acme 1");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/groups?name=%%7E%%5B%%40%%7B", org), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 0);
  munit_assert_int(svc_check_store(t.s, NULL, NULL), ==, SVC_CORRUPT);
  t_close(&t);
}

/* Returns the store reads of one request. */
static t_reads list_cost(t_service *t, const char *path, int64_t total)
{
  t_reads_taken();
  munit_assert_int(t_send(t, "GET", path, NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, total);
  return t_reads_taken();
}

/* A list reads only what it shows, and skips what comes before its page. With four times as many projects the bounds are the same. */
TEST(list, costs)
{
  static const int sizes[] = { 400, 1600 };
  int k, i;
  for (k = 0; k < 2; k++) {
    const int n = sizes[k];
    const char *org;
    char name[32], path[128];
    t_service t;
    t_reads r;
    t_open(&t, &(svc_config){ .limiter_off = 1, .store = t_counting_port() });
    org = t_organization(&t, "Acme");
    for (i = 0; i < n; i++) {
      snprintf(name, sizeof name, "Proj-%d", i);
      t_project(&t, org, name);
    }
    t.grants[0].on = org;
    r = list_cost(&t, "/clusters", n); /* each item shows its clusters and the name of its organization */
    munit_assert_long(r.rows + r.gets, <, 350);
    snprintf(path, sizeof path, "/clusters?pageNum=%d", n / 100);
    r = list_cost(&t, path, n);
    munit_assert_long(r.rows + r.gets, <, 350);
    munit_assert_long(r.passed, ==, n - 100);
    snprintf(path, sizeof path, "/orgs/%s/groups?name=PROJ-39", org);
    r = list_cost(&t, path, 11);
    munit_assert_long(r.rows + r.gets, <, 120);
    snprintf(path, sizeof path, "/orgs/%s/groups?name=nothing", org);
    r = list_cost(&t, path, 0);
    munit_assert_long(r.rows + r.gets, <, 20);
    t.grants[0].role = "ORG_MEMBER"; /* may see none of the projects */
    snprintf(path, sizeof path, "/orgs/%s/groups", org);
    r = list_cost(&t, path, 0);
    munit_assert_long(r.rows + r.gets, <, 20);
    r = list_cost(&t, "/groups", 0);
    munit_assert_long(r.rows + r.gets, <, 20);
    r = list_cost(&t, "/clusters", 0);
    munit_assert_long(r.rows + r.gets, <, 20);
    t_close(&t);
  }
}

/*
** Worlds: loading a file creates what it describes, once, by the service's own rules. An error names its place and leaves no
** changes. A world exported from a store recreates the same world.
*/
#include "control/world_parts.h"
#include "support.h"

#define SPECS \
  "\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
  "\"regionName\":\"US_EAST_1\",\"priority\":7," \
  "\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]"
#define FILE_MOST ((size_t)1 << 20)

/* Loads a world. The report becomes the last answer of the service, so that t_str() and similar functions read it. */
static int world_load(t_service *t, const char *json, size_t n)
{
  int rc;
  svc_response_free(&t->response);
  svc_blocks_free(t->arena.blocks);
  svc_arena_init(&t->arena, NULL);
  rc = svc_world_apply(t->s, json, n, &t->response);
  t->body = t->response.body ? svc_json_parse(&t->arena, svc_arena_copy(&t->arena, (svc_str){ t->response.body,
    t->response.body_length })) : NULL;
  munit_assert_not_null(t->body);
  return rc;
}

static void world_good(t_service *t, const char *json)
{
  if (world_load(t, json, 0) != SVC_OK) munit_errorf("%s", t_str(t, "detail"));
}

/* Checks that the world is refused with these words, and that the store is unchanged. */
static void world_bad(t_service *t, const char *json, const char *detail)
{
  const uint64_t print = store_print(t->s);
  const int64_t now = svc_clock_now(t->s);
  munit_assert_int(world_load(t, json, 0), ==, SVC_INVALID);
  if (!strstr(t_str(t, "detail"), detail)) munit_errorf("%s, and not %s", t_str(t, "detail"), detail);
  munit_assert_true(store_print(t->s) == print);
  munit_assert_int64(svc_clock_now(t->s), ==, now);
}

static char *world_file(const char *name, size_t *n)
{
  char path[128], *text = malloc(FILE_MOST);
  FILE *f;
  snprintf(path, sizeof path, "package/worlds/%s.json", name);
  f = fopen(path, "r");
  munit_assert_not_null(f);
  *n = fread(text, 1, FILE_MOST - 1, f);
  fclose(f);
  return text;
}

static void world_lines(void *context, int level, const char *text)
{
  char *lines = context;
  size_t n = strlen(lines);
  (void)level;
  snprintf(lines + n, 65536 - n, "%s\n", text);
}

static void world_listen(t_service *t, char *lines)
{
  lines[0] = 0;
  t->s->config.log = world_lines;
  t->s->config.log_context = lines;
}

/* Checks that the log has these words exactly once. */
static void world_said(const char *lines, const char *words)
{
  const char *at = strstr(lines, words);
  if (!at || strstr(at + 1, words)) munit_errorf("not said once: %s\n%s", words, lines);
}

TEST(world, once)
{
  static const char *const names[] = { "empty", "team" };
  svc_config config = { .manual_clock = T_START };
  size_t i, n;
  for (i = 0; i < 2; i++) {
    char *text = world_file(names[i], &n);
    uint64_t print;
    t_service t;
    t_open(&t, &config);
    if (world_load(&t, text, n) != SVC_OK) munit_errorf("%s: %s", names[i], t_str(&t, "detail"));
    munit_assert_int64(t_int(&t, "made"), >=, 2);
    munit_assert_size(store_whole(t.s), >=, 1);
    print = store_print(t.s);
    munit_assert_int(world_load(&t, text, n), ==, SVC_OK);
    munit_assert_string_equal(t_str(&t, "applied"), "false");
    munit_assert_int64(t_int(&t, "kept"), >=, 2);
    munit_assert_size(strlen(t_str(&t, "names.acme")), ==, 24);
    munit_assert_true(store_print(t.s) == print);
    text[n] = ' '; /* a different file with the same content */
    munit_assert_int(world_load(&t, text, n + 1), ==, SVC_OK);
    munit_assert_string_equal(t_str(&t, "applied"), "true");
    munit_assert_int64(t_int(&t, "made") + t_int(&t, "changed"), ==, 0);
    free(text);
    t_close(&t);
  }
}

/* A year with invoices, backups and closed alerts, within the time limit of a test. */
TEST(world, company)
{
  svc_config config = { .manual_clock = T_START };
  char *text, group[32], org[32];
  t_service t;
  size_t n;
  t_open(&t, &config);
  text = world_file("company", &n);
  if (world_load(&t, text, n) != SVC_OK) munit_errorf("%s", t_str(&t, "detail"));
  free(text);
  munit_assert_string_equal(t_str(&t, "now"), "2030-01-01T00:00:00Z");
  snprintf(group, sizeof group, "%s", t_str(&t, "names.production"));
  snprintf(org, sizeof org, "%s", t_str(&t, "names.globex"));
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/invoices", org), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), >=, 12);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/orders/backup/snapshots", group), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), >=, 12);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/alerts?status=CLOSED", group), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), >=, 1);
  munit_assert_size(store_whole(t.s), ==, 3);
  t_close(&t);
}

TEST(world, references)
{
  svc_config config = { .manual_clock = T_START };
  t_service t;
  t_open(&t, &config);
  world_good(&t, "{\"world\":1,\"orgs\":[{\"name\":\"Acme\",\"as\":\"acme\",\"groups\":["
                 "{\"name\":\"shop\",\"tags\":[{\"key\":\"org\",\"value\":\"$acme.id\"},{\"key\":\"price\",\"value\":\"$$5\"}],"
                 "\"clusters\":[{\"name\":\"main\",\"backupEnabled\":true," SPECS ",\"backup/schedule\":{\"referenceHourOfDay\":3}}],"
                 "\"databaseUsers\":[{\"username\":\"bob\",\"databaseName\":\"admin\",\"password\":\"$random\","
                 "\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}],"
                 "\"scopes\":[{\"name\":\"$shop.clusters.main.name\",\"type\":\"CLUSTER\"}]}]}]}]}");
  munit_assert_size(strlen(t_str(&t, "secrets.bob.password")), ==, 22);
  munit_assert_int(t_send(&t, "GET", "/groups/byName/shop", NULL), ==, 200);
  munit_assert_string_equal(t_str(&t, "tags[0].value"), t_str(&t, "orgId"));
  munit_assert_string_equal(t_str(&t, "tags[1].value"), "$5");
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/clusters/main", t_str(&t, "id")), ==, 200);
  munit_assert_string_equal(t_str(&t, "stateName"), "IDLE"); /* a cluster of a world needs no time */
  t_close(&t);
}

TEST(world, steps)
{
  svc_config config = { .manual_clock = T_START };
  t_service t;
  t_open(&t, &config);
  world_good(&t, "{\"world\":1,\"now\":\"2026-01-01T00:00:00Z\",\"orgs\":[{\"name\":\"Acme\",\"groups\":[{\"name\":\"shop\"}]}],\"then\":["
                 "{\"at\":\"$shop\",\"clusters\":[{\"name\":\"main\"," SPECS "}]},{\"advance\":\"PT1H\"},"
                 "{\"patch\":\"$shop.clusters.main\","
                   "\"body\":{\"terminationProtectionEnabled\":true}},{\"until\":\"2026-02-01T00:00:00Z\"},"
                 "{\"repeat\":3,\"steps\":[{\"advance\":\"P1M\"},{\"at\":\"$shop\",\"databaseUsers\":[{\"username\":\"user-{n}\","
                 "\"databaseName\":\"admin\",\"password\":\"$random\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}]}]},"
                 "{\"delete\":\"$shop.databaseUsers.user-2\"},{\"post\":\"$shop.clusters.main/restartPrimaries\"}]}");
  munit_assert_string_equal(t_str(&t, "now"), "2026-05-01T00:00:00Z");
  munit_assert_int(t_send(&t, "GET", "/groups/byName/shop", NULL), ==, 200);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s/databaseUsers", t_keep(&t, t_str(&t, "id"))), ==, 200);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 2);
  munit_assert_string_equal(t_str(&t, "results[1].username"), "user-3");
  t_close(&t);
}

TEST(world, refused)
{
  static const char *const bad[][2] = {
    { "{\"world\":1,\n \"orgs\":[}", "2:10: MALFORMED_JSON: " },
    { "[]", "1:1: INVALID_WORLD: a world is an object" },
    { "{\"world\":2}", "1:1: INVALID_WORLD: a world is an object that has" },
    { "{\"world\":1,\"planets\":[]}",
     "1:12: planets: INVALID_WORLD: no operation of the API makes such things: there is no POST /planets" },
    { "{\"world\":1,\"orgs\":[{\"name\":\"A\"},\n  {\"name\":\"B\",\"groups\":[{\"name\":\"x\",\"clusters\":[{\"name\":\"c\"}]}]}]}",
      "2:49: orgs[1].groups[0].clusters[0]: " },
    { "{\"world\":1,\"orgs\":[{\"name\":\"A\",\"groups\":[{\"name\":\"x\",\"color\":\"red\"}]}]}",
     "orgs[0].groups[0]: INVALID_ATTRIBUTE: " },
    { "{\"world\":1,\"orgs\":[{\"name\":\"$nobody.name\"}]}", "orgs[0].name: INVALID_WORLD: $nobody.name: nothing has this name so far" },
    { "{\"world\":1,\"orgs\":[{\"name\":\"A\"},{\"name\":\"$A.color\"}]}",
     "orgs[1].name: INVALID_WORLD: $A.color: the thing has no such field" },
    { "{\"world\":1,\"orgs\":[{\"name\":\"A\",\"groups\":[{\"name\":\"x\"}]},{\"name\":\"B\","
      "\"groups\":[{\"name\":\"x\"}]},{\"name\":\"$x.id\"}]}", "several things have this name" },
    { "{\"world\":1,\"orgs\":[{\"name\":\"A\",\"groups\":[{\"name\":\"x\"}]},{\"name\":\"B\","
      "\"groups\":[{\"name\":\"x\"},{\"name\":\"x\"}]},{\"name\":\"$x.id\"}]}", "several things have this name" },
    { "{\"world\":1,\"orgs\":{\"name\":\"A\"}}", "orgs: INVALID_WORLD: this must be an array: /orgs is a collection" },
    { "{\"world\":1,\"orgs\":[7]}", "orgs[0]: INVALID_WORLD: this must be an object" },
    { "{\"world\":1,\"orgs\":[{\"name\":\"A\",\"as\":7}]}", "\"as\" must be a name" },
    { "{\"world\":1,\"orgs\":[{\"name\":\"A\",\"invoices\":[{}]}]}",
     "orgs[0].invoices: INVALID_WORLD: no operation of the API makes such things" },
    { "{\"world\":1,\"now\":\"soon\"}", "now: INVALID_WORLD: this must be a time" },
    { "{\"world\":1,\"now\":\"2020-01-01T00:00:00Z\"}", "now: INVALID_WORLD: the clock is already at 2025-06-01T00:00:00Z" },
    { "{\"world\":1,\"then\":{}}", "then: INVALID_WORLD: this must be an array of steps" },
    { "{\"world\":1,\"then\":[{}]}", "then[0]: INVALID_WORLD: a step has one of" },
    { "{\"world\":1,\"then\":[{\"advance\":\"P1D\",\"until\":\"x\"}]}", "then[0]: INVALID_WORLD: a step does one thing" },
    { "{\"world\":1,\"then\":[{\"advance\":\"P1D\"},{\"advance\":\"a day\"}]}", "then[1].advance: INVALID_WORLD: this must be a duration" },
    { "{\"world\":1,\"then\":[{\"advance\":\"P1D\",\"by\":1}]}", "then[0].by: INVALID_WORLD: a step with \"advance\" has no such member" },
    { "{\"world\":1,\"then\":[{\"advance\":\"P1D\",\"repeat\":0}]}",
     "then[0].repeat: INVALID_WORLD: this must be a number from 1 to 10000" },
    { "{\"world\":1,\"then\":[{\"repeat\":10000,\"steps\":[{\"repeat\":10000,\"steps\":[]}]}]}",
     "then[0].steps[0]: INVALID_WORLD: the world takes more than 50000 steps" },
    { "{\"world\":1,\"then\":[{\"at\":\"$x\",\"orgs\":[]}]}", "then[0].at: INVALID_WORLD: $x: nothing has this name" },
    { "{\"world\":1,\"then\":[{\"delete\":\"shop\"}]}", "then[0].delete: INVALID_WORLD: this must be a reference" },
    { "{\"world\":1,\"then\":[{\"patch\":\"/planets/1\",\"body\":{}}]}",
     "then[0].patch: INVALID_WORLD: the API has no such operation on /planets/1" },
    { "{\"world\":1,\"then\":[{\"delete\":\"/groups/5f0000000000000000000001\"}]}", "then[0]: GROUP_NOT_FOUND: " },
  };
  svc_config config = { .manual_clock = T_START };
  t_service t;
  size_t i;
  t_open(&t, &config);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) world_bad(&t, bad[i][0], bad[i][1]);
  svc_response_free(&t.response); /* a refused call clears its response, too */
  munit_assert_int(svc_world_apply(t.s, NULL, 0, &t.response), ==, SVC_INVALID);
  munit_assert_int(svc_world_apply(NULL, "{}", 0, &t.response), ==, SVC_INVALID);
  t_close(&t);
}

/* Without a manual clock a world can be loaded, but cannot move the clock. */
TEST(world, real_clock)
{
  t_service t;
  t_open(&t, NULL);
  world_bad(&t, "{\"world\":1,\"orgs\":[{\"name\":\"A\"}],\"then\":[{\"advance\":\"P1D\"}]}",
            "then[0].advance: INVALID_WORLD: the world moves the clock");
  world_good(&t, "{\"world\":1,\"orgs\":[{\"name\":\"A\"}]}");
  t_close(&t);
}

/* Loading a world takes no tokens from callers' buckets, uses up no faults, and is not recorded in the journal. */
TEST(world, apart)
{
  svc_config config = { .manual_clock = T_START, .journal = 10 };
  svc_fault fault = { .status = 503 };
  svc_response journal;
  t_service t;
  char left[16];
  int id;
  t_open(&t, &config);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  snprintf(left, sizeof left, "%s", t_get_header(&t, "RateLimit-Remaining"));
  svc_journal_clear(t.s);
  munit_assert_int(svc_fault_add(t.s, &fault, &id), ==, SVC_OK);
  world_good(&t, "{\"world\":1,\"orgs\":[{\"name\":\"A\"},{\"name\":\"B\"},{\"name\":\"C\"}]}");
  munit_assert_int(svc_fault_remove(t.s, id), ==, SVC_OK);
  munit_assert_int(svc_journal_read(t.s, 0, &journal), ==, SVC_OK);
  munit_assert_string_equal(journal.body, "[]");
  svc_response_free(&journal);
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int(atoi(t_get_header(&t, "RateLimit-Remaining")), ==, atoi(left) - 1);
  munit_assert_int64(t_int(&t, "totalCount"), ==, 3);
  t_close(&t);
}

/* An exported world loads into an empty store, and exporting that store gives the same document. */
TEST(world, written)
{
  svc_config config = { .manual_clock = T_START };
  svc_response first, second;
  t_service t, other;
  size_t n;
  char *text = world_file("team", &n);
  t_open(&t, &config);
  munit_assert_int(world_load(&t, text, n), ==, SVC_OK);
  free(text);
  munit_assert_int(svc_world_write(t.s, &first), ==, SVC_OK);
  munit_assert_not_null(strstr(first.body, "\"password\": \"$random\""));
  munit_assert_not_null(strstr(first.body, "\"developers\""));
  munit_assert_not_null(strstr(first.body, "\"oncall@example.com\""));
  munit_assert_not_null(strstr(first.body, "\"10.0.0.0/8\""));
  t_open(&other, &config);
  if (world_load(&other, first.body, first.body_length) != SVC_OK) munit_errorf("%s", t_str(&other, "detail"));
  munit_assert_int(svc_world_write(other.s, &second), ==, SVC_OK);
  munit_assert_string_equal(first.body, second.body);
  svc_response_free(&first);
  svc_response_free(&second);
  munit_assert_int(svc_world_write(NULL, &first), ==, SVC_INVALID);
  t_close(&other);
  t_close(&t);
}

/* A year leaves records that no world contains. Everything else is the same, and the log names each omitted kind once. */
TEST(world, written_company)
{
  static char lines[65536];
  svc_config config = { .manual_clock = T_START };
  svc_response first, second;
  t_service t, other;
  size_t n;
  char *text = world_file("company", &n);
  t_open(&t, &config);
  munit_assert_int(world_load(&t, text, n), ==, SVC_OK);
  free(text);
  world_listen(&t, lines);
  munit_assert_int(svc_world_write(t.s, &first), ==, SVC_OK);
  world_said(lines, "all invoices, such as those of orgs/");
  world_said(lines, "all limits, such as those of ");
  world_said(lines, "all backup/snapshots, such as those of ");
  t_open(&other, &config);
  if (world_load(&other, first.body, first.body_length) != SVC_OK) munit_errorf("%s", t_str(&other, "detail"));
  munit_assert_int(svc_world_write(other.s, &second), ==, SVC_OK);
  munit_assert_string_equal(first.body, second.body);
  svc_response_free(&first);
  svc_response_free(&second);
  t_close(&other);
  t_close(&t);
}

/* An exported world omits optional single resources, resources that belong to several organizations, and resources with a secret of a
** format of its own. The log names them. */
TEST(world, written_without)
{
  static char lines[65536];
  svc_config config = { .manual_clock = T_START };
  svc_response written;
  t_service t;
  t_open(&t, &config);
  world_good(&t, "{\"world\":1,\"orgs\":[{\"name\":\"A\",\"groups\":[{\"name\":\"p\",\"integrations\":["
                 "{\"type\":\"DATADOG\",\"apiKey\":\"0123456789abcdef0123456789abcdef\",\"region\":\"US\"}],"
                 "\"clusters\":[{\"name\":\"main\"," SPECS ",\"search/deployment\":{\"specs\":[{\"instanceSize\":\"S20_HIGHCPU_NVME\","
                 "\"nodeCount\":2}]}}]}]}]}");
  munit_assert_int(t_send(&t, "GET", "/orgs", NULL), ==, 200);
  munit_assert_int(t_sendf(&t, "GET", NULL, "/orgs/%s/federationSettings", t_keep(&t, t_str(&t, "results[0].id"))), ==, 200);
  world_listen(&t, lines);
  munit_assert_int(svc_world_write(t.s, &written), ==, SVC_OK);
  munit_assert_null(strstr(written.body, "DATADOG"));
  munit_assert_null(strstr(lines, "0123456789abcdef"));
  world_said(lines, "integrations");
  world_said(lines, "all search/deployment, such as those of orgs/A/groups/p/clusters/main: ");
  world_said(lines, "all federationSettings, such as those of orgs/A: they belong to several organizations");
  svc_response_free(&written);
  t_close(&t);
}

/* Worlds use our own words in any dialect: the same file is loaded and exported. */
TEST(world, dialect)
{
  svc_config config = { .manual_clock = T_START }, spoken = config;
  static char dialect[65536];
  svc_response plain, theirs;
  t_service t, other;
  size_t n;
  char *text = world_file("team", &n);
  FILE *f = fopen("examples/dialects/atlas.json", "r");
  munit_assert_not_null(f);
  dialect[fread(dialect, 1, sizeof dialect - 1, f)] = 0;
  fclose(f);
  spoken.dialect = dialect;
  t_open(&t, &config);
  t_open(&other, &spoken);
  munit_assert_int(world_load(&t, text, n), ==, SVC_OK);
  if (world_load(&other, text, n) != SVC_OK) munit_errorf("%s", t_str(&other, "detail"));
  munit_assert_int(svc_world_write(t.s, &plain), ==, SVC_OK);
  munit_assert_int(svc_world_write(other.s, &theirs), ==, SVC_OK);
  munit_assert_string_equal(plain.body, theirs.body);
  munit_assert_int(t_send_raw(&other, "GET", "/api/atlas/v2/groups", NULL, 0), ==, 200);
  munit_assert_int64(t_int(&other, "totalCount"), >=, 1);
  svc_response_free(&plain);
  svc_response_free(&theirs);
  free(text);
  t_close(&other);
  t_close(&t);
}

/* Steps of most kinds, each with its result, and actions among the members of a resource. */
TEST(world, each_step)
{
  static const char *const rows[][3] = {
    { "{\"at\":\"$shop\",\"accessList\":[{\"cidrBlock\":\"10.0.0.0/8\"}]}", "/accessList", "10.0.0.0/8" },
    { "{\"patch\":\"$shop\",\"body\":{\"name\":\"store\"}}", "", "\"name\":\"store\"" },
    { "{\"put\":\"$shop.customDBRoles/roles.r\",\"body\":{}}", NULL, "nothing of this name is nested in it" },
    { "{\"delete\":\"$shop.databaseUsers.joe\"}", "/databaseUsers", "\"totalCount\":0" },
    { "{\"repeat\":3,\"steps\":[{\"at\":\"$shop\",\"accessList\":[{\"ipAddress\":\"192.0.2.{n}\"}]}]}", "/accessList", "\"totalCount\":3" },
    { "{\"repeat\":2,\"at\":\"$shop\",\"accessList\":[{\"ipAddress\":\"192.0.2.{n}\"}]}", "/accessList", "\"totalCount\":2" },
    { "{\"post\":\"$shop.clusters.main:pinFeatureCompatibilityVersion\",\"body\":{}}", "/clusters/main", "\"featureCompatibilityVersionExpirationDate\"" },
    { "{\"at\":\"$shop.clusters.main\",\":pinFeatureCompatibilityVersion\":{}}", "/clusters/main", "\"featureCompatibilityVersionExpirationDate\"" },
    { "{\"at\":\"$shop\",\"clusters\":[{\"name\":\"second\"," SPECS ",\":pinFeatureCompatibilityVersion\":{}}]},{\"advance\":\"PT1H\"}",
      "/clusters/second", "\"featureCompatibilityVersionExpirationDate\"" },
  };
  svc_config config = { .manual_clock = T_START };
  char text[4096];
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    t_service t;
    t_open(&t, &config);
    snprintf(text, sizeof text, "{\"world\":1,\"orgs\":[{\"name\":\"A\",\"groups\":[{\"name\":\"shop\",\"databaseUsers\":[{\"username\":\"joe\","
             "\"databaseName\":\"admin\",\"password\":\"$random\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}],\"clusters\":["
             "{\"name\":\"main\"," SPECS "}]}]}],\"then\":[%s]}", rows[i][0]);
    if (!rows[i][1]) {
      world_bad(&t, text, rows[i][2]);
    } else {
      world_good(&t, text);
      munit_assert_int(t_sendf(&t, "GET", NULL, "/groups/%s%s", t_keep(&t, t_str(&t, "names.shop")), rows[i][1]), ==, 200);
      if (!strstr(t.response.body, rows[i][2])) munit_errorf("%s: %s", rows[i][0], t.response.body);
    }
    t_close(&t);
  }
}

/* Whichever allocation fails, the world is loaded completely or not at all. */
TEST(world, no_memory)
{
  static const char text[] = "{\"world\":1,\"orgs\":[{\"name\":\"Acme\",\"groups\":[{\"name\":\"shop\","
    "\"accessList\":[{\"cidrBlock\":\"10.0.0.0/8\"}]}]}]}";
  t_memory memory = { 0 };
  svc_config config = { .manual_clock = T_START, .allocator = { t_memory_resize, &memory } };
  svc_response report;
  t_service t;
  uint64_t print;
  long n, live;
  int rc = SVC_NOMEM;
  t_open(&t, &config);
  print = store_print(t.s);
  for (n = 1; rc != SVC_OK; n++) {
    munit_assert_long(n, <, 2000);
    live = memory.live;
    memory.calls = 0;
    memory.fail_at = n;
    rc = svc_world_apply(t.s, text, 0, &report);
    memory.fail_at = 0;
    svc_response_free(&report);
    if (rc == SVC_OK) break;
    munit_assert_long(memory.live, ==, live);
    munit_assert_true(store_print(t.s) == print);
  }
  munit_assert_long(n, >, 10);
  munit_assert_size(store_whole(t.s), ==, 1);
  t_close(&t);
}

/* The report has the secrets of steps by the resource that a step names or creates. A later secret of the same resource replaces the
** earlier one. */
TEST(world, step_secrets)
{
  svc_config config = { .manual_clock = T_START };
  char first[32];
  t_service t;
  t_open(&t, &config);
  world_good(&t, "{\"world\":1,\"orgs\":[{\"name\":\"Acme\",\"groups\":[{\"name\":\"shop\",\"databaseUsers\":["
                 "{\"username\":\"ann\",\"databaseName\":\"admin\",\"password\":\"once-a-password\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]},"
                 "{\"username\":\"bob\",\"databaseName\":\"admin\",\"password\":\"$random\",\"roles\":[{\"roleName\":\"read\",\"databaseName\":\"a\"}]}]}]}]}");
  snprintf(first, sizeof first, "%s", t_str(&t, "secrets.bob.password"));
  munit_assert_size(strlen(first), ==, 22);
  world_good(&t, "{\"world\":1,\"orgs\":[{\"name\":\"Acme\",\"groups\":[{\"name\":\"shop\",\"databaseUsers\":["
                 "{\"username\":\"ann\",\"databaseName\":\"admin\"},{\"username\":\"bob\",\"databaseName\":\"admin\"}]}]}],\"then\":["
                 "{\"patch\":\"$shop.databaseUsers.ann\",\"body\":{\"password\":\"$random\"}},"
                 "{\"repeat\":2,\"patch\":\"$shop.databaseUsers.bob\",\"body\":{\"password\":\"$random\"}},"
                 "{\"repeat\":2,\"post\":\"$Acme/apiKeys\",\"body\":{\"desc\":\"$random\",\"roles\":[\"ORG_MEMBER\"]}}]}");
  munit_assert_size(strlen(t_str(&t, "secrets.ann.password")), ==, 22);
  munit_assert_size(strlen(t_str(&t, "secrets.bob.password")), ==, 22);
  munit_assert_string_not_equal(t_str(&t, "secrets.bob.password"), first);
  munit_assert_size(t_count(&t, "secrets"), ==, 4);
  munit_assert_not_null(strstr(t.response.body, "\"privateKey\":\""));
  munit_assert_not_null(strstr(strstr(t.response.body, "\"privateKey\":\"") + 1, "\"privateKey\":\""));
  t_close(&t);
}

/* All generated texts are reported, each one once. */
TEST(world, several_random)
{
  svc_config config = { .manual_clock = T_START };
  const char *desc;
  t_service t;
  t_open(&t, &config);
  world_good(&t, "{\"world\":1,\"orgs\":[{\"name\":\"Acme\",\"apiKeys\":[{\"desc\":\"$random\",\"as\":\"key\",\"roles\":[\"ORG_MEMBER\"]}],"
                 "\"groups\":[{\"name\":\"shop\",\"tags\":[{\"key\":\"a\",\"value\":\"$random\"},{\"key\":\"b\",\"value\":\"$random\"}]}]}]}");
  munit_assert_size(strlen(t_str(&t, "secrets.key.privateKey")), >, 0);
  munit_assert_size(strlen(t_str(&t, "secrets.key.desc")), ==, 22);
  desc = strstr(t.response.body, "\"desc\":");
  munit_assert_null(strstr(desc + 1, "\"desc\":"));
  munit_assert_size(strlen(t_str(&t, "secrets.shop.value")), ==, 22);
  munit_assert_size(strlen(t_str(&t, "secrets.shop.value-2")), ==, 22);
  munit_assert_string_not_equal(t_str(&t, "secrets.shop.value"), t_keep(&t, t_str(&t, "secrets.shop.value-2")));
  t_close(&t);
}

/* A store whose read number world_unread fails. */
static svc_store_port world_port;
static long world_reads, world_unread;

static int world_get(svc_txn *txn, svc_str key, svc_str *value)
{
  return ++world_reads == world_unread ? SVC_IO : svc_lmdb_port()->get(txn, key, value);
}

static int world_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values)
{
  return ++world_reads == world_unread ? SVC_IO : svc_lmdb_port()->get_many(txn, keys, n, values);
}

static int world_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  *n = 0;
  return ++world_reads == world_unread ? SVC_IO : svc_lmdb_port()->scan(txn, range, rows, most, n);
}

static int world_count(svc_txn *txn, svc_str key, int64_t *out)
{
  return ++world_reads == world_unread ? SVC_IO : svc_lmdb_port()->count(txn, key, out);
}

static int world_read_begin(svc_store *store, svc_txn **out)
{
  int rc = ++world_reads == world_unread ? SVC_IO : svc_lmdb_port()->read_begin(store, out);
  if (rc == SVC_OK) (*out)->port = &world_port;
  return rc;
}

/* Whichever read fails, no document is incomplete, and no existing resource is made again. */
TEST(world, unread)
{
  svc_config config = { .manual_clock = T_START, .store = &world_port };
  char text[1024];
  svc_response written;
  t_service t;
  bool failed = true;
  long n;
  int rc;
  world_port = *svc_lmdb_port();
  world_port.read_begin = world_read_begin;
  world_port.get = world_get;
  world_port.get_many = world_get_many;
  world_port.scan = world_scan;
  world_port.count = world_count;
  t_open(&t, &config);
  world_good(&t, "{\"world\":1,\"orgs\":[{\"name\":\"Acme\",\"groups\":[{\"name\":\"shop\",\"accessList\":[{\"cidrBlock\":\"10.0.0.0/8\"}]}]}]}");
  for (n = 1; failed; n++) {
    world_reads = 0;
    world_unread = n;
    rc = svc_world_write(t.s, &written);
    failed = world_reads >= n;
    world_unread = 0;
    munit_assert_int(rc, ==, failed ? SVC_IO : SVC_OK);
    svc_response_free(&written);
  }
  munit_assert_long(n, >, 50);
  for (failed = true, n = 1; failed; n++) {
    snprintf(text, sizeof text, "{\"world\":1,\"orgs\":[{\"name\":\"Acme\"}]}%*s", (int)n, ""); /* each time another document */
    world_reads = 0;
    world_unread = n;
    rc = world_load(&t, text, 0);
    failed = world_reads >= n;
    world_unread = 0;
    munit_assert_true(rc == SVC_OK ? t_int(&t, "made") == 0 : failed);
  }
  munit_assert_long(n, >, 3);
  munit_assert_size(store_whole(t.s), ==, 1);
  t_close(&t);
}

/* Loads and exports a world over HTTP, and downloads and uploads a snapshot. */
TEST(world, http)
{
  static const char token[] = "a token of test control";
  static const svc_header headers[] = { { "Authorization", "Bearer a token of test control", 0, 0 }, { "Host", "localhost", 0, 0 },
                                        { "Content-Type", "application/json", 0, 0 } };
  static const svc_header bytes[] = { { "Authorization", "Bearer a token of test control", 0, 0 }, { "Host", "localhost", 0, 0 },
                                      { "Content-Type", "application/octet-stream", 0, 0 } };
  static const char world[] = "{\"world\":1,\"orgs\":[{\"name\":\"Acme\"}]}", name[] = "{\"name\":\"a\"}";
  svc_config config = { .manual_clock = T_START };
  svc_request request = { .method = "POST", .target = "/_svc/world", .headers = headers, .header_count = 3, .peer = "127.0.0.1",
                          .body = world, .body_length = sizeof world - 1 };
  svc_response r, file;
  t_service t;
  t_open(&t, &config);
  munit_assert_int(svc_control_request(t.s, token, &request, &r), ==, SVC_OK);
  munit_assert_int(r.status, ==, 200);
  munit_assert_not_null(strstr(r.body, "\"made\":1"));
  munit_assert_string_equal(svc_response_header(&r, "Cache-Control"), "no-store");
  svc_response_free(&r);
  request.body_length = 5;
  svc_control_request(t.s, token, &request, &r);
  munit_assert_int(r.status, ==, 400);
  munit_assert_not_null(strstr(r.body, "\"errorCode\":\"MALFORMED_JSON\""));
  svc_response_free(&r);
  request.method = "GET";
  svc_control_request(t.s, token, &request, &r);
  munit_assert_not_null(strstr(r.body, "\"name\": \"Acme\""));
  svc_response_free(&r);
  request = (svc_request){ .method = "POST", .target = "/_svc/snapshots", .headers = headers, .header_count = 3, .peer = "127.0.0.1",
                           .body = name, .body_length = sizeof name - 1 };
  svc_control_request(t.s, token, &request, &r);
  munit_assert_int(r.status, ==, 201);
  svc_response_free(&r);
  request = (svc_request){ .method = "GET", .target = "/_svc/snapshots/a", .headers = headers, .header_count = 2, .peer = "127.0.0.1" };
  svc_control_request(t.s, token, &request, &file);
  munit_assert_int(file.status, ==, 200);
  munit_assert_string_equal(svc_response_header(&file, "Content-Type"), "application/octet-stream");
  request = (svc_request){ .method = "PUT", .target = "/_svc/snapshots/b", .headers = bytes, .header_count = 3, .peer = "127.0.0.1",
                           .body = file.body, .body_length = file.body_length };
  svc_control_request(t.s, token, &request, &r);
  munit_assert_int(r.status, ==, 201);
  svc_response_free(&r);
  request.body_length--;
  svc_control_request(t.s, token, &request, &r);
  munit_assert_int(r.status, ==, 400);
  munit_assert_not_null(strstr(r.body, "its checksum differs"));
  svc_response_free(&r);
  request.headers = headers;
  svc_control_request(t.s, token, &request, &r);
  munit_assert_int(r.status, ==, 415);
  svc_response_free(&r);
  request.target = "/_svc/snapshots/c%2Fd";
  request.headers = bytes;
  svc_control_request(t.s, token, &request, &r);
  munit_assert_int(r.status, ==, 400);
  svc_response_free(&r);
  request = (svc_request){ .method = "GET", .target = "/_svc/snapshots/none", .headers = headers, .header_count = 2, .peer = "127.0.0.1" };
  svc_control_request(t.s, token, &request, &r);
  munit_assert_int(r.status, ==, 404);
  svc_response_free(&r);
  svc_response_free(&file);
  t_close(&t);
}

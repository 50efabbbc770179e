/*
** Suggestions for misspelled words: a similar word is suggested, and other words are not.
*/
#include "support.h"

static const char *near_meant(const char *word)
{
  static const char *const known[] = { "name", "nodeCount", "instanceSize", "regionName", "id", "backupEnabled", NULL };
  svc_near near = svc_near_begin(svc_str_c(word));
  size_t i;
  for (i = 0; known[i]; i++) svc_near_try(&near, known[i]);
  return near.best ? near.best : "";
}

TEST(near, words)
{
  static const struct {
    const char *word, *meant;
  } rows[] = {
    { "nodecount", "nodeCount" }, { "nodeCuont", "nodeCount" }, { "instancesize", "instanceSize" }, { "instanceSizes", "instanceSize" },
    { "region", "" }, { "regionNames", "regionName" }, { "nam", "name" }, { "backupEnable", "backupEnabled" }, { "xyz", "" }, { "", "" },
    { "x", "" }, { "IDs", "id" },
    { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "" }
  };
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (strcmp(near_meant(rows[i].word), rows[i].meant) != 0) munit_errorf("%s: %s", rows[i].word, near_meant(rows[i].word));
}

/* Answers suggest fields, values, parameters and roles, name the supported methods, and say how many more violations there are. */
TEST(near, answers)
{
#define CLUSTER(rest) "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{" rest "}]}]}"
  static const struct {
    const char *method, *path, *body, *text;
  } rows[] = {
    { "POST", "/clusters", CLUSTER("\"providerName\":\"AWS\",\"regionNam\":\"US_EAST_1\""), "does not exist in this object; did you mean regionName?" },
    { "POST", "/clusters", CLUSTER("\"providerName\":\"AWS\",\"regionName\":\"US_EAST_11\",\"electableSpecs\":{\"instanceSize\":\"M10\"}"), "did you mean US_EAST_1?" },
    { "POST", "/clusters", CLUSTER("\"providerName\":\"AWSS\""), "must be AWS, AZURE, GCP or TENANT; did you mean AWS?" },
    { "GET", "/clusters?pagenum=1", NULL, "this operation has no such parameter; did you mean pageNum?" },
    { "POST", "/clusters", "[]", "\"detail\":\"The body must be a JSON object.\"" },
    { "POST", "/accessList", "{}", "\"detail\":\"The body must be a JSON array.\"" },
    { "PUT", "/clusters", "{}", "which supports GET, HEAD, POST." },
    { "POST", "/clusters", "{\"a\":1,\"b\":2,\"c\":3}", "badRequestDetail lists 5 more." },
    { "POST", "/databaseUsers", "{\"databaseName\":\"admin\",\"username\":\"u\",\"password\":\"correct horse\",\"roles\":[{\"databaseName\":\"a\",\"roleName\":\"readwrit\"}]}",
      "did you mean readWrite?" },
    { "POST", "/clusters", "{\"name\":\"C\",\"dbMajorVersion\":\"5.0\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
      "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}", "dbMajorVersion must be 6.0, 7.0 or 8.0" },
    { "POST", "/clusters", "{\"name\":\"C\",\"dbMajorVersion\":\"4.7\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
      "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}", "dbMajorVersion must be 6.0, 7.0 or 8.0" }
  };
  const svc_config config = { .limiter_off = 1 };
  const char *group;
  t_service t;
  size_t i;
  t_open(&t, &config);
  group = t_project(&t, t_organization(&t, "Acme"), "P1");
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    t_sendf(&t, rows[i].method, rows[i].body, "/groups/%s%s", group, rows[i].path);
    if (!strstr(t.response.body, rows[i].text)) munit_errorf("%s %s: %s", rows[i].method, rows[i].path, t.response.body);
  }
  t_close(&t);
}

TEST(near, echo)
{
  const svc_config config = { .limiter_off = 1 };
  static char body[200100], name[200001];
  const char *group;
  t_service t;
  memset(name, 'a', sizeof name - 1);
  snprintf(body, sizeof body, "{\"name\":\"%s\"}", name);
  t_open(&t, &config);
  group = t_project(&t, t_organization(&t, "Acme"), "P1");
  munit_assert_int(t_sendf(&t, "POST", body, "/groups/%s/clusters", group), ==, 400);
  munit_assert_size(t.response.body_length, <, 8192);
  t_close(&t);
}

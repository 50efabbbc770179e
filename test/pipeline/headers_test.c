/*
** Headers of answers: Location after a create, and the file name of a download.
*/
#include "support.h"

#define CLUSTER "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
                "\"regionName\":\"US_EAST_1\",\"electableSpecs\":{\"instanceSize\":\"M10\"}}]}]}"

/* Checks that Location is the self link of the new resource, and that this link works. */
static void headers_leads(t_place *w)
{
  static const char base[] = "/api/svc/v2";
  const char *location = t_keep(&w->t, t_get_header(&w->t, "Location")), *path = strstr(location, base);
  munit_assert_string_equal(location, t_link(&w->t, "self"));
  munit_assert_not_null(path);
  munit_assert_int(t_send(&w->t, "GET", path + sizeof base - 1, NULL), ==, 200);
  munit_assert_string_equal(t_get_header(&w->t, "Location"), "");
}

TEST(headers, location)
{
  t_place w;
  t_place_open(&w, NULL, "P1", NULL);
  munit_assert_int(t_send(&w.t, "POST", "/groups", "{\"name\":\"P2\"}"), ==, 400); /* refused: nothing was created */
  munit_assert_string_equal(t_get_header(&w.t, "Location"), "");
  munit_assert_int(t_sendf(&w.t, "POST", CLUSTER, "/groups/%s/clusters", w.group) / 100, ==, 2);
  headers_leads(&w);
  munit_assert_int(t_sendf(&w.t, "POST", "{\"databaseName\":\"admin\",\"password\":\"long enough 1\",\"roles\":[{\"databaseName\":\"admin\",\"roleName\":"
                                         "\"readAnyDatabase\"}],\"username\":\"a b/c\"}", "/groups/%s/databaseUsers", w.group), ==, 201);
  headers_leads(&w); /* also for a name that has to be percent-encoded */
  munit_assert_int(t_sendf(&w.t, "POST", "[{\"ipAddress\":\"192.0.2.1\"}]", "/groups/%s/accessList", w.group), ==, 201);
  munit_assert_string_equal(t_get_header(&w.t, "Location"), ""); /* the answer is a list of several entries */
  t_close(&w.t);
}

TEST(headers, download)
{
  t_place w;
  char host[256], name[320];
  t_place_open(&w, NULL, "P1", CLUSTER);
  t_advance(&w.t, 10);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/processes", w.group), ==, 200);
  snprintf(host, sizeof host, "%s", t_str(&w.t, "results[0].hostname"));
  t_header(&w.t, "Accept", "application/vnd.svc.2023-02-01+gzip");
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/%s/logs/db.gz", w.group, host), ==, 200);
  snprintf(name, sizeof name, "attachment; filename=\"%s_20", host);
  munit_assert_int(strncmp(t_get_header(&w.t, "Content-Disposition"), name, strlen(name)), ==, 0);
  munit_assert_int(t_sendf(&w.t, "GET", NULL, "/groups/%s/clusters/%s/logs/none.gz", w.group, host), ==, 400);
  munit_assert_string_equal(t_get_header(&w.t, "Content-Disposition"), "");
  t_close(&w.t);
}

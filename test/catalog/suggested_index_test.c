/*
** Suggested indexes: each rule of the analysis is tested with a driver's reply that was made for the rule.
*/
#include "catalog/advisor_world.h"
#include "needs.h"

T_NEEDS(suggested_index) = {
  /* advisor_reply.c puts all values into the question; each id must be a process of the cluster */
  T_UNSEEN("/performanceAdvisor/", "namespaces"),
  T_UNSEEN("/performanceAdvisor/", "processIds"),
  T_NEEDS_END
};

#define CLUSTER ADV_CLUSTER "suggestedIndexes"
#define PROCESS ADV_PROCESS "suggestedIndexes"
#define WASTEFUL(at, space, more) ADV_RAN(at, space, 100, 1000, 10, more)

static adv_world w;

/* Returns the keys of all suggestions, the highest weight first. */
static const char *suggested(const char *queries, const char *collections)
{
  static char text[8192];
  size_t i, n = 0;
  char path[64];
  t_driver_answers(&w.driver, ADV_QUERIES, queries);
  t_driver_answers(&w.driver, ADV_COLLECTIONS, collections);
  adv_good(&w, CLUSTER, "");
  text[0] = 0;
  for (i = 0; i < t_count(&w.t, "suggestedIndexes"); i++) {
    snprintf(path, sizeof path, "suggestedIndexes[%zu].index", i);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s", adv_text(&w, path));
  }
  return text;
}

/* The keys of an index are the fields compared for equality, then the sort, then the ranges, whatever their order in the query. */
TEST(suggested_index, order)
{
  adv_open(&w);
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"r\":{\"$gt\":5},\"b\":1,\"a\":{\"$in\":[1,2]}},\"sort\":[{\"z\":-1},{\"y\":1}]") "]", "[]"),
                            "[{\"a\":1},{\"b\":1},{\"z\":-1},{\"y\":1},{\"r\":1}]");
  munit_assert_not_null(strstr(w.driver.asked, "collections cluster C "));
  /* a field that is both sorted and compared is part of the sort; a field with a fixed value needs no sort */
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"r\":{\"$lt\":5},\"a\":1},\"sort\":[{\"a\":1},{\"r\":-1}]") "]", "[]"),
                            "[{\"a\":1},{\"r\":-1}]");
  /* $and is searched, $or is not */
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"$and\":[{\"a\":1},{\"$and\":[{\"b\":{\"$ne\":1}}]}],\"$or\":[{\"x\":1},{\"y\":1}]}") "]", "[]"),
                            "[{\"a\":1},{\"b\":1}]");
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"p\":{\"$near\":[1,2]}}") "]", "[]"), "");
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"$or\":[{\"x\":1}]}") "]", "[]"), "");
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{}") "]", "[]"), "");
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"_id\":1,\"a\":1}") "]", "[]"), "");
  /* already efficient */
  munit_assert_string_equal(suggested("[" ADV_RAN(00100, "s.c", 100, 10, 10, "\"filter\":{\"a\":1}") "]", "[]"), "");
  /* an object without operators is a value */
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"a\":{\"b\":1}}") "]", "[]"), "[{\"a\":1}]");
  t_close(&w.t);
}

/* Queries that differ only in values have the same shape. */
TEST(suggested_index, shapes)
{
  static const char same[] = "["
    WASTEFUL(00100, "s.c", "\"filter\":{\"a\":1,\"b\":{\"$gt\":2}}") ","
    ADV_RAN(00300, "s.c", 301, 3000, 10, "\"filter\":{\"b\":{\"$lt\":9},\"a\":\"x\"}") ","
    WASTEFUL(00200, "s.c", "\"filter\":{\"$and\":[{\"a\":{\"$eq\":5}},{\"b\":{\"$gte\":1}}]}") ","
    ADV_RAN(00400, "s.d", 500, 1, 1, "\"filter\":{\"q\":1}") "]";
  char id[32];
  adv_open(&w);
  munit_assert_string_equal(suggested(same, "[{\"namespace\":\"s.c\",\"averageBytes\":512}]"), "[{\"a\":1},{\"b\":1}]");
  munit_assert_size(t_count(&w.t, "shapes"), ==, 1);
  munit_assert_int64(t_int(&w.t, "shapes[0].count"), ==, 3);
  munit_assert_int64(t_int(&w.t, "shapes[0].avgMs"), ==, 167);
  munit_assert_int64(t_int(&w.t, "shapes[0].inefficiencyScore"), ==, 166); /* 5000 examined for 30 returned */
  munit_assert_string_equal(t_str(&w.t, "shapes[0].namespace"), "s.c");
  munit_assert_string_equal(adv_text(&w, "shapes[0].operations[0]"), "{\"predicates\":[{\"find\":{\"a\":\"x\",\"b\":{\"$lt\":9}}}],"
                            "\"stats\":{\"ms\":301,\"nReturned\":10,\"nScanned\":3000,\"ts\":1749423600}}"); /* the newest */
  munit_assert_int64(t_int(&w.t, "suggestedIndexes[0].avgObjSize"), ==, 512);
  munit_assert_string_equal(t_str(&w.t, "suggestedIndexes[0].impact[0]"), t_str(&w.t, "shapes[0].id"));
  munit_assert_string_equal(t_str(&w.t, "suggestedIndexes[0].weight"), "49.749"); /* 99, 99 and 299.996 of 1001 ms */
  snprintf(id, sizeof id, "%s", t_str(&w.t, "shapes[0].id"));
  munit_assert_size(strlen(id), ==, 24);
  adv_good(&w, PROCESS, "?nExamples=1");
  munit_assert_string_equal(t_str(&w.t, "shapes[0].id"), id); /* the same in every answer */
  munit_assert_size(t_count(&w.t, "shapes[0].operations"), ==, 1);
  adv_good(&w, PROCESS, "?nExamples=0");
  munit_assert_size(t_count(&w.t, "shapes[0].operations"), ==, 0);
  t_close(&w.t);
}

#define HAS(keys, more) "[{\"namespace\":\"s.c\",\"indexes\":[{\"name\":\"_id_\",\"keys\":[{\"_id\":1}]},{\"name\":\"i\",\"keys\":" keys more "}]}]"

/* An existing index is not suggested. */
TEST(suggested_index, existing)
{
  static const char query[] = "[" WASTEFUL(00100, "s.c", "\"filter\":{\"a\":1,\"b\":1,\"r\":{\"$gt\":1}},\"sort\":[{\"x\":1},{\"y\":-1}]") "]";
  static const char all[] = "[{\"a\":1},{\"b\":1},{\"x\":1},{\"y\":-1},{\"r\":1}]";
  adv_open(&w);
  munit_assert_string_equal(suggested(query, HAS("[{\"a\":1},{\"b\":1},{\"x\":1},{\"y\":-1},{\"r\":1}]", "")), "");
  munit_assert_size(t_count(&w.t, "shapes"), ==, 0);
  munit_assert_string_equal(suggested(query, HAS("[{\"b\":-1},{\"a\":1},{\"x\":-1},{\"y\":1},{\"r\":-1},{\"q\":1}]", "")), "");
  munit_assert_string_equal(suggested(query, HAS("[{\"a\":1},{\"b\":1},{\"x\":1},{\"y\":1},{\"r\":1}]", "")), all); /* another sort */
  munit_assert_string_equal(suggested(query, HAS("[{\"a\":1},{\"b\":1},{\"x\":1},{\"y\":-1}]", "")), all);          /* too short */
  munit_assert_string_equal(suggested(query, HAS("[{\"a\":1},{\"x\":1},{\"b\":1},{\"y\":-1},{\"r\":1}]", "")), all);
  munit_assert_string_equal(suggested(query, HAS("[{\"a\":1},{\"b\":1},{\"x\":1},{\"y\":-1},{\"r\":1}]", ",\"hidden\":true")), all);
  munit_assert_string_equal(suggested(query, HAS("[{\"a\":1},{\"b\":1},{\"x\":1},{\"y\":-1},{\"r\":1}]", ",\"options\":{\"sparse\":true}")), all);
  munit_assert_string_equal(suggested(query, HAS("[{\"a\":\"hashed\"},{\"b\":1},{\"x\":1},{\"y\":-1},{\"r\":1}]", "")), all);
  munit_assert_string_equal(suggested(query, "[{\"namespace\":\"s.d\",\"indexes\":[{\"name\":\"i\",\"keys\":[{\"a\":1},{\"b\":1},{\"x\":1},{\"y\":-1},{\"r\":1}]}]}]"), all);
  t_close(&w.t);
}

/* If one index also serves the shape of another, only that one is suggested, for both. */
TEST(suggested_index, joined)
{
  static const char queries[] = "["
    WASTEFUL(00100, "s.c", "\"filter\":{\"a\":1}") ","
    WASTEFUL(00200, "s.c", "\"filter\":{\"a\":1,\"b\":2}") ","
    WASTEFUL(00300, "s.c", "\"filter\":{\"b\":2},\"sort\":[{\"a\":-1}]") ","
    WASTEFUL(00400, "s.d", "\"filter\":{\"a\":1}") ","
    WASTEFUL(00500, "s.c", "\"filter\":{\"z\":1}") "]";
  adv_open(&w);
  munit_assert_string_equal(suggested(queries, "[]"), "[{\"a\":1},{\"b\":1}][{\"b\":1},{\"a\":-1}][{\"z\":1}][{\"a\":1}]");
  munit_assert_size(t_count(&w.t, "suggestedIndexes[0].impact"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "suggestedIndexes[0].weight"), "39.600");
  munit_assert_string_equal(t_str(&w.t, "suggestedIndexes[3].namespace"), "s.d");
  munit_assert_string_equal(t_str(&w.t, "suggestedIndexes[3].weight"), "19.800");
  munit_assert_size(t_count(&w.t, "shapes"), ==, 5);
  adv_good(&w, PROCESS, "?nIndexes=1");
  munit_assert_size(t_count(&w.t, "suggestedIndexes"), ==, 1);
  munit_assert_size(t_count(&w.t, "shapes"), ==, 2); /* only the shapes of this index */
  adv_good(&w, PROCESS, "?itemsPerPage=3&pageNum=1");
  munit_assert_size(t_count(&w.t, "suggestedIndexes"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "suggestedIndexes[0].weight"), "39.600");
  adv_good(&w, PROCESS, "?itemsPerPage=3&pageNum=2");
  munit_assert_size(t_count(&w.t, "suggestedIndexes"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "suggestedIndexes[0].namespace"), "s.d");
  adv_good(&w, PROCESS, "?nIndexes=0");
  munit_assert_size(t_count(&w.t, "suggestedIndexes"), ==, 0);
  adv_good(&w, CLUSTER, "?namespaces=s.d");
  munit_assert_size(t_count(&w.t, "suggestedIndexes"), ==, 1);
  t_close(&w.t);
}

/* Frequent, slow or inefficient queries have a higher weight. */
TEST(suggested_index, weight)
{
  adv_open(&w);
  munit_assert_string_equal(suggested("[" ADV_RAN(00100, "s.c", 100, 1000, 500, "\"filter\":{\"half\":1}") ","
                                      ADV_RAN(00100, "s.c", 100, 1000, 1, "\"filter\":{\"most\":1}") ","
                                      ADV_RAN(00100, "s.c", 40, 1000, 1, "\"filter\":{\"often\":1}") ","
                                      ADV_RAN(00200, "s.c", 40, 1000, 1, "\"filter\":{\"often\":2}") ","
                                      ADV_RAN(00300, "s.c", 40, 1000, 1, "\"filter\":{\"often\":3}") "]", "[]"),
                            "[{\"often\":1}][{\"most\":1}][{\"half\":1}]");
  t_close(&w.t);
}

TEST(suggested_index, refused)
{
  adv_open(&w);
  adv_bad(&w, "/groups/%s/clusters/D/performanceAdvisor/suggestedIndexes", "", 404, "CLUSTER_NOT_FOUND");
  adv_bad(&w, CLUSTER, "?since=1749340800001&until=1749340800000", 400, "START_DATE_AFTER_END_DATE");
  munit_assert_string_equal(t_param(&w.t, 0), "1749340800001");
  adv_bad(&w, CLUSTER, "?processIds=c.example.net:27017", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, CLUSTER, "?processIds=a:b:c", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, CLUSTER, "?namespaces=.x", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, CLUSTER, "?duration=5", 400, "INVALID_QUERY_PARAMETER"); /* a parameter of the operation on a process */
  adv_bad(&w, PROCESS, "?until=1749340800000", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, PROCESS, "?nIndexes=-1", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, PROCESS, "?nExamples=1001", 400, "INVALID_QUERY_PARAMETER");
  adv_bad(&w, PROCESS, "?pageNum=0", 400, "INVALID_QUERY_PARAMETER");
  adv_good(&w, CLUSTER, "?processIds=" ADV_OTHER "&processIds=a.example.net");
  munit_assert_not_null(strstr(w.driver.asked, "\"hosts\":[\"" ADV_OTHER "\",\"" ADV_HOST "\"]"));
  t_driver_answers(&w.driver, ADV_QUERIES, "[" ADV_RAN(00100, "s.c", 100, 1000, 1, "\"filter\":{\"a\":1},\"host\":\"" ADV_HOST "\"") "]");
  adv_good(&w, CLUSTER, "?processIds=" ADV_OTHER);
  munit_assert_size(t_count(&w.t, "suggestedIndexes"), ==, 0);
  adv_good(&w, CLUSTER, "?processIds=" ADV_HOST "&envelope=true");
  munit_assert_size(t_count(&w.t, "content.suggestedIndexes"), ==, 1);
  t_driver_answers(&w.driver, ADV_COLLECTIONS, "[{\"indexes\":[]}]");
  adv_bad(&w, CLUSTER, "", 503, "SERVICE_UNAVAILABLE");
  t_driver_answers(&w.driver, ADV_COLLECTIONS, "[{\"namespace\":\"a.b\",\"indexes\":[{\"name\":\"x\",\"keys\":[]}]}]");
  adv_bad(&w, CLUSTER, "", 503, "SERVICE_UNAVAILABLE");
  /* an unusual index is ignored */
  t_driver_answers(&w.driver, ADV_COLLECTIONS, "[{\"namespace\":\"s.c\",\"indexes\":[{\"name\":\"x\",\"keys\":[1,{}],\"options\":5}]}]");
  adv_good(&w, CLUSTER, "");
  munit_assert_size(t_count(&w.t, "suggestedIndexes"), ==, 1);
  t_close(&w.t);
}

/* Many records of different shapes: the newest records and the worst thousand shapes are analyzed. */
TEST(suggested_index, bounded)
{
  enum { MANY = 20500 };
  size_t size = (size_t)MANY * 160, n = 1;
  char *text = malloc(size);
  int i;
  adv_open(&w);
  text[0] = '[';
  for (i = 0; i < MANY; i++)
    n += (size_t)snprintf(text + n, size - n, "%s{\"at\":%lld,\"namespace\":\"s.c\",\"opType\":\"find\",\"durationMicros\":%d,\"docsExamined\":100,"
                          "\"docsReturned\":0,\"filter\":{\"f%d\":1}}", i ? "," : "", 1749400000000LL + i, 100000 + i, i);
  snprintf(text + n, size - n, "]");
  t_driver_answers(&w.driver, ADV_QUERIES, text);
  adv_good(&w, PROCESS, "?nExamples=0");
  munit_assert_size(t_count(&w.t, "suggestedIndexes"), ==, 1000);
  munit_assert_size(t_count(&w.t, "shapes"), ==, 1000);
  munit_assert_string_equal(adv_text(&w, "suggestedIndexes[0].index"), "[{\"f20499\":1}]");
  adv_good(&w, ADV_PROCESS, "slowQueryLogs");
  munit_assert_size(t_count(&w.t, "slowQueries"), ==, 20000);
  for (i = 0, n = 1; i < MANY; i++) n += (size_t)snprintf(text + n, size - n, "%s{\"namespace\":\"s.c%d\"}", i ? "," : "", i);
  snprintf(text + n, size - n, "]");
  t_driver_answers(&w.driver, ADV_QUERIES, "[]");
  t_driver_answers(&w.driver, ADV_COLLECTIONS, text);
  adv_good(&w, ADV_CLUSTER, "schemaAdvice");
  if (!strstr(w.t.response.body, "There are 20000 collections.")) munit_errorf("%.300s", w.t.response.body);
  free(text);
  t_close(&w.t);
}

/* Unusual replies about a query: invalid parts of a filter or sort are ignored. A sort that is no list makes the reply invalid. If a
** field has several conditions, the best condition counts. */
TEST(suggested_index, odd)
{
  static const struct {
    const char *said, *keys;
  } rows[] = {
    { "\"filter\":{\"$and\":[{\"a\":{\"$gt\":1}},{\"a\":5}]}", "[{\"a\":1}]" },
    { "\"filter\":{\"$and\":[{\"a\":5},{\"a\":{\"$gt\":1}}],\"b\":{\"$lt\":1}}", "[{\"a\":1},{\"b\":1}]" },
    { "\"filter\":{\"a\":{}}", "[{\"a\":1}]" }, /* equal to an empty object */
    { "\"filter\":{\"a\":{\"b\":1,\"$gt\":1}}", "[{\"a\":1}]" },
    { "\"filter\":{\"a\":{\"$near\":1,\"$gt\":1}}", "[{\"a\":1}]" },
    { "\"filter\":\"a\"", "" },
    { "\"filter\":[{\"a\":1}]", "" },
    { "\"sort\":[{\"a\":1}]", "[{\"a\":1}]" },
    { "\"filter\":{\"$and\":5,\"$or\":{\"a\":1}}", "" },
    { "\"filter\":{\"$and\":[1,\"a\",null,{\"b\":1}]}", "[{\"b\":1}]" },
    { "\"filter\":{\"a\":1},\"sort\":\"b\"", NULL }, /* the reply is invalid */
    { "\"filter\":{\"a\":1},\"sort\":{\"b\":1}", NULL },
    { "\"filter\":{\"a\":1},\"sort\":[1,{},{\"b\":\"x\"},{\"b\":2},{\"b\":1.5},{\"c\":-1},{\"c\":1},{\"d\":1}]", "[{\"a\":1},{\"c\":-1},{\"d\":1}]" },
    { "\"filter\":{\"$or\":[{\"$and\":[{\"x\":1}]}],\"y\":{\"$in\":[1]}}", "[{\"y\":1}]" },
    { "\"filter\":{\"a\":{\"$gt\":1}},\"sort\":[{\"b\":1}]", "[{\"b\":1},{\"a\":1}]" },
    { "\"filter\":{\"b\":1,\"a\":1}", "[{\"a\":1},{\"b\":1}]" }, /* in any order */
    { "\"filter\":{\"$and\":[{\"b\":1},{\"c\":1},{\"a\":1}]}", "[{\"a\":1},{\"b\":1},{\"c\":1}]" },
    /* nested too deeply: not searched */
    { "\"filter\":{\"b\":1,\"$and\":[{\"$and\":[{\"$and\":[{\"$and\":[{\"$and\":[{\"$and\":[{\"$and\":[{\"$and\":[{\"a\":1}]}]}]}]}]}]}]}]}", "[{\"b\":1}]" },
  };
  static char queries[16384], fields[1024];
  size_t i, n;
  adv_open(&w);
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const char *got;
    snprintf(queries, sizeof queries, "[" WASTEFUL(00100, "s.c", "%s") "]", rows[i].said);
    t_driver_answers(&w.driver, ADV_QUERIES, queries);
    if (!rows[i].keys) {
      adv_bad(&w, PROCESS, "", 503, "SERVICE_UNAVAILABLE");
      continue;
    }
    got = suggested(queries, "[]");
    if (strcmp(got, rows[i].keys) != 0) munit_errorf("%s: %s, not %s", rows[i].said, got, rows[i].keys);
  }
  for (i = 0, n = 0; i < 40; i++) n += (size_t)snprintf(fields + n, sizeof fields - n, "%s\"f%02zu\":1", i ? "," : "", i);
  snprintf(queries, sizeof queries, "[" WASTEFUL(00100, "s.c", "\"filter\":{%s}") "]", fields); /* more fields than the maximum of keys */
  t_driver_answers(&w.driver, ADV_QUERIES, queries);
  adv_good(&w, PROCESS, "");
  munit_assert_size(t_count(&w.t, "suggestedIndexes[0].index"), ==, 32);
  /* no key is left for the sort */
  snprintf(queries, sizeof queries, "[" WASTEFUL(00100, "s.c", "\"filter\":{%s},\"sort\":[{\"g\":-1}]") "]", fields);
  adv_good(&w, PROCESS, "");
  munit_assert_size(t_count(&w.t, "suggestedIndexes[0].index"), ==, 32);
  munit_assert_string_equal(adv_text(&w, "suggestedIndexes[0].index[31]"), "{\"f31\":1}");
  /* an existing index serves the query only if it is an ordinary one */
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"a\":1}") "]", HAS("[{\"a\":1}]", ",\"options\":{\"unique\":true}")), "");
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"a\":1}") "]", HAS("[{\"a\":1}]", ",\"options\":{\"partialFilterExpression\":{}}")), "[{\"a\":1}]");
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"a\":1}") "]", HAS("[{\"a\":0.5}]", "")), "[{\"a\":1}]");
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"a\":1}") "]", HAS("[5]", "")), "[{\"a\":1}]");
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"sort\":[{\"a\":1}]") "]", HAS("[{\"b\":1}]", "")), "[{\"a\":1}]");
  /* of several shapes, the suggestion names only those that it serves */
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"a\":1}") "," WASTEFUL(00200, "s.c", "\"filter\":{\"_id\":1,\"a\":1}") ","
                                      ADV_RAN(00300, "s.c", 100, 10, 10, "\"filter\":{\"a\":1,\"b\":1}") "," WASTEFUL(00400, "s.c", "\"filter\":{}") "]", "[]"),
                            "[{\"a\":1}]");
  munit_assert_size(t_count(&w.t, "suggestedIndexes[0].impact"), ==, 1);
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"a\":1},\"sort\":[{\"_id\":1}]") "," WASTEFUL(00200, "s.c", "\"filter\":{\"_id\":1,\"a\":1}") "]", "[]"),
                            "[{\"a\":1},{\"_id\":1}]");
  munit_assert_size(t_count(&w.t, "suggestedIndexes[0].impact"), ==, 1); /* a query for one document by its _id already has an index */
  munit_assert_string_equal(suggested("[" WASTEFUL(00100, "s.c", "\"filter\":{\"a\":1}") "," WASTEFUL(00200, "s.c", "\"filter\":{\"a\":1,\"b\":1}") "]", HAS("[{\"a\":1}]", "")),
                            "[{\"a\":1},{\"b\":1}]");
  munit_assert_size(t_count(&w.t, "suggestedIndexes[0].impact"), ==, 1); /* so has a query that an existing index serves */
  t_close(&w.t);
}

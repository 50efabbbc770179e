/*
** Suggestions to drop indexes, and advice on the schema: the rules, each with records made for it.
**
** Tests also: schema_advice
*/
#include "catalog/advisor_world.h"

#define DROP ADV_CLUSTER "dropIndexSuggestions"
#define ADVICE ADV_CLUSTER "schemaAdvice"

static adv_world w;

/* Returns the names in one list, for a collection with these indexes and that of _id. */
static const char *dropped(const char *list, const char *indexes)
{
  static char all[8192], names[1024];
  size_t i, n = 0;
  char path[64];
  snprintf(all, sizeof all, "[{\"namespace\":\"s.c\",\"indexes\":[{\"name\":\"_id_\",\"keys\":[{\"_id\":1}],\"accesses\":0,\"since\":1}%s%s]}]",
           *indexes ? "," : "", indexes);
  t_driver_answers(&w.driver, ADV_COLLECTIONS, all);
  adv_good(&w, DROP, "");
  names[0] = 0;
  for (i = 0; i < t_count(&w.t, list); i++) {
    snprintf(path, sizeof path, "%s[%zu].name", list, i);
    n += (size_t)snprintf(names + n, sizeof names - n, "%s ", t_str(&w.t, path));
  }
  return names;
}

#define INDEX(name, keys, more) "{\"name\":\"" name "\",\"keys\":" keys more "}"

TEST(drop_index, redundant)
{
  static const char two[] = INDEX("a", "[{\"a\":1}]", "") "," INDEX("ab", "[{\"a\":1},{\"b\":-1}]", "");
  adv_open(&w);
  munit_assert_string_equal(dropped("redundantIndexes", ""), "");
  munit_assert_string_equal(dropped("redundantIndexes", two), "a ");
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("a", "[{\"a\":-1}]", "") "," INDEX("ab", "[{\"a\":1},{\"b\":-1}]", "")), "");
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("b", "[{\"b\":1}]", "") "," INDEX("ab", "[{\"a\":1},{\"b\":1}]", "")), "");
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("a", "[{\"a\":1}]", ",\"options\":{\"sparse\":true}") "," INDEX("ab", "[{\"a\":1},{\"b\":1}]", "")), "");
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("a", "[{\"a\":1}]", ",\"options\":{}") "," INDEX("ab", "[{\"a\":1},{\"b\":1}]", "")), "a ");
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("a", "[{\"a\":1}]", ",\"options\":{\"sparse\":true}") ","
                                    INDEX("ab", "[{\"a\":1},{\"b\":1}]", ",\"options\":{\"sparse\":true}")), "a ");
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("a", "[{\"a\":1}]", ",\"options\":{\"unique\":true}") ","
                                    INDEX("ab", "[{\"a\":1},{\"b\":1}]", ",\"options\":{\"unique\":true}")), "");
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("a", "[{\"a\":1}]", "") "," INDEX("ab", "[{\"a\":1},{\"b\":1}]", ",\"hidden\":true")), "");
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("a", "[{\"a\":1}]", ",\"options\":5") "," INDEX("ab", "[{\"a\":1},{\"b\":1}]", "")), "");
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("a", "[{\"a\":1}]", "") "," INDEX("ab", "[{\"a\":1},{\"b\":1}]", ",\"options\":{\"sparse\":true}")), "");
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("a", "[{\"a\":1}]", ",\"options\":{\"sparse\":true}") ","
                                    INDEX("ab", "[{\"a\":1},{\"b\":1}]", ",\"options\":{\"sparse\":false}")), "");
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("five", "[5]", "") "," INDEX("ab", "[{\"a\":1},{\"b\":1}]", "")), "");
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("abc", "[{\"a\":1},{\"b\":1},{\"c\":1}]", "") "," INDEX("ab", "[{\"a\":1},{\"b\":1}]", "")), "ab ");
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("id", "[{\"_id\":1},{\"a\":1}]", "")), "");
  /* a server never has two such indexes */
  munit_assert_string_equal(dropped("redundantIndexes", INDEX("a", "[{\"a\":1}]", "") "," INDEX("again", "[{\"a\":1}]", "")), "");
  t_close(&w.t);
}

/* The test's clock is at 2025-06-09T00:00:00Z. A week before is 1748822400000. */
TEST(drop_index, unused)
{
  adv_open(&w);
  munit_assert_string_equal(dropped("unusedIndexes", INDEX("a", "[{\"a\":1}]", ",\"accesses\":0,\"since\":1748822400000")), "a ");
  munit_assert_string_equal(adv_text(&w, "unusedIndexes"), "[{\"accessCount\":0,\"index\":[{\"a\":1}],\"name\":\"a\",\"namespace\":\"s.c\","
                            "\"since\":\"2025-06-02T00:00:00Z\"}]");
  munit_assert_string_equal(dropped("unusedIndexes", INDEX("a", "[{\"a\":1}]", ",\"accesses\":0,\"since\":1748822400001")), "");
  munit_assert_string_equal(dropped("unusedIndexes", INDEX("a", "[{\"a\":1}]", ",\"accesses\":1,\"since\":1")), "");
  munit_assert_string_equal(dropped("unusedIndexes", INDEX("a", "[{\"a\":1}]", ",\"since\":1")), ""); /* unknown number of accesses */
  munit_assert_string_equal(dropped("unusedIndexes", INDEX("a", "[{\"a\":1}]", ",\"accesses\":0")), "");
  munit_assert_string_equal(dropped("unusedIndexes", INDEX("a", "[{\"a\":1}]", ",\"accesses\":0,\"since\":1,\"options\":{\"unique\":true}")), "");
  munit_assert_string_equal(dropped("unusedIndexes", INDEX("a", "[{\"a\":1}]", ",\"accesses\":0,\"since\":1,\"options\":{\"expireAfterSeconds\":9}")), "");
  munit_assert_string_equal(dropped("hiddenIndexes", INDEX("a", "[{\"a\":1}]", ",\"accesses\":0,\"since\":1,\"hidden\":true,\"sizeBytes\":5,\"shards\":[\"s0\"]")), "a ");
  munit_assert_size(t_count(&w.t, "unusedIndexes"), ==, 0); /* a hidden index is only in this list */
  munit_assert_string_equal(adv_text(&w, "hiddenIndexes[0].shards"), "[\"s0\"]");
  munit_assert_int64(t_int(&w.t, "hiddenIndexes[0].sizeBytes"), ==, 5);
  adv_bad(&w, DROP, "?namespaces=a.b", 400, "INVALID_QUERY_PARAMETER"); /* no such parameter here */
  t_driver_answers(&w.driver, ADV_COLLECTIONS, "5");
  adv_bad(&w, DROP, "", 503, "SERVICE_UNAVAILABLE");
  t_close(&w.t);
}

/* -------------------------------------------------------------------------------------------------------------- advice */

static const char *advice(const char *collections, const char *queries)
{
  t_driver_answers(&w.driver, ADV_COLLECTIONS, collections);
  t_driver_answers(&w.driver, ADV_QUERIES, queries);
  adv_good(&w, ADVICE, "");
  return adv_text(&w, "recommendations");
}

/* Checks the only recommendation: the advice, the namespace, and the trigger. Descriptions are not compared. */
#define ADVISED(what, space, why) \
  munit_assert_size(t_count(&w.t, "recommendations"), ==, 1); \
  munit_assert_string_equal(t_str(&w.t, "recommendations[0].recommendation"), what); \
  munit_assert_string_equal(t_str(&w.t, "recommendations[0].affectedNamespaces[0].namespace"), space); \
  munit_assert_string_equal(t_str(&w.t, "recommendations[0].affectedNamespaces[0].triggers[0].triggerType"), why); \
  munit_assert_string_not_equal(t_str(&w.t, "recommendations[0].description"), "")

TEST(drop_index, collections)
{
  static char text[600000];
  size_t n;
  int i;
  adv_open(&w);
  munit_assert_string_equal(advice("[{\"namespace\":\"s.c\",\"longestArray\":10000,\"largestBytes\":2097152}]", "[]"), "[]");
  advice("[{\"namespace\":\"s.c\",\"longestArray\":10001}]", "[]");
  ADVISED("AVOID_UNBOUNDED_ARRAY", "s.c", "DOCS_CONTAIN_UNBOUNDED_ARRAY");
  advice("[{\"namespace\":\"s.c\",\"largestBytes\":2097153}]", "[]");
  ADVISED("REDUCE_DOCUMENT_SIZE", "s.c", "DOC_SIZE_TOO_LARGE");
  munit_assert_string_equal(t_str(&w.t, "recommendations[0].affectedNamespaces[0].triggers[0].description"), "A document has 2097153 bytes.");
  n = (size_t)snprintf(text, sizeof text, "[{\"namespace\":\"s.c\",\"indexes\":[");
  for (i = 0; i < 20; i++) n += (size_t)snprintf(text + n, sizeof text - n, "%s{\"name\":\"i%d\",\"keys\":[{\"f%d\":1}]}", i ? "," : "", i, i);
  snprintf(text + n, sizeof text - n, "]}]");
  advice(text, "[]");
  ADVISED("REMOVE_UNNECESSARY_INDEXES", "s.c", "NUM_INDEXES");
  n = 1;
  text[0] = '[';
  for (i = 0; i < 10001; i++) n += (size_t)snprintf(text + n, sizeof text - n, "%s{\"namespace\":\"s.c%d\"}", i ? "," : "", i);
  snprintf(text + n, sizeof text - n, "]");
  advice(text, "[]");
  ADVISED("REDUCE_NUMBER_OF_NAMESPACES", "", "NUMBER_OF_NAMESPACES");
  munit_assert_null(t_node(&w.t, "recommendations[0].affectedNamespaces[0].namespace")); /* no single collection */
  t_close(&w.t);
}

TEST(drop_index, queries)
{
  adv_open(&w);
  munit_assert_string_equal(advice("[]", "[" ADV_RAN(00100, "s.c", 1, 1, 1, "\"lookup\":true") "," ADV_RAN(00100, "s.c", 1, 1, 1, "\"count\":10") "]"), "[]");
  advice("[]", "[" ADV_RAN(00100, "s.c", 1, 1, 1, "\"lookup\":true") "," ADV_RAN(00100, "s.c", 1, 1, 1, "\"count\":9") ","
         ADV_RAN(00100, "s.d", 1, 1, 1, "\"count\":9") "]");
  ADVISED("REDUCE_LOOKUP_OPS", "s.c", "PERCENT_QUERIES_USE_LOOKUP");
  munit_assert_size(t_count(&w.t, "recommendations[0].affectedNamespaces"), ==, 1);
  advice("[]", "[" ADV_RAN(00100, "s.c", 1, 1, 1, "\"lookup\":true,\"count\":100") "," ADV_RAN(00100, "s.c", 1, 1, 1, "\"count\":9000") "]");
  ADVISED("REDUCE_LOOKUP_OPS", "s.c", "NUMBER_OF_QUERIES_USE_LOOKUP");
  munit_assert_size(t_count(&w.t, "recommendations[0].affectedNamespaces[0].triggers"), ==, 1);
  advice("[]", "[" ADV_RAN(00100, "s.c", 1, 1, 1, "\"filter\":{\"a\":{\"$regex\":\"^x\",\"$options\":\"si\"}}") "]");
  ADVISED("OPTIMIZE_CASE_INSENSITIVE_REGEX_QUERIES", "s.c", "QUERIES_CONTAIN_CASE_INSENSITIVE_REGEX");
  advice("[]", "[" ADV_RAN(00100, "s.c", 1, 1, 1, "\"filter\":{\"$or\":[{\"a\":{\"$regex\":\"x\",\"$options\":\"i\"}}]}") "]");
  ADVISED("OPTIMIZE_TEXT_QUERIES", "s.c", "QUERIES_CONTAIN_CASE_INSENSITIVE_REGEX");
  munit_assert_string_equal(advice("[]", "[" ADV_RAN(00100, "s.c", 1, 1, 1, "\"filter\":{\"a\":{\"$regex\":\"x\",\"$options\":\"m\"}}") "]"), "[]");
  munit_assert_string_equal(advice("[]", "[" ADV_RAN(00100, "s.c", 1, 1, 1, "\"filter\":{\"a\":{\"$regex\":5,\"$options\":\"i\"}}") "]"), "[]");
  munit_assert_string_equal(advice("[]", "[" ADV_RAN(00100, "s.c", 1, 1, 1, "\"filter\":{\"a\":{\"$regex\":\"x\"}}") "]"), "[]");
  /* nested too deeply: not searched */
  munit_assert_string_equal(advice("[]", "[" ADV_RAN(00100, "s.c", 1, 1, 1, "\"filter\":[[[[[[[[{\"a\":{\"$regex\":\"x\",\"$options\":\"i\"}}]]]]]]]]") "]"), "[]");
  advice("[{\"namespace\":\"s.c\",\"longestArray\":10001},{\"namespace\":\"s.d\",\"longestArray\":10002}]", "[]");
  munit_assert_size(t_count(&w.t, "recommendations"), ==, 1);
  munit_assert_size(t_count(&w.t, "recommendations[0].affectedNamespaces"), ==, 2);
  advice("[{\"namespace\":\"s.c\",\"longestArray\":10001}]", "[" ADV_RAN(00100, "s.c", 1, 1, 1, "\"lookup\":true") "]");
  munit_assert_size(t_count(&w.t, "recommendations"), ==, 2);
  t_driver_answers(&w.driver, ADV_QUERIES, "{}");
  adv_bad(&w, ADVICE, "", 503, "SERVICE_UNAVAILABLE");
  t_close(&w.t);
}

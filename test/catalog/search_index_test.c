/*
** Search indexes: both families of paths, access by id and by name, their states by the clock and by a driver, and every
** rule for definitions.
*/
#include "driver.h"

#define CLUSTER \
  "{\"name\":\"C\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"electableSpecs\":{\"instanceSize\":" \
  "\"M10\"},\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"}]}]}"
#define INDEX(name, more) "{\"collectionName\":\"movies\",\"database\":\"shop\",\"name\":\"" name "\"," more "}"
#define TEXT(definition) INDEX("default", "\"definition\":" definition)
#define DYNAMIC TEXT("{\"mappings\":{\"dynamic\":true}}")
#define VECTOR(fields) INDEX("v", "\"type\":\"vectorSearch\",\"definition\":{\"fields\":[" fields "]}")
#define COMPARED "{\"type\":\"vector\",\"path\":\"p\",\"numDimensions\":1536,\"similarity\":\"cosine\"}"

typedef struct search_world {
  t_service t;
  const char *org, *group, *id;
} search_world;

static void open_world(search_world *w, const svc_config *changes)
{
  memset(w, 0, sizeof *w);
  t_open(&w->t, changes);
  w->org = t_organization(&w->t, "Acme");
  w->group = t_project(&w->t, w->org, "P1");
  munit_assert_int(t_sendf(&w->t, "POST", CLUSTER, "/groups/%s/clusters", w->group), ==, 201);
  if (!w->t.s->config.driver) t_collection(&w->t, w->group, "C", "shop", "movies");
}

static int call(search_world *w, const char *method, const char *tail, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/clusters/C%s", w->group, tail);
}

static int one(search_world *w, const char *method, const char *family, const char *body)
{
  return t_sendf(&w->t, method, body, "/groups/%s/clusters/C/%s/indexes/%s", w->group, family, w->id);
}

static void make(search_world *w, const char *body)
{
  int status = call(w, "POST", "/search/indexes", body);
  if (status != 201) munit_errorf("%d %s", status, w->t.response.body);
  w->id = t_keep(&w->t, t_str(&w->t, "indexID"));
}

static void expect(search_world *w, int status, int wanted, const char *code)
{
  if (status != wanted) munit_errorf("%d, not %d: %s", status, wanted, w->t.response.body);
  munit_assert_string_equal(t_error(&w->t), code);
}

static void expect_state(search_world *w, const char *status, const char *old)
{
  munit_assert_int(one(w, "GET", "search", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "status"), status);
  munit_assert_int(one(w, "GET", "fts", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "status"), old);
}

static bool told(search_world *w, const char *type)
{
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/events?clusterNames=C&eventType=%s", w->group, type), ==, 200);
  return t_int(&w->t, "totalCount") > 0;
}

TEST(search_index, states)
{
  svc_config config = { .provision_ms = 100000 };
  search_world w;
  open_world(&w, &config);
  t_advance(&w.t, 100);
  make(&w, DYNAMIC);
  munit_assert_string_equal(t_str(&w.t, "type"), "search");
  munit_assert_string_equal(t_str(&w.t, "latestDefinition.analyzer"), "lucene.standard");
  munit_assert_int64(t_int(&w.t, "latestDefinition.numPartitions"), ==, 1);
  munit_assert_int64(t_int(&w.t, "latestDefinitionVersion.version"), ==, 1);
  munit_assert_size(t_count(&w.t, "statusDetail"), ==, 3);
  munit_assert_string_equal(t_str(&w.t, "queryable"), "false");
  munit_assert_null(t_node(&w.t, "definition"));
  expect_state(&w, "PENDING", "IN_PROGRESS");
  t_advance(&w.t, 5);
  expect_state(&w, "BUILDING", "IN_PROGRESS");
  t_advance(&w.t, 30);
  expect_state(&w, "READY", "STEADY");
  munit_assert_int(one(&w, "GET", "search", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "queryable"), "true");
  munit_assert_string_equal(t_str(&w.t, "statusDetail[0].mainIndex.status"), "READY");
  munit_assert_null(t_node(&w.t, "statusDetail[0].stagedIndex"));
  munit_assert_not_null(strstr(t_str(&w.t, "statusDetail[2].hostname"), "-shard-00-02."));
  munit_assert_null(strchr(t_str(&w.t, "statusDetail[2].hostname"), ':'));
  munit_assert_true(told(&w, "FTS_INDEX_CREATED") && told(&w, "FTS_INDEX_BUILD_COMPLETE"));

  /* while a new version is built, the previous one answers queries */
  munit_assert_int(one(&w, "PATCH", "search", "{\"definition\":{\"mappings\":{\"dynamic\":true},\"numPartitions\":2}}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "status"), "BUILDING");
  munit_assert_string_equal(t_str(&w.t, "queryable"), "true");
  munit_assert_int64(t_int(&w.t, "latestDefinitionVersion.version"), ==, 2);
  munit_assert_int64(t_int(&w.t, "statusDetail[0].mainIndex.definitionVersion.version"), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "statusDetail[0].mainIndex.status"), "READY");
  munit_assert_int64(t_int(&w.t, "statusDetail[0].stagedIndex.definitionVersion.version"), ==, 2);
  munit_assert_string_equal(t_str(&w.t, "statusDetail[0].stagedIndex.status"), "BUILDING");
  munit_assert_true(told(&w, "FTS_INDEX_UPDATED"));
  t_advance(&w.t, 30);
  expect_state(&w, "READY", "STEADY");
  /* the same definition is no change */
  munit_assert_int(one(&w, "PATCH", "search", "{\"definition\":{\"numPartitions\":2,\"mappings\":{\"dynamic\":true}}}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "status"), "READY");
  munit_assert_int64(t_int(&w.t, "latestDefinitionVersion.version"), ==, 2);

  munit_assert_int(one(&w, "DELETE", "search", NULL), ==, 204);
  munit_assert_int(one(&w, "GET", "search", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "status"), "DELETING");
  expect_state(&w, "DELETING", "IN_PROGRESS");
  expect(&w, one(&w, "DELETE", "fts", NULL), 404, "RESOURCE_NOT_FOUND");
  expect(&w, one(&w, "DELETE", "search", NULL), 404, "RESOURCE_NOT_FOUND");
  expect(&w, one(&w, "PATCH", "search", "{\"definition\":{\"mappings\":{\"dynamic\":true}}}"), 404, "RESOURCE_NOT_FOUND");
  t_advance(&w.t, 10);
  expect(&w, one(&w, "GET", "search", NULL), 404, "RESOURCE_NOT_FOUND");
  munit_assert_true(told(&w, "FTS_INDEX_DELETED") && told(&w, "FTS_INDEX_CLEANED_UP"));
  t_close(&w.t);
}

TEST(search_index, keys)
{
  search_world w;
  const char *id;
  open_world(&w, NULL);
  make(&w, DYNAMIC);
  id = w.id;
  expect(&w, call(&w, "POST", "/search/indexes", DYNAMIC), 409, "SEARCH_DUPLICATE_INDEX");
  munit_assert_string_equal(t_param(&w.t, 0), "default");
  munit_assert_string_equal(t_param(&w.t, 1), "shop.movies");
  t_collection(&w.t, w.group, "C", "shop", "a/b c");
  make(&w, "{\"collectionName\":\"a/b c\",\"database\":\"shop\",\"name\":\"default\",\"definition\":{\"mappings\":{\"dynamic\":true}}}");
  munit_assert_int(call(&w, "GET", "/search/indexes/shop/a%2Fb%20c/default", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "indexID"), w.id);
  munit_assert_int(call(&w, "GET", "/search/indexes/shop/movies/default", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "indexID"), id);
  munit_assert_int(call(&w, "GET", "/search/indexes/shop/movies", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "[0].indexID"), id);
  munit_assert_int(call(&w, "GET", "/fts/indexes/shop/a%2Fb%20c", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 1);
  munit_assert_string_equal(t_str(&w.t, "[0].indexID"), w.id);
  munit_assert_int(call(&w, "GET", "/search/indexes/shop/nobody", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 0);
  munit_assert_int(call(&w, "GET", "/search/indexes", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 2);
  munit_assert_int(call(&w, "PATCH", "/search/indexes/shop/movies/default", "{\"definition\":{\"mappings\":{\"dynamic\":true},\"analyzer\":\"lucene.english\"}}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "latestDefinition.analyzer"), "lucene.english");
  expect(&w, call(&w, "PATCH", "/search/indexes/shop/movies/default", "{\"name\":\"other\"}"), 400, "ATTRIBUTE_READ_ONLY");
  munit_assert_int(call(&w, "DELETE", "/search/indexes/shop/movies/default", NULL), ==, 204);
  t_advance(&w.t, 10);
  expect(&w, call(&w, "GET", "/search/indexes/shop/movies/default", NULL), 404, "RESOURCE_NOT_FOUND");
  t_close(&w.t);
}

/* An index created in one family is the same resource in the other. */
TEST(search_index, families)
{
  search_world w;
  open_world(&w, NULL);
  munit_assert_int(call(&w, "POST", "/fts/indexes", INDEX("old", "\"mappings\":{\"fields\":{\"t\":{\"type\":\"string\"}}},\"analyzer\":\"lucene.french\"")), ==, 201);
  w.id = t_keep(&w.t, t_str(&w.t, "indexID"));
  munit_assert_string_equal(t_str(&w.t, "status"), "IN_PROGRESS");
  munit_assert_string_equal(t_str(&w.t, "analyzer"), "lucene.french");
  munit_assert_not_null(strstr(t_link(&w.t, "self"), "/fts/indexes/"));
  munit_assert_int(one(&w, "GET", "search", NULL), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "latestDefinition.analyzer"), "lucene.french");
  munit_assert_string_equal(t_str(&w.t, "latestDefinition.mappings.fields.t.type"), "string");
  munit_assert_not_null(strstr(t_link(&w.t, "self"), "/search/indexes/"));
  t_advance(&w.t, 10);
  munit_assert_int(one(&w, "PATCH", "fts", "{\"searchAnalyzer\":\"lucene.simple\"}"), ==, 200);
  munit_assert_string_equal(t_str(&w.t, "analyzer"), "lucene.french");
  munit_assert_string_equal(t_str(&w.t, "searchAnalyzer"), "lucene.simple");
  munit_assert_string_equal(t_str(&w.t, "status"), "IN_PROGRESS");
  munit_assert_int(one(&w, "GET", "search", NULL), ==, 200);
  munit_assert_int64(t_int(&w.t, "latestDefinitionVersion.version"), ==, 2);
  expect(&w, one(&w, "PATCH", "fts", "{\"analyzer\":\"nobody\"}"), 400, "INVALID_ENUM_VALUE");
  munit_assert_true(t_violation(&w.t, "analyzer"));
  munit_assert_int(one(&w, "PATCH", "fts", "{\"type\":\"vectorSearch\"}"), ==, 400);
  munit_assert_true(t_violation(&w.t, "type"));
  munit_assert_int(call(&w, "POST", "/fts/indexes", INDEX("v", "\"type\":\"vectorSearch\",\"fields\":[" COMPARED "]")), ==, 201);
  munit_assert_string_equal(t_str(&w.t, "fields[0].similarity"), "cosine");
  munit_assert_int(one(&w, "DELETE", "fts", NULL), ==, 204);
  t_close(&w.t);
}

#define ANALYZER(name, more) "\"analyzers\":[{\"name\":\"" name "\",\"tokenizer\":{\"type\":\"standard\"}" more "}]"
#define MAPPED(field) "{\"mappings\":{\"fields\":{\"a\":" field "}}}"
#define NESTED(inside) "{\"type\":\"document\",\"fields\":{\"a\":" inside "}}"

TEST(search_index, definitions)
{
  static const struct {
    const char *body, *field;
  } bad[] = {
    { INDEX("default", "\"type\":\"search\""), "definition" },
    { TEXT("{}"), "definition.mappings" },
    { TEXT("{\"mappings\":{}}"), "definition.mappings" },
    { TEXT("{\"mappings\":{\"dynamic\":false,\"fields\":{}}}"), "definition.mappings" },
    { TEXT("{\"mappings\":{\"dynamic\":1}}"), "definition.mappings.dynamic" },
    { TEXT("{\"mappings\":{\"dynamic\":{\"typeSet\":\"x\"}}}"), "definition.mappings.dynamic" },
    { TEXT(MAPPED("1")), "definition.mappings.fields.a" },
    { TEXT(MAPPED("{}")), "definition.mappings.fields.a.type" },
    { TEXT(MAPPED("{\"type\":\"text\"}")), "definition.mappings.fields.a.type" },
    { TEXT(MAPPED("[{\"type\":\"string\"},{\"type\":\"x\"}]")), "definition.mappings.fields.a[1].type" },
    { TEXT(MAPPED("{\"type\":\"string\",\"analyzer\":\"mine\"}")), "definition.mappings.fields.a.analyzer" },
    { TEXT(MAPPED("{\"type\":\"string\",\"analyzer\":5}")), "definition.mappings.fields.a.analyzer" },
    { TEXT(MAPPED("{\"type\":\"document\",\"fields\":[]}")), "definition.mappings.fields.a.fields" },
    { TEXT(MAPPED(NESTED("{\"type\":\"x\"}"))), "definition.mappings.fields.a.fields.a.type" },
    { TEXT(MAPPED(NESTED(NESTED(NESTED(NESTED(NESTED(NESTED(NESTED(NESTED("{\"type\":\"string\"}")))))))))),
      "definition.mappings.fields.a.fields.a.fields.a.fields.a.fields.a.fields.a.fields.a.fields.a.fields" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"analyzer\":\"lucene.klingon\"}"), "definition.analyzer" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"searchAnalyzer\":\"mine\"}"), "definition.searchAnalyzer" },
    { TEXT("{\"mappings\":{\"dynamic\":true}," ANALYZER("lucene.mine", "") "}"), "definition.analyzers[0].name" },
    { TEXT("{\"mappings\":{\"dynamic\":true}," ANALYZER("mine", ",\"tokenFilters\":[{\"type\":\"x\"}]") "}"),
      "definition.analyzers[0].tokenFilters[0].type" },
    { TEXT("{\"mappings\":{\"dynamic\":true}," ANALYZER("mine", ",\"charFilters\":[7]") "}"),
      "definition.analyzers[0].charFilters[0]" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"analyzers\":[{\"name\":\"m\",\"tokenizer\":{\"type\":\"x\"}}]}"),
      "definition.analyzers[0].tokenizer.type" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"analyzers\":[{\"name\":\"m\",\"tokenizer\":{\"type\":\"standard\"}},{\"name\":\"m\","
           "\"tokenizer\":{\"type\":\"standard\"}}]}"), "definition.analyzers[1].name" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"synonyms\":[{\"name\":\"s\",\"analyzer\":\"mine\",\"source\":{\"collection\":\"c\"}}]}"),
      "definition.synonyms[0].analyzer" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"synonyms\":[{\"name\":\"s\",\"analyzer\":\"lucene.english\"}]}"),
      "definition.synonyms[0].source" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"typeSets\":[{\"name\":\"s\",\"types\":[{\"type\":\"x\"}]}]}"),
      "definition.typeSets[0].types[0].type" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"numPartitions\":3}"), "definition.numPartitions" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"storedSource\":5}"), "definition.storedSource" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"storedSource\":{}}"), "definition.storedSource" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"storedSource\":{\"include\":\"a\"}}"), "definition.storedSource.include" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"storedSource\":{\"only\":[\"a\"]}}"), "definition.storedSource.only" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"storedSource\":{\"include\":[\"a\"],\"exclude\":[\"b\"]}}"), "definition.storedSource" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"storedSource\":{\"exclude\":[\"a\",5]}}"), "definition.storedSource.exclude[1]" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"analyzer\":5}"), "definition.analyzer" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"storedSource\":{\"include\":[1]}}"), "definition.storedSource.include[0]" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"storedSource\":{\"include\":[\"a\"],\"zzBogus\":1}}"), "definition.storedSource.zzBogus" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"zzBogus\":1}"), "definition.zzBogus" },
    { TEXT("{\"mappings\":{\"dynamic\":true,\"zzBogus\":1}}"), "definition.mappings.zzBogus" },
    { TEXT("{\"mappings\":{\"dynamic\":{\"typeSet\":\"s\",\"zzBogus\":1}},\"typeSets\":[{\"name\":\"s\",\"types\":[{\"type\":\"string\"}]}]}"),
      "definition.mappings.dynamic.zzBogus" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"sort\":{\"a\":{\"order\":1,\"zzBogus\":1}}}"), "definition.sort.a.zzBogus" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"sort\":{\"a\":{\"noData\":\"lowest\"}}}"), "definition.sort.a.order" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"sort\":{\"a\":{\"order\":2}}}"), "definition.sort.a.order" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"synonyms\":[{\"name\":\"s\",\"analyzer\":\"lucene.english\",\"source\":"
           "{\"collection\":\"c\",\"zzBogus\":1}}]}"), "definition.synonyms[0].source.zzBogus" },
    { TEXT("{\"mappings\":{\"dynamic\":true},\"storedSource\":{\"include\":[],\"exclude\":[]}}"), "definition.storedSource" },
    { VECTOR(""), "definition.fields" },
    { VECTOR("{\"type\":\"filter\",\"path\":\"p\"}"), "definition.fields" },
    { VECTOR("{\"type\":\"vector\",\"path\":\"p\",\"similarity\":\"cosine\"}"), "definition.fields[0].numDimensions" },
    { VECTOR("{\"type\":\"vector\",\"path\":\"p\",\"numDimensions\":0,\"similarity\":\"cosine\"}"), "definition.fields[0].numDimensions" },
    { VECTOR("{\"type\":\"vector\",\"path\":\"p\",\"numDimensions\":9000,\"similarity\":\"cosine\"}"), "definition.fields[0].numDimensions" },
    { VECTOR("{\"type\":\"vector\",\"path\":\"p\",\"numDimensions\":3,\"similarity\":\"x\"}"), "definition.fields[0].similarity" },
    { VECTOR("{\"type\":\"vector\",\"numDimensions\":3,\"similarity\":\"cosine\"}"), "definition.fields[0].path" },
    { VECTOR("{\"type\":\"x\",\"path\":\"p\"}"), "definition.fields[0].type" },
    { VECTOR(COMPARED "," COMPARED), "definition.fields[1].path" },
    { VECTOR(COMPARED ",{\"type\":\"filter\",\"path\":\"q\",\"zzBogus\":1}"), "definition.fields[1].zzBogus" },
    { VECTOR(COMPARED ",{\"type\":\"filter\",\"path\":\"q\",\"similarity\":\"cosine\"}"), "definition.fields[1].similarity" },
    { INDEX("v", "\"type\":\"vectorSearch\",\"definition\":{\"mappings\":{\"dynamic\":true}}"), "definition.mappings" },
  };
  search_world w;
  size_t i;
  open_world(&w, NULL);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    int status = call(&w, "POST", "/search/indexes", bad[i].body);
    if (status != 400 || !t_violation(&w.t, bad[i].field)) munit_errorf("%s: %d %s", bad[i].body, status, w.t.response.body);
  }
  munit_assert_int(call(&w, "GET", "/search/indexes", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 0);
  make(&w, TEXT("{\"mappings\":{\"dynamic\":{\"typeSet\":\"s\"},\"fields\":{\"a\":[{\"type\":\"string\",\"analyzer\":\"mine\"},{\"type\":"
                "\"token\"}]}},\"analyzer\":\"mine\"," ANALYZER("mine", ",\"tokenFilters\":[{\"type\":\"lowercase\"}]")
                ",\"typeSets\":[{\"name\":\"s\",\"types\":[{\"type\":\"string\"}]}],\"storedSource\":{\"include\":[\"a\"]}}"));
  /* the formats of fields, analyzers and type sets are open: more members are kept */
  make(&w, INDEX("open", "\"definition\":{\"mappings\":{\"dynamic\":{\"typeSet\":\"s\"},\"fields\":{\"a\":{\"type\":\"document\",\"more\":1,"
                         "\"dynamic\":{\"typeSet\":\"s\",\"more\":2}}}}," ANALYZER("mine", ",\"charFilters\":[{\"type\":\"mapping\",\"more\":3}]")
                         ",\"typeSets\":[{\"name\":\"s\",\"types\":[{\"type\":\"string\",\"more\":4}]}],\"sort\":{\"a\":-1,\"b\":{\"order\":1,"
                         "\"noData\":\"lowest\"}},\"storedSource\":{\"exclude\":[]}}"));
  munit_assert_int64(t_int(&w.t, "latestDefinition.mappings.fields.a.more"), ==, 1);
  munit_assert_int64(t_int(&w.t, "latestDefinition.mappings.fields.a.dynamic.more"), ==, 2);
  munit_assert_int64(t_int(&w.t, "latestDefinition.analyzers[0].charFilters[0].more"), ==, 3);
  munit_assert_int64(t_int(&w.t, "latestDefinition.typeSets[0].types[0].more"), ==, 4);
  munit_assert_string_equal(t_str(&w.t, "latestDefinition.sort.b.noData"), "lowest");
  expect(&w, call(&w, "POST", "/fts/indexes", INDEX("t", "\"mappings\":{\"dynamic\":true,\"zzBogus\":1}")), 400, "INVALID_ATTRIBUTE");
  munit_assert_string_equal(t_param(&w.t, 0), "mappings.zzBogus");
  expect(&w, call(&w, "POST", "/fts/indexes", INDEX("t", "\"mappings\":{\"dynamic\":true},\"sort\":{\"a\":{\"order\":1,\"zzBogus\":1}}")), 400,
         "INVALID_ATTRIBUTE");
  munit_assert_string_equal(t_param(&w.t, 0), "sort.a.zzBogus");
  make(&w, INDEX("deep", "\"definition\":" MAPPED(NESTED(NESTED(NESTED(NESTED(NESTED(NESTED(NESTED("{\"type\":\"string\"}"))))))))));
  make(&w, INDEX("second", "\"definition\":{\"mappings\":{\"dynamic\":true},\"analyzer\":\"two\",\"numPartitions\":4,\"analyzers\":[{\"name\":\"one\","
                           "\"tokenizer\":{\"type\":\"standard\"}},{\"name\":\"two\",\"tokenizer\":{\"type\":\"standard\"}}]}"));
  munit_assert_string_equal(t_str(&w.t, "latestDefinition.analyzer"), "two");
  munit_assert_int64(t_int(&w.t, "latestDefinition.numPartitions"), ==, 4);
  make(&w, VECTOR(COMPARED ",{\"type\":\"filter\",\"path\":\"q\"}"));
  munit_assert_int64(t_int(&w.t, "latestDefinition.fields[0].numDimensions"), ==, 1536);
  t_close(&w.t);
}

/* A too large definition is refused on both families of paths. A cluster has at most 200 indexes. */
TEST(search_index, bounds)
{
  static char body[40000];
  search_world w;
  size_t n, i, most;
  open_world(&w, NULL);
  t_collection(&w.t, w.group, "C", "d", "c");
  for (most = 300; most <= 900; most += 600) {
    n = (size_t)snprintf(body, sizeof body, "{\"collectionName\":\"c\",\"database\":\"d\",\"name\":\"n\",\"definition\":{\"mappings\":{\"fields\":{");
    for (i = 0; i < most; i++) n += (size_t)snprintf(body + n, sizeof body - n, "%s\"f%05zu\":{\"type\":\"string\"}", i ? "," : "", i);
    snprintf(body + n, sizeof body - n, "}}}}");
    munit_assert_int(call(&w, "POST", "/search/indexes", body), ==, most == 300 ? 201 : 400);
  }
  munit_assert_true(t_violation(&w.t, "definition"));
  /* the older shape */
  n = (size_t)snprintf(body, sizeof body, "{\"collectionName\":\"c\",\"database\":\"d\",\"name\":\"old\",\"mappings\":{\"fields\":{");
  for (i = 0; i < 900; i++) n += (size_t)snprintf(body + n, sizeof body - n, "%s\"f%05zu\":{\"type\":\"string\"}", i ? "," : "", i);
  snprintf(body + n, sizeof body - n, "}}}");
  munit_assert_int(call(&w, "POST", "/fts/indexes", body), ==, 400);
  munit_assert_true(t_violation(&w.t, "mappings"));
  for (i = 1; i < 200; i++) {
    snprintf(body, sizeof body, "{\"collectionName\":\"c\",\"database\":\"d\",\"name\":\"n%zu\",\"definition\":{\"mappings\":{\"dynamic\":true}}}", i);
    munit_assert_int(call(&w, "POST", "/search/indexes", body), ==, 201);
  }
  expect(&w, call(&w, "POST", "/search/indexes", DYNAMIC), 403, "TOO_MANY_RESOURCES");
  munit_assert_string_equal(t_param(&w.t, 0), "200");
  munit_assert_int(call(&w, "GET", "/search/indexes", NULL), ==, 200);
  munit_assert_size(t_count(&w.t, ""), ==, 200);
  t_close(&w.t);
}

TEST(search_index, driver)
{
  t_driver d;
  svc_config config = { .driver = t_driver_init(&d) };
  search_world w;
  open_world(&w, &config);
  t_driver_finish(&d, w.t.s, "cluster.create", SVC_OK, NULL);
  make(&w, DYNAMIC);
  munit_assert_size(t_count(&w.t, "statusDetail"), ==, 0);
  t_advance(&w.t, 60);
  munit_assert_int(svc_tick(w.t.s), ==, SVC_OK);
  munit_assert_not_null(strstr(t_driver_order(&d, "index.build")->desired, "\"latestDefinition\":{"));
  expect_state(&w, "BUILDING", "IN_PROGRESS");
  t_driver_finish(&d, w.t.s, "index.build", SVC_IO, "{\"reason\":\"no\"}");
  expect_state(&w, "FAILED", "FAILED");
  munit_assert_true(told(&w, "FTS_INDEX_BUILD_FAILED"));
  munit_assert_int(one(&w, "DELETE", "search", NULL), ==, 204);
  t_driver_finish(&d, w.t.s, "index.drop", SVC_OK, NULL);
  expect(&w, one(&w, "GET", "search", NULL), 404, "RESOURCE_NOT_FOUND");
  t_close(&w.t);
}

/*
** The known collections of a cluster: their sources, their order, and their maximum number.
*/
#include "catalog/monitoring/process_parts.h"
#include "support.h"

typedef struct names_world {
  t_service t;
  const char *group, *id;
  char list[16384]; /* the known collections, separated by spaces */
  size_t count;
} names_world;

#define ONE "/groups/%s/clusters/C"
#define ZONE "{\"zoneName\":\"East\",\"regionConfigs\":[{\"providerName\":\"AWS\",\"regionName\":\"US_EAST_1\"," \
             "\"electableSpecs\":{\"instanceSize\":\"M30\"}}]}"

static void names_good(names_world *w, const char *path, const char *body, int status)
{
  if (t_sendf(&w->t, "POST", body, path, w->group) != status) munit_error(w->t.response.body);
}

static void names_cluster(names_world *w)
{
  names_good(w, "/groups/%s/clusters", "{\"name\":\"C\",\"clusterType\":\"GEOSHARDED\",\"replicationSpecs\":[" ZONE "]}", 201);
  w->id = t_keep(&w->t, t_str(&w->t, "id"));
  t_advance(&w->t, 20);
}

static void names_open(names_world *w)
{
  t_open(&w->t, NULL);
  w->group = t_project(&w->t, t_organization(&w->t, "Acme"), "P1");
  names_cluster(w);
}

/* Returns the collections known now, read in a transaction like that of a request. */
static const char *names_known(names_world *w)
{
  svc *s = w->t.s;
  svc_node *array = NULL, *one;
  svc_entity cluster;
  svc_arena arena;
  svc_id group, id;
  svc_call c;
  svc_txn *txn;
  t_send(&w->t, "GET", "", NULL); /* completes all due steps */
  munit_assert_true(svc_id_parse(svc_str_c(w->group), &group) && svc_id_parse(svc_str_c(w->id), &id));
  munit_assert_int(s->commit.port->read_begin(s->commit.store, &txn), ==, SVC_OK);
  svc_service_call(&c, s, &arena, txn, w->t.now);
  munit_assert_int(svc_entity_get(txn, CLUSTER_KIND, &group, &id, &cluster), ==, SVC_OK);
  munit_assert_true(svc_namespaces_known(&c, &cluster, &array));
  w->list[0] = 0;
  w->count = svc_node_count(array);
  for (one = array->first; one; one = one->next)
    snprintf(w->list + strlen(w->list), sizeof w->list - strlen(w->list), "%s" SVC_FMT, one == array->first ? "" : " ", SVC_ARG(one->text));
  s->commit.port->read_end(txn);
  svc_blocks_free(arena.blocks);
  return w->list;
}

static void names_search(names_world *w, const char *database, const char *collection)
{
  const char *archive;
  char body[256];
  t_collection(&w->t, w->group, "C", database, collection);
  archive = t_keep(&w->t, t_str(&w->t, "_id"));
  snprintf(body, sizeof body, "{\"collectionName\":\"%s\",\"database\":\"%s\",\"name\":\"default\",\"definition\":{\"mappings\":"
           "{\"dynamic\":true}}}", collection, database);
  names_good(w, ONE "/search/indexes", body, 201);
  /* from here on the index names the collection */
  munit_assert_int(t_sendf(&w->t, "DELETE", NULL, ONE "/onlineArchives/%s", w->group, archive), ==, 200);
  t_advance(&w->t, 20);
}

TEST(namespaces, sources)
{
  names_world w;
  names_open(&w);
  munit_assert_string_equal(names_known(&w), "");
  names_search(&w, "shop", "orders");
  names_search(&w, "book", "say \\\"x\\\"");
  names_good(&w, ONE "/onlineArchives", "{\"dbName\":\"shop\",\"collName\":\"old\",\"criteria\":{\"type\":\"DATE\",\"dateField\":\"d\","
             "\"expireAfterDays\":5},\"partitionFields\":[{\"fieldName\":\"d\",\"order\":0}]}", 202);
  names_good(&w, ONE "/globalWrites/managedNamespaces", "{\"collection\":\"orders\",\"customShardKey\":\"k\",\"db\":\"shop\"}", 200);
  t_advance(&w.t, 20);
  names_good(&w, ONE "/globalWrites/managedNamespaces", "{\"collection\":\"a.b\",\"customShardKey\":\"k\",\"db\":\"all\"}", 200);
  munit_assert_string_equal(names_known(&w), "all.a.b book.say \"x\" shop.old shop.orders"); /* each collection once */
  t_close(&w.t);
}

/* The collections of the sample data are known as soon as it is loaded. Collections of an earlier cluster with the same name are not. */
TEST(namespaces, sample)
{
  names_world w;
  names_open(&w);
  names_good(&w, "/groups/%s/sampleDatasetLoad/C", NULL, 201);
  munit_assert_string_equal(names_known(&w), "");
  t_advance(&w.t, 5);
  munit_assert_not_null(strstr(names_known(&w), "sample_mflix.movies"));
  munit_assert_size(w.count, ==, 23);
  munit_assert_int(t_sendf(&w.t, "DELETE", NULL, ONE, w.group), ==, 202);
  t_advance(&w.t, 20);
  names_cluster(&w);
  munit_assert_string_equal(names_known(&w), "");
  t_close(&w.t);
}

TEST(namespaces, bounded)
{
  const svc_config config = { .limiter_off = 1 };
  names_world w;
  char name[16];
  int i;
  t_open(&w.t, &config);
  w.group = t_project(&w.t, t_organization(&w.t, "Acme"), "P1");
  names_cluster(&w);
  for (i = 120; i-- > 0;) {
    snprintf(name, sizeof name, "c%03d", i);
    names_search(&w, "db", name);
  }
  names_known(&w);
  munit_assert_size(w.count, ==, 100);
  munit_assert_memory_equal(15, w.list, "db.c000 db.c001");
  munit_assert_null(strstr(w.list, "c100"));
  t_close(&w.t);
}

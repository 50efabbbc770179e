/*
** Costs of long lists of a deployment: a page reads the same number of records when the list is four times as long.
** The counter counts the records that the store returns.
*/
#include "catalog/backup_world.h"

#define COST_FLEX "/groups/%G/flexClusters/F/backup"

typedef struct cost_world {
  b_world b;
  int made;
} cost_world;

/* Returns the cost of a page of two. The first request after a change reads a little more, for the caller's roles. */
static long cost_of(b_world *w, const char *list, int64_t total)
{
  char path[128];
  t_reads reads;
  snprintf(path, sizeof path, "%s%citemsPerPage=2", list, strchr(list, '?') ? '&' : '?');
  b_good(w, "GET", path, NULL, 200);
  t_reads_taken();
  b_good(w, "GET", path, NULL, 200);
  reads = t_reads_taken();
  if (t_node(&w->t, "results")) {
    munit_assert_int64(t_int(&w->t, "totalCount"), ==, total);
    munit_assert_size(t_count(&w->t, "results"), ==, 2);
  } else {
    munit_assert_size(t_count(&w->t, ""), ==, 2);
  }
  return reads.gets + reads.rows;
}

static void cost_snapshot(cost_world *w)
{
  b_snapshot(&w->b);
}

static void cost_restore(cost_world *w)
{
  b_good(&w->b, "POST", "%C/backup/restoreJobs",
         "{\"deliveryType\":\"automated\",\"snapshotId\":\"%S\",\"targetClusterName\":\"C\"}", 202);
  t_advance(&w->b.t, 10);
}

static void cost_export(cost_world *w)
{
  b_good(&w->b, "POST", "%C/backup/exports", "{\"exportBucketId\":\"%J\",\"snapshotId\":\"%S\"}", 202);
  t_advance(&w->b.t, 10);
}

static void cost_archive(cost_world *w)
{
  char body[256];
  snprintf(body, sizeof body, "{\"collName\":\"c%d\",\"dbName\":\"d\",\"criteria\":{\"type\":\"DATE\",\"dateField\":\"a\","
           "\"expireAfterDays\":30},\"partitionFields\":[{\"fieldName\":\"a\",\"order\":0}]}", w->made);
  b_good(&w->b, "POST", "%C/onlineArchives", body, 202);
  t_advance(&w->b.t, 10);
}

static void cost_index(cost_world *w)
{
  char body[256];
  if (!w->made) t_collection(&w->b.t, w->b.group, "C", "d", "c");
  snprintf(body, sizeof body, "{\"collectionName\":\"c\",\"database\":\"d\",\"name\":\"n%d\",\"definition\":{\"mappings\":"
           "{\"dynamic\":true}}}", w->made);
  b_good(&w->b, "POST", "%C/search/indexes", body, 201);
  t_advance(&w->b.t, 10);
}

static void cost_flex_snapshot(cost_world *w)
{
  t_advance(&w->b.t, 86400);
  b_good(&w->b, "GET", COST_FLEX "/snapshots", NULL, 200);
}

static void cost_flex_restore(cost_world *w)
{
  b_good(&w->b, "GET", COST_FLEX "/snapshots", NULL, 200);
  w->b.snapshot = t_keep(&w->b.t, t_str(&w->b.t, "results[0].id"));
  b_good(&w->b, "POST", COST_FLEX "/restoreJobs", "{\"snapshotId\":\"%S\",\"targetDeploymentItemName\":\"F\"}", 202);
  t_advance(&w->b.t, 10);
}

static const struct {
  const char *list;
  void (*make)(cost_world *w);
  int few; /* the number of elements; then the list has four times as many */
} cost_lists[] = {
  { "%C/backup/snapshots", cost_snapshot, 9 },
  { "%C/snapshots?completed=all", cost_snapshot, 9 }, /* otherwise the filter by state reads all snapshots of the cluster */
  { "%C/backup/snapshots/shardedClusters", cost_snapshot, 9 },
  { "%C/backupCheckpoints", cost_snapshot, 9 },
  { "%C/backup/restoreJobs", cost_restore, 9 },
  { "%C/restoreJobs", cost_restore, 9 },
  { "%C/backup/exports", cost_export, 9 },
  { "%C/onlineArchives", cost_archive, 9 },
  { "%C/search/indexes", cost_index, 9 },
  { COST_FLEX "/snapshots", cost_flex_snapshot, 2 },
  { COST_FLEX "/restoreJobs", cost_flex_restore, 9 },
};

static void cost_open(cost_world *w)
{
  svc_config config = { .limiter_off = 1, .store = t_counting_port() };
  memset(w, 0, sizeof *w);
  b_open_cluster(&w->b, &config, B_SHARDED("C"));
  b_good(&w->b, "DELETE", "%C/backup/schedule", NULL, 200); /* only the test creates snapshots */
  b_role(&w->b, "AWS");
  b_good(&w->b, "POST", "/groups/%G/backup/exportBuckets",
         "{\"bucketName\":\"acme-one\",\"cloudProvider\":\"AWS\",\"iamRoleId\":\"%R\"}", 201);
  w->b.other = t_keep(&w->b.t, t_str(&w->b.t, "_id"));
  b_good(&w->b, "POST", "/groups/%G/flexClusters",
         "{\"name\":\"F\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}", 201);
  t_advance(&w->b.t, 10);
}

TEST(list_cost, pages)
{
  static cost_world w;
  long few, many;
  size_t i;
  for (i = 0; i < sizeof cost_lists / sizeof cost_lists[0]; i++) {
    cost_open(&w);
    if (cost_lists[i].make == cost_flex_restore) cost_flex_snapshot(&w);
    else if (cost_lists[i].make != cost_flex_snapshot && cost_lists[i].make != cost_snapshot) cost_snapshot(&w);
    for (; w.made < cost_lists[i].few; w.made++) cost_lists[i].make(&w);
    t_advance(&w.b.t, 600);
    few = cost_of(&w.b, cost_lists[i].list, w.made);
    for (; w.made < 4 * cost_lists[i].few; w.made++) cost_lists[i].make(&w);
    t_advance(&w.b.t, 600);
    many = cost_of(&w.b, cost_lists[i].list, w.made);
    if (many > few) munit_errorf("%s: a page takes %ld of %d, and %ld of %d", cost_lists[i].list, few, cost_lists[i].few, many, w.made);
    b_close(&w.b);
  }
}

/*
** Worlds: what a file describes is there afterwards, once, by the service's own rules; an error says where it is and leaves nothing behind.
*/
#include "control/world_parts.h"
#include "support.h"

#define CLUSTER(name) \
  "{\"name\":\"" name "\",\"clusterType\":\"REPLICASET\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\"," \
  "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M10\",\"nodeCount\":3}}]}]}"

/* The last report, parsed into the answer of the service, so that t_str() and the like read it. */
static int world_load(t_service *t, const char *json, size_t n)
{
  int rc;
  svc_response_free(&t->response);
  svc_blocks_free(t->arena.blocks);
  svc_arena_init(&t->arena, NULL);
  rc = svc_world_apply(t->s, json, n, &t->response);
  t->body = t->response.body ? svc_json_parse(&t->arena, svc_arena_copy(&t->arena, (svc_str){ t->response.body, t->response.body_length })) : NULL;
  munit_assert_not_null(t->body);
  return rc;
}

static char *world_file(const char *name, size_t *n)
{
  char path[128], *text = malloc(1 << 20);
  FILE *f;
  snprintf(path, sizeof path, "package/worlds/%s.json", name);
  f = fopen(path, "r");
  munit_assert_not_null(f);
  *n = fread(text, 1, 1 << 20, f);
  fclose(f);
  return text;
}

static void world_shipped(const char *name, int64_t least)
{
  svc_config config = { .manual_clock = T_START };
  t_service t;
  size_t n;
  char *text = world_file(name, &n);
  uint64_t print;
  t_open(&t, &config);
  if (world_load(&t, text, n) != SVC_OK) munit_errorf("%s: %s", name, t_str(&t, "detail"));
  munit_assert_int64(t_int(&t, "made"), >=, least);
  munit_assert_size(store_whole(t.s), >=, 1);
  print = store_print(t.s);
  munit_assert_int(world_load(&t, text, n), ==, SVC_OK);
  munit_assert_string_equal(t_str(&t, "applied"), "false");
  munit_assert_int64(t_int(&t, "made"), ==, 0);
  munit_assert_true(store_print(t.s) == print);
  text[n] = ' '; /* another file, of the same things */
  munit_assert_int(world_load(&t, text, n + 1), ==, SVC_OK);
  munit_assert_string_equal(t_str(&t, "applied"), "true");
  free(text);
  t_close(&t);
}

TEST(world, empty)
{
  world_shipped("empty", 2);
}

TEST(world, team)
{
  world_shipped("team", 20);
}

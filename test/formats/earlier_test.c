/*
** A store that version 0.1.0 wrote, with one resource of each kind (whole.sh shows how it was made). Its entities lack all fields
** that were added later. Everything that links lead to can be read, in every dated version. A cluster is shown as it was stored
** until its hardware changes; then it has the fields of a new cluster.
*/
#include "world.h"

#include <ctype.h>

enum {
  EARLIER_LINKS = 4096,
  EARLIER_ALIKE = 2 /* how many links that differ only in an id are followed, such as links of events */
};

typedef struct earlier {
  t_service t;
  char path[128];
  const char *links[EARLIER_LINKS]; /* links seen so far */
  size_t count, answered, older;
  bool met[1024]; /* plans that were requested */
} earlier;

static void earlier_open(earlier *w)
{
  svc_config config = { .journal = 1, .limiter_off = 1 };
  char command[256];
  memset(w, 0, sizeof *w);
  store_folder(w->path);
  snprintf(command, sizeof command, "gzip -dc test/formats/whole-0.1.0.gz >'%s/data.mdb'", w->path);
  munit_assert_int(system(command), ==, 0);
  config.path = w->path;
  t_open(&w->t, &config);
  t_advance(&w->t, 86400);
  munit_assert_int(svc_tick(w->t.s), ==, SVC_OK);
}

static void earlier_close(earlier *w)
{
  store_whole(w->t.s);
  t_close(&w->t);
  store_remove(w->path);
}

/* Returns true on the same kind of machine as the one that wrote the store. */
static bool earlier_fits(void)
{
  const uint16_t one = 1;
  return sizeof(void *) == 8 && *(const unsigned char *)&one == 1 && T_ON_LMDB;
}

/* ---------------------------------------------------------------------------------------------------------------- every GET */

/* Returns true if two links differ only in the hexadecimal digits of ids. */
static bool earlier_alike(const char *a, const char *b)
{
  for (; *a && *b; a++, b++)
    if (*a != *b && !(isxdigit((unsigned char)*a) && isxdigit((unsigned char)*b))) return false;
  return *a == *b;
}

static void earlier_note(earlier *w, svc_str href)
{
  const char *path = strstr(href.p, "/api/svc/v2"), *link;
  size_t i, alike = 0;
  if (!path || path >= href.p + href.n || memchr(href.p, '?', href.n)) return;
  link = svc_arena_copy(&w->t.arena, (svc_str){ path, href.n - (size_t)(path - href.p) }).p;
  for (i = 0; i < w->count; i++) {
    if (strcmp(link, w->links[i]) == 0) return;
    alike += earlier_alike(link, w->links[i]);
  }
  if (alike >= EARLIER_ALIKE) return;
  munit_assert_size(w->count, <, EARLIER_LINKS);
  w->links[w->count++] = t_keep(&w->t, link);
}

static void earlier_collect(earlier *w, const svc_node *node)
{
  const svc_node *member;
  for (member = svc_node_first(node); member; member = member->next) {
    if (member->type == SVC_J_STRING && svc_str_is(member->name, "href")) earlier_note(w, member->text);
    else earlier_collect(w, member);
  }
}

/* Returns the plan of the last request, from the journal. */
static const svc_plan *earlier_asked(earlier *w)
{
  svc_response journal;
  const svc_plan *plan = NULL;
  const char *op;
  size_t i;
  munit_assert_int(svc_journal_read(w->t.s, 1, &journal), ==, SVC_OK);
  op = strstr(journal.body, "\"operation\":\"");
  for (i = 0; op && i < w->t.s->plan_count && !plan; i++) {
    const char *name = w->t.s->plans[i].route->op;
    if (strncmp(op + 13, name, strlen(name)) == 0 && op[13 + strlen(name)] == '"') plan = &w->t.s->plans[i];
  }
  svc_response_free(&journal);
  return plan;
}

static void earlier_version(earlier *w, const svc_plan *plan, const char *link, const svc_older *older)
{
  const char *kind = svc_route_ext_of(plan->route)->media ? svc_route_ext_of(plan->route)->media : "json";
  char media[64];
  int status;
  snprintf(media, sizeof media, "application/vnd.svc.%04u-%02u-%02u+%s", older->date / 10000, older->date / 100 % 100, older->date % 100, kind);
  t_header(&w->t, "Accept", media);
  status = t_send_raw(&w->t, "GET", link, NULL, 0);
  if (status >= 300 && strcmp(t_error(&w->t), "ASYMMETRIC_SHARD_UNSUPPORTED") != 0)
    t_complain(plan, "%s, version %u: %d %.300s", link, older->date, status, w->t.response.body);
  t_headers_clear(&w->t);
  w->older++;
}

static void earlier_get(earlier *w, const char *link)
{
  int status = t_send_raw(&w->t, "GET", link, NULL, 0);
  const svc_plan *plan = earlier_asked(w);
  const svc_older *older;
  munit_assert_not_null(plan);
  if (status == 404 || status == 405) return; /* a link to a resource that does not exist, or that can only be created */
  w->met[plan - w->t.s->plans] = true;
  w->answered++;
  if (status >= 300) t_complain(plan, "%s: %d %.300s", link, status, w->t.response.body);
  if (w->t.body) earlier_collect(w, w->t.body);
  for (older = plan->route->older; older && older->date; older++) earlier_version(w, plan, link, older);
}

TEST(earlier, every_get)
{
  static earlier w;
  size_t i, met = 0;
  SKIP_IF(!earlier_fits());
  earlier_open(&w);
  w.links[w.count++] = "/api/svc/v2";
  for (i = 0; i < w.count; i++) earlier_get(&w, w.links[i]);
  for (i = 0; i < w.t.s->plan_count; i++) met += w.met[i];
  munit_assert_size(met, >, 190); /* operations that links of this store lead to */
  munit_assert_size(w.older, >, 50);
  earlier_close(&w);
  t_complaints_end();
}

/* ---------------------------------------------------------------------------------------------------------- the next change */

/* Names of all members, with their paths, one per line. */
static void earlier_names(svc_buf *b, const svc_node *node, const char *before)
{
  const svc_node *member;
  char path[256];
  for (member = svc_node_first(node); member; member = member->next) {
    if (svc_str_is(member->name, "links")) continue;
    snprintf(path, sizeof path, "%s." SVC_FMT, before, SVC_ARG(member->name));
    if (node->type == SVC_J_OBJECT) svc_buf_text(b, path), svc_buf_char(b, '\n');
    if (node->type == SVC_J_OBJECT || member == node->first) earlier_names(b, member, path);
  }
}

static const char *earlier_shape(earlier *w, const char *group, const char *name)
{
  svc_buf b;
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s/clusters/%s", group, name), ==, 200);
  munit_assert_string_equal(t_str(&w->t, "stateName"), "IDLE");
  b = svc_buf_new(&w->t.arena, 4096);
  earlier_names(&b, w->t.body, "");
  return t_keep(&w->t, svc_buf_done(&b).p);
}

/* The bodies that created the store's clusters; test/formats/whole.c has the same. */
#define SIZED(size) "{\"instanceSize\":\"" size "\",\"nodeCount\":3}"
#define CLUSTER(name, type, specs) "{\"name\":\"" name "\",\"clusterType\":\"" type "\",\"replicationSpecs\":[" specs "]}"
#define REGION(cloud, region, more) "{\"providerName\":\"" cloud "\",\"regionName\":\"" region "\",\"priority\":7" more "}"
#define SPEC(region) "{\"zoneName\":\"Zone 1\",\"regionConfigs\":[" region "]}"
#define NODES(size) ",\"electableSpecs\":" SIZED(size) ",\"analyticsSpecs\":{\"instanceSize\":\"" size "\",\"nodeCount\":1},\"readOnlySpecs\":{\"instanceSize\":" \
  "\"" size "\",\"nodeCount\":1},\"autoScaling\":{\"compute\":{\"enabled\":true,\"maxInstanceSize\":\"M60\"},\"diskGB\":{\"enabled\":true}}"

/* Deletes the store's resource policy, which allows only Europe. */
static void earlier_free(earlier *w, const char *group)
{
  char org[32];
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/groups/%s", group), ==, 200);
  snprintf(org, sizeof org, "%s", t_str(&w->t, "orgId"));
  munit_assert_int(t_sendf(&w->t, "GET", NULL, "/orgs/%s/resourcePolicies", org), ==, 200);
  if (t_sendf(&w->t, "DELETE", NULL, "/orgs/%s/resourcePolicies/%s", org, t_str(&w->t, "[0].id")) >= 300) munit_error(w->t.response.body);
}

TEST(earlier, next_change)
{
  static const struct {
    const char *name, *body, *change;
  } clusters[] = {
    { "plain", CLUSTER("plain", "REPLICASET", "{\"regionConfigs\":[" REGION("AWS", "US_EAST_1", ",\"electableSpecs\":" SIZED("M10")) "]}"),
      "{\"replicationSpecs\":[{\"regionConfigs\":[" REGION("AWS", "US_EAST_1", ",\"electableSpecs\":" SIZED("M20")) "]}]}" },
    { "nodes", CLUSTER("nodes", "REPLICASET", SPEC(REGION("GCP", "CENTRAL_US", NODES("M30")))),
      "{\"replicationSpecs\":[" SPEC(REGION("GCP", "CENTRAL_US", NODES("M40"))) "]}" },
    { "shards", CLUSTER("shards", "SHARDED", SPEC(REGION("AZURE", "US_EAST_2", NODES("M30"))) "," SPEC(REGION("AZURE", "US_EAST_2", NODES("M30")))),
      "{\"replicationSpecs\":[" SPEC(REGION("AZURE", "US_EAST_2", NODES("M40"))) "," SPEC(REGION("AZURE", "US_EAST_2", NODES("M40"))) "]}" }
  };
  static earlier w;
  const char *old, *group, *shown, *fresh;
  size_t i;
  SKIP_IF(!earlier_fits());
  earlier_open(&w);
  munit_assert_int(t_send(&w.t, "GET", "/groups?itemsPerPage=1", NULL), ==, 200);
  old = t_keep(&w.t, t_str(&w.t, "results[0].id"));
  earlier_free(&w, old);
  group = t_project(&w.t, t_organization(&w.t, "New"), "new");
  for (i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
    if (t_sendf(&w.t, "POST", clusters[i].body, "/groups/%s/clusters", group) != 201) munit_error(w.t.response.body);
    t_advance(&w.t, 60);
    fresh = earlier_shape(&w, group, clusters[i].name);
    munit_assert_string_not_equal(earlier_shape(&w, old, clusters[i].name), fresh);
    shown = t_keep(&w.t, w.t.response.body);
    /* sent back as read */
    if (t_sendf(&w.t, "PATCH", shown, "/groups/%s/clusters/%s", old, clusters[i].name) != 200) munit_error(w.t.response.body);
    if (t_sendf(&w.t, "PATCH", clusters[i].change, "/groups/%s/clusters/%s", old, clusters[i].name) != 200) munit_error(w.t.response.body);
    t_advance(&w.t, 60);
    munit_assert_string_equal(earlier_shape(&w, old, clusters[i].name), fresh);
  }
  earlier_close(&w);
}

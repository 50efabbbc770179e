/*
** Dialects: any file is either accepted or refused with one plain line. An answer to a request in the words of a dialect is
** well-formed, and no link in it has our own path of organizations or projects.
**
** The first byte of an input selects: 'o' and the JSON of a dialect, for svc_open(); 'r' and a request, as in request_fuzz.c, to
** a service that uses fuzz_words. The seeds come from the tables: every operation in every dated version, in the words of the
** dialect.
*/
#include "fuzz.h"

#define FUZZ_LIFE 5000

static const char fuzz_words[] =
  "{\"fields\":{\"name\":\"title\",\"orgId\":\"firmId\",\"tags\":\"marks\",\"key\":\"word\",\"replicationSpecs\":\"shards\",\"providerName\":\"cloud\","
  "\"description\":\"said\",\"instanceSize\":\"tier\",\"password\":\"shibboleth\",\"type\":\"ilk\"},"
  "\"paths\":{\"clusters\":\"machines\",\"orgs\":\"firms\",\"groups\":\"works\",\":grantVendorEmployeeAccess\":\":letAcmeIn\"},"
  "\"values\":{\"REPLICASET\":\"SET\",\"AWS\":\"AMAZON\",\"DB_USER_ADDED\":\"LOGIN_ADDED\",\"ORG_OWNER\":\"BOSS\"},"
  "\"codes\":{\"CLUSTER_NOT_FOUND\":\"NO_SUCH_MACHINE\",\"INVALID_ATTRIBUTE\":\"BAD_ATTRIBUTE\"}}";

/* ------------------------------------------------------------------------------------------------------------ the seeds */

static void dialect_seed(const svc *s, svc_arena *a, const char *folder, const svc_plan *plan, const svc_older *older, size_t number)
{
  static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
  const svc_route *r = plan->route;
  const char *example = older && older->example ? older->example : r->example;
  const svc_object *object = older && older->body ? older->body : r->body ? r->body : plan->noun->noun->object;
  svc_buf b = svc_buf_new(a, 1024);
  char name[64];
  svc_buf_char(&b, 'r');
  svc_buf_text(&b, methods[r->method]);
  svc_buf_text(&b, r->flags & SVC_ABSOLUTE ? " " : " /api/svc/v2");
  svc_buf_str(&b, r->flags & SVC_ABSOLUTE ? svc_str_c(r->path) : svc_shown_target(s, a, svc_str_c(r->path)));
  svc_buf_text(&b, "\nContent-Type: application/json\n");
  if (older) svc_buf_str(&b, svc_arena_print(a, "Accept: application/vnd.svc.%04u-%02u-%02u+json\n", older->date / 10000, older->date / 100 % 100, older->date % 100));
  svc_buf_char(&b, '\n');
  if (example) svc_node_write(&b, svc_turn_example(s, a, object, example));
  snprintf(name, sizeof name, "seed-%03zu", number);
  if (!b.failed) fuzz_write(folder, name, (svc_str){ b.p, b.n });
}

static void dialect_seeds(const svc *s, const char *folder)
{
  svc_arena a;
  const svc_older *older;
  size_t i, number = 0;
  svc_arena_init(&a, NULL);
  for (i = 0; i < s->plan_count; i++) {
    dialect_seed(s, &a, folder, &s->plans[i], NULL, number++);
    for (older = s->plans[i].route->older; older && older->date; older++) dialect_seed(s, &a, folder, &s->plans[i], older, number++);
  }
  fuzz_write(folder, "open", svc_arena_print(&a, "o%s", fuzz_words));
  svc_blocks_free(a.blocks);
}

/* ------------------------------------------------------------------------------------------------------------------ 'o' */

/* Counts the error lines, and checks that each is plain text. */
static void dialect_said(void *context, int level, const char *text)
{
  const char *p;
  if (level != SVC_LOG_ERROR) return;
  for (p = text; *p; p++)
    if (*p < ' ' || *p > '~') fuzz_die("an error that is no plain line");
  ++*(int *)context;
}

static void dialect_open(svc_str text)
{
  svc_arena a;
  int lines = 0, rc;
  svc_config config;
  svc *s = NULL;
  if (memchr(text.p, 0, text.n)) return; /* the NUL would end the text */
  svc_arena_init(&a, NULL);
  memset(&config, 0, sizeof config);
  config.dialect = svc_arena_copy(&a, text).p;
  config.log = dialect_said;
  config.log_context = &lines;
  rc = svc_open(&s, &config);
  if (rc != SVC_OK && rc != SVC_INVALID) fuzz_die("neither taken nor refused");
  if (rc == SVC_INVALID && lines != 1) fuzz_die("refused with more or less than a line");
  svc_close(s);
  svc_blocks_free(a.blocks);
}

/* ------------------------------------------------------------------------------------------------------------------ 'r' */

/* Checks the links. Users' texts cannot look like a link, because they contain no unescaped quotation mark. */
static void dialect_look(const svc_response *r)
{
  static const char *const ours[] = { "\"href\":\"http://localhost:8080/api/svc/v2/groups", "\"href\":\"http://localhost:8080/api/svc/v2/orgs" };
  size_t i;
  fuzz_check(r);
  for (i = 0; r->body && i < sizeof ours / sizeof ours[0]; i++)
    if (strstr(r->body, ours[i])) fuzz_die("a link has a path of ours");
}

static void dialect_fixture(fuzz_service *f)
{
  const svc_config config = { .dialect = fuzz_words };
  char text[512];
  fuzz_begin(f, &config);
  fuzz_make(f, "/api/svc/v2/firms", "{\"title\":\"Acme\"}", f->org);
  snprintf(text, sizeof text, "{\"title\":\"p\",\"firmId\":\"%s\"}", f->org);
  fuzz_make(f, "/api/svc/v2/works", text, f->group);
  snprintf(text, sizeof text, "/api/svc/v2/works/%s/machines", f->group);
  fuzz_make(f, text, "{\"title\":\"c\",\"clusterType\":\"SET\",\"shards\":[{\"regionConfigs\":[{\"cloud\":\"AMAZON\",\"regionName\":\"US_EAST_1\","
            "\"priority\":7,\"electableSpecs\":{\"tier\":\"M10\",\"nodeCount\":3}}]}]}", NULL);
  f->step = 10;
}

int svc_fuzz_dialect(const uint8_t *data, size_t size)
{
  static fuzz_service f;
  static int inputs;
  if (!f.s || ++inputs > FUZZ_LIFE) {
    const char *folder = f.s ? NULL : getenv("SVC_FUZZ_SEEDS");
    svc_close(f.s);
    dialect_fixture(&f);
    inputs = 0;
    if (folder) dialect_seeds(f.s, folder);
  }
  if (size > 0 && data[0] == 'o') dialect_open((svc_str){ (const char *)data + 1, size - 1 });
  if (size > 0 && data[0] == 'r') fuzz_ask(&f, data + 1, size - 1, dialect_look);
  return 0;
}

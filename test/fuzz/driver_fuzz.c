/*
** Input from a driver: replies to questions, and the facts of completed orders. A driver is someone else's program and may send
** anything. Each request still gets a correct answer, and the store stays undamaged.
**
** The first line of an input is a target, "/groups/{group}/clusters/c/...", and the rest is the reply to every question of that
** request, which is sent twice. Or the first line is "!ACTION", an order of the fixture that succeeds with the rest as facts, or
** "?ACTION", an order that fails. {group}, {org}, {process} and {host} are those of the fixture. After an order the fixture is restored.
*/
#include "fuzz.h"

#define DRIVER_ORDERS 32

static struct {
  fuzz_service f;
  svc_driver driver;
  svc_snapshot *before;
  char process[256], host[256];
  struct {
    char action[48], id[32];
  } orders[DRIVER_ORDERS];
  size_t count;
  const char *reply;
  size_t reply_length;
} driver;

static int driver_perform(void *context, svc *s, const svc_order *order)
{
  (void)context, (void)s;
  if (driver.count == DRIVER_ORDERS) return SVC_BUSY;
  snprintf(driver.orders[driver.count].action, sizeof driver.orders[0].action, "%s", order->action);
  snprintf(driver.orders[driver.count++].id, sizeof driver.orders[0].id, "%s", order->id);
  return SVC_OK;
}

static int driver_ask(void *context, svc *s, const svc_question *question, svc_reply *reply)
{
  (void)context, (void)s;
  if (question->parameters) { /* the parameters are JSON */
    svc_arena a;
    svc_json_fault fault;
    svc_arena_init(&a, NULL);
    if (!svc_json_gate(&a, svc_str_c(question->parameters), 64, &fault)) fuzz_die("a question that is no JSON");
    svc_blocks_free(a.blocks);
  }
  svc_reply_add(reply, driver.reply, driver.reply_length); /* a reply that is too long is dropped entirely */
  return SVC_OK;
}

static const char *driver_order(const char *action)
{
  size_t i;
  for (i = 0; i < driver.count; i++)
    if (strcmp(driver.orders[i].action, action) == 0) return driver.orders[i].id;
  return NULL;
}

/* ----------------------------------------------------------------------------------------------------------- the fixture */

static void driver_make(const char *below, const char *body)
{
  char target[256];
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/%s", driver.f.group, below);
  fuzz_make(&driver.f, target, body, NULL);
}

/* Copies a member of the project's first process. */
static void driver_of_process(const char *body, const char *member, char out[256])
{
  const char *at = strstr(body, member);
  if (!at || sscanf(at + strlen(member), "%255[^\"]", out) != 1) fuzz_die("no process");
}

static void driver_processes(void)
{
  char target[256];
  svc_request request;
  svc_response response;
  memset(&request, 0, sizeof request);
  snprintf(target, sizeof target, "/api/svc/v2/groups/%s/processes", driver.f.group);
  request.method = "GET";
  request.target = target;
  request.caller = &fuzz_owner;
  if (svc_handle_request(driver.f.s, &request, &response) != SVC_OK || response.status != 200) fuzz_die("no processes");
  driver_of_process(response.body, "\"hostname\":\"", driver.host);
  driver_of_process(response.body, "\"id\":\"", driver.process);
  svc_response_free(&response);
}

static void driver_open(void)
{
  static const unsigned char key[32] = { 1 };
  svc_config config;
  memset(&config, 0, sizeof config);
  driver.driver.perform = driver_perform;
  driver.driver.ask = driver_ask;
  config.driver = &driver.driver;
  config.secret_key = key;
  fuzz_open(&driver.f, &config);
  if (svc_tick(driver.f.s) != SVC_OK || !driver_order("cluster.create")) fuzz_die("no order");
  if (svc_order_done(driver.f.s, driver_order("cluster.create"), SVC_OK,
                     "{\"hosts\":[\"h1.example.com:27017\",\"h2.example.com:27017\",\"h3.example.com:27017\"],\"srvHost\":\"c.example.com\"}") != SVC_OK)
    fuzz_die("an order that cannot be done");
  driver_processes();
  driver_make("flexClusters", "{\"name\":\"f\",\"providerSettings\":{\"backingProviderName\":\"AWS\",\"regionName\":\"US_EAST_1\"}}");
  driver_make("privateEndpoint/endpointService", "{\"providerName\":\"AWS\",\"region\":\"US_EAST_1\"}");
  driver_make("streams", "{\"name\":\"s\",\"dataProcessRegion\":{\"cloudProvider\":\"AWS\",\"region\":\"VIRGINIA_USA\"}}");
  driver_make("clusters", "{\"name\":\"d\",\"clusterType\":\"SHARDED\",\"replicationSpecs\":[{\"regionConfigs\":[{\"providerName\":\"AWS\","
              "\"regionName\":\"US_EAST_1\",\"priority\":7,\"electableSpecs\":{\"instanceSize\":\"M30\",\"nodeCount\":3}}]}]}");
  driver.f.now += 61000; /* alerts are evaluated once a minute */
  driver.count = 0;
  if (svc_tick(driver.f.s) != SVC_OK || svc_snapshot_take(driver.f.s, &driver.before) != SVC_OK) fuzz_die("no fixture");
}

/* ------------------------------------------------------------------------------------------------------------- one input */

static svc_str driver_fill(svc_arena *a, const char *text)
{
  static const struct { const char *word; const char *with; } words[] = {
    { "{group}", driver.f.group }, { "{org}", driver.f.org }, { "{process}", driver.process }, { "{host}", driver.host } };
  svc_buf b = svc_buf_new(a, 256);
  svc_buf_text(&b, "/api/svc/v2");
  while (*text) {
    size_t i, n = 0;
    for (i = 0; i < sizeof words / sizeof words[0] && !n; i++)
      if (strncmp(text, words[i].word, strlen(words[i].word)) == 0) svc_buf_text(&b, words[i].with), n = strlen(words[i].word);
    if (!n) svc_buf_char(&b, *text);
    text += n ? n : 1;
  }
  return svc_buf_done(&b);
}

static void driver_get(svc_arena *a, const char *path)
{
  svc_request request;
  svc_response first, second;
  memset(&request, 0, sizeof request);
  request.method = "GET";
  request.target = driver_fill(a, path).p;
  request.caller = &fuzz_owner;
  if (svc_handle_request(driver.f.s, &request, &first) != SVC_OK || svc_handle_request(driver.f.s, &request, &second) != SVC_OK) fuzz_die("no answer");
  fuzz_check(&first);
  if (first.status != second.status || first.body_length != second.body_length || memcmp(first.body, second.body, first.body_length) != 0)
    fuzz_die("the same is answered otherwise");
  svc_response_free(&first);
  svc_response_free(&second);
}

static void driver_fault(void *context, const char *text)
{
  (void)context;
  fprintf(stderr, "%s\n", text);
}

static void driver_done(svc_arena *a, const char *id, int result, const char *facts)
{
  static const char *const lists[] = { "/groups/{group}/clusters", "/groups/{group}/flexClusters", "/groups/{group}/streams", "/groups/{group}/processes",
    "/groups/{group}/privateEndpoint/AWS/endpointService", "/groups/{group}/alerts", "/groups/{group}/events" };
  size_t i;
  int rc = svc_order_done(driver.f.s, id, result, facts);
  if (rc != SVC_OK && rc != SVC_INVALID) fuzz_die("an order that cannot be done");
  for (i = 0; rc == SVC_OK && i < sizeof lists / sizeof lists[0]; i++) driver_get(a, lists[i]);
  if (svc_check_store(driver.f.s, driver_fault, NULL) != SVC_OK) fuzz_die("facts have damaged the store");
  if (rc == SVC_OK && svc_snapshot_restore(driver.f.s, driver.before) != SVC_OK) fuzz_die("no way back");
}

int svc_fuzz_driver(const uint8_t *data, size_t size)
{
  svc_arena a;
  char *at, *line, *end;
  if (!driver.f.s) driver_open();
  svc_arena_init(&a, NULL);
  at = (char *)(uintptr_t)svc_arena_copy(&a, (svc_str){ (const char *)data, size }).p;
  end = at + size;
  line = fuzz_line(&at, end);
  driver.reply = at;
  driver.reply_length = (size_t)(end - at);
  if (line && (line[0] == '!' || line[0] == '?')) {
    const char *id = driver_order(line + 1);
    if (id) driver_done(&a, id, line[0] == '!' ? SVC_OK : SVC_IO, at);
  } else if (line && line[0] == '/') {
    driver_get(&a, line);
  }
  svc_blocks_free(a.blocks);
  return 0;
}

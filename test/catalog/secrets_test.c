/*
** The store contains no secret in plain text, and no stack keeps one. The suite collects every secret that a request sends or an
** answer shows once. Then it searches all records for them, the files that the store leaves behind, and the stack of the thread that
** handled the request.
**
** The requests are the examples of all routes (test/world.h), and one of each kind for resources with several kinds of
** secrets.
*/
#include "world.h"
#include "mechanism/probe.h"
#include "catalog/monitoring/alert_parts.h"

#include <pthread.h>

#define SECRETS_MOST 512
#define SECRETS_STACK ((size_t)4 << 20)
#define SECRETS_ABOVE 65536 /* bytes of the stack that the end of a thread may overwrite */
#define SECRETS_WORDS "the words that the search must find"

typedef struct secrets_list {
  char *all[SECRETS_MOST];
  size_t n;
} secrets_list;

/* Notes a secret. Words that are too short to be told from others, and masks, are skipped. */
static void secrets_note(secrets_list *list, svc_str text)
{
  if (text.n < 6 || memcmp(text.p, "****", 4) == 0) return;
  munit_assert_size(list->n, <, SECRETS_MOST);
  list->all[list->n] = munit_malloc(text.n + 1);
  memcpy(list->all[list->n], text.p, text.n);
  list->all[list->n++][text.n] = 0;
}

/* Notes the values of a sent body that its table marks as secret. */
static void secrets_sent(secrets_list *list, const svc_object *object, const svc_node *body)
{
  const svc_field *f;
  const svc_node *item;
  svc_fields fields;
  if (!object || !body || body->type != SVC_J_OBJECT) return;
  object = svc_object_of(object, body);
  if (!object) return;
  svc_fields_begin(&fields, object);
  while ((f = svc_fields_next(&fields)) != NULL) {
    const svc_node *value = svc_node_get(body, f->name);
    bool secret = f->flags & SVC_SEALED || strstr(f->name, "assword") || strstr(f->name, "PrivateApiKey");
    if (!value) continue;
    if (secret && value->type == SVC_J_STRING) secrets_note(list, value->text);
    for (item = value->first; item && f->type == SVC_MAP && secret; item = item->next) secrets_note(list, item->text);
    if (f->type == SVC_OBJECT) secrets_sent(list, svc_field_object(f), value);
    for (item = value->first; item && f->type == SVC_ARRAY && svc_field_object(f); item = item->next) secrets_sent(list, svc_field_object(f), item);
  }
}

/* Notes the secrets that an answer shows once; of a text with keys in it, each line of a key. */
static void secrets_shown(secrets_list *list, const svc_node *node)
{
  static const char *const names[] = { "privateKey", "secret", "linkToken", "access_token", "clientSecret" };
  const svc_node *child;
  const char *line = node->type == SVC_J_STRING ? strstr(node->text.p, "PRIVATE KEY-----\n") : NULL;
  size_t i;
  for (i = 0; i < sizeof names / sizeof names[0]; i++)
    if (node->type == SVC_J_STRING && svc_str_is(node->name, names[i])) secrets_note(list, node->text);
  for (line = line ? strchr(line, '\n') + 1 : NULL; line && line[0] != '-'; line = strchr(line, '\n') + 1)
    secrets_note(list, (svc_str){ line, strcspn(line, "\n") });
  for (child = node->first; child; child = child->next) secrets_shown(list, child);
}

static bool secrets_in(const char *bytes, size_t n, const char *secret)
{
  size_t length = strlen(secret);
  const char *at = bytes;
  while ((at = n - (size_t)(at - bytes) >= length ? memchr(at, secret[0], n - (size_t)(at - bytes) - length + 1) : NULL) != NULL) {
    if (memcmp(at, secret, length) == 0) return true;
    at++;
  }
  return false;
}

static void secrets_send(t_world *w, secrets_list *list, const svc_plan *plan)
{
  const svc_object *object = plan->route->body ? plan->route->body : plan->noun->noun->object;
  svc_node *sent = w->has_body ? svc_json_parse(&w->t.arena, svc_str_c(w->body)) : NULL;
  const svc_node *item;
  int status;
  if (sent && plan->route->flags & SVC_BODY_ARRAY)
    for (item = sent->first; item; item = item->next) secrets_sent(list, object, item);
  else if (sent) secrets_sent(list, object, sent);
  status = t_world_send(w, plan);
  if (status != t_success(plan)) t_complain(plan, "%d %.200s", status, w->t.response.body);
  if (w->t.body && strcmp(t_get_header(&w->t, "Cache-Control"), "no-store") == 0) secrets_shown(list, w->t.body);
}

/* Path and body for one resource of each kind, where the examples of a route show only one of several kinds. */
#define LOGS ",\"logTypes\":[\"DBD\"]}"
#define NOTIFY(kind, more) \
  "alertConfigs", "{\"eventTypeName\":\"HOST_DOWN\",\"enabled\":true,\"notifications\":[{\"typeName\":\"" kind "\"," more "}]}"
static const struct {
  const char *path, *body;
} secrets_kinds[] = {
  { "integrations/MICROSOFT_TEAMS", "{\"type\":\"MICROSOFT_TEAMS\",\"microsoftTeamsWebhookUrl\":\"https://teams.example.com/secret-teams-url\"}" },
  { "integrations/NEW_RELIC", "{\"type\":\"NEW_RELIC\",\"accountId\":\"0123456789012345678901234567890123456789\",\"licenseKey\":"
                              "\"abcdefabcdabcdefabcdabcdefabcdabcdefabcd\",\"readToken\":\"secret-read-token\",\"writeToken\":\"secret-write-token\"}" },
  { "integrations/OPS_GENIE", "{\"type\":\"OPS_GENIE\",\"apiKey\":\"secret-ops-genie\"}" },
  { "integrations/PAGER_DUTY", "{\"type\":\"PAGER_DUTY\",\"serviceKey\":\"secret-pager-duty\"}" },
  { "integrations/PROMETHEUS",
    "{\"type\":\"PROMETHEUS\",\"enabled\":true,\"serviceDiscovery\":\"file\",\"username\":\"joe\",\"password\":\"secret-prometheus\"}" },
  { "integrations/SLACK", "{\"type\":\"SLACK\",\"apiToken\":\"secret-slack-token\",\"channelName\":\"ops\"}" },
  { "integrations/VICTOR_OPS", "{\"type\":\"VICTOR_OPS\",\"apiKey\":\"secret-victor-ops\"}" },
  { "integrations/WEBHOOK", "{\"type\":\"WEBHOOK\",\"url\":\"https://hook.example.com/secret-hook\",\"secret\":\"secret-webhook\","
                            "\"headersTemplate\":\"Authorization: secret-header\"}" },
  { "logIntegrations", "{\"type\":\"DATADOG_LOG_EXPORT\",\"apiKey\":\"secret-datadog-logs\",\"region\":\"EU\"" LOGS },
  { "logIntegrations", "{\"type\":\"SPLUNK_LOG_EXPORT\",\"hecToken\":\"secret-splunk\",\"hecUrl\":\"https://splunk.example.com\"" LOGS },
  { "logIntegrations", "{\"type\":\"OTEL_LOG_EXPORT\",\"otelEndpoint\":\"https://otel.example.com\",\"otelSuppliedHeaders\":"
                       "[{\"name\":\"A\",\"value\":\"secret-otel\"}]" LOGS },
  { NOTIFY("DATADOG", "\"datadogApiKey\":\"secret-told-datadog\"") },
  { NOTIFY("HIP_CHAT", "\"notificationToken\":\"secret-told-hip-chat\",\"roomName\":\"ops\"") },
  { NOTIFY("MICROSOFT_TEAMS", "\"microsoftTeamsWebhookUrl\":\"https://teams.example.com/secret-told-teams\"") },
  { NOTIFY("OPS_GENIE", "\"opsGenieApiKey\":\"secret-told-ops-genie\"") },
  { NOTIFY("PAGER_DUTY", "\"serviceKey\":\"secret-told-pager-duty\"") },
  { NOTIFY("SLACK", "\"apiToken\":\"secret-told-slack\",\"channelName\":\"ops\"") },
  { NOTIFY("VICTOR_OPS", "\"victorOpsApiKey\":\"secret-told-victor-ops\"") },
  { NOTIFY("WEBHOOK", "\"webhookUrl\":\"https://hook.example.com/secret-told-hook\",\"webhookSecret\":\"secret-told-webhook\","
                      "\"webhookBodyTemplate\":\"secret-told-body\",\"webhookHeadersTemplate\":\"A: secret-told-header\"") },
};

/* Checks that every secret in the table of notifications is in the list above. */
static void secrets_notifications(void)
{
  const svc_variant *v;
  const svc_field *f;
  svc_fields fields;
  char name[64];
  size_t i, found = 0;
  for (v = SVC_VARIANTS_OF(&svc_alert_notification); v->value; v++) {
    svc_fields_begin(&fields, v->object);
    while ((f = svc_fields_next(&fields)) != NULL) {
      if (!(f->flags & SVC_SEALED)) continue;
      snprintf(name, sizeof name, "\"%s\":", f->name);
      for (i = 0; i < sizeof secrets_kinds / sizeof secrets_kinds[0]; i++)
        if (strcmp(secrets_kinds[i].path, "alertConfigs") == 0 && strstr(secrets_kinds[i].body, v->value) && strstr(secrets_kinds[i].body, name)) break;
      if (i == sizeof secrets_kinds / sizeof secrets_kinds[0]) munit_errorf("no notification %s with %s is sent here", v->value, f->name);
      found++;
    }
  }
  munit_assert_size(found, >, 10);
}

/* Notes the secrets of a body: the words that begin with "secret-", up to the next quote. */
static void secrets_marked(secrets_list *list, const char *body)
{
  const char *at = body;
  while ((at = strstr(at, "secret-")) != NULL) {
    secrets_note(list, (svc_str){ at, strcspn(at, "\"") });
    at += 7;
  }
}

static void secrets_of_each(t_world *w, secrets_list *list)
{
  size_t i;
  for (i = 0; i < sizeof secrets_kinds / sizeof secrets_kinds[0]; i++) {
    if (t_sendf(&w->t, "POST", secrets_kinds[i].body, "/groups/%s/%s", w->group, secrets_kinds[i].path) != 201)
      munit_errorf("%s: %s", secrets_kinds[i].path, w->t.response.body);
    secrets_marked(list, secrets_kinds[i].body);
  }
}

static void secrets_in_records(svc *s, const secrets_list *list)
{
  char prefix[2] = "A";
  probe_walk walk;
  size_t i;
  for (; prefix[0] <= 'z'; prefix[0]++)
    for (probe_walk_begin(&walk, s, prefix); probe_walk_next(&walk);)
      for (i = 0; i < list->n; i++)
        if (secrets_in(walk.value.p, walk.value.n, list->all[i]) || secrets_in(walk.key.p, walk.key.n, list->all[i]))
          munit_errorf("%s is in a record in clear", list->all[i]);
}

static void secrets_in_file(const char *folder, const char *name, const secrets_list *list)
{
  char path[200], *bytes;
  size_t n, i, most = (size_t)64 << 20;
  FILE *f;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  f = fopen(path, "rb");
  munit_assert_not_null(f);
  bytes = munit_malloc(most);
  n = fread(bytes, 1, most, f);
  fclose(f);
  munit_assert_size(n, >, 4096);
  munit_assert_size(n, <, most);
  munit_assert_true(secrets_in(bytes, n, "Acme")); /* the search finds text that is there */
  for (i = 0; i < list->n; i++)
    if (secrets_in(bytes, n, list->all[i])) munit_errorf("%s is in %s in clear", list->all[i], name);
  free(bytes);
}

/* Searches for all secrets, and clears the list. Returns their number. */
static size_t secrets_look(t_world *w, const char *folder, secrets_list *list)
{
  size_t n = list->n, i;
  if (n) secrets_in_records(w->t.s, list);
  t_world_close(w);
  if (n && T_ON_LMDB) secrets_in_file(folder, "data.mdb", list);
  for (i = 0; i < n; i++) free(list->all[i]);
  list->n = 0;
  store_remove(folder);
  return n;
}

/* ------------------------------------------------------------------------------------------------------------- the stack */

typedef struct secrets_request {
  svc *s;
  const svc_request *request;
  svc_response *out;
  int rc;
} secrets_request;

static char *secrets_stack; /* of the thread that handled the last request; filled with zeros before each request */

static void *secrets_handle_on(void *context)
{
  secrets_request *r = context;
  volatile char above[SECRETS_ABOVE]; /* the end of the thread writes there */
  size_t i;
  for (i = 0; i < sizeof SECRETS_WORDS; i++) above[i] = SECRETS_WORDS[i]; /* as a handler might leave a secret */
  munit_assert_char(above[0], ==, SECRETS_WORDS[0]);
  r->rc = svc_handle_request(r->s, r->request, r->out);
  return NULL;
}

/* Calls svc_handle_request() in a thread whose stack can be read afterwards. */
static int secrets_handle(svc *s, const svc_request *request, svc_response *out)
{
  secrets_request r = { s, request, out, -1 };
  pthread_attr_t attributes;
  pthread_t thread;
  memset(secrets_stack, 0, SECRETS_STACK);
  munit_assert_int(pthread_attr_init(&attributes), ==, 0);
  munit_assert_int(pthread_attr_setstack(&attributes, secrets_stack, SECRETS_STACK), ==, 0);
  munit_assert_int(pthread_create(&thread, &attributes, secrets_handle_on, &r), ==, 0);
  munit_assert_int(pthread_join(thread, NULL), ==, 0);
  pthread_attr_destroy(&attributes);
  return r.rc;
}

static void secrets_on_stack(const char *what, const secrets_list *list)
{
  size_t i;
  munit_assert_true(secrets_in(secrets_stack, SECRETS_STACK, SECRETS_WORDS));
  for (i = 0; i < list->n; i++)
    if (secrets_in(secrets_stack, SECRETS_STACK, list->all[i])) munit_errorf("%s: %s stays on the stack", what, list->all[i]);
}

/* Tests each route in a store of its own. */
TEST(secrets, nowhere)
{
  static t_world w;
  static secrets_list list;
  char folder[128];
  size_t i, count, found = 0;
  bool *sends;
  secrets_notifications();
  secrets_stack = aligned_alloc(65536, SECRETS_STACK);
  munit_assert_not_null(secrets_stack);
  t_world_open(&w);
  count = w.t.s->plan_count;
  sends = munit_calloc(count, sizeof *sends);
  for (i = 0; i < count; i++) {
    const svc_plan *plan = &w.t.s->plans[i];
    sends[i] = plan->route->method != SVC_GET && plan->route->method != SVC_DELETE && !(plan->route->flags & SVC_RAW_BODY) &&
               !t_world_elsewhere(plan);
  }
  t_world_close(&w);
  for (i = 0; i <= count; i++) {
    if (i < count && !sends[i]) continue;
    store_folder(folder);
    t_world_open_in(&w, folder);
    if (i == count) secrets_of_each(&w, &list);
    else if (t_world_ready(&w, &w.t.s->plans[i])) {
      w.t.handle = secrets_handle;
      secrets_send(&w, &list, &w.t.s->plans[i]);
      secrets_on_stack(w.t.s->plans[i].route->op, &list);
    }
    found += secrets_look(&w, folder, &list);
  }
  free(sends);
  free(secrets_stack);
  munit_assert_size(found, >, 30); /* the list was not empty */
  t_complaints_end();
}

/* --------------------------------------------------------------------------------------------- destinations of secrets */

#define GO_KAFKA \
  "\"authentication\":{\"mechanism\":\"SCRAM-256\",\"username\":\"u\",\"password\":\"secret-kafka\"},\"security\":{\"protocol\":\"SASL_SSL\"}"
#define GO_REGISTRY(url, password) \
  "\"provider\":\"CONFLUENT\",\"schemaRegistryUrls\":[\"" url "\"],\"schemaRegistryAuthentication\":{\"type\":\"USER_INFO\",\"username\":\"u\"" password "}}"
#define GO_HOOK(url, secret) "{\"type\":\"WEBHOOK\",\"url\":\"" url "\",\"secret\":\"" secret "\"}"
#define GO_LOGS(endpoint, header) \
  "{\"type\":\"OTEL_LOG_EXPORT\",\"otelEndpoint\":\"" endpoint "\",\"otelSuppliedHeaders\":[{\"name\":\"A\"" header "}]" LOGS
#define GO_SPLUNK(url, token) "{\"type\":\"SPLUNK_LOG_EXPORT\",\"hecUrl\":\"" url "\",\"hecToken\":\"" token "\"" LOGS
#define GO_ALERT(hooks) "{\"eventTypeName\":\"HOST_DOWN\",\"enabled\":true,\"notifications\":[" hooks "]}"
#define GO_TOLD(url, secret) "{\"typeName\":\"WEBHOOK\",\"webhookUrl\":\"" url "\",\"webhookSecret\":\"" secret "\"}"
#define GO_UUID "\"3d3f0b3e-2b6a-4f0e-8b8a-0c1a2b3c4d5e\""
#define GO_STREAM "streams/W/connections", "/c"
#define GO_ONE "https://one.example.com"
#define GO_TWO "https://two.example.com"
#define GO_MASK "****"

/* A resource is created with a secret. A change of its destination is refused without the secret or with its mask, and accepted
** with the secret. */
static const struct {
  const char *make, *at; /* the path for the POST, and the rest of the path of the new resource; "/%s": its id */
  const char *body, *method, *without, *field, *with;
} secrets_goes[] = {
  { GO_STREAM, "{\"name\":\"c\",\"type\":\"Kafka\",\"bootstrapServers\":\"a:1\"," GO_KAFKA "}", "PATCH", "{\"bootstrapServers\":\"b:1\"}",
    "authentication.password", "{\"bootstrapServers\":\"b:1\"," GO_KAFKA "}" },
  { GO_STREAM, "{\"name\":\"c\",\"type\":\"Kafka\",\"bootstrapServers\":\"a:1\"," GO_KAFKA "}", "PATCH",
    "{\"security\":{\"protocol\":\"SASL_PLAINTEXT\"}}", "authentication.password",
    "{\"security\":{\"protocol\":\"SASL_PLAINTEXT\"},\"authentication\":{\"password\":\"secret-other\"}}" },
  { GO_STREAM, "{\"name\":\"c\",\"type\":\"Https\",\"url\":\"" GO_ONE "\",\"headers\":{\"A\":\"secret-header\"}}", "PATCH",
    "{\"url\":\"" GO_TWO "\"}", "headers", "{\"url\":\"" GO_TWO "\",\"headers\":{\"A\":\"secret-header\"}}" },
  { GO_STREAM, "{\"name\":\"c\",\"type\":\"SchemaRegistry\"," GO_REGISTRY(GO_ONE, ",\"password\":\"secret-registry\""), "PATCH",
    "{\"schemaRegistryUrls\":[\"" GO_TWO "\"]}", "schemaRegistryAuthentication.password",
    "{" GO_REGISTRY(GO_TWO, ",\"password\":\"secret-registry\"") },
  { "integrations/WEBHOOK", "", GO_HOOK(GO_ONE, "secret-hook"), "PUT", GO_HOOK(GO_TWO, GO_MASK), "secret", GO_HOOK(GO_TWO, "secret-hook") },
  { "logIntegrations", "/%s", GO_LOGS(GO_ONE, ",\"value\":\"secret-otel\""), "PUT", GO_LOGS(GO_TWO, ""), "otelSuppliedHeaders[0].value",
    GO_LOGS(GO_TWO, ",\"value\":\"secret-otel\"") },
  { "logIntegrations", "/%s", GO_SPLUNK(GO_ONE, "secret-splunk"), "PUT", GO_SPLUNK(GO_TWO, GO_MASK), "hecToken", GO_SPLUNK(GO_TWO, "secret-splunk") },
  { "alertConfigs", "/%s", GO_ALERT(GO_TOLD(GO_ONE, "secret-told")), "PUT", GO_ALERT(GO_TOLD(GO_TWO, GO_MASK)), "notifications[0].webhookSecret",
    GO_ALERT(GO_TOLD(GO_TWO, "secret-told")) },
  { "userSecurity", "", "{\"ldap\":{\"hostname\":\"a.example.com\",\"bindUsername\":\"DC=a\",\"bindPassword\":\"secret-bind\"}}", "PATCH",
    "{\"ldap\":{\"hostname\":\"b.example.com\"}}", "ldap.bindPassword", "{\"ldap\":{\"hostname\":\"b.example.com\",\"bindPassword\":\"secret-bind\"}}" },
  { "encryptionAtRest", "", "{\"azureKeyVault\":{\"enabled\":true,\"keyIdentifier\":\"" GO_ONE "/keys/k/1\",\"keyVaultName\":\"v\",\"resourceGroupName\":"
    "\"g\",\"subscriptionID\":" GO_UUID ",\"clientID\":" GO_UUID ",\"tenantID\":" GO_UUID ",\"secret\":\"secret-azure\"}}", "PATCH",
    "{\"azureKeyVault\":{\"keyIdentifier\":\"" GO_TWO "/keys/k/1\"}}", "azureKeyVault.secret",
    "{\"azureKeyVault\":{\"keyIdentifier\":\"" GO_TWO "/keys/k/1\",\"secret\":\"secret-azure\"}}" },
};

TEST(secrets, destination)
{
  static t_world w;
  size_t i;
  for (i = 0; i < sizeof secrets_goes / sizeof secrets_goes[0]; i++) {
    char path[256], at[320];
    bool made;
    t_world_open(&w);
    munit_assert_int(t_sendf(&w.t, "POST", "{\"name\":\"W\",\"dataProcessRegion\":{\"cloudProvider\":\"AWS\",\"region\":\"VIRGINIA_USA\"}}",
                             "/groups/%s/streams", w.group), ==, 201);
    snprintf(path, sizeof path, "/groups/%s/%s", w.group, secrets_goes[i].make);
    made = strcmp(secrets_goes[i].method, "PATCH") == 0 && !secrets_goes[i].at[0]; /* a resource that always exists */
    if (t_send(&w.t, made ? "PATCH" : "POST", path, secrets_goes[i].body) >= 300) munit_errorf("%s: %s", path, w.t.response.body);
    snprintf(at, sizeof at, "%s%s%s", path, secrets_goes[i].at[0] == '/' && secrets_goes[i].at[1] == '%' ? "/" : secrets_goes[i].at,
             secrets_goes[i].at[0] == '/' && secrets_goes[i].at[1] == '%' ? t_keep(&w.t, t_str(&w.t, "id")) : "");
    t_advance(&w.t, 600);
    if (t_send(&w.t, secrets_goes[i].method, at, secrets_goes[i].without) != 400 || !t_violation(&w.t, secrets_goes[i].field))
      munit_errorf("%s %s: %s", at, secrets_goes[i].without, w.t.response.body);
    if (t_send(&w.t, secrets_goes[i].method, at, secrets_goes[i].with) >= 300) munit_errorf("%s %s: %s", at, secrets_goes[i].with, w.t.response.body);
    t_world_close(&w);
  }
}

/* The rule holds at every place in a list: the second notification cannot get a new URL without its secret, and the error names it. */
TEST(secrets, places)
{
  static t_world w;
  const char *id;
  t_world_open(&w);
  munit_assert_int(t_sendf(&w.t, "POST", GO_ALERT("{\"typeName\":\"GROUP\",\"emailEnabled\":true}," GO_TOLD(GO_ONE "/a", "secret-told")),
                           "/groups/%s/alertConfigs", w.group), ==, 201);
  id = t_keep(&w.t, t_str(&w.t, "id"));
  munit_assert_int(t_sendf(&w.t, "PUT", GO_ALERT("{\"typeName\":\"GROUP\",\"emailEnabled\":false}," GO_TOLD(GO_TWO "/a", GO_MASK)),
                           "/groups/%s/alertConfigs/%s", w.group, id), ==, 400);
  munit_assert_true(t_violation(&w.t, "notifications[1].webhookSecret"));
  munit_assert_int(t_sendf(&w.t, "PUT", GO_ALERT("{\"typeName\":\"GROUP\",\"emailEnabled\":false}," GO_TOLD(GO_ONE "/a", "secret-told")),
                           "/groups/%s/alertConfigs/%s", w.group, id), ==, 200);
  t_world_close(&w);
}

typedef struct secrets_seen {
  bool secret, address, said;
} secrets_seen;

/* Finds secrets and addresses in an object and below it. An address that is itself a secret needs no rule. */
static void secrets_see(const svc_object *object, secrets_seen *seen, int depth)
{
  const svc_variant *v = SVC_VARIANTS_OF(object);
  unsigned i;
  for (; v && v->value; v++) {
    secrets_seen own = { false, false, false };
    secrets_see(v->object, &own, depth + 1);
    if (own.secret && own.address && !own.said) munit_errorf("%s has secrets and an address, but no secrets_go_to connects them", v->object->name);
    seen->secret |= own.secret && !own.said;
  }
  if (SVC_VARIANTS_OF(object) || depth > 6) return;
  for (; object; object = object->base) {
    const char *const *path = svc_object_ext_of(object)->secrets_go_to;
    seen->said |= path != NULL;
    for (; path && *path; path++)
      if (!svc_field_named(object, svc_str_c(*path))) munit_errorf("%s has no field %s", object->name, *path);
    for (i = 0; i < object->count; i++) {
      const svc_field *f = &object->fields[i];
      bool address = (f->type == SVC_STRING || f->type == SVC_ARRAY) && (f->format == SVC_FORMAT_URI || strstr(f->name, "hostname") ||
                                                                         strstr(f->name, "Servers") || strstr(f->name, "keyIdentifier"));
      if (address && !(f->flags & SVC_SEALED)) seen->address = true;
      else if (f->flags & SVC_SEALED && !address) seen->secret = true;
      if (svc_field_object(f)) {
        secrets_seen below = { false, false, false };
        secrets_see(svc_field_object(f), &below, depth + 1);
        if (below.secret && below.address && !below.said) munit_errorf("%s has secrets and an address, but no secrets_go_to connects them", svc_field_object(f)->name);
        seen->secret |= below.secret && !below.said;
        seen->address |= below.address && !below.said;
      }
    }
  }
}

/* Every object with a secret and an address declares that the secret belongs to the address. */
TEST(secrets, said)
{
  size_t count, i;
  const svc_noun *const *nouns = svc_catalog_all(&count);
  for (i = 0; i < count; i++) {
    secrets_seen seen = { false, false, false };
    bool changes = false;
    unsigned k;
    for (k = 0; k < nouns[i]->route_count; k++)
      changes |= nouns[i]->routes[k].method == SVC_PATCH || nouns[i]->routes[k].method == SVC_PUT;
    if (!nouns[i]->object || !changes) continue;
    secrets_see(nouns[i]->object, &seen, 0);
    if (seen.secret && seen.address && !seen.said) munit_errorf("%s has secrets and an address, but no secrets_go_to connects them", nouns[i]->name);
  }
}

/*
** No secret is in the store in clear. All that was ever sent as one, or shown once by an answer, is looked for in every record,
** and in the files that the store leaves behind.
**
** The requests are those of all routes, by their examples (test/world.h), and one of each kind of what has secrets of several.
*/
#include "world.h"
#include "mechanism/probe.h"
#include "catalog/monitoring/alert_parts.h"

#define SECRETS_MOST 512

typedef struct secrets_list {
  char *all[SECRETS_MOST];
  size_t n;
} secrets_list;

/* Words that are no secrets, though they stand where one may: too short to be told from others. */
static void secrets_note(secrets_list *list, svc_str text)
{
  if (text.n < 6 || memcmp(text.p, "****", 4) == 0) return;
  munit_assert_size(list->n, <, SECRETS_MOST);
  list->all[list->n] = munit_malloc(text.n + 1);
  memcpy(list->all[list->n], text.p, text.n);
  list->all[list->n++][text.n] = 0;
}

/* What the table says is secret in a body that is sent. */
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
    if (f->type == SVC_OBJECT) secrets_sent(list, f->object, value);
    for (item = value->first; item && f->type == SVC_ARRAY && SVC_OBJECT_OF(f); item = item->next) secrets_sent(list, f->object, item);
  }
}

/* What an answer shows once. Of a text with keys in it, each line of a key. */
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

/* One of each kind, where a row has one example for all: where to, and what. */
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

/* Every secret that the table of notifications has stands above. */
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

/* The words in it that begin so are its secrets, up to their quote. */
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
  munit_assert_true(secrets_in(bytes, n, "Acme")); /* it looks where something is */
  for (i = 0; i < list->n; i++)
    if (secrets_in(bytes, n, list->all[i])) munit_errorf("%s is in %s in clear", list->all[i], name);
  free(bytes);
}

/* Look for all, and forget them. How many there were. */
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

/* Each route in a store of its own. */
static MunitResult secrets_nowhere(const MunitParameter params[], void *data)
{
  static t_world w;
  static secrets_list list;
  char folder[128];
  size_t i, count, found = 0;
  bool *sends;
  (void)params, (void)data;
  secrets_notifications();
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
    else if (t_world_ready(&w, &w.t.s->plans[i])) secrets_send(&w, &list, &w.t.s->plans[i]);
    found += secrets_look(&w, folder, &list);
  }
  free(sends);
  munit_assert_size(found, >, 30); /* it is not that nothing was looked for */
  t_complaints_end();
  return MUNIT_OK;
}

static MunitTest tests[] = {
  { "/nowhere", secrets_nowhere, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
  { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL }
};

const MunitSuite svc_suite_secrets = { "/secrets", tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };

/*
** The list of all event types, from their table.
**
** Most types have no description of their own: the words of the name make one.
*/
#include "catalog/catalog.h"
#include "catalog/event_type_list.h"

static const svc_field event_type_fields[] = {
  F_BOOL("alertable", .flags = SVC_READ_ONLY),
  F_STR("description", .flags = SVC_READ_ONLY),
  F_STR("eventType", .flags = SVC_READ_ONLY | SVC_GROUP_EVENTS | SVC_ORG_EVENTS)
};
static const svc_object event_type_object = { .name = "EventType", .fields = SVC_ROWS(event_type_fields) };

static bool event_type_list(svc_call *c);

static const svc_route event_type_routes[] = {
  { .method = SVC_GET, .path = "/eventTypes", .set = SVC_SET_EVENT_TYPES, .versions = { 20230101 },
    .roles = SVC_R_ORG_MEMBER | SVC_R_GROUP_READ_ONLY, .flags = SVC_PAGED | SVC_ANYWHERE,
    .answer = &event_type_object, .op = "listEventTypes", .run = event_type_list }
};

/* Words that stay in capital letters. */
static bool event_type_abbreviation(svc_str word)
{
  static const char *const all[] = { "AI", "API", "APIS", "AWS", "CA", "CPU", "CRL", "DB", "DNS", "FTS", "GCP", "ID", "IDP",
                                     "IP", "JWKS", "KMIP", "KMS", "LDAP", "MFA", "OIDC", "OS", "S3", "SQL", "SSH", "SSL",
                                     "TLS", "TTL", "UI", "URI", "URL", "UUID", "VM", "VPC", "X509" };
  size_t i;
  for (i = 0; i < sizeof all / sizeof all[0]; i++)
    if (svc_str_is(word, all[i])) return true;
  return false;
}

/* HOST_SSL_CERTIFICATE_STALE: "Host SSL certificate stale." */
static svc_str event_type_words(svc_call *c, const char *name)
{
  svc_buf b = svc_buf_new(c->arena, strlen(name) + 2);
  svc_str rest = svc_str_c(name);
  while (rest.n) {
    svc_str word = svc_str_cut(&rest, '_');
    bool capitals = event_type_abbreviation(word);
    size_t i;
    if (b.n) svc_buf_char(&b, ' ');
    for (i = 0; i < word.n; i++) {
      bool upper = word.p[i] >= 'A' && word.p[i] <= 'Z';
      svc_buf_char(&b, upper && !capitals && b.n > 0 ? (char)(word.p[i] - 'A' + 'a') : word.p[i]);
    }
  }
  svc_buf_char(&b, '.');
  return svc_buf_done(&b);
}

static bool event_type_next(svc_call *c, void *state, svc_item *out)
{
  svc_event_type *row = state;
  svc_str description;
  svc_node *body;
  if (!svc_event_type_next(row)) return false;
  if (!out) return true;
  description = *row->description ? svc_str_c(row->description) : event_type_words(c, row->name);
  body = svc_node_object(c->arena, NULL);
  if (!body) return false;
  svc_node_set_bool(c->arena, body, "alertable", row->alertable);
  svc_node_set_str(c->arena, body, "description", description);
  svc_node_set_str(c->arena, body, "eventType", svc_value_text(c->s, c->arena, row->name));
  svc_item_node(c, out, SVC_S(""), body);
  return true;
}

static bool event_type_list(svc_call *c)
{
  svc_event_type row;
  memset(&row, 0, sizeof row);
  return svc_list_items(c, event_type_next, &row, SVC_EVENT_TYPE_COUNT);
}

SVC_PRIVATE const svc_noun svc_noun_event_type = {
  .name = "event type",
  .flags = SVC_VIRTUAL,
  .routes = SVC_ROUTES(event_type_routes),
};

/*
** Every change writes its event, in the transaction of the change.
**
** An event is an entity of the noun that is marked as the feed, below a project or an organization. It is written in
** the order of its members, so no tree is made for it. The event of something that is gone with its own feed goes to
** the feed of its owner.
*/
#include "internal.h"

static void event_member(svc_buf *b, const char *name, svc_str value)
{
  if (value.n == 0) return;
  svc_buf_add(b, b->n ? ",\"" : "{\"", 2);
  svc_buf_text(b, name);
  svc_buf_add(b, "\":", 2);
  svc_json_escape(b, value);
}

static svc_str event_id_text(svc_call *c, const svc_id *id)
{
  return id ? svc_id_str(c->arena, id) : SVC_S("");
}

/* A service account acts as itself: its client id. */
static void event_principal(svc_call *c, svc_buf *b)
{
  if (c->who.kind != SVC_WHO_ACCOUNT) return;
  svc_buf_text(b, ",\"delegatePrincipal\":{\"id\":");
  svc_json_escape(b, c->who.username);
  svc_buf_char(b, '}');
}

/* What an event is about: one field or two, in the order of their names; no name: there is none. */
typedef struct event_subject {
  const char *name;
  svc_str value;
} event_subject;

/* Members that come in the order of names; the subjects find their places among them. */
static void event_body(svc_call *c, svc_buf *b, svc_entity *e, const char *type, const svc_id *group, const svc_id *org,
                       const event_subject about[2])
{
  char created[21];
  struct {
    const char *name;
    svc_str value;
  } members[] = {
    { "apiKeyId", c->who.kind == SVC_WHO_KEY ? c->who.user_id : SVC_S("") },
    { "created", { created, 20 } },
    { "delegatePrincipal", { "", 0 } },
    { "eventTypeName", svc_str_c(type) },
    { "groupId", event_id_text(c, group) },
    { "id", event_id_text(c, &e->id) },
    { "isGlobalAdmin", { "", 0 } },
    { "links", { "", 0 } },
    { "orgId", event_id_text(c, org) },
    { "publicKey", c->who.kind == SVC_WHO_KEY ? c->who.username : SVC_S("") },
    { "remoteAddress", c->peer },
    { "userId", c->who.kind == SVC_WHO_USER ? c->who.user_id : SVC_S("") },
    { "username", c->who.kind == SVC_WHO_USER ? c->who.username : SVC_S("") },
  };
  size_t i, next = 0;
  svc_date_text(c->now, created);
  for (i = 0; i < sizeof members / sizeof members[0]; i++) {
    for (; next < 2 && about[next].name && strcmp(about[next].name, members[i].name) < 0; next++)
      event_member(b, about[next].name, about[next].value);
    if (strcmp(members[i].name, "links") == 0) e->links_at = b->n + 1;
    else if (strcmp(members[i].name, "isGlobalAdmin") == 0) svc_buf_text(b, ",\"isGlobalAdmin\":false");
    else if (strcmp(members[i].name, "delegatePrincipal") == 0) event_principal(c, b);
    else event_member(b, members[i].name, members[i].value);
  }
  for (; next < 2 && about[next].name; next++) event_member(b, about[next].name, about[next].value);
  svc_buf_char(b, '}');
}

/* What feeds are filtered by: the time (8 bytes), the type, a newline, and the member it is about as name=value. */
static svc_str event_extra(svc_call *c, const char *type, const char *field, svc_str value)
{
  svc_buf b = svc_buf_new(c->arena, 96);
  svc_buf_add(&b, (const char *)&c->now, sizeof c->now);
  svc_buf_text(&b, type);
  svc_buf_char(&b, '\n');
  if (field) {
    svc_buf_text(&b, field);
    svc_buf_char(&b, '=');
    svc_buf_str(&b, value);
  }
  return svc_buf_done(&b);
}

static bool event_write(svc_call *c, const char *type, const svc_id *group, const svc_id *org, const event_subject about[2])
{
  svc_buf b;
  svc_entity e;
  if (!c->s->feed || !type) return true; /* built without events */
  b = svc_buf_new(c->arena, 384);
  memset(&e, 0, sizeof e);
  e.kind = c->s->feed->noun->kind;
  e.parent = group ? *group : *org;
  e.id = svc_new_id(c->txn);
  e.key = svc_id_str(c->arena, &e.id);
  e.revision = svc_new_revision(c->txn);
  e.extra = event_extra(c, type, about[0].name, about[0].value);
  event_body(c, &b, &e, type, group, org, about);
  e.body = svc_buf_done(&b);
  if (b.failed) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  return svc_entity_insert(c->txn, c->arena, &e) == SVC_OK || svc_store_failed(c, c->txn->error);
}

SVC_PRIVATE bool svc_event_write(svc_call *c, const char *type, const svc_id *group, const svc_id *org, const char *field,
                                 svc_str value)
{
  const event_subject about[2] = { { field, value }, { NULL, { NULL, 0 } } };
  return event_write(c, type, group, org, about);
}

/* Whose list it is an entry of: the credential of the path. */
static event_subject event_credential(svc_call *c, const svc_noun_info *noun)
{
  event_subject none = { NULL, { NULL, 0 } };
  unsigned i;
  if (!(noun->noun->flags & SVC_IS_ACCESS_LIST)) return none;
  for (i = 0; c->plan && i < c->resolved; i++)
    if (c->plan->steps[i].noun == noun->parent) return (event_subject){ noun->parent->noun->event_field, c->chain[i].unique };
  return none;
}

SVC_PRIVATE bool svc_event_about(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const char *type, bool gone)
{
  svc_id group = svc_call_group(c), org = svc_call_org(c);
  event_subject about[2];
  if (!type) return true;
  if (noun == c->s->group) {
    group = e->id;
    org = e->owner;
  } else if (noun == c->s->org) {
    org = e->id;
    if (gone) return true; /* its feed went with it, and it has no owner */
  }
  if (svc_id_is_zero(&org) && noun->parent && noun->parent == c->s->org) org = e->parent;
  if (gone && noun == c->s->group) return svc_event_write(c, type, NULL, &org, "groupId", svc_id_str(c->arena, &group));
  about[0].name = noun->noun->event_field;
  about[0].value = e->unique.n && !(noun->noun->flags & SVC_EVENT_KEY) ? e->unique : e->key;
  about[1] = event_credential(c, noun);
  if (about[1].name && strcmp(about[1].name, about[0].name) < 0) {
    event_subject other = about[0];
    about[0] = about[1];
    about[1] = other;
  }
  if (svc_id_is_zero(&group)) return svc_id_is_zero(&org) || event_write(c, type, NULL, &org, about);
  return event_write(c, type, &group, &org, about);
}

/*
** Every change writes its event, in the transaction of the change.
**
** An event is an entity of the noun that is marked as the feed, below a project or an organization. It is written in
** the order of its members, so no tree is made for it. The event of something that is gone with its own feed goes to
** the feed of its owner.
*/
#include "internal.h"

/* ---------------------------------------------------------------------------------------------------------------- types */

/* The table in little room: one text behind the other, without a pointer to each. */
#define EVENT_NAME_ROOM(name, where, alertable, description) char of_##name[sizeof #name];
#define EVENT_NAME(name, where, alertable, description) #name,
static const struct event_names {
  SVC_EVENT_TYPE_LIST(EVENT_NAME_ROOM)
} event_names = { SVC_EVENT_TYPE_LIST(EVENT_NAME) };

#define EVENT_DESCRIPTION_ROOM(name, where, alertable, description) char of_##name[sizeof description];
#define EVENT_DESCRIPTION(name, where, alertable, description) description,
static const struct event_descriptions {
  SVC_EVENT_TYPE_LIST(EVENT_DESCRIPTION_ROOM)
} event_descriptions = { SVC_EVENT_TYPE_LIST(EVENT_DESCRIPTION) };

#define EVENT_ALERTABLE 4 /* beside the bits of enum svc_event_where */
#define EVENT_FLAGS(name, where, alertable, description) (where) | (alertable ? EVENT_ALERTABLE : 0),
static const unsigned char event_flags[] = { SVC_EVENT_TYPE_LIST(EVENT_FLAGS) };

SVC_PRIVATE bool svc_event_type_next(svc_event_type *t)
{
  if (t->number == SVC_EVENT_TYPE_COUNT) return false;
  t->name = t->number ? t->name + strlen(t->name) + 1 : (const char *)&event_names;
  t->description = t->number ? t->description + strlen(t->description) + 1 : (const char *)&event_descriptions;
  t->where = event_flags[t->number] & ~EVENT_ALERTABLE;
  t->alertable = event_flags[t->number] & EVENT_ALERTABLE;
  t->number++;
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- events */

/* One member; `front` is all before its value, and begins with a comma. */
static void event_write_member(svc_buf *b, svc_str front, svc_str value)
{
  bool first = b->n == 0;
  char *to;
  if (value.n == 0) return;
  to = svc_buf_room(b, front.n);
  if (!to) return;
  memcpy(to, front.p, front.n);
  if (first) to[0] = '{';
  svc_json_escape(b, value);
}

static svc_str event_id_text(svc_call *c, const svc_id *id)
{
  return id ? svc_id_str(c->arena, id) : SVC_S("");
}

/* What an event is about: one field or two, in the order of their names; no name: there is none. */
typedef struct event_subject {
  const char *name;
  svc_str value;
} event_subject;

static void event_write_subject(svc_buf *b, const event_subject *about)
{
  if (about->value.n == 0) return;
  svc_buf_add(b, b->n ? ",\"" : "{\"", 2);
  svc_buf_text(b, about->name);
  svc_buf_add(b, "\":", 2);
  svc_json_escape(b, about->value);
}

/* A service account acts as itself: its client id. */
static void event_write_principal(svc_buf *b, const svc_call *c)
{
  if (c->who.kind != SVC_WHO_ACCOUNT) return;
  svc_buf_text(b, ",\"delegatePrincipal\":{\"id\":");
  svc_json_escape(b, c->who.username);
  svc_buf_char(b, '}');
}

/* Members in the order of their names; the subjects find their places among them. */
static void event_body(svc_call *c, svc_buf *b, svc_entity *e, const char *type, const svc_id *group, const svc_id *org,
                       const event_subject about[2])
{
  enum { TEXT, PRINCIPAL, ADMIN, LINKS };
#define EVENT_MEMBER(name) name, { ",\"" name "\":", sizeof name + 3 }
  char created[21];
  const bool key = c->who.kind == SVC_WHO_KEY, user = c->who.kind == SVC_WHO_USER;
  const svc_str none = { "", 0 };
  const struct {
    const char *name;
    svc_str front, value;
    int what;
  } members[] = {
    { EVENT_MEMBER("apiKeyId"), key ? c->who.user_id : none, TEXT },
    { EVENT_MEMBER("created"), { created, 20 }, TEXT },
    { EVENT_MEMBER("delegatePrincipal"), none, PRINCIPAL },
    { EVENT_MEMBER("eventTypeName"), svc_str_c(type), TEXT },
    { EVENT_MEMBER("groupId"), event_id_text(c, group), TEXT },
    { EVENT_MEMBER("id"), e->key, TEXT },
    { EVENT_MEMBER("isGlobalAdmin"), none, ADMIN },
    { EVENT_MEMBER("links"), none, LINKS },
    { EVENT_MEMBER("orgId"), event_id_text(c, org), TEXT },
    { EVENT_MEMBER("publicKey"), key ? c->who.username : none, TEXT },
    { EVENT_MEMBER("remoteAddress"), c->peer, TEXT },
    { EVENT_MEMBER("userId"), user ? c->who.user_id : none, TEXT },
    { EVENT_MEMBER("username"), user ? c->who.username : none, TEXT },
  };
#undef EVENT_MEMBER
  size_t i, next = 0;
  svc_date_text(c->now, created);
  for (i = 0; i < sizeof members / sizeof members[0]; i++) {
    for (; next < 2 && about[next].name && strcmp(about[next].name, members[i].name) < 0; next++)
      event_write_subject(b, &about[next]);
    switch (members[i].what) {
    case PRINCIPAL: event_write_principal(b, c); break;
    case ADMIN: svc_buf_text(b, ",\"isGlobalAdmin\":false"); break;
    case LINKS: e->links_at = b->n + 1; break;
    default: event_write_member(b, members[i].front, members[i].value);
    }
  }
  for (; next < 2 && about[next].name; next++) event_write_subject(b, &about[next]);
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

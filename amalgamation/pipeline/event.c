/*
** A change writes the event that its noun names for it, in the transaction of the change. There is none if the noun names none, if
** nothing changed, if the resource is in no project or organization, and below a project or organization that is being deleted.
**
** An event is an entity of the noun in the seat of the feed, below a project or an organization. Its members are written in
** order, without building a tree. The event of a deleted project goes to the feed of its organization. The id of an event has
** the time at which it happened, so a feed is sorted by time.
*/
#include "pipeline/pipeline.h"

/* --------------------------------------------------------------------------------------------------------------- events */

/* A member; `front` is the text before its value, and begins with a comma. */
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

/* The positions of the values that the feed is filtered by. */
typedef struct event_places {
  const svc_noun *feed;
  svc_place at[SVC_TALLIES];
} event_places;

/* A value was written at this position. */
static void event_note_place(event_places *places, const char *name, size_t from, size_t to)
{
  int field = svc_tallied(places->feed, name);
  if (field >= 0) places->at[field] = (svc_place){ (uint32_t)(from + 1), (uint32_t)(to - from - 2) }; /* without its quotes */
}

static void event_write_subject(svc_buf *b, const svc_event_part *about, event_places *places)
{
  size_t from;
  if (about->value.n == 0) return;
  svc_buf_add(b, b->n ? ",\"" : "{\"", 2);
  svc_buf_text(b, about->name);
  svc_buf_add(b, "\":", 2);
  from = b->n;
  if (about->raw) svc_buf_str(b, about->value);
  else svc_json_escape(b, about->value);
  event_note_place(places, about->name, from, b->n);
}

/* A service account acts under its client id. */
static void event_write_principal(svc_buf *b, const svc_call *c)
{
  if (c->who.kind != SVC_WHO_ACCOUNT) return;
  svc_buf_text(b, ",\"delegatePrincipal\":{\"id\":");
  svc_json_escape(b, c->who.username);
  svc_buf_char(b, '}');
}

/* Members sorted by name; the subjects are merged in. */
static void event_body(svc_call *c, svc_buf *b, svc_entity *e, const char *type, const svc_scope *scope, const svc_event_part *about,
                       size_t count, event_places *places)
{
  enum { TEXT, TYPE, PRINCIPAL, ADMIN, LINKS };
#define EVENT_MEMBER(name) name, { ",\"" name "\":", sizeof name + 3 }
  char created[21];
  const bool key = c->who.kind == SVC_WHO_KEY, user = c->who.kind == SVC_WHO_USER;
  const svc_str none = { "", 0 };
  const svc_id *group = svc_id_is_zero(&scope->group) ? NULL : &scope->group;
  const struct {
    const char *name;
    svc_str front, value;
    int what;
  } members[] = {
    { EVENT_MEMBER("apiKeyId"), key ? c->who.user_id : none, TEXT },
    { EVENT_MEMBER("created"), { created, 20 }, TEXT },
    { EVENT_MEMBER("delegatePrincipal"), none, PRINCIPAL },
    { EVENT_MEMBER("eventTypeName"), svc_value_text(c->s, c->arena, type), TYPE },
    { EVENT_MEMBER("groupId"), event_id_text(c, group), TEXT },
    { EVENT_MEMBER("id"), e->key, TEXT },
    { EVENT_MEMBER("isGlobalAdmin"), none, ADMIN },
    { EVENT_MEMBER("links"), none, LINKS },
    { EVENT_MEMBER("orgId"), event_id_text(c, &scope->org), TEXT },
    { EVENT_MEMBER("publicKey"), key ? c->who.username : none, TEXT },
    { EVENT_MEMBER("remoteAddress"), c->request.peer, TEXT },
    { EVENT_MEMBER("userId"), user ? c->who.user_id : none, TEXT },
    { EVENT_MEMBER("username"), user ? c->who.username : none, TEXT },
  };
#undef EVENT_MEMBER
  size_t i, from, next = 0;
  svc_date_text(c->now, created);
  for (i = 0; i < sizeof members / sizeof members[0]; i++) {
    for (; next < count && strcmp(about[next].name, members[i].name) < 0; next++)
      event_write_subject(b, &about[next], places);
    switch (members[i].what) {
    case PRINCIPAL: event_write_principal(b, c); break;
    case ADMIN: svc_buf_text(b, ",\"isGlobalAdmin\":false"); break;
    case LINKS: e->links_at = b->n + 1; break;
    default:
      from = b->n + members[i].front.n;
      event_write_member(b, members[i].front, members[i].value);
      if (members[i].what == TYPE) event_note_place(places, members[i].name, from, b->n);
    }
  }
  for (; next < count; next++) event_write_subject(b, &about[next], places);
  svc_buf_char(b, '}');
}

/* The alerts noun sees the event in its transaction: an aborted event is never seen. */
static bool event_heard(svc_call *c, const char *type, const svc_entity *e)
{
  const svc_noun_info *alerts = c->s->seats[SVC_SEAT_ALERTS];
  const svc_scope outer = c->scope;
  bool good;
  if (!alerts || SVC_NEVER(!svc_noun_ext_of(alerts->noun)->alerts)) return true;
  svc_scope_enter(c, e);
  good = svc_noun_ext_of(alerts->noun)->alerts->hears(c, type, e);
  c->scope = outer;
  return good;
}

SVC_PRIVATE bool svc_event_with(svc_call *c, const char *type, const svc_scope *scope, const svc_event_part *about, size_t count)
{
  const svc_noun_info *feed = c->s->seats[SVC_SEAT_FEED];
  bool in_group = !svc_id_is_zero(&scope->group);
  event_places places;
  svc_buf b;
  svc_entity e;
  if (!feed || !type || (!in_group && svc_id_is_zero(&scope->org))) return true; /* a build without events, or a resource without feed */
  b = svc_buf_new(c->arena, 384);
  memset(&e, 0, sizeof e);
  memset(&places, 0, sizeof places);
  places.feed = feed->noun;
  e.kind = feed->noun->kind;
  e.parent = in_group ? scope->group : scope->org;
  e.scope = *scope;
  e.id = svc_new_id_at(c->txn, c->now);
  e.key = svc_id_str(c->arena, &e.id);
  e.revision = svc_new_revision(c->txn);
  event_body(c, &b, &e, type, scope, about, count, &places);
  e.body = svc_buf_done(&b);
  e.extra = (svc_str){ (const char *)places.at, svc_tally_fields(feed->noun) * sizeof places.at[0] };
  if (b.failed) return svc_no_memory(c);
  if (!svc_entity_store(c, &e, NULL)) return false;
  if (svc_noun_ext_of(feed->noun)->feed && !svc_tally_note(c, feed->noun, &e)) return false;
  return event_heard(c, type, &e);
}

SVC_PRIVATE bool svc_event_write(svc_call *c, const char *type, const svc_scope *scope, const char *field, svc_str value)
{
  const svc_event_part about = { field, value, false };
  return svc_event_with(c, type, scope, &about, field ? 1 : 0);
}

/* The parent of the entity, as events name it. */
static svc_event_part event_parent(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  svc_event_part subject = { NULL, { NULL, 0 }, false };
  svc_entity up;
  if (!(noun->noun->flags & SVC_EVENT_PARENT) || !noun->parent) return subject;
  if (svc_entity_above(c, noun, e, &up) != SVC_OK) {
    if (!c->erasing || !svc_id_eq(&c->erasing->id, &e->parent)) return subject;
    up = *c->erasing;
  }
  subject.name = noun->parent->noun->event_field;
  subject.value = up.unique.n ? up.unique : up.key;
  return subject;
}

/* The feed of the event: that of the path, unless the entity belongs elsewhere. A project or organization uses its own feed, or the one
** above once it is deleted. */
static svc_scope event_scope(const svc_call *c, const svc_noun_info *noun, const svc_entity *e, bool gone)
{
  static const svc_id none;
  svc_scope scope = c->scope;
  if (noun == c->s->group) scope = (svc_scope){ gone ? none : e->id, e->parent };
  else if (noun == c->s->org) scope = (svc_scope){ none, gone ? none : e->id };
  else if (!svc_scope_covers(&scope, &e->scope)) scope = e->scope;
  return scope;
}

#define EVENT_PARTS (3 + SVC_EVENT_MEMBERS) /* itself, its parent, the changes */
typedef struct event_parts {
  svc_event_part at[EVENT_PARTS];
  size_t count;
} event_parts;

/* Inserts a part in the order of names. */
static void event_add(event_parts *parts, svc_event_part part)
{
  size_t i = parts->count;
  if (!part.name || SVC_NEVER(i == EVENT_PARTS)) return;
  for (; i > 0 && strcmp(parts->at[i - 1].name, part.name) > 0; i--) parts->at[i] = parts->at[i - 1];
  parts->at[i] = part;
  parts->count++;
}

static void event_add_members(svc_call *c, const svc_noun *noun, const svc_entity *e, event_parts *parts)
{
  const svc_event_member *row = svc_noun_ext_of(noun)->event_members;
  for (; row && row->name; row++)
    event_add(parts, (svc_event_part){ row->name,
                                       row->field  ? svc_entity_text(c, noun, e, row->field)
                                       : row->text ? svc_str_c(row->text)
                                                   : svc_id_str(c->arena, &e->parent),
                                       false });
}

static bool event_add_diffs(svc_call *c, const svc_difference *d, event_parts *parts)
{
  const svc_noun_info *feed = c->s->seats[SVC_SEAT_FEED];
  svc_difference whole = *d;
  svc_event_part part = { NULL, { NULL, 0 }, false };
  if (d->what == SVC_DIFF_NONE || !svc_noun_ext_of(d->noun->noun)->diff || !feed || !svc_noun_ext_of(feed->noun)->feed || !svc_noun_ext_of(feed->noun)->feed->diffs) return true;
  if (!whole.body) whole.body = svc_entity_body(c, d->e);
  if (!whole.body || !svc_noun_ext_of(feed->noun)->feed->diffs(c, &whole, &part)) return svc_failed(c);
  event_add(parts, part);
  return true;
}

SVC_PRIVATE bool svc_event_put_diff(svc_call *c, const char *type, const svc_difference *d)
{
  const svc_noun_info *noun = d->noun;
  const svc_entity *e = d->e;
  bool gone = d->what == SVC_DIFF_GONE;
  svc_scope scope = event_scope(c, noun, e, gone);
  event_parts parts = { .count = 0 };
  if (!type) return true;
  if (gone && noun == c->s->group) return svc_event_write(c, type, &scope, "groupId", svc_id_str(c->arena, &e->id));
  if (noun->noun->event_field)
    event_add(&parts, (svc_event_part){ noun->noun->event_field,
                                        svc_noun_ext_of(noun->noun)->event_value ? svc_entity_text(c, noun->noun, e, svc_noun_ext_of(noun->noun)->event_value)
                                        : e->unique.n && !(noun->noun->flags & SVC_EVENT_KEY) ? e->unique
                                                                                              : e->key,
                                        false });
  event_add(&parts, event_parent(c, noun, e));
  event_add_members(c, noun->noun, e, &parts);
  return event_add_diffs(c, d, &parts) && svc_event_with(c, type, &scope, parts.at, parts.count);
}

SVC_PRIVATE bool svc_event_about(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const char *type, bool gone)
{
  const svc_difference d = { .noun = noun, .e = e, .what = gone ? SVC_DIFF_GONE : SVC_DIFF_NONE };
  return svc_event_put_diff(c, type, &d);
}

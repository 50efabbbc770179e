/*
** The event types as a compact table: the texts follow each other without a pointer to each, and common prefixes of names
** are stored once.
*/
#include "catalog/catalog.h"
#include "catalog/event_type_list.h"

#define EVENT_TYPES_PREFIX_NUMBER(prefix) EVENT_TYPES_IN_##prefix,
#define EVENT_TYPES_PREFIX(prefix) #prefix,
enum { SVC_EVENT_PREFIX_LIST(EVENT_TYPES_PREFIX_NUMBER) EVENT_TYPES_PREFIX_COUNT };
static const char *const event_types_prefixes[EVENT_TYPES_PREFIX_COUNT] = { SVC_EVENT_PREFIX_LIST(EVENT_TYPES_PREFIX) };

#define EVENT_TYPES_PREFIX_LENGTH(prefix) sizeof #prefix - 1,
static const unsigned char event_types_lengths[] = { SVC_EVENT_PREFIX_LIST(EVENT_TYPES_PREFIX_LENGTH) };

#define EVENT_TYPES_IN(prefix, rest, where, alertable, description) EVENT_TYPES_IN_##prefix,
static const unsigned char event_types_in[] = { SVC_EVENT_TYPE_LIST(EVENT_TYPES_IN) }; /* index of the name's prefix */

#define EVENT_TYPES_NAME_ROOM(prefix, rest, where, alertable, description) char of_##prefix##rest[sizeof #rest];
#define EVENT_TYPES_NAME(prefix, rest, where, alertable, description) #rest,
static const struct event_types_names {
  SVC_EVENT_TYPE_LIST(EVENT_TYPES_NAME_ROOM)
} event_types_names = { SVC_EVENT_TYPE_LIST(EVENT_TYPES_NAME) };

#define EVENT_TYPES_FITS(prefix, rest, where, alertable, description) \
  _Static_assert(sizeof #prefix #rest <= SVC_EVENT_NAME_SIZE, "a name is longer than SVC_EVENT_NAME_SIZE allows: " #prefix #rest);
SVC_EVENT_TYPE_LIST(EVENT_TYPES_FITS)

#define EVENT_TYPES_DESCRIPTION_ROOM(prefix, rest, where, alertable, description) char of_##prefix##rest[sizeof description];
#define EVENT_TYPES_DESCRIPTION(prefix, rest, where, alertable, description) description,
static const struct event_types_descriptions {
  SVC_EVENT_TYPE_LIST(EVENT_TYPES_DESCRIPTION_ROOM)
} event_types_descriptions = { SVC_EVENT_TYPE_LIST(EVENT_TYPES_DESCRIPTION) };

#define EVENT_TYPES_ALERTABLE 4 /* next to the bits of enum svc_event_where */
#define EVENT_TYPES_FLAGS(prefix, rest, where, alertable, description) (where) | (alertable ? EVENT_TYPES_ALERTABLE : 0),
static const unsigned char event_types_flags[] = { SVC_EVENT_TYPE_LIST(EVENT_TYPES_FLAGS) };

/* Moves to the next row, without its name. */
static bool event_types_step(svc_event_type *t)
{
  if (t->number == SVC_EVENT_TYPE_COUNT) return false;
  t->rest = t->number ? t->rest + t->rest_n + 1 : (const char *)&event_types_names;
  t->rest_n = strlen(t->rest);
  t->prefix_n = event_types_lengths[event_types_in[t->number]];
  t->description = t->number ? t->description + (*t->description ? strlen(t->description) : 0) + 1 : (const char *)&event_types_descriptions;
  t->where = event_types_flags[t->number] & ~EVENT_TYPES_ALERTABLE;
  t->alertable = event_types_flags[t->number] & EVENT_TYPES_ALERTABLE;
  t->number++;
  return true;
}

static void event_types_name(svc_event_type *t)
{
  memcpy(t->name, event_types_prefixes[event_types_in[t->number - 1]], t->prefix_n);
  memcpy(t->name + t->prefix_n, t->rest, t->rest_n + 1);
}

SVC_PRIVATE bool svc_event_type_next(svc_event_type *t)
{
  if (!event_types_step(t)) return false;
  event_types_name(t);
  return true;
}

SVC_PRIVATE bool svc_event_type_known(const svc *s, svc_str name, svc_event_type *out)
{
  memset(out, 0, sizeof *out);
  while (event_types_step(out)) {
    size_t n = out->prefix_n + out->rest_n;
    if (n != name.n && n + s->vendor.n != name.n + 3) continue; /* skips most names without composing them; "svc" or the vendor word may
                                                                   be part of the name */
    event_types_name(out);
    if (svc_value_is(s, name, out->name)) return true;
  }
  return false;
}

SVC_PRIVATE bool svc_event_type_named(const char *name, svc_event_type *out)
{
  memset(out, 0, sizeof *out);
  while (svc_event_type_next(out))
    if (strcmp(out->name, name) == 0) return true;
  return false;
}

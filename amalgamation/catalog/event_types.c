/*
** The types of events as a table, in little room: one text behind the other, without a pointer to each.
*/
#include "catalog/catalog.h"

#define EVENT_TYPES_NAME_ROOM(name, where, alertable, description) char of_##name[sizeof #name];
#define EVENT_TYPES_NAME(name, where, alertable, description) #name,
static const struct event_types_names {
  SVC_EVENT_TYPE_LIST(EVENT_TYPES_NAME_ROOM)
} event_types_names = { SVC_EVENT_TYPE_LIST(EVENT_TYPES_NAME) };

#define EVENT_TYPES_DESCRIPTION_ROOM(name, where, alertable, description) char of_##name[sizeof description];
#define EVENT_TYPES_DESCRIPTION(name, where, alertable, description) description,
static const struct event_types_descriptions {
  SVC_EVENT_TYPE_LIST(EVENT_TYPES_DESCRIPTION_ROOM)
} event_types_descriptions = { SVC_EVENT_TYPE_LIST(EVENT_TYPES_DESCRIPTION) };

#define EVENT_TYPES_ALERTABLE 4 /* beside the bits of enum svc_event_where */
#define EVENT_TYPES_FLAGS(name, where, alertable, description) (where) | (alertable ? EVENT_TYPES_ALERTABLE : 0),
static const unsigned char event_types_flags[] = { SVC_EVENT_TYPE_LIST(EVENT_TYPES_FLAGS) };

SVC_PRIVATE bool svc_event_type_next(svc_event_type *t)
{
  if (t->number == SVC_EVENT_TYPE_COUNT) return false;
  t->name = t->number ? t->name + strlen(t->name) + 1 : (const char *)&event_types_names;
  t->description = t->number ? t->description + strlen(t->description) + 1 : (const char *)&event_types_descriptions;
  t->where = event_types_flags[t->number] & ~EVENT_TYPES_ALERTABLE;
  t->alertable = event_types_flags[t->number] & EVENT_TYPES_ALERTABLE;
  t->number++;
  return true;
}

SVC_PRIVATE bool svc_event_type_named(const char *name, svc_event_type *out)
{
  memset(out, 0, sizeof *out);
  while (svc_event_type_next(out))
    if (strcmp(out->name, name) == 0) return true;
  return false;
}

/*
** The member "diffs" of the events of nouns that have the column `diff`: the changes.
**
** The file compares the bodies before and after the change by the tables of fields, which mark secrets. The comparison
** never looks at a field that is sealed or write-only, and never shows a whole object as text, because the object could
** contain a secret. Fields that only the service writes are left out: the type of the event tells the state. A new or
** deleted resource has no changed fields, only the additional members of its noun.
**
** Events stay small: at most EVENT_DIFF_PARAMS fields, each with at most EVENT_DIFF_TEXT bytes of its old and its new
** value.
*/
#include "catalog/monitoring/event_parts.h"

#define EVENT_DIFF_TEXT 128

/* ----------------------------------------------------------------------------------------------------------- fields */

static const char *const event_diff_statuses[] = { "NEW", "MODIFIED", "REMOVED", "SHUTDOWN", NULL };

#define EVENT_DIFF_TEXT_ROW(n) F_STR(n, .flags = SVC_READ_ONLY)
static const svc_field event_diff_param_fields[] = {
  F_STR("display", .flags = SVC_READ_ONLY | SVC_PLACE), /* name of the field */
  EVENT_DIFF_TEXT_ROW("new"),
  EVENT_DIFF_TEXT_ROW("old"),
  F_STR("param", .flags = SVC_READ_ONLY | SVC_PLACE) /* path of the field */
};
static const svc_object event_diff_param = { .name = "EventDiffParam", .fields = SVC_ROWS(event_diff_param_fields) };

static const svc_field event_diff_resource_fields[] = {
  F_BOOL("cluster", .flags = SVC_READ_ONLY), EVENT_DIFF_TEXT_ROW("collection"), EVENT_DIFF_TEXT_ROW("db")
};
static const svc_object event_diff_resource = { .name = "EventDiffResource", .fields = SVC_ROWS(event_diff_resource_fields) };
static const svc_field event_diff_privilege_fields[] = {
  F_STRS("actions", .flags = SVC_READ_ONLY), F_OBJ("resource", &event_diff_resource, .flags = SVC_READ_ONLY)
};
static const svc_object event_diff_privilege = { .name = "EventDiffPrivilege", .fields = SVC_ROWS(event_diff_privilege_fields) };

static const svc_field event_diff_role_fields[] = { EVENT_DIFF_TEXT_ROW("db"), EVENT_DIFF_TEXT_ROW("role") };
static const svc_object event_diff_role = { .name = "EventDiffRole", .fields = SVC_ROWS(event_diff_role_fields) };

/* Members of a difference, and of each shard in it. */
static const svc_field event_diff_common_fields[] = {
  F_HEX24("id", .flags = SVC_READ_ONLY),
  EVENT_DIFF_TEXT_ROW("name"),
  F_LIST("params", &event_diff_param, .flags = SVC_READ_ONLY, .max_items = EVENT_DIFF_PARAMS),
  F_ENUM("status", event_diff_statuses, .flags = SVC_READ_ONLY),
  EVENT_DIFF_TEXT_ROW("type")
};
static const svc_object event_diff_common = { .name = "EventDiffCommon", .fields = SVC_ROWS(event_diff_common_fields) };

static const svc_field event_diff_fields[] = {
  F_BOOL("hasConfigShard", .flags = SVC_READ_ONLY),
  F_LIST("privileges", &event_diff_privilege, .flags = SVC_READ_ONLY),
  F_LIST("roles", &event_diff_role, .flags = SVC_READ_ONLY),
  F_LIST("shards", &event_diff_common, .flags = SVC_READ_ONLY)
};
SVC_PRIVATE const svc_object svc_event_diff_object = { .name = "EventDiff", .base = &event_diff_common, .fields = SVC_ROWS(event_diff_fields) };

/* -------------------------------------------------------------------------------------------------------- comparing */

typedef struct event_diff {
  svc_arena *arena;
  svc_node *params;
  size_t count;
} event_diff;

static void event_diff_compare(event_diff *d, const svc_object *object, const svc_node *before, const svc_node *body, svc_str place);

/* Writes a value as text, truncated if it is long. */
static void event_diff_set(event_diff *d, svc_node *param, const char *name, const svc_node *value)
{
  svc_buf b = svc_buf_new(d->arena, EVENT_DIFF_TEXT);
  svc_str text;
  if (!value || value->type == SVC_J_NULL) return;
  if (value->type == SVC_J_ARRAY || value->type == SVC_J_OBJECT) svc_node_write(&b, value);
  else svc_buf_str(&b, value->text);
  text = svc_buf_done(&b);
  if (text.n > EVENT_DIFF_TEXT) {
    text.n = EVENT_DIFF_TEXT - 3;
    while (text.n && ((unsigned char)text.p[text.n] & 0xC0) == 0x80) text.n--; /* not within a character */
    text = svc_arena_print(d->arena, SVC_FMT "...", SVC_ARG(text));
  }
  svc_node_set_str(d->arena, param, name, text);
}

static void event_diff_add(event_diff *d, const svc_field *f, const svc_node *before, const svc_node *body, svc_str place)
{
  svc_node *param = svc_node_object(d->arena, NULL);
  if (!param) return; /* the arena records the failure */
  svc_node_set_text(d->arena, param, "display", f->name);
  svc_node_set_str(d->arena, param, "param", place);
  event_diff_set(d, param, "new", body);
  event_diff_set(d, param, "old", before);
  svc_node_append(d->params, param);
  d->count++;
}

/* Compares lists element by element. All fields of an added or removed element have changed. */
static void event_diff_list(event_diff *d, const svc_field *f, const svc_node *before, const svc_node *body, svc_str place)
{
  const svc_node *old = svc_node_first(before), *new = svc_node_first(body);
  unsigned i;
  for (i = 0; (old || new) && d->count < EVENT_DIFF_PARAMS; i++) {
    event_diff_compare(d, svc_field_object(f), old, new, svc_arena_print(d->arena, SVC_FMT "[%u]", SVC_ARG(place), i));
    if (old) old = old->next;
    if (new) new = new->next;
  }
}

static void event_diff_field(event_diff *d, const svc_field *f, const svc_node *before, const svc_node *body, svc_str place)
{
  svc_str at = svc_arena_print(d->arena, SVC_FMT "%s%s", SVC_ARG(place), place.n ? "." : "", f->name);
  if (f->type == SVC_OBJECT) event_diff_compare(d, svc_field_object(f), before, body, at);
  else if (f->type == SVC_ARRAY && f->item == SVC_OBJECT) event_diff_list(d, f, before, body, at);
  else if (svc_field_object(f)) event_diff_add(d, f, NULL, NULL, at); /* only the name: no table marks the secrets in such a value */
  else event_diff_add(d, f, before, body, at);
}

static void event_diff_compare(event_diff *d, const svc_object *object, const svc_node *before, const svc_node *body, svc_str place)
{
  const svc_field *f;
  svc_fields fields;
  svc_fields_begin(&fields, svc_object_of(object, body ? body : before));
  while (d->count < EVENT_DIFF_PARAMS && (f = svc_fields_next(&fields)) != NULL) {
    const svc_node *old, *new;
    if (f->flags & (SVC_READ_ONLY | SVC_SEALED | SVC_WRITE_ONLY)) continue;
    old = svc_node_get(before, f->name);
    new = svc_node_get(body, f->name);
    if (!svc_node_same(old, new)) event_diff_field(d, f, old, new, place);
  }
}

/* ---------------------------------------------------------------------------------------------------------- writing */

static const char *event_diff_status(int what)
{
  switch (what) {
  case SVC_DIFF_NEW: return "NEW";
  case SVC_DIFF_LEAVING: return "SHUTDOWN";
  case SVC_DIFF_GONE: return "REMOVED";
  default: return "MODIFIED";
  }
}

/* Writes name and id. A singleton has the id of its parent. */
static void event_diff_name(svc_call *c, const svc_difference *d, svc_node *out)
{
  const svc_noun *noun = d->noun->noun;
  const svc_id *id = svc_id_is_zero(&d->e->id) ? &d->e->parent : &d->e->id;
  svc_str name = svc_noun_ext_of(noun)->event_value ? svc_entity_text(c, noun, d->e, svc_noun_ext_of(noun)->event_value) : d->e->unique;
  svc_node_set_id(c->arena, out, "id", id);
  if (name.n) svc_node_set_str(c->arena, out, "name", name);
}

SVC_PRIVATE bool svc_event_diffs(svc_call *c, const svc_difference *d, svc_event_part *out)
{
  const svc_diff *diff = svc_noun_ext_of(d->noun->noun)->diff;
  svc_node *list = svc_node_array(c->arena, NULL), *one = svc_node_object(c->arena, NULL);
  event_diff all = { c->arena, svc_node_array(c->arena, "params"), 0 };
  svc_buf b = svc_buf_new(c->arena, 256);
  if (!list || !one || !all.params) return svc_no_memory(c);
  if (d->what == SVC_DIFF_CHANGED && !diff->discreet) event_diff_compare(&all, d->noun->noun->object, d->before, d->body, SVC_S(""));
  event_diff_name(c, d, one);
  svc_node_put(c->arena, one, all.params);
  svc_node_set_text(c->arena, one, "status", event_diff_status(d->what));
  svc_node_set_text(c->arena, one, "type", diff->called);
  if (diff->shows && !diff->shows(c, d->e, d->body, one)) return false;
  svc_node_append(list, one);
  svc_node_write(&b, list);
  *out = (svc_event_part){ "diffs", svc_buf_done(&b), true };
  return !c->arena->failed || svc_no_memory(c);
}

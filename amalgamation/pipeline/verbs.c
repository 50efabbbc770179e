/*
** The generic verbs: what most operations are.
**
** Each serves one request inside its transaction: resolve the entities of the path, check, change, answer. What differs
** from noun to noun is in the tables; what no table can say is in the noun's hooks. No noun is named here.
**
** The rule for changes: first everything is checked, then everything is written. A change writes the entity, its index
** entries, what its parent shows of it, and its event, in one transaction.
*/
#include "internal.h"

/* ------------------------------------------------------------------------------------------------------------- answers */

SVC_PRIVATE uint64_t svc_body_revision(svc_str body)
{
  uint64_t h = 0xcbf29ce484222325u;
  size_t i;
  for (i = 0; i < body.n; i++) h = (h ^ (unsigned char)body.p[i]) * 0x100000001b3u;
  return h | (uint64_t)1 << 63; /* never that of a stored entity, which counts from 1 */
}

static svc_str verbs_encoded(svc_call *c, svc_str text)
{
  svc_buf b = svc_buf_new(c->arena, text.n * 3 + 1);
  svc_percent_encode(&b, text);
  return svc_buf_done(&b);
}

static int verbs_status(const svc_call *c)
{
  return c->plan->route->status ? c->plan->route->status : 200;
}

SVC_PRIVATE bool svc_answer_entity(svc_call *c, const svc_entity *e)
{
  const svc_plan *item = c->plan->item ? c->plan->item : c->plan;
  svc_answer *a = &c->answer;
  a->status = verbs_status(c);
  a->body = e->body;
  a->links_at = e->links_at;
  a->revision = e->revision;
  a->links = item->links.count ? &item->links : NULL;
  a->own = e->key;
  if (item->links.has_owner) a->owner = svc_id_str(c->arena, &e->owner);
  if (item->links.has_unique) a->unique = verbs_encoded(c, e->unique);
  return true;
}

SVC_PRIVATE bool svc_answer_body(svc_call *c, svc_node *body)
{
  return svc_body_write(c->arena, body, &c->answer.body, &c->answer.links_at) || svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
}

SVC_PRIVATE bool svc_answer_node(svc_call *c, svc_node *body)
{
  svc_answer *a = &c->answer;
  if (!svc_answer_body(c, body)) return false;
  a->status = verbs_status(c);
  a->links = c->plan->links.count ? &c->plan->links : c->plan->item ? &c->plan->item->links : NULL;
  if (c->plan->own) a->own = c->chain[c->plan->step_count - 1].key;
  if (c->method != SVC_POST) a->revision = svc_body_revision(a->body); /* that may answer with more than the entity */
  return true;
}

SVC_PRIVATE void svc_answer_keep(svc_call *c)
{
  c->answer.kept = c->answer.body;
  c->answer.kept_links_at = c->answer.links_at;
  c->answer.secret = true;
}

/* What is shown may change without the entity, so the tag is that of what is shown. */
SVC_PRIVATE bool svc_answer_view(svc_call *c, const svc_entity *e, svc_node *view)
{
  if (!view) return c->error ? false : svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  if (!svc_answer_entity(c, e) || !svc_answer_body(c, view)) return false;
  c->answer.revision = svc_body_revision(c->answer.body);
  return true;
}

SVC_PRIVATE bool svc_answer_nothing(svc_call *c)
{
  memset(&c->answer, 0, sizeof c->answer);
  c->answer.status = c->plan->route->status ? c->plan->route->status : 204;
  if (c->plan->route->flags & SVC_EMPTY_OBJECT) c->answer.body = SVC_S("{}");
  return true;
}

/* If-Match names the states that the caller has seen: the entity must be in one of them. */
SVC_PRIVATE bool svc_if_match(svc_call *c, uint64_t revision)
{
  svc_str rest = c->if_match;
  char wanted[24];
  int n;
  if (rest.n == 0) return true;
  n = snprintf(wanted, sizeof wanted, "%llx", (unsigned long long)revision);
  while (rest.n) {
    svc_str tag = svc_str_trim(svc_str_cut(&rest, ','));
    if (svc_str_is(tag, "*")) return true;
    if (tag.n < 2 || tag.p[0] != '"' || tag.p[tag.n - 1] != '"') continue; /* a weak tag never matches here */
    tag = (svc_str){ tag.p + 1, tag.n - 2 };
    if (svc_str_eq(svc_str_cut(&tag, '-'), (svc_str){ wanted, (size_t)n })) return true; /* whatever its formatting */
  }
  return svc_fail(c, SVC_E_PRECONDITION_FAILED, "");
}

SVC_PRIVATE bool svc_if_match_view(svc_call *c, const svc_node *view)
{
  svc_buf b = svc_buf_new(c->arena, 512);
  if (!view) return c->error ? false : svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  svc_node_write(&b, view);
  return svc_if_match(c, svc_body_revision(svc_buf_done(&b)));
}

SVC_PRIVATE svc_node *svc_entity_body(svc_call *c, const svc_entity *e)
{
  /* the tree points into its text, and what is in the store moves when it is written to */
  svc_node *node = svc_json_parse(c->arena, svc_arena_copy(c->arena, e->body));
  if (!node) svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  return node;
}

/* --------------------------------------------------------------------------------------------------------------- reading */

/* The singleton of the parent: as it is stored, or its defaults. */
static bool verbs_singleton(svc_call *c, svc_entity *out, bool *stored)
{
  static const svc_id none;
  const svc_noun_info *noun = c->plan->noun;
  const svc_entity *parent = svc_parent_of_call(c);
  int rc = svc_entity_get(c->txn, noun->noun->kind, parent ? &parent->id : &none, &none, out);
  *stored = rc == SVC_OK;
  if (rc == SVC_OK) return true;
  if (rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  memset(out, 0, sizeof *out);
  out->kind = noun->noun->kind;
  out->parent = parent ? parent->id : none;
  out->body = noun->preset;
  out->links_at = noun->preset_links_at;
  out->revision = svc_body_revision(noun->preset);
  return true;
}

/* The entity that the request is about. */
static bool verbs_target(svc_call *c, svc_entity *out, bool *stored)
{
  *stored = true;
  if (!svc_resolve_all(c)) return false;
  if (c->plan->noun->noun->flags & SVC_SINGLETON) return verbs_singleton(c, out, stored);
  *out = c->chain[c->plan->step_count - 1];
  return true;
}

SVC_PRIVATE bool svc_verb_read(svc_call *c)
{
  svc_entity e;
  bool stored;
  return verbs_target(c, &e, &stored) && svc_answer_entity(c, &e);
}

typedef struct verbs_filter {
  bool visible_only;
  svc_str prefix; /* of the unique value, any case */
} verbs_filter;

static bool verbs_keep(svc_call *c, const svc_entity *e, void *context)
{
  const verbs_filter *f = context;
  size_t i;
  if (f->prefix.n > e->unique.n) return false;
  for (i = 0; i < f->prefix.n; i++) {
    int a = (unsigned char)f->prefix.p[i], b = (unsigned char)e->unique.p[i];
    if (a >= 'A' && a <= 'Z') a += 32;
    if (b >= 'A' && b <= 'Z') b += 32;
    if (a != b) return false;
  }
  return !f->visible_only || svc_entity_visible(c, c->plan->noun, e);
}

/* A role that the host grants on everything may show the caller each of them: then none needs to be looked at. */
static bool verbs_sees_all(svc_call *c)
{
  uint64_t everywhere = svc_roles_on(c, NULL, NULL);
  return c->plan->noun == c->s->group ? (everywhere & SVC_R_GROUP_READ_ONLY) != 0 : everywhere != 0;
}

SVC_PRIVATE bool svc_verb_list(svc_call *c)
{
  static const svc_id root;
  const svc_noun *noun = c->plan->noun->noun;
  const svc_query_value *by_name = noun->unique ? svc_query_get(c, noun->unique) : NULL;
  const svc_entity *parent;
  verbs_filter filter = { false, { "", 0 } };
  if (!svc_resolve_all(c)) return false;
  parent = svc_parent_of_call(c);
  filter.visible_only = c->plan->route->flags & SVC_VISIBLE_ONLY && !verbs_sees_all(c);
  if (by_name) filter.prefix = by_name->text;
  return svc_list_entities(c, c->plan->noun, parent ? &parent->id : &root, parent && noun->flags & SVC_GLOBAL,
                           filter.visible_only || by_name ? verbs_keep : NULL, &filter);
}

/* --------------------------------------------------------------------------------------------------------------- writing */

static void verbs_date(svc_call *c, svc_node *body, const svc_field *f)
{
  char date[21];
  svc_date_text(c->now, date);
  svc_node_set_str(c->arena, body, f->name, svc_str_c(date));
}

/* What shows when the entity was last changed; only called when it was. */
static void verbs_touch(svc_call *c, const svc_change *change)
{
  const svc_field *f;
  svc_fields fields;
  svc_fields_begin(&fields, change->noun->noun->object);
  while ((f = svc_fields_next(&fields)) != NULL)
    if (f->fill == SVC_AUTO_CHANGED) verbs_date(c, change->body, f);
}

/* Fields that the service fills in: of the entity, and in elements of its arrays. */
static void verbs_fill(svc_call *c, svc_change *change, const svc_object *object, svc_node *body, bool top)
{
  const svc_field *f;
  svc_fields fields;
  if (object->variant_by) {
    const svc_variant *v = object->variants;
    svc_str by = svc_node_str(body, object->variant_by);
    while (v->value && !svc_str_is(by, v->value)) v++;
    if (!v->value) return;
    object = v->object;
  }
  svc_fields_begin(&fields, object);
  while ((f = svc_fields_next(&fields)) != NULL) {
    bool nested = f->object && (f->type == SVC_OBJECT || (f->type == SVC_ARRAY && f->item == SVC_OBJECT));
    svc_node *value, *item;
    svc_id id;
    if (f->fill == SVC_AUTO_NONE && !nested) continue;
    value = svc_node_get(body, f->name);
    if (nested && value && f->type == SVC_OBJECT) verbs_fill(c, change, f->object, value, false);
    if (nested && value && f->type == SVC_ARRAY)
      for (item = value->first; item; item = item->next) verbs_fill(c, change, f->object, item, false);
    if (f->fill == SVC_AUTO_NONE || value) continue;
    switch (f->fill) {
    case SVC_AUTO_ID: id = top ? change->id : svc_new_id(c->txn); break;
    case SVC_AUTO_GROUP_ID: id = svc_call_group(c); break;
    case SVC_AUTO_ORG_ID: id = svc_call_org(c); break;
    default: verbs_date(c, body, f); continue;
    }
    if (!svc_id_is_zero(&id)) svc_node_set_str(c->arena, body, f->name, svc_id_str(c->arena, &id));
  }
}

/* How a path names the entity, percent-encoded; and its unique value, as look-ups by path find it. */
static void verbs_keys(svc_call *c, const svc_change *change, svc_entity *e)
{
  const svc_noun *noun = change->noun->noun;
  svc_str rest = svc_str_c(noun->key), part;
  svc_buf b;
  if (noun->flags & SVC_SINGLETON) return;
  e->unique = noun->unique ? svc_node_str(change->body, noun->unique) : SVC_S("");
  e->shared = (noun->flags & SVC_SHARED_NAME) != 0;
  if (change->key.n) {
    e->unique = change->key;
    e->key = verbs_encoded(c, change->key);
    return;
  }
  if (!noun->key) {
    e->key = svc_id_str(c->arena, &e->id);
    return;
  }
  b = svc_buf_new(c->arena, 64);
  while (rest.n) {
    part = svc_str_cut(&rest, '/');
    if (b.n) svc_buf_char(&b, '/');
    svc_percent_encode(&b, svc_node_str(change->body, svc_arena_copy(c->arena, part).p));
  }
  e->key = svc_buf_done(&b);
  if (strchr(noun->key, '/')) e->unique = e->key; /* a key of several parts is unique as a whole */
}

static bool verbs_serialise(svc_call *c, const svc_change *change, svc_entity *e)
{
  e->extra = change->extra;
  return svc_body_write(c->arena, change->body, &e->body, &e->links_at) || svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
}

/* Put the entity into the state that the change leads to, and set when it leaves it. */
static void verbs_state(svc_call *c, const svc_change *change, svc_entity *e)
{
  const svc_noun *noun = change->noun->noun;
  if (!noun->lifecycle || !change->state) return;
  svc_node_set_str(c->arena, change->body, noun->lifecycle->field, svc_str_c(change->state));
  e->due = svc_step_due(c->s, noun, svc_str_c(change->state), c->now);
}

static void verbs_due(const svc_change *change, svc_entity *e)
{
  if (change->due) e->due = change->due < 0 ? 0 : change->due;
}

static bool verbs_free_name(svc_call *c, const svc_change *change, const svc_entity *e)
{
  const svc_noun *noun = change->noun->noun;
  const svc_id *scope = svc_entity_scope(e);
  svc_str parent_key, shown = e->unique;
  svc_id other;
  int rc;
  if (e->shared || e->unique.n == 0) return true;
  rc = svc_unique_find(c->txn, noun->kind, scope, scope == &e->owner, e->unique, &other);
  if (rc == SVC_NOT_FOUND) return true;
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  parent_key = svc_id_str(c->arena, scope);
  return svc_fail(c, noun->err_exists, "SS", &shown, &parent_key);
}

SVC_PRIVATE bool svc_rewrite(svc_call *c, const svc_entity *stored, const svc_node *body, int64_t due)
{
  svc_entity e = *stored, old = *stored;
  if (!svc_body_write(c->arena, body, &e.body, &e.links_at)) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  e.key = svc_arena_copy(c->arena, stored->key); /* what is in the store moves when it is written to */
  e.unique = old.unique = svc_arena_copy(c->arena, stored->unique);
  e.extra = svc_arena_copy(c->arena, stored->extra);
  e.due = due;
  e.revision = svc_new_revision(c->txn);
  return svc_entity_update(c->txn, c->arena, &e, &old) == SVC_OK || svc_store_failed(c, c->txn->error);
}

/* The parent shows how many of these it has. */
static bool verbs_recount(svc_call *c, const svc_noun_info *noun, const svc_id *parent)
{
  static const svc_id root;
  const svc_noun_info *up = noun->parent;
  svc_entity old;
  svc_node *body;
  if (!noun->noun->counted_in || !up || !(up->noun->flags & SVC_GLOBAL)) return true;
  if (svc_entity_get(c->txn, up->noun->kind, &root, parent, &old) != SVC_OK) return true; /* it goes as well */
  body = svc_entity_body(c, &old);
  if (!body) return false;
  svc_node_set_i64(c->arena, body, noun->noun->counted_in, (int64_t)svc_entity_count(c->txn, noun->noun->kind, parent));
  return svc_rewrite(c, &old, body, old.due);
}

/* Has this member another value than before? */
static bool verbs_differs(const svc_change *change, const char *field)
{
  const svc_node *old = svc_node_get(change->before, field), *now = svc_node_get(change->body, field);
  return old && now ? !svc_node_same(old, now) : old != now;
}

static svc_str verbs_text(const svc_node *body, const char *field)
{
  const svc_node *member = svc_node_get(body, field);
  return member ? member->text : SVC_S("");
}

/* The events of the fields that changed and have one of their own; *others: some that have none changed as well. */
static bool verbs_field_events(svc_call *c, const svc_change *change, const svc_entity *e, bool *others)
{
  const svc_noun *noun = change->noun->noun;
  const svc_field_event *row;
  const svc_field *f;
  svc_fields fields;
  svc_fields_begin(&fields, noun->object);
  while ((f = svc_fields_next(&fields)) != NULL) {
    bool own = false;
    if (!verbs_differs(change, f->name)) continue;
    for (row = noun->field_events; row && row->field; row++) {
      if (strcmp(row->field, f->name) != 0) continue;
      own = true;
      if (row->value && !svc_str_is(verbs_text(change->body, f->name), row->value)) continue;
      if (!svc_event_about(c, change->noun, e, row->event, false)) return false;
    }
    if (!own && !(f->flags & SVC_READ_ONLY)) *others = true;
  }
  return true;
}

static bool verbs_events(svc_call *c, const svc_change *change, const svc_entity *e)
{
  bool others = !change->before || !change->noun->noun->field_events || change->unseen;
  if (!others && !verbs_field_events(c, change, e, &others)) return false;
  return !others || svc_event_about(c, change->noun, e, change->event, false);
}

/* There may be a limit on how many there are: one of its noun's, or one that the project sets. */
static bool verbs_within_quota(svc_call *c, const svc_noun *noun, const svc_id *parent)
{
  svc_id group = svc_call_group(c);
  int64_t limit = noun->most ? noun->most : -1;
  svc_str key;
  if (noun->quota && c->s->quota && !svc_id_is_zero(&group)) limit = c->s->quota->noun->limit(c, &group, noun->quota);
  if (c->error) return false;
  if (limit < 0 || svc_entity_count(c->txn, noun->kind, parent) < (uint64_t)limit) return true;
  key = svc_id_str(c->arena, parent);
  return svc_fail(c, noun->err_quota, "iS", &limit, &key);
}

/* Singletons of a new parent that do not begin with their defaults. The event of the parent speaks for them. */
static bool verbs_begin_singletons(svc_call *c, const svc_noun_info *parent, const svc_id *id)
{
  size_t i;
  for (i = 0; i < c->s->noun_count; i++) {
    const svc_noun_info *info = &c->s->nouns[i];
    const svc_node *preset;
    svc_change change;
    svc_entity e;
    if (info->parent != parent || !info->noun->begin) continue;
    memset(&change, 0, sizeof change);
    change.noun = info;
    change.parent = *id;
    preset = svc_json_parse(c->arena, info->preset);
    change.body = preset ? svc_node_copy(c->arena, preset) : NULL;
    if (!change.body) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
    info->noun->begin(c, change.body);
    if (!svc_node_same(change.body, preset) && !svc_insert(c, &change, &e)) return false;
  }
  return true;
}

SVC_PRIVATE bool svc_insert(svc_call *c, svc_change *change, svc_entity *out)
{
  const svc_noun *noun = change->noun->noun;
  const svc_entity *parent = svc_parent_of_call(c);
  memset(out, 0, sizeof *out);
  out->kind = noun->kind;
  if (!svc_id_is_zero(&change->parent)) out->parent = change->parent;
  else if (parent && !(noun->flags & SVC_GLOBAL)) out->parent = parent->id;
  if (!verbs_within_quota(c, noun, &out->parent)) return false;
  if (svc_id_is_zero(&change->id) && !(noun->flags & SVC_SINGLETON)) change->id = svc_new_id(c->txn);
  out->id = change->id;
  if (noun->lifecycle && !change->state) change->state = noun->lifecycle->created;
  verbs_fill(c, change, noun->object, change->body, true);
  if (noun->prepare && !noun->prepare(c, change)) return false;
  out->owner = change->owner;
  verbs_state(c, change, out);
  verbs_due(change, out);
  verbs_touch(c, change);
  verbs_keys(c, change, out);
  if (!verbs_free_name(c, change, out)) return false;
  if (!verbs_serialise(c, change, out)) return false;
  out->revision = svc_new_revision(c->txn);
  if (svc_entity_insert(c->txn, c->arena, out) != SVC_OK) return svc_store_failed(c, c->txn->error);
  return verbs_recount(c, change->noun, &out->parent) && verbs_events(c, change, out) &&
         verbs_begin_singletons(c, change->noun, &out->id);
}

SVC_PRIVATE bool svc_verb_create(svc_call *c)
{
  svc_change change;
  svc_entity e;
  if (!svc_resolve_all(c)) return false;
  memset(&change, 0, sizeof change);
  change.noun = c->plan->noun;
  change.input = c->body;
  /* the hooks change it: should this run again, it is checked anew */
  change.body = c->consumed ? svc_check(c, c->plan->noun->noun->object, c->body, NULL, SVC_CHECK_CREATE) : c->checked;
  c->consumed = true;
  change.event = c->plan->noun->noun->event_created;
  if (!change.body) return svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  return svc_insert(c, &change, &e) && svc_answer_entity(c, &e);
}

static bool verbs_store_entity(svc_call *c, svc_change *change, const svc_entity *old, svc_entity *out)
{
  const svc_noun *noun = change->noun->noun;
  svc_entity before = *old;
  before.key = svc_arena_copy(c->arena, old->key); /* what is in the store moves when it is written to */
  before.unique = svc_arena_copy(c->arena, old->unique);
  before.extra = svc_arena_copy(c->arena, old->extra);
  change->old = old;
  change->id = old->id;
  change->owner = old->owner;
  change->extra = svc_arena_copy(c->arena, old->extra);
  verbs_fill(c, change, noun->object, change->body, true);
  if (noun->prepare && !noun->prepare(c, change)) return false;
  *out = before;
  out->owner = change->owner;
  change->unseen = svc_node_same(change->body, change->before);
  if (change->unseen && svc_str_eq(change->extra, before.extra)) { /* nothing changed: nothing to write, and no event */
    out->body = svc_arena_copy(c->arena, old->body);
    return true;
  }
  verbs_state(c, change, out);
  verbs_due(change, out);
  verbs_touch(c, change);
  verbs_keys(c, change, out);
  if ((!svc_str_eq(out->unique, before.unique) || !svc_id_eq(&out->owner, &before.owner)) &&
      !verbs_free_name(c, change, out))
    return false;
  if (!verbs_serialise(c, change, out)) return false;
  out->revision = svc_new_revision(c->txn);
  if (svc_entity_update(c->txn, c->arena, out, &before) != SVC_OK) return svc_store_failed(c, c->txn->error);
  return verbs_events(c, change, out);
}

/* A singleton's first change makes it. */
static bool verbs_store_singleton(svc_call *c, svc_change *change, svc_entity *out)
{
  change->old = NULL;
  if (svc_node_same(change->body, change->before))
    return svc_body_write(c->arena, change->body, &out->body, &out->links_at) || svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
  return svc_insert(c, change, out);
}

SVC_PRIVATE bool svc_change_begin(svc_call *c, svc_change *change)
{
  const svc_noun *noun = c->plan->noun->noun;
  memset(change, 0, sizeof *change);
  change->noun = c->plan->noun;
  if (!verbs_target(c, &change->entity, &change->stored) || !svc_if_match(c, change->entity.revision)) return false;
  change->before = svc_entity_body(c, &change->entity);
  if (!change->before) return false;
  change->input = c->body;
  change->event = noun->event_updated;
  change->state = noun->lifecycle ? noun->lifecycle->updated : NULL;
  change->body = svc_node_copy(c->arena, change->before);
  return change->body ? true : svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
}

static bool verbs_store(svc_call *c, svc_change *change, svc_entity *out)
{
  *out = change->entity;
  return change->stored ? verbs_store_entity(c, change, &change->entity, out) : verbs_store_singleton(c, change, out);
}

SVC_PRIVATE bool svc_change_store(svc_call *c, svc_change *change)
{
  svc_entity e;
  return verbs_store(c, change, &e) && svc_answer_entity(c, &e);
}

SVC_PRIVATE bool svc_change_aside(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, svc_str pending)
{
  svc_change change;
  svc_entity e;
  memset(&change, 0, sizeof change);
  change.noun = noun;
  change.entity = *stored;
  change.stored = true;
  change.pending = pending;
  change.before = svc_entity_body(c, stored);
  change.body = change.before ? svc_node_copy(c->arena, change.before) : NULL;
  return change.body ? verbs_store(c, &change, &e) : svc_fail(c, SVC_E_SERVICE_UNAVAILABLE, "");
}

static bool verbs_change(svc_call *c, int mode)
{
  const svc_route *route = c->plan->route;
  svc_change change;
  if (!svc_change_begin(c, &change)) return false;
  change.body = svc_check(c, route->body ? route->body : c->plan->noun->noun->object, c->body, change.before, mode);
  return svc_check_done(c) && svc_change_store(c, &change);
}

SVC_PRIVATE bool svc_verb_update(svc_call *c)
{
  return verbs_change(c, SVC_CHECK_UPDATE);
}

SVC_PRIVATE bool svc_verb_replace(svc_call *c)
{
  return verbs_change(c, SVC_CHECK_REPLACE);
}

/* -------------------------------------------------------------------------------------------------------------- deleting */

static bool verbs_is_parent(const svc *s, const svc_noun_info *noun)
{
  size_t i;
  if (noun == s->group || noun == s->org) return true;
  for (i = 0; i < s->noun_count; i++)
    if (s->nouns[i].parent == noun) return true;
  return false;
}

/* The first entity below a parent, or owned by it. */
static bool verbs_first_below(svc_call *c, const svc_noun_info *noun, const svc_id *parent, svc_entity *out)
{
  static const svc_id root;
  const char *kind = noun->noun->kind;
  svc_finder owned;
  svc_scan scan;
  svc_key prefix;
  svc_str key, value;
  svc_id scope, id;
  bool found;
  if (noun->noun->flags & SVC_GLOBAL) {
    found = svc_owned_begin(&owned, c->txn, kind, parent) && svc_finder_next(&owned, &scope, &id);
    svc_finder_end(&owned);
    return found && svc_entity_get(c->txn, kind, &root, &id, out) == SVC_OK;
  }
  svc_key_entity(&prefix, kind, parent, NULL);
  found = svc_scan_begin(&scan, c->txn, &prefix, false) && svc_scan_next(&scan, &key, &value);
  svc_scan_end(&scan);
  out->kind = kind;
  if (found && !svc_entity_decode(key, value, out)) return svc_note(c->txn, SVC_CORRUPT), false;
  return found;
}

/* The tree of nouns is a few levels deep, and so is this recursion. */
SVC_PRIVATE bool svc_erase(svc_call *c, const svc_noun_info *noun, const svc_entity *e)
{
  svc *s = c->s;
  svc_entity own = *e, child;
  size_t i;
  own.unique = svc_arena_copy(c->arena, e->unique); /* what is in the store moves when it is written to */
  for (i = 0; i < s->noun_count && verbs_is_parent(s, noun); i++) {
    if (!s->nouns[i].noun->kind || s->nouns[i].noun->flags & SVC_VIRTUAL) continue;
    while (verbs_first_below(c, &s->nouns[i], &own.id, &child))
      if (!svc_erase(c, &s->nouns[i], &child)) return false;
  }
  if (svc_entity_remove(c->txn, c->arena, &own) != SVC_OK) return svc_store_failed(c, c->txn->error);
  if (noun == s->group && !svc_grants_forget(c, &own.owner, svc_id_str(c->arena, &own.id))) return false;
  return verbs_recount(c, noun, &own.parent);
}

SVC_PRIVATE uint64_t svc_count_below(svc_txn *txn, const svc_noun *noun, const svc_id *above)
{
  bool owned = noun->flags & SVC_GLOBAL && !svc_id_is_zero(above);
  return owned ? svc_owned_count(txn, noun->kind, above) : svc_entity_count(txn, noun->kind, above);
}

/* What is below may keep its parent from being deleted. */
static bool verbs_unused(svc_call *c, const svc_entity *e)
{
  const svc *s = c->s;
  size_t i;
  for (i = 0; i < s->noun_count; i++) {
    const svc_noun *noun = s->nouns[i].noun;
    svc_str key = svc_id_str(c->arena, &e->id);
    if (s->nouns[i].parent != c->plan->noun || !noun->err_in_use) continue;
    if (svc_count_below(c->txn, noun, &e->id)) return svc_fail(c, noun->err_in_use, "S", &key);
  }
  return true;
}

/* Into the state that leads to its removal. */
static bool verbs_begin_delete(svc_call *c, const svc_entity *old)
{
  const svc_noun *noun = c->plan->noun->noun;
  svc_change change;
  svc_entity e = *old;
  memset(&change, 0, sizeof change);
  change.noun = c->plan->noun;
  change.body = svc_entity_body(c, old);
  change.state = noun->lifecycle->deleted;
  change.extra = svc_arena_copy(c->arena, old->extra);
  if (!change.body) return false;
  e.key = svc_arena_copy(c->arena, old->key);
  e.unique = svc_arena_copy(c->arena, old->unique);
  verbs_state(c, &change, &e);
  if (!verbs_serialise(c, &change, &e)) return false;
  e.revision = svc_new_revision(c->txn);
  if (svc_entity_update(c->txn, c->arena, &e, old) != SVC_OK) return svc_store_failed(c, c->txn->error);
  return svc_event_about(c, c->plan->noun, &e, noun->event_deleted, false);
}

SVC_PRIVATE bool svc_verb_delete(svc_call *c)
{
  const svc_noun *noun = c->plan->noun->noun;
  svc_entity e;
  bool stored;
  if (!verbs_target(c, &e, &stored) || !svc_if_match(c, e.revision)) return false;
  e.key = svc_arena_copy(c->arena, e.key);
  e.unique = svc_arena_copy(c->arena, e.unique);
  if (noun->removing && !noun->removing(c, &e)) return false;
  if (!verbs_unused(c, &e)) return false;
  if (noun->lifecycle && noun->lifecycle->deleted) {
    if (!verbs_begin_delete(c, &e)) return false;
  } else if (stored) {
    if (!svc_erase(c, c->plan->noun, &e) || !svc_event_about(c, c->plan->noun, &e, noun->event_deleted, true)) return false;
  }
  return svc_answer_nothing(c);
}

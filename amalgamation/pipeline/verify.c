/*
** The check of a whole store: every record is read and compared with the records it is related to.
**
** A record of one class implies records of others (store/keys.c draws them all): an entity implies its index entries, due dates,
** counters, parent and references; an entry implies its entity. Both directions have to agree, whichever record is damaged, so
** each class has a function that checks one record. The part that writes a record also checks its contents: refs.c, tally.c,
** meter.c, order.c and retry.c check their own.
**
** A new class of keys needs a drawing in store/keys.c, a row of verify_classes (before class c if it is counted), and a function for its
** entries. The check of a record that implies such an entry looks for it with svc_verify_there().
**
** Counts are added up on the way and compared at the end, in a table with a row for each list that is not empty.
**
** The rules: the check writes and repairs nothing. A finding names a noun and an id, and never the contents of a record, which
** may be secret. Damage in one record does not stop the check of the next.
*/
#include "pipeline/pipeline.h"

#include <stdarg.h>

#define VERIFY_DEPTH 512
#define VERIFY_ENTITY_KEY (1 + SVC_KIND_SIZE + 24)
#define VERIFY_LISTED_KEY (1 + 12 + SVC_KIND_SIZE + 12)
#define VERIFY_TEXT 256

/* ------------------------------------------------------------------------------------------------------------- findings */

/* The name of a kind; a kind that is not in this build is shown by its letters. */
static void verify_name(const svc_verify *v, const char *kind, char *out, size_t size)
{
  const svc_noun_info *noun = svc_noun_by_kind(v->c->s, kind);
  char letters[SVC_KIND_SIZE + 1] = "";
  int i;
  for (i = 0; i < SVC_KIND_SIZE; i++) letters[i] = kind[i] > ' ' && kind[i] < 127 ? kind[i] : '?';
  snprintf(out, size, "%s%s", noun ? noun->noun->name : "of kind ", noun ? "" : letters);
}

/* A record that could not be read for lack of memory, or for any reason but damage, is not reported as damaged. */
static bool verify_saw(const svc_verify *v)
{
  return !v->c->arena->failed && (v->c->txn->error == SVC_OK || v->c->txn->error == SVC_CORRUPT);
}

/* Counts a finding. False: the limit is reached, and it is not reported. */
static bool verify_another(svc_verify *v)
{
  v->here++;
  return v->findings++ < SVC_FINDINGS;
}

SVC_PRIVATE void svc_found(svc_verify *v, const char *kind, const svc_id *id, const char *format, ...)
{
  char text[VERIFY_TEXT + 80], name[64], hex[25] = "";
  va_list args;
  size_t n;
  if (!verify_saw(v) || !verify_another(v)) return;
  verify_name(v, kind, name, sizeof name);
  svc_id_hex(id, hex);
  n = (size_t)snprintf(text, sizeof text, "%s %s: ", name, hex);
  va_start(args, format);
  vsnprintf(text + n, sizeof text - n, format, args);
  va_end(args);
  v->found(v->context, text);
}

/* A finding without an entity. */
static void verify_found(svc_verify *v, const char *text)
{
  if (verify_saw(v) && verify_another(v)) v->found(v->context, text);
}

SVC_PRIVATE bool svc_verify_there(svc_verify *v, const svc_key *key)
{
  svc_str value;
  return svc_get(v->c->txn, key, &value) == SVC_OK;
}

/* A damaged entity is reported when it is checked itself, not here. */
static int verify_read(svc_verify *v, int rc)
{
  if (rc == SVC_CORRUPT && v->c->txn->error == SVC_CORRUPT) v->c->txn->error = SVC_OK;
  return rc;
}

SVC_PRIVATE bool svc_verify_get(svc_verify *v, const char *kind, const svc_id *parent, const svc_id *id, svc_entity *out)
{
  return verify_read(v, svc_entity_get(v->c->txn, kind, parent, id, out)) == SVC_OK;
}

static bool verify_get_noun(svc_verify *v, const svc_noun_info *noun, const svc_id *id, svc_entity *out)
{
  return noun && verify_read(v, svc_get_noun(v->c->txn, noun, id, out)) == SVC_OK;
}

/* Whether this is the id of a deleted entity that has descendants left to erase. */
static bool verify_erasing(const svc_verify *v, const svc_id *id)
{
  size_t i;
  for (i = 0; i < v->erasing_count; i++)
    if (svc_id_eq(&v->erasing[i], id)) return true;
  return false;
}

/* --------------------------------------------------------------------------------------------------------------- counts */

struct svc_verify_count {
  unsigned char key[1 + SVC_KIND_SIZE + 12];
  unsigned char length; /* 0: free */
  int64_t count;
};

static svc_verify_count *verify_place(const svc_verify *v, svc_str key)
{
  uint64_t hash = 14695981039346656037u;
  size_t i, at;
  for (i = 0; i < key.n; i++) hash = (hash ^ (unsigned char)key.p[i]) * 1099511628211u;
  for (at = (size_t)(hash ^ hash >> 32) & (v->count_room - 1);; at = (at + 1) & (v->count_room - 1)) {
    svc_verify_count *row = &v->counts[at];
    if (!row->length || (row->length == key.n && memcmp(row->key, key.p, key.n) == 0)) return row;
  }
}

/* Doubles the table. False: out of memory. */
static bool verify_grow(svc_verify *v)
{
  svc_verify more = *v;
  size_t i;
  more.count_room = v->count_room ? 2 * v->count_room : 256;
  more.counts = v->memory->resize(v->memory->context, NULL, more.count_room * sizeof *more.counts);
  if (!more.counts) return false;
  memset(more.counts, 0, more.count_room * sizeof *more.counts);
  for (i = 0; i < v->count_room; i++)
    if (v->counts[i].length) *verify_place(&more, (svc_str){ (const char *)v->counts[i].key, v->counts[i].length }) = v->counts[i];
  v->memory->resize(v->memory->context, v->counts, 0);
  v->counts = more.counts;
  v->count_room = more.count_room;
  return true;
}

/* Counts n more below this parent; NULL: the counter over all parents. */
SVC_PRIVATE void svc_verify_counts(svc_verify *v, const char *kind, const svc_id *parent, int64_t n)
{
  svc_verify_count *row;
  svc_key key;
  if (2 * v->count_used >= v->count_room && !verify_grow(v)) {
    svc_note(v->c->txn, SVC_NOMEM);
    return;
  }
  svc_key_count(&key, kind, parent);
  row = verify_place(v, svc_key_str(&key));
  if (!row->length) {
    memcpy(row->key, key.b, key.n);
    row->length = (unsigned char)key.n;
    v->count_used++;
  }
  row->count += n;
}

static void verify_count(svc_verify *v, const char *kind, const svc_id *parent)
{
  svc_verify_counts(v, kind, parent, 1);
}

static void verify_count_found(svc_verify *v, svc_str key, int64_t stored, int64_t counted)
{
  svc_id parent = { { 0 } };
  if (key.n > 1 + SVC_KIND_SIZE) memcpy(parent.b, key.p + 1 + SVC_KIND_SIZE, sizeof parent.b);
  svc_found(v, key.p + 1, &parent, "its count below this id is %lld, but %lld exist", (long long)stored, (long long)counted);
}

static void verify_stored_count(svc_verify *v, svc_str key, svc_str value)
{
  svc_verify_count *row;
  int64_t stored = 0, counted;
  int rc;
  (void)value;
  if (key.n != 1 + SVC_KIND_SIZE && key.n != 1 + SVC_KIND_SIZE + 12) {
    verify_found(v, "a count has a key of a wrong length");
    return;
  }
  if (!v->count_room && !verify_grow(v)) {
    svc_note(v->c->txn, SVC_NOMEM);
    return;
  }
  row = verify_place(v, key);
  counted = row->length ? row->count : 0;
  rc = v->c->txn->port->count(v->c->txn, key, &stored);
  if (rc == SVC_CORRUPT) stored = -1; /* damage is a finding, not an error of the walk */
  else svc_note(v->c->txn, rc);
  if (stored != counted) verify_count_found(v, key, stored, counted);
  row->count = 0; /* done: rows that are left have no stored counter */
}

static void verify_missing_counts(svc_verify *v)
{
  size_t i;
  for (i = 0; i < v->count_room; i++)
    if (v->counts[i].length && v->counts[i].count)
      verify_count_found(v, (svc_str){ (const char *)v->counts[i].key, v->counts[i].length }, 0, v->counts[i].count);
}

/* ------------------------------------------------------------------------------------------------------------- entities */

static void verify_counted(svc_verify *v, const svc_entity *e)
{
  if (svc_id_is_zero(&e->id)) return;
  verify_count(v, e->kind, &e->parent);
  if (e->flags & SVC_ENTITY_BY_ID) verify_count(v, e->kind, NULL);
  if (e->flags & SVC_ENTITY_BY_GROUP) verify_count(v, e->kind, &e->scope.group);
}

static void verify_indexed(svc_verify *v, const svc_entity *e, const svc_id *shown)
{
  svc_named named;
  svc_str value;
  svc_key key;
  if (!(e->flags & SVC_ENTITY_SHARED_NAME) && e->unique.n) {
    int rc = svc_named_get(v->c->txn, svc_entity_names(e), &e->parent, e->unique, &named);
    if (rc != SVC_OK) svc_found(v, e->kind, shown, "its name is not in the index");
    else if (memcmp(named.kind, e->kind, SVC_KIND_SIZE) != 0 || !svc_id_eq(&named.id, &e->id))
      svc_found(v, e->kind, shown, "its name leads to another resource");
  }
  if (!(e->flags & SVC_ENTITY_BY_ID)) return;
  svc_key_by_id(&key, e->kind, &e->id);
  if (svc_get(v->c->txn, &key, &value) != SVC_OK) svc_found(v, e->kind, shown, "it cannot be found by its id");
  else if (value.n != sizeof e->parent.b || memcmp(value.p, e->parent.b, value.n) != 0)
    svc_found(v, e->kind, shown, "its id leads to another parent");
}

static void verify_dues(svc_verify *v, const svc_entity *e, const svc_id *shown)
{
  svc_due_entry due = { .parent = e->parent, .id = e->id };
  svc_key key;
  unsigned i;
  memcpy(due.kind, e->kind, SVC_KIND_SIZE);
  for (i = 0; i < e->due_count; i++) {
    due.when = e->dues[i].when;
    due.tag = e->dues[i].tag;
    svc_key_due(&key, &due);
    if (!svc_verify_there(v, &key)) svc_found(v, e->kind, shown, "it waits for a due step that does not exist");
  }
}

/* The body as a tree; NULL: invalid, which is reported. */
static svc_node *verify_body(svc_verify *v, const svc_entity *e, const svc_id *shown)
{
  svc_json_fault fault;
  svc_node *body = NULL;
  size_t links_at = 0;
  svc_str text = { NULL, 0 };
  if (svc_json_gate(v->c->arena, e->body, VERIFY_DEPTH, &fault)) body = svc_json_parse_gated(v->c->arena, e->body);
  if (!body && v->c->arena->failed) return NULL;
  if (!body || body->type != SVC_J_OBJECT) {
    svc_found(v, e->kind, shown, "its body is not a JSON object");
    return NULL;
  }
  if (svc_body_write(v->c->arena, body, &text, &links_at) && (!svc_str_eq(text, e->body) || links_at != e->links_at))
    svc_found(v, e->kind, shown, "its body is not in canonical form");
  return body;
}

/* Fields that the service fills in must agree with the key. */
static void verify_filled(svc_verify *v, const svc_noun_info *noun, const svc_entity *e, const svc_node *body, const svc_id *shown)
{
  const svc_field *f;
  svc_fields fields;
  svc_fields_begin(&fields, svc_object_of(noun->noun->object, body));
  while ((f = svc_fields_next(&fields)) != NULL) {
    const svc_id *id = f->fill == SVC_AUTO_ID         ? &e->id
                       : f->fill == SVC_AUTO_GROUP_ID ? &e->scope.group
                       : f->fill == SVC_AUTO_ORG_ID   ? &e->scope.org
                                                      : NULL;
    const svc_node *value = id ? svc_node_get(body, f->name) : NULL;
    if (value && !svc_str_eq(value->text, svc_id_str(v->c->arena, id)))
      svc_found(v, e->kind, shown, "its %s differs from its key or record", f->name);
  }
}

/* Whether both have the same key and unique value. A unique value that no table defines is made by its noun. */
static bool verify_same_keys(const svc_entity *own, const svc_entity *e)
{
  return svc_str_eq(own->key, e->key) && (own->unique.n == 0 || svc_str_eq(own->unique, e->unique));
}

/* The key and unique value of an entity must follow from its body, unless its noun makes them. */
static void verify_keys(svc_verify *v, const svc_noun_info *noun, const svc_entity *e, svc_node *body, const svc_id *shown)
{
  svc_change change = { .noun = noun, .body = body };
  svc_entity own = *e;
  if (noun->noun->flags & SVC_SINGLETON) return;
  if (noun == v->c->s->seats[SVC_SEAT_FEED]) { /* events are not stored by changes */
    if (!svc_str_eq(e->key, svc_id_str(v->c->arena, &e->id))) svc_found(v, e->kind, shown, "its name differs from its id");
    return;
  }
  svc_change_keys(v->c, &change, &own);
  if (!verify_same_keys(&own, e)) {
    own = *e;
    change.key = e->unique;
    svc_change_keys(v->c, &change, &own);
  }
  if (!verify_same_keys(&own, e)) svc_found(v, e->kind, shown, "its name differs from the name in its body");
  if (own.flags != e->flags || memcmp(own.names, e->names, SVC_KIND_SIZE) != 0)
    svc_found(v, e->kind, shown, "its index entries differ from those that its noun defines");
}

/* The parent, project and organization of an entity must exist, unless they are being erased. */
static void verify_above(svc_verify *v, const svc_noun_info *noun, const svc_entity *e, const svc_id *shown)
{
  const svc *s = v->c->s;
  bool feed = noun == s->seats[SVC_SEAT_FEED], zero = svc_id_is_zero(&e->parent);
  svc_entity above;
  if (noun->parent) { /* the parent of a stored entity is stored */
    if (verify_read(v, svc_entity_above(v->c, noun, e, &above)) == SVC_NOT_FOUND && !verify_erasing(v, &e->parent))
      svc_found(v, e->kind, shown, "its parent does not exist");
  } else if (!noun->noun->parent && !zero && !feed && !svc_id_eq(&e->parent, &e->scope.group) && !svc_id_eq(&e->parent, &e->scope.org)) {
    svc_found(v, e->kind, shown, "it is below neither its project nor its organization");
  }
  if (feed) return; /* events of a project may outlive it, in the log of its organization */
  if (s->org && !svc_id_is_zero(&e->scope.org) && !verify_get_noun(v, s->org, &e->scope.org, &above) && !verify_erasing(v, &e->scope.org))
    svc_found(v, e->kind, shown, "its organization does not exist");
  if (!s->group || svc_id_is_zero(&e->scope.group)) return;
  if (!verify_get_noun(v, s->group, &e->scope.group, &above)) {
    if (!verify_erasing(v, &e->scope.group)) svc_found(v, e->kind, shown, "its project does not exist");
  } else if (!svc_id_eq(&above.scope.org, &e->scope.org)) {
    svc_found(v, e->kind, shown, "its project belongs to another organization");
  }
}

static void verify_entity(svc_verify *v, svc_str key, svc_str value)
{
  const svc_noun_info *noun;
  svc_entity e = { .kind = key.p + 1 };
  const svc_id *shown;
  svc_node *body;
  if (key.n != VERIFY_ENTITY_KEY) {
    verify_found(v, "a record of a resource has a key of a wrong length");
    return;
  }
  memcpy(e.parent.b, key.p + 1 + SVC_KIND_SIZE, 12);
  memcpy(e.id.b, key.p + 1 + SVC_KIND_SIZE + 12, 12);
  shown = svc_id_is_zero(&e.id) ? &e.parent : &e.id; /* an only child is shown by its parent's id */
  if (!svc_entity_decode(key, value, &e)) {
    svc_found(v, e.kind, shown, "its record cannot be read");
    verify_count(v, e.kind, &e.parent);
    return;
  }
  verify_counted(v, &e);
  verify_indexed(v, &e, shown);
  verify_dues(v, &e, shown);
  noun = svc_noun_by_kind(v->c->s, e.kind);
  body = verify_body(v, &e, shown);
  if (!noun || !body) return;
  if ((noun->seals || noun->noun->flags & SVC_TEXT_BESIDE) && !svc_utf8_valid(e.extra))
    svc_found(v, e.kind, shown, "the data stored next to its body is not text");
  svc_scope_enter(v->c, &e);
  verify_filled(v, noun, &e, body, shown);
  verify_keys(v, noun, &e, body, shown);
  verify_above(v, noun, &e, shown);
  svc_refs_verify(v, noun, &e, body);
  svc_meter_verify(v, noun, &e, body);
}

/* --------------------------------------------------------------------------------------------------------------- entries */

static void verify_by_id(svc_verify *v, svc_str key, svc_str value)
{
  svc_id parent, id;
  svc_entity e;
  if (key.n != 1 + SVC_KIND_SIZE + 12 || value.n != sizeof parent.b) {
    verify_found(v, "an entry of the index of ids cannot be read");
    return;
  }
  memcpy(parent.b, value.p, sizeof parent.b);
  memcpy(id.b, key.p + 1 + SVC_KIND_SIZE, sizeof id.b);
  if (!svc_verify_get(v, key.p + 1, &parent, &id, &e)) svc_found(v, key.p + 1, &id, "its id leads to no resource");
  else if (!(e.flags & SVC_ENTITY_BY_ID)) svc_found(v, key.p + 1, &id, "it has an index entry by its id, but its record says that it has none");
}

static void verify_unique(svc_verify *v, svc_str key, svc_str value)
{
  svc_id parent, id;
  svc_entity e;
  svc_key own;
  if (key.n < 1 + SVC_KIND_SIZE + 1 + 12 || value.n != SVC_KIND_SIZE + 12) {
    verify_found(v, "an entry of the index of names cannot be read");
    return;
  }
  memcpy(parent.b, key.p + key.n - 12, sizeof parent.b);
  memcpy(id.b, value.p + SVC_KIND_SIZE, sizeof id.b);
  if (!svc_verify_get(v, value.p, &parent, &id, &e)) {
    svc_found(v, value.p, &id, "a name leads to it, but it does not exist");
    return;
  }
  svc_key_unique(&own, svc_entity_names(&e), e.unique, &parent);
  if (e.flags & SVC_ENTITY_SHARED_NAME || !svc_str_eq(svc_key_str(&own), key))
    svc_found(v, value.p, &id, "a name leads to it that is not its name");
}

static void verify_rest_key(svc_key *key, const char *kind, const svc_id *parent, const svc_id *id)
{
  svc_key_entity(key, kind, parent, id);
  key->b[0] = 'x';
}

static void verify_due(svc_verify *v, svc_str key, svc_str value)
{
  svc_due_entry due;
  svc_entity e;
  svc_key rest;
  (void)value;
  if (!svc_due_decode(key, &due)) {
    verify_found(v, "a due step cannot be read");
    return;
  }
  if (svc_meter_verify_due(v, &due) || svc_retry_verify_due(v, &due)) return;
  if (due.tag == SVC_DUE_ERASE) {
    verify_rest_key(&rest, due.kind, &due.parent, &due.id);
    v->erasing_due++;
    if (!svc_verify_there(v, &rest)) svc_found(v, due.kind, &due.id, "it is being erased, but its record is not set aside");
    return;
  }
  if (!svc_verify_get(v, due.kind, &due.parent, &due.id, &e)) svc_found(v, due.kind, &due.id, "it has a due step, but does not exist");
  else if (svc_due_get(&e, due.tag) != due.when) svc_found(v, due.kind, &due.id, "it has a due step that its record does not name");
}

/* Deleted entities with descendants left: checked first, because the descendants have no parent. */
static void verify_rest(svc_verify *v, svc_str key, svc_str value)
{
  svc_entity e = { .kind = key.p + 1 };
  svc_id *more;
  if (key.n != VERIFY_ENTITY_KEY || !svc_entity_decode(key, value, &e)) {
    verify_found(v, "a record of a resource being erased cannot be read");
    return;
  }
  more = v->memory->resize(v->memory->context, v->erasing, (v->erasing_count + 1) * sizeof *more);
  if (!more) {
    svc_note(v->c->txn, SVC_NOMEM);
    return;
  }
  v->erasing = more;
  v->erasing[v->erasing_count++] = e.id;
}

/* ---------------------------------------------------------------------------------------------------------------- roles */

static void verify_listed_key(svc_key *key, const svc_id *on, const char *kind, const svc_id *id)
{
  svc_key_begin(key, 'a');
  svc_key_id(key, on);
  svc_key_add(key, kind, SVC_KIND_SIZE);
  svc_key_id(key, id);
}

static void verify_holding(svc_verify *v, svc_str key, svc_str value)
{
  static const int holders[] = { SVC_SEAT_KEY, SVC_SEAT_ACCOUNT, SVC_SEAT_MEMBER, SVC_SEAT_TEAM, SVC_SEAT_USER };
  const svc *s = v->c->s;
  svc_id holder, org, group;
  svc_entity e;
  svc_key other;
  size_t i;
  if (key.n != 1 + 36 || value.n == 0 || value.p[value.n - 1] != '\n') {
    verify_found(v, "roles on a project cannot be read");
    return;
  }
  memcpy(holder.b, key.p + 1, 12);
  memcpy(org.b, key.p + 13, 12);
  memcpy(group.b, key.p + 25, 12);
  for (i = 0; i < sizeof holders / sizeof holders[0]; i++) {
    const svc_noun_info *noun = s->seats[holders[i]];
    if (!noun) continue;
    verify_listed_key(&other, &group, noun->noun->kind, &holder);
    if (!svc_verify_there(v, &other)) continue;
    verify_count(v, noun->noun->kind, &holder);
    if (!svc_verify_get(v, noun->noun->kind, &org, &holder, &e) && !verify_erasing(v, &org))
      svc_found(v, noun->noun->kind, &holder, "it holds roles on a project, but does not exist");
    break;
  }
  if (i == sizeof holders / sizeof holders[0] && s->group)
    svc_found(v, s->group->noun->kind, &group, "a caller holds roles on it that its list does not contain");
  if (s->group && !verify_get_noun(v, s->group, &group, &e) && !verify_erasing(v, &group))
    svc_found(v, s->group->noun->kind, &group, "roles are held on it, but it does not exist");
}

static void verify_listed(svc_verify *v, svc_str key, svc_str value)
{
  const svc *s = v->c->s;
  svc_id on, id;
  svc_entity e;
  svc_key other;
  (void)value;
  if (key.n != VERIFY_LISTED_KEY) {
    verify_found(v, "an entry of the index of roles cannot be read");
    return;
  }
  memcpy(on.b, key.p + 1, 12);
  memcpy(id.b, key.p + 1 + 12 + SVC_KIND_SIZE, 12);
  verify_count(v, key.p + 13, &on);
  if (!verify_get_noun(v, s->group, &on, &e)) return; /* a list of another noun, which uses it in its own way */
  svc_key_begin(&other, 'h');
  svc_key_id(&other, &id);
  svc_key_id(&other, &e.scope.org);
  svc_key_id(&other, &on);
  if (!svc_verify_there(v, &other)) svc_found(v, key.p + 13, &id, "a project lists it, but it holds no role there");
}

static void verify_meta(svc_verify *v, svc_str key, svc_str value)
{
  static const char *const names[] = { "schema", "ids", "sealed", "resealed", "digest", "vendor-word", "dialect", "world" };
  size_t i;
  (void)value;
  if (svc_order_is_session(key)) return; /* also in a copy of a shared store */
  for (i = 0; i < sizeof names / sizeof names[0]; i++)
    if (svc_str_is((svc_str){ key.p + 1, key.n - 1 }, names[i])) return;
  verify_found(v, "the store has an internal record of an unknown kind");
}

/* ------------------------------------------------------------------------------------------------------------------ all */

/* Classes that others are compared with come first. */
static const struct verify_class {
  char letter;
  void (*one)(svc_verify *v, svc_str key, svc_str value);
  const char *what;
} verify_classes[] = {
  { 'x', verify_rest, "resources being erased" },
  { 'e', verify_entity, "entities" },
  { 'a', verify_listed, "who holds roles" },
  { 'h', verify_holding, "roles on projects" },
  { 'b', svc_meter_verify_line, "the ledger" },
  { 'l', svc_meter_verify_open, "open lines of the ledger" },
  { 'i', svc_retry_verify, "answers to retries" },
  { 'c', verify_stored_count, "counts" },
  { 'd', verify_due, "due steps" },
  { 'g', verify_by_id, "the index of ids" },
  { 'j', svc_retry_verify_index, "answers to retries by organization" },
  { 'm', verify_meta, "the store's own" },
  { 'o', svc_order_verify, "orders" },
  { 'q', svc_order_verify_id, "orders by their ids" },
  { 'r', svc_refs_verify_entry, "who names whom" },
  { 't', svc_tally_verify, "tallies" },
  { 'u', verify_unique, "the index of names" },
  { 'w', svc_order_verify_waiting, "orders that wait" },
};
#define VERIFY_CLASSES (sizeof verify_classes / sizeof verify_classes[0])

/* Checks one record. Errors inside the record are its own; others end the walk. */
static void verify_one(svc_verify *v, const struct verify_class *k, svc_str key, svc_str value)
{
  svc_txn *txn = v->c->txn;
  svc_arena arena;
  svc_call c;
  svc_service_call(&c, v->c->s, &arena, txn, v->c->now);
  v->c = &c;
  v->here = 0;
  k->one(v, key, value);
  if (arena.failed) txn->error = SVC_NOMEM;
  if (txn->error == SVC_CORRUPT || c.error.code != SVC_E_NONE) {
    if (!v->here) verify_found(v, "a record refers to a record that cannot be read");
    if (txn->error == SVC_CORRUPT) txn->error = SVC_OK;
  }
  v->c = v->outer;
  svc_blocks_free(arena.blocks);
}

static void verify_class(svc_verify *v, const struct verify_class *k)
{
  svc_txn *txn = v->c->txn;
  svc_str key, value;
  svc_scan scan;
  svc_key prefix;
  char text[VERIFY_TEXT];
  svc_key_begin(&prefix, k->letter);
  svc_scan_below(&scan, txn, &prefix, false);
  while (v->findings <= SVC_FINDINGS && txn->error == SVC_OK && svc_scan_next(&scan, &key, &value)) {
    verify_one(v, k, key, value);
    svc_scan_forget(&scan);
  }
  if (txn->error != SVC_CORRUPT && txn->error != SVC_IO) return;
  snprintf(text, sizeof text, "%s: cannot be read to their end", k->what);
  if (verify_another(v)) v->found(v->context, text);
  if (txn->error == SVC_CORRUPT) txn->error = SVC_OK;
}

/* A record outside of all classes is a finding. */
static void verify_strangers(svc_verify *v)
{
  char letters[2 + VERIFY_CLASSES] = "";
  svc_range range = { SVC_S("\1"), SVC_S("\377"), false, 0 };
  svc_txn *txn = v->c->txn;
  svc_row row;
  size_t i, n;
  char to;
  for (i = 0; i < VERIFY_CLASSES; i++) letters[i] = verify_classes[i].letter;
  while (svc_note(txn, txn->port->scan(txn, &range, &row, 1, &n)) == SVC_OK && n) {
    if (!strchr(letters, row.key.p[0])) {
      verify_found(v, "a record has an unknown class");
      return;
    }
    to = (char)(row.key.p[0] + 1);
    range.from = svc_arena_copy(v->c->arena, (svc_str){ &to, 1 });
  }
}

static void verify_all(svc_verify *v)
{
  size_t i;
  for (i = 0; i < VERIFY_CLASSES && v->findings <= SVC_FINDINGS; i++) verify_class(v, &verify_classes[i]);
  if (v->findings > SVC_FINDINGS || v->outer->txn->error != SVC_OK) return;
  verify_missing_counts(v);
  verify_strangers(v);
  if (v->erasing_due != v->erasing_count) verify_found(v, "the due steps for erasing do not match the resources being erased");
  if (v->meters_open != v->meters_wanted) verify_found(v, "the ledger does not have exactly one open line for each cost");
}

static void verify_nobody(void *context, const char *text)
{
  (void)context, (void)text;
}

/* Checks the engine's own structures. False: damaged, so records are not read. */
static bool verify_below(const svc *s, void (*found)(void *context, const char *text), void *context, int *rc)
{
  const svc_store_port *port = s->commit.port;
  char why[VERIFY_TEXT] = "";
  *rc = port->check ? port->check(s->commit.store, why, sizeof why) : SVC_OK;
  if (*rc == SVC_CORRUPT) found(context, why);
  return *rc == SVC_OK;
}

int svc_check_store(svc *s, void (*found)(void *context, const char *text), void *context)
{
  svc_verify v;
  svc_arena arena;
  svc_call c;
  int rc;
  if (!SVC_USABLE(s)) return SVC_INVALID;
  memset(&v, 0, sizeof v);
  v.found = found ? found : verify_nobody;
  v.context = context;
  if (!verify_below(s, v.found, context, &rc)) return rc;
  svc_service_call(&c, s, &arena, NULL, svc_now(s));
  rc = s->commit.port->read_begin(s->commit.store, &c.txn);
  if (rc != SVC_OK) return rc;
  v.c = v.outer = &c;
  v.memory = &s->allocator;
  verify_all(&v);
  rc = arena.failed ? SVC_NOMEM : c.txn->error;
  c.txn->error = SVC_OK;
  svc_end_read(&c);
  if (v.findings > SVC_FINDINGS) v.found(context, "there is more: the check has ended here");
  v.memory->resize(v.memory->context, v.counts, 0);
  v.memory->resize(v.memory->context, v.erasing, 0);
  svc_blocks_free(arena.blocks);
  return rc == SVC_NOMEM || (rc != SVC_OK && !v.findings) ? rc : v.findings ? SVC_CORRUPT : rc;
}

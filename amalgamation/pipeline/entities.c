/*
** Stored entities as the items of a list: those below a parent, or those that the caller may see.
**
** The rule: without a filter, the cost of a page depends on what is returned, not on what is stored, and the total comes from a counter.
** A filter that no index serves compares the entities one by one: up to the item behind the page, or to the end if the total is wanted.
** The store skips the rows before the page (svc_scan.skip): each costs a step of the cursor in the port, but is not
** decoded. Only this cost grows with the number of the page. A filter by date starts the scan at the date. Visible resources
** are found from the caller's roles. A tallied log is listed block by block (blocks.c).
*/
#include "pipeline/pipeline.h"

/* -------------------------------------------------------------------------------------------------------------- filters */

/* The text of a value in a body, which may be nested ("a.b"); n 0: missing. Works without a parse. */
SVC_PRIVATE svc_str svc_entity_text(svc_call *c, const svc_noun *noun, const svc_entity *e, const char *field)
{
  svc_str rest = svc_str_c(field), raw = e->body, text;
  int tallied = svc_tallied(noun, field);
  if (tallied >= 0 && svc_tally_text(c, e, tallied, &text)) return text;
  while (rest.n && raw.n) raw = svc_json_member(raw, svc_str_cut(&rest, '.'));
  if (raw.n < 2 || raw.p[0] != '"') return raw;
  raw = (svc_str){ raw.p + 1, raw.n - 2 };
  if (!memchr(raw.p, '\\', raw.n)) return raw;
  return svc_json_unescape(c->arena, raw, &text) ? text : raw;
}

SVC_PRIVATE bool svc_entity_in_path(svc_call *c, const svc_entity *e)
{
  const svc_plan *plan = c->plan;
  return plan->in_path < 0 ||
         svc_str_eq(svc_entity_text(c, plan->noun->noun, e, svc_route_ext_of(plan->route)->in_path), c->route.params[plan->in_path]);
}

static bool entities_begins(svc_str text, svc_str prefix)
{
  size_t i;
  if (prefix.n > text.n) return false;
  for (i = 0; i < prefix.n; i++) {
    int a = (unsigned char)prefix.p[i], b = (unsigned char)text.p[i];
    if (a >= 'A' && a <= 'Z') a += 32;
    if (b >= 'A' && b <= 'Z') b += 32;
    if (a != b) return false;
  }
  return true;
}

SVC_PRIVATE bool svc_filter_compares(svc_call *c, const svc_filter *f, const svc_query_value *given, svc_str text)
{
  int64_t date;
  switch (f->compare) {
  case SVC_PREFIX: return entities_begins(text, given->text);
  case SVC_NOT_IN: return !svc_query_has(c, f->param, text);
  case SVC_MIN_DATE: return svc_date_parse(text, &date) && date >= given->number;
  case SVC_MAX_DATE: return svc_date_parse(text, &date) && date <= given->number;
  default: return svc_query_has(c, f->param, text);
  }
}

SVC_PRIVATE bool svc_entities_pass(svc_call *c, const svc_entities *which, const svc_entity *e)
{
  const char *unique = which->noun->noun->unique;
  const svc_filter *f;
  for (f = which->filters; f && f->param; f++) {
    const svc_query_value *given = svc_query_get(c, f->param);
    bool named = given && unique && strcmp(unique, f->field) == 0;
    if (given && !svc_filter_compares(c, f, given, named ? e->unique : svc_entity_text(c, which->noun->noun, e, f->field)))
      return false;
  }
  return !which->keep || which->keep(c, e, which->context);
}

static bool entities_filtered(const svc_call *c, const svc_entities *which)
{
  const svc_filter *f;
  for (f = which->filters; f && f->param; f++)
    if (svc_query_get(c, f->param)) return true;
  return which->keep != NULL;
}

/*
** An id begins with the second of its creation, so a bound on the creation time is a bound on ids. An id may be ahead of the clock, after a
** crash or when the clock was set back a little, but never behind it.
*/
static void entities_seek(svc_call *c, const svc_entities *which, svc_scan *scan, const svc_key *prefix)
{
  const svc_filter *f;
  for (f = which->filters; f && f->param; f++) {
    const svc_field *field = svc_field_named(svc_object_of(which->noun->noun->object, NULL), svc_str_c(f->field));
    const svc_query_value *given = svc_query_get(c, f->param);
    svc_key *edge = f->compare == SVC_MIN_DATE ? &scan->from : &scan->to;
    int64_t second;
    if (!given || (f->compare != SVC_MIN_DATE && f->compare != SVC_MAX_DATE) || !field || field->fill != SVC_AUTO_NOW)
      continue;
    second = given->number / 1000 + (f->compare == SVC_MAX_DATE ? 1 + SVC_ID_AHEAD : 0);
    if (second < 0) second = 0;
    if (second > 0xFFFFFFFE) continue;
    *edge = *prefix;
    svc_key_number(edge, (uint64_t)second, 4);
  }
}

SVC_PRIVATE void svc_entities_scan(svc_call *c, const svc_entities *which, const svc_id *parent, svc_scan *scan)
{
  svc_key prefix;
  svc_key_entity(&prefix, which->noun->noun->kind, parent, NULL);
  svc_scan_below(scan, c->txn, &prefix, c->plan->route->flags & SVC_NEWEST_FIRST);
  entities_seek(c, which, scan, &prefix);
}

/* --------------------------------------------------------------------------------------------------------------- source */

/* The source: the rows of a range, then of the next one, then single entities. */
typedef struct entities_source {
  const svc_entities *which;
  svc_scan scan;
  bool fresh; /* not read yet */
  const svc_seen *seen; /* NULL: one scan only */
  bool one_parent;      /* only single entities below which->parent */
  size_t next_parent, next_id;
  svc_entity some[SVC_MANY]; /* single entities that were looked up together */
  size_t at, n;
} entities_source;

static void entities_below(svc_call *c, entities_source *from, const svc_id *parent)
{
  svc_entities_scan(c, from->which, parent, &from->scan);
  from->fresh = true;
}

/* Moves on to the next parent; false: no more. */
static bool entities_next_parent(svc_call *c, entities_source *from)
{
  if (!from->seen || from->next_parent == from->seen->parent_count) return false;
  entities_below(c, from, &from->seen->parents[from->next_parent++]);
  return true;
}

static bool entities_row(svc_call *c, entities_source *from, svc_entity *out)
{
  svc_str key, value;
  while (!svc_scan_next(&from->scan, &key, &value))
    if (c->txn->error || !entities_next_parent(c, from)) return false;
  from->fresh = false;
  if (!svc_entity_decode(key, value, out)) svc_note(c->txn, SVC_CORRUPT);
  return c->txn->error == SVC_OK;
}

static bool entities_single(svc_call *c, entities_source *from, svc_entity *out)
{
  size_t left;
  for (;;) {
    for (; from->at < from->n; from->at++)
      if (from->some[from->at].kind) {
        *out = from->some[from->at++];
        return true;
      }
    left = from->seen ? from->seen->id_count - from->next_id : 0;
    from->n = left < SVC_MANY ? left : SVC_MANY;
    from->at = 0;
    if (!left || svc_get_nouns(c->txn, from->which->noun, &from->seen->ids[from->next_id], from->n, from->some) != SVC_OK) {
      from->n = 0;
      return false;
    }
    from->next_id += from->n;
  }
}

SVC_PRIVATE bool svc_entities_item(svc_call *c, const svc_entities *which, const svc_entity *e, svc_item *out)
{
  svc_node *body;
  out->key = e->key;
  out->body = e->body;
  out->links_at = e->links_at;
  if (which->write) return which->write(c, e, out);
  if (!which->view) return true;
  body = which->view(c, e, which->context);
  if (!body) return svc_failed(c);
  svc_item_node(c, out, e->key, body);
  return true;
}

/* Skips single entities before they are looked up. */
static int64_t entities_pass_singles(entities_source *from, int64_t most)
{
  int64_t left = from->seen && from->at == from->n ? (int64_t)(from->seen->id_count - from->next_id) : 0;
  if (left > most) left = most;
  from->next_id += (size_t)left;
  return left;
}

/* For a list without filters: the store skips rows, and counters skip whole parents. */
static int64_t entities_pass_over(svc_call *c, void *state, int64_t most)
{
  entities_source *from = state;
  const svc_seen *seen = from->seen;
  for (;;) {
    if (from->fresh) { /* with a single range, the list knows that it has more rows than it skips */
      int64_t n = seen ? (int64_t)svc_count(c->txn, from->which->noun->noun->kind, &seen->parents[from->next_parent - 1]) : INT64_MAX;
      from->fresh = false;
      from->scan.skip = (uint64_t)most;
      if (n > most) return most;
      from->scan.ended = true;
      if (n) return n;
    }
    if (svc_scan_more(&from->scan)) return 0;
    if (c->txn->error || !entities_next_parent(c, from)) return c->txn->error ? 0 : entities_pass_singles(from, most);
  }
}

static bool entities_next(svc_call *c, void *state, svc_item *out)
{
  entities_source *from = state;
  svc_entity e;
  e.kind = from->which->noun->noun->kind;
  while (entities_row(c, from, &e) || (!c->txn->error && entities_single(c, from, &e))) {
    if ((from->one_parent && !svc_id_eq(&e.parent, &from->which->parent)) || !svc_entities_pass(c, from->which, &e)) {
      if (c->error.code) return false;
      continue;
    }
    return !out || svc_entities_item(c, from->which, &e, out);
  }
  svc_txn_good(c);
  return false;
}

/* ---------------------------------------------------------------------------------------------------------------- lists */

/* Copies records as stored, without filters or views. */
static bool entities_write(svc_call *c, entities_source *from, int64_t total, bool straight)
{
  bool plain = !from->which->view && !from->which->write && total >= 0;
  if (plain && straight) return svc_list_stored(c, &from->scan, total);
  if (total >= 0 && straight && c->query.paged) svc_scan_expect(&from->scan, (uint64_t)c->query.per_page); /* reads no row in vain */
  return svc_list_passing(c, entities_next, total >= 0 ? entities_pass_over : NULL, from, total);
}

static void entities_begin(entities_source *from, const svc_entities *which, const svc_seen *seen)
{
  from->which = which;
  from->seen = seen;
  from->fresh = from->one_parent = false;
  from->next_parent = from->next_id = from->at = from->n = 0;
}

/* The prefix of the unique value that a filter asks for; NULL: none. */
static const svc_query_value *entities_prefix(const svc_call *c, const svc_entities *which)
{
  const char *unique = which->noun->noun->unique;
  const svc_filter *f;
  for (f = which->filters; f && f->param && unique; f++)
    if (f->compare == SVC_PREFIX && strcmp(f->field, unique) == 0) return svc_query_get(c, f->param);
  return NULL;
}

/* The entities that the index has found; other filters are applied to each. */
static bool entities_named(svc_call *c, const svc_entities *which, const svc_seen *named)
{
  const svc_filter *f;
  entities_source from;
  int given = 0;
  for (f = which->filters; f->param; f++) given += svc_query_get(c, f->param) != NULL;
  entities_begin(&from, which, named);
  from.scan.n = from.scan.at = 0;
  from.scan.ended = true;
  return entities_write(c, &from, given > 1 || which->keep ? -1 : (int64_t)named->id_count, false);
}

SVC_PRIVATE bool svc_list_entities(svc_call *c, const svc_entities *which)
{
  const svc_query_value *prefix = entities_prefix(c, which);
  svc_seen named;
  bool found = false;
  bool filtered = entities_filtered(c, which);
  int64_t total = filtered ? -1 : (int64_t)svc_count(c->txn, which->noun->noun->kind, &which->parent);
  entities_source from;
  if (svc_noun_ext_of(which->noun->noun)->feed && !which->keep && c->plan->route->flags & SVC_NEWEST_FIRST && (filtered || c->query.page > 1))
    return svc_list_blocks(c, which, total);
  if (prefix && !(c->plan->route->flags & SVC_NEWEST_FIRST) &&
      !svc_prefix_find(c, which->noun, &which->parent, prefix->text, &named, &found))
    return false;
  if (found) return entities_named(c, which, &named);
  entities_begin(&from, which, NULL);
  entities_below(c, &from, &which->parent);
  return entities_write(c, &from, total, true);
}

/* All entities in one range: the parents' ranges are adjacent. */
static bool entities_everything(svc_call *c, const svc_entities *which)
{
  static const svc_id root;
  const svc_id *parent = which->noun->parent ? NULL : &root;
  int64_t total = entities_filtered(c, which) ? -1 : (int64_t)svc_count(c->txn, which->noun->noun->kind, parent);
  entities_source from;
  svc_key prefix;
  entities_begin(&from, which, NULL);
  svc_key_entity(&prefix, which->noun->noun->kind, NULL, NULL);
  svc_scan_below(&from.scan, c->txn, &prefix, false);
  from.fresh = true;
  return entities_write(c, &from, total, true);
}

/* Whether all entities below this parent are visible. */
static bool entities_all_below(const svc_seen *seen, const svc_id *parent)
{
  size_t i;
  for (i = 0; i < seen->parent_count; i++)
    if (svc_id_eq(&seen->parents[i], parent)) return true;
  return seen->everything;
}

SVC_PRIVATE bool svc_list_seen(svc_call *c, const svc_entities *which)
{
  bool one = !svc_id_is_zero(&which->parent), straight;
  entities_source from;
  svc_seen seen;
  int64_t total;
  size_t i;
  if (!svc_seen_of(c, which->noun, &seen)) return false;
  if (one && entities_all_below(&seen, &which->parent)) return svc_list_entities(c, which);
  if (seen.everything) return entities_everything(c, which);
  if (one) seen.parent_count = 0;
  entities_begin(&from, which, &seen);
  from.one_parent = one;
  total = (int64_t)seen.id_count;
  for (i = 0; i < seen.parent_count; i++) total += (int64_t)svc_count(c->txn, which->noun->noun->kind, &seen.parents[i]);
  if (one || entities_filtered(c, which)) total = -1;
  straight = seen.parent_count == 1 && seen.id_count == 0;
  from.scan.n = from.scan.at = 0; /* the first range is begun on the first read */
  from.scan.ended = true;
  if (straight) entities_below(c, &from, &seen.parents[from.next_parent++]);
  return entities_write(c, &from, total, straight);
}

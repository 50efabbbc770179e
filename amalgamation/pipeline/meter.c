/*
** The ledger of costs: which organization had how much of what, from when until when.
**
** The `meters` of a noun say what is counted and how much of it runs. A line of the ledger begins with that and ends when it
** changes or the entity is deleted. At the end of a month a line ends as well, and continues in the next. So the lines of a
** month are all that its invoice needs, and they outlive deleted entities, including their names.
**
**   b org(12) month(4) group(12) top(12) id(12) since(8) slot(1)   kind(4) i64 quantity, i64 until, then three texts with a
**                                                                  newline between: what is counted, top's name, group's name
**   l id(12) slot(1)                                               org(12) month(4) group(12) top(12) since(8): the open line
**
** Top is the ancestor right below the project (the cluster of a snapshot), or the entity itself: lines of one top are adjacent.
**
** The rule: an entity has at most one open line per slot, and each of its meters has a slot. A line that ran for some time is
** never removed.
*/
#include "pipeline/pipeline.h"

#define METER_KIND "-mtr" /* of due entries: the end of a month */
#define METER_FRONT (SVC_KIND_SIZE + 16)
#define METER_PLACE 40 /* org, month, group, top */
#define METER_OPEN (METER_PLACE + 8)

static unsigned meter_month(int64_t ms)
{
  char text[21];
  svc_date_text(ms, text);
  return (unsigned)(atoi(text) * 100 + atoi(text + 5));
}

static int64_t meter_next_month(unsigned month)
{
  return svc_day_ms((month % 100 == 12 ? month + 89 : month + 1) * 100 + 1);
}

static void meter_key(svc_key *key, const svc_ledger_line *line)
{
  svc_key_begin(key, 'b');
  svc_key_id(key, &line->org);
  svc_key_number(key, line->month, 4);
  svc_key_id(key, &line->group);
  svc_key_id(key, &line->top);
  svc_key_id(key, &line->id);
  svc_key_time(key, line->since);
  svc_key_number(key, line->slot, 1);
}

static void meter_open_key(svc_key *key, const svc_id *id, unsigned slot)
{
  svc_key_begin(key, 'l');
  svc_key_id(key, id);
  svc_key_number(key, slot, 1);
}

/* The due date at the end of its month; false: none, because the clock is past the last date. */
static bool meter_due_key(svc_key *key, const svc_ledger_line *line)
{
  svc_due_entry due;
  memset(&due, 0, sizeof due);
  due.when = meter_next_month(line->month);
  memcpy(due.kind, METER_KIND, SVC_KIND_SIZE);
  due.id = line->id;
  due.tag = (unsigned char)line->slot;
  svc_key_due(key, &due);
  return due.when > line->since;
}

static unsigned meter_month_at(const char *p)
{
  const unsigned char *b = (const unsigned char *)p;
  return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

static bool meter_decode(svc_str key, svc_str value, svc_ledger_line *out)
{
  svc_str texts = { value.p + METER_FRONT, value.n - METER_FRONT };
  if (key.n != 1 + METER_PLACE + 12 + 8 + 1 || value.n < METER_FRONT) return false;
  memcpy(out->org.b, key.p + 1, 12);
  out->month = meter_month_at(key.p + 13);
  memcpy(out->group.b, key.p + 17, 12);
  memcpy(out->top.b, key.p + 29, 12);
  memcpy(out->id.b, key.p + 41, 12);
  out->since = svc_key_time_at(key.p + 53);
  out->slot = (unsigned char)key.p[61];
  memcpy(out->kind, value.p, SVC_KIND_SIZE);
  memcpy(&out->meter.quantity, value.p + SVC_KIND_SIZE, 8);
  memcpy(&out->until, value.p + SVC_KIND_SIZE + 8, 8);
  out->meter.sku = svc_str_cut(&texts, '\n');
  out->top_name = svc_str_cut(&texts, '\n');
  out->group_name = texts;
  return true;
}

/* -------------------------------------------------------------------------------------------------------------- writing */

static void meter_put(svc_call *c, const svc_ledger_line *line)
{
  svc_buf b = svc_buf_new(c->arena, METER_FRONT + line->meter.sku.n + line->top_name.n + line->group_name.n + 2);
  svc_key key;
  svc_buf_add(&b, line->kind, SVC_KIND_SIZE);
  svc_buf_add(&b, (const char *)&line->meter.quantity, 8);
  svc_buf_add(&b, (const char *)&line->until, 8);
  svc_buf_str(&b, line->meter.sku);
  svc_buf_char(&b, '\n');
  svc_buf_str(&b, line->top_name);
  svc_buf_char(&b, '\n');
  svc_buf_str(&b, line->group_name);
  meter_key(&key, line);
  if (b.failed) svc_note(c->txn, SVC_NOMEM);
  else svc_put(c->txn, &key, (svc_str){ b.p, b.n });
}

/* False: failed, with the error set. */
static bool meter_begin(svc_call *c, svc_ledger_line *line)
{
  const svc_noun_info *bills = c->s->seats[SVC_SEAT_BILLS];
  char open[METER_OPEN];
  svc_key key;
  line->month = meter_month(line->since);
  line->until = 0;
  meter_put(c, line);
  meter_key(&key, line);
  memcpy(open, key.b + 1, METER_PLACE);
  memcpy(open + METER_PLACE, key.b + 1 + METER_PLACE + 12, 8); /* since */
  meter_open_key(&key, &line->id, line->slot);
  svc_put(c->txn, &key, (svc_str){ open, sizeof open });
  if (meter_due_key(&key, line)) svc_put(c->txn, &key, SVC_S(""));
  return !bills || svc_noun_ext_of(bills->noun)->bills->begins(c, line);
}

/* A line of no duration is removed. */
static void meter_end(svc_call *c, svc_ledger_line *line, int64_t until)
{
  svc_key key;
  meter_open_key(&key, &line->id, line->slot);
  svc_remove(c->txn, &key);
  if (meter_due_key(&key, line)) svc_remove(c->txn, &key);
  line->until = until ? until : 1; /* 0 would mean "still running" */
  if (until > line->since) {
    meter_put(c, line);
    return;
  }
  meter_key(&key, line);
  svc_remove(c->txn, &key);
}

/* The open line of a slot. */
static int meter_find(svc_call *c, const svc_id *id, unsigned slot, svc_ledger_line *out)
{
  svc_key key;
  svc_str open, value;
  int rc;
  meter_open_key(&key, id, slot);
  rc = svc_get(c->txn, &key, &open);
  if (rc != SVC_OK) return rc;
  if (open.n != METER_OPEN) return svc_note(c->txn, SVC_CORRUPT);
  svc_key_begin(&key, 'b');
  svc_key_add(&key, open.p, METER_PLACE);
  svc_key_id(&key, id);
  svc_key_add(&key, open.p + METER_PLACE, 8);
  svc_key_number(&key, slot, 1);
  rc = svc_get(c->txn, &key, &value);
  if (rc == SVC_OK && !meter_decode(svc_key_str(&key), value, out)) rc = SVC_CORRUPT;
  if (rc == SVC_OK) {
    out->meter.sku = svc_arena_copy(c->arena, out->meter.sku);
    out->top_name = svc_arena_copy(c->arena, out->top_name);
    out->group_name = svc_arena_copy(c->arena, out->group_name);
  }
  return rc == SVC_OK ? SVC_OK : svc_note(c->txn, SVC_CORRUPT);
}

static bool meter_same(const svc_ledger_line *line, const svc_entity *e, const svc_meter *meter)
{
  return svc_id_eq(&line->org, &e->scope.org) && svc_id_eq(&line->group, &e->scope.group) &&
         line->meter.quantity == meter->quantity && svc_str_eq(line->meter.sku, meter->sku);
}

/* The ancestor right below the project, and the names of that and of the project. */
static bool meter_place(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_ledger_line *line)
{
  svc_entity top = *e, above;
  int rc = SVC_OK;
  for (; noun->parent && noun->parent != c->s->group && noun->parent != c->s->org; noun = noun->parent) {
    rc = svc_entity_above(c, noun, &top, &above);
    if (rc != SVC_OK) break;
    top = above;
  }
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  line->top = top.id;
  line->top_name = top.unique;
  if (!c->s->group || svc_id_is_zero(&line->group)) return true;
  rc = svc_get_noun(c->txn, c->s->group, &line->group, &above);
  if (rc == SVC_OK) line->group_name = above.unique;
  return rc == SVC_OK || rc == SVC_NOT_FOUND ? true : svc_store_failed(c, rc);
}

/* Sets the meter of a slot from now on; NULL: none. */
static bool meter_slot(svc_call *c, const svc_noun_info *noun, const svc_entity *e, unsigned slot, const svc_meter *meter)
{
  svc_ledger_line line;
  int rc = meter_find(c, &e->id, slot, &line);
  if (rc != SVC_OK && rc != SVC_NOT_FOUND) return svc_store_failed(c, rc);
  if (rc == SVC_OK && meter && meter_same(&line, e, meter)) return true;
  if (rc == SVC_OK) meter_end(c, &line, c->now);
  if (meter) {
    memset(&line, 0, sizeof line);
    line.org = e->scope.org;
    line.group = e->scope.group;
    line.id = e->id;
    memcpy(line.kind, e->kind, SVC_KIND_SIZE);
    line.since = c->now;
    line.slot = slot;
    line.meter = *meter;
    if (!meter_place(c, noun, e, &line) || !meter_begin(c, &line)) return false;
  }
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_meter_note(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const svc_node *body)
{
  svc_meter meters[SVC_METERS];
  size_t n, i;
  if (!svc_noun_ext_of(noun->noun)->meters) return true;
  n = body ? svc_noun_ext_of(noun->noun)->meters(c, body, meters, SVC_METERS) : 0;
  for (i = 0; i < SVC_METERS; i++)
    if (!meter_slot(c, noun, e, (unsigned)i, i < n ? &meters[i] : NULL)) return false;
  return true;
}

static const svc_bill_ops *meter_bills(const svc_call *c)
{
  return c->s->seats[SVC_SEAT_BILLS] ? svc_noun_ext_of(c->s->seats[SVC_SEAT_BILLS]->noun)->bills : NULL;
}

SVC_PRIVATE bool svc_meter_pays(svc_call *c, const svc_id *org, int code)
{
  const svc_bill_ops *bills = meter_bills(c);
  if (!bills || !c->plan || bills->pays(c, org)) return c->error.code == SVC_E_NONE;
  return bills->refuse(c, org, code);
}

/* Only for requests: what runs already continues, and a reduction is always allowed. */
SVC_PRIVATE bool svc_meter_affords(svc_call *c, const svc_noun_info *noun, const svc_id *org, const svc_node *before,
                                   const svc_node *body)
{
  const svc_bill_ops *bills = meter_bills(c);
  const svc_noun *row = noun->noun;
  svc_meter meters[SVC_METERS];
  int64_t was = 0, is;
  if (!bills || !c->plan || !svc_noun_ext_of(row)->meters || bills->pays(c, org)) return c->error.code == SVC_E_NONE;
  if (before) was = bills->price(meters, svc_noun_ext_of(row)->meters(c, before, meters, SVC_METERS));
  is = bills->price(meters, svc_noun_ext_of(row)->meters(c, body, meters, SVC_METERS));
  return is <= was || bills->refuse(c, org, SVC_E_NONE);
}

SVC_PRIVATE bool svc_meter_due(svc_call *c, const svc_due_entry *due, bool *mine)
{
  svc_ledger_line line;
  int rc;
  *mine = memcmp(due->kind, METER_KIND, SVC_KIND_SIZE) == 0;
  if (!*mine) return true;
  rc = meter_find(c, &due->id, due->tag, &line);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND;
  meter_end(c, &line, due->when);
  line.since = due->when;
  return meter_begin(c, &line) && c->txn->error == SVC_OK;
}

/* -------------------------------------------------------------------------------------------------------------- reading */

SVC_PRIVATE void svc_ledger_begin(svc_scan *scan, svc_txn *txn, const svc_id *org, unsigned month)
{
  svc_key prefix;
  svc_key_begin(&prefix, 'b');
  svc_key_id(&prefix, org);
  if (month) svc_key_number(&prefix, month, 4);
  svc_scan_below(scan, txn, &prefix, false);
}

SVC_PRIVATE bool svc_ledger_next(svc_scan *scan, svc_ledger_line *out)
{
  svc_str key, value;
  if (!svc_scan_next(scan, &key, &value)) return false;
  return meter_decode(key, value, out) ? true : (svc_note(scan->txn, SVC_CORRUPT), false);
}

/* ----------------------------------------------------------------------------------------------------------- is it whole? */

SVC_PRIVATE void svc_meter_verify(svc_verify *v, const svc_noun_info *noun, const svc_entity *e, const svc_node *body)
{
  svc_meter meters[SVC_METERS];
  svc_ledger_line line;
  size_t n = svc_noun_ext_of(noun->noun)->meters ? svc_noun_ext_of(noun->noun)->meters(v->c, body, meters, SVC_METERS) : 0, i;
  for (i = 0; i < n; i++) {
    if (meter_find(v->c, &e->id, (unsigned)i, &line) != SVC_OK) svc_found(v, e->kind, &e->id, "it has a cost, but the ledger has no open line for it");
    else if (!meter_same(&line, e, &meters[i])) svc_found(v, e->kind, &e->id, "the ledger has another cost for it than its tables define");
  }
  v->meters_wanted += n;
}

/* Whether its three texts are there and something is counted. */
static bool meter_sound(svc_str value)
{
  const char *first = value.n > METER_FRONT ? memchr(value.p + METER_FRONT, '\n', value.n - METER_FRONT) : NULL;
  return first && first > value.p + METER_FRONT && memchr(first + 1, '\n', (size_t)(value.p + value.n - first - 1));
}

SVC_PRIVATE void svc_meter_verify_line(svc_verify *v, svc_str key, svc_str value)
{
  svc_id none = { { 0 } };
  svc_ledger_line line;
  svc_str open;
  svc_key at;
  if (!meter_sound(value) || !meter_decode(key, value, &line)) {
    svc_found(v, METER_KIND, &none, "a line of the ledger cannot be read");
    return;
  }
  if (line.month != meter_month(line.since)) svc_found(v, line.kind, &line.id, "a line of the ledger is in another month than its start");
  if (line.until && line.until <= line.since && line.until != 1) svc_found(v, line.kind, &line.id, "a line of the ledger ends before it begins");
  if (line.until) return;
  meter_open_key(&at, &line.id, line.slot);
  if (svc_get(v->c->txn, &at, &open) != SVC_OK || open.n != METER_OPEN || memcmp(open.p, key.p + 1, METER_PLACE) != 0 ||
      memcmp(open.p + METER_PLACE, key.p + 1 + METER_PLACE + 12, 8) != 0)
    svc_found(v, line.kind, &line.id, "a line of the ledger has no end, but is not the open one");
  if (meter_due_key(&at, &line) && !svc_verify_there(v, &at)) svc_found(v, line.kind, &line.id, "the due step for the end of its month is missing");
}

SVC_PRIVATE void svc_meter_verify_open(svc_verify *v, svc_str key, svc_str value)
{
  svc_id id = { { 0 } };
  svc_ledger_line line;
  (void)value;
  if (key.n == 1 + 12 + 1) memcpy(id.b, key.p + 1, 12);
  if (key.n != 1 + 12 + 1 || meter_find(v->c, &id, (unsigned char)key.p[13], &line) != SVC_OK || line.until)
    svc_found(v, METER_KIND, &id, "the ledger has an open line for a resource that does not exist or costs nothing any more");
  else if (svc_noun_by_kind(v->c->s, line.kind)) v->meters_open++; /* otherwise the noun is not in this build */
}

SVC_PRIVATE bool svc_meter_verify_due(svc_verify *v, const svc_due_entry *due)
{
  svc_ledger_line line;
  if (memcmp(due->kind, METER_KIND, SVC_KIND_SIZE) != 0) return false;
  if (meter_find(v->c, &due->id, due->tag, &line) != SVC_OK || meter_next_month(line.month) != due->when)
    svc_found(v, METER_KIND, &due->id, "a due step ends a month for which the ledger has no line");
  return true;
}

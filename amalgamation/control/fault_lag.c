/*
** Reads that lag behind writes: GETs of a resource show it as it was before its last write.
**
** Before an entity of a noun with such a rule is written, its records are copied: the entity, and the index entries that lead to
** it. A GET is then answered in a transaction that shows these copies instead of the present records. Copies are held for a number of
** milliseconds after the last write, or for a number of GETs.
**
** The rule: only GETs see copies, so writes and If-Match see the truth. Memory is bounded: the oldest copies give way, and then there
** is no lag. An aborted write has left copies of records that are still there, which makes no difference. So a counter has no copy: its
** difference follows from the copies of the entities that it counts, compared with the present records.
*/
#include "control/control.h"

#define FAULT_LAG_RECORDS 1000
#define FAULT_LAG_BYTES ((size_t)16 << 20)

typedef struct fault_lag_record {
  char *bytes; /* key and value; NULL: the place is free */
  size_t key_n, value_n;
  bool there;    /* the record existed */
  char kind[SVC_KIND_SIZE];
  int64_t until, reads; /* time, or number of GETs, after which it is no longer shown */
} fault_lag_record;

struct svc_lag {
  fault_lag_record at[FAULT_LAG_RECORDS];
  unsigned next; /* the next one to give way */
  size_t bytes;
};

/* -------------------------------------------------------------------------------------------------------------- copies */

static void fault_lag_free(svc *s, fault_lag_record *r)
{
  if (!r->bytes) return;
  s->control->lag->bytes -= r->key_n + r->value_n;
  s->allocator.resize(s->allocator.context, r->bytes, 0);
  memset(r, 0, sizeof *r);
}

SVC_PRIVATE void svc_lag_clear(svc *s)
{
  size_t i;
  for (i = 0; s->control->lag && i < FAULT_LAG_RECORDS; i++) fault_lag_free(s, &s->control->lag->at[i]);
}

SVC_PRIVATE void svc_lag_close(svc *s)
{
  svc_lag_clear(s);
  if (s->control->lag) s->allocator.resize(s->allocator.context, s->control->lag, 0);
  s->control->lag = NULL;
}

static bool fault_lag_open(svc *s)
{
  svc_control *k = s->control;
  if (!k->lag) {
    k->lag = s->allocator.resize(s->allocator.context, NULL, sizeof *k->lag);
    if (k->lag) memset(k->lag, 0, sizeof *k->lag);
  }
  return k->lag != NULL;
}

static svc_str fault_lag_key(const fault_lag_record *r)
{
  return (svc_str){ r->bytes, r->key_n };
}

static bool fault_lag_holds(const fault_lag_record *r, int64_t now)
{
  return r->bytes && (r->reads > 0 || r->until > now);
}

/* The copy that is shown for this key; NULL: none. */
static fault_lag_record *fault_lag_of(svc_lag *lag, svc_str key, int64_t now)
{
  size_t i;
  for (i = 0; i < FAULT_LAG_RECORDS; i++)
    if (fault_lag_holds(&lag->at[i], now) && svc_str_eq(fault_lag_key(&lag->at[i]), key)) return &lag->at[i];
  return NULL;
}

/* A place for one more; without memory there is no lag. */
static fault_lag_record *fault_lag_place(svc *s, svc_str key, svc_str value)
{
  svc_lag *lag = s->control->lag;
  fault_lag_record *r;
  size_t tries = FAULT_LAG_RECORDS;
  do {
    r = &lag->at[lag->next++ % FAULT_LAG_RECORDS];
    fault_lag_free(s, r);
  } while (lag->bytes + key.n + value.n > FAULT_LAG_BYTES && --tries);
  r->bytes = tries ? s->allocator.resize(s->allocator.context, NULL, key.n + value.n + 1) : NULL;
  if (!r->bytes) return NULL;
  memcpy(r->bytes, key.p, key.n);
  if (value.n) memcpy(r->bytes + key.n, value.p, value.n);
  r->key_n = key.n;
  r->value_n = value.n;
  lag->bytes += key.n + value.n;
  return r;
}

/* The copy from before the first write stays, and is shown for longer. */
static void fault_lag_hold(svc_call *c, const svc_failure *f, const char *kind, const svc_key *key)
{
  svc_lag *lag = c->s->control->lag;
  fault_lag_record *r = fault_lag_of(lag, svc_key_str(key), c->now);
  svc_str value = SVC_S("");
  int rc;
  if (!key->n) return;
  if (!r) {
    rc = svc_get(c->txn, key, &value);
    if (rc != SVC_OK && rc != SVC_NOT_FOUND) return;
    r = fault_lag_place(c->s, svc_key_str(key), rc == SVC_OK ? value : SVC_S(""));
    if (!r) return;
    r->there = rc == SVC_OK;
    memcpy(r->kind, kind, SVC_KIND_SIZE);
  }
  r->until = c->now + f->ms;
  r->reads = f->reads;
}

/* Copies the record of an entity, and its index entries: by its id, and by its name. */
static void fault_lag_indexes(svc_call *c, const svc_failure *f, const svc_entity *e)
{
  svc_key key;
  svc_key_entity(&key, e->kind, &e->parent, &e->id);
  fault_lag_hold(c, f, e->kind, &key);
  svc_key_by_id(&key, e->kind, &e->id);
  if (e->flags & SVC_ENTITY_BY_ID) fault_lag_hold(c, f, e->kind, &key);
  if (!e->unique.n || e->flags & SVC_ENTITY_SHARED_NAME) return;
  svc_key_unique(&key, svc_entity_names(e), e->unique, &e->parent);
  fault_lag_hold(c, f, e->kind, &key);
}

static bool fault_lag_strikes(svc_call *c, svc_failure *f, const svc_entity *e)
{
  svc_failures *all = c->s->control->failures;
  svc_strike *k = svc_strike_find(all, f->id, &e->id);
  if (k && k->when == c->now) return k->struck;
  if (svc_failure_spent(f)) return false;
  k = svc_strike_new(all, f, e, c->now);
  k->struck = svc_failure_strikes(f);
  if (k->struck) svc_failure_note(c->s, f, e->unique.n ? e->unique : e->key, c->now);
  return k->struck;
}

SVC_PRIVATE void svc_lag_changes(svc_call *c, const svc_entity *e, const svc_entity *old)
{
  const svc_entity *any = e ? e : old;
  /* cppcheck-suppress nullPointerRedundantCheck ; a change has what was, what is, or both */
  const svc_noun_info *noun = svc_noun_by_kind(c->s, any->kind);
  svc_control *k = c->s->control;
  size_t i;
  svc_mutex_lock(&k->lock);
  for (i = 0; noun && k->failures && i < k->failures->count; i++) {
    svc_failure *f = &k->failures->rules[i];
    if (f->kind != SVC_FAILURE_LAG || strcmp(f->what, noun->noun->name) != 0) continue;
    if (!fault_lag_strikes(c, f, any) || !fault_lag_open(c->s)) break;
    if (e) fault_lag_indexes(c, f, e);
    if (old) fault_lag_indexes(c, f, old);
    break;
  }
  svc_mutex_unlock(&k->lock);
}

/* ---------------------------------------------------------------------------------------- a transaction that lags behind */

typedef struct fault_lag_txn {
  svc_txn txn; /* must be first: the struct is cast back */
  svc_store_port port;
  svc_txn *inner;
  svc_arena *arena;
  fault_lag_record *at; /* sorted by key */
  size_t n;
} fault_lag_txn;

static void fault_lag_end(svc_txn *txn)
{
  svc_txn *inner = ((fault_lag_txn *)txn)->inner;
  inner->port->read_end(inner);
}

static const fault_lag_record *fault_lag_find(const fault_lag_txn *t, svc_str key)
{
  size_t i;
  for (i = 0; i < t->n; i++)
    if (svc_str_eq(fault_lag_key(&t->at[i]), key)) return &t->at[i];
  return NULL;
}

static svc_str fault_lag_value(const fault_lag_record *r)
{
  return (svc_str){ r->bytes + r->key_n, r->value_n };
}

static int fault_lag_get(svc_txn *txn, svc_str key, svc_str *value)
{
  fault_lag_txn *t = (fault_lag_txn *)txn;
  const fault_lag_record *r = fault_lag_find(t, key);
  if (!r) return t->inner->port->get(t->inner, key, value);
  *value = fault_lag_value(r);
  return r->there ? SVC_OK : SVC_NOT_FOUND;
}

static int fault_lag_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values)
{
  size_t i;
  for (i = 0; i < n; i++) {
    int rc = fault_lag_get(txn, keys[i], &values[i]);
    if (rc == SVC_NOT_FOUND) values[i] = (svc_str){ NULL, 0 };
    else if (rc != SVC_OK) return rc;
  }
  return SVC_OK;
}

/* Whether this is the key of an entity that the counter counts: both keys have the same kind and parent. Singletons are not counted. */
static bool fault_lag_counts(svc_str counter, svc_str key)
{
  static const char zero[sizeof(svc_id)];
  if (key.n != 1 + SVC_KIND_SIZE + 2 * sizeof zero || key.p[0] != 'e' || counter.n > key.n) return false;
  return memcmp(counter.p + 1, key.p + 1, counter.n - 1) == 0 && memcmp(key.p + key.n - sizeof zero, zero, sizeof zero) != 0;
}

static int fault_lag_count(svc_txn *txn, svc_str key, int64_t *out)
{
  fault_lag_txn *t = (fault_lag_txn *)txn;
  int rc = t->inner->port->count(t->inner, key, out);
  size_t i;
  for (i = 0; i < t->n && rc == SVC_OK; i++) {
    svc_str value;
    if (!fault_lag_counts(key, fault_lag_key(&t->at[i]))) continue;
    rc = t->inner->port->get(t->inner, fault_lag_key(&t->at[i]), &value);
    *out += t->at[i].there - (rc == SVC_OK);
    if (rc == SVC_NOT_FOUND) rc = SVC_OK;
  }
  return rc;
}

/* The state is unknown, so that no cache keeps anything that was read here. */
static uint64_t fault_lag_state(svc_txn *txn)
{
  (void)txn;
  return 0;
}

/* The rest of a range: of the store, and of the copies. */
typedef struct fault_lag_merge {
  fault_lag_txn *t;
  svc_range range;
  svc_row rows[SVC_SCAN_BATCH];
  size_t n, i;
  bool ended;
  size_t copy, copies; /* the next copy, and the end, in the direction of the range */
} fault_lag_merge;

/* The next row of the store, in rows[i]. False: no more, or *rc. */
static bool fault_lag_row(fault_lag_merge *m, int *rc)
{
  svc_str edge;
  if (m->i < m->n) return true;
  if (m->n) { /* continues behind the last row */
    char *p = svc_arena_alloc(m->t->arena, m->rows[m->n - 1].key.n + 1);
    if (!p) return *rc = SVC_NOMEM, false;
    edge = (svc_str){ p, m->rows[m->n - 1].key.n };
    memcpy(p, m->rows[m->n - 1].key.p, edge.n);
    p[edge.n] = '\0';
    if (m->range.backwards) m->range.to = edge;
    else m->range.from = (svc_str){ p, edge.n + 1 };
  }
  if (m->ended) return false;
  *rc = m->t->inner->port->scan(m->t->inner, &m->range, m->rows, SVC_SCAN_BATCH, &m->n);
  m->i = 0;
  m->ended = m->n < SVC_SCAN_BATCH;
  return *rc == SVC_OK && m->n;
}

static const fault_lag_record *fault_lag_copy(const fault_lag_merge *m)
{
  if (m->copy == m->copies) return NULL;
  return &m->t->at[m->range.backwards ? m->copy - 1 : m->copy];
}

/* The next row of both; a copy replaces a row with the same key. False: no more, or *rc. */
static bool fault_lag_next(fault_lag_merge *m, svc_row *out, int *rc)
{
  bool found = false;
  while (!found) {
    const fault_lag_record *copy = fault_lag_copy(m);
    bool row = fault_lag_row(m, rc);
    int order = !copy ? -1 : !row ? 1 : svc_str_order(m->rows[m->i].key, fault_lag_key(copy)) * (m->range.backwards ? -1 : 1);
    if (*rc != SVC_OK || (!row && !copy)) return false;
    if (order < 0) {
      *out = m->rows[m->i++];
      return true;
    }
    if (order == 0) m->i++;
    found = copy->there;
    *out = (svc_row){ fault_lag_key(copy), fault_lag_value(copy) };
    if (m->range.backwards) m->copy--;
    else m->copy++;
  }
  return true;
}

static int fault_lag_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  fault_lag_txn *t = (fault_lag_txn *)txn;
  fault_lag_merge m;
  uint64_t skip = range->skip;
  size_t from = 0, to = t->n;
  svc_row row;
  int rc = SVC_OK;
  while (from < t->n && svc_str_order(fault_lag_key(&t->at[from]), range->from) < 0) from++;
  while (to > from && svc_str_order(fault_lag_key(&t->at[to - 1]), range->to) >= 0) to--;
  memset(&m, 0, sizeof m);
  m.t = t;
  m.range = *range;
  m.range.skip = 0;
  m.copy = range->backwards ? to : from;
  m.copies = range->backwards ? from : to;
  *n = 0;
  while (*n < most && fault_lag_next(&m, &row, &rc)) {
    if (skip) skip--;
    else rows[(*n)++] = row;
  }
  return rc;
}

static int fault_lag_compare(const void *a, const void *b)
{
  return svc_str_order(fault_lag_key(a), fault_lag_key(b));
}

/* The copies for this request, in its own memory. The lock is held. False: out of memory. */
static bool fault_lag_take(svc_call *c, fault_lag_txn *t)
{
  svc_lag *lag = c->s->control->lag;
  const char *kind = c->plan->noun->noun->kind;
  size_t i;
  for (i = 0; lag && i < FAULT_LAG_RECORDS; i++) {
    fault_lag_record *r = &lag->at[i], *mine;
    if (!fault_lag_holds(r, c->now) || memcmp(r->kind, kind, SVC_KIND_SIZE) != 0) continue;
    if (!t->at) t->at = svc_arena_zero(c->arena, FAULT_LAG_RECORDS * sizeof *t->at);
    if (!t->at) return false;
    mine = &t->at[t->n++];
    *mine = *r;
    mine->bytes = svc_arena_alloc(c->arena, r->key_n + r->value_n + 1);
    if (!mine->bytes) return false;
    memcpy(mine->bytes, r->bytes, r->key_n + r->value_n);
    if (r->reads > 0 && --r->reads == 0 && r->until <= c->now) fault_lag_free(c->s, r);
  }
  return true;
}

SVC_PRIVATE svc_txn *svc_lag_reads(svc_call *c)
{
  svc_control *k = c->s->control;
  fault_lag_txn *t = svc_arena_zero(c->arena, sizeof *t);
  bool good;
  if (!t) return NULL;
  svc_mutex_lock(&k->lock);
  good = fault_lag_take(c, t);
  svc_mutex_unlock(&k->lock);
  if (!good) return NULL;
  if (!t->n) return c->txn;
  qsort(t->at, t->n, sizeof *t->at, fault_lag_compare);
  t->txn = *c->txn;
  t->port = *c->txn->port;
  t->port.read_end = fault_lag_end;
  t->port.get = fault_lag_get;
  t->port.get_many = fault_lag_get_many;
  t->port.scan = fault_lag_scan;
  t->port.count = fault_lag_count;
  t->port.state = fault_lag_state;
  t->port.expect = NULL;
  t->port.forget = NULL;
  t->txn.port = &t->port;
  t->inner = c->txn;
  t->arena = c->arena;
  return &t->txn;
}

/* --------------------------------------------------------------------------------------------------------------- as JSON */

static const svc_field fault_lag_one_fields[] = {
  F_LONG("ms", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 86400000), F_STR("noun", .flags = SVC_REQUIRED, .max = 64),
  F_LONG("reads", .flags = SVC_MIN | SVC_MAX, .min = 1, .max = 1000000)
};
static const svc_object fault_lag_one = { .name = "FaultLag", .fields = SVC_ROWS(fault_lag_one_fields) };
static const svc_field fault_lag_fields[] = {
  F_NUM("chance", .flags = SVC_MIN | SVC_MAX, .min = 0, .max = 1), F_LONG("count", .flags = SVC_MIN, .min = 0),
  F_OBJ("lag", &fault_lag_one, .flags = SVC_REQUIRED), F_LONG("seed")
};
static const svc_object fault_lag_object = { .name = "LagFault", .fields = SVC_ROWS(fault_lag_fields) };

static bool fault_lag_read(svc_call *c, svc_failure *f, char why[])
{
  const svc_node *lag = svc_node_get(c->checked, "lag");
  svc_str noun = svc_node_str(lag, "noun");
  const svc_noun_info *info;
  snprintf(f->what, sizeof f->what, SVC_FMT, SVC_ARG(noun));
  f->ms = svc_node_i64(lag, "ms", 0);
  f->reads = svc_node_i64(lag, "reads", 0);
  info = svc_noun_named(c->s, f->what);
  if (!info || !info->noun->routes) return svc_fault_wrong(why, "lag.noun: there is no resource called ", noun);
  if (svc_noun_ext_of(info->noun)->element_of) return svc_fault_wrong(why, "lag.noun: it is a part of another resource: ", noun);
  return !f->ms != !f->reads ? true : svc_fault_wrong(why, "lag has either ms or reads", SVC_S(""));
}

static void fault_lag_write(svc_buf *b, const svc_failure *f)
{
  svc_buf_text(b, "\"lag\":{");
  if (f->ms) svc_buf_text(b, "\"ms\":");
  if (f->ms) svc_buf_i64(b, f->ms);
  if (f->ms) svc_buf_char(b, ',');
  SVC_FAULT_TEXT(b, "\"noun\":", f->what);
  if (f->reads) svc_buf_text(b, ",\"reads\":");
  if (f->reads) svc_buf_i64(b, f->reads);
  svc_buf_text(b, "},");
}

SVC_PRIVATE const svc_failure_row svc_failure_lag_row = { "lag", &fault_lag_object, fault_lag_read, fault_lag_write, SVC_WATCH_LAG };

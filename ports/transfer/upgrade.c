/*
** Upgrades: see upgrade.h. Each step is one function; a new format adds one.
**
** The rule: a partly upgraded store is never opened, and never restarted. The first transaction of a step sets SVC_STORE_UPGRADING in the
** number of the format, which every version refuses. Every further one changes at most UPGRADE_ROWS rows and stores its position
** (UPGRADE_MARK) in the same transaction; the last one writes the number of the next format and removes the mark. A step changes a row only
** if it has the old shape, so a row that is visited twice stays unchanged.
**
** Changes:
**   4 to 5   lines of the ledger have the id of `top` in their key, and names behind the SKU; open lines have `top`, too
**   3 to 4   clusters state the name space of their names, and roles on projects are an index (upgrade_roles.c). Other
**            kinds (members, teams, invitations, custom roles) changed further: a store with some of these is refused before any change
**   1, 2     there was no ledger, and a due date did not name its step: neither can be derived, so there is no upgrade
** No release has written formats 1 to 4: 0.1.0 began with 5.
*/
#include "ports/transfer/upgrade_parts.h"

#define UPGRADE_ROWS 64
#define UPGRADE_CLUSTERS 256 /* clusters that are compared with a line of the ledger, at once */

static const svc_str upgrade_schema = { "mschema", 7 }, upgrade_mark = { "\0upgrade", 8 };

typedef struct upgrade_job {
  svc_rows store;
  unsigned format; /* the step starts from this format */
  svc_upgrade_report *report;
  bool ended;      /* the transaction has reached the end of the step */
  uint64_t rows;   /* written by the transaction */
} upgrade_job;

void svc_upgrade_add(svc_upgrade_key *k, const void *p, size_t n)
{
  memcpy(k->b + k->n, p, n);
  k->n += n;
}

svc_str svc_upgrade_str(const svc_upgrade_key *k)
{
  return (svc_str){ k->b, k->n };
}

/* -------------------------------------------------------------------------------------------------- the ledger, 4 to 5 */

#define LEDGER_OLD 50 /* b org(12) month(4) group(12) id(12) since(8) slot(1) */
#define LEDGER_FRONT 20 /* kind(4) i64 quantity, i64 until */

int svc_upgrade_name(svc_txn *txn, const char *kind, const char *parent, const char *id, svc_str *name, bool *found)
{
  svc_upgrade_key key = { "e", 1 };
  uint16_t key_n, unique_n;
  svc_str record;
  int rc;
  svc_upgrade_add(&key, kind, 4);
  svc_upgrade_add(&key, parent, 12);
  svc_upgrade_add(&key, id, 12);
  rc = txn->port->get(txn, svc_upgrade_str(&key), &record);
  *found = rc == SVC_OK && record.n >= SVC_RECORD_HEAD;
  *name = (svc_str){ "", 0 };
  if (!*found) return rc == SVC_NOT_FOUND || rc == SVC_OK ? SVC_OK : rc;
  memcpy(&key_n, record.p + 2, 2);
  memcpy(&unique_n, record.p + 4, 2);
  if (SVC_RECORD_HEAD + 9u * (unsigned char)record.p[6] + key_n + unique_n > record.n) return SVC_CORRUPT;
  *name = (svc_str){ record.p + SVC_RECORD_HEAD + 9u * (unsigned char)record.p[6] + key_n, unique_n };
  return SVC_OK;
}

/* The top of a line: the ancestor right below the project. An entity that is deleted, or is right below the project, is its own top. */
static int upgrade_top(svc_txn *txn, const char *kind, const char *group, const char *id, char top[12], svc_str *name)
{
  static const char *const parents[] = { "clus", "stws" };
  svc_row rows[UPGRADE_CLUSTERS];
  bool found;
  size_t i, n, p;
  int rc = svc_upgrade_name(txn, kind, group, id, name, &found);
  memcpy(top, id, 12);
  for (p = 0; p < 2 && rc == SVC_OK && !found; p++) {
    svc_upgrade_key from = { "e", 1 }, to;
    svc_upgrade_add(&from, parents[p], 4);
    svc_upgrade_add(&from, group, 12);
    to = from;
    svc_upgrade_add(&to, "\377\377\377\377\377\377\377\377\377\377\377\377\377", 13);
    do {
      const svc_range range = { svc_upgrade_str(&from), svc_upgrade_str(&to), false, 0 };
      svc_str ignored;
      rc = txn->port->scan(txn, &range, rows, UPGRADE_CLUSTERS, &n);
      for (i = 0; rc == SVC_OK && i < n && !found; i++) {
        const char *above = rows[i].key.p + 17;
        if (rows[i].key.n != 29) continue;
        rc = svc_upgrade_name(txn, kind, above, id, &ignored, &found);
        if (rc != SVC_OK || !found) continue;
        memcpy(top, above, 12);
        rc = svc_upgrade_name(txn, parents[p], group, above, name, &(bool){ false });
      }
      if (rc == SVC_OK && n) {
        from.n = 0;
        svc_upgrade_add(&from, rows[n - 1].key.p, rows[n - 1].key.n);
        svc_upgrade_add(&from, "", 1);
      }
    } while (rc == SVC_OK && n == UPGRADE_CLUSTERS && !found);
  }
  return rc;
}

static int upgrade_group_name(svc_txn *txn, const char *org, const char *group, svc_str *name)
{
  return svc_upgrade_name(txn, "proj", org, group, name, &(bool){ false });
}

/* Adds `top` to the open line of the same entity and slot, if it points to this line. */
static int upgrade_open_line(svc_txn *txn, const char *key, const char *top)
{
  svc_upgrade_key open = { "l", 1 }, value = { "", 0 };
  svc_str old;
  int rc;
  svc_upgrade_add(&open, key + 29, 12);
  svc_upgrade_add(&open, key + 49, 1);
  rc = txn->port->get(txn, svc_upgrade_str(&open), &old);
  if (rc != SVC_OK || old.n != 36 || memcmp(old.p, key + 1, 28) != 0 || memcmp(old.p + 28, key + 41, 8) != 0) return rc == SVC_NOT_FOUND ? SVC_OK : rc;
  svc_upgrade_add(&value, key + 1, 28);
  svc_upgrade_add(&value, top, 12);
  svc_upgrade_add(&value, key + 41, 8);
  return txn->port->put(txn, svc_upgrade_str(&open), svc_upgrade_str(&value));
}

static int upgrade_ledger(svc_txn *txn, const svc_row *row)
{
  svc_upgrade_key key = { "", 0 };
  const char *old = row->key.p;
  svc_str top_name, group_name;
  char top[12], *value;
  size_t n;
  int rc;
  if (row->value.n < LEDGER_FRONT) return SVC_CORRUPT;
  rc = upgrade_top(txn, row->value.p, old + 17, old + 29, top, &top_name);
  if (rc == SVC_OK) rc = upgrade_group_name(txn, old + 1, old + 17, &group_name);
  if (rc != SVC_OK) return rc;
  svc_upgrade_add(&key, old, 29);
  svc_upgrade_add(&key, top, 12);
  svc_upgrade_add(&key, old + 29, 21);
  n = row->value.n + top_name.n + group_name.n + 2;
  value = malloc(n);
  if (!value) return SVC_NOMEM;
  memcpy(value, row->value.p, row->value.n);
  value[row->value.n] = '\n';
  memcpy(value + row->value.n + 1, top_name.p, top_name.n);
  value[row->value.n + 1 + top_name.n] = '\n';
  memcpy(value + row->value.n + 2 + top_name.n, group_name.p, group_name.n);
  rc = upgrade_open_line(txn, old, top);
  if (rc == SVC_OK) rc = txn->port->remove(txn, row->key);
  if (rc == SVC_OK) rc = txn->port->put(txn, svc_upgrade_str(&key), (svc_str){ value, n });
  free(value);
  return rc;
}

static int upgrade_to_5(svc_txn *txn, const svc_row *row, bool *changed)
{
  *changed = row->key.n == LEDGER_OLD;
  return *changed ? upgrade_ledger(txn, row) : SVC_OK;
}

/* ----------------------------------------------------------------------------------------------------------- the steps */

typedef struct upgrade_step {
  unsigned from;
  svc_str first, behind; /* the range of keys that it visits */
  int (*row)(svc_txn *txn, const svc_row *row, bool *changed);
  bool (*can)(const svc_row *row); /* checked for every row before anything is changed; NULL: always possible */
} upgrade_step;

static const upgrade_step upgrade_steps[] = {
  { 3, { "e", 1 }, { "f", 1 }, svc_upgrade_to_4, svc_upgrade_from_3 },
  { 4, { "b", 1 }, { "c", 1 }, upgrade_to_5, NULL },
};

static const upgrade_step *upgrade_find(unsigned from)
{
  size_t i;
  for (i = 0; i < sizeof upgrade_steps / sizeof upgrade_steps[0]; i++)
    if (upgrade_steps[i].from == from) return &upgrade_steps[i];
  return NULL;
}

static int upgrade_put_format(svc_txn *txn, uint32_t format)
{
  return txn->port->put(txn, upgrade_schema, (svc_str){ (const char *)&format, sizeof format });
}

static int upgrade_begin(void *job, svc_txn *txn)
{
  return upgrade_put_format(txn, ((upgrade_job *)job)->format | SVC_STORE_UPGRADING);
}

/* Upgrades the next rows, and stores the position. */
static int upgrade_some(void *job, svc_txn *txn)
{
  upgrade_job *u = job;
  const upgrade_step *step = upgrade_find(u->format);
  svc_range range = { step->first, step->behind, false, 0 };
  svc_row rows[UPGRADE_ROWS];
  svc_upgrade_key next = { "", 0 };
  size_t n = 0, i;
  int rc = txn->port->get(txn, upgrade_mark, &range.from);
  u->rows = 0;
  if (rc == SVC_NOT_FOUND) range.from = step->first, rc = SVC_OK;
  if (rc == SVC_OK) rc = txn->port->scan(txn, &range, rows, UPGRADE_ROWS, &n);
  for (i = 0; i < n && rc == SVC_OK; i++) {
    bool changed = false;
    rc = step->row(txn, &rows[i], &changed);
    u->rows += changed;
  }
  u->ended = n < UPGRADE_ROWS;
  if (rc != SVC_OK) return rc;
  if (!u->ended) {
    svc_upgrade_add(&next, rows[n - 1].key.p, rows[n - 1].key.n);
    svc_upgrade_add(&next, "", 1);
    return txn->port->put(txn, upgrade_mark, svc_upgrade_str(&next));
  }
  rc = txn->port->remove(txn, upgrade_mark);
  return rc == SVC_OK ? upgrade_put_format(txn, u->format + 1) : rc;
}

static int upgrade_step_all(upgrade_job *u)
{
  int rc = svc_rows_commit(&u->store, upgrade_begin, u);
  for (u->ended = false; rc == SVC_OK && !u->ended;) {
    rc = svc_rows_commit(&u->store, upgrade_some, u);
    if (rc == SVC_OK) u->report->rows += u->rows;
  }
  return rc;
}

/* Whether there is a step from each format to the next, and the first one is possible for all rows. */
static int upgrade_possible(upgrade_job *u)
{
  const upgrade_step *step = upgrade_find(u->format);
  const svc_row *row;
  unsigned format;
  int rc = SVC_OK;
  for (format = u->format; format < SVC_STORE_FORMAT; format++)
    if (!upgrade_find(format)) {
      snprintf(u->report->why, sizeof u->report->why, "there is no upgrade from format %u, which no release has written", format);
      return SVC_OLDER;
    }
  if (!step || !step->can) return SVC_OK;
  rc = svc_rows_begin(&u->store);
  while (rc == SVC_OK && (row = svc_rows_next(&u->store, &rc)) != NULL) {
    if (row->key.p[0] != step->first.p[0] || step->can(row)) continue;
    snprintf(u->report->why, sizeof u->report->why, "there is no upgrade from format %u for records of kind %.4s", u->format, row->key.p + 1);
    rc = SVC_OLDER;
  }
  svc_rows_end(&u->store);
  return rc;
}

/* Reads the store's format. *under_way: a step from this format was begun. */
static int upgrade_read(upgrade_job *u, bool *under_way)
{
  uint32_t format = 0;
  svc_str value;
  int rc = svc_rows_source(&u->store);
  if (rc == SVC_OK) rc = u->store.port->get(u->store.txn, upgrade_schema, &value);
  if (rc == SVC_OK && value.n == sizeof format) memcpy(&format, value.p, sizeof format);
  svc_rows_end(&u->store);
  *under_way = (format & SVC_STORE_UPGRADING) != 0;
  u->format = format & ~SVC_STORE_UPGRADING;
  return rc == SVC_OK && !u->format ? SVC_CORRUPT : rc == SVC_NOT_FOUND ? SVC_CORRUPT : rc;
}

int svc_upgrade_store(const svc_config *config, int (*backup)(void *context, unsigned format), void *context, svc_upgrade_report *out)
{
  upgrade_job *u = calloc(1, sizeof *u);
  bool under_way = false;
  int rc;
  memset(out, 0, sizeof *out);
  if (!u) return SVC_NOMEM;
  u->report = out;
  rc = svc_rows_open(&u->store, config, out->why, sizeof out->why);
  if (rc == SVC_OK) rc = upgrade_read(u, &under_way);
  out->from = out->to = u->format;
  if (rc == SVC_OK && (u->format > SVC_STORE_FORMAT || (under_way && u->format == SVC_STORE_FORMAT))) rc = SVC_NEWER;
  if (rc == SVC_OK) rc = upgrade_possible(u);
  if (rc == SVC_OK && u->format < SVC_STORE_FORMAT && !under_way && backup) {
    svc_rows_close(&u->store); /* the backup opens it */
    if (backup(context, u->format) != 0) rc = SVC_IO;
    if (rc == SVC_OK) rc = svc_rows_open(&u->store, config, out->why, sizeof out->why);
  }
  for (; rc == SVC_OK && u->format < SVC_STORE_FORMAT; u->format++) {
    rc = upgrade_step_all(u);
    if (rc == SVC_OK) out->to = u->format + 1;
  }
  if (rc != SVC_OK && !out->why[0]) snprintf(out->why, sizeof out->why, "%s", svc_strerror(rc));
  svc_rows_close(&u->store);
  free(u);
  return rc;
}

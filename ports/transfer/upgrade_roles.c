/*
** The upgrade from format 3 to 4: clusters state the name space of their names, and the project roles of API keys and service accounts
** move from their records into the index of store/holding.c.
**
** In format 3 a credential's roles were lines behind its verifier, "ROLE ID" each. In format 4 those on the organization still are. For
** each project there is one record "h" with the names of the roles, one "a" that lists the holder, and two counters. A line of a deleted
** project granted nothing, and is dropped.
*/
#include "ports/transfer/upgrade_parts.h"

static const char upgrade_credentials[] = "akeysacc";

static bool upgrade_is(const svc_row *row, const char *kinds)
{
  size_t i;
  for (i = 0; kinds[i]; i += 4)
    if (memcmp(row->key.p + 1, kinds + i, 4) == 0) return true;
  return false;
}

/* Kinds whose records are unchanged in format 4; and clusters and credentials, which this step changes. */
bool svc_upgrade_from_3(const svc_row *row)
{
  return row->key.n == 29 && (upgrade_is(row, "org.projosetpsetevntclus") || upgrade_is(row, upgrade_credentials));
}

/* --------------------------------------------------------------------------------------------------------- roles on projects */

/* The position of the roles in the record of a credential; 0: another shape. */
static size_t upgrade_roles_at(svc_str record)
{
  uint16_t key_n, unique_n, verifier_n;
  uint32_t body_n;
  uint64_t at;
  if (record.n < SVC_RECORD_HEAD) return 0;
  memcpy(&key_n, record.p + 2, 2);
  memcpy(&unique_n, record.p + 4, 2);
  memcpy(&body_n, record.p + 8, 4);
  at = (uint64_t)SVC_RECORD_HEAD + 9u * (unsigned char)record.p[6] + key_n + unique_n + body_n;
  if (at + 2 > record.n) return 0;
  memcpy(&verifier_n, record.p + at, 2);
  at += 2u + verifier_n;
  return at <= record.n ? (size_t)at : 0;
}

/* The project of a line "GROUP_... ID". False: a line of the organization. */
static bool upgrade_group(svc_str line, char group[12])
{
  const char *space = memchr(line.p, ' ', line.n);
  unsigned byte;
  char two[3] = "";
  int i;
  if (!space || line.n < 6 || memcmp(line.p, "GROUP_", 6) != 0 || line.p + line.n - space != 25) return false;
  for (i = 0; i < 12; i++) {
    memcpy(two, space + 1 + 2 * i, 2);
    if (sscanf(two, "%2x", &byte) != 1) return false;
    group[i] = (char)byte;
  }
  return true;
}

/* Lists the holder on the project, and counts it on both sides. */
static int upgrade_list(svc_txn *txn, const svc_row *credential, const char *group)
{
  const char *kind = credential->key.p + 1, *holder = credential->key.p + 17;
  svc_upgrade_key listed = { "a", 1 }, on = { "c", 1 }, of = { "c", 1 };
  int rc;
  svc_upgrade_add(&listed, group, 12);
  svc_upgrade_add(&listed, kind, 4);
  svc_upgrade_add(&listed, holder, 12);
  svc_upgrade_add(&on, kind, 4);
  svc_upgrade_add(&on, group, 12);
  svc_upgrade_add(&of, kind, 4);
  svc_upgrade_add(&of, holder, 12);
  rc = txn->port->put(txn, svc_upgrade_str(&listed), (svc_str){ "", 0 });
  if (rc == SVC_OK) rc = txn->port->count_add(txn, svc_upgrade_str(&on), 1);
  return rc == SVC_OK ? txn->port->count_add(txn, svc_upgrade_str(&of), 1) : rc;
}

/* Adds a role of this credential on this project. */
static int upgrade_hold(svc_txn *txn, const svc_row *credential, const char *group, svc_str role)
{
  const char *org = credential->key.p + 5, *holder = credential->key.p + 17;
  svc_upgrade_key key = { "h", 1 };
  svc_str had = { "", 0 }, ignored;
  bool found;
  char *roles;
  int rc = svc_upgrade_name(txn, "proj", org, group, &ignored, &found);
  if (rc != SVC_OK || !found) return rc;
  svc_upgrade_add(&key, holder, 12);
  svc_upgrade_add(&key, org, 12);
  svc_upgrade_add(&key, group, 12);
  rc = txn->port->get(txn, svc_upgrade_str(&key), &had);
  if (rc == SVC_NOT_FOUND) rc = upgrade_list(txn, credential, group);
  if (rc != SVC_OK) return rc;
  roles = malloc(had.n + role.n + 1);
  if (!roles) return SVC_NOMEM;
  if (had.n) memcpy(roles, had.p, had.n);
  memcpy(roles + had.n, role.p, role.n);
  roles[had.n + role.n] = '\n';
  rc = txn->port->put(txn, svc_upgrade_str(&key), (svc_str){ roles, had.n + role.n + 1 });
  free(roles);
  return rc;
}

static int upgrade_credential(svc_txn *txn, const svc_row *row, bool *changed)
{
  size_t at = upgrade_roles_at(row->value), n = at;
  const char *line = row->value.p + at, *end = row->value.p + row->value.n, *newline;
  char group[12], *kept;
  int rc = SVC_OK;
  if (!at) return SVC_CORRUPT;
  kept = malloc(row->value.n);
  if (!kept) return SVC_NOMEM;
  memcpy(kept, row->value.p, at);
  for (; line < end && rc == SVC_OK; line = newline + 1) {
    newline = memchr(line, '\n', (size_t)(end - line));
    if (!newline) {
      rc = SVC_CORRUPT;
      break;
    }
    if (upgrade_group((svc_str){ line, (size_t)(newline - line) }, group)) {
      rc = upgrade_hold(txn, row, group, (svc_str){ line, (size_t)((const char *)memchr(line, ' ', (size_t)(newline - line)) - line) });
      *changed = true;
    } else {
      memcpy(kept + n, line, (size_t)(newline + 1 - line));
      n += (size_t)(newline + 1 - line);
    }
  }
  if (rc == SVC_OK && *changed) rc = txn->port->put(txn, row->key, (svc_str){ kept, n });
  free(kept);
  return rc;
}

/* --------------------------------------------------------------------------------------------------------- names of clusters */

static int upgrade_cluster(svc_txn *txn, const svc_row *row, bool *changed)
{
  static const char none[4];
  char *value;
  int rc;
  if (row->value.n < SVC_RECORD_HEAD || memcmp(row->value.p + SVC_RECORD_HEAD - 4, none, 4) != 0) return SVC_OK;
  value = malloc(row->value.n);
  if (!value) return SVC_NOMEM;
  memcpy(value, row->value.p, row->value.n);
  memcpy(value + SVC_RECORD_HEAD - 4, "clus", 4);
  rc = txn->port->put(txn, row->key, (svc_str){ value, row->value.n });
  free(value);
  *changed = true;
  return rc;
}

int svc_upgrade_to_4(svc_txn *txn, const svc_row *row, bool *changed)
{
  if (row->key.n != 29) return SVC_OK;
  if (upgrade_is(row, upgrade_credentials)) return upgrade_credential(txn, row, changed);
  return upgrade_is(row, "clus") ? upgrade_cluster(txn, row, changed) : SVC_OK;
}

/*
** Roles on projects, from both sides: the roles of a holder, and the holders of a project.
**
** A holder is a key, an account, a person in an organization or a team. One holder may have thousands of roles, and one
** project thousands of holders. So roles are entries of their own, and a reader finds just those it needs. The second side
** also lists members where no roles are given: the people of a team, and the people of an organization. keys.c draws the entries.
**
** The rule: both sides and the counts of both are written together, and only here.
*/
#include "store/store.h"

#define HOLDING_KEY (1 + 12 + 12 + 12)
#define HOLDING_LISTED_KEY (1 + 12 + SVC_KIND_SIZE + 12)

static void holding_key(svc_key *key, const svc_id *holder, const svc_id *org, const svc_id *group)
{
  svc_key_begin(key, 'h');
  svc_key_id(key, holder);
  svc_key_id(key, org);
  svc_key_id(key, group);
}

static void holding_listed_key(svc_key *key, const svc_id *on, const char *kind, const svc_id *id)
{
  svc_key_begin(key, 'a');
  svc_key_id(key, on);
  if (kind) svc_key_add(key, kind, SVC_KIND_SIZE);
  svc_key_id(key, id);
}

/* ------------------------------------------------------------------------------------------------------- who is there */

SVC_PRIVATE void svc_listed_put(svc_txn *txn, const svc_id *on, const char *kind, const svc_id *id, bool there)
{
  svc_key key;
  svc_str value;
  bool was;
  holding_listed_key(&key, on, kind, id);
  was = svc_get(txn, &key, &value) == SVC_OK;
  if (was == there) return;
  if (there) svc_put(txn, &key, SVC_S(""));
  else svc_remove(txn, &key);
  svc_count_add(txn, kind, on, there ? 1 : -1);
}

SVC_PRIVATE void svc_listed_begin(svc_scan *scan, svc_txn *txn, const svc_id *on, const char *kind)
{
  svc_key prefix;
  holding_listed_key(&prefix, on, kind, NULL);
  svc_scan_below(scan, txn, &prefix, false);
}

SVC_PRIVATE bool svc_listed_next(svc_scan *scan, char kind[SVC_KIND_SIZE], svc_id *id)
{
  svc_str key, value;
  if (!svc_scan_next(scan, &key, &value)) return false;
  if (key.n != HOLDING_LISTED_KEY) return svc_note(scan->txn, SVC_CORRUPT), false;
  if (kind) memcpy(kind, key.p + 1 + 12, SVC_KIND_SIZE);
  memcpy(id->b, key.p + 1 + 12 + SVC_KIND_SIZE, sizeof id->b);
  return true;
}

/* -------------------------------------------------------------------------------------------------------- what is held */

SVC_PRIVATE svc_str svc_holding_get(svc_txn *txn, const svc_id *holder, const svc_id *org, const svc_id *group)
{
  svc_key key;
  svc_str roles;
  holding_key(&key, holder, org, group);
  return svc_get(txn, &key, &roles) == SVC_OK ? roles : SVC_S("");
}

SVC_PRIVATE void svc_holding_put(svc_txn *txn, const svc_holder *h, const svc_id *group, svc_str roles)
{
  svc_key key;
  svc_str had = svc_holding_get(txn, &h->id, &h->org, group);
  if (svc_str_eq(had, roles)) return;
  holding_key(&key, &h->id, &h->org, group);
  if (roles.n) svc_put(txn, &key, roles);
  else svc_remove(txn, &key);
  if ((had.n != 0) == (roles.n != 0)) return;
  svc_listed_put(txn, group, h->kind, &h->id, roles.n != 0);
  svc_count_add(txn, h->kind, &h->id, roles.n ? 1 : -1);
}

SVC_PRIVATE void svc_holdings_begin(svc_scan *scan, svc_txn *txn, const svc_id *holder, const svc_id *org)
{
  svc_key prefix;
  holding_key(&prefix, holder, org, NULL);
  svc_scan_below(scan, txn, &prefix, false);
}

SVC_PRIVATE bool svc_holdings_next(svc_scan *scan, svc_holding *out)
{
  svc_str key;
  if (!svc_scan_next(scan, &key, &out->roles)) return false;
  if (key.n != HOLDING_KEY) return svc_note(scan->txn, SVC_CORRUPT), false;
  memcpy(out->org.b, key.p + 1 + 12, sizeof out->org.b);
  memcpy(out->group.b, key.p + 1 + 24, sizeof out->group.b);
  return true;
}

SVC_PRIVATE int svc_holdings_drop(svc_txn *txn, const svc_holder *h)
{
  svc_holding one;
  svc_scan scan;
  svc_holdings_begin(&scan, txn, &h->id, &h->org);
  while (svc_holdings_next(&scan, &one)) svc_holding_put(txn, h, &one.group, SVC_S(""));
  return txn->error;
}

SVC_PRIVATE int svc_holdings_drop_on(svc_txn *txn, const svc_id *group, const svc_id *org)
{
  char kind[SVC_KIND_SIZE];
  svc_holder h = { kind, { { 0 } }, *org };
  svc_scan scan;
  svc_listed_begin(&scan, txn, group, NULL);
  while (svc_listed_next(&scan, kind, &h.id)) svc_holding_put(txn, &h, group, SVC_S(""));
  return txn->error;
}

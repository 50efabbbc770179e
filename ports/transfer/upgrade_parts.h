/*
** Shared by the steps of an upgrade (upgrade.c, upgrade_roles.c): keys, and the lookup of an entity.
**
** The rule: a step gets one row at a time, and writes in the given transaction. A step changes a row only if that has the old shape.
*/
#ifndef SVC_TRANSFER_UPGRADE_PARTS_H
#define SVC_TRANSFER_UPGRADE_PARTS_H

#include "ports/transfer/rows.h"
#include "ports/transfer/upgrade.h"

#define SVC_RECORD_HEAD 52 /* fixed bytes at the beginning of a record; store/record.c draws it */

typedef struct svc_upgrade_key {
  char b[SVC_KEY_MOST + 1]; /* a byte more, for the start of the next range */
  size_t n;
} svc_upgrade_key;

void svc_upgrade_add(svc_upgrade_key *k, const void *p, size_t n);
svc_str svc_upgrade_str(const svc_upgrade_key *k);
/* An entity's unique value; n 0: none, or no such entity. *found: the entity exists. */
int svc_upgrade_name(svc_txn *txn, const char *kind, const char *parent, const char *id, svc_str *name, bool *found);

/* upgrade_roles.c: the step from 3 to 4. */
bool svc_upgrade_from_3(const svc_row *row); /* whether this entity can be upgraded */
int svc_upgrade_to_4(svc_txn *txn, const svc_row *row, bool *changed);

#endif /* SVC_TRANSFER_UPGRADE_PARTS_H */

/*
** What the steps of an upgrade share (upgrade.c, upgrade_roles.c): keys, and looking up an entity.
**
** The rule: a step gets one row at a time, and writes in the transaction that it is given. It changes a row only if that has the old shape.
*/
#ifndef SVC_TRANSFER_UPGRADE_PARTS_H
#define SVC_TRANSFER_UPGRADE_PARTS_H

#include "ports/transfer/rows.h"
#include "ports/transfer/upgrade.h"

#define SVC_RECORD_HEAD 52 /* bytes before what varies in a record; store/record.c draws it */

typedef struct svc_upgrade_key {
  char b[SVC_KEY_MOST];
  size_t n;
} svc_upgrade_key;

void svc_upgrade_add(svc_upgrade_key *k, const void *p, size_t n);
svc_str svc_upgrade_str(const svc_upgrade_key *k);
/* An entity's unique value; n 0: there is none, or no such entity. *found: there is one. */
int svc_upgrade_name(svc_txn *txn, const char *kind, const char *parent, const char *id, svc_str *name, bool *found);

/* upgrade_roles.c: the step from 3 to 4. */
bool svc_upgrade_from_3(const svc_row *row); /* can this entity be upgraded? */
int svc_upgrade_to_4(svc_txn *txn, const svc_row *row, bool *changed);

#endif /* SVC_TRANSFER_UPGRADE_PARTS_H */

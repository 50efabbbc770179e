/*
** An upgrade of a store of an older format, step by step, in place.
*/
#ifndef SVC_TRANSFER_UPGRADE_H
#define SVC_TRANSFER_UPGRADE_H

#include "svcapi.h"

typedef struct svc_upgrade_report {
  unsigned from, to; /* formats; the same: there was nothing to do */
  uint64_t rows;     /* that were written */
  char why[512];     /* for people, when it fails */
} svc_upgrade_report;

/*
** Upgrade the store that path and store of `config` name. Nobody else may have it open. Each transaction has a bounded number of rows and
** says how far it came, so that whatever ends it, the next call continues; until then svc_open() refuses the store (SVC_OLDER).
** backup: called once before the first change, with the format that the store has; 0, or nothing is changed: SVC_IO. NULL: none.
** Returns SVC_OK; SVC_OLDER: there is no step from its format; SVC_NEWER; SVC_UNFINISHED; errors of the store.
*/
int svc_upgrade_store(const svc_config *config, int (*backup)(void *context, unsigned format), void *context, svc_upgrade_report *out);

#endif /* SVC_TRANSFER_UPGRADE_H */

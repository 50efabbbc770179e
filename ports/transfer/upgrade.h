/*
** An upgrade of a store of an older format, step by step, in place.
**
** The rule: an interrupted upgrade can always be continued, and the store does not open before its end.
*/
#ifndef SVC_TRANSFER_UPGRADE_H
#define SVC_TRANSFER_UPGRADE_H

#include "svcapi.h"

typedef struct svc_upgrade_report {
  unsigned from, to; /* formats; equal: nothing to do */
  uint64_t rows;     /* rows written */
  char why[512];     /* the reason of a failure, for people */
} svc_upgrade_report;

/*
** Upgrades the store of `config` (path and store), which must not be open elsewhere. Each transaction has a bounded number of rows and
** stores its position, so that the next call continues after any interruption; until then svc_open() refuses the store (SVC_OLDER). backup:
** called once before the first change, with the store's format; if it does not return 0, nothing is changed: SVC_IO. NULL: none. Returns
** SVC_OK; SVC_OLDER: no step from its format; SVC_NEWER; SVC_UNFINISHED; errors of the store.
*/
int svc_upgrade_store(const svc_config *config, int (*backup)(void *context, unsigned format), void *context, svc_upgrade_report *out);

#endif /* SVC_TRANSFER_UPGRADE_H */

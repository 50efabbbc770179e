/*
** A store as text that any version can read: export writes JSON lines, import creates a store from them, on any engine. Not part of
** svcapi.c: compile the files of ports/transfer as ports/postgres.h describes for postgres.c, and link with mbedTLS's crypto.
**
** The first line of the file describes it: product, version of the file (`export`) and of the library, format of the store, byte order,
** whether secrets are sealed or in plain text, date, the transaction number after which an import continues, and the numbers of records and
** counters. Then follows a line for each row of the store, in the order of its keys (shape.h). The last line repeats the numbers, and has
** two hashes: `content` over the lines of rows, the same for stores with the same contents, and `sha256` over all lines before it.
*/
#ifndef SVC_TRANSFER_H
#define SVC_TRANSFER_H

#include "svcapi.h"

typedef struct svc_transfer_report {
  uint64_t records, counts;
  uint64_t line;    /* of an import: the line that was read last, from 1; after the last line, one more */
  char content[65]; /* SHA-256 over the lines of rows */
  char why[512];    /* the reason of a failure, for people */
} svc_transfer_report;

/*
** Writes the store of `from` (path and store), as one snapshot: others may write to PostgreSQL meanwhile. A folder of LMDB must not be in
** use (SVC_BUSY): export a copy made by svc_backup_of(). secret_key: secrets are written in plain text; NULL: they stay sealed. `write`
** returns 0; otherwise the export ends with SVC_IO. Memory: some megabytes, and the longest line twice.
*/
int svc_export_store(const svc_config *from, int (*write)(void *context, const char *bytes, size_t n), void *context, svc_transfer_report *out);

/*
** Creates a store from an export, in the empty place of `to` (path and store). `read` returns the number of bytes, 0 at the end, negative
** for an error. secret_key: seals secrets that are in plain text. Everything written is read again and compared. Returns SVC_OK;
** SVC_EXISTS: the place is not empty, and stays unchanged; SVC_NEWER: the file or its store is of a newer version; SVC_INVALID: a line is
** wrong or missing: `line` and `why` say which. A wrong first line, like SVC_EXISTS, leaves the place unchanged. After a failure behind the
** first line the store does not open: SVC_UNFINISHED.
*/
int svc_import_store(const svc_config *to, long (*read)(void *context, char *buffer, size_t n), void *context, svc_transfer_report *out);

#endif /* SVC_TRANSFER_H */

/*
** A store as text that any version can read: export writes JSON lines, import makes a store of them, on any engine. It is no part of
** svcapi.c: compile the files of ports/transfer as ports/postgres.h says of postgres.c, and link with mbedTLS's crypto.
**
** The file. The first line says what it is: product, version of the file (`export`) and of the library, format of the store, byte order,
** whether secrets are sealed or in clear, date, and how many records and counts follow. Then one line for each row of the store, in the
** order of its keys (shape.h). The last line repeats the numbers, and has two hashes: `content` over the lines of rows, the same for
** stores that hold the same, and `sha256` over all lines before it.
*/
#ifndef SVC_TRANSFER_H
#define SVC_TRANSFER_H

#include "svcapi.h"

typedef struct svc_transfer_report {
  uint64_t records, counts;
  uint64_t line;    /* of an import: the line that was read last, from 1 */
  char content[65]; /* SHA-256 over the lines of rows */
  char why[512];    /* for people, when it fails */
} svc_transfer_report;

/*
** Write the store that path and store of `from` name, as one snapshot: others may write to PostgreSQL meanwhile. A folder of LMDB must not
** be in use (SVC_BUSY): export a copy by svc_backup_of(). secret_key: secrets are written in clear; NULL: they stay sealed.
** `write` returns 0, or it ends with SVC_IO. Memory: some megabytes, and the longest line twice.
*/
int svc_export_store(const svc_config *from, int (*write)(void *context, const char *bytes, size_t n), void *context, svc_transfer_report *out);

/*
** Make a store of what was exported, in the empty place that path and store of `to` name. `read` returns how many bytes it gave, 0 at the
** end, less than 0 for an error. secret_key: seals secrets that are in clear. Everything that was written is read again and compared.
** Returns SVC_OK; SVC_EXISTS: there is something already, and it stays as it is; SVC_NEWER: the file or its store is of a newer version;
** SVC_INVALID: a line is not right, or is missing: `line` and `why` say which. Unless it is SVC_OK or SVC_EXISTS, what is there does not
** open: SVC_UNFINISHED.
*/
int svc_import_store(const svc_config *to, long (*read)(void *context, char *buffer, size_t n), void *context, svc_transfer_report *out);

#endif /* SVC_TRANSFER_H */

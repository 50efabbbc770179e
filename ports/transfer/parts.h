/*
** Shared by export.c and import.c: the version of the file, its last line, its hashes.
*/
#ifndef SVC_TRANSFER_PARTS_H
#define SVC_TRANSFER_PARTS_H

#include "ports/transfer/line.h"
#include "ports/transfer/transfer.h"

#include <mbedtls/sha256.h>

#define SVC_EXPORT_FORMAT 1 /* of the file. A reader refuses a greater one */

bool svc_transfer_hash(mbedtls_sha256_context *hash, char out[65]); /* as hex; finishes the hash */
void svc_transfer_tail(svc_line *line, const svc_transfer_report *r, const char *all); /* the last line, whose sha256 is `all` */

#endif /* SVC_TRANSFER_PARTS_H */

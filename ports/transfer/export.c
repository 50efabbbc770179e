/*
** Export: see transfer.h. The store is read twice in one snapshot, once to count and once to write.
*/
#define _GNU_SOURCE /* gmtime_r */
#include "ports/transfer/rows.h"
#include "ports/transfer/shape.h"
#include "ports/transfer/parts.h"

#include <time.h>

typedef struct export_job {
  svc_rows from;
  const unsigned char *secret_key;
  int (*write)(void *context, const char *bytes, size_t n);
  void *context;
  svc_transfer_report *report;
  svc_line line;
  mbedtls_sha256_context all, content;
} export_job;

static int export_why(export_job *e, int rc, const char *why)
{
  if (!e->report->why[0]) snprintf(e->report->why, sizeof e->report->why, "%s", why);
  return rc;
}

static int export_send(export_job *e, bool is_row)
{
  const unsigned char *p = (const unsigned char *)e->line.p;
  size_t n = e->line.n;
  if (e->line.rc == SVC_FULL) return export_why(e, SVC_FULL, "a record is too large for a line of 64 MiB");
  if (e->line.rc != SVC_OK) return e->line.rc;
  if (mbedtls_sha256_update(&e->all, p, n) != 0 || (is_row && mbedtls_sha256_update(&e->content, p, n) != 0)) return SVC_IO;
  e->line.n = 0;
  return e->write(e->context, (const char *)p, n) == 0 ? SVC_OK : export_why(e, SVC_IO, "the file cannot be written");
}

static int export_count(export_job *e)
{
  const svc_row *row;
  int rc = svc_rows_begin(&e->from);
  while (rc == SVC_OK && (row = svc_rows_next(&e->from, &rc)) != NULL) {
    if (svc_row_is_count(row)) e->report->counts++;
    else e->report->records++;
  }
  return rc;
}

/* Whether the key opens the store's secrets. A store without the mark has sealed nothing. */
static int export_check_key(export_job *e)
{
  static const svc_str mark = { "msealed", 7 };
  svc_row row = { mark, { NULL, 0 } };
  bool good;
  int rc;
  if (!e->secret_key) return SVC_OK;
  rc = e->from.port->get(e->from.txn, mark, &row.value);
  if (rc != SVC_OK) return rc == SVC_NOT_FOUND ? SVC_OK : rc;
  rc = svc_shape_line(&e->line, &row, e->secret_key);
  good = e->line.n > 20 && memcmp(e->line.p, "{\"class\":\"secretKey\"", 20) == 0;
  e->line.n = 0;
  return rc != SVC_OK || good ? rc : export_why(e, SVC_INVALID, "the secret key is not this store's");
}

/* Reads the number of the store's format. A store without one: SVC_CORRUPT. */
static int export_format(export_job *e, uint32_t *format)
{
  svc_str value;
  int rc = e->from.port->get(e->from.txn, (svc_str){ "mschema", 7 }, &value);
  *format = 0;
  if (rc == SVC_OK && value.n == sizeof *format) memcpy(format, value.p, sizeof *format);
  return rc == SVC_OK && *format ? SVC_OK : rc == SVC_NOT_FOUND || rc == SVC_OK ? export_why(e, SVC_CORRUPT, "the store says no format") : rc;
}

static int export_head(export_job *e, const svc_config *config)
{
  const uint16_t one = 1;
  time_t now = config->clock ? (time_t)(config->clock(config->clock_context) / 1000) : time(NULL);
  struct tm at = { 0 };
  char date[32] = "";
  uint64_t number = 0;
  uint32_t format = 0;
  int rc = export_format(e, &format);
  if (rc == SVC_OK) rc = svc_rows_number(&e->from, &number);
  if (rc != SVC_OK) return rc;
  if (gmtime_r(&now, &at)) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &at);
  svc_line_print(&e->line, "{\"product\":\"svcapi\",\"export\":%d,\"version\":\"%s\",\"storeFormat\":%u,\"byteOrder\":\"%s\",\"secrets\":\"%s\"",
                 SVC_EXPORT_FORMAT, svc_version(), (unsigned)format, *(const char *)&one ? "little" : "big", e->secret_key ? "clear" : "sealed");
  svc_line_print(&e->line, ",\"date\":\"%s\",\"number\":%llu,\"records\":%llu,\"counts\":%llu}\n", date, (unsigned long long)number,
                 (unsigned long long)e->report->records, (unsigned long long)e->report->counts);
  return export_send(e, false);
}

static int export_rows(export_job *e)
{
  const svc_row *row;
  int rc = svc_rows_begin(&e->from);
  while (rc == SVC_OK && (row = svc_rows_next(&e->from, &rc)) != NULL) {
    (void)svc_shape_line(&e->line, row, e->secret_key); /* the line remembers errors */
    rc = export_send(e, true);
  }
  return rc;
}

static int export_tail(export_job *e)
{
  char all[65];
  if (!svc_transfer_hash(&e->content, e->report->content) || !svc_transfer_hash(&e->all, all)) return SVC_IO;
  svc_transfer_tail(&e->line, e->report, all);
  if (e->line.rc != SVC_OK) return e->line.rc;
  return e->write(e->context, e->line.p, e->line.n) == 0 ? SVC_OK : export_why(e, SVC_IO, "the file cannot be written");
}

int svc_export_store(const svc_config *from, int (*write)(void *context, const char *bytes, size_t n), void *context, svc_transfer_report *out)
{
  export_job *e = calloc(1, sizeof *e);
  int rc;
  memset(out, 0, sizeof *out);
  if (!e) return SVC_NOMEM;
  e->secret_key = from->secret_key;
  e->write = write;
  e->context = context;
  e->report = out;
  mbedtls_sha256_init(&e->all);
  mbedtls_sha256_init(&e->content);
  rc = svc_rows_open(&e->from, from, out->why, sizeof out->why);
  if (rc == SVC_OK) rc = svc_rows_source(&e->from);
  if (rc == SVC_NOT_FOUND) rc = export_why(e, SVC_CORRUPT, "there is no store to read from");
  if (rc == SVC_OK) rc = export_check_key(e);
  if (rc == SVC_OK) rc = export_count(e);
  if (rc == SVC_OK && (mbedtls_sha256_starts(&e->all, 0) != 0 || mbedtls_sha256_starts(&e->content, 0) != 0)) rc = SVC_IO;
  if (rc == SVC_OK) rc = export_head(e, from);
  if (rc == SVC_OK) rc = export_rows(e);
  if (rc == SVC_OK) rc = export_tail(e);
  if (rc != SVC_OK) export_why(e, rc, svc_strerror(rc));
  svc_rows_close(&e->from);
  svc_line_free(&e->line);
  mbedtls_sha256_free(&e->all);
  mbedtls_sha256_free(&e->content);
  free(e);
  return rc;
}

/* ------------------------------------------------------------------------------------------------- shared with import.c */

bool svc_transfer_hash(mbedtls_sha256_context *hash, char out[65])
{
  unsigned char bytes[32];
  int i;
  if (mbedtls_sha256_finish(hash, bytes) != 0) return false;
  for (i = 0; i < 32; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

void svc_transfer_tail(svc_line *line, const svc_transfer_report *r, const char *all)
{
  svc_line_print(line, "{\"end\":true,\"records\":%llu,\"counts\":%llu,\"content\":\"%s\"", (unsigned long long)r->records,
                 (unsigned long long)r->counts, r->content);
  svc_line_print(line, ",\"sha256\":\"%s\"}\n", all);
}

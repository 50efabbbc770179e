/*
** Successful and failed logins to a server, newest first. They come from the server's log, which has a line for each (log_connections).
** Connections of the driver over the server's socket do not count.
*/
#define _GNU_SOURCE
#include "driver_postgres_parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOGINS_MOST 20000

/* The words of an entry before the user name (or address), the text that ends it, and the failure reason. */
static const struct {
  const char *words, *end, *reason; /* reason NULL: the login succeeded */
} logins_rows[] = {
  { "LOG:  connection authorized: user=", " database=", NULL },
  { "FATAL:  password authentication failed for user \"", "\"\n", "AuthenticationFailed" },
  { "FATAL:  role \"", "\" is not permitted to log in", "UserDisabled" },
  { "FATAL:  pg_hba.conf rejects connection for host \"", "\"", "AddressRejected" },
};

typedef struct logins_one {
  driver_entry e;
  const char *user;
  size_t length;
  int row;
} logins_one;

static int logins_parse(const driver_entry *e, logins_one *out)
{
  size_t i, n;
  const char *end;
  if (e->address_length == 0 || e->address[0] == '[') return 0;
  for (i = 0; i < sizeof logins_rows / sizeof logins_rows[0]; i++) {
    n = strlen(logins_rows[i].words);
    if (e->text_length <= n || memcmp(e->text, logins_rows[i].words, n) != 0) continue;
    end = memmem(e->text + n, e->text_length - n, logins_rows[i].end, strlen(logins_rows[i].end));
    if (!end) return 0;
    *out = (logins_one){ *e, e->text + n, (size_t)(end - e->text) - n, (int)i };
    return 1;
  }
  return 0;
}

/* The filter of a question. */
typedef struct logins_filter {
  int64_t from, until;
  int result; /* 1: successful logins, 0: failed ones, -1: both */
  char *address;
} logins_filter;

static logins_filter logins_asked(const svc_question *q)
{
  logins_filter f = { .result = -1 };
  struct json_token result = { NULL, 0, JSON_TYPE_INVALID };
  f.from = driver_long(q->parameters, "{from:%T}", 0);
  f.until = driver_long(q->parameters, "{until:%T}", INT64_MAX / 1000);
  if (q->parameters) json_scanf(q->parameters, (int)strlen(q->parameters), "{authResult:%T,ipAddress:%Q}", &result, &f.address);
  if (result.type == JSON_TYPE_TRUE || result.type == JSON_TYPE_FALSE) f.result = result.type == JSON_TYPE_TRUE;
  return f;
}

static int logins_wanted(const logins_one *one, const logins_filter *f)
{
  int64_t second = one->e.at / 1000;
  if (second < f->from || second > f->until) return 0;
  if (f->result >= 0 && f->result != !logins_rows[one->row].reason) return 0;
  return !f->address || (strlen(f->address) == one->e.address_length && memcmp(f->address, one->e.address, one->e.address_length) == 0);
}

static void logins_write(FILE *out, const logins_one *one, const svc_question *q, const char *host)
{
  const char *reason = logins_rows[one->row].reason;
  time_t second = (time_t)(one->e.at / 1000);
  size_t n = one->e.length;
  struct tm t;
  char date[40];
  gmtime_r(&second, &t);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &t);
  while (n && one->e.from[n - 1] == '\n') n--;
  fprintf(out, "{\"authResult\":%s,\"authSource\":\"admin\",", reason ? "false" : "true");
  if (reason) fprintf(out, "\"failureReason\":\"%s\",", reason);
  fprintf(out, "\"groupId\":\"%s\",\"hostname\":", q->group_id);
  driver_json(out, host, strlen(host));
  fputs(",\"ipAddress\":", out);
  driver_json(out, one->e.address, one->e.address_length);
  fputs(",\"logLine\":", out);
  driver_json(out, one->e.from, n);
  fprintf(out, ",\"timestamp\":\"%s\",\"username\":", date);
  driver_json(out, one->user, one->length);
  fputc('}', out);
}

/* Collects the logins of the log that match the filter, in a ring of the last LOGINS_MOST: login i is at i % LOGINS_MOST, oldest first.
** *count is the number of all matches. Returns NULL if out of memory. */
static logins_one *logins_find(const char *text, size_t n, const svc_question *q, size_t *count)
{
  logins_one *all = malloc(LOGINS_MOST * sizeof *all), one;
  logins_filter asked = logins_asked(q);
  const char *at = text;
  driver_entry e;
  *count = 0;
  while (all && (at = driver_log_next(at, text + n, &e)) != NULL)
    if (logins_parse(&e, &one) && logins_wanted(&one, &asked)) all[(*count)++ % LOGINS_MOST] = one;
  free(asked.address);
  return all;
}

static int logins_answer(const logins_one *all, size_t count, const svc_question *q, svc_reply *reply)
{
  int64_t most = driver_long(q->parameters, "{most:%T}", LOGINS_MOST);
  struct json_token first = { "", 0, JSON_TYPE_INVALID };
  char host[256];
  driver_text t;
  size_t i;
  json_scanf_array_elem(q->parameters, (int)strlen(q->parameters), ".hosts", 0, &first);
  snprintf(host, sizeof host, "%.*s", first.len, first.ptr);
  if (most > LOGINS_MOST) most = LOGINS_MOST;
  if (driver_text_begin(&t) != 0) return SVC_NOMEM;
  fputc('[', t.file);
  for (i = count; i > 0 && (int64_t)(count - i) < most && ftell(t.file) + 4096 < (long)q->most; i--) {
    if (i < count) fputc(',', t.file);
    logins_write(t.file, &all[(i - 1) % LOGINS_MOST], q, host);
  }
  fputc(']', t.file);
  return driver_text_reply(&t, reply);
}

int driver_logins(driver_postgres *d, const svc_question *q, svc_reply *reply)
{
  size_t n = 0, count = 0;
  char *text = driver_log_read(d, q->resource_id, &n);
  logins_one *all = text ? logins_find(text, n, q, &count) : NULL;
  int code = all ? logins_answer(all, count, q, reply) : text ? SVC_NOMEM : SVC_IO;
  free(all);
  free(text);
  return code;
}

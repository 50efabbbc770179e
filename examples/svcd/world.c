/*
** --world and --snapshot set the content of a new store; the verb world writes a world from a store, or checks a file.
**
** The rules. svcd applies a world before it serves; at the next start the library recognizes the world, and changes nothing. A snapshot
** applies to an empty store only: a store with organizations stays unchanged. svcd writes the secrets that a world generates to a file
** next to the credentials, which only its owner can read, and prints them only with --show-credentials.
*/
#define _GNU_SOURCE /* timegm, explicit_bzero */
#include "svcd.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORLD_MOST ((size_t)4 << 20)    /* most bytes of a world, the limit of svc_world_apply() */
#define WORLD_SNAPSHOT ((size_t)80 << 20) /* most bytes of a snapshot: 64 MiB of records, and room for the rest of the file */

/* Reads a file into memory that the caller frees. Returns NULL after an error message. */
static char *world_read(const char *flag, const char *path, size_t most, size_t *n)
{
  FILE *f = fopen(path, "re");
  char *text = f ? malloc(most + 2) : NULL;
  int failed = f && text ? 0 : errno ? errno : EIO;
  *n = text ? fread(text, 1, most + 1, f) : 0;
  if (text && ferror(f)) failed = errno ? errno : EIO;
  if (f) fclose(f);
  if (!failed && *n > most) failed = EFBIG;
  if (!failed) {
    text[*n] = '\0';
    return text;
  }
  svcd_error(failed == EFBIG ? 1 : 2, "cannot read %s %s: %s", flag, path, strerror(failed));
  free(text);
  return NULL;
}

/* Returns the text of a built-in world, whose name has no slash and no dot, or of a file. The caller frees it.
** NULL: after an error message. */
static char *world_text(const char *flag, const char *name, size_t *n)
{
  const svcd_world_file *w = svcd_world_files;
  char *text;
  if (strpbrk(name, "/.")) return world_read(flag, name, WORLD_MOST, n);
  while (w->name && strcmp(w->name, name) != 0) w++;
  if (!w->name) {
    svcd_error(2, "%s %s: there is no such built-in world: use empty, team or company, or a file, ./%s", flag, name, name);
    return NULL;
  }
  *n = strlen(w->text);
  text = strdup(w->text);
  if (!text) svcd_error(1, "no memory");
  return text;
}

/* ------------------------------------------------------------------------------------------------------------------- time */

/* Returns the member "now" at the top level of a world, in milliseconds. 0: missing or invalid; the library reports the error. */
static int64_t world_now(const char *text)
{
  struct tm t;
  int depth = 0;
  memset(&t, 0, sizeof t);
  for (; *text; text++) {
    const char *begin = text;
    if (*text == '{' || *text == '[') depth++;
    if (*text == '}' || *text == ']') depth--;
    if (*text != '"') continue;
    for (text++; *text && *text != '"'; text++)
      if (*text == '\\' && text[1]) text++;
    if (!*text) return 0;
    if (depth != 1 || strncmp(begin, "\"now\"", 5) != 0) continue;
    text += 1 + strspn(text + 1, " \t\r\n");
    if (*text != ':') continue;
    text += 1 + strspn(text + 1, " \t\r\n");
    if (*text != '"' || !(text = strptime(text + 1, "%Y-%m-%dT%H:%M:%SZ", &t)) || *text != '"') return 0;
    return (int64_t)timegm(&t) * 1000;
  }
  return 0;
}

int svcd_world_open(svcd_options *o)
{
  if (!o->world) return -1;
  o->world_text = world_text("--world", o->world, &o->world_size);
  return o->world_text ? -1 : 2;
}

int64_t svcd_world_clock(const svcd_options *o)
{
  return o->world_text && o->test_control && !o->clock ? world_now(o->world_text) : 0;
}

/* ---------------------------------------------------------------------------------------------------------------- loading */

/* Writes the member "detail" of an error document as text. */
static void world_detail(const char *document, char *out, size_t size)
{
  static const char name[] = "\"detail\":\"";
  const char *at = document ? strstr(document, name) : NULL;
  size_t n = 0;
  for (at = at ? at + sizeof name - 1 : ""; *at && *at != '"' && n + 1 < size; at++) {
    if (*at == '\\' && at[1]) at++;
    out[n++] = *at;
  }
  out[n] = '\0';
}

/* Applies a world. Returns 0, or the exit status after an error message of the form FILE:LINE:COLUMN, like a compiler's. */
static int world_apply(svc *s, const char *name, const char *text, size_t n, svc_response *out)
{
  char detail[SVCD_TEXT];
  int rc = svc_world_apply(s, text, n, out);
  if (rc == SVC_OK) return 0;
  world_detail(out->body, detail, sizeof detail);
  svc_response_free(out);
  return svcd_error(rc == SVC_INVALID ? 2 : 1, "%s:%s", name, detail[0] ? detail : svc_strerror(rc));
}

/* Writes the keys and passwords that a world has generated to a file. Returns 0, or the exit status. */
static int world_report(const svcd_options *o, const svc_response *report)
{
  char path[SVCD_PATH], beside[SVCD_PATH + 8];
  if (strstr(report->body, "\"applied\":false")) return 0;
  if (o->show_credentials) printf("world:         %s\n", report->body);
  if (!svcd_credentials_path(o, path)) return 1;
  if (!*path || strstr(report->body, "\"secrets\":{}")) return 0;
  snprintf(beside, sizeof beside, "%s.world", path);
  if (svcd_put_file(beside, report->body, report->body_length, SVCD_PUT_REPLACE) != 0) return 1;
  svcd_print("world.secrets", "world:", "%s, with the generated secrets", beside);
  return 0;
}

static int world_restore(svc *s, const char *path)
{
  svc_snapshot *snapshot = NULL;
  size_t n;
  char *bytes = world_read("--snapshot", path, WORLD_SNAPSHOT, &n);
  int rc;
  if (!bytes) return 2;
  rc = svc_snapshot_load(s, bytes, n, &snapshot);
  if (rc == SVC_OK) rc = svc_snapshot_restore(s, snapshot);
  svc_snapshot_free(snapshot);
  explicit_bzero(bytes, n);
  free(bytes);
  return rc == SVC_OK ? 0 : svcd_error(1, "--snapshot %s: %s", path, svc_strerror(rc));
}

int svcd_world_load(svc *s, const svcd_options *o, int set_up)
{
  svc_response report;
  int status = 0;
  if (o->snapshot && !set_up) status = world_restore(s, o->snapshot);
  else if (o->snapshot) svcd_say(SVC_LOG_INFO, "snapshot.ignored",
                                 "the store is not empty, and is left unchanged: --snapshot applies to an empty store");
  if (status != 0 || !o->world) return status;
  status = world_apply(s, o->world, o->world_text, o->world_size, &report);
  if (status != 0) return status;
  status = world_report(o, &report);
  svc_response_free(&report);
  if (status == 0 && o->clock_rate && svc_clock_rate(s, o->clock_rate) != SVC_OK) status = svcd_error(1, "--clock-rate: the clock cannot be started");
  return status;
}

/* --------------------------------------------------------------------------------------------------------------- the verb */

/* Checks a world by applying it to a temporary store in memory. */
static int world_check(const svcd_options *o)
{
  static const unsigned char key[SVCD_SECRET_KEY];
  svc_response report;
  svc_config config;
  size_t n;
  svc *s;
  char *text = world_text("--check", o->check, &n);
  int status;
  if (!text) return 2;
  memset(&config, 0, sizeof config);
  config.log_event = svcd_log;
  config.secret_key = key; /* the secrets of the temporary store need no real key */
  config.manual_clock = world_now(text);
  if (config.manual_clock <= 0) config.manual_clock = (int64_t)time(NULL) * 1000;
  status = svc_open(&s, &config);
  if (status != SVC_OK) {
    free(text);
    return svcd_error(1, "%s", svc_strerror(status));
  }
  status = world_apply(s, o->check, text, n, &report);
  if (status == 0) printf("%s: a world that can be loaded\n", o->check);
  if (status == 0) svc_response_free(&report);
  svc_close(s);
  free(text);
  return status ? 1 : 0;
}

static int world_write(const svcd_options *o, const svc_response *document)
{
  if (o->out) return svcd_put_file(o->out, document->body, document->body_length, SVCD_PUT_NEW);
  if (fwrite(document->body, 1, document->body_length, stdout) == document->body_length && fflush(stdout) == 0) return 0;
  return svcd_error(1, "cannot write: %s", strerror(errno));
}

int svcd_world(const svcd_options *o)
{
  svc_response document;
  svc_config config;
  svc *s;
  int status;
  if (o->check) return world_check(o);
  if (!svcd_has_store(o->data)) return svcd_error(1, "there is no store in %s", o->data);
  memset(&config, 0, sizeof config);
  if (svcd_store_at(o->data, &config) != 0) return 2;
  config.keep_orders = 1; /* orders are for the driver of the next run */
  config.log_event = svcd_log;
  status = svc_open(&s, &config); /* logs the error; most often, svcd is running */
  if (status != SVC_OK) return status == SVC_INVALID ? 2 : 1;
  status = svc_world_write(s, &document);
  status = status == SVC_OK ? world_write(o, &document) : svcd_error(1, "nothing was written: %s", svc_strerror(status));
  svc_response_free(&document);
  svc_close(s);
  return status;
}

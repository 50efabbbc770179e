/*
** Malformed worlds: the loader accepts any document, or refuses it with a line and a column and leaves the store unchanged. A
** store made from an accepted document can be exported as a world, and that world loads.
**
** The clock is not a manual one, so a document cannot request thousands of years of history: its steps are read up to a move of
** the clock. Every input starts with the same store.
*/
#include "control/control.h"
#include "fuzz.h"

typedef struct fuzz_world {
  fuzz_service f;
  svc_snapshot *first;
  svc_response bytes; /* the saved form of `first` */
} fuzz_world;

static void world_fuzz_back(fuzz_world *w)
{
  if (svc_snapshot_restore(w->f.s, w->first) != SVC_OK) fuzz_die("the store does not go back");
}

/* Compares the records only: the head has the state of the id generator, which advances. */
static bool world_fuzz_same(fuzz_world *w)
{
  const size_t head = 8 + 8 + 36 + 64 + 8 + 24 + 64, sum = 32;
  svc_snapshot *now;
  svc_response bytes;
  bool same;
  if (svc_snapshot_take(w->f.s, &now) != SVC_OK || svc_snapshot_save(now, &bytes) != SVC_OK) fuzz_die("no snapshot");
  same = bytes.body_length == w->bytes.body_length &&
         memcmp(bytes.body + head, w->bytes.body + head, bytes.body_length - head - sum) == 0;
  svc_response_free(&bytes);
  svc_snapshot_free(now);
  return same;
}

/* Checks for "12:9: ", the position that an editor can jump to. */
static void world_fuzz_refused(const svc_response *r)
{
  const char *p = strstr(r->body, "\"detail\":\"");
  size_t line, column;
  p = p ? p + 10 : "";
  line = strspn(p, "0123456789");
  column = line && p[line] == ':' ? strspn(p + line + 1, "0123456789") : 0;
  if (!column || strncmp(p + line + 1 + column, ": ", 2) != 0) fuzz_die("refused without line and column");
}

static void world_fuzz_written(fuzz_world *w)
{
  svc_response written, report;
  if (svc_world_write(w->f.s, &written) != SVC_OK) fuzz_die("the store cannot be written as a world");
  fuzz_check(&written);
  world_fuzz_back(w);
  if (svc_world_apply(w->f.s, written.body, written.body_length, &report) != SVC_OK) {
    fprintf(stderr, "%s\n%s\n", written.body, report.body ? report.body : "");
    fuzz_die("a written world does not load");
  }
  svc_response_free(&report);
  svc_response_free(&written);
}

int svc_fuzz_world(const uint8_t *data, size_t size)
{
  static fuzz_world w;
  svc_response r;
  int rc;
  if (!w.f.s) {
    fuzz_begin(&w.f, NULL);
    if (svc_snapshot_take(w.f.s, &w.first) != SVC_OK || svc_snapshot_save(w.first, &w.bytes) != SVC_OK) fuzz_die("no snapshot");
  }
  w.f.random = 0;
  rc = svc_world_apply(w.f.s, size ? (const char *)data : "", size, &r);
  if (rc != SVC_OK && rc != SVC_INVALID) fuzz_die("neither loaded nor refused");
  if (!r.body) fuzz_die("no report");
  fuzz_check(&r);
  if (rc == SVC_INVALID) world_fuzz_refused(&r);
  if (rc == SVC_INVALID && !world_fuzz_same(&w)) fuzz_die("a world that was refused has left something behind");
  if (rc == SVC_OK) world_fuzz_written(&w);
  svc_response_free(&r);
  world_fuzz_back(&w);
  return 0;
}

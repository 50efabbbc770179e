/*
** Malformed snapshots: any bytes are loaded or refused. A loaded snapshot saves the same records again, and can be restored or is
** refused. A service on the restored store answers every request, and never with 500, whatever its records contain.
**
** The first byte of an input selects: 'f' and a whole file; 's' and a file without its checksum, which this target adds; 'r' and
** records, to which this target adds a matching head and checksum.
*/
#include "control/control.h"
#include "fuzz.h"

#define SNAPSHOT_HEAD ((size_t)(8 + 8 + 36 + 64 + 8 + 24 + 64 + 16))
#define SNAPSHOT_SUM ((size_t)32)

typedef struct fuzz_snapshot {
  fuzz_service f;
  svc_snapshot *first;
  svc_response bytes; /* the saved form of `first` */
} fuzz_snapshot;

static void snapshot_fuzz_seeds(const fuzz_snapshot *w, const char *folder)
{
  svc_arena a;
  svc_buf b;
  svc_arena_init(&a, NULL);
  b = svc_buf_new(&a, w->bytes.body_length + 1);
  svc_buf_char(&b, 'f');
  svc_buf_add(&b, w->bytes.body, w->bytes.body_length);
  if (b.failed) fuzz_die("no memory");
  fuzz_write(folder, "file", (svc_str){ b.p, b.n });
  b.p[0] = 's';
  fuzz_write(folder, "unsummed", (svc_str){ b.p, b.n - SNAPSHOT_SUM });
  b.p[SNAPSHOT_HEAD] = 'r';
  fuzz_write(folder, "records", (svc_str){ b.p + SNAPSHOT_HEAD, b.n - SNAPSHOT_SUM - SNAPSHOT_HEAD });
  svc_blocks_free(a.blocks);
}

static void snapshot_fuzz_begin(fuzz_snapshot *w)
{
  const char *folder = getenv("SVC_FUZZ_SEEDS");
  fuzz_begin(&w->f, NULL);
  if (svc_snapshot_take(w->f.s, &w->first) != SVC_OK || svc_snapshot_save(w->first, &w->bytes) != SVC_OK) fuzz_die("no snapshot");
  if (folder) snapshot_fuzz_seeds(w, folder);
}

/* Counts records, as far as their lengths are valid. */
static uint64_t snapshot_fuzz_count(svc_str rest)
{
  uint64_t n = 0;
  while (rest.n >= 8) {
    const uint64_t sizes = svc_load64(rest.p), size = 8 + (sizes & UINT32_MAX) + (sizes >> 32);
    if (size > rest.n) break;
    rest.p += size;
    rest.n -= (size_t)size;
    n++;
  }
  return n;
}

/* Builds the file that an input stands for. */
static svc_str snapshot_fuzz_file(const fuzz_snapshot *w, svc_arena *a, svc_str input)
{
  svc_buf b = svc_buf_new(a, SNAPSHOT_HEAD + input.n + SNAPSHOT_SUM + 1);
  const svc_str rest = { input.p + 1, input.n - 1 };
  unsigned char sum[SNAPSHOT_SUM];
  if (input.p[0] == 'r') {
    svc_buf_add(&b, w->bytes.body, SNAPSHOT_HEAD);
    svc_store64(b.p + SNAPSHOT_HEAD - 16, snapshot_fuzz_count(rest));
    svc_store64(b.p + SNAPSHOT_HEAD - 8, rest.n);
  }
  svc_buf_str(&b, rest);
  if (input.p[0] != 'f') {
    if (!svc_sha256((svc_str){ b.p, b.n }, sum)) fuzz_die("no checksum");
    svc_buf_add(&b, (const char *)sum, sizeof sum);
  }
  if (b.failed) fuzz_die("no memory");
  return (svc_str){ b.p, b.n };
}

/* Checks that a loaded snapshot saves the records of the file; loading may drop a record. */
static void snapshot_fuzz_saved(const svc_snapshot *k, svc_str file)
{
  svc_response again;
  if (svc_snapshot_save(k, &again) != SVC_OK) fuzz_die("a loaded snapshot does not save");
  if (again.body_length > file.n) fuzz_die("a snapshot grew");
  if (again.body_length == file.n && memcmp(again.body + SNAPSHOT_HEAD, file.p + SNAPSHOT_HEAD, file.n - SNAPSHOT_HEAD - SNAPSHOT_SUM) != 0)
    fuzz_die("other records than were loaded");
  svc_response_free(&again);
}

static void snapshot_fuzz_use(fuzz_snapshot *w, const svc_snapshot *k)
{
  static const char *const targets[] = { "/api/svc/v2/orgs", "/api/svc/v2/groups", "/api/svc/v2/users/5f0000000000000000000001" };
  svc_request request;
  svc_response r;
  size_t i;
  int rc = svc_snapshot_restore(w->f.s, k);
  if (rc != SVC_OK && rc != SVC_FULL && rc != SVC_CORRUPT && rc != SVC_INVALID) fuzz_die("a status that a snapshot cannot cause");
  for (i = 0; i < sizeof targets / sizeof targets[0]; i++) {
    memset(&request, 0, sizeof request);
    request.method = "GET";
    request.target = targets[i];
    request.caller = &fuzz_owner;
    if (svc_handle_request(w->f.s, &request, &r) != SVC_OK) fuzz_die("no answer");
    if (r.status < 200 || r.status > 599 || r.status == 500) fuzz_die("a status that should not be");
    svc_response_free(&r);
  }
  (void)svc_tick(w->f.s);
  if (svc_snapshot_restore(w->f.s, w->first) != SVC_OK) fuzz_die("the store does not go back");
}

int svc_fuzz_snapshot(const uint8_t *data, size_t size)
{
  static fuzz_snapshot w;
  svc_snapshot *k = NULL;
  svc_arena a;
  svc_str file;
  int rc;
  if (!w.f.s) snapshot_fuzz_begin(&w);
  if (size == 0 || !strchr("fsr", data[0]) || !data[0]) return 0;
  svc_arena_init(&a, NULL);
  file = snapshot_fuzz_file(&w, &a, (svc_str){ (const char *)data, size });
  rc = svc_snapshot_load(w.f.s, file.p, file.n, &k);
  if (rc != SVC_OK && rc != SVC_CORRUPT && rc != SVC_INVALID) fuzz_die("neither loaded nor refused");
  if ((rc == SVC_OK) != (k != NULL)) fuzz_die("a snapshot without success, or success without a snapshot");
  if (k) {
    snapshot_fuzz_saved(k, file);
    snapshot_fuzz_use(&w, k);
  }
  svc_snapshot_free(k);
  svc_blocks_free(a.blocks);
  return 0;
}

/*
** A snapshot as the bytes of a file, and back.
**
**      magic(8) "svcsnap1" or "svcsnapB"   format of stores(8)   last id(12) reserved(12) late(12)   pool(64) left in it(8)
**      time(8) state of the seed(8) of chance(8)   vendor word(64, zeros behind)   records(8)   their bytes(8)
**      records as whole.c draws them               SHA-256 of all before it(32)
**
** Numbers of the head, lengths and counters have their low bytes first. Records are those of the store, with numbers in the byte order of the
** machine (store/record.c), which the magic names: 1 little-endian, B big-endian. Version 1.0.0 wrote "svcsnap1" on every machine, so of
** these files the record "mschema" decides, which every store has and which is a number in that order.
**
** The rule of the reader: nothing is trusted. The checksum is checked first, then every length, the
** order of keys and the shape of counters, because the author of a file can also write a checksum. One invalid record refuses the file.
*/
#include "control/whole.h"

#define WHOLE_FILE_LITTLE "svcsnap1"
#define WHOLE_FILE_BIG "svcsnapB"
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define WHOLE_FILE_OURS WHOLE_FILE_BIG
#define WHOLE_FILE_OTHER "the snapshot was written on a little-endian machine, and this machine is big-endian"
#else
#define WHOLE_FILE_OURS WHOLE_FILE_LITTLE
#define WHOLE_FILE_OTHER "the snapshot was written on a big-endian machine, and this machine is little-endian"
#endif
#define WHOLE_FILE_FOREIGN WHOLE_FILE_OTHER ": restore it there, then take the store over by svcd export and svcd import"
_Static_assert(sizeof WHOLE_FILE_FOREIGN <= SVC_SNAPSHOT_WHY, "the reason is cut off");
#define WHOLE_FILE_HEAD ((size_t)(8 + 8 + 36 + 64 + 8 + 24 + SVC_WHOLE_VENDOR + 16))
#define WHOLE_FILE_SUM ((size_t)32)

/* ------------------------------------------------------------------------------------------------------------------ saving */

static char *whole_file_put(char *to, const void *from, size_t n)
{
  memcpy(to, from, n);
  return to + n;
}

static char *whole_file_number(char *to, uint64_t v)
{
  svc_store64(to, v);
  return to + 8;
}

static void whole_file_head(const svc_snapshot *k, char *p)
{
  char vendor[SVC_WHOLE_VENDOR] = "";
  memcpy(vendor, k->vendor, strlen(k->vendor));
  p = whole_file_put(p, WHOLE_FILE_OURS, 8);
  p = whole_file_number(p, SVC_STORE_FORMAT);
  p = whole_file_put(p, k->ids.last.b, 12);
  p = whole_file_put(p, k->ids.reserved.b, 12);
  p = whole_file_put(p, k->ids.late.b, 12);
  p = whole_file_put(p, k->ids.pool, 64);
  p = whole_file_number(p, k->ids.pool_left);
  p = whole_file_number(p, (uint64_t)(k->now ? k->now : k->taken));
  p = whole_file_number(p, k->random);
  p = whole_file_number(p, k->chance);
  p = whole_file_put(p, vendor, sizeof vendor);
  p = whole_file_number(p, k->records);
  whole_file_number(p, k->n);
}

static svc_str whole_file_bytes(svc_arena *a, const svc_snapshot *k)
{
  const size_t n = WHOLE_FILE_HEAD + k->n;
  char *bytes = svc_arena_alloc(a, n + WHOLE_FILE_SUM + 1);
  unsigned char sum[WHOLE_FILE_SUM];
  if (!bytes) return SVC_S("");
  whole_file_head(k, bytes);
  if (k->n) memcpy(bytes + WHOLE_FILE_HEAD, k->bytes, k->n);
  if (!svc_sha256((svc_str){ bytes, n }, sum)) {
    a->failed = true;
    return SVC_S("");
  }
  memcpy(bytes + n, sum, sizeof sum);
  bytes[n + WHOLE_FILE_SUM] = '\0';
  return (svc_str){ bytes, n + WHOLE_FILE_SUM };
}

/* A state that the store itself keeps is read into bytes first. */
SVC_PRIVATE svc_str svc_snapshot_bytes(svc_arena *a, const svc_snapshot *k)
{
  svc_snapshot copy = *k;
  svc_str out = SVC_S("");
  svc_txn *txn;
  int rc;
  if (!k->held) return whole_file_bytes(a, k);
  copy.n = copy.records = 0;
  rc = k->port->held_begin(k->held, &txn);
  if (rc == SVC_OK) {
    rc = svc_whole_read(&copy, txn);
    k->port->read_end(txn);
  }
  if (rc == SVC_OK) out = whole_file_bytes(a, &copy);
  else a->failed = true;
  if (copy.bytes) svc_wipe(copy.bytes, copy.n);
  if (copy.bytes) copy.allocator.resize(copy.allocator.context, copy.bytes, 0);
  return out;
}

int svc_snapshot_save(const svc_snapshot *snapshot, svc_response *out)
{
  static const svc_header type = { "Content-Type", "application/octet-stream", 12, 24 };
  svc_arena arena;
  if (out) memset(out, 0, sizeof *out);
  if (!snapshot || !out) return SVC_INVALID;
  svc_arena_init(&arena, &snapshot->allocator);
  svc_arena_wipes(&arena, svc_wipe);
  return svc_respond_text(&arena, svc_snapshot_bytes(&arena, snapshot), &type, out);
}

/* ----------------------------------------------------------------------------------------------------------------- loading */

typedef struct whole_file {
  svc *s;
  svc_arena arena;
  svc_str records;
  uint64_t count;
  char *why;
} whole_file;

static int whole_file_bad(whole_file *f, int rc, const char *why)
{
  if (!f->why[0]) snprintf(f->why, SVC_SNAPSHOT_WHY, "%s", why);
  return rc;
}

static int whole_file_read_head(whole_file *f, svc_str bytes, svc_snapshot *k)
{
  const char *p = bytes.p + 16;
  char ours[SVC_WHOLE_VENDOR] = "";
  uint64_t n;
  if (memcmp(bytes.p, WHOLE_FILE_LITTLE, 8) != 0 && memcmp(bytes.p, WHOLE_FILE_OURS, 8) != 0)
    return whole_file_bad(f, SVC_INVALID, WHOLE_FILE_FOREIGN);
  if (svc_load64(bytes.p + 8) != SVC_STORE_FORMAT) return whole_file_bad(f, SVC_INVALID, "the snapshot has another store format");
  memcpy(k->ids.last.b, p, 12);
  memcpy(k->ids.reserved.b, p + 12, 12);
  memcpy(k->ids.late.b, p + 24, 12);
  memcpy(k->ids.pool, p + 36, 64);
  k->ids.pool_left = (size_t)svc_load64(p + 100);
  k->now = k->taken = (int64_t)svc_load64(p + 108);
  k->random = svc_load64(p + 116);
  k->chance = svc_load64(p + 124);
  p += 132;
  snprintf(k->vendor, sizeof k->vendor, SVC_FMT, SVC_ARG(f->s->vendor));
  memcpy(ours, k->vendor, strlen(k->vendor));
  if (memcmp(p, ours, sizeof ours) != 0) return whole_file_bad(f, SVC_INVALID, "the snapshot comes from a service with another vendor word");
  f->count = svc_load64(p + SVC_WHOLE_VENDOR);
  n = svc_load64(p + SVC_WHOLE_VENDOR + 8);
  if (k->ids.pool_left > sizeof k->ids.pool || k->now < 0 || k->now > SVC_CLOCK_LAST || n != bytes.n - WHOLE_FILE_HEAD)
    return whole_file_bad(f, SVC_CORRUPT, "the head of the snapshot has impossible values");
  f->records = (svc_str){ bytes.p + WHOLE_FILE_HEAD, (size_t)n };
  return SVC_OK;
}

/* The format of the store, a number in the byte order of the machine that wrote it. */
static int whole_file_order(whole_file *f, svc_str schema)
{
  uint32_t format;
  unsigned char turned[sizeof format];
  size_t i;
  if (schema.n != sizeof format) return SVC_OK; /* svc_check_store() reports it */
  for (i = 0; i < sizeof format; i++) turned[i] = (unsigned char)schema.p[sizeof format - 1 - i];
  memcpy(&format, turned, sizeof format);
  return format == SVC_STORE_FORMAT ? whole_file_bad(f, SVC_INVALID, WHOLE_FILE_FOREIGN) : SVC_OK;
}

/* Secrets must be sealed with a key of this handle. If nothing was sealed yet, the record is left out, and the first secret writes a new
** one. */
static int whole_file_sealed(whole_file *f, svc_str word, bool *leave)
{
  *leave = word.n && word.p[0] == '?';
  if (*leave || svc_seal_word_by(f->s, &f->arena, word) >= 0) return f->arena.failed ? SVC_NOMEM : SVC_OK;
  return whole_file_bad(f, SVC_INVALID, "the snapshot has secrets that are sealed by another secret key than this service has");
}

static int whole_file_record(whole_file *f, svc_str before, const svc_row *row, svc_snapshot *k)
{
  bool leave = false;
  int rc = SVC_OK;
  if (before.n && svc_str_order(before, row->key) >= 0) return whole_file_bad(f, SVC_CORRUPT,
                                                                              "the keys of the snapshot are not in their order");
  if (row->key.p[0] == '\0' || (unsigned char)row->key.p[0] == 0xFF) return whole_file_bad(f, SVC_CORRUPT,
    "the snapshot has a key that no store has");
  if (row->key.p[0] == SVC_COUNT_LETTER && row->value.n != 8) return whole_file_bad(f, SVC_CORRUPT, "a count of the snapshot is invalid");
  if (svc_str_is(row->key, "mschema")) rc = whole_file_order(f, row->value);
  if (svc_str_is(row->key, "msealed")) rc = whole_file_sealed(f, row->value, &leave);
  return rc == SVC_OK && !leave ? svc_whole_add(k, row->key, row->value) : rc;
}

static int whole_file_records(whole_file *f, svc_snapshot *k)
{
  svc_str rest = f->records, before = { NULL, 0 };
  uint64_t found = 0;
  int rc = SVC_OK;
  while (rest.n && rc == SVC_OK) {
    const uint64_t sizes = rest.n >= 8 ? svc_load64(rest.p) : 0, key = sizes & UINT32_MAX, value = sizes >> 32;
    svc_row row;
    if (key == 0 || key > SVC_KEY_MOST || rest.n < 8 + key || rest.n - 8 - key < value)
      return whole_file_bad(f, SVC_CORRUPT, "a record of the snapshot has a length that cannot be");
    row.key = (svc_str){ rest.p + 8, (size_t)key };
    row.value = (svc_str){ row.key.p + key, (size_t)value };
    rc = whole_file_record(f, before, &row, k);
    before = row.key;
    found++;
    rest.p += 8 + key + value;
    rest.n -= (size_t)(8 + key + value);
  }
  if (rc == SVC_OK && found != f->count) rc = whole_file_bad(f, SVC_CORRUPT,
                                                             "the snapshot has another number of records than its head says");
  return rc;
}

/* Buckets are full, and this handle's knowledge of nonces stays. */
static int whole_file_beside(svc *s, svc_snapshot *k)
{
  if (svc_whole_digest(s, k) != SVC_OK) return SVC_NOMEM;
  if (!s->limiter) return SVC_OK;
  k->limiter = k->allocator.resize(k->allocator.context, NULL, svc_limiter_size(s->limiter));
  if (!k->limiter) return SVC_NOMEM;
  memset(k->limiter, 0, svc_limiter_size(s->limiter));
  return SVC_OK;
}

static bool whole_file_has_magic(const char *p)
{
  return memcmp(p, WHOLE_FILE_LITTLE, 8) == 0 || memcmp(p, WHOLE_FILE_BIG, 8) == 0;
}

SVC_PRIVATE int svc_snapshot_read(svc *s, svc_str bytes, svc_snapshot **out, char why[SVC_SNAPSHOT_WHY])
{
  whole_file f = { .s = s, .why = why };
  unsigned char sum[WHOLE_FILE_SUM];
  svc_snapshot *k;
  int rc;
  *out = NULL;
  why[0] = '\0';
  if (bytes.n < WHOLE_FILE_HEAD + WHOLE_FILE_SUM || !whole_file_has_magic(bytes.p))
    return whole_file_bad(&f, SVC_CORRUPT, "these bytes are not a snapshot, or not a complete one");
  bytes.n -= WHOLE_FILE_SUM;
  if (!svc_sha256(bytes, sum)) return SVC_NOMEM;
  if (!svc_same_bytes(sum, (const unsigned char *)bytes.p + bytes.n, sizeof sum))
    return whole_file_bad(&f, SVC_CORRUPT, "the snapshot is not as it was saved: its checksum differs");
  k = svc_whole_new(s);
  if (!k) return SVC_NOMEM;
  svc_arena_init(&f.arena, &s->allocator);
  rc = whole_file_read_head(&f, bytes, k);
  if (rc == SVC_OK) rc = whole_file_records(&f, k);
  if (rc == SVC_FULL) whole_file_bad(&f, rc, "the snapshot is larger than svc_config.max_snapshot");
  if (rc == SVC_OK) rc = whole_file_beside(s, k);
  svc_blocks_free(f.arena.blocks);
  if (rc == SVC_OK) *out = k;
  else svc_snapshot_free(k);
  return rc;
}

int svc_snapshot_load(svc *s, const void *bytes, size_t n, svc_snapshot **out)
{
  char why[SVC_SNAPSHOT_WHY] = "";
  int rc;
  if (out) *out = NULL;
  if (!SVC_USABLE(s) || !out || !bytes) return SVC_INVALID;
  rc = svc_snapshot_read(s, (svc_str){ bytes, n }, out, why);
  if (why[0]) svc_log(s, SVC_LOG_ERROR, "snapshot.refused", "%s", why);
  return rc;
}

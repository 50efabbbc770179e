/*
** The check of LMDB's file (ports/lmdb_pages.c), number by number. Each number from which LMDB computes an address is set to
** edge values, one at a time. The file is then either refused with a reason, or LMDB can walk all of it.
**
** The file contains every type of page: records two branches deep, values on separate pages, a list of free pages that needs
** pages of its own, and a tree of such lists with a branch, because a reader stayed open while others wrote.
*/
#include "faults.h"
#include "support.h"

#include "ports/ports.h"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGES_SMALL 1200
#define PAGES_LARGE 140
#define PAGES_COMMITS 100
#define PAGES_META_BYTES (16 + 24 + 2 * 48 + 16) /* used bytes of a meta page, with words of 8 bytes */

typedef struct pages_file {
  char path[160], folder[128];
  int fd;
  unsigned char *bytes;
  size_t size, page, pages;
  unsigned long accepted, refused;
} pages_file;

static void pages_put(MDB_txn *txn, unsigned n, size_t size)
{
  static char value[16384];
  char name[64];
  MDB_val k = { (size_t)snprintf(name, sizeof name, "e%08u-a-key-of-some-length", n), name }, v = { size, value };
  munit_assert_int(mdb_put(txn, 1, &k, &v, 0), ==, 0);
}

static void pages_remove(MDB_txn *txn, unsigned n)
{
  char name[64];
  MDB_val k = { (size_t)snprintf(name, sizeof name, "e%08u-a-key-of-some-length", n), name };
  munit_assert_int(mdb_del(txn, 1, &k, NULL), ==, 0);
}

static MDB_txn *pages_begin(MDB_env *env, unsigned flags)
{
  MDB_txn *txn;
  MDB_dbi dbi;
  munit_assert_int(mdb_txn_begin(env, NULL, flags, &txn), ==, 0);
  munit_assert_int(mdb_dbi_open(txn, NULL, 0, &dbi), ==, 0);
  munit_assert_uint(dbi, ==, 1);
  return txn;
}

static void pages_fill(MDB_env *env)
{
  MDB_txn *txn = pages_begin(env, 0), *reader;
  unsigned i;
  for (i = 0; i < PAGES_SMALL; i++) pages_put(txn, i, 30);
  for (i = 0; i < PAGES_LARGE; i++) pages_put(txn, 100000 + i, 5000);
  munit_assert_int(mdb_txn_commit(txn), ==, 0);
  reader = pages_begin(env, MDB_RDONLY);
  for (i = 0; i < PAGES_COMMITS; i++) {
    txn = pages_begin(env, 0);
    pages_put(txn, i * 11, 31);
    if (i == 50) for (unsigned k = 4; k < PAGES_LARGE; k++) pages_remove(txn, 100000 + k);
    munit_assert_int(mdb_txn_commit(txn), ==, 0);
  }
  mdb_txn_abort(reader);
}

static void pages_open(pages_file *f)
{
  MDB_env *env;
  MDB_stat st;
  struct stat file;
  memset(f, 0, sizeof *f);
  store_folder(f->folder);
  snprintf(f->path, sizeof f->path, "%s/data.mdb", f->folder);
  munit_assert_int(mdb_env_create(&env), ==, 0);
  munit_assert_int(mdb_env_set_mapsize(env, 16 << 20), ==, 0);
  munit_assert_int(mdb_env_open(env, f->path, MDB_NOSUBDIR | MDB_NOSYNC, 0600), ==, 0);
  pages_fill(env);
  munit_assert_int(mdb_env_stat(env, &st), ==, 0);
  munit_assert_uint(st.ms_depth, >=, 2);
  mdb_env_close(env);
  f->page = st.ms_psize;
  f->fd = open(f->path, O_RDWR | O_CLOEXEC);
  munit_assert_int(f->fd, >=, 0);
  munit_assert_int(fstat(f->fd, &file), ==, 0);
  f->size = (size_t)file.st_size;
  f->pages = f->size / f->page;
  f->bytes = munit_malloc(f->size);
  munit_assert_size((size_t)pread(f->fd, f->bytes, f->size, 0), ==, f->size);
}

static void pages_close(pages_file *f)
{
  close(f->fd);
  free(f->bytes);
  store_remove(f->folder);
}

/* Lets LMDB walk from the first record to the last, and over all free pages. A file that it cannot handle crashes the process. */
static void pages_walk_all(const pages_file *f)
{
  MDB_env *env;
  MDB_txn *txn;
  MDB_cursor *cursor;
  MDB_val key, value;
  MDB_dbi dbi;
  unsigned tree;
  char seen;
  volatile char *last = &seen; /* so that the compiler keeps the read */
  munit_assert_int(mdb_env_create(&env), ==, 0);
  munit_assert_int(mdb_env_set_mapsize(env, 16 << 20), ==, 0);
  if (mdb_env_open(env, f->path, MDB_NOSUBDIR | MDB_NOLOCK | MDB_RDONLY, 0600) == 0) {
    munit_assert_int(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), ==, 0);
    munit_assert_int(mdb_dbi_open(txn, NULL, 0, &dbi), ==, 0);
    for (tree = 0; tree < 2; tree++) {
      munit_assert_int(mdb_cursor_open(txn, tree, &cursor), ==, 0);
      while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0)
        if (value.mv_size) *last = ((char *)value.mv_data)[0] ^ ((char *)value.mv_data)[value.mv_size - 1];
      mdb_cursor_close(cursor);
    }
    mdb_txn_abort(txn);
  }
  mdb_env_close(env);
}

static const char *const pages_words[] = {
  "names a size of pages that there is not", "has the number of another transaction", "has trees of another kind",
  "says that there are more pages than there can be", "is outside the store", "is used twice",
  "has the number of another", "has another kind than its use requires", "has bounds that cannot be", "has too few nodes",
  "has a node outside of it", "has nodes that do not lie side by side", "has two nodes in one place",
  "has a list of free pages that is longer than its room", "has a list of free pages that is not in order", "has a node of another kind",
  "begins a run that is too short for its content, or ends behind the end of the file", "has a key that cannot be", "has keys that are not in order", "has a tree that is too deep", "does not say how many pages and records there are",
  "names another size of pages than the first",
};
static unsigned long pages_said[sizeof pages_words / sizeof pages_words[0]];

/* Returns whether the check refuses the file. A file that it accepts is walked by LMDB. */
static int pages_look(pages_file *f)
{
  char why[256] = "";
  int rc = svc_lmdb_pages(f->fd, 0, UINT64_MAX, why, sizeof why);
  size_t i;
  if (rc == 0) {
    f->accepted++;
    pages_walk_all(f);
    return rc;
  }
  f->refused++;
  munit_assert_int(rc, ==, MDB_CORRUPTED);
  munit_assert_int(strncmp(why, "page ", 5), ==, 0);
  for (i = 0; i < sizeof pages_words / sizeof pages_words[0]; i++) {
    size_t n = strlen(why), w = strlen(pages_words[i]);
    pages_said[i] += n > w && strcmp(why + n - w, pages_words[i]) == 0;
  }
  return rc;
}

static bool pages_set(pages_file *f, size_t at, size_t width, uint64_t value)
{
  bool good = true;
  if (memcmp(f->bytes + at, &value, width) == 0) return good;
  munit_assert_size((size_t)pwrite(f->fd, &value, width, (off_t)at), ==, width);
  good = pages_look(f) == 0;
  munit_assert_size((size_t)pwrite(f->fd, f->bytes + at, width, (off_t)at), ==, width);
  return good;
}

/* Sets a number of this size to edge values. */
static void pages_number(pages_file *f, size_t at, size_t width)
{
  static const uint64_t edges[] = { 0, 1, 2, 16, 17, 18, 512, 4096, 0x8000, UINT64_MAX };
  uint64_t is = 0;
  size_t i;
  if (at + width > f->size) return;
  memcpy(&is, f->bytes + at, width);
  for (i = 0; i < sizeof edges / sizeof edges[0]; i++) pages_set(f, at, width, edges[i]);
  pages_set(f, at, width, is + 1);
  pages_set(f, at, width, is - 1);
  pages_set(f, at, width, is + 2);
  pages_set(f, at, width, is - 2);
  if (width == 8) {
    pages_set(f, at, width, f->pages - 1);
    pages_set(f, at, width, f->pages);
    pages_set(f, at, width, f->pages + 1000);
    pages_set(f, at, width, is | (uint64_t)1 << 45);
  }
}

static unsigned pages_at(const pages_file *f, size_t at)
{
  uint16_t v;
  memcpy(&v, f->bytes + at, sizeof v);
  return v;
}

/* The header of a node, the start of its key, and that of its value. */
static void pages_one_node(pages_file *f, size_t page, unsigned i)
{
  size_t node = page * f->page + pages_at(f, page * f->page + 16 + 2 * i), value = node + 8 + pages_at(f, node + 6);
  pages_number(f, node, 4);
  pages_number(f, node + 4, 2);
  pages_number(f, node + 6, 2);
  pages_number(f, node + 8, 8);
  pages_number(f, value, 8);
  pages_number(f, value + 8, 8);
}

static void pages_one_page(pages_file *f, size_t page)
{
  size_t at = page * f->page, i;
  unsigned flags = pages_at(f, at + 10), nodes = pages_at(f, at + 12) < 16 ? 0 : (pages_at(f, at + 12) - 16u) / 2;
  if (pages_set(f, at, 8, page + 1)) return; /* the check accepts any value: the page is free */
  pages_number(f, at, 8);
  for (i = 10; i < 16; i += 2) pages_number(f, at + i, 2);
  if (flags == 4) {
    for (i = 16; i < 40; i += 8) pages_number(f, at + i, 8);
    return;
  }
  if (!(flags & 3) || nodes > f->page / 8) return;
  for (i = 0; i < nodes; i++)
    if (i < 2 || i + 2 > nodes) {
      pages_number(f, at + 16 + 2 * i, 2);
      pages_one_node(f, page, (unsigned)i);
    }
}

TEST(pages, numbers)
{
  static pages_file f;
  size_t i, leaves = 0;
  SKIP_IF(sizeof(size_t) != 8 || !T_ON_LMDB);
  pages_open(&f);
  munit_assert_int(pages_look(&f), ==, 0);
  for (i = 8; i < PAGES_META_BYTES; i += 2) {
    pages_number(&f, i, 2);
    pages_number(&f, f.page + i, 2);
  }
  for (i = 16; i + 8 <= PAGES_META_BYTES; i += 8) {
    pages_number(&f, i, 8);
    pages_number(&f, f.page + i, 8);
  }
  for (i = 2; i < f.pages; i++) {
    unsigned flags = pages_at(&f, i * f.page + 10);
    if (flags == 2 && ++leaves % 5) continue;
    pages_one_page(&f, i);
  }
  munit_assert_int(pages_look(&f), ==, 0);
  fprintf(stderr, "pages: %lu files refused, %lu walked\n", f.refused, f.accepted);
  for (i = 0; i < sizeof pages_words / sizeof pages_words[0]; i++)
    if (!pages_said[i]) munit_errorf("no file was refused because a page %s", pages_words[i]);
  pages_close(&f);
}

/* ---------------------------------------------------------------------------------------------- several numbers at once */

static void pages_write(pages_file *f, size_t at, size_t width, uint64_t value)
{
  munit_assert_size((size_t)pwrite(f->fd, &value, width, (off_t)at), ==, width);
}

/* Expects the file to be refused with these words, and the restored file to be accepted. */
static void pages_refused(pages_file *f, const char *words)
{
  char why[256] = "";
  munit_assert_int(svc_lmdb_pages(f->fd, 0, UINT64_MAX, why, sizeof why), ==, MDB_CORRUPTED);
  if (!strstr(why, words)) munit_errorf("%s, and not: %s", why, words);
  munit_assert_size((size_t)pwrite(f->fd, f->bytes, f->size, 0), ==, f->size);
  munit_assert_int(ftruncate(f->fd, (off_t)f->size), ==, 0);
  munit_assert_int(svc_lmdb_pages(f->fd, 0, UINT64_MAX, why, sizeof why), ==, 0);
}

/* Returns the position of a node of the leaf in the file. */
static size_t pages_node(const pages_file *f, size_t leaf, unsigned i)
{
  return leaf + pages_at(f, leaf + 16 + 2 * i);
}

/* Returns the position of a used page of this type: an overflow run, or a leaf with its values inline, of records or of free pages. */
static size_t pages_used(pages_file *f, unsigned flags, bool records)
{
  size_t i;
  for (i = 2; i < f->pages; i++) {
    size_t at = i * f->page, node;
    if (pages_at(f, at + 10) != flags || pages_set(f, at, 8, i + 1)) continue;
    if (flags == 4) return at;
    node = pages_node(f, at, 0);
    if (pages_at(f, at + 12) >= 16 + 2 * 3 && pages_at(f, node + 4) == 0 && (f->bytes[node + 8] == 'e') == records) return at;
  }
  munit_error("no such page");
}

/* Makes one node in a leaf larger than LMDB ever does. */
static void pages_large_node(pages_file *f)
{
  size_t leaf = pages_used(f, 2, true), node = pages_node(f, leaf, 0), upper = f->page - 3000, key = pages_at(f, node + 6);
  pages_write(f, leaf + 12, 2, 16 + 2);
  pages_write(f, leaf + 14, 2, upper);
  pages_write(f, leaf + 16, 2, upper);
  pages_write(f, leaf + upper, 4, 3000 - 8 - key);
  pages_write(f, leaf + upper + 4, 2, 0);
  pages_write(f, leaf + upper + 6, 2, key);
  munit_assert_size((size_t)pwrite(f->fd, f->bytes + node + 8, key, (off_t)(leaf + upper + 8)), ==, key);
  pages_refused(f, "has a node that is too large for a page");
}

/* Makes the last four bytes of a page a node, adjacent to the others: too few bytes for its header. */
static void pages_small_node(pages_file *f)
{
  size_t leaf = pages_used(f, 2, true), offset, second = f->page, last = 0, least = 0;
  unsigned n = (pages_at(f, leaf + 12) - 16u) / 2, upper = pages_at(f, leaf + 14), i;
  for (i = 0; i < n; i++) {
    offset = pages_at(f, leaf + 16 + 2 * i);
    if (offset == upper) least = i;
    else if (offset < second) second = offset;
    if (offset > last) last = offset;
  }
  pages_write(f, leaf + 14, 2, second);
  pages_write(f, leaf + 16 + 2 * least, 2, f->page - 4);
  pages_write(f, leaf + last, 4, pages_at(f, leaf + last) - 4u);
  pages_refused(f, "has nodes that do not lie side by side");
}

TEST(pages, crafted)
{
  static pages_file f;
  size_t at;
  SKIP_IF(sizeof(size_t) != 8 || !T_ON_LMDB);
  pages_open(&f);
  pages_large_node(&f);
  pages_small_node(&f);
  at = pages_node(&f, pages_used(&f, 2, false), 0); /* a list of free pages that ends within a number */
  pages_write(&f, at, 4, pages_at(&f, at) - 1u);
  pages_refused(&f, "has a list of free pages that is longer than its room");
  at = pages_used(&f, 4, true); /* the file is longer than the store, and so is the run of one value */
  munit_assert_int(ftruncate(f.fd, (off_t)(4 * f.size)), ==, 0);
  munit_assert_int(pages_look(&f), ==, 0);
  pages_write(&f, at + 12, 4, 2 * f.pages);
  pages_refused(&f, "is outside the store");
  pages_close(&f);
}

/* The file is cut off at many places, also within a page, until it is empty. */
TEST(pages, cut)
{
  static pages_file f;
  char why[256];
  size_t n;
  SKIP_IF(!T_ON_LMDB);
  pages_open(&f);
  for (n = f.size; n > 2 * f.page; n -= n > f.page * 12 ? f.page * 7 + 1 : f.page / 2) {
    munit_assert_int(ftruncate(f.fd, (off_t)n), ==, 0);
    pages_look(&f);
  }
  munit_assert_ulong(f.refused, >, 5);
  munit_assert_int(svc_lmdb_pages(f.fd, 0, UINT64_MAX, why, sizeof why), ==, MDB_CORRUPTED);
  munit_assert_not_null(strstr(why, " is not in the file"));
  munit_assert_int(ftruncate(f.fd, (off_t)f.page), ==, 0); /* a single meta page: LMDB itself reports that */
  munit_assert_int(svc_lmdb_pages(f.fd, 0, UINT64_MAX, why, sizeof why), ==, 0);
  munit_assert_int(ftruncate(f.fd, 100), ==, 0);
  munit_assert_int(svc_lmdb_pages(f.fd, 0, UINT64_MAX, why, sizeof why), ==, 0);
  munit_assert_int(ftruncate(f.fd, 0), ==, 0);
  munit_assert_int(svc_lmdb_pages(f.fd, 0, UINT64_MAX, why, sizeof why), ==, MDB_CORRUPTED);
  munit_assert_string_equal(why, "page 0 is not in the file, which is empty");
  pages_close(&f);
}

/* The pages of one transaction; a large file; a disk that fails; and out of memory. */
TEST(pages, asked)
{
  static const struct { enum t_call call; int error; } faults[] = { { T_CALL_STAT, EIO }, { T_CALL_READ, EIO }, { T_CALL_MAP, ENOMEM }, { T_CALL_MEMORY, ENOMEM } };
  static pages_file f;
  char why[256] = "";
  uint64_t txns[2], last;
  size_t i;
  long at;
  SKIP_IF(sizeof(size_t) != 8 || !T_ON_LMDB);
  pages_open(&f);
  for (i = 0; i < 2; i++) memcpy(&txns[i], f.bytes + i * f.page + PAGES_META_BYTES - 8, sizeof txns[i]);
  last = txns[0] > txns[1] ? txns[0] : txns[1];
  munit_assert_int(svc_lmdb_pages(f.fd, last, UINT64_MAX, why, sizeof why), ==, 0);
  munit_assert_int(svc_lmdb_pages(f.fd, last + 2, UINT64_MAX, why, sizeof why), ==, MDB_BAD_TXN);
  for (i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    for (at = 1;; at++) {
      int rc;
      t_fault(faults[i].call, at, faults[i].error, false);
      rc = svc_lmdb_pages(f.fd, 0, UINT64_MAX, why, sizeof why);
      if (t_fault_end() == 0) break;
      munit_assert_int(rc, ==, faults[i].error);
    }
    munit_assert_long(at, >, 1);
  }
  /* all pages get another type */
  for (i = 2; i < f.pages; i++) munit_assert_size((size_t)pwrite(f.fd, "", 1, (off_t)(i * f.page + 10)), ==, 1);
  munit_assert_int(svc_lmdb_pages(f.fd, 0, UINT64_MAX, why, sizeof why), ==, MDB_CORRUPTED);
  munit_assert_int(svc_lmdb_pages(f.fd, 0, f.size - 1, why, sizeof why), ==, 0); /* too large to be walked */
  munit_assert_int(ftruncate(f.fd, (off_t)(f.size / 2)), ==, 0);
  munit_assert_int(svc_lmdb_pages(f.fd, 0, 1, why, sizeof why), ==, MDB_CORRUPTED); /* but a missing part is still found */
  pages_close(&f);
}

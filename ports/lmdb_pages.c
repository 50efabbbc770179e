/*
** The pages of LMDB's file, checked before LMDB trusts them.
**
** LMDB uses the offsets, lengths and page numbers in a page as addresses: if a bad disk has changed them,
** the process crashes. So the file is walked here, from the roots of both trees (the free pages, the records), with a
** separate read-only map. The rule: every value from which LMDB computes an address is first compared with the bounds of the page or of the
** file, and nothing is read without that comparison.
**
** The format is that of LMDB 0.9, in the byte order and the word (size_t) of the machine. A file of another byte order or word is not
** damaged, so it is refused with SVC_LMDB_FOREIGN and the way out; a file of any other format is left to LMDB, which refuses it.
**
**   page      word number | 2 pad | 2 flags | 2 lower | 2 upper | 2 offset of each node, up to lower ... | nodes, from upper to the end
**   overflow  word number | 2 pad | 2 flags | 4 pages of the run | bytes, on through all of these pages
**   node      4 size of the value; in a branch: number of the page, its top in the flags | 2 flags | 2 size of the key | key | value
**   meta      on the pages 0 and 1, behind the head of a page: struct pages_meta; that of the greater transaction is the valid one
**
** A successful walk has proved: every reachable page is in the file, has the expected type, and is reached once;
** its nodes lie in it, side by side, without a gap; all keys are in order, over all pages; all leaves have the same depth; the
** numbers that LMDB keeps of a tree are right; the lists of free pages are in order, and name no page that is in use, or twice. The
** contents of a value are checked by the part that wrote it.
*/
#include "ports/ports.h"

#include <lmdb.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGES_MAGIC 0xBEEFC0DEu
#define PAGES_VERSION 1
#define PAGES_HEAD (sizeof(size_t) + 8)
#define PAGES_NODE 8
#define PAGES_DEPTH 32
#define PAGES_MOST_SIZE 32768
#define PAGES_NUMBER_BITS 44 /* of a transaction: see store_port.h */
#define PAGES_BEYOND ((size_t)1 << 20)   /* pages at the end of a store that were allocated and freed, but never written */
#ifdef MAP_POPULATE /* the whole file is read: once in order, instead of a page fault for each page */
#define PAGES_AT_ONCE MAP_POPULATE
#else
#define PAGES_AT_ONCE 0
#endif
enum { PAGES_BRANCH = 1, PAGES_LEAF = 2, PAGES_OVERFLOW = 4, PAGES_META = 8 };
enum { PAGES_BIG = 1 };                                /* of a node: its value is on separate pages */
enum { PAGES_INTEGER_KEY = 0x08, PAGES_NO_FOLDER = 0x4000 }; /* of the tree of free pages; the second says how the file was made */

typedef struct pages_tree {
  uint32_t pad; /* of the first tree: the size of a page */
  uint16_t flags, depth;
  size_t branches, leaves, overflows, entries, root; /* root: all ones if the tree is empty */
} pages_tree;

typedef struct pages_meta {
  uint32_t magic, version;
  void *address;
  size_t map_size;
  pages_tree trees[2]; /* the free pages, the records */
  size_t last, txn;
} pages_meta;

typedef struct pages {
  pages_meta meta;
  const unsigned char *map;
  size_t bytes, size, in_file; /* of the map; of a page; number of complete pages in the file */
  unsigned char *seen;         /* a bit per page */
  size_t beyond;               /* free pages behind the end of the file */
  pages_tree found;            /* of the tree being walked: its numbers so far */
  bool records;                /* the tree of the records */
  const unsigned char *key;    /* the previous key, and whether the next may equal it */
  size_t key_size;
  bool key_may_be;
  uint32_t starts[PAGES_MOST_SIZE / 64]; /* a bit for each two bytes of a page: the start of a node */
  char *why;
  size_t why_size;
} pages;

typedef struct pages_node {
  const unsigned char *key, *value;
  size_t key_size, value_size;
  uint64_t all; /* bytes that it takes of its page, by its own account */
  size_t child;
  unsigned flags;
} pages_node;

static bool pages_bad(pages *p, size_t page, const char *what)
{
  snprintf(p->why, p->why_size, "page %llu %s", (unsigned long long)page, what);
  return false;
}

static unsigned pages_16(const unsigned char *at)
{
  uint16_t v;
  memcpy(&v, at, sizeof v);
  return v;
}

static size_t pages_32(const unsigned char *at)
{
  uint32_t v;
  memcpy(&v, at, sizeof v);
  return v;
}

static size_t pages_word(const unsigned char *at)
{
  size_t v;
  memcpy(&v, at, sizeof v);
  return v;
}

/* ----------------------------------------------------------------------------------------------------------------- metas */

/* 1: a meta of this format. 0: LMDB will report what is wrong. Negative: unreadable. */
static int pages_read_meta(int fd, off_t at, pages_meta *out)
{
  unsigned char head[PAGES_HEAD + sizeof *out];
  ssize_t n = pread(fd, head, sizeof head, at);
  if (n < 0) return -1;
  if ((size_t)n != sizeof head) return 0;
  memcpy(out, head + PAGES_HEAD, sizeof *out);
  return out->magic == PAGES_MAGIC && out->version == PAGES_VERSION && (pages_16(head + sizeof(size_t) + 2) & PAGES_META);
}

/* Whether another machine's LMDB wrote the file: the magic and the version stand behind the head of the first page, whose size is that of
** a word and 8. In a file of this machine the magic of another one cannot stand there: those bytes are the head's, and zero. */
static bool pages_foreign(pages *p, int fd)
{
  static const unsigned char marks[2][8] = { { 0xDE, 0xC0, 0xEF, 0xBE, PAGES_VERSION, 0, 0, 0 },
                                             { 0xBE, 0xEF, 0xC0, 0xDE, 0, 0, 0, PAGES_VERSION } };
  static const char *const orders[2] = { "little-endian", "big-endian" };
  const uint32_t one = 1;
  const size_t ours = *(const unsigned char *)&one == 1 ? 0 : 1;
  unsigned char head[24];
  size_t word, order;
  if (pread(fd, head, sizeof head, 0) != (ssize_t)sizeof head) return false;
  for (word = 4; word <= 8; word += 4)
    for (order = 0; order < 2; order++) {
      if (memcmp(head + word + 8, marks[order], sizeof marks[order]) != 0) continue;
      if (word == sizeof(size_t) && order == ours) return false;
      snprintf(p->why, p->why_size, "a machine with %zu bits, %s, wrote this store, and this build has %zu bits, %s: take the store over by "
               "svcd export there and svcd import here%s", word * 8, orders[order], sizeof(size_t) * 8, orders[ours],
               order == ours ? ", or by svc_snapshot_save() and svc_snapshot_load()" : "");
      return true;
    }
  return false;
}

static bool pages_meta_good(pages *p, size_t at)
{
  const pages_meta *m = &p->meta;
  if (m->trees[0].pad != p->size) return pages_bad(p, at, "names another size of pages than the first");
  if ((uint64_t)m->txn >> PAGES_NUMBER_BITS || (m->txn & 1) != at) return pages_bad(p, at, "has the number of another transaction");
  if ((m->trees[0].flags & ~PAGES_NO_FOLDER) != PAGES_INTEGER_KEY || m->trees[1].flags) return pages_bad(p, at, "has trees of another kind");
  if (m->last < 1 || m->last >= p->in_file + PAGES_BEYOND || m->last >= SIZE_MAX / p->size)
    return pages_bad(p, at, "says that there are more pages than there can be");
  return true;
}

/* Finds the valid meta, or that of one transaction (not 0), and fills in meta, size, bytes and in_file. Returns an error of LMDB; 0 with
** in_file 0: another format, which is left to LMDB. */
static int pages_metas(pages *p, int fd, size_t txn)
{
  struct stat file;
  pages_meta metas[2];
  size_t at;
  int there;
  memset(metas, 0, sizeof metas);
  there = fstat(fd, &file) == 0 ? pages_read_meta(fd, 0, &metas[0]) : -1;
  if (there < 0) return errno;
  if (file.st_size == 0) { /* LMDB would initialize it as a new file */
    pages_bad(p, 0, "is not in the file, which is empty");
    return MDB_CORRUPTED;
  }
  if (!there) return pages_foreign(p, fd) ? SVC_LMDB_FOREIGN : 0;
  p->size = metas[0].trees[0].pad;
  if (p->size < 512 || p->size > PAGES_MOST_SIZE || (p->size & (p->size - 1))) {
    pages_bad(p, 0, "names a size of pages that there is not");
    return MDB_CORRUPTED;
  }
  there = pages_read_meta(fd, (off_t)p->size, &metas[1]);
  if (there <= 0) return there ? errno : 0;
  if ((uint64_t)file.st_size > SIZE_MAX / 2) return EFBIG;
  p->bytes = (size_t)file.st_size;
  p->in_file = p->bytes / p->size;
  at = txn ? txn & 1 : metas[0].txn < metas[1].txn;
  p->meta = metas[at];
  if (txn && p->meta.txn != txn) return MDB_BAD_TXN;
  return pages_meta_good(p, at) ? MDB_SUCCESS : MDB_CORRUPTED;
}

/* ----------------------------------------------------------------------------------------------------------------- pages */

/* Marks pages as used. Returns false if one is used already, or is outside the store. */
static bool pages_take(pages *p, size_t first, size_t n)
{
  size_t i;
  if (first < 2 || n > p->meta.last || first > p->meta.last + 1 - n) return pages_bad(p, first, "is outside the store");
  for (i = first; i < first + n; i++) {
    unsigned char bit = (unsigned char)(1u << (i & 7));
    if (p->seen[i >> 3] & bit) return pages_bad(p, i, "is used twice");
    p->seen[i >> 3] |= bit;
  }
  return true;
}

/* Returns a page with the expected head; the caller marks it as used. NULL: the page is damaged. */
static const unsigned char *pages_get(pages *p, size_t page, unsigned flags)
{
  const unsigned char *at;
  if (page >= p->in_file) return pages_bad(p, page, page > p->meta.last ? "is outside the store" : "is not in the file"), NULL;
  at = p->map + page * p->size;
  if (pages_word(at) != page) return pages_bad(p, page, "has the number of another"), NULL;
  if (pages_16(at + sizeof(size_t) + 2) != flags) return pages_bad(p, page, "has another kind than its use requires"), NULL;
  return at;
}

/* Whether a key may follow the previous one: it is greater, or equal where that is allowed. may_be: the next key may equal this one. LMDB
** compares the keys of free pages as numbers. */
static bool pages_key_follows(pages *p, const unsigned char *key, size_t n, bool may_be)
{
  int order;
  if (!p->key) {
    order = 1;
  } else if (!p->records) {
    size_t a = pages_word(key), b = pages_word(p->key);
    order = (a > b) - (a < b);
  } else {
    order = memcmp(key, p->key, n < p->key_size ? n : p->key_size);
    if (order == 0) order = (n > p->key_size) - (n < p->key_size);
  }
  if (order < 0 || (order == 0 && !p->key_may_be)) return false;
  p->key = key;
  p->key_size = n;
  p->key_may_be = may_be;
  return true;
}

/* Reads the node at this position. */
static void pages_node_read(const unsigned char *at, bool branch, pages_node *out)
{
  out->flags = pages_16(at + 4);
  out->key_size = pages_16(at + 6);
  out->key = at + PAGES_NODE;
  out->value = out->key + out->key_size;
  out->child = pages_32(at);
  if (sizeof(size_t) > 4) out->child |= (size_t)((uint64_t)out->flags << 32);
  out->value_size = branch ? 0 : pages_32(at);
  out->all = !branch && (out->flags & PAGES_BIG) ? sizeof(size_t) : out->value_size;
  out->all = (PAGES_NODE + out->key_size + out->all + 1) & ~(uint64_t)1;
}

/* Checks that the nodes fill the page from upper to its end, each once; then all of them can be read. An odd upper is refused: nodes begin
** at even bytes, and no bit is set for a byte before upper. */
static bool pages_nodes(pages *p, size_t page, const unsigned char *at, bool branch, unsigned *count)
{
  unsigned lower = pages_16(at + sizeof(size_t) + 4), upper = pages_16(at + sizeof(size_t) + 6), n, i;
  pages_node node;
  size_t offset;
  if (lower < PAGES_HEAD || (lower & 1) || lower > upper || upper > p->size) return pages_bad(p, page, "has bounds that cannot be");
  n = (lower - (unsigned)PAGES_HEAD) / 2;
  if (n < (branch && p->records ? 2u : 1u)) return pages_bad(p, page, "has too few nodes");
  memset(p->starts, 0, p->size / 16);
  for (i = 0; i < n; i++) {
    offset = pages_16(at + PAGES_HEAD + 2 * i);
    if (offset < upper || offset >= p->size || (offset & 1)) return pages_bad(p, page, "has a node outside of it");
    p->starts[offset >> 6] |= 1u << (offset >> 1 & 31);
  }
  for (i = 0, offset = upper; offset < p->size; i++, offset += (size_t)node.all) {
    node.all = UINT64_MAX;
    if ((p->starts[offset >> 6] & 1u << (offset >> 1 & 31)) && offset <= p->size - PAGES_NODE)
      pages_node_read(at + offset, branch, &node);
    if (node.all > p->size - offset) return pages_bad(p, page, "has nodes that do not lie side by side");
  }
  if (i != n) return pages_bad(p, page, "has two nodes in one place");
  *count = n;
  return true;
}

/* Checks a list of free pages, which begins with its length. LMDB reuses these pages, and merges lists, so they must be sorted. */
static bool pages_free_list(pages *p, size_t page, const unsigned char *list, size_t size)
{
  size_t n = size >= sizeof(size_t) ? pages_word(list) : SIZE_MAX, before = SIZE_MAX, i;
  if (size % sizeof(size_t) || n >= size / sizeof(size_t))
    return pages_bad(p, page, "has a list of free pages that is longer than its room");
  for (i = 1; i <= n; i++) {
    size_t one = pages_word(list + i * sizeof(size_t));
    if (one >= before) return pages_bad(p, page, "has a list of free pages that is not in order");
    if (!pages_take(p, one, 1)) return false;
    p->beyond += one >= p->in_file;
    before = one;
  }
  return true;
}

/* Checks a node of a leaf. A value that is too large for a page has its own run of pages, which may be longer than needed. */
static bool pages_leaf_node(pages *p, size_t page, const pages_node *node)
{
  const unsigned char *value = node->value, *run;
  size_t first, n;
  if (node->flags & ~(unsigned)PAGES_BIG) return pages_bad(p, page, "has a node of another kind");
  if (node->flags & PAGES_BIG) {
    first = pages_word(value);
    run = pages_get(p, first, PAGES_OVERFLOW);
    if (!run) return false;
    n = pages_32(run + sizeof(size_t) + 4);
    if (n > p->in_file - first || n < (PAGES_HEAD - 1 + node->value_size) / p->size + 1)
      return pages_bad(p, first, "begins a run that is too short for its content, or ends behind the end of the file");
    if (!pages_take(p, first, n)) return false;
    p->found.overflows += n;
    value = run + PAGES_HEAD;
  } else if (node->all > (((p->size - PAGES_HEAD) / 2) & ~(size_t)1) - 2) {
    return pages_bad(p, page, "has a node that is too large for a page");
  }
  p->found.entries++;
  return p->records || pages_free_list(p, page, value, node->value_size);
}

static bool pages_key_good(const pages *p, const pages_node *node)
{
  if (p->records) return node->key_size >= 1 && node->key_size <= SVC_KEY_MOST;
  return node->key_size == sizeof(size_t) && pages_word(node->key) - 1 < p->meta.txn;
}

static bool pages_leaf(pages *p, size_t page, const unsigned char *at)
{
  pages_node node;
  unsigned n, i;
  if (!pages_nodes(p, page, at, false, &n)) return false;
  p->found.leaves++;
  for (i = 0; i < n; i++) {
    pages_node_read(at + pages_16(at + PAGES_HEAD + 2 * i), false, &node);
    if (!pages_key_good(p, &node)) return pages_bad(p, page, "has a key that cannot be");
    if (!pages_key_follows(p, node.key, node.key_size, false)) return pages_bad(p, page, "has keys that are not in order");
    if (!pages_leaf_node(p, page, &node)) return false;
  }
  return true;
}

/* Checks a page and all below it; `depth` levels down to the leaves. The key of a branch's first node is ignored, also by LMDB. */
static bool pages_walk(pages *p, size_t page, unsigned depth)
{
  const unsigned char *at = pages_get(p, page, depth > 1 ? PAGES_BRANCH : PAGES_LEAF);
  pages_node node;
  unsigned n, i;
  if (!at || !pages_take(p, page, 1)) return false;
  if (depth == 1) return pages_leaf(p, page, at);
  if (!pages_nodes(p, page, at, true, &n)) return false;
  p->found.branches++;
  for (i = 0; i < n; i++) {
    pages_node_read(at + pages_16(at + PAGES_HEAD + 2 * i), true, &node);
    if (i && !pages_key_good(p, &node)) return pages_bad(p, page, "has a key that cannot be");
    if (i && !pages_key_follows(p, node.key, node.key_size, true)) return pages_bad(p, page, "has keys that are not in order");
    if (!pages_walk(p, node.child, depth - 1)) return false;
  }
  return true;
}

static bool pages_tree_good(pages *p, size_t at, bool records)
{
  const pages_tree *t = &p->meta.trees[records];
  bool empty = t->root == SIZE_MAX;
  memset(&p->found, 0, sizeof p->found);
  p->records = records;
  p->key = NULL;
  if (empty ? t->depth != 0 : t->depth < 1 || t->depth > PAGES_DEPTH) return pages_bad(p, at, "has a tree that is too deep");
  if (!empty && !pages_walk(p, t->root, t->depth)) return false;
  if (t->branches == p->found.branches && t->leaves == p->found.leaves && t->overflows == p->found.overflows &&
      t->entries == p->found.entries)
    return true;
  return pages_bad(p, at, "does not say how many pages and records there are");
}

static int pages_all(pages *p)
{
  size_t at = p->meta.txn & 1, missing = p->meta.last + 1 > p->in_file ? p->meta.last + 1 - p->in_file : 0;
  if (!pages_tree_good(p, at, true) || !pages_tree_good(p, at, false)) return MDB_CORRUPTED;
  if (p->beyond == missing) return MDB_SUCCESS;
  pages_bad(p, p->in_file, "and those behind it are not in the file, and are not free");
  return MDB_CORRUPTED;
}

/*
** Checks all pages that a transaction sees; txn 0: the last transaction. fd: the file, which must not be truncated meanwhile. A file of
** more than `most` bytes is not walked, unless a part of it is missing: only its metas are checked. Returns 0 or an error of LMDB; why: the
** page and what is wrong with it. MDB_BAD_TXN: the meta of that transaction has been overwritten.
*/
SVC_PRIVATE int svc_lmdb_pages(int fd, uint64_t txn, uint64_t most, char *why, size_t why_size)
{
  pages *p = calloc(1, sizeof *p);
  void *map = MAP_FAILED;
  int rc;
  if (!p) return ENOMEM;
  p->why = why;
  p->why_size = why_size;
  rc = pages_metas(p, fd, (size_t)txn);
  if (rc || !p->in_file || (p->bytes > most && p->meta.last < p->in_file)) goto out;
  p->seen = calloc(1, p->meta.last / 8 + 1);
  map = p->seen ? mmap(NULL, p->bytes, PROT_READ, MAP_SHARED | PAGES_AT_ONCE, fd, 0) : MAP_FAILED;
  rc = map != MAP_FAILED ? MDB_SUCCESS : p->seen ? errno : ENOMEM;
  p->map = map;
  if (!rc) rc = pages_all(p);
out:
  if (map != MAP_FAILED) munmap(map, p->bytes);
  free(p->seen);
  free(p);
  return rc;
}

/*
** The store port in memory, for platforms without mmap (WebAssembly) and for tests: nothing is written to a disk.
**
** Records are in a B+ tree. A write transaction copies each node that it changes, once, and commits by replacing the root.
** A read transaction therefore keeps the tree of its beginning and never waits for a writer. Nodes and records have reference counts,
** and the last owner frees them. Keeping a root keeps the whole store at that moment: snapshots cost next to nothing.
**
** The rule: a node that another transaction can see never changes, and a record never changes at all. `owner` is the transaction that made
** a node: only that one may write to it. Records that a writer removes are kept until its transaction ends, since its caller may still use
** them.
**
** `map_limit` bounds the bytes of the last committed tree. Older trees that readers or snapshots hold are not counted.
**
** Transactions have the same numbers as on LMDB, so ETags are the same on both: a transaction that changes nothing has no number.
**
** The file uses only types of the library, and can be compiled separately, or folded into svcapi.c.
*/
#include "ports/store_port.h"

#ifndef __wasm__
#include <sched.h>
#endif

#define MEMORY_ORDER 32 /* entries of a node */
#define MEMORY_FEW (MEMORY_ORDER / 4)       /* a node with fewer entries is merged with a neighbour, */
#define MEMORY_MERGED (MEMORY_ORDER * 3 / 4) /* if both together have at most these */
#define MEMORY_READERS 8 /* preallocated; there may be more */
#define MEMORY_DEPTH 20 /* levels of a tree: a node is split only when it is full, so no tree is deeper */

typedef struct memory_record memory_record;
struct memory_record {
  atomic_uint references;
  uint32_t key_size, value_size;
  char bytes[]; /* the key, then the value */
};

/* Entry i of a leaf is the record keys[i]. Entry i of an inner node is children[i], whose keys are not less than keys[i];
** keys[0] is NULL. */
typedef struct memory_node memory_node;
struct memory_node {
  atomic_uint references;
  unsigned short count;
  bool leaf;
  uint64_t owner;
  memory_record *keys[MEMORY_ORDER];
  memory_node *children[]; /* of an inner node: MEMORY_ORDER of them */
};

typedef struct memory_tree {
  memory_node *root; /* NULL: no records */
  uint64_t bytes;   /* bytes of memory */
  uint64_t content; /* of its keys and values */
  uint64_t records;
} memory_tree;

/* A tree that is kept, possibly longer than the store. */
typedef struct memory_held {
  svc_allocator allocator;
  memory_tree tree;
} memory_held;

typedef struct memory_store memory_store;
typedef struct memory_txn memory_txn;
typedef struct memory_root memory_root;
struct memory_root { /* set aside by a writer */
  memory_root *next;
  memory_node *node;
};

struct memory_txn {
  svc_txn head; /* must be first: the struct is cast back */
  memory_store *store;
  memory_tree tree;
  uint64_t state;       /* of a reader: number of the last commit that it sees */
  uint64_t owner;       /* of a writer: marks its nodes */
  uint64_t least;       /* of a writer: numbers continue from here; 0: unchanged */
  uint64_t begun_bytes; /* of a writer: bytes of the tree that it began with */
  bool brought;         /* of a writer: a kept tree was restored */
  memory_record **removed; /* of a writer: removed records; a record that was restored in between may be listed twice */
  size_t removed_count, removed_room;
  memory_root *aside;
  memory_txn *next; /* list of unused readers */
  bool spare;       /* of a reader: preallocated by the store */
  const memory_held *held; /* of a reader: the kept tree that it reads, if it is not the store's */
};

struct memory_store {
  svc_allocator allocator;
  atomic_flag lock; /* protects tree, number and readers; held for a few instructions */
  memory_tree tree;
  uint64_t number;  /* of the last commit */
  uint64_t owners;  /* the latest `owner` */
  uint64_t limit;
  bool beyond; /* work that frees may exceed the limit */
  bool outgrown; /* the last writer exceeded the limit */
  memory_txn *readers; /* unused spare readers */
  memory_txn writer, spare[MEMORY_READERS];
};

typedef struct memory_cursor {
  memory_node *nodes[MEMORY_DEPTH];
  unsigned at[MEMORY_DEPTH];
  unsigned depth; /* 0: no position */
} memory_cursor;

/* --------------------------------------------------------------------------------------------------------------- memory */

static void *memory_default_resize(void *context, void *p, size_t size)
{
  (void)context;
  if (size) return realloc(p, size);
  free(p);
  return NULL;
}

static void *memory_alloc(const svc_allocator *a, size_t size)
{
  return a->resize(a->context, NULL, size);
}

static void memory_free(const svc_allocator *a, void *p)
{
  a->resize(a->context, p, 0);
}

static void memory_lock(memory_store *store)
{
  while (atomic_flag_test_and_set(&store->lock)) {
#ifndef __wasm__
    sched_yield();
#endif
  }
}

static void memory_unlock(memory_store *store)
{
  atomic_flag_clear(&store->lock);
}

/* The size of a node and of a record; the allocator's rounding is unknown. */
static size_t memory_node_size(bool leaf)
{
  return sizeof(memory_node) + (leaf ? 0 : MEMORY_ORDER * sizeof(memory_node *));
}

static size_t memory_record_size(const memory_record *r)
{
  return sizeof *r + r->key_size + r->value_size;
}

static memory_record *memory_record_new(const svc_allocator *a, svc_str key, svc_str value)
{
  memory_record *r = value.n > UINT32_MAX - key.n ? NULL : memory_alloc(a, sizeof *r + key.n + value.n);
  if (!r) return NULL;
  atomic_init(&r->references, 1);
  r->key_size = (uint32_t)key.n;
  r->value_size = (uint32_t)value.n;
  if (key.n) memcpy(r->bytes, key.p, key.n);
  if (value.n) memcpy(r->bytes + key.n, value.p, value.n);
  return r;
}

static void memory_record_release(const svc_allocator *a, memory_record *r)
{
  if (r && atomic_fetch_sub(&r->references, 1) == 1) memory_free(a, r);
}

static void memory_node_release(const svc_allocator *a, memory_node *node)
{
  unsigned i;
  if (!node || atomic_fetch_sub(&node->references, 1) != 1) return;
  for (i = 0; i < node->count; i++) {
    memory_record_release(a, node->keys[i]);
    if (!node->leaf) memory_node_release(a, node->children[i]);
  }
  memory_free(a, node);
}

static memory_node *memory_node_new(memory_txn *t, bool leaf)
{
  memory_node *node = memory_alloc(&t->store->allocator, memory_node_size(leaf));
  if (!node) return NULL;
  memset(node, 0, memory_node_size(leaf));
  atomic_init(&node->references, 1);
  node->leaf = leaf;
  node->owner = t->owner;
  return node;
}

/* Makes the node at *place writable for this transaction. False: out of memory. */
static bool memory_own(memory_txn *t, memory_node **place)
{
  memory_node *node = *place, *own;
  unsigned i;
  if (node->owner == t->owner) return true;
  own = memory_node_new(t, node->leaf);
  if (!own) return false;
  own->count = node->count;
  for (i = 0; i < node->count; i++) {
    own->keys[i] = node->keys[i];
    if (own->keys[i]) atomic_fetch_add(&own->keys[i]->references, 1);
    if (node->leaf) continue;
    own->children[i] = node->children[i];
    atomic_fetch_add(&own->children[i]->references, 1);
  }
  *place = own;
  memory_node_release(&t->store->allocator, node);
  return true;
}

/* Makes room for one more removed record. False: out of memory. */
static bool memory_aside_room(memory_txn *t)
{
  const svc_allocator *a = &t->store->allocator;
  const size_t room = t->removed_room * 2 + MEMORY_ORDER;
  memory_record **more;
  if (t->removed_count < t->removed_room) return true;
  more = a->resize(a->context, t->removed, room * sizeof *more);
  if (!more) return false;
  t->removed = more;
  t->removed_room = room;
  return true;
}

/* The writer's caller may still use the record. */
static void memory_put_aside(memory_txn *t, memory_record *r)
{
  t->removed[t->removed_count++] = r;
}

/* ----------------------------------------------------------------------------------------------------------------- tree */

static svc_str memory_key(const memory_record *r)
{
  return (svc_str){ r->bytes, r->key_size };
}

static svc_str memory_value(const memory_record *r)
{
  return (svc_str){ r->bytes + r->key_size, r->value_size };
}

static int memory_compare(svc_str a, svc_str b)
{
  int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
  return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* The first entry from `first` on whose key is not less than this one, or with `above` is greater. Returns node->count if there is none. */
static unsigned memory_find(const memory_node *node, unsigned first, svc_str key, bool above)
{
  unsigned end = node->count;
  while (first < end) {
    const unsigned middle = (first + end) / 2;
    const int order = memory_compare(memory_key(node->keys[middle]), key);
    if (order < 0 || (above && order == 0)) first = middle + 1;
    else end = middle;
  }
  return first;
}

/* The child of an inner node that has, or would have, the key. */
static unsigned memory_child(const memory_node *node, svc_str key)
{
  return memory_find(node, 1, key, true) - 1;
}

static memory_record *memory_lookup(const memory_tree *tree, svc_str key)
{
  const memory_node *node = tree->root;
  unsigned i;
  if (!node) return NULL;
  while (!node->leaf) node = node->children[memory_child(node, key)];
  i = memory_find(node, 0, key, false);
  return i < node->count && memory_compare(memory_key(node->keys[i]), key) == 0 ? node->keys[i] : NULL;
}

/* Makes room for an entry at i. */
static void memory_open(memory_node *node, unsigned i)
{
  memmove(&node->keys[i + 1], &node->keys[i], (node->count - i) * sizeof node->keys[0]);
  if (!node->leaf) memmove(&node->children[i + 1], &node->children[i], (node->count - i) * sizeof node->children[0]);
  node->count++;
}

/* Removes the entry at i; the caller owns what it referred to. */
static void memory_shut(memory_node *node, unsigned i)
{
  node->count--;
  memmove(&node->keys[i], &node->keys[i + 1], (node->count - i) * sizeof node->keys[0]);
  if (!node->leaf) memmove(&node->children[i], &node->children[i + 1], (node->count - i) * sizeof node->children[0]);
}

/*
** Splits the full child i. Keys often arrive in order: if the new key belongs behind all others, all entries but one stay, so that nodes
** are full and not half empty.
*/
static bool memory_split(memory_txn *t, memory_node *parent, unsigned i, svc_str key)
{
  memory_node *left = parent->children[i], *right = memory_node_new(t, left->leaf);
  const bool last = memory_compare(memory_key(left->keys[left->count - 1]), key) < 0;
  const unsigned stay = last ? left->count - 1 : left->count / 2;
  memory_record *bound = NULL;
  if (right && left->leaf) bound = memory_record_new(&t->store->allocator, memory_key(left->keys[stay]), (svc_str){ NULL, 0 });
  else if (right) bound = left->keys[stay];
  if (!bound) {
    memory_node_release(&t->store->allocator, right);
    return false;
  }
  right->count = (unsigned short)(left->count - stay);
  memcpy(right->keys, &left->keys[stay], right->count * sizeof right->keys[0]);
  if (!left->leaf) {
    memcpy(right->children, &left->children[stay], right->count * sizeof right->children[0]);
    right->keys[0] = NULL; /* now the bound */
  } else {
    t->tree.bytes += memory_record_size(bound);
  }
  left->count = (unsigned short)stay;
  memory_open(parent, i + 1);
  parent->keys[i + 1] = bound;
  parent->children[i + 1] = right;
  t->tree.bytes += memory_node_size(right->leaf);
  return true;
}

/* Makes the root writable, with room for one more entry. */
static bool memory_root_room(memory_txn *t, svc_str key)
{
  memory_tree *tree = &t->tree;
  memory_node *above;
  if (!tree->root) {
    tree->root = memory_node_new(t, true);
    if (tree->root) tree->bytes += memory_node_size(true);
    return tree->root != NULL;
  }
  if (!memory_own(t, &tree->root)) return false;
  if (tree->root->count < MEMORY_ORDER) return true;
  above = memory_node_new(t, false);
  if (!above) return false;
  tree->bytes += memory_node_size(false);
  above->children[0] = tree->root;
  above->count = 1;
  tree->root = above;
  return memory_split(t, above, 0, key);
}

/* The leaf of the key, with room for one more entry. NULL: out of memory. */
static memory_node *memory_leaf_room(memory_txn *t, svc_str key)
{
  memory_node *node;
  if (!memory_root_room(t, key)) return NULL;
  node = t->tree.root;
  while (!node->leaf) {
    unsigned i = memory_child(node, key);
    if (!memory_own(t, &node->children[i])) return NULL;
    if (node->children[i]->count == MEMORY_ORDER) {
      if (!memory_split(t, node, i, key)) return NULL;
      i = memory_child(node, key);
    }
    node = node->children[i];
  }
  return node;
}

static void memory_counted(memory_tree *tree, const memory_record *r, bool added)
{
  const uint64_t size = memory_record_size(r), content = (uint64_t)r->key_size + r->value_size;
  tree->bytes += added ? size : 0 - size;
  tree->content += added ? content : 0 - content;
}

/* Inserts the record and takes over the reference; replaces one with the same key. */
static bool memory_insert(memory_txn *t, memory_record *r)
{
  const svc_str key = memory_key(r);
  memory_node *leaf = memory_aside_room(t) ? memory_leaf_room(t, key) : NULL;
  unsigned i;
  if (!leaf) return false;
  i = memory_find(leaf, 0, key, false);
  if (i < leaf->count && memory_compare(memory_key(leaf->keys[i]), key) == 0) {
    memory_counted(&t->tree, leaf->keys[i], false);
    memory_put_aside(t, leaf->keys[i]);
  } else {
    memory_open(leaf, i);
    t->tree.records++;
  }
  leaf->keys[i] = r;
  memory_counted(&t->tree, r, true);
  return true;
}

/* Removes the empty child i. */
static void memory_drop_child(memory_txn *t, memory_node *parent, unsigned i)
{
  const svc_allocator *a = &t->store->allocator;
  memory_record *bound = parent->keys[i ? i : parent->count > 1]; /* the first child has no bound: its neighbour becomes the first */
  t->tree.bytes -= memory_node_size(parent->children[i]->leaf);
  if (bound) t->tree.bytes -= memory_record_size(bound);
  memory_node_release(a, parent->children[i]);
  memory_record_release(a, bound);
  memory_shut(parent, i);
  if (parent->count) parent->keys[0] = NULL;
}

/* Moves all entries of child i + 1 to child i; both are writable. */
static void memory_merge(memory_txn *t, memory_node *parent, unsigned i)
{
  memory_node *left = parent->children[i], *right = parent->children[i + 1];
  memcpy(&left->keys[left->count], right->keys, right->count * sizeof right->keys[0]);
  if (!left->leaf) {
    memcpy(&left->children[left->count], right->children, right->count * sizeof right->children[0]);
    left->keys[left->count] = parent->keys[i + 1];
    atomic_fetch_add(&parent->keys[i + 1]->references, 1);
    t->tree.bytes += memory_record_size(parent->keys[i + 1]);
  }
  left->count = (unsigned short)(left->count + right->count);
  right->count = 0;
  memory_drop_child(t, parent, i + 1);
}

/* Called after an entry was removed from child i: removes the child if it is empty, or merges it with a neighbour if both have few entries.
** False: out of memory. */
static bool memory_shrink(memory_txn *t, memory_node *parent, unsigned i)
{
  unsigned left = i > 0 ? i - 1 : i;
  if (parent->children[i]->count == 0) {
    memory_drop_child(t, parent, i);
    return true;
  }
  if (parent->children[i]->count >= MEMORY_FEW || parent->count < 2) return true;
  if (parent->children[left]->count + parent->children[left + 1]->count > MEMORY_MERGED) return true;
  if (!memory_own(t, &parent->children[left]) || !memory_own(t, &parent->children[left + 1])) return false;
  memory_merge(t, parent, left);
  return true;
}

/* Removes an empty root, and a root with a single child. */
static void memory_lower_root(memory_txn *t)
{
  memory_tree *tree = &t->tree;
  while (tree->root && (tree->root->count == 0 || (!tree->root->leaf && tree->root->count == 1))) {
    memory_node *root = tree->root;
    tree->root = root->count ? root->children[0] : NULL;
    if (tree->root) atomic_fetch_add(&tree->root->references, 1);
    tree->bytes -= memory_node_size(root->leaf);
    memory_node_release(&t->store->allocator, root);
  }
}

/* Removes an existing key. False: out of memory. */
static bool memory_take_out(memory_txn *t, svc_str key)
{
  memory_cursor path = { .depth = 0 };
  memory_node **place = &t->tree.root;
  unsigned i;
  if (!memory_aside_room(t)) return false;
  for (;;) {
    if (!memory_own(t, place)) return false;
    path.nodes[path.depth] = *place;
    if ((*place)->leaf) break;
    i = memory_child(*place, key);
    path.at[path.depth++] = i;
    place = &(*place)->children[i];
  }
  i = memory_find(*place, 0, key, false);
  memory_counted(&t->tree, (*place)->keys[i], false);
  t->tree.records--;
  memory_put_aside(t, (*place)->keys[i]);
  memory_shut(*place, i);
  while (path.depth > 0) {
    path.depth--;
    if (!memory_shrink(t, path.nodes[path.depth], path.at[path.depth])) return false;
  }
  memory_lower_root(t);
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- cursor */

/* Moves to the first record of a node, or to the last. */
static void memory_descend(memory_cursor *c, memory_node *node, bool last)
{
  for (;;) {
    c->nodes[c->depth] = node;
    c->at[c->depth] = last ? node->count - 1u : 0;
    if (node->leaf) break;
    node = node->children[c->at[c->depth++]];
  }
  c->depth++;
}

/* Moves to the next record, or the previous one. depth 0: none. */
static void memory_step(memory_cursor *c, bool back)
{
  while (c->depth > 0) {
    memory_node *node = c->nodes[c->depth - 1];
    unsigned *at = &c->at[c->depth - 1];
    if (back ? *at > 0 : *at + 1 < node->count) {
      *at += back ? -1u : 1u;
      if (!node->leaf) memory_descend(c, node->children[*at], back);
      return;
    }
    c->depth--;
  }
}

/* Moves to the first record whose key is not less than `key`; with `back`, to the last one whose key is less. depth 0: none. */
static void memory_seek(memory_cursor *c, const memory_tree *tree, svc_str key, bool back)
{
  memory_node *node = tree->root;
  unsigned i;
  c->depth = 0;
  if (!node) return;
  while (!node->leaf) {
    i = memory_child(node, key);
    c->nodes[c->depth] = node;
    c->at[c->depth++] = i;
    node = node->children[i];
  }
  i = memory_find(node, 0, key, false);
  c->nodes[c->depth] = node;
  c->at[c->depth++] = i;
  if (back) memory_step(c, true);
  else if (i == node->count) c->at[c->depth - 1] = i - 1u, memory_step(c, false);
}

static const memory_record *memory_at(const memory_cursor *c)
{
  return c->depth ? c->nodes[c->depth - 1]->keys[c->at[c->depth - 1]] : NULL;
}

/* ---------------------------------------------------------------------------------------------------------- open, close */

static memory_store *memory_of(svc_store *store)
{
  return (memory_store *)(void *)store;
}

static int memory_open_store(svc_store **out, const svc_config *config, char *why, size_t why_size)
{
  static const svc_allocator standard = { memory_default_resize, NULL };
  const svc_allocator *a = config->allocator.resize ? &config->allocator : &standard;
  memory_store *store;
  int i;
  *out = NULL;
  if (config->path) {
    snprintf(why, why_size, "the in-memory store has no path: svc_config.path must be NULL");
    return SVC_INVALID;
  }
  store = memory_alloc(a, sizeof *store);
  if (!store) return SVC_NOMEM;
  memset(store, 0, sizeof *store);
  store->allocator = *a;
  atomic_flag_clear(&store->lock);
  store->limit = config->map_limit ? config->map_limit : UINT64_MAX / 2;
  store->beyond = true; /* the first commit opens the store */
  store->writer.store = store;
  for (i = 0; i < MEMORY_READERS; i++) {
    store->spare[i].next = store->readers;
    store->readers = &store->spare[i];
  }
  *out = (svc_store *)(void *)store;
  return SVC_OK;
}

static void memory_close(svc_store *opaque)
{
  memory_store *store = memory_of(opaque);
  const svc_allocator a = store->allocator;
  memory_node_release(&a, store->tree.root);
  memory_free(&a, store);
}

/* --------------------------------------------------------------------------------------------------------- transactions */

static void memory_head(memory_txn *t, bool writing)
{
  memset(&t->head, 0, sizeof t->head);
  t->head.port = svc_memory_port();
  t->head.writing = writing;
}

/* An unused reader. NULL: out of memory. */
static memory_txn *memory_reader(memory_store *store)
{
  memory_txn *t, *spare;
  memory_lock(store);
  t = spare = store->readers;
  if (t) store->readers = t->next;
  memory_unlock(store);
  if (!t) t = memory_alloc(&store->allocator, sizeof *t);
  if (!t) return NULL;
  memset(t, 0, sizeof *t);
  t->store = store;
  t->spare = spare != NULL;
  memory_head(t, false);
  return t;
}

static int memory_read_begin(svc_store *opaque, svc_txn **out)
{
  memory_store *store = memory_of(opaque);
  memory_txn *t = memory_reader(store);
  *out = NULL;
  if (!t) return SVC_NOMEM;
  memory_lock(store);
  t->tree = store->tree;
  t->state = store->number;
  if (t->tree.root) atomic_fetch_add(&t->tree.root->references, 1);
  memory_unlock(store);
  *out = &t->head;
  return SVC_OK;
}

static void memory_read_end(svc_txn *txn)
{
  memory_txn *t = (memory_txn *)txn;
  memory_store *store = t->store;
  const svc_allocator *a = t->held ? &t->held->allocator : &store->allocator;
  if (!t->held) memory_node_release(a, t->tree.root);
  if (!t->spare) {
    memory_free(a, t);
    return;
  }
  memory_lock(store);
  t->next = store->readers;
  store->readers = t;
  memory_unlock(store);
}

static int memory_write_begin(svc_store *opaque, svc_txn **out)
{
  memory_store *store = memory_of(opaque);
  memory_txn *w = &store->writer;
  w->tree = store->tree; /* there is one writer: no other thread changes it */
  if (w->tree.root) atomic_fetch_add(&w->tree.root->references, 1);
  w->begun_bytes = w->tree.bytes;
  w->owner = ++store->owners;
  w->least = 0;
  w->brought = store->outgrown = false;
  memory_head(w, true);
  *out = &w->head;
  return SVC_OK;
}

/* Frees removed records, and trees that the transaction set aside. */
static void memory_forget(memory_txn *w)
{
  const svc_allocator *a = &w->store->allocator;
  while (w->removed_count) memory_record_release(a, w->removed[--w->removed_count]);
  if (w->removed) memory_free(a, w->removed);
  w->removed = NULL;
  w->removed_room = 0;
  while (w->aside) {
    memory_root *next = w->aside->next;
    memory_node_release(a, w->aside->node);
    memory_free(a, w->aside);
    w->aside = next;
  }
}

static int memory_commit(svc_txn *txn)
{
  memory_txn *w = (memory_txn *)txn;
  memory_store *store = w->store;
  memory_node *old = store->tree.root;
  const bool changed = w->brought || w->tree.root != old;
  memory_lock(store);
  store->tree = w->tree;
  if (changed) store->number++;
  if (w->least > store->number) store->number = w->least;
  store->beyond = false;
  memory_unlock(store);
  memory_node_release(&store->allocator, old); /* the store takes over the writer's reference */
  memory_forget(w);
  w->tree.root = NULL;
  return SVC_OK;
}

static void memory_abort(svc_txn *txn)
{
  memory_txn *w = (memory_txn *)txn;
  memory_node_release(&w->store->allocator, w->tree.root);
  memory_forget(w);
  w->tree.root = NULL;
}

static uint64_t memory_number(svc_txn *txn)
{
  return ((memory_txn *)txn)->store->number + 1;
}

static uint64_t memory_state(svc_txn *txn)
{
  return ((memory_txn *)txn)->state + 1;
}

static int memory_size(svc_txn *txn, uint64_t *taken, uint64_t *room)
{
  const memory_txn *t = (memory_txn *)txn;
  *taken = t->tree.bytes;
  *room = t->store->limit;
  return SVC_OK;
}

/* -------------------------------------------------------------------------------------------------------------- records */

static int memory_get(svc_txn *txn, svc_str key, svc_str *value)
{
  const memory_record *r = memory_lookup(&((memory_txn *)txn)->tree, key);
  if (!r) return SVC_NOT_FOUND;
  *value = memory_value(r);
  return SVC_OK;
}

static int memory_get_many(svc_txn *txn, const svc_str *keys, size_t n, svc_str *values)
{
  size_t i;
  for (i = 0; i < n; i++) {
    const memory_record *r = memory_lookup(&((memory_txn *)txn)->tree, keys[i]);
    values[i] = r ? memory_value(r) : (svc_str){ NULL, 0 };
  }
  return SVC_OK;
}

static int memory_scan(svc_txn *txn, const svc_range *range, svc_row *rows, size_t most, size_t *n)
{
  const memory_record *r;
  memory_cursor c;
  uint64_t passed = 0;
  *n = 0;
  memory_seek(&c, &((memory_txn *)txn)->tree, range->backwards ? range->to : range->from, range->backwards);
  for (; *n < most && (r = memory_at(&c)) != NULL; memory_step(&c, range->backwards)) {
    if (range->backwards ? memory_compare(memory_key(r), range->from) < 0 : memory_compare(memory_key(r), range->to) >= 0) break;
    if (passed++ < range->skip) continue;
    rows[*n].key = memory_key(r);
    rows[(*n)++].value = memory_value(r);
  }
  return SVC_OK;
}

/* SVC_NO_ROOM: the transaction exceeds the store's limit. Work that leaves less than before never does. */
static int memory_fits(memory_txn *w)
{
  const uint64_t limit = w->store->beyond ? w->store->limit * 2 : w->store->limit;
  if (w->tree.bytes <= limit || w->tree.bytes <= w->begun_bytes) return SVC_OK;
  w->store->outgrown = true;
  return SVC_NO_ROOM;
}

static int memory_put(svc_txn *txn, svc_str key, svc_str value)
{
  memory_txn *w = (memory_txn *)txn;
  memory_record *r;
  if (key.n > SVC_KEY_MOST) return SVC_INVALID;
  r = memory_record_new(&w->store->allocator, key, value);
  if (!r) return SVC_NOMEM;
  if (!memory_insert(w, r)) {
    memory_record_release(&w->store->allocator, r);
    return SVC_NOMEM;
  }
  return memory_fits(w);
}

static int memory_remove(svc_txn *txn, svc_str key)
{
  memory_txn *w = (memory_txn *)txn;
  if (!memory_lookup(&w->tree, key)) return SVC_OK;
  return memory_take_out(w, key) ? SVC_OK : SVC_NOMEM;
}

static int memory_remove_range(svc_txn *txn, svc_str from, svc_str to)
{
  memory_txn *w = (memory_txn *)txn;
  for (;;) {
    const memory_record *r;
    memory_cursor c;
    memory_seek(&c, &w->tree, from, false);
    r = memory_at(&c);
    if (!r || memory_compare(memory_key(r), to) >= 0) return SVC_OK;
    if (!memory_take_out(w, memory_key(r))) return SVC_NOMEM;
  }
}

/* There is one writer: a counter is a record. */
static int memory_count(svc_txn *txn, svc_str key, int64_t *out)
{
  svc_str value;
  *out = 0;
  if (memory_get(txn, key, &value) != SVC_OK) return SVC_OK;
  if (value.n != sizeof *out) return SVC_CORRUPT;
  memcpy(out, value.p, sizeof *out);
  return SVC_OK;
}

static int memory_count_add(svc_txn *txn, svc_str key, int64_t delta)
{
  int64_t count;
  int rc = memory_count(txn, key, &count);
  if (rc != SVC_OK) return rc;
  count += delta;
  return count ? memory_put(txn, key, (svc_str){ (const char *)&count, sizeof count }) : memory_remove(txn, key);
}

/* ------------------------------------------------------------------------------------------------------ room, kept trees */

static int memory_room(svc_store *opaque, int what)
{
  memory_store *store = memory_of(opaque);
  const bool first = what == SVC_ROOM_TO_FREE && !store->beyond;
  store->beyond = what == SVC_ROOM_TO_FREE;
  return what == SVC_ROOM_DONE || first || !store->outgrown ? SVC_OK : SVC_FULL;
}

static int memory_copy(svc_store *store, const char *path)
{
  (void)store;
  (void)path;
  return SVC_INVALID;
}

static int memory_copy_begin(svc_txn *txn)
{
  (void)txn;
  return SVC_OK;
}

static int memory_numbers_from(svc_txn *txn, uint64_t least)
{
  ((memory_txn *)txn)->least = least;
  return SVC_OK;
}

/* From here on the writer copies nodes again before it changes them: the kept tree stays unchanged. */
static int memory_hold(svc_txn *txn, void **out, uint64_t *bytes, uint64_t *records)
{
  memory_txn *t = (memory_txn *)txn;
  memory_held *held = memory_alloc(&t->store->allocator, sizeof *held);
  *out = held;
  if (!held) return SVC_NOMEM;
  held->allocator = t->store->allocator;
  held->tree = t->tree;
  if (held->tree.root) atomic_fetch_add(&held->tree.root->references, 1);
  if (t->head.writing) t->owner = ++t->store->owners;
  *bytes = held->tree.content;
  *records = held->tree.records;
  return SVC_OK;
}

static int memory_bring_back(svc_txn *txn, const void *opaque)
{
  const memory_held *held = opaque;
  memory_txn *w = (memory_txn *)txn;
  memory_root *aside = memory_alloc(&w->store->allocator, sizeof *aside);
  if (!aside) return SVC_NOMEM;
  aside->node = w->tree.root;
  aside->next = w->aside;
  w->aside = aside;
  w->tree = held->tree;
  w->brought = true;
  if (w->tree.root) atomic_fetch_add(&w->tree.root->references, 1);
  w->owner = ++w->store->owners;
  return memory_fits(w);
}

static int memory_held_begin(const void *opaque, svc_txn **out)
{
  const memory_held *held = opaque;
  memory_txn *t = memory_alloc(&held->allocator, sizeof *t);
  *out = NULL;
  if (!t) return SVC_NOMEM;
  memset(t, 0, sizeof *t);
  memory_head(t, false);
  t->held = held;
  t->tree = held->tree; /* kept until let_go() */
  *out = &t->head;
  return SVC_OK;
}

static void memory_let_go(void *opaque)
{
  memory_held *held = opaque;
  const svc_allocator a = held->allocator;
  memory_node_release(&a, held->tree.root);
  memory_free(&a, held);
}

const svc_store_port *svc_memory_port(void)
{
  static const svc_store_port port = {
    .open = memory_open_store,
    .close = memory_close,
    .abandon = memory_close,
    .read_begin = memory_read_begin,
    .read_end = memory_read_end,
    .write_begin = memory_write_begin,
    .commit = memory_commit,
    .abort = memory_abort,
    .number = memory_number,
    .state = memory_state,
    .size = memory_size,
    .get = memory_get,
    .get_many = memory_get_many,
    .scan = memory_scan,
    .put = memory_put,
    .remove = memory_remove,
    .remove_range = memory_remove_range,
    .count = memory_count,
    .count_add = memory_count_add,
    .room = memory_room,
    .copy_begin = memory_copy_begin,
    .copy = memory_copy,
    .numbers_from = memory_numbers_from,
    .hold = memory_hold,
    .bring_back = memory_bring_back,
    .held_begin = memory_held_begin,
    .let_go = memory_let_go,
  };
  return &port;
}

/*
** What the parts share: private types and prototypes, grouped by layer, lowest first.
**
** The rule it keeps: a layer calls only what stands above its own heading here. base knows nothing of HTTP or of this
** API; ports wrap one dependency each; store knows keys and entities; the pipeline knows requests and tables, but no
** noun; the catalog is tables and hooks; api.c ties them together.
*/
#ifndef SVC_INTERNAL_H
#define SVC_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* flock, mkdtemp, clock_gettime under -std=c11 */
#endif

#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64 /* 32-bit boards: a file with a large inode number is none of stat's errors */
#endif

#include "svcapi.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Folded into one file everything private is static; compiled part by part it cannot be. */
#if defined(SVC_SPLIT)
#define SVC_PRIVATE
#elif defined(__GNUC__)
#define SVC_PRIVATE static __attribute__((unused))
#else
#define SVC_PRIVATE static
#endif

#if defined(__GNUC__)
#define SVC_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define SVC_PRINTF(f, a)
#endif

/* ================================================================================================================ base */

/* A slice of text: not owned, not NUL-terminated unless said so. */
typedef struct svc_str {
  const char *p;
  size_t n;
} svc_str;

#define SVC_S(literal) ((svc_str){ "" literal, sizeof literal - 1 })
#define SVC_FMT "%.*s"
#define SVC_ARG(s) (int)(s).n, (s).p

/* str.c */
SVC_PRIVATE svc_str svc_str_c(const char *text);                    /* NULL gives an empty slice */
SVC_PRIVATE svc_str svc_str_n(const char *text, size_t n);          /* n 0: NUL-terminated */
SVC_PRIVATE bool svc_str_eq(svc_str a, svc_str b);
SVC_PRIVATE int svc_str_order(svc_str a, svc_str b); /* by bytes; of two that start alike the shorter one comes first */
SVC_PRIVATE bool svc_str_is(svc_str a, const char *text);
SVC_PRIVATE bool svc_str_is_nocase(svc_str a, const char *text);    /* ASCII */
SVC_PRIVATE bool svc_str_starts(svc_str a, const char *prefix);
SVC_PRIVATE svc_str svc_str_trim(svc_str a);                        /* spaces and tabs at both ends */
SVC_PRIVATE svc_str svc_str_cut(svc_str *rest, char at);            /* up to `at`; rest goes on behind it */
SVC_PRIVATE bool svc_str_i64(svc_str a, int64_t *out);              /* all of it a decimal integer in range */
SVC_PRIVATE size_t svc_utf8_length(svc_str a);                      /* code points, of valid UTF-8 */
SVC_PRIVATE bool svc_utf8_valid(svc_str a);

/* arena.c: all memory of one request. A failed allocation is remembered, so that it may be checked once at the end. */
typedef struct svc_block svc_block;
typedef struct svc_arena {
  svc_allocator allocator;
  svc_block *blocks; /* newest first; svc_response.memory */
  char *next, *end;
  bool failed;
} svc_arena;

SVC_PRIVATE void svc_arena_init(svc_arena *a, const svc_allocator *allocator);
SVC_PRIVATE void *svc_arena_alloc(svc_arena *a, size_t size);       /* aligned; NULL when there is none */
SVC_PRIVATE void *svc_arena_zero(svc_arena *a, size_t size);
SVC_PRIVATE svc_str svc_arena_copy(svc_arena *a, svc_str text);     /* with a NUL behind; empty when there is none */
SVC_PRIVATE svc_str svc_arena_print(svc_arena *a, const char *format, ...) SVC_PRINTF(2, 3);
SVC_PRIVATE void svc_arena_reserve(svc_arena *a, size_t size);      /* one block for what is to come */
SVC_PRIVATE void svc_blocks_free(svc_block *blocks);

/* buf.c: text that grows in an arena. A failure is remembered, and what follows is ignored. */
typedef struct svc_buf {
  svc_arena *arena;
  char *p;
  size_t n, capacity;
  bool failed;
} svc_buf;

SVC_PRIVATE svc_buf svc_buf_new(svc_arena *a, size_t capacity);
SVC_PRIVATE bool svc_buf_grow(svc_buf *b, size_t n);
SVC_PRIVATE void svc_buf_add(svc_buf *b, const char *p, size_t n);
SVC_PRIVATE void svc_buf_str(svc_buf *b, svc_str s);
SVC_PRIVATE void svc_buf_text(svc_buf *b, const char *text);
SVC_PRIVATE void svc_buf_char(svc_buf *b, char c);
SVC_PRIVATE void svc_buf_i64(svc_buf *b, int64_t value);
SVC_PRIVATE svc_str svc_buf_done(svc_buf *b); /* NUL-terminated; empty when failed */

/* n bytes to be filled in at once; NULL: failed. Here, because all that is written passes through it. */
static inline char *svc_buf_room(svc_buf *b, size_t n)
{
  char *p;
  if (b->failed || (b->capacity - b->n < n && !svc_buf_grow(b, n))) return NULL;
  p = b->p + b->n;
  b->n += n;
  return p;
}

/* uri.c */
SVC_PRIVATE bool svc_percent_decode(svc_arena *a, svc_str in, bool plus_is_space, svc_str *out); /* false: malformed */
SVC_PRIVATE void svc_percent_encode(svc_buf *b, svc_str segment); /* all but the unreserved characters */

/* id.c: 12 bytes, shown as 24 hex digits, rising in time. */
typedef struct svc_id {
  unsigned char b[12];
} svc_id;

SVC_PRIVATE bool svc_id_parse(svc_str text, svc_id *out);
SVC_PRIVATE void svc_id_hex(const svc_id *id, char out[24]);
SVC_PRIVATE svc_str svc_id_str(svc_arena *a, const svc_id *id);
SVC_PRIVATE bool svc_id_eq(const svc_id *a, const svc_id *b);
SVC_PRIVATE bool svc_id_is_zero(const svc_id *id);
/* The id after `last` at this time: greater than it, in the second of `now_ms` unless the clock stepped back. */
SVC_PRIVATE svc_id svc_id_next(const svc_id *last, int64_t now_ms, const unsigned char random[8]);

/* date.c: milliseconds since 1970-01-01T00:00:00Z. */
SVC_PRIVATE bool svc_date_parse(svc_str text, int64_t *ms); /* ISO 8601, no zone means UTC; impossible dates refused */
SVC_PRIVATE bool svc_day_parse(svc_str text, unsigned *yyyymmdd); /* "2025-03-12" gives 20250312; a real day only */
SVC_PRIVATE void svc_date_text(int64_t ms, char out[21]); /* "2025-03-12T08:00:00Z" and a NUL */
SVC_PRIVATE void svc_http_date(int64_t ms, char out[30]); /* "Wed, 12 Mar 2025 08:00:00 GMT" and a NUL */
SVC_PRIVATE int64_t svc_day_ms(unsigned yyyymmdd);        /* its midnight */

/* pattern.c, format.c */
/* What a string must look like where a pattern cannot say it (base/format.c). */
enum svc_format {
  SVC_FORMAT_NONE,
  SVC_FORMAT_ID, /* 24 hex digits */
  SVC_FORMAT_IP,
  SVC_FORMAT_CIDR,
  SVC_FORMAT_IP_OR_CIDR,
  SVC_FORMAT_EMAIL,
  SVC_FORMAT_UUID,
  SVC_FORMAT_URI,
  SVC_FORMAT_DAY /* YYYY-MM-DD */
};

SVC_PRIVATE bool svc_pattern_match(const char *pattern, svc_str text);
SVC_PRIVATE bool svc_format_check(int format, svc_str text); /* enum svc_format */
SVC_PRIVATE const char *svc_format_name(int format);         /* for error texts: "an IP address" */

/* address.c */
typedef struct svc_address {
  unsigned char b[16]; /* IPv4 as ::ffff:a.b.c.d */
  unsigned char bits;  /* length of the prefix: 128, one address */
} svc_address;
SVC_PRIVATE bool svc_address_parse(svc_str text, svc_address *out); /* an address, or a range with "/"; bits behind go */
SVC_PRIVATE bool svc_address_within(const svc_address *one, const svc_address *range);
SVC_PRIVATE svc_str svc_address_text(svc_arena *a, const svc_address *address); /* the usual form; one address has no "/" */
SVC_PRIVATE svc_str svc_address_spell(svc_arena *a, svc_str text); /* in that form; what is no address: as it is */

/* json_gate.c: strict RFC 8259, before anything else looks at the text. */
typedef struct svc_json_fault {
  size_t at;        /* byte position */
  const char *what; /* a constant */
} svc_json_fault;

/* One pass, no recursion. False: *fault is set. Scratch memory for the duplicate-key check comes from the arena; when
** there is none, arena->failed is set and the text counts as refused. */
SVC_PRIVATE bool svc_json_gate(svc_arena *a, svc_str text, size_t max_depth, svc_json_fault *fault);

/* json_node.c: a JSON value in memory, made on writes only. */
enum svc_json_type { SVC_J_NULL, SVC_J_BOOL, SVC_J_NUMBER, SVC_J_STRING, SVC_J_OBJECT, SVC_J_ARRAY };

typedef struct svc_node svc_node;
struct svc_node {
  int type;     /* enum svc_json_type */
  svc_str name; /* in an object: its key, unescaped */
  svc_str text; /* string: unescaped UTF-8; number: as written; boolean: "true" or "false" */
  svc_node *first, *last, *next;
};

SVC_PRIVATE svc_node *svc_node_new(svc_arena *a, int type, svc_str name, svc_str text); /* NULL: no memory */
SVC_PRIVATE void svc_node_append(svc_node *parent, svc_node *child);
SVC_PRIVATE svc_node *svc_node_get(const svc_node *object, const char *name); /* NULL: not there, or no object */
SVC_PRIVATE svc_node *svc_node_find(const svc_node *object, svc_str name);
SVC_PRIVATE svc_node *svc_node_copy(svc_arena *a, const svc_node *node);
SVC_PRIVATE bool svc_node_same(const svc_node *a, const svc_node *b); /* key order does not matter, numbers by value */
SVC_PRIVATE size_t svc_node_count(const svc_node *node);
/* Set, or replace in place, a member. An object's members are kept sorted by name. */
SVC_PRIVATE void svc_node_put(svc_arena *a, svc_node *object, svc_node *member);
SVC_PRIVATE void svc_node_set_str(svc_arena *a, svc_node *object, const char *name, svc_str value);
SVC_PRIVATE void svc_node_set_i64(svc_arena *a, svc_node *object, const char *name, int64_t value);
SVC_PRIVATE void svc_node_set_bool(svc_arena *a, svc_node *object, const char *name, bool value);
SVC_PRIVATE void svc_node_drop(svc_node *object, const char *name);
SVC_PRIVATE svc_str svc_node_str(const svc_node *object, const char *name); /* a string member, or empty */
SVC_PRIVATE bool svc_node_bool(const svc_node *object, const char *name, bool otherwise);
SVC_PRIVATE int64_t svc_node_i64(const svc_node *object, const char *name, int64_t otherwise);
SVC_PRIVATE void svc_node_write(svc_buf *b, const svc_node *node); /* compact, members in the order they stand */
/* The same; where in what is written a member of that name would belong, members being sorted. */
SVC_PRIVATE size_t svc_node_write_for(svc_buf *b, const svc_node *node, svc_str name);

/* json_text.c */
SVC_PRIVATE void svc_json_escape(svc_buf *b, svc_str text); /* with the quotes around */
SVC_PRIVATE size_t svc_json_plain(const char *p, size_t n, bool ascii); /* bytes from here on that need no second look */
SVC_PRIVATE bool svc_json_unescape(svc_arena *a, svc_str raw, svc_str *out); /* raw: between the quotes, gate-checked */
SVC_PRIVATE void svc_json_pretty(svc_buf *b, svc_str compact); /* two spaces a level, a newline at the end */
SVC_PRIVATE bool svc_json_number_i64(svc_str text, int64_t *out);  /* 5, 5.0 and 5e0 are 5; false: no integer in range */
SVC_PRIVATE bool svc_json_number_double(svc_str text, double *out); /* locale-free; false: overflow */

/* =============================================================================================================== ports */

/* ports/frozen.c: text that the gate has passed, as a tree. NULL: no memory (or text that no gate has seen). */
SVC_PRIVATE svc_node *svc_json_parse(svc_arena *a, svc_str text);
SVC_PRIVATE svc_node *svc_json_parse_gated(svc_arena *a, svc_str text); /* one that has just passed svc_json_gate() */
/* The longest path of keys and indices that the parser follows, as frozen counts it; the gate refuses longer ones. */
#define SVC_JSON_MAX_PATH 255

/* ports/tinycthread.c: locks. The space is checked against the real types when the port is compiled. */
typedef union svc_mutex {
  void *align;
  unsigned char space[64];
} svc_mutex;
typedef union svc_condition {
  void *align;
  unsigned char space[64];
} svc_condition;

SVC_PRIVATE bool svc_mutex_init(svc_mutex *m);
SVC_PRIVATE void svc_mutex_destroy(svc_mutex *m);
SVC_PRIVATE void svc_mutex_lock(svc_mutex *m);
SVC_PRIVATE void svc_mutex_unlock(svc_mutex *m);
SVC_PRIVATE bool svc_condition_init(svc_condition *c);
SVC_PRIVATE void svc_condition_destroy(svc_condition *c);
SVC_PRIVATE void svc_condition_wait(svc_condition *c, svc_mutex *m);
SVC_PRIVATE void svc_condition_signal(svc_condition *c);
SVC_PRIVATE void svc_thread_yield(void);

/* ports/mbedtls.c: hashes and random bytes. */
typedef struct svc_drbg svc_drbg;
SVC_PRIVATE svc_drbg *svc_drbg_new(void); /* NULL: no entropy or no memory */
SVC_PRIVATE void svc_drbg_free(svc_drbg *d);
SVC_PRIVATE int svc_drbg_fill(void *drbg, void *buffer, size_t size); /* 0 is good; thread-safe */
SVC_PRIVATE void svc_sha256(svc_str text, unsigned char out[32]);
SVC_PRIVATE bool svc_hmac_sha256(svc_str key, svc_str text, unsigned char out[32]);
SVC_PRIVATE bool svc_md5(svc_str text, unsigned char out[16]);
SVC_PRIVATE bool svc_same_bytes(const void *a, const void *b, size_t n); /* in constant time */
SVC_PRIVATE svc_str svc_base64(svc_arena *a, svc_str bytes); /* the URL alphabet, without padding */
SVC_PRIVATE bool svc_base64_decode(svc_arena *a, svc_str text, svc_str *out); /* the ordinary alphabet, as in Basic */

/*
** The store port: what a store must be able to do. Keys and values are bytes; keys are ordered as memcmp orders them.
** Any number of read transactions beside one write transaction; a reader sees the state of its beginning. What get and
** the cursors give is valid until the transaction ends or, in a write transaction, until its next put or remove.
** Results are SVC_OK or an error of svcapi.h, or one of these two:
*/
#define SVC_NOT_FOUND 100
#define SVC_MAP_FULL 101 /* abort, call grow(), and do it again */

typedef struct svc_store svc_store;
typedef struct svc_cursor svc_cursor;
typedef struct svc_txn svc_txn;
typedef struct svc_ids svc_ids;

typedef struct svc_store_port {
  int (*open)(svc_store **out, const svc_config *config, char *why, size_t why_size);
  void (*close)(svc_store *store);
  int (*read_begin)(svc_store *store, svc_txn **out);
  void (*read_end)(svc_txn *txn);
  int (*write_begin)(svc_store *store, svc_txn **out);
  int (*commit)(svc_txn *txn); /* ends it, whatever comes of it */
  void (*abort)(svc_txn *txn);
  uint64_t (*number)(svc_txn *txn); /* of a write transaction: greater than that of every one committed before */
  int (*get)(svc_txn *txn, svc_str key, svc_str *value);
  int (*put)(svc_txn *txn, svc_str key, svc_str value);
  int (*remove)(svc_txn *txn, svc_str key);
  int (*cursor_open)(svc_txn *txn, svc_cursor **out);
  void (*cursor_close)(svc_cursor *cursor);
  int (*cursor_from)(svc_cursor *cursor, svc_str key, svc_str *found, svc_str *value);   /* first key >= this one */
  int (*cursor_before)(svc_cursor *cursor, svc_str key, svc_str *found, svc_str *value); /* last key < this one */
  int (*cursor_next)(svc_cursor *cursor, svc_str *found, svc_str *value);
  int (*cursor_previous)(svc_cursor *cursor, svc_str *found, svc_str *value);
  /* both outside of any transaction of the caller's */
  int (*grow)(svc_store *store, bool beyond); /* beyond its limit, for what frees; SVC_FULL: it cannot */
  int (*settle)(svc_store *store);            /* no larger than the limit, if what is in it allows */
  int (*copy)(svc_store *store, const char *path);
} svc_store_port;

/* What every port's transaction begins with. */
struct svc_txn {
  const svc_store_port *port;
  svc_ids *ids; /* of a write transaction: where new ids and revisions come from */
  bool dirty;   /* something was put or removed */
  int error;    /* the first error of a put, remove or get; the transaction can only be aborted then */
};

/* ports/lmdb.c */
SVC_PRIVATE const svc_store_port *svc_lmdb_port(void);

/* =============================================================================================================== store */

/* keys.c: the layout of keys is drawn there. */
typedef struct svc_key {
  unsigned char b[511]; /* the longest key of LMDB */
  size_t n;
} svc_key;

#define SVC_KIND_SIZE 4
#define SVC_KEY_END 0xFF /* sorts behind whatever follows a prefix */
SVC_PRIVATE svc_str svc_key_str(const svc_key *k);
SVC_PRIVATE void svc_key_count(svc_key *k, char list, const char *kind, const svc_id *parent); /* list: 'e' or 'o' */
SVC_PRIVATE void svc_key_due(svc_key *k, int64_t when, const char *kind, const svc_id *parent, const svc_id *id);
SVC_PRIVATE void svc_key_entity(svc_key *k, const char *kind, const svc_id *parent, const svc_id *id); /* id NULL: prefix */
SVC_PRIVATE void svc_key_owned(svc_key *k, const char *kind, const svc_id *owner, const svc_id *id);   /* id NULL: prefix */
SVC_PRIVATE void svc_key_unique(svc_key *k, const char *kind, svc_str value, const svc_id *scope); /* scope NULL: prefix */
SVC_PRIVATE void svc_key_meta(svc_key *k, const char *name);
SVC_PRIVATE void svc_key_retry(svc_key *k, const unsigned char hash[16]);

/* scan.c: all records below a prefix, forwards or backwards, and thin wrappers that remember errors in the txn. */
SVC_PRIVATE int svc_note(svc_txn *txn, int rc); /* remembers the first error, which "not found" is not; returns rc */
SVC_PRIVATE int svc_get(svc_txn *txn, const svc_key *key, svc_str *value);
SVC_PRIVATE int svc_put(svc_txn *txn, const svc_key *key, svc_str value);
SVC_PRIVATE int svc_remove(svc_txn *txn, const svc_key *key);

typedef struct svc_scan {
  svc_txn *txn;
  svc_cursor *cursor;
  svc_key prefix;
  bool backwards, started;
} svc_scan;
SVC_PRIVATE bool svc_scan_begin(svc_scan *scan, svc_txn *txn, const svc_key *prefix, bool backwards);
SVC_PRIVATE bool svc_scan_next(svc_scan *scan, svc_str *key, svc_str *value);
SVC_PRIVATE void svc_scan_end(svc_scan *scan);

/* record.c: one resource as it is stored: the JSON that is served, less the links, and what reads need beside it. */
typedef struct svc_entity {
  const char *kind;
  svc_id parent, id, owner;
  uint64_t revision; /* another one with every change: the ETag */
  int64_t due;       /* when its state moves on; 0: it stays */
  uint32_t ordinal;  /* the store's own: what counts are made of */
  uint16_t late;     /* the store's own: how many up to this one are not indexed yet */
  svc_str key;       /* how a path names it, percent-encoded: "Cluster0", "admin/joe" */
  svc_str unique;    /* the value that is unique in its scope, or just its name; empty: none */
  bool shared;       /* others may have the same: it is not indexed */
  svc_str body;      /* JSON object, members sorted */
  size_t links_at;   /* where in body "links" belongs */
  svc_str extra;     /* what the noun keeps beside it and does not show */
} svc_entity;

#define SVC_RECORD_LATE_AT 6
#define SVC_RECORD_ORDINAL_AT 44
SVC_PRIVATE bool svc_entity_decode(svc_str key, svc_str record, svc_entity *out); /* key NULL p: ids stay as they are */
SVC_PRIVATE bool svc_entity_glance(svc_str record, svc_str *key, svc_str *body, size_t *links_at);
SVC_PRIVATE int svc_entity_get(svc_txn *txn, const char *kind, const svc_id *parent, const svc_id *id, svc_entity *out);
SVC_PRIVATE int svc_record_put(svc_txn *txn, svc_arena *a, const svc_entity *e);
/* The text of a body, and where "links" belongs in it. False: no memory. */
SVC_PRIVATE bool svc_body_write(svc_arena *a, const svc_node *body, svc_str *text, size_t *links_at);

/* count.c: how many there are in a list, 'e' or 'o'. */
typedef struct svc_list_end { /* of the last one; zero: there is none */
  svc_id id;
  int64_t missing; /* count = ordinal - missing */
  uint32_t ordinal;
  uint16_t late;
} svc_list_end;
SVC_PRIVATE void svc_list_last(svc_txn *txn, char list, const char *kind, const svc_id *parent, svc_list_end *out);
SVC_PRIVATE bool svc_list_at_end(const svc_list_end *last, const svc_id *id); /* would it come behind that one? */
/* Called before one is put into a list: its ordinal there. */
SVC_PRIVATE uint32_t svc_list_next(svc_txn *txn, char list, const char *kind, const svc_id *parent, const svc_list_end *last,
                                   const svc_id *id);
/* Called after one was taken out of a list that had `before`. */
SVC_PRIVATE void svc_list_removed(svc_txn *txn, char list, const char *kind, const svc_id *parent, int64_t before);
SVC_PRIVATE int64_t svc_list_count(svc_txn *txn, char list, const char *kind, const svc_id *parent);

/* index.c: entities by their unique value and by their owner. */
#define SVC_LATE 16 /* so many new ones share the work of indexing them */
SVC_PRIVATE void svc_index_insert(svc_txn *txn, svc_arena *a, svc_entity *e, const svc_list_end *last);
SVC_PRIVATE void svc_index_update(svc_txn *txn, svc_arena *a, svc_entity *e, const svc_entity *old);
SVC_PRIVATE void svc_index_remove(svc_txn *txn, svc_arena *a, const svc_entity *e);  /* before its record is */
SVC_PRIVATE void svc_index_removed(svc_txn *txn, svc_arena *a, const svc_entity *e); /* after its record was */
SVC_PRIVATE const svc_id *svc_entity_scope(const svc_entity *e); /* where its unique value is: of its owner, else its parent */
/* Who has this value; owned: scope is an owner, not a parent. */
SVC_PRIVATE int svc_unique_find(svc_txn *txn, const char *kind, const svc_id *scope, bool owned, svc_str value, svc_id *out);
SVC_PRIVATE uint64_t svc_owned_count(svc_txn *txn, const char *kind, const svc_id *owner);

typedef struct svc_finder {
  svc_scan entries;
  const char *kind;
  svc_id owner;
  svc_str value;
  bool by_owner, owned; /* owned: late ones are still to be looked at */
  struct {
    svc_id id, scope;
  } late[SVC_LATE];
  unsigned late_count;
} svc_finder;
/* All of one owner, in the order of their creation; or all that have a value, in whatever scope. */
SVC_PRIVATE bool svc_owned_begin(svc_finder *f, svc_txn *txn, const char *kind, const svc_id *owner);
SVC_PRIVATE bool svc_named_begin(svc_finder *f, svc_txn *txn, const char *kind, svc_str value, bool owned);
SVC_PRIVATE bool svc_finder_next(svc_finder *f, svc_id *scope, svc_id *id);
SVC_PRIVATE void svc_finder_end(svc_finder *f);

/* entity.c: records with their index entries, due dates and counts. */
/* Look up by the unique value; scope is the owner for owned entities, else the parent. */
SVC_PRIVATE int svc_entity_find(svc_txn *txn, const char *kind, const svc_id *parent, const svc_id *scope, svc_str unique,
                                svc_entity *out);
SVC_PRIVATE int svc_entity_insert(svc_txn *txn, svc_arena *a, svc_entity *e);
SVC_PRIVATE int svc_entity_update(svc_txn *txn, svc_arena *a, svc_entity *e, const svc_entity *old);
SVC_PRIVATE int svc_entity_remove(svc_txn *txn, svc_arena *a, const svc_entity *e);
SVC_PRIVATE uint64_t svc_entity_count(svc_txn *txn, const char *kind, const svc_id *parent);

/* commit.c: one writer at a time; writers that wait are committed together. */
struct svc_ids { /* what numbers entities */
  svc_id last;     /* the greatest id given out */
  svc_id reserved; /* the store knows that ids up to this one may have been given out */
  uint64_t revision;
  int64_t now; /* of the request that is being served */
  int (*random)(void *context, void *buffer, size_t size);
  void *random_context;
  unsigned char pool[64]; /* random bytes for ids to come, the writer's; used from the end */
  size_t pool_left;
};
SVC_PRIVATE svc_id svc_new_id(svc_txn *txn);
SVC_PRIVATE uint64_t svc_new_revision(svc_txn *txn);

typedef struct svc_job svc_job;
typedef struct svc_waiter svc_waiter;
struct svc_job {
  /* Does the work in the transaction. False: nothing of it is to be kept. May be called again with another one. */
  bool (*work)(svc_job *job, svc_txn *txn);
  int64_t now;
  int status; /* SVC_OK, or the store's error that kept the work from being done */
  bool failed; /* work said no and has been answered for: it is not run again */
  bool frees;  /* there is less in the store afterwards: may be done where it is full */
  svc_job *next;
  svc_waiter *waiter; /* NULL: its thread leads */
};

typedef struct svc_commit {
  const svc_store_port *port;
  svc_store *store;
  svc_mutex lock;
  svc_allocator allocator;
  svc_waiter *waiters; /* as many as ever waited at once */
  svc_job *first, *last; /* waiting */
  bool leading;
  unsigned last_batch; /* jobs of the batch before */
  bool turned; /* nothing was committed since pages were last made free for use; the leader's */
  uint64_t base; /* added to the store's numbers of transactions */
  svc_ids ids;
  atomic_uint next_due; /* second from which something is due; UINT_MAX: nothing is */
} svc_commit;

SVC_PRIVATE int svc_commit_open(svc_commit *k, const svc_store_port *port, svc_store *store, const svc_allocator *allocator);
SVC_PRIVATE void svc_commit_close(svc_commit *k);
SVC_PRIVATE int svc_commit_run(svc_commit *k, svc_job *job);
SVC_PRIVATE int svc_commit_copy(svc_commit *k, const char *path, int64_t now);

/* due.c: what is to happen when, in the store. */
SVC_PRIVATE int svc_due_set(svc_txn *txn, svc_entity *e, int64_t when); /* also takes the one before away; 0: none */
typedef struct svc_due_entry {
  int64_t when;
  char kind[SVC_KIND_SIZE];
  svc_id parent, id;
} svc_due_entry;

SVC_PRIVATE bool svc_due_first(svc_txn *txn, svc_due_entry *out);
SVC_PRIVATE bool svc_due_begin(svc_scan *scan, svc_txn *txn); /* all, in their order */
SVC_PRIVATE bool svc_due_next(svc_scan *scan, svc_due_entry *out);

/* ============================================================================================================ pipeline */

#include "catalog/set_list.h"
#include "catalog/role_list.h"
#include "catalog/event_type_list.h"
#include "pipeline/error_list.h"
#include "pipeline/table.h"

typedef struct svc_set_row {
  const char *name;
  unsigned char scope; /* enum svc_scope */
  int64_t capacity, refill_rate, refill_seconds;
} svc_set_row;

/* Text with holes that are filled in with keys of the request: how links are written without any search. */
enum svc_hole { SVC_HOLE_NONE = -1, SVC_HOLE_OWN = 8, SVC_HOLE_OWNER, SVC_HOLE_UNIQUE, /* 0..7: a parent */
                SVC_HOLE_PARAM = 16 /* and up: a parameter that names no entity */ };
typedef struct svc_piece {
  svc_str text;
  int hole; /* behind the text */
} svc_piece;
typedef struct svc_template {
  const svc_piece *pieces;
  size_t count, text_size;
  bool has_owner, has_unique; /* holes that are filled in only where they are */
} svc_template;

/* A noun as the open handle knows it. */
typedef struct svc_noun_info {
  const svc_noun *noun;
  const struct svc_noun_info *parent;
  svc_str preset; /* of a singleton: what is served until it is changed */
  size_t preset_links_at;
} svc_noun_info;

#define SVC_MAX_SEGMENTS 16
#define SVC_MAX_PARAMS 6
#define SVC_MAX_CHAIN 4

/* A route as the open handle knows it: which entities its path names, and the links of its answer. */
typedef struct svc_plan svc_plan;
struct svc_plan {
  const svc_route *route;
  const svc_noun_info *noun;
  svc_str params[SVC_MAX_PARAMS]; /* their names */
  unsigned param_count;
  struct svc_plan_step {
    const svc_noun_info *noun;
    unsigned param, param_count;
    bool by_unique;
  } steps[SVC_MAX_CHAIN];
  unsigned step_count;
  bool own;             /* the last step is the route's own noun */
  int scope_param;      /* the parameter that names the project or organization whose bucket is drawn from; -1: none */
  bool item_by_owner;   /* the item is reached through the organization that owns the project of this path */
  const svc_plan *item; /* the route that reads one of the noun, as seen from here; itself where it is that one */
  svc_template self, links; /* of a GET: its own link; all links that its answer carries, with the brackets */
};

/* plan.c: the tables as the handle uses them. */
SVC_PRIVATE int svc_plan_open(svc *s);
SVC_PRIVATE const svc_noun_info *svc_noun_by_kind(const svc *s, const char *kind);
SVC_PRIVATE const svc_noun_info *svc_noun_named(const svc *s, const char *name); /* NULL: left out of this build */

/* route.c */
typedef struct svc_router svc_router;
SVC_PRIVATE int svc_router_open(svc *s);

/* limiter.c */
typedef struct svc_limiter svc_limiter;
typedef struct svc_tokens {
  bool taken;
  int64_t remaining, wait_seconds;
} svc_tokens;
SVC_PRIVATE int svc_limiter_open(svc_limiter **out, const svc_allocator *allocator, size_t buckets, uint64_t seed,
                                 const svc_set_row *sets); /* sets must outlive it */
SVC_PRIVATE void svc_limiter_close(svc_limiter *l);
SVC_PRIVATE svc_tokens svc_limiter_take(svc_limiter *l, int set, svc_str instance, int64_t now);

/* digest.c: what the server knows of its nonces. usage.c: what access lists let in. */
typedef struct svc_digest svc_digest;
typedef struct svc_usage svc_usage;
SVC_PRIVATE int svc_digest_open(svc *s);
SVC_PRIVATE void svc_digest_close(svc *s);
SVC_PRIVATE int svc_usage_open(svc *s);
SVC_PRIVATE void svc_usage_close(svc *s);
SVC_PRIVATE void svc_usage_note(svc *s, const svc_noun_info *list, const svc_id *parent, const svc_id *id, int64_t now,
                                svc_str address);
SVC_PRIVATE bool svc_usage_due(const svc *s, int64_t now);
SVC_PRIVATE void svc_usage_flush(svc *s, int64_t now);

/* A handle. */
struct svc {
  svc_config config;      /* strings are the handle's own */
  svc_allocator allocator;
  svc_arena memory;       /* what lives as long as the handle */
  svc_str base_url, vendor, base_path, base_path_v1, media_prefix; /* "/api/svc/v2", "application/vnd.svc." */
  svc_drbg *drbg;
  svc_commit commit;
  svc_set_row sets[SVC_SET_COUNT + 1]; /* with the overrides applied; the last one is the token endpoint's */
  svc_limiter *limiter;
  svc_noun_info *nouns;
  size_t noun_count;
  const svc_noun_info *group, *org, *feed, *quota, *key, *account, *token, *user, *team, *member, *policy;
  svc_digest *digest;
  svc_usage *usage;
  svc_plan *plans;
  size_t plan_count;
  svc_router *router;
};
SVC_PRIVATE int64_t svc_now(const svc *s); /* the configuration's clock */
SVC_PRIVATE void svc_log(const svc *s, int level, const char *format, ...) SVC_PRINTF(3, 4);

/* Who calls. */
typedef struct svc_held_table svc_held_table;
enum svc_who_kind { SVC_WHO_NOBODY, SVC_WHO_USER, SVC_WHO_KEY, SVC_WHO_ACCOUNT };
typedef struct svc_who {
  int kind; /* enum svc_who_kind */
  bool known;
  svc_str user_id;  /* 24 hex digits: of the user, the key or the account */
  svc_str username; /* the user's name, the public key, the client id */
  const svc_grant *grants; /* of whom the host vouches for, what it says that it holds */
  size_t grant_count;
  svc_str lines; /* of anybody else, what the store says: see credential.c */
  const svc_held_table *held; /* the same, once it is worth its making */
  unsigned questions;
  svc_id id, org; /* of a key or account: itself, and the organization it belongs to */
} svc_who;

/* credential.c: what a noun keeps of a credential in `extra`: bytes that verify it, and its roles as text, a line each:
** "ROLE id", "@organization id" for the roles of a team, or "? id" for an organization that invites its holder. */
SVC_PRIVATE svc_str svc_credential_pack(svc_arena *a, svc_str verifier, svc_str grants);
SVC_PRIVATE bool svc_credential_unpack(svc_str extra, svc_str *verifier, svc_str *grants);
SVC_PRIVATE svc_str svc_grants_of(const svc_entity *e); /* its lines; of who has none: empty */
SVC_PRIVATE void svc_grant_line(svc_buf *b, svc_str role, svc_str on);
SVC_PRIVATE bool svc_grants_have(svc_str grants, svc_str role, svc_str on); /* role empty: any; on empty: anywhere */
SVC_PRIVATE bool svc_grants_next(svc_str *rest, svc_str *role, svc_str *on);
SVC_PRIVATE bool svc_who_take_grants(svc_call *c, svc_str lines); /* these are the caller's */
SVC_PRIVATE const svc_noun_info *svc_who_noun(const svc_call *c); /* what credential the caller is; NULL: none */
/* An entity by its unique value, whatever its scope: keys, accounts, tokens. */
SVC_PRIVATE int svc_find_anywhere(svc_txn *txn, const svc_noun *noun, svc_str unique, svc_id *scope, svc_id *id);
/* A fresh secret of so many random bytes; and its salted hash, 16 bytes of salt and 32 of hash. */
SVC_PRIVATE bool svc_secret_bytes(svc_call *c, unsigned char *out, size_t n);
SVC_PRIVATE bool svc_secret_hash(svc_call *c, svc_str secret, unsigned char out[48]);
SVC_PRIVATE bool svc_secret_same(svc_str secret, const unsigned char hash[48]);
SVC_PRIVATE bool svc_digest_verifier(svc_call *c, svc_str public_key, svc_str private_key, unsigned char out[48]);

/* held.c: what the caller holds. */
typedef struct svc_held { /* a walk over all of it */
  svc_str role, on;  /* on empty: on everything; both are valid until the next step */
  bool by_team;
  svc_id via;        /* the organization of that team */
  const svc_id *only; /* teams of this organization only; NULL: all */
  size_t vouched;
  svc_str lines, team;
  char hex[24];
} svc_held;
SVC_PRIVATE void svc_held_begin(svc_call *c, svc_held *h, const svc_id *org);
SVC_PRIVATE bool svc_held_next(svc_call *c, svc_held *h);
SVC_PRIVATE uint64_t svc_roles_on(svc_call *c, const svc_id *group, const svc_id *org); /* either may be NULL */
SVC_PRIVATE bool svc_holds_any(svc_call *c, uint64_t wanted); /* one of these roles, wherever */
SVC_PRIVATE bool svc_holds_inside(svc_call *c, const svc_id *org); /* a role on one of its projects */

/* access.c: may a credential be used from there? */
SVC_PRIVATE svc_node *svc_access_shown(svc_call *c, const char *name); /* the caller's own list; NULL: no memory */
SVC_PRIVATE bool svc_access_allowed(svc_call *c, const svc_noun_info *noun, const svc_entity *credential);
/* For the nouns that are entries of such lists: their object, spell, POST (answers with the whole list) and removing. */
SVC_PRIVATE svc_str svc_access_spell(svc_call *c, svc_str text);
SVC_PRIVATE bool svc_access_add(svc_call *c);
SVC_PRIVATE bool svc_access_removing(svc_call *c, const svc_entity *e);
/* No credential takes its own last way in. The caller's organization is to ask for lists; and removing, for the nouns that
** are credentials, and for whatever leaves one without use. Both refuse. */
SVC_PRIVATE bool svc_access_requiring(svc_call *c);
SVC_PRIVATE bool svc_credential_removing(svc_call *c, const svc_entity *e);

/* grants.c: roles in bodies, and the same as lines. */
SVC_PRIVATE bool svc_keep_granted(svc_call *c, const svc_entity *e, void *on); /* keeps what has a role on this id, a svc_str */
SVC_PRIVATE svc_str svc_call_scope(svc_call *c, int *level); /* the path's project, else its organization: its id */
SVC_PRIVATE bool svc_roles_check(svc_call *c, const svc_node *roles, int level, const char *field); /* an array of names */
/* Is the credential with these roles the path's project's own, or the caller an owner of its organization? False: 403. */
SVC_PRIVATE bool svc_may_manage(svc_call *c, svc_str grants);
SVC_PRIVATE bool svc_may_grant(svc_call *c, svc_str before, svc_str after); /* in the path's project; false: 403 */
SVC_PRIVATE svc_str svc_grant_text(svc_call *c, svc_str role, svc_str on); /* a line by itself */
SVC_PRIVATE svc_str svc_grants_from(svc_call *c, const svc_node *names, svc_str on, svc_str others); /* others: kept lines */
SVC_PRIVATE svc_str svc_grants_without(svc_call *c, svc_str grants, svc_str on);
SVC_PRIVATE svc_str svc_grants_on(svc_call *c, svc_str grants, svc_str on);
SVC_PRIVATE svc_node *svc_grants_names(svc_call *c, svc_str grants, svc_str on, const char *name); /* an array of names */
SVC_PRIVATE svc_node *svc_grants_objects(svc_call *c, svc_str grants, const char *name); /* {groupId or orgId, roleName} */
SVC_PRIVATE svc_str svc_grants_minus(svc_call *c, svc_str grants, svc_str others); /* those that are not in both */
SVC_PRIVATE svc_str svc_grants_plus(svc_call *c, svc_str grants, svc_str others);  /* none twice */
SVC_PRIVATE bool svc_grants_same(svc_call *c, svc_str a, svc_str b); /* in whatever order */
/* The credential that has made this project owns it. A caller that is none, or owns it anyway: nothing. */
SVC_PRIVATE bool svc_grants_own(svc_call *c, const svc_id *org, const svc_id *group);
/* Keys and accounts of this organization lose their roles on a project that is no longer there. */
SVC_PRIVATE bool svc_grants_forget(svc_call *c, const svc_id *org, svc_str on);

/* member.c: people, and what they are in organizations. */
typedef struct svc_member {
  svc_id org;
  svc_entity user;   /* the person; strings are the arena's own */
  bool there;        /* a member, or invited */
  svc_entity entity; /* the membership, as it is stored; strings are the arena's own */
  svc_str status;    /* PENDING, ACTIVE, INVITATION_EXPIRED; empty: neither member nor invited */
  svc_str lines;     /* roles and teams in this organization and its projects */
} svc_member;

enum svc_line_class { SVC_LINE_ORG, SVC_LINE_GROUP, SVC_LINE_TEAM, SVC_LINE_INVITED };
SVC_PRIVATE int svc_line_class(svc_str role);
SVC_PRIVATE svc_str svc_team_line(svc_call *c, const svc_id *org, svc_str team); /* is in this team */
SVC_PRIVATE svc_str svc_member_line(svc_call *c, const svc_id *org);             /* the least that a member has */
SVC_PRIVATE svc_str svc_person_name(svc_call *c, svc_str name); /* as it is stored: names differ by more than case */
SVC_PRIVATE bool svc_person_find(svc_call *c, svc_str name, svc_entity *out, bool *found);
SVC_PRIVATE bool svc_person_make(svc_call *c, svc_str name, svc_entity *out); /* known by name, not registered */
SVC_PRIVATE bool svc_person_registered(const svc_entity *person);
SVC_PRIVATE bool svc_person_store(svc_call *c, svc_entity *person, const svc_node *body, bool registered, svc_str lines);
/* With the roles that the caller may see; NULL: it may not see the person, unless it has just `made` it. */
SVC_PRIVATE svc_node *svc_person_view(svc_call *c, const svc_entity *person, bool made);
SVC_PRIVATE bool svc_member_get(svc_call *c, const svc_id *org, const svc_id *user, svc_member *out); /* see `there` */
SVC_PRIVATE bool svc_member_named(svc_call *c, const svc_id *org, svc_str name, svc_member *out);
SVC_PRIVATE bool svc_member_put(svc_call *c, svc_member *m, svc_str status, svc_str lines); /* also the first time */
SVC_PRIVATE bool svc_member_remove(svc_call *c, svc_member *m);
/* Into the organization, with these lines; `invite`: also who is registered is only invited. 409: is there already. */
SVC_PRIVATE bool svc_member_add(svc_call *c, const svc_id *org, svc_str name, svc_str lines, bool invite, svc_member *out);
/* Into a project: members at once, others by an invitation to its organization. */
SVC_PRIVATE bool svc_member_join(svc_call *c, const svc_id *group, const svc_id *org, const svc_node *request, bool invite,
                                 svc_member *out);
SVC_PRIVATE svc_node *svc_member_view(svc_call *c, const svc_id *org, const svc_entity *e);
SVC_PRIVATE bool svc_member_group(svc_call *c, const svc_id *org, svc_str on, svc_id *group); /* a project of this one? */
/* Invitations to the path's project, or its organization: who is PENDING, and has roles there. They are found by the id
** of the path, else by the username of the body; a view is made for the project or organization `to` with this id. */
SVC_PRIVATE bool svc_invitation_find(svc_call *c, svc_member *m);
SVC_PRIVATE bool svc_invitation_list(svc_call *c, svc_node *(*view)(svc_call *c, const svc_entity *e, void *context));
SVC_PRIVATE svc_node *svc_invitation_view(svc_call *c, const svc_noun_info *to, const svc_id *id, const svc_entity *e);
SVC_PRIVATE svc_node *svc_invitation_check(svc_call *c, const svc_node *view); /* the body, without what it leaves; NULL: bad */
SVC_PRIVATE bool svc_invitation_answer(svc_call *c, const svc_member *m, svc_node *view);
/* People and teams of this organization lose what they have on this id: a team, or a project that leaves. */
SVC_PRIVATE bool svc_member_forget(svc_call *c, const svc_id *org, svc_str on);
/* Who made it owns it: this person the new organization, or (if a member) the new project in it. Others: nothing. */
SVC_PRIVATE bool svc_member_own(svc_call *c, const svc_id *org, const svc_id *group, const svc_id *user, bool *owns);
/* Lines with those of one class replaced by what a body says; false: refused. */
SVC_PRIVATE bool svc_lines_org(svc_call *c, const svc_id *org, const svc_node *names, const char *field, svc_str *lines);
SVC_PRIVATE bool svc_lines_groups(svc_call *c, const svc_id *org, const svc_node *list, const char *names, svc_str *lines);
SVC_PRIVATE bool svc_lines_teams(svc_call *c, const svc_id *org, const svc_node *ids, svc_str *lines);

/* One value of a query parameter. */
typedef struct svc_query_value {
  const svc_param *param;
  svc_str text;   /* decoded */
  int64_t number; /* integer, date in milliseconds, 0 or 1 */
} svc_query_value;

/* A violation found in a body. */
typedef struct svc_violation {
  svc_str field;       /* full path: "replicationSpecs[0].regionConfigs[1].priority" */
  svc_str description;
  int code;            /* SVC_E_... */
  struct svc_violation *next;
} svc_violation;

/* A change about to be stored, as the prepare hooks see it. */
struct svc_change {
  const svc_noun_info *noun;
  svc_entity entity;     /* as it was found; of a singleton that was never changed: its defaults */
  bool stored;           /* it was found in the store */
  const svc_entity *old; /* NULL: a create */
  const svc_node *before; /* the body as it is stored; NULL: a create */
  svc_node *body;         /* as it shall be stored: hooks may change it */
  const svc_node *input;  /* as it was sent */
  svc_id id, owner;
  svc_id parent;          /* of a create: zero: the last entity of the path */
  const char *event;      /* the event to be written; a hook may choose another one, or NULL for none */
  const char *state;      /* the state it goes into; a hook may set NULL: it stays as it is */
  int64_t due;            /* a hook may set when the state moves on, whatever the table says; < 0: never */
  svc_str extra;          /* what is kept beside the body; a hook may set it */
  bool unseen;            /* only what is beside the body changed */
  svc_str pending;        /* what an operation hands to its noun's prepare hook */
  svc_str key;            /* a hook may say how a path names it, where that is no field of its own */
};

/* What a call answers, before it is written out. */
typedef struct svc_answer {
  int status;
  svc_str body;      /* JSON without links; p NULL: no body */
  size_t links_at;
  uint64_t revision; /* 0: no ETag */
  const svc_template *links;
  svc_str own, owner, unique; /* for the holes; parents are the chain's keys */
  bool whole;        /* the body is complete: a list, or an error */
  svc_str kept;      /* p not NULL: what Idempotency-Key keeps in place of a body that shows a secret */
  size_t kept_links_at;
  bool secret;       /* it shows one: not for keeping */
} svc_answer;

struct svc_call {
  svc *s;
  const svc_request *request;
  svc_arena *arena;
  int64_t now;

  /* request line and headers */
  int method; /* enum svc_method */
  bool head, v1;
  svc_str path, query_text; /* path: as sent, without the query */
  svc_str accept, content_type, if_match, if_none_match, retry_key, authorization;
  svc_str peer;

  /* route */
  const svc_plan *plan;
  svc_str params[SVC_MAX_PARAMS], raw_params[SVC_MAX_PARAMS]; /* decoded, and as they were sent */
  unsigned allowed; /* methods of the path, as bits */

  svc_who who;
  unsigned version; /* 20250312 */
  svc_tokens tokens;
  bool limited;

  /* query */
  int64_t page, per_page;
  bool include_count, envelope, pretty;
  svc_query_value *query;
  size_t query_count;

  /* body */
  svc_node *body;    /* as it was sent */
  svc_node *checked; /* of a POST: checked, with defaults */
  bool consumed;     /* and changed since */

  /* store */
  svc_txn *txn;
  unsigned resolved; /* steps of the chain that hold in this transaction */
  svc_entity chain[SVC_MAX_CHAIN];
  svc_str owner_key; /* with plan->item_by_owner: of that organization */

  svc_answer answer;

  const char *oauth_error; /* the answer is an error of the OAuth shape, with error_detail as its description */

  /* an error: code and parameters; svc_fail() sets it */
  int error;
  svc_str error_params[5]; /* JSON texts */
  unsigned error_param_count;
  svc_str error_detail; /* n 0: from the table */
  svc_violation *violations, *violations_last;
  unsigned violation_count;

  svc_str challenge;
  svc_header *headers;
  size_t header_count;
};

/* A call of the service's own, for work that no request asked for; free the arena's blocks afterwards. */
SVC_PRIVATE void svc_own_call(svc_call *c, svc *s, svc_arena *arena, svc_txn *txn, int64_t now); /* behave.c */

/* errors.c */
SVC_PRIVATE int svc_error_status(int code);
SVC_PRIVATE const char *svc_error_name(int code);
SVC_PRIVATE const char *svc_error_detail(int code);
/* Refuse: set the error with its parameters and return false. Format: one letter a parameter: s const char *, S svc_str
** by pointer, i int64_t by pointer. */
SVC_PRIVATE bool svc_fail(svc_call *c, int code, const char *format, ...);
SVC_PRIVATE void svc_violate(svc_call *c, int code, svc_str path, const char *format, ...) SVC_PRINTF(4, 5);
SVC_PRIVATE svc_str svc_error_document(svc_call *c);

/* the steps, in the order of the request; each true, or false with the error set */
SVC_PRIVATE bool svc_step_request(svc_call *c);    /* request.c */
SVC_PRIVATE bool svc_step_route(svc_call *c);      /* route.c */
SVC_PRIVATE bool svc_step_caller(svc_call *c);     /* caller.c */
SVC_PRIVATE bool svc_step_version(svc_call *c);    /* version.c */
SVC_PRIVATE bool svc_step_limiter(svc_call *c);    /* limiter.c */
SVC_PRIVATE bool svc_step_permission(svc_call *c); /* permission.c */
SVC_PRIVATE bool svc_step_query(svc_call *c);      /* query.c */
SVC_PRIVATE bool svc_step_body(svc_call *c);       /* body.c */
SVC_PRIVATE bool svc_step_behave(svc_call *c);     /* behave.c */
SVC_PRIVATE bool svc_behave_in(svc_call *c, svc_txn *txn); /* the same, as a part of somebody else's write transaction */
SVC_PRIVATE void svc_step_respond(svc_call *c, svc_response *response); /* respond.c */

/* digest.c */
SVC_PRIVATE bool svc_digest_caller(svc_call *c);
SVC_PRIVATE bool svc_digest_challenge(svc_call *c, bool stale); /* 401 with a challenge; false */

/* permission.c */
SVC_PRIVATE bool svc_lacks_role(svc_call *c, uint64_t wanted); /* 403 that names them; false */
SVC_PRIVATE bool svc_entity_visible(svc_call *c, const svc_noun_info *noun, const svc_entity *e);
/* Has the caller any part in the last of the organizations and projects with which the path begins? c->error: there is none. */
SVC_PRIVATE bool svc_takes_part(svc_call *c, unsigned scopes, uint64_t *roles);

/* resolve.c: the entities that the path names. */
SVC_PRIVATE bool svc_begin_read(svc_call *c); /* unless a transaction is open */
SVC_PRIVATE void svc_end_read(svc_call *c);
SVC_PRIVATE bool svc_resolve(svc_call *c, unsigned steps); /* false: 404 is set, or the store failed */
SVC_PRIVATE bool svc_resolve_all(svc_call *c);
SVC_PRIVATE const svc_entity *svc_parent_of_call(const svc_call *c); /* NULL: none */
SVC_PRIVATE svc_id svc_call_group(const svc_call *c); /* of the path; zero: none */
SVC_PRIVATE svc_id svc_call_org(const svc_call *c);   /* of the path, or the one that owns its project */
SVC_PRIVATE bool svc_not_found(svc_call *c, const svc_noun_info *noun, unsigned step, svc_str key);
SVC_PRIVATE bool svc_store_failed(svc_call *c, int status); /* the error for what the store said; false */

/* query.c */
SVC_PRIVATE const svc_query_value *svc_query_get(const svc_call *c, const char *name); /* the first; NULL: not given */
SVC_PRIVATE bool svc_query_has(const svc_call *c, const char *name, svc_str value); /* one of a repeated one */

/* check.c: a body against the table of its fields. */
enum svc_check_mode { SVC_CHECK_CREATE, SVC_CHECK_UPDATE, SVC_CHECK_REPLACE };
/* The body as it shall be stored; NULL: violations were found, or there is no memory. `before` NULL: there is none. */
SVC_PRIVATE svc_node *svc_check(svc_call *c, const svc_object *object, const svc_node *input, const svc_node *before,
                                int mode);
SVC_PRIVATE svc_node *svc_check_array(svc_call *c, const svc_object *object, const svc_node *input); /* an array of them */
SVC_PRIVATE bool svc_check_done(svc_call *c); /* false with the error when there were violations */
SVC_PRIVATE svc_node *svc_presets(svc_arena *a, const svc_object *object); /* an object with nothing but its defaults */
typedef struct svc_fields {
  const svc_object *level[3];
  const svc_field *at[3];
  int count;
} svc_fields;
SVC_PRIVATE void svc_fields_begin(svc_fields *f, const svc_object *object);
SVC_PRIVATE const svc_field *svc_fields_next(svc_fields *f); /* in the order of names, base objects merged in */
SVC_PRIVATE const svc_field *svc_field_named(const svc_object *object, svc_str name); /* NULL: it has none */

/* links.c */
SVC_PRIVATE void svc_template_write(svc_buf *b, const svc_template *t, const svc_call *c, const svc_answer *answer);
SVC_PRIVATE size_t svc_template_size(const svc_template *t, const svc_call *c, const svc_answer *answer);
SVC_PRIVATE int svc_links_open(svc *s);

/* verbs.c: what most operations are. Each serves one request inside of its transaction. */
SVC_PRIVATE bool svc_verb_list(svc_call *c);
SVC_PRIVATE bool svc_verb_read(svc_call *c);
SVC_PRIVATE bool svc_verb_create(svc_call *c);
SVC_PRIVATE bool svc_verb_update(svc_call *c);  /* PATCH: merges */
SVC_PRIVATE bool svc_verb_replace(svc_call *c); /* PUT */
SVC_PRIVATE bool svc_verb_delete(svc_call *c);
/* For the functions of a noun: */
SVC_PRIVATE uint64_t svc_body_revision(svc_str body); /* the ETag of what is not stored */
SVC_PRIVATE bool svc_if_match(svc_call *c, uint64_t revision); /* false: 412 */
SVC_PRIVATE bool svc_if_match_view(svc_call *c, const svc_node *view); /* the same, of a body made for the request */
SVC_PRIVATE bool svc_answer_entity(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_answer_view(svc_call *c, const svc_entity *e, svc_node *view); /* it, as it is seen here; NULL: 503 */
SVC_PRIVATE void svc_answer_keep(svc_call *c);                   /* Idempotency-Key keeps what is answered so far, no more */
SVC_PRIVATE uint64_t svc_count_below(svc_txn *txn, const svc_noun *noun, const svc_id *above); /* a parent, or an owner */
SVC_PRIVATE bool svc_answer_body(svc_call *c, svc_node *body);   /* another body for the entity that was answered */
SVC_PRIVATE bool svc_answer_nothing(svc_call *c);                /* 204, or what the route says */
SVC_PRIVATE bool svc_answer_node(svc_call *c, svc_node *body); /* a computed entity, with the links of its route */
SVC_PRIVATE svc_node *svc_entity_body(svc_call *c, const svc_entity *e); /* parsed */
/* A stored entity with another body and due time, and nothing else: no hook, no event. */
SVC_PRIVATE bool svc_rewrite(svc_call *c, const svc_entity *stored, const svc_node *body, int64_t due);
SVC_PRIVATE bool svc_insert(svc_call *c, svc_change *change, svc_entity *out); /* a create, checked and prepared */
/* An action that changes the entity of its path: begin, change change->body, store; that also answers with the entity. */
SVC_PRIVATE bool svc_change_begin(svc_call *c, svc_change *change);
SVC_PRIVATE bool svc_change_store(svc_call *c, svc_change *change);
/* Another entity changes along with it: what is pending goes through its prepare hook. No event, and it is not answered. */
SVC_PRIVATE bool svc_change_aside(svc_call *c, const svc_noun_info *noun, const svc_entity *stored, svc_str pending);
SVC_PRIVATE bool svc_erase(svc_call *c, const svc_noun_info *noun, const svc_entity *e); /* it and all below it */

/* list.c: pages. */
typedef struct svc_item {
  svc_str key;  /* percent-encoded; empty: it has no link */
  svc_str body; /* JSON object without links */
  size_t links_at;
} svc_item;
/* Gives the items one by one, in order; false: no more, or c->error is set. Filters by going on to the next. With `out`
** NULL the item is only passed over. */
typedef bool (*svc_item_source)(svc_call *c, void *state, svc_item *out);
SVC_PRIVATE bool svc_list_items(svc_call *c, svc_item_source source, void *state, int64_t total); /* total < 0: unknown */
SVC_PRIVATE void svc_item_node(svc_call *c, svc_item *item, svc_str key, const svc_node *body);
/* The stored entities of a noun below a parent (or owner), as a source. Filter NULL: all. */
SVC_PRIVATE bool svc_list_entities(svc_call *c, const svc_noun_info *noun, const svc_id *parent, bool owned,
                                   bool (*keep)(svc_call *c, const svc_entity *e, void *context), void *context);

/* openapi.c */
SVC_PRIVATE svc_str svc_openapi_document(const svc *s, svc_arena *a);

/* The same, each shown as `view` makes of it; NULL from it: out of memory, or c->error is set. */
SVC_PRIVATE bool svc_list_views(svc_call *c, const svc_noun_info *noun, const svc_id *parent,
                                bool (*keep)(svc_call *c, const svc_entity *e, void *context),
                                svc_node *(*view)(svc_call *c, const svc_entity *e, void *context), void *context);

/* lifecycle.c */
SVC_PRIVATE const svc_step *svc_step_from(const svc_noun *noun, svc_str state);
SVC_PRIVATE int64_t svc_step_due(const svc *s, const svc_noun *noun, svc_str state, int64_t now); /* 0: it stays */
SVC_PRIVATE int svc_apply_due(svc *s, int64_t now);

/* event.c */
SVC_PRIVATE bool svc_event_write(svc_call *c, const char *type, const svc_id *group, const svc_id *org, const char *field,
                                 svc_str value); /* into the project's feed; group NULL: the organization's */
SVC_PRIVATE bool svc_event_about(svc_call *c, const svc_noun_info *noun, const svc_entity *e, const char *type, bool gone);

/* A row of catalog/event_type_list.h. Zeroed, it stands before the first. */
typedef struct svc_event_type {
  size_t number; /* from 1 */
  const char *name, *description;
  int where; /* enum svc_event_where */
  bool alertable;
} svc_event_type;

SVC_PRIVATE bool svc_event_type_next(svc_event_type *t);

/* caller.c */
SVC_PRIVATE svc_str svc_token_name(svc_arena *a, svc_str token);
SVC_PRIVATE bool svc_basic_credentials(svc_call *c, svc_str *user, svc_str *password);

/* retry.c: Idempotency-Key. */
SVC_PRIVATE bool svc_retry_before(svc_call *c, bool *answered);
SVC_PRIVATE bool svc_retry_after(svc_call *c);
SVC_PRIVATE bool svc_retry_expire(svc_txn *txn, const char *kind, const svc_id *parent, const svc_id *id); /* false: not mine */

/* ============================================================================================================= catalog */

SVC_PRIVATE const svc_noun *const *svc_catalog(size_t *count); /* written by the fold: every noun file */

/* sets.c, roles.c, event_types.c */
SVC_PRIVATE const svc_set_row *svc_set_table(void);
SVC_PRIVATE size_t svc_set_id(int set, char *out, size_t size);
SVC_PRIVATE int svc_role_by_name(svc_str name);
SVC_PRIVATE uint64_t svc_role_includes(int role);
SVC_PRIVATE const char *svc_role_name(int role);
SVC_PRIVATE const char *svc_role_title(int role);
SVC_PRIVATE int svc_role_level(int role); /* SVC_SCOPE_ORGANIZATION or SVC_SCOPE_GROUP */

#endif /* SVC_INTERNAL_H */

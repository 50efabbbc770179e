/*
** base: memory, text, JSON, dates, ids. base knows nothing of HTTP, of stores or of this API.
*/
#ifndef SVC_BASE_H
#define SVC_BASE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* flock, mkdtemp, clock_gettime under -std=c11 */
#endif

#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64 /* 32-bit machines: stat() must not fail for a file with a large inode number */
#endif

#ifndef __USE_MINGW_ANSI_STDIO
#define __USE_MINGW_ANSI_STDIO 1 /* MinGW: printf() as C has it, with %zu and %llu */
#endif

#include "svcapi.h"
#include "base/atomic.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the folded file every private function is static; compiled part by part it cannot be. */
#if defined(SVC_SPLIT)
#define SVC_PRIVATE
#elif defined(__GNUC__)
#define SVC_PRIVATE static __attribute__((unused))
#else
#define SVC_PRIVATE static
#endif

/* Data of one part that others use: defined first in the fold, declared when compiled part by part. */
#if defined(SVC_SPLIT)
#define SVC_DECLARE(declaration) extern declaration;
#else
#define SVC_DECLARE(declaration)
#endif

#if defined(__MINGW32__) && defined(__GNUC__) && !defined(__clang__)
#define SVC_PRINTF(f, a) __attribute__((format(gnu_printf, f, a))) /* "printf" there means Microsoft's, without %zu */
#elif defined(__GNUC__)
#define SVC_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define SVC_PRINTF(f, a)
#endif

/* A condition that should never (or always) be true, checked in case we are mistaken. Test builds (SVC_SPLIT) abort when it does not hold;
** builds that count branches (SVC_COUNTED) leave it out, since no test can reach the other side; all other builds evaluate it and take the
** safe path. x must have no side effects. Damaged stores, hosts and drivers can cause real errors: handle and test those instead. */
#if defined(SVC_COUNTED)
#define SVC_NEVER(x) (0 && (x))
#define SVC_ALWAYS(x) (1 || (x))
#elif defined(SVC_SPLIT)
#define SVC_NEVER(x) ((x) ? (fprintf(stderr, "%s:%d: never: %s\n", __FILE__, __LINE__, #x), abort(), true) : false)
#define SVC_ALWAYS(x) (!SVC_NEVER(!(x)))
#else
#define SVC_NEVER(x) (x)
#define SVC_ALWAYS(x) (x)
#endif

/* Eight bytes in little-endian order: one load or store on most machines. */
static inline uint64_t svc_load64(const void *p)
{
  uint64_t v;
  memcpy(&v, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return v;
}

static inline void svc_store64(void *p, uint64_t v)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  memcpy(p, &v, 8);
}

/* A slice of text: not owned, not NUL-terminated unless said so. */
typedef struct svc_str {
  const char *p;
  size_t n;
} svc_str;

#define SVC_S(literal) ((svc_str){ "" literal, sizeof literal - 1 })
#define SVC_FMT "%.*s"
/* Two arguments for SVC_FMT. The slice must be a variable: a call would run twice, so it fails to compile. */
#define SVC_ARG(s) (int)(&(s))->n, (s).p

/* str.c */
SVC_PRIVATE svc_str svc_str_c(const char *text);                    /* NULL gives an empty slice */
SVC_PRIVATE svc_str svc_str_n(const char *text, size_t n);          /* n 0: NUL-terminated */
SVC_PRIVATE bool svc_str_eq(svc_str a, svc_str b);
SVC_PRIVATE int svc_str_order(svc_str a, svc_str b); /* by bytes; a prefix sorts before the longer text */
SVC_PRIVATE bool svc_str_is(svc_str a, const char *text);
SVC_PRIVATE bool svc_str_is_nocase(svc_str a, const char *text);    /* ASCII */
SVC_PRIVATE bool svc_str_starts(svc_str a, const char *prefix);
SVC_PRIVATE svc_str svc_str_trim(svc_str a);                        /* spaces and tabs at both ends */
SVC_PRIVATE svc_str svc_str_cut(svc_str *rest, char at);            /* returns the text before `at`; rest continues behind it */
SVC_PRIVATE bool svc_str_i64(svc_str a, int64_t *out);              /* all of it a decimal integer in range */
SVC_PRIVATE size_t svc_utf8_length(svc_str a);                      /* code points, of valid UTF-8 */
SVC_PRIVATE bool svc_utf8_valid(svc_str a);

/* near.c: "did you mean?" Begin with the misspelt word, try every known word, then read `best` (NULL: no word is near). */
typedef struct svc_near {
  svc_str word;
  const char *best;
  size_t limit; /* the next candidate's distance must be below this */
} svc_near;
SVC_PRIVATE svc_near svc_near_begin(svc_str word);
SVC_PRIVATE void svc_near_try(svc_near *guess, const char *known);

/* arena.c: all memory of one request. A failed allocation is remembered, so callers may check once at the end. */
typedef struct svc_block svc_block;
typedef void svc_wiper(void *p, size_t n); /* svc_wipe, which a port provides */
typedef struct svc_arena {
  svc_allocator allocator;
  svc_block *blocks; /* newest first; svc_response.memory */
  char *next, *end;
  bool failed;
  svc_wiper *wipe; /* wipes the blocks when they are freed, because they hold a secret; NULL: no secret */
} svc_arena;

SVC_PRIVATE void svc_arena_init(svc_arena *a, const svc_allocator *allocator);
SVC_PRIVATE void *svc_arena_alloc(svc_arena *a, size_t size);       /* aligned; NULL if out of memory */
SVC_PRIVATE void *svc_arena_zero(svc_arena *a, size_t size);
SVC_PRIVATE svc_str svc_arena_copy(svc_arena *a, svc_str text);     /* NUL-terminated; empty if out of memory */
SVC_PRIVATE svc_str svc_arena_print(svc_arena *a, const char *format, ...) SVC_PRINTF(2, 3);
SVC_PRIVATE void svc_arena_reserve(svc_arena *a, size_t size);      /* makes room for later allocations in one block */
SVC_PRIVATE size_t svc_arena_size(const svc_arena *a);               /* bytes that the arena has from its allocator */
SVC_PRIVATE void svc_arena_wipes(svc_arena *a, svc_wiper *wipe);    /* wipe all blocks, present and later, before they are freed */
SVC_PRIVATE void svc_blocks_free(svc_block *blocks);

/* Constant bytes that several arenas hold, and other owners: the last one frees them. They hold no secret, and outlive a handle. */
typedef struct svc_shared svc_shared;
/* `*bytes` has room for n bytes, which the caller fills in before others see them. NULL: out of memory. The caller owns the result. */
SVC_PRIVATE svc_shared *svc_shared_new(const svc_allocator *allocator, size_t n, char **bytes);
SVC_PRIVATE void svc_shared_leave(svc_shared *shared); /* NULL is allowed */
/* The bytes live at least as long as the arena's blocks. False: out of memory. */
SVC_PRIVATE bool svc_arena_hold(svc_arena *a, svc_shared *shared);

/* buf.c: text that grows in an arena. A failure is remembered; later writes are ignored. */
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

/* Returns n bytes for the caller to fill, or NULL if the buffer failed. Inline, because every write passes through it. */
static inline char *svc_buf_room(svc_buf *b, size_t n)
{
  char *p;
  if (b->failed || (b->capacity - b->n < n && !svc_buf_grow(b, n))) return NULL;
  p = b->p + b->n;
  b->n += n;
  return p;
}

/* uri.c */
SVC_PRIVATE bool svc_percent_decode(svc_arena *a, svc_str in, bool plus_is_space, svc_str *out); /* false: malformed, or out of memory */
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
SVC_PRIVATE int64_t svc_id_second(const svc_id *id); /* creation time, seconds since 1970 */
/* The id after `last` at this time: greater than it, in the second of `now_ms` unless the clock stepped back. */
SVC_PRIVATE svc_id svc_id_next(const svc_id *last, int64_t now_ms, const unsigned char random[8]);
SVC_PRIVATE svc_id svc_id_after(const svc_id *id, uint64_t by); /* the id `by` steps further */

/* sip.c */
/* FNV-1a, from SVC_FNV on over several texts in turn. Only for data where a caller gains nothing from collisions. */
#define SVC_FNV 0xcbf29ce484222325u
SVC_PRIVATE uint64_t svc_fnv(uint64_t hash, svc_str text);
SVC_PRIVATE uint64_t svc_sip(const uint64_t key[2], svc_str text); /* SipHash-2-4 */
SVC_PRIVATE void svc_sip_128(const uint64_t key[2], svc_str text, uint64_t hash[2]); /* the same with 128 bits */

/* gzip.c */
SVC_PRIVATE svc_str svc_gzip(svc_arena *a, svc_str bytes); /* a stream of stored blocks */

/* date.c: milliseconds since 1970-01-01T00:00:00Z. */
#define SVC_DAY_MS INT64_C(86400000)
SVC_PRIVATE bool svc_date_parse(svc_str text, int64_t *ms); /* ISO 8601, no zone means UTC; impossible dates refused */
SVC_PRIVATE bool svc_day_parse(svc_str text, unsigned *yyyymmdd); /* "2025-03-12" gives 20250312; a real day only */
SVC_PRIVATE void svc_date_text(int64_t ms, char out[21]); /* "2025-03-12T08:00:00Z" and a NUL */
SVC_PRIVATE void svc_http_date(int64_t ms, char out[30]); /* "Wed, 12 Mar 2025 08:00:00 GMT" and a NUL */
SVC_PRIVATE int64_t svc_day_ms(unsigned yyyymmdd);        /* midnight of this day */
/* Adds (or subtracts) months: the same time on the same day, or on the last day of a shorter month. */
SVC_PRIVATE int64_t svc_months_on(int64_t from, int64_t months);
SVC_PRIVATE bool svc_duration_parse(svc_str text, int64_t *months, int64_t *ms); /* "P1DT12H" as months and milliseconds */

/* pattern.c, format.c */
/* Forms of a string that a pattern cannot express (base/format.c). */
enum svc_format {
  SVC_FORMAT_NONE,
  SVC_FORMAT_ID, /* 24 hex digits */
  SVC_FORMAT_IP,
  SVC_FORMAT_CIDR,
  SVC_FORMAT_IP_OR_CIDR,
  SVC_FORMAT_EMAIL,
  SVC_FORMAT_UUID,
  SVC_FORMAT_URI,
  SVC_FORMAT_DAY, /* YYYY-MM-DD */
  SVC_FORMAT_TRIMMED, /* no space at either end */
  SVC_FORMAT_DOMAIN,
  /* Formats of 64-bit integers whose bounds are too large for the columns of a row. MILLIS: with SVC_MIN only; FIGURE: with both */
  SVC_FORMAT_MILLIS, /* milliseconds since 1970, from 2008 on: no data is older */
  SVC_FORMAT_FIGURE  /* from 0 to 1,000,000,000,000: sums of millions of them do not overflow */
};

SVC_PRIVATE bool svc_pattern_match(const char *pattern, svc_str text);
SVC_PRIVATE bool svc_pattern_valid(const char *pattern); /* for patterns that users write */
/* Patterns that users write. A compiled pattern runs against a budget that its caller may share between many runs. */
typedef struct svc_pattern svc_pattern;
SVC_PRIVATE size_t svc_pattern_steps(const char *pattern); /* size of the compiled pattern; 0: the pattern is invalid */
/* The compiled pattern keeps a pointer to the text of the pattern. NULL: invalid pattern, or out of memory (a->failed). */
SVC_PRIVATE svc_pattern *svc_pattern_compile(svc_arena *a, const char *pattern);
/* Subtracts the steps of this run from *budget. When the budget drops below 0 the run stops early, and the result (false) is unreliable. */
SVC_PRIVATE bool svc_pattern_run(const svc_pattern *pattern, svc_str text, int64_t *budget);
SVC_PRIVATE bool svc_format_check(int format, svc_str text); /* enum svc_format */
SVC_PRIVATE const char *svc_format_name(int format);         /* for error texts: "an IP address" */

/* address.c */
typedef struct svc_address {
  unsigned char b[16]; /* IPv4 as ::ffff:a.b.c.d */
  unsigned char bits;  /* prefix length; 128: one address */
} svc_address;
SVC_PRIVATE bool svc_address_parse(svc_str text, svc_address *out); /* an address, or a range with "/"; bits behind the prefix are
                                                                       cleared */
SVC_PRIVATE bool svc_address_within(const svc_address *one, const svc_address *range);
SVC_PRIVATE svc_str svc_address_text(svc_arena *a, const svc_address *address); /* canonical form; a single address has no "/" */
SVC_PRIVATE svc_str svc_address_spell(svc_arena *a, svc_str text); /* canonical form; a text that is not an address is returned unchanged */

/* Longest path of keys and indexes of a value, in bytes as the parser (ports/frozen.c) counts them; the gate refuses longer ones. */
#define SVC_JSON_MAX_PATH 255

/* json_gate.c: strict RFC 8259; every text from outside passes it first. */
typedef struct svc_json_fault {
  size_t at;        /* byte position */
  const char *what; /* a constant */
} svc_json_fault;

/* Checks the text in one pass without recursion. False: *fault is set. Scratch memory for the duplicate-key check comes from the arena; if
** that runs out, arena->failed is set and the text is refused. */
SVC_PRIVATE bool svc_json_gate(svc_arena *a, svc_str text, size_t max_depth, svc_json_fault *fault);

/* json_node.c: a JSON value in memory, built for writes and a few reads. */
enum svc_json_type { SVC_J_NULL, SVC_J_BOOL, SVC_J_NUMBER, SVC_J_STRING, SVC_J_OBJECT, SVC_J_ARRAY,
                     SVC_J_TEXT /* for output only: the text is JSON already */ };

typedef struct svc_node svc_node;
struct svc_node {
  int type;     /* enum svc_json_type */
  svc_str name; /* in an object: its key, unescaped */
  svc_str text; /* string: unescaped UTF-8; number: as written; boolean: "true" or "false" */
  svc_node *first, *last, *next;
};

SVC_PRIVATE svc_node *svc_node_new(svc_arena *a, int type, svc_str name, svc_str text); /* NULL: out of memory */
/* Empty object or array; name NULL: not a member of an object. The name is not copied. NULL: out of memory. */
SVC_PRIVATE svc_node *svc_node_object(svc_arena *a, const char *name);
SVC_PRIVATE svc_node *svc_node_array(svc_arena *a, const char *name);
SVC_PRIVATE void svc_node_append(svc_node *parent, svc_node *child);
SVC_PRIVATE svc_node *svc_node_get(const svc_node *object, const char *name); /* NULL: no such member, or not an object */
SVC_PRIVATE svc_node *svc_node_find(const svc_node *object, svc_str name);
SVC_PRIVATE svc_node *svc_node_copy(svc_arena *a, const svc_node *node);
SVC_PRIVATE bool svc_node_same(const svc_node *a, const svc_node *b); /* ignores the order of keys; compares numbers by value */
SVC_PRIVATE svc_node *svc_node_first(const svc_node *node); /* first element or member; NULL: empty, or node is NULL */
SVC_PRIVATE size_t svc_node_count(const svc_node *node);
/* Arrays of strings: whether the array contains the text; append a text, which is not copied. False: out of memory. */
SVC_PRIVATE bool svc_node_has_str(const svc_node *array, svc_str text);
SVC_PRIVATE bool svc_node_add_str(svc_arena *a, svc_node *array, svc_str text);
/* Sets or replaces a member. Members stay sorted by name. */
SVC_PRIVATE void svc_node_put(svc_arena *a, svc_node *object, svc_node *member);
SVC_PRIVATE void svc_node_set_str(svc_arena *a, svc_node *object, const char *name, svc_str value);
SVC_PRIVATE void svc_node_set_text(svc_arena *a, svc_node *object, const char *name, const char *value); /* value NULL: an empty string */
/* Copies a string member of another object; an empty string if that has none. */
SVC_PRIVATE void svc_node_set_from(svc_arena *a, svc_node *object, const char *name, const svc_node *from, const char *member);
/* Copies any member of another object; sets nothing if that has none. */
SVC_PRIVATE void svc_node_set_copy(svc_arena *a, svc_node *object, const char *name, const svc_node *from, const char *member);
SVC_PRIVATE void svc_node_set_id(svc_arena *a, svc_node *object, const char *name, const svc_id *id);
SVC_PRIVATE void svc_node_set_date(svc_arena *a, svc_node *object, const char *name, int64_t ms); /* in UTC, to the second */
SVC_PRIVATE void svc_node_set_i64(svc_arena *a, svc_node *object, const char *name, int64_t value);
SVC_PRIVATE void svc_node_set_bool(svc_arena *a, svc_node *object, const char *name, bool value);
SVC_PRIVATE void svc_node_drop(svc_node *object, const char *name);
SVC_PRIVATE svc_str svc_node_str(const svc_node *object, const char *name); /* a string member; empty if missing */
SVC_PRIVATE bool svc_node_is(const svc_node *object, const char *name, const char *text); /* whether that string member equals text */
SVC_PRIVATE bool svc_node_eq(const svc_node *object, const char *name, svc_str text);
SVC_PRIVATE bool svc_node_bool(const svc_node *object, const char *name, bool otherwise);
SVC_PRIVATE int64_t svc_node_i64(const svc_node *object, const char *name, int64_t otherwise);
/* The same, but also `otherwise` for a number outside of least..most, which a damaged store may hold: code must not calculate with it. */
SVC_PRIVATE int64_t svc_node_i64_within(const svc_node *object, const char *name, int64_t otherwise, int64_t least, int64_t most);
SVC_PRIVATE void svc_node_write(svc_buf *b, const svc_node *node); /* compact, members in their present order */
/* The same; returns the position at which a member of that name belongs in the sorted output. */
SVC_PRIVATE size_t svc_node_write_for(svc_buf *b, const svc_node *node, svc_str name);

/* json_text.c */
SVC_PRIVATE void svc_json_escape(svc_buf *b, svc_str text); /* with the quotes around */
SVC_PRIVATE size_t svc_json_plain(const char *p, size_t n, bool ascii); /* number of leading bytes that need no escape */
SVC_PRIVATE bool svc_json_unescape(svc_arena *a, svc_str raw, svc_str *out); /* raw: between the quotes, gate-checked */
SVC_PRIVATE void svc_json_pretty(svc_buf *b, svc_str compact); /* two spaces a level, a newline at the end */
/* The text of a member's value in a compact object, found without parsing; n 0: no such member. Names without escapes only. */
SVC_PRIVATE svc_str svc_json_member(svc_str object, svc_str name);
/* the position behind the value that begins at p, in compact JSON */
SVC_PRIVATE const char *svc_json_behind(const char *p, const char *end);
SVC_PRIVATE svc_str svc_json_word(svc_str object, const char *name); /* a string member without escapes: a state, an id */
/* whether the member is this word, number, true or false */
SVC_PRIVATE bool svc_json_is(svc_str object, const char *name, const char *value);
SVC_PRIVATE bool svc_json_number_i64(svc_str text, int64_t *out);  /* 5, 5.0 and 5e0 are 5; false: not an integer in range */
SVC_PRIVATE bool svc_json_number_double(svc_str text, double *out); /* locale-free; false: overflow */

#endif /* SVC_BASE_H */

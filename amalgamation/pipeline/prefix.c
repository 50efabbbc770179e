/*
** Entities whose name begins with a prefix, ignoring case, found by the index of unique values.
**
** The index is ordered by the bytes of names, so names with the same prefix are adjacent, but each spelling is apart. The search
** goes letter by letter: it looks for both cases of the next letter, and continues only where it finds entries.
**
** The rule: the search costs at most a fourth of a look at all entities below the parent. The index contains the names below all
** parents, so many matches may belong to other organizations: if there are too many, the search is given up, and the list checks each
** of its own entities.
*/
#include "pipeline/pipeline.h"

#define PREFIX_LONGEST 128 /* bytes; longer prefixes are rare, and nobody types them */
#define PREFIX_LEAST 64    /* steps that are always allowed */

typedef struct prefix_search {
  svc_call *c;
  const char *names, *kind;
  const svc_id *scope;
  svc_str prefix;
  int64_t left; /* steps until the search is given up */
  svc_id *ids;
  size_t n, room;
  char text[PREFIX_LONGEST];
} prefix_search;

static bool prefix_add(prefix_search *p, const char *id)
{
  if (p->n == p->room) {
    size_t room = p->room ? 2 * p->room : 64;
    svc_id *more = svc_arena_alloc(p->c->arena, room * sizeof *more);
    if (!more) return svc_no_memory(p->c);
    if (p->n) memcpy(more, p->ids, p->n * sizeof *more);
    p->ids = more;
    p->room = room;
  }
  memcpy(p->ids[p->n++].b, id, sizeof p->ids->b);
  return true;
}

static void prefix_scan(prefix_search *p, size_t n, svc_scan *scan)
{
  svc_key key;
  svc_key_begin(&key, 'u');
  svc_key_add(&key, p->names, SVC_KIND_SIZE);
  svc_key_add(&key, p->text, n);
  svc_scan_below(scan, p->c->txn, &key, false);
}

/* Takes all entries with this beginning. */
static bool prefix_take(prefix_search *p)
{
  svc_scan scan;
  svc_str key, value;
  prefix_scan(p, p->prefix.n, &scan);
  while (p->left-- > 0 && svc_scan_next(&scan, &key, &value)) {
    if (value.n != SVC_KIND_SIZE + 12 || key.n < 1 + SVC_KIND_SIZE + p->prefix.n + 12) continue; /* damaged: svc_check_store() reports it */
    if (memcmp(value.p, p->kind, SVC_KIND_SIZE) != 0) continue;
    if (memcmp(key.p + key.n - 12, p->scope->b, 12) != 0) continue;
    if (!prefix_add(p, value.p + SVC_KIND_SIZE)) return false;
  }
  return svc_txn_good(p->c);
}

/* The recursion is as deep as the prefix is long. */
static bool prefix_from(prefix_search *p, size_t at)
{
  svc_scan scan;
  char ch = at < p->prefix.n ? p->prefix.p[at] : 0;
  bool letter = (ch >= 'A' && ch <= 'Z') || (ch >= 'a' && ch <= 'z');
  int i;
  if (at == p->prefix.n) return prefix_take(p);
  for (i = 0; i < (letter ? 2 : 1) && p->left > 0; i++) {
    p->text[at] = i ? (char)(ch ^ 32) : ch;
    p->left--;
    prefix_scan(p, at + 1, &scan);
    svc_scan_expect(&scan, 1);
    if (svc_scan_more(&scan) && !prefix_from(p, at + 1)) return false;
  }
  return svc_txn_good(p->c);
}

static int prefix_order(const void *a, const void *b)
{
  return memcmp(a, b, sizeof(svc_id));
}

SVC_PRIVATE bool svc_prefix_find(svc_call *c, const svc_noun_info *noun, const svc_id *parent, svc_str prefix, svc_seen *out,
                                 bool *found)
{
  const svc_noun *n = noun->noun;
  prefix_search p = { .c = c, .names = svc_names_of(n), .kind = n->kind, .scope = parent, .prefix = prefix };
  *found = false;
  memset(out, 0, sizeof *out);
  if (n->flags & SVC_SHARED_NAME || !noun->by_id || prefix.n == 0 || prefix.n > PREFIX_LONGEST) return true;
  p.left = PREFIX_LEAST + (int64_t)(svc_count(c->txn, n->kind, parent) / 4);
  if (!prefix_from(&p, 0)) return false;
  *found = p.left > 0;
  if (p.n) qsort(p.ids, p.n, sizeof *p.ids, prefix_order); /* by creation, as in the list */
  out->ids = p.ids;
  out->id_count = p.n;
  return true;
}

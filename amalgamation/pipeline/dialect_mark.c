/*
** The mark of the dialect in a shared store. All handles must use the same words; otherwise a client would see one
** resource in two languages, depending on the instance that answers.
**
** The mark has a hash for each kind of words, computed from the words of svc_config.dialect alone: neither their order nor an upgrade of
** svcapi changes it. A handle without a dialect has a mark, too.
**
** The rule: the first handle writes the mark, also on a store of an older version, which has none. A handle with another dialect fails to
** open, unless it is configured to replace the mark (svc_config.dialect_change). A handle that serves no requests (keep_orders) neither
** checks nor writes it.
*/
#include "pipeline/pipeline.h"

#ifdef SVC_SHARED_STORE

static uint64_t dialect_sum(uint64_t sum, svc_str word)
{
  return svc_fnv(svc_fnv(sum, word), (svc_str){ "", 1 }); /* the NUL separates words */
}

/* "FIELDS PATHS VALUES CODES", each 16 digits. */
static svc_str dialect_mark(svc *s)
{
  uint64_t sums[SVC_WORD_KINDS] = { 0 };
  size_t i;
  int kind;
  for (kind = 0; kind < SVC_WORD_KINDS; kind++) {
    const svc_words *words = s->dialect ? &s->dialect->kinds[kind] : NULL;
    sums[kind] = SVC_FNV;
    for (i = 0; words && i < words->count; i++) sums[kind] = dialect_sum(dialect_sum(sums[kind], words->rows[i].ours), words->rows[i].theirs);
  }
  return svc_arena_print(&s->memory, "%016llx %016llx %016llx %016llx", (unsigned long long)sums[0], (unsigned long long)sums[1],
                         (unsigned long long)sums[2], (unsigned long long)sums[3]);
}

/* The kinds of words that differ, as members of a dialect. */
static svc_str dialect_differs(svc *s, svc_str kept, svc_str ours)
{
  svc_buf b = svc_buf_new(&s->memory, 40);
  bool some = false;
  int i;
  for (i = 0; i < SVC_WORD_KINDS; i++) {
    if (kept.n == ours.n && memcmp(kept.p + 17 * i, ours.p + 17 * i, 16) == 0) continue;
    if (some) svc_buf_text(&b, ", ");
    svc_buf_text(&b, svc_dialect_member(i));
    some = true;
  }
  return svc_buf_done(&b);
}

SVC_PRIVATE int svc_dialect_agree(svc *s)
{
  char text[SVC_STORE_TEXT];
  svc_str ours, kept, differs;
  int rc;
  if (!SVC_IS_SHARED(s->commit.port) || s->config.keep_orders) return SVC_OK;
  ours = dialect_mark(s);
  rc = s->memory.failed ? SVC_NOMEM : svc_mark(s, "dialect", SVC_S(""), ours, false, &s->memory, &kept);
  if (rc == SVC_OK && s->config.dialect_change && !svc_str_eq(kept, ours)) rc = svc_mark(s, "dialect", kept, ours, false, &s->memory, &kept);
  if (rc == SVC_IO || rc == SVC_FULL || rc == SVC_CORRUPT) svc_log(s, SVC_LOG_ERROR, "store.failed", "the store cannot be used: %s", svc_store_text(s, rc, text));
  if (rc != SVC_OK || svc_str_eq(kept, ours)) return rc;
  differs = dialect_differs(s, kept, ours);
  svc_log(s, SVC_LOG_ERROR, "dialect.wrong", "the dialect differs from the store's (svc_config.dialect, --dialect) in " SVC_FMT "; give every instance "
          "the same dialect, or replace the store's (svc_config.dialect_change, --change-dialect)", SVC_ARG(differs));
  return SVC_INVALID;
}

#else

SVC_PRIVATE int svc_dialect_agree(svc *s)
{
  (void)s;
  return SVC_OK;
}

#endif

/*
** The last requests with their answers, and strikes of rules (failures.c): a ring of texts, each a complete JSON object.
**
** The rule: entries contain no secret (blank.c), so they can be shown without further checks. The journal is bounded by the number
** of entries and by the size of each entry. Without memory an entry is left out, and the request is not affected.
*/
#include "control/control.h"

#define JOURNAL_HEADERS 64 /* maximum headers of one message */

struct svc_journal {
  svc_mutex lock;
  svc_allocator allocator;
  size_t most, first, count;
  char *entries[]; /* `most` of them: a ring that starts at `first` */
};

SVC_PRIVATE int svc_journal_open(svc *s)
{
  svc_journal *j = s->allocator.resize(s->allocator.context, NULL, sizeof *j + s->config.journal * sizeof j->entries[0]);
  if (!j) return SVC_NOMEM;
  memset(j, 0, sizeof *j + s->config.journal * sizeof j->entries[0]);
  if (!svc_mutex_init(&j->lock)) {
    s->allocator.resize(s->allocator.context, j, 0);
    return SVC_NOMEM;
  }
  j->allocator = s->allocator;
  j->most = s->config.journal;
  s->control->journal = j;
  atomic_fetch_or(&s->watch, SVC_WATCH_JOURNAL);
  return SVC_OK;
}

static void journal_empty(svc_journal *j)
{
  for (; j->count; j->count--) {
    j->allocator.resize(j->allocator.context, j->entries[j->first], 0);
    j->first = (j->first + 1) % j->most;
  }
}

SVC_PRIVATE void svc_journal_close(svc *s)
{
  svc_journal *j = s->control->journal;
  if (!j) return;
  journal_empty(j);
  svc_mutex_destroy(&j->lock);
  s->allocator.resize(s->allocator.context, j, 0);
}

void svc_journal_clear(svc *s)
{
  svc_journal *j = SVC_USABLE(s) ? s->control->journal : NULL;
  if (!j) return;
  svc_mutex_lock(&j->lock);
  journal_empty(j);
  svc_mutex_unlock(&j->lock);
}

/* -------------------------------------------------------------------------------------------------------------- noting */

static void journal_caller(svc_buf *b, const svc_who *who)
{
  static const char *const kinds[] = { "nobody", "user", "apiKey", "serviceAccount" };
  svc_buf_text(b, ",\"caller\":");
  if (!who->known) {
    svc_buf_text(b, "null");
    return;
  }
  svc_buf_text(b, "{\"id\":");
  svc_json_escape(b, who->user_id);
  svc_buf_text(b, ",\"kind\":\"");
  svc_buf_text(b, kinds[who->kind]);
  svc_buf_text(b, "\",\"name\":");
  svc_blank_text(b, who->username); /* for a vouched caller it may be anything */
  svc_buf_char(b, '}');
}

static void journal_name(svc_buf *b, const char *member, const char *name)
{
  svc_buf_text(b, member);
  if (name && *name) svc_blank_text(b, svc_str_c(name));
  else svc_buf_text(b, "null");
}

static svc_str journal_entry(svc_arena *a, svc_call *c, const svc_response *r)
{
  static const char *const drops[] = { "", "before", "after" };
  const svc_request *raw = c->request.raw;
  size_t count = raw->header_count < JOURNAL_HEADERS ? raw->header_count : JOURNAL_HEADERS;
  svc_buf b = svc_buf_new(a, 2048);
  char date[21];
  svc_date_text(c->now, date);
  journal_name(&b, "{\"time\":", date);
  journal_name(&b, ",\"method\":", raw->method);
  svc_buf_text(&b, ",\"target\":");
  svc_blank_target(&b, c);
  journal_name(&b, ",\"operation\":", c->plan ? c->plan->route->op : NULL);
  journal_caller(&b, &c->who);
  svc_buf_text(&b, ",\"status\":");
  svc_buf_i64(&b, r->status);
  journal_name(&b, ",\"errorCode\":", c->error.code ? svc_shown_code(c->s, c->error.code) : NULL);
  if (c->drop) journal_name(&b, ",\"drop\":", drops[c->drop]);
  if (c->delay_ms) svc_buf_text(&b, ",\"delayMs\":");
  if (c->delay_ms) svc_buf_i64(&b, c->delay_ms);
  svc_buf_text(&b, ",\"request\":{\"headers\":");
  svc_blank_headers(&b, raw->headers, count, false);
  svc_buf_text(&b, ",\"body\":");
  svc_blank_request(&b, c);
  svc_buf_text(&b, "},\"response\":{\"headers\":");
  svc_blank_headers(&b, r->headers, r->header_count, true);
  svc_buf_text(&b, ",\"body\":");
  svc_blank_answer(&b, c, r);
  svc_buf_text(&b, "}}");
  return svc_buf_done(&b);
}

static void journal_keep(svc_journal *j, char *entry)
{
  svc_mutex_lock(&j->lock);
  if (j->count == j->most) {
    j->allocator.resize(j->allocator.context, j->entries[j->first], 0);
    j->first = (j->first + 1) % j->most;
    j->count--;
  }
  j->entries[(j->first + j->count++) % j->most] = entry;
  svc_mutex_unlock(&j->lock);
}

SVC_PRIVATE void svc_journal_add(svc *s, svc_str text)
{
  svc_journal *j = s->control->journal;
  char *entry = j ? j->allocator.resize(j->allocator.context, NULL, text.n + 1) : NULL;
  if (!entry) return;
  memcpy(entry, text.p, text.n);
  entry[text.n] = '\0';
  journal_keep(j, entry);
}

/* Uses its own arena: the host counts what a request takes. */
SVC_PRIVATE void svc_journal_note(svc_call *c, const svc_response *response)
{
  svc_arena arena;
  svc_str text;
  svc_arena_init(&arena, &c->s->allocator);
  text = journal_entry(&arena, c, response);
  if (!arena.failed) svc_journal_add(c->s, text);
  svc_blocks_free(arena.blocks);
}

/* ------------------------------------------------------------------------------------------------------------- reading */

SVC_PRIVATE svc_str svc_journal_text(svc *s, svc_arena *a, size_t limit)
{
  svc_journal *j = s->control->journal;
  svc_buf b = svc_buf_new(a, 4096);
  size_t i, n;
  svc_buf_char(&b, '[');
  svc_mutex_lock(&j->lock);
  n = limit && limit < j->count ? limit : j->count;
  for (i = j->count - n; i < j->count; i++) {
    if (b.n > 1) svc_buf_char(&b, ',');
    svc_buf_text(&b, j->entries[(j->first + i) % j->most]);
  }
  svc_mutex_unlock(&j->lock);
  svc_buf_char(&b, ']');
  return svc_buf_done(&b);
}

SVC_PRIVATE size_t svc_journal_copy(svc *s, svc_arena *a, size_t limit, svc_str **out)
{
  svc_journal *j = s->control->journal;
  size_t i, n;
  svc_mutex_lock(&j->lock);
  n = limit && limit < j->count ? limit : j->count;
  *out = svc_arena_zero(a, (n + 1) * sizeof **out);
  for (i = 0; *out && i < n; i++) (*out)[i] = svc_arena_copy(a, svc_str_c(j->entries[(j->first + j->count - n + i) % j->most]));
  svc_mutex_unlock(&j->lock);
  return *out ? n : 0;
}

int svc_journal_read(svc *s, size_t limit, svc_response *out)
{
  svc_arena arena;
  if (out) memset(out, 0, sizeof *out);
  if (!SVC_USABLE(s) || !out || !s->control->journal) return SVC_INVALID;
  svc_arena_init(&arena, &s->allocator);
  return svc_respond_json(&arena, svc_journal_text(s, &arena, limit), out);
}

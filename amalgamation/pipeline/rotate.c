/*
** Rotation: a new key replaces the one that seals secrets (seal.c), in steps, while requests are served.
**
** The rule: at every moment each secret opens with a key that the mark "sealed" names. The first step puts a word of the new key before
** that of the old one: from its commit on, new secrets are sealed with the new key. The next steps go through the nouns that seal, in the
** order of their kinds, and reseal what the old key has sealed; "resealed" is the key of the last record visited, written in
** the same commit. The last step removes the old key's word. A step is thus done or not, and the next one continues from there.
*/
#include "pipeline/pipeline.h"

#define ROTATE_MOST 256 /* records per commit */

typedef struct rotate_job {
  svc_service_job service; /* must be first: the struct is cast back */
  unsigned by;
  int left;      /* records that may still be visited */
  bool finished; /* the old key is no longer needed */
  bool invalid;  /* a rotation to another key is in progress */
} rotate_job;

/* Reseals one text with the new key; a text that no key of ours opens stays unchanged, and has been logged. */
static bool rotate_text(svc_call *c, unsigned by, const svc_entity *e, svc_str name, svc_str *text, bool *changed)
{
  svc_str secret;
  if (text->n > SVC_SECRET_KEY_ID && memcmp(text->p, c->s->secret_keys.ids[by], SVC_SECRET_KEY_ID) == 0) return true;
  if (!svc_unseal(c, e, name, *text, &secret)) {
    if (c->arena->failed) return svc_no_memory(c);
    if (svc_may_say(c->s, &c->s->seal_said, c->now, "seal"))
      svc_log(c->s, SVC_LOG_ERROR, "secret.unreadable", "a secret of %.4s %s cannot be unsealed with any known key, and is left unchanged", e->kind, svc_id_str(c->arena, &e->id).p);
    return true;
  }
  *text = svc_seal_by(c, by, e, name, secret);
  *changed = true;
  return text->n > 0;
}

static bool rotate_tree(svc_call *c, unsigned by, const svc_entity *e, svc_node *secrets, bool *changed)
{
  svc_node *member;
  for (member = secrets->first; member; member = member->next) {
    if (member->type == SVC_J_STRING ? !rotate_text(c, by, e, member->name, &member->text, changed) : !rotate_tree(c, by, e, member, changed))
      return false;
  }
  return true;
}

/* The `extra` of an entity: an object of secrets, or lines of which the last one is sealed. */
static bool rotate_extra(svc_call *c, unsigned by, const svc_noun *noun, svc_entity *e, bool *changed)
{
  const char *line = svc_noun_ext_of(noun)->sealed_line, *feed = e->extra.n ? memchr(e->extra.p, '\n', e->extra.n) : NULL;
  svc_buf b = svc_buf_new(c->arena, e->extra.n + 64);
  svc_node *secrets;
  svc_str text;
  if (line) {
    if (!feed) return true;
    text = (svc_str){ feed + 1, (size_t)(e->extra.p + e->extra.n - feed - 1) };
    if (!rotate_text(c, by, e, svc_str_c(line), &text, changed)) return false;
    svc_buf_str(&b, (svc_str){ e->extra.p, (size_t)(feed + 1 - e->extra.p) });
    svc_buf_str(&b, text);
  } else {
    secrets = e->extra.n ? svc_json_parse(c->arena, e->extra) : NULL;
    if (c->arena->failed) return svc_no_memory(c);
    if (!secrets) return true;
    if (!rotate_tree(c, by, e, secrets, changed)) return false;
    svc_node_write(&b, secrets);
  }
  e->extra = svc_buf_done(&b);
  return !c->arena->failed || svc_no_memory(c);
}

/* The first noun that seals, from this kind on; NULL: no more. */
static const svc_noun *rotate_noun(const svc *s, const char *from)
{
  const svc_noun *found = NULL;
  size_t i;
  for (i = 0; i < s->noun_count; i++) {
    const svc_noun *noun = s->nouns[i].noun;
    if (!s->nouns[i].seals && !svc_noun_ext_of(noun)->sealed_line) continue;
    if (memcmp(noun->kind, from, SVC_KIND_SIZE) >= 0 && (!found || memcmp(noun->kind, found->kind, SVC_KIND_SIZE) < 0)) found = noun;
  }
  return found;
}

/* The entities of a noun behind `at`, which is updated. */
static bool rotate_entities(svc_call *c, rotate_job *job, const svc_noun *noun, svc_key *at)
{
  svc_key prefix;
  svc_scan scan;
  svc_str key, value;
  svc_key_entity(&prefix, noun->kind, NULL, NULL);
  svc_scan_below(&scan, c->txn, &prefix, false);
  if (at->n > prefix.n && memcmp(at->b, prefix.b, prefix.n) == 0) {
    scan.from = *at;
    scan.from.b[scan.from.n++] = 0; /* the next possible key */
  }
  while (job->left > 0 && svc_scan_next(&scan, &key, &value)) {
    svc_entity e = { .kind = noun->kind };
    bool changed = false;
    job->left--;
    memcpy(at->b, key.p, at->n = key.n);
    if (!svc_entity_decode(key, value, &e)) return svc_store_failed(c, svc_note(c->txn, SVC_CORRUPT));
    if (!rotate_extra(c, job->by, noun, &e, &changed)) return false;
    if (changed && !svc_status_good(c, svc_record_put(c->txn, c->arena, &e))) return false;
  }
  return svc_txn_good(c);
}

/* Reseals the next records. If job->left stays above 0 there are no more: only the new key's word remains in the mark. */
static bool rotate_step(svc_call *c, rotate_job *job, const svc_key *mark, svc_str word)
{
  svc_key done, at;
  svc_str kept;
  const svc_noun *noun;
  char from[SVC_KIND_SIZE + 1] = "";
  svc_key_meta(&done, "resealed");
  svc_key_begin(&at, 'e');
  if (svc_get(c->txn, &done, &kept) == SVC_OK && kept.n > SVC_KIND_SIZE && kept.n < SVC_KEY_MOST) {
    memcpy(at.b, kept.p, at.n = kept.n);
    memcpy(from, kept.p + 1, SVC_KIND_SIZE);
  }
  for (noun = rotate_noun(c->s, from); noun && job->left > 0; noun = rotate_noun(c->s, from)) {
    if (!rotate_entities(c, job, noun, &at)) return false;
    memcpy(from, noun->kind, SVC_KIND_SIZE);
    if (job->left > 0) from[SVC_KIND_SIZE - 1]++; /* the noun is finished */
  }
  if (job->left == 0) return svc_status_good(c, svc_put(c->txn, &done, svc_key_str(&at)));
  job->finished = true;
  return svc_status_good(c, svc_remove(c->txn, &done)) && svc_status_good(c, svc_put(c->txn, mark, word));
}

static bool rotate_run(svc_call *c, svc_service_job *service)
{
  rotate_job *job = (rotate_job *)service;
  const int steps = job->left;
  svc_str kept, first;
  const char *space;
  svc_key mark;
  bool good;
  svc_key_meta(&mark, "sealed");
  if (svc_get(c->txn, &mark, &kept) == SVC_NOT_FOUND) kept = SVC_S("");
  if (!svc_txn_good(c)) return false;
  space = kept.n ? memchr(kept.p, ' ', kept.n) : NULL;
  first = (svc_str){ kept.p, space ? (size_t)(space - kept.p) : kept.n };
  job->finished = job->invalid = false;
  if (kept.n && svc_seal_word_by(c->s, c->arena, first) == (int)job->by) {
    job->finished = !space;
    good = !space || steps == 0 || rotate_step(c, job, &mark, first);
    job->left = steps; /* the job may run again */
    return good;
  }
  job->invalid = space != NULL;
  if (space || steps == 0) return true;
  first = svc_seal_word(c, job->by);
  if (!first.n) return false;
  if (kept.n && kept.p[0] == '?') kept = (svc_str){ kept.p + 1, kept.n - 1 };
  if (kept.n) first = svc_arena_print(c->arena, SVC_FMT " " SVC_FMT, SVC_ARG(first), SVC_ARG(kept));
  return (!c->arena->failed || svc_no_memory(c)) && svc_status_good(c, svc_put(c->txn, &mark, first));
}

int svc_rotate_key(svc *s, const void *next, int steps)
{
  rotate_job job;
  int by, rc;
  if (!SVC_USABLE(s) || !next || steps < 0 || !s->config.secret_key) return SVC_INVALID;
  by = svc_seal_learn(s, next);
  if (by < 0) return SVC_NOMEM;
  memset(&job, 0, sizeof job);
  job.service.run = rotate_run;
  job.by = (unsigned)by;
  job.left = steps < ROTATE_MOST ? steps : ROTATE_MOST;
  rc = svc_service_run(s, &job.service, svc_now(s));
  if (rc != SVC_OK) return rc;
  if (job.service.job.refused) return SVC_IO;
  return job.invalid ? SVC_INVALID : job.finished ? SVC_OK : SVC_BUSY;
}

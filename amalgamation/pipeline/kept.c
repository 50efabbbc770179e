/*
** Results that are expensive to compute from records, kept in memory while the records are unchanged.
**
** A value belongs to an organization or a project and has a version: a keyed hash of the records that it was computed from. The caller
** reads these records and asks for the value of their version. An outdated value is thus never found, whichever process changed the
** records, and an aborted transaction leaves nothing wrong behind. The key is random, so nobody can write records with the
** hash of others.
**
** The rule: all values together have at most KEPT_BYTES, of the host's allocator. The least recently used value goes first. A value
** in use stays until its last user has released it. The cache is optional: without memory to keep a value, the request computes it in its
** own memory.
*/
#include "pipeline/pipeline.h"

#define KEPT_BYTES ((size_t)16 << 20)
#define KEPT_ITEMS 256 /* searched one after the other */

struct svc_kept {
  svc_mutex lock;
  uint64_t key[2];
  svc_kept_item *first; /* most recently used */
  size_t bytes, count;
  struct { /* the OpenAPI document, which lives as long as the handle */
    svc_str text;
    uint64_t revision;
    svc_shared *memory; /* of the text; responses hold it as well */
  } openapi;
};

SVC_PRIVATE int svc_kept_open(svc *s)
{
  const svc_ids *ids = &s->commit.ids;
  svc_kept *k = s->kept ? s->kept : svc_arena_zero(&s->memory, sizeof *k); /* test control closes and reopens it */
  if (!k) return SVC_NOMEM;
  if (ids->random(ids->random_context, k->key, sizeof k->key) != 0) return SVC_RANDOM;
  if (!svc_mutex_init(&k->lock)) return SVC_NOMEM;
  s->kept = k;
  return SVC_OK;
}

SVC_PRIVATE uint64_t svc_kept_hash(const svc *s, uint64_t version, svc_str text)
{
  return (version << 1 | version >> 63) ^ svc_sip(s->kept->key, text);
}

/* ---------------------------------------------------------------------------------------------------------------- the list */

static void kept_free(svc_kept_item *item)
{
  svc_blocks_free(item->memory.blocks); /* frees the item, too */
}

static void kept_unlist(svc_kept *k, svc_kept_item **at)
{
  svc_kept_item *item = *at;
  *at = item->next;
  item->next = NULL;
  item->listed = false;
  k->bytes -= item->bytes;
  k->count--;
  if (item->users == 0) kept_free(item);
}

/* The position in the list of the value of this record, in any version; at the end: not found. */
static svc_kept_item **kept_find(svc_kept *k, const char *kind, const svc_id *of)
{
  svc_kept_item **at = &k->first;
  while (*at && (memcmp((*at)->kind, kind, SVC_KIND_SIZE) != 0 || !svc_id_eq(&(*at)->of, of))) at = &(*at)->next;
  return at;
}

static svc_kept_item *kept_use(svc *s, const char *kind, const svc_id *of, uint64_t version, bool alone)
{
  svc_kept *k = s->kept;
  svc_kept_item **at, *item;
  svc_mutex_lock(&k->lock);
  at = kept_find(k, kind, of);
  item = *at;
  if (item && (item->version != version || (alone && item->users))) item = NULL;
  if (item) {
    item->users++;
    if (alone) {
      kept_unlist(k, at);
    } else { /* the most recently used comes first */
      *at = item->next;
      item->next = k->first;
      k->first = item;
    }
  }
  svc_mutex_unlock(&k->lock);
  return item;
}

SVC_PRIVATE svc_kept_item *svc_kept_get(svc *s, const char *kind, const svc_id *of, uint64_t version)
{
  return kept_use(s, kind, of, version, false);
}

SVC_PRIVATE svc_kept_item *svc_kept_take(svc *s, const char *kind, const svc_id *of, uint64_t version)
{
  return kept_use(s, kind, of, version, true);
}

SVC_PRIVATE svc_kept_item *svc_kept_new(svc *s, const char *kind, const svc_id *of, uint64_t version)
{
  svc_arena memory;
  svc_kept_item *item;
  svc_arena_init(&memory, &s->allocator);
  item = svc_arena_zero(&memory, sizeof *item);
  if (!item) return NULL;
  memcpy(item->kind, kind, SVC_KIND_SIZE);
  item->of = *of;
  item->version = version;
  item->memory = memory;
  item->users = 1;
  return item;
}

SVC_PRIVATE void svc_kept_put(svc *s, svc_kept_item *item)
{
  svc_kept *k = s->kept;
  svc_kept_item **at;
  if (item->memory.failed) return;
  item->bytes = svc_arena_size(&item->memory);
  if (item->bytes > KEPT_BYTES) return;
  svc_mutex_lock(&k->lock);
  at = kept_find(k, item->kind, &item->of);
  if (*at) kept_unlist(k, at);
  while (k->first && (k->bytes + item->bytes > KEPT_BYTES || k->count >= KEPT_ITEMS)) {
    for (at = &k->first; (*at)->next;) at = &(*at)->next;
    kept_unlist(k, at);
  }
  item->next = k->first;
  item->listed = true;
  k->first = item;
  k->bytes += item->bytes;
  k->count++;
  svc_mutex_unlock(&k->lock);
}

SVC_PRIVATE void svc_kept_leave(svc *s, svc_kept_item *item)
{
  bool last;
  if (!item) return;
  svc_mutex_lock(&s->kept->lock);
  last = --item->users == 0 && !item->listed;
  svc_mutex_unlock(&s->kept->lock);
  if (last) kept_free(item);
}

/* --------------------------------------------------------------------------------------------------- the OpenAPI document */

/* Writes the document with room to spare, and keeps as many bytes as it has. */
static bool kept_write(svc *s, svc_kept *k)
{
  svc_arena arena;
  svc_str text;
  char *bytes;
  svc_arena_init(&arena, &s->allocator);
  text = svc_openapi_document(s, &arena);
  k->openapi.memory = arena.failed ? NULL : svc_shared_new(&s->allocator, text.n + 1, &bytes);
  if (k->openapi.memory) {
    memcpy(bytes, text.p, text.n + 1);
    k->openapi.text = (svc_str){ bytes, text.n };
    k->openapi.revision = svc_body_revision(text);
  }
  svc_blocks_free(arena.blocks);
  return k->openapi.memory != NULL;
}

/* The tables are constant, and so is the document: all answers share one text. Other threads wait while one writes it. */
SVC_PRIVATE svc_str svc_openapi_kept(svc *s, svc_arena *a, uint64_t *revision)
{
  svc_kept *k = s->kept;
  svc_str text = { NULL, 0 };
  svc_mutex_lock(&k->lock);
  if ((k->openapi.memory || kept_write(s, k)) && svc_arena_hold(a, k->openapi.memory)) text = k->openapi.text;
  *revision = k->openapi.revision;
  svc_mutex_unlock(&k->lock);
  return text;
}

SVC_PRIVATE void svc_kept_close(svc *s)
{
  svc_kept *k = s->kept;
  if (!k) return;
  while (k->first) kept_unlist(k, &k->first);
  svc_shared_leave(k->openapi.memory);
  memset(&k->openapi, 0, sizeof k->openapi);
  svc_mutex_destroy(&k->lock);
}

/*
** Uses of access list entries: how often, when, and from which address.
**
** A read must not become a write. So uses are counted in memory and stored together, at most once a minute and
** when the handle is closed. The memory has room for a fixed number of entries; when it is full, the next request stores
** them. A crash loses at most the last minute of figures.
*/
#include "pipeline/pipeline.h"

#define ACCESS_USE_SLOTS 128
#define ACCESS_USE_SECONDS 60
#define ACCESS_USE_ADDRESS 48

typedef struct access_use_slot {
  const svc_noun_info *list; /* NULL: free */
  svc_id parent, id;
  int64_t count, last;
  char address[ACCESS_USE_ADDRESS];
} access_use_slot;

struct svc_access_uses {
  svc_mutex lock;
  atomic_uint due; /* second at which they are stored; UINT_MAX: nothing to store */
  access_use_slot slots[ACCESS_USE_SLOTS];
};

SVC_PRIVATE int svc_access_uses_open(svc *s)
{
  s->access_uses = svc_arena_zero(&s->memory, sizeof *s->access_uses);
  if (!s->access_uses) return SVC_NOMEM;
  atomic_init(&s->access_uses->due, UINT_MAX);
  if (svc_mutex_init(&s->access_uses->lock)) return SVC_OK;
  s->access_uses = NULL;
  return SVC_NOMEM;
}

SVC_PRIVATE void svc_access_uses_close(svc *s)
{
  if (!s->access_uses) return;
  if (s->commit.store) svc_access_uses_flush(s, svc_now(s));
  svc_mutex_destroy(&s->access_uses->lock);
}

/* The slot of an entry, or a free one for it; NULL: all are taken. */
static access_use_slot *access_use_find(svc_access_uses *u, const svc_noun_info *list, const svc_id *id)
{
  unsigned start = (unsigned)(id->b[11] | id->b[10] << 8) % ACCESS_USE_SLOTS, i;
  for (i = 0; i < ACCESS_USE_SLOTS; i++) {
    access_use_slot *slot = &u->slots[(start + i) % ACCESS_USE_SLOTS];
    if (!slot->list || (slot->list == list && svc_id_eq(&slot->id, id))) return slot;
  }
  return NULL;
}

SVC_PRIVATE void svc_access_use_note(svc *s, const svc_noun_info *list, const svc_id *parent, const svc_id *id, int64_t now,
                                svc_str address)
{
  svc_access_uses *u = s->access_uses;
  unsigned due = (unsigned)(now / 1000 + ACCESS_USE_SECONDS);
  access_use_slot *slot;
  svc_mutex_lock(&u->lock);
  slot = access_use_find(u, list, id);
  if (slot) {
    slot->list = list;
    slot->parent = *parent;
    slot->id = *id;
    slot->count++;
    slot->last = now;
    snprintf(slot->address, sizeof slot->address, SVC_FMT, (int)(address.n < ACCESS_USE_ADDRESS ? address.n : 0), address.p);
  } else {
    due = 0;
  }
  if (due < atomic_load(&u->due)) atomic_store(&u->due, due);
  svc_mutex_unlock(&u->lock);
}

SVC_PRIVATE bool svc_access_uses_due(const svc *s, int64_t now)
{
  return now / 1000 >= (int64_t)atomic_load(&s->access_uses->due);
}

typedef struct access_use_job {
  svc_service_job work; /* must be first: the struct is cast back */
  const access_use_slot *slots;
} access_use_job;

static bool access_use_write(svc_call *c, const access_use_slot *slot)
{
  svc_use use = { slot->count, slot->last, slot->address };
  svc_entity old;
  svc_node *body;
  if (svc_entity_get(c->txn, slot->list->noun->kind, &slot->parent, &slot->id, &old) != SVC_OK)
    return c->txn->error == SVC_OK; /* the entry was deleted meanwhile */
  body = svc_entity_body(c, &old);
  if (!body) return false;
  svc_noun_ext_of(slot->list->noun)->access->used(c, body, &use);
  return svc_rewrite(c, &old, body);
}

static bool access_use_work(svc_call *c, svc_service_job *job)
{
  const access_use_job *work = (const access_use_job *)job;
  int i;
  for (i = 0; i < ACCESS_USE_SLOTS; i++)
    if (work->slots[i].list && !access_use_write(c, &work->slots[i])) return false;
  return true;
}

SVC_PRIVATE void svc_access_uses_flush(svc *s, int64_t now)
{
  svc_access_uses *u = s->access_uses;
  access_use_slot slots[ACCESS_USE_SLOTS];
  access_use_job work;
  char text[SVC_STORE_TEXT];
  bool any;
  svc_mutex_lock(&u->lock);
  any = atomic_load(&u->due) != UINT_MAX;
  memcpy(slots, u->slots, sizeof slots);
  memset(u->slots, 0, sizeof u->slots);
  atomic_store(&u->due, UINT_MAX);
  svc_mutex_unlock(&u->lock);
  if (!any) return;
  memset(&work, 0, sizeof work);
  work.work.run = access_use_work;
  work.slots = slots;
  if (svc_service_run(s, &work.work, now) != SVC_OK)
    svc_log(s, SVC_LOG_WARNING, "store.failed", "the last use of access list entries could not be stored: %s", svc_store_text(s, work.work.job.status, text));
}

SVC_PRIVATE void svc_access_uses_forget(svc *s)
{
  svc_access_uses *u = s->access_uses;
  svc_mutex_lock(&u->lock);
  memset(u->slots, 0, sizeof u->slots);
  atomic_store(&u->due, UINT_MAX);
  svc_mutex_unlock(&u->lock);
}

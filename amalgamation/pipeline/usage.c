/*
** How often the entries of access lists let somebody in, and when, and from where.
**
** A read must not become a write, so uses are counted in memory and written down together, at most once a minute and
** when the handle is closed. There is room for a fixed number of entries in between; when it is full, they are written
** down at the next request. A crash loses at most the last minute of figures.
*/
#include "internal.h"

#define USAGE_SLOTS 128
#define USAGE_SECONDS 60
#define USAGE_ADDRESS 48

typedef struct usage_slot {
  const svc_noun_info *list; /* NULL: free */
  svc_id parent, id;
  int64_t count, last;
  char address[USAGE_ADDRESS];
} usage_slot;

struct svc_usage {
  svc_mutex lock;
  atomic_uint due; /* second at which it is written down; UINT_MAX: there is nothing */
  usage_slot slots[USAGE_SLOTS];
};

SVC_PRIVATE int svc_usage_open(svc *s)
{
  s->usage = svc_arena_zero(&s->memory, sizeof *s->usage);
  if (!s->usage) return SVC_NOMEM;
  atomic_init(&s->usage->due, UINT_MAX);
  if (svc_mutex_init(&s->usage->lock)) return SVC_OK;
  s->usage = NULL;
  return SVC_NOMEM;
}

SVC_PRIVATE void svc_usage_close(svc *s)
{
  if (!s->usage) return;
  if (s->commit.store) svc_usage_flush(s, svc_now(s));
  svc_mutex_destroy(&s->usage->lock);
}

static usage_slot *usage_find(svc_usage *u, const svc_noun_info *list, const svc_id *id)
{
  unsigned start = (unsigned)(id->b[11] | id->b[10] << 8) % USAGE_SLOTS, i;
  for (i = 0; i < USAGE_SLOTS; i++) {
    usage_slot *slot = &u->slots[(start + i) % USAGE_SLOTS];
    if (!slot->list || (slot->list == list && svc_id_eq(&slot->id, id))) return slot;
  }
  return NULL;
}

SVC_PRIVATE void svc_usage_note(svc *s, const svc_noun_info *list, const svc_id *parent, const svc_id *id, int64_t now,
                                svc_str address)
{
  svc_usage *u = s->usage;
  unsigned due = (unsigned)(now / 1000 + USAGE_SECONDS);
  usage_slot *slot;
  svc_mutex_lock(&u->lock);
  slot = usage_find(u, list, id);
  if (slot) {
    slot->list = list;
    slot->parent = *parent;
    slot->id = *id;
    slot->count++;
    slot->last = now;
    snprintf(slot->address, sizeof slot->address, SVC_FMT, (int)(address.n < USAGE_ADDRESS ? address.n : 0), address.p);
  } else {
    due = 0;
  }
  if (due < atomic_load(&u->due)) atomic_store(&u->due, due);
  svc_mutex_unlock(&u->lock);
}

SVC_PRIVATE bool svc_usage_due(const svc *s, int64_t now)
{
  return now / 1000 >= (int64_t)atomic_load(&s->usage->due);
}

typedef struct usage_job {
  svc_job job; /* first: it is cast back */
  svc *s;
  const usage_slot *slots;
} usage_job;

static bool usage_write(svc_call *c, const usage_slot *slot)
{
  svc_use use = { slot->count, slot->last, slot->address };
  svc_entity old;
  svc_node *body;
  if (svc_entity_get(c->txn, slot->list->noun->kind, &slot->parent, &slot->id, &old) != SVC_OK)
    return c->txn->error == SVC_OK; /* it was deleted meanwhile */
  body = svc_entity_body(c, &old);
  if (!body) return false;
  slot->list->noun->used(c, body, &use);
  return svc_rewrite(c, &old, body, old.due);
}

static bool usage_work(svc_job *job, svc_txn *txn)
{
  usage_job *work = (usage_job *)job;
  svc_arena arena;
  svc_call c;
  bool good = true;
  int i;
  svc_own_call(&c, work->s, &arena, txn, job->now);
  for (i = 0; i < USAGE_SLOTS && good; i++)
    if (work->slots[i].list) good = usage_write(&c, &work->slots[i]);
  if (arena.failed && txn->error == SVC_OK) txn->error = SVC_NOMEM;
  svc_blocks_free(arena.blocks);
  return good;
}

SVC_PRIVATE void svc_usage_flush(svc *s, int64_t now)
{
  svc_usage *u = s->usage;
  usage_slot slots[USAGE_SLOTS];
  usage_job work;
  bool any;
  svc_mutex_lock(&u->lock);
  any = atomic_load(&u->due) != UINT_MAX;
  memcpy(slots, u->slots, sizeof slots);
  memset(u->slots, 0, sizeof u->slots);
  atomic_store(&u->due, UINT_MAX);
  svc_mutex_unlock(&u->lock);
  if (!any) return;
  memset(&work, 0, sizeof work);
  work.job.work = usage_work;
  work.job.now = now;
  work.s = s;
  work.slots = slots;
  if (svc_commit_run(&s->commit, &work.job) != SVC_OK)
    svc_log(s, SVC_LOG_WARNING, "figures of access lists could not be stored: %s", svc_strerror(work.job.status));
}

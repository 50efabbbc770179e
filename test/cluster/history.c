/*
** Checks linearizability of one register that is created, read, written, swapped and deleted.
**
** The checker goes through the events in order of time. Its state is a set of worlds. Each world has a value, and the set of
** pending operations that have taken effect in it. When an operation ends, each world in which it has not taken effect is
** extended in all possible ways: the operation takes effect, possibly after other pending ones. Worlds where this is impossible
** are dropped. If no world is left, no order explains the answers. An operation with an unknown outcome never ends, so it may
** take effect at any time or never.
**
** The rule: the checker never gives up silently. A history with more than HISTORY_OPEN pending operations, or more worlds than
** fit, is an error of the test, not a pass.
*/
#define _GNU_SOURCE /* http_text.h */
#include "cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_OPEN 64
#define HISTORY_WORLDS (1u << 20) /* a power of two */

typedef struct history_world {
  uint64_t taken; /* bit i: the op in slot i has taken effect */
  uint32_t value; /* 0: the key does not exist */
  bool used;
} history_world;

typedef struct history_worlds {
  history_world *places;
  uint32_t *list; /* used places, in order of insertion */
  size_t n;
} history_worlds;

void history_add(history *h, const history_op *op)
{
  if (h->n == h->room) {
    h->room = h->room ? 2 * h->room : 1024;
    h->ops = realloc(h->ops, h->room * sizeof *h->ops);
    if (!h->ops) cluster_die("no memory");
  }
  h->ops[h->n++] = *op;
}

/* Applies an op to a value. Returns false if the op could not have been answered as it was. */
static bool history_step(const history_op *op, uint32_t value, uint32_t *out)
{
  const bool there = value != 0;
  *out = value;
  if (op->kind == HISTORY_READ) return op->value == value;
  if (op->result == HISTORY_MISSING) return !there;
  if (op->result == HISTORY_REFUSED) return there && (op->kind != HISTORY_SWAP || value != op->expect);
  *out = op->kind == HISTORY_DELETE ? 0 : op->value;
  if (op->kind == HISTORY_CREATE) return !there;
  return there && (op->kind != HISTORY_SWAP || value == op->expect);
}

/* ---------------------------------------------------------------------------------------------------------------- worlds */

static void worlds_empty(history_worlds *w)
{
  size_t i;
  for (i = 0; i < w->n; i++) w->places[w->list[i]].used = false;
  w->n = 0;
}

static void worlds_open(history_worlds *w)
{
  w->places = calloc(HISTORY_WORLDS, sizeof *w->places);
  w->list = calloc(HISTORY_WORLDS, sizeof *w->list);
  w->n = 0;
  if (!w->places || !w->list) cluster_die("no memory");
}

static void worlds_close(history_worlds *w)
{
  free(w->places);
  free(w->list);
}

/* Returns false if the set has this world already. */
static bool worlds_add(history_worlds *w, uint64_t taken, uint32_t value)
{
  uint64_t h = (taken ^ (uint64_t)value << 32 ^ value) * 0x9E3779B97F4A7C15u;
  uint32_t i = (uint32_t)(h >> 40) & (HISTORY_WORLDS - 1);
  while (w->places[i].used) {
    if (w->places[i].taken == taken && w->places[i].value == value) return false;
    i = (i + 1) & (HISTORY_WORLDS - 1);
  }
  if (w->n == HISTORY_WORLDS / 2) cluster_die("a history has too many ways to go");
  w->places[i] = (history_world){ taken, value, true };
  w->list[w->n++] = i;
  return true;
}

/* ---------------------------------------------------------------------------------------------------------------- events */

typedef struct history_event {
  int64_t at;
  size_t op;
  bool ends;
} history_event;

static int by_start(const void *a, const void *b)
{
  const history_op *x = a, *y = b;
  return (x->start > y->start) - (x->start < y->start);
}

/* At equal times starts come first, because the operations may have overlapped. */
static int by_time(const void *a, const void *b)
{
  const history_event *x = a, *y = b;
  if (x->at != y->at) return (x->at > y->at) - (x->at < y->at);
  return (int)x->ends - (int)y->ends;
}

static history_event *history_events(const history *h, size_t *n)
{
  history_event *events = calloc(2 * h->n + 1, sizeof *events);
  size_t i;
  if (!events) cluster_die("no memory");
  *n = 0;
  for (i = 0; i < h->n; i++) {
    const history_op *op = &h->ops[i];
    if (op->kind == HISTORY_READ && op->result == HISTORY_UNKNOWN) continue; /* carries no information */
    events[(*n)++] = (history_event){ op->start, i, false };
    if (op->result != HISTORY_UNKNOWN) events[(*n)++] = (history_event){ op->end, i, true };
  }
  qsort(events, *n, sizeof *events, by_time);
  return events;
}

/* The op in slot `ends` has ended: collects in `next` all worlds in which it has taken effect, and frees its slot. */
static void history_end(const history *h, const size_t open[HISTORY_OPEN], uint64_t used, int ends, history_worlds *now,
                        history_worlds *next)
{
  const uint64_t bit = (uint64_t)1 << ends;
  size_t i;
  int place;
  worlds_empty(next);
  for (i = 0; i < now->n; i++) { /* the list grows during the loop */
    const history_world world = now->places[now->list[i]];
    if (world.taken & bit) {
      worlds_add(next, world.taken & ~bit, world.value);
      continue;
    }
    for (place = 0; place < HISTORY_OPEN; place++) {
      const uint64_t its = (uint64_t)1 << place;
      uint32_t value;
      if (!(used & its) || world.taken & its || !history_step(&h->ops[open[place]], world.value, &value)) continue;
      worlds_add(now, world.taken | its, value);
    }
  }
}

bool history_is_linearizable(history *h, size_t *wrong)
{
  history_worlds both[2], *now = &both[0], *next = &both[1], *swap;
  size_t open[HISTORY_OPEN], n, i;
  int place;
  uint64_t used = 0;
  bool good = true;
  history_event *events;
  qsort(h->ops, h->n, sizeof *h->ops, by_start);
  events = history_events(h, &n);
  worlds_open(now);
  worlds_open(next);
  worlds_add(now, 0, 0);
  for (i = 0; i < n && good; i++) {
    for (place = 0; events[i].ends && place < HISTORY_OPEN; place++)
      if (used >> place & 1 && open[place] == events[i].op) break;
    if (!events[i].ends) {
      for (place = 0; place < HISTORY_OPEN && used >> place & 1; place++) continue;
      if (place == HISTORY_OPEN) cluster_die("a history has more than %d operations under way", HISTORY_OPEN);
      used |= (uint64_t)1 << place;
      open[place] = events[i].op;
      continue;
    }
    history_end(h, open, used, place, now, next);
    used &= ~((uint64_t)1 << place);
    swap = now, now = next, next = swap;
    good = now->n != 0;
    if (!good) *wrong = events[i].op;
  }
  worlds_close(now);
  worlds_close(next);
  free(events);
  return good;
}

void history_print(const history *h, size_t around)
{
  static const char *const kinds[] = { "read", "create", "update", "swap", "delete" };
  static const char *const results[] = { "done", "refused", "missing", "unknown" };
  size_t i;
  for (i = around > 20 ? around - 20 : 0; i < h->n && i < around + 10; i++) {
    const history_op *op = &h->ops[i];
    fprintf(stderr, "%s%10.3f ms %+8.3f ms  client %-2d %-6s %-7s value %" PRIu32, i == around ? "> " : "  ",
            (double)(op->start - h->ops[0].start) / 1e6, (double)(op->end - op->start) / 1e6, op->client, kinds[op->kind],
            results[op->result], op->value);
    if (op->kind == HISTORY_SWAP) fprintf(stderr, " for %" PRIu32, op->expect);
    fprintf(stderr, "\n");
  }
}

/* ---------------------------------------------------------------------------------------------- tests of the checker */

typedef struct history_known {
  const char *what;
  bool good;
  history_op ops[6];
  size_t n;
} history_known;

void history_try(void)
{
  static const history_known known[] = {
    { "what was written is read", true,
      { { 0, 1, 5, 0, HISTORY_CREATE, HISTORY_DONE, 0 }, { 2, 3, 5, 0, HISTORY_READ, HISTORY_DONE, 0 } }, 2 },
    { "a write that was acknowledged is not there", false,
      { { 0, 1, 5, 0, HISTORY_CREATE, HISTORY_DONE, 0 }, { 2, 3, 0, 0, HISTORY_READ, HISTORY_DONE, 0 } }, 2 },
    { "a value that is read has gone by", false,
      { { 0, 1, 5, 0, HISTORY_CREATE, HISTORY_DONE, 0 }, { 2, 3, 6, 0, HISTORY_UPDATE, HISTORY_DONE, 0 },
        { 4, 5, 5, 0, HISTORY_READ, HISTORY_DONE, 0 } }, 3 },
    { "it may be read while it is written", true,
      { { 0, 1, 5, 0, HISTORY_CREATE, HISTORY_DONE, 0 }, { 2, 9, 6, 0, HISTORY_UPDATE, HISTORY_DONE, 0 },
        { 3, 4, 6, 0, HISTORY_READ, HISTORY_DONE, 1 }, { 5, 6, 6, 0, HISTORY_READ, HISTORY_DONE, 1 } }, 4 },
    { "but not be unread again", false,
      { { 0, 1, 5, 0, HISTORY_CREATE, HISTORY_DONE, 0 }, { 2, 9, 6, 0, HISTORY_UPDATE, HISTORY_DONE, 0 },
        { 3, 4, 6, 0, HISTORY_READ, HISTORY_DONE, 1 }, { 5, 6, 5, 0, HISTORY_READ, HISTORY_DONE, 1 } }, 4 },
    { "two creates of one name", false,
      { { 0, 3, 5, 0, HISTORY_CREATE, HISTORY_DONE, 0 }, { 1, 4, 6, 0, HISTORY_CREATE, HISTORY_DONE, 1 } }, 2 },
    { "one of two creates is refused", true,
      { { 0, 3, 5, 0, HISTORY_CREATE, HISTORY_REFUSED, 0 }, { 1, 4, 6, 0, HISTORY_CREATE, HISTORY_DONE, 1 } }, 2 },
    { "two swaps of one state", false,
      { { 0, 1, 5, 0, HISTORY_CREATE, HISTORY_DONE, 0 }, { 2, 5, 6, 5, HISTORY_SWAP, HISTORY_DONE, 0 },
        { 3, 6, 7, 5, HISTORY_SWAP, HISTORY_DONE, 1 } }, 3 },
    { "a swap that is refused for no reason", false,
      { { 0, 1, 5, 0, HISTORY_CREATE, HISTORY_DONE, 0 }, { 2, 5, 6, 5, HISTORY_SWAP, HISTORY_REFUSED, 0 } }, 2 },
    { "unknown outcome, done late", true,
      { { 0, 1, 5, 0, HISTORY_CREATE, HISTORY_DONE, 0 }, { 2, 3, 6, 0, HISTORY_UPDATE, HISTORY_UNKNOWN, 0 },
        { 4, 5, 5, 0, HISTORY_READ, HISTORY_DONE, 0 }, { 6, 7, 6, 0, HISTORY_READ, HISTORY_DONE, 0 } }, 4 },
    { "unknown outcome, done and undone", false,
      { { 0, 1, 5, 0, HISTORY_CREATE, HISTORY_DONE, 0 }, { 2, 3, 6, 0, HISTORY_UPDATE, HISTORY_UNKNOWN, 0 },
        { 4, 5, 6, 0, HISTORY_READ, HISTORY_DONE, 0 }, { 6, 7, 5, 0, HISTORY_READ, HISTORY_DONE, 0 } }, 4 },
    { "what is deleted is missing", true,
      { { 0, 1, 5, 0, HISTORY_CREATE, HISTORY_DONE, 0 }, { 2, 3, 0, 0, HISTORY_DELETE, HISTORY_DONE, 0 },
        { 4, 5, 6, 0, HISTORY_UPDATE, HISTORY_MISSING, 0 }, { 6, 7, 0, 0, HISTORY_READ, HISTORY_DONE, 0 } }, 4 },
    { "what is there is missing", false,
      { { 0, 1, 5, 0, HISTORY_CREATE, HISTORY_DONE, 0 }, { 2, 3, 0, 0, HISTORY_DELETE, HISTORY_MISSING, 0 } }, 2 },
  };
  size_t i, k, wrong;
  for (i = 0; i < sizeof known / sizeof known[0]; i++) {
    history h = { 0 };
    for (k = 0; k < known[i].n; k++) history_add(&h, &known[i].ops[k]);
    if (history_is_linearizable(&h, &wrong) != known[i].good) cluster_die("the judge of histories errs: %s", known[i].what);
    free(h.ops);
  }
}

/*
** Lists: a page of items, with the links to its neighbours.
**
** Items are written one after the other into one buffer, each copied from the store with its self link inserted. The text
** before them (the links of the list, because members are sorted) depends on whether more items follow. So room is left
** at the front and filled in last, right up to the first item. Nothing is copied twice.
**
** The rule: the size of an answer is bounded, whatever is stored. A list that is a plain array is complete unless a page
** is requested. An array of more than LIST_WHOLE bytes is refused, with a hint to request pages, because
** a truncated array would look complete.
*/
#include "pipeline/pipeline.h"

#define LIST_STRIDE 16
#define LIST_FIRST 32 /* copied at once: most pieces are shorter, and need no loop */
#define LIST_LINE 64  /* bytes of a cache line */

/* Bytes reserved for a page before its second item: if the number of items is unknown, and if it is known. */
#define LIST_GUESS ((size_t)64 << 10)
#define LIST_GUESS_COUNTED ((size_t)1 << 20)

/*
** Prefetches four cache lines for writing: a page is longer than the fastest cache, and stores would wait for its lines one after the
** other. (Not a function: gcc removes calls of a function that does nothing else.)
*/
#if defined(__GNUC__)
#define LIST_EXPECT(p)                                                                           \
  (__builtin_prefetch(p, 1), __builtin_prefetch((p) + LIST_LINE, 1),                             \
   __builtin_prefetch((p) + 2 * LIST_LINE, 1), __builtin_prefetch((p) + 3 * LIST_LINE, 1))
#else
#define LIST_EXPECT(p) ((void)(p))
#endif

#define LIST_WHOLE ((size_t)4 << 20) /* maximum bytes of a complete array */

typedef struct list_page {
  svc_buf out;
  size_t room;          /* left at the front */
  int64_t written, seen;
  bool more;
  bool keyed;   /* items have their own paths; otherwise the self link of each is the list */
  svc_str link; /* the self link of an item: the same for all items except for the key */
  size_t key_at;
} list_page;

/* Escapes characters that a path may contain, but not a JSON string or a URL. */
static void list_write_path(svc_buf *b, svc_str path)
{
  size_t i, from = 0;
  for (i = 0; i < path.n; i++) {
    if (path.p[i] != '"' && path.p[i] != '\\') continue;
    svc_buf_add(b, path.p + from, i - from);
    svc_percent_encode(b, (svc_str){ path.p + i, 1 });
    from = i + 1;
  }
  svc_buf_add(b, path.p + from, path.n - from);
}

/* The path of the list. An operation on an item may answer with the list: then the request's path is longer. */
static svc_str list_path(const svc_call *c)
{
  svc_str path = c->request.path;
  unsigned n = c->plan->own && c->request.method != SVC_GET ? c->plan->hops[c->plan->hop_count - 1].param_count : 0;
  while (n && SVC_ALWAYS(path.n)) /* a slash precedes each parameter */
    if (path.p[--path.n] == '/') n--;
  return path;
}

/* The common beginning of the list's links. */
static svc_str list_link_front(svc_call *c)
{
  svc_buf b = svc_buf_new(c->arena, 128);
  svc_buf_text(&b, "{\"href\":\"");
  svc_buf_str(&b, c->s->base_url);
  list_write_path(&b, list_path(c));
  svc_buf_text(&b, c->query.include_count ? "?includeCount=true" : "?includeCount=false");
  return svc_buf_done(&b);
}

static void list_write_link(svc_buf *b, const svc_call *c, svc_str front, const char *rel, int64_t page)
{
  bool self = strcmp(rel, "self") == 0;
  size_t i;
  svc_buf_str(b, front);
  if (self) {
    svc_buf_text(b, "&pageNum=");
    svc_buf_i64(b, page);
  }
  svc_buf_text(b, "&itemsPerPage=");
  svc_buf_i64(b, c->query.per_page);
  if (!self) {
    svc_buf_text(b, "&pageNum=");
    svc_buf_i64(b, page);
  }
  for (i = 0; i < c->query.count; i++) {
    svc_buf_char(b, '&');
    svc_buf_str(b, svc_shown_field(c->s, svc_str_c(c->query.values[i].param->name)));
    svc_buf_char(b, '=');
    svc_percent_encode(b, svc_shown_query(c, &c->query.values[i]));
  }
  if (c->query.envelope) svc_buf_text(b, "&envelope=true");
  if (c->query.pretty) svc_buf_text(b, "&pretty=true");
  svc_buf_text(b, "\",\"rel\":\"");
  svc_buf_text(b, rel);
  svc_buf_text(b, "\"}");
}

/* The text of a page before its first item. */
static svc_str list_front(svc_call *c, const list_page *page)
{
  svc_buf b = svc_buf_new(c->arena, 512);
  svc_str front = list_link_front(c);
  svc_buf_text(&b, "{\"links\":[");
  list_write_link(&b, c, front, "self", c->query.page);
  if (page->more) {
    svc_buf_char(&b, ',');
    list_write_link(&b, c, front, "next", c->query.page + 1);
  }
  if (c->query.page > 1) {
    svc_buf_char(&b, ',');
    list_write_link(&b, c, front, "previous", c->query.page - 1);
  }
  svc_buf_text(&b, "],\"results\":[");
  return svc_buf_done(&b);
}

/* The maximum length of three links: every byte of path and query percent-encoded. */
static size_t list_front_room(const svc_call *c)
{
  return 3 * (c->s->base_url.n + 3 * (c->request.path.n + c->request.query.n) + 192) + 64;
}

/* The self link of an item with every hole filled except for the item's own, whose position is returned. */
static size_t list_write_keyed(svc_call *c, svc_buf *b)
{
  const svc_template *self = &c->plan->item->self;
  svc_answer holes;
  size_t at = 0, i;
  memset(&holes, 0, sizeof holes);
  for (i = 0; i < self->count; i++) {
    svc_piece_write(b, &self->pieces[i], c, &holes);
    if (self->pieces[i].hole == SVC_HOLE_OWN) at = b->n;
  }
  return at;
}

/* The links of an item; its key belongs at key_at. False: out of memory. */
static bool list_link_text(svc_call *c, list_page *page)
{
  svc_buf b = svc_buf_new(c->arena, page->keyed ? c->plan->item->self.text_size + 96 : 256);
  size_t n;
  svc_buf_text(&b, "\"links\":");
  if (page->keyed) {
    page->key_at = list_write_keyed(c, &b);
  } else {
    svc_buf_text(&b, "[{\"href\":\"");
    svc_buf_str(&b, c->s->base_url);
    list_write_path(&b, list_path(c));
    svc_buf_text(&b, "\",\"rel\":\"self\"}]");
    page->key_at = b.n;
  }
  n = b.n;
  svc_buf_room(&b, LIST_FIRST); /* padding for copies in strides */
  page->link = (svc_str){ b.p, n };
  return !b.failed;
}

/* Copies LIST_FIRST bytes and whole strides, without a call: both sides have room for the excess. */
static char *list_copy_padded(char *to, const char *p, size_t n)
{
  size_t i;
  memcpy(to, p, LIST_FIRST);
  for (i = LIST_FIRST; i < n; i += LIST_STRIDE) memcpy(to + i, p + i, LIST_STRIDE);
  return to + n;
}

static char *list_copy(char *to, const char *p, size_t n)
{
  memcpy(to, p, n);
  return to + n;
}

/* Room for `most` bytes; they count only once out.n is moved. NULL: out of memory. */
static char *list_room(list_page *page, size_t most)
{
  svc_buf *b = &page->out;
  if (b->failed) return NULL; /* the room at the front remains */
  if (b->capacity - b->n < most) {
    if (!svc_buf_room(b, most)) return NULL;
    b->n -= most;
  }
  return b->p + b->n;
}

static void list_write_item(list_page *page, const svc_item *item)
{
  bool last;
  size_t at = item->links_at, key = page->keyed ? item->key.n : 0, i;
  size_t most = item->body.n + page->link.n + key + 2 + LIST_FIRST;
  char *to = list_room(page, most + 4 * LIST_LINE);
  if (!to) return;
  for (i = LIST_LINE; i < most; i += 4 * LIST_LINE) LIST_EXPECT(to + i); /* the first line was prefetched with the previous item */
  if (page->written) *to++ = ',';
  if (item->body.n - at >= LIST_FIRST) to = list_copy_padded(to, item->body.p, at);
  else to = list_copy(to, item->body.p, at);
  last = item->body.p[at] == '}';
  if (last && at > 1) *to++ = ',';
  to = list_copy_padded(to, page->link.p, page->key_at);
  if (key) to = key == 24 ? list_copy(to, item->key.p, 24) : list_copy(to, item->key.p, key);
  to = list_copy_padded(to, page->link.p + page->key_at, page->link.n - page->key_at);
  if (!last) *to++ = ',';
  to = list_copy(to, item->body.p + at, item->body.n - at);
  page->out.n = (size_t)(to - page->out.p);
}

/* Reserves memory for the whole page, estimated from an item of `size` bytes; bounded, because that item may be unusual. */
static void list_reserve(svc_call *c, list_page *page, size_t size, int64_t total)
{
  int64_t items = c->query.paged ? c->query.per_page : 64, most;
  bool good = list_link_text(c, page);
  size += page->link.n;
  most = (int64_t)((total < 0 ? LIST_GUESS : LIST_GUESS_COUNTED) / size) + 1;
  if (total >= 0 && items > total) items = total;
  if (items > most) items = most;
  page->out = svc_buf_new(c->arena, page->room + size * (size_t)items + size / 4 * (size_t)items + 512);
  page->out.n = page->room;
  if (!good) page->out.failed = true; /* no item may lack its link */
}

static bool list_too_long(svc_call *c)
{
  return svc_fail(c, SVC_E_INVALID_QUERY_PARAMETER, "ss", "itemsPerPage", "the list is too long for one answer: ask for pages");
}

/* Skips several items at once if the source can. True: some were skipped. */
static bool list_pass(svc_call *c, list_page *page, svc_item_pass pass, void *state, int64_t skip)
{
  int64_t n = pass ? pass(c, state, page->seen < skip ? skip - page->seen : INT64_MAX) : 0;
  page->seen += n;
  return n > 0;
}

/* A source of items, and a function that skips several, or NULL. */
typedef struct list_source {
  svc_item_source next;
  svc_item_pass pass;
  void *state;
} list_source;

/* Writes the items of the page, and skips those before it. False: c->error is set, or memory ran out. */
static bool list_fill(svc_call *c, list_page *page, const list_source *from, int64_t total)
{
  const bool paged = c->query.paged;
  int64_t skip = paged ? (c->query.page - 1) * c->query.per_page : 0, most = paged ? c->query.per_page : INT64_MAX;
  bool counting = c->plan->route->flags & SVC_PAGED && total < 0 && c->query.include_count;
  svc_item item;
  if (total >= 0 && skip >= total) return true;
  for (;;) {
    bool wanted = page->seen >= skip && page->written < most;
    if (page->written == most && total >= 0) {
      page->more = skip + page->written < total;
      return true;
    }
    memset(&item, 0, sizeof item);
    if (wanted || !list_pass(c, page, from->pass, from->state, skip)) {
      if (c->error.code || !from->next(c, from->state, wanted ? &item : NULL)) break;
      page->seen++;
    }
    if (page->written == most) {
      page->more = true;
      if (!counting) return true;
    }
    if (!wanted) continue;
    if (c->arena->failed) return svc_no_memory(c); /* an incomplete item must not be sent */
    if (page->written == 0) {
      page->keyed = item.key.n && c->plan->item;
      list_reserve(c, page, item.body.n + item.key.n + 2, total < 0 ? total : total - skip);
    }
    list_write_item(page, &item);
    page->written++;
    if (page->out.failed) break;
    if (page->out.n > LIST_WHOLE && !paged) return list_too_long(c);
  }
  return c->error.code == SVC_E_NONE;
}

/* A POST that adds to a list answers with the list. */
static int list_status(const svc_call *c)
{
  return c->plan->route->status ? c->plan->route->status : 200;
}

static void list_envelope_status(svc_call *c, list_page *page)
{
  svc_buf_text(&page->out, ",\"status\":");
  svc_buf_i64(&page->out, list_status(c));
}

static void list_close(svc_call *c, list_page *page, int64_t total)
{
  svc_str front;
  svc_buf_char(&page->out, ']');
  if (c->query.envelope) list_envelope_status(c, page);
  if (c->query.include_count) {
    svc_buf_text(&page->out, ",\"totalCount\":");
    svc_buf_i64(&page->out, total < 0 ? page->seen : total);
  }
  svc_buf_char(&page->out, '}');
  front = list_front(c, page);
  if (page->out.failed || c->arena->failed || SVC_NEVER(front.n > page->room)) {
    (void)svc_no_memory(c);
    return;
  }
  memcpy(page->out.p + page->room - front.n, front.p, front.n);
  c->answer.body = svc_buf_done(&page->out);
  c->answer.body.p += page->room - front.n;
  c->answer.body.n -= page->room - front.n;
}

static void list_close_bare(svc_call *c, list_page *page)
{
  svc_buf_char(&page->out, ']');
  if (c->query.envelope) {
    list_envelope_status(c, page);
    svc_buf_char(&page->out, '}');
  }
  c->answer.body = svc_buf_done(&page->out);
  if (page->out.failed) return;
  if (c->query.envelope) {
    memcpy(page->out.p, "{\"content\":[", 12);
  } else {
    page->out.p[11] = '[';
    c->answer.body.p += 11;
    c->answer.body.n -= 11;
  }
}

/* The usual size of the rows that were read with the first. */
static size_t list_usual_size(const svc_scan *scan)
{
  size_t all = 0;
  unsigned i;
  for (i = 0; i < scan->n; i++) all += scan->rows[i].value.n;
  return all / scan->n + 2;
}

/* The common case of list_fill: entities as stored, without filter, and their number is known. */
static bool list_fill_stored(svc_call *c, list_page *page, svc_scan *scan, int64_t total)
{
  const bool paged = c->query.paged;
  int64_t skip = paged ? (c->query.page - 1) * c->query.per_page : 0, most = paged ? c->query.per_page : INT64_MAX;
  svc_str key, value;
  svc_item item;
  if (skip >= total) return true;
  if (most > total - skip) most = total - skip; /* nothing follows the last one */
  scan->skip = (uint64_t)skip;
  svc_scan_expect(scan, (uint64_t)most);
  while (page->written < most && svc_scan_next(scan, &key, &value)) {
    if (!svc_entity_glance(value, &item.key, &item.body, &item.links_at)) return svc_store_failed(c, SVC_CORRUPT);
    if (page->written == 0) {
      page->keyed = c->plan->item != NULL;
      list_reserve(c, page, list_usual_size(scan), total - skip);
    }
    list_write_item(page, &item);
    page->written++;
    if (page->out.failed) break;
    if (page->out.n > LIST_WHOLE && !paged) return list_too_long(c);
  }
  page->more = skip + page->written < total;
  return svc_txn_good(c);
}

static bool list_page_of(svc_call *c, const list_source *from, svc_scan *scan, int64_t total)
{
  bool paged = c->plan->route->flags & SVC_PAGED;
  list_page page;
  memset(&page, 0, sizeof page);
  page.room = paged ? list_front_room(c) : 12;
  if (from ? !list_fill(c, &page, from, total) : !list_fill_stored(c, &page, scan, total)) return false;
  if (!page.out.arena) {
    page.out = svc_buf_new(c->arena, page.room + 64);
    page.out.n = page.room;
  }
  if (paged) list_close(c, &page, total);
  else list_close_bare(c, &page);
  if (page.out.failed && !c->error.code) (void)svc_no_memory(c);
  c->answer.status = list_status(c);
  c->answer.whole = true;
  return c->error.code == SVC_E_NONE;
}

/* The entities of a scan one by one. */
static bool list_row(svc_call *c, void *state, svc_item *out)
{
  svc_str key, value;
  if (!svc_scan_next(state, &key, &value)) {
    (void)svc_txn_good(c); /* sets c->error if this is not the end */
    return false;
  }
  if (out && !svc_entity_glance(value, &out->key, &out->body, &out->links_at)) return svc_store_failed(c, SVC_CORRUPT);
  return true;
}

/* Converts the item to an older version. False: that shape cannot express it, or c->error is set. */
static bool list_downgrade(svc_call *c, const svc_older *older, svc_item *item)
{
  svc_node *shown = svc_json_parse(c->arena, item->body);
  if (!shown) return svc_no_memory(c);
  if (older->downgrade(c, shown)) return svc_body_write(c->arena, shown, &item->body, &item->links_at) || svc_no_memory(c);
  if (c->arena->failed || !c->error.code || !older->omits) return svc_failed(c);
  c->error.code = SVC_E_NONE; /* left out, which is not an error */
  c->error.param_count = 0;
  return false;
}

/* Items of another source in the shape of the version. If some are left out, skipped items are converted, too. */
static bool list_older(svc_call *c, void *state, svc_item *out)
{
  const list_source *from = state;
  const svc_older *older = c->route.older;
  svc_item item = { .links_at = 0 }, *wanted = out || older->omits ? &item : NULL;
  do {
    memset(&item, 0, sizeof item);
    if (!from->next(c, from->state, wanted)) return false;
    if (!wanted || list_downgrade(c, older, &item)) break;
  } while (!c->error.code);
  if (out) *out = item;
  return c->error.code == SVC_E_NONE;
}

static bool list_write_older(svc_call *c, const list_source *from, svc_scan *scan, int64_t total)
{
  list_source rows = { list_row, NULL, scan }, all = { list_older, NULL, &rows };
  if (from) rows = *from;
  return list_page_of(c, &all, NULL, c->route.older->omits ? -1 : total);
}

/* Writes the page from a source of items or, if that is NULL, straight from a scan of entities. */
static bool list_write(svc_call *c, const list_source *from, svc_scan *scan, int64_t total)
{
  if (c->route.older && c->route.older->downgrade) return list_write_older(c, from, scan, total);
  return list_page_of(c, from, scan, total);
}

SVC_PRIVATE bool svc_list_items(svc_call *c, svc_item_source source, void *state, int64_t total)
{
  return svc_list_passing(c, source, NULL, state, total);
}

SVC_PRIVATE bool svc_list_passing(svc_call *c, svc_item_source source, svc_item_pass pass, void *state, int64_t total)
{
  const list_source from = { source, pass, state };
  return list_write(c, &from, NULL, total);
}

SVC_PRIVATE bool svc_list_stored(svc_call *c, svc_scan *scan, int64_t total)
{
  return list_write(c, NULL, scan, total);
}

SVC_PRIVATE void svc_item_node(svc_call *c, svc_item *item, svc_str key, const svc_node *body)
{
  item->key = key;
  svc_body_write(c->arena, body, &item->body, &item->links_at); /* the list checks the arena */
}

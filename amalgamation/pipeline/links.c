/*
** Links, from the tables. The answer of a GET has a link to
**
** - itself;
** - every GET whose path continues its own by literal segments alone (its sub-resources); for a field in the path
**   (svc_route_ext.in_path), one link per value;
** - each entity that its own path leads through, or its parent;
** - the route that finds it by its unique value;
** - GETs below it by the table of their noun, or that describe it (svc_route_ext.linked_from), though their paths begin differently;
** - GETs below its own path, for an entity that is read only through the path of another;
** - entities that no list shows, if their path begins with its own and no other GET is closer to them: each of them, or the newest of
**   those that expire, such as jobs. What is right below a project or an organization is linked from its settings (svc_route_ext.leads).
**
** An answer that names resources adds a link to each (svc_answer_link). So every resource can be reached from the root; an older job of
** which no list exists, from the answer of the POST that started it. A link to an operation with required parameters has usable values
** (svc_param.link), and is left out if the table has none. Relations other than self are URLs: the base URL and the rest
** of the path, or the name of the noun.
**
** All of this is resolved at open. Each route gets its links as text with holes for the keys, and writing them is copying.
** The rule: the content of a hole is already percent-encoded.
*/
#include "pipeline/pipeline.h"

enum { LINKS_ID = 24 }; /* characters of an id */

typedef struct links_writer {
  svc *s;
  svc_arena *scratch;
  svc_piece *pieces;
  size_t count, room;
  svc_buf text; /* the piece being written */
  const svc_plan **gets; /* plans that links can lead to */
  size_t *sizes;         /* lengths of their paths */
  size_t get_count;
  bool failed;
} links_writer;

static bool links_more(links_writer *w)
{
  size_t room = w->room ? 2 * w->room : 32;
  svc_piece *grown = svc_arena_alloc(w->scratch, room * sizeof *grown);
  if (!grown) return false;
  if (w->count) memcpy(grown, w->pieces, w->count * sizeof *grown);
  w->pieces = grown;
  w->room = room;
  return true;
}

static void links_hole(links_writer *w, int hole)
{
  svc_str text = svc_buf_done(&w->text);
  if (w->text.failed || (w->count == w->room && !links_more(w))) {
    w->failed = true;
    return;
  }
  w->pieces[w->count].text = text;
  w->pieces[w->count++].hole = hole;
  w->text = svc_buf_new(w->scratch, 0);
}

/* The hole for the parameter at this index of the plan's path, and the number of parameters that its key covers. */
static int links_param_hole(const svc_plan *plan, unsigned param, unsigned *count)
{
  unsigned i;
  *count = 1;
  for (i = 0; i < plan->hop_count; i++) {
    if (plan->hops[i].param != param) continue;
    *count = plan->hops[i].param_count;
    if (plan->hops[i].by_unique) return SVC_HOLE_UNIQUE;
    return plan->own && i + 1 == plan->hop_count ? SVC_HOLE_OWN : (int)i;
  }
  return SVC_HOLE_PARAM + (int)param;
}

/* The beginning of every link. */
static void links_base(svc_buf *b, const svc *s)
{
  svc_buf_str(b, s->base_url);
  svc_buf_str(b, s->base_path);
}

/* A path whose only parameter is its first, which has this hole. */
static void links_by_first(links_writer *w, const svc_plan *p, int hole)
{
  const char *open = strchr(p->path, '{');
  links_base(&w->text, w->s);
  svc_buf_add(&w->text, p->path, (size_t)(open - p->path));
  links_hole(w, hole);
  svc_buf_text(&w->text, strchr(open, '}') + 1);
}

/* A path with the holes that its parameters have in answers to `plan`: its own path, or one with the same beginning. */
static void links_path(links_writer *w, const svc_plan *plan, const char *path)
{
  unsigned param = 0, count;
  const char *open;
  links_base(&w->text, w->s);
  while ((open = strchr(path, '{')) != NULL) {
    svc_buf_add(&w->text, path, (size_t)(open - path));
    links_hole(w, links_param_hole(plan, param, &count));
    param += count;
    for (path = open; count > 0; count--) path = strchr(path, '}') + 1;
  }
  svc_buf_text(&w->text, path);
}

/* The value of a parameter in links. NULL: left out. */
static const char *links_asked(const svc_param *p)
{
  if (p->link) return p->link;
  return p->flags & SVC_PARAM_REQUIRED && p->type == SVC_STRING && p->values ? p->values[0] : NULL;
}

/* Whether a link can call the operation. */
static bool links_usable(const svc_plan *to)
{
  const svc_param *p = to->route->params;
  while (p && p->name && (!(p->flags & SVC_PARAM_REQUIRED) || links_asked(p))) p++;
  return !p || !p->name;
}

/* Writes the parameters that have a value in links, with these values: required ones, and those with svc_param.link. */
static void links_query(const svc *s, svc_buf *b, const svc_plan *to)
{
  const svc_param *p;
  char mark = '?';
  for (p = to->route->params; p && p->name; p++) {
    if (!links_asked(p)) continue;
    svc_buf_char(b, mark);
    svc_buf_str(b, svc_shown_field(s, svc_str_c(p->name)));
    svc_buf_char(b, '=');
    svc_buf_str(b, p->values ? svc_shown_value(s, b->arena, links_asked(p)) : svc_str_c(links_asked(p)));
    mark = '&';
  }
}

static void links_begin(links_writer *w, bool first)
{
  svc_buf_text(&w->text, first ? "{\"href\":\"" : ",{\"href\":\"");
}

static void links_end(links_writer *w, const char *prefix, svc_str rel)
{
  svc_buf_text(&w->text, "\",\"rel\":\"");
  if (prefix) {
    svc_buf_text(&w->text, prefix);
    svc_buf_char(&w->text, '/');
  }
  svc_buf_str(&w->text, rel);
  svc_buf_text(&w->text, "\"}");
}

static const char *links_rel(const svc_noun *noun)
{
  return noun->rel ? noun->rel : noun->name;
}

/* Whether `sub`, a GET whose path begins with that of `plan`, continues by literals alone. *tail: the rest of its path. */
static bool links_is_sub(const svc_plan *plan, const svc_plan *sub, svc_str *tail)
{
  const char *rest = sub->path + strlen(plan->path);
  if (sub->route->flags & SVC_ABSOLUTE || !links_usable(sub)) return false;
  if ((rest[0] != '/' && rest[0] != ':') || strchr(rest, '{')) return false;
  *tail = svc_str_c(rest + 1);
  return true;
}

/* Whether `sub` continues the path of `plan` by literals and a field in the path. *values: the field's values; *open: its position. */
static bool links_is_sub_by_value(const svc_plan *plan, const svc_plan *sub, const char *const **values, const char **open)
{
  const char *rest = sub->path + strlen(plan->path);
  if (sub->in_path < 0 || !sub->in_path_field->values || rest[0] != '/' || !links_usable(sub)) return false;
  *open = strchr(rest, '{');
  *values = sub->in_path_field->values;
  return *open && svc_str_starts(svc_str_c(*open + 1), svc_route_ext_of(sub->route)->in_path) && !strchr(*open + 1, '{');
}

/* The route that reads one entity of the noun. seen_from: only a route whose path begins that of this plan; NULL: any. NULL: none found. */
static const svc_plan *links_plan_of(const svc_noun_info *noun, const svc_plan *seen_from)
{
  size_t i;
  for (i = 0; i < noun->plan_count; i++) {
    const svc_plan *p = &noun->plans[i];
    if (p->own && p->item == p &&
        (!seen_from || strncmp(seen_from->path, p->path, strlen(p->path)) == 0))
      return p;
  }
  return NULL;
}

/* Whether both entities have the same parents. */
static bool links_same_parents(const svc_plan *a, const svc_plan *b)
{
  unsigned i;
  for (i = 0; i + 1 < a->hop_count && i + 1 < b->hop_count; i++)
    if (a->hops[i].noun != b->hops[i].noun) return false;
  return a->hop_count == b->hop_count;
}

/* For an entity that is read only through the path of another: GETs below its own path. */
static void links_below_own(links_writer *w, const svc_plan *plan)
{
  size_t i;
  if (plan->own || !(plan->route->flags & SVC_ITEM) || !(plan->noun->noun->flags & SVC_GLOBAL)) return;
  for (i = 0; i < w->get_count; i++) {
    const svc_plan *p = w->gets[i];
    const char *open = strchr(p->path, '{'), *rest = open ? strchr(open, '}') + 1 : NULL;
    if (!p->hop_count || p->hops[0].noun != plan->noun || rest[0] != '/' || strchr(rest, '{') || !links_usable(p)) continue;
    links_begin(w, false);
    links_by_first(w, p, SVC_HOLE_OWN);
    links_query(w->s, &w->text, p);
    links_end(w, w->s->base_url.p, svc_str_c(rest + 1));
  }
}

/* GETs below the entity by their noun's table, though their paths begin differently. */
static void links_beside(links_writer *w, const svc_plan *plan)
{
  size_t i, n = strlen(plan->path);
  if (!plan->own || plan->item != plan) return;
  for (i = 0; i < w->get_count; i++) {
    const svc_plan *p = w->gets[i];
    const char *last;
    if (p->noun->parent != plan->noun || strncmp(p->path, plan->path, n) == 0) continue;
    last = strrchr(p->path, '}');
    if (!last || last[1] != '/' || p->hop_count != plan->hop_count || p->param_count != plan->param_count || !links_same_parents(plan, p)) continue;
    if (p->hops[p->hop_count - 1].noun != plan->noun || !links_usable(p)) continue;
    links_begin(w, false);
    links_path(w, plan, p->path);
    links_query(w->s, &w->text, p);
    links_end(w, w->s->base_url.p, svc_str_c(last + 2));
  }
}

/* The number of parameters that both paths begin with, before the entity's own. */
static unsigned links_shared(const svc_plan *plan, const char *b)
{
  unsigned n = 0, most = plan->own ? plan->hops[plan->hop_count - 1].param : plan->param_count - 1;
  const char *a = plan->path;
  size_t size;
  while (n < most && (a = strchr(a, '{')) != NULL && (b = strchr(b, '{')) != NULL) {
    size = (size_t)(strchr(a, '}') - a);
    if (strncmp(a, b, size + 1) != 0) break;
    n++, a += size, b += size;
  }
  return n;
}

/* A value of a field in a path, as callers see it: a word of the dialect is percent-encoded. */
static svc_str links_shown(links_writer *w, const char *value)
{
  svc_buf b;
  if (!w->s->dialect) return svc_str_c(value);
  b = svc_buf_new(w->scratch, 32);
  svc_percent_encode(&b, svc_shown_value(w->s, w->scratch, value));
  w->failed |= b.failed;
  return svc_buf_done(&b);
}

/* The hole for the key that `to` has in its path, of the entity that `plan` answers with. */
static int links_key_hole(const svc_plan *plan, const svc_plan *to)
{
  int by = svc_route_ext_of(to->route)->linked_by;
  int hole = by == SVC_BY_ALL_BUT_LAST ? SVC_HOLE_UNIQUE : plan->own ? SVC_HOLE_OWN : SVC_HOLE_PARAM + (int)plan->param_count - 1;
  return hole + by * SVC_HOLE_PART;
}

/* A route that describes the entity. `value`: the value of the field in its path; NULL: none. */
static void links_across(links_writer *w, const svc_plan *plan, const svc_plan *to, const char *value)
{
  unsigned shared = links_shared(plan, to->path), param = 0, count;
  const char *path = to->path, *open;
  svc_buf rel = svc_buf_new(w->scratch, 64);
  svc_str named;
  bool keyed = false;
  links_begin(w, false);
  links_base(&w->text, w->s);
  for (; (open = strchr(path, '{')) != NULL; path = strchr(open, '}') + 1, param++) {
    if (!keyed || open - path > 1) svc_buf_add(&w->text, path, (size_t)(open - path)); /* a single hole covers all parts of a key */
    if (param >= shared) svc_buf_add(&rel, path, (size_t)(open - path));
    if (value && svc_str_starts(svc_str_c(open + 1), svc_route_ext_of(to->route)->in_path)) {
      svc_buf_str(&w->text, links_shown(w, value));
      svc_buf_str(&rel, links_shown(w, value));
      continue;
    }
    if (param >= shared) svc_buf_add(&rel, open + 1, (size_t)(strchr(open, '}') - open) - 1);
    if (param < shared) links_hole(w, links_param_hole(plan, param, &count));
    else if (!keyed) links_hole(w, links_key_hole(plan, to));
    keyed |= param >= shared;
  }
  svc_buf_text(&w->text, path);
  svc_buf_text(&rel, path);
  w->failed |= rel.failed;
  if (w->failed) return;
  links_query(w->s, &w->text, to);
  named = svc_buf_done(&rel);
  links_end(w, w->s->base_url.p, (svc_str){ named.p + 1, named.n - 1 }); /* without the leading slash */
}

/* Routes that describe the entity (linked_from). */
static void links_from(links_writer *w, const svc_plan *plan)
{
  const char *const *value;
  size_t i;
  if (plan->item != plan && !(plan->route->flags & SVC_ITEM)) return;
  for (i = 0; i < w->get_count; i++) {
    const svc_plan *to = w->gets[i];
    if (!svc_route_ext_of(to->route)->linked_from || strcmp(svc_route_ext_of(to->route)->linked_from, plan->noun->noun->name) != 0) continue;
    if (to->in_path < 0) links_across(w, plan, to, NULL);
    else for (value = to->in_path_field->values; SVC_ALWAYS(value) && *value; value++) links_across(w, plan, to, *value);
  }
}

/* A member of an organization is also a person with the same id: a link to that person, whose path has the id as its only parameter. */
static void links_person(links_writer *w, const svc_plan *plan)
{
  const svc_noun_info *whole = plan->noun == w->s->seats[SVC_SEAT_MEMBER] ? w->s->seats[SVC_SEAT_USER] : NULL;
  const svc_plan *p = plan->own && whole ? links_plan_of(whole, NULL) : NULL;
  if (!p) return;
  links_begin(w, false);
  links_by_first(w, p, SVC_HOLE_OWN);
  links_end(w, w->s->base_url.p, svc_str_c(links_rel(whole->noun)));
}

/* Links to the parent or the entities of the path, from a view to its entity, and to the route by its unique value. */
static void links_related(links_writer *w, const svc_plan *plan)
{
  svc *s = w->s;
  unsigned parents = plan->hop_count - (plan->own ? 1 : 0), i;
  const svc_plan *p;
  size_t j;
  if (plan->own && parents == 0 && plan->noun->noun->flags & SVC_GLOBAL && plan->noun->parent &&
      (p = links_plan_of(plan->noun->parent, NULL)) != NULL) {
    links_begin(w, false);
    links_by_first(w, p, SVC_HOLE_PARENT);
    links_end(w, s->base_url.p, svc_str_c(links_rel(plan->noun->parent->noun)));
  }
  for (i = 0; i < parents; i++) {
    p = links_plan_of(plan->hops[i].noun, plan);
    if (!p) continue;
    links_begin(w, false);
    links_path(w, plan, p->path);
    links_end(w, s->base_url.p, svc_str_c(links_rel(plan->hops[i].noun->noun)));
  }
  if (plan->item != plan) {
    if (!plan->own || !plan->item || svc_route_ext_of(plan->route)->by) return; /* a view of an entity links back to it */
    links_begin(w, false);
    links_path(w, plan, plan->item->path);
    links_end(w, s->base_url.p, svc_str_c(links_rel(plan->noun->noun)));
    return;
  }
  for (j = 0; j < plan->noun->plan_count; j++) {
    p = &plan->noun->plans[j];
    if (!svc_route_ext_of(p->route)->by || p->route->method != SVC_GET || !links_same_parents(plan, p)) continue;
    links_begin(w, false);
    links_path(w, p, p->path);
    links_end(w, s->base_url.p, SVC_S("byName"));
  }
}

static bool links_uses(const links_writer *w, svc_template *out)
{
  svc_hole_use *uses = svc_arena_alloc(&w->s->memory, w->count * sizeof *uses);
  size_t i, k;
  if (!uses) return false;
  for (i = 0; i < w->count; i++) {
    for (k = 0; k < out->use_count && uses[k].hole != w->pieces[i].hole;) k++;
    if (k == out->use_count) uses[out->use_count++] = (svc_hole_use){ w->pieces[i].hole, 0 };
    uses[k].times++;
  }
  out->uses = uses;
  return true;
}

/* Copies the texts from the scratch arena to a lasting one: contiguous, with room for an id between them. */
static bool links_lay_out(const links_writer *w, svc_template *out)
{
  size_t i = w->count;
  char *to;
  while (i-- > 0) w->pieces[i].same = i + 1 < w->count && w->pieces[i].hole == w->pieces[i + 1].hole ? w->pieces[i + 1].same + 1 : 1;
  for (i = 0; i < w->count; i++) out->text_size += w->pieces[i].text.n;
  to = svc_arena_alloc(&w->s->memory, out->text_size + w->count * LINKS_ID);
  if (!to) return false;
  for (i = 0; i < w->count; i++) {
    if (w->pieces[i].text.n) memcpy(to, w->pieces[i].text.p, w->pieces[i].text.n);
    w->pieces[i].text.p = to;
    to += w->pieces[i].text.n;
    memset(to, '0', LINKS_ID);
    to += LINKS_ID;
  }
  return true;
}

static bool links_finish(links_writer *w, svc_template *out)
{
  svc_piece *pieces;
  size_t i;
  links_hole(w, SVC_HOLE_NONE);
  if (w->failed) return false;
  out->count = w->count;
  out->pieces = pieces = svc_arena_alloc(&w->s->memory, w->count * sizeof *pieces);
  if (!pieces || !links_uses(w, out) || !links_lay_out(w, out)) return false;
  memcpy(pieces, w->pieces, w->count * sizeof *pieces);
  for (i = 0; i < w->count; i++) {
    out->has_parent |= w->pieces[i].hole == SVC_HOLE_PARENT;
    out->has_unique |= w->pieces[i].hole >= 0 && w->pieces[i].hole % SVC_HOLE_PART == SVC_HOLE_UNIQUE;
  }
  w->count = 0;
  w->text = svc_buf_new(w->scratch, 0);
  return true;
}

/* A sub-resource, once per value of the field in its path. */
static void links_by_value(links_writer *w, const svc_plan *plan, const svc_plan *sub)
{
  const char *const *values, *open;
  svc_str path, tail;
  if (!links_is_sub_by_value(plan, sub, &values, &open)) return;
  for (; *values; values++) {
    path = svc_arena_print(w->scratch, "%.*s%s%s", (int)(open - sub->path), sub->path, links_shown(w, *values).p, strchr(open, '}') + 1);
    w->failed |= path.n == 0;
    if (w->failed) return;
    tail = svc_str_c(path.p + strlen(plan->path) + 1);
    links_begin(w, false);
    links_path(w, plan, path.p);
    links_query(w->s, &w->text, sub);
    links_end(w, w->s->base_url.p, tail);
  }
}

/* The array begins with the self link. */
static void links_self(links_writer *w, const svc_plan *plan)
{
  svc_buf_text(&w->text, "[");
  links_begin(w, true);
  links_path(w, plan, plan->path);
  if (plan->route->params && !(plan->route->flags & (SVC_PAGED | SVC_BARE))) links_hole(w, SVC_HOLE_QUERY); /* a list writes its own */
  links_end(w, NULL, SVC_S("self"));
}

static bool links_compile(links_writer *w, svc_plan *plan)
{
  svc_str tail;
  size_t i, n = strlen(plan->path);
  links_self(w, plan);
  svc_buf_text(&w->text, "]");
  if (!links_finish(w, &plan->self)) return false;

  links_self(w, plan);
  for (i = 0; i < w->get_count; i++) {
    const svc_plan *sub = w->gets[i];
    /* most paths begin alike, so the end of the shorter one is compared first */
    if (w->sizes[i] <= n || (sub->path[n] != '/' && sub->path[n] != ':') || memcmp(sub->path, plan->path, n) != 0) continue;
    links_by_value(w, plan, sub);
    if (!links_is_sub(plan, sub, &tail)) continue;
    links_begin(w, false);
    links_path(w, plan, sub->path);
    links_query(w->s, &w->text, sub);
    links_end(w, w->s->base_url.p, tail);
  }
  links_below_own(w, plan);
  links_beside(w, plan);
  links_from(w, plan);
  links_related(w, plan);
  links_person(w, plan);
  svc_buf_text(&w->text, "]");
  return links_finish(w, &plan->links);
}

/* ------------------------------------------------------------------------------------------------ entities without a list */

/* Whether this route reads entities that are stored below others, and that no list shows. */
static bool links_is_unlisted(const svc_plan *p)
{
  const svc_noun *noun = p->noun->noun;
  size_t i;
  if (!p->own || p->item != p || p->hop_count < 2 || !noun->kind) return false;
  if (noun->flags & (SVC_VIRTUAL | SVC_SINGLETON | SVC_SOLE)) return false;
  for (i = 0; i < p->noun->plan_count; i++) {
    const svc_plan *list = &p->noun->plans[i];
    if (list->route->method == SVC_GET && list->route->flags & (SVC_PAGED | SVC_BARE)) return false;
  }
  return true;
}

/* The length of the path below which the answer of a route links to entities: its own, or that of its parent. */
static size_t links_front(const svc_plan *p)
{
  size_t n = strlen(p->path);
  if (!svc_route_ext_of(p->route)->leads) return n;
  while (n && p->path[n - 1] != '/') n--;
  return n ? n - 1 : 0;
}

/* Whether the path of `from` begins that of `to`, and leads through all parents of its entities. */
static bool links_leads_to(const svc_plan *from, const svc_plan *to)
{
  size_t n = links_front(from);
  unsigned i;
  if (from->route->flags & (SVC_PAGED | SVC_BARE | SVC_ABSOLUTE)) return false;
  if (from->hop_count + 1 < to->hop_count) return false;
  if (strncmp(from->path, to->path, n) != 0 || to->path[n] != '/') return false;
  for (i = 0; i + 1 < to->hop_count; i++)
    if (from->hops[i].noun != to->hops[i].noun) return false;
  return true;
}

/* The GET whose answer leads closest to the entities that `to` reads. NULL: none. */
static svc_plan *links_closest(svc *s, const svc_plan *to)
{
  svc_plan *found = NULL;
  size_t i;
  for (i = 0; i < s->plan_count; i++) {
    svc_plan *p = &s->plans[i];
    if (p->route->method != SVC_GET || !links_leads_to(p, to)) continue;
    if (!found || links_front(p) + svc_route_ext_of(p->route)->leads > links_front(found)) found = p;
  }
  return found;
}

static bool links_add_unlisted(links_writer *w, const svc_plan *to)
{
  svc_plan *from = links_is_unlisted(to) ? links_closest(w->s, to) : NULL;
  svc_unlisted *row;
  if (!from) return true;
  row = svc_arena_zero(&w->s->memory, sizeof *row);
  if (!row) return false;
  row->noun = to->noun;
  row->parent = to->hop_count - 2;
  row->next = from->unlisted;
  from->unlisted = row;
  links_begin(w, false);
  links_path(w, to, to->path);
  links_end(w, w->s->base_url.p, svc_str_c(links_rel(to->noun->noun)));
  return links_finish(w, &row->link);
}

SVC_PRIVATE int svc_links_open(svc *s)
{
  svc_arena scratch;
  links_writer w;
  size_t i;
  int rc = SVC_OK;
  svc_arena_init(&scratch, &s->allocator);
  memset(&w, 0, sizeof w);
  w.s = s;
  w.scratch = &scratch;
  w.text = svc_buf_new(&scratch, 0);
  w.gets = svc_arena_alloc(&scratch, s->plan_count * sizeof *w.gets + 1);
  w.sizes = svc_arena_alloc(&scratch, s->plan_count * sizeof *w.sizes + 1);
  if (!w.gets || !w.sizes) rc = SVC_NOMEM;
  for (i = 0; i < s->plan_count && rc == SVC_OK; i++)
    if (s->plans[i].route->method == SVC_GET) {
      w.sizes[w.get_count] = strlen(s->plans[i].path);
      w.gets[w.get_count++] = &s->plans[i];
    }
  for (i = 0; i < s->plan_count && rc == SVC_OK; i++)
    if (s->plans[i].route->method == SVC_GET && !(s->plans[i].route->flags & SVC_ABSOLUTE) &&
        (!links_compile(&w, &s->plans[i]) || !links_add_unlisted(&w, &s->plans[i])))
      rc = SVC_NOMEM;
  svc_blocks_free(scratch.blocks);
  return rc;
}

/* -------------------------------------------------------------------------------------------------------------- writing */

/* The index of the path's parameter with the same name as the one here, "{name}..."; -1: none. */
static int links_param_named(const char *path, const char *name)
{
  size_t size = (size_t)(strchr(name, '}') - name) + 1;
  int n = 0;
  for (; (path = strchr(path, '{')) != NULL; path++, n++)
    if (strncmp(path, name, size) == 0) return n;
  return -1;
}

/* A part of a key, which is percent-encoded or "HOST:PORT". */
static svc_str links_part(svc_str key, int by)
{
  char between = by == SVC_BY_HOST ? ':' : '/';
  size_t n = key.n;
  while (n > 0 && key.p[n - 1] != between) n--;
  if (by == SVC_BY_LAST) return (svc_str){ key.p + n, key.n - n };
  return (svc_str){ key.p, n ? n - 1 : key.n };
}

static svc_str links_value(const svc_call *c, const svc_answer *answer, int hole)
{
  if (hole >= SVC_HOLE_PART) return links_part(links_value(c, answer, hole % SVC_HOLE_PART), hole / SVC_HOLE_PART);
  switch (hole) {
  case SVC_HOLE_OWN: return answer->own;
  case SVC_HOLE_PARENT: return answer->parent;
  case SVC_HOLE_UNIQUE: return answer->unique;
  case SVC_HOLE_QUERY: return c->query.again;
  case SVC_HOLE_NONE: return SVC_S("");
  default:
    if (hole >= SVC_HOLE_PARAM) return c->route.raw[hole - SVC_HOLE_PARAM];
    /* cppcheck-suppress arrayIndexOutOfBoundsCond ; what is left is the number of a hop: links_param_hole() */
    return hole == 0 && c->plan->item_by_org ? c->route.org_key : c->route.chain[hole].key;
  }
}

SVC_PRIVATE size_t svc_template_size(const svc_template *t, const svc_call *c, const svc_answer *answer)
{
  size_t size = t->text_size, i;
  for (i = 0; i < t->use_count; i++) size += t->uses[i].times * links_value(c, answer, t->uses[i].hole).n;
  return size;
}

SVC_PRIVATE void svc_piece_write(svc_buf *b, const svc_piece *piece, const svc_call *c, const svc_answer *answer)
{
  svc_buf_str(b, piece->text);
  svc_buf_str(b, links_value(c, answer, piece->hole));
}

/* Writes a run of pieces with the same hole, which contains an id: copies their texts at once, then the id into each gap, with copies of
** constant size. */
static char *links_write_ids(char *to, const svc_piece *run, svc_str value)
{
  const svc_piece *end = run + run->same;
  char id[LINKS_ID];
  memcpy(id, value.p, sizeof id);
  memcpy(to, run->text.p, (size_t)(end->text.p - run->text.p));
  for (; run < end; run++) {
    to += run->text.n;
    memcpy(to, id, sizeof id);
    to += sizeof id;
  }
  return to;
}

static char *links_write_values(char *to, const svc_piece *run, svc_str value)
{
  const svc_piece *end = run + run->same;
  for (; run < end; run++) {
    memcpy(to, run->text.p, run->text.n);
    to += run->text.n;
    if (value.n) memcpy(to, value.p, value.n);
    to += value.n;
  }
  return to;
}

SVC_PRIVATE void svc_template_write(svc_buf *b, const svc_template *t, const svc_call *c, const svc_answer *answer)
{
  char *to = svc_buf_room(b, svc_template_size(t, c, answer));
  const svc_piece *run, *end = t->pieces + t->count;
  svc_str value;
  if (!to) return;
  for (run = t->pieces; run < end; run += run->same) { /* the last piece has no hole: a text follows each id */
    value = links_value(c, answer, run->hole);
    to = value.n == LINKS_ID ? links_write_ids(to, run, value) : links_write_values(to, run, value);
  }
}

/* Entities that expire are jobs: the newest is linked. Their ids have the time of their creation in front. */
static bool links_write_unlisted(svc_call *c, const svc_unlisted *row, svc_buf *b)
{
  const char *kind = row->noun->noun->kind;
  bool newest = row->noun->noun->flags & SVC_EXPIRES;
  svc_answer holes;
  svc_scan scan;
  svc_entity e;
  svc_key prefix;
  svc_key_entity(&prefix, kind, &c->route.chain[row->parent].id, NULL);
  svc_scan_below(&scan, c->txn, &prefix, true);
  if (newest) svc_scan_expect(&scan, 1);
  memset(&holes, 0, sizeof holes);
  while (svc_below_next(&scan, kind, &e)) {
    holes.own = e.key;
    svc_template_write(b, &row->link, c, &holes);
    if (newest) break;
  }
  return svc_txn_good(c);
}

SVC_PRIVATE bool svc_links_unlisted(svc_call *c)
{
  const svc_unlisted *row = c->plan->unlisted;
  svc_buf b;
  if (!row || !c->answer.links || c->answer.whole) return true;
  b = svc_buf_new(c->arena, c->answer.links_more.n + 256);
  svc_buf_str(&b, c->answer.links_more);
  for (; row; row = row->next)
    if (row->parent < c->route.resolved && !links_write_unlisted(c, row, &b)) return false;
  c->answer.links_more = svc_buf_done(&b);
  return !b.failed || svc_no_memory(c);
}

SVC_PRIVATE void svc_answer_link(svc_call *c, const char *op, const svc_str *values)
{
  svc_buf b = svc_buf_new(c->arena, c->answer.links_more.n + 256);
  const svc_plan *plan = svc_plan_named(c->s, op);
  const char *path, *open;
  svc_str rel;
  size_t at = 0, end;
  if (!plan) return;
  svc_buf_str(&b, c->answer.links_more);
  svc_buf_text(&b, ",{\"href\":\"");
  links_base(&b, c->s);
  for (path = plan->path; (open = strchr(path, '{')) != NULL; path = strchr(open, '}') + 1) {
    int param = links_param_named(c->plan->path, open);
    svc_buf_add(&b, path, (size_t)(open - path));
    if (param >= 0) {
      svc_buf_str(&b, c->route.raw[param]);
      at = b.n; /* the relation is named after the rest of the path */
    } else {
      svc_percent_encode(&b, *values++);
    }
  }
  svc_buf_text(&b, path);
  end = b.n;
  links_query(c->s, &b, plan);
  svc_buf_text(&b, "\",\"rel\":\"");
  svc_buf_str(&b, c->s->base_url);
  rel = b.failed ? SVC_S("") : svc_arena_copy(c->arena, (svc_str){ b.p + at, end - at });
  svc_buf_str(&b, rel);
  svc_buf_text(&b, "\"}");
  c->answer.links_more = svc_buf_done(&b);
}

static bool links_begins(svc_str *text, svc_str with)
{
  if (text->n < with.n || (with.n && memcmp(text->p, with.p, with.n) != 0)) return false;
  text->p += with.n;
  text->n -= with.n;
  return true;
}

/* Skips the unique value, which may have several parts, or any text in its place: a client that renames it and repeats the request sends
** links with the old name. A hole is inside a JSON string, so the end of the string is behind it. */
static void links_skip(svc_str *text, svc_str unique)
{
  svc_str rest = *text;
  if (links_begins(&rest, unique) && SVC_ALWAYS(rest.n) && (rest.p[0] == '"' || rest.p[0] == '/')) *text = rest;
  while (SVC_ALWAYS(text->n) && text->p[0] != '"' && text->p[0] != '/') text->p++, text->n--;
}

/* Skips any query. */
static void links_skip_query(svc_str *text)
{
  if (SVC_ALWAYS(text->n) && text->p[0] == '?')
    while (SVC_ALWAYS(text->n) && text->p[0] != '"') text->p++, text->n--;
}

/* Skips a link to an entity that no list shows, or that was there when the client read the links. */
static bool links_skip_unlisted(svc_call *c, const svc_plan *item, svc_str *text)
{
  static const svc_answer none;
  const svc_unlisted *row;
  size_t k;
  for (row = item->unlisted; row; row = row->next) {
    const svc_template *t = &row->link;
    svc_str rest = *text;
    for (k = 0; k < t->count && links_begins(&rest, t->pieces[k].text); k++) {
      if (t->pieces[k].hole == SVC_HOLE_OWN) links_skip(&rest, SVC_S(""));
      else if (!links_begins(&rest, links_value(c, &none, t->pieces[k].hole))) break;
    }
    if (k < t->count) continue;
    *text = rest;
    return true;
  }
  return false;
}

static bool links_match(svc_call *c, const svc_plan *item, const svc_template *t, const svc_answer *answer,
                        svc_str text)
{
  size_t i;
  for (i = 0; i < t->count; i++) {
    svc_str piece = t->pieces[i].text;
    if (i + 1 == t->count) piece.n--; /* the bracket at the end of the links */
    if (!links_begins(&text, piece)) return false;
    if (t->pieces[i].hole == SVC_HOLE_UNIQUE) links_skip(&text, answer->unique);
    else if (t->pieces[i].hole == SVC_HOLE_QUERY) links_skip_query(&text);
    else if (!links_begins(&text, links_value(c, answer, t->pieces[i].hole))) return false;
  }
  while (t == &item->links && links_skip_unlisted(c, item, &text)) continue;
  return t->count && svc_str_is(text, "]");
}

/* Whether a GET of the entity, or a list with it, shows these links. A new entity was never served. */
SVC_PRIVATE bool svc_links_served(svc_call *c, const svc_node *links)
{
  const svc_plan *item = c->plan ? (c->plan->item ? c->plan->item : c->plan) : NULL;
  const svc_entity *e;
  svc_answer answer;
  svc_str text;
  svc_buf b;
  if (!item || c->request.method == SVC_POST) return false;
  b = svc_buf_new(c->arena, 512);
  svc_node_write(&b, links);
  text = svc_buf_done(&b);
  memset(&answer, 0, sizeof answer);
  if (c->plan->own && c->route.resolved == c->plan->hop_count) {
    e = &c->route.chain[c->plan->hop_count - 1];
    svc_answer_keys(c, item, e, &answer);
  }
  if (c->route.links_own.n) answer.own = c->route.links_own;
  return links_match(c, item, &item->links, &answer, text) ||
         links_match(c, item, &item->self, &answer, text);
}

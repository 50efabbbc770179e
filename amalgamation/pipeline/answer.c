/*
** The answer to a request: a resource, as stored or as its noun shows it, or something computed.
**
** The rule: this file only notes the answer; respond.c writes the bytes. A stored body is answered directly from the store,
** without a parse. A view is built only if a noun shows more than its stored body.
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE uint64_t svc_body_revision(svc_str body)
{
  return svc_fnv(SVC_FNV, body) | (uint64_t)1 << 63; /* the highest bit: never equal to one of svc_new_revision() */
}

/* The unique value in the form of a path; a value of several parts is already encoded. */
static svc_str answer_unique(svc_call *c, const svc_entity *e)
{
  const char *unique = c->plan->noun->noun->unique;
  svc_buf b;
  if (SVC_ALWAYS(unique) && strchr(unique, '/')) return e->unique; /* the links have a place for each part */
  b = svc_buf_new(c->arena, e->unique.n * 3 + 1);
  svc_percent_encode(&b, e->unique);
  return svc_buf_done(&b);
}

static int answer_status(const svc_call *c)
{
  return c->plan->route->status ? c->plan->route->status : 200;
}

SVC_PRIVATE void svc_answer_keys(svc_call *c, const svc_plan *item, const svc_entity *e, svc_answer *out)
{
  out->own = item->noun == c->plan->noun ? e->key : c->route.chain[item->hop_count - 1].key; /* the key of the resource that shows it */
  if (item->links.has_parent) out->parent = svc_id_str(c->arena, &e->parent);
  if (item->links.has_unique) out->unique = answer_unique(c, e);
}

static void answer_stored(svc_call *c, const svc_entity *e)
{
  const svc_plan *item = c->plan->item ? c->plan->item : c->plan;
  svc_answer *a = &c->answer;
  a->status = answer_status(c);
  a->body = e->body;
  a->links_at = e->links_at;
  a->revision = e->revision;
  a->links = item->links.count ? &item->links : NULL;
  svc_answer_keys(c, item, e, a);
}

SVC_PRIVATE void svc_answer_linked(svc_call *c, const svc_entity *e, svc_node *shown)
{
  const svc_plan *item = c->plan->item;
  svc_buf b = svc_buf_new(c->arena, 256);
  svc_answer holes;
  svc_node *links;
  if (SVC_NEVER(!item)) return; /* routes that ask for links have an item */
  memset(&holes, 0, sizeof holes);
  svc_answer_keys(c, item, e, &holes);
  svc_template_write(&b, &item->self, c, &holes);
  links = svc_json_parse(c->arena, svc_buf_done(&b));
  if (!links) return;
  links->name = SVC_S("links");
  svc_node_put(c->arena, shown, links);
}

SVC_PRIVATE svc_node *svc_entity_view(svc_call *c, const svc_entity *e)
{
  const svc_noun *noun = c->plan->noun->noun;
  svc_node *view = svc_route_ext_of(c->plan->route)->view ? svc_route_ext_of(c->plan->route)->view(c, e) : SVC_ALWAYS(noun->view) ? noun->view(c, e) : svc_entity_body(c, e);
  if (!view && !c->error.code) (void)svc_no_memory(c);
  return view;
}

SVC_PRIVATE bool svc_answer_entity(svc_call *c, const svc_entity *e)
{
  if (svc_route_ext_of(c->plan->route)->view || c->plan->noun->noun->view) return svc_answer_view(c, e, svc_entity_view(c, e));
  answer_stored(c, e);
  return true;
}

/* The view may change without the entity, so the ETag is computed from the view. */
SVC_PRIVATE bool svc_answer_view(svc_call *c, const svc_entity *e, svc_node *view)
{
  if (!view) return svc_failed(c);
  answer_stored(c, e);
  return svc_answer_again(c, view);
}

SVC_PRIVATE bool svc_answer_body(svc_call *c, svc_node *body)
{
  if (!body) return svc_failed(c);
  return svc_body_write(c->arena, body, &c->answer.body, &c->answer.links_at) || svc_no_memory(c);
}

SVC_PRIVATE const svc_template *svc_links_to_item(const svc_plan *plan)
{
  return plan->item ? &plan->item->links : plan->above ? &plan->above->self : NULL;
}

SVC_PRIVATE bool svc_answer_node(svc_call *c, svc_node *body)
{
  svc_answer *a = &c->answer;
  if (!svc_answer_body(c, body)) return false;
  a->status = answer_status(c);
  a->links = c->plan->links.count ? &c->plan->links : svc_links_to_item(c->plan);
  if (c->plan->own) a->own = c->route.chain[c->plan->hop_count - 1].key;
  else if (c->plan->above) a->own = c->route.chain[c->plan->above->hop_count - 1].key;
  if (c->request.method != SVC_POST) a->revision = svc_body_revision(a->body); /* the answer to a POST may have more than the entity */
  return true;
}

SVC_PRIVATE void svc_answer_status(svc_call *c, int status)
{
  c->answer.status = status;
}

SVC_PRIVATE void svc_answer_key(svc_call *c, svc_str key)
{
  c->answer.own = key;
}

SVC_PRIVATE void svc_answer_links_of(svc_call *c, const char *op)
{
  const svc_plan *plan = svc_plan_named(c->s, op);
  if (plan) c->answer.links = &plan->links;
}

SVC_PRIVATE void svc_answer_unlinked(svc_call *c)
{
  c->answer.links = NULL;
}

SVC_PRIVATE void svc_answer_untagged(svc_call *c)
{
  c->answer.revision = 0;
}

SVC_PRIVATE bool svc_answer_copied(svc_call *c)
{
  c->answer.own = svc_arena_copy(c->arena, c->answer.own);
  c->answer.body = svc_arena_copy(c->arena, c->answer.body);
  return !c->arena->failed || svc_no_memory(c);
}

SVC_PRIVATE svc_node *svc_answer_parsed(svc_call *c)
{
  return svc_json_parse(c->arena, c->answer.body);
}

SVC_PRIVATE svc_str svc_answered_key(const svc_call *c)
{
  return c->answer.own;
}

SVC_PRIVATE void svc_answer_none(svc_call *c)
{
  memset(&c->answer, 0, sizeof c->answer);
}

SVC_PRIVATE bool svc_answer_list(svc_call *c, const svc_node *list)
{
  svc_buf b = svc_buf_new(c->arena, 1024);
  svc_node_write(&b, list);
  c->answer.body = svc_buf_done(&b);
  return c->answer.body.n ? true : svc_no_memory(c);
}

SVC_PRIVATE bool svc_answer_again(svc_call *c, svc_node *body)
{
  if (!svc_answer_body(c, body)) return false;
  c->answer.revision = svc_body_revision(c->answer.body);
  return true;
}

SVC_PRIVATE void svc_answer_document(svc_call *c, svc_str bytes, uint64_t revision)
{
  (void)svc_answer_bytes(c, bytes);
  c->answer.revision = revision;
}

SVC_PRIVATE bool svc_answer_bytes(svc_call *c, svc_str bytes)
{
  memset(&c->answer, 0, sizeof c->answer);
  c->answer.status = answer_status(c);
  c->answer.body = bytes.p ? bytes : SVC_S("");
  c->answer.whole = true;
  return true;
}

SVC_PRIVATE bool svc_answer_json(svc_call *c, svc_str json)
{
  if (c->query.envelope) json = svc_arena_print(c->arena, "{\"content\":" SVC_FMT ",\"status\":%d}", SVC_ARG(json), answer_status(c));
  else json = svc_arena_copy(c->arena, json); /* a body must be NUL-terminated */
  if (c->arena->failed) return svc_no_memory(c);
  c->answer.status = answer_status(c);
  c->answer.body = json;
  c->answer.whole = true; /* links, if any, belong to a resource that is kept for a retry */
  return true;
}

SVC_PRIVATE bool svc_answer_value(svc_call *c, const svc_entity *e)
{
  c->answer.revision = e->revision;
  return svc_answer_json(c, svc_json_member(e->body, svc_str_c(svc_route_ext_of(c->plan->route)->value)));
}

SVC_PRIVATE void svc_answer_keep(svc_call *c)
{
  c->answer.kept = c->answer.body;
  c->answer.kept_links_at = c->answer.links_at;
  c->answer.secret = true;
}

SVC_PRIVATE bool (svc_answer_nothing)(svc_call *c)
{
  memset(&c->answer, 0, sizeof c->answer);
  c->answer.status = c->plan->route->status ? c->plan->route->status : 204;
  if (c->plan->route->flags & SVC_EMPTY_OBJECT) c->answer.body = SVC_S("{}");
  return true;
}

SVC_PRIVATE svc_node *svc_entity_body(svc_call *c, const svc_entity *e)
{
  svc_node *node = svc_json_parse(c->arena, e->body);
  if (!node) (void)svc_no_memory(c);
  return node;
}

/* ---------------------------------------------------------------------------------------------------------- preconditions */

/* If-Match lists the revisions that the caller has seen: the resource must have one of them. */
SVC_PRIVATE bool svc_if_match(svc_call *c, uint64_t revision)
{
  svc_str rest = c->request.if_match;
  char wanted[24];
  int n;
  if (rest.n == 0) return true;
  n = snprintf(wanted, sizeof wanted, "%llx", (unsigned long long)revision);
  while (rest.n) {
    svc_str tag = svc_str_trim(svc_str_cut(&rest, ','));
    if (svc_str_is(tag, "*")) return true;
    if (tag.n < 2 || tag.p[0] != '"' || tag.p[tag.n - 1] != '"') continue; /* weak tags never match here */
    tag = (svc_str){ tag.p + 1, tag.n - 2 };
    if (svc_str_eq(svc_str_cut(&tag, '-'), (svc_str){ wanted, (size_t)n })) return true; /* ignoring the suffix for the formatting */
  }
  return svc_fail(c, SVC_E_PRECONDITION_FAILED, "");
}

SVC_PRIVATE bool svc_if_match_view(svc_call *c, const svc_node *view)
{
  svc_buf b = svc_buf_new(c->arena, 512);
  if (!view) return svc_failed(c);
  if (c->request.if_match.n == 0) return true;
  svc_node_write(&b, view);
  return svc_if_match(c, svc_body_revision(svc_buf_done(&b)));
}

/* Building the view may cost as much as everything it shows, so it is built only for callers that send If-Match. */
SVC_PRIVATE bool svc_if_match_entity(svc_call *c, const svc_entity *e)
{
  if (c->request.if_match.n == 0) return true;
  if (c->plan->noun->noun->view || svc_route_ext_of(c->plan->route)->view) return svc_if_match_view(c, svc_entity_view(c, e));
  return svc_if_match(c, e->revision);
}

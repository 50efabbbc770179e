/*
** The entities of a path, from the outermost in: the project, the cluster in it, its snapshot.
**
** The rule: each is looked up below the one before it, in the transaction of the call, so an answer never mixes two
** states of the store. The first that is missing gives the error of its noun.
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE bool svc_begin_read(svc_call *c)
{
  svc_commit *k = &c->s->commit;
  int rc;
  if (c->txn) return true;
  rc = k->port->read_begin(k->store, &c->txn);
  return svc_status_good(c, rc);
}

SVC_PRIVATE bool svc_begin_draft(svc_call *c)
{
  svc_commit *k = &c->s->commit;
  int rc;
  if (SVC_NEVER(c->txn) || c->request.method == SVC_GET || c->plan->route->on_reply || svc_route_ext_of(c->plan->route)->prework || !k->port->draft_begin || !svc_commit_idle(k))
    return svc_begin_read(c);
  rc = k->port->draft_begin(k->store, &c->txn);
  return svc_status_good(c, rc);
}

SVC_PRIVATE void svc_end_read(svc_call *c)
{
  if (c->txn) c->txn->port->read_end(c->txn);
  c->txn = NULL;
  c->route.resolved = 0;
  c->route.parts = 0;
}

SVC_PRIVATE bool svc_not_found(svc_call *c, const svc_noun_info *noun, unsigned hop, svc_str key)
{
  svc_str parent = SVC_S("");
  int code = noun->noun->err_not_found ? noun->noun->err_not_found : SVC_E_RESOURCE_NOT_FOUND;
  if (noun == c->plan->noun && c->plan->route->err_not_found) code = c->plan->route->err_not_found;
  if (hop > 0) {
    const svc_entity *above = &c->route.chain[hop - 1];
    bool by_id = c->plan->hops[hop - 1].noun->noun->flags & SVC_GLOBAL || above->unique.n == 0;
    parent = by_id ? above->key : above->unique;
  }
  return svc_fail_about(c, code, key, parent);
}

/* The path's text for this hop: one decoded segment, or several joined as in keys. */
static svc_str resolve_text(svc_call *c, const svc_hop *hop)
{
  svc_buf b;
  unsigned i;
  if (hop->param_count == 1) return c->route.params[hop->param];
  b = svc_buf_new(c->arena, 64);
  for (i = 0; i < hop->param_count; i++) {
    if (i) svc_buf_char(&b, '/');
    svc_percent_encode(&b, c->route.params[hop->param + i]);
  }
  return svc_buf_done(&b);
}

SVC_PRIVATE int svc_get_noun(svc_txn *txn, const svc_noun_info *noun, const svc_id *id, svc_entity *out)
{
  static const svc_id root;
  return noun->parent ? svc_entity_by_id(txn, noun->noun->kind, id, out)
                      : svc_entity_get(txn, noun->noun->kind, &root, id, out);
}

SVC_PRIVATE int svc_get_noun_text_id(svc_txn *txn, const svc_noun_info *noun, svc_str id, svc_entity *out)
{
  svc_id at;
  return svc_id_parse(id, &at) ? svc_get_noun(txn, noun, &at, out) : SVC_NOT_FOUND;
}

SVC_PRIVATE int svc_get_nouns(svc_txn *txn, const svc_noun_info *noun, const svc_id *ids, size_t n, svc_entity *out)
{
  static const svc_id root;
  return svc_entities_get(txn, noun->noun->kind, noun->parent ? NULL : &root, ids, n, out);
}

/* By its unique value in any scope: the first that the caller may see. */
static int resolve_anywhere(svc_call *c, const svc_noun_info *noun, svc_str value, svc_entity *out)
{
  const svc_noun *n = noun->noun;
  svc_named found;
  svc_scan scan;
  svc_named_begin(&scan, c->txn, svc_names_of(n), value);
  while (svc_named_next(&scan, &found)) {
    if (memcmp(found.kind, n->kind, SVC_KIND_SIZE) != 0) continue;
    if (svc_entity_get(c->txn, n->kind, &found.scope, &found.id, out) == SVC_OK && svc_entity_visible(c, noun, out))
      return SVC_OK;
  }
  return c->txn->error ? c->txn->error : SVC_NOT_FOUND;
}

SVC_PRIVATE svc_id svc_parent_in(const svc_call *c, const svc_noun_info *noun, const svc_entity *above)
{
  static const svc_id root;
  const svc *s = c->s;
  if (noun->noun->flags & SVC_GLOBAL && !noun->parent) return root;
  if (noun->parent && noun->parent == s->org && above->kind == (s->group ? s->group->noun->kind : NULL)) return above->parent;
  return above->id;
}

/* An element of an array in the previous entity. */
static int resolve_element(svc_call *c, const char *array, unsigned i, svc_str id, svc_entity *out)
{
  const svc_entity *whole = &c->route.chain[i - 1];
  svc_node *body = svc_entity_body(c, whole), *item;
  if (!body) return SVC_NOMEM;
  item = svc_element_named(svc_node_get(body, array), id);
  if (!item) return SVC_NOT_FOUND;
  return svc_element_entity(c, whole, item, out) ? SVC_OK : SVC_NOMEM;
}

/* A credential belongs to one organization and usually asks for resources below it: no need to look up the parent. */
static int resolve_of_caller(svc_call *c, const svc_noun_info *noun, const svc_id *id, svc_entity *out)
{
  if (!noun->parent || noun->parent != c->s->org || svc_id_is_zero(&c->who.org)) return SVC_NOT_FOUND;
  return svc_entity_get(c->txn, noun->noun->kind, &c->who.org, id, out);
}

static int resolve_entity(svc_call *c, unsigned i, svc_str text, svc_entity *out)
{
  static const svc_id root;
  const svc_hop *hop = &c->plan->hops[i];
  const svc_noun *noun = hop->noun->noun;
  svc_id parent = i > 0 ? svc_parent_in(c, hop->noun, &c->route.chain[i - 1]) : root, id;
  /* its parent precedes it in the path */
  if (svc_noun_ext_of(noun)->element_of) return SVC_ALWAYS(i > 0) ? resolve_element(c, svc_noun_ext_of(noun)->element_of, i, text, out) : SVC_NOT_FOUND;
  if (hop->by_unique && i == 0) return resolve_anywhere(c, hop->noun, text, out);
  if (noun->key || hop->by_unique) return svc_entity_named(c->txn, noun->kind, svc_noun_ext_of(noun)->names, &parent, text, out);
  if (!svc_id_parse(text, &id)) return SVC_NOT_FOUND;
  if (noun->flags & SVC_GLOBAL) {
    int rc = resolve_of_caller(c, hop->noun, &id, out);
    if (rc == SVC_NOT_FOUND) rc = svc_get_noun(c->txn, hop->noun, &id, out);
    /* No path has such an entity below another; otherwise it would have to be below that. */
    return rc == SVC_OK && SVC_NEVER(i > 0 && hop->noun->parent && !svc_id_eq(&out->parent, &parent)) ? SVC_NOT_FOUND : rc;
  }
  return svc_entity_get(c->txn, noun->kind, &parent, &id, out);
}

/* The stand-in of a deleted entity, for a route whose noun may outlive it. */
static int resolve_stand_in(svc_call *c, unsigned i, svc_str text, svc_entity *out)
{
  const svc_noun_info *noun = c->plan->hops[i].noun->stand_in;
  svc_id parent;
  if (!noun || i == 0 || !(c->plan->noun->noun->flags & SVC_OUTLIVES)) return SVC_NOT_FOUND;
  parent = svc_parent_in(c, noun, &c->route.chain[i - 1]);
  return svc_entity_named(c->txn, noun->noun->kind, svc_noun_ext_of(noun->noun)->names, &parent, text, out);
}

/* The name may belong to another noun that shares the name space; an invalid id belongs to no entity. */
static bool resolve_missing(svc_call *c, unsigned i, svc_str text)
{
  const svc_noun_info *noun = c->plan->hops[i].noun;
  svc_named other;
  svc_id id;
  if (svc_noun_ext_of(noun->noun)->err_malformed && !noun->noun->key && !c->plan->hops[i].by_unique && !svc_id_parse(text, &id))
    return svc_fail_about(c, svc_noun_ext_of(noun->noun)->err_malformed, text, i ? c->route.chain[i - 1].key : SVC_S(""));
  if (svc_noun_ext_of(noun->noun)->err_other && svc_noun_ext_of(noun->noun)->names && i > 0 &&
      svc_named_get(c->txn, svc_noun_ext_of(noun->noun)->names, &c->route.chain[i - 1].id, text, &other) == SVC_OK)
    return svc_fail_about(c, svc_noun_ext_of(noun->noun)->err_other, text, c->route.chain[i - 1].key);
  return svc_not_found(c, noun, i, text);
}

static bool resolve_hop(svc_call *c, unsigned i)
{
  const svc_hop *hop = &c->plan->hops[i];
  const svc_noun *noun = hop->noun->noun;
  svc_entity *e = &c->route.chain[i];
  svc_str text = resolve_text(c, hop);
  int rc;
  if (noun->flags & SVC_BY_TABLE) {
    memset(e, 0, sizeof *e);
    e->key = c->route.raw[hop->param];
    return true;
  }
  if (svc_noun_ext_of(hop->noun->noun)->spell) text = svc_noun_ext_of(hop->noun->noun)->spell(c, text);
  rc = resolve_entity(c, i, text, e);
  if (rc == SVC_NOT_FOUND) rc = resolve_stand_in(c, i, text, e);
  if (rc == SVC_NOT_FOUND) return resolve_missing(c, i, text);
  if (rc != SVC_OK) return svc_store_failed(c, rc);
  if (i == 0 || hop->noun == c->s->group || hop->noun == c->s->org) c->scope = e->scope;
  if (c->plan->item_by_org && i == 0) c->route.org_key = svc_id_str(c->arena, &e->parent);
  return true;
}

SVC_PRIVATE bool svc_resolve(svc_call *c, unsigned hops)
{
  for (; c->route.resolved < hops; c->route.resolved++)
    if (!resolve_hop(c, c->route.resolved)) return false;
  return true;
}

SVC_PRIVATE void svc_resolve_with(svc_call *c, const svc_entity *e)
{
  c->route.chain[c->route.resolved++] = *e;
}

SVC_PRIVATE bool svc_resolve_all(svc_call *c)
{
  return svc_resolve(c, c->plan->hop_count);
}

SVC_PRIVATE const svc_entity *svc_parent_of_call(const svc_call *c)
{
  unsigned parents = c->plan->hop_count - (c->plan->own ? 1 : 0);
  return parents ? &c->route.chain[parents - 1] : NULL;
}

SVC_PRIVATE const svc_entity *svc_path_entity(const svc_call *c, const char *noun)
{
  unsigned i;
  for (i = 0; c->plan && i < c->route.resolved; i++)
    if (strcmp(c->plan->hops[i].noun->noun->name, noun) == 0) return &c->route.chain[i];
  return NULL;
}

SVC_PRIVATE svc_str svc_path_param(const svc_call *c, const char *name)
{
  unsigned i;
  for (i = 0; c->plan && i < c->plan->param_count; i++)
    if (svc_str_is(c->plan->params[i], name)) return c->route.params[i];
  return SVC_S("");
}

static int resolve_above(svc_call *c, const svc_noun_info *up, const svc_entity *e, svc_entity *out)
{
  if (up->by_id || !up->parent) return svc_get_noun(c->txn, up, &e->parent, out);
  return svc_entity_get(c->txn, up->noun->kind, up->parent == c->s->org ? &e->scope.org : &e->scope.group, &e->parent, out);
}

SVC_PRIVATE int svc_entity_above(svc_call *c, const svc_noun_info *noun, const svc_entity *e, svc_entity *out)
{
  const svc_noun_info *up = noun->parent;
  int rc;
  /* the entity that contains it */
  if (svc_noun_ext_of(noun->noun)->element_of) return svc_entity_get(c->txn, e->kind, &e->parent, &e->id, out);
  if (!up || SVC_NEVER(!up->noun->kind)) return SVC_NOT_FOUND; /* the parent of a stored entity is stored */
  rc = resolve_above(c, up, e, out);
  return rc == SVC_NOT_FOUND && up->stand_in ? resolve_above(c, up->stand_in, e, out) : rc;
}

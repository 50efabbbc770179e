/*
** Requests and answers of older dated versions.
**
** The rule: the store, the hooks and Idempotency-Key know only the newest shape. A request of an older version is first checked against the
** shape of that version, so that errors name its fields. Its row then upgrades it, and everything continues as for the newest. The
** row downgrades the answer at the very end. If the shapes are equal, a row has neither function, and nothing is done here.
**
** A change (PUT, PATCH) is upgraded inside its transaction, because members that are not sent keep their stored values. It may run twice,
** so c->sent keeps the original body.
*/
#include "pipeline/pipeline.h"

/* ---------------------------------------------------------------------------------------------------------------- requests */

/* The body without read-only members: the check has found those unchanged. */
static svc_node *older_writable(svc_call *c, const svc_object *object, const svc_node *sent)
{
  svc_node *out = svc_node_object(c->arena, NULL), *copy;
  const svc_object *own = object ? svc_object_of(object, sent) : NULL;
  const svc_node *member;
  for (member = out ? sent->first : NULL; member; member = member->next) {
    const svc_field *f = own ? svc_field_named(own, member->name) : NULL;
    if (f && f->flags & SVC_READ_ONLY) continue;
    copy = svc_node_copy(c->arena, member);
    if (!copy) return NULL;
    svc_node_append(out, copy);
  }
  return out;
}

/* Sets c->body in the newest shape. The check refuses a body that is not an object. */
static bool older_upgrade(svc_call *c, const svc_node *sent, const svc_node *before)
{
  const svc_older *v = c->route.older;
  svc_node *body;
  if (sent->type != SVC_J_OBJECT) return true;
  body = older_writable(c, v->body, sent);
  if (!body) return svc_no_memory(c);
  if (v->upgrade && !v->upgrade(c, body, before)) return svc_failed(c);
  c->body = body;
  return svc_check_done(c);
}

SVC_PRIVATE const svc_object *svc_body_object(const svc_call *c)
{
  const svc_route *route = c->plan->route;
  if (c->route.older && c->route.older->body) return c->route.older->body;
  return route->body ? route->body : c->plan->noun->noun->object;
}

/* Whether requests of the version have a shape of their own. */
static bool older_is_other(const svc_call *c)
{
  return c->body && (c->route.older->body || c->route.older->upgrade);
}

SVC_PRIVATE bool svc_older_create(svc_call *c)
{
  if (!older_is_other(c)) return true;
  if (c->route.older->body) svc_check(c, c->route.older->body, c->body, NULL, SVC_CHECK_CREATE);
  return svc_check_done(c) && older_upgrade(c, c->body, NULL);
}

/* The resource as the newest version shows it; *before NULL: a PUT creates it. */
static bool older_before(svc_call *c, svc_node **before)
{
  bool viewed = svc_route_ext_of(c->plan->route)->view || c->plan->noun->noun->view, stored;
  svc_entity e;
  *before = NULL;
  if (!svc_target(c, &e, &stored)) return false;
  if (!stored && c->plan->noun->noun->flags & SVC_SOLE) return true;
  *before = viewed ? svc_entity_view(c, &e) : svc_entity_body(c, &e);
  return *before != NULL;
}

/* Checks against the shape of the version, whose answers may be sent back. */
static bool older_check(svc_call *c, const svc_node *before)
{
  const svc_older *v = c->route.older;
  svc_node *was = before ? svc_node_copy(c->arena, before) : NULL;
  if (before && !was) return svc_no_memory(c);
  if (was && v->downgrade && !v->downgrade(c, was)) return svc_failed(c);
  svc_check(c, v->body, c->sent, was, c->request.method == SVC_PUT ? SVC_CHECK_REPLACE : SVC_CHECK_UPDATE);
  return svc_check_done(c);
}

SVC_PRIVATE bool svc_older_change(svc_call *c)
{
  svc_node *before;
  if (!older_is_other(c) || (c->request.method != SVC_PUT && c->request.method != SVC_PATCH)) return true;
  if (!c->sent) c->sent = c->body;
  if (!older_before(c, &before)) return false;
  if (c->route.older->body && !older_check(c, before)) return false;
  return older_upgrade(c, c->sent, before);
}

/* ------------------------------------------------------------------------------------------------------------------ errors */

/* Whether the object, or a variant of it, has the field of this path ("specs[0].name"). */
static bool older_has(const svc_object *object, svc_str path)
{
  const svc_variant *v = SVC_VARIANTS_OF(object);
  const svc_field *f;
  svc_str name;
  for (; v && v->value; v++)
    if (older_has(v->object, path)) return true;
  if (svc_object_ext_of(object)->choice) return false;
  name = svc_str_cut(&path, '.');
  f = svc_field_named(object, svc_str_cut(&name, '['));
  if (!f || path.n == 0) return f != NULL;
  return svc_field_object(f) && older_has(svc_field_object(f), path);
}

SVC_PRIVATE bool (svc_older_explain)(svc_call *c)
{
  const svc_older *v = c->route.older;
  const svc_violation *first = c->error.violations;
  svc_str detail;
  unsigned newest;
  if (!v->body || !first || older_has(v->body, first->field)) return false;
  newest = svc_route_newest(c->plan->route);
  detail = c->error.detail.n ? c->error.detail : svc_violation_text(c, first);
  c->error.detail = svc_arena_print(c->arena, SVC_FMT " The field is named as in version %04u-%02u-%02u.", SVC_ARG(detail),
                                    newest / 10000, newest / 100 % 100, newest % 100);
  return false;
}

/* ----------------------------------------------------------------------------------------------------------------- answers */

SVC_PRIVATE bool svc_older_answer(svc_call *c)
{
  const svc_older *v = c->route.older;
  svc_node *shown;
  if (v->status) c->answer.status = v->status;
  if (!v->downgrade || !c->answer.body.p || c->answer.whole) return true;
  shown = svc_json_parse(c->arena, c->answer.body);
  if (!shown) return svc_no_memory(c);
  if (!v->downgrade(c, shown)) return svc_failed(c);
  return svc_answer_body(c, shown);
}

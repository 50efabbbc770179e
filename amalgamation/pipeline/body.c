/*
** The body: media type, size, strict JSON, and for a POST (or a GET that takes one) the check against its fields.
**
** A body that changes an existing resource (PATCH, PUT) is checked later, against that resource, in the transaction of the
** change: only there are the values of read-only fields known.
*/
#include "pipeline/pipeline.h"

static bool body_media_type(const svc_call *c)
{
  svc_str rest = c->request.content_type, prefix = c->s->media_prefix;
  svc_str media = svc_str_trim(svc_str_cut(&rest, ';'));
  unsigned day;
  if (svc_str_is_nocase(media, "application/json")) return true;
  return media.n == prefix.n + 15 && svc_str_is_nocase((svc_str){ media.p, prefix.n }, prefix.p) &&
         svc_str_is_nocase((svc_str){ media.p + prefix.n + 10, 5 }, "+json") &&
         svc_day_parse((svc_str){ media.p + prefix.n, 10 }, &day);
}

static bool body_unsupported(svc_call *c)
{
  svc_str none = SVC_S("The request has no Content-Type. Please send a body of type application/json.");
  return svc_fail_as(c, c->request.content_type.n ? SVC_S("") : none, SVC_E_UNSUPPORTED_MEDIA_TYPE, "S",
                     &c->request.content_type);
}

static bool body_parse(svc_call *c, svc_str text)
{
  svc_json_fault fault = { 0, "" };
  if (!svc_json_gate(c->arena, text, c->s->config.max_depth, &fault)) {
    int64_t at = (int64_t)fault.at;
    return svc_fail(c, SVC_E_MALFORMED_JSON, "is", &at, fault.what);
  }
  c->body = svc_json_parse_gated(c->arena, text);
  if (!c->body) return svc_no_memory(c);
  return true;
}

static void body_drop_nulls(svc_node *body, const svc_object *object, bool whole);

/* Inside of a member. Elements of an array or a map are always sent as a whole. */
static void body_drop_inner(svc_node *member, const svc_field *f, bool whole)
{
  svc_node *item;
  if (!svc_field_object(f)) return;
  if (f->type == SVC_OBJECT) body_drop_nulls(member, svc_field_object(f), whole);
  else for (item = member->first; item; item = item->next) body_drop_nulls(item, svc_field_object(f), true);
}

/* Drops null members, which count as not sent, unless null may clear the field: the check handles those. Hooks thus see null only in
** fields that may be null. `whole`: fields that are not sent get their default, so null clears nothing. */
static void body_drop_nulls(svc_node *body, const svc_object *object, bool whole)
{
  const svc_object *own = svc_object_of(object, body);
  svc_node **at = &body->first;
  body->last = NULL;
  while (*at) {
    const svc_field *f = own ? svc_field_named(own, (*at)->name) : NULL;
    bool unstored = f && (f->flags & (SVC_WRITE_ONLY | SVC_SEALED)) == SVC_WRITE_ONLY;
    if (f && (*at)->type == SVC_J_NULL && !(f->flags & SVC_NULLABLE) && (whole || unstored)) {
      *at = (*at)->next;
      continue;
    }
    if (f) body_drop_inner(*at, f, whole);
    body->last = *at;
    at = &(*at)->next;
  }
}

/* In the shape of the requested version. */
static void body_without_nulls(svc_call *c)
{
  const svc_object *object = svc_body_object(c);
  svc_node *item = c->plan->route->flags & SVC_BODY_ARRAY && c->body->type == SVC_J_ARRAY ? c->body->first : c->body;
  for (; object && item; item = item->next)
    if (item->type == SVC_J_OBJECT) body_drop_nulls(item, object, c->request.method != SVC_PATCH);
}

/* A GET takes a body if its route defines one: a search. */
static bool body_is_taken(const svc_call *c)
{
  if (c->request.method == SVC_GET) return c->plan->route->body != NULL;
  return c->request.method == SVC_POST || c->request.method == SVC_PUT || c->request.method == SVC_PATCH;
}

static bool body_too_large(svc_call *c)
{
  int64_t limit = (int64_t)c->s->config.max_body;
  return svc_fail(c, SVC_E_REQUEST_TOO_LARGE, "i", &limit);
}

SVC_PRIVATE bool svc_stage_body(svc_call *c)
{
  const svc_route *route = c->plan->route;
  const svc_object *object = route->body ? route->body : c->plan->noun->noun->object;
  svc_str text = { c->request.raw->body, c->request.raw->body_length };
  if (text.n > c->s->config.max_body) return body_too_large(c);
  if (!body_is_taken(c) || route->flags & SVC_RAW_BODY) return true;
  if (text.n == 0 && route->flags & (SVC_BODY_OPTIONAL | SVC_NO_BODY)) return true;
  if (!body_media_type(c)) return body_unsupported(c);
  if (!body_parse(c, text)) return false;
  if (c->s->dialect && !c->own_words) svc_turn_body(c, svc_body_object(c));
  if (route->flags & SVC_NO_BODY) {
    if (c->body->type == SVC_J_OBJECT && !c->body->first) return true;
    return svc_fail(c, SVC_E_INVALID_REQUEST, "s", "this operation does not accept a body");
  }
  body_without_nulls(c);
  if (route->flags & SVC_BODY_ARRAY) {
    c->checked = svc_check_array(c, object, c->body);
    return svc_check_done(c);
  }
  if ((c->request.method != SVC_POST && c->request.method != SVC_GET) || !object) return true;
  if (c->route.older && !svc_older_create(c)) return false;
  c->checked = svc_check(c, object, c->body, NULL, SVC_CHECK_CREATE);
  return svc_check_done(c) || (c->route.older && svc_older_explain(c));
}

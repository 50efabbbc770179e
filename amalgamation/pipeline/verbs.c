/*
** The generic verbs: the implementation of most operations.
**
** Each serves one request inside its transaction: resolve the entities of the path, check, change, answer. The steps
** are in change.c, erase.c, element.c, list.c and answer.c; this file has only their order, and names no noun.
*/
#include "pipeline/pipeline.h"

SVC_PRIVATE bool svc_verb_read(svc_call *c)
{
  svc_entity e;
  bool stored;
  if (!svc_target(c, &e, &stored)) return false;
  return svc_route_ext_of(c->plan->route)->value ? svc_answer_value(c, &e) : svc_answer_entity(c, &e);
}

/* -------------------------------------------------------------------------------------------------------------- listing */

static bool verbs_keep(svc_call *c, const svc_entity *e, void *context)
{
  (void)context;
  return svc_entity_in_path(c, e) && (!svc_route_ext_of(c->plan->route)->keep || svc_route_ext_of(c->plan->route)->keep(c, e));
}

static svc_node *verbs_view(svc_call *c, const svc_entity *e, void *context)
{
  (void)context;
  return svc_entity_view(c, e);
}

SVC_PRIVATE bool svc_verb_list(svc_call *c)
{
  const svc_route *route = c->plan->route;
  bool viewed = svc_route_ext_of(c->plan->route)->view || c->plan->noun->noun->view;
  svc_entities which;
  const svc_entity *above;
  memset(&which, 0, sizeof which);
  if (!svc_resolve_all(c)) return false;
  above = svc_parent_of_call(c);
  which.noun = c->plan->noun;
  if (above) which.parent = svc_parent_in(c, c->plan->noun, above);
  which.filters = svc_route_ext_of(c->plan->route)->filters;
  which.keep = svc_route_ext_of(c->plan->route)->keep || svc_route_ext_of(c->plan->route)->in_path ? verbs_keep : NULL;
  which.view = viewed ? verbs_view : NULL;
  if (svc_noun_ext_of(c->plan->noun->noun)->element_of) return svc_list_elements(c, &which);
  return route->flags & SVC_VISIBLE_ONLY ? svc_list_seen(c, &which) : svc_list_entities(c, &which);
}

/* -------------------------------------------------------------------------------------------------------------- changing */

SVC_PRIVATE bool svc_verb_create(svc_call *c)
{
  svc_change change;
  svc_entity e;
  if (svc_noun_ext_of(c->plan->noun->noun)->element_of) return svc_element_create(c);
  if (!svc_resolve_all(c)) return false;
  if (!svc_change_new(c, c->plan->noun, c->checked, &change)) return false;
  if (c->plan->in_path >= 0) svc_node_set_str(c->arena, change.body, svc_route_ext_of(c->plan->route)->in_path, c->route.params[c->plan->in_path]);
  return svc_insert(c, &change, &e) && svc_answer_entity(c, &e);
}

static bool verbs_change(svc_call *c, int mode)
{
  const svc_route *route = c->plan->route;
  const svc_node *input;
  svc_change change;
  if (!svc_change_begin(c, &change)) return false;
  input = svc_change_input(c, &change);
  if (!input) return svc_failed(c);
  change.body = svc_check(c, route->body ? route->body : c->plan->noun->noun->object, input, change.before, mode);
  return svc_check_done(c) && svc_change_store(c, &change);
}

SVC_PRIVATE bool svc_verb_update(svc_call *c)
{
  return svc_noun_ext_of(c->plan->noun->noun)->element_of ? svc_element_change(c, SVC_CHECK_UPDATE) : verbs_change(c, SVC_CHECK_UPDATE);
}

SVC_PRIVATE bool svc_verb_replace(svc_call *c)
{
  return svc_noun_ext_of(c->plan->noun->noun)->element_of ? svc_element_change(c, SVC_CHECK_REPLACE) : verbs_change(c, SVC_CHECK_REPLACE);
}

/* -------------------------------------------------------------------------------------------------------------- deleting */

/* Moves the entity to the state `deleted` of its lifecycle, at whose end it is removed. */
static bool verbs_begin_delete(svc_call *c, const svc_entity *stored)
{
  const svc_noun *noun = c->plan->noun->noun;
  svc_change change;
  svc_entity e = *stored;
  const svc_difference d = { c->plan->noun, &e, SVC_DIFF_LEAVING, NULL, NULL };
  if (!svc_change_of(c, c->plan->noun, stored, &change)) return false;
  svc_node_set_text(c->arena, change.body, noun->lifecycle->field, noun->lifecycle->deleted);
  if (noun->lifecycle->leaving && !noun->lifecycle->leaving(c, &change)) return false;
  e.due_count = 0; /* all other due dates are cancelled */
  svc_due_set(&e, SVC_DUE_STATE, svc_transition_due(c->s, noun, svc_str_c(noun->lifecycle->deleted), c->now));
  if (!svc_change_write(c, &change, &e)) return false;
  e.revision = svc_new_revision(c->txn);
  if (!svc_entity_store(c, &e, stored)) return false;
  return svc_order_put(c, c->plan->noun, &e) && svc_event_put_diff(c, noun->event_deleted, &d);
}

SVC_PRIVATE bool svc_verb_delete(svc_call *c)
{
  const svc_noun *noun = c->plan->noun->noun;
  svc_entity e;
  bool stored, good = true;
  if (svc_noun_ext_of(noun)->element_of) return svc_element_delete(c);
  if (!svc_target(c, &e, &stored)) return false;
  if (!svc_if_match_entity(c, &e)) return false;
  if (!svc_may_erase(c, c->plan->noun, &e)) return false;
  if (noun->lifecycle && noun->lifecycle->deleted) good = verbs_begin_delete(c, &e);
  else if (stored) good = svc_erase(c, c->plan->noun, &e);
  return good && svc_answer_nothing(c);
}

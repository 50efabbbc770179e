/*
** Invitations: memberships that are PENDING, as two nouns show them: the invitations to an organization and to a project.
**
** The rule: the organization has a list of its invited people (members.c), so the other members are never read.
*/
#include "catalog/catalog.h"

SVC_PRIVATE bool svc_invitation_find(svc_call *c, svc_member *m)
{
  svc_str id = svc_path_param(c, "invitationId");
  bool named = id.n == 0;
  svc_str name = svc_node_str(c->body, "username");
  svc_id org, user;
  if (!svc_resolve_all(c)) return false;
  org = c->scope.org;
  if (!named && !svc_id_parse(id, &user)) return svc_fail(c, SVC_E_INVALID_INVITATION_ID, "S", &id);
  if (named && name.n == 0) { /* a body without username is an invalid body, not a missing user */
    svc_check(c, c->plan->route->body, c->body, NULL, SVC_CHECK_CREATE);
    if (!svc_check_done(c)) return false;
  }
  if (named ? !svc_member_named(c, &org, name, m) : !svc_member_get(c, &org, &user, m)) return false;
  if (svc_str_is(m->status, "PENDING") && svc_keep_assigned(c, &m->entity)) return true;
  if (named) return svc_fail(c, SVC_E_USERNAME_NOT_FOUND, "S", &name);
  return svc_fail(c, SVC_E_RESOURCE_NOT_FOUND, "S", &c->request.path);
}

static bool invitations_kept(svc_call *c, const svc_entity *e, void *context)
{
  (void)context;
  return svc_str_is(svc_member_status(e), "PENDING") && svc_keep_assigned(c, e);
}

SVC_PRIVATE bool svc_invitation_list(svc_call *c, svc_node *(*view)(svc_call *c, const svc_entity *e, void *context))
{
  svc_entities which = { .noun = c->s->seats[SVC_SEAT_MEMBER], .keep = invitations_kept, .view = view };
  const svc_query_value *name = svc_query_get(c, "username");
  svc_member m;
  if (!which.noun) return svc_fail(c, SVC_E_FEATURE_UNSUPPORTED, "s", "users");
  which.parent = c->scope.org;
  if (name) return svc_member_named(c, &which.parent, name->text, &m) && svc_list_member(c, &which, &m);
  return svc_list_listed(c, &which, &which.parent, SVC_MEMBERS_INVITED);
}

SVC_PRIVATE svc_node *svc_invitation_view(svc_call *c, const svc_noun_info *to, const svc_id *id, const svc_entity *e)
{
  bool group = to == c->s->group;
  svc_str on = svc_id_str(c->arena, id), lines = svc_assignments_of(e);
  svc_node *member = svc_entity_body(c, e), *out = svc_node_object(c->arena, NULL);
  svc_str names = group ? svc_holding_get(c->txn, &e->id, &e->parent, id) : svc_assignments_names(c, lines, on);
  svc_node *roles = svc_names_array(c, names, "roles");
  svc_node *teams = group ? NULL : svc_assignments_teams(c, lines);
  svc_str inviter;
  svc_entity scope;
  if (!member || !out || !roles || (!group && !teams) || svc_get_noun(c->txn, to, id, &scope) != SVC_OK) return NULL;
  svc_node_set_date(c->arena, out, "createdAt", c->now); /* for a member who was never invited */
  if (svc_node_get(member, "invitationCreatedAt")) {
    svc_node_set_from(c->arena, out, "createdAt", member, "invitationCreatedAt");
    svc_node_set_from(c->arena, out, "expiresAt", member, "invitationExpiresAt");
  }
  svc_node_set_str(c->arena, out, group ? "groupId" : "orgId", on);
  svc_node_set_str(c->arena, out, group ? "groupName" : "orgName", scope.unique);
  svc_node_set_from(c->arena, out, "id", member, "id");
  inviter = svc_node_str(member, "inviterUsername");
  svc_node_set_str(c->arena, out, "inviterUsername", inviter.n ? inviter : svc_inviter_name(c));
  svc_node_put(c->arena, out, roles);
  if (teams) svc_node_put(c->arena, out, teams);
  svc_node_set_from(c->arena, out, "username", member, "username");
  return out;
}

/* The shown body has more members than the accepted one, and some in another shape. Members that are sent back unchanged have no
** effect, and are removed before the rest is checked. */
SVC_PRIVATE svc_node *svc_invitation_check(svc_call *c, const svc_node *view)
{
  const svc_object *object = c->plan->route->body;
  svc_node *input = svc_node_object(c->arena, NULL);
  const svc_node *member;
  bool whole = c->body->type == SVC_J_OBJECT; /* a body that is not an object is checked as it is, and refused */
  c->route.links_own = svc_node_str(view, "id");
  for (member = whole ? c->body->first : NULL; input && member; member = member->next) {
    const svc_node *shown = svc_node_find(view, member->name);
    const svc_field *f = svc_field_named(object, member->name);
    bool same = shown && svc_node_same(shown, member);
    if (shown && !f && !same) svc_violate(c, SVC_E_ATTRIBUTE_READ_ONLY, member->name, "cannot be set or changed");
    if (!(shown && !f) && !(same && !(f->flags & SVC_REQUIRED)))
      svc_node_put(c->arena, input, svc_node_copy(c->arena, member));
  }
  if (!input) {
    (void)svc_no_memory(c);
    return NULL;
  }
  svc_check(c, object, whole ? input : c->body, NULL, SVC_CHECK_CREATE);
  return svc_check_done(c) ? input : NULL;
}

SVC_PRIVATE bool svc_invitation_answer(svc_call *c, const svc_member *m, svc_node *view)
{
  if (!view) return svc_failed(c);
  if (!svc_answer_node(c, view)) return false;
  svc_answer_key(c, m->entity.key);
  return true;
}

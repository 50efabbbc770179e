/*
** catalog: the lists of sets, roles and event types, and what nouns share that is no table: people and their memberships,
** role assignments in bodies, entries of access lists.
*/
#ifndef SVC_CATALOG_H
#define SVC_CATALOG_H

#include "pipeline/pipeline.h"
#include "catalog/set_list.h"
#include "catalog/role_list.h"
#include "catalog/event_type_list.h"

/* access_entries.c: for the nouns that are entries of access lists: their spell, POST (answers with the whole list), removing. */
SVC_PRIVATE svc_node *svc_access_shown(svc_call *c, const char *name); /* the caller's own list; NULL: no memory */
SVC_PRIVATE svc_str svc_access_spell(svc_call *c, svc_str text);
SVC_PRIVATE bool svc_access_add(svc_call *c);
SVC_PRIVATE bool svc_access_removing(svc_call *c, const svc_entity *e);
/* No credential takes its own last way in. The caller's organization is to ask for lists; and removing, for the nouns that
** are credentials, and for whatever leaves one without use. Both refuse. */
SVC_PRIVATE bool svc_access_requiring(svc_call *c);
SVC_PRIVATE bool svc_credential_removing(svc_call *c, const svc_entity *e);

/* assignments.c: roles in bodies, and the same as assignments. */
/* A route's `keep`: what is assigned a role on the path's project, or its organization where it names none. */
SVC_PRIVATE bool svc_keep_assigned(svc_call *c, const svc_entity *e);
SVC_PRIVATE svc_str svc_call_scope(svc_call *c, int *level); /* the path's project, else its organization: its id */
SVC_PRIVATE bool svc_roles_check(svc_call *c, const svc_node *roles, int level, const char *field); /* an array of names */
/* Is the credential with these roles the path's project's own, or the caller an owner of its organization? False: 403. */
SVC_PRIVATE bool svc_may_manage(svc_call *c, svc_str assignments);
SVC_PRIVATE bool svc_may_grant(svc_call *c, svc_str before, svc_str after); /* in the path's project; false: 403 */
SVC_PRIVATE svc_str svc_assignment_text(svc_call *c, svc_str role, svc_str on); /* one by itself */
SVC_PRIVATE svc_str svc_assignments_from(svc_call *c, const svc_node *names, svc_str on, svc_str others); /* others: kept assignments */
SVC_PRIVATE svc_str svc_assignments_without(svc_call *c, svc_str assignments, svc_str on);
SVC_PRIVATE svc_str svc_assignments_on(svc_call *c, svc_str assignments, svc_str on);
SVC_PRIVATE svc_node *svc_assignments_names(svc_call *c, svc_str assignments, svc_str on, const char *name); /* an array of names */
SVC_PRIVATE svc_node *svc_assignments_objects(svc_call *c, svc_str assignments, const char *name); /* {groupId or orgId, roleName} */
SVC_PRIVATE svc_str svc_assignments_minus(svc_call *c, svc_str assignments, svc_str others); /* those that are not in both */
SVC_PRIVATE svc_str svc_assignments_plus(svc_call *c, svc_str assignments, svc_str others);  /* none twice */
SVC_PRIVATE bool svc_assignments_same(svc_call *c, svc_str a, svc_str b); /* in whatever order */
/* The credential that has made this project owns it. A caller that is none, or owns it anyway: nothing. */
SVC_PRIVATE bool svc_assignments_own(svc_call *c, const svc_id *org, const svc_id *group);
/* Keys and accounts of this organization lose their roles on a project that is no longer there. */
SVC_PRIVATE bool svc_assignments_forget(svc_call *c, const svc_id *org, svc_str on);

/* members.c: people, and what they are in organizations. */
typedef struct svc_member {
  svc_id org;
  svc_entity user;   /* the person; strings are the arena's own */
  bool there;        /* a member, or invited */
  svc_entity entity; /* the membership, as it is stored; strings are the arena's own */
  svc_str status;    /* PENDING, ACTIVE, INVITATION_EXPIRED; empty: neither member nor invited */
  svc_str assignments;     /* roles and teams in this organization and its projects */
} svc_member;

#define SVC_TEAM_MOST 250 /* people of a team */
enum svc_assignment_class { SVC_ASSIGNED_ORG, SVC_ASSIGNED_GROUP, SVC_ASSIGNED_TEAM, SVC_ASSIGNED_INVITED };
SVC_PRIVATE int svc_assignment_class(svc_str role);
SVC_PRIVATE svc_str svc_team_assignment(svc_call *c, const svc_id *org, svc_str team); /* is in this team */
SVC_PRIVATE svc_str svc_member_assignment(svc_call *c, const svc_id *org);             /* the least that a member has */
SVC_PRIVATE svc_str svc_person_name(svc_call *c, svc_str name); /* as it is stored: names differ by more than case */
SVC_PRIVATE bool svc_person_find(svc_call *c, svc_str name, svc_entity *out, bool *found);
SVC_PRIVATE bool svc_person_make(svc_call *c, svc_str name, svc_entity *out); /* known by name, not registered */
SVC_PRIVATE bool svc_person_registered(const svc_entity *person);
SVC_PRIVATE bool svc_person_store(svc_call *c, svc_entity *person, const svc_node *body, bool registered, svc_str assignments);
/* With the roles that the caller may see; NULL: it may not see the person, unless it has just `made` it. */
SVC_PRIVATE svc_node *svc_person_view(svc_call *c, const svc_entity *person, bool made);
SVC_PRIVATE bool svc_member_get(svc_call *c, const svc_id *org, const svc_id *user, svc_member *out); /* see `there` */
SVC_PRIVATE bool svc_member_named(svc_call *c, const svc_id *org, svc_str name, svc_member *out);
SVC_PRIVATE bool svc_member_put(svc_call *c, svc_member *m, svc_str status, svc_str assignments); /* also the first time */
SVC_PRIVATE bool svc_member_remove(svc_call *c, svc_member *m);
/* Into the organization, with these assignments; `invite`: also who is registered is only invited. 409: is there already. */
SVC_PRIVATE bool svc_member_add(svc_call *c, const svc_id *org, svc_str name, svc_str assignments, bool invite, svc_member *out);
/* Into a project: members at once, others by an invitation to its organization. */
SVC_PRIVATE bool svc_member_join(svc_call *c, const svc_id *group, const svc_id *org, const svc_node *request, bool invite,
                                 svc_member *out);
SVC_PRIVATE svc_node *svc_member_view(svc_call *c, const svc_id *org, const svc_entity *e);
SVC_PRIVATE bool svc_member_group(svc_call *c, const svc_id *org, svc_str on, svc_id *group); /* a project of this one? */
/* Invitations to the path's project, or its organization: who is PENDING, and has roles there. They are found by the id
** of the path, else by the username of the body; a view is made for the project or organization `to` with this id. */
SVC_PRIVATE bool svc_invitation_find(svc_call *c, svc_member *m);
SVC_PRIVATE bool svc_invitation_list(svc_call *c, svc_node *(*view)(svc_call *c, const svc_entity *e, void *context));
SVC_PRIVATE svc_node *svc_invitation_view(svc_call *c, const svc_noun_info *to, const svc_id *id, const svc_entity *e);
SVC_PRIVATE svc_node *svc_invitation_check(svc_call *c, const svc_node *view); /* the body, without what it leaves; NULL: bad */
SVC_PRIVATE bool svc_invitation_answer(svc_call *c, const svc_member *m, svc_node *view);
/* People and teams of this organization lose what they have on this id: a team, or a project that leaves. */
SVC_PRIVATE bool svc_member_forget(svc_call *c, const svc_id *org, svc_str on);
/* Who made it owns it: this person the new organization, or (if a member) the new project in it. Others: nothing. */
SVC_PRIVATE bool svc_member_own(svc_call *c, const svc_id *org, const svc_id *group, const svc_id *user, bool *owns);
/* Lines with those of one class replaced by what a body says; false: refused. */
SVC_PRIVATE bool svc_assign_org(svc_call *c, const svc_id *org, const svc_node *names, const char *field, svc_str *assignments);
SVC_PRIVATE bool svc_assign_groups(svc_call *c, const svc_id *org, const svc_node *list, const char *names, svc_str *assignments);
SVC_PRIVATE bool svc_assign_teams(svc_call *c, const svc_id *org, const svc_node *ids, svc_str *assignments);


#endif /* SVC_CATALOG_H */

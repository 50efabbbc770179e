/*
** Members of an organization as a path shows them: from the organization, from one of its projects, or from one of its
** teams. For the noun organization_user, whose routes are below all three.
*/
#ifndef SVC_MEMBERSHIP_PARTS_H
#define SVC_MEMBERSHIP_PARTS_H

#include "catalog/catalog.h"

/* The viewpoint of a request: the organization, or a project or team of it. */
typedef struct svc_membership {
  svc_id org, group;
  svc_str on;         /* id of the project, otherwise of the organization */
  bool in_group;
  svc_str team, line; /* the path's team, and the assignment line of its members; empty: the path has no team */
} svc_membership;

/* membership_list.c */
SVC_PRIVATE bool svc_membership_of(svc_call *c, svc_membership *at); /* reads the viewpoint from the path; false: refused */
SVC_PRIVATE svc_str svc_membership_by_teams(svc_call *c, const svc_membership *at, const svc_entity *e); /* roles of the member's teams */
SVC_PRIVATE svc_node *svc_membership_view(svc_call *c, const svc_membership *at, const svc_entity *e, bool teams);
SVC_PRIVATE bool svc_membership_answer(svc_call *c, const svc_membership *at, const svc_entity *e);
SVC_PRIVATE bool svc_membership_wanted(const svc_call *c, svc_str status); /* whether the query parameters for states select this one */
SVC_PRIVATE bool svc_membership_list(svc_call *c, const svc_membership *at, bool people); /* people: shows users instead of members */

/* membership_versions.c: the lists of members before 2025-02-19. */
SVC_DECLARE(const svc_older svc_membership_older[])

/* membership_team.c: operations of the routes below a team. */
SVC_PRIVATE bool svc_membership_join(svc_call *c);
SVC_PRIVATE bool svc_membership_join_all(svc_call *c);
SVC_PRIVATE bool svc_membership_leave(svc_call *c);

#endif /* SVC_MEMBERSHIP_PARTS_H */

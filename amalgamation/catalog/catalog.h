/*
** The header of the catalog: the lists of endpoint sets, roles and event types, and functions that nouns share and no
** table can express: people and their memberships, role assignments in bodies, entries of access lists.
*/
#ifndef SVC_CATALOG_H
#define SVC_CATALOG_H

#include "catalog/error_list.h"
#include "pipeline/pipeline.h"
#include "catalog/set_list.h"
#include "catalog/role_list.h"

/*
** A noun's own errors and event types are defined in its file, each at the beginning of a line. The fold gathers them into
** noun_error_list.h and noun_event_list.h.
**
**   SVC_ERROR(TRIAL_IS_OVER, 409, "The trial {0} is over.", "trialId");              defines SVC_E_TRIAL_IS_OVER
**   SVC_EVENT(TRIAL_CREATED, SVC_EVENT_GROUP, false, "A trial was created.");        its log, alertable, description
*/
#define SVC_ERROR(code, status, detail, parameters) _Static_assert(SVC_E_##code > 0, #code)
#define SVC_EVENT(name, where, alertable, description) _Static_assert(sizeof #name <= SVC_EVENT_NAME_SIZE, #name " is too long")

/* access_entries.c: for nouns that are entries of access lists: their `spell`, POST (which answers with the whole list) and `removing`. */
SVC_PRIVATE svc_node *svc_access_shown(svc_call *c, const char *name); /* the caller's own list; NULL: failed */
SVC_PRIVATE void svc_access_show(svc_call *c, svc_node *body, const svc_address *range); /* sets ipAddress and cidrBlock */
SVC_PRIVATE svc_str svc_access_spell(svc_call *c, svc_str text);
SVC_PRIVATE bool svc_access_add(svc_call *c);
/* Lets a new credential of this kind be used from the caller's address. */
SVC_PRIVATE bool svc_access_admit(svc_call *c, const svc_noun_info *kind, const svc_id *credential);
SVC_PRIVATE bool svc_access_removing(svc_call *c, const svc_entity *e);
/* A credential cannot lock itself out. svc_access_requiring() checks this before the caller's organization begins to require access
** lists. svc_credential_removing() is `removing` of the nouns that are credentials, and is called before any other change that makes
** a credential useless. Both return false if they refuse. */
SVC_PRIVATE bool svc_access_requiring(svc_call *c);
SVC_PRIVATE bool svc_credential_removing(svc_call *c, const svc_entity *e);

/* versions.c: older dated versions with the shape of the newest. Each array ends with a row without date. */
SVC_DECLARE(const svc_older svc_older_20230101[])
SVC_DECLARE(const svc_older svc_older_until_20230201[])
SVC_DECLARE(const svc_older svc_older_until_20240530[])

/* settings_read.c: a true or false setting of the call's organization. preset: the value of a setting that was never changed. */
SVC_PRIVATE bool svc_org_setting(svc_call *c, const char *name, bool preset);
/* svc_project_setting() returns a setting of the call's project. svc_project_allows() refuses with 403 if that setting is false. */
SVC_PRIVATE bool svc_project_setting(svc_call *c, const char *name);
SVC_PRIVATE bool svc_project_allows(svc_call *c, const char *name);
SVC_PRIVATE int64_t svc_org_setting_number(svc_call *c, const char *name, int64_t preset);
SVC_PRIVATE bool svc_organization_settings_begin(svc_call *c, const svc_entity *org); /* writes the settings of a new organization */

/* event_types.c */
SVC_PRIVATE bool svc_event_type_named(const char *name, svc_event_type *out); /* false: no such type */
SVC_PRIVATE bool svc_event_type_known(const svc *s, svc_str name, svc_event_type *out); /* the same by the client's spelling, which may
                                                                                           contain the vendor word */

/* roles.c */
SVC_PRIVATE bool (svc_no_role)(svc_call *c, svc_str name); /* refuses with 400, suggests the most similar role, and returns false */
#define svc_no_role(...) (svc_no_role(__VA_ARGS__), false)

/* assignments.c: roles in bodies, and where they are stored. Names: the names of the roles that one holder has on one resource, a
** line each. */
SVC_PRIVATE bool svc_roles_check(svc_call *c, const svc_node *roles, int level, const char *field); /* checks an array of role names */
SVC_PRIVATE svc_str svc_names_from(svc_call *c, const svc_node *list); /* without duplicates */
SVC_PRIVATE svc_node *svc_names_array(svc_call *c, svc_str names, const char *name);
/* Appends an object for each name. */
SVC_PRIVATE bool svc_names_objects(svc_call *c, svc_node *list, svc_str names, const char *scope, const svc_id *on);
/* Assignments: lines of roles on organizations, teams and invitations (pipeline/who.h). */
SVC_PRIVATE svc_str svc_assignment_text(svc_call *c, svc_str role, svc_str on); /* a single line */
SVC_PRIVATE svc_str svc_assignments_without(svc_call *c, svc_str assignments, svc_str on);
SVC_PRIVATE svc_str svc_assignments_names(svc_call *c, svc_str assignments, svc_str on); /* names of the roles on this organization */
SVC_PRIVATE svc_str svc_assignments_set(svc_call *c, svc_str assignments, svc_str on, svc_str names); /* replaces the roles on it */
enum svc_assignment_class { SVC_ASSIGNED_ROLE, SVC_ASSIGNED_TEAM, SVC_INVITED };
SVC_PRIVATE int svc_assignment_class(svc_str role);
SVC_PRIVATE svc_str svc_assignment_org(svc_str role, svc_str on); /* the organization that a line belongs to */
SVC_PRIVATE svc_str svc_assignments_of_class(svc_call *c, svc_str assignments, int class, bool others); /* others: the lines of all other
                                                                                                           classes */
SVC_PRIVATE svc_node *svc_assignments_teams(svc_call *c, svc_str assignments); /* as the array teamIds */
/* Names or assignments as a set of lines. */
SVC_PRIVATE bool svc_lines_have(svc_str lines, svc_str line);
SVC_PRIVATE svc_str svc_lines_plus(svc_call *c, svc_str lines, svc_str others);  /* without duplicates */
SVC_PRIVATE svc_str svc_lines_minus(svc_call *c, svc_str lines, svc_str others); /* the lines that are not among `others` */
SVC_PRIVATE bool svc_lines_same(svc_str a, svc_str b); /* in any order */
/* e is a holder of roles below the path's organization. svc_names_here() returns its roles on the path's project, or on the
** organization if the path names no project. svc_keep_assigned(), for the route column `keep`, returns whether it has any such
** role. */
SVC_PRIVATE svc_str svc_names_here(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_keep_assigned(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_names_put(svc_call *c, const svc_entity *e, svc_str names); /* its roles on the path's project */
SVC_PRIVATE bool svc_holds_only_here(svc_call *c, const svc_entity *e); /* whether it has roles on no other project than the path's, and
                                                                           none on the organization */
SVC_PRIVATE svc_str svc_call_scope(svc_call *c, int *level); /* id of the path's project, otherwise of its organization */
SVC_PRIVATE svc_holder svc_holder_of(const svc_entity *e);
/* Whether the caller may change everything about this credential. False: 403. */
SVC_PRIVATE bool svc_may_manage(svc_call *c, const svc_entity *e);
SVC_PRIVATE bool svc_may_shut_out(svc_call *c, const svc_entity *e); /* by changing its access list; false: 403 */
SVC_PRIVATE bool svc_may_grant(svc_call *c, svc_str before, svc_str after); /* role names in the path's project; false: 403 */
/* Makes the calling credential an owner of a project that it has just created. Does nothing if the caller is not a credential, or is
** an owner already. */
SVC_PRIVATE bool svc_credential_owns(svc_call *c, const svc_id *org, const svc_id *group);
SVC_PRIVATE bool svc_holder_gone(svc_call *c, const svc_entity *e); /* `gone` of nouns that hold roles */
/* svc_list_listed() lists entities of a noun by an index (store/holding.c). svc_list_assigned() is `run` of a route that lists the
** entities with a role on the path's project. */
SVC_PRIVATE bool svc_list_listed(svc_call *c, const svc_entities *which, const svc_id *on, const char *kind);
SVC_PRIVATE bool svc_list_assigned(svc_call *c);
SVC_PRIVATE bool svc_list_ids(svc_call *c, const svc_entities *which, const svc_id *ids, size_t n); /* lists the entities with these ids */

/* monitoring/alert_defaults.c: gives a new project the default alert configurations, unless the project or its organization
** wants none. The project's id must be the last id that was made. */
SVC_PRIVATE bool svc_alert_defaults(svc_call *c, svc_change *change, const svc_entity *org);

/* driver_reply.c: questions to the driver, and its replies. */
/* Fills in c->question from the row, about the entity. parameters: a JSON object in the shape that the row defines. The noun of the
** route must list the row in its `questions`. */
SVC_PRIVATE bool svc_question_about(svc_call *c, const svc_question_row *row, const svc_entity *e, svc_str name, svc_str parameters);
/* Returns the reply, checked against the row: an object or an array; an empty reply gives an empty one. NULL: out of memory, or the
** reply does not match the row (503). */
SVC_PRIVATE svc_node *svc_driver_reply(svc_call *c, const svc_question_row *row, const svc_reply *reply);
/* Refuses a reply for a reason that no table can express: 503, and the reason in the log. Returns NULL. */
SVC_PRIVATE svc_node *svc_driver_reply_refused(svc_call *c, const svc_question_row *row, const char *why);
SVC_DECLARE(const svc_object svc_driver_reply_figure) /* a figure in the reply to the question "measure" */
/* Narrows a range in milliseconds to the time in which a cluster exists: from its creation until now. The rest has no data. A range outside
** of that time becomes a moment, so a driver is never asked for one that ends before it begins. */
SVC_PRIVATE void svc_range_narrow(const svc_call *c, const svc_id *cluster, int64_t *from, int64_t *until);
/* Logs. SVC_LOG_PARAM: a query parameter with a time, in seconds since 1970, from 2008 on. svc_log_range() reads startDate and
** endDate. endDate defaults to now, startDate to `seconds` before the end. A start after the end is refused. svc_log_on_reply() is
** `on_reply` of the routes, and answers with the log as gzip. */
#define SVC_LOG_PARAM(n) { .name = n, .type = SVC_INT64, .min = 1199145600, .max = 253402300799 }
SVC_PRIVATE bool svc_log_range(svc_call *c, int64_t seconds, int64_t *from, int64_t *until);
#define SVC_LOG_ASKED(values) \
  F_LONG("from", .flags = SVC_REQUIRED), F_ENUM("log", values, .flags = SVC_REQUIRED), F_LONG("until", .flags = SVC_REQUIRED) /* of a question */
SVC_PRIVATE bool svc_log_on_reply(svc_call *c, const svc_reply *reply);
SVC_PRIVATE bool svc_driver_reply_next(svc_call *c, void *state, svc_item *out); /* an item source over the items of a reply; state: pointer to
                                                                            the pointer to the first item */

/* people.c: people, in any number of organizations. */
SVC_PRIVATE svc_str svc_person_name(svc_call *c, svc_str name); /* in lower case, as it is stored: two names must differ by more than
                                                                   case */
/* Stores a person or a membership. old NULL: it is new; body NULL: the body is unchanged. */
SVC_PRIVATE bool svc_person_write(svc_call *c, svc_entity *e, const svc_entity *old, const svc_node *body);
SVC_PRIVATE bool svc_person_find(svc_call *c, svc_str name, svc_entity *out, bool *found);
SVC_PRIVATE bool svc_person_make(svc_call *c, svc_str name, svc_entity *out); /* creates a person that is known by name but not
                                                                                 registered */
SVC_PRIVATE bool svc_person_registered(const svc_entity *person);
SVC_PRIVATE bool svc_person_by(const svc_entity *person, svc_id *by); /* whether a caller of an organization registered the person; *by:
                                                                         that organization */
SVC_PRIVATE bool svc_person_is_caller(svc_call *c, const svc_entity *person);
/* by: the organization of the caller that registers the person; NULL: the person itself, or a caller that owns everything. */
SVC_PRIVATE bool svc_person_register(svc_call *c, svc_entity *person, const svc_node *body, const svc_id *by);
SVC_PRIVATE bool svc_person_assign(svc_call *c, svc_entity *person, svc_str assignments);
SVC_PRIVATE svc_node *svc_person_seen_in(svc_call *c, const svc_entity *person, const svc_id *org); /* the body that members of this
                                                                                                       organization see */
/* The person with the roles that the caller may see. made: the caller has just created the person, and may see it. NULL: the caller
** may not see the person, or out of memory. */
SVC_PRIVATE svc_node *svc_person_view(svc_call *c, const svc_entity *person, bool made);

/* members.c: memberships of people in organizations. */
typedef struct svc_member {
  svc_id org;
  svc_entity user;   /* the person; its strings are in the arena */
  bool there;        /* whether a membership is stored, which may be an invitation or an expired one */
  svc_entity entity; /* the membership as stored; its strings are in the arena */
  svc_str status;    /* PENDING, ACTIVE, INVITATION_EXPIRED; empty: no membership */
  svc_str assignments; /* roles in this organization, and teams */
} svc_member;

/* New roles of one person in projects. */
typedef struct svc_group_roles {
  svc_id group;
  svc_str roles; /* role names; empty: removes its roles there */
} svc_group_roles;
typedef struct svc_group_change {
  svc_group_roles *rows; /* sorted by project id, one row per project */
  size_t count;
  bool others_go; /* removes the roles in all other projects */
} svc_group_change;
/* Sorts the rows by project id, and merges rows of the same project. */
SVC_PRIVATE void svc_group_change_sort(svc_call *c, svc_group_change *change);
SVC_PRIVATE bool svc_group_change_has(const svc_group_change *change, const svc_id *group); /* the change must be sorted */

#define SVC_TEAM_MOST 250 /* maximum people of a team */
/* Kinds of the lists of members below an organization. No noun's kind contains these punctuation characters. */
#define SVC_MEMBERS_OWNING "ous!"
#define SVC_MEMBERS_INVITED "ous?"
#define SVC_MEMBERS_REACHING "ous+" /* members with a role in the organization that includes access to all its projects */
SVC_PRIVATE bool svc_member_reaches(svc_str assignments);
SVC_PRIVATE svc_str svc_team_assignment(svc_call *c, const svc_id *org, svc_str team); /* the line of a member of this team */
SVC_PRIVATE svc_str svc_member_assignment(svc_call *c, const svc_id *org);             /* the line of the least role, ORG_MEMBER */
SVC_PRIVATE bool svc_member_get(svc_call *c, const svc_id *org, const svc_id *user, svc_member *out); /* true even if there is no
                                                                                                         membership: see out->there */
SVC_PRIVATE bool svc_member_named(svc_call *c, const svc_id *org, svc_str name, svc_member *out);
SVC_PRIVATE const char *svc_member_kind(const svc_call *c);
SVC_PRIVATE svc_str svc_member_status(const svc_entity *e);
SVC_PRIVATE svc_str svc_member_group(svc_call *c, const svc_member *m, const svc_id *group); /* names of its roles there */
SVC_PRIVATE bool svc_member_put(svc_call *c, svc_member *m, svc_str status, svc_str assignments,
                                const svc_group_change *groups); /* creates or changes a membership; groups NULL: keeps the roles in
                                                                    projects */
SVC_PRIVATE bool svc_member_remove(svc_call *c, svc_member *m);
SVC_PRIVATE bool svc_member_gone(svc_call *c, const svc_entity *e);    /* `gone` of memberships */
SVC_PRIVATE bool svc_member_expired(svc_call *c, const svc_entity *e); /* called when an invitation has expired */
SVC_PRIVATE bool svc_member_refresh(svc_call *c, svc_member *m);       /* called when the person has changed its details */
/* Adds a person to the organization with these assignments. invite: even a registered person is only invited. 409: already a member,
** or already invited. */
SVC_PRIVATE bool svc_member_add(svc_call *c, const svc_id *org, svc_str name, svc_str assignments,
                                const svc_group_change *groups, bool invite, svc_member *out);
/* Gives a person roles in a project. A person that is not in the project's organization yet is added to it, or invited. */
SVC_PRIVATE bool svc_member_join(svc_call *c, const svc_id *group, const svc_id *org, const svc_node *request, bool invite,
                                 svc_member *out);
SVC_PRIVATE svc_node *svc_member_view(svc_call *c, const svc_entity *e);
/* Lists this member alone, if a membership is stored and `which` keeps it. */
SVC_PRIVATE bool svc_list_member(svc_call *c, const svc_entities *which, const svc_member *m);
SVC_PRIVATE bool svc_team_forget(svc_call *c, const svc_id *org, const svc_id *team); /* removes all members from a team */
/* Makes the creator an owner: of a new organization, or of a new project if the creator is an active member of its organization.
** *owns: whether that was done; false if the creator is not a registered person. */
SVC_PRIVATE bool svc_member_own(svc_call *c, const svc_id *org, const svc_id *group, const svc_id *user, bool *owns);
/* svc_assign_org() and svc_assign_teams() replace the lines of one class by those of a request body; svc_assign_groups() reads the
** roles in projects from it. False: refused. */
SVC_PRIVATE bool svc_assign_org(svc_call *c, const svc_id *org, const svc_node *names, const char *field, svc_str *assignments);
SVC_PRIVATE bool svc_assign_teams(svc_call *c, const svc_id *org, const svc_node *ids, svc_str *assignments);
SVC_PRIVATE bool svc_assign_groups(svc_call *c, const svc_id *org, const svc_node *list, const char *names,
                                   svc_group_change *out);
SVC_PRIVATE bool svc_assign_group(svc_call *c, const svc_id *group, svc_str roles, svc_group_change *out); /* one project; the others stay
                                                                                                              unchanged */

/* invitations.c: memberships that are PENDING. */
/* Invitations to the path's project, or its organization: memberships that are PENDING and have roles there. svc_invitation_find()
** finds one by the id in the path, otherwise by the username in the body. svc_invitation_view() shows it as an invitation to `to`,
** the project or organization with this id. */
SVC_PRIVATE bool svc_invitation_find(svc_call *c, svc_member *m);
SVC_PRIVATE bool svc_invitation_list(svc_call *c, svc_node *(*view)(svc_call *c, const svc_entity *e, void *context));
SVC_PRIVATE svc_str svc_inviter_name(const svc_call *c); /* members.c: the name or id of the caller, which may be a credential */
SVC_PRIVATE svc_node *svc_invitation_view(svc_call *c, const svc_noun_info *to, const svc_id *id, const svc_entity *e);
SVC_PRIVATE svc_node *svc_invitation_check(svc_call *c, const svc_node *view); /* the checked body without the members that it leaves
                                                                                  unchanged; NULL: refused */
SVC_PRIVATE bool svc_invitation_answer(svc_call *c, const svc_member *m, svc_node *view);

#endif /* SVC_CATALOG_H */
